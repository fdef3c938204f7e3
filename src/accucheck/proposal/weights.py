"""Weights by role: initial, pretrained, previous and current ones, and those of PyTorch. By names, numbers in them, and time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from .tree import Folder, head, stamp

ENDINGS = (".ckpt", ".safetensors")
_INITIAL = re.compile(r"(^|[^a-z])(init|initial|initialized)([^a-z]|$)")
_PRETRAINED = re.compile(r"pre[-_]?train|(^|[^a-z])(imagenet|backbone|base)([^a-z]|$)")
_PRETRAINED_FOLDER = re.compile(r"pre[-_]?train")
#: How MindSpore's ModelCheckpoint names files: prefix-epoch_step.ckpt, with _1 and so on for a second training.
_NUMBERED = re.compile(r"^(.*?)-(\d{1,9})_(\d{1,12})$")
_TORCH = re.compile(r"\.(pth|pt)(\.tar)?$|^pytorch_model\.bin$", re.I)
#: Torch files are zip archives, older ones begin with a pickle of this protocol.
_TORCH_MAGIC = (b"PK\x03\x04", b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.")


class Weights(NamedTuple):
    """A file of weights, why it has its role (a code), and among how many it was chosen."""

    path: Path
    why: str
    among: int = 1


def find(folders: Sequence[Folder]) -> dict[str, Weights]:
    """The files by role."""
    files = [folder.path / name for folder in folders for name in folder.files if name.lower().endswith(ENDINGS)]
    found: dict[str, Weights] = {}
    trained = []
    for path in files:
        name = path.stem.lower()
        if _INITIAL.search(name):
            found.setdefault("initial", Weights(path, "why-initial"))
        elif _PRETRAINED.search(name) or _PRETRAINED_FOLDER.search(path.parent.name.lower()):
            found.setdefault("pretrained", Weights(path, "why-pretrained"))
        else:
            trained.append(path)
    if trained:
        newest = max(trained, key=lambda path: (stamp(path), str(path)))
        series = _series(newest, trained)
        if len(series) > 1:
            found["current"] = Weights(series[-1], "why-last-number", len(series))
            found["previous"] = Weights(series[-2], "why-number-before")
        else:
            found["current"] = Weights(newest, "why-newest" if len(trained) > 1 else "why-checkpoint", len(trained))
    return found


def _series(path: Path, files: list[Path]) -> list[Path]:
    """The files of the same training by epoch and step; empty where the name has no numbers."""
    named = _NUMBERED.match(path.stem)
    if named is None:
        return []
    numbered = []
    for other in files:
        match = _NUMBERED.match(other.stem)
        if match and match[1] == named[1] and other.parent == path.parent and other.suffix == path.suffix:
            numbered.append((int(match[2]), int(match[3]), str(other), other))
    return [entry[-1] for entry in sorted(numbered)]


def torch_weights(folder: Folder) -> list[Path]:
    """Files of PyTorch in one folder, by content too."""
    return [
        folder.path / name
        for name in folder.files
        if _TORCH.search(name) and head(folder.path / name, 16).startswith(_TORCH_MAGIC)
    ]
