"""Reads from the training scripts whether an update is held back when gradients overflow in half precision.

Catches: a training step of one's own in float16, or with a dynamic loss scale, that looks for no overflow; a check whose result
nothing asks for; a gate that is the wrong way round, always open, or tells one element where it should tell all; an update on
both ways of the gate; a check of the loss alone; the device's overflow register that is never cleared or never read. Follows a
check through sums, comparisons and helper functions by what it gives for finite and for overflowed gradients. Knows that
Model with a dynamic manager and TrainOneStepWithLossScaleCell check by themselves. Cannot tell whether anything overflows.
Never imports or runs the scripts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

import msgspec

from ..case import Case
from ..language import Words
from ..model import Finding, Kind, Level, Progress, Verdict
from ..probe import Example, script_example
from ..script.step_faults import OVERFLOW as _FAULTS
from . import _grades, _training

KIND = Kind.STATIC
NEEDS: tuple[str | tuple[str, ...], ...] = ("scripts.train",)


class Params(msgspec.Struct, frozen=True):
    pass


_BROKEN = (
    "gate-inverted",
    "gate-open",
    "gate-closed",
    "gate-constant",
    "update-on-overflow",
    "checks-loss",
    "not-cleared",
    "not-read",
)
_LEVELS = {
    **dict.fromkeys((*_FAULTS, *_BROKEN), Level.PROBLEM),
    **dict.fromkeys((f"{code}-sometimes" for code in _FAULTS), Level.SUSPECT),
    "no-check-possible": Level.SUSPECT,
}
#: Info that leaves the probe undecided.
_OPEN = ("manager-unknown", "gate-unknown", "half-by-option", "not-dropped", "ends-run")

MESSAGES: Words = _training.sometimes(
    {
        **_training.MESSAGES,
        "no-check": {
            "en": "{step} updates the weights without looking whether gradients overflowed.",
            "zh": "{step} 更新权重时没有检查梯度是否溢出。",
        },
        "no-check-framework": {
            "en": "{step} trains the whole network in float16 without a loss scale: nothing notices an overflow.",
            "zh": "{step} 以 float16 训练整个网络且没有 loss scale，溢出不会被发现。",
        },
        "no-check-possible": {
            "en": "{step} trains partly in float16, and nothing notices an overflow.",
            "zh": "{step} 训练时部分使用 float16，溢出不会被发现。",
        },
        "check-unused": {
            "en": "{check} looks for an overflow, but {step} updates the weights whatever it finds.",
            "zh": "已用 {check} 检查溢出，但 {step} 无论结果如何都会更新权重。",
        },
        "gate-inverted": {
            "en": "The update is under `{condition}`, which holds after an overflow and not after a clean step.",
            "zh": "更新受条件 `{condition}` 控制，而该条件在溢出时成立、正常时不成立，方向反了。",
        },
        "gate-open": {
            "en": "The update is under `{condition}`, which holds after an overflow as well.",
            "zh": "更新受条件 `{condition}` 控制，但溢出时该条件同样成立。",
        },
        "gate-closed": {
            "en": "The update is under `{condition}`, which does not hold after a clean step either on one of the ways here.",
            "zh": "更新受条件 `{condition}` 控制，但在其中一条路径上，没有溢出时该条件也不成立。",
        },
        "gate-constant": {
            "en": "The update is under `{condition}`, which compares constants on one of the ways here instead of a check.",
            "zh": "更新受条件 `{condition}` 控制，但在其中一条路径上它只是在比较常量，并没有用到溢出检查的结果。",
        },
        "update-on-overflow": {
            "en": "This update runs when `{condition}` signals an overflow, in addition to the one for clean steps.",
            "zh": "条件 `{condition}` 判断为溢出的分支里也执行了更新。",
        },
        "checks-loss": {
            "en": "The update is under `{condition}`, which looks at the loss only: gradients overflow long before the loss.",
            "zh": "更新受条件 `{condition}` 控制，但它只检查了损失：梯度往往早于损失溢出。",
        },
        "not-cleared": {
            "en": "`{condition}` reads the device's overflow register, which nothing clears: one overflow blocks all later updates.",
            "zh": "`{condition}` 读取设备的溢出寄存器，但没有任何地方清零：溢出一次后，之后的更新全被跳过。",
        },
        "not-read": {
            "en": "`{condition}` checks an overflow register that is never read from the device, so it never signals an overflow.",
            "zh": "`{condition}` 依据的溢出状态从未从设备读取（没有调用 NPUGetFloatStatus），永远不会显示溢出。",
        },
        "not-dropped": {
            "en": "{step} scales the loss by a fixed number and updates the weights after an overflow as well.",
            "zh": "{step} 使用固定 loss scale，溢出时仍会更新权重。",
        },
        "manager-unknown": {
            "en": "Whether {step} drops updates on overflow is decided by a loss scale manager that cannot be seen here.",
            "zh": "{step} 在溢出时是否丢弃更新取决于 loss scale 管理器，从脚本中看不出来。",
        },
        "gate-unknown": {
            "en": "The update of {step} depends on `{condition}`; its value after an overflow cannot be seen here.",
            "zh": "{step} 的更新取决于 `{condition}`，看不出它在溢出时的取值。",
        },
        "checked": {
            "en": "{step} updates the weights only when `{condition}` shows that gradients are finite.",
            "zh": "只有 `{condition}` 表明梯度有限时，{step} 才更新权重。",
        },
        "ends-run": {
            "en": "`{condition}` ends the run on an overflow: {step} never trains on from weights that overflowed.",
            "zh": "发现溢出时 `{condition}` 直接终止运行，{step} 不会在溢出的权重上继续训练。",
        },
        "checked-by-framework": {
            "en": "{step} skips updates on overflow by itself.",
            "zh": "{step} 会自行跳过溢出的更新。",
        },
        "checked-by-optimizer": {
            "en": "{step} hands the overflow flag to the optimizer.",
            "zh": "{step} 把溢出标志交给了优化器。",
        },
        "checked-by-mask": {
            "en": "{step} replaces gradients that overflowed.",
            "zh": "{step} 会替换溢出的梯度。",
        },
        "half-by-option": {
            "en": "{step} computes in float16 only if an option or configuration file is changed; an overflow would then go unnoticed.",
            "zh": "只有修改选项或配置文件后，{step} 才会用 float16 计算；那时溢出不会被发现。",
        },
        "no-half": {
            "en": "{step} trains without half precision and without a loss scale.",
            "zh": "{step} 训练时没有使用半精度，也没有 loss scale。",
        },
        "fix-check": {
            "en": "Check the gradients and skip the update on overflow: `if amp.all_finite(grads): optimizer(grads)`, or derive from "
            "nn.TrainOneStepWithLossScaleCell and use start_overflow_check, get_overflow_status, process_loss_scale.",
            "zh": "检查梯度，溢出时跳过更新：`if amp.all_finite(grads): optimizer(grads)`；或继承 nn.TrainOneStepWithLossScaleCell，"
            "使用 start_overflow_check、get_overflow_status、process_loss_scale。",
        },
        "fix-gate": {
            "en": "Update only when all gradients are finite; otherwise leave the weights unchanged.",
            "zh": "仅在全部梯度有限时更新，否则不要改动权重。",
        },
        "fix-gradients": {
            "en": "Check the gradients that go to the optimizer, not the loss.",
            "zh": "检查交给优化器的梯度，而不是损失。",
        },
        "fix-register": {
            "en": "Clear the register before the gradients are computed (NPUClearFloatStatus) and read it afterwards "
            "(NPUGetFloatStatus); or use start_overflow_check and get_overflow_status, which do both.",
            "zh": "求梯度之前用 NPUClearFloatStatus 清零，之后用 NPUGetFloatStatus 读取；或使用已包含这两步的 "
            "start_overflow_check 与 get_overflow_status。",
        },
        "fix-drop": {
            "en": "Use DynamicLossScaleManager, or FixedLossScaleManager with drop_overflow_update=True.",
            "zh": "改用 DynamicLossScaleManager，或 drop_overflow_update=True 的 FixedLossScaleManager。",
        },
    },
    _FAULTS,
)
WORDS: Words = _grades.WORDS

_SPOILED = {
    "en": "An overflow makes gradients Inf or NaN, or on Ascend saturates them without notice; one such update spoils all weights.",
    "zh": "溢出会让梯度变成 Inf 或 NaN，在 Ascend 上还可能不声不响地饱和；只要更新一次，所有权重就被破坏。",
}
_NOTHING = {
    "en": "Clean steps are skipped, so the network hardly learns, or only from steps that overflowed.",
    "zh": "正常的步被跳过，网络几乎学不到东西，甚至只在溢出的步更新。",
}
WHY: Words = _training.also(
    {
        **dict.fromkeys((*_FAULTS, "no-check-possible", "gate-open", "gate-constant"), _SPOILED),
        **dict.fromkeys(("update-on-overflow", "checks-loss", "not-read"), _SPOILED),
        **dict.fromkeys(("gate-inverted", "gate-closed", "not-cleared"), _NOTHING),
    },
    _FAULTS,
)
_COUNT = {
    "en": "Count the steps in which gradients are not finite and those in which the weights change: these must be the other steps.",
    "zh": "统计梯度出现非有限值的步和权重发生变化的步：两者不应重叠，且其余各步都应更新。",
}
_LOOK = {
    "en": "Look at some hundred steps for gradients that are not finite (ops.isfinite), or on Ascend at the overflow dump.",
    "zh": "在几百步内用 ops.isfinite 检查梯度是否出现非有限值；在 Ascend 上查看溢出 dump。",
}
PROOF: Words = _training.also(
    {**dict.fromkeys((*_FAULTS, "no-check-possible"), _LOOK), **dict.fromkeys(_BROKEN, _COUNT)},
    _FAULTS,
)
_FIXES = {
    **dict.fromkeys((*_FAULTS, "no-check-possible"), "fix-check"),
    **dict.fromkeys(("gate-inverted", "gate-open", "gate-closed", "gate-constant", "update-on-overflow"), "fix-gate"),
    "checks-loss": "fix-gradients",
    "not-cleared": "fix-register",
    "not-read": "fix-register",
    "not-dropped": "fix-drop",
}


@_grades.by_road
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..script.overflow_gate import examine

    yield from _training.findings(case, examine, _LEVELS, _OPEN, _FIXES, network=True, inside=True)


def suggest(findings: Iterable[Finding]) -> Verdict:
    return _training.suggested(findings, {"no-half"})


_HEAD = """
import mindspore as ms
from mindspore import amp, nn, ops
from mindspore.ops import functional as F

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(8, 2).to_float(ms.float16)

    def construct(self, x):
        return self.dense(x)

