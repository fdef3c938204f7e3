"""What the probes of one item found: findings and their evidence as a list; Enter opens one full size."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content
from textual.widgets.option_list import Option

from ... import probe as probes
from ...axes import finite
from ...checklist import Item
from ...language import Words, word
from ...model import (
    Code,
    Curve,
    Evidence,
    Finding,
    Heatmap,
    Histogram,
    Images,
    Level,
    Note,
    ProbeResult,
    Status,
    Table,
    Tree,
    Verdict,
    Where,
)
from ...report.words import KINDS
from ..runner import ProbeProgress
from ..signs import Speech, plain, wrap
from . import chart
from .longlist import LazyOption, LongList

if TYPE_CHECKING:
    from ...mending import FixCheck

#: More would only slow the screen down; the report and the session have all.
FINDINGS_SHOWN = 100
#: Lines of a small table or bar chart, and series of a curve, shown in the list itself, and cells of one.
PREVIEW_LINES, SPARKS, MOST_WIDE = 6, 3, 72
_ORDER = {Level.PROBLEM: 0, Level.SUSPECT: 1, Level.INFO: 2}


def place(where: Where) -> str:
    """A place as people write it: path:line, then what is there."""
    text = where.path or ""
    if where.line is not None:
        text += f":{where.line}"
    rest = [part for part in (where.name, where.field) if part]
    if where.step is not None:
        rest.append(f"step {where.step}")
    return " ".join([text, *rest]).strip()


def words_of(name: str) -> Words:
    """The WORDS of a probe, or none when it is no longer installed."""
    try:
        words: Words = probes.load(name).WORDS
    except Exception:
        return {}
    return words


def label_of(name: str, speech: Speech) -> Callable[[str], str]:
    """The words of a probe for a key."""
    words = words_of(name)
    return lambda key: word(words, key, speech.language)


def message_of(name: str, code: str, data: dict[str, object], speech: Speech) -> str:
    """A finding's words; its code and data when the probe is no longer installed."""
    try:
        return probes.message(probes.load(name), code, data, speech.language)
    except Exception:
        return f"{code} {data}"


def explanation_of(name: str, finding: Finding, speech: Speech) -> probes.Explanation:
    """Why, how sure and what proves it; empty where the probe does not say or is no longer installed."""
    try:
        return probes.explanation(probes.load(name), finding, speech.language)
    except Exception:
        return probes.Explanation("", "", "")


