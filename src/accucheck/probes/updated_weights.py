"""Tells which parameters the first step changed otherwise than in the benchmark: the backward pass and the optimizer.

Compares the updates (after the step minus before it) of both sides through the parameter map. Adam and its kind make updates of one
size whose sign alone comes from the gradient, so that rounding turns some over: there sizes and shares of signs are compared. What
moves by less than rounding is not judged. Moving statistics are judged too: they tell a momentum of BatchNorm that training losses
hide. Where the logs of both trainings say that the first losses differ, other updates are a consequence and say nothing. Only the
first step is seen, and only its result.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Finding, Kind, Level, Plain, Progress, Verdict, Where
from ..probe import Example
from . import _checkpoints, _curve_pairs, _parameters, loss_comparison
from ._checkpoints import STATISTICS, ckpt, drawn, of_tensors, shape, shown, table

if TYPE_CHECKING:
    from ..parameter_map import Pair, ParameterMap
    from ..readers.checkpoints import Checkpoint
    from ..readers.tensors import TensorInfo

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = (
    "checkpoints.initial",
    "checkpoints.reference",
    "checkpoints.after_step",
    "checkpoints.reference_after_step",
)
USES = ("checkpoints.map", "curves.train", "curves.reference.path")

#: Units in the last place that rounding may take from an update: half a unit of either side, and room for the order of additions.
_ROUNDING = 2
#: A tensor whose updates are this much smaller than those of most has a gradient of zero, but for rounding.
_TINY = 1e-4
#: The mean size of the updates of Adam in the first step is nearly their largest.
_SIGNS = 0.9


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    relative: Annotated[
        float,
        Meta(
            ge=0,
            description="difference of two updates, relative to the benchmark's, that counts as equal",
            extra={"unit": "1", "source": "own choice: clean pairs of frameworks with SGD agree to 1e-4"},
        ),
    ] = 0.01
    size: Annotated[
        float,
        Meta(
            ge=0,
            description="of updates of one size (Adam): relative difference of the size that counts as equal",
            extra={"unit": "1", "source": "own choice"},
        ),
    ] = 0.02
    signs: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="of updates of one size (Adam): share of opposite signs that counts as rounding",
            extra={"unit": "1", "source": "own choice"},
        ),
    ] = 0.05


MESSAGES: Words = {
    **_parameters.MESSAGES,
    "scaled": {
        "en": "{count:The one update|All {count:,} updates} point where the benchmark's do, but are {factor:.4g} times as large.",
        "zh": "全部 {count:,} 个参数的更新方向与标杆一致，但大小是标杆的 {factor:.4g} 倍。",
    },
    "reversed": {
        "en": "{count:The one update|All {count:,} updates} point against the benchmark's: the loss is climbed.",
        "zh": "全部 {count:,} 个参数的更新方向与标杆相反：loss 在被增大。",
    },
    "updates-differ": {
        "en": "{count:,} of {moved:,} parameters were updated differently from the benchmark: {names}. The last of them in network "
        "order is {last}.",
        "zh": "{moved:,} 个参数中有 {count:,} 个的更新与标杆不同：{names}。按网络顺序最靠后的是 {last}。",
    },
    "unmoved": {
        "en": "{count:,} {count:parameter|parameters} did not change, although {count:it does|they do} in the benchmark: {names}.",
        "zh": "有 {count:,} 个参数没有变化，而标杆中有变化：{names}。",
    },
    "moved-alone": {
        "en": "{count:,} {count:parameter|parameters} changed, although {count:it does|they do} not in the benchmark: {names}.",
        "zh": "有 {count:,} 个参数发生了变化，而标杆中没有变化：{names}。",
    },
    "statistics-factor": {
        "en": "The moving statistics of {layers:,} {layers:layer|layers} moved {factor:.4g} times as far as in the benchmark: {names}. "
        "Training losses do not show this; evaluations do.",
        "zh": "有 {layers:,} 层的滑动统计量的变化量是标杆的 {factor:.4g} 倍：{names}。训练 loss 看不出这一点，评估时才会显现。",
    },
    "statistics-still": {
        "en": "The moving statistics of {layers:,} {layers:layer|layers} did not change, although they do in the benchmark: {names}.",
        "zh": "有 {layers:,} 层的滑动统计量没有变化，而标杆中有变化：{names}。",
    },
    "statistics-differ": {
        "en": "The moving statistics of {layers:,} {layers:layer|layers} changed differently from the benchmark: {names}.",
        "zh": "有 {layers:,} 层的滑动统计量的变化与标杆不同：{names}。",
    },
    "follows": {
        "en": "{count:,} of {moved:,} parameters and statistics were updated differently from the benchmark: {names}. The first losses "
        "already differ ({value:.9g} here, {other:.9g} in the benchmark), so this is only a consequence.",
        "zh": "{moved:,} 个参数和统计量中有 {count:,} 个的更新与标杆不同：{names}。首步 loss 已经不同"
        "（本脚本 {value:.9g}，标杆 {other:.9g}），更新不同是其结果，不能单独说明问题。",
    },
    "signs-by-chance": {
        "en": "The updates of {count:,} {count:vector|vectors} differ as if at random: {names}. Under Adam that is expected where "
        "the gradient is zero except for rounding: a bias before a normalisation, or of attention keys.",
        "zh": "有 {count:,} 个一维参数的更新如同随机：{names}。使用 Adam 时，若梯度理论上为 0、只剩舍入误差"
        "（归一化之前的偏置、注意力中 key 的偏置），属正常现象。",
    },
    "not-finite": {
        "en": "{count:,} {count:parameter is|parameters are} NaN or Inf after the first step, but finite in the "
        "benchmark: {names}.",
        "zh": "有 {count:,} 个参数在第一步之后为 NaN 或 Inf，而标杆中是正常的：{names}。",
    },
    "starts-differ": {
        "en": "{count:,} {count:parameter differs|parameters differ} from the benchmark already before the step: {names}. "
        "Settle cmp.06 first; other weights have other gradients.",
        "zh": "有 {count:,} 个参数在这一步之前就与标杆不同：{names}。请先解决 cmp.06，权重不同时梯度自然不同。",
    },
    "nothing-moved": {
        "en": "Not one paired parameter changed between {source} and {target}. Was the second one saved after the step?",
        "zh": "{source} 与 {target} 之间没有任何已配对参数发生变化。第二份是在更新之后保存的吗？",
    },
    "not-compared": {
        "en": "{count:,} {count:parameter|parameters} could not be compared: without a counterpart, not in all four checkpoints, or "
        "NaN or Inf in the benchmark: {names}.",
        "zh": "有 {count:,} 个参数无法比较（没有对应、未同时出现在四份 checkpoint 中，或标杆中为 NaN 或 Inf）：{names}。",
    },
    "examined": {
        "en": "The updates of {equal:,} of {count:,} parameters agree with the benchmark's.",
        "zh": "{count:,} 个参数中有 {equal:,} 个的更新与标杆一致。",
    },
    "fix-size": {
        "en": "Compare learning rate, reduction of the loss (mean, sum), loss scale and its removal, division by the number of devices, "
        "and the bias correction of the optimizer.",
        "zh": "核对学习率、loss 的 reduction（mean、sum）、loss scale 及其还原、按卡数求平均，以及优化器的偏差修正。",
    },
    "fix-backward": {
        "en": "Start at the last of them: everything after it has the right gradient. Compare the gradients there, and the parameter "
        "groups of the optimizer (weight decay, learning rates).",
        "zh": "从其中最靠后的参数查起：它之后的层梯度都是对的。对比该处的梯度，以及优化器的参数分组（权重衰减、学习率）。",
    },
    "fix-overflow": {
        "en": "Look at the loss and the gradients of this step: the first of them that is NaN or Inf shows where it begins (mp.01).",
        "zh": "查看这一步的 loss 和梯度：最先出现 NaN 或 Inf 的位置就是起点（mp.01）。",
    },
    "fix-momentum": {
        "en": "Set momentum explicitly for each BatchNorm: in mindspore.nn it is the share that is kept (0.9), in PyTorch the share "
        "that is added (0.1).",
        "zh": "显式写出每个 BatchNorm 的 momentum：mindspore.nn 中是旧值的占比（0.9），PyTorch 中是新值的占比（0.1）。",
    },
    "fix-statistics": {
        "en": "Compare the layer before each: a bias missing on one side shifts the mean (cmp.05). Then compare momentum, and whether "
        "the variance is the sample variance (n - 1).",
        "zh": "核对各自前面的一层：一侧缺少偏置会使均值平移（cmp.05）。再核对 momentum，以及方差是否为无偏估计（n - 1）。",
    },
    "fix-training": {
        "en": "Call set_train() before training, and again after each evaluation; look for use_batch_statistics=False.",
        "zh": "训练前调用 set_train()，每次评估之后再调用一次；检查是否设了 use_batch_statistics=False。",
    },
    "fix-frozen": {
        "en": "Look for requires_grad, stop_gradient, and the list of parameters passed to the optimizer, on both sides.",
        "zh": "检查两边的 requires_grad、stop_gradient 以及传给优化器的参数列表。",
    },
}

_BACKWARD: Words = {
    "why": {
        "en": "Weights that start equal but are updated differently diverge from the second step on.",
        "zh": "起点相同而更新不同，从第二步起两个网络就不再相同。",
    },
    "proof": {
        "en": "Repeat one step of plain SGD on both sides: then the updates are the gradients times the learning rate, which separates "
        "the backward pass from the optimizer.",
        "zh": "两边都改用普通 SGD 重做一步：此时更新量就是学习率乘梯度，可以区分是反向还是优化器的问题。",
    },
}
_STATISTICS: Words = {
    "why": {
        "en": "Evaluation uses these statistics instead of those of the batch.",
        "zh": "评估时用的是这些统计量，而不是当前 batch 的统计量。",
    },
    "proof": {
        "en": "Evaluate both networks on one batch after the first step: outputs differ there although training losses agree.",
        "zh": "第一步之后两边用同一个 batch 做评估：训练 loss 一致，而评估输出不同。",
    },
}
_STATISTICS_CODES = ("statistics-factor", "statistics-still", "statistics-differ")
_CODES = (
    "scaled",
    "reversed",
    "updates-differ",
    "unmoved",
    "moved-alone",
    "starts-differ",
    "nothing-moved",
    "not-finite",
)
WHY: Words = dict.fromkeys(_CODES, _BACKWARD["why"]) | dict.fromkeys(_STATISTICS_CODES, _STATISTICS["why"])
PROOF: Words = dict.fromkeys(_CODES, _BACKWARD["proof"]) | dict.fromkeys(_STATISTICS_CODES, _STATISTICS["proof"])

WORDS: Words = {
    **_checkpoints.WORDS,
    **_parameters.WORDS,
    "scaled": {"en": "Updates", "zh": "更新量"},
    "reversed": {"en": "Updates", "zh": "更新量"},
    "updates-differ": {"en": "Updates that differ", "zh": "不同的更新"},
    "unmoved": {"en": "Unchanged here", "zh": "本网络未变化的参数"},
    "moved-alone": {"en": "Unchanged in the benchmark", "zh": "标杆未变化的参数"},
    "statistics-factor": {"en": "Moving statistics", "zh": "滑动统计量"},
    "statistics-still": {"en": "Moving statistics", "zh": "滑动统计量"},
    "statistics-differ": {"en": "Moving statistics", "zh": "滑动统计量"},
    "follows": {"en": "Updates that differ", "zh": "不同的更新"},
    "signs-by-chance": {"en": "Updates by lot", "zh": "如同随机的更新"},
    "not-finite": {"en": "NaN or Inf", "zh": "NaN 或 Inf"},
    "starts-differ": {"en": "Other before the step", "zh": "更新之前就不同的参数"},
    "all": {"en": "Updates", "zh": "更新量"},
    "update": {"en": "Size of the update", "zh": "更新量（RMS）"},
    "reference-update": {"en": "In the benchmark", "zh": "标杆更新量（RMS）"},
    "opposite": {"en": "Opposite signs", "zh": "符号相反占比"},
}
_COLUMNS = ["name", "shape", "update", "reference-update", "relative", "cosine", "opposite"]


class _Update(msgspec.Struct):
    """Sums over the elements of one parameter: `mine` and `theirs` of squared updates, `both` of their products."""

    pair: Pair
    unit: float
    count: int = 0
    mine: float = 0.0
    theirs: float = 0.0
    both: float = 0.0
    apart: float = 0.0
    size: float = 0.0
    start: float = 0.0
    largest: float = 0.0
    total: float = 0.0
    opposite: int = 0
    moved: int = 0

    @property
    def rounding(self) -> float:
        return _ROUNDING * self.unit * math.sqrt(self.size)

    @property
    def relative(self) -> float:
        """How far the updates are apart beyond rounding, relative to the benchmark's."""
        return max(0.0, math.sqrt(self.apart) - self.rounding) / math.sqrt(self.theirs) if self.theirs else 0.0

    @property
    def cosine(self) -> float | None:
        return self.both / math.sqrt(self.mine) / math.sqrt(self.theirs) if self.mine and self.theirs else None

    @property
    def ratio(self) -> float:
        return math.sqrt(self.mine / self.theirs) if self.theirs else 0.0

    @property
    def turned(self) -> float:
        """The share of opposite signs among the elements that move on both sides."""
        return self.opposite / self.moved if self.moved else 0.0

    @property
    def signs(self) -> bool:
        """Whether the benchmark's updates are of one size, as those of Adam."""
        return self.moved > 1 and self.total > _SIGNS * self.moved * self.largest

    @property
    def cells(self) -> list[Plain]:
        sizes = [math.sqrt(square / self.count) for square in (self.mine, self.theirs)]
        numbers = (*sizes, self.relative, self.cosine, self.turned)
        return [
            *(self.pair.left.name, shape(self.pair.left)),
            *(number if number is not None and math.isfinite(number) else None for number in numbers),
        ]


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    """Raises ReadError when one of the four checkpoints cannot be read, UserError for a file that is not a mapping file."""
    from ..readers.checkpoints import open_checkpoint

    ours, _, found, wrong = _parameters.sides(case, "initial")
    yield from wrong
    after, other_after = (
        open_checkpoint(case.paths(f"checkpoints.{role}")[0]) for role in ("after_step", "reference_after_step")
    )
    where = Where(case.relative(after.path))
    common: dict[str, Any] = {"source": case.relative(ours.path), "target": where.path}
    updates, lost = yield from _measured(found, after, other_after)
    updates, unknown = _parted(updates, lambda update: math.isfinite(update.theirs))
    lost += [update.pair.left.name for update in unknown]
    updates, broken = _parted(updates, lambda update: math.isfinite(update.mine))
    # A checkpoint need not be in the order of the network, but those of both frameworks are when they are saved whole.
    order = {info.name: place for place, info in enumerate(ours.tensors)}
    updates.sort(key=lambda update: order[update.pair.left.name])
    told = partial(_told, where, common)
    yield from told("not-finite", Level.PROBLEM, broken, "fix-overflow")
    if lost:
        yield Finding("not-compared", Level.INFO, where, {"count": len(lost), "names": shown(lost)}, incomplete=True)
    compared = _Compared(params, updates)
    if compared.nothing_moved:
        if updates or not (lost or broken):
            yield Finding("nothing-moved", Level.SUSPECT, where, common, incomplete=True)
        return
    first = _curve_pairs.first_difference(case, loss_comparison.Params()) if compared.wrong else None
    if first is not None:  # what parted before the step makes the updates differ
        moved = len(compared.judged) + len(compared.states)
        yield from told("follows", Level.INFO, compared.wrong, None, moved=moved, **first)
    else:
        yield from compared.findings(told)
    yield from told("signs-by-chance", Level.INFO, compared.chance)
    largest = max((update.relative for update in compared.equal), default=0.0)
    examined = common | {"equal": len(compared.equal), "count": len(compared.both), "largest": largest}
    evidence = [table("all", _COLUMNS, [update.cells for update in compared.both])]
    yield Finding("examined", Level.INFO, where, examined, list(evidence) if compared.both else [])


