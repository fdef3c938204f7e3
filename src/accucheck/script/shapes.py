"""Shapes of predictions and labels, as far as a script and the headers of its arrays tell: a column of predictions, (N, 1), less a
vector of labels, (N,), is a table of every prediction with every label, and its mean a loss that no label can be told from."""

from __future__ import annotations

import ast
import io
import tokenize
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from ..knowledge.methods import MODEL_RUNS
from ..knowledge.random_numbers import GENERATORS, OF_VECTORS
from . import configs, flow
from .axes import ELEMENTS
from .direction import difference
from .effects import MOVED, effect, kept, operands
from .factors import operation
from .losses import Losses, Observation, applied
from .networks import kind_of, outputs
from .pipelines import Pipelines
from .values import Call, Items, KnownValue, Many, UnknownValue, Value, integer_of, is_slice, options

#: Values within values are followed so far.
DEEP = 40
#: So many elements of a list are looked at.
MANY = 16
#: The header of an array lies within so many bytes.
HEADER = 20_000
#: What numpy raises over the header of something else.
_MALFORMED = (ValueError, SyntaxError, TypeError, RecursionError, MemoryError, tokenize.TokenError)


class Shape(NamedTuple):
    """The number of axes and the size of the last one; None for what is not known."""

    rank: int | None
    last: int | None


#: The shape of what is made of two arrays.
Joins = Callable[["Shape | None", "Shape | None"], "Shape | None"]


def examine(losses: Losses) -> Iterator[Observation]:
    """Predictions in a column from which a vector of labels is taken, in what is trained; each place once."""
    shapes = Shapes(losses)
    told: set[int] = set()
    for part in losses.contributing.values():
        if not isinstance(part, Call) or id(part.node) in told:
            continue
        pair = _compared(part)
        if pair is not None and (shapes.spread(*pair) or shapes.spread(*reversed(pair))):
            told.add(id(part.node))
            yield Observation("pairs-compared", part, {})


def _compared(made: Call) -> tuple[Value, Value] | None:
    """What a distance, written out or a loss of MindSpore that lets shapes differ, is between."""
    application = applied(made)
    if application is not None:
        known = application.known
        averages = known.expects == "raw" and known.labels == "same-shape" and known.reduction == "mean"
        if not averages or application.prediction is None or application.labels is None:
            return None
        return application.prediction, application.labels
    inner = difference(made)
    sides = operation(inner).operands[:2] if inner is not None else []
    return (sides[0], sides[1]) if len(sides) == 2 else None


