"""Reads from the training scripts whether every parameter that takes part in the loss reaches an optimizer, as it should.

Catches: a network, or a loss with weights of its own, that the step trains and no optimizer was given; a layer that is put into the
network after its parameters were handed to the optimizer; an optimizer whose loss_scale does not fit the scale that the step
puts on. Networks that are loaded, frozen, switched to inference, or named as fixed (teacher, target, vgg, ...) are left alone.
Cannot tell: which parameters a filter by name leaves out. Never imports or runs the scripts.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import msgspec

from ..case import Case
from ..language import Words
from ..model import Finding, Kind, Level, Progress, Verdict
from ..probe import script_example
from . import _grades, _training, loss_scale_script

KIND = Kind.STATIC
NEEDS: tuple[str | tuple[str, ...], ...] = ("scripts.train",)


class Params(msgspec.Struct, frozen=True):
    pass


#: The codes of loss_scale_script that are about an optimizer's loss_scale.
_DISAGREE = ("kept", "divided-only", "divided-twice", "mismatch", "mismatch-own")
_LEVELS = {
    "left-out": Level.PROBLEM,
    "left-out-maybe": Level.SUSPECT,
    "added-later": Level.PROBLEM,
    "list-forgotten": Level.PROBLEM,
    "part-given": Level.SUSPECT,
    **dict.fromkeys(_DISAGREE, Level.PROBLEM),
    **dict.fromkeys((f"{code}-sometimes" for code in _DISAGREE), Level.SUSPECT),
}
#: Info that leaves the probe undecided.
_OPEN = ("left-by-name", "parameters-unknown", "covered-in-part", "nothing-covered")
_SHARED = (*_DISAGREE, *(f"{code}-sometimes" for code in _DISAGREE))

MESSAGES: Words = {
    **_training.MESSAGES,
    **{
        code: loss_scale_script.MESSAGES[code]
        for code in (*_SHARED, "fix-same", "fix-unscale", "fix-neither", "fix-once")
    },
    "left-out": {
        "en": "{step} trains with {network}, whose {layer} here has weights that are in no optimizer.",
        "zh": "{step} 的损失用到了 {network}，但其中的 {layer}（此处）带有权重，没有交给任何优化器。",
    },
    "left-out-maybe": {
        "en": "{step} trains with {network}, whose {layer} here has weights that seem to be in no optimizer.",
        "zh": "{step} 的损失用到了 {network}，但其中的 {layer}（此处）带有权重，看起来没有交给任何优化器。",
    },
    "left-by-name": {
        "en": "{step} trains with {network}, whose {layer} here has weights that no optimizer seems to receive. Its name suggests that "
        "it is meant to stay fixed, but no code that sets its weights was found.",
        "zh": "{step} 的损失用到了 {network}，但其中的 {layer}（此处）带有权重，看起来没有交给任何优化器。从名称看它应保持不变，"
        "但没有看到给它赋权重的地方。",
    },
    "added-later": {
        "en": "This {layer} is added to the network after {optimizer} got its parameters: its weights never change.",
        "zh": "这个 {layer} 是在参数交给 {optimizer} 之后才放进网络的，它的权重永远不会更新。",
    },
    "list-forgotten": {
        "en": "Parameters are collected in {name} here, which is never used: {optimizer} gets only other parameters of the network, so "
        "these are never updated.",
        "zh": "此处把参数放进 {name}，但之后没有任何地方用到它：{optimizer} 只拿到网络的其他参数，这些参数永远不会更新。",
    },
    "part-given": {
        "en": "{optimizer} gets only part of the parameters, {part}; the others are in no optimizer.",
        "zh": "{optimizer} 只拿到部分参数（{part}），其余参数没有交给任何优化器。",
    },
    "parameters-unknown": {
        "en": "Which parameters the optimizers of {step} get cannot be seen here.",
        "zh": "看不出 {step} 的优化器拿到了哪些参数。",
    },
    "covered": {
        "en": "Of {of:,} {of:layer|layers} with weights that were followed in what {step} trains ({networks}), {layers:,} "
        "{layers:is|are} in networks whose parameters go into {optimizers:,} {optimizers:optimizer|optimizers}; the rest is loaded or "
        "kept fixed. Names of parameters and requires_grad were not compared.",
        "zh": "在 {step} 训练的内容（{networks}）中跟踪到 {of:,} 个带权重的层，其中 {layers:,} 个所属网络的参数"
        "交给了优化器（{optimizers:,} 个），其余为加载所得或保持不变。参数名和 requires_grad 未作比较。",
    },
    "covered-in-part": {
        "en": "{optimizers:,} {optimizers:optimizer gets|optimizers get} parameters picked one by one from the networks that {step} "
        "trains ({networks}; {of:,} {of:layer|layers} with weights were followed). Whether some are left out could not be seen.",
        "zh": "优化器（{optimizers:,} 个）拿到的参数是从 {step} 训练的网络（{networks}，跟踪到 {of:,} 个带权重的层）中逐个挑选的，"
        "看不出是否有遗漏。",
    },
    "nothing-covered": {
        "en": "No layer with weights was followed in what {step} trains, so nothing could be compared with the parameters of the "
        "optimizer.",
        "zh": "在 {step} 训练的内容中没有跟踪到带权重的层，无法与优化器的参数比较。",
    },
    "fix-give": {
        "en": "Give the optimizer these parameters too: the trainable_params() of the cell that holds network and loss, or both lists.",
        "zh": "把这些参数也交给优化器：用同时包含网络和损失的 Cell 的 trainable_params()，或把两个列表拼在一起。",
    },
    "fix-group": {
        "en": "Give the optimizer a group of these too.",
        "zh": "把这些参数也作为一组交给优化器。",
    },
    "fix-order": {
        "en": "Change the network first, then make the optimizer.",
        "zh": "先改好网络，再创建优化器。",
    },
}
WORDS: Words = _grades.WORDS
_RANDOM = {
    "en": "These weights stay as they were initialised: that part of the network works with random numbers for the whole training.",
    "zh": "这些权重一直停留在初始值，网络的这一部分在整个训练中都用随机权重工作。",
}
WHY: Words = {
    **{code: loss_scale_script.WHY[code] for code in _SHARED},
    "left-out": _RANDOM,
    "left-out-maybe": _RANDOM,
    "added-later": _RANDOM,
    "list-forgotten": _RANDOM,
    "part-given": _RANDOM,
}
_UNCHANGED = {
    "en": "Compare two checkpoints of different epochs: the tensors that are equal bit by bit are not trained.",
    "zh": "对比不同 epoch 的两个 checkpoint：逐位相等的张量就是没有参与训练的。",
}
PROOF: Words = {
    **{code: loss_scale_script.PROOF[code] for code in _SHARED},
    "left-out": _UNCHANGED,
    "left-out-maybe": _UNCHANGED,
    "added-later": _UNCHANGED,
    "list-forgotten": _UNCHANGED,
    "part-given": _UNCHANGED,
}
_FIXES = {
    "left-out": "fix-give",
    "left-out-maybe": "fix-give",
    "added-later": "fix-order",
    "list-forgotten": "fix-group",
    "part-given": "fix-give",
    "kept": "fix-same",
    "mismatch": "fix-same",
    "mismatch-own": "fix-unscale",
    "divided-only": "fix-neither",
    "divided-twice": "fix-once",
}


@_grades.by_road
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..script.coverage import examine

    yield from _training.findings(case, examine, _LEVELS, _OPEN, _FIXES)


_HEAD = """
import mindspore as ms
from mindspore import nn, ops
from mindspore.common.initializer import initializer, XavierUniform

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(8, 4)

    def construct(self, x):
        return self.dense(x)

