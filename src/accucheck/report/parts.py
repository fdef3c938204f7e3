"""What a report consists of, as plain nested data in one language or in two. build.py makes it, the writers format it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Union

import msgspec

from ..language import word
from ..model import Chart, Language, Level, Status, Verdict
from .bilingual import BilingualText, joined, said
from .words import WORDS


class _Part(msgspec.Struct, frozen=True):
    pass


class WholeTable(_Part, frozen=True):
    """A table with all that was recorded of it, for the file `name` beside the report: how many rows, and these as the text of a CSV."""

    name: str
    count: int
    columns: list[str]
    body: str


class TablePart(_Part, frozen=True, tag="table"):
    """Cells as text; `numeric` says which columns to align right; `bound` what was left out, or empty; `whole` is there where
    something was."""

    title: str
    columns: list[str]
    rows: list[list[str]]
    numeric: list[bool]
    bound: str = ""
    whole: WholeTable | None = None


class ChartPart(_Part, frozen=True, tag="chart"):
    """A chart to draw; `english` is drawn where the machine has no font for the report's language. `table`: some of its numbers, for
    where it is a file or cannot be shown."""

    title: str
    chart: Chart
    english: Chart
    bound: str = ""
    table: TablePart | None = None


class CodePart(_Part, frozen=True, tag="code"):
    """Lines with their numbers; `marked` are the numbers of the lines meant."""

    title: str
    line: int
    lines: list[str]
    marked: list[int]
    bound: str = ""


class TextPart(_Part, frozen=True, tag="text"):
    title: str
    lines: list[str]
    bound: str = ""


EvidencePart = Union[TablePart, ChartPart, CodePart, TextPart]


def kind(part: EvidencePart) -> str:
    """table, chart, code or text."""
    return str(part.__struct_config__.tag)


class FindingPart(_Part, frozen=True):
    """`why`, `proof` and `fix` are empty where a finding before it in the same result says the same. `grade`: how good a reason there is
    to believe in it, one of ranking.GRADES. `suppressed`: somebody has set it aside, as `message` says."""

    level: Level
    message: str
    where: str
    evidence: list[EvidencePart]
    more_evidence: int
    why: str
    sure: str
    proof: str
    fix: str
    diff: list[str]
    grade: str = "measured"
    suppressed: bool = False


class ResultPart(_Part, frozen=True):
    """What one probe said; `facts` are its kind, status and duration, `reason` why it did not finish, `log` the end of its
    log where it failed."""

    probe: str
    facts: list[str]
    status: Status
    suggestion: Verdict
    suggestion_text: str
    stale: bool
    reason: str
    findings: list[FindingPart]
    more_findings: int
    log: list[str]


class Attachment(_Part, frozen=True):
    """`kind` is picture (at `path`), file (to be copied beside the report: its `content`) or named (only its name goes in)."""

    name: str
    path: str
    kind: str
    content: bytes = b""


class ReviewPart(_Part, frozen=True):
    """What a reviewer says of an item: `state` is accepted, returned, or outdated where the answer or the findings have changed since;
    `text` says so in full."""

    state: str
    text: str
    by: str
    comment: list[str]


class AgentPart(_Part, frozen=True):
    """What a program concluded of an item: `text` is its conclusion, called a program's, and `by` its name and when."""

    text: str
    by: str
    note: list[str]


class ItemPart(_Part, frozen=True):
    """`state` is the conclusion, or the suggestion while nobody concluded; `checked` is False when neither a person nor a
    probe nor the case says anything of it."""

    id: str
    title: str
    method: list[str]
    conclusion: Verdict | None
    suggestion: Verdict
    state: Verdict
    checked: bool
    conclusion_text: str
    conclusion_brief: str
    suggestion_text: str
    by: str
    by_brief: str
    meaning: str
    overruled: str
    remedy: list[str]
    references: list[tuple[str, str]]
    note: list[str]
    note_brief: str
    attachments: list[Attachment]
    not_applicable: str
    results: list[ResultPart]
    not_run: list[str]
    no_probe: bool
    review: ReviewPart | None = None
    review_brief: str = ""
    agent: AgentPart | None = None


class SectionPart(_Part, frozen=True):
    id: str
    title: str
    items: list[ItemPart]


class ChecklistPart(_Part, frozen=True):
    name: str
    version: int
    title: str
    sections: list[SectionPart]


class Counts(_Part, frozen=True):
    """Items by state, how many nobody concluded, and how many (among the undecided) nothing has checked."""

    states: dict[str, int]
    open: int
    unchecked: int


class Highlight(_Part, frozen=True):
    """One thing that is wrong, where, how sure that is, and the fix in a line."""

    item: str
    where: str
    message: str
    sure: str
    fix: str


class VerdictPart(_Part, frozen=True):
    """The whole in two minutes: what is wrong first of all, `checked` how much was looked at, `limits` what to bear in mind.

    `symptom`, which stands before all else: what was reached and expected, and what the curves look like; empty where neither is known.
    `goal`: what is expected, with what was reached; empty where the case does not say what is expected.
    `state` is a problem, ok, or undecided where the session does not allow to say either.
    """

    state: Verdict
    headline: str
    highlights: list[Highlight]
    more_highlights: int
    checked: str
    limits: list[str]
    symptom: str = ""
    goal: str = ""


class TriedPart(_Part, frozen=True):
    """What came of training with the changes of findings: a row each, and what is to be known of the figures."""

    title: str
    table: TablePart
    notes: list[str]


class TunedPart(_Part, frozen=True):
    """What came of a search for hyper-parameters: what it says, how to train with the best, a row for each of the best trials, charts of
    them, and what is to be known of the figures."""

    title: str
    verdict: str
    advice: list[str]
    table: TablePart
    charts: list[ChartPart]
    notes: list[str]


