"""What a script defines, apart from what it runs: a function of a script that trains at its top level is called without the training."""

from __future__ import annotations

import ast
import builtins
import importlib.util
import os
import sys
from collections.abc import Collection, Iterator
from types import ModuleType
from typing import Any

#: Packages whose calls at the top of a script make something, as nn.CrossEntropyLoss() and logging.getLogger() do.
_MAKING = frozenset({"mindspore", "numpy", "math", "re", "pathlib", "logging", "collections", "functools"})
#: Packages that give what the command line says, which a script that is only read does not have.
_COMMAND = frozenset({"sys", "argparse", "absl", "click", "fire"})
#: Packages whose calls at the top of a script set what the rest runs with: sys.path, the context, seeds.
_SETTING = frozenset({"mindspore", "numpy", "os", "random", "sys", "warnings"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef)
#: Bytes of a script that is read.
_BYTES = 4 << 20


def is_call(value: Any) -> bool:
    """Whether an argument in a case is a call itself: {"call": "module:function"}, with "args" or without."""
    if not isinstance(value, dict) or not value.keys() <= {"call", "args"}:
        return False
    return ":" in str(value.get("call")) and isinstance(value.get("args", {}), dict)


def is_idle(tree: ast.Module) -> bool:
    """Whether importing a module only defines something."""
    harmless = {name for name, package in _imported(tree).items() if package in _MAKING}
    return all(_only_defines(node, harmless) for node in tree.body)


def needed(tree: ast.Module, name: str) -> list[ast.stmt] | None:
    """The statements at the top of a module that a name needs, in their order: its own, those of the names within, and what is set
    before them.

    None where it cannot be told which they are, or where a value depends on the command line: a name is bound in a loop or a
    condition, by a function or by an import of all names, or a statement uses what sys or argparse gives. What binds a name after the
    statement that reads it does not count.
    """
    elsewhere = {one for node in ast.walk(tree) if isinstance(node, ast.Global) for one in node.names}
    known = {one for node in tree.body for one in _bound(node)} | {*dir(builtins), "__file__", "__name__"}
    command = {name for name, package in _imported(tree).items() if package in _COMMAND}
    kept, seen, waiting = set(), set(), [(name, len(tree.body))]
    while waiting:
        wanted, before = waiting.pop()
        if (wanted, before) in seen:
            continue
        seen.add((wanted, before))
        if wanted in elsewhere or wanted not in known:
            return None
        for at, node in enumerate(tree.body[:before]):
            if wanted not in _bound(node) and not _changes(node, wanted):
                continue
            if not _stands_apart(node, command):
                return None
            kept.add(at)
            # what is defined reads its names when it is called, a statement when it runs
            waiting += [(one, before if isinstance(node, _DEFINITIONS) else at) for one in _read(node)]
    if not any(name in _bound(tree.body[at]) for at in kept):
        return None
    kept |= _settings(tree, max(kept))
    return [tree.body[at] for at in sorted(kept)]


def _stands_apart(node: ast.stmt, command: set[str]) -> bool:
    """Whether a statement can be run without the others around it, and without what the command line says."""
    if isinstance(node, (*_DEFINITIONS, ast.Import, ast.ImportFrom)):
        return True
    plain = isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr))
    return plain and not _read(node) & command


def _settings(tree: ast.Module, before: int) -> set[int]:
    """The places of statements that set what the rest runs with, by what is imported alone, and of these imports."""
    imported = _imported(tree)
    alone = {*imported, *dir(builtins), "__file__"}
    found = {
        at
        for at, node in enumerate(tree.body[:before])
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and imported.get(_root(node.value) or "") in _SETTING
        and _read(node) <= alone
    }
    used = {name for at in found for name in _read(tree.body[at])}
    return found | {
        at
        for at, node in enumerate(tree.body)
        if isinstance(node, (ast.Import, ast.ImportFrom)) and used & _bound(node)
    }


