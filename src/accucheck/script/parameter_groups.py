"""Lists of some of a network's parameters that are made beside those which an optimizer is given, and that nothing reads."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from .flow import sources
from .source import Source
from .syntax import walk
from .values import Call, Value


class UnusedList(NamedTuple):
    """Where parameters are put into a list that nothing reads."""

    source: Source
    node: ast.stmt
    name: str


def forgotten(given: Value, lists: frozenset[str]) -> Iterator[UnusedList]:
    """What is forgotten in the functions that list the parameters which an optimizer is given. `lists`: the methods that list them."""
    seen: set[int] = set()
    whole = [part for part in sources(given, _chooses) if _gets(part, lists)]
    for part in sources(given):
        if isinstance(part, Call) and _gets(part, lists):
            scope = part.frame.function.node if part.frame is not None else part.source.tree
            if id(scope) not in seen:
                seen.add(id(scope))
                for node, name in _unread(scope, lists):
                    if all(_within(one, node, lists) for one in whole):  # else all of them are given, in plain sight
                        yield UnusedList(part.source, node, name)


def _gets(part: Value, lists: frozenset[str]) -> bool:
    return isinstance(part, Call) and part.name in lists


def _within(part: Value, unread: ast.stmt, lists: frozenset[str]) -> bool:
    """Whether the parameters that are given whole are those of a part of the network that an unread list takes some of: those of
    net.backbone beside a choice of those of net."""
    given = part.node.func if isinstance(part, Call) and isinstance(part.node, ast.Call) else None
    if not isinstance(given, ast.Attribute):
        return False
    owners = [
        ast.unparse(one.value) for one in walk(unread) if isinstance(one, ast.Attribute) and f".{one.attr}" in lists
    ]
    return any(ast.unparse(given.value).startswith(f"{owner}.") for owner in owners)


def _chooses(value: Value) -> bool:
    """What may take some of a list: a loop over it, a comprehension, a filter."""
    return isinstance(value, Call) and value.name in (".each", "comprehension", "filter", "[]")


def _unread(scope: ast.AST, lists: frozenset[str]) -> Iterator[tuple[ast.stmt, str]]:
    read, named = _read(scope), _named(scope, lists)
    for node in walk(scope):
        if isinstance(node, ast.For) and isinstance(node.target, ast.Name) and _lists(node.iter, lists, named):
            yield from _in_block(node.body, node.target.id, read)
        elif isinstance(node, ast.Assign) and _picks(node.value, lists, named):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
            if len(names) == len(node.targets) and not read.intersection(names):
                yield node, names[0]


def _named(scope: ast.AST, lists: frozenset[str]) -> set[str]:
    """The names that a whole list of parameters is given: params = net.trainable_params()."""
    found = set[str]()
    for node in walk(scope):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            method = getattr(node.value.func, "attr", "")
            found.update(to.id for to in node.targets if isinstance(to, ast.Name) and f".{method}" in lists)
    return found


def _read(scope: ast.AST) -> set[str]:
    """The names that are asked for in more than to append to them."""
    nodes = walk(scope)
    receivers = {id(node.value) for node in nodes if isinstance(node, ast.Attribute) and node.attr == "append"}
    loads = [node for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
    outside = {name for node in nodes if isinstance(node, (ast.Global, ast.Nonlocal)) for name in node.names}
    return outside | {node.id for node in loads if id(node) not in receivers}


def _in_block(block: list[ast.stmt], parameter: str, read: set[str]) -> Iterator[tuple[ast.stmt, str]]:
    """Lists to which a parameter goes in a block and the blocks within, where it goes to none that is read, nor is frozen."""
    kept = {statement: name for statement in block if (name := _appended(statement, parameter)) is not None}
    if any(name in read for name in kept.values()) or any(map(_freezes, block)):
        return
    yield from kept.items()
    for statement in block:
        if isinstance(statement, ast.If):
            yield from _in_block(statement.body, parameter, read)
            yield from _in_block(statement.orelse, parameter, read)


def _appended(statement: ast.stmt, parameter: str) -> str | None:
    """The list to which a statement appends a parameter."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or len(call.args) != 1:
        return None
    to, what = call.func.value, call.args[0]
    one = isinstance(what, ast.Name) and what.id == parameter
    return to.id if call.func.attr == "append" and isinstance(to, ast.Name) and one else None


def _freezes(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Attribute) and part.attr == "requires_grad" for part in walk(node))


def _lists(node: ast.AST, lists: frozenset[str], named: set[str]) -> bool:
    return any(
        f".{part.attr}" in lists if isinstance(part, ast.Attribute) else isinstance(part, ast.Name) and part.id in named
        for part in walk(node)
    )


def _picks(node: ast.expr, lists: frozenset[str], named: set[str]) -> bool:
    """A list of parameters from which a condition takes some."""
    filtered = any(isinstance(part, ast.Call) and getattr(part.func, "id", "") == "filter" for part in walk(node))
    chosen = any(isinstance(part, ast.comprehension) and part.ifs for part in walk(node))
    return (filtered or chosen) and _lists(node, lists, named) and not _freezes(node)
