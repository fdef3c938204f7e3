"""Reads from the scripts which MindSpore APIs mean something else than PyTorch's, or have another default, and how they are used.

Catches: a rate to drop where a rate to keep is expected and the other way round, by size, name or comment; a BatchNorm momentum
in PyTorch's meaning, or in the place of eps; an argument in the place of another; initializers that are made and not applied.
Lists the calls that rely on a default other than PyTorch's, by the version of MindSpore that is declared or installed; where the
case names a benchmark script of PyTorch, the layers of both are matched one to one and their settings compared. Without one it
cannot tell whether such a default is meant. Never imports or runs the scripts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Progress, Sure, Table, Verdict, Where
from ..probe import Example, script_example
from . import _gaps, _grades, _seen, _version

if TYPE_CHECKING:
    from ..script.benchmark import Comparison
    from ..script.differences import Differences, Row, WrongUse

KIND = Kind.STATIC
NEEDS: tuple[str | tuple[str, ...], ...] = (("scripts.train", "scripts.eval", "scripts.infer"),)


class Params(msgspec.Struct, frozen=True):
    rows: Annotated[
        int,
        Meta(
            ge=1,
            le=200,
            description="rows shown of the table of defaults",
            extra={"unit": "rows", "source": "own choice"},
        ),
    ] = 60


MESSAGES: Words = {
    **_gaps.MESSAGES,
    **_seen.MESSAGES,
    "keeps-a-drop-rate": {
        "en": "{api} takes {rate} as the share to keep (keep_prob), but it is a rate to drop.",
        "zh": "{api} 把 {rate} 当作保留概率（keep_prob），而它其实是丢弃概率。",
    },
    "drops-a-keep-rate": {
        "en": "{api} takes {rate} as the share to drop (p), but it is a rate to keep.",
        "zh": "{api} 把 {rate} 当作丢弃概率（p），而它其实是保留概率。",
    },
    "keeps-little": {
        "en": "{api} keeps only {value:g} of the units: its first argument, keep_prob, is the share to keep.",
        "zh": "{api} 只保留 {value:g} 的单元：它的第一个参数 keep_prob 是保留概率。",
    },
    "rate-unclear": {
        "en": "{api}({parameter}={value}): judging by its size or its name, the opposite may be meant (the share kept, not the "
        "share dropped).",
        "zh": "{api}({parameter}={value})：从数值或命名看，含义可能恰好相反（保留比例与丢弃比例）。",
    },
    "momentum-reversed": {
        "en": "{api}(momentum={value:g}): MindSpore's momentum weights the old statistics, so PyTorch's {value:g} must be {other:g} here.",
        "zh": "{api}(momentum={value:g})：MindSpore 的 momentum 是旧统计量的权重，PyTorch 的 {value:g} 在这里应写作 {other:g}。",
    },
    "momentum-of-new": {
        "en": "{api}(momentum={value:g}): here momentum weights the new statistics, as in PyTorch, so {value:g} of nn.BatchNorm must be "
        "{other:g}.",
        "zh": "{api}(momentum={value:g})：这里的 momentum 与 PyTorch 一样，是新统计量的权重，nn.BatchNorm 的 {value:g} 应写作 {other:g}。",
    },
    "momentum-one": {
        "en": "{api} has momentum=1, the weight of the old statistics: the moving mean and variance never change; PyTorch's 1 is 0 "
        "in MindSpore.",
        "zh": "{api} 设置了 momentum=1，即旧统计量的权重为 1，滑动均值和方差从不更新；PyTorch 的 1 对应 MindSpore 的 0。",
    },
    "momentum-as-epsilon": {
        "en": "The second argument of {api} is eps, not momentum: eps becomes {value:g}.",
        "zh": "{api} 的第二个参数是 eps 而不是 momentum：eps 变成了 {value:g}。",
    },
    "large-epsilon": {
        "en": "{api} has eps={value:g}, far more than the usual 1e-5 to 1e-3.",
        "zh": "{api} 设置了 eps={value:g}，远大于通常的 1e-5 至 1e-3。",
    },
    "bias-in-third-place": {
        "en": "The third argument of {api} is weight_init, not has_bias: with {value} every weight becomes the same number.",
        "zh": "{api} 的第三个参数是 weight_init 而不是 has_bias：传入 {value} 会让所有权重变成同一个数。",
    },
    "misplaced": {
        "en": "{argument} is passed as {parameter} of {class_name}, whose own {argument} stays at its default.",
        "zh": "{argument} 被传给了 {class_name} 的 {parameter}，而它自己的 {argument} 参数仍是默认值。",
    },
    "misplaced-perhaps": {
        "en": "{argument} is passed as {parameter} of {class_name}, which has a parameter {argument} that is left at its default.",
        "zh": "{argument} 被传给了 {class_name} 的 {parameter}，而它有同名参数 {argument}，却仍是默认值。",
    },
    "initializer-dropped": {
        "en": "{api} only makes an object that describes an initialization; nothing uses it, so no weight changes.",
        "zh": "{api} 只创建了一个描述初始化方式的对象，没有被使用，权重不会改变。",
    },
    "extreme-without-place": {
        "en": "{api} without an axis returns the largest or smallest of all elements, and always 0 as its index.",
        "zh": "{api} 未指定 axis 时返回所有元素的最值，下标恒为 0。",
    },
    "extreme-for-place": {
        "en": "{api} returns the extreme value of a network's outputs, which is then used as a class or an index.",
        "zh": "{api} 返回的是网络输出的最值，之后却被当作类别或下标使用。",
    },
    "extreme-as-whole": {
        "en": "{api} returns the extreme value of a network's outputs, which is then truncated to an integer.",
        "zh": "{api} 返回的是网络输出的最值，之后被截断为整数。",
    },
    "argmax-elsewhere": {
        "en": "This argmax runs along axis {axis}, which is not the axis of the outputs of {layer} (line {at}): it returns a sample or "
        "position, not a class.",
        "zh": "此处 argmax 沿 axis {axis}，而 {layer}（第 {at} 行）的输出不在这一维：得到的是样本或位置的序号，而不是类别。",
    },
    "columns-gathered": {
        "en": "ops.gather takes whole columns: with an index for each sample it gives a matrix of all pairs of samples, not one score "
        "of {layer} (line {at}) per sample.",
        "zh": "ops.gather 取的是整列：用每个样本各自的下标会得到样本两两组合的矩阵，而不是 {layer}（第 {at} 行）给每个样本的一个得分。",
    },
    "argmax-elsewhere-perhaps": {
        "en": "This argmax seems to run along axis {axis}, which is not the axis of the outputs of {layer} (line {at}).",
        "zh": "此处 argmax 所沿的维度（axis {axis}）似乎不是 {layer}（第 {at} 行）输出所在的维度。",
    },
    "last-sample": {
        "en": "{api} reads (length, batch, features) here, so index -1 on the second axis of its output ({at}) is the last sample of "
        "the batch, not the last step.",
        "zh": "此处的 {api} 按 (长度, batch, 特征) 读取输入，对其输出的第二维取 -1（{at}）得到的是最后一个样本，而不是最后一步。",
    },
    "set-data-replaced": {
        "en": "{target} = ... replaces the method set_data by a tensor and leaves the weight as it is; set_data has to be called.",
        "zh": "{target} = ... 把 set_data 方法替换成了张量，权重并没有改变；应当调用 set_data。",
    },
    "unlike-benchmark": {
        "en": "{api} has {setting}={here} in PyTorch's terms; the same layer of the benchmark has {there} ({other}).",
        "zh": "{api} 换算成 PyTorch 的含义是 {setting}={here}，标杆脚本中对应的层是 {there}（{other}）。",
    },
    "unlike-benchmark-slightly": {
        "en": "{api} has {setting}={here}; the same layer of the benchmark has {there} ({other}).",
        "zh": "{api} 的 {setting}={here}，标杆脚本中对应的层是 {there}（{other}）。",
    },
    "benchmark-matched": {
        "en": "{count:,} {count:layer is|layers are} matched with {count:one|those} of {path} ({here:,} here, {there:,} there); "
        "{differing:,} {differing:differs|differ}. Settings that were compared: {settings}.",
        "zh": "与 {path} 匹配了 {count} 个层（此处 {here} 个，标杆 {there} 个），其中 {differing} 个设置不同。比较的设置有：{settings}。",
    },
    "benchmark-another": {
        "en": "The layers here ({here}) differ too much from those of {path} ({there}) for a one-to-one comparison.",
        "zh": "此处的层（{here} 个）与 {path} 中的层（{there} 个）相差太大，无法逐一比较。",
    },
    "no-benchmark": {
        "en": "There are no layers to compare in this script or in {path}.",
        "zh": "该脚本或 {path} 中没有可比较的层。",
    },
    "relied-on": {
        "en": "{count} {count:call relies|calls rely} on a default of MindSpore {version} that differs from PyTorch's: {apis}.",
        "zh": "共 {count} 处省略了在 MindSpore {version} 中与 PyTorch 不同的参数：{apis}。",
    },
    "without-effect": {
        "en": "{count} {count:call relies|calls rely} on a default of MindSpore {version} that differs from PyTorch's, with little or "
        "no effect: {apis}.",
        "zh": "共 {count} 处省略了在 MindSpore {version} 中与 PyTorch 不同的参数，但影响很小或没有影响：{apis}。",
    },
    "all-explicit": {
        "en": "Nothing in {path} relies on a default that differs from PyTorch's in MindSpore {version}.",
        "zh": "{path} 中没有依赖与 PyTorch 不同的默认值（MindSpore {version}）。",
    },
    "no-layers": {
        "en": "No layer, loss or optimizer of MindSpore is seen in {path}.",
        "zh": "在 {path} 中没有看到 MindSpore 的网络层、损失函数或优化器。",
    },
    "fix-drop": {"en": "Pass the value as p=, the share to drop.", "zh": "改为 p=，即丢弃概率。"},
    "fix-keep": {"en": "Pass p = 1 - this value.", "zh": "改为 p = 1 − 该值。"},
    "fix-rate": {
        "en": "Check which rate is intended: change it if it is the keep rate, leave it if it is the drop rate.",
        "zh": "先确认其本意：若指保留比例则修改，若指丢弃比例则保持原样。",
    },
    "fix-momentum": {"en": "Write 1 minus PyTorch's momentum.", "zh": "写成 1 减去 PyTorch 的 momentum。"},
    "fix-elements": {
        "en": "Take one element per row: ops.gather_elements(scores, 1, index.expand_dims(1)).squeeze(1).",
        "zh": "按行各取一个元素：ops.gather_elements(scores, 1, index.expand_dims(1)).squeeze(1)。",
    },
    "fix-axis": {
        "en": "Take the argmax along the class axis: the last one after a dense layer, 1 after a convolution.",
        "zh": "沿类别所在的维度取 argmax：全连接层之后是最后一维，卷积之后是第 1 维。",
    },
    "fix-argmax": {
        "en": "Use argmax(x, axis) for the index, or give an axis.",
        "zh": "取下标请用 argmax(x, axis)，或指定 axis。",
    },
    "fix-batch-first": {
        "en": "Make the layer with batch_first=True, or take [-1].",
        "zh": "创建该层时设置 batch_first=True，或改取 [-1]。",
    },
    "fix-name": {"en": "Pass it by name.", "zh": "用关键字传参。"},
    "fix-apply": {
        "en": "Call parameter.set_data(initializer(kind, parameter.shape, parameter.dtype)).",
        "zh": "调用 parameter.set_data(initializer(方式, parameter.shape, parameter.dtype))。",
    },
}
WORDS: Words = {
    **_grades.WORDS,
    "differing-defaults": {"en": "Differing defaults relied on", "zh": "所依赖的不同默认值"},
    "api": {"en": "API", "zh": "API"},
    "parameter": {"en": "Parameter", "zh": "参数"},
    "calls": {"en": "Places", "zh": "处数"},
    "default-here": {"en": "MindSpore", "zh": "MindSpore"},
    "default-there": {"en": "PyTorch", "zh": "PyTorch"},
    "first-place": {"en": "First", "zh": "首处"},
}

_DROPS_MOST = {
    "en": "Dropout then removes most of the units instead of a few: training loses most of its signal, the loss stays high and "
    "accuracy is low, while inference looks normal.",
    "zh": "本应少量丢弃，实际却丢弃了大部分单元：训练信号大量损失，loss 居高不下、精度偏低，而推理看起来正常。",
}
_DROPS_WRONG = {
    "en": "Dropout then removes the share that should stay: the network gets too much or too little regularisation.",
    "zh": "Dropout 丢弃的正是应当保留的比例：正则化过强或过弱，与设计的网络不同。",
}
_ANOTHER_AXIS = {
    "en": "What counts as correct says nothing about the network: positions along one axis are compared with class indices.",
    "zh": "统计出的正确数与网络无关：比较的是另一维上的位置与类别编号。",
}
_STATISTICS = {
    "en": "The moving mean and variance then follow the last batch: training looks right, but evaluation is worse and jumps from "
    "epoch to epoch.",
    "zh": "滑动均值和方差会紧跟最近一个 batch：训练看起来正常，评估精度却偏低，并且各 epoch 之间跳动。",
}
_EPSILON = {
    "en": "Activations are divided by sqrt(variance + eps): channels with a small variance are hardly normalised, and their scale "
    "depends on the data again.",
    "zh": "激活值要除以 sqrt(方差 + eps)：方差小的通道几乎得不到归一化，尺度又随数据变化。",
}
_NOT_INITIALIZED = {
    "en": "Weights keep the layer's default initialisation, not the intended one.",
    "zh": "权重保持网络层默认的初始化，而不是所期望的方式。",
}
_DISPLACED = {
    "en": "One setting gets the value of another: one has a rate or size that nobody chose, the other its default instead of the "
    "chosen value.",
    "zh": "一个设置得到了另一个设置的数值：一处用了无人选择的数，另一处仍是默认值。",
}
_NO_PLACE = {
    "en": "The number is neither a class nor a position: what is chosen or counted by it has nothing to do with the network's "
    "predictions.",
    "zh": "这个数既不是类别也不是位置：据此做出的选择或统计与网络的输出偏好无关。",
}
WHY: Words = {
    "extreme-without-place": _NO_PLACE,
    "extreme-for-place": _NO_PLACE,
    "extreme-as-whole": _NO_PLACE,
    "argmax-elsewhere": _ANOTHER_AXIS,
    "columns-gathered": {
        "en": "In what follows, the values of all samples are compared with the targets of all others by broadcasting.",
        "zh": "之后经过广播，每个样本的值会与其他所有样本的目标比较。",
    },
    "argmax-elsewhere-perhaps": _ANOTHER_AXIS,
    "last-sample": {
        "en": "The layer runs over the samples of the batch as if they were time steps: each sample depends on those before it in the "
        "batch, and the layers after it see a single sample at all steps.",
        "zh": "该层把 batch 中的样本当作时间步依次处理：样本的结果依赖于排在它前面的样本，后续层只看到其中一个样本。",
    },
    "keeps-a-drop-rate": _DROPS_WRONG,
    "drops-a-keep-rate": _DROPS_WRONG,
    "keeps-little": _DROPS_MOST,
    "rate-unclear": _DROPS_WRONG,
    "momentum-reversed": _STATISTICS,
    "momentum-of-new": _STATISTICS,
    "momentum-one": {
        "en": "Evaluation then normalises with a mean of 0 and a variance of 1, the initial values.",
        "zh": "评估时会一直使用初始值（均值 0、方差 1）做归一化。",
    },
    "momentum-as-epsilon": _EPSILON,
    "large-epsilon": _EPSILON,
    "bias-in-third-place": {
        "en": "All units of the layer have the same output and get the same gradient, or none: the layer cannot learn.",
        "zh": "该层所有单元输出相同、梯度也相同（或没有梯度），无法学习。",
    },
    "misplaced": _DISPLACED,
    "misplaced-perhaps": _DISPLACED,
    "unlike-benchmark": {
        "en": "The network is then not the benchmark's: differences in results may come from here.",
        "zh": "这样就不是标杆的网络了，结果的差异可能由此而来。",
    },
    "unlike-benchmark-slightly": {
        "en": "Small deviations in every such layer; in float16 a small epsilon nearly vanishes.",
        "zh": "每个这样的层都有微小偏差；在 float16 下过小的 epsilon 几乎为 0。",
    },
    "initializer-dropped": _NOT_INITIALIZED,
    "set-data-replaced": _NOT_INITIALIZED,
}
_MEASURE = {
    "en": "Call set_train(), run the layer on ones, and count the zeros: that is the share dropped.",
    "zh": "调用 set_train() 后把全 1 张量送入该层，统计 0 的比例，即实际丢弃的比例。",
}
_STEP = {
    "en": "Run one batch in training mode and compare the moving statistics with those of the batch.",
    "zh": "在训练模式下运行一个 batch，把滑动统计量与该 batch 的统计量比较。",
}
_VALUES = {
    "en": "Print the weights, or the attributes of the object made here.",
    "zh": "打印权重，或此处所建对象的属性。",
}
_SIDE_BY_SIDE = {
    "en": "Print both networks, or run both on one input with the same weights and compare the outputs layer by layer.",
    "zh": "打印两个网络；或用相同的权重和输入运行，逐层比较输出。",
}
_PRINT = {
    "en": "Print the result next to that of argmax for one batch.",
    "zh": "在一个 batch 上打印该结果，并与 argmax 的结果比较。",
}
PROOF: Words = {
    "extreme-without-place": _PRINT,
    "extreme-for-place": _PRINT,
    "extreme-as-whole": _PRINT,
    "argmax-elsewhere": _PRINT,
    "columns-gathered": {"en": "Print the shape of the result.", "zh": "打印结果的 shape。"},
    "argmax-elsewhere-perhaps": _PRINT,
    "last-sample": {
        "en": "Change the first sample of a batch: the outputs of the others must not change.",
        "zh": "改变 batch 中的第一个样本：其他样本的输出不应改变。",
    },
    "keeps-a-drop-rate": _MEASURE,
    "drops-a-keep-rate": _MEASURE,
    "keeps-little": _MEASURE,
    "rate-unclear": _MEASURE,
    "momentum-reversed": _STEP,
    "momentum-of-new": _STEP,
    "momentum-one": _STEP,
    "momentum-as-epsilon": _STEP,
    "large-epsilon": _STEP,
    "bias-in-third-place": _VALUES,
    "misplaced": _VALUES,
    "misplaced-perhaps": _VALUES,
    "unlike-benchmark": _SIDE_BY_SIDE,
    "unlike-benchmark-slightly": _SIDE_BY_SIDE,
    "initializer-dropped": _VALUES,
    "set-data-replaced": _VALUES,
}

_LEVELS = {
    "extreme-without-place": Level.PROBLEM,
    "extreme-for-place": Level.PROBLEM,
    "extreme-as-whole": Level.SUSPECT,
    "argmax-elsewhere": Level.PROBLEM,
    "columns-gathered": Level.PROBLEM,
    "argmax-elsewhere-perhaps": Level.SUSPECT,
    "last-sample": Level.PROBLEM,
    "keeps-a-drop-rate": Level.PROBLEM,
    "drops-a-keep-rate": Level.PROBLEM,
    "keeps-little": Level.PROBLEM,
    "rate-unclear": Level.SUSPECT,
    "momentum-reversed": Level.PROBLEM,
    "momentum-of-new": Level.PROBLEM,
    "momentum-one": Level.PROBLEM,
    "momentum-as-epsilon": Level.PROBLEM,
    "large-epsilon": Level.SUSPECT,
    "bias-in-third-place": Level.PROBLEM,
    "misplaced": Level.PROBLEM,
    "misplaced-perhaps": Level.SUSPECT,
    "initializer-dropped": Level.SUSPECT,
    "unlike-benchmark": Level.PROBLEM,
    "unlike-benchmark-slightly": Level.SUSPECT,
    "set-data-replaced": Level.PROBLEM,
}
#: What the numbers alone decide; the other problems rest on what something is called.
_CERTAIN = ("extreme-without-place", "momentum-as-epsilon", "bias-in-third-place", "set-data-replaced")
_FIXES = {
    "extreme-without-place": "fix-argmax",
    "extreme-for-place": "fix-argmax",
    "extreme-as-whole": "fix-argmax",
    "argmax-elsewhere": "fix-axis",
    "columns-gathered": "fix-elements",
    "argmax-elsewhere-perhaps": "fix-axis",
    "last-sample": "fix-batch-first",
    "keeps-a-drop-rate": "fix-drop",
    "drops-a-keep-rate": "fix-keep",
    "keeps-little": "fix-drop",
    "rate-unclear": "fix-rate",
    "momentum-reversed": "fix-momentum",
    "momentum-of-new": "fix-momentum",
    "momentum-one": "fix-momentum",
    "momentum-as-epsilon": "fix-name",
    "bias-in-third-place": "fix-name",
    "misplaced": "fix-name",
    "misplaced-perhaps": "fix-name",
    "initializer-dropped": "fix-apply",
    "set-data-replaced": "fix-apply",
}
#: Places of one kind that are told, and APIs that are named in one message.
MOST, MOST_NAMED = 100, 5


def _of_no_row(found: Differences, path: str, version: str | None) -> Finding:
    seen = any(_is_layer(call.api) for call in found.made)
    data = {"path": path, "version": version}
    return Finding("all-explicit" if seen else "no-layers", Level.INFO, Where(path=path), data, incomplete=not seen)


@_grades.by_road
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..script import differing_results
    from ..script.analysis import read_scripts
    from ..script.differences import Differences

    scripts = read_scripts(case)
    yield from _gaps.findings(scripts)
    readings = [r for r in scripts.readings if r.role != "export"]
    version = _version.of(case)
    found = Differences(readings, version)
    beside: list[WrongUse] = []
    if paths := [(path, case.relative(path)) for path in case.paths("benchmark.scripts.train")]:
        comparison, beside = found.against(paths)
        yield from _of_benchmark(comparison, paths[0][1], beside)
    uses = (*found.wrong(), *(one for reading in readings for one in differing_results.wrong(reading)), *beside)
    for one in _each_once(uses):
        yield _of_wrong(one, id(one.place) in found.unreached)
    rows = found.rows()
    for code, counts in (("relied-on", True), ("without-effect", False)):
        if chosen := [row for row in rows if bool(row.counts) is counts]:
            yield _of_rows(code, chosen, version, params.rows)
    if readings and not rows:
        yield _of_no_row(found, readings[0].source.path, version)
    yield from _seen.networks(scripts)
    yield Progress(len(readings), len(readings), "files")


def _each_once(uses: Iterable[WrongUse]) -> Iterator[WrongUse]:
    """What is wrong, each place and setting once, and MOST of each code."""
    seen: set[tuple[Any, ...]] = set()
    told: Counter[str] = Counter()
    for one in uses:
        node = one.place.node
        key = one.code, one.place.source.path, node.lineno, node.col_offset, one.data.get("setting")
        if key not in seen and told[one.code] < MOST:
            seen.add(key)
            told[one.code] += 1
            yield one


def _of_benchmark(comparison: Comparison | None, path: str, beside: list[WrongUse]) -> Iterator[Finding]:
    """What was matched with the benchmark."""
    from ..script.benchmark import ALIKE

    where = Where(path=path)
    if comparison is None:
        yield Finding("no-benchmark", Level.INFO, where, {"path": path})
        return
    data = {
        "path": path,
        "count": len(comparison.pairs),
        "here": comparison.here,
        "there": comparison.there,
        "differing": len({id(wrong.place) for wrong in beside}),
        "settings": sorted(set().union(*(pair.compared for pair in comparison.pairs))) or ["-"],
    }
    alike = comparison.share >= ALIKE
    yield Finding("benchmark-matched" if alike else "benchmark-another", Level.INFO, where, data, incomplete=not alike)


def _is_layer(name: str) -> bool:
    from ..knowledge import api

    known = api.find(name)
    kinds = (
        "convolution",
        "dense",
        "embedding",
        "dropout",
        "normalization",
        "recurrent",
        "attention",
        "loss",
        "optimizer",
    )
    return known is not None and known.kind in kinds


def _of_wrong(wrong: WrongUse, unreached: bool) -> Finding:
    """`unreached`: it stands in a file that is read, but whether it is run is not seen."""
    from ..script.values import KnownValue

    place, value = wrong.place, wrong.value
    source, node = place.source, place.node
    level = _LEVELS[wrong.code]
    sure = Sure.POSSIBLE
    if level is Level.PROBLEM:
        literal = isinstance(value, KnownValue) and value.assumed is None
        plain = wrong.code in ("keeps-little", "momentum-reversed") and literal
        sure = Sure.CERTAIN if (wrong.code in _CERTAIN or plain) and not unreached else Sure.LIKELY
    line = node.lineno
    evidence = [source.code(line, min(node.end_lineno or line, line + 4))]
    if wrong.also is not None:
        evidence.append(wrong.also.source.code(wrong.also.line))
    fix = _FIXES.get(wrong.code)
    diff = None
    if wrong.edit is not None:
        at, first, last, new = wrong.edit
        text = source.lines[at - 1].encode()
        diff = source.diff(at, (text[:first] + new.encode() + text[last:]).decode())
    where = Where(path=source.path, line=line)
    data: dict[str, Any] = {**wrong.data}
    return Finding(wrong.code, level, where, data, [*evidence], Fix(fix, diff) if fix else None, sure=sure)


def _of_rows(code: str, rows: list[Row], version: str, most: int) -> Finding:
    first = rows[0].places[0]
    cells: list[list[str | int | float | bool | None]] = [
        [
            row.name,
            row.difference.parameter or "-",
            len(row.places),
            _shown(row.difference.mindspore),
            _shown(row.difference.pytorch),
            f"{row.places[0].source.path}:{row.places[0].line}",
        ]
        for row in rows[:most]
    ]
    columns = ["api", "parameter", "calls", "default-here", "default-there", "first-place"]
    table = Table("differing-defaults", columns, cells, total=len(rows))
    names = [f"{row.name} {row.difference.parameter or ''}".strip() for row in rows[:MOST_NAMED]]
    data = {
        "count": len({id(place.node) for row in rows for place in row.places}),
        "version": version,
        "apis": names + ["…"] * (len(rows) > MOST_NAMED),
    }
    where = Where(path=first.source.path, line=first.line)
    return Finding(
        code, Level.INFO, where, data, [table, first.source.code(first.line)], incomplete=code == "relied-on"
    )


def _shown(value: Any) -> str:
    return "" if value is msgspec.UNSET else str(value)


def _example(name: str, script: str, verdict: Verdict, *codes: str, **case: Any) -> Example:
    head = "import mindspore as ms\nfrom mindspore import nn, ops\n"
    case = {"runtime": {"mindspore": "2.10.0"}, **case}
    tail = "" if "nn." not in script else "ms.Model(nn.Dense(8, 8)).train(1, data)\n"
    return script_example(head, name, script.lstrip("\n"), verdict, *codes, tail=tail, **case)


def _beside(name: str, here: str, there: str, verdict: Verdict, *codes: str) -> Example:
    return Example(
        name,
        files={
            "train.py": "import mindspore as ms\nfrom mindspore import nn\n"
            f"net = nn.SequentialCell(nn.Dense(8, 8), {here}, nn.Dense(8, 8))\nnet(x)\nms.Model(net).train(1, data)\n",
            "ref/train.py": f"from torch import nn\nnet = nn.Sequential(nn.Linear(8, 8), {there}, nn.Linear(8, 8))\n",
        },
        case={
            "scripts": {"train": "train.py"},
            "runtime": {"mindspore": "2.10.0"},
            "benchmark": {"scripts": {"train": "ref/train.py"}},
        },
        verdict=verdict,
        codes=codes or ("benchmark-matched",),
    )


EXAMPLES = [
    _example(
        "the rate to drop by name",
        "net = nn.SequentialCell(nn.Dense(8, 8), nn.Dropout(p=0.1))\n",
        Verdict.OK,
        "all-explicit",
    ),
    _example("a rate to drop in the first place", "layer = nn.Dropout(0.1)\n", Verdict.PROBLEM, "keeps-little"),
    _example("a rate to keep in the first place", "layer = nn.Dropout(0.9)\n", Verdict.OK, "all-explicit"),
    _example("one half is the same both ways", "layer = nn.Dropout(0.5)\n", Verdict.OK, "all-explicit"),
    _example(
        "the place of the largest of all elements",
        """
