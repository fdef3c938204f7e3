"""Which sample comes when: the user's pipeline rebuilt so that each row is the number that says which one it is.

The rebuilt pipeline has its own samplers and its own shuffle, skip, take, batch, concat and zip nodes, but nothing that
changes the content of a sample (map, filter, rename, ...). A source with a sampler and random access hands out the index
itself; of any other source a row is known by the digest of its raw columns.
"""

from __future__ import annotations

import hashlib
import time
from typing import Any

from .pipeline import Node, Tell, kinds, plain_copy, single, sources_of, unshuffled, with_sampler

#: Nodes that change what a sample holds but not which sample comes when. Batches by length do change the order, in a way
#: that depends on the data; the order before them is what shuffling is responsible for.
TRANSPARENT = {
    "MapDataset", "FilterDataset", "RenameDataset", "ProjectDataset", "RepeatDataset", "SyncWaitDataset",
    "BucketBatchByLengthDataset", "BuildVocabDataset", "BuildSentencePieceVocabDataset", "TransferDataset",
}  # fmt: skip
#: Columns that hold a class where the case names none.
LABELS = ("label", "labels", "target", "fine_label", "class")


class Indices:
    """A source of which each row is its own index plus an offset."""

    def __init__(self, size: int, offset: int) -> None:
        self.size, self.offset = size, offset

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        import numpy

        return (numpy.int64(index + self.offset), numpy.int64(0))


class Codes:
    """Labels as small numbers, in the order in which they first appear; at most 100,000 different ones."""

    def __init__(self) -> None:
        self.known: dict[bytes, int] = {}

    def of(self, value: Any) -> int:
        key = value.tobytes() if value.dtype != object else repr(value.tolist()).encode()
        if len(self.known) < 100000:
            return self.known.setdefault(key, len(self.known))
        return self.known.get(key, -1)


def random_access(source: Node) -> bool:
    """True when the rows of a source are chosen by index by a sampler that is not its own reader's."""
    names = kinds(source)
    sampler = getattr(source, "sampler", None)
    if "MappableDataset" not in names or "MindDataset" in names or sampler is None:
        return False
    while sampler is not None:
        if "PKSampler" in kinds(sampler):  # draws by class, so it needs the rows
            return False
        sampler = getattr(sampler, "child_sampler", None)
    return "GeneratorDataset" not in names or hasattr(source.source, "__getitem__")


def label_column(source: Node, named: str | None) -> str | None:
    columns = source.get_col_names()
    return next((name for name in ([named] if named else LABELS) if name in columns), None)


def digested(source: Node, label: str | None, codes: Codes) -> Node:
    """`source` with each row replaced by the digest of its raw columns, and by its label as a number."""
    import numpy

    columns = source.get_col_names()
    place = columns.index(label) if label in columns else None

    def digest(*row: Any) -> tuple[Any, Any]:
        told = hashlib.blake2b(digest_size=8)
        for value in row:
            value = numpy.asarray(value)
            told.update(repr((value.dtype.kind, value.shape)).encode())
            told.update(repr(value.tolist()).encode() if value.dtype.kind in "OUS" else value.tobytes())
        code = -1 if place is None else codes.of(numpy.asarray(row[place]))
        # 53 bits, so that every number survives JSON
        return numpy.int64(int.from_bytes(told.digest(), "little") >> 11), numpy.int64(code)

    return source.map(digest, input_columns=columns, output_columns=["id", "code"], num_parallel_workers=1)


