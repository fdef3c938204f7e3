"""What other programs read (`accucheck run --json`, the .json report) and what the terminal prints. Loads no writer's library."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import msgspec

from .. import probe
from ..case import Case
from ..checklist import Checklist, Item, Snippet, ways_ahead
from ..language import encodable, is_seen, word
from ..model import Finding, Language, Level, ProbeResult, Reason, Status, Verdict
from ..path import FRAMEWORKS, PathPosition, RequiredInput, uncollected, walk, wanted
from ..session import Entry, Record, suggestion
from .words import LEVELS, MARKS, VERDICTS, WORDS

if TYPE_CHECKING:
    from .context import Context
    from .parts import FindingPart, Report, ResultPart

VERSION = 1


class Speech:
    """The words of stored results in one language. Each probe is loaded once.

    A session outlives its probes: where a probe is gone, or no longer knows a code, the code and its data stand as they are.
    """

    def __init__(self, language: Language) -> None:
        self.language = language
        self._probes: dict[str, Any] = {}

    def _probe(self, name: str) -> Any:
        if name not in self._probes:
            try:
                self._probes[name] = probe.load(name)
            except Exception:  # a plug-in may raise anything on import, and the report must come out all the same
                self._probes[name] = None
        return self._probes[name]

    def message(self, name: str, code: str, data: dict[str, Any]) -> str:
        """The words of a finding or a fix."""
        module = self._probe(name)
        try:
            if code in module.MESSAGES:
                return probe.message(module, code, data, self.language)
        except Exception:
            pass
        return _bare(code, data)

    def explanation(self, name: str, finding: Finding) -> probe.Explanation:
        """Why a finding hurts accuracy, how sure the probe is, what would prove it; empty where the probe does not say."""
        try:
            return probe.explanation(self._probe(name), finding, self.language)
        except Exception:
            return probe.Explanation("", "", "")

    def contradiction(self, finding: Finding) -> str:
        """Which observation contradicts a finding; empty where none does."""
        return probe.contradiction(finding, self.language)

    def discounted(self, finding: Finding) -> str:
        """Why a finding does not count; empty where it does."""
        return probe.discounted(finding, self.language)

    def reason(self, name: str, reason: Reason) -> str:
        """Why a probe was skipped, failed or cancelled."""
        try:
            text = probe.reason_text(name, reason, self.language)
        except Exception:
            text = reason.code
        return _bare(reason.code, reason.data) if text == reason.code else text

    def word(self, name: str, key: str) -> str:
        """A title or column of a probe's evidence; shown as it is when it is no key of the probe's WORDS."""
        try:
            return word(self._probe(name).WORDS, key, self.language)
        except Exception:
            return key


def _bare(code: str, data: dict[str, Any]) -> str:
    return f"{code}: " + ", ".join(f"{key}={value}" for key, value in data.items()) if data else code


def results(item: Item, entry: Entry) -> list[ProbeResult]:
    """An entry's results, weighed against each other, in the item's order; then those of probes that the item no longer names."""
    order = [use.name for use in item.uses if use.name in entry.results]
    return [entry.weighed[name] for name in [*order, *sorted(set(entry.results) - set(order))]]


def telling(item: Item, entry: Entry) -> list[tuple[str, Finding]]:
    """What was found of an item that is not just information, the worst first, each with the name of its probe."""
    found = [(result.probe, finding) for result in results(item, entry) for finding in result.findings]
    worth = [pair for pair in found if pair[1].level is not Level.INFO or pair[1].incomplete]
    return sorted(worth, key=lambda pair: list(Level).index(pair[1].level))


def result_json(record: Record, checklists: list[Checklist], case: Case, language: Language) -> dict[str, Any]:
    """The object that others rely on, plain JSON values only. `case`: its name.

    `redacted` is added to a `fix` whose diff a report changed to hide something, so that it no longer applies.

    `taken` holds the keys of the case that were taken from the folder, as there is no case file.
    `summary.items` counts each item by its conclusion, or by its suggestion while nobody concluded;
    `summary.probes` counts results by status. `paths` holds `path_json` of each checklist that is a path.
    """
    speech, facts = Speech(language), case.facts()
    items: list[dict[str, Any]] = []
    states: Counter[Verdict] = Counter()
    statuses: Counter[Status] = Counter()
    for checklist in checklists:
        for item in checklist.items:
            entry = record.entries.get(item.id, Entry())
            suggested = suggestion(item, entry, facts)
            done = results(item, entry)
            states[entry.conclusion or suggested] += 1
            statuses.update(result.status for result in done)
            items.append(
                {
                    "id": item.id,
                    "checklist": checklist.name,
                    "suggestion": suggested.value,
                    "conclusion": entry.conclusion.value if entry.conclusion else None,
                    "note": entry.note,
                    "by": entry.who or None,
                    "when": entry.when or None,
                    "review": review_json(entry),
                    "agent": agent_json(entry),
                    "results": [_result(result, speech) for result in done],
                }
            )
    return {
        "version": VERSION,
        "case": case.name,
        "taken": case.taken,
        "items": items,
        "paths": [path_json(path, case, language) for each in checklists if (path := walk(each, record, case))],
        "sign_off": sign_off_json(record),
        "summary": {
            "items": {verdict.value: states[verdict] for verdict in Verdict},
            "probes": {name: statuses[Status(name)] for name in ("done", "failed", "skipped", "cancelled")},
        },
    }


def agent_json(entry: Entry) -> dict[str, Any] | None:
    """What a program concluded of an item, which is no person's conclusion."""
    told = entry.agent
    if told is None:
        return None
    return {"conclusion": told.conclusion.value, "note": told.note, "program": told.who, "when": told.when}


