"""What changed between two rounds: findings matched while code moves, and what cannot be known said so."""

import json

import msgspec
import pytest

from accucheck import checklist
from accucheck.case import Case
from accucheck.difference import ItemState, Side, compare, of_record, of_report, taken_by
from accucheck.errors import ReadError
from accucheck.model import Finding, Kind, Language, Level, ProbeResult, Status, Verdict, Where, suggest
from accucheck.report import machine, since
from accucheck.session import Judgement, Record, open_session

CHECKLISTS = [checklist.load("accuracy")]


def side(*findings: Finding, status: Status = Status.DONE, probe: str = "shuffle_settings") -> Side:
    return of_record("x", record(*findings, status=status, probe=probe))


def record(*findings: Finding, status: Status = Status.DONE, probe: str = "shuffle_settings") -> Record:
    from accucheck.session import Entry

    result = ProbeResult(probe, Kind.STATIC, status, suggest(findings), list(findings))
    return Record(case="demo", entries={"dp.03": Entry(results={probe: result})})


def bad(line: int = 3, path: str = "train.py", level: Level = Level.PROBLEM, **data: object) -> Finding:
    return Finding("bad", level, Where(path, line=line), data)


def kinds(before: Side, after: Side) -> dict[str, int]:
    found = compare(before, after)
    counts = {name: len(getattr(found, name)) for name in ("gone", "new", "still", "unknown", "fresh")}
    return {name: count for name, count in counts.items() if count}


def test_nothing_changed():
    found = compare(side(bad(n=1)), side(bad(n=1)))
    assert found.same and not found.still[0].altered and not found.changed


def test_code_moves():
    found = compare(side(bad(3, name="a"), bad(9, name="b")), side(bad(13, name="a"), bad(2, name="b")))
    assert found.same
    assert [(pair.before.where.line, pair.after.where.line) for pair in found.still] == [(3, 13), (9, 2)]


def test_the_same_finding_at_several_lines():
    """Two of three alike are mended: those that stand pair by their lines."""
    found = compare(side(bad(3), bad(7), bad(9)), side(bad(7)))
    assert [seen.where.line for seen in found.gone] == [3, 9] and not found.new


def test_numbers_change_and_names_tell_apart():
    found = compare(side(bad(share=0.3)), side(bad(share=0.1)))
    assert not found.same and found.still[0].altered
    assert kinds(side(bad(layer="fc1")), side(bad(layer="conv1"))) == {"gone": 1, "new": 1}
    assert kinds(side(bad(path="a.py")), side(bad(path="b.py"))) == {"gone": 1, "new": 1}
    milder = compare(side(bad()), side(bad(level=Level.SUSPECT)))
    assert milder.still[0].altered and [each.what for each in milder.changed] == ["suggestion"]


def test_information_is_left_out_but_not_what_could_not_be_examined():
    assert compare(side(), side(bad(level=Level.INFO))).same
    partly = Finding("bad", Level.INFO, incomplete=True)
    assert kinds(side(), side(partly)) == {"new": 1}


@pytest.mark.parametrize("status", [Status.FAILED, Status.SKIPPED, Status.CANCELLED])
def test_a_probe_that_did_not_finish_mends_nothing(status):
    assert kinds(side(bad()), side(status=status)) == {"unknown": 1}
    assert not compare(side(bad()), side(status=status)).same
    assert kinds(side(status=status), side(bad())) == {"fresh": 1}
    assert kinds(side(bad()), Side("x", {})) == {"unknown": 1}
    assert kinds(side(bad()), side(probe="another")) == {"unknown": 1}


def test_answers_and_reviews(tmp_path):
    with open_session(tmp_path) as session:
        session.answer("ds.01", Verdict.OK, who="Li")
        before = of_record("before", session.record)
        session.review("ds.01", Judgement.RETURNED, "why?", "Wang")
        session.answer("ds.01", Verdict.PROBLEM, "because", "Li")
        after = of_record("after", session.record)
    found = compare(before, after)
    assert [(each.what, each.before, each.after) for each in found.changed] == [
        ("conclusion", "ok", "problem"),
        ("note", None, "because"),
        ("review", None, "outdated"),
        ("comment", None, "why?"),
    ]
    lines = since.text(found, CHECKLISTS, Language.EN)
    assert "  · conclusion  no problem → problem found" in lines and "  · review  none → to review again" in lines
    assert compare(after, after).same


