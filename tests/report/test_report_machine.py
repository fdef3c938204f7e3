"""The JSON object that others rely on, and the text for the terminal."""

import json
import subprocess
import sys

from report_sample import HOSTILE

from accucheck.case import Case
from accucheck.checklist import Checklist
from accucheck.model import Language
from accucheck.report import machine
from accucheck.report.parts import Report
from accucheck.session import Record


def test_the_object(record: Record, checklists: list[Checklist], case: Case) -> None:
    found = machine.result_json(record, checklists, case, Language.EN)
    assert list(found) == ["version", "case", "items", "paths", "sign_off", "summary"]
    assert found["paths"] == []  # this checklist is a list
    assert (found["version"], found["case"]) == (1, "resnet50-cifar10")
    assert [entry["id"] for entry in found["items"]] == ["dp.03", "dp.05", "hp.02", "hp.03"]
    first = found["items"][0]
    assert list(first) == ["id", "checklist", "suggestion", "conclusion", "note", "by", "when", "review", "results"]
    assert (first["checklist"], first["suggestion"], first["conclusion"]) == ("sample", "problem", "problem")
    assert [entry["suggestion"] for entry in found["items"]] == ["problem", "not_applicable", "undecided", "undecided"]
    result = first["results"][0]
    assert list(result) == ["probe", "kind", "status", "seconds", "reason", "findings"]
    assert (result["kind"], result["status"], result["seconds"], result["reason"]) == ("live", "done", 1.234, None)
    finding = next(finding for finding in result["findings"] if finding["code"] == "fixed-order")
    assert list(finding) == ["code", "level", "incomplete", "message", "why", "sure", "proof", "where", "data", "fix"]
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


def test_text_for_the_terminal(report: Report) -> None:
    lines = machine.summary_text(report)
    assert all(line.isprintable() for line in lines)
    text = "\n".join(lines)
    zh = report.language is Language.ZH
    assert "✗ dp.03" in text and "– dp.05" in text and "? hp.02" in text and "○ hp.03" in text
    assert ("src/dataset.py:41: 两轮的 50,000 个" if zh else "src/dataset.py:41: Both epochs bring the 50,000") in text
    assert ("对精度的影响：50,000 个样本顺序固定" if zh else "Why it hurts accuracy: Batches of 50,000") in text
    assert ("把握程度：确定" if zh else "How sure: certain") in text
    assert ("验证方法：读取两个 epoch" if zh else "What would prove it: Read two epochs.") in text
    assert lines[-1] == (
        "探针  已完成 3 · 执行失败 1 · 已跳过 1 · 已取消 0"
        if zh
        else "Probes  done 3 · failed 1 · skipped 1 · cancelled 0"
    )


def test_json_and_text_load_no_writer() -> None:
    program = (
        "import sys; import accucheck.report, accucheck.report.machine, accucheck.report.build, accucheck.report.environment;"
        "print([name for name in ('jinja2', 'docx', 'matplotlib', 'numpy', 'PIL', 'mindspore', 'textual') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
