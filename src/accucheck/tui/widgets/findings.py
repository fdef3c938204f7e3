"""What the probes of one item found: findings and their evidence as a list; Enter opens one full size."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from ... import probe as probes
from ...checklist import Item
from ...language import Words, word
from ...model import Code, Curve, Evidence, Finding, Histogram, Images, Level, Note, ProbeResult, Table, Tree, Where
from ..runner import Running
from ..signs import Speech, plain, wrap

#: More would only slow the screen down; the report and the session have all.
FINDINGS_SHOWN = 100
#: Lines of a small table or bar chart shown in the list itself.
PREVIEW_LINES = 6
_ORDER = {Level.PROBLEM: 0, Level.SUSPECT: 1, Level.INFO: 2}


def place(where: Where) -> str:
    """A place as people write it: path:line, then what is there."""
    text = where.path or ""
    if where.line is not None:
        text += f":{where.line}"
    rest = [part for part in (where.name, where.field) if part]
    if where.step is not None:
        rest.append(f"step {where.step}")
    return " ".join([text, *rest]).strip()


def words_of(name: str) -> Words:
    """The WORDS of a probe, or none when it is no longer installed."""
    try:
        words: Words = probes.load(name).WORDS
    except Exception:
        return {}
    return words


def message_of(name: str, code: str, data: dict[str, object], speech: Speech) -> str:
    """A finding's words; its code and data when the probe is no longer installed."""
    try:
        return probes.message(probes.load(name), code, data, speech.language)
    except Exception:
        return f"{code} {data}"


def explanation_of(name: str, finding: Finding, speech: Speech) -> probes.Explanation:
    """Why, how sure and what proves it; empty where the probe does not say or is no longer installed."""
    try:
        return probes.explanation(probes.load(name), finding, speech.language)
    except Exception:
        return probes.Explanation("", "", "")


class FindingList(OptionList):
    """`chosen(id)` gives (probe, finding, index of the evidence) of an option."""

    def __init__(self, id: str) -> None:
        super().__init__(id=id, markup=False)
        self._targets: dict[str, tuple[str, Finding, int]] = {}

    def fill(
        self,
        speech: Speech,
        item: Item,
        results: dict[str, ProbeResult],
        running: dict[str, tuple[Running, list[Finding]]],
        stale: set[str],
        width: int,
    ) -> None:
        """results and running by probe; a running probe shows what it has found so far."""
        highlighted = self.highlighted
        self._targets = {}
        options: list[Option] = []
        names = [use.name for use in item.uses]
        for name in [*names, *(name for name in results if name not in names)]:
            if name in running:
                options.append(Option(Content.assemble(speech.sign("running"), f" {name}  ", speech.say("running"))))
                options += self._findings(speech, name, running[name][1], width)
            elif name in results:
                options += self._result(speech, results[name], name in stale, width)
            else:
                options.append(Option(plain(speech.say("not-run", probe=name), "$text-muted")))
        if not names and not results:
            options.append(Option(plain(wrap(speech.say("no-probe"), width), "$text-muted")))
        self.clear_options()
        self.add_options(options)
        if highlighted is not None and self.option_count:
            self.highlighted = min(highlighted, self.option_count - 1)

    def target(self, option: str | None) -> tuple[str, Finding, int] | None:
        return self._targets.get(option or "")

    @property
    def targets(self) -> list[tuple[str, Finding, int]]:
        return list(self._targets.values())

    def _result(self, speech: Speech, result: ProbeResult, stale: bool, width: int) -> list[Option]:
        head = Content.assemble(plain(result.probe, "bold"), f"  {result.seconds:.1f} s  ", speech.outcome(result))
        if stale:
            head = Content.assemble(head, "\n", plain(wrap("  " + speech.say("stale"), width, 2), "$text-warning"))
        options = [Option(head)]
        if result.reason is not None:
            try:
                text = probes.reason_text(result.probe, result.reason, speech.language)
            except Exception:
                text = result.reason.code
            options.append(Option(plain(wrap(f"  {text}", width, 2), "$text-warning")))
        options += self._findings(speech, result.probe, result.findings, width)
        if result.log:
            note = Finding("log", Level.INFO, evidence=[Note(speech.say("log"), result.log)])
            options.append(
                self._option((result.probe, note, 0), Content(f"    {speech.say('log')} ({speech.say('text')})"))
            )
        if not result.findings and result.reason is None:
            options.append(Option(plain("  " + speech.say("nothing-found"), "$text-muted")))
        return options

    def _findings(self, speech: Speech, name: str, findings: list[Finding], width: int) -> list[Option]:
        options = []
        for finding in sorted(findings, key=lambda finding: _ORDER[finding.level])[:FINDINGS_SHOWN]:
            text = message_of(name, finding.code, finding.data, speech)
            where = place(finding.where)
            line = Content.assemble("  ", speech.level(finding.level), " ", plain(wrap(f"    {text}", width, 4)[4:]))
            sure = speech.say(f"sure-{finding.sure.value}") if finding.sure is not None else ""
            if where:
                line = Content.assemble(line, "\n", plain(wrap(f"    {where}", width, 4), "$text-accent"))
            if sure:
                line = Content.assemble(line, "  " if where else "\n    ", (sure, "$text-muted"))
            options.append(self._option((name, finding, 0), line))
            if finding.fix is not None:
                fix = message_of(name, finding.fix.message, finding.data, speech)
                options.append(
                    Option(
                        plain(
                            wrap(f"    → {fix}" if not speech.only_ascii else f"    > {fix}", width, 6), "$text-success"
                        )
                    )
                )
            for index, evidence in enumerate(finding.evidence):
                options.append(self._option((name, finding, index), _preview(speech, name, evidence, width - 8)))
        if len(findings) > FINDINGS_SHOWN:
            more = speech.say("more-findings", count=len(findings) - FINDINGS_SHOWN)
            options.append(Option(plain("  " + more, "$text-muted")))
        return options

    def _option(self, target: tuple[str, Finding, int], content: Content) -> Option:
        key = f"t{len(self._targets)}"
        self._targets[key] = target
        return Option(content, id=key)


