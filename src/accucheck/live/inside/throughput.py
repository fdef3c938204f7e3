"""How many samples a second the training pipeline gives, up to each of its stages, and how long a step of the network takes."""

from __future__ import annotations

import copy
import time
from statistics import median
from typing import Any

from .network import Setup
from .pipeline import Node, Tell, blamed, called, kinds
from .replay import operation_text

#: Stages that are looked at, epochs that are read of a small data set, steps that are timed.
STAGES, EPOCHS, STEPS = 24, 50, 20
#: A stage up to which the pipeline is no faster than this many times the whole holds it up.
AS_SLOW = 1.25
#: Of the time: for the pipeline as it is, for that with more workers, and for the steps; the stages share the rest.
WHOLE, MORE, NETWORK = 0.25, 0.15, 0.2


def examine(request: dict[str, Any], tell: Tell) -> None:
    """Tells "rate" (samples/s; samples a batch), "stages" and, with a network, "step" (seconds)."""
    import mindspore.dataset as ds

    dataset = called(request["pipeline"], request["root"], tell)
    tell(event="built")
    seconds = request["seconds"]
    deadline = time.monotonic() + seconds * (1 - MORE - NETWORK)
    with blamed(request["pipeline"]["call"], request["root"]):
        nodes = in_order(dataset)[-STAGES:]
        whole = rate(dataset, seconds * WHOLE)
        tell(event="rate", rate=whole, batch=dataset.get_batch_size())
        left = seconds * (1 - WHOLE - MORE - NETWORK) / len(nodes)
        rates: list[float | None] = []
        for node in nodes:  # where starting them took the time, the later ones are left out
            late = time.monotonic() > deadline
            rates.append(whole if node is dataset else None if late else rate(node, left))
        slow = None
        if whole:
            slow = next((place for place, found in enumerate(rates) if found and found <= AS_SLOW * whole), None)
        stages = [described(node, found) for node, found in zip(nodes, rates)]  # noqa: B905  (Python 3.9)
        tell(event="stages", stages=stages, slowest=slow)
        if slow is not None and stages[slow]["workers"] is not None:
            workers = 2 * stages[slow]["workers"]
            found = with_workers(dataset, nodes[slow], workers, seconds * MORE)
            tell(event="workers", workers=workers, rate=found, default=ds.config.get_num_parallel_workers())
    if request.get("network"):
        import mindspore

        timed = step(request, tell, seconds * NETWORK)
        tell(event="step", seconds=timed, device=mindspore.get_context("device_target"))


def in_order(node: Node) -> list[Node]:
    """The nodes of a pipeline, each after those that it reads from."""
    return [one for child in node.children for one in in_order(child)] + [node]


def rate(node: Node, seconds: float) -> float | None:
    """Samples a second that a pipeline gives up to a node, from the first of an epoch on; None where no epoch gives a second one.

    `seconds` count from the very first sample on: starting a pipeline may take longer than measuring it.
    """
    rows, spent = 0, 0.0
    deadline: float | None = None
    for _ in range(EPOCHS):
        iterator = node.create_tuple_iterator(num_epochs=1, output_numpy=True)
        first = last = None
        count = 0
        try:
            for _ in iterator:
                last = time.monotonic()
                deadline = deadline or last + seconds
                if first is None:
                    first = last
                else:
                    count += 1
                if last > deadline:
                    break
        finally:
            iterator.stop()
        if first is not None and last is not None:
            rows, spent = rows + count, spent + last - first
        if deadline is None or time.monotonic() > deadline:
            break
    return rows * int(node.get_batch_size()) / spent if rows and spent > 0 else None


def described(node: Node, found: float | None) -> dict[str, Any]:
    """`workers` is None where a stage has none."""
    import mindspore.dataset as ds

    names = kinds(node)
    name = names[0].replace("Dataset", "")
    if "MapDataset" in names:
        name = "map(" + ", ".join(operation_text(operation) for operation in node.operations)[:200] + ")"
    parallel = bool({"MapDataset", "BatchDataset", "PaddedBatchDataset"} & set(names)) or not node.children
    workers = getattr(node, "num_parallel_workers", None) if parallel else None
    if parallel and workers is None:
        workers = ds.config.get_num_parallel_workers()
    return {"stage": name, "rate": found, "workers": workers}


def with_workers(dataset: Node, node: Node, workers: int, seconds: float) -> float | None:
    """The rate of a copy of the pipeline with more workers at one node; None where that cannot be, as without random access."""
    place = next(place for place, one in enumerate(in_order(dataset)) if one is node)
    try:
        twin = copy.deepcopy(dataset)
        in_order(twin)[place].num_parallel_workers = workers
        return rate(twin, seconds)
    except Exception:  # MindSpore's or the source's own refusal
        return None


def step(request: dict[str, Any], tell: Tell, seconds: float) -> float | None:
    """The median time of a training step on one batch, the first ones left out."""
    import mindspore

    setup = Setup(request, tell)
    mindspore.set_context(pynative_synchronize=False)  # as in the user's training
    (batch,) = setup.batches(1)
    with blamed(request["network"]["call"], request["root"]):
        setup.network.set_train(True)
    optimizer = setup.optimizer()
    weights = list(optimizer.parameters)
    differentiated = mindspore.value_and_grad(
        setup.loss_of, None, weights
    )  # once: making it takes longer than a small step
    times: list[float] = []
    deadline = time.monotonic() + seconds
    while len(times) < STEPS and (len(times) < 4 or time.monotonic() < deadline):
        start = time.monotonic()
        with blamed(request["network"]["call"], request["root"]):
            loss, gradients = differentiated(batch)
            optimizer(gradients)
        float(loss)
        weights[0].asnumpy()  # until it is really done
        times.append(time.monotonic() - start)
    return median(times[2:])
