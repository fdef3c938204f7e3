"""A Python file -> its text and syntax tree. Nothing is imported or run."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Protocol, TypeVar, cast

from ..errors import ReadError, from_os_error
from ..model import Code
from . import notebook, syntax
from .encoding import candidates, decode
from .patch import Edit, split, unified
from .syntax import walk

#: No script written by a person comes near this.
LIMIT = 4 << 20
#: Characters of a diff; more has lines that no person wrote.
LARGEST = 1 << 16


class SourceNode:
    """What stands at a node of a syntax tree."""

    __slots__ = ()
    node: ast.AST | None

    @property
    def line(self) -> int:
        return getattr(self.node, "lineno", 1)

    @property
    def last_line(self) -> int:
        return getattr(self.node, "end_lineno", None) or self.line


class RuleMessage(Protocol):
    """What a rule says of a place."""

    @property
    def code(self) -> str: ...

    @property
    def source(self) -> Source: ...

    @property
    def node(self) -> ast.AST: ...


_Said = TypeVar("_Said", bound=RuleMessage)
_Node = TypeVar("_Node", bound=ast.AST)


def once_each(said: Iterable[_Said]) -> list[_Said]:
    """Each thing once for a place; what one run of a function does right does not hide what another does wrong."""
    found: dict[tuple[str, str, int, int], _Said] = {}
    for one in said:
        place = getattr(one.node, "lineno", 1), getattr(one.node, "col_offset", 0)
        found.setdefault((one.code, one.source.path, *place), one)
    return list(found.values())


@dataclass(frozen=True)
class Source:
    """`path` as it is shown, `file` as it is opened; `lines` without line ends.

    `encoding` is what the bytes were taken for. Of a notebook, `cells` tells which lines belong together; see notebook.
    """

    path: str
    file: Path
    tree: ast.Module
    lines: tuple[str, ...]
    encoding: str = "utf-8"
    cells: tuple[notebook.Cell, ...] = ()

    def code(self, first: int, last: int | None = None, around: int = 2) -> Code:
        """The lines from `first` to `last` (from 1) marked, with some around them; at most 30 lines.

        Those of a notebook end with their cell, whose number the path then names.
        """
        last = min(last or first, first + 20)
        start, end = max(1, first - around), min(len(self.lines), last + around)
        path = self.path
        if cell := next((cell for cell in self.cells if cell.first <= first <= cell.last), None):
            start, end, last = max(start, cell.first), min(end, cell.last), min(last, cell.last)
            path = f"{path} [{cell.number}]"
        text = "\n".join(line[:400] for line in self.lines[start - 1 : end])
        return Code(path, start, text, list(range(first, last + 1)))

    def diff(self, line: int, new: str) -> str | None:
        """A unified diff that replaces one line; see patch."""
        return self.patch([(line, line, new.split("\n"))])

    def patch(self, edits: Sequence[tuple[int, int, Sequence[str]]]) -> str | None:
        """A unified diff that replaces lines, each edit (first line, last line, replacement lines without line ends).

        An edit whose last line is before its first inserts there. The diff applies to the bytes on disk; None where it could
        not: a file of another encoding than UTF-8 with other than ASCII near the edits, one with bare carriage returns, one
        outside of the project or behind a symbolic link, one that has changed since, and a notebook.
        """
        if self._disk is None or any(first < 1 for first, _, _ in edits):
            return None
        disk, end, plain = self._disk
        made: list[Edit] = []
        for first, last, new in edits:
            first, last = min(first, len(disk) + 1), min(last, len(disk))
            old = tuple(disk[first - 1 : last])
            ends = [line[len(line.rstrip("\r\n")) :] for line in old] or [end]
            lines = [line + (ends[0] or end) for line in new]
            if first == len(disk) + 1 and disk and not disk[-1].endswith("\n"):  # the last line gets an end first
                first, old, lines = len(disk), (disk[-1],), [disk[-1] + end, *lines]
            elif lines and not ends[-1]:
                lines[-1] = lines[-1].removesuffix(ends[0] or end)
            if first == 1 and lines and disk[0].startswith("\ufeff"):  # the mark stays in front of everything
                old, lines = (old, lines) if old else ((disk[0],), [*lines, disk[0][1:]])
                lines[0] = "\ufeff" + lines[0]
            made.append(_trimmed(Edit(first, old, tuple(lines))))
        made = sorted(edit for edit in dict.fromkeys(made) if edit.old != edit.new)
        if any(one.clashes(other) for one, other in pairwise(made)):
            return None
        diff = unified(self.path, disk, made)
        return diff if 0 < len(diff) <= LARGEST and (plain or diff.isascii()) else None

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Every node of the tree, as ast.walk has them."""
        return tuple(walk(self.tree))

    @cached_property
    def _by_kind(self) -> dict[type[ast.AST], list[ast.AST]]:
        found: dict[type[ast.AST], list[ast.AST]] = {}
        for node in self.nodes:
            found.setdefault(node.__class__, []).append(node)
        return found

    def nodes_of(self, kind: type[_Node]) -> list[_Node]:
        """The nodes of one class, in the order of `nodes`."""
        return cast("list[_Node]", self._by_kind.get(kind, []))

    @cached_property
    def text(self) -> str:
        return "\n".join(self.lines)

    @cached_property
    def _disk(self) -> tuple[list[str], str, bool] | None:
        """The lines as they are on disk, with their ends; the line end in use; whether all is UTF-8.

        None when no diff of this file can be trusted.
        """
        links = [self.file, *self.file.parents][: self.path.count("/") + 1]
        outside = Path(self.path).is_absolute() or self.path.startswith("../") or self.file.suffix == ".ipynb"
        try:
            if outside or any(part.is_symlink() for part in links):
                return None
            data = self.file.read_bytes()
            changed = decode(data, self.encoding) != "\n".join(self.lines)
        except OSError:
            return None
        if changed or b"\r" in data.replace(b"\r\n", b"\n"):  # a bare one ends a line for Python, and none for git
            return None
        text = data.decode("utf-8", "surrogateescape")
        plain = text.removeprefix("\ufeff").replace("\r\n", "\n") == "\n".join(self.lines)
        return split(text), "\r\n" if "\r\n" in text else "\n", plain

    def segment(self, node: ast.expr, limit: int = 120) -> str:
        """The text of an expression on one line."""
        try:
            text = " ".join(ast.unparse(node).split())
        except RecursionError:
            text = "…"
        return text if len(text) <= limit else text[: limit - 1] + "…"


