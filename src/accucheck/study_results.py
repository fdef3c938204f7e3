"""What came of a search for hyper-parameters: its records, and what they say beside each other.

Stored in the session; search_runs.py makes them. Nothing is drawn here: the command line, the walkthrough and reports show the same rows.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from .language import Language, Words, word
from .model import Curve
from .try_results import BEYOND, floor_of

#: How a training ended whose metric can be set beside others.
WHOLE = ("end", "time")
#: Trials that a table shows, settings that are drawn, and cells of a drawn axis and of a drawn curve.
SHOWN, DRAWN, AXIS, CURVE = 10, 6, 13, 12
_LEVELS = {False: "▁▂▃▄▅▆▇█", True: "_.-=+*#@"}

WORDS: Words = {
    "title": {"en": "Search for hyper-parameters", "zh": "超参搜索"},
    "trial": {"en": "Trial", "zh": "试验"},
    "epochs": {"en": "Epochs", "zh": "epoch"},
    "seconds": {"en": "Seconds", "zh": "秒"},
    "result": {"en": "Result", "zh": "结果"},
    "curve": {"en": "Curve", "zh": "曲线"},
    "own": {"en": "the command's own settings", "zh": "命令自身的设置"},
    "own-seed": {"en": "the command's own settings, seed {seed}", "zh": "命令自身的设置，种子 {seed}"},
    "repeat": {"en": "as trial {of}, seed {seed}", "zh": "同试验 {of}，种子 {seed}"},
    "end": {"en": "trained to the end", "zh": "训练完成"},
    "time": {"en": "stopped when its time was over", "zh": "到时停止"},
    "pruned": {"en": "stopped early: worse than others", "zh": "落后，提前终止"},
    "failed": {"en": "failed, exit code {code}", "zh": "失败，退出码 {code}"},
    "failed-note": {"en": "trial {number} failed: {note}", "zh": "试验 {number} 失败：{note}"},
    "nan": {"en": "NaN or Inf", "zh": "出现 NaN 或 Inf"},
    "disk": {"en": "stopped: it wrote more than allowed", "zh": "已停止：写入量超出上限"},
    "nothing": {"en": "no {metric} was seen", "zh": "没有看到 {metric}"},
    "more": {"en": "{count:,} more {count:trial|trials}, with a lower rank", "zh": "另有 {count:,} 次排名靠后的试验"},
    "counts": {
        "en": "{count:,} {count:trial|trials}: {whole:,} trained to the end, {pruned:,} stopped early, {wrong:,} failed or not finite; "
        "{epochs:,} epochs in all.",
        "zh": "共 {count:,} 次试验：{whole:,} 次完成，{pruned:,} 次提前终止，{wrong:,} 次失败或出现 NaN；合计 {epochs:,} 个 epoch。",
    },
    "metric-most": {"en": "Metric: {metric}, the higher the better.", "zh": "指标：{metric}，越大越好。"},
    "metric-least": {"en": "Metric: {metric}, the lower the better.", "zh": "指标：{metric}，越小越好。"},
    "better": {
        "en": "Better than the command's own settings, beyond the noise: {value} against {own}, with seeds that did not decide the "
        "choice.",
        "zh": "优于命令自身的设置，且超出波动：{value} 对 {own}（用搜索未参与挑选的种子测得）。",
    },
    "same": {
        "en": "No difference beyond noise: {value} against {own} of the command's own settings. There is no reason to change them.",
        "zh": "没有超出波动的差异：{value}，命令自身的设置为 {own}；没有理由更改设置。",
    },
    "kept": {
        "en": "Nothing better than the command's own settings was found ({own}).",
        "zh": "没有找到优于命令自身设置（{own}）的取值。",
    },
    "cured": {
        "en": "{value}; with the command's own settings there is no result to compare with.",
        "zh": "{value}；命令自身的设置没有得到可比较的结果。",
    },
    "unknown": {
        "en": "{value} against {own} of the command's own settings. Whether that is more than noise is not known: the better settings were "
        "trained with one seed only.",
        "zh": "{value}，命令自身的设置为 {own}。较好的设置只用一个种子训练过，无法判断差异是否超出波动。",
    },
    "begun": {
        "en": "So far only the command's own settings have been trained: {own}.",
        "zh": "目前只训练过命令自身的设置：{own}。",
    },
    "none": {
        "en": "No trial came to its end with a metric.",
        "zh": "没有一次试验得到指标。",
    },
    "noise": {
        "en": "Noise: {noise}, the spread of runs with the same settings and other seeds, and at least {floor}. A difference counts from "
        "{times:g} times the noise on.",
        "zh": "波动：{noise}，取自相同设置、不同种子的训练之间的差异，且不低于 {floor}；差值达到波动的 {times:g} 倍才算有差异。",
    },
    "alike": {
        "en": "{count:,} other {count:setting is|settings are} as good as the best within the noise.",
        "zh": "另有 {count:,} 组设置与最好的在波动范围内相当。",
    },
    "best": {"en": "Best", "zh": "最好"},
    "importance": {"en": "How much each setting decided", "zh": "各设置的影响程度"},
    "importance-few": {
        "en": "There are too few trials to say how much each setting matters.",
        "zh": "试验次数太少，尚不能判断各设置的影响程度。",
    },
    "parallel": {
        "en": "The best trials, each setting from its lowest to its highest value",
        "zh": "最好的试验：各设置在搜索范围内的位置（左低右高）",
    },
    "parallel-chart": {
        "en": "The best trials: where each setting lies in its range",
        "zh": "最好的试验：各设置在其范围内的位置",
    },
    "curves": {"en": "{metric} by {unit}", "zh": "{metric}（按 {unit}）"},
    "epoch": {"en": "epoch", "zh": "epoch"},
    "step": {"en": "step", "zh": "步"},
    "point": {"en": "evaluation", "zh": "评估次数"},
    "numbered": {"en": "trial {number}", "zh": "试验 {number}"},
    "setting": {"en": "setting", "zh": "设置"},
    "position": {"en": "position in the range", "zh": "在范围内的位置"},
    "share": {"en": "share", "zh": "占比"},
    "use-command": {"en": "To train with the best settings: {command}", "zh": "用最好的设置训练：{command}"},
    "use-key": {"en": "with {file} changed: {key}: {value}", "zh": "并修改 {file}：{key}: {value}"},
}


class Axis(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a setting was searched in: numbers from `low` to `high`, `log` evenly by their logarithm, or `choices`."""

    name: str
    text: str
    choices: list[str] = []
    low: float = 0.0
    high: float = 0.0
    log: bool = False

    def place(self, value: str | None) -> float | None:
        """Where a value lies, from 0 to 1; None where it lies nowhere."""
        if value is None:
            return None
        if self.choices:
            at = self.choices.index(value) if value in self.choices else -1
            return None if at < 0 else at / max(1, len(self.choices) - 1)
        try:
            low, high, number = self.low, self.high, float(value)
            if self.log:
                low, high, number = math.log(low), math.log(high), math.log(number)
            return min(1.0, max(0.0, (number - low) / (high - low)))
        except (ValueError, ZeroDivisionError):
            return None


