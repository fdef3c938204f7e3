"""What was seen outranks what was guessed: which findings contradict which, what is left of an item, and how it is shown."""

import json
from pathlib import Path

import msgspec
import pytest

from accucheck import case as cases
from accucheck import probe
from accucheck.checklist import load
from accucheck.guidance import steps
from accucheck.language import Language
from accucheck.model import (
    Finding,
    Kind,
    Level,
    Plain,
    ProbeResult,
    Refutes,
    Status,
    Sure,
    Verdict,
    Where,
    combine,
    suggest,
    suspected,
    weigh,
)
from accucheck.project import open_project
from accucheck.report import build, markdown, sarif
from accucheck.report.telling import Telling
from accucheck.session import Entry, open_session
from command_line import accucheck

MASK = {"mask": "mask"}


def static(level: Level = Level.PROBLEM, code: str = "design-mask", **values: object) -> ProbeResult:
    where = Where("fit.py", line=7)
    finding = Finding(code, level, where, dict(MASK), **{"sure": Sure.CERTAIN, **values})  # type: ignore[arg-type]
    return ProbeResult("padding_script", Kind.STATIC, Status.DONE, suggest([finding]), [finding])


def seen(*refutes: Refutes, kind: Kind = Kind.LIVE, name: str = "padding_live", **values: object) -> ProbeResult:
    data: dict[str, Plain] = {"role": "train", "mask": "mask", "column": "words"}
    finding = Finding("mask-agrees", Level.INFO, data=data, refutes=list(refutes))
    return ProbeResult(name, kind, Status.DONE, Verdict.OK, [finding], **values)  # type: ignore[arg-type]


PROOF = Refutes("padding_script", ["design-mask"], data=dict(MASK))


@pytest.mark.parametrize("level", [Level.PROBLEM, Level.SUSPECT])
def test_what_is_refuted_does_not_decide(level: Level) -> None:
    results = [static(level), seen(PROOF)]
    assert combine(results) is Verdict.OK and not suspected(results)
    finding = weigh(results)[0].findings[0]
    assert finding.level is Level.INFO and finding.contradicted is not None
    assert (finding.contradicted.probe, finding.contradicted.level) == ("padding_live", level)


def test_what_lies_within_the_lines_that_were_seen_running_is_refuted() -> None:
    proof = Refutes("padding_script", ["design-mask"], places={"fit.py": [[1, 3], [5, 9]]})
    assert combine([static(), seen(proof)]) is Verdict.OK


@pytest.mark.parametrize(
    "proof",
    [
        Refutes("padding_script", ["design-side"]),  # another code
        Refutes("loss_function", ["design-mask"]),  # another probe
        Refutes("padding_script", ["design-mask"], data={"mask": "other"}),  # another mask
        Refutes("padding_script", ["design-mask"], places={"other.py": [[1, 99]]}),  # another file
        Refutes("padding_script", ["design-mask"], places={"fit.py": [[8, 99]]}),  # other lines
    ],
)
def test_what_is_about_something_else_contradicts_nothing(proof: Refutes) -> None:
    assert combine([static(), seen(proof)]) is Verdict.PROBLEM
    assert combine([static(Level.SUSPECT), seen(proof)]) is Verdict.UNDECIDED


def test_no_verdict_of_a_stronger_kind_does_away_with_a_suspect() -> None:
    assert combine([static(Level.SUSPECT), seen()]) is Verdict.UNDECIDED
    assert suspected([static(Level.SUSPECT), seen()])


def test_what_a_probe_could_not_see_is_settled_by_one_that_could() -> None:
    gap = static(Level.INFO, incomplete=True)
    assert combine([gap, seen()]) is Verdict.OK
    assert combine([gap]) is Verdict.UNDECIDED
    assert combine([gap, seen(own_training=True)]) is Verdict.UNDECIDED


def test_a_weaker_or_unfinished_probe_refutes_nothing() -> None:
    assert combine([static(), seen(PROOF, kind=Kind.STATIC)]) is Verdict.PROBLEM
    unfinished = msgspec.structs.replace(seen(PROOF), status=Status.FAILED, suggestion=Verdict.UNDECIDED)
    assert combine([static(), unfinished]) is Verdict.PROBLEM


def test_a_training_of_accuchecks_own_does_not_outvote_checkpoints_of_the_users() -> None:
    """Five weights that never moved in the real run stay a suspect, whatever moves in steps that accucheck makes."""
    unmoved = Finding("unmoved", Level.SUSPECT, data={"count": 5})
    files = ProbeResult("frozen_weights", Kind.FILE, Status.DONE, Verdict.UNDECIDED, [unmoved])
    proof = Refutes("frozen_weights", ["unmoved"])
    own = seen(proof, name="frozen_weights_live", own_training=True)
    assert combine([files, own]) is Verdict.UNDECIDED and weigh([files, own]) == [files, own]
    nothing = msgspec.structs.replace(files, suggestion=Verdict.PROBLEM, findings=[Finding("n", Level.PROBLEM)])
    assert combine([nothing, own]) is Verdict.PROBLEM


