"""Reads from the training script whether the training data are shuffled: shuffle arguments, samplers, .shuffle() calls.

Catches: shuffle=False or a sequential sampler without a later .shuffle(), a .shuffle() whose result is dropped, a buffer of a
few samples or below the batch size, reshuffle_each_epoch=False, a sampler of the project whose order never changes, a seed that
gives each epoch the same order, a training loop that ends after a batch. Knows each data set class's own default, follows the
script's own functions, folds constants, and leaves data sets for evaluation alone. Cannot tell: what other files, configuration
files or the command line decide; such places are named and left undecided. Never imports or runs the script.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Progress, Sure, Verdict, Where
from ..probe import Example, script_example
from . import _gaps, _grades, _seen

if TYPE_CHECKING:
    from ..script.shuffling import Observation

KIND = Kind.STATIC
NEEDS: tuple[str | tuple[str, ...], ...] = ("scripts.train",)
#: Scripts without any of these words make no data set.
SUBJECT = ("data", "loader", "pipeline", "sampler", "_ds", " ds")


class Params(msgspec.Struct, frozen=True):
    pass


MESSAGES: Words = {
    **_gaps.MESSAGES,
    **_seen.MESSAGES,
    "shuffle-off": {
        "en": "{dataset} for training has shuffle=False, and no .shuffle() follows.",
        "zh": "训练数据集 {dataset} 设置了 shuffle=False，之后也没有调用 .shuffle()。",
    },
    "sampler-in-order": {
        "en": "{dataset} for training uses {sampler}, which keeps the same order in every epoch, and no .shuffle() follows.",
        "zh": "训练数据集 {dataset} 使用了 {sampler}，每个 epoch 的顺序都相同，之后也没有调用 .shuffle()。",
    },
    "buffer-one": {
        "en": "The only shuffling of {dataset} is .shuffle({buffer}), which changes nothing.",
        "zh": "{dataset} 唯一的混洗是 .shuffle({buffer})，不起作用。",
    },
    "shuffle-dropped": {
        "en": "The result of this .shuffle() is not used: it returns a new data set and leaves {dataset} in its order.",
        "zh": "此处 .shuffle() 的返回值没有使用：它返回新的数据集，{dataset} 本身的顺序不变。",
    },
    "reshuffle-off": {
        "en": "reshuffle_each_epoch is set to False: {dataset} is shuffled once, and every epoch repeats that order.",
        "zh": "reshuffle_each_epoch 被设为 False：{dataset} 只混洗一次，每个 epoch 的顺序都相同。",
    },
    "buffer-nearby": {
        "en": "The only shuffling of {dataset} has a buffer of {buffer}, which moves a sample by only a few positions.",
        "zh": "{dataset} 唯一的混洗缓冲区大小为 {buffer}，样本只会移动几个位置。",
    },
    "few-taken": {
        "en": "Of the training data {call} leaves a single batch: all epochs see the same few samples.",
        "zh": "{call} 使训练数据只剩一个 batch：每个 epoch 看到的都是这几个样本。",
    },
    "few-taken-perhaps": {
        "en": "Of the training data {call} leaves {batches} {batches:batch|batches}, as for a trial.",
        "zh": "{call} 使训练数据只剩 {batches} 个 batch，像是试运行用的设置。",
    },
    "first-batch-only": {
        "en": "This {how} ends the training loop of line {line} after its first batch.",
        "zh": "第 {line} 行的训练循环在第一个 batch 之后就因此处的 {how} 结束。",
    },
    "same-order": {
        "en": "{seed} resets the seed in each epoch: the order of the training data (line {line} of {path}) is the same every time.",
        "zh": "{seed} 在每个 epoch 重新设置随机种子：训练数据的顺序（{path} 第 {line} 行）每次都相同。",
    },
    "shuffled-apart": {
        "en": "{one} and {other} of a sample no longer match: this shuffles one of them separately.",
        "zh": "同一样本的 {one} 与 {other} 不再对应：这里只打乱了其中一方的顺序。",
    },
    "listed-apart": {
        "en": "{one} and {other} of a sample are paired by their positions in two directory listings, and this one is not sorted.",
        "zh": "同一样本的 {one} 与 {other} 按两个目录列表中的位置配对，而这个列表没有排序。",
    },
    "sorted-alone": {
        "en": "{one} and {other} of a sample are paired by their positions in two directory listings, of which only the other one is "
        "sorted, not this one.",
        "zh": "同一样本的 {one} 与 {other} 按两个目录列表中的位置配对，但只有另一个列表做了排序，这个没有。",
    },
    "small-buffer": {
        "en": "The only shuffling of {dataset} has a buffer of {buffer:,}, less than a batch of {batch:,}.",
        "zh": "{dataset} 唯一的混洗缓冲区大小为 {buffer:,}，小于 batch 大小 {batch:,}。",
    },
    "batches-shuffled": {
        "en": "{dataset} is shuffled only after .batch() (line {line}): whole batches are reordered, and each holds the same rows in "
        "every epoch.",
        "zh": "{dataset} 唯一的混洗在 .batch()（第 {line} 行）之后：只是整个 batch 交换位置，每个 epoch 中各 batch 的样本都不变。",
    },
    "buffer-of-a-part": {
        "en": "The only shuffling of {dataset} has a buffer of {buffer}, {share:.0%} of the data: a sample stays close to its position "
        "on disk.",
        "zh": "{dataset} 唯一的混洗缓冲区为 {buffer}，只有数据的 {share:.0%}：样本离它在磁盘上的位置不远。",
    },
    "buffer-alone": {
        "en": "The only shuffling of {dataset} has a buffer of {buffer:,}. Whether that is enough depends on the number of samples and on "
        "their order on disk, which are not seen here.",
        "zh": "{dataset} 唯一的混洗缓冲区大小为 {buffer:,}。是否足够取决于样本数量及其在磁盘上的顺序，二者在此均未知。",
    },
    "split-in-order": {
        "en": "{dataset} is read in order and divided by split(); without a .shuffle() after it every epoch has the same order.",
        "zh": "{dataset} 按顺序读取并用 split() 划分；之后没有调用 .shuffle()，每个 epoch 的顺序都相同。",
    },
    "generator-in-order": {
        "en": "{dataset} reads an iterable in its own order, nothing in it looks like shuffling, and no .shuffle() follows.",
        "zh": "{dataset} 按迭代器自身的顺序读取，其中看不到混洗，之后也没有调用 .shuffle()。",
    },
    "source-may-shuffle": {
        "en": "{dataset} itself does not shuffle and no .shuffle() follows; whether its source {source} shuffles by itself could not "
        "be determined.",
        "zh": "{dataset} 自身不混洗，之后也没有调用 .shuffle()；无法确定其数据源 {source} 内部是否混洗。",
    },
    "files-only": {
        "en": "{dataset} shuffles the order of the files only, not the samples in them.",
        "zh": "{dataset} 只混洗文件的顺序，不混洗文件内的样本。",
    },
    "off-by-default": {
        "en": "Whether {dataset} is shuffled depends on {name}, which is False by default.",
        "zh": "{dataset} 是否混洗取决于 {name}，其默认值为 False。",
    },
    "sometimes-off": {
        "en": "{dataset} is shuffled on one path through the script but not on another ({condition}).",
        "zh": "{dataset} 在一条执行路径上有混洗，在另一条路径上没有（{condition}）。",
    },
    "role-unknown": {
        "en": "{dataset} is not shuffled; whether it is used for training cannot be seen here.",
        "zh": "{dataset} 没有混洗；从脚本中看不出它是否用于训练。",
    },
    "by-place": {
        "en": "{dataset} keeps one order, which {at} needs: it stores something for each position in the loop.",
        "zh": "{dataset} 保持固定顺序，而 {at} 需要这一顺序：那里按循环中的位置逐个保存了内容。",
    },
    "handed-on": {
        "en": "{dataset} is not shuffled when it is passed to {function}, which is not among the examined files.",
        "zh": "{dataset} 在传给 {function} 时没有混洗，而该函数不在检查范围内。",
    },
    "unresolved": {
        "en": "Whether {dataset} is shuffled is decided by {expression}, whose value cannot be seen here.",
        "zh": "{dataset} 是否混洗由 {expression} 决定，从脚本中看不出它的值。",
    },
    "elsewhere": {
        "en": "The training data come from {function}, which is not among the examined files. Add its file to scripts.train.",
        "zh": "训练数据来自 {function}，不在检查范围内。可将其所在文件加入 scripts.train。",
    },
    "no-dataset": {
        "en": "No MindSpore data set for training is seen to be made in {path}.",
        "zh": "在 {path} 中没有看到创建用于训练的 MindSpore 数据集。",
    },
    "shuffled": {"en": "{dataset} needs no attention: {why}.", "zh": "{dataset} 的混洗没有问题：{why}。"},
    "fix-shuffle": {
        "en": "Pass shuffle=True, or call .shuffle(buffer_size) with a large buffer before .batch().",
        "zh": "设置 shuffle=True，或在 .batch() 之前以较大的缓冲区调用 .shuffle(buffer_size)。",
    },
    "fix-loop": {
        "en": "Remove it, or guard it with the intended condition.",
        "zh": "删去这一行，或把它放到应有的条件之下。",
    },
    "fix-seed": {
        "en": "Set the seed once before the loop, or add the epoch number to it.",
        "zh": "在循环之前设置一次种子，或给种子加上 epoch 编号。",
    },
    "fix-together": {
        "en": "Shuffle pairs, or index both with one permutation: order = np.random.permutation(len(x)); x, y = x[order], y[order]. Or "
        "leave it to the data set: GeneratorDataset(..., shuffle=True) keeps each row together.",
        "zh": "成对打乱，或用同一个排列取两者：order = np.random.permutation(len(x)); x, y = x[order], y[order]；"
        "也可以交给数据集：GeneratorDataset(..., shuffle=True) 会整行打乱。",
    },
    "fix-sorted": {
        "en": "Sort both listings by name, or derive the name of one file from the other.",
        "zh": "两个列表都按文件名排序，或由一方的文件名推出另一方的文件名。",
    },
    "fix-all": {"en": "Train with all of the data.", "zh": "使用全部数据训练。"},
    "fix-assign": {
        "en": "Keep the result: dataset = dataset.shuffle(...)",
        "zh": "保留返回值：dataset = dataset.shuffle(...)",
    },
    "fix-sampler": {
        "en": "Use RandomSampler, or DistributedSampler with shuffle=True.",
        "zh": "改用 RandomSampler，或使用 shuffle=True 的 DistributedSampler。",
    },
    "fix-rows": {
        "en": "Shuffle the rows, before .batch().",
        "zh": "在 .batch() 之前对样本混洗。",
    },
    "fix-buffer": {
        "en": "Raise the buffer towards the number of samples.",
        "zh": "把缓冲区增大到接近样本总数。",
    },
    "fix-reshuffle": {"en": "Leave reshuffle_each_epoch at True.", "zh": "保持 reshuffle_each_epoch 为 True。"},
}
WORDS: Words = _grades.WORDS

_SAME_ORDER = {
    "en": "Samples then come in the same order in every epoch: those in a batch are alike (often of one class), gradients are "
    "biased, and training converges more slowly or to a lower accuracy.",
    "zh": "每个 epoch 的样本顺序都相同，同一 batch 内的样本彼此相近（往往属于同一类别），梯度有偏，收敛变差，最终精度偏低。",
}
_HARDLY = {
    "en": "Samples that are stored together stay together: those in a batch are alike and gradients are biased, almost as without "
    "any shuffling.",
    "zh": "存放位置相邻的样本仍然相邻，batch 内部彼此相近，梯度有偏，与不混洗相差无几。",
}
_MAYBE = {
    "en": "If the training data do come in the same order in every epoch, the samples in a batch are alike, gradients are biased, "
    "and training converges more slowly or to a lower accuracy.",
    "zh": "如果训练数据在每个 epoch 中的顺序确实相同，同一 batch 内的样本彼此相近，梯度有偏，收敛变差，最终精度偏低。",
}
_FEW = {
    "en": "The network memorises these few samples: the training loss falls fast, but the metric on other data stays at chance level.",
    "zh": "网络会记住这几个样本：训练 loss 下降很快，而在其他数据上的指标与随机猜测无异。",
}
_TORN = {
    "en": "Inputs are paired with the labels of other samples: training learns nothing useful, and evaluation measures chance.",
    "zh": "输入与其他样本的标签配在了一起：训练学不到有效的对应关系，评估测得的也接近随机猜测。",
}
WHY: Words = {
    "shuffled-apart": _TORN,
    "sorted-alone": _TORN,
    "listed-apart": {
        "en": "The order of a listing differs between folders and systems: inputs may be paired with the labels of other samples.",
        "zh": "目录列表的顺序因目录和系统而异：输入可能与其他样本的标签配在一起。",
    },
    "few-taken": _FEW,
    "few-taken-perhaps": _FEW,
    "first-batch-only": {
        "en": "If it is a leftover from debugging, each epoch makes a single update, and hardly anything is learned.",
        "zh": "如果这是调试时留下的，每个 epoch 只更新一次，几乎学不到东西。",
    },
    "same-order": {
        "en": "Each epoch has the same batches in the same order, almost as without shuffling.",
        "zh": "每个 epoch 的 batch 组成和先后都相同，与没有混洗的效果接近。",
    },
    "shuffle-off": _SAME_ORDER,
    "sampler-in-order": _SAME_ORDER,
    "buffer-one": _SAME_ORDER,
    "buffer-nearby": _HARDLY,
    "shuffle-dropped": _SAME_ORDER,
    "reshuffle-off": {
        "en": "Every epoch repeats the same batches: the network fits that order and generalises worse.",
        "zh": "每个 epoch 都重复相同的 batch，网络会拟合这一固定顺序，泛化变差。",
    },
    "small-buffer": _HARDLY,
    "batches-shuffled": _HARDLY,
    "buffer-of-a-part": _HARDLY,
    "split-in-order": _SAME_ORDER,
    "generator-in-order": _SAME_ORDER,
    "source-may-shuffle": _MAYBE,
    "files-only": _HARDLY,
    "off-by-default": _MAYBE,
    "sometimes-off": _MAYBE,
    "role-unknown": _MAYBE,
    "handed-on": _MAYBE,
}
_TWO_EPOCHS = {
    "en": "With pipelines.train set, run the live probe shuffle_order (accucheck run --live): it reads two epochs of this pipeline and "
    "compares the order of their samples.",
    "zh": "给出 pipelines.train 后启用运行时探针 shuffle_order（accucheck run --live）：它读取该管道的两个 epoch，比较样本顺序。",
}
_COUNTED = {
    "en": "Print get_dataset_size() of the training data set, and compare it with the number of samples on disk.",
    "zh": "打印训练所用数据集的 get_dataset_size()，与磁盘上的样本数比较。",
}
_LOOKED_AT = {
    "en": "Inspect some samples with their labels as the data set yields them: accucheck data.",
    "zh": "用 accucheck data 查看数据集给出的若干样本及其标签。",
}
PROOF: Words = {
    **dict.fromkeys(WHY, _TWO_EPOCHS),
    **dict.fromkeys(("few-taken", "few-taken-perhaps", "first-batch-only"), _COUNTED),
    "same-order": {
        "en": "Print the labels of the first batch in two epochs: they are the same.",
        "zh": "打印两个 epoch 中第一个 batch 的标签：它们相同。",
    },
    **dict.fromkeys(("shuffled-apart", "listed-apart", "sorted-alone"), _LOOKED_AT),
    "off-by-default": {
        "en": "Check what {name} is in the command that starts training; or set pipelines.train with that value and run the live probe "
        "shuffle_order (accucheck run --live).",
        "zh": "查看启动训练的命令中 {name} 的取值；或在 pipelines.train 中给出该值，启用运行时探针 shuffle_order"
        "（accucheck run --live）。",
    },
    "role-unknown": {
        "en": "Follow {dataset} to where it is used. If that is training, set it as pipelines.train and run the live probe "
        "shuffle_order (accucheck run --live).",
        "zh": "查看 {dataset} 用在何处。若用于训练，则在 pipelines.train 中给出，并启用运行时探针 shuffle_order"
        "（accucheck run --live）。",
    },
}

#: Why a data set counts as shuffled, for the finding that says so.
_REASONS: Words = {
    "argument": {"en": "shuffle={value}", "zh": "shuffle={value}"},
    "default": {"en": "the default of this class", "zh": "该类默认混洗"},
    "sampler": {"en": "{value}", "zh": "{value}"},
    "single": {"en": "there is only one sample", "zh": "只有一个样本"},
    "call": {"en": ".shuffle({value}) in line {line}", "zh": "第 {line} 行的 .shuffle({value})"},
}

#: How bad each code is.
_LEVELS = {
    "shuffle-off": Level.PROBLEM,
    "sampler-in-order": Level.PROBLEM,
    "buffer-one": Level.PROBLEM,
    "buffer-nearby": Level.PROBLEM,
    "shuffle-dropped": Level.PROBLEM,
    "reshuffle-off": Level.PROBLEM,
    "same-order": Level.PROBLEM,
    "first-batch-only": Level.SUSPECT,
    "shuffled-apart": Level.PROBLEM,
    "listed-apart": Level.SUSPECT,
    "sorted-alone": Level.PROBLEM,
    "few-taken": Level.PROBLEM,
    "few-taken-perhaps": Level.SUSPECT,
    "small-buffer": Level.SUSPECT,
    "batches-shuffled": Level.SUSPECT,
    "buffer-of-a-part": Level.SUSPECT,
    "split-in-order": Level.SUSPECT,
    "generator-in-order": Level.SUSPECT,
    "source-may-shuffle": Level.SUSPECT,
    "files-only": Level.SUSPECT,
    "off-by-default": Level.SUSPECT,
    "sometimes-off": Level.SUSPECT,
    "role-unknown": Level.SUSPECT,
    "handed-on": Level.SUSPECT,
}
#: Suspects that are most often wrong; the others may as well be meant.
_LIKELY = ("small-buffer", "batches-shuffled", "split-in-order", "generator-in-order", "off-by-default")
_FIXES = {
    "first-batch-only": "fix-loop",
    "same-order": "fix-seed",
    "shuffled-apart": "fix-together",
    "listed-apart": "fix-sorted",
    "sorted-alone": "fix-sorted",
    "few-taken": "fix-all",
    "few-taken-perhaps": "fix-all",
    "shuffle-off": "fix-shuffle",
    "sampler-in-order": "fix-sampler",
    "buffer-one": "fix-buffer",
    "buffer-nearby": "fix-buffer",
    "small-buffer": "fix-buffer",
    "batches-shuffled": "fix-rows",
    "buffer-of-a-part": "fix-buffer",
    "shuffle-dropped": "fix-assign",
    "reshuffle-off": "fix-reshuffle",
    "split-in-order": "fix-shuffle",
    "generator-in-order": "fix-shuffle",
    "files-only": "fix-shuffle",
}


@_grades.by_road
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..script import reseeded, taken, torn_rows
    from ..script.analysis import read_scripts
    from ..script.pipelines import of_scripts
    from ..script.shuffling import examine

    scripts = read_scripts(case)
    yield from _gaps.findings(scripts)
    if not scripts.mentions(*SUBJECT):
        for reading in scripts.training:
            path = reading.source.path
            yield Finding("no-dataset", Level.INFO, Where(path=path), {"path": path}, incomplete=True)
        return
    for done, reading in enumerate(scripts.training, start=1):
        rules = examine, taken.examine, taken.broken_off, reseeded.examine
        for said in (said for rule in rules for said in rule(reading.trace)):
            yield _finding(said)
        yield Progress(done, len(scripts.training), "files")
    torn = [said for pipelines in of_scripts(scripts) for said in torn_rows.examine(pipelines)]
    yield from map(_finding, {(said.code, said.source.path, said.line): said for said in torn}.values())
    yield from _seen.data(scripts)


def _finding(said: Observation) -> Finding:
    from ..language import fill
    from ..model import Language

    code, data, source = said.code, said.data, said.source
    if "why" in data:
        template = _REASONS[data["why"]]
        data = data | {"why": {language.value: fill(template[language.value], data) for language in Language}}
    level = _LEVELS.get(code, Level.INFO)
    fix = _FIXES.get(code)
    return Finding(
        code,
        level,
        Where(path=source.path, line=said.line, column=said.column),
        data,
        [source.code(said.line, said.last)],
        Fix(fix, source.diff(*said.edit) if said.edit else None) if fix else None,
        incomplete=level is Level.INFO and code not in ("shuffled", "by-place"),
        sure=_sure(said, level),
    )


def _sure(said: Observation, level: Level) -> Sure | None:
    if level is Level.INFO:
        return None
    if level is Level.SUSPECT:
        return Sure.LIKELY if said.code in _LIKELY else Sure.POSSIBLE
    return Sure.LIKELY if said.assumed else Sure.CERTAIN


def _example(name: str, script: str, verdict: Verdict, *codes: str) -> Example:
    head = "" if "import" in script.split("\n")[1] else "import mindspore as ms\nimport mindspore.dataset as ds\n"
    return script_example(head, name, script, verdict, *codes)


_BY_PLACE = """
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn

