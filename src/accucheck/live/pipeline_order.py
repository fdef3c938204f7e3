"""Runs under the user's interpreter: calls their pipeline function and tells in which order two epochs read the data.

Started by path by live/child.py, never imported by accucheck. Imports the standard library, numpy and mindspore only;
Python 3.9 and later. One JSON request comes in on stdin, events go out on the real stdout, all chatter goes to stderr.

How the order is told: the pipeline that the user's function returns is rebuilt with its own samplers and its own shuffle,
skip, take, batch, concat and zip nodes, but with nothing that changes the content of a sample (map, filter, rename, ...),
and every row is replaced, at its source, by the number that says which one it is. A source with a sampler and random
access hands out the index itself; of any other source a row is known by the digest of its raw columns, and its position by
reading the same source once with shuffling off.
"""

from __future__ import annotations

import copy
import hashlib
import importlib
import json
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any

Node = Any  # a mindspore.dataset.Dataset: MindSpore is imported late, and its classes have no types
Tell = Callable[..., None]

#: Nodes that change what a sample holds but not which sample comes when. Batches by length do change the order, in a way
#: that depends on the data; the order before them is what shuffling is responsible for.
TRANSPARENT = {
    "MapDataset", "FilterDataset", "RenameDataset", "ProjectDataset", "RepeatDataset", "SyncWaitDataset",
    "BucketBatchByLengthDataset", "BuildVocabDataset", "BuildSentencePieceVocabDataset", "TransferDataset",
}  # fmt: skip
#: Columns that hold a class where the case names none.
LABELS = ("label", "labels", "target", "fine_label", "class")
#: Labels are read of at most so many samples, and for at most so many seconds.
LABELLED, LABEL_SECONDS = 1000, 10.0
#: More positions than samples are read with shuffling off, so that a buffer's reach past the last sample is seen.
BEYOND = 2


class Stop(Exception):
    """The run ends here with this event."""

    def __init__(self, **event: Any) -> None:
        super().__init__(event)
        self.event = event


def kinds(node: Node) -> list[str]:
    """The names of a node's classes, so that no private module of MindSpore is imported."""
    return [cls.__name__ for cls in type(node).__mro__]


def is_dataset(value: Any) -> bool:
    return "Dataset" in kinds(value) and hasattr(value, "create_dict_iterator")


def called(request: dict[str, Any]) -> Node:
    """The dataset that the user's function returns. What the user's code raises becomes a Stop with its last lines."""
    module, _, name = request["call"].partition(":")
    sys.path.insert(0, request["root"])
    sys.argv = [request["call"]]
    try:
        function: Any = importlib.import_module(module)
        for part in name.split("."):
            function = getattr(function, part)
        value = function(**request["args"])
    except (Exception, SystemExit) as error:
        raise Stop(event="raised", error=shown(error), lines=last_lines(error, request["root"]))
    found = [value] if is_dataset(value) else []
    if isinstance(value, (list, tuple)):
        found = [entry for entry in value if is_dataset(entry)]
    elif isinstance(value, dict):
        found = [entry for entry in value.values() if is_dataset(entry)]
    if len(found) != 1:
        described = type(value).__module__ + "." + type(value).__qualname__
        raise Stop(event="no-dataset", found=described, count=len(found))
    return found[0]


def shown(error: BaseException) -> str:
    """The error as its last line; of an error that MindSpore wraps, the user's own."""
    inner = inner_lines(error)
    return (inner[-1] if inner else "".join(traceback.format_exception_only(type(error), error)).strip())[:500]


def inner_lines(error: BaseException) -> list[str]:
    """The traceback that MindSpore puts into the message when the user's Python fails inside a pipeline."""
    _, found, text = str(error).partition("Python Call Stack")
    lines = text.partition("Dataset Pipeline Error Message")[0].splitlines()
    return [line for line in lines[1:] if line.strip("- ")] if found else []


def last_lines(error: BaseException, root: str) -> list[str]:
    """The last lines of a traceback, from the first frame of the user's own project on; none if it has no part in it."""
    lines = inner_lines(error)[:-1]
    if not lines:
        frames = traceback.extract_tb(error.__traceback__)
        inside = (i for i, frame in enumerate(frames) if os.path.abspath(frame.filename).startswith(root))
        lines = "".join(traceback.format_list(frames[next(inside, len(frames)) :])).splitlines()
    return [line[:300] for line in lines][-12:]


def sources_of(node: Node) -> list[Node]:
    if not node.children:
        return [node]
    return [source for child in node.children for source in sources_of(child)]


def sampler_facts(sampler: Any) -> list[dict[str, Any]]:
    """What a chain of samplers says about itself, outermost first."""
    facts = []
    while sampler is not None:
        fact: dict[str, Any] = {"node": type(sampler).__name__}
        for name in ("shuffle", "num_shards", "replacement", "num_samples", "reshuffle_each_epoch"):
            value = getattr(sampler, name, None)
            if isinstance(value, (bool, int, str)):
                fact[name] = str(getattr(value, "name", value)) if isinstance(value, str) else value
        facts.append(fact)
        sampler = getattr(sampler, "child_sampler", None)
    return facts


