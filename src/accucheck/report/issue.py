"""An issue to be filed: Report -> title, the fields of a tracker's form, the address of a new issue, and the attachment.

Nothing is sent, and nothing is made up: what the report does not know is a blank that a person fills in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import msgspec

from ..errors import UserError
from ..language import Words, word
from ..model import Language, Level, Verdict
from ..store import require_inside
from . import Options, bundle, check, compose, file_stem, machine, redactor, render, write_checked
from . import environment as environments
from .bilingual import one, said
from .markdown import MarkdownText, escape, fence, folded, numbered, prose, row, ruler
from .parts import ChartPart, CodePart, EvidencePart, FindingPart, Report, TablePart, TextPart
from .trackers import Form, Tracker, known, tracker
from .words import MARKS

if TYPE_CHECKING:
    from ..project import Project
    from .leftovers import Leftover

#: The report in the attachment, unless others are chosen.
FORMATS = ("html", "docx", "json")
MAX_TITLE = 120  # characters
MAX_SUBJECT = 40
#: Bytes of an address, percent-encoded; servers and browsers begin to refuse at 8 KiB. A Chinese character takes nine.
MAX_ADDRESS = 8000
MAX_GAPS = 20
MAX_SUMMED = 5  # findings in an address
MAX_EVIDENCE, MAX_EVIDENCE_EACH = 8, 2  # in all, and of a finding
MAX_CODE = 60  # lines of one piece of evidence
MAX_ROWS = 15
MAX_NOTE = 20  # paragraphs of a person's note
MAX_INPUTS = 30
#: What of the environment is the hardware, and what the mode; the rest is software.
HARDWARE = ("device", "npu", "gpu", "devices", "driver", "firmware", "processor", "memory")
MODE = ("mode", "amp")
#: What the environment says where it knows nothing.
UNKNOWN = ("not-given", "not-installed")
#: What a person has to tick.
CHECKLIST = ("searched", "latest", "demo")

WORDS: Words = {
    "required": {"en": "{label} (mandatory)", "zh": "{label}（必填）"},
    "optional": {"en": "{label} (optional)", "zh": "{label}（选填）"},
    "labelled": {"en": "{label}: {value}", "zh": "{label}：{value}"},
    # blanks
    "blank": {"en": "[TO FILL IN: {what}]", "zh": "【待填写：{what}】"},
    "blank-title": {"en": "the problem in one sentence", "zh": "用一句话概括问题"},
    "blank-behavior": {
        "en": "the accuracy or loss measured, on which data, and since when",
        "zh": "实测精度或 loss、所用数据集，以及从何时开始出现",
    },
    "blank-device": {
        "en": "/device ascend, /device gpu or /device cpu",
        "zh": "/device ascend、/device gpu 或 /device cpu",
    },
    "blank-npu": {"en": "model and number of the devices", "zh": "硬件型号与卡数"},
    "blank-software": {
        "en": "versions of MindSpore, CANN, Python and the operating system",
        "zh": "MindSpore、CANN、Python 与操作系统版本",
    },
    "blank-mode": {"en": "/mode pynative or /mode graph", "zh": "/mode pynative 或 /mode graph"},
    "blank-cann": {
        "en": "versions of CANN and of the Ascend driver",
        "zh": "CANN 版本与昇腾驱动版本",
    },
    "blank-reproduce": {
        "en": "the command that trains, and its configuration",
        "zh": "训练命令与所用配置",
    },
    "blank-data": {
        "en": "where to get the data, or samples of it that show the problem",
        "zh": "数据集获取方式，或能复现问题的少量样本",
    },
    "blank-expected": {
        "en": "the expected accuracy or loss and its source (paper, README, PyTorch or GPU run)",
        "zh": "期望达到的精度或 loss 及其依据（论文、README、PyTorch 或 GPU 结果等）",
    },
    # what is said between the facts
    "compiler": {
        "en": "GCC/Compiler version (if compiled from source)",
        "zh": "GCC/编译器版本（仅源码编译时需要）",
    },
    "evidence": {"en": "Evidence", "zh": "证据"},
    "in-report": {"en": "{title} (chart, see the report)", "zh": "{title}（图表，见报告）"},
    "not-checked": {"en": "Not checked", "zh": "未检查的内容"},
    "more": {"en": "{count:,} more in the report.", "zh": "另有 {count:,} 条，见报告。"},
    "attached": {"en": "Attached: {names}", "zh": "附件：{names}"},
    "made": {"en": "Written by {tool} from the checks of {moment}.", "zh": "由 {tool} 根据 {moment} 的检查结果生成。"},
    "cut": {
        "en": "The rest did not fit in here; see the attachment {name}.",
        "zh": "篇幅所限，其余内容见附件 {name}。",
    },
    "rest": {
        "en": "Paste the whole text from {body} here, and attach {names}.",
        "zh": "请将 {body} 的全文粘贴到此处，并上传附件 {names}。",
    },
    "form-name": {"en": "Accuracy problem", "zh": "精度问题"},
    "form-what": {
        "en": "A model does not reach its accuracy, or differs from a benchmark",
        "zh": "模型精度不达标，或与标杆不一致",
    },
    "form-how": {
        "en": "Run accucheck run, then accucheck issue: it writes these fields and the attachment.",
        "zh": "请先运行 accucheck run，再运行 accucheck issue，它会生成以下各字段的内容和附件。",
    },
    "checklist-searched": {
        "en": "Issues on the same matter were looked for, without help from them.",
        "zh": "已搜索过相关问题，未得到解决",
    },
    "checklist-latest": {
        "en": "The newest version has the problem too.",
        "zh": "最新版本仍存在该问题",
    },
    "checklist-demo": {
        "en": "The environment and a minimal example are included.",
        "zh": "已提供环境信息和最小可复现示例",
    },
}


# --- what there is to say ---------------------------------------------------------------------------------------------


class Block(msgspec.Struct, frozen=True):
    """What goes into one field of the form, as Markdown."""

    name: str
    label: str
    required: bool
    section: str
    text: str


class Issue(msgspec.Struct, frozen=True):
    """`body` is the whole text, `blocks` the same by field; `blanks` names the fields in which a person has to fill in something."""

    title: str
    body: str
    blocks: list[Block]
    blanks: list[str]


class _Parts:
    """Parts of a report as blocks of Markdown, each of which stands for itself. A method for each part that a form may name."""

    def __init__(self, report: Report, flavour: str, attachments: Sequence[str]) -> None:
        self.report, self.flavour, self.attachments = report, flavour, attachments
        self.say = speaker(report, WORDS)
        self.facts: dict[str, Any] = report.result.get("environment") or {}
        #: What the report says where it knows nothing.
        self.unknown = {report.say("not-given"), *(report.pick(environments.WORDS[key]) for key in UNKNOWN)}

    def make(self, name: str) -> list[str]:
        blocks: Iterator[str] = getattr(self, f"_{name}")()
        return [block for block in blocks if block.strip()]

    def blank(self, what: str) -> MarkdownText:
        return self.lacking(self.say(f"blank-{what}"))

    def lacking(self, what: str) -> MarkdownText:
        return MarkdownText(f"**{escape(self.say('blank', what=what))}**")

    def text(self, text: str) -> MarkdownText:
        """A text, perhaps of several lines, as paragraphs."""
        return MarkdownText("\n\n".join(escape(line) for line in text.split("\n") if line.strip()))

    def bullets(self, lines: Sequence[str]) -> MarkdownText:
        return MarkdownText(
            "\n".join(f"- {line if isinstance(line, MarkdownText) else escape(line)}" for line in lines)
        )

    def labelled(self, label: str, value: str) -> str:
        """A fact with its label, or a blank; in two languages an equal value stands once."""
        if value in self.unknown:
            return self.lacking(label)
        if len(self.report.languages) == 1:
            return self.say("labelled", label=label, value=value)
        return MarkdownText(f"{escape(label)}: {escape(value)}")

    def rows(self, keys: Callable[[str], bool]) -> list[str]:
        """Lines of the environment whose key is one of `keys`."""
        labels = {self.report.pick(words): key for key, words in environments.WORDS.items()}
        known = [(labels.get(label, ""), label, value) for label, value in self.report.environment]
        told = {key for key, _, _ in known}
        return [
            self.labelled(label, value)
            for key, label, value in known
            if keys(key) and not (key == "mindspore" and value in self.unknown and "mindspore_declared" in told)
        ]

    # --- parts --------------------------------------------------------------------------------------------------------

    def _behavior(self) -> Iterator[str]:
        verdict = self.report.verdict
        if verdict.symptom:
            yield self.text(verdict.symptom)
        yield self.text(verdict.headline)
        if verdict.highlights:
            columns = ["column-item", "column-what", "column-where"]
            lines = [row([self.report.say(column) for column in columns]), MarkdownText("| --- | --- | --- |")]
            lines += [row([each.item, each.message, each.where]) for each in verdict.highlights]
            yield "\n".join(lines)
        if verdict.more_highlights:
            yield self.text(self.say("more", count=verdict.more_highlights))
        for item in self.report.items:
            if item.state is Verdict.PROBLEM and item.note:
                yield f"**{escape(item.id)} {escape(self.report.say('note'))}**"
                yield from (self.text(line) for line in item.note[:MAX_NOTE])
        yield self.blank("behavior")
        yield self.text(verdict.checked)
        if verdict.limits:
            yield self.bullets(verdict.limits)

    def _grade(self) -> Iterator[str]:
        grade = self.report.grade
        if grade.title:
            yield f"**{escape(grade.title)}**"
        for lines in (grade.why, grade.lacking):
            if lines:
                yield self.bullets(lines)

    def _hardware(self) -> Iterator[str]:
        device = str(self.facts.get("device") or "").lower()
        yield f"/device {device}" if device in ("ascend", "gpu", "cpu") else self.blank("device")
        if lines := self.rows(lambda key: key in HARDWARE):
            yield self.bullets(lines)
        if not (self.facts.get("npu") or self.facts.get("gpu") or device == "cpu"):
            yield self.blank("npu")

    def _software(self) -> Iterator[str]:
        lines = self.rows(lambda key: key not in (*HARDWARE, *MODE, "command"))  # a step to reproduce names the command
        if not lines:
            yield self.blank("software")
        if self.facts.get("mindspore_build") != "package":
            lines.append(self.labelled(self.say("compiler"), ""))
        yield self.bullets(lines)
        ascend = str(self.facts.get("device") or "").lower() == "ascend"
        if ascend and not (self.facts.get("cann") and self.facts.get("driver")):
            yield self.blank("cann")

    def _mode(self) -> Iterator[str]:
        mode = str(self.facts.get("mode") or "").lower()
        yield f"/mode {mode}" if mode in ("graph", "pynative") else self.blank("mode")
        if lines := self.rows(lambda key: key in MODE[1:]):
            yield self.bullets(lines)

    def _reproduce(self) -> Iterator[str]:
        for number, step in enumerate(self.report.reproduce, start=1):
            yield f"**{number}. {escape(step.title)}**"
            yield from (prose(line) for line in step.text)
            if step.lines:
                yield fence(step.lines, step.language or "text")
        if not self.facts.get("command"):
            yield self.blank("reproduce")
        yield self.blank("data")
        if inputs := self.report.inputs:
            shown = msgspec.structs.replace(inputs, rows=inputs.rows[:MAX_INPUTS])
            yield self.folded(inputs.title, self.table(shown))
            if left := len(inputs.rows) - MAX_INPUTS if len(inputs.rows) > MAX_INPUTS else 0:
                yield self.text(self.say("more", count=left))

    def _expected(self) -> Iterator[str]:
        goal = self.report.verdict.goal
        yield self.text(goal) if goal else self.blank("expected")

    def _log(self) -> Iterator[str]:
        for path in self.report.paths:
            columns = ["column-step", "column-title", "column-answer", "column-evidence"]
            lines = [row([self.report.say(column) for column in columns]), MarkdownText("| --- | --- | --- | --- |")]
            lines += [
                row([step.item, step.title, f"{MARKS[step.state.value]} {step.answer}", " ".join(step.evidence)])
                for step in path.steps
            ]
            yield self.folded(self.report.say("path"), "\n".join(lines))
            yield self.text(path.end or path.stands)
        shown = 0
        for finding in problems(self.report):
            told = [(part, block) for part in finding.evidence if (block := self.evidence(part))]
            told = told[: min(MAX_EVIDENCE_EACH, MAX_EVIDENCE - shown)]
            shown += len(told)
            if told:
                yield self.text(finding.message)
            for part, block in told:
                yield block if isinstance(part, ChartPart) else self.folded(part.title, block)
        if self.attachments:
            yield self.text(self.say("attached", names=", ".join(self.attachments)))

    def evidence(self, part: EvidencePart) -> str:
        """A piece of evidence, or the name of a chart, which an issue shows only as a file; empty where it is too long for an issue."""
        if isinstance(part, ChartPart):
            named = self.text(self.say("in-report", title=part.title))
            return named if part.table is None else f"{named}\n\n{self.table(part.table)}"
        if isinstance(part, TablePart):
            if len(part.rows) > MAX_ROWS or not part.columns:
                return ""
            return self.table(part)
        lines = numbered(part) if isinstance(part, CodePart) else part.lines if isinstance(part, TextPart) else []
        return fence(lines) if len(lines) <= MAX_CODE else ""

    def table(self, part: TablePart) -> str:
        return "\n".join([row(part.columns), ruler(part), *map(row, part.rows)])

    def folded(self, title: str, body: str) -> str:
        return folded(title, body) if self.flavour == "gfm" else f"**{escape(title)}**\n\n{body}"

    def _notes(self) -> Iterator[str]:
        scaled = self.facts.get("amp") != "O0"
        asked = [row for row in self.report.asked if scaled or row[0] != self.report.say("asked-loss-scale")]
        asked.append((self.report.say("private"), self.report.private))
        yield self.bullets([self.labelled(label, value) for label, value in asked])
        gaps: dict[str, list[str]] = {}
        for gap in self.report.gaps:
            gaps.setdefault(gap.why, []).append(f"{gap.item} {gap.probe}")
        if gaps:
            yield f"**{escape(self.say('not-checked'))}**"
            yield self.bullets([self.labelled(", ".join(who), why) for why, who in [*gaps.items()][:MAX_GAPS]])
            if left := sum(map(len, [*gaps.values()][MAX_GAPS:])) + self.report.more_gaps:
                yield self.text(self.say("more", count=left))
        if self.report.changes:
            changes = self.report.changes
            yield self.folded(changes.title, self.table(changes))
        yield self.text(self.say("made", tool=self.report.tool, moment=self.report.generated))

    def _versions(self) -> Iterator[str]:
        lines = self.rows(
            lambda key: key in ("mindspore", "mindspore_declared", "cann", "driver", "firmware", "python")
        )
        lines += [self.labelled(label, value) for label, value in self.report.versions]
        yield self.bullets(lines) if lines else self.blank("software")

    def _checklist(self) -> Iterator[str]:
        yield "\n".join(f"- [ ] {escape(self.say(f'checklist-{key}'))}" for key in CHECKLIST)


def speaker(report: Report, words: Words) -> Callable[..., str]:
    """say(key, **data): the words of a table in the language or languages of a report."""
    return lambda key, **data: said(report.languages, lambda language, part: word(words, key, language, **part), data)


def problems(report: Report) -> list[FindingPart]:
    """The findings that stand as problems, in the order of the checklists."""
    return [
        finding
        for item in report.items
        if item.state is Verdict.PROBLEM
        for result in item.results
        for finding in result.findings
        if finding.level is Level.PROBLEM
    ]


def describe(
    report: Report, subject: str, to: Tracker, repo: str, *, title: str = "", attachments: Sequence[str] = ()
) -> Issue:
    """The issue of a report in the form of a tracker's repository. `subject` is what its title is about; a `title` of one's own stands
    as it is."""
    form = _form(to, repo)
    parts = _Parts(report, to.flavour, attachments)
    made = {field.name: [block for part in field.parts for block in parts.make(part)] for field in form.fields}
    cut = parts.say("cut", name=attachments[0] if attachments else "")

    def blocks() -> list[Block]:
        return [
            Block(
                name=field.name,
                label=report.pick({"zh": field.label.zh, "en": field.label.en}),
                required=field.required,
                section=report.pick({"zh": field.section.zh, "en": field.section.en}) if field.section else "",
                text="\n\n".join(made[field.name]),
            )
            for field in form.fields
        ]

    body = _body(blocks(), parts.say)
    while len(body) > to.characters:  # what is longest gives way from its end
        name = max(made, key=lambda name: sum(map(len, made[name])))
        kept = [block for block in made[name] if block != cut]
        made[name] = [*kept[:-1], cut]
        if not kept:
            break
        body = _body(blocks(), parts.say)
    mark = parts.say("blank", what="\0").split("\0")[0]
    whole = title.strip() or _title(form, subject, report, parts)
    blanks = ["title"] if mark in whole else []
    blanks += [block.name for block in blocks() if str(escape(mark)) in block.text]
    return Issue(whole[:MAX_TITLE], body, blocks(), blanks)


def _form(to: Tracker, repo: str) -> Form:
    return next(form for form in known().forms if form.name == to.forms.get(repo, to.form))


def _title(form: Form, subject: str, report: Report, parts: _Parts) -> str:
    """In the project's convention: net, feature or operator in brackets, then the worst of what was found."""
    language = report.language
    worst = one(report.verdict.highlights[0].message, language) if report.verdict.highlights else ""
    first = re.split(r"[。\n]|\.(?=\s|$)", worst.strip())[0] if worst else ""
    summary = " ".join((first or one(parts.say("blank", what=parts.say("blank-title")), language)).split())
    name = re.sub(r"[\[\]\s]+", "-", subject).strip("-")[:MAX_SUBJECT]
    fixed = len(form.title.format(subject=name, summary=""))
    if fixed + len(summary) > MAX_TITLE:
        summary = summary[: MAX_TITLE - fixed - 1] + "…"
    return form.title.replace("{subject}", name).replace("{summary}", summary)


