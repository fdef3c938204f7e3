"""What of polars is used here to read text files, on NumPy arrays: for installations without it. Slower, and it reads no Parquet.

Names and meanings are those of polars, so that readers and probes do not ask which of the two they hold (frames.py chooses).
Numbers and truth values are arrays of their kind, all else is an array of objects; beside both is which values are null.
"""

from __future__ import annotations

import csv
import hashlib
import io
import operator
import re
from builtins import all as every
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, TypeAlias

import numpy as np

#: str and list, where a class has methods called so.
Text: TypeAlias = str
Values: TypeAlias = list[Any]
#: Texts that are a floating-point number or an integer; Python alone would also take 1_0, spaces, and the digits of other scripts.
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?(nan|inf|infinity)", re.ASCII | re.IGNORECASE)
_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)


class PolarsError(Exception):
    """Values that cannot be read or converted."""


class PanicException(Exception):
    """Never raised here."""


exceptions = SimpleNamespace(PolarsError=PolarsError, PanicException=PanicException)


# --- types ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DataType:
    """The type of a column."""

    name: str

    def is_integer(self) -> bool:
        return self.name == "Int64"

    def is_float(self) -> bool:
        return self.name == "Float64"

    def is_numeric(self) -> bool:
        return self.is_integer() or self.is_float()

    def is_nested(self) -> bool:
        return isinstance(self, (List, Struct))

    def is_decimal(self) -> bool:
        return False


@dataclass(frozen=True, init=False)
class List(DataType):
    """Lists of one type."""

    inner: DataType

    def __init__(self, inner: DataType) -> None:
        object.__setattr__(self, "name", "List")
        object.__setattr__(self, "inner", inner)


@dataclass(frozen=True, init=False)
class Struct(DataType):
    """Values by name; `fields` are columns without values."""

    fields: tuple[DataType, ...]

    def __init__(self, fields: Iterable[DataType]) -> None:
        object.__setattr__(self, "name", "Struct")
        object.__setattr__(self, "fields", tuple(fields))


class Array(DataType):
    """Never made here, as are the next two: only Parquet holds them."""


class Categorical(DataType):
    """Never made here."""


class Enum(DataType):
    """Never made here."""


String, Binary, Null = DataType("String"), DataType("Binary"), DataType("Null")
Float64, Int64, Boolean = DataType("Float64"), DataType("Int64"), DataType("Boolean")
_ARRAYS: dict[str, Any] = {"Float64": np.float64, "Int64": np.int64, "Boolean": np.bool_}
_TYPES = {str: String, bytes: Binary, bool: Boolean, int: Int64, float: Float64}


def _type_of(values: Iterable[Any], loose: bool = False) -> DataType:
    """The one type of values; `loose`: integers among floating-point numbers are such too. Raises TypeError where they have several."""
    filled = [value for value in values if value is not None]
    kinds = {type(value) for value in filled}
    if kinds == {dict}:
        names = dict.fromkeys(name for value in filled for name in value)
        for name in names:
            _type_of([value.get(name) for value in filled])
        return Struct(DataType(name) for name in names)
    if kinds and kinds <= {list, np.ndarray, Series}:
        return List(_type_within(filled))
    if loose and kinds == {int, float}:
        return Float64
    if len(kinds) > 1 or not kinds <= _TYPES.keys():
        raise TypeError(", ".join(sorted(kind.__name__ for kind in kinds)))
    return _TYPES[kinds.pop()] if kinds else Null


def _type_within(lists: list[Any]) -> DataType:
    """The type of what lists hold."""
    if every(isinstance(one, np.ndarray) for one in lists):
        return Float64 if any(one.dtype.kind == "f" for one in lists) else Int64
    if every(isinstance(one, Series) for one in lists):
        dtype: DataType = lists[0].dtype
        return dtype
    return _type_of((value for one in lists for value in one), loose=True)


