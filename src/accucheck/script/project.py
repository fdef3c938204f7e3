"""Finds the modules of a project that a script imports. Reads files below the project's folder only, and runs none."""

from __future__ import annotations

import os
from pathlib import Path

from ..errors import ReadError
from .source import Source, read

#: A script's own modules; a project with more is examined as far as this.
MODULES = 300


class Project:
    """Sources by path, each read once. `root` is the project's folder; `entry` the folder of the script that is started."""

    def __init__(self, root: Path, entry: Path) -> None:
        self.root, self.entry = Path(os.path.realpath(root)), entry
        self.sources: dict[Path, Source | None] = {}
        self.found: dict[tuple[str, Path], Source | None] = {}

    def find(self, module: str, importer: Source) -> Source | None:
        """The module of this dotted name as `importer` would get it; None when it is not the project's or cannot be read."""
        key = module, importer.file.parent
        if key not in self.found:
            self.found[key] = self.search(module, importer.file.parent)
        return self.found[key]

    def search(self, module: str, here: Path) -> Source | None:
        name = module.lstrip(".")
        level = len(module) - len(name)
        parts = name.split(".") if name else []
        if level:
            folder = here
            for _ in range(level - 1):
                folder = folder.parent
            folders = [folder]
        else:
            folders = list(dict.fromkeys((self.entry, self.root)))
        for folder in folders:
            base = folder.joinpath(*parts)
            for path in ([base.with_name(base.name + ".py")] if parts else []) + [base / "__init__.py"]:
                if path.is_file() and (source := self.read(path)) is not None:
                    return source
        return None

    def read(self, path: Path) -> Source | None:
        if path not in self.sources:
            real = Path(os.path.realpath(path))
            inside = real.is_relative_to(self.root) and len(self.sources) < MODULES
            try:
                self.sources[path] = read(path, os.path.relpath(path, self.root)) if inside else None
            except ReadError:
                self.sources[path] = None  # what it would have told is then said to come from elsewhere
        return self.sources[path]