net = Net()
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
    finite = amp.all_finite(grads)
    if finite:
        opt(grads)
    scaler.adjust(finite)
    return loss
"""
_ADDED_UP = """
scaler = amp.DynamicLossScaler(2**16, 2, 1000)

def forward(x, y):
    return scaler.scale(loss_fn(net(x), y))

grad_fn = ms.value_and_grad(forward, None, opt.parameters)
totals = [ops.zeros_like(one) for one in opt.parameters]
for count, (x, y) in enumerate(data):
    loss, grads = grad_fn(x, y)
    grads = scaler.unscale(grads)
    finite = amp.all_finite(grads)
    scaler.adjust(finite)
    if finite:
        totals = [total + grad / 4 for total, grad in zip(totals, grads)]
    if count % 4 == 3:
        opt(tuple(totals))
        totals = [ops.zeros_like(one) for one in totals]
"""
_CELL = """
_overflow = ops.MultitypeFuncGraph("overflow")

@_overflow.register("Tensor")
def _tensor_overflow(grad):
    return ops.FloatStatus()(grad)

class Step(nn.TrainOneStepWithLossScaleCell):
    def __init__(self, network, optimizer, manager):
        super().__init__(network, optimizer, manager)
        self.base = ms.Tensor(1, ms.float32)
        self.less_equal = ops.LessEqual()
        self.map = ops.HyperMap()

    def construct(self, x, y):
        loss = self.network(x, y)
        scale = self.scale_sense
        filled = ops.ones_like(loss) * F.cast(scale, F.dtype(loss))
        grads = self.grad(self.network, self.weights)(x, y, filled)
        grads = [g / scale for g in grads]
        flags = self.map(F.partial(_overflow), grads)
        total = ops.AddN()(flags)
        overflow = self.less_equal(self.base, total)
        overflow = self.process_loss_scale(overflow)
        if not overflow:
            self.optimizer(grads)
        return loss