def _measured(
    found: ParameterMap, after: Checkpoint, other_after: Checkpoint
) -> Generator[Progress, None, tuple[list[_Update], list[str]]]:
    """The update of each weight and moving statistic that has a counterpart, and the names of those that could not be compared."""
    from ..parameter_map import trainable

    mine_later, other_later = ({info.name: info for info in side.weights} for side in (after, other_after))
    pairs = [pair for pair in found.pairs if trainable(pair.left) or _is_statistic(pair)]
    updates: list[_Update] = []
    lost = [info.name for info in found.left if trainable(info)]
    lost += [info.name for group in found.ambiguous for info in group.left if info.role == "weight"]
    for pair in pairs:
        mine, other = mine_later.get(pair.left.name), other_later.get(pair.right.name)
        if mine is not None and other is not None and _comparable(pair, mine, other):
            updates.append(_measure(pair, mine, other))
        else:
            lost.append(pair.left.name)
        yield Progress(len(updates), len(pairs), "tensors")
    return updates, lost


def _comparable(pair: Pair, mine: TensorInfo, other: TensorInfo) -> bool:
    """Whether all four tensors can be read, and have kept their shapes."""
    readable = all(not info.obstacle and info.size for info in (pair.left, pair.right, mine, other))
    return readable and (mine.shape, other.shape) == (pair.left.shape, pair.right.shape)


