"""Reads from the scripts whether evaluation and inference process the data as training does, step by step.

Catches: random transforms in evaluation, also through split(); normalisation on one side only or with other numbers (in numpy
formulas too); other sizes, another order of colours, other parts of a sequence; scalers fitted on evaluation data; splits that
are drawn anew by the evaluation script, or whose parts overlap. Random crops, flips and shuffling in training with a plain
resize and centre crop in evaluation are as usual. Cannot tell: what functions elsewhere do; such steps are named and left
undecided. Never imports or runs the scripts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ..case import Case
from ..language import Words
from ..model import Evidence, Finding, Fix, Kind, Level, Plain, Progress, Sure, Table, Verdict, Where
from ..model import suggest as usual
from ..probe import Example
from . import _gaps, _grades, _seen
from . import _sample_steps as shared

if TYPE_CHECKING:
    from ..script.consistency import Observation
    from ..script.pipelines import Pipelines
    from ..script.samples import SamplePath, Step

KIND = Kind.STATIC
NEEDS: tuple[str | tuple[str, ...], ...] = ("scripts.train",)


class Params(msgspec.Struct, frozen=True):
    pass


MESSAGES: Words = {
    "random-in-evaluation": {
        "en": "Evaluation changes {input} at random: {step}.",
        "zh": "评估数据 {input} 中混入了随机操作：{step}。",
    },
    "random-before-split": {
        "en": "{step} is mapped before split(), so it changes the evaluation samples at random as well.",
        "zh": "{step} 在 split() 之前就已加入，评估用的那一部分同样会被随机改动。",
    },
    "random-perhaps": {
        "en": "Evaluation may change {input} at random: {step}, which depends on {condition}.",
        "zh": "评估数据 {input} 可能含有随机操作：{step}，取决于 {condition}。",
    },
    "random-unclear": {
        "en": "Whether {step} changes {input} of the evaluation at random could not be determined; it depends on {condition}.",
        "zh": "无法确定评估数据 {input} 经过的 {step} 是否随机，取决于 {condition}。",
    },
    "normalised-in-one": {
        "en": "{input}: {what}.",
        "zh": "{input}：{what}。",
    },
    "scale-differs": {
        "en": "Training and evaluation scale {input} differently: {what}.",
        "zh": "训练和评估把 {input} 变换到了不同的尺度：{what}。",
    },
    "constants-differ": {
        "en": "The formulas for {input} differ between training and evaluation: {what}.",
        "zh": "训练和评估处理 {input} 的公式不同：{what}。",
    },
    "clip-differs": {
        "en": "{input} is clipped differently in training and evaluation: {what}.",
        "zh": "训练和评估对 {input} 的截断不同：{what}。",
    },
    "colour-differs": {
        "en": "The colour channels of {input} differ in training and evaluation: {what}.",
        "zh": "训练和评估中 {input} 的颜色通道不同：{what}。",
    },
    "own-statistics": {
        "en": "Evaluation normalises {input} with the statistics of the evaluation data; training uses those of the training data: "
        "{what}.",
        "zh": "评估时用评估数据自身的统计量对 {input} 做归一化，而训练用的是训练数据的统计量：{what}。",
    },
    "sampling-differs": {
        "en": "Evaluation reads {input} at a different sampling rate from training: {what}.",
        "zh": "训练和评估读取 {input} 时的采样率不同：{what}。",
    },
    "size-differs": {
        "en": "{input} has different sizes in training and evaluation: {what}.",
        "zh": "{input} 在训练和评估中的尺寸不同：{what}。",
    },
    "part-differs": {
        "en": "Evaluation crops {input} far more tightly than training, so objects appear larger: {what}.",
        "zh": "评估时 {input} 边长保留的比例远小于训练，其中的物体因此偏大：{what}。",
    },
    "interpolation-differs": {
        "en": "{input} is interpolated differently in training and evaluation where it is resized: {what}.",
        "zh": "训练和评估缩放 {input} 时所用的插值方式不同：{what}。",
    },
    "slice-differs": {
        "en": "Training and evaluation pass different parts of {input} to the network: {what}.",
        "zh": "训练和评估送入网络的 {input} 取自序列的不同部分：{what}。",
    },
    "classes-apart": {
        "en": "The class indices differ from those in training ({at}): {name} is {ours} here and {theirs} there.",
        "zh": "此处的类别编号与训练（{at}）不同：{name} 在这里是 {ours}，训练时是 {theirs}。",
    },
    "fitted-on-evaluation": {
        "en": "{scaler} is fitted on {data}, which is not training data.",
        "zh": "{scaler} 在 {data} 上做了 fit，而它不是训练数据。",
    },
    "resplit": {
        "en": "Training and evaluation each split the data at random, from seed {train} and seed {evaluation}: evaluation gets samples "
        "that were trained on.",
        "zh": "训练和评估各自随机划分数据，种子分别为 {train} 和 {evaluation}：评估数据中会混入训练过的样本。",
    },
    "resplit-unseeded": {
        "en": "Training and evaluation each split the data at random, and not from one fixed seed ({train}, {evaluation}): evaluation "
        "gets samples that were trained on.",
        "zh": "训练和评估各自随机划分数据，没有固定为同一个种子（{train}、{evaluation}）：评估数据中会混入训练过的样本。",
    },
    "split-shuffled": {
        "en": "{dataset} is shuffled before split(): it is dealt out again in each epoch, so evaluation samples get into training.",
        "zh": "{dataset} 在 split() 之前做了混洗：每个 epoch 都会重新划分，评估样本会进入训练。",
    },
    "split-unseeded": {
        "en": "No seed fixes how split() divides the data, so its parts are drawn independently of each other: they overlap.",
        "zh": "没有随机种子固定 split() 的划分方式，得到的各部分彼此独立抽取，会互相重叠。",
    },
    "unclear": {
        "en": "Whether {input} is processed alike could not be determined. Training: {train}. Evaluation: {evaluation}.",
        "zh": "无法判断 {input} 的处理是否一致。训练：{train}。评估：{evaluation}。",
    },
    "agree": {
        "en": "{input} needs no attention: training and evaluation do the same.",
        "zh": "{input} 没有问题：训练和评估的处理相同。",
    },
    "usual": {
        "en": "{input} needs no attention: apart from random augmentation in training, both do the same.",
        "zh": "{input} 没有问题：除训练专用的随机操作外，两边的处理相同。",
    },
    "nothing-compared": {
        "en": "No input of the network in evaluation could be matched with one in training.",
        "zh": "没有找到可与训练对照的评估输入。",
    },
    "no-evaluation": {
        "en": "There is training only: no script or step that evaluates.",
        "zh": "只有训练，没有评估或推理。",
    },
    "generated-evaluation": {
        "en": "Evaluation reads no data: the network's input is made by the program.",
        "zh": "评估不读取数据：网络输入由程序自身生成。",
    },
    "no-pipeline": {
        "en": "No data for training are read in {path}, as far as it could be followed.",
        "zh": "在能够分析到的范围内，{path} 没有读取训练数据。",
    },
    **_gaps.MESSAGES,
    **_seen.MESSAGES,
    "fix-drop": {
        "en": "Leave the random step out of evaluation: build its list under a switch such as is_training.",
        "zh": "评估时去掉随机操作：用 is_training 之类的开关控制。",
    },
    "fix-after-split": {
        "en": "Split first, then map the random transforms on the training part only.",
        "zh": "先 split()，再只对训练部分映射随机操作。",
    },
    "fix-same": {
        "en": "Use the same steps and numbers on both sides, ideally from one function or one configuration.",
        "zh": "两边使用相同的步骤和参数，最好共用一个函数或一份配置。",
    },
    "fix-classes": {
        "en": "Define the class indices once and pass the same dict to both data sets.",
        "zh": "类别编号只写一份，把同一个字典传给两个数据集。",
    },
    "fix-fit": {
        "en": "Fit on the training data only, store the result, and only transform elsewhere.",
        "zh": "只在训练数据上 fit 并保存结果，其他数据只做 transform。",
    },
    "fix-split": {
        "en": "Split once and store the parts, or pass the same random_state on both sides.",
        "zh": "只划分一次并保存结果，或两边传入相同的 random_state。",
    },
    "fix-shuffle": {
        "en": "Create the data set with shuffle=False, set a seed, split, and shuffle the training part afterwards.",
        "zh": "创建数据集时设置 shuffle=False，设定种子后 split()，再对训练部分混洗。",
    },
    "fix-seed": {"en": "Call mindspore.set_seed before.", "zh": "在此之前调用 mindspore.set_seed。"},
}
WORDS: Words = {**shared.WORDS, **_grades.WORDS}

_OTHER_INPUT = {
    "en": "In evaluation the network gets inputs it was not trained on, so the measured accuracy is lower than what it is capable of.",
    "zh": "评估时的输入与训练时分布不同，测得的精度低于实际水平。",
}
_CHANCE = {
    "en": "The measured accuracy then depends on chance and is mostly too low: part of each sample is cut away or changed.",
    "zh": "测得的精度带有随机性，而且往往偏低：样本的一部分被裁掉或改动。",
}
_LEAK = {
    "en": "Samples that were trained on are evaluated, so the measured accuracy is too high and says little about new data.",
    "zh": "评估用到了训练过的样本，测得的精度虚高，不能说明对新数据的效果。",
}
WHY: Words = {
    "random-in-evaluation": _CHANCE,
    "random-before-split": _CHANCE,
    "random-perhaps": _CHANCE,
    "normalised-in-one": _OTHER_INPUT,
    "scale-differs": _OTHER_INPUT,
    "constants-differ": _OTHER_INPUT,
    "clip-differs": _OTHER_INPUT,
    "colour-differs": _OTHER_INPUT,
    "own-statistics": _OTHER_INPUT,
    "sampling-differs": _OTHER_INPUT,
    "size-differs": _OTHER_INPUT,
    "part-differs": _OTHER_INPUT,
    "interpolation-differs": _OTHER_INPUT,
    "slice-differs": _OTHER_INPUT,
    "classes-apart": {
        "en": "Correct predictions count as wrong for these classes, so the measured accuracy is lower than what the network is "
        "capable of.",
        "zh": "网络按训练时的编号给出的正确答案会被判为错误：这些类别的测得精度因此偏低。",
    },
    "fitted-on-evaluation": {
        "en": "The features of training and evaluation are then on different scales, or evaluation data decide about training.",
        "zh": "训练和评估的特征尺度因此不同，或者评估数据影响了训练。",
    },
    "resplit": _LEAK,
    "resplit-unseeded": _LEAK,
    "split-shuffled": _LEAK,
    "split-unseeded": _LEAK,
}
_SAME_SAMPLES = {
    "en": "Run a few raw samples through both pipelines without random steps and compare: np.allclose(train, evaluation).",
    "zh": "用几个原始样本分别走两条数据管道（去掉随机操作），用 np.allclose 比较输出。",
}
_TWICE = {
    "en": "Evaluate the same checkpoint twice: with random steps the accuracy changes from run to run.",
    "zh": "用同一个 checkpoint 评估两次：含随机操作时精度每次不同。",
}
_OVERLAP = {
    "en": "Collect the sample ids (or hashes) of both parts over two epochs and intersect them: the result must be empty.",
    "zh": "收集两个 epoch 中两部分的样本编号（或哈希）求交集，结果应为空。",
}
PROOF: Words = {
    **dict.fromkeys(WHY, _SAME_SAMPLES),
    "classes-apart": {
        "en": "Print the confusion matrix of the evaluation: two classes are swapped.",
        "zh": "打印评估的混淆矩阵：相应的类别会对调位置。",
    },
    "random-in-evaluation": _TWICE,
    "random-before-split": _TWICE,
    "random-perhaps": _TWICE,
    "resplit": _OVERLAP,
    "resplit-unseeded": _OVERLAP,
    "split-shuffled": _OVERLAP,
    "split-unseeded": _OVERLAP,
    "fitted-on-evaluation": {
        "en": "Print the parameters of {scaler} (mean_, scale_, data_max_) after each fit: the last one counts for all.",
        "zh": "在每次 fit 之后打印 {scaler} 的参数（mean_、scale_、data_max_）：最后一次的结果对全部数据生效。",
    },
}

_SUSPECT = ("random-perhaps", "interpolation-differs", "own-statistics")
_LIKELY = (
    "normalised-in-one",
    "scale-differs",
    "colour-differs",
    "clip-differs",
    "sampling-differs",
    "size-differs",
    "part-differs",
    "slice-differs",
    "fitted-on-evaluation",
    "resplit-unseeded",
    "split-unseeded",
)
_FIXES = {
    "random-in-evaluation": "fix-drop",
    "random-before-split": "fix-after-split",
    "random-perhaps": "fix-drop",
    "classes-apart": "fix-classes",
    "fitted-on-evaluation": "fix-fit",
    "resplit": "fix-split",
    "resplit-unseeded": "fix-split",
    "split-shuffled": "fix-shuffle",
    "split-unseeded": "fix-seed",
}
_EVALUATES = re.compile(r"(?i)^(do_|run_|net_|model_)?(eval\w*|test|valid\w*|infer\w*|predict\w*)(_|$)")
_UNCLEAR = ("unclear", "random-unclear")
_TELLING = ("agree", "usual", "no-evaluation", "generated-evaluation")


@_grades.by_road
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from itertools import chain

    from ..script import class_order
    from ..script.analysis import read_scripts
    from ..script.consistency import examine
    from ..script.normalization import pipelines_of
    from ..script.pipelines import of_scripts

    scripts = read_scripts(case)
    yield from _gaps.findings(scripts)
    readings = of_scripts(scripts)
    found: dict[tuple[object, ...], Finding] = {}
    for said in chain(examine(readings), class_order.examine(readings)):
        finding = _finding(said)
        found.setdefault(
            (finding.code, finding.where.path, finding.where.line, str(finding.data.get("input"))), finding
        )
    yield from found.values()
    compared = any(finding.code in (*_TELLING, *WHY, *_UNCLEAR) for finding in found.values())
    if not compared:
        yield from _nothing(readings, pipelines_of(readings, "train"), pipelines_of(readings, "eval"))
    yield from _seen.data(scripts)
    yield Progress(len(scripts.sources), len(scripts.sources), "files")


def suggest(findings: Iterable[Finding]) -> Verdict:
    """Without evaluation there is nothing to compare; otherwise as usual."""
    found = list(findings)
    verdict = usual(found)
    if verdict is Verdict.OK and any(f.code in ("no-evaluation", "generated-evaluation") for f in found):
        return Verdict.NOT_APPLICABLE
    return verdict


def _nothing(readings: list[Pipelines], training: list, evaluation: list) -> Iterator[Finding]:  # type: ignore[type-arg]
    """Why nothing was compared."""
    for pipelines in readings[:1]:
        path = pipelines.reading.source.path
        where = Where(path=path, line=1)
        scripts = any(one.reading.role != "train" for one in readings)
        evaluates = any(call.name in (".eval", ".predict") for one in readings for call in one.trace.calls)
        evaluates |= any(_EVALUATES.match(f.function.name) for one in readings for f in one.trace.frames)
        kinds = {entry.kind for pipeline in evaluation for entry in pipeline.inputs}
        if not evaluation and not scripts and not evaluates:
            yield Finding("no-evaluation", Level.INFO, where)
        elif kinds and kinds <= {"made", "nothing", "label", "simulator"}:
            yield Finding("generated-evaluation", Level.INFO, where)
        elif not training:
            yield Finding("no-pipeline", Level.INFO, where, {"path": path}, incomplete=True)
        else:
            yield Finding("nothing-compared", Level.INFO, where, incomplete=True)


def _finding(said: Observation) -> Finding:
    code, made = said.code, said.made
    open_ = code in _SUSPECT or said.possible
    level = Level.INFO if code in (*_TELLING, *_UNCLEAR) else Level.SUSPECT if open_ else Level.PROBLEM
    table: list[Evidence] = [_side_by_side(*said.ways)] if said.ways is not None else []
    if code == "normalised-in-one" and (step := _only_step(said)) is not None:
        table = [*shared.evidence(made), *table]
        made = step.made
    sure = (
        Sure.POSSIBLE
        if level is Level.SUSPECT
        else Sure.CERTAIN
        if said.certain and code not in _LIKELY
        else Sure.LIKELY
    )
    return Finding(
        code,
        level,
        Where(path=made.source.path, line=made.line, column=getattr(made.node, "col_offset", 0)),
        shared.spoken(said.data, normalised=code == "normalised-in-one"),
        shared.evidence(made, *table),
        None if level is Level.INFO else Fix(_FIXES.get(code, "fix-same"), _diff(said)),
        incomplete=code in _UNCLEAR,
        sure=None if level is Level.INFO else sure,
    )


def _only_step(said: Observation) -> Step | None:
    """The first step that changes the numbers on one side, where the other side has none of its own: that is the line to look at."""
    if said.ways is None:
        return None
    texts = [{step.text for step in way.steps} for way in said.ways]
    alone = [
        [step for step in way.steps if step.kind == "scale" and step.text not in texts[1 - side]]
        for side, way in enumerate(said.ways)
    ]
    steps = [step for side in alone for step in side]
    return steps[0] if steps and not all(alone) else None


def _diff(said: Observation) -> str | None:
    """A random transform taken out of a list that only evaluation uses, or a normalisation that no longer asks which side it is for."""
    if said.code == "normalised-in-one" and said.ways is not None and _only_step(said) is not None:
        return shared.on_both_sides([step for way in said.ways for step in way.steps], said.made)
    if said.code != "random-in-evaluation" or said.step is None or not said.certain or said.shared:
        return None
    return shared.removed(said.step.made)


def _side_by_side(ours: SamplePath, theirs: SamplePath) -> Table:
    """The steps of training and evaluation in their order; what differs is marked."""
    left, right = ([shared.told(step) for step in way.steps] for way in (ours, theirs))
    fixed = [{step.text for step in way.fixed} for way in (ours, theirs)]
    rows: list[list[Plain]] = [[shared.ORIGINS[ours.origin], shared.ORIGINS[theirs.origin], ""]]
    for place in range(max(len(left), len(right))):
        mine, other = (column[place] if place < len(column) else "" for column in (left, right))
        steps = [way.steps[place] if place < len(way.steps) else None for way in (ours, theirs)]
        apart = [s is not None and not s.random and s.text not in fixed[1 - n] for n, s in enumerate(steps)]
        rows.append([mine, other, "≠" if any(apart) else ""])
    return Table(
        "side-by-side", ["training", "evaluation", "difference"], rows[:40], total=len(rows) if len(rows) > 40 else None
    )


def _example(name: str, script: str, verdict: Verdict, *codes: str, evaluation: str = "") -> Example:
    head = "import mindspore as ms\nimport mindspore.dataset as ds\nimport mindspore.dataset.vision as vision\nfrom mindspore import nn\n"
    files: dict[str, str | bytes | Callable[[Path], None]] = {"train.py": head + script.lstrip("\n")}
    scripts = {"train": "train.py"}
    if evaluation:
        files["eval.py"] = head + evaluation.lstrip("\n")
        scripts["eval"] = "eval.py"
    return Example(name, files=files, case={"scripts": scripts}, verdict=verdict, codes=codes)


_BUILDER = """
mean, std = [0.4914, 0.4822, 0.4465], [0.2023, 0.1994, 0.2010]

