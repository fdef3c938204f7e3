"""What a report says, read back from its files: from Markdown, from HTML and from Word into one plain form, and the same of a Report.

Marks, labels of a layout and spaces are left out; of a text in two languages each stands behind the other.
"""

import io
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import docx
from docx.oxml.ns import qn
from lxml import html
from markdown_it import MarkdownIt

from accucheck.model import Status
from accucheck.report.bilingual import joined, plain
from accucheck.report.parts import ChartPart, CodePart, EvidencePart, Report, TablePart
from accucheck.report.words import LEVELS, MARKS

Facts = dict[str, Any]
#: A piece of a file: heading (level, runs), text, table (rows), code (lines), each text as runs of (text, style): b bold, c code.
Block = tuple[Any, ...]
Runs = list[tuple[str, str]]


def norm(text: str) -> str:
    """Without what only lays out: spaces, the mark of a state, brackets, colons and dots between two texts."""
    text = re.sub(rf"^\s*[{''.join(MARKS.values())}○](?=\s)", "", plain(text).replace("\n", " "))
    return re.sub(r"[\s()（）·:：;；⏎]", "", text.replace(" / ", ""))


def said(runs: Runs) -> str:
    return norm("".join(text for text, _ in runs))


# --- files -> blocks --------------------------------------------------------------------------------------------------


def of_markdown(text: str) -> Iterator[Block]:
    tokens = iter(MarkdownIt("gfm-like", {"linkify": False}).parse(text))
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "heading_open":
            yield ("heading", int(token.tag[1]), _inline(next(tokens)))
        elif token.type == "fence":
            lines = token.content[:-1].split("\n")
            marked = [line[2:].replace(" | ", "  ", 1) for line in lines if re.match(r"> +\d+ \| ", line)]
            numbered = all(re.match(r"[> ] +\d+ \| ", line) for line in lines)
            yield ("code", [line[2:].replace(" | ", "  ", 1) for line in lines] if numbered else lines, marked)
        elif token.type == "table_open":
            rows = []
        elif token.type == "tr_open":
            rows.append([])
        elif token.type in ("th_open", "td_open"):
            rows[-1].append("".join(text for text, _ in _inline(next(tokens))))
        elif token.type == "table_close":
            yield ("table", rows)
        elif token.type == "inline":
            if any(child.type == "image" for child in token.children or []):
                yield ("picture",)
            else:
                yield ("text", _inline(token))


def _inline(token: Any) -> Runs:
    runs, style = [], ""
    for child in token.children or []:
        if child.type in ("strong_open", "strong_close"):
            style = "b" if child.type == "strong_open" else ""
        elif child.type in ("text", "code_inline"):
            runs += [(child.content, "c" if child.type == "code_inline" else style)] if child.content else []
        elif child.type in ("softbreak", "hardbreak"):
            runs.append((" ", style))
    return runs


def of_html(content: bytes) -> Iterator[Block]:
    main = html.document_fromstring(content).find("body/main")
    assert main is not None
    yield from _html(main)


def _html(element: Any) -> Iterator[Block]:
    name, kind = element.tag, element.get("class", "")
    if name in ("h1", "h2", "h3", "h4", "h5"):
        yield ("heading", int(name[1]), _runs(element))
    elif name == "dl":
        yield ("table", [[_text(part) for part in entry] for entry in element])
    elif name == "ul" and kind == "cards":
        yield ("cards", [int(card.find("b").text) for card in element])
    elif name == "table":
        yield ("table", [[_cell(cell) for cell in row] for row in element.iter("tr")])
    elif name == "pre":
        lines = [_text(line).rstrip("\n") for line in element]
        if kind == "code":
            lines = [re.sub(r"^(?:▸| )?(\d+)", r"\1  ", line) for line in lines]
        yield ("code", lines, [lines[n] for n, line in enumerate(element) if "marked" in line.get("class", "")])
    elif name in ("svg", "img"):
        yield ("picture",)
    elif name == "summary" and (heading := element.find("h4")) is not None:
        yield ("heading", 4, _runs(heading))
        yield ("state", _runs(element.find("span")))
    elif name == "div" and kind.startswith("labelled"):
        first = element[0]
        yield (
            "text",
            [(_text(first), "b"), *((_text(part), "") for part in element[1:] if part.tag in ("b", "small"))],
        )
        for part in element[1:]:
            if part.tag not in ("b", "small"):
                yield from _html(part)
    elif name in ("p", "li", "figcaption") and not any(part.tag in ("h3", "p") for part in element):
        yield ("text", _runs(element))
    elif name != "summary":
        for part in element:
            yield from _html(part)


