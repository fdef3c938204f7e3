"""Reads from a watched training where NaN or Inf began: the operator with finite inputs and a result that is not, its cell and its line.

Catches it forward, backward (the derivative of an operator) and in an update, and tells data and weights that came in so. With --nan, and
where a watch saw a loss, gradient or weight that is not finite, each operator was looked at; what is infinite on purpose, such as scores
that a mask hides, is no fault as long as it reaches none of these. Cannot see values that saturate at the largest number of their type,
nor steps that were not watched.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Evidence, Finding, Fix, Kind, Level, Plain, Progress, Refutes, Table, Verdict, Where
from ..probe import Example, Skip
from . import _watched

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("watched",)


class Params(msgspec.Struct, frozen=True):
    about: Annotated[
        str,
        Meta(
            pattern="^(training|loss)$",
            description="whether the whole training is judged, or its loss, which is not at fault for what the network makes",
            extra={"unit": "word", "source": "the items mp.01 and cg.04"},
        ),
    ] = "training"
    often: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="more than this share of passes whose gradients were not finite and left out is a suspect",
            extra={
                "unit": "1",
                "source": "own choice; a dynamic loss scale leaves some of the first ones out, until it has fallen",
            },
        ),
    ] = 0.5


MESSAGES: Words = {
    "forward": {
        "en": "Step {step}: {operator}{cell} outputs {bad} although its inputs are finite ({inputs}). It reaches the loss.",
        "zh": "第 {step} 步：{operator}{cell} 的输入均为有限值（{inputs}），输出却含 {bad}，并传到 loss。",
    },
    "hidden": {
        "en": "Step {step}: {operator}{cell} turns deliberate infinities into NaN ({inputs}): probably a row that is fully masked, or "
        "Inf times 0. It reaches the loss.",
        "zh": "第 {step} 步：{operator}{cell} 由人为填入的无穷值算出 NaN（{inputs}）：很可能某一行被 mask 全部屏蔽，或是 Inf 乘 0。"
        "NaN 已传到 loss。",
    },
    "backward": {
        "en": "Step {step}: the derivative of {operator}{cell} is not finite at its inputs ({inputs}): its gradient comes in finite and "
        "leaves as {bad}.",
        "zh": "第 {step} 步：{operator}{cell} 在其输入处（{inputs}）的导数不是有限值：传入的梯度有限，传出的梯度含 {bad}。",
    },
    "update": {
        "en": "Step {step}: {operator} makes {weights} {bad} although weights and gradients were finite before ({inputs}); learning "
        "rate {rate}.",
        "zh": "第 {step} 步：更新之前权重和梯度均为有限值（{inputs}），{operator} 更新后 {weights} 含 {bad}；学习率 {rate}。",
    },
    "data": {
        "en": "Step {step}: NaN or Inf comes in with the data; {operator}{cell} is the first to take it ({inputs}).",
        "zh": "第 {step} 步：NaN/Inf 来自数据，最先接收它的是 {operator}{cell}（{inputs}）。",
    },
    "weight": {
        "en": "Step {step}: {weights} holds NaN or Inf before it was ever updated; {operator}{cell} is the first to use it.",
        "zh": "第 {step} 步：{weights} 在更新之前就含 NaN/Inf，最先用到它的是 {operator}{cell}。",
    },
    "not-sure": {
        "en": "Operators that MindSpore does not show lie between; it may be one of those beside this line.",
        "zh": "其间有 MindSpore 不予显示的算子，也可能是这一行附近的其他算子。",
    },
    "dropped": {
        "en": "Gradients of {count:,} of {passes:,} passes were not finite and left out of the update, first at step {step}{at}; weights "
        "stayed finite.",
        "zh": "{passes:,} 次反向中有 {count:,} 次梯度不是有限值，更新时已跳过，首次在第 {step} 步{at}；权重始终为有限值。",
    },
    "dropped-often": {
        "en": "Gradients of {count:,} of {passes:,} passes were not finite and left out of the update, first at step {step}{at}: hardly "
        "anything is learned.",
        "zh": "{passes:,} 次反向中有 {count:,} 次梯度不是有限值而被跳过，首次在第 {step} 步{at}：几乎没有学习。",
    },
    "no-place": {
        "en": "{what} is not finite from step {step} on. The operator that started it was not searched for.",
        "zh": "从第 {step} 步起，{what} 不是有限值。没有查找由哪个算子引起。",
    },
    "blocked": {
        "en": "From step {step} on, training is not finite, and its loss means nothing.{begun}",
        "zh": "从第 {step} 步起训练中出现 NaN/Inf，此后的 loss 说明不了什么。{begun}",
    },
    "finite-operators": {
        "en": "{count:,} operators in {steps:,} training steps were examined; all values that reach loss, gradients and weights are "
        "finite.",
        "zh": "检查了 {steps:,} 个训练步中的 {count:,} 个算子，传到 loss、梯度和权重的值全部有限。",
    },
    "finite": {
        "en": "Losses and gradients of {steps:,} watched training steps are finite.",
        "zh": "所观察的 {steps:,} 个训练步中，loss 和梯度全部有限。",
    },
    "no-steps": {
        "en": "The watched run made no training step.",
        "zh": "被观察的运行中没有训练步。",
    },
    "fix-zero": {
        "en": "Keep the input away from 0: add a small epsilon inside (1e-6; in float16 at least 1e-4), or clip it.",
        "zh": "使输入远离 0：在函数内部加一个小的 epsilon（如 1e-6，float16 下至少 1e-4），或先截断。",
    },
    "fix-domain": {
        "en": "Keep the input within the domain of the function: clip it, or fix what drives it outside.",
        "zh": "使输入保持在函数的定义域内：在其前截断，或修正使输入越界的计算。",
    },
    "fix-large": {
        "en": "Make the input smaller: subtract the maximum before exponentials (as softmax and logsumexp do), normalise, or use the "
        "function that combines both steps.",
        "zh": "减小输入：取指数之前先减去最大值（softmax、log_softmax、logsumexp 内部即如此），做归一化，或改用合并了两步的函数。",
    },
    "fix-half": {
        "en": "float16 ends at 65504. Compute this part in float32 (to_float(mindspore.float32)), use bfloat16, or lower the loss scale "
        "if it is the gradient that overflows.",
        "zh": "float16 最大为 65504。把这部分改用 float32 计算（to_float(mindspore.float32)）或 bfloat16；"
        "若溢出的是梯度，减小 loss scale。",
    },
    "fix-hidden": {
        "en": "Let the mask leave at least one position in each row, or use a large finite number (-1e4 in float16, -1e9 in float32) "
        "instead of -Inf.",
        "zh": "掩码在每一行至少保留一个位置，或把 -Inf 换成较大的有限值（float16 用 -1e4，float32 用 -1e9）。",
    },
    "fix-derivative": {
        "en": "Add a small epsilon inside the function (sqrt(x + 1e-6)), or exclude the bad values before it: where() after it does "
        "not help, since 0 times Inf is NaN.",
        "zh": "在函数内部加一个小的 epsilon（如 sqrt(x + 1e-6)），或在其前就把这些位置换掉："
        "在其后用 where() 无效，因为 0 乘 Inf 仍是 NaN。",
    },
    "fix-rate": {
        "en": "Lower the learning rate, warm it up, or clip gradients before the update; keep weights in float32.",
        "zh": "减小学习率、加预热，或在更新前裁剪梯度；权重用 float32 保存。",
    },
    "fix-data": {
        "en": "Find the samples (accucheck run examines the files) and leave them out or fill them before training.",
        "zh": "找出这些样本（accucheck run 会检查数据文件），训练前剔除或填补。",
    },
    "fix-weight": {
        "en": "See how this weight is initialised or loaded: the checkpoint may hold it so.",
        "zh": "检查该权重的初始化或加载过程：checkpoint 中可能就是这样。",
    },
    "fix-scale": {
        "en": "Begin with a smaller loss scale, and let it fall faster.",
        "zh": "使用更小的初始 loss scale，并让它更快下降。",
    },
    "fix-again": {
        "en": "Watch again with every operator checked: accucheck watch --nan -- python train.py",
        "zh": "再观察一次，逐个检查算子：accucheck watch --nan -- 命令",
    },
}
WORDS: Words = {
    "firsts": {"en": "Where NaN and Inf begin", "zh": "NaN/Inf 的起点"},
    "step": {"en": "step", "zh": "步"},
    "part": {"en": "part", "zh": "阶段"},
    "operator": {"en": "operator", "zh": "算子"},
    "cell": {"en": "cell", "zh": "层"},
    "line": {"en": "line", "zh": "行"},
    "inputs": {"en": "inputs", "zh": "输入"},
    "result": {"en": "result", "zh": "结果"},
    "turned": {"en": "first NaN of it", "zh": "由此产生的首个 NaN"},
}
_SPREADS = {
    "en": "One such value makes the loss and with it all weights NaN within a step; the training cannot recover.",
    "zh": "一个这样的值会在一步之内让 loss 和所有权重变成 NaN，训练无法恢复。",
}
WHY: Words = dict.fromkeys(("forward", "hidden", "backward", "update", "data", "weight", "no-place"), _SPREADS) | {
    "dropped-often": {
        "en": "The weights hardly move while data and time are spent as ever: a flat loss looks like one that has converged.",
        "zh": "权重几乎不动，而数据和时间照样消耗：走平的 loss 看起来像是已经收敛。",
    },
}
_AGAIN = {
    "en": "Fix the line and watch again with --nan: the step must pass.",
    "zh": "修改这一行后用 --nan 再观察一次，这一步应当通过。",
}
PROOF: Words = dict.fromkeys(WHY, _AGAIN)

_WHAT = {
    "loss": {"en": "The loss", "zh": "loss"},
    "grad_norm": {"en": "The norm of the gradients", "zh": "梯度范数"},
}
_FIXES = {"hidden": "fix-hidden", "data": "fix-data", "weight": "fix-weight"}


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    watches = _watched.of_case(case, again=True)
    yield Progress(1, 1, "files")
    if not any(one.steps or one.facts("not-finite") for one in watches):
        raise Skip("no-steps")
    findings = list(_found(watches, params))
    if params.about == "loss":
        findings = [_of_loss(watches, one) for one in findings if one.level is Level.PROBLEM][:1]
    yield from findings
    if not any(one.level is not Level.INFO or one.incomplete for one in findings):
        # a loss that is finite may be another one than the task asks for
        yield _finite(watches, incomplete=params.about == "loss")


def _of_loss(watches: list[_watched.Watch], finding: Finding) -> Finding:
    """What makes the loss itself not finite; of what the network makes, that the loss cannot be judged from there on."""
    facts = [fact for watch in watches for fact in watch.facts("not-finite")]
    cells = {
        str((fact.get("cell") or [""])[0]) for fact in facts if fact.get("operator") == finding.data.get("operator")
    }
    if any(name.startswith("^") for name in cells):  # outside of the network
        return finding
    first = min(facts, key=lambda fact: int(fact.get("step") or 0), default={})
    data = {"step": finding.data["step"], "begun": _watched.begun_at(first)}
    return Finding("blocked", Level.INFO, finding.where, data, incomplete=True)


def _found(watches: list[_watched.Watch], params: Params) -> Iterator[Finding]:
    """The first of what is at fault in each recording; what is the same in another mode only once."""
    told: set[tuple[Any, ...]] = set()
    for watch in watches:
        facts = watch.facts("not-finite")
        dropped = [one for one in facts if _is_dropped(watch, one)]
        if dropped or _left_out(watch):
            yield _dropping(watch, dropped, params)
        for fact in [one for one in facts if one not in dropped][:1]:
            key = fact.get("phase"), fact.get("operator"), str(fact.get("place"))
            if key not in told:
                told.add(key)
                yield from _first(watch, fact, facts)
    if not told:
        yield from _unplaced(watches)


#: What reading the scripts says of updates after an overflow, and that updates which were left out, beside others, prove wrong.
GATED = [
    "no-check",
    "no-check-framework",
    "no-check-possible",
    "check-unused",
    "gate-inverted",
    "gate-open",
    "gate-closed",
]
GATED += ["update-on-overflow", "not-read"]


def _left_out(watch: _watched.Watch) -> int:
    """Passes whose gradients were not finite, and that no optimizer took."""
    return sum(one.get("finite") is False for one in watch.facts("not-taken"))


def _is_dropped(watch: _watched.Watch, fact: dict[str, Any]) -> bool:
    steps = [one.get("step") for one in watch.facts("not-taken") if one.get("finite") is False]
    return not watch.facts("weights-lost") and fact.get("step") in steps


def _dropping(watch: _watched.Watch, facts: list[dict[str, Any]], params: Params) -> Finding:
    count = _left_out(watch)
    passes = count + watch.steps
    step = next(one.get("step") for one in watch.facts("not-taken") if one.get("finite") is False)
    first = facts[0] if facts else {}
    at = f" ({first.get('operator')}{_cell(first)})" if first else ""
    often = count > params.often * passes
    return Finding(
        "dropped-often" if often else "dropped",
        Level.SUSPECT if often else Level.INFO,
        watch.where(first.get("place")),
        {"count": count, "passes": passes, "step": step, "at": at},
        [_table(facts)] if facts else [],
        Fix("fix-scale") if often else None,
        refutes=[Refutes("overflow_script", GATED)] if watch.steps and _clean(watch) else [],
    )


def _clean(watch: _watched.Watch) -> bool:
    """Whether no update that was looked at took gradients that are not finite."""
    norms = [norm for one in watch.facts("gradients") for norm in one.get("norms") or ()]
    return not watch.facts("weights-lost") and not any(isinstance(norm, str) for norm in norms)


def _first(watch: _watched.Watch, fact: dict[str, Any], facts: list[dict[str, Any]]) -> Iterator[Finding]:
    phase, how = fact.get("phase"), fact.get("how")
    code = {"data": "data", "weight": "weight", "hidden": "hidden", "filled": "hidden"}.get(str(how), str(phase))
    if code not in MESSAGES:
        return
    data = {
        "step": fact.get("step"),
        "operator": str(fact.get("operator")),
        "cell": _cell(fact),
        "bad": _bad(fact),
        "inputs": _inputs(fact),
        "weights": ", ".join(map(str, fact.get("weights") or ())) or "-",
        "rate": _rate(fact),
    }
    where = watch.where(fact.get("place"), step=fact.get("step") if isinstance(fact.get("step"), int) else None)
    yield Finding(code, Level.PROBLEM, where, data, [_table(facts)], Fix(_advice(fact)))
    if fact.get("sure") is False:
        yield Finding("not-sure", Level.INFO, where)


def _unplaced(watches: list[_watched.Watch]) -> Iterator[Finding]:
    """Losses and gradients that are not finite where no operator is known."""
    import numpy as np

    for watch in watches:
        for name, what in _WHAT.items():
            column = watch.run.series.get(name)
            if column is None:
                continue
            bad = np.flatnonzero(~np.isfinite(column.values))
            if len(bad):
                step = int(column.steps[bad[0]])
                where = Where(watch.path, field=name, step=step)
                yield Finding("no-place", Level.PROBLEM, where, {"what": what, "step": step}, fix=Fix("fix-again"))
                return


def _finite(watches: list[_watched.Watch], *, incomplete: bool) -> Finding:
    looked = next((one for one in watches if one.facts("operators")), None)
    if looked is None:
        best = max(watches, key=lambda one: one.steps)
        return Finding("finite", Level.INFO, Where(best.path), {"steps": best.steps}, incomplete=incomplete)
    data = {"count": looked.first("operators").get("count"), "steps": looked.steps}
    return Finding("finite-operators", Level.INFO, Where(looked.path), data, incomplete=incomplete)


def _advice(fact: dict[str, Any]) -> str:
    """What to do, from what went in: a type that ends early, a place where a function has a pole, or one where it is not defined."""
    inputs = [one for one in fact.get("inputs") or () if isinstance(one, dict)]
    output = fact.get("output") or {}
    if fact.get("how") in _FIXES:
        return _FIXES[fact["how"]]
    if any(one.get("type") == "float16" for one in [output, *inputs]):
        return "fix-half"
    if fact.get("phase") != "forward":
        return "fix-rate" if fact.get("phase") == "update" else "fix-derivative"
    if any(one.get("zero") for one in inputs):
        return "fix-zero"
    return "fix-domain" if output.get("nan") else "fix-large"


def _cell(fact: dict[str, Any]) -> str:
    """The cell of an operator, in brackets: its name and class."""
    cell = fact.get("cell")
    if not isinstance(cell, list) or len(cell) != 2:
        return ""
    name = str(cell[0]).lstrip("^")
    return f" ({name}: {cell[1]})" if name else f" ({cell[1]})"


def _bad(fact: dict[str, Any]) -> str:
    nan = (fact.get("output") or {}).get("nan")
    return "NaN/Inf" if nan is None else "NaN" if nan else "Inf"


def _inputs(fact: dict[str, Any]) -> str:
    """What went in: ranges of tensors, and the operator's numbers."""
    inputs = [_range(one) for one in fact.get("inputs") or () if isinstance(one, dict)]
    return "; ".join([*inputs, *(str(one) for one in fact.get("numbers") or ())]) or "-"