def _told(
    where: Where,
    common: dict[str, Any],
    code: str,
    level: Level,
    some: list[_Update],
    fix: str | None = None,
    **data: Any,
) -> Iterator[Finding]:
    """What is to be said of some updates."""
    cells = [update.cells for update in some]
    return of_tensors(where, common, code, level, _COLUMNS, cells, fix, incomplete=code == "follows", **data)


class _Compared:
    """The updates of both sides: of weights and of moving statistics, those that agree and those that do not."""

    def __init__(self, params: Params, updates: list[_Update]) -> None:
        self.params, self.updates = params, updates
        statistics, weights = _parted(updates, lambda update: _is_statistic(update.pair))
        self.moved = [update for update in weights if update.mine or update.theirs]
        self.judged = _judged(self.moved)
        self.states = _judged([update for update in statistics if update.mine or update.theirs])
        self.both = [update for update in self.judged if update.mine and update.theirs]
        self.equal = [update for update in self.both if _agree(params, update)]
        adam = 2 * sum(update.signs for update in self.both) > len(self.both)
        other = [update for update in self.both if update not in self.equal]
        self.chance = [update for update in other if adam and _by_chance(params, update)]
        known = [*self.equal, *self.chance]
        self.differing = [update for update in self.judged if update not in known]
        self.other_states = [one for one in self.states if not one.relative <= params.relative or not one.theirs]

    @property
    def nothing_moved(self) -> bool:
        """Whether no weight moved on either side, or none of ours of those that are judged."""
        return not self.moved or (bool(self.judged) and not any(update.mine for update in self.judged))

    @property
    def wrong(self) -> list[_Update]:
        return self.differing + self.other_states

    def findings(self, told: Callable[..., Iterator[Finding]]) -> Iterator[Finding]:
        """What is wrong, no surer than suspect where the weights differ before the step."""
        starts = [update for update in self.updates if math.sqrt(update.start) > update.rounding]
        worst = Level.SUSPECT if starts else Level.PROBLEM
        yield from told("starts-differ", Level.SUSPECT, starts)
        yield from told("unmoved", worst, [update for update in self.judged if not update.mine], "fix-frozen")
        yield from told("moved-alone", worst, [update for update in self.judged if not update.theirs], "fix-frozen")
        differing = [update for update in self.differing if update.mine and update.theirs]
        cosines = [update.cosine or 0.0 for update in self.both if update not in self.chance]
        code, fix, data = _kind(self.params, differing, cosines, self.both)
        yield from told(code, worst, differing, fix, **data)
        yield from _statistics(told, worst, self.other_states)


