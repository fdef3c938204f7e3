"""The review of a session: what stands between it and a sign-off, and the reviews of a copy taken back into the original."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from .checklist import Checklist
from .errors import UserError
from .model import now
from .session import Change, Entry, Judgement, Record, Session, decode, read_alone
from .store import FOLDER


class Obstacles(msgspec.Struct, frozen=True):
    """Items that keep a session from being signed off: without a conclusion, returned, or without a review of the answer as it
    stands."""

    unanswered: list[str]
    returned: list[str]
    unreviewed: list[str]

    def __bool__(self) -> bool:
        return bool(self.unanswered or self.returned or self.unreviewed)


def obstacles(record: Record, checklists: Iterable[Checklist]) -> Obstacles:
    """What is open of the items of these checklists."""
    entries = {item.id: record.entries.get(item.id, Entry()) for each in checklists for item in each.items}
    answered = {name: entry for name, entry in entries.items() if entry.conclusion is not None}
    return Obstacles(
        unanswered=[name for name in entries if name not in answered],
        returned=[name for name, entry in answered.items() if entry.judgement is Judgement.RETURNED],
        unreviewed=[name for name, entry in answered.items() if entry.judgement is None],
    )


def sign_off(session: Session, checklists: list[Checklist], comment: str, who: str | None) -> None:
    """Sign the items of these checklists. Raises UserError with what is open."""
    if left := obstacles(session.record, checklists):
        known = (("sign-off-unanswered", left.unanswered), ("sign-off-returned", left.returned))
        named = [*known, ("sign-off-unreviewed", left.unreviewed)]
        reasons = [UserError(code, count=len(items), items=", ".join(items)) for code, items in named if items]
        raise UserError("sign-off-open", reasons=reasons)
    items = [item.id for each in checklists for item in each.items]
    session.sign_off({each.name: each.version for each in checklists}, items, comment, who)


class Taken(msgspec.Struct, frozen=True):
    """What came of taking reviews back. `taken` are new here; of these `outdated` judged an answer or findings that are others by
    now. `kept`: the review here is newer. `unknown`: the item has no answer here. `signed`: the sign-off was taken too."""

    taken: list[str]
    outdated: list[str]
    kept: list[str]
    unknown: list[str]
    signed: bool


def take(session: Session, path: Path) -> Taken:
    """The reviews and the sign-off of a copy of this session, and nothing else of it; saved as one change.

    `path` is a session file, or the folder of a project. Raises UserError when it is none, and SaveError.
    """
    if session.read_only:
        raise session.refusal
    file = path / FOLDER / "session.json" if path.is_dir() else path
    other = decode(read_alone(file), file)
    taken, outdated, kept, unknown = [], [], [], []
    saving, session.autosave = session.autosave, False
    try:
        for item, entry in other.entries.items():
            mine, review = session.entry(item), entry.review
            if review is None or review == mine.review:
                continue
            if mine.conclusion is None:
                unknown.append(item)
            elif mine.review is not None and mine.review.when > review.when:
                kept.append(item)
            else:
                session.adopt(item, review, Change(now(), review.who, review.judgement.value, note=review.comment))
                taken.append(item)
                if session.entry(item).outdated:
                    outdated.append(item)
        signed, own = other.signed, session.record.signed
        newer = signed is not None and signed != own and (own is None or own.when <= signed.when)
        if signed is not None and newer:
            session.adopt_sign_off(signed, Change(now(), signed.who, "signed", note=signed.comment))
    finally:
        session.autosave = saving
    if session.unsaved:
        session.save()
    return Taken(taken, outdated, kept, unknown, newer)
