"""Tells from a watched run whether padding reaches what the network computes, and whether words do.

A pass of training is run again with other vectors at padding, and then at words, behind the layer that turns ids into vectors, so that
masks stay as they are; labels that are classes at padding too are changed likewise. Catches masks that are inverted, not used, or used in
one place only, in attention, pooling, recurrent layers and the loss. What pads is told by runs of one id at the end or beginning of rows.
Cannot tell: ids that no layer of its own turns into vectors, padding of other than ids, and networks that are random in inference too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Evidence, Finding, Fix, Kind, Level, Plain, Progress, Refutes, Table, Verdict, Where
from ..probe import Example, Skip
from . import _watched
from ._watched import Watch

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("watched",)


class Params(msgspec.Struct, frozen=True):
    notable: Annotated[
        float,
        Meta(
            gt=0,
            description="outputs or a loss that move by more of their size have moved",
            extra={"unit": "1", "source": "own choice: a mask of -1e4 leaves exactly 0, one in float16 about 0.001"},
        ),
    ] = 0.01
    still: Annotated[
        float,
        Meta(
            gt=0,
            description="and by less, have not",
            extra={"unit": "1", "source": "own choice: a thousand times the resolution of float32"},
        ),
    ] = 1e-4
    half: Annotated[
        float,
        Meta(
            gt=0,
            description="padding that moves them by this share of what words do has reached them, however little both do",
            extra={
                "unit": "1",
                "source": "own choice: a loss moves little where the network is still as it was initialised",
            },
        ),
    ] = 0.3
    share: Annotated[
        float,
        Meta(
            gt=0,
            description="padding that moves them by less than this share of what words do is left to a person",
            extra={"unit": "1", "source": "own choice: the edge of a convolution reaches a few places only"},
        ),
    ] = 0.1


MESSAGES: Words = {
    "mask-inverted": {
        "en": "Padding counts and words do not: replacing the vectors at the {places:,} padded positions (id {value}) changes {what} "
        "by {padding:.2%} of its size, replacing those of the {real:,} words by {words:.2%}. The mask lets padding through and hides "
        "the words.",
        "zh": "起作用的是补齐而不是词：改变 {places:,} 个补齐位置（编号 {value}）的向量，{what}变化 {padding:.2%}；"
        "改变 {real:,} 个词的向量，只变化 {words:.2%}。掩码放过了补齐，遮住了词。",
    },
    "padding-read": {
        "en": "Padding changes {what}: replacing the vectors at the {places:,} padded positions (id {value}) changes it by "
        "{padding:.2%} of its size in {moved:,} of {rows:,} samples; replacing those of the {real:,} words changes it by {words:.2%}. "
        "{beside}",
        "zh": "补齐影响了{what}：改变 {places:,} 个补齐位置（编号 {value}）的向量，{rows:,} 个样本中有 {moved:,} 个变化，"
        "幅度 {padding:.2%}；改变 {real:,} 个词的向量，变化 {words:.2%}。{beside}",
    },
    "loss-reads-labels": {
        "en": "The loss counts labels at padding: replacing the labels at the {places:,} padded positions changes it by {padding:.2%} "
        "of its size, replacing those of the {real:,} words by {words:.2%}. {beside}",
        "zh": "损失函数把补齐位置的标签计算在内：改变 {places:,} 个补齐位置的标签，loss 变化 {padding:.2%}；改变 {real:,} 个词的标签，"
        "变化 {words:.2%}。{beside}",
    },
    "loss-of-padding-alone": {
        "en": "The loss covers only padding: replacing the labels at the {places:,} padded positions changes it by {padding:.2%} of "
        "its size, replacing those of the {real:,} words by {words:.2%}. Its mask is inverted.",
        "zh": "loss 只由补齐位置决定：改变 {places:,} 个补齐位置的标签，loss 变化 {padding:.2%}；改变 {real:,} 个词的标签，"
        "变化 {words:.2%}。损失的掩码取反了。",
    },
    "sees-next": {
        "en": "The network sees what it should predict: its labels are the next ids, and replacing the ids from position {place:,} of "
        "{length:,} on changes its outputs before that position by {before:.2%} of their size ({behind:.2%} after it). Its mask lets "
        "later positions through.",
        "zh": "网络能看到要预测的内容：标签就是下一个编号，而改变第 {place:,} 位（共 {length:,} 位）及之后的编号，该位置之前的输出"
        "变化了 {before:.2%}（之后变化 {behind:.2%}）。掩码没有遮住后面的位置。",
    },
    "next-unseen": {
        "en": "Labels are the next ids, and replacing the ids from position {place:,} of {length:,} on changes the outputs before it "
        "by {before:.2%} of their size, those after it by {behind:.2%}: no position sees what it should predict.",
        "zh": "标签就是下一个编号；改变第 {place:,} 位（共 {length:,} 位）及之后的编号，之前的输出变化 {before:.2%}，"
        "之后的变化 {behind:.2%}：各位置看不到要预测的内容。",
    },
    "padding-little": {
        "en": "Other vectors at padding move {what} by {padding:.2%} of its size, those at words by {words:.2%}: whether that is meant, a "
        "person must say.",
        "zh": "改变补齐位置的向量使{what}变化 {padding:.2%}，改变词的向量变化 {words:.2%}：是否有意如此需人工判断。",
    },
    "padding-still": {
        "en": "Replacing the vectors at the {places:,} padded positions (id {value}, {side}) changes {what} by {padding:.2%} of its "
        "size, replacing those of the {real:,} words by {words:.2%}: padding does not reach it.",
        "zh": "改变 {places:,} 个补齐位置（编号 {value}，{side}）的向量，{what}变化 {padding:.2%}；改变 {real:,} 个词的向量，"
        "变化 {words:.2%}：补齐不影响结果。",
    },
    "labels-still": {
        "en": "Other labels at padding move the loss by {padding:.2%} of its size, other labels at words by {words:.2%}: it leaves "
        "padding out.",
        "zh": "改变补齐位置的标签，loss 变化 {padding:.2%}；改变词的标签，变化 {words:.2%}：损失函数排除了补齐。",
    },
    "nothing-moves": {
        "en": "Neither other vectors at padding nor at words move {what}: the network does not use them yet, as with a last layer of "
        "zeros.",
        "zh": "改变补齐或词的向量都不影响{what}：网络此时还没有用到它们，例如最后一层为零时。",
    },
    "not-tried": {"en": "{why}", "zh": "{why}"},
    "no-padding": {
        "en": "No tensor of ids whose rows end or begin in runs of one value was seen in {steps:,} {steps:step|steps}, or the run was "
        "only watched in graph mode.",
        "zh": "在 {steps:,} 步中没有见到行首或行尾为同一编号的整数输入，或只在图模式下观察过。",
    },
    "fix-mask": {
        "en": "Make the mask True at words, use it in attention, pooling and the loss, and pass the lengths to recurrent layers.",
        "zh": "掩码应在有词处为真；在注意力、池化和损失中遮住其余位置，并向循环层提供长度（seq_length）。",
    },
    "fix-next": {
        "en": "Mask the positions after each position in attention (a triangle above the diagonal), or make recurrent layers "
        "unidirectional.",
        "zh": "在注意力中遮住每个位置之后的位置（对角线以上的三角掩码），循环层只用单向。",
    },
    "fix-loss": {
        "en": "Multiply the loss of each position by the word mask and divide by its sum, or give padding a label that the loss "
        "ignores.",
        "zh": "将每个位置的 loss 乘以词的掩码再除以掩码之和，或给补齐位置使用损失函数会忽略的标签（ignore_index）。",
    },
}
WORDS: Words = {
    "changes": {"en": "What moved, as a share of its size", "zh": "各项变化（相对自身大小）"},
    "changed": {"en": "changed", "zh": "改变的内容"},
    "moved": {"en": "moves", "zh": "变化的量"},
    "padding": {"en": "at padding", "zh": "在补齐处"},
    "words": {"en": "at words", "zh": "在词处"},
    "vectors": {"en": "vectors of ids", "zh": "编号的向量"},
    "labels": {"en": "labels", "zh": "标签"},
    "output": {"en": "output", "zh": "输出"},
    "loss": {"en": "loss", "zh": "loss"},
}
_READ = {
    "en": "The result for a sample then depends on the lengths of the others in its batch, and the network learns from positions "
    "without content.",
    "zh": "一个样本的结果会随同一 batch 中其他样本的长度而变，网络还会从没有内容的位置学习。",
}
_BLIND = {
    "en": "The network never sees, or is never asked for, what it should learn from; the loss falls all the same.",
    "zh": "网络看不到、或损失不考察真正应学习的内容，而 loss 照样下降。",
}
WHY: Words = {
    "sees-next": {
        "en": "The answer is copied and nothing is learned: the loss falls fast, and what is generated later without it is useless.",
        "zh": "网络只是抄答案，什么也没学到：loss 降得很快，而生成时没有答案可抄，结果毫无用处。",
    },
    **dict.fromkeys(("padding-read", "loss-reads-labels"), _READ),
    **dict.fromkeys(("mask-inverted", "loss-of-padding-alone"), _BLIND),
}
_TRY = {
    "en": "Change the ids of words, and the vector of the padding id, of one batch, and compare outputs and loss.",
    "zh": "对一个 batch 分别改变词的编号和补齐编号对应的向量，比较输出和 loss。",
}
PROOF: Words = dict.fromkeys(WHY, _TRY)
_WHAT = {
    "output": {"en": "the output of the network", "zh": "网络输出"},
    "each": {"en": "the output of the network at words", "zh": "网络在词处的输出"},
    "loss": {"en": "the loss", "zh": "loss"},
}
_SIDES = {
    "right": {"en": "at the end of rows", "zh": "位于行尾"},
    "left": {"en": "at the beginning of rows", "zh": "位于行首"},
}
_BESIDE = {
    True: {"en": "A mask or lengths come with the batch.", "zh": "batch 中带有掩码或长度。"},
    False: {"en": "No mask comes with the batch.", "zh": "batch 中没有掩码。"},
}
_REASONS = {
    "ranks": {
        "en": "Several processes train together: a pass cannot be run again by one of them. Watch the training on one device.",
        "zh": "多个进程一起训练，单个进程无法重跑一次前向。请在单卡上观察。",
    },
    "large": {
        "en": "The network has too many values without gradients to keep them for a second pass.",
        "zh": "网络中不参与求导的数值过多，无法保存以便重跑。",
    },
    "no-embedding": {
        "en": "No layer of its own turns the padded ids into vectors, as nn.Embedding does.",
        "zh": "没有像 nn.Embedding 那样单独把补齐的编号转为向量的层。",
    },
    "random": {
        "en": "The network gives other outputs for the same batch each time, in inference mode too.",
        "zh": "推理模式下，网络对同一 batch 每次的输出也不同。",
    },
    "failed": {"en": "The pass could not be run again.", "zh": "这次前向无法重跑。"},
}
#: So many times more than words padding moves what an inverted mask lets it move.
_INVERTED = 10
#: Findings of the scripts that say that padding reaches the network's output, and the loss.
_UNMASKED = ["design-mask", "pad-is-mark", "mask-inverted", "mask-dropped", "mask-everywhere", "length-unused"]
_UNMASKED += ["mask-value", "network-mask-value", "unmasked-value"]
_COUNTED = ["mask-unused", "mask-not-applied", "pad-counted"]


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    watches = _watched.of_case(case)
    yield Progress(1, 1, "files")
    of_next = [one for watch in watches for fact in watch.facts("next") if (one := _of_next(watch, fact, params))]
    yield from of_next[:1]
    found = [(watch, fact) for watch in watches for fact in watch.facts("padding")]
    tried = [(watch, fact) for watch, fact in found if "reason" not in fact]
    if not found and not of_next:
        raise Skip("no-padding", steps=max(watch.steps for watch in watches))
    for watch, fact in tried:
        yield from judge(watch, fact, params)
    if found and not tried:
        watch, fact = found[0]
        why = _REASONS.get(str(fact["reason"]), _REASONS["failed"])
        yield Finding("not-tried", Level.INFO, watch.where(step=fact.get("step")), {"why": why}, incomplete=True)


def _of_next(watch: Watch, fact: dict[str, Any], params: Params) -> Finding | None:
    """Whether outputs move with ids behind them that are their labels."""
    if "reason" in fact:
        return None
    where = watch.where(watch.network_place(fact.get("network", -1)), step=fact.get("step"))
    data = {
        "before": _number(fact["before"]),
        "behind": _number(fact["behind"]),
        "place": fact["place"],
        "length": fact["length"],
    }
    if data["behind"] < params.still:
        return None
    if data["before"] >= params.notable and data["before"] >= params.share * data["behind"]:
        return Finding("sees-next", Level.PROBLEM, where, data, fix=Fix("fix-next"))
    return Finding("next-unseen", Level.INFO, where, data, incomplete=data["before"] >= params.still)


def judge(watch: Watch, fact: dict[str, Any], params: Params) -> Iterator[Finding]:
    """What the changes of one pass amount to."""
    where = watch.where(watch.network_place(fact.get("network", -1)), step=fact.get("step"))
    places = int(fact["padding"])
    data: dict[str, Any] = {"places": places, "real": fact["rows"] * fact["length"] - places, "value": fact["value"]}
    data |= {"rows": fact["rows"], "side": _SIDES[fact["side"]], "beside": _BESIDE[bool(fact["mask"])]}
    output, loss, labels = fact.get("output") or {}, fact.get("loss") or {}, fact.get("labels") or []
    evidence: list[Evidence] = [_table(output, loss, labels)]
    each = bool(output.get("each"))
    found: list[Finding] = []
    if output:
        moved = {"what": _WHAT["each" if each else "output"], "moved": output["moved"]}
        found.append(_of_vectors(where, {**data, **_numbers(output), **moved}, bool(fact["mask"]), evidence, params))
    if loss and (each or not output):
        told = {"what": _WHAT["loss"], "moved": fact["rows"]}
        found.append(
            _of_vectors(
                _of_loss(watch, fact, where) if each else where,
                {**data, **_numbers(loss), **told},
                bool(fact["mask"]),
                evidence,
                params,
            )
        )
    for one in labels:
        about = {**data, **_numbers(one), "edge": _number(one.get("edge", 0.0))}
        found.append(_of_labels(where, about, bool(fact["mask"]), evidence, params))
    # An output for each row leaves no place of padding that a loss could count.
    yield from _refuting(found, [*_UNMASKED, *(_COUNTED if loss or not each else [])], params)


def _refuting(found: list[Finding], codes: list[str], params: Params) -> Iterator[Finding]:
    """The findings of one pass, where nothing moves with what scripts seem to say. A mask that is out of step with its labels counts one
    label of padding, or leaves out the last one of words."""
    still = all(one.code in ("padding-still", "labels-still") for one in found)
    labels = [one for one in found if one.code == "labels-still" and not one.incomplete]
    in_step = still and bool(labels) and all(one.data["edge"] >= params.still for one in labels)
    refuted = {"padding-still": codes if still else [], "labels-still": ["mask-shifted"] if in_step else []}
    for one in found:
        told = refuted.get(one.code)
        yield msgspec.structs.replace(one, refutes=[Refutes("padding_script", told)]) if told else one


def _of_loss(watch: Watch, fact: dict[str, Any], where: Where) -> Where:
    """Where a cell of the user's own around the network is made, as one that computes the loss; without one, the network."""
    around = [one for one in watch.facts("origin") if one.get("of") == "around" and not one.get("public")]
    places = [one["place"] for one in around if one.get("number") == fact.get("network") and one.get("place")]
    return watch.where(places[0], step=fact.get("step")) if places else where