def title_of(speech: Speech, name: str, evidence: Evidence) -> str:
    """What a piece of evidence is called."""
    if isinstance(evidence, Code):
        return f"{evidence.path}:{evidence.line}"
    return word(words_of(name), evidence.title, speech.language)


def kind_of(evidence: Evidence) -> str:
    kinds = {
        Table: "table",
        Tree: "tree",
        Curve: "chart",
        Histogram: "chart",
        Code: "code",
        Note: "text",
        Images: "images",
    }
    return kinds[type(evidence)]


def bars(speech: Speech, labels: list[str], counts: list[float], width: int, most: int) -> list[str]:
    """A bar chart in text: label, bar, number."""
    from rich.cells import cell_len

    labels, counts = labels[:most], counts[:most]
    longest = min(20, max((cell_len(label) for label in labels), default=0))
    top = max(counts, default=0) or 1
    room = max(4, min(40, width - longest - 14))
    full = "#" if speech.only_ascii else "█"
    lines = []
    for label, count in zip(labels, counts, strict=True):
        while cell_len(label) > longest:
            label = label[:-1]
        padding = " " * (longest - cell_len(label))
        lines.append(f"{label}{padding} {full * round(room * count / top)} {count:,g}")
    return lines


def _cut(text: str, width: int) -> str:
    """A line that is at most `width` cells wide."""
    from rich.cells import cell_len, set_cell_size

    return text if cell_len(text) <= width else set_cell_size(text, width - 1).rstrip() + "…"


def _preview(speech: Speech, name: str, evidence: Evidence, width: int) -> Content:
    """One line that names the evidence, and a few lines of it where they say something by themselves."""
    title = title_of(speech, name, evidence)
    head = f"    {speech.pointer()}{speech.say(kind_of(evidence))}  {title}"
    if isinstance(evidence, Table):
        total = evidence.total if evidence.total is not None else len(evidence.rows)
        head += "  " + speech.say("rows", shown=len(evidence.rows), total=total)
    lines: list[str] = []
    if isinstance(evidence, Histogram):
        lines = bars(speech, evidence.labels, evidence.counts, width, PREVIEW_LINES)
    elif isinstance(evidence, Code):
        lines = [
            _cut(f"{evidence.line + index} {text.strip()}", width)
            for index, text in enumerate(evidence.text.splitlines())
            if not evidence.marked or evidence.line + index in evidence.marked
        ][:PREVIEW_LINES]
    body = [plain("      " + line, "$text-muted") for line in lines]
    return Content("\n").join([plain(head, "$text-secondary"), *body])
