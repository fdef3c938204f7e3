"""Reads from the output of mindspore.profiler which operators take the time, and how much of it goes into converting types and layouts.

Catches: casts and changes of layout that take more than a small share. Cannot tell: which line of the network an operator comes from,
nor whether a cast may be left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Plain, Progress, Table, Verdict, Where
from ..probe import Example
from . import _profiles

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("profiler.path",)
#: Operators that only convert: types, and layouts of memory.
CONVERTING = frozenset({"Cast", "TransData", "TransDataRNN", "FormatTransfer"})


class Params(msgspec.Struct, frozen=True):
    converting: Annotated[
        float,
        Meta(
            gt=0,
            le=1,
            description="Cast and TransData above this share of the time of all operators are a suspect",
            extra={"unit": "1", "source": "own choice"},
        ),
    ] = 0.1


MESSAGES: Words = {
    **_profiles.MESSAGES,
    "converting": {
        "en": "{operators} take {share:.0%} of the time of all operators ({ms:,.3g} ms).",
        "zh": "{operators} 占全部算子耗时的 {share:.0%}（{ms:,.3g} ms）。",
    },
    "slowest": {
        "en": "Of {types:,} types of operators, {operator} takes most of the time: {share:.0%} of {ms:,.3g} ms.",
        "zh": "共 {types:,} 种算子，其中 {operator} 耗时最多：占 {ms:,.3g} ms 的 {share:.0%}。",
    },
    "no-operators": {
        "en": "This profile says nothing about operators.",
        "zh": "该性能数据中没有算子耗时。",
    },
    "fix-converting": {
        "en": "Look for casts back and forth within the network (perf.05), and let neighbouring layers compute in one type.",
        "zh": "检查网络中来回的 Cast（见 perf.05），让相邻的层使用同一种数据类型。",
    },
}
WORDS: Words = {
    "operators": {"en": "Operators by time", "zh": "算子耗时排序"},
    "operator": {"en": "operator", "zh": "算子"},
    "core": {"en": "runs on", "zh": "执行单元"},
    "calls": {"en": "calls", "zh": "次数"},
    "ms": {"en": "total (ms)", "zh": "总耗时（ms）"},
    "mean": {"en": "mean (ms)", "zh": "平均耗时（ms）"},
    "share": {"en": "share (%)", "zh": "占比（%）"},
}


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    profiles, problems = _profiles.read(case)
    yield from problems
    for profile in profiles:
        where = Where(case.relative(profile.path))
        total = sum(operator.ms for operator in profile.operators)
        if total <= 0:
            yield Finding("no-operators", Level.INFO, where, incomplete=True)
            continue
        rows: list[list[Plain]] = [
            [
                one.name,
                one.core,
                one.calls,
                round(one.ms, 6),
                round(one.ms / max(one.calls, 1), 6),
                round(100 * one.ms / total, 2),
            ]
            for one in profile.operators[:200]
        ]
        columns = ["operator", "core", "calls", "ms", "mean", "share"]
        table = Table("operators", columns, rows, total=len(profile.operators))
        first = profile.operators[0]
        data = {"types": len(profile.operators), "operator": first.name, "share": first.ms / total, "ms": total}
        yield Finding("slowest", Level.INFO, where, data, [table])
        found = [operator for operator in profile.operators if operator.name in CONVERTING]
        ms = sum(operator.ms for operator in found)
        if ms / total > params.converting:
            named = list(dict.fromkeys(operator.name for operator in found))
            data = {"operators": named, "share": ms / total, "ms": ms}
            yield Finding("converting", Level.SUSPECT, where, data, fix=Fix("fix-converting"))


def _example(name: str, verdict: Verdict, *codes: str, casts: float, head: str = "op_type,type_occurrences") -> Example:
    text = f"{head},execution_frequency(per-step),total_compute_time,avg_time(ms),percent\n"
    text += f"MatMul,200,1,463.8,2.3,0.7\nCast,40,1,{casts},1,0.2\n"
    return Example(
        name,
        files={"profiler/run_ascend_ms/FRAMEWORK/cpu_op_type_info_0.csv": text},
        case={"profiler": {"path": "profiler"}},
        verdict=verdict,
        codes=codes,
    )


EXAMPLES = [
    _example("products of matrices", Verdict.OK, "slowest", casts=3.1),
    _example("many casts", Verdict.UNDECIDED, "converting", casts=220.5),
    _example("columns of another version", Verdict.UNDECIDED, "unreadable", "no-operators", casts=3.1, head="a,b"),
]