def _body(blocks: Sequence[Block], say: Callable[..., str]) -> str:
    lines: list[str] = []
    section = ""
    for block in blocks:
        if block.section and block.section != section:
            lines.append(f"## {block.section}")
        section = block.section
        lines.append(f"{'###' if section else '##'} {heading(block, say)}")
        lines.append(block.text)
    return "\n\n".join(lines) + "\n"


def heading(block: Block, say: Callable[..., str]) -> str:
    """The label of a field, and whether the form insists on it."""
    return say("required" if block.required else "optional", label=block.label).replace("\n", " / ")


def form_for_maintainers(to: Tracker, repo: str) -> str:
    """The form as an issue template of a repository (.gitcode, .gitee or .github/ISSUE_TEMPLATE/accuracy-problem.yml), in both languages.

    Its fields have the names that `accucheck issue --field` knows.
    """
    import yaml

    def two(words: Mapping[str, str]) -> str:
        return f"{words['zh']} / {words['en']}"

    form = _form(to, repo)
    body: list[dict[str, Any]] = [{"type": "markdown", "attributes": {"value": two(WORDS["form-how"])}}]
    for field in form.fields:
        label = (
            two({"zh": field.label.zh, "en": field.label.en}) if field.label.zh != field.label.en else field.label.en
        )
        attributes: dict[str, Any] = {"label": label}
        if field.parts == ["checklist"]:
            attributes["options"] = [{"label": two(WORDS[f"checklist-{key}"])} for key in CHECKLIST]
        else:
            attributes["description"] = f"accucheck issue --tracker {to.name} --field {field.name}"
        kind = "checkboxes" if "options" in attributes else "textarea"
        required = {"validations": {"required": True}} if field.required else {}
        body.append({"type": kind, "id": field.name, "attributes": attributes, **required})
    title = form.title.replace("{subject}", "").replace("{summary}", "")
    whole = {"name": two(WORDS["form-name"]), "description": two(WORDS["form-what"]), "title": title, "body": body}
    return str(yaml.safe_dump(whole, allow_unicode=True, sort_keys=False, width=120))


