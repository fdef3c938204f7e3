"""JSON Schemas of what others write or read: accucheck.yaml, settings.yaml, the session, and what `run --json` and the JSON report print.

Each has a version of its own, which rises where what was valid is no longer; keys may be added at any time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import msgspec

from . import case, checklist, document, session, settings
from .model import Kind, Level, Plain, Status, Sure, Verdict
from .report import machine

#: A name for the whole world that is no address: nobody fetches a schema.
_NAME = "urn:accucheck:schema:{name}:{version}"


class _Where(msgspec.Struct):
    path: str | None
    line: int | None
    column: int | None
    name: str | None
    field: str | None
    step: int | None


class _Fix(msgspec.Struct):
    message: str
    diff: str | None
    redacted: bool = False


class _Contradicted(msgspec.Struct):
    probe: str
    code: str
    level: Level
    message: str


class _Suppressed(msgspec.Struct):
    kind: Literal["inline", "baseline"]
    level: Level
    reason: str
    line: int | None


class _Finding(msgspec.Struct):
    code: str
    level: Level
    incomplete: bool
    message: str
    why: str | None
    sure: Sure | None
    proof: str | None
    where: _Where
    data: dict[str, Any]
    fix: _Fix | None
    contradicted: _Contradicted | None
    suppressed: _Suppressed | None


class _Reason(msgspec.Struct):
    code: str
    message: str
    data: dict[str, Any]


class _Result(msgspec.Struct):
    probe: str
    kind: Kind
    status: Status
    own_training: bool
    seconds: float
    reason: _Reason | None
    findings: list[_Finding]


class _Review(msgspec.Struct):
    judgement: Literal["accepted", "returned"]
    comment: str
    by: str
    when: str
    outdated: bool


class _Agent(msgspec.Struct):
    conclusion: Literal["problem", "ok", "not_applicable"]
    note: str
    program: str
    when: str


class _Item(msgspec.Struct):
    id: str
    checklist: str
    suggestion: Verdict
    conclusion: Literal["problem", "ok", "not_applicable"] | None
    note: str
    by: str | None
    when: str | None
    review: _Review | None
    agent: _Agent | None
    results: list[_Result]


class _Step(msgspec.Struct):
    item: str
    answer: Verdict
    concluded: bool
    next: str
    why: str


class _Collect(msgspec.Struct):
    framework: str
    path: str
    title: str
    code: str


class _Input(msgspec.Struct):
    key: str
    given: list[str]
    lacking: list[str]
    written: bool
    optional: bool
    collect: _Collect | None


class _Way(msgspec.Struct):
    when: list[str]
    to: str
    text: str


class _Here(msgspec.Struct):
    item: str
    inputs: list[_Input]
    ways: list[_Way]


class _End(msgspec.Struct):
    name: str
    title: str
    advice: str
    problems: list[str]


class _Path(msgspec.Struct):
    checklist: str
    steps: list[_Step]
    here: _Here | None
    end: _End | None
    ahead: list[str]


class _SignOff(msgspec.Struct):
    by: str
    when: str
    comment: str
    checklists: dict[str, int]
    items: int
    changed: list[str]


class _Counts(msgspec.Struct):
    items: dict[Verdict, int]
    probes: dict[Status, int]


class Run(msgspec.Struct):
    """What accucheck run --json and the JSON report hold."""

    version: Literal[1]
    case: str
    taken: dict[str, Plain | list[str]]
    items: list[_Item]
    paths: list[_Path]
    sign_off: _SignOff | None
    summary: _Counts


#: name -> its version and what it describes.
SCHEMAS: dict[str, tuple[int, Callable[[], dict[str, Any]]]] = {
    "case": (case.VERSION, case.schema),
    "checklist": (1, checklist.schema),
    "run": (machine.VERSION, lambda: document.schema(Run)),
    "session": (session.VERSION, lambda: document.schema(session.Record)),
    "settings": (1, lambda: document.schema(settings.Settings)),
}


def schema(name: str) -> dict[str, Any]:
    """One of SCHEMAS as JSON Schema 2020-12."""
    version, make = SCHEMAS[name]
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": _NAME.format(name=name, version=version)}
    return {**head, **make()}


def text(name: str) -> str:
    """The same as a file holds it."""
    import json

    return json.dumps(schema(name), indent=2, ensure_ascii=False) + "\n"
