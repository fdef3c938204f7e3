"""Judges how scripts compute the metric of their evaluations: what is counted, what it is divided by, and what is left out or kept.

Catches shares of batches that are averaged or divided by rows, ratios of batches that are averaged, hits divided by batches, counts that
are not cleared between evaluations, evaluation of the training data, rows and positions that are left out or wrongly counted, scores
compared for their places, the smallest scores for the largest, orders that begin with the worst, the wrong class, and all samples for all
outputs. Cannot tell what metrics of other packages compute within, and what is counted in code that is not followed. Never imports or runs
a script.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Progress, Sure, Verdict, Where
from ..probe import script_example
from . import _gaps, _grades, _seen

if TYPE_CHECKING:
    from ..script.networks import Observation

KIND = Kind.STATIC
NEEDS: tuple[str | tuple[str, ...], ...] = (("scripts.train", "scripts.eval", "scripts.infer"),)


class Params(msgspec.Struct, frozen=True):
    pass


MESSAGES: Words = {
    **_gaps.MESSAGES,
    "mean-of-batches": {
        "en": "Batch accuracies ({added}) are averaged, but the last batch may be smaller: its samples weigh more than the others.",
        "zh": "对各 batch 的正确率（{added}）求平均，而最后一个 batch 可能较小：其中样本的权重比其他样本大。",
    },
    "ratio-of-batches": {
        "en": "A ratio per batch ({added}) is averaged over batches. A ratio is not a mean over samples: computed over all samples at "
        "once, it has a different value.",
        "zh": "对各 batch 的比值（{added}）求平均。该值不是样本平均：对全部样本一次计算会得到不同的数。",
    },
    "errors-of-batches": {
        "en": "The mean errors of batches ({added}) are averaged, but the last batch may be smaller: its samples weigh more than "
        "others.",
        "zh": "对各 batch 的平均误差（{added}）再求平均，而最后一个 batch 可能较小：其中样本的权重比其他样本大。",
    },
    "shares-by-rows": {
        "en": "Batch accuracies ({added}) are summed and divided by the number of samples: the result is too small by a factor of the "
        "batch size.",
        "zh": "累加的是各 batch 的正确率（{added}），却除以样本数：结果偏小，约为实际值除以 batch 大小。",
    },
    "hits-by-batches": {
        "en": "The number of correct predictions ({added}) is divided by the number of batches: the result is not an accuracy, and may "
        "exceed 1.",
        "zh": "累加的是预测正确的样本数（{added}），却除以 batch 数：结果不是比例，可能大于 1。",
    },
    "counts-on": {
        "en": "{name} (line {line}) is set before the loop over the epochs and never again: each evaluation counts on from the ones "
        "before.",
        "zh": "{name}（第 {line} 行）只在 epoch 循环之前初始化，之后不再清零：每次评估都从之前的计数继续累加。",
    },
    "left-in-state": {
        "en": "{of}.{method} does not clear {name}, which is accumulated at {added} and read at {used}: counts from earlier "
        "evaluations stay in it.",
        "zh": "{of}.{method} 用于清零，却没有清零 {name}（在 {added} 累加，在 {used} 读取）：其中仍有之前各次评估的计数。",
    },
    "not-cleared": {
        "en": "{metric} (line {line}) is read in each iteration of the loop but never cleared: from the second evaluation on it is the "
        "mean of all evaluations so far.",
        "zh": "每轮循环都读取 {metric}（第 {line} 行），却从不调用 clear()：从第二次评估起，得到的是历次评估合在一起的结果。",
    },
    "evaluates-training": {
        "en": "The network is evaluated on its own training data here; {name} ({at}) is created but never used.",
        "zh": "此处评估用的是训练数据；{name}（{at}）创建后从未被读取。",
    },
    "reads-training": {
        "en": "The data set evaluated here (line {line}) is read from the same files as the training set ({at}), and no other one is "
        "evaluated.",
        "zh": "此处评估的数据集（第 {line} 行）与训练数据集（{at}）读取的是相同的文件，并且没有其他评估。",
    },
    "smallest-kept": {
        "en": "The weights are saved ({saved}) when this value is smaller than before, but larger is better: those of the worst "
        "evaluation are kept.",
        "zh": "该值变小时保存权重（{saved}），而它越大越好：保留下来的是最差的一次。",
    },
    "largest-kept": {
        "en": "The weights are saved ({saved}) when this value is larger than before, but smaller is better: those of the worst "
        "evaluation are kept.",
        "zh": "该值变大时保存权重（{saved}），而它越小越好：保留下来的是最差的一次。",
    },
    "best-not-updated": {
        "en": "The value to beat is never updated: any evaluation is better than where it starts, so that the weights are saved each time "
        "({saved}), whether they are better or not.",
        "zh": "用于比较的最优值从不更新，任何一次评估都优于初值：每次都会保存权重（{saved}），无论是否更好。",
    },
    "never-better": {
        "en": "The value to beat starts at {start}, and no value is beyond it: the weights are never saved ({saved}).",
        "zh": "用于比较的初始值为 {start}，任何取值都不会超过它：权重从未保存（{saved}）。",
    },
    "rest-dropped": {
        "en": "The data set that is evaluated at {at} drops the last batch if it is not full: its samples are never evaluated.",
        "zh": "在 {at} 评估的数据集会丢弃不足一批的最后一个 batch：其中的样本从未参与评估。",
    },
    "rest-of-slices": {
        "en": "Only full slices are evaluated: the samples after the last full slice are left out.",
        "zh": "只评估能整除的切片：最后不足一片的样本没有参与评估。",
    },
    "fewer-than-divided-by": {
        "en": "Only full slices are evaluated ({at}), but the number of correct predictions is divided by the number of all samples: "
        "those left out count as wrong.",
        "zh": "只评估了整片的样本（{at}），却除以全部样本数：没有评估的样本被当作预测错误。",
    },
    "masked-counted": {
        "en": "Padded positions count in this metric; the loss leaves them out ({at}).",
        "zh": "该指标把填充位置也计入；loss 没有计入这些位置（{at}）。",
    },
    "ignored-counted": {
        "en": "Positions whose label the loss ignores ({at}) count in this metric.",
        "zh": "loss 忽略的标签（{at}）所在的位置被计入该指标。",
    },
    "smallest-scores": {
        "en": "The order from line {line} starts with the smallest score of {layer}: its first entries are the least likely classes.",
        "zh": "第 {line} 行按 {layer} 的得分从小到大排序：取前几个得到的是最不可能的类别。",
    },
    "smallest-first": {
        "en": "This order begins with the smallest score, but larger scores are better: what {at} takes for the first are the worst.",
        "zh": "此处按得分从小到大排序，而得分越大越好：{at} 当作最靠前的其实是最差的。",
    },
    "scores-as-places": {
        "en": "The scores of {layer} (line {line}) themselves are compared with labels for equality, instead of their argmax.",
        "zh": "与标签比较是否相等的是 {layer}（第 {line} 行）的得分，而不是最大得分的下标。",
    },
    "other-column": {
        "en": "The probability of class 0 ({at}) is used as that of class 1: the metric is that of the wrong class.",
        "zh": "把类别 0 的概率（{at}）当作类别 1 的概率：得到的是另一类的指标。",
    },
    "ruled-out-guessed": {
        "en": "The loss masks out some positions ({at}); the prediction here is the maximum over all scores of {layer} (line {line}), "
        "including the masked ones.",
        "zh": "loss 用 mask 排除了一些位置（{at}）；此处却在 {layer}（第 {line} 行）的全部得分中取最大，被排除的位置也可能被选中。",
    },
    "shares-of-samples": {
        "en": "This softmax runs along axis {axis}, over the samples, instead of over the outputs of {layer} (line {line}): the top "
        "class of a sample may change.",
        "zh": "此处 softmax 沿 axis {axis}（样本轴）计算，而不是沿 {layer}（第 {line} 行）的输出：每个样本得分最大的类别可能因此改变。",
    },
    "all-samples": {
        "en": "Along axis 0 lie the samples: this asks for each output of {layer} (line {line}) whether it is right in all samples of "
        "the batch.",
        "zh": "axis 0 是样本轴：这里判断的是 {layer}（第 {line} 行）的每个输出是否在整个 batch 的所有样本上都正确。",
    },
    "judged": {
        "en": "{count:,} {count:metric|metrics} of evaluations {count:was|were} followed: at {places}.",
        "zh": "跟踪了 {count:,} 处评估指标的计算：{places}。",
    },
    "none-seen": {
        "en": "No metric was seen that {path} counts of its evaluations.",
        "zh": "没有看到 {path} 在评估中统计的指标。",
    },
    "fix-samples": {
        "en": "Sum the counts (correct predictions, errors) and the samples over all batches, and divide once at the end.",
        "zh": "累加所有 batch 的计数（正确数、误差）和样本数，最后只除一次。",
    },
    "fix-parts": {
        "en": "Sum numerator and denominator over all batches, or keep all predictions and labels, and compute the metric once at the "
        "end.",
        "zh": "对所有 batch 分别累加分子和分母（或保存全部预测和标签），最后只计算一次指标。",
    },
    "fix-clear": {
        "en": "Set all counts to 0 before each evaluation: in clear() or reset(), or in front of the loop over its batches.",
        "zh": "每次评估前把所有计数清零：写在 clear() 或 reset() 中，或放在遍历 batch 的循环之前。",
    },
    "fix-data": {"en": "Evaluate with {name}.", "zh": "改用 {name} 评估。"},
    "fix-files": {
        "en": "Read the held-out files, or remove the evaluation samples from the training data.",
        "zh": "改为读取留出的文件，或把用于评估的样本从训练数据中去掉。",
    },
    "fix-update-best": {
        "en": "Set the best value where the weights are saved.",
        "zh": "保存权重时同时更新最优值。",
    },
    "fix-direction": {
        "en": "Turn the comparison round, and let the best value start where the first evaluation is better.",
        "zh": "把比较方向反过来，并让最优值的初值差于首次评估。",
    },
    "fix-rest": {
        "en": "batch(..., drop_remainder=False) for evaluation, or a last, smaller slice.",
        "zh": "评估时用 batch(..., drop_remainder=False)，或加上最后较小的一片。",
    },
    "fix-mask": {
        "en": "Multiply by the mask before summing, and divide by the sum of the mask.",
        "zh": "求和前乘以 mask，并除以 mask 之和。",
    },
    "fix-places": {
        "en": "Use the indices of the largest scores: argmax(axis=-1), or the second result of topk.",
        "zh": "取最大得分的下标：argmax(axis=-1)，或 topk 的第二个返回值。",
    },
    "fix-largest": {
        "en": "Take the last ones, order[..., -k:], or topk.",
        "zh": "取最后几个 order[..., -k:]，或使用 topk。",
    },
    "fix-descending": {
        "en": "Sort from the largest: np.argsort(-scores).",
        "zh": "从大到小排序：np.argsort(-scores)。",
    },
    "fix-column": {"en": "Take column 1: probabilities[:, 1].", "zh": "取第 1 列：probabilities[:, 1]。"},
    "fix-ruled-out": {
        "en": "Fill the scores with the same mask before taking the largest.",
        "zh": "取最大值之前，先用同一个 mask 填充得分。",
    },
    "fix-shares": {
        "en": "Take the softmax along the axis of the classes, usually axis=-1.",
        "zh": "沿类别所在的维度做 softmax，通常为 axis=-1。",
    },
    "fix-axis": {
        "en": "all(axis=-1), over the outputs of each sample.",
        "zh": "改为 all(axis=-1)，对每个样本的各输出求与。",
    },
}
WORDS: Words = {**_grades.WORDS}
_WRONG = {
    "en": "The reported number is not the accuracy of the network: good changes look bad, and bad ones look good.",
    "zh": "报告的数字不是网络的真实精度：好的改动会显得差，差的改动会显得好。",
}
_SOME = {
    "en": "The result is not the metric over the whole data set: it cannot be compared with published results.",
    "zh": "得到的不是整个数据集上的指标，不能与公开的数值比较。",
}
_SEVERAL = {
    "en": "From the second evaluation on, the metric lags behind the network, and the best checkpoint is not recognised.",
    "zh": "从第二次评估起，指标落后于网络的真实状态，最好的 checkpoint 选不出来。",
}
_FIXES = {
    "mean-of-batches": "fix-samples",
    "errors-of-batches": "fix-samples",
    "ratio-of-batches": "fix-parts",
    "shares-by-rows": "fix-samples",
    "hits-by-batches": "fix-samples",
    "counts-on": "fix-clear",
    "left-in-state": "fix-clear",
    "not-cleared": "fix-clear",
    "evaluates-training": "fix-data",
    "reads-training": "fix-files",
    "smallest-kept": "fix-direction",
    "largest-kept": "fix-direction",
    "never-better": "fix-direction",
    "best-not-updated": "fix-update-best",
    "rest-dropped": "fix-rest",
    "rest-of-slices": "fix-rest",
    "fewer-than-divided-by": "fix-rest",
    "masked-counted": "fix-mask",
    "ignored-counted": "fix-mask",
    "smallest-scores": "fix-largest",
    "smallest-first": "fix-descending",
    "scores-as-places": "fix-places",
    "other-column": "fix-column",
    "ruled-out-guessed": "fix-ruled-out",
    "shares-of-samples": "fix-shares",
    "all-samples": "fix-axis",
}
_WORST = {
    "en": "What is evaluated, published or trained further from this checkpoint is not the best that the training reached.",
    "zh": "之后用这个 checkpoint 评估、发布或继续训练时，用的并不是训练中最好的结果。",
}
#: By the fix, why it matters; for others, and those of _INCOMPLETE, see WHY.
_BY_FIX = {"fix-clear": _SEVERAL, "fix-direction": _WORST, "fix-update-best": _WORST}
_INCOMPLETE = ("mean-of-batches", "errors-of-batches", "ratio-of-batches", "rest-dropped", "rest-of-slices")
WHY: Words = {code: _SOME if code in _INCOMPLETE else _BY_FIX.get(fix, _WRONG) for code, fix in _FIXES.items()}
_RECOUNT = {
    "en": "Collect the predictions and labels of one evaluation in two lists, and compute the metric from them once: the numbers must "
    "be equal.",
    "zh": "把一次评估的全部预测和标签存入两个列表，一次性计算指标：两个数必须相等。",
}
_TWICE = {
    "en": "Evaluate twice in a row without training: the metric must be the same.",
    "zh": "不训练，连续评估两次：指标应完全相同。",
}
_PRINTED = {
    "en": "Print this value at each evaluation and whenever weights are saved: the last one saved must be the best of all.",
    "zh": "每次评估以及保存权重时都打印该值：最后一次保存的应是所有评估中最好的。",
}
_PROOF_BY_FIX = {"fix-clear": _TWICE, "fix-direction": _PRINTED, "fix-update-best": _PRINTED}
PROOF: Words = {code: _PROOF_BY_FIX.get(fix, _RECOUNT) for code, fix in _FIXES.items()}
#: Places that are told.
SHOWN = 4


@_grades.by_road
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..script import metrics
    from ..script.analysis import read_scripts

    scripts = read_scripts(case)
    yield from _gaps.findings(scripts)
    for one in metrics.examine(scripts):
        yield _finding(one)
    places = dict.fromkeys(f"{source.path}:{getattr(node, 'lineno', 1)}" for source, node in metrics.judged(scripts))
    if places:
        shown = ", ".join([*places][:SHOWN]) + (", …" if len(places) > SHOWN else "")
        yield Finding("judged", Level.INFO, data={"count": len(places), "places": shown})
    elif scripts.readings:
        reading = scripts.readings[-1]
        yield _seen.nothing("none-seen", [reading], {"path": reading.source.path})
    yield Progress(len(scripts.readings), len(scripts.readings), "files")


def _finding(one: Observation) -> Finding:
    where = Where(path=one.source.path, line=one.line)
    last = min(getattr(one.node, "end_lineno", None) or one.line, one.line + 3)
    evidence = [one.source.code(one.line, last)]
    data: dict[str, Any] = dict(one.data)
    fix = Fix(_FIXES[one.code])
    if one.possible:
        return Finding(one.code, Level.SUSPECT, where, data, [*evidence], fix, sure=Sure.POSSIBLE)
    return Finding(one.code, Level.PROBLEM, where, data, [*evidence], fix, sure=Sure.LIKELY)


_HEAD = """
import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

