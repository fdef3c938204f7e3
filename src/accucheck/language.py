"""Which language to speak, and how a text with both languages is filled."""

from __future__ import annotations

import os
import string
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import Any


class Language(str, Enum):
    ZH = "zh"
    EN = "en"


#: {key: {"zh": template, "en": template}}; every module that speaks has one, and a test checks that all are complete.
Words = Mapping[str, Mapping[str, str]]


def detect(choice: str | None = None, case_language: str | None = None) -> Language:
    """--lang, then ACCUCHECK_LANG, the case, LC_ALL, LC_MESSAGES, LANG; English when none of them is Chinese.

    Read from the environment: locale.getlocale() ignores LANG when that locale is not installed.
    """
    environment = os.environ
    system = environment.get("LC_ALL") or environment.get("LC_MESSAGES") or environment.get("LANG") or ""
    for candidate in (choice, environment.get("ACCUCHECK_LANG"), case_language, system):
        if candidate:
            return Language.ZH if candidate.lower().startswith("zh") else Language.EN
    return Language.EN


class _Named(str):
    """What a name stands for where that is not what it mostly does, or nothing."""


class _Filler(string.Formatter):
    """str.format over plain names only: no attributes, no indexing, and a missing value is shown, not raised."""

    def get_field(self, field_name: str, args: Any, kwargs: Any) -> tuple[Any, str]:
        if field_name.startswith("@"):
            return _Named(kwargs.get(field_name, "")), field_name
        return kwargs.get(field_name, "{" + field_name + "}"), field_name

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, _Named):
            return value or format_spec
        one, is_choice, others = format_spec.partition("|")
        if is_choice:
            several, has_none, none = others.partition("|")
            return one if value in (1, "1") else none if has_none and value in (0, "0") else several
        try:
            return str(super().format_field(value, format_spec))
        except (ValueError, TypeError):
            return str(value)


_FILLER = _Filler()


def fill(template: str, data: Mapping[str, Any]) -> str:
    """`template` with `{name}` or `{name:,}` replaced from `data`; `{name:weight is|weights are}` is the first where it is 1, and a
    third part is for 0; a part may have names in it. `{@name:text}` is the text where there is nothing of that name, `@` with it."""
    return _FILLER.vformat(template, (), data)


def word(words: Words, key: str, language: Language, /, **data: Any) -> str:
    """The text of `key`, or the key itself when there is none."""
    entry = words.get(key)
    return fill(entry[language.value], data) if entry else key


def listed(entries: Sequence[str], language: Language) -> str:
    """Several names in one text; a last one of "…" says that there are more."""
    *names, last = entries or [""]
    separator = "、" if language is Language.ZH else ", "
    if last != "…" or not names:
        return separator.join(entries)
    told = separator.join(names)
    if language is Language.EN:
        return f"{told} and more"
    return f"{told} 等" if told[-1:].isascii() else f"{told}等"


def encodable(value: Any) -> Any:
    """Plain data whose texts all have a UTF-8 form: lone surrogates are written out."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {encodable(key): encodable(entry) for key, entry in value.items()}
    return [encodable(entry) for entry in value] if isinstance(value, list) else value


#: What Unicode takes for printable and no font shows: joiners and fillers of Hangul and Khmer, selectors of forms other than emoji's.
_UNSEEN = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0\U0001d159"
    + "".join(map(chr, (*range(0xFE00, 0xFE0E), *range(0xE0100, 0xE01F0))))
)


def is_seen(character: str) -> bool:
    """Whether a character shows itself, and does nothing else."""
    return character.isprintable() and character not in _UNSEEN


def visible(text: str) -> str:
    """Untrusted text made safe to print: control, bidirectional, zero-width and unseen characters become visible escapes.

    Tabs become a space; line feeds become ⏎, so that one value stays on one line.
    """
    if text.isascii() and text.isprintable():
        return text
    shown = []
    for character in text:
        if character == "\n":
            shown.append("⏎")
        elif character == "\t":
            shown.append(" ")
        elif is_seen(character) or character in "\u00a0\u3000":
            shown.append(character)
        else:
            code = ord(character)
            shown.append(f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")
    return "".join(shown)


#: Cells of a column at least, however narrow the terminal is.
_NARROW = 12


def aligned(rows: list[list[str]], columns: int = 0, gives: Sequence[int] = ()) -> Iterator[str]:
    """The lines of a table in a terminal; cells are made safe to print. Lines that are longer than `columns` (0: any length will do) take
    what is too much from the beginnings of the cells of the columns `gives`, of the first as long as that will do."""
    rows = [[visible(cell) for cell in row] for row in rows]
    widths = [max(cell_width(row[at]) for row in rows) for at in range(len(rows[0]))]
    over = sum(widths) + 2 * (len(widths) - 1) - columns
    for each in gives if columns else ():
        narrow = min(widths[each], max(widths[each] - max(over, 0), _NARROW))
        over, widths[each] = over - (widths[each] - narrow), narrow
        rows = [[_end(cell, narrow) if at == each else cell for at, cell in enumerate(row)] for row in rows]
    for row in rows:
        yield "  ".join(
            cell + " " * (width - cell_width(cell)) for cell, width in zip(row, widths, strict=True)
        ).rstrip()


def wrapped(line: str, columns: int) -> Iterator[str]:
    """A line in pieces that fit into so many cells of a terminal, all but the first indented two further. Chinese is broken anywhere but
    before its punctuation, all else at blanks; what is too long for a line by itself stays whole."""
    import re

    indent = " " * (len(line) - len(line.lstrip(" ")) + 2)
    piece, width = "", 0
    for part in re.findall(r" +|[\u2e80-\uffef]+?[，。；：、！？）”》]*|[^ \u2e80-\uffef]+", line):
        cells = cell_width(part)
        if width + cells > columns and piece.strip():
            yield piece.rstrip()
            piece, width = indent, len(indent)
            if part.isspace():
                continue
        piece, width = piece + part, width + cells
    yield piece.rstrip()


def _end(text: str, cells: int) -> str:
    """The end of a text that takes so many cells at most, with a sign where its beginning is left out."""
    if cell_width(text) <= cells:
        return text
    while cell_width(text) >= cells:
        text = text[1:]
    return "…" + text


def cell_width(text: str) -> int:
    """The cells of a terminal that a text takes."""
    from unicodedata import east_asian_width

    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)