def create_dataset(path, training):
    data = ds.Cifar10Dataset(path)
    steps = []
    if training:
        steps += [vision.RandomCrop((32, 32), (4, 4, 4, 4)), vision.RandomHorizontalFlip()]
    steps += [vision.Resize((64, 64)), vision.Rescale(1 / 255, 0), vision.Normalize(mean, std), vision.HWC2CHW()]
    return data.map(steps, "image").batch(32)

"""
_USE = """
model = ms.Model(nn.Conv2d(3, 8, 3), nn.SoftmaxCrossEntropyWithLogits(), metrics={"accuracy"})
model.train(10, create_dataset("train", True))
model.eval(create_dataset("test", False))
"""
_TWO = """
def create_train(path):
    steps = [vision.RandomCropDecodeResize(224), vision.RandomHorizontalFlip(), {train}, vision.HWC2CHW()]
    return ds.ImageFolderDataset(path).map(steps, "image").batch(32)

def create_eval(path):
    steps = [vision.Decode(), {evaluation}, vision.HWC2CHW()]
    return ds.ImageFolderDataset(path).map(steps, "image").batch(32)

model = ms.Model(nn.Conv2d(3, 8, 3), nn.SoftmaxCrossEntropyWithLogits(), metrics={{"accuracy"}})
model.train(10, create_train("train"))
model.eval(create_eval("val"))
"""
_LARGE = "vision.Normalize([123.675, 116.28, 103.53], [58.395, 57.12, 57.375])"
_UNIT = "vision.Rescale(1 / 255, 0), vision.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])"
_CROP = "vision.Resize(256), vision.CenterCrop(224)"
_RAW = """
import numpy as np

