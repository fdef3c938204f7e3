"""What scripts count over the turns of a loop, or over calls of a method, and what they divide it by in the end.

A tally is a variable, or an attribute of an object, that is added to: hits (how often a guess is right), the share of hits in a batch,
rows, or turns. Its name is not asked, only what is added. What a function of the project adds for its caller is read there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from ..knowledge.dataset_classes import ITERATORS
from ..knowledge.metric_functions import metric_functions
from . import flow
from .analysis import Reading
from .batch_statistics import MEAN, RATIO, SUM, BatchStatistics
from .effects import MOVED, effect, kept, operands
from .factors import comparison
from .shuffling import Examination, data_sets
from .source import Source
from .syntax import THROUGH, called_name, children, unparse
from .syntax import kept as kept_with_code
from .values import Call, Class, Frame, Items, KnownValue, Value, is_known, is_slice, options

#: Values within values are looked into so far.
DEPTH = 24
#: What additions count when they are not a share of right guesses, by what they hold of their batch.
_STATISTICS = {RATIO: "ratio", MEAN: "mean", SUM: "sums"}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_LEAVES = (ast.Name, ast.Constant)
#: What may divide.
_DIVIDING = (ast.BinOp, ast.AugAssign, ast.Call)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_ADDING = (ast.AugAssign, ast.Assign, ast.Call)
_WORKING = (*_DIVIDING, *_ADDING)
#: Functions that average a list, by the last word of their name.
_MEANS = ("mean", "fmean", "nanmean", "average", "reduce_mean")
#: Methods of a dict that give its values.
_VALUES = ("items", "values")
#: Calls and methods that leave a number what it is, where it is divided.
_PLAIN = frozenset(("float", "int", "round", "max", "array", "asarray", "float32", "float64", "Tensor", "stack"))
_PLAIN_METHODS = frozenset(("asnumpy", "item", "astype", "numpy"))


@dataclass(frozen=True, eq=False)
class Addition:
    """One thing that is added to a tally in one run of its code. `amount`: "hits", "rate", "rows", "turns", or "" for what is not known;
    `loop`: the innermost loop of its function around it; `loops`: all around it in this run, those of callers too."""

    amount: str
    node: ast.AST
    loop: ast.AST | None
    loops: tuple[ast.AST, ...]
    frame: Frame | None
    value: Value | None


@dataclass(eq=False)
class Tally:
    """`key` as it is written, `owner` the function, class or module that it belongs to. `listed`: what is added is put into a list."""

    key: str
    owner: ast.AST
    source: Source
    additions: list[Addition] = field(default_factory=list)
    listed: bool = False

    def is_of(self, *amounts: str) -> bool:
        """Whether all that is added is of one of these kinds."""
        return bool(self.additions) and all(one.amount in amounts for one in self.additions)


@dataclass(frozen=True, eq=False)
class Quotient:
    """A tally divided. `by`: the tally that it is divided by, where it is one; `amount`: else what that is, "rows", "batches" or ""."""

    tally: Tally
    by: Tally | None
    amount: str
    node: ast.AST
    source: Source

    def is_by(self, amount: str) -> bool:
        """Whether the tally that it is divided by is of such a kind."""
        return self.by is not None and self.by.is_of(amount)

    @property
    def is_per_row(self) -> bool:
        return self.amount == "rows" or self.is_by("rows")


@dataclass(frozen=True, eq=False)
class _Code:
    """A function, or the statements of a module, with each of its runs."""

    node: ast.AST
    source: Source
    of: Class | None
    frames: tuple[Frame | None, ...]

    def owner(self, key: str) -> ast.AST:
        """What a variable or attribute belongs to."""
        if self.of is not None and key.startswith(("self.", "cls.")):
            return self.of.node
        return self.source.tree if key in _shared(self.node) else self.node


class Tallies:
    """The tallies of one reading."""

    def __init__(self, reading: Reading) -> None:
        self.reading, self.trace = reading, reading.trace
        self.at: dict[int, list[Call]] = {}
        self.sums: dict[tuple[str, int, int], list[Call]] = {}
        for call in self.trace.calls:
            self.at.setdefault(id(call.node), []).append(call)
            if call.name == "+" and len(call.args) == 2:
                self.sums.setdefault(_place(call.source, call.node), []).append(call)
        self.counted: dict[int, str] = {}
        self.summed: dict[int, Tally] = {}  # by the id of the sum
        self.ran: dict[int, list[Frame]] = {}
        for frame in self.trace.frames:
            self.ran.setdefault(id(frame.node), []).append(frame)

    @cached_property
    def data(self) -> Examination:
        return data_sets(self.trace)

    @cached_property
    def statistics(self) -> BatchStatistics:
        return BatchStatistics(self.is_batch, lambda made: bool(self._size(made)))

    def is_batch(self, made: Call) -> bool:
        """Whether a value is what a loop over a data set yields."""
        return made.name == ".each" and made.base is not None and self.is_data(dataset_of(made.base))

    @cached_property
    def batches(self) -> list[Call]:
        """What loops over data sets yield."""
        return [made for made in self.trace.calls if self.is_batch(made)]

    @cached_property
    def codes(self) -> list[_Code]:
        """What was run, but for the networks."""
        found = [_Code(self.reading.source.tree, self.reading.source, None, (None,))]
        runs: dict[int, list[Frame]] = {}
        for frame in self.trace.frames:
            if isinstance(frame.function.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                runs.setdefault(id(frame.function.node), []).append(frame)
        for frames in runs.values():
            function = frames[0].function
            if function.name != "construct":
                found.append(_Code(function.node, function.source, function.of, tuple(frames)))
        return found

    @cached_property
    def tallies(self) -> dict[tuple[int, str], Tally]:
        """By the id of what owns them, and what they are called there."""
        found: dict[tuple[int, str], Tally] = {}
        for code in self.codes:
            for node, loops in working(code.node):
                for target, what, listed in added(node) if isinstance(node, _ADDING) else ():
                    owner = code.owner(target)
                    tally = found.setdefault((id(owner), target), Tally(target, owner, code.source))
                    tally.listed |= listed
                    tally.additions += self._additions(code, node, what, loops)
                    for made in self.sums.get(_place(code.source, _sum_of(node, what)), ()):
                        self.summed[id(made)] = tally
        return found

    def _additions(self, code: _Code, node: ast.AST, what: ast.expr, loops: tuple[ast.AST, ...]) -> Iterator[Addition]:
        for frame in code.frames:
            sums = [one for one in self.sums.get(_place(code.source, _sum_of(node, what)), ()) if one.frame is frame]
            value = (
                sums[-1].args[0 if _is_first(node, what) else 1]
                if sums
                else self.value(what, frame, code) or self._put(node, frame)
            )
            outer = frame.loops if frame is not None else ()
            inner = loops[-1] if loops else None
            yield Addition(self.amount(value), node, inner, (*outer, *loops), frame, value)

    def _put(self, node: ast.AST, frame: Frame | None) -> Value | None:
        """What the elements of are put into a list by one run of extend."""
        given = [call.base for call in self.at.get(id(node), ()) if call.frame is frame and call.name == ".each"]
        return given[-1] if given and isinstance(node, ast.Call) else None

    @cached_property
    def quotients(self) -> list[Quotient]:
        divisions = ((code, node) for code in self.codes for node, _ in working(code.node))
        found = [one for code, node in divisions for one in self._divided(code, node)]
        return [*found, *self._shares(), *self._running()]

    def _shares(self) -> Iterator[Quotient]:
        """Tallies whose every addition was divided by the number of batches before."""
        for tally in self.tallies.values():
            parts_of = [self._share(one) for one in tally.additions]
            whole = [one for one in parts_of if one is not None]
            if whole and len(whole) == len(parts_of):
                yield Quotient(replace(tally, additions=whole), None, "batches", whole[0].node, tally.source)

    def _share(self, addition: Addition) -> Addition | None:
        """What is added, before it was divided by the number of batches."""
        known = effect(addition.value) if isinstance(addition.value, Call) else None
        pair = operands(addition.value, (0, 1)) if isinstance(addition.value, Call) else []
        if known is None or known.operation != "div" or len(pair) != 2 or self.amount(pair[1]) != "batches":
            return None
        return replace(addition, value=pair[0], amount=self.amount(pair[0]))

    def _running(self) -> Iterator[Quotient]:
        """Means that are kept up to date in each turn."""
        for code in self.codes:
            for node, loops in working(code.node):
                told = _updated_mean(node) if isinstance(node, (ast.AugAssign, ast.Assign)) else None
                if told is None:
                    continue
                key, what, by = told
                number = self.find(code, by)
                counts = (number is not None and number.is_of("turns")) or _counts_turns(by, loops)
                if counts and self.is_read(code, key, node):
                    additions = [replace(one, node=node) for one in self._additions(code, what, what, loops)]
                    yield Quotient(Tally(key, code.node, code.source, additions), number, "turns", node, code.source)

    def is_read(self, code: _Code, key: str, statement: ast.AST) -> bool:
        """Whether anybody reads a variable, or an attribute of any object by its name, but for the statement that keeps it up to date."""
        inside = {id(part) for part in ast.walk(statement)}
        name = key.rpartition(".")[2]
        nodes: list[ast.Name] | list[ast.Attribute]
        if name == key:
            nodes = [part for part, _ in parts(code.node) if isinstance(part, ast.Name) and part.id == key]
        else:
            sources = {id(one.source): one.source for one in self.codes}.values()
            nodes = [part for one in sources for part in one.nodes_of(ast.Attribute) if part.attr == name]
        return any(isinstance(part.ctx, ast.Load) and id(part) not in inside for part in nodes)

    def _divided(self, code: _Code, node: ast.AST) -> Iterator[Quotient]:
        for above, below in _divisions(node):
            for tally in self._above(code, node, above):
                yield from self._quotient(code, node, tally, below)

    def _above(self, code: _Code, node: ast.AST, above: ast.expr) -> list[Tally]:
        """The tallies that are divided: one, or for what goes through the lists of a dict, all that it holds."""
        one = self.find(code, above) or self.collected(code, above) or self.handed(node, 0)
        if one is not None:
            return [one]
        held = _held_in(code.node, above.id) if isinstance(above, ast.Name) else None
        inside = f"{held}["
        return [
            tally for (owner, key), tally in self.tallies.items() if owner == id(code.node) and key.startswith(inside)
        ]

    def collected(self, code: _Code, node: ast.expr) -> Tally | None:
        """A list that is made in one expression, as the tally of its elements; the whole of it where a name stands for it."""
        if isinstance(node, ast.Name):
            stored, assigned = _assigned(code.node, node.id)
            node = assigned[0] if len(assigned) == stored == 1 else node
        if not isinstance(node, (ast.ListComp, ast.GeneratorExp)) or len(node.generators) != 1:
            return None
        additions = [
            Addition(self.amount(made.args[0]), node, node, (node,), made.frame, made.args[0])
            for made in self.at.get(id(node), ())
            if made.name == "comprehension" and made.frame in code.frames
        ]
        return Tally(unparse(node), code.node, code.source, additions, listed=True) if additions else None

    def _quotient(self, code: _Code, node: ast.AST, tally: Tally, below: ast.expr | None) -> Iterator[Quotient]:
        by = None if below is None else self.find(code, below) or self.collected(code, below) or self.handed(node, 1)
        amount = "turns" if below is None else ""
        if below is not None and by is None:
            amounts = {self.amount(self.value(_bare(below), frame, code)) for frame in code.frames}
            amount = amounts.pop() if len(amounts) == 1 else ""
            amount = amount or ("turns" if _counted_turns(code.node, below) else "")
        yield Quotient(tally, by, amount, node, code.source)

    def yielded(self, addition: Addition, loop: ast.AST) -> list[Value]:
        """The data behind a list or generator that a loop goes through, which has an element for each batch."""
        function = addition.frame.function.node if addition.frame is not None else self.reading.source.tree
        found: list[Value] = []
        for node in _gone_through(function, loop):
            frames = {id(one) for one in self.ran.get(id(node), ()) if _yields(one.function.node)}
            lists = self.tallies.get((id(function), unparse(node)))
            appended = lists.additions if lists is not None and all(map(_appends, lists.additions)) else []
            loops = {id(node), *(id(one.loop) for one in appended)}
            read = (made for made in self.batches if id(made.frame) in frames or id(made.node) in loops)
            found += [made.base for made in read if made.base is not None]
        return found

    def yielding(self, addition: Addition) -> list[ast.AST]:
        """The loops around each `yield` of the generators, or of the objects' `__iter__`, that the loop around an addition goes through."""
        if addition.loop is None:
            return []
        function = addition.frame.function.node if addition.frame is not None else self.reading.source.tree
        nodes = (addition.loop, *_gone_through(function, addition.loop))
        run = {id(frame.function.node): frame.function.node for node in nodes for frame in self.ran.get(id(node), ())}
        return [
            loops[-1] for one in run.values() for part, loops in parts(one) if isinstance(part, ast.Yield) and loops
        ]

    def find(self, code: _Code, node: ast.expr) -> Tally | None:
        key = unparse(_bare(node))
        return self.tallies.get((id(code.owner(key)), key))

    def handed(self, node: ast.AST, place: int) -> Tally | None:
        """The tally of another function that is an operand of a division."""
        found: dict[int, Tally] = {}
        for made in self.at.get(id(node), ()):
            pair = operands(made, (0, 1)) if made.name == "/" else []
            tallies = [self.sum_behind(option) for option in options(pair[place])] if len(pair) == 2 else []
            found.update((id(tally), tally) for tally in tallies if tally is not None)
        return next(iter(found.values())) if len(found) == 1 else None

    def sum_behind(self, value: Value) -> Tally | None:
        """The tally that a value is the sum of, its type changed at most."""
        for _ in range(DEPTH):
            if id(value) in self.summed:
                return self.summed[id(value)]
            inner = kept(value, "same", "whole") if isinstance(value, Call) else None
            if inner is None or len(inner) != 1:
                return None
            value = inner[0]
        return None

    # --- values -------------------------------------------------------------------------------------------------------

    def value(self, node: ast.expr, frame: Frame | None, code: _Code, depth: int = 0) -> Value | None:
        """What an expression stands for in one run of its function; None where that is not seen."""
        if depth > DEPTH:
            return None
        if isinstance(node, ast.Constant):
            return KnownValue(node.value)
        if isinstance(node, ast.Name):
            stored, assigned = _assigned(code.node, node.id)
            if not stored:
                return frame.parameters.get(node.id) if frame is not None else None
            return self.value(assigned[0], frame, code, depth + 1) if len(assigned) == stored == 1 else None
        return self.run_at(node, frame)

    def run_at(self, node: ast.expr, frame: Frame | None) -> Value | None:
        """What came last of a call or operator in one run of its function."""
        made: list[Value] = [call for call in self.at.get(id(node), ()) if call.frame is frame]
        if not made:
            runs = (one.returned for one in self.ran.get(id(node), ()) if one.parent is frame)
            made = [returned for returned in runs if returned is not None]
        return made[-1] if made else None

    def amount(self, value: Value | None, depth: int = 0) -> str:
        """What a value counts: "hits", "rate", "rows", "turns" (it is 1), "number" (another constant), "batches", "weighed" (hits, some of
        which do not count), "truths" (for each guess whether it is right), "ratio", "mean" or "sums" (see batch_statistics), or ""."""
        found = set()
        for option in options(value):
            if id(option) not in self.counted:
                self.counted[id(option)] = ""  # for what comes back to itself
                self.counted[id(option)] = self._amount(option, depth)
            found.add(self.counted[id(option)])
        return found.pop() if len(found) == 1 else ""

    def _amount(self, value: Value, depth: int) -> str:
        if isinstance(value, Items):
            return _STATISTICS.get(self.statistics.of(value), "")
        if isinstance(value, KnownValue):
            whole = type(value.value) in (int, float) and not isinstance(value.value, bool)
            return ("turns" if value.value == 1 else "number") if whole else ""
        if not isinstance(value, Call) or depth > DEPTH:
            return ""
        if value.result is not None:
            return self.amount(value.result, depth + 1)
        if value.name in metric_functions().of_samples and metric_functions().of_samples[value.name] == "share":
            return "rate"
        if is_right(value):
            return "truths"
        counted = self._reduced(value) or self._size(value) or self._combined(value, depth)
        return counted or _STATISTICS.get(self.statistics.of(value), "")

    def _reduced(self, made: Call) -> str:
        """Of what makes one number of the places where guesses are right: their number, or their share."""
        known = effect(made)
        if known is None or known.operation not in ("sum", "add_n", "count", "mean"):
            return ""
        given = operands(made, (0, 1))
        along = len(given) > 1 and not is_known(given[1], None)
        if not given or along or "axis" in made.keywords:
            return ""
        if is_right(given[0]) or _of_first_places(given[0]):
            return "rate" if known.operation == "mean" and is_right(given[0]) else "hits"
        return "weighed" if _is_weighed(given[0]) else ""

    def _size(self, made: Call) -> str:
        """Of a number of rows or of batches."""
        if made.name == "[]" and isinstance(made.base, Call) and made.base.name == "@shape":
            return "rows" if made.args and isinstance(made.args[0], KnownValue) and made.args[0].value == 0 else ""
        if made.name == "@size":
            return "rows"
        of = made.args[0] if made.name == "len" and made.args else made.base
        if made.name not in ("len", ".get_dataset_size", ".__len__") or of is None:
            return ""
        if not self.is_data(of):
            return "rows" if made.name == "len" else ""
        return "batches" if batch_of(self.data, of) is not None else "rows"

    def _combined(self, made: Call, depth: int) -> str:
        """Of a product or quotient, and of what leaves a number as it is."""
        known = effect(made)
        if known is not None and known.operation in ("mul", "div"):
            pair = [self.amount(part, depth + 1) for part in operands(made, (0, 1))]
            if len(pair) == 2 and known.operation == "mul":
                return _PRODUCTS.get(frozenset(pair), "")
            return _QUOTIENTS.get((pair[0], pair[1]), "") if len(pair) == 2 else ""
        inner = kept(made, "same", "whole", "order")
        return self.amount(inner[0], depth + 1) if inner and len(inner) == 1 else ""

    def is_data(self, value: Value) -> bool:
        return bool(self.data.of(value))