x, y = np.load("x.npy"), np.load("y.npy")
train = ds.NumpySlicesDataset((x[:800], y[:800]), ["x", "y"], shuffle=True).batch(32)
test = ds.NumpySlicesDataset((x[800:], y[800:]), ["x", "y"], shuffle=False).batch(32)
net = nn.SequentialCell(nn.Dense(20, 40), nn.ReLU(), nn.Dense(40, 10))
model = ms.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params()), metrics={"accuracy": nn.Accuracy()})
"""
_TRAINED = "model.train(5, train)\nnet.set_train(False)\n"
_COUNT = """{trained}hits = rows = 0
for a, b in test.create_tuple_iterator():
    right = ops.argmax(net(a), 1) == b
    hits += {hits}
    rows += {rows}
print(hits / rows)
"""
_EPOCHS = """loss_fn, optimizer = nn.CrossEntropyLoss(), nn.Adam(net.trainable_params())
step = ms.value_and_grad(lambda a, b: loss_fn(net(a), b), None, optimizer.parameters)
{before}for epoch in range(5):
    for a, b in train.create_tuple_iterator():
        optimizer(step(a, b)[1])
    {within}
    for a, b in test.create_tuple_iterator():
        {count}
    print({result})
"""
_CLASS = """
class Errors(ms.train.Metric):
    def __init__(self):
        super().__init__()
        self.clear()

    def clear(self):
        {clear}

    def update(self, outputs, labels):
        self.total += abs(outputs.asnumpy() - labels.asnumpy()).sum()
        self.count += labels.size

    def eval(self):
        return self.total / self.count


model = ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()), metrics={{"error": Errors()}})
for epoch in range(5):
    model.train(1, train)
    print(model.eval(test))
"""
_SLICES = """{trained}xs, ys, size, hits, rows = x[800:], y[800:], 32, 0, 0
for i in range({turns}):
    scores = net(ms.Tensor(xs[i * size : (i + 1) * size])).asnumpy()
    hits += (scores.argmax(1) == ys[i * size : (i + 1) * size]).sum()
    rows += len(scores)
print(hits / {rows})
"""
_OWN_ROWS = """
class Rows:
    def __init__(self, path):
        lines = [[float(part) for part in line.split(",")] for line in open(path)]
        self.rows = np.array(lines, np.float32)

    def __getitem__(self, place):
        return self.rows[place, 1:], np.int32(self.rows[place, 0])

    def __len__(self):
        return len(self.rows)


def rows(path):
    return ds.GeneratorDataset(Rows(path), ["x", "y"], shuffle=False).batch(32)


model.train(5, rows("train.csv"))
print(model.eval(rows("{part}")))
"""
_BEST = """loss_fn, optimizer = nn.CrossEntropyLoss(), nn.Adam(net.trainable_params())
step = ms.value_and_grad(lambda a, b: loss_fn(net(a), b), None, optimizer.parameters)


