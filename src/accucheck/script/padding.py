"""What code does to bring sequences to one length: which value, on which side, to what size, with which mask and length.

Reads a function at a time, statement after statement, with the functions of the project that it calls; nothing is run. A
sequence is told from another by where it first appears; what is known of it goes along through names, lists, dicts,
`np.array` and the like. Network code is not looked at here.
"""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from ..knowledge import effects
from .decisions import NO_WAYS, TRUE, DecisionCase, Ways, matched, text_of, ways
from .padding_facts import (
    END,
    START,
    Compared,
    FillValue,
    Group,
    HeldValue,
    Length,
    LengthUse,
    ListOf,
    Mask,
    MissingLength,
    Number,
    Padded,
    PaddingFacts,
    PlainSequence,
    Table,
)
from .source import Source
from .syntax import called_name, children, kept, stored, unparse, walk

#: So many steps are taken in one module, and so many calls deep, before the rest is left alone.
STEPS, DEPTH = 60_000, 5

_ZEROS = {"zeros": 0, "zeros_like": 0, "ones": 1, "ones_like": 1}
_JOINS = ("concatenate", "hstack", "concat", "cat", "r_")
_LENGTH = re.compile(r"(^|_)(seq)?_?(i|o|x|y|src|tgt|in)?_?(len|lens|length|lengths)$", re.IGNORECASE)
_NO_LENGTH = re.compile(
    r"max|total|pad|bucket|full|fix|limit|chunk|window|config|target_len|batch|data_?len", re.IGNORECASE
)
#: A slice that is written to: its place among the slices, the side and the bound of what it writes, and whether it is the rest.
Bounded = tuple[int, str, "HeldValue | None", "bool | None"]
_WORD = re.compile(r"\w+")
_MASK = re.compile(r"mask", re.IGNORECASE)
_COUNT = re.compile(r"len|num|cnt|count|(^|_)[nlt]$|size|shape|valid|real|end$", re.IGNORECASE)
_SIZE = re.compile(r"max|len|size|limit|width|total", re.IGNORECASE)
_NOT_PADDING = re.compile(r"(pad|unused|blank|null|none|empty|\bnil\b|ignore)", re.IGNORECASE)
#: Calls by which the order of elements becomes another, by which a mask loses places, that make masks of lengths, and that
#: are given the lengths of sequences beside these.
_TURNS = re.compile(r"flip(lr|ud)?$|rot90$|roll$|reversed?$")
_LESSENS = re.compile(r"(multiply|mul|subtract|sub|minimum|where|logical_\w+|bitwise_\w+|put|putmask|copyto|fill_?)$")
_OF_LENGTHS = re.compile(r"(seq(uence)?|len(gth)?s?|pad(ding)?)_?mask$", re.IGNORECASE)
_TAKES = re.compile(r"net(work)?$|model$|rnn|lstm|gru|encoder$|decoder$|crf|ctc|loss|pack_padded", re.IGNORECASE)
#: What goes along with the ids of a sample, place by place.
COMPANION = re.compile(r"segment|token_?type|type_?id|(^|_)pos(ition)?s?(_|$)|sent_?id|mask", re.IGNORECASE)
#: A function without any of these, in lower case, neither fills anything up nor looks at what is filled.
SIGNS = ("pad", "mask", "len", "fill", "zeros", "ones", "full", "append", "extend", "size", "shape", "max", "[0]")


def read(sources: list[Source]) -> PaddingFacts:
    """What the functions of these modules do about padding."""
    facts = PaddingFacts()
    modules = [_Module(source) for source in sources]
    functions: dict[str, list[tuple[_Module, ast.FunctionDef]]] = {}
    for module in modules:
        for node in module.functions:
            functions.setdefault(node.name, []).append((module, node))
    called = {called_name(node) for source in sources for node in source.nodes_of(ast.Call)}
    last = 0
    for module in modules:
        reader = _Reader(module, functions, called, facts)
        reader.last_run = last
        try:
            reader.module_level()
            for node in module.functions:
                text = "\n".join(module.source.lines[node.lineno - 1 : node.end_lineno]).lower()
                if any(word in text for word in SIGNS):
                    reader.alone(node)
        except (_GaveUp, RecursionError):
            facts.gave_up.append(module.source)
        last = reader.last_run
    return facts


class _GaveUp(Exception):
    pass


class _Module:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.functions: list[ast.FunctionDef] = []
        self.owner: dict[ast.AST, ast.ClassDef] = {}
        self.attributes: dict[tuple[ast.ClassDef, str], ast.expr | None] = {}
        self.imported: dict[str, str] = {}  # name here -> what was imported
        queue: list[tuple[ast.AST, ast.ClassDef | None]] = [(source.tree, None)]
        while queue:
            node, owner = queue.pop()
            for child in children(node):
                if isinstance(child, ast.FunctionDef):
                    self.functions.append(child)
                    if owner is not None:
                        self.owner[child] = owner
                    queue.append((child, None))
                    if owner is not None:
                        self.set_in(child, owner)
                elif isinstance(child, ast.ClassDef):
                    queue.append((child, child))
                elif isinstance(child, (ast.Import, ast.ImportFrom)):
                    for alias in child.names:
                        self.imported[(alias.asname or alias.name).split(".")[0]] = alias.name
                elif isinstance(child, ast.stmt):
                    queue.append((child, owner))
        self.functions.sort(key=lambda node: node.lineno)

    def set_in(self, method: ast.FunctionDef, owner: ast.ClassDef) -> None:
        """Attributes that a method sets; None for one that is set in several places."""
        for node in walk(method):
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Attribute):
                target = node.targets[0]
                if isinstance(target.value, ast.Name) and target.value.id == "self":
                    key = owner, target.attr
                    self.attributes[key] = None if key in self.attributes else node.value


@dataclass(frozen=True)
class _Call:
    """A call with what its arguments hold. `owner` is what it is an attribute of: a module (`of_module`), or an object."""

    node: ast.Call
    name: str
    args: list[HeldValue | None]
    keywords: dict[str, HeldValue | None]
    owner: ast.expr | None
    of_module: bool

    @property
    def method(self) -> ast.expr | None:
        """The object whose method is called."""
        return None if self.of_module else self.owner


