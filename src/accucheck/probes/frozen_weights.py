"""Finds weights that moved though they should be frozen, and weights that did not move, between two checkpoints of a training.

Compares checkpoints.previous, or checkpoints.initial where there is none, with checkpoints.current, number by number, against
design.frozen. Moving statistics of normalisations, which no optimizer moves, and the state of the optimizer are told apart by their
names. It cannot say why a weight did not move, nor whether that is meant where design.frozen is silent. Quantised weights are named,
not compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import msgspec

from ..case import Case
from ..language import Words
from ..model import Evidence, Finding, Fix, Kind, Level, Plain, Progress, Refutes, Verdict, Where
from ..probe import Example, Skip
from . import _checkpoints
from ._checkpoints import (
    DIFFERENCE,
    STATISTICS,
    Threads,
    ckpt,
    difference,
    drawn,
    not_compared,
    of_tensors,
    shape,
    shown,
    table,
)

if TYPE_CHECKING:
    from ..readers.tensor_comparison import Comparison
    from ..readers.tensors import TensorInfo

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = (
    ("checkpoints.previous", "checkpoints.initial"),
    "checkpoints.current",
)


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    threads: Threads = 2


MESSAGES: Words = {
    **_checkpoints.MESSAGES,
    "one-sided": {
        "en": "{count:,} {count:tensor is|tensors are} in one of the two checkpoints only, and could not be "
        "compared: {names}.",
        "zh": "有 {count:,} 个张量只存在于其中一个 checkpoint，无法比较：{names}。",
    },
    "same-file": {
        "en": "The earlier checkpoint and checkpoints.current are one file, {path}. Give two of one training, some steps apart.",
        "zh": "较早的 checkpoint 与 checkpoints.current 是同一个文件 {path}。请给出同一次训练中相隔若干步的两个 checkpoint。",
    },
    "frozen-moved": {
        "en": "{count:,} {count:weight|weights} that design.frozen names changed between the two checkpoints, by up "
        "to {largest:.3g}: {names}.",
        "zh": "design.frozen 声明冻结的权重中，有 {count:,} 个在两个 checkpoint 之间发生了变化（最大差值 {largest:.3g}）：{names}。",
    },
    "frozen-statistics-moved": {
        "en": "{count:,} moving {count:statistic|statistics} that design.frozen names changed between the two checkpoints: {names}. "
        "Freezing parameters does not stop {count:it|them}; the normalisation ran in training mode.",
        "zh": "design.frozen 声明冻结的滑动统计量中，有 {count:,} 个在两个 checkpoint 之间发生了变化：{names}。冻结参数管不到它们，"
        "说明归一化层以训练模式运行。",
    },
    "nothing-moved": {
        "en": "None of the {count:,} {count:weight that is|weights that are} not declared frozen changed between the two "
        "checkpoints: what should be trained is not.",
        "zh": "未声明冻结的 {count:,} 个权重在两个 checkpoint 之间全无变化：应当训练的部分没有得到训练。",
    },
    "same-step": {
        "en": "The two checkpoints are equal and of one step ({name}). Give two that are some steps apart.",
        "zh": "两个 checkpoint 完全相同，且来自同一步（{name}）。请给出相隔若干步的两个 checkpoint。",
    },
    "unmoved": {
        "en": "{count:,} {count:weight|weights} did not change between the two checkpoints, while {moved:,} did; "
        "design.frozen does not name "
        "them: {names}.",
        "zh": "有 {count:,} 个权重在两个 checkpoint 之间没有变化（另有 {moved:,} 个发生了变化），而 design.frozen 中没有声明：{names}。",
    },
    "unmatched": {
        "en": "No weight has a name that fits {pattern} of design.frozen.",
        "zh": "没有权重的名称与 design.frozen 中的 {pattern} 匹配。",
    },
    "rounding": {
        "en": "{count:,} {count:weight is|weights are} of different types in the two checkpoints and {count:differs|differ} by no more "
        "than rounding; whether they were trained cannot be determined: {names}.",
        "zh": "有 {count:,} 个权重在两个 checkpoint 中的数据类型不同，差异未超出舍入误差，无法判断是否得到训练：{names}。",
    },
    "shapes-differ": {
        "en": "{count:,} {count:tensor has|tensors have} a different shape in the other checkpoint: {names}. Do both belong to the "
        "same network?",
        "zh": "有 {count:,} 个张量在两个 checkpoint 中形状不同：{names}。请确认两者来自同一个网络。",
    },
    "statistics-unmoved": {
        "en": "None of the {count:,} moving {count:statistic|statistics} changed: the normalisations did not run in training mode in "
        "between.",
        "zh": "{count:,} 个滑动统计量全无变化：在两个 checkpoint 之间，归一化层没有以训练模式运行。",
    },
    "no-weights": {
        "en": "The two checkpoints have no floating-point weights in common.",
        "zh": "两个 checkpoint 没有共同的浮点类型权重。",
    },
    "examined": {
        "en": "Between {previous} and {path}, {moved:,} of {count:,} {count:weight|weights} changed; {frozen:,} {frozen:is|are} "
        "declared frozen and unchanged.",
        "zh": "从 {previous} 到 {path}，{count:,} 个权重中有 {moved:,} 个发生变化，{frozen:,} 个声明冻结且未变。",
    },
    "fix-freeze": {
        "en": "Set requires_grad = False on these parameters before the optimizer is built, and build it from net.trainable_params(); "
        "or correct design.frozen.",
        "zh": "在创建优化器之前把这些参数的 requires_grad 设为 False，并用 net.trainable_params() 创建优化器；或修正 design.frozen。",
    },
    "fix-train": {
        "en": "Check that the optimizer gets net.trainable_params() of the network that is trained and saved, that no stop_gradient "
        "precedes the loss, and that the learning rate is not 0.",
        "zh": "请确认优化器拿到的是所训练、所保存网络的 net.trainable_params()，损失之前没有 stop_gradient，学习率不为 0。",
    },
    "fix-statistics": {
        "en": "Call set_train(False) on the frozen part after network.set_train(), in each epoch, or set use_batch_statistics=False on "
        "its BatchNorm layers.",
        "zh": "在每个 epoch 的 network.set_train() 之后，对冻结部分调用 set_train(False)，或为 BatchNorm 设置 use_batch_statistics=False。",
    },
}

WHY: Words = {
    "frozen-moved": {
        "en": "Weights that should stay as loaded are trained, often at a learning rate chosen for new layers: they forget what they "
        "knew.",
        "zh": "本应保持加载值的权重在被训练，学习率往往又是为新增层设的，预训练得到的特征会被破坏。",
    },
    "frozen-statistics-moved": {
        "en": "The frozen layers normalise by statistics that drift away from those their weights were trained with.",
        "zh": "冻结层的权重不变，归一化所用的统计量却在漂移，与这些权重训练时的统计量不再匹配。",
    },
    "nothing-moved": {
        "en": "The loss varies only with the data; the network does not change.",
        "zh": "看到的 loss 只随数据波动，网络始终停在原来的状态。",
    },
    "unmoved": {
        "en": "A weight that should learn but gets no update keeps its initial value and limits all layers around it.",
        "zh": "本应学习的权重得不到更新，会一直停在初值，并拖累前后各层。",
    },
}
PROOF: Words = {
    "frozen-moved": {
        "en": "Print net.trainable_params() and optimizer.parameters: the names are listed there. Freeze them and compare "
        "two checkpoints again.",
        "zh": "打印 net.trainable_params() 和 optimizer.parameters，这些名称会出现在其中。冻结后再比较两个 checkpoint。",
    },
    "frozen-statistics-moved": {
        "en": "Save a checkpoint before and after one epoch with set_train(False) on the frozen part: these tensors must be equal then.",
        "zh": "对冻结部分调用 set_train(False)，在一个 epoch 前后各保存一次：这些张量应完全相同。",
    },
    "nothing-moved": {
        "en": "Make sure the files are not copies of one. Then train one step at a large learning rate and compare a weight before and "
        "after it.",
        "zh": "先确认两个文件不是同一文件的副本，再用较大的学习率训练一步，比较同一个权重在这一步前后的值。",
    },
    "unmoved": {
        "en": "Print the gradient of one of these weights in one step: None or zeros prove it. If this is intended, list the weight in "
        "design.frozen.",
        "zh": "打印其中一个权重在某一步的梯度：若没有梯度或全为 0，即可确认。若属有意冻结，请写入 design.frozen。",
    },
}

WORDS: Words = {
    **_checkpoints.WORDS,
    "one-sided": {"en": "In one checkpoint only", "zh": "只存在于一侧的张量"},
    "frozen-moved": {"en": "Declared frozen, and changed", "zh": "声明冻结但发生变化的权重"},
    "frozen-statistics-moved": {"en": "Declared frozen, and changed", "zh": "声明冻结但发生变化的滑动统计量"},
    "unmoved": {"en": "Unchanged, and not declared frozen", "zh": "未变且未声明冻结的权重"},
    "rounding": {"en": "Equal but for rounding", "zh": "仅有舍入差异的权重"},
    "shapes": {"en": "Different shapes", "zh": "形状不同的张量"},
    "kinds": {"en": "Tensors that changed / all, by kind", "zh": "各类张量：变化数 / 总数"},
    "all": {"en": "Change of each weight", "zh": "各权重的变化"},
    "weight": {"en": "Weights", "zh": "权重"},
    "declared": {"en": "Declared frozen", "zh": "声明冻结的权重"},
    "statistics": {"en": "Moving statistics", "zh": "滑动统计量"},
    "buffer": {"en": "Integers", "zh": "整数张量"},
    "state": {"en": "Training state", "zh": "训练状态"},
}

#: Counters of steps, as MindSpore's optimizers, callbacks and append_dict call them.
_STEP = re.compile(r"(^|\.)(global_step|state_step|step|step_num|cur_step_num|epoch_num|cur_epoch_num)$")

_Row = tuple["TensorInfo", "TensorInfo", "Comparison"]


def fits(name: str, pattern: str) -> bool:
    return fnmatchcase(name, pattern) or fnmatchcase(name, "*." + pattern)


def _kind(info: TensorInfo, patterns: list[str]) -> str:
    if info.role != "weight":
        return "state"
    if STATISTICS.search(info.name):
        return "statistics"
    if not info.floating:
        return "buffer"
    return "declared" if any(fits(info.name, pattern) for pattern in patterns) else "weight"


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    """Raises ReadError when one of the two checkpoints cannot be read, Skip when they are one file."""
    from ..readers.checkpoints import open_checkpoint
    from ..readers.tensor_comparison import compare, pair

    previous = (case.paths("checkpoints.previous") or case.paths("checkpoints.initial"))[0]
    (current,) = case.paths("checkpoints.current")
    if previous.resolve() == current.resolve():
        raise Skip("same-file", path=case.relative(current))
    where = Where(case.relative(current))
    left, right = open_checkpoint(previous), open_checkpoint(current)
    pairs = pair(left.tensors, right.tensors)
    rows: list[_Row] = []
    yield Progress(0, len(pairs.same), "tensors")
    for row in compare(pairs.same, params.threads):
        rows.append(row)
        yield Progress(len(rows), len(pairs.same), "tensors")

    patterns = case.spec.design.frozen
    kinds: dict[str, list[_Row]] = {kind: [] for kind in ("weight", "declared", "statistics", "buffer", "state")}
    for row in rows:
        if row[2].count:
            kinds[_kind(row[0], patterns)].append(row)
    yield from _judge(where, patterns, kinds, rows)
    names = [info.name for info in (*left.weights, *right.weights)]
    for pattern in patterns:
        if not any(fits(name, pattern) for name in names):
            yield Finding("unmatched", Level.SUSPECT, where, {"pattern": pattern})
    if pairs.shapes:
        cells: list[list[Plain]] = [[info.name, shape(info), shape(other)] for info, other in pairs.shapes]
        data: dict[str, Any] = {"count": len(cells), "names": shown(info.name for info, _ in pairs.shapes)}
        yield Finding(
            "shapes-differ", Level.SUSPECT, where, data, [table("shapes", ["name", "shape", "other-shape"], cells)]
        )
    if alone := pairs.left + pairs.right:
        cells = [[info.name, shape(info), case.relative(info.path)] for info in alone]
        data = {"count": len(alone), "names": shown(info.name for info in alone)}
        # State may be saved or not; a weight on one side only leaves a gap.
        gap = any(info.role == "weight" for info in alone)
        evidence = [table("one-sided", ["name", "shape", "path"], cells)]
        yield Finding("one-sided", Level.INFO, where, data, list(evidence), incomplete=gap)
    yield from not_compared(pairs, where, {})

    weights = kinds["weight"] + kinds["declared"]
    weights.sort(key=lambda row: not _moved(row))
    if not weights:
        yield Finding("no-weights", Level.INFO, where, incomplete=True)
    counts: list[Plain] = [f"{sum(map(_moved, some)):,} / {len(some):,}" for some in kinds.values()]
    data = {
        "previous": case.relative(previous),
        "path": where.path,
        "count": len(weights),
        "moved": sum(map(_moved, weights)),
        "frozen": sum(not _moved(row) for row in kinds["declared"]),
    }
    changes = table("all", DIFFERENCE, [difference(*row) for row in weights])
    tables: list[Evidence] = [table("kinds", list(kinds), [counts]), changes]
    yield Finding("examined", Level.INFO, where, data, tables, refutes=_refuted(kinds))


def _refuted(kinds: dict[str, list[_Row]]) -> list[Refutes]:
    """What scripts may seem to freeze, and moved. A weight that gets no gradient may still move, by its decay: of that nothing is said."""
    codes = ["all-frozen"] if any(map(_moved, kinds["weight"])) else []
    if kinds["weight"] and all(map(_moved, kinds["weight"])):
        codes += ["random-frozen", "head-frozen", "unfreezes-nothing"]
    if kinds["declared"] and not any(map(_moved, kinds["declared"])):
        codes.append("declared-not-frozen")
    return [Refutes("frozen_weights_script", codes)] if codes else []


def _moved(row: _Row) -> bool:
    """Whether numbers changed; a zero that changed its sign did not. Between types, by more than rounding."""
    left, right, found = row
    return found.equal < found.count if left.dtype == right.dtype else found.outside > 0


def _rounded(row: _Row) -> bool:
    """Whether the types differ, and what differs may be rounding."""
    return row[0].dtype != row[1].dtype and row[2].equal < row[2].count and not row[2].outside


def _judge(where: Where, patterns: list[str], kinds: dict[str, list[_Row]], rows: list[_Row]) -> Iterator[Finding]:
    def told(code: str, level: Level, found: list[_Row], fix: str | None = None, **data: Any) -> Iterator[Finding]:
        return of_tensors(where, {}, code, level, DIFFERENCE, [difference(*row) for row in found], fix, **data)

    wrong = sorted((row for row in kinds["declared"] if _moved(row)), key=lambda row: -row[2].largest)
    largest = min(wrong[0][2].largest, 1e300) if wrong else 0.0
    yield from told("frozen-moved", Level.PROBLEM, wrong, "fix-freeze", largest=largest)
    statistics = kinds["statistics"]
    drifting = [row for row in statistics if _moved(row) and any(fits(row[0].name, pattern) for pattern in patterns)]
    yield from told("frozen-statistics-moved", Level.SUSPECT, drifting, "fix-statistics")

    rounded = [row for row in kinds["weight"] if _rounded(row)]
    if rounded:
        data = {"count": len(rounded), "names": shown(row[0].name for row in rounded)}
        evidence = [table("rounding", DIFFERENCE, [difference(*row) for row in rounded])]
        yield Finding("rounding", Level.INFO, where, data, list(evidence), incomplete=True)
    moved = [row for row in kinds["weight"] if _moved(row)]
    still = [row for row in kinds["weight"] if not _moved(row) and not _rounded(row)]
    steps = [row for row in rows if _STEP.search(row[0].name) and row[2].count]
    if still and not moved and not rounded:
        equal = all(found.equal == found.count for _, _, found in rows)
        if equal and steps:
            yield Finding("same-step", Level.SUSPECT, where, {"name": steps[0][0].name})
        else:
            yield Finding("nothing-moved", Level.PROBLEM, where, {"count": len(still)}, fix=Fix("fix-train"))
    else:
        yield from told("unmoved", Level.SUSPECT, still, "fix-train", moved=len(moved))
    if statistics and moved and not any(map(_moved, statistics)):
        yield Finding("statistics-unmoved", Level.INFO, where, {"count": len(statistics)})


_BEFORE = {
    "backbone.conv.weight": drawn(4, 3, 3, 3),
    "backbone.bn.moving_mean": ([4], [0.0] * 4),
    "backbone.bn.gamma": ([4], [1.0] * 4),
    "head.weight": drawn(2, 4),
    "head.bias": ([2], [0.0] * 2),
    "moments.head.weight": ([2, 4], [0.0] * 8),
    "global_step": ([1], [10.0]),
}
_AFTER = {
    "head.weight": drawn(2, 4, seed=1),
    "head.bias": ([2], [0.1, -0.1]),
    "moments.head.weight": ([2, 4], [0.5] * 8),
    "global_step": ([1], [20.0]),
}


def _example(
    name: str, after: dict[str, Any], verdict: Verdict, *codes: str, frozen: str | None = "backbone.*"
) -> Example:
    return Example(
        name,
        files={"e1.ckpt": ckpt(_BEFORE), "e2.ckpt": ckpt(_BEFORE | after)},
        case={
            "checkpoints": {"previous": "e1.ckpt", "current": "e2.ckpt"},
            "design": {"frozen": [frozen] if frozen else []},
        },
        verdict=verdict,
        codes=codes,
    )


EXAMPLES = [
    _example("a frozen backbone, as declared", _AFTER, Verdict.OK),
    _example(
        "everything moves, and nothing is declared",
        _AFTER | {"backbone.conv.weight": drawn(4, 3, 3, 3, seed=1), "backbone.bn.gamma": ([4], [1.5] * 4)},
        Verdict.OK,
        frozen=None,
    ),
    _example(
        "a backbone that is declared frozen, and moves",
        _AFTER | {"backbone.conv.weight": drawn(4, 3, 3, 3, seed=1)},
        Verdict.PROBLEM,
        "frozen-moved",
    ),
    _example(
        "statistics of a frozen backbone move",
        _AFTER | {"backbone.bn.moving_mean": ([4], [0.3] * 4)},
        Verdict.UNDECIDED,
        "frozen-statistics-moved",
    ),
    _example("a backbone that does not move, undeclared", _AFTER, Verdict.UNDECIDED, "unmoved", frozen=None),
    _example("ten steps, and no weight moves", {"global_step": ([1], [20.0])}, Verdict.PROBLEM, "nothing-moved"),
    _example("one step saved twice", {}, Verdict.UNDECIDED, "same-step"),
    _example("a pattern of another network", _AFTER, Verdict.UNDECIDED, "unmatched", "unmoved", frozen="encoder.*"),
]