net = nn.Dense(8, 8)
_, place = ops.max(net(x))
print(place)
""",
        Verdict.PROBLEM,
        "extreme-without-place",
    ),
    _example(
        "the place of the largest along an axis",
        """
net = nn.Dense(8, 8)
_, place = ops.max(net(x), 1)
print(place)
""",
        Verdict.OK,
        "all-explicit",
    ),
    _example(
        "the largest output as a class",
        """
net = nn.Dense(8, 8)
print(int(ops.max(net(x))[0].asnumpy()) == label)
""",
        Verdict.PROBLEM,
        "extreme-for-place",
    ),
    _example(
        "the largest output, cut to a whole number",
        """
net = nn.Dense(8, 8)
print(int(ops.max(net(x))[0].asnumpy()))
""",
        Verdict.UNDECIDED,
        "extreme-as-whole",
    ),
    _example(
        "the last sample for the last step",
        """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.reader, self.head = nn.LSTM(8, 8), nn.Dense(8, 2)

    def construct(self, x):
        states, _ = self.reader(x)
        return self.head(states[:, -1])

Net()(x)
""",
        Verdict.PROBLEM,
        "last-sample",
    ),
    _example(
        "the last step of what is read batch by batch",
        """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.reader, self.head = nn.LSTM(8, 8, batch_first=True), nn.Dense(8, 2)

    def construct(self, x):
        states, _ = self.reader(x)
        return self.head(states[:, -1])

