"""Tells the settings that a watched run really used: size of batches, epochs, options of the command, and seeds.

Catches a run in which nothing sets a seed, where two runs are to be compared, gradients that are accumulated wrongly, and a batch of more
than half of the rows. It judges nothing else: whether a batch or a number of epochs suits the task shows in
curves. Cannot tell options that are not read by argparse, nor batches of functions that take no tensor.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Evidence, Finding, Fix, Kind, Level, Plain, Progress, Refutes, Table, Verdict
from ..model import suggest as usual
from ..probe import Example, Skip
from . import _watched
from ._watched import Watch

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("watched",)


class Params(msgspec.Struct, frozen=True):
    about: Annotated[
        str,
        Meta(
            pattern="^(batch_size|epochs|seed)$",
            description="which setting the item is about",
            extra={"unit": "word", "source": "the items hp.02, hp.03 and cmp.01"},
        ),
    ] = "batch_size"


MESSAGES: Words = {
    "batches": {
        "en": "The {steps:,} watched steps trained on batches of {size:,} samples, with {ranks:,} {ranks:process|processes}.",
        "zh": "在观察到的 {steps:,} 步中，训练的 batch 为 {size:,} 个样本，共 {ranks:,} 个进程。",
    },
    "sizes": {
        "en": "Batches of {low:,} to {high:,} samples were trained on in the {steps:,} watched steps.",
        "zh": "在观察到的 {steps:,} 步中，训练的 batch 为 {low:,} 至 {high:,} 个样本。",
    },
    "nearly-all": {
        "en": "A batch holds {size:,} of the {rows:,} rows of the training data, {share:.0%}: an epoch is {updates:,} "
        "{updates:update|updates}, and {left}.",
        "zh": "一个 batch 有 {size:,} 个样本，占训练数据 {rows:,} 行的 {share:.0%}：一个 epoch 只更新 {updates:,} 次，{left}。",
    },
    "not-cleared": {
        "en": "Each update of {kind} includes the gradients of the previous ones: the accumulated gradients are never reset to 0 "
        "({updates:,} updates examined).",
        "zh": "{kind} 的每次更新都重复包含上一次更新的梯度：累积的梯度从未清零（查看了 {updates:,} 次更新）。",
    },
    "summed": {
        "en": "{kind} gets the gradients of {passes:,} passes added up and not averaged, and the loss of a pass is not divided either: "
        "each update is {passes:,} times as large as one of a batch of {batch:,}.",
        "zh": "{kind} 得到的是 {passes:,} 次反向梯度之和而非平均，各次的 loss 也没有除以次数：每次更新是 batch 为 {batch:,} 时的 "
        "{passes:,} 倍。",
    },
    "only-last": {
        "en": "{kind} gets only the gradients of the last of {passes:,} passes over different batches: those of the other {lost:,} are "
        "lost ({updates:,} updates examined).",
        "zh": "{kind} 每次更新只得到 {passes:,} 次反向（各用不同的 batch）中最后一次的梯度：其余 {lost:,} 次的梯度丢失（查看了 "
        "{updates:,} 次更新）。",
    },
    "added-up": {
        "en": "{kind} gets the gradients of {passes:,} passes, added up {share:.4g} times: batches of {batch:,} samples count as one.",
        "zh": "{kind} 得到 {passes:,} 次反向的梯度，为其总和的 {share:.4g} 倍：相当于 {batch:,} 个样本的 batch。",
    },
    "whole": {
        "en": "The training ran to its end under watch: {steps:,} steps, {epochs:,} {epochs:epoch|epochs}.",
        "zh": "训练在观察下运行到结束：共 {steps:,} 步，{epochs:,} 个 epoch。",
    },
    "part": {
        "en": "The watch ended before the training: {steps:,} steps, {epochs:,} {epochs:epoch|epochs} begun.",
        "zh": "观察先于训练结束：共 {steps:,} 步，开始了 {epochs:,} 个 epoch。",
    },
    "options": {
        "en": "{count:,} of {of:,} options of the command differ from their defaults: {names}.",
        "zh": "命令的 {of:,} 个选项中有 {count:,} 个与默认值不同：{names}。",
    },
    "seeded": {"en": "A seed is set: {names}.", "zh": "设置了随机种子：{names}。"},
    "no-seed": {
        "en": "No seed was set in the watched run: another run starts with different weights and a different order of samples.",
        "zh": "所观察的运行中没有设置随机种子：再次运行时初始权重和样本次序都会不同。",
    },
    "fix-smaller": {
        "en": "Use a batch size with many batches per epoch, or all rows if each update should see all of them.",
        "zh": "选用一个 epoch 能分出许多个的 batch；如果每次更新都应看到全部数据，则取全部行。",
    },
    "fix-clear": {
        "en": "Reset the accumulated gradients to 0 after each update.",
        "zh": "每次更新之后把累积的梯度清零。",
    },
    "fix-add": {
        "en": "Accumulate the gradients of all passes before the update, or update after each pass; a step that uses only one of them "
        "on purpose, as in meta-learning, is fine.",
        "zh": "更新之前把各次反向的梯度累加起来，或每次反向之后都更新；如元学习那样本就只用其中一次的训练步不受影响。",
    },
    "fix-average": {
        "en": "Divide the loss, or the gradients, by the number of passes that are accumulated, unless the learning rate was chosen "
        "for that.",
        "zh": "把 loss 或梯度除以累积次数，除非学习率就是按累加设定的。",
    },
    "fix-seed": {
        "en": "Call mindspore.set_seed(1) once, right after the imports, or use the option that sets it.",
        "zh": "在导入语句之后调用一次 mindspore.set_seed(1)，或在命令中给出设置种子的选项。",
    },
    "no-steps": {"en": "No training step was watched.", "zh": "没有观察到训练步。"},
}
WORDS: Words = {
    "used": {"en": "Options as they were used", "zh": "实际使用的选项"},
    "option": {"en": "option", "zh": "选项"},
    "value": {"en": "value", "zh": "取值"},
    "default": {"en": "default", "zh": "默认值"},
}
WHY: Words = {
    "nearly-all": {
        "en": "There are hardly any updates per epoch, so training ends before anything is learned.",
        "zh": "一个 epoch 几乎没有几次更新，epoch 用完了还没有学到什么。",
    },
    "not-cleared": {
        "en": "Old gradients, of weights that are gone, outweigh new ones more with each update.",
        "zh": "过时的梯度越积越多，每次更新都更加压过新的梯度。",
    },
    "summed": {
        "en": "The effective learning rate is that many times the one that is set: what suits one batch may diverge.",
        "zh": "实际学习率是所写值的若干倍：适合单个 batch 的学习率可能会发散。",
    },
    "only-last": {
        "en": "Most of the samples are computed and never learned from: a batch is smaller, and an epoch shorter, than they look.",
        "zh": "大部分样本算过却没有用于学习：实际的 batch 更小，一个 epoch 的更新也更少。",
    },
    "no-seed": {
        "en": "Two runs differ from the first step on, and a comparison shows differences that the code does not cause.",
        "zh": "两次运行从第一步起就不同，对比时看到的差异未必来自代码。",
    },
}
_NORMS = {
    "en": "Print the norm of the gradients that the optimizer gets next to that of each pass.",
    "zh": "对照打印优化器得到的梯度范数和每次反向的梯度范数。",
}
PROOF: Words = {
    **dict.fromkeys(("not-cleared", "summed", "only-last"), _NORMS),
    "nearly-all": {
        "en": "Print get_dataset_size() of the batched data set, and the loss by update rather than by epoch.",
        "zh": "打印分 batch 之后数据集的 get_dataset_size()，并按更新次数而不是按 epoch 查看 loss。",
    },
    "no-seed": {
        "en": "Run the command twice and compare the loss of the first step.",
        "zh": "运行两次，比较第一步的 loss。",
    },
}
#: Updates without which it is not told how gradients are accumulated; relative difference of losses that are equal.
_UPDATES, _NEAR = 4, 2e-3
#: A batch of more than this share of the rows, and not of all, leaves an epoch one update, or two of which one is short.
_NEARLY = 0.5
#: Nodes of a data set that give as many rows as they are given, and samplers that leave none out.
_KEEPING = {"MapDataset", "ShuffleDataset", "ProjectDataset", "RenameDataset", "BatchDataset", "RepeatDataset"}
_KEEPING |= {"RandomSampler", "SequentialSampler"}
_REST = {
    True: {"en": "the rest of the rows is left out of it", "zh": "其余的行不参与"},
    False: {"en": "the last one is a smaller batch", "zh": "最后一次是较小的 batch"},
}
#: Names that a message shows.
_SHOWN = 12


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    watches = _watched.of_case(case)
    yield Progress(1, 1, "files")
    watch = watches[0]
    if not watch.steps:
        raise Skip("no-steps")
    if params.about == "epochs":
        yield from _epochs(watch)
        return
    if params.about == "seed":
        yield from _seeds(watch, compared=True)
        return
    ranks = len({one.rank for one in watches if one.mode == watch.mode})
    yield from _batches(watch, ranks)
    yield from _nearly_all(watch)
    for one in watch.facts("optimizer"):
        yield from _accumulated(watch, one)
    yield from _options(watch)
    yield from _seeds(watch)


def suggest(findings: Iterable[Finding]) -> Verdict:
    """What was used does not say whether it suits."""
    verdict = usual(findings)
    return Verdict.UNDECIDED if verdict is Verdict.OK else verdict


def _batches(watch: Watch, ranks: int) -> Iterator[Finding]:
    sizes = [one["batch"][0]["shape"][0] for one in watch.facts("pass") if _has_batch(one)]
    if not sizes:
        return
    data: dict[str, Any] = {
        "size": max(sizes),
        "low": min(sizes),
        "high": max(sizes),
        "steps": watch.steps,
        "ranks": ranks,
    }
    dataset = watch.first("dataset")
    yield Finding(
        "batches" if min(sizes) == max(sizes) else "sizes",
        Level.INFO,
        watch.where(dataset.get("place")),
        data,
        refutes=[
            Refutes("training_settings", ["batch-not-positive", *(["batch-huge"] if _usual(sizes, ranks) else [])])
        ],
    )


def _usual(sizes: list[int], ranks: int) -> bool:
    """Whether all processes together never had a batch that the scripts' reader calls huge."""
    from ..script.settings import HUGE_BATCH

    return max(sizes) * ranks <= HUGE_BATCH