def pack(raw):
    return np.maximum(raw - 512, 0) / (16383 - 512)

"""

_NUMBERED = """
steps = [vision.Decode(), vision.Rescale(1 / 255, 0.0), vision.HWC2CHW()]
train = ds.ImageFolderDataset("train", class_indexing={{"cat": 0, "dog": 1, "owl": 2}}).map(steps, "image").batch(32)
test = ds.ImageFolderDataset("test", class_indexing={numbers}).map(steps, "image").batch(32)
net = nn.SequentialCell(nn.Flatten(), nn.Dense(3072, 3))
model = ms.Model(net, nn.CrossEntropyLoss(), nn.SGD(net.trainable_params(), 0.1), metrics={{"acc"}})
model.train(1, train)
print(model.eval(test))
"""

_SOUND = """
import librosa

class Sounds:
    def __init__(self, names, rate):
        self.names, self.rate = names, rate

    def __getitem__(self, place):
        sound, _ = librosa.load(self.names[place], sr=self.rate)
        return sound[:4000], 0

    def __len__(self):
        return len(self.names)

model = ms.Model(nn.Dense(4000, 2), nn.CrossEntropyLoss(), metrics={{"accuracy"}})
model.train(10, ds.GeneratorDataset(Sounds(open("train.txt").readlines(), {train}), ["sound", "label"]).batch(8))
model.eval(ds.GeneratorDataset(Sounds(open("test.txt").readlines(), {evaluation}), ["sound", "label"]).batch(8))
"""
EXAMPLES = [
    _example("one builder, chance in training only", _BUILDER + _USE, Verdict.OK, "agree"),
    _example(
        "classes with other numbers in evaluation",
        _NUMBERED.format(numbers='{"dog": 0, "cat": 1, "owl": 2}'),
        Verdict.PROBLEM,
        "classes-apart",
    ),
    _example(
        "the same numbers in another order",
        _NUMBERED.format(numbers='{"owl": 2, "dog": 1, "cat": 0}'),
        Verdict.OK,
        "agree",
    ),
    _example(
        "fewer classes with the same numbers",
        _NUMBERED.format(numbers='{"cat": 0, "owl": 2}'),
        Verdict.OK,
        "agree",
    ),
    _example(
        "as usual: random crop in training, centre crop in evaluation",
        _TWO.format(train=_LARGE, evaluation=f"{_CROP}, {_LARGE}"),
        Verdict.OK,
        "usual",
    ),
    _example(
        "evaluation enlarges what training does not, and keeps the middle",
        _TWO.format(train=_LARGE, evaluation=f"vision.Resize(512), vision.CenterCrop(224), {_LARGE}"),
        Verdict.PROBLEM,
        "part-differs",
    ),
    _example(
        "evaluation takes the nearest pixel where training takes several",
        _TWO.format(
            train=_LARGE, evaluation=f"vision.Resize(256, vision.Inter.NEAREST), vision.CenterCrop(224), {_LARGE}"
        ),
        Verdict.UNDECIDED,
        "interpolation-differs",
    ),
    _example(
        "the same numbers written in two ways",
        _TWO.format(train=_LARGE, evaluation=f"{_CROP}, {_UNIT}"),
        Verdict.OK,
        "usual",
    ),
    _example(
        "evaluation has an input more, on another scale",
        """
