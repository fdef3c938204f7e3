"""CSV, TSV, Parquet, JSON and lines of text as batches of polars rows in bounded memory. CSV cells come as text, None when empty."""

from __future__ import annotations

import codecs
import csv
import json
import shutil
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

import msgspec
import numpy as np

from ..errors import ReadError, from_os_error
from ..lacking import requirement
from ..store import scratch
from . import light_tables
from .frames import WHOLE, pl

#: Bytes of a file that settle separator, header and encoding.
_SAMPLE = 1 << 16
#: Bytes of a file that is read at once.
_SMALL = 16 << 20
#: What one batch holds: at most this many rows, and about this many bytes.
_ROWS, _BYTES = 200_000, 48 << 20
#: A single field or JSON line beyond this is refused by the slow paths (they hold a line in memory).
_LONGEST = 64 << 20
#: Columns of a CSV: each is asked for by itself, so that more take minutes and all memory.
_WIDEST = 20_000
#: Rows of a CSV that tell which columns hold numbers, of NDJSON that tell keys and types.
_HEAD = 10_000
#: A larger JSON array is refused: it is held in memory, in which JSON Lines need not be.
_LONGEST_ARRAY = 2 << 30


class RereadNeeded(Exception):
    """The reader met something odd: read again from the start in the next of MODES, which copes with it or says what it is."""


#: How a table is read. fast: columns of a CSV whose head holds only numbers come as numbers (a third faster); text: all
#: cells of a CSV as text; careful: encodings, ragged rows and broken lines are looked for with the file read more than once.
MODES = ("fast", "text", "careful")


@dataclass(frozen=True)
class Csv:
    """How a CSV file is written. `header` is None when the first row holds values; columns are then column_0, ..."""

    path: Path
    separator: str
    quote: str | None
    header: list[str] | None
    columns: int
    row_bytes: float


def batches(path: Path, kind: str, mode: str = MODES[-1], without: Collection[str] = ()) -> Iterator[pl.DataFrame]:
    """The rows of a file of a kind of detect.TABLES in batches; of Parquet `without` some columns.

    Raises SecondLook (never in the last of MODES) or ReadError: truncated, malformed, ragged, encoding, empty.
    """
    reader = {"csv": _csv, "ndjson": _ndjson, "jsonarray": _json_array, "text": _text}
    if not WHOLE:  # there is one way to read, which is also the careful one
        reader |= {"ndjson": lambda path, _: _slow_ndjson(path)}
    with _reading(path) as name:
        if kind == "parquet":
            with _queried(name):
                frame = _parquet(name).drop(without)
                yield from _collect(frame, _rows_together(frame))
        else:
            if kind != "jsonarray":
                _bound_lines(name)
            yield from reader[kind](name, mode)


@contextmanager
def columns(path: Path) -> Iterator[pl.LazyFrame]:
    """A Parquet file, for queries that read columns and not rows. Raises ReadError, also for what goes wrong in a query."""
    with _reading(path) as name, _queried(name):
        yield _parquet(name)


@contextmanager
def _reading(path: Path) -> Iterator[Path]:
    """A name for `path` that polars takes; errors say `path`."""
    try:
        with _named(path) as name:
            yield name
    except OSError as error:
        raise from_os_error(error, path) from None
    except ReadError as error:
        error.data["path"] = str(path)
        raise


