"""Reads the learning rates that a training recorded as it ran, or as it was watched: those in force, whatever the script says.

Catches rates of zero from some step on or at the beginning, below zero or not finite, rates that start anew in every epoch, one that does
not move though the script has a schedule, another one than the script writes, and one that has all but vanished in the first steps
that were watched. Of a text log it knows only what was printed, which may
be rounded. Cannot tell whether a rate suits the training (the range test does), nor groups of parameters beyond the first.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Evidence, Finding, Fix, Kind, Level, Progress, Refutes, Verdict, Where
from ..model import suggest as usual
from ..probe import Example, Skip
from . import _curves, _watched

if TYPE_CHECKING:
    from ._curves import Array, Series
    from ._script_rates import ScriptRate

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = (("curves.train", "watched"),)
USES = ("scripts.train",)


class Params(msgspec.Struct, frozen=True):
    share: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="a rate of zero for more than this share of the training is a problem",
            extra={"unit": "1", "source": "own choice: a decay to zero reaches it in its last steps only"},
        ),
    ] = 0.1
    vanishing: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="below this share of its highest a rate counts as next to zero",
            extra={
                "unit": "1",
                "source": "ten times the resolution of float32, 1.2e-7: updates get lost in the weights",
            },
        ),
    ] = 1e-6
    tolerance: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="relative difference from what the script writes that is no difference",
            extra={"unit": "1", "source": "own choice: rates are printed with two digits and more"},
        ),
    ] = 0.05
    collapsed: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="a rate below this share of its highest has all but vanished, where the watch ended before the training",
            extra={
                "unit": "1",
                "source": "own choice: a decay by steps or a cosine comes there at the end of a training only",
            },
        ),
    ] = 0.05
    collapse: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="such a rate is suspect from this share of the watched steps on",
            extra={
                "unit": "1",
                "source": "own choice: a cosine that restarts stays below 5 % of its peak for 14 % of its length",
            },
        ),
    ] = 0.2


_RECORDED_ZERO = (
    "The learning rate in effect is 0 from {unit} {at:,} to the end, {share:.0%} of what was recorded: nothing is learned there.",
    "从第 {at:,} 个 {unit} 到结束，实际生效的学习率为 0，占全部记录的 {share:.0%}：这一段没有学习。",
)
MESSAGES: Words = {
    **_curves.MESSAGES,
    "zero-from": {"en": _RECORDED_ZERO[0], "zh": _RECORDED_ZERO[1]},
    "zero": {
        "en": "The learning rate is 0 in all {points:,} records: nothing is learned.",
        "zh": "全部 {points:,} 条记录中学习率都是 0：没有学习。",
    },
    "zero-first": {
        "en": "The learning rate is 0 for the first {count:,} records ({share:.0%}); a warm-up starts with one at most.",
        "zh": "最初 {count:,} 条记录（{share:.0%}）的学习率为 0；预热最多只有第一步为 0。",
    },
    "vanishes": {
        "en": "From {unit} {at:,} to the end ({share:.0%} of what was recorded) the learning rate is at most {rate:.2g}, less than a "
        "millionth of its highest, {highest:.2g}: updates get lost in the rounding of weights.",
        "zh": "从第 {at:,} 个 {unit} 到结束（占 {share:.0%}），学习率不超过 {rate:.2g}，不到最大值 {highest:.2g} 的百万分之一："
        "更新量会淹没在权重的舍入误差中。",
    },
    "collapses": {
        "en": "Within the first {points:,} steps of the training the learning rate falls from {highest:.3g} to {rate:.2g}, and is "
        "below {bound:.0%} of its highest from step {at:,} on: its schedule may count epochs but be queried at every step.",
        "zh": "训练才进行 {points:,} 步，学习率就从 {highest:.3g} 降到 {rate:.2g}，从第 {at:,} 步起不到最大值的 {bound:.0%}："
        "调度可能按 epoch 计数，却在每一步取值。",
    },
    "negative": {
        "en": "The learning rate is below 0 from {unit} {at:,} on ({rate:.3g}): each step then makes the loss larger.",
        "zh": "从第 {at:,} 个 {unit} 起学习率为负（{rate:.3g}）：每一步都在增大 loss。",
    },
    "not-finite": {
        "en": "The learning rate is NaN or Inf at {unit} {at:,}.",
        "zh": "第 {at:,} 个 {unit} 的学习率为 NaN 或 Inf。",
    },
    "restarts-each-epoch": {
        "en": "The learning rate goes back up to {rate:.3g} at the beginning of every epoch ({count:,} times): its schedule starts again "
        "each time.",
        "zh": "学习率在每个 epoch 开始时都回升到 {rate:.3g}（共 {count:,} 次）：调度在每个 epoch 重新开始。",
    },
    "restarts": {
        "en": "The learning rate goes up again {count:,} {count:time|times} after it had fallen, first at {unit} {at:,}.",
        "zh": "学习率下降之后又回升 {count:,} 次，首次在第 {at:,} 个 {unit}。",
    },
    "never-moves": {
        "en": "{place} passes a schedule to the optimizer, but the rate in effect is {rate:.3g} in all {points:,} records.",
        "zh": "{place} 给优化器设置了学习率调度，但全部 {points:,} 条记录中生效的学习率始终为 {rate:.3g}。",
    },
    "other-rate": {
        "en": "The learning rate in effect is {rate:.3g}, but {place} sets {written:.3g}: it is {ratio:.3g} times as large.",
        "zh": "实际生效的学习率为 {rate:.3g}，而 {place} 中写的是 {written:.3g}，前者是后者的 {ratio:.3g} 倍。",
    },
    "above-schedule": {
        "en": "The learning rate in effect reaches {rate:.3g}, but the schedule at {place} only {written:.3g}: it is {ratio:.3g} times "
        "as large.",
        "zh": "实际生效的学习率最高达 {rate:.3g}，而 {place} 的调度最高只有 {written:.3g}，前者是后者的 {ratio:.3g} 倍。",
    },
    "stairs": {
        "en": "The rate changes between epochs only ({epochs:,} epochs), never within one.",
        "zh": "学习率只在 epoch 之间变化（共 {epochs:,} 个 epoch），epoch 内保持不变。",
    },
    "in-force": {
        "en": "The learning rate in effect goes from {first:.3g} to {last:.3g}, at most {highest:.3g} ({points:,} records).",
        "zh": "实际生效的学习率从 {first:.3g} 开始，最高 {highest:.3g}，最后为 {last:.3g}（{points:,} 条记录）。",
    },
    "no-rates": {
        "en": "No column of {path} is known as a learning rate. accucheck.Recorder records it.",
        "zh": "{path} 中没有可识别为学习率的列。accucheck.Recorder 可以记录学习率。",
    },
    "fix-total": {
        "en": "Give the schedule the steps that the training really has: steps in an epoch x epochs, counted as the optimizer counts them.",
        "zh": "把调度的总步数设为训练实际的步数：每个 epoch 的步数 × epoch 数，与优化器的计数方式一致。",
    },
    "fix-once": {
        "en": "Make schedule and optimizer once, before the first epoch.",
        "zh": "在第一个 epoch 之前只创建一次调度和优化器。",
    },
    "fix-step": {
        "en": "Call the scheduler as often as its numbers assume, each step or each epoch, or pass the schedule itself to the "
        "optimizer.",
        "zh": "按调度参数的单位（每步或每个 epoch）调用调度器，或直接把调度传给优化器。",
    },
    "fix-source": {
        "en": "Check what else sets the learning rate: an option, a configuration file, a factor for the number of devices, a "
        "callback, parameter groups.",
        "zh": "查看还有哪里会设置学习率：命令行选项、配置文件、按卡数的缩放、回调、参数分组。",
    },
}
WORDS: Words = {
    **_curves.WORDS,
    "rates": {"en": "Learning rate in force", "zh": "实际生效的学习率"},
    "learning-rate": {"en": "Learning rate", "zh": "学习率"},
}
_NOT_LEARNED = {
    "en": "Weights do not change while training continues: time is wasted, and a flat loss looks like convergence.",
    "zh": "训练仍在进行而权重不再变化：白费时间，而且走平的 loss 看起来像是收敛。",
}
_NOT_MEANT = {
    "en": "Training is not what the script describes: results cannot be compared with those of the intended learning rate.",
    "zh": "实际的训练与脚本所写的不同，结果无法与预期学习率下的结果相比。",
}
WHY: Words = {
    **dict.fromkeys(("zero-from", "zero", "zero-first", "vanishes", "collapses"), _NOT_LEARNED),
    **dict.fromkeys(("restarts-each-epoch", "never-moves", "other-rate", "above-schedule"), _NOT_MEANT),
    "negative": {
        "en": "A rate below 0 turns descent into ascent.",
        "zh": "负的学习率使梯度下降变成梯度上升。",
    },
    "not-finite": {
        "en": "One step with such a rate makes all weights NaN or Inf.",
        "zh": "用这样的学习率更新一步，所有权重都会变成 NaN 或 Inf。",
    },
}
_PRINT = {
    "en": "Print the rate of the optimizer in the first steps and at the end: optimizer.get_lr(), or the value in param_groups.",
    "zh": "在最初若干步和结束时打印优化器实际使用的学习率：optimizer.get_lr()，或 param_groups 中的值。",
}
PROOF: Words = dict.fromkeys(WHY, _PRINT)

#: What reading the scripts says of the rate, and that rates of more than 0 prove wrong.
_REFUTED = ["rate-not-positive"]
#: The highest rate that is not called huge.
_USUAL = 10.0
#: Records without which shares mean nothing.
_FEWEST = 5
#: Watched steps without which it is not told how fast a rate falls.
_ENOUGH = 20
#: After it fell below half, a rate that doubles at once goes up again.
_FALLEN, _UP = 0.5, 2.0


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ._script_rates import of_script

    keys = [key for key in ("watched", "curves.train") if case.get(key) and (key != "watched" or _trained(case))]
    written = of_script(case) if case.get("scripts.train") else None
    found: list[Finding] = []
    for done, key in enumerate(keys, 1):
        logs = _curves.Logs(case, key)
        yield Progress(done, len(keys), "files")
        rates = logs.series("lr")
        if rates is None or not len(rates.values):
            logs.require_whole()
            continue
        found += _judged(rates, _source(case, rates, key == "watched"), written, params)
        yield from logs.findings()
    if not found:
        named = [key for key in ("watched", "curves.train") if case.get(key)]
        raise Skip("no-rates", path=[case.relative(path) for key in named for path in case.paths(key)])
    yield from found


def suggest(findings: Iterable[Finding]) -> Verdict:
    """That the rate is in force as written does not say that it suits the training."""
    verdict = usual(findings)
    return Verdict.UNDECIDED if verdict is Verdict.OK else verdict


def _trained(case: Case) -> bool:
    """Whether a step of training was watched: a command that ended before its first step recorded no rates, which is not a fault of the
    recording."""
    return any(one.run.series for one in _watched.of_case(case))


class _Source(NamedTuple):
    """Where rates come from. `exact`: they are those of a recording; what was printed may be rounded to 0. `place`: where the optimizer
    is made, as a watched run tells it. `part`: the watch ended before the training did. `alone`: they are those of the only optimizer."""

    exact: bool
    place: Where | None = None
    part: bool = False
    alone: bool = False


def _source(case: Case, rates: Series, watched: bool) -> _Source:
    from ..readers import recordings
    from ..readers.places import head_of

    if not watched:
        path = case.path(rates.path)
        return _Source(path.is_file() and recordings.looks_like(head_of(path)))
    run = next(one for one in _watched.of_case(case) if one.path == rates.path)
    place = run.first("optimizer").get("place")
    alone = len(run.facts("optimizer")) == 1
    return _Source(True, run.where(place) if place else None, run.first("end").get("why") != "exit", alone)


def _judged(rates: Series, source: _Source, written: ScriptRate | None, params: Params) -> Iterator[Finding]:
    import numpy as np

    values = rates.values
    evidence: list[Evidence] = [_curves.chart("rates", rates.unit, "learning-rate", rates.x, {"learning-rate": values})]

    def finding(code: str, level: Level, at: int, fix: str | None, **data: Any) -> Finding:
        step = int(rates.steps[at]) if rates.steps[at] >= 0 else None
        where = Where(rates.path, name=rates.where.name, field=rates.name, step=step)
        if source.place is not None and level is not Level.INFO:
            where = msgspec.structs.replace(source.place, field=rates.name, step=step)
        data |= {"unit": _curves.UNITS[rates.unit], "at": int(rates.x[at]), "points": len(values)}
        return Finding(code, level, where, data, evidence, Fix(fix) if fix else None)

    broken, below = np.flatnonzero(~np.isfinite(values)), np.flatnonzero(values < 0)
    if len(broken):
        yield finding("not-finite", Level.PROBLEM, int(broken[0]), "fix-source")
        return
    if len(below):
        yield finding("negative", Level.PROBLEM, int(below[0]), "fix-total", rate=float(values[below[0]]))
        return
    sure = Level.PROBLEM if source.exact else Level.SUSPECT
    highest = float(values.max())
    if not highest:  # a warm-up by epochs may begin with an epoch of it
        yield finding("zero", Level.SUSPECT if source.part else sure, 0, "fix-source")
        return
    for code, level, at, data in _ends(rates, sure, params):
        yield finding(code, level, at, "fix-total", **data, highest=highest)
    low = _collapsed(values, params) if source.part else None
    if low is not None:
        rate = float(values[-1])
        yield finding("collapses", Level.SUSPECT, low, "fix-total", highest=highest, rate=rate, bound=params.collapsed)
    again = _restarts(values)
    if len(again):
        each = _begins_epochs(rates, again)
        code, level = ("restarts-each-epoch", Level.SUSPECT) if each else ("restarts", Level.INFO)
        yield finding(
            code, level, int(again[0]), "fix-once" if each else None, count=len(again), rate=float(values[again[0]])
        )
    if written is not None and (said := _against(values, written, params)) is not None:
        code, rate = said
        ratio = rate / written.rate
        more = {"rate": rate, "place": written.place, "written": written.rate, "ratio": ratio}
        level = sure if code == "other-rate" and written.sure else Level.SUSPECT
        if not _begins(rates, source):
            yield finding(code, level, 0, "fix-step" if code == "never-moves" else "fix-source", **more)
    if epochs := _stairs(rates):
        yield finding("stairs", Level.INFO, 0, None, epochs=epochs)
    told = finding("in-force", Level.INFO, 0, None, first=float(values[0]), highest=highest, last=float(values[-1]))
    yield msgspec.structs.replace(told, refutes=_refuted(values) if source.alone else [])


def _refuted(values: Array) -> list[Refutes]:
    codes = [*_REFUTED, "schedule-ignored"] if (values != values[0]).any() else [*_REFUTED]
    return [
        Refutes("training_settings", [*codes, *(["rate-huge", "rate-huge-step"] if values.max() <= _USUAL else [])])
    ]


def _ends(rates: Series, sure: Level, params: Params) -> Iterator[tuple[str, Level, int, dict[str, Any]]]:
    """Rates of zero at the beginning and at the end, and those next to it: code, level, the first place and what tells it.

    Shares are those of the steps, which need not be recorded evenly.
    """
    import numpy as np

    values, x = rates.values, rates.x
    if len(values) < _FEWEST:
        return
    trained = np.flatnonzero(values > 0)
    first, last = int(trained[0]), int(trained[-1])

    def share(start: int, end: int) -> float:
        """Of the steps from one record to before another."""
        whole = x[-1] - x[0] + 1
        return float(((x[end] if end < len(x) else x[-1] + 1) - x[start]) / whole)

    if len(values) - last > 2 and (after := share(last + 1, len(x))) > params.share:
        yield "zero-from", sure, last + 1, {"share": after}
    if first > 1 and (before := share(0, first)) > params.share:
        yield "zero-first", Level.SUSPECT, 0, {"share": before, "count": first}
    felt = int(np.flatnonzero(values > values.max() * params.vanishing)[-1])
    if last - felt > 1 and (lost := share(felt + 1, last + 1)) > params.share:
        yield "vanishes", Level.SUSPECT, felt + 1, {"share": lost, "rate": float(values[felt + 1])}


def _collapsed(values: Array, params: Params) -> int | None:
    """From where on a rate that was greater than zero has all but vanished, for a good part of the steps."""
    import numpy as np

    if len(values) < _ENOUGH or not values[-1]:
        return None
    felt = int(np.flatnonzero(values >= values.max() * params.collapsed)[-1])
    return felt + 1 if len(values) - 1 - felt >= params.collapse * len(values) else None


def _begins(rates: Series, source: _Source) -> bool:
    """Whether no more than the begin of a training was watched, where a rate that changes by epochs stays, also that of a warm-up."""
    import numpy as np

    return source.part and len(np.unique(rates.epochs)) < 2


def _restarts(values: Array) -> Array:
    """Where a rate that had fallen goes up again at once."""
    import numpy as np

    peaks = np.maximum.accumulate(values)[:-1]
    before, after = values[:-1], values[1:]
    return np.flatnonzero((before < peaks * _FALLEN) & (after > before * _UP)) + 1


def _begins_epochs(rates: Series, again: Array) -> bool:
    """Whether it goes up in each epoch after the first, where that epoch begins."""
    import numpy as np

    if rates.unit == "epoch" or rates.epochs.min() < 0:
        return False
    begins = np.flatnonzero(np.diff(rates.epochs)) + 1
    return len(begins) > 1 and {*again.tolist()} == {*begins.tolist()}


def _against(values: Array, written: ScriptRate, params: Params) -> tuple[str, float] | None:
    """How the rates in force differ from what the script writes, and the rate that shows it."""
    highest, lowest = float(values.max()), float(values.min())
    moves = highest - lowest > params.tolerance * highest
    if written.scheduled:
        if not moves and len(values) >= _FEWEST:
            return "never-moves", highest
        return ("above-schedule", highest) if highest > written.rate * (1 + params.tolerance) else None
    if not moves and abs(highest / written.rate - 1) > params.tolerance:
        return "other-rate", highest
    return None


def _stairs(rates: Series) -> int:
    """The number of epochs where the rate changes between them only; 0 where it changes within, or not at all, or that is not known."""
    import numpy as np

    if rates.unit == "epoch" or rates.epochs.min() < 0:
        return 0
    changes, begins = np.flatnonzero(np.diff(rates.values)), np.flatnonzero(np.diff(rates.epochs))
    epochs = len(begins) + 1
    within = len(rates.values) >= 2 * epochs
    return epochs if len(changes) > 1 and within and {*changes.tolist()} <= {*begins.tolist()} else 0


def _recording(rates: list[float], per_epoch: int = 10) -> str:
    """What accucheck.Recorder writes of a training with these rates."""
    head = (
        '{"recording": 1, "accucheck": "0.1.0", "time": "2026-01-31T08:00:00+00:00", "mindspore": "2.10.0", "rank": 0}'
    )
    lines = [
        json.dumps(
            {
                "step": n + 1,
                "epoch": n // per_epoch + 1,
                "loss": 2.3 * 0.98**n,
                "lr": rate if math.isfinite(rate) else str(rate),
            }
        )
        for n, rate in enumerate(rates)
    ]
    return "\n".join([head, *lines]) + "\n"


_HEAD = "import mindspore as ms\nfrom mindspore import nn\n\nnet = nn.Dense(4, 2)\n"
_TAIL = "ms.Model(net, nn.MSELoss(), opt).train(10, data)\n"


def _example(name: str, rates: list[float], verdict: Verdict, *codes: str, script: str = "") -> Example:
    files: dict[str, Any] = {"run.jsonl": _recording(rates)}
    case: dict[str, Any] = {"curves": {"train": "run.jsonl"}}
    if script:
        files["train.py"] = f"{_HEAD}opt = {script}\n{_TAIL}"
        case["scripts"] = {"train": "train.py"}
    return Example(name, files=files, case=case, verdict=verdict, codes=codes)


def _watched_example(name: str, rates: list[float], verdict: Verdict, *codes: str, per_epoch: int = 100) -> Example:
    """A training that goes on when the watch ends."""
    end = json.dumps({"fact": "end", "why": "enough", "steps": len(rates)}) + "\n"
    files: dict[str, Any] = {"watch/pynative.jsonl": _recording(rates, per_epoch) + end}
    return Example(name, files=files, case={"watched": "watch"}, verdict=verdict, codes=codes)


_COSINE = [0.05 * (1 - n / 100) for n in range(101)]
_SGD = "nn.SGD(net.trainable_params(), {})"
_SCHEDULE = _SGD.format("nn.cosine_decay_lr(0.0, 0.1, 100, 10, 10)")
EXAMPLES = [
    _example("a decay that ends at zero", _COSINE, Verdict.UNDECIDED, "in-force"),
    _example("as the script writes it", [0.1] * 50, Verdict.UNDECIDED, "in-force", script=_SGD.format(0.1)),
    _example("zero for the second half", _COSINE[::2] + [0.0] * 50, Verdict.PROBLEM, "zero-from"),
    _example("zero throughout", [0.0] * 50, Verdict.PROBLEM, "zero"),
    _example("zero for a third at first", [0.0] * 30 + [0.1] * 60, Verdict.UNDECIDED, "zero-first"),
    _example("below zero", _COSINE + [-0.01] * 5, Verdict.PROBLEM, "negative"),
    _example("not a number", [0.1] * 5 + [float("nan")], Verdict.PROBLEM, "not-finite"),
    _example("next to zero", [0.1 * 0.8**n for n in range(100)], Verdict.UNDECIDED, "vanishes"),
    _example(
        "again in every epoch", [0.1 * (1 - n % 10 / 10) for n in range(50)], Verdict.UNDECIDED, "restarts-each-epoch"
    ),
    _example("a step down every ten epochs", [0.1] * 100 + [0.01] * 50 + [0.001] * 50, Verdict.UNDECIDED, "stairs"),
    _example("ten times what the script writes", [0.1] * 50, Verdict.PROBLEM, "other-rate", script=_SGD.format(0.01)),
    _example(
        *("above the schedule of the script", [0.3 * (1 - n / 100) for n in range(50)], Verdict.UNDECIDED),
        *("above-schedule",),
        script=_SCHEDULE,
    ),
    _example("a schedule that never moves", [0.1] * 50, Verdict.UNDECIDED, "never-moves", script=_SCHEDULE),
    _watched_example("a warm-up as it was watched", [n / 500 for n in range(50)], Verdict.UNDECIDED, "in-force"),
    _watched_example("zero after four steps", [0.1, 0.08, 0.05, 0.01] + [0.0] * 46, Verdict.PROBLEM, "zero-from"),
    _watched_example(
        "a decay by epochs at each step", [0.1 * 0.9**n for n in range(50)], Verdict.UNDECIDED, "collapses"
    ),
]
