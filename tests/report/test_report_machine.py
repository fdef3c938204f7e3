"""The JSON object that others rely on, and the text for the terminal."""

import json
import re

import msgspec
import pytest
from report_sample import HOSTILE

from accucheck.case import Case
from accucheck.checklist import Checklist
from accucheck.language import wrapped
from accucheck.model import Finding, Kind, Language, Level, Where
from accucheck.report import machine
from accucheck.report.parts import FindingPart
from accucheck.report.telling import Telling
from accucheck.session import Record


@pytest.mark.parametrize(
    ("where", "message", "said"),
    [
        ("train.log", "train.log: all 10 values are finite.", "train.log: all 10 values are finite."),
        ("train.log", "train.log：10 个值均为有限值。", "train.log：10 个值均为有限值。"),
        ("train.log", "train.logs: 2 files.", "train.log: train.logs: 2 files."),
        ("", "Nothing freezes weights.", "Nothing freezes weights."),
    ],
)
def test_a_place_is_told_once(where: str, message: str, said: str) -> None:
    finding = FindingPart(Level.INFO, message, where, [], 0, "", "", "", "", [])
    assert machine.placed(finding) == said


def test_the_object(record: Record, checklists: list[Checklist], case: Case) -> None:
    found = machine.result_json(record, checklists, case, Language.EN)
    assert list(found) == ["version", "case", "taken", "items", "paths", "sign_off", "summary"]
    assert found["paths"] == []  # this checklist is a list
    assert (found["version"], found["case"]) == (1, "resnet50-cifar10")
    assert [entry["id"] for entry in found["items"]] == ["dp.03", "dp.05", "hp.02", "hp.03"]
    first = found["items"][0]
    assert list(first) == [
        "id",
        "checklist",
        "suggestion",
        "conclusion",
        "note",
        "by",
        "when",
        "review",
        "agent",
        "results",
    ]
    assert (first["checklist"], first["suggestion"], first["conclusion"]) == ("sample", "problem", "problem")
    assert [entry["suggestion"] for entry in found["items"]] == ["problem", "not_applicable", "undecided", "undecided"]
    result = first["results"][0]
    assert list(result) == ["probe", "kind", "status", "own_training", "seconds", "reason", "findings"]
    assert (result["kind"], result["status"], result["seconds"], result["reason"]) == ("live", "done", 1.234, None)
    finding = next(finding for finding in result["findings"] if finding["code"] == "fixed-order")
    keys = [
        "code",
        "level",
        "incomplete",
        "message",
        "why",
        "sure",
        "proof",
        "where",
        "data",
        "fix",
        "contradicted",
        "suppressed",
    ]
    assert list(finding) == keys and finding["contradicted"] is None
    explained = (finding["why"], finding["sure"], finding["proof"])
    assert explained == ("Batches of 50,000 alike samples mislead.", "certain", "Read two epochs.")
    other = next(finding for finding in result["findings"] if finding["code"] != "fixed-order")
    assert (other["why"], other["sure"], other["proof"]) == (None, None, None)
    assert finding["where"] == {
        "path": "src/dataset.py",
        "line": 41,
        "column": None,
        "name": None,
        "field": None,
        "step": None,
    }
    assert finding["data"] == {"count": 50000}
    assert finding["fix"]["message"] == "Pass shuffle=True." and finding["fix"]["diff"].startswith("--- a/")
    skipped = found["items"][2]["results"][2]
    assert skipped["reason"]["code"] == "missing-input" and "curves.eval" in skipped["reason"]["message"]
    assert found["summary"]["items"] == {"problem": 1, "ok": 0, "not_applicable": 1, "undecided": 2}
    assert found["summary"]["probes"] == {"done": 3, "failed": 1, "skipped": 1, "cancelled": 0}