def _kind(
    params: Params, differing: list[_Update], cosines: list[float], both: list[_Update]
) -> tuple[str, str, dict[str, Any]]:
    """The code, the fix and the data of updates that differ: all by one factor, all turned round, or some."""
    factor = median(update.ratio for update in both) if both else 1.0
    whole = bool(differing) and len(differing) == len(cosines) and min(abs(cosine) for cosine in cosines) > 0.9
    if whole and all(abs(update.ratio / factor - 1) < 0.05 for update in differing):
        if min(cosines) > 0 and abs(factor - 1) > params.relative:
            return "scaled", "fix-size", {"factor": factor}
        if max(cosines) < 0:
            return "reversed", "fix-size", {}
    last = differing[-1].pair.left.name if differing else ""
    return "updates-differ", "fix-backward", {"moved": len(both), "last": last}


def _statistics(told: Callable[..., Iterator[Finding]], worst: Level, some: list[_Update]) -> Iterator[Finding]:
    """What moving statistics that moved otherwise tell: the momentum where the means of a batch were the same."""
    still = [update for update in some if not update.mine]
    some = [update for update in some if update.mine]
    ratios = [update.ratio for update in some]
    factor = median(ratios) if ratios else 0.0
    alike = factor > 0 and all(abs(ratio / factor - 1) < 0.05 for ratio in ratios)
    means = any(update.pair.right.name.endswith("mean") for update in some)
    yield from told("statistics-still", worst, still, "fix-training", layers=_layers(still))
    if alike and means and min(update.cosine or 0.0 for update in some) > 0.9:
        yield from told("statistics-factor", worst, some, "fix-momentum", layers=_layers(some), factor=factor)
    else:
        yield from told("statistics-differ", Level.SUSPECT, some, "fix-statistics", layers=_layers(some))


