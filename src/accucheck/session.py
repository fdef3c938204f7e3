"""The answers and probe results of one project, in .accucheck/session.json: saved at once, atomically, by one writer."""

from __future__ import annotations

import errno
import os
import socket
import stat
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime, timezone
from enum import Enum
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import IO, Any

import msgspec

from . import __version__, system
from .checklist import Item
from .errors import ReadError, SaveError, UserError, from_os_error
from .model import CONCLUSIONS, ProbeResult, Status, Verdict, combine, now, suspected, too_deep, weigh
from .store import FOLDER, atomically, is_at, open_own, require_own, sweep
from .study_results import StudyResults
from .try_results import TryResults

VERSION = 2
FILE_NAME = "session.json"
#: Bytes of a session file, which may come from a stranger.
MAX_ALONE = 256 << 20
#: Bytes of an attached file that is copied.
MAX_ATTACHMENT = 10 << 20
#: Seconds that a command waits for one holder of the lock, for one who has not said yet who it is, and for all together.
MOMENT, UNNAMED, A_WHILE = 2.0, 0.2, 30.0
#: Characters of a note or a comment; each step of the history keeps its own.
MAX_NOTE = 100_000


class Role(str, Enum):
    """Who is at the keyboard: the one who examines the model, or the one who looks over the answers. No protection: whoever can
    write the folder can write the file."""

    AUTHOR = "author"
    REVIEWER = "reviewer"


class Judgement(str, Enum):
    """What a reviewer says of an answer. A returned one is its author's again."""

    ACCEPTED = "accepted"
    RETURNED = "returned"


class Training(str, Enum):
    """Whether the training runs to its end with the loss printed, as a person said: the checklist takes that for granted."""

    RUNS = "training-runs"
    FAILS = "training-fails"
    UNSURE = "training-unsure"


class Change(msgspec.Struct, frozen=True):
    """One step of an item's history. `what` is concluded, withdrawn, noted, attached or ran; of a program agent-concluded; of a
    reviewer accepted, returned or unreviewed; of the whole signed or unsigned, or a Training."""

    when: str
    who: str
    what: str
    conclusion: Verdict | None = None
    note: str = ""
    probe: str = ""
    suggestion: Verdict | None = None


class Review(msgspec.Struct, frozen=True):
    """A reviewer's judgement of one answer; `of` is the `mark` of the entry that was judged."""

    judgement: Judgement
    comment: str
    who: str
    when: str
    of: str


class AgentConclusion(msgspec.Struct, frozen=True):
    """What a program that works for a person concluded of an item: `who` is the program's own name. It stands beside a person's conclusion
    and never in its place: nothing that counts, suppresses or signs conclusions knows of it."""

    conclusion: Verdict
    note: str
    who: str
    when: str


class Entry(msgspec.Struct, frozen=True, dict=True):
    """What is known of one item. `when` and `who` belong to the conclusion, which is a person's; `agent` is what a program concluded.
    What follows from it is worked out once: screens ask for it at each key."""

    conclusion: Verdict | None = None
    note: str = ""
    who: str = ""
    when: str = ""
    attachments: list[str] = []
    results: dict[str, ProbeResult] = {}
    history: list[Change] = []
    review: Review | None = None
    agent: AgentConclusion | None = None

    @cached_property
    def suggestion(self) -> Verdict:
        return combine(self.results.values())

    @cached_property
    def weighed(self) -> dict[str, ProbeResult]:
        """The results with what contradicts their findings, as everything that shows them has it."""
        return dict(zip(self.results, weigh(self.results.values()), strict=True))

    @cached_property
    def suspected(self) -> bool:
        """Whether a problem or a suspect stands that nothing contradicts."""
        return suspected(self.results.values())

    @cached_property
    def mark(self) -> str:
        """A digest of what a review rests on: the answer and what was found, without numbers, lines and durations, which differ from
        run to run."""
        found = sorted(
            (
                result.probe,
                result.status.value,
                result.suggestion.value,
                sorted(
                    (finding.code, finding.level.value, *(text or "" for text in (where.path, where.name, where.field)))
                    for finding in result.findings
                    for where in (finding.where,)
                ),
            )
            for result in self.results.values()
            if result.status is not Status.SKIPPED
        )
        conclusion = self.conclusion.value if self.conclusion else None
        return _digest([conclusion, self.note, self.who, self.when, self.attachments, found])

    @property
    def judgement(self) -> Judgement | None:
        """What the review says of the entry as it stands; None where there is none, or what it judged has changed since."""
        review = self.review
        return review.judgement if review is not None and review.of == self.mark else None

    @property
    def outdated(self) -> bool:
        """Whether there is a review, of an answer or of findings that have changed since."""
        return self.review is not None and self.judgement is None


