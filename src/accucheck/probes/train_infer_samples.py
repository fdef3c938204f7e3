"""Puts the same raw samples through the project's own pipelines of training, evaluation and inference and compares the results.

Catches: another shape or type, other values (a missing or different Rescale, Normalize or Resize, other mean and std, another
order of colours), steps left to chance in evaluation or inference. The rows of the evaluation data go through the maps and
batches of each pipeline, without shuffling, filters or repeats. Where training augments by chance, pictures of one colour are
put through, which crops and flips leave alone; else only shape, type and range are compared.
Cannot tell: what a source of the user's own does to a sample before it hands it out, unless both pipelines read the same
samples in the same order; and what happens between the pipeline and the network.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Evidence, Finding, Fix, Kind, Level, Plain, Progress, Refutes, Table, Verdict, Where
from ..probe import Example, Skip
from . import _live

KIND = Kind.LIVE
NEEDS: tuple[str | tuple[str, ...], ...] = (
    ("pipelines.train", "pipelines.infer"),
    ("pipelines.eval", "pipelines.infer"),
)


class Params(msgspec.Struct, frozen=True):
    samples: Annotated[
        int, Meta(ge=2, le=500, description="samples compared", extra={"unit": "samples", "source": "own choice"})
    ] = 16
    seconds: Annotated[
        float, Meta(gt=0, description="time for all pipelines", extra={"unit": "s", "source": "own choice"})
    ] = 60.0
    close: Annotated[
        float,
        Meta(
            ge=0,
            lt=1,
            description="values differ when they are further apart than this share of their standard deviation; "
            "less is another way of computing the same",
            extra={"unit": "1", "source": "own choice; resizing by PIL and by MindSpore differ more"},
        ),
    ] = 1e-3
    colours: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="pictures of one colour come out different from this share of their range on",
            extra={"unit": "1", "source": "own choice; the usual means of public data sets differ by 0.01 to 0.03"},
        ),
    ] = 0.01
    scale: Annotated[
        float,
        Meta(
            gt=1,
            description="ranges differ when deviations are this many times apart, or means this many deviations",
            extra={"unit": "ratio", "source": "own choice"},
        ),
    ] = 3.0


#: What the scripts seem to say of pipelines that make the same of the same samples. How the data are divided is not seen here.
APART = [
    "random-in-evaluation",
    "random-perhaps",
    "normalised-in-one",
    "scale-differs",
    "constants-differ",
    "clip-differs",
    "colour-differs",
    "size-differs",
    "slice-differs",
]
MESSAGES: Words = {
    "shape-differs": {
        "en": "{column} comes out with shape {mine} in {one} and {theirs} in {other}, from the same raw samples.",
        "zh": "同样的原始样本，{column} 在{one}中输出形状为 {mine}，在{other}中为 {theirs}。",
    },
    "type-differs": {
        "en": "{column} comes out as {mine} in {one} and as {theirs} in {other}.",
        "zh": "{column} 在{one}中输出类型为 {mine}，在{other}中为 {theirs}。",
    },
    "values-differ": {
        "en": "{column} comes out different in {one} and in {other} from the same {samples:,} raw {samples:sample|samples}: values "
        "differ by up to {difference:.4g}, with a standard deviation of {scale:.4g}. First differing step ({step}): {mine} against "
        "{theirs}.",
        "zh": "同样的 {samples:,} 个原始样本，{column} 在{one}与{other}中输出不同：最大相差 {difference:.4g}，而其标准差为 {scale:.4g}。"
        "最先出现差异的是第 {step} 步：{mine} 与 {theirs}。",
    },
    "values-close": {
        "en": "{column} comes out nearly equal in {one} and in {other}: values are up to {difference:.2g} apart "
        "(standard deviation {scale:.4g}). Step {step}: {mine} against {theirs}.",
        "zh": "{column} 在{one}与{other}中的输出近似相等：最大相差 {difference:.2g}（标准差 {scale:.4g}）。"
        "第 {step} 步：{mine} 与 {theirs}。",
    },
    "colours-differ": {
        "en": "A single-colour picture becomes different numbers in {one} and {other}: they differ by up to {difference:.4g} in "
        "{column}, whose values span {spread:.4g}. Crops and flips cannot cause this; mean, std, scale or channel order differ.",
        "zh": "纯色图片在{one}与{other}中得到的数值不同：{column} 最大相差 {difference:.4g}，而其取值跨度为 {spread:.4g}。"
        "裁剪、翻转不会造成这种差异；应是 mean、std、缩放或通道顺序不一致。",
    },
    "random-step": {
        "en": "Chance decides in {one}: the same samples come out different at each pass. First such step: {mine}.",
        "zh": "{one}中存在随机处理：同样的样本每次输出都不同。第一个随机步骤：{mine}。",
    },
    "range-differs": {
        "en": "{column} has a different scale in {one} (mean {mean:.4g}, standard deviation {std:.4g}) and in {other} (mean "
        "{other_mean:.4g}, standard deviation {other_std:.4g}), each measured on its own samples.",
        "zh": "{column} 在{one}中（均值 {mean:.4g}，标准差 {std:.4g}）与在{other}中（均值 {other_mean:.4g}，标准差 {other_std:.4g}）"
        "尺度不同（各用自己的样本）。",
    },
    "equal": {
        "en": "The same {samples:,} raw {samples:sample comes|samples come} out equal in {one} and in {other} ({columns}).",
        "zh": "同样的 {samples:,} 个原始样本在{one}与{other}中输出一致（{columns}）。",
    },
    "equal-colours": {
        "en": "{one} augments by chance; pictures of one colour come out as in {other}, and so do shape and type.",
        "zh": "{one}含随机增强；纯色图片的输出与{other}一致，形状和类型也一致。",
    },
    "only-shape": {
        "en": "{one} augments randomly, so only shape, type and range were compared with {other}.",
        "zh": "{one}含随机增强，因此与{other}只比较了形状、类型和取值范围。",
    },
    "inside-source": {
        "en": "{one} or {other} reads through a custom source of the project; what the source does to a sample was not compared, only "
        "what comes after it.",
        "zh": "{one}或{other}使用项目自定义的数据源；数据源内部对样本的处理未作比较，只比较了其后的步骤。",
    },
    "other-rows": {
        "en": "The sources of {one} and {other} hand out different kinds of rows (column {column}), so the same samples cannot go "
        "through both; only shape and type at the end were compared.",
        "zh": "{one}与{other}的数据源给出的原始数据类型不同（{column} 列），无法让同样的样本经过两者；只比较了最终的形状和类型。",
    },
    "not-replayed": {
        "en": "The pipeline of {one} has a node that cannot be replayed here ({what}).",
        "zh": "{one}的数据管道中有无法拆解的节点（{what}）。",
    },
    "no-rows": {"en": "The source of {one} yields no rows.", "zh": "{one}的数据源没有给出任何数据。"},
    "pair-raised": {
        "en": "Samples of {other} did not go through the pipeline of {one}: {what}",
        "zh": "{other}的样本无法通过{one}的数据管道：{what}",
    },
    "time": {
        "en": "The time was over before {one} and {other} were compared.",
        "zh": "时限内未来得及比较{one}与{other}。",
    },
    "no-columns": {
        "en": "{one} and {other} have no input column in common.",
        "zh": "{one}与{other}没有可比较的输入列。",
    },
    "one-pipeline": {
        "en": "Only one pipeline is set; add another one in pipelines (train, eval, infer) to compare it with.",
        "zh": "只给出了一个数据管道；请在 pipelines（train、eval、infer）中再给出一个用于比较。",
    },
    "fix-same": {
        "en": "Use the same deterministic steps with the same arguments in all pipelines, ideally from one function that all of them call.",
        "zh": "各数据管道应使用相同的确定性处理步骤和参数，最好由同一个函数生成。",
    },
    "fix-random": {
        "en": "Replace the random step by its deterministic counterpart in evaluation and inference, for instance RandomCrop by "
        "Resize and CenterCrop.",
        "zh": "评估与推理中请把随机步骤换成对应的确定性步骤，例如用 Resize 加 CenterCrop 代替 RandomCrop。",
    },
}
WORDS: Words = {
    "steps": {"en": "What each step makes of the first samples", "zh": "每一步对样本的处理结果"},
    "outputs": {"en": "What comes out", "zh": "输出"},
    "colours": {"en": "Pictures of one colour, by channel", "zh": "纯色图片的输出（按通道）"},
    "role": {"en": "pipeline", "zh": "管道"},
    "step": {"en": "step", "zh": "步骤"},
    "column": {"en": "column", "zh": "列"},
    "shape": {"en": "shape", "zh": "形状"},
    "type": {"en": "type", "zh": "类型"},
    "low": {"en": "lowest", "zh": "最小值"},
    "high": {"en": "highest", "zh": "最大值"},
    "mean": {"en": "mean", "zh": "均值"},
    "std": {"en": "std", "zh": "标准差"},
    "random": {"en": "by chance", "zh": "随机"},
    "colour": {"en": "colour", "zh": "颜色"},
}
_OTHER_INPUT = {
    "en": "The network is tested on inputs unlike those it learned from, so accuracy is lower than what it has learned.",
    "zh": "网络在与训练时不同的输入上被测试，测得的精度低于其真实水平。",
}
_SWAP = {
    "en": "Evaluate once with the deterministic steps of training; the accuracy changes immediately.",
    "zh": "用训练的确定性步骤做一次评估，精度会立即变化。",
}
_CHANCE = {
    "en": "Accuracy differs from run to run, and is measured on distorted samples.",
    "zh": "每次评估的精度都不同，且反映的是被扰动样本上的精度。",
}
WHY: Words = {
    "shape-differs": _OTHER_INPUT,
    "type-differs": _OTHER_INPUT,
    "values-differ": _OTHER_INPUT,
    "values-close": _OTHER_INPUT,
    "colours-differ": _OTHER_INPUT,
    "range-differs": _OTHER_INPUT,
    "random-step": _CHANCE,
}
PROOF: Words = {
    **dict.fromkeys(WHY, _SWAP),
    "random-step": {
        "en": "Evaluate the same checkpoint twice: the results differ.",
        "zh": "对同一 checkpoint 评估两次，结果不同。",
    },
}


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..live.child import events

    given = {role: pipeline for role in _live.ROLES if (pipeline := _live.pipeline_of(case, role)) is not None}
    if len(given) < 2:
        raise Skip("one-pipeline")
    request = {
        "pipelines": given,
        "samples": params.samples,
        "seconds": params.seconds,
        "label": case.get("data.train.label"),
    }
    sides: dict[str, dict[str, Any]] = {}
    unfinished = True
    for event in events(case, "samples", request, params.seconds):
        kind = event["event"]
        if kind == "side":
            sides[event["role"]] = event
            yield Progress(len(sides), len(given), "steps")
            if event["random"] and event["role"] != "train":
                yield _random(event, sides)
        elif kind == "cannot":
            yield _cannot(event)
        elif kind == "pair":
            yield from _of_pair(event, sides, params)
        elif kind == "end":
            unfinished = False
    if unfinished:
        first, second, *_ = given
        yield Finding("time", Level.INFO, data=_names(first, second), incomplete=True)


def _names(one: str, other: str) -> dict[str, Any]:
    return {"one": _live.ROLES[one], "other": _live.ROLES[other]}


def _random(side: dict[str, Any], sides: dict[str, dict[str, Any]]) -> Finding:
    first = next((step["text"] for step in side["steps"] if step.get("random")), "?")
    data = {"one": _live.ROLES[side["role"]], "mine": first}
    return Finding("random-step", Level.PROBLEM, Where(), data, _evidence(sides, (side["role"],)), Fix("fix-random"))


def _cannot(event: dict[str, Any]) -> Finding:
    code = {"raised": "pair-raised"}.get(event["reason"], event["reason"])
    data = {"one": _live.ROLES[event["role"]], "what": event["what"]}
    if "other" in event:
        data["other"] = _live.ROLES[event["other"]]
    return Finding(code, Level.INFO, data=data, incomplete=True)


def _of_pair(pair: dict[str, Any], sides: dict[str, dict[str, Any]], params: Params) -> Iterator[Finding]:
    names = _names(pair["one"], pair["other"])
    evidence = _evidence(sides, (pair["one"], pair["other"]), pair.get("colours"))
    if not pair["columns"]:
        yield Finding("no-columns", Level.INFO, data=names, evidence=evidence, incomplete=True)
        return
    told = False
    for column in pair["columns"]:
        for finding in _of_column(column, pair, params, names, evidence):
            told = True
            yield finding
    colours: dict[str, Any] = pair.get("colours") or {"spread": 0.0}
    judged = colours["spread"] > 0 and colours["steady"] <= params.colours * colours["spread"]
    if judged and not told and colours["difference"] > params.colours * colours["spread"]:
        data = {**names, **{key: colours[key] for key in ("column", "difference", "spread")}}
        told = True
        yield Finding("colours-differ", Level.PROBLEM, Where(), data, evidence, Fix("fix-same"))
    if not told:
        for finding in _of_range(sides[pair["one"]], sides[pair["other"]], params, names, evidence):
            told = True
            yield finding
    if pair["how"] == "differs":
        yield Finding(
            "other-rows", Level.INFO, data={**names, "column": pair["column"]}, evidence=evidence, incomplete=True
        )
        return
    if pair["how"] == "apart":
        yield Finding("inside-source", Level.INFO, data=names, evidence=evidence, incomplete=True)
    if not told:
        yield _alike(pair, judged, names, evidence)


def _alike(pair: dict[str, Any], judged: bool, names: dict[str, Any], evidence: list[Evidence]) -> Finding:
    """A pair in which nothing differs; `judged`: as far as colours go."""
    if any(pair["random"]):
        return Finding("equal-colours" if judged else "only-shape", Level.INFO, data=names, evidence=evidence)
    data = {**names, "samples": pair["samples"], "columns": [column["one"]["column"] for column in pair["columns"]]}
    refutes = [Refutes("train_infer_transforms", APART)] if _of_evaluation(pair) else []
    return Finding("equal", Level.INFO, data=data, evidence=evidence, refutes=refutes)


def _of_evaluation(pair: dict[str, Any]) -> bool:
    """Whether the pair is training and evaluation, which is what the scripts are read for."""
    return {pair["one"], pair["other"]} == {"train", "eval"}


def _shape(sizes: list[int] | None) -> str:
    return "?" if sizes is None else str(tuple(sizes))


def _of_column(
    column: dict[str, Any], pair: dict[str, Any], params: Params, names: dict[str, Any], evidence: list[Evidence]
) -> Iterator[Finding]:
    one, other = column["one"], column["other"]
    place = Where(field=one["column"])
    data = {**names, "column": one["column"], "samples": pair["samples"]}
    # What reads other kinds of rows may well be for something else.
    strong = Level.SUSPECT if pair["how"] == "differs" else Level.PROBLEM
    if one["dtype"] != other["dtype"]:
        floats = one["dtype"].startswith("float") and other["dtype"].startswith("float")
        said = {**data, "mine": one["dtype"], "theirs": other["dtype"]}
        level = Level.SUSPECT if floats else strong
        yield Finding("type-differs", level, place, said, evidence, Fix("fix-same"))
    comparable = not any(pair["random"]) and pair["how"] != "differs"
    if not column["shapes"] and (comparable or None not in (one["shape"], other["shape"])):
        said = {**data, "mine": _shape(one["shape"]), "theirs": _shape(other["shape"])}
        yield Finding("shape-differs", strong, place, said, evidence, Fix("fix-same"))
    if column["shapes"] and comparable:
        yield from _of_values(column, pair, params, data, evidence)


def _of_values(
    column: dict[str, Any], pair: dict[str, Any], params: Params, data: dict[str, Any], evidence: list[Evidence]
) -> Iterator[Finding]:
    place = Where(field=column["one"]["column"])
    difference, scale = column["difference"], column["scale"]
    if difference == 0:
        return
    # Training data that only look like the evaluation data (as many, the same labels) may be others.
    level = Level.SUSPECT if pair["how"] == "own" and pair["one"] == "train" else Level.PROBLEM
    first = pair.get("first") or {"step": "?", "one": "?", "other": "?"}
    said = {**data, "step": first["step"], "mine": first["one"], "theirs": first["other"], "scale": scale}
    if difference is None or difference > params.close * scale:
        shown = "∞" if difference is None else difference
        yield Finding("values-differ", level, place, {**said, "difference": shown}, evidence, Fix("fix-same"))
    elif difference > 1e-5 * scale:
        yield Finding("values-close", Level.SUSPECT, place, {**said, "difference": difference}, evidence)


def _of_range(
    one: dict[str, Any], other: dict[str, Any], params: Params, names: dict[str, Any], evidence: list[Evidence]
) -> Iterator[Finding]:
    """Columns whose values are of another size at the two ends, each on its own samples."""
    theirs = {entry["column"]: entry for entry in other["outputs"] if entry["column"] not in other["labels"]}
    for mine in one["outputs"]:
        entry = theirs.get(mine["column"])
        if entry is None or mine["column"] in one["labels"] or not all("std" in part for part in (mine, entry)):
            continue
        small, large = sorted((mine["std"], entry["std"]))
        if not mine["dtype"].startswith("float") or not large:
            continue
        if large > params.scale * small or abs(mine["mean"] - entry["mean"]) > params.scale * large:
            data = {**names, "column": mine["column"], "mean": mine["mean"], "std": mine["std"]}
            data |= {"other_mean": entry["mean"], "other_std": entry["std"]}
            yield Finding("range-differs", Level.SUSPECT, Where(field=mine["column"]), data, evidence, Fix("fix-same"))


def _rounded(value: float | None) -> Plain:
    return None if value is None else float(f"{value:.6g}")


def _evidence(
    sides: dict[str, dict[str, Any]], roles: tuple[str, ...], colours: dict[str, Any] | None = None
) -> list[Evidence]:
    steps: list[list[Plain]] = []
    outputs: list[list[Plain]] = []

    def numbers(entry: dict[str, Any]) -> list[Plain]:
        shape = "?" if entry.get("shape") is None else str(tuple(entry["shape"]))
        return [shape, entry.get("dtype", "?"), *(_rounded(entry.get(key)) for key in ("low", "high", "mean", "std"))]

    for role in roles:
        for step in sides[role]["steps"]:
            chance: Plain = {True: "×", False: ""}.get(step.get("random", False), "?")
            steps.append([role, step["text"], *numbers(step), chance])
        outputs += [[role, entry["column"], *numbers(entry)] for entry in sides[role]["outputs"]]
    what = ["shape", "type", "low", "high", "mean", "std"]
    evidence: list[Evidence] = [
        Table("steps", ["role", "step", *what, "random"], steps[:200], total=len(steps)),
        Table("outputs", ["role", "column", *what], outputs[:200], total=len(outputs)),
    ]
    if colours:
        rows: list[list[Plain]] = [
            [
                ", ".join(str(part) for part in colour),
                *(", ".join(f"{part:.4g}" for part in side[place]) for side in (one, other)),
            ]
            for one, other in [(colours["one"], colours["other"])]
            for place, colour in enumerate(colours["colours"])
        ]
        evidence.append(Table("colours", ["colour", *roles], rows))
    return evidence


# --- examples ---------------------------------------------------------------------------------------------------------

_HEAD = """
import numpy as np
import mindspore.dataset as ds
from mindspore.dataset import vision

MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]

def pictures(seed):
    random = np.random.default_rng(seed)
    pixels = random.integers(0, 256, (40, 24, 20, 3)).astype(np.uint8)
    return ds.NumpySlicesDataset({"image": pixels, "label": (np.arange(40) % 4).astype(np.int32)}, shuffle=seed == 0)

def tail(scale=1 / 255):
    return [vision.Rescale(scale, 0.0), vision.Normalize(MEAN, STD), vision.HWC2CHW()]
"""


def _example(
    name: str, train: str, evaluation: str, verdict: Verdict, *codes: str, infer: str | None = None
) -> Example:
    def function(role: str, steps: str, seed: int) -> str:
        return f"\ndef {role}():\n    return pictures({seed}).map({steps}, 'image').batch(8)\n"

    text = _HEAD + function("train", train, 0) + function("evaluate", evaluation, 1)
    pipelines = {"train": {"call": "pipe:train"}, "eval": {"call": "pipe:evaluate"}}
    if infer is not None:
        text += f"\ndef infer():\n    return pictures(1).map({infer}, 'image').project(['image'])\n"
        pipelines["infer"] = {"call": "pipe:infer"}
    return Example(name, files={"pipe.py": text}, case={"pipelines": pipelines}, verdict=verdict, codes=codes)


_AUGMENTED = "[vision.RandomCrop(16), vision.RandomHorizontalFlip()] + tail()"

EXAMPLES = [
    _example(
        "one function for both", "[vision.Resize(16)] + tail()", "[vision.Resize(16)] + tail()", Verdict.OK, "equal"
    ),
    _example(
        "augmented in training",
        _AUGMENTED,
        "[vision.CenterCrop(16)] + tail()",
        Verdict.OK,
        "equal-colours",
        "equal",
        infer="[vision.CenterCrop(16)] + tail()",
    ),
    _example(
        "augmented in training, scaled otherwise in evaluation",
        _AUGMENTED,
        "[vision.CenterCrop(16)] + tail(1 / 128)",
        Verdict.PROBLEM,
        "colours-differ",
    ),
    _example(
        "not normalised in inference",
        _AUGMENTED,
        "[vision.CenterCrop(16)] + tail()",
        Verdict.PROBLEM,
        "values-differ",
        infer="[vision.CenterCrop(16), vision.Rescale(1 / 255, 0.0), vision.HWC2CHW()]",
    ),
    _example(
        "another size", "[vision.Resize(16)] + tail()", "[vision.Resize(12)] + tail()", Verdict.PROBLEM, "shape-differs"
    ),
    _example("a random crop in evaluation", _AUGMENTED, _AUGMENTED, Verdict.PROBLEM, "random-step"),
]
