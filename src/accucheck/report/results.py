"""What probes found, as parts of a report: results, findings, and their evidence."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import TypeVar

import msgspec

from .. import axes
from ..model import (
    CHARTS,
    Code,
    Curve,
    Evidence,
    Finding,
    Heatmap,
    Histogram,
    Images,
    Language,
    Level,
    Note,
    Plain,
    ProbeResult,
    Status,
    Table,
    Tree,
    tree_text,
)
from . import machine, spreadsheet
from .context import MAX_CELL, Context
from .parts import ChartPart, CodePart, EvidencePart, FindingPart, ResultPart, TablePart, TextPart, WholeTable
from .ranking import grade
from .words import KINDS, STATUSES

#: A report is read by people: what goes beyond these is counted, and stands in full in the JSON report or the session.
MAX_FINDINGS = 30  # per result
MAX_EVIDENCE = 6  # per finding
MAX_CHARTS = 10  # per result
MAX_ROWS = 50
MAX_COLUMNS = 10
MAX_POINTS, MAX_SERIES, MAX_MARKS = 20_000, 20, 100  # of a chart
MAX_HEAT = 60  # rows and columns of a heat map
TOLD_ROWS, TOLD_COLUMNS = 12, 5  # of these, as a table
MAX_LOG_LINES = 20

V = TypeVar("V")


def result_part(context: Context, item_id: str, result: ProbeResult) -> ResultPart:
    order = {Level.PROBLEM: 0, Level.SUSPECT: 1, Level.INFO: 2}
    findings = sorted(result.findings, key=lambda finding: order[finding.level])
    shown, charts = [], 0
    advice: set[tuple[str, str | None]] = set()
    told = {""}
    for finding in findings[: min(MAX_FINDINGS, context.room_for_findings)]:
        part = finding_part(context, result.probe, finding, min(MAX_CHARTS - charts, context.room_for_charts))
        said = (part.fix, finding.fix.diff if finding.fix else None)
        if said in advice:  # the same advice is given once
            part = msgspec.structs.replace(part, fix="", diff=[])
        advice.add(said)
        fresh = {key: text if text not in told else "" for key, text in (("why", part.why), ("proof", part.proof))}
        told |= {part.why, part.proof}
        part = msgspec.structs.replace(part, **fresh)
        drawn = sum(isinstance(evidence, ChartPart) for evidence in part.evidence)
        charts += drawn
        context.room_for_charts -= drawn
        shown.append(part)
    context.room_for_findings -= len(shown)
    facts = [
        words[key.value][context.language.value] for words, key in ((KINDS, result.kind), (STATUSES, result.status))
    ]
    if result.own_training and result.status is not Status.SKIPPED:
        facts.append(KINDS["own-training"][context.language.value])
    if result.status is not Status.SKIPPED:
        facts.append(context.say("seconds", seconds=f"{result.seconds:.2f}"))
    log = result.log.rstrip().split("\n")[-MAX_LOG_LINES:] if result.status is Status.FAILED else []
    return ResultPart(
        probe=context.line(result.probe, 80),
        facts=facts,
        status=result.status,
        suggestion=result.suggestion,
        suggestion_text=context.verdict(result.suggestion),
        stale=context.is_stale(item_id, result),
        reason=context.line(context.speech.reason(result.probe, result.reason)) if result.reason else "",
        findings=shown,
        more_findings=len(findings) - len(shown),
        log=context.lines("\n".join(log))[0],
    )


def finding_part(context: Context, name: str, finding: Finding, charts: int) -> FindingPart:
    evidence: list[EvidencePart] = []
    for entry in finding.evidence:
        drawn = isinstance(entry, CHARTS)
        if len(evidence) < MAX_EVIDENCE and (charts > 0 if drawn else context.room_for_evidence > 0):
            evidence.append(evidence_part(context, name, entry))
            context.room_for_evidence -= _extent(evidence[-1])
            charts -= drawn
    fix = finding.fix
    explained = context.speech.explanation(name, finding)
    diff, cut = context.lines(fix.diff) if fix and fix.diff else ([], "")
    return FindingPart(
        level=finding.level,
        message=" ".join(
            filter(None, [context.message(name, finding), context.line(context.speech.discounted(finding))])
        ),
        where=context.where(finding.where),
        evidence=evidence,
        more_evidence=len(finding.evidence) - len(evidence),
        why=context.line(explained.why),
        sure=context.line(explained.sure),
        proof=context.line(explained.proof),
        fix=context.line(context.speech.message(name, fix.message, finding.data)) if fix else "",
        diff=[*diff, f"({cut})"] if cut else diff,
        grade=grade(name, finding),
        suppressed=finding.suppressed is not None,
    )


def evidence_part(context: Context, name: str, evidence: Evidence) -> EvidencePart:
    if isinstance(evidence, Table):
        return table_part(context, name, evidence)
    if isinstance(evidence, Curve):
        return ChartPart(
            context.title(name, evidence.title),
            _curve(context, name, evidence, context.speech),
            _curve(context, name, evidence, context.english),
            _bounds(
                context,
                ("points", MAX_POINTS, len(evidence.x)),
                ("series", MAX_SERIES, len(evidence.series)),
                ("marks", MAX_MARKS, len(evidence.marks)),
            ),
        )
    if isinstance(evidence, Histogram):
        total = min(len(evidence.labels), len(evidence.counts))
        return ChartPart(
            context.title(name, evidence.title),
            _bars(context, name, evidence, context.speech),
            _bars(context, name, evidence, context.english),
            context.say("bars", shown=MAX_ROWS, total=total) if total > MAX_ROWS else "",
        )
    if isinstance(evidence, Heatmap):
        return _heat_part(context, name, evidence)
    if isinstance(evidence, Code):
        text = evidence.text.replace("\r\n", "\n")
        first = evidence.line + len(text) - len(text.lstrip("\n"))  # `lines` leaves out blank ones at the ends
        lines, bound = context.lines(text)
        return CodePart(context.line(evidence.path, MAX_CELL), first, lines, evidence.marked, bound)
    if isinstance(evidence, Images):
        rows: list[list[Plain]] = [list(row) for row in zip(evidence.paths, evidence.captions, strict=False)]
        listed = table_part(
            context,
            name,
            Table(evidence.title, [context.say("column-path"), context.say("column-caption")], rows, samples=True),
        )
        return msgspec.structs.replace(listed, bound=_together(context, [listed.bound, context.say("pictures")]))
    if isinstance(evidence, Tree):
        lines, bound = context.lines(tree_text(evidence))
        value = context.title(name, evidence.value)
        return TextPart(f"{context.title(name, evidence.title)} ({value})", lines, bound)
    assert isinstance(evidence, Note)
    lines, bound = context.lines(evidence.text)
    return TextPart(context.title(name, evidence.title), lines, bound)


def table_part(context: Context, name: str, table: Table) -> TablePart:
    if table.samples and table.rows and not context.hide.samples:
        count = max(len(table.rows), table.total or 0)
        return TablePart(context.title(name, table.title), [], [], [], context.say("samples", count=count))
    width = min(len(table.columns), MAX_COLUMNS)
    rows = [[*row[:width], *[None] * (width - len(row))] for row in table.rows[:MAX_ROWS]]
    total = max(len(table.rows), table.total or 0)
    whole = _whole(context, name, table) if len(table.rows) > len(rows) or len(table.columns) > width else None
    return TablePart(
        title=context.title(name, table.title),
        columns=[context.title(name, column) for column in table.columns[:width]],
        rows=[[_cell(context, value) for value in row] for row in rows],
        numeric=[_numeric([row[i] for row in rows]) for i in range(width)],
        bound=_bounds(context, ("rows", len(rows), total), ("columns", width, len(table.columns))),
        whole=whole,
    )


def _whole(context: Context, name: str, table: Table) -> WholeTable:
    """Numbers in full, in place of the report's six digits."""
    context.tables += 1
    known: dict[str, object] = {}

    def cell(value: Plain) -> object:
        if not isinstance(value, str):
            return value if not isinstance(value, bool) else str(value).lower()
        if value not in known:
            known[value] = spreadsheet.harmless(context.line(value))
        return known[value]

    return WholeTable(
        name=f"table-{context.tables:03}.csv",
        count=len(table.rows),
        columns=[context.title(name, column) for column in table.columns],
        body=spreadsheet.text([cell(value) for value in row] for row in table.rows),
    )


