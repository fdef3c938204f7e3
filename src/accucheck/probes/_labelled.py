"""The files of a data set that may hold labels, for the probes of labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..case import Case, redacted
from ..errors import ReadError
from ..language import Words
from ..model import Finding, Language, Level, Where
from . import _files

if TYPE_CHECKING:
    from ..readers.places import File

ROLES = {"train": {"en": "Training", "zh": "训练"}, "eval": {"en": "Evaluation", "zh": "评估"}}

MESSAGES: Words = {
    "no-labels": {
        "en": "{role} data: no labels were found under {path} ({fields}). Name the field in data.{key}.label.",
        "zh": "{role}数据：在 {path} 下没有找到标签（{fields}），请在 data.{key}.label 中指明字段。",
    },
    "not-examined": {
        "en": "{role} data: the labels of {count:,} file(s) cannot be read here ({kinds}), the first is {first}.",
        "zh": "{role}数据：有 {count:,} 个文件（{kinds}）的标签暂不支持读取，第一个是 {first}。",
    },
    "unreadable": {"en": "{problem}", "zh": "{problem}"},
}


@dataclass
class Files:
    """What lies under the paths of a role: (path, kind, bytes) of what may hold labels, the images below each address, and
    (shown, kind) of what cannot be read. `fields` are those of files that have none of the name of the label."""

    role: str
    addresses: list[str]
    label: str | None
    todo: list[tuple[File, str, int]] = field(default_factory=list)
    images: list[tuple[File, list[File]]] = field(default_factory=list)
    others: list[tuple[str, str]] = field(default_factory=list)
    errors: list[ReadError] = field(default_factory=list)
    fields: list[str] = field(default_factory=list)

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
    label = case.get(f"data.{role}.label") or case.get("data.train.label")
    named = _files.addresses(case, f"data.{role}.path")
    found = Files(role, [redacted(address) for address in named], label)
    for address in named:
        for root, path, kind, size in _files.found(case, address):
            if isinstance(kind, ReadError):
                found.errors.append(kind)
            elif kind == "image":
                if not found.images or found.images[-1][0] != root:
                    found.images.append((root, []))
                found.images[-1][1].append(path)
            elif kind == "other":
                found.others.append((case.relative(path), path.suffix.lstrip(".") or kind))
            else:
                found.todo.append((path, kind, size))
    return found
