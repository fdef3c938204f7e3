"""Report -> Word: A4, readable in Word, WPS and LibreOffice with Chinese fonts, and the same bytes for the same report."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterable, Sequence
from datetime import timezone
from pathlib import Path
from typing import Any

import docx
from docx.enum.section import WD_ORIENT
from docx.enum.style import WD_STYLE_TYPE
from docx.enum.table import WD_TABLE_ALIGNMENT
from docx.enum.text import WD_ALIGN_PARAGRAPH, WD_TAB_ALIGNMENT
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Cm, Emu, Pt, RGBColor

from ..model import Language, Level, Status, Verdict
from . import DEFAULT, Options, charts
from .build import (
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
CHART_WIDTH, PICTURE_HEIGHT = 16.0, 20.0  # cm

#: Text and shade per state; the words and marks say the same, for print in grey.
INK = {"problem": "A61B1B", "ok": "1E6B34", "not_applicable": "5F6368", "undecided": "8A5A00", "open": "5F6368"}
SHADE = {"problem": "FBE3E1", "ok": "E2F2E5", "not_applicable": "ECEDEF", "undecided": "FFF3D6", "open": "FFFFFF"}
LEVEL_INK = {Level.PROBLEM: INK["problem"], Level.SUSPECT: INK["undecided"], Level.INFO: INK["not_applicable"]}
HEAD, CODE_SHADE, ACCENT, GREY = "E4EAF2", "F5F6F8", "1F3864", "5F6368"


def render(
    report: Report, stem: str, options: Options = DEFAULT, draw: Callable[[ChartPart], bytes] = charts.draw
) -> dict[str, bytes]:
    """The .docx: {file name: content}."""
    return {f"{stem}.docx": _Writer(report, draw).content()}


class _Writer:
    def __init__(self, report: Report, draw: Callable[[ChartPart], bytes]) -> None:
        self.report, self.draw, self.say = report, draw, report.say
        self.document = docx.Document()
        self.figures = 0

    def content(self) -> bytes:
        self._set_up()
        self._front()
        self._sign_off()
        self._since()
        for path in self.report.paths:
            self._path(path)
        self._environment()
        self._summary()
        self.document.add_heading(self.say("details"), 1)
        for checklist in self.report.checklists:
            for section in checklist.sections:
                self.document.add_heading(section.title, 2)
                for item in section.items:
                    self._item(item)
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
        properties.title = f"{report.title}: {report.case}"[:250]
        properties.comments = properties.keywords = properties.subject = ""
        properties.created = properties.modified = report.moment.astimezone(timezone.utc).replace(tzinfo=None)
        properties.revision = 1

        styles = document.styles
        code = styles.add_style("Code", WD_STYLE_TYPE.PARAGRAPH)
        code.base_style = styles["Normal"]
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
        }
        for name, (before, after) in spacing.items():
            layout = styles[name].paragraph_format
            layout.space_before, layout.space_after = Pt(before), Pt(after)
        styles["Normal"].paragraph_format.line_spacing = 1.15
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
        self.document.add_paragraph(report.title, "Title")
        listed = [self.say("checklist-version", title=part.title, version=part.version) for part in report.checklists]
        facts = [
            (self.say("case"), report.case),
            (self.say("generated"), report.generated),
            (self.say("tool"), report.tool),
            (self.say("checklists"), "; ".join(listed)),
        ]
        self._pairs(facts)
        self.document.add_heading(self.say("result"), 1)
        self._counts()
        for line in report.overview:
            self.document.add_paragraph(line)
        if report.verdict.highlights:
            self.document.add_heading(self.say("highlights"), 2)
            table = self._table([self.say(f"column-{key}") for key in ("item", "what", "where")], [1.9, 10.1, 5.0])
            for highlight in report.verdict.highlights:
                self._row(table, [highlight.item, highlight.message, highlight.where])
                _bold(table.rows[-1].cells[0])
            if report.verdict.more_highlights:
                self._small(self.say("more-highlights", count=report.verdict.more_highlights))

    def _sign_off(self) -> None:
        """Where the review of the whole stands."""
        part = self.report.sign_off
        if part is None:
            return
        self.document.add_heading(self.say("sign-off"), 1)
        ink = {"valid": INK["ok"], "void": INK["problem"]}.get(part.state)
        for number, line in enumerate(part.lines):
            last = number + 1 == len(part.lines)
            self._run(self.document.add_paragraph(), line, ink=ink if last else None, bold=last)
        for line in part.comment:
            self.document.add_paragraph(line)

    def _since(self) -> None:
        """What changed since an earlier round."""
        part = self.report.since
        if part is None:
            return
        self.document.add_heading(self.say("since"), 1)
        for line in (part.sides, *part.lines):
            self.document.add_paragraph(line)
        if part.rows:
            keys = ("item", "change", "what", "where")
            table = self._table([self.say(f"column-{key}") for key in keys], [1.9, 3.1, 8.0, 4.0])
            for change in part.rows:
                self._row(table, [change.item, change.change, change.text, change.where])
            if part.more:
                self._small(self.say("more-rows", count=part.more))
            self._gap()

    def _path(self, path: PathPart) -> None:
        """The path of a checklist, step by step, and its end."""
        title = f"{self.say('path')}: {path.title}" if len(self.report.paths) > 1 else self.say("path")
        self.document.add_heading(title, 1)
        if path.steps:
            keys = ("step", "answer", "evidence", "leads")
            table = self._table([self.say(f"column-{key}") for key in keys], [4.0, 2.6, 6.2, 4.2])
            for step in path.steps:
                cells = [f"{step.item} {step.title}", f"{MARKS[step.state.value]} {step.answer}"]
                row = self._row(table, [*cells, " ".join(step.evidence), step.leads])
                self._tint(row.cells[1], step.state.value, bold=True)
            self._gap()
        if path.stands:
            self.document.add_paragraph(path.stands)
            self._labelled("path-lacks", path.wanted)
        else:
            self._run(self.document.add_paragraph(), path.end, bold=True)
            if path.problems:
                self.document.add_paragraph(path.problems)
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
        if self.report.environment:
            self.document.add_heading(self.say("environment"), 1)
            self._pairs(self.report.environment)

    def _summary(self) -> None:
        self.document.add_heading(self.say("summary"), 1)
        keys = ("item", "title", "conclusion", "suggestion", "by", "note")
        heads, widths = [self.say(f"column-{key}") for key in keys], [1.9, 4.9, 2.5, 2.5, 2.6, 2.6]
        reviewed = self.report.sign_off is not None
        if reviewed:
            heads, widths = [*heads, self.say("review")], [1.7, 4.0, 2.3, 2.3, 2.3, 2.2, 2.2]
        table = self._table(heads, widths)
        for item in self.report.items:
            mark = f"{MARKS[item.state.value]} " if item.conclusion else ""
            cells = [
                item.id,
                item.title,
                mark + item.conclusion_brief,
                item.suggestion_text,
                item.by_brief,
                item.note_brief,
                *([item.review_brief] if reviewed else []),
            ]
            row = self._row(table, cells)
            _bold(row.cells[0])
            state = item.conclusion.value if item.conclusion else "open"
            self._tint(row.cells[2], state, bold=item.conclusion is not None)
            # A suggestion is only tinted as long as nobody concluded: then it is what there is to go by.
            if item.checked and not item.conclusion:
                _shade(row.cells[3], SHADE[item.suggestion.value])
        self._gap()

    # --- items --------------------------------------------------------------------------------------------------------

    def _item(self, item: ItemPart) -> None:
        self.document.add_heading(f"{item.id}  {item.title}", 3)
        state = item.conclusion.value if item.conclusion else "open"
        box = self.document.add_table(1, 1)
        box.alignment = WD_TABLE_ALIGNMENT.CENTER
        _set_widths(box, [WIDTH])
        cell = box.cell(0, 0)
        _shade(cell, SHADE[state] if item.conclusion else CODE_SHADE)
        _pad(cell)
        first = cell.paragraphs[0]
        first.paragraph_format.keep_with_next = True
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
        cell.paragraphs[-1].paragraph_format.space_after = Pt(1)
        self._gap()
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
            paragraph = self.document.add_paragraph()
            self._run(paragraph, f"{self.say(key)}  ", bold=True, size=size)
            for number, line in enumerate(lines):
                if number:
                    paragraph.runs[-1].add_break()
                self._prose(paragraph, line, ink, size)

    def _labelled_plain(self, key: str, text: str) -> None:
        paragraph = self.document.add_paragraph()
        self._run(paragraph, f"{self.say(key)}  ", bold=True)
        self._run(paragraph, text)

    def _prose(self, paragraph: Any, text: str, ink: str | None = None, size: float | None = None) -> None:
        """A checklist's prose, with its code spans."""
        for part, is_code in spans(text):
            self._run(
                paragraph, part, ink=ink, font=CODE if is_code else None, size=(size or 10) - 1 if is_code else size
            )

    def _attachments(self, attachments: Sequence[Attachment]) -> None:
        for attachment in attachments:
            self._labelled_plain("attachments", attachment.name)
            if attachment.kind == "picture" and (content := charts.picture(Path(attachment.path))):
                self._picture(content, attachment.name, natural=True)

    def _result(self, result: ResultPart) -> None:
        head = self.document.add_paragraph()
        head.paragraph_format.keep_with_next = True
        head.paragraph_format.space_before = Pt(6)
        head.paragraph_format.tab_stops.add_tab_stop(Cm(WIDTH), WD_TAB_ALIGNMENT.RIGHT)
        _border(head, "bottom", "C8CED8")
        self._run(head, result.probe, font=CODE, bold=True, size=9.5)
        self._run(head, f"   {' · '.join(result.facts)}", ink=GREY, size=9)
        if result.status is Status.DONE:
            suggestion = self.say("suggests", suggestion=result.suggestion_text)
            self._run(head, f"\t{suggestion}", ink=INK[result.suggestion.value], bold=True, size=9)
        if result.stale:
            warning = self.document.add_paragraph()
            warning.paragraph_format.keep_with_next = True
            self._run(warning, self.say("stale"), ink=INK["undecided"], bold=True)
        if result.reason:
            self.document.add_paragraph(result.reason)
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
        paragraph = self.document.add_paragraph()
        indent = Cm(1.0 if self.report.language is Language.ZH else 1.8)  # as wide as the longest word of LEVELS
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
            self._picture(self.draw(part), caption + (f" ({part.bound})" if part.bound else ""))
        elif isinstance(part, TablePart):
            self._table_title(part.title, part.bound)
            if part.columns:
                size = 9 if len(part.columns) <= 5 else 8.5 if len(part.columns) <= 7 else 7.5
                table = self._table(part.columns, _column_widths(part, size), numeric=part.numeric, size=size)
                _set_margins(table, 0.12)
                for cells in part.rows:
                    self._row(table, cells, numeric=part.numeric, size=size)
            self._gap()
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
        paragraph = self.document.add_paragraph()
        paragraph.paragraph_format.keep_with_next = True
        paragraph.paragraph_format.space_before, paragraph.paragraph_format.space_after = Pt(4), Pt(2)
        self._run(paragraph, title, bold=font is None, size=9, font=font)
        if bound:
            self._run(paragraph, f"  ({bound})", ink=GREY, size=9)

    def _code(self, lines: Sequence[str], shades: Sequence[str] = (), inks: Sequence[str | None] = ()) -> None:
        for number, line in enumerate(lines):
            paragraph = self.document.add_paragraph(style="Code")
            paragraph.paragraph_format.left_indent = Cm(0.2)
            paragraph.paragraph_format.keep_with_next = len(lines) <= 12 and number + 1 < len(lines)
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
        paragraph = self.document.add_paragraph()
        paragraph.alignment = WD_ALIGN_PARAGRAPH.CENTER
        paragraph.paragraph_format.keep_with_next = True
        picture = paragraph.add_run().add_picture(io.BytesIO(content))
        across, down = picture.width, picture.height  # by the PNG's own resolution; 72 dpi where it tells none
        scale = min(Cm(CHART_WIDTH) / across, Cm(PICTURE_HEIGHT) / down, 0.75 if natural else 9)
        picture.width, picture.height = Emu(int(across * scale)), Emu(int(down * scale))
        picture._inline.docPr.set("descr", caption)
        below = self.document.add_paragraph(caption, "Caption")
        below.alignment = WD_ALIGN_PARAGRAPH.CENTER

    # --- tables and text ----------------------------------------------------------------------------------------------

    def _pairs(self, pairs: Iterable[tuple[str, str]]) -> None:
        table = self.document.add_table(0, 2, "Table Grid")
        table.alignment = WD_TABLE_ALIGNMENT.CENTER
        _set_borders(table)
        for label, value in pairs:
            row = self._row(table, [label, value])
            _shade(row.cells[0], HEAD)
            _bold(row.cells[0])
        _set_widths(table, [4.2, WIDTH - 4.2])
        self._gap()

    def _table(
        self, columns: Sequence[str], widths: Sequence[float], *, numeric: Sequence[bool] = (), size: float = 9
    ) -> Any:
        table = self.document.add_table(1, len(columns), "Table Grid")
        _set_borders(table)
        table.alignment = WD_TABLE_ALIGNMENT.CENTER
        _set_widths(table, widths)
        head = table.rows[0]
        properties = head._tr.get_or_add_trPr()
        properties.append(OxmlElement("w:cantSplit"))
        properties.append(OxmlElement("w:tblHeader"))  # repeated on every page
        for number, (cell, text) in enumerate(zip(head.cells, columns, strict=True)):
            _shade(cell, HEAD)
            self._fill(cell, text, size=size, bold=True, right=bool(numeric) and numeric[number])
        return table

    def _row(self, table: Any, cells: Sequence[str], *, numeric: Sequence[bool] = (), size: float = 9) -> Any:
        row = table.add_row()
        row._tr.get_or_add_trPr().append(OxmlElement("w:cantSplit"))
        for number, (cell, text) in enumerate(zip(row.cells, cells, strict=True)):
            cell.width = table.columns[number].width
            self._fill(cell, text, size=size, right=bool(numeric) and numeric[number])
        return row

    def _fill(self, cell: Any, text: str, *, size: float, bold: bool = False, right: bool = False) -> None:
        paragraph = cell.paragraphs[0]
        if right:
            paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT
        paragraph.paragraph_format.space_before = paragraph.paragraph_format.space_after = Pt(1.5)
        paragraph.paragraph_format.line_spacing = 1.05
        self._run(paragraph, text, size=size, bold=bold)

    def _tint(self, cell: Any, state: str, bold: bool) -> None:
        _shade(cell, SHADE[state])
        for run in cell.paragraphs[0].runs:
            run.font.color.rgb, run.font.bold = RGBColor.from_string(INK[state]), bold

    def _small(self, text: str) -> None:
        self._run(self.document.add_paragraph(), text, ink=GREY, size=9)

    def _gap(self) -> None:
        """A thin empty line: tables have no space after them."""
        paragraph = self.document.add_paragraph()
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

    def _gaps(self) -> None:
        if self.report.gaps:
            self.document.add_heading(self.say("not-checked"), 1)
            table = self._table([self.say(f"column-{key}") for key in ("item", "probe", "why")], [1.9, 5.0, 10.1])
            for gap in self.report.gaps:
                self._row(table, [gap.item, gap.probe, gap.why])
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