Net()(x)
""",
        Verdict.OK,
        "without-effect",
    ),
    _example(
        "1 - keep as the rate to drop",
        """
class Net(nn.Cell):
    def __init__(self, keep_rate=0.8):
        super().__init__()
        self.dropout = nn.Dropout(p=1 - keep_rate)

Net()
""",
        Verdict.OK,
        "all-explicit",
    ),
    _example(
        "1 - keep as the rate to keep",
        """
class Net(nn.Cell):
    def __init__(self, config):
        super().__init__()
        self.dropout = nn.Dropout(1 - config.keep_rate)

    def construct(self, x):
        return self.dropout(x)

Net(config)
""",
        Verdict.PROBLEM,
        "keeps-a-drop-rate",
    ),
    _example(
        "a rate to keep as the rate to drop",
        """
class Net(nn.Cell):
    def __init__(self, keep_prob=0.8):
        super().__init__()
        self.dropout = nn.Dropout(p=keep_prob)

    def construct(self, x):
        return self.dropout(x)

Net()
""",
        Verdict.PROBLEM,
        "drops-a-keep-rate",
    ),
    _example(
        "a rate to drop, called so, in the first place",
        """
class Net(nn.Cell):
    def __init__(self, config):
        super().__init__()
        self.drop = nn.Dropout(config.hidden_dropout_prob)

    def construct(self, x):
        return self.drop(x)

