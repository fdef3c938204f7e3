"""Runs the trained network on the same training batches in training mode and in inference mode: losses and predicted classes.

Catches: inference that gives away what training gained, and the kind of layer that does it (BatchNorm, Dropout, a branch of the
project's own); dropout that drops most; results that are random in inference mode; moving statistics that the checkpoint lacks; and a
difference where no layer looks at the mode. Training mode being worse is what dropout is for, and is only told. A network as it is
built has no moving statistics yet, and is not judged by them: checkpoints.current has to hold a trained one, of MindSpore's formats.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Plain, Progress, Table, Verdict, Where
from ..probe import Example
from . import _live
from ._checkpoints import STATISTICS, shown

KIND = Kind.LIVE
NEEDS = _live.needs("network", "pipelines.train")
USES = ("checkpoints.current",)


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    difference: Annotated[
        float,
        Meta(
            gt=0,
            description="a loss in inference mode that is higher by more than this share is suspect",
            extra={"unit": "1", "source": "TheDeepChecker, TOSEM 2022: 50 %"},
        ),
    ] = 0.5
    agreement: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="so is a smaller share of equal predicted classes, where the loss is higher too",
            extra={"unit": "1", "source": "TheDeepChecker, TOSEM 2022: 0.75"},
        ),
    ] = 0.75
    lost: Annotated[
        float,
        Meta(
            gt=0,
            description="the same is a problem where inference mode gives away more than this share of what training gained, "
            "from the loss as built to the loss in training mode",
            extra={"unit": "1", "source": "own choice: more is lost than is left"},
        ),
    ] = 0.5
    floor: Annotated[
        float,
        Meta(
            ge=0,
            lt=1,
            description="and is no difference at all below this share: losses close to 0 differ by multiples",
            extra={"unit": "1", "source": "own choice"},
        ),
    ] = 0.05
    drop: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="dropping more than this share is suspect where it raises the loss by more than `difference`",
            extra={"unit": "1", "source": "UMLAUT, CHI 2021: 0.5"},
        ),
    ] = 0.5
    batches: Annotated[
        int,
        Meta(ge=1, le=100, description="batches of training data", extra={"unit": "batches", "source": "own choice"}),
    ] = 4
    repeats: Annotated[
        int,
        Meta(
            ge=2,
            le=100,
            description="runs that are averaged where results are random",
            extra={"unit": "runs", "source": "own choice"},
        ),
    ] = 5
    seconds: Annotated[
        float,
        Meta(gt=0, description="time for all that", extra={"unit": "s", "source": "own choice"}),
    ] = 180.0


_LOSSES = (
    "The loss is {training:.4g} in training mode and {inference:.4g} in inference mode on the same batches and weights",
    "在相同的 batch 和权重上，训练模式的 loss 为 {training:.4g}，推理模式为 {inference:.4g}",
)
_CLASSES = {
    "en": "The loss is {training:.4g} in training mode and {inference:.4g} in inference mode, and only {agreement:.0%} of the predicted "
    "classes are the same (at least {least:.0%} expected). It comes from {cause}.",
    "zh": "训练模式的 loss 为 {training:.4g}，推理模式为 {inference:.4g}，且预测类别只有 {agreement:.0%} 相同（应不低于 {least:.0%}）。"
    "差别来自 {cause}。",
}
MESSAGES: Words = {
    "inference-lost": {
        "en": _LOSSES[0]
        + ": inference loses {lost:.0%} of what training gained since {built:.4g}. The cause is {cause}.",
        "zh": _LOSSES[1] + "：推理模式丢掉了训练成果（从 {built:.4g} 开始）的 {lost:.0%}。差别来自 {cause}。",
    },
    "inference-worse": {
        "en": _LOSSES[0] + ". It comes from {cause}.",
        "zh": _LOSSES[1] + "。差别来自 {cause}。",
    },
    "classes-differ": _CLASSES,
    "inference-not-finite": {
        "en": "The loss is {training:.4g} in training mode, and NaN or Inf in inference mode on the same batches and weights.",
        "zh": "在相同的 batch 和权重上，训练模式的 loss 为 {training:.4g}，推理模式为 NaN 或 Inf。",
    },
    "training-not-finite": {
        "en": "The loss is NaN or Inf in training mode with these weights, so the modes cannot be compared (mp.01).",
        "zh": "使用该权重时训练模式的 loss 即为 NaN 或 Inf，无法比较两种模式（见 mp.01）。",
    },
    "random-in-inference": {
        "en": "In inference mode the same batches yield a different result each time: something is random in every mode. A functional "
        "dropout needs training=self.training.",
        "zh": "推理模式下，同样的 batch 每次结果不同：某处随机性与模式无关。函数式 dropout 需要传入 training=self.training。",
    },
    "dropout-large": {
        "en": _LOSSES[0] + ". It comes from Dropout, which drops {rate:.0%}: is that the share to keep?",
        "zh": _LOSSES[1] + "。差别来自 Dropout，其丢弃率为 {rate:.0%}：是否误填成了保留率？",
    },
    "training-worse": {
        "en": _LOSSES[0] + ", as Dropout and its like have it ({cause}).",
        "zh": _LOSSES[1] + "，符合 Dropout 一类层的作用（{cause}）。",
    },
    "unexplained": {
        "en": "The outputs of both modes differ by {difference:.2g} of the largest one, although no layer depends on the mode: "
        "something else does, such as the network's own set_train().",
        "zh": "两种模式的输出相差最大输出的 {difference:.2g} 倍，但没有任何层读取模式：由其他代码造成，例如网络重写的 set_train()。",
    },
    "statistics-not-loaded": {
        "en": "The checkpoint {path} is missing {count:,} moving statistics of the network: {names}. In inference mode these layers use "
        "the values they were built with.",
        "zh": "checkpoint {path} 缺少网络的 {count:,} 个滑动统计量：{names}。推理时这些层使用的是初始值。",
    },
    "not-loaded": {
        "en": "The checkpoint {path} is missing {count:,} parameters of the network ({names}): it is not this project's trained network.",
        "zh": "checkpoint {path} 缺少网络的 {count:,} 个参数（{names}）：它不是该项目训练后的网络。",
    },
    "not-trained": {
        "en": "{cause} makes the modes differ, which means nothing before the network is trained. Name a trained checkpoint in "
        "checkpoints.current.",
        "zh": "两种模式的差别来自 {cause}，而未经训练的网络无从判断。请在 checkpoints.current 中给出训练后的权重。",
    },
    "inference-fails": {
        "en": "The loss does not accept the outputs of the network in inference mode, so the modes cannot be compared: {error}",
        "zh": "推理模式下网络的输出无法输入 loss，不能比较两种模式：{error}",
    },
    "same": {
        "en": "Both modes yield the same on {batches:,} batches; {layers:,} layers depend on the mode.",
        "zh": "两种模式在 {batches:,} 个 batch 上结果相同；随模式变化的层有 {layers:,} 个。",
    },
    "agree": {
        "en": _LOSSES[0] + " ({batches:,} batches).",
        "zh": _LOSSES[1] + "（{batches:,} 个 batch）。",
    },
    "partial": {
        "en": "Not every kind of layer could be switched separately within {seconds:g} s.",
        "zh": "{seconds:g} 秒内未能逐一切换每种层。",
    },
    "no-result": {
        "en": "The modes were not compared within {seconds:g} s.",
        "zh": "{seconds:g} 秒内没有完成两种模式的比较。",
    },
    "fix-statistics": {
        "en": "BatchNorm: momentum 0.9 (PyTorch's 0.1), larger batches or nn.SyncBatchNorm; run some batches in training mode at the end "
        "to refresh the statistics; load them with the weights.",
        "zh": "BatchNorm：momentum 取 0.9（相当于 PyTorch 的 0.1），加大 batch 或用 nn.SyncBatchNorm；训练结束后用若干 batch 刷新统计量，"
        "并随权重一起加载。",
    },
    "fix-dropout": {
        "en": "nn.Dropout(p=share to drop); the old first argument was the share to keep.",
        "zh": "nn.Dropout(p=丢弃率)；旧版本的第一个参数是保留率。",
    },
    "fix-branch": {
        "en": "Check what each branch of self.training in construct computes, and where random numbers are drawn.",
        "zh": "请检查 construct 中 self.training 各分支的计算，以及随机数在何处产生。",
    },
}
_USED_OTHERWISE = {
    "en": "Evaluation and inference use the network differently from training: accuracy is low although the training loss is good.",
    "zh": "评估和推理时网络的计算方式与训练时不同：训练 loss 正常，精度却偏低。",
}
_BY_BATCH = {
    "en": "Evaluate on training data under set_train(True) and set_train(False), and compare the moving statistics with those of a "
    "batch.",
    "zh": "在训练数据上分别用 set_train(True) 和 set_train(False) 评估，并把滑动统计量与一个 batch 的统计量对比打印。",
}
WHY: Words = {
    **dict.fromkeys(
        (
            *("inference-lost", "inference-worse", "classes-differ", "inference-not-finite", "statistics-not-loaded"),
            *("unexplained", "random-in-inference"),
        ),
        _USED_OTHERWISE,
    ),
    "dropout-large": {
        "en": "With most units dropped, hardly anything is learned in the available time.",
        "zh": "大部分单元被丢弃，规定的训练时间内几乎学不到内容。",
    },
}
PROOF: Words = {
    **dict.fromkeys(WHY, _BY_BATCH),
    "random-in-inference": {
        "en": "Call the network twice on one batch under set_train(False) and compare, layer by layer.",
        "zh": "在 set_train(False) 下对同一个 batch 调用网络两次，逐层比较。",
    },
    "dropout-large": {
        "en": "Train a few epochs with 1 - p instead of p, and compare the losses.",
        "zh": "把 p 换成 1 - p 训练若干 epoch，比较 loss。",
    },
}
WORDS: Words = {
    "modes": {"en": "Modes", "zh": "两种模式"},
    "mode": {"en": "Mode, or the only layers in training mode", "zh": "模式，或唯一处于训练模式的层"},
    "loss": {"en": "Loss", "zh": "loss"},
    "agreement": {"en": "Classes as in inference", "zh": "与推理相同的预测类别"},
    "layers": {"en": "Layers", "zh": "层数"},
    "first": {"en": "First of them", "zh": "首个"},
}

#: Outputs that differ by less are the same: relative, of float32 and of 16-bit floats.
_EXACT, _HALF = 1e-5, 2e-2
#: Classes count only where the loss is higher by this share: those of a dropout differ by chance.
_CLEARLY = 0.1


@_live.by_phase()
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    """Raises UserError when the checkpoint is not a file."""
    from ..live.child import events

    checkpoint = _live.checkpoint_of(case)
    request = {
        **_live.network_of(case, checkpoint),
        **{"batches": params.batches, "repeats": params.repeats, "seconds": params.seconds},
    }
    found: dict[str, Any] = {}
    for event in events(case, "modes", request, params.seconds):
        if event["event"] == "modes":
            found = event
    if found:
        yield from _judge(params, found, case.relative(checkpoint) if checkpoint else None)
    else:
        yield Finding("no-result", Level.INFO, data={"seconds": params.seconds}, incomplete=True)


def _judge(params: Params, found: dict[str, Any], path: str | None) -> Iterator[Finding]:
    where, missing = Where(path), found["missing"]
    statistics = [name for name in missing if STATISTICS.search(name)]
    if len(statistics) < len(missing):
        data: dict[str, Any] = {"path": path, "count": len(missing), "names": shown(missing)}
        yield Finding("not-loaded", Level.INFO, where, data, incomplete=True)
        return
    if statistics:
        data = {"path": path, "count": len(statistics), "names": shown(statistics)}
        yield Finding("statistics-not-loaded", Level.SUSPECT, where, data, fix=Fix("fix-statistics"))
    if "error" in found:
        yield Finding("inference-fails", Level.INFO, where, {"error": found["error"]}, incomplete=True)
        return
    table = _table(found)
    if found["lottery"]:
        yield Finding("random-in-inference", Level.SUSPECT, where, evidence=[table], fix=Fix("fix-branch"))
    if not found["whole"]:
        yield Finding("partial", Level.INFO, where, {"seconds": params.seconds}, incomplete=True)
    layers = sum(kind["count"] for kind in found["kinds"])
    exact = _HALF if "16" in found["dtype"] else _EXACT
    same = found["difference"] is not None and found["difference"] <= exact and not found["lottery"]
    if same and found["training"] is None:
        yield Finding("training-not-finite", Level.INFO, where, evidence=[table], incomplete=True)
    elif same:
        yield Finding("same", Level.INFO, where, {"batches": found["batches"], "layers": layers}, [table])
    elif not found["kinds"] and not found["lottery"]:
        difference = found["difference"] if found["difference"] is not None else math.inf
        data = {"difference": difference if math.isfinite(difference) else 1.0}
        yield Finding("unexplained", Level.SUSPECT, where, data, [table], Fix("fix-branch"))
    elif path is None:
        cause = shown(kind["kind"] for kind in found["kinds"]) or ["-"]
        yield Finding("not-trained", Level.INFO, where, {"cause": cause}, [table], incomplete=True)
    else:
        yield _compared(params, found, where, table)


def _compared(params: Params, found: dict[str, Any], where: Where, table: Table) -> Finding:
    """A trained network whose modes differ."""
    training, inference, built = found["training"], found["inference"], found["built"]
    if training is None:
        return Finding("training-not-finite", Level.INFO, where, evidence=[table], incomplete=True)
    if inference is None:
        data: dict[str, Any] = {"training": training}
        return Finding("inference-not-finite", Level.PROBLEM, where, data, [table], Fix("fix-statistics"))
    more = inference - training
    gained = built - training if built is not None and built > training else None
    lost = None if gained is None else more / gained
    cause = _cause(found)
    data = {"training": training, "inference": inference, "built": built, "lost": lost, "batches": found["batches"]}
    data |= {"agreement": found["agreement"], "least": params.agreement, "cause": cause["kind"] if cause else "-"}
    fix = Fix("fix-statistics" if data["cause"] == "BatchNorm" else "fix-branch")
    if more > 0 and (lost is None or lost > params.floor):
        relative = more / max(abs(training), 1e-30)
        if relative > params.difference:
            if lost is not None and lost > params.lost:
                return Finding("inference-lost", Level.PROBLEM, where, data, [table], fix)
            return Finding("inference-worse", Level.SUSPECT, where, data, [table], fix)
        apart = found["agreement"] is not None and found["agreement"] < params.agreement
        if apart and relative > _CLEARLY:
            return Finding("classes-differ", Level.SUSPECT, where, data, [table], fix)
    if -more > params.difference * max(abs(inference), 1e-30):
        rate = max(cause["rates"], default=0.0) if cause else 0.0
        if rate > params.drop and (gained is None or -more > params.floor * (gained - more)):
            return Finding("dropout-large", Level.SUSPECT, where, data | {"rate": rate}, [table], Fix("fix-dropout"))
        return Finding("training-worse", Level.INFO, where, data, [table])
    return Finding("agree", Level.INFO, where, data, [table])


def _cause(found: dict[str, Any]) -> dict[str, Any] | None:
    """The kind of layers that, alone in training mode, moves the loss most towards that of training mode."""
    towards = 1 if found["training"] > found["inference"] else -1
    moved = [kind for kind in found["kinds"] if kind["loss"] is not None]
    return max(moved, key=lambda kind: towards * (kind["loss"] - found["inference"]), default=None)


def _table(found: dict[str, Any]) -> Table:
    """A row for each mode, and one for each kind of layers that is switched alone."""
    layers = sum(kind["switched"] for kind in found["kinds"])
    rows: list[list[Plain]] = [
        ["set_train(True)", found["training"], found.get("agreement"), layers, None],
        ["set_train(False)", found["inference"], None, 0, None],
    ]
    for kind in found["kinds"]:
        rows.append([kind["kind"], kind["loss"], kind["agreement"], kind["switched"], kind["names"][0]])
    return Table("modes", ["mode", "loss", "agreement", "layers", "first"], rows[:200], len(rows))


_NET = """
import numpy as np
import mindspore as ms
import mindspore.dataset as ds
from mindspore import Tensor, nn, ops

