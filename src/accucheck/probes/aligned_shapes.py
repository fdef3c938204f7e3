"""Reads from the training scripts the widths of layers, batch sizes and lengths that tokens are padded to, and which of them are no
multiples of 16 where training runs on Ascend.

Judges what the design chooses: features that one layer gives and another takes, batches and lengths of more than 16. What the data decide
(channels of an image, number of classes) is left alone, and so is what is not to be seen. Never imports or runs the scripts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Plain, Progress, Sure, Table, Verdict, Where
from ..probe import Example, script_example
from . import _gaps, _speed, _training

if TYPE_CHECKING:
    from ..script.pipelines import Pipeline
    from ..script.speed import Layer, Size

KIND = Kind.STATIC
NEEDS: tuple[str | tuple[str, ...], ...] = ("scripts.train",)


class Params(msgspec.Struct, frozen=True):
    multiple: Annotated[
        int,
        Meta(
            gt=1,
            description="widths, batch sizes and lengths should be multiples of this; batches and lengths below it are not judged",
            extra={"unit": "1", "source": "MindSpore's guide to performance tuning: AI cores compute in blocks of 16"},
        ),
    ] = 16


MESSAGES: Words = {
    **_gaps.MESSAGES,
    "unaligned": {
        "en": "{count:,} of {layers:,} layers have a number of output features that is not a multiple of {multiple}; the first has "
        "{width}.",
        "zh": "{layers:,} 个层中有 {count:,} 个的输出特征数不是 {multiple} 的倍数，其中第一个为 {width}。",
    },
    "aligned": {
        "en": "All widths that layers hand on are multiples of {multiple} ({layers:,} layers).",
        "zh": "层与层之间的特征数都是 {multiple} 的倍数（共 {layers:,} 个层）。",
    },
    "odd-batch": {
        "en": "The batch size of {size:,} is not a multiple of {multiple}.",
        "zh": "batch 大小 {size:,} 不是 {multiple} 的倍数。",
    },
    "odd-length": {
        "en": "Tokens are padded to a length of {size:,}, which is not a multiple of {multiple}.",
        "zh": "序列补齐到 {size:,}，不是 {multiple} 的倍数。",
    },
    "other-device": {
        "en": "Training does not run on Ascend; shapes need no alignment elsewhere.",
        "zh": "训练不在 Ascend 上进行，此项不适用。",
    },
    "no-widths": {"en": "No layer width was found.", "zh": "看不出各层的特征数。"},
    "device-unknown": _speed.MESSAGES["device-unknown"],
    "fix-width": {
        "en": "If accuracy allows a different width, use the next multiple of {multiple}.",
        "zh": "若不影响精度，可改为 {multiple} 的整数倍。",
    },
    "fix-size": {
        "en": "Use the next multiple of {multiple} if memory and accuracy allow it; a larger batch may need a different learning rate.",
        "zh": "在显存和精度允许时，取下一个 {multiple} 的整数倍；batch 变大后学习率可能要随之调整。",
    },
}
WORDS: Words = {
    "layers": {"en": "Layers whose width is not such a multiple", "zh": "特征数未对齐的层"},
    "layer": {"en": "layer", "zh": "层"},
    "before": {"en": "takes", "zh": "输入"},
    "after": {"en": "gives", "zh": "输出"},
    "place": {"en": "place", "zh": "位置"},
}
_BLOCKS = {
    "en": "Ascend computes matrices in blocks of 16: the rest of a block is padded and still computed. It costs time, not accuracy.",
    "zh": "Ascend 以 16 为单位分块做矩阵计算，不足的部分补零后照样计算。影响的是速度，不影响精度。",
}
_PROFILED = {
    "en": "Profile some steps with the sizes rounded up: compare the time of the operators concerned.",
    "zh": "把这些维度向上取整后采集若干步，比较相关算子的耗时。",
}
_CODES = ("unaligned", "odd-batch", "odd-length")
WHY: Words = dict.fromkeys(_CODES, _BLOCKS)
PROOF: Words = dict.fromkeys(_CODES, _PROFILED)


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..script import pipelines
    from ..script.analysis import read_scripts
    from ..script.execution import device
    from ..script.speed import layers, unaligned
    from ..script.training_steps import training

    scripts = read_scripts(case)
    yield from _gaps.findings(scripts)
    data = {id(found.reading): found.found for found in pipelines.of_scripts(scripts)}
    for reading in scripts.training:
        seen = training(reading)
        where = Where(path=reading.source.path, line=1)
        here = _speed.device(case) or device(seen).value
        found = [layer for layer in layers(seen) if layer.after is not None]
        odd = unaligned(found, params.multiple)
        uneven = _uneven(data.get(id(reading), ()), params.multiple)
        if here and here != "ascend":
            yield Finding("other-device", Level.INFO, where)
            continue
        if not here and (odd or uneven):
            yield Finding("device-unknown", Level.INFO, where, incomplete=True)
            continue
        if not found:
            yield Finding("no-widths", Level.INFO, where, incomplete=True)
        elif not odd:
            yield Finding("aligned", Level.INFO, where, {"multiple": params.multiple, "layers": len(found)})
        else:
            yield _unaligned(odd, len(found), params.multiple)
        for one in uneven:
            place, code = Where(path=one.made.source.path, line=one.made.line), one.made.source.code(one.made.line)
            about = {"size": one.size, "multiple": params.multiple}
            fix = Fix("fix-size")
            yield Finding(f"odd-{one.what}", Level.SUSPECT, place, about, [code], fix, sure=Sure.POSSIBLE)


def _uneven(data: Iterable[Pipeline], multiple: int) -> list[Size]:
    """The sizes of training data that are above a multiple and not divisible by it, each place once."""
    from ..script.speed import sizes

    found = (one for pipeline in data if pipeline.role == "train" for one in sizes(pipeline))
    odd = [one for one in found if one.size > multiple and one.size % multiple]
    return list({(one.what, one.made.source.path, one.made.line): one for one in odd}.values())


def _unaligned(odd: list[Layer], layers: int, multiple: int) -> Finding:
    rows: list[list[Plain]] = [
        [one.made.last, one.before, one.after, f"{one.made.source.path}:{one.made.line}"] for one in odd[:200]
    ]
    table = Table("layers", ["layer", "before", "after", "place"], rows, total=len(odd))
    first = odd[0]
    data = {"count": len(odd), "layers": layers, "multiple": multiple, "width": first.after}
    place = Where(path=first.made.source.path, line=first.made.line)
    code = first.made.source.code(first.made.line, first.made.line)
    return Finding("unaligned", Level.SUSPECT, place, data, [table, code], Fix("fix-width"), sure=Sure.POSSIBLE)


def suggest(findings: Iterable[Finding]) -> Verdict:
    return _training.suggested(findings, {"other-device"})


_SCRIPT = """
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn

