"""Reads from the scripts whether the training inputs are brought to one scale: Normalize, Rescale, ToTensor, formulas, scalers.

Catches: images that reach the network as 0 to 255; mean and std of 0 to 1 applied to 0 to 255, or of 0 to 255 applied to 0 to 1;
two divisions by 255; statistics of 0 to 1 before that division; uint8 arithmetic that wraps around; a scaler that is fitted and never
used; inputs that only evaluation normalises. Follows the pipeline from its source through transforms, numpy formulas, OpenCV, PIL and
the project's own functions into the network. Cannot tell: the range of numbers that a file holds (tables, arrays, records); such
inputs are named and left undecided. Never imports or runs the scripts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Progress, Sure, Verdict, Where
from ..model import suggest as usual
from ..probe import script_example
from . import _gaps, _grades, _seen
from . import _sample_steps as shared

if TYPE_CHECKING:
    from ..script.normalization import Observation

KIND = Kind.STATIC
NEEDS: tuple[str | tuple[str, ...], ...] = ("scripts.train",)


class Params(msgspec.Struct, frozen=True):
    pass


MESSAGES: Words = {
    "raw": {
        "en": "The training input {input} reaches the network as it was read, {low:g} to {high:g}: nothing on the way normalises it.",
        "zh": "训练输入 {input} 以原始取值（{low:g} 到 {high:g}）进入网络，途中没有任何归一化。",
    },
    "features-raw": {
        "en": "The cepstral coefficients in {input} reach the network as they were computed: the first is in the tens, the others are "
        "far smaller, and nothing brings them to one scale.",
        "zh": "{input} 中的倒谱系数（MFCC）未经归一化就进入网络：首个系数可达几十，其余小得多，彼此尺度不一。",
    },
    "raw-perhaps": {
        "en": "{input} enters the network as read, {low:g} to {high:g}; what the network does first with it could not be followed.",
        "zh": "{input} 以原始取值（{low:g} 到 {high:g}）传给网络，无法跟踪网络最先对它做了什么。",
    },
    "unit-statistics": {
        "en": "This mean and std are for values of 0 to 1, but {input} is still 0 to 255 here: it becomes {low:.1f} to {high:.1f}.",
        "zh": "这里的均值和标准差按 0 到 1 给出，而 {input} 此时仍是 0 到 255，结果为 {low:.1f} 到 {high:.1f}。",
    },
    "scaled-late": {
        "en": "This mean and std are for values of 0 to 1, but {input} is still 0 to 255 here and is scaled down only afterwards: it "
        "becomes {low:.2f} to {high:.2f}, with the mean hardly removed.",
        "zh": "这里的均值和标准差按 0 到 1 给出，而 {input} 此时仍是 0 到 255，之后才缩小，结果为 {low:.2f} 到 {high:.2f}，"
        "均值几乎没有减去。",
    },
    "wraps-around": {
        "en": "{input} holds uint8 here, and a whole number leaves it so: results beyond 0 and 255 wrap around (100 - 127 gives 229), "
        "and dark and bright pixels change places.",
        "zh": "{input} 在这里是 uint8，与整数运算后类型不变：超出 0 到 255 的结果会回绕（100 - 127 得 229），明暗像素因此错乱。",
    },
    "pixel-statistics": {
        "en": "This mean and std are for values of 0 to 255, but {input} has been scaled down before: it becomes {low:.3f} to "
        "{high:.3f}, almost a constant.",
        "zh": "这里的均值和标准差按 0 到 255 给出，而 {input} 之前已经缩小，结果为 {low:.3f} 到 {high:.3f}，几乎成了常数。",
    },
    "impossible-statistics": {
        "en": "No values between {low:g} and {high:g} have a mean of {mean:g} and a std of {std:g}: with that mean, a std is at most "
        "{most:.3g}. Mean and std may be swapped.",
        "zh": "取值在 {low:g} 到 {high:g} 之间的数据不可能均值为 {mean:g} 而标准差为 {std:g}：均值如此时标准差至多为 {most:.3g}。"
        "均值和标准差可能写反了。",
    },
    "exchanged-statistics": {
        "en": "Mean {mean:g} and std {std:g} are swapped: they are the published std and mean of {dataset}.",
        "zh": "均值 {mean:g} 和标准差 {std:g} 写反了：它们分别是 {dataset} 公布的标准差和均值。",
    },
    "scaled-twice": {
        "en": "{input} is scaled down more than once: it reaches the network as {low:.4f} to {high:.4f}, almost a constant.",
        "zh": "{input} 被重复缩小，进入网络的取值为 {low:.4f} 到 {high:.4f}，几乎成了常数。",
    },
    "ranges-apart": {
        "en": "Generated samples lie between {least:g} and {most:g} ({by}, {at}), the real ones given to the same network between "
        "{low:.3g} and {high:.3g}: it can tell them apart by their range alone.",
        "zh": "生成的样本在 {least:g} 到 {most:g} 之间（{by}，{at}），而输入同一网络的真实样本在 {low:.3g} 到 {high:.3g} 之间："
        "仅凭取值范围就能区分两者。",
    },
    "beyond-outputs": {
        "en": "{loss} compares what {by} ({at}) gives, {least:g} to {most:g}, with data of {low:.3g} to {high:.3g}: part of them is out "
        "of reach.",
        "zh": "{loss} 把 {by}（{at}）的输出（{least:g} 到 {most:g}）与取值 {low:.3g} 到 {high:.3g} 的数据比较：其中一部分永远达不到。",
    },
    "scaler-unused": {
        "en": "This {scaler} is fitted, but nothing is ever transformed with it: the features keep their own scales.",
        "zh": "该 {scaler} 只做了 fit，从未用来变换数据，特征仍是原来的尺度。",
    },
    "only-in-evaluation": {
        "en": "Evaluation brings {input} to a common scale, training does not.",
        "zh": "{input} 只在评估时做了归一化，训练时没有。",
    },
    "sometimes": {
        "en": "{input} is normalised on one path through the code but not on another.",
        "zh": "{input} 在一条执行路径上做了归一化，在另一条上没有。",
    },
    "unclear": {
        "en": "Whether {input} is normalised could not be determined. Seen on its way: {steps}.",
        "zh": "无法判断 {input} 是否做了归一化。途中可见的处理：{steps}。",
    },
    "input-unseen": {
        "en": "What enters the network from here could not be followed, so whether it is normalised could not be determined.",
        "zh": "没有看到从此处进入网络的是什么，因此无法判断是否做了归一化。",
    },
    "normalised": {
        "en": "{input} needs no attention: {steps}.",
        "zh": "{input} 没有问题：{steps}。",
    },
    "centred": {
        "en": "{input} is centred, but keeps the range of pixels, as networks with weights of that kind expect: {steps}.",
        "zh": "{input} 只减去了均值，保持像素的量程，部分预训练权重就是这样要求的：{steps}。",
    },
    "in-network": {
        "en": "{input} is normalised within the network.",
        "zh": "{input} 在网络内部做了归一化。",
    },
    "generated": {
        "en": "The training data are made by the program itself; their range cannot be seen here.",
        "zh": "训练数据由程序自身生成，从代码中看不出取值范围。",
    },
    "no-continuous-input": {
        "en": "The network takes ids only; there is nothing to normalise.",
        "zh": "网络只接收编号类输入，不需要归一化。",
    },
    "simulated": {
        "en": "The data come from a simulator; there is no input pipeline.",
        "zh": "数据来自仿真环境，没有输入数据管道。",
    },
    "no-pipeline": {
        "en": "No data for training are read in {path}, as far as it could be followed.",
        "zh": "在能够分析到的范围内，{path} 没有读取训练数据。",
    },
    **_gaps.MESSAGES,
    **_seen.MESSAGES,
    "fix-normalise": {
        "en": "Bring the values to about -1 to 1: Rescale(1/255, 0) and Normalize(mean, std), or ToTensor() and Normalize.",
        "zh": "把取值变换到约 -1 到 1：先 Rescale(1/255, 0) 再 Normalize(mean, std)，或 ToTensor() 加 Normalize。",
    },
    "fix-features": {
        "en": "Subtract mean and divide by standard deviation, per utterance or with the training set's statistics.",
        "zh": "按每条语音或用训练集的统计量，减去均值并除以标准差。",
    },
    "fix-rescale": {
        "en": "Rescale to 0 to 1 first, or multiply mean and std by 255.",
        "zh": "先缩放到 0 到 1，或把均值和标准差乘以 255。",
    },
    "fix-range": {
        "en": "Scale the data to the range of the last activation: -1 to 1 for tanh, 0 to 1 for sigmoid; or change the activation.",
        "zh": "把数据缩放到最后一个激活函数的取值范围：tanh 为 -1 到 1，sigmoid 为 0 到 1；或更换激活函数。",
    },
    "fix-float": {
        "en": "Convert to float first: image.astype(np.float32) - 127.",
        "zh": "先转换为浮点数：image.astype(np.float32) - 127。",
    },
    "fix-statistics": {
        "en": "Divide mean and std by 255, or drop the scaling before.",
        "zh": "把均值和标准差除以 255，或去掉之前的缩放。",
    },
    "fix-measured": {
        "en": "Give the mean and the std of the training data, in this order.",
        "zh": "按顺序填写训练数据的均值和标准差。",
    },
    "fix-once": {
        "en": "Keep one of the two: ToTensor already divides by 255, whatever its input.",
        "zh": "两处只保留一处：ToTensor 本身就会除以 255，与输入类型无关。",
    },
    "fix-transform": {
        "en": "Call transform on the training features, and with the same object on the evaluation features.",
        "zh": "对训练特征调用 transform，并用同一个对象变换评估特征。",
    },
    "fix-both": {"en": "Apply the same steps in training.", "zh": "训练时也做同样的处理。"},
}
WORDS: Words = {**shared.WORDS, **_grades.WORDS}

_LARGE = {
    "en": "Inputs of that size make the first activations and gradients hundreds of times larger than the initial weights are made "
    "for: training diverges, or converges slowly and to a lower accuracy.",
    "zh": "输入过大时，首层激活值和梯度比初始化权重所预期的大数百倍，训练可能发散，或收敛缓慢且精度偏低。",
}
_SMALL = {
    "en": "All samples look alike to the network: it learns little from the input and stays near a constant answer.",
    "zh": "所有样本在网络看来几乎相同，网络难以从输入中学到东西，输出接近常数。",
}
_UNEVEN = {
    "en": "Features with larger values dominate the gradient, and the others are hardly learned.",
    "zh": "数值大的特征主导梯度，其他特征几乎学不到。",
}
_OFF_CENTRE = {
    "en": "The channels then differ in mean and spread from what the network or its pretrained weights expect.",
    "zh": "各通道的均值和幅度会偏离网络（或预训练权重）所预期的取值。",
}
WHY: Words = {
    "raw": _LARGE,
    "features-raw": _UNEVEN,
    "unit-statistics": _LARGE,
    "scaled-late": _OFF_CENTRE,
    "wraps-around": {
        "en": "Neighbouring pixels that differ by one may then differ by 255: edges appear where there are none, and what is learned "
        "of them does not hold for other pictures.",
        "zh": "相差 1 的相邻像素可能变成相差 255，画面中出现本不存在的边缘，网络从中学到的东西无法推广。",
    },
    "pixel-statistics": _SMALL,
    "scaled-twice": _SMALL,
    "impossible-statistics": _OFF_CENTRE,
    "exchanged-statistics": _OFF_CENTRE,
    "scaler-unused": _UNEVEN,
    "ranges-apart": {
        "en": "The discriminator wins without looking at the content, so that the generator learns little from it, and what it makes is "
        "too dark or too bright.",
        "zh": "判别器不看内容就能取胜，生成器从中学不到东西，生成结果的明暗也不对。",
    },
    "beyond-outputs": {
        "en": "The loss has a floor that no training removes, and the activation is driven to its limit, where gradients vanish.",
        "zh": "损失存在训练消除不了的下限，激活函数被推到饱和处，梯度随之消失。",
    },
    "only-in-evaluation": {
        "en": "The network is evaluated on inputs of a different scale from training, so the measured accuracy is far below what it "
        "could be.",
        "zh": "评估时的输入尺度与训练时不同，测得的精度会远低于应有水平。",
    },
    "raw-perhaps": _LARGE,
}
_MEASURE = {
    "en": "Print min, max, mean and std of a few batches: create_tuple_iterator(num_epochs=1, output_numpy=True).",
    "zh": "取几个 batch 打印最小值、最大值、均值和标准差：create_tuple_iterator(num_epochs=1, output_numpy=True)。",
}
PROOF: Words = {
    **dict.fromkeys(WHY, _MEASURE),
    "scaler-unused": {
        "en": "Print the range of each feature as the network gets it; or search the project for .transform( of this object.",
        "zh": "打印进入网络的每个特征的取值范围，或在项目中搜索该对象的 .transform( 调用。",
    },
}

_LEVELS = {
    "raw": Level.PROBLEM,
    "features-raw": Level.PROBLEM,
    "unit-statistics": Level.PROBLEM,
    "scaled-late": Level.PROBLEM,
    "wraps-around": Level.PROBLEM,
    "pixel-statistics": Level.PROBLEM,
    "scaled-twice": Level.PROBLEM,
    "impossible-statistics": Level.PROBLEM,
    "exchanged-statistics": Level.PROBLEM,
    "scaler-unused": Level.PROBLEM,
    "ranges-apart": Level.PROBLEM,
    "beyond-outputs": Level.PROBLEM,
    "only-in-evaluation": Level.PROBLEM,
    "raw-perhaps": Level.SUSPECT,
}
_FIXES = {
    "raw": "fix-normalise",
    "features-raw": "fix-features",
    "unit-statistics": "fix-rescale",
    "scaled-late": "fix-rescale",
    "wraps-around": "fix-float",
    "pixel-statistics": "fix-statistics",
    "scaled-twice": "fix-once",
    "impossible-statistics": "fix-measured",
    "exchanged-statistics": "fix-measured",
    "scaler-unused": "fix-transform",
    "ranges-apart": "fix-range",
    "beyond-outputs": "fix-range",
    "only-in-evaluation": "fix-both",
    "sometimes": "fix-normalise",
    "raw-perhaps": "fix-normalise",
}
#: The network may be meant for such numbers, as some trackers and detectors are for 0 to 255.
_LIKELY = ("raw", "features-raw", "wraps-around", "ranges-apart", "beyond-outputs")
_NOT_APPLICABLE = ("no-continuous-input", "simulated")


@_grades.by_road
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..script import output_ranges
    from ..script.analysis import read_scripts
    from ..script.normalization import examine
    from ..script.pipelines import of_scripts

    scripts = read_scripts(case)
    yield from _gaps.findings(scripts)
    found: dict[tuple[object, ...], Finding] = {}
    readings = of_scripts(scripts)
    for one in (*examine(readings), *output_ranges.examine(readings)):
        finding = _finding(one)
        found.setdefault((finding.code, finding.where, str(finding.data.get("input"))), finding)
    yield from found.values()
    for reading in [] if found else scripts.training[:1]:
        path = reading.source.path
        yield Finding("no-pipeline", Level.INFO, Where(path=path, line=1), {"path": path}, incomplete=True)
    yield from _seen.data(scripts)
    yield Progress(len(scripts.sources), len(scripts.sources), "files")


def suggest(findings: Iterable[Finding]) -> Verdict:
    """Ids alone, or a simulator, need no normalisation; otherwise as usual."""
    found = list(findings)
    verdict = usual(found)
    if verdict is Verdict.OK and any(finding.code in _NOT_APPLICABLE for finding in found):
        return Verdict.NOT_APPLICABLE
    return verdict


def _finding(said: Observation) -> Finding:
    code, made = said.code, said.made
    level = _LEVELS.get(code, Level.INFO)
    told = [shared.steps_table(said.way)] if said.way is not None else []
    return Finding(
        code,
        level,
        Where(path=made.source.path, line=made.line, column=getattr(made.node, "col_offset", 0)),
        shared.spoken({key: value for key, value in said.data.items() if value is not None}),
        shared.evidence(made, *told),
        Fix(_FIXES[code], _diff(said)) if code in _FIXES else None,
        incomplete=code in ("unclear", "input-unseen", "generated", "sometimes"),
        sure=None if level is Level.INFO else Sure.POSSIBLE if level is Level.SUSPECT else _sure(said),
    )


def _sure(said: Observation) -> Sure:
    return Sure.CERTAIN if said.certain and said.code not in _LIKELY else Sure.LIKELY


def _diff(said: Observation) -> str | None:
    if said.code != "unit-statistics" or said.step is None or not said.step.name.startswith("vision."):
        return None
    made = said.step.made
    return shared.inserted_before(made, "Rescale(1.0 / 255.0, 0.0)") or shared.multiplied(
        made, ("mean", "std"), "255.0"
    )


_example = partial(
    script_example,
    "import mindspore as ms\nimport mindspore.dataset as ds\nimport mindspore.dataset.vision as vision\nfrom mindspore import nn",
)


_NET = """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)

    def construct(self, x):
        return self.conv(x)