import numpy as np

class Frames:
    def __init__(self, x, motion=None):
        self.x, self.motion = x, motion
    def __len__(self):
        return len(self.x)

class Short(Frames):
    def __getitem__(self, item):
        return self.x[item] / 255

class Long(Frames):
    def __getitem__(self, item):
        return self.x[item] / 255, self.motion[item] / 128

net = nn.Dense(16, 4)
optimizer = nn.SGD(net.trainable_params())
for row in ds.GeneratorDataset(Short(np.load("train.npy")), ["frames"], shuffle=True).batch(8).create_dict_iterator():
    loss, gradients = ms.value_and_grad(lambda x: net(x).sum(), None, net.trainable_params())(row["frames"])
    optimizer(gradients)
test = ds.GeneratorDataset(Long(np.load("x.npy"), np.load("m.npy")), ["frames", "motion"], shuffle=False)
for row in test.batch(8).create_dict_iterator():
    net(row["frames"] + row["motion"])
""",
        Verdict.OK,
        "agree",
    ),
    _example(
        "evaluation built with the switch for training",
        _BUILDER + _USE.replace("False", "True"),
        Verdict.PROBLEM,
        "random-in-evaluation",
    ),
    _example(
        "a random crop in evaluation",
        _TWO.format(train=_LARGE, evaluation=f"vision.Resize(256), vision.RandomCrop(224), {_LARGE}"),
        Verdict.PROBLEM,
        "random-in-evaluation",
    ),
    _example(
        "only training is normalised",
        _TWO.format(train=_LARGE, evaluation=_CROP),
        Verdict.PROBLEM,
        "normalised-in-one",
    ),
    _example(
        "normalised where a switch says that it is for training",
        """
