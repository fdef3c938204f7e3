"""Counts missing values in batches of rows and in blocks of arrays, for the probe missing_values. No findings, no words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import isfinite, isinf, isnan
from typing import Any

import numpy as np

from ..readers.arrays import BLOCK, Array, read
from ..readers.frames import cs, pl

#: The usual words for "missing", compared without case and outer spaces.
WORDS = ("na", "n/a", "#n/a", "nan", "null", "none", "nil", "?", "-", "--", "<na>")
_CASES = {"".join(one) for word in WORDS for one in product(*({c.lower(), c.upper()} for c in word))}
#: The same as cells have them, also between spaces: a set is asked faster than cells are stripped and lowered.
_SPELLINGS = sorted(
    f"{before}{word}{after}" for word in _CASES for before in ("", " ", "  ") for after in ("", " ", "  ")
)
#: For is_in(): these and the empty text.
_ODD = pl.Series(["", *_SPELLINGS]).implode()
#: Rows shown of each kind, distinct texts remembered of each kind, values sampled of each column.
SHOWN, _TEXTS, _SAMPLE = 5, 20, 20_000
#: A column of text cells holds numbers when at least this share of its filled cells are numbers.
_NUMBERS = 0.9
#: An unconventional value is a sentinel only when it occurs at least this often.
_REPEATED = 5
#: Columns of a two-dimensional array are judged one by one up to this many.
_COLUMNS = 256

Numbers = np.ndarray[Any, Any]


@dataclass
class Field:
    """What was counted in one field. `cells` are the values looked at; kinds: null, nan, +inf, -inf, empty, marker, word,
    text (not a number in a column of numbers), sentinel; of lines blank, damaged, control; of shards absent. `first` holds row
    indexes from 0."""

    name: str
    numeric: bool | None = None
    text: bool = False
    cells: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    first: dict[str, list[int]] = field(default_factory=dict)
    texts: dict[str, Counter[str]] = field(default_factory=dict)
    sample: list[Numbers] = field(default_factory=list)
    extremes: dict[float, int] = field(default_factory=dict)
    spaced: bool = False
    examined: bool = True

    def note(self, kind: str, count: int, rows: Iterable[int], texts: Iterable[tuple[Any, int]] = ()) -> None:
        if not count:
            return
        self.counts[kind] += count
        shown = self.first.setdefault(kind, [])
        shown.extend(int(row) for row, _ in zip(rows, range(SHOWN - len(shown)), strict=False))
        said = self.texts.setdefault(kind, Counter())
        for text, times in texts:
            key = str(text)[:40]
            if key in said or len(said) < _TEXTS:
                said[key] += times

    def merge(self, other: Field) -> None:
        """Add what was counted in a later part of the same field."""
        self.cells += other.cells
        self.examined = self.examined and other.examined
        self.sample.extend(other.sample)
        for kind, count in other.counts.items():
            self.note(kind, count, other.first.get(kind, []), other.texts.get(kind, Counter()).items())

    def wants(self, end: float) -> bool:
        """Whether counting this end of a batch can tell anything new about the ends of the whole."""
        if end in self.extremes:
            return self.extremes[end] < _REPEATED
        return len(self.extremes) < 2 or not min(self.extremes) < end < max(self.extremes)

    def meet(self, end: float, count: int) -> None:
        """Remember how often the least and the greatest value of the whole occur, as far as it matters."""
        self.extremes[end] = self.extremes.get(end, 0) + count
        self.extremes = {end: self.extremes[end] for end in {min(self.extremes), max(self.extremes)}}


# --- unmarked sentinels -----------------------------------------------------------------------------------------------


def sentinels(values: Numbers, extremes: dict[float, int] | None = None) -> list[float]:
    """Values that rather stand for "missing": at most two at each end, each repeated and far off all the rest.

    `values`: a sample, any shape. `extremes`: least and greatest value of the whole with their counts. A value at an end
    counts when it is more than twice as far from its neighbour as the rest is wide. Conventional ones (-1, and all nines
    such as -99 or 9999) need less: a quarter of that width; negative nines only that nothing else is negative. Columns of
    fewer than 3 other values are never judged. Own rule, tried on the public tables named in the tests.
    """
    flat = values.astype(np.float64, copy=False).ravel()
    flat = flat[np.isfinite(flat)]
    distinct, counts = np.unique(flat, return_counts=True)
    if len(flat) < 20:
        return []
    for value, count in (extremes or {}).items():
        at = int(np.searchsorted(distinct, value))
        if at == len(distinct) or distinct[at] != value:
            distinct, counts = np.insert(distinct, at, value), np.insert(counts, at, 0)
        counts[at] = max(counts[at], min(count, _REPEATED))  # counted in the whole, so only that it is repeated
    total = int(counts.sum())
    best: list[float] = []
    for low in range(3):
        for high in range(3):
            ends = [*range(low), *range(len(distinct) - high, len(distinct))]
            core = distinct[low : len(distinct) - high]
            if len(ends) > len(best) and len(core) >= 3:
                apart = all(
                    _apart(float(distinct[end]), int(counts[end]) / total, int(counts[end]), core) for end in ends
                )
                if apart:
                    best = [float(distinct[end]) for end in ends]
    return best


def _may_be_apart(values: Numbers, least: float, most: float) -> bool:
    """Whether sentinels() might find something in a column that begins with `values` and lies between these ends; more is
    allowed than there."""
    if values.dtype.kind in "iu" and most - least <= 2:
        return False  # three values at most
    distinct = np.unique(np.append(values[np.isfinite(values)], (least, most)))
    if len(distinct) < 3:
        return least != most
    for low in range(3):
        for high in range(3):
            core = distinct[low : len(distinct) - high]
            for end in (*distinct[:low], *distinct[len(distinct) - high :]):
                if len(core) > 1 and (
                    _apart(float(end), 0.0, _REPEATED, core)
                    or max(core[0] - end, end - core[-1]) > 2 * (core[-1] - core[0])
                ):
                    return True
    return False


def _is_nines(value: float) -> bool:
    """Whether a number is written with nines only, at least two of them."""
    return 99 <= value < 1e9 and value == int(value) and set(str(int(value))) == {"9"}


def _apart(value: float, share: float, count: int, core: Numbers) -> bool:
    least, most = float(core[0]), float(core[-1])
    width = most - least
    gap = max(least - value, value - most)
    nines = _is_nines(abs(value))
    many = len(core) >= 10
    if count >= 3 and nines and value < 0 and least >= 0:
        return True
    if count >= 3 and (nines or (value == -1 and least >= 0)):
        return gap >= width / 4 if many else nines and gap >= 10 * width
    return many and count >= _REPEATED and share < 0.5 and gap > 2 * width


# --- tables -----------------------------------------------------------------------------------------------------------

#: A glance tells its progress after so many cells, but not before so many rows: a file is cheaper to read in long parts.
_GLANCED_CELLS, _GLANCED_ROWS = 40_000_000, 500_000


def glance(frame: pl.LazyFrame, markers: Iterable[str], fields: dict[str, Field]) -> Iterator[int]:
    """Put the columns into `fields` that plain counting settles, all in one query: no words for missing, no sentinels, nothing
    declared, nothing nested. The others are for Table. Yields the rows that have been read.
    """
    schema = frame.collect_schema()
    asked = {
        name: kinds for name, dtype in schema.items() if name not in markers and (kinds := _plain_tests(name, dtype))
    }
    numeric = [name for name in asked if schema[name].is_integer() or schema[name].is_float()]
    wanted = [
        *(test.sum().alias(f"{kind}:{name}") for name, kinds in asked.items() for kind, test in kinds.items()),
        *(pl.col(name).min().alias(f"min:{name}") for name in numeric),
        *(pl.col(name).max().alias(f"max:{name}") for name in numeric),
        pl.len().alias("rows:"),
    ]
    step = max(_GLANCED_ROWS, _GLANCED_CELLS // max(1, len(schema)))
    answers: dict[str, list[Any]] = {}
    start = 0
    while True:
        row = frame.slice(start, step).select(wanted).collect(engine="streaming").row(0, named=True)
        start += row["rows:"]
        for key, value in row.items():
            answers.setdefault(key, []).append(value)
        yield start
        if row["rows:"] < step:
            break
    head = frame.select(numeric).head(_SAMPLE).collect(engine="streaming")
    for name, kinds in asked.items():
        counts = Counter({kind: sum(answers[f"{kind}:{name}"]) for kind in kinds})
        if counts["odd"] or counts["+inf"] or counts["-inf"]:
            continue
        if name in numeric:
            ends = _known_numbers([*answers[f"min:{name}"], *answers[f"max:{name}"]])
            if ends and _may_be_apart(head[name].drop_nulls().to_numpy(), min(ends), max(ends)):
                continue
        known = Field(name, numeric=name in numeric, text=schema[name] == pl.String, cells=start)
        for kind, test in kinds.items():
            if counts[kind]:
                places = frame.select(name).with_row_index(f"row of {name}").filter(test).head(SHOWN)
                known.note(kind, counts[kind], places.collect(engine="streaming").to_series())
        fields[name] = known


def _plain_tests(name: str, dtype: pl.DataType) -> dict[str, pl.Expr]:
    """What plain counting asks of the cells of a column, by kind; empty where counting does not settle such a column."""
    if dtype.is_nested() or dtype.is_decimal() or dtype in (pl.Binary, pl.Categorical, pl.Enum, pl.Null):
        return {}
    column = pl.col(name)
    tests = {"null": column.is_null()}
    if dtype.is_float():
        tests |= {"nan": column.is_nan(), "+inf": column == np.inf, "-inf": column == -np.inf}
    elif dtype == pl.String:
        tests["odd"] = column.is_in(_ODD)
    return tests


def _known_numbers(numbers: Iterable[Any]) -> list[float]:
    """Those that are neither missing nor NaN."""
    return [float(number) for number in numbers if number is not None and number == number]


class Table:
    """Counts over the batches of one table. `text`: every cell is text (CSV), and columns of numbers are to be recognised."""

    def __init__(self, markers: dict[str, list[Any]], text: bool, rows: int) -> None:
        self.fields: dict[str, Field] = {}
        self.rows = 0
        self._markers, self._text = markers, text
        self._every = max(1, rows // _SAMPLE)

    def add(self, batch: pl.DataFrame) -> None:
        batch = _unnested(batch)
        for name in batch.columns:
            column = batch[name]
            known = self.fields.setdefault(name, Field(name))
            if known.cells == 0 and self.rows:  # a key that appears late in NDJSON was null until then
                known.cells += self.rows
                known.note("null", self.rows, range(min(self.rows, SHOWN)))
            known.cells += batch.height
            if known.numeric is None:
                self._decide(known, column)
                known.text = column.dtype == pl.String and not known.numeric
        for name in self.fields.keys() - set(batch.columns):
            gone = self.fields[name]
            gone.cells += batch.height
            gone.note("null", batch.height, range(self.rows, self.rows + min(batch.height, SHOWN)))
        numeric = [name for name in batch.columns if self.fields[name].numeric]
        schema = batch.schema
        text = [name for name in batch.columns if not self.fields[name].numeric and schema[name] == pl.String]
        self._add_numbers(batch, numeric)
        self._add_text(batch, text)
        for name in batch.columns:
            if name not in numeric and name not in text:
                self._add_other(self.fields[name], batch[name])
        self.rows += batch.height

    def _decide(self, known: Field, column: pl.Series) -> None:
        if column.dtype != pl.String or not self._text:
            known.numeric = column.dtype.is_numeric() or (None if column.dtype == pl.Null else False)
            return
        filled = column.head(100_000).drop_nulls().str.strip_chars()
        # only whole batches of nothing leave it open
        filled = filled.filter(~filled.is_in(_ODD))
        if len(filled):
            known.numeric = filled.cast(pl.Float64, strict=False).drop_nulls().len() >= _NUMBERS * len(filled)
        known.spaced = bool(column.head(1000).str.contains(r"^\s|\s$").any())

    def _cells(self, name: str) -> pl.Expr:
        return pl.col(name).str.strip_chars() if self.fields[name].spaced else pl.col(name)

    def _as_number(self, name: str, dtype: pl.DataType) -> pl.Expr:
        if dtype.is_integer() or dtype.is_float():
            return pl.col(name)
        cells = self._cells(name) if dtype == pl.String else pl.col(name)
        return cells.cast(pl.Float64, strict=False)

    def _add_numbers(self, batch: pl.DataFrame, names: Sequence[str]) -> None:
        if not names:
            return
        numbers = batch.select(self._as_number(name, batch.schema[name]) for name in names)
        every = pl.all()
        parts = numbers.select(
            cs.float().sum().name.prefix("sum:"),  # not finite when any of them is not, and faster than to ask each
            every.min().name.prefix("min:"),
            every.max().name.prefix("max:"),
        ).row(0, named=True)
        for name in names:
            known, column, values = self.fields[name], batch[name], numbers[name]
            drawn = values.gather_every(self._every).drop_nulls().cast(pl.Float64).to_numpy()
            if markers := _as_numbers(self._markers.get(name, [])):
                values = values.cast(pl.Float64)
                self._note(known, "marker", values.is_in(markers), values)
                drawn = drawn[~np.isin(drawn, markers)]
            known.sample.append(drawn)
            empty = column.null_count()
            if empty:
                self._note_null(known, column)
            if values.null_count() > empty:
                self._add_unparsed(known, column, column.is_not_null() & values.is_null())
            if not isfinite(parts.get("sum:" + name, 0.0)):
                self._note(known, "nan", values.is_nan())
            least, most = parts["min:" + name], parts["max:" + name]
            if least is None or isnan(least):
                continue
            if isinf(least) or isinf(most):
                self._note(known, "+inf", values == np.inf)
                self._note(known, "-inf", values == -np.inf)
                values = values.filter(values.is_finite())
                least, most = values.min(), values.max()
            for end in {least, most} - {None, *markers}:
                if known.wants(end):
                    known.meet(end, int((values == end).sum()))

    def _add_unparsed(self, known: Field, column: pl.Series, odd: pl.Series) -> None:
        """Cells of a column of numbers that are none: blanks, the usual words, declared markers, or other text."""
        rows = odd.arg_true() + self.rows
        said = column.filter(odd).cast(pl.String).str.strip_chars()
        markers = {str(marker) for marker in self._markers.get(known.name, [])}
        for text, count in (
            said.rename("text").value_counts().sort("count", "text", descending=[True, False]).iter_rows()
        ):
            if text in markers:
                kind = "marker"
            elif not text:
                kind = "empty"
            elif text.lower() in WORDS:
                kind = "word"
            elif _is_number(text):  # with spaces around it
                continue
            else:
                kind = "text"
            full = len(known.first.get(kind, ())) >= SHOWN
            known.note(kind, count, [] if full else rows.filter(said == text).head(SHOWN), [(text, count)])

    def _add_text(self, batch: pl.DataFrame, names: Sequence[str]) -> None:
        if not names:
            return
        odd = batch.select(self._cells(name).is_in(_ODD) for name in names)
        for name in names:
            known, column = self.fields[name], batch[name]
            if column.null_count():
                self._note_null(known, column)
            if markers := [str(marker) for marker in self._markers.get(name, [])]:
                marked = column.str.strip_chars().is_in(markers)
                self._note(known, "marker", marked, column)
                column = column.set(marked.fill_null(False), None)
            rows = odd[name].arg_true()
            if len(rows):
                said = column.gather(rows)
                blank = said.str.strip_chars() == ""
                if not self._text:
                    self._note_at(known, "empty", blank, rows + self.rows)
                self._note_at(known, "word", ~blank, rows + self.rows, said)

    def _add_other(self, known: Field, column: pl.Series) -> None:
        """Dates, truth values, bytes: nulls. Lists: also what is in them."""
        if column.null_count():
            self._note(known, "null", column.is_null())
        if column.dtype == pl.Binary:
            self._note(known, "empty", column.bin.size() == 0)
        if isinstance(column.dtype, pl.List) and column.dtype.inner.is_float():
            filled = (column.list.len() > 0).fill_null(False)
            values = (column if filled.all() else column.filter(filled)).explode()
            if not values.null_count() and values.is_finite().all():  # the usual case: no need to know whose they are
                known.cells += len(values)
                return
        rows = pl.Series("row", np.arange(self.rows, self.rows + len(column)))
        while isinstance(column.dtype, (pl.List, pl.Array)):
            if isinstance(column.dtype, pl.Array):
                column = column.arr.to_list()
            filled = (column.list.len() > 0).fill_null(False)
            flat = pl.DataFrame([rows.alias("row"), column.alias("value")]).filter(filled).explode("value")
            rows, column = flat["row"], flat["value"]
            known.cells += len(column)
            self._note_at(known, "null", column.is_null(), rows)
        if column.dtype.is_float():
            self._note_at(known, "nan", column.is_nan(), rows)
            self._note_at(known, "+inf", column == np.inf, rows)
            self._note_at(known, "-inf", column == -np.inf, rows)

    def _note_null(self, known: Field, column: pl.Series) -> None:
        kind = "empty" if self._text else "null"
        full = len(known.first.get(kind, ())) >= SHOWN
        rows = [] if full else column.is_null().arg_true().head(SHOWN) + self.rows
        known.note(kind, column.null_count(), rows)

    def _note(self, known: Field, kind: str, found: pl.Series, texts: pl.Series | None = None) -> None:
        count = int(found.sum() or 0)
        if count:
            full = len(known.first.get(kind, [])) >= SHOWN
            rows = [] if full else (found.arg_true().head(SHOWN) + self.rows).to_list()
            known.note(kind, count, rows, () if texts is None else _tally(texts.filter(found)))

    def _note_at(
        self, known: Field, kind: str, found: pl.Series, rows: pl.Series, texts: pl.Series | None = None
    ) -> None:
        found = found.fill_null(False)
        if count := int(found.sum()):
            said = () if texts is None else _tally(texts.filter(found))
            known.note(kind, count, rows.filter(found).head(SHOWN).to_list(), said)

    def sentinels(self) -> dict[str, list[float]]:
        """Candidates by field, for a second pass with `find`."""
        found = {}
        for name, known in self.fields.items():
            if known.numeric and known.sample and (values := sentinels(np.concatenate(known.sample), known.extremes)):
                found[name] = values
        return found

    def find(self, batch: pl.DataFrame, start: int, wanted: dict[str, list[float]]) -> None:
        """Count the cells that equal a sentinel."""
        for name, values in wanted.items():
            if name in batch.columns:
                cells = self._cells(name) if batch.schema[name] == pl.String else pl.col(name)
                numbers = batch.select(cells.cast(pl.Float64, strict=False)).to_series()
                found = numbers.is_in(values).fill_null(False)
                if found.any():
                    rows = (found.arg_true().head(SHOWN) + start).to_list()
                    self.fields[name].note("sentinel", int(found.sum()), rows, _tally(numbers.filter(found)))


class LineCounts(Table):
    """Counts over lines of text: blank ones in place of empty cells, and damage. Words and numbers are told as in a CSV."""

    def add(self, batch: pl.DataFrame) -> None:
        before = {name: (known.counts.copy(), dict(known.first)) for name, known in self.fields.items()}
        super().add(batch)
        self.rows -= batch.height
        blank = batch.select(pl.all_horizontal(pl.all().is_null())).to_series()
        if count := int(blank.sum()):  # gaps of no column, but of the file
            places = set((blank.arg_true() + self.rows).to_list())
            for name, known in self.fields.items():
                counts, first = before.get(name, (Counter(), {}))
                for kind in ("empty", "null"):
                    if known.counts[kind] > counts[kind]:
                        known.counts += Counter({kind: -count})  # which drops what becomes zero
                        shown = [row for row in known.first.get(kind, []) if row not in places]
                        known.first[kind] = shown or first.get(kind, [])
        name = "text" if "text" in batch.columns else "file"
        known, text = self.fields[name], batch[name]
        self._note(known, "blank", blank)
        self._note(known, "damaged", text.str.contains("\ufffd", literal=True))
        self._note(known, "control", text.str.contains(r"[\x00-\x08\x0e-\x1f\x7f]"))
        self.rows += batch.height

    def _decide(self, known: Field, column: pl.Series) -> None:
        super()._decide(known, column)
        known.numeric = known.numeric and known.name == "label"  # a line of digits is a text all the same


def _unnested(batch: pl.DataFrame) -> pl.DataFrame:
    """Structs as columns named a.b, so that a null within is a null of its own field."""
    while structs := [name for name, dtype in batch.schema.items() if isinstance(dtype, pl.Struct)]:
        for name in structs:
            parts = batch[name].struct.unnest()
            batch = batch.drop(name).hstack([part.alias(f"{name}.{part.name}") for part in parts])
    if coded := [name for name, dtype in batch.schema.items() if isinstance(dtype, (pl.Categorical, pl.Enum))]:
        batch = batch.with_columns(pl.col(coded).cast(pl.String))
    return batch


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _as_numbers(markers: Iterable[Any]) -> list[float]:
    numbers = []
    for marker in markers:
        try:
            numbers.append(float(marker))
        except (TypeError, ValueError):
            continue
    return numbers


def _tally(values: pl.Series) -> list[tuple[Any, int]]:
    counted = values.rename("value").value_counts().sort("count", "value", descending=[True, False]).head(_TEXTS)
    shown = [f"{value:g}" if isinstance(value, float) else value for value in counted["value"]]
    return list(zip(shown, counted["count"].to_list(), strict=True))


# --- arrays -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Part:
    """The elements of an array from `start` to `stop`; the first `sampled` of them go into the sample."""

    array: Array
    start: int
    stop: int
    sampled: int
    markers: dict[str, list[Any]]


def parts(array: Array, markers: dict[str, list[Any]], size: int = 32 << 20) -> list[Part]:
    """Cut an array into parts of about `size` bytes; one part when it cannot be read from the middle."""
    count = array.size
    step = max(1, size // max(1, array.dtype.itemsize)) if array.offset is not None else max(1, count)
    if array.shape and not array.fortran and count:
        row = count // array.shape[0]
        step = max(1, step // row) * row  # whole rows, so that a sample has whole rows
    starts = range(0, count, step)
    sampled = max(4096, (1 << 18) // max(1, len(starts)))
    return [Part(array, start, min(start + step, count), sampled, markers) for start in starts]


def leaves(dtype: np.dtype[Any], name: str) -> list[tuple[str, tuple[str, ...], np.dtype[Any]]]:
    """The plain fields of a dtype: name, path of field names, base type."""
    base = dtype.base
    if base.names is None:
        return [(name, (), base)]
    found = []
    for child in base.names:
        for label, path, kind in leaves(base[child], f"{name}.{child}"):
            found.append((label, (child, *path), kind))
    return found


def _fields(part: Part) -> list[tuple[Field, tuple[str, ...], np.dtype[Any], list[Any]]]:
    """Each leaf of a dtype: what is counted of it, the way to it, its own dtype, and the markers of missing values."""
    fields = []
    for name, path, kind in leaves(part.array.dtype, part.array.name):
        known = Field(name, numeric=kind.kind in "iufcmM", text=kind.kind in "US", examined=kind.kind not in "OV")
        fields.append((known, path, kind, part.markers.get(".".join(path) or part.array.name, [])))
    return fields


def _leaf(block: np.ndarray[Any, Any], path: Iterable[str]) -> np.ndarray[Any, Any]:
    for step in path:
        block = block[step]
    return block


def count_part(part: Part) -> list[Field]:
    """Count one part of an array, every leaf of its dtype. Flat memory: one block of values and one mask."""
    array = part.array
    fields = _fields(part)
    if array.dtype.hasobject:
        return [known for known, *_ in fields]
    # integers can hold neither NaN nor Inf: where the file can be read from the middle, a sample is enough
    sample_only = array.offset is not None and all(k.kind in "iub" and not m for _, _, k, m in fields)
    stop = min(part.stop, part.start + part.sampled) if sample_only else part.stop
    mask = np.empty(0, bool)
    for start, block in read(array, part.start, stop):
        for known, path, kind, markers in fields:
            values = _leaf(block, path)
            per = max(1, values.size // max(1, len(block)))
            values = values.reshape(-1)
            if len(mask) < values.size:
                mask = np.empty(values.size, bool)
            known.cells += values.size
            _count_values(known, array, values, kind, mask[: values.size], start, per, markers)
            if kind.kind in "iuf" and (drawn := _drawn(part, values, start, per)) is not None:
                known.sample.append(drawn)
    for known, *_ in fields:
        if sample_only:
            known.cells = part.stop - part.start
    return [known for known, *_ in fields]


def _drawn(part: Part, values: Numbers, start: int, per: int) -> Numbers | None:
    """What of a block goes into the sample: the front of a part; of a part that is a whole archive member, some of 64 blocks."""
    if part.array.offset is not None:
        room = part.sampled - (start - part.start)
        return values[: room * per].copy() if room > 0 else None
    whole = max(1, BLOCK // part.array.dtype.itemsize)
    if (start // whole) % max(1, part.array.size // whole // 64):
        return None
    shape = part.array.shape
    width = shape[1] if len(shape) == 2 and per == 1 else 1
    aligned = values[-start % width :]
    return aligned[: max(1, 4096 // width) * width].copy()


def _count_values(
    known: Field,
    array: Array,
    values: Numbers,
    kind: np.dtype[Any],
    mask: Numbers,
    start: int,
    per: int,
    markers: list[Any],
) -> None:
    def note(label: str, found: Numbers, each: int = per) -> None:
        positions = np.flatnonzero(found)
        rows = [array.row(start + int(position) // each) for position in positions[:SHOWN]]
        known.note(label, len(positions), rows)

    if kind.kind == "f":
        np.isfinite(values, out=mask)
        if not mask.all():
            note("nan", np.isnan(values))
            note("+inf", values == np.inf)
            note("-inf", values == -np.inf)
    elif kind.kind == "c":
        halves = np.ascontiguousarray(values).view(kind.type(0).real.dtype)
        if not np.isfinite(halves).all():
            note("nan", np.isnan(halves), 2 * per)
            note("+inf", halves == np.inf, 2 * per)
            note("-inf", halves == -np.inf, 2 * per)
    elif kind.kind in "mM":
        note("null", np.isnat(values))
    elif kind.kind in "US":
        note("empty", values == values.dtype.type())
        words = [word.encode() if kind.kind == "S" else word for word in _SPELLINGS]
        note("word", np.isin(values, np.array(words)))
    if markers and kind.kind in "iuf":
        note("marker", np.isin(values, _as_numbers(markers)))
    elif markers and kind.kind in "US":
        note("marker", np.isin(values.astype(str), [str(marker) for marker in markers]))


def array_sentinels(array: Array, known: Field, markers: list[Any]) -> dict[int | None, list[float]]:
    """Candidates by column of a two-dimensional array (C order, up to 256 columns), else of the whole under None."""
    if not known.sample:
        return {}
    flat = np.concatenate(known.sample)
    declared = _as_numbers(markers)
    table = len(array.shape) == 2 and 1 < array.shape[1] <= _COLUMNS and not array.fortran and array.dtype.names is None
    columns: dict[int | None, Numbers] = {None: flat}
    if table:
        width = array.shape[1]
        whole = flat[: len(flat) // width * width].reshape(-1, width)
        columns = {index: whole[:, index] for index in range(width)}
    found = {}
    for index, values in columns.items():
        if candidates := sentinels(values[~np.isin(values, declared)]):
            found[index] = candidates
    return found


def find_part(part: Part, path: tuple[str, ...], wanted: dict[int | None, list[float]]) -> dict[int | None, Field]:
    """Count the elements of one part that equal a sentinel, by column."""
    array = part.array
    found = {index: Field("", numeric=True) for index in wanted}
    for start, block in read(array, part.start, part.stop):
        values = block
        for step in path:
            values = values[step]
        per = max(1, values.size // max(1, len(block)))
        values = values.reshape(-1)
        for index, targets in wanted.items():
            known = found[index]
            for target in targets:
                positions = np.flatnonzero(values == values.dtype.type(target))
                if index is not None:
                    positions = positions[(positions + start) % array.shape[1] == index]
                rows = [array.row(start + int(position) // per) for position in positions[:SHOWN]]
                known.note("sentinel", len(positions), rows, [(f"{target:g}", len(positions))])
    return found
