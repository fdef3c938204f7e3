"""Packages that are known by what they do: read from their description in place of code that is not there to be followed.

A description has no place in the project. What it does is placed where the project calls it: at the call of its function, or that makes an
object of its class; what nobody calls, where the project imports the package. A setting has the place of the option or configuration that
sets it, as everywhere.
"""

from __future__ import annotations

import ast
import os
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from ..knowledge import suites
from . import syntax
from .source import Source

#: So many calls of a description have a place of their own.
SITES = 100


@dataclass(frozen=True)
class Described(Source):
    """A description, with the path and lines of a file of the project, and all its nodes at one line of it, where the package is imported
    or called. `own` is the text of the description itself, `line` that line; `copied` tells that the project has the package, too.
    `called`: it is that of a call, which that of the import holds in `sites` by path and line."""

    own: str = ""
    line: int = 1
    copied: bool = False
    called: bool = False
    sites: dict[tuple[str, int], Described] = field(default_factory=dict, compare=False)

    @cached_property
    def text(self) -> str:
        return self.own

    def at(self, caller: Source, line: int) -> Described | None:
        """The same as a call in a line of the project enters it; None where it is called in too many places."""
        site = caller.path, line
        if site not in self.sites and len(self.sites) < SITES:
            self.sites[site] = _placed(self.file, caller, line, self.copied, called=True)
        return self.sites.get(site)


def is_described(package: str) -> bool:
    return package in suites.packages()


def read(part: str, importer: Source, copied: bool) -> Described:
    """The description of a package, or a part of one, as `importer` gets it; `copied`: the project has the package, too."""
    return _placed(suites.path(part), importer, _line_of_import(importer, part), copied, called=False)


def _placed(path: Path, source: Source, line: int, copied: bool, called: bool) -> Described:
    text = path.read_text("utf-8")
    tree = syntax.parse(text, path.name)
    _move(tree, line)
    return Described(source.path, path, tree, source.lines, own=text, line=line, copied=copied, called=called)


def _line_of_import(importer: Source, part: str) -> int:
    modules = [(alias.name, node.lineno) for node in importer.nodes_of(ast.Import) for alias in node.names]
    modules += [(node.module or "", node.lineno) for node in importer.nodes_of(ast.ImportFrom)]
    return min((line for module, line in modules if suites.part_of(module) == part), default=1)


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
