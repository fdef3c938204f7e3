"""Data of a project: folders that are named like data and hold data, their parts for training and evaluation, the label's column."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ..errors import ReadError
from ..readers.detect import detect
from .scripts import is_unit_test
from .tree import Folder, Tree, head

_NAME = re.compile(
    r"^(data|dataset|datasets|data[-_]?sets?|.*[-_](data|dataset)|cifar.*|f?mnist.*|fashion[-_]?mnist|imagenet.*|coco\d*|voc.*|mindrecords?|corpus)$",
    re.I,
)
#: Parts of a data set, as folders or as the beginning of a file's name.
_PARTS = {
    "train": re.compile(r"^(train|training|trn|train_?(data|set|images)|train\d{4})$", re.I),
    "eval": re.compile(r"^(val|valid|validation|eval|evaluation|dev|val_?(data|set|images)|val\d{4})$", re.I),
    "test": re.compile(r"^(test|testing|test_?(data|set|images)|test\d{4})$", re.I),
}
_FILE_PART = re.compile(r"(^|[._-])(train|training|val|valid|validation|eval|dev|test)([._-]|$)", re.I)
_LABEL = re.compile(r"^(labels?|targets?|class|class_?id|category|y)$", re.I)
#: Modules of a folder that are looked into for unit tests.
_MODULES = 20
#: Files of a data set that are looked into.
_SAMPLED = 8


class DataFound(NamedTuple):
    """Data: where, what some of its files are, the most frequent format first, and how many there are; `more`: at least."""

    path: Path
    formats: list[str]
    files: int
    more: bool = False


def find(tree: Tree) -> dict[str, DataFound]:
    """ "train" and "eval" -> data."""
    found: dict[str, DataFound] = {}
    for folder in sorted(tree.folders.values(), key=lambda folder: folder.depth):
        if folder.depth and _NAME.match(folder.path.name) and not _is_source(tree, folder):
            _of_folder(tree, folder, found)
        if "train" in found:
            return found
    _of_files(tree.folders[tree.root], found)  # train.csv and test.csv beside the scripts
    return found


def _is_source(tree: Tree, folder: Folder) -> bool:
    """Whether a folder belongs to the code: it holds more modules than other files, goes with unit tests, or lies deeper in the project
    and holds nothing but text, which vocabularies, lists and fixtures are too."""
    below = tree.below(folder.path)
    modules = sum(name.endswith(".py") for each in below for name in each.files)
    if 2 * modules > sum(len(each.files) for each in below):
        return True
    around = [tree.folders[path] for path in (folder.path, *folder.path.parents) if path in tree.folders]
    if any(each.depth and _tests(each) for each in around):
        return True
    found = _data(tree, folder.path) if folder.depth > 1 else None
    return found is not None and set(found.formats) == {"text"}


def _tests(folder: Folder) -> bool:
    """Whether modules of a folder are unit tests, by what they import; conftest.py is pytest's own."""
    modules = [name for name in folder.files if name.endswith(".py")]
    return "conftest.py" in modules or any(is_unit_test(folder.path / name) for name in modules[:_MODULES])


def _of_folder(tree: Tree, folder: Folder, found: dict[str, DataFound]) -> None:
    parts = _parts(folder)
    while (
        not parts
        and len(folder.folders) == 1
        and not _data_files(folder)
        and folder.path / folder.folders[0] in tree.folders
    ):
        folder = tree.folders[folder.path / folder.folders[0]]  # data/cifar10/train
        parts = _parts(folder)
    if "train" in parts:
        for part in ("train", "eval", "test"):
            if part in parts and (data := _data(tree, folder.path / parts[part])) is not None:
                found.setdefault("eval" if part == "test" else part, data)
        return
    _of_files(folder, found)
    if "train" not in found and (data := _data(tree, folder.path)) is not None:
        found["train"] = data


def _parts(folder: Folder) -> dict[str, str]:
    """The folders of parts by part."""
    return {
        part: next(name for name in folder.folders if pattern.match(name))
        for part, pattern in _PARTS.items()
        if any(pattern.match(name) for name in folder.folders)
    }


def _of_files(folder: Folder, found: dict[str, DataFound]) -> None:
    """Files named by part: train.csv, train.mindrecord; only where a part is one file."""
    by_part: dict[str, list[DataFound]] = {}
    for name in folder.files:
        match = _FILE_PART.search(Path(name).stem)
        if match is None or Path(name).suffix.lower() in (
            ".py",
            ".sh",
            ".md",
            ".yaml",
            ".yml",
            ".log",
            ".txt",
            ".json",
        ):
            continue
        format = _format(folder.path / name)
        if format not in ("", "other", "image", "text") and not _is_record(folder.path / name, format):
            word = match[2].lower()
            part = "train" if word.startswith("train") else "test" if word == "test" else "eval"
            by_part.setdefault(part, []).append(DataFound(folder.path / name, [format], 1))
    if len(by_part.get("train", [])) != 1:
        return
    for part in ("train", "eval", "test"):
        if len(by_part.get(part, [])) == 1:
            found.setdefault("eval" if part == "test" else part, by_part[part][0])


def _is_record(path: Path, format: str) -> bool:
    """Whether a table is the record of a training."""
    from .logs import examine

    return format in ("csv", "ndjson") and examine(path) is not None


def _data(tree: Tree, path: Path) -> DataFound | None:
    """The data below a folder, if some of its files that are looked into are data."""
    files = [
        below.path / name
        for below in tree.below(path)
        for name in below.files
        if not name.endswith((".py", ".pyc", ".md", ".sh", ".yaml", ".yml", ".ipynb", ".log"))
    ]
    if not files:
        return None
    chosen = files[:: max(1, len(files) // _SAMPLED)][:_SAMPLED]
    formats = Counter(format for file in chosen if (format := _format(file)))
    formats.pop("other", None)
    if not formats:
        return None
    more = any(below.more for below in tree.below(path))
    return DataFound(path, [format for format, _ in formats.most_common()], len(files), more)


def _data_files(folder: Folder) -> bool:
    return any(_format(folder.path / name) for name in folder.files[:_SAMPLED])


def _format(path: Path) -> str:
    if path.suffix.lower() in (".csv", ".tsv") and head(
        path, 1
    ):  # to tell tables from lists of pictures takes a library
        return "csv"
    if path.suffix.lower() in ("", ".txt", ".text") and not head(path, 1024).count(b"\0"):
        return "text" if head(path, 1) else ""
    try:
        return detect(path)
    except ReadError:
        return ""


def label(data: DataFound, folders: Sequence[Folder]) -> tuple[str, Path] | None:
    """The only column of a table's first line that is called like a label, and the table; None where none or several are."""
    files = [data.path] if data.path.suffix else [folder.path / name for folder in folders for name in folder.files]
    for file in files[:_SAMPLED]:
        if file.suffix.lower() in (".csv", ".tsv"):
            first = head(file, 1 << 16).decode("utf-8-sig", "replace").partition("\n")[0]
            names = [cell.strip().strip("\"'") for cell in re.split("[,\t;]", first)]
            named = [name for name in names if _LABEL.match(name)]
            return (named[0], file) if len(named) == 1 else None
    return None
