"""Where a script uses an API whose default or meaning is another one than in PyTorch, and where it uses one the wrong way round."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeGuard

from ..knowledge import api
from . import flow, imported_calls
from .analysis import Reading
from .effects import TAKEN, bound_arguments, kept, named_arguments
from .grading import replacements
from .networks import of_training
from .syntax import walk, written_name
from .training_steps import training
from .values import Call, Frame, Instance, Items, KnownValue, UnknownValue, Value, is_known, name_of, options

if TYPE_CHECKING:
    from .benchmark import Comparison, Pair

#: Differences that leave a network what it is, or that other probes judge.
SMALL = frozenset(
    {
        "softmax-axis",
        "gelu",
        "bce-clamp",
        "log-target",
        "decay-filter",
        "seq-length",
        "padding-row",
        "zero-bias",
        "batch-statistics",
        "resize",
        "one-hot-labels",
        "no-reduction",
    }
)
#: Differences of APIs that are not layers, losses or optimizers; other probes report them.
ELSEWHERE = frozenset(
    {
        "resize-antialias",
        "shuffle-default",
        "load-silent",
        "starts-in-inference",
        "functional-dropout",
        "optimizer-loss-scale",
        "manager-loss-scale",
        "normalize-range",
        "not-in-place",
        "dense-third",
        "argument-order",
    }
)
_KEEP, _DROP = re.compile(r"keep|retain", re.I), re.compile(r"drop", re.I)
#: In a comment beside a rate: the number is said to be dropped, or kept.
_SAYS_DROP = re.compile(r"(drop|discard|舍弃|丢弃|失活|丢失)\D{0,16}?(\d*\.?\d+)\s*(%?)", re.I)
_SAYS_KEEP = re.compile(r"(keep|kept|retain|保留)\D{0,16}?(\d*\.?\d+)\s*(%?)", re.I)
#: A keep rate below the first is a mistake; at the second it may be intended.
HARDLY, SELDOM = 0.3, 0.5
#: A drop rate up to this is seen in real networks.
HIGH = 0.8
#: A larger epsilon is a mistake.
LARGEST_EPSILON = 0.01
#: From here on a weight of the new statistics leaves next to nothing of the old ones: it was meant for these.
MOSTLY_NEW = 0.9
#: A drop rate above this is a mistake, whatever the argument is called.
MOST_OF_ALL = 0.9
_RATES = re.compile(r"drop|keep|momentum|(?<![a-z])eps", re.I)


@dataclass(eq=False)
class WrongUse:
    """A use that is wrong, or may be."""

    code: str
    place: Any  # Call, Store or Frame
    data: dict[str, Any] = field(default_factory=dict)
    value: Value | None = None
    edit: tuple[int, int, int, str] | None = None  # line, first and last column in bytes, new text
    also: Call | None = None  # what it is compared with


@dataclass(eq=False)
class Row:
    """Calls of one API that leave out what is different in PyTorch."""

    name: str
    difference: api.Difference
    places: list[Call] = field(default_factory=list)
    idle: int = 0  # how many of them cannot be told from PyTorch's

    @property
    def counts(self) -> bool:
        return self.idle < len(self.places) and self.difference.effect not in SMALL


class Differences:
    def __init__(self, readings: Sequence[Reading], version: str) -> None:
        self.readings, self.version = readings, version
        self.made: list[Call] = []  # each place once
        self.calls = [c for r in readings for c in r.trace.calls if c.name.startswith("mindspore.")]
        self.unreached = set[int]()  # ids of calls that only their file tells of
        if not any(is_layer(call) for call in self.calls):
            self.calls += self.beyond(readings)
        self.agreed: set[tuple[tuple[str, int, int], str | None]] = set()  # settings that are the benchmark's
        self.reading_of: dict[int, Reading] = {}
        self._uses: dict[int, dict[int, list[Call]]] = {}
        self._users: dict[int, dict[int, list[tuple[Call, str]]]] = {}
        seen: set[tuple[str, int, int]] = set()
        for reading in readings:
            for call in reading.trace.calls:
                if call.name.startswith("mindspore.") and (place := _place(call)) not in seen:
                    seen.add(place)
                    self.made.append(call)
                    self.reading_of[id(call)] = reading
        self.made += [call for call in self.calls if id(call) in self.unreached and _place(call) not in seen]

    def beyond(self, readings: Sequence[Reading]) -> list[Call]:
        """The calls in all files of the project, where the network is picked in a way that is not followed."""
        sources = {s.file: s for r in readings for s in r.project.sources.values() if s is not None}
        found = [call for source in sources.values() for call in imported_calls.calls(source) if api.find(call.api)]
        self.unreached.update(id(call) for call in found)
        return found

    # --- beside a benchmark -------------------------------------------------------------------------------------------

    def against(self, paths: Sequence[tuple[Path, str]]) -> tuple[Comparison | None, list[WrongUse]]:
        """What differs from the layers of the benchmark scripts; settings that agree then rely on no default."""
        from .benchmark import ALIKE, compare

        training = [reading for reading in self.readings if reading.role == "train" and reading.view == "train"]
        calls = [call for reading in training for call in reading.trace.calls if call.name.startswith("mindspore.")]
        found = compare(calls, paths, self.version)
        wrong: list[WrongUse] = []
        for pair in found.pairs if found is not None and found.share >= ALIKE else ():
            self.agreed.update((_place(pair.here), parameter) for parameter in pair.same)
            for name, own, other in pair.differs:
                if name == "bias" and self.normalized(pair.here):
                    self.agreed.add((_place(pair.here), "has_bias"))
                else:
                    wrong.append(_unlike(pair, name, own, other))
        return found, wrong

    # --- what is left out ---------------------------------------------------------------------------------------------

    def rows(self) -> list[Row]:
        found: dict[tuple[str, int], Row] = {}
        for call in self.made:
            given = bound_arguments(call)
            for difference in api.differences(call.api, self.version):
                if difference.effect in ELSEWHERE or call.unpacked or given is None:
                    continue
                if not _relied_on(difference, given):
                    continue
                row = found.setdefault((call.api, id(difference)), Row(call.api, difference))
                row.places.append(call)
                row.idle += self.idle(call, difference, given)
        return sorted(found.values(), key=lambda row: (not row.counts, -len(row.places), row.name))

    def idle(self, call: Call, difference: api.Difference, given: dict[str, Value]) -> bool:
        """True when this difference changes nothing at this place."""
        if (_place(call), difference.parameter) in self.agreed:
            return True
        if difference.effect == "same-padding" and _in_patches(given):
            return True
        if difference.effect in ("same-padding", "pool-stride"):
            return set(_sizes(given.get("kernel_size"))) == {1}
        if difference.effect == "pad-order":
            return _goes_by_axes(given.get("paddings"))
        if difference.effect == "epsilon":  # it shows where variances are about as small, which float32 keeps apart
            reading = self.reading_of.get(id(call))
            return reading is not None and not training(reading).halves
        return difference.effect == "no-bias" and self.normalized(call)

    def normalized(self, layer: Call) -> bool:
        """True when every use of a layer is followed by a normalization, which takes a bias out again."""
        reading = self.reading_of.get(id(layer))
        if reading is None:
            return False
        uses = self.uses(reading)[id(layer.node)]
        users = self.users(reading)
        return bool(uses) and all(
            (after := users.get(id(use), []))
            and all(_is_normalization(call) or not _takes(call) for call, _ in after)
            and any(_is_normalization(call) for call, _ in after)
            for use in uses
        )

    def uses(self, reading: Reading) -> dict[int, list[Call]]:
        """Where layers are applied, by the node that makes them."""
        if id(reading) not in self._uses:
            found: dict[int, list[Call]] = defaultdict(list)
            for call in reading.trace.calls:
                if call.name == "" and isinstance(call.base, Call):
                    found[id(call.base.node)].append(call)
            self._uses[id(reading)] = found
        return self._uses[id(reading)]

    def users(self, reading: Reading) -> dict[int, list[tuple[Call, str]]]:
        if id(reading) not in self._users:
            self._users[id(reading)] = flow.users(reading.trace)
        return self._users[id(reading)]

    def replaced(self, layer: Call) -> bool:
        """True where the weight of a layer is given another value later."""
        reading = self.reading_of.get(id(layer))
        return reading is not None and any(one.reaches(layer) for one in replacements(reading.trace))

    def is_trained(self, layer: Call) -> bool:
        """False for a layer that only scripts make that train nothing, beside one that trains."""
        return not self.training_places or _place(layer) in self.training_places or id(layer) in self.unreached

    @cached_property
    def training_places(self) -> set[tuple[str, int, int]]:
        """Where the scripts that train make layers."""
        training = [r for r in self.readings if any(of_training(call) for call in r.trace.calls)]
        return {_place(call) for r in training for call in r.trace.calls if is_layer(call)}

    @cached_property
    def written(self) -> dict[str, set[float]]:
        """The numbers that the scripts give a parameter, an entry or a variable of each name, anywhere."""
        found: dict[str, set[float]] = defaultdict(set)
        for source in {s.file: s for r in self.readings for s in (r.source, *r.project.sources.values()) if s}.values():
            for name, node in _named_constants(source.tree):
                value = node.value if isinstance(node, ast.Constant) else None
                if isinstance(value, (int, float)) and not isinstance(value, bool):
                    found[name].add(value)
        return found

    @cached_property
    def dropped(self) -> _Dropped:
        """What is given to dropouts that take a rate to drop."""
        rates = ((call, api.find(call.api)) for call in self.calls)
        found = [(call, _rate(call, known)) for call, known in rates if known is not None and known.kind == "dropout"]
        given = [(_place(call), *one[1:]) for call, one in found if one is not None and one[0] != "keep_prob"]
        sizes = {place: size for place, _, value in given if len(size := numbers(value) or set()) == 1}
        return _Dropped(frozenset(_last_name(node) for _, node, _ in given) - {""}, sizes)

    # --- what is the wrong way round ----------------------------------------------------------------------------------

    def wrong(self) -> Iterator[WrongUse]:
        for call in self.calls:
            known = api.find(call.api)
            initializes = call.api == "initializer" or (call.api.startswith("initializer.") and call.last[:1].isupper())
            if call.discarded and initializes:
                yield WrongUse("initializer-dropped", call, {"api": call.api})
            if known is None:
                continue
            given = named_arguments(call)
            if known.kind == "dropout":
                yield from _dropout(call, known, self.written, self.dropped)
            if any(row.effect == "bn-momentum" for row in api.differences(call.api, self.version)):
                yield from _statistics(call, given, self.is_trained(call))
            elif known.kind == "normalization":
                yield from _of_new(call, known, given, self.is_trained(call))
            if call.api == "nn.Dense" and len(call.args) > 2:
                third = call.args[2]
                if isinstance(third, KnownValue) and isinstance(third.value, bool) and not self.replaced(call):
                    yield WrongUse(
                        "bias-in-third-place",
                        call,
                        {"api": call.api, "value": third.value},
                        third,
                        _keyword(call, 2, "has_bias"),
                    )
        seen: set[tuple[str, int, int]] = set()
        for reading in self.readings:
            for store in reading.trace.stores:
                if store.attribute == "set_data" and _place(store) not in seen:
                    seen.add(_place(store))
                    yield WrongUse("set-data-replaced", store, {"target": store.source.segment(store.node)})
            made = [f for f in reading.trace.frames if f.function.name == "__init__" and isinstance(f.owner, Instance)]
            given_as = _given_as(made)
            for frame in made:
                found = _misplaced(frame, given_as) if _place(frame) not in seen else None
                if found is not None:
                    seen.add(_place(frame))
                    yield found


def is_layer(call: Call) -> bool:
    known = api.find(call.api)
    return known is not None and known.kind in (
        "convolution",
        "dense",
        "embedding",
        "normalization",
        "recurrent",
        "attention",
        "dropout",
    )


def _place(made: Any) -> tuple[str, int, int]:
    """Where something stands: one script may be read several times."""
    return made.source.path, getattr(made.node, "lineno", 0), getattr(made.node, "col_offset", 0)


def _sizes(value: Value | None) -> list[object]:
    """The numbers that a size gives, one or for each axis; None among them for what is not seen."""
    sizes = value.items if isinstance(value, Items) else [value]
    return [one.value if isinstance(one, KnownValue) else None for one in sizes]


def _in_patches(given: dict[str, Value]) -> bool:
    """Whether a convolution goes on by its own size, so that it needs no padding but for a rest."""
    sizes, steps = _sizes(given.get("kernel_size")), _sizes(given.get("stride"))
    return None not in sizes and set(sizes) == set(steps) and len(set(sizes)) == 1


def _goes_by_axes(value: Value | None) -> bool:
    """Whether paddings are pairs in the order of the axes, as MindSpore reads them: the axis of the samples comes first and gets none."""
    pairs = (
        [_sizes(pair) if isinstance(pair, Items) else [] for pair in value.items] if isinstance(value, Items) else []
    )
    return len(pairs) > 1 and all(len(pair) == 2 for pair in pairs) and pairs[0] == [0, 0] and pairs[-1] != [0, 0]


def _relied_on(difference: api.Difference, given: dict[str, Value]) -> bool:
    """True when a call leaves to MindSpore what the difference is about."""
    if difference.grave == "reversal":
        return False  # a default of the project's own that means the same as PyTorch's
    if difference.grave == "default":
        return difference.parameter is not None and difference.parameter not in given
    if difference.effect == "decay-filter":
        decay = given.get("weight_decay")
        return decay is not None and not (isinstance(decay, KnownValue) and not decay.value)
    if difference.effect == "batch-statistics":
        return difference.parameter in given
    if difference.effect in ("padding-row", "pad-order", "resize"):
        return difference.parameter in given
    return difference.parameter is None


def _is_normalization(call: Call) -> bool:
    known = api.find(call.base.api) if call.name == "" and isinstance(call.base, Call) else api.find(call.api)
    return known is not None and known.kind == "normalization"


def _takes(call: Call) -> bool:
    """False for what only looks at a tensor: its shape, its type."""
    return call.name not in ("@shape", "@dtype", "@ndim", ".shape", "print", "len")


# --- dropout ----------------------------------------------------------------------------------------------------------


def _named_constants(tree: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """What stands as a default, a keyword, an entry of a dict or an assignment, each with its name."""
    for node in walk(tree):
        if isinstance(node, ast.arguments):
            plain = [*node.posonlyargs, *node.args]
            yield from zip((arg.arg for arg in plain[len(plain) - len(node.defaults) :]), node.defaults, strict=True)
            yield from ((arg.arg, held) for arg, held in zip(node.kwonlyargs, node.kw_defaults, strict=True) if held)
        elif isinstance(node, ast.keyword) and node.arg:
            yield node.arg, node.value
        elif isinstance(node, ast.Dict):
            yield from ((text, v) for k, v in zip(node.keys, node.values, strict=True) if (text := _text(k)))
        elif isinstance(node, ast.Assign):
            yield from ((name, node.value) for target in node.targets if (name := _last_name(target)))


def _text(node: ast.expr | None) -> str:
    """A text as written; "" for anything else."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _last_name(node: ast.expr) -> str:
    """What a variable, an attribute or an entry is called; "" for anything else."""
    if isinstance(node, ast.Subscript):
        return _text(node.slice)
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _dropout(call: Call, known: api.Api, written: dict[str, set[float]], dropped: _Dropped) -> Iterator[WrongUse]:
    """The rate of a dropout layer or function, by what it is called, what a comment says, and how large it is; `written`: what
    numbers are given to each name where its own is not followed; `dropped`: what other dropouts are given."""
    found = _rate(call, known)
    if found is None or _is_never_asked_for(call):
        return
    parameter, node, value = found
    wants: Literal["keep", "drop"] = "keep" if parameter == "keep_prob" else "drop"
    rate = _Rate(call, node, numbers(value), wants, written.get(_last_name(node), set()))
    if rate.sizes is not None and rate.sizes <= rate.off:
        return  # kept or dropped, it is the same, or nothing is dropped
    positional = parameter == "keep_prob" and "keep_prob" not in call.keywords
    said = rate.commented or meaning(node, value)
    code = _contradicted(rate) if said not in (None, rate.wants) else _by_size(rate, said is not None, positional)
    code = dropped.settled(rate, code)
    if not code:
        return
    shown = call.source.segment(node, 60)
    number = rate.number if rate.number is not None else shown
    data = {"api": call.api, "rate": shown, "parameter": parameter, "value": number}
    mended = code != "rate-unclear" or (said is None and (rate.wants == "keep" or rate.number is not None))
    yield WrongUse(code, call, data, value, _mended(call, node, parameter, positional) if mended else None)