def _nearly_all(watch: Watch) -> Iterator[Finding]:
    """A batch of more than half of the rows and not of all, as those who train on the whole data set mean it to be."""
    read = {one.get("data") for one in watch.facts("pass") if one.get("training") is True}
    made = {one.get("number"): one for one in watch.facts("origin") if one.get("of") == "dataset"}
    for dataset in watch.facts("dataset"):
        told = _batch_of(dataset)
        if told is None or read != {dataset.get("number")}:
            continue
        size, rows = told
        origin = made.get(dataset.get("number"), {})
        dropped = bool((origin.get("own") or {}).get("drop_remainder"))
        if _NEARLY * rows < size < rows:
            data = {"size": size, "rows": rows, "share": size / rows, "updates": 1 if dropped else 2}
            where = watch.where(origin.get("place") or dataset.get("place"))
            yield Finding("nearly-all", Level.SUSPECT, where, {**data, "left": _REST[dropped]}, fix=Fix("fix-smaller"))


def _batch_of(dataset: dict[str, Any]) -> tuple[int, int] | None:
    """Its rows in a batch and in all, where nothing between the source and the batch leaves out or adds any; else None."""
    nodes = [one for one in dataset.get("nodes") or () if isinstance(one, dict)]
    sizes = [size for one in nodes if isinstance(size := one.get("batch_size"), int)]
    rows = [count for one in nodes if isinstance(count := one.get("rows"), int)]
    kinds = {str(one.get("node")) for one in nodes if "rows" not in one}
    return (sizes[0], rows[0]) if kinds <= _KEEPING and len(sizes) == len(rows) == 1 else None