class Trial(msgspec.Struct, frozen=True, omit_defaults=True):
    """One training. `kind` is own (the command as it is), search, or repeat (of trial `of`, with another seed).

    `values` are those of the settings, as texts; empty where the command's own are not seen. `ended` is end, time, pruned, disk, failed,
    nan or nothing; `code` the exit code, `note` the last line of the output of one that failed. `value` is the metric that was
    told last, `points` what it was over epochs, steps or evaluations, at most 100. `epochs` were trained, in `seconds`.
    """

    number: int
    kind: str = "search"
    of: int = -1
    seed: int = 1
    values: dict[str, str] = {}
    ended: str = "end"
    code: int = 0
    note: str = ""
    value: float | None = None
    points: list[tuple[float, float]] = []
    unit: str = "epoch"
    epochs: int = 0
    seconds: float = 0.0

    @property
    def whole(self) -> bool:
        """Whether its metric can be set beside others."""
        return self.ended in WHOLE and self.value is not None


class StudyResults(msgspec.Struct, frozen=True, omit_defaults=True):
    """A study as it stood last. `storage` is the address of the study, without secrets; `least`: the lower the metric, the better.

    `importance` is the share of each setting in what decided; empty where too few trials tell. `best_command` trains with the best
    settings, `best_keys` are the keys of configuration files to be changed for it.
    """

    command: list[str] = []
    study: str = ""
    storage: str = ""
    metric: str = ""
    least: bool = False
    axes: list[Axis] = []
    trials: list[Trial] = []
    importance: dict[str, float] = {}
    when: str = ""
    best_command: list[str] = []
    best_keys: dict[str, dict[str, str]] = {}