def _is_never_asked_for(call: Call) -> bool:
    """Whether a layer is kept under a name that nothing in its file asks for: whatever its rate, it drops nothing."""
    kept = (node for node in call.source.nodes_of(ast.Assign) if node.value is call.node)
    names = [target.attr for node in kept for target in node.targets if isinstance(target, ast.Attribute)]
    asked = (node for node in call.source.nodes_of(ast.Attribute) if isinstance(node.ctx, ast.Load))
    return len(names) == 1 and not any(node.attr == names[0] for node in asked)


@dataclass(frozen=True)
class _Rate:
    """The rate that a dropout is given: the numbers that it may be, where they are known, what the dropout wants, and what numbers the
    scripts give its name elsewhere."""

    call: Call
    node: ast.expr
    sizes: set[float] | None
    wants: Literal["keep", "drop"]
    written: set[float]

    @property
    def off(self) -> set[float]:
        """Rates that mean the same to both, or drop nothing."""
        return {0.5, 1 if self.wants == "keep" else 0}

    @property
    def number(self) -> float | None:
        return next(iter(self.sizes)) if self.sizes is not None and len(self.sizes) == 1 else None

    @property
    def commented(self) -> Literal["keep", "drop"] | None:
        return _commented(self.call, self.number)


@dataclass(frozen=True)
class _Dropped:
    """The rates to drop that all dropouts of the scripts are given: what they are called where they are given as they are, and by the place
    of each how large it is, where that is known."""

    names: frozenset[str]
    sizes: dict[tuple[str, int, int], set[float]]

    def settled(self, rate: _Rate, code: str) -> str:
        """The finding about an unclear rate: of x and 1 - x, only one is the rate to drop."""
        unclear = code == "rate-unclear" and rate.wants == "drop"
        return "drops-a-keep-rate" if unclear and self.otherwise(rate) else code

    def otherwise(self, rate: _Rate) -> bool:
        """Whether others are given x, and here is 1 - x: by its name, or the same number everywhere else."""
        if _taken_from_one(rate.node) in self.names:
            return True
        others = [size for place, size in self.sizes.items() if place != _place(rate.call)]
        number = rate.number
        return number is not None and bool(others) and all(round(sum(size) + number, 6) == 1 for size in others)


