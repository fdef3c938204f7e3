"""Reads from the training scripts whether half precision is trained with a loss scale, and whether the scale is taken off again.

Catches: float16 by amp_level, to_float, types of layers and parameters with nothing that scales the loss; a scale that is put on
and never taken off, taken off twice, or taken off without having been put on; an optimizer whose loss_scale is not that of the
scaler; a scale of 1 that cannot grow; a dynamic scale that is never adjusted; a window and a factor exchanged. Follows the
scale through helper functions and tuples by value. Knows that amp_level O2 brings a dynamic scale, that O3 and to_float bring
none, and that bfloat16 needs none. Cannot tell: whether gradients really underflow. Never imports or runs the scripts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

import msgspec

from ..case import Case
from ..language import Words
from ..model import Finding, Kind, Level, Progress, Verdict
from ..probe import script_example
from ..script.step_faults import LOSS_SCALE as _FAULTS
from . import _grades, _training

KIND = Kind.STATIC
NEEDS: tuple[str | tuple[str, ...], ...] = ("scripts.train",)


class Params(msgspec.Struct, frozen=True):
    pass


_LEVELS = {
    **dict.fromkeys((*_FAULTS, "window-is-factor"), Level.PROBLEM),
    **dict.fromkeys((f"{code}-sometimes" for code in _FAULTS), Level.SUSPECT),
    "no-scale-partly": Level.SUSPECT,
    "no-scale-by-mode": Level.SUSPECT,
    "level-decides": Level.SUSPECT,
    "uneven": Level.SUSPECT,
}
#: Info that leaves the probe undecided.
_OPEN = (
    "level-unknown",
    "manager-unknown",
    "optimizer-unknown",
    "loss-unknown",
    "unresolved",
    "unresolved-step",
)

MESSAGES: Words = _training.sometimes(
    {
        **_training.MESSAGES,
        "no-scale": {
            "en": "{half} here, and {step} trains with it without any loss scale.",
            "zh": "此处使用了 {half}，而 {step} 训练时没有任何 loss scale。",
        },
        "no-scale-unused": {
            "en": "{half} here, and {step} trains with it without any loss scale: {unused} is set and never used.",
            "zh": "此处使用了 {half}，而 {step} 训练时没有任何 loss scale：{unused} 赋值后从未使用。",
        },
        "no-scale-partly": {
            "en": "Values within the network are made float16 here ({half}), and {step} trains without a loss scale.",
            "zh": "此处把网络中间的数值转成了 float16（{half}），而 {step} 训练时没有 loss scale。",
        },
        "no-scale-by-mode": {
            "en": "The precision mode set here makes Ascend compute in half precision, but {step} trains without a loss scale.",
            "zh": "此处 context 的精度模式会让 Ascend 以半精度计算，而 {step} 训练时没有 loss scale。",
        },
        "level-decides": {
            "en": "{step} trains under level {level}: its lists decide what runs in float16, and it brings no loss scale.",
            "zh": "{step} 使用 {level} 级别训练：哪些算子用 float16 由其名单决定，且该级别不带 loss scale。",
        },
        "level-unknown": {
            "en": "The amp level of {step} is {level}, whose value cannot be seen here.",
            "zh": "{step} 的混合精度级别由 {level} 决定，从脚本中看不出它的值。",
        },
        "manager-unknown": {
            "en": "How {step} scales the loss is decided by {manager}, which cannot be seen here.",
            "zh": "{step} 如何缩放损失由 {manager} 决定，从脚本中看不出来。",
        },
        "optimizer-unknown": {
            "en": "What {optimizer} divides gradients by in {step} cannot be seen here.",
            "zh": "看不出 {step} 中的优化器 {optimizer} 会把梯度除以多少。",
        },
        "kept": {
            "en": "{step} multiplies the loss by {scale} and leaves the division to {optimizer}, which has loss_scale={divisor}.",
            "zh": "{step} 把损失乘以 {scale}，由 {optimizer} 负责除回，但其 loss_scale 为 {divisor}。",
        },
        "kept-own": {
            "en": "Gradients still include the loss scale ({scale}) when {step} passes them to the optimizer.",
            "zh": "{step} 把梯度交给优化器时，梯度仍带着 loss scale（{scale}）。",
        },
        "divided-only": {
            "en": "{optimizer} divides gradients by loss_scale={divisor}, but {step} never multiplies the loss.",
            "zh": "{optimizer} 按 loss_scale={divisor} 除梯度，但 {step} 从未放大损失。",
        },
        "divided-own": {
            "en": "{step} divides gradients by {scale}, by which the loss was never multiplied.",
            "zh": "{step} 把梯度除以 {scale}，但损失从未乘过它。",
        },
        "divided-twice": {
            "en": "{step} already removes the loss scale, and {optimizer} divides by loss_scale={divisor} again.",
            "zh": "{step} 自身已经还原了 loss scale，{optimizer} 又按 loss_scale={divisor} 再除一次。",
        },
        "mismatch": {
            "en": "{step} multiplies the loss by {scale}, but {optimizer} divides gradients by loss_scale={divisor}.",
            "zh": "{step} 把损失乘以 {scale}，而 {optimizer} 按 loss_scale={divisor} 除梯度，两者不一致。",
        },
        "mismatch-own": {
            "en": "After {step} and {optimizer} with loss_scale={divisor}, gradients are multiplied by {scale} in the end.",
            "zh": "经过 {step} 和 loss_scale={divisor} 的 {optimizer} 之后，梯度最终多乘了 {scale}。",
        },
        "scale-one": {
            "en": "The loss scale of {scaler} is 1 and cannot grow, which is none.",
            "zh": "{scaler} 的 loss scale 为 1 且不会增大，等于没有。",
        },
        "never-adjusted": {
            "en": "Nothing in {step} adjusts the dynamic loss scale {scale}: it stays at its first value.",
            "zh": "{step} 中没有任何代码调整动态 loss scale（{scale}），它会一直停在初始值。",
        },
        "window-is-factor": {
            "en": "{scaler} gets scale_window={window} and scale_factor={factor}: the two look swapped, since the window is a number "
            "of steps and the factor multiplies the scale.",
            "zh": "{scaler} 的 scale_window 传入了 {window}，scale_factor 传入了 {factor}：前者应为步数，后者应为倍数，此处用混了。",
        },
        "uneven": {
            "en": "Only a part of the loss of {step} is multiplied by the loss scale.",
            "zh": "{step} 的损失只有一部分乘了 loss scale。",
        },
        "loss-unknown": {
            "en": "What {step} takes gradients of cannot be seen here, nor whether it is scaled.",
            "zh": "看不出 {step} 对什么求梯度，也看不出其中是否乘了 loss scale。",
        },
        "unresolved": {
            "en": "The loss is multiplied by {scale} and {optimizer} divides by {divisor}; whether these are equal cannot be seen.",
            "zh": "损失乘以 {scale}，{optimizer} 除以 {divisor}，看不出两者是否相等。",
        },
        "unresolved-step": {
            "en": "Whether {step} takes the loss scale {scale} off again cannot be seen here.",
            "zh": "看不出 {step} 是否把 loss scale（{scale}）还原。",
        },
        "scaled-dynamic": {
            "en": "{step} scales the loss dynamically and removes the scale itself.",
            "zh": "{step} 使用动态 loss scale，并会自行还原。",
        },
        "scaled-fixed": {
            "en": "{step} multiplies the loss by a fixed number and divides the gradients by it again.",
            "zh": "{step} 使用固定 loss scale，并按相同的数值还原。",
        },
        "scaled-own": {
            "en": "{step} multiplies the loss by {scale} and divides gradients by it.",
            "zh": "{step} 把损失乘以 {scale}，并把梯度除以它。",
        },
        "no-half": {
            "en": "{step} trains without half precision and without a loss scale.",
            "zh": "{step} 训练时没有使用半精度，也没有 loss scale。",
        },
        "fix-scale": {
            "en": "Scale the loss. With Model: loss_scale_manager=amp.DynamicLossScaleManager(). In a step of your own: "
            "nn.TrainOneStepWithLossScaleCell, or amp.DynamicLossScaler with scale, unscale and adjust. Or use bfloat16.",
            "zh": "启用 loss scale。使用 Model 时传 loss_scale_manager=amp.DynamicLossScaleManager()；自写训练步用 "
            "nn.TrainOneStepWithLossScaleCell，或用 amp.DynamicLossScaler 的 scale、unscale、adjust；也可以改用 bfloat16。",
        },
        "fix-same": {
            "en": "Give the optimizer the same loss_scale, or use FixedLossScaleManager with drop_overflow_update=True or "
            "DynamicLossScaleManager, which divide by themselves.",
            "zh": "给优化器传相同的 loss_scale；或改用 drop_overflow_update=True 的 FixedLossScaleManager 或 "
            "DynamicLossScaleManager，由它们自行还原。",
        },
        "fix-unscale": {
            "en": "Divide the gradients by the scale once, before clipping and before the optimizer.",
            "zh": "在裁剪和交给优化器之前，把梯度除以 loss scale，且只除一次。",
        },
        "fix-once": {
            "en": "Leave the optimizer's loss_scale at 1.",
            "zh": "优化器的 loss_scale 保持默认值 1。",
        },
        "fix-neither": {
            "en": "Multiply the loss by the same number, or leave the division out.",
            "zh": "要么把损失也乘以同一个数，要么去掉这次除法。",
        },
        "fix-start": {
            "en": "Start a dynamic scale high, for instance at 2**16 or 2**24, with scale_factor=2 and scale_window=1000.",
            "zh": "动态 loss scale 从较大的值开始，例如 2**16 或 2**24，并设 scale_factor=2、scale_window=1000。",
        },
        "fix-adjust": {
            "en": "Call adjust(grads_finite), or the update cell with the overflow flag, in every step.",
            "zh": "每一步都调用 adjust(grads_finite)，或以溢出标志调用更新 Cell。",
        },
        "fix-window": {
            "en": "Give scale_factor the factor (2) and scale_window the number of steps (1000 or so).",
            "zh": "scale_factor 传倍数（如 2），scale_window 传步数（如 1000）。",
        },
    },
    _FAULTS,
)
WORDS: Words = _grades.WORDS

_VANISH = {
    "en": "float16 has nothing between 0 and 6e-8: small gradients become zero, their weights stop learning, and accuracy stays "
    "below that of float32.",
    "zh": "float16 在 0 与 6e-8 之间没有可表示的数，较小的梯度会变成 0，对应权重停止学习，精度低于 float32 训练。",
}
_TOO_LARGE = {
    "en": "Every update is too large by the scale: SGD and Momentum diverge, Adam loses the effect of its epsilon, and clipping and "
    "weight decay no longer fit the gradients.",
    "zh": "每次更新都被放大：SGD、Momentum 会发散，Adam 的 epsilon 失去作用，裁剪阈值和权重衰减也与梯度不匹配。",
}
_TOO_SMALL = {
    "en": "Every update is too small by that factor: with SGD and Momentum the network hardly learns, and Adam's epsilon outweighs "
    "small gradients.",
    "zh": "每次更新都被缩小相应倍数：SGD、Momentum 几乎不学习，Adam 中较小的梯度会被 epsilon 淹没。",
}
_WRONG_SIZE = {
    "en": "The gradients do not have the intended size: it is as if the learning rate were multiplied, and clipping and weight decay "
    "no longer fit.",
    "zh": "梯度的大小与预期不符，相当于学习率被乘上一个倍数，裁剪阈值和权重衰减也不再合适。",
}
_STUCK = {
    "en": "A scale that is too large overflows in every step, and one that is too small lets gradients vanish; a dynamic scale finds "
    "the value in between.",
    "zh": "scale 过大则每步溢出，过小则梯度下溢；动态 loss scale 正是用来在两者之间找到合适的值。",
}
WHY: Words = _training.also(
    {
        "no-scale": _VANISH,
        "no-scale-unused": _VANISH,
        "no-scale-partly": _VANISH,
        "no-scale-by-mode": _VANISH,
        "level-decides": _VANISH,
        "kept": _TOO_LARGE,
        "kept-own": _TOO_LARGE,
        "divided-only": _TOO_SMALL,
        "divided-own": _TOO_SMALL,
        "divided-twice": _TOO_SMALL,
        "mismatch": _WRONG_SIZE,
        "mismatch-own": _WRONG_SIZE,
        "scale-one": _VANISH,
        "never-adjusted": _STUCK,
        "window-is-factor": {
            "en": "The scale then grows by a factor of hundreds at a time, or every few steps, so most steps overflow and are skipped.",
            "zh": "scale 会一次增大成百上千倍，或每隔几步就增大，导致大多数步溢出并被跳过。",
        },
        "uneven": {
            "en": "Dividing by the scale makes the part that was not multiplied vanish from the gradients.",
            "zh": "还原时统一除以 scale，没有放大的那部分损失在梯度中几乎消失。",
        },
    },
    _FAULTS,
)
_COMPARE = {
    "en": "Print the largest gradient that reaches the optimizer, once as it is and once in float32 without a scale: the two must "
    "be of the same size.",
    "zh": "打印到达优化器的最大梯度，与 float32、不加 loss scale 时对比，两者应当大小相近。",
}
_SHARE = {
    "en": "Count the gradients that are exactly zero for some steps, in float16 and in float32; or train briefly with a loss scale "
    "and compare the loss curves.",
    "zh": "分别在 float16 和 float32 下统计若干步中恰好为 0 的梯度占比；或加上 loss scale 短训一段，对比 loss 曲线。",
}
_RECORD = {
    "en": "Record the scale and the overflow flag of each step and look whether it changes as it should.",
    "zh": "记录每一步的 scale 和溢出标志，看其变化是否符合预期。",
}
PROOF: Words = _training.also(
    {
        **dict.fromkeys(
            ("no-scale", "no-scale-unused", "no-scale-partly", "no-scale-by-mode", "level-decides", "scale-one"), _SHARE
        ),
        **dict.fromkeys(
            ("kept", "kept-own", "divided-only", "divided-own", "divided-twice", "mismatch", "mismatch-own", "uneven"),
            _COMPARE,
        ),
        "never-adjusted": _RECORD,
        "window-is-factor": _RECORD,
    },
    _FAULTS,
)
_FIXES = {
    **dict.fromkeys(
        ("no-scale", "no-scale-unused", "no-scale-partly", "no-scale-by-mode", "level-decides"), "fix-scale"
    ),
    **dict.fromkeys(("kept", "mismatch"), "fix-same"),
    **dict.fromkeys(("kept-own", "mismatch-own", "uneven"), "fix-unscale"),
    **dict.fromkeys(("divided-only", "divided-own"), "fix-neither"),
    "divided-twice": "fix-once",
    "scale-one": "fix-start",
    "never-adjusted": "fix-adjust",
    "window-is-factor": "fix-window",
}


@_grades.by_road
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..script.loss_scaling import examine

    yield from _training.findings(case, examine, _LEVELS, _OPEN, _FIXES, network=True)


def suggest(findings: Iterable[Finding]) -> Verdict:
    return _training.suggested(findings, {"no-half"})


_HEAD = """
import mindspore as ms
from mindspore import amp, nn, ops

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(8, 2)

    def construct(self, x):
        return self.dense(x)

