"""What reviewers say, and what changed since an earlier round, as parts of a report."""

from __future__ import annotations

from ..checklist import Checklist
from ..difference import Difference
from ..reviewing import obstacles
from ..session import Entry, Judgement
from . import since as earlier
from .context import Context, moment_text
from .parts import ChangeRow, ReviewPart, SignOffPart, SincePart

MAX_CHANGES = 200  # since an earlier round


def review_part(context: Context, entry: Entry) -> ReviewPart | None:
    review = entry.review
    if review is None:
        return None
    judged = context.say(review.judgement.value)
    return ReviewPart(
        state="outdated" if entry.outdated else review.judgement.value,
        text=context.say("review-outdated", judgement=judged) if entry.outdated else judged,
        by=context.say("by", who=context.who(review.who, 80), when=moment_text(review.when)),
        comment=context.prose(review.comment),
    )


def review_brief(context: Context, entry: Entry) -> str:
    """In a word; an answer that nobody has reviewed waits for it."""
    if entry.review is None:
        return context.say("unreviewed") if entry.conclusion else ""
    said = context.say("outdated" if entry.outdated else entry.review.judgement.value)
    return f"{said} {context.who(entry.review.who, 40)}"


def sign_off_part(context: Context, checklists: list[Checklist]) -> SignOffPart | None:
    signed = context.record.signed
    if signed is None and not any(entry.review for entry in context.record.entries.values()):
        return None
    left = obstacles(context.record, checklists)
    entries = [context.record.entries.get(item.id, Entry()) for each in checklists for item in each.items]
    accepted = sum(entry.conclusion is not None and entry.judgement is Judgement.ACCEPTED for entry in entries)
    lines = [context.say("review-counts", accepted=accepted, returned=len(left.returned), open=len(left.unreviewed))]
    if signed is None:
        return SignOffPart("open", [*lines, context.say("sign-off-none")], [])
    who, when = context.who(signed.who, 80), moment_text(signed.when)
    lines.append(context.say("sign-off-by", who=who, when=when, count=len(signed.items)))
    changed = context.record.unsealed
    if changed:
        lines.append(context.say("sign-off-void", items=context.line(", ".join(changed))))
    return SignOffPart("void" if changed else "valid", lines, context.prose(signed.comment))


def since_part(context: Context, difference: Difference, checklists: list[Checklist]) -> SincePart:
    rows = [
        ChangeRow(
            context.line(row.item, 80),
            row.kind,
            context.say(f"since-{row.kind}"),
            context.line(row.text),
            context.where(row.where),
        )
        for row in earlier.rows(difference, checklists, context.speech)
    ]
    before, after = context.line(difference.before.name, 300), context.line(difference.after.name, 300)
    return SincePart(
        sides=context.say("since-sides", before=before, after=after),
        lines=earlier.overview(difference, context.language),
        rows=rows[:MAX_CHANGES],
        more=max(0, len(rows) - MAX_CHANGES),
    )
