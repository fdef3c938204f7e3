"""Session -> Report: everything a report says, in one language, as plain nested data. Writers only format it.

Untrusted text is made visible here and home folders are shown as ~; what remains for a writer is the markup of its format.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Union

import msgspec

from .. import __version__, probe
from ..case import FILE_NAME, Case
from ..checklist import Checklist, Item
from ..difference import Difference
from ..errors import UserError
from ..language import visible, word
from ..model import (
    Code,
    Curve,
    Evidence,
    Finding,
    Histogram,
    Images,
    Kind,
    Language,
    Level,
    Note,
    Plain,
    ProbeResult,
    Status,
    Sure,
    Table,
    Text,
    Tree,
    Verdict,
    Where,
    now,
    tree_text,
)
from ..path import Step, Walked, walk, wanted
from ..probe import SURE
from ..reviewing import obstacles
from ..session import Entry, Judgement, Record, suggestion
from . import changes, grading, machine, redact, spreadsheet
from . import environment as environments
from . import inputs as input_files
from . import since as earlier
from .bilingual import Both, said
from .redact import Redactor
from .words import KINDS, STATUSES, VERDICTS, WORDS

#: A report is read by people: what goes beyond these is counted, and stands in full in the JSON report or the session.
MAX_FINDINGS = 30  # per result
MAX_EVIDENCE = 6  # per finding
MAX_CHARTS = 10  # per result
MAX_ROWS = 50
MAX_COLUMNS = 10
MAX_LINES = 200  # of an excerpt or a diff
MAX_LOG_LINES = 20
MAX_CHARACTERS = 2000  # of one value on one line
MAX_CELL = 200
MAX_HIGHLIGHTS = 15  # in all
MAX_HIGHLIGHTS_AN_ITEM = 3
MAX_NOTE_BRIEF = 60
MAX_NOT_CHECKED = 200
MAX_CHANGES = 200  # since an earlier round
MAX_STEP_EVIDENCE = 3  # of a step of a path
MAX_GROUND_ITEMS = 5
MAX_TOLD = 2  # of what probes said of one thing that is always asked
MAX_ATTACHMENT = 10 << 20  # bytes of a file that is copied beside the report
MAX_NOTE, MAX_NOTE_LINES = 120_000, 1000  # characters and lines of an item's note
#: In all of a report, which a stranger's session could make endless; what is over is counted like the rest.
MAX_FINDINGS_IN_ALL = 1000
MAX_CHARTS_IN_ALL = 60
MAX_EVIDENCE_IN_ALL = 500_000  # characters of tables and excerpts
MAX_ATTACHMENTS_IN_ALL = 50  # that are copied

INPUT_COLUMNS = ("key", "path", "files", "bytes", "md5", "method")
#: What is always asked, and the probes that tell it.
ASKED = {
    "seeds": ("randomness_fixed", "rank_seeds"),
    "runs": ("reproducible_runs",),
    "data": ("dataset_digest",),
    "hyperparameters": ("training_settings",),
    "loss-scale": ("loss_scale", "loss_scale_script"),
}

_PICTURES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp")


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
    """A chart to draw; `english` is drawn where the machine has no font for the report's language."""

    title: str
    chart: Union[Curve, Histogram]
    english: Union[Curve, Histogram]
    bound: str = ""


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
    """`why`, `proof` and `fix` are empty where a finding before it in the same result says the same."""

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
    """`kind` is picture, file (to be copied beside the report) or named (only its name goes in)."""

    name: str
    path: str
    kind: str


class ReviewPart(_Part, frozen=True):
    """What a reviewer says of an item: `state` is accepted, returned, or outdated where the answer or the findings have changed since;
    `text` says so in full."""

    state: str
    text: str
    by: str
    comment: list[str]


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
    """One thing that is wrong, where, and how sure that is."""

    item: str
    where: str
    message: str
    sure: str


class VerdictPart(_Part, frozen=True):
    """The whole in two minutes: what is wrong first of all, `checked` how much was looked at, `limits` what to bear in mind.

    `state` is a problem, ok, or undecided where the session does not allow to say either.
    """

    state: Verdict
    headline: str
    highlights: list[Highlight]
    more_highlights: int
    checked: str
    limits: list[str]


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


class Gap(_Part, frozen=True):
    """Something that was not checked."""

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
    no earlier round. `result` is the machine-readable object of `machine.result_json`.
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
    grade: GradePart
    paths: list[PathPart]
    environment: list[tuple[str, str]]
    asked: list[tuple[str, str]]
    changes: TablePart | None
    inputs: TablePart | None
    reproduce: list[StepToReproduce]
    versions: list[tuple[str, str]]
    gaps: list[Gap]
    more_gaps: int
    within: str
    anchor: str
    result: dict[str, Any]
    sign_off: SignOffPart | None = None
    since: SincePart | None = None

    @property
    def language(self) -> Language:
        """The language of the report, of two the first."""
        return self.languages[0]

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
        parts = [self.changes, self.inputs, *(part for finding in findings for part in finding.evidence)]
        return [part.whole for part in parts if isinstance(part, TablePart) and part.whole is not None]

    @property
    def items(self) -> list[ItemPart]:
        return [item for checklist in self.checklists for section in checklist.sections for item in section.items]


def build(
    session_record: Record,
    checklists: list[Checklist],
    case: Case,
    language: Language,
    environment: dict[str, Any] | None = None,
    stale: Collection[tuple[str, str]] = frozenset(),
    generated: str | None = None,
    inputs: list[dict[str, Any]] | None = None,
    hide: Redactor | None = None,
    since: Difference | None = None,
) -> Report:
    """The report of a session. `environment` is of environment.collect(), `inputs` of inputs.collect(); `stale` holds (item id,
    probe) of results whose inputs have changed; `generated` is an ISO 8601 moment, by default the present one; `hide` replaces
    private data, by default as redact.of() knows it; `since` is what changed from an earlier round to this session."""
    if hide is None:
        hide = redact.of(case)
        hide.learn(msgspec.to_builtins(session_record))
    return _Builder(session_record, case, language, stale, hide).report(
        checklists, environment, generated or now(), inputs or [], since
    )


