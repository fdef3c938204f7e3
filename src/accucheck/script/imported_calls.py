"""The calls of MindSpore in a file by its imports alone, for code that the tracer does not reach: networks that are picked by
name, for instance. Arguments that are no constants are unknown."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .source import Source
from .syntax import walk
from .values import Call, KnownValue, UnknownValue, Value


def calls(source: Source) -> Iterator[Call]:
    """Each call of something of MindSpore, under its full name."""
    aliases = dict(_imports(source.tree))
    for node in source.nodes_of(ast.Call):
        if not (name := _dotted(node.func, aliases)).startswith("mindspore."):
            continue
        unpacked = any(isinstance(arg, ast.Starred) for arg in node.args) or any(k.arg is None for k in node.keywords)
        args = [_value(arg) for arg in node.args if not isinstance(arg, ast.Starred)]
        keywords = {keyword.arg: _value(keyword.value) for keyword in node.keywords if keyword.arg is not None}
        yield Call(name, args, keywords, node, source, unpacked=unpacked)


def _imports(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.asname or alias.name.split(".")[0], alias.name if alias.asname else alias.name.split(".")[0]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def _dotted(node: ast.expr, aliases: dict[str, str]) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in aliases:
        return ""
    return ".".join([aliases[node.id], *reversed(parts)])


def _value(node: ast.expr) -> Value:
    if isinstance(node, ast.Constant):
        return KnownValue(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        number = node.operand.value
        return KnownValue(-number) if isinstance(number, (int, float)) else UnknownValue()
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return UnknownValue(name)