class SignOff(msgspec.Struct, frozen=True):
    """A reviewer's name under the whole: `checklists` with their versions, and the `seal` of each of their items."""

    who: str
    when: str
    comment: str
    checklists: dict[str, int]
    items: dict[str, str]


class Record(msgspec.Struct, frozen=True):
    """The file. `checklists` maps each checklist used to its version; `history` is of the whole; `tried` is what came of
    training with the changes of findings, `tuned` what came of a search for hyper-parameters; `settings` are what the command line of
    the last run said (KEY=VALUE) where no case file does."""

    version: int = VERSION
    tool: str = __version__
    case: str = ""
    checklists: dict[str, int] = {}
    entries: dict[str, Entry] = {}
    signed: SignOff | None = None
    history: list[Change] = []
    tried: TryResults | None = None
    tuned: StudyResults | None = None
    settings: list[str] = []

    @property
    def unsealed(self) -> list[str]:
        """The items that have changed since the sign-off, which is then void."""
        sealed = self.signed.items.items() if self.signed is not None else ()
        return [item for item, known in sealed if seal(self.entries.get(item, Entry())) != known]

    @property
    def training(self) -> Training | None:
        """What was said last of the training; None where nobody was asked."""
        answers = {answer.value: answer for answer in Training}
        return next((answers[step.what] for step in reversed(self.history) if step.what in answers), None)

    @property
    def unreviewed(self) -> Record:
        """The same without reviews and sign-off."""
        entries = {item: msgspec.structs.replace(entry, review=None) for item, entry in self.entries.items()}
        return msgspec.structs.replace(self, entries=entries, signed=None)


#: From an older version to the next: {version: data -> data}. Applied in turn until VERSION.
#: 2: reviews and sign-off. Nothing is to be changed, but a reader of version 1 would drop them.
MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {1: lambda data: {**data, "version": 2}}


def seal(entry: Entry) -> str:
    """A digest of an answer, its evidence and its review."""
    review = entry.review
    said = [review.judgement.value, review.comment, review.who, review.of] if review is not None else []
    return _digest([entry.mark, said])


def _digest(value: Any) -> str:
    import hashlib
    import json

    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:16]


def suggestion(item: Item, entry: Entry, facts: dict[str, bool | None]) -> Verdict:
    """What an item's probes suggest together; not applicable when nothing ran and the case rules the item out."""
    ran = any(result.status is not Status.SKIPPED for result in entry.results.values())
    return entry.suggestion if ran or item.applicable(facts) else Verdict.NOT_APPLICABLE


def user() -> str:
    """Who is at the keyboard, as the system knows it."""
    import getpass

    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):  # ImportError: a system without users by number
        return str(os.getuid()) if hasattr(os, "getuid") else "?"


