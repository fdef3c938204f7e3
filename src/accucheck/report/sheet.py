"""The sample plan of ds.02 on paper: contact sheets (PNG) and a table to mark (CSV), and the marked table read back."""

from __future__ import annotations

import csv
import io
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import marks
from ..case import Case
from ..errors import ReadError, SaveError, UserError, from_os_error
from ..language import Language, Words, visible, word
from ..marks import Judgement, Plan, Record
from ..store import require_inside, write_atomically
from . import spreadsheet
from .charts import chinese_font

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont

    from ..readers.contents import Content

#: Columns and rows of one page, and the sides of a sample and of its picture, in pixels.
ACROSS, DOWN, WIDTH, HEIGHT, PICTURE = 5, 5, 240, 290, 220
#: A marked table with more bytes or rows is none of ours.
_LARGEST, _ROWS = 32 << 20, 100_000

WORDS: Words = {
    "number": {"en": "number", "zh": "序号"},
    "sample": {"en": "sample", "zh": "样本"},
    "label": {"en": "label", "zh": "标签"},
    "content": {"en": "content", "zh": "内容"},
    "mark": {"en": "mark (right, wrong or unsure)", "zh": "标注（对、错或不确定）"},
    "note": {"en": "note", "zh": "备注"},
    "picture": {"en": "picture {width} x {height}", "zh": "图片 {width} x {height}"},
    "title": {
        "en": "{name}: samples of the {role} data, page {page} of {pages}, seed {seed}",
        "zh": "{name}：{role}数据样本，第 {page} 页，共 {pages} 页，随机种子 {seed}",
    },
    "train": {"en": "training", "zh": "训练"},
    "eval": {"en": "evaluation", "zh": "评估"},
    # what is wrong with a line of a marked table
    "bad-number": {
        "en": "the number {value} is none of the samples (1 to {last})",
        "zh": "序号 {value} 不在样本范围内（1 至 {last}）",
    },
    "other-sample": {
        "en": "number {number} is {expected} now, not {value}: the table belongs to another sample; write it again with --sheet",
        "zh": "序号 {number} 现在是 {expected}，而不是 {value}：该表对应另一次抽样，请用 --sheet 重新生成",
    },
    "other-label": {
        "en": "{sample} has the label {expected}, not {value}",
        "zh": "{sample} 的标签是 {expected}，而不是 {value}",
    },
    "bad-mark": {
        "en": "{value} is not a mark: write right, wrong or unsure (or 1 and 0, y and n)",
        "zh": "{value} 不是有效标注，请填写 对、错 或 不确定（也可用 1/0、y/n）",
    },
    "twice": {"en": "the sample {number} appears twice", "zh": "样本 {number} 出现了两次"},
}

_MARKS = {
    Judgement.RIGHT: ("right", "r", "1", "y", "yes", "true", "ok", "对", "正确", "是", "√", "✓"),
    Judgement.WRONG: ("wrong", "w", "0", "n", "no", "false", "错", "错误", "有误", "否", "×", "✗", "x"),
    Judgement.UNSURE: ("unsure", "u", "?", "？", "不确定", "不清楚"),
}
_MEANT = {text: judgement for judgement, texts in _MARKS.items() for text in texts}
_COLUMNS = ("number", "sample", "label", "content", "mark", "note")


class SheetErrors(ReadError):
    """A marked table that is wrong; `lines` says where and how, line by line."""

    def __init__(self, path: Path, lines: list[str]) -> None:
        super().__init__("marks-wrong", path=str(path), count=len(lines))
        self.lines = lines


class WrittenSheet(NamedTuple):
    """The files that were written; the samples that could not be read, by place; and whether a font for Chinese was lacking."""

    paths: list[Path]
    problems: dict[int, UserError]
    no_font: bool


