"""Finds the first NaN or Inf of a training: in its curves, checkpoints, summary histograms and dumps.

Catches: a loss, gradient norm or learning rate that becomes NaN or Inf, with what came before it; weights that hold such values; in a
dump the operation with finite inputs and a NaN or Inf output, as the origin, told apart from those that only carry it on; and what the
device itself told as overflow. Overflows that a loss scale found, and whose steps it skipped, are not a fault by themselves. Cannot see
values that saturate at the largest number of their type instead of becoming Inf, nor steps that were not logged or dumped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..errors import ReadError
from ..language import Words
from ..model import Curve, Finding, Fix, Kind, Language, Level, Plain, Progress, Verdict, Where
from ..probe import Example, Skip
from ._checkpoints import ROLES, ckpt, drawn, given, shown, table

if TYPE_CHECKING:
    import numpy as np

    from ..readers.dumps import Dump, Tensor, Values
    from ..readers.events import Histogram
    from ..readers.runs import Column, Run
    from ..readers.tensors import TensorInfo
    from ._dump_origin import NonFiniteOperation, Step

    Array = np.ndarray[Any, Any]

KIND = Kind.FILE
_ROLES = ("initial", "previous", "current", "after_step")
NEEDS: tuple[str | tuple[str, ...], ...] = (
    ("curves.train", *(f"checkpoints.{role}" for role in _ROLES), "dumps.path", "graphs.path"),
)

#: Findings of one kind, and runs of a log, that a person reads.
_MANY, _RUNS, _POINTS = 20, 20, 400

_LOSS = re.compile(r"loss|损失", re.I)
_NORM = re.compile(r"grad\w*[ _.-]?norm|norm[ _.-]?grad|global_?norm|gnorm", re.I)
_RATE = re.compile(r"(cur(rent)?[ _]?)?(lr|learning[ _]?rate)\b", re.I)
_FLAG = re.compile(r"over_?flow|^cond$", re.I)
_SCALE = re.compile(r"scal(e|ing)", re.I)
_LOSS_SCALE = re.compile(r"(loss|grad)_?scal(e|ing)\w*|scal(e|ing)(_?sens)?", re.I)
#: A loss scale falls by half or more; what falls by less is a schedule.
_FALL = 1.5
_EVALUATED = re.compile(r"(^|[_ ./-])(eval|evaluation|val|valid|validation|test|dev)([_ ./-]|$)|^val", re.I)
#: Of the best value so far, which begins at Inf.
_BEST = re.compile(r"best|lowest|min_|_min\b|patience", re.I)


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    often: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="more than this share of steps that overflowed, those at the start aside, is a suspect",
            extra={
                "unit": "1",
                "source": "own choice; a dynamic loss scale of window 2000 overflows in 0.05 % of the steps",
            },
        ),
    ] = 0.05
    growth: Annotated[
        float,
        Meta(
            gt=1,
            description="a value this many times the median of those before it has exploded rather than broken at once",
            extra={"unit": "1", "source": "own choice"},
        ),
    ] = 10.0


_ORIGIN: dict[str, tuple[str, str]] = {
    "dump-origin": (
        "NaN or Inf begin at {name} ({type}, {direction}){at}: its inputs are finite ({inputs}), its output contains {bad}.",
        "{at}NaN/Inf 的源头是 {name}（{type}，{direction}）：输入均为有限值（{inputs}），输出含 {bad}。",
    ),
    "dump-alone": (
        "{name} is the first with NaN or Inf{at}: {bad}. What went into it was not dumped.",
        "{at}首个含 NaN/Inf 的是 {name}：{bad}。其输入未被 dump。",
    ),
    "dump-hidden": (
        "{name} ({type}, {direction}) produces {bad} from inputs that contain -Inf{at}: probably a row that is fully masked.",
        "{at}{name}（{type}，{direction}）由含 -Inf 的输入算出 {bad}：很可能某一行被 mask 全部屏蔽。",
    ),
    "dump-outside": (
        "{name} ({type}, {direction}) is the first with NaN or Inf{at}, and they come in: input {slots} holds {incoming}, "
        "made by nothing "
        "in this dump. It is data or a weight.",
        "{at}首个含 NaN/Inf 的是 {name}（{type}，{direction}），且来自输入：第 {slots} 个输入含 {incoming}，"
        "dump 中没有算子产生它，应是数据或权重。",
    ),
    "dump-update": (
        "The first NaN or Inf{at} are in what {name} ({type}) updates: {bad}. It was dumped after the update, so whether they were "
        "already in its inputs is not known.",
        "{at}NaN/Inf 首先出现在 {name}（{type}）更新的参数中：{bad}。数据是更新之后 dump 的，无法判断更新前是否已有。",
    ),
    "dump-weight": ("The weight {name} holds {bad} after the update{at}.", "{at}更新之后，权重 {name} 含 {bad}。"),
}

MESSAGES: Words = {
    "curve-broken": {
        "en": "{column} becomes {value} at {unit} {step} and does not recover; the value before: {before}. Not finite: {bad:,} "
        "of {count:,} values.",
        "zh": "{column} 在第 {step} 个 {unit} 变为 {value} 且未恢复，前一个值：{before}。{count:,} 个值中有 {bad:,} 个不是有限值。",
    },
    "curve-exploded": {
        "en": "{column} explodes: {before} just before {unit} {step}, {ratio:,.0f} times the median of the values before, "
        "then {value}. Not "
        "finite: {bad:,} of {count:,} values.",
        "zh": "{column} 发散：第 {step} 个 {unit} 之前已达 {before}，为此前中位数的 {ratio:,.0f} 倍，随后变为 {value}。"
        "{count:,} 个值中有 {bad:,} 个不是有限值。",
    },
    "curve-gaps": {
        "en": "{column} is not finite in {bad:,} of {count:,} values, first {value} at {unit} {step}, and recovers.",
        "zh": "{column} 的 {count:,} 个值中有 {bad:,} 个不是有限值，首次为第 {step} 个 {unit} 的 {value}，之后恢复。",
    },
    "gaps-explained": {
        "en": "{column} is not finite in {bad:,} of {count:,} values, first at {unit} {step}, as steps that a loss scale skips are.",
        "zh": "{column} 的 {count:,} 个值中有 {bad:,} 个不是有限值，首次在第 {step} 个 {unit}，符合 loss scale 跳过该 step 的表现。",
    },
    "evaluation-gaps": {
        "en": "{column} is not finite in {bad:,} of {count:,} values and recovers: probably steps without an evaluation.",
        "zh": "{column} 的 {count:,} 个值中有 {bad:,} 个不是有限值，之后恢复：很可能是这些 step 没有做评估。",
    },
    "earlier-run": {
        "en": "{column} of an earlier run in the same file is not finite in {bad:,} of {count:,} values, first at {unit} {step}.",
        "zh": "同一文件中较早一次训练的 {column}：{count:,} 个值中有 {bad:,} 个不是有限值，首次在第 {step} 个 {unit}。",
    },
    "other-columns": {
        "en": "Other columns that hold NaN or Inf: {names}. A metric without samples may be NaN.",
        "zh": "其他含 NaN 或 Inf 的列：{names}。没有样本的指标可能为 NaN。",
    },
    "overflows": {
        "en": "A loss scale met {count:,} {count:overflow|overflows} in {steps:,} {steps:step|steps} ({share:.2%}; at most "
        "{longest:,} in a row), the "
        "first at step {step}.",
        "zh": "loss scale 在 {steps:,} 个 step 中遇到 {count:,} 次溢出（{share:.2%}，最多连续 {longest:,} 次），首次在第 "
        "{step} 个 step。",
    },
    "overflows-often": {
        "en": "Steps overflow often: {count:,} of {steps:,} ({share:.2%}; at most {longest:,} in a row), the first at step "
        "{step}; those at "
        "the start aside, {later:.2%}.",
        "zh": "溢出频繁：{steps:,} 个 step 中有 {count:,} 次（{share:.2%}，最多连续 {longest:,} 次），首次在第 {step} 个 step；"
        "不计开头的连续溢出为 {later:.2%}。",
    },
    "no-loss": {
        "en": "{path} holds no loss and no gradient norm, so nothing is known of NaN there.",
        "zh": "{path} 中既没有 loss 也没有梯度范数，无法从中判断 NaN。",
    },
    "curve-clean": {
        "en": "{path}: all {count:,} values of {columns} are finite.",
        "zh": "{path}：{columns} 的 {count:,} 个值均为有限值。",
    },
    "weights-broken": {
        "en": "{tensors:,} of {count:,} tensors of the {role} checkpoint hold NaN or Inf, the first is {name} ({nan:,} "
        "NaN, {inf:,} Inf).",
        "zh": "{role} checkpoint 的 {count:,} 个张量中有 {tensors:,} 个含 NaN 或 Inf，首个为 {name}（{nan:,} 个 NaN，"
        "{inf:,} 个 Inf）。",
    },
    "weights-unread": {
        "en": "{count:,} {count:tensor|tensors} of the {role} checkpoint could not be examined (quantised, sparse or of an unknown "
        "type): {names}.",
        "zh": "{role} checkpoint 中有 {count:,} 个张量未能检查（量化、稀疏或类型未知）：{names}。",
    },
    "weights-clean": {
        "en": "{count:,} {count:tensor|tensors} of the {role} checkpoint: all finite.",
        "zh": "{role} checkpoint 的 {count:,} 个张量均为有限值。",
    },
    "histogram-broken": {
        "en": "The summary of {name} reports {nan:,} NaN and {inf:,} Inf at step {step}, the first of {tensors:,} such tensors.",
        "zh": "Summary 直方图显示 {name} 在第 {step} 个 step 有 {nan:,} 个 NaN、{inf:,} 个 Inf，这是 {tensors:,} "
        "个此类张量中的首个。",
    },
    "histograms-clean": {
        "en": "The {count:,} summary histograms of {tensors:,} tensors contain no NaN and no Inf.",
        "zh": "{tensors:,} 个张量的 {count:,} 个 Summary 直方图中没有 NaN 和 Inf。",
    },
    **{code: {"en": en, "zh": zh} for code, (en, zh) in _ORIGIN.items()},
    "dump-skipped": {
        "en": "What the loss scale multiplies overflowed{at}, first {name} ({type}: {bad}), and touched no weight; the "
        "step looks for overflow, "
        "as one with a loss scale does.",
        "zh": "{at}经 loss scale 放大的部分溢出，首个为 {name}（{type}：{bad}），但没有影响权重；"
        "该 step 含溢出检测，符合 loss scale 的工作方式。",
    },
    "all-skipped": {
        "en": "All {steps:,} dumped steps overflowed where the loss is scaled: nothing is learned while that lasts.",
        "zh": "dump 的 {steps:,} 个 step 全部在经 loss scale 放大的部分溢出：持续如此则无法学习。",
    },
    "carried": {
        "en": "{count:,} more {count:operation|operations} of the step {count:holds|hold} NaN or Inf after it. Later steps "
        "were not examined.",
        "zh": "该 step 中其后还有 {count:,} 个算子含 NaN 或 Inf。之后的 step 未检查。",
    },
    "carried-more": {
        "en": "{count:,} more {count:operation|operations} of the step {count:holds|hold} NaN or Inf after it. At {clean:,} of them it "
        "starts again: {clean:its|their} inputs are finite. Later steps were not examined.",
        "zh": "该 step 中其后还有 {count:,} 个算子含 NaN 或 Inf，其中 {clean:,} 个的输入为有限值：NaN/Inf 是在这些算子中另外产生的。"
        "之后的 step 未检查。",
    },
    "masks": {
        "en": "{count:,} {count:operation fills|operations fill} in -Inf before a softmax, as masks do, first {name}.",
        "zh": "有 {count:,} 个算子填入 -Inf 且后面有 softmax，符合 mask 的用法，首个为 {name}。",
    },
    "masks-alone": {
        "en": "{count:,} {count:operation outputs|operations output} -Inf and nothing else, first {name}, and no softmax is in the "
        "dump: a mask, or a logarithm of 0.",
        "zh": "有 {count:,} 个算子的输出只有 -Inf，首个为 {name}，而 dump 中没有 softmax：可能是 mask，也可能是对 0 取对数。",
    },
    "unwritten": {
        "en": "{count:,} further {count:output holds|outputs hold} NaN or Inf and {count:goes|go} nowhere, first of {name}: "
        "memory that the operation did not write.",
        "zh": "有 {count:,} 个附加输出含 NaN 或 Inf 但未被使用，首个属于 {name}：算子没有写入这块内存。",
    },
    "dump-clean": {
        "en": "No NaN or Inf begins in the dump {path}: {steps:,} {steps:step|steps}, {operations:,} operations, {tensors:,} tensors "
        "read (inputs "
        "only where an output is not finite), in the order of {order}.",
        "zh": "dump {path} 中没有出现 NaN 或 Inf：{steps:,} 个 step、{operations:,} 个算子，读取了 {tensors:,} 个张量"
        "（仅当输出异常时才读取输入）。算子顺序依据{order}。",
    },
    "device-overflow": {
        "en": "The device reported {count:,} {count:overflow|overflows}; the earliest is in {name} (section {section}, status "
        "{status}, task {task}, stream {stream}). Occasional ones are normal with a dynamic loss scale.",
        "zh": "设备报告了 {count:,} 次溢出；按时间最早的是 {name}（{section}，status {status}，task {task}，stream {stream}）。"
        "使用动态 loss scale 时偶发溢出属正常。",
    },
    "device-quiet": {
        "en": "The overflow files of the device report none.",
        "zh": "设备的溢出文件中没有溢出记录。",
    },
    "more": {
        "en": "{count:,} more {count:column, rank or step is|columns, ranks or steps are} like that.",
        "zh": "另有 {count:,} 列、卡或 step 的情况类似。",
    },
    "unreadable": {"en": "This could not be examined. {problem}", "zh": "此项未能检查。{problem}"},
    "more-unreadable": {
        "en": "{count:,} more {count:file|files} could not be examined.",
        "zh": "还有 {count:,} 个文件未能检查。",
    },
    "nothing": {
        "en": "{path} holds no histograms. Give the log of the training in curves.train, or a dump in dumps.path.",
        "zh": "{path} 中没有直方图。请在 curves.train 中给出训练日志，或在 dumps.path 中给出 dump。",
    },
    "find-origin": {
        "en": "Dump the last finite step and the one after it (MINDSPORE_DUMP_CONFIG, see the guide) and set dumps.path to the folder: "
        "accucheck then names the operation where it begins.",
        "zh": "请用 MINDSPORE_DUMP_CONFIG dump 最后一个正常 step 及其后一个 step（见用户指南），并填入 dumps.path，"
        "即可定位源头算子。",
    },
    "mend-origin": {
        "en": "Check its inputs: a logarithm of or division by 0, an exponential of a large number, a square root whose gradient at 0 "
        "is infinite. Add an epsilon or clamp there; if it runs in float16, compute it in float32 (to_float).",
        "zh": "检查其输入：是否对 0 取对数、除以 0、对大数取指数，或对 0 开方（梯度为无穷）。请加 epsilon 或截断；若为 "
        "float16，改用 float32 计算（to_float）。",
    },
    "slow-down": {
        "en": "Lower the learning rate or add a warm-up, clip the gradients (after unscaling), and check that inputs are normalised.",
        "zh": "请减小学习率或增加 warm-up，对梯度做裁剪（在除以 loss scale 之后），并确认输入已归一化。",
    },
}  # fmt: skip

_WHY_CURVE = {
    "en": "NaN in the loss becomes NaN in every gradient and, with the next update, in every weight: nothing is learned from then on.",
    "zh": "loss 为 NaN 时所有梯度都为 NaN，更新后所有权重也变为 NaN，此后学不到任何东西。",
}
_WHY_WEIGHT = {
    "en": "A weight that is NaN makes every output that depends on it NaN, and stays so.",
    "zh": "权重一旦为 NaN，依赖它的输出全部为 NaN，且无法恢复。",
}
_WHY_CARRIED = {
    "en": "All that is computed from it is NaN or Inf as well, up to the loss and the weights.",
    "zh": "由它计算出的结果都会变成 NaN 或 Inf，直至 loss 和权重。",
}
WHY: Words = {
    "curve-broken": _WHY_CURVE,
    "curve-exploded": _WHY_CURVE,
    "curve-gaps": {
        "en": "Such a step teaches nothing at best; unless its update is dropped, it destroys the weights.",
        "zh": "这样的 step 至多是白费；若更新没有被丢弃，权重会被破坏。",
    },
    "overflows-often": {
        "en": "Each of these steps is skipped: training sees less data than it seems, especially when gradients are large.",
        "zh": "这些 step 都会被跳过：实际训练的数据比看上去少，尤其在梯度较大时。",
    },
    "weights-broken": _WHY_WEIGHT,
    "histogram-broken": _WHY_WEIGHT,
    "dump-update": _WHY_WEIGHT,
    "dump-weight": _WHY_WEIGHT,
    "dump-origin": _WHY_CARRIED,
    "dump-alone": _WHY_CARRIED,
    "dump-outside": _WHY_CARRIED,
    "dump-hidden": {
        "en": "Where all scores of a row are hidden, softmax divides 0 by 0.",
        "zh": "一行分数全部被屏蔽时，softmax 会出现 0 除以 0。",
    },
    "masks-alone": {
        "en": "A mask is right; a logarithm of 0 makes the loss infinite.",
        "zh": "若是 mask 则无问题；若是对 0 取对数，loss 会变为无穷。",
    },
    "all-skipped": {
        "en": "A step that overflows updates nothing; a dynamic scale should have come down after a few.",
        "zh": "溢出的 step 不更新权重；动态 loss scale 应在几步之内降下来。",
    },
    "device-overflow": {
        "en": "Where values saturate instead of becoming Inf, this is the only sign of an overflow.",
        "zh": "在溢出饱和（不产生 Inf）的设备上，这是溢出的唯一迹象。",
    },
}
_PROOF_CURVE = {
    "en": "Dump the last finite step and the next, and find the first operation with finite inputs and a NaN or Inf output.",
    "zh": "dump 最后一个正常 step 及其后一个 step，找到第一个输入正常而输出为 NaN 或 Inf 的算子。",
}
_PROOF_WEIGHT = {
    "en": "Examine the checkpoint before this one: when it is finite, the steps between them broke it; dump those.",
    "zh": "检查前一个 checkpoint：若其为有限值，则问题出在两者之间，请 dump 这些 step。",
}
_PROOF_ALONE = {
    "en": "Load the dumped inputs of {name} with numpy and compute it alone; or compute it in float32 and see the loss stay finite.",
    "zh": "用 numpy 载入 {name} 的输入单独计算；或改为 float32 后确认 loss 不再出现 NaN。",
}
PROOF: Words = {
    "curve-broken": _PROOF_CURVE,
    "curve-exploded": _PROOF_CURVE,
    "curve-gaps": _PROOF_CURVE,
    "overflows-often": {
        "en": "Lower the loss scale to 1: when steps still overflow, the forward pass does.",
        "zh": "把 loss scale 降为 1：若仍溢出，则是正向计算本身溢出。",
    },
    "weights-broken": _PROOF_WEIGHT,
    "histogram-broken": _PROOF_WEIGHT,
    "dump-update": _PROOF_WEIGHT,
    "dump-weight": _PROOF_WEIGHT,
    "dump-origin": _PROOF_ALONE,
    "dump-alone": _PROOF_ALONE,
    "dump-hidden": _PROOF_ALONE,
    "masks-alone": _PROOF_ALONE,
    "all-skipped": {
        "en": "Look at loss scale and overflow flag over the whole training (mp.02).",
        "zh": "查看整个训练过程的 loss scale 与溢出标志（mp.02）。",
    },
    "dump-outside": {
        "en": "Look for NaN in the batch of this step, and in the checkpoint before it.",
        "zh": "检查该 step 的输入数据以及之前的 checkpoint 是否含 NaN。",
    },
    "device-overflow": {
        "en": "Look into the tensors of {name} that were dumped beside it, for values at the limit of their type.",
        "zh": "查看同目录下 {name} 的 dump 数据，是否有达到类型上限的数值。",
    },
}

WORDS: Words = {
    "curve": {"en": "The first NaN or Inf", "zh": "首个 NaN/Inf"},
    "value": {"en": "value", "zh": "取值"},
    "first-bad": {"en": "first NaN or Inf", "zh": "首个 NaN/Inf"},
    "step": {"en": "step", "zh": "step"},
    "epoch": {"en": "epoch", "zh": "epoch"},
    "tensors": {"en": "Tensors with NaN or Inf", "zh": "含 NaN/Inf 的张量"},
    "histograms": {"en": "Tensors with NaN or Inf", "zh": "含 NaN/Inf 的张量"},
    "around": {"en": "What goes in and out", "zh": "输入与输出"},
    "operations": {"en": "Operations that hold NaN or Inf, in order", "zh": "含 NaN/Inf 的算子（按顺序）"},
    "overflows": {"en": "Overflows reported by the device", "zh": "设备报告的溢出"},
    "name": {"en": "Name", "zh": "名称"},
    "type": {"en": "Type", "zh": "类型"},
    "file": {"en": "File", "zh": "文件"},
    "tensor": {"en": "Tensor", "zh": "张量"},
    "dtype": {"en": "Data type", "zh": "数据类型"},
    "shape": {"en": "Shape", "zh": "形状"},
    "min": {"en": "Min", "zh": "最小值"},
    "max": {"en": "Max", "zh": "最大值"},
    "count": {"en": "Numbers", "zh": "数值个数"},
    "nan": {"en": "NaN", "zh": "NaN"},
    "inf": {"en": "Inf", "zh": "Inf"},
    "bad": {"en": "Holds", "zh": "异常值"},
    "inputs": {"en": "Its inputs hold", "zh": "输入中的异常值"},
    "time": {"en": "Time stamp", "zh": "时间戳"},
    "status": {"en": "Status", "zh": "状态码"},
}

_DIRECTIONS: Words = {"forward": {"en": "forward", "zh": "正向"}, "backward": {"en": "backward", "zh": "反向"}}
_NOT_RECORDED = {"en": "not recorded", "zh": "（无）"}
_UNKNOWN = {"en": "an operation that was not dumped", "zh": "未被 dump 的算子"}
_ORDERS: Words = {
    "execution": {"en": "execution_order", "zh": " execution_order "},
    "time": {"en": "the time stamps", "zh": "时间戳"},
    "file": {"en": "the file", "zh": "文件中的先后"},
    "names": {"en": "the names, as there is no other", "zh": "文件名（没有其他依据）"},
}


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    """Raises ReadError when not one of the inputs can be read."""
    problems: list[ReadError] = []
    examined = False
    for source in (_curves, _checkpoints, _histograms, _dump):
        for event in source(case, params, problems):
            examined = examined or isinstance(event, Finding)
            yield event
    if not examined:
        if problems:
            raise problems[0]
        raise Skip("nothing", path=", ".join(case.relative(path) for path in case.paths("graphs.path")))
    for problem in problems[:_MANY]:
        words = {language.value: problem.text(language) for language in Language}
        where = Where(case.relative(problem.data.get("path", "")))
        yield Finding("unreadable", Level.INFO, where, {"problem": words}, incomplete=True)
    if len(problems) > _MANY:
        yield Finding("more-unreadable", Level.INFO, data={"count": len(problems) - _MANY}, incomplete=True)


# --- curves --------------------------------------------------------------------------------------------------------------------


def _curves(case: Case, params: Params, problems: list[ReadError]) -> Iterator[Finding]:
    from ..readers import curves

    for path in case.paths("curves.train"):
        try:
            found = curves.read(path)
        except ReadError as error:
            problems.append(error)
            continue
        problems += found.problems
        last = {run.source: run for run in found.runs}
        for run in found.runs[-_RUNS:]:
            yield from _run(case, params, run, last[run.source] is run)


def _run(case: Case, params: Params, run: Run, is_last: bool) -> Iterator[Finding]:
    import numpy as np

    place = case.relative(run.source)
    watched = {
        name: column
        for name, column in run.columns.items()
        if not (_SCALE.search(name) or _FLAG.search(name) or _BEST.search(name))
        and (_LOSS.search(name) or _NORM.search(name) or _RATE.match(name))
    }
    told = _overflow_steps(run)
    findings: list[Finding] = []
    for name, column in watched.items():
        good = np.isfinite(column.values)
        if not good.all():
            where = Where(place, name=run.name if "#" in run.name else None, field=name)
            findings.append(_broken(case, params, where, column, told, is_last))
    yield from findings[:_MANY]
    yield from _more([finding.level for finding in findings[_MANY:]])
    other = [
        name for name, column in run.columns.items()
        if name not in watched and not _BEST.search(name) and not np.isfinite(column.values).all()
    ]  # fmt: skip
    if other:
        yield Finding("other-columns", Level.INFO, Where(place), {"names": shown(other)})
    if told is not None:
        yield from _overflows(params, place, told, is_last)
    losses = [name for name in watched if not _RATE.match(name)]
    if not losses and told is None:
        yield Finding("no-loss", Level.INFO, Where(place), {"path": place}, incomplete=True)
    elif losses and not findings:
        count = sum(len(column.values) for column in watched.values())
        yield Finding(
            "curve-clean", Level.INFO, Where(place), {"path": place, "count": count, "columns": shown(watched)}
        )


def _more(left: list[Level]) -> Iterator[Finding]:
    """That findings were left out, as grave as the gravest of them."""
    if left:
        level = next(level for level in (Level.PROBLEM, Level.SUSPECT, Level.INFO) if level in left)
        yield Finding("more", level, data={"count": len(left)})


def _overflow_steps(run: Run) -> tuple[Array, Array] | None:
    """Steps, and whether each overflowed: by a flag that was logged, else by a loss scale that falls; None where neither is told."""
    import numpy as np

    for name, column in run.columns.items():
        if _FLAG.search(name) and np.isin(column.values, (0, 1)).all():
            return column.steps, column.values > 0
    for name, column in run.columns.items():
        if _LOSS_SCALE.fullmatch(name) and len(column.values) > 1 and np.isfinite(column.values).all():
            falls = column.values[1:] * _FALL <= column.values[:-1]
            return column.steps, np.insert(falls & (column.values[1:] > 0), 0, False)
    return None


def _stays(good: Array) -> int | None:
    """Where the values stop being finite for good; None where they recover.

    Also after gaps, when the rest is more than twice as long as the longest of those.
    """
    import numpy as np

    finite = np.flatnonzero(good)
    if not len(finite):
        return 0
    longest = int(np.diff(finite).max(initial=1)) - 1
    rest = len(good) - 1 - int(finite[-1])
    return int(finite[-1]) + 1 if rest > 2 * max(longest, int(finite[0])) else None


def _gaps(field: str, steps: Array, told: tuple[Array, Array] | None, few: bool) -> str:
    """What is to be said of a column in which only some values are not finite."""
    import numpy as np

    # A scale that falls was told with the step that overflowed, or with the next one.
    if told is not None and np.isin(steps, told[0][told[1] | np.append(told[1][1:], False)]).all():
        return "gaps-explained"
    if _EVALUATED.search(field):  # steps without an evaluation may be written as NaN
        return "evaluation-gaps"
    return "gaps-explained" if few and _NORM.search(field) else "curve-gaps"


def _broken(
    case: Case, params: Params, where: Where, column: Column, told: tuple[Array, Array] | None, is_last: bool
) -> Finding:
    """What is to be said of a column that is not finite everywhere."""
    import numpy as np

    good = np.isfinite(column.values)
    stays = _stays(good)
    first = int(np.argmin(good)) if stays is None else stays
    bad = int(len(good) - good.sum())
    unit, places = ("step", column.steps) if column.steps[first] >= 0 else ("epoch", column.epochs)
    before = np.abs(column.values[:first][good[:first]][-50:])
    data: dict[str, Any] = {
        "column": where.field, "unit": unit, "step": int(places[first]), "bad": bad, "count": len(good),
        "value": _spelt(column.values[first]), "before": f"{column.values[first - 1]:.6g}" if first else _NOT_RECORDED,
    }  # fmt: skip
    where = msgspec.structs.replace(where, step=int(places[first]))
    evidence = [_chart(str(where.field), unit, places, column.values, first)] if good.any() else []
    if not is_last:
        return Finding("earlier-run", Level.INFO, where, data, list(evidence))
    if stays is None:
        code = _gaps(str(where.field), column.steps[~good], told, bad <= max(1, params.often * len(good)))
        return Finding(code, Level.SUSPECT if code == "curve-gaps" else Level.INFO, where, data, list(evidence))
    usual = float(np.median(before[:-1])) if len(before) > 2 else 0.0
    data["ratio"] = float(before[-1]) / usual if usual else 0.0
    code = "curve-exploded" if data["ratio"] >= params.growth else "curve-broken"
    # A dump that is given names the origin itself.
    fix = Fix("slow-down") if code == "curve-exploded" else None if case.get("dumps.path") else Fix("find-origin")
    return Finding(code, Level.PROBLEM, where, data, list(evidence), fix)


def _spelt(value: float) -> str:
    return "NaN" if value != value else "Inf" if value > 0 else "-Inf"


def _chart(name: str, unit: str, places: Array, values: Array, first: int) -> Curve:
    """The curve with its first NaN or Inf marked: all of it in few points, and each one around that."""
    import numpy as np

    spread = np.linspace(0, len(values) - 1, _POINTS).astype(int)
    kept = np.unique(np.concatenate([spread, np.arange(max(0, first - 50), min(len(values), first + 50))]))
    points = [float(value) if np.isfinite(value) else None for value in values[kept]]
    return Curve(
        "curve", unit, "value", [float(x) for x in places[kept]], {name: points}, {"first-bad": float(places[first])}
    )


def _overflows(params: Params, place: str, told: tuple[Array, Array], is_last: bool) -> Iterator[Finding]:
    import numpy as np

    steps, flags = told
    if not flags.any():
        return
    ends = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(np.int8), [0]])))
    rows = ends[1::2] - ends[::2]
    # At the start a dynamic scale is halved until it fits.
    start = int(rows[0]) if ends[0] == 0 and rows[0] < len(flags) else 0
    later = float(flags[start:].mean())
    first = int(np.argmax(flags))
    data = {
        "count": int(flags.sum()), "steps": len(flags), "share": float(flags.mean()), "longest": int(rows.max()),
        "later": later, "step": int(steps[first]),
    }  # fmt: skip
    code, level = ("overflows-often", Level.SUSPECT) if later > params.often and is_last else ("overflows", Level.INFO)
    yield Finding(code, level, Where(place, step=int(steps[first])), data)


# --- checkpoints and histograms ------------------------------------------------------------------------------------------------


def _is_mask(info: TensorInfo) -> bool:
    """Whether a tensor is a mask that is added before a softmax: -Inf on purpose."""
    return info.name.lower().endswith("mask")


def _checkpoints(case: Case, params: Params, problems: list[ReadError]) -> Iterator[Finding | Progress]:
    from ..readers.checkpoints import open_checkpoint
    from ..readers.tensor_statistics import statistics

    for role, path in given(case, _ROLES):
        bad: list[list[Plain]] = []
        try:
            tensors = open_checkpoint(path).tensors
            readable = [info for info in tensors if not info.obstacle]
            for done, (info, found) in enumerate(statistics(readable), start=1):
                if found.nan or (found.inf and not _is_mask(info)):
                    bad.append([info.name, info.dtype, found.count, found.nan, found.inf])
                if done % 64 == 0:
                    yield Progress(done, len(readable), "tensors")
        except ReadError as error:
            problems.append(error)
            continue
        where, data = Where(case.relative(path)), {"role": ROLES[role], "count": len(readable)}
        if unread := [info.name for info in tensors if info.obstacle]:
            hidden = {"role": ROLES[role], "count": len(unread), "names": shown(unread)}
            yield Finding("weights-unread", Level.INFO, where, hidden, incomplete=True)
        if bad:
            yield _weights_broken(case, path, bad, data)
        elif readable or not unread:
            yield Finding("weights-clean", Level.INFO, where, data, incomplete=not readable)


def _weights_broken(case: Case, path: Path, bad: list[list[Plain]], data: dict[str, Any]) -> Finding:
    first = bad[0]
    data |= {"tensors": len(bad), "name": first[0], "nan": first[3], "inf": first[4]}
    evidence = [table("tensors", ["name", "dtype", "count", "nan", "inf"], bad)]
    where = Where(case.relative(path), name=str(first[0]))
    # A dump that is given names the origin itself.
    fix = None if case.get("dumps.path") else Fix("find-origin")
    return Finding("weights-broken", Level.PROBLEM, where, data, list(evidence), fix)


def _is_broken(histogram: Histogram) -> bool:
    return bool(histogram.nan or histogram.positive or histogram.negative)


def _histograms(case: Case, params: Params, problems: list[ReadError]) -> Iterator[Finding]:
    from ..readers import curves, events

    for place in dict.fromkeys(path for key in ("curves.train", "graphs.path") for path in case.paths(key)):
        count, tags = 0, set()
        bad: dict[str, events.Histogram] = {}
        for file in curves.event_files(place):
            try:
                for histogram in events.histograms(file):
                    count += 1
                    tags.add(histogram.tag)
                    if _is_broken(histogram):
                        bad[histogram.tag] = min(bad.get(histogram.tag, histogram), histogram, key=attrgetter("step"))
            except ReadError as error:
                # What is damaged in curves.train was told of its curves already.
                if not any(error.data == problem.data for problem in problems):
                    problems.append(error)
        if not bad:
            if count:
                data: dict[str, Any] = {"count": count, "tensors": len(tags)}
                yield Finding("histograms-clean", Level.INFO, Where(case.relative(place)), data)
            continue
        rows = sorted(bad.values(), key=lambda one: one.step)
        first = rows[0]
        inf = first.positive + first.negative
        data = {"name": first.tag, "step": first.step, "nan": first.nan, "inf": inf, "tensors": len(rows)}
        cells: list[list[Plain]] = [
            [one.tag, one.step, one.count, one.nan, one.positive + one.negative] for one in rows
        ]
        evidence = [table("histograms", ["name", "step", "count", "nan", "inf"], cells)]
        where = Where(case.relative(place), name=first.tag, step=first.step)
        yield Finding("histogram-broken", Level.PROBLEM, where, data, list(evidence), Fix("find-origin"))


# --- dumps ---------------------------------------------------------------------------------------------------------------------


def _dump(case: Case, params: Params, problems: list[ReadError]) -> Iterator[Finding | Progress]:
    from ..readers import dumps

    for path in case.paths("dumps.path"):
        try:
            dump = dumps.open_dump(path)
        except ReadError as error:
            problems.append(error)
            continue
        problems += dump.problems
        yield from _device(case, dump)
        if dump.operations:
            yield from _operations(case, dump, problems)


def _device(case: Case, dump: Dump) -> Iterator[Finding]:
    """What the device told of overflow, where it told anything."""
    if not dump.overflows:
        if dump.overflow_files:
            yield Finding("device-quiet", Level.INFO, Where(case.relative(dump.path)))
        return
    first = dump.overflows[0]
    name = {language.value: first.operation or _UNKNOWN[language.value] for language in Language}
    data = {
        "count": len(dump.overflows), "name": name, "section": first.section, "status": first.status,
        "task": first.task, "stream": first.stream,
    }  # fmt: skip
    rows: list[list[Plain]] = [
        [str(one.time), one.operation, one.section, one.task, one.stream, one.status] for one in dump.overflows
    ]
    evidence = [table("overflows", ["time", "name", "type", "task", "stream", "status"], rows)]
    where = Where(case.relative(first.path), name=first.operation, step=first.step)
    yield Finding("device-overflow", Level.SUSPECT, where, data, list(evidence), Fix("mend-origin"))


@dataclass
class _Steps:
    """What the steps of a dump amount to so far."""

    looked: int = 0
    operations: int = 0
    tensors: int = 0
    begun: int = 0  # steps with an origin
    skipped: int = 0
    softmax: bool = False
    broken: set[int | None] = field(default_factory=set)  # ranks with a step that was not skipped
    untold: list[Level] = field(default_factory=list)  # origins beyond the first _MANY
    masks: list[NonFiniteOperation] = field(default_factory=list)
    unwritten: list[NonFiniteOperation] = field(default_factory=list)

    def add(self, step: Step, operations: int) -> None:
        self.looked += 1
        self.operations += operations
        self.tensors += step.examined
        self.masks += step.masks
        self.unwritten += step.unwritten
        self.softmax = self.softmax or step.softmax
        if step.origin is None:
            return
        if self.begun >= _MANY:
            self.untold.append(Level.INFO if step.skipped else Level.PROBLEM)
        self.begun += 1
        self.skipped += step.skipped
        if not step.skipped:
            self.broken.add(step.rank)


def _operations(case: Case, dump: Dump, problems: list[ReadError]) -> Iterator[Finding | Progress]:
    from ..readers.dumps import examine, steps
    from ._dump_origin import judge

    def look(tensor: Tensor) -> Values | None:
        try:
            return examine(tensor)
        except ReadError as error:
            problems.append(error)
            return None

    done = 0
    seen = _Steps()
    unread = len(problems)
    for group in steps(dump.operations):
        if group[0].rank in seen.broken:
            continue
        told, step = False, None
        for found in judge(group, look):
            if found is None:
                done += 1
                if done % 256 == 0:
                    yield Progress(done, len(dump.operations), "tensors")
                continue
            step = found
            if not told and _is_origin_at_once(step):
                told = True
                if seen.begun < _MANY:
                    yield _begin(case, step)
        if step is None:
            continue
        if step.origin is not None and seen.begun < _MANY:
            if not told:
                yield _begin(case, step)
            if not step.skipped:
                yield from _carried(case, step)
        seen.add(step, len(group))
    yield from _of_all_steps(case, dump, seen, read_all=len(problems) == unread)


def _is_origin_at_once(step: Step) -> bool:
    """Whether the origin is one before the step is seen whole: scaled gradients may turn out to be dropped."""
    return step.origin is not None and not step.origin.is_backward and not step.origin.is_scaling


def _of_all_steps(case: Case, dump: Dump, seen: _Steps, read_all: bool) -> Iterator[Finding]:
    """What all steps together say."""
    place = case.relative(dump.path)
    yield from _more(seen.untold)
    if seen.skipped > 1 and seen.skipped == seen.looked:
        yield Finding("all-skipped", Level.SUSPECT, Where(place), {"steps": seen.skipped})
    if seen.masks and (seen.softmax or not seen.broken):
        code, level = ("masks", Level.INFO) if seen.softmax else ("masks-alone", Level.SUSPECT)
        first = seen.masks[0]
        yield Finding(code, level, _where(case, first), {"count": len(seen.masks), "name": first.operation.name})
    if seen.unwritten:
        data: dict[str, Any] = {"count": len(seen.unwritten), "name": seen.unwritten[0].operation.name}
        yield Finding("unwritten", Level.INFO, _where(case, seen.unwritten[0]), data)
    if not seen.broken and not seen.skipped and (seen.tensors or read_all):
        words = {one.value: ", ".join(_ORDERS[order][one.value] for order in dump.orders) for one in Language}
        data = {"path": place, "steps": seen.looked, "operations": seen.operations, "tensors": seen.tensors}
        yield Finding("dump-clean", Level.INFO, Where(place), {**data, "order": words})


def _where(case: Case, found: NonFiniteOperation) -> Where:
    operation, place = found.operation, Path(found.tensors[0][0].path)
    if found.tensors[0][0].told is None:
        place = place.parent  # the file repeats the name
    return Where(case.relative(place), name=operation.name, step=operation.step)


def _begin(case: Case, step: Step) -> Finding:
    """Where it begins in a step."""
    found = step.origin
    assert found is not None
    operation = found.operation
    dirty_inputs = found.dirty_inputs
    data: dict[str, Any] = {
        "name": operation.name, "type": operation.type or "-", "bad": _bad(found.tensors),
        "at": _at(step),
        "direction": _DIRECTIONS["backward" if found.is_backward else "forward"],
        "inputs": _ranges(found.inputs), "incoming": _bad(dirty_inputs),
        "slots": ", ".join(str(tensor.slot) for tensor, _ in dirty_inputs) or "-",
    }  # fmt: skip
    rows: list[list[Plain]] = []
    for tensor, values in [*found.inputs, *found.tensors]:
        size = "×".join(map(str, values.shape or ())) or "-"
        bad = "" if values.finite else _bad([(tensor, values)])
        rows.append([f"{tensor.io} {tensor.slot}", values.dtype, size, values.minimum, values.maximum, bad])
    evidence = [table("around", ["tensor", "dtype", "shape", "min", "max", "bad"], rows)]
    if step.skipped:
        return Finding("dump-skipped", Level.INFO, _where(case, found), data, list(evidence))
    fix = Fix("mend-origin") if step.kind in ("origin", "alone", "hidden") else None
    return Finding(f"dump-{step.kind}", Level.PROBLEM, _where(case, found), data, list(evidence), fix)


def _carried(case: Case, step: Step) -> Iterator[Finding]:
    if not step.carriers:
        return
    rows: list[list[Plain]] = []
    clean = 0
    for found in step.carriers:
        clean += bool(found.inputs) and not found.dirty_inputs
        incoming = _bad(found.dirty_inputs) if found.inputs else None
        rows.append([found.operation.name, found.operation.type, _bad(found.tensors), incoming])
    data = {"count": len(rows), "clean": clean}
    evidence = [table("operations", ["name", "type", "bad", "inputs"], rows)]
    code = "carried-more" if clean else "carried"
    yield Finding(code, Level.INFO, _where(case, step.carriers[0]), data, list(evidence))


def _at(step: Step) -> dict[str, str]:
    """Step and rank within a sentence, as far as the place of the files tells them."""
    known = [f"{name} {number}" for name, number in (("step", step.step), ("rank", step.rank)) if number is not None]
    if not known:
        return {"en": "", "zh": ""}
    return {"en": " at " + " of ".join(known), "zh": "、".join(known) + "："}


def _bad(tensors: list[tuple[Tensor, Values]]) -> str:
    """NaN ×3, Inf ×1; without numbers where statistics do not count them."""
    texts = []
    for name, what in (("NaN", "nan"), ("Inf", "positive"), ("-Inf", "negative")):
        count = sum(getattr(values, what) for _, values in tensors)
        if count:
            texts.append(f"{name} ×{count:,}" if all(values.counted for _, values in tensors) else name)
    return ", ".join(texts) or "-"


def _ranges(tensors: list[tuple[Tensor, Values]]) -> str:
    """The ranges of what goes in, by slot."""
    texts = [
        f"{tensor.slot}: {values.minimum:.4g} … {values.maximum:.4g}"
        for tensor, values in tensors
        if values.minimum is not None and values.maximum is not None
    ]
    return ", ".join(texts[:8]) or "-"


def _log(*losses: float | str) -> str:
    """A log of LossMonitor."""
    return "".join(f"epoch: 1 step: {step}, loss is {loss}\n" for step, loss in enumerate(losses, 1))


def _scaled(*steps: tuple[float, bool, float]) -> str:
    """A log of a loop that prints loss, overflow and scale."""
    lines = enumerate(steps, 1)
    return "".join(
        f"step: {step}, loss: {loss}, overflow: {flag}, scale: {scale}\n" for step, (loss, flag, scale) in lines
    )


def _npy(*values: float) -> bytes:
    """A .npy of float32."""
    from array import array

    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(values)},), }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode() + array("f", values).tobytes()


def _dumped(*operations: tuple[str, list[bytes], list[bytes]]) -> dict[str, Any]:
    """The files of one step of a dump: of each operation its name, what goes in and what comes out."""
    files: dict[str, Any] = {}
    for number, (name, inputs, outputs) in enumerate(operations):
        for io, tensors in (("input", inputs), ("output", outputs)):
            for slot, content in enumerate(tensors):
                stamp = 1_700_000_000_000_000 + 100 * number + 10 * (io == "output") + slot
                kind = name.rsplit("_", 1)[-1].split("-")[0]
                file = f"{kind}.{name}.0.0.{stamp}.{io}.{slot}.DefaultFormat.Float32.npy"
                files[f"dump/rank_0/net/0/7/{file}"] = content
    return files


def _example(name: str, files: dict[str, Any], case: dict[str, Any], verdict: Verdict, *codes: str) -> Example:
    return Example(name, files=files, case=case, verdict=verdict, codes=codes)


_LOG: dict[str, Any] = {"curves": {"train": "train.log"}}
_DUMP: dict[str, Any] = {"dumps": {"path": "dump"}}
_NAN, _INF = float("nan"), float("inf")
_X, _BAD = _npy(0.0, 1.0, 2.0), _npy(-_INF, 0.0, 0.7)
_LAYER = "Default_network_layer-Net_"

EXAMPLES = [
    _example("the loss stays finite", {"train.log": _log(*(2.3 / step for step in range(1, 41)))}, _LOG, Verdict.OK, "curve-clean"),
    _example("the loss becomes nan", {"train.log": _log(2.3, 2.2, 2.1, "nan", "nan")}, _LOG, Verdict.PROBLEM, "curve-broken"),
    _example("the loss explodes", {"train.log": _log(2.3, 2.4, 8.0, 90.0, 2e4, "inf")}, _LOG, Verdict.PROBLEM, "curve-exploded"),
    _example("one batch gives nan", {"train.log": _log(2.3, 2.2, "nan", 2.1, 2.0, 1.9, 1.9, 1.8)}, _LOG, Verdict.UNDECIDED, "curve-gaps"),
    _example(
        "a dynamic loss scale at work",
        {"train.log": _scaled(*((2.3, step < 3, 2.0 ** (16 - min(step, 3))) for step in range(60)))},
        _LOG,
        Verdict.OK,
        "overflows",
    ),
    _example(
        "every third step overflows",
        {"train.log": _scaled(*((2.3, step % 3 == 1, 1024.0) for step in range(60)))},
        _LOG,
        Verdict.UNDECIDED,
        "overflows-often",
    ),
    _example(
        "weights with nan",
        {"now.ckpt": ckpt({"conv.weight": drawn(4, 4), "fc.weight": ([2, 2], [0.1, _NAN, 0.2, 0.3])})},
        {"checkpoints": {"current": "now.ckpt"}},
        Verdict.PROBLEM,
        "weights-broken",
    ),
    _example(
        "finite weights",
        {"now.ckpt": ckpt({"conv.weight": drawn(4, 4)})},
        {"checkpoints": {"current": "now.ckpt"}},
        Verdict.OK,
        "weights-clean",
    ),
    _example(
        "a finite dump",
        _dumped((f"{_LAYER}Log-op1", [_npy(1.0, 2.0)], [_npy(0.0, 0.7)]), (f"{_LAYER}Add-op2", [_X, _X], [_X])),
        _DUMP,
        Verdict.OK,
        "dump-clean",
    ),
    _example(
        "the logarithm of 0 in a dump",
        _dumped(
            (f"{_LAYER}ReLU-op1", [_X], [_X]),
            (f"{_LAYER}Log-op2", [_X], [_BAD]),
            (f"{_LAYER}Mul-op3", [_BAD, _X], [_npy(_NAN, 0.0, 1.4)]),
        ),
        _DUMP,
        Verdict.PROBLEM,
        "dump-origin",
        "carried",
    ),
    _example(
        "scores that a mask hides",
        _dumped(
            (f"{_LAYER}MaskedFill-op1", [_X, _npy(-_INF)], [_BAD]),
            (f"{_LAYER}Softmax-op2", [_BAD], [_npy(0.0, 0.3, 0.7)]),
        ),
        _DUMP,
        Verdict.OK,
        "masks",
        "dump-clean",
    ),
    _example(
        "gradients that a loss scale drops",
        _dumped(
            ("Gradients_Default_layer_Mul-op1", [_X], [_npy(_INF, 1.0)]),
            ("Default_AllFinite-op2", [_npy(_INF, 1.0)], [_npy(0.0)]),
        ),
        _DUMP,
        Verdict.OK,
        "dump-skipped",
    ),
]  # fmt: skip
