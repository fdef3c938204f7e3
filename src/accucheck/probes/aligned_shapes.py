"""Reads from the training scripts the widths of layers, and which of them are no multiples of 16 where training runs on Ascend.

Judges what the design chooses: features that one layer gives and another takes. What the data decide (channels of an image, number of
classes) is left alone, and so are widths that are not to be seen. Never imports or runs the scripts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Plain, Progress, Sure, Table, Verdict, Where
from ..probe import Example, script_example
from . import _gaps, _speed, _training

KIND = Kind.STATIC
NEEDS: tuple[str | tuple[str, ...], ...] = ("scripts.train",)


class Params(msgspec.Struct, frozen=True):
    multiple: Annotated[
        int,
        Meta(
            gt=1,
            description="widths should be multiples of this",
            extra={"unit": "1", "source": "MindSpore's guide to performance tuning: AI cores compute in blocks of 16"},
        ),
    ] = 16


MESSAGES: Words = {
    **_gaps.MESSAGES,
    "unaligned": {
        "en": "{count:,} of {layers:,} layers give a number of features that is no multiple of {multiple}; the first gives {width}.",
        "zh": "{layers:,} 个层中有 {count:,} 个的输出特征数不是 {multiple} 的倍数，其中第一个为 {width}。",
    },
    "aligned": {
        "en": "All widths that layers hand on are multiples of {multiple} ({layers:,} layers).",
        "zh": "层与层之间的特征数都是 {multiple} 的倍数（共 {layers:,} 个层）。",
    },
    "other-device": {
        "en": "Training does not run on Ascend, where this is not at stake.",
        "zh": "训练不在 Ascend 上进行，不涉及此项。",
    },
    "no-widths": {"en": "No width of a layer is to be seen.", "zh": "看不出各层的特征数。"},
    "device-unknown": _speed.MESSAGES["device-unknown"],
    "fix-width": {
        "en": "Where accuracy allows another width, take the next multiple of {multiple}.",
        "zh": "若不影响精度，可改为 {multiple} 的整数倍。",
    },
}
WORDS: Words = {
    "layers": {"en": "Layers whose width is no such multiple", "zh": "特征数未对齐的层"},
    "layer": {"en": "layer", "zh": "层"},
    "before": {"en": "takes", "zh": "输入"},
    "after": {"en": "gives", "zh": "输出"},
    "place": {"en": "place", "zh": "位置"},
}
WHY: Words = {
    "unaligned": {
        "en": "Ascend computes matrices in blocks of 16: the rest of a block is padded and computed all the same. "
        "It costs time, not accuracy.",
        "zh": "Ascend 以 16 为单位分块做矩阵计算，不足的部分补零后照样计算。影响的是速度，不影响精度。",
    }
}
PROOF: Words = {
    "unaligned": {
        "en": "Profile some steps with the widths rounded up: compare the time of the operators concerned.",
        "zh": "把特征数向上取整后采集若干步，比较相关算子的耗时。",
    }
}


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..script.analysis import read_scripts
    from ..script.execution import device
    from ..script.speed import layers, unaligned
    from ..script.training_steps import training

    scripts = read_scripts(case)
    yield from _gaps.findings(scripts)
    for reading in scripts.training:
        seen = training(reading)
        where = Where(path=reading.source.path, line=1)
        here = _speed.device(case) or device(seen).value
        found = [layer for layer in layers(seen) if layer.after is not None]
        odd = unaligned(found, params.multiple)
        if here and here != "ascend":
            yield Finding("other-device", Level.INFO, where)
        elif not found:
            yield Finding("no-widths", Level.INFO, where, incomplete=True)
        elif not odd:
            yield Finding("aligned", Level.INFO, where, {"multiple": params.multiple, "layers": len(found)})
        elif not here:
            yield Finding("device-unknown", Level.INFO, where, incomplete=True)
        else:
            rows: list[list[Plain]] = [
                [one.made.last, one.before, one.after, f"{one.made.source.path}:{one.made.line}"] for one in odd[:200]
            ]
            table = Table("layers", ["layer", "before", "after", "place"], rows, total=len(odd))
            first = odd[0]
            data = {"count": len(odd), "layers": len(found), "multiple": params.multiple, "width": first.after}
            place = Where(path=first.made.source.path, line=first.made.line)
            code = first.made.source.code(first.made.line, first.made.line)
            yield Finding("unaligned", Level.SUSPECT, place, data, [table, code], Fix("fix-width"), sure=Sure.POSSIBLE)


def suggest(findings: Iterable[Finding]) -> Verdict:
    return _training.suggested(findings, {"other-device"})


_SCRIPT = """
import mindspore as ms
from mindspore import nn

{device}
net = nn.SequentialCell(nn.Conv2d(3, {width}, 3), nn.ReLU(), nn.Conv2d({width}, 64, 3), nn.Flatten(), nn.Dense(64, 10))
model = ms.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params()))
"""


def _example(name: str, verdict: Verdict, *codes: str, width: int = 30, device: str = "Ascend") -> Example:
    script = _SCRIPT.format(width=width, device=f'ms.set_device("{device}")' if device else "")
    return script_example("", name, script, verdict, *codes)


EXAMPLES = [
    _example("multiples of 16", Verdict.OK, "aligned", width=32),
    _example("a width of 30", Verdict.UNDECIDED, "unaligned"),
    _example("on a GPU", Verdict.NOT_APPLICABLE, "other-device", device="GPU"),
    _example("no device is named", Verdict.UNDECIDED, "device-unknown", device=""),
]