class Session:
    """One project's record, and the right to change it.

    Every change is saved before it returns, unless `autosave` is off (a screen that must not wait for the disk calls
    save() from a thread). When saving fails, SaveError is raised and the record in memory keeps the change, so that a
    later save can still store it. A second opener is `read_only`, with `holder` naming the first. Safe to use from
    several threads.
    """

    def __init__(
        self, path: Path, record: Record, lock: IO[str] | None, holder: str = "", notice: UserError | None = None
    ):
        self.path = path
        self.record = record
        self.holder = holder
        self.notice = notice
        self.unsaved = False
        self.autosave = True
        self._lock = lock
        self._seen = _identity(path)
        self._changing = threading.Lock()
        self._saving = threading.Lock()
        self._written: _Written = {}

    @property
    def folder(self) -> Path:
        return self.path.parent

    @property
    def drafts(self) -> Path:
        """Where text that is not ended yet is kept beside this session."""
        own = self.path.name == FILE_NAME and self.folder.name == FOLDER
        return self.path.with_name("drafts.json" if own else f".{self.path.name}.drafts.json")

    @property
    def read_only(self) -> bool:
        return self._lock is None

    @property
    def refusal(self) -> UserError:
        """Why a read-only session cannot be changed."""
        if self.holder:
            return UserError("session-locked", holder=self.holder)
        return self.notice or UserError("session-read-only")

    def entry(self, item: str) -> Entry:
        return self.record.entries.get(item, Entry())

    # --- changes ------------------------------------------------------------------------------------------------------

    def answer(self, item: str, conclusion: Verdict, note: str | None = None, who: str | None = None) -> None:
        """Conclude an item; `note` None keeps the note that stands. Raises UserError for a note that is longer than MAX_NOTE."""
        if conclusion not in CONCLUSIONS:
            raise ValueError(conclusion)
        old = self.entry(item)
        text = old.note if note is None else _bounded(note)
        name, moment = who or user(), _after(old.when)
        change = Change(moment, name, "concluded", conclusion=conclusion, note=text)
        self._change(item, change, conclusion=conclusion, note=text, who=name, when=moment)

    def answer_as_agent(self, item: str, conclusion: Verdict, note: str, who: str) -> None:
        """Keep what a program, `who`, concluded of an item, beside what a person did. Raises UserError for a note that is longer than
        MAX_NOTE."""
        if conclusion not in CONCLUSIONS:
            raise ValueError(conclusion)
        told = AgentConclusion(conclusion, _bounded(note), who, now())
        change = Change(told.when, who, "agent-concluded", conclusion=conclusion, note=told.note)
        self._change(item, change, agent=told)

    def withdraw(self, item: str, who: str | None = None) -> None:
        """Take a conclusion back; the note stays."""
        self._change(item, Change(now(), who or user(), "withdrawn"), conclusion=None, who="", when="")

    def annotate(self, item: str, note: str, who: str | None = None) -> None:
        """Replace the note of an item. Raises UserError for one that is longer than MAX_NOTE."""
        self._change(item, Change(now(), who or user(), "noted", note=_bounded(note)), note=note)

    def attach(self, item: str, path: str, who: str | None = None) -> None:
        paths = self.entry(item).attachments
        if path not in paths:
            self._change(item, Change(now(), who or user(), "attached", note=path), attachments=[*paths, path])

    def review(self, item: str, judgement: Judgement, comment: str = "", who: str | None = None) -> None:
        """A reviewer's judgement of an item's answer as it stands.

        Raises UserError where nothing is concluded, where the reviewer concluded it, and where it is returned without a word.
        """
        entry, name, text = self.entry(item), who or user(), _bounded(comment.strip())
        if entry.conclusion is None:
            raise UserError("review-unanswered", item=item)
        if name.strip().casefold() == entry.who.strip().casefold():
            raise UserError("review-own", item=item, who=name)
        if judgement is Judgement.RETURNED and not text:
            raise UserError("return-without-comment", item=item)
        moment = now()
        review = Review(judgement, text, name, moment, entry.mark)
        change = Change(moment, name, judgement.value, conclusion=entry.conclusion, note=text)
        self._change(item, change, review=review)

    def withdraw_review(self, item: str, who: str | None = None) -> None:
        """Take the review of an item back. Raises UserError where there is none."""
        if self.entry(item).review is None:
            raise UserError("review-none", item=item)
        self._change(item, Change(now(), who or user(), "unreviewed"), review=None)

    def sign_off(
        self, checklists: dict[str, int], items: Iterable[str], comment: str = "", who: str | None = None
    ) -> None:
        """Put a name under these items as they stand; whoever calls has made sure that nothing is open. Raises UserError for a comment
        that is longer than MAX_NOTE."""
        moment, name, text = now(), who or user(), _bounded(comment.strip())
        sealed = {item: seal(self.entry(item)) for item in items}
        self._sign(SignOff(name, moment, text, checklists, sealed), Change(moment, name, "signed", note=text))

    def withdraw_sign_off(self, who: str | None = None) -> None:
        """Take the sign-off back. Raises UserError where there is none."""
        if self.record.signed is None:
            raise UserError("sign-off-none")
        self._sign(None, Change(now(), who or user(), "unsigned"))

    def tell_training(self, answer: Training, who: str | None = None) -> None:
        """Keep whether the training runs to its end."""
        self._sign(self.record.signed, Change(now(), who or user(), answer.value))

    def keep_tried(self, tried: TryResults) -> None:
        """Keep what came of training with the changes of findings."""
        self._keep(tried=tried)

    def keep_tuned(self, tuned: StudyResults) -> None:
        """Keep what came of a search for hyper-parameters."""
        self._keep(tuned=tuned)

    def _keep(self, **parts: TryResults | StudyResults) -> None:
        if self.read_only:
            raise self.refusal
        with self._changing:
            self.record = msgspec.structs.replace(self.record, **parts)
            self.unsaved = True
        if self.autosave:
            self.save()

    def adopt(self, item: str, review: Review | None, change: Change) -> None:
        """Take a review, or that it was withdrawn, with its step of the history, from another copy of this session."""
        self._change(item, change, review=review)

    def adopt_sign_off(self, signed: SignOff | None, change: Change) -> None:
        """The same for the sign-off."""
        self._sign(signed, change)

    def _sign(self, signed: SignOff | None, change: Change) -> None:
        if self.read_only:
            raise self.refusal
        with self._changing:
            history = [*self.record.history, change]
            self.record = msgspec.structs.replace(self.record, signed=signed, history=history)
            self.unsaved = True
        if self.autosave:
            self.save()

    def restore(self, item: str, entry: Entry, who: str | None = None) -> None:
        """Undo: put conclusion, note, attachments and review of `entry` back; results and history stay."""
        old = self.entry(item)
        if entry.review != old.review:
            what = entry.review.judgement.value if entry.review else "unreviewed"
            note = entry.review.comment if entry.review else ""
        else:
            what = "noted" if entry.conclusion is old.conclusion else "concluded" if entry.conclusion else "withdrawn"
            note = entry.note
        change = Change(now(), who or user(), what, conclusion=entry.conclusion, note=note)
        self._change(
            item,
            change,
            conclusion=entry.conclusion,
            note=entry.note,
            who=entry.who,
            when=entry.when,
            attachments=entry.attachments,
            review=entry.review,
        )

    def record_result(self, item: str, result: ProbeResult) -> None:
        """Keep a result; of a read-only session in memory only, so that it can be looked at."""
        change = Change(now(), user(), "ran", probe=result.probe, suggestion=result.suggestion)
        if self.read_only:
            self._apply(item, change, result, {})
        else:
            self._change(item, change, result=result)

    def describe(self, case: str, checklists: dict[str, int]) -> None:
        """Note which case and checklists this session is about; saved with the next change."""
        self.record = msgspec.structs.replace(
            self.record, case=case, tool=__version__, checklists={**self.record.checklists, **checklists}
        )

    def keep_settings(self, settings: Sequence[str]) -> None:
        """Note what the command line says of the case where no file does, so that what is found is not taken for out of date by commands
        that do not say it again; saved with the next change."""
        self.record = msgspec.structs.replace(self.record, settings=list(settings))

    def _change(self, item: str, change: Change, result: ProbeResult | None = None, **values: Any) -> None:
        if self.read_only:
            raise self.refusal
        self._apply(item, change, result, values)
        if self.autosave:
            self.save()

    def _apply(self, item: str, change: Change, result: ProbeResult | None, values: dict[str, Any]) -> None:
        with self._changing:
            old = self.entry(item)
            if result is not None:
                values["results"] = {**old.results, result.probe: result}
            entry = msgspec.structs.replace(old, history=[*old.history, change], **values)
            self.record = msgspec.structs.replace(self.record, entries={**self.record.entries, item: entry})
            self.unsaved = True

    def save(self) -> None:
        """Store the record. A file that another program has put there meanwhile is kept aside, as `notice` then says.

        Raises SaveError, also when the session's folder was removed and another program has begun a session there since.
        """
        if self.read_only:
            raise self.refusal
        with self._saving:
            record = self.record
            self._lock_again()
            self._keep_aside()
            with self._before() as before, atomically(self.path) as stream:
                writer = _Writer(stream, before, self._written)
                writer.put(record)
                stream.flush()
                seen = _mark_of(os.fstat(stream.fileno()))  # once it has its name it may be another program's
            self._seen, self._written = seen, writer.written
            with self._changing:
                self.unsaved = self.record is not record

    @contextmanager
    def _before(self) -> Iterator[int | None]:
        """The file that the last save has written, open; None where it is gone or another one."""
        try:
            file = os.open(self.path, system.READ)
        except OSError:
            yield None
            return
        try:
            yield file if _mark_of(os.fstat(file)) == self._seen else None
        finally:
            os.close(file)

    def rescue(self) -> Path:
        """Store the record in some other place, when its own is gone or full, and return the path. Raises SaveError."""
        content = msgspec.json.format(msgspec.json.encode(self.record), indent=1)
        error = SaveError("not-found", path=str(self.path))
        for folder in (os.path.expanduser("~"), "/var/tmp", "/tmp", "/dev/shm"):  # noqa: S108 (mkstemp makes it safe)
            try:
                descriptor, name = tempfile.mkstemp(".json", "accucheck-session-", folder)
                with os.fdopen(descriptor, "wb") as stream:
                    stream.write(content)
                return Path(name)
            except OSError as problem:
                error = from_os_error(problem, folder, SaveError)  # type: ignore[assignment]
        raise error

    def _lock_again(self) -> None:
        """Take the lock once more where its file was removed under us: it protects nothing any longer."""
        assert self._lock is not None
        path = Path(self._lock.name)
        if not is_at(self._lock, path):
            lock, holder = _lock(path)
            if lock is None:
                raise SaveError("session-taken", path=str(self.path), holder=holder)
            self._lock.close()
            self._lock = lock

    def _keep_aside(self) -> None:
        """Give a session file that is not the one we know another name."""
        if _identity(self.path) in (None, self._seen):
            return
        aside = _free(self.path, "changed")
        try:
            os.link(self.path, aside)
        except OSError:  # a file system without hard links
            self.path.replace(aside)
        self.notice = UserError("session-changed", path=str(self.path), aside=str(aside))

    def close(self) -> None:
        """Give the lock back. Idempotent."""
        lock, self._lock = self._lock, None
        _release(lock)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _bounded(note: str) -> str:
    if len(note) > MAX_NOTE:
        raise UserError("note-too-long", length=len(note), limit=MAX_NOTE)
    return note


