"""The mend of one finding: applied to its file by a person's wish, undone, and proven by running its probe again.

`fixes` gathers all diffs of a run as a patch and edits nothing; here one diff, which a person has seen in full, is written.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timezone
from itertools import count
from pathlib import Path
from typing import NamedTuple

from .difference import compare, of_record
from .errors import ReadError, SaveError, UserError, from_os_error
from .model import Finding, ProbeResult
from .script.patch import Edit, parse, split
from .session import Entry, Record
from .store import BACKUPS, atomically, require_own, write_together

#: A longer diff is not one to be read and agreed to on a screen.
MOST = 64 << 10


class FileChange(NamedTuple):
    """What a file becomes: `path` is relative to the project, `before` and `after` are all of its bytes."""

    root: Path
    path: str
    before: bytes
    after: bytes

    @property
    def file(self) -> Path:
        return self.root / self.path


def prepare(root: Path, finding: Finding) -> FileChange:
    """The mend of a finding on the file as it is now. Raises UserError where it has none or the file is not what its diff is for."""
    if finding.fix is None or not finding.fix.diff:
        raise UserError("mend-none")
    try:
        path, edits = parse(finding.fix.diff)
    except ValueError:
        raise UserError("mend-none") from None
    before = _read(root, path)
    lines = split(before.decode("utf-8", "surrogateescape"))
    if not edits or not all(edit.fits(lines) for edit in edits):
        raise UserError("mend-misfit", path=path)
    if len(finding.fix.diff) > MOST:
        raise UserError("mend-long", path=path)
    for edit in sorted(edits, reverse=True):
        lines[edit.first - 1 : edit.after - 1] = edit.new
    return FileChange(root, path, before, "".join(lines).encode("utf-8", "surrogateescape"))


def prepare_all(root: Path, findings: Sequence[Finding]) -> list[tuple[FileChange, list[str]]]:
    """The mends of several findings on the files as they are now, one a file, each with the diffs that it holds. Raises UserError as
    `prepare` does, also where two of them change the same lines in different ways."""
    edits: dict[str, list[Edit]] = {}
    diffs: dict[str, list[str]] = {}
    for finding in findings:
        mend = prepare(root, finding)
        assert finding.fix is not None and finding.fix.diff
        taken = edits.setdefault(mend.path, [])
        fresh = [edit for edit in parse(finding.fix.diff)[1] if edit not in taken]
        if any(edit.clashes(other) for edit in fresh for other in taken):
            raise UserError("mend-misfit", path=mend.path)
        taken += fresh
        diffs.setdefault(mend.path, []).append(finding.fix.diff)
    if sum(len(diff) for held in diffs.values() for diff in held) > MOST:
        raise UserError("mend-long", path=", ".join(diffs))
    made = []
    for path, wanted in edits.items():
        before = _read(root, path)
        lines = split(before.decode("utf-8", "surrogateescape"))
        for edit in sorted(wanted, reverse=True):
            lines[edit.first - 1 : edit.after - 1] = edit.new
        made.append((FileChange(root, path, before, "".join(lines).encode("utf-8", "surrogateescape")), diffs[path]))
    return made


def apply(mend: FileChange) -> Path:
    """Write the mend and return the copy of the file as it was. Raises UserError when the file has changed meanwhile, and SaveError."""
    if _read(mend.root, mend.path) != mend.before:
        raise UserError("mend-changed", path=mend.path)
    require_own(mend.root / BACKUPS, mend.root)
    stamp = f"{datetime.now(timezone.utc):%Y%m%dT%H%M%SZ}"
    names = (f"{BACKUPS}/{stamp}{f'-{number}' if number else ''}/{mend.path}" for number in count())
    name = next(name for name in names if not (mend.root / name).exists())
    try:
        mode = mend.file.stat().st_mode & 0o777  # the copy is for the eyes that the file is for
        write_together(mend.root, {name: mend.before}, replace=False, mode=mode)
    except OSError as error:
        raise from_os_error(error, mend.root / name, SaveError) from None
    _write(mend, mend.after)
    return mend.root / name


def undo(mend: FileChange) -> None:
    """Put the file back as it was. Raises UserError when it is no longer as `apply` left it."""
    if _read(mend.root, mend.path) != mend.after:
        raise UserError("mend-undo-changed", path=mend.path)
    _write(mend, mend.before)


def _read(root: Path, path: str) -> bytes:
    """A file of the project itself. Raises UserError for one that lies elsewhere, is hidden or is reached by a link, and ReadError."""
    file = root / path
    try:
        base, real = root.resolve(), file.resolve(strict=True)
        hidden = (
            any(step.startswith(".") for step in real.relative_to(base).parts) if real.is_relative_to(base) else True
        )
        if (
            hidden or real != base / path or not real.is_file()
        ):  # hidden: of git or an editor, which may run what stands there
            raise UserError("mend-outside", path=path)
        return file.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a NUL byte in the name
        raise from_os_error(error, file) if isinstance(error, OSError) else ReadError("not-found", path=path) from None


def _write(mend: FileChange, content: bytes) -> None:
    """All or nothing, with mode and owner as they are."""
    try:
        status = mend.file.stat()
    except OSError as error:
        raise from_os_error(error, mend.file) from None
    if not os.access(mend.file, os.W_OK):  # to replace it would need no such right
        raise SaveError("no-permission", path=str(mend.file))
    with atomically(mend.file) as stream:
        with suppress(OSError, AttributeError):  # another's file in a folder that is ours; a system without owners
            os.fchown(stream.fileno(), status.st_uid, status.st_gid)
        if hasattr(os, "fchmod"):
            os.fchmod(stream.fileno(), status.st_mode & 0o7777)
        stream.write(content)


class FixCheck(NamedTuple):
    """What became of what a probe had found: messages' codes and places are in the findings. Information is left out."""

    gone: int
    still: int
    new: int


def proof(item: str, before: ProbeResult, after: ProbeResult) -> FixCheck:
    """How a probe's findings differ from those of its run before; a finding stays itself where its lines only moved."""
    sides = [of_record("", Record(entries={item: Entry(results={r.probe: r})})) for r in (before, after)]
    found = compare(*sides)
    return FixCheck(len(found.gone), len(found.still), len(found.new) + len(found.fresh))