# --- the address ------------------------------------------------------------------------------------------------------


def address(to: Tracker, repo: str, base: str, title: str, lines: Sequence[str], last: str) -> str:
    """The address of a new issue, with its title and a text filled in where the tracker takes them: as many of `lines` as there is room
    for, then `last`. At most MAX_ADDRESS bytes, cut between two characters."""
    start = f"{base or to.base}/{repo}{to.address}"
    if to.prefill is None:
        return start
    fixed = "".join(f"&{quote(name)}={quote(value)}" for name, value in to.more.items() if repo == to.repo)
    start += f"?{quote(to.prefill.title)}={_quoted(title)}{fixed}&{quote(to.prefill.text)}="
    room = MAX_ADDRESS - len(start) - len(_quoted("\n\n" + last))
    text = "\n\n".join(lines)
    if len(_quoted(text)) > room:
        room -= len(_quoted("…"))
        kept = 0
        for kept, character in enumerate(text):  # noqa: B007 - where it stops is what is wanted
            room -= len(_quoted(character))
            if room < 0:
                break
        text = text[:kept].rstrip() + "…"
    return start + _quoted(f"{text}\n\n{last}" if text else last)


def _quoted(text: str) -> str:
    return quote(text, safe="", errors="replace")


def summary(report: Report) -> list[str]:
    """An issue in a few lines, for an address: what is wrong, how sure, and on what."""
    verdict = report.verdict
    keys = ("mindspore", "mindspore_declared", "device", "npu", "cann", "mode", "amp")
    parts = _Parts(report, "plain", ())
    found = parts.bullets([f"{each.message} {each.where}".rstrip() for each in verdict.highlights[:MAX_SUMMED]])
    lines = [
        parts.text(verdict.symptom),
        parts.text(verdict.headline),
        found,
        parts.text(report.grade.title),
        parts.bullets(parts.rows(lambda key: key in keys)),
    ]
    return [line for line in lines if line]