#: What products and quotients of amounts count; a factor of 100 makes percent of a share.
_PRODUCTS = {
    frozenset(("rate", "rows")): "hits",
    frozenset(("rate", "turns")): "rate",
    frozenset(("rate", "number")): "rate",
    frozenset(("hits", "turns")): "hits",
    frozenset(("hits", "number")): "hits",
    frozenset(("rows", "turns")): "rows",
}
_QUOTIENTS = {
    ("hits", "rows"): "rate",
    ("hits", "number"): "rate",
    ("rate", "turns"): "rate",
    ("hits", "turns"): "hits",
}


def is_right(value: Value | None, depth: int = 0) -> bool:
    """Whether a value tells at which places one thing equals another, such as guesses and labels, perhaps combined along an axis."""
    if not isinstance(value, Call) or depth > DEPTH:
        return False
    if value.result is not None:
        return is_right(value.result, depth + 1)
    if comparison(value) == "==":
        return True
    if value.name == "comprehension" and not isinstance(value.node, ast.DictComp):
        return is_right(value.args[0], depth + 1)
    known = effect(value)
    if known is not None and known.operation in ("every", "logical_and", "logical_or", "logical_xor"):
        return any(is_right(part, depth + 1) for part in operands(value, (0, 1)))
    inner = kept(value, *MOVED, "whole", "truth")
    return inner is not None and len(inner) == 1 and is_right(inner[0], depth + 1)