@contextmanager
def _named(path: Path) -> Iterator[Path]:
    """`path`, or a link to it with a name that polars takes: it refuses names that are not UTF-8."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        with scratch() as folder:
            link = Path(folder, "table")
            link.symlink_to(path.absolute())
            yield link
    else:
        yield path


def _source(path: Path) -> Path | bytes:
    """What polars is given. It maps files into memory, and a file cut short meanwhile would end the process: what is small, as
    files that are being written are, is read at once."""
    if path.stat().st_size > _SMALL:
        return path
    return path.read_bytes()


def _bound_lines(path: Path) -> None:
    """Refuse a line beyond _LONGEST, which all readers hold in memory several times. Reads little: where a line ends near each multiple
    of that length, none is twice as long."""
    size = path.stat().st_size
    with path.open("rb") as file:
        for begin in range(0, size - _LONGEST, _LONGEST):
            file.seek(begin)
            seen = 0
            while (block := file.read(_SAMPLE)) and not (b"\n" in block or b"\r" in block):
                seen += len(block)
                if seen >= _LONGEST:
                    raise ReadError("long-line", path=str(path), offset=begin, limit=_LONGEST)


def expected_rows(path: Path, kind: str) -> int:
    """About how many rows a file has, at least 1: but for Parquet from the length of its first lines."""
    try:
        if kind == "parquet" and WHOLE:
            with _named(path) as name:
                return max(1, int(pl.scan_parquet(_source(name), glob=False).select(pl.len()).collect().item()))
        with path.open("rb") as file:
            head = file.read(_SAMPLE)
            size = file.seek(0, 2)
    except OSError as error:
        raise from_os_error(error, path) from None
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return 1  # reading it will say what is wrong
    return max(1, int(size / max(1, len(head)) * head.count(b"\n")))


def _collect(frame: pl.LazyFrame, rows: int) -> Iterator[pl.DataFrame]:
    """Batches of the streaming engine; a panic of the decoder (hostile bytes) counts as a refusal."""
    try:
        yield from frame.collect_batches(chunk_size=rows, engine="streaming")
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise RereadNeeded(str(error)[:500]) from None


def _rows_together(frame: pl.LazyFrame) -> int:
    """How many rows make a batch, by the size of the first ones."""
    head = frame.head(1000).collect()
    return max(1000, min(_ROWS, int(_BYTES * max(1, head.height) / max(1, head.estimated_size()))))


# --- CSV --------------------------------------------------------------------------------------------------------------


def _csv(path: Path, mode: str) -> Iterator[pl.DataFrame]:
    with path.open("rb") as file:
        head = file.read(_SAMPLE)
    if not head:
        raise ReadError("empty", path=str(path))
    wide = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if not wide and b"\0" in head:
        raise ReadError("malformed", path=str(path), format="CSV", offset=head.index(b"\0"), expected="text, not NUL")
    lone_returns = b"\r" in head and b"\n" not in head
    encoding = "utf-16" if wide else _encoding(path) if mode == "careful" else "utf-8"
    if encoding == "utf-8" and not lone_returns:
        yield from _plain_csv(path, sniff(path), mode)
    else:
        with _as_utf8(path, encoding) as copy:
            yield from _plain_csv(path, sniff(copy), "careful")


def _plain_csv(path: Path, layout: Csv, mode: str) -> Iterator[pl.DataFrame]:
    """A CSV in UTF-8; `path` is the name for errors, `layout.path` what is read."""
    if mode == "careful":
        _refuse_ragged(path, layout)
    rows = max(16, min(_ROWS, int(_BYTES / layout.row_bytes)))
    if not WHOLE:
        try:
            yield from _without_tail_of_one(layout, light_tables.rows(layout, rows))
        except light_tables.Odd as error:
            if mode != "careful":
                raise RereadNeeded from None
            raise ReadError("malformed", path=str(path), format="CSV", offset=0, expected=_what(error)) from None
        return
    frame = _scan(layout)
    if mode == "fast" and (numbers := _numbers(frame, min(rows, _HEAD))):
        # without ignore_errors: whatever is neither empty nor a number ends this look
        frame = _scan(layout, schema_overrides=dict.fromkeys(numbers, pl.Float64))
    blank: int | None = None
    try:
        for batch in _without_tail_of_one(layout, _collect(frame, rows)):
            # polars fills short rows and blank lines with nulls: neither may pass for empty cells
            if batch.width > 1 and batch.to_series(-1).null_count():
                if blank is None:
                    short, blank = _odd_lines(layout)
                    if short and mode != "careful":
                        raise RereadNeeded
                if blank:
                    batch = batch.filter(~pl.all_horizontal(pl.all().is_null()))
            yield batch
    except RereadNeeded as error:
        if mode == "careful":
            raise ReadError("malformed", path=str(path), format="CSV", offset=0, expected=_what(error)) from None
        raise


def _without_tail_of_one(layout: Csv, found: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """A single column without the blank lines at its end; others within it may well be missing values."""
    if layout.columns > 1:
        yield from found
        return
    last: pl.DataFrame | None = None
    for batch in found:
        if last is not None:
            yield last
        last = batch
    if last is not None:
        filled = last.to_series().is_not_null().arg_true()
        yield last.head(int(filled[-1]) + 1 if len(filled) else 0)


def _scan(layout: Csv, **options: Any) -> pl.LazyFrame:
    return pl.scan_csv(
        _source(layout.path),
        separator=layout.separator,
        quote_char=layout.quote,
        has_header=layout.header is not None,
        new_columns=None if layout.header is not None else [f"column_{i}" for i in range(layout.columns)],
        infer_schema=False,
        glob=False,
        **options,
    )


def _numbers(frame: pl.LazyFrame, rows: int) -> list[str]:
    """The columns in whose first rows every filled cell is a number."""
    try:
        head = frame.head(rows).collect()
        numbers = head.select(pl.all().cast(pl.Float64, strict=False).null_count() == pl.all().null_count())
        return [n for n in head.columns if numbers[n][0] and head[n].null_count() < len(head)]
    except pl.exceptions.PolarsError:
        return []


def _what(error: Exception) -> str:
    return (str(error).splitlines() or ["?"])[0][:200]


def sniff(path: Path) -> Csv:
    """Separator, quoting and header of a CSV in UTF-8 (or any encoding that contains ASCII), from its first 64 kB."""
    with path.open("rb") as file:
        head = file.read(_SAMPLE)
        whole = len(head) < _SAMPLE
        if b"\n" not in head:
            head += file.readline(_LONGEST)  # a wide table
    csv.field_size_limit(_LONGEST)  # with another separator a line is one field
    head = head.removeprefix(codecs.BOM_UTF8)
    lines = [line for line in head.decode("utf-8", "replace").splitlines() if line.strip()]
    if len(lines) > 1 and not whole:
        lines.pop()
    if not lines:
        raise ReadError("empty", path=str(path))
    tab = path.suffix.lower() in (".tsv", ".tab")
    separator = max("\t,;|" if tab else ",;\t|", key=lambda s: _regularity(lines[:200], s))
    literal = separator == "\t" and any(line.count('"') % 2 for line in lines)
    quote = None if literal else '"'
    first = next(csv.reader(lines, delimiter=separator, quoting=csv.QUOTE_NONE if literal else csv.QUOTE_MINIMAL))
    if len(first) > _WIDEST:
        raise ReadError("wide", path=str(path), found=len(first), limit=_WIDEST)
    row_bytes = max(1.0, sum(len(line) + 1 for line in lines) / len(lines))
    return Csv(path, separator, quote, first if _is_header(first) else None, len(first), row_bytes)


def _regularity(lines: list[str], separator: str) -> float:
    """How well a separator explains the lines: 0 when it is absent from the first, most when every row has as many."""
    counts = [len(row) for row in csv.reader(lines, delimiter=separator)]
    if counts[0] < 2:
        return 0.0
    return sum(count == counts[0] for count in counts) / len(counts) + min(counts[0], 100) / 1000


def _is_header(row: list[str]) -> bool:
    """Names, or numbers that only count columns (0,1,2,... or 1,2,3,...), as pandas writes them: behind blank cells of an index,
    or, where there are enough to be no chance, among names."""
    cells = [cell.strip() for cell in row]
    numbers = [cell for cell in cells if _is_number(cell)]
    if not numbers:
        return True
    counted = numbers in ([str(i) for i in range(len(numbers))], [str(i + 1) for i in range(len(numbers))])
    return counted and len(cells) > 1 and (len(numbers) > 2 or not any(cells[: -len(numbers)]))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text.lower().lstrip("+-") not in ("nan", "inf", "infinity")


def _odd_lines(layout: Csv) -> tuple[int, int]:
    """Lines with too few separators, and blank lines. Lines with quotes are left to the row reader."""
    source = pl.scan_csv(
        _source(layout.path),
        separator="\x01",
        quote_char=None,
        has_header=False,
        new_columns=["line"],
        infer_schema=False,
        glob=False,
    )
    line = pl.col("line").fill_null("")
    blank = line.str.strip_chars() == ""
    few = line.str.count_matches(layout.separator, literal=True) < layout.columns - 1
    plain = ~line.str.contains('"', literal=True) if layout.quote else pl.lit(True)
    try:
        counted = source.select(short=(few & plain & ~blank).sum(), blank=blank.sum()).collect(engine="streaming")
    except pl.exceptions.PolarsError:
        return 1, 0  # the row reader will say more
    return int(counted["short"][0]), int(counted["blank"][0])


def _refuse_ragged(path: Path, layout: Csv) -> None:
    """Raise ReadError at the first row that has not as many fields as the first."""
    csv.field_size_limit(_LONGEST)
    with layout.path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        rows = csv.reader(
            file, delimiter=layout.separator, quoting=csv.QUOTE_MINIMAL if layout.quote else csv.QUOTE_NONE
        )
        try:
            for row in rows:
                if row and len(row) != layout.columns:
                    raise ReadError(
                        "ragged", path=str(path), line=rows.line_num, found=len(row), expected=layout.columns
                    )
        except csv.Error as error:
            raise ReadError("malformed", path=str(path), format="CSV", offset=0, expected=_what(error)) from None


def _encoding(path: Path) -> str:
    """utf-8, gb18030 or latin-1, from every line. Raises ReadError when lines of UTF-8 and of something else are mixed.

    Latin-1 stands for any other encoding that contains ASCII: the separators and the words looked for are ASCII.
    """
    chinese, proper, wrong, offset = True, False, -1, 0
    with path.open("rb") as file:
        while line := file.readline(_LONGEST):
            if not line.isascii():
                try:
                    text = line.decode("utf-8")
                    # two-byte sequences of UTF-8 are also common in GBK; longer ones are not
                    proper = proper or any(character > "\u07ff" for character in text.lstrip("\ufeff"))
                except UnicodeDecodeError as error:
                    if wrong < 0:
                        wrong = offset + error.start
                if chinese:
                    try:
                        line.decode("gb18030")
                    except UnicodeDecodeError:
                        chinese = False
            offset += len(line)
    if wrong < 0:
        return "utf-8"
    if proper:
        raise ReadError("encoding", path=str(path), offset=wrong, expected="UTF-8")
    return "gb18030" if chinese else "latin-1"


@contextmanager
def _as_utf8(path: Path, encoding: str) -> Iterator[Path]:
    """A temporary copy in UTF-8 with plain line feeds, removed afterwards."""
    with scratch() as folder:
        copy = Path(folder, path.name)
        try:
            with (
                path.open(encoding=encoding, newline=None) as source,
                copy.open("w", encoding="utf-8", newline="") as target,
            ):
                shutil.copyfileobj(source, target, 1 << 20)
        except UnicodeError as error:
            offset = getattr(error, "start", 0)
            raise ReadError("encoding", path=str(path), offset=offset, expected=encoding.upper()) from None
        yield copy


# --- Parquet ----------------------------------------------------------------------------------------------------------


@contextmanager
def _queried(path: Path) -> Iterator[None]:
    try:
        yield
    except (RereadNeeded, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise ReadError("malformed", path=str(path), format="Parquet", offset=0, expected=_what(error)) from None


def _parquet(path: Path) -> pl.LazyFrame:
    if not WHOLE:
        raise ReadError("needs-polars", path=str(path), install=requirement())
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(0)
        first = file.read(4)
        file.seek(max(0, size - 4))
        last = file.read(4)
    if first != b"PAR1":
        raise ReadError("malformed", path=str(path), format="Parquet", offset=0, expected="PAR1")
    if size < 12 or last != b"PAR1":
        raise ReadError("truncated", path=str(path), offset=size, expected="PAR1")
    return pl.scan_parquet(_source(path), glob=False, hive_partitioning=False)


# --- NDJSON -----------------------------------------------------------------------------------------------------------


def _ndjson(path: Path, mode: str) -> Iterator[pl.DataFrame]:
    if mode == "careful":
        yield from _slow_ndjson(path)
        return
    rows = int(_BYTES * expected_rows(path, "ndjson") / max(1, path.stat().st_size))
    rows = max(1000, min(_ROWS, rows))
    try:
        source = _source(path)
        head = pl.scan_ndjson(source, infer_schema_length=_HEAD)
        if mode == "fast" and not any(dtype.is_nested() for dtype in head.collect_schema().dtypes()):
            yield from _like_the_first(path, head, rows)
        else:  # reads the file once more, for its keys
            yield from _collect(pl.scan_ndjson(source, infer_schema_length=None), rows)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise RereadNeeded(_what(error)) from None


def _like_the_first(path: Path, head: pl.LazyFrame, rows: int) -> Iterator[pl.DataFrame]:
    """Rows with the keys and types of the first ones. Another type ends this look; keys that come later would be passed over, so
    that all keys are counted: a row has each, once, or its value is null without saying so."""
    given = 0
    closed = Event()
    with ThreadPoolExecutor(1) as pool:
        keys = pool.submit(_given_keys, path, closed)
        try:
            for batch in _collect(head, rows):
                given += batch.height * batch.width - sum(column.null_count() for column in batch)
                yield batch
            if given != keys.result():
                raise RereadNeeded
        finally:
            closed.set()


def _given_keys(path: Path, closed: Event) -> int:
    """Keys in the lines of a file whose value is not null; more when a text holds what looks like one. Ends when `closed` is set."""
    found, null = 0, b""
    block = bytearray(3 + (1 << 18))  # the end of the one before, and as much as a processor's cache takes
    with path.open("rb", buffering=0) as file:
        while (size := file.readinto(memoryview(block)[3:])) and not closed.is_set():
            null = null or (b'": n' if b'": ' in block else b'":nu')  # where both are used there are too many keys
            found += _occurrences(block, size, b'":') - _occurrences(block, size, null)
            block[:3] = block[size : size + 3]
    return found


def _occurrences(block: bytearray, size: int, pattern: bytes) -> int:
    """How often two or four bytes, which cannot overlap, end among the `size` bytes after the first three: as numbers they are
    compared many at a time."""
    width = len(pattern)
    dtype = np.dtype(f"<u{width}")
    wanted = dtype.type(int.from_bytes(pattern, "little"))
    starts = range(4 - width, 4)
    places = (np.frombuffer(block, dtype, (3 + size - start) // width, start) for start in starts)
    return sum(int(np.count_nonzero(numbers == wanted)) for numbers in places)


def _slow_ndjson(path: Path) -> Iterator[pl.DataFrame]:
    """Line by line: NaN and Infinity as Python's json writes them, keys and types that change on the way."""
    rows: list[dict[str, Any]] = []
    names: dict[str, None] = {}
    offset = held = 0
    with path.open("rb") as file:
        while line := file.readline(_LONGEST):
            if line.strip():
                try:
                    row = json.loads(line)
                    if (
                        b"\\ud" in line.lower()
                    ):  # half of a pair is no character, as where a text was cut within an emoji
                        row = json.loads(json.dumps(row, ensure_ascii=False).encode("utf-8", "replace"))
                    if not isinstance(row, dict):
                        raise ValueError
                except (ValueError, RecursionError) as error:
                    at = offset + getattr(error, "pos", 0)
                    if not line.endswith(b"\n"):
                        raise ReadError("truncated", path=str(path), offset=offset + len(line), expected="}") from None
                    raise ReadError("malformed", path=str(path), format="NDJSON", offset=at, expected="{...}") from None
                names.update(dict.fromkeys(row))
                rows.append(row)
                held += len(line)
            offset += len(line)
            if len(rows) >= 10_000 or held > _BYTES:
                yield frame(rows, list(names))
                rows, held = [], 0
    if rows:
        yield frame(rows, list(names))