def _runs(element: Any, style: str = "") -> Runs:
    own = {"b": "b", "code": "c"}.get(element.tag, style)
    runs = [(element.text or "", own)]
    for part in element:
        runs += [*_runs(part, own), (" " if part.get("lang") else "", own), (part.tail or "", own)]
    return runs


def _text(element: Any) -> str:
    return "".join(text for text, _ in _runs(element))


def _cell(element: Any) -> str:
    return " ".join(_text(part) for part in element) if element.find("p") is not None else _text(element)


def of_word(content: bytes) -> Iterator[Block]:
    document = docx.Document(io.BytesIO(content))
    code: list[str] = []
    marked: list[str] = []
    blocks: list[Block] = []
    for part in [*document.element.body, None]:
        is_code = part is not None and part.tag == qn("w:p") and _style(document, part) == "Code"
        if code and not is_code:
            blocks.append(("code", code, marked))
            code, marked = [], []
        if part is None or part.tag == qn("w:sectPr"):
            continue
        if is_code:
            code.append(_word_text(part))
            if part.find(f"{qn('w:pPr')}/{qn('w:shd')}").get(qn("w:fill")) == "FFF0C2":
                marked.append(code[-1])
        elif part.tag == qn("w:tbl"):
            table = docx.table.Table(part, document)
            rows = [[_word_text(cell._tc) for cell in row.cells] for row in table.rows]
            if len(rows) == len(rows[0]) == 1:  # the box of an item
                blocks += [("text", _word_runs(paragraph._p)) for paragraph in table.cell(0, 0).paragraphs]
            elif len(rows) == 2 and len(rows[0]) == 4 and rows[0][0].isdigit():
                blocks.append(("cards", [int(cell) for cell in rows[0]]))
            elif blocks[-1][0] == "table" and [row[0] for row in blocks[-1][1]] == [row[0] for row in rows]:
                blocks[-1] = ("table", [[*left, *right[1:]] for left, right in zip(blocks[-1][1], rows, strict=True)])
            else:
                blocks.append(("table", rows))
        else:
            style, runs = _style(document, part), _word_runs(part)
            if part.find(f".//{qn('w:drawing')}") is not None:
                blocks.append(("picture",))
            if re.fullmatch("Title|Heading [1-9]", style):
                blocks.append(("heading", 1 if style == "Title" else int(style[-1]) + 1, runs))
            elif said(runs):
                blocks.append(("text", runs))
    yield from blocks


def _style(document: Any, paragraph: Any) -> str:
    return str(docx.text.paragraph.Paragraph(paragraph, document).style.name)


def _word_runs(paragraph: Any) -> Runs:
    runs = []
    for run in docx.text.paragraph.Paragraph(paragraph, None).runs:
        font = run._r.find(f"{qn('w:rPr')}/{qn('w:rFonts')}")
        is_code = font is not None and font.get(qn("w:ascii")) == "Consolas"
        runs.append((run.text, "c" if is_code else "b" if run.bold else ""))
    return runs


def _word_text(element: Any) -> str:
    parts = {qn("w:t"): lambda node: node.text or "", qn("w:tab"): lambda _: "\t", qn("w:br"): lambda _: "\n"}
    return "".join(parts[node.tag](node) for node in element.iter(*parts))


# --- blocks -> facts --------------------------------------------------------------------------------------------------

SECTIONS = (
    *("verdict", "grade", "result", "sign-off", "since", "path", "summary", "reproduce", "environment", "asked"),
    *("config-changes", "inputs", "versions", "details", "not-checked"),
)