Net(config)
""",
        Verdict.PROBLEM,
        "keeps-a-drop-rate",
    ),
    _example(
        "1 - dropout as the rate to keep",
        """
class Net(nn.Cell):
    def __init__(self, dropout=0.1):
        super().__init__()
        self.drop = nn.Dropout(1 - dropout) if dropout > 0 else None

Net()
""",
        Verdict.OK,
        "all-explicit",
    ),
    _example(
        "a comment says that the rate is dropped",
        "layer = nn.Dropout(keep_prob=0.7)  # drop rate 0.7\n",
        Verdict.PROBLEM,
        "keeps-a-drop-rate",
    ),
    _example(
        "a rate to keep that is called a rate to drop, by its size",
        """
class Net(nn.Cell):
    def __init__(self, dropout_ratio=0.65):
        super().__init__()
        self.dropout = nn.Dropout(p=1 - dropout_ratio)

Net()
""",
        Verdict.OK,
        "all-explicit",
    ),
    _example(
        "1 - a rate to drop, of unknown size, as the rate to drop",
        """
class Net(nn.Cell):
    def __init__(self, config):
        super().__init__()
        self.dropout = nn.Dropout(p=1 - config.dropout)

Net(config)
""",
        Verdict.UNDECIDED,
        "rate-unclear",
    ),
    _example(
        "1 - a rate beside the rate itself, both to drop",
        """
