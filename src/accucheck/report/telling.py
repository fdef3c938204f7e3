"""A run as lines for a terminal, while it goes on: each item as soon as it is done, then what was left out and what came of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import msgspec

from .. import chart_texts
from ..case import Case
from ..checklist import Checklist, Item
from ..language import aligned
from ..model import Language, Level, ProbeResult, Status, Verdict
from ..session import Entry, Record
from . import machine, redact
from .context import Context
from .items import standing
from .parts import ChartPart, CodePart, EvidencePart, FindingPart, ResultPart, TablePart
from .results import result_part
from .words import LEVELS, MARKS, STATUSES, VERDICTS

#: Why a probe was left out, told once for all that were: what the case does not give, and what nobody agreed to.
_LEFT_OUT = frozenset({"missing-input", "needs-consent", "needs-address-consent"})
#: Items that are named in one line.
_NAMED = 12
#: Rows of a table, and lines of a text, that are told of one piece of evidence.
_ROWS = 12


class Telling:
    """Tells what probes found of the items of `checklists`. `record`, of Project.outcome(), is to hold all results that are told."""

    def __init__(self, record: Record, checklists: Sequence[Checklist], case: Case, language: Language) -> None:
        self.checklists = checklists
        self._hide = redact.of(case)
        self._context = Context(record, case, language, frozenset(), self._hide)
        self._told: set[tuple[str, str]] = set()

    def item(self, record: Record, item: Item, results: Collection[ProbeResult], *, done: bool) -> list[str]:
        """The lines of an item and of these results of it, and of what another one contradicts by now. `done`: no further result is to
        come."""
        self._see(record)
        weighed = record.entries.get(item.id, Entry()).weighed
        names = {result.probe for result in results}
        overruled = [one.probe for one in weighed.values() if any(finding.contradicted for finding in one.findings)]
        shown = [
            weighed.get(result.probe, result) for result in results if not (_left_out(result) or _never_begun(result))
        ]
        shown += [weighed[name] for name in overruled if name not in names and done]
        if not shown:
            return []
        lines = [self._head(item, done=done)]
        for result in shown:
            lines += machine.result_text(self._context, self._news(result_part(self._context, item.id, result)))
        return lines

    def everything(self, record: Record) -> list[str]:
        """The lines of all items that were looked at, in the order of their checklists."""
        entries = [(item, record.entries.get(item.id, Entry())) for each in self.checklists for item in each.items]
        return [
            line for item, entry in entries for line in self.item(record, item, machine.results(item, entry), done=True)
        ]

    def end(self, record: Record, summary: dict[str, dict[str, int]]) -> list[str]:
        """What was left out, where each item stands, and the counts. `summary`: of machine.result_json()."""
        self._see(record)
        items = [item for checklist in self.checklists for item in checklist.items]
        results = [
            (each.id, result) for each in items for result in record.entries.get(each.id, Entry()).results.values()
        ]
        lines: list[str] = []
        for part in (self._lacking(results), self._unagreed(results), *map(self._standing, self.checklists)):
            told = list(part)
            lines += ["", *told] if told else []
        return [*lines, "", *self._counts(summary)]

    def _see(self, record: Record) -> None:
        self._context.record = record
        self._hide.learn(msgspec.to_builtins(record))

    def _head(self, item: Item, *, done: bool) -> str:
        state = standing(self._context, item)
        said = state.text if done else self._context.say("so-far", suggestion=state.spoken)
        mark = MARKS[state.verdict.value] if state.checked else "○"
        title = item.named(state.verdict.value if state.checked else "open")[self._context.language]
        return f"  {mark} {item.id}  {self._context.line(title)}  {said}"

    def _news(self, part: ResultPart) -> ResultPart:
        """A result without what was told of another one in the same words, as what cannot be read keeps many probes from seeing all."""
        fresh = []
        for finding in part.findings:
            said = finding.where, finding.message
            if finding.level is not Level.INFO or said not in self._told:
                fresh.append(finding)
            self._told.add(said)
        return msgspec.structs.replace(part, findings=fresh)

    def _lacking(self, results: Sequence[tuple[str, ProbeResult]]) -> Iterator[str]:
        """A line for each key that the case does not give, the one that keeps most from being looked at first."""
        from ..proposal.keys import TITLES

        lacking = [
            (item, str(need).split(" | "))
            for item, result in results
            if result.reason is not None and result.reason.code == "missing-input"
            for need in _listed(result.reason.data.get("keys"))
        ]
        asked = Counter(key for _, keys in lacking for key in keys)
        found: defaultdict[str, list[str]] = defaultdict(list)
        for item, keys in lacking:  # of several keys that will do, the one that most others lack too
            found[max(keys, key=lambda key: asked[key])].append(item)
        if found:
            yield self._context.say("lacking")
        for key, items in sorted(found.items(), key=lambda entry: (-len(entry[1]), entry[0])):
            words = TITLES.get(key)
            title = "" if words is None else self._context.pick(words)
            if key == "watched":  # what makes it is one command
                title = self._context.say("lacking-watched", title=title)
            shown = self._context.say("lacking-title", key=key, title=title) if title else key
            yield "  " + self._context.line(self._context.say("labelled", label=shown, text=self._named(items)))

    def _unagreed(self, results: Sequence[tuple[str, ProbeResult]]) -> Iterator[str]:
        """A line for what nobody agreed to."""
        for code in ("needs-consent", "needs-address-consent"):
            skipped = [
                (item, result) for item, result in results if result.reason is not None and result.reason.code == code
            ]
            if skipped:
                addresses = [
                    address
                    for _, each in skipped
                    if each.reason
                    for address in _listed(each.reason.data.get("addresses"))
                ]
                data: dict[str, Any] = {
                    "count": len(skipped),
                    "addresses": " ".join(dict.fromkeys(map(str, addresses))),
                }
                yield self._context.line(
                    self._context.say(f"left-{code}", items=self._named([i for i, _ in skipped]), **data)
                )

    def _standing(self, checklist: Checklist) -> Iterator[str]:
        """Where each item of a checklist stands: those that are problems by their titles, the others by their ids."""
        title = self._context.line(checklist.title[self._context.language])
        yield self._context.say("checklist-named", title=title, name=checklist.name, version=checklist.version)
        groups: defaultdict[tuple[str, str], list[Item]] = defaultdict(list)
        for item in checklist.items:
            state = standing(self._context, item)
            key = (MARKS[state.verdict.value], VERDICTS[state.verdict.value][self._context.language.value])
            groups[key if state.checked else ("○", self._context.say("unchecked"))].append(item)
        problem = VERDICTS[Verdict.PROBLEM.value][self._context.language.value]
        for item in groups.pop((MARKS["problem"], problem), []):
            yield f"  {MARKS['problem']} {item.id}  {self._context.line(item.title[self._context.language])}  {problem}"
        for (mark, state_text), items in sorted(groups.items(), key=lambda entry: "✓?–○".index(entry[0][0])):
            yield f"  {mark} {self._context.say('labelled', label=state_text, text=' '.join(item.id for item in items))}"

    def _counts(self, summary: dict[str, dict[str, int]]) -> Iterator[str]:
        record, say, pick = self._context.record, self._context.say, self._context.pick
        items = [item for checklist in self.checklists for item in checklist.items]
        told = [f"{pick(VERDICTS[verdict])} {count}" for verdict, count in summary["items"].items()]
        told.append(
            say("open-count", count=sum(record.entries.get(item.id, Entry()).conclusion is None for item in items))
        )
        ran = [f"{pick(STATUSES[status])} {count}" for status, count in summary["probes"].items()]
        yield f"{say('items')}  {' · '.join(told)}"
        yield f"{say('probes')}  {' · '.join(ran)}"

    def _named(self, items: Collection[str]) -> str:
        once = list(dict.fromkeys(items))
        more = len(once) - _NAMED
        return " ".join(once[:_NAMED]) + (f" {self._context.say('named-more', count=more)}" if more > 0 else "")


def explained(
    record: Record, item: Item, case: Case, language: Language, stale: Collection[tuple[str, str]]
) -> list[str]:
    """All that was found of one item: where it stands, then each finding with its place, its code, why, how sure, and the change; what
    is wrong comes first. Says which command looks, where nothing has."""
    hide = redact.of(case)
    hide.learn(msgspec.to_builtins(record))
    context = Context(record, case, language, frozenset(stale), hide)
    entry = record.entries.get(item.id, Entry())
    state = standing(context, item)
    labelled = context.say("labelled", label=context.say("result"), text=state.text)
    lines = [f"{MARKS[state.verdict.value] if state.checked else '○'} {labelled}"]
    parts = [result_part(context, item.id, result) for result in machine.results(item, entry)]
    found = [(part, finding) for part in parts for finding in part.findings]
    before = Level.PROBLEM
    for part, finding in sorted(found, key=lambda pair: list(Level).index(pair[1].level)):
        lines += [] if before is finding.level is Level.INFO else [""]
        lines += _finding(context, part, finding)
        before = finding.level
    left = [part for part in parts if part.reason]
    lines += [""] if left else []
    lines += [context.say("labelled", label=part.probe, text=part.reason) for part in left]
    if more := sum(part.more_findings for part in parts):
        lines.append(context.say("more-findings", count=more))
    if not parts and not state.excluded and item.uses:
        lines.append(context.say("explain-nothing", item=item.id))
    return lines


def _finding(context: Context, part: ResultPart, finding: FindingPart) -> list[str]:
    """A finding in full. Of information only what it says."""
    level = context.pick(LEVELS[finding.level.value])
    stale = f"  ({context.say('stale')})" if part.stale else ""
    lines = [f"{machine.LEVEL_MARKS[finding.level]} {level}  {machine.placed(finding)}  [{part.probe}]{stale}"]
    if finding.level is Level.INFO:
        return lines
    for evidence in finding.evidence:
        lines += [f"    {line}" for line in evidence_lines(context, evidence)]
    for key in ("why", "sure", "proof", "fix"):
        if text := getattr(finding, key):
            lines.append("  " + context.say("labelled", label=context.say(key), text=text))
    return [*lines, *(f"    {line}" for line in finding.diff)]


def evidence_lines(context: Context, part: EvidencePart) -> list[str]:
    """Evidence as lines: code with its numbers, the lines meant marked with >; a chart in words."""
    if isinstance(part, CodePart):
        width = len(str(part.line + len(part.lines)))
        numbered = enumerate(part.lines, part.line)
        lines = [f"{'>' if number in part.marked else ' '} {number:>{width}} | {text}" for number, text in numbered]
    elif isinstance(part, TablePart):
        rows = [part.columns, *part.rows[:_ROWS]] if part.rows else []
        lines = [part.title, *("  " + line for line in (aligned(rows) if rows else ()))]
        if len(part.rows) > _ROWS:
            lines.append("  " + context.say("rows", shown=_ROWS, total=len(part.rows)))
    elif isinstance(part, ChartPart):
        lines = [part.title, *("  " + line for line in chart_texts.words(part.chart, str, context.language))]
    else:
        lines = [part.title, *("  " + line for line in part.lines[:_ROWS])]
    return [*lines, *([f"({part.bound})"] if part.bound else [])]


def _left_out(result: ProbeResult) -> bool:
    return result.status is Status.SKIPPED and result.reason is not None and result.reason.code in _LEFT_OUT


def _never_begun(result: ProbeResult) -> bool:
    """Whether a probe was stopped before it found anything; the counts tell how many were."""
    return result.status is Status.CANCELLED and not result.findings


def _listed(value: Any) -> list[Any]:
    """A list of what a stored result holds, which may come from elsewhere."""
    return value if isinstance(value, list) else [] if value is None else [value]