# --- files ------------------------------------------------------------------------------------------------------------


class IssueOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`report` says how the report in the attachment is written, and of all: the languages and the redaction. `tracker` is one of
    trackers.yaml; `repo`, `base_url` and `title` take the place of the usual ones. `include` are files, patterns and folders to add.
    `limit` bounds a file of the attachment, `zip_limit` an attachment, in bytes; 0 is what the tracker takes."""

    report: Options = Options(formats=FORMATS, reviews=False)
    tracker: str = "atomgit"
    repo: str = ""
    base_url: str = ""
    title: str = ""
    include: tuple[Path, ...] = ()
    limit: int = 1_000_000
    zip_limit: int = 0


class IssueFiles(msgspec.Struct, frozen=True):
    """`grade` says whether it is worth filing. `body` is the whole text, `fields` the same by field, `attachments` the zips; `left_out` is
    what was to go into them and did not. `redacted` counts what was replaced, by its kind; `left` is what the second pass still found:
    the files are then named unfinished."""

    issue: Issue
    grade: str
    address: str
    body: Path
    fields: Path
    attachments: list[Path]
    left_out: list[bundle.LeftOut]
    redacted: dict[str, int] = {}
    left: list[Leftover] = []


def write_issue(project: Project, folder: Path, options: IssueOptions) -> IssueFiles:
    """The issue of a project's session as it stands, as files in `folder`, all of them or none. Nothing there is overwritten unless
    `options.report.force`. Takes seconds: the report is drawn, and all files are read once more. Raises UserError, ReadError, SaveError."""
    require_inside(folder, Path(project.case.root))
    made = _IssueContent(project, options)
    name = file_stem(options.report.stem or f"{made.report.case}-issue")
    stem, files, left = write_checked(folder, name, made.files, options.report, made.hide)
    for path in folder.iterdir():  # of the issue that was replaced
        if re.fullmatch(re.escape(stem) + r"\.\d+\.zip", path.name) and path.name not in files:
            path.unlink(missing_ok=True)
    zips = [folder / name for name in files if name.endswith(".zip")]
    issue = made.issue([path.name for path in zips])
    if options.report.redact:
        left += check({"address": "\n".join([issue.title, *summary(made.report)]).encode()}, made.hide)
    return IssueFiles(
        issue=issue,
        grade=made.report.grade.title,
        address=made.address(issue, stem, [path.name for path in zips]),
        body=folder / f"{stem}.md",
        fields=folder / f"{stem}.fields.txt",
        attachments=zips,
        left_out=made.left,
        redacted=dict(made.hide.distinct),
        left=left,
    )


def compose_issue(project: Project, options: IssueOptions) -> Issue:
    """The issue alone; nothing is written."""
    made = _IssueContent(project, options)
    return made.issue([f"{file_stem(options.report.stem or f'{made.report.case}-issue')}.zip"])


def field_of(issue: Issue, name: str) -> str:
    """The text of one field, or of "title" or "body". Raises UserError when the form has no such field."""
    texts = {"title": issue.title, "body": issue.body, **{block.name: block.text for block in issue.blocks}}
    if name not in texts:
        raise UserError("issue-field", value=name, fields=", ".join(texts))
    return texts[name]


def why(left: bundle.LeftOut, language: Language) -> str:
    """Why a file is not in the attachment."""
    return word(bundle.WORDS, left.why.code, language, **left.why.data)


def issue_json(written: IssueFiles, language: Language) -> dict[str, Any]:
    """What was written, as plain JSON values."""
    issue = written.issue
    return {
        "title": issue.title,
        "grade": one(written.grade, language),
        "address": written.address,
        "body": str(written.body),
        "fields": str(written.fields),
        "attachments": [str(path) for path in written.attachments],
        "blanks": issue.blanks,
        "left_out": [{"path": each.path, "why": why(each, language)} for each in written.left_out],
        "redacted": written.redacted,
        "left": written.left,
    }


class _IssueContent:
    """What an issue is made of, gathered once, whatever the files will be called."""

    def __init__(self, project: Project, options: IssueOptions) -> None:
        self.options, self.case = options, project.case
        self.to = tracker(options.tracker)
        self.repo = repository(self.to, options.repo)
        self.base = _checked(options.base_url.rstrip("/"), r"(https?://[^\s/?#]+[^\s?#]*)?", "issue-base")
        written = msgspec.structs.replace(options.report, flavour=self.to.flavour)
        self.hide = redactor(project, written)
        self.report = compose(project, written, self.hide)
        self.say = speaker(self.report, bundle.WORDS)
        self.left: list[bundle.LeftOut] = []
        self._written = written

    @cached_property
    def _gathered(self) -> tuple[list[bundle.Member], list[bundle.LeftOut]]:
        """What goes into the attachment, and what is too large for it."""
        report, limit = self.report, self.options.limit
        rendered = render(report, file_stem(f"{report.case}-accuracy"), self._written)
        members = [bundle.Member(f"report/{name}", content) for name, content in rendered.items()]
        lines = "".join(f"{label}: {value}\n".replace("\n", " ").rstrip() + "\n" for label, value in report.environment)
        if facts := report.result.get("environment"):
            members.append(bundle.Member("environment.txt", lines.encode()))
            members.append(bundle.Member("environment.json", machine.encode(facts)))
        left = [
            bundle.LeftOut(member.name, bundle.Note("too-large", {"size": len(member.content), "limit": limit}))
            for member in members
            if len(member.content) > limit
        ]
        members = [member for member in members if len(member.content) <= limit]
        root, gap = Path(self.case.root), lambda size: self.say("gap", bytes=size)
        own = [Path(self.case.file)] if self.case.file else []
        case_file, unread = bundle.collect(root, own, self.hide, limit, gap)
        members += [msgspec.structs.replace(member, name=file_stem(own[0].name)) for member in case_file]
        included, refused = bundle.collect(root, self.options.include, self.hide, limit, gap)
        return [*members, *included], [*left, *unread, *refused]

    def files(self, stem: str) -> dict[str, bytes]:
        """All files of an issue under this name: {name: content}."""
        zips, self.left = bundle.pack(stem, *self._gathered, self.options.zip_limit or self.to.zip, self.say)
        issue = self.issue(list(zips))
        return {f"{stem}.md": issue.body.encode(), f"{stem}.fields.txt": self.fields(issue).encode(), **zips}

    def issue(self, attachments: Sequence[str]) -> Issue:
        call = self.case.spec.network.call if self.case.spec.network else ""
        subject = self.hide(call.rpartition(":")[2] or self.report.case)
        title = self.hide(self.options.title)
        return describe(self.report, subject, self.to, self.repo, title=title, attachments=attachments)

    def fields(self, issue: Issue) -> str:
        """The title and the fields, one after the other, each to be pasted into its place."""
        say = speaker(self.report, WORDS)
        parts = [("title", "", issue.title), *((block.name, heading(block, say), block.text) for block in issue.blocks)]
        return "\n".join(f"===== {name} {f'· {label} ' if label else ''}=====\n{text}\n" for name, label, text in parts)

    def address(self, issue: Issue, stem: str, attachments: Sequence[str]) -> str:
        last = speaker(self.report, WORDS)("rest", body=f"{stem}.md", names=", ".join(attachments))
        return address(self.to, self.repo, self.base, issue.title, summary(self.report), escape(last))


def repository(to: Tracker, name: str) -> str:
    """The repository meant, by default the tracker's own. Raises UserError when that can be no name of one."""
    return _checked(name or to.repo, r"[\w.-]+(/[\w.-]+)+", "issue-repo")


def _checked(text: str, pattern: str, code: str) -> str:
    if not re.fullmatch(pattern, text):
        raise UserError(code, value=text)
    return text
