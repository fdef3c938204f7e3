"""Markdown, HTML, Word and JSON say the same, and what the report says: read back from the files."""

import importlib.util
import json
import sys
from itertools import zip_longest
from pathlib import Path

import facts
import msgspec
import pytest
from PIL import Image
from report_sample import ENVIRONMENT, HOSTILE, MOMENT, result

from accucheck import checklist
from accucheck.case import Case, CaseFile
from accucheck.checklist import Checklist
from accucheck.difference import compare, of_record
from accucheck.language import visible
from accucheck.model import Branch, Finding, Kind, Language, Level, Status, Table, Tree, Verdict, Where
from accucheck.report import Options, render
from accucheck.report.bilingual import both
from accucheck.report.build import build
from accucheck.report.parts import Report
from accucheck.session import Entry, Judgement, Record, Review, SignOff, seal
from path_checklist import ROUTE

pytestmark = pytest.mark.part(40)

GENERATE = Path(__file__).parents[2] / "reports" / "generate.py"
LANGUAGES = {"zh": (Language.ZH,), "en": (Language.EN,), "both": (Language.ZH, Language.EN)}


def in_languages(name: str, zh: Report, en: Report) -> Report:
    return {"zh": zh, "en": en, "both": both(zh, en)}[name]


def check(report: Report, flavour: str = "plain") -> None:
    options = Options(formats=("md", "html", "docx", "json"), languages=report.languages, flavour=flavour)
    files = render(report, "x", options)
    expected = facts.expected(report)
    read = {
        "md": facts.of_markdown(files["x.md"].decode()),
        "html": facts.of_html(files["x.html"]),
        "docx": facts.of_word(files["x.docx"]),
    }
    for name, blocks in read.items():
        found = facts.facts(blocks, report, "x")
        found.setdefault("cards", expected["cards"])  # Markdown has the counts in its sentence only
        for place in dict.fromkeys([*expected, *found]):
            for told, meant in zip_longest(found.get(place) or [], expected.get(place) or []):
                assert told == meant, (name, place, apart(str(told), str(meant)))
            assert found.get(place) == expected.get(place), (name, place)
    assert len(expected) > len(report.items) + 8
    as_data(json.loads(files["x.json"]), report)


def apart(one: str, other: str) -> tuple[str, str]:
    """Where two texts part."""
    start = max(0, next((n for n, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), 0) - 30)
    return one[start : start + 90], other[start : start + 90]


def as_data(stored: dict, report: Report) -> None:
    """What the JSON report has of it; it holds all findings, where others leave some out."""
    verdict, grade = stored["verdict"], stored["grade"]
    assert verdict["state"] == report.verdict.state.value and grade["grade"] == report.grade.grade
    for key in ("headline", "checked"):
        assert verdict[key] == getattr(report.verdict, key)
    for key in ("title", "advice"):
        assert grade[key] == getattr(report.grade, key)
    for key in ("why", "lacking"):
        assert grade[key] == list(getattr(report.grade, key))
    assert [each["message"] for each in verdict["highlights"]] == [each.message for each in report.verdict.highlights]
    assert [item["id"] for item in stored["items"]] == [item.id for item in report.items]
    for item, part in zip(stored["items"], report.items, strict=True):
        assert item["conclusion"] == (part.conclusion.value if part.conclusion else None)
        assert [each["probe"] for each in item["results"]] == [each.probe for each in part.results]
        for each, shown in zip(item["results"], part.results, strict=True):
            assert each["status"] == shown.status.value
            assert len(each["findings"]) == len(shown.findings) + shown.more_findings
            told = {(found["level"], facts.norm(visible(found["message"]))) for found in each["findings"]}
            assert told >= {(found.level.value, facts.norm(found.message)) for found in shown.findings}