def _range(described: dict[str, Any]) -> str:
    """-1.5 … 2 float32, and what is not finite in it."""
    low, high = described.get("low"), described.get("high")
    bad = f", {described['bad']:.3g} NaN/Inf" if isinstance(described.get("bad"), (int, float)) else ""
    if not isinstance(low, (int, float)) or not isinstance(high, (int, float)):
        return f"{described.get('type')}{bad}"
    return f"{low:.4g} … {high:.4g} {described.get('type')}{bad}"


def _rate(fact: dict[str, Any]) -> str:
    numbers = fact.get("numbers") or ["-"]
    return f"{numbers[0]:.3g}" if isinstance(numbers[0], float) and math.isfinite(numbers[0]) else str(numbers[0])


def _table(facts: Iterable[dict[str, Any]]) -> Evidence:
    rows: list[list[Plain]] = []
    for fact in facts:
        turned = fact.get("turned") or {}
        rows.append(
            [
                fact.get("step"),
                fact.get("phase"),
                fact.get("operator"),
                _cell(fact).strip(" ()"),
                _line(fact.get("place")),
                _inputs(fact),
                _bad(fact),
                f"{turned.get('operator')} {_line(turned.get('place'))}" if turned else "",
            ]
        )
    return Table("firsts", ["step", "part", "operator", "cell", "line", "inputs", "result", "turned"], rows)