def _set_borders(table: Any) -> None:
    borders = OxmlElement("w:tblBorders")
    for side in ("top", "left", "bottom", "right", "insideH", "insideV"):
        border = OxmlElement(f"w:{side}")
        for key, value in (("val", "single"), ("sz", "4"), ("space", "0"), ("color", "C8CED8")):
            border.set(qn(f"w:{key}"), value)
        borders.append(border)
    _into_table(table, borders, ("shd", "tblLayout", "tblCellMar", "tblLook"))


def _into_table(table: Any, element: Any, before: Sequence[str]) -> None:
    """Put a property where the format's fixed order wants it; Word calls a file with another order damaged."""
    properties = table._tbl.tblPr
    following = next((child for child in properties if child.tag in {qn(f"w:{name}") for name in before}), None)
    properties.append(element) if following is None else following.addprevious(element)


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


def _bold(cell: Any) -> None:
    for run in cell.paragraphs[0].runs:
        run.font.bold = True


def _set_margins(table: Any, width: float) -> None:
    """Room left and right of the text of each cell, in cm."""
    margins = OxmlElement("w:tblCellMar")
    for side in ("left", "right"):
        margin = OxmlElement(f"w:{side}")
        margin.set(qn("w:w"), str(round(width * 567)))  # twentieths of a point
        margin.set(qn("w:type"), "dxa")
        margins.append(margin)
    _into_table(table, margins, ("tblLook",))


def _column_widths(part: TablePart, size: float) -> list[float]:
    """Widths in cm by what the columns hold: numbers must not wrap, so they go first, and text shares the rest."""

    def need(column: int) -> int:
        texts = [part.columns[column], *(row[column] for row in part.rows)]
        return min(40, max(4, *(sum(2 if ord(sign) > 0x2E7F else 1 for sign in text) for text in texts)))

    needs = [need(column) for column in range(len(part.columns))]
    wide = [0.0353 * 0.62 * size * width + 0.3 for width in needs]  # a figure is 0.62 em wide; and the cell's margins
    numbers = sum(width for width, numeric in zip(wide, part.numeric, strict=True) if numeric)
    rest = sum(width for width, numeric in zip(needs, part.numeric, strict=True) if not numeric)
    if not rest or numbers > 0.7 * WIDTH:
        return [WIDTH * width / sum(wide) for width in wide]
    return [
        wide[column] if part.numeric[column] else (WIDTH - numbers) * needs[column] / rest
        for column in range(len(needs))
    ]


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