class _Reader:
    def __init__(
        self,
        module: _Module,
        functions: dict[str, list[tuple[_Module, ast.FunctionDef]]],
        called: set[str],
        facts: PaddingFacts,
    ) -> None:
        self.module, self.functions, self.called, self.facts = module, functions, called, facts
        self.source = module.source
        self.globals: dict[str, HeldValue | None] = {}
        self.env: dict[str, HeldValue | None] = {}
        #: A word -> the attributes and items in whose text it stands: what goes when the word gets another value.
        self.composed: dict[str, dict[str, None]] = {}
        self.name = ""
        self.node: ast.FunctionDef | None = None
        self.returned: list[HeldValue | None] = []
        self.active: list[ast.AST] = []
        self.steps = 0
        self.runs = self.last_run = 0
        self.loaded: set[str] = set()
        self.when = NO_WAYS
        self.exits: list[dict[str, HeldValue | None]] = []  # of the innermost loop

    # --- running ------------------------------------------------------------------------------------------------------

    def module_level(self) -> None:
        self.name, self.env = "", {}
        self.loaded = _used(self.source.tree)
        self.block(self.source.tree.body)
        self.globals = dict(self.env)

    def alone(self, node: ast.FunctionDef) -> None:
        """A function with arguments of which nothing is known."""
        self.run(self.module, node, {})

    def run(self, module: _Module, node: ast.FunctionDef, given: dict[str, HeldValue | None]) -> HeldValue | None:
        outer = self.module, self.source, self.env, self.name, self.returned, self.node, self.loaded, self.runs
        when = self.when
        if self.node is None:
            self.globals = self.env
        self.last_run += 1
        self.runs = self.last_run
        self.module, self.source, self.name, self.node = module, module.source, node.name, node
        self.env = {
            part.arg: PlainSequence(part.arg)
            for part in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
        }
        self.env.update({name: held for name, held in given.items() if held is not None})
        self.returned, self.loaded = [], _used(node)
        self.active.append(node)
        try:
            self.block(node.body)
            return _joined(self.returned)
        finally:
            self.active.pop()
            self.module, self.source, self.env, self.name, self.returned, self.node, self.loaded, self.runs = outer
            self.when = when

    def block(self, body: list[ast.stmt]) -> bool:
        return all(self.statement(statement) for statement in body)

    def statement(self, node: ast.stmt) -> bool:
        self.steps += 1
        if self.steps > STEPS:
            raise _GaveUp
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.IfExp):
            self.value(node.value.test)
            body: list[ast.stmt] = [ast.copy_location(ast.Assign(node.targets, node.value.body), node)]
            orelse: list[ast.stmt] = [ast.copy_location(ast.Assign(node.targets, node.value.orelse), node)]
            return self.arms(node.value.test, body, orelse)
        if isinstance(node, ast.Assign):
            held = self.value(node.value)
            for target in node.targets:
                self.assign(target, held, node)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            self.assign(node.target, self.value(node.value), node)
        elif isinstance(node, ast.AugAssign):
            self.augmented(node)
        elif isinstance(node, ast.Expr):
            self.value(node.value)
        elif isinstance(node, ast.Return):
            held = self.value(node.value)
            if self.name not in self.called:  # else who calls it shows what the length is for
                self.sample(held)
            self.returned.append(held)
            return False
        elif isinstance(node, ast.If):
            self.value(node.test)
            return self.arms(node.test, node.body, node.orelse)
        elif isinstance(node, ast.Match):
            return self.match(node)
        elif isinstance(node, (ast.Continue, ast.Break)):
            self.exits.append(self.env)
            return False
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            self.assign(node.target, self.element(self.value(node.iter)), node)
            if (room := self.counted(node.iter)) is not None:
                self.filled_by_loop(node, room)
            self.loop(node.body)
        elif isinstance(node, ast.While):
            if (room := self.missing(node.test)) is not None:
                self.filled_by_loop(node, room)
            self.loop(node.body)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                self.value(item.context_expr)
            return self.block(node.body)
        elif isinstance(node, ast.Try):
            outer, about = self.when, f"{self.runs} try {node.lineno}"
            self.when = outer | {DecisionCase(about, TRUE, True)}
            runs = self.block([*node.body, *node.orelse])
            self.when = outer | {DecisionCase(about, TRUE, False)}
            handled = [self.block(handler.body) for handler in node.handlers]
            self.when = outer
            return self.block(node.finalbody) and (runs or any(handled))
        elif isinstance(node, ast.Raise):
            return False
        return True

    def loop(self, body: list[ast.stmt]) -> None:
        before, when, exits = dict(self.env), self.when, self.exits
        self.exits = []
        if self.block(body):
            self.exits.append(self.env)
        self.env = _merged(self.exits) if self.exits else dict(before)
        self.when, self.exits = when, exits
        for name, held in before.items():
            self.env[name] = _either(self.env.get(name), held)

    def arms(self, test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt]) -> bool:
        return self.ways([(self.way(test, True), body), (self.way(test, False), orelse)])

    def way(self, test: ast.expr, holds: bool) -> Ways:
        return ways(test, holds, f"{self.runs} ")

    def ways(self, arms: list[tuple[Ways, list[ast.stmt]]]) -> bool:
        """The ways of one decision; what is known on all those that go on holds for what follows."""
        before, when = dict(self.env), self.when
        ends: list[dict[str, HeldValue | None]] = []
        known: list[Ways] = []
        for taken, body in arms:
            self.env, self.when = dict(before), when | taken
            if self.block(body):
                ends.append(self.env)
                known.append(self.when)
        self.when = when
        if not ends:
            return False
        self.env, self.when = _merged(ends), known[0].intersection(*known[1:])
        return True

    def match(self, node: ast.Match) -> bool:
        self.value(node.subject)
        about, left, whole = f"{self.runs} {text_of(node.subject)}", NO_WAYS, False
        arms: list[tuple[Ways, list[ast.stmt]]] = []
        for case in node.cases:
            values = matched(case.pattern)
            taken = left if values is None else left | {DecisionCase(about, values, True)}
            if case.guard is not None:
                taken |= self.way(case.guard, True)
            elif values is None:
                whole = True
            else:
                left |= {DecisionCase(about, values, False)}
            arms.append((taken, case.body))
        return self.ways(arms if whole else [*arms, (left, [])])

    def assign(self, target: ast.expr, held: HeldValue | None, node: ast.AST) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            for place, part in enumerate(target.elts):
                self.assign(part, self.item(held, place), node)
            return
        if isinstance(target, ast.Subscript) and self.written(target, held, node):
            return
        text = unparse(target)
        if held is None:
            held = PlainSequence(text)
        self.put(text, held, node)
        for name in self.composed.get(_WORD.findall(text)[-1], ()):
            if name in self.env and text in name and _is_inside(name, text):
                del self.env[name]  # an element of what it was, or one that was found by it
        self.bind(held, _last(target), node)
        field = isinstance(target, ast.Attribute) or (
            isinstance(target, ast.Subscript) and _word(target.slice) == _last(target)
        )
        if field and isinstance(held, Length):
            own = isinstance(target, ast.Attribute) and text_of(target.value) == "self"  # the size of something, mostly
            self.hand_on(_last(target), held, node, kept=not own)

    def hold(self, text: str, held: HeldValue | None) -> None:
        self.env[text] = held
        if not text.isidentifier():
            for word in _WORD.findall(text):
                self.composed.setdefault(word, {})[text] = None

    def put(self, text: str, held: HeldValue | None, node: ast.AST) -> None:
        """A name holds something from here on, in place of what it held."""
        old = self.env.get(text)
        self.hold(text, held)
        if old is held:
            return
        if isinstance(old, (Padded, Mask, Compared)):
            old.gone.append(self.when)
        value = getattr(node, "value", None)
        lessens = isinstance(old, (FillValue, Mask)) and not isinstance(held, (Padded, Mask, FillValue))
        if lessens and isinstance(value, ast.expr) and _reads(value, text):
            self.lessened(old)

    @staticmethod
    def lessened(held: HeldValue | None) -> None:
        """A mask of which something is taken away."""
        for mask in (held, held.mask) if isinstance(held, FillValue) else (held,):
            if isinstance(mask, (FillValue, Mask)):
                mask.changed = True

    @staticmethod
    def turned(held: HeldValue | None) -> None:
        held = _single(held)
        if isinstance(held, (Padded, Mask)):
            held.turned = True

    def bind(self, held: HeldValue | None, name: str, node: ast.AST) -> None:
        """Note that something is called by a name from here on."""
        if isinstance(held, FillValue) and _MASK.search(name):
            held = self.as_mask(held)
        if isinstance(held, (Padded, Mask, Compared)) and name not in held.names:
            held.names.append(name)
        if isinstance(held, (Length, ListOf)) and name in self.loaded:
            self.hand_on(name, held, node)

    def hand_on(self, name: str, held: HeldValue | None, node: ast.AST, kept: bool = False) -> None:
        """A length that gets a name and is used for more than counting."""
        held = _single(held)
        if isinstance(held, Length) and _LENGTH.search(name) and not _NO_LENGTH.search(name):
            given = LengthUse(name, held.of, node, self.source, self.name, self.runs, self.when, kept=kept)
            held.given.append(given)
            self.facts.lengths.append(given)

    def sample(self, held: HeldValue | None) -> None:
        """A sequence and its length side by side: then the length is that of what is real."""
        items = held.items if isinstance(held, Group) and held.keys is None else []
        for item in items:
            self.keep(item, items)

    @staticmethod
    def keep(held: HeldValue | None, beside: Iterable[HeldValue | None] | None = None) -> None:
        """Note that a length is taken for the number of what is real; only where its sequence is `beside` it, if that is given."""
        held = _single(held)
        if not isinstance(held, Length) or not held.given:
            return
        if beside is None or any(_first(_single(other)) is _first(held.of) for other in beside):
            held.given[0].kept = True

    def augmented(self, node: ast.AugAssign) -> None:
        text = unparse(node.target)
        value = self.value(node.value)
        if isinstance(node.op, ast.Add):
            held = self.joined([self.at(node.target), value], node)
            self.put(text, held, node)
            self.bind(held, _last(node.target), node)
        else:
            self.lessened(self.env.get(text))
            self.put(text, PlainSequence(text), node)

    # --- padding by loops -----------------------------------------------------------------------------------------------

    def missing(self, test: ast.expr) -> MissingLength | None:
        """The room that `while len(x) < n` fills."""
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            left, right, kind = test.left, test.comparators[0], test.ops[0]
            if isinstance(kind, (ast.Gt, ast.GtE)):
                left, right = right, left
            elif not isinstance(kind, (ast.Lt, ast.LtE, ast.NotEq)):
                return None
            held = self.value(left)
            if isinstance(held, Length):
                return MissingLength(text_of(right), held.of)
        return None

    def counted(self, node: ast.expr) -> MissingLength | None:
        """The room that `for _ in range(n - len(x))` or `range(len(x), n)` fills."""
        if not (isinstance(node, ast.Call) and called_name(node) == "range"):
            return None
        if len(node.args) == 1:
            held = self.value(node.args[0])
            return held if isinstance(held, MissingLength) else None
        if len(node.args) == 2:
            held = self.value(node.args[0])
            return MissingLength(text_of(node.args[1]), held.of) if isinstance(held, Length) else None
        return None

    def filled_by_loop(self, loop: ast.While | ast.For | ast.AsyncFor, room: MissingLength) -> None:
        for statement in loop.body:
            call = statement.value if isinstance(statement, ast.Expr) else None
            if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
                continue
            method, owner = call.func.attr, call.func.value
            if method == "append" and len(call.args) == 1:
                side, value = END, call.args[0]
            elif method == "insert" and len(call.args) == 2 and _is(call.args[0], 0):
                side, value = START, call.args[1]
            else:
                continue
            if not self.one_value(value, loop):
                continue
            fill = FillValue(value, room, room.size, statement)
            held = self.padded(self.at(owner), fill, side, statement)
            self.put(unparse(owner), held, statement)
            self.bind(held, _last(owner), statement)

    def one_value(self, node: ast.expr, loop: ast.AST) -> bool:
        """True for what is the same in each turn of a loop, as far as can be seen."""
        if isinstance(node, (ast.Constant, ast.Attribute, ast.UnaryOp)):
            return True
        if isinstance(node, ast.Name):
            held = self.env.get(node.id)
            return node.id not in stored(loop) and (held is None or isinstance(held, (Number, PlainSequence)))
        return (
            isinstance(node, ast.Subscript)
            and isinstance(node.slice, ast.Constant)
            and isinstance(node.slice.value, str)
        )

    # --- expressions ----------------------------------------------------------------------------------------------------

    def value(self, node: ast.expr | None) -> HeldValue | None:
        if node is None:
            return None
        self.steps += 1
        if self.steps > STEPS:
            raise _GaveUp
        method = getattr(self, "on_" + type(node).__name__, None)
        if method is not None:
            found: HeldValue | None = method(node)
            return found
        for child in children(node):
            if isinstance(child, ast.expr):
                self.value(child)
        return None

    def at(self, node: ast.expr) -> HeldValue:
        """What stands at a place that is written to or asked for by name."""
        text = text_of(node)
        held = self.env.get(text)
        if held is None and isinstance(node, ast.Name):
            held = self.globals.get(text)
        if held is None and isinstance(node, ast.Subscript):
            held = self.on_Subscript(node)
        if held is None:
            held = PlainSequence(text)
        self.hold(text, held)
        return held

    def on_Constant(self, node: ast.Constant) -> HeldValue | None:
        return Number(node.value) if isinstance(node.value, (int, float)) else None

    def on_UnaryOp(self, node: ast.UnaryOp) -> HeldValue | None:
        held = self.value(node.operand)
        if isinstance(node.op, ast.USub) and isinstance(held, Number):
            return Number(-held.value)
        if isinstance(node.op, ast.USub) and isinstance(held, FillValue):
            number = self.constant(held.value)
            return replace(held, value=ast.Constant(-number)) if isinstance(number, (int, float)) else None
        if isinstance(held, Compared) and isinstance(node.op, (ast.Not, ast.Invert)):
            return self.comparison(held.of, held, node, not held.equal)
        return None

    def on_Name(self, node: ast.Name) -> HeldValue | None:
        return self.at(node)

    def on_Attribute(self, node: ast.Attribute) -> HeldValue | None:
        if node.attr in ("T", "data", "values"):
            return self.value(node.value)
        if node.attr == "size" and not isinstance(node.value, ast.Name):
            return None
        return self.at(node)

    def on_Starred(self, node: ast.Starred) -> HeldValue | None:
        return self.value(node.value)

    def on_NamedExpr(self, node: ast.NamedExpr) -> HeldValue | None:
        held = self.value(node.value)
        self.assign(node.target, held, node)
        return held

    def on_IfExp(self, node: ast.IfExp) -> HeldValue | None:
        self.value(node.test)
        when, found = self.when, []
        for part, holds in ((node.body, True), (node.orelse, False)):
            self.when = when | self.way(node.test, holds)
            found.append(self.value(part))
        self.when = when
        return _joined(found)

    def on_BoolOp(self, node: ast.BoolOp) -> HeldValue | None:
        return _joined([self.value(part) for part in node.values])

    def on_Yield(self, node: ast.Yield | ast.YieldFrom) -> HeldValue | None:
        held = self.value(node.value)
        self.sample(held)
        self.returned.append(held)
        return None

    on_YieldFrom = on_Yield

    def on_List(self, node: ast.List | ast.Tuple) -> HeldValue | None:
        items = [self.value(part) for part in node.elts]
        if items and all(isinstance(item, Number) for item in items) and isinstance(node, ast.List) and len(items) == 1:
            return FillValue(node.elts[0], None, "1", node)
        words = [_word(part) for part in node.elts]
        if words and all(word is not None for word in words) and isinstance(node, ast.List):
            strings = all(isinstance(p, ast.Constant) and isinstance(p.value, str) for p in node.elts)
            if strings or all(isinstance(p, ast.Name) and p.id.isupper() for p in node.elts):
                return PlainSequence(text_of(node), words=[word for word in words if word is not None], whole=True)
        return Group(items)

    on_Tuple = on_List

    def on_Dict(self, node: ast.Dict) -> HeldValue | None:
        held: list[HeldValue | None] = []
        keys: list[str] = []
        numbers: dict[int, str] = {}
        for key, part in zip(node.keys, node.values, strict=True):
            one = self.value(part)
            word = _word(key) if key is not None else None
            held.append(one)
            keys.append(word or "")
            if word is not None and isinstance(one, Number) and isinstance(one.value, int):
                numbers.setdefault(one.value, word)
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                self.bind_output(one, key.value, part, kept=True)
        if numbers and len(numbers) == len(node.keys):
            return Table("", [], 0, True, numbers)
        return Group(held, keys)

    def bind_output(self, held: HeldValue | None, name: str, node: ast.AST, kept: bool) -> None:
        """A field of a sample, or an argument by keyword."""
        every = (
            isinstance(held, FillValue) and held.count is None and held.size and not held.changed and self.ones(held)
        )
        if isinstance(held, FillValue) and _MASK.search(name) and every:
            held = self.mask(None, END, True, held.size, held.node)  # ones throughout, and nothing was taken away
        if isinstance(held, (Padded, Mask, Compared, FillValue)):
            self.bind(held, name, node)
        self.hand_on(name, held, node, kept)

    def on_DictComp(self, node: ast.DictComp) -> HeldValue | None:
        generator = node.generators[0]
        call = generator.iter
        if isinstance(call, ast.Call) and called_name(call) == "enumerate" and isinstance(generator.target, ast.Tuple):
            index = generator.target.elts[0]
            listed = self.value(call.args[0]) if call.args else None
            given = [*call.args[1:2], *(keyword.value for keyword in call.keywords)]
            start = self.constant(given[0]) if given else 0
            number = node.value
            if (
                isinstance(number, ast.BinOp)
                and isinstance(number.op, ast.Add)
                and isinstance(number.right, ast.Constant)
                and isinstance(number.right.value, int)
            ):
                start, number = None if start is None else start + number.right.value, number.left
            if isinstance(index, ast.Name) and isinstance(number, ast.Name) and number.id == index.id:
                words, whole = (listed.words or [], listed.whole) if isinstance(listed, PlainSequence) else ([], False)
                if (letters := _letters(call.args[0])) is not None:
                    words, whole = list(letters), True
                if isinstance(start, int):
                    return Table("", list(words), start, whole)
        if isinstance(call, ast.Call) and called_name(call) == "zip":
            return None
        self.comprehend(node.generators)
        return None

    def comprehend(self, generators: list[ast.comprehension]) -> None:
        for generator in generators:
            self.assign(generator.target, self.element(self.value(generator.iter)), generator.iter)

    def on_ListComp(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp) -> HeldValue | None:
        before = dict(self.env)
        iterated = self.value(node.generators[0].iter)
        room = self.counted(node.generators[0].iter)
        self.comprehend(node.generators)
        alone = len(node.generators) == 1 and not node.generators[0].ifs
        element = node.elt
        held: HeldValue | None
        if (
            alone
            and (room is not None or (isinstance(iterated, PlainSequence) and iterated.upto is not None))
            and self.one_value(element, node)
        ):
            count: HeldValue | None = room or (
                Length(iterated.upto) if isinstance(iterated, PlainSequence) and iterated.upto else None
            )
            held = FillValue(element, count, room.size if room else "", node)
        elif alone and isinstance(element, ast.Constant) and isinstance(iterated, (PlainSequence, Padded)):
            held = FillValue(element, Length(iterated), "", node)  # [1 for _ in ids]
        else:
            compared = self.chosen(element, node)
            inner = self.value(element)
            if compared is not None and alone:
                held = self.comparison(iterated, compared, node)
            elif isinstance(inner, PlainSequence) and inner.tables:
                held = PlainSequence(text_of(node), inner.tables)  # a number for each word
            elif isinstance(inner, (Padded, Length, Mask, Group, ListOf)):
                held = ListOf(inner)
            elif alone and isinstance(iterated, PlainSequence) and isinstance(element, ast.Name):
                held = iterated
            else:
                held = PlainSequence(text_of(node))
        self.env = before
        return held

    on_GeneratorExp = on_SetComp = on_ListComp

    def chosen(self, node: ast.expr, whole: ast.expr) -> Compared | None:
        """`1 if x != pad else 0`, `int(x != pad)`, `float(x > 0)` of an element."""
        if isinstance(node, ast.Call) and called_name(node) in ("int", "float", "bool") and len(node.args) == 1:
            return self.chosen(node.args[0], whole)
        turned = False
        if isinstance(node, ast.IfExp) and _is(node.body, 1) and _is(node.orelse, 0):
            node = node.test
        elif isinstance(node, ast.IfExp) and _is(node.body, 0) and _is(node.orelse, 1):
            node, turned = node.test, True
        if isinstance(node, ast.Compare) and isinstance(node.left, (ast.Name, ast.Subscript)):
            found = self.compare(node)
            if found is not None:
                made = Compared(
                    found.of, found.value, found.text, found.equal is not turned, whole, self.source, self.name
                )
                made.above = found.above
                return made
        return None

    def compare(self, node: ast.Compare) -> Compared | None:
        if len(node.ops) != 1:
            return None
        left, right, kind = node.left, node.comparators[0], node.ops[0]
        if isinstance(left, ast.Constant):
            left, right = right, left
            kind = {ast.Lt: ast.Gt(), ast.Gt: ast.Lt()}.get(type(kind), kind)
        if isinstance(kind, ast.Gt) and _is(right, 0):
            return Compared(self.value(left), 0, "0", False, node, self.source, self.name, above=True)
        if not isinstance(kind, (ast.Eq, ast.NotEq)):
            return None
        return Compared(
            self.value(left),
            self.constant(right),
            text_of(right),
            isinstance(kind, ast.Eq),
            node,
            self.source,
            self.name,
        )

    def on_Compare(self, node: ast.Compare) -> HeldValue | None:
        found = self.compare(node)
        if found is None:
            sides = [self.value(part) for part in (node.left, *node.comparators)]
            for held in sides if _in_a_row(node) else []:
                self.keep(held)
            return None
        if isinstance(found.of, (Padded, PlainSequence, ListOf)):
            return self.comparison(found.of, found, node, found.equal)
        return found

    def on_BinOp(self, node: ast.BinOp) -> HeldValue | None:
        left, right = self.value(node.left), self.value(node.right)
        by_number = isinstance(right, Number) or (isinstance(left, Number) and isinstance(node.op, ast.Mult))
        if isinstance(node.op, (ast.Mult, ast.Sub, ast.BitAnd, ast.BitXor)) and not by_number:
            self.lessened(left)
            self.lessened(right)
        if isinstance(left, Number) and isinstance(right, Number) and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult)):
            total = {ast.Add: left.value + right.value, ast.Sub: left.value - right.value}
            return Number(total.get(type(node.op), left.value * right.value))
        if isinstance(node.op, ast.Sub):
            return _difference(node, left, right)
        if isinstance(node.op, ast.Mult):
            return self.repeated(node, left, right)
        return self.summed(node, left, right) if isinstance(node.op, ast.Add) else None

    def repeated(self, node: ast.BinOp, left: HeldValue | None, right: HeldValue | None) -> HeldValue | None:
        """[pad] * n, a fill of one value times its count, or an array of ones times a value."""
        for listed, whole, count, text in ((left, node.left, right, node.right), (right, node.right, left, node.left)):
            single = isinstance(listed, Group) and len(listed.items) == 1 and isinstance(listed.items[0], PlainSequence)
            if single and isinstance(whole, ast.List) and self.one_value(whole.elts[0], whole):
                return FillValue(whole.elts[0], count, text_of(text), node)
            if not isinstance(listed, FillValue):
                continue
            if listed.size == "1" and not listed.dims:
                return FillValue(listed.value, count, text_of(text), node)
            if listed.dims and _is(listed.value, 1) and isinstance(count, (Number, PlainSequence)):
                return FillValue(text, listed.count, listed.size, node, listed.dims)
        return None

    def summed(self, node: ast.BinOp, left: HeldValue | None, right: HeldValue | None) -> HeldValue | None:
        """Lists behind each other; arrays are added element by element."""
        for listed, other, text in ((left, right, node.right), (right, left, node.left)):
            if isinstance(listed, FillValue) and listed.dims:
                known = _is(listed.value, 0) and isinstance(other, (Number, PlainSequence))
                return FillValue(text, listed.count, listed.size, node, listed.dims) if known else None
        if isinstance(left, (Length, MissingLength, Number)) or isinstance(right, (Length, MissingLength, Number)):
            return left if isinstance(left, MissingLength) else None
        return self.joined([left, right], node)

    def on_Subscript(self, node: ast.Subscript) -> HeldValue | None:
        if (known := self.env.get(text_of(node))) is not None:
            return known
        if isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
            return Length(self.value(node.value.value) or PlainSequence(text_of(node.value.value)))
        if isinstance(node.value, ast.Call) and called_name(node.value) in ("shape", "size") and node.value.args:
            return Length(self.value(node.value.args[0]) or PlainSequence(""))
        held = self.value(node.value)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if any(isinstance(part, ast.Slice) and isinstance(part.step, ast.UnaryOp) for part in parts):
            self.turned(held)  # x[::-1]
        if isinstance(node.slice, ast.Slice):
            return self.cut(held, node.slice, node)
        if isinstance(held, Group):
            if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, int):
                return self.item(held, node.slice.value)
            if isinstance(node.slice, ast.Constant) and held.keys and node.slice.value in held.keys:
                return held.items[held.keys.index(node.slice.value)]
        if isinstance(held, Table):
            self.value(node.slice)
            return PlainSequence(text_of(node), (held,))
        if isinstance(held, ListOf) and not isinstance(node.slice, ast.Tuple):
            return held.element
        text = text_of(node)
        self.hold(text, PlainSequence(text, held.tables if isinstance(held, PlainSequence) else ()))
        return self.env[text]

    def cut(self, held: HeldValue | None, part: ast.Slice, node: ast.expr) -> HeldValue | None:
        """A sequence that is cut to at most a length is still that sequence; other slices are another one."""
        for bound in (part.lower, part.upper, part.step):
            self.value(bound)
        shortened = part.lower is None or _is(part.lower, 0)
        if isinstance(held, (Padded, Mask, ListOf)):
            return held
        if isinstance(held, FillValue) and isinstance(held.count, Length) and shortened and part.step is None:
            return held  # as many as the sequence that is cut alike
        if (
            isinstance(held, PlainSequence)
            and shortened
            and part.step is None
            and not isinstance(self.value(part.upper), Number)
        ):
            return held
        return PlainSequence(text_of(node), held.tables) if isinstance(held, PlainSequence) else None

    def element(self, held: HeldValue | None) -> HeldValue | None:
        if isinstance(held, ListOf):
            return held.element
        if isinstance(held, Group) and held.keys is None:
            return _joined(held.items)
        if isinstance(held, PlainSequence):
            return PlainSequence(held.name + "[]", held.tables)
        return None

    def item(self, held: HeldValue | None, place: int) -> HeldValue | None:
        if isinstance(held, Group) and held.keys is None and -len(held.items) <= place < len(held.items):
            return held.items[place]
        return held.element if isinstance(held, ListOf) else None

    def constant(self, node: ast.expr | None) -> Any:
        """The number or text that an expression is known to be, else None."""
        held = self.value(node) if node is not None else None
        if isinstance(held, Number):
            return held.value
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
            owner = self.module.owner.get(self.node) if self.node else None
            found = self.module.attributes.get((owner, node.attr)) if owner else None
            if isinstance(found, ast.Constant) and isinstance(found.value, (int, float)):
                return found.value
        return None

    # --- calls ----------------------------------------------------------------------------------------------------------

    def on_Call(self, node: ast.Call) -> HeldValue | None:
        call = self.call(node)
        self.disturbed(call)
        own = call.name in _OFTEN_OWN and self.meant(node, call.name) is not None
        read = None if own else _CALLS.get(call.name)
        known = read(self, call) if read else None
        if known is None:
            known = self.followed(node, call.name, call.args, call.keywords)
        if known is not None:
            return known[0]
        self.keep_lengths(call)
        if effects.keeps_order(call.name):
            return self.sequence_of(call)
        if call.owner is not None:
            self.value(call.owner)
        return None

    def call(self, node: ast.Call) -> _Call:
        """A call with what its arguments hold; a keyword binds its value as a name would."""
        called = called_name(node)
        args = [self.value(part) for part in node.args]
        keywords: dict[str, HeldValue | None] = {}
        for keyword in node.keywords:
            keywords[keyword.arg or ""] = held = self.value(keyword.value)
            if keyword.arg:
                self.bind_output(held, keyword.arg, keyword.value, kept=called == "dict")
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        return _Call(node, called, args, keywords, owner, owner is not None and self.is_module(owner))

    def disturbed(self, call: _Call) -> None:
        """Calls that reverse their sequences, or take places from their masks, say so of their arguments."""
        turns = bool(_TURNS.match(call.name))
        if not turns and not _LESSENS.match(call.name):
            return
        for one in call.args if call.method is None else [*call.args, self.value(call.method)]:
            (self.turned if turns else self.lessened)(one)

    def keep_lengths(self, call: _Call) -> None:
        """Lengths that a call takes beside a sequence are used by it."""
        arguments = [*call.args, *call.keywords.values()]
        if not call.of_module:
            for one in arguments if _TAKES.search(call.name) else call.keywords.values():
                self.keep(one, arguments)
        if _OF_LENGTHS.search(call.name):
            for one in arguments:
                self.keep(one)

    def sequence_of(self, call: _Call) -> HeldValue | None:
        """What a call keeps in order: its first argument, or what it is a method of."""
        inside = call.args[0] if call.args and call.method is None else None
        if inside is None and call.method is not None:
            inside = self.value(call.method)
        single = isinstance(inside, Group) and inside.keys is None and len(inside.items) == 1
        return inside.items[0] if isinstance(inside, Group) and single else inside

    # Calls that are known: each gives a tuple of what the call holds, or None where these arguments say nothing.

    def length(self, call: _Call) -> tuple[HeldValue | None] | None:
        return (Length(call.args[0] or PlainSequence(text_of(call.node.args[0]))),) if len(call.args) == 1 else None

    def numbers(self, call: _Call) -> tuple[HeldValue | None] | None:
        """range(n)."""
        if not call.args:
            return None
        upper = call.args[-1] if len(call.args) <= 2 else None
        text = text_of(call.node)
        return (PlainSequence(text, upto=upper.of) if isinstance(upper, Length) else PlainSequence(text),)

    def room(self, call: _Call) -> tuple[HeldValue | None] | None:
        """max(0, n - len(x)) and its like."""
        return next(((arg,) for arg in call.args if isinstance(arg, MissingLength)), None)

    def bounded_length(self, call: _Call) -> tuple[HeldValue | None] | None:
        """min(len(x), n)."""
        return next(((arg,) for arg in call.args if isinstance(arg, Length)), None)

    def mapping(self, call: _Call) -> tuple[HeldValue | None] | None:
        return None if call.args else (Group(list(call.keywords.values()), list(call.keywords)),)

    def numbered(self, call: _Call) -> tuple[HeldValue | None] | None:
        return (ListOf(Group([None, self.element(call.args[0])])),) if call.args else None

    def itself(self, call: _Call) -> tuple[HeldValue | None] | None:
        return (call.args[0],) if call.args else None

    def zipped(self, call: _Call) -> tuple[HeldValue | None]:
        return (ListOf(Group([self.element(arg) for arg in call.args])),)

    def blank_array(self, call: _Call) -> tuple[HeldValue | None]:
        return (self.blank(call.node, call.name),)

    def concatenated(self, call: _Call) -> tuple[HeldValue | None]:
        first = call.node.args[0] if call.node.args else None
        if isinstance(first, (ast.List, ast.Tuple)):
            return (self.joined([self.value(part) for part in first.elts], call.node),)
        parts = call.args[0] if call.args else None
        return (self.joined(parts.items, call.node) if isinstance(parts, Group) else None,)

    def appended(self, call: _Call) -> tuple[HeldValue | None]:
        """list.append(x), or np.append(x, y)."""
        if call.owner is not None and len(call.args) == 1:
            return (self.added(call.owner, call.name, call.args, call.node),)
        return (self.joined(call.args[:2], call.node),)

    def grown(self, call: _Call) -> tuple[HeldValue | None] | None:
        return None if call.owner is None else (self.added(call.owner, call.name, call.args, call.node),)

    def compared(self, call: _Call) -> tuple[HeldValue | None] | None:
        if len(call.args) != 2:
            return None
        value, of = call.node.args[1], call.args[0]
        like = Compared(
            of, self.constant(value), text_of(value), call.name == "equal", call.node, self.source, self.name
        )
        return (self.comparison(of, like, call.node),)

    def padded_array(self, call: _Call) -> tuple[HeldValue | None] | None:
        return (self.numpy_pad(call.node, call.args[0]),) if call.args else None

    def padded_sequences(self, call: _Call) -> tuple[HeldValue | None] | None:
        """pad_sequences(x, maxlen=n, padding="post", value=0), which pads in front where nothing is said."""
        if not call.args:
            return None
        where, size = _given(call.node, "padding", 3) or ast.Constant("pre"), text_of(_given(call.node, "maxlen", 1))
        side = {"'pre'": START, "'post'": END}.get(text_of(where))
        if side is None:
            return (None,)
        value = _given(call.node, "value", 5) or ast.Constant(0)
        return (
            self.padded(call.args[0], FillValue(value, MissingLength(size, None), size, call.node), side, call.node),
        )

    def mask_chosen(self, call: _Call) -> tuple[HeldValue | None] | None:
        """np.where(x == pad, 0, 1)."""
        mask = call.args[0] if len(call.args) == 3 else None
        if not isinstance(mask, Compared):
            return None
        holds, fails = call.node.args[1:]
        if _is(holds, 0) and _is(fails, 1):
            return (self.comparison(mask.of, mask, call.node, not mask.equal),)
        return (mask if _is(holds, 1) and _is(fails, 0) else None,)

    def looked_up(self, call: _Call) -> tuple[HeldValue | None] | None:
        """vocabulary.get(word)."""
        table = self.value(call.owner) if call.owner is not None else None
        return (PlainSequence(text_of(call.node), (table,)),) if isinstance(table, Table) else None

    def is_module(self, node: ast.expr) -> bool:
        """True for np, and for np.random."""
        while isinstance(node, ast.Attribute):
            node = node.value
        return isinstance(node, ast.Name) and node.id in self.module.imported

    def blank(self, node: ast.Call, called: str) -> HeldValue | None:
        """np.zeros(size) and its like; one value throughout, to be written into."""
        if called.endswith("_like"):
            held = self.value(node.args[0]) if node.args else None
            value: ast.expr = ast.Constant(_ZEROS.get(called, 0))
            if called == "full_like" and len(node.args) > 1:
                value = node.args[1]
            return FillValue(value, Length(held) if held is not None else None, "", node)
        shape = (
            node.args[0] if node.args else next((k.value for k in node.keywords if k.arg in ("shape", "size")), None)
        )
        if shape is None:
            return None
        if called == "full":
            filled = _given(node, "fill_value", 1)
            if filled is None:
                return None
            value = filled
        else:
            value = ast.Constant(_ZEROS.get(called, 0))
        parts = shape.elts if isinstance(shape, (ast.Tuple, ast.List)) else [shape]
        count = self.value(parts[0]) if parts else None
        if isinstance(count, (Length, MissingLength)) and len(parts) == 1:
            return FillValue(value, count, text_of(parts[0]), node, (text_of(parts[0]),))
        if isinstance(count, MissingLength):
            return FillValue(value, count, count.size, node, tuple(text_of(part) for part in parts))
        dims = tuple(text_of(part) for part in parts)
        return FillValue(value, None, dims[0] if dims else "", node, dims)

    def added(self, owner: ast.expr, method: str, args: list[HeldValue | None], node: ast.Call) -> HeldValue | None:
        """list.append, .extend, .insert."""
        text = text_of(owner)
        before = self.at(owner)
        if method == "extend" and args:
            held: HeldValue | None = self.joined([before, args[0]], node)
        elif method == "append" and args:
            one = args[0]
            self.sample(one)
            if _LENGTH.search(_last(owner)):
                self.keep(one)  # the lengths of all samples
            if isinstance(one, (Padded, Length, Mask, Group, ListOf)) or (
                isinstance(one, PlainSequence) and one.tables
            ):
                same = isinstance(before, ListOf) and before.element is not None
                held = before if same else ListOf(one)
                if isinstance(one, PlainSequence) and not same:
                    held = PlainSequence(text, one.tables)
            else:
                held = before if not isinstance(before, Group) or before.items else PlainSequence(text)
        else:
            return None
        self.put(text, held, node)
        self.bind(held, _last(owner), node)
        return None

    def numpy_pad(self, node: ast.Call, held: HeldValue | None) -> HeldValue | None:
        """np.pad(x, (0, n - len(x))): only what fills up to a size counts, a border of fixed width does not."""
        width = _given(node, "pad_width", 1) or _given(node, "padding", 1)
        mode = _given(node, "mode", 2)
        repeats = isinstance(mode, ast.Constant) and mode.value != "constant"
        if repeats or not isinstance(width, (ast.Tuple, ast.List)):
            return None
        pairs = [part for part in width.elts if isinstance(part, (ast.Tuple, ast.List)) and len(part.elts) == 2]
        sides: list[tuple[str, MissingLength]] = []
        for pair in [width] if not pairs and len(width.elts) == 2 else pairs:
            before, behind = (self.value(part) for part in pair.elts)
            if isinstance(behind, MissingLength) and _is(pair.elts[0], 0):
                sides.append((END, behind))
            elif isinstance(before, MissingLength) and _is(pair.elts[1], 0):
                sides.append((START, before))
        if not sides:
            return None
        value = _given(node, "constant_values") or _given(node, "value", 3) or ast.Constant(0)
        if isinstance(value, (ast.Tuple, ast.List)) and value.elts:
            value = value.elts[0 if sides[0][0] == START else -1]
        made = self.padded(held, FillValue(value, sides[0][1], sides[0][1].size, node), sides[0][0], node)
        if isinstance(made, Padded) and len(sides) > 1:
            made.area = True
        return made

    def followed(
        self, node: ast.Call, called: str, args: list[HeldValue | None], keywords: dict[str, HeldValue | None]
    ) -> tuple[HeldValue | None] | None:
        """What a function of the project returns; None when it is not one, or not for certain."""
        function = self.meant(node, called)
        if function is None or function[1] in self.active or len(self.active) >= DEPTH:
            return None
        module, target = function
        names = [part.arg for part in (*target.args.posonlyargs, *target.args.args)]
        if isinstance(node.func, ast.Attribute) and names[:1] in (["self"], ["cls"]):
            names = names[1:]
        given = dict(zip(names, args, strict=False)) | {name: held for name, held in keywords.items() if name}
        defaults: dict[str, ast.expr | None] = dict(zip(reversed(names), reversed(target.args.defaults), strict=False))
        defaults |= dict(zip((part.arg for part in target.args.kwonlyargs), target.args.kw_defaults, strict=True))
        for name, default in defaults.items():
            if name not in given and isinstance(default, ast.Constant) and isinstance(default.value, (int, float)):
                given[name] = Number(default.value)
        return (self.handed(self.run(module, target, given), names, node),)

    def handed(self, made: HeldValue | None, names: list[str], node: ast.Call) -> HeldValue | None:
        """What a function with parameters of these names padded or marked, beside what others gave where it was called."""
        if not isinstance(made, (Padded, Mask)) or made.run == self.runs:
            return made
        texts = dict(zip(names, map(text_of, node.args), strict=False))
        texts |= {part.arg: text_of(part.value) for part in node.keywords if part.arg is not None}
        found = replace(made, run=self.runs, when=self.when, size=texts.get(made.size, made.size), names=[], gone=[])
        if isinstance(found, Padded):
            self.facts.pads.append(found)
        else:
            found.node, found.source, found.handed = node, self.source, True
            self.facts.masks.append(found)
        return found

    def meant(self, node: ast.Call, called: str) -> tuple[_Module, ast.FunctionDef] | None:
        """The function that a call means: of this module, or of the one that its name or owner was imported from."""
        candidates = self.functions.get(called, [])
        own = [(module, function) for module, function in candidates if module is self.module]
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        if isinstance(owner, ast.Name) and owner.id in self.module.imported:
            stem = self.module.imported[owner.id].rsplit(".", 1)[-1]
            found = [one for one in candidates if one[0].source.file.stem == stem and one[1] not in one[0].owner]
        elif owner is not None:
            found = [one for one in own if one[1] in self.module.owner]
        elif called in self.module.imported:
            found = [one for one in candidates if one[1] not in one[0].owner]
        else:
            found = [one for one in own if one[1] not in self.module.owner]
        return found[0] if len(found) == 1 else None

    # --- padding and masks ----------------------------------------------------------------------------------------------

    def joined(self, held: list[HeldValue | None], node: ast.AST) -> HeldValue | None:
        """Sequences behind each other: where one of them is a fill up to a size, the others are padded."""
        flat = [part for part in held if part is not None]
        if len(flat) != len(held) or not flat:
            return self.words_joined(held)
        if len(flat) == 2:
            one, other = flat
            for whole, fill, side in ((one, other, END), (other, one, START)):
                both = isinstance(whole, FillValue) and self.fills_up(whole)
                if isinstance(fill, FillValue) and self.fills_up(fill) and not both:
                    return self.padded(whole, fill, side, node)
        return self.words_joined(held)

    def words_joined(self, held: list[HeldValue | None]) -> HeldValue | None:
        """[EOS] + [SOS] + list(words): the first words are known."""
        tables: list[Table] = []
        words: list[str] | None = []
        for part in held:
            if isinstance(part, PlainSequence):
                tables += part.tables
                if words is not None and part.words is not None:
                    words += part.words
                elif words:
                    return PlainSequence("", tuple(tables), words, False)
                else:
                    words = None
            elif isinstance(part, Padded):
                return part
            else:
                words = None
        return PlainSequence(
            "",
            tuple(tables),
            words or None,
            bool(words) and all(isinstance(p, PlainSequence) and p.whole for p in held),
        )

    def fills_up(self, fill: FillValue) -> bool:
        """True for as many values as are missing to a size: n - len(x), or a name that says so."""
        if isinstance(fill.count, MissingLength):
            return True
        if isinstance(fill.count, (Length, Number)) or fill.size in ("1", ""):
            return False
        return bool(re.search(r"pad|fill|miss|remain|rest|diff|need", fill.size, re.IGNORECASE))

    def ones(self, fill: FillValue) -> bool:
        return self.constant(fill.value) in (1, 1.0)

    def zeros(self, fill: FillValue) -> bool:
        return self.constant(fill.value) in (0, 0.0)

    def padded(self, whole: HeldValue | None, fill: FillValue, side: str, node: ast.AST) -> HeldValue | None:
        size = fill.count.size if isinstance(fill.count, MissingLength) else fill.size
        one = isinstance(whole, FillValue) and self.ones(whole) and self.constant(fill.value) in (0, 1, 0.0, 1.0)
        if one and isinstance(whole, FillValue) and isinstance(whole.count, Length):
            return self.mask(whole.count.of, side, self.ones(fill), size, node)
        tables = whole.tables if isinstance(whole, PlainSequence) else ()
        text = text_of(fill.value)
        return self.noted(
            Padded(whole, self.constant(fill.value), text, side, size, node, self.source, self.name, tables=tables)
        )

    def noted(self, made: Padded) -> Padded:
        made.run, made.when = self.runs, self.when
        self.facts.pads.append(made)
        return made

    def mask(self, by: HeldValue | None, side: str, every: bool, size: str, node: ast.AST) -> Mask:
        made = Mask(by, side, every, size, node, self.source, self.name, run=self.runs, when=self.when)
        self.facts.masks.append(made)
        return made

    def comparison(self, of: HeldValue | None, like: Compared, node: ast.AST, equal: bool | None = None) -> Compared:
        made = Compared(
            of,
            like.value,
            like.text,
            like.equal if equal is None else equal,
            node,
            self.source,
            self.name,
            run=self.runs,
        )
        made.when, made.above = self.when, like.above
        self.facts.compared.append(made)
        return made

    def as_mask(self, fill: FillValue) -> HeldValue:
        """A fill that is called a mask: ones for the length of something, or everywhere."""
        of = fill.count.of if isinstance(fill.count, Length) else None
        if isinstance(of, Padded) and not fill.dims and self.ones(fill) and not fill.changed:
            if fill.mask is None:
                fill.mask = self.mask(of, END, True, of.size, fill.node)
            return fill.mask
        return fill

    def written(self, target: ast.Subscript, held: HeldValue | None, node: ast.AST) -> bool:
        """x[:n] = y into a blank array."""
        blank = self.env.get(text_of(target.value))
        self.lessened(blank)
        if isinstance(blank, Table):
            self.numbered_word(blank, target, held)
            return True
        if isinstance(blank, Padded):
            self.rest_written(blank, target, held, node)
        if isinstance(blank, (Padded, Mask)):
            return isinstance(target.slice, (ast.Slice, ast.Tuple))
        if not isinstance(blank, FillValue) or not (blank.dims or isinstance(blank.count, Length) or blank.size):
            return False
        slices = target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]
        found = [
            (place, *bounded)
            for place, part in enumerate(slices)
            if isinstance(part, ast.Slice) and (bounded := self.bounds(part)) is not None
        ]
        constant = self.constant(node.value) if isinstance(node, ast.Assign) else None
        constant = held.value if isinstance(held, Number) else constant
        every = all(isinstance(p, ast.Slice) and p.lower is None and p.upper is None for p in slices)
        if not found and not (every and constant is not None):
            return any(isinstance(part, ast.Slice) for part in slices)
        if every:
            made: HeldValue | None = blank
            if constant == 1 and self.zeros(blank):
                made = self.mask(None, END, True, blank.size_of(0), node)
        elif constant is not None:
            made = self.constant_written(blank, constant, found[0], node)
        else:
            made = self.sequence_written(blank, held, found, node)
        if made is not None:
            self.hold(text_of(target.value), made)
            self.bind(made, _last(target.value), node)
        return True

    @staticmethod
    def numbered_word(table: Table, target: ast.Subscript, held: HeldValue | None) -> None:
        """vocabulary["<pad>"] = 0; any other assignment leaves the table unknown in part."""
        word = _word(target.slice)
        if word is not None and isinstance(held, Number) and isinstance(held.value, int):
            table.numbers.setdefault(held.value, word)
        else:
            table.whole = False

    def rest_written(self, padded: Padded, target: ast.Subscript, held: HeldValue | None, node: ast.AST) -> None:
        """x[n:] = value: what is behind a sequence gets a value of its own."""
        bounded = self.bounds(target.slice) if isinstance(target.slice, ast.Slice) else None
        if bounded is not None and bounded[2]:
            padded.value, padded.text = held.value if isinstance(held, Number) else None, text_of(node)

    def constant_written(self, blank: FillValue, constant: Any, at: Bounded, node: ast.AST) -> Mask | None:
        """x[:n] = 1 into zeros is a mask, and x[n:] = 0 into ones. None where only the rest gets its value first, or where the
        ones stand for the padding."""
        place, side, upto, rest = at
        inside = constant in (1, 1.0) and self.zeros(blank) and rest is not True
        outside = constant in (0, 0.0) and self.ones(blank) and rest is not False
        if not inside and not outside:
            blank.value = ast.Constant(constant) if rest else blank.value
            return None
        opposite = START if side == END else END
        return self.mask(upto, side if inside else opposite, False, blank.size_of(place), node)

    def sequence_written(
        self, blank: FillValue, held: HeldValue | None, found: list[Bounded], node: ast.AST
    ) -> HeldValue:
        """x[:n] = y into values that are all alike: y is padded."""
        place, side, upto, _ = found[0]
        size = blank.size_of(place)
        made = (
            self.padded(held or upto, FillValue(blank.value, MissingLength(size, None), size, node), side, node)
            or blank
        )
        if isinstance(made, Padded):
            made.area = len([one for one in found if isinstance(one[2], (PlainSequence, Padded))]) > 1
        return made

    @staticmethod
    def counts(held: HeldValue | None, node: ast.expr) -> bool:
        """True for a bound that is a length, or is called one."""
        return isinstance(held, (Length, MissingLength)) or (
            not isinstance(held, Number) and bool(_COUNT.search(_last(node) or text_of(node)))
        )

    def bounds(self, part: ast.Slice) -> tuple[str, HeldValue | None, bool | None] | None:
        """(side that is written, the sequence that bounds it, whether it is as long as the room beside that sequence) of a
        slice that leaves a rest."""
        upper, lower = part.upper, part.lower
        if part.step is not None or (upper is None) is (lower is None or _is(lower, 0)):
            return None  # all of it, or a piece in the middle
        side, bound, turned = END, upper, False
        if isinstance(lower, ast.UnaryOp) and isinstance(lower.op, ast.USub):
            side, bound = START, lower.operand
        elif upper is None:
            side, bound, turned = START, lower, True
        held = self.value(bound)
        if bound is None or not self.counts(held, bound):
            return None
        if isinstance(held, (Length, MissingLength)):
            return side, held.of, isinstance(held, MissingLength) is not turned
        return None if turned else (side, None, None)


