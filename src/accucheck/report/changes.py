"""How the configuration of a training differs from the one it was made from, key by key. Read as text; nothing is run."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from .. import document
from ..case import Case
from ..errors import UserError

MOST_KEYS = 10_000  # of one file
MOST_DEPTH = 20
ABSENT = object()
CALLED = "()"  # the key of the function beside those of its arguments
#: What only makes a mapping of its arguments.
_MAPPINGS = re.compile(r"\w*dict|config|(simple)?namespace", re.I)


class SettingChange(NamedTuple):
    """A dotted key, its value in the base and in what was used; None where it is not given there."""

    key: str
    base: str | None
    used: str | None


def changes(case: Case) -> list[SettingChange] | None:
    """What differs of `configs.used` from `configs.base`; None where the case does not name both. Raises UserError."""
    base, used = case.get("configs.base"), case.get("configs.used")
    if base is None or used is None:
        return None
    before, after = (_flat(case.path(text), case.relative(text)) for text in (base, used))
    found = []
    for key in sorted({**before, **after}):
        left, right = before.get(key, ABSENT), after.get(key, ABSENT)
        if repr(_ordered(left)) != repr(_ordered(right)):  # 1, 1.0 and True differ, NaN is itself
            found.append(
                SettingChange(key, None if left is ABSENT else str(left), None if right is ABSENT else str(right))
            )
    return found


def _ordered(value: Any, depth: int = 0) -> Any:
    """A value whose mappings have their keys in one order: the order in which they are written means nothing."""
    if depth < MOST_DEPTH and isinstance(value, dict):
        return {key: _ordered(value[key], depth + 1) for key in sorted(value, key=repr)}
    if depth < MOST_DEPTH and isinstance(value, (list, tuple)):
        return type(value)(_ordered(each, depth + 1) for each in value)
    return value


def _flat(path: Path, shown: str) -> dict[str, Any]:
    """The values of a file by their dotted keys; lists are values. Raises UserError."""
    text = document.read_text(path)
    if path.suffix == ".py":
        values = _constants(text, shown)
    else:
        values = _json(text, shown) if path.suffix == ".json" else document.parse(text, shown)
        if not isinstance(values, dict):
            raise UserError("config-not-mapping", path=shown)
    found: dict[str, Any] = {}
    for key, value in _items(values, "", 0):
        if len(found) == MOST_KEYS:
            raise UserError("config-too-large", path=shown, limit=MOST_KEYS)
        found[key] = value
    return found


def _items(values: dict[Any, Any], prefix: str, depth: int) -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict) and value and depth < MOST_DEPTH:
            yield from _items(value, name + ".", depth + 1)
        else:
            yield name, value


def _json(text: bytes, shown: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UserError("config-syntax", path=shown, kind="JSON", problem=str(error)) from None


def _constants(text: bytes, shown: str) -> dict[str, Any]:
    """What a Python file assigns at its top level, or within its classes: constants, and other expressions as they are written."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UserError("config-syntax", path=shown, kind="Python", problem=str(error)) from None
    found: dict[str, Any] = {}

    def look(body: list[ast.stmt], prefix: str, depth: int) -> None:
        for node in body:
            if isinstance(node, ast.ClassDef) and depth < MOST_DEPTH:
                look(node.body, f"{prefix}{node.name}.", depth + 1)
            elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    found[prefix + ast.unparse(target)] = _constant(node.value)

    look(tree.body, "", 0)
    return found


def _constant(node: ast.expr) -> Any:
    """A literal, `dict(...)` and what wraps one of these (EasyDict) as values, other functions of such arguments with their name; the
    text of anything else."""
    if isinstance(node, ast.Call):
        given: Any = None
        if node.keywords and not node.args and all(word.arg for word in node.keywords):
            given = {word.arg: _constant(word.value) for word in node.keywords}
        elif len(node.args) == 1 and not node.keywords and isinstance(node.args[0], ast.Dict):
            given = _constant(node.args[0])
        if isinstance(given, dict):
            name = ast.unparse(node.func)
            return given if _MAPPINGS.fullmatch(name.rpartition(".")[2]) else {CALLED: name, **given}
    if isinstance(node, ast.Dict) and all(isinstance(key, ast.Constant) for key in node.keys):
        pairs = zip(node.keys, node.values, strict=True)
        return {key.value: _constant(value) for key, value in pairs if isinstance(key, ast.Constant)}
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return ast.unparse(node)