def facts(blocks: Iterator[Block], report: Report, stem: str) -> Facts:
    """By section and item what is said there: texts that follow each other as one, rows of tables, lines of code. Of the report
    only its words are used."""
    say = report.say
    keys = {norm(say(key)): key for key in SECTIONS}
    numbers = [re.escape(norm(say(key, number="#"))).replace(r"\#", r"\d+") for key in ("figure", "table")]
    captions = re.compile("|".join(numbers))
    label, head = norm(say("conclusion")), [norm(say("column-key")), norm(say("column-value"))]
    case = norm(say("case"))  # which HTML has in its heading only
    told: Facts = {"front": []}
    place, state = "front", ""
    for kind, *content in blocks:
        if kind == "cards":
            told["cards"] = content[0]
            continue
        if kind == "picture":
            told.setdefault("pictures", Counter())[place] += 1
            continue
        text = said(content[-1]) if kind in ("heading", "text", "state") else ""
        if kind == "heading" and place == "front" and not told["front"]:
            told["title"] = text.removesuffix(norm(report.case))
            continue
        if kind == "text" and place == "asked":  # a table with a title, as evidence has it, where others have a heading
            without = captions.sub("", text, count=1)
            if without.startswith(norm(say("config-changes"))):
                kind, text = "heading", without
        if kind == "heading":
            found = next(
                (
                    name
                    for name in keys
                    if text == name or (text.startswith(name) and keys[name] in ("path", "config-changes"))
                ),
                "",
            )
            if found:
                place = keys[found] if keys[found] != "path" else f"path {text}"
                told[place] = [text.removeprefix(found)] if keys[found] == "config-changes" and text != found else []
                continue
            if place == "reproduce":
                text = re.sub(r"^\d+\.", "", text)
            elif content[0] == 4:
                place = f"item {text}"
                told[place] = []
                continue
            elif content[0] == 3:
                place = f"section {text}"
                told[place] = []
                continue
        if kind == "state":
            state = label + text
            continue
        if state and not (kind == "text" and text.startswith(label)):
            _add(told[place], state)
        state = ""
        if kind == "table":
            rows = [tuple(norm(cell) for cell in row) for row in content[0]]
            told[place].append([row for row in rows if list(row) != head and not (place == "front" and row[0] == case)])
        elif kind == "code":
            lines, marked = ([_line(line) for line in each] for each in content)
            told[place].append(("code", lines, marked))
        else:
            if kind == "text" and content[0] and content[0][0] == (f"{plain(say('column-probe'))} ", "b"):
                text = said(content[0][1:])
            _add(
                told[place],
                captions.sub("", text, count=1) if captions.match(text) else text.replace(f"{stem}_files/", ""),
            )
    return told


def _add(told: list[Any], text: str) -> None:
    """Texts that follow each other are one."""
    if told and isinstance(told[-1], str):
        told[-1] += text
    elif text:
        told.append(text)


def _line(line: str) -> str:
    return re.sub(r"^ *(\d+  )", r"\1", plain(line)).rstrip()


# --- a report -> facts ------------------------------------------------------------------------------------------------


def expected(report: Report) -> Facts:
    """What the files must say."""
    return facts(_blocks(report), report, "")