def _of_first_places(value: Value) -> bool:
    """Whether a value is `right[:k]` of a constant k, where places of the largest were compared: whether one of the k first is right."""
    made = value
    for _ in range(DEPTH):
        if not isinstance(made, Call):
            return False
        if made.name == "[]":
            return made.base is not None and is_right(made.base) and _first(made.args) and _ranks(made.base)
        inner = kept(made, *MOVED, "whole", "truth")
        if not inner or len(inner) != 1:
            return False
        made = inner[0]
    return False


def _first(keys: list[Value]) -> bool:
    """Whether an index takes the first so many, a constant, along one axis at most."""
    parts_of = keys[0].items if len(keys) == 1 and isinstance(keys[0], Items) else keys
    cuts = [one for one in parts_of if is_slice(one) and any(map(_bounds, one.args))]
    return (
        len(cuts) == 1
        and all(is_slice(one) for one in parts_of)
        and not _bounds(cuts[0].args[0])
        and all(isinstance(one, KnownValue) for one in cuts[0].args)
    )


def _bounds(value: Value) -> bool:
    return not isinstance(value, KnownValue) or value.value not in (None, 0)


def _ranks(right: Value) -> bool:
    """Whether places of several of the largest are compared."""
    found = flow.find(
        right, lambda part: ((known := effect(part)) is not None and known.operation == "topk") or _orders(part)
    )
    return found is not None


