"""What the output of the network depends on: its inputs, one by one, and the other samples of the batch; in inference mode.

Where an output does not react in the network as built, as behind a last layer of zeros, it is looked at again after some steps of
training in memory. No file is written.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from .memorizing import cut
from .network import Batch, Setup, Tensor
from .pipeline import Tell, blamed

Array = Any  # a numpy.ndarray

#: Steps of Adam after which weights that start at zero hide the input no more.
STEPS = 10
#: Samples of the batch at most.
SAMPLES = 16
#: Parts of the names of layers in which samples belong together.
TOGETHER = ("moe", "graph", "gcn", "gat", "contrast")
#: A change that no number tells: NaN, or another shape.
TOTAL = 1e9


def examine(request: dict[str, Any], tell: Tell) -> None:
    """Tells "network", then "looked" once, and again where training was needed to see."""
    from mindspore import nn

    setup = Setup(request, tell)
    lacking = setup.load(request["checkpoint"]) if request.get("checkpoint") else []
    deadline = time.monotonic() + request["seconds"]
    batch = enough(setup)
    tell(event="network", lacking=len(lacking), half=half(setup), together=sorted(set(together(setup))))
    found = told(setup, batch, 0, deadline, tell)
    seen = all(one["change"] != 0 for one in found["inputs"]) and found["gradient"] != 0 and found["spread"] != 0
    parameters = setup.trained()
    if seen or not parameters:
        return
    with blamed(request["network"]["call"], setup.root):
        setup.network.set_train(True)
        optimizer = nn.Adam(parameters, learning_rate=1e-3)
    for _ in range(STEPS):
        _, grads = setup.gradients(batch)
        optimizer(grads)
        if time.monotonic() > deadline:
            return
    told(setup, batch, STEPS, deadline, tell)


def told(setup: Setup, batch: Batch, steps: int, deadline: float, tell: Tell) -> dict[str, Any]:
    """Tells "looked", and again with the gradient when there is time for it."""
    found = looked(setup, batch)
    tell(event="looked", steps=steps, **found)
    if time.monotonic() < deadline:
        found.update(gradient(setup, batch))
        tell(event="looked", steps=steps, **found)
    return found


def enough(setup: Setup) -> Batch:
    """Up to SAMPLES samples; two batches of one sample are joined where their shapes agree."""
    import mindspore
    import numpy

    first, *more = setup.batches(2)
    rows = setup.columns(first, setup.inputs)[0].shape
    if more and rows and rows[0] == 1:
        pairs = list(zip(first, more[0]))  # noqa: B905  (Python 3.9)
        if all(hasattr(one, "asnumpy") and one.shape == other.shape for one, other in pairs):
            joined = [numpy.concatenate([one.asnumpy(), other.asnumpy()]) for one, other in pairs]
            return [mindspore.Tensor(column) for column in joined]
    return cut(setup, first, SAMPLES)


def half(setup: Setup) -> bool:
    """Whether the network computes in half precision anywhere."""
    cells = (cell for _, cell in setup.network.cells_and_names())
    if any(getattr(cell, "fp16", False) or getattr(cell, "bf16", False) for cell in cells):
        return True
    return any("16" in str(one.dtype) for one in setup.network.get_parameters())


def together(setup: Setup) -> Iterator[str]:
    """Classes of layers in which samples belong together by design, or by a setting."""
    for _, cell in setup.network.cells_and_names():
        name = type(cell).__name__
        if any(word in name.lower() for word in TOGETHER) or getattr(cell, "use_batch_statistics", None) is True:
            yield name


def looked(setup: Setup, batch: Batch) -> dict[str, Any]:
    """All changes as a share of the largest output: by input, between samples, and in samples that stayed as they were."""
    setup.network.set_train(False)
    outputs = floats(setup.output(batch))
    inputs = setup.columns(batch, setup.inputs)
    places = [setup.names.index(name) for name in setup.inputs]
    rows = inputs[0].shape[0] if inputs[0].shape else 0
    samples = [out for out in outputs if out.ndim and len(out) == rows and rows > 1]
    found: dict[str, Any] = {
        "samples": rows,
        "outputs": len(outputs),
        "finite": all(bool((out - out == 0).all()) for out in outputs),
        "noise": change(outputs, floats(setup.output(batch))),
        "spread": max((change([out], [out[:1].repeat(rows, 0)]) for out in samples), default=None),
        "differ": any(bool((one.asnumpy()[1:] != one.asnumpy()[:1]).any()) for one in inputs if one.shape),
        "square": any(one.ndim > 1 and one.shape[0] == one.shape[1] == rows for one in [*inputs, *samples]),
        "inputs": [],
    }
    for name, place in zip(setup.inputs, places):  # noqa: B905  (Python 3.9)
        changes = []
        for other in instead(batch[place]):
            try:
                changed = setup.network(*setup.columns([*batch[:place], other, *batch[place + 1 :]], setup.inputs))
                changes.append(change(outputs, floats(changed)))
            except Exception:  # a value that this input may not have
                continue
        dtype = str(batch[place].dtype).lower()
        found["inputs"].append({"name": name, "dtype": dtype, "change": max(changes, default=None)})
    found["mixed"] = mixed(setup, batch, places, rows, samples) if samples else None
    return {**found, "gradient": None, "zero": 0}


def floats(output: Any) -> list[Array]:
    """The floating-point tensors of an output, as float64."""
    import mindspore

    if isinstance(output, dict):
        output = list(output.values())
    if isinstance(output, (tuple, list)):
        return [one for part in output for one in floats(part)]
    if isinstance(output, mindspore.Tensor) and output.is_floating_point():
        return [output.astype(mindspore.float32).asnumpy().astype("float64")]
    return []


def change(before: list[Array], after: list[Array]) -> float:
    """The largest difference as a share of the largest value of its tensor."""
    import numpy

    if [one.shape for one in before] != [one.shape for one in after]:
        return TOTAL
    most = 0.0
    for one, other in zip(before, after):  # noqa: B905  (Python 3.9)
        if not one.size or numpy.array_equal(one, other, equal_nan=True):
            continue
        scale = max(float(numpy.abs(one).max()), float(numpy.abs(other).max()))
        share = float(numpy.abs(one - other).max()) / scale if scale > 0 else TOTAL
        most = max(most, share if numpy.isfinite(share) else TOTAL)
    return most


def instead(column: Tensor) -> Iterator[Tensor]:
    """Other values of a column: zeros, and its own in another order; whole numbers stay among their own, 0 and 1."""
    import mindspore
    import numpy

    values = column.asnumpy()
    turned = values.reshape(-1)[::-1].reshape(values.shape)
    if values.dtype.kind == "f":
        yield mindspore.Tensor(numpy.zeros_like(values) if values.any() else numpy.ones_like(values))
    elif numpy.array_equal(turned, values):
        turned = values.copy()
        turned.reshape(-1)[::2] = 0 if values.any() else 1
    if not numpy.array_equal(turned, values):
        yield mindspore.Tensor(numpy.ascontiguousarray(turned))


def mixed(setup: Setup, batch: Batch, places: list[int], rows: int, samples: list[Array]) -> float | None:
    """How much the outputs of samples change when the first, or the last, gets the input of another one; None where that cannot be seen."""
    import mindspore
    import numpy

    if not all(batch[place].shape and len(batch[place]) == rows for place in places):
        return None
    most = 0.0
    for row in (0, rows - 1):
        other = list(batch)
        for place in places:
            values = batch[place].asnumpy().copy()
            values[row] = values[row - 1]
            other[place] = mindspore.Tensor(values)
        after = [out for out in floats(setup.output(other)) if out.ndim and len(out) == rows]
        kept = numpy.arange(rows) != row
        most = max(most, change([out[kept] for out in samples], [out[kept] for out in after]))
    return most


def gradient(setup: Setup, batch: Batch) -> dict[str, Any]:
    """The largest gradient of the loss with respect to an input, and how many parameters get none; nothing for whole numbers."""
    import mindspore

    places = [setup.names.index(name) for name in setup.inputs]
    if not all(batch[place].is_floating_point() for place in places):
        return {}

    def loss(*inputs: Tensor) -> Tensor:
        whole = list(batch)
        for place, one in zip(places, inputs):  # noqa: B905  (Python 3.9)
            whole[place] = one
        return setup.loss_of(whole)

    call = (setup.request.get("loss") or setup.request["network"])["call"]
    with blamed(call, setup.root):
        positions = tuple(range(len(places)))
        found = mindspore.grad(loss, positions)(*[batch[place] for place in places])
    found = found if isinstance(found, tuple) else (found,)
    largest = max(float(abs(one.asnumpy().astype("float64")).max()) for one in found)
    zero = 0
    if largest == 0:
        _, grads = setup.gradients(batch)
        zero = sum(not one.asnumpy().any() for one in grads)
    return {"gradient": largest, "zero": zero}