class TaggedPipeline:
    """The user's pipeline with rows that say which sample they are. `indexed`: by index, otherwise by digest.

    Without `batches` one row comes out at a time; `by_content` asks for digests in any case.
    """

    def __init__(
        self, root: Node, label: str | None, codes: Codes, *, batches: bool = True, by_content: bool = False
    ) -> None:
        import mindspore.dataset as ds

        self.ds, self.label, self.codes = ds, label, codes
        self.offset = 0
        self.parts: list[tuple[Node, int, int]] = []  # (source, offset, rows)
        self.unknown: list[str] = []  # nodes of a kind that is not known here
        self.batch = 1  # rows of one element at the end of the pipeline
        self.batches = batches
        self.indexed = not by_content and all(random_access(source) for source in sources_of(root))
        self.root = self.node(root)

    def node(self, node: Node) -> Node:
        names = kinds(node)
        children = node.children
        if not children:
            return self.source(node)
        if "ZipDataset" in names:  # the columns of one row: any of the zipped sources tells the order
            return self.node(next((child for child in children if child.is_shuffled()), children[0]))
        below = [self.node(child) for child in children]
        if "ConcatDataset" in names and len(below) > 1:
            whole = below[0]
            for part in below[1:]:
                whole = whole.concat(part)
            return whole
        child = below[0]
        if "ShuffleDataset" in names:
            shuffled = child.shuffle(node.buffer_size)
            shuffled.reshuffle_each_epoch = node.reshuffle_each_epoch
            return shuffled
        each = 1 if self.batches else self.batch
        if "SkipDataset" in names:
            return child.skip(node.count * each)
        if "TakeDataset" in names:
            return child.take(node.count * each if node.count > 0 else node.count)
        if "BatchDataset" in names or "PaddedBatchDataset" in names:
            if isinstance(node.batch_size, int) and node.batch_size > 0:
                self.batch *= node.batch_size
                if not self.batches:
                    return child
                return child.batch(node.batch_size, drop_remainder=bool(node.drop_remainder))
            return child
        if not TRANSPARENT & set(names):
            self.unknown.append(type(node).__name__)
        return child

    def rows(self) -> int | None:
        """Rows of one epoch, or None where telling would mean reading them all."""
        if any(getattr(source, "source_len", 0) == -1 for source in sources_of(self.root)):
            return None
        try:
            return int(self.root.get_dataset_size()) * self.batch
        except Exception:
            return None

    def source(self, source: Node) -> Node:
        ds = self.ds
        if not self.indexed:
            return digested(single(plain_copy(source)), self.label, self.codes)
        if "GeneratorDataset" in kinds(source):
            rows = len(source.source)
        else:
            rows = unshuffled(source).get_dataset_size()
        offset, self.offset = self.offset, self.offset + rows
        self.parts.append((source, offset, rows))
        how = {"sampler": source.sampler}
        if getattr(source, "has_batch_sampler", False):
            how = {"batch_sampler": source.sampler}
        return ds.GeneratorDataset(Indices(rows, offset), ["id", "code"], **how)


class Reader:
    """Reads epochs until the seconds are used up."""

    def __init__(self, seconds: float, tell: Tell) -> None:
        self.tell = tell
        self.deadline = time.monotonic() + seconds
        self.told = 0.0

    def read(
        self, iterator: Any, limit: int, done: int = 0, total: int | None = None
    ) -> tuple[list[int], list[int], bool]:
        """ids, labels, at most `limit` of each, and whether the epoch came to its end."""
        ids: list[int] = []
        codes: list[int] = []
        for row in iterator:
            ids.extend(int(value) for value in row["id"].reshape(-1))
            codes.extend(int(value) for value in row["code"].reshape(-1))
            now = time.monotonic()
            if now - self.told > 0.2:
                self.told = now
                self.tell(event="progress", done=done + len(ids), total=total)
            if len(ids) >= limit or now > self.deadline:
                return ids[:limit], codes[:limit], False
        return ids, codes, True


def rows_at(
    rebuilt: TaggedPipeline, ids: list[int], label: str | None, codes: Codes, seconds: float
) -> dict[int, tuple[int, int]]:
    """(digests, labels) of the samples with these ids as their sources hand them out, as far as the time reaches."""
    ds = rebuilt.ds
    deadline = time.monotonic() + seconds
    found = {}
    for source, offset, rows in rebuilt.parts:
        wanted = sorted({value - offset for value in ids if offset <= value < offset + rows})
        if not wanted:
            continue
        twin = digested(single(with_sampler(source, ds.SubsetSampler(wanted))), label, codes)
        for index, row in zip(wanted, twin.create_dict_iterator(num_epochs=1, output_numpy=True)):  # noqa: B905  (Python 3.9)
            found[index + offset] = (int(row["id"]), int(row["code"]))
            if time.monotonic() > deadline:
                break
    return found
