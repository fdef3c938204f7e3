"""The front of a report, for who has two minutes: what is wrong, how sure, where, and whether it is worth filing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from .. import symptoms
from ..checklist import Checklist, Item
from ..language import word
from ..model import Language, Level, Status, Sure, Verdict
from ..probe import SURE
from ..session import Entry, Training
from . import grading
from .context import Context, cut
from .parts import Counts, FindingPart, GradePart, Highlight, ItemPart, ResultPart, VerdictPart

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


def verdict_part(context: Context, items: list[ItemPart], known: list[Item]) -> VerdictPart:
    """What is wrong, the most certain first and then what lies most upstream; and how far that goes. `known`: the same items."""
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
    symptom = _symptom(context)
    highlights, more = _highlights(context, problems, symptom)
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
        symptom=context.line(symptoms.headline(context.case, symptom, context.language), 600),
        goal=context.line(symptoms.of_goal(context.case, context.language), 600)
        if context.case.spec.goal.expected is not None
        else "",
    )


def _symptom(context: Context) -> symptoms.Symptom | None:
    """What the curves look like, where anything has run."""
    ran = any(
        result.status is Status.DONE for entry in context.record.entries.values() for result in entry.results.values()
    )
    return symptoms.of_case(context.case) if ran else None


def _ids(context: Context, items: Sequence[ItemPart], most: int = 8) -> str:
    shown = [item.id for item in items[:most]] + (["…"] if len(items) > most else [])
    return (", " if context.language is Language.EN else "、").join(shown)


def _suppressed(context: Context, item: Item) -> bool:
    """Whether somebody has set aside what was found of an item."""
    entry = context.record.entries.get(item.id, Entry())
    return any(finding.suppressed for result in entry.results.values() for finding in result.findings)


def _partial(context: Context, item: Item) -> bool:
    results = context.record.entries.get(item.id, Entry()).results.values()
    return any(finding.incomplete for result in results for finding in result.findings)


def _highlights(
    context: Context, problems: list[ItemPart], symptom: symptoms.Symptom | None
) -> tuple[list[Highlight], int]:
    """Problems of the items that stand as problems: some of each item, so that one does not hide the others. As in the list of next
    steps, what goes with the symptom comes first, then what may be expected to matter most, and the possible after all others."""
    found: list[tuple[int, ItemPart, list[Highlight], int]] = []
    for item in problems:
        telling = [
            (_certainty(context, item, finding), Highlight(item.id, finding.where, cut(finding.message, 300), sure))
            for result in item.results
            for finding in result.findings
            if finding.level is Level.PROBLEM and (sure := _sure(context, item, result, finding))
        ]
        by = context.say("sure-concluded", by=item.by)
        telling = telling or [(0, Highlight(item.id, "", item.note_brief or item.title, by if item.by else ""))]
        telling.sort(key=lambda pair: pair[0])
        hidden = sum(result.more_findings for result in item.results if result.suggestion is Verdict.PROBLEM)
        found.append((telling[0][0], item, [highlight for _, highlight in telling], hidden))
    chosen: list[Highlight] = []
    left = 0
    fitting = symptoms.FITTING[symptom.kind] if symptom is not None else ()

    def weight(each: tuple[int, ItemPart, list[Highlight], int]) -> tuple[bool, bool, int, int]:
        certainty, item, *_ = each
        return certainty > _LIKELY, item.id not in fitting, _effect(context, item), certainty

    for _, _, highlights, hidden in sorted(found, key=weight):
        room = min(MAX_HIGHLIGHTS_AN_ITEM, MAX_HIGHLIGHTS - len(chosen))
        chosen += highlights[:room]
        left += len(highlights) - len(highlights[:room]) + hidden
    return chosen, left


def _effect(context: Context, item: ItemPart) -> int:
    """The place among symptoms.EFFECTS of what mending an item may be expected to give."""
    results = context.record.entries.get(item.id, Entry()).weighed.values()
    found = [(result.probe, each.code) for result in results for each in result.findings if each.level is Level.PROBLEM]
    return min(symptoms.EFFECTS.index(symptoms.effect(item.id, *each)) for each in found or [("", "")])


#: The rank of what is likely: a problem that is likely and does more comes before a certain one.
_LIKELY = 2


def _certainty(context: Context, item: ItemPart, finding: FindingPart) -> int:
    """0 for what a person concluded, 1 for what was measured or is certain by the code, 2 for likely, 3 for possible."""
    ranks = {word(SURE, key.value, context.language): rank for rank, key in enumerate(Sure, start=1)}
    return 0 if item.conclusion is not None else ranks.get(finding.sure, 1)


def _sure(context: Context, item: ItemPart, result: ResultPart, finding: FindingPart) -> str:
    """How sure it is that a finding stands, in a few words."""
    said = [
        context.say("sure-concluded", by=item.by)
        if item.conclusion is not None
        else context.say("sure-suggested", how=finding.sure or context.say("sure-measured"))
    ]
    if result.stale:
        said.append(context.say("stale"))
    return (", " if context.language is Language.EN else "，").join(said)


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
