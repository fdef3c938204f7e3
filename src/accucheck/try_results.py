"""What came of training a project without and with the patches of its findings: the records, and what they say beside each other.

Stored in the session; try_runs.py makes them. Nothing is drawn here: the command line, the walkthrough and reports show the same rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from .language import Language, Words, word

#: How a training ended of which loss and metric can be set beside others: by itself, after the steps asked for, when its time was over.
WHOLE = ("end", "steps", "time")
#: What a row says of a change that is worth it.
BETTER = ("better", "cured")
#: The share of the steps, at the end, over which a loss is averaged (own choice).
_TAIL = 0.1
#: A difference counts where it is so many times the noise (own choice: two seeds tell the spread of runs roughly).
BEYOND = 2.0
#: The least noise that is taken for granted, where two seeds happen to agree: of the loss, as its share, and of a metric, as the share
#: of its whole (own choice).
_LOSS_FLOOR, _METRIC_FLOOR = 0.01, 0.005
#: A training that came less far than this share of the unchanged one's steps is not set beside it (own choice).
_SHORT = 0.9
#: What Python says where it has no MindSpore.
NO_MINDSPORE = "No module named 'mindspore'"
#: A metric above this is told in percent.
_PERCENT = 1.5

WORDS: Words = {
    "title": {"en": "Fixes tried in copies of the project", "zh": "在项目副本中试用修改的结果"},
    "what": {"en": "Change", "zh": "修改"},
    "loss": {"en": "Loss at the end", "zh": "最终 loss"},
    "metric": {"en": "Metric", "zh": "指标"},
    "difference": {"en": "Difference", "zh": "差值"},
    "verdict": {"en": "Result", "zh": "结果"},
    "base": {"en": "unchanged, seed {seed}", "zh": "未修改，种子 {seed}"},
    "patch": {"en": "{item} {place}: {title}", "zh": "{item} {place}：{title}"},
    "all": {"en": "all of them together", "zh": "以上全部"},
    "known": {"en": "{what} (trained before)", "zh": "{what}（此前已训练）"},
    "places": {"en": "{place} and {count:,} more", "zh": "{place} 等 {count:,} 处"},
    "better": {"en": "better, beyond the noise", "zh": "变好，超出波动范围"},
    "worse": {"en": "worse, beyond the noise", "zh": "变差，超出波动范围"},
    "same": {"en": "within the noise", "zh": "在波动范围内"},
    "cured": {"en": "trains, which the unchanged project does not", "zh": "可以训练，而未修改的项目不能"},
    "unknown": {"en": "not comparable: no loss or metric seen", "zh": "无法比较：没有看到 loss 或指标"},
    "failed": {"en": "failed, exit code {code}", "zh": "失败，退出码 {code}"},
    "failed-note": {"en": "{what}: failed: {note}", "zh": "{what}：失败：{note}"},
    "each": {"en": "every training", "zh": "每次训练"},
    "separator": {"en": "; ", "zh": "；"},
    "no-mindspore": {
        "en": "The Python of this command has no MindSpore. Give the path of one that has it instead of python.",
        "zh": "该命令所用的 Python 没有安装 MindSpore。请把 python 换成已安装 MindSpore 的解释器路径。",
    },
    "nan": {"en": "the loss is NaN or Inf from step {step:,} on", "zh": "loss 自第 {step:,} 步起为 NaN 或 Inf"},
    "disk": {"en": "stopped: it wrote more than allowed", "zh": "已停止：写入量超出上限"},
    "escaped": {
        "en": "not tried: the training imports the project itself, as it is installed, and not the copy",
        "zh": "未能试用：训练导入的是已安装的项目本身，而不是副本",
    },
    "nothing": {"en": "no training step was seen", "zh": "没有看到训练步"},
    "short": {"en": "not comparable: it came too few steps far", "zh": "无法比较：训练步数太少"},
    "reference": {"en": "reference", "zh": "基准"},
    "noise": {
        "en": "Noise: {noise}, the spread of {count:,} runs of the unchanged project with different seeds, and at least {floor}. "
        "A difference counts from {times:g} times the noise on.",
        "zh": "波动：{noise}，取自未修改项目 {count:,} 次不同种子训练之间的差异，且不低于 {floor}；差值达到波动的 {times:g} 倍才算有变化。",
    },
    "noise-unknown": {
        "en": "Noise is not known: the unchanged project was not trained twice to an end that can be compared.",
        "zh": "波动未知：未修改的项目没有两次可比较的训练结果。",
    },
    "by-metric": {
        "en": "Compared by {name}, as reported by {source}.",
        "zh": "按 {name} 比较，数值来自{source}。",
    },
    "by-loss": {
        "en": "Compared by the loss at step {step:,}, since no metric was reported: it cannot judge a change of the loss function "
        "itself.",
        "zh": "没有看到指标输出，因此按第 {step:,} 步的 loss 比较；如果修改的是损失函数本身，则不能据此判断。",
    },
    "needs-others": {
        "en": "{what}: worse alone, but all changes together are better. It may need another of them: apply them together.",
        "zh": "{what}：单独应用时变差，全部一起应用时变好。该修改可能依赖其他修改，请一起应用。",
    },
    "training": {"en": "the output of the training", "zh": "训练的输出"},
    "evaluation": {"en": "the evaluation script", "zh": "评估脚本"},
    "stopped": {
        "en": "Trainings were stopped after {seconds:g} s each; longer ones may differ.",
        "zh": "每次训练在 {seconds:g} 秒后停止；更长的训练结果可能不同。",
    },
}


class Trial(msgspec.Struct, frozen=True, omit_defaults=True):
    """One training in a copy. `kind` is base, patch or all; `key` a digest of all that decides what it computes.

    `title` is what the patch does, by language; `places` are "file:line". `ended` is end, steps, time, disk, failed, escaped or nothing,
    `code` the exit code, `note` the last line of the output of one that failed. `losses` are at most 200 pairs of a step and the mean
    loss up to it, None where that is not finite; `bad` is the step from which on no loss is finite. `metric` was told last by `source`,
    "training" or "evaluation", under `metric_name`. `seconds` it took, of the `limit` it had.
    """

    key: str
    kind: str
    seed: int = 1
    item: str = ""
    probe: str = ""
    fault: str = ""
    title: dict[str, str] = {}
    places: list[str] = []
    ended: str = "end"
    code: int = 0
    note: str = ""
    steps: int = 0
    losses: list[tuple[int, float | None]] = []
    bad: int | None = None
    metric: float | None = None
    metric_name: str = ""
    source: str = ""
    seconds: float = 0.0
    limit: float = 0.0

    @property
    def whole(self) -> bool:
        """Whether it can be set beside others."""
        return self.ended in WHOLE and self.bad is None and (bool(self.losses) or self.metric is not None)


class TryResults(msgspec.Struct, frozen=True, omit_defaults=True):
    """What was tried last with a project: its commands, and the trainings in their order; `earlier` ones are not shown, but need not
    be made again. `planned` is how many trainings it was to be, 0 where that is not known."""

    command: list[str] = []
    evaluation: list[str] = []
    when: str = ""
    trials: list[Trial] = []
    earlier: list[Trial] = []
    planned: int = 0

    @property
    def known(self) -> list[Trial]:
        return [*self.trials, *self.earlier]


class Row(NamedTuple):
    """A trial beside the unchanged project: the difference of what is compared, and one of better, worse, same, cured, unknown,
    short, reference, or why there is none: failed, nan, disk, escaped, nothing."""

    trial: Trial
    loss: float | None
    difference: float | None
    verdict: str


class Compared(NamedTuple):
    """`by` is metric or loss; `step` the one that losses are compared at; `noise` None where it is not known, `floor` its least."""

    rows: list[Row]
    by: str
    step: int
    noise: float | None
    floor: float
    bases: int


def compare(trials: Sequence[Trial]) -> Compared:
    """All trials beside the unchanged project."""
    bases = [trial for trial in trials if trial.kind == "base" and trial.whole]
    least = _SHORT * min((trial.steps for trial in bases), default=0)
    step = min(
        (trial.losses[-1][0] for trial in trials if trial.whole and trial.losses and trial.steps >= least), default=0
    )
    by = "metric" if bases and all(trial.metric is not None for trial in bases) else "loss"
    known = [value for trial in bases if (value := _value(trial, by, step)) is not None]
    mean = sum(known) / len(known) if known else None
    floor = floor_of(by, known)
    noise = max(max(known) - min(known), floor) if len(known) > 1 else None
    rows = [_row(trial, by, step, mean, noise) for trial in trials]
    rows = [
        row._replace(difference=None, verdict="short") if row.trial.whole and row.trial.steps < least else row
        for row in rows
    ]
    if mean is None and any(trial.kind == "base" for trial in trials):
        rows = [row._replace(verdict="cured") if row.verdict == "unknown" and row.trial.whole else row for row in rows]
    return Compared(rows, by, step, noise, floor, len(known))


def floor_of(by: str, known: Sequence[float]) -> float:
    """The least noise that is taken for granted; `by` is metric or loss."""
    most = max(map(abs, known), default=0.0)
    if by == "loss":
        return _LOSS_FLOOR * most
    return _METRIC_FLOOR * (100 if most > _PERCENT else 1)


def _row(trial: Trial, by: str, step: int, mean: float | None, noise: float | None) -> Row:
    loss = loss_at(trial, step)
    if not trial.whole:
        why = "nan" if trial.bad is not None and trial.ended in WHOLE else trial.ended
        return Row(trial, loss, None, why if why not in WHOLE else "nothing")
    value = _value(trial, by, step)
    if trial.kind == "base":
        return Row(trial, loss, None, "reference")
    if value is None or mean is None:
        return Row(trial, loss, None, "unknown")
    difference = value - mean
    gain = difference if by == "metric" else -difference
    if noise is None:
        return Row(trial, loss, difference, "unknown")
    return Row(trial, loss, difference, _verdict(gain, noise))


def _verdict(gain: float, noise: float) -> str:
    if abs(gain) < BEYOND * noise or not gain:
        return "same"
    return "better" if gain > 0 else "worse"


def _value(trial: Trial, by: str, step: int) -> float | None:
    return trial.metric if by == "metric" else loss_at(trial, step)


def loss_at(trial: Trial, step: int) -> float | None:
    """The mean loss of the last tenth of the steps up to this one; None where there is none, or the last of them is not finite."""
    upto = [(at, loss) for at, loss in trial.losses if at <= step] or trial.losses[:1]
    if not upto or upto[-1][1] is None:
        return None
    last = [loss for at, loss in upto if at > (1 - _TAIL) * step and loss is not None] or [upto[-1][1]]
    return sum(last) / len(last)


def say(key: str, language: Language, /, **data: object) -> str:
    return word(WORDS, key, language, **data)


def head(language: Language) -> list[str]:
    """The columns of `cells`; the first three hold numbers."""
    return [say(name, language) for name in ("loss", "metric", "difference", "verdict", "what")]


def cells(row: Row, by: str, language: Language) -> list[str]:
    """A row as texts."""
    trial = row.trial
    numbers = [
        "" if row.loss is None else f"{row.loss:.4g}",
        "" if trial.metric is None else f"{trial.metric:.4g}",
        "" if row.difference is None else f"{row.difference:+.3g}",
    ]
    return [*numbers, say(row.verdict, language, code=trial.code, step=trial.bad or 0), label(trial, language)]


def label(trial: Trial, language: Language) -> str:
    """What was tried, in words."""
    if trial.kind == "base":
        return say("base", language, seed=trial.seed)
    if trial.kind == "all":
        return say("all", language)
    place = trial.places[0] if trial.places else ""
    if len(trial.places) > 1:
        place = say("places", language, place=place, count=len(trial.places) - (language is Language.EN))
    return say("patch", language, item=trial.item, place=place, title=trial.title.get(language.value, trial.fault))


def _failures(trials: Sequence[Trial], language: Language) -> list[str]:
    """What ended trainings, each reason once, and what to do where it is the interpreter."""
    failed: dict[str, list[str]] = {}
    for trial in trials:
        if trial.note:
            failed.setdefault(trial.note, []).append(label(trial, language).rstrip(".。"))
    told = []
    for note, names in failed.items():
        what = say("each", language) if len(names) == len(trials) > 1 else say("separator", language).join(names)
        told.append(say("failed-note", language, what=what, note=note))
        if NO_MINDSPORE in note:
            told.append(say("no-mindspore", language))
    return told


def notes(found: Compared, language: Language) -> list[str]:
    """What is to be known of the figures: what they are compared by, the noise, and whether trainings were cut short."""
    trials = [row.trial for row in found.rows]
    told = _failures(trials, language)
    if not any(trial.whole for trial in trials):
        return told
    if found.by == "metric":
        base = next(trial for trial in trials if trial.kind == "base" and trial.whole)
        told.append(say("by-metric", language, name=base.metric_name, source=say(base.source, language)))
    elif found.step:
        told.append(say("by-loss", language, step=found.step))
    if found.noise is None:
        told.append(say("noise-unknown", language))
    else:
        data = {"noise": f"{found.noise:.3g}", "floor": f"{found.floor:.3g}", "count": found.bases, "times": BEYOND}
        told.append(say("noise", language, **data))
    if any(row.trial.kind == "all" and row.verdict in BETTER for row in found.rows):
        worse = [row.trial for row in found.rows if row.trial.kind == "patch" and row.verdict == "worse"]
        told += [say("needs-others", language, what=label(trial, language).rstrip(".。")) for trial in worse]
    cut = [trial.limit for trial in trials if trial.ended == "time"]
    if cut:
        told.append(say("stopped", language, seconds=max(cut)))
    return told


class Outcome(NamedTuple):
    """What a change gave: a verdict of Row, and the figure of the unchanged project beside that with the change, under its name; `gain` is
    how much better that is, above every difference where only the change lets the project train."""

    verdict: str
    name: str
    before: float | None
    after: float | None
    gain: float

    @property
    def better(self) -> bool:
        return self.verdict in BETTER


def outcomes(trials: Sequence[Trial]) -> dict[tuple[str, str], Outcome]:
    """What the changes of each rule gave, by its probe and code; those of all rules together have neither."""
    found = compare(trials)
    told = {}
    for row in found.rows:
        if row.trial.kind == "base":
            continue
        after = _value(row.trial, found.by, found.step)
        before = after - row.difference if after is not None and row.difference is not None else None
        gain = math.inf if row.verdict == "cured" else row.difference or 0.0
        name = row.trial.metric_name if found.by == "metric" else "loss"
        told[row.trial.probe, row.trial.fault] = Outcome(
            row.verdict, name, before, after, gain if found.by == "metric" or gain == math.inf else -gain
        )
    return told


def as_json(tried: TryResults, language: Language) -> dict[str, Any]:
    """All of it as plain data, with what the rows say in a language."""
    found = compare(tried.trials)
    rows = [
        {
            "what": label(row.trial, language),
            "verdict": row.verdict,
            "loss": row.loss,
            "metric": row.trial.metric,
            "difference": row.difference,
            "trial": msgspec.to_builtins(row.trial),
        }
        for row in found.rows
    ]
    compared = {"by": found.by, "step": found.step, "noise": found.noise}
    return {"command": tried.command, "evaluation": tried.evaluation, "when": tried.when, **compared, "rows": rows}
