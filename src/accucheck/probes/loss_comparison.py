"""Sets the loss of this training against the benchmark's, step by step, and tells where the two part.

The first loss differs: the forward pass. The first is equal and the second differs: the backward pass or the update. Later: the step
where a difference begins that is more than rounding, which jumps and stays; what grows from rounding step by step is told apart from
it. The noise is that of two runs of one script, where there are; a published tolerance otherwise. Compares evaluations, learning
rates and gradient norms too, where both logs have them. Cannot see what the digits of a log do not show, nor tell a fault from
randomness that is not fixed but by the ups and downs of the batches.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Progress, Verdict
from ..probe import Example
from . import _curve_pairs

if TYPE_CHECKING:
    from ..readers.curve_comparison import Comparison, Limits
    from ._curve_pairs import Pair
    from ._curves import Logs, Series

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("curves.train", "curves.reference.path")

_SHARE = {"unit": "1"}


class Params(msgspec.Struct, frozen=True):
    tolerance: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="share of the loss by which two frameworks may differ",
            extra={**_SHARE, "source": "MindSpore's guide to network debugging: about 1 in 1,000"},
        ),
    ] = 0.001
    coarse: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="the same on Ascend or in mixed precision",
            extra={**_SHARE, "source": "MindFormers' guide to accuracy: first loss within 0.005 or 0.5 %"},
        ),
    ] = 0.005
    rounding: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="share of the loss that float32 rounding may bring where weights and batches are equal",
            extra={**_SHARE, "source": "measured: at most 6e-7 in trainings of MindSpore and PyTorch on CPU"},
        ),
    ] = 1e-6
    coarse_rounding: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="the same on Ascend or in mixed precision",
            extra={**_SHARE, "source": "float16 has 11 binary digits"},
        ),
    ] = 0.0005
    jump: Annotated[
        float,
        Meta(
            gt=1,
            description="a difference that becomes so many times what it was is none that grew step by step",
            extra={"unit": "1", "source": "measured: benchmarks/loss_comparison_alarms.py"},
        ),
    ] = 10.0
    noise: Annotated[
        float,
        Meta(
            ge=1,
            description="so many times the difference of two runs of one script is within its noise",
            extra={"unit": "1", "source": "measured: benchmarks/loss_comparison_alarms.py"},
        ),
    ] = 3.0
    soon: Annotated[
        int,
        Meta(
            ge=1,
            description="a difference that needs more steps to become visible may be rounding that grew",
            extra={"unit": "steps", "source": "measured: with Adam, clean pairs stay below 4e-4 over 30 steps"},
        ),
    ] = 30
    settled: Annotated[
        int,
        Meta(
            ge=2,
            description="so many points must agree to rounding before a small difference that begins later is suspected",
            extra={
                "unit": "points",
                "source": "measured: in a clean pair with ReLU and AdamW it was rounding for three steps, and 50 times that at the fourth",
            },
        ),
    ] = 10
    end: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="share of the loss by which the ends of two curves may differ",
            extra={**_SHARE, "source": "MindFormers' guide to accuracy: mean within 0.01 or 1 %"},
        ),
    ] = 0.01
    gradients: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="share by which gradient norms may differ in the mean",
            extra={**_SHARE, "source": "MindFormers' guide to accuracy: 10 %"},
        ),
    ] = 0.1
    likeness: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="ups and downs of two curves that go together less come from other batches",
            extra={"unit": "1", "source": "measured: benchmarks/loss_comparison_alarms.py"},
        ),
    ] = 0.3


_ORDER = {
    "en": " First make sure that both see the same batches in the same order.",
    "zh": "应先确认两边每一步用的是同样的数据。",
}
MESSAGES: Words = {
    **_curve_pairs.MESSAGES,
    "forward": {
        "en": "The first loss differs: {value:.9g} here, {other:.9g} in the benchmark ({relative:.2e} of it, "
        "{allowed:.1e} is usual): the "
        "forward pass, the initial weights or the first batch differ.",
        "zh": "第一步的 loss 就不同：本脚本 {value:.9g}，标杆 {other:.9g}（相对差异 {relative:.2e}，通常应在 {allowed:.1e} 以内）："
        "正向计算、初始权重或首个 batch 不一致。",
    },
    "forward-slight": {
        "en": "The first losses differ by {relative:.2e} ({value:.9g} here, {other:.9g} in the benchmark): within the usual "
        "{allowed:.1e}, but more than rounding explains ({floor:.1e}), and the difference is visible from {unit} {seen:,.12g} on. Look "
        "at the forward pass first.",
        "zh": "第一步的 loss 相差 {relative:.2e}（本脚本 {value:.9g}，标杆 {other:.9g}）：虽在通常的 {allowed:.1e} 以内，"
        "却超出舍入误差所能解释的"
        "（{floor:.1e}），并从第 {seen:,.12g} 个 {unit} 起明显可见。应先查正向计算。",
    },
    "backward": {
        "en": "The first losses agree (to {before:.1e}), the second differ: {value:.9g} here, {other:.9g} in the "
        "benchmark ({relative:.2e}): "
        "{part}.",
        "zh": "第一步的 loss 一致（相差 {before:.1e}），第二步不同：本脚本 {value:.9g}，"
        "标杆 {other:.9g}（相对差异 {relative:.2e}）：{part}。",
    },
    "fork": {
        "en": "The curves agree (to {before:.1e}) up to {unit} {last:,.12g} and diverge at {unit} {step:,.12g}, where the difference "
        "jumps to {relative:.2e} ({value:.9g} here, {other:.9g} in the benchmark) and stays; confidence: {confidence}.",
        "zh": "两条曲线到第 {last:,.12g} 个 {unit} 为止一致（相差 {before:.1e}），在第 {step:,.12g} 个 {unit} 处分叉：差异跃升到 "
        "{relative:.2e}"
        "（本脚本 {value:.9g}，标杆 {other:.9g}）且不再消失；置信度：{confidence}。",
    },
    "fork-before": {
        "en": "The curves already differ at the first {unit} that both logs contain, {step:,.12g}: {value:.9g} here, {other:.9g} in "
        "the benchmark ({relative:.2e}). Print the loss of each step from the first on: if the first one differs, the forward pass is "
        "at fault; if only the second, the backward pass.",
        "zh": "在两份日志共有的首个 {unit}（{step:,.12g}）处曲线已经不同：本脚本 {value:.9g}，标杆 {other:.9g}（相对差异 {relative:.2e}）。"
        "请从第一步起逐步打印 loss：看第一步还是第二步先不同，才能区分正向与反向。",
    },
    "drift": {
        "en": "The difference grows from rounding without a jump and is visible from {unit} {step:,.12g} on; at the end the losses are "
        "{value:.5g} here and {other:.5g} in the benchmark. Rounding grows this way in any training, but so may a small fault. Two "
        "runs of the benchmark (curves.reference.rerun) would distinguish them.",
        "zh": "差异从舍入误差开始逐步增大，没有跃升，从第 {step:,.12g} 个 {unit} 起可见；结束时本脚本 loss 为 {value:.5g}，"
        "标杆为 {other:.5g}。"
        "正常训练的舍入误差会这样累积，微小的错误也可能如此。标杆再跑一次（curves.reference.rerun）即可区分。",
    },
    "agrees": {
        "en": "The curves agree over all {points:,} {units} compared: the largest difference is {largest:.2e} of "
        "the loss. If accuracy "
        "falls short nevertheless, the benchmark most likely has the same problem.",
        "zh": "两条曲线在对比的全部 {points:,} 个 {units} 上一致：最大相对差异 {largest:.2e}。若精度仍不达标，"
        "标杆脚本很可能有同样的问题。",
    },
    "within-noise": {
        "en": "Over all {points:,} {units} compared, the curves differ by no more than repeated runs of one script do (up to "
        "{noise:.1%} of the loss): smaller faults cannot be seen until the randomness is fixed.",
        "zh": "在对比的全部 {points:,} 个 {units} 上，两条曲线的差异不超过同一脚本多次运行之间的波动（{noise:.1%} 以内都算波动）："
        "随机性固定之前，比这更小的问题看不出来。",
    },
    "slight": {
        "en": "From {unit} {step:,.12g} on they differ by more than rounding explains ({relative:.1e}, {floor:.1e} would be usual), "
        "though within the usual tolerance: operators differ, or the code does slightly. Layer outputs show it better than losses.",
        "zh": "从第 {step:,.12g} 个 {unit} 起，差异（{relative:.1e}）超出舍入误差所能解释的（通常 {floor:.1e}），但仍在通常容差以内："
        "可能是算子实现不同，也可能是代码里的小差别。逐层输出比 loss 看得更清楚。",
    },
    "slight-second": {
        "en": "The first losses agree (to {before:.1e}), the second differ by more than rounding explains ({relative:.1e}, {floor:.1e} "
        "would be usual), though within the usual tolerance: the gradients or the update of the first step differ slightly.",
        "zh": "第一步的 loss 一致（相差 {before:.1e}），第二步的差异（{relative:.1e}）超出舍入误差所能解释的（通常 {floor:.1e}），"
        "但仍在通常容差以内：第一步的梯度或更新可能有小的不同。",
    },
    "slight-later": {
        "en": "From {unit} {step:,.12g} on they differ by more than rounding explains ({relative:.1e}, {floor:.1e} would be usual), "
        "but not before (to {before:.1e}), though within the usual tolerance: a small difference begins there.",
        "zh": "从第 {step:,.12g} 个 {unit} 起，差异（{relative:.1e}）超出舍入误差所能解释的（通常 {floor:.1e}），此前没有"
        "（相差 {before:.1e}），但仍在通常容差以内：那里开始有小的不同。",
    },
    "gradient-first": {
        "en": "The first losses agree (to {before:.1e}), but the gradient norms of the first step differ by "
        "{relative:.1e}: {value:.9g} here, {other:.9g} in the benchmark. The backward pass differs, a weight is frozen "
        "on one side only, or the two norms are not of the same weights.",
        "zh": "第一步的 loss 一致（相差 {before:.1e}），但第一步的梯度范数相差 {relative:.1e}：本脚本 {value:.9g}，"
        "标杆 {other:.9g}。反向计算不同、某些权重只在一边被冻结，或两边的范数所统计的权重不同。",
    },
    "lone": {
        "en": "The losses differ by more than usual at only {count:,} {count:point|points} ({steps}) and agree again afterwards: this "
        "is not a fork.",
        "zh": "仅在 {count:,} 处 loss 之差超出容差（{steps}），之后又一致：不算分叉。",
    },
    "shifted": {
        "en": "The curves agree when one is shifted by one {unit} ({ours} {direction} the other by one): one log counts differently, "
        "or one run skipped the first batch.",
        "zh": "把其中一条曲线错开一个 {unit} 后两者一致（{ours} {direction}一个 {unit}）：两份日志的计数方式不同，"
        "或有一边跳过了首个 batch。",
    },
    "other-batches": {
        "en": "From {unit} {step:,.12g} on, the ups and downs of the two curves are unrelated (correlation {likeness:.2f}): the two "
        "runs used different batches, or their randomness is not fixed." + _ORDER["en"],
        "zh": "从第 {step:,.12g} 个 {unit} 起，两条曲线的起伏互不相关（相关系数 {likeness:.2f}）：两边用的不是同样的 batch，"
        "或随机性没有固定。" + _ORDER["zh"],
    },
    "nan-ours": {
        "en": "The loss here is NaN or Inf from {unit} {step:,.12g} on, the benchmark's is not{later}; nothing differs before that. "
        "Item mp.01 traces where such values come from.",
        "zh": "本脚本的 loss 在第 {step:,.12g} 个 {unit} 变为 NaN 或 Inf，标杆没有{later}，此前两者一致。其来源见检查项 mp.01。",
    },
    "nan-theirs": {
        "en": "The benchmark's loss is NaN or Inf from {unit} {step:,.12g} on, the one here is not{later}; up to then "
        "nothing differs. After that "
        "the benchmark is none.",
        "zh": "标杆的 loss 在第 {step:,.12g} 个 {unit} 变为 NaN 或 Inf，本脚本没有{later}，此前两者一致。在此之后标杆不能再作参照。",
    },
    "both-nan": {
        "en": "Both losses become NaN or Inf at the same {unit}, {step:,.12g}, and agree up to then: the cause is "
        "common to both scripts, such as a "
        "sample or the learning rate.",
        "zh": "两边的 loss 在同一个 {unit}（第 {step:,.12g} 个）变为 NaN 或 Inf，此前一致：原因是两个脚本共有的，例如某条数据或学习率。",
    },
    "nan-after": {
        "en": "NaN or Inf comes only after the curves diverge, at {unit} {step:,.12g} ({sides}).",
        "zh": "NaN 或 Inf 出现在分叉之后：第 {step:,.12g} 个 {unit}（{sides}）。",
    },
    "schedule": {
        "en": "The learning rates differ from {unit} {step:,.12g} on: {value:.6g} here, {other:.6g} in the benchmark. Settle this "
        "first: it alone makes the losses diverge.",
        "zh": "学习率从第 {step:,.12g} 个 {unit} 起不同：本脚本 {value:.6g}，标杆 {other:.6g}。应先解决：仅此一项就会使 loss 分叉。",
    },
    "schedule-same": {
        "en": "The learning rates of both logs agree ({points:,} {units} compared).",
        "zh": "两份日志的学习率一致（对比了 {points:,} 个 {units}）。",
    },
    "gradient-norm": {
        "en": "The gradient norms differ by {relative:.1%} in the mean over the first {points:,} {units} "
        "({tolerance:.0%} is usual); at {unit} "
        "{step:,.12g}: {value:.6g} here, {other:.6g} in the benchmark.",
        "zh": "梯度范数在前 {points:,} 个 {units} 上平均相差 {relative:.1%}（通常在 {tolerance:.0%} 以内）；第 {step:,.12g} 个 {unit}："
        "本脚本 {value:.6g}，标杆 {other:.6g}。",
    },
    "evaluation": {
        "en": "The training losses agree, but the evaluation differs from {unit} {step:,.12g} on ({name}): {value:.6g} here, "
        "{other:.6g} in the benchmark. The cause is something that training does not use: the moving statistics of BatchNorm "
        "(momentum), evaluation mode, or the evaluation's own data and processing.",
        "zh": "训练 loss 一致，但评估结果（{name}）从第 {step:,.12g} 个 {unit} 起不同：本脚本 {value:.6g}，标杆 {other:.6g}。"
        "这类差异来自训练时用不到的部分：BatchNorm 的滑动统计量（momentum）、推理模式，或评估的数据与处理。",
    },
    "evaluation-same": {
        "en": "The evaluations of both agree too ({name}, {points:,} compared).",
        "zh": "两边的评估结果（{name}）也一致（对比了 {points:,} 次）。",
    },
    "benchmark-noisy": {
        "en": "Two runs of one script differ by {relative:.2e} in their first two losses ({path}): its randomness is not fixed, so "
        "only differences beyond its noise count here, and the first steps say little. See cmp.01 and cmp.02.",
        "zh": "同一脚本两次运行的前两步 loss 相差 {relative:.2e}（{path}）：随机性没有固定，因此这里只计超出其波动的差异，"
        "前几步难以说明问题。"
        "见 cmp.01 与 cmp.02。",
    },
    "fix-forward": {
        "en": "Compare the initial weights (cmp.06) and the first batches (cmp.04), then the outputs of each layer "
        "for one batch (cmp.09).",
        "zh": "先对比初始权重（cmp.06）和首个 batch（cmp.04），再用同一个 batch 逐层对比输出（cmp.09）。",
    },
    "fix-backward": {
        "en": "Save the weights after the first step on both sides and compare them; then optimizer, its parameter "
        "groups, learning rate, "
        "loss reduction and clipping (cmp.03).",
        "zh": "两边各保存第一步之后的权重并对比；再查优化器、参数分组、学习率、loss 的 reduction 和梯度裁剪（cmp.03）。",
    },
    "fix-fork": {
        "en": "Look for what happens at that step: a change of the learning rate, a new epoch, a certain batch, an overflow. Reproduce "
        "it at step 2: load the state from two steps earlier and skip the data used up to then; accucheck plan prints the code.",
        "zh": "查该步发生了什么：学习率变化、换 epoch、特定的 batch、溢出。可把它提前到第 2 步：加载再前一步开始时的状态，"
        "并跳过已用的数据，代码见 accucheck plan。",
    },
    "fix-evaluation": {
        "en": "Check momentum and eps of each BatchNorm (momentum 0.9 in mindspore.nn is 0.1 in PyTorch), "
        "set_train(False), and the "
        "evaluation pipeline.",
        "zh": "检查每个 BatchNorm 的 momentum 和 eps（mindspore.nn 的 0.9 即 PyTorch 的 0.1）、set_train(False) 以及评估的数据管道。",
    },
}
WORDS: Words = {
    **_curve_pairs.WORDS,
    "this": {"en": "this training", "zh": "本次训练"},
    "benchmark": {"en": "benchmark", "zh": "标杆"},
}
WHY: Words = {
    "forward": {
        "en": "Before the first update nothing but the forward pass, the weights and the data has a say in the loss.",
        "zh": "首次更新之前，loss 只取决于正向计算、权重和数据。",
    },
    "backward": {
        "en": "Equal first losses clear the forward pass; between the first and the second loss lie the gradients "
        "and one update.",
        "zh": "第一步一致说明正向没有问题；第一步与第二步之间只有梯度计算和一次权重更新。",
    },
    "fork": {
        "en": "Rounding grows gradually; a difference that jumps and stays has a cause at that step.",
        "zh": "舍入误差是逐渐增大的；突然跃升且不再消失的差异，原因就在那一步。",
    },
}
PROOF: Words = {
    "forward": {
        "en": "Run one batch with the same weights through both networks and compare the outputs layer by layer: "
        "the first that differs is at fault.",
        "zh": "用相同权重、同一个 batch 跑两边的网络并逐层对比：最先不一致的那一层有问题。",
    },
    "backward": {
        "en": "Compare gradients and weights after one step: equal gradients with other weights are the optimizer's.",
        "zh": "对比一步之后的梯度和权重：梯度相同而权重不同，问题在优化器。",
    },
    "fork": {
        "en": "Start both from the state one step before {unit} {step:,.12g}: the second loss must then differ.",
        "zh": "两边都从第 {step:,.12g} 个 {unit} 的前一步开始训练：第二步的 loss 就应不同。",
    },
}
_PART: Words = {
    "either": {"en": "the backward pass or the update of the weights", "zh": "问题在反向计算或权重更新"},
    "backward": {
        "en": "the gradient norms of the first step differ too, which points to the backward pass",
        "zh": "第一步的梯度范数也不同，问题在反向计算",
    },
    "update": {
        "en": "the gradient norms of the first step agree, which points to the optimizer's update",
        "zh": "第一步的梯度范数一致，问题在优化器的权重更新",
    },
}
_CONFIDENCE: Words = {
    "high": {"en": "high", "zh": "高"},
    "medium": {"en": "medium", "zh": "中"},
    "low": {"en": "low", "zh": "低"},
}
_OTHERS: Words = {
    "never": {"en": "", "zh": ""},
    "later": {"en": " before {unit} {other:,.12g}", "zh": "（到第 {other:,.12g} 个 {unit} 才出现）"},
}
_SIDES: Words = {
    "ours": {"en": "here", "zh": "本脚本"},
    "theirs": {"en": "in the benchmark", "zh": "标杆"},
    "both": {"en": "in both", "zh": "两边"},
}
_DIRECTION: Words = {"before": {"en": "runs before", "zh": "早"}, "behind": {"en": "runs behind", "zh": "晚"}}


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    yield from _curve_pairs.judged(case, "curves.reference.path", partial(_judged, case, params))


def _judged(
    case: Case, params: Params, ours: Logs, theirs: Logs, one: Series, other: Series, pair: Pair
) -> Iterator[Finding]:
    limits = _curve_pairs.limits(case, params)
    reruns, wrong = _reruns(case, one, other)
    yield from wrong
    for rerun in reruns:
        if noisy := _noisy(rerun, params):
            yield noisy
    yield from pair.told()
    yield from _LossPair(params, limits, pair, reruns, ours, theirs).findings()


def _reruns(case: Case, ours: Series, theirs: Series) -> tuple[list[Pair], list[Finding]]:
    """Each of the two trainings against its own further runs."""
    found, wrong = [], []
    for key, of in (("curves.rerun", ours), ("curves.reference.rerun", theirs)):
        logs, unreadable = _curve_pairs.logs(case, key)
        wrong += unreadable
        for one in logs:
            again = one.series("loss")
            if again is not None and again.path != of.path:
                found.append(_curve_pairs.pair(of, again))
    return found, wrong


def _noisy(rerun: Pair, params: Params) -> Finding | None:
    """Two runs of one script whose first two losses differ."""
    from ..readers.curve_comparison import relative

    points = rerun.points
    if not rerun.first or len(points.x) < 2:
        return None
    first = relative(points.ours, points.theirs)[:2]
    largest = float(first.max())
    if not largest > params.tolerance:
        return None
    data = {"relative": largest, "path": rerun.theirs.path}
    return Finding("benchmark-noisy", Level.INFO, rerun.theirs.where, data, incomplete=True)


class _LossPair:
    """One pair of training losses, and what else both logs tell."""

    def __init__(
        self, params: Params, limits: Limits, pair: Pair, reruns: list[Pair], ours: Logs, theirs: Logs
    ) -> None:
        from ..readers.curve_comparison import compare

        self.params, self.limits, self.pair = params, limits, pair
        self.ours, self.theirs = ours, theirs
        self.noise = _curve_pairs.noise(reruns, pair)
        self.found: Comparison = compare(pair.points.ours, pair.points.theirs, self.noise, limits)

    def at(self, index: int) -> dict[str, Any]:
        """What messages name of one point."""
        points, found = self.pair.points, self.found
        return self.pair.data | {
            "step": float(points.x[index]),
            "value": _plain(points.ours[index]),
            "other": _plain(points.theirs[index]),
            "relative": _plain(found.relative[index]),
            "allowed": float(found.bound[index]),
            "floor": max(self.limits.rounding, float(found.printed[index])),
            "jump": min(found.jump, 1e9),
        }

    def findings(self) -> Iterator[Finding]:
        found, pair = self.found, self.pair
        nans = [at for at in (found.ours_bad, found.theirs_bad) if at is not None]
        start = found.origin if found.origin is not None else found.visible
        parted = False
        if nans and (start is None or min(nans) <= start):
            yield self.nan(min(nans))
        elif start is None:
            yield from self.agreeing()
        elif (direction := self.shifted()) is not None:
            data = pair.data | {"direction": _DIRECTION[direction]}
            yield Finding("shifted", Level.SUSPECT, pair.ours.where, data, self.charts())
        else:
            parted = True
            yield from self.parting(start)
            if nans:
                yield self.nan_after(nans)
        if found.lone:
            steps = [f"{pair.points.x[at]:,.12g}" for at in found.lone]
            data = {"count": len(steps), "steps": _curve_pairs.shown(steps)}
            yield Finding("lone", Level.INFO, pair.ours.where, data)
        if start is not None and (printed := float(found.printed[: start + 1].max())) > 10 * self.limits.rounding:
            yield Finding("coarse", Level.INFO, pair.ours.where, {"printed": printed})
        yield from self.schedule()
        yield from self.gradients(start)
        if not parted:
            yield from self.evaluations()

    def charts(self) -> list[Any]:
        return _curve_pairs.charts(self.pair, self.found, ("this", "benchmark"))

    def nan(self, at: int) -> Finding:
        found, points = self.found, self.pair.points
        if found.ours_bad == found.theirs_bad:
            return Finding("both-nan", Level.SUSPECT, self.pair.ours.where, self.at(at), self.charts())
        is_ours = found.ours_bad == at
        other = found.theirs_bad if is_ours else found.ours_bad
        when = "never" if other is None else "later"
        blanks = {} if other is None else {"other": float(points.x[other])}
        later = {
            language: text.format(unit=self.pair.data["unit"][language], **blanks) if other is not None else ""
            for language, text in _OTHERS[when].items()
        }
        code, level = ("nan-ours", Level.PROBLEM) if is_ours else ("nan-theirs", Level.SUSPECT)
        return Finding(code, level, self.pair.ours.where, self.at(at) | {"later": later}, self.charts())

    def nan_after(self, nans: list[int]) -> Finding:
        sides = "both" if len(nans) == 2 else "ours" if self.found.ours_bad is not None else "theirs"
        data = self.pair.data | {"step": float(self.pair.points.x[min(nans)]), "sides": _SIDES[sides]}
        return Finding("nan-after", Level.INFO, self.pair.ours.where, data)

    def agreeing(self) -> Iterator[Finding]:
        import numpy as np

        found, where = self.found, self.pair.ours.where
        if (
            self.pair.first and found.relative[0] > found.bound[0]
        ):  # nothing was trained yet: one loss tells, others may hide it
            yield Finding("forward", Level.SUSPECT, where, self.at(0), self.charts(), Fix("fix-forward"))
            return
        known = np.isfinite(found.relative)
        data = self.pair.data | {"points": int(known.sum()), "largest": float(found.relative[known].max())}
        # A wide noise hides faults as well.
        noise = 0.0 if self.noise is None else self.limits.noise * float(np.median(self.noise))
        if noise > 10 * self.limits.visible:
            yield Finding("within-noise", Level.INFO, where, data | {"noise": noise}, self.charts(), incomplete=True)
            return
        yield Finding("agrees", Level.INFO, where, data, self.charts())
        if (printed := float(found.printed.max())) > 10 * self.limits.rounding:
            yield Finding("coarse", Level.INFO, where, {"printed": printed})
        if self.noise is None:
            yield from self.slight()

    def slight(self) -> Iterator[Finding]:
        """A small difference at the first steps of curves that agree."""
        import numpy as np

        found, where = self.found, self.pair.ours.where
        level = Level.SUSPECT if self.limits.visible == self.params.tolerance else Level.INFO
        early = 0 if self.first_differs() else found.early
        if early is None:
            return
        data = self.at(early)
        if early:
            data["before"] = float(np.nanmax(found.relative[:early]))
        second = early == 1 and self.pair.first and self.pair.points.x[1] - self.pair.points.x[0] == 1
        if not second and 0 < early < self.params.settled:
            return  # a single unit that rounding turns on or off does as much
        yield Finding("slight" if not early else "slight-second" if second else "slight-later", level, where, data)

    def first_differs(self) -> bool:
        """Whether the first loss, which nothing has trained yet, differs by more than rounding; later ones may go up and down."""
        found = self.found
        floor = max(self.limits.rounding, float(found.printed[0]))
        return self.pair.first and bool(found.relative[0] > self.limits.jump * floor)

    def first_gradients(self, norms: Pair) -> Iterator[Finding]:
        """Norms of the first step alone: those of equal weights and batches, where the first losses agree."""
        from ..readers.curve_comparison import compare

        found, fine = self.found, self.limits.visible == self.params.tolerance
        if self.noise is not None or found.early is not None or not (fine and norms.first and self.pair.first):
            return
        if found.relative[0] > found.bound[0] or self.first_differs() or found.printed[0] > 10 * self.limits.rounding:
            return
        first = compare(norms.points.ours[:1], norms.points.theirs[:1], None, self.limits)
        if first.relative[0] > first.bound[0]:
            data = {
                "before": float(found.relative[0]),
                "relative": float(first.relative[0]),
                "value": _plain(norms.points.ours[0]),
                "other": _plain(norms.points.theirs[0]),
            }
            yield Finding("gradient-first", Level.SUSPECT, norms.ours.where, data)

    def parting(self, start: int) -> Iterator[Finding]:
        import numpy as np

        found, pair, points = self.found, self.pair, self.pair.points
        where, evidence = pair.ours.where, self.charts()
        assert found.visible is not None
        likeness = _curve_pairs.likeness(points.ours[start : start + 100], points.theirs[start : start + 100])
        other = likeness is not None and likeness < self.params.likeness
        data = self.at(start) | {"seen": float(points.x[found.visible])}
        if start:
            data |= {"last": float(points.x[start - 1]), "before": float(np.nanmax(found.relative[:start]))}
        lasting = int((np.isfinite(found.relative[start:])).sum())
        late = float(points.x[found.visible] - points.x[start]) > self.params.soon
        # What the digits of a log hide in the first loss may be what shows in the second.
        hidden = (
            start == 1
            and found.printed[0] > 10 * self.limits.rounding
            and found.relative[1] < 10 * self.limits.jump * found.printed[0]
        )
        sure = Level.SUSPECT if late or hidden or lasting < 2 or (other and start == 0) else Level.PROBLEM
        if found.origin is None:
            yield self.drift(found.visible)
        elif start == 0 and not pair.first:
            yield Finding("fork-before", sure, where, data, evidence, Fix("fix-forward"))
        elif start == 0:
            slight = found.visible > 0
            code = "forward-slight" if slight else "forward"
            yield Finding(code, Level.SUSPECT if slight else sure, where, data, evidence, Fix("fix-forward"))
        elif start == 1 and pair.first and points.x[1] - points.x[0] == 1:
            data["part"] = _PART[self.part()]
            yield Finding("backward", sure, where, data, evidence, Fix("fix-backward"))
        else:
            confidence = "low" if lasting < 3 or late else "high" if found.jump >= 10 * self.limits.jump else "medium"
            data["confidence"] = _CONFIDENCE[confidence]
            yield Finding("fork", sure, where, data, evidence, Fix("fix-fork"))
        if other:
            yield Finding("other-batches", Level.SUSPECT, where, data | {"likeness": likeness})

    def drift(self, at: int) -> Finding:
        """A difference without a beginning; it counts where it came soon, or the curves end apart."""
        points = self.pair.points
        ends = _curve_pairs.ends(points.ours, points.theirs)
        assert ends is not None  # a drift is seen at points that both have
        value, other, spread = ends
        allowed = max(self.params.end * max(abs(other), 1.0), self.params.noise * spread)
        alike = abs(value - other) <= allowed and float(points.x[at] - points.x[0]) > self.params.soon
        data = self.at(at) | {"value": value, "other": other}
        level = Level.INFO if alike else Level.SUSPECT
        return Finding("drift", level, self.pair.ours.where, data, self.charts())

    def shifted(self) -> str | None:
        """Whether the curves agree once one is moved by a point."""
        from ..readers.curve_comparison import compare

        ours, theirs = self.pair.points.ours, self.pair.points.theirs
        if len(ours) < 12:
            return None
        for direction, one, other in (("behind", ours[1:], theirs[:-1]), ("before", ours[:-1], theirs[1:])):
            found = compare(one, other, None, self.limits)
            if found.visible is None and not found.lone and found.ours_bad is None and found.theirs_bad is None:
                return direction
        return None

    def beside(self, meaning: str, *, evaluated: bool = False) -> Pair | None:
        """The same columns of both logs, from the runs that were compared."""
        one = self.ours.series(meaning, evaluated=evaluated, beside=None if evaluated else self.pair.ours)
        other = self.theirs.series(meaning, evaluated=evaluated, beside=self.pair.theirs)
        if one is None or other is None:
            return None
        pair = _curve_pairs.pair(one, other)
        return pair if len(pair.points.x) else None

    def part(self) -> str:
        """Whether the gradients of the first step tell the backward pass from the update."""
        norms = self.beside("norm")
        if norms is None or not norms.first or not len(norms.points.x):
            return "either"
        from ..readers.curve_comparison import compare

        first = compare(norms.points.ours[:1], norms.points.theirs[:1], None, self.limits)
        return "update" if not first.relative[0] > first.bound[0] else "backward"

    def schedule(self) -> Iterator[Finding]:
        import numpy as np

        from ..readers.curve_comparison import resolution

        pair = self.beside("lr")
        if pair is None:
            return
        points = pair.points
        # A few round rates do not tell to how many digits rates are printed.
        sides = [side for side in (points.ours, points.theirs) if len(np.unique(side)) >= 10]
        printed = np.max([np.zeros(len(points.x)), *map(resolution, sides)], axis=0)
        highest = float(np.nanmax(np.abs(points.theirs))) if np.isfinite(points.theirs).any() else 0.0
        allowed = np.maximum(1e-3 * np.abs(points.theirs), np.maximum(1.01 * printed, 1e-6 * highest))
        differs = np.abs(points.ours - points.theirs) > allowed
        if not differs.any():
            data = pair.data | {"points": len(points.x)}
            yield Finding("schedule-same", Level.INFO, pair.ours.where, data)
            return
        moved = [
            (np.abs(one - other) <= allowed[1:]).all()
            for one, other in ((points.ours[1:], points.theirs[:-1]), (points.ours[:-1], points.theirs[1:]))
        ]
        at = int(np.flatnonzero(differs)[0])
        data = pair.data | {
            "step": float(points.x[at]),
            "value": _plain(points.ours[at]),
            "other": _plain(points.theirs[at]),
        }
        # A log may tell the rate before or after the step.
        level = Level.SUSPECT if len(points.x) > 2 and any(moved) else Level.PROBLEM
        yield Finding("schedule", level, pair.ours.where, data)

    def gradients(self, start: int | None) -> Iterator[Finding]:
        """The norms up to where the losses part: after that they differ anyway."""
        import numpy as np

        from ..readers.curve_comparison import relative

        pair = self.beside("norm")
        if pair is None:
            return
        points = pair.points
        count = len(points.x)
        if start is not None and pair.unit == self.pair.unit:
            count = max(1, int(np.searchsorted(points.x, self.pair.points.x[start])))
        differences = relative(points.ours, points.theirs)[:count]
        known = np.isfinite(differences)
        if not known.any() or (mean := float(differences[known].mean())) <= self.params.gradients:
            if start is None:
                yield from self.first_gradients(pair)
            return
        at = int(np.nanargmax(differences > self.params.gradients))
        data = pair.data | {
            "relative": mean,
            "points": int(known.sum()),
            "tolerance": self.params.gradients,
            "step": float(points.x[at]),
            "value": _plain(points.ours[at]),
            "other": _plain(points.theirs[at]),
        }
        yield Finding("gradient-norm", Level.SUSPECT, pair.ours.where, data)

    def evaluations(self) -> Iterator[Finding]:
        """Evaluations of trainings that agree."""
        import numpy as np

        from ..readers.curve_comparison import compare

        for meaning in ("loss", "accuracy"):
            pair = self.beside(meaning, evaluated=True)
            if pair is None or not len(pair.points.x):
                continue
            found = compare(pair.points.ours, pair.points.theirs, None, self.limits)
            parted = found.origin if found.origin is not None else found.visible
            curves = pair.points.ours, pair.points.theirs
            bad = [_curve_pairs.lost(one, other) for one, other in (curves, curves[::-1])]
            start = min((at for at in (parted, *bad) if at is not None), default=None)
            known = int(np.isfinite(found.relative).sum())
            data = pair.data | {"points": known, "name": pair.ours.name}
            if start is None:
                if known:
                    yield Finding("evaluation-same", Level.INFO, pair.ours.where, data)
                continue
            data |= {
                "step": float(pair.points.x[start]),
                "value": _said(pair.points.ours[start]),
                "other": _said(pair.points.theirs[start]),
            }
            label = "loss" if meaning == "loss" else "accuracy"
            evidence = _curve_pairs.charts(pair, found, ("this", "benchmark"), label)
            yield Finding("evaluation", Level.PROBLEM, pair.ours.where, data, evidence, Fix("fix-evaluation"))
            return


def _plain(value: Any) -> float | None:
    """A number as JSON can hold it."""
    import math

    return float(value) if math.isfinite(value) else None


def _said(value: Any) -> float | str:
    """The same where a person is to read NaN or Inf."""
    return float(value) if _plain(value) is not None else {"nan": "NaN", "inf": "Inf"}.get(str(value), "-Inf")


def _losses(count: int = 60, seed: int = 1) -> list[float]:
    """A training that falls from about 2.3 to 0.3, with the ups and downs of its batches."""
    from math import exp, sin

    return [0.3 + 2 * exp(-at / 15) + 0.05 * sin(seed + 7.3 * at * at) for at in range(count)]


def _rounded(losses: list[float], share: float = 1e-7) -> list[float]:
    """The same in another framework."""
    from math import sin

    return [loss * (1 + share * sin(11.7 * at * at)) for at, loss in enumerate(losses)]


def _changed(start: int, factor: float = 1.02) -> list[float]:
    return [loss * (factor if at >= start else 1) for at, loss in enumerate(_rounded(_losses()))]


def _csv(first: int = 1, **columns: list[float]) -> str:
    """A table of a training with a row a step."""
    rows = [",".join(["step", *columns])]
    rows += [",".join([str(first + at), *map(repr, row)]) for at, row in enumerate(zip(*columns.values(), strict=True))]
    return "\n".join(rows) + "\n"


def _log(losses: list[float]) -> str:
    """A log as MindSpore's LossMonitor prints it, of epochs of 20 steps."""
    return "".join(f"epoch: {at // 20 + 1} step: {at % 20 + 1}, loss is {loss:.9g}\n" for at, loss in enumerate(losses))