def _after(moment: str) -> str:
    """The present moment; to the microsecond where it would be the same as `moment`: two answers of one second are two."""
    present = now()
    return present if present != moment else datetime.now(timezone.utc).isoformat()


class _Stored(Record, frozen=True, kw_only=True):
    """A file that may lack its version, and does not lack its entries: without them it is a damaged one, and not one that is empty."""

    version: int = 0
    entries: dict[str, Entry]


#: Where the JSON of results begins in the file of a save, and its bytes; by id.
_Written = dict[int, tuple[ProbeResult, int, int]]


class _Writer:
    """Writes a record as JSON in small pieces, so that a screen never waits for all of it; a finding or a step of the history a line.

    before: the file of the last save, open, or None; known: what that has `written`. A result never changes: one that is there
    already is copied.
    """

    def __init__(self, stream: IO[bytes], before: int | None, known: _Written) -> None:
        self._stream, self._before, self._known = stream, before, known if before is not None else {}
        self.written: _Written = {}

    def put(self, value: Any, margin: str = "\n") -> None:
        if not value or not isinstance(value, (Record, Entry, ProbeResult, dict, list)):
            self._stream.write(msgspec.json.encode(value))
        elif isinstance(value, list):
            for number, each in enumerate(value):
                self._stream.write(f"{',' if number else '['}{margin} ".encode())
                self.put(each, f"{margin} ")
            self._stream.write(f"{margin}]".encode())
        elif isinstance(value, ProbeResult):
            begin = self._stream.tell()
            _, place, size = self._known.get(id(value), (None, 0, 0))
            if self._before is not None and size and len(copied := system.pread(self._before, size, place)) == size:
                self._stream.write(copied)
            else:
                self._put_fields(msgspec.structs.asdict(value), margin)
            self.written[id(value)] = value, begin, self._stream.tell() - begin
        else:
            self._put_fields(value if isinstance(value, dict) else msgspec.structs.asdict(value), margin)

    def _put_fields(self, fields: dict[str, Any], margin: str) -> None:
        for number, (name, each) in enumerate(fields.items()):
            self._stream.write(f"{',' if number else '{'}{margin} ".encode() + msgspec.json.encode(name) + b": ")
            self.put(each, f"{margin} ")
        self._stream.write(f"{margin}}}".encode())


