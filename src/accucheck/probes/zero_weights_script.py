"""Reads from the scripts what the weights of networks start from: zeros or one constant where units must differ.

Catches: weight_init of zeros, or of one constant, in whatever spelling and through the project's own helpers; Parameters of zeros
that are multiplied with; zeros set by an initialisation loop; `nn.Dense(a, b, False)`, whose third argument is the initialiser;
initialisers that are built and never applied. Leaves alone what starts at zero by design: biases, start states, buffers, names
such as cls_token, the last scale of a residual branch, weights that are loaded or initialised afterwards. Cannot tell: settings
that are not in the scripts, layers of other packages. Never imports or runs the scripts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Progress, Sure, Verdict, Where
from ..probe import Example, script_example
from . import _gaps, _grades, _seen
from .zero_weights import KNOWN

if TYPE_CHECKING:
    from ..script.initial_weights import Observation

KIND = Kind.STATIC
NEEDS: tuple[str | tuple[str, ...], ...] = (("scripts.train", "scripts.eval", "scripts.infer"),)


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    known: Annotated[
        tuple[str, ...],
        Meta(
            description="patterns (* and ?, any case) of names that are zero or constant by design",
            extra={"unit": "names", "source": "the same as of zero_weights"},
        ),
    ] = KNOWN


_PARAMETER = {
    "en": "The parameter {name}, which the network multiplies with, starts at {value:g} everywhere.",
    "zh": "参数 {name} 参与矩阵运算，其初始值处处为 {value:g}。",
}
_PARAMETER_POSSIBLE = {
    "en": "The parameter {name} starts at {value:g} everywhere; it may be a weight.",
    "zh": "参数 {name} 的初始值处处为 {value:g}，它可能是权重。",
}
MESSAGES: Words = {
    **_gaps.MESSAGES,
    **_seen.MESSAGES,
    "zero-weights": {
        "en": "The {weight} of this {what} is initialised to all zeros.",
        "zh": "此处 {what} 的 {weight} 被初始化为全 0。",
    },
    "constant-weights": {
        "en": "The {weight} of this {what} starts at {value:g} everywhere: its units start the same and stay the same.",
        "zh": "该 {what} 的 {weight} 初始值处处为 {value:g}：各单元起点相同，训练中也始终相同。",
    },
    "constant-scores": {
        "en": "The {weight} of this {what}, the last layer, starts at {value:g} everywhere: at first all its outputs are the same.",
        "zh": "最后一层 {what} 的 {weight} 初始值处处为 {value:g}：起初它的所有输出都相同。",
    },
    "flag-as-initial": {
        "en": "{flag} is taken as weight_init of this {what}, not as has_bias: the weight starts at {value:g} everywhere, and the "
        "layer has a bias.",
        "zh": "{flag} 被当作该 {what} 的 weight_init 而不是 has_bias：权重初始值处处为 {value:g}，且仍带有偏置。",
    },
    "zero-possible": {
        "en": "The {weight} of this {what} may be initialised to all zeros.",
        "zh": "此处 {what} 的 {weight} 可能被初始化为全 0。",
    },
    "constant-possible": {
        "en": "The {weight} of this {what} may start at {value:g} everywhere.",
        "zh": "该 {what} 的 {weight} 初始值可能处处为 {value:g}。",
    },
    "zero-parameter": _PARAMETER,
    "constant-parameter": _PARAMETER,
    "zero-parameter-possible": _PARAMETER_POSSIBLE,
    "constant-parameter-possible": _PARAMETER_POSSIBLE,
    "zero-set": {
        "en": "{target} writes zeros into the weights of every layer that the loop reaches.",
        "zh": "{target} 把循环涉及的各层权重全部置为 0。",
    },
    "constant-set": {
        "en": "{target} writes {value:g} into all weights of every layer that the loop reaches.",
        "zh": "{target} 把循环涉及的各层权重全部置为 {value:g}。",
    },
    "zero-set-possible": {
        "en": "{target} writes zeros into a weight.",
        "zh": "{target} 把权重置为 0。",
    },
    "constant-set-possible": {
        "en": "{target} writes {value:g} into all of a weight.",
        "zh": "{target} 把权重处处置为 {value:g}。",
    },
    "signal-vanishes": {
        "en": "{count} layers from here to the loss start from weights drawn too narrowly for their number of inputs: about {left} of the "
        "spread of the input is left at the end.",
        "zh": "从此处到损失共有 {count} 层，初始权重相对其输入个数取得过小：到末端，输入的变化大约只剩 {left}。",
    },
    "fix-spread": {
        "en": "Use an initialiser that looks at the size of the layer: XavierUniform for tanh and sigmoid, HeNormal for ReLU.",
        "zh": "使用随层大小调整的初始化：tanh、sigmoid 用 XavierUniform，ReLU 用 HeNormal。",
    },
    "zero-gamma": {
        "en": "The scale of this {what} starts at zero, and its result is not added to anything: the layer passes nothing on.",
        "zh": "该 {what} 的缩放参数（gamma）初始值为 0，且其输出没有与其他分支相加：该层输出全为 0。",
    },
    "set-data-assigned": {
        "en": "{target} is assigned to, not called: the method is replaced, and the weight keeps the value it had.",
        "zh": "对 {target} 进行了赋值而不是调用：方法本身被替换，权重保持原值。",
    },
    "initializer-discarded": {
        "en": "This {what} is created but not used: no weight changes.",
        "zh": "此处创建的 {what} 没有使用，不会改变任何权重。",
    },
    "meant-constant": {
        "en": "The {weight} of this {what} starts at {value:g} everywhere, as its name or a comment says.",
        "zh": "该 {what} 的 {weight} 初始值处处为 {value:g}，从名称或注释看是有意为之。",
    },
    "fixed-weights": {
        "en": "The {weight} of this {what} is {value:g} everywhere, as a fixed kernel.",
        "zh": "该 {what} 的 {weight} 处处为 {value:g}，属于固定的核。",
    },
    "set-later": {
        "en": "The {weight} of this {what} is created with {value:g} everywhere and reinitialised before training.",
        "zh": "该 {what} 的 {weight} 创建时处处为 {value:g}，训练前另行初始化。",
    },
    "loaded-later": {
        "en": "The {weight} of this {what} is created with {value:g} everywhere; a checkpoint is loaded into its network afterwards.",
        "zh": "该 {what} 的 {weight} 创建时处处为 {value:g}，之后所在网络加载了 checkpoint。",
    },
    "zero-gamma-added": {
        "en": "The scale of this {what} starts at zero, and its result is added to something else: usual in residual branches.",
        "zh": "该 {what} 的缩放参数（gamma）初始值为 0，其输出与其他分支相加，属于残差结构的常见做法。",
    },
    "unresolved": {
        "en": "The {weight} of this {what} is initialised by {expression}, whose value cannot be seen here.",
        "zh": "该 {what} 的 {weight} 由 {expression} 初始化，从脚本中看不出它的值。",
    },
    "no-network": {
        "en": "No layer with weights is made in {path}, as far as it can be followed.",
        "zh": "在 {path} 可分析的范围内没有创建带权重的层。",
    },
    "examined": {
        "en": "Examined {count:,} {count:place that creates|places that create} layers with weights.",
        "zh": "共检查 {count:,} 处创建带权重的层的代码。",
    },
    "fix-remove": {
        "en": "Leave the initialiser out, or take one with random values (Normal, XavierUniform, HeNormal).",
        "zh": "去掉该初始化设置，或改用随机初始化（Normal、XavierUniform、HeNormal 等）。",
    },
    "fix-bias": {"en": "Name the argument: has_bias={flag}.", "zh": "写明参数名：has_bias={flag}。"},
    "fix-call": {
        "en": "Call it: weight.set_data(initializer(...)).",
        "zh": "改为调用：weight.set_data(initializer(...))。",
    },
    "fix-set": {
        "en": "Apply it: param.set_data(initializer(..., param.shape, param.dtype)).",
        "zh": "应用到参数：param.set_data(initializer(..., param.shape, param.dtype))。",
    },
}
WORDS: Words = _grades.WORDS

_ZERO = {
    "en": "Where a weight is zero, nothing passes through the layer at first and no gradient reaches the layers before it; stacked "
    "zero layers never learn, and units that start alike stay alike.",
    "zh": "权重全为 0 时，该层起初不传递任何信息，前面各层得不到梯度；多层同时为 0 则无法学习，起点相同的单元始终相同。",
}
_ALIKE = {
    "en": "Units that start alike get the same gradient and stay alike: the layer works as one single unit.",
    "zh": "起点相同的单元得到的梯度相同，始终保持一致：整层等效于一个单元。",
}
_MAY = {
    "en": "If the weight does start like that, its units get the same gradient, or none reaches the layers before it.",
    "zh": "如果该权重的初始值确实如此，各单元得到的梯度相同，或前面各层得不到梯度。",
}
_SHUT = {
    "en": "Nothing passes through the layer at first, and no gradient reaches what comes before it.",
    "zh": "该层起初不传递任何信息，其前面的部分得不到梯度。",
}
_UNAPPLIED = {
    "en": "The intended initialisation has no effect: the weights keep the layer's default values, and training starts from a "
    "different point than its author believes.",
    "zh": "预期的初始化没有生效：权重仍是该层的默认初始值，训练的起点与作者的设想不同。",
}
_SCORES = {
    "en": "The labels tell the outputs apart from the first step on, but with a softmax no gradient reaches the layers before it in "
    "that step.",
    "zh": "从第一步起标签会使各输出不同；但若使用 softmax，第一步中前面各层得不到梯度。",
}
WHY: Words = {
    "zero-weights": _ZERO,
    "constant-weights": _ALIKE,
    "constant-scores": _SCORES,
    "flag-as-initial": _ALIKE,
    "zero-possible": _MAY,
    "constant-possible": _MAY,
    "zero-parameter": _ZERO,
    "constant-parameter": _ALIKE,
    "zero-parameter-possible": _MAY,
    "constant-parameter-possible": _MAY,
    "zero-set": _ZERO,
    "constant-set": _ALIKE,
    "zero-set-possible": _MAY,
    "constant-set-possible": _MAY,
    "zero-gamma": _SHUT,
    "signal-vanishes": {
        "en": "At first, almost none of the input reaches the output, and almost no gradient the first layers: the loss stays flat for "
        "long, often for good.",
        "zh": "起初输入几乎传不到输出，梯度也几乎传不到前面的层：损失会长时间停在原处，往往再也降不下来。",
    },
    "set-data-assigned": _UNAPPLIED,
    "initializer-discarded": _UNAPPLIED,
}
_SAVE = {
    "en": "Save the network right after creating it (save_checkpoint), set checkpoints.initial to the file, and run the probe "
    "zero_weights: it checks every value.",
    "zh": "网络创建后立即用 save_checkpoint 保存，在 checkpoints.initial 中给出该文件并运行探针 zero_weights，它会检查每个数值。",
}
PROOF: Words = {
    **dict.fromkeys(WHY, _SAVE),
    "set-data-assigned": {
        "en": "Print the mean of the weight before and after this line: it does not change.",
        "zh": "在该行前后打印权重的均值：不会变化。",
    },
    "initializer-discarded": {
        "en": "Print the mean of the weights before and after this line: it does not change.",
        "zh": "在该行前后打印权重的均值：不会变化。",
    },
}

_LEVELS = {
    "signal-vanishes": Level.SUSPECT,
    "zero-weights": Level.PROBLEM,
    "constant-weights": Level.PROBLEM,
    "flag-as-initial": Level.PROBLEM,
    "zero-parameter": Level.PROBLEM,
    "constant-parameter": Level.PROBLEM,
    "zero-set": Level.PROBLEM,
    "constant-set": Level.PROBLEM,
    **{code: Level.SUSPECT for code in WHY if code.endswith("-possible")},
    "zero-gamma": Level.SUSPECT,
    "constant-scores": Level.SUSPECT,
    "set-data-assigned": Level.SUSPECT,
    "initializer-discarded": Level.SUSPECT,
}
_FIXES = {
    **{code: "fix-remove" for code in WHY if code.startswith(("zero", "constant")) and code != "zero-gamma"},
    "signal-vanishes": "fix-spread",
    "flag-as-initial": "fix-bias",
    "set-data-assigned": "fix-call",
    "initializer-discarded": "fix-set",
}
#: What was seen only in part.
_INCOMPLETE = ("unresolved", "loaded-later", "no-network")


@_grades.by_road
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..script import initial_weights, signals
    from ..script.analysis import read_scripts

    scripts = read_scripts(case)
    yield from _gaps.findings(scripts)
    found = [*initial_weights.examine(scripts, params.known), *signals.examine(scripts)]
    yield from (_finding(said) for said in found)
    if scripts.readings and not found:
        count = initial_weights.examined(scripts)
        if count:
            yield Finding("examined", Level.INFO, data={"count": count})
        else:
            yield _seen.nothing("no-network", scripts.readings, {"path": scripts.readings[0].source.path})
    yield from _seen.networks(scripts)
    yield Progress(len(scripts.readings), len(scripts.readings), "files")


def _finding(said: Observation) -> Finding:
    code, source = said.code, said.source
    level = _LEVELS.get(code, Level.INFO)
    sure = said.sure if level is not Level.INFO else None
    if level is Level.SUSPECT and sure is Sure.CERTAIN:
        sure = Sure.POSSIBLE
    fix = _FIXES.get(code)
    return Finding(
        code,
        level,
        Where(path=source.path, line=said.line),
        said.data,
        [source.code(said.line, said.last)],
        Fix(fix, source.patch(list(said.edits)) if said.edits else None) if fix else None,
        incomplete=code in _INCOMPLETE,
        sure=sure,
    )


_HEAD = """import numpy as np
import mindspore as ms
from mindspore import nn, ops, Tensor, Parameter
from mindspore.common.initializer import initializer, Zero, Constant, Normal, Uniform