def review_json(entry: Entry) -> dict[str, Any] | None:
    """What the reviewer says of an item. `outdated`: the answer or the findings have changed since."""
    review = entry.review
    if review is None:
        return None
    return {
        "judgement": review.judgement.value,
        "comment": review.comment,
        "by": review.who,
        "when": review.when,
        "outdated": entry.outdated,
    }


def sign_off_json(record: Record) -> dict[str, Any] | None:
    """Who signed what off. `changed` holds the items that have changed since; with one of them it is void."""
    signed = record.signed
    if signed is None:
        return None
    return {
        "by": signed.who,
        "when": signed.when,
        "comment": signed.comment,
        "checklists": signed.checklists,
        "items": len(signed.items),
        "changed": record.unsealed,
    }


def _result(result: ProbeResult, speech: Speech) -> dict[str, Any]:
    reason = result.reason
    return {
        "probe": result.probe,
        "kind": result.kind.value,
        "status": result.status.value,
        "own_training": result.own_training,
        "seconds": round(result.seconds, 3),
        "reason": reason
        and {
            "code": reason.code,
            "message": speech.reason(result.probe, reason),
            "data": msgspec.to_builtins(reason.data),
        },
        "findings": [finding_json(finding, result.probe, speech) for finding in result.findings],
    }


def finding_json(finding: Finding, name: str, speech: Speech) -> dict[str, Any]:
    where, fix = finding.where, finding.fix
    explained = speech.explanation(name, finding)
    return {
        "code": finding.code,
        "level": finding.level.value,
        "incomplete": finding.incomplete,
        "message": speech.message(name, finding.code, finding.data),
        "why": explained.why or None,
        "sure": finding.sure and finding.sure.value,
        "proof": explained.proof or None,
        "where": {key: getattr(where, key) for key in ("path", "line", "column", "name", "field", "step")},
        "data": msgspec.to_builtins(finding.data),
        "fix": fix and {"message": speech.message(name, fix.message, finding.data), "diff": fix.diff},
        "contradicted": finding.contradicted
        and {
            "probe": finding.contradicted.probe,
            "code": finding.contradicted.code,
            "level": finding.contradicted.level.value,
            "message": speech.contradiction(finding),
        },
        "suppressed": finding.suppressed
        and {
            "kind": finding.suppressed.kind,
            "level": finding.suppressed.level.value,
            "reason": finding.suppressed.reason,
            "line": finding.suppressed.line,
        },
    }


def path_json(path: PathPosition, case: Case, language: Language) -> dict[str, Any]:
    """Where a person stands on the path of a checklist. One of `here` and `end` is null.

    `next` of a step, and `to` of a way, is the id of an item or the name of an end; `why` is empty where it is just the item below.
    """
    here, end = path.here, path.at_end
    return {
        "checklist": path.checklist.name,
        "steps": [
            {
                "item": step.item.id,
                "answer": step.answer.value,
                "concluded": step.concluded,
                "next": step.to,
                "why": step.way.text[language] if step.way is not None else "",
            }
            for step in path.steps
        ],
        "here": here
        and {
            "item": here.id,
            "inputs": [_input(each, language) for each in wanted(path.checklist, here, case)],
            "ways": [{"when": way.when, "to": way.to, "text": way.text[language]} for way in here.next],
        },
        "end": end
        and {
            "name": path.end,
            "title": end.title[language],
            "advice": end.advice[language],
            "problems": [item.id for item in path.problems],
        },
        "ahead": [item.id for item in path.ahead],
    }


