"""The front of a report, for who has two minutes: what is wrong, how sure, where, and whether it is worth filing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from .. import symptoms
from ..checklist import Checklist, Item
from ..language import listed, word
from ..model import Language, Level, Status, Verdict
from ..session import Entry, Training
from . import grading
from .context import Context, cut
from .parts import Counts, FindingPart, GradePart, Highlight, ItemPart, ResultPart, VerdictPart
from .ranking import GRADES, Ranking

MAX_HIGHLIGHTS = 15  # in all
MAX_HIGHLIGHTS_AN_ITEM = 3
MAX_GROUND_ITEMS = 5


def overview(context: Context, counts: Counts, total: int) -> list[str]:
    said = [context.say("overview", total=total, **counts.states)]
    if counts.unchecked:
        said.append(context.say("overview-unchecked", count=counts.unchecked))
    if counts.open:
        said.append(context.say("overview-open", count=counts.open))
    if context.record.training in (Training.FAILS, Training.UNSURE):
        said.append(context.say(f"overview-{context.record.training.value}"))
    return said


def verdict_part(context: Context, items: list[ItemPart], ranking: Ranking) -> VerdictPart:
    """What is wrong, in the order of the next steps, and how far that goes. `items`: those of `ranking`."""
    known = ranking.items
    total = len(items)
    decided = [item for item in items if item.state is not Verdict.UNDECIDED]
    problems = [item for item in items if item.state is Verdict.PROBLEM]
    results = [result for item in items for result in item.results]
    statuses = Counter(result.status for result in results)
    suspects = [
        item
        for item in items
        if item.state is Verdict.UNDECIDED
        and any(finding.level is not Level.INFO for result in item.results for finding in result.findings)
    ]
    limits = [
        context.say(f"verdict-{key}", items=_ids(context, meant), count=len(meant))
        for key, meant in (
            ("suspects", suspects),
            ("failed", [item for item in items if _has(item, Status.FAILED) or _has(item, Status.CANCELLED)]),
            ("stale", [item for item in items if any(result.stale for result in item.results)]),
            ("overruled", [item for item in items if item.overruled]),
            ("suppressed", [item for item, each in zip(items, known, strict=True) if _suppressed(context, each)]),
            ("partial", [item for item, each in zip(items, known, strict=True) if _partial(context, each)]),
        )
        if meant
    ]
    if problems:
        state = Verdict.PROBLEM
        concluded = sum(item.conclusion is not None for item in problems)
        suggested = len(problems) - concluded
        key = "" if concluded and suggested else "-concluded" if concluded else "-suggested"
        headline = context.say(f"verdict-problem{key}", count=len(problems), concluded=concluded, suggested=suggested)
    elif not any(item.checked for item in items):
        state, headline = Verdict.UNDECIDED, context.say("verdict-nothing")
    elif suspects:
        state, headline = Verdict.UNDECIDED, context.say("verdict-suspects-only", count=len(suspects))
    elif len(decided) < total or limits:
        state = Verdict.UNDECIDED
        key = "verdict-little" if len(decided) * 2 < total else "verdict-open"
        headline = context.say(key, decided=len(decided), total=total)
    else:
        state, headline = Verdict.OK, context.say("verdict-ok", total=total)
    order = ranking.order()
    highlights, more = _highlights(context, sorted(problems, key=lambda item: order.index(item.id)))
    return VerdictPart(
        state=state,
        headline=headline,
        highlights=highlights,
        more_highlights=more,
        checked=context.say(
            "verdict-checked",
            decided=len(decided),
            total=total,
            person=sum(item.conclusion is not None for item in items),
            done=statuses[Status.DONE],
            failed=statuses[Status.FAILED] + statuses[Status.CANCELLED],
            skipped=statuses[Status.SKIPPED],
        ),
        limits=limits,
        symptom=context.line(symptoms.headline(context.case, ranking.symptom, context.language), 600),
        goal=context.line(symptoms.of_goal(context.case, context.language), 600)
        if context.case.spec.goal.expected is not None
        else "",
    )


def _ids(context: Context, items: Sequence[ItemPart], most: int = 8) -> str:
    shown = [item.id for item in items[:most]] + (["…"] if len(items) > most else [])
    return listed(shown, context.language)


def _suppressed(context: Context, item: Item) -> bool:
    """Whether somebody has set aside what was found of an item."""
    entry = context.record.entries.get(item.id, Entry())
    return any(finding.suppressed for result in entry.results.values() for finding in result.findings)


def _partial(context: Context, item: Item) -> bool:
    results = context.record.entries.get(item.id, Entry()).results.values()
    return any(finding.incomplete for result in results for finding in result.findings)


def _highlights(context: Context, problems: list[ItemPart]) -> tuple[list[Highlight], int]:
    """What is wrong with the items that stand as problems, some findings of each, so that one item does not hide the others; and how
    many are left out."""
    chosen: list[Highlight] = []
    left = 0
    for item in problems:
        telling = [
            Highlight(item.id, finding.where, cut(finding.message, 300), sure, finding.fix)
            for result, finding in _best_first(item)
            if finding.level is Level.PROBLEM and (sure := _sure(context, item, result, finding))
        ]
        by = _confirmed(context, item) if item.by else ""
        telling = telling or [Highlight(item.id, "", item.note_brief or item.title, by, "")]
        room = min(MAX_HIGHLIGHTS_AN_ITEM, MAX_HIGHLIGHTS - len(chosen))
        chosen += telling[:room]
        hidden = sum(result.more_findings for result in item.results if result.suggestion is Verdict.PROBLEM)
        left += len(telling[room:]) + hidden
    return chosen, left


def _best_first(item: ItemPart) -> list[tuple[ResultPart, FindingPart]]:
    """What was found of an item, first what there is the best reason to believe in."""
    found = [(result, finding) for result in item.results for finding in result.findings]
    return sorted(found, key=lambda pair: GRADES.index(pair[1].grade))


def _sure(context: Context, item: ItemPart, result: ResultPart, finding: FindingPart) -> str:
    """How sure it is that a finding stands, in a few words."""
    said = [
        _confirmed(context, item)
        if item.conclusion is not None
        else context.say("sure-suggested", how=finding.sure or context.say("sure-measured"))
    ]
    if result.stale:
        said.append(context.say("stale"))
    return (", " if context.language is Language.EN else "，").join(said)


def _confirmed(context: Context, item: ItemPart) -> str:
    """Who concluded an item; the time stands with the item."""
    entry = context.record.entries.get(item.id, Entry())
    return context.say("sure-concluded", by=context.who(entry.who, 40))


def grade_part(context: Context, checklists: list[Checklist]) -> GradePart:
    graded = grading.grade(context.record, checklists, context.case, context.stale)
    key = graded.grade.value
    return GradePart(
        grade=key,
        title=word(grading.WORDS, key, context.language),
        why=[_ground(context, ground) for ground in graded.why],
        lacking=[_ground(context, ground) for ground in graded.lacking],
        advice=word(grading.WORDS, f"{key}-advice", context.language),
    )


def _ground(context: Context, ground: grading.Ground) -> str:
    names = [context.line(f"{item.id} {item.title[context.language]}", 120) for item in ground.items[:MAX_GROUND_ITEMS]]
    if len(ground.items) > len(names):
        names.append(context.say("and-more", count=len(ground.items) - len(names)))
    between = "; " if context.language is Language.EN else "；"
    return word(grading.WORDS, ground.key, context.language, items=between.join(names), count=ground.count)


def _has(item: ItemPart, status: Status) -> bool:
    return any(result.status is status for result in item.results)
