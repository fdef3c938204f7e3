"""What the probes that set two trainings against each other share: which points belong together, their noise, and
charts of both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..case import Case
from ..errors import ReadError
from ..language import Words
from ..model import Evidence, Finding, Language, Level, Progress, Where
from . import _curves

if TYPE_CHECKING:
    from ..readers.curve_comparison import AlignedCurves, Comparison, Limits
    from ._curves import Array, Logs, Series

#: Part of the MESSAGES of every probe that compares curves.
MESSAGES: Words = {
    **_curves.MESSAGES,
    "no-curve-known": {
        "en": "No column of {path} is known as a training loss.",
        "zh": "{path} 中没有可识别为训练 loss 的列。",
    },
    "no-overlap": {
        "en": "The two logs have no {unit} in common: {ours} covers {ours_from:,.12g} to {ours_to:,.12g}, {theirs} covers "
        "{theirs_from:,.12g} to {theirs_to:,.12g}. Print the loss of every step from the first on, in both.",
        "zh": "两份日志没有相同的 {unit}：{ours} 为 {ours_from:,.12g} 到 {ours_to:,.12g}，{theirs} 为 {theirs_from:,.12g} 到 "
        "{theirs_to:,.12g}。"
        "请在两边都从第一步起逐步打印 loss。",
    },
    "few-points": {
        "en": "The two logs have only {points:,} {points:point|points} with a number in common; two at least are "
        "needed.",
        "zh": "两份日志只有 {points:,} 个共同的有效数据点，至少需要 2 个。",
    },
    "partial": {
        "en": "{points:,} {units} of both logs were compared, {x_from:,.12g} to {x_to:,.12g}; {ours_alone:,} are only in "
        "{ours}, {theirs_alone:,} only in {theirs}.",
        "zh": "对比了两份日志共有的 {points:,} 个 {units}（{x_from:,.12g} 到 {x_to:,.12g}）；仅在 {ours} 中的有 {ours_alone:,} 个，"
        "仅在 {theirs} 中的有 {theirs_alone:,} 个。",
    },
    "by-order": {
        "en": "One of the logs has no step numbers, so the losses were compared in order.",
        "zh": "其中一份日志没有 step，按先后顺序与另一份逐个对应。",
    },
    "coarse": {
        "en": "The losses are printed so coarsely that relative differences below {printed:.1e} cannot be seen. Print nine digits to "
        "find the step where a difference begins.",
        "zh": "loss 打印的位数太少，小于 {printed:.1e} 的相对差异看不出来。请多打印几位（如 9 位有效数字），才能确定差异从哪一步开始。",
    },
    "torn": {
        "en": "{path} ends within a line: its last loss may be cut off, and was left out.",
        "zh": "{path} 在一行中间结束：最后一个 loss 的数字可能不完整，未参与对比。",
    },
    "both-nan-alike": {
        "en": "Both losses are NaN or Inf from {unit} {step:,.12g} on, which cannot be compared; item mp.01 traces where such values "
        "come from.",
        "zh": "两边的 loss 从第 {step:,.12g} 个 {unit} 起都是 NaN 或 Inf，无法对比；其来源见检查项 mp.01。",
    },
    "same-file": {
        "en": "{ours} and {theirs} are one and the same file: nothing was compared.",
        "zh": "{ours} 与 {theirs} 是同一个文件，等于没有对比。",
    },
}
WORDS: Words = {
    **_curves.WORDS,
    "curves": {"en": "Both losses", "zh": "两条曲线"},
    "difference": {"en": "Size of the difference", "zh": "差异大小"},
    "log10": {"en": "log10 of difference / loss", "zh": "相对差异的 log10"},
    "differs": {"en": "difference", "zh": "相对差异"},
    "allowed": {"en": "allowed", "zh": "允许范围"},
    "fork": {"en": "begins", "zh": "差异开始"},
    "visible": {"en": "visible", "zh": "可见"},
}
#: Several of what a point stands for.
_SEVERAL: Words = {
    "epoch": {"en": "epochs", "zh": "epoch"},
    "step": {"en": "steps", "zh": "step"},
    "point": {"en": "points", "zh": "数据点"},
}
#: Losses equal to the last bit are drawn at this share.
_NOTHING = 1e-9


@dataclass(frozen=True)
class Pair:
    """Two series over common points. `x` of `points` counts in `unit`; `first`: the first point is the first step
    of both trainings."""

    ours: Series
    theirs: Series
    unit: str
    points: AlignedCurves
    first: bool
    by_order: bool = False
    torn: str | None = None

    @property
    def data(self) -> dict[str, Any]:
        """What messages may name of both logs. `begins`: the first step of both, where it is the training's first."""
        begins = {"begins": float(self.points.x[0])} if self.first and len(self.points.x) else {}
        return begins | {
            "ours": self.ours.path,
            "theirs": self.theirs.path,
            "unit": _curves.UNITS[self.unit],
            "units": _SEVERAL[self.unit],
        }

    def told(self) -> Iterator[Finding]:
        """What of the two logs was compared, where that is not all of both."""
        points = self.points
        if self.torn is not None:
            yield Finding("torn", Level.INFO, Where(self.torn), {"path": self.torn})
        if self.by_order:
            yield Finding("by-order", Level.INFO, self.ours.where)
        if points.ours_alone or points.theirs_alone:
            data = {
                "points": len(points.x),
                "x_from": float(points.x[0]),
                "x_to": float(points.x[-1]),
                "ours_alone": points.ours_alone,
                "theirs_alone": points.theirs_alone,
            }
            yield Finding("partial", Level.INFO, self.ours.where, self.data | data)