class Shapes:
    """The shapes of the values of one reading."""

    def __init__(self, losses: Losses) -> None:
        self.losses, self.reading = losses, losses.reading

    @cached_property
    def pipelines(self) -> Pipelines:
        return Pipelines(self.reading)

    def spread(self, one: Value, other: Value) -> bool:
        """Whether the first is a column and the second a vector."""
        column = self.of(one)
        if column is None or column.last != 1 or column.rank not in (None, 2):
            return False
        vector = self.of(other)
        return vector is not None and vector.rank == 1

    @cached_property
    def labels(self) -> dict[int, Shape | None]:
        """The labels that a Model hands to its loss: the second of two columns of the data set that it trains on."""
        found: dict[int, Shape | None] = self.__dict__.setdefault(
            "labels", {}
        )  # columns may be made of labels: these are not known yet
        for handed in self.losses.handed:
            runs = (call for call in self.reading.trace.calls if call.name in (".train", ".fit"))
            sets = [_data(call) for call in runs if handed.model in options(call.base)]
            columns = [each for data in sets for each in self.pipelines.of(data)]
            two = len(sets) == len(columns) == 1 and len(columns[0].order) == 2
            shape = self.batched(sets[0], {self.of(columns[0].at(1), 1)}) if two else None
            parts = (part for value in handed.losses for part in flow.sources(value))
            found.update(
                {id(part): shape for part in parts if isinstance(part, UnknownValue) and part.name == "labels"}
            )
        return found

    def of(self, value: Value | None, depth: int = 0) -> Shape | None:
        if isinstance(value, UnknownValue):
            return self.labels.get(id(value))
        if isinstance(value, Many):
            found = {self.of(option, depth + 1) for option in value.options} if depth < DEEP else set()
            return found.pop() if len(found) == 1 else None
        if isinstance(value, Items):
            return self.listed(value.items, None if value.open else len(value.items), depth)
        return self.called(value, depth) if isinstance(value, Call) and depth <= DEEP else None

    def called(self, value: Call, depth: int) -> Shape | None:
        """The shape of what a call gives."""
        if value.result is not None:
            return self.of(value.result, depth + 1)
        if value.name == "" and kind_of(value.base) == "dense":
            inner = self.of(value.args[0], depth + 1) if value.args else None
            return Shape(inner.rank if inner is not None else None, outputs(value.base))
        return self.column(value, depth) or self.made(value, depth)

    def listed(self, parts: list[Value], count: int | None, depth: int) -> Shape | None:
        """A list of things of one shape: one axis more."""
        shapes = {self.number(part, depth + 1) for part in parts[:MANY]}
        shape = shapes.pop() if len(shapes) == 1 else None
        if shape is None or shape.rank is None:
            return None
        return Shape(shape.rank + 1, shape.last if shape.rank else count)

    def made(self, value: Call, depth: int) -> Shape | None:
        """What is read or drawn, or made of another value."""
        if value.name in ("float", "int"):
            return Shape(0, None)
        if value.name == "comprehension":
            return self.listed(value.args[:1], None, depth)
        return self.array(value) or _of_told_size(value) or self.picked(value, depth) or self.changed(value, depth)

    def picked(self, made: Call, depth: int) -> Shape | None:
        """Behind an index: a number takes an axis away, a slice leaves it."""
        if made.name != "[]" or not made.args:
            return None
        keys = _keys(made)
        taken = [_takes_axis(key) for key in keys]
        before = _table(made.base, len(keys)) or self.of(made.base, depth + 1)
        if None in taken or before is None or before.rank is None or before.rank < len(keys):
            return None
        return Shape(before.rank - sum(map(bool, taken)), before.last if len(keys) < before.rank else None)

    def changed(self, made: Call, depth: int) -> Shape | None:
        """Behind an operation that leaves the axes as they are, or adds, takes and joins some."""
        known = effect(made)
        if known is None:
            return None
        if known.operation in ("reshape", "flatten", "ravel", "unflatten"):
            return _reshaped(made)
        if known.operation in (*ELEMENTS, "matmul"):
            return self.joined(made, _together if known.operation in ELEMENTS else _multiplied, depth)
        before = next((self.of(part, depth + 1) for part in operands(made)[:1]), None)
        if before is None:
            return None
        if known.operation in ("squeeze", "expand_dims"):
            return _with_axis(made, before, known.operation == "expand_dims")
        if known.reduces:
            return _reduced(made, before)
        each = known.axes and known.keeps not in MOVED
        stays = each or known.rises or bool(kept(made, "same", "whole", "truth"))
        return before if stays else None

    def joined(self, made: Call, how: Joins, depth: int) -> Shape | None:
        """Of an operation on two arrays."""
        pair = [self.number(part, depth + 1) for part in operands(made, (0, 1))]
        return how(*pair) if len(pair) == 2 else None

    def number(self, value: Value, depth: int) -> Shape | None:
        """The shape of an operand that may be a plain number."""
        plain = isinstance(value, KnownValue) and isinstance(value.value, (int, float))
        return Shape(0, None) if plain else self.of(value, depth)

    def column(self, made: Call, depth: int) -> Shape | None:
        """A column of batches that are read from arrays."""
        values = self.pipelines.read(made) if _reads(made) else None
        return self.batched(made, {self.of(value, depth + 1) for value in values}) if values else None

    def batched(self, read: Value | None, arrays: set[Shape | None]) -> Shape | None:
        """What is read of arrays that a data set cuts into rows, or of the rows that a source gives, joined to batches."""
        parts = list(flow.sources(read, _is_set))
        sets = [part for part in parts if _is_set(part)]
        if len(sets) != 1 or len(arrays) != 1 or any(map(_changes_rows, parts)):
            return None
        (shape,) = arrays
        if shape is None or shape.rank is None:
            return None
        row = shape.rank - 1 if _is_array_set(sets[0]) else shape.rank
        rank = row + sum(isinstance(part, Call) and part.name == ".batch" for part in parts)
        return Shape(rank, shape.last if row > 0 else None) if rank > 0 else None

    def array(self, made: Call) -> Shape | None:
        """An array that is read or drawn here."""
        known = effect(made)
        if known is not None and known.kind == "random" and known.operation in ("normal", "uniform"):
            return _drawn(made)
        base, key = made.base, made.args[0] if made.args else None
        if made.api == "numpy.load":
            return self.stored(key, None)
        if made.name == "[]" and isinstance(base, Call) and isinstance(key, KnownValue) and isinstance(key.value, str):
            if base.api == "numpy.load" and base.args:
                return self.stored(base.args[0], key.value)
            if base.name.startswith("pandas.read_"):
                return Shape(1, None)
        if made.name in ("@values", ".to_numpy") and isinstance(base, Call):
            return self.array(base)
        return None

    def stored(self, name: Value | None, member: str | None) -> Shape | None:
        """The shape that the header of a file below the project tells."""
        if not isinstance(name, KnownValue) or not isinstance(name.value, str):
            return None
        source = self.reading.source.file
        path = configs.find(self.reading.project.root, source.parent, source, name.value)
        sizes = header(path, member) if path is not None else None
        return None if sizes is None else Shape(len(sizes), sizes[-1] if sizes else None)


