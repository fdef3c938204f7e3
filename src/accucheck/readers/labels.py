"""How many samples of each class a data set holds, from its files: a column, an array, an index, folders or annotations.

Labels are told as text: 3, 3.0 and "3" are one class. Memory grows with the number of classes, not with that of samples.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ReadError
from .detect import TABLES
from .places import File, below

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

    from .arrays import Array

#: More classes are not told apart: what varies so much is no class.
MOST = 200_000
#: What a column of labels is called where the case does not say.
USUAL = re.compile(
    r"^(train_|y_|train)?(labels?|targets?|class(es|_?ids?|_?labels?|_?names?)?|categor(y|ies)|y|y_train|train_y)$",
    re.I,
)
#: In the place of a field of labels: samples are wanted without one.
NONE = ""
#: An array with more columns than this has none for each class.
WIDEST = 100_000


@dataclass
class Counts:
    """`column` is where the labels stand. `many`: a sample may have several. `missing` samples have none; `numbers` is true
    when some labels are numbers that are no whole ones, `words` when some are no numbers at all, `over` when there were more than MOST
    different ones."""

    column: str = ""
    classes: Counter[str] = field(default_factory=Counter)
    samples: int = 0
    missing: int = 0
    many: bool = False
    numbers: bool = False
    words: bool = False
    over: bool = False
    names: tuple[str, ...] = ()  # of all classes, where the file lists them

    def add(self, label: Any, count: int = 1) -> None:
        """So many samples with a label; None, NaN and an empty text are none."""
        self.samples += count
        text = said(label)
        if text is None:
            self.missing += count
            return
        if text in self.classes:
            self.classes[text] += count
        elif len(self.classes) < MOST:
            self.classes[text] = count
            try:
                self.numbers |= float(text) % 1 > 0  # by the text, which is alike in every format and encoding
            except ValueError:
                self.words = True
        else:
            self.over = True

    def add_sample(self, labels: Sequence[Any]) -> None:
        """One sample with none, one or several labels."""
        self.many |= len(labels) > 1
        samples = self.samples + 1
        for label in labels or (None,):
            self.add(label)
        self.samples = samples

    def merge(self, other: Counts) -> None:
        self.classes.update(other.classes)
        self.samples += other.samples
        self.missing += other.missing
        self.many |= other.many
        self.numbers |= other.numbers
        self.words |= other.words
        self.over |= other.over or len(self.classes) > MOST
        self.column = self.column or other.column
        self.names = self.names or other.names

    def settled(self) -> Counts:
        """Itself, when a table is read to its end: among numbers alone a cell that says NaN is no label."""
        if not self.words:
            self.missing += self.classes.pop("nan", 0) + self.classes.pop("NaN", 0)
        return self


def said(label: Any) -> str | None:
    """A label as text; None for none."""
    if isinstance(label, bytes):
        label = label.decode("utf-8", "replace")
    if isinstance(label, str):
        text = label.strip()
        if re.fullmatch(r"-?\d+\.0*", text):
            text = text.partition(".")[0]
        elif re.fullmatch(r"-?\d\.\d+e[+-]\d+", text):  # as numpy.savetxt writes all numbers
            return said(float(text))
        return text[:200] or None
    if isinstance(label, float):
        if label != label:
            return None
        return str(int(label)) if label.is_integer() else repr(label)
    return None if label is None else str(label)[:200]


class NoLabelField(Exception):
    """The file has no field of this name, or none that is called like labels; `fields` are those it has."""

    def __init__(self, fields: Sequence[str]) -> None:
        super().__init__(", ".join(fields))
        self.fields = list(fields)


def count(path: Path, kind: str, label: str | None) -> Iterator[float | Counts]:
    """The labels of one file of a kind of detect.FORMATS other than "image", or "json" for COCO's annotations.

    Yields the share that is done, and at the end the Counts. Raises NoLabel, and ReadError for a file that is damaged, after the
    Counts of what comes before the damage.
    """
    if kind in TABLES:
        yield from _table(path, kind, label)
    elif kind == "tar":
        yield from _shard(path, label)
    elif kind == "mindrecord":
        yield from _mindrecord(path, label)
    elif kind == "tfrecord":
        yield from _tfrecord(path, label)
    elif kind == "json":
        yield _annotations(path)
    else:
        yield from _arrays(path, kind, label)


def field_of(fields: Sequence[str], label: str | None) -> str:
    """The field of the labels; "" where "" says that none is wanted. Raises NoLabel when it is not there, or not clear which it is."""
    if label == NONE:
        return NONE
    if label is not None:
        if label in fields:
            return label
        raise NoLabelField(fields)
    usual = [name for name in fields if USUAL.match(name)]
    if len(usual) != 1:
        raise NoLabelField(fields)
    return usual[0]


def _table(path: Path, kind: str, label: str | None) -> Iterator[float | Counts]:
    from . import tables

    expected = tables.expected_rows(path, kind)
    # cells of a CSV as text, so that labels compare: 0101 is not 101, whatever the encoding of the file
    for mode in tables.MODES[1:] if kind == "csv" else tables.MODES:
        counts = Counts()
        try:
            for batch in tables.batches(path, kind, mode):
                counts.column = counts.column or field_of(batch.columns, label)
                if counts.column not in batch.columns:  # a field that these rows of NDJSON do not have
                    counts.add(None, batch.height)
                else:
                    _column(counts, batch[counts.column])
                yield min(1.0, counts.samples / expected)
        except tables.RereadNeeded:
            continue
        except ReadError:
            yield counts.settled()
            raise
        yield counts.settled()
        return


def _column(counts: Counts, column: pl.Series) -> None:
    from .frames import pl

    if isinstance(column.dtype, pl.Array):
        column = column.arr.to_list()
    if isinstance(column.dtype, pl.List):  # several labels a sample
        counts.many = True
        before = counts.samples
        for value, number in column.explode().drop_nulls().value_counts().iter_rows():
            counts.add(value, number)
        counts.missing += int((column.list.len().fill_null(0) == 0).sum())
        counts.samples = before + len(column)
    elif isinstance(column.dtype, pl.Struct):
        raise NoLabelField([f"{column.name}.{part.name}" for part in column.dtype.fields])
    else:
        for value, number in column.value_counts().iter_rows():
            counts.add(value, number)


def _mindrecord(path: Path, label: str | None) -> Iterator[float | Counts]:
    from . import mindrecord

    shard = mindrecord.open_shard(path)
    name = field_of(list(shard.types), label)
    counts = Counts(name)
    try:
        for value, number in mindrecord.values(shard, name):
            if isinstance(value, list):
                counts.add_sample(value)
            else:
                counts.add(value, number)
    except ReadError:
        yield counts
        raise
    yield counts


def _tfrecord(path: Path, label: str | None) -> Iterator[float | Counts]:
    from . import tfrecord

    first = next(tfrecord.examples(path), None)
    if first is None:
        raise NoLabelField([])
    counts = Counts(field_of(list(first), label))
    expected = tfrecord.expected_records(path)
    try:
        for number, features in enumerate(tfrecord.examples(path, {counts.column})):
            counts.add_sample(tfrecord.plain(features.get(counts.column)))
            if number % 1000 == 0:
                yield min(1.0, number / expected)
    except ReadError:
        yield counts
        raise
    yield counts


def _shard(path: Path, label: str | None) -> Iterator[float | Counts]:
    from .webdataset import samples

    counts = Counts()
    size = max(1, path.stat().st_size)
    try:
        for number, (_, fields, end) in enumerate(samples(path)):
            if not number:
                counts.column = member_of(fields, label)
            counts.add_sample(labels_in(fields, counts.column))
            if number % 1000 == 0:
                yield min(1.0, end / size)
    except ReadError:
        yield counts
        raise
    yield counts


def member_of(fields: dict[str, bytes], label: str | None) -> str:
    """Where a sample of a shard has its label: a member, such as cls, or a key in one of JSON, such as json.label. Raises NoLabel."""
    inside = {name: _parsed(content) for name, content in fields.items() if name.rpartition(".")[2] == "json"}
    keys = [f"{name}.{key}" for name, values in inside.items() for key in values]
    if label in (*fields, *keys, NONE):
        return label
    if label is None and "cls" in fields:
        return "cls"
    if label is None and len(usual := [key for key in keys if USUAL.match(key.rpartition(".")[2])]) == 1:
        return usual[0]
    raise NoLabelField([*fields, *keys])


def labels_in(fields: dict[str, bytes], member: str) -> list[Any]:
    """The labels of a sample at the place that member_of told."""
    if member in fields:
        return [fields[member]]
    name, _, key = member.rpartition(".")
    value = _parsed(fields.get(name, b"")).get(key)
    return value if isinstance(value, list) else [value]


def _parsed(content: bytes) -> dict[str, Any]:
    """An object of JSON; an empty one when it is none, which the probe of missing values tells."""
    import json

    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _arrays(path: Path, kind: str, label: str | None) -> Iterator[float | Counts]:
    array, place = label_array(path, kind, label)
    # one byte of label, or two of which the second is the fine one, in a CIFAR file
    counts = Counts(array.name if place is None else ("label", "fine label")[place])
    for block, done in rows_of(array):
        if place is None and block.shape[1] > 1:
            _one_hot(counts, block, array)
        else:
            _numbers(counts, block[:, place or 0])
        yield done
    yield counts


def label_array(path: Path, kind: str, label: str | None) -> tuple[Array, int | None]:
    """The array of the labels in a file of arrays, and the column of a CIFAR file they stand in. Raises NoLabel."""
    from .arrays import arrays

    found = arrays(path, kind)
    if kind == "cifar":  # the labels stand before the pixels
        return found[0], found[0].shape[1] - 3073
    by_name = {array.name: array for array in found}
    # an IDX file of one axis holds nothing else
    array = found[0] if kind == "idx" and len(found[0].shape) == 1 else by_name[field_of(list(by_name), label)]
    odd = array.dtype.names or array.dtype.hasobject or array.fortran
    if odd or len(array.shape) not in (1, 2) or (len(array.shape) == 2 and array.shape[1] > WIDEST):
        raise NoLabelField([_shown(array)])
    return array, None


def _shown(array: Array) -> str:
    return f"{array.name} {array.dtype} {array.shape}"


def rows_of(array: Array) -> Iterator[tuple[np.ndarray[Any, Any], float]]:
    """Whole rows of an array of one or two axes as (rows, columns), with the share that is done."""
    import numpy as np

    from .arrays import read

    width = array.shape[1] if len(array.shape) == 2 else 1
    if not width:
        raise NoLabelField([_shown(array)])
    rest = np.empty(0, array.dtype)
    for start, block in read(array, 0, array.size):
        whole = np.concatenate((rest, block)) if len(rest) else block
        rows = len(whole) // width
        yield whole[: rows * width].reshape(rows, width), min(1.0, (start + len(block)) / array.size)
        rest = whole[rows * width :].copy()


def _numbers(counts: Counts, block: np.ndarray[Any, Any]) -> None:
    import numpy as np

    values, numbers = np.unique(block, return_counts=True)
    for value, number in zip(values.tolist(), numbers.tolist(), strict=True):
        counts.add(value, number)


def _one_hot(counts: Counts, block: np.ndarray[Any, Any], array: Array) -> None:
    """A column for each class, with 1 where the sample belongs to it."""
    if not ((block == 0) | (block == 1)).all():
        raise NoLabelField([_shown(array)])
    given = block.sum(axis=1)
    counts.many |= bool((given > 1).any())
    counts.missing += int((given == 0).sum())
    counts.samples += len(block)
    counts.names = tuple(str(place) for place in range(block.shape[1]))
    for place, number in enumerate(block.sum(axis=0).tolist()):
        if number:
            counts.classes[str(place)] += int(number)


def _annotations(path: Path) -> Counts:
    from .coco import read

    content = read(path)
    counts = Counts("category_id", many=True, names=tuple(content.names.values()))
    for one, number in Counter(annotation.category_id for annotation in content.annotations).items():
        counts.add(None if one is None else content.names.get(one, str(one)), number)
    return counts


def class_folders(root: File, images: Iterable[File]) -> tuple[str, Callable[[File], str]] | None:
    """Where the folders of classes stand, and what tells that of an image, as ImageFolderDataset takes it: the first below the
    root with more than one beside it. None when all images lie in one folder."""
    common: tuple[str, ...] | None = None  # the folders from the root on that all images have
    shortest = 0
    for path in images:
        parts = below(root, path)[:-1]
        if common is None:
            common, shortest = parts, len(parts)
        shortest = min(shortest, len(parts))
        if parts[: len(common)] != common:
            pairs = takewhile(lambda pair: pair[0] == pair[1], zip(common, parts, strict=False))
            common = tuple(name for name, _ in pairs)
    if common is None or shortest == len(common):
        return None
    depth = len(common)
    return "/".join((*common, "*")), lambda path: below(root, path)[depth]


def by_folder(root: File, images: Iterable[File]) -> Counts | None:
    """Images counted by the folder that names their class; None when all lie in one folder."""
    found = class_folders(root, images)
    if found is None:
        return None
    counts = Counts(found[0])
    for name, number in Counter(map(found[1], images)).items():
        counts.add(name, number)
    counts.numbers = False  # a folder is a class, whatever it is called
    return counts
