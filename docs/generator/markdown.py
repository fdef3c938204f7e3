"""Pieces of Markdown."""

from __future__ import annotations

import re

from accucheck.language import Language

from .words import say

OTHER = {Language.EN: Language.ZH, Language.ZH: Language.EN}


def cell(text: str) -> str:
    """Text within a table: one line, with pipes and stars that stay what they are."""
    return text.strip().replace("|", "\\|").replace("*", "\\*").replace("\n", "<br>")


def code(text: str) -> str:
    """Text as code within a table."""
    return f"`{text}`".replace("|", "\\|")


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    return [
        f"| {' | '.join(head)} |",
        f"|{'|'.join('---' for _ in head)}|",
        *(f"| {' | '.join(row)} |" for row in rows),
        "",
    ]


def paragraphs(text: str) -> list[str]:
    """Lines of a checklist's text: numbered ones as a list, each other one as a paragraph of its own."""
    lines: list[str] = []
    numbered = False
    for line in text.strip().split("\n"):
        now_numbered = bool(re.match(r"\d+\. ", line))
        if lines and not (numbered and now_numbered):
            lines.append("")
        lines.append(line.strip())
        numbered = now_numbered
    return [*lines, ""]


def page(title: str, language: Language, *parts: list[str]) -> str:
    lines = [f"# {title}", "", say("made", language), "", *(line for part in parts for line in part)]
    return "\n".join(lines).rstrip() + "\n"