class Net(nn.Cell):
    def __init__(self, config):
        super().__init__()
        self.first, self.last = nn.Dropout(p=config.dropout), nn.Dropout(p=1 - config.dropout)

Net(config)
""",
        Verdict.PROBLEM,
        "drops-a-keep-rate",
    ),
    _example(
        "a rate of 0.8 to drop where all others are 0.2",
        """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Dropout(p=0.2), nn.Dropout(p=0.8)

Net()
""",
        Verdict.PROBLEM,
        "drops-a-keep-rate",
    ),
    _example(
        "1 - a rate to drop that is handed over, as the rate to drop",
        """
class Block(nn.Cell):
    def __init__(self, width, drop):
        super().__init__()
        self.layers = nn.SequentialCell([nn.Dense(8, width), nn.ReLU(), nn.Dropout(p=1 - drop)])

for width in (8, 16):
    Block(width, drop=0.25)
""",
        Verdict.PROBLEM,
        "drops-a-keep-rate",
    ),
    _example(
        "1 - a rate to drop as the rate to drop",
        """
class Net(nn.Cell):
    def __init__(self, dropout=0.1):
        super().__init__()
        self.dropout = nn.Dropout(p=1 - dropout)

    def construct(self, x):
        return self.dropout(x)

Net()
""",
        Verdict.PROBLEM,
        "drops-a-keep-rate",
    ),
    _example(
        "frozen BatchNorm does not use its momentum",
        "layer = nn.BatchNorm2d(8, momentum=0.1, use_batch_statistics=False)\n",
        Verdict.OK,
    ),
    _example("a high rate to drop", "layer = nn.Dropout(p=0.85)\n", Verdict.UNDECIDED, "rate-unclear"),
    _example("a rate to drop that nobody gives", "layer = nn.Dropout(p=0.9)\n", Verdict.PROBLEM, "drops-a-keep-rate"),
    _example(
        "an argmax over the samples",
        "head = ms.mint.nn.Linear(8, 4)\nright = (head(ms.mint.nn.Conv2d(3, 8, 3)(x).mean((2, 3))).argmax(0) == y).sum()\n",
        Verdict.PROBLEM,
        "argmax-elsewhere",
    ),
    *(
        _example(
            f"an argmax of the scores of pixels over {told}",
            "net = nn.SequentialCell(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Conv2d(8, 5, 1))\n"
            f"guess = net(x){scores}.argmax({axis})\nprint(np.bincount(5 * y.reshape(-1) + guess.reshape(-1), minlength=25))\n",
            Verdict.PROBLEM if code else Verdict.UNDECIDED,
            *code,
        )
        for told, scores, axis, code in (
            ("the samples", ".asnumpy()", 0, ["argmax-elsewhere"]),
            ("the classes", ".asnumpy()", 1, []),
            ("the classes of one picture", "[0].asnumpy()", 0, []),
            ("the columns", "", -1, []),
        )
    ),
    *(
        _example(
            f"scores taken by {taken}",
            "net = nn.SequentialCell(nn.Dense(4, 32), nn.ReLU(), nn.Dense(32, 3))\n"
            "order = ms.Tensor([2, 0, 1])\n\n"
            f"def loss_of(states, actions, goals):\n    return ops.square({taken} - goals).mean()\n\n"
            "step = ms.value_and_grad(loss_of, None, net.trainable_params())\nfor states, actions, goals in batches:\n"
            "    loss, grads = step(states, actions, goals)\n",
            Verdict.PROBLEM if code else Verdict.OK,
            *code,
        )
        for taken, code in (
            ("ops.gather(net(states), actions, 1)", ["columns-gathered"]),
            ("ops.gather_elements(net(states), 1, actions.expand_dims(1)).squeeze(1)", []),
            ("ops.gather(net(states), order, 1)", []),
            ("ops.gather(net(states), actions, 1, batch_dims=1)", []),
            ("ops.gather(net(states), actions, 0)", []),
        )
    ),
    _example(
        "an argmax over the classes",
        "head = ms.mint.nn.Linear(8, 4)\nright = (head(ms.mint.nn.Conv2d(3, 8, 3)(x).mean((2, 3))).argmax(1) == y).sum()\n",
        Verdict.OK,
    ),
    _example(
        "a momentum of the old statistics where the new ones are weighted",
        "layer = ms.mint.nn.BatchNorm2d(8, momentum=0.9)\nnn.ReLU()\n",
        Verdict.PROBLEM,
        "momentum-of-new",
    ),
    _example("a large eps", "layer = nn.LayerNorm((8,), epsilon=0.1)\n", Verdict.UNDECIDED, "large-epsilon"),
    _example(
        "BatchNorm with PyTorch's momentum",
        "layer = nn.BatchNorm2d(8, momentum=0.1)\n",
        Verdict.PROBLEM,
        "momentum-reversed",
    ),
    _example(
        "BatchNorm that keeps its first statistics",
        "layer = nn.BatchNorm2d(8, momentum=1.0, affine=True)\n",
        Verdict.PROBLEM,
        "momentum-one",
    ),
    _example(
        "BatchNorm of mint has PyTorch's momentum",
        "layer = ms.mint.nn.BatchNorm2d(8, momentum=0.1)\nnn.ReLU()\n",
        Verdict.OK,
    ),
    _example("BatchNorm with its own momentum", "layer = nn.BatchNorm2d(8, 1e-3, 0.99)\n", Verdict.OK, "all-explicit"),
    _example(
        "momentum in the place of eps", "layer = nn.BatchNorm2d(8, 0.8)\n", Verdict.PROBLEM, "momentum-as-epsilon"
    ),
    _example(
        "a convolution that leaves bias and padding to the default",
        "net = nn.SequentialCell(nn.Conv2d(3, 8, 3), nn.ReLU())\nnet(x)\n",
        Verdict.UNDECIDED,
        "relied-on",
    ),
    _example(
        "a convolution without bias before BatchNorm",
        'net = nn.SequentialCell(nn.Conv2d(3, 8, 3, pad_mode="same"), nn.BatchNorm2d(8))\nnet(x)\n',
        Verdict.OK,
        "without-effect",
    ),
    *(
        _example(name, f"net = nn.SequentialCell(nn.Dense(8, 8), {layers})\nnet(x)\n", verdict, code)
        for name, layers, verdict, code in (
            ("a smaller epsilon in float32", "nn.LayerNorm((8,))", Verdict.OK, "without-effect"),
            ("a smaller epsilon in float16", "nn.LayerNorm((8,)).to_float(ms.float16)", Verdict.UNDECIDED, "relied-on"),
            (
                "a convolution in patches",
                "nn.Conv2d(3, 8, 16, 16, has_bias=True)",
                Verdict.OK,
                "without-effect",
            ),
            (
                "a convolution whose patches overlap",
                "nn.Conv2d(3, 8, 16, 8, has_bias=True)",
                Verdict.UNDECIDED,
                "relied-on",
            ),
            ("pads in the order of the axes", "nn.Pad(((0, 0), (0, 0), (2, 3)))", Verdict.OK, "without-effect"),
            ("pads from the last axis on", "nn.Pad(((2, 3), (0, 0), (0, 0)))", Verdict.UNDECIDED, "relied-on"),
        )
    ),
    _example("Dense starts as in PyTorch", "net = nn.Dense(8, 8)\n", Verdict.OK, "all-explicit"),
    _example(
        "Dense of an earlier version does not",
        "net = nn.Dense(8, 8)\n",
        Verdict.UNDECIDED,
        "relied-on",
        runtime={"mindspore": "1.8.1"},
    ),
    _example(
        "the bias switch in the place of weight_init",
        "net = nn.Dense(8, 8, False)\n",
        Verdict.PROBLEM,
        "bias-in-third-place",
    ),
    _example(
        "a size that is called like a parameter, as in the block beside it",
        """