def header(path: Path, member: str | None) -> tuple[int, ...] | None:
    """The shape of an array in an NPY file, or of a member of an NPZ file; None where it is not there or cannot be read."""
    try:
        if member is None:
            with path.open("rb") as file:
                return _shape_in(file.read(HEADER))
        with zipfile.ZipFile(path) as archive, archive.open(member + ".npy") as stored:
            return _shape_in(stored.read(HEADER))
    except (OSError, KeyError, RuntimeError, EOFError, zipfile.BadZipFile, zlib.error, *_MALFORMED):
        return None


def _shape_in(data: bytes) -> tuple[int, ...]:
    from numpy.lib import format as npy

    reader: Any = npy
    file = io.BytesIO(data)
    version = reader.read_magic(file)
    read = reader.read_array_header_1_0 if version == (1, 0) else reader.read_array_header_2_0
    return tuple(int(size) for size in read(file)[0])


def _keys(made: Call) -> list[Value]:
    """What an array is indexed by, axis by axis."""
    key, node = made.args[0], made.node
    axes = isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple)  # a list picks places of one axis
    return list(key.items) if axes and isinstance(key, Items) else [key]


def _takes_axis(key: Value) -> bool | None:
    """Whether a key is the number of one place (True) or a slice (False); None for anything else."""
    if is_slice(key):
        return False
    number = isinstance(key, KnownValue) and type(key.value) is int
    return True if number or (isinstance(key, UnknownValue) and key.name == "index") else None


def _table(value: Value | None, axes: int) -> Shape | None:
    """A table of a text file that is indexed by rows and columns; one with a single column has a single axis."""
    read = isinstance(value, Call) and value.api in ("numpy.loadtxt", "numpy.genfromtxt")
    return Shape(2, None) if read and axes == 2 else None


def _is_array_set(value: Value) -> bool:
    return isinstance(value, Call) and value.api == "dataset.NumpySlicesDataset"


def _is_set(value: Value) -> bool:
    """A data set of arrays, or one whose source gives a row at a time."""
    return _is_array_set(value) or (isinstance(value, Call) and value.api == "dataset.GeneratorDataset")


def _data(run: Call) -> Value | None:
    """The data set of Model.train or Model.fit."""
    return run.argument(MODEL_RUNS[run.name], "train_dataset")


def _changes_rows(value: Value) -> bool:
    """An operation of the project on rows or batches, which may give them any shape."""
    mapped = isinstance(value, Call) and value.name == ".map"
    return mapped or (isinstance(value, Call) and value.name == ".batch" and "per_batch_map" in value.keywords)


def _reads(made: Call) -> bool:
    """A part of what a loop over batches yields."""
    return made.name in ("[]", ".item") and isinstance(made.base, Call) and made.base.name == ".each"