def _accumulated(watch: Watch, optimizer: dict[str, Any]) -> Iterator[Finding]:
    """How an optimizer is given gradients of several passes, or those of earlier updates."""
    number = optimizer.get("number")
    told = [one for one in watch.facts("gradients") if one.get("optimizer") == number and "passes" in one]
    if len(told) < _UPDATES:
        return
    where = watch.where(optimizer.get("place"))
    data: dict[str, Any] = {"kind": str(optimizer.get("class")).rpartition(".")[2], "updates": len(told)}
    later = _kept(told)
    added = _added(told)
    lost = _lost(told)
    if len(later) >= _UPDATES and all(later):
        yield Finding("not-cleared", Level.SUSPECT, where, data, fix=Fix("fix-clear"))
    elif lost is not None and len(watch.facts("optimizer")) == 1:
        data |= {"passes": lost, "lost": lost - 1}
        yield Finding("only-last", Level.SUSPECT, where, data, fix=Fix("fix-add"))
    elif added is not None:
        passes, share = added
        size = max((one["batch"][0]["shape"][0] for one in watch.facts("pass") if _has_batch(one)), default=0)
        data |= {"passes": passes, "share": share}
        if share == 1 and _whole_losses(watch):
            yield Finding("summed", Level.SUSPECT, where, data | {"batch": size}, fix=Fix("fix-average"))
        else:
            yield Finding("added-up", Level.INFO, where, data | {"batch": size * passes})


