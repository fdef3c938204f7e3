"""The boxes of a row, such as detection data have them, on the picture beside them."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .contents import is_picture
from .rows import Row

if TYPE_CHECKING:
    from PIL.Image import Image

#: The sides of a box, as names of fields end with them: both corners.
_SIDES = ("xmin", "ymin", "xmax", "ymax")


def boxes_of(row: Row, picture: Image) -> Iterator[list[float]]:
    """The boxes of a row, as two corners in shares of width and height: fields of four numbers each that lie within the picture, as two
    corners, or a corner and sizes."""
    for value in (*row.fields.values(), *_of_sides(row.fields)):
        if (
            not isinstance(value, np.ndarray)
            or value.dtype.kind not in "iuf"
            or value.size % 4
            or not 0 < value.size <= 400
        ):
            continue
        if value.ndim > 2 or (value.ndim == 2 and value.shape[1] != 4):
            continue  # a picture, or a table of other numbers
        if value.ndim == 1 and value.size > 4 and value.dtype.kind != "f":
            continue  # a sequence of whole numbers
        boxes = value.reshape(-1, 4).astype(np.float64)
        yield from _corners(boxes, _size_of(row, picture))


def _of_sides(fields: dict[str, Any]) -> Iterator[np.ndarray[Any, Any]]:
    """Boxes that are kept side by side, in four fields whose names differ in nothing but the side, as detection data of TFRecord are."""
    for name in fields:
        stem = name.removesuffix(_SIDES[0])
        if stem == name or any(stem + side not in fields for side in _SIDES):
            continue
        sides = [np.atleast_1d(np.asarray(fields[stem + side])) for side in _SIDES]
        if (
            len({side.shape for side in sides}) == 1
            and sides[0].ndim == 1
            and all(s.dtype.kind in "iuf" for s in sides)
        ):
            yield np.stack(sides, axis=1).astype(np.float64)


def _size_of(row: Row, picture: Image) -> tuple[int, int]:
    """Width and height of the picture of a row as it lies there, of which `picture` may be a smaller copy."""
    from PIL import Image

    for value in row.fields.values():
        if isinstance(value, bytes) and is_picture(value):
            try:
                with Image.open(io.BytesIO(value)) as opened:
                    return opened.width, opened.height
            except (OSError, ValueError):
                continue
        if isinstance(value, np.ndarray) and value.ndim == 3:
            return (value.shape[2], value.shape[1]) if value.shape[0] in (1, 3) else (value.shape[1], value.shape[0])
    return picture.width, picture.height


def _corners(boxes: np.ndarray[Any, Any], size: tuple[int, int]) -> list[list[float]]:
    """Boxes as two corners, in shares of width and height; none where they do not lie within the picture."""
    in_shares = bool(boxes.size) and boxes.min() >= 0 and 0 < boxes.max() <= 1
    shares = boxes.copy() if in_shares else boxes / np.array([*size, *size], np.float64)
    if not ((shares[:, 2] > shares[:, 0]) & (shares[:, 3] > shares[:, 1])).all():
        shares[:, 2:] += shares[:, :2]  # a corner and sizes
    inside = ((shares >= 0) & (shares <= 1.01)).all()
    found: list[list[float]] = shares.clip(0, 1).tolist() if inside else []
    return found
