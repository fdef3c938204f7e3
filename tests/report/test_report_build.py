"""What a report says of a session."""

import re
from pathlib import Path

import msgspec
import pytest
from report_sample import ENVIRONMENT, HOSTILE, MOMENT, ORDER, result

from accucheck.case import Case
from accucheck.checklist import Checklist
from accucheck.language import visible, word
from accucheck.model import (
    Code,
    Finding,
    Kind,
    Language,
    Level,
    Note,
    ProbeResult,
    Reason,
    Status,
    Table,
    Verdict,
    Where,
)
from accucheck.report import environment, grading
from accucheck.report.build import build
from accucheck.report.parts import CodePart, ItemPart, Report, TablePart, spans
from accucheck.report.results import MAX_FINDINGS, MAX_ROWS
from accucheck.report.words import KINDS, LEVELS, STATUSES, VERDICTS, WORDS
from accucheck.session import Entry, Record
from accucheck.store import ATTACHMENTS


def item(report: Report, item_id: str) -> ItemPart:
    return next(item for item in report.items if item.id == item_id)


def strings(value: object) -> list[str]:
    """Every text within a report."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for pair in value.items() for below in pair for text in strings(below)]
    return [text for below in value for text in strings(below)] if isinstance(value, (list, tuple)) else []


def test_words_are_complete() -> None:
    for words in (WORDS, VERDICTS, STATUSES, LEVELS, KINDS, environment.WORDS):
        for key, entry in words.items():
            assert set(entry) == {"zh", "en"}, key
            assert set(re.findall(r"{(\w+)", entry["zh"])) == set(re.findall(r"{(\w+)", entry["en"])), key


@pytest.mark.parametrize("key", ["more-findings", "more-evidence", "whole-table", "sign-off-by", "verdict-ok", "clean"])
def test_one_is_no_plural(key: str) -> None:
    one, two = (
        word({**WORDS, **grading.WORDS}, key, Language.EN, count=count, total=count, file="f", who="w", when="t")
        for count in (1, 2)
    )
    assert not re.search(r"\b(are|were|items|rows|findings|tables|charts)\b", one) and "{" not in one
    assert "2" in two and re.search(r"\b(are|were|items)\b", two)


def test_a_suggestion_is_never_a_conclusion(report: Report) -> None:
    zh = report.language is Language.ZH
    open_item = item(report, "hp.02")
    assert open_item.conclusion is None and open_item.meaning == ""
    assert open_item.conclusion_text == ("未填写（建议：无法判定）" if zh else "not filled in (suggested: undecided)")
    excluded = item(report, "dp.05")
    assert excluded.conclusion_text == ("未填写（建议：不适用）" if zh else "not filled in (suggested: not applicable)")
    assert ("多卡训练" if zh else "training on several devices") in excluded.not_applicable
    assert excluded.not_run == [], "what the case rules out is no gap"
    bare = item(report, "hp.03")
    assert bare.no_probe and not bare.checked
    assert bare.conclusion_text == ("未填写（尚未检查）" if zh else "not filled in (nothing has been checked)")


def test_a_concluded_problem(report: Report) -> None:
    zh = report.language is Language.ZH
    concluded = item(report, "dp.03")
    assert concluded.conclusion_text == ("发现问题" if zh else "problem found")
    assert concluded.by == ("wang，2026-03-04 04:00 UTC" if zh else "wang, 2026-03-04 04:00 UTC")
    assert concluded.meaning == ("训练集顺序固定。" if zh else "The order of the training set is fixed.")
    assert concluded.remedy and concluded.references
    assert concluded.note == ["确认：没有混洗。 已修改", "# second | line <i>x</i>"]
    assert not item(report, "hp.02").remedy
    first = concluded.results[0]
    assert [finding.level for finding in first.findings] == [Level.PROBLEM, Level.SUSPECT, Level.INFO]
    assert first.findings[0].message == (
        "两轮的 50,000 个样本顺序完全相同。" if zh else "Both epochs bring the 50,000 samples in the same order."
    )
    assert first.findings[0].where == "src/dataset.py:41"
    assert first.findings[0].fix == ("请传入 shuffle=True。" if zh else "Pass shuffle=True.")
    assert first.findings[0].why == (
        "50,000 个样本顺序固定，梯度有偏。" if zh else "Batches of 50,000 alike samples mislead."
    )
    assert first.findings[0].sure == ("确定（代码分析）" if zh else "certain from the code")
    assert first.findings[0].proof == ("读取两个 epoch 比较。" if zh else "Read two epochs.")
    assert (first.findings[1].why, first.findings[1].sure, first.findings[1].proof) == ("", "", "")
    table = first.findings[0].evidence[1]
    assert isinstance(table, TablePart)
    assert table.title == ("各类别占比" if zh else "Share per class")
    assert table.columns[:2] == (["类别", "样本数"] if zh else ["class", "count"])
    assert table.rows[1] == ["|`x`|", "0.000123457", "–"] and table.numeric == [False, True, False]
    assert "4,000" in table.bound


def test_counts_and_gaps(report: Report) -> None:
    assert report.counts.states == {"problem": 1, "ok": 0, "not_applicable": 1, "undecided": 2}
    assert report.counts.open == 3 and report.counts.unchecked == 1
    assert report.result["summary"] == {
        "items": report.counts.states,
        "probes": {"done": 3, "failed": 1, "skipped": 1, "cancelled": 0},
    }
    gaps = {(gap.item, gap.probe) for gap in report.gaps}
    assert gaps == {
        ("dp.03", "fake_order"),  # a finding that says it is incomplete
        ("dp.03", "fake_settings"),  # never run
        ("hp.02", "fake_curve"),  # out of date
        ("hp.02", "fake_failing"),
        ("hp.02", "fake_skipped"),
        ("hp.03", "–"),  # no probe
    }
    assert {highlight.item for highlight in report.verdict.highlights} == {"dp.03"}
    stale = {result.probe: result.stale for result in item(report, "hp.02").results}
    assert stale == {"fake_curve": True, "fake_failing": False, "fake_skipped": False}


def test_a_missing_configuration_is_told_once(record: Record, checklists: list[Checklist], case: Case) -> None:
    """However many items and probes it keeps from being checked."""

    def skipped(name: str, *keys: str) -> ProbeResult:
        reason = Reason("missing-input", {"keys": list(keys), "first": keys[0]})
        return result(name, Kind.FILE, [], status=Status.SKIPPED, reason=reason)

    entries = {
        "dp.03": Entry(results={"fake_order": skipped("fake_order", "network | phases", "curves.train")}),
        "hp.02": Entry(results={"fake_curve": skipped("fake_curve", "curves.train")}),
        "hp.03": Entry(results={"fake_order": skipped("fake_order", "curves.train")}),
    }
    made = build(msgspec.structs.replace(record, entries=entries), checklists, case, Language.EN, None, set(), MOMENT)
    told = {gap.why: (gap.item, gap.probe) for gap in made.gaps if "is not set" in gap.why}
    (first,), (second,) = ([why for why in told if key in why] for key in ("network", "curves.train"))
    assert len(told) == 2 and told[first] == ("dp.03", "fake_order")
    assert told[second] == ("dp.03, hp.02, hp.03", "fake_order, fake_curve")


def test_a_removed_probe_shows_code_and_data(report: Report) -> None:
    removed = item(report, "dp.03").results[1]
    assert removed.probe == "removed_probe" and removed.findings[0].message == "old-code: value=3, other=x|y"


def test_a_broken_plugin_does_not_break_the_report(
    record: Record, checklists: list[Checklist], case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(name: str) -> object:
        raise RuntimeError("plug-in")

    monkeypatch.setattr("accucheck.probe.load", load)
    report = build(record, checklists, case, Language.ZH, None, set(), MOMENT)
    assert item(report, "dp.03").results[0].findings[0].message == "fixed-order: count=50000"


def test_nothing_invisible_remains(report: Report) -> None:
    """Control, direction and zero-width characters are escaped everywhere but in the JSON object, which has its own escapes."""
    plain = msgspec.to_builtins(msgspec.structs.replace(report, result={}, checklists=[]))
    texts = strings(plain) + strings(msgspec.to_builtins(report.checklists))
    # what charts draw is bounded and translated, not copied from here
    assert any("\\u202e" in text for text in texts)
    assert all(character.isprintable() for text in texts for character in text)


@pytest.mark.part(40)
def test_long_texts_and_many_findings_are_bounded(checklists: list[Checklist], case: Case) -> None:
    rows = [[number, "x" * 3_000] for number in range(60)]
    many = [
        Finding(
            "odd-name",
            Level.INFO,
            Where(path="y" * 10_000),
            {"name": "z" * 10_000},
            [Table("t" * 10_000, ["a", "b"], rows, 1000)],
        )
        for _ in range(100)
    ]
    long = Note("share", "\n".join(["w" * 10_000] * 1000))
    record = Record(
        entries={
            "dp.03": Entry(results={"fake_order": result("fake_order", Kind.LIVE, many)}),
            "hp.02": Entry(
                note="n" * 10_000,
                results={"fake_curve": result("fake_curve", Kind.FILE, [Finding("x", Level.INFO, evidence=[long])])},
            ),
        }
    )
    report = build(record, checklists, case, Language.EN, None, set(), MOMENT)
    first = item(report, "dp.03").results[0]
    assert len(first.findings) == MAX_FINDINGS and first.more_findings == 100 - MAX_FINDINGS
    table = first.findings[0].evidence[0]
    assert isinstance(table, TablePart)
    assert len(table.rows) == MAX_ROWS and table.bound == "first 50 of 1,000 rows"
    assert max(len(text) for row in table.rows for text in row) <= 200
    assert len(first.findings[0].message) <= 2000 and len(first.findings[0].where) <= 300
    assert item(report, "hp.02").note == ["n" * 10_000], "a person's words are never cut"
    assert len(report.result["items"][0]["results"][0]["findings"]) == 100, "the JSON has them all"


def test_an_overruled_suggestion_is_said(checklists: list[Checklist], case: Case) -> None:
    entry = Entry(
        conclusion=Verdict.OK, who="li", when=MOMENT, results={"fake_order": result("fake_order", Kind.LIVE, [ORDER])}
    )
    report = build(Record(entries={"dp.03": entry}), checklists, case, Language.EN, None, set(), MOMENT)
    assert item(report, "dp.03").overruled == "The conclusion differs from the suggestion (problem found)."
    assert report.counts.states["problem"] == 0 and not report.verdict.highlights


def test_home_and_project_folders_are_not_shown(checklists: list[Checklist], case: Case, home: Path) -> None:
    text = f"{case.root}/data/a.png and {home}/secret.txt, not {home}er"
    record = Record(
        entries={
            "hp.02": Entry(
                results={
                    "fake_curve": result(
                        "fake_curve", Kind.FILE, [Finding("unread", Level.SUSPECT, data={"path": text})]
                    )
                }
            )
        }
    )
    report = build(record, checklists, case, Language.EN, None, set(), MOMENT)
    expected = f"data/a.png and ~/secret.txt, not <path-1>/{home.name}er could not be read."
    assert item(report, "hp.02").results[0].findings[0].message == expected
    assert report.result["items"][2]["results"][0]["findings"][0]["message"] == expected


def test_attachments(
    checklists: list[Checklist], case: Case, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "id_rsa"
    outside.write_text("secret")
    (tmp_path / "loss.log").write_text("epoch 1")
    (tmp_path / ".env").write_text("TOKEN=1")
    (tmp_path / "shot.png").write_bytes(b"x")
    (tmp_path / "link.log").symlink_to(outside)
    photo = outside.with_name("photo.png")
    photo.write_bytes(b"x")
    (tmp_path / "link.png").symlink_to(photo)
    kept = tmp_path / ATTACHMENTS / "train.log"
    kept.parent.mkdir(parents=True)
    kept.write_text("epoch 2")
    names = ["loss.log", ".env", "shot.png", "link.log", str(outside), "gone.txt", "bad\0name"]
    names += [str(photo), "link.png", f"../{photo.parent.name}/photo.png", f"{ATTACHMENTS}/train.log"]
    report = build(
        Record(entries={"dp.03": Entry(attachments=names)}), checklists, case, Language.EN, None, set(), MOMENT
    )
    kinds = [attachment.kind for attachment in item(report, "dp.03").attachments]
    assert kinds == ["file", "named", "picture", *["named"] * 7, "file"]


def test_environment_comes_out_in_both_languages(report: Report) -> None:
    rows = dict(report.environment)
    assert rows["MindSpore"] == "2.10.0" and rows["CANN"] == "8.0.RC2" and rows["NPU"] == "Ascend 910B3 × 8"
    if report.language is Language.ZH:
        assert rows["硬件平台"] == "Ascend" and rows["执行模式"] == "未说明" and rows["卡数"] == "8，由 msrun 启动"
    else:
        assert rows["Device"] == "Ascend" and rows["Execution mode"] == "not given"
        assert rows["Project's commit"] == "0123456789ab, with uncommitted changes (files: 2)"
    assert ENVIRONMENT["git_commit"] not in rows.values()


def test_code_spans_of_prose() -> None:
    assert spans("Pass `shuffle=True` here") == [("Pass ", False), ("shuffle=True", True), (" here", False)]
    assert spans("a ` alone") == [("a ` alone", False)]
    assert visible(HOSTILE) != HOSTILE


def test_the_same_advice_is_given_once(checklists: list[Checklist], case: Case) -> None:
    found = [msgspec.structs.replace(ORDER, where=Where(path="a.py", line=line), evidence=[]) for line in (1, 2)]
    record = Record(entries={"dp.03": Entry(results={"fake_order": result("fake_order", Kind.LIVE, found)})})
    report = build(record, checklists, case, Language.EN, None, set(), MOMENT)
    parts = item(report, "dp.03").results[0].findings
    assert [bool(part.fix and part.diff) for part in parts] == [True, False]
    assert [bool(part.why and part.proof) for part in parts] == [True, False]
    assert all(part.sure for part in parts)
    assert all(finding["fix"] for finding in report.result["items"][0]["results"][0]["findings"]), "programs get all"


def test_lines_of_code_keep_their_numbers(checklists: list[Checklist], case: Case) -> None:
    code = Code("a.py", 20, "\n\r\ndef main():\n    set_seed(1)\n\n", [23])
    found = [msgspec.structs.replace(ORDER, evidence=[code])]
    record = Record(entries={"dp.03": Entry(results={"fake_order": result("fake_order", Kind.LIVE, found)})})
    report = build(record, checklists, case, Language.EN, None, set(), MOMENT)
    (part,) = item(report, "dp.03").results[0].findings[0].evidence
    assert isinstance(part, CodePart)
    assert (part.line, part.lines, part.marked) == (22, ["def main():", "    set_seed(1)"], [23])
