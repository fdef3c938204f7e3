"""Compares the first loss of a watched run with that of guessing among the classes that its network tells apart.

The same limits as in first_loss, without a log and a list of classes: both are in the recording, and whether the loss is the plain
cross entropy of outputs and labels was computed there. Weights that a checkpoint was loaded into may begin lower. Cannot tell losses of
other forms, and runs that were not watched from the first step on.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from ..case import Case
from ..language import Words
from ..model import Finding, Kind, Level, Progress, Verdict
from ..probe import Example, Skip
from . import _watched, first_loss

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("watched",)


class Params(first_loss.Params, frozen=True):
    """Those of first_loss."""


MESSAGES: Words = {
    **{code: first_loss.MESSAGES[code] for code in ("first-high", "first-low", "first-fits", "first-not-finite")},
    "pretrained": {
        "en": first_loss.MESSAGES["first-fits"]["en"].rstrip(".")
        + ". A checkpoint was loaded, with which training may start lower.",
        "zh": first_loss.MESSAGES["first-fits"]["zh"].rstrip("。")
        + "。训练前加载过 checkpoint，由此开始的 loss 可以更低。",
    },
    "other-loss": {
        "en": "The first loss of the watched run is not the plain cross-entropy of outputs and labels, or was not recorded.",
        "zh": "所观察运行的首个 loss 不是输出与标签的普通交叉熵，或没有记录到。",
    },
}
WHY: Words = first_loss.WHY
PROOF: Words = first_loss.PROOF
WORDS: Words = {}
#: How near a loss and the computed cross entropy are, relatively.
_NEAR = 2e-3


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    watch = _watched.of_case(case)[0]
    yield Progress(1, 1, "files")
    fact = next((one for one in watch.facts("outputs") if one.get("step") == 1), {})
    loss, own, classes = fact.get("loss"), fact.get("own"), fact.get("classes")
    where = watch.where(watch.network_place(), step=1)
    if isinstance(loss, str):
        yield Finding("first-not-finite", Level.INFO, where, incomplete=True)
        return
    plain = isinstance(loss, (int, float)) and isinstance(own, (int, float)) and abs(loss - own) <= _NEAR * abs(own)
    if not plain or not isinstance(classes, int) or classes < 2:
        raise Skip("other-loss")
    loaded = bool(watch.facts("taken"))
    code, level, data = first_loss.compared(float(loss), classes, params, loaded)  # type: ignore[arg-type]
    yield Finding(code, level, where, {"loss": loss, **data})


def _example(name: str, verdict: Verdict, code: str, loss: float, *more: dict[str, Any]) -> Example:
    head = {"recording": 1, "accucheck": "0.1.0", "time": "2026-01-31T08:00:00+00:00", "mindspore": "2.10.0", "rank": 0}
    network = {"fact": "network", "number": 0, "class": "net.Net", "defined": ["net.py", 12]}
    told = {"fact": "outputs", "step": 1, "loss": loss, "own": loss, "classes": 10}
    lines = [head, network, *more, told, {"step": 1, "epoch": 1, "loss": loss, "seconds": 0.1}]
    files: dict[str, Any] = {"watch/pynative.jsonl": "".join(json.dumps(line) + "\n" for line in lines)}
    return Example(name, files=files, case={"watched": "watch"}, verdict=verdict, codes=(code,))


EXAMPLES = [
    _example("as guessing among ten", Verdict.OK, "first-fits", 1.02 * math.log(10)),
    _example("inputs from 0 to 255", Verdict.UNDECIDED, "first-high", 41.7),
    _example("far below", Verdict.UNDECIDED, "first-low", 0.31),
    _example("pretrained weights", Verdict.OK, "pretrained", 0.31, {"fact": "taken", "place": ["train.py", 9]}),
]