class Trainer:
    def __init__(self):
        self.codes = {}

    def train(self, x, y, place):
        codes = self.codes.get(place, 0.0)
        step(x + codes, y)
        self.codes[place] = codes + 0.1

net = nn.Dense(8, 2)
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), nn.Adam(net.trainable_params()))
train_ds = ds.MindDataset("train.mindrecord", shuffle=False).batch(32)
trainer = Trainer()
for epoch in range(3):
    for place, (x, y) in enumerate(train_ds.create_tuple_iterator()):
        trainer.train(x, y, place)
"""
_TAKEN = """
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn

net = nn.Dense(8, 2)
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), nn.Adam(net.trainable_params()))
train_ds = ds.MindDataset("train.mindrecord", shuffle=True).batch(32)
for epoch in range(3):
    for x, y in DATA.create_tuple_iterator():
        step(x, y)
for x, y in train_ds.take(1).create_tuple_iterator():
    print(net(x))
"""
_STEP = "nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), nn.Adam(net.trainable_params()))"
_EPOCHS = f"""
import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

net = nn.Dense(8, 2)
step = {_STEP}
train_ds = ds.MindDataset("train.mindrecord", shuffle=True).batch(32)
ONCE
for epoch in range(3):
    EACH
    for x, y in BATCHES:
        step(x, y)
        LAST
