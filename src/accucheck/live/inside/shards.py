"""Which samples each device would read; for the probe shard_overlap.

Each rank's pipeline is made in a process of its own, forked before the user's code is imported, so that what one leaves behind
never reaches another. There it is told its rank in every way that scripts ask for it: the arguments that the case names,
RANK_ID and RANK_SIZE, get_rank() and get_group_size(), and the context of parallel training.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import select
import signal
import sys
import time
from typing import Any

from .identity import Codes, Reader, TaggedPipeline, label_column, rows_at
from .pipeline import EndRun, Node, Tell, blamed, called, described, last_lines, shown, sources_of

#: Arguments of a function that tell it about ranks.
RANKS = re.compile(r"shard|rank|device_num|group_size|world_size|num_replicas", re.I)
#: Rows whose content is compared among the ranks.
PICKS = 8
#: Rows whose labels are read, evenly over the data: their share of a class is known to a few percent.
LABELLED = 4000


def as_rank(count: int, index: int) -> None:
    """Tell this process that it is one of `count`, in the ways that scripts ask for it."""
    import mindspore
    import mindspore.communication as communication

    os.environ.update(RANK_ID=str(index), RANK_SIZE=str(count), DEVICE_NUM=str(count))
    places: list[Any] = [communication, getattr(communication, "management", None)]
    distributed = getattr(getattr(mindspore, "mint", None), "distributed", None)
    for module in [*places, distributed]:
        for name, value in (
            ("init", None),
            ("release", None),
            ("init_process_group", None),
            ("get_rank", index),
            ("get_local_rank", index),
            ("get_group_size", count),
            ("get_local_rank_size", count),
            ("get_world_size", count),
        ):
            if hasattr(module, name):
                setattr(module, name, lambda *_, _value=value, **__: _value)
    try:
        mindspore.set_auto_parallel_context(device_num=count, global_rank=index)
    except Exception:  # a version, or a count, that it does not take
        pass


def whole_batch() -> bool:
    """Whether the project gives all devices the same input by design."""
    import mindspore

    try:
        strategy = mindspore.get_auto_parallel_context("dataset_strategy")
        return bool(mindspore.get_auto_parallel_context("full_batch")) or strategy == "full_batch"
    except Exception:
        return False


def parameters(pipeline: dict[str, Any]) -> list[str]:
    """The arguments of the user's function that speak of ranks; it has been called already."""
    module, _, name = pipeline["call"].partition(":")
    function: Any = sys.modules[module]
    for part in name.split("."):
        function = getattr(function, part)
    try:
        return [name for name in inspect.signature(function).parameters if RANKS.search(name)]
    except (TypeError, ValueError):
        return []


def steps_of(dataset: Node) -> int | None:
    if any(getattr(source, "source_len", 0) == -1 for source in sources_of(dataset)):
        return None
    try:
        return int(dataset.get_dataset_size())
    except Exception:
        return None