def _input(each: RequiredInput, language: Language) -> dict[str, Any]:
    snippet = each.snippet
    return {
        "key": each.key,
        "given": each.given,
        "lacking": each.lacking,
        "written": each.written,
        "optional": each.optional,
        "collect": snippet
        and {
            "framework": snippet.framework,
            "path": snippet.path,
            "title": snippet.title[language],
            "code": snippet.code,
        },
    }


_BEYOND_ASCII = re.compile(r"[^\x20-\x7e\n]")


def encode(result: dict[str, Any]) -> bytes:
    """JSON that is safe on a terminal: what cannot be printed (control and bidirectional characters) is written as \\uXXXX.

    NaN and Inf, which JSON lacks, become null.
    """
    try:
        encoded = msgspec.json.encode(result, enc_hook=str)  # texts in two languages are a kind of str
    except UnicodeEncodeError:  # a file name that is not UTF-8
        encoded = msgspec.json.encode(encodable(result))
    text = msgspec.json.format(encoded, indent=1).decode()

    def escaped(match: re.Match[str]) -> str:
        character = match[0]
        if is_seen(character):
            return character
        units = character.encode("utf-16-be")
        return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))

    return (_BEYOND_ASCII.sub(escaped, text) + "\n").encode()


def render(report: Report, stem: str, *_: Any) -> dict[str, bytes]:
    """The .json report: {file name: content}."""
    return {f"{stem}.json": encode(report.result)}


LEVEL_MARKS = {Level.PROBLEM: "✗", Level.SUSPECT: "?", Level.INFO: "·"}


def placed(finding: FindingPart) -> str:
    """What a finding says, after its place unless the message begins with it."""
    if not finding.where or finding.message.startswith((f"{finding.where}:", f"{finding.where}：")):
        return finding.message
    return f"{finding.where}: {finding.message}"


def result_text(report: Report | Context, result: ResultPart) -> list[str]:
    """The lines that say what one probe found."""
    head = f"      {result.probe}  {' · '.join(result.facts)}"
    if result.stale:
        head += "  " + report.say("stale")
    lines = [head]
    if result.reason:
        lines.append(f"        {result.reason}")
    for finding in result.findings:
        level = report.pick(LEVELS[finding.level.value])
        lines.append(f"        {LEVEL_MARKS[finding.level]} {level}  {placed(finding)}")
        for key in ("why", "sure", "proof"):
            if text := getattr(finding, key):
                lines.append("            " + report.say("labelled", label=report.say(key), text=text))
        if finding.fix:
            lines.append(f"            → {finding.fix}")
    if result.more_findings:
        lines.append("        " + report.say("more-findings", count=result.more_findings))
    return lines


#: Findings of an item that `path_text` names.
_MOST_NAMED = 3


