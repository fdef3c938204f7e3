"""`accucheck data`: the rows of a data file to look at: fields with types, shapes and ranges, tokens, masks, pictures, boxes and sounds.

What a field holds is told by its content: bytes that are a picture, a sound or text, numbers that fill a picture, whole numbers that a
vocabulary has words for, zeros and ones beside them. Nothing is held but the rows that are shown.
"""

from __future__ import annotations

import io
import re
import wave
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import ReadError, UserError
from .language import Language, Words, aligned, cell_width, visible, word
from .readers import detect
from .readers.places import head_of
from .readers.rows import Row, rows, total

if TYPE_CHECKING:
    from PIL.Image import Image

    from .readers.companions import Companions
    from .readers.vocabulary import Vocabulary

WORDS: Words = {
    "field": {"en": "Field", "zh": "字段"},
    "type": {"en": "Type", "zh": "类型"},
    "shape": {"en": "Shape", "zh": "形状"},
    "range": {"en": "Range", "zh": "取值范围"},
    "title": {"en": "{name}: rows {first:,} to {last:,}", "zh": "{name}：第 {first:,} 至 {last:,} 行"},
    "title-one": {"en": "{name}: row {first:,}", "zh": "{name}：第 {first:,} 行"},
    "of": {"en": "{title} of {total:,}", "zh": "{title}，共 {total:,} 行"},
    "row": {"en": "row {number:,}", "zh": "第 {number:,} 行"},
    "bytes-long": {"en": "{span} bytes", "zh": "{span} 字节"},
    "characters-long": {"en": "{span} characters", "zh": "{span} 个字符"},
    "entries-long": {"en": "{span} entries", "zh": "{span} 项"},
    "various": {"en": "various", "zh": "不一"},
    "lacking": {"en": "in {count:,} of {of:,} rows", "zh": "{of:,} 行中有 {count:,} 行"},
    "picture": {
        "en": "{format} {width:,} x {height:,} {mode}, {size:,} bytes",
        "zh": "{format} {width:,} x {height:,} {mode}，{size:,} 字节",
    },
    "sound": {
        "en": "sound: {seconds:.2f} s, {rate:,} Hz, {channels} {channels:channel|channels}",
        "zh": "音频：{seconds:.2f} 秒，{rate:,} Hz，{channels} 声道",
    },
    "bytes": {"en": "{size:,} bytes: {head}", "zh": "{size:,} 字节：{head}"},
    "mask": {"en": "{bar} {ones:,} of {size:,}", "zh": "{bar} {size:,} 个位置中有 {ones:,} 个"},
    "padding": {"en": "{token} x {count:,}", "zh": "{token} x {count:,}"},
    "unknown-tokens": {
        "en": "{path} has no token for {count:,} of {of:,} numbers, such as {example}: it has {size:,} tokens. Is it of these data?",
        "zh": "{of:,} 个编号中有 {count:,} 个在 {path} 中没有对应的 token（如 {example}），词表只有 {size:,} 个。它是这些数据的词表吗？",
    },
    "more-fields": {"en": "… {count:,} more fields", "zh": "…… 另有 {count:,} 个字段"},
    "written": {"en": "written: {path}", "zh": "已写入：{path}"},
    "unread": {"en": "not shown: {problem}", "zh": "未显示：{problem}"},
}
#: Characters of a value in a line, and of a text in a page.
WIDE, LONG = 90, 2000
#: Bytes of a text, and numbers of an array, that are looked at at once.
LOOKED = 1 << 16
#: Numbers of an array that are written out, positions of a mask or sound that are drawn, and lines of a picture.
FEW, DRAWN, TALL = 12, 48, 24
#: A sequence of more numbers than this is drawn as a curve.
CURVE = 200
#: Numbers whose one side is so many times the other are no picture: frames of a sound, one after another.
RIBBON = 16
_BLOCKS = " ▁▂▃▄▅▆▇█"
#: The edges of a box, across and down, and its corners; none of them is a shade.
_EDGES = "─│┼"
_SHADES = " .:-=+*#%@"
_TEXT_LEAST = 0.9
#: Digits that a number in a name has at most.
_DIGITS = 9
#: The name of a column that is one cell of a table: what stands before, its row, what is between, and its column.
_GRID_CELL = re.compile(r"(.*?)(\d{1,9})(\D{1,9})(\d{1,9})")