def _cell(context: Context, value: Plain) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return context.say("yes" if value else "no")
    if isinstance(value, float):
        return f"{value:.6g}"
    return context.line(str(value), MAX_CELL)


def _curve(context: Context, name: str, curve: Curve, speech: machine.Speech) -> Curve:
    return Curve(
        title=context.title(name, curve.title, speech),
        x_label=context.title(name, curve.x_label, speech),
        y_label=context.title(name, curve.y_label, speech),
        x=curve.x[:MAX_POINTS],
        series={
            key: values[:MAX_POINTS] for key, values in _named(context, name, curve.series, MAX_SERIES, speech).items()
        },
        marks=_named(context, name, curve.marks, MAX_MARKS, speech),
    )


def _named(context: Context, name: str, values: dict[str, V], most: int, speech: machine.Speech) -> dict[str, V]:
    """The first of them, each with its title; where two have the same, the second gets a number."""
    found: dict[str, V] = {}
    for key, value in islice(values.items(), most):
        title = numbered = context.title(name, key, speech)
        number = 1
        while numbered in found:
            number += 1
            numbered = f"{title} ({number})"
        found[numbered] = value
    return found


def _bounds(context: Context, *limits: tuple[str, int, int]) -> str:
    """What was left out, of (a key of WORDS, how many are shown at most, how many there are)."""
    return _together(
        context, (context.say(key, shown=shown, total=total) for key, shown, total in limits if total > shown)
    )