def module_with(module: str, name: str, scripts: Collection[str]) -> ModuleType | None:
    """A script with no more than a name needs. `scripts`: the paths of those that are started, and not imported by others.

    None where it is imported as any other module: it is not one of these, runs nothing, or cannot be taken apart.
    """
    spec = None if module in sys.modules and module not in _partial else importlib.util.find_spec(module)
    path = spec.origin if spec is not None else None
    if spec is None or path is None or os.path.realpath(path) not in scripts:
        return None
    if module not in _partial:
        with open(path, "rb") as stream:  # no pathlib where nothing else needs it
            tree = ast.parse(stream.read(_BYTES), path)
        if is_idle(tree):
            return None
        _partial[module] = importlib.util.module_from_spec(spec), tree, set()
    script, tree, done = _partial[module]
    statements = needed(tree, name)
    if statements is None:
        return None
    sys.modules[module] = script
    rest = [one for one in statements if id(one) not in done]
    done.update(map(id, rest))
    exec(compile(ast.Module(rest, []), path, "exec"), script.__dict__)  # noqa: S102  # the user's own lines, after consent
    return script


#: Modules of which not all is run, each with its tree and the ids of the statements that were.
_partial: dict[str, tuple[ModuleType, ast.Module, set[int]]] = {}


def _imported(tree: ast.Module) -> dict[str, str]:
    """The names that a module imports, each with its package; its own package is "."."""
    found = {}
    for node in tree.body:
        if isinstance(node, ast.Import):
            found.update({one.asname or one.name.partition(".")[0]: one.name.partition(".")[0] for one in node.names})
        elif isinstance(node, ast.ImportFrom):
            package = "." if node.level else (node.module or "").partition(".")[0]
            found.update({one.asname or one.name: package for one in node.names})
    return found


def _only_defines(node: ast.stmt, harmless: set[str]) -> bool:
    """Whether a statement of a module only defines something, or runs where the module is the program alone."""
    if isinstance(node, ast.If):
        return any(isinstance(one, ast.Name) and one.id == "__name__" for one in ast.walk(node.test))
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        return all(_root(one.func) in harmless for one in ast.walk(node) if isinstance(one, ast.Call))
    plain = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return plain or isinstance(node, (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef))


def _root(value: ast.expr) -> str | None:
    """The name that a dotted name, or a chain of calls, begins with."""
    while isinstance(value, (ast.Attribute, ast.Call, ast.Subscript)):
        value = value.func if isinstance(value, ast.Call) else value.value
    return value.id if isinstance(value, ast.Name) else None


def _bound(node: ast.stmt) -> set[str]:
    """The names that a statement at the top of a module gives a value."""
    if isinstance(node, _DEFINITIONS):
        return {node.name}
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {one.asname or one.name.partition(".")[0] for one in node.names}
    return {one.id for one in inner(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}


def _changes(node: ast.stmt, name: str) -> bool:
    """Whether a statement calls a method of a name, or sets an item or an attribute of it, as rows.append(x) does."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Call) and _root(node.value) == name
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AugAssign) else []
    return any(isinstance(one, (ast.Attribute, ast.Subscript)) and _root(one) == name for one in targets)


def _read(node: ast.AST) -> set[str]:
    """The names that a statement reads, those within functions and classes too but for what is their own."""
    found = {node.id} if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) else set()
    for child in ast.iter_child_nodes(node):
        found |= _read(child)
    if not isinstance(node, (*_FUNCTIONS, ast.Lambda)):
        return found
    within = list(inner(node))
    own = {one.arg for one in within if isinstance(one, ast.arg)}
    own |= {one.id for one in within if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    return found - own - {one.name for one in ast.walk(node) if isinstance(one, _DEFINITIONS)}


def inner(node: Any) -> Iterator[ast.AST]:
    """The nodes within a statement, but for those of functions and classes within."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (*_DEFINITIONS, ast.Lambda)):
            yield child
            yield from inner(child)
