"""accucheck answer, status and summary."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .frame import (
    Argument,
    checklists_option,
    command,
    json_option,
    language,
    option,
    project_argument,
    project_option,
    readable,
    require_file,
    say,
    show,
    show_json,
    speak,
    talk_of,
)

if TYPE_CHECKING:
    from ..guidance import Step
    from ..session import Record


@command(
    "answer",
    lambda: [
        Argument("item", words="item", metavar="ITEM"),
        Argument(
            "conclusion",
            words="conclusion",
            metavar="CONCLUSION",
            type=click.Choice(["problem", "ok", "not_applicable"]),
        ),
        option("--note", words="note", default=None),
        option("--as", "who", words="as", default=None),
        option("--attach", words="attach", multiple=True, metavar="PATH"),
        project_option(),
        checklists_option(),
    ],
)
def answer(
    item: str,
    conclusion: str,
    note: str | None,
    who: str | None,
    attach: tuple[str, ...],
    project: str,
    checklists: tuple[str, ...],
) -> None:
    from pathlib import Path

    from ..case import require_utf8
    from ..checklist import find
    from ..model import Verdict
    from ..project import open_project

    opened = open_project(Path(project), checklists, session="wait")
    speak(opened.case)
    session = opened.session
    assert session is not None
    with session:
        if session.read_only:
            raise session.refusal
        talk_of(session)
        find(opened.checklists, item)
        for text in (note, who, *attach):
            require_utf8(text or "")
        for path in attach:
            require_file(Path(path), path)
        session.answer(item, Verdict(conclusion), note, who)
        for path in attach:
            opened.attach(item, Path(path), who)
    show(say("answered", item=item, conclusion=say(conclusion)))


@command(
    "status",
    lambda: [
        project_argument(),
        json_option(),
        checklists_option(),
    ],
)
def status(project: str, as_json: bool, checklists: tuple[str, ...]) -> None:
    from pathlib import Path

    from .. import guidance
    from ..project import open_project

    opened = open_project(Path(project), checklists, session="read")
    speak(opened.case)
    session = readable(opened)
    late = opened.stale()
    steps = guidance.steps(opened, late)
    told = guidance.status(opened, steps, late, language(), project, checklists)
    if as_json:
        show_json(told)
        return
    rows, summary = told["items"], told["summary"]
    reviewed = session.record.signed is not None or any(row["review"] for row in rows)
    for item, row in zip(opened.items, rows, strict=True):
        entry = session.entry(item.id)
        text = say(str(row["conclusion"] or "open"))
        if row["conclusion"] is None and (entry.results or row["suggestion"] != "undecided"):
            text += say("status-suggested", verdict=say(str(row["suggestion"])))
        flag = f" [{say('stale')}]" if row["stale"] else ""
        by = f" ({entry.who})" if reviewed and entry.who else ""
        title = item.named(str(row["conclusion"] or row["suggestion"]))[language()]
        show(f"{say('status-item', item=item.id, title=title, text=text)}{by}{flag} {row['note']}".rstrip())
        if (agent := entry.agent) is not None:
            data = {"item": " " * len(item.id), "conclusion": say(agent.conclusion.value), "who": agent.who}
            show(say("agent-concluded", **data, note=agent.note).rstrip("：: "))
        if (review := entry.review) is not None:
            judged = say(review.judgement.value)
            state = say("to-review-again", judgement=judged) if entry.outdated else judged
            line = say("reviewed", item=" " * len(item.id), state=state, who=review.who, comment=review.comment)
            show(line.rstrip("：: "))
    click.echo(say("status-counts", **summary))
    if reviewed:
        click.echo(say("status-review", **summary["review"]))
        show(_signed(session.record))
    if headline := guidance.headline(opened, steps, language()):
        click.echo("")
        show(headline)
    _show_steps(steps, project, checklists)


@command(
    "summary",
    lambda: [
        project_argument(),
        checklists_option(),
    ],
)
def summary(project: str, checklists: tuple[str, ...]) -> None:
    from pathlib import Path

    import msgspec

    from .. import guidance
    from ..project import open_project
    from ..report import redact

    opened = open_project(Path(project), checklists, session="read")
    speak(opened.case)
    hide = redact.of(opened.case)
    hide.learn(msgspec.to_builtins(readable(opened).record))
    for line in guidance.summary(opened, language()):
        show(hide(line))


def _show_steps(steps: list[Step], project: str, checklists: tuple[str, ...]) -> None:
    """What to do next, the best first."""
    from ..guidance import SHOWN

    if steps:
        click.echo(f"\n{say('next-steps')}")
    for number, step in enumerate(steps[:SHOWN], start=1):
        item = f"{step.item}  " if step.finding is not None or len(step.items) == 1 else ""
        item += f"{step.place}  " if step.place else ""
        show(f"{number:>2}. {item}{step.what(language())}")
        show(f"    {say('next-why', why=step.why(language()), cost=step.cost(language()))}")
        show(f"    {step.command(project, checklists)}")
    if len(steps) > SHOWN:
        click.echo(say("next-more", count=len(steps) - SHOWN))


def _signed(record: Record) -> str:
    signed = record.signed
    if signed is None:
        return say("unsigned")
    if changed := record.unsealed:
        return say("sign-off-void", who=signed.who, when=signed.when, items=", ".join(changed))
    return say("signed", who=signed.who, when=signed.when, count=len(signed.items))