"""


def _epochs(once: str = "", each: str = "", batches: str = "train_ds.create_tuple_iterator()", last: str = "") -> str:
    given = {"ONCE": once, "EACH": each, "BATCHES": batches, "LAST": last}
    script = _EPOCHS
    for word, code in given.items():
        script = script.replace(word, code)
    return script


_PAIRED = """
import os
import numpy as np
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn

class Rows:
    def __init__(self):
        MADE

    def __getitem__(self, place):
        return ROW

    def __len__(self):
        return len(self.images)

net = nn.Dense(8, 2)
train_ds = ds.GeneratorDataset(Rows(), ["image", "label"], shuffle=True).batch(8)
ms.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params())).train(3, train_ds)
"""
_ARRAYS = 'self.images, self.labels = np.load("images.npy"), np.load("labels.npy")'
_ORDER = "order = np.random.permutation(len(self.images))"
_FILES = 'np.load("images/" + self.images[place]), np.load("labels/" + self.labels[place])'


def _paired(name: str, verdict: Verdict, *codes: str, made: tuple[str, ...], row: str = "") -> Example:
    script = _PAIRED.replace("MADE", "\n        ".join(made))
    return _example(name, script.replace("ROW", row or "self.images[place], self.labels[place]"), verdict, *codes)


EXAMPLES = [
    _example("a seed before the epochs", _epochs(once="ms.set_seed(1)"), Verdict.OK, "shuffled"),
    _example("a seed in each epoch", _epochs(each="ms.set_seed(1)"), Verdict.PROBLEM, "same-order", "shuffled"),
    _example(
        "a seed in each epoch, and rows that were read before",
        _epochs(each="ms.set_seed(1)").replace(
            'ds.MindDataset("train.mindrecord", shuffle=True)',
            'ds.GeneratorDataset(list(ds.MindDataset("all.mindrecord").create_tuple_iterator()), ["x", "y"], shuffle=True)',
        ),
        Verdict.PROBLEM,
        "same-order",
        "shuffled",
    ),
    _example(
        "a seed in each fold, which has a network of its own",
        _epochs(each="ms.set_seed(1)\n    net = nn.Dense(8, 2)\n    step = " + _STEP),
        Verdict.OK,
        "shuffled",
    ),
    _example("another seed in each epoch", _epochs(each="ms.set_seed(epoch)"), Verdict.OK, "shuffled"),
    _example(
        "a seed in each epoch, and one iterator for all",
        _epochs("rows = train_ds.create_tuple_iterator()", "ms.set_seed(1)", "rows"),
        Verdict.OK,
        "shuffled",
    ),
    _example(
        "a loop that ends after a batch", _epochs(last="break"), Verdict.UNDECIDED, "first-batch-only", "shuffled"
    ),
    _example("a loop that ends when it should", _epochs(last="if done(): break"), Verdict.OK, "shuffled"),
    _paired(
        "labels that are shuffled apart from their images",
        Verdict.PROBLEM,
        "shuffled",
        "shuffled-apart",
        made=(_ARRAYS, "np.random.shuffle(self.labels)"),
    ),
    _paired(
        "images and labels in one order of chance",
        Verdict.OK,
        "shuffled",
        made=(_ARRAYS, _ORDER, "self.images, self.labels = self.images[order], self.labels[order]"),
    ),
    _paired(
        "images and labels by their places in two listings",
        Verdict.UNDECIDED,
        "shuffled",
        "listed-apart",
        made=('self.images = os.listdir("images")', 'self.labels = os.listdir("labels")'),
        row=_FILES,
    ),
    _paired(
        "images and labels by their places in two listings, one of them sorted",
        Verdict.PROBLEM,
        "shuffled",
        "sorted-alone",
        made=('self.images = sorted(os.listdir("images"))', 'self.labels = os.listdir("labels")'),
        row=_FILES,
    ),
    _paired(
        "images and labels by their places in two sorted listings",
        Verdict.OK,
        "shuffled",
        made=('self.images = sorted(os.listdir("images"))', 'self.labels = sorted(os.listdir("labels"))'),
        row=_FILES,
    ),
    _example(
        "one batch, and no more of the data",
        _TAKEN.replace("DATA", "train_ds.take(1)"),
        Verdict.PROBLEM,
        "few-taken",
    ),
    _example(
        "all of the data, of which one batch is looked at",
        _TAKEN.replace("DATA", "train_ds"),
        Verdict.OK,
        "shuffled",
    ),
    _example(
        "five batches",
        """
