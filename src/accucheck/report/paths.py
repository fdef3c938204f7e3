"""A path of a checklist as it was walked, as a part of a report."""

from __future__ import annotations

from ..checklist import Checklist
from ..model import Level
from ..path import PathPosition, Step, wanted
from . import machine
from .context import Context, cut
from .parts import ItemPart, PathPart, StepPart

MAX_STEP_EVIDENCE = 3  # of a step


def path_part(context: Context, path: PathPosition, items: dict[str, ItemPart]) -> PathPart:
    """items: by their ids as shown."""
    end, here = path.at_end, path.here
    inputs = wanted(path.checklist, here, context.case) if here is not None else []
    return PathPart(
        title=context.line(path.checklist.title[context.language]),
        steps=[_step(context, path.checklist, step, items[context.line(step.item.id, 80)]) for step in path.steps],
        stands=context.say("path-stands", item=context.line(f"{here.id} {here.title[context.language]}"))
        if here
        else "",
        wanted=[
            context.line(machine.input_text(each, context.case, context.language)) for each in inputs if not each.there
        ],
        end=context.say("path-end", title=context.line(end.title[context.language])) if end else "",
        problems=context.say("path-mend", items=", ".join(context.line(item.id, 80) for item in path.problems))
        if end and path.problems
        else "",
        advice=context.prose(end.advice[context.language]) if end else [],
    )


def _step(context: Context, checklist: Checklist, step: Step, item: ItemPart) -> StepPart:
    """What a step rests on: the note of whoever concluded, then what was found; just information only where that is all."""
    answer = context.verdict(step.answer)
    order = {Level.PROBLEM: 0, Level.SUSPECT: 1, Level.INFO: 2}
    found = [finding for result in item.results for finding in result.findings]
    findings = [finding for finding in found if finding.level is not Level.INFO] or found
    said = [item.note_brief] if step.concluded and item.note_brief else []
    said += [cut(finding.message, 300) for finding in sorted(findings, key=lambda finding: order[finding.level])]
    why = step.way.text[context.language] if step.way is not None else ""
    return StepPart(
        item=item.id,
        title=item.title,
        state=step.answer,
        answer=answer if step.concluded else context.say("path-suggested", verdict=answer),
        evidence=said[:MAX_STEP_EVIDENCE],
        leads=context.line(machine.way_text(checklist, step.to, why, context.language)),
    )
