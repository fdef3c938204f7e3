"""The nouns of accucheck as frozen, JSON-plain records. No behaviour beyond how suggestions combine."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import TYPE_CHECKING, Any, Union

import msgspec

from .language import Language as Language

if TYPE_CHECKING:
    from datetime import datetime


class Kind(str, Enum):
    """What a probe touches: the text of scripts, files on disk, or a run of the user's own code."""

    STATIC = "static"
    FILE = "file"
    LIVE = "live"


#: A stronger kind settles a weaker kind's undecided suggestion.
STRENGTH = {Kind.STATIC: 0, Kind.FILE: 1, Kind.LIVE: 2}


class Level(str, Enum):
    PROBLEM = "problem"
    SUSPECT = "suspect"
    INFO = "info"


class Sure(str, Enum):
    """How sure a probe that reads code is of a finding; what a probe measured needs no such word.

    CERTAIN: the code alone decides it. LIKELY: it rests on something that a run may change: a default, an option of the
    command line, what a name says. POSSIBLE: the code allows it, and may well be right.
    """

    CERTAIN = "certain"
    LIKELY = "likely"
    POSSIBLE = "possible"


class Status(str, Enum):
    DONE = "done"
    SKIPPED = "skipped"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Verdict(str, Enum):
    """A suggestion of a probe or an item. A person's conclusion is one of the first three."""

    PROBLEM = "problem"
    OK = "ok"
    NOT_APPLICABLE = "not_applicable"
    UNDECIDED = "undecided"


CONCLUSIONS = (Verdict.PROBLEM, Verdict.OK, Verdict.NOT_APPLICABLE)