# --- columns ----------------------------------------------------------------------------------------------------------


class Series:
    """A column: pl.Series(name, values, dtype), or without a name."""

    def __init__(self, name: Any = "", values: Any = None, dtype: DataType | None = None, strict: bool = True) -> None:
        if values is None and not isinstance(name, Text):
            name, values = "", name
        self.name: Text = name
        if isinstance(values, np.ndarray) and values.dtype.kind in "iufb" and values.ndim == 1:
            self.dtype = dtype or {"f": Float64, "b": Boolean}.get(values.dtype.kind, Int64)
            self.data = values.astype(_ARRAYS[self.dtype.name])
            self.nulls = np.zeros(len(values), bool)
            return
        held = list(values) if values is not None else []
        self.dtype = dtype or _type_of(held)
        self.nulls = np.array([value is None for value in held], bool)
        if (kind := _ARRAYS.get(self.dtype.name)) is None:
            self.data = np.empty(len(held), object)
            self.data[:] = held if not isinstance(self.dtype, (List, Struct)) else None
            if isinstance(self.dtype, (List, Struct)):  # NumPy would make one array of all lists
                for place, value in enumerate(held):
                    self.data[place] = value
        else:
            self.data = np.array([0 if value is None else value for value in held], kind)

    def _made(self, data: Any, nulls: Any, dtype: DataType | None = None) -> Series:
        """A column of this name."""
        made = object.__new__(Series)
        made.name, made.dtype, made.data, made.nulls = self.name, dtype or self.dtype, data, nulls
        return made

    def _taken(self, places: Any) -> Series:
        return self._made(self.data[places], self.nulls[places])

    def _each(self, function: Callable[[Any], Any], dtype: DataType) -> Series:
        """What a function makes of each value that is not null, which may be null."""
        pairs = zip(self.data, self.nulls, strict=True)
        return Series(self.name, [None if null else function(value) for value, null in pairs], dtype)

    def __len__(self) -> int:
        return len(self.data)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.to_list())

    def __getitem__(self, place: int) -> Any:
        return None if self.nulls[place] else _plain(self.data[place])

    def to_list(self) -> Values:
        held = self.data.tolist() if self.dtype.name in _ARRAYS else [_plain(value) for value in self.data]
        return (
            [None if null else value for value, null in zip(held, self.nulls, strict=True)]
            if self.nulls.any()
            else held
        )

    def to_numpy(self) -> np.ndarray[Any, Any]:
        if self.dtype.name in _ARRAYS and self.nulls.any():
            return np.where(self.nulls, np.nan, self.data.astype(np.float64))
        return self.data

    def to_frame(self) -> DataFrame:
        return DataFrame([self])

    def rename(self, name: Text) -> Series:
        made = self._taken(slice(None))
        made.name = name
        return made

    alias = rename

    def implode(self) -> Series:
        return self

    def len(self) -> int:
        return len(self.data)

    def null_count(self) -> int:
        return int(self.nulls.sum())

    def _truth(self, found: Any, nulls: Any = None) -> Series:
        return self._made(np.asarray(found, bool), np.zeros(len(self), bool) if nulls is None else nulls, Boolean)

    def is_null(self) -> Series:
        return self._truth(self.nulls)

    def is_not_null(self) -> Series:
        return self._truth(~self.nulls)

    def is_nan(self) -> Series:
        return self._truth(np.isnan(self.data) if self.dtype.is_float() else np.zeros(len(self)), self.nulls)

    def is_finite(self) -> Series:
        return self._truth(np.isfinite(self.data) if self.dtype.is_float() else np.ones(len(self)), self.nulls)

    def is_in(self, values: Iterable[Any]) -> Series:
        if self.dtype.is_numeric():
            return self._truth(np.isin(self.data, list(values)), self.nulls)
        known = set(values)
        return self._truth([value in known for value in self.data], self.nulls)

    def _with(self, function: Callable[[Any, Any], Any], other: Any) -> tuple[Any, Any]:
        if isinstance(other, Series):
            return function(self.data, other.data), self.nulls | other.nulls
        return function(self.data, other), self.nulls

    def __eq__(self, other: object) -> Series:  # type: ignore[override]
        return self._truth(*self._with(operator.eq, other))

    __hash__ = None  # type: ignore[assignment]

    def __and__(self, other: Series) -> Series:
        return self._truth(*self._with(operator.and_, other))

    def __invert__(self) -> Series:
        return self._truth(~self.data, self.nulls)

    def __add__(self, other: int) -> Series:
        return self._made(self.data + other, self.nulls)

    def head(self, count: int = 10) -> Series:
        return self._taken(slice(count))

    def tail(self, count: int) -> Series:
        return self._taken(slice(max(0, len(self) - count), None))

    def filter(self, mask: Series) -> Series:
        return self._taken(mask.data & ~mask.nulls)

    def gather(self, rows: Series) -> Series:
        return self._taken(rows.data)

    def gather_every(self, step: int) -> Series:
        return self._taken(slice(None, None, step))

    def drop_nulls(self) -> Series:
        return self._taken(~self.nulls)

    def arg_true(self) -> Series:
        return Series(self.name, np.flatnonzero(self.data & ~self.nulls))

    def fill_null(self, value: Any) -> Series:
        data = self.data.copy()
        data[self.nulls] = value
        return self._made(data, np.zeros(len(self), bool))

    def set(self, mask: Series, value: None) -> Series:
        return self._made(self.data, self.nulls | (mask.data & ~mask.nulls))

    def replace(self, old: Text, new: None) -> Series:
        return self._made(self.data, self.nulls | (self.data == old))

    def unique(self) -> Series:
        return Series(self.name, list(dict.fromkeys(self.to_list())), self.dtype)

    def replace_strict(self, known: Series, codes: Series) -> Series:
        found: dict[Any, Any] = dict(zip(known.to_list(), codes.to_list(), strict=True))
        return Series(self.name, [found[value] for value in self.to_list()], codes.dtype)

    def value_counts(self) -> DataFrame:
        counted = Counter(map(_hashable, self.to_list()))
        return DataFrame([Series(self.name, list(counted), self.dtype), Series("count", list(counted.values()), Int64)])

    def any(self) -> bool:
        return bool((self.data & ~self.nulls).any())

    def all(self) -> bool:
        return bool((self.data | self.nulls).all())

    def _filled(self) -> Any:
        return self.data[~self.nulls]

    def sum(self) -> Any:
        return _plain(self._filled().sum()) if self.dtype.name in _ARRAYS else None

    def mean(self) -> Any:
        filled = self._filled()
        return float(filled.mean()) if len(filled) else None

    def min(self) -> Any:
        return self._end(np.fmin)

    def max(self) -> Any:
        return self._end(np.fmax)

    def _end(self, ufunc: Any) -> Any:
        filled = self._filled()
        return _plain(ufunc.reduce(filled)) if len(filled) and self.dtype.name in _ARRAYS else None

    def cast(self, dtype: DataType, strict: bool = True) -> Series:
        """Texts that are no number become null, whether `strict` or not."""
        if dtype == self.dtype or self.dtype == Null:
            return (
                self._made(np.zeros(len(self), _ARRAYS.get(dtype.name, object)), self.nulls, dtype)
                if self.dtype == Null
                else self
            )
        if dtype == String:
            return self._each(_as_text, String)
        if self.dtype == String:
            return self._each(_to_integer if dtype == Int64 else _to_number, dtype)
        if self.dtype.name not in _ARRAYS:
            raise PolarsError(f"{self.dtype.name} to {dtype.name}")
        return self._made(self.data.astype(_ARRAYS[dtype.name]), self.nulls, dtype)

    def explode(self) -> Series:
        """What the lists hold, one after the other."""
        inner = self.dtype.inner if isinstance(self.dtype, List) else self.dtype
        lists = [one for one, null in zip(self.data, self.nulls, strict=True) if not null]
        if every(isinstance(one, np.ndarray) for one in lists) and lists:
            return Series(self.name, np.concatenate(lists), inner)
        return Series(self.name, [value for one in lists for value in one], inner)

    @property
    def str(self) -> _Texts:
        return _Texts(self)

    @property
    def list(self) -> _Lists:
        return _Lists(self)

    @property
    def arr(self) -> _Lists:
        return _Lists(self)

    @property
    def bin(self) -> _Lists:
        return _Lists(self)

    @property
    def struct(self) -> _Structs:
        return _Structs(self)


