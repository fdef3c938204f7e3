"""Report -> SARIF 2.1.0: each finding at its line, as code hosts, editors and review bots show it.

A problem or a suspect without a file of the project stands at line 1 of the case file (or the first script): GitHub refuses a
whole log for one result without a place, and others drop such a result. Line 1 also stands for a file as a whole. Notifications
of the run are: probes that did not finish, mere information that is about no line, and what has no place at all.

An item that a person concluded as no problem, or as not applicable, suppresses its findings, and a finding that another probe
contradicts, or that somebody has set aside (suppressing.py), is suppressed; an item concluded as a problem of which no probe
found anything is a result of its own.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from ..language import visible
from ..model import Language, Level, Status, Verdict
from ..script import patch
from . import bilingual, machine
from .bilingual import beside, joined, one

if TYPE_CHECKING:
    from .parts import FindingPart, ItemPart, Report, ResultPart

#: The standard's own address of its schema.
SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
SEVERITIES = {Level.PROBLEM: "error", Level.SUSPECT: "warning", Level.INFO: "note"}
#: GitHub shows the first 5,000 results of a log.
MAX_RESULTS = 5000
MAX_SNIPPET = 300
MAX_SAID = 2000  # of what a person wrote, for each result
ROOT = "%SRCROOT%"

#: What is no path within the project: absolute, of a home, an address, a pseudonym.
_OUTSIDE = re.compile(r"[/~<\\]|\.\.(/|$)|[\w+.-]+:")


class _SarifFinding(NamedTuple):
    """A finding: as others read it (`machine.result_json`), and as people do, where the report shows it; of a probe, or of a person."""

    item: ItemPart
    result: ResultPart | None
    plain: dict[str, Any]
    shown: FindingPart | None

    @property
    def rule(self) -> str:
        probe = self.result.probe if self.result is not None else ""
        return visible("/".join(filter(None, [self.item.id, probe, self.plain["code"]])))


def render(report: Report, stem: str, *_: Any) -> dict[str, bytes]:
    """The .sarif report: {file name: content}."""
    return {f"{stem}.sarif": encode(report)}


def encode(report: Report, exit_code: int | None = None) -> bytes:
    """The log; `exit_code`: that of the run, where there was one."""
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(report, exit_code)]}
    return machine.encode(log)


def _run(report: Report, exit_code: int | None) -> dict[str, Any]:
    found = sorted(_found(report), key=lambda each: list(Level).index(_weight(each)))
    rules: dict[str, dict[str, Any]] = {}
    index: dict[str, int] = {}
    results: list[dict[str, Any]] = []
    notes = [note for item in report.items for result in item.results if (note := _unfinished(item, result))]
    same: Counter[str] = Counter()
    told = 0  # as notifications
    for each in found:
        place = _location(report, each)
        if len(results) + told == MAX_RESULTS:
            continue
        if place is None:
            told += 1
            notes.append(_note(each.rule, SEVERITIES[_weight(each)], _message(each)))
            continue
        if each.rule not in rules:
            index[each.rule], rules[each.rule] = len(rules), _rule(report, each)
        result: dict[str, Any] = {
            "ruleId": each.rule,
            "ruleIndex": index[each.rule],
            "level": SEVERITIES[_weight(each)],
            "message": {"text": _message(each)},
            "locations": [place],
            "partialFingerprints": {"accucheckFinding/v1": _fingerprint(each, same)},
            "properties": {"item": each.item.id},
        }
        if each.result is not None:
            result["properties"]["probe"] = each.result.probe
        if each.plain["sure"]:
            result["properties"]["sure"] = each.plain["sure"]
        if fixes := _fixes(report, each):
            result["fixes"] = fixes
        if each.item.conclusion in (Verdict.OK, Verdict.NOT_APPLICABLE):
            result["suppressions"] = [_suppression(each.item)]
        elif each.plain.get("contradicted"):
            justification = each.plain["contradicted"]["message"]
            result["suppressions"] = [{"kind": "external", "status": "accepted", "justification": justification}]
        elif aside := each.plain.get("suppressed"):
            kind = "inSource" if aside["kind"] == "inline" else "external"
            justification = visible(aside["reason"])[:MAX_SAID]
            result["suppressions"] = [{"kind": kind, "status": "accepted", "justification": justification}]
        results.append(result)
    if any("suppressions" in result for result in results):
        for result in results:  # that are not suppressed say so
            result.setdefault("suppressions", [])
    if len(found) > MAX_RESULTS:
        notes.append(_note("accucheck", "warning", report.say("more-findings", count=len(found) - MAX_RESULTS)))
    failed = any(part.status is Status.FAILED for item in report.items for part in item.results)
    invocation: dict[str, Any] = {"executionSuccessful": not failed, "toolExecutionNotifications": notes}
    if exit_code is not None:
        invocation["exitCode"] = exit_code
    name, _, version = report.tool.partition(" ")
    return {
        "tool": {"driver": {"name": name, "version": version, "rules": list(rules.values())}},
        "automationDetails": {"id": f"{name}/{report.case}/"},
        "language": "zh-CN" if report.language is Language.ZH else "en-US",
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {ROOT: {"description": {"text": report.say("sarif-root")}}},
        "invocations": [invocation],
        "results": results,
        **({"properties": {"taken": taken}} if (taken := report.result["taken"]) else {}),
    }


def _found(report: Report) -> Iterator[_SarifFinding]:
    """All findings of the report, in the order of the items."""
    for item, stored in zip(report.items, report.result["items"], strict=True):
        for result, plain in zip(item.results, stored["results"], strict=True):
            order = {finding: place for place, finding in enumerate(_as_shown(plain["findings"]))}
            for at, finding in enumerate(plain["findings"]):
                shown = result.findings[order[at]] if order[at] < len(result.findings) else None
                yield _SarifFinding(item, result, finding, shown)
        if item.conclusion is Verdict.PROBLEM and all(
            finding["level"] == Level.INFO.value for result in stored["results"] for finding in result["findings"]
        ):
            yield _SarifFinding(item, None, _concluded(item), None)


def _weight(each: _SarifFinding) -> Level:
    """The level of a finding, or what that was before somebody set it aside."""
    return Level((each.plain.get("suppressed") or each.plain)["level"])


def _concluded(item: ItemPart) -> dict[str, Any]:
    """What a person concluded, as a finding."""
    said = [item.title, item.conclusion_text, " ".join(item.note)[:MAX_SAID]]
    where = dict.fromkeys(("path", "line", "column", "name", "field", "step"))
    plain = dict.fromkeys(("why", "sure", "proof", "fix"))
    message = joined(" · ", [text for text in said if text])
    return {**plain, "code": "", "level": Level.PROBLEM.value, "where": where, "message": message}


def _as_shown(findings: list[dict[str, Any]]) -> list[int]:
    """The findings in the order of the report: the worst first."""
    return sorted(range(len(findings)), key=lambda at: list(Level).index(Level(findings[at]["level"])))


# --- rules and words --------------------------------------------------------------------------------------------------


def _rule(report: Report, each: _SarifFinding) -> dict[str, Any]:
    item, plain = each.item, each.plain
    help_text = [f"{report.say('method')}: " + "\n".join(item.method)]
    help_text += [
        f"{report.say(key)}: {visible(text)}"
        for key, text in (("why", plain["why"]), ("proof", plain["proof"]))
        if text
    ]
    if item.remedy:
        help_text.append(f"{report.say('remedy')}: " + "\n".join(item.remedy))
    title = f"{item.id} {bilingual.plain(item.title)}"
    rule: dict[str, Any] = {
        "id": each.rule,
        "name": visible(plain["code"] or item.id),
        "shortDescription": {"text": title},
        "fullDescription": {"text": title},
        "help": {"text": "\n\n".join(help_text)},
        "defaultConfiguration": {"level": SEVERITIES[_weight(each)]},
        "properties": {"tags": ["accuracy", item.id, *([each.result.probe] if each.result is not None else [])]},
    }
    if item.references:
        rule["helpUri"] = quote(item.references[0][1], safe=":/?#[]@!$&'()*+,;=%~")
    return rule


def _message(each: _SarifFinding) -> str:
    """What was found and how to mend it; the place too where no file of the project shows it."""
    plain = each.plain
    where = plain["where"]
    place = [where["path"]] if where["path"] and not _inside(where["path"]) else []
    text = joined(": ", [*place, plain["message"]])
    return _shown(joined(" → ", [text, plain["fix"]["message"]]) if plain["fix"] else text)


def _shown(text: str) -> str:
    """A text, in one language or two, without what a screen would obey."""
    return beside(*(visible(one(text, language)) for language in (Language.ZH, Language.EN)))


def _unfinished(item: ItemPart, result: ResultPart) -> dict[str, Any] | None:
    """What is to be said of a probe that did not finish."""
    if result.status is Status.DONE:
        return None
    level = {Status.FAILED: "error", Status.CANCELLED: "warning"}.get(result.status, "note")
    text = ": ".join(filter(None, [f"{item.id} {result.probe}", " · ".join(result.facts), result.reason]))
    return _note(f"{item.id}/{result.probe}", level, text)


def _note(about: str, level: str, text: str) -> dict[str, Any]:
    return {"descriptor": {"id": about}, "level": level, "message": {"text": text}}


def _suppression(item: ItemPart) -> dict[str, Any]:
    """Why the findings of an item do not count; `status` is what the reviewer says of that."""
    said = [item.conclusion_text, item.by, " ".join(item.note)[:MAX_SAID]]
    status = "accepted"
    if (review := item.review) is not None:
        said += [review.text, review.by, " ".join(review.comment)[:MAX_SAID]]
        status = {"returned": "rejected", "outdated": "underReview"}.get(review.state, status)
    justification = joined(" · ", [text for text in said if text])
    return {"kind": "external", "status": status, "justification": justification}


# --- places -----------------------------------------------------------------------------------------------------------


def _inside(path: str) -> bool:
    return not _OUTSIDE.match(path)


def _location(report: Report, each: _SarifFinding) -> dict[str, Any] | None:
    where = each.plain["where"]
    path = where["path"] if where["path"] and _inside(where["path"]) else None
    if not (path or report.anchor) or (_weight(each) is Level.INFO and not (path and where["line"])):
        return None
    region: dict[str, Any] = {"startLine": 1}
    if path and where["line"]:
        region["startLine"] = _counted(where["line"])
        code = _code(each)
        if where["column"] is not None:
            region["startColumn"] = _counted(1 + _characters(code, where["column"]))
        if code is not None:
            region["snippet"] = {"text": code[:MAX_SNIPPET]}
    place: dict[str, Any] = {
        "physicalLocation": {"artifactLocation": _artifact(report, path or report.anchor), "region": region}
    }
    if name := " ".join(str(where[key]) for key in ("name", "field") if where[key]):
        place["logicalLocations"] = [{"fullyQualifiedName": visible(name)}]
    return place


def _artifact(report: Report, path: str) -> dict[str, str]:
    name = f"{report.within}{path}"
    try:
        content = name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # no file has such a name
        content = visible(name).encode()
    uri = quote(content)
    return {"uri": uri, "uriBaseId": ROOT}


def _counted(number: int) -> int:
    """A line or column as readers take it: from 1, in 32 bits."""
    return min(max(1, number), 2**31 - 1)


def _code(each: _SarifFinding) -> str | None:
    """The line of code that a finding is about, where its evidence shows it."""
    from .parts import CodePart

    line: int = each.plain["where"]["line"] or 0
    for part in each.shown.evidence if each.shown is not None else []:
        if isinstance(part, CodePart) and 0 <= line - part.line < len(part.lines):
            return part.lines[line - part.line]
    return None


def _characters(code: str | None, column: int) -> int:
    """A column in bytes of UTF-8, as Python's parser counts, in characters."""
    if code is None or code[:column].isascii():
        return column
    return len(code.encode("utf-8", "replace")[:column].decode("utf-8", "ignore"))