def _layers(some: list[_Update]) -> int:
    return len({update.pair.left.name.rpartition(".")[0] for update in some})


def _is_statistic(pair: Pair) -> bool:
    return pair.left.role == "weight" and pair.left.floating and STATISTICS.search(pair.right.name) is not None


def _parted(updates: list[_Update], which: Callable[[_Update], bool]) -> tuple[list[_Update], list[_Update]]:
    return [update for update in updates if which(update)], [update for update in updates if not which(update)]


def _judged(moved: list[_Update]) -> list[_Update]:
    """Those whose updates are more than rounding."""
    usual = median(math.sqrt(update.theirs / update.count) for update in moved) if moved else 0.0
    return [update for update in moved if _visible(update, usual)]


def _measure(pair: Pair, after: TensorInfo, other_after: TensorInfo) -> _Update:
    """The two updates of one parameter, chunk by chunk."""
    import numpy as np

    from ..parameter_map import views
    from ..readers.tensor_comparison import unit
    from ..readers.tensors import chunks

    update = _Update(pair, max(unit(info.dtype) for info in (pair.left, pair.right, after, other_after)))
    left, right = views(pair)
    last, other_last = views(msgspec.structs.replace(pair, left=after, right=other_after))
    with np.errstate(all="ignore"):
        for parts in zip(*map(chunks, (left, last, right, other_last)), strict=True):
            before, now, other_before, other_now = (part.astype(np.float64) for part in parts)
            mine, theirs = now - before, other_now - other_before
            update.count += len(mine)
            update.mine += float(np.dot(mine, mine))
            update.theirs += float(np.dot(theirs, theirs))
            update.both += float(np.dot(mine, theirs))
            apart, start = mine - theirs, before - other_before
            update.apart += float(np.dot(apart, apart))
            update.start += float(np.dot(start, start))
            update.size += float(np.dot(now, now))
            update.largest = max(update.largest, float(np.abs(theirs).max()))
            moving = (mine != 0) & (theirs != 0)
            update.total += float(np.abs(theirs[moving]).sum())
            update.moved += int(np.count_nonzero(moving))
            update.opposite += int(np.count_nonzero(((mine > 0) != (theirs > 0)) & moving))
    return update


