"""What rules say about a script, before a probe puts it into words."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from .source import Source


class Place(Protocol):
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
    edits: Sequence[tuple[int, int, Sequence[str]]] = ()


def span(place: Place) -> tuple[Source, int, int]:
    source, node = place.source, place.node
    assert source is not None
    line = getattr(node, "lineno", 1)
    return source, line, getattr(node, "end_lineno", None) or line


def remark(
    place: Place,
    code: str,
    likely: bool = False,
    also: Iterable[Place] = (),
    edits: Sequence[tuple[int, int, Sequence[str]]] = (),
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