def _contradicted(rate: _Rate) -> str:
    """What is to say where a comment or a name calls a rate the other one; "" where its size tells better than its name."""
    wrong = "keeps-a-drop-rate" if rate.wants == "keep" else "drops-a-keep-rate"
    if rate.commented is not None:
        return wrong
    told = (
        rate.sizes - rate.off - {0} if rate.sizes is not None else set()
    )  # 0 keeps nothing and, as a rate to drop, drops nothing
    if told and all((n > 0.5) is (rate.wants == "keep") for n in told):
        return ""
    # Where keep_prob=x became p=1 - x, what is called a rate to drop may have been a rate to keep, but none so small.
    rewritten = isinstance(rate.node, ast.BinOp) and not _hardly_kept(rate.sizes, rate.off)
    only_named = rate.sizes is None and (_may_be(rate.wants, rate.written) or set() < rate.written <= rate.off)
    return "rate-unclear" if only_named or (rate.wants == "drop" and rewritten) else wrong


def _by_size(rate: _Rate, said: bool, positional: bool) -> str:
    """What the size of a rate says; `said`: a comment or name agrees with what the dropout wants."""
    number = rate.number
    if rate.wants == "drop":
        return _dropped_by_size(rate, said)
    if said or number is None or not 0 < number < SELDOM:
        return ""
    return "keeps-little" if positional or number <= HARDLY else "rate-unclear"