def path_text(
    path: PathPosition, record: Record, case: Case, language: Language, stale: Collection[str] = ()
) -> list[str]:
    """The lines `accucheck path` prints: what is behind, what to collect here and where it leads, what may come, the end.

    `stale` holds the items whose results are out of date.
    """
    speech = Speech(language)

    def say(key: str, /, **data: Any) -> str:
        return word(WORDS, key, language, **data)

    lines = [f"{path.checklist.title[language]}  ({path.checklist.name} {path.checklist.version})"]

    def item_lines(mark: str, item: Item, said: str, state: str = "") -> list[str]:
        """The line of an item, and what was found of it that is not just information."""
        late = "  " + say("stale") if item.id in stale else ""
        found = telling(item, record.entries.get(item.id, Entry()))[:_MOST_NAMED]
        head = f"  {mark} {item.id}  {item.named(state)[language]}{'  ' if said else ''}{said}{late}"
        return [
            head,
            *(
                f"      {LEVEL_MARKS[finding.level]} {speech.message(name, finding.code, finding.data)}"
                for name, finding in found
            ),
        ]

    def answered(answer: Verdict, concluded: bool) -> str:
        words = VERDICTS[answer.value][language.value]
        return words if concluded else say("path-suggested", verdict=words)

    for step in path.steps:
        lines += item_lines(
            MARKS[step.answer.value], step.item, answered(step.answer, step.concluded), step.answer.value
        )
        if step.way is not None:
            lines.append(f"      {way_text(path.checklist, step.way.to, step.way.text[language], language)}")
    if (here := path.here) is not None:
        lines += item_lines("▸", here, say("path-here"))
        lines += ["      " + line for line in here_text(path.checklist, here, case, language)]
    for item in path.ahead:
        entry = record.entries.get(item.id, Entry())
        answer = entry.conclusion or suggestion(item, entry, case.facts())
        known = answer is not Verdict.UNDECIDED
        said = answered(answer, entry.conclusion is not None) if known else ""
        lines.append(
            f"  {MARKS[answer.value] if known else '○'} {item.id}  {item.named(answer.value)[language]}{'  ' if said else ''}{said}"
        )
    if (end := path.at_end) is not None:
        lines.append(f"  ■ {say('path-end', title=end.title[language])}")
        if path.problems:
            lines.append("      " + say("path-mend", items=", ".join(item.id for item in path.problems)))
        for item in path.problems:
            for name, finding in telling(item, record.entries.get(item.id, Entry()))[:_MOST_NAMED]:
                if finding.fix is not None:
                    lines.append(f"      {item.id} → {speech.message(name, finding.fix.message, finding.data)}")
        lines += ["      " + line for line in end.advice[language].splitlines()]
    return lines


def way_text(checklist: Checklist, to: str, text: str, language: Language) -> str:
    """Why an answer leads on, and to what; without `text` just to what."""
    end = checklist.ends.get(to)
    title = end.title if end is not None else next(item.title for item in checklist.items if item.id == to)
    named = title[language] if end is not None else f"{to} {title[language]}"
    return f"{text} → {named}" if text else f"→ {named}"


def here_text(checklist: Checklist, item: Item, case: Case, language: Language) -> list[str]:
    """What an item lives on, with the code that collects what is not there, and where its answers lead."""

    def say(key: str, /, **data: Any) -> str:
        return word(WORDS, key, language, **data)

    lines = []
    inputs = wanted(checklist, item, case)
    missing = uncollected(inputs)
    if inputs:
        lines.append(say("path-inputs"))
    for each in inputs:
        lines.append(f"  {MARKS['ok'] if each.there else '○'} {input_text(each, case, language)}")
        if each.snippet is not None and each in missing:
            lines += ["    " + line for line in snippet_text(each.snippet, language)]
    return [*lines, *ways_text(checklist, item, language)]


def input_text(each: RequiredInput, case: Case, language: Language) -> str:
    """An input, and what of it is given or lacking."""
    key = "path-given" if each.there else "path-lacking" if each.lacking else "path-wanted"
    paths = ", ".join(case.relative(name) for name in each.lacking or each.given)
    if each.written and each.snippet is not None:
        key, paths = "path-written", each.snippet.path
    text = word(WORDS, key, language, name=each.key, paths=paths)
    return word(WORDS, "path-optional", language, text=text) if each.optional and not each.there else text


def snippet_text(snippet: Snippet, language: Language) -> list[str]:
    """What a piece of code collects, and the code."""
    framework = FRAMEWORKS[snippet.framework]
    head = word(WORDS, "path-collect", language, title=snippet.title[language], framework=framework, path=snippet.path)
    return [head, *("    " + line for line in snippet.code.splitlines())]


def ways_of(checklist: Checklist, item: Item, language: Language) -> list[tuple[str, str]]:
    """Where the answers of an item of a path lead, each with what way_text says of it."""
    ways = [(way.to, way.text[language]) for way in item.next]
    otherwise = word(WORDS, "path-otherwise", language) if ways else ""
    named = {to for to, _ in ways}
    ways += [(to, otherwise) for to in ways_ahead(checklist)[item.id] if to not in named]
    return [(to, way_text(checklist, to, text, language)) for to, text in ways]


def ways_text(checklist: Checklist, item: Item, language: Language) -> list[str]:
    """Where the answers of an item lead; nothing where the checklist is no path."""
    if not checklist.ends:
        return []
    lines = [f"  {text}" for _, text in ways_of(checklist, item, language)]
    return [word(WORDS, "path-ways", language), *lines]
