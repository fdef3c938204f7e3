"""From a finding to its place: in the person's editor where there is one, else on the screen."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ..errors import ReadError, UserError, from_os_error
from ..model import Code, Evidence, Finding

if TYPE_CHECKING:
    from .app import Walkthrough

#: Lines around the place, where it is shown here.
AROUND = 15


def place_of(finding: Finding, evidence: Evidence | None = None) -> tuple[str, int | None] | None:
    """The file and the line that a finding, or one piece of its evidence, is about."""
    if isinstance(evidence, Code):
        return evidence.path, min(evidence.marked, default=evidence.line)
    if finding.where.path:
        return finding.where.path, finding.where.line
    code = next((each for each in finding.evidence if isinstance(each, Code)), None)
    return None if code is None else (code.path, min(code.marked, default=code.line))


def require_file(file: Path, shown: str) -> None:
    """Raise ReadError, about `shown`, unless a regular file is there. pathlib's own tests raise for a closed folder or a long name."""
    try:
        mode = file.stat().st_mode
    except OSError as error:
        raise from_os_error(error, shown) from None
    except ValueError as error:  # a NUL byte in the name
        raise from_os_error(OSError(22, str(error)), shown) from None
    if not stat.S_ISREG(mode):
        raise ReadError("is-directory" if stat.S_ISDIR(mode) else "not-regular", path=shown)


def why_not_open(app: Walkthrough, finding: Finding | None, evidence: Evidence | None = None) -> str | None:
    """Why there is no place to open; None where there is."""
    if app.project.case.alone:
        return UserError("session-alone", path=str(app.session.path)).text(app.speech.language)
    if finding is None or place_of(finding, evidence) is None:
        return UserError("place-none").text(app.speech.language)
    return None


def open_place(app: Walkthrough, name: str, finding: Finding, evidence: Evidence | None = None) -> None:
    """Open the place of a finding in the editor, and look for what the edit has put out of date.

    Where the session is read-only, or no editor can be had, the place is shown on the screen.
    """
    found = place_of(finding, evidence)
    if found is None:
        return
    path, line = found
    file = app.project.case.path(path)
    try:
        require_file(file, path)
        if not app.session.read_only:
            from .editor import edit

            edit(app, file.absolute(), line)
            app.look_for_stale(tell=True)
            return
        problem = ""
    except UserError as error:
        problem = error.text(app.speech.language)
    except (OSError, ValueError) as error:  # ValueError: a NUL byte in the name
        problem = str(error)
    code = _code(file, path, line)
    if problem:
        if code is None:
            app.show_error(problem)
            return
        app.notify(problem, severity="warning", markup=False)
    if code is not None:
        from .screens.evidence import EvidenceScreen

        shown = msgspec.structs.replace(finding, evidence=[code])
        app.push_screen(EvidenceScreen([(name, shown, 0)], 0))


def _code(file: Path, path: str, line: int | None) -> Code | None:
    """The lines around the place."""
    from .widgets.code import lines_of

    try:
        lines = lines_of(file)
    except (OSError, ValueError):
        return None
    if not lines:
        return None
    at = min(max(1, line or 1), len(lines))
    first = max(1, at - AROUND)
    return Code(path, first, "\n".join(lines[first - 1 : at + AROUND]), [at] if line else [])
