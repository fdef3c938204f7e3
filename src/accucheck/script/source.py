"""A Python file -> its text and syntax tree. Nothing is imported or run."""

from __future__ import annotations

import ast
import difflib
import io
import tokenize
import warnings
from dataclasses import dataclass
from pathlib import Path

from ..errors import ReadError, from_os_error
from ..model import Code

#: No script written by a person comes near this.
LIMIT = 4 << 20


@dataclass(frozen=True)
class Source:
    """`path` as it is shown, `file` as it is opened; `lines` without line ends."""

    path: str
    file: Path
    tree: ast.Module
    lines: tuple[str, ...]

    def code(self, first: int, last: int | None = None, around: int = 2) -> Code:
        """The lines from `first` to `last` (from 1) marked, with some around them; at most 30 lines."""
        last = min(last or first, first + 20)
        start, end = max(1, first - around), min(len(self.lines), last + around)
        text = "\n".join(line[:400] for line in self.lines[start - 1 : end])
        return Code(self.path, start, text, list(range(first, last + 1)))

    def diff(self, line: int, new: str) -> str:
        """A unified diff that replaces one line."""
        old = list(self.lines)
        changed = [*old[: line - 1], new, *old[line:]]
        return (
            "\n".join(difflib.unified_diff(old, changed, f"a/{self.path}", f"b/{self.path}", lineterm="", n=2)) + "\n"
        )

    def segment(self, node: ast.expr, limit: int = 120) -> str:
        """The text of an expression on one line."""
        text = " ".join(ast.unparse(node).split())
        return text if len(text) <= limit else text[: limit - 1] + "…"


def read(path: Path, shown: str) -> Source:
    """Decode by BOM or coding cookie and parse as Python 3. Raises ReadError for whatever keeps a file from being examined."""
    try:
        if path.is_dir():
            raise ReadError("is-directory", path=shown)
        if not path.is_file() and path.exists():
            raise ReadError("not-regular", path=shown)
        with open(path, "rb") as stream:
            data = stream.read(LIMIT + 1)
    except OSError as error:
        raise from_os_error(error, shown) from None
    if len(data) > LIMIT:
        raise ReadError("too-large", path=shown, size=path.stat().st_size, limit=LIMIT)
    if not data.strip():
        raise ReadError("empty", path=shown) if not data else ReadError("script-empty", path=shown)
    text = _decode(data, shown)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes are no business of ours
            tree = ast.parse(text)
    except SyntaxError as error:
        raise ReadError("script-syntax", path=shown, line=error.lineno or 1, problem=error.msg) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise ReadError("script-syntax", path=shown, line=1, problem=str(error) or type(error).__name__) from None
    return Source(shown, path, tree, tuple(text.split("\n")))


def _decode(data: bytes, shown: str) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        encoding = "utf-16"
    else:
        try:
            encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        except SyntaxError as error:
            raise ReadError("script-syntax", path=shown, line=1, problem=error.msg) from None
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise ReadError("encoding", path=shown, offset=error.start, expected=encoding) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")