def _kept(told: list[dict[str, Any]]) -> list[Any]:
    """Of each update how many times the gradients of the one before are in it; none where a multiple of the passes' sum is given, as
    gradients that keep their direction then seem to hold earlier ones."""
    after = [one for one in told if "kept" in one]  # the first update has none before it
    own = any(one.get("share") is not None for one in after)
    return [] if own else [one["kept"] for one in after]


def _added(told: list[dict[str, Any]]) -> tuple[int, float] | None:
    """Of how many passes each update gets gradients, and how many times their sum; None where that is one, or not always the same."""
    found = {(one["passes"], one.get("share")) for one in told}
    passes, share = found.pop()
    return (passes, share) if not found and passes > 1 and share is not None else None


def _lost(told: list[dict[str, Any]]) -> int | None:
    """Of how many passes, each of a batch of its own, the gradients of the last alone are given in each update; else None."""
    alone = all(one.get("last") is not None and one.get("share") is None for one in told)
    counts = {(one["passes"], one.get("batches")) for one in told}
    passes, batches = counts.pop()
    return passes if alone and not counts and passes > 1 and passes == batches else None


def _whole_losses(watch: Watch) -> bool:
    """Whether the loss of each pass is the mean over its batch, and no part of it."""
    told = watch.facts("outputs")
    return bool(told) and all(map(_whole_loss, told))


def _has_batch(one: dict[str, Any]) -> bool:
    return one.get("training") is True and bool(one.get("batch")) and bool(one["batch"][0].get("shape"))


def _whole_loss(one: dict[str, Any]) -> bool:
    loss, own = one.get("loss"), one.get("own")
    if not isinstance(loss, (int, float)) or not isinstance(own, (int, float)):
        return False
    return abs(loss - own) <= _NEAR * abs(own)


def _epochs(watch: Watch) -> Iterator[Finding]:
    epochs = watch.run.series["seconds"].epochs
    data = {"steps": watch.steps, "epochs": len({int(one) for one in epochs if one >= 0})}
    why = watch.first("end").get("why")
    whole = why == "exit"
    data["cut"] = why == "enough"  # by the watch itself, and not by an error or by the user
    codes = ["epochs-zero", *(["epochs-squared", "epochs-twice"] if _unrepeated(watch) else [])]
    refutes = [Refutes("training_settings", codes)]
    yield Finding("whole" if whole else "part", Level.INFO, watch.where(), data, refutes=refutes)


def _unrepeated(watch: Watch) -> bool:
    """Whether no data set that passes of training read from repeats anything."""
    read = {one.get("data") for one in watch.facts("pass") if one.get("training") is True}
    nodes = [node for one in watch.facts("dataset") if one.get("number") in read for node in one.get("nodes") or ()]
    told = bool(nodes) and None not in read
    return told and all(one.get("node") != "RepeatDataset" or one.get("count") == 1 for one in nodes)


def _options(watch: Watch) -> Iterator[Finding]:
    told = watch.first("options")
    values, defaults = told.get("values") or {}, told.get("defaults") or {}
    changed = [name for name, value in values.items() if name in defaults and defaults[name] != value]
    if not values:
        return
    rows: list[list[Plain]] = [[name, str(value), str(defaults.get(name))] for name, value in values.items()]
    evidence: list[Evidence] = [Table("used", ["option", "value", "default"], rows[:200], total=len(rows))]
    names: Any = [f"{name}={values[name]}" for name in changed[:_SHOWN]] or {"en": "none", "zh": "无"}
    data = {"count": len(changed), "of": len(values), "names": names}
    yield Finding("options", Level.INFO, watch.where(told.get("place")), data, evidence)


def _seeds(watch: Watch, compared: bool = False) -> Iterator[Finding]:
    """`compared`: whether another run is to be compared with, so that it must begin alike."""
    seeds = watch.facts("seed")
    if not seeds:
        level, fix = (Level.PROBLEM, Fix("fix-seed")) if compared else (Level.INFO, None)
        yield Finding("no-seed", level, watch.where(), fix=fix)
        return
    names = list(dict.fromkeys(f"{one.get('of')}({', '.join(map(str, one.get('value') or []))})" for one in seeds))
    refutes = [Refutes("randomness_fixed", ["no-seed", "seed-not-reached"])] if compared else []
    lines: dict[str, list[list[int]]] = {}
    for path, line in (one["place"] for one in seeds if one.get("place")):
        lines.setdefault(path, []).append([line, line])
    if compared and lines:
        refutes.append(Refutes("randomness_fixed", ["conditional"], places=lines))
    data = {"names": names[:_SHOWN]}
    yield Finding("seeded", Level.INFO, watch.where(seeds[0].get("place")), data, refutes=refutes)