@dataclass(frozen=True)
class _Texts:
    """What can be asked of texts."""

    of: Series

    def strip_chars(self) -> Series:
        return self.of._each(str.strip, String)

    def strip_suffix(self, suffix: str) -> Series:
        return self.of._each(lambda text: text.removesuffix(suffix), String)

    def contains(self, pattern: str, literal: bool = False) -> Series:
        found = re.compile(re.escape(pattern) if literal else pattern).search
        return self.of._each(lambda text: found(text) is not None, Boolean)

    def split(self, by: str) -> Series:
        return self.of._each(lambda text: text.split(by), List(String))

    def extract_groups(self, pattern: str) -> Series:
        found = re.compile(pattern)
        names = [str(number) for number in range(1, found.groups + 1)]

        def groups(text: str) -> dict[str, Any]:
            match = found.search(text)
            return dict(zip(names, match.groups() if match else [None] * len(names), strict=True))

        return self.of._each(groups, Struct(DataType(name) for name in names))


@dataclass(frozen=True)
class _Lists:
    """What can be asked of lists and bytes."""

    of: Series

    def len(self) -> Series:
        return self.of._each(len, Int64)

    size = len

    def to_list(self) -> Series:
        return self.of

    def join(self, between: str) -> Series:
        return self.of._each(lambda one: between.join(text for text in one if text is not None), String)


