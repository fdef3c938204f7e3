"""Single samples read back by file and row, for a person to look at: a picture, a text, or the fields of a row."""

from __future__ import annotations

import io
import os
import re
import warnings
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ReadError, UserError, from_os_error
from .detect import PICTURE, TABLES
from .labels import NoLabelField, field_of, label_array, labels_in, member_of, said

if TYPE_CHECKING:
    from PIL.Image import Image

    from .arrays import Array

#: A picture with more pixels is not decoded; a larger one than SIDE is shown smaller.
MOST_PIXELS, SIDE = 100_000_000, 640
#: Greys that are all darker than this are numbers of classes, as masks have them: as they are, they could not be seen.
CLASSES = 32
#: Fields of a row, and characters of a field, that are shown.
FIELDS, CHARACTERS = 200, 4000
#: Files below a folder that are looked through for a picture that a label file names.
_LISTED = 1_000_000
_MAGIC = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF8", b"BM", b"II*\0", b"MM\0*", b"RIFF")
#: The sides that a record may give for its picture, in the words of usual converters.
_SIDES = (("height", "rows", "h"), ("width", "cols", "w"), ("depth", "channels", "channel", "c"))
#: A smaller side, or fewer numbers in a square, make no picture but, say, a box.
_SIDE_LEAST, _SMALLEST = 7, 49


@dataclass
class Content:
    """One sample: its label as it is now, its fields without the label, and the picture (RGB, at most SIDE on each side) if there
    is one; `size` is the picture's own width and height, and `problem` why it cannot be shown."""

    label: str | None
    fields: list[tuple[str, str]] = field(default_factory=list)
    picture: Image | None = None
    size: tuple[int, int] | None = None
    problem: UserError | None = None

    def show(self, picture: Image) -> None:
        self.size = picture.size
        picture.thumbnail((SIDE, SIDE))
        self.picture = picture

    def decode(self, source: bytes | Path, shown: str) -> None:
        """Show the picture in a file or in bytes; what is wrong with it becomes `problem`."""
        try:
            self.picture, self.size = decoded(source, shown)
        except ReadError as error:
            self.problem = error


def read(
    path: Path, kind: str, label: str | None, rows: Collection[int], pictures: bool = True
) -> Iterator[tuple[int, Content]]:
    """The wanted rows (from 0) of one file, in its order; a row that is not there does not come.

    `kind` is a member of detect.FORMATS, or "json" for COCO's annotations; of an "image" the only row is -1. Without
    `pictures` only labels and plain fields are read. Raises NoLabel and ReadError.
    """
    wanted = frozenset(rows)
    if kind == "image":
        content = Content(None)
        if pictures:
            content.decode(path, str(path))
        elif not path.is_file():
            raise ReadError("not-found", path=str(path))
        yield -1, content
    elif kind in TABLES:
        yield from _table(path, kind, label, wanted, pictures)
    elif kind == "mindrecord":
        yield from _mindrecord(path, label, wanted, pictures)
    elif kind == "tfrecord":
        yield from _tfrecord(path, label, wanted, pictures)
    elif kind == "tar":
        yield from _shard(path, label, wanted, pictures)
    elif kind == "json":
        yield from _coco(path, wanted, pictures)
    else:
        yield from _arrays(path, kind, label, wanted, pictures)


# --- pictures ---------------------------------------------------------------------------------------------------------


def is_picture(data: bytes) -> bool:
    """Whether bytes begin a picture."""
    starts = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF87a", b"GIF89a", b"BM", b"II*\x00", b"MM\x00*")
    return data.startswith(starts) or (data[:4] == b"RIFF" and data[8:12] == b"WEBP")