def _dropped_by_size(rate: _Rate, said: bool) -> str:
    """The same of a rate to drop."""
    number = rate.number
    if not said and _complement(rate.node) and _hardly_kept(rate.sizes, rate.off):
        return "drops-a-keep-rate"
    if rate.commented is not None or number is None or number >= 1:
        return ""
    if number >= MOST_OF_ALL:
        return "drops-a-keep-rate"
    return "rate-unclear" if not said and number >= HIGH else ""


def _may_be(wants: str, written: set[float]) -> bool:
    """Whether a rate may be what is wanted whatever its name says: one to drop always, one to keep where its name has so large a number."""
    return wants == "drop" or any(number > 0.5 for number in written)


def _hardly_kept(sizes: set[float] | None, off: set[float]) -> bool:
    """True when each of these drop rates leaves too small a share for it to have been written as a keep rate."""
    return sizes is not None and min(sizes - off) >= 1 - HARDLY


def _taken_from_one(node: ast.expr) -> str:
    """What x is called in 1 - x; "" for anything else."""
    return _last_name(node.right) if isinstance(node, ast.BinOp) and _complement(node) else ""


def _complement(node: ast.expr) -> bool:
    """True for `1 - x`."""
    left = node.left if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) else None
    return isinstance(left, ast.Constant) and left.value == 1