class Net(nn.Cell):
    def __init__(self, norm=False, p=0.0):
        super().__init__()
        self.first = nn.Dense(8, 32)
        self.norm = nn.BatchNorm1d(32) if norm else nn.Identity()
        self.drop = nn.Dropout(p=p) if p else nn.Identity()
        self.last = nn.Dense(32, 3)

    def construct(self, x):
        return {output}

def data(offset=3):
    random = np.random.default_rng(0)
    x = offset + 2 * random.standard_normal((256, 8)).astype(np.float32)
    y = x[:, :3].argmax(axis=1).astype(np.int32)
    return ds.NumpySlicesDataset({"x": x, "label": y}, shuffle=False).batch(64)
"""
_OUTPUT = "self.last(self.drop(ops.relu(self.norm(self.first(x)))))"
#: Trains the network of net.py and saves it, in a process of its own.
_TRAIN = """
import sys
from net import *

ms.set_context(pynative_synchronize=True)
ms.set_seed(1)
net = Net(**{args})
net.set_train(True)
optimizer = nn.Adam(net.trainable_params(), 0.01)
loss = nn.CrossEntropyLoss()
step = ms.value_and_grad(lambda x, y: loss(net(x), y), None, net.trainable_params())
for _ in range(25):
    for x, y in data({offset}).create_tuple_iterator(num_epochs=1):
        optimizer(step(x, y)[1])
{spoil}
ms.save_checkpoint(net, sys.argv[1])
"""
_STALE = "for statistics, value in ((net.norm.moving_mean, 'zeros'), (net.norm.moving_variance, 'ones')):\n"
_STALE += "    ops.assign(statistics, getattr(ops, value)((32,), ms.float32))"


def _example(
    name: str,
    verdict: Verdict,
    *codes: str,
    output: str = _OUTPUT,
    spoil: str = "",
    trained: bool = True,
    offset: int = 3,
    trained_with: dict[str, Any] | None = None,
    **args: Any,
) -> Example:
    from collections.abc import Callable
    from pathlib import Path

    def train(path: Path) -> None:
        import subprocess
        import sys

        code = _TRAIN.format(args=args | (trained_with or {}), spoil=spoil, offset=offset)
        subprocess.run([sys.executable, "-B", "-c", code, str(path)], cwd=path.parent, check=True, capture_output=True)

    files: dict[str, str | bytes | Callable[[Path], None]] = {"net.py": _NET.replace("{output}", output)}
    case: dict[str, Any] = {
        "network": {"call": "net:Net", "args": args},
        "loss": {"call": "mindspore.nn:CrossEntropyLoss"},
        "pipelines": {"train": {"call": "net:data", "args": {"offset": offset}}},
    }
    if trained:
        files["net.ckpt"] = train
        case["checkpoints"] = {"current": "net.ckpt"}
    return Example(name, files=files, case=case, verdict=verdict, codes=codes)


EXAMPLES = [
    _example("BatchNorm and Dropout, trained", Verdict.OK, norm=True, p=0.2),
    _example("nothing that depends on the mode", Verdict.OK, "same", trained=False),
    _example("BatchNorm as built", Verdict.UNDECIDED, "not-trained", trained=False, norm=True),
    _example(
        *("moving statistics that did not follow", Verdict.PROBLEM, "inference-lost"),
        spoil=_STALE,
        offset=20,
        norm=True,
    ),
    _example(
        *("the share to keep given for the share to drop", Verdict.UNDECIDED, "dropout-large"),
        trained_with={"p": 0.1},
        p=0.9,
    ),
    _example(
        "a functional dropout that is always on",
        Verdict.UNDECIDED,
        "random-in-inference",
        output=_OUTPUT.replace("self.drop(", "ops.dropout(").replace("(x))))", "(x))), 0.3)"),
    ),
]