class Group(NamedTuple):
    """The trials of the same settings that can be set beside others, in their order; `own`: the command's own settings."""

    trials: list[Trial]
    own: bool

    @property
    def values(self) -> list[float]:
        return [trial.value for trial in self.trials if trial.value is not None]

    @property
    def mean(self) -> float:
        return sum(self.values) / len(self.values)


class StudyVerdict(NamedTuple):
    """What a study says. `best` is None where no trial came to its end; `value` is that of its runs that did not make it the best, where
    there are any, `own` that of the command's own settings. `noise` is None where it is not known, `floor` its least; `alike` counts other
    settings within the noise of the best. `verdict` is better, same, kept, cured, unknown or none."""

    best: Group | None
    value: float | None
    own: float | None
    noise: float | None
    floor: float
    alike: int
    verdict: str


def groups(tuned: StudyResults) -> list[Group]:
    """The settings that were trained to an end, the best first by the first run of each."""
    found: dict[tuple[tuple[str, str], ...], Group] = {}
    for trial in tuned.trials:
        if trial.whole:
            group = found.setdefault(tuple(sorted(trial.values.items())), Group([], False))
            own = group.own or trial.kind == "own"
            found[tuple(sorted(trial.values.items()))] = Group([*group.trials, trial], own)
    sign = 1 if tuned.least else -1
    return sorted(found.values(), key=lambda group: sign * group.values[0])


def judge(tuned: StudyResults) -> StudyVerdict:
    """What is best, and whether that is more than noise. Settings that were trained with several seeds go before others: the best of
    many single runs is a lucky one."""
    found = groups(tuned)
    floor = floor_of("loss" if tuned.least else "metric", [value for group in found for value in group.values])
    if not found:
        return StudyVerdict(None, None, None, None, floor, 0, "none")
    own = next((group for group in found if group.own), None)
    repeated = [group for group in found if len(group.trials) > 1]
    noise = max(floor, *(max(group.values) - min(group.values) for group in repeated)) if repeated else None
    chosen = _chosen(tuned, repeated, own)
    value = _unchosen(chosen)
    verdict = _verdict(tuned, chosen, value, own, noise)
    best = chosen if verdict in ("better", "cured", "unknown") or own is None else own
    return StudyVerdict(
        best, value, None if own is None else own.mean, noise, floor, _alike(found, best, noise or 0.0), verdict
    )


def _alike(found: Sequence[Group], best: Group, noise: float) -> int:
    """How many other settings lie within the noise of the best."""
    return sum(group != best and abs(group.values[0] - best.mean) < BEYOND * noise for group in found)


def _chosen(tuned: StudyResults, repeated: Sequence[Group], own: Group | None) -> Group:
    """What is set beside the command's own settings: of those that were repeated the best by all of their runs, else the candidate; without
    any, the command's own."""
    sign = 1 if tuned.least else -1
    others = [group for group in repeated if not group.own]
    found = min(others, key=lambda group: sign * group.mean) if others else candidate(tuned) or own
    assert found is not None  # where nothing but the command's own is there, that is
    return found


def candidate(tuned: StudyResults) -> Group | None:
    """The settings of the search whose first run was best, where that was better than the command's own settings."""
    found, sign = groups(tuned), 1 if tuned.least else -1
    own = next((group for group in found if group.own), None)
    best = next((group for group in found if not group.own and group.trials[0].values), None)
    if best is None or (own is not None and sign * (best.values[0] - own.mean) >= 0):
        return None
    return best


def _unchosen(group: Group) -> float:
    """The mean of the runs that did not decide that these settings are the best; of a single run its value."""
    rest = group.values[1:] if len(group.values) > 1 and not group.own else group.values
    return sum(rest) / len(rest)


def _verdict(tuned: StudyResults, best: Group, value: float, own: Group | None, noise: float | None) -> str:
    sign = 1 if tuned.least else -1
    if best.own and not any(trial.kind == "search" for trial in tuned.trials):
        return "begun"
    if best.own:
        return "kept"
    if own is None:
        return "cured"
    if noise is None or len(best.trials) < 2:
        return "unknown"
    return "better" if sign * (own.mean - value) >= BEYOND * noise else "same"


def ranked(tuned: StudyResults) -> list[Trial]:
    """All trials, the best first: those that came to their end, those that were given up, and those without a result."""
    sign = 1 if tuned.least else -1

    def rank(trial: Trial) -> tuple[int, float]:
        if trial.value is None or not math.isfinite(trial.value):
            return 2, trial.number
        return 0 if trial.whole else 1, sign * trial.value

    return sorted(tuned.trials, key=rank)


