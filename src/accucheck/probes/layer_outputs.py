"""Finds the layer where the outputs of the network part from those of the benchmark, given the same weights and the same input.

Compares dumps.path with dumps.reference: folders of .npy, dumps of MindSpore, or dumps of msprobe from either framework, also of
statistics only. Tensors are paired by a map of names, by name, by place in the network, else by order and shape; what could be
paired in several ways is told. The first layer that differs is named, and whether its inputs agree still: then it is the origin,
and layers behind it only carry the difference on. It cannot see what was not dumped, and knows the order of plain .npy by name only.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..errors import ReadError
from ..language import Words
from ..model import Evidence, Finding, Fix, Kind, Language, Level, Plain, Progress, Table, Verdict, Where
from ..probe import Example, Skip
from ._divergence import Divergence, Layer, Row, jump, layers, locate, tree

if TYPE_CHECKING:
    from ..readers.dump_pairs import Matches, Point
    from ..readers.dumps import Dump

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("dumps.path", "dumps.reference")


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    rtol: Annotated[
        float | None,
        Meta(
            description="how far each number may be off, relative to the benchmark's; none: by type, and relative to the norm",
            extra={
                "unit": "share",
                "source": "by type: float32 1e-4 as in TroubleShooter's compare_npy_dir, float16 5e-3 as in msprobe, bfloat16 4e-2",
            },
        ),
    ] = None
    atol: Annotated[
        float | None,
        Meta(
            description="how far each number may be off in itself; none: by type",
            extra={"unit": "as the tensor", "source": "by type: own choice, float32 1e-7, 16 bits 1e-5"},
        ),
    ] = None
    jump: Annotated[
        float,
        Meta(
            ge=2,
            description="a layer within the tolerance is suspect when it is off by so many times as much as all before it",
            extra={"unit": "times", "source": "measured: layers of clean twins stay within 10 times of each other"},
        ),
    ] = 100.0
    least: Annotated[
        float,
        Meta(
            ge=0,
            description="relative difference below which no layer is suspect",
            extra={"unit": "share", "source": "measured: layers of clean float32 twins agree to 1.3e-6"},
        ),
    ] = 2e-5
    processes: Annotated[
        int,
        Meta(
            ge=1,
            le=64,
            description="processes that compare",
            extra={"unit": "processes", "source": "measured: two fill two cores"},
        ),
    ] = 2


MESSAGES: Words = {
    "origin": {
        "en": "The outputs diverge at {name}{at}: its inputs agree, but its output differs from the benchmark's by {relative} "
        "(relative; up to {largest}). {carriers:,} other {carriers:layer passes|layers pass} the difference on.",
        "zh": "输出从 {name} 开始分叉{at}：输入一致，输出与标杆的相对差值为 {relative}（最大差值 {largest}）。"
        "另有 {carriers:,} 层是差异的传播。",
    },
    "alone": {
        "en": "{name} is the first layer that differs from the benchmark{at}, by {relative} (relative; up to {largest}); "
        "{before} before it agrees. {carriers:,} other {carriers:layer differs|layers differ} too.",
        "zh": "{name} 是第一个与标杆不一致的层{at}，相对差值 {relative}（最大差值 {largest}）；它之前的 {before} 一致。"
        "另有 {carriers:,} 层也不一致。",
    },
    "alone-first": {
        "en": "{name}, the first layer of all, differs from the benchmark{at} by {relative} (relative; up to {largest}), and so "
        "{carriers:does one other|do {carriers:,} others|does no other}. Nothing before it was dumped: is the input the same?",
        "zh": "第一层 {name} 就与标杆不一致{at}，相对差值 {relative}（最大差值 {largest}），另有 {carriers:,} 层也不一致。"
        "它之前没有数据，请先确认两边输入相同。",
    },
    "unordered": {
        "en": "{carriers:,} {carriers:layer differs|layers differ} from the benchmark, {name} by {relative} (relative; up to "
        "{largest}). The file names do not show which of them ran first.",
        "zh": "有 {carriers:,} 层与标杆不一致，其中 {name} 的相对差值为 {relative}（最大差值 {largest}）。"
        "文件名未体现执行顺序，无法判断哪一层最先出现差异。",
    },
    "fed": {
        "en": "{name} is the first layer that differs from the benchmark{at} (relative {relative}), and its inputs already differ: the "
        "difference comes from something that was not dumped, or from the data.",
        "zh": "{name} 是第一个与标杆不一致的层{at}（相对差值 {relative}），但其输入已不一致：差异来自未 dump 的部分或数据本身。",
    },
    "loss": {
        "en": "All {outputs:,} {outputs:output agrees|outputs agree}, but the gradients differ from the first one on{at}: that of "
        "{name}, by {relative} (relative). The loss or its labels differ, not a layer.",
        "zh": "{outputs:,} 个输出全部一致，而梯度从最先算出的 {name} 起就不一致{at}，相对差值 {relative}："
        "差异在损失函数或标签，不在网络层。",
    },
    "loss-factor": {
        "en": "All {outputs:,} {outputs:output agrees|outputs agree}, and the first gradient{at}, that of {name}, is {factor} times "
        "the benchmark's: the loss is scaled differently (sum instead of mean, a weight, a loss scale); no layer differs.",
        "zh": "{outputs:,} 个输出全部一致，而最先算出的 {name} 的梯度是标杆的 {factor} 倍{at}："
        "损失差一个倍数（求和与求平均、权重或 loss scale），网络层没有问题。",
    },
    "attribute": {
        "en": "{name} gets a different number as input {slots}: an attribute such as epsilon differs.",
        "zh": "{name} 的第 {slots} 个输入（单个数值）不同：epsilon 之类的属性不一致。",
    },
    "one-sided": {
        "en": "{name} holds NaN or Inf on one side only ({count:,} {count:tensor does|tensors do}).",
        "zh": "{name} 只在一侧含有 NaN 或 Inf（共 {count:,} 个张量如此）。",
    },
    "jump": {
        "en": "{name} is within the tolerance, but off by {relative} (relative), far more than all layers before it (at most {floor}).",
        "zh": "{name} 在容差之内，但相对差值 {relative}，远大于它之前的各层（最大 {floor}）。",
    },
    "shapes": {
        "en": "{count:,} {count:tensor has|tensors have} a different shape in the benchmark: {names}.",
        "zh": "有 {count:,} 个张量的形状与标杆不同：{names}。",
    },
    "layout": {
        "en": "{count:,} {count:tensor is|tensors are} transposed against the benchmark, with equal numbers: {names}.",
        "zh": "有 {count:,} 个张量与标杆互为转置，数值一致：{names}。",
    },
    "swapped": {
        "en": "{first} and {second} hold each other's numbers: were two files or two names swapped?",
        "zh": "{first} 与 {second} 的数值恰好互换：是否把两个文件或名称弄反了？",
    },
    "both-nan": {
        "en": "{count:,} {count:tensor holds|tensors hold} NaN at the same positions on both sides, first {name}. Those values cannot "
        "be compared; the others were.",
        "zh": "有 {count:,} 个张量在两侧相同位置都是 NaN，第一个是 {name}。这些位置无法比较，其余数值已比较。",
    },
    "no-elements": {
        "en": "{count:,} {count:tensor holds|tensors hold} no element at all, first {name}: nothing was compared there.",
        "zh": "有 {count:,} 个张量不含任何元素，第一个是 {name}：此处没有比较任何数值。",
    },
    "agree": {
        "en": "{count:,} {count:pair|pairs} of tensors agree with the benchmark; the largest relative difference is {relative} ({name}).",
        "zh": "{count:,} 对张量与标杆一致，最大相对差值 {relative}（{name}）。",
    },
    "compared": {
        "en": "{count:,} {count:pair|pairs} of tensors were compared: {same:,} agree, {differ:,} differ.",
        "zh": "比较了 {count:,} 对张量：{same:,} 对一致，{differ:,} 对不一致。",
    },
    "no-pairs": {
        "en": "No tensor of {path} could be paired with one of {reference}: the names have nothing in common, and order and shapes do "
        "not decide either. Give matching names to what should be compared, or a map of names (dumps.map).",
        "zh": "{path} 与 {reference} 中没有能够配对的张量：名称没有对应，顺序和形状也不足以确定。"
        "请给要比较的张量取相同的名称，或用 dumps.map 给出名称对照。",
    },
    "unpaired": {
        "en": "{left:,} {left:tensor is|tensors are} in {path} only and {right:,} in {reference} only: {names}.",
        "zh": "有 {left:,} 个张量只存在于 {path}，{right:,} 个只存在于 {reference}：{names}。",
    },
    "ambiguous": {
        "en": "{count:,} {count:group|groups} of tensors of equal shape could be paired in several ways and were not: {names}.",
        "zh": "有 {count:,} 组形状相同的张量存在多种配对可能，未作比较：{names}。",
    },
    "map-unknown": {
        "en": "{map} names {count:,} {count:module or tensor|modules or tensors} that no dump holds: {names}.",
        "zh": "{map} 中有 {count:,} 个名称在两侧数据中都找不到：{names}。",
    },
    "by-order": {
        "en": "{count:,} {count:pair was|pairs were} made by order and shape, or by equal numbers, since the names differ: {names}.",
        "zh": "有 {count:,} 对因名称不同而按顺序和形状或按数值配对：{names}。",
    },
    "steps": {
        "en": "{count:,} {count:step is|steps are} on one side only, and {count:was|were} not compared: {names}.",
        "zh": "有 {count:,} 个 step 只存在于一侧，未比较：{names}。",
    },
    "unread": {
        "en": "{count:,} {count:file|files} could not be read or compared; the others were. First: {problem}",
        "zh": "有 {count:,} 个文件无法读取或比较，其余已比较。第一个：{problem}",
    },
    "look-finer": {
        "en": "Look inside {name}: dump its parts on both sides (msprobe level mix or L1, or save each part's output with numpy.save "
        "under the same name), and run this again. If it is a single operation, compare its parameters, weights, attributes and "
        "defaults (api.01).",
        "zh": "进一步采集 {name} 内部的数据：两边都 dump 其子模块（msprobe 级别用 mix 或 L1，"
        "或用 numpy.save 以相同名称保存各子模块输出）后再次运行。"
        "如果它已是单个算子，请比对其参数、权重、属性和默认值（api.01）。",
    },
    "number": {
        "en": "Let the names of the files begin with a number that counts up as the layers run (0001_conv1.npy), on both sides alike, and "
        "save inputs too (0001_conv1.input.0.npy, 0001_conv1.output.0.npy); then the first layer that differs is known.",
        "zh": "保存时在文件名前加上按执行顺序递增的序号（如 0001_conv1.npy），两边一致；最好同时保存输入"
        "（0001_conv1.input.0.npy、0001_conv1.output.0.npy），就能确定最先出现差异的层。",
    },
    "look-loss": {
        "en": "Set the loss functions side by side (cmp.03): reduction, label smoothing, ignored index, weights, loss scale; then the "
        "labels of the first batch (cmp.04).",
        "zh": "逐项比对两边的损失函数（cmp.03）：reduction、标签平滑、忽略的标签、权重、loss scale；再比对首批数据的标签（cmp.04）。",
    },
    "look-before": {
        "en": "Compare the first batches (cmp.04) and the initial weights (cmp.06) first; then dump inputs too.",
        "zh": "请先比对首批数据（cmp.04）和初始权重（cmp.06），再连同输入一起 dump。",
    },
}

WHY: Words = {
    code: {
        "en": "With the same weights and the same input, a layer gives the same output up to rounding; one that does not computes "
        "something different, or uses different values.",
        "zh": "权重和输入相同时，同一层的输出只应有舍入误差；超出舍入误差说明计算方式或所用的参数不同。",
    }
    for code in ("origin", "alone", "alone-first", "unordered", "fed", "jump")
} | {
    code: {
        "en": "Gradients start at the loss: if all outputs agree, the first gradient depends only on the loss and its labels.",
        "zh": "反向传播从损失开始：输出全部一致时，最先算出的梯度只取决于损失函数和标签。",
    }
    for code in ("loss", "loss-factor")
}
PROOF: Words = (
    {
        code: {
            "en": "Run this layer alone on both sides with the dumped input and the same weights: the outputs must differ by as much.",
            "zh": "两边用 dump 出的同一份输入和相同权重单独运行该层：输出应出现同样的差异。",
        }
        for code in ("origin", "alone", "jump")
    }
    | {
        code: {
            "en": "Save the input of the network on both sides (cmp.04) and compare it first: it must be equal.",
            "zh": "两边都保存网络的输入（cmp.04）并先行比对：输入必须一致。",
        }
        for code in ("alone-first", "unordered", "fed")
    }
    | {
        code: {
            "en": "Give the benchmark's saved output and labels to both loss functions: the losses or their gradients must differ.",
            "zh": "把标杆保存的输出和标签分别单独喂给两边的损失函数：loss 或其梯度必然不同。",
        }
        for code in ("loss", "loss-factor")
    }
)

WORDS: Words = {
    "layers": {"en": "Layers in order", "zh": "各层（按顺序）"},
    "tree": {"en": "By module", "zh": "按模块"},
    "relative": {"en": "Relative", "zh": "相对差值"},
    "name": {"en": "Name", "zh": "名称"},
    "benchmark": {"en": "Benchmark", "zh": "标杆"},
    "tensor": {"en": "Tensor", "zh": "张量"},
    "shape": {"en": "Shape", "zh": "形状"},
    "dtype": {"en": "Type", "zh": "数据类型"},
    "largest": {"en": "Max difference", "zh": "最大差值"},
    "mean": {"en": "Mean difference", "zh": "平均差值"},
    "cosine": {"en": "Cosine", "zh": "余弦相似度"},
    "outside": {"en": "Beyond tolerance", "zh": "超出容差占比"},
    "non-finite": {"en": "NaN or Inf on one side", "zh": "单侧 NaN 或 Inf"},
    "verdict": {"en": "Agrees", "zh": "是否一致"},
    "shapes": {"en": "Other shapes", "zh": "形状不同的张量"},
    "unpaired": {"en": "On one side only", "zh": "只存在于一侧的张量"},
    "ambiguous": {"en": "Ambiguous", "zh": "配对不确定的张量"},
    "by-order": {"en": "Paired by order, shape or numbers", "zh": "按顺序、形状或数值配对的张量"},
    "unread": {"en": "Not compared", "zh": "未比较的文件"},
    "problem": {"en": "Problem", "zh": "问题"},
    "side": {"en": "Side", "zh": "所在一侧"},
}

_ROWS, _BEFORE = 200, 20
COLUMNS = [
    "name",
    "benchmark",
    "tensor",
    "shape",
    "dtype",
    "relative",
    "largest",
    "mean",
    "cosine",
    "outside",
    "non-finite",
    "verdict",
]


def _of_one_kind(left: Dump, right: Dump) -> tuple[Dump, Dump]:
    """Both dumps; of the graph of one and the modules of another, what comes out of modules."""
    from ..readers.dump_pairs import module_output, of_graph

    if of_graph(left) == of_graph(right):
        return left, right
    return (module_output(left), right) if of_graph(left) else (left, module_output(right))


def _compared(found: Matches, params: Params) -> Generator[Progress, None, list[Row]]:
    from ..readers.dump_comparison import Tolerance, compare_tensors

    rows: list[Row] = []
    pairs = [(one.left.tensor, one.right.tensor) for one in found.found]
    outcomes = compare_tensors(pairs, Tolerance(params.rtol, params.atol), params.processes)
    for done, (one, outcome) in enumerate(zip(found.found, outcomes, strict=True), start=1):
        rows.append((one, outcome))
        if done % 64 == 0:
            yield Progress(done, len(pairs), "tensors")
    yield Progress(len(pairs), len(pairs), "tensors")
    return rows


def _unknown_names(path: str, found: Matches) -> Finding:
    names = shown([name for _, name in found.unknown])
    return Finding("map-unknown", Level.INFO, Where(path), {"map": path, "count": len(found.unknown), "names": names})


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    """Raises ReadError where a side cannot be read at all."""
    from ..readers.dump_pairs import match, read_names, unordered
    from ..readers.dumps import open_dump

    path, reference = case.paths("dumps.path")[0], case.paths("dumps.reference")[0]
    left, right = _of_one_kind(open_dump(path), open_dump(reference))
    maps = case.paths("dumps.map")
    found = match(left, right, read_names(maps[0]) if maps else None)
    names = {"path": case.relative(path), "reference": case.relative(reference)}
    where = Where(names["path"])
    if maps and found.unknown:
        yield _unknown_names(case.relative(maps[0]), found)
    if not found.found:
        yield from left_out(found, where, names)
        raise Skip("no-pairs", **names)
    rows = yield from _compared(found, params)
    yield from _judged(rows, params, where, unordered(left))
    yield from shapes(rows, where)
    yield from _swapped(rows, where, params)
    yield from left_out(found, where, names)
    problems = [*left.problems, *right.problems, *(outcome.error for _, outcome in rows if outcome.error)]
    if problems:
        yield unread(problems, where)
    by_order = [one for one in found.found if one.how in ("order", "numbers")]
    if by_order:
        data = {"count": len(by_order), "names": shown([f"{one.left.name} - {one.right.name}" for one in by_order])}
        cells: list[list[Plain]] = [[one.left.name, one.right.name] for one in by_order]
        yield Finding("by-order", Level.INFO, where, data, [_table("by-order", ["name", "benchmark"], cells)])


def without_elements(names: list[str], where: Where) -> Iterator[Finding]:
    """Pairs of tensors that hold nothing to be compared."""
    if names:
        yield Finding("no-elements", Level.INFO, where, {"count": len(names), "name": names[0]}, incomplete=True)


def hollow(rows: list[Row]) -> list[str]:
    """The names of the tensors of no element, on either side."""
    return [one.left.name for one, outcome in rows if any(shape is not None and 0 in shape for shape in outcome.shapes)]


def _judged(rows: list[Row], params: Params, where: Where, by_name: bool) -> Iterator[Finding]:
    # A tensor of another shape is told apart: it may be a transposed one.
    compared = [(one, outcome) for one, outcome in rows if outcome.compared]
    if not compared:
        return
    yield from without_elements(hollow(compared), where)
    order = layers(compared, by_name)
    split = locate(order)
    evidence: list[Evidence] = [_layers(compared, split), tree(order, "tree", "relative")]
    differ = sum(bool(outcome.differs) for _, outcome in compared)
    if split is not None:
        outputs = sum(layer.compared and layer.direction == "forward" for layer in order)
        yield _split(split, where, evidence, by_name, outputs)
        if split.kind == "origin" and split.layer.attributes:
            told = [row[0].left.name.rpartition(".input.")[2] for row in split.layer.attributes]
            yield Finding("attribute", Level.INFO, where, {"name": split.layer.name, "slots": shown(told)})
        yield Finding(
            "compared", Level.INFO, where, {"count": len(compared), "same": len(compared) - differ, "differ": differ}
        )
    else:
        one, outcome = max(compared, key=lambda row: row[1].relative or 0.0)
        data = {"count": len(compared), "relative": number(outcome.relative or 0.0), "name": one.left.name}
        yield Finding("agree", Level.INFO, where, data, evidence)
        if params.rtol is None and params.atol is None and (found := jump(order, params.jump, params.least)):
            floor = max(layer.relative or 0.0 for layer in order[: order.index(found)])
            data = {"name": found.name, "relative": number(found.relative or 0.0), "floor": number(floor)}
            yield Finding("jump", Level.SUSPECT, _place(where, found), data, fix=Fix("look-finer"))
    one_sided = [
        one
        for one, outcome in compared
        if (outcome.found and (outcome.found.nan or outcome.found.inf)) or outcome.largest == math.inf
    ]
    if one_sided:
        yield Finding("one-sided", Level.INFO, where, {"count": len(one_sided), "name": one_sided[0].left.name})
    both = [one for one, outcome in compared if outcome.both_nan]
    if both:
        data = {"count": len(both), "name": both[0].left.name}
        yield Finding("both-nan", Level.SUSPECT, where, data)


def _split(split: Divergence, where: Where, evidence: list[Evidence], by_name: bool, outputs: int) -> Finding:
    layer = split.layer
    _, outcome = layer.worst()
    carriers = len(split.carriers)
    code = "alone-first" if split.kind == "alone" and split.before is None else split.kind
    if by_name and split.carriers:
        code, carriers = "unordered", carriers + 1
    data: dict[str, Any] = {
        "name": layer.name,
        "at": _at(layer),
        "relative": number(outcome.relative),
        "largest": number(outcome.largest),
        "carriers": carriers,
        "before": split.before.name if split.before else "-",
    }
    if code == "loss":
        data["outputs"] = outputs
        found = outcome.found
        # Of one direction, but for rounding in the sums.
        if found is not None and found.right_square and (found.cosine or 0.0) > 1 - 1e-6:
            code, data["factor"] = "loss-factor", f"{found.product / found.right_square:.4g}"
        return Finding(code, Level.PROBLEM, _place(where, layer), data, evidence, Fix("look-loss"))
    fix = Fix({"fed": "look-before", "alone-first": "look-before", "unordered": "number"}.get(code, "look-finer"))
    return Finding(code, Level.PROBLEM, _place(where, layer), data, evidence, fix)


def _place(where: Where, layer: Layer) -> Where:
    return Where(where.path, name=layer.name, step=layer.step)


def _at(layer: Layer) -> dict[str, str]:
    """Which step and rank, and whether it is the backward pass, in both languages."""
    parts = {"en": [""], "zh": [""]}
    for value, en, zh in ((layer.step, "step {}", "step {}"), (layer.rank, "rank {}", "rank {}")):
        if value is not None:
            parts["en"].append(en.format(value))
            parts["zh"].append(zh.format(value))
    if layer.direction != "forward":
        parts["en"].append("backward")
        parts["zh"].append("反向")
    return {"en": ", ".join(parts["en"]), "zh": "，".join(parts["zh"])}


def _layers(rows: list[Row], split: Divergence | None) -> Table:
    """The pairs in order; where there are too many, those around the first that differs."""
    start = 0
    if split is not None and len(rows) > _ROWS:
        wanted = [id(row[0]) for row in split.layer.told]
        first = next((at for at, row in enumerate(rows) if id(row[0]) in wanted), 0)
        start = max(0, min(first - _BEFORE, len(rows) - _ROWS))
    return Table("layers", COLUMNS, [cells(row) for row in rows[start : start + _ROWS]], len(rows))


def cells(row: Row) -> list[Plain]:
    """A row of the table of pairs, with the columns of `COLUMNS`."""
    one, outcome = row
    found = outcome.found
    dtype = " / ".join(dict.fromkeys(outcome.dtypes))
    numbers: list[Plain] = [_finite(outcome.relative), _finite(outcome.largest), None, None, None, None]
    if found:
        numbers[2:] = [
            found.mean,
            found.cosine,
            found.outside / found.count if found.count else 0.0,
            found.nan + found.inf,
        ]
    spot = one.left.spot
    verdict = None if outcome.differs is None else "≠" if outcome.differs else "="
    return [
        one.left.name,
        one.right.name,
        f"{spot.io} {spot.slot}",
        shape(outcome.shapes[0]),
        dtype,
        *numbers,
        verdict,
    ]


def shapes(rows: list[Row], where: Where) -> Iterator[Finding]:
    other = [(one, outcome) for one, outcome in rows if not outcome.compared and outcome.differs]
    for code, level, some in (
        ("shapes", Level.SUSPECT, [row for row in other if not row[1].transposed]),
        ("layout", Level.INFO, [row for row in other if row[1].transposed]),
    ):
        if some:
            told = [f"{one.left.name} {shape(outcome.shapes[0])} / {shape(outcome.shapes[1])}" for one, outcome in some]
            lines: list[list[Plain]] = [
                [one.left.name, shape(outcome.shapes[0]), one.right.name, shape(outcome.shapes[1])]
                for one, outcome in some
            ]
            evidence = [_table("shapes", ["name", "shape", "benchmark", "shape"], lines)]
            yield Finding(code, level, where, {"count": len(some), "names": shown(told)}, list(evidence))


def _swapped(rows: list[Row], where: Where, params: Params) -> Iterator[Finding]:
    """Two tensors of one shape that hold each other's numbers: found by their norms, shown by comparing them crosswise."""
    from ..readers.dump_comparison import Tolerance, compare_tensors

    differing = [row for row in rows if row[1].differs and row[1].found and row[1].found.left_square > 0][:_ROWS]
    for at, (one, outcome) in enumerate(differing):
        for other, second in differing[at + 1 :]:
            a, b = outcome.found, second.found
            if outcome.shapes != second.shapes or a is None or b is None:
                continue
            near = math.isclose(a.left_square, b.right_square, rel_tol=1e-3)
            if near and math.isclose(b.left_square, a.right_square, rel_tol=1e-3):
                crossed = [(one.left.tensor, other.right.tensor), (other.left.tensor, one.right.tensor)]
                if not any(
                    found.differs is not False
                    for found in compare_tensors(crossed, Tolerance(params.rtol, params.atol), 1)
                ):
                    yield Finding("swapped", Level.SUSPECT, where, {"first": one.left.name, "second": other.left.name})
                    return