class Text(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One text in both languages."""

    zh: str
    en: str

    def __getitem__(self, language: Language) -> str:
        return self.zh if language is Language.ZH else self.en


#: What a record may hold as a measured value.
Plain = Union[str, int, float, bool, None]


class Where(msgspec.Struct, frozen=True, omit_defaults=True):
    """A place: a file (relative to the project where it can be), a line from 1, a column from 0, and what is there."""

    path: str | None = None
    line: int | None = None
    column: int | None = None
    name: str | None = None
    field: str | None = None
    step: int | None = None


class Table(msgspec.Struct, frozen=True, tag="table"):
    """Rows as measured. `title` and `columns` are keys of the probe's WORDS, or shown as they are.

    `total` is the number of rows that exist when `rows` holds only the first of them. `samples`: each row is a sample of the user's
    data, which a report leaves out unless it is asked for.
    """

    title: str
    columns: list[str]
    rows: list[list[Plain]]
    total: int | None = None
    samples: bool = False


class Curve(msgspec.Struct, frozen=True, tag="curve"):
    """One or more series over a common axis; `marks` are labelled positions on x."""

    title: str
    x_label: str
    y_label: str
    x: list[float]
    series: dict[str, list[float | None]]
    marks: dict[str, float] = {}


class Histogram(msgspec.Struct, frozen=True, tag="histogram"):
    """Counts per bin or per label; `x_label` and `y_label` say what labels and counts stand for."""

    title: str
    labels: list[str]
    counts: list[float]
    x_label: str = ""
    y_label: str = ""


class Heatmap(msgspec.Struct, frozen=True, tag="heatmap"):
    """A value for each row in each column, drawn as shades; None where there is none. `marked`: [row, column] of those meant.

    `total` is the number of rows that exist when `rows` holds only some of them.
    """

    title: str
    x_label: str
    y_label: str
    value_label: str
    rows: list[str]
    columns: list[str]
    values: list[list[float | None]]
    marked: list[list[int]] = []
    total: int | None = None


class Code(msgspec.Struct, frozen=True, tag="code"):
    """Lines of a source file as they stand; `line` is the number of the first, `marked` are the ones meant."""

    path: str
    line: int
    text: str
    marked: list[int] = []
    language: str = "python"


class Images(msgspec.Struct, frozen=True, tag="images"):
    """Pictures by path, each with a caption."""

    title: str
    paths: list[str]
    captions: list[str]


class Branch(msgspec.Struct, frozen=True, array_like=True):
    """A line of a Tree: how deep it stands, what it names, what was measured there, and whether it is one of those meant."""

    depth: int
    text: str
    value: Plain = None
    marked: bool = False


class Tree(msgspec.Struct, frozen=True, tag="tree"):
    """What is nested, coarse to fine: each branch after the one it belongs to. `value` says what their values are.

    `total` is the number of branches that exist when `branches` leaves out the finer ones.
    """

    title: str
    value: str
    branches: list[Branch]
    total: int | None = None


class Note(msgspec.Struct, frozen=True, tag="text"):
    """Plain text as measured, for instance an excerpt of a log."""

    title: str
    text: str


Chart = Union[Curve, Histogram, Heatmap]
CHARTS = (Curve, Histogram, Heatmap)
Evidence = Union[Table, Tree, Chart, Code, Images, Note]


def line_of(branch: Branch) -> str:
    """A branch in one line, without its depth; ! stands before those meant."""
    value = (
        f"{branch.value:.3g}" if isinstance(branch.value, float) else "" if branch.value is None else str(branch.value)
    )
    return f"{'! ' if branch.marked else ''}{branch.text}  {value}".rstrip()


#: Levels of a tree beyond this are shown as this one: a session from elsewhere may hold any number.
MAX_TREE = 40


def tree_text(tree: Tree) -> str:
    """A tree in plain text, two blanks a level."""
    return "\n".join("  " * min(branch.depth, MAX_TREE) + line_of(branch) for branch in tree.branches)


class Fix(msgspec.Struct, frozen=True, omit_defaults=True):
    """How to mend a finding: a key of the probe's MESSAGES, and a unified diff where one can be given."""

    message: str
    diff: str | None = None


class Refutes(msgspec.Struct, frozen=True, omit_defaults=True):
    """Findings of a probe of a weaker kind that an observation proves wrong: those of `probe` with one of `codes`.

    `data`: only those that have these values in their own data, or among those of a list there; `places`: only those within one of these
    lines, [first, last], of a file. Where they are empty, any.
    """

    probe: str
    codes: list[str]
    data: dict[str, Plain] = {}
    places: dict[str, list[list[int]]] = {}

    def meet(self, probe: str, finding: Finding) -> bool:
        return (
            probe == self.probe
            and finding.code in self.codes
            and all(_among(value, finding.data.get(key)) for key, value in self.data.items())
            and (not self.places or self._has(finding.where))
        )

    def _has(self, where: Where) -> bool:
        spans = self.places.get(where.path or "", [])
        return where.line is not None and any(first <= where.line <= last for first, last in spans)


def _among(value: Plain, found: Any) -> bool:
    return value in found if isinstance(found, list) else bool(found == value)


class Contradiction(msgspec.Struct, frozen=True):
    """What speaks against a finding: the finding of another probe at the same item. `level`: what the finding was."""

    probe: str
    code: str
    level: Level
    where: Where = Where()
    data: dict[str, Any] = {}


class Suppression(msgspec.Struct, frozen=True):
    """Why a finding does not count though nothing contradicts it: `kind` is inline, a comment in the code with its reason at `line`, or
    baseline, whose file is then the reason. `level`: what the finding was."""

    kind: str
    level: Level
    reason: str
    line: int | None = None


class Finding(msgspec.Struct, frozen=True):
    """One thing a probe measured. Its words are the probe's MESSAGES[code], formatted with `data`.

    `incomplete` marks something that could not be examined: without a problem, the probe's suggestion is then undecided.
    `sure` is for findings that were read from code; None where something was measured.
    `refutes` names what this observation proves wrong. `contradicted` is set by `weigh`, never by a probe and never stored.
    `suppressed` is set by suppressing.py where a person has set the finding aside; its level is then information.
    """

    code: str
    level: Level
    where: Where = Where()
    data: dict[str, Any] = {}
    evidence: list[Evidence] = []
    fix: Fix | None = None
    incomplete: bool = False
    sure: Sure | None = None
    refutes: list[Refutes] = []
    contradicted: Contradiction | None = None
    suppressed: Suppression | None = None

    @property
    def weight(self) -> Level:
        """Its level, or what that was before somebody set the finding aside."""
        return self.suppressed.level if self.suppressed is not None else self.level


#: How deep what a finding measured may be nested. No probe of ours nests at all.
MAX_NESTED = 100


def too_deep(data: dict[str, Any]) -> bool:
    """Whether data from elsewhere are nested beyond MAX_NESTED, where code that follows them would break off."""
    below: list[Any] = list(data.values())
    for _ in range(MAX_NESTED):
        nested = [value for value in below if isinstance(value, (dict, list))]
        if not nested:
            return False
        below = [inner for value in nested for inner in (value.values() if isinstance(value, dict) else value)]
    return True


class Progress(msgspec.Struct, frozen=True):
    """How far a probe is. `total` is None while unknown; `unit` is one of files, bytes, rows, samples, tensors, steps."""

    done: int
    total: int | None = None
    unit: str = "files"


class Reason(msgspec.Struct, frozen=True):
    """Why a probe did not finish: a code of probe.REASONS or of the probe's MESSAGES, with what fills its template."""

    code: str
    data: dict[str, Any] = {}


class ProbeResult(msgspec.Struct, frozen=True):
    """What one probe said about one item. `inputs` is the fingerprint of what it read, to know a stale result.

    `own_training`: it watched a training that accucheck made of the case's functions, not the user's.
    """

    probe: str
    kind: Kind
    status: Status
    suggestion: Verdict
    findings: list[Finding] = []
    seconds: float = 0.0
    started: str = ""
    reason: Reason | None = None
    log: str = ""
    inputs: str = ""
    tool: str = ""
    own_training: bool = False


def now() -> str:
    """The present moment, ISO 8601 in UTC, to the second."""
    from datetime import datetime, timezone

    return datetime.now(timezone.utc).replace(microsecond=0).isoformat()


def moment_of(text: str) -> datetime:
    """The moment of an ISO 8601 text, whose Z for UTC Python 3.10 does not read. Raises ValueError."""
    from datetime import datetime

    return datetime.fromisoformat(text[:-1] + "+00:00" if text.endswith("Z") else text)


def local_time(text: str) -> str:
    """The moment of an ISO 8601 text in the local time zone, to the minute; as it stands when it is none."""
    try:
        return f"{moment_of(text).astimezone():%Y-%m-%d %H:%M}"
    except (ValueError, OverflowError, OSError):
        return text


def suggest(findings: Iterable[Finding]) -> Verdict:
    """A probe's suggestion: any problem; else undecided on a suspect or a gap; else ok."""
    verdict = Verdict.OK
    for finding in findings:
        if finding.level is Level.PROBLEM:
            return Verdict.PROBLEM
        if finding.level is Level.SUSPECT or finding.incomplete:
            verdict = Verdict.UNDECIDED
    return verdict


def weigh(results: Iterable[ProbeResult]) -> list[ProbeResult]:
    """The results of one item, where what is refuted is mere information that says what contradicts it.

    A finding is refuted by one of a finished probe of a stronger kind that names it in `refutes`. What accucheck saw in a training of
    its own says nothing against files of the user's.
    """
    results = list(results)
    against = [
        (result, finding, entry)
        for result in results
        if result.status is Status.DONE
        for finding in result.findings
        for entry in finding.refutes
    ]
    return [_weighed(result, against) for result in results] if against else results


def _weighed(result: ProbeResult, against: list[tuple[ProbeResult, Finding, Refutes]]) -> ProbeResult:
    able = [(other, seen, entry) for other, seen, entry in against if _outranks(other, result)]
    findings = [_contradicted(result.probe, finding, able) for finding in result.findings]
    if not any(finding.contradicted for finding in findings):
        return result
    rest = suggest(findings)
    suggestion = rest if result.status is Status.DONE and rest is not Verdict.OK else Verdict.UNDECIDED
    return msgspec.structs.replace(result, findings=findings, suggestion=suggestion)


def _contradicted(probe: str, finding: Finding, able: list[tuple[ProbeResult, Finding, Refutes]]) -> Finding:
    if finding.level is Level.INFO:
        return finding
    for other, seen, entry in able:
        if entry.meet(probe, finding):
            why = Contradiction(other.probe, seen.code, finding.level, seen.where, seen.data)
            return msgspec.structs.replace(finding, level=Level.INFO, incomplete=False, contradicted=why)
    return finding


def _outranks(one: ProbeResult, other: ProbeResult) -> bool:
    """Whether what one probe saw may speak against what the other says."""
    if one.own_training and other.kind is not Kind.STATIC:
        return False
    return STRENGTH[one.kind] > STRENGTH[other.kind]


def suspected(results: Iterable[ProbeResult]) -> bool:
    """Whether something is suspected, or found, that nothing contradicts."""
    return any(finding.level is not Level.INFO for result in weigh(results) for finding in result.findings)


def combine(results: Iterable[ProbeResult]) -> Verdict:
    """An item's suggestion from the results of its probes, weighed against each other.

    A problem of any probe wins. A failed, cancelled or undecided probe leaves the item undecided, unless it has nothing but information
    to give, or just could not see something, and a probe of a stronger kind decided: no verdict of another probe does away with a
    suspect. A training of accucheck's own settles nothing. Skipped probes do not count; when nothing ran the item is undecided.
    """
    ran = [result for result in weigh(results) if result.status is not Status.SKIPPED]
    if not ran:
        return Verdict.UNDECIDED
    if any(result.suggestion is Verdict.PROBLEM for result in ran):
        return Verdict.PROBLEM
    decided = [r for r in ran if r.status is Status.DONE and r.suggestion in (Verdict.OK, Verdict.NOT_APPLICABLE)]
    if not decided or not all(result in decided or _settled(result, decided) for result in ran):
        return Verdict.UNDECIDED
    if all(result.suggestion is Verdict.NOT_APPLICABLE for result in decided):
        return Verdict.NOT_APPLICABLE
    return Verdict.OK


def _settled(result: ProbeResult, decided: list[ProbeResult]) -> bool:
    """Whether an undecided probe leaves the decision to others: it has only information, or what it could not see others did."""
    if result.status is not Status.DONE or any(finding.weight is not Level.INFO for finding in result.findings):
        return False
    if not any(finding.incomplete for finding in result.findings):
        return True
    return any(not other.own_training and _outranks(other, result) for other in decided)
