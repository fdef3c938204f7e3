"""accucheck graph."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from .frame import (
    OK,
    Argument,
    columns_of,
    command,
    json_option,
    language,
    option,
    project_option,
    say,
    show,
    show_json,
    show_lines,
    speak,
    talk,
)

if TYPE_CHECKING:
    from pathlib import Path

    from ..network.matching import NetworkMatch
    from ..network.tree import Network, SearchHit
    from ..project import Project

#: Columns of a row that give way where the terminal is narrow: the class, and what goes in and comes out.
_GIVE_WAY = (1, 2)
#: Levels of the tree and lines of it that are printed where nothing else is asked for.
_DEPTH, _LINES = 2, 60


@command(
    "graph",
    lambda: [
        Argument("source", words="graph-source", metavar="[SOURCE]", default=""),
        project_option(),
        option("--beside", words="graph-beside", default=None, metavar="[SOURCE]", is_flag=False, flag_value=""),
        option("--find", words="graph-find", default=None, metavar="TEXT"),
        option("--cell", "at", words="graph-cell", default=None, metavar="NAME"),
        option("--depth", words="graph-depth", type=click.IntRange(0, 128), default=None, metavar="N"),
        option("--output", "-o", words="graph-output", default=None, metavar="FILE.html"),
        option("--force", words="force", is_flag=True),
        json_option(),
    ],
)
def graph(
    source: str,
    project: str,
    beside: str | None,
    find: str | None,
    at: str | None,
    depth: int | None,
    output: str | None,
    force: bool,
    as_json: bool,
) -> None:
    from ..network import matching as besides

    opened = _opened(source, project)
    network = _read(opened, source)
    other = None if beside is None else besides.put(network, _read(opened, beside, benchmark=True))
    place = _place(network, at)
    if output is not None:
        _write(network, output, force, other, place)
        if not (find or at or depth is not None or as_json):
            return
    if as_json:
        show_json(_plain(network, other, place, find))
    elif find is not None:
        _show_found(network, find)
    elif at is not None and place is not None:
        _show_place(network, place, other, depth)
    else:
        _show_tree(network, other, depth)
    raise SystemExit(OK)


def _opened(source: str, project: str) -> Project | None:
    """The project whose network is looked at; None where a file or folder of its own is named."""
    from pathlib import Path

    from ..project import open_project

    folder = source or project
    if source and not _is_project(Path(source)):
        return None
    opened = open_project(Path(folder), session="none", take=True)
    speak(opened.case)
    opened.need_project()
    return opened


def _is_project(path: Path) -> bool:
    from ..case import FILE_NAME
    from ..store import FOLDER

    return path.is_dir() and any((path / name).exists() for name in (FILE_NAME, FOLDER))


def _read(opened: Project | None, source: str, *, benchmark: bool = False) -> Network:
    """The network of a source that is named, else what the project names. Raises UserError."""
    from pathlib import Path

    from ..errors import ReadError, UserError
    from ..network import sources

    if source and not _is_project(Path(source)):
        return sources.read(Path(source), source)
    if opened is None:
        raise UserError("graph-no-benchmark", path=".")
    case, first = opened.case, None
    for path in sources.of_case(case, benchmark=benchmark):
        try:
            return sources.read(path, case.relative(path))
        except ReadError as error:  # a watch that saw no network: what comes next may show it
            talk(error.text(language()))
            first = first or error
    assert first is not None
    raise first


def _place(network: Network, name: str | None) -> SearchHit | None:
    """The cell or weight of a name. Raises UserError, with the nearest where there is none."""
    from ..errors import UserError

    if name is None:
        return None
    found = network.at(name)
    if found is None:
        from ..network.telling import name_of

        near = [name_of(network, hit) for hit in network.find(name, 3)]
        raise UserError("graph-no-place", name=name, source=network.source, near=", ".join(near) or "-")
    return found


def _write(network: Network, output: str, force: bool, other: NetworkMatch | None, place: SearchHit | None) -> None:
    from pathlib import Path

    from ..network import page
    from ..store import write_atomically, write_new

    (write_atomically if force else write_new)(Path(output), page.write(network, language(), other, place))
    talk(say("graph-written", path=output))


def _show_found(network: Network, query: str) -> None:
    from ..language import aligned
    from ..network import telling

    hits = network.find(query, 1000)
    lines = [[telling.name_of(network, hit), *telling.row(network, hit, language())[1:]] for hit in hits]
    talk(telling.say("hits", language(), count=len(hits), query=query))
    for line in aligned(lines, columns_of(sys.stdout), _GIVE_WAY) if lines else ():
        show(line.rstrip())


def _show_place(network: Network, place: SearchHit, other: NetworkMatch | None, depth: int | None) -> None:
    from ..network import telling

    for key, value in telling.details(network, place, language(), other):
        show(say("graph-fact", name=key, value=value))
    if not place.weight:
        show("")
        _show_rows(network, place.number, 1 if depth is None else depth, None)


def _show_tree(network: Network, other: NetworkMatch | None, depth: int | None) -> None:
    from ..network import telling

    show_lines([telling.head(network, language()), *telling.summary(network, language(), other), ""])
    _show_rows(network, 0, _DEPTH if depth is None else depth, _LINES if depth is None else None)


def _show_rows(network: Network, top: int, depth: int, most: int | None) -> None:
    """The tree below a cell, its columns aligned; `most` lines where that is given."""
    from itertools import islice

    from ..language import aligned
    from ..network import telling

    found = telling.rows(network, depth, top)
    lines = []
    for level, hit in found if most is None else islice(found, most):
        label, *rest = telling.row(network, hit, language())
        lines.append([f"{'  ' * level}{label}", *rest])
    for line in aligned(lines, columns_of(sys.stdout), _GIVE_WAY):
        show(line.rstrip())
    left = (len(network.cells) + len(network.weights) - len(lines)) if not top else 0
    if left > 0:
        talk(telling.say("folded", language(), count=left))


def _plain(network: Network, other: NetworkMatch | None, place: SearchHit | None, find: str | None) -> dict[str, Any]:
    """The network as JSON: all of it, or what was asked for."""
    import msgspec

    from ..network import telling
    from ..network.tree import SearchHit

    cells = {cell.number: cell for cell in network.cells}
    wanted = {hit.number for hit in (network.find(find, 1000) if find else ()) if not hit.weight}
    weights = {hit.number for hit in (network.find(find, 1000) if find else ()) if hit.weight}
    if place is not None:
        wanted |= set() if place.weight else {place.number}
        weights |= {place.number} if place.weight else set()
    whole = find is None and place is None
    bad = network.first_bad
    found: dict[str, Any] = {
        "source": network.source,
        "format": network.format,
        "first_bad": None if bad is None else {**msgspec.to_builtins(bad), "cell": cells[bad.cell].name},
        "notes": [telling.say(note.code, language(), **note.data) for note in network.notes],
        "cells": [cell for number, cell in cells.items() if whole or number in wanted],
        "weights": [weight for number, weight in enumerate(network.weights) if whole or number in weights],
    }
    if other is not None:
        found["beside"] = {
            "source": other.other.source,
            "weights": {
                network.weights[one].name: other.other.weights[there].name for one, there in other.weights.items()
            },
            "cells": {
                telling.name_of(network, SearchHit(False, one)): telling.name_of(other.other, SearchHit(False, there))
                for one, there in other.cells.items()
            },
            "only_there": [other.other.weights[number].name for number in other.only_there],
        }
    return found
