"""Reads the weight decay and the learning rates that were in force in a watched run, parameter by parameter and group by group.

Catches decay that goes to scales, shifts and biases and to no weight, decay that is far stronger on them than on weights, and one that
shrinks what it acts on by more than a hundredth in a step. Lists groups with their rates. Cannot tell decay that is a schedule, nor
which of the rates belongs to which parameter.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Curve, Evidence, Finding, Fix, Kind, Level, Plain, Progress, Verdict, Where
from ..model import suggest as usual
from ..probe import Example
from . import _watched_networks
from ._checkpoints import shown, table
from ._watched_examples import recording
from ._watched_networks import Parameter, WatchedNetworks

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("watched",)


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    uneven: Annotated[
        float,
        Meta(
            gt=1,
            description="a decay of scales, shifts or biases that is more than so many times that of any weight is suspect",
            extra={"unit": "1", "source": "own choice: recipes give them the same decay as weights, or none"},
        ),
    ] = 5.0
    shrinks: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="decay times learning rate, the share that a step takes from a parameter, above which decay is suspect",
            extra={
                "unit": "1",
                "source": "own choice: recipes lie at 1e-3 and below (AdamW for ViT: 3e-3 times 0.3); 1e-2 halves a weight in 70 steps",
            },
        ),
    ] = 1e-2
    large: Annotated[
        float,
        Meta(
            gt=0,
            description="where the loss does not fall, a larger median update of most weights, as a share of their size, is suspect",
            extra={"unit": "1", "source": "TheDeepChecker, TOSEM 2022; MindSpore Insight's watchpoint: 0.1"},
        ),
    ] = 0.1


MESSAGES: Words = {
    **_watched_networks.MESSAGES,
    "reversed": {
        "en": "Weight decay of up to {decay:.3g} acts on {count:,} scales, shifts and biases ({names}) and on none of {weights:,} weights: "
        "the groups are the wrong way round.",
        "zh": "权重衰减（最大 {decay:.3g}）作用在 {count:,} 个缩放、平移和偏置参数上（{names}），而 {weights:,} 个权重都没有衰减："
        "参数分组弄反了。",
    },
    "uneven": {
        "en": "{count:,} scales, shifts and biases have a weight decay of up to {decay:.3g}, {ratio:.3g} times that of any weight "
        "({other:.3g}): {names}.",
        "zh": "有 {count:,} 个缩放、平移和偏置参数的权重衰减高达 {decay:.3g}，是权重最大衰减（{other:.3g}）的 {ratio:.3g} 倍：{names}。",
    },
    "shrinks": {
        "en": "A weight decay of {decay:.3g} at a learning rate of {rate:.3g} takes {share:.2g} of {count:,} "
        "{count:parameter|parameters} in every step: {names}.",
        "zh": "权重衰减 {decay:.3g}、学习率 {rate:.3g}，每一步都使 {count:,} 个参数缩小 {share:.2g}：{names}。",
    },
    "too-large": {
        "en": "The loss does not fall ({first:.4g} at first, {last:.4g} in the last third of {steps:,} steps), while each update changes "
        "most weights by {ratio:.2g} of their size in the median; learning rates go up to {high:.3g}.",
        "zh": "loss 没有下降（开始为 {first:.4g}，{steps:,} 步的后三分之一为 {last:.4g}），而每次更新对多数权重的改变量达其自身大小的 "
        "{ratio:.2g}（中位数）；学习率最高为 {high:.3g}。",
    },
    "decay-everywhere": {
        "en": "Weight decay of {decay:.3g} acts on all {count:,} parameters, {vectors:,} scales, shifts and biases among them.",
        "zh": "权重衰减 {decay:.3g} 作用在全部 {count:,} 个参数上，其中 {vectors:,} 个是缩放、平移或偏置参数。",
    },
    "decay-unknown": {
        "en": "The weight decay of {kind} is a schedule or is not recorded, so its value in use is not known.",
        "zh": "{kind} 的权重衰减随步数变化或无法读取，未能得知实际值。",
    },
    "in-force": {
        "en": "{kind}: weight decay {weights} on weights and {vectors} on scales, shifts and biases; learning rates from {low:.3g} to "
        "{high:.3g} in {steps:,} steps.",
        "zh": "{kind}：权重的衰减为 {weights}，缩放、平移和偏置参数的衰减为 {vectors}；{steps:,} 步中学习率为 {low:.3g} 至 {high:.3g}。",
    },
    "fix-rate": {
        "en": "Lower the learning rate, by ten at first, or warm it up; updates of a thousandth of the weights' size are usual.",
        "zh": "降低学习率（先降到十分之一）或增加预热；通常每次更新约为权重大小的千分之一。",
    },
    "betas-exchanged": {
        "en": "{kind} runs with beta1={one:g} and beta2={two:g}: the mean of gradients is kept longer than that of their squares: the "
        "two may be swapped.",
        "zh": "{kind} 运行时 beta1={one:g}、beta2={two:g}：梯度均值的记忆比其平方均值更长，二者像是写反了。",
    },
    "fix-betas": {
        "en": "beta1 is the decay rate of the mean, usually 0.9; beta2 that of the squares, usually 0.999.",
        "zh": "beta1 对应梯度均值，通常为 0.9；beta2 对应平方均值，通常为 0.999。",
    },
    "fix-groups": {
        "en": "Give decay to the parameters of two and more dimensions, and 0.0 to the others: two groups, each with its params and its "
        "weight_decay.",
        "zh": "把衰减给二维及以上的参数，其余设为 0.0：分成两组，各自写明 params 和 weight_decay。",
    },
    "fix-decay": {
        "en": "Check whether the number was intended for something else; usual values are 1e-5 to 1e-3 for SGD and Momentum, 0.01 to "
        "0.3 for AdamW.",
        "zh": "检查该数值是否用错了地方；SGD、Momentum 通常为 1e-5 到 1e-3，AdamW 为 0.01 到 0.3。",
    },
}
_PULLED = {
    "en": "Decay pulls the scales of normalisation layers towards 0, which shrinks every layer's output, while weights are not "
    "regularised.",
    "zh": "衰减把归一化的缩放参数拉向 0，各层的输出随之变小，而权重没有受到约束。",
}
WHY: Words = dict.fromkeys(("reversed", "uneven"), _PULLED) | {
    "too-large": {
        "en": "Each step overshoots its target: the loss stays high or grows, and units soon die.",
        "zh": "每一步都越过目标：loss 居高不下甚至上升，神经元很快失活。",
    },
    "betas-exchanged": {
        "en": "Steps follow gradients of a thousand steps ago, and are divided by a size that jumps with each batch: training swings.",
        "zh": "更新方向由约一千步之前的梯度主导，而除数随每个 batch 跳动：训练震荡。",
    },
    "shrinks": {
        "en": "The decay outweighs what is learned: parameters go to 0 within a few hundred steps.",
        "zh": "衰减超过了学习的作用：参数会在几百步内趋于 0。",
    },
}
_PRINT = {
    "en": "Print optimizer.weight_decay and optimizer.decay_flags beside optimizer.parameters.",
    "zh": "对照 optimizer.parameters 打印 optimizer.weight_decay 和 optimizer.decay_flags。",
}
PROOF: Words = dict.fromkeys(("reversed", "uneven"), _PRINT) | {
    "too-large": {
        "en": "Watch again with a tenth of the rate: the loss falls from the first steps on.",
        "zh": "把学习率降到十分之一再观察：loss 从最初几步起就会下降。",
    },
    "betas-exchanged": {
        "en": "Print optimizer.beta1 and optimizer.beta2, and train some hundred steps with the two exchanged.",
        "zh": "打印 optimizer.beta1 和 optimizer.beta2，交换二者后训练几百步进行比较。",
    },
    "shrinks": {
        "en": "Watch the size of these parameters by step: without a gradient, {share:.2g} of it goes in each.",
        "zh": "观察这些参数的大小随步数的变化：没有梯度时每一步缩小 {share:.2g}。",
    },
}
WORDS: Words = {
    **_watched_networks.WORDS,
    "decays": {"en": "Weight decay in force", "zh": "实际生效的权重衰减"},
    "decay": {"en": "Weight decay", "zh": "权重衰减"},
    "weights": {"en": "Weights", "zh": "权重数"},
    "vectors": {"en": "Scales, shifts and biases", "zh": "缩放、平移和偏置参数数"},
    "first": {"en": "First of them", "zh": "首个"},
    "rates": {"en": "Learning rates in force", "zh": "实际生效的学习率"},
    "group": {"en": "Group", "zh": "参数组"},
    "at-first": {"en": "First step", "zh": "首步"},
    "highest": {"en": "Highest", "zh": "最大"},
    "at-last": {"en": "Last step", "zh": "末步"},
    "rate": {"en": "learning rate", "zh": "学习率"},
}
#: Steps without which it is not told whether a loss falls.
_STEPS = 20
#: Groups in one chart, and decays in one sentence.
_CURVES, _SAID = 6, 4


def suggest(findings: Iterable[Finding]) -> Verdict:
    """Whether a rate suits the training is not seen: without a problem nothing is decided."""
    return Verdict.PROBLEM if usual(findings) is Verdict.PROBLEM else Verdict.UNDECIDED


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    seen = _watched_networks.seen(case)
    if not isinstance(seen, WatchedNetworks):
        yield Finding("no-steps", Level.INFO, Where(seen.path), {"path": seen.path}, incomplete=True)
        return
    for optimizer in seen.optimizers:
        yield from _judge(seen, optimizer, params)


def _judge(seen: WatchedNetworks, optimizer: Any, params: Params) -> Iterator[Finding]:
    kind = optimizer.kind.rpartition(".")[2]
    where = seen.watch.where(list(optimizer.place or []))
    rates = _rates(seen, optimizer.number)
    yield from _betas(optimizer, kind, where)
    if optimizer.decay is None or len(optimizer.decay) != len(optimizer.ids):
        yield Finding("decay-unknown", Level.INFO, where, {"kind": kind}, _charts(rates), incomplete=True)
        return
    held = [
        (seen.parameters[key], _watched_networks.number(value) or 0.0)
        for key, value in zip(optimizer.ids, optimizer.decay, strict=True)
    ]
    evidence = [_groups(held), *_charts(rates)]
    yield from _uneven(held, params, where, evidence)
    yield from _shrinks(held, rates, params, where, evidence)
    yield from _large(seen, optimizer, rates, params, where)
    values = [float(value) for _, some in rates for value in some]
    data = {"kind": kind, "steps": seen.watch.steps, "low": min(values, default=0.0), "high": max(values, default=0.0)}
    data |= {"weights": _said(_weights(held)), "vectors": _said(_vectors(held))}
    yield Finding("in-force", Level.INFO, where, data, evidence)


def _betas(optimizer: Any, kind: str, where: Where) -> Iterator[Finding]:
    one, two = optimizer.arguments.get("beta1"), optimizer.arguments.get("beta2")
    if isinstance(one, (int, float)) and isinstance(two, (int, float)) and one > two:
        yield Finding(
            "betas-exchanged", Level.SUSPECT, where, {"kind": kind, "one": one, "two": two}, fix=Fix("fix-betas")
        )


def _uneven(
    held: list[tuple[Parameter, float]], params: Params, where: Where, evidence: list[Evidence]
) -> Iterator[Finding]:
    """Decay of scales, shifts and biases against that of weights."""
    weights, vectors = _weights(held), _vectors(held)
    decayed = [(one, decay) for one, decay in vectors if decay > 0]
    if not decayed:
        return
    most = max(decay for _, decay in decayed)
    other = max((decay for _, decay in weights), default=0.0)
    data: dict[str, Any] = {"count": len(decayed), "names": shown(one.path for one, _ in decayed), "decay": most}
    if len(weights) > 1 and not other:
        yield Finding("reversed", Level.PROBLEM, where, data | {"weights": len(weights)}, evidence, Fix("fix-groups"))
    elif other and most > params.uneven * other:
        data |= {"other": other, "ratio": most / other}
        yield Finding("uneven", Level.SUSPECT, where, data, evidence, Fix("fix-groups"))
    elif len({decay for _, decay in held}) == 1:
        data |= {"count": len(held), "vectors": len(vectors)}
        yield Finding("decay-everywhere", Level.INFO, where, data, evidence)


def _weights(held: list[tuple[Parameter, float]]) -> list[tuple[Parameter, float]]:
    return [(one, decay) for one, decay in held if one.matrix]


def _vectors(held: list[tuple[Parameter, float]]) -> list[tuple[Parameter, float]]:
    return [(one, decay) for one, decay in held if len(one.shape) == 1]


def _shrinks(
    held: list[tuple[Parameter, float]],
    rates: list[tuple[str, list[float]]],
    params: Params,
    where: Where,
    evidence: list[Evidence],
) -> Iterator[Finding]:
    """Decay that outweighs learning. With several rates, the lowest of the groups' highest counts, as theirs are not known."""
    rate = min((max(values) for _, values in rates if values), default=0.0)
    strong = [(one, decay) for one, decay in held if decay * rate > params.shrinks]
    if strong:
        decay = max(decay for _, decay in strong)
        data: dict[str, Any] = {"count": len(strong), "names": shown(one.path for one, _ in strong), "decay": decay}
        data |= {"rate": rate, "share": decay * rate}
        yield Finding("shrinks", Level.SUSPECT, where, data, evidence, Fix("fix-decay"))