net = Net()
loss_fn = nn.CrossEntropyLoss()
"""
_LOOP = """
scaler = amp.DynamicLossScaler(2**16, 2, 1000)
opt = nn.Adam(net.trainable_params(), 1e-3)
net = amp.auto_mixed_precision(net, "O2")

def forward(x, y):
    return scaler.scale(loss_fn(net(x), y))

grad_fn = ms.value_and_grad(forward, None, opt.parameters)

def step(x, y):
    loss, grads = grad_fn(x, y)
    grads = scaler.unscale(grads)
    finite = amp.all_finite(grads)
    if finite:
        opt(grads)
    scaler.adjust(finite)
    return loss
"""


_example = partial(script_example, _HEAD)

EXAMPLES = [
    _example(
        "float32 needs no scale",
        """
model = ms.Model(net, loss_fn, nn.Momentum(net.trainable_params(), 0.1, 0.9))
""",
        Verdict.NOT_APPLICABLE,
        "no-half",
    ),
    _example(
        "half precision by the context",
        """
ms.set_context(ascend_config={"precision_mode": "allow_mix_precision"})
model = ms.Model(net, loss_fn, nn.Momentum(net.trainable_params(), 0.1, 0.9))
""",
        Verdict.UNDECIDED,
        "no-scale-by-mode",
    ),
    _example(
        "bfloat16 by the context",
        """
