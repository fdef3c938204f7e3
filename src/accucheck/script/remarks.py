"""What rules say about a script, before a probe puts it into words."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

from .source import Source

#: First line, last line, and what takes their place.
Edit = tuple[int, int, "Sequence[str]"]


class SourcePlace(Protocol):
    """Whatever stands somewhere in a script."""

    @property
    def source(self) -> Source | None: ...
    @property
    def node(self) -> ast.AST | None: ...


@dataclass(frozen=True)
class Remark:
    """A code, its place, and what fills its words. `likely`: it rests on a default, an option or a name; `possible`: it is so
    on one way through the script, next to which another is sound; `also` are further lines to show; `edits` the lines to
    change (see Source.patch), where the mend is certain."""

    code: str
    source: Source
    line: int
    last: int
    data: dict[str, Any] = field(default_factory=dict)
    likely: bool = False
    possible: bool = False
    also: tuple[tuple[Source, int, int], ...] = ()
    edits: Sequence[Edit] = ()


def span(place: SourcePlace) -> tuple[Source, int, int]:
    source, node = place.source, place.node
    assert source is not None
    line = getattr(node, "lineno", 1)
    return source, line, getattr(node, "end_lineno", None) or line


def remark(
    place: SourcePlace,
    code: str,
    likely: bool = False,
    also: Iterable[SourcePlace] = (),
    edits: Sequence[Edit] = (),
    **data: Any,
) -> Remark:
    source, line, last = span(place)
    return Remark(code, source, line, last, data, likely, False, tuple(span(other) for other in also), edits)


def merged(remarks: Iterable[Remark]) -> list[Remark]:
    """Each code once at a place, as sure as the surest of those that say it."""
    found: dict[tuple[str, Path, int], Remark] = {}
    for one in remarks:
        key = one.code, one.source.file, one.line
        old = found.get(key)
        if old is None:
            found[key] = one
        else:
            found[key] = replace(old, likely=old.likely and one.likely, possible=old.possible and one.possible)
    return list(found.values())


def without_keyword(source: Source, call: ast.AST | None, name: str) -> list[Edit]:
    """The edit that takes a keyword out of a call; none where that is not simple."""
    if not isinstance(call, ast.Call):
        return []
    parts: list[ast.expr | ast.keyword] = sorted(
        [*call.args, *call.keywords], key=lambda part: (part.lineno, part.col_offset)
    )
    for before, part in pairwise(parts):
        if isinstance(part, ast.keyword) and part.arg == name:
            first, last = before.end_lineno or 0, part.end_lineno or 0
            new = _cut(source, first, before.end_col_offset)[0] + _cut(source, last, part.end_col_offset)[1]
            return [(first, last, [new])]
    return []


def with_keyword(source: Source, call: ast.AST | None, name: str, value: str) -> list[Edit]:
    """The edit that adds a keyword to a call, or gives it another value; none where that is not simple."""
    if not isinstance(call, ast.Call) or any(keyword.arg is None for keyword in call.keywords):
        return []
    for keyword in call.keywords:
        if keyword.arg == name:
            first, last = keyword.value.lineno, keyword.value.end_lineno or 0
            head = _cut(source, first, keyword.value.col_offset)[0]
            return [(first, last, [head + value + _cut(source, last, keyword.value.end_col_offset)[1]])]
    parts: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    if not parts:
        return []
    end = max(parts, key=lambda part: (part.end_lineno or 0, part.end_col_offset or 0))
    line = end.end_lineno or 0
    head, tail = _cut(source, line, end.end_col_offset)
    return [(line, line, [f"{head}, {name}={value}{tail}"])]


def _cut(source: Source, line: int, column: int | None) -> tuple[str, str]:
    """A line before and behind a column, which Python's parser counts in bytes."""
    data = source.lines[line - 1].encode()
    return data[:column].decode(errors="replace"), data[column:].decode(errors="replace")
