"""A pipeline replayed on rows that are given: its maps and batches, step by step, without shuffle, repeat, take and filters.

Only what MindSpore itself strings together can be taken apart. What a source of the user's own does to a row is done when the
rows are read.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .identity import random_access
from .pipeline import Node, NotReplayed, kinds, plain_copy, single, unshuffled, with_sampler

Row = dict[str, Any]  # column -> array

#: Nodes that choose or arrange rows, and leave each as it is.
CHOOSING = {
    "ShuffleDataset", "RepeatDataset", "SkipDataset", "TakeDataset", "FilterDataset", "SyncWaitDataset", "TransferDataset",
    "BuildVocabDataset", "BuildSentencePieceVocabDataset",
}  # fmt: skip


class Step:
    """One operation: `text` says which, `apply` puts it on a pipeline; `node` is what it is part of."""

    def __init__(self, text: str, node: Node, apply: Callable[[Node], Node]) -> None:
        self.text, self.node, self.apply = text, node, apply


class Chain:
    """A source and the steps from it to the end of the pipeline. `batches`: whether a step makes batches."""

    def __init__(self, root: Node, batch: int | None) -> None:
        """`batch`: the rows of a batch instead of the pipeline's own. Raises NotReplayed."""
        self.steps: list[Step] = []
        self.batches = False
        nodes = [root]
        while nodes[-1].children:
            if "ZipDataset" in kinds(nodes[-1]):
                raise NotReplayed("zip")
            nodes.append(nodes[-1].children[0])  # of what is concatenated, the first
        self.source = nodes.pop()
        for node in reversed(nodes):
            self._add(node, batch)
        if getattr(self.source, "decode", None) is True:  # the source's own step
            from mindspore.dataset import vision

            self.source = plain_copy(self.source)
            self.source.decode = False
            self.steps.insert(0, Step("Decode()", self.source, lambda child: child.map(vision.Decode(), "image")))

    def _add(self, node: Node, batch: int | None) -> None:
        names = set(kinds(node))
        if names & CHOOSING or "ConcatDataset" in names:
            return
        if "MapDataset" in names:
            self._map(node)
        elif "RenameDataset" in names:
            old, new = node.input_column_names, node.output_column_names
            self.steps.append(Step(f"rename({old} -> {new})", node, lambda child: child.rename(old, new)))
        elif "ProjectDataset" in names:
            self.steps.append(Step(f"project({node.columns})", node, lambda child: child.project(node.columns)))
        elif "BatchDataset" in names or "PaddedBatchDataset" in names:
            self.batches = True
            size = batch or (node.batch_size if isinstance(node.batch_size, int) else 1)
            self.steps.append(Step(*batch_step(node, size)))
        elif "BucketBatchByLengthDataset" in names:
            self.batches = True
            self.steps.append(Step(*bucket_step(node, batch)))
        else:
            raise NotReplayed(type(node).__name__)

    def _map(self, node: Node) -> None:
        operations = list(unfolded(node.operations))
        for index, operation in enumerate(operations):
            last = index == len(operations) - 1
            upto, columns = operations[: index + 1], node.output_columns if last else None

            def apply(child: Node, upto: list[Any] = upto, columns: Any = columns) -> Node:
                return child.map(upto, node.input_columns or None, columns or None, num_parallel_workers=1)

            self.steps.append(Step(operation_text(operation), node, apply))

    def build(self, rows: list[Row], upto: int | None = None) -> Node:
        """The pipeline on these rows, with the first `upto` steps, or all."""
        import mindspore.dataset as ds

        names = list(rows[0])
        dataset = ds.GeneratorDataset(Rows(rows, names), names, shuffle=False, num_parallel_workers=1)
        place = 0
        steps = self.steps if upto is None else self.steps[:upto]
        while place < len(steps):
            # Of one map only the last step that is wanted: it holds the ones before, between which an image of PIL may pass.
            while place + 1 < len(steps) and steps[place + 1].node is steps[place].node:
                place += 1
            dataset = steps[place].apply(dataset)
            place += 1
        return dataset

    def run(self, rows: list[Row], upto: int | None = None, seed: int = 1) -> list[Row]:
        """What becomes of the rows: one entry an element, with its columns as arrays."""
        import mindspore.dataset as ds
        import numpy

        ds.config.set_seed(seed)
        random.seed(seed)
        numpy.random.seed(seed)
        found = self.build(rows, upto).create_dict_iterator(num_epochs=1, output_numpy=True)
        return [dict(row) for row in found]

    def rows(self, count: int) -> list[Row]:
        """Raw rows: spread over the source where it has random access, else its first."""
        import mindspore.dataset as ds

        source = self.source
        if random_access(source):
            size = len(source.source) if "GeneratorDataset" in kinds(source) else unshuffled(source).get_dataset_size()
            wanted = sorted({index * size // count for index in range(count)})
            source = with_sampler(source, ds.SubsetSampler(wanted))
        else:
            source = unshuffled(source)
        found = []
        for row in single(source).create_dict_iterator(num_epochs=1, output_numpy=True):
            found.append(dict(row))
            if len(found) == count:
                break
        return found


class Rows:
    """A source of rows that are held."""

    def __init__(self, rows: list[Row], names: list[str]) -> None:
        self.rows, self.names = rows, names

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        return tuple(self.rows[index][name] for name in self.names)


def batch_step(node: Node, size: int) -> tuple[str, Node, Callable[[Node], Node]]:
    if "PaddedBatchDataset" in kinds(node):
        info = node.pad_info or None
        return f"padded_batch(pad_info={info})", node, lambda child: child.padded_batch(size, pad_info=info)
    how: dict[str, Any] = {}
    if node.per_batch_map is not None:
        how = {"per_batch_map": node.per_batch_map, "input_columns": node.input_columns or None}
        how["output_columns"] = node.output_columns or None
        return (
            f"batch(per_batch_map={operation_text(node.per_batch_map)})",
            node,
            lambda child: child.batch(size, **how),
        )
    return "batch", node, lambda child: child.batch(size)


def bucket_step(node: Node, batch: int | None) -> tuple[str, Node, Callable[[Node], Node]]:
    sizes = [batch] * len(node.bucket_batch_sizes) if batch else node.bucket_batch_sizes

    def apply(child: Node) -> Node:
        return child.bucket_batch_by_length(
            node.column_names,
            node.bucket_boundaries,
            sizes,
            node.element_length_function,
            node.pad_info,
            node.pad_to_bucket_boundary,
            False,
        )

    return f"bucket_batch_by_length(pad_info={node.pad_info})", node, apply


def unfolded(operations: Iterable[Any]) -> Iterator[Any]:
    """Operations one by one, where MindSpore's Compose holds some of them."""
    for operation in operations:
        if type(operation).__name__ == "Compose" and type(operation).__module__.startswith("mindspore.dataset."):
            yield from unfolded(operation.transforms)
        else:
            yield operation


def operation_text(operation: Any) -> str:
    """An operation with its plain arguments, as far as it keeps them; a function with its place."""
    inner = operation
    while not isinstance(inner, type) and hasattr(inner, "transform") and "FuncWrapper" in kinds(inner):
        inner = inner.transform
    if isinstance(inner, functools.partial):
        inner = inner.func
    code = getattr(inner, "__code__", None)
    if code is not None:
        return f"{getattr(inner, '__qualname__', 'function')} ({code.co_filename.rsplit('/', 1)[-1]}:{code.co_firstlineno})"
    name = type(inner).__name__
    inside = getattr(inner, "transforms", None)
    if name == "Compose" and isinstance(inside, list):
        return "Compose(" + ", ".join(operation_text(entry) for entry in inside)[:300] + ")"
    told = []
    for key, value in vars(inner).items() if hasattr(inner, "__dict__") else []:
        if key.startswith("_") or key in ("implementation", "device_target", "random", "transforms", "output_type"):
            continue
        value = getattr(value, "name", value)
        if isinstance(value, (bool, int, float, str)) or (isinstance(value, (list, tuple)) and len(value) <= 8):
            told.append(f"{key}={value}")
    return f"{name}({', '.join(told)})"[:300]