step = Step(nn.WithLossCell(net, loss_fn), opt, nn.DynamicLossScaleUpdateCell(2**12, 2, 1000))
"""
_REGISTER = """
class Step(nn.Cell):
    def __init__(self, network, optimizer):
        super().__init__()
        self.network, self.optimizer = network, optimizer
        self.grad = ops.GradOperation(get_by_list=True, sens_param=True)
        self.alloc, self.clear, self.get = ops.NPUAllocFloatStatus(), ops.NPUClearFloatStatus(), ops.NPUGetFloatStatus()
        self.sum = ops.ReduceSum(keep_dims=False)
        self.scale = ms.Parameter(ms.Tensor(1024.0, ms.float32), name="loss_scale")

    def construct(self, x, y):
        loss = self.network(x, y)
        status = self.alloc()
        self.clear(status)
        grads = self.grad(self.network, self.optimizer.parameters)(x, y, self.scale * 1.0)
        grads = [g / self.scale for g in grads]
        self.get(status)
        if self.sum(status, (0,)) == 0:
            self.optimizer(grads)
        return loss

step = Step(nn.WithLossCell(net, loss_fn), opt)
"""


_example = partial(script_example, _HEAD)

EXAMPLES = [
    _example("a loop that updates on finite gradients", _LOOP, Verdict.OK, "checked"),
    _example(
        "the same gate, negated and under another name",
        _LOOP.replace(
            "    if finite:\n        opt(grads)",
            "    bad = not finite\n    if bad:\n        pass\n    else:\n        opt(grads)",
        ),
        Verdict.OK,
        "checked",
    ),
    _example(
        "a return before the update on overflow",
        _LOOP.replace(
            "    if finite:\n        opt(grads)", "    if ops.logical_not(finite):\n        return loss\n    opt(grads)"
        ),
        Verdict.OK,
        "checked",
    ),
    _example(
        "checked and updated all the same",
        _LOOP.replace("    if finite:\n        opt(grads)", "    opt(grads)"),
        Verdict.PROBLEM,
        "check-unused",
    ),
    _example(
        "checked after the update, and the run ends",
        _LOOP.replace(
            "    if finite:\n        opt(grads)", "    opt(grads)\n    if not finite:\n        raise SystemExit"
        ),
        Verdict.UNDECIDED,
        "ends-run",
    ),
    _example(
        "a flag of the check ends the run",
        _LOOP.replace(
            "    finite = amp.all_finite(grads)\n    if finite:\n        opt(grads)",
            "    opt(grads)\n    stop = False\n    for one in grads:\n        if ops.isnan(one).any():\n            stop = True\n"
            "    if stop:\n        exit()",
        ),
        Verdict.UNDECIDED,
        "ends-run",
    ),
    _example(
        "a flag of the check is only printed",
        _LOOP.replace(
            "    finite = amp.all_finite(grads)\n    if finite:\n        opt(grads)",
            "    opt(grads)\n    stop = False\n    for one in grads:\n        if ops.isnan(one).any():\n            stop = True\n"
            "    if stop:\n        print('overflow')",
        ),
        Verdict.PROBLEM,
        "check-unused",
    ),
    _example(
        "a gate the wrong way round",
        _LOOP.replace("    if finite:", "    if not finite:"),
        Verdict.PROBLEM,
        "gate-inverted",
    ),
    _example(
        "an update on both ways",
        _LOOP.replace("        opt(grads)", "        opt(grads)\n    else:\n        opt(grads)"),
        Verdict.PROBLEM,
        "update-on-overflow",
    ),
    _example(
        "one finite element is enough",
        _LOOP.replace("amp.all_finite(grads)", "ops.stack([ops.isfinite(g).any() for g in grads]).all()"),
        Verdict.PROBLEM,
        "gate-open",
    ),
    _example(
        "all elements are asked",
        _LOOP.replace("amp.all_finite(grads)", "ops.stack([ops.isfinite(g).all() for g in grads]).all()"),
        Verdict.OK,
        "checked",
    ),
    _example(
        "the loss is checked instead of the gradients",
        _LOOP.replace("amp.all_finite(grads)", "ops.isfinite(loss).all()"),
        Verdict.PROBLEM,
        "checks-loss",
    ),
    _example("only finite gradients are added up, and the update asks no more", _ADDED_UP, Verdict.OK, "checked"),
    _example(
        "gradients are added up where they are not finite",
        _ADDED_UP.replace("if finite:", "if not finite:"),
        Verdict.PROBLEM,
        "gate-inverted",
    ),
    _example(
        "gradients are added up whether they are finite or not",
        _ADDED_UP.replace("if finite:", "if count >= 0:"),
        Verdict.PROBLEM,
        "check-unused",
    ),
    _example(
        "no check at all in half precision",
        """