@dataclass
class RenderedValue:
    """A value as it is shown: in a line, and what is drawn beside it; `tokens` in all, `unknown` those without a word."""

    text: str
    picture: Image | None = None
    curve: np.ndarray[Any, Any] | None = None
    tokens: int = 0
    unknown: list[int] = field(default_factory=list)


@dataclass
class Page:
    """The rows that are shown, from `start` on, with the files that could not be read, and how many rows there are, where that is
    known. `notes` are lines to be told with it."""

    name: str
    start: int
    rows: list[Row]
    total: int | None
    problems: list[UserError] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def page(path: Path, start: int, count: int) -> Page:
    """Rows of a file, or of the data files of a folder one after another. Raises ReadError where nothing can be read."""
    found: list[Row] = []
    problems: list[UserError] = []
    sizes: list[int | None] = []
    passed = 0  # rows of the files before, none of which is shown
    files, beside = _samples(path, problems)
    for file, kind in files:
        if len(found) >= count and None in sizes:
            break  # how many there are in all is not known in any case
        try:
            own = total(file, kind)
            sizes.append(own)
            first = 0 if found else start - passed
            if len(found) >= count or (own is not None and own <= first):
                passed += own or 0
                continue
            before = len(found)
            for row in rows(file, kind, first, count - before):
                found.append(replace(row, fields={**row.fields, **beside.fields(file)}) if kind == "image" else row)
            if len(found) == before and own is None:
                passed += sum(1 for _ in rows(file, kind, 0, first))
        except ReadError as error:
            problems.append(error)
            sizes.append(None)
            if error.code == "rows-bytes":
                break
    if not found and problems:
        raise problems[0]
    if not found:
        raise UserError("no-rows" if start else "no-data-files", path=str(path), start=start)
    known = [one for one in sizes if one is not None]
    return Page(str(path), start, found, sum(known) if len(known) == len(sizes) else None, problems)


def _samples(path: Path, problems: list[UserError]) -> tuple[list[tuple[Path, str]], Companions]:
    """The data files of a path in their order, with what belongs to the pictures among them; of COCO's annotations, their pictures.
    Raises ReadError."""
    from .readers import companions

    listed = [file for file in detect.files(path, problems.append) if isinstance(file, Path)]
    annotations = [file for file in listed if file.suffix.lower() == ".json"]
    if annotations == [path]:
        listed += companions.annotated(path)
    found = list(_files(listed, problems))
    pictures = [file for file, kind in found if kind == "image"]
    beside = companions.find(pictures, annotations) if pictures else companions.Companions()
    return [(file, kind) for file, kind in found if file not in beside.left], beside


def _files(listed: Iterable[Path], problems: list[UserError]) -> Iterator[tuple[Path, str]]:
    """Those of these files that hold data, each with its kind."""
    for file in listed:
        try:
            kind = detect.detect(file)
        except ReadError as error:
            problems.append(error)
            continue
        if kind in detect.FORMATS:
            yield file, kind
        elif kind and is_sound(head_of(file)):
            yield file, "sound"


# --- values -----------------------------------------------------------------------------------------------------------


def shown(value: Any, beside: dict[str, Any], vocabulary: Vocabulary | None, language: Language) -> RenderedValue:
    """A value of a row; `beside` are all its fields."""
    if isinstance(value, (bytes, bytearray)):
        return _bytes(bytes(value), language)
    if isinstance(value, np.ndarray):
        return _array(value, beside, vocabulary, language)
    if isinstance(value, str):  # also one of numpy
        return RenderedValue(str(value))
    if isinstance(value, (float, np.floating)):
        return RenderedValue(f"{float(value):.6g}")
    if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        return RenderedValue(", ".join(value))
    if isinstance(value, list) and value and all(isinstance(one, bytes) for one in value):
        return RenderedValue(", ".join(_bytes(one, language).text for one in value[:FEW]))
    return RenderedValue("-" if value is None else str(value))


