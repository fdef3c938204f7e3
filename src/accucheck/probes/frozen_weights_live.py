"""Trains the network for a few steps with the project's own loss, optimizer and data, and tells which weights move.

Catches: weights that design.frozen names and that move; weights that are to be trained and never get a gradient, that the optimizer was
not given, or that do not move; weights that cannot be trained and are not declared. Moving statistics are told apart. Cannot tell:
freezing that the training script does after the function of the case has built the network.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Plain, Progress, Verdict, Where
from ..probe import Example
from . import _checkpoints, _live, frozen_weights
from ._checkpoints import STATISTICS, shown, table
from .frozen_weights import fits

KIND = Kind.LIVE
OWN_TRAINING = True
NEEDS = _live.needs("network", "pipelines.train")


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    steps: Annotated[
        int,
        Meta(
            ge=2,
            le=1000,
            description="steps of training; what lies before a layer that starts at zero gets its gradient from the second on",
            extra={"unit": "steps", "source": "own choice"},
        ),
    ] = 6
    negligible: Annotated[
        float,
        Meta(
            ge=0,
            lt=1,
            description="a gradient below this share of the largest one is taken for rounding",
            extra={"unit": "1", "source": "own choice: ten times the resolution of float32, 1.2e-7"},
        ),
    ] = 1.2e-6
    seconds: _live.Seconds = 120.0


MESSAGES: Words = {
    "frozen-moves": {
        "en": "{count:,} {count:weight|weights} that design.frozen names {count:is|are} trained: within {steps:,} "
        "steps {count:it|they} moved by up to {largest:.3g} ({names}).",
        "zh": "design.frozen 声明冻结的权重中，有 {count:,} 个在被训练：{steps:,} 步内最大变化 {largest:.3g}（{names}）。",
    },
    "not-frozen-yet": {
        "en": "{call} freezes none of the weights that design.frozen names ({count:,}: {names}): they moved in "
        "{steps:,} steps. If the "
        "training script freezes them afterwards, let network.call name a function that does so too.",
        "zh": "{call} 没有冻结 design.frozen 声明的任何权重（{count:,} 个：{names}），它们在 {steps:,} 步内发生了变化。"
        "若训练脚本在此之后才冻结，请让 network.call 指向一并完成冻结的函数。",
    },
    "frozen-otherwise": {
        "en": "{count:,} {count:weight|weights} that design.frozen names {count:is|are} trainable, but did not move: {names}. "
        "Something other than requires_grad holds them back (stop_gradient, or they are not in the optimizer).",
        "zh": "design.frozen 声明冻结的权重中，有 {count:,} 个可训练但没有变化：{names}。它们由 requires_grad 以外的方式冻结"
        "（stop_gradient，或没有交给优化器）。",
    },
    "frozen-statistics-move": {
        "en": "{count:,} moving statistics that design.frozen names moved in training mode: {names}. requires_grad "
        "does not stop them; "
        "set_train(False) on that part does.",
        "zh": "design.frozen 声明冻结的滑动统计量中，有 {count:,} 个在训练模式下发生变化：{names}。requires_grad 管不到它们，"
        "需要对该部分调用 set_train(False)。",
    },
    "unmatched": frozen_weights.MESSAGES["unmatched"],
    "no-gradient": {
        "en": "None of the {count:,} trainable {count:weight|weights} got a gradient other than 0 in {steps:,} steps: the loss "
        "does not depend on the "
        "network.",
        "zh": "{count:,} 个可训练权重在 {steps:,} 步内的梯度全部为 0：损失不依赖于网络。",
    },
    "dead": {
        "en": "{count:,} {count:weight is|weights are} trainable, but {count:its|their} gradient was exactly 0 in each of {steps:,} "
        "steps: {names}. Nothing depends on {count:it|them}, or a stop_gradient or all-zero weights follow.",
        "zh": "有 {count:,} 个权重可训练，但在 {steps:,} 步中梯度始终恰为 0：{names}。"
        "没有结果依赖它们，或其后有 stop_gradient、全为 0 的权重（见 wi.01）。",
    },
    "left-out": {
        "en": "{count:,} {count:weight is|weights are} trainable but not in the optimizer: {names}.",
        "zh": "有 {count:,} 个权重可训练，却没有交给优化器：{names}。",
    },
    "unmoved": {
        "en": "{count:,} {count:weight|weights} got a gradient and did not move in {steps:,} steps, while others did: "
        "{names}.",
        "zh": "有 {count:,} 个权重得到了梯度，却在 {steps:,} 步内没有变化，而其他权重有变化：{names}。",
    },
    "phases-unknown": {
        "en": "The scripts create several optimizers, and which weights each of them gets decides what stays frozen: {count:,} "
        "{count:weight|weights} of design.frozen {count:is|are} free in the network of accucheck.yaml ({names}). Describe each "
        "training run under phases in accucheck.yaml, with its network, its optimizer and what it keeps frozen.",
        "zh": "脚本创建了多个优化器，权重是否冻结取决于各优化器收到的参数：design.frozen 声明的 {count:,} 个权重在该网络中并未冻结"
        "（{names}）。请在 accucheck.yaml 的 phases 中分别写明各阶段的网络、优化器和冻结的权重。",
    },
    "in-no-phase": {
        "en": "{count:,} {count:weight moves|weights move} in none of the {phases:,} phases: {names}.",
        "zh": "有 {count:,} 个权重在全部 {phases:,} 个阶段中都没有变化：{names}。",
    },
    "rounding-only": {
        "en": "The gradient of {count:,} {count:weight|weights} is only rounding error: {names}. A bias before a normalisation has no "
        "gradient.",
        "zh": "有 {count:,} 个权重的梯度只是舍入误差：{names}。归一化层之前的偏置即是如此。",
    },
    "nothing-moved": {
        "en": "No weight moved in {steps:,} steps: the learning rate may be 0 there (warm-up). Which weights are trained cannot be "
        "determined.",
        "zh": "{steps:,} 步内没有任何权重变化：学习率在此期间可能为 0（预热）。无法判断哪些权重得到训练。",
    },
    "not-finite": {
        "en": "{count:,} {count:weight|weights} got NaN or Inf as gradient: {names}.",
        "zh": "有 {count:,} 个权重的梯度出现 NaN 或 Inf：{names}。",
    },
    "not-trainable": {
        "en": "{count:,} {count:weight has|weights have} requires_grad=False and {count:is|are} not named in "
        "design.frozen: {names}.",
        "zh": "有 {count:,} 个权重的 requires_grad 为 False，而 design.frozen 中没有声明：{names}。",
    },
    "constants": {
        "en": "{count:,} {count:parameter is|parameters are} not trained and named like tables or buffers: {names}.",
        "zh": "有 {count:,} 个参数不参与训练，从名称看是常量表或缓存：{names}。",
    },
    "few-steps": {
        "en": "Within {seconds:g} s only {steps:,} {steps:step was|steps were} completed, too few to know which weights never get a "
        "gradient.",
        "zh": "{seconds:g} 秒内只完成了 {steps:,} 步，不足以判断哪些权重始终没有梯度。",
    },
    "examined": {
        "en": "In {steps:,} {steps:step|steps} that this probe trained with the functions of the case, {moved:,} of {count:,} "
        "{count:weight|weights} moved; {frozen:,} {frozen:is|are} declared frozen and did not. Moving statistics, which are not counted: "
        "{statistics:,}. The user's own training was not watched.",
        "zh": "本探针用 accucheck.yaml 指定的函数训练了 {steps:,} 步：{count:,} 个权重中有 {moved:,} 个变化，{frozen:,} 个声明冻结且未变；"
        "另有 {statistics:,} 个滑动统计量。这不是用户自己的训练过程。",
    },
    "fix-freeze": frozen_weights.MESSAGES["fix-freeze"],
    "fix-connect": {
        "en": "Use the layer's result in construct and check that no stop_gradient precedes the loss; list the weights in "
        "design.frozen if they should stay fixed.",
        "zh": "请在 construct 中使用该层的结果，并确认损失之前没有 stop_gradient；若有意不训练，请写入 design.frozen。",
    },
    "fix-optimizer": {
        "en": "Build the optimizer from net.trainable_params(), with all its groups; list the weights in design.frozen if they should "
        "stay fixed.",
        "zh": "请用 net.trainable_params() 创建优化器，分组时不要遗漏；若有意不训练，请写入 design.frozen。",
    },
    "fix-thaw": {
        "en": "Set requires_grad = True on them before the optimizer is built, or name them in design.frozen.",
        "zh": "请在创建优化器之前把它们的 requires_grad 设为 True，或写入 design.frozen。",
    },
}
_STAYS = frozen_weights.WHY["unmoved"]
WHY: Words = {
    "frozen-moves": frozen_weights.WHY["frozen-moved"],
    "not-frozen-yet": frozen_weights.WHY["frozen-moved"],
    "no-gradient": frozen_weights.WHY["nothing-moved"],
    **dict.fromkeys(("dead", "left-out", "unmoved", "not-trainable", "in-no-phase"), _STAYS),
}
PROOF: Words = {
    "frozen-moves": frozen_weights.PROOF["frozen-moved"],
    "not-frozen-yet": frozen_weights.PROOF["frozen-moved"],
    "no-gradient": {
        "en": "Add a large number to a weight and compute the loss again: it stays the same.",
        "zh": "给某个权重加上一个较大的数后重新计算 loss：结果不变。",
    },
    **dict.fromkeys(("dead", "left-out", "unmoved", "not-trainable", "in-no-phase"), frozen_weights.PROOF["unmoved"]),
}
WORDS: Words = {
    "weights": {"en": "Weights", "zh": "权重"},
    "name": _checkpoints.WORDS["name"],
    "shape": _checkpoints.WORDS["shape"],
    "trainable": {"en": "Trainable", "zh": "可训练"},
    "held": {"en": "In the optimizer", "zh": "在优化器中"},
    "gradient": {"en": "Largest gradient", "zh": "最大梯度"},
    "change": {"en": "Largest change", "zh": "最大变化"},
}

#: A parameter as the child describes it: name, shape, trainable, floating, held, finite, gradient, moved and change.
_Weight = dict[str, Any]
#: What layers call their weights; constants and buffers are named otherwise.
_WEIGHT = re.compile(r"(weight|bias|gamma|beta|embedding_table|kernel)$", re.I)


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:

    moved: dict[str, list[bool]] = {}
    phases = _live.phases_of(case)
    for name, phase in phases:
        for event in _of_phase(phase, name, params, moved):
            yield _live.in_field(event, name)
    if never := [name for name, each in moved.items() if len(each) > 1 and not any(each)]:
        data = {"count": len(never), "names": shown(never), "phases": len(phases)}
        yield Finding("in-no-phase", Level.SUSPECT, Where(name=never[0]), data, fix=Fix("fix-optimizer"))


def _of_phase(case: Case, name: str, params: Params, moved: dict[str, list[bool]]) -> Iterator[Finding | Progress]:
    """What is trained in one phase. `moved` gathers, of each trainable weight, whether it moved in the phases that have it."""
    from ..live.child import events

    seen: dict[str, Any] = {"steps": 0, "found": []}
    request = {**_live.network_of(case), "steps": params.steps, "seconds": params.seconds}
    for event in events(case, "updates", request, params.seconds):
        if event["event"] == "progress":
            yield Progress(event["done"], event["total"], "steps")
        elif event["event"] == "updates":
            seen = event
    if seen["steps"] < 2:
        data = {"seconds": params.seconds, "steps": seen["steps"]}
        yield Finding("few-steps", Level.INFO, data=data, incomplete=True)
    if seen["found"]:
        yield from _judge(case, params, seen["found"], seen["steps"])
        for one in seen["found"] if name else []:
            if one["trainable"]:
                moved.setdefault(one["name"], []).append(one["moved"])


def _judge(case: Case, params: Params, found: list[_Weight], steps: int) -> Iterator[Finding]:
    patterns = case.spec.design.frozen
    statistics = [one for one in found if STATISTICS.search(one["name"])]
    weights = [one for one in found if one["floating"] and not STATISTICS.search(one["name"])]
    declared = [one for one in weights if _is_declared(one, patterns)]
    others = [one for one in weights if one not in declared]

    yield from _of_declared(case, declared, steps)
    drifting = [one for one in statistics if one["moved"] and _is_declared(one, patterns)]
    yield from _told("frozen-statistics-move", Level.INFO, drifting, steps)
    for pattern in patterns:
        if not any(fits(one["name"], pattern) for one in found):
            yield Finding("unmatched", Level.SUSPECT, data={"pattern": pattern})
    yield from _of_gradients([one for one in others if one["trainable"]], params, steps)
    yield from _of_untrainable([one for one in others if not one["trainable"]], steps)
    data = {
        "steps": steps,
        "count": len(weights),
        "moved": sum(one["moved"] for one in weights),
        "frozen": sum(not one["moved"] for one in declared),
        "statistics": len(statistics),
    }
    yield Finding("examined", Level.INFO, data=data, evidence=[_table(weights)])


def _is_declared(weight: _Weight, patterns: Iterable[str]) -> bool:
    """Whether design.frozen names this weight."""
    return any(fits(weight["name"], pattern) for pattern in patterns)


def _told(
    code: str,
    level: Level,
    some: list[_Weight],
    steps: int,
    fix: str | None = None,
    incomplete: bool = False,
    **data: Any,
) -> Iterator[Finding]:
    """One finding about these weights; nothing when there are none."""
    if some:
        data |= {"count": len(some), "names": shown(one["name"] for one in some), "steps": steps}
        place = Where(name=some[0]["name"])
        yield Finding(code, level, place, data, [_table(some)], Fix(fix) if fix else None, incomplete)


def _change(weight: _Weight) -> float:
    return weight["change"] or 0.0


def _of_declared(case: Case, declared: list[_Weight], steps: int) -> Iterator[Finding]:
    """Whether the weights that are to stay frozen stay as they are."""
    moving = sorted((one for one in declared if one["moved"]), key=_change, reverse=True)
    none_frozen = all(one["trainable"] for one in declared)
    if moving and none_frozen and _in_phases(case):
        yield from _told("phases-unknown", Level.INFO, moving, steps, incomplete=True)
    elif moving and none_frozen and _frozen_elsewhere(case):
        call = case.spec.network.call if case.spec.network else ""
        yield from _told("not-frozen-yet", Level.SUSPECT, moving, steps, "fix-freeze", call=call)
    elif moving:
        yield from _told("frozen-moves", Level.PROBLEM, moving, steps, "fix-freeze", largest=_change(moving[0]))
    still = [one for one in declared if one["trainable"] and not one["moved"]]
    yield from _told("frozen-otherwise", Level.INFO, still, steps)


def _of_gradients(trained: list[_Weight], params: Params, steps: int) -> Iterator[Finding]:
    """Whether the weights that are to be trained get a gradient, are in the optimizer, and move."""
    finite = [one for one in trained if one["finite"]]
    yield from _told("not-finite", Level.SUSPECT, [one for one in trained if not one["finite"]], steps)
    dead = [one for one in finite if one["gradient"] == 0]
    if steps > 1 and trained and len(dead) == len(trained):
        yield Finding("no-gradient", Level.PROBLEM, data={"count": len(dead), "steps": steps}, fix=Fix("fix-connect"))
    elif steps > 1:
        yield from _told("dead", Level.SUSPECT, dead, steps, "fix-connect")
    alive = [one for one in finite if one["gradient"]]
    yield from _told("left-out", Level.SUSPECT, [one for one in alive if not one["held"]], steps, "fix-optimizer")
    least = params.negligible * max((one["gradient"] for one in alive), default=0.0)
    rounding = [one for one in alive if one["gradient"] < least]
    yield from _told("rounding-only", Level.INFO, rounding, steps)
    unmoved = [one for one in alive if one["held"] and not one["moved"] and one not in rounding]
    if unmoved and not any(one["moved"] for one in alive):
        yield Finding("nothing-moved", Level.INFO, data={"steps": steps}, incomplete=True)
    else:
        yield from _told("unmoved", Level.SUSPECT, unmoved, steps)


def _of_untrainable(weights: list[_Weight], steps: int) -> Iterator[Finding]:
    """Weights that cannot be trained and are not declared as frozen; what no layer calls a weight is taken for a constant."""
    named = [one for one in weights if _WEIGHT.search(one["name"])]
    yield from _told("not-trainable", Level.SUSPECT, named, steps, "fix-thaw")
    yield from _told("constants", Level.INFO, [one for one in weights if one not in named], steps)


def _in_phases(case: Case) -> bool:
    """Whether the scripts make several optimizers: which weights each of them is given is not seen in a training of accucheck's own."""
    from ..script.analysis import read_scripts
    from ..script.freezing import optimizers_of

    if case.get("scripts.train") is None:
        return False
    return any(len(optimizers_of(reading.trace)) > 1 for reading in read_scripts(case).readings)