def _visible(update: _Update, usual: float) -> bool:
    """Whether one of the updates is more than rounding."""
    largest = math.sqrt(max(update.mine, update.theirs))
    return largest > update.rounding and largest > _TINY * usual * math.sqrt(update.count)


def _agree(params: Params, update: _Update) -> bool:
    if update.signs:
        return abs(update.ratio - 1) <= params.size and update.turned <= params.signs
    return update.relative <= params.relative


def _by_chance(params: Params, update: _Update) -> bool:
    """Whether a vector's updates under Adam say nothing: gradients of zero but for rounding give signs and sizes by lot."""
    vector = sum(size > 1 for size in update.pair.left.shape) < 2
    by_lot = 0.05 < update.turned < 0.95 and abs(update.ratio - 1) <= params.size
    return vector and (by_lot or not update.signs)


_START = {"conv.weight": drawn(4, 3, 3, 3), "fc.weight": drawn(6, 4), "fc.bias": ([6], [0.5] * 6)}
_STEP = {"conv.weight": drawn(4, 3, 3, 3, seed=1), "fc.weight": drawn(6, 4, seed=2), "fc.bias": drawn(6, seed=3)}


def _moved(factors: dict[str, float], signs: bool = False) -> dict[str, Any]:
    """The weights after a step of 0.01 (SGD), or of 0.001 with the signs alone (Adam), times a factor for each."""
    return {
        name: (
            dims,
            [
                value + factors.get(name, 1.0) * (math.copysign(0.001, step) if signs else 0.01 * step)
                for value, step in zip(values, _STEP[name][1], strict=True)
            ],
        )
        for name, (dims, values) in _START.items()
    }