def one(request: dict[str, Any], count: int, index: int, by_content: bool) -> dict[str, Any]:
    """What one rank reads in an epoch. Raises Stop."""
    pipeline, root = request["pipeline"], request["root"]
    given = request["shard_args"]
    if given:
        pipeline = {**pipeline, "args": {**pipeline["args"], given["count"]: count, given["index"]: index}}
    as_rank(count, index)
    dataset = called(pipeline, root, lambda **event: None)
    with blamed(pipeline["call"], root):
        codes = Codes()
        label = next((name for name in (label_column(s, request["label"]) for s in sources_of(dataset)) if name), None)
        rebuilt = TaggedPipeline(dataset, label, codes, batches=False, by_content=by_content)
        told: dict[str, Any] = {
            "indexed": rebuilt.indexed,
            "unknown": rebuilt.unknown,
            "whole": whole_batch(),
            "steps": steps_of(dataset),
            "nodes": described(dataset),
            "parameters": parameters(pipeline),
            "sizes": [rows for _, _, rows in rebuilt.parts],
            "picks": [],
            "labels": labels_of_rows(rebuilt, label, codes, request["seconds"] / 4) if count == 1 else [],
            "steady": True,
        }
        if rebuilt.indexed:
            picks = sorted(
                {offset + rows * k // PICKS for _, offset, rows in rebuilt.parts for k in range(PICKS) if rows}
            )
            twice = [rows_at(rebuilt, picks, label, codes, request["seconds"]) for _ in range(2)]
            told["picks"] = [[pick, twice[0].get(pick, [0])[0]] for pick in picks]
            told["steady"] = all(twice[0].get(pick) == twice[1].get(pick) for pick in picks)
        reader = Reader(request["seconds"], lambda **event: None)
        root_node = rebuilt.root.batch(64) if rebuilt.indexed else rebuilt.root
        ids, classes, complete = reader.read(
            root_node.create_dict_iterator(num_epochs=1, output_numpy=True), request["samples"]
        )
        told.update(ids=ids, complete=complete)
        if count == 1 and not rebuilt.indexed:  # rows that are told apart by content: the label is read with it
            every = 1 + len(ids) // LABELLED
            known = zip(ids[::every], classes[::every])  # noqa: B905  (Python 3.9)
            told["labels"] = [[row, code] for row, code in known if code >= 0]
        if not rebuilt.indexed:  # content that differs at every reading identifies nothing
            again = TaggedPipeline(dataset, label, codes, batches=False, by_content=True)
            few = Reader(request["seconds"], lambda **event: None)
            rows = again.root.create_dict_iterator(num_epochs=1, output_numpy=True)
            second, _, _ = few.read(rows, min(len(ids), PICKS * 8))
            told["steady"] = not second or len(set(second) & set(ids)) > len(set(second)) // 2 or not complete
    return told


def labels_of_rows(rebuilt: TaggedPipeline, label: str | None, codes: Codes, seconds: float) -> list[list[int]]:
    """[number of a row, number of its class], evenly over data that are read by index; empty where they have no column of labels."""
    total = sum(rows for _, _, rows in rebuilt.parts)
    if not rebuilt.indexed or label is None or not total:
        return []
    count = min(total, LABELLED)
    rows = rows_at(rebuilt, [total * place // count for place in range(count)], label, codes, seconds)
    return [[row, code] for row, (_, code) in rows.items() if code >= 0]


def forked(request: dict[str, Any], count: int, index: int, by_content: bool, deadline: float) -> dict[str, Any] | None:
    """`one` in a process of its own; None when the time was over. Raises Stop for what went wrong in it."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        try:
            end_with_parent()
            try:
                told = one(request, count, index, by_content)
            except EndRun as stop:
                told = {"stop": stop.event}
            except BaseException as error:
                told = {"stop": {"event": "failed", "error": shown(error), "lines": last_lines(error, request["root"])}}
            with os.fdopen(writer, "w", encoding="utf-8") as stream:
                stream.write(json.dumps(told))
        finally:
            os._exit(0)
    os.close(writer)
    parts = []
    try:
        while True:
            ready, _, _ = select.select([reader], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                return None
            part = os.read(reader, 1 << 20)
            if not part:
                break
            parts.append(part)
    finally:
        os.close(reader)
        os.kill(child, signal.SIGKILL)
        status = os.waitpid(child, 0)[1]
    if not parts:
        raise EndRun(event="died", status=-os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status))
    told = json.loads(b"".join(parts))
    if "stop" in told:
        raise EndRun(**told["stop"])
    return dict(told)


def end_with_parent() -> None:
    """Have Linux end this process when its parent does."""
    try:
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    except Exception:
        pass


def examine(request: dict[str, Any], tell: Tell) -> None:
    count = request["count"]
    tell(event="calling", call=request["pipeline"]["call"])
    tell(event="built")
    deadline = time.monotonic() + request["seconds"]
    by_content = False
    sizes: list[Any] = []
    while True:
        ranks: list[dict[str, Any]] = []
        for place, (of, index) in enumerate([(1, 0), *((count, index) for index in range(count))]):
            told = forked(request, of, index, by_content, deadline)
            if told is None:
                tell(event="late", ranks=len(ranks))
                return
            ranks.append(told)
            tell(event="progress", done=place + 1, total=count + 1)
        steady = all(told["steady"] for told in ranks)
        # The same index must lead all of them to the same row.
        alike = all(told["picks"] == ranks[0]["picks"] for told in ranks)
        if by_content or not ranks[0]["indexed"] or alike or not steady:
            break
        by_content, sizes = True, [told["sizes"] for told in ranks]
    for told, size in zip(ranks, sizes):  # noqa: B905  (Python 3.9)
        told["sizes"] = size
    tell(event="pipeline", nodes=ranks[1]["nodes"])
    for index, told in enumerate(ranks):
        tell(
            event="rank",
            rank=index - 1,
            ids=told["ids"],
            **{
                key: told[key]
                for key in (
                    "complete",
                    "indexed",
                    "steps",
                    "whole",
                    "steady",
                    "unknown",
                    "sizes",
                    "parameters",
                    "labels",
                )
            },
        )
