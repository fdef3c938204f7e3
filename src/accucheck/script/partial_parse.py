"""What can still be read of a script that does not parse as a whole: the rest, with the offending lines left out.

A reviewer reads on after a broken line. What is found in the rest is shown; that all is well is never said of it.
"""

from __future__ import annotations

import ast
from pathlib import Path

from ..errors import ReadError
from .source import Source, read
from .syntax import tree_of

#: So many lines are left out at most, and so much text is parsed again for it, before the file counts as unreadable.
LINES, TEXT = 60, 8_000_000


def parse(text: str) -> ast.Module | None:
    """The tree of a text without the lines that break it; places stay what they are. None when too little is left."""
    lines = text.split("\n")
    for _ in range(min(LINES, TEXT // (len(text) + 1))):
        try:
            tree = tree_of("\n".join(lines), "")
            return tree if any(not isinstance(part, ast.Pass) for part in tree.body) else None
        except SyntaxError as error:
            place = min(max(1, error.lineno or 1), len(lines)) - 1
        except ReadError:
            return None
        while place > 0 and not lines[place].strip():
            place -= 1
        line = lines[place].strip()
        # A block may consist of this line alone, so it becomes a pass; where that is wrong too, it goes.
        indent = lines[place][: len(lines[place]) - len(lines[place].lstrip())]
        lines[place] = "" if line in ("", "pass") else indent + "pass"
    return None


def rest(path: Path, shown: str) -> Source | None:
    """What can be read of a file that source.read refused for its syntax."""

    def parsed(text: str, shown: str) -> ast.Module:
        tree = parse(text)
        if tree is None:
            raise ReadError("script-empty", path=shown)
        return tree

    try:
        return read(path, shown, parsed)
    except ReadError:
        return None