class _Builder:
    """What every part of one report needs to know."""

    def __init__(
        self, record: Record, case: Case, language: Language, stale: Collection[tuple[str, str]], hide: Redactor
    ) -> None:
        self.record, self.case, self.language, self.stale = record, case, language, stale
        self.speech = machine.Speech(language)
        self.english = machine.Speech(Language.EN)
        self.facts = case.facts()
        self.hide = hide
        self.origins: dict[str, str] = {}
        self.tables = 0  # that have a file of their own
        self.room_for_findings, self.room_for_charts = MAX_FINDINGS_IN_ALL, MAX_CHARTS_IN_ALL
        self.room_for_evidence, self.room_for_attachments = MAX_EVIDENCE_IN_ALL, MAX_ATTACHMENTS_IN_ALL

    # --- texts --------------------------------------------------------------------------------------------------------

    def say(self, key: str, **data: Any) -> str:
        return word(WORDS, key, self.language, **data)

    def verdict(self, verdict: Verdict) -> str:
        return VERDICTS[verdict.value][self.language.value]

    def line(self, text: str, limit: int = MAX_CHARACTERS) -> str:
        """Untrusted text as one visible line of bounded length."""
        return _cut(visible(self.hide(text.strip())), limit)

    def lines(self, text: str, limit: int = MAX_LINES) -> tuple[list[str], str]:
        """Untrusted text as visible lines, and what was left out."""
        text = self.hide(text.replace("\r\n", "\n"), whole_path=False)
        whole = text.strip("\n").split("\n") if text.strip() else []
        shown = [_cut(visible(line.expandtabs(4)), MAX_CHARACTERS) for line in whole[:limit]]
        return shown, self.say("lines", shown=limit, total=len(whole)) if len(whole) > limit else ""

    def prose(self, text: str) -> list[str]:
        """Paragraphs that a person wrote: line breaks kept, wide and unbreakable spaces are just spaces."""
        plain = text.replace("\u3000", " ").replace("\xa0", " ").replace("\r\n", "\n").strip()
        return [visible(line.expandtabs(4)).rstrip() for line in self.hide(plain).split("\n") if line.strip()]

    def who(self, entry: Entry, limit: int) -> str:
        return self.line(self.hide.person(entry.who), limit)

    def note(self, text: str) -> list[str]:
        """A person's note, and what of it was left out."""
        said = self.prose(text[:MAX_NOTE])
        shown = said[:MAX_NOTE_LINES]
        if len(text) > MAX_NOTE or len(said) > len(shown):
            shown.append(f"({self.say('note-cut', shown=sum(map(len, shown)), total=len(text))})")
        return shown

    # --- the whole ----------------------------------------------------------------------------------------------------

    def report(
        self,
        checklists: list[Checklist],
        environment: dict[str, Any] | None,
        generated: str,
        inputs: list[dict[str, Any]],
        since: Difference | None,
    ) -> Report:
        moment = datetime.fromisoformat(generated.replace("Z", "+00:00"))
        parts = [
            ChecklistPart(
                checklist.name,
                checklist.version,
                self.line(checklist.title[self.language]),
                [
                    SectionPart(
                        id=self.line(section.id, 80),
                        title=self.line(section.title[self.language]),
                        items=[self.item(item) for item in section.items],
                    )
                    for section in checklist.sections
                ],
            )
            for checklist in checklists
        ]
        items = [item for part in parts for section in part.sections for item in section.items]
        states = Counter(item.state.value for item in items)
        counts = Counts(
            states={verdict.value: states[verdict.value] for verdict in Verdict},
            open=sum(item.conclusion is None for item in items),
            unchecked=sum(not item.checked for item in items),
        )
        gaps = [gap for checklist in checklists for item in checklist.items for gap in self.gaps(item)]
        verdict = self.verdict_part(items, [item for checklist in checklists for item in checklist.items])
        grade = self.grade(checklists)
        result = {
            **machine.result_json(self.record, checklists, self.case, self.language),
            "verdict": msgspec.to_builtins(verdict),
            "grade": msgspec.to_builtins(grade),
            "environment": environment,
            "inputs": inputs,
        }
        changed = self.configuration()
        return Report(
            languages=(self.language,),
            title=self.say("title"),
            case=self.line(self.case.name, MAX_CELL),
            generated=_moment(generated),
            moment=moment,
            tool=f"accucheck {__version__}",
            checklists=parts,
            counts=counts,
            overview=self.overview(counts, len(items)),
            verdict=verdict,
            grade=grade,
            paths=[
                self.path(path, {item.id: item for item in items})
                for checklist in checklists
                if (path := walk(checklist, self.record, self.case))
            ],
            environment=[(label, self.line(value)) for label, value in environments.rows(environment, self.language)]
            if environment
            else [],
            asked=self.asked(changed),
            changes=self.change_table(changed) if isinstance(changed, list) else None,
            inputs=self.inputs(inputs),
            reproduce=self.reproduce(checklists, environment or {}),
            versions=self.versions(checklists),
            gaps=gaps[:MAX_NOT_CHECKED],
            more_gaps=max(0, len(gaps) - MAX_NOT_CHECKED),
            within="" if self.case.alone else self.line(_within_repository(Path(self.case.root))),
            anchor=self.anchor(),
            result=self.hidden(result),
            sign_off=self.sign_off(checklists),
            since=self.since(since, checklists) if since is not None else None,
        )

    def anchor(self) -> str:
        """The case file, else the first script of the project."""
        if self.case.alone:
            return ""
        scripts = [self.case.relative(path) for path in self.case.paths("scripts.train")]
        files = [FILE_NAME, *(path for path in scripts if not Path(path).is_absolute())]
        return next((self.line(path) for path in files if Path(self.case.root, path).is_file()), "")

    def hidden(self, result: dict[str, Any]) -> dict[str, Any]:
        """The result without what is to be hidden; a diff that this changed is marked, as it no longer applies."""
        hidden: dict[str, Any] = self.hide.within(result)
        for before, after in zip(_findings(result), _findings(hidden), strict=True):
            if before["fix"] and before["fix"]["diff"] != after["fix"]["diff"]:
                after["fix"]["redacted"] = True
        return hidden

    def overview(self, counts: Counts, total: int) -> list[str]:
        said = [self.say("overview", total=total, **counts.states)]
        if counts.unchecked:
            said.append(self.say("overview-unchecked", count=counts.unchecked))
        if counts.open:
            said.append(self.say("overview-open", count=counts.open))
        return said

    # --- the front ----------------------------------------------------------------------------------------------------

    def verdict_part(self, items: list[ItemPart], known: list[Item]) -> VerdictPart:
        """What is wrong, the most certain first and then what lies most upstream; and how far that goes. `known`: the same items."""
        total = len(items)
        decided = [item for item in items if item.state is not Verdict.UNDECIDED]
        problems = [item for item in items if item.state is Verdict.PROBLEM]
        results = [result for item in items for result in item.results]
        statuses = Counter(result.status for result in results)
        suspects = [
            item
            for item in items
            if item.state is Verdict.UNDECIDED
            and any(finding.level is not Level.INFO for result in item.results for finding in result.findings)
        ]
        limits = [
            self.say(f"verdict-{key}", items=self.ids(meant), count=len(meant))
            for key, meant in (
                ("suspects", suspects),
                ("failed", [item for item in items if _has(item, Status.FAILED) or _has(item, Status.CANCELLED)]),
                ("stale", [item for item in items if any(result.stale for result in item.results)]),
                ("overruled", [item for item in items if item.overruled]),
                ("partial", [item for item, each in zip(items, known, strict=True) if self.partial(each)]),
            )
            if meant
        ]
        if problems:
            state = Verdict.PROBLEM
            concluded = sum(item.conclusion is not None for item in problems)
            suggested = len(problems) - concluded
            key = "" if concluded and suggested else "-concluded" if concluded else "-suggested"
            headline = self.say(f"verdict-problem{key}", count=len(problems), concluded=concluded, suggested=suggested)
        elif not any(item.checked for item in items):
            state, headline = Verdict.UNDECIDED, self.say("verdict-nothing")
        elif suspects:
            state, headline = Verdict.UNDECIDED, self.say("verdict-suspects-only", count=len(suspects))
        elif len(decided) < total or limits:
            state = Verdict.UNDECIDED
            key = "verdict-little" if len(decided) * 2 < total else "verdict-open"
            headline = self.say(key, decided=len(decided), total=total)
        else:
            state, headline = Verdict.OK, self.say("verdict-ok", total=total)
        highlights, more = self.highlights(problems)
        return VerdictPart(
            state=state,
            headline=headline,
            highlights=highlights,
            more_highlights=more,
            checked=self.say(
                "verdict-checked",
                decided=len(decided),
                total=total,
                person=sum(item.conclusion is not None for item in items),
                done=statuses[Status.DONE],
                failed=statuses[Status.FAILED] + statuses[Status.CANCELLED],
                skipped=statuses[Status.SKIPPED],
            ),
            limits=limits,
        )

    def ids(self, items: Sequence[ItemPart], most: int = 8) -> str:
        shown = [item.id for item in items[:most]] + (["…"] if len(items) > most else [])
        return (", " if self.language is Language.EN else "、").join(shown)

    def partial(self, item: Item) -> bool:
        results = self.record.entries.get(item.id, Entry()).results.values()
        return any(finding.incomplete for result in results for finding in result.findings)

    def highlights(self, problems: list[ItemPart]) -> tuple[list[Highlight], int]:
        """Problems of the items that stand as problems: some of each item, so that one does not hide the others."""
        found: list[tuple[int, ItemPart, list[Highlight], int]] = []
        for item in problems:
            telling = [
                (self.certainty(item, finding), Highlight(item.id, finding.where, _cut(finding.message, 300), sure))
                for result in item.results
                for finding in result.findings
                if finding.level is Level.PROBLEM and (sure := self.sure(item, result, finding))
            ]
            by = self.say("sure-concluded", by=item.by)
            telling = telling or [(0, Highlight(item.id, "", item.note_brief or item.title, by if item.by else ""))]
            telling.sort(key=lambda pair: pair[0])
            hidden = sum(result.more_findings for result in item.results if result.suggestion is Verdict.PROBLEM)
            found.append((telling[0][0], item, [highlight for _, highlight in telling], hidden))
        chosen: list[Highlight] = []
        left = 0
        for _, _, highlights, hidden in sorted(found, key=lambda each: each[0]):
            room = min(MAX_HIGHLIGHTS_AN_ITEM, MAX_HIGHLIGHTS - len(chosen))
            chosen += highlights[:room]
            left += len(highlights) - len(highlights[:room]) + hidden
        return chosen, left

    def certainty(self, item: ItemPart, finding: FindingPart) -> int:
        """0 for what a person concluded, 1 for what was measured or is certain by the code, 2 for likely, 3 for possible."""
        ranks = {word(SURE, key.value, self.language): rank for rank, key in enumerate(Sure, start=1)}
        return 0 if item.conclusion is not None else ranks.get(finding.sure, 1)

    def sure(self, item: ItemPart, result: ResultPart, finding: FindingPart) -> str:
        """How sure it is that a finding stands, in a few words."""
        said = [
            self.say("sure-concluded", by=item.by)
            if item.conclusion is not None
            else self.say("sure-suggested", how=finding.sure or self.say("sure-measured"))
        ]
        if result.stale:
            said.append(self.say("stale"))
        return (", " if self.language is Language.EN else "，").join(said)

    def grade(self, checklists: list[Checklist]) -> GradePart:
        graded = grading.grade(self.record, checklists, self.case, self.stale)
        key = graded.grade.value
        return GradePart(
            grade=key,
            title=word(grading.WORDS, key, self.language),
            why=[self.ground(ground) for ground in graded.why],
            lacking=[self.ground(ground) for ground in graded.lacking],
            advice=word(grading.WORDS, f"{key}-advice", self.language),
        )

    def ground(self, ground: grading.Ground) -> str:
        names = [self.line(f"{item.id} {item.title[self.language]}", 120) for item in ground.items[:MAX_GROUND_ITEMS]]
        if len(ground.items) > len(names):
            names.append(self.say("and-more", count=len(ground.items) - len(names)))
        between = "; " if self.language is Language.EN else "；"
        return word(grading.WORDS, ground.key, self.language, items=between.join(names), count=ground.count)

    # --- what others need ---------------------------------------------------------------------------------------------

    def configuration(self) -> list[changes.Change] | UserError | None:
        """How the configuration differs from its base; the error where one of them cannot be read; None where not both are given."""
        try:
            return changes.changes(self.case)
        except UserError as error:
            return error

    def change_table(self, changed: list[changes.Change]) -> TablePart | None:
        if not changed:
            return None
        keys = ("column-config-key", "column-config-base", "column-config-used")
        return self.plain_table("config-changes", keys, [[each.key, each.base, each.used] for each in changed])

    def plain_table(self, title: str, columns: Sequence[str], rows: list[list[Plain]]) -> TablePart:
        """A table of the report itself: title and columns are keys of WORDS."""
        return self.table("", Table(self.say(title), [self.say(column) for column in columns], rows))

    def inputs(self, inputs: list[dict[str, Any]]) -> TablePart | None:
        if not inputs:
            return None
        rows: list[list[Plain]] = [
            [
                word(input_files.WORDS, "code", self.language) if row["key"] == input_files.CODE else row["key"],
                row["path"],
                row["files"],
                row["bytes"],
                row["md5"],
                word(input_files.WORDS, row["method"], self.language),
            ]
            for row in inputs
        ]
        return self.plain_table("inputs", [f"column-input-{key}" for key in INPUT_COLUMNS], rows)

    def asked(self, changed: list[changes.Change] | UserError | None) -> list[tuple[str, str]]:
        """What maintainers ask for beside the environment, as far as probes told it or the case says so."""
        rows = [(self.say(f"asked-{key}"), self.told(probes)) for key, probes in ASKED.items()]
        curve = self.case.get("curves.train")
        given = self.line(self.case.relative(curve)) if curve else ""
        rows.append((self.say("asked-curve"), given))
        if isinstance(changed, UserError):
            said = self.line(str(changed.text(self.language)))
        elif changed is None:
            said = ""
        else:
            base = self.line(self.case.relative(self.case.get("configs.base")))
            said = self.say("config-differs" if changed else "config-same", base=base, count=len(changed))
        rows.append((self.say("asked-config"), said))
        return [(label, value or self.say("not-given")) for label, value in rows]

    def told(self, probes: Sequence[str]) -> str:
        """The first things that these probes found, the worst first."""
        order = {Level.PROBLEM: 0, Level.SUSPECT: 1, Level.INFO: 2}
        found: dict[str, Level] = {}
        for name in probes:
            for entry in self.record.entries.values():
                result = entry.results.get(name)
                if result is not None and result.status is Status.DONE:
                    for finding in result.findings:
                        found.setdefault(self.message(name, finding), finding.level)
        return " ".join(_cut(text, 300) for text in sorted(found, key=lambda text: order[found[text]])[:MAX_TOLD])

    def versions(self, checklists: list[Checklist]) -> list[tuple[str, str]]:
        """The versions of the tool, of the checklists, and of what ran the probes, which may be an older one or another package."""
        rows = [(self.say("tool"), f"accucheck {__version__}")]
        for checklist in checklists:
            title = self.line(checklist.title[self.language])
            rows.append(
                (
                    self.say("checklist"),
                    self.say("checklist-named", title=title, name=checklist.name, version=checklist.version),
                )
            )
        packages = Counter(
            self.package(result.probe, result.tool)
            for checklist in checklists
            for item in checklist.items
            for result in self.record.entries.get(item.id, Entry()).results.values()
            if result.status is not Status.SKIPPED
        )
        rows += [
            (self.say("probes"), self.say("probes-of", count=count, package=self.line(package, 120)))
            for package, count in sorted(packages.items())
        ]
        return rows

    def package(self, name: str, tool: str) -> str:
        """The package a probe comes from, with its version."""
        if name not in self.origins:
            self.origins[name] = probe.origin(name)
        return self.origins[name] or f"accucheck {tool or '?'}"

    def reproduce(self, checklists: list[Checklist], environment: dict[str, Any]) -> list[StepToReproduce]:
        """What somebody else does to see the same: code, packages, data, training, the case, and the check itself."""
        get = environment.get
        steps: list[tuple[str, list[str], list[str], str]] = []
        commit = get("git_commit")
        if commit:
            changed = get("git_changed")
            text = "code-unknown" if changed is None else "code-dirty" if changed else "code-clean"
            steps.append(("code", [self.say(text, count=changed)], [f"git checkout {commit}"], "sh"))
        else:
            steps.append(("code", [self.say("code-no-git")], [], ""))
        known = {"mindspore": get("mindspore"), "numpy": get("numpy"), **(get("packages") or {})}
        install = " ".join(
            f"{name}=={version}" for name, version in known.items() if version and name.startswith(("mind", "numpy"))
        )
        steps.append(
            ("packages", [self.say("packages-text")], [f"python -m pip install {install}"] if install else [], "sh")
        )
        steps.append(("data", [self.say("data-text")], [], ""))
        command = self.case.spec.runtime.command
        scripts = self.case.get("scripts.train")
        if command:
            steps.append(("training", [self.say("training-given")], command.strip().splitlines(), "sh"))
        elif scripts:
            script = scripts if isinstance(scripts, str) else scripts[0]
            steps.append(("training", [self.say("training-derived")], [self.launched(shlex.quote(script))], "sh"))
        else:
            steps.append(("training", [self.say("training-unknown")], [], ""))
        steps.append(("case-file", [self.say("case-file-text")], self.case_file(), "yaml"))
        live = any(
            result.kind is Kind.LIVE and result.status is Status.DONE
            for entry in self.record.entries.values()
            for result in entry.results.values()
        )
        words = [
            "accucheck",
            "run",
            *(f"--checklist {shlex.quote(each.name)}" for each in checklists),
            *(["--live"] if live else []),
        ]
        lines = [f"python -m pip install accucheck=={__version__}", " ".join(words)]
        steps.append(("check", [self.say("check-live")] if live else [], lines, "sh"))
        return [
            StepToReproduce(
                self.say(f"step-{key}"),
                text,
                self.commands(lines),
                language,
            )
            for key, text, lines, language in steps
        ]

    def commands(self, lines: list[str]) -> list[str]:
        """Lines to be run or written elsewhere: indentation stays, paths of the project become relative."""
        text = self.hide("\n".join(lines))
        return [_cut(visible(line), MAX_CHARACTERS) for line in text.split("\n")[:MAX_LINES]] if text else []

    def launched(self, script: str) -> str:
        """The command that starts a script on the devices of the case, without arguments of its own."""
        spread = self.case.spec.runtime.distributed
        count, launcher = spread.devices, (spread.launcher or "").lower()
        if not count or count == 1:
            return f"python {script}"
        if launcher == "mpirun":
            return f"mpirun -n {count} python {script}"
        return f"msrun --worker_num={count} --local_worker_num={count} {script}"

    def case_file(self) -> list[str]:
        """The case as it was examined, in YAML, without the interpreter's path, which is another one elsewhere."""
        import yaml

        data = msgspec.to_builtins(self.case.spec)
        data.get("runtime", {}).pop("python", None)
        text = yaml.safe_dump(data, allow_unicode=True, sort_keys=False, default_flow_style=None, width=120)
        return text.rstrip().splitlines()

    # --- review -------------------------------------------------------------------------------------------------------

    def review(self, entry: Entry) -> ReviewPart | None:
        review = entry.review
        if review is None:
            return None
        judged = self.say(review.judgement.value)
        return ReviewPart(
            state="outdated" if entry.outdated else review.judgement.value,
            text=self.say("review-outdated", judgement=judged) if entry.outdated else judged,
            by=self.say("by", who=self.line(review.who, 80), when=_moment(review.when)),
            comment=self.prose(review.comment),
        )

    def review_brief(self, entry: Entry) -> str:
        """In a word; an answer that nobody has reviewed waits for it."""
        if entry.review is None:
            return self.say("unreviewed") if entry.conclusion else ""
        said = self.say("outdated" if entry.outdated else entry.review.judgement.value)
        return f"{said} {self.line(entry.review.who, 40)}"

    def sign_off(self, checklists: list[Checklist]) -> SignOffPart | None:
        signed = self.record.signed
        if signed is None and not any(entry.review for entry in self.record.entries.values()):
            return None
        left = obstacles(self.record, checklists)
        entries = [self.record.entries.get(item.id, Entry()) for each in checklists for item in each.items]
        accepted = sum(entry.conclusion is not None and entry.judgement is Judgement.ACCEPTED for entry in entries)
        lines = [self.say("review-counts", accepted=accepted, returned=len(left.returned), open=len(left.unreviewed))]
        if signed is None:
            return SignOffPart("open", [*lines, self.say("sign-off-none")], [])
        who, when = self.line(signed.who, 80), _moment(signed.when)
        lines.append(self.say("sign-off-by", who=who, when=when, count=len(signed.items)))
        changed = self.record.unsealed
        if changed:
            lines.append(self.say("sign-off-void", items=self.line(", ".join(changed))))
        return SignOffPart("void" if changed else "valid", lines, self.prose(signed.comment))

    def since(self, difference: Difference, checklists: list[Checklist]) -> SincePart:
        rows = [
            ChangeRow(
                self.line(row.item, 80),
                row.kind,
                self.say(f"since-{row.kind}"),
                self.line(row.text),
                self.where(row.where),
            )
            for row in earlier.rows(difference, checklists, self.speech)
        ]
        before, after = self.line(difference.before.name, 300), self.line(difference.after.name, 300)
        return SincePart(
            sides=self.say("since-sides", before=before, after=after),
            lines=earlier.overview(difference, self.language),
            rows=rows[:MAX_CHANGES],
            more=max(0, len(rows) - MAX_CHANGES),
        )

    # --- paths --------------------------------------------------------------------------------------------------------

    def path(self, path: Walked, items: dict[str, ItemPart]) -> PathPart:
        """items: by their ids as shown."""
        end, here = path.at_end, path.here
        inputs = wanted(path.checklist, here, self.case) if here is not None else []
        return PathPart(
            title=self.line(path.checklist.title[self.language]),
            steps=[self.step(path.checklist, step, items[self.line(step.item.id, 80)]) for step in path.steps],
            stands=self.say("path-stands", item=self.line(f"{here.id} {here.title[self.language]}")) if here else "",
            wanted=[self.line(machine.input_text(each, self.case, self.language)) for each in inputs if not each.there],
            end=self.say("path-end", title=self.line(end.title[self.language])) if end else "",
            problems=self.say("path-mend", items=", ".join(self.line(item.id, 80) for item in path.problems))
            if end and path.problems
            else "",
            advice=self.prose(end.advice[self.language]) if end else [],
        )

    def step(self, checklist: Checklist, step: Step, item: ItemPart) -> StepPart:
        """What a step rests on: the note of whoever concluded, then what was found; just information only where that is all."""
        answer = self.verdict(step.answer)
        order = {Level.PROBLEM: 0, Level.SUSPECT: 1, Level.INFO: 2}
        found = [finding for result in item.results for finding in result.findings]
        findings = [finding for finding in found if finding.level is not Level.INFO] or found
        said = [item.note_brief] if step.concluded and item.note_brief else []
        said += [_cut(finding.message, 300) for finding in sorted(findings, key=lambda finding: order[finding.level])]
        why = step.way.text[self.language] if step.way is not None else ""
        return StepPart(
            item=item.id,
            title=item.title,
            state=step.answer,
            answer=answer if step.concluded else self.say("path-suggested", verdict=answer),
            evidence=said[:MAX_STEP_EVIDENCE],
            leads=self.line(machine.way_text(checklist, step.to, why, self.language)),
        )

    # --- items --------------------------------------------------------------------------------------------------------

    def item(self, item: Item) -> ItemPart:
        entry = self.record.entries.get(item.id, Entry())
        suggested = suggestion(item, entry, self.facts)
        ran = any(result.status is not Status.SKIPPED for result in entry.results.values())
        excluded = not ran and suggested is Verdict.NOT_APPLICABLE
        state = entry.conclusion or suggested
        checked = bool(entry.conclusion or ran or excluded)
        spoken = self.verdict(suggested) if ran or excluded else "–" if entry.conclusion else self.say("unchecked")
        concluded = entry.conclusion is not None
        by = self.say("by", who=self.who(entry, 80), when=_moment(entry.when)) if concluded else ""
        if entry.conclusion:
            text = brief = self.verdict(entry.conclusion)
        else:
            text = self.say("open", suggestion=spoken) if checked else self.say("open-unchecked")
            brief = self.say("unfilled")
        overruled = ran and concluded and suggested not in (entry.conclusion, Verdict.UNDECIDED)
        note = self.note(entry.note)
        problem = state is Verdict.PROBLEM
        return ItemPart(
            id=self.line(item.id, 80),
            title=self.line(item.title[self.language]),
            method=self.prose(item.method[self.language]),
            conclusion=entry.conclusion,
            suggestion=suggested,
            state=state,
            checked=checked,
            conclusion_text=text,
            conclusion_brief=brief,
            suggestion_text=spoken,
            by=by,
            by_brief=" ".join([self.who(entry, 40), _moment(entry.when)[:10]]) if concluded else "",
            meaning=" ".join(self.prose(_meaning(item, entry.conclusion)[self.language])) if entry.conclusion else "",
            overruled=self.say("overruled", suggestion=spoken) if overruled else "",
            remedy=self.prose(item.remedy[self.language]) if problem else [],
            references=[
                (self.line(link.title[self.language]), self.line(link.url))
                for link in item.references
                if problem and link.url.startswith(("https://", "http://"))
            ],
            note=note,
            note_brief=_cut(" ".join(note), MAX_NOTE_BRIEF),
            attachments=[self.attachment(path) for path in entry.attachments],
            not_applicable=self.say("not-applicable", applies=" ".join(self.prose(item.applies[self.language])))
            if not item.applicable(self.facts) and not ran
            else "",
            results=[self.result(item.id, result) for result in machine.results(item, entry)],
            not_run=[use.name for use in item.uses if use.name not in entry.results] if not excluded else [],
            no_probe=not item.uses,
            review=self.review(entry),
            review_brief=self.review_brief(entry),
        )

    def gaps(self, item: Item) -> list[Gap]:
        """What was not checked of an item. One that the case rules out has none."""
        entry = self.record.entries.get(item.id, Entry())
        found = machine.results(item, entry)
        if suggestion(item, entry, self.facts) is Verdict.NOT_APPLICABLE:
            return []
        name = self.line(item.id, 80)
        if not item.uses and not found:
            return [] if entry.conclusion else [Gap(name, "–", self.say("no-probe"))]
        gaps = []
        for result in found:
            if result.status is not Status.DONE:
                why = self.line(self.speech.reason(result.probe, result.reason)) if result.reason else ""
                status = STATUSES[result.status.value][self.language.value]
                gaps.append(
                    Gap(
                        name,
                        self.line(result.probe, 80),
                        self.say("status-why", status=status, why=why) if why else status,
                    )
                )
            gaps += [
                Gap(
                    name,
                    self.line(result.probe, 80),
                    self.say("incomplete", message=_cut(self.message(result.probe, finding), 300)),
                )
                for finding in result.findings
                if finding.incomplete
            ]
            if self.is_stale(item.id, result):
                gaps.append(Gap(name, self.line(result.probe, 80), self.say("stale")))
        if not_run := [use.name for use in item.uses if use.name not in entry.results]:
            gaps.append(Gap(name, ", ".join(not_run), self.say("not-run-why")))
        return gaps

    def attachment(self, path: str) -> Attachment:
        """Whether an attachment goes in. A session may come from a stranger: files other than pictures only from within
        the project, and no hidden ones, so that no report carries a key or a password file away."""
        name, full = self.line(path), self.case.path(path)
        if self.case.alone:
            return Attachment(self.say("attachment-alone", name=name), "", "named")
        try:
            real = full.resolve()
            if not real.is_file():
                return Attachment(self.say("attachment-missing", name=name), "", "named")
            if self.room_for_attachments <= 0:
                return Attachment(self.say("attachment-over", name=name, limit=MAX_ATTACHMENTS_IN_ALL), "", "named")
            self.room_for_attachments -= 1
            if real.suffix.lower() in _PICTURES:
                return Attachment(name, str(real), "picture")
            inside = real.relative_to(Path(self.case.root).resolve())
            if not any(step.startswith(".") for step in inside.parts) and real.stat().st_size <= MAX_ATTACHMENT:
                return Attachment(name, str(real), "file")
        except (OSError, ValueError, RuntimeError):
            pass
        return Attachment(self.say("attachment-outside", name=name, limit=MAX_ATTACHMENT >> 20), "", "named")

    def is_stale(self, item_id: str, result: ProbeResult) -> bool:
        """Only what was found can be out of date; a probe that did not finish says so itself."""
        return result.status is Status.DONE and (item_id, result.probe) in self.stale

    # --- results ------------------------------------------------------------------------------------------------------

    def message(self, name: str, finding: Finding) -> str:
        return self.line(self.speech.message(name, finding.code, finding.data))

    def result(self, item_id: str, result: ProbeResult) -> ResultPart:
        order = {Level.PROBLEM: 0, Level.SUSPECT: 1, Level.INFO: 2}
        findings = sorted(result.findings, key=lambda finding: order[finding.level])
        shown, charts = [], 0
        advice: set[tuple[str, str | None]] = set()
        told = {""}
        for finding in findings[: min(MAX_FINDINGS, self.room_for_findings)]:
            part = self.finding(result.probe, finding, min(MAX_CHARTS - charts, self.room_for_charts))
            said = (part.fix, finding.fix.diff if finding.fix else None)
            if said in advice:  # the same advice is given once
                part = msgspec.structs.replace(part, fix="", diff=[])
            advice.add(said)
            fresh = {key: text if text not in told else "" for key, text in (("why", part.why), ("proof", part.proof))}
            told |= {part.why, part.proof}
            part = msgspec.structs.replace(part, **fresh)
            drawn = sum(isinstance(evidence, ChartPart) for evidence in part.evidence)
            charts += drawn
            self.room_for_charts -= drawn
            shown.append(part)
        self.room_for_findings -= len(shown)
        facts = [
            words[key.value][self.language.value] for words, key in ((KINDS, result.kind), (STATUSES, result.status))
        ]
        if result.status is not Status.SKIPPED:
            facts.append(self.say("seconds", seconds=f"{result.seconds:.2f}"))
        log = result.log.rstrip().split("\n")[-MAX_LOG_LINES:] if result.status is Status.FAILED else []
        return ResultPart(
            probe=self.line(result.probe, 80),
            facts=facts,
            status=result.status,
            suggestion=result.suggestion,
            suggestion_text=self.verdict(result.suggestion),
            stale=self.is_stale(item_id, result),
            reason=self.line(self.speech.reason(result.probe, result.reason)) if result.reason else "",
            findings=shown,
            more_findings=len(findings) - len(shown),
            log=self.lines("\n".join(log))[0],
        )

    def finding(self, name: str, finding: Finding, charts: int) -> FindingPart:
        evidence: list[EvidencePart] = []
        for entry in finding.evidence:
            drawn = isinstance(entry, (Curve, Histogram))
            if len(evidence) < MAX_EVIDENCE and (charts > 0 if drawn else self.room_for_evidence > 0):
                evidence.append(self.evidence(name, entry))
                self.room_for_evidence -= _extent(evidence[-1])
                charts -= drawn
        fix = finding.fix
        explained = self.speech.explanation(name, finding)
        diff, cut = self.lines(fix.diff) if fix and fix.diff else ([], "")
        return FindingPart(
            level=finding.level,
            message=self.message(name, finding),
            where=self.where(finding.where),
            evidence=evidence,
            more_evidence=len(finding.evidence) - len(evidence),
            why=self.line(explained.why),
            sure=self.line(explained.sure),
            proof=self.line(explained.proof),
            fix=self.line(self.speech.message(name, fix.message, finding.data)) if fix else "",
            diff=[*diff, f"({cut})"] if cut else diff,
        )

    def where(self, where: Where) -> str:
        place = [f"{where.path}:{where.line}" if where.line is not None else where.path] if where.path else []
        place += [text for text in (where.name, where.field) if text]
        if where.step is not None:
            place.append(f"step {where.step}")
        return self.line(" · ".join(place), 300)

    # --- evidence -----------------------------------------------------------------------------------------------------

    def evidence(self, name: str, evidence: Evidence) -> EvidencePart:
        if isinstance(evidence, Table):
            return self.table(name, evidence)
        if isinstance(evidence, Curve):
            return ChartPart(
                self.title(name, evidence.title),
                self.curve(name, evidence, self.speech),
                self.curve(name, evidence, self.english),
            )
        if isinstance(evidence, Histogram):
            total = min(len(evidence.labels), len(evidence.counts))
            return ChartPart(
                self.title(name, evidence.title),
                self.bars(name, evidence, self.speech),
                self.bars(name, evidence, self.english),
                self.say("bars", shown=MAX_ROWS, total=total) if total > MAX_ROWS else "",
            )
        if isinstance(evidence, Code):
            text = evidence.text.replace("\r\n", "\n")
            first = evidence.line + len(text) - len(text.lstrip("\n"))  # `lines` leaves out blank ones at the ends
            lines, bound = self.lines(text)
            return CodePart(self.line(evidence.path, MAX_CELL), first, lines, evidence.marked, bound)
        if isinstance(evidence, Images):
            rows: list[list[Plain]] = [list(row) for row in zip(evidence.paths, evidence.captions, strict=False)]
            listed = self.table(
                name, Table(evidence.title, [self.say("column-path"), self.say("column-caption")], rows)
            )
            return msgspec.structs.replace(listed, bound=" ".join(filter(None, [listed.bound, self.say("pictures")])))
        if isinstance(evidence, Tree):
            lines, bound = self.lines(tree_text(evidence))
            value = self.title(name, evidence.value)
            return TextPart(f"{self.title(name, evidence.title)} ({value})", lines, bound)
        assert isinstance(evidence, Note)
        lines, bound = self.lines(evidence.text)
        return TextPart(self.title(name, evidence.title), lines, bound)

    def title(self, name: str, key: str, speech: machine.Speech | None = None) -> str:
        return self.line((speech or self.speech).word(name, key), MAX_CELL)

    def table(self, name: str, table: Table) -> TablePart:
        width = min(len(table.columns), MAX_COLUMNS)
        rows = [[*row[:width], *[None] * (width - len(row))] for row in table.rows[:MAX_ROWS]]
        total = max(len(table.rows), table.total or 0)
        bound = [self.say("rows", shown=len(rows), total=total)] if total > len(rows) else []
        if len(table.columns) > width:
            bound.append(self.say("columns", shown=width, total=len(table.columns)))
        whole = self.whole(name, table) if len(table.rows) > len(rows) or len(table.columns) > width else None
        return TablePart(
            title=self.title(name, table.title),
            columns=[self.title(name, column) for column in table.columns[:width]],
            rows=[[self.cell(value) for value in row] for row in rows],
            numeric=[_numeric([row[i] for row in rows]) for i in range(width)],
            bound="; ".join(bound) if self.language is Language.EN else "；".join(bound),
            whole=whole,
        )

    def whole(self, name: str, table: Table) -> WholeTable:
        """Numbers in full, in place of the report's six digits."""
        self.tables += 1
        known: dict[str, object] = {}

        def cell(value: Plain) -> object:
            if not isinstance(value, str):
                return value if not isinstance(value, bool) else str(value).lower()
            if value not in known:
                known[value] = spreadsheet.harmless(self.line(value))
            return known[value]

        return WholeTable(
            name=f"table-{self.tables:03}.csv",
            count=len(table.rows),
            columns=[self.title(name, column) for column in table.columns],
            body=spreadsheet.text([cell(value) for value in row] for row in table.rows),
        )

    def cell(self, value: Plain) -> str:
        if value is None:
            return "–"
        if isinstance(value, bool):
            return self.say("yes" if value else "no")
        if isinstance(value, float):
            return f"{value:.6g}"
        return self.line(str(value), MAX_CELL)

    def curve(self, name: str, curve: Curve, speech: machine.Speech) -> Curve:
        return Curve(
            title=self.title(name, curve.title, speech),
            x_label=self.title(name, curve.x_label, speech),
            y_label=self.title(name, curve.y_label, speech),
            x=curve.x,
            series={self.title(name, key, speech): values for key, values in curve.series.items()},
            marks={self.title(name, key, speech): value for key, value in curve.marks.items()},
        )

    def bars(self, name: str, bars: Histogram, speech: machine.Speech) -> Histogram:
        return Histogram(
            title=self.title(name, bars.title, speech),
            labels=[self.title(name, label, speech) for label in bars.labels[:MAX_ROWS]],
            counts=bars.counts[:MAX_ROWS],
            x_label=self.title(name, bars.x_label, speech),
            y_label=self.title(name, bars.y_label, speech),
        )