ms.set_context(ascend_config={"precision_mode": "allow_mix_precision_bf16"})
model = ms.Model(net, loss_fn, nn.Momentum(net.trainable_params(), 0.1, 0.9))
""",
        Verdict.UNDECIDED,
        "precision-mode",
    ),
    _example(
        "O2 brings a dynamic scale by default",
        """
model = ms.Model(net, loss_fn, nn.Momentum(net.trainable_params(), 0.1, 0.9), amp_level="O2")
""",
        Verdict.OK,
        "scaled-dynamic",
    ),
    _example(
        "O3 brings none",
        """
model = ms.Model(net, loss_fn, nn.Momentum(net.trainable_params(), 0.1, 0.9), amp_level="O3")
""",
        Verdict.PROBLEM,
        "no-scale",
    ),
    _example(
        "O3 and no scale exclude each other",
        """
level = "O0" if ms.get_context("device_target") == "GPU" else "O3"
opt = nn.Momentum(net.trainable_params(), 0.1, 0.9)
if ms.get_context("device_target") == "GPU":
    model = ms.Model(net, loss_fn, opt, amp_level=level)
else:
    model = ms.Model(net, loss_fn, opt, amp_level=level, loss_scale_manager=ms.DynamicLossScaleManager())
""",
        Verdict.OK,
        "scaled-dynamic",
    ),
    _example(
        "O3 where no scale is given",
        """