def _states(momentum: float) -> dict[str, Any]:
    """Moving statistics of a BatchNorm, moved towards those of a batch by this share."""
    mean, variance = drawn(4, seed=4)[1], [0.5, 0.7, 0.9, 1.3]
    return {
        "bn.moving_mean": ([4], [momentum * value for value in mean]),
        "bn.moving_variance": ([4], [1 + momentum * (value - 1) for value in variance]),
    }


def _example(
    name: str,
    factors: dict[str, float],
    verdict: Verdict,
    *codes: str,
    signs: bool = False,
    initial: dict[str, Any] | None = None,
    losses: str | None = None,
    momentum: float = 0.1,
    broken: tuple[str, ...] = (),
) -> Example:
    after = _moved(factors, signs) | _states(momentum)
    after |= {name: (after[name][0], [math.nan] * len(after[name][1])) for name in broken}

    return Example(
        name,
        files={
            "w0.ckpt": ckpt((initial or _START) | _states(0)),
            "w1.ckpt": ckpt(after),
            "r0.ckpt": ckpt(_START | _states(0)),
            "r1.ckpt": ckpt(_moved({}, signs) | _states(0.1)),
            **(
                {"ours.csv": losses, "theirs.csv": "step,loss\n1,2.3025851\n2,2.2871342\n3,2.2612387\n"}
                if losses
                else {}
            ),
        },
        case={
            "checkpoints": {
                "initial": "w0.ckpt",
                "after_step": "w1.ckpt",
                "reference": "r0.ckpt",
                "reference_after_step": "r1.ckpt",
            },
            **({"curves": {"train": "ours.csv", "reference": {"path": "theirs.csv"}}} if losses else {}),
        },
        verdict=verdict,
        codes=codes,
    )


_ALL = dict.fromkeys(_START, 1.0)
EXAMPLES = [
    _example("one step of SGD on both sides", {}, Verdict.OK),
    _example("one step of Adam on both sides", {}, Verdict.OK, signs=True),
    _example("ten times the learning rate", dict.fromkeys(_ALL, 10.0), Verdict.PROBLEM, "scaled"),
    _example("Adam without bias correction", dict.fromkeys(_ALL, 3.16), Verdict.PROBLEM, "scaled", signs=True),
    _example("a gradient that is climbed", dict.fromkeys(_ALL, -1.0), Verdict.PROBLEM, "reversed"),
    _example("a layer with another gradient", {"conv.weight": -0.5}, Verdict.PROBLEM, "updates-differ"),
    _example("a layer that the optimizer was not given", {"fc.weight": 0.0}, Verdict.PROBLEM, "unmoved"),
    _example("a file saved before the step", dict.fromkeys(_ALL, 0.0), Verdict.UNDECIDED, "nothing-moved"),
    _example("NaN in one layer after the step", {}, Verdict.PROBLEM, "not-finite", broken=("fc.weight",)),
    _example("another momentum of BatchNorm", {}, Verdict.PROBLEM, "statistics-factor", momentum=0.9),
    _example("a network in evaluation mode", {}, Verdict.PROBLEM, "statistics-still", momentum=0.0),
    _example(
        "another forward pass, which the first loss tells",
        {"conv.weight": -0.5},
        Verdict.UNDECIDED,
        "follows",
        losses="step,loss\n1,2.5128410\n2,2.4971342\n3,2.4512387\n",
    ),
    _example(
        "first losses that agree",
        {"conv.weight": -0.5},
        Verdict.PROBLEM,
        "updates-differ",
        losses="step,loss\n1,2.3025852\n2,2.4971342\n3,2.4512387\n",
    ),
    _example(
        "other initial weights",
        {"fc.weight": 4.0},
        Verdict.UNDECIDED,
        "starts-differ",
        "updates-differ",
        initial=_START | {"fc.weight": drawn(6, 4, seed=9)},
    ),
]