def _line(place: Any) -> str:
    return f"{place[0]}:{place[1]}" if isinstance(place, list) and len(place) == 2 else ""


def _recording(
    *facts: dict[str, Any], losses: Iterable[Any] = (2.3, 2.2, 2.1), norms: Iterable[Any] = (1.0, 1.1, 0.9)
) -> str:
    """What accucheck watch records of a training with these losses."""
    head = (
        '{"recording": 1, "accucheck": "0.1.0", "time": "2026-01-31T08:00:00+00:00", "mindspore": "2.10.0", "rank": 0}'
    )
    steps = [
        {"step": at, "epoch": 1, "seconds": 0.1, "loss": loss, "grad_norm": norm}
        for at, (loss, norm) in enumerate(zip(losses, norms, strict=True), 1)
    ]
    return "\n".join([head, *(json.dumps(one) for one in [*facts, *steps])]) + "\n"


def _fact(phase: str, operator: str, how: str = "made", **more: Any) -> dict[str, Any]:
    given = {"shape": [4, 8], "type": "float32", "low": 0.0, "high": 1.7, "mean": 0.4, "std": 0.5, "zero": 0.5}
    return {
        "fact": "not-finite", "step": 2, "phase": phase, "operator": operator, "cell": ["middle", "Middle"], "how": how,
        "place": ["model.py", 17], "inputs": [given], "numbers": [], "weights": [], "sure": True, "reaches": "loss",
        "output": {"shape": [4, 8], "type": "float32", "bad": 0.5, "nan": False}, **more,
    }  # fmt: skip