def _together(context: Context, said: Iterable[str]) -> str:
    return ("; " if context.language is Language.EN else "；").join(filter(None, said))


def _bars(context: Context, name: str, bars: Histogram, speech: machine.Speech) -> Histogram:
    return Histogram(
        title=context.title(name, bars.title, speech),
        labels=[context.title(name, label, speech) for label in bars.labels[:MAX_ROWS]],
        counts=bars.counts[:MAX_ROWS],
        x_label=context.title(name, bars.x_label, speech),
        y_label=context.title(name, bars.y_label, speech),
    )


def _heat_part(context: Context, name: str, heat: Heatmap) -> ChartPart:
    """The map, and a table of some of its rows and columns: those with something marked, and others evenly."""
    drawn = _heat(context, name, heat, context.speech)
    total = max(len(heat.rows), heat.total or 0)
    bound = _bounds(context, ("rows", len(drawn.rows), total), ("columns", len(drawn.columns), len(heat.columns)))
    rows = axes.some(len(drawn.rows), TOLD_ROWS, {row for row, _ in drawn.marked})
    columns = axes.some(len(drawn.columns), TOLD_COLUMNS, {column for _, column in drawn.marked[:1]})
    marked = {(row, column) for row, column in drawn.marked}
    cells = [
        [drawn.rows[row], *(axes.told(drawn.values[row][column], (row, column) in marked) for column in columns)]
        for row in rows
    ]
    head = [drawn.y_label, *(f"{drawn.x_label} {drawn.columns[column]}" for column in columns)]
    return ChartPart(
        context.title(name, heat.title),
        drawn,
        _heat(context, name, heat, context.english),
        bound,
        TablePart(drawn.value_label, head, cells, [False, *[True] * len(columns)]),
    )


def _heat(context: Context, name: str, heat: Heatmap, speech: machine.Speech) -> Heatmap:
    """Of a map from anywhere: at most MAX_HEAT rows and columns, each row with a value or None for each column."""
    columns = min(MAX_HEAT, len(heat.columns))
    rows = min(MAX_HEAT, len(heat.rows), len(heat.values))
    return Heatmap(
        title=context.title(name, heat.title, speech),
        x_label=context.title(name, heat.x_label, speech),
        y_label=context.title(name, heat.y_label, speech),
        value_label=context.title(name, heat.value_label, speech),
        rows=[context.title(name, row, speech) for row in heat.rows[:rows]],
        columns=[context.title(name, column, speech) for column in heat.columns[:columns]],
        values=[[*row[:columns], *[None] * (columns - len(row))] for row in heat.values[:rows]],
        marked=axes.within(heat.marked, rows, columns),
    )


def _extent(part: EvidencePart) -> int:
    """About how many characters a part takes; a cell or a line not less than its markup."""
    if isinstance(part, ChartPart):
        return 0
    texts = [cell for row in part.rows for cell in row] if isinstance(part, TablePart) else part.lines
    return sum(max(10, len(text)) for text in texts)


def _numeric(values: list[Plain]) -> bool:
    known = [value for value in values if value is not None]
    return bool(known) and all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in known)