def logs(case: Case, *keys: str) -> tuple[list[Logs], list[Finding]]:
    """One log of each path that the keys name, and what is wrong with those that cannot be read at all."""
    found, wrong = [], []
    for key in keys:
        for path in case.paths(key):
            try:
                found.append(_curves.Logs(case, key, only=path))
            except ReadError as error:
                problem = {language.value: error.text(language) for language in Language}
                where = Where(case.relative(path))
                wrong.append(Finding("unreadable", Level.INFO, where, {"problem": problem}, incomplete=True))
    return found, wrong


def same_file(case: Case, ours: str, theirs: str) -> Finding | None:
    """Whether two keys of the case lead to one file."""
    for one in case.paths(ours):
        for other in case.paths(theirs):
            if _is_file(one) and _is_file(other) and one.samefile(other):
                data = {"ours": case.relative(one), "theirs": case.relative(other)}
                return Finding("same-file", Level.SUSPECT, Where(case.relative(one)), data)
    return None


def losses(logs: dict[str, Logs]) -> tuple[Series, Series, Pair] | Finding:
    """The losses of the logs of two keys of the case, as they are and as a pair; or the finding that says why there is none."""
    found = {key: side.series("loss") for key, side in logs.items()}
    paths = [path for key, series in found.items() if series is None for path in logs[key].paths]
    one, other = found.values()
    if one is None or other is None:
        return Finding("no-curve-known", Level.INFO, data={"path": paths}, incomplete=True)
    both = pair(one, other)
    return nothing(both) or (one, other, both)


def judged(
    case: Case, key: str, judge: Callable[[Logs, Logs, Series, Series, Pair], Iterable[Finding]]
) -> Iterator[Finding | Progress]:
    """What `judge` finds of the training losses of the case and those of `key`, given both logs, losses and their pair."""
    ours, theirs = _curves.Logs(case, "curves.train", "curves.eval"), _curves.Logs(case, key)
    yield Progress(2, 2, "files")
    found: list[Finding] = []
    if same := same_file(case, "curves.train", key):
        found.append(same)
    else:
        pair = losses({"curves.train": ours, key: theirs})
        found += [pair] if isinstance(pair, Finding) else judge(ours, theirs, *pair)
    yield from ours.findings()
    yield from theirs.findings()
    yield from found


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def pair(ours: Series, theirs: Series) -> Pair:
    """Sets two series against each other: by steps where both tell them, else by epochs, else in their order.

    The points may be none. A last number that differs and may lack digits is left out.
    """
    import numpy as np

    one, other = _by_step(ours), _by_step(theirs)
    if one is not None and other is not None:
        found = _aligned(one, other, "step")
        start = float(found.points.x[0]) if len(found.points.x) else -1.0
        first = start in (0.0, 1.0) and start + found.points.shift in (0.0, 1.0)
        if len(found.points.x) > 1:
            return replace(found, first=bool(first and one.x[0] == start))
    if min(len(ours.epochs), len(theirs.epochs)) and min(ours.epochs.min(), theirs.epochs.min()) >= 0:
        epochs = _curves.by_epoch(ours), _curves.by_epoch(theirs)
        if epochs[0].unit == epochs[1].unit == "epoch":
            return _aligned(*epochs, "epoch")
    if one is not None and other is not None and "point" not in (ours.unit, theirs.unit):
        return _aligned(one, other, "step")
    one, other = (replace(series, unit="point", x=np.arange(1.0, len(series.values) + 1)) for series in (ours, theirs))
    found = _aligned(one, other, "point")
    return replace(found, first=True, by_order=not ours.unit == theirs.unit == "point")


