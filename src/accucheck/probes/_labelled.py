"""The files of a data set that may hold labels, for the probes of labels."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..case import Case, redacted
from ..errors import ReadError
from ..language import Words
from ..model import Finding, Language, Level, Progress, Where
from . import _declared_padding, _files

if TYPE_CHECKING:
    import numpy as np

    from ..readers.places import File, Listing

ROLES = {"train": {"en": "Training", "zh": "训练"}, "eval": {"en": "Evaluation", "zh": "评估"}}

#: How the parts of a data set are named; CIFAR's binary files of training are data_batch_1.bin to data_batch_5.bin.
_TRAINING = re.compile(r"(?<![a-z])(train(ing|val)?|data_batch)(?![a-z])", re.I)
_TESTING = re.compile(r"(?<![a-z])(test(ing)?|val|valid|validation|dev|eval|evaluation|t10k)(?![a-z])", re.I)

MESSAGES: Words = {
    "other-part": {
        "en": "{role} data: {path} also contains {count:,} {count:file|files} that by name {count:belongs|belong} to another split, "
        "such as {first}; {count:it was|they were} left out here. If {count:it belongs|they belong} to this one, list each path in "
        "data.{key}.path.",
        "zh": "{role}数据：{path} 下另有 {count:,} 个文件从名称看属于其他划分，例如 {first}，此处未计入。"
        "若确属该部分，请在 data.{key}.path 中逐一列出。",
    },
    "no-labels": {
        "en": "{role} data: no labels were found under {path} ({fields}). Name the field in data.{key}.label.",
        "zh": "{role}数据：在 {path} 下没有找到标签（{fields}），请在 data.{key}.label 中指明字段。",
    },
    "not-examined": {
        "en": "{role} data: the labels of {count:,} {count:file|files} cannot be read here ({kinds}), the first is {first}.",
        "zh": "{role}数据：有 {count:,} 个文件（{kinds}）的标签暂不支持读取，第一个是 {first}。",
    },
    "unreadable": {"en": "{problem}", "zh": "{problem}"},
}


@dataclass
class Files:
    """What lies under the paths of a role: (path, kind, bytes) of what may hold labels, the images below each address, and
    (shown, kind) of what cannot be read. `fields` are those of files that have none of the name of the label, `apart` counts
    files that by their names are of another part of the data set, the first of which is `first_apart`."""

    role: str
    addresses: list[str]
    label: str | None
    todo: list[tuple[File, str, int]] = field(default_factory=list)
    images: list[tuple[File, Listing]] = field(default_factory=list)
    others: list[tuple[str, str]] = field(default_factory=list)
    errors: list[ReadError] = field(default_factory=list)
    fields: list[str] = field(default_factory=list)
    apart: int = 0
    first_apart: str = ""

    @property
    def size(self) -> int:
        return sum(size for *_, size in self.todo)

    def without(self, fields: list[str]) -> None:
        """A file has these fields, and no labels."""
        self.fields += [one for one in fields if one not in self.fields]

    def gaps(self, labelled: bool) -> Iterator[Finding]:
        """What could not be read; and that there are no labels, unless there are."""
        said = {"role": ROLES[self.role], "key": self.role, "path": ", ".join(self.addresses)}
        for error in self.errors[:20]:
            problem = {language.value: error.text(language) for language in Language}
            place = Where(path=error.data.get("path"))
            yield Finding("unreadable", Level.INFO, place, {"problem": problem}, incomplete=True)
        if self.apart:
            data = {**said, "count": self.apart, "first": self.first_apart}
            yield Finding("other-part", Level.INFO, Where(path=self.first_apart), data)
        if labelled:
            return
        if self.others:
            kinds = ", ".join(sorted({kind for _, kind in self.others})[:5])
            data = {**said, "count": len(self.others), "kinds": kinds, "first": self.others[0][0]}
            yield Finding("not-examined", Level.INFO, Where(path=self.others[0][0]), data, incomplete=True)
        elif not self.errors:
            fields = ", ".join(self.fields[:20]) or "-"
            yield Finding("no-labels", Level.INFO, data={**said, "fields": fields}, incomplete=True)


def files_of(case: Case, role: str) -> Files:
    """The files of "train" or "eval". Raises ReadError when a path of the case is not there."""
    from ..readers.places import Listing, below

    label = case.get(f"data.{role}.label") or case.get("data.train.label")
    named = _files.addresses(case, f"data.{role}.path")
    found = Files(role, [redacted(address) for address in named], label)
    for address in named:
        images: Listing | None = None
        others: list[tuple[File, str | ReadError, int]] = []
        beside: dict[tuple[str, ...], set[str]] = {}
        for root, path, kind, size in _files.found(case, address):
            parts = below(root, path)
            for depth, name in enumerate(parts):
                if part := _part(name):
                    beside.setdefault(parts[:depth], set()).add(part)
            if kind == "image":
                images = images or Listing(root)
                images.add(path, size)
            else:
                others.append((path, kind, size))
        both = {folder for folder, parts in beside.items() if len(parts) == 2}

        def apart(root: File, path: File, both: set[tuple[str, ...]] = both) -> bool:
            """Whether a file belongs to another part of the data set: where one folder has files or folders named for training
            beside others named for testing, as public data sets come."""
            parts = below(root, path)
            for depth, name in enumerate(parts):
                if parts[:depth] in both and _part(name) not in (role, ""):
                    found.first_apart = found.first_apart or case.relative(path)
                    found.apart += 1
                    return True
            return False

        if images is not None:
            if both:
                mine = Listing(images.root)
                for path, size in images.sized():
                    if not apart(images.root, path):
                        mine.add(path, size)
                images = mine
            if images:
                found.images.append((images.root, images))
        for path, kind, size in others:
            if both and apart(root, path):
                continue
            if isinstance(kind, ReadError):
                found.errors.append(kind)
            elif kind == "other":
                found.others.append((case.relative(path), path.suffix.lstrip(".") or kind))
            else:
                found.todo.append((path, kind, size))
    return found


@dataclass
class OrderedLabels:
    """All labels of a role in the order of the files: a code for each sample, -1 for none, and where each file's samples begin.

    `nothing`: labels in files that are no classes; a folder is one, whatever it is called."""

    files: Files
    nothing: frozenset[str] = frozenset()
    names: dict[str, int] = field(default_factory=dict)
    codes: list[np.ndarray[Any, Any]] = field(default_factory=list)
    starts: list[tuple[int, str, bool]] = field(default_factory=list)
    count: int = 0

    def add(self, codes: np.ndarray[Any, Any], labels: list[str | None]) -> None:
        import numpy as np

        known = [-1 if label is None else self.names.setdefault(label, len(self.names)) for label in labels]
        self.codes.append(np.array([*known, -1], np.int64)[codes])
        self.count += len(codes)

    def place(self, sample: int) -> str:
        first, shown, alone = self.starts[bisect_right(self.starts, sample, key=lambda one: one[0]) - 1]
        return shown if alone else f"{shown} [{sample - first}]"


def in_order(case: Case, role: str) -> Generator[Progress, None, OrderedLabels]:
    """The labels of all samples of a role. Raises ReadError when a path of the case is not there."""
    import numpy as np

    from ..readers.drawing import labels_of
    from ..readers.labels import NoLabelField, class_folders

    labels = OrderedLabels(files_of(case, role), _declared_padding.of_case(case, role).no_classes())
    files = labels.files
    done = 0
    for path, kind, size in files.todo:
        start = (labels.count, case.relative(path), False)
        try:
            with _files.readable(path, kind) as (copy, form):
                for codes, texts in labels_of(copy, form, files.label):
                    labels.add(codes, [None if text in labels.nothing else text for text in texts])
                    yield Progress(done, files.size, "bytes")
        except NoLabelField as error:
            files.without(error.fields)
        except ReadError as error:
            files.errors.append(error)
        if labels.count > start[0]:
            labels.starts.append(start)
        done += size
    if not labels.count:
        for root, paths in files.images:
            found = class_folders(root, paths)
            if found is None:
                continue
            index: dict[str, int] = {}
            labels.starts += [(labels.count + at, case.relative(path), True) for at, path in enumerate(paths)]
            codes = np.array([index.setdefault(found[1](path), len(index)) for path in paths], np.int64)
            labels.add(codes, [*index])
    return labels


def _part(name: str) -> str:
    """The part of a data set that a name tells: "train", "eval" (or test, or validation), or "" for none."""
    return "train" if _TRAINING.search(name) else "eval" if _TESTING.search(name) else ""