def test_json_is_lossless_and_safe_on_a_terminal(record: Record, checklists: list[Checklist], case: Case) -> None:
    found = machine.result_json(record, checklists, case, Language.ZH)
    found["nan"] = [float("nan"), float("inf"), "\U000e0001 \U0001f600"]
    content = machine.encode(found)
    text = content.decode()
    assert all(character.isprintable() or character == "\n" for character in text)
    read = json.loads(text)
    assert read["nan"] == [None, None, "\U000e0001 \U0001f600"]
    assert HOSTILE in read["items"][0]["results"][0]["findings"][0]["where"]["field"]
    assert "训练" not in text and "两轮的" in text, "titles are not in it; Chinese is not escaped"


@pytest.mark.parametrize("language", list(Language))
def test_text_for_the_terminal(record: Record, checklists: list[Checklist], case: Case, language: Language) -> None:
    telling = Telling(record, checklists, case, language)
    summary = machine.result_json(record, checklists, case, language)["summary"]
    lines = [*telling.everything(record), *telling.end(record, summary)]
    assert all(line.isprintable() for line in lines)
    text = "\n".join(lines)
    zh = language is Language.ZH
    assert "✗ dp.03" in text and "? hp.02" in text
    assert ("  – 不适用：dp.05" if zh else "  – not applicable: dp.05") in lines
    assert ("  ○ 尚未检查：hp.03" if zh else "  ○ nothing checked: hp.03") in lines
    assert ("src/dataset.py:41: 两轮的 50,000 个" if zh else "src/dataset.py:41: Both epochs bring the 50,000") in text
    assert ("对精度的影响：50,000 个样本顺序固定" if zh else "Why it hurts accuracy: Batches of 50,000") in text
    assert ("把握程度：确定" if zh else "How sure: certain") in text
    assert ("验证方法：读取两个 epoch" if zh else "What would prove it: Read two epochs.") in text
    assert ("  curves.eval（评估日志）：hp.02" if zh else "  curves.eval (evaluation log): hp.02") in lines
    assert lines[-1] == (
        "探针  已完成 3 · 执行失败 1 · 已跳过 1 · 已取消 0"
        if zh
        else "Probes  done 3 · failed 1 · skipped 1 · cancelled 0"
    )


def test_what_many_probes_could_not_see_is_told_once(record: Record, checklists: list[Checklist], case: Case) -> None:
    telling = Telling(record, checklists, case, Language.EN)
    (item,) = [item for item in checklists[0].items if item.id == "dp.03"]
    (live,) = [result for result in record.entries["dp.03"].results.values() if result.kind is Kind.LIVE]
    gap = Finding("fixed-order", Level.INFO, Where("train.py", 3), {"count": 7}, incomplete=True)
    problem = msgspec.structs.replace(gap, level=Level.PROBLEM)
    entry, told = record.entries["dp.03"], []
    for each, done in ((gap, False), (gap, True), (problem, True)):
        result = msgspec.structs.replace(live, findings=[each])
        held = msgspec.structs.replace(entry, results={**entry.results, live.probe: result})
        now = msgspec.structs.replace(record, entries={**record.entries, "dp.03": held})
        told.append("\n".join(telling.item(now, item, [result], done=done)))
    assert ["train.py:3" in text for text in told] == [True, False, True], "what is wrong is told of each probe"
    assert "so far: problem found; more of its probes are still to run" in told[0] and "so far" not in told[1]


@pytest.mark.parametrize("columns", [40, 80])
def test_lines_are_folded_to_the_width_of_a_terminal(columns: int) -> None:
    texts = [
        "        ? suspect  a.py:1: " + "seven or eight words of this, " * 9,
        "    " + "训练数据的标签，需要检查。" * 12,
        "x" * 99,
    ]
    for text in texts:
        lines = list(wrapped(text, columns))
        assert "".join("".join(lines).split()) == "".join(text.split()), "nothing is lost"
        indent = len(text) - len(text.lstrip())
        assert all(line.startswith(" " * (indent + 2)) and line.strip() for line in lines[1:])
        assert all(line.strip()[0] not in "，。" for line in lines)
        cells = [len(line) + len(re.findall("[\u2e80-\uffef]", line)) for line in lines]
        assert max(cells) <= columns + 2 or "x" in text, "punctuation may hang"