def sharded(source: Node) -> int:
    """How many shards a source is dealt out to."""
    sampler, shards = getattr(source, "sampler", None), 1
    while sampler is not None:
        if "DistributedSampler" in kinds(sampler):
            shards *= sampler.num_shards
        sampler = getattr(sampler, "child_sampler", None)
    return shards


def described(node: Node, depth: int = 0, limit: int = 60) -> list[dict[str, Any]]:
    """The pipeline from its end to its sources: one entry a node, with what bears on the order."""
    entry: dict[str, Any] = {"node": type(node).__name__, "depth": depth}
    for name in ("buffer_size", "reshuffle_each_epoch", "shuffle_flag", "batch_size", "count"):
        value = getattr(node, name, None)
        if isinstance(value, (bool, int)):
            entry[name] = value
    entries = [entry]
    if not node.children:
        entries += [dict(fact, depth=depth + 1) for fact in sampler_facts(getattr(node, "sampler", None))]
    for child in node.children:
        if len(entries) < limit:
            entries += described(child, depth + 1, limit)
    return entries[:limit]


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


def plain_copy(source: Node) -> Node:
    """A copy of a source that belongs to no pipeline."""
    parent, source.parent = source.parent, []
    twin = copy.deepcopy(source)
    source.parent = parent
    twin.parent, twin.dataset_size = [], None
    return twin


def with_sampler(source: Node, sampler: Any) -> Node:
    twin = plain_copy(source)
    twin.sampler = sampler
    if hasattr(twin, "has_batch_sampler"):
        twin.has_batch_sampler = False
    for name in ("num_samples", "num_shards", "shard_id"):
        if hasattr(twin, name):
            setattr(twin, name, {"num_samples": 0, "num_shards": 1, "shard_id": 0}[name])
    return twin


def unshuffled(source: Node) -> Node:
    """The same source with shuffling off: the order in which the data lie there."""
    import mindspore.dataset as ds

    twin = plain_copy(source)
    twin.shuffle_flag = 0
    if getattr(twin, "sampler", None) is not None:
        twin = with_sampler(source, ds.SequentialSampler())
        twin.shuffle_flag = 0
        if hasattr(twin, "shuffle_option"):
            twin.shuffle_option = getattr(ds.Shuffle, "FALSE", False)
    return twin


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


def single(node: Node) -> Node:
    """A source's reader without worker processes of its own: the rows are the same, and nothing is left running."""
    if hasattr(node, "num_parallel_workers") and "GeneratorDataset" in kinds(node):
        node.num_parallel_workers = 1
    return node


class Rebuilt:
    """The user's pipeline with rows that say which sample they are. `indexed`: by index, otherwise by digest."""

    def __init__(self, root: Node, label: str | None, codes: Codes) -> None:
        import mindspore.dataset as ds

        self.ds, self.label, self.codes = ds, label, codes
        self.offset = 0
        self.parts: list[tuple[Node, int, int]] = []  # (source, offset, rows)
        self.unknown: list[str] = []  # nodes of a kind that is not known here
        self.batch = 1  # rows of one element at the end of the pipeline
        self.indexed = all(random_access(source) for source in sources_of(root))
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
        if "SkipDataset" in names:
            return child.skip(node.count)
        if "TakeDataset" in names:
            return child.take(node.count)
        if "BatchDataset" in names or "PaddedBatchDataset" in names:
            if isinstance(node.batch_size, int) and node.batch_size > 0:
                self.batch *= node.batch_size
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
    """Reads epochs until the samples or the seconds are used up."""

    def __init__(self, samples: int, seconds: float, tell: Tell) -> None:
        self.samples, self.tell = samples, tell
        self.deadline = time.monotonic() + seconds
        self.told = 0.0

    def read(
        self, iterator: Any, limit: int, done: int = 0, total: int | None = None
    ) -> tuple[list[int], list[int], bool]:
        """ids, labels, and whether the epoch came to its end."""
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
    rebuilt: Rebuilt, ids: list[int], label: str | None, codes: Codes, seconds: float
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


def drained(iterator: Any, deadline: float) -> bool:
    """The rest of an epoch that is not looked at; False when there was no time for it."""
    return all(time.monotonic() <= deadline for _ in iterator)


def examine(request: dict[str, Any], tell: Tell) -> None:
    dataset = called(request)
    try:
        label = next((name for name in (label_column(s, request["label"]) for s in sources_of(dataset)) if name), None)
    except Exception:  # a source that cannot tell its columns fails below, where it is reported
        label = None
    codes = Codes()
    tell(event="pipeline", nodes=described(dataset))
    try:
        run(dataset, label, codes, request, tell)
    except Stop:
        raise
    except Exception as error:  # while the data are read, the user's own source code runs too
        raise Stop(event="raised", error=shown(error), lines=last_lines(error, request["root"]))