@dataclass(frozen=True)
class _Structs:
    """What can be asked of values by name."""

    of: Series

    def unnest(self) -> DataFrame:
        names = [field.name for field in self.of.dtype.fields] if isinstance(self.of.dtype, Struct) else []
        held = [value or {} for value in self.of.to_list()]
        given = {name: [value.get(name) for value in held] for name in names}
        return DataFrame(
            [
                Series(name, values, None if any(one is not None for one in values) else String)
                for name, values in given.items()
            ]
        )


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    return value.tolist() if isinstance(value, np.ndarray) else value.to_list() if isinstance(value, Series) else value


def _hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _as_text(value: Any) -> str | None:
    if isinstance(value, (bool, np.bool_)):
        return str(value).lower()
    return value if isinstance(value, str) else None if isinstance(value, bytes) else str(_plain(value))


def _to_number(text: str) -> float | None:
    return float(text) if _NUMBER.fullmatch(text) else None


def _to_integer(text: str) -> int | None:
    return int(text) if len(text) < 20 and _INTEGER.fullmatch(text) and -(1 << 63) <= int(text) < 1 << 63 else None


# --- tables -----------------------------------------------------------------------------------------------------------


class DataFrame:
    """Columns of one length: of a list of them, or by name."""

    def __init__(self, columns: Iterable[Series] | dict[str, Any] = ()) -> None:
        if isinstance(columns, dict):
            columns = [
                values.rename(name) if isinstance(values, Series) else Series(name, values)
                for name, values in columns.items()
            ]
        self._columns = {column.name: column for column in columns}

    @property
    def columns(self) -> list[str]:
        return list(self._columns)

    @property
    def schema(self) -> dict[str, DataType]:
        return {name: column.dtype for name, column in self._columns.items()}

    @property
    def dtypes(self) -> list[DataType]:
        return [column.dtype for column in self]

    @property
    def width(self) -> int:
        return len(self._columns)

    @property
    def height(self) -> int:
        return next((len(column) for column in self), 0)

    def __len__(self) -> int:
        return self.height

    def __iter__(self) -> Iterator[Series]:
        return iter(self._columns.values())

    def __getitem__(self, name: str) -> Series:
        return self._columns[name]

    def get_columns(self) -> list[Series]:
        return list(self)

    def to_series(self, place: int = 0) -> Series:
        return self.get_columns()[place]

    def _each(self, function: Callable[[Series], Series]) -> DataFrame:
        return DataFrame([function(column) for column in self])

    def head(self, count: int) -> DataFrame:
        return self._each(lambda column: column.head(count))

    def tail(self, count: int) -> DataFrame:
        return self._each(lambda column: column.tail(count))

    def slice(self, start: int, count: int) -> DataFrame:
        return self._each(lambda column: column._taken(slice(start, start + count)))

    def cast(self, dtype: DataType, strict: bool = True) -> DataFrame:
        return self._each(lambda column: column.cast(dtype, strict))

    def filter(self, mask: Series | Expr) -> DataFrame:
        found = mask.of(self)[0] if isinstance(mask, Expr) else mask
        return self._each(lambda column: column.filter(found))

    def drop(self, name: str) -> DataFrame:
        return DataFrame([column for column in self if column.name != name])

    def hstack(self, columns: Iterable[Series]) -> DataFrame:
        return DataFrame([*self, *columns])

    def rename(self, called: Callable[[str], str]) -> DataFrame:
        return self._each(lambda column: column.rename(called(column.name)))

    def select(self, *wanted: Any) -> DataFrame:
        return DataFrame(self._asked(wanted))

    def with_columns(self, *wanted: Any) -> DataFrame:
        return self.hstack(self._asked(wanted))

    def _asked(self, wanted: Iterable[Any]) -> Iterator[Series]:
        for one in wanted:
            if isinstance(one, Series):
                yield one
            elif isinstance(one, str):
                yield self[one]
            elif isinstance(one, Expr):
                yield from one.of(self)
            else:
                yield from self._asked(one)

    def explode(self, name: str) -> DataFrame:
        """The rows of the lists in one column, none of which is empty or null."""
        lengths = [len(one) for one in self[name].data]
        return DataFrame(
            [
                column.explode() if column.name == name else column._taken(np.repeat(np.arange(len(column)), lengths))
                for column in self
            ]
        )

    def sort(self, *by: str, descending: Sequence[bool]) -> DataFrame:
        order = list(range(self.height))
        for name, down in reversed(list(zip(by, descending, strict=True))):
            held = self[name].to_list()
            order.sort(
                key=lambda place: (held[place] is not None, held[place]) if held[place] is not None else (False,),
                reverse=down,
            )
        return self._each(lambda column: column._taken(np.array(order, int)))

    def rows(self) -> list[tuple[Any, ...]]:
        return list(zip(*(column.to_list() for column in self), strict=True))

    def iter_rows(self) -> Iterator[tuple[Any, ...]]:
        return iter(self.rows())

    def to_dicts(self) -> list[dict[str, Any]]:
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows()]

    def row(self, place: int, named: bool) -> dict[str, Any]:
        return {column.name: column[place] for column in self}

    def hash_rows(self) -> Series:
        digests = [hashlib.blake2b(repr(row).encode("utf-8", "replace"), digest_size=8).digest() for row in self.rows()]
        made = Series("", np.zeros(len(digests), np.int64))
        made.data = np.frombuffer(b"".join(digests), np.uint64)
        return made