class GradePart(_Part, frozen=True):
    """Whether this is worth filing: `grade` is one of grading.Grade, `why` what it rests on, `lacking` what would tell more."""

    grade: str
    title: str
    why: list[str]
    lacking: list[str]
    advice: str


class StepToReproduce(_Part, frozen=True):
    """What to do, and the lines to run or to write; `language` is that of the lines: sh, yaml, or empty where there are none."""

    title: str
    text: list[str]
    lines: list[str]
    language: str


class UncheckedGroup(_Part, frozen=True):
    """Something that was not checked: the items and probes that one reason concerns."""

    item: str
    probe: str
    why: str


class StepPart(_Part, frozen=True):
    """A step of a path that is behind: its `answer` as text, what it rests on, and where it led."""

    item: str
    title: str
    state: Verdict
    answer: str
    evidence: list[str]
    leads: str


class PathPart(_Part, frozen=True):
    """The path of a checklist as it was walked. `end` is empty before the end: `stands` then says where it stands, and `wanted` which
    inputs are lacking there. At the end `problems` names what is to be mended and `advice` what to do."""

    title: str
    steps: list[StepPart]
    stands: str
    wanted: list[str]
    end: str
    problems: str
    advice: list[str]


class SignOffPart(_Part, frozen=True):
    """Where the review of the whole stands: `lines` in words; `valid`, `void` or `open`."""

    state: str
    lines: list[str]
    comment: list[str]


class ChangeRow(_Part, frozen=True):
    """One change: `kind` is gone, new, still, altered, unknown or fresh of a finding, else what of an item changed."""

    item: str
    kind: str
    change: str
    text: str
    where: str


class SincePart(_Part, frozen=True):
    """What changed since an earlier round."""

    sides: str
    lines: list[str]
    rows: list[ChangeRow]
    more: int


class Report(_Part, frozen=True):
    """`languages`: one, or the two of `bilingual.both`. `asked` is what people who read an issue always ask for; `changes` is how the
    configuration differs from the one it was made from; `inputs` are the files examined, with digests; `versions` those of the tool, the
    checklists and the probes. `within` is the project's folder in its git repository, ended by a slash, or empty; `anchor` the file of
    the project for what has no place of its own, or empty. `sign_off` is None where nobody has reviewed anything, `since` where there is
    no earlier round. `order` are the items of which something may be wrong, as the next steps have them. `result` is the
    machine-readable object of `machine.result_json`. `others` are the items of which a short report has just a line (see brief.py); None
    in a whole one. `tried` is None where no change was tried, `tuned` where nothing was searched.
    """

    languages: tuple[Language, ...]
    title: str
    case: str
    generated: str
    moment: datetime
    tool: str
    checklists: list[ChecklistPart]
    counts: Counts
    overview: list[str]
    verdict: VerdictPart
    order: list[str]
    grade: GradePart
    paths: list[PathPart]
    environment: list[tuple[str, str]]
    asked: list[tuple[str, str]]
    changes: TablePart | None
    inputs: TablePart | None
    reproduce: list[StepToReproduce]
    versions: list[tuple[str, str]]
    private: str
    gaps: list[UncheckedGroup]
    more_gaps: int
    within: str
    anchor: str
    result: dict[str, Any]
    sign_off: SignOffPart | None = None
    since: SincePart | None = None
    others: list[ItemPart] | None = None
    tried: TriedPart | None = None
    tuned: TunedPart | None = None

    @property
    def language(self) -> Language:
        """The language of the report, of two the first."""
        return self.languages[0]

    @property
    def colon(self) -> str:
        """What stands between a label and its text."""
        return "：" if self.languages == (Language.ZH,) else ": "

    @property
    def brackets(self) -> tuple[str, str]:
        """What encloses a remark behind a text."""
        return ("（", "）") if self.languages == (Language.ZH,) else (" (", ")")

    @property
    def checklist_versions(self) -> str:
        """The checklists with their versions, in one line."""
        named = [self.say("checklist-version", title=each.title, version=each.version) for each in self.checklists]
        return joined("；" if self.languages == (Language.ZH,) else "; ", named)

    def say(self, key: str, /, **data: Any) -> str:
        """The words of a writer for `key` of WORDS, in the language or languages of the report."""
        return said(self.languages, lambda language, part: word(WORDS, key, language, **part), data)

    def pick(self, words: Mapping[str, str]) -> str:
        """Of a text in both languages, {"zh": ..., "en": ...}, that of the report."""
        return said(self.languages, lambda language, _: words[language.value], {})

    @property
    def whole_tables(self) -> list[WholeTable]:
        """The tables that go into files beside the report."""
        findings = [finding for item in self.items for result in item.results for finding in result.findings]
        parts = [
            self.changes,
            self.inputs,
            self.tried.table if self.tried else None,
            self.tuned.table if self.tuned else None,
            *(part for finding in findings for part in finding.evidence),
        ]
        return [part.whole for part in parts if isinstance(part, TablePart) and part.whole is not None]

    @property
    def items(self) -> list[ItemPart]:
        return [item for checklist in self.checklists for section in checklist.sections for item in section.items]


def spans(text: str) -> list[tuple[str, bool]]:
    """A checklist's prose as (text, whether it is code): what stands between backticks is code."""
    if isinstance(text, BilingualText):
        return [*spans(text.zh), ("\n" if text.long else " / ", False), *spans(text.en)]
    parts = text.split("`")
    if len(parts) % 2 == 0:  # a backtick without its fellow
        return [(text, False)]
    return [(part, number % 2 == 1) for number, part in enumerate(parts) if part]