level = "O3" if ms.get_context("device_target") == "GPU" else "O0"
opt = nn.Momentum(net.trainable_params(), 0.1, 0.9)
if ms.get_context("device_target") == "GPU":
    model = ms.Model(net, loss_fn, opt, amp_level=level)
else:
    model = ms.Model(net, loss_fn, opt, amp_level=level)
""",
        Verdict.PROBLEM,
        "no-scale",
    ),
    _example(
        "O3 with a loss scale that is assigned and forgotten",
        """
loss_scale = 1024
model = ms.Model(net, loss_fn, nn.Momentum(net.trainable_params(), 0.1, 0.9), amp_level="O3")
""",
        Verdict.PROBLEM,
        "no-scale-unused",
    ),
    _example(
        "O2 with its manager switched off",
        """
model = ms.Model(net, loss_fn, nn.Momentum(net.trainable_params(), 0.1, 0.9), amp_level="O2", loss_scale_manager=None)
""",
        Verdict.PROBLEM,
        "no-scale",
    ),
    _example(
        "to_float(float16) on a layer of the network",
        """
net.dense.to_float(ms.float16)
model = ms.Model(net, loss_fn, nn.Momentum(net.trainable_params(), 0.1, 0.9))
""",
        Verdict.PROBLEM,
        "no-scale",
    ),
    _example(
        "labels that are made one-hot in float16",
        """