def _bytes(data: bytes, language: Language) -> RenderedValue:
    from .readers.contents import decoded, is_picture

    if is_picture(data):
        from PIL import Image

        try:
            picture, (width, height) = decoded(data, "picture")
            with Image.open(io.BytesIO(data)) as opened:
                mode = f"{opened.mode} {_levels(opened)}".strip()
                told = {"format": opened.format or "", "mode": mode, "width": width, "height": height}
            return RenderedValue(word(WORDS, "picture", language, size=len(data), **told), picture)
        except ReadError as error:
            return RenderedValue(error.text(language))
    if is_sound(data) and (sound := _sound(data, language)) is not None:
        return sound
    text = _text(data)
    if text is not None:
        return RenderedValue(text)
    head = data[:16].hex(" ")
    return RenderedValue(word(WORDS, "bytes", language, size=len(data), head=head + (" …" if len(data) > 16 else "")))


def _levels(picture: Image) -> str:
    """The smallest and largest number of a picture that holds those of classes, as a mask does."""
    from .readers.contents import CLASSES

    if picture.mode not in ("L", "P"):
        return ""
    low, high = (int(end) for end in picture.getextrema()[:2])
    return _from_to(str(low), str(high)) if high < CLASSES else ""


def is_sound(data: bytes) -> bool:
    """Whether bytes begin a WAV file."""
    return data[:4] == b"RIFF" and data[8:12] == b"WAVE"


