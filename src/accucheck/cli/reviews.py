"""accucheck review and sign-off."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .frame import (
    FOUND,
    OK,
    Argument,
    checklists_option,
    command,
    option,
    project_argument,
    project_option,
    say,
    show,
    speak,
    talk,
    talk_of,
)

if TYPE_CHECKING:
    from ..project import Project

#: What is typed, and the Judgement it is; withdraw takes it back.
JUDGEMENTS = {"accept": "accepted", "return": "returned", "withdraw": ""}


@command(
    "review",
    lambda: [
        Argument("item", words="item", metavar="[ITEM]", required=False),
        Argument(
            "judgement",
            words="judgement",
            metavar="[JUDGEMENT]",
            required=False,
            type=click.Choice(list(JUDGEMENTS)),
        ),
        option("--comment", words="comment", default=None),
        option("--as", "who", words="reviewed-by", default=None, metavar="NAME"),
        option("--import", "copy", words="review-import", default=None, metavar="FILE"),
        project_option(),
        checklists_option(),
    ],
)
def review(
    item: str | None,
    judgement: str | None,
    comment: str | None,
    who: str | None,
    copy: str | None,
    project: str,
    checklists: tuple[str, ...],
) -> None:
    from ..case import require_utf8
    from ..checklist import find
    from ..session import Judgement

    if copy is not None:
        if item is not None or comment is not None or who is not None:
            raise click.UsageError(say("import-alone"))
        raise SystemExit(_take(_writable(project, checklists), copy))
    if item is None or judgement is None:
        raise click.UsageError(say("missing-argument", name="JUDGEMENT" if item else "ITEM"))
    opened = _writable(project, checklists)
    session = opened.session
    assert session is not None
    with session:
        find(opened.checklists, item)
        for text in (comment, who):
            require_utf8(text or "")
        if name := JUDGEMENTS[judgement]:
            session.review(item, Judgement(name), comment or "", who)
        else:
            session.withdraw_review(item, who)
    show(say("answered", item=item, conclusion=say(name or "unreviewed")))


@command(
    "sign-off",
    lambda: [
        project_argument(),
        option("--comment", words="comment", default=None),
        option("--as", "who", words="reviewed-by", default=None, metavar="NAME"),
        option("--withdraw", words="sign-off-withdraw", is_flag=True),
        checklists_option(),
    ],
)
def sign_off_(project: str, comment: str | None, who: str | None, withdraw: bool, checklists: tuple[str, ...]) -> None:
    from ..case import require_utf8
    from ..reviewing import sign_off

    opened = _writable(project, checklists)
    session = opened.session
    assert session is not None
    with session:
        for text in (comment, who):
            require_utf8(text or "")
        if withdraw:
            session.withdraw_sign_off(who)
        else:
            sign_off(session, opened.checklists, comment or "", who)
            if late := sorted({item for item, _ in opened.stale()}):
                talk(say("sign-off-stale", items=", ".join(late)))
    signed = session.record.signed
    show(say("signed", who=signed.who, when=signed.when, count=len(signed.items)) if signed else say("unsigned"))


def _writable(path: str, checklists: tuple[str, ...]) -> Project:
    """The project, with a session that can be changed."""
    from pathlib import Path

    from ..project import open_project

    opened = open_project(Path(path), checklists, session="wait")
    speak(opened.case)
    session = opened.session
    assert session is not None
    if session.read_only:
        raise session.refusal
    talk_of(session)
    return opened


def _take(opened: Project, copy: str) -> int:
    """Take the reviews of a copy, and say what came of it; 1 where some of them need a look."""
    from pathlib import Path

    from ..reviewing import take

    session = opened.session
    assert session is not None
    with session:
        taken = take(session, Path(copy))
    show(say("reviews-taken", count=len(taken.taken), items=", ".join(taken.taken) or "–"))
    if taken.withdrawn:
        show(say("reviews-withdrawn", count=len(taken.withdrawn), items=", ".join(taken.withdrawn)))
    if taken.sign_off:
        (talk if taken.sign_off == "kept" else show)(say(f"sign-off-taken-{taken.sign_off}"))
    conflicts = {name: getattr(taken, name) for name in ("outdated", "kept", "unknown")}
    for name, items in conflicts.items():
        if items:
            talk(say(f"reviews-{name}", items=", ".join(items)))
    return FOUND if any(conflicts.values()) or taken.sign_off == "kept" else OK
