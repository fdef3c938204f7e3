"""Session -> Report: everything a report says, in one language, as plain nested data. Writers only format it.

Untrusted text is made visible here and home folders are shown as ~; what remains for a writer is the markup of its format.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import msgspec

from .. import __version__, study_results, try_results
from ..case import FILE_NAME, Case
from ..checklist import Checklist
from ..difference import Difference
from ..model import Language, Verdict, moment_of, now
from ..path import walk
from ..session import Record
from . import background, front, machine, redact
from . import environment as environments
from .context import MAX_CELL, Context, moment_text
from .items import gaps_of, item_part, told_once
from .parts import ChecklistPart, Counts, Report, SectionPart
from .paths import path_part
from .ranking import Ranking
from .redact import Redactor
from .reviews import sign_off_part, since_part

MAX_NOT_CHECKED = 200


def build(
    session_record: Record,
    checklists: list[Checklist],
    case: Case,
    language: Language,
    environment: dict[str, Any] | None = None,
    stale: Collection[tuple[str, str]] = frozenset(),
    generated: str | None = None,
    inputs: list[dict[str, Any]] | None = None,
    hide: Redactor | None = None,
    since: Difference | None = None,
) -> Report:
    """The report of a session. `environment` is of environment.collect(), `inputs` of inputs.collect(); `stale` holds (item id,
    probe) of results whose inputs have changed; `generated` is an ISO 8601 moment, by default the present one; `hide` replaces
    private data, by default as redact.of() knows it; `since` is what changed from an earlier round to this session."""
    if hide is None:
        hide = redact.of(case)
        hide.learn(msgspec.to_builtins(session_record))
    return _report(
        Context(session_record, case, language, stale, hide),
        checklists,
        environment,
        generated or now(),
        inputs or [],
        since,
    )


def _report(
    context: Context,
    checklists: list[Checklist],
    environment: dict[str, Any] | None,
    generated: str,
    inputs: list[dict[str, Any]],
    since: Difference | None,
) -> Report:
    moment = moment_of(generated)
    parts = [
        ChecklistPart(
            checklist.name,
            checklist.version,
            context.line(checklist.title[context.language]),
            [
                SectionPart(
                    id=context.line(section.id, 80),
                    title=context.line(section.title[context.language]),
                    items=[item_part(context, item) for item in section.items],
                )
                for section in checklist.sections
            ],
        )
        for checklist in checklists
    ]
    items = [item for part in parts for section in part.sections for item in section.items]
    states = Counter(item.state.value for item in items)
    counts = Counts(
        states={verdict.value: states[verdict.value] for verdict in Verdict},
        open=sum(item.conclusion is None for item in items),
        unchecked=sum(not item.checked for item in items),
    )
    gaps = told_once(gap for checklist in checklists for item in checklist.items for gap in gaps_of(context, item))
    ranking = Ranking(context.record, context.case, [item for checklist in checklists for item in checklist.items])
    verdict = front.verdict_part(context, items, ranking)
    grade = front.grade_part(context, checklists)
    result = {
        **machine.result_json(context.record, checklists, context.case, context.language),
        "verdict": msgspec.to_builtins(verdict),
        "grade": msgspec.to_builtins(grade),
        "environment": environment,
        "inputs": inputs,
        **({"tried": try_results.as_json(context.record.tried, context.language)} if context.record.tried else {}),
        **({"tuned": study_results.as_json(context.record.tuned, context.language)} if context.record.tuned else {}),
    }
    changed = background.configuration(context)
    return Report(
        languages=(context.language,),
        title=context.say("title"),
        case=context.line(context.case.name, MAX_CELL),
        generated=moment_text(generated),
        moment=moment,
        tool=f"accucheck {__version__}",
        checklists=parts,
        counts=counts,
        overview=front.overview(context, counts, len(items)),
        verdict=verdict,
        order=ranking.order(),
        grade=grade,
        paths=[
            path_part(context, path, {item.id: item for item in items})
            for checklist in checklists
            if (path := walk(checklist, context.record, context.case))
        ],
        environment=[(label, context.line(value)) for label, value in environments.rows(environment, context.language)]
        if environment
        else [],
        asked=background.asked(context, changed),
        changes=background.change_table(context, changed) if isinstance(changed, list) else None,
        inputs=background.input_table(context, inputs),
        reproduce=background.steps_to_reproduce(context, checklists, environment or {}, inputs),
        versions=background.versions(context, checklists),
        gaps=gaps[:MAX_NOT_CHECKED],
        more_gaps=max(0, len(gaps) - MAX_NOT_CHECKED),
        within="" if context.case.alone else context.line(_within_repository(Path(context.case.root))),
        anchor=_anchor(context),
        result=_hidden(context, result),
        sign_off=sign_off_part(context, checklists),
        since=since_part(context, since, checklists) if since is not None else None,
        tried=background.tried_part(context),
        tuned=background.tuned_part(context),
        private=_private(context),  # the last: it counts what the others hide
    )


def _anchor(context: Context) -> str:
    """The case file, else the first script of the project."""
    if context.case.alone:
        return ""
    scripts = [context.case.relative(path) for path in context.case.paths("scripts.train")]
    files = [FILE_NAME, *(path for path in scripts if not Path(path).is_absolute())]
    there = (path for path in files if os.path.isfile(Path(context.case.root, path)))  # noqa: PTH113 - a name may be too long
    return next(map(context.line, there), "")


def _private(context: Context) -> str:
    count = context.hide.distinct.total()
    key = "private-shown" if not context.hide.on else "private-hidden" if count else "private-none"
    return context.say(key, count=count)


def _hidden(context: Context, result: dict[str, Any]) -> dict[str, Any]:
    """The result without what is to be hidden; a diff that this changed is marked, as it no longer applies."""
    hidden: dict[str, Any] = context.hide.within(result)
    for before, after in zip(_findings(result), _findings(hidden), strict=True):
        if before["fix"] and before["fix"]["diff"] != after["fix"]["diff"]:
            after["fix"]["redacted"] = True
    return hidden


def _findings(result: dict[str, Any]) -> Iterator[dict[str, Any]]:
    return (found for item in result["items"] for each in item["results"] for found in each["findings"])


def _within_repository(root: Path) -> str:
    for folder in (root, *root.parents):
        if (folder / ".git").exists():
            inside = root.relative_to(folder).as_posix()
            return "" if inside == "." else f"{inside}/"
    return ""