def _sound(data: bytes, language: Language) -> RenderedValue | None:
    """A WAV file of whole numbers."""
    try:
        with wave.open(io.BytesIO(data)) as opened:
            rate, channels, width = opened.getframerate(), opened.getnchannels(), opened.getsampwidth()
            frames = opened.readframes(opened.getnframes())
    except (wave.Error, EOFError, ValueError):
        return None
    kinds = {1: "u1", 2: "<i2", 4: "<i4"}
    if width not in kinds or not rate or not channels:
        return None
    values = np.frombuffer(frames[: len(frames) // (width * channels) * width * channels], kinds[width]).astype(
        np.float32
    )
    values = values.reshape(-1, channels).mean(axis=1) - (128 if width == 1 else 0)
    told = {"seconds": len(values) / rate, "rate": rate, "channels": channels}
    return RenderedValue(word(WORDS, "sound", language, **told), curve=values)


def _text(data: bytes) -> str | None:
    """Bytes as text, where nearly all of it can be read; the beginning of a long one."""
    head = data[:LOOKED]
    try:
        text = head.decode("utf-8")
    except UnicodeDecodeError as error:
        if len(data) <= LOOKED or error.start < len(head) - 3:  # else a character that is cut
            return None
        text = head[: error.start].decode("utf-8")
    readable = sum(one.isprintable() or one in "\n\r\t" for one in text)
    return text if readable >= _TEXT_LEAST * len(text) else None


def _array(
    value: np.ndarray[Any, Any], beside: dict[str, Any], vocabulary: Vocabulary | None, language: Language
) -> RenderedValue:
    from .readers.contents import picture_of

    kind = f"{value.dtype} {list(value.shape)}"
    if value.ndim == 1 and value.size > 1 and value.dtype.kind in "iub" and _is_mask(value, beside):
        bar = "".join("█" if one else "░" for one in _spread(value, DRAWN))
        return RenderedValue(
            f"{kind} " + word(WORDS, "mask", language, bar=bar, ones=int(value.astype(bool).sum()), size=value.size)
        )
    if vocabulary is not None and value.ndim == 1 and value.dtype.kind in "iu" and not _is_binary(value):
        return _tokens(value, vocabulary, kind, language)
    ribbon = value.ndim == 2 and value.dtype.kind == "f" and max(value.shape) > RIBBON * min(value.shape)
    picture = picture_of(value) if value.ndim in (2, 3) and not ribbon else None
    if picture is not None:
        return RenderedValue(f"{kind} {_span(value)}", picture)
    if (value.ndim == 1 or ribbon) and value.size > CURVE and value.dtype.kind in "iuf":
        return RenderedValue(f"{kind} {_span(value)}", curve=value.ravel().astype(np.float32))
    flat = value.ravel()
    numbers = " ".join(f"{one:.4g}" if value.dtype.kind == "f" else str(one) for one in flat[:FEW].tolist())
    return RenderedValue(f"{kind} {numbers}{' …' if flat.size > FEW else ''}")


def _is_mask(value: np.ndarray[Any, Any], beside: dict[str, Any]) -> bool:
    """Zeros and ones, beside another sequence of as many numbers that are not."""
    if not _is_binary(value):
        return False
    others = (
        one for one in beside.values() if isinstance(one, np.ndarray) and one is not value and one.shape == value.shape
    )
    return value.dtype.kind == "b" or any(not _is_binary(one) for one in others)


def _is_binary(value: np.ndarray[Any, Any]) -> bool:
    """Whether there are zeros and ones alone, as a mask or a class out of several has them: no tokens."""
    return bool(np.isin(value, (0, 1)).all())


def _tokens(value: np.ndarray[Any, Any], vocabulary: Vocabulary, kind: str, language: Language) -> RenderedValue:
    """The tokens of a sequence; the padding at its end is counted."""
    numbers = [int(one) for one in value.tolist()]
    padding, end = vocabulary.padding, len(numbers)
    last = numbers[-1] if numbers else None
    if last is not None and last in (padding, 0):
        while end and numbers[end - 1] == last:
            end -= 1
    if len(numbers) - end < 2:
        end = len(numbers)
    unknown = [one for one in numbers if one not in vocabulary.tokens]
    words = [vocabulary.tokens.get(one, f"⟨{one}⟩") for one in numbers[:end]]
    if end < len(numbers):
        token = vocabulary.tokens.get(numbers[end], str(numbers[end]))
        words.append(word(WORDS, "padding", language, token=token, count=len(numbers) - end))
    return RenderedValue(f"{kind} {' '.join(words)}", tokens=len(numbers), unknown=unknown)


def _spread(value: np.ndarray[Any, Any], most: int) -> list[bool]:
    """At most so many parts of a sequence, each true where most of it is."""
    return [bool(part.astype(float).mean() >= 0.5) for part in np.array_split(value, min(most, value.size))]


def _span(*values: np.ndarray[Any, Any]) -> str:
    """The smallest and largest of finite numbers; NaN where none is."""
    values = tuple(one.reshape(-1) for one in values if one.dtype.kind in "biuf" and one.size)
    whole, low, high = all(one.dtype.kind != "f" for one in values), np.inf, -np.inf
    for one in values:
        for at in range(0, one.size, LOOKED):
            part = one[at : at + LOOKED]
            part = part[np.isfinite(part)] if one.dtype.kind == "f" else part
            if part.size:
                low, high = min(low, part.min().item()), max(high, part.max().item())
    if not values or low > high:
        return "NaN" if values else ""
    return _from_to(f"{int(low)}", f"{int(high)}") if whole else _from_to(f"{low:.4g}", f"{high:.4g}")


def curve_line(values: np.ndarray[Any, Any], columns: int = DRAWN) -> str:
    """How loud a sequence is, part by part, in blocks."""
    parts = [float(np.abs(np.nan_to_num(part)).max()) if part.size else 0.0 for part in np.array_split(values, columns)]
    top = max(parts, default=0.0) or 1.0
    return "".join(_BLOCKS[round(part / top * (len(_BLOCKS) - 1))] for part in parts)


def picture_lines(picture: Image, columns: int = DRAWN, boxes: Iterable[Sequence[float]] = ()) -> list[str]:
    """A picture in characters, dark to light, with the edges of boxes, which are two corners in shares of its sides."""
    across = min(columns, max(8, picture.width))
    down = min(max(1, round(across * picture.height / picture.width / 2)), TALL)
    levels = np.asarray(picture.convert("L").resize((across, down)))
    drawn = [[_SHADES[int(one) * len(_SHADES) // 256] for one in line] for line in levels]
    for box in boxes:
        left, top, right, bottom = (
            min(round(share * size), size - 1) for share, size in zip(box, (across, down) * 2, strict=True)
        )
        for x in range(left, right + 1):
            drawn[top][x] = drawn[bottom][x] = _EDGES[0]
        for y in range(top, bottom + 1):
            drawn[y][left] = drawn[y][right] = _EDGES[1]
        for y, x in ((top, left), (top, right), (bottom, left), (bottom, right)):
            drawn[y][x] = _EDGES[2]
    return ["".join(line) for line in drawn]


# --- fields -----------------------------------------------------------------------------------------------------------


def fields(found: Sequence[Row], language: Language) -> list[dict[str, Any]]:
    """Of each field: its name, type, shape and range in these rows, and in how many it is."""
    names = list(dict.fromkeys(name for row in found for name in row.fields))
    return [
        _field(name, [row.fields[name] for row in found if name in row.fields], len(found), language) for name in names
    ]


def _field(name: str, values: list[Any], of: int, language: Language) -> dict[str, Any]:
    kinds = dict.fromkeys(_kind(value) for value in values)
    shapes = dict.fromkeys(str(list(value.shape)) for value in values if isinstance(value, np.ndarray))
    shape = next(iter(shapes)) if len(shapes) == 1 else word(WORDS, "various", language) if shapes else ""
    told = {"name": name, "type": ", ".join(kinds), "shape": shape, "range": _range(values, language)}
    lacking = word(WORDS, "lacking", language, count=len(values), of=of) if len(values) < of else ""
    return {**told, "range": "; ".join(part for part in (told["range"], lacking) if part)}


def _kind(value: Any) -> str:
    if isinstance(value, (np.ndarray, np.generic)):
        return str(value.dtype)
    return {"NoneType": "null"}.get(type(value).__name__, type(value).__name__)


def _range(values: list[Any], language: Language) -> str:
    """The smallest and largest of numbers; the lengths of what is none, with their unit."""
    numbers = [np.asarray(one) for one in values if isinstance(one, (int, float, np.generic, np.ndarray))]
    if span := _span(*numbers):
        return span
    for kind, unit in ((bytes, "bytes-long"), (str, "characters-long"), (list, "entries-long")):
        lengths = [len(one) for one in values if isinstance(one, kind)]
        if lengths:
            return word(WORDS, unit, language, span=_from_to(f"{min(lengths):,}", f"{max(lengths):,}"))
    return ""


def _from_to(low: str, high: str) -> str:
    return low if low == high else f"{low} … {high}"


# --- text -------------------------------------------------------------------------------------------------------------


def title(found: Page, language: Language) -> str:
    last = found.start + len(found.rows) - 1
    code = "title" if last > found.start else "title-one"
    told = word(WORDS, code, language, name=visible(found.name), first=found.start, last=last)
    return told if found.total is None else word(WORDS, "of", language, title=told, total=found.total)


def gathered(found: Page) -> Page:
    """The page with columns of single numbers that are numbered one after another as one field: a sequence, pixel_0 to pixel_63, or a
    table where they have two numbers, 1x1 to 28x28."""
    names = list(dict.fromkeys(name for row in found.rows for name in row.fields))
    runs = [run for run in _grids(list(_runs(names))) if all(_holds_numbers(row.fields, run) for row in found.rows)]
    if not runs:
        return found
    return replace(found, rows=[replace(row, fields=_joined(row.fields, runs)) for row in found.rows])


def _runs(names: Sequence[str]) -> Iterator[list[str]]:
    """Names that stand in a row and differ in nothing but a number that counts up, where they are many."""
    run: list[str] = []
    before = ("", 0)
    for name in (*names, ""):
        stem = name.rstrip("0123456789")
        number = int(name[len(stem) :][:_DIGITS] or -1)
        if run and (stem, number) == (before[0], before[1] + 1):
            run.append(name)
        else:
            if len(run) > FEW:
                yield run
            run = [name] if number >= 0 else []
        before = stem, number


class _Grid(list[str]):
    """Names of a table's cells, row by row, with how many rows there are."""

    rows = 1


def _grids(runs: list[list[str]]) -> Iterator[list[str]]:
    """The runs, those that are the rows of one table as one: equally long, of one row number after another, and the same otherwise."""
    grid = _Grid()
    before: tuple[Any, ...] = ()
    for run in [*runs, []]:
        place = _GRID_CELL.fullmatch(run[0]) if run else None
        here = (place[1], place[3], place[4], len(run), int(place[2])) if place is not None else ()
        if grid and here and here == (*before[:-1], before[-1] + 1):
            grid.extend(run)
            grid.rows += 1
        else:
            if grid:
                yield grid
            grid = _Grid(run)
        before = here


def _holds_numbers(fields: dict[str, Any], run: Sequence[str]) -> bool:
    return all(isinstance(fields.get(name), (int, float, np.number)) for name in run)


def _joined(fields: dict[str, Any], runs: Sequence[list[str]]) -> dict[str, Any]:
    first = {run[0]: run for run in runs}
    inner = {name for run in runs for name in run[1:]}
    found: dict[str, Any] = {}
    for name, value in fields.items():
        if name in first:
            run = first[name]
            numbers = np.array([fields[each] for each in run])
            rows = run.rows if isinstance(run, _Grid) else 1
            found[f"{name} … {run[-1]}"] = numbers.reshape(rows, -1) if rows > 1 else numbers
        elif name not in inner:
            found[name] = value
    return found


def lines(
    found: Page, vocabulary: Vocabulary | None, draw: bool, language: Language, columns: int = 0
) -> Iterator[str]:
    """The page as text, for a terminal of so many columns; 0 where that is not known."""
    found = gathered(found)
    yield title(found, language)
    yield ""
    table = fields(found.rows, language)
    head = [word(WORDS, name, language) for name in ("field", "type", "shape", "range")]
    yield from aligned(
        [head, *([visible(str(one[key])) for key in ("name", "type", "shape", "range")] for one in table)]
    )
    several = len({row.path for row in found.rows}) > 1
    wide = max((cell_width(visible(str(one["name"]))) for one in table), default=0)
    room = max(columns - wide - 4, FEW) if columns else WIDE
    for row in found.rows:
        yield ""
        yield row_name(row, several, language)
        for name, value in row.fields.items():
            one = shown(value, row.fields, vocabulary, language)
            called = visible(name)
            yield f"  {called}{' ' * (wide - cell_width(called))}  {shortened(visible(one.text), room)}"
            drawn = _drawn(one.picture, row) if draw and one.picture is not None else []
            if one.curve is not None:
                drawn = [curve_line(one.curve)]
            yield from (f"  {'':{wide}}  {line}" for line in drawn)
    yield from (visible(note) for note in found.notes)
    yield from misfits(found, vocabulary, language)
    for problem in found.problems:
        yield word(WORDS, "unread", language, problem=problem.text(language))


def _drawn(picture: Image, row: Row) -> list[str]:
    from .readers.boxes import boxes_of

    return picture_lines(picture, boxes=boxes_of(row, picture))


def row_name(row: Row, several: bool, language: Language) -> str:
    """What a row is called: its number, its file where there are several; the file alone where that is the sample."""
    number = "" if row.alone else word(WORDS, "row", language, number=row.number)
    return "  ".join(filter(None, [number, visible(str(row.path)) if several or row.alone else ""]))


def misfits(found: Page, vocabulary: Vocabulary | None, language: Language) -> list[str]:
    """What a vocabulary lacks of the numbers that are shown."""
    if vocabulary is None:
        return []
    values = [shown(value, row.fields, vocabulary, language) for row in found.rows for value in row.fields.values()]
    unknown = [one for value in values for one in value.unknown]
    if not unknown:
        return []
    told = {"path": str(vocabulary.path), "count": len(unknown), "of": sum(one.tokens for one in values)}
    return [word(WORDS, "unknown-tokens", language, example=max(unknown), size=len(vocabulary.tokens), **told)]


def shortened(text: str, most: int) -> str:
    text = text.replace("\n", "⏎")
    return text if len(text) <= most else text[: most - 1] + "…"


def as_json(found: Page, vocabulary: Vocabulary | None, language: Language) -> dict[str, Any]:
    """The page as plain data; what is no number or short text is told as it is in a terminal."""
    told = []
    for row in found.rows:
        values = {name: shown(value, row.fields, vocabulary, language).text for name, value in row.fields.items()}
        cut = {name: shortened(text, LONG) for name, text in values.items()}
        told.append({"number": row.number, "path": str(row.path), "fields": cut})
    notes = [*found.notes, *misfits(found, vocabulary, language)]
    whole = {"path": found.name, "from": found.start, "total": found.total, "fields": fields(found.rows, language)}
    return {**whole, "rows": told, "notes": notes}