def _has(item: ItemPart, status: Status) -> bool:
    return any(result.status is status for result in item.results)


def _findings(result: dict[str, Any]) -> Iterator[dict[str, Any]]:
    return (found for item in result["items"] for each in item["results"] for found in each["findings"])


def _within_repository(root: Path) -> str:
    for folder in (root, *root.parents):
        if (folder / ".git").exists():
            inside = root.relative_to(folder).as_posix()
            return "" if inside == "." else f"{inside}/"
    return ""


def _meaning(item: Item, conclusion: Verdict) -> Text:
    meaning: Text = getattr(item.conclusions, conclusion.value)
    return meaning


def spans(text: str) -> list[tuple[str, bool]]:
    """A checklist's prose as (text, whether it is code): what stands between backticks is code."""
    if isinstance(text, Both):
        return [*spans(text.zh), ("\n" if text.long else " / ", False), *spans(text.en)]
    parts = text.split("`")
    if len(parts) % 2 == 0:  # a backtick without its fellow
        return [(text, False)]
    return [(part, number % 2 == 1) for number, part in enumerate(parts) if part]


def _extent(part: EvidencePart) -> int:
    """About how many characters a part takes; a cell or a line not less than its markup."""
    if isinstance(part, ChartPart):
        return 0
    texts = [cell for row in part.rows for cell in row] if isinstance(part, TablePart) else part.lines
    return sum(max(10, len(text)) for text in texts)


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _numeric(values: list[Plain]) -> bool:
    known = [value for value in values if value is not None]
    return bool(known) and all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in known)


def _moment(text: str) -> str:
    """An ISO 8601 moment as people write it; anything else as it is."""
    match = re.fullmatch(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d)?(?:\.\d+)?(Z|\+00:00)?", text)
    return f"{match[1]} {match[2]}{' UTC' if match[3] else ''}" if match else visible(text)[:40]