def _orders(made: Call) -> bool:
    return made.last in ("argsort", "argpartition")


def _is_weighed(value: Value) -> bool:
    """Whether a value is right guesses times something, or some of them."""
    made = value
    for _ in range(DEPTH):
        if not isinstance(made, Call):
            return False
        known = effect(made)
        if made.name == "[]" or (known is not None and known.operation in ("mul", "masked_select", "where")):
            return any(is_right(part) for part in operands(made, (0, 1, 2)))
        inner = kept(made, *MOVED, "whole", "truth")
        if not inner or len(inner) != 1:
            return False
        made = inner[0]
    return False


def dataset_of(value: Value) -> Value:
    """The data set behind an iterator, or behind what counts or shows its turns."""
    for _ in range(10):
        if isinstance(value, Call) and value.last in ITERATORS and value.base is not None:
            value = value.base
        elif isinstance(value, Call) and value.last in THROUGH and value.args:
            value = value.args[0]
        else:
            break
    return value


def batch_of(data: Examination, value: Value | None) -> Call | None:
    """The call that last puts the rows of a data set together to batches; None where none is seen."""
    found = [
        call
        for part in flow.sources(value)
        if isinstance(call := part, Call) and call.name in (".batch", ".padded_batch")
    ]
    return found[0] if found and data.of(found[0]) else None