@pytest.mark.parametrize("language", list(Language))
def test_a_session_and_its_json_report_are_the_same(tmp_path, language):
    with open_session(tmp_path) as session:
        session.answer("ds.01", Verdict.OK, "note", "Li")
        session.review("ds.01", Judgement.ACCEPTED, "fine", "Wang")
        whole = record(bad(n=1), bad(9, level=Level.SUSPECT), Finding("bad", Level.INFO, incomplete=True))
        session.record_result("dp.03", whole.entries["dp.03"].results["shuffle_settings"])
        session.sign_off({"accuracy": 1}, ["ds.01"], "", "Wang")
        known = session.record
    report = machine.encode(machine.result_json(known, CHECKLISTS, Case(root=str(tmp_path)), language))
    found = compare(of_report("report", report), of_record("session", known))
    assert found.same and len(found.still) == 3
    assert found.before.signed == found.after.signed == "signed"


def test_words_in_every_form():
    hostile = "a|b\x1b[31m<b>\n# no"
    found = compare(side(bad(layer="fc")), side(bad(layer=hostile), probe="shuffle_settings"))
    for language in Language:
        lines = since.text(found, CHECKLISTS, language)
        assert any(line.startswith("  - ") for line in lines) and any(line.startswith("  + ") for line in lines)
        marked = since.markdown(found, CHECKLISTS, language)
        assert not any("\x1b" in line or "\n" in line for line in [*lines, *marked])
        rows = [line for line in marked if line.startswith("| dp.03")]
        assert len(rows) == 2 and all(len(row.replace("\\|", "").split("|")) == 7 for row in rows)
        data = since.as_json(found, language)
        assert data["same"] is False and data["findings"]["new"][0]["data"] == {"layer": hostile}
        json.dumps(data)


@pytest.mark.parametrize("language", list(Language))
def test_what_a_person_wrote_is_never_translated(language):
    before, after = (
        Side("x", {"ds.01": ItemState(conclusion="ok", note=one, comment=other, review=review)})
        for one, other, review in (("to do", "void", "returned"), ("ok", "accepted", None))
    )
    told = {row.kind: row.text for row in since.rows(compare(before, after), CHECKLISTS, machine.Speech(language))}
    assert (told["note"], told["comment"]) == ("to do → ok", "void → accepted")
    assert told["review"] == {"en": "returned → none", "zh": "退回 → 无"}[language.value]


def test_only_what_ran_is_compared():
    both = record(bad())
    other = msgspec.structs.replace(both.entries["dp.03"], results={**both.entries["dp.03"].results})
    whole = msgspec.structs.replace(both, entries={"dp.03": other, "ds.01": other})
    assert compare(side(bad()), of_record("x", taken_by(whole, {("dp.03", "shuffle_settings")}))).same


@pytest.mark.parametrize("content", [b"", b"{", b'{"items": 3}', b'{"version": 1, "items": [{"id": 3}]}', b"\xff"])
def test_what_is_no_report(content):
    with pytest.raises(ReadError) as caught:
        of_report("x.json", content)
    assert caught.value.code == "not-comparable" and "x.json" in caught.value.text(Language.ZH)


@pytest.mark.parametrize("language", list(Language))
def test_counts_of_what_was_not_examined_are_left_out_where_there_are_none(language):
    told = since.overview(compare(side(bad(layer="fc1")), side(bad(layer="conv1"))), language)
    assert len(told) == 1
    (_, count) = since.overview(compare(side(bad()), Side("x", {})), language)
    assert count == ("Not examined again: 1." if language is Language.EN else "本轮未检查：1。")


@pytest.mark.parametrize(
    ("told", "text", "same"),
    [
        ("seen on <ip-1> by <user-1>", "seen on 10.20.30.40 by zhang", True),
        ("<path-1>/labels.csv", "/disk1/zhang/data/labels.csv", True),
        ("<ip-1> and <ip-1>", "10.20.30.40 and 10.20.30.40", True),
        ("seen on <ip-1> today", "seen on 10.20.30.40 and again", False),
        ("seen on <ip-1> by <user-1>", "seen on zhang", False),
        ("seen by <user-1>", "seen by ", False),
        ("a is < 3", "a is < 4", False),
    ],
)
def test_private_data_that_a_report_replaced_are_no_change(told, text, same):
    before, after = (Side("x", {"dp.03": ItemState("ok", note=note)}) for note in (told, text))
    assert compare(before, after).same is compare(after, before).same is same


def test_findings_are_paired_across_paths_that_a_report_replaced():
    shown, hidden = (
        bad(path="/disk1/zhang/data/a.csv", file="/disk1/zhang/data/a.csv"),
        bad(path="<path-1>/a.csv", file="<path-1>/a.csv"),
    )
    assert compare(side(hidden), side(shown)).same and compare(side(shown), side(hidden)).same
    other = bad(path="/disk1/zhang/data/b.csv", file="/disk1/zhang/data/b.csv")
    assert kinds(side(hidden), side(other)) == {"gone": 1, "new": 1}
    assert kinds(side(hidden), side(other, shown)) == {"new": 1, "still": 1}
