"""Reads from the training scripts whether gradients are clipped after the loss scale is taken off.

Catches: clip_by_global_norm, ClipByNorm, clip_by_value and clipping written out, on gradients that still carry the loss scale:
because they are divided afterwards, by the optimizer only, or never. Follows gradients by value through helper functions,
registered functions and the step's own cells, and into optimizers of the project. Cannot tell: whether the clipping threshold
is right. Never imports or runs the scripts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

import msgspec

from ..case import Case
from ..language import Words
from ..model import Finding, Kind, Level, Progress, Verdict
from ..probe import script_example
from . import _grades, _training

KIND = Kind.STATIC
NEEDS: tuple[str | tuple[str, ...], ...] = ("scripts.train",)


class Params(msgspec.Struct, frozen=True):
    pass


_FAULTS = ("clip-scaled", "clip-before-optimizer", "clip-dropped", "clip-one-sided")
_LEVELS = {
    **dict.fromkeys(_FAULTS, Level.PROBLEM),
    **dict.fromkeys((f"{code}-sometimes" for code in _FAULTS), Level.SUSPECT),
}
#: Info that leaves the probe undecided.
_OPEN = ("clip-unknown",)

MESSAGES: Words = _training.sometimes(
    {
        **_training.MESSAGES,
        "clip-scaled": {
            "en": "{clip} clips gradients here that still carry the loss scale ({scale}).",
            "zh": "{clip} 在此处裁剪梯度时，梯度还带着 loss scale（{scale}）。",
        },
        "clip-before-optimizer": {
            "en": "{clip} clips gradients here, and the optimizer divides them by loss_scale={scale} afterwards.",
            "zh": "{clip} 先在此处裁剪梯度，之后优化器才按 loss_scale={scale} 除梯度。",
        },
        "clip-dropped": {
            "en": "The result of {clip} is discarded here: the step continues with unclipped gradients.",
            "zh": "{clip} 在此处的返回值被丢弃：训练步继续使用的是未经裁剪的梯度。",
        },
        "clip-one-sided": {
            "en": "The bounds of {clip} do not lie on both sides of 0: it changes all gradients on one side, however small they are.",
            "zh": "{clip} 的上下界没有分居 0 的两侧：某一符号的梯度无论多小都会被改变。",
        },
        "clip-unknown": {
            "en": "Whether the gradients that {clip} clips here still carry the loss scale ({scale}) cannot be seen.",
            "zh": "看不出 {clip} 在此处裁剪的梯度是否还带着 loss scale（{scale}）。",
        },
        "clip-clean": {
            "en": "{clip} clips gradients that carry no loss scale.",
            "zh": "{clip} 裁剪的梯度不带 loss scale。",
        },
        "no-clip": {
            "en": "{step} clips no gradients.",
            "zh": "{step} 没有裁剪梯度。",
        },
        "fix-order": {
            "en": "Divide the gradients by the loss scale first, then clip: unscale, (reduce), clip, update.",
            "zh": "先把梯度除以 loss scale 再裁剪：还原 →（聚合）→ 裁剪 → 更新。",
        },
        "fix-keep": {
            "en": "Keep the result: grads = ops.clip_by_global_norm(grads, limit).",
            "zh": "接收返回值：grads = ops.clip_by_global_norm(grads, limit)。",
        },
        "fix-bounds": {
            "en": "Give both bounds: ops.clip_by_value(grads, -limit, limit).",
            "zh": "同时给出上下界：ops.clip_by_value(grads, -limit, limit)。",
        },
        "fix-optimizer": {
            "en": "Divide the gradients in the step, before they are clipped, and leave the optimizer's loss_scale at 1.",
            "zh": "在训练步内、裁剪之前就完成还原，优化器的 loss_scale 保持 1。",
        },
    },
    _FAULTS,
)
WORDS: Words = _grades.WORDS

_THRESHOLD = {
    "en": "The threshold is applied to gradients multiplied by the loss scale: nearly every step is clipped, and after unscaling, "
    "updates are hundreds of times too small and change whenever the scale does.",
    "zh": "裁剪阈值面对的是被放大的梯度，几乎每一步都会触发裁剪；之后再除以 scale，更新量会小几百倍，且随 scale 变化而变化。",
}
WHY: Words = _training.also(
    {
        "clip-scaled": _THRESHOLD,
        "clip-dropped": {
            "en": "Nothing limits the gradients: a single bad batch may throw the weights far off, which clipping was to prevent.",
            "zh": "梯度没有受到任何限制：一个异常的 batch 就可能让权重严重偏离，而裁剪正是为了避免这种情况。",
        },
        "clip-one-sided": {
            "en": "The weights are then driven in one direction, whatever the loss asks for.",
            "zh": "无论损失如何，权重都会被推向同一个方向。",
        },
        "clip-before-optimizer": {
            "en": "The division changes the clipped norm again: the threshold applies to gradients of a different size than intended.",
            "zh": "已限制好的梯度范数随后又被除以一个倍数，阈值的实际含义与本意不符。",
        },
    },
    _FAULTS,
)
_NORM = {
    "en": "Print the gradient norm at the point of clipping, and for the same step without a loss scale: they must be equal.",
    "zh": "打印裁剪处的梯度范数，并与同一步、不加 loss scale 时对比，两者应当相等。",
}
_ENDS = {
    "en": "Print the smallest and the largest element of a gradient before and after it is clipped.",
    "zh": "打印一个梯度在裁剪前后的最小元素和最大元素。",
}
PROOF: Words = _training.also({**dict.fromkeys(_FAULTS, _NORM), "clip-one-sided": _ENDS}, _FAULTS)
_FIXES = {
    "clip-scaled": "fix-order",
    "clip-before-optimizer": "fix-optimizer",
    "clip-dropped": "fix-keep",
    "clip-one-sided": "fix-bounds",
}


@_grades.by_road
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..script.clipping import examine

    yield from _training.findings(case, examine, _LEVELS, _OPEN, _FIXES, network=True)


def suggest(findings: Iterable[Finding]) -> Verdict:
    return _training.suggested(findings, {"no-clip"})


_HEAD = """
import mindspore as ms
from mindspore import amp, nn, ops
from mindspore.ops import composite as C
from mindspore.ops import functional as F