def numbers(value: Value | None, depth: int = 0) -> set[float] | None:
    """The numbers that a value may be, or the ends of ranges that it lies in; None when one of them is not known."""
    found: set[float] = set()
    for option in options(value):
        inner = _numbers(option, depth)
        if inner is None:
            return None
        found |= inner
    return found or None


def _numbers(value: Value, depth: int) -> set[float] | None:
    if isinstance(value, KnownValue):
        return {value.value} if _number(value) else None
    if not isinstance(value, Call) or depth > 12:
        return None
    if value.name == "-" and len(value.args) == 2:
        one = value.args[0]
        inner = numbers(value.args[1], depth + 1) if isinstance(one, KnownValue) and one.value == 1 else None
        return None if inner is None else {round(1 - number, 10) for number in inner}
    return _numbers_behind(value, depth)


def _numbers_behind(made: Call, depth: int) -> set[float] | None:
    """The numbers that something is taken from, or lies between."""
    if made.name in (".each", "comprehension"):
        behind = [made.base] if made.name == ".each" else list(made.args[:1])
    else:
        behind = [*(kept(made, *TAKEN, "between") or ())]
    found: set[float] = set()
    for part in behind:
        inner = numbers(part, depth + 1)
        if inner is None:
            return None
        found |= inner
    return found or None