"""
_NET = """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.fc = {layer}

    def construct(self, x):
        return self.fc(self.conv(x).reshape((-1, 128)))


net = Net()
{after}
ms.Model(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"), nn.SGD(net.trainable_params())).train(1, data)
"""
_OWN = """
class Linear(nn.Cell):
    def __init__(self):
        super().__init__()
        {made}

    def construct(self, x):
        return {used}


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Dense(16, 16), Linear()

    def construct(self, x):
        return self.second(self.first(x))


ms.Model(Net()).train(1, data)
"""


def _example(name: str, script: str, verdict: Verdict, *codes: str) -> Example:
    return script_example(_HEAD, name, script.lstrip("\n"), verdict, *codes)


_FACTORS = """
class Factors(nn.Cell):
    def __init__(self, users, films):
        super().__init__()
        self.p = ms.Parameter({p}, name="p")
        self.q = ms.Parameter({q}, name="q")
        self.shift = ms.Parameter(ops.zeros(users), name="shift")

    def construct(self, user, film):
        return (self.p[user] * self.q[film]).sum(1) + self.shift[user]

net = Factors(100, 50)
opt = nn.Adam(net.trainable_params(), 0.01)
step = ms.value_and_grad(lambda u, f, y: ops.square(net(u, f) - y).mean(), None, opt.parameters)
for user, film, mark in data:
    loss, grads = step(user, film, mark)
    opt(grads)
"""


def _layer(name: str, layer: str, verdict: Verdict, *codes: str, after: str = "") -> Example:
    return _example(name, _NET.format(layer=layer, after=after.strip("\n")), verdict, *codes)


def _own(name: str, made: str, used: str, verdict: Verdict, *codes: str) -> Example:
    return _example(name, _OWN.format(made=made, used=used), verdict, *codes)


_INIT_LOOP = """
for _, cell in net.cells_and_names():
    if isinstance(cell, nn.Dense):
        cell.weight.set_data(initializer({value}, cell.weight.shape, cell.weight.dtype))
"""
_CHAIN = """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        init = {init}
        self.body = nn.SequentialCell(
            nn.Conv2d(1, 6, 3, weight_init=init), nn.Tanh(), nn.AvgPool2d(2, 2), nn.Conv2d(6, 16, 3, weight_init=init), nn.Tanh(),
            nn.Flatten(), nn.Dense(256, 84, weight_init=init), nn.Tanh(), nn.Dense(84, 10, weight_init=init))

    def construct(self, x):
        return self.body(x)


net = Net()
ms.Model(net, nn.CrossEntropyLoss(), nn.SGD(net.trainable_params())).train(1, data)
"""

_LOADED_WITHIN = """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv, self.more = nn.Conv2d(3, 8, 3, weight_init="ones"), nn.Conv2d(8, 8, 3, weight_init="ones")
        self.fc = nn.Dense(128, 10)

    def construct(self, x):
        return self.fc(self.more(self.conv(x)).reshape((-1, 128)))


def begin():
    net = Net()
    print(ms.load_param_into_net(net, ms.load_checkpoint('vgg.ckpt')))
    ms.Model(net, nn.CrossEntropyLoss(), nn.SGD(net.trainable_params())).train(1, data)
"""

EXAMPLES = [
    *(
        _example(f"factors that start as {told}", _FACTORS.format(p=p, q=q), verdict, *codes)
        for told, p, q, verdict, codes in (
            (
                "one number",
                "ops.full((users, 8), 0.1)",
                "ops.ones((films, 8))",
                Verdict.PROBLEM,
                ["constant-parameter"],
            ),
            ("one number and others", "ops.full((users, 8), 0.1)", "ops.randn((films, 8))", Verdict.OK, ["examined"]),
            ("others", "ops.randn((users, 8))", "ops.randn((films, 8))", Verdict.OK, ["examined"]),
        )
    ),
    _example("narrow weights under tanh", _CHAIN.format(init="Normal(0.003)"), Verdict.UNDECIDED, "signal-vanishes"),
    _example("weights by the size of each layer", _CHAIN.format(init='"xavier_uniform"'), Verdict.OK, "examined"),
    _layer("no initialiser: the default is random", "nn.Dense(128, 10)", Verdict.OK, "examined"),
    _layer("weight_init='zeros'", "nn.Dense(128, 10, weight_init='zeros')", Verdict.PROBLEM, "zero-weights"),
    _layer("another spelling of it", "nn.Dense(128, 10, weight_init='Zeros')", Verdict.PROBLEM, "zero-weights"),
    _layer("the number 0", "nn.Dense(128, 10, weight_init=0, bias_init=0)", Verdict.PROBLEM, "zero-weights"),
    _layer("Zero()", "nn.Dense(128, 10, weight_init=Zero())", Verdict.PROBLEM, "zero-weights"),
    _layer("a random initialiser", "nn.Dense(128, 10, weight_init=Normal(0.02))", Verdict.OK, "examined"),
    _layer("a bias of zeros", "nn.Dense(128, 10, bias_init='zeros')", Verdict.OK, "examined"),
    _example(
        "one constant",
        _CHAIN.replace("84, weight_init=init", "84, weight_init=Constant(0.1)").format(init="Normal(0.1)"),
        Verdict.PROBLEM,
        "constant-weights",
    ),
    _layer("ones in the last layer", "nn.Dense(128, 10, weight_init='ones')", Verdict.UNDECIDED, "constant-scores"),
    _layer("False in the place of weight_init", "nn.Dense(128, 10, False)", Verdict.PROBLEM, "flag-as-initial"),
    _layer("has_bias=False by name", "nn.Dense(128, 10, has_bias=False)", Verdict.OK, "examined"),
    _layer(
        "an array of zeros",
        "nn.Dense(128, 10, weight_init=Tensor(np.zeros((10, 128)).astype(np.float32)))",
        Verdict.PROBLEM,
        "zero-weights",
    ),
    _layer(
        "zeros, initialised otherwise before training",
        "nn.Dense(128, 10, weight_init='zeros')",
        Verdict.OK,
        "set-later",
        after=_INIT_LOOP.format(value="Normal(0.01)"),
    ),
    _layer(
        "zeros, and a checkpoint loaded into the network",
        "nn.Dense(128, 10, weight_init='zeros')",
        Verdict.UNDECIDED,
        "loaded-later",
        after="print(ms.load_param_into_net(net, ms.load_checkpoint('net.ckpt')))",
    ),
    _example(
        "ones, and a checkpoint loaded by the function that makes the network, which nothing is seen to call",
        _LOADED_WITHIN,
        Verdict.UNDECIDED,
        "loaded-later",
    ),
    _example(
        "such a function that loads nothing",
        _LOADED_WITHIN.replace("    print(ms.load_param_into_net(net, ms.load_checkpoint('vgg.ckpt')))\n", ""),
        Verdict.PROBLEM,
        "constant-weights",
    ),
    _layer(
        "a loop that writes zeros",
        "nn.Dense(128, 10)",
        Verdict.PROBLEM,
        "zero-set",
        after=_INIT_LOOP.format(value="'zeros'"),
    ),
    _layer(
        "set_data assigned to instead of called",
        "nn.Dense(128, 10)",
        Verdict.UNDECIDED,
        "set-data-assigned",
        after="""
for _, cell in net.cells_and_names():
    if isinstance(cell, nn.Dense):
        cell.weight.set_data = initializer(Normal(0.01), cell.weight.shape)
""",
    ),
    _layer(
        "an initialiser that is never applied",
        "nn.Dense(128, 10)",
        Verdict.UNDECIDED,
        "initializer-discarded",
        after="""
def init_weights(network):
    for p in network.get_parameters():
        Uniform(p)

init_weights(net)
""",
    ),
    _layer(
        "a comment says that zeros are meant",
        "nn.Dense(128, 10, weight_init='zeros')  # zero-initialised head",
        Verdict.OK,
        "meant-constant",
    ),
    _example(
        "zeros by a helper of the project",
        """
def weight_variable(shape):
    return initializer("zeros", shape)

def conv(cin, cout):
    return nn.Conv2d(cin, cout, 3, weight_init=weight_variable((cout, cin, 3, 3)))

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.SequentialCell([conv(3, 8), nn.ReLU(), conv(8, 8)])

    def construct(self, x):
        return self.layers(x)

model = ms.Model(Net())
""",
        Verdict.PROBLEM,
        "zero-weights",
    ),
    _example(
        "zeros as one of several ways, which settings choose",
        """
def parameter(name, shape, method):
    if method == "zero":
        return Parameter(initializer("zeros", shape), name=name)
    return Parameter(initializer("normal", shape), name=name)

class Net(nn.Cell):
    def __init__(self, method):
        super().__init__()
        self.weight = parameter("weight", (16, 4), method)

    def construct(self, x):
        return ops.matmul(x, self.weight)

model = ms.Model(Net(config.method))
""",
        Verdict.UNDECIDED,
        "zero-parameter-possible",
    ),
    _example(
        "ones for the time until a checkpoint is loaded, where one is given",
        """
net = nn.SequentialCell([nn.Conv2d(3, 8, 3, weight_init="ones"), nn.ReLU(), nn.Conv2d(8, 8, 3)])
if config.backbone:
    print(ms.load_param_into_net(net, ms.load_checkpoint(config.backbone)))
ms.Model(net).train(1, data)
""",
        Verdict.UNDECIDED,
        "constant-possible",
    ),
    _example(
        "an option decides",
        """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--init", default="zeros")
args = parser.parse_args()
net = nn.SequentialCell([nn.Dense(16, 16), nn.ReLU(), nn.Dense(16, 4, weight_init=args.init)])
model = ms.Model(net)
""",
        Verdict.PROBLEM,
        "zero-weights",
    ),
    _example(
        "a setting that was not read decides",
        """
from src.config import config
net = nn.SequentialCell([nn.Dense(16, 16), nn.ReLU(), nn.Dense(16, 4, weight_init=config.init)])
model = ms.Model(net)
""",
        Verdict.UNDECIDED,
        "unresolved",
    ),
    _example(
        "the last layer of a residual branch may start at zero",
        """
class Block(nn.Cell):
    def __init__(self):
        super().__init__()
        self.one = nn.Conv2d(8, 8, 3)
        self.last = nn.SequentialCell([nn.Conv2d(8, 8, 1, weight_init="zeros"), nn.BatchNorm2d(8)])
    def construct(self, x):
        return x + self.last(ops.relu(self.one(x)))

model = ms.Model(nn.SequentialCell([Block(), nn.Flatten(), nn.Dense(8, 4)]))
""",
        Verdict.UNDECIDED,
        "zero-possible",
    ),
    _example(
        "the branch of a block whose input has come in one of two ways",
        """
class Block(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(8, 8, 3)
        self.last = nn.SequentialCell([nn.Conv2d(8, 8, 1, weight_init="zeros"), nn.BatchNorm2d(8)])
    def construct(self, x):
        y = self.first(x)
        return self.last(y.view(2, 8, -1)) + x

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.stem, self.block, self.head = nn.Conv2d(3, 8, 3), Block(), nn.Dense(8, 4)
    def construct(self, x):
        x = self.stem(x)
        if x.shape[0] > 2:
            x = ops.relu(x)
        return self.head(self.block(x))

model = ms.Model(Net())
""",
        Verdict.UNDECIDED,
        "zero-possible",
    ),
    _example(
        "a regression of one layer may start at zero",
        """
net = nn.Dense(16, 4, weight_init="zeros")
model = ms.Model(net)
""",
        Verdict.UNDECIDED,
        "zero-possible",
    ),
    _example(
        "the last scale of a residual branch",
        """
class Block(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(8, 8, 3)
        self.bn = nn.BatchNorm2d(8, gamma_init="zeros")

    def construct(self, x):
        return x + self.bn(self.conv(x))

ms.Model(Block()).train(1, data)
""",
        Verdict.OK,
        "zero-gamma-added",
    ),
    _example(
        "a scale of zero without a branch around it",
        """
net = nn.SequentialCell([nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8, gamma_init="zeros"), nn.Conv2d(8, 8, 3)])

def forward(x):
    return net(x)

model = ms.Model(net)
""",
        Verdict.UNDECIDED,
        "zero-gamma",
    ),
    _own(
        "a Parameter of zeros that is multiplied with",
        'self.w = Parameter(Tensor(np.zeros((16, 4)), ms.float32), name="w")',
        "ops.matmul(x, self.w)",
        Verdict.PROBLEM,
        "zero-parameter",
    ),
    _own(
        "random values",
        'self.w = Parameter(initializer("normal", (16, 4)), name="w")',
        "ops.matmul(x, self.w)",
        Verdict.OK,
        "examined",
    ),
    _own(
        "a bias of two dimensions",
        'self.shift = Parameter(initializer("zeros", (1, 16)), name="shift")',
        "x + self.shift",
        Verdict.OK,
        "examined",
    ),
    _own(
        "an embedding of positions",
        'self.pos_embed = Parameter(ops.zeros((1, 16), ms.float32), name="pos_embed")',
        "x + self.pos_embed",
        Verdict.OK,
        "examined",
    ),
    _own(
        "a buffer",
        'self.table = Parameter(ops.zeros((16, 4), ms.float32), name="table", requires_grad=False)',
        "ops.matmul(x, self.table)",
        Verdict.OK,
        "examined",
    ),
    _own(
        "a start state",
        "self.h = Tensor(np.zeros((1, 16)), ms.float32)",
        "x + self.h",
        Verdict.OK,
        "examined",
    ),
    _own(
        "a table that is filled afterwards",
        "table = np.zeros((16, 4)); table[0] = np.random.randn(4); self.w = Parameter(Tensor(table))",
        "ops.matmul(x, self.w)",
        Verdict.OK,
        "examined",
    ),
    _example("no network", "\nprint(ms.__version__)\n", Verdict.UNDECIDED, "no-network"),
]
