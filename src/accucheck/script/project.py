"""Finds the modules of a project that a script imports. Reads files below the project's folder only, and runs none.

An absolute name is looked for where Python would: in the folder of the script that is started, and where the script adds to
sys.path. What is found nowhere there may come from the environment of the run (PYTHONPATH, another working folder), so the
other folders that such a name can be meant to lie in are tried after them, but not for names that Python or a well-known
package brings.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from ..errors import ReadError
from ..knowledge import suites
from . import described, partial_parse
from .search_path import additions
from .source import LIMIT, Source, read

#: A script's own modules; a project with more is examined as far as this.
MODULES = 300
#: Entries of a folder that are remembered; in a larger one each name is looked up.
ENTRIES = 20_000
#: A seed, or an object that is made at the top of a module.
_ACTS = re.compile(rb"seed|^[A-Za-z_][^\n=]*=[^\n]*\b[A-Z]\w*\(", re.MULTILINE)
#: Packages that hold no network.
LIBRARIES = {"numpy", "scipy", "pandas", "sklearn", "matplotlib", "PIL", "cv2", "yaml", "six", "tqdm"}
#: Packages that are installed: a folder of such a name is taken for them only where Python itself would take it.
INSTALLED = {"mindspore", *LIBRARIES} | {
    "torch",
    "torchvision",
    "tensorflow",
    "keras",
    "jax",
    "paddle",
}


class Project:
    """Sources by path, each read once. `root` is the project's folder; `entry` the folder of the script that is started.

    `unreadable` are modules that were found and could not be read whole, by their shown path. A project `beside` another
    shares what that has read. `below` stands before the shown paths, where these count from a folder above the root.
    """

    def __init__(self, root: Path, entry: Path, beside: Project | None = None, below: str = "") -> None:
        self.below = below
        self.given, self.root, self.entry = Path(os.path.abspath(root)), Path(os.path.realpath(root)), entry
        self.sources: dict[Path, Source | None] = beside.sources if beside else {}
        self.unreadable: dict[str, ReadError] = beside.unreadable if beside else {}
        self._names: dict[Path, frozenset[str] | None] = beside._names if beside else {}
        self._acts: dict[Path, bool] = beside._acts if beside else {}
        self.descriptions: dict[
            str, described.Described
        ] = {}  # of packages that are not followed and of parts of them, as this entry imports them
        self._large: dict[Path, bool] = beside._large if beside else {}
        self.found: dict[tuple[str, Path], Source | None] = {}
        self.first, self.last = [entry], list[Path]()  # before and behind the installed packages
        self._asked: set[Path] = set()
        self._modules: set[Path] = set()

    def find(self, module: str, importer: Source) -> Source | None:
        """The module of this dotted name as `importer` would get it; None when it is not the project's or cannot be read."""
        self._extend(importer)
        key = module, importer.file.parent
        if key not in self.found:
            path = self.search(module, importer.file.parent)
            known = self._described(module, path, importer)
            self.found[key] = known or (None if path is None else self.read(path))
        return self.found[key]

    def _described(self, module: str, path: Path | None, importer: Source) -> Source | None:
        """The description of a module whose package is not in the project, or has more modules than are followed; None for any other."""
        part = suites.part_of(module)
        if not part or (path is not None and not self._exceeds(part.partition(".")[0], path)):
            return None
        if part not in self.descriptions:
            self.descriptions[part] = described.read(part, importer, path is not None)
        return self.descriptions[part]

    def publishes(self, package: str, importer: Source) -> bool:
        """Whether a package is known by its description and the project has no copy of its own, which may be changed."""
        found = self.find(package, importer)
        return isinstance(found, described.Described) and not found.copied

    def _exceeds(self, package: str, path: Path) -> bool:
        """Whether the package that a file belongs to has more modules than are followed."""
        folder = next((above for above in path.parents if above.name == package), None)
        if folder is None or not self._inside(folder):
            return False
        if folder not in self._large:
            self._large[folder] = described.exceeds(folder, MODULES)
        return self._large[folder]

    def acts(self, module: str, importer: Source) -> bool:
        """Whether importing a module may set a seed, or make a network, whose weights are drawn then: it is run where it is
        imported, not when it is first used."""
        self._extend(importer)
        path = self.search(module, importer.file.parent)
        if path is None or not self._inside(path):
            return False
        if path not in self._acts:
            try:
                with open(path, "rb") as stream:
                    self._acts[path] = path.is_file() and _ACTS.search(stream.read(LIMIT)) is not None
            except OSError:
                self._acts[path] = False
        return self._acts[path]

    def search(self, module: str, here: Path) -> Path | None:
        """The file of a module, as a module in the folder `here` would get it."""
        name = module.lstrip(".")
        level = len(module) - len(name)
        parts = name.split(".") if name else []
        if level:
            folder = Path(os.path.normpath(os.path.join(here, *[".."] * (level - 1))))
            return self.locate(folder, parts)
        if not parts:
            return None
        return next((path for folder in self._folders(parts[0], here) if (path := self.locate(folder, parts))), None)

    def locate(self, folder: Path, parts: list[str]) -> Path | None:
        """The file of a module below a folder: a package before a file of the same name. Packages need no __init__.py above."""
        for part in parts[:-1]:
            if not self._holds(folder, part):
                return None
            folder /= part
        inner = folder / parts[-1] if parts else folder
        if (not parts or self._holds(folder, parts[-1])) and self._holds(inner, "__init__.py"):
            return inner / "__init__.py"
        if parts and self._holds(folder, parts[-1] + ".py") and (folder / (parts[-1] + ".py")).is_file():
            return folder / (parts[-1] + ".py")
        return None

    def shadow(self, name: str, script: Source) -> str | None:
        """What of the project a script gets when it imports an installed package of this name; None when that package."""
        self._extend(script)
        paths = (self.locate(folder, [name]) for folder in self.first)
        path = next((path for path in paths if path is not None), None)
        return None if path is None else self._shown(path.parent if path.name == "__init__.py" else path)

    def read(self, path: Path) -> Source | None:
        """A module's source: the lines that parse of one that does not parse as a whole."""
        self._modules.add(path)
        if len(self._modules) > MODULES:
            self.unreadable.setdefault(
                self._shown(path), ReadError("script-modules", path=self._shown(path), limit=MODULES)
            )
            return None
        if path not in self.sources:
            self.sources[path] = self._read(path, self._shown(path)) if self._inside(path) else None
        return self.sources[path]

    def _read(self, path: Path, shown: str) -> Source | None:
        try:
            return read(path, shown)
        except ReadError as error:
            if error.code not in ("empty", "script-empty"):
                self.unreadable[shown] = error
            return partial_parse.rest(path, shown) if error.code == "script-syntax" else None

    def _folders(self, top: str, here: Path) -> Iterator[Path]:
        """Where an absolute name that begins with `top` may be found, most likely first."""
        yield from self.first
        if top in INSTALLED or top in sys.stdlib_module_names:
            return
        yield from self.last
        yield self.root
        yield self.root / "src"
        yield from (folder for folder in self.entry.parents if folder.is_relative_to(self.root))
        yield here
        if top == self.root.name:
            yield self.root.parent

    def _extend(self, importer: Source) -> None:
        """Note what a module adds to sys.path."""
        if importer.file in self._asked:
            return
        self._asked.add(importer.file)
        for folder, front in additions(importer, [self.entry, self.root]):
            held = self.first if front else self.last
            if folder not in held and self._inside(folder) and len(held) < 20:
                held.insert(0 if front else len(held), folder)
                self.found = {key: found for key, found in self.found.items() if found is not None}

    def _holds(self, folder: Path, name: str) -> bool:
        """Whether a folder has an entry of exactly this name, also where the file system does not mind its case."""
        if folder not in self._names:
            self._names[folder] = _listed(folder)
        names = self._names[folder]
        return os.path.lexists(folder / name) if names is None else name in names

    def _inside(self, path: Path) -> bool:
        return Path(os.path.realpath(path)).is_relative_to(self.root)

    def _shown(self, path: Path) -> str:
        shown = os.path.relpath(path, self.given if path.is_relative_to(self.given) else self.root)
        return os.path.normpath(os.path.join(self.below, shown))


def _listed(folder: Path) -> frozenset[str] | None:
    """The names in a folder; None for a very large one."""
    names = set()
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                names.add(entry.name)
                if len(names) > ENTRIES:
                    return None
    except OSError:
        pass
    return frozenset(names)
