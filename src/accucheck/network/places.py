"""The place in a network that a finding speaks of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..model import Finding, Table
from .tree import Network, SearchHit

#: Keys of a finding's data that name a layer or a weight, what they name first, first.
_KEYS = ("layer", "name", "cell", "parameter", "weight", "names", "layers", "parameters")
#: Columns of its tables that do, and rows of these that are looked at.
_COLUMNS, _ROWS = ("layer", "parameter", "name", "cell"), 20


def of_finding(network: Network, finding: Finding) -> SearchHit | None:
    """The cell or weight that it names, else the cell that is made at its line; None where the network has neither."""
    for name in _names(finding):
        for each in (name, name.removeprefix("self.")):
            if each and (hit := network.at(each)) is not None:
                return hit
    where = f"{finding.where.path}:{finding.where.line}"
    return next((SearchHit(False, cell.number) for cell in network.cells if cell.place == where), None)


def _names(finding: Finding) -> Iterator[str]:
    yield finding.where.name or ""
    for key in _KEYS:
        yield from _texts(finding.data.get(key))
    for table in finding.evidence:
        if isinstance(table, Table):
            for column in (table.columns.index(each) for each in _COLUMNS if each in table.columns):
                yield from (str(row[column]) for row in table.rows[:_ROWS] if column < len(row))


def _texts(value: Any) -> Iterator[str]:
    for one in value if isinstance(value, (list, tuple)) else [value]:
        if isinstance(one, str):
            yield one