net = nn.Dense(8, 2)
loss_fn = nn.CrossEntropyLoss()
opt = nn.Adam(net.trainable_params(), 1e-3)
"""
_LOOP = """
scaler = amp.DynamicLossScaler(2**16, 2, 1000)

def forward(x, y):
    return scaler.scale(loss_fn(net(x), y))

grad_fn = ms.value_and_grad(forward, None, opt.parameters)

def step(x, y):
    loss, grads = grad_fn(x, y)
    grads = scaler.unscale(grads)
    grads = ops.clip_by_global_norm(grads, 1.0)
    opt(grads)
"""
_CELL = """
grad_scale = C.MultitypeFuncGraph("grad_scale")
clip_grad = C.MultitypeFuncGraph("clip_grad")

@grad_scale.register("Tensor", "Tensor")
def divide(scale, grad):
    return grad * ops.Reciprocal()(scale)

@clip_grad.register("Number", "Tensor")
def limit(norm, grad):
    return nn.ClipByNorm()(grad, F.cast(F.tuple_to_array((norm,)), F.dtype(grad)))

class Step(nn.TrainOneStepWithLossScaleCell):
    def construct(self, x, y):
        loss = self.network(x, y)
        scale = self.scale_sense
        grads = self.grad(self.network, self.weights)(x, y, ops.ones_like(loss) * F.cast(scale, F.dtype(loss)))
        grads = self.hyper_map(F.partial(grad_scale, scale), grads)
        grads = self.hyper_map(F.partial(clip_grad, 1.0), grads)
        self.optimizer(self.grad_reducer(grads))
        return loss

step = Step(nn.WithLossCell(net, loss_fn), opt, nn.DynamicLossScaleUpdateCell(2**12, 2, 1000))
"""
_SENS = """
opt = nn.Momentum(net.trainable_params(), 0.1, 0.9, loss_scale=DIVIDED)

class Step(nn.Cell):
    def __init__(self, network, optimizer, sens=1.0):
        super().__init__()
        self.network, self.optimizer, self.sens = network, optimizer, sens
        self.grad = ops.GradOperation(get_by_list=True, sens_param=True)

    def construct(self, x, y):
        loss = self.network(x, y)
        sens = ops.fill(loss.dtype, loss.shape, self.sens)
        grads = self.grad(self.network, self.optimizer.parameters)(x, y, sens)
        grads = ops.clip_by_global_norm(grads, clip_norm=5.0)
        self.optimizer(grads)
        return loss

