"""Tells from a watched run what the outputs of the network depend on: its inputs, and no other sample of the batch.

One pass of the training was run again in inference mode, with other values of each input in turn, and with another first sample. Catches a
network whose outputs do not move with its only input, and samples that act on each other, as after a reshape or a softmax along the axis of
samples. The rows of an input are taken for samples only where the data set put so many samples into a batch, as nodes of a graph, or steps
of time, are no samples. Cannot tell an input that counts in training alone, as labels may, nor what a compiled graph does.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Progress, Verdict, Where
from ..probe import Example, Skip
from . import _watched, input_dependence

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("watched",)


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    same: Annotated[
        float,
        Meta(
            ge=0,
            lt=1,
            description="outputs that move by no more than this share of the largest are the same",
            extra={"unit": "1", "source": "as input_dependence: ten times what single precision rounds"},
        ),
    ] = 1e-6
    mixed: Annotated[
        float,
        Meta(
            ge=0,
            lt=1,
            description="a larger change in samples that stayed as they were is one sample acting on another",
            extra={"unit": "1", "source": "own choice: what half precision rounds"},
        ),
    ] = 1e-3


MESSAGES: Words = {
    "depends": {
        "en": "The outputs of the network change with {names}, by {least:.2g} of their largest value or more.",
        "zh": "网络输出随 {names} 变化，幅度至少为最大输出值的 {least:.2g}。",
    },
    "apart": {
        "en": "Samples do not affect each other: when the first sample is replaced, the outputs of the rest change by {mixed:.2g} of "
        "the largest value.",
        "zh": "样本之间互不影响：更换第一个样本后，其余样本的输出变化为最大输出值的 {mixed:.2g}。",
    },
    "independent": {
        "en": "The outputs of the network do not depend on {names}, its only input: every sample yields the same.",
        "zh": "网络输出不随唯一的输入 {names} 变化：换成其他样本，输出相同。",
    },
    "still": {
        "en": "In inference mode the outputs of the network do not change with {names}: it may matter only in training.",
        "zh": "推理模式下网络输出不随 {names} 变化：该输入可能只在训练时起作用。",
    },
    "mixing": {
        "en": "Samples affect each other: when the first sample is replaced, the outputs of the rest change by {mixed:.2g} of the "
        "largest value.",
        "zh": "样本之间互相影响：更换第一个样本后，其余样本的输出变化达最大输出值的 {mixed:.2g}。",
    },
    "samples-unseen": {
        "en": "Whether samples act on each other was not seen: the outputs have no row for each row of one input, or these rows are "
        "not the samples of a batch.",
        "zh": "未能确认样本之间是否互相影响：输出与唯一输入的行不一一对应，或这些行不是一个 batch 的样本。",
    },
    "not-looked": {
        "en": "No forward pass was repeated: the batch is large, several processes train together, or only a compiled graph could be "
        "watched.",
        "zh": "没有重复运行任何一次前向：batch 较大、多进程共同训练，或只观察到编译后的计算图。",
    },
    "fix-input": {
        "en": "Follow the input through construct: see where it is replaced, cut off, multiplied by zero or averaged away.",
        "zh": "在 construct 中沿输入检查：在何处被替换、截断、乘以零或被平均掉。",
    },
    "fix-axis": {
        "en": "See each reshape, transpose, softmax, norm and recurrent layer: the axis of samples must stay apart.",
        "zh": "检查每处 reshape、transpose、softmax、归一化和循环层：样本所在的维度必须保持独立。",
    },
}
WHY: Words = {
    "independent": input_dependence.WHY["independent"],
    "mixing": input_dependence.WHY["mixing"],
}
PROOF: Words = {
    "independent": input_dependence.PROOF["independent"],
    "mixing": input_dependence.PROOF["mixing"],
}
WORDS: Words = {}


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    watches = _watched.of_case(case)
    yield Progress(1, 1, "files")
    found = [(watch, fact) for watch in watches for fact in watch.facts("inputs") if "reason" not in fact]
    if not found:
        raise Skip("not-looked")
    watch, fact = found[0]
    network = watch.network(fact["network"])
    where = watch.where(watch.network_place(fact["network"]), step=fact.get("step"))
    looked: dict[str, Any] = next((one["moved"] for one in fact["inputs"] if one["class"] == network.get("class")), {})
    yield from _of_inputs(looked, where, params)
    if isinstance(fact.get("rows"), (int, float)) and _has_samples(watch, fact):
        yield _of_samples(fact["rows"], where, params)
    else:
        yield Finding("samples-unseen", Level.INFO, where, incomplete=True)


def _has_samples(watch: _watched.Watch, fact: dict[str, Any]) -> bool:
    """Whether the network was given, in the step that is told of, as many rows as its data set puts samples into a batch."""
    passes = (one for one in watch.facts("pass") if one.get("training") is True and one.get("step") == fact.get("step"))
    run: dict[str, Any] = next(passes, {})
    nodes = (
        one["nodes"] for one in watch.facts("dataset") if one.get("number") == run.get("data") and one.get("nodes")
    )
    sizes = {node["batch_size"] for node in next(nodes, ()) if "batch_size" in node}
    return any(one["shape"][:1] == [size] for one in run.get("given") or () for size in sizes)


def _of_inputs(looked: dict[str, Any], where: Where, params: Params) -> Iterator[Finding]:
    """`looked`: how far outputs move with each input by its name, None where that was not told."""
    moved = {name: value for name, value in looked.items() if isinstance(value, (int, float))}
    still = [name for name, value in moved.items() if value <= params.same]
    if still and len(looked) == 1:
        yield Finding("independent", Level.SUSPECT, where, {"names": still}, fix=Fix("fix-input"))
    elif still:
        yield Finding("still", Level.INFO, where, {"names": still}, incomplete=True)
    moving = {name: value for name, value in moved.items() if name not in still}
    if moving:
        yield Finding("depends", Level.INFO, where, {"names": [*moving], "least": min(moving.values())})


def _of_samples(rows: float, where: Where, params: Params) -> Finding:
    if rows > params.mixed:
        return Finding("mixing", Level.SUSPECT, where, {"mixed": rows}, fix=Fix("fix-axis"))
    return Finding("apart", Level.INFO, where, {"mixed": rows})


def _example(
    name: str, verdict: Verdict, *codes: str, moved: dict[str, float], rows: float | None = 0.0, given: int = 16
) -> Example:
    """`given`: the rows that the network is given, of a data set with batches of 16 samples."""
    head = {"recording": 1, "accucheck": "0.1.0", "time": "2026-01-31T08:00:00+00:00", "mindspore": "2.10.0", "rank": 0}
    network = {"fact": "network", "number": 0, "class": "net.Net", "defined": ["net.py", 12], "cells": []}
    looked = [{"class": "net.Net", "place": ["net.py", 12], "moved": moved}]
    lines: list[dict[str, Any]] = [
        head,
        network,
        {
            "fact": "dataset",
            "number": 0,
            "place": ["train.py", 30],
            "nodes": [{"node": "BatchDataset", "batch_size": 16}],
        },
        {"fact": "pass", "step": 1, "training": True, "data": 0, "given": [{"shape": [given, 8]}]},
        {"fact": "inputs", "step": 1, "network": 0, "inputs": looked, "rows": rows},
        {"step": 1, "epoch": 1, "loss": 1.0, "seconds": 0.1},
    ]
    files: dict[str, Any] = {"watch/pynative.jsonl": "".join(json.dumps(line) + "\n" for line in lines)}
    return Example(name, files=files, case={"watched": "watch"}, verdict=verdict, codes=codes)


EXAMPLES = [
    _example("a network that looks at its input", Verdict.OK, "depends", "apart", moved={"x": 0.8}),
    _example("outputs that never move", Verdict.UNDECIDED, "independent", moved={"x": 0.0}),
    _example(
        "one of two inputs",
        Verdict.UNDECIDED,
        "still",
        "depends",
        "samples-unseen",
        moved={"x": 0.8, "label": 0.0},
        rows=None,
    ),
    _example("samples that act on each other", Verdict.UNDECIDED, "mixing", "depends", moved={"x": 0.8}, rows=0.4),
    _example(
        "rows that are nodes of graphs",
        Verdict.UNDECIDED,
        "depends",
        "samples-unseen",
        moved={"x": 0.8},
        rows=0.4,
        given=210,
    ),
]