def _blocks(report: Report) -> Iterator[Block]:
    def heading(level: int, text: str) -> Block:
        return ("heading", level, [(plain(text), "")])

    def texts(*parts: str) -> Iterator[Block]:
        yield from (("text", [(plain(part), "")]) for part in parts if part)

    def listed(key: str, parts: list[str]) -> Iterator[Block]:
        if parts:
            yield from texts(report.say(key), *parts)

    def table(columns: list[str], rows: list[list[str]]) -> Block:
        return ("table", [*([[report.say(f"column-{key}") for key in columns]] if columns else []), *rows])

    say, mark = report.say, MARKS
    yield heading(1, report.title)
    facts = [(key, getattr(report, key)) for key in ("generated", "tool", "private")]
    facts.append(("checklists", report.checklist_versions))
    yield table([], [[say(key), value] for key, value in facts])
    yield ("cards", list(report.counts.states.values()))

    verdict, grade = report.verdict, report.grade
    yield heading(2, say("verdict"))
    yield from texts(verdict.symptom, verdict.headline)
    if verdict.highlights:
        rows = [[each.item, each.message, each.where, each.sure] for each in verdict.highlights]
        yield table(["item", "what", "where", "sure"], rows)
    if verdict.more_highlights:
        yield from texts(say("more-highlights", count=verdict.more_highlights))
    yield from texts(verdict.checked)
    yield from listed("verdict-limits", verdict.limits)
    yield heading(2, say("grade"))
    yield from texts(grade.title)
    yield from listed("grade-why", grade.why)
    yield from listed("grade-lacking", grade.lacking)
    yield from listed("grade-advice", [grade.advice])
    yield heading(2, say("result"))
    yield from texts(*report.overview)
    if report.sign_off:
        yield heading(2, say("sign-off"))
        yield from texts(*report.sign_off.lines, *report.sign_off.comment)
    if report.since:
        yield heading(2, say("since"))
        yield from texts(report.since.sides, *report.since.lines)
        if report.since.rows:
            rows = [[each.item, each.change, each.text, each.where] for each in report.since.rows]
            yield table(["item", "change", "changed", "where"], rows)
        if report.since.more:
            yield from texts(say("more-rows", count=report.since.more))
    for path in report.paths:
        yield heading(2, say("path") + (path.title if len(report.paths) > 1 else ""))
        rows = [
            [f"{s.item} {s.title}", f"{mark[s.state.value]} {s.answer}", " ".join(s.evidence), s.leads]
            for s in path.steps
        ]
        if rows:
            yield table(["step", "answer", "evidence", "leads"], rows)
        yield from texts(path.end, path.problems)
        yield from listed("path-advice", path.advice)
        yield from texts(path.stands)
        yield from listed("path-lacks", path.wanted)
    yield heading(2, say("summary"))
    columns = ["item", "title", "conclusion", "suggestion", "by", "note"]
    head = [*(say(f"column-{key}") for key in columns), *([say("review")] if report.sign_off else [])]
    summary = [
        [item.id, item.title, item.conclusion_brief, item.suggestion_text, item.by_brief, item.note_brief]
        + ([item.review_brief] if report.sign_off else [])
        for item in report.items
    ]
    yield ("table", [head, *summary])

    yield heading(2, say("reproduce"))
    for step in report.reproduce:
        yield from texts(step.title, *step.text)
        if step.lines:
            yield ("code", step.lines, [])
    for key, pairs in (("environment", report.environment), ("asked", report.asked)):
        if pairs:
            yield heading(2, say(key))
            yield table([], [list(pair) for pair in pairs])
    for key, part in (("config-changes", report.changes), ("inputs", report.inputs)):
        if part:
            yield heading(2, say(key))
            yield from texts(part.bound)
            yield ("table", [part.columns, *part.rows])
            if part.whole:
                yield from texts(say("whole-table", count=part.whole.count, file=part.whole.name))
    yield heading(2, say("versions"))
    yield table([], [list(pair) for pair in report.versions])

    yield heading(2, say("details"))
    for checklist in report.checklists:
        for section in checklist.sections:
            yield heading(3, section.title)
            for item in section.items:
                yield heading(4, f"{item.id} {item.title}")
                shown = (
                    f"{mark[item.state.value]} {plain(item.conclusion_text)}"
                    if item.conclusion
                    else item.conclusion_text
                )
                yield ("text", [(plain(say("conclusion")), ""), (shown, ""), (plain(item.by), "")])
                yield from texts(item.overruled, item.meaning.replace("`", ""), item.not_applicable)
                yield from listed("note", item.note)
                if item.review:
                    yield from listed("review", [item.review.text, item.review.by, *item.review.comment])
                yield from listed("method", [plain(line).replace("`", "") for line in item.method])
                yield from listed("remedy", [plain(line).replace("`", "") for line in item.remedy])
                yield from listed("references", [title + url for title, url in item.references])
                yield from listed("attachments", [each.name for each in item.attachments])
                yield from [("picture",) for each in item.attachments if each.kind == "picture"]
                yield from texts(say("no-probe") if item.no_probe and not item.results else "")
                for result in item.results:
                    done = result.status is Status.DONE
                    yield from texts(result.probe, joined(" · ", result.facts))
                    yield from texts(say("suggests", suggestion=result.suggestion_text) if done else "")
                    yield from texts(say("stale") if result.stale else "", result.reason)
                    if not result.findings and result.status is not Status.SKIPPED:
                        yield from texts(say("no-findings" if done else "incomplete-findings"))
                    for finding in result.findings:
                        yield from texts(report.pick(LEVELS[finding.level.value]), finding.message, finding.where)
                        for part in finding.evidence:
                            yield from _evidence(part, report)
                        if finding.more_evidence:
                            yield from texts(say("more-evidence", count=finding.more_evidence))
                        for key in ("why", "sure", "proof", "fix"):
                            yield from listed(key, [getattr(finding, key)] if getattr(finding, key) else [])
                        if finding.diff:
                            yield ("code", finding.diff, [])
                    if result.more_findings:
                        yield from texts(say("more-findings", count=result.more_findings))
                    if result.log:
                        yield from texts(say("log"))
                        yield ("code", result.log, [])
    if report.gaps:
        yield heading(2, say("not-checked"))
        yield table(["item", "probe", "why"], [[gap.item, gap.probe, gap.why] for gap in report.gaps])
        if report.more_gaps:
            yield from texts(say("more-rows", count=report.more_gaps))


def _evidence(part: EvidencePart, report: Report) -> Iterator[Block]:
    yield ("text", [(plain(part.title), ""), (plain(part.bound), "")])
    if isinstance(part, ChartPart):
        yield ("picture",)
    elif isinstance(part, TablePart):
        if part.columns:
            yield ("table", [part.columns, *part.rows])
        if part.whole:
            yield ("text", [(plain(report.say("whole-table", count=part.whole.count, file=part.whole.name)), "")])
    elif isinstance(part, CodePart):
        lines = [f"{number}  {plain(text)}" for number, text in enumerate(part.lines, part.line)]
        yield ("code", lines, [line for number, line in enumerate(lines, part.line) if number in part.marked])
    else:
        yield ("code", [plain(line) for line in part.lines], [])