train_ds = ds.ImageFolderDataset("data/train", shuffle=True, num_samples=160).batch(32)
ms.Model(net).train(10, train_ds)
""",
        Verdict.UNDECIDED,
        "few-taken-perhaps",
    ),
    _example(
        "shuffle=True",
        """
train_ds = ds.ImageFolderDataset("data/train", shuffle=True).batch(32)
ms.Model(net).train(10, train_ds)
""",
        Verdict.OK,
        "shuffled",
    ),
    _example(
        "no argument: this class shuffles by default",
        """
import mindspore as ms
from mindspore.dataset import Cifar10Dataset as Data
train_ds = Data("data", usage="train").batch(32)
ms.Model(net).train(1, train_ds)
""",
        Verdict.OK,
        "shuffled",
    ),
    _example(
        "shuffle=False",
        """
train_ds = ds.ImageFolderDataset("data/train", shuffle=False).batch(32)
ms.Model(net).train(10, train_ds)
""",
        Verdict.PROBLEM,
        "shuffle-off",
    ),
    _example(
        "shuffle=False with .shuffle() afterwards",
        """
def create_dataset(path):
    dataset = ds.MindDataset(path, shuffle=False)
    dataset = dataset.shuffle(buffer_size=10000)
    return dataset.batch(32)

