"""Compares what inference gives on both sides with the same weights and the same input: the outputs, and the metric computed from them.

outputs.path and outputs.reference are folders of .npy with the same names, and of metrics in .json, .csv or .txt (name: value). Outputs
that agree under metrics that do not point at the metric; the other way round, the metric is too coarse to see the difference.
Run times and counters in a file of metrics are passed over. It takes on trust that weights and input are the same.
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..errors import ReadError, from_os_error
from ..language import Words
from ..model import Evidence, Finding, Fix, Kind, Level, Plain, Progress, Table, Verdict, Where
from ..probe import Example, Skip
from . import layer_outputs
from ._divergence import Row
from .layer_outputs import npy

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("outputs.path", "outputs.reference")


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    metric: Annotated[
        float,
        Meta(
            ge=0,
            description="how far a metric may be off, relative to the benchmark's",
            extra={"unit": "share", "source": "the guide calls a difference of about 1 in 1,000 agreement"},
        ),
    ] = 1e-3
    most: Annotated[
        int,
        Meta(
            ge=1,
            description="bytes of an output up to which the classes it predicts are compared",
            extra={"unit": "bytes", "source": "own choice: memory stays small"},
        ),
    ] = 256 << 20
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
    "no-pairs": {
        "en": "Nothing in {path} could be paired with something in {reference}: neither outputs (.npy) nor metrics (.json, .csv, .txt) "
        "have names in common.",
        "zh": "{path} 与 {reference} 中没有能够配对的内容：推理输出（.npy）和指标（.json、.csv、.txt）都没有相同的名称。",
    },
    **{
        key: layer_outputs.MESSAGES[key]
        for key in (
            "unpaired",
            "ambiguous",
            "steps",
            "unread",
            "both-nan",
            "no-elements",
            "shapes",
            "layout",
            "by-order",
        )
    },
    "outputs-agree": {
        "en": "{count:,} {count:output agrees|outputs agree} with the benchmark's, within {relative} (relative).",
        "zh": "{count:,} 个推理输出与标杆一致，相对差值不超过 {relative}。",
    },
    "outputs-differ": {
        "en": "{count:,} of {total:,} outputs {count:differs|differ} from the benchmark's; most in {name}: {relative} (relative), up to "
        "{largest}.",
        "zh": "{total:,} 个推理输出中有 {count:,} 个与标杆不一致，差异最大的是 {name}：相对差值 {relative}，最大差值 {largest}。",
    },
    "classes-agree": {
        "en": "The outputs differ from the benchmark's (by {relative} at most, relative), but the class with the highest score is the same "
        "in all {rows:,} rows.",
        "zh": "推理输出与标杆不一致（相对差值最大 {relative}），但全部 {rows:,} 行的最高分类别相同。",
    },
    "classes": {
        "en": "{name}: the predicted class differs in {moved:,} of {rows:,} rows.",
        "zh": "{name}：{rows:,} 行中有 {moved:,} 行的最高分类别与标杆不同。",
    },
    "metrics-agree": {
        "en": "{count:,} {count:metric agrees|metrics agree} with the benchmark's: {names}.",
        "zh": "{count:,} 个指标与标杆一致：{names}。",
    },
    "metric-differs": {
        "en": "The metric {name} is {ours}, the benchmark's {theirs}.",
        "zh": "指标 {name} 为 {ours}，标杆为 {theirs}。",
    },
    "metric-computed": {
        "en": "The outputs agree, but the metric {name} is {ours} and the benchmark's {theirs}: the metric is computed differently, or "
        "over different samples.",
        "zh": "推理输出一致，但指标 {name} 为 {ours}，标杆为 {theirs}：指标的计算方式或统计的样本不同。",
    },
    "percent": {
        "en": "The metric {name} is {ours} here and {theirs} there: one side counts in percent.",
        "zh": "指标 {name} 此处为 {ours}，标杆为 {theirs}：一侧为百分数。",
    },
    "metric-missing": {
        "en": "{count:,} {count:metric exists|metrics exist} on one side only: {names}.",
        "zh": "有 {count:,} 个指标只存在于一侧：{names}。",
    },
    "no-metrics": {
        "en": "Neither side holds metrics that could be compared; only the outputs were.",
        "zh": "两侧没有可比较的指标，只比较了推理输出。",
    },
    "no-outputs": {
        "en": "Neither side holds outputs (.npy) that could be compared; only the metrics were.",
        "zh": "两侧没有可比较的推理输出（.npy），只比较了指标。",
    },
    "find-layer": {
        "en": "Dump the layers of both sides for this input and compare them (cmp.09); check that both networks are in evaluation mode "
        "(api.02) and that the weights are the same (cmp.06).",
        "zh": "对同一输入 dump 两边各层的输出并比对（cmp.09）；确认两边都处于推理模式（api.02），权重相同（cmp.06）。",
    },
    "check-metric": {
        "en": "Feed one side's outputs to the other side's metric. Look at the last, smaller batch, at averaging over batches or samples, "
        "and at ignored labels.",
        "zh": "把一边的推理输出交给另一边的指标函数计算。重点查看最后不足一批的数据、按批还是按样本平均、以及被忽略的标签。",
    },
}

WHY: Words = {
    code: {
        "en": "With the same weights and input, inference must yield the same output; a difference here adds to any difference from "
        "training.",
        "zh": "权重和输入相同，推理结果就应一致；这里的差异会叠加到训练的差异之上。",
    }
    for code in ("outputs-differ", "classes-agree", "metric-differs", "metric-computed", "shapes", "both-nan")
}
PROOF: Words = {
    code: {
        "en": "Run one sample through both networks in evaluation mode with the same weights, and compare the scores.",
        "zh": "两个网络都切到推理模式，用相同权重推理同一个样本，比较得分。",
    }
    for code in WHY
}

WORDS: Words = {
    **layer_outputs.WORDS,
    "outputs": {"en": "Outputs", "zh": "推理输出"},
    "metrics": {"en": "Metrics", "zh": "指标"},
    "ours": {"en": "Here", "zh": "此处"},
}

_ENDINGS = (".json", ".csv", ".txt")
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_LINE = re.compile(rf"([^\W\d][\w@.\- ]{{0,60}}?)\s*[:=：]\s*({_NUMBER})\s*(%?)")
#: Names of values that are not metrics: times and speeds, which differ from run to run, and counters. Not val_acc_epoch, which Lightning
#: calls a metric by.
_TIMES = re.compile(
    r"runtime|per[_ ]second|(?:^|[\s_./-])(?:time|timestamp|second|latency)s?(?:_m?s)?$|耗时|用时"
    r"|(?:^|\.)(?:epoch|(?:global_)?step)s?$",
    re.I,
)
#: Of a file of metrics: its bytes, and the metrics of a side.
_BYTES, _METRICS = 1 << 20, 1000


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    """Raises ReadError where a side cannot be read at all."""
    path, reference = case.paths("outputs.path")[0], case.paths("outputs.reference")[0]
    names = {"path": case.relative(path), "reference": case.relative(reference)}
    where = Where(names["path"])
    problems: list[ReadError] = []
    ours, theirs = (_metrics(side, problems) for side in (path, reference))
    common = [name for name in ours if name in theirs]
    rows, left_out = yield from _outputs(path, reference, params, problems, where, names)
    compared = [row for row in rows if row[1].compared]
    if not common and not rows:
        yield from _left(left_out, problems, where)
        raise Skip("no-pairs", **names)
    same = bool(compared) and not any(outcome.differs for _, outcome in rows)
    if compared:
        yield from _judged(compared, params, where)
    elif common:
        yield Finding("no-outputs", Level.INFO, where)
    yield from layer_outputs.shapes(rows, where)
    if common:
        yield from _metric_findings(common, ours, theirs, params, where, same)
    elif compared:
        yield Finding("no-metrics", Level.INFO, where)
    if lonely := sorted(ours.keys() ^ theirs.keys()):
        data = {"count": len(lonely), "names": layer_outputs.shown(lonely)}
        yield Finding("metric-missing", Level.INFO, where, data)
    yield from _left(left_out, problems, where)


def _left(left_out: Iterable[Finding], problems: list[ReadError], where: Where) -> Iterator[Finding]:
    yield from left_out
    if problems:
        yield layer_outputs.unread(problems, where)


def _outputs(
    path: Path, reference: Path, params: Params, problems: list[ReadError], where: Where, names: dict[str, str]
) -> Any:
    """Compares the arrays; returns the pairs and the findings of what could not be paired."""
    from ..readers.dump_comparison import compare_tensors
    from ..readers.dump_pairs import match
    from ..readers.dumps import open_dump

    sides = []
    for side in (path, reference):
        try:
            sides.append(open_dump(side))
        except ReadError as error:
            if error.code not in ("no-dump", "unknown-format"):
                raise
    if len(sides) < 2:
        return [], []
    problems += [problem for side in sides for problem in side.problems]
    found = match(sides[0], sides[1])
    rows: list[Row] = []
    outcomes = compare_tensors([(one.left.tensor, one.right.tensor) for one in found.found], processes=params.processes)
    for done, (one, outcome) in enumerate(zip(found.found, outcomes, strict=True), start=1):
        if outcome.error:
            problems.append(outcome.error)
        rows.append((one, outcome))
        if done % 64 == 0:
            yield Progress(done, len(found.found), "files")
    return rows, list(layer_outputs.left_out(found, where, names))


def _judged(compared: list[Row], params: Params, where: Where) -> Iterator[Finding]:
    yield from layer_outputs.without_elements(layer_outputs.hollow(compared), where)
    differing = [row for row in compared if row[1].differs]
    one, outcome = max(compared, key=lambda row: (bool(row[1].differs), row[1].relative or 0.0))
    relative = layer_outputs.number(outcome.relative if outcome.relative is not None else math.nan)
    table = Table("outputs", layer_outputs.COLUMNS, [layer_outputs.cells(row) for row in compared[:200]], len(compared))
    evidence: list[Evidence] = [table]
    both = [row for row in compared if row[1].both_nan]
    if both:
        yield Finding("both-nan", Level.SUSPECT, where, {"count": len(both), "name": both[0][0].left.name})
    if not differing:
        yield Finding("outputs-agree", Level.INFO, where, {"count": len(compared), "relative": relative}, evidence)
        return
    classes = [(row[0].left.name, *told) for row in differing if (told := _classes(row, params.most))]
    if len(classes) == len(differing) and not any(moved for _, moved, _ in classes):
        data: dict[str, Any] = {"relative": relative, "rows": sum(rows for _, _, rows in classes)}
        yield Finding("classes-agree", Level.SUSPECT, where, data, evidence, Fix("find-layer"))
        return
    data = {
        "count": len(differing), "total": len(compared), "name": one.left.name, "relative": relative,
        "largest": layer_outputs.number(outcome.largest if outcome.relative is not None else math.nan),
    }  # fmt: skip
    yield Finding("outputs-differ", Level.PROBLEM, where, data, evidence, Fix("find-layer"))
    for name, moved, rows in [told for told in classes if told[1]][:5]:
        yield Finding("classes", Level.INFO, where, {"name": name, "moved": moved, "rows": rows})


def _classes(row: Row, most: int) -> tuple[int, int] | None:
    """(rows whose highest score stands elsewhere, rows) of scores (n, classes); None for an output of another form."""
    import numpy as np

    from ..readers.dump_comparison import tensor_info
    from ..readers.tensors import read

    one, outcome = row
    if outcome.found is None or outcome.found.nan or outcome.found.inf or outcome.both_nan:
        return None
    infos = [tensor_info(point.tensor) for point in (one.left, one.right)]
    if any(len(info.shape) != 2 or info.shape[1] < 2 or not info.floating or info.nbytes > most for info in infos):
        return None
    ours, theirs = (read(info).argmax(1) for info in infos)
    return int(np.count_nonzero(ours != theirs)), len(ours)


# --- metrics ---------------------------------------------------------------------------------------------------------------------


def _metric_findings(
    common: list[str],
    ours: dict[str, tuple[str, float]],
    theirs: dict[str, tuple[str, float]],
    params: Params,
    where: Where,
    same: bool,
) -> Iterator[Finding]:
    lines: list[list[Plain]] = [[ours[name][0], ours[name][1], theirs[name][1]] for name in common[:200]]
    evidence: list[Evidence] = [Table("metrics", ["name", "ours", "benchmark"], lines, len(common))]
    agree: list[str] = []
    told = 0
    for key in common:
        (name, one), (_, other) = ours[key], theirs[key]
        data: dict[str, Any] = {"name": name, "ours": f"{one:.6g}", "theirs": f"{other:.6g}"}
        if _close(one, other, params.metric):
            agree.append(name)
        elif 0 < min(abs(one), abs(other)) <= 1 and _close(
            min(abs(one), abs(other)) * 100, max(abs(one), abs(other)), params.metric
        ):
            yield Finding("percent", Level.INFO, where, data)
        elif told < 20:
            told += 1
            code = "metric-computed" if same else "metric-differs"
            yield Finding(code, Level.PROBLEM, where, data, evidence if told == 1 else [], Fix("check-metric"))
    if agree:
        data = {"count": len(agree), "names": layer_outputs.shown(agree)}
        yield Finding("metrics-agree", Level.INFO, where, data, [] if told else evidence)


def _close(one: float, other: float, share: float) -> bool:
    return one == other or abs(one - other) <= share * abs(other) or (math.isnan(one) and math.isnan(other))


def _metrics(path: Path, problems: list[ReadError]) -> dict[str, tuple[str, float]]:
    """The numbers of the metric files of a side: {name in small letters: (name, value)}. What cannot be read is added to `problems`."""
    try:
        files = sorted(path.iterdir()) if path.is_dir() else [path]
    except OSError as error:
        raise from_os_error(error, path) from None
    found: dict[str, tuple[str, float]] = {}
    for file in files:
        if (
            file.suffix.lower() not in _ENDINGS
            or not file.is_file()
            or file.name in ("dump.json", "stack.json", "construct.json")
        ):
            continue
        try:
            size = file.stat().st_size
            if size > _BYTES:
                raise ReadError("too-large", path=str(file), size=size, limit=_BYTES)
            text = file.read_bytes().decode("utf-8-sig", "replace")
            for name, value in _numbers(text, file):
                if len(found) < _METRICS and not _TIMES.search(name):
                    found[re.sub(r"[\W_]+", "", name.lower())] = name, value
        except OSError as error:
            refused = from_os_error(error, file)
            assert isinstance(refused, ReadError)
            problems.append(refused)
        except ReadError as error:
            problems.append(error)
    return found


def _csv_numbers(text: str, file: Path) -> Iterator[tuple[str, float]]:
    """Of rows of a name and a value, or the last row of a table."""
    text = text.replace("\0", "\ufffd")  # the csv module of Python 3.10 refuses the first
    try:
        rows = [row for row in csv.reader(text.splitlines()) if row]
    except csv.Error as error:
        raise ReadError("malformed", path=str(file), format="CSV", offset=0, expected=str(error)[:120]) from None
    head, *values = rows or [[]]
    if values and len(head) == 2 and all(len(row) == 2 and _float(row[1]) is not None for row in values):
        yield from ((row[0], _float(row[1]) or 0.0) for row in values)
    elif values:
        for name, cell in zip(head, values[-1], strict=False):
            if (number := _float(cell)) is not None:
                yield name, number


def _numbers(text: str, file: Path) -> Iterator[tuple[str, float]]:
    if file.suffix.lower() == ".json":
        try:
            yield from _flat("", json.loads(text), 0)
        except (ValueError, RecursionError) as error:
            offset = getattr(error, "pos", 0)
            raise ReadError("malformed", path=str(file), format="JSON", offset=offset, expected="JSON") from None
    elif file.suffix.lower() == ".csv":
        yield from _csv_numbers(text, file)
    else:
        for match in _LINE.finditer(text):
            yield match[1].strip(), float(match[2]) / (100 if match[3] else 1)


def _flat(name: str, value: Any, depth: int) -> Iterator[tuple[str, float]]:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        yield name or "value", float(value)
    elif isinstance(value, dict) and depth < 8:
        for key, inner in value.items():
            yield from _flat(f"{name}.{key}" if name else str(key), inner, depth + 1)


def _float(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None


def _example(name: str, factor: float, ours: str, theirs: str, verdict: Verdict, *codes: str) -> Example:
    scores = [float((7 * at) % 12) for at in range(24)]
    files: dict[str, Any] = {
        "out/scores.npy": npy([score * factor for score in scores], (6, 4)), "ref/scores.npy": npy(scores, (6, 4)),
        "out/metrics.json": ours, "ref/metrics.txt": theirs,
    }  # fmt: skip
    return Example(
        name, files=files, case={"outputs": {"path": "out", "reference": "ref"}}, verdict=verdict, codes=codes
    )


EXAMPLES = [
    _example("both agree", 1.0, '{"top1": 0.761}', "top1: 0.761\n", Verdict.OK, "outputs-agree", "metrics-agree"),
    _example("one in percent", 1.0, '{"top1": 76.1}', "top1: 0.761\n", Verdict.OK, "outputs-agree", "percent"),
    _example("another metric", 1.0, '{"top1": 0.71}', "top1 = 0.761\n", Verdict.PROBLEM, "metric-computed"),
    _example("the same classes", 1.5, '{"top1": 0.761}', "top1: 0.761\n", Verdict.UNDECIDED, "classes-agree"),
    _example(
        "other outputs", -1.0, '{"top1": 0.2}', "top1: 0.761\n", Verdict.PROBLEM, "outputs-differ", "metric-differs"
    ),
    _example("a damaged file of metrics", 1.0, '{"top1": ', "top1: 0.761\n", Verdict.UNDECIDED, "unread"),
]
