"""The fixes of findings as one patch. Nothing is edited here: the patch is for a person, git or patch to apply."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import msgspec

from .model import Finding, Kind, Level, ProbeResult, Sure, weigh
from .script.patch import Edit, parse, split, unified
from .session import Entry


class UnfixedFinding(NamedTuple):
    """A finding that the patch does not mend. `why`: by-hand (it has no diff), meant (it may be right), overlap (another
    fix changes the same lines) or misfit (the diff is not one of the file as it is)."""

    probe: str
    finding: Finding
    why: str


class Patch(NamedTuple):
    """`text` holds one diff a file, the bytes of the files as they are; `mended` counts the findings that it mends."""

    text: bytes
    mended: int
    files: int
    left: list[UnfixedFinding]


def collect(root: Path, results: Iterable[ProbeResult]) -> Patch:
    """One patch of the fixes of all findings above info. Equal edits become one; of overlapping fixes the first stays."""
    found = gather(root, results)
    diffs = [unified(path, found.lines[path], found.edits[path]) for path in sorted(found.edits)]
    return Patch("".join(diffs).encode("utf-8", "surrogateescape"), found.mended, len(found.edits), found.left)


def weighed(entry: Entry, result: ProbeResult) -> ProbeResult:
    """A result of a static probe beside what probes that look at more than scripts have recorded for its item."""
    return weigh([result, *(other for other in entry.results.values() if other.kind is not Kind.STATIC)])[0]


class CollectedEdits(NamedTuple):
    """The edits of findings by file, which fit and do not clash, with the lines of these files."""

    lines: dict[str, list[str]]
    edits: dict[str, list[Edit]]
    mended: int
    left: list[UnfixedFinding]

    def after(self) -> dict[str, bytes]:
        """The files as they are with the edits."""
        made: dict[str, bytes] = {}
        for path, edits in self.edits.items():
            lines = [*self.lines[path]]
            for edit in sorted(edits, reverse=True):
                lines[edit.first - 1 : edit.after - 1] = edit.new
            made[path] = "".join(lines).encode("utf-8", "surrogateescape")
        return made


def gather(root: Path, results: Iterable[ProbeResult], *, possible: bool = False) -> CollectedEdits:
    """The edits of the fixes of all findings above info, as `collect`; `possible`: also of those that may well be intended."""
    lines: dict[str, list[str]] = {}
    edits: dict[str, list[Edit]] = {}
    seen: set[tuple[str, bytes]] = set()
    left: list[UnfixedFinding] = []
    mended = 0
    for result in results:
        for finding in result.findings:
            key = result.probe, msgspec.json.encode(finding)  # one probe may serve several items
            if finding.level is Level.INFO or key in seen:
                continue
            seen.add(key)
            why = _add(root, finding, lines, edits, possible=possible)
            mended += not why
            if why:
                left.append(UnfixedFinding(result.probe, finding, why))
    return CollectedEdits(lines, edits, mended, left)


def _add(
    root: Path, finding: Finding, lines: dict[str, list[str]], edits: dict[str, list[Edit]], *, possible: bool
) -> str:
    """Take a finding's edits in, all or none; returns why not, or nothing."""
    if finding.fix is None or not finding.fix.diff:
        return "by-hand"
    if finding.sure is Sure.POSSIBLE and not possible:
        return "meant"
    try:
        path, wanted = parse(finding.fix.diff)
        if path not in lines:
            lines[path] = _read(root, path)
    except (OSError, ValueError):
        return "misfit"
    if not wanted or not all(edit.fits(lines[path]) for edit in wanted):
        return "misfit"
    taken = edits.get(path, [])
    fresh = [edit for edit in wanted if edit not in taken]
    if any(edit.clashes(other) for edit in fresh for other in taken):
        return "overlap"
    edits[path] = [*taken, *fresh]
    return ""


def _read(root: Path, path: str) -> list[str]:
    """The lines of a file of the project. Raises ValueError for a path that leads out of it."""
    file = Path(os.path.normpath(root / path))
    if not file.is_relative_to(root) or not file.is_file():
        raise ValueError("not a file of the project")
    return split(file.read_bytes().decode("utf-8", "surrogateescape"))