def left_out(found: Matches, where: Where, names: dict[str, str]) -> Iterator[Finding]:
    """What could not be paired."""
    if found.left or found.right:
        told = [point.name for point in (*found.left[:3], *found.right[:3])]
        data = names | {"left": len(found.left), "right": len(found.right), "names": shown(told)}
        sides: list[tuple[str, list[Point]]] = [(names["path"], found.left), (names["reference"], found.right)]
        lines: list[list[Plain]] = [[side, point.name] for side, some in sides for point in some]
        evidence = [_table("unpaired", ["side", "name"], lines)]
        # What one side has more than the other leaves nothing uncompared.
        incomplete = bool(found.left and found.right)
        yield Finding("unpaired", Level.INFO, where, data, list(evidence), incomplete=incomplete)
    if found.ambiguous:
        told = [", ".join(one[:2]) + " - " + ", ".join(other[:2]) for one, other in found.ambiguous]
        lines = [[", ".join(one[:20]), ", ".join(other[:20])] for one, other in found.ambiguous]
        evidence = [_table("ambiguous", ["name", "benchmark"], lines)]
        data = {"count": len(found.ambiguous), "names": shown(told)}
        yield Finding("ambiguous", Level.INFO, where, data, list(evidence), incomplete=True)
    if found.steps:
        told = [
            f"{names['path' if side == 'left' else 'reference']}: {_step(rank, step)}"
            for side, rank, step in found.steps
        ]
        yield Finding("steps", Level.INFO, where, {"count": len(told), "names": shown(told)}, incomplete=True)