def accuracy():
    net.set_train(False)
    hits = rows = 0
    for a, b in test.create_tuple_iterator(num_epochs=1):
        hits += int((ops.argmax(net(a), 1) == b).sum())
        rows += len(b)
    return hits / rows


def error():
    net.set_train(False)
    total = rows = 0
    for a, b in test.create_tuple_iterator(num_epochs=1):
        total += float(ops.abs(net(a) - b).sum())
        rows += len(b)
    return total / rows


def mean_loss():
    net.set_train(False)
    losses = [float(loss_fn(net(a), b)) for a, b in test.create_tuple_iterator(num_epochs=1)]
    return sum(losses) / len(losses)


best = {start}
for epoch in range(5):
    net.set_train()
    for a, b in train.create_tuple_iterator(num_epochs=1):
        loss, grads = step(a, b)
        optimizer(grads)
    now = {now}
    if {better}:
        best = now
        ms.save_checkpoint(net, "best.ckpt")
"""
_MASKED = """
def forward(a, b, mask):
    losses = ops.cross_entropy(net(a).reshape(-1, 10), b.reshape(-1), reduction="none")
    return (losses * mask.reshape(-1)).sum() / mask.sum()


def loader(source):
    columns = ["a", "b", "mask"]
    return ds.GeneratorDataset(source, columns).padded_batch(8, pad_info={{"a": ([9], 0), "b": ([9], 0), "mask": ([9], 0)}})


