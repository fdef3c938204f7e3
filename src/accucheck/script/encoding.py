"""The bytes of a script -> its text, and in which encoding it was taken to be."""

from __future__ import annotations

import codecs
import io
import re
import tokenize

_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",  # before UTF-16, whose mark it begins with
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
#: What a comment may ask for: character sets. Codecs that unpack or rewrite are none, and some take for ever.
_SETS = re.compile(
    r"ascii|big5\w*|cp\d+|euc_\w+|gb\w+|hz|iso8859-\d+|iso2022_\w+|johab|koi8-\w|mac-\w+|shift_\w+|tis-620|utf-8(-sig)?"
)
#: What a file may be that is not what it says: bytes that are not UTF-8 are Chinese more often than not, and any bytes are
#: Latin-1. A wrong guess spoils comments and texts only: all names that matter are ASCII.
GUESSES = ("utf-8", "gb18030", "latin-1")


def candidates(data: bytes) -> list[str]:
    """The encodings to try: by its mark or its comment, else UTF-8, and behind it the guesses."""
    said = next((name for mark, name in _MARKS.items() if data.startswith(mark)), None) or _asked(data)
    return list(dict.fromkeys([said, *GUESSES] if said else GUESSES))


def decode(data: bytes, encoding: str) -> str | None:
    """The text with line feeds as line ends, or None where the bytes are not of this encoding."""
    try:
        text = data.decode(encoding)
    except UnicodeError:
        return None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _asked(data: bytes) -> str | None:
    """What one of the first two lines asks for ("utf-8" when nothing); None for what no text is in."""
    head = b"\n".join(re.split(rb"\r\n?|\n", data[:2000])[:2]).decode("latin-1").encode()
    try:
        name = codecs.lookup(tokenize.detect_encoding(io.BytesIO(head).readline)[0]).name
    except (SyntaxError, LookupError, ValueError):
        return None
    return name if _SETS.fullmatch(name) else None