def decoded(source: bytes | Path, shown: str) -> tuple[Image, tuple[int, int]]:
    """The picture, made small, and its own size. Raises ReadError when it is missing, damaged or too large."""
    from PIL import Image

    from .images import DECODERS, too_large

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(source) if isinstance(source, bytes) else source, formats=DECODERS) as image:
                size = image.size
                if too_large(image):
                    raise ReadError("picture", path=shown, problem=f"{size[0]:,} x {size[1]:,}")
                image.draft("RGB", (SIDE, SIDE))
                return _small(image), size
    except ReadError:
        raise
    except (FileNotFoundError, PermissionError, IsADirectoryError) as error:
        raise from_os_error(error, shown) from None
    except Exception as error:  # a decoder lost in a stranger's bytes may raise anything
        why = str(error).replace(str(source), "")[:120] if isinstance(source, Path) else str(error)[:120]
        raise ReadError("picture", path=shown, problem=f"{type(error).__name__} {why}".strip()) from None


def _small(image: Image) -> Image:
    """RGB on white, at most SIDE on each side; 16 and 32 bits a pixel are stretched to 8, and so are numbers of classes."""
    from PIL import Image as pillow

    if image.mode.startswith(("I", "F")):
        # An array of the whole would be as large again.
        image.thumbnail((4 * SIDE, 4 * SIDE), pillow.Resampling.NEAREST)
        picture = picture_of(np.asarray(image)) or pillow.new("RGB", (1, 1))
        picture.thumbnail((SIDE, SIDE))
        return picture
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        image = image.convert("RGBA")
        image.thumbnail((SIDE, SIDE))
        ground = pillow.new("RGBA", image.size, "white")
        return pillow.alpha_composite(ground, image).convert("RGB")
    high = image.getextrema()[1] if image.mode in ("L", "P") and is_grey(image) else None
    if isinstance(high, (int, float)) and 0 < high < CLASSES:
        image = image.point([min(level * 255 // int(high), 255) for level in range(256)], "L")
    image = image.convert("RGB")
    image.thumbnail((SIDE, SIDE))
    return image


def is_grey(image: Image) -> bool:
    """Whether a picture is shown in greys, each as light as its number."""
    if image.mode != "P":
        return bool(image.mode == "L")
    colours = image.getpalette() or []
    return all(colours[at : at + 3] == [at // 3] * 3 for at in range(0, len(colours), 3))


def picture_of(array: np.ndarray[Any, Any]) -> Image | None:
    """A picture from HxW, HxWx1, HxWx3, HxWx4, 1xHxW or 3xHxW numbers; None when the shape is no picture's.

    What is not in 0 to 255 is stretched to it: halves, normalized values, and the few grey levels of small data sets.
    """
    from PIL import Image

    if array.dtype.kind not in "buif" or not array.size or array.size > MOST_PIXELS:
        return None
    if array.ndim == 3 and array.shape[0] in (1, 3) and array.shape[2] not in (1, 3, 4):
        array = np.moveaxis(array, 0, 2)
    if array.ndim == 3 and array.shape[2] == 1:
        array = array[:, :, 0]
    if (
        array.ndim not in (2, 3)
        or (array.ndim == 3 and array.shape[2] not in (3, 4))
        or min(array.shape[:2]) < _SIDE_LEAST
    ):
        return None
    step = max(1, -(-max(array.shape[:2]) // (4 * SIDE)))
    values = np.nan_to_num(array[::step, ::step, ...].astype(np.float64), posinf=0.0, neginf=0.0)
    low, high = float(values.min()), float(values.max())
    whole = array.dtype.kind in "bu" or bool((values == np.round(values)).all())
    if not (whole and low >= 0 and 64 <= high <= 255):
        low = min(low, 0.0) if whole else low
        values = (values - low) * (255 / (high - low) if high > low else 0.0)
    levels = np.round(values).astype(np.uint8)
    return Image.fromarray(levels if levels.ndim == 2 else np.ascontiguousarray(levels[:, :, :3])).convert("RGB")


def _square(values: np.ndarray[Any, Any]) -> Image | None:
    """A picture from a row of numbers that fills a square, or three of them one after another."""
    size = values.size
    side = round(size**0.5)
    if side * side == size and size >= _SMALLEST:
        return picture_of(values.reshape(side, side))
    side = round((size / 3) ** 0.5)
    if side * side * 3 == size and size >= 3 * _SMALLEST:
        return picture_of(values.reshape(3, side, side))
    return None


def _from_bytes(content: Content, data: bytes, shown: str, plain: dict[str, Any]) -> bool:
    """Show bytes as a picture: encoded, or raw where the record gives its sides or they fill a square."""
    if data.startswith(_MAGIC):
        content.decode(data, shown)
        return True
    sides = [next((plain[name] for name in names if isinstance(plain.get(name), int)), None) for names in _SIDES]
    values = np.frombuffer(data, np.uint8)
    if sides[0] and sides[1]:
        shape = [side for side in (sides[0], sides[1], sides[2] or 1) if side > 0]
        if len(shape) == 3 and int(np.prod(shape, dtype=np.float64)) == values.size:
            image = picture_of(values.reshape(shape))
        else:
            image = None
    else:
        image = _square(values)
    if image is not None:
        content.show(image)
    return image is not None


def _text(data: bytes) -> str | None:
    """Bytes that are text, or None."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    return text if all(one.isprintable() or one in "\r\n\t" for one in text[:1000]) else None


# --- fields -----------------------------------------------------------------------------------------------------------


def shown(value: Any) -> str:
    """A value as people read it, of bounded length."""
    if isinstance(value, bytes):
        text = _text(value[:CHARACTERS])
        return f"({len(value):,} bytes)" if text is None else text
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, np.ndarray) and value.size > 100 and value.dtype.kind in "buif":
        return f"{_measured(value)}: {shown(value.ravel()[:100].tolist())} ..."
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        head = " ".join(shown(one)[:100] for one in value[:100])[:CHARACTERS]
        return head + (f" ... ({len(value):,})" if len(value) > 100 else "")
    return "" if value is None else str(value)[:CHARACTERS]


def _measured(values: np.ndarray[Any, Any]) -> str:
    """Type, shape and range of an array."""
    finite = values[np.isfinite(values)]
    span = f"{shown(finite.min().item())} .. {shown(finite.max().item())}" if finite.size else "-"
    left = values.size - finite.size
    return f"{values.dtype} {'×'.join(map(str, values.shape))}, {span}" + (f", NaN/Inf: {left:,}" if left else "")


def _fill(content: Content, row: dict[str, Any], path: Path, pictures: bool) -> Content:
    """Take the fields of a row: the first that is a picture, or names one, is shown; the others as they are."""
    plain = {name: value for name, value in row.items() if isinstance(value, (int, float, str))}
    for name, value in sorted(row.items(), key=lambda item: not _encoded(item[1])):  # a file rather than an array
        open_ = pictures and content.picture is None and content.problem is None
        here = f"{path} {name}"
        value = value["bytes"] if _holds_bytes(value) else value
        if isinstance(value, bytes) and (text := _text(value)) is not None:
            value = text
        if isinstance(value, bytes):
            if not (open_ and _from_bytes(content, value, here, plain)):
                content.fields.append((name, shown(value)))
            continue
        if isinstance(value, np.ndarray) and open_:
            image = picture_of(value) if value.ndim > 1 else _square(value)
            if image is not None:
                content.show(image)
                continue
        if isinstance(value, str) and open_ and len(value) < 1000 and PICTURE.search(value):
            content.decode(find_picture(value, path.parent), value)
        content.fields.append((name, shown(value)))
    del content.fields[FIELDS:]
    if pictures and content.picture is None and content.problem is None:
        _from_columns(content, row)
    return content


def _holds_bytes(value: Any) -> bool:
    """As Hugging Face writes pictures."""
    return isinstance(value, dict) and isinstance(value.get("bytes"), bytes)


def _encoded(value: Any) -> bool:
    data = value["bytes"] if _holds_bytes(value) else value
    return isinstance(data, bytes) and data.startswith(_MAGIC)


def _from_columns(content: Content, row: dict[str, Any]) -> None:
    """A picture whose pixels stand in columns of their own: pixel0, pixel1, ... or 1x1, 1x2, ..."""
    named = [(name, value) for name, value in row.items() if re.fullmatch(r"[^\d]*\d{1,9}([x_]\d{1,9})?", name)]
    if len(named) < _SMALLEST or len(named) < 0.9 * len(row):
        return
    named.sort(key=lambda one: [int(number) for number in re.findall(r"\d+", one[0])])  # NDJSON gives any order
    try:
        values = np.array([float(value) for _, value in named])
    except (TypeError, ValueError, OverflowError):
        return
    image = _square(values)
    if image is not None:
        content.show(image)
        names = {name for name, _ in named}
        content.fields[:] = [one for one in content.fields if one[0] not in names]


def find_picture(name: str, folder: Path) -> Path:
    """The file that a label file in `folder` means by a name: as a path, or by its end among the files around it."""
    parts = Path(name.replace("\\", "/")).parts
    for base in (folder, folder.parent):
        direct = base.joinpath(*parts)
        if os.path.isfile(direct):  # noqa: PTH113 - a name too long is not there either
            return direct
    found = _below(folder).get(parts[-1], []) if parts else []
    return max(found, key=lambda one: _common(one.parts, parts), default=folder / name)


def _common(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """How many of the last parts are the same."""
    number = 0
    for first, second in zip(reversed(one), reversed(other), strict=False):
        if first != second:
            break
        number += 1
    return number


@lru_cache(maxsize=4)
def _below(folder: Path) -> dict[str, list[Path]]:
    """The pictures below a folder by name."""
    found: dict[str, list[Path]] = {}
    seen = 0
    for base, _, names in os.walk(folder):
        for name in names:
            seen += 1
            if PICTURE.search(name):
                found.setdefault(name, []).append(Path(base, name))
        if seen > _LISTED:
            break
    return found


# --- formats ----------------------------------------------------------------------------------------------------------


def _table(
    path: Path, kind: str, label: str | None, wanted: frozenset[int], pictures: bool
) -> Iterator[tuple[int, Content]]:
    from . import tables
    from .drawing import joined

    given: set[int] = set()
    name = None
    for mode in tables.MODES[1:]:
        first = 0
        try:
            for batch in tables.batches(path, kind, mode):
                name = name or field_of(batch.columns, label)
                for row in sorted(one for one in wanted - given if first <= one < first + batch.height):
                    given.add(row)
                    values = batch.row(row - first, named=True)
                    content = Content(joined(values.pop(name, None)))
                    yield row, _fill(content, _numbered(values), path, pictures)
                first += batch.height
                if len(given) == len(wanted):
                    return
        except tables.RereadNeeded:
            continue
        return


def _numbered(values: dict[str, Any]) -> dict[str, Any]:
    """Lists of numbers as arrays."""
    made = {}
    for name, value in values.items():
        if isinstance(value, list) and value and len(value) <= MOST_PIXELS:
            try:
                array = np.asarray(value)
            except ValueError:
                array = np.empty(0)
            value = array if array.dtype.kind in "buif" and array.size else value
        made[name] = value
    return made


def _mindrecord(path: Path, label: str | None, wanted: frozenset[int], pictures: bool) -> Iterator[tuple[int, Content]]:
    from . import mindrecord
    from .drawing import joined

    shard = mindrecord.open_shard(path)
    name = field_of(list(shard.types), label)
    places = sorted(one for one in wanted if 0 <= one < shard.rows)
    for row, (scalars, blobs) in zip(places, mindrecord.rows(shard, wanted), strict=False):
        values: dict[str, Any] = {key: value for key, value in scalars.items() if key in shard.types}
        for key, data in blobs.items():
            values[key] = mindrecord.shaped(data, shard.types.get(key, "bytes"), shard.shapes.get(key))
        given = values.pop(name, None)
        own = joined(given.tolist()) if isinstance(given, np.ndarray) else said(given)
        yield row, _fill(Content(own), values, path, pictures)


def _tfrecord(path: Path, label: str | None, wanted: frozenset[int], pictures: bool) -> Iterator[tuple[int, Content]]:
    from . import tfrecord
    from .drawing import joined

    name = None
    for number, (data, at) in enumerate(tfrecord.records(path)):
        if number > max(wanted, default=-1):
            return
        if number not in wanted and name is not None:
            continue
        try:
            features = tfrecord.example(data)
        except (ValueError, IndexError):
            raise ReadError(
                "malformed", path=str(path), format="TFRecord", offset=at, expected="tf.train.Example"
            ) from None
        name = name or field_of(list(features), label)
        if number in wanted:
            content = Content(joined(tfrecord.plain(features.pop(name, None))))
            values = {key: _single(feature[1]) for key, feature in features.items()}
            yield number, _fill(content, values, path, pictures)


def _shard(path: Path, label: str | None, wanted: frozenset[int], pictures: bool) -> Iterator[tuple[int, Content]]:
    from .drawing import joined
    from .webdataset import samples

    name = None
    for number, (key, fields, _) in enumerate(samples(path)):
        if number > max(wanted, default=-1):
            return
        name = name or member_of(fields, label)
        if number in wanted:
            content = Content(joined(labels_in(fields, name)))
            fields.pop(name, None)
            yield number, _fill(content, {"__key__": key, **fields}, path, pictures)


def _single(values: Any) -> Any:
    """A feature of one value as that value, of several numbers as an array."""
    if len(values) == 1:
        return values[0] if isinstance(values, list) else float(values[0])
    return np.asarray(values) if len(values) and not isinstance(values[0], bytes) else values


def label_of_row(row: np.ndarray[Any, Any]) -> list[int]:
    """The labels of a row with a column for each class, 1 where the sample belongs to it. Raises NoLabel for other rows."""
    if not ((row == 0) | (row == 1)).all():
        raise NoLabelField([f"{row.dtype} {row.shape}"])
    return [int(one) for one in np.flatnonzero(row)]


def _arrays(
    path: Path, kind: str, label: str | None, wanted: frozenset[int], pictures: bool
) -> Iterator[tuple[int, Content]]:
    from .drawing import joined

    array, place = label_array(path, kind, label)
    inside = sorted(one for one in wanted if 0 <= one < array.shape[0])
    if place is not None:
        for row, values in _rows(array, inside):
            content = Content(said(int(values[place])))
            if pictures:
                content.show(_certain(picture_of(values[place + 1 :].reshape(3, 32, 32))))
            yield row, content
        return
    contents = {}
    for row, values in _rows(array, inside):
        one_hot = values.ndim == 1 and values.size > 1
        contents[row] = Content(joined(label_of_row(values)) if one_hot else said(values.reshape(-1)[0].item()))
    if pictures:
        for samples in _beside(path, kind, array):
            for row, values in _rows(samples, inside):
                content = contents[row]
                image = picture_of(values) if values.ndim > 1 else _square(values)
                if image is not None and content.picture is None:
                    content.show(image)
                else:
                    content.fields.append((samples.name, shown(values.reshape(-1))))
        for content in contents.values():
            if content.picture is None and not content.fields:
                content.problem = ReadError("sample-alone", path=str(path))
    yield from contents.items()


def _certain(image: Image | None) -> Image:
    assert image is not None
    return image


def _beside(path: Path, kind: str, labels: Array) -> list[Array]:
    """The arrays that hold the samples of these labels: in the same archive, or in files beside it with as many rows."""
    from .arrays import arrays

    if kind == "npz":
        found = arrays(path, kind)
    else:
        from .detect import detect

        found = []
        stem = _kindred(path.name)
        for other in sorted(path.parent.iterdir(), key=lambda one: (_kindred(one.name) != stem, one.name))[:1000]:
            try:
                if other != path and other.is_file() and detect(other) == kind:
                    found += arrays(other, kind)
            except ReadError:
                continue
        found = [one for one in found if one.shape and one.shape[0] == labels.shape[0] and len(one.shape) > 1][:1]
    return [
        one
        for one in found
        if one.name != labels.name
        and one.shape
        and one.shape[0] == labels.shape[0]
        and not one.fortran
        and one.dtype.names is None
        and not one.dtype.hasobject
    ]


def _kindred(name: str) -> str:
    """A file name without what tells labels from samples: equal for train-labels-idx1-ubyte and train-images-idx3-ubyte."""
    return re.sub(r"labels?|targets?|images?|data|features?|idx\d|(^|[_-])[xy](?=[_.-])", "", name.lower())


def _rows(array: Array, wanted: list[int]) -> Iterator[tuple[int, np.ndarray[Any, Any]]]:
    """Single rows of an array: straight from their place in the file, or from one pass through a compressed archive."""
    from .arrays import read

    width = max(1, array.size // max(1, array.shape[0]))
    shape = array.shape[1:]
    if width * array.dtype.itemsize > 1 << 30:
        raise ReadError("too-large", path=str(array.path), size=width * array.dtype.itemsize, limit=1 << 30)
    if array.offset is not None:
        for row in wanted:
            parts = [block.copy() for _, block in read(array, row * width, (row + 1) * width)]
            yield row, np.concatenate(parts).reshape(shape)
        return
    held: dict[int, list[np.ndarray[Any, Any]]] = {}
    for start, block in read(array, 0, array.size):
        for row in wanted:
            begin, end = max(row * width, start), min((row + 1) * width, start + len(block))
            if begin < end:
                held.setdefault(row, []).append(block[begin - start : end - start].copy())
            if (row + 1) * width == end and row in held:
                yield row, np.concatenate(held.pop(row)).reshape(shape)
        if wanted and start + len(block) >= (wanted[-1] + 1) * width:
            return


# --- COCO -------------------------------------------------------------------------------------------------------------


def _coco(path: Path, wanted: frozenset[int], pictures: bool) -> Iterator[tuple[int, Content]]:
    from .coco import read as annotations

    content = annotations(path)
    files = {one.id: one.file_name for one in content.images}
    for row in sorted(one for one in wanted if 0 <= one < len(content.annotations)):
        annotation = content.annotations[row]
        name = "" if annotation.image_id is None else files.get(annotation.image_id, "")
        made = Content(annotation.name(content), [("image", name)] if name else [])
        if annotation.bbox:
            made.fields.append(("bbox", shown(annotation.bbox)))
        if pictures and name:
            made.decode(find_picture(name, path.parent), name)
            if made.picture is not None and made.size is not None and annotation.bbox and len(annotation.bbox) == 4:
                _outline(made.picture, made.size, annotation.bbox)
        yield row, made


def _outline(picture: Image, size: tuple[int, int], box: list[float]) -> None:
    """Draw a box (left, top, width, height, in pixels of the whole picture) on the small one."""
    from PIL import ImageDraw

    scale = picture.width / size[0], picture.height / size[1]
    left, top = box[0] * scale[0], box[1] * scale[1]
    right, bottom = left + max(0.0, box[2]) * scale[0], top + max(0.0, box[3]) * scale[1]
    limit = 10.0 * SIDE
    if all(-limit < one < limit for one in (left, top, right, bottom)):  # false for NaN too
        ImageDraw.Draw(picture).rectangle((left, top, right, bottom), outline="red", width=2)
