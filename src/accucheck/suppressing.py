"""Findings that somebody has set aside: by a comment with a reason beside the code, or by a baseline of what was there before.

Nothing is dropped: such a finding becomes information that says who set it aside, why, and what it was, and an item is never called free of
problems for it.

    steps = dataset.batch(32)  # accucheck: ignore[not-shuffled] the sampler below shuffles
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from .case import Case
from .difference import Side, known, of_report
from .errors import ReadError, from_os_error
from .model import Finding, Level, ProbeResult, Status, Suppression, Verdict, suggest

#: Bytes of a file whose comments are looked at, and of a baseline.
MAX_FILE, MAX_BASELINE = 4 << 20, 64 << 20
#: The only files whose comments count: those that people write.
_SCRIPTS, _SETTINGS = (".py",), (".yaml", ".yml")
_COMMENT = re.compile(r"#\s*accucheck:\s*ignore\[([\w.\-, ]{1,300})\]\s*[:\-–—]*\s*(.*)")


class Comment(NamedTuple):
    """A comment that sets something aside: the codes or items that it names, the reason, and the lines that it is about."""

    names: frozenset[str]
    reason: str
    lines: tuple[int, ...]
    line: int


class Inline:
    """The comments of the files of a case, each file read once. `unfounded` are those without a reason, which set nothing aside: by
    file and line."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._known: dict[str, list[Comment]] = {}
        self.unfounded: dict[tuple[str, int], None] = {}

    def apply(self, item: str, result: ProbeResult) -> ProbeResult:
        """A result whose findings at a line with such a comment are set aside."""
        findings = [self._finding(item, finding) for finding in result.findings]
        return _with(result, findings)

    def _finding(self, item: str, finding: Finding) -> Finding:
        where = finding.where
        if finding.level is Level.INFO or where.path is None or where.line is None:
            return finding
        for comment in self._comments(where.path):
            if where.line in comment.lines and comment.names & {item, finding.code}:
                if comment.reason:
                    return _aside(finding, "inline", comment.reason, comment.line)
                self.unfounded[where.path, comment.line] = None
        return finding

    def _comments(self, path: str) -> list[Comment]:
        if path not in self._known:
            self._known[path] = list(_read(self._case, path))
        return self._known[path]


def _read(case: Case, path: str) -> Iterator[Comment]:
    """The comments of a file of the project's own; none where it cannot be read."""
    if not path.endswith(_SCRIPTS + _SETTINGS):
        return
    content = b""
    with suppress(OSError, ValueError):
        file, root = case.path(path).resolve(), Path(case.root).resolve()
        if file.is_relative_to(root) and file.is_file() and file.stat().st_size <= MAX_FILE:
            content = file.read_bytes()
    if b"accucheck:" not in content:
        return
    yield from _comments(content, script=path.endswith(_SCRIPTS))


def _comments(content: bytes, *, script: bool) -> Iterator[Comment]:
    lines = content.decode("utf-8", "replace").splitlines()
    for number, text in _spoken(content) if script else enumerate(lines, 1):
        if (match := _COMMENT.search(text)) is None:
            continue
        names = frozenset(name.strip() for name in match[1].split(",") if name.strip())
        alone = number <= len(lines) and lines[number - 1].lstrip().startswith("#")
        yield Comment(names, match[2].strip(), (number + 1,) if alone else (number,), number)


def _spoken(content: bytes) -> Iterator[tuple[int, str]]:
    """The comments of a script with their lines: what stands in a string is none."""
    with suppress(tokenize.TokenError, SyntaxError, UnicodeDecodeError, ValueError):
        for token in tokenize.tokenize(io.BytesIO(content).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string


def _aside(finding: Finding, kind: str, reason: str, line: int | None = None) -> Finding:
    told = Suppression(kind, finding.level, reason, line)
    return msgspec.structs.replace(finding, level=Level.INFO, suppressed=told)


def _with(result: ProbeResult, findings: list[Finding]) -> ProbeResult:
    """A result with these findings: without a problem it is undecided at best, for what is set aside is still there."""
    if not any(finding.suppressed for finding in findings):
        return result
    rest = suggest(findings)
    suggestion = rest if result.status is Status.DONE and rest is not Verdict.OK else Verdict.UNDECIDED
    return msgspec.structs.replace(result, findings=findings, suggestion=suggestion)


# --- baselines --------------------------------------------------------------------------------------------------------


def baseline(path: Path) -> Side:
    """What a file says was there before: a baseline, or the JSON of any run or report. Raises ReadError."""
    try:
        if path.stat().st_size > MAX_BASELINE:
            raise ReadError("session-too-large", path=str(path), limit=MAX_BASELINE >> 20)
        return of_report(str(path), path.read_bytes())
    except OSError as error:
        raise from_os_error(error, path) from None


def apply_baseline(before: Side, item: str, results: Iterable[ProbeResult]) -> list[ProbeResult]:
    """The results of an item with what was there before set aside. What has become worse since is new."""
    results = list(results)
    old = known(before, item, results)
    return [
        _with(
            result,
            [
                _aside(f, "baseline", before.name) if (at, place) in old else f
                for place, f in enumerate(result.findings)
            ],
        )
        for at, result in enumerate(results)
    ]


def written(case: str, results: Sequence[tuple[str, ProbeResult]]) -> bytes:
    """A baseline of these results: what is found, by what stays the same when lines move and numbers change a little."""
    items: dict[str, list[dict[str, Any]]] = {}
    for item, result in results:
        if result.status is not Status.DONE:
            continue
        findings = [_lasting(finding) for finding in result.findings if finding.level is not Level.INFO]
        if findings:
            items.setdefault(item, []).append({"probe": result.probe, "status": "done", "findings": findings})
    told = [{"id": item, "suggestion": "undecided", "results": found} for item, found in sorted(items.items())]
    content: bytes = msgspec.json.format(msgspec.json.encode({"version": 1, "case": case, "items": told}), indent=1)
    return content + b"\n"


def _lasting(finding: Finding) -> dict[str, Any]:
    where = {key: getattr(finding.where, key) for key in ("path", "name", "field")}
    named = {key: value for key, value in finding.data.items() if isinstance(value, str)}
    return {"code": finding.code, "level": finding.level.value, "where": where, "data": named}