def forward(x, y):
    return loss_fn(net(x), y)

grad_fn = ms.value_and_grad(forward, None, opt.parameters)

def step(x, y):
    loss, grads = grad_fn(x, y)
    opt(grads)
    return loss
""",
        Verdict.PROBLEM,
        "no-check",
    ),
    _example("a cell that sums the float status of its gradients", _CELL, Verdict.OK, "checked"),
    _example(
        "operands of the comparison exchanged",
        _CELL.replace("self.less_equal(self.base, total)", "self.less_equal(total, self.base)"),
        Verdict.PROBLEM,
        "gate-closed",
    ),
    _example(
        "a comparison of constants",
        _CELL.replace("self.less_equal(self.base, total)", "self.less_equal(self.base, self.base * 0)"),
        Verdict.PROBLEM,
        "check-unused",
    ),
    _example("the device's register, cleared and read", _REGISTER, Verdict.OK, "checked"),
    _example(
        "the device's register is never cleared",
        _REGISTER.replace("        self.clear(status)\n", ""),
        Verdict.PROBLEM,
        "not-cleared",
    ),
    _example(
        "the device's register is never read",
        _REGISTER.replace("        self.get(status)\n", ""),
        Verdict.PROBLEM,
        "not-read",
    ),
    _example(
        "Model with the default manager of O2",
        """