def concat(frames: Iterable[DataFrame], how: str) -> DataFrame:
    """Frames below each other; a column that one of them lacks is null there."""
    given = list(frames)
    names = dict.fromkeys(name for one in given for name in one.columns)
    kinds = {name: next(one[name].dtype for one in given if name in one.columns) for name in names}
    parts = {
        name: [one[name] if name in one.columns else Series(name, [None] * one.height, kinds[name]) for one in given]
        for name in names
    }
    return DataFrame(
        [
            columns[0]._made(
                np.concatenate([one.data for one in columns]), np.concatenate([one.nulls for one in columns])
            )
            for columns in parts.values()
        ]
    )


def read_csv(source: bytes, separator: str, infer_schema: bool, encoding: str) -> DataFrame:
    """A small CSV with a header, all of whose rows have as many cells."""
    try:
        rows = list(csv.reader(io.StringIO(source.decode("utf-8", "replace")), delimiter=separator))
    except csv.Error as error:
        raise PolarsError(str(error)) from None
    if not rows or any(len(row) != len(rows[0]) for row in rows):
        raise PolarsError("rows of several lengths")
    return of_rows(told_apart(rows[0]), [[cell or None for cell in row] for row in rows[1:]])


def told_apart(header: Iterable[str]) -> list[str]:
    """Names of columns of which none occurs twice."""
    found: dict[str, None] = {}
    for name in header:
        number = 0
        called = name
        while called in found:
            called, number = f"{name}_duplicated_{number}", number + 1
        found[called] = None
    return list(found)