def _rate(call: Call, known: api.Api) -> tuple[str, ast.expr, Value] | None:
    """The parameter that the rate is given as, its expression, and its value."""
    node = call.node
    if not isinstance(node, ast.Call) or call.unpacked:
        return None
    for keyword in node.keywords:
        if keyword.arg in ("keep_prob", "p") and keyword.arg in call.keywords:
            value = call.keywords[keyword.arg]
            if not is_known(value, None):
                return keyword.arg, keyword.value, value
    for place, name in enumerate(known.positional):
        if name in ("keep_prob", "p"):
            inside = place < len(node.args) and place < len(call.args) and len(node.args) == len(call.args)
            return (name, node.args[place], call.args[place]) if inside else None
    return None


def _subtrahend(value: Value) -> Value | None:
    return value.args[1] if isinstance(value, Call) and value.name == "-" and len(value.args) == 2 else None


def meaning(node: ast.expr, value: Value) -> Literal["keep", "drop"] | None:
    """What the names in an expression say a rate is: kept, or dropped. `1 - x` is the other way round than x."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
        if isinstance(node.left, ast.Constant) and node.left.value == 1:
            said = meaning(node.right, _subtrahend(value) or UnknownValue())
            return None if said is None else "drop" if said == "keep" else "keep"
        return None
    if isinstance(node, ast.Call) and len(node.args) == 1 and isinstance(node.func, ast.Name):
        return meaning(node.args[0], value)
    if (before := _of_complement(value)) is not None:
        return before
    for name in (written_name(node), name_of(value)):
        if _KEEP.search(name):
            return "keep"
        if _DROP.search(name):
            return "drop"
    return None


def _of_complement(value: Value) -> Literal["keep", "drop"] | None:
    """What x was called in a rate that was computed as 1 - x before it got its name: the rate is the other one."""
    if not (
        isinstance(value, Call) and value.name == "-" and isinstance(value.node, ast.BinOp) and len(value.args) == 2
    ):
        return None
    left, right = value.args
    said = meaning(value.node.right, right) if isinstance(left, KnownValue) and left.value == 1 else None
    return None if said is None else "drop" if said == "keep" else "keep"


def _commented(call: Call, number: float | None) -> Literal["keep", "drop"] | None:
    """What a comment on the same line says about this very number."""
    if number is None:
        return None
    line = call.source.lines[call.line - 1][:2000]
    _, hash_, comment = line.rpartition("#")
    if not hash_:
        return None
    for says, result in ((_SAYS_KEEP, "keep"), (_SAYS_DROP, "drop")):
        for match in says.finditer(comment):
            said = float(match[2]) / (100 if match[3] else 1)
            if abs(said - number) < 1e-9:
                return "keep" if result == "keep" else "drop"
    return None


def _mended(call: Call, node: ast.expr, parameter: str, positional: bool) -> tuple[int, int, int, str] | None:
    """The edit that gives the rate to the parameter of its meaning: p=x for a drop rate, p=1 - x for a keep rate."""
    if call.api not in ("nn.Dropout",) or node.lineno != node.end_lineno or node.end_col_offset is None:
        return None
    line = call.source.lines[node.lineno - 1].encode()
    text = line[node.col_offset : node.end_col_offset].decode()
    start = node.col_offset
    if not positional:
        start = line.rfind(parameter.encode(), 0, start)
        if start < 0 or line[start : node.col_offset].decode().replace(" ", "") != parameter + "=":
            return None
    if parameter == "keep_prob":
        new = f"p={text}"
    else:
        simple = isinstance(node, (ast.Name, ast.Attribute, ast.Constant, ast.Subscript, ast.Call))
        new = f"p=1 - {text}" if simple else f"p=1 - ({text})"
        if isinstance(node, ast.Constant) and isinstance(node.value, float):
            new = f"p={1 - node.value:.6g}"
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and isinstance(node.left, ast.Constant):
            inner = line[node.right.col_offset : node.right.end_col_offset].decode()
            new = f"p={inner}" if node.left.value == 1 else new
    return node.lineno, start, node.end_col_offset, new


# --- normalization ----------------------------------------------------------------------------------------------------


def _statistics(call: Call, given: dict[str, Value], trained: bool) -> Iterator[WrongUse]:
    momentum, epsilon = given.get("momentum"), given.get("eps")
    fixed = given.get("use_batch_statistics")
    if not trained or (isinstance(fixed, KnownValue) and fixed.value is not None):
        momentum = None  # the moving statistics are either left alone or never used
    for option in filter(_is_number, options(epsilon)):
        if option.value > LARGEST_EPSILON:
            data = {"api": call.api, "value": option.value}
            if "eps" in call.keywords:
                yield WrongUse("large-epsilon", call, data, option)
            else:
                yield WrongUse("momentum-as-epsilon", call, data, option, _keyword(call, 1, "momentum"))
                return  # what then stands in the place of momentum is eps
            break
    for option in filter(_is_number, options(momentum)):
        if 0 < option.value < 0.5:
            data = {"api": call.api, "value": option.value, "other": round(1 - option.value, 10)}
            yield WrongUse("momentum-reversed", call, data, option, _constant(call, "momentum", str(data["other"])))
            break
        if option.value == 1:
            yield WrongUse("momentum-one", call, {"api": call.api}, option, None)
            break


def _of_new(call: Call, known: api.Api, given: dict[str, Value], trained: bool) -> Iterator[WrongUse]:
    """A normalisation without moving statistics, or with a momentum that weights the new ones, as PyTorch's does."""
    for option in options(given.get("eps") or given.get("epsilon")):
        if isinstance(option, KnownValue) and _number(option) and option.value > LARGEST_EPSILON:
            yield WrongUse("large-epsilon", call, {"api": call.api, "value": option.value}, option)
            break
    weights_new = _weighs_new(known) and trained
    for option in options(given.get("momentum")) if weights_new else ():
        if isinstance(option, KnownValue) and _number(option) and MOSTLY_NEW <= option.value < 1:
            data = {"api": call.api, "value": option.value, "other": round(1 - option.value, 10)}
            yield WrongUse("momentum-of-new", call, data, option, _constant(call, "momentum", str(data["other"])))
            break


