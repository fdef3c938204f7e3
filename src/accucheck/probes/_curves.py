"""What the probes of curves share: which run of a log to look at, what its columns mean by their names, and charts of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ..case import Case
from ..errors import ReadError
from ..language import Words
from ..model import Curve, Finding, Language, Level, Where
from . import _watched

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np

    from ..readers.curves import Run

    Array = np.ndarray[Any, Any]

#: Part of the MESSAGES of every probe of curves.
MESSAGES: Words = {
    "unreadable": {"en": "{problem}", "zh": "{problem}"},
    "several-runs": {
        "en": "{path} holds {count:,} trainings; {run} was examined, the last of those that are not much shorter than the longest.",
        "zh": "{path} 中有 {count:,} 次训练，检查的是 {run}（长度与最长者相近的最后一次）。",
    },
}
#: What a point of a curve stands for, within a sentence.
UNITS: Words = {
    "epoch": {"en": "epoch", "zh": "epoch"},
    "step": {"en": "step", "zh": "step"},
    "point": {"en": "point", "zh": "数据点"},
}
#: And of their WORDS.
WORDS: Words = {
    **UNITS,
    "loss": {"en": "loss", "zh": "loss"},
    "accuracy": {"en": "accuracy", "zh": "准确率"},
    "training-loss": {"en": "training loss", "zh": "训练 loss"},
    "validation-loss": {"en": "validation loss", "zh": "验证 loss"},
    "validation-accuracy": {"en": "validation accuracy", "zh": "验证准确率"},
}

#: Points of a chart.
_POINTS = 500
_EVALUATED = re.compile(
    r"(?:^|[_ ./-])(?:eval|evaluation|val|valid|validation|test|testing|dev|metrics)(?:[_ ./-]|$)|^val(?=loss|acc)",
    re.I,
)
_TRAINED = re.compile(r"(?:^|[_ ./-])(?:train|training)(?:[_ ./-]|$)", re.I)
#: Names of columns by what they mean, without what says training or evaluation; the first that a run has is taken.
_MEANINGS = {
    "loss": (
        r"(?:total|avg|mean|average|cur|current|epoch|step|batch|global)?_?loss(?:es)?(?:_(?:total|avg|mean|epoch|step|value))?|损失|总损失",
        r"(?:.*_)?loss",
    ),
    "accuracy": (
        r"acc(?:uracy)?(?:_?(?:top_?)?1)?|top_?1(?:_?acc(?:uracy)?)?(?:_error)?|准确率|精度",
        r"m?ap(?:50)?|m_?ap_?50_?95|m?iou|auc|f1(?:_score)?|dice|bleu|psnr|ssim|.*acc(?:uracy)?",
    ),
    "lr": (r"(?:cur(?:rent)?_?)?(?:lr|learning_?rate)(?:_0)?|学习率", r"(?:lr|learning_?rate)_\w+"),
    "norm": (r"(?:global_?)?(?:grad(?:ient)?s?_?)?(?:global_?)?norm",),
    "scale": (r"loss_?scal(?:e|ing)(?:_value)?|grad_?scale|scal(?:e|ing)_?sens|scale|scaling",),
    "overflow": (r"(?:is_?)?over_?flow(?:_?(?:cond|flag|status))?|cond",),
}


@dataclass(frozen=True)
class Series:
    """One curve of a run: `x` (points,) rises, `values` (points,) float64; `unit` of x is one of UNITS.

    `steps` and `epochs` (points,) are as in the file, -1 where not known. `torn`: the last value may lack digits.
    """

    path: str
    run: str
    name: str
    unit: str
    x: Array
    steps: Array
    epochs: Array
    values: Array
    torn: bool = False

    @property
    def where(self) -> Where:
        return Where(self.path, name=self.run if "#" in self.run else None, field=self.name)

    def finite(self) -> Series:
        """Without NaN and Inf."""
        import numpy as np

        return self.only(np.isfinite(self.values))

    def only(self, which: Array) -> Series:
        return replace(
            self, x=self.x[which], steps=self.steps[which], epochs=self.epochs[which], values=self.values[which]
        )


class Logs:
    """The runs that keys of the case name; a file that two keys name counts for the first. `only` leaves one path of them.

    What is wrong with a file is kept for `findings`. Raises ReadError when nothing can be read at all.
    """

    def __init__(self, case: Case, *keys: str, only: Path | None = None) -> None:
        from ..readers import curves

        self._runs: list[tuple[str, str, Run]] = []
        self._problems: list[tuple[str, ReadError]] = []
        self._told: dict[str, Finding] = {}
        #: Of the files that were looked at, relative to the case.
        self.paths: list[str] = []
        read: set[object] = set()
        for key in keys:
            for path in paths(case, key):
                if path in read or (only is not None and path != only):
                    continue
                read.add(path)
                shown = case.relative(path)
                self.paths.append(shown)
                try:
                    found = curves.read(path)
                except ReadError as error:
                    self._problems.append((shown, error))
                    continue
                self._runs += [(key, shown, run) for run in found.runs]
                self._problems += [(shown, problem) for problem in found.problems]
        if not self._runs:
            raise self._problems[0][1]

    def findings(self) -> Iterator[Finding]:
        """What was chosen of several runs, and what could not be read."""
        yield from self._told.values()
        for path, error in self._problems:
            problem = {language.value: error.text(language) for language in Language}
            yield Finding("unreadable", Level.INFO, Where(path), {"problem": problem}, incomplete=True)

    def require_whole(self) -> None:
        """Raises the ReadError of what could not be read: it may have held what is missing in the rest."""
        for _, error in self._problems:
            raise error

    def _columns(self, meaning: str, evaluated: bool, unsaid: bool) -> list[tuple[str, Run, str]]:
        """The runs that have a column of this meaning, each with its path and that column."""
        found = []
        for key, path, run in self._runs:
            own = unsaid or key == "curves.eval" or _EVALUATED.search(run.name) is not None
            name = _named(list(run.columns), meaning, evaluated, own and not any(map(_EVALUATED.search, run.columns)))
            if name is not None:
                found.append((path, run, name))
        return found

    def series(
        self, meaning: str, *, evaluated: bool = False, unsaid: bool = False, beside: Series | None = None
    ) -> Series | None:
        """The curve of this meaning, of an evaluation or of the training; None where no run has one.

        Of several runs the last one that has at least half as many points as the longest; of the run of `beside` where it has one.
        In the log of an evaluation names need not say so, unless some do; `unsaid` takes any log for one.
        """
        found = self._columns(meaning, evaluated, unsaid)
        if not found:
            return None
        longest = max(len(run.columns[name].values) for _, run, name in found)
        chosen = [one for one in found if 2 * len(one[1].columns[one[2]].values) >= longest]
        same = [one for one in found if beside is not None and (one[0], one[1].name) == (beside.path, beside.run)]
        path, run, name = (same or chosen)[-1]
        runs = sum(one[0] == path for one in found)
        if runs > 1 and not same:
            data = {"path": path, "count": runs, "run": run.name}
            self._told[path] = Finding("several-runs", Level.INFO, Where(path), data)
        return _series(path, run, name)

    def names(self) -> list[str]:
        """The columns of all runs."""
        return list(dict.fromkeys(name for _, _, run in self._runs for name in run.columns))

    def named(self, name: str) -> Series | None:
        """The curve of this name, else of one that means the same without what says evaluation; of the last run that has it."""
        for fits in (
            lambda column: column == name,
            lambda column: column == f"metrics.{name}",
            lambda column: _EVALUATED.search(column) is not None and _bare(column) == _bare(name),
            lambda column: _bare(column) == _bare(name),
        ):
            for _, path, run in reversed(self._runs):
                if (column := next(filter(fits, run.columns), None)) is not None:
                    return _series(path, run, column)
        return None


def paths(case: Case, key: str) -> list[Path]:
    """The files that a key names; of a watched run the recording of rank 0, in PyNative where there is that."""
    return _watched.paths(case)[:1] if key == "watched" else case.paths(key)


def _named(columns: Sequence[str], meaning: str, evaluated: bool, own: bool) -> str | None:
    """The column of a meaning. `own`: the run is an evaluation, but for columns that say training."""
    group = [
        name for name in columns if bool(_EVALUATED.search(name) or (own and not _TRAINED.search(name))) is evaluated
    ]
    for number, pattern in enumerate(_MEANINGS[meaning]):
        fitting = [name for name in group if re.fullmatch(pattern, _bare(name))]
        # A loss of several parts, of which none is the whole, says nothing.
        if fitting and (number == 0 or len(fitting) == 1):
            return fitting[0]
    return None


def _bare(name: str) -> str:
    """The name without what says training or evaluation, in small letters and underscores."""
    bare = re.sub(r"[\s./@%-]+", "_", name.strip().lower())
    return (
        re.sub(
            r"^(?:(?:train(?:ing)?|eval(?:uation)?|val(?:id(?:ation)?)?|test(?:ing)?|dev|metrics)_?)+(?=.)", "", bare
        ).strip("_")
        or bare
    )


def _series(path: str, run: Run, name: str) -> Series:
    """A column over its epochs where there is one point an epoch, else over its steps; of what was trained again, the later points."""
    import numpy as np

    column = run.columns[name]
    count = len(column.values)
    axes = {"epoch": column.epochs, "step": column.steps}
    for unit, axis in axes.items():
        if count and (axis >= 0).all():
            x, at = np.unique(axis[::-1], return_index=True)
            if unit == "step" or len(x) * 10 >= count * 9:
                which = count - 1 - at
                return Series(
                    path,
                    run.name,
                    name,
                    unit,
                    x.astype(np.float64),
                    column.steps[which],
                    column.epochs[which],
                    column.values[which],
                    run.torn,
                )
    x = np.arange(1, count + 1, dtype=np.float64)
    return Series(path, run.name, name, "point", x, column.steps, column.epochs, column.values, run.torn)


def by_epoch(series: Series) -> Series:
    """The mean of each epoch, where a curve has several points in an epoch and tells which; else the curve as it is."""
    import numpy as np

    if series.unit == "epoch" or not len(series.x) or series.epochs.min() < 0:
        return series
    epochs, first, places = np.unique(series.epochs, return_index=True, return_inverse=True)
    values = np.bincount(places, series.values) / np.bincount(places)
    return replace(
        series, unit="epoch", x=epochs.astype(np.float64), steps=series.steps[first], epochs=epochs, values=values
    )


def means_at(series: Series, of: Series) -> Array | None:
    """The mean of a curve since the point before of another one, (points of `of`,), NaN where it has none; None without a common axis."""
    import numpy as np

    for axis in ("epochs", "steps"):
        own, wanted = getattr(series, axis), getattr(of, axis)
        if len(own) and len(wanted) and min(own.min(), wanted.min()) >= 0:
            places = np.searchsorted(wanted, own)
            within = places < len(wanted)
            kept = within & np.isfinite(series.values)
            sums = np.bincount(places[kept], series.values[kept], len(wanted))
            counts = np.bincount(places[kept], minlength=len(wanted))
            return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    return None


def chart(
    title: str, unit: str, label: str, x: Array, series: dict[str, Array], marks: dict[str, float] | None = None
) -> Curve:
    """A chart of at most about 500 points that keeps what is highest and lowest; what is not finite is a gap."""
    import numpy as np

    kept = np.arange(len(x))
    if len(x) > _POINTS:
        edges = np.linspace(0, len(x), _POINTS // (2 * len(series)) + 1).astype(int)
        chosen = set()
        for values in series.values():
            low, high = (np.where(np.isfinite(values), values, worst) for worst in (np.inf, -np.inf))
            for start, end in pairwise(edges):
                chosen |= {start + int(low[start:end].argmin()), start + int(high[start:end].argmax())}
        kept = np.array(sorted(chosen))
    lines: dict[str, list[float | None]] = {
        name: [float(value) if np.isfinite(value) else None for value in values[kept]]
        for name, values in series.items()
    }
    return Curve(title, unit, label, [float(value) for value in x[kept]], lines, marks or {})


# --- trends -------------------------------------------------------------------------------------------------------------


def smoothed(values: Array, window: int) -> Array:
    """Moving mean over an odd window, which is cut at both ends."""
    import numpy as np

    ones = np.ones(window)
    mean: Array = np.convolve(values, ones, "same") / np.convolve(np.ones_like(values), ones, "same")
    return mean


def noise(values: Array, window: int) -> float:
    """The spread of points around their trend, one standard deviation; the second half of a curve tells it best.

    The larger of two estimates: from second differences, which no trend disturbs, and from what a moving mean leaves, which sees
    neighbours that go together.
    """
    import numpy as np

    half = values[-max(5, len(values) // 2) :]
    second = np.diff(half, 2) / np.sqrt(6)
    left = (half - smoothed(half, window)) / np.sqrt(1 - 1 / window)
    inner = left[window // 2 : len(left) - window // 2]
    # 1.4826 makes the median of absolute values a standard deviation, for normal noise.
    return float(max(1.4826 * np.median(np.abs(part)) for part in (second, inner) if len(part)))


def trend(values: Array) -> float:
    """Mann and Kendall's z: above 2.3 the values rise with 99 % certainty, below -2.3 they fall (Mann 1945)."""
    import numpy as np

    if len(values) > 300:
        values = np.array([part.mean() for part in np.array_split(values, 300)])
    count = len(values)
    if count < 3:
        return 0.0
    score = float(np.sign(values[None, :] - values[:, None])[np.triu_indices(count, 1)].sum())
    spread = float(np.sqrt(count * (count - 1) * (2 * count + 5) / 18))
    return (score - np.sign(score)) / spread if score else 0.0
