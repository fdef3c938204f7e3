"""Configuration files that a script loads: YAML, JSON and Python below the project, as values that may be otherwise at run time."""

from __future__ import annotations

import ast
import os
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ..document import beyond_bounds, line_of, safe_loader
from .syntax import kept
from .values import Items, KnownValue, Mapping, Value, ValueOrigin

if TYPE_CHECKING:
    from .expressions import Expressions as Tracer

ENDINGS = (".yaml", ".yml", ".json")
#: A larger file is not taken for a configuration.
LIMIT = 1 << 20
#: Lists and mappings within each other are followed so deep.
DEEP = 20
#: So many values are made of one file.
MOST = 200_000
#: A file with more aliases is not taken for a configuration; _Reader.left bounds what these may stand for.
ALIASES = 1000


def load(
    root: Path, entry: Path, importer: Path, name: str, several: bool, origin: str = "config"
) -> tuple[Path, Value] | None:
    """A file by the name the script opens it with: below the working folder (the project's or the script's own), or made from
    __file__, with its values, which have this origin. None when it is not there, not below `root`, or not readable: its values are
    then unknown."""
    path = find(root, entry, importer, name)
    try:
        if path is None or path.stat().st_size > LIMIT:
            return None
        documents = _parse(path.read_bytes(), path.suffix.lower())
        shown = path.relative_to(os.path.realpath(root)).as_posix()
        values = [_Reader(origin, shown).value(document, ()) for document in documents]
    except (OSError, ValueError, RecursionError, msgspec.MsgspecError):
        return None
    if several:
        return path, Items(values)
    return (path, values[0]) if values else None


def of_text(text: str, origin: str | None) -> Value | None:
    """What a short YAML text stands for, such as a value that the command gives; None where it is none."""
    try:
        documents = _parse(text.encode(), ".yaml")
        return _Reader(origin or "config", "").value(documents[0], ()) if len(documents) == 1 else None
    except (ValueError, RecursionError, msgspec.MsgspecError):
        return None


def of_module(names: Mapping, origin: str, place: str) -> Value:
    """What a configuration in Python, the file `place`, defines: its constants have this origin, as those of YAML have. Lists and dicts
    that it makes of others keep where these come from."""
    return _Reader(origin, place).of_value(names, ())


def find(root: Path, entry: Path, importer: Path, name: str) -> Path | None:
    if "\0" in name:
        return None
    real = Path(os.path.realpath(root))
    for folder in (entry, root, importer.parent):
        path = Path(os.path.realpath(folder / name))
        if path.is_relative_to(real) and os.path.isfile(path):  # noqa: PTH113 - a name too long is not there either
            return path
    return None


def fault(root: Path, entry: Path, importer: Path, name: str) -> tuple[str, int, str] | None:
    """Where a YAML file that `load` could not read breaks its syntax: its path below `root`, the line from 1, and what is wrong there.
    None for any other obstacle."""
    import yaml

    path = find(root, entry, importer, name)
    try:
        if path is None or path.suffix.lower() == ".json" or path.stat().st_size > LIMIT:
            return None
        data = path.read_bytes()
        if not beyond_bounds(data, ALIASES):
            for _ in yaml.load_all(data, safe_loader()):
                pass
    except yaml.MarkedYAMLError as error:
        if path is None or error.problem_mark is None:
            return None
        shown = path.relative_to(os.path.realpath(root)).as_posix()
        return shown, error.problem_mark.line + 1, str(error.problem or error.context)[:200]
    except (OSError, ValueError, RecursionError, OverflowError, yaml.YAMLError):
        return None
    return None


@kept
def keys(path: Path) -> dict[str, list[tuple[int, str]]]:
    """Where a configuration file gives a name a plain value: the lines, from 1, and how it is written. Empty where it cannot be read."""
    import yaml

    found: dict[str, list[tuple[int, str]]] = {}
    if path.suffix not in ENDINGS:
        return found
    try:
        data = path.read_bytes()[: LIMIT + 1]
        root = None if len(data) > LIMIT or beyond_bounds(data, ALIASES) else yaml.compose(data, safe_loader())
    except (OSError, ValueError, RecursionError, OverflowError, yaml.YAMLError):
        return found
    waiting = [root] if root is not None else []
    seen: set[int] = set()
    while waiting:
        node = waiting.pop()
        if id(node) in seen:  # another place has it by an alias
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            waiting += node.value
        elif isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                waiting.append(value)
                if isinstance(key, yaml.ScalarNode) and isinstance(value, yaml.ScalarNode):
                    found.setdefault(key.value, []).append((value.start_mark.line + 1, value.value))
    return found