def _large(
    seen: WatchedNetworks, optimizer: Any, rates: list[tuple[str, list[float]]], params: Params, where: Where
) -> Iterator[Finding]:
    """Updates that change most weights a lot while the loss, which no other optimizer works against, does not fall."""
    losses = seen.series(optimizer.number, "loss")
    if len(seen.optimizers) > 1 or losses is None or len(losses.values) < _STEPS:
        return
    ratio = _ratio(seen, optimizer)
    first, last = float(losses.values[0]), _median(losses.values[-(len(losses.values) // 3) :].tolist())
    if ratio > params.large and not last < first:
        high = max((max(values) for _, values in rates if values), default=0.0)
        data = {"first": first, "last": last, "steps": len(losses.values), "ratio": ratio, "high": high}
        yield Finding("too-large", Level.SUSPECT, where, data, _charts(rates), Fix("fix-rate"))


def _ratio(seen: WatchedNetworks, optimizer: Any) -> float:
    """How much of their size updates change the weights of an optimizer: of each the median of its steps, of these the median."""
    told = [fact.ratios for fact in seen.changes if fact.optimizer == optimizer.number]
    by_parameter = zip(optimizer.ids, zip(*told, strict=False), strict=False)
    ratios = [map(_watched_networks.number, some) for key, some in by_parameter if seen.parameters[key].matrix]
    return _median([_median([one for one in some if one is not None]) for some in ratios])


def _median(values: list[float]) -> float:
    return statistics.median(values) if values else 0.0


def _rates(seen: WatchedNetworks, number: int) -> list[tuple[str, list[float]]]:
    """The learning rates of each group of an optimizer by step."""
    prefix = f"opt{number}.lr" if number else "lr"
    series = seen.watch.run.series.items()
    return [
        (name, column.values.tolist()) for name, column in series if name == prefix or name.startswith(f"{prefix}.")
    ]


def _said(some: list[tuple[Parameter, float]]) -> list[str]:
    """The decays of some parameters, in a few words."""
    found = sorted({f"{decay:.3g}" for _, decay in some}, key=float)
    return found[:_SAID] + ["…"] * (len(found) > _SAID) if found else ["-"]


def _groups(held: list[tuple[Parameter, float]]) -> Evidence:
    by: dict[float, list[Parameter]] = defaultdict(list)
    for one, decay in held:
        by[decay].append(one)
    rows: list[list[Plain]] = [
        [decay, sum(one.matrix for one in some), sum(not one.matrix for one in some), some[0].path]
        for decay, some in by.items()
    ]
    return table("decays", ["decay", "weights", "vectors", "first"], rows)


def _charts(rates: list[tuple[str, list[float]]]) -> list[Evidence]:
    if not rates:
        return []
    rows: list[list[Plain]] = [[name, values[0], max(values), values[-1]] for name, values in rates if values]
    longest = max(len(values) for _, values in rates)
    series: dict[str, list[float | None]] = {
        name: [*values, *[None] * (longest - len(values))] for name, values in rates[:_CURVES]
    }
    x = [float(step) for step in range(1, longest + 1)]
    return [
        table("rates", ["group", "at-first", "highest", "at-last"], rows),
        Curve("rates", "step", "rate", x, series),
    ]


def _example(name: str, verdict: Verdict, *codes: str, **args: Any) -> Example:
    files: dict[str, Any] = {"watch/pynative.jsonl": recording(**args)}
    return Example(name, files=files, case={"watched": "watch"}, verdict=verdict, codes=codes)


_WEIGHTS = ("first.weight", "second.weight", "head.weight")
_VECTORS = ("first.bias", "norm.gamma", "norm.beta", "second.bias", "head.bias")
EXAMPLES = [
    _example("no decay", Verdict.UNDECIDED, "in-force"),
    _example("decay on weights alone", Verdict.UNDECIDED, "in-force", decay=dict.fromkeys(_WEIGHTS, 1e-4)),
    _example(
        *("one decay for everything", Verdict.UNDECIDED, "decay-everywhere"),
        decay=dict.fromkeys((*_WEIGHTS, *_VECTORS), 1e-4),
    ),
    _example("groups the wrong way round", Verdict.PROBLEM, "reversed", decay=dict.fromkeys(_VECTORS, 1e-2)),
    _example(
        *("more on scales than on weights", Verdict.UNDECIDED, "uneven"),
        decay={**dict.fromkeys(_VECTORS, 1e-2), **dict.fromkeys(_WEIGHTS, 1e-4)},
    ),
    _example("betas that changed places", Verdict.UNDECIDED, "betas-exchanged", made={"beta1": 0.999, "beta2": 0.9}),
    _example("betas of a GAN", Verdict.UNDECIDED, "in-force", made={"beta1": 0.5, "beta2": 0.999}),
    _example("a decay of a half", Verdict.UNDECIDED, "shrinks", decay=dict.fromkeys(_WEIGHTS, 0.5)),
    _example(*("updates that are too large", Verdict.UNDECIDED, "too-large"), steps=24, growth=1.05, ratio=0.4),
    _example("large updates of a loss that falls", Verdict.UNDECIDED, "in-force", steps=24, ratio=0.4),
    _example("two groups with rates", Verdict.UNDECIDED, "in-force", rates={"lr.0": 0.1, "lr.1": 0.01}),
]