optimizer = nn.Adam(net.trainable_params())
step = ms.value_and_grad(forward, None, optimizer.parameters)
for a, b, mask in loader(list(zip(x, y, x > 0))).create_tuple_iterator():
    optimizer(step(a, b, mask)[1])
hits = count = 0
for a, b, mask in loader(list(zip(x[:9], y[:9], x[:9] > 0))).create_tuple_iterator():
    right = net(a).argmax(-1) == b
    hits += {hits}
    count += {count}
print(hits / count)
"""
_SCORES = """{trained}values, kept = [], []
for a, b in test.create_tuple_iterator():
    scores = net(a)
    {guess}
    values.extend(right.asnumpy())
print(np.mean(values))
"""
_TWO = """from sklearn.metrics import roc_auc_score

two = nn.SequentialCell(nn.Dense(20, 2))
ms.Model(two, nn.CrossEntropyLoss(), nn.Adam(two.trainable_params())).train(5, train)
labels, scores = [], []
for a, b in test.create_tuple_iterator():
    scores.extend(ops.softmax(two(a), -1).asnumpy()[:, {column}])
    labels.extend(b.asnumpy())
print(roc_auc_score(labels, scores))
"""
_EXACT = """{trained}exact = rows = 0
for a, b in test.create_tuple_iterator():
    right = ((net(a) > 0) == b).asnumpy()
    exact += right.all(axis={axis}).sum()
    rows += len(right)
