"""What network and loss code does with masks: their direction, their shift against the labels, whether they are applied.

Reads a function at a time. A mask is told by where it comes from (a comparison with a value, ones where nothing was given),
never by its name alone; names only say which argument is meant.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ..knowledge import effects
from .decisions import NO_WAYS, Ways, apart, ways
from .effects import TAKEN
from .source import Source
from .syntax import children, unparse, walk
from .trace import Trace
from .values import Frame, Value, is_known, options

MASK = re.compile(r"mask", re.IGNORECASE)
#: A mask over the places of a sequence, not a masked word, a setting, or one over heads.
_PLACES = re.compile(
    r"(?<!head_)(?<!use_)(?<!no_)mask(?!ed|_?(token|prob|ratio|id|rate|size|gen|type|pos|index|value|lm))",
    re.IGNORECASE,
)
#: Masks of something else than padding.
_OF_SOMETHING = re.compile(
    r"(^|_)(mlm|lm|cls|sep|eos|bos|sos|special|segments?|types?|windows?|shift(ed)?|blocks?|regions?|local|global|sparse|band|"
    r"causal|tri[lu]?|triangle|future|ahead|subsequent|heads?|rand(om)?|noise|drop(out)?|prompt|answer|entity|image|pixels?|"
    r"patch|roi|anchor|pos|positive|neg|negative|edges?|nodes?|adj|same|diag(onal)?|pattern)(_|$)",
    re.IGNORECASE,
)
#: What is numbers of words, by name: what it is compared with may be their padding.
_NUMBERS = re.compile(
    r"ids?$|tokens?$|words?|inputs?|inp$|seqs?$|sequences?|src|source|tgt|target|labels?|sent|text|chars?$|^[xyi]$|query|keys?$|"
    r"title|passage|context|question|answer|sample|data$|codes?$",
    re.IGNORECASE,
)
#: What keeps padding out of a result, by name.
HIDES = re.compile(
    r"mask|ignore_?(index|label|id|value)?$|valid|seq_?len(gth)?s?$|(^|_)lengths?$|(src|tgt|source|target|input|label)_?len(gth)?s?$|not_?equal|"
    r"pad(ding)?_?(id|idx|index|value|token)|weights?$|ctc",
    re.IGNORECASE,
)
#: Of these, what is as often something else, unless a function is given it.
_WEIGHTS = re.compile(r"weights?$", re.IGNORECASE)
#: What is compared for other reasons than padding: a triangle, flags.
_NO_PADDING = re.compile(r"tri[lu]|causal|future|subsequent|valid|flag|rand", re.IGNORECASE)
_LABELS = re.compile(r"label|target|gold|ground", re.IGNORECASE)
#: From here on a number is so large that what it is added to vanishes in a softmax.
_LARGE = 1e3


def of_padding(name: str) -> bool:
    """True for what is called a mask, and not one of something else than padding."""
    return bool(_PLACES.search(name)) and not _OF_SOMETHING.search(name)


@dataclass(frozen=True)
class Comparison:
    """A mask made by comparing what is called `of` with a value: 1 where equal, or where not. `padding`: it may be that of
    padding, by its name."""

    of: str
    value: Any
    equal: bool
    source: Source
    node: ast.AST
    function: str
    padding: bool = True
    when: Ways = NO_WAYS


@dataclass(frozen=True)
class Observation:
    code: str
    source: Source
    node: ast.AST
    data: dict[str, Any] = field(default_factory=dict)


@dataclass
class Masks:
    comparisons: list[Comparison] = field(default_factory=list)
    ignored: set[Any] = field(default_factory=set)  # values that losses leave out
    hides: bool = False  # anything that may keep padding out of the result
    named: bool = False  # the same, but for weights, which most networks have
    said: list[Observation] = field(default_factory=list)


@dataclass(frozen=True)
class _Sign:
    """`real`: 1 stands for real places, else for those to be hidden. `minus`: one was taken off."""

    real: bool
    minus: bool = False


def read(sources: list[Source]) -> Masks:
    """What the functions of these modules do with masks."""
    found = Masks()
    functions: dict[str, list[tuple[Source, ast.FunctionDef]]] = {}
    networks = [source for source in sources if _about_networks(source)]
    for source in networks:
        for node in source.nodes:
            if isinstance(node, ast.FunctionDef):
                functions.setdefault(node.name, []).append((source, node))
            _collect(node, found)
    for source in networks:
        constants = _constants(source.tree)
        for node in source.nodes_of(ast.ClassDef):
            attributes = _attributes(node)
            for part in node.body:
                if isinstance(part, ast.FunctionDef):
                    _Function(source, part, attributes, constants, functions, found).run()
        for part in source.tree.body:
            if isinstance(part, ast.FunctionDef):
                _Function(source, part, {}, constants, functions, found).run()
    return found


def _about_networks(source: Source) -> bool:
    modules = [alias.name for node in source.nodes_of(ast.Import) for alias in node.names]
    modules += [node.module or "" for node in source.nodes_of(ast.ImportFrom)]
    return any(module.split(".")[0] == "mindspore" for module in modules)


def _collect(node: ast.AST, found: Masks) -> None:
    if isinstance(node, ast.FunctionDef) and node.name in (
        "construct",
        "forward",
        "forward_fn",
        "loss_fn",
        "net_forward",
    ):
        hiding = [name for name in _names(node) if HIDES.search(name)]
        given = {arg.arg for arg in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
        found.hides |= bool(hiding)
        found.named |= any(name in given or not _WEIGHTS.search(name) for name in hiding)
    elif isinstance(node, ast.keyword) and node.arg in ("ignore_index", "ignore_label"):
        value = _number(node.value)
        if value is not None:
            found.ignored.add(value)
        found.hides = found.named = True
    elif isinstance(node, ast.Call) and _last(node.func) in (
        "CrossEntropyLoss",
        "NLLLoss",
        "cross_entropy",
        "nll_loss",
    ):
        found.ignored.add(-100)


def _names(node: ast.AST) -> Iterator[str]:
    for part in walk(node):
        if isinstance(part, ast.Name):
            yield part.id
        elif isinstance(part, ast.Attribute):
            yield part.attr
        elif isinstance(part, ast.arg):
            yield part.arg


def _constants(tree: ast.Module) -> dict[str, float]:
    found = {}
    for part in tree.body:
        if isinstance(part, ast.Assign) and len(part.targets) == 1 and isinstance(part.targets[0], ast.Name):
            value = _number(part.value)
            if value is not None:
                found[part.targets[0].id] = value
    return found


def _attributes(of: ast.ClassDef) -> dict[str, ast.expr]:
    """What the methods of a class set on self."""
    found: dict[str, ast.expr] = {}
    for node in walk(of):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if (
                    isinstance(target, ast.Attribute)
                    and isinstance(target.value, ast.Name)
                    and target.value.id == "self"
                ):
                    found.setdefault(target.attr, node.value)
    return found


def _number(node: ast.expr | None) -> float | None:
    """The number that an expression is: also -inf, and a tensor of one number."""
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _number(node.operand)
        return None if inner is None else -inner
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        base, power = _number(node.left), _number(node.right)
        return base**power if base is not None and power is not None and abs(base) < 1e6 and 0 <= power < 40 else None
    if isinstance(node, (ast.List, ast.Tuple)) and len(node.elts) == 1:
        return _number(node.elts[0])
    if isinstance(node, ast.Attribute) and node.attr == "inf":
        return float("inf")
    if isinstance(node, ast.Call) and node.args:
        if (
            _last(node.func) == "float"
            and isinstance(node.args[0], ast.Constant)
            and isinstance(node.args[0].value, str)
        ):
            text = node.args[0].value.lower()
            return {"inf": float("inf"), "-inf": float("-inf")}.get(text)
        if _last(node.func) in ("Tensor", "tensor", "array", "float32", "float16", "float", "cast"):
            return _number(node.args[0])
    return None


def _last(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Call):
        return _last(node.func)  # P.Equal()(a, b)
    return node.id if isinstance(node, ast.Name) else ""


def _keeps(name: str) -> bool:
    """Whether what is called so gives elements of its one operand, as whole numbers or flags perhaps."""
    return effects.keeps(name, *TAKEN, "whole", "truth") and all(len(each.of) == 1 for each in effects.alike(name))


def _kept_of(node: ast.Call) -> ast.expr | None:
    """What a call that keeps one operand gives elements of: the tensor of a method, the number that an array is filled with."""
    known = effects.alike(_last(node.func))
    place, keyword = known[0].of[0], known[0].keyword
    if len(node.args) > place:
        return node.args[place]
    named = next((given.value for given in node.keywords if keyword and given.arg == keyword), None)
    of_method = isinstance(node.func, ast.Attribute) and not node.args and place == 0
    return node.func.value if named is None and of_method and isinstance(node.func, ast.Attribute) else named


class _Function:
    def __init__(
        self,
        source: Source,
        node: ast.FunctionDef,
        attributes: dict[str, ast.expr],
        constants: dict[str, float],
        functions: dict[str, list[tuple[Source, ast.FunctionDef]]],
        found: Masks,
    ) -> None:
        self.source, self.node, self.attributes, self.constants = source, node, attributes, constants
        self.functions, self.found = functions, found
        self.signs: dict[str, _Sign] = {}
        self.cuts: dict[str, tuple[str, str]] = {}
        self.cut_when: dict[str, Ways] = {}
        self.when = NO_WAYS
        self.lacking: frozenset[str] = frozenset()  # masks that were not given, here
        self.roots: dict[str, frozenset[str]] = {}
        self.texts: dict[str, str] = {}
        self.parameters = {part.arg for part in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
        self.depth = 0

    def run(self) -> None:
        self.block(self.node.body)

    def block(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            return
        for part in _expressions(node):
            self.look(part)
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self.assign(target, node.value)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            name = node.target.id
            self.roots[name] = self.root(node.value) | self.roots.get(name, frozenset((name,)))
            self.texts[name] = self.texts.get(name, "") + unparse(node.value)[:2000]
            self.signs.pop(name, None)
        elif isinstance(node, ast.Return) and node.value is not None:
            self.sign(node.value)
        elif isinstance(node, ast.If):
            self.either(node)
        elif isinstance(node, (ast.For, ast.While, ast.With)):
            when = self.when
            self.block(node.body)
            self.when = self.when if isinstance(node, ast.With) else when

    def either(self, node: ast.If) -> None:
        """What both ways say of a mask counts, and what stands in for one that was not given."""
        before, when, lacking = self.known(), self.when, self.lacking
        none, given = _tested_for_none(node.test, ast.Is), _tested_for_none(node.test, ast.IsNot)
        self.when, self.lacking = when | ways(node.test, True), lacking | {none or ""}
        self.block(node.body)
        after, first = self.known(), self.when
        self.signs, self.cuts, self.roots, self.texts = before
        self.when, self.lacking = when | ways(node.test, False), lacking | {given or ""}
        self.block(node.orelse)
        self.lacking = lacking
        if _leaves(node.body):
            return
        if node.orelse and _leaves(node.orelse):
            (self.signs, self.cuts, self.roots, self.texts), self.when = after, first
            return
        self.when = when
        kept = {name: sign for name, sign in after[0].items() if name == none or self.signs.get(name) == sign}
        self.signs = kept | {name: sign for name, sign in self.signs.items() if name == given}
        self.cuts = {name: cut for name, cut in after[1].items() if self.cuts.get(name) in (cut, None)}
        for name, roots in after[2].items():
            self.roots[name] = roots | self.roots.get(name, frozenset())
        self.add_texts(after[3])

    def add_texts(self, texts: dict[str, str]) -> None:
        """What names stand for on one way of a condition, beside what they stand for on the other."""
        for name, text in texts.items():
            if text != (other := self.texts.get(name, text)):
                self.texts[name] = f"{text} {other}"[:20_000]

    def known(
        self,
    ) -> tuple[dict[str, _Sign], dict[str, tuple[str, str]], dict[str, frozenset[str]], dict[str, str]]:
        return dict(self.signs), dict(self.cuts), dict(self.roots), dict(self.texts)

    def assign(self, target: ast.expr, value: ast.expr) -> None:
        if not isinstance(target, ast.Name):
            if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
                self.signs.pop(target.value.id, None)  # some places of it
            for part in walk(target):
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                    self.signs.pop(part.id, None)
                    self.cuts.pop(part.id, None)
                    self.roots[part.id] = self.root(value)
            return
        name = target.id
        sign, cut, roots, text = self.sign(value, name), self.cut(value), self.root(value), self.text(value)
        self.signs.pop(name, None)
        self.cuts.pop(name, None)
        if sign is not None:
            self.signs[name] = sign
        if cut is not None:
            self.cuts[name], self.cut_when[name] = cut, self.when
        self.roots[name], self.texts[name] = roots, text

    def look(self, node: ast.expr) -> None:
        """Each expression within a statement."""
        for part in walk(node):
            if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Mult):
                self.added(part.left, part.right, part)
                self.added(part.right, part.left, part)
                self.shifted([part.left, part.right], part)
            elif isinstance(part, ast.BinOp) and isinstance(part.op, ast.Div):
                self.divided(part.left, part.right, part)
            elif isinstance(part, ast.Call):
                self.called(part)

    def called(self, node: ast.Call) -> None:
        name = self.operator(node)
        args = node.args
        if name in ("mul", "multiply") and len(args) == 2:
            self.added(args[0], args[1], node)
            self.added(args[1], args[0], node)
        elif name in ("div", "realdiv", "divide") and len(args) == 2:
            self.divided(args[0], args[1], node)
        elif name in ("maskedfill", "masked_fill"):
            method = isinstance(node.func, ast.Attribute) and len(args) == 2 and not _is_self(node.func)
            mask, filled = (args[0], args[1]) if method else (args[1], args[2]) if len(args) == 3 else (None, None)
            if mask is not None and (self.large(filled) or 0) < 0:
                sign = self.sign(mask)
                if sign is not None and sign.real:
                    self.say("mask-inverted", node)
        elif name in ("where", "select") and len(args) == 3:
            sign = self.sign(args[0])
            if sign is not None:
                kept, other = (args[1], args[2]) if sign.real else (args[2], args[1])
                if (self.large(kept) or 0) < 0 and self.large(other) is None:
                    self.say("mask-inverted", node)
        if not _keeps(name) and len(args) + len(node.keywords) > 1:
            self.shifted([*args, *(keyword.value for keyword in node.keywords)], node)

    # --- direction --------------------------------------------------------------------------------------------------------

    def operator(self, node: ast.Call) -> str:
        """What is called, in lower case: an operator that __init__ keeps on self by its class."""
        if isinstance(node.func, ast.Attribute) and _is_self(node.func):
            kept = self.attributes.get(node.func.attr)
            if isinstance(kept, ast.Call):
                return _last(kept.func).lower()
            if isinstance(kept, (ast.Name, ast.Attribute)):
                return _last(kept).lower()
        return _last(node.func).lower()

    def of_operator(self, node: ast.BinOp, target: str) -> _Sign | None:
        """1 - mask, mask - 1, and two masks of one kind together."""
        if isinstance(node.op, ast.Sub) and _number(node.left) == 1:
            return _flipped(self.sign(node.right, target))
        if isinstance(node.op, ast.Sub) and _number(node.right) == 1:
            inner = self.sign(node.left, target)
            return None if inner is None else _Sign(inner.real, True)
        if isinstance(node.op, (ast.Mult, ast.BitAnd)):
            left, right = self.sign(node.left, target), self.sign(node.right, target)
            return left if left is not None and left == right else None
        return None

    def sign(self, node: ast.expr, target: str = "") -> _Sign | None:
        """Whether a mask is 1 for real places or for those to hide, where the code tells."""
        if isinstance(node, ast.Name):
            return self.signs.get(node.id)
        if isinstance(node, ast.Subscript):
            return self.sign(node.value, target)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Invert, ast.Not)):
            return _flipped(self.sign(node.operand, target))
        if isinstance(node, ast.BinOp):
            return self.of_operator(node, target)
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return self.compared(node.left, node.comparators[0], node.ops[0], node, target)
        return self.of_call(node, target) if isinstance(node, ast.Call) else None

    def of_call(self, node: ast.Call, target: str) -> _Sign | None:
        name, args = self.operator(node), node.args
        if name in ("equal", "eq", "not_equal", "notequal", "ne") and len(args) == 2:
            kind = ast.Eq() if name in ("equal", "eq") else ast.NotEq()
            return self.compared(args[0], args[1], kind, node, target)
        if isinstance(node.func, ast.Attribute) and name in ("equal", "eq", "ne", "not_equal") and len(args) == 1:
            kind = ast.Eq() if name in ("equal", "eq") else ast.NotEq()
            return self.compared(node.func.value, args[0], kind, node, target)
        if name in ("logical_not", "logicalnot") and args:
            return _flipped(self.sign(args[0], target))
        if name == "sub" and len(args) == 2 and _number(args[0]) == 1:
            return _flipped(self.sign(args[1], target))
        if name in ("ones_like", "oneslike", "ones"):  # what stands in for a mask that was not given, not a pattern
            return _Sign(True) if target in self.lacking and of_padding(target) else None
        if _keeps(name):
            if args and (found := self.sign(args[0], target)) is not None:
                return found
            if isinstance(node.func, ast.Attribute) and not _is_self(node.func):
                return self.sign(node.func.value, target)
            return None
        return self.returned(node)

    def returned(self, node: ast.Call) -> _Sign | None:
        """The direction of the mask that a function of the project returns."""
        candidates = self.functions.get(_last(node.func), [])
        if len(candidates) != 1 or self.depth > 3 or not MASK.search(candidates[0][1].name):
            return None
        source, target = candidates[0]
        inner = _Function(source, target, {}, _constants(source.tree), self.functions, Masks())
        inner.depth = self.depth + 1
        inner.run()
        signs = [inner.sign(p.value) for p in walk(target) if isinstance(p, ast.Return) and p.value is not None]
        return signs[0] if len(signs) == 1 else None

    def compared(self, left: ast.expr, right: ast.expr, kind: ast.cmpop, node: ast.AST, target: str) -> _Sign | None:
        value = self.value(right)
        padding = "pad" in unparse(right).lower()[:200]
        positive = isinstance(kind, ast.Gt) and value == 0
        if not positive and (not isinstance(kind, (ast.Eq, ast.NotEq)) or not (padding or isinstance(value, int))):
            return None
        if (inner := self.sign(left, target)) is not None:  # mask == 0
            return _flipped(inner) if (value == 0) is isinstance(kind, ast.Eq) else inner
        if MASK.search(_last(left)) or _NO_PADDING.search(self.text(left)):
            return _Sign(isinstance(kind, ast.NotEq)) if padding else None
        names = [name for name in (target, self.node.name) if MASK.search(name)]
        mine = all(map(of_padding, names)) and not _OF_SOMETHING.search(self.node.name)
        numbers = mine and bool(_NUMBERS.search(_last(left)))
        if positive:
            return _Sign(True) if numbers else None
        if names and isinstance(left, (ast.Name, ast.Attribute)) and not self.counts(left):
            equal = isinstance(kind, ast.Eq)
            made = Comparison(_last(left), value, equal, self.source, node, self.node.name, mine, self.when)
            if not any(known.node is node for known in self.found.comparisons):
                self.found.comparisons.append(made)
            return _Sign(not equal) if padding or numbers else None
        return _Sign(isinstance(kind, ast.NotEq)) if padding else None

    def counts(self, name: ast.expr) -> bool:
        """Whether a name holds what was computed from comparisons, as how many of them hold: no ids, of which one may be the padding."""
        assigned = (one for one in walk(self.node) if isinstance(one, ast.Assign))
        held = unparse(name)
        given = [one.value for one in assigned if any(unparse(target) == held for target in one.targets)]
        return any(isinstance(part, ast.Compare) for value in given for part in walk(value))

    def value(self, node: ast.expr | None) -> float | None:
        """A number, also by the name it has in the module or on self."""
        number = _number(node)
        if number is not None or node is None:
            return number
        if isinstance(node, ast.Name):
            return self.constants.get(node.id)
        if isinstance(node, ast.Attribute) and _is_self(node):
            return _number(self.attributes.get(node.attr))
        return None

    def large(self, node: ast.expr | None) -> float | None:
        """A number so large that a softmax makes 0 or 1 of it; None for anything else."""
        value = self.value(node)
        if value is None and isinstance(node, ast.Call) and _keeps(_last(node.func)):
            return self.large(_kept_of(node))
        return value if value is not None and abs(value) >= _LARGE else None

    def added(self, mask: ast.expr, factor: ast.expr, node: ast.expr) -> None:
        """mask * -10000: what is 1 vanishes, so that must be the padding."""
        large = self.large(factor)
        sign = self.sign(mask) if large is not None else None
        if large is None or sign is None:
            return
        # (1 - real) * -large and (real - 1) * large both hide what is not real; what a plain * large is for is not told here.
        if sign.real is (large < 0) and (sign.minus or large < 0):
            self.say("mask-inverted", node)

    # --- shift and use ----------------------------------------------------------------------------------------------------

    def cut(self, node: ast.expr) -> tuple[str, str] | None:
        """(parameter, which part of it) for a parameter that was cut along its length."""
        if isinstance(node, ast.Name):
            return self.cuts.get(node.id) or ((node.id, "") if node.id in self.parameters else None)
        if isinstance(node, ast.Subscript):
            inner = self.cut(node.value)
            parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            bounds = [p for p in parts if isinstance(p, ast.Slice) and (p.lower is not None or p.upper is not None)]
            if inner is None or not bounds:
                return inner
            return inner[0], inner[1] + "|".join(unparse(bound) for bound in bounds)
        if isinstance(node, ast.Call):
            name = self.operator(node)
            if (
                name in ("gather", "gatherv2", "index_select", "strided_slice", "stridedslice", "slice")
                and len(node.args) > 1
            ):
                inner = self.cut(node.args[0])
                rest = ", ".join(unparse(part) for part in node.args[1:])
                return None if inner is None else (inner[0], inner[1] + rest)
            if _keeps(name):
                if node.args and (found := self.cut(node.args[0])) is not None:
                    return found
                if isinstance(node.func, ast.Attribute) and not _is_self(node.func):
                    return self.cut(node.func.value)
        return None

    def shifted(self, args: list[ast.expr], node: ast.expr) -> None:
        """Labels and a mask that enter one operation cut differently."""
        cuts = [(*cut, self.ways(arg)) for arg in args if (cut := self.cut(arg)) is not None and cut[1]]
        for label, part, when in cuts:
            if not _LABELS.search(label) or MASK.search(label):
                continue
            for mask, other, then in cuts:
                if of_padding(mask) and other != part and not apart(when, then):
                    self.say("mask-shifted", node, label=label, part=part[:60], mask=mask, other=other[:60])

    def ways(self, node: ast.expr) -> Ways:
        """On which ways the names in an expression were cut."""
        names = [part.id for part in walk(node) if isinstance(part, ast.Name)]
        return self.when.union(*(self.cut_when.get(name, NO_WAYS) for name in names))

    def root(self, node: ast.expr) -> frozenset[str]:
        """The parameters and unresolved names that an expression is made of."""
        found: set[str] = set()
        for part in walk(node):
            if isinstance(part, ast.Name):
                found |= self.roots.get(part.id, frozenset((part.id,)))
        return frozenset(found)

    def text(self, node: ast.expr) -> str:
        """An expression with the names in it written out, to see what it was made by."""
        text = unparse(node)[:2000]
        for part in walk(node):
            if isinstance(part, ast.Name) and part.id in self.texts and len(text) < 20_000:
                text += " " + self.texts[part.id]
        return text

    def divided(self, above: ast.expr, below: ast.expr, node: ast.expr) -> None:
        """sum(loss) / sum(mask): the sum must leave out what the divisor does."""
        masks = {name for name in self.root(below) if MASK.search(name)}
        if not masks or "sum" not in self.text(below).lower():
            return
        over = self.root(above)
        text = self.text(above)
        if "sum" not in text.lower() or re.search(r"mask|ignore|not_?equal|weight", text, re.IGNORECASE):
            return
        if any(name in self.parameters and re.search(r"loss|nll|sum|total", name, re.IGNORECASE) for name in over):
            return  # it may have been masked by who computed it
        if not any(re.search(r"logit|pred|label|target|output|score", name, re.IGNORECASE) for name in over):
            return
        self.say("mask-not-applied", node, mask=min(masks))

    def say(self, code: str, node: ast.AST, **data: Any) -> None:
        if not any(said.code == code and said.node is node for said in self.found.said):
            self.found.said.append(Observation(code, self.source, node, data))


def _flipped(sign: _Sign | None) -> _Sign | None:
    return None if sign is None or sign.minus else _Sign(not sign.real)


def _is_self(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "self"


def _tested_for_none(node: ast.expr, kind: type[ast.cmpop]) -> str | None:
    if not (isinstance(node, ast.Compare) and isinstance(node.ops[0], kind) and isinstance(node.left, ast.Name)):
        return None
    other = node.comparators[0]
    return node.left.id if isinstance(other, ast.Constant) and other.value is None else None


def _leaves(body: list[ast.stmt]) -> bool:
    """True for a block after which nothing of the one around it is reached."""
    last = body[-1] if body else None
    if isinstance(last, ast.If):
        return _leaves(last.body) and _leaves(last.orelse)
    return isinstance(last, (ast.Return, ast.Raise, ast.Continue, ast.Break))


def _expressions(node: ast.stmt) -> Iterator[ast.expr]:
    """The expressions that belong to a statement itself, not to the block below it."""
    for name, part in ast.iter_fields(node):
        if name in ("body", "orelse", "finalbody", "handlers"):
            continue
        for item in part if isinstance(part, list) else [part]:
            if isinstance(item, ast.expr):
                yield item
            elif isinstance(item, ast.withitem):
                yield item.context_expr


# --- masks that are not handed on -----------------------------------------------------------------------------------------


def dropped(trace: Trace) -> list[Observation]:
    """Masks that a function has and does not use, where what it calls takes one and gets none."""
    found: list[Observation] = []
    for frame in trace.frames:
        caller = frame.parent
        if caller is None or isinstance(frame.function.node, ast.Lambda):
            continue
        lacking = [name for name, value in frame.parameters.items() if _PLACES.search(name) and _is_none(value)]
        if not lacking or frame.function.name not in ("construct", "forward", "__call__"):
            continue
        if _hands_on(frame):
            continue
        unused = _unused_mask(caller)
        if unused is None or _is_none(caller.parameters.get(unused)):
            continue
        if not any(said.node is frame.node for said in found):
            data = {"mask": unused, "parameter": lacking[0], "function": _shown(frame)}
            found.append(Observation("mask-dropped", frame.source, frame.node, data))
    return found


def _is_none(value: Value | None) -> bool:
    """Whether a value is None, whichever way it comes."""
    ways = options(value)
    return bool(ways) and all(is_known(way, None) for way in ways)


def _hands_on(frame: Frame) -> bool:
    """True where the call gives a mask that may be None: then it is not left out by mistake."""
    if not isinstance(frame.node, ast.Call):
        return True
    if any(
        keyword.arg is None for keyword in frame.node.keywords
    ):  # a table of arguments: each way of a cell needs its own
        return True
    given = [*frame.node.args, *(keyword.value for keyword in frame.node.keywords)]
    return any(isinstance(part, ast.Name) and _PLACES.search(part.id) for part in given)


def _shown(frame: Frame) -> str:
    of = frame.function.of
    return of.node.name if of is not None else frame.function.name


def _unused_mask(frame: Frame) -> str | None:
    """A mask among the parameters or variables of a function whose last value is never read."""
    node = frame.function.node
    if isinstance(node, ast.Lambda):
        return None
    read: dict[str, int] = {}
    written: dict[str, int] = {
        part.arg: 0
        for part in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
        if _PLACES.search(part.arg)
    }
    order = 0
    queue: list[ast.AST] = list(reversed(node.body))
    while queue:
        part = queue.pop()
        order += 1
        if isinstance(part, ast.Name) and _PLACES.search(part.id):
            if isinstance(part.ctx, ast.Load):
                read[part.id] = order
            else:
                written[part.id] = order
        inner = children(part)
        if isinstance(part, ast.Assign):
            inner = [part.value] if _is_empty(part.value) else [part.value, *part.targets]
        queue += reversed(inner)
    again = _read_again(node)
    for name, place in written.items():
        if name not in again and (read.get(name, -1) < place or (place == 0 and name not in read)):
            return name
    return None


def _is_empty(node: ast.expr) -> bool:
    """True for None, and for a list or table that has yet to be filled."""
    return (isinstance(node, ast.Constant) and node.value is None) or (ast.unparse(node) in ("[]", "{}"))


def _read_again(node: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """Names that are read in a loop: what one turn writes may be read in the next."""
    return {
        part.id
        for loop in walk(node)
        if isinstance(loop, (ast.For, ast.While))
        for part in walk(loop)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)
    }