@contextmanager
def _uncollected() -> Iterator[None]:
    """Many records are made, and none of them is garbage: looking for it time and again would take most of the time."""
    import gc

    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _decoded(content: bytes, path: Path) -> Record:
    """The record of a file's content. Raises UserError for one of a newer accucheck, ValueError for what is no session."""
    try:
        with _uncollected():
            record = _converted(content, path)
        results = [result for entry in record.entries.values() for result in entry.results.values()]
        measured = [finding.data for result in results for finding in result.findings]
        measured += [result.reason.data for result in results if result.reason is not None]
        if any(map(too_deep, measured)):
            raise msgspec.ValidationError("data nested too deep")
        entries = record.entries.values()
        concluded = [entry.conclusion for entry in entries] + [
            entry.agent.conclusion for entry in entries if entry.agent
        ]
        if any(conclusion not in (None, *CONCLUSIONS) for conclusion in concluded):
            raise msgspec.ValidationError("what nobody can conclude")
        return record
    except (msgspec.MsgspecError, KeyError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(str(error)[:300]) from None


def _converted(content: bytes, path: Path) -> Record:
    """The record, whatever the version; at once where it is ours."""
    with suppress(msgspec.ValidationError):
        stored = msgspec.json.decode(content, type=_Stored)
        if stored.version == VERSION:
            return Record(**msgspec.structs.asdict(stored))
    data = msgspec.json.decode(content)
    version = data["version"] if isinstance(data, dict) else None
    if not isinstance(version, int):
        raise msgspec.ValidationError("no version")
    if version > VERSION:
        raise UserError("session-newer", path=str(path), found=version, limit=VERSION)
    while version < VERSION:
        data = MIGRATIONS[version](data)
        version = data["version"]
    return Record(**msgspec.structs.asdict(msgspec.convert(data, _Stored)))


def _read(path: Path) -> tuple[Record, UserError | None]:
    """The record of a project's session; a corrupt file is to be kept aside, as the returned notice says."""
    try:
        content = read_alone(path)
    except ReadError as error:
        if error.code == "not-found":
            return Record(), None
        raise
    try:
        return _decoded(content, path), None
    except ValueError as error:
        aside = _free(path, "corrupt")
        return Record(), UserError("session-corrupt", path=str(path), aside=str(aside), problem=str(error))


def _free(path: Path, why: str) -> Path:
    """A name for what is put aside that no file has yet."""
    stamp = f"{datetime.now(timezone.utc):%Y%m%dT%H%M%S}"
    names = (path.with_name(f"session.{why}-{stamp}-{number}.json") for number in count(1))
    return next(name for name in names if not name.exists())


def _identity(path: Path) -> tuple[int, int, int] | None:
    """What tells one content of a file from another: inode, size, time."""
    try:
        return _mark_of(path.stat())
    except OSError:
        return None


def _mark_of(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_ino, status.st_size, status.st_mtime_ns


def decode(content: bytes, path: Path) -> Record:
    """The record that a session file holds. Raises UserError: what came from elsewhere and is no session stays as it is."""
    try:
        record = _decoded(content, path)
    except ValueError as error:
        raise ReadError("not-a-session", path=str(path), problem=str(error)) from None
    if not (record.entries or record.checklists):  # any JSON object with a version would do
        raise ReadError("not-a-session", path=str(path), problem="no entries")
    return record


def read_alone(path: Path) -> bytes:
    """The content of a file that came from elsewhere. Raises ReadError, also for one that is too large to be a session."""
    try:
        status = path.stat()  # once: another process may write it at this moment
        if not stat.S_ISREG(status.st_mode):
            raise ReadError("is-directory" if stat.S_ISDIR(status.st_mode) else "not-regular", path=str(path))
        if status.st_size > MAX_ALONE:
            raise ReadError("session-too-large", path=str(path), limit=MAX_ALONE >> 20)
        return path.read_bytes()
    except OSError as error:
        raise from_os_error(error, path) from None


def open_session(project: Path, *, write: bool = True, wait: bool = False) -> Session:
    """The session of a project folder. With `write`, takes the lock; when another holds it (with `wait`, longer than a moment), the
    session is read-only.

    Raises SaveError when the folder cannot be written, ReadError when the file cannot be read, and UserError when it
    comes from a newer accucheck.
    """
    path = project / FOLDER / FILE_NAME
    if write:
        require_own(path.parent, project)
    lock, holder = _lock(path.with_name("lock"), wait) if write else (None, "")
    try:
        record, notice = _read(path)
        if notice is not None and lock is not None:
            path.replace(notice.data["aside"])
    except BaseException:
        _release(lock)
        raise
    if lock is not None:
        sweep([path.parent])
    return Session(path, record, lock, holder, notice)


def open_alone(path: Path, *, write: bool = True, wait: bool = False) -> Session:
    """A session file by itself, as somebody sent it. The lock lies beside it. Raises as `open_session` and `decode` do."""
    path = path.absolute()
    record = decode(read_alone(path), path)  # before a lock is left beside what is no session
    lock, holder = None, ""
    if write:
        own = path.name == FILE_NAME and path.parent.name == FOLDER  # a project's own, given by its path
        lock, holder = _lock(path.with_name("lock" if own else f".{path.name}.lock"), wait)
        try:
            record = decode(read_alone(path), path)
        except BaseException:
            _release(lock)
            raise
    return Session(path, record, lock, holder)


def _lock(path: Path, wait: bool = False) -> tuple[IO[str] | None, str]:
    """The lock, or None and who holds it. With `wait`, short commands that run side by side have their turns: one holder is waited for a
    moment, and many for a while. Raises SaveError."""
    begun = since = time.monotonic()
    before = ""
    while True:
        try:
            path.parent.mkdir(exist_ok=True)
            lock = open(path, "a+", errors="replace", opener=open_own)  # noqa: SIM115
        except OSError as error:
            if error.errno == errno.ELOOP:  # who clones a project gets its links too
                raise SaveError("own-link", path=str(path)) from None
            raise from_os_error(error, path.parent, SaveError) from None
        try:
            system.lock(lock)
        except OSError:
            lock.seek(0)
            holder = lock.read(200).strip()
            lock.close()
            now_ = time.monotonic()
            since = since if holder == before else now_
            before = holder
            # One that has just been made has no name in it yet.
            moment = (MOMENT if wait else 0.0) if holder else UNNAMED
            if now_ - since >= moment or now_ - begun >= A_WHILE:
                return None, holder or "?"
            time.sleep(0.02)
            continue
        if is_at(lock, path):
            break
        lock.close()  # its holder has removed it meanwhile
    with suppress(OSError):  # on a full disk the lock holds, without a name in it
        os.ftruncate(lock.fileno(), 0)
        os.write(lock.fileno(), f"{user()}@{socket.gethostname()} pid {os.getpid()}".encode())
    return lock, ""


def _release(lock: IO[str] | None) -> None:
    """Remove the lock while it is held, so that who has just opened it sees that it is gone; then let it go."""
    if lock is not None:
        with suppress(OSError):
            Path(lock.name).unlink()
        lock.close()