ms.Model(net).train(10, create_dataset("data/train.mindrecord"))
""",
        Verdict.OK,
        "shuffled",
    ),
    _example(
        "the result of .shuffle() is dropped",
        """
train_ds = ds.MindDataset("train.mindrecord", shuffle=False)
train_ds.shuffle(10000)
ms.Model(net).train(10, train_ds.batch(32))
""",
        Verdict.PROBLEM,
        "shuffle-dropped",
    ),
    _example(
        "only the evaluation data are in order",
        """
def create_dataset(path, do_train):
    dataset = ds.ImageFolderDataset(path, shuffle=do_train)
    return dataset.batch(32)

train_ds = create_dataset("data/train", True)
val_ds = create_dataset("data/val", False)
model = ms.Model(net)
model.train(10, train_ds)
model.eval(val_ds)
""",
        Verdict.OK,
        "shuffled",
    ),
    _example(
        "features are collected in a loop, and nothing is trained by gradients",
        """
import mindspore.dataset as ds
from features import pretrained
network = pretrained()
train_ds = ds.ImageFolderDataset("data/train", shuffle=False).batch(32)
features = [network(batch["image"]) for batch in train_ds.create_dict_iterator()]
""",
        Verdict.UNDECIDED,
        "role-unknown",
    ),
    _example("codes that are kept for each batch, by its place", _BY_PLACE, Verdict.OK, "by-place"),
    _example(
        "codes for each batch that stay as they are",
        _BY_PLACE.replace("        self.codes[place] = codes + 0.1\n", ""),
        Verdict.PROBLEM,
        "shuffle-off",
    ),
    _example(
        "a flag that is wrong for training",
        """