import numpy as np

def made(path, train):
    images = np.load(path)["images"].astype(np.float32)
    if train:
        images = images / 16.0
        images = (images - 0.3) / 0.37
    return ds.NumpySlicesDataset({"image": images}, shuffle=train).batch(32)

model = ms.Model(nn.Conv2d(3, 8, 3), nn.SoftmaxCrossEntropyWithLogits(), metrics={"accuracy"})
model.train(1, made("train.npz", True))
print(model.eval(made("test.npz", False)))
""",
        Verdict.PROBLEM,
        "normalised-in-one",
    ),
    _example(
        "other statistics",
        _TWO.format(train=_LARGE, evaluation=f"{_CROP}, vision.Normalize([127.5] * 3, [127.5] * 3)"),
        Verdict.PROBLEM,
        "scale-differs",
    ),
    _example(
        "chance before split()",
        """
ms.set_seed(1)
data = ds.ImageFolderDataset("data", shuffle=False)
data = data.map([vision.RandomCropDecodeResize(224), vision.ToTensor()], "image")
train, test = data.split([0.8, 0.2])
model = ms.Model(nn.Conv2d(3, 8, 3), nn.SoftmaxCrossEntropyWithLogits(), metrics={"accuracy"})
model.train(10, train.batch(32))
model.eval(test.batch(32))
""",
        Verdict.PROBLEM,
        "random-before-split",
    ),
    _example(
        "a shuffled data set is split",
        """