"""
_TRAIN = """
data = ds.Cifar10Dataset("data").map(transforms, "image").batch(32)
ms.Model(Net(), nn.SoftmaxCrossEntropyWithLogits()).train(10, data)
"""

_EVALUATE = """
held = ds.Cifar10Dataset("data", usage="test").map(
    [vision.ToTensor(), vision.Normalize(MEAN, STD, is_hwc=False)], "image"
).batch(32)
ms.Model(Net(), nn.SoftmaxCrossEntropyWithLogits(), metrics={"acc"}).eval(held)
"""
_BY_CHANNEL = """
import cv2
import numpy as np

def normalised(image, mean=(0.485, 0.456, 0.406), std=(0.229, 0.224, 0.225)):
    image[0] = (image[0] - mean[0]) / std[0]
    image[1] = (image[1] - mean[1]) / std[1]
    image[2] = (image[2] - mean[2]) / std[2]
    return image

class Pictures:
    def __init__(self, paths):
        self.paths = paths

    def __getitem__(self, index):
        image = cv2.imread(self.paths[index])
        return normalised(image.transpose(2, 0, 1).astype(np.float32) {scale}), np.int32(0)

    def __len__(self):
        return len(self.paths)

data = ds.GeneratorDataset(Pictures(paths), ["image", "label"], shuffle=True).batch(8)
ms.Model(Net(), nn.SoftmaxCrossEntropyWithLogits()).train(10, data)
"""
_PICTURES = """
import cv2
import numpy as np