def _numbers(moved: dict[str, Any]) -> dict[str, Any]:
    return {"padding": _number(moved["padding"]), "words": _number(moved["words"])}


def _number(value: Any) -> float:
    """What is not finite stands as a word: then it moved beyond all bounds."""
    return float(value) if isinstance(value, (int, float)) else float("inf")


def _of_vectors(where: Any, data: dict[str, Any], mask: bool, evidence: list[Evidence], params: Params) -> Finding:
    padding, words = data["padding"], data["words"]
    if padding < params.still:
        code = "padding-still" if words >= params.still else "nothing-moves"
        return Finding(code, Level.INFO, where, data, evidence, incomplete=code == "nothing-moves")
    if padding >= params.notable and padding > _INVERTED * words:
        return Finding("mask-inverted", Level.PROBLEM, where, data, evidence, Fix("fix-mask"))
    if padding >= params.notable and padding >= params.share * words:
        level = Level.PROBLEM if mask else Level.SUSPECT
        return Finding("padding-read", level, where, data, evidence, Fix("fix-mask"))
    if padding >= params.half * words:
        return Finding("padding-read", Level.SUSPECT, where, data, evidence, Fix("fix-mask"))
    return Finding("padding-little", Level.INFO, where, data, evidence, incomplete=True)


def _of_labels(where: Any, data: dict[str, Any], mask: bool, evidence: list[Evidence], params: Params) -> Finding:
    padding, words = data["padding"], data["words"]
    if padding < params.notable:
        return Finding("labels-still", Level.INFO, where, data, evidence, incomplete=padding >= params.still)
    if words < params.still:
        return Finding("loss-of-padding-alone", Level.PROBLEM, where, data, evidence, Fix("fix-loss"))
    level = Level.PROBLEM if mask else Level.SUSPECT
    return Finding("loss-reads-labels", level, where, data, evidence, Fix("fix-loss"))