def _distinct(tuned: StudyResults) -> list[Trial]:
    """The best trials, one of each settings."""
    found: dict[tuple[tuple[str, str], ...], Trial] = {}
    for trial in ranked(tuned):
        if trial.whole:
            found.setdefault(tuple(sorted(trial.values.items())), trial)
    return list(found.values())[:DRAWN]


# --- in words -----------------------------------------------------------------------------------------------------------


def say(key: str, language: Language, /, **data: object) -> str:
    return word(WORDS, key, language, **data)


def label(trial: Trial, language: Language) -> str:
    """What was trained, in words."""
    if trial.kind == "own":
        return say("own-seed", language, seed=trial.seed)
    if trial.kind == "repeat":
        return say("repeat", language, of=trial.of, seed=trial.seed)
    return settings(trial.values)


def settings(values: dict[str, str]) -> str:
    return ", ".join(f"{name.lstrip('-')}={value}" for name, value in values.items())


def ended(trial: Trial, tuned: StudyResults, language: Language) -> str:
    told = say(trial.ended, language, code=trial.code, metric=tuned.metric)
    if trial.kind == "search" and trial.ended != "end":
        return told
    return label(trial, language) if trial.kind != "search" and trial.ended == "end" else told


def number(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"


def head(tuned: StudyResults, language: Language) -> list[str]:
    """The columns of `cells`."""
    names = [axis.name.lstrip("-") for axis in tuned.axes]
    return [
        say("trial", language),
        tuned.metric,
        *names,
        *(say(key, language) for key in ("epochs", "seconds", "result")),
    ]


def cells(trial: Trial, tuned: StudyResults, language: Language) -> list[str]:
    """A trial as texts."""
    values = [trial.values.get(axis.name, "") for axis in tuned.axes]
    figures = [str(trial.epochs) if trial.epochs else "", f"{trial.seconds:.0f}"]
    return [str(trial.number), number(trial.value), *values, *figures, ended(trial, tuned, language)]


def notes(tuned: StudyResults, language: Language) -> list[str]:
    """What is to be known of the figures."""
    trials, judged = tuned.trials, judge(tuned)
    counts = {
        "count": len(trials),
        "whole": sum(trial.whole for trial in trials),
        "pruned": sum(trial.ended == "pruned" for trial in trials),
        "wrong": sum(not trial.whole and trial.ended != "pruned" for trial in trials),
        "epochs": sum(trial.epochs for trial in trials),
    }
    told = [say("counts", language, **counts)]
    if tuned.metric:
        told.append(say("metric-least" if tuned.least else "metric-most", language, metric=tuned.metric))
    if judged.noise is not None:
        data = {"noise": number(judged.noise), "floor": number(judged.floor), "times": BEYOND}
        told.append(say("noise", language, **data))
    if judged.alike:
        told.append(say("alike", language, count=judged.alike))
    told += [say("failed-note", language, number=trial.number, note=trial.note) for trial in trials if trial.note][:3]
    return told


def verdict(tuned: StudyResults, language: Language) -> str:
    """What the study says, in a sentence."""
    judged = judge(tuned)
    return say(judged.verdict, language, value=number(judged.value), own=number(judged.own))


def advice(tuned: StudyResults, language: Language) -> list[str]:
    """How to train with the best settings; nothing where the command's own are as good."""
    if judge(tuned).verdict not in ("better", "cured", "unknown") or not tuned.best_command:
        return []
    told = [say("use-command", language, command=shlex.join(tuned.best_command))]
    for file, keys in tuned.best_keys.items():
        told += [say("use-key", language, file=file, key=key, value=value) for key, value in keys.items()]
    return told


def parallel(tuned: StudyResults, language: Language, *, only_ascii: bool = False) -> list[str]:
    """The best trials as lines, each setting on an axis of its own: parallel coordinates, turned."""
    trials = [trial for trial in _distinct(tuned) if trial.values]
    if not trials or not tuned.axes:
        return []
    width = max(AXIS, *(len(axis.name.lstrip("-")) for axis in tuned.axes))
    names = "  ".join(f"{axis.name.lstrip('-'):^{width}}" for axis in tuned.axes)
    lines = [say("parallel", language), f"{'':>5}{'':>10}  {names}".rstrip()]
    for trial in trials:
        drawn = "  ".join(_on_axis(axis.place(trial.values.get(axis.name)), width, only_ascii) for axis in tuned.axes)
        lines.append(
            f"{trial.number:>5}{number(trial.value):>10}  {drawn}  {spark(trial, only_ascii=only_ascii)}".rstrip()
        )
    return lines


def _on_axis(place: float | None, width: int, only_ascii: bool) -> str:
    line, mark, ends = ("-", "o", "||") if only_ascii else ("─", "●", "├┤")
    cells = [ends[0], *(line * (width - 2)), ends[1]]
    if place is not None:
        cells[round(place * (width - 1))] = mark
    return "".join(cells)


def spark(trial: Trial, *, only_ascii: bool = False) -> str:
    """The metric over the training in a few characters."""
    values = [value for _, value in trial.points if math.isfinite(value)]
    if len(values) < 2:
        return ""
    each = max(1, math.ceil(len(values) / CURVE))
    values = values[::-1][::each][::-1]
    low, high, levels = min(values), max(values), _LEVELS[only_ascii]
    return "".join(
        levels[round((len(levels) - 1) * (value - low) / (high - low)) if high > low else 0] for value in values
    )


def weights(tuned: StudyResults, language: Language, *, only_ascii: bool = False) -> list[str]:
    """How much each setting decided, as bars."""
    if not tuned.importance:
        return [say("importance-few", language)]
    width = max(len(name.lstrip("-")) for name in tuned.importance)
    bar = "#" if only_ascii else "█"
    rows = sorted(tuned.importance.items(), key=lambda entry: -entry[1])
    return [
        say("importance", language),
        *(f"  {name.lstrip('-'):<{width}}  {share:4.0%}  {bar * round(20 * share)}".rstrip() for name, share in rows),
    ]


def charts(tuned: StudyResults, language: Language) -> list[Curve]:
    """The best trials as parallel coordinates, and their metric over the training; those that hold nothing are left out."""
    trials = [trial for trial in ranked(tuned) if trial.whole][:DRAWN]
    return [
        chart for chart in (_coordinates(tuned, trials, language), _courses(tuned, trials, language)) if chart.series
    ]


def _coordinates(tuned: StudyResults, trials: Sequence[Trial], language: Language) -> Curve:
    """Each setting an axis, and the metric the last; a line a trial."""
    values = [trial.value for trial in tuned.trials if trial.whole and trial.value is not None]
    low, high = min(values, default=0.0), max(values, default=1.0)
    span = (high - low) or 1.0
    series: dict[str, list[float | None]] = {}
    for trial in trials:
        if trial.values and trial.value is not None:
            places = [axis.place(trial.values.get(axis.name)) for axis in tuned.axes]
            series[_named(trial, language)] = [*places, (trial.value - low) / span]
    names = [*(axis.name.lstrip("-") for axis in tuned.axes), tuned.metric]
    marks = {name: float(at) for at, name in enumerate(names)}
    title, across, up = (say(key, language) for key in ("parallel-chart", "setting", "position"))
    return Curve(title, across, up, [float(at) for at in range(len(names))], series, marks)


def _courses(tuned: StudyResults, trials: Sequence[Trial], language: Language) -> Curve:
    """The metric of each trial over its training."""
    drawn = [trial for trial in trials if len(trial.points) > 1]
    xs = sorted({x for trial in drawn for x, _ in trial.points})
    series: dict[str, list[float | None]] = {}
    for trial in drawn:
        known = dict(trial.points)
        series[_named(trial, language)] = [known.get(x) for x in xs]
    unit = say(drawn[0].unit if drawn else "epoch", language)
    title = say("curves", language, metric=tuned.metric, unit=unit)
    return Curve(title, unit, tuned.metric, xs, series)


def _named(trial: Trial, language: Language) -> str:
    return say("numbered", language, number=trial.number)


def as_json(tuned: StudyResults, language: Language) -> dict[str, Any]:
    """All of it as plain data, with what it says in a language."""
    judged = judge(tuned)
    return {
        **msgspec.to_builtins(msgspec.structs.replace(tuned, trials=[])),
        "verdict": judged.verdict,
        "said": verdict(tuned, language),
        "best": judged.best.trials[0].number if judged.best is not None else None,
        "value": judged.value,
        "own": judged.own,
        "noise": judged.noise,
        "alike": judged.alike,
        "advice": advice(tuned, language),
        "trials": [{"what": label(trial, language), **msgspec.to_builtins(trial)} for trial in ranked(tuned)],
    }


def lines(tuned: StudyResults, language: Language, *, only_ascii: bool = False) -> list[list[str]]:
    """The rows of the table, its head first."""
    shown: Sequence[Trial] = ranked(tuned)[:SHOWN]
    return [head(tuned, language), *(cells(trial, tuned, language) for trial in shown)]