def _weighs_new(known: api.Api) -> bool:
    default = known.defaults.get("momentum")
    return known.modes and isinstance(default, float) and default < 0.5


def _number(value: KnownValue) -> bool:
    return isinstance(value.value, (int, float)) and not isinstance(value.value, bool)


def _is_number(value: Value) -> TypeGuard[KnownValue]:
    return isinstance(value, KnownValue) and _number(value)


def _unlike(pair: Pair, name: str, own: Any, other: Any) -> WrongUse:
    """A setting that a layer has otherwise in the benchmark."""
    small = name == "eps" and max(own, other) <= LARGEST_EPSILON
    told = WrongUse(
        "unlike-benchmark-slightly" if small else "unlike-benchmark",
        pair.here,
        {
            "api": pair.here.api,
            "setting": name,
            "here": str(own),
            "there": str(other),
            "other": f"{pair.there.source.path}:{pair.there.line}",
        },
    )
    told.also = pair.there
    return told


def _constant(call: Call, name: str, new: str) -> tuple[int, int, int, str] | None:
    """The edit that replaces a constant given by keyword."""
    for keyword in getattr(call.node, "keywords", ()):
        node = keyword.value
        if keyword.arg == name and isinstance(node, ast.Constant) and node.lineno == node.end_lineno:
            return node.lineno, node.col_offset, node.end_col_offset or 0, new
    return None