def line(text: bytes, suffix: str, keys: tuple[str | int, ...]) -> int:
    """The line (from 1) of a configuration file that sets what these keys lead to, or of the nearest parent that is there."""
    return line_of(text, [*keys]) if suffix in ENDINGS else _line_of_module(text, keys)


def _line_of_module(text: bytes, keys: tuple[str | int, ...]) -> int:
    """As `line`, of a configuration in Python: its last assignment of the first key, and below it dicts, lists and dict(...)."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return 1
    node: ast.AST | None = None
    place = 1
    for statement in body:
        if isinstance(statement, ast.Assign) and any(_is_name(target, keys[:1]) for target in statement.targets):
            node, place = statement.value, statement.lineno
    for step in keys[1:]:
        if (found := _below(node, step)) is None:
            break
        place, node = found
    return place


def _is_name(target: ast.expr, keys: tuple[str | int, ...]) -> bool:
    return isinstance(target, ast.Name) and (target.id,) == keys


def _below(node: ast.AST | None, step: str | int) -> tuple[int, ast.expr] | None:
    """The line and value of what a dict, dict(...) or list as written has under a key or at a place."""
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        return next(((k.lineno, v) for k, v in pairs if isinstance(k, ast.Constant) and str(k.value) == step), None)
    if isinstance(node, ast.Call):
        return next(((one.lineno, one.value) for one in node.keywords if one.arg == step), None)
    if isinstance(node, (ast.List, ast.Tuple)) and isinstance(step, int) and step < len(node.elts):
        return node.elts[step].lineno, node.elts[step]
    return None


def note(tracer: Tracer, code: str, name: str, value: KnownValue, path: str, line: int) -> None:
    """Note a value of a configuration that does not fit, where the configuration gives it; else at the place that takes it."""
    for loaded in tracer.trace.loaded if tracer.root is not None else ():
        for number, text in keys(loaded).get(name, ()):
            if text == str(value.value) or code == "config-key":
                shown = os.path.relpath(loaded, os.path.realpath(tracer.root or loaded))
                tracer.trace.unbound.append((code, f"{name}: {text}"[:200], shown, number))
                return
    tracer.trace.unbound.append((code, f"{name}: {value.value}"[:200], path, line))


def _parse(data: bytes, suffix: str) -> list[Any]:
    if suffix == ".json":
        return [msgspec.json.decode(data)]
    if suffix not in (".yaml", ".yml"):
        return []
    import yaml

    try:
        if beyond_bounds(data, ALIASES):
            return []
        return list(yaml.load_all(data, safe_loader()))
    except (yaml.YAMLError, OverflowError) as error:
        raise ValueError(str(error)) from None


@dataclass
class _Reader:
    """Makes values of what stands in the file `place`; "" for a text that stands in none. `left`: so many more; with aliases a small
    file holds any number."""

    origin: str
    place: str
    left: int = MOST

    def value(self, item: Any, keys: tuple[str | int, ...]) -> Value:
        """What stands behind `keys`. Raises ValueError where that is too much."""
        self.left -= 1
        if self.left < 0:
            raise ValueError(f"more than {MOST:,} values")
        if isinstance(item, dict) and len(keys) < DEEP:
            plain = {key: held for key, held in item.items() if _plain(key)}
            return Mapping({key: self.value(held, (*keys, str(key))) for key, held in plain.items()})
        if isinstance(item, list) and len(keys) < DEEP:
            return Items([self.value(held, (*keys, place)) for place, held in enumerate(item[:1000])])
        return self.constant(item if _plain(item) else str(item) if isinstance(item, (bytes, date)) else "…", keys)

    def of_value(self, held: Value, keys: tuple[str | int, ...]) -> Value:
        """What Python code has put behind `keys`: constants that it writes there become settings, anything else stays as it is."""
        if len(keys) < DEEP and isinstance(held, Mapping):
            return Mapping(
                {key: self.of_value(value, (*keys, str(key))) for key, value in held.items.items()}, held.fed
            )
        if len(keys) < DEEP and isinstance(held, Items):
            return replace(held, items=[self.of_value(value, (*keys, at)) for at, value in enumerate(held.items)])
        own = isinstance(held, KnownValue) and held.origin is None and _plain(held.value)
        return self.constant(held.value, keys) if own and isinstance(held, KnownValue) else held

    def constant(self, value: Any, keys: tuple[str | int, ...]) -> KnownValue:
        names = [step for step in keys if isinstance(step, str)]
        key = names[-1] if names else ""
        decider = ValueOrigin("configuration", key, value, self.place, keys)
        name = key if keys and keys[-1] == key else ""
        return KnownValue(value, self.origin, name, deciders=(decider,) if self.place else ())


def _plain(item: Any) -> bool:
    return isinstance(item, (str, int, float, bool, type(None)))