def _step(rank: int | None, step: int | None) -> str:
    return " ".join([f"rank {rank}"] * (rank is not None) + [f"step {step}"] * (step is not None)) or "-"


def unread(problems: Sequence[ReadError], where: Where) -> Finding:
    problem = {language.value: problems[0].text(language) for language in Language}
    lines: list[list[Plain]] = [[str(error.data.get("path", "-")), error.code] for error in problems]
    evidence = [_table("unread", ["name", "problem"], lines)]
    return Finding(
        "unread", Level.INFO, where, {"count": len(problems), "problem": problem}, list(evidence), incomplete=True
    )


def _table(title: str, columns: list[str], lines: list[list[Plain]]) -> Table:
    return Table(title, columns, lines[:_ROWS], len(lines))


def shown(names: list[str]) -> list[str]:
    return names[:4] + ["…"] * (len(names) > 4)


def shape(shape: tuple[int, ...] | None) -> str:
    return "×".join(map(str, shape or ())) or "-"


def number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2g}"


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def npy(values: list[Any], shape: tuple[int, ...] | None = None, kind: str = "f") -> bytes:
    """A .npy of float32, or of int32 ("i"), for the examples."""
    from array import array

    head = f"{{'descr': '<{kind}4', 'fortran_order': False, 'shape': {shape or (len(values),)}, }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode() + array(kind, values).tobytes()