class Block(nn.Cell):
    def __init__(self, inputs, outputs, group=1):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, 1, pad_mode="valid", group=group)

class Net(nn.Cell):
    def __init__(self, inputs, outputs, group):
        super().__init__()
        self.deep = Block(group, group, group=group)
        self.flat = Block(group, outputs)

Net(8, 8, 4)
""",
        Verdict.UNDECIDED,
        "relied-on",
    ),
    _example(
        "a size in the place of another one, twice",
        """
class Block(nn.Cell):
    def __init__(self, inputs, outputs=8, group=1):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, 1, pad_mode="valid", group=group)

class Net(nn.Cell):
    def __init__(self, inputs, group):
        super().__init__()
        self.first = Block(inputs, group)
        self.second = Block(inputs, group)

Net(8, 4)
""",
        Verdict.UNDECIDED,
        "misplaced-perhaps",
        "relied-on",
    ),
    _example(
        "a rate in the place of the initializer's range",
        """
class Block(nn.Cell):
    def __init__(self, width, scale=0.02, dropout=0.0):
        super().__init__()
        self.dense = nn.Dense(width, width)

class Net(nn.Cell):
    def __init__(self, width, dropout):
        super().__init__()
        self.block = Block(width, dropout)

Net(8, 0.1)
""",
        Verdict.PROBLEM,
        "misplaced",
    ),
    _example(
        "arguments called otherwise than parameters",
        """
