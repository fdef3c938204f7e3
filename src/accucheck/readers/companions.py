"""What lies beside pictures and belongs to them: masks of the same names in a folder of their own, and the boxes of COCO's annotations."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..errors import ReadError
from .contents import CLASSES, find_picture

#: A larger file of annotations is not looked into, nor are more folders: the rows that are asked for do not wait for them.
_ANNOTATIONS, _FOLDERS = 512 << 20, 64
#: The side that a picture has where its numbers are counted.
_LOOKED = 128


class Box(NamedTuple):
    corners: tuple[float, float, float, float]
    label: str


@dataclass
class Companions:
    """Masks and boxes by the picture that they belong to; `left` are files that are no samples of their own."""

    masks: dict[Path, Path] = field(default_factory=dict)
    boxes: dict[Path, list[Box]] = field(default_factory=dict)
    left: frozenset[Path] = frozenset()

    def fields(self, picture: Path) -> dict[str, Any]:
        """What belongs to a picture, as fields of its row. Raises ReadError."""
        told: dict[str, Any] = {}
        if (mask := self.masks.get(picture)) is not None:
            from .rows import sample

            told["mask"] = sample(mask, "mask")["mask"]
        if boxes := self.boxes.get(picture):
            told["boxes"] = np.array([box.corners for box in boxes], np.float32)
            told["labels"] = [box.label for box in boxes]
        return told


def find(pictures: Sequence[Path], annotations: Sequence[Path]) -> Companions:
    """The masks among the pictures of a folder, and the boxes that its JSON files give of them."""
    masks = _masks(pictures)
    left = frozenset(masks.values())
    found = Companions(masks, left=left)
    there = {os.path.realpath(one): one for one in pictures if one not in left}
    for file in annotations:
        for name, boxes in _boxes(file).items():
            if (picture := there.get(os.path.realpath(_picture(name, file)))) is not None:
                found.boxes.setdefault(picture, []).extend(boxes)
    return found


def annotated(file: Path) -> list[Path]:
    """The pictures that a file of COCO's annotations names, those that are there; empty where it is none."""
    named = (_picture(name, file) for name in _boxes(file))
    return [picture for picture in named if picture.is_file()]


def _picture(name: str, annotations: Path) -> Path:
    """The picture of a name: beside the file of annotations, else beside its folder."""
    found = find_picture(name, annotations.parent)
    return found if found.is_file() else find_picture(name, annotations.parent.parent)


def _boxes(file: Path) -> dict[str, list[Box]]:
    """The boxes of each picture of COCO's annotations, in their order; of another JSON file none."""
    from .coco import read
    from .labels import NoLabelField

    try:
        if file.stat().st_size > _ANNOTATIONS:
            return {}
        content = read(file)
    except (ReadError, NoLabelField, OSError):
        return {}
    names = {one.id: one.file_name for one in content.images if one.file_name}
    found: dict[str, list[Box]] = {name: [] for name in names.values()}
    for one in content.annotations:
        name = names.get(one.image_id) if one.image_id is not None else None
        if name and one.bbox and len(one.bbox) == 4:
            x, y, width, height = one.bbox
            found[name].append(Box((x, y, x + width, y + height), one.name(content) or ""))
    return found


# --- masks ------------------------------------------------------------------------------------------------------------


def _masks(pictures: Sequence[Path]) -> dict[Path, Path]:
    """The mask of each picture that has one: a folder holds masks where its pictures have few numbers, and each has the name of one that is
    no mask in another folder and has its size, but for an ending that all of them share."""
    folders: dict[Path, dict[str, Path]] = {}
    for one in pictures:
        folders.setdefault(one.parent, {})[one.stem] = one
    if not 1 < len(folders) <= _FOLDERS:
        return {}
    first = {folder: _looked_at(min(held.values())) for folder, held in folders.items()}
    masks = [folder for folder, seen in first.items() if seen is not None and seen.few]
    found: dict[Path, Path] = {}
    for folder in masks:
        near = sorted(folders.keys() - {*masks}, key=lambda other: -_alike(other, folder))
        for other in near:
            seen, own = first[other], first[folder]
            pairs = _pairs(folders[other], folders[folder])
            if pairs and seen is not None and own is not None and seen.size == own.size:
                found |= pairs
                break
    return found


def _pairs(pictures: dict[str, Path], masks: dict[str, Path]) -> dict[Path, Path]:
    """Each mask by its picture; empty where one has none."""
    stem = min(masks)
    begun = [stem[:end] for end in range(len(stem), 0, -1) if stem[:end] in pictures]
    if not begun:
        return {}
    ending = stem[len(begun[0]) :]
    if ending[:1].isalnum() or not all(
        name.endswith(ending) and name[: len(name) - len(ending)] in pictures for name in masks
    ):
        return {}
    return {pictures[name[: len(name) - len(ending)]]: mask for name, mask in masks.items()}


def _alike(one: Path, other: Path) -> int:
    """How many steps of two folders are the same, from either end."""
    steps = list(zip(one.parts, other.parts, strict=False))
    back = list(zip(reversed(one.parts), reversed(other.parts), strict=False))
    return sum(next((n for n, (a, b) in enumerate(way) if a != b), len(way)) for way in (steps, back))


class _Look(NamedTuple):
    size: tuple[int, int]
    few: bool  # its numbers are so few that they may be those of classes


def _looked_at(file: Path) -> _Look | None:
    """Size and numbers of a picture; None where it cannot be read."""
    from PIL import Image

    try:
        with Image.open(file) as opened:
            size, mode = opened.size, opened.mode
            if mode not in ("1", "L", "P", "I", "I;16"):
                return _Look(size, few=False)
            opened.thumbnail((_LOOKED, _LOOKED), Image.Resampling.NEAREST)
            return _Look(size, len(np.unique(np.asarray(opened))) <= CLASSES)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None
