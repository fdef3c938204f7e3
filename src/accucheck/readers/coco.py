"""COCO's object annotations, as far as labels need them (cocodataset.org, format of the detection task)."""

from __future__ import annotations

from pathlib import Path

import msgspec

from ..errors import ReadError, from_os_error
from .labels import NoLabelField

#: A larger annotation file is refused: it is held in memory.
ANNOTATIONS = 2 << 30


class _Image(msgspec.Struct):
    id: int | str
    file_name: str = ""


class _Category(msgspec.Struct):
    id: int | str
    name: str = ""


class _Annotation(msgspec.Struct):
    category_id: int | str | None = None
    image_id: int | str | None = None
    bbox: list[float] | None = None

    def name(self, content: Coco) -> str | None:
        """The name of its category, or the category's number where it has none."""
        if self.category_id is None:
            return None
        return content.names.get(self.category_id, str(self.category_id))


class Coco(msgspec.Struct, dict=True):
    """`categories` and `annotations` tell it from other JSON; each annotation is a sample."""

    categories: list[_Category]
    annotations: list[_Annotation]
    images: list[_Image] = []

    @property
    def names(self) -> dict[int | str, str]:
        if "_names" not in self.__dict__:
            self.__dict__["_names"] = {one.id: one.name or str(one.id) for one in self.categories}
        names: dict[int | str, str] = self.__dict__["_names"]
        return names


def read(path: Path) -> Coco:
    """The annotations of a file. Raises NoLabel for other JSON, ReadError for what is none."""
    try:
        size = path.stat().st_size
        if size > ANNOTATIONS:
            raise ReadError("too-large", path=str(path), size=size, limit=ANNOTATIONS)
        return msgspec.json.decode(path.read_bytes(), type=Coco)
    except OSError as error:
        raise from_os_error(error, path) from None
    except (msgspec.ValidationError, UnicodeDecodeError, RecursionError):
        raise NoLabelField([]) from None
    except msgspec.DecodeError as error:
        raise ReadError("malformed", path=str(path), format="JSON", offset=0, expected=str(error)[:120]) from None