class Pictures:
    def __init__(self, paths):
        self.paths = paths

    def __getitem__(self, index):
        image = cv2.imread(self.paths[index])
        image = {formula}
        return image.transpose(2, 0, 1).astype(np.float32), np.int32(0)

    def __len__(self):
        return len(self.paths)

data = ds.GeneratorDataset(Pictures(paths), ["image", "label"], shuffle=True).batch(8)
ms.Model(Net(), nn.SoftmaxCrossEntropyWithLogits()).train(10, data)
"""
_COMPETING = """
from mindspore import ops

def faces():
    scaled = [vision.Resize((16, 16)), {scale}, vision.HWC2CHW()]
    return ds.ImageFolderDataset("faces", decode=True, shuffle=True).map(scaled, "image").project(["image"]).batch(8)

class Maker(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.SequentialCell(nn.Dense(20, 768), nn.BatchNorm1d(768))

    def construct(self, z):
        return ({output}).reshape(-1, 3, 16, 16)

class Judge(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv, self.last = nn.Conv2d(3, 8, 3, 2), nn.Dense(512, 1)

    def construct(self, x):
        return self.last(ops.leaky_relu(self.conv(x)).reshape(x.shape[0], -1))

make, judge, entropy = Maker(), Judge(), nn.BCEWithLogitsLoss()
makes, judges = (nn.Adam(net.trainable_params(), 2e-4, 0.5) for net in (make, judge))

def judged(x, z):
    real, fake = judge(x), judge(ops.stop_gradient(make(z)))
    return entropy(real, ops.ones_like(real)) + entropy(fake, ops.zeros_like(fake))

def made(z):
    score = judge(make(z))
    return entropy(score, ops.ones_like(score))

first = ms.value_and_grad(judged, None, judges.parameters)
second = ms.value_and_grad(made, None, makes.parameters)
for (x,) in faces().create_tuple_iterator():
    z = ops.randn(8, 20)
    judges(first(x, z)[1])
    makes(second(z)[1])
"""
_RESTORED = """
net = nn.SequentialCell(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Conv2d(8, 3, 3), {last})
loss_of, optimizer = {loss}, nn.Adam(net.trainable_params())
step = ms.value_and_grad(lambda x: loss_of(net(x), x), None, optimizer.parameters)
data = ds.Cifar10Dataset("data", shuffle=True).map([{scale}, vision.HWC2CHW()], "image").batch(8)
for x, _ in data.create_tuple_iterator():
    loss, grads = step(x)
    optimizer(grads)
"""
_ONE, _TWO, _SPREAD = (
    "vision.Rescale(1 / 255, 0)",
    "vision.Rescale(1 / 127.5, -1)",
    "vision.Normalize([127] * 3, [58] * 3)",
)
_SAMPLES = """
import pickle
import numpy as np

class Samples:
    def __init__(self, path):
        self.rows = pickle.load(open(path, "rb"))["rows"]

    def __getitem__(self, index):
        row = self.rows[index]
        row["taken"] = np.arange(50) * row["total"] // 500
        row["points"] = {points}.astype(np.float32)
        return row["points"][:, row["taken"]], row["label"]

    def __len__(self):
        return len(self.rows)

data = ds.GeneratorDataset(Samples("rows.pkl"), ["points", "label"], shuffle=True).batch(8)
ms.Model(Net(), nn.SoftmaxCrossEntropyWithLogits()).train(10, data)
"""
EXAMPLES = [
    _example(
        "Rescale and Normalize",
        _NET
        + """
mean, std = [0.4914, 0.4822, 0.4465], [0.2023, 0.1994, 0.2010]
transforms = [vision.Resize(32), vision.Rescale(1.0 / 255.0, 0.0), vision.Normalize(mean, std), vision.HWC2CHW()]
"""
        + _TRAIN,
        Verdict.OK,
        "normalised",
    ),
    _example(
        "ToTensor alone divides by 255",
        _NET + "transforms = [vision.Resize(32), vision.ToTensor()]" + _TRAIN,
        Verdict.OK,
        "normalised",
    ),
    _example(
        "statistics of 0 to 255 on pixels",
        _NET
        + """
mean = [0.485 * 255, 0.456 * 255, 0.406 * 255]
std = [0.229 * 255, 0.224 * 255, 0.225 * 255]
transforms = [vision.RandomCropDecodeResize(224), vision.Normalize(mean=mean, std=std), vision.HWC2CHW()]
"""
        + _TRAIN,
        Verdict.OK,
        "normalised",
    ),
    _example(
        "only resized",
        _NET + "transforms = [vision.Resize((32, 32)), vision.HWC2CHW()]" + _TRAIN,
        Verdict.PROBLEM,
        "raw",
    ),
    _example(
        "statistics of 0 to 1 on pixels",
        _NET + "transforms = [vision.Normalize([0.5, 0.5, 0.5], [0.5, 0.5, 0.5]), vision.HWC2CHW()]" + _TRAIN,
        Verdict.PROBLEM,
        "unit-statistics",
    ),
    _example(
        "statistics of 0 to 1 before ToTensor, which comes too late",
        _NET
        + "transforms = [vision.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]), vision.HWC2CHW()]"
        + _TRAIN,
        Verdict.PROBLEM,
        "unit-statistics",
    ),
    _example(
        "statistics of 0 to 1 before the division by 255",
        _NET
        + "transforms = [vision.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]), vision.Rescale(1 / 255, 0), vision.HWC2CHW()]"
        + _TRAIN,
        Verdict.PROBLEM,
        "scaled-late",
    ),
    *(
        _example(
            f"{told}: pixels {formula}",
            _NET + _PICTURES.format(formula=formula),
            Verdict.PROBLEM if code == "wraps-around" else Verdict.OK,
            code,
        )
        for told, formula, code in (
            ("uint8 wraps around", "(image - 127) / 128", "wraps-around"),
            ("doubled within uint8", "(cv2.resize(image, (32, 32)) * 2).astype(np.float32) / 255 - 1", "wraps-around"),
            ("a float widens uint8", "(image - 127.5) / 127.5", "normalised"),
            ("floats by then", "(image.astype('f4') - 127) / 128", "normalised"),
            ("an array of means widens uint8", "(image - np.array([104, 117, 123])) / 128", "normalised"),
            ("within 0 to 255", "(255 - image) / 255", "normalised"),
        )
    ),
    *(
        _example(
            f"{output} beside {scale} for one network",
            _COMPETING.format(output=output, scale=scale),
            Verdict.OK if code == "normalised" else Verdict.PROBLEM,
            code,
        )
        for output, scale, code in (
            ("ops.tanh(self.body(z))", _TWO, "normalised"),
            ("ops.tanh(self.body(z))", _ONE, "ranges-apart"),
            ("ops.tanh(self.body(z))", _SPREAD, "ranges-apart"),
            ("(ops.tanh(self.body(z)) + 1) / 2", _ONE, "normalised"),
            ("ops.sigmoid(self.body(z))", _ONE, "normalised"),
            ("ops.sigmoid(self.body(z))", _TWO, "ranges-apart"),
            ("self.body(z)", _ONE, "normalised"),
        )
    ),
    *(
        _example(
            f"{last} and {loss} of {scale}",
            _RESTORED.format(last=last, loss=loss, scale=scale),
            Verdict.OK if code == "normalised" else Verdict.PROBLEM,
            code,
        )
        for last, loss, scale, code in (
            ("nn.Sigmoid()", "nn.MSELoss()", _ONE, "normalised"),
            ("nn.Sigmoid()", "nn.MSELoss()", _TWO, "beyond-outputs"),
            ("nn.Sigmoid()", "nn.BCELoss(reduction='mean')", _SPREAD, "beyond-outputs"),
            ("nn.Tanh()", "nn.L1Loss()", _ONE, "normalised"),
            ("nn.Tanh()", "nn.L1Loss()", _SPREAD, "beyond-outputs"),
            ("nn.Conv2d(3, 3, 1)", "nn.L1Loss()", _SPREAD, "normalised"),
        )
    ),
    _example(
        "statistics of 0 to 255 after ToTensor",
        _NET
        + "transforms = [vision.ToTensor(), vision.Normalize([123.7, 116.3, 103.5], [58.4, 57.1, 57.4], is_hwc=False)]"
        + _TRAIN,
        Verdict.PROBLEM,
        "pixel-statistics",
    ),
    _example(
        "mean and std have changed places",
        _NET
        + "transforms = [vision.ToTensor(), vision.Normalize([0.229, 0.224, 0.225], [0.485, 0.456, 0.406], is_hwc=False)]"
        + _TRAIN,
        Verdict.PROBLEM,
        "impossible-statistics",
    ),
    _example(
        "mean and std of pixels are swapped, in a function",
        _NET
        + "def scaled(mean, std):\n    return vision.Normalize(mean, std)\n\n"
        + "transforms = [scaled(std=[123.7, 116.3, 103.5], mean=[58.4, 57.1, 57.4]), vision.HWC2CHW()]"
        + _TRAIN,
        Verdict.PROBLEM,
        "impossible-statistics",
    ),
    _example(
        "mean and std of MNIST are swapped",
        _NET
        + "transforms = [vision.Rescale(1 / 255, 0), vision.Normalize((0.3081,), (0.1307,)), vision.HWC2CHW()]"
        + _TRAIN,
        Verdict.PROBLEM,
        "exchanged-statistics",
    ),
    _example(
        "mean and std of MNIST",
        _NET
        + "transforms = [vision.Rescale(1 / 255, 0), vision.Normalize((0.1307,), (0.3081,)), vision.HWC2CHW()]"
        + _TRAIN,
        Verdict.OK,
        "normalised",
    ),
    _example(
        "mean and std are swapped in evaluation alone",
        _NET
        + "transforms = [vision.ToTensor(), vision.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225], is_hwc=False)]"
        + _TRAIN
        + _EVALUATE.replace("MEAN", "[0.229, 0.224, 0.225]").replace("STD", "[0.485, 0.456, 0.406]"),
        Verdict.PROBLEM,
        "impossible-statistics",
        "normalised",
    ),
    _example(
        "other statistics in evaluation",
        _NET
        + "transforms = [vision.ToTensor(), vision.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225], is_hwc=False)]"
        + _TRAIN
        + _EVALUATE.replace("MEAN", "[0.5, 0.5, 0.5]").replace("STD", "[0.5, 0.5, 0.5]"),
        Verdict.OK,
        "normalised",
    ),
    _example(
        "mean and std are swapped, in arithmetic",
        _NET
        + """
import cv2
import numpy as np

def prepared(path):
    picture = cv2.imread(path).astype(np.float32) / 255.0
    picture -= np.array([0.225, 0.224, 0.229], np.float32)
    return (picture / np.array([0.406, 0.456, 0.485], np.float32)).transpose(2, 0, 1)

network = Net()
network(ms.Tensor(prepared("a.png")[None]))
""",
        Verdict.PROBLEM,
        "impossible-statistics",
    ),
    _example(
        "a scale that somebody chose",
        _NET
        + "transforms = [vision.ToTensor(), vision.Normalize([0.1, 0.2, 0.3], [1.0, 1.0, 1.0], is_hwc=False)]"
        + _TRAIN,
        Verdict.OK,
        "normalised",
    ),
    _example(
        "Rescale and ToTensor both divide",
        _NET + "transforms = [vision.Rescale(1 / 255, 0), vision.ToTensor()]" + _TRAIN,
        Verdict.PROBLEM,
        "scaled-twice",
    ),
    _example(
        "records that are divided twice",
        _NET
        + "transforms = [vision.Rescale(1 / 255, 0), vision.Rescale(1 / 255, 0), vision.HWC2CHW()]"
        + _TRAIN.replace("Cifar10Dataset", "TFRecordDataset"),
        Verdict.PROBLEM,
        "scaled-twice",
    ),
    _example(
        "one channel after the other, of 0 to 1",
        _NET + _BY_CHANNEL.format(scale="/ 255"),
        Verdict.OK,
        "normalised",
    ),
    _example(
        "one channel after the other, of 0 to 255",
        _NET + _BY_CHANNEL.format(scale=""),
        Verdict.PROBLEM,
        "unit-statistics",
    ),
    _example(
        "a formula in the project's own source",
        _NET
        + """
import cv2
import numpy as np

class Pictures:
    def __init__(self, paths):
        self.paths = paths
        self.mean = np.array([0.5, 0.5, 0.5])

    def __getitem__(self, index):
        image = cv2.cvtColor(cv2.imread(self.paths[index]), cv2.COLOR_BGR2RGB)
        image = (image.astype(np.float32) / 255 - self.mean) / 0.5
        return image.transpose((2, 0, 1)), 0

    def __len__(self):
        return len(self.paths)

data = ds.GeneratorDataset(Pictures(ms.paths), ["image", "label"], shuffle=True).batch(32)
ms.Model(Net(), nn.SoftmaxCrossEntropyWithLogits()).train(10, data)
""",
        Verdict.OK,
        "normalised",
    ),
    _example(
        "the project's own source leaves pixels as they are",
        _NET
        + """
import numpy as np
from PIL import Image

class Pictures:
    def __init__(self, paths):
        self.paths = paths

    def __getitem__(self, index):
        return np.array(Image.open(self.paths[index]).convert("RGB")).transpose((2, 0, 1)).astype(np.float32), 0

    def __len__(self):
        return len(self.paths)

data = ds.GeneratorDataset(Pictures(ms.paths), ["image", "label"], shuffle=True).batch(32)
ms.Model(Net(), nn.SoftmaxCrossEntropyWithLogits()).train(10, data)
""",
        Verdict.PROBLEM,
        "raw",
    ),
    _example(
        "the network divides by itself",
        _NET.replace("self.conv(x)", "self.conv(x / 255.0)")
        + "transforms = [vision.Resize((32, 32)), vision.HWC2CHW()]"
        + _TRAIN,
        Verdict.OK,
        "in-network",
    ),
    _example(
        "a picture that is only looked at",
        _NET
        + """
shown = next(ds.Cifar10Dataset("data").create_dict_iterator())
transforms = [vision.ToTensor()]
"""
        + _TRAIN,
        Verdict.OK,
        "normalised",
    ),
    _example(
        "token ids",
        """
class Text(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(1000, 64)
        self.dense = nn.Dense(64, 2)

    def construct(self, x):
        return self.dense(self.embedding(x))

data = ds.MindDataset("train.mindrecord", ["feature", "label"]).batch(32)
ms.Model(Text(), nn.SoftmaxCrossEntropyWithLogits()).train(10, data)
""",
        Verdict.NOT_APPLICABLE,
        "no-continuous-input",
    ),
    _example(
        "cepstral coefficients as they are computed",
        """
import scipy.io.wavfile as wavfile
from python_speech_features import mfcc

class Sounds:
    def __init__(self, paths):
        self.paths = paths

    def __getitem__(self, index):
        rate, signal = wavfile.read(self.paths[index])
        return mfcc(signal=signal.astype("float32"), samplerate=rate), 0

    def __len__(self):
        return len(self.paths)

class Speech(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(13, 2)

    def construct(self, x):
        return self.dense(x)

data = ds.GeneratorDataset(Sounds(ms.paths), ["feature", "label"], shuffle=True).batch(32)
ms.Model(Speech(), nn.SoftmaxCrossEntropyWithLogits()).train(10, data)
""",
        Verdict.PROBLEM,
        "features-raw",
    ),
    _example(
        "stored features of unknown range",
        _NET
        + """
data = ds.MindDataset("train.mindrecord", ["feature", "label"]).batch(32)
ms.Model(Net(), nn.SoftmaxCrossEntropyWithLogits()).train(10, data)
""",
        Verdict.UNDECIDED,
        "unclear",
    ),
    _example(
        "a scaler that is fitted and never used",
        """
import pandas as pd
from sklearn.preprocessing import StandardScaler

table = pd.read_csv("train.csv")
scaler = StandardScaler()
scaler.fit(table[["age", "income"]])
data = ds.NumpySlicesDataset((table[["age", "income"]].values, table["label"].values), ["x", "y"]).batch(32)
ms.Model(nn.Dense(2, 1), nn.MSELoss()).train(10, data)
""",
        Verdict.PROBLEM,
        "scaler-unused",
    ),
    _example(
        "a scaler that transforms by the name that its fitting gave it",
        """
import pandas as pd
from sklearn.preprocessing import StandardScaler

def scaled(features):
    fitted = StandardScaler().fit(features)
    return fitted.transform(features)

table = pd.read_csv("train.csv")
x = scaled(table[["age", "income"]])
data = ds.NumpySlicesDataset((x, table["label"].values), ["x", "y"]).batch(32)
ms.Model(nn.Dense(2, 1), nn.MSELoss()).train(10, data)
""",
        Verdict.OK,
        "normalised",
    ),
    _example(
        "a scaler whose fitting is given a name, and that never transforms",
        """
import pandas as pd
from sklearn.preprocessing import StandardScaler

table = pd.read_csv("train.csv")
fitted = StandardScaler().fit(table[["age", "income"]])
data = ds.NumpySlicesDataset((table[["age", "income"]].values, table["label"].values), ["x", "y"]).batch(32)
ms.Model(nn.Dense(2, 1), nn.MSELoss()).train(10, data)
""",
        Verdict.PROBLEM,
        "scaler-unused",
    ),
    _example(
        "a scaler that is used",
        """
import pandas as pd
from sklearn.preprocessing import StandardScaler

table = pd.read_csv("train.csv")
x = StandardScaler().fit_transform(table[["age", "income"]])
data = ds.NumpySlicesDataset((x, table["label"].values), ["x", "y"]).batch(32)
ms.Model(nn.Dense(2, 1), nn.MSELoss()).train(10, data)
""",
        Verdict.OK,
        "normalised",
    ),
    _example(
        "only what chooses parts of a sample is divided",
        _NET + _SAMPLES.replace("{points}", 'row["points"]'),
        Verdict.UNDECIDED,
        "unclear",
    ),
    _example(
        "a part of a sample is divided",
        _NET + _SAMPLES.replace("{points}", '(row["points"] / 255)'),
        Verdict.OK,
        "normalised",
    ),
]