def _fingerprint(each: _SarifFinding, same: Counter[str]) -> str:
    """Known again in the next run though lines were added above it: the rule, the place by its names and its code."""
    where = each.plain["where"]
    told = [each.rule, *(str(where[key] or "") for key in ("path", "name", "field")), (_code(each) or "").strip()]
    text = "\0".join(told)
    same[text] += 1
    return hashlib.sha256(f"{text}\0{same[text]}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _fixes(report: Report, each: _SarifFinding) -> list[dict[str, Any]]:
    """The diff as replacements of whole lines, where it is sure to be that of the file."""
    fix = each.plain["fix"]
    if not (fix and fix["diff"]) or fix.get("redacted") or each.result is None or each.result.stale:
        return []
    try:
        path, edits = patch.parse(fix["diff"])
    except ValueError:
        return []
    if not edits or not _inside(path) or any("\r" in line for edit in edits for line in edit.old + edit.new):
        return []
    changes = [{"artifactLocation": _artifact(report, path), "replacements": [_replacement(edit) for edit in edits]}]
    return [{"description": {"text": _shown(fix["message"])}, "artifactChanges": changes}]


def _replacement(edit: patch.Edit) -> dict[str, Any]:
    if edit.old and edit.new:  # the end of the last line stays
        region = {"startLine": edit.first, "startColumn": 1, "endLine": edit.after - 1}
        return {"deletedRegion": region, "insertedContent": {"text": "".join(edit.new).removesuffix("\n")}}
    region = {"startLine": edit.first, "startColumn": 1, "endLine": edit.after, "endColumn": 1}
    return {"deletedRegion": region, "insertedContent": {"text": "".join(edit.new)}}