step = Step(nn.WithLossCell(net, loss_fn), opt, sens=GIVEN)
"""


_example = partial(script_example, _HEAD)

EXAMPLES = [
    _example("unscaled, then clipped", _LOOP, Verdict.OK, "clip-clean"),
    _example(
        "clipped for nothing",
        _LOOP.replace("    grads = ops.clip", "    ops.clip"),
        Verdict.PROBLEM,
        "clip-dropped",
    ),
    *(
        _example(
            f"clipped by {bounds}",
            _LOOP.replace("ops.clip_by_global_norm(grads, 1.0)", f"ops.{bounds}"),
            verdict,
            code,
        )
        for bounds, verdict, code in (
            ("clip_by_value(grads, 1.0)", Verdict.PROBLEM, "clip-one-sided"),
            ("clip_by_value(grads, -1.0, 1.0)", Verdict.OK, "clip-clean"),
            ("clip_by_value(grads, clip_value_max=1.0)", Verdict.PROBLEM, "clip-one-sided"),
            ("clip_by_value(grads, 0, 1.0)", Verdict.PROBLEM, "clip-one-sided"),
        )
    ),
    _example(
        "clipped through a map",
        _LOOP.replace("ops.clip_by_global_norm(grads, 1.0)", "[g.clamp(min=1e-3) for g in grads]"),
        Verdict.PROBLEM,
        "clip-one-sided",
    ),
    _example(
        "clipped, then unscaled",
        _LOOP.replace("    grads = scaler.unscale(grads)\n", "").replace(
            "    opt(grads)", "    grads = scaler.unscale(grads)\n    opt(grads)"
        ),
        Verdict.PROBLEM,
        "clip-scaled",
    ),
    _example(
        "clipped and never unscaled",
        _LOOP.replace("    grads = scaler.unscale(grads)\n", ""),
        Verdict.PROBLEM,
        "clip-scaled",
    ),
    _example(
        "clipped in a helper after unscaling",
        """
def limited(gradients):
    return tuple(ops.clip_by_value(g, -1.0, 1.0) for g in gradients)
"""
        + _LOOP.replace("ops.clip_by_global_norm(grads, 1.0)", "limited(grads)"),
        Verdict.OK,
        "clip-clean",
    ),
    _example(
        "clipped, written out, before unscaling",
        _LOOP.replace("    grads = scaler.unscale(grads)\n", "")
        .replace(
            "ops.clip_by_global_norm(grads, 1.0)",
            "[g * (1.0 / (ops.sqrt(sum(ops.square(h).sum() for h in grads)) + 1e-6)) for g in grads]",
        )
        .replace("opt(grads)", "opt(scaler.unscale(grads))"),
        Verdict.PROBLEM,
        "clip-scaled",
    ),
    _example("a cell with registered functions", _CELL, Verdict.OK, "clip-clean"),
    _example(
        "a cell that divides last",
        _CELL.replace("F.partial(grad_scale, scale)", "F.partial(LATER, 1.0)")
        .replace("F.partial(clip_grad, 1.0)", "F.partial(grad_scale, scale)")
        .replace("F.partial(LATER, 1.0)", "F.partial(clip_grad, 1.0)"),
        Verdict.PROBLEM,
        "clip-scaled",
    ),
    _example(
        "a cell that divides by one",
        _CELL.replace("F.partial(grad_scale, scale)", "F.partial(grad_scale, ms.Tensor(1.0))"),
        Verdict.PROBLEM,
        "clip-scaled",
    ),
    _example(
        "sens of 1 scales nothing",
        _SENS.replace("GIVEN", "1.0").replace("DIVIDED", "1.0"),
        Verdict.OK,
        "clip-clean",
    ),
    _example(
        "a scale that only the optimizer takes off",
        _SENS.replace("GIVEN", "1024.0").replace("DIVIDED", "1024.0"),
        Verdict.PROBLEM,
        "clip-scaled",
    ),
    _example(
        "nothing is scaled, but the optimizer divides after clipping",
        _SENS.replace("GIVEN", "1.0").replace("DIVIDED", "0.01"),
        Verdict.PROBLEM,
        "clip-before-optimizer",
    ),
    _example(
        "a scale from who knows where",
        _SENS.replace("GIVEN", "read_scale()").replace("DIVIDED", "1.0"),
        Verdict.UNDECIDED,
        "clip-unknown",
    ),
    _example(
        "weights are clipped, not gradients",
        """
model = ms.Model(net, loss_fn, opt)

def limit_weights():
    for weight in net.trainable_params():
        weight.set_data(ops.clip_by_value(weight, -0.01, 0.01))
""",
        Verdict.NOT_APPLICABLE,
        "no-clip",
    ),
    _example(
        "an optimizer that clips before it divides",
        """
class Clipped(nn.Momentum):
    def construct(self, gradients):
        gradients = ops.clip_by_global_norm(gradients, 1.0)
        return super().construct(gradients)

opt = Clipped(net.trainable_params(), 0.1, 0.9, loss_scale=1024)
model = ms.Model(net, loss_fn, opt, amp_level="O3", loss_scale_manager=ms.FixedLossScaleManager(1024, False))
""",
        Verdict.PROBLEM,
        "clip-scaled",
    ),
]