encode = nn.OneHot(depth=2, dtype=ms.float16)
model = ms.Model(net, lambda logits, y: loss_fn(logits, encode(y)), nn.Momentum(net.trainable_params(), 0.1, 0.9))
""",
        Verdict.NOT_APPLICABLE,
    ),
    _example(
        "a training cell that is never made, beside the one that trains",
        """
class Step(nn.TrainOneStepCell):
    def construct(self, *inputs):
        loss = self.network(*inputs)
        grads = self.grad(self.network, self.weights)(*inputs, self.sens)
        return ops.depend(loss, self.optimizer(grads))

net.to_float(ms.float16)
optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
step = nn.TrainOneStepWithLossScaleCell(nn.WithLossCell(net, loss_fn), optimizer, ms.Tensor(1024.0))
for x, y in data:
    step(x, y)
""",
        Verdict.OK,
        "scaled-fixed",
    ),
    _example(
        "bfloat16 needs no scale",
        """
net.to_float(ms.bfloat16)
model = ms.Model(net, loss_fn, nn.Momentum(net.trainable_params(), 0.1, 0.9))
""",
        Verdict.NOT_APPLICABLE,
    ),
    _example(
        "O1 leaves it to its lists",
        """
model = ms.Model(net, loss_fn, nn.Momentum(net.trainable_params(), 0.1, 0.9), amp_level="O1")
""",
        Verdict.UNDECIDED,
        "level-decides",
    ),
    _example(
        "a fixed scale, and the same in the optimizer",
        """