def of_rows(names: Sequence[str], rows: Sequence[Sequence[str | None]]) -> DataFrame:
    """Columns of text."""
    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    return DataFrame([Series(name, cells, String) for name, cells in zip(names, columns, strict=True)])


# --- expressions ------------------------------------------------------------------------------------------------------


class Expr:
    """What is to be done with columns, as it was written: kept, and done with the columns of a frame when these are known."""

    def __init__(
        self, picked: Callable[[DataFrame], list[Series]], steps: tuple[Callable[[Any], Any], ...] = ()
    ) -> None:
        self._picked, self._steps = picked, steps

    def __getattr__(self, name: str) -> Expr:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._then(_Names if name == "name" else lambda value: getattr(value, name))

    def __call__(self, *arguments: Any, **options: Any) -> Expr:
        return self._then(lambda method: method(*arguments, **options))

    def __invert__(self) -> Expr:
        return self._then(operator.invert)

    def __eq__(self, other: object) -> Expr:  # type: ignore[override]
        return self._then(lambda value: value == other)

    __hash__ = None  # type: ignore[assignment]

    def _then(self, step: Callable[[Any], Any]) -> Expr:
        return Expr(self._picked, (*self._steps, step))

    def of(self, frame: DataFrame) -> list[Series]:
        """The columns that it makes."""
        return [self._done(column) for column in self._picked(frame)]

    def _done(self, column: Series) -> Series:
        value: Any = column
        for step in self._steps:
            value = step(value)
            if value is None or isinstance(value, (bool, int, float)):  # of a whole column
                value = Series(column.name, [value], None if value is not None else column.dtype)
        return value  # type: ignore[no-any-return]


@dataclass(frozen=True)
class _Names:
    """Another name for what was made."""

    of: Series

    def prefix(self, before: str) -> Series:
        return self.of.rename(before + self.of.name)


def col(name: str) -> Expr:
    return Expr(lambda frame: [frame[name]])


def all() -> Expr:
    return Expr(list)


def all_horizontal(wanted: Expr) -> Expr:
    """Whether all columns of a row are true."""

    def both(frame: DataFrame) -> list[Series]:
        found = wanted.of(frame)
        truth = np.logical_and.reduce([column.data for column in found]) if found else np.ones(0, bool)
        return [Series("", truth)]

    return Expr(both)


selectors = SimpleNamespace(
    float=lambda: Expr(lambda frame: [column for column in frame if column.dtype.is_float()]),
    by_name=lambda names, require_all: Expr(lambda frame: [frame[name] for name in names if name in frame.columns]),
)