def write(case: Case, role: str, plan: Plan, folder: Path, language: Language) -> WrittenSheet:
    """Write labels-<role>-<page>.png and labels-<role>.csv. Raises SaveError."""
    require_inside(folder, Path(case.root))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise from_os_error(error, folder, SaveError) from None
    seen: dict[int, Content | UserError] = {}
    for place, one in marks.contents(case, plan):
        if not isinstance(one, UserError) and one.picture is not None:
            one.picture.thumbnail((PICTURE, PICTURE))  # all are held at once
        seen[place] = one
    paths = []
    drawn_in = language if chinese_font() else Language.EN  # the words of the sheet; labels are what they are
    pages = -(-len(plan.samples) // (ACROSS * DOWN))
    for page in range(pages):
        title = word(
            WORDS,
            "title",
            drawn_in,
            name=case.name,
            role=word(WORDS, role, drawn_in),
            page=page + 1,
            pages=pages,
            seed=plan.seed,
        )
        path = folder / f"labels-{role}-{page + 1}.png"
        write_atomically(path, _page(case, plan, seen, page, title, drawn_in))
        paths.append(path)
    path = folder / f"labels-{role}.csv"
    write_atomically(path, table(case, plan, seen, language))
    paths.append(path)
    problems = {place: one for place, one in seen.items() if isinstance(one, UserError)}
    problems |= {
        place: one.problem for place, one in seen.items() if not isinstance(one, UserError) and one.problem is not None
    }
    return WrittenSheet(paths, problems, not chinese_font() and _lacks(case, plan))


def _lacks(case: Case, plan: Plan) -> bool:
    """Whether a label has characters that no font here can draw."""
    known = font(12)[1]
    return any(ord(one) not in known for sample in plan.samples for one in marks.class_name(case, sample.label))


# --- contact sheets ---------------------------------------------------------------------------------------------------


@cache
def font(size: int) -> tuple[FreeTypeFont, frozenset[int]]:
    """A font, one with Chinese characters where there is one, and the characters it has."""
    from matplotlib import font_manager
    from matplotlib.ft2font import FT2Font
    from PIL import ImageFont

    path = font_manager.findfont(chinese_font() or "DejaVu Sans")
    return ImageFont.truetype(path, size), frozenset(FT2Font(path).get_charmap())


def drawable(text: str, size: int) -> str:
    """Text with visible escapes for what would obey nobody, and for what the font lacks."""
    known = font(size)[1]
    return "".join(
        one if ord(one) in known or one == " " else one.encode("ascii", "backslashreplace").decode()
        for one in visible(text)
    )


def _page(
    case: Case, plan: Plan, seen: dict[int, Content | UserError], page: int, title: str, language: Language
) -> bytes:
    from PIL import Image, ImageDraw

    first = page * ACROSS * DOWN
    places = range(first, min(first + ACROSS * DOWN, len(plan.samples)))
    down = -(-len(places) // ACROSS)
    sheet = Image.new("RGB", (ACROSS * WIDTH + 10, down * HEIGHT + 40), "white")
    pen = ImageDraw.Draw(sheet)
    pen.text((10, 10), cut(pen, drawable(title, 16), 16, sheet.width - 20), "black", font(16)[0])
    for number, place in enumerate(places):
        left, top = 10 + number % ACROSS * WIDTH, 40 + number // ACROSS * HEIGHT
        _cell(sheet, pen, left, top, seen.get(place), language)
        sample = plan.samples[place]
        label = drawable(f"{place + 1}. {marks.class_name(case, sample.label)}", 15)
        pen.text((left, top + PICTURE + 6), cut(pen, label, 15, PICTURE), "black", font(15)[0])
        shown = cut(pen, drawable(sample.id, 11), 11, PICTURE, start=True)
        pen.text((left, top + PICTURE + 28), shown, "#505050", font(11)[0])
        text = marks.said(sample.judgement, language)
        pen.text((left, top + PICTURE + 44), drawable(text, 11), "#A00000", font(11)[0])
    stream = io.BytesIO()
    sheet.save(stream, "PNG")
    return stream.getvalue()


def _cell(sheet: Image, pen: ImageDraw, left: int, top: int, content: Any, language: Language) -> None:
    """The picture of a sample, or its text."""
    pen.rectangle((left, top, left + PICTURE, top + PICTURE), outline="#C0C0C0")
    picture = None if content is None or isinstance(content, UserError) else content.picture
    if picture is not None:
        small = enlarged(picture, PICTURE - 2)
        sheet.paste(small, (left + 1 + (PICTURE - 1 - small.width) // 2, top + 1 + (PICTURE - 1 - small.height) // 2))
        return
    y = top + 4
    for line in _lines(pen, _drawn_text(content, language), PICTURE - 8):
        if y > top + PICTURE - 14:
            break
        pen.text((left + 4, y), line, "black", font(11)[0])
        y += 14


def enlarged(picture: Image, side: int) -> Image:
    """A picture that fills a square, its pixels as squares where it was smaller."""
    from PIL import Image

    scale = side / max(picture.size)
    size = max(1, round(picture.width * scale)), max(1, round(picture.height * scale))
    return picture.resize(size, Image.Resampling.NEAREST if scale > 1 else Image.Resampling.LANCZOS)


def _drawn_text(content: Any, language: Language) -> str:
    if content is None:
        return ""
    if isinstance(content, UserError):
        return content.text(language)
    problem = f"{content.problem.text(language)}\n" if content.problem is not None else ""
    return problem + text_of(content)


def text_of(content: Content) -> str:
    """The fields of a sample as lines; a single one without its name."""
    if len(content.fields) == 1:
        return content.fields[0][1]
    return "\n".join(f"{name}: {value}" for name, value in content.fields)


def _lines(pen: ImageDraw, text: str, width: int) -> list[str]:
    """Text broken into lines that fit; at most as many as can be seen."""
    lines: list[str] = []
    used = font(11)[0]
    for paragraph in text[:3000].split("\n"):
        line = ""
        for piece in re.findall(r"[!-~]+ ?|.", drawable(paragraph, 11)):
            while piece:
                if pen.textlength(line + piece, used) <= width:
                    line, piece = line + piece, ""
                elif line:
                    lines.append(line)
                    line = ""
                else:  # one word wider than the line
                    fit = max(1, int(len(piece) * width / pen.textlength(piece, used)))
                    lines.append(piece[:fit])
                    piece = piece[fit:]
        lines.append(line)
        if len(lines) > 20:
            break
    return lines


def cut(pen: ImageDraw, text: str, size: int, width: int, start: bool = False) -> str:
    """Text that fits the width; `start`: the start is left out rather than the end."""
    used = font(size)[0]
    shown, text = text, text[-400:] if start else text[:400]
    while text and pen.textlength(shown, used) > width:
        text = text[1:] if start else text[:-1]
        shown = f"...{text}" if start else f"{text}..."
    return shown


# --- the table --------------------------------------------------------------------------------------------------------


def table(case: Case, plan: Plan, seen: dict[int, Content | UserError], language: Language) -> bytes:
    """The CSV to mark."""
    rows: list[list[object]] = [[word(WORDS, name, language) for name in _COLUMNS]]
    for place, sample in enumerate(plan.samples):
        note = sample.mark.note if sample.mark is not None else ""
        row = [sample.id, marks.class_name(case, sample.label), _brief(seen.get(place), language)]
        cells = [place + 1, *row, marks.said(sample.judgement, language), note]
        rows.append([visible(cell) if isinstance(cell, str) else cell for cell in cells])
    return spreadsheet.encode(rows)


def _brief(content: Any, language: Language) -> str:
    if content is None or isinstance(content, UserError):
        return _drawn_text(content, language)[:300]
    size = content.size
    shown = word(WORDS, "picture", language, width=size[0], height=size[1]) if size is not None else ""
    return "; ".join(part for part in (shown, text_of(content).replace("\n", "; ")[:300]) if part)


def read(case: Case, role: str, record: Record, path: Path, who: str, language: Language) -> tuple[Record, int]:
    """The record with the marks of a table, and how many were taken; an empty cell leaves a sample as it is.

    Raises ReadError, WrongLines where lines are wrong, and then takes nothing.
    """
    plan = record.plans[role]
    columns, rows = _parsed(path)
    wrong: list[str] = []
    seen: set[int] = set()
    taken = 0
    for line, cells in rows:
        values = {name: cells[at].strip() if at < len(cells) else "" for name, at in columns.items()}
        mark, note = values["mark"].lower(), spreadsheet.plain(values.get("note", ""))
        problem = _problem(case, plan, values, seen, language)
        if problem:
            wrong.append(f"{line}: {problem}")
            continue
        place = int(values["number"]) - 1
        seen.add(place)
        old = plan.samples[place].mark
        if old is not None and note == _shown(old.note):
            note = old.note  # untouched: a cell shows a note of several lines as one
        judgement = _MEANT.get(mark)
        if judgement is None and not note:
            continue
        kept = judgement or (old.judgement if old is not None else None)
        if old is None or (kept, note or old.note) != (old.judgement, old.note):
            record = marks.marked(record, role, place, kept, note or None, who)
        taken += judgement is not None
    if wrong:
        raise SheetErrors(path, wrong)
    return record, taken


def _problem(case: Case, plan: Plan, values: dict[str, str], seen: set[int], language: Language) -> str:
    """What is wrong with a line; empty when nothing is."""

    def say(key: str, **data: Any) -> str:
        return word(WORDS, key, language, **{name: visible(str(value))[:200] for name, value in data.items()})

    number = values["number"]
    if not re.fullmatch(r"[1-9]\d{0,8}", number) or int(number) > len(plan.samples):
        return say("bad-number", value=number or "-", last=len(plan.samples))
    place = int(number) - 1
    sample = plan.samples[place]
    if place in seen:
        return say("twice", number=number)
    if "sample" in values and spreadsheet.plain(values["sample"]) != _shown(sample.id):
        return say("other-sample", number=number, expected=sample.id, value=values["sample"] or "-")
    label = marks.class_name(case, sample.label)
    if "label" in values and not _same(spreadsheet.plain(values["label"]), _shown(label)):
        return say("other-label", sample=sample.id, expected=label, value=values["label"] or "-")
    if values["mark"] and values["mark"].lower() not in _MEANT:
        return say("bad-mark", value=values["mark"])
    return ""


def _same(one: str, other: str) -> bool:
    """Whether two labels are one; a spreadsheet may have written a number or a truth in its own way."""
    if one.lower() == other.lower():
        return True
    try:
        return float(one) == float(other)
    except ValueError:
        return False


def _shown(text: str) -> str:
    """A text as its cell comes back."""
    return spreadsheet.plain(visible(text).strip())


def _parsed(path: Path) -> tuple[dict[str, int], list[tuple[int, list[str]]]]:
    """Where each column stands, and the lines that are not empty with their numbers. Raises ReadError."""
    try:
        size = path.stat().st_size
        if size > _LARGEST:
            raise ReadError("too-large", path=str(path), size=size, limit=_LARGEST)
        data = path.read_bytes()
    except OSError as error:
        raise from_os_error(error, path) from None
    if not data.strip():
        raise ReadError("empty", path=str(path))
    text = _decoded(data)
    head = text.split("\n", 1)[0]
    separator = max(",;\t", key=head.count)
    csv.field_size_limit(_LARGEST)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        names = [cell.strip().lower() for cell in next(reader)]
        rows = [(reader.line_num, cells) for cells in reader if any(cell.strip() for cell in cells)]
    except (csv.Error, StopIteration) as error:
        raise ReadError("malformed", path=str(path), format="CSV", offset=0, expected=str(error)[:120]) from None
    columns = {}
    for key in _COLUMNS:
        known = {word(WORDS, key, language).lower() for language in Language} | {key}
        at = next((place for place, name in enumerate(names) if name in known), None)
        if at is not None:
            columns[key] = at
    lacking = [key for key in ("number", "mark") if key not in columns]
    if lacking or len(rows) > _ROWS:
        raise ReadError("marks-columns", path=str(path), columns=", ".join(lacking) or "number")
    return columns, rows


def _decoded(data: bytes) -> str:
    """As spreadsheets save: UTF-8 with or without its mark, UTF-16, or the encoding of a Chinese system."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("gb18030", "replace")