print(exact / rows)
"""
_HANDED = """{trained}

def evaluate(data):
    right = count = 0
    for a, b in data.create_tuple_iterator():
        right += (net(a).argmax(1) == b).sum().asnumpy().item()
        count += a.shape[0]
    return right, count


right, count = evaluate(test)
print(right / {by})
"""
_OBJECT = """
class Evaluation:
    def __init__(self, data):
        self.data = data
        self.right = self.count = 0

    def __call__(self):
        {first}
        for a, b in self.data.create_tuple_iterator():
            self.right += (net(a).argmax(1) == b).sum().asnumpy().item()
            self.count += a.shape[0]
        return self.right / self.count


evaluation = Evaluation(test)
for epoch in range(5):
    model.train(1, train)
    print(evaluation())
"""
_OVERLAP = """{trained}overlaps, both, either = [], 0, 0
for a, b in test.create_tuple_iterator():
    guess = net(a).argmax(1) == 1
    shared, all_ = int((guess & (b == 1)).sum()), int((guess | (b == 1)).sum())
    both += shared
    either += all_
    overlaps.append(shared / max(all_, 1))
print({result})
"""
_ERROR = """{trained}total, count = 0.0, 0
for a, b in test.create_tuple_iterator():
    error = ops.abs(net(a) - ops.one_hot(b, 10))
    total += float(error.{reduced}())
    count += {count}
print(total / count)
"""
_POINTER = """
def forward(a, b, mask):
    return ops.cross_entropy(net(a).masked_fill(mask == 0, -1e9), b)


optimizer = nn.Adam(net.trainable_params())
step = ms.value_and_grad(forward, None, optimizer.parameters)
for a, b, mask in ds.NumpySlicesDataset((x, y, x[:, :10] > 0), ["a", "b", "mask"]).batch(32).create_tuple_iterator():
    optimizer(step(a, b, mask)[1])
hits = rows = 0
for a, b, mask in ds.NumpySlicesDataset((x, y, x[:, :10] > 0), ["a", "b", "mask"]).batch(32).create_tuple_iterator():
    scores = {scores}
    hits += int((scores.argmax(1) == b).sum())
    rows += len(b)
print(hits / rows)
"""
_FILES = """
def loader(part, shuffle):
    return ds.MindDataset("data/" + part + ".mindrecord", shuffle=shuffle).batch(32)


model.train(5, loader("train", True))
print(model.eval(loader("{part}", False)))
"""
_HITS, _ROWS, _RATE = "int(right.sum())", "b.shape[0]", "float(right.astype(ms.float32).mean())"
_example = partial(script_example, _HEAD)


def _counted(name: str, verdict: Verdict, *codes: str, hits: str = _HITS, rows: str = _ROWS) -> Any:
    return _example(name, _COUNT.format(trained=_TRAINED, hits=hits, rows=rows), verdict, *codes)


def _epochs(name: str, verdict: Verdict, *codes: str, before: str, within: str) -> Any:
    count = "hits += (net(a).argmax(1) == b).sum().asnumpy(); rows += b.shape[0]"
    return _example(
        name, _EPOCHS.format(before=before, within=within, count=count, result="hits / rows"), verdict, *codes
    )


def _metric(name: str, verdict: Verdict, *codes: str, within: str) -> Any:
    before, count = 'metric = nn.Accuracy("classification")\n', "metric.update(net(a), b)"
    return _example(
        name, _EPOCHS.format(before=before, within=within, count=count, result="metric.eval()"), verdict, *codes
    )


_RANKED = """{trained}two = nn.SequentialCell(nn.Dense(20, 1))
ms.Model(two, nn.BCEWithLogitsLoss(), nn.Adam(two.trainable_params())).train(5, train)
scores, labels = [], []
for a, b in test.create_tuple_iterator():
    scores.append(ops.sigmoid(two(a)).asnumpy()[:, 0])
    labels.append(b.asnumpy())
labels = np.concatenate(labels)[np.argsort({key})]
precision = np.cumsum(labels) / np.arange(1, len(labels) + 1)
print((precision * labels).sum() / labels.sum())
"""
_PLACES = "right = ops.topk(scores, 3)[1] == b.expand_dims(1)"
_KEPT = """
model.train(5, train)
net.set_train(False)
kept, truths = [], []
for row, truth in {rows}.create_tuple_iterator():
    kept.append(net(row))
    truths.append(truth)
