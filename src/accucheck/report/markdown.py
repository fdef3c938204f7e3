"""Report -> Markdown, with its pictures beside it, in one of two flavours.

plain: tables and fences that read alike on Gitee, AtomGit and GitHub, no raw HTML. gfm: for GitHub, where the evidence folds away.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..model import Level, Status, Verdict
from . import DEFAULT, Options, charts
from .bilingual import BilingualText, joined, plain
from .parts import Attachment, ChartPart, Report, TablePart, WholeTable, kind, spans
from .templating import fill
from .words import LEVELS, MARKS


class MarkdownText(str):
    """Text that is Markdown already."""


_SPECIAL = re.compile(r"[\\`*\[\]~$@|]|(?<!\w)_|_(?!\w)|#(?=\w|\s*$)")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\n": " "}
_INDENT = re.compile(r"^ {4,}")
_LINE_START = re.compile(r"^(\s*)([-+=#]|\d{1,9}(?=[.)](?:\s|$)))")


def escape(text: str) -> MarkdownText:
    """Plain text as Markdown that shows just that text, at the start of a line and within a table cell too."""
    if isinstance(text, BilingualText) and text.long:
        return MarkdownText("  \n".join(escape(line) for line in text.split("\n")))
    # An indented line would be code; blanks that do not break are no indentation to Markdown.
    text = _INDENT.sub(lambda match: "\xa0" * len(match[0]), text)
    return MarkdownText(_LINE_START.sub(_opened, _inline(text)))


def heading(text: str) -> MarkdownText:
    """Plain text for one line of its own, whatever languages it is in."""
    return escape(plain(text))


def _inline(text: str) -> str:
    text = re.sub(r"[&<>\n]", lambda match: _ENTITIES[match[0]], text)
    return _SPECIAL.sub(lambda match: "\\" + match[0], text)


def _opened(match: re.Match[str]) -> str:
    """The start of a line, so that it opens neither a list, a heading nor a rule."""
    return match[1] + (match[2] + "\\" if match[2].isdigit() else "\\" + match[2])


def prose(text: str) -> MarkdownText:
    """A checklist's prose, with its code spans."""
    if isinstance(text, BilingualText):
        return MarkdownText("  \n".join(prose(line) for line in f"{text.zh}\n{text.en}".split("\n")))
    parts = [
        code(part) if is_code else escape(part) if not number else _inline(part)
        for number, (part, is_code) in enumerate(spans(text))
    ]
    return MarkdownText("".join(parts))


def code(text: str) -> MarkdownText:
    """A code span that shows just that text, outside of tables (a pipe within a cell needs `escape`)."""
    text = " ".join(text.split("\n")).strip()
    if not text:
        return MarkdownText("")
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    pad = " " if text[0] == "`" or text[-1] == "`" else ""
    return MarkdownText(f"{ticks}{pad}{text}{pad}{ticks}")


def fence(lines: list[str], language: str = "text") -> MarkdownText:
    """A fenced block that no line of it can close. An empty line becomes a blank: runs of empty lines are tidied away."""
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    ticks = "`" * max(3, longest + 1)
    return MarkdownText("\n".join([ticks + language, *(line or " " for line in lines), ticks]))


def row(cells: list[str]) -> MarkdownText:
    return MarkdownText("| " + " | ".join(_inline(plain(cell)) for cell in cells) + " |")


def ruler(table: TablePart) -> MarkdownText:
    """The line under the columns of a table, which says how they are aligned."""
    return MarkdownText("|" + "|".join(" ---: " if right else " --- " for right in table.numeric) + "|")


def numbered(part: Any) -> list[str]:
    """Lines with their numbers, the lines meant marked with >."""
    width = len(str(part.line + len(part.lines)))
    return [
        f"{'>' if number in part.marked else ' '} {number:>{width}} | {text}"
        for number, text in enumerate(part.lines, start=part.line)
    ]


def folded(title: str, body: str) -> MarkdownText:
    """`body`, Markdown already, under a title that opens it. GitHub reads Markdown within only after a blank line."""
    from html import escape as to_html

    return MarkdownText(f"<details><summary>{to_html(title)}</summary>\n\n{body.strip()}\n\n</details>")


def render(
    report: Report, stem: str, options: Options = DEFAULT, draw: Callable[[ChartPart], bytes] = charts.draw
) -> dict[str, bytes]:
    """The report and the files beside it: {relative name: content}."""
    files: dict[str, bytes] = {}
    folder = f"{stem}_files"

    def image(part: ChartPart) -> MarkdownText:
        if not charts.drawn_here():
            told = [part.title, *charts.in_words(part, report.language)]
            return MarkdownText("\n".join(f"- {escape(line)}" for line in told))
        name = f"{folder}/chart-{1 + sum('/chart-' in known for known in files):03}.png"
        files[name] = draw(part)
        return MarkdownText(f"![{heading(part.title)}]({_address(name)})")

    def attached(attachment: Attachment) -> MarkdownText:
        if not isinstance(attachment, Attachment):  # a template made it up to have a file read
            raise TypeError("not an attachment of the report")
        number = 1 + sum("/attachment-" in known for known in files)
        if attachment.kind == "picture":
            if not (content := charts.picture(Path(attachment.path))):
                return escape(report.say("attachment-unreadable", name=attachment.name))
            name = f"{folder}/attachment-{number:03}.png"
            files[name] = content
            return MarkdownText(f"{escape(attachment.name)}\n\n![{escape(attachment.name)}]({_address(name)})")
        if attachment.kind == "file":
            suffix = re.sub(r"[^\w.]", "", Path(attachment.path).suffix)[:10]
            name = f"{folder}/attachment-{number:03}{suffix}"
            files[name] = attachment.content
            return MarkdownText(f"[{escape(attachment.name)}]({_address(name)})")
        return escape(attachment.name)

    def whole(table: WholeTable) -> MarkdownText:
        name = f"{folder}/{table.name}"
        said = report.say("whole-table", count=table.count, file="\0")
        return MarkdownText(escape(said).replace("\0", f"[{escape(table.name)}]({_address(name)})"))

    def bracketed(text: str) -> MarkdownText:
        inner = text if isinstance(text, MarkdownText) else _inline(plain(text))
        return MarkdownText(inner.join(report.brackets))

    context = {
        "report": report,
        "label": lambda key: MarkdownText(f"**{heading(report.say(key))}**{report.colon}"),
        "bracketed": bracketed,
        "say": report.say,
        "marks": MARKS,
        "mark": lambda item: MARKS[item.state.value] if item.checked else "○",
        "level": lambda finding: report.pick(LEVELS[finding.level.value]),
        "image": image,
        "attached": attached,
        "whole": whole,
        "code": code,
        "heading": heading,
        "joined": joined,
        "prose": prose,
        "fence": fence,
        "row": row,
        "numbered": numbered,
        "folded": folded if options.flavour == "gfm" else None,
        "ruler": ruler,
        "Level": Level,
        "Status": Status,
        "Verdict": Verdict,
        "kind": kind,
    }
    text = fill(
        "report.md.j2",
        options.template,
        context,
        files,
        filters={"marked": MarkdownText},
        autoescape=False,  # that is for HTML; here `finalize` escapes whatever is not Marked
        finalize=lambda value: (
            value if isinstance(value, MarkdownText) else escape(value if isinstance(value, str) else str(value))
        ),
        keep_trailing_newline=True,
    )
    tidy = re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"
    return {**files, f"{stem}.md": tidy.encode()}


def _address(name: str) -> str:
    """A relative path as the target of a link: spaces and the like percent-encoded."""
    from urllib.parse import quote

    return quote(name)