#: Names that projects give to functions of their own, too.
_OFTEN_OWN = frozenset(("pad", "pad_sequences"))
_CALLS: dict[str, Callable[[_Reader, _Call], tuple[HeldValue | None] | None]] = {
    "len": _Reader.length,
    "range": _Reader.numbers,
    **dict.fromkeys(("max", "int", "abs"), _Reader.room),
    "min": _Reader.bounded_length,
    "dict": _Reader.mapping,
    "enumerate": _Reader.numbered,
    "tqdm": _Reader.itself,
    "zip": _Reader.zipped,
    **dict.fromkeys((*_ZEROS, "full", "full_like", "empty"), _Reader.blank_array),
    **dict.fromkeys(_JOINS, _Reader.concatenated),
    "append": _Reader.appended,
    **dict.fromkeys(("extend", "insert"), _Reader.grown),
    **dict.fromkeys(("not_equal", "equal"), _Reader.compared),
    "pad": _Reader.padded_array,
    "pad_sequences": _Reader.padded_sequences,
    "where": _Reader.mask_chosen,
    "get": _Reader.looked_up,
}


def _single(held: HeldValue | None) -> HeldValue | None:
    """What a list holds all along."""
    while isinstance(held, ListOf):
        held = held.element
    return held


def _first(held: HeldValue | None) -> HeldValue | None:
    """What was there before it was padded."""
    while isinstance(held, Padded) and held.of is not None:
        held = held.of
    return held


