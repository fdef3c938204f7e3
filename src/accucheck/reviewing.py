"""The review of a session: what stands between it and a sign-off, and the reviews of a copy taken back into the original."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from .checklist import Checklist
from .errors import UserError
from .session import FILE_NAME, Change, Entry, Judgement, Record, Session, decode, read_alone
from .store import FOLDER


class SignOffObstacles(msgspec.Struct, frozen=True):
    """Items that keep a session from being signed off: without a conclusion, returned, or without a review of the answer as it
    stands."""

    unanswered: list[str]
    returned: list[str]
    unreviewed: list[str]

    def __bool__(self) -> bool:
        return bool(self.unanswered or self.returned or self.unreviewed)


def obstacles(record: Record, checklists: Iterable[Checklist]) -> SignOffObstacles:
    """What is open of the items of these checklists."""
    entries = {item.id: record.entries.get(item.id, Entry()) for each in checklists for item in each.items}
    answered = {name: entry for name, entry in entries.items() if entry.conclusion is not None}
    return SignOffObstacles(
        unanswered=[name for name in entries if name not in answered],
        returned=[name for name, entry in answered.items() if entry.judgement is Judgement.RETURNED],
        unreviewed=[name for name, entry in answered.items() if entry.judgement is None],
    )


def sign_off(session: Session, checklists: list[Checklist], comment: str, who: str | None) -> None:
    """Sign the items of these checklists. Raises UserError with what is open."""
    if left := obstacles(session.record, checklists):
        known = (("sign-off-unanswered", left.unanswered), ("sign-off-returned", left.returned))
        named = [*known, ("sign-off-unreviewed", left.unreviewed)]
        reasons = [UserError(code, count=len(items), items=items) for code, items in named if items]
        raise UserError("sign-off-open", reasons=reasons)
    items = [item.id for each in checklists for item in each.items]
    session.sign_off({each.name: each.version for each in checklists}, items, comment, who)


class ImportedReviews(msgspec.Struct, frozen=True):
    """What came of taking reviews back. `taken` are new here; of these `outdated` judged an answer or findings that are others by
    now. `withdrawn`: reviews that are no more. `kept`: what was said here is newer. `unknown`: the answer was never given here.
    `sign_off` is signed, unsigned, kept, or empty where the copy brings nothing new."""

    taken: list[str] = []
    outdated: list[str] = []
    withdrawn: list[str] = []
    kept: list[str] = []
    unknown: list[str] = []
    sign_off: str = ""


def take(session: Session, path: Path) -> ImportedReviews:
    """The reviews and the sign-off of a copy of this session, and nothing else of it; saved as one change.

    `path` is a session file, or the folder of a project. Raises UserError when it is none, or none of this one, and SaveError.
    """
    if session.read_only:
        raise session.refusal
    file = path / FOLDER / FILE_NAME if path.is_dir() else path
    other = decode(read_alone(file), file)
    if not any(step in session.entry(item).history for item, entry in other.entries.items() for step in entry.history):
        raise UserError("not-a-copy", path=str(file))
    taken = ImportedReviews()
    saving, session.autosave = session.autosave, False
    try:
        for item, entry in other.entries.items():
            _take(session, item, entry, taken)
        sign_off = _take_sign_off(session, other)
    finally:
        session.autosave = saving
    if session.unsaved:
        session.save()
    return msgspec.structs.replace(taken, sign_off=sign_off)


def _take(session: Session, item: str, theirs: Entry, taken: ImportedReviews) -> None:
    """What a copy says of an item, unless it is known here or older than what is."""
    mine, said = session.entry(item), _last(theirs.history, _REVIEWS)
    if said is None or said in mine.history:
        return
    answer, known = _last(theirs.history, _ANSWERS), _last(mine.history, _REVIEWS)
    if mine.conclusion is None or answer not in mine.history:
        taken.unknown.append(item)
    elif known is not None and known.when > said.when:
        taken.kept.append(item)
    else:
        session.adopt(item, theirs.review, said)
        (taken.taken if theirs.review is not None else taken.withdrawn).append(item)
        if session.entry(item).outdated:
            taken.outdated.append(item)


def _take_sign_off(session: Session, other: Record) -> str:
    """The same for the sign-off; what came of it."""
    said, known = (_last(record.history, _SIGN_OFFS) for record in (other, session.record))
    if said is None or said in session.record.history:
        return ""
    if known is not None and known.when > said.when:
        return "kept"
    session.adopt_sign_off(other.signed, said)
    return "signed" if other.signed is not None else "unsigned"


_ANSWERS = ("concluded",)
_REVIEWS = ("accepted", "returned", "unreviewed")
_SIGN_OFFS = ("signed", "unsigned")


def _last(history: list[Change], kinds: tuple[str, ...]) -> Change | None:
    """The last step of these kinds."""
    return next((step for step in reversed(history) if step.what in kinds), None)
