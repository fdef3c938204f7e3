"""Runs the project's own pipelines and tells how samples are padded: side, value, share, and whether the masks agree.

Catches: padding that is not as design.padding says, a mask that counts padding or leaves out what is real, a pad value that is
also a real token or class, columns padded on different sides. Rows are compared before and after each map and batch; what a
source of the project's own padded already is told by runs of one value at the end of its rows.
Cannot tell: padding whose value varies, or of sources that pad all rows alike; whether the network uses the mask. Without
design.padding it says what it found and leaves the rest to a person.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from ..case import Case, ColumnPadding
from ..language import Words
from ..model import Curve, Evidence, Finding, Fix, Kind, Level, Plain, Progress, Refutes, Table, Verdict, Where
from ..probe import Example
from . import _declared_padding, _live

KIND = Kind.LIVE
NEEDS: tuple[str | tuple[str, ...], ...] = (("pipelines.train", "pipelines.eval", "pipelines.infer"),)


class Params(msgspec.Struct, frozen=True):
    samples: Annotated[
        int,
        Meta(
            ge=2,
            le=10_000,
            description="samples read of each pipeline",
            extra={"unit": "samples", "source": "own choice"},
        ),
    ] = 256
    seconds: Annotated[
        float, Meta(gt=0, description="time for each pipeline", extra={"unit": "s", "source": "own choice"})
    ] = 30.0


MESSAGES: Words = {
    "padded": {
        "en": "{role}: {column} is padded on the {side} with {value} ({padded:,} of {rows:,} samples, {share:.1%} of the values; {step}).",
        "zh": "{role}：{column} 在{side}用 {value} 补齐（{rows:,} 个样本中的 {padded:,} 个，占全部取值的 {share:.1%}；{step}）。",
    },
    "cut": {
        "en": "{role}: {column} is cut short in {cut:,} of {rows:,} samples.",
        "zh": "{role}：{rows:,} 个样本中有 {cut:,} 个的 {column} 被截断。",
    },
    "value-differs": {
        "en": "{role}: {column} is padded with {value}; the design says {wanted}.",
        "zh": "{role}：{column} 用 {value} 补齐，而设计要求为 {wanted}。",
    },
    "several-values": {
        "en": "{role}: {column} is padded with different values ({values}).",
        "zh": "{role}：{column} 用多种值补齐（{values}）。",
    },
    "side-differs": {
        "en": "{role}: {column} is padded on the {side}; the design says {wanted}.",
        "zh": "{role}：{column} 补在{side}，而设计要求补在{wanted}。",
    },
    "sides-differ": {
        "en": "{role}: {column} is padded on the {side}, {other} on the {other_side}.",
        "zh": "{role}：{column} 补在{side}，{other} 却补在{other_side}。",
    },
    "mask-missing": {
        "en": "{role}: the design names {mask} as the mask, but the pipeline has no such column; it has {names}.",
        "zh": "{role}：数据管道没有设计中指定的掩码列 {mask}，现有列为 {names}。",
    },
    "mask-disagrees": {
        "en": "{role}: {mask} does not agree with the padding of {column}: it counts {counted:,} padded positions as real and leaves out "
        "{left_out:,} real ones.",
        "zh": "{role}：{mask} 与 {column} 的补齐不一致：把 {counted:,} 个补齐位置算作有效，漏掉 {left_out:,} 个有效位置。",
    },
    "mask-agrees": {
        "en": "{role}: {mask} agrees with the padding of {column} at every position.",
        "zh": "{role}：{mask} 与 {column} 的补齐逐位置一致。",
    },
    "mask-turned": {
        "en": "{role}: {mask} is 1 where {column} is padding and 0 where it is real. That is right only if the network expects it that "
        "way.",
        "zh": "{role}：{mask} 在 {column} 的补齐处为 1、有效处为 0；只有网络按此约定使用才正确。",
    },
    "mask-partial": {
        "en": "{role}: {mask} leaves out {left_out:,} real positions of {column} besides the padding, as a mask of its name may.",
        "zh": "{role}：除补齐外，{mask} 还排除了 {column} 的 {left_out:,} 个有效位置；从名称看属正常。",
    },
    "value-is-real": {
        "en": "{role}: {column} is padded with {value}, which also occurs {real:,} times as a real value.",
        "zh": "{role}：{column} 用 {value} 补齐，而该值在真实数据中也出现了 {real:,} 次。",
    },
    "no-padding": {
        "en": "{role}: no padding was seen in {samples:,} samples ({names}).",
        "zh": "{role}：在 {samples:,} 个样本（{names}）中未见补齐。",
    },
    "padding-expected": {
        "en": "{role}: the design says how to pad, but no padding was seen in {samples:,} samples ({names}).",
        "zh": "{role}：设计中规定了补齐方式，但在 {samples:,} 个样本（{names}）中未见补齐。",
    },
    "no-design": {
        "en": "Whether this is as the network was designed, a person must say: name value, side and mask in design.padding.",
        "zh": "是否符合网络设计需人工判断：请在 design.padding 中写明 value、side、mask。",
    },
    "not-replayed": {
        "en": "{role}: the pipeline has a node that cannot be replayed here ({what}).",
        "zh": "{role}：数据管道中有无法拆解的节点（{what}）。",
    },
    "no-samples": {
        "en": "{role}: the pipeline yielded no sample, or stopped yielding any, within {seconds:g} s.",
        "zh": "{role}：数据管道在 {seconds:g} 秒内没有输出样本，或中途停止输出。",
    },
    "not-all-steps": {
        "en": "{role}: not every step of the pipeline could be examined.",
        "zh": "{role}：未能检查数据管道的全部步骤。",
    },
    "fix-padding": {
        "en": "Fix pad_info, PadEnd or the function that pads in all pipelines alike; or correct design.padding.",
        "zh": "请修正 pad_info、PadEnd 或补齐函数，各数据管道须一致；若设计有误，请修正 design.padding。",
    },
    "fix-mask": {
        "en": "Make the mask from the lengths before padding, in the same step that pads.",
        "zh": "请在补齐的同一步骤中，用补齐前的长度生成掩码。",
    },
    "fix-value": {
        "en": "Use a value that no real sample has: a dedicated token for ids, and for labels a value that the loss ignores "
        "(ignore_index).",
        "zh": "请使用真实数据中不会出现的值：编号列用专门的补齐 token，标签列用 loss 会忽略的值（ignore_index）。",
    },
}
WORDS: Words = {
    **_live.WORDS,
    "columns": {"en": "Padding by column", "zh": "各列的补齐情况"},
    "masks": {"en": "Masks", "zh": "掩码"},
    "lengths": {"en": "Lengths before padding", "zh": "补齐前的长度"},
    "column": {"en": "column", "zh": "列"},
    "side": {"en": "side", "zh": "位置"},
    "value": {"en": "value", "zh": "补齐值"},
    "padded-rows": {"en": "padded", "zh": "补齐样本数"},
    "cut-rows": {"en": "cut", "zh": "截断样本数"},
    "rows": {"en": "samples", "zh": "样本数"},
    "share": {"en": "share", "zh": "补齐占比"},
    "real": {"en": "also real", "zh": "真实取值中出现"},
    "step": {"en": "step", "zh": "步骤"},
    "mask": {"en": "mask", "zh": "掩码"},
    "counted": {"en": "padding counted", "zh": "补齐算作有效"},
    "left-out": {"en": "real left out", "zh": "有效被排除"},
    "percent": {"en": "% of the samples", "zh": "样本百分位"},
    "length": {"en": "length", "zh": "长度"},
}
#: Columns whose numbers begin at 0 whatever the padding is.
_COUNTED = re.compile(r"position|segment|type", re.I)
_SIDES = {"right": {"en": "right", "zh": "右侧"}, "left": {"en": "left", "zh": "左侧"}}
_BEFORE = {"en": "in the source", "zh": "数据源中已补齐"}
_READ = {
    "en": "Positions of padding are then read as data: they shift attention, averages and the loss.",
    "zh": "补齐位置会被当作数据，影响注意力、均值和 loss。",
}
_LOST = {
    "en": "The network cannot distinguish padding from data, or real tokens are ignored along with it.",
    "zh": "网络无法区分补齐与真实数据，或真实 token 会一并被忽略。",
}
WHY: Words = {
    "value-differs": _READ,
    "several-values": _READ,
    "side-differs": _READ,
    "sides-differ": _READ,
    "mask-missing": _READ,
    "mask-disagrees": _READ,
    "value-is-real": _LOST,
    "padding-expected": _READ,
}
_LONGER = {
    "en": "Feed one sample alone and in a batch with longer ones: the output at its real positions must be the same.",
    "zh": "将一个样本单独输入，再与更长的样本组成 batch 输入，其有效位置的输出应一致。",
}
PROOF: Words = dict.fromkeys(WHY, _LONGER)


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..live.child import events

    design = case.spec.design.padding
    found = False
    for role in _live.ROLES:
        pipeline = _live.pipeline_of(case, role)
        if pipeline is None:
            continue
        request = {
            "pipeline": pipeline,
            "samples": params.samples,
            "seconds": params.seconds,
            "label": case.get("data.train.label"),
            "mask": design.mask if design else None,
        }
        seen: dict[str, Any] = {"samples": 0}
        nodes: list[dict[str, Any]] = []
        named = {"role": _live.TITLES[role]}
        for event in events(case, "padding", request, params.seconds):
            if event["event"] == "progress":
                yield Progress(event["done"], event["total"], "steps")
            elif event["event"] == "pipeline":
                nodes = event["nodes"]
            elif event["event"] == "padding":
                seen = event
            elif event["event"] == "cannot":
                seen = {"samples": 0, "what": event["what"]}
        if "what" in seen:
            yield Finding("not-replayed", Level.INFO, data={**named, "what": seen["what"]}, incomplete=True)
        elif not seen["samples"]:
            yield Finding("no-samples", Level.INFO, data={**named, "seconds": params.seconds}, incomplete=True)
        else:
            found |= any(column["values"] for column in seen["columns"])
            yield from judge(case, seen, named, nodes)
    if found and design is None:
        yield Finding("no-design", Level.INFO, incomplete=True)


def judge(case: Case, seen: dict[str, Any], named: dict[str, Any], nodes: list[dict[str, Any]]) -> Iterator[Finding]:
    """The findings that the padding of one pipeline amounts to."""
    design = case.spec.design.padding
    padded = [column for column in seen["columns"] if column["values"]]
    evidence = _evidence(seen, nodes)
    if not seen["complete"]:
        yield Finding("not-all-steps", Level.INFO, data=named, evidence=evidence, incomplete=True)
    if padded and design and design.mask and design.mask not in seen["names"]:
        data = {**named, "mask": design.mask, "names": seen["names"]}
        yield Finding("mask-missing", Level.PROBLEM, Where(field=design.mask), data, evidence, Fix("fix-mask"))
    if not padded:
        data = {**named, "samples": seen["samples"], "names": seen["names"]}
        if design:
            yield Finding("padding-expected", Level.SUSPECT, Where(), data, evidence, Fix("fix-padding"))
        else:
            yield Finding("no-padding", Level.INFO, data=data, evidence=evidence)
    for column in padded:
        wanted = design.of(column["column"]) if design else ColumnPadding()
        own = design is not None and column["column"] in design.columns
        aside = not own and column["column"] in {*seen["labels"], *_masked(seen)}
        masked = any(
            not mask["counted"] and not mask["left_out"] and _alike(column, padded, mask) for mask in seen["masks"]
        )
        fine = _Column(column, wanted, _masked(seen), aside, set(_declared_padding.of_case(case).ignored), masked)
        yield from _of_column(fine, bool(design), named, evidence)
    first, *others = padded or [None]
    for column in others:
        declared = design is not None and any(each["column"] in design.columns for each in (first, column) if each)
        if first is not None and not declared and column["sides"][0] != first["sides"][0]:
            data = {**named, "column": first["column"], "side": _SIDES[first["sides"][0]], "other": column["column"]}
            data["other_side"] = _SIDES[column["sides"][0]]
            yield Finding(
                "sides-differ", Level.SUSPECT, Where(field=column["column"]), data, evidence, Fix("fix-padding")
            )
    for mask in seen["masks"]:
        yield _of_mask(mask, {column["column"]: column for column in padded}, named, evidence)
    for column in seen["columns"]:
        if column["cut"]:
            data = {**named, **{key: column[key] for key in ("column", "cut", "rows")}}
            yield Finding("cut", Level.INFO, Where(field=column["column"]), data, evidence)


def _masked(seen: dict[str, Any]) -> set[str]:
    return {mask["mask"] for mask in seen["masks"]}


def _plain(value: float) -> int | float:
    return int(value) if float(value).is_integer() else value


class _Column(NamedTuple):
    """The padding that was seen of a column, and what is wanted of it. `aside`: no input, so that another value may fill it;
    `ignored`: values that the loss leaves out; `told`: a mask beside it tells its padding from real values at every position."""

    seen: dict[str, Any]
    wanted: ColumnPadding
    masks: set[str]
    aside: bool
    ignored: set[float]
    told: bool


def _alike(column: dict[str, Any], padded: list[dict[str, Any]], mask: dict[str, Any]) -> bool:
    """Whether a column is padded as the one that a mask belongs to is: as many rows, as much of each, on the same side."""
    other = next((one for one in padded if one["column"] == mask["column"]), None)
    keys = ("rows", "padded", "share", "lengths")
    return other is not None and column["sides"] == other["sides"] and all(column[key] == other[key] for key in keys)


def _of_column(told: _Column, designed: bool, named: dict[str, Any], evidence: list[Evidence]) -> Iterator[Finding]:
    column, wanted, masks = told.seen, told.wanted, told.masks
    name, side, value = column["column"], column["sides"][0], _plain(column["values"][0])
    place = Where(field=name)
    data = {**named, **{key: column[key] for key in ("column", "rows", "padded", "share", "real")}, "value": value}
    data |= {"side": _SIDES[side], "step": column["step"].partition("(")[0].strip() or _BEFORE}
    fine = True
    if len(column["values"]) > 1:
        values = [_plain(entry) for entry in column["values"]]
        yield Finding("several-values", Level.SUSPECT, place, {**data, "values": values}, evidence, Fix("fix-padding"))
        fine = False
    left_out = told.aside or (column["integer"] and float(value) in told.ignored)
    if wanted.value is not None and not left_out and float(wanted.value) != float(value):
        level = Level.PROBLEM if column["integer"] else Level.SUSPECT
        yield Finding("value-differs", level, place, {**data, "wanted": wanted.value}, evidence, Fix("fix-padding"))
        fine = False
    if wanted.side in _SIDES and wanted.side != side:
        data_side = {**data, "wanted": _SIDES[wanted.side]}
        yield Finding("side-differs", Level.PROBLEM, place, data_side, evidence, Fix("fix-padding"))
        fine = False
    if column["integer"] and column["real"] and not told.told and name not in masks and not _COUNTED.search(name):
        yield Finding("value-is-real", Level.SUSPECT, place, data, evidence, Fix("fix-value"))
        fine = False
    if fine:
        refutes = (
            [Refutes("padding_script", ["design-value", "design-side"], data={"padded": name})] if designed else []
        )
        yield Finding("padded", Level.INFO, place, data, evidence, refutes=refutes)


def _of_mask(
    mask: dict[str, Any], columns: dict[str, dict[str, Any]], named: dict[str, Any], evidence: list[Evidence]
) -> Finding:
    data = {**named, **{key: mask[key] for key in ("mask", "column", "counted", "left_out")}}
    place = Where(field=mask["mask"])
    if mask["counted"] or (mask["left_out"] and not mask["partial"]):
        # Where padding was only inferred, a real value at the end of a row may look like it.
        sure = not columns[mask["column"]]["inferred"] or mask["counted"] > 0.5 * mask["padding"] or mask["left_out"]
        level = Level.PROBLEM if sure else Level.SUSPECT
        return Finding("mask-disagrees", level, place, data, evidence, Fix("fix-mask"))
    if mask["left_out"]:
        return Finding("mask-partial", Level.INFO, place, data, evidence)
    if mask["turned"]:
        return Finding("mask-turned", Level.INFO, place, data, evidence)
    refutes = [Refutes("padding_script", ["design-mask"], data={"mask": mask["mask"]})]
    return Finding("mask-agrees", Level.INFO, place, data, evidence, refutes=refutes)


def _evidence(seen: dict[str, Any], nodes: list[dict[str, Any]]) -> list[Evidence]:
    rows: list[list[Plain]] = []
    for column in seen["columns"]:
        values = ", ".join(str(_plain(value)) for value in column["values"])
        numbers: list[Plain] = [column["rows"], column["padded"], column["cut"], round(column["share"], 4)]
        step = column["step"] or "-"
        rows.append([column["column"], ", ".join(column["sides"]), values, *numbers, column["real"], step])
    columns = ["column", "side", "value", "rows", "padded-rows", "cut-rows", "share", "real", "step"]
    evidence: list[Evidence] = [Table("columns", columns, rows[:200], total=len(rows))]
    if seen["masks"]:
        masks: list[list[Plain]] = [
            [mask["mask"], mask["column"], mask["counted"], mask["left_out"]] for mask in seen["masks"]
        ]
        evidence.append(Table("masks", ["mask", "column", "counted", "left-out"], masks))
    known = [column for column in seen["columns"] if column["lengths"]][:4]
    if known:
        percent = [float(10 * place) for place in range(11)]
        series: dict[str, list[float | None]] = {
            column["column"]: list(map(float, column["lengths"])) for column in known
        }
        evidence.append(Curve("lengths", "percent", "length", percent, series))
    return [*evidence, _live.nodes_table(nodes)]


# --- examples ---------------------------------------------------------------------------------------------------------

_HEAD = """
import numpy as np
import mindspore.dataset as ds
from mindspore.dataset import transforms