def create_dataset(path, do_train):
    if do_train:
        do_shuffle = False
    else:
        do_shuffle = True
    return ds.ImageFolderDataset(path, shuffle=do_shuffle).batch(32)
""",
        Verdict.PROBLEM,
        "shuffle-off",
    ),
    _example(
        "a sampler in order on the distributed branch",
        """
def create_dataset(path, device_num, rank):
    if device_num == 1:
        return ds.ImageFolderDataset(path).batch(32)
    sampler = ds.DistributedSampler(device_num, rank, shuffle=False)
    return ds.ImageFolderDataset(path, sampler=sampler).batch(32)
""",
        Verdict.PROBLEM,
        "sampler-in-order",
        "shuffled",
    ),
    _example(
        "random samplers",
        """
import mindspore as ms
import mindspore.dataset.engine.datasets as de
from mindspore.dataset import RandomSampler, DistributedSampler
one = de.Cifar10Dataset("train", sampler=RandomSampler())
many = de.Cifar10Dataset("train", sampler=DistributedSampler(8, 0))
ms.Model(net).train(1, one + many)
""",
        Verdict.OK,
        "shuffled",
    ),
    _example(
        "an iterable, which shuffle=True does not shuffle",
        """
def rows():
    for i in range(1000):
        yield (i,)