class FindingList(LongList):
    """`chosen(id)` gives (probe, finding, index of the evidence) of an option."""

    def __init__(self, id: str) -> None:
        super().__init__(id=id, markup=False)
        self._targets: dict[str, tuple[str, Finding, int]] = {}
        self._shown: tuple[list[object], tuple[object, ...]] = [], ()

    def fill(
        self,
        speech: Speech,
        item: Item,
        results: dict[str, ProbeResult],
        running: dict[str, tuple[ProbeProgress, list[Finding]]],
        stale: set[str],
        width: int,
        before: dict[str, ProbeResult] | None = None,
        busy: bool = False,
    ) -> None:
        """results and running by probe; a running probe shows what it has found so far. before: what a result replaced;
        busy: a run is on, and none can be begun. What is shown already is not made again."""
        before = before or {}
        objects = [speech, item, *results.values(), *before.values()]  # none of which changes
        values = [*results], [*before], {name: len(found) for name, (_, found) in running.items()}, stale, width, busy
        was, self._shown = self._shown, (objects, values)
        if len(objects) == len(was[0]) and all(map(operator.is_, objects, was[0])) and values == was[1]:
            return
        highlighted = self.highlighted if was[0] and was[0][1] is item else None
        self._targets = {}
        options: list[Option] = []
        names = [use.name for use in item.uses]
        for name in [*names, *(name for name in results if name not in names)]:
            if name in running:
                options.append(Option(Content.assemble(speech.sign("running"), f" {name}  ", speech.say("running"))))
                options += self._findings(speech, name, running[name][1], width)
            elif name in results:
                options += self._result(speech, item, results[name], name in stale, width, before.get(name))
            else:
                options.append(
                    Option(plain(speech.say("not-run-busy" if busy else "not-run", probe=name), "$text-muted"))
                )
        if not names and not results:
            options.append(Option(plain(wrap(speech.say("no-probe"), width), "$text-muted")))
        self.clear_options()
        self.add_options(options)
        if highlighted is not None and self.option_count:
            self.highlighted = min(highlighted, len(options) - 1)
        elif was[0] and was[0][1] is not item:
            self.scroll_to(y=0, animate=False, immediate=True)

    def target(self, option: str | None) -> tuple[str, Finding, int] | None:
        return self._targets.get(option or "")

    def option_of(self, probe: str, finding: Finding | None) -> str | None:
        """The first option of a finding, taken in already or not; None where it is not shown."""
        return next((key for key, (name, each, _) in self._targets.items() if name == probe and each is finding), None)

    @property
    def targets(self) -> list[tuple[str, Finding, int]]:
        """Each finding with each piece of its evidence, once."""
        return list({id(target): target for target in self._targets.values()}.values())

    def _result(
        self, speech: Speech, item: Item, result: ProbeResult, stale: bool, width: int, before: ProbeResult | None
    ) -> list[Option]:
        head = Content.assemble(plain(result.probe, "bold"), f"  {result.seconds:.1f} s  ", speech.outcome(result))
        if result.own_training and result.status is not Status.SKIPPED:
            watched = word(KINDS, "own-training", speech.language)
            head = Content.assemble(head, "\n", plain(wrap(f"  {watched}", width, 2), "$text-muted"))
        if stale:
            head = Content.assemble(head, "\n", plain(wrap("  " + speech.say("stale"), width, 2), "$text-warning"))
        if before is not None and not stale and (since := _since(speech, item, before, result, width)):
            head = Content.assemble(head, "\n", since)
        options = [Option(head)]
        if result.reason is not None:
            try:
                text = probes.reason_text(result.probe, result.reason, speech.language)
            except Exception:
                text = result.reason.code
            options.append(Option(plain(wrap(f"  {text}", width, 2), "$text-warning")))
        options += self._findings(speech, result.probe, result.findings, width)
        if result.log:
            note = Finding("log", Level.INFO, evidence=[Note(speech.say("log"), result.log)])
            words = Content(f"    {speech.say('log')} ({speech.say('text')})")
            options.append(self._option((result.probe, note, 0), lambda: words))
        if not result.findings and result.reason is None:
            options.append(Option(plain("  " + speech.say("nothing-found"), "$text-muted")))
        return options

    def _findings(self, speech: Speech, name: str, findings: list[Finding], width: int) -> list[Option]:
        options, advice = [], ""
        for finding in sorted(findings, key=lambda finding: _ORDER[finding.level])[:FINDINGS_SHOWN]:
            target = name, finding, 0
            options.append(self._option(target, partial(_line, speech, name, finding, width)))
            fix = message_of(name, finding.fix.message, finding.data, speech) if finding.fix is not None else ""
            if fix and fix != advice:  # findings that are alike have one advice
                options.append(self._option(target, partial(_fix, speech, fix, width)))
            advice = fix
            for index, evidence in enumerate(finding.evidence):
                options.append(
                    self._option(
                        (name, finding, index) if index else target,
                        partial(_preview, speech, name, evidence, width - 8),
                    )
                )
        if len(findings) > FINDINGS_SHOWN:
            more = speech.say("more-findings", count=len(findings) - FINDINGS_SHOWN)
            options.append(Option(plain("  " + more, "$text-muted")))
        return options

    def _option(self, target: tuple[str, Finding, int], content: Callable[[], Content]) -> Option:
        key = f"t{len(self._targets)}"
        self._targets[key] = target
        return Option(LazyOption(content), id=key)


def _line(speech: Speech, name: str, finding: Finding, width: int) -> Content:
    """What was found, where, and how sure the probe is."""
    said = message_of(name, finding.code, finding.data, speech), probes.discounted(finding, speech.language)
    text = " ".join(filter(None, said))
    where = place(finding.where)
    line = Content.assemble("  ", speech.level(finding.level), " ", plain(wrap(f"    {text}", width, 4)[4:]))
    sure = speech.say(f"sure-{finding.sure.value}") if finding.sure is not None else ""
    if where:
        line = Content.assemble(line, "\n", plain(wrap(f"    {where}", width, 4), "$text-accent"))
    if sure:
        line = Content.assemble(line, "  " if where else "\n    ", (sure, "$text-muted"))
    return line


def _fix(speech: Speech, words: str, width: int) -> Content:
    """How to mend it."""
    return plain(wrap(f"    > {words}" if speech.only_ascii else f"    → {words}", width, 6), "$text-success")


#: More findings than these are not told apart one by one, only counted.
TOLD_APART = 500


def proof_of(item: str, before: ProbeResult, result: ProbeResult) -> FixCheck | None:
    """What became of what the last run had found; None for what is not told apart one by one."""
    from ...mending import proof

    if max(len(before.findings), len(result.findings)) > TOLD_APART or result.status is not Status.DONE:
        return None
    return proof(item, before, result)


