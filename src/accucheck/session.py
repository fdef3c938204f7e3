"""The answers and probe results of one project, in .accucheck/session.json: saved at once, atomically, by one writer."""

from __future__ import annotations

import fcntl
import os
import socket
import threading
from collections.abc import Callable
from datetime import datetime, timezone
from itertools import count
from pathlib import Path
from typing import IO, Any

import msgspec

from . import __version__
from .checklist import Item
from .errors import SaveError, UserError, from_os_error
from .model import CONCLUSIONS, ProbeResult, Status, Verdict, combine, now
from .store import FOLDER, write_atomically

VERSION = 1
FILE_NAME = "session.json"


class Change(msgspec.Struct, frozen=True):
    """One step of an item's history. `what` is concluded, withdrawn, noted, attached or ran."""

    when: str
    who: str
    what: str
    conclusion: Verdict | None = None
    note: str = ""
    probe: str = ""
    suggestion: Verdict | None = None


class Entry(msgspec.Struct, frozen=True):
    """What is known of one item. `when` and `who` belong to the conclusion."""

    conclusion: Verdict | None = None
    note: str = ""
    who: str = ""
    when: str = ""
    attachments: list[str] = []
    results: dict[str, ProbeResult] = {}
    history: list[Change] = []

    @property
    def suggestion(self) -> Verdict:
        return combine(self.results.values())


class Record(msgspec.Struct, frozen=True):
    """The file. `checklists` maps each checklist used to its version."""

    version: int = VERSION
    tool: str = __version__
    case: str = ""
    checklists: dict[str, int] = {}
    entries: dict[str, Entry] = {}


#: From an older version to the next: {version: data -> data}. Applied in turn until VERSION.
MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}


def suggestion(item: Item, entry: Entry, facts: dict[str, bool | None]) -> Verdict:
    """What an item's probes suggest together; not applicable when nothing ran and the case rules the item out."""
    ran = any(result.status is not Status.SKIPPED for result in entry.results.values())
    return entry.suggestion if ran or item.applicable(facts) else Verdict.NOT_APPLICABLE


def user() -> str:
    """Who is at the keyboard, as the system knows it."""
    import getpass

    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())


class Session:
    """One project's record, and the right to change it.

    Every change is saved before it returns, unless `autosave` is off (a screen that must not wait for the disk calls
    save() from a thread). When saving fails, SaveError is raised and the record in memory keeps the change, so that a
    later save can still store it. A second opener is `read_only`, with `holder` naming the first. Safe to use from
    several threads.
    """

    def __init__(
        self, folder: Path, record: Record, lock: IO[str] | None, holder: str = "", notice: UserError | None = None
    ):
        self.folder = folder
        self.record = record
        self.holder = holder
        self.notice = notice
        self.unsaved = False
        self.autosave = True
        self._lock = lock
        self._changing = threading.Lock()
        self._saving = threading.Lock()

    @property
    def path(self) -> Path:
        return self.folder / FILE_NAME

    @property
    def read_only(self) -> bool:
        return self._lock is None

    def entry(self, item: str) -> Entry:
        return self.record.entries.get(item, Entry())

    # --- changes ------------------------------------------------------------------------------------------------------

    def answer(self, item: str, conclusion: Verdict, note: str | None = None, who: str | None = None) -> None:
        """Conclude an item; `note` None keeps the note that stands."""
        if conclusion not in CONCLUSIONS:
            raise ValueError(conclusion)
        old = self.entry(item)
        text = old.note if note is None else note
        name, moment = who or user(), now()
        change = Change(moment, name, "concluded", conclusion=conclusion, note=text)
        self._change(item, change, conclusion=conclusion, note=text, who=name, when=moment)

    def withdraw(self, item: str) -> None:
        """Take a conclusion back; the note stays."""
        self._change(item, Change(now(), user(), "withdrawn"), conclusion=None, who="", when="")

    def annotate(self, item: str, note: str) -> None:
        self._change(item, Change(now(), user(), "noted", note=note), note=note)

    def attach(self, item: str, path: str) -> None:
        paths = self.entry(item).attachments
        if path not in paths:
            self._change(item, Change(now(), user(), "attached", note=path), attachments=[*paths, path])

    def restore(self, item: str, entry: Entry) -> None:
        """Undo: put conclusion, note and attachments of `entry` back; results and history stay."""
        same = entry.conclusion is self.entry(item).conclusion
        what = "noted" if same else "concluded" if entry.conclusion else "withdrawn"
        change = Change(now(), user(), what, conclusion=entry.conclusion, note=entry.note)
        self._change(
            item,
            change,
            conclusion=entry.conclusion,
            note=entry.note,
            who=entry.who,
            when=entry.when,
            attachments=entry.attachments,
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

    def _change(self, item: str, change: Change, result: ProbeResult | None = None, **values: Any) -> None:
        if self.read_only:
            raise UserError("session-locked", holder=self.holder)
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
        """Store the record. Raises SaveError."""
        if self.read_only:
            raise UserError("session-locked", holder=self.holder)
        with self._saving:
            record = self.record
            write_atomically(self.path, msgspec.json.format(msgspec.json.encode(record), indent=1))
            with self._changing:
                self.unsaved = self.record is not record

    def close(self) -> None:
        """Give the lock back. Idempotent."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _read(path: Path) -> tuple[Record, UserError | None]:
    """The record of a session file; a corrupt one is kept aside and named in the returned notice."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return Record(), None
    except OSError as error:
        raise from_os_error(error, path) from None
    try:
        data = msgspec.json.decode(content)
        version = data["version"] if isinstance(data, dict) else None
        if not isinstance(version, int):
            raise msgspec.ValidationError("no version")
        if version > VERSION:
            raise UserError("session-newer", path=str(path), found=version, limit=VERSION)
        while version < VERSION:
            data = MIGRATIONS[version](data)
            version = data["version"]
        return msgspec.convert(data, Record), None
    except (msgspec.MsgspecError, KeyError, UnicodeDecodeError, RecursionError) as error:
        stamp = f"{datetime.now(timezone.utc):%Y%m%dT%H%M%S}"
        names = (path.with_name(f"session.corrupt-{stamp}-{number}.json") for number in count(1))
        aside = next(name for name in names if not name.exists())
        return Record(), UserError("session-corrupt", path=str(path), aside=str(aside), problem=str(error))


def open_session(project: Path, *, write: bool = True) -> Session:
    """The session of a project folder. With `write`, takes the lock; when another holds it, the session is read-only.

    Raises SaveError when the folder cannot be written, ReadError when the file cannot be read, and UserError when it
    comes from a newer accucheck.
    """
    folder = project / FOLDER
    lock: IO[str] | None = None
    holder = ""
    if write:
        try:
            folder.mkdir(exist_ok=True)
            lock = (folder / "lock").open("a+")
        except OSError as error:
            raise from_os_error(error, folder, SaveError) from None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.seek(0)
            holder = lock.read(200).strip() or "?"
            lock.close()
            lock = None
        else:
            lock.truncate(0)
            lock.write(f"{user()}@{socket.gethostname()} pid {os.getpid()}")
            lock.flush()
            for left in folder.glob(f".{FILE_NAME}.*.tmp"):  # of a writer that was killed
                left.unlink(missing_ok=True)
    try:
        record, notice = _read(folder / FILE_NAME)
        if notice is not None and lock is not None:
            (folder / FILE_NAME).replace(notice.data["aside"])
    except BaseException:
        if lock is not None:
            lock.close()
        raise
    return Session(folder, record, lock, holder, notice)
