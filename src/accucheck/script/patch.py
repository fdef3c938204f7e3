"""Edits of a file as a unified diff that `git apply` and `patch -p1` take, and back. Lines keep their ends here."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

#: Unchanged lines around an edit.
CONTEXT = 2
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_UNENDED = "\\ No newline at end of file"


class Edit(NamedTuple):
    """The lines `old`, which begin at line `first` (from 1), become `new`. Without `old`: `new` comes before that line."""

    first: int
    old: tuple[str, ...]
    new: tuple[str, ...]

    @property
    def after(self) -> int:
        """The first line behind it."""
        return self.first + len(self.old)

    def clashes(self, other: Edit) -> bool:
        """True when both change the same lines, or both insert at one place, so that their order would matter."""
        if not self.old and not other.old:
            return self.first == other.first
        return self.first < other.after and other.first < self.after

    def fits(self, lines: Sequence[str]) -> bool:
        """True when `lines` of the file are what the edit takes them for."""
        return 1 <= self.first <= len(lines) + 1 and tuple(lines[self.first - 1 : self.after - 1]) == self.old


def split(text: str) -> list[str]:
    """Lines with their ends. Only a line feed ends a line: form feeds and the like do not, for git as for Python's parser."""
    return [line for line in re.split(r"(?<=\n)", text) if line]


def unified(path: str, lines: Sequence[str], edits: Sequence[Edit]) -> str:
    """The diff of `edits`, which fit and do not clash, on a file of `lines`; empty when there are none."""
    hunks: list[list[Edit]] = []
    for edit in sorted(edits):
        if hunks and edit.first - hunks[-1][-1].after <= 2 * CONTEXT:
            hunks[-1].append(edit)
        else:
            hunks.append([edit])
    text, grown = [], 0
    for hunk in hunks:
        start, end = max(1, hunk[0].first - CONTEXT), min(len(lines) + 1, hunk[-1].after + CONTEXT)
        body, at = [], start
        for edit in hunk:
            body += [" " + line for line in lines[at - 1 : edit.first - 1]]
            body += ["-" + line for line in edit.old] + ["+" + line for line in edit.new]
            at = edit.after
        body += [" " + line for line in lines[at - 1 : end - 1]]
        more = sum(len(edit.new) - len(edit.old) for edit in hunk)
        text.append(f"@@ -{_span(start, end - start)} +{_span(start + grown, end - start + more)} @@\n")
        text += [line if line.endswith("\n") else f"{line}\n{_UNENDED}\n" for line in body]
        grown += more
    return f"--- {_name('a', path)}\n+++ {_name('b', path)}\n{''.join(text)}" if text else ""


def _span(start: int, count: int) -> str:
    """A range of a hunk's head; an empty one is named by the line before it."""
    return f"{start if count else start - 1},{count}" if count != 1 else str(start)


def _name(side: str, path: str) -> str:
    """A path in the head of a diff: quoted as git does where it must be, and ended by a tab where it holds blanks."""
    path = f"{side}/{path}"
    if re.search(r'[\x00-\x1f\x7f"\\]', path):
        special = {'"': '\\"', "\\": "\\\\"}
        return '"' + re.sub(r'[\x00-\x1f\x7f"\\]', lambda m: special.get(m[0], f"\\{ord(m[0]):03o}"), path) + '"'
    return path + "\t" if " " in path else path


def parse(diff: str) -> tuple[str, list[Edit]]:
    """The path and the edits of a diff of one file. Raises ValueError for what is none, or changes several files."""
    lines = diff.split("\n")
    if len(lines) < 4 or not lines[0].startswith("--- ") or not lines[1].startswith("+++ ") or lines[-1]:
        raise ValueError("not a unified diff")
    old, new = (_unnamed(line[4:]) for line in lines[:2])
    if not (old.startswith("a/") and new == "b/" + old[2:]):
        raise ValueError("the two sides have different names")
    return old[2:], list(_edits(lines[2:-1]))


def _unnamed(name: str) -> str:
    if not name.startswith('"'):
        return name.partition("\t")[0]
    inner = re.fullmatch(r'"((?:[^"\\]|\\["\\]|\\[0-7]{3})*)"', name)
    if inner is None:
        raise ValueError("not a name")
    return re.sub(r'\\(["\\]|[0-7]{3})', lambda m: m[1] if len(m[1]) == 1 else chr(int(m[1], 8)), inner[1])


def _edits(lines: list[str]) -> Iterator[Edit]:
    place = 0
    while place < len(lines):
        head = _HUNK.match(lines[place])
        if head is None:
            raise ValueError("not a hunk")
        counts = [int(head[2] or 1), int(head[4] or 1)]
        at = int(head[1]) + (counts[0] == 0)
        hunk, place = _hunk(lines, place + 1, counts)
        for kept, part in groupby(hunk, lambda one: one[0] == " "):
            signed = list(part)
            old = tuple(line for sign, line in signed if sign != "+")
            if not kept:
                yield Edit(at, old, tuple(line for sign, line in signed if sign != "-"))
            at += len(old)


def _hunk(lines: list[str], place: int, counts: list[int]) -> tuple[list[tuple[str, str]], int]:
    """The lines of a hunk, each with its sign, and where the next one begins. `counts`: how many lines the two sides have."""
    found = []
    while counts != [0, 0]:
        if place >= len(lines) or not lines[place] or lines[place][0] not in " -+":
            raise ValueError("a hunk is shorter than it says")
        sign, line = lines[place][0], lines[place][1:] + "\n"
        place += 1
        if place < len(lines) and lines[place].startswith("\\"):
            line, place = line[:-1], place + 1
        counts = [counts[0] - (sign != "+"), counts[1] - (sign != "-")]
        if min(counts) < 0:
            raise ValueError("a hunk is longer than it says")
        found.append((sign, line))
    return found, place
