"""Which folders a module adds to sys.path, as far as constants, __file__ and os.path or pathlib tell."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

from .source import Source
from .syntax import called_name

#: Values that an expression may have, and how deep it is looked into.
MOST, DEPTH = 8, 30

_KEPT = frozenset(
    ("abspath", "realpath", "normpath", "expanduser", "str", "resolve", "absolute", "as_posix", "fspath", "expandvars")
)


def additions(source: Source, working: Sequence[Path]) -> list[tuple[Path, bool]]:
    """The folders that exist, in the order of adding, each with whether it goes to the front.

    `working` are the folders that the script may be started in: relative names count from them.
    """
    if not any("sys.path" in line for line in source.lines):
        return []
    walk = list(source.nodes)
    texts = _Texts(source, _named(walk), [str(folder) for folder in working])
    found = []
    for line, added, front in sorted(_added(walk), key=lambda one: one[0]):
        for folder, text in ((folder, text) for text in texts.of(added, line) for folder in working):
            path = Path(os.path.normpath(os.path.join(folder, text)))
            if os.path.isdir(path) and (path, front) not in found:  # noqa: PTH112 - a name too long is not there either
                found.append((path, front))
    return found


def _named(walk: list[ast.AST]) -> dict[str, list[tuple[int, list[ast.expr]]]]:
    """What variables are set to, or go through, each with its line."""
    names: dict[str, list[tuple[int, list[ast.expr]]]] = {}
    for node in walk:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            names.setdefault(node.targets[0].id, []).append((node.lineno, [node.value]))
        if not isinstance(node, ast.For) or not isinstance(node.iter, (ast.List, ast.Tuple)):
            continue
        if isinstance(node.target, ast.Name):
            names.setdefault(node.target.id, []).append((node.lineno, node.iter.elts[:MOST]))
    return names


def _added_by(method: str, node: ast.Call) -> Iterator[tuple[int, ast.expr, bool]]:
    if method == "append" and len(node.args) == 1:
        yield node.lineno, node.args[0], False
    elif method == "insert" and len(node.args) == 2:
        yield node.lineno, node.args[1], True
    elif method == "extend" and node.args and isinstance(node.args[0], (ast.List, ast.Tuple)):
        yield from ((node.lineno, item, False) for item in node.args[0].elts)


def _added(nodes: Sequence[ast.AST]) -> Iterator[tuple[int, ast.expr, bool]]:
    """(line, what is added, whether in front) of each call of a method of sys.path, and of += on it."""
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _is_sys_path(node.func.value):
            yield from _added_by(node.func.attr, node)
        elif (
            isinstance(node, ast.AugAssign)
            and _is_sys_path(node.target)
            and isinstance(node.value, (ast.List, ast.Tuple))
        ):
            yield from ((node.lineno, item, False) for item in node.value.elts)


def _is_sys_path(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Attribute)
        and node.attr == "path"
        and isinstance(node.value, ast.Name)
        and node.value.id == "sys"
    )


class _Texts:
    """The texts that an expression for a path may stand for; none when that cannot be told."""

    def __init__(self, source: Source, names: dict[str, list[tuple[int, list[ast.expr]]]], working: list[str]) -> None:
        self.source, self.names, self.working = source, names, working

    def of(self, node: ast.expr, line: int, depth: int = 0) -> list[str]:
        """`line` is where the expression is used: names mean what was assigned above it."""
        if depth > DEPTH:
            return []
        method = getattr(self, "of_" + type(node).__name__, None)
        found: list[str] = method(node, line, depth + 1) if method else []
        return list(dict.fromkeys(found))[:MOST]

    def of_Constant(self, node: ast.Constant, line: int, depth: int) -> list[str]:
        return [node.value] if isinstance(node.value, str) and "\0" not in node.value else []

    def of_Name(self, node: ast.Name, line: int, depth: int) -> list[str]:
        if node.id == "__file__":
            return [str(self.source.file)]
        above = [held for held in self.names.get(node.id, ()) if held[0] < line]
        if not above:
            return []
        at, values = max(above, key=lambda held: held[0])
        return [text for value in values for text in self.of(value, at, depth)]

    def of_JoinedStr(self, node: ast.JoinedStr, line: int, depth: int) -> list[str]:
        parts = [part.value if isinstance(part, ast.FormattedValue) else part for part in node.values]
        return self.joined(parts, "", line, depth)

    def of_BinOp(self, node: ast.BinOp, line: int, depth: int) -> list[str]:
        if isinstance(node.op, ast.Add):
            return self.joined([node.left, node.right], "", line, depth)
        return self.joined([node.left, node.right], "/", line, depth) if isinstance(node.op, ast.Div) else []

    def of_Attribute(self, node: ast.Attribute, line: int, depth: int) -> list[str]:
        if node.attr in ("pardir", "curdir"):
            return [".." if node.attr == "pardir" else "."]
        return [_above(text) for text in self.of(node.value, line, depth)] if node.attr == "parent" else []

    def of_Subscript(self, node: ast.Subscript, line: int, depth: int) -> list[str]:
        place = node.slice.value if isinstance(node.slice, ast.Constant) else None
        if _is_sys_path(node.value) and place == 0:
            return self.working[:1]  # the folder of the script that is started
        if isinstance(node.value, ast.Attribute) and node.value.attr == "parents" and isinstance(place, int):
            found = self.of(node.value.value, line, depth)
            for _ in range(min(max(place, 0), 20) + 1):
                found = [_above(text) for text in found]
            return found
        if isinstance(node.value, ast.Call) and place == 0 and node.value.args and _splits_path(node.value.func):
            return [os.path.dirname(text) for text in self.of(node.value.args[0], line, depth)]
        return []

    def of_Call(self, node: ast.Call, line: int, depth: int) -> list[str]:
        name = called_name(node)
        if name in ("getcwd", "cwd"):
            return list(self.working)
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        if name in ("join", "Path", "PurePath", "joinpath"):
            parts = [owner, *node.args] if name == "joinpath" and owner is not None else node.args
            return self.joined(parts, "/", line, depth) if parts else ["."]
        of = node.args[0] if node.args else owner
        if of is None or len(node.args) > 1:
            return []
        if name == "dirname":
            return [os.path.dirname(text) for text in self.of(of, line, depth)]
        return self.of(of, line, depth) if name in _KEPT else []

    def joined(self, parts: Sequence[ast.expr], sign: str, line: int, depth: int) -> list[str]:
        """Each way to put the parts together: as texts, or with the sign "/" as paths."""
        ways = [self.of(part, line, depth) for part in parts[:20]]
        if len(parts) > 20 or not all(ways):
            return []
        made = (os.path.join(*way) if sign else "".join(way) for way in product(*ways))
        return [text for text, _ in zip(made, range(MOST), strict=False)]


def _splits_path(node: ast.expr) -> bool:
    """True for os.path.split, not for the method of a text."""
    if not isinstance(node, ast.Attribute):
        return isinstance(node, ast.Name) and node.id == "split"
    owner = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
    return node.attr == "split" and owner in ("path", "osp")


def _above(text: str) -> str:
    """The parent of a path: of an absolute or relative one, which may be the folder that the script is started in."""
    return os.path.dirname(text) or ("." if text not in ("", ".", "..") else os.path.join("..", text))