show(ops.concat(kept), ops.concat(truths))
"""
EXAMPLES = [
    _counted("counted over samples", Verdict.OK, "judged"),
    _counted("shares of batches averaged", Verdict.UNDECIDED, "mean-of-batches", hits=_RATE, rows="1"),
    _example(
        "overlaps of batches averaged",
        _OVERLAP.format(trained=_TRAINED, result="np.mean(overlaps)"),
        Verdict.UNDECIDED,
        "ratio-of-batches",
    ),
    _example("overlap of all samples", _OVERLAP.format(trained=_TRAINED, result="both / either"), Verdict.OK, "judged"),
    _example(
        "mean errors of batches averaged",
        _ERROR.format(trained=_TRAINED, reduced="mean", count="1"),
        Verdict.UNDECIDED,
        "errors-of-batches",
    ),
    _example(
        "errors summed",
        _ERROR.format(trained=_TRAINED, reduced="sum", count="error.size"),
        Verdict.UNDECIDED,
        "none-seen",
    ),
    _counted("shares weighed by their samples", Verdict.OK, "judged", hits=f"{_RATE} * b.shape[0]"),
    _counted("shares divided by samples", Verdict.PROBLEM, "shares-by-rows", hits=_RATE),
    _counted("hits divided by batches", Verdict.PROBLEM, "hits-by-batches", rows="1"),
    _epochs(
        "counts of all epochs", Verdict.PROBLEM, "counts-on", before="hits = rows = 0\n", within="net.set_train(False)"
    ),
    _epochs("counts of each epoch", Verdict.OK, "judged", before="", within="hits = rows = 0"),
    _metric("a metric that is not cleared", Verdict.PROBLEM, "not-cleared", within="net.set_train(False)"),
    _metric("a metric that is cleared", Verdict.OK, "judged", within="metric.clear()"),
    _example("half of a state is cleared", _CLASS.format(clear="self.count = 0"), Verdict.PROBLEM, "left-in-state"),
    _example("all of a state is cleared", _CLASS.format(clear="self.total, self.count = 0.0, 0"), Verdict.OK, "judged"),
    _example(
        "evaluated with the training data",
        "model.train(5, train)\nmodel.eval(train)\n",
        Verdict.PROBLEM,
        "evaluates-training",
    ),
    _example(
        "evaluated with both", "model.train(5, train)\nmodel.eval(train)\nmodel.eval(test)\n", Verdict.OK, "judged"
    ),
    _example(
        "outputs of the training data are kept", _KEPT.format(rows="train"), Verdict.UNDECIDED, "evaluates-training"
    ),
    _example("outputs of other data are kept", _KEPT.format(rows="test"), Verdict.UNDECIDED, "none-seen"),
    _example(
        "evaluated with the files of the training",
        _FILES.format(part="train"),
        Verdict.UNDECIDED,
        "reads-training",
    ),
    _example(
        "the best accuracy is never set",
        _BEST.format(start="0.0", now="accuracy()", better="now > best").replace("        best = now\n", ""),
        Verdict.PROBLEM,
        "best-not-updated",
    ),
    _example(
        "an accuracy that is enough",
        _BEST.format(start="0.9", now="accuracy()", better="now > best").replace("        best = now\n", ""),
        Verdict.OK,
        "judged",
    ),
    *(
        _example(
            f"the best of {now}, from {start}, if {better}",
            _BEST.format(start=start, now=now, better=better),
            Verdict.PROBLEM if code else Verdict.OK,
            code or "judged",
        )
        for start, now, better, code in (
            ("0.0", "accuracy()", "now > best", ""),
            ("0.0", "accuracy()", "best < now", ""),
            ("0.0", "accuracy()", "now < best", "never-better"),
            ("1.0", "1 - accuracy()", "now < best", ""),
            ("1.0", "accuracy()", "now < best", "smallest-kept"),
            ("0.0", "1 - accuracy()", "now >= best and epoch > 1", "largest-kept"),
            ("float('inf')", "mean_loss()", "now < best", ""),
            ("0", "mean_loss()", "now > best", "largest-kept"),
            ("-np.inf", "-mean_loss()", "now > best", ""),
            ("1e9", "error()", "best > now", ""),
            ("0.0", "error()", "best <= now", "largest-kept"),
            ("float('inf')", "error()", "now > best", "never-better"),
            ("0.0", "model.eval(test)['accuracy']", "now > best", ""),
            ("9", "model.eval(test)['accuracy']", "now < best", "smallest-kept"),
            ("0.0", "float(loss)", "now > best", "largest-kept"),
        )
    ),
    *(
        _example(
            f"rows of a class of the project, evaluated with those of {part}",
            _OWN_ROWS.format(part=part),
            Verdict.UNDECIDED if code == "reads-training" else Verdict.OK,
            code,
        )
        for part, code in (("train.csv", "reads-training"), ("test.csv", "judged"))
    ),
    _example("evaluated with other files", _FILES.format(part="test"), Verdict.OK, "judged"),
    _example(
        "the last samples are dropped",
        "model.train(5, train)\nmodel.eval(ds.NumpySlicesDataset(x[800:]).batch(32, drop_remainder=True))\n",
        Verdict.UNDECIDED,
        "rest-dropped",
    ),
    _example(
        "whole slices, all samples",
        _SLICES.format(trained=_TRAINED, turns="len(xs) // size", rows="len(xs)"),
        Verdict.PROBLEM,
        "fewer-than-divided-by",
    ),
    _example(
        "whole slices",
        _SLICES.format(trained=_TRAINED, turns="len(xs) // size", rows="rows"),
        Verdict.UNDECIDED,
        "rest-of-slices",
    ),
    _example(
        "a last, smaller slice",
        _SLICES.format(trained=_TRAINED, turns="-(-len(xs) // size)", rows="len(xs)"),
        Verdict.OK,
        "judged",
    ),
    _example(
        "padding counts", _MASKED.format(hits="int(right.sum())", count="b.size"), Verdict.PROBLEM, "masked-counted"
    ),
    _example(
        "padding does not count",
        _MASKED.format(hits="int((right * mask).sum())", count="mask.sum()"),
        Verdict.OK,
        "judged",
    ),
    _example("the largest of the scores", _SCORES.format(trained=_TRAINED, guess=_PLACES), Verdict.OK, "judged"),
    _example(
        "scores for places",
        _SCORES.format(trained=_TRAINED, guess=_PLACES.replace("[1]", "[0]")),
        Verdict.PROBLEM,
        "scores-as-places",
    ),
    _example(
        "scores that a mask rules out",
        _POINTER.format(scores="net(a)"),
        Verdict.PROBLEM,
        "ruled-out-guessed",
    ),
    _example(
        "scores that a mask rules out in the evaluation, too",
        _POINTER.format(scores="net(a).masked_fill(mask == 0, -1e9)"),
        Verdict.OK,
        "judged",
    ),
    _example(
        "shares over the samples",
        _SCORES.format(trained=_TRAINED, guess="right = ops.softmax(scores, 0).argmax(1) == b"),
        Verdict.PROBLEM,
        "shares-of-samples",
    ),
    _example(
        "shares over the classes",
        _SCORES.format(trained=_TRAINED, guess="right = ops.softmax(scores, 1).argmax(1) == b"),
        Verdict.OK,
        "judged",
    ),
    _example(
        "average precision from the lowest score",
        _RANKED.format(trained=_TRAINED, key="np.concatenate(scores)"),
        Verdict.PROBLEM,
        "smallest-first",
    ),
    _example(
        "average precision",
        _RANKED.format(trained=_TRAINED, key="-np.concatenate(scores)"),
        Verdict.UNDECIDED,
        "none-seen",
    ),
    _example("the other class", _TWO.format(column=0), Verdict.PROBLEM, "other-column"),
    _example("outputs of each sample", _EXACT.format(trained=_TRAINED, axis=1), Verdict.OK, "judged"),
    _example("all samples of an output", _EXACT.format(trained=_TRAINED, axis=0), Verdict.PROBLEM, "all-samples"),
    _example("counts of another function", _HANDED.format(trained=_TRAINED, by="count"), Verdict.OK, "judged"),
    _example(
        "counts of another function divided by batches",
        _HANDED.format(trained=_TRAINED, by="test.get_dataset_size()"),
        Verdict.PROBLEM,
        "hits-by-batches",
    ),
    _example("an object that begins anew", _OBJECT.format(first="self.right = self.count = 0"), Verdict.OK, "judged"),
    _example("an object that counts on", _OBJECT.format(first="net.set_train(False)"), Verdict.PROBLEM, "counts-on"),
    _example("nothing is evaluated", "model.train(5, train)\n", Verdict.UNDECIDED, "none-seen"),
]
