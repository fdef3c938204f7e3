"""Compares what a script that infers gives for rows with what a watched evaluation gave for the same rows, by two watches of a project.

Rows are the same by the numbers that the network is given, or by a thumbnail of them, which shows samples that are normalised, or have
their channels, in another way. Where outputs differ, it tells whether the weights are others, whether layers ran in training mode, or
whether a softmax is there on one side only, or runs over the samples. Cannot tell what a script does with outputs afterwards, rows that
only one of the two saw, and rows beyond the first of each network.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from ..case import Case
from ..errors import ReadError
from ..knowledge import parameter_names as facts
from ..language import Words
from ..model import Evidence, Finding, Fix, Kind, Level, Plain, Progress, Sure, Table, Verdict, Where
from ..probe import Example, Skip
from . import _watched
from ._checkpoints import shown
from ._watched import Watch
from .exported_network import Params as Exported

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("watched",)


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    difference: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="how far outputs may be apart, relative to the largest",
            extra={"unit": "share", "source": "as of exported_network"},
        ),
    ] = Exported().difference
    reduced: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="and how far where all answers are the same, as 16 bits have it",
            extra={"unit": "share", "source": "as of exported_network"},
        ),
    ] = Exported().reduced
    alike: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="thumbnails that correlate by more are of one sample, where no other comes near",
            extra={"unit": "1", "source": "measured: scaled samples are above 0.9999, other digits below 0.97"},
        ),
    ] = 0.999
    times: Annotated[
        float,
        Meta(
            gt=1,
            description="the next sample has to be so many times as far from that, by 1 less the correlation",
            extra={"unit": "1", "source": "measured: scaled samples are nearer than 1e-9, noisy ones of a class 1e-3"},
        ),
    ] = 100.0


_ROWS = {
    "en": "{script} and {other} share {rows:,} input {rows:row|rows}",
    "zh": "{script} 的输入中有 {rows:,} 行与 {other} 评估的相同",
}
_SAME = {
    "en": "{script} and {other} share {rows:,} {rows:sample|samples}, but",
    "zh": "{script} 推理的样本中有 {rows:,} 个与 {other} 评估的相同，但",
}
_DIFFER = {
    "en": "; {moved:,} of {rows:,} predictions differ.",
    "zh": "；{rows:,} 个预测中有 {moved:,} 个不同。",
}
MESSAGES: Words = {
    "answers-agree": {
        "en": _ROWS["en"] + ": their outputs agree (they differ by at most {difference:.2g} of the largest).",
        "zh": _ROWS["zh"] + "：两者输出一致（相差不超过最大输出的 {difference:.2g} 倍）。",
    },
    "answers-converted": {
        "en": _ROWS["en"] + ": the outputs of one are {how} of the other's, and agree apart from that.",
        "zh": _ROWS["zh"] + "：一侧的输出是另一侧的 {how}，除此之外一致。",
    },
    "answers-over-samples": {
        "en": _ROWS["en"]
        + ", but {script} applies the softmax over the samples of a batch instead of over the outputs of each sample"
        + _DIFFER["en"],
        "zh": _ROWS["zh"]
        + "：其输出是在 batch 的各样本之间（而不是每个样本的各输出之间）做的 softmax；{rows:,} 个预测中有 {moved:,} 个不同。",
    },
    "inputs-scaled": {
        "en": _SAME["en"]
        + " normalise them differently: inference input = {scale:.4g} × evaluation input + {shift:.4g}{channels}"
        + _DIFFER["en"],
        "zh": _SAME["zh"] + "归一化方式不同：推理输入 = {scale:.4g} × 评估输入 + {shift:.4g}{channels}" + _DIFFER["zh"],
    },
    "inputs-reversed": {
        "en": _SAME["en"] + " their channels are in reverse order (RGB, BGR)" + _DIFFER["en"],
        "zh": _SAME["zh"] + "通道顺序相反（RGB 与 BGR）" + _DIFFER["zh"],
    },
    "answers-of-other-weights": {
        "en": _ROWS["en"] + ", but {count:,} of {of:,} weights differ ({names})" + _DIFFER["en"],
        "zh": _ROWS["zh"] + "，但权重不同：{of:,} 个中有 {count:,} 个不一致（{names}）" + _DIFFER["zh"],
    },
    "answers-without-checkpoint": {
        "en": _ROWS["en"]
        + ", but {script} loads no checkpoint, and none of its {of:,} weights equals that of the evaluation"
        + _DIFFER["en"],
        "zh": _ROWS["zh"] + "，但它没有加载 checkpoint，{of:,} 个权重与评估时全部不同" + _DIFFER["zh"],
    },
    "answers-in-training": {
        "en": _ROWS["en"] + " and all weights, but in {script} {layers} ran in training mode" + _DIFFER["en"],
        "zh": _ROWS["zh"] + "，权重也相同，但 {layers} 处于训练模式" + _DIFFER["zh"],
    },
    "answers-differ": {
        "en": _ROWS["en"]
        + " and all weights, but their outputs differ by up to {difference:.2g} of the largest: {script} computes something "
        "different, or in another precision" + _DIFFER["en"],
        "zh": _ROWS["zh"]
        + "，权重也相同，输出却相差最大输出的 {difference:.2g} 倍：计算过程或精度不同"
        + _DIFFER["zh"],
    },
    "outputs-of-other-shapes": {
        "en": _ROWS["en"]
        + ", but {script} outputs {own} values per row and the evaluation {theirs}: they cannot be compared.",
        "zh": _ROWS["zh"] + "，但其输出每行有 {own} 个值，评估时为 {theirs} 个，无法比较。",
    },
    "no-row-in-common": {
        "en": "None of the {rows:,} {rows:row|rows} that {script} ran on was evaluated by {other}: run {script} on the evaluation data "
        "as well.",
        "zh": "{script} 的 {rows:,} 行输入均未在 {other} 中评估：请也用评估数据运行它。",
    },
    "one-side": {
        "en": "Only one of inference script and evaluation was watched. Watch the other as well: accucheck watch --role infer -- "
        "python infer.py, or --role eval -- python eval.py.",
        "zh": "推理脚本和评估只观察了其中一个。请再观察另一个：accucheck watch --role infer -- python infer.py，"
        "或 --role eval -- python eval.py。",
    },
    "fix-inputs": {
        "en": "Read and normalise inference data with the same function as the evaluation data.",
        "zh": "推理数据与评估数据用同一个函数读取和归一化。",
    },
    "fix-weights": {
        "en": "Load the evaluated checkpoint with strict_load=True, and check which parameters are not loaded.",
        "zh": "用 strict_load=True 加载评估过的 checkpoint，并检查未加载的参数。",
    },
    "fix-mode": {
        "en": "Call network.set_train(False) before inference, and export in that mode too.",
        "zh": "推理前调用 network.set_train(False)；导出时也应处于推理模式。",
    },
    "fix-axis": {
        "en": "Apply softmax and argmax along the axis of the outputs, usually axis=-1.",
        "zh": "softmax 和 argmax 沿输出所在的维度计算，通常为 axis=-1。",
    },
    "fix-compare": {
        "en": "Feed both the same row, and compare the outputs layer by layer.",
        "zh": "给两者同一行输入，逐层比较输出。",
    },
}
_DEPLOYED = {
    "en": "The deployed model gives different results from the evaluated one without any error: the metric says nothing about it.",
    "zh": "部署后的结果与评估时不同，且不会报错：评估指标不能说明它的效果。",
}
_FIXES = {
    "answers-over-samples": "fix-axis",
    "inputs-scaled": "fix-inputs",
    "inputs-reversed": "fix-inputs",
    "answers-of-other-weights": "fix-weights",
    "answers-without-checkpoint": "fix-weights",
    "answers-in-training": "fix-mode",
    "answers-differ": "fix-compare",
}
WHY: Words = dict.fromkeys(_FIXES, _DEPLOYED)
_BOTH_AGAIN = {
    "en": "Watch both again after the fix: their outputs for the same rows must agree.",
    "zh": "修改后再次观察两者：同一行的输出应一致。",
}
PROOF: Words = dict.fromkeys(_FIXES, _BOTH_AGAIN)
WORDS: Words = {
    "answers": {"en": "Rows", "zh": "行"},
    "row": {"en": "Row", "zh": "行"},
    "evaluated": {"en": "Evaluation", "zh": "评估"},
    "inferred": {"en": "Inference", "zh": "推理"},
    "apart": {"en": "Apart, of the largest", "zh": "差异（相对最大输出）"},
    "softmax": {"en": "softmax", "zh": "softmax"},
    "log_softmax": {"en": "log_softmax", "zh": "log_softmax"},
    "sigmoid": {"en": "sigmoid", "zh": "sigmoid"},
    "argmax": {"en": "argmax", "zh": "argmax"},
}
#: Rows that are told, and values of one; pairs of networks whose rows are looked for by thumbnails.
SHOWN, VALUES, TRIED = 8, 6, 4
#: 1 less the correlation of thumbnails that are the same, of numbers of six digits.
_ROUNDING = 1e-9
#: A shift that is smaller, against the scale, is that of rounding.
_ROUNDED = 1e-3
#: Layers of which another result is expected in training mode.
_BY_MODE = ("Dropout", "BatchNorm")


class Row(NamedTuple):
    """One row as live/inside/watch/answers tells it: of each output [values, the logarithm of the sum of exponentials, the largest]."""

    identity: Any
    batch: int
    thumbnail: list[list[float]] | None
    outputs: list[list[Any]]


@dataclass(eq=False)
class Part:
    """What one network answered with the same weights. `infers`: in a run that was watched as one that infers, or that neither trains nor
    counts anything; `scored`: in one that trains, or whose metric Model gave. `order`: where the watch comes among all, the last one
    highest; `named`: whether the case names it."""

    watch: Watch
    fact: dict[str, Any]
    infers: bool
    scored: bool
    order: int
    named: bool
    rows: dict[Any, Row] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.rows = {row[0]: Row(*row) for row in self.fact["rows"]}

    @cached_property
    def script(self) -> str:
        """What was started, as a person knows it."""
        words = [str(one) for one in self.watch.first("start").get("arguments") or ()]
        scripts = [Path(one).name for one in words if one.endswith(".py")]
        return scripts[0] if scripts else self.watch.path

    @property
    def where(self) -> Where:
        return self.watch.where(self.fact.get("place"))

    @property
    def weights(self) -> dict[str, str]:
        return dict(self.fact.get("weights") or {})


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    parts = [part for order, folder in enumerate(_folders(case)) for part in _parts(case, folder, order)]
    yield Progress(1, 1, "files")
    found = _compared(parts, params)
    if not found:
        raise Skip("one-side")
    told = [one for one in found if one.exact] or [one for one in found[-TRIED:] if one.scaled]
    if told:
        yield told[-1].finding()
        return
    own, other = found[-1].own, found[-1].other
    data = {"script": own.script, "other": other.script, "rows": len(own.rows)}
    yield Finding("no-row-in-common", Level.INFO, own.where, data, incomplete=True)


def _compared(parts: list[Part], params: Params) -> list[_Comparison]:
    """Each part that infers with each that evaluates, of which the case names one; what matters most comes last."""
    inferring, evaluating = _sides(parts)
    named = {part.order for part in parts if part.named}
    pairs = [(own, other) for own in inferring for other in evaluating if own.order != other.order]
    found = [_Comparison(*pair, params) for pair in pairs if named & {part.order for part in pair}]
    return sorted(found, key=lambda one: one.order)


def _folders(case: Case) -> list[Path]:
    """The watches of a project, the last one at the end: those that the case names, and those beside them."""
    from ..readers.recordings import WATCH

    folders = {path.resolve() for path in case.paths("watched") if path.is_dir()}
    above = Path(case.root, WATCH).resolve()
    if any(path.parent == above for path in folders):
        folders |= {one for one in above.iterdir() if one.is_dir() and not one.is_symlink()}
    return sorted(folders)


def _parts(case: Case, folder: Path, order: int) -> Iterator[Part]:
    """What was answered in one watch."""
    from ..readers.recordings import about

    try:
        watches = [one for one in _watched.of_folder(case, folder) if not one.rank and one.facts("answers")]
    except ReadError:  # it may be one beside those that are named
        return
    role, named = about(folder).get("role"), folder in {path.resolve() for path in case.paths("watched")}
    for watch in watches[:1]:
        scored = bool(watch.steps or watch.facts("metric"))
        counts = scored or bool(watch.facts("counted")) or role == "eval"
        for fact in watch.facts("answers"):
            yield Part(watch, fact, role == "infer" or not counts, scored, order, named)


def _sides(parts: list[Part]) -> tuple[list[Part], list[Part]]:
    """What infers, and what evaluates. Where all evaluate, the last one infers if it neither trained nor gave a metric."""
    inferring = [part for part in parts if part.infers]
    if not inferring:
        last = max((part.order for part in parts), default=0)
        inferring = [part for part in parts if part.order == last and not part.scored]
    return inferring, [part for part in parts if part not in inferring]


class _Comparison:
    """A part of inference against one of an evaluation, by the rows of both."""

    def __init__(self, own: Part, other: Part, params: Params) -> None:
        self.own, self.other, self.params = own, other, params
        self.exact = [(row, other.rows[key]) for key, row in own.rows.items() if key in other.rows]

    @property
    def order(self) -> tuple[Any, ...]:
        """Of the evaluations of a training that with the weights that infer comes last, else the last one."""
        return self.same_weights, self.other.order, self.own.order, self.other.fact.get("step", 0)

    @cached_property
    def pairs(self) -> list[tuple[Row, Row]]:
        return self.exact or [(one.row, one.other) for one in self.scaled]

    @cached_property
    def differing(self) -> list[str]:
        """The weights that are not the same on both sides, by name where names agree."""
        own, other = self.own.weights, self.other.weights
        if self.awake:  # which move their averages as they run
            other = {name: told for name, told in other.items() if not _is_average(name)}
        if own.keys() & other.keys():
            return [name for name, told in other.items() if own.get(name) != told]
        known = set(own.values())
        return [name for name, told in other.items() if told not in known]

    @cached_property
    def awake(self) -> list[str]:
        """The layers, by class, of which the inference has another result as they ran in training mode."""
        evaluated = {*(self.other.fact.get("awake") or ())}
        awake = [one for one in self.own.fact.get("awake") or () if one not in evaluated]
        return [name for one in awake if (name := one.rpartition(".")[2]).startswith(_BY_MODE)]

    @property
    def same_weights(self) -> bool:
        return bool(self.other.weights) and not self.differing

    @cached_property
    def scaled(self) -> list[Scaled]:
        """Where no row is the same, the samples that both sides have, but for how they are normalised, or the order of channels."""
        rows = [] if self.exact else list(self.own.rows.values())
        found = [_matched(row, list(self.other.rows.values()), self.params) for row in rows]
        return [one for one in found if one is not None]

    # --- what is told -----------------------------------------------------------------------------------------------------

    def finding(self) -> Finding:
        shapes = [[len(one[0]) for one in row.outputs] for row in self.pairs[0]]
        both = _paired(*shapes)
        data: dict[str, Any] = {"script": self.own.script, "other": self.other.script, "rows": len(self.pairs)}
        if both is None:
            data |= {"own": _text(shapes[0]), "theirs": _text(shapes[1])}
            return Finding("outputs-of-other-shapes", Level.INFO, self.own.where, data, incomplete=True)
        table = Compared([(one.outputs[both[0]], other.outputs[both[1]]) for one, other in self.pairs])
        data |= {"difference": table.difference, "moved": table.moved}
        evidence: list[Evidence] = [table.shown([row for row, _ in self.pairs])]
        if table.difference <= self.params.difference or (table.difference <= self.params.reduced and not table.moved):
            return Finding("answers-agree", Level.INFO, self.own.where, data, evidence)
        if (how := table.conversion(self.params.difference)) is not None:
            return Finding("answers-converted", Level.INFO, self.own.where, data | {"how": how}, evidence)
        code, level, more = self._reason(table)
        sure = Sure.LIKELY if level is Level.PROBLEM else Sure.POSSIBLE
        return Finding(code, level, self.own.where, data | more, evidence, Fix(_FIXES[code]), sure=sure)

    def _reason(self, table: Compared) -> tuple[str, Level, dict[str, Any]]:
        """Why outputs differ, how bad that is, and what else is to be said of it; what enters comes first."""
        certain = Level.PROBLEM if self.same_weights and table.moved else Level.SUSPECT
        if self.scaled:
            return self._of_inputs(certain)
        if self.differing or not self.other.weights:
            names = {"count": len(self.differing), "of": len(self.other.weights), "names": shown(self.differing)}
            loads = self.own.watch.facts("loaded") or self.own.watch.facts("taken") or self.own.fact.get("graph")
            every = len(self.differing) == len(self.other.weights)
            code = "answers-without-checkpoint" if every and not loads else "answers-of-other-weights"
            return code, Level.SUSPECT, names
        batches = [row.batch for row, _ in self.pairs]
        if table.is_over_samples(batches, self.params.difference):
            return "answers-over-samples", Level.PROBLEM, {}
        if self.awake:
            return "answers-in-training", Level.PROBLEM, {"layers": shown(self.awake)}
        return "answers-differ", Level.SUSPECT, {}

    def _of_inputs(self, level: Level) -> tuple[str, Level, dict[str, Any]]:
        import numpy as np

        if all(one.reversed for one in self.scaled):
            return "inputs-reversed", level, {}
        scales, shifts = (np.median([getattr(one, name) for one in self.scaled], axis=0) for name in ("scale", "shift"))
        several = len(scales) > 1 and (np.ptp(scales) > 0.01 * abs(scales).max() or np.ptp(shifts) > 0.01)
        words = {
            "en": f" in the first of {len(scales)} channels" if several else "",
            "zh": f"（{len(scales)} 个通道中的第一个）" if several else "",
        }
        scale, shift = float(f"{scales[0]:.4g}"), float(f"{shifts[0]:.4g}")
        shift = shift if abs(shift) > _ROUNDED * abs(scale) else 0.0
        return "inputs-scaled", level, {"scale": scale, "shift": shift, "channels": words}


def _is_average(name: str) -> bool:
    leaf = name.rpartition(".")[2]
    return facts.LEAVES.get(leaf, leaf) in facts.BUFFERS


class Scaled(NamedTuple):
    """Two rows of one sample: what one is of the other, by channel."""

    row: Row
    other: Row
    scale: list[float]
    shift: list[float]
    reversed: bool


def _matched(row: Row, others: Sequence[Row], params: Params) -> Scaled | None:
    """The one row of others that is the same sample, normalised otherwise; None where there is none, or more than one."""
    import numpy as np

    if row.thumbnail is None:
        return None
    own = np.array(row.thumbnail)
    known = [one for one in others if one.thumbnail is not None and np.shape(one.thumbnail) == own.shape]
    if len(known) < 2:
        return None
    table = np.array([one.thumbnail for one in known])
    for turned in (False, True) if len(own) > 1 else (False,):
        one = own[::-1] if turned else own
        alike = _correlations(one, table)
        first, second = np.sort(alike)[:-3:-1]
        if first > params.alike and 1 - second > params.times * max(1 - first, _ROUNDING):
            best = int(alike.argmax())
            scale, shift = zip(
                *(np.polyfit(there, here, 1) for here, there in zip(one, table[best], strict=True)), strict=True
            )
            return Scaled(row, known[best], [*map(float, scale)], [*map(float, shift)], turned)
    return None


def _correlations(own: Any, table: Any) -> Any:
    """Of each row of a table (rows, channels, values) the smallest correlation of a channel with that of a row; 0 of what is constant."""
    import numpy as np

    centred = own - own.mean(axis=-1, keepdims=True), table - table.mean(axis=-1, keepdims=True)
    norms = [np.sqrt((one**2).sum(axis=-1)) for one in centred]
    with np.errstate(all="ignore"):
        found = (centred[0] * centred[1]).sum(axis=-1) / (norms[0] * norms[1])
    return np.nan_to_num(found, nan=0.0).min(axis=-1)


def _paired(own: list[int], other: list[int]) -> tuple[int, int] | None:
    """The places of two outputs with as many values, or of classes beside scores; the only ones, or the first of the same number."""
    alike = [(at, there) for at, one in enumerate(own) for there, two in enumerate(other) if one == two]
    if alike:
        return alike[0]
    one_each = len(own) == len(other) == 1 and 1 in (own[0], other[0])
    return (0, 0) if one_each else None


def _text(shapes: list[int]) -> str:
    return ", ".join(map(str, shapes)) or "-"


class Compared:
    """One output of both sides, row by row: the first of each pair is that of the inference."""

    def __init__(self, pairs: list[tuple[list[Any], list[Any]]]) -> None:
        import numpy as np

        self.pairs = pairs
        self.own, self.other = (np.array([_numbers(one[side][0]) for one in pairs]) for side in (0, 1))
        self.one_shape = self.own.shape == self.other.shape

    @cached_property
    def difference(self) -> float:
        return self._apart(self.own, self.other)

    def _apart(self, one: Any, other: Any) -> float:
        """The largest difference, against the largest value; where both are not finite alike, there is none."""
        import numpy as np

        if one.shape != other.shape:
            return 1.0
        with np.errstate(all="ignore"):
            same = (one == other) | (np.isnan(one) & np.isnan(other))
            apart = np.where(same, 0.0, np.abs(one - other))
        finite = other[np.isfinite(other)]
        scale = max(float(np.abs(finite).max()) if finite.size else 0.0, 1e-30)
        found = float(np.nan_to_num(apart, nan=1e30, posinf=1e30).max()) / scale if apart.size else 0.0
        return min(found, 1e30)

    @cached_property
    def moved(self) -> int:
        """Rows whose largest output is another one; of single numbers, those that differ."""
        import numpy as np

        places = [
            [
                self._place(one[side], values)
                for one, values in zip(self.pairs, (self.own, self.other)[side], strict=True)
            ]
            for side in (0, 1)
        ]
        return int(np.count_nonzero(np.array(places[0]) != np.array(places[1])))

    def _place(self, told: list[Any], values: Any) -> float:
        if told[2] is not None:
            return float(told[2])
        return float(values[0]) if len(values) == 1 else float(values.argmax())

    def conversion(self, most: float) -> str | None:
        """What one side is of the other, where that is one function of each row, on either side."""
        sides = [[one[side] for one in self.pairs] for side in (0, 1)]
        for told, given, wanted in ((sides[1], self.other, self.own), (sides[0], self.own, self.other)):
            for name, made in CONVERSIONS.items():
                found = made(told, given)
                if found is not None and self._apart(found, wanted) <= most:
                    return name
        return None

    def is_over_samples(self, batches: list[int], most: float) -> bool:
        """Whether the inference gives the softmax over the rows of a batch; known where all outputs of several rows are."""
        import numpy as np

        counts = np.bincount(batches)
        if not self.one_shape or counts.max() < 2:
            return False
        found = np.empty_like(self.other)
        for batch in {*batches}:
            rows = np.array(batches) == batch
            powers = np.exp(self.other[rows] - self.other[rows].max(axis=0))
            found[rows] = powers / powers.sum(axis=0)
        return self._apart(found, self.own) <= most

    def shown(self, rows: list[Row]) -> Table:
        """The rows that are furthest apart."""
        import numpy as np

        scale = max(float(np.abs(np.nan_to_num(self.other)).max()), 1e-30)
        apart = (
            np.abs(np.nan_to_num(self.own - self.other)).reshape(len(rows), -1).max(axis=1)
            if self.one_shape
            else np.ones(len(rows))
        )
        order = np.argsort(-apart, kind="stable")[:SHOWN]
        lines: list[list[Plain]] = [
            [
                str(rows[at].identity)[:16],
                *(_few(side[at]) for side in (self.other, self.own)),
                float(f"{apart[at] / scale:.3g}"),
            ]
            for at in order
        ]
        return Table("answers", ["row", "evaluated", "inferred", "apart"], lines, len(rows))


def _numbers(values: list[Any]) -> list[float]:
    return [float(one) for one in values]


def _few(values: Any) -> str:
    return ", ".join(f"{one:.4g}" for one in values[:VALUES]) + (", …" if len(values) > VALUES else "")


Told = list[list[Any]]


def _of_sums(told: Told, values: Any) -> Any:
    """Each value less the logarithm of the sum of the exponentials of its row; None where that is not known."""
    import numpy as np

    if any(one[1] is None for one in told):
        return None
    return values - np.array([[float(one[1])] for one in told])


def _softmax(told: Told, values: Any) -> Any:
    import numpy as np

    found = _of_sums(told, values)
    return None if found is None else np.exp(found)


def _sigmoid(told: Told, values: Any) -> Any:
    import numpy as np

    return 1 / (1 + np.exp(-np.clip(values, -80, 80)))


def _argmax(told: Told, values: Any) -> Any:
    import numpy as np

    return None if any(one[2] is None for one in told) else np.array([[float(one[2])] for one in told])


CONVERSIONS: dict[str, Callable[[Told, Any], Any]] = {
    "softmax": _softmax,
    "log_softmax": _of_sums,
    "sigmoid": _sigmoid,
    "argmax": _argmax,
}


_ANSWERS = [[3.0, 1.0, -2.0], [0.5, 2.5, 0.0], [-1.0, 0.2, 1.9], [2.2, 2.0, -0.4]]
_WEIGHTS = {"head.weight": "5f1d0c2b7a6e9d34", "head.bias": "00aa12de88c4b7f1"}


def _recorded(script: str, outputs: Sequence[Sequence[float]], **more: Any) -> str:
    """The recording of a script that gave these outputs for pictures, which `more` scales or turns; evaluated where they are counted."""
    import math
    import random

    drawn = random.Random(1)
    head = {"recording": 1, "accucheck": "0.1.0", "time": "2026-01-31T08:00:00+00:00", "mindspore": "2.10.0", "rank": 0}
    scale, turned, rows = more.pop("scale", None), more.pop("turned", False), []
    for at, values in enumerate(outputs):
        thumbnail = [[round(drawn.gauss(0, 1) * (scale or 1.0), 5) for _ in range(16)] for _ in range(3)]
        thumbnail = thumbnail[::-1] if turned else thumbnail
        told = [[*values], math.log(sum(map(math.exp, values))), values.index(max(values))]
        rows.append([f"row{at}{scale or ''}{'bgr' if turned else ''}", 1, thumbnail, [told]])
    fact = {"step": 0, "place": [script, 20], "network": "net.Net", "weights": _WEIGHTS, "graph": False, "awake": []}
    lines: list[dict[str, Any]] = [head, {"fact": "start", "arguments": ["python", script]}]
    lines += [{"fact": "loaded", "path": "net.ckpt"}] if more.pop("loads", True) else []
    lines += [{"fact": "counted", "step": 0, "data": 0}] if more.pop("counts", False) else []
    lines.append({"fact": "answers", **fact, **more, "seen": len(rows), "rows": rows})
    return "".join(json.dumps(line) + "\n" for line in lines)


def _example(
    name: str, verdict: Verdict, *codes: str, outputs: Sequence[Sequence[float]] = _ANSWERS, **more: Any
) -> Example:
    files = {
        ".accucheck/watch/1/user.jsonl": _recorded("eval.py", _ANSWERS, counts=True),
        ".accucheck/watch/2/user.jsonl": _recorded("infer.py", outputs, **more),
    }
    case = {"watched": ".accucheck/watch/2"}
    return Example(name, files={**files}, case=case, verdict=verdict, codes=codes)


_OTHER = [[values[-1], *values[:-1]] for values in _ANSWERS]
EXAMPLES = [
    _example("the same outputs", Verdict.OK, "answers-agree"),
    _example(
        *("the softmax of the same outputs", Verdict.OK, "answers-converted"),
        outputs=[
            [0.8756, 0.1185, 0.0059],
            [0.1112, 0.8214, 0.0674],
            [0.0445, 0.1476, 0.8079],
            [0.5283, 0.4325, 0.0392],
        ],
    ),
    _example(
        "a softmax over the samples",
        Verdict.PROBLEM,
        "answers-over-samples",
        outputs=[
            [0.6453, 0.1156, 0.0159],
            [0.053, 0.5182, 0.1178],
            [0.0118, 0.0519, 0.7874],
            [0.2899, 0.3143, 0.0789],
        ],
    ),
    _example("samples that are scaled otherwise", Verdict.PROBLEM, "inputs-scaled", outputs=_OTHER, scale=255.0),
    _example("channels in the other order", Verdict.PROBLEM, "inputs-reversed", outputs=_OTHER, turned=True),
    _example(
        "layers in training mode",
        Verdict.PROBLEM,
        "answers-in-training",
        outputs=_OTHER,
        awake=["mindspore.nn.layer.basic.Dropout"],
    ),
    _example(
        "another checkpoint",
        Verdict.UNDECIDED,
        "answers-of-other-weights",
        outputs=_OTHER,
        weights=_WEIGHTS | {"head.bias": "1"},
    ),
    _example(
        "no checkpoint",
        Verdict.UNDECIDED,
        "answers-without-checkpoint",
        outputs=_OTHER,
        weights=dict.fromkeys(_WEIGHTS, "1"),
        loads=False,
    ),
    _example("another computation", Verdict.UNDECIDED, "answers-differ", outputs=_OTHER),
]