def _drawn(seed: int, factor: float = 1.0) -> list[float]:
    import random

    generator = random.Random(seed)
    return [generator.gauss(0, 1) * factor for _ in range(24)]


def _example(name: str, ours: dict[str, bytes], verdict: Verdict, *codes: str) -> Example:
    theirs = {f"{at}_layer": npy(_drawn(at)) for at in range(4)}
    theirs |= {f"{at}_layer.grad": npy(_drawn(at)) for at in (4, 5)}
    files: dict[str, Any] = {f"dump/{key}.npy": value for key, value in ({**theirs, **ours}).items()}
    files |= {f"ref/{key}.npy": value for key, value in theirs.items()}
    return Example(
        name, files=files, case={"dumps": {"path": "dump", "reference": "ref"}}, verdict=verdict, codes=codes
    )


EXAMPLES = [
    _example("the same outputs", {}, Verdict.OK, "agree"),
    _example("rounding only", {"2_layer": npy(_drawn(2, 1 + 1e-6))}, Verdict.OK, "agree"),
    _example(
        "two layers differ",
        {"2_layer": npy(_drawn(2, 1.01)), "3_layer": npy(_drawn(3, 1.02))},
        Verdict.PROBLEM,
        "alone",
    ),
    _example("the first one differs", {"0_layer": npy(_drawn(0, 1.5))}, Verdict.PROBLEM, "alone-first"),
    _example("off within the tolerance", {"1_layer": npy(_drawn(1, 1 + 5e-5))}, Verdict.UNDECIDED, "jump"),
    _example("another shape", {"3_layer": npy(_drawn(3)[:12])}, Verdict.UNDECIDED, "shapes"),
    _example("half written", {"3_layer": npy(_drawn(3))[:150]}, Verdict.UNDECIDED, "unread"),
    Example(
        "names without order",
        files={
            f"{side}/{name}.npy": npy(_drawn(at, factor))
            for side, factor in (("dump", 1.1), ("ref", 1.0))
            for at, name in enumerate("ab")
        },
        case={"dumps": {"path": "dump", "reference": "ref"}},
        verdict=Verdict.PROBLEM,
        codes=["unordered"],
    ),
    _example(
        "the gradients differ from the loss on",
        {"4_layer.grad": npy(_drawn(4, 32.0)), "5_layer.grad": npy(_drawn(5, 32.0))},
        Verdict.PROBLEM,
        "loss-factor",
    ),
    _example("swapped", {"1_layer": npy(_drawn(2)), "2_layer": npy(_drawn(1))}, Verdict.PROBLEM, "alone", "swapped"),
]