@pytest.fixture
def rich(tmp_path: Path, record: Record, checklists: list[Checklist], fakes: Path) -> dict[str, Report]:
    """With all that a report can hold: reviews, a void sign-off, an earlier round, a path, cut tables, a failed and a cancelled probe,
    results out of date, attachments, a changed configuration, inputs."""
    for name, text in (
        ("base.yaml", "lr: 0.1\nseed: 1\n"),
        ("used.yaml", "lr: 0.2\nseed: 1\nname: '<b> | `x`'\n"),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "notes.txt").write_text("plain")
    Image.new("RGB", (40, 30), "red").save(tmp_path / "loss | curve.png")
    spec = {
        "name": "resnet50 <b>",
        "runtime": {
            "device": "Ascend",
            "amp": "O2",
            "command": "python train.py \\\n  --lr 0.1",
            "distributed": {"devices": 8},
        },
        "configs": {"base": "base.yaml", "used": "used.yaml"},
    }
    case = Case(root=str(tmp_path), spec=msgspec.convert(spec, CaseFile))
    wide = Table("share", [f"c{n}" for n in range(14)], [[n, HOSTILE, *range(12)] for n in range(60)])
    many = [Finding("best-epoch", Level.INFO, Where(path="x.log", line=n), {"epoch": n}) for n in range(40)]
    tables = Finding(
        "odd-name", Level.SUSPECT, Where(step=3), {"name": "a | b"}, [wide, Table("share", [], []), *[wide] * 7]
    )
    tree = Finding(
        "odd-name",
        Level.INFO,
        Where(),
        {"name": "tree"},
        [Tree("share", "count", [Branch(0, "conv1", 1.5), Branch(1, "weight | x", None, True)])],
    )
    cancelled = result("fake_settings", Kind.STATIC, [], status=Status.CANCELLED, suggestion=Verdict.UNDECIDED)
    entry = msgspec.structs.replace(
        record.entries["dp.03"],
        attachments=["loss | curve.png", "notes.txt", "gone.txt"],
        note=record.entries["dp.03"].note + "\n- a list\n# a title\n" + HOSTILE,
    )
    entry.results["fake_settings"] = cancelled
    entry = msgspec.structs.replace(
        entry, review=Review(Judgement.RETURNED, f"which sampler?\n{HOSTILE}", "Zhao", MOMENT, entry.mark)
    )
    longer = result(
        "fake_curve", Kind.FILE, [tables, tree, *many, *record.entries["hp.02"].results["fake_curve"].findings]
    )
    second = msgspec.structs.replace(
        record.entries["hp.02"], results=record.entries["hp.02"].results | {"fake_curve": longer}
    )
    third = Entry(conclusion=Verdict.OK, who="li", when=MOMENT, attachments=["notes.txt"])
    third = msgspec.structs.replace(third, review=Review(Judgement.ACCEPTED, "", "Zhao", MOMENT, third.mark))
    route = {
        "pp.01": Entry(conclusion=Verdict.OK, note=HOSTILE, who="li", when=MOMENT),
        "pp.02": Entry(conclusion=Verdict.NOT_APPLICABLE),
    }
    entries = {"dp.03": entry, "hp.02": second, "hp.03": third, **route}
    signed = SignOff("Zhao", MOMENT, f"all seen\n{HOSTILE}", {"sample": 2}, {"hp.03": seal(Entry())})
    now = msgspec.structs.replace(record, entries=entries, signed=signed)
    change = compare(of_record(f"round 1 {HOSTILE}", record), of_record("now", now))
    lists = [*checklists, checklist.read(ROUTE.encode(), "route.yaml")]
    inputs = [
        {"key": "data.train.path", "path": "data | train", "files": 2, "bytes": 10, "md5": "0" * 32, "method": "list"},
        {"key": "code", "path": ".", "files": 1, "bytes": 1, "md5": None, "method": "list"},
    ]
    stale = {("hp.02", "fake_curve")}
    zh, en = (
        build(now, lists, case, language, ENVIRONMENT, stale, MOMENT, inputs, since=change) for language in Language
    )
    return {name: in_languages(name, zh, en) for name in LANGUAGES}


@pytest.mark.parametrize("name", LANGUAGES)
def test_a_report_with_everything(rich: dict[str, Report], name: str) -> None:
    report = rich[name]
    assert report.sign_off and report.since and report.paths and report.changes and report.inputs
    assert report.sign_off.state == "void" and report.whole_tables and report.more_gaps == 0
    check(report)
    check(report, "gfm")


@pytest.mark.parametrize("name", LANGUAGES)
def test_the_stored_session_of_the_example(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    spec = importlib.util.spec_from_file_location("generate_reports", GENERATE)
    assert spec and spec.loader
    generate = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, generate)
    spec.loader.exec_module(generate)
    zh, en = (generate.sample(language) for language in Language)
    check(in_languages(name, zh, en))


def test_a_session_in_which_nothing_was_done(checklists: list[Checklist], case: Case) -> None:
    for language in Language:
        check(build(Record(), checklists, case, language, None, (), MOMENT))


def test_what_differs_is_seen(rich: dict[str, Report]) -> None:
    """The reader itself: each fact that one file lacks or tells otherwise makes a difference."""
    report = rich["en"]
    text = render(report, "x", Options(formats=("md",)))["x.md"].decode()
    whole = facts.facts(facts.of_markdown(text), report, "x")
    for old, new in (
        (report.verdict.headline, "All is well."),
        ("Zhao", "Chao"),
        ("not examined again", "gone"),
        ("| c3 |", "| c4 |"),
        ("more findings are", "more findings were"),
        ("msrun", "mpirun"),
        ("> 41 |", "  41 |"),
    ):
        assert old in text
        assert facts.facts(facts.of_markdown(text.replace(old, new, 1)), report, "x") != whole, old