def test_what_is_left_beside_a_refuted_finding_decides() -> None:
    first = static().findings[0]
    other = msgspec.structs.replace(first, code="mask-side")
    both = msgspec.structs.replace(static(), findings=[first, other])
    assert combine([both, seen(PROOF)]) is Verdict.PROBLEM
    assert [finding.level for finding in weigh([both, seen(PROOF)])[0].findings] == [Level.INFO, Level.PROBLEM]


def test_a_finding_that_is_refuted_alone_decides_nothing() -> None:
    """Where the probe that refutes it is undecided itself, the item is undecided."""
    doubtful = msgspec.structs.replace(seen(PROOF), suggestion=Verdict.UNDECIDED)
    suspect = Finding("value-is-real", Level.SUSPECT)
    doubtful = msgspec.structs.replace(doubtful, findings=[*doubtful.findings, suspect])
    assert combine([static(), doubtful]) is Verdict.UNDECIDED


def recorded(root: Path) -> None:
    (root / "fit.py").write_text("import mindspore\n" * 9)
    with open_session(root) as session:
        for result in (static(), seen(PROOF)):
            session.record_result("dp.04", result)


def test_the_session_keeps_what_was_found_and_computes_what_contradicts_it(tmp_path: Path) -> None:
    recorded(tmp_path)
    with open_session(tmp_path) as session:
        entry = session.entry("dp.04")
        assert entry.suggestion is Verdict.OK and entry.results["padding_script"].suggestion is Verdict.PROBLEM
        assert entry.results["padding_script"].findings[0].contradicted is None
        assert entry.weighed["padding_script"].findings[0].contradicted is not None


def test_a_session_of_before_has_no_such_fields_and_is_read(tmp_path: Path) -> None:
    recorded(tmp_path)
    path = tmp_path / ".accucheck" / "session.json"
    data = json.loads(path.read_text())
    for result in data["entries"]["dp.04"]["results"].values():
        del result["own_training"]
        for finding in result["findings"]:
            del finding["refutes"], finding["contradicted"]
    path.write_text(json.dumps(data))
    with open_session(tmp_path) as session:
        assert session.notice is None and session.entry("dp.04").suggestion is Verdict.PROBLEM


@pytest.mark.parametrize(("language", "word"), [(Language.EN, "Contradicted"), (Language.ZH, "已被推翻")])
def test_both_pieces_of_evidence_are_shown(tmp_path: Path, language: Language, word: str) -> None:
    recorded(tmp_path)
    case, checklists = cases.load(tmp_path), [load("accuracy")]
    with open_session(tmp_path) as session:
        report = build.build(session.record, checklists, case, language)
        text = "\n".join(Telling(session.record, checklists, case, language).everything(session.record))
    shown = markdown.render(report, "report")["report.md"].decode()
    said = probe.message(probe.load("padding_script"), "design-mask", MASK, language)
    against = probe.message(
        probe.load("padding_live"), "mask-agrees", {"role": "train", "mask": "mask", "column": "words"}, language
    )
    for whole in (text, shown):
        assert word in whole and said in whole and whole.count(against) == 2, whole
    stored = next(item for item in report.result["items"] if item["id"] == "dp.04")
    assert stored["suggestion"] == "ok"
    found = stored["results"][0]["findings"][0]
    assert (found["level"], found["contradicted"]["level"]) == ("info", "problem")
    assert against in found["contradicted"]["message"]
    (result,) = [
        each for each in json.loads(sarif.encode(report))["runs"][0]["results"] if "design-mask" in each["ruleId"]
    ]
    assert result["level"] == "note" and against in result["suppressions"][0]["justification"]


def test_accept_all_covers_no_item_with_a_suspect(tmp_path: Path) -> None:
    """A probe whose own rule says ok in spite of a suspect."""
    result = msgspec.structs.replace(static(Level.SUSPECT), suggestion=Verdict.OK)
    entry = Entry(results={result.probe: result})
    assert entry.suggestion is Verdict.OK and entry.suspected
    recorded(tmp_path)
    with open_session(tmp_path) as session:
        session.record_result("cg.02", result)
        session.record_result("cg.01", msgspec.structs.replace(seen(), findings=[]))
    (accept,) = [step for step in steps(open_project(tmp_path, session="read"), []) if step.kind == "accept"]
    assert "cg.01" in accept.items and "cg.02" not in accept.items


def test_status_proposes_nothing_for_what_is_contradicted(tmp_path: Path) -> None:
    recorded(tmp_path)
    told = accucheck("status", tmp_path, "--lang", "en")
    assert b"no such mask is made" not in told.stdout, told