def _keyword(call: Call, place: int, name: str) -> tuple[int, int, int, str] | None:
    node = call.node
    return _named(node, place, name) if isinstance(node, ast.Call) and len(node.args) > place else None


# --- arguments in the wrong place -------------------------------------------------------------------------------------


def _given_as(made: list[Frame]) -> set[tuple[int, str, str]]:
    """Which argument, by its name, goes to which parameter, by the function that the call stands in; where the parameter of its own
    name, if there is one, gets something too, so that no place is mistaken."""
    found: set[tuple[int, str, str]] = set()
    for frame in made:
        if isinstance(frame.node, ast.Call):
            names = _parameters(frame)
            pairs = [
                *zip(names, frame.node.args, strict=False),
                *((k.arg, k.value) for k in frame.node.keywords if k.arg),
            ]
            given = {parameter for parameter, _ in pairs}
            named = ((parameter, _name_of(part)) for parameter, part in pairs)
            found |= {(_function_of(frame), name, p) for p, name in named if name in given or name not in names}
    return found


def _parameters(frame: Frame) -> list[str]:
    spec = frame.function.node.args
    return [part.arg for part in (*spec.posonlyargs, *spec.args)][1:]


def _function_of(frame: Frame) -> int:
    return id(frame.parent.function.node) if frame.parent is not None else 0


def _name_of(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _misplaced(frame: Frame, given_as: set[tuple[int, str, str]]) -> WrongUse | None:
    """An argument that is called like one parameter, which is left at its default, and is passed as another one. The other one is
    meant where another call in the same function is given it so too."""
    node, names = frame.node, _parameters(frame)
    if not isinstance(node, ast.Call) or any(isinstance(part, ast.Starred) for part in node.args):
        return None
    given = {*names[: len(node.args)], *(keyword.arg for keyword in node.keywords)}
    if None in given:
        return None
    for place, part in enumerate(node.args[: len(names)]):
        name = _name_of(part)
        if name and name != names[place] and name in names and name not in given:
            if (_function_of(frame), name, names[place]) in given_as:
                continue
            made = isinstance(frame.owner, Instance) and frame.owner.of.node.name
            data = {"argument": name, "parameter": names[place], "class_name": made or frame.function.name}
            code = "misplaced" if _RATES.search(name) else "misplaced-perhaps"
            return WrongUse(code, frame, data, None, _named(node, place, name))
    return None


def _named(node: ast.Call, place: int, name: str) -> tuple[int, int, int, str] | None:
    """The edit that passes the last positional argument by name."""
    given = node.args[place]
    return (given.lineno, given.col_offset, given.col_offset, f"{name}=") if given is node.args[-1] else None