class Head(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = ms.Parameter(initializer(XavierUniform(), (4, 2)))
        self.loss = nn.CrossEntropyLoss()

    def construct(self, features, label):
        return self.loss(ops.matmul(features, self.weight), label)

net = Net()
head = Head()
"""
_LOOP = """
def forward(x, y):
    return head(net(x), y)

grad_fn = ms.value_and_grad(forward, None, opt.parameters)

def step(x, y):
    loss, grads = grad_fn(x, y)
    opt(grads)
"""


_example = partial(script_example, _HEAD)

_GROUPS = """
decayed, others = [], []
for param in net.trainable_params():
    if "bias" in param.name:
        others.append(param)
    else:
        decayed.append(param)
opt = nn.Adam([{'params': decayed, 'weight_decay': 0.1}])
model = ms.Model(net, nn.CrossEntropyLoss(), opt)
"""

EXAMPLES = [
    _example(
        "both lists are given",
        "opt = nn.Adam(net.trainable_params() + head.trainable_params())\n" + _LOOP,
        Verdict.OK,
        "covered",
    ),
    _example(
        "the loss has weights that the optimizer is not given",
        "opt = nn.Adam(net.trainable_params())\n" + _LOOP,
        Verdict.PROBLEM,
        "left-out",
    ),
    _example(
        "the same with Model",
        "model = ms.Model(net, head, nn.Adam(net.trainable_params()))\n",
        Verdict.PROBLEM,
        "left-out",
    ),
    _example(
        "a cell that holds both",
        """
whole = nn.WithLossCell(net, head)
step = nn.TrainOneStepCell(whole, nn.Adam(whole.trainable_params()))
""",
        Verdict.OK,
        "covered",
    ),
    _example(
        "each has an optimizer of its own",
        """
opt = nn.Adam(net.trainable_params())
other = nn.SGD(head.trainable_params(), 0.1)
"""
        + _LOOP,
        Verdict.OK,
        "covered",
    ),
    _example(
        "a teacher stays as it is",
        """
teacher = Net()
ms.load_param_into_net(teacher, ms.load_checkpoint("teacher.ckpt"))
opt = nn.Adam(net.trainable_params() + head.trainable_params())
"""
        + _LOOP.replace("head(net(x), y)", "head(net(x), y) + ops.mse_loss(net(x), teacher(x))"),
        Verdict.OK,
        "covered",
    ),
    _example(
        "a new last layer after the optimizer was made",
        """
opt = nn.Adam(net.trainable_params())
net.dense = nn.Dense(8, 10)
model = ms.Model(net, nn.CrossEntropyLoss(), opt)
""",
        Verdict.PROBLEM,
        "added-later",
    ),
    _example(
        "a list of parameters that no group holds",
        _GROUPS,
        Verdict.PROBLEM,
        "list-forgotten",
    ),
    _example(
        "a part of the list of parameters",
        "opt = nn.Adam(list(net.trainable_params())[1:])\nmodel = ms.Model(net, nn.CrossEntropyLoss(), opt)\n",
        Verdict.UNDECIDED,
        "part-given",
    ),
    _example(
        "two parts of the list of parameters",
        "opt = nn.Adam([{'params': net.trainable_params()[:1]}, {'params': net.trainable_params()[1:], 'lr': 0.1}])\n"
        "model = ms.Model(net, nn.CrossEntropyLoss(), opt)\n",
        Verdict.UNDECIDED,
        "covered-in-part",
    ),
    _example(
        "the parameters in another order",
        "own = net.trainable_params()\nopt = nn.Adam([own[1], own[0], *own[2:]])\nmodel = ms.Model(net, nn.CrossEntropyLoss(), opt)\n",
        Verdict.UNDECIDED,
        "covered-in-part",
    ),
    _example(
        "groups that hold all lists of parameters",
        _GROUPS.replace("'weight_decay': 0.1}]", "'weight_decay': 0.1}, {'params': others}]"),
        Verdict.UNDECIDED,
        "covered-in-part",
    ),
    _example(
        "a new last layer before the optimizer is made",
        """
net.dense = nn.Dense(8, 10)
opt = nn.Adam(net.trainable_params())
model = ms.Model(net, nn.CrossEntropyLoss(), opt)
""",
        Verdict.OK,
        "covered",
    ),
    _example(
        "the optimizer's loss_scale is not that of the manager",
        """
opt = nn.Momentum(net.trainable_params(), 0.1, 0.9, loss_scale=128)
manager = ms.FixedLossScaleManager(1024, drop_overflow_update=False)
model = ms.Model(net, nn.CrossEntropyLoss(), opt, amp_level="O3", loss_scale_manager=manager)
""",
        Verdict.PROBLEM,
        "mismatch",
    ),
]