scale = 1024
manager = amp.FixedLossScaleManager(scale, drop_overflow_update=False)
opt = nn.Momentum(net.trainable_params(), 0.1, 0.9, 1e-4, scale)
model = ms.Model(net, loss_fn, opt, amp_level="O3", loss_scale_manager=manager)
""",
        Verdict.OK,
        "scaled-fixed",
    ),
    _example(
        "the optimizer does not know of the scale",
        """
manager = ms.FixedLossScaleManager(1024, False)
opt = nn.Momentum(net.trainable_params(), 0.1, 0.9)
model = ms.Model(net, loss_fn, opt, amp_level="O3", loss_scale_manager=manager)
""",
        Verdict.PROBLEM,
        "kept",
    ),
    _example(
        "another scale in the optimizer",
        """
manager = ms.FixedLossScaleManager(1024, False)
opt = nn.Momentum(net.trainable_params(), 0.1, 0.9, loss_scale=128)
model = ms.Model(net, loss_fn, opt, amp_level="O3", loss_scale_manager=manager)
""",
        Verdict.PROBLEM,
        "mismatch",
    ),
    _example(
        "the optimizer divides a second time",
        """
opt = nn.Momentum(net.trainable_params(), 0.1, 0.9, loss_scale=1024)
model = ms.Model(net, loss_fn, opt, amp_level="O2")
""",
        Verdict.PROBLEM,
        "divided-twice",
    ),
    _example(
        "the optimizer divides what was never multiplied",
        """
opt = nn.Momentum(net.trainable_params(), 0.1, 0.9, loss_scale=1024)
model = ms.Model(net, loss_fn, opt)
""",
        Verdict.PROBLEM,
        "divided-only",
    ),
    _example(
        "sens with the same number in the optimizer",
        """
opt = nn.SGD(net.trainable_params(), 0.1, loss_scale=512.0)
step = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), opt, sens=512.0)
""",
        Verdict.OK,
        "scaled-fixed",
    ),
    _example(
        "sens that nothing takes off",
        """
