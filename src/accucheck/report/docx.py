"""Report -> Word: A4, readable in Word, WPS and LibreOffice with Chinese fonts, and the same bytes for the same report."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Iterable, Sequence
from datetime import timezone
from pathlib import Path
from typing import Any, NamedTuple
from unicodedata import east_asian_width
from xml.sax.saxutils import escape

import docx
import msgspec
from docx.enum.section import WD_ORIENT
from docx.enum.style import WD_STYLE_TYPE
from docx.enum.table import WD_TABLE_ALIGNMENT
from docx.enum.text import WD_ALIGN_PARAGRAPH, WD_TAB_ALIGNMENT
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls, qn
from docx.shared import Cm, Emu, Pt, RGBColor
from docx.text.paragraph import Paragraph

from ..model import Language, Level, Status, Verdict
from . import DEFAULT, Options, charts
from .bilingual import joined
from .parts import (
    Attachment,
    ChartPart,
    CodePart,
    EvidencePart,
    FindingPart,
    ItemPart,
    PathPart,
    Report,
    ResultPart,
    TablePart,
    spans,
)
from .words import LEVELS, MARKS, VERDICTS

#: Fonts of Windows; elsewhere the office program puts its own Chinese font in their place.
LATIN, CHINESE, CODE = "Calibri", "Microsoft YaHei", "Consolas"
WIDTH = 17.0  # cm of text on A4 with margins of 2 cm
CHART_WIDTH, SHORT_CHART_WIDTH, PICTURE_HEIGHT = 16.0, 11.0, 20.0  # cm; in a short report charts are smaller
VERDICT_WIDTHS = (
    1.5,
    5.6,
    3.1,
    4.6,
    2.2,
)  # cm of item, what, where, fix and how sure: sentences have more room than paths

#: Of tables: sizes of type, largest first; cm beside a cell's text; how many rows, of how much text, are not spread over two pages.
SIZES, MARGIN, KEPT_ROWS, KEPT_TEXT = (9, 8.5, 8, 7.5, 7), 0.14, 12, 1000
LONG_WORD, SOME_WORD = 20.5, 9.0  # em: an MD5 is just no long word
POINT, TWIPS = 2.54 / 72, 1440 / 2.54  # cm of a point, twentieths of a point of a cm
JUSTIFIED = '<w:jc w:val="right"/>'

#: Text and shade per state; the words and marks say the same, for print in grey.
INK = {"problem": "A61B1B", "ok": "1E6B34", "not_applicable": "5F6368", "undecided": "8A5A00", "open": "5F6368"}
SHADE = {"problem": "FBE3E1", "ok": "E2F2E5", "not_applicable": "ECEDEF", "undecided": "FFF3D6", "open": "FFFFFF"}
LEVEL_INK = {Level.PROBLEM: INK["problem"], Level.SUSPECT: INK["undecided"], Level.INFO: INK["not_applicable"]}
_LEVEL_WIDTH = {
    (Language.ZH,): 1.0,
    (Language.EN,): 1.8,
    (Language.ZH, Language.EN): 2.6,
}  # cm: the longest word of LEVELS
HEAD, CODE_SHADE, ACCENT, GREY = "E4EAF2", "F5F6F8", "1F3864", "5F6368"


class Cell(NamedTuple):
    """What a cell of a table says; `ink` and `shade` are colours."""

    text: str
    bold: bool = False
    ink: str = ""
    shade: str = ""


def render(
    report: Report, stem: str, options: Options = DEFAULT, draw: Callable[[ChartPart], bytes] = charts.draw
) -> dict[str, bytes]:
    """The .docx: {file name: content}."""
    return {f"{stem}.docx": _Writer(report, stem, draw).content()}


class _Writer:
    def __init__(self, report: Report, stem: str, draw: Callable[[ChartPart], bytes]) -> None:
        self.report, self.stem, self.draw, self.say = report, stem, draw, report.say
        self.document = docx.Document()
        self.end = self.document.element.body.sectPr
        self.figures = self.tables = 0

    def content(self) -> bytes:
        self._set_up()
        self._front()
        self._sign_off()
        self._since()
        for path in self.report.paths:
            self._path(path)
        short = self.report.others is not None
        if not short:
            self._summary()
            self._reproduce()
            self._environment()
        else:
            self._small(self.say("others-full"))  # at the end it would now and then take a page for itself
        if self.report.items or not short:
            self._paragraph(self.say("details"), "Heading 1")
        for checklist in self.report.checklists:
            for section in checklist.sections:
                self._paragraph(section.title, "Heading 2")
                for item in section.items:
                    self._item(item)
        if short:
            self._others()
        self._gaps()
        stream = io.BytesIO()
        self.document.save(stream)
        return _reproducible(stream.getvalue())

    # --- page, styles, properties -------------------------------------------------------------------------------------

    def _set_up(self) -> None:
        report, document = self.report, self.document
        section = document.sections[0]
        section.orientation = WD_ORIENT.PORTRAIT
        section.page_width, section.page_height = Cm(21), Cm(29.7)
        section.left_margin = section.right_margin = section.top_margin = section.bottom_margin = Cm(2)
        properties = document.core_properties
        properties.author = properties.last_modified_by = "accucheck"
        properties.title = f"{report.title}{report.colon}{report.case}"[:250]
        properties.comments = properties.keywords = properties.subject = ""
        properties.created = properties.modified = report.moment.astimezone(timezone.utc).replace(tzinfo=None)
        properties.revision = 1

        styles = document.styles
        code, cell = (styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH) for name in ("Code", "Cell"))
        code.base_style = cell.base_style = styles["Normal"]
        defaults = styles.element.find(f"{qn('w:docDefaults')}/{qn('w:rPrDefault')}/{qn('w:rPr')}")
        _set_fonts(defaults, LATIN)
        language = defaults.find(qn("w:lang"))
        if language is None:
            language = OxmlElement("w:lang")
            defaults.append(language)
        language.set(qn("w:val"), "en-US")
        language.set(qn("w:eastAsia"), "zh-CN")
        sizes = {
            "Normal": 10,
            "Title": 22,
            "Heading 1": 15,
            "Heading 2": 12.5,
            "Heading 3": 11.5,
            "Caption": 9,
            "Code": 8.5,
            "Cell": SIZES[0],
        }
        for name in [*sizes, "Header", "Footer", "Table Grid", "List Bullet", "Normal Table"]:
            if name in styles:
                _set_fonts(styles[name].element.get_or_add_rPr(), CODE if name == "Code" else LATIN)
        for name, size in sizes.items():
            style, ink = styles[name], ACCENT if name.startswith(("Title", "Heading")) else None
            style.font.size, style.font.italic = Pt(size), False
            if ink:
                style.font.color.rgb, style.font.bold = RGBColor.from_string(ink), True
        spacing = {
            "Normal": (0, 4),
            "Title": (0, 8),
            "Heading 1": (16, 6),
            "Heading 2": (14, 4),
            "Heading 3": (12, 3),
            "Caption": (1, 8),
            "Cell": (1.5, 1.5),
        }
        for name, (before, after) in spacing.items():
            layout = styles[name].paragraph_format
            layout.space_before, layout.space_after = Pt(before), Pt(after)
        styles["Normal"].paragraph_format.line_spacing, cell.paragraph_format.line_spacing = 1.15, 1.05
        styles["Caption"].font.color.rgb, styles["Caption"].font.bold = RGBColor.from_string(GREY), False
        if (border := styles["Title"].element.get_or_add_pPr().find(qn("w:pBdr"))) is not None:
            border.getparent().remove(border)
        code.paragraph_format.space_after, code.paragraph_format.line_spacing = Pt(0), 1.0

        header = section.header.paragraphs[0]
        header.text = f"{report.title}  ·  {report.case}"
        header.runs[0].font.size, header.runs[0].font.color.rgb = Pt(8.5), RGBColor.from_string(GREY)
        footer = section.footer.paragraphs[0]
        footer.alignment = WD_ALIGN_PARAGRAPH.CENTER
        for part in _split(self.say("page", page="\0PAGE\0", pages="\0NUMPAGES\0")):
            _field(footer, part) if part in ("PAGE", "NUMPAGES") else footer.add_run(part)
        for run in footer.runs:
            run.font.size, run.font.color.rgb = Pt(8.5), RGBColor.from_string(GREY)

    # --- front matter -------------------------------------------------------------------------------------------------

    def _front(self) -> None:
        report = self.report
        self._paragraph(report.title, "Title")
        facts = [
            (self.say("case"), report.case),
            (self.say("generated"), report.generated),
            (self.say("tool"), report.tool),
            (self.say("private"), report.private),
            (self.say("checklists"), report.checklist_versions),
        ]
        self._pairs(facts)
        self._verdict_part()
        self._tried()
        self._tuned()
        self._grade()
        if report.others is not None:
            return
        self._paragraph(self.say("result"), "Heading 1")
        self._counts()
        for line in report.overview:
            self._paragraph(line)

    def _verdict_part(self) -> None:
        verdict = self.report.verdict
        self._paragraph(self.say("verdict"), "Heading 1")
        if verdict.symptom:
            self._paragraph(verdict.symptom)
        self._run(self._paragraph(), verdict.headline, ink=INK[verdict.state.value], bold=True, size=12)
        if verdict.highlights:
            short = self.report.others is not None
            keys = ("item", "what", "where", *(("fix",) if short else ()), "sure")
            rows: list[list[str | Cell]] = [
                [Cell(each.item, bold=True), each.message, each.where, *([each.fix] if short else []), each.sure]
                for each in verdict.highlights
            ]
            widths = VERDICT_WIDTHS if short else ()
            self._table([self.say(f"column-{key}") for key in keys], rows, widths=widths)
            if verdict.more_highlights:
                self._small(self.say("more-highlights", count=verdict.more_highlights))
        self._paragraph(verdict.checked)
        self._listed("verdict-limits", verdict.limits)

    def _tried(self) -> None:
        tried = self.report.tried
        if tried is not None:
            self._paragraph(tried.title, "Heading 2")
            self._table(tried.table.columns, tried.table.rows, numeric=tried.table.numeric)
            for note in tried.notes:
                self._small(note)

    def _tuned(self) -> None:
        tuned = self.report.tuned
        if tuned is not None:
            self._paragraph(tuned.title, "Heading 2")
            self._run(self._paragraph(), tuned.verdict, bold=True)
            for line in tuned.advice:
                self._paragraph(line)
            self._table(tuned.table.columns, tuned.table.rows, numeric=tuned.table.numeric)
            for part in tuned.charts:
                self._evidence(part)
            for note in tuned.notes:
                self._small(note)

    def _grade(self) -> None:
        grade = self.report.grade
        self._paragraph(self.say("grade"), "Heading 2")
        self._run(self._paragraph(), grade.title, bold=True)
        self._listed("grade-why", grade.why)
        self._listed("grade-lacking", grade.lacking)
        self._labelled_plain("grade-advice", grade.advice)

    def _listed(self, key: str, lines: Sequence[str]) -> None:
        """A label, and a list below it."""
        if lines:
            label = self._paragraph()
            label.paragraph_format.keep_with_next = True
            self._run(label, self.say(key), bold=True)
            for line in lines:
                self._run(self._paragraph(style="List Bullet"), line)

    def _reproduce(self) -> None:
        self._paragraph(self.say("reproduce"), "Heading 1")
        for number, step in enumerate(self.report.reproduce, start=1):
            self._paragraph(f"{number}. {step.title}", "Heading 2")
            for line in step.text:
                self._paragraph(line)
            if step.lines:
                self._code(step.lines)

    def _sign_off(self) -> None:
        """Where the review of the whole stands."""
        part = self.report.sign_off
        if part is None:
            return
        self._paragraph(self.say("sign-off"), "Heading 1")
        ink = {"valid": INK["ok"], "void": INK["problem"]}.get(part.state)
        for number, line in enumerate(part.lines):
            last = number + 1 == len(part.lines)
            self._run(self._paragraph(), line, ink=ink if last else None, bold=last)
        for line in part.comment:
            self._paragraph(line)

    def _since(self) -> None:
        """What changed since an earlier round."""
        part = self.report.since
        if part is None:
            return
        self._paragraph(self.say("since"), "Heading 1")
        for line in (part.sides, *part.lines):
            self._paragraph(line)
        if part.rows:
            keys = ("item", "change", "changed", "where")
            rows: list[list[str | Cell]] = [[each.item, each.change, each.text, each.where] for each in part.rows]
            self._table([self.say(f"column-{key}") for key in keys], rows)
            if part.more:
                self._small(self.say("more-rows", count=part.more))

    def _path(self, path: PathPart) -> None:
        """The path of a checklist, step by step, and its end."""
        title = f"{self.say('path')}{self.report.colon}{path.title}" if len(self.report.paths) > 1 else self.say("path")
        self._paragraph(title, "Heading 1")
        if path.steps:
            rows: list[list[str | Cell]] = [
                [
                    f"{step.item} {step.title}",
                    Cell(
                        f"{MARKS[step.state.value]} {step.answer}", True, INK[step.state.value], SHADE[step.state.value]
                    ),
                    joined(" ", step.evidence),
                    step.leads,
                ]
                for step in path.steps
            ]
            self._table([self.say(f"column-{key}") for key in ("step", "answer", "evidence", "leads")], rows)
        if path.stands:
            self._paragraph(path.stands)
            self._listed("path-lacks", path.wanted)
        else:
            self._run(self._paragraph(), path.end, bold=True)
            if path.problems:
                self._paragraph(path.problems)
            self._labelled("path-advice", path.advice)

    def _counts(self) -> None:
        """The four numbers that people look for first."""
        table = self.document.add_table(2, len(Verdict))
        table.alignment = WD_TABLE_ALIGNMENT.CENTER
        _set_widths(table, [WIDTH / len(Verdict)] * len(Verdict))
        for column, verdict in enumerate(Verdict):
            state = verdict.value
            for row, text in enumerate(
                (str(self.report.counts.states[state]), f"{MARKS[state]} {self.report.pick(VERDICTS[state])}")
            ):
                cell = table.cell(row, column)
                _shade(cell, SHADE[state])
                paragraph = cell.paragraphs[0]
                paragraph.alignment = WD_ALIGN_PARAGRAPH.CENTER
                paragraph.paragraph_format.space_before = Pt(4 if row == 0 else 0)
                paragraph.paragraph_format.space_after = Pt(0 if row == 0 else 5)
                self._run(paragraph, text, ink=INK[state], bold=True, size=20 if row == 0 else 9.5)
        self._gap()

    def _environment(self) -> None:
        report = self.report
        for key, pairs in (("environment", report.environment), ("asked", report.asked)):
            if pairs:
                self._paragraph(self.say(key), "Heading 1")
                self._pairs(pairs)
        if report.changes:
            self._evidence(report.changes)
        if report.inputs:
            self._paragraph(report.inputs.title, "Heading 1")
            self._evidence(msgspec.structs.replace(report.inputs, title=""))
        self._paragraph(self.say("versions"), "Heading 1")
        self._pairs(report.versions)

    def _summary(self) -> None:
        self._paragraph(self.say("summary"), "Heading 1")
        heads = [self.say(f"column-{key}") for key in ("item", "title", "conclusion", "suggestion", "by", "note")]
        reviewed = self.report.sign_off is not None
        rows: list[list[str | Cell]] = []
        for item in self.report.items:
            mark = f"{MARKS[item.state.value]} " if item.conclusion else ""
            state = item.conclusion.value if item.conclusion else "open"
            # A suggestion is only tinted as long as nobody concluded: then it is what there is to go by.
            tinted = SHADE[item.suggestion.value] if item.checked and not item.conclusion else ""
            rows.append(
                [
                    Cell(item.id, bold=True),
                    item.title,
                    Cell(mark + item.conclusion_brief, item.conclusion is not None, INK[state], SHADE[state]),
                    Cell(item.suggestion_text, shade=tinted),
                    item.by_brief,
                    item.note_brief,
                    *([item.review_brief] if reviewed else []),
                ]
            )
        self._table([*heads, *([self.say("review")] if reviewed else [])], rows)

    # --- items --------------------------------------------------------------------------------------------------------

    def _agent(self, cell: Any, item: ItemPart) -> None:
        """What a program concluded, called so."""
        if item.agent is None:
            return
        paragraph = cell.add_paragraph()
        self._run(paragraph, f"{self.say('agent')}  ", bold=True)
        self._run(paragraph, item.agent.text)
        self._run(paragraph, f"   {item.agent.by}", ink=GREY, size=9)
        for line in item.agent.note:
            self._run(cell.add_paragraph(), line)

    def _item(self, item: ItemPart) -> None:
        self._paragraph(f"{item.id}  {item.title}", "Heading 3")
        state = item.conclusion.value if item.conclusion else "open"
        box = self.document.add_table(1, 1)
        box.alignment = WD_TABLE_ALIGNMENT.CENTER
        _set_widths(box, [WIDTH])
        cell = box.cell(0, 0)
        _shade(cell, SHADE[state] if item.conclusion else CODE_SHADE)
        _pad(cell)
        first = cell.paragraphs[0]
        self._run(first, f"{self.say('conclusion')}  ", bold=True)
        mark = f"{MARKS[state]} " if item.conclusion else ""
        self._run(first, mark + item.conclusion_text, ink=INK[state], bold=True)
        if item.by:
            self._run(first, f"   {item.by}", ink=GREY, size=9)
        for text in (item.overruled, item.meaning, item.not_applicable):
            if text:
                self._prose(cell.add_paragraph(), text)
        for number, line in enumerate(item.note):
            paragraph = cell.add_paragraph()
            if number == 0:
                self._run(paragraph, f"{self.say('note')}  ", bold=True)
            self._run(paragraph, line)
        if item.review is not None:
            paragraph = cell.add_paragraph()
            self._run(paragraph, f"{self.say('review')}  ", bold=True)
            ink = {"accepted": INK["ok"], "returned": INK["problem"]}.get(item.review.state, INK["undecided"])
            self._run(paragraph, item.review.text, ink=ink, bold=True)
            self._run(paragraph, f"   {item.review.by}", ink=GREY, size=9)
            for line in item.review.comment:
                self._run(cell.add_paragraph(), line)
        self._agent(cell, item)
        cell.paragraphs[-1].paragraph_format.space_after = Pt(1)
        for paragraph in cell.paragraphs:
            paragraph.paragraph_format.keep_with_next = True
        self._gap(kept=True)
        self._labelled("method", item.method, ink=GREY, size=8.5)
        self._labelled("remedy", item.remedy)
        self._labelled("references", [f"{title}  {url}" for title, url in item.references], ink=GREY, size=8.5)
        self._attachments(item.attachments)
        if item.no_probe and not item.results:
            self._small(self.say("no-probe"))
        for result in item.results:
            self._result(result)

    def _labelled(self, key: str, lines: Sequence[str], ink: str | None = None, size: float | None = None) -> None:
        """Lines of a checklist as one paragraph that begins with a label."""
        if lines:
            paragraph = self._paragraph()
            self._run(paragraph, f"{self.say(key)}  ", bold=True, size=size)
            for number, line in enumerate(lines):
                if number:
                    paragraph.runs[-1].add_break()
                self._prose(paragraph, line, ink, size)

    def _labelled_plain(self, key: str, text: str) -> None:
        paragraph = self._paragraph()
        self._run(paragraph, f"{self.say(key)}  ", bold=True)
        self._run(paragraph, text)

    def _prose(self, paragraph: Any, text: str, ink: str | None = None, size: float | None = None) -> None:
        """A checklist's prose, with its code spans."""
        for part, is_code in spans(text):
            self._run(
                paragraph, part, ink=ink, font=CODE if is_code else None, size=(size or 10) - 1 if is_code else size
            )

    def _attachments(self, attachments: Sequence[Attachment]) -> None:
        if attachments:
            label = self._paragraph()
            label.paragraph_format.keep_with_next = True
            self._run(label, self.say("attachments"), bold=True)
        for attachment in attachments:
            content = charts.picture(Path(attachment.path)) if attachment.kind == "picture" else None
            unread = attachment.kind == "picture" and not content
            if content:
                self._picture(content, attachment.name, natural=True)
            else:
                self._paragraph(self.say("attachment-unreadable", name=attachment.name) if unread else attachment.name)

    def _result(self, result: ResultPart) -> None:
        head = self._paragraph()
        head.paragraph_format.keep_with_next = True
        head.paragraph_format.space_before = Pt(6)
        head.paragraph_format.tab_stops.add_tab_stop(Cm(WIDTH), WD_TAB_ALIGNMENT.RIGHT)
        _border(head, "bottom", "C8CED8")
        self._run(head, result.probe, font=CODE, bold=True, size=9.5)
        if result.facts:
            self._run(head, f"   {joined(' · ', result.facts)}", ink=GREY, size=9)
        if result.facts and result.status is Status.DONE:
            suggestion = self.say("suggests", suggestion=result.suggestion_text)
            self._run(head, f"\t{suggestion}", ink=INK[result.suggestion.value], bold=True, size=9)
        if result.stale:
            warning = self._paragraph()
            warning.paragraph_format.keep_with_next = True
            self._run(warning, self.say("stale"), ink=INK["undecided"], bold=True)
        if result.reason:
            self._paragraph(result.reason)
        if not result.findings and result.status is not Status.SKIPPED:
            self._small(self.say("no-findings" if result.status is Status.DONE else "incomplete-findings"))
        for finding in result.findings:
            self._finding(finding)
        if result.more_findings:
            self._small(self.say("more-findings", count=result.more_findings))
        if result.log:
            self._small(self.say("log"))
            self._code(result.log)

    def _finding(self, finding: FindingPart) -> None:
        paragraph = self._paragraph()
        indent = Cm(_LEVEL_WIDTH[self.report.languages])
        paragraph.paragraph_format.left_indent, paragraph.paragraph_format.first_line_indent = indent, -indent
        paragraph.paragraph_format.tab_stops.add_tab_stop(indent)
        paragraph.paragraph_format.keep_with_next = bool(finding.evidence)
        level = self.report.pick(LEVELS[finding.level.value])
        self._run(paragraph, f"{level}\t", ink=LEVEL_INK[finding.level], bold=True)
        self._run(paragraph, finding.message)
        if finding.where:
            self._run(paragraph, f"   {finding.where}", font=CODE, size=8.5, ink=GREY)
        for part in finding.evidence:
            self._evidence(part)
        if finding.more_evidence:
            self._small(self.say("more-evidence", count=finding.more_evidence))
        for key in ("why", "sure", "proof", "fix"):
            if text := getattr(finding, key):
                self._labelled_plain(key, text)
        if finding.diff:
            self._code(finding.diff, inks=[_diff_ink(line) for line in finding.diff])

    # --- evidence -----------------------------------------------------------------------------------------------------

    def _evidence(self, part: EvidencePart) -> None:
        if isinstance(part, ChartPart):
            self.figures += 1
            caption = f"{self.say('figure', number=self.figures)}  {part.title}"
            self._picture(self.draw(part), caption + (part.bound.join(self.report.brackets) if part.bound else ""))
        elif isinstance(part, TablePart):
            self.tables += 1
            self._table_title(f"{self.say('table', number=self.tables)}  {part.title}", part.bound)
            self._table(part.columns, part.rows, numeric=part.numeric)
            if part.whole is not None:
                file = f"{self.stem}_files/{part.whole.name}"
                self._small(self.say("whole-table", count=part.whole.count, file=file))
        elif isinstance(part, CodePart):
            self._table_title(part.title, part.bound, font=CODE)
            width = len(str(part.line + len(part.lines)))
            numbered = [f"{number:>{width}}  {text}" for number, text in enumerate(part.lines, start=part.line)]
            shades = [
                "FFF0C2" if number in part.marked else CODE_SHADE
                for number in range(part.line, part.line + len(numbered))
            ]
            self._code(numbered, shades=shades)
        else:
            self._table_title(part.title, part.bound)
            self._code(part.lines)

    def _table_title(self, title: str, bound: str, font: str | None = None) -> None:
        paragraph = self._paragraph(style="Caption")
        paragraph.paragraph_format.keep_with_next = True
        paragraph.paragraph_format.space_before, paragraph.paragraph_format.space_after = Pt(4), Pt(2)
        self._run(paragraph, title, bold=font is None, font=font)
        if bound:
            self._run(paragraph, bound.join(self.report.brackets), ink=GREY, size=9)

    def _code(self, lines: Sequence[str], shades: Sequence[str] = (), inks: Sequence[str | None] = ()) -> None:
        for number, line in enumerate(lines):
            paragraph = self._paragraph(style="Code")
            paragraph.paragraph_format.left_indent = Cm(0.2)
            paragraph.paragraph_format.keep_with_next = number + 1 < (len(lines) if len(lines) <= KEPT_ROWS else 3)
            shade = OxmlElement("w:shd")
            for key, value in (("val", "clear"), ("color", "auto"), ("fill", shades[number] if shades else CODE_SHADE)):
                shade.set(qn(f"w:{key}"), value)
            properties = paragraph._p.get_or_add_pPr()
            properties.insert_element_before(
                shade, "w:tabs", "w:suppressAutoHyphens", "w:spacing", "w:ind", "w:jc", "w:rPr"
            )
            self._run(paragraph, line, ink=inks[number] if inks else None)
        self._gap()

    def _picture(self, content: bytes, caption: str, *, natural: bool = False) -> None:
        """A PNG with its caption; `natural`: at most as large as its pixels at 96 dpi."""
        paragraph = self._paragraph()
        paragraph.alignment = WD_ALIGN_PARAGRAPH.CENTER
        paragraph.paragraph_format.keep_with_next = True
        picture = paragraph.add_run().add_picture(io.BytesIO(content))
        across, down = picture.width, picture.height  # by the PNG's own resolution; 72 dpi where it tells none
        widest = CHART_WIDTH if self.report.others is None else SHORT_CHART_WIDTH
        scale = min(Cm(widest) / across, Cm(PICTURE_HEIGHT) / down, 0.75 if natural else 9)
        picture.width, picture.height = Emu(int(across * scale)), Emu(int(down * scale))
        picture._inline.docPr.set("descr", caption)
        below = self._paragraph(caption, "Caption")
        below.alignment = WD_ALIGN_PARAGRAPH.CENTER

    # --- tables and text ----------------------------------------------------------------------------------------------

    def _pairs(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Labels and what they stand for, without a head."""
        self._table(
            [], [[Cell(label, bold=True, shade=HEAD), value] for label, value in pairs], widths=[4.2, WIDTH - 4.2]
        )

    def _table(
        self,
        columns: Sequence[str],
        rows: Sequence[Sequence[str | Cell]],
        *,
        numeric: Sequence[bool] = (),
        widths: Sequence[float] = (),
    ) -> None:
        """A table below a head that every page repeats. `widths` in cm: by default what the texts need, within WIDTH.

        Where not even the smallest type makes room for all columns, the last ones follow in a table of their own, below the
        first column once more.
        """
        cells = [[cell if isinstance(cell, Cell) else Cell(cell) for cell in row] for row in rows]
        if columns:
            cells.insert(0, [Cell(text, bold=True, shade=HEAD) for text in columns])
        if not cells or not cells[0]:
            return
        right = list(numeric) or [False] * len(cells[0])
        parts = [(list(range(len(cells[0]))), SIZES[0], list(widths))] if widths else _laid_out(cells, right)
        for chosen, size, own in parts:
            narrowed = [[row[column] for column in chosen] for row in cells]
            xml = _table_xml(narrowed, own, size, [right[column] for column in chosen], head=bool(columns))
            self.end.addprevious(parse_xml(xml))
            self._gap()

    def _paragraph(self, text: str = "", style: str = "Normal") -> Any:
        """A paragraph at the end. python-docx looks through the whole document, and all styles, for each that it adds."""
        element = OxmlElement("w:p")
        if style != "Normal":
            element.get_or_add_pPr().style = style.replace(" ", "")
        self.end.addprevious(element)
        paragraph = Paragraph(element, self.document._body)
        if text:
            paragraph.add_run(text)
        return paragraph

    def _small(self, text: str) -> None:
        self._run(self._paragraph(), text, ink=GREY, size=9)

    def _gap(self, *, kept: bool = False) -> None:
        """A thin empty line: tables have no space after them. `kept`: on the page of what follows."""
        paragraph = self._paragraph()
        paragraph.paragraph_format.keep_with_next = kept or None
        paragraph.paragraph_format.space_after = Pt(0)
        paragraph.paragraph_format.line_spacing = Pt(6)

    def _run(
        self,
        paragraph: Any,
        text: str,
        *,
        ink: str | None = None,
        bold: bool = False,
        size: float | None = None,
        font: str | None = None,
    ) -> None:
        run = paragraph.add_run(text)
        run.font.bold = bold or None
        if size:
            run.font.size = Pt(size)
        if ink:
            run.font.color.rgb = RGBColor.from_string(ink)
        if font:
            _set_fonts(run._r.get_or_add_rPr(), font)

    def _others(self) -> None:
        """A line for each item of which there is no more to say, and what this was made with."""
        if self.report.others:
            self._paragraph(self.say("others"), "Heading 1")
            rows: list[list[str | Cell]] = [
                [
                    Cell(item.id, bold=True),
                    item.title,
                    Cell(
                        f"{MARKS[item.state.value] if item.checked else '○'} {item.conclusion_text}",
                        ink=INK[item.state.value],
                    ),
                ]
                for item in self.report.others
            ]
            self._table([self.say(f"column-{key}") for key in ("item", "title", "standing")], rows)
        if self.report.environment:
            self._paragraph(self.say("environment"), "Heading 1")
            self._pairs(self.report.environment)

    def _gaps(self) -> None:
        if self.report.gaps:
            self._paragraph(self.say("not-checked"), "Heading 1")
            rows = [[gap.item, gap.probe, gap.why] for gap in self.report.gaps]
            self._table([self.say(f"column-{key}") for key in ("item", "probe", "why")], rows)
            if self.report.more_gaps:
                self._small(self.say("more-rows", count=self.report.more_gaps))


# --- what python-docx has no call for -----------------------------------------------------------------------------------


def _set_fonts(properties: Any, latin: str) -> None:
    """Fonts of a style or run. Theme fonts would win over the names, so they are taken out."""
    fonts = properties.find(qn("w:rFonts"))
    if fonts is None:
        fonts = OxmlElement("w:rFonts")
        properties.insert(0, fonts)
    for name in ("asciiTheme", "hAnsiTheme", "eastAsiaTheme", "cstheme"):
        fonts.attrib.pop(qn(f"w:{name}"), None)
    for name, font in (("ascii", latin), ("hAnsi", latin), ("cs", latin), ("eastAsia", CHINESE)):
        fonts.set(qn(f"w:{name}"), font)


def _field(paragraph: Any, name: str) -> None:
    """A field that the office program fills, such as PAGE."""
    for kind, text in (("begin", None), (None, name), ("separate", None), ("text", "1"), ("end", None)):
        run = paragraph.add_run()._r
        if kind in ("begin", "separate", "end"):
            element = OxmlElement("w:fldChar")
            element.set(qn("w:fldCharType"), kind)
        else:
            element = OxmlElement("w:t" if kind else "w:instrText")
            element.text = text
        run.append(element)


def _split(text: str) -> list[str]:
    return [part for part in text.split("\0") if part]


def _set_widths(table: Any, widths: Sequence[float]) -> None:
    """Column widths in cm; LibreOffice reads those of the columns, Word those of the cells."""
    table.autofit = False
    for column, width in zip(table.columns, widths, strict=True):
        column.width = Cm(width)
    for row in table.rows:
        for cell, width in zip(row.cells, widths, strict=True):
            cell.width = Cm(width)


def _border(paragraph: Any, side: str, colour: str) -> None:
    borders, border = OxmlElement("w:pBdr"), OxmlElement(f"w:{side}")
    for key, value in (("val", "single"), ("sz", "4"), ("space", "1"), ("color", colour)):
        border.set(qn(f"w:{key}"), value)
    borders.append(border)
    paragraph._p.get_or_add_pPr().insert_element_before(
        borders, "w:shd", "w:tabs", "w:suppressAutoHyphens", "w:spacing", "w:ind", "w:jc", "w:rPr"
    )


def _shade(cell: Any, fill: str) -> None:
    properties = cell._tc.get_or_add_tcPr()
    for old in properties.findall(qn("w:shd")):
        properties.remove(old)
    shade = OxmlElement("w:shd")
    for key, value in (("val", "clear"), ("color", "auto"), ("fill", fill)):
        shade.set(qn(f"w:{key}"), value)
    properties.append(shade)


def _pad(cell: Any) -> None:
    """Room within a cell, in twentieths of a point."""
    margins = OxmlElement("w:tcMar")
    for side, width in (("top", 80), ("left", 140), ("bottom", 80), ("right", 140)):
        margin = OxmlElement(f"w:{side}")
        margin.set(qn("w:w"), str(width))
        margin.set(qn("w:type"), "dxa")
        margins.append(margin)
    cell._tc.get_or_add_tcPr().append(margins)


def _laid_out(rows: Sequence[Sequence[Cell]], right: Sequence[bool]) -> list[tuple[list[int], float, list[float]]]:
    """How a table fits the page: (its columns, size of type, widths in cm), in as few parts as possible.

    The largest type in which no word and no number breaks, or only words longer than SOME_WORD; words longer than LONG_WORD may
    always break.
    """
    columns = list(range(len(right)))
    needs: list[_ColumnWidth] = []
    for longest, sizes in ((LONG_WORD, SIZES[:4]), (SOME_WORD, SIZES)):
        needs = [_need([row[column] for row in rows], right[column], longest) for column in columns]
        for size in sizes:
            if sum(_width(need.least, size) for need in needs) <= WIDTH:
                return [(columns, size, _shared(needs, size))]
    parts, chosen = [], [0]
    for column in columns[1:]:
        if len(chosen) > 1 and sum(_width(needs[each].least, SIZES[-1]) for each in [*chosen, column]) > WIDTH:
            parts.append(chosen)
            chosen = [0]
        chosen.append(column)
    return [(each, SIZES[-1], _shared([needs[column] for column in each], SIZES[-1])) for each in [*parts, chosen]]


class _ColumnWidth(NamedTuple):
    """The em that a column needs so that no word breaks, and so that no text wraps."""

    least: float
    most: float


def _need(cells: Sequence[Cell], number: bool, longest: float) -> _ColumnWidth:
    """`number`: below its head the column holds numbers, which never wrap."""
    least = most = 0.0
    for at, cell in enumerate(cells):
        wider = 1.12 if cell.bold else 1.0
        for line in cell.text.split("\n"):
            words = [line] if number and at > 0 else _WORD.findall(line)
            least = max(least, wider * max(map(_ems, words), default=0))
            most = max(most, wider * _ems(line))
    return _ColumnWidth(min(least, longest), most)


#: What an office program does not break: Chinese may break after each sign, other texts after blanks and hyphens.
_WORD = re.compile(r"[\u2e80-\uffef][，。、；：）”]*|[^\s\u2e80-\uffef-]+-?")


def _ems(text: str) -> float:
    """The width of a text in em, about, of the widest font that takes the place of LATIN.

    Beside Chinese, signs such as × are as wide as a Chinese one.
    """
    return sum(
        1.0 if sign in "mwMW@%" or east_asian_width(sign) in "WFA" else 0.75 if sign.isupper() else 0.62
        for sign in text
    )


def _width(ems: float, size: float) -> float:
    """The cm of a column that holds so many em of text."""
    return ems * size * POINT + 2 * MARGIN + 0.02


def _shared(needs: Sequence[_ColumnWidth], size: float) -> list[float]:
    """The widths of columns. No wider than need be where all have room: what is far apart is hard to read.

    Where not, short columns get what they need so that nothing in them wraps, and the long ones share the rest.
    """
    least, most = ([_width(need[which], size) for need in needs] for which in (0, 1))
    if sum(least) >= WIDTH:
        return [width * WIDTH / sum(least) for width in least]
    if sum(most) <= WIDTH:
        return [width * min(1.25, WIDTH / sum(most)) for width in most]
    widths, left, long = list(least), WIDTH, set(range(len(needs)))
    while long:
        share = left / len(long)
        settled = {column for column in long if least[column] > share} or {each for each in long if most[each] <= share}
        whole = sum(most[column] for column in long)
        for column in settled or long:
            wanted = share if settled else left * most[column] / whole
            widths[column] = max(least[column], min(most[column], wanted))
        left -= sum(widths[column] for column in settled or long)
        long -= settled or long
    lacking = [wide - width for wide, width in zip(most, widths, strict=True)]
    room = WIDTH - sum(widths)
    return [width + room * lack / sum(lacking) for width, lack in zip(widths, lacking, strict=True)]


def _table_xml(
    rows: Sequence[Sequence[Cell]], widths: Sequence[float], size: float, right: Sequence[bool], head: bool
) -> str:
    """A table as it stands in the file. Written as text: a call for each of thousands of cells takes seconds.

    Short tables stay on one page, of long ones the head with the first rows; no row goes over two pages.
    """
    across = [round(width * TWIPS) for width in widths]
    margin = round(MARGIN * TWIPS)
    sides = "".join(
        f'<w:{side} w:val="single" w:sz="4" w:space="0" w:color="C8CED8"/>'
        for side in ("top", "left", "bottom", "right", "insideH", "insideV")
    )
    grid = "".join(f'<w:gridCol w:w="{width}"/>' for width in across)
    short = len(rows) <= KEPT_ROWS and sum(len(cell.text) for row in rows for cell in row) <= KEPT_TEXT
    kept = len(rows) - 1 if short else 2
    lines = []
    for number, row in enumerate(rows):
        keep = "<w:keepNext/>" if number < kept else ""
        cells = "".join(
            f'<w:tc><w:tcPr><w:tcW w:w="{width}" w:type="dxa"/>{_shading(cell.shade)}</w:tcPr>'
            f'<w:p><w:pPr><w:pStyle w:val="Cell"/>{keep}{JUSTIFIED if aside else ""}</w:pPr>{_run_xml(cell, size)}</w:p></w:tc>'
            for cell, width, aside in zip(row, across, right, strict=True)
        )
        repeated = "<w:tblHeader/>" if head and number == 0 else ""
        lines.append(f"<w:tr><w:trPr><w:cantSplit/>{repeated}</w:trPr>{cells}</w:tr>")
    return (
        f'<w:tbl {nsdecls("w")}><w:tblPr><w:tblStyle w:val="TableGrid"/><w:tblW w:w="{sum(across)}" w:type="dxa"/>'
        f'<w:tblBorders>{sides}</w:tblBorders><w:tblLayout w:type="fixed"/>'
        f'<w:tblCellMar><w:left w:w="{margin}" w:type="dxa"/><w:right w:w="{margin}" w:type="dxa"/></w:tblCellMar></w:tblPr>'
        f"<w:tblGrid>{grid}</w:tblGrid>{''.join(lines)}</w:tbl>"
    )


def _run_xml(cell: Cell, size: float) -> str:
    bold = "<w:b/>" if cell.bold else ""
    ink = f'<w:color w:val="{cell.ink}"/>' if cell.ink else ""
    type_ = f'<w:sz w:val="{round(size * 2)}"/><w:szCs w:val="{round(size * 2)}"/>' if size != SIZES[0] else ""
    lines = "<w:br/>".join(f'<w:t xml:space="preserve">{escape(line)}</w:t>' for line in cell.text.split("\n"))
    return f"<w:r><w:rPr>{bold}{ink}{type_}</w:rPr>{lines}</w:r>"


def _shading(fill: str) -> str:
    return f'<w:shd w:val="clear" w:color="auto" w:fill="{fill}"/>' if fill else ""


def _diff_ink(line: str) -> str | None:
    if line.startswith(("+++", "---", "@@")):
        return GREY
    return INK["ok"] if line.startswith("+") else INK["problem"] if line.startswith("-") else None


def _reproducible(content: bytes) -> bytes:
    """The same archive with a fixed date on every member."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as target:
        for entry in source.infolist():
            fixed = zipfile.ZipInfo(entry.filename, (1980, 1, 1, 0, 0, 0))
            fixed.compress_type, fixed.external_attr = zipfile.ZIP_DEFLATED, 0o600 << 16
            target.writestr(fixed, source.read(entry.filename))
    return stream.getvalue()
