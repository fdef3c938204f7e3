"""A run as lines that compilers made usual and editors, problem matchers and pre-commit read: `file:line:column: level: code message`.

Only what counts is there: problems and suspects. What has no place in a file of the project stands at line 1 of the case file, or of the
script that is examined.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..case import Case
from ..language import visible
from ..model import Level

#: How others call the levels.
_LEVELS = {Level.PROBLEM.value: "error", Level.SUSPECT.value: "warning"}
#: Bytes of a file whose lines are looked at for a column.
_MAX_FILE = 4 << 20


def lines(outcome: dict[str, Any], case: Case) -> Iterator[str]:
    """The lines of `machine.result_json`; paths are as seen from the current folder."""
    for item in outcome["items"]:
        for result in item["results"]:
            for finding in result["findings"]:
                if finding["level"] in _LEVELS:
                    yield _line(case, item["id"], finding)


def _line(case: Case, item: str, finding: dict[str, Any]) -> str:
    where = finding["where"]
    file = case.path(where["path"]) if where["path"] else None
    named = file if file is not None and file.is_file() else _anchor(case)
    line, column = (where["line"] or 1, _column(named, where)) if named == file else (1, 1)
    place = f"{where['path']}: " if where["path"] and named != file else ""
    fix = f" → {finding['fix']['message']}" if finding["fix"] else ""
    text = f"{item}/{finding['code']} {place}{finding['message']}{fix}"
    return f"{visible(_seen(named))}:{line}:{column}: {_LEVELS[finding['level']]}: {visible(text)}"


def _anchor(case: Case) -> Path:
    """The file for what has no place of its own: the case file, or else a script that is examined."""
    scripts = case.get("scripts.train") or case.get("scripts.eval") or case.get("scripts.infer") or []
    first = scripts if isinstance(scripts, str) else next(iter(scripts), "accucheck.yaml")
    return Path(case.file) if case.file is not None else case.path(first)


def _seen(file: Path) -> str:
    """A path from the current folder; whole where it does not lie below."""
    try:
        seen = os.path.relpath(file)
    except (OSError, ValueError):  # the current folder is gone, or on another drive
        return str(file)
    return str(file) if seen.startswith(os.pardir) else seen


def _column(file: Path, where: dict[str, Any]) -> int:
    """The column from 1 in characters; Python's parser counts bytes of UTF-8, from 0."""
    column: int = where["column"] or 0
    if not column or file.stat().st_size > _MAX_FILE:
        return column + 1
    content = file.read_bytes().splitlines()
    at = (where["line"] or 1) - 1
    return len(content[at][:column].decode("utf-8", "ignore")) + 1 if 0 <= at < len(content) else column + 1