train_ds = ds.GeneratorDataset(rows, ["x"], shuffle=True).batch(32)
""",
        Verdict.UNDECIDED,
        "generator-in-order",
    ),
    _example(
        "a source with random access shuffles by default",
        """
class Pairs:
    def __getitem__(self, index):
        return (index,)

    def __len__(self):
        return 1000

train_ds = ds.GeneratorDataset(source=Pairs(), column_names=["x"]).batch(32)
ms.Model(net).train(1, train_ds)
""",
        Verdict.OK,
        "shuffled",
    ),
    _example(
        "an option of the command line",
        """
import argparse
import mindspore.dataset as ds
parser = argparse.ArgumentParser()
parser.add_argument("--shuffle", action="store_true")
args = parser.parse_args()
train_ds = ds.ImageFolderDataset("train", shuffle=args.shuffle)
""",
        Verdict.UNDECIDED,
        "off-by-default",
    ),
    _example(
        "a setting of a configuration file",
        """
from mindspore import dataset
from src.config import config
train_ds = dataset.ImageFolderDataset(config.path, shuffle=config.shuffle)
""",
        Verdict.UNDECIDED,
        "unresolved",
    ),
    _example(
        "a buffer smaller than a batch",
        """
train_ds = ds.TFRecordDataset("train.tfrecord", shuffle=False).shuffle(16).batch(64)
""",
        Verdict.UNDECIDED,
        "small-buffer",
    ),
    _example(
        "whole batches that change places",
        """
train_ds = ds.ImageFolderDataset("pets", shuffle=False).batch(64).shuffle(100)
ms.Model(net).train(1, train_ds)
""",
        Verdict.UNDECIDED,
        "batches-shuffled",
    ),
    _example(
        "rows that change places before they become batches, and batches then",
        """
train_ds = ds.ImageFolderDataset("pets", shuffle=True).batch(64).shuffle(100)
ms.Model(net).train(1, train_ds)
""",
        Verdict.OK,
        "shuffled",
    ),
    _example(
        "a buffer of a twentieth of data in order",
        """
