"""The labels that come out of one epoch of a pipeline, counted; for the probe class_balance_live.

Steps that have nothing to do with the label are taken out, where no filter or batch looks at what they make.
"""

from __future__ import annotations

import copy
import json
import time
import weakref
from collections import Counter
from typing import Any

from .columns import labels_of
from .pipeline import Node, Tell, blamed, called, described, kinds
from .values import batched

#: More different labels are not told apart, nor such as take more bytes: all go into one line of the event channel.
MOST, MOST_BYTES = 100_000, 12 << 20


def chain_of(root: Node) -> list[Node] | None:
    """The nodes from the end to the source, or None where the pipeline branches."""
    nodes = [root]
    while nodes[-1].children:
        if len(nodes[-1].children) > 1:
            return None
        nodes.append(nodes[-1].children[0])
    return nodes


def pruned(root: Node, label: str) -> Node:
    """The pipeline without the maps that the label does not depend on; itself where something else does."""
    nodes = chain_of(root)
    if nodes is None:
        return root
    for node in nodes:
        names = kinds(node)
        if "FilterDataset" in names and list(node.input_columns or []) != [label]:
            return root
        if "BucketBatchByLengthDataset" in names or getattr(node, "per_batch_map", None) is not None:
            return root
        if "MapDataset" in names and (
            not node.input_columns or (label in node.input_columns and len(node.input_columns) > 1)
        ):
            return root
        if "RenameDataset" in names or (getattr(node, "batch_size_func", None) is not None):
            return root
    twin = copy.deepcopy(root)
    above, node = None, twin
    while node.children:
        child = node.children[0]
        names = kinds(node)
        if "MapDataset" in names and label not in [*node.input_columns, *(node.output_columns or [])]:
            if above is None:
                twin = child
                child.parent = []
            else:
                above.children = [child]
                child.parent = [weakref.ref(above)]
        else:
            above = node
            if "BatchDataset" in names or "PaddedBatchDataset" in names:
                child.parent = []
                only = child.project([label])
                if "PaddedBatchDataset" in names and node.pad_info:
                    node.pad_info = {name: how for name, how in node.pad_info.items() if name == label}
                node.children = [only]
                only.parent = [weakref.ref(node)]
                above = only  # what is taken out below must not take the projection with it
            if "ProjectDataset" in names:
                node.columns = [label]
        node = child
    return twin


def repeats(root: Node) -> int:
    """How often the pipeline goes through its data in one epoch; 1 where it does so forever."""
    times = 1
    for node in chain_of(root) or []:
        if "RepeatDataset" in kinds(node) and isinstance(node.count, int) and node.count > 0:
            times *= node.count
    return times


class Count:
    """Labels by class: whole numbers, texts, or vectors with one or several ones."""

    def __init__(self) -> None:
        self.found: Counter[str] = Counter()
        self.samples = self.soft = self.size = 0
        self.shape: list[int] | None = None  # of a label that is no class
        self.numbers = self.many = self.over = False

    def add(self, values: Any) -> None:
        """Labels of shape (N,) or (N, classes)."""
        import numpy

        if values.ndim == 2 and values.shape[1] == 1:
            values = values[:, 0]
        self.samples += len(values)
        if values.ndim == 2 and values.dtype.kind in "fiub" and values.shape[1] > 1:
            self.vectors(values.astype(numpy.float64))
            return
        if values.ndim != 1:
            self.shape = list(values.shape[1:])
            return
        if values.dtype.kind == "f" and not numpy.array_equal(values, numpy.floor(values)):
            self.numbers = True
        names, counts = numpy.unique(values, return_counts=True)
        for name, count in zip(names.tolist(), counts.tolist()):  # noqa: B905  (Python 3.9)
            if isinstance(name, float) and name.is_integer():
                name = int(name)
            text = (name.decode("utf-8", "replace") if isinstance(name, bytes) else str(name))[:200]
            if text not in self.found:
                size = self.size + len(json.dumps(text))
                if len(self.found) == MOST or size > MOST_BYTES:
                    self.over = True
                    continue
                self.size = size
            self.found[text] += count

    def vectors(self, values: Any) -> None:
        import numpy

        if values.min() < 0 or values.max() > 1:
            self.shape = [values.shape[1]]
            return
        for place in range(values.shape[1]):
            self.found.setdefault(str(place), 0)
        if numpy.allclose(values.sum(axis=1), 1, atol=1e-3):
            self.soft += int((values.max(axis=1) < 0.999).sum())
            numbers, counts = numpy.unique(values.argmax(axis=1), return_counts=True)
        else:
            self.many = True
            numbers, counts = numpy.arange(values.shape[1]), (values > 0.5).sum(axis=0)
        for number, count in zip(numbers.tolist(), counts.tolist()):  # noqa: B905  (Python 3.9)
            self.found[str(number)] += int(count)


def examine(request: dict[str, Any], tell: Tell) -> None:
    pipeline, samples = request["pipeline"], request["samples"]
    dataset = called(pipeline, request["root"], tell)
    tell(event="pipeline", nodes=described(dataset))
    with blamed(pipeline["call"], request["root"]):
        names = dataset.get_col_names()
        labels = sorted(labels_of(names, request["label"]), key=names.index)
        tell(event="built")
        if not labels:
            tell(event="no-label", names=names)
            return
        label = labels[0]
        deadline = time.monotonic() + request["seconds"]
        root, whole = pruned(dataset, label), batched(dataset)
        count, complete, told = Count(), True, 0.0
        for row in root.create_dict_iterator(num_epochs=1, output_numpy=True):
            values = row[label]
            count.add(values if whole and values.ndim else values[None])
            now = time.monotonic()
            if now - told > 0.2:
                told = now
                tell(event="progress", done=count.samples, total=None)
            if count.samples >= samples or now > deadline:
                complete = False
                break
        tell(
            event="classes",
            label=label,
            found=dict(count.found),
            samples=count.samples,
            complete=complete,
            repeats=repeats(dataset),
            soft=count.soft,
            shape=count.shape,
            numbers=count.numbers,
            many=count.many,
            over=count.over,
        )
