"""What lies below a project folder: one bounded look at names, which everything that is proposed stands on."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from ..case import IGNORED
from ..errors import UserError, from_os_error

#: Entries that are looked at in all and in one folder, and how deep.
ENTRIES, IN_FOLDER, DEPTH = 50_000, 20_000, 3
#: Folders that are looked into.
FOLDERS = 5_000
#: Seconds after which no further script is read.
SECONDS = 8.0


@dataclass(frozen=True)
class Folder:
    """One folder: the names of its files and folders, in order; `depth` 0 is the project itself. `ranked`: what each device wrote lies
    below it, in rank_0 and so on, which is not looked into. `more`: not all of its files were looked at."""

    path: Path
    depth: int
    files: list[str]
    folders: list[str]
    ranked: bool = False
    more: bool = False


@dataclass
class Tree:
    """The folders by path, the shallow ones first. `problems` could not be looked into; `partial`: some were left out. `until`: when to
    stop reading what lies in them, by time.monotonic()."""

    root: Path
    folders: dict[Path, Folder] = field(default_factory=dict)
    problems: list[UserError] = field(default_factory=list)
    partial: bool = False
    until: float = field(default_factory=lambda: time.monotonic() + SECONDS)

    def over(self) -> bool:
        """Whether the time is up; the look is then a partial one."""
        self.partial |= time.monotonic() > self.until
        return self.partial and time.monotonic() > self.until

    def below(self, path: Path) -> list[Folder]:
        """The folder at `path` and those in it, as far as they were looked at."""
        found = [self.folders[path]] if path in self.folders else []
        for folder in found:  # grows meanwhile
            inside = (folder.path / name for name in folder.folders)
            found += [self.folders[each] for each in inside if each in self.folders]
        return found

    def without(self, paths: set[Path]) -> Tree:
        """The same without these folders and what lies in them."""
        kept = {
            path: folder
            for path, folder in self.folders.items()
            if not (path in paths or paths.intersection(path.parents))
        }
        return Tree(self.root, kept, self.problems, self.partial, self.until)


def look(root: Path, depth: int = DEPTH) -> Tree:
    """The folders below `root`. Links to folders are not followed; hidden names, and those that cannot be shown as they are
    (control and bidirectional characters, other encodings), are left out."""
    tree = Tree(root)
    waiting, seen = [(root, 0)], 0
    for path, level in waiting:  # grows meanwhile
        if seen >= ENTRIES or len(tree.folders) >= FOLDERS:
            tree.partial = True
            break
        files, folders, ranked = [], [], False
        try:
            with os.scandir(path) as entries:
                names = list(islice(entries, IN_FOLDER))
                more = next(entries, None) is not None
                tree.partial |= more
            for entry in names:
                ranked |= entry.name == "rank_0"
                if entry.name in IGNORED or entry.name.startswith(".") or not entry.name.isprintable():
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.name)
                elif entry.is_file():
                    files.append(entry.name)
        except OSError as error:
            tree.problems.append(from_os_error(error, path))
            continue
        if level and "pyvenv.cfg" in files:
            continue  # an environment, whatever it is called
        seen += len(names)
        tree.folders[path] = Folder(path, level, sorted(files), sorted(folders), ranked, more)
        if level < depth:
            waiting += [(path / name, level + 1) for name in sorted(folders)]
    return tree


def stamp(path: Path) -> int:
    """When a file was changed, in ns; 0 for one that is gone."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def head(path: Path, size: int) -> bytes:
    """The first bytes of a file; none of one that cannot be read."""
    try:
        with path.open("rb") as stream:
            return stream.read(size)
    except OSError:
        return b""


def stamps(root: str) -> tuple[tuple[str, int], ...]:
    """The scripts and configurations below a folder with when each was last written, in nanoseconds: these differ when one is saved."""
    found = []
    for folder in look(Path(root)).folders.values():
        for name in folder.files:
            if name.endswith((".py", ".ipynb", ".yaml", ".yml", ".json", ".sh")):
                with suppress(OSError):  # an editor may be replacing it
                    path = folder.path / name
                    found.append((str(path), path.stat().st_mtime_ns))
    return tuple(found)