def run(dataset: Node, label: str | None, codes: Codes, request: dict[str, Any], tell: Tell) -> None:
    samples, seconds = request["samples"], request["seconds"]
    rebuilt = Rebuilt(dataset, label, codes)
    rows = rebuilt.rows()
    reader = Reader(samples, seconds, tell)
    tell(
        event="built",
        identity="index" if rebuilt.indexed else "content",
        unknown=rebuilt.unknown,
        rows=rows,
        stride=max([sharded(source) for source in sources_of(dataset)]),
        label=label,
    )
    if not rebuilt.indexed:
        reference(dataset, label, codes, samples, reader, tell)
    root = rebuilt.root
    if rebuilt.indexed and rebuilt.batch == 1:
        root = root.batch(64)  # a third of the time; what is counted are rows all the same
    iterator = root.create_dict_iterator(num_epochs=2, output_numpy=True)
    first, first_codes, complete = reader.read(iterator, samples, 0, 2 * samples)
    tell(event="epoch", number=1, ids=first, labels=first_codes, complete=complete)
    second = None
    if complete or drained(iterator, reader.deadline):
        second, second_codes, complete = reader.read(iterator, samples, len(first), 2 * samples)
        tell(event="epoch", number=2, ids=second, labels=second_codes, complete=complete)
    if rebuilt.indexed:
        witnesses(rebuilt, first, second, label, codes, tell)


def reference(dataset: Node, label: str | None, codes: Codes, samples: int, reader: Reader, tell: Tell) -> None:
    """The order in which the sources hand out their rows with shuffling off."""
    ids: list[int] = []
    labels: list[int] = []
    complete = True
    for source in sources_of(dataset):
        twin = digested(single(unshuffled(source)), label, codes)
        limit = BEYOND * samples - len(ids)
        if limit <= 0:
            complete = False
            break
        iterator = twin.create_dict_iterator(num_epochs=1, output_numpy=True)
        # a third of the time at most: the epochs themselves are what is asked
        part = Reader(samples, max(0.0, (reader.deadline - time.monotonic()) / 3), tell)
        found, found_labels, ended = part.read(iterator, limit)
        ids += found
        labels += found_labels
        complete = complete and ended
        if not ended:
            break
    tell(event="reference", ids=ids, labels=labels, complete=complete)


def witnesses(
    rebuilt: Rebuilt, first: list[int], second: list[int] | None, label: str | None, codes: Codes, tell: Tell
) -> None:
    """Labels of the first samples of an epoch and of samples across the source; and whether a row is the same twice.

    A few rows are read in any case: a source that cannot be read is an error, however well its indices are shuffled.
    """
    rows_at(rebuilt, first[:8], label, codes, LABEL_SECONDS)
    start = first[:LABELLED]
    ordered = sorted(set(first))
    across = ordered[:: max(1, len(ordered) // LABELLED)][:LABELLED]
    same = second is not None and first[:LABELLED] == second[:LABELLED]
    if label is not None:
        found = rows_at(rebuilt, start, label, codes, LABEL_SECONDS)
        tell(event="labels", of="epoch", labels=[found[i][1] for i in start if i in found])
        spread = rows_at(rebuilt, across, label, codes, LABEL_SECONDS)
        tell(event="labels", of="source", labels=[spread[i][1] for i in across if i in spread])
    if same and any("GeneratorDataset" in kinds(source) for source, _, _ in rebuilt.parts):
        # A source of the user's own may shuffle behind the index; then the same index gives another row.
        once, twice = (rows_at(rebuilt, start, label, codes, LABEL_SECONDS) for _ in range(2))
        both = [i for i in start if i in once and i in twice]
        tell(
            event="twice",
            rows=len(both),
            same=sum(once[i][0] == twice[i][0] for i in both),
            same_label=None if label is None else sum(once[i][1] == twice[i][1] for i in both),
            reordered=sorted(once[i][0] for i in both) == sorted(twice[i][0] for i in both),
        )


def main() -> None:
    # This script's own folder must not offer its neighbours to the user's imports.
    sys.path[:] = [entry for entry in sys.path if entry != os.path.dirname(os.path.abspath(__file__))]
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
    commands = os.fdopen(os.dup(0), "r", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    sys.stdin, sys.stdout = open(0, closefd=False), open(1, "w", closefd=False, buffering=1)  # noqa: SIM115
    request = json.loads(commands.readline())
    lock = threading.Lock()

    def tell(**event: Any) -> None:
        with lock:
            channel.write(request["token"] + json.dumps(event) + "\n")
            channel.flush()

    def end_with_parent() -> None:
        while commands.readline():
            pass
        os._exit(3)  # the parent is gone: nobody reads what would follow

    threading.Thread(target=end_with_parent, daemon=True).start()
    code = 0
    try:
        try:
            import mindspore
        except ModuleNotFoundError as error:
            raise Stop(event="no-mindspore" if error.name == "mindspore" else "no-import", error=shown(error))
        except Exception as error:
            raise Stop(event="no-import", error=shown(error))
        tell(event="runtime", mindspore=str(mindspore.__version__), python=sys.version.split()[0])
        examine(request, tell)
        tell(event="end")
    except Stop as stop:
        tell(**stop.event)
    except BaseException as error:
        tell(event="failed", error=shown(error), lines=last_lines(error, request["root"]))
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # MindSpore's threads and the user's own are not waited for


if __name__ == "__main__":
    main()