def _table(output: dict[str, Any], loss: dict[str, Any], labels: list[dict[str, Any]]) -> Table:
    told = [("vectors", "output", output), ("vectors", "loss", loss), *(("labels", "loss", one) for one in labels)]
    rows: list[list[Plain]] = [[changed, moved, one["padding"], one["words"]] for changed, moved, one in told if one]
    return Table("changes", ["changed", "moved", "padding", "words"], rows)


def _recording(next_: dict[str, Any] | None = None, **padding: Any) -> str:
    head = {"recording": 1, "accucheck": "0.1.0", "time": "2026-01-31T08:00:00+00:00", "mindspore": "2.10.0", "rank": 0}
    network = {
        "fact": "network",
        "number": 0,
        "class": "net.Net",
        "defined": ["net.py", 12],
        "cells": [],
        "parameters": [],
    }
    seen = {"step": 1, "network": 0, "column": 0, "value": 0, "side": "right", "rows": 32, "length": 16, "padding": 273}
    fact = {"fact": "padding", **seen, "mask": False, "labels": [], **padding}
    step = {"step": 1, "epoch": 1, "loss": 1.1, "seconds": 0.1}
    told = [*([fact] if padding else []), *([{"fact": "next", "step": 1, "network": 0, **next_}] if next_ else [])]
    return "".join(json.dumps(line) + "\n" for line in (head, network, *told, step))