ms.set_seed(1)
data = ds.ImageFolderDataset("data", shuffle=True, decode=True).map(vision.ToTensor(), "image")
train, test = data.split([0.8, 0.2])
model = ms.Model(nn.Conv2d(3, 8, 3), nn.SoftmaxCrossEntropyWithLogits(), metrics={"accuracy"})
model.train(10, train.batch(32))
model.eval(test.batch(32))
""",
        Verdict.PROBLEM,
        "split-shuffled",
    ),
    _example(
        "split without a seed",
        """
data = ds.ImageFolderDataset("data", shuffle=False, decode=True).map(vision.ToTensor(), "image")
train, test = data.split([0.8, 0.2])
model = ms.Model(nn.Conv2d(3, 8, 3), nn.SoftmaxCrossEntropyWithLogits(), metrics={"accuracy"})
model.train(10, train.shuffle(1000).batch(32))
model.eval(test.batch(32))
""",
        Verdict.PROBLEM,
        "split-unseeded",
    ),
    _example(
        "split as it should be",
        """
ms.set_seed(1)
data = ds.ImageFolderDataset("data", shuffle=False, decode=True).map(vision.ToTensor(), "image")
train, test = data.split([0.8, 0.2])
model = ms.Model(nn.Conv2d(3, 8, 3), nn.SoftmaxCrossEntropyWithLogits(), metrics={"accuracy"})
model.train(10, train.shuffle(1000).batch(32))
model.eval(test.batch(32))
""",
        Verdict.OK,
        "agree",
    ),
    _example(
        "the test script has the formula of training",
        _RAW
        + """