class Block(nn.Cell):
    def __init__(self, width, dropout=0.0):
        super().__init__()
        self.dense = nn.Dense(width, width)

class Net(nn.Cell):
    def __init__(self, hidden, rate):
        super().__init__()
        self.block = Block(hidden, rate)

Net(8, 0.1)
""",
        Verdict.OK,
        "all-explicit",
    ),
    _example(
        "an initializer that nothing uses",
        """
from mindspore.common import initializer
net = nn.Dense(8, 8)
for parameter in net.get_parameters():
    initializer.Uniform(parameter)
""",
        Verdict.UNDECIDED,
        "initializer-dropped",
    ),
    _example(
        "set_data replaced instead of called",
        """
from mindspore.common.initializer import initializer, XavierUniform
net = nn.Dense(8, 8)
for _, cell in net.cells_and_names():
    cell.weight.set_data = initializer(XavierUniform(), cell.weight.shape)
""",
        Verdict.PROBLEM,
        "set-data-replaced",
    ),
    _beside(
        "the benchmark's network",
        "nn.Conv2d(3, 8, 3, has_bias=True, pad_mode='valid')",
        "nn.Conv2d(3, 8, 3)",
        Verdict.OK,
    ),
    _beside(
        "another dropout than the benchmark's",
        "nn.Dropout(p=0.5)",
        "nn.Dropout(0.1)",
        Verdict.PROBLEM,
        "unlike-benchmark",
    ),
    _beside(
        "PyTorch's momentum in its own terms",
        "nn.BatchNorm2d(8, momentum=0.99)",
        "nn.BatchNorm2d(8, momentum=0.01)",
        Verdict.OK,
    ),
    _beside(
        "a bias that the benchmark has",
        "nn.Conv2d(3, 8, 1)",
        "nn.Conv2d(3, 8, 1)",
        Verdict.PROBLEM,
        "unlike-benchmark",
    ),
    _beside(
        "a bias that the benchmark has, before a normalization",
        "nn.Conv2d(3, 8, 1), nn.BatchNorm2d(8)",
        "nn.Conv2d(3, 8, 1), nn.BatchNorm2d(8)",
        Verdict.OK,
    ),
    _beside(
        "another epsilon",
        "nn.LayerNorm((8,))",
        "nn.LayerNorm((8,))",
        Verdict.UNDECIDED,
        "unlike-benchmark-slightly",
    ),
    _beside(
        "another network",
        "nn.Conv2d(3, 8, 1, has_bias=True), nn.BatchNorm2d(8)",
        "nn.Linear(3, 8), nn.LayerNorm(8), nn.Linear(8, 8)",
        Verdict.UNDECIDED,
        "benchmark-another",
    ),
    Example(
        "a network that is picked by its name",
        files={
            "train.py": "import mindspore as ms\nfrom src import nets\nnet = nets.__dict__[args.arch](10)\n"
            "ms.Model(net, loss, optimizer).train(10, train_ds)\n",
            "src/__init__.py": "",
            "src/nets.py": "from mindspore.nn import BatchNorm2d as Norm\n\ndef small(n):\n    return Norm(n, momentum=0.1)\n",
        },
        case={"scripts": {"train": "train.py"}, "runtime": {"mindspore": "2.10.0"}},
        verdict=Verdict.PROBLEM,
        codes=("momentum-reversed",),
    ),
    _example("no layer at all", "print(ms.__version__)\n", Verdict.UNDECIDED, "no-layers"),
]