random = np.random.default_rng(0)

def rows(low=1, mask=lambda size, length: np.arange(length) < size, fill=None, length=16):
    for _ in range(60):
        size = int(random.integers(4, 12))
        ids = random.integers(low, 40, size).astype(np.int32)
        if fill is None:
            yield ids, np.int32(size % 2)
        else:
            whole = np.full(length, fill, np.int32)
            whole[:size] = ids
            yield whole, mask(size, length).astype(np.int32), np.int32(size % 2)
"""


def _example(name: str, body: str, verdict: Verdict, *codes: str, **padding: Any) -> Example:
    case: dict[str, Any] = {"pipelines": {"train": {"call": "pipe:create"}}}
    if padding:
        case["design"] = {"padding": padding}
    files: dict[str, Any] = {"pipe.py": _HEAD + "\ndef create():\n    " + body + "\n"}
    return Example(name, files=files, case=case, verdict=verdict, codes=codes)


_BATCH = "return ds.GeneratorDataset(lambda: rows({}), ['ids', 'label']).padded_batch(8, pad_info={{'ids': ([{}], {}), 'label': ([], 0)}})"
_OWN = "return ds.GeneratorDataset(lambda: rows({}), ['ids', 'mask', 'label']).batch(8)"

EXAMPLES = [
    _example("padded in batches, as designed", _BATCH.format("", 16, 0), Verdict.OK, "padded", value=0, side="right"),
    _example("padded, without a design", _BATCH.format("", "None", 0), Verdict.UNDECIDED, "padded", "no-design"),
    _example(
        "another value than designed",
        _BATCH.format("", 16, -1),
        Verdict.PROBLEM,
        "value-differs",
        value=0,
        side="right",
    ),
    _example("on the other side", _BATCH.format("", 16, 0), Verdict.PROBLEM, "side-differs", value=0, side="left"),
    _example(
        "0 is a token too", _BATCH.format("low=0", 16, 0), Verdict.UNDECIDED, "value-is-real", value=0, side="right"
    ),
    _example(
        "padded by the source, with a mask",
        _OWN.format("fill=0"),
        Verdict.OK,
        "padded",
        "mask-agrees",
        value=0,
        side="right",
        mask="mask",
    ),
    _example(
        "a mask over everything",
        _OWN.format("fill=0, mask=lambda size, length: np.ones(length)"),
        Verdict.PROBLEM,
        "mask-disagrees",
        value=0,
        side="right",
        mask="mask",
    ),
    _example(
        "nothing to pad",
        "return ds.NumpySlicesDataset({'x': random.random((40, 6)).astype(np.float32), 'label': np.arange(40) % 3}).batch(8)",
        Verdict.OK,
        "no-padding",
    ),
]