import h5py

data = ds.NumpySlicesDataset((pack(h5py.File("train.h5")["x"][:]), h5py.File("train.h5")["y"][:]), ["x", "y"]).batch(8)
ms.Model(nn.Conv2d(4, 8, 3), nn.L1Loss()).train(10, data)
""",
        Verdict.OK,
        "agree",
        evaluation=_RAW
        + """
import h5py

net = nn.Conv2d(4, 8, 3)
model = ms.Model(net)
model.predict(ms.Tensor(pack(h5py.File("test.h5")["x"][:]), ms.float32))
""",
    ),
    _example(
        "the test script has another black level",
        _RAW
        + """
import h5py

data = ds.NumpySlicesDataset((pack(h5py.File("train.h5")["x"][:]), h5py.File("train.h5")["y"][:]), ["x", "y"]).batch(8)
ms.Model(nn.Conv2d(4, 8, 3), nn.L1Loss()).train(10, data)
""",
        Verdict.PROBLEM,
        "scale-differs",
        evaluation=_RAW.replace("raw - 512", "raw - 400")
        + """
import h5py

net = nn.Conv2d(4, 8, 3)
model = ms.Model(net)
model.predict(ms.Tensor(pack(h5py.File("test.h5")["x"][:]), ms.float32))
""",
    ),
    _example(
        "a scaler fitted on the test data",
        """
import pandas as pd
from sklearn.preprocessing import StandardScaler

train, test = pd.read_csv("train.csv"), pd.read_csv("test.csv")
scaler = StandardScaler()
x_train, x_test = scaler.fit_transform(train), scaler.fit_transform(test)
model = ms.Model(nn.Dense(2, 1), nn.MSELoss(), metrics={"mse"})
model.train(10, ds.NumpySlicesDataset((x_train, train["y"]), ["x", "y"]).batch(32))
model.eval(ds.NumpySlicesDataset((x_test, test["y"]), ["x", "y"]).batch(32))
""",
        Verdict.PROBLEM,
        "fitted-on-evaluation",
    ),
    _example("sound of one rate", _SOUND.format(train="16000", evaluation="16000"), Verdict.OK, "agree"),
    _example(
        "sound of another rate",
        _SOUND.format(train="16000", evaluation="8000"),
        Verdict.PROBLEM,
        "sampling-differs",
    ),
    _example(
        "training only",
        _BUILDER + "ms.Model(nn.Conv2d(3, 8, 3), nn.L1Loss()).train(10, create_dataset('train', True))",
        Verdict.NOT_APPLICABLE,
        "no-evaluation",
    ),
]
