"""Reads from the training scripts which weights are kept from being trained, and whether that can be meant.

Catches: everything frozen; a loss, or the way from all or most of the trained weights to it, behind stop_gradient; weights that are
frozen at random values; an output layer frozen while the rest trains; unfreezing through trainable_params(), which no longer lists
what is frozen; layers in a Python list, whose parameters the network does not know; requires_grad set on a cell, where it does
nothing; a stop_gradient whose result is not taken; gradients of weights that nothing takes; an optimizer that is given a slice of
the parameters; disagreement with design.frozen. Cannot tell: freezing that is chosen by options of the command line, and weights
from other packages. Never imports or runs the scripts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from ..case import Case
from ..language import Words
from ..model import Finding, Kind, Level, Progress, Sure, Verdict
from ..model import suggest as usual
from ..probe import Example, script_example
from . import _gaps, _grades, _networks, _seen

KIND = Kind.STATIC
NEEDS: tuple[str | tuple[str, ...], ...] = ("scripts.train",)


class Params(msgspec.Struct, frozen=True):
    pass


MESSAGES: Words = {
    **_networks.MESSAGES,
    **_seen.MESSAGES,
    "all-frozen": {
        "en": "requires_grad=False is set here for every weight in the optimizer ({count} {count:layer|layers}): nothing is trained.",
        "zh": "此处把优化器中的全部权重（{count} 层）都设为 requires_grad=False：没有任何权重得到训练。",
    },
    "nothing-trained": {
        "en": "The gradient stops at {text}, between the loss and all weights that it is taken of (line {line} of {path}): nothing is "
        "trained.",
        "zh": "梯度在 {text} 处截断，它位于损失与所有待求梯度的权重之间（{path} 第 {line} 行求梯度）：没有任何权重得到训练。",
    },
    "term-stopped": {
        "en": "The gradient stops between the weights that are trained and a term of the loss (line {line} of {path}), none of whose "
        "inputs has a gradient: the term trains nothing.",
        "zh": "梯度在待训练的权重与损失的某一项（{path} 第 {line} 行）之间被截断，该项的输入都没有梯度：这一项不起训练作用。",
    },
    "part-cut-off": {
        "en": "The gradient stops at {text}: {count} of {total} layers are cut off from the loss, and nothing is loaded into them "
        "before training, so they keep their random initial values ({names}).",
        "zh": "梯度在 {text} 处截断，{total} 层中的 {count} 层与损失隔断，而训练前没有加载权重：这些层一直停留在随机初值（{names}）。",
    },
    "part-cut-off-loaded": {
        "en": "The gradient stops at {text}: {count} of {total} layers are cut off from the loss; weights may be loaded before training, "
        "but these layers still go into the optimizer ({names}).",
        "zh": "梯度在 {text} 处截断，{total} 层中的 {count} 层与损失隔断；训练前可能加载了权重，但这些层仍被交给优化器（{names}）。",
    },
    "random-frozen": {
        "en": "{name} ({what}) is frozen here at its random initial values: it is not certain that anything is loaded into it before "
        "training.",
        "zh": "{name}（{what}）在此处被冻结，停留在随机初值：训练前没有确定为它加载权重。",
    },
    "made-frozen-loaded": {
        "en": "{name} is created with requires_grad=False and random values, and contributes to the loss; weights are loaded, which "
        "may include it.",
        "zh": "{name} 创建时即为 requires_grad=False 且取随机初值，并参与损失计算；脚本加载了权重，可能包含它。",
    },
    "constant-frozen": {
        "en": "{name} stays {value} everywhere: it is created with requires_grad=False and nothing writes to it, so it has no effect.",
        "zh": "{name} 处处恒为 {value}：创建时即为 requires_grad=False，又没有任何代码写入它，因此不起任何作用。",
    },
    "bias-frozen": {
        "en": "{name} is created with requires_grad=False and {value} everywhere, while the weight beside it is trained; weights are "
        "loaded, which may include it.",
        "zh": "{name} 创建时即为 requires_grad=False 且处处为 {value}，而同一层的权重在训练；脚本加载了权重，可能包含它。",
    },
    "made-frozen": {
        "en": "{name} is created with requires_grad=False: the optimizer does not update it.",
        "zh": "{name} 创建时即为 requires_grad=False：优化器不会更新它。",
    },
    "head-frozen": {
        "en": "{name} ({what}), the layer nearest to the loss, is frozen here while layers before it are trained.",
        "zh": "离损失最近的层 {name}（{what}）在此处被冻结，而它前面的层在训练。",
    },
    "gradients-dropped": {
        "en": "Nothing takes the gradients of the weights that are made here: no optimizer gets them, so no weight is updated.",
        "zh": "此处求出的权重梯度没有任何去处：没有交给优化器，因此没有权重得到更新。",
    },
    "computed-before": {
        "en": "The function differentiated here does not use the weights: its input in line {line} of {path} was computed with the "
        "network beforehand, so all gradients of the weights are 0.",
        "zh": "此处求导的函数没有用到要训练的任何权重：{path} 第 {line} 行传给它的值在它运行之前就已由网络算出，因此权重的梯度全为 0。",
    },
    "layers-unheld": {
        "en": "{count} {count:layer|layers} used in the loss ({names}, created in line {line} of {path}) {count:is|are} in no "
        "optimizer: {count:it keeps its|they keep their} random initial values.",
        "zh": "计算损失用到的 {count} 个层（{names}，创建于 {path} 第 {line} 行）没有交给任何优化器：一直停留在随机初值。",
    },
    "vectors-unheld": {
        "en": "{count} {count:parameter|parameters} used in the loss ({names}; the first layer is created in line {line} of {path}) "
        "{count:is|are} in no optimizer: {count:this bias or normalization weight keeps its|these biases and normalization weights keep "
        "their} initial values.",
        "zh": "计算损失用到的 {count} 个偏置或归一化参数（{names}，首个所在的层创建于 {path} 第 {line} 行）没有交给任何优化器，"
        "一直停留在初值。",
    },
    "optimizer-part": {
        "en": "The optimizer gets only {text}: at least {count} other {count:parameter|parameters} of the network keep initial values, "
        "since no other optimizer has them and it is not certain that anything is loaded.",
        "zh": "优化器只拿到 {text}：网络中至少另有 {count} 个参数停留在初值，没有别的优化器更新它们，也没有确定加载权重。",
    },
    "optimizer-unseen": {
        "en": "The optimizer receives {text}: which of the network's parameters it contains could not be determined.",
        "zh": "优化器拿到的是 {text}：未能看出其中包含网络的哪些参数。",
    },
    "copy-stale": {
        "en": "This {what} contributes to the loss and starts as a copy of the trained one; no code that runs updates it afterwards, "
        "so it keeps its random initial values.",
        "zh": "这个 {what} 参与损失计算，初始时复制自正在训练的同类网络；此后没有任何执行到的代码写入它，因此一直停留在最初的随机值。",
    },
    "copied-back": {
        "en": "This copies the fixed {what} into the trained one instead of the reverse; nothing updates the fixed one, which "
        "contributes to the loss with its random initial values.",
        "zh": "此处把固定的 {what} 的值写入正在训练的那个；而固定的那个从未更新，一直以最初的随机值参与损失。",
    },
    "unfreezes-nothing": {
        "en": "This loop over trainable_params() is to unfreeze weights that were frozen in line {line} of {path}, but frozen ones are not "
        "in that list: {count} {count:layer stays|layers stay} frozen.",
        "zh": "这个对 trainable_params() 的循环想解冻 {path} 第 {line} 行冻结的权重，但已冻结的参数不在该列表里："
        "{count} 层仍处于冻结状态。",
    },
    "not-registered": {
        "en": "{of} keeps layers ({what}) in self.{name}, a plain Python list: the network does not register their parameters, which "
        "are neither trained nor saved.",
        "zh": "{of} 把层（{what}）放在 Python 列表 self.{name} 中：网络不认识这些参数，它们既得不到训练，也不会保存。",
    },
    "plain-tensor": {
        "en": "self.{name} of {of} is what initializer() gives, a plain tensor and no Parameter: nothing trains it, and no checkpoint "
        "holds it.",
        "zh": "{of} 的 self.{name} 直接保存了 initializer() 的返回值，是普通张量而不是 Parameter：不会被训练，也不会写入 checkpoint。",
    },
    "flag-on-cell": {
        "en": "{name} is set on a cell; parameters have their own requires_grad, so nothing is frozen or unfrozen.",
        "zh": "{name} 设置在 Cell 上；参数各有自己的 requires_grad，因此这里没有冻结或解冻任何权重。",
    },
    "stop-discarded-feature": {
        "en": "{text} returns a new tensor, which nothing uses: the gradient still flows through the tensor that it was given.",
        "zh": "{text} 返回新的张量，但没有代码使用它：梯度仍会流过原来的张量。",
    },
    "stop-discarded": {
        "en": "{text} returns a new tensor, which nothing uses, so the call has no effect. That changes no result: no weights come "
        "before it.",
        "zh": "{text} 返回新的张量，但没有代码使用它，该调用不起作用。它之前没有权重，因此不影响结果。",
    },
    "declared-not-frozen": {
        "en": "design.frozen names {pattern}, but of these weights {count} are trained ({names}).",
        "zh": "design.frozen 声明了 {pattern}，但其中 {count} 个权重在训练（{names}）。",
    },
    "frozen-not-declared": {
        "en": "{name} is frozen here, and design.frozen does not name it.",
        "zh": "{name} 在此处被冻结，而 design.frozen 中没有声明。",
    },
    "declared-frozen": {
        "en": "{pattern} of design.frozen is frozen ({count} {count:weight|weights}).",
        "zh": "design.frozen 中的 {pattern} 已冻结（{count} 个权重）。",
    },
    "declared-by-phase": {
        "en": "{count} weights matched by {pattern} in design.frozen stay fixed while another optimizer trains; one of the "
        "{optimizers} optimizers trains them in its turn.",
        "zh": "design.frozen 中 {pattern} 所指的 {count} 个权重在另一优化器训练时保持不变，轮到自己的优化器时才更新"
        "（共 {optimizers} 个优化器）。",
    },
    "stopped": {"en": "The gradient stops at {text}.", "zh": "梯度在 {text} 处截断。"},
    "frozen": {"en": "{text} = False: frozen here.", "zh": "{text} = False：在此处冻结。"},
    "frozen-unseen": {
        "en": "{text} = False: frozen here; which parameters this affects could not be followed.",
        "zh": "{text} = False：在此处冻结；但冻结的是哪些参数未能看出。",
    },
    "frozen-if-loaded": {
        "en": "{text} = False: frozen here; a condition that could not be decided says whether these weights are loaded first "
        "({path}:{line}) or stay random.",
        "zh": "{text} = False：在此处冻结；这些权重是先加载（{path}:{line}）还是保持随机值，取决于一个无法判定的条件。",
    },
    "frozen-by-name": {
        "en": "{name} ({what}) is frozen here at its random initial values. Its name suggests that it is meant to stay fixed, but no "
        "code that sets its values was found.",
        "zh": "{name}（{what}）在此处被冻结，停留在随机初值。从名称看它应保持不变，但没有看到给定其数值的地方。",
    },
    "frozen-late": {
        "en": "{text} = False comes after {count} of these layers went into an optimizer (line {line} of {path}): a compiled step "
        "ignores it and trains them anyway.",
        "zh": "{text} = False 设置得太晚，优化器（{path} 第 {line} 行）此前已拿到其中 {count} 层的权重：编译成图的训练步不看该标志，"
        "这些层仍会被训练。",
    },
    "frozen-anew": {
        "en": "{text} = False has no effect: another Parameter, which is trained, takes the place of this weight in line {line} of {path}.",
        "zh": "{text} = False 不起作用：{path} 第 {line} 行换上了另一个会被训练的 Parameter。",
    },
    "toggled-late": {
        "en": "{text} = False, which is reset elsewhere, comes after these layers went into an optimizer (line {line} of {path}): a "
        "compiled step ignores both.",
        "zh": "{text} = False 之后又在别处恢复，而优化器（{path} 第 {line} 行）此前已拿到这些层的权重：编译成图的训练步不看该标志。",
    },
    "statistics-trainable": {
        "en": "requires_grad=True is set for every parameter, moving statistics of normalisations among them; these then enter the "
        "optimizer. Their gradient is zero, and only weight decay moves them.",
        "zh": "此处把全部参数都设为 requires_grad=True，其中包括归一化层的滑动统计量，它们因此进入优化器。其梯度为 0，只会受权重衰减影响。",
    },
    "nothing-frozen": {
        "en": "Nothing in the followed parts of the training scripts freezes weights or stops gradients.",
        "zh": "在已跟踪的训练代码中，没有冻结权重，也没有截断梯度。",
    },
    "fix-unfreeze": {
        "en": "Freeze only what should stay fixed, for instance net.backbone.get_parameters().",
        "zh": "只冻结需要保持不变的部分，例如 net.backbone.get_parameters()。",
    },
    "fix-stop": {
        "en": "Remove stop_gradient, or put it only on the branch that should be blocked; where a gradient is needed, compute with "
        "operations of MindSpore instead of NumPy, and with the outputs themselves instead of their argmax.",
        "zh": "去掉 stop_gradient，或只放在需要截断的支路上；需要梯度的计算使用 MindSpore 算子而不是 NumPy，"
        "并使用输出本身而不是其 argmax。",
    },
    "fix-apply": {
        "en": "Give the gradients to the optimizer: optimizer(grads)",
        "zh": "把梯度交给优化器：optimizer(grads)",
    },
    "fix-compute-within": {
        "en": "Call the network inside the function that is differentiated, with the batch as its input.",
        "zh": "把网络的前向计算放进被求导的函数，并把 batch 传给它。",
    },
    "fix-all": {"en": "Give the optimizer net.trainable_params().", "zh": "把 net.trainable_params() 交给优化器。"},
    "fix-all-networks": {
        "en": "Pass the trainable_params() of all of them to the optimizer, as one list or as groups.",
        "zh": "把各部分的 trainable_params() 合成一个列表或分组，一并交给优化器。",
    },
    "fix-groups": {
        "en": "Add a group with the parameters that the filter leaves out, without weight decay if they are to have none.",
        "zh": "把筛选时排除的参数另作一组交给优化器；不需要权重衰减的，在该组里关闭即可。",
    },
    "fix-copy": {
        "en": "Write the trained weights into the copy during training: ops.assign(copied, m * copied + (1 - m) * trained).",
        "zh": "训练中把正在训练的权重写入副本：ops.assign(copied, m * copied + (1 - m) * trained)。",
    },
    "fix-list": {
        "en": "Walk get_parameters() to unfreeze, and build the optimizer afterwards.",
        "zh": "解冻时遍历 get_parameters()，之后再创建优化器。",
    },
    "fix-parameter": {
        "en": "Wrap it: Parameter(initializer(...), name=...).",
        "zh": "用 Parameter 包装：Parameter(initializer(...), name=...)。",
    },
    "fix-list-of-cells": {
        "en": "Put the layers into nn.CellList or nn.SequentialCell.",
        "zh": "把这些层放进 nn.CellList 或 nn.SequentialCell。",
    },
    "fix-parameters": {
        "en": "Set it on each parameter: for p in cell.get_parameters(): p.requires_grad = False",
        "zh": "在每个参数上设置：for p in cell.get_parameters(): p.requires_grad = False",
    },
    "fix-early": {
        "en": "Freeze before creating the optimizer, and pass net.trainable_params() to it.",
        "zh": "在创建优化器之前冻结，并把 net.trainable_params() 交给优化器。",
    },
    "fix-anew": {
        "en": "Freeze after the new Parameter is in its place, or make it with requires_grad=False.",
        "zh": "换上新的 Parameter 之后再冻结，或创建时就设 requires_grad=False。",
    },
    "fix-keep": {"en": "Keep the result: x = ops.stop_gradient(x)", "zh": "接收返回值：x = ops.stop_gradient(x)"},
    "fix-declared": {
        "en": "Freeze it before the optimizer is built, or correct design.frozen.",
        "zh": "在创建优化器之前冻结，或修正 design.frozen。",
    },
}
WORDS: Words = _grades.WORDS

_UNTRAINED = {
    "en": "These weights keep their initial values: the loss does not fall, or only as far as the remaining layers allow.",
    "zh": "这些权重一直停留在初值：损失不下降，或只能降到其余层所能达到的程度。",
}
_NO_EFFECT = {
    "en": "Weights that should be frozen are trained: pretrained weights change, or one network of several learns what it should not.",
    "zh": "本想冻结的部分仍在训练：预训练权重会被改动，或多个网络中的某一个学到了不该学的东西。",
}
_DESIGN = {
    "en": "Training does not follow the design: pretrained weights drift, or weights that should adapt cannot.",
    "zh": "训练与设计不符：预训练权重发生漂移，或应当适配的权重无法更新。",
}
WHY: Words = {
    **dict.fromkeys(
        (
            "all-frozen",
            "nothing-trained",
            "term-stopped",
            "part-cut-off",
            "part-cut-off-loaded",
            "random-frozen",
            "made-frozen-loaded",
            "constant-frozen",
            "bias-frozen",
            "head-frozen",
            "gradients-dropped",
            "computed-before",
            "optimizer-part",
            "layers-unheld",
            "vectors-unheld",
            "copy-stale",
            "copied-back",
            "unfreezes-nothing",
            "not-registered",
            "plain-tensor",
        ),
        _UNTRAINED,
    ),
    "frozen-late": _NO_EFFECT,
    "frozen-anew": _NO_EFFECT,
    "flag-on-cell": _NO_EFFECT,
    "stop-discarded-feature": _NO_EFFECT,
    "declared-not-frozen": _DESIGN,
    "frozen-not-declared": _DESIGN,
}
_CHECKPOINTS = {
    "en": "Compare two successive checkpoints (checkpoints.previous, checkpoints.current): frozen weights are bitwise equal, all "
    "others differ. Or print net.untrainable_params() just before training.",
    "zh": "比较相邻两个 checkpoint（checkpoints.previous、checkpoints.current）：被冻结的权重逐位相同，其余都应不同。"
    "也可在训练开始前打印 net.untrainable_params()。",
}
PROOF: Words = {
    **dict.fromkeys(WHY, _CHECKPOINTS),
    "computed-before": {
        "en": "Print the gradients of a step: each is 0.",
        "zh": "打印一步的梯度：全部为 0。",
    },
    "gradients-dropped": {
        "en": "Print one weight before and after a step: it stays as it is.",
        "zh": "打印一步前后的某个权重：它没有变化。",
    },
    "plain-tensor": {
        "en": "Print the names of net.trainable_params(): this one is missing.",
        "zh": "打印 net.trainable_params() 中的参数名：其中没有它。",
    },
    "not-registered": {
        "en": "Print the names of net.trainable_params(): these layers are missing.",
        "zh": "打印 net.trainable_params() 中的参数名：其中没有这些层。",
    },
}

_SUSPECTS = {
    "part-cut-off-loaded": Sure.POSSIBLE,
    "head-frozen": Sure.POSSIBLE,
    "made-frozen-loaded": Sure.POSSIBLE,
    "constant-frozen": Sure.POSSIBLE,
    "bias-frozen": Sure.POSSIBLE,
    "frozen-late": Sure.LIKELY,
    "frozen-anew": Sure.LIKELY,
    "copy-stale": Sure.LIKELY,
    "copied-back": Sure.LIKELY,
    "flag-on-cell": Sure.LIKELY,
    "stop-discarded-feature": Sure.LIKELY,
}
_FIXES = {
    "gradients-dropped": "fix-apply",
    "computed-before": "fix-compute-within",
    "optimizer-part": "fix-all",
    "layers-unheld": "fix-all-networks",
    "vectors-unheld": "fix-groups",
    "copy-stale": "fix-copy",
    "copied-back": "fix-copy",
    "all-frozen": "fix-unfreeze",
    "random-frozen": "fix-unfreeze",
    "made-frozen-loaded": "fix-unfreeze",
    "constant-frozen": "fix-unfreeze",
    "bias-frozen": "fix-unfreeze",
    "head-frozen": "fix-unfreeze",
    "nothing-trained": "fix-stop",
    "part-cut-off": "fix-stop",
    "term-stopped": "fix-stop",
    "part-cut-off-loaded": "fix-stop",
    "unfreezes-nothing": "fix-list",
    "not-registered": "fix-list-of-cells",
    "plain-tensor": "fix-parameter",
    "frozen-late": "fix-early",
    "frozen-anew": "fix-anew",
    "flag-on-cell": "fix-parameters",
    "stop-discarded-feature": "fix-keep",
    "declared-not-frozen": "fix-declared",
    "frozen-not-declared": "fix-declared",
}


@_grades.by_road
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..script import freezing, plain_tensors, stale_copies, unapplied_gradients, untrained_parameters
    from ..script.analysis import read_scripts

    scripts = read_scripts(case)
    yield from _gaps.findings(scripts)
    declared = case.get("design.frozen")
    said = list(freezing.examine(scripts, list(declared) if declared is not None else None))
    said += unapplied_gradients.examine(scripts)
    said += untrained_parameters.examine(scripts)
    said += stale_copies.examine(scripts)
    said += plain_tensors.examine(scripts)
    told = (*freezing.TOLD, *unapplied_gradients.UNSEEN)
    unseen = (*freezing.UNSEEN, *unapplied_gradients.UNSEEN)
    yield from _networks.findings(said, told, _SUSPECTS, _FIXES, whole=True, unseen=unseen)
    if not said:
        yield Finding("nothing-frozen", Level.INFO)
    yield from _seen.networks(scripts)
    yield Progress(len(scripts.readings), len(scripts.readings), "files")


def suggest(findings: Iterable[Finding]) -> Verdict:
    """As usual, but not applicable where nothing is frozen and nothing was to be."""
    found = list(findings)
    verdict = usual(found)
    untouched = verdict is Verdict.OK and any(finding.code == "nothing-frozen" for finding in found)
    return Verdict.NOT_APPLICABLE if untouched else verdict


_NET = """
import mindspore as ms
from mindspore import nn, ops, Tensor

