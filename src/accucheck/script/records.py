"""What the project's own scripts write into record files: the columns of a MindDataset are filled elsewhere, often by a script
that is run once before training. Such scripts are looked for below the project's folder by what they call, and followed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from .analysis import Reading
from .project import Project
from .source import Source
from .trace import Trace, follow
from .training import assumption
from .values import Call, Mapping, Value, options, string_of

#: So many files are looked into for such calls, and so many of those that have some are followed.
LOOKED, FOLLOWED = 400, 4
_CALL = b"write_raw_data"
_LARGEST = 1 << 20


class Records:
    """The columns that are written below the project of a reading."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading

    def of(self, column: str) -> list[Value]:
        """What is written under this name."""
        return self._written[0].get(column, [])

    def types(self, column: str) -> set[str]:
        """The types that schemas give a column of single numbers; empty where none is seen, or a shape is given."""
        return self._written[1].get(column, set())

    @cached_property
    def _written(self) -> tuple[dict[str, list[Value]], dict[str, set[str]]]:
        """What is written by column, and the types of columns of single numbers, of the first script that writes."""
        columns: dict[str, list[Value]] = {}
        types: dict[str, set[str]] = {}
        for trace in self._traces():
            for call in trace.calls:
                for row in _rows(trace, call) if call.name == ".write_raw_data" and call.args else ():
                    for name, value in row.items.items():
                        columns.setdefault(str(name), []).append(value)
                for name, type_ in _schema(call):
                    types.setdefault(name, set()).add(type_)
            if columns or types:
                break
        return columns, types

    def _traces(self) -> Iterator[Trace]:
        """That of the reading itself, then of the scripts that write, the nearest first."""
        yield self.reading.trace
        for path in self._writers():
            project = Project(self.reading.project.root, path.parent, self.reading.project)
            source = project.read(path)
            if isinstance(source, Source):
                yield follow(source, assumption("train"), project.find, project.root)

    def _writers(self) -> list[Path]:
        root, entry = self.reading.project.root, self.reading.source.file
        found: list[Path] = []
        looked = 0
        for folder, folders, files in os.walk(root):
            folders[:] = sorted(name for name in folders if not name.startswith(".") and name != "node_modules")[:60]
            for name in sorted(files):
                path = Path(folder) / name
                if not name.endswith(".py") or path == entry:
                    continue
                looked += 1
                if looked > LOOKED:
                    return found[:FOLLOWED]
                if _writes(path):
                    found.append(path)
        here = entry.parent
        return sorted(found, key=lambda path: (path.parent != here, len(path.parts), path.name))[:FOLLOWED]


def _writes(path: Path) -> bool:
    try:
        with open(path, "rb") as stream:
            return path.is_file() and _CALL in stream.read(_LARGEST)
    except OSError:
        return False


def _rows(trace: Trace, call: Call) -> Iterator[Mapping]:
    """The rows that a call writes: dicts of columns."""
    rows = trace.again(lambda tracer: tracer.element(call.args[0], call.node))
    for option in (*options(rows), *options(call.args[0])):
        if isinstance(option, Mapping):
            yield option


def _schema(call: Call) -> Iterator[tuple[str, str]]:
    """The columns of single numbers that a call of FileWriter.add_schema declares, each with its type."""
    given = call.argument(["content", "desc"], "content") if call.name == ".add_schema" else None
    for schema in options(given):
        for name, about in schema.items.items() if isinstance(schema, Mapping) else ():
            type_ = string_of(about.items.get("type")) if isinstance(about, Mapping) else None
            if type_ is not None and isinstance(about, Mapping):
                yield str(name), "" if "shape" in about.items else type_
