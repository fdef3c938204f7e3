"""Packages that are known by what they do: read from their description in place of code that is not there to be followed.

A description has no place in the project. What it does is placed where the project imports the package; a setting has the place of the
option or configuration that sets it, as everywhere.
"""

from __future__ import annotations

import ast
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ..knowledge import suites
from . import syntax
from .source import Source


@dataclass(frozen=True)
class Described(Source):
    """A description, with the path and lines of the file that imports the package, and all its nodes at the line of the import. `own` is
    the text of the description itself, `line` that of the import; `copied` tells that the project has the package, too."""

    own: str = ""
    line: int = 1
    copied: bool = False

    @cached_property
    def text(self) -> str:
        return self.own


def is_described(package: str) -> bool:
    return package in suites.packages()


def read(package: str, importer: Source, copied: bool) -> Described:
    """The description of a package that has one, as `importer` gets it; `copied`: the project has the package, too."""
    path = suites.path(package)
    text = path.read_text("utf-8")
    tree = syntax.parse(text, path.name)
    line = _line_of_import(importer, package)
    _move(tree, line)
    return Described(importer.path, path, tree, importer.lines, own=text, line=line, copied=copied)


def _line_of_import(importer: Source, package: str) -> int:
    modules = [(alias.name, node.lineno) for node in importer.nodes_of(ast.Import) for alias in node.names]
    modules += [(node.module or "", node.lineno) for node in importer.nodes_of(ast.ImportFrom)]
    return min((line for module, line in modules if module.partition(".")[0] == package), default=1)


def _move(tree: ast.Module, line: int) -> None:
    """Place every node at one line; the line that it has in the description becomes its column, which keeps places apart."""
    for node in syntax.walk(tree):
        if isinstance(node, (ast.stmt, ast.expr, ast.arg, ast.keyword, ast.alias)):
            node.col_offset = node.end_col_offset = node.lineno
            node.lineno = node.end_lineno = line


def exceeds(folder: Path, most: int) -> bool:
    """Whether a package has more modules than that."""
    found = 0
    for _, _, names in os.walk(folder):
        found += sum(name.endswith(".py") for name in names)
        if found > most:
            return True
    return False