def _aligned(one: Series, other: Series, unit: str) -> Pair:
    from ..readers.curve_comparison import align, without_torn

    points = align(one.x, one.values, other.x, other.values)
    torn = [series.torn and len(series.x) > 0 for series in (one, other)]
    kept = without_torn(points, float(one.x[-1]) if torn[0] else None, float(other.x[-1]) if torn[1] else None)
    left = None if len(kept.x) == len(points.x) else (one if torn[0] and points.x[-1] == one.x[-1] else other).path
    return Pair(one, other, unit, kept, first=False, torn=left)


def both_nan(found: Pair, compared: Comparison, level: Level) -> Finding | None:
    """That both are NaN or Inf from the same point on, and nothing differs before."""
    at = compared.ours_bad
    if at is None or at != compared.theirs_bad:
        return None
    data = found.data | {"step": float(found.points.x[at])}
    return Finding("both-nan-alike", level, found.ours.where, data, incomplete=not at)


def nothing(found: Pair) -> Finding | None:
    """That there are too few points to compare, where it is so."""
    import numpy as np

    points = found.points
    count = int((np.isfinite(points.ours) & np.isfinite(points.theirs)).sum())
    if not len(points.x) and len(found.ours.x) and len(found.theirs.x):
        ranges = {
            f"{name}_{end}": float(series.x[at])
            for name, series in (("ours", found.ours), ("theirs", found.theirs))
            for end, at in (("from", 0), ("to", -1))
        }
        return Finding("no-overlap", Level.INFO, found.ours.where, found.data | ranges, incomplete=True)
    if count < 2 and len(points.x) < 2:
        return Finding("few-points", Level.INFO, found.ours.where, {"points": count}, incomplete=True)
    return None


def shown(names: list[str]) -> list[str]:
    """The first of many."""
    return names[:5] + ["…"] * (len(names) > 5)


def _by_step(series: Series) -> Series | None:
    """The series over its steps, where it tells them."""
    import numpy as np

    if series.unit == "step":
        return series
    if len(series.steps) and series.steps.min() >= 0 and (np.diff(series.steps) > 0).all():
        return replace(series, unit="step", x=series.steps.astype(np.float64))
    return None


def noise(pairs: list[Pair], of: Pair) -> Array | None:
    """How far runs of one script are apart at the points of a pair; the larger of several, None where there is none.

    The first series of each of `pairs` is one of the two of `of`.
    """
    import numpy as np

    from ..readers.curve_comparison import relative, spread

    found = None
    for one in pairs:
        if one.unit != of.unit or len(one.points.x) < 2:
            continue
        at = of.points.x if one.ours.path == of.ours.path else of.points.x + of.points.shift
        differences = np.full(len(at), np.nan)
        _, here, there = np.intersect1d(at, one.points.x, return_indices=True)
        differences[here] = relative(one.points.ours, one.points.theirs)[there]
        if np.isfinite(differences).any():
            apart = spread(differences)
            found = apart if found is None else np.maximum(found, apart)
    return found


