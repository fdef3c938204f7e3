"""In which order two epochs of the training pipeline read the data; for the probe shuffle_order.

Each row is told by its number (see identity.py). Where that is a digest, its place in the source is found by reading the same
source once with shuffling off.
"""

from __future__ import annotations

import time
from typing import Any

from .identity import Codes, Reader, TaggedPipeline, digested, label_column, rows_at
from .pipeline import Node, Tell, blamed, called, described, kinds, sharded, single, sources_of, unshuffled

#: Labels are read of at most so many samples, and for at most so many seconds.
LABELLED, LABEL_SECONDS = 1000, 10.0
#: More positions than samples are read with shuffling off, so that a buffer's reach past the last sample is seen.
BEYOND = 2


def drained(iterator: Any, deadline: float) -> bool:
    """The rest of an epoch that is not looked at; False when there was no time for it."""
    return all(time.monotonic() <= deadline for _ in iterator)


def examine(request: dict[str, Any], tell: Tell) -> None:
    dataset = called(request["pipeline"], request["root"], tell)
    try:
        label = next((name for name in (label_column(s, request["label"]) for s in sources_of(dataset)) if name), None)
    except Exception:  # a source that cannot tell its columns fails below, where it is reported
        label = None
    codes = Codes()
    tell(event="pipeline", nodes=described(dataset))
    with blamed(request["pipeline"]["call"], request["root"]):  # while data are read, the user's own source runs too
        run(dataset, label, codes, request, tell)


def run(dataset: Node, label: str | None, codes: Codes, request: dict[str, Any], tell: Tell) -> None:
    samples, seconds = request["samples"], request["seconds"]
    rebuilt = TaggedPipeline(dataset, label, codes)
    rows = rebuilt.rows()
    reader = Reader(seconds, tell)
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
        part = Reader(max(0.0, (reader.deadline - time.monotonic()) / 3), tell)
        found, found_labels, ended = part.read(iterator, limit)
        ids += found
        labels += found_labels
        complete = complete and ended
        if not ended:
            break
    tell(event="reference", ids=ids, labels=labels, complete=complete)


def witnesses(
    rebuilt: TaggedPipeline, first: list[int], second: list[int] | None, label: str | None, codes: Codes, tell: Tell
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
