"""Batches that a script takes from arrays of its own, with what the network is to give for them.

Both are found among the names of the user's functions that run the pass. A batch is known by its rows: they lie in an array that a
name holds, or are the whole of it. What is to be given for them are the same rows of another array, where one alone can be that.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from types import FrameType
from typing import Any, NamedTuple

import numpy

from ..measures import Array, array, identities
from .hooks import Hooks
from .passes import Pass
from .scores import batch_of

#: Functions of the user's that are looked into, from the innermost; items of a list or dictionary, and arrays of a pass.
FUNCTIONS, ITEMS, HELD = 6, 16, 64
#: Elements of an array whose rows are looked for, and arrays, and rows of all of them, of which that is remembered.
MOST, SOURCES, ROWS = 1 << 27, 64, 1 << 19
#: What a batch may be read as (see scores.batch_of), the surest first.
KINDS = ("classes", "two", "places", "errors")


class NamedArray(NamedTuple):
    """`outer`: whether a function holds it that does not itself run the pass, so that it is more than one batch."""

    name: str
    value: Any
    outer: bool


class OwnBatch(NamedTuple):
    """A batch of an array: the number of the array, below 0, what tells the batch apart, its labels (or other values that are wanted), and
    whether an evaluation is over with the batch before: rows come again, or those of one array are through and another one's follow."""

    number: int
    read: int
    wanted: Array
    begins: bool


class Source:
    """An array that batches are taken from, as long as the script holds it; one that makes each batch anew has one for each line that
    runs a pass, which holds nothing."""

    def __init__(self, number: int, held: Any = None) -> None:
        self.number = number
        self.held = (lambda: None) if held is None else weakref.ref(held)
        self.count = 0 if held is None else int(held.shape[0])
        #: Of each row its first place, and rows that it holds more than once.
        self.places: dict[Any, int] = {}
        self.twice: set[Any] = set()
        #: The evaluation that took rows of it last, and which.
        self.evaluation = -1
        self.seen: set[int] = set()

    def learn(self, held: Any, like: Array) -> None:
        for at, one in enumerate(_rows(array(held).astype(like.dtype, copy=False))):
            if self.places.setdefault(one, at) != at:
                self.twice.add(one)

    def located(self, rows: list[Any]) -> list[int] | None:
        """The places of rows; None where one is not in it, or in several places that the others do not tell apart."""
        found = [self.places.get(one, -1) for one in rows]
        if -1 in found:
            return None
        return found if self.twice.isdisjoint(rows) else None

    def takes(self, places: list[int], evaluation: int) -> bool:
        """Whether rows come again that the evaluation had already."""
        again = evaluation == self.evaluation and not self.seen.isdisjoint(places)
        if again or evaluation != self.evaluation:
            self.seen, self.evaluation = set(), evaluation + again
        self.seen.update(places)
        return again

    def is_through(self, evaluation: int) -> bool:
        """Whether the evaluation took all of its rows."""
        return self.evaluation == evaluation and bool(self.seen) and len(self.seen) == self.count