def _sizes(made: Call) -> list[Value]:
    """The sizes that are given, one by one or as a tuple."""
    given = operation(made).operands[1:] or [
        value for name, value in made.keywords.items() if name in ("shape", "newshape", "size")
    ]
    return given[0].items if len(given) == 1 and isinstance(given[0], Items) else given


def _reshaped(made: Call) -> Shape | None:
    sizes = _sizes(made)
    if not sizes:  # of a method: one axis
        return Shape(1, None) if made.name[:1] == "." else None
    last = sizes[-1]
    return Shape(
        len(sizes), last.value if isinstance(last, KnownValue) and type(last.value) is int and last.value > 0 else None
    )


def _with_axis(made: Call, before: Shape, adds: bool) -> Shape | None:
    """With an axis more or less."""
    axis = operation(made).operand(1, "axis", "dim")
    if before.rank is None:
        return None
    if axis is None:
        return Shape(1, None) if not adds and before == (2, 1) else None
    if not isinstance(axis, KnownValue) or type(axis.value) is not int:
        return None
    rank = before.rank + (1 if adds else -1)
    at_end = axis.value in (-1, max(rank, before.rank) - 1)
    return Shape(rank, 1 if adds and at_end else None if at_end else before.last)


def _together(one: Shape | None, other: Shape | None) -> Shape | None:
    """Of two arrays that are put together element by element: what has fewer axes is broadcast."""
    if one is None or other is None or one.rank is None or other.rank is None:
        return None
    ends = [each.last for each in (one, other) if each.rank]
    wide = next((end for end in ends if end not in (None, 1)), None)
    return Shape(max(one.rank, other.rank), 1 if ends and all(end == 1 for end in ends) else wide)


def _multiplied(one: Shape | None, other: Shape | None) -> Shape | None:
    """Of a product of matrices and vectors, of which a vector has its only axis summed up."""
    if one is None or other is None or not one.rank or not other.rank:
        return None
    if other.rank == 1:
        return Shape(one.rank - 1, None)
    return Shape(other.rank - 1, None) if one.rank == 1 else Shape(max(one.rank, other.rank), None)


def _reduced(made: Call, before: Shape) -> Shape | None:
    """Behind a reduction along the axis that it names, or along all."""
    done = operation(made)
    axis = done.operand(1, "axis", "dim")
    maker = made.maker
    told = {*done.keywords, *maker.keywords} - {"axis", "dim", "dtype"}
    if told or len(done.operands) > 2:
        return None
    if axis is None:
        return Shape(0, None)
    if not isinstance(axis, KnownValue) or type(axis.value) is not int or not before.rank:
        return None
    at_end = axis.value in (-1, before.rank - 1)
    return Shape(before.rank - 1, None if at_end else before.last)


def _of_told_size(made: Call) -> Shape | None:
    """An array of numbers that are drawn, or all alike, or one after the other."""
    if (size := _size_drawn(made)) is not None:
        return _of_size(size)
    known = effect(made)
    if known is None or not known.new:
        return None
    if known.kind == "index":
        return Shape(1, None)
    return _of_size(made.args[0]) if known.constant is not None and made.args else None


def _size_drawn(made: Call) -> Value | None:
    """The size that a distribution of numpy is told; of distributions of vectors, a sample has a further axis."""
    drawn = made.name.startswith("numpy.random.") or (isinstance(made.base, Call) and made.base.name in GENERATORS)
    if not drawn or made.last in OF_VECTORS:
        return None
    third = made.args[2] if len(made.args) > 2 else None
    return made.keywords.get("size", third)


def _of_size(size: Value) -> Shape | None:
    """The shape that a size tells: a tuple of lengths, or one."""
    if isinstance(size, Items):
        last = size.items[-1] if size.items else None
        width = integer_of(last)
        return None if size.open else Shape(len(size.items), width)
    one = (isinstance(size, KnownValue) and type(size.value) is int) or (isinstance(size, Call) and size.name == "len")
    return Shape(1, None) if one else None


def _drawn(made: Call) -> Shape | None:
    sizes = [*made.args] or _sizes(made)
    sizes = sizes[0].items if len(sizes) == 1 and isinstance(sizes[0], Items) else sizes
    known = [size.value for size in sizes if isinstance(size, KnownValue) and type(size.value) is int]
    return Shape(len(known), known[-1]) if known and len(known) == len(sizes) else None