def likeness(ours: Array, theirs: Array) -> float | None:
    """How far the ups and downs of two curves go together, -1 to 1: with the same batches they do, with others they do not.

    Spearman's correlation of second differences of the logarithm, which neither a trend nor single points disturb. None with fewer than
    30 points, without ups and downs, and where one loss or its ups and downs are twice the other's: a training that broke down, or
    takes larger steps, has ups and downs of its own.
    """
    import numpy as np

    known = np.isfinite(ours) & np.isfinite(theirs) & (ours > 0) & (theirs > 0)
    if known.sum() < 30:
        return None
    one, other = np.log(ours[known]), np.log(theirs[known])
    first, second = np.diff(one, 2), np.diff(other, 2)
    if abs(np.median(one) - np.median(other)) > np.log(2) or min(first.std(), second.std()) <= 1e-3:
        return None
    if max(first.std(), second.std()) > 2 * min(first.std(), second.std()):
        return None
    ranks = [np.argsort(np.argsort(values)) for values in (first, second)]
    return float(np.corrcoef(ranks)[0, 1])


def lost(values: Array, others: Array) -> int | None:
    """The first point of a curve that is NaN or Inf from there to its end where the other is finite; None where there is none.

    Logs hold NaN for steps without an evaluation, so that only what lasts longer than every gap before counts.
    """
    import numpy as np

    known = np.flatnonzero(np.isfinite(values))
    start = int(known[-1]) + 1 if len(known) else 0
    gap = int(np.diff(known, prepend=-1).max(initial=1)) - 1
    finite = np.flatnonzero(np.isfinite(others[start:]))
    return start + int(finite[0]) if len(values) - start > gap and len(finite) else None


def ends(ours: Array, theirs: Array) -> tuple[float, float, float] | None:
    """The mean of the last fifth of both curves, and the spread of their difference by the noise of single points; None where no point
    of both is finite."""
    import numpy as np

    known = np.isfinite(ours) & np.isfinite(theirs)
    if not known.any():
        return None
    one, other = ours[known], theirs[known]
    count = max(1, len(one) // 5)
    difference = one[-count:] - other[-count:]
    spread = float(difference.std(ddof=1) / np.sqrt(count)) if count > 2 else 0.0
    return float(one[-count:].mean()), float(other[-count:].mean()), spread


def charts(found: Pair, compared: Comparison, names: tuple[str, str], label: str = "loss") -> list[Evidence]:
    """Both curves, and the size of their difference, with where it begins; `names` are WORDS of the probe."""
    import numpy as np

    points = found.points
    if len(points.x) < 2:
        return []
    marks = {}
    if compared.visible is not None:
        marks["visible"] = float(points.x[compared.visible])
        if compared.origin is not None:
            marks = {"fork": float(points.x[compared.origin])} | (marks if compared.origin != compared.visible else {})
    series = {names[0]: points.ours, names[1]: points.theirs}
    sizes = np.log10(np.maximum(compared.relative, _NOTHING))
    both = {"differs": sizes, "allowed": np.log10(compared.bound)}
    return [
        _curves.chart("curves", found.unit, label, points.x, series, marks),
        _curves.chart("difference", found.unit, "log10", points.x, both, marks),
    ]


def limits(case: Case, params: Any) -> Limits:
    """From when a difference counts, in what precision the case computes."""
    from ..readers.curve_comparison import Limits

    facts = case.facts()
    coarse = bool(facts["ascend"] or facts["mixed_precision"])
    visible, rounding = (params.coarse, params.coarse_rounding) if coarse else (params.tolerance, params.rounding)
    return Limits(visible, rounding, params.jump, params.noise)


def first_difference(case: Case, params: Any) -> dict[str, float] | None:
    """The first losses where they differ, by the rules of loss_comparison, whose Params these are; None where nothing says so."""
    from ..readers.curve_comparison import compare

    series = []
    for key in ("curves.train", "curves.reference.path"):
        try:
            series.append(_curves.Logs(case, key).series("loss") if case.paths(key) else None)
        except ReadError:  # loss_comparison tells it
            return None
    one, other = series
    if one is None or other is None or same_file(case, "curves.train", "curves.reference.path"):
        return None
    found = pair(one, other)
    if not found.first or nothing(found):
        return None
    compared = compare(found.points.ours, found.points.theirs, None, limits(case, params))
    start = compared.origin if compared.origin is not None else compared.visible
    if (compared.early if start is None else start) != 0:
        return None
    first = {"value": found.points.ours[0], "other": found.points.theirs[0], "relative": compared.relative[0]}
    return {name: float(number) for name, number in first.items()}
