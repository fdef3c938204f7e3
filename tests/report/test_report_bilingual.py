"""Two reports of one session become one: equal texts once, different ones beside each other."""

import json

import msgspec
import pytest
from report_sample import ENVIRONMENT, MOMENT

from accucheck.case import Case
from accucheck.checklist import Checklist
from accucheck.model import Language
from accucheck.report import machine
from accucheck.report.bilingual import BilingualText, beside, both, joined, one
from accucheck.report.build import build
from accucheck.report.parts import ChartPart, Report
from accucheck.session import Record


@pytest.fixture
def reports(record: Record, checklists: list[Checklist], case: Case) -> tuple[Report, Report, Report]:
    stale = {("hp.02", "fake_curve")}
    zh, en = (build(record, checklists, case, language, ENVIRONMENT, stale, MOMENT) for language in Language)
    return zh, en, both(zh, en)


def texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, msgspec.Struct):
        return [text for name in value.__struct_fields__ for text in texts(getattr(value, name))]
    if isinstance(value, dict):
        return [text for pair in value.items() for text in texts(pair)]
    return [text for below in value for text in texts(below)] if isinstance(value, (list, tuple)) else []


def test_every_text_of_both_reports_is_in_the_one(reports: tuple[Report, Report, Report]) -> None:
    zh, en, whole = reports
    said = texts(whole)
    for report, language in ((zh, Language.ZH), (en, Language.EN)):
        known = {line for text in said for line in [one(text, language), *one(text, language).split("\n")]}
        assert set(texts(report)) <= known
    assert whole.items[0].title == "训练时没有混洗 / Training data is not shuffled"
    assert whole.case == "resnet50-cifar10" and not isinstance(whole.case, BilingualText)
    assert whole.items[0].note == zh.items[0].note  # a person's words are what they are in either language


def test_nothing_stands_twice(reports: tuple[Report, Report, Report]) -> None:
    for text in texts(reports[2]):
        if isinstance(text, BilingualText):
            assert text.zh != text.en and text.zh and text.en and text.zh in text and text.en in text


def test_the_words_of_writers(reports: tuple[Report, Report, Report]) -> None:
    whole = reports[2]
    assert [report.say("conclusion") for report in reports] == ["检查结论", "Conclusion", "检查结论 / Conclusion"]
    assert whole.language is Language.ZH and whole.languages == (Language.ZH, Language.EN)
    title = whole.say("checklist-version", title=whole.checklists[0].title, version=2)
    assert title == "样例清单（版本 2） / Sample checklist (version 2)"
    assert whole.pick({"zh": "表", "en": "表"}) == "表"
    facts = next(result for item in whole.items for result in item.results).facts
    assert joined(" · ", facts) == "实际运行 · 已完成 · 1.23 秒 / runs the project · done · 1.23 s"


def test_long_texts_have_lines_of_their_own() -> None:
    text = beside("短", "A sentence that is longer than a label may be.")
    assert text.split("\n") == ["短", "A sentence that is longer than a label may be."]
    assert beside("同", "同") == "同" and beside("", "only") == "only"
    assert both(["一", "二"], ["one", "two", "three"]) == ["一\n二\none\ntwo\nthree"]
    assert both(("甲", 1.0, [None]), ("A", 1.0, [None])) == ("甲 / A", 1.0, [None])


def test_names_within_charts(reports: tuple[Report, Report, Report]) -> None:
    parts = [
        part
        for item in reports[2].items
        for result in item.results
        for finding in result.findings
        for part in finding.evidence
    ]
    curve = next(part.chart for part in parts if isinstance(part, ChartPart) and hasattr(part.chart, "series"))
    assert list(curve.series) == ["训练集 / training", "验证集 / validation"]
    assert curve.marks == {"最佳 / best": 12.0}


def test_the_json_holds_both(reports: tuple[Report, Report, Report]) -> None:
    items = json.loads(machine.encode(reports[2].result))["items"]
    message = items[0]["results"][0]["findings"][1]["message"]
    assert message.split("\n") == [
        "两轮的 50,000 个样本顺序完全相同。",
        "Both epochs bring the 50,000 samples in the same order.",
    ]