def _example(
    name: str,
    *codes: str,
    sizes: tuple[int, ...] = (32, 32),
    seed: bool = True,
    verdict: Verdict = Verdict.UNDECIDED,
    gradients: dict[str, Any] | None = None,
    rows: int = 0,
    **params: Any,
) -> Example:
    """`gradients`: what is told of those that the optimizer is given in each step; `rows`: of the data set."""
    head = {"recording": 1, "accucheck": "0.1.0", "time": "2026-01-31T08:00:00+00:00", "mindspore": "2.10.0", "rank": 0}
    options = {"values": {"lr": 0.1, "epochs": 3}, "defaults": {"lr": 0.05, "epochs": 3}, "place": ["train.py", 9]}
    lines: list[dict[str, Any]] = [head, {"fact": "options", **options}]
    if rows:
        nodes = [{"node": "BatchDataset", "batch_size": sizes[0]}, {"node": "NumpySlicesDataset", "rows": rows}]
        lines.append({"fact": "dataset", "number": 0, "place": ["train.py", 15], "nodes": nodes})
    if seed:
        lines.append({"fact": "seed", "of": "mindspore.set_seed", "value": [1], "place": ["train.py", 12]})
    for step, size in enumerate(sizes, 1):
        batch = [{"shape": [size, 4], "type": "float32"}]
        lines.append(
            {"fact": "pass", "step": step, "training": True, "data": 0, "batch": batch, "networks": [0], "calls": []}
        )
        if gradients is not None:
            lines.append({"fact": "outputs", "step": step, "loss": 0.7, "own": 0.7})
            lines.append({"fact": "gradients", "step": step, "optimizer": 0, "norms": [0.5], **gradients})
        lines.append({"step": step, "epoch": step, "loss": 1.0, "seconds": 0.1})
    if gradients is not None:
        lines.append({"fact": "optimizer", "number": 0, "class": "mindspore.nn.SGD", "place": ["train.py", 20]})
    lines.append({"fact": "end", "why": "enough", "steps": len(sizes)})
    files: dict[str, Any] = {"watch/pynative.jsonl": "".join(json.dumps(line) + "\n" for line in lines)}
    return Example(name, files=files, case={"watched": "watch"}, verdict=verdict, codes=codes, params=params)


EXAMPLES = [
    _example("a seed and options", "batches", "options", "seeded"),
    _example("no seed, a smaller last batch", "sizes", "options", "no-seed", sizes=(32, 20), seed=False),
    _example("most of the rows at once", "batches", "nearly-all", "options", "seeded", sizes=(96, 96), rows=120),
    _example("all rows at once", "batches", "options", "seeded", sizes=(120, 120), rows=120),
    _example(
        *("four passes added up", "batches", "summed", "options", "seeded"),
        sizes=(32,) * 5,
        gradients={"passes": 4, "share": 1.0},
    ),
    _example(
        *("four passes averaged", "batches", "added-up", "options", "seeded"),
        sizes=(32,) * 5,
        gradients={"passes": 4, "share": 0.25},
    ),
    _example(
        *("the last of four passes alone", "batches", "only-last", "options", "seeded"),
        sizes=(32,) * 5,
        gradients={"passes": 4, "batches": 4, "share": None, "last": 1.0},
    ),
    _example(
        *("two passes of one batch", "batches", "options", "seeded"),
        sizes=(32,) * 5,
        gradients={"passes": 2, "batches": 1, "share": None, "last": 1.0},
    ),
    _example(
        *("gradients that are never cleared", "batches", "not-cleared", "options", "seeded"),
        sizes=(32,) * 5,
        gradients={"passes": 1, "share": None, "kept": 1.0},
    ),
    _example(
        *("gradients of one pass that keep their direction", "batches", "options", "seeded"),
        sizes=(32,) * 5,
        gradients={"passes": 1, "share": 1.0, "kept": -0.007},
    ),
    _example("a part of the epochs", "part", about="epochs"),
    _example("a seed, to be compared with", "seeded", about="seed"),
    _example("no seed, to be compared with", "no-seed", about="seed", seed=False, verdict=Verdict.PROBLEM),
]
