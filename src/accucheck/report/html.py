"""Report -> one HTML file that needs nothing else: no script, charts as SVG, pictures within, evidence folded until it is asked for.

It reads at any width, on paper, light and dark, and by keyboard; what the page may load is forbidden by the page itself.
"""

from __future__ import annotations

import base64
import re
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from markupsafe import Markup, escape

from ..model import Language, Level, Status, Verdict
from . import charts, spreadsheet
from .bilingual import BilingualText, joined, plain
from .parts import Attachment, ChartPart, CodePart, Report, WholeTable, kind, spans
from .templating import fill
from .words import LEVELS, MARKS, VERDICTS

if TYPE_CHECKING:
    from . import Draw, Options

#: Bytes of a table's rows or of an attached file that the page carries, and of all of these.
MAX_CARRIED, MAX_CARRIED_IN_ALL = 200_000, 2_000_000

_LANG = {Language.ZH: "zh-CN", Language.EN: "en"}


def render(report: Report, stem: str, options: Options, draw: Draw) -> dict[str, bytes]:
    """The page: {file name: content}."""
    number, files = count(1), count(1)

    def chart(part: ChartPart) -> Markup:
        if not charts.drawn_here():
            return Markup("<p>{}</p>").format(Markup("<br>").join(charts.in_words(part, report.language)))
        drawn = charts.within_a_page(draw(part, "svg"), f"chart{next(number)}-", plain(part.title))
        return Markup(drawn)  # noqa: S704 - an XML library wrote it

    room = MAX_CARRIED_IN_ALL

    def carries(size: int) -> bool:
        nonlocal room
        fits = size <= min(room, MAX_CARRIED)
        room -= size if fits else 0
        return fits

    def address(table: WholeTable) -> str:
        if carries(len(table.body)):
            return _data("text/csv;charset=utf-8", spreadsheet.encode([table.columns], table.body))
        return quote(f"{stem}_files/{table.name}")  # it lies there

    def attached(attachment: Attachment) -> Markup:
        if not isinstance(attachment, Attachment):  # a template made it up to have a file read
            raise TypeError("not an attachment of the report")
        name = Markup("<figcaption>{}</figcaption>")
        if attachment.kind == "picture":
            if (content := charts.picture(Path(attachment.path))) is None:
                return name.format(shown(report.say("attachment-unreadable", name=attachment.name)))
            picture = Markup('<img src="{}" alt="{}">').format(_data("image/png", content), plain(attachment.name))
            return name.format(shown(attachment.name)) + picture
        if attachment.kind == "file":
            if not carries(len(attachment.content)):
                return name.format(shown(report.say("attachment-large", name=attachment.name)))
            link = Markup('<a href="{}" download="{}">{}</a>')
            where, suffix = _data("application/octet-stream", attachment.content), Path(attachment.path).suffix
            own = f"attachment-{next(files):03}{re.sub(r'[^A-Za-z0-9.]', '', suffix)[:10]}"
            return name.format(link.format(where, own, shown(attachment.name)))
        return name.format(shown(attachment.name))

    names = _anchors(report)
    context = {
        "report": report,
        "say": report.say,
        "pick": report.pick,
        "lang": _LANG[report.language],
        "level": lambda finding: report.pick(LEVELS[finding.level.value]),
        "mark": lambda item: MARKS[item.state.value] if item.checked else "○",
        "marks": MARKS,
        "verdicts": VERDICTS,
        "behind": [
            ("environment", report.environment),
            ("asked", report.asked),
            ("config-changes", report.changes),
            ("inputs", report.inputs),
            ("versions", report.versions),
        ],
        "address": address,
        "anchor": lambda item: names[id(item)],
        "chart": chart,
        "attached": attached,
        "prose": prose,
        "stacked": stacked,
        "plain": plain,
        "joined": joined,
        "numbered": _numbered,
        "diff": _diff,
        "Level": Level,
        "Status": Status,
        "Verdict": Verdict,
        "kind": kind,
    }
    text = fill("report.html.j2", options.template, context, {}, autoescape=True, finalize=shown)
    return {f"{stem}.html": re.sub(r"\n\s*\n+", "\n", text).encode()}


def shown(value: Any) -> Any:
    """A value on its way into the page: of a text in two languages each part says which it is. Escaping comes after."""
    if not isinstance(value, BilingualText):
        return value
    return _beside(value, escape(value.zh), escape(value.en))


def prose(text: str) -> Markup:
    """A checklist's prose, with its code spans."""
    if isinstance(text, BilingualText):
        return _beside(text, prose(text.zh), prose(text.en))
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if code else escape(part) for part, code in spans(text)
    )


def stacked(text: str) -> Markup:
    """A text of which the languages stand below each other, however short they are."""
    return _beside(text, escape(text.zh), escape(text.en), True) if isinstance(text, BilingualText) else escape(text)


def _beside(text: BilingualText, zh: Markup, en: Markup, long: bool = False) -> Markup:
    form = '<span class="both"><span lang="zh-CN">{}</span><span lang="en">{}</span></span>'
    short = '<span lang="zh-CN">{}</span> / <span lang="en">{}</span>'
    return Markup(form if text.long or long else short).format(zh, en)  # noqa: S704 - a constant


def _anchors(report: Report) -> dict[int, str]:
    """A name within the page for each item: its id, as far as it is safe, each name once."""
    names: dict[int, str] = {}
    for item in report.items:
        name = "item-" + (re.sub(r"[^A-Za-z0-9.]+", "-", item.id).strip("-") or "x")
        names[id(item)] = name if name not in names.values() else f"{name}-{len(names)}"
    return names


def _data(kind: str, content: bytes) -> str:
    """The address of something that lies in the address itself."""
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def _numbered(part: CodePart) -> list[tuple[int, str, bool]]:
    """Lines of code as (number, text, whether it is meant)."""
    return [(number, text, number in part.marked) for number, text in enumerate(part.lines, part.line)]


def _diff(lines: list[str]) -> list[tuple[str, str]]:
    """Lines of a diff as (kind, text)."""
    kinds = {"+": "added", "-": "removed", "@": "place"}
    return [("file" if line.startswith(("+++", "---")) else kinds.get(line[:1], "same"), plain(line)) for line in lines]