def _merged(ends: list[dict[str, HeldValue | None]]) -> dict[str, HeldValue | None]:
    """What names hold where several ways meet."""
    if len(ends) == 1:
        return ends[0]
    return {
        name: _joined([end[name] for end in ends if name in end]) for name in dict.fromkeys(n for e in ends for n in e)
    }


def _joined(held: list[HeldValue | None]) -> HeldValue | None:
    """One for several possible ones: what tells most of padding counts."""
    known = [part for part in held if part is not None]
    if not known:
        return None
    if _number_on_one_way(held):
        return next((part for part in known if isinstance(part, PlainSequence)), PlainSequence(""))
    if all(part is known[0] for part in known):
        return known[0]
    groups = [part for part in known if isinstance(part, Group) and part.keys is None]
    if len(groups) == len(known) and len({len(part.items) for part in groups}) == 1:
        return Group([_joined(list(items)) for items in zip(*(g.items for g in groups), strict=True)])
    for kind in (Padded, Mask, ListOf, Compared, Group, Table, FillValue, Length, MissingLength):
        if found := [part for part in known if isinstance(part, kind)]:
            return found[0]
    plain = [part for part in known if isinstance(part, PlainSequence)]
    if len(plain) > 1 and any(part.tables for part in plain):
        return PlainSequence(plain[0].name, tuple(dict.fromkeys(table for part in plain for table in part.tables)))
    return known[0]