def _frozen_elsewhere(case: Case) -> bool:
    """Whether the scripts may freeze weights after the network is built; true where they cannot be read."""
    from ..script.analysis import read_scripts

    if case.get("scripts.train") is None:
        return True
    scripts = read_scripts(case)
    return bool(scripts.gaps) or scripts.mentions("requires_grad", "stop_gradient", "freeze", "set_grad")


def _table(some: list[_Weight]) -> Any:
    rows: list[list[Plain]] = [
        [
            one["name"],
            "×".join(map(str, one["shape"])) or "-",
            *(one[key] for key in ("trainable", "held", "gradient", "change")),
        ]
        for one in some
    ]
    return table("weights", ["name", "shape", "trainable", "held", "gradient", "change"], rows)


_NET = """
import numpy as np
import mindspore.dataset as ds
from mindspore import nn, ops

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.backbone = nn.SequentialCell([nn.Dense(8, 16), nn.BatchNorm1d(16), nn.ReLU()])
        self.side = nn.Dense(8, 2)
        self.head = nn.Dense(16, 2)
{init}
    def construct(self, x):
        return {output}

def data():
    random = np.random.default_rng(0)
    x = random.standard_normal((64, 8)).astype(np.float32)
    return ds.NumpySlicesDataset({"x": x, "label": (x[:, 0] > 0).astype(np.int32)}, shuffle=False).batch(16)

def heads(params, learning_rate):
    return nn.Adam([p for p in params if "head" in p.name or "side" in p.name], learning_rate)

TRAIN = 1
"""
_FREEZE = "for p in self.backbone.get_parameters():\n    p.requires_grad = False"