def _example(name: str, verdict: Verdict, *codes: str, **padding: Any) -> Example:
    files: dict[str, Any] = {"watch/pynative.jsonl": _recording(**padding)}
    return Example(name, files=files, case={"watched": "watch"}, verdict=verdict, codes=codes)


def _moves(padding: float, words: float, each: bool = False) -> dict[str, Any]:
    return {"each": each, "padding": padding, "words": words, "moved": 32 if padding > 0.001 else 0}


def _only(padding: float, words: float) -> dict[str, float]:
    return {"padding": padding, "words": words}


_TAGGED = _moves(0.0, 0.4, each=True)
EXAMPLES = [
    _example("padding is kept out", Verdict.OK, "padding-still", output=_moves(0.0, 0.21), loss=_only(0.0, 0.04)),
    _example("an inverted mask", Verdict.PROBLEM, "mask-inverted", output=_moves(0.77, 0.0), loss=_only(0.25, 0.0)),
    _example("no mask", Verdict.UNDECIDED, "padding-read", output=_moves(0.4, 0.5), loss=_only(0.2, 0.2)),
    _example("a mask that is not used", Verdict.PROBLEM, "padding-read", output=_moves(0.4, 0.5), mask=True),
    _example(
        "a loss over padding of a network that is new",
        Verdict.UNDECIDED,
        *("padding-still", "padding-read"),
        output=_TAGGED,
        loss=_only(0.002, 0.0033),
    ),
    _example("the edge of a convolution", Verdict.UNDECIDED, "padding-little", output=_moves(0.02, 0.5)),
    _example("a last layer of zeros", Verdict.UNDECIDED, "nothing-moves", output=_moves(0.0, 0.0)),
    _example(
        "tags without their padding",
        Verdict.OK,
        *("padding-still", "labels-still"),
        output=_TAGGED,
        loss=_only(0.0, 0.1),
        labels=[{"column": 1, **_only(0.0, 0.3)}],
        mask=True,
    ),
    _example(
        "a loss of padding alone",
        Verdict.PROBLEM,
        *("padding-still", "padding-read", "loss-of-padding-alone"),
        output=_TAGGED,
        loss=_only(0.1, 0.05),
        labels=[{"column": 1, **_only(0.3, 0.0)}],
        mask=True,
    ),
    _example(
        "a loss that counts padding",
        Verdict.UNDECIDED,
        *("padding-still", "padding-little", "loss-reads-labels"),
        output=_TAGGED,
        loss=_only(0.005, 0.05),
        labels=[{"column": 1, **_only(0.3, 0.3)}],
    ),
    _example(
        "words that are to be told are seen",
        Verdict.PROBLEM,
        "sees-next",
        next_={"before": 0.4, "behind": 0.9, "place": 4, "length": 8},
    ),
    _example(
        "words that are to be told are hidden",
        Verdict.OK,
        "next-unseen",
        next_={"before": 0.0, "behind": 0.9, "place": 4, "length": 8},
    ),
    _example("several processes", Verdict.UNDECIDED, "not-tried", reason="ranks"),
]