def _example(name: str, recording: str, verdict: Verdict, *codes: str, **params: Any) -> Example:
    files: dict[str, Any] = {"watch/pynative.jsonl": recording}
    return Example(name, files=files, case={"watched": "watch"}, verdict=verdict, codes=codes, params=params)


_NAN = ["nan", "nan", "nan"]
_HALF = {"shape": [4, 8], "type": "float16", "low": -310.0, "high": 402.0, "mean": 1.0, "std": 90.0, "zero": 0.0}
_LOOKED = {"fact": "operators", "steps": 3, "count": 96}
_TAKEN = {"fact": "not-taken", "step": 2, "finite": False}
_LOST = {"fact": "weights-lost", "step": 2, "optimizer": 0, "count": 4}
EXAMPLES = [
    _example("all operators are finite", _recording(_LOOKED), Verdict.OK, "finite-operators"),
    _example("losses and gradients are finite", _recording(), Verdict.OK, "finite"),
    _example("the logarithm of 0", _recording(_fact("forward", "Log"), _LOST, losses=_NAN), Verdict.PROBLEM, "forward"),
    _example(
        "the root at 0, backward",
        _recording(_fact("backward", "Sqrt", reaches="gradient"), _LOST, norms=_NAN),
        Verdict.PROBLEM,
        "backward",
    ),
    _example(
        "float16 ends",
        _recording(_fact("forward", "Mul", inputs=[_HALF], numbers=[500.0]), _LOST, losses=_NAN),
        Verdict.PROBLEM,
        "forward",
    ),
    _example("a row that is hidden", _recording(_fact("forward", "Softmax", "hidden"), losses=_NAN), Verdict.PROBLEM, "hidden"),
    _example(
        "an update that is too large",
        _recording(_fact("update", "Momentum", cell=None, weights=["fc.weight"], numbers=[1e30], reaches="weight"), _LOST),
        Verdict.PROBLEM,
        "update",
    ),
    _example("NaN in the data", _recording(_fact("forward", "MatMul", "data"), losses=_NAN), Verdict.PROBLEM, "data"),
    _example(
        "NaN in weights that were loaded",
        _recording(_fact("forward", "MatMul", "weight", weights=["fc.weight"]), losses=_NAN),
        Verdict.PROBLEM,
        "weight",
    ),
    _example(
        "an operator out of sight",
        _recording(_fact("backward", "Reshape", sure=False), _LOST, norms=_NAN),
        Verdict.PROBLEM,
        "backward",
        "not-sure",
    ),
    _example(
        "a loss scale drops one update",
        _recording(_fact("backward", "Cast", reaches="gradient"), _TAKEN),
        Verdict.OK,
        "dropped",
    ),
    _example("nearly all updates are dropped", _recording(*[_TAKEN] * 9), Verdict.UNDECIDED, "dropped-often"),
    _example(
        "the derivative of a root in the loss",
        _recording(_fact("backward", "Sqrt", cell=["^_loss_fn", "Distance"]), _LOST, norms=_NAN),
        Verdict.PROBLEM,
        "backward",
        about="loss",
    ),
    _example(
        "the network gives the loss NaN",
        _recording(_fact("forward", "Log"), _LOST, losses=_NAN),
        Verdict.UNDECIDED,
        "blocked",
        about="loss",
    ),
    _example("a loss that is finite", _recording(), Verdict.UNDECIDED, "finite", about="loss"),
    _example("a loss of NaN, without a place", _recording(losses=[2.3, "nan", "nan"]), Verdict.PROBLEM, "no-place"),
]  # fmt: skip