def _number_on_one_way(held: list[HeldValue | None]) -> bool:
    """Whether there are numbers among plain values, and not the same number on every way."""
    known = [part for part in held if part is not None]
    numbers = [part.value if isinstance(part, Number) else None for part in held]
    if all(number is None for number in numbers) or not all(
        isinstance(part, (Number, PlainSequence)) for part in known
    ):
        return False
    return any(number is None or number != numbers[0] for number in numbers)


def _difference(node: ast.BinOp, left: HeldValue | None, right: HeldValue | None) -> HeldValue | None:
    """The room that a length leaves up to a size: n - len(x), or max_len - length."""
    if isinstance(right, Length):
        return MissingLength(text_of(node.left), right.of)
    if isinstance(left, MissingLength):
        return left
    return (
        MissingLength(text_of(node.left), None)
        if isinstance(right, PlainSequence) and _SIZE.search(_last(node.left))
        else None
    )


def _either(one: HeldValue | None, other: HeldValue | None) -> HeldValue | None:
    """What a loop leaves, or what was there before it."""
    return _joined([one, other]) if isinstance(one, Number) else other if one is None else one


def _is_inside(name: str, text: str) -> bool:
    """Whether a name is written as an element or attribute of this, or with it as an index."""
    return name.startswith((f"{text}.", f"{text}[")) or ("[" in name and _index(text).search(name) is not None)