class Net(nn.Cell):
    def __init__(self, table=None):
        super().__init__()
        self.embedding = nn.Embedding(100, 8, embedding_table=table)
        self.dense = nn.Dense(8, 8)
        self.head = nn.Dense(8, 2)

    def construct(self, x):
        x = self.dense(self.embedding(x))
        return self.head(x)
"""
_LISTED = _NET.replace("self.dense = nn.Dense(8, 8)", "self.layers = [nn.Dense(8, 8) for _ in range(n)]").replace(
    "x = self.dense(self.embedding(x))",
    "x = self.embedding(x)\n        for layer in self.layers:\n            x = layer(x)",
)
_TRAIN = """
opt = nn.Adam(net.trainable_params())
loss_fn = nn.CrossEntropyLoss()

def forward(x, y):
    return loss_fn(net(x), y)

step = ms.value_and_grad(forward, None, opt.parameters)
for x, y in data:
    loss, grads = step(x, y)
    opt(grads)
"""


_OWN_PARTS = """
import mindspore as ms
from mindspore import nn, ops
from mindspore.common.initializer import initializer

class Part(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table = ms.Parameter(initializer("xavier_uniform", (8, 8)), name="table")

    def construct(self, x):
        return ops.matmul(x, self.table)

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        parts = [Part() for _ in range(3)]
        self.parts = {held}
        self.head = nn.Dense(8, 2)

    def construct(self, x):
        return self.head(sum(part(x) for part in self.parts))

"""
_CRITIC_MAY_LOAD = """
import argparse
import mindspore as ms
from mindspore import nn, ops

class Player(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.layer = nn.Dense(8, width)

    def construct(self, x):
        return self.layer(x)

parser = argparse.ArgumentParser()
parser.add_argument("--resume", default=None)
args = parser.parse_args()
maker, critic = Player(8), Player(1)
if args.resume is not None:
    ms.load_param_into_net(critic, ms.load_checkpoint(args.resume))
loss_fn = nn.BCEWithLogitsLoss()

def of_critic(x, z):
    real, made = critic(x), critic(maker(z))
    return loss_fn(real, ops.ones_like(real)) + loss_fn(made, ops.zeros_like(made))

def of_maker(z):
    made = critic(maker(z))
    return loss_fn(made, ops.ones_like(made))

maker_opt = nn.Adam(maker.trainable_params())
critic_opt = nn.Adam({trained}.trainable_params())
critic_grad = ms.value_and_grad(of_critic, None, critic_opt.parameters)
maker_grad = ms.value_and_grad(of_maker, None, maker_opt.parameters)
for x, z in data:
    loss, grads = critic_grad(x, z)
    critic_opt(grads)
    loss, grads = maker_grad(z)
    maker_opt(grads)
"""
_TAUGHT = """
import mindspore as ms
from mindspore import nn, ops

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Dense(8, 8), nn.Dense(8, 3)

    def construct(self, x):
        return self.head(ops.relu(self.body(x)))


net, teacher = Net(), Net()
ms.load_param_into_net({into}, ms.load_checkpoint("known.ckpt"))
optimizer = nn.SGD({given}, 0.1)


def loss_of(x):
    return ops.square(net(x) - ops.stop_gradient(teacher(x))).mean()


step = ms.value_and_grad(loss_of, None, optimizer.parameters)
for (x,) in data.create_tuple_iterator():
    loss, grads = step(x)
    optimizer(grads)
"""
_INDICES = """
import numpy as np
import mindspore as ms
from mindspore import nn, ops, Parameter, Tensor

class Loss(nn.Cell):
    def __init__(self):
        super().__init__()
        self.held = Parameter({made}, name="held")

    def construct(self, scores, labels):
        return ops.square((scores - labels) * self.held).mean()

net, loss = nn.Dense(8, 8), Loss()
optimizer = nn.SGD(net.trainable_params(), 0.1)
step = ms.value_and_grad(lambda x, y: loss(net(x), y), None, optimizer.parameters)
for x, y in data.create_tuple_iterator():
    value, grads = step(x, y)
    optimizer(grads)
"""
_CRITICS = """
import mindspore as ms
from mindspore import nn, ops

class Play(nn.Cell):
    def __init__(self, maker, critics):
        super().__init__(auto_prefix=False)
        self.maker = maker
        self.critics = critics

    def construct(self, z):
        made, loss = self.maker(z), 0
        for critic in self.critics:
            loss = loss - critic(made).mean()
        return loss

maker = nn.Dense(8, 8)
critics, critic_steps = [], []
for _ in range(3):
    critic = nn.Dense(8, 1)
    critics.append(critic)
    judge = nn.WithLossCell(critic, nn.BCEWithLogitsLoss())
    critic_steps.append(nn.TrainOneStepCell(judge, nn.Adam(critic.trainable_params())))
step = nn.TrainOneStepCell(Play(maker, critics), nn.Adam(maker.trainable_params()))
for x, y in data:
    for one in critic_steps:
        one(x, y)
    step(ops.randn(4, 8))
"""
_TARGET = """
import mindspore as ms
from mindspore import nn, ops

class Critic(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.Dense(4, 32)
        self.head = nn.Dense(32, 2)

    def construct(self, x):
        return self.head(ops.relu(self.body(x)))

critic, slow = Critic(), Critic()
for p, s in zip(critic.get_parameters(), slow.get_parameters()):
    s.set_data(p.data)
opt = nn.Adam(critic.trainable_params())
loss_fn = nn.MSELoss()

def forward(x, y):
    return loss_fn(critic(x), y)

step = ms.value_and_grad(forward, None, opt.parameters)
for x, after, reward in data:
    loss, grads = step(x, ops.stop_gradient(reward + 0.99 * slow(after)))
    opt(grads)
    for p, s in zip(critic.get_parameters(), slow.get_parameters()):
        ops.assign(s, 0.99 * s + 0.01 * p)
"""
_OWN = """
import mindspore as ms
from mindspore import nn, ops, Parameter
from mindspore.common.initializer import initializer

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = Parameter(initializer("xavier_uniform", [8, 8]), requires_grad=False)
        self.dense = nn.Dense(8, 8)
        self.head = nn.Dense(8, 2)

    def construct(self, x):
        x = self.dense(x)
        return self.head(ops.matmul(x, self.weight))

net = Net()
"""


_HALF = """
import mindspore as ms
from mindspore import nn, ops, Parameter
from mindspore.common.initializer import initializer

class Linear(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = Parameter(initializer("xavier_uniform", [8, 8]), requires_grad=False)
        self.bias = Parameter(initializer("zeros", [8]))

    def construct(self, x):
        return ops.matmul(x, self.weight) + self.bias

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = Linear()
        self.head = nn.Dense(8, 2)

    def construct(self, x):
        return self.head(self.body(x))

net = Net()
"""
_PARTS = """
import mindspore as ms
from mindspore import mint, nn, Parameter
from mindspore.common.initializer import initializer, XavierNormal

class Similarity(nn.Cell):
    def __init__(self, classes):
        super().__init__()
        self.centres = Parameter(initializer(XavierNormal(), (16, classes)), requires_grad=False)

    def construct(self, features):
        return mint.matmul(features, self.centres)

class Recogniser(nn.Cell):
    def __init__(self, body, top):
        super().__init__()
        self.body, self.top = body, top

    def construct(self, x):
        return self.top(self.body(x))

body = nn.Dense(32, 16)
if ms.get_context("device_target") == "Ascend":
    ms.load_param_into_net(body, ms.load_checkpoint("body.ckpt"))
net = Recogniser(body, Similarity(10))
"""
_UNSEEN = """
import mindspore as ms
from mindspore import mint, nn
from house.vision import build

class Learning(nn.Cell):
    def __init__(self, body):
        super().__init__()
        self.body = body

    def construct(self, picture, points):
        found = CALL
        return mint.mean(mint.square(found[:, :2] - points[:, :2])) / max(1, len(points.shape))

body = build("pose")
ms.Model(Learning(body), optimizer=nn.AdaGrad(body.trainable_params())).train(2, data)
"""
_ASKED = """
import argparse
import mindspore as ms
from mindspore import mint, nn, ops, Parameter
from mindspore.common.initializer import initializer

options = argparse.ArgumentParser()
options.add_argument("--start_from", default=DEFAULT)
options = options.parse_args()

class Tagger(nn.Cell):
    def __init__(self):
        super().__init__()
        self.read = nn.Embedding(500, 32)
        self.mix = Parameter(initializer("he_uniform", (32, 32))MADE)
        self.tag = nn.Dense(32, 7)

    def construct(self, words):
        return self.tag(mint.nn.functional.gelu(self.read(words) @ self.mix))

def started(tagger, path):
    if not path:
        return tagger
    ms.load_param_into_net(tagger, ms.load_checkpoint(path))
    return tagger

def grouped(weights):
    large = [weight for weight in weights if weight.ndim > 1]
    return [{"params": large, "weight_decay": 0.01}, {"params": [weight for weight in weights if weight.ndim < 2]}]

net = started(Tagger(), options.start_from)
FREEZE
opt = nn.AdamWeightDecay(GIVEN)
"""


def _asked(default: str = "None", made: str = "", freeze: str = "", given: str = "net.trainable_params()") -> str:
    script = _ASKED.replace("DEFAULT", default).replace("MADE", made).replace("FREEZE", freeze).replace("GIVEN", given)
    return script + _TRAIN.replace("opt = nn.Adam(net.trainable_params())", "")


_MAY_LOAD = "if ms.get_context('device_target') == 'Ascend':\n    ms.load_checkpoint('body.ckpt', net)\n"

_TWO_TERMS = """score = net(x)
    return loss_fn(score, y) + nn.MSELoss()(ops.stop_gradient(score), ops.zeros_like(score))"""
_OPTIMIZED = _TRAIN.replace("loss_fn = nn.CrossEntropyLoss()\n", "")
_WITHIN = (
    _NET
    + """
class Loss(nn.Cell):
    def __init__(self):
        super().__init__()
        self.classifier = nn.Dense(2, 10)
        self.loss = nn.CrossEntropyLoss()

    def construct(self, x, y):
        return self.loss(self.classifier(x), y)

net = Net()
loss_fn = Loss()
"""
)


def _example(name: str, script: str, verdict: Verdict, *codes: str, frozen: list[str] | None = None) -> Example:
    case: dict[str, Any] = {} if frozen is None else {"design": {"frozen": frozen}}
    return script_example("", name, script, verdict, *codes, **case)


_GAN = """
import mindspore as ms
from mindspore import nn, ops

class Part(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(8, 8)

    def construct(self, x):
        return self.dense(x)

generator, critic = Part(), Part()
g_opt = nn.Adam(generator.trainable_params())
c_opt = nn.Adam(critic.trainable_params())

def g_forward(z):
    fake = generator(z)
    return -critic(fake).mean(), fake

def c_forward(real, fake):
    fake = ops.stop_gradient(fake)
    return critic(fake).mean() - critic(real).mean()

g_step = ms.value_and_grad(g_forward, None, g_opt.parameters, has_aux=True)
c_step = ms.value_and_grad(c_forward, None, c_opt.parameters)
for real, z in data:
    (g_loss, fake), grads = g_step(z)
    g_opt(grads)
    c_loss, grads = c_step(real, generator(z))
    c_opt(grads)
"""

_NAMED = "[p for p in net.trainable_params() if 'head' in p.name]"

_UNDECAYED = ", {'params': [p for p in net.trainable_params() if 'bias' in p.name], 'weight_decay': 0.0}"
_GROUPS = (
    f"[{{'params': [p for p in net.trainable_params() if 'bias' not in p.name], 'weight_decay': 1e-4}}{_UNDECAYED}]"
)

_SYNC = """    for p, s in zip(critic.get_parameters(), slow.get_parameters()):
        ops.assign(s, 0.99 * s + 0.01 * p)
"""
EXAMPLES = [
    _example("a target that follows the critic", _TARGET, Verdict.OK),
    _example("a target that is never updated", _TARGET.replace(_SYNC, ""), Verdict.UNDECIDED, "copy-stale"),
    _example(
        "a critic that is pulled to its target",
        _TARGET.replace("assign(s, 0.99 * s + 0.01 * p)", "assign(p, 0.99 * p + 0.01 * s)"),
        Verdict.UNDECIDED,
        "copied-back",
    ),
    _example(
        "a reference that is copied from loaded weights",
        _TARGET.replace(_SYNC, "").replace("for p, s", "ms.load_checkpoint('a.ckpt', critic)\nfor p, s", 1),
        Verdict.OK,
    ),
    _example(
        "a body that is frozen, and loaded where a file is named that is not seen",
        _NET
        + "from settings import file\nnet = Net()\nif file:\n    ms.load_checkpoint(file, net)\n"
        + "for p in net.trainable_params()[:-2]:\n    p.requires_grad = False\n"
        + _TRAIN,
        Verdict.UNDECIDED,
        "frozen-if-loaded",
    ),
    _example(
        "a body that is loaded and frozen",
        _NET
        + "net = Net()\nms.load_checkpoint('body.ckpt', net)\n"
        + "for p in net.trainable_params()[:-2]:\n    p.requires_grad = False\n"
        + _TRAIN,
        Verdict.OK,
    ),
    _example(
        "an optimizer of the last two parameters",
        _NET + "net = Net()" + _TRAIN.replace("net.trainable_params()", "net.trainable_params()[-2:]"),
        Verdict.PROBLEM,
        "optimizer-part",
    ),
    _example(
        "an optimizer of the last two parameters of a network that is loaded",
        _NET
        + "net = Net()\nms.load_checkpoint('body.ckpt', net)"
        + _TRAIN.replace("net.trainable_params()", "net.trainable_params()[-2:]"),
        Verdict.NOT_APPLICABLE,
        "nothing-frozen",
    ),
    _example(
        "an optimizer of the parameters with a name",
        _NET + "net = Net()" + _TRAIN.replace("net.trainable_params()", _NAMED),
        Verdict.PROBLEM,
        "layers-unheld",
    ),
    _example(
        "an optimizer of the parameters with a name in a network that is loaded",
        _NET + "net = Net()\nms.load_checkpoint('body.ckpt', net)" + _TRAIN.replace("net.trainable_params()", _NAMED),
        Verdict.NOT_APPLICABLE,
        "nothing-frozen",
    ),
    _example(
        "an optimizer without the group of the biases",
        _NET + "net = Net()" + _TRAIN.replace("net.trainable_params()", _GROUPS.replace(_UNDECAYED, "")),
        Verdict.PROBLEM,
        "vectors-unheld",
    ),
    _example(
        "an optimizer without the group of the biases of a network that is loaded",
        _NET
        + "net = Net()\nms.load_checkpoint('body.ckpt', net)"
        + _TRAIN.replace("net.trainable_params()", _GROUPS.replace(_UNDECAYED, "")),
        Verdict.UNDECIDED,
        "vectors-unheld",
    ),
    _example(
        "an optimizer of two groups",
        _NET + "net = Net()" + _TRAIN.replace("net.trainable_params()", _GROUPS),
        Verdict.NOT_APPLICABLE,
        "nothing-frozen",
    ),
    _example(
        "an optimizer of the parameters with a form",
        _NET
        + "net = Net()"
        + _TRAIN.replace("net.trainable_params()", _NAMED.replace("'head' in p.name", "len(p.shape) == 2")),
        Verdict.UNDECIDED,
        "optimizer-unseen",
    ),
    _example(
        "gradients that no optimizer gets",
        _NET + "net = Net()" + _TRAIN.replace("    opt(grads)\n", ""),
        Verdict.PROBLEM,
        "gradients-dropped",
    ),
    _example(
        "a loss that is computed before the function that is differentiated",
        _NET
        + "net = Net()"
        + _TRAIN.replace("return loss_fn(net(x), y)", "return x / y").replace(
            "step(x, y)", "step(loss_fn(net(x), y), 2)"
        ),
        Verdict.PROBLEM,
        "computed-before",
    ),
    _example(
        "a term of the loss behind stop_gradient",
        _NET + "net = Net()" + _TRAIN.replace("return loss_fn(net(x), y)", _TWO_TERMS),
        Verdict.PROBLEM,
        "term-stopped",
    ),
    _example(
        "a target behind stop_gradient",
        _NET
        + "net = Net()"
        + _TRAIN.replace(
            "return loss_fn(net(x), y)", _TWO_TERMS.replace("score), ops.zeros_like(score))", "score), net(x + 1))")
        ),
        Verdict.OK,
    ),
    _example(
        "a network with its loss is differentiated as one cell of the framework",
        _WITHIN.replace("self.loss(self.classifier(x), y)", "self.loss(x, y)").replace(
            "        self.classifier = nn.Dense(2, 10)\n", ""
        )
        + _OPTIMIZED.replace("value_and_grad(forward,", "value_and_grad(nn.WithLossCell(net, loss_fn),"),
        Verdict.NOT_APPLICABLE,
    ),
    _example("a classifier in the loss that no optimizer has", _WITHIN + _OPTIMIZED, Verdict.PROBLEM, "layers-unheld"),
    _example(
        "a classifier in the loss that the optimizer has",
        _WITHIN + _OPTIMIZED.replace("net.trainable_params()", "net.trainable_params() + loss_fn.trainable_params()"),
        Verdict.NOT_APPLICABLE,
    ),
    _example(
        "a teacher that is loaded",
        _WITHIN.replace("loss_fn = Loss()", "loss_fn = Loss()\nms.load_checkpoint('teacher.ckpt', loss_fn)")
        + _OPTIMIZED,
        Verdict.NOT_APPLICABLE,
    ),
    _example(
        "a layer frozen at random whose name tells that it is fixed",
        _NET.replace("self.dense", "self.pos") + "net = Net()\nnet.pos.weight.requires_grad = False\n" + _TRAIN,
        Verdict.UNDECIDED,
        "frozen-by-name",
    ),
    _example("a weight of one's own made frozen", _OWN + _TRAIN, Verdict.PROBLEM, "random-frozen"),
    _example(
        "a weight of one's own made frozen, its numbers drawn at once",
        _OWN.replace('"xavier_uniform", [8, 8])', '"xavier_uniform", [8, 8]).init_data()') + _TRAIN,
        Verdict.PROBLEM,
        "random-frozen",
    ),
    _example(
        "a weight of one's own made frozen, and weights loaded",
        _OWN + "ms.load_checkpoint('body.ckpt', net)\n" + _TRAIN,
        Verdict.UNDECIDED,
        "made-frozen-loaded",
    ),
    _example(
        "a weight of one's own made frozen, its bias trained, and weights loaded on a condition",
        _HALF + _MAY_LOAD + _TRAIN,
        Verdict.PROBLEM,
        "random-frozen",
    ),
    _example(
        "a weight made frozen, and weights loaded only where an option asks for it",
        _asked(made=", requires_grad=False"),
        Verdict.PROBLEM,
        "random-frozen",
    ),
    _example(
        "a weight made frozen, and weights loaded from where an option says by default",
        _asked("'words.ckpt'", ", requires_grad=False"),
        Verdict.UNDECIDED,
        "made-frozen-loaded",
    ),
    _example(
        "an embedding frozen, and weights loaded only where an option asks for it",
        _asked("''", freeze="net.read.embedding_table.requires_grad = False"),
        Verdict.PROBLEM,
        "random-frozen",
    ),
    _example(
        "an embedding frozen of what an option loads by default",
        _asked("'words.ckpt'", freeze="net.read.embedding_table.requires_grad = False"),
        Verdict.OK,
        "frozen",
    ),
    _example(
        "an optimizer of groups of the last two parameters",
        _asked(given="grouped(net.trainable_params()[-2:])"),
        Verdict.PROBLEM,
        "optimizer-part",
    ),
    _example(
        "an optimizer of what a filter leaves of the first parameter, and of all others",
        _asked(given="[*filter(lambda w: w.ndim > 1, net.trainable_params()[:1]), *net.trainable_params()[1:]]"),
        Verdict.NOT_APPLICABLE,
        "nothing-frozen",
    ),
    _example(
        "an optimizer of groups of all parameters",
        _asked(given="grouped(net.trainable_params())"),
        Verdict.NOT_APPLICABLE,
    ),
    _example(
        "a weight made frozen in a head that nothing is loaded into", _PARTS + _TRAIN, Verdict.PROBLEM, "random-frozen"
    ),
    _example(
        "a weight made frozen in a network that is loaded as a whole",
        _PARTS + "ms.load_param_into_net(net, ms.load_checkpoint('all.ckpt'))" + _TRAIN,
        Verdict.UNDECIDED,
        "made-frozen-loaded",
    ),
    _example(
        "all of a network that is not seen is cut off",
        _UNSEEN.replace("CALL", "ms.ops.stop_gradient(self.body(picture))"),
        Verdict.PROBLEM,
        "nothing-trained",
    ),
    _example(
        "the target of a network that is not seen is cut off",
        _UNSEEN.replace("CALL", "self.body(picture) - ms.ops.stop_gradient(points)"),
        Verdict.UNDECIDED,
        "stopped",
    ),
    _example(
        "a weight of one's own made frozen beside an adapter that is trained, and weights loaded on a condition",
        _HALF.replace('"zeros", [8]', '"normal", [8, 8]').replace("+ self.bias", "+ ops.matmul(x, self.bias)")
        + _MAY_LOAD
        + _TRAIN,
        Verdict.UNDECIDED,
        "made-frozen-loaded",
    ),
    _example(
        "a bias of zeros made frozen",
        _HALF.replace(", requires_grad=False", "").replace('"zeros", [8])', '"zeros", [8]), requires_grad=False')
        + _TRAIN,
        Verdict.UNDECIDED,
        "constant-frozen",
    ),
    _example(
        "a bias of zeros made frozen, and weights loaded",
        _HALF.replace(", requires_grad=False", "").replace('"zeros", [8])', '"zeros", [8]), requires_grad=False')
        + "ms.load_checkpoint('body.ckpt', net)\n"
        + _TRAIN,
        Verdict.UNDECIDED,
        "bias-frozen",
    ),
    _example(
        "a weight of one's own made frozen, and written to",
        _OWN + "net.weight.set_data(ms.Tensor(vectors))\n" + _TRAIN,
        Verdict.OK,
        "made-frozen",
    ),
    _example(
        "a random projection into sine and cosine",
        _OWN.replace("ops.matmul(x, self.weight)", "ops.sin(ops.matmul(x, self.weight))") + _TRAIN,
        Verdict.OK,
        "made-frozen",
    ),
    _example(
        "a frozen weight behind the cosine of an angle that is made larger",
        _OWN.replace("ops.matmul(x, self.weight)", "ops.cos(ops.acos(ops.matmul(x, self.weight)) + 0.5)") + _TRAIN,
        Verdict.PROBLEM,
        "random-frozen",
    ),
    _example("a buffer of zeros", _OWN.replace('"xavier_uniform"', '"zeros"') + _TRAIN, Verdict.OK, "made-frozen"),
    _example("a weight of one's own", _OWN.replace(", requires_grad=False", "") + _TRAIN, Verdict.NOT_APPLICABLE),
    _example("nothing is frozen", _NET + "net = Net()" + _TRAIN, Verdict.NOT_APPLICABLE, "nothing-frozen"),
    _example(
        "an embedding with given values is frozen",
        _NET
        + "net = Net(Tensor(ms.numpy.array(vectors)))\nnet.embedding.embedding_table.requires_grad = False"
        + _TRAIN,
        Verdict.OK,
        "frozen",
    ),
    _example(
        "everything is frozen",
        _NET + "net = Net()\nfor p in net.get_parameters():\n    p.requires_grad = False" + _TRAIN,
        Verdict.PROBLEM,
        "all-frozen",
    ),
    _example(
        "all but the head are frozen in a loop that passes it over",
        _NET
        + "net = Net()\nms.load_checkpoint('base.ckpt', net)\nfor p in net.get_parameters():\n    if 'head' in p.name:\n"
        + "        continue\n    p.requires_grad = False"
        + _TRAIN,
        Verdict.OK,
        "frozen",
    ),
    _example(
        "frozen, and trained again before the optimizer is built",
        _NET
        + "net = Net()\nfor p in net.get_parameters():\n    p.requires_grad = False\n"
        + "for p in net.get_parameters():\n    p.requires_grad = True"
        + _TRAIN,
        Verdict.OK,
        "frozen",
    ),
    _example(
        "a loaded network is frozen, and gets a new head",
        _NET
        + "net = Net()\nms.load_checkpoint('base.ckpt', net)\nfor p in net.get_parameters():\n    p.requires_grad = False\n"
        + "net.head = nn.Dense(8, 5)"
        + _TRAIN,
        Verdict.OK,
        "frozen",
    ),
    _example(
        "unfreezing through the list that no longer holds what is frozen",
        _NET
        + "net = Net()\nms.load_checkpoint('base.ckpt', net)\nfor p in net.dense.get_parameters():\n    p.requires_grad = False\n"
        + "for p in net.trainable_params():\n    p.requires_grad = True"
        + _TRAIN,
        Verdict.PROBLEM,
        "unfreezes-nothing",
    ),
    _example(
        "the loss lies behind stop_gradient",
        _NET + "net = Net()" + _TRAIN.replace("net(x)", "ops.stop_gradient(net(x))"),
        Verdict.PROBLEM,
        "nothing-trained",
    ),
    _example(
        "a loss of the classes that are guessed",
        _NET + "net = Net()" + _TRAIN.replace("net(x)", "net(x).argmax(1).astype(ms.float32)"),
        Verdict.PROBLEM,
        "nothing-trained",
    ),
    _example(
        "the classes that are guessed choose what a loss weighs",
        _NET
        + "net = Net()"
        + _TRAIN.replace("net(x)", "net(x) * (net(x).argmax(1) != y).astype(ms.float32).expand_dims(1)"),
        Verdict.NOT_APPLICABLE,
        "nothing-frozen",
    ),
    _example(
        "what lies before the head is cut off",
        _NET.replace("self.head(x)", "self.head(ops.stop_gradient(x))") + "net = Net()" + _TRAIN,
        Verdict.PROBLEM,
        "part-cut-off",
    ),
    _example(
        "what lies before the head goes through numpy",
        _NET.replace("self.head(x)", "self.head(Tensor(x.asnumpy() * 0.5))") + "net = Net()" + _TRAIN,
        Verdict.PROBLEM,
        "part-cut-off",
    ),
    _example(
        "a function of NumPy on the way, in a function of one's own",
        "import numpy as np\ndef squeezed(x):\n    return Tensor.from_numpy(np.tanh(x.numpy()))\n"
        + _NET.replace("self.head(x)", "self.head(squeezed(x))")
        + "net = Net()"
        + _TRAIN,
        Verdict.PROBLEM,
        "part-cut-off",
    ),
    _example(
        "the loss is a number",
        _NET + "net = Net()" + _TRAIN.replace("loss_fn(net(x), y)", "Tensor(loss_fn(net(x), y).item())"),
        Verdict.PROBLEM,
        "nothing-trained",
    ),
    _example(
        "the data of a feature, and no gradient of it",
        _NET.replace("self.head(x)", "self.head(x.data * 2)") + "net = Net()" + _TRAIN,
        Verdict.PROBLEM,
        "part-cut-off",
    ),
    _example(
        "a number beside the way of the gradient",
        _NET.replace("return self.head(x)", "return self.head(x * float(x.asnumpy().std()))") + "net = Net()" + _TRAIN,
        Verdict.NOT_APPLICABLE,
        "nothing-frozen",
    ),
    _example(
        "NumPy computes with the sizes alone",
        "import numpy as np\n"
        + _NET.replace("self.head(x)", "self.head(x / float(np.sqrt(x.shape[-1])))")
        + "net = Net()"
        + _TRAIN,
        Verdict.NOT_APPLICABLE,
        "nothing-frozen",
    ),
    _example(
        "targets that NumPy computes of what the network gives",
        _NET
        + "net = Net()"
        + _TRAIN.replace("loss_fn(net(x), y)", "loss_fn(net(x), Tensor(net(x).asnumpy().argmax(-1)))"),
        Verdict.NOT_APPLICABLE,
        "nothing-frozen",
    ),
    _example(
        "stop_gradient on one of two ways",
        _NET.replace("return self.head(x)", "return self.head(x) + ops.stop_gradient(x).mean()")
        + "net = Net()"
        + _TRAIN,
        Verdict.OK,
        "stopped",
    ),
    _example(
        "cut off within a network that Model trains",
        _NET.replace("self.head(x)", "self.head(ops.stop_gradient(x))")
        + "net = Net()\nmodel = ms.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params()))\nmodel.train(1, data)\n",
        Verdict.PROBLEM,
        "part-cut-off",
    ),
    _example(
        "the head is frozen at random values",
        _NET + "net = Net()\nnet.head.weight.requires_grad = False" + _TRAIN,
        Verdict.PROBLEM,
        "random-frozen",
    ),
    _example(
        "the head of a loaded network is frozen",
        _NET + "net = Net()\nms.load_checkpoint('base.ckpt', net)\nnet.head.weight.requires_grad = False" + _TRAIN,
        Verdict.UNDECIDED,
        "head-frozen",
    ),
    _example(
        "toggled in a loop through the list that loses what is frozen",
        _NET
        + "net, other = Net(), Net()"
        + _TRAIN.replace(
            "for x, y in data:",
            "for x, y in data:\n    for p in net.trainable_params():\n        p.requires_grad = True\n    print(x)",
        )
        + "    for p in net.trainable_params():\n        p.requires_grad = False\n",
        Verdict.PROBLEM,
        "unfreezes-nothing",
    ),
    _example(
        "another Parameter takes the place of what is frozen",
        _NET
        + "net = Net()\nnet.dense.weight.requires_grad = False\nfor _, cell in net.cells_and_names():\n"
        + "    if isinstance(cell, nn.Dense):\n        cell.weight = ms.Parameter(ops.randn(cell.weight.shape))\n"
        + _TRAIN,
        Verdict.UNDECIDED,
        "frozen-anew",
    ),
    _example(
        "frozen, and another Parameter takes the place of another weight",
        _NET
        + "net = Net()\nnet.dense.weight.requires_grad = False\n"
        + "net.head.weight = ms.Parameter(ops.randn(net.head.weight.shape))\n"
        + _TRAIN,
        Verdict.PROBLEM,
        "random-frozen",
    ),
    _example(
        "a frozen Parameter takes the place of what is frozen",
        _NET
        + "net = Net()\nms.load_checkpoint('base.ckpt', net)\nnet.dense.weight.requires_grad = False\n"
        + "net.dense.weight = ms.Parameter(net.dense.weight * 2, requires_grad=False)\n"
        + _TRAIN,
        Verdict.OK,
        "frozen",
    ),
    _example(
        "frozen after an optimizer that no step uses, where steps are a graph",
        _NET
        + "ms.set_context(mode=ms.GRAPH_MODE)\nteacher, net = Net(), Net()\nms.load_checkpoint('base.ckpt', teacher)\n"
        + "spare = nn.Adam(teacher.trainable_params())\nfor p in teacher.get_parameters():\n    p.requires_grad = False\n"
        + "ms.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params())).train(1, data)\n",
        Verdict.OK,
        "frozen",
    ),
    _example(
        "frozen after the optimizer, where steps are a graph",
        _NET
        + "ms.set_context(mode=ms.GRAPH_MODE)\nnet = Net()\nms.load_checkpoint('base.ckpt', net)\nopt = nn.Adam(net.trainable_params())\n"
        + "for p in net.dense.get_parameters():\n    p.requires_grad = False\n"
        + "ms.Model(net, nn.CrossEntropyLoss(), opt).train(1, data)\n",
        Verdict.UNDECIDED,
        "frozen-late",
    ),
    _example(
        "toggled through the list that loses what is frozen, where steps are a graph",
        _NET
        + "ms.set_context(mode=ms.GRAPH_MODE)\nnet = Net()"
        + _TRAIN.replace(
            "for x, y in data:",
            "for x, y in data:\n    for p in net.trainable_params():\n        p.requires_grad = True\n    print(x)",
        )
        + "    for p in net.trainable_params():\n        p.requires_grad = False\n",
        Verdict.OK,
        "toggled-late",
    ),
    _example(
        "toggled in a loop through all parameters",
        _NET
        + "net, other = Net(), Net()"
        + _TRAIN.replace(
            "for x, y in data:",
            "for x, y in data:\n    for p in net.get_parameters():\n        p.requires_grad = True\n    print(x)",
        )
        + "    for p in net.get_parameters():\n        p.requires_grad = False\n",
        Verdict.OK,
        "frozen",
    ),
    _example(
        "layers in a list",
        _LISTED + "net = Net()" + _TRAIN,
        Verdict.PROBLEM,
        "not-registered",
    ),
    *(
        _example(
            f"cells with parameters of their own in a {name}",
            _OWN_PARTS.format(held=held) + "net = Net()" + _TRAIN,
            verdict,
            *codes,
        )
        for name, held, verdict, codes in (
            ("list", "parts", Verdict.PROBLEM, ["not-registered"]),
            ("list of cells", "nn.CellList(parts)", Verdict.NOT_APPLICABLE, ["nothing-frozen"]),
        )
    ),
    *(
        _example(
            f"a critic that may be loaded, whose optimizer has the weights of the {name}",
            _CRITIC_MAY_LOAD.format(trained=trained),
            verdict,
            *codes,
        )
        for name, trained, verdict, codes in (
            ("maker", "maker", Verdict.PROBLEM, ["layers-unheld"]),
            ("critic", "critic", Verdict.NOT_APPLICABLE, ["nothing-frozen"]),
        )
    ),
    *(
        _example(
            f"a new head that the optimizer has {told}, where {into} is loaded",
            _TAUGHT.format(given=given, into=into),
            verdict,
            *codes,
        )
        for told, given, into, verdict, codes in (
            ("not", "net.body.trainable_params()", "teacher", Verdict.PROBLEM, ["layers-unheld"]),
            ("too", "net.trainable_params()", "teacher", Verdict.OK, ["stopped"]),
        )
    ),
    *(
        _example(
            f"numbers of {told} that the loss holds",
            _INDICES.format(made=made),
            verdict,
            *codes,
        )
        for told, made, verdict, codes in (
            ("places", "Tensor(np.arange(8), ms.int64)", Verdict.OK, ["made-frozen"]),
            ("weights", "Tensor(np.ones(8), ms.float32)", Verdict.PROBLEM, ["layers-unheld"]),
        )
    ),
    *(
        _example(
            f"a table of places that {told}",
            "from mindspore import Parameter\nfrom mindspore.common.initializer import initializer, Normal\n"
            + _NET.replace("self.head =", f"self.places = {places}\n        self.head =").replace(
                "x = self.dense(", "x = self.places + self.dense("
            )
            + "net = Net()"
            + _TRAIN,
            Verdict.PROBLEM if code == "plain-tensor" else Verdict.NOT_APPLICABLE,
            code,
        )
        for told, places, code in (
            ("is a plain tensor", "initializer(Normal(0.02), (20, 8))", "plain-tensor"),
            ("is a Parameter", "Parameter(initializer(Normal(0.02), (20, 8)))", "nothing-frozen"),
            ("is computed", "Tensor(np.sin(np.arange(160).reshape(20, 8)), ms.float32)", "nothing-frozen"),
        )
    ),
    _example(
        "a list of networks that other optimizers train",
        _CRITICS,
        Verdict.NOT_APPLICABLE,
        "nothing-frozen",
    ),
    _example(
        "a list of networks that no optimizer is given",
        _CRITICS.replace("critic.trainable_params()", "judge.loss_fn.trainable_params()"),
        Verdict.PROBLEM,
        "layers-unheld",
        "not-registered",
    ),
    _example(
        "a list that a CellList holds as well",
        _LISTED.replace("for _ in range(n)]", "for _ in range(n)]\n        self.known = nn.CellList(self.layers)")
        + "net = Net()"
        + _TRAIN,
        Verdict.NOT_APPLICABLE,
        "nothing-frozen",
    ),
    _example(
        "requires_grad on a layer",
        _NET + "net = Net()\nnet.dense.requires_grad = False" + _TRAIN,
        Verdict.UNDECIDED,
        "flag-on-cell",
    ),
    _example("the critic does not train the generator", _GAN, Verdict.OK, "stopped"),
    _example(
        "the generator's own loss is cut off",
        _GAN.replace("-critic(fake).mean()", "-ops.stop_gradient(critic(fake)).mean()"),
        Verdict.PROBLEM,
        "nothing-trained",
        "stopped",
    ),
    _example(
        "the result of stop_gradient on labels is not taken",
        _NET + "net = Net()" + _TRAIN.replace("for x, y in data:", "for x, y in data:\n    ops.stop_gradient(y)"),
        Verdict.OK,
        "stop-discarded",
    ),
    _example(
        "the result of stop_gradient on a feature is not taken",
        _NET.replace("return self.head(x)", "ops.stop_gradient(x)\n        return self.head(x)")
        + "net = Net()"
        + _TRAIN,
        Verdict.UNDECIDED,
        "stop-discarded-feature",
    ),
    _example(
        "moving statistics made trainable",
        _NET.replace("self.dense = nn.Dense(8, 8)", "self.dense = nn.SequentialCell(nn.Dense(8, 8), nn.BatchNorm1d(8))")
        + "net = Net()\nfor p in net.get_parameters():\n    p.requires_grad = True"
        + _TRAIN,
        Verdict.OK,
        "statistics-trainable",
    ),
    _example(
        "frozen as declared, by names",
        _NET
        + "net = Net()\nms.load_checkpoint('base.ckpt', net)\nfor p in net.get_parameters():\n    if 'dense' in p.name:\n"
        + "        p.requires_grad = False"
        + _TRAIN,
        Verdict.OK,
        "declared-frozen",
        "frozen",
        frozen=["dense.*"],
    ),
    _example(
        "declared and not frozen",
        _NET + "net = Net()" + _TRAIN,
        Verdict.PROBLEM,
        "declared-not-frozen",
        frozen=["embedding.*"],
    ),
]