def _since(speech: Speech, item: Item, before: ProbeResult, result: ProbeResult, width: int) -> Content:
    """Before and after, and what became of what the last run had found; empty where there was and is nothing to tell."""
    say, arrow = speech.say, "->" if speech.only_ascii else "→"
    words = [say(each.suggestion.value) for each in (before, result)]
    counts = []
    if (found := proof_of(item.id, before, result)) is not None:
        counts = [say(f"proof-{key}", **{key: number}) for key, number in found._asdict().items() if number]
    if not counts and before.suggestion is result.suggestion:
        return Content("")
    text = say("proof-line", before=words[0], after=words[1], counts=say("list-separator").join(counts)).replace(
        "→", arrow
    )
    better = before.suggestion is Verdict.PROBLEM and result.suggestion is not Verdict.PROBLEM
    return plain(wrap("  " + text.rstrip(", ，"), width, 2), "$text-success" if better else "$text-muted")


def title_of(speech: Speech, name: str, evidence: Evidence) -> str:
    """What a piece of evidence is called."""
    if isinstance(evidence, Code):
        return f"{evidence.path}:{evidence.marked[0] if evidence.marked else evidence.line}"
    return word(words_of(name), evidence.title, speech.language)


def kind_of(evidence: Evidence) -> str:
    kinds = {
        Table: "table",
        Tree: "tree",
        Curve: "chart",
        Histogram: "chart",
        Heatmap: "chart",
        Code: "code",
        Note: "text",
        Images: "images",
    }
    return kinds[type(evidence)]


def _sparks(speech: Speech, curve: Curve, label: Callable[[str], str], width: int) -> list[str]:
    """Some series of a curve, a line each: name, the curve in small, its first and last value."""
    lines = []
    names = [
        chart.cut(label(key), max(8, width // 3), only_ascii=speech.only_ascii) for key in list(curve.series)[:SPARKS]
    ]
    longest = max(map(cell_len, names), default=0)
    for name, values in zip(names, curve.series.values(), strict=False):
        known = [value for value in finite(values) if not math.isnan(value)]
        ends = f"{known[0]:.4g} -> {known[-1]:.4g}" if known else "-"
        room = min(32, width - longest - len(ends) - 2)
        spark = "" if speech.only_ascii else chart.spark(values, room) + " "
        arrow = ends if speech.only_ascii else ends.replace("->", "→")
        lines.append(f"{name}{' ' * (longest - cell_len(name))} {spark}{arrow}")
    return lines


def _preview(speech: Speech, name: str, evidence: Evidence, width: int) -> Content:
    """One line that names the evidence, and a few lines of it where they say something by themselves."""
    head = plain(f"    {speech.pointer()}{_named(speech, name, evidence)}", "$text-secondary")
    return Content("\n").join([head, *(Content("      ") + line for line in _drawn(speech, name, evidence, width))])


def _named(speech: Speech, name: str, evidence: Evidence) -> str:
    named = f"{speech.say(kind_of(evidence))}  {title_of(speech, name, evidence)}"
    if not isinstance(evidence, Table):
        return named
    shown = len(evidence.rows)
    total = shown if evidence.total is None else evidence.total
    return f"{named}  {speech.say('rows-all' if shown == total else 'rows', shown=shown, total=total)}"


def _drawn(speech: Speech, name: str, evidence: Evidence, width: int) -> list[Content]:
    """The few lines of an evidence that a preview shows."""
    only_ascii, room, label = speech.only_ascii, min(width, MOST_WIDE), label_of(name, speech)
    lines: list[str] = []
    if isinstance(evidence, Histogram) and len(evidence.labels) > PREVIEW_LINES and chart.numeric(evidence.labels):
        spark = "" if only_ascii else chart.spark(evidence.counts, min(width - 24, MOST_WIDE // 2), counts=True)
        lines = [f"{evidence.labels[0]} {spark or '..'} {evidence.labels[-1]}"]
    elif isinstance(evidence, Histogram):
        labels = evidence.labels[:PREVIEW_LINES]
        return chart.lying(labels, evidence.counts, label, room, only_ascii=only_ascii, beside=evidence.counts)
    elif isinstance(evidence, Heatmap):
        return chart.heat(evidence, label, room, only_ascii=only_ascii, most=PREVIEW_LINES)
    elif isinstance(evidence, Curve):
        lines = _sparks(speech, evidence, label, room)
    elif isinstance(evidence, Code):
        lines = [chart.cut(text, width, only_ascii=only_ascii) for text in _marked(evidence)[:PREVIEW_LINES]]
    return [plain(line, "$text-muted") for line in lines]


def _marked(code: Code) -> list[str]:
    """The marked lines of a piece of code, or all where none is marked, with their numbers."""
    numbered = enumerate(code.text.splitlines(), code.line)
    return [f"{line} {text.strip()}" for line, text in numbered if not code.marked or line in code.marked]