def _example(
    name: str,
    init: str,
    verdict: Verdict,
    *codes: str,
    output: str = "self.head(self.backbone(x)) + self.side(x)",
    frozen: tuple[str, ...] = (),
    **more: Any,
) -> Example:
    lines = "".join(f"        {line}\n" for line in init.splitlines())
    return Example(
        name,
        files={
            "net.py": _NET.replace("{init}", lines).replace("{output}", output),
            "train.py": "from net import TRAIN\n",
        },
        case={
            "network": {"call": "net:Net"},
            "loss": {"call": "mindspore.nn:CrossEntropyLoss"},
            "pipelines": {"train": {"call": "net:data"}},
            "scripts": {"train": "train.py"},
            "design": {"frozen": list(frozen)},
            **more,
        },
        verdict=verdict,
        codes=codes,
    )


EXAMPLES = [
    _example("all of it is trained", "", Verdict.OK),
    _example("a frozen backbone, as declared", _FREEZE, Verdict.OK, "frozen-statistics-move", frozen=("backbone.*",)),
    _example(
        *("declared frozen, but only a part is", "self.backbone[0].weight.requires_grad = False", Verdict.PROBLEM),
        "frozen-moves",
        frozen=("backbone.*",),
    ),
    _example("a frozen backbone, undeclared", _FREEZE, Verdict.UNDECIDED, "not-trainable"),
    _example(
        "a layer without a use",
        "",
        Verdict.UNDECIDED,
        "dead",
        output="self.head(self.backbone(x))",
    ),
    _example(
        "a loss that no weight reaches", "", Verdict.PROBLEM, "no-gradient", output="ops.stop_gradient(self.side(x))"
    ),
    _example(
        "an optimizer that is given the heads only",
        "",
        Verdict.UNDECIDED,
        "left-out",
        optimizer={"call": "net:heads", "args": {"learning_rate": 0.01}},
    ),
]