opt = nn.SGD(net.trainable_params(), 0.1)
step = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), opt, sens=512.0)
""",
        Verdict.PROBLEM,
        "kept",
    ),
    _example(
        "window and factor exchanged",
        """
manager = nn.DynamicLossScaleUpdateCell(2**12, 1000, 2)
opt = nn.SGD(net.trainable_params(), 0.1)
step = nn.TrainOneStepWithLossScaleCell(nn.WithLossCell(net, loss_fn), opt, scale_sense=manager)
""",
        Verdict.PROBLEM,
        "window-is-factor",
        "scaled-dynamic",
    ),
    _example(
        "a training cell that is made and not used",
        """
net.to_float(ms.float16)
opt = nn.SGD(net.trainable_params(), 0.1)
left = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), opt)
left.set_train(True)
model = ms.Model(net, loss_fn, opt, loss_scale_manager=ms.FixedLossScaleManager(128.0, drop_overflow_update=True))
model.train(1, data)
""",
        Verdict.OK,
        "scaled-fixed",
    ),
    _example("a loop with a dynamic scaler", _LOOP, Verdict.OK, "scaled-own"),
    _example(
        "a loop in half precision without a scaler",
        _LOOP.replace("scaler.scale(loss_fn(net(x), y))", "loss_fn(net(x), y)")
        .replace("    grads = scaler.unscale(grads)\n", "")
        .replace("    scaler.adjust(finite)\n", ""),
        Verdict.PROBLEM,
        "no-scale",
    ),
    _example(
        "gradients that are never unscaled",
        _LOOP.replace("    grads = scaler.unscale(grads)\n", ""),
        Verdict.PROBLEM,
        "kept-own",
    ),
    _example(
        "gradients that are unscaled without having been scaled",
        _LOOP.replace("scaler.scale(loss_fn(net(x), y))", "loss_fn(net(x), y)"),
        Verdict.PROBLEM,
        "divided-own",
    ),
    _example(
        "a dynamic scale that is never adjusted",
        _LOOP.replace("    scaler.adjust(finite)\n", ""),
        Verdict.PROBLEM,
        "never-adjusted",
    ),
    _example(
        "a dynamic scale that starts at 1 and never grows",
        _LOOP.replace("2**16, 2, 1000", "1, 1, 1000"),
        Verdict.PROBLEM,
        "scale-one",
    ),
    _example(
        "scaled by hand, divided in a helper under another name",
        """
opt = nn.Adam(net.trainable_params(), 1e-3)
net.to_float(ms.float16)
factor = 1024.0

def forward(x, y):
    return loss_fn(net(x), y) * factor

grad_fn = ops.value_and_grad(forward, None, opt.parameters)

def smaller(gradients, by):
    return [g / by for g in gradients]

def step(x, y):
    _, g = grad_fn(x, y)
    opt(smaller(g, factor))
""",
        Verdict.OK,
        "scaled-own",
    ),
    _example(
        "half precision in a debugging mode that is off by default",
        """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--scaled", type=int, default=1)
args = parser.parse_args()
opt = nn.SGD(net.trainable_params(), 0.1)
if args.scaled == 1:
    model = ms.Model(net, loss_fn, opt, amp_level="O3", loss_scale_manager=ms.DynamicLossScaleManager())
else:
    model = ms.Model(net, loss_fn, opt, amp_level="O3")
""",
        Verdict.UNDECIDED,
        "no-scale-sometimes",
        "scaled-dynamic",
    ),
    _example(
        "a weight of the loss is no scale",
        """
opt = nn.SGD(net.trainable_params(), 0.1)

def forward(x, y):
    return 100.0 * loss_fn(net(x), y)

grad_fn = ms.value_and_grad(forward, None, opt.parameters)

def step(x, y):
    loss, grads = grad_fn(x, y)
    opt(grads)
""",
        Verdict.NOT_APPLICABLE,
        "no-half",
    ),
]