def _example(name: str, ours: str, theirs: str, verdict: Verdict, *codes: str, **more: str) -> Example:
    reference = {"path": "ref.csv"} | ({"rerun": "rerun.csv"} if "rerun.csv" in more else {})
    return Example(
        name,
        files={"train.csv": ours, "ref.csv": theirs, **more},
        case={"curves": {"train": "train.csv", "reference": reference}},
        verdict=verdict,
        codes=codes,
    )


_OURS, _THEIRS = _csv(loss=_rounded(_losses())), _csv(loss=_losses())
_NAN = float("nan")
EXAMPLES = [
    _example("two frameworks, one training", _OURS, _THEIRS, Verdict.OK, "agrees"),
    _example(
        "steps from 0, and epochs of 20 steps", _csv(0, loss=_rounded(_losses())), _log(_losses()), Verdict.OK, "agrees"
    ),
    _example(
        "a log of every step and one of half as many", _OURS, _csv(loss=_losses()[:30]), Verdict.OK, "agrees", "partial"
    ),
    _example("the forward pass", _csv(loss=_changed(0)), _THEIRS, Verdict.PROBLEM, "forward"),
    _example(
        "a first loss within the usual tolerance that is more than rounding",
        _csv(loss=[loss * (1 + min(9e-4 * 5**at, 0.01)) for at, loss in enumerate(_losses())]),
        _THEIRS,
        Verdict.UNDECIDED,
        "forward-slight",
    ),
    _example("the second loss", _csv(loss=_changed(1)), _THEIRS, Verdict.PROBLEM, "backward"),
    _example("step 31", _csv(loss=_changed(30)), _THEIRS, Verdict.PROBLEM, "fork"),
    _example(
        "logs that begin at step 10",
        _csv(10, loss=_changed(0)),
        _csv(10, loss=_losses()),
        Verdict.PROBLEM,
        "fork-before",
    ),
    _example(
        "rounding that grows",
        _csv(loss=[loss * (1 + min(1e-7 * 1.3**at, 0.005)) for at, loss in enumerate(_losses())]),
        _THEIRS,
        Verdict.OK,
        "drift",
    ),
    _example(
        "rounding in one training of many steps",
        _csv(loss=_rounded(_losses(), 2e-4)),
        _THEIRS,
        Verdict.UNDECIDED,
        "slight-second",
    ),
    _example(
        "a first loss that alone is more than rounding",
        _csv(loss=[_losses()[0] * (1 + 3e-5), *_losses()[1:]]),
        _THEIRS,
        Verdict.UNDECIDED,
        "agrees",
        "slight",
    ),
    _example(
        "a first loss that alone differs visibly",
        _csv(loss=[_losses()[0] * 1.01, *_losses()[1:]]),
        _THEIRS,
        Verdict.UNDECIDED,
        "forward",
    ),
    _example(
        "a small difference from step 31 on",
        _csv(loss=[*_losses()[:30], *_rounded(_losses(), 2e-4)[30:]]),
        _THEIRS,
        Verdict.UNDECIDED,
        "slight-later",
    ),
    _example(
        "first gradients that differ a little",
        _csv(loss=_rounded(_losses()), grad_norm=[1.004] + [1.0] * 59),
        _csv(loss=_losses(), grad_norm=[1.0] * 60),
        Verdict.UNDECIDED,
        "agrees",
        "gradient-first",
    ),
    _example(
        "losses of four digits",
        _csv(loss=[round(loss, 3) for loss in _losses()]),
        _THEIRS,
        Verdict.OK,
        "agrees",
        "coarse",
    ),
    _example("a point of its own", _csv(loss=[*_losses()[:20], 9.0, *_losses()[21:]]), _THEIRS, Verdict.OK, "lone"),
    _example(
        "counted from the second batch", _csv(loss=_rounded(_losses()[1:])), _THEIRS, Verdict.UNDECIDED, "shifted"
    ),
    _example("other batches", _csv(loss=_losses(seed=4)), _THEIRS, Verdict.UNDECIDED, "forward", "other-batches"),
    _example(
        "within the noise of the benchmark",
        _csv(loss=_losses(seed=4)),
        _THEIRS,
        Verdict.UNDECIDED,
        "within-noise",
        "benchmark-noisy",
        **{"rerun.csv": _csv(loss=_losses(seed=2))},
    ),
    _example(
        "NaN here",
        _csv(loss=[*_rounded(_losses())[:40], *[_NAN] * 20]),
        _THEIRS,
        Verdict.PROBLEM,
        "nan-ours",
    ),
    _example(
        "NaN in the benchmark", _OURS, _csv(loss=[*_losses()[:40], *[_NAN] * 20]), Verdict.UNDECIDED, "nan-theirs"
    ),
    _example(
        "NaN in both",
        _csv(loss=[*_rounded(_losses())[:40], *[_NAN] * 20]),
        _csv(loss=[*_losses()[:40], *[_NAN] * 20]),
        Verdict.UNDECIDED,
        "both-nan",
    ),
    _example(
        "another schedule",
        _csv(loss=_changed(30), lr=[0.1] * 30 + [0.01] * 30),
        _csv(loss=_losses(), lr=[0.1] * 60),
        Verdict.PROBLEM,
        "fork",
        "schedule",
    ),
    _example(
        "gradients of another size, and an update that hides it",
        _csv(loss=_rounded(_losses()), grad_norm=[2.0] * 60),
        _csv(loss=_losses(), grad_norm=[1.0] * 60),
        Verdict.UNDECIDED,
        "agrees",
        "gradient-norm",
    ),
    _example(
        "moving statistics that only an evaluation uses",
        _csv(loss=_rounded(_losses()), val_loss=[1.0, 1.1] * 30),
        _csv(loss=_losses(), val_loss=[1.2, 1.3] * 30),
        Verdict.PROBLEM,
        "agrees",
        "evaluation",
    ),
    _example(
        "evaluations that are NaN here alone",
        _csv(loss=_rounded(_losses()), val_loss=[1.2, 1.3] * 15 + [_NAN] * 30),
        _csv(loss=_losses(), val_loss=[1.2, 1.3] * 30),
        Verdict.PROBLEM,
        "evaluation",
    ),
    Example(
        "one file twice",
        files={"train.csv": _OURS},
        case={"curves": {"train": "train.csv", "reference": {"path": "./train.csv"}}},
        verdict=Verdict.UNDECIDED,
        codes=["same-file"],
    ),
    _example("no common step", _csv(loss=_losses()), _csv(900, loss=_losses()), Verdict.UNDECIDED, "no-overlap"),
    _example("one step", _csv(loss=[2.3]), _csv(loss=[2.4]), Verdict.UNDECIDED, "few-points"),
    _example("no loss", "step,a\n1,2\n2,2\n", _THEIRS, Verdict.UNDECIDED, "no-curve-known"),
]