model = ms.Model(net, loss_fn, opt, amp_level="O2")
""",
        Verdict.OK,
        "checked-by-framework",
    ),
    _example(
        "Model with a fixed scale that drops nothing",
        """
opt = nn.Momentum(net.trainable_params(), 0.1, 0.9, loss_scale=1024)
model = ms.Model(net, loss_fn, opt, amp_level="O3", loss_scale_manager=ms.FixedLossScaleManager(1024, False))
""",
        Verdict.UNDECIDED,
        "not-dropped",
    ),
    _example(
        "the whole network in float16 without anything",
        """
model = ms.Model(net, loss_fn, opt, amp_level="O3")
""",
        Verdict.PROBLEM,
        "no-check-framework",
    ),
    Example(
        "the whole network in float16 by an option that is off",
        files={
            "train.py": """
import argparse
import mindspore as ms
from mindspore import nn

options = argparse.ArgumentParser()
options.add_argument("--half", action="store_true")
options = options.parse_args()
level = "O3" if options.half else "O0"
net = nn.Dense(8, 2)
model = ms.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params()), amp_level=level)
model.train(1, data)
"""
        },
        case={"scripts": {"train": "train.py"}},
        verdict=Verdict.UNDECIDED,
        codes=("half-by-option",),
    ),
    Example(
        "float16 by an option that is off",
        files={
            "train.py": """
import argparse
import mindspore as ms
from mindspore import nn

options = argparse.ArgumentParser()
options.add_argument("--type", default="float32")
options = options.parse_args()

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(8, 2)

    def construct(self, x):
        x = self.dense(x)
        if options.type == "float16":
            x = x.astype(ms.float16)
        return x

net = Net()
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), nn.Adam(net.trainable_params()))
for x, y in batches:
    step(x, y)
"""
        },
        case={"scripts": {"train": "train.py"}},
        verdict=Verdict.UNDECIDED,
        codes=("half-by-option",),
    ),
    Example(
        "float32",
        files={
            "train.py": "import mindspore as ms\nfrom mindspore import nn\nnet = nn.Dense(8, 2)\n"
            "model = ms.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params()))\n"
        },
        case={"scripts": {"train": "train.py"}},
        verdict=Verdict.NOT_APPLICABLE,
        codes=("no-half",),
    ),
]