train_ds = ds.MindDataset("corpus.mindrecord", shuffle=False)
train_ds = train_ds.shuffle(train_ds.get_dataset_size() // 20).batch(64)
ms.Model(net).train(1, train_ds)
""",
        Verdict.UNDECIDED,
        "buffer-of-a-part",
    ),
    _example(
        "a buffer of all data",
        """
train_ds = ds.MindDataset("corpus.mindrecord", shuffle=False)
train_ds = train_ds.shuffle(train_ds.get_dataset_size()).batch(64)
ms.Model(net).train(1, train_ds)
""",
        Verdict.OK,
        "shuffled",
    ),
    _example(
        "a buffer against data of unknown size",
        """
train_ds = ds.TFRecordDataset("corpus.tfrecord", shuffle=False).shuffle(500).batch(64)
ms.Model(net).train(1, train_ds)
""",
        Verdict.UNDECIDED,
        "buffer-alone",
    ),
    _example(
        "a buffer of two, and batches of a size that the command gives",
        """
train_ds = ds.MindDataset("corpus.mindrecord", shuffle=False)
train_ds = train_ds.shuffle(2).batch(settings.batch)
ms.Model(net).train(1, train_ds)
""",
        Verdict.PROBLEM,
        "buffer-nearby",
    ),
    _example(
        "a sampler of the project that shuffles where it is told to",
        """
import mindspore as ms
import mindspore.dataset as ds
import numpy as np
class Picks:
    def __init__(self, count, mixed):
        self.count, self.mixed = count, mixed
    def __iter__(self):
        order = np.arange(self.count)
        if self.mixed:
            order = np.random.permutation(self.count)
        return iter(order.tolist())
train_ds = ds.ImageFolderDataset("train", sampler=Picks(1000, True)).batch(64)
ms.Model(net).train(1, train_ds)
""",
        Verdict.OK,
        "shuffled",
    ),
    _example(
        "a sampler of the project that is told not to shuffle",
        """
import mindspore as ms
import mindspore.dataset as ds
import numpy as np
class Picks:
    def __init__(self, count, mixed):
        self.count, self.mixed = count, mixed
    def __iter__(self):
        order = np.arange(self.count)
        if self.mixed:
            order = np.random.permutation(self.count)
        return iter(order.tolist())
train_ds = ds.ImageFolderDataset("train", sampler=Picks(1000, False)).batch(64)
ms.Model(net).train(1, train_ds)
""",
        Verdict.PROBLEM,
        "sampler-in-order",
    ),
    _example(
        "a sampler of the project that draws the samples of each epoch as it is made",
        """
import mindspore as ms
import mindspore.dataset as ds
import numpy as np
class Faces:
    def __init__(self, images):
        self.images, self.order = images, None
    def __getitem__(self, index):
        return (self.images[self.order[index]],)
    def __len__(self):
        return len(self.images)
class Picks:
    def __init__(self, count):
        self.order = np.random.permutation(count)
    def __iter__(self):
        for i in range(len(self.order)):
            yield i
faces = Faces(np.load("faces.npy"))
model = ms.Model(net)
for epoch in range(10):
    picks = Picks(1000)
    faces.order = picks.order
    model.train(1, ds.GeneratorDataset(faces, ["image"], sampler=picks).batch(64))
""",
        Verdict.UNDECIDED,
        "unresolved",
    ),
    _example(
        "a sampler of the project that a file tells whether to shuffle",
        """
import mindspore as ms
import mindspore.dataset as ds
import numpy as np
class Picks:
    def __init__(self, count, mixed):
        self.count, self.mixed = count, mixed
    def __iter__(self):
        order = np.arange(self.count)
        if self.mixed:
            order = np.random.permutation(self.count)
        return iter(order.tolist())
mixed = open("order.txt").read() == "mixed"
train_ds = ds.ImageFolderDataset("train", sampler=Picks(1000, mixed)).batch(64)
ms.Model(net).train(1, train_ds)
""",
        Verdict.UNDECIDED,
        "unresolved",
    ),
    _example(
        "a buffer of one sample",
        """
train_ds = ds.TFRecordDataset("train.tfrecord", shuffle=False).shuffle(1).batch(64)
""",
        Verdict.PROBLEM,
        "buffer-one",
    ),
    _example(
        "shuffled only once",
        """
train_ds = ds.ImageFolderDataset("train", shuffle=False).shuffle(5000)
train_ds.reshuffle_each_epoch = False
ms.Model(net).train(10, train_ds.batch(32))
""",
        Verdict.PROBLEM,
        "reshuffle-off",
    ),
    _example(
        "split once, then always in that order",
        """
whole = ds.ImageFolderDataset("data", shuffle=False)
train_ds, val_ds = whole.split([0.8, 0.2])
ms.Model(net).train(10, train_ds.batch(32))
""",
        Verdict.UNDECIDED,
        "split-in-order",
    ),
    _example(
        "the data come from another module",
        """
from src.dataset import create_dataset
import mindspore as ms
train_ds = create_dataset("data/train", do_train=True)
ms.Model(net).train(10, train_ds)
""",
        Verdict.UNDECIDED,
        "elsewhere",
    ),
    _example(
        "a script of Python 2",
        """
import mindspore.dataset as ds
print "training"
train_ds = ds.ImageFolderDataset("train", shuffle=True)
""",
        Verdict.UNDECIDED,
        "unreadable",
    ),
]