def frame(rows: list[dict[str, Any]], names: list[str]) -> pl.DataFrame:
    """Rows as columns; a column whose types do not go together becomes text."""
    columns = []
    for name in names:
        values = [row.get(name) for row in rows]
        try:
            columns.append(pl.Series(name, values, strict=True))
        except (TypeError, OverflowError, pl.exceptions.PolarsError):
            columns.append(_joined(name, values))
    return pl.DataFrame(columns)


def _joined(name: str, values: list[Any]) -> pl.Series:
    """Values that go into no common type: as floating-point numbers where all are numbers that fit there, else as text."""
    with suppress(OverflowError):
        if all(value is None or isinstance(value, (int, float)) for value in values):
            return pl.Series(name, [None if value is None else float(value) for value in values], dtype=pl.Float64)
    return pl.Series(name, [None if value is None else str(value) for value in values], dtype=pl.String)


# --- JSON and text ----------------------------------------------------------------------------------------------------


def _json_array(path: Path, mode: str) -> Iterator[pl.DataFrame]:
    """An array of objects, which the file holds whole; each is decoded as its batch comes."""
    size = path.stat().st_size
    if size > _LONGEST_ARRAY:
        raise ReadError("too-large", path=str(path), size=size, limit=_LONGEST_ARRAY)
    try:
        raw = msgspec.json.decode(path.read_bytes().removeprefix(codecs.BOM_UTF8), type=list[msgspec.Raw])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        code = "truncated" if "truncated" in str(error) else "malformed"
        raise ReadError(code, path=str(path), format="JSON", offset=size, expected=_what(error)) from None
    for start in range(0, len(raw), 10_000):
        rows = []
        for number, one in enumerate(raw[start : start + 10_000], start):
            try:
                rows.append(msgspec.json.decode(one, type=dict[str, Any]))
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                raise ReadError(
                    "malformed", path=str(path), format="JSON", offset=0, expected=f"[{number}]: {{...}}"
                ) from None
        yield frame(rows, list(dict.fromkeys(name for row in rows for name in row)))


def _text(path: Path, mode: str) -> Iterator[pl.DataFrame]:
    from .texts import batches as lines

    yield from lines(path)