@kept
def _index(text: str) -> re.Pattern[str]:
    return re.compile(rf"\[[^]]*\b{re.escape(text)}\b")


def _reads(value: ast.expr, text: str) -> bool:
    """Whether an expression has a part that is written so."""
    word = (_WORD.findall(text) or [""])[-1]  # cheap to look for, and most have none
    return word in unparse(value) and any(text_of(part) == text for part in walk(value))


@kept
def _used(node: ast.AST) -> set[str]:
    """Names that are used for more than counting and checking."""
    found: set[str] = set()
    queue: list[ast.AST] = list(getattr(node, "body", []))
    while queue:
        part = queue.pop()
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
            found.add(part.id)
        if isinstance(part, ast.Call) and called_name(part) in ("range", "print", "len", "info", "debug", "format"):
            continue
        if isinstance(part, (ast.Assert, ast.FunctionDef, ast.ClassDef, ast.Slice)):
            continue
        if isinstance(part, ast.Compare) and not _in_a_row(part):
            continue
        if isinstance(part, ast.BinOp) and isinstance(part.op, (ast.Sub, ast.Mult)):
            continue
        queue += children(part)
    return found


def _in_a_row(node: ast.Compare) -> bool:
    """True for `np.arange(n) < length`: a mask of the places before it."""
    return any(isinstance(part, ast.Call) and called_name(part) == "arange" for part in walk(node))


def _given(node: ast.Call, name: str, place: int = -1) -> ast.expr | None:
    """An argument by keyword or place."""
    placed = node.args[place] if 0 <= place < len(node.args) else None
    return next((keyword.value for keyword in node.keywords if keyword.arg == name), placed)


def _word(node: ast.expr) -> str | None:
    """A text or the name of a constant, as what a dict or list of words is made of."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else None


def _letters(node: ast.expr) -> str | None:
    """A text whose letters are enumerated: a constant, string.ascii_lowercase, or several of these."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "string":
        known = getattr(string, node.attr, None)
        return known if isinstance(known, str) else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _letters(node.left), _letters(node.right)
        return None if left is None or right is None or len(left) + len(right) > 100_000 else left + right
    return None


def _last(node: ast.expr) -> str:
    """The name at the end of a place that is written to."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript):
        if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
            return node.slice.value
        return _last(node.value)
    return ""


def _is(node: ast.expr | None, value: float) -> bool:
    return isinstance(node, ast.Constant) and not isinstance(node.value, bool) and node.value == value


def special(word: str) -> bool:
    """True for a word of a dict that stands for no real one."""
    return bool(_NOT_PADDING.search(word)) or word.strip() in ("", "_", "-", "0")