{device}
net = nn.SequentialCell(nn.Conv2d(3, {width}, 3), nn.ReLU(), nn.Conv2d({width}, 64, 3), nn.Flatten(), nn.Dense(64, 10))
model = ms.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params()))
train_set = ds.MindDataset("train.mindrecord"){batched}
model.train(10, train_set)
"""


def _example(
    name: str, verdict: Verdict, *codes: str, width: int = 32, device: str = "Ascend", batched: str = ".batch(64)"
) -> Example:
    context = f'ms.set_device("{device}")' if device else ""
    return script_example("", name, _SCRIPT.format(width=width, device=context, batched=batched), verdict, *codes)


_PADDED = '.map(ds.transforms.PadEnd([{length}], 0), "input_ids").batch(64)'
_PAD_INFO = '.padded_batch(32, pad_info={{"input_ids": ([{length}], 0), "gt_box": ([50], 0)}})'
EXAMPLES = [
    _example("multiples of 16", Verdict.OK, "aligned"),
    _example("a width of 30", Verdict.UNDECIDED, "unaligned", width=30),
    _example("a batch of 100", Verdict.UNDECIDED, "odd-batch", batched=".batch(100)"),
    _example("a batch of 8, as memory allows", Verdict.OK, "aligned", batched=".batch(8)"),
    _example("tokens of length 100", Verdict.UNDECIDED, "odd-length", batched=_PADDED.format(length=100)),
    _example("tokens of length 128", Verdict.OK, "aligned", batched=_PADDED.format(length=128)),
    _example("a padded batch of length 100", Verdict.UNDECIDED, "odd-length", batched=_PAD_INFO.format(length=100)),
    _example("a padded batch of length 128", Verdict.OK, "aligned", batched=_PAD_INFO.format(length=128)),
    _example("on a GPU", Verdict.NOT_APPLICABLE, "other-device", width=30, device="GPU"),
    _example("no device is named", Verdict.UNDECIDED, "device-unknown", width=30, device=""),
]
