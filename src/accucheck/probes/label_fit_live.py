"""Sets the outputs of the project's own network against the labels of its pipeline: shapes, and labels against the number of outputs.

Needs no reference and no loss. Catches labels that no output stands for, labels that count from 1, and shapes that spread over each
other, as (N, 1) and (N,) do. The network runs on one batch, labels are read from many. Cannot tell: what a loss of one's own makes of
both, and networks of several outputs or columns of labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Finding, Kind, Level, Progress, Verdict
from ..probe import Example
from . import _label_fit, _live

KIND = Kind.LIVE
NEEDS = _live.needs("network", "pipelines.train")
USES = ("loss", "design.padding")


class Params(msgspec.Struct, frozen=True):
    batches: Annotated[
        int,
        Meta(
            ge=1,
            le=100_000,
            description="batches whose labels are read",
            extra={"unit": "batches", "source": "own choice"},
        ),
    ] = 200
    seconds: Annotated[
        float, Meta(gt=0, description="time for the batches", extra={"unit": "s", "source": "own choice"})
    ] = 60.0


MESSAGES: Words = {
    **_label_fit.MESSAGES,
    **_live.NO_SAMPLES,
    "own-loss": {
        "en": "The network takes the labels itself: what it compares with them cannot be seen.",
        "zh": "网络自己接收标签，无法看到与标签比较的是什么。",
    },
    "not-one": {
        "en": "The network has several outputs, or the data have several label columns; only the loss knows which belong to which.",
        "zh": "网络有多个输出，或标签有多列，只有损失函数知道如何对应。",
    },
}
WORDS: Words = {}
WHY: Words = _label_fit.WHY
PROOF: Words = _label_fit.PROOF
suggest = _label_fit.suggest


@_live.by_phase()
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..live.child import events

    request = {**_live.network_of(case), "batches": params.batches, "seconds": params.seconds}
    seen, said = _label_fit.LabelObservation(), ""
    for event in events(case, "fitting", request, params.seconds):
        if event["event"] == "fit":
            seen.add(event)
            yield Progress(seen.batches, params.batches, "steps")
        elif event["event"] in ("own-loss", "not-one"):
            said = event["event"]
    if said or not seen.batches:
        yield Finding(said or "no-samples", Level.INFO, data={"seconds": params.seconds}, incomplete=True)
    else:
        yield _label_fit.judged(case, seen)


_NET = """
import numpy as np
import mindspore.dataset as ds
from mindspore import nn

def net(outputs=3):
    return nn.SequentialCell(nn.Dense(4, 8), nn.ReLU(), nn.Dense(8, outputs))

def data(first=0, extra=None, numbers=False):
    x = np.random.default_rng(0).standard_normal((64, 4)).astype(np.float32)
    y = (np.arange(64) % 3 + first).astype(np.int32)
    if extra is not None:
        y[40] = extra
    return ds.NumpySlicesDataset({"x": x, "label": x[:, 0] if numbers else y}, shuffle=False).batch(16)
"""


def _example(name: str, verdict: Verdict, *codes: str, outputs: int = 3, loss: str = "", **data: Any) -> Example:
    case: dict[str, Any] = {
        "network": {"call": "net:net", "args": {"outputs": outputs}},
        "pipelines": {"train": {"call": "net:data", "args": data}},
    }
    if loss:
        case["loss"] = {"call": loss}
    return Example(name, files={"net.py": _NET}, case=case, verdict=verdict, codes=codes)


EXAMPLES = [
    _example("three classes, three outputs", Verdict.UNDECIDED, "fits"),
    _example("labels that count from 1", Verdict.PROBLEM, "from-one", first=1),
    _example("one label in a later batch", Verdict.PROBLEM, "beyond", extra=3, loss="mindspore.nn:CrossEntropyLoss"),
    _example("a label that may be left out", Verdict.UNDECIDED, "left-out-perhaps", extra=255),
    _example("what the loss leaves out", Verdict.UNDECIDED, "fits", extra=-100, loss="mindspore.nn:CrossEntropyLoss"),
    _example(
        "one column against a row", Verdict.PROBLEM, "spread", outputs=1, numbers=True, loss="mindspore.nn:MSELoss"
    ),
    _example("one column against a row, loss not known", Verdict.UNDECIDED, "spread", outputs=1, numbers=True),
]