class OwnArrays:
    def __init__(self, hooks: Hooks) -> None:
        self.hooks = hooks
        self.sources: dict[Any, Source] = {}
        self.made = 0
        #: Names that may hold what is wanted, by the line that runs the pass and the source.
        self.names: dict[Any, set[str]] = {}
        self.read = -1
        self.rows: list[Any] = []
        #: That of the batch before.
        self.source_before: Source | None = None

    def reads(self, rows: list[Any]) -> int:
        """A number, below 0, that tells a batch from the one before."""
        if rows != self.rows:
            self.read, self.rows = self.read - 1, rows
        return self.read

    def batch(self, ended: Pass, rows: list[Any], evaluation: int) -> OwnBatch | None:
        """The batch of a pass that is over, by what tells its rows apart, in the evaluation of this number."""
        given = array(ended.batch[0]) if ended.batch else None
        if given is None or not given.ndim or given.dtype.kind == "O":
            return None
        held = [one for one in ended.held if one.value.shape[0] >= len(given)]
        for one in sorted(held, key=lambda one: (one.value.shape[0] == len(given), int(one.value.shape[0]))):
            found = self.taken(one, given, ended)
            if found is None:
                continue
            source, places = found
            wanted = self.wanted(source, places, one, held, ended)
            if wanted is None:
                continue
            before, self.source_before = self.source_before, source
            begins = before is not None and before is not source and before.is_through(evaluation)
            begins |= source.takes(places, evaluation + begins)
            return OwnBatch(source.number, self.reads(rows), wanted, begins)
        return None

    def taken(self, one: NamedArray, given: Array, ended: Pass) -> tuple[Source, list[int]] | None:
        """The source of a batch and its places there, where an array holds its rows; no places where that is the batch itself."""
        count, size = int(one.value.shape[0]), int(numpy.prod(one.value.shape[1:]))
        if size * len(given) != given.size or count * size > MOST:
            return None
        if count == len(given) and not one.outer:
            whole = array(one.value).astype(given.dtype, copy=False).reshape(given.shape)
            source = self.source((one.name, *(ended.called_at or ())))
            return (source, []) if source is not None and (whole == given).all() else None
        source = self.source(id(one.value), one.value)
        if source is None:
            return None
        if not source.places:
            source.learn(one.value, given)
        places = source.located(_rows(given))
        return None if places is None else (source, places)

    def source(self, key: Any, held: Any = None) -> Source | None:
        """The source of a key, made for an array that is seen for the first time; None where there are too many."""
        known = self.sources.get(key)
        if known is not None and known.held() is held:
            return known
        self.sources = {key: one for key, one in self.sources.items() if not one.count or one.held() is not None}
        rows = sum(one.count for one in self.sources.values()) + (0 if held is None else int(held.shape[0]))
        if len(self.sources) >= SOURCES or rows > ROWS:
            return None
        self.made += 1
        self.sources[key] = Source(-self.made, held)
        return self.sources[key]

    def wanted(
        self, source: Source, places: list[int], own: NamedArray, held: list[NamedArray], ended: Pass
    ) -> Array | None:
        """The rows of the one other array of as many rows that can be what an output is compared with; None where there is not one."""
        found: dict[str, dict[str, Array]] = {}
        for one in held:
            if one.value is own.value or one.value.shape[0] != own.value.shape[0]:
                continue
            values = array(one.value)
            values = values[places] if places else values
            read_as = batch_of(ended.output, [values])
            if read_as is not None:
                found.setdefault(read_as.kind, {})[one.name] = values
        for kind in KINDS:
            if kind in found:
                return self.only(found[kind], (source.number, *(ended.called_at or ())))
        return None

    def only(self, found: dict[str, Array], key: Any) -> Array | None:
        """What several names hold alike, of those that could be it each time before."""
        names = self.names[key] = found.keys() & self.names.get(key, found.keys())
        values = [found[name] for name in sorted(names)]
        alike = all(numpy.array_equal(one, values[0]) for one in values[1:])
        return values[0] if values and alike else None


def held_now(hooks: Hooks) -> list[NamedArray]:
    """The arrays and tensors that names of the user's functions hold, from the innermost that runs to the outermost."""
    found: dict[int, NamedArray] = {}
    for depth, frame in zip(range(FUNCTIONS), hooks.own_frames()):  # noqa: B905  # Python 3.9
        for name, value in named(frame):
            for path, one in parts(name, value):
                if len(found) < HELD and id(one) not in found:
                    found[id(one)] = NamedArray(path, one, bool(depth))
                elif id(one) in found and depth:
                    found[id(one)] = found[id(one)]._replace(outer=True)
    return list(found.values())


def named(frame: FrameType) -> list[tuple[str, Any]]:
    """What the code of a function names: its own, what it reads of its module, and attributes of its first argument."""
    code, local = frame.f_code, frame.f_locals
    if code.co_name == "<module>":
        return [(name, local[name]) for name in code.co_names if name in local]
    found = list(local.items())
    found += [(name, frame.f_globals[name]) for name in code.co_names if name in frame.f_globals]
    owner = getattr(local.get(code.co_varnames[0]), "__dict__", None) if code.co_argcount else None
    if isinstance(owner, dict):
        found += [(f"self.{name}", owner[name]) for name in code.co_names if name in owner]
    return found


def parts(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """An array or tensor, or those that a list, tuple or dictionary holds; no parameter of a network."""
    if isinstance(value, (list, tuple, dict)) and len(value) <= ITEMS:
        inner = value.items() if isinstance(value, dict) else enumerate(value)
        yield from ((f"{name}[{key}]", one) for key, one in inner if is_array(one))
    elif is_array(value):
        yield name, value


def is_array(value: Any) -> bool:
    """Whether it is an array of numbers with rows."""
    import mindspore

    if isinstance(value, numpy.ndarray):
        return value.ndim > 0 and value.dtype.kind in "biuf"
    tensor = isinstance(value, mindspore.Tensor) and not isinstance(value, mindspore.Parameter)
    return tensor and len(value.shape) > 0


def _rows(values: Array) -> list[Any]:
    return identities(numpy.ascontiguousarray(values).reshape(len(values), -1))
