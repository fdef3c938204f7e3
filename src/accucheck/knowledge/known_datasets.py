"""Published MD5s of public data sets: known_datasets.json, by name however it is spelt. Nothing is looked up elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from ..errors import UserError


class KnownFile(msgspec.Struct, frozen=True):
    """A file of a public data set. `kind` is archive, extracted (from one) or file (published as it is); size in bytes.

    `source` is the repository that publishes the MD5; `generic` marks a name too common to suspect a file for it.
    """

    dataset: str
    file: str
    kind: str
    md5: str
    source: str
    size: int | None = None
    generic: bool = False

    @property
    def name(self) -> str:
        return self.file.rpartition("/")[2]

    @property
    def group(self) -> tuple[str, str]:
        """Files of one group lie in one folder and are read together."""
        return self.dataset, self.file.rpartition("/")[0]


def load() -> list[KnownFile]:
    """All known files."""
    return msgspec.json.decode(Path(__file__).with_suffix(".json").read_bytes(), type=list[KnownFile])


def of_dataset(name: str) -> list[KnownFile]:
    """The files of the data set of this name ("cifar10" is CIFAR-10, "ImageNet" is ImageNet ILSVRC2012). Raises UserError."""
    known = load()
    names = list(dict.fromkeys(entry.dataset for entry in known))
    wanted = "".join(_words(name))
    chosen = [n for n in names if "".join(_words(n)) == wanted] or [n for n in names if wanted in _beginnings(n)]
    if not chosen:
        from ..document import nearest

        raise UserError("unknown-dataset", name=name, hint=nearest(name, names))
    return [entry for entry in known if entry.dataset in chosen]


def _words(name: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", name.lower())


def _beginnings(name: str) -> set[str]:
    words = _words(name)
    return {"".join(words[:count]) for count in range(1, len(words))}
