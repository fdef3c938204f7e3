"""A Jupyter notebook -> the code of its cells as one script. Outputs are passed over.

Each line of code stands in the script where it stands in the file, with empty lines for all that is not code, so that a
place found in the script is one that an editor opens. That takes a notebook with each line of code on a line of its own,
as Jupyter saves it; of any other the cells just follow one another.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from ..errors import ReadError
from .syntax import tokens

#: A notebook with its pictures, and the code in it.
LIMIT, CODE = 64 << 20, 4 << 20

_START = re.compile(r'^[ \t]*"(?:source|input)":[ \t]*(.*)$', re.M)
#: Cell magics whose cell is code of this notebook all the same.
_RUNS_HERE = frozenset(("time", "timeit", "capture", "prun"))
_MAGIC = re.compile(r"([ \t]*)(?:[%!]|\?{1,2}[\w.*]|[\w.]+\?{1,2}[ \t]*$)", re.M)
_ASSIGNED = re.compile(r"([ \t]*[\w., \t\[\]]+=[ \t]*)(?:![^=]|%[ \t]*[A-Za-z])")
_REST = re.compile(r"(?:[^\n\\]|\\\n|\\)*")


class Cell(NamedTuple):
    """Lines of the script from `first` to `last`; `number` counts the cells of code from 1."""

    number: int
    first: int
    last: int


class _Cell(msgspec.Struct):
    cell_type: str = ""
    source: str | list[str] = []
    input: str | list[str] = []  # of notebooks before version 4

    @property
    def parts(self) -> list[str]:
        code = self.source or self.input
        return [code] if isinstance(code, str) else code


class _Sheet(msgspec.Struct):
    cells: list[_Cell] = []


class _Named(msgspec.Struct, frozen=True):
    language: str = ""
    name: str = ""


class _Metadata(msgspec.Struct, frozen=True):
    kernelspec: _Named = _Named()
    language_info: _Named = _Named()


class _Notebook(msgspec.Struct):
    cells: list[_Cell] = []
    worksheets: list[_Sheet] = []
    metadata: _Metadata = _Metadata()


def _decoded(text: str, shown: str) -> _Notebook:
    """A notebook of Python. Raises ReadError."""
    try:
        book = msgspec.json.decode(text.encode(), type=_Notebook)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise ReadError("notebook", path=shown, problem=str(error)) from None
    language = (book.metadata.kernelspec.language or book.metadata.language_info.name or "python").lower()
    if "python" not in language:
        raise ReadError("notebook-language", path=shown, language=language[:40])
    return book


def read(text: str, shown: str) -> tuple[str, str, tuple[Cell, ...]]:
    """The script as it stands, the same without what only IPython runs, and the cells. Raises ReadError."""
    book = _decoded(text, shown)
    all_cells = book.cells or [cell for sheet in book.worksheets for cell in sheet.cells]
    cells = [cell for cell in all_cells if cell.cell_type == "code"]
    size = sum(len(part) for cell in cells for part in cell.parts)
    if size > CODE:
        raise ReadError("too-large", path=shown, size=size, limit=CODE)
    places = _places(text, cells)
    lines: list[str] = []
    run: list[str] = []
    found: list[Cell] = []
    for number, cell in enumerate(cells, 1):
        code = "".join(cell.parts).replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")
        if places is not None:
            blank = [""] * (places[number - 1] - 1 - len(lines))
            lines += blank
            run += blank
        held = plain(code).split("\n")
        if any(line.strip() for line in held):
            found.append(Cell(number, len(lines) + 1, len(lines) + len(held)))
            lines += code.split("\n")
            run += held
    if not found:
        raise ReadError("script-empty", path=shown)
    return "\n".join([*lines, ""]), "\n".join([*run, ""]), tuple(found)


def _places(text: str, cells: Sequence[_Cell]) -> list[int] | None:
    """The line of the file where the code of each cell starts, when each line of code is a line of the file."""
    places: list[int] = []
    at, line = 0, 1
    for cell in cells:
        parts = [part.replace("\r\n", "\n") for part in cell.parts]
        if any("\r" in part or "\n" in part[:-1] for part in parts) or not all(p.endswith("\n") for p in parts[:-1]):
            return None
        while parts:
            start = _START.search(text, at)
            if start is None:
                return None
            line += text.count("\n", at, start.start())
            at = start.end()
            first = _first(text, start, cell.parts)
            if first is not None:
                places.append(line + first)
                break
        else:
            places.append(line)
    return places


def _first(text: str, start: re.Match[str], parts: list[str]) -> int | None:
    """How many lines below its key the parts of a cell begin; None when what stands there is not them, line by line."""
    inline = start[1].rstrip().removesuffix(",")
    if inline != "[":
        return 0 if len(parts) == 1 and _json(inline) in (parts[0], parts) else None
    at = start.end() + 1
    for part in parts:
        end = text.find("\n", at)
        if end < 0 or _json(text[at:end].strip().removesuffix(",")) != part:
            return None
        at = end + 1
    return 1


def _json(text: str) -> object:
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


# --- what IPython runs and Python does not -----------------------------------------------------------------------------


def plain(code: str) -> str:
    """The code of a cell with IPython's own lines replaced by lines of Python that do nothing; as many lines as before."""
    head = re.match(r"\s*%%[ \t]*(\w+|!)[^\n]*", code)
    if head is not None:
        if head[1] not in _RUNS_HERE:
            return "\n" * code.count("\n")
        code = "\n" * code.count("\n", 0, head.end()) + code[head.end() :]
    if not re.search(r"[%!?]", code):
        return code
    made: list[str] = []
    at = 0
    while at < len(code):
        magic = _MAGIC.match(code, at)
        assigned = None if magic else _ASSIGNED.match(code, at)
        if found := magic or assigned:
            rest = _REST.match(code, at)
            assert rest is not None
            made.append(found[1] + ("pass" if magic else "get_ipython()") + "\n" * rest[0].count("\n"))
            at = rest.end()
            if at < len(code):
                made.append("\n")
                at += 1
            continue
        end = _end(code, at)
        made.append(code[at:end])
        at = end
    return "".join(made)


def _end(code: str, at: int) -> int:
    """Where the next line of Python begins: behind brackets, strings over several lines and continued lines."""
    depth = 0
    for match in tokens(code, at):
        depth += (match[0] in "([{") - (match[0] in ")]}")
        if match[0] == "\n" and depth <= 0:
            return match.end()
    return len(code)