def read(path: Path, shown: str, parse: Callable[[str, str], ast.Module] = syntax.parse) -> Source:
    """A Python file or a notebook, decoded and parsed as Python 3. Raises ReadError for whatever keeps it from being examined.

    A text that is not in the encoding it says, or says none and is no UTF-8, is taken for what it may be: see encoding.
    """
    data = _bytes(path, shown)
    encodings = candidates(data)
    problem: ReadError | None = None
    for encoding in encodings:
        text = decode(data, encoding)
        if text is None:
            continue
        run = text
        cells: tuple[notebook.Cell, ...] = ()
        if path.suffix == ".ipynb":
            text, run, cells = notebook.read(text, shown)
        try:
            tree = parse(run, shown)
        except ReadError as error:
            problem = problem or error
            if encoding == encodings[0] or error.code != "script-syntax":
                break  # as it should be, only wrong; a wrong guess may be what breaks it
        else:
            return Source(shown, path, tree, tuple(text.split("\n")), encoding, cells)
    assert problem is not None  # any bytes are Latin-1
    raise problem


def _bytes(path: Path, shown: str) -> bytes:
    limit = notebook.LIMIT if path.suffix == ".ipynb" else LIMIT
    try:
        if path.is_dir():
            raise ReadError("is-directory", path=shown)
        if not path.is_file() and path.exists():
            raise ReadError("not-regular", path=shown)
        with open(path, "rb") as stream:
            data = stream.read(limit + 1)
    except OSError as error:
        raise from_os_error(error, shown) from None
    if len(data) > limit:
        raise ReadError("too-large", path=shown, size=path.stat().st_size, limit=limit)
    if not data.strip():
        raise ReadError("empty", path=shown) if not data else ReadError("script-empty", path=shown)
    return data


def _trimmed(edit: Edit) -> Edit:
    """The edit without the lines at its start and end that stay as they are."""
    first, old, new = edit
    while old and new and old[0] == new[0]:
        first, old, new = first + 1, old[1:], new[1:]
    while old and new and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    return Edit(first, old, new)