# --- syntax -----------------------------------------------------------------------------------------------------------


@kept_with_code
def parts(node: ast.AST) -> list[tuple[ast.AST, tuple[ast.AST, ...]]]:
    """The nodes of a function, module or loop, those of functions and classes within left out, each with the loops around it, the
    outermost first."""
    found: list[tuple[ast.AST, tuple[ast.AST, ...]]] = []
    queue: list[tuple[ast.AST, tuple[ast.AST, ...]]] = [(node, ())]
    while queue:
        outer, loops = queue.pop()
        for part in reversed(children(outer)):
            if not isinstance(part, _FUNCTIONS):
                if not isinstance(part, _LEAVES):
                    queue.append((part, (*loops, part) if isinstance(part, _LOOPS) else loops))
                found.append((part, loops))
    return found


@kept_with_code
def working(node: ast.AST) -> list[tuple[ast.AST, tuple[ast.AST, ...]]]:
    """Those of the parts that may add or divide."""
    return [(part, loops) for part, loops in parts(node) if isinstance(part, _WORKING)]


@kept_with_code
def _shared(function: ast.AST) -> set[str]:
    """The names of a function that are those of its module."""
    return {name for part, _ in parts(function) if isinstance(part, ast.Global) for name in part.names}


def _place(source: Source, node: ast.AST) -> tuple[str, int, int]:
    return source.path, getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def added(node: ast.AST) -> Iterator[tuple[str, ast.expr, bool]]:
    """What a statement adds to: its name, what is added, and whether that goes into a list."""
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
        yield unparse(node.target), node.value, False
    elif isinstance(node, ast.Assign) and len(node.targets) == 1:
        for target, total in _pairs(node.targets[0], node.value):
            if isinstance(target, (ast.Name, ast.Attribute, ast.Subscript)):
                yield from _added_up(unparse(target), total)
    elif (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("append", "extend")
        and node.args
    ):
        yield unparse(node.func.value), node.args[0], True


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """What is stored where, also of several side by side: a, b = a + 1, b + 2."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return [*zip(target.elts, value.elts, strict=True)]
    return [(target, value)]


def _added_up(key: str, total: ast.expr) -> Iterator[tuple[str, ast.expr, bool]]:
    """The other side of a sum, one side of which is what it is stored as."""
    if not isinstance(total, ast.BinOp) or not isinstance(total.op, ast.Add):
        return
    for one, other in ((total.left, total.right), (total.right, total.left)):
        if unparse(one) == key:
            yield key, other, False
            return


def _sum_of(node: ast.AST, what: ast.expr) -> ast.AST:
    """Where the sum stands by which a statement adds something."""
    if not isinstance(node, ast.Assign):
        return node
    values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
    return next((one for one in values if isinstance(one, ast.BinOp) and what in (one.left, one.right)), node.value)


def _is_first(node: ast.AST, what: ast.expr) -> bool:
    """Whether what is added stands before what it is added to."""
    total = _sum_of(node, what)
    return isinstance(total, ast.BinOp) and total.left is what and not isinstance(node, ast.BinOp)


def _gone_through(function: ast.AST, loop: ast.AST) -> Iterator[ast.expr]:
    """What a loop or comprehension goes through, side by side or counted, and what the names in it stand for."""
    queue = [part.iter for part in getattr(loop, "generators", ())[:1]] or [getattr(loop, "iter", None)]
    for _ in range(DEPTH):
        node = queue.pop() if queue else None
        if node is None:
            return
        yield node
        if isinstance(node, ast.Name):
            stored, assigned = _assigned(function, node.id)
            queue += assigned if len(assigned) == stored == 1 else []
        elif called_name(node) in (*THROUGH, "zip") and isinstance(node, ast.Call):
            queue += node.args


def _appends(addition: Addition) -> bool:
    """Whether one thing is put into a list, and not each element of one."""
    return isinstance(addition.node, ast.Call) and called_name(addition.node) == "append"


def _yields(function: ast.AST) -> bool:
    return any(isinstance(part, (ast.Yield, ast.YieldFrom)) for part, _ in parts(function))


def _updated_mean(node: ast.AugAssign | ast.Assign) -> tuple[str, ast.expr, ast.expr] | None:
    """Of `m += (x - m) / n`, however it is written out: m, x and n."""
    for key, what, _ in added(node):
        if isinstance(what, ast.BinOp) and isinstance(what.op, ast.Div):
            change = what.left
            if isinstance(change, ast.BinOp) and isinstance(change.op, ast.Sub) and unparse(change.right) == key:
                return key, change.left, what.right
    return _mean_of_sum(node)


def _mean_of_sum(node: ast.AST) -> tuple[str, ast.expr, ast.expr] | None:
    """Of `m = (m * i + x) / (i + 1)`: m, x and i + 1."""
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.BinOp) or len(node.targets) != 1:
        return None
    key, whole = unparse(node.targets[0]), node.value.left
    if not isinstance(node.value.op, ast.Div) or not isinstance(whole, ast.BinOp) or not isinstance(whole.op, ast.Add):
        return None
    for before, what in ((whole.left, whole.right), (whole.right, whole.left)):
        if (
            isinstance(before, ast.BinOp)
            and isinstance(before.op, ast.Mult)
            and key in (unparse(before.left), unparse(before.right))
        ):
            return key, what, node.value.right
    return None


def _counts_turns(node: ast.expr, loops: tuple[ast.AST, ...]) -> bool:
    """Whether an expression is the number of the turn of the innermost loop, counted by enumerate, 1 added at most."""
    node = _bare(node)
    loop = loops[-1] if loops else None
    if not isinstance(loop, (ast.For, ast.AsyncFor)) or called_name(loop.iter) != "enumerate":
        return False
    first = loop.target.elts[0] if isinstance(loop.target, ast.Tuple) and loop.target.elts else None
    return isinstance(node, ast.Name) and isinstance(first, ast.Name) and first.id == node.id


def _counted_turns(function: ast.AST, node: ast.expr) -> bool:
    """Whether an expression is the number of turns that a loop of the function had, by enumerate."""
    return any(
        isinstance(part, (ast.For, ast.AsyncFor)) and _counts_turns(node, (part,)) for part, _ in parts(function)
    )


@kept_with_code
def _held_in(function: ast.AST, name: str) -> str | None:
    """The dict whose values a name goes through: `for key, name in it.items()`, `for name in it.values()`."""
    for node, _ in parts(function):
        target = getattr(node, "target", None)
        bound = target.elts[-1] if isinstance(target, ast.Tuple) and target.elts else target
        over = getattr(node, "iter", None)
        if not isinstance(over, ast.Call) or not isinstance(over.func, ast.Attribute) or over.func.attr not in _VALUES:
            continue
        if isinstance(bound, ast.Name) and bound.id == name:
            return unparse(over.func.value)
    return None


def _divisions(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr | None]]:
    """What is divided, and by what: None for the number of its own elements."""
    if isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ast.Div):
        above, below = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.target, node.value)
        summed = _argument_of(_bare(above), "sum")
        counted = _argument_of(_bare(below), "len")
        if summed is not None and counted is not None and unparse(summed) == unparse(counted):
            yield summed, None
        else:
            yield _bare(above) if summed is None else summed, _bare(below)
    elif isinstance(node, ast.Call) and (of := _averaged(node)) is not None:
        yield of, None


def _argument_of(node: ast.expr, name: str) -> ast.expr | None:
    """What a function of this name is called with, whatever module it is of."""
    if isinstance(node, ast.Call) and len(node.args) == 1:
        called = called_name(node)
        return _bare(node.args[0]) if called == name else None
    return None


def _averaged(node: ast.Call) -> ast.expr | None:
    """The list that a call averages: np.mean(x), mean(x), np.array(x).mean()."""
    of = _bare(node.args[0]) if len(node.args) == 1 and called_name(node) in _MEANS else None
    if any(keyword.arg == "weights" for keyword in node.keywords):
        return None
    if of is None and isinstance(node.func, ast.Attribute) and node.func.attr == "mean" and not node.args:
        of = _bare(node.func.value)
    entry = isinstance(of, ast.Subscript) and isinstance(of.slice, ast.Constant)  # a list in a dict
    return of if entry or isinstance(of, (ast.Name, ast.Attribute, ast.ListComp, ast.GeneratorExp)) else None


def _bare(node: ast.expr) -> ast.expr:
    """A number without what leaves it as it is, bounds it from below, or makes percent of it."""
    for _ in range(DEPTH):
        if isinstance(node, ast.Call) and node.args and called_name(node) in _PLAIN:
            node = node.args[0]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _PLAIN_METHODS:
            node = node.func.value
        elif (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, (ast.Mult, ast.Add))
            and isinstance(node.right, ast.Constant)
        ):
            node = node.left
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and isinstance(node.left, ast.Constant):
            node = node.right
        else:
            break
    return node


@kept_with_code
def _assigned(function: ast.AST, name: str) -> tuple[int, list[ast.expr]]:
    """How often a name is given a value in a function, and those values that are expressions of their own."""
    stored, found = 0, []
    for node, _ in parts(function):
        stored += isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
        if isinstance(node, ast.Assign) and any(isinstance(one, ast.Name) and one.id == name for one in node.targets):
            found.append(node.value)
    return stored, found
