"""accucheck answer and status."""

from __future__ import annotations

import os

import click

from .frame import (
    Argument,
    checklists_option,
    command,
    json_option,
    language,
    notice_of,
    option,
    project_argument,
    project_option,
    require_file,
    say,
    show,
    show_json,
    speak,
    talk_of,
)


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
    from ..errors import UserError
    from ..model import Verdict
    from ..project import open_project

    opened = open_project(Path(project), checklists)
    speak(opened)
    session = opened.session
    assert session is not None
    with session:
        if session.read_only:
            raise UserError("session-locked", holder=session.holder)
        talk_of(session)
        find(opened.checklists, item)
        for text in (note, who, *attach):
            require_utf8(text or "")
        for path in attach:
            require_file(Path(path), path)
        session.answer(item, Verdict(conclusion), note, who)
        for path in attach:
            session.attach(item, opened.case.relative(os.path.abspath(path)))
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

    from ..model import CONCLUSIONS
    from ..project import open_project

    opened = open_project(Path(project), checklists, session="read")
    speak(opened)
    session = opened.session
    assert session is not None
    if session.notice is not None:
        raise notice_of(session)
    stale = {item for item, _ in opened.stale()}
    rows = []
    for item in opened.items:
        entry = session.entry(item.id)
        rows.append(
            {
                "id": item.id,
                "conclusion": entry.conclusion.value if entry.conclusion else None,
                "suggestion": opened.suggestion(item).value,
                "note": entry.note,
                "stale": item.id in stale,
            }
        )
    counts = {c.value: sum(row["conclusion"] == c.value for row in rows) for c in CONCLUSIONS}
    summary = {"done": sum(counts.values()), "total": len(rows), **counts}
    if as_json:
        show_json({"version": 1, "case": opened.case.name, "items": rows, "summary": summary})
        return
    for item, row in zip(opened.items, rows, strict=True):
        text = say(str(row["conclusion"] or "open"))
        if row["conclusion"] is None and (session.entry(item.id).results or row["suggestion"] != "undecided"):
            text += f" ({say('suggested', verdict=say(str(row['suggestion'])))})"
        flag = f" [{say('stale')}]" if row["stale"] else ""
        show(f"{item.id}  {item.title[language()]}: {text}{flag} {row['note']}".rstrip())
    click.echo(say("status-counts", **summary))
