"""The front of a report: the verdict, what is always asked, how to reproduce it, the versions; alike in each format."""

import io
import shlex
from pathlib import Path
from typing import Any

import docx
import msgspec
import pytest
import yaml
from report_sample import ENVIRONMENT, HOSTILE, MOMENT

from accucheck import __version__, checklist, document
from accucheck.case import Case, CaseFile
from accucheck.model import Finding, Kind, Language, Level, ProbeResult, Reason, Status, Sure, Verdict, Where, suggest
from accucheck.report import docx as words
from accucheck.report import markdown
from accucheck.report.build import build
from accucheck.report.parts import Report
from accucheck.session import Change, Entry, Record, Training

(ACCURACY,) = checklist.load_all(["accuracy"])
ALL = [item.id for item in ACCURACY.items]


def probed(name: str, *findings: Finding, status: Status = Status.DONE, **others: Any) -> Entry:
    verdict = suggest(findings) if status is Status.DONE else Verdict.UNDECIDED
    reason = None if status is Status.DONE else Reason("raised", {"error": "x"})
    result = ProbeResult(name, Kind.STATIC, status, verdict, list(findings), reason=reason, tool="0.0.9")
    return Entry(results={name: result}, **others)


def report_of(entries: dict[str, Entry], spec: dict | None = None, stale: set | None = None, **options: Any) -> Report:
    case = Case("/project", msgspec.convert(spec or {}, CaseFile))
    language = options.pop("language", Language.EN)
    return build(
        Record(entries=entries), [ACCURACY], case, language, options.pop("environment", None), stale or set(), MOMENT
    )


def ok(*items: str) -> dict[str, Entry]:
    return {item: Entry(conclusion=Verdict.OK, who="li", when=MOMENT) for item in items}


def zero(sure: Sure | None, path: str = "net.py") -> Finding:
    return Finding("zero-weights", Level.PROBLEM, Where(path=path, line=3), {"what": "nn.Dense"}, sure=sure)


def test_nothing_checked_is_not_nothing_wrong() -> None:
    verdict = report_of({}).verdict
    assert verdict.state is Verdict.UNDECIDED and verdict.headline == "Nothing has been checked yet."
    assert "0 of 24 items decided" in verdict.checked and verdict.highlights == verdict.limits == []


def test_the_goal_and_the_curve_stand_before_all_else(tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text("".join(f"epoch: 1 step: {n}, loss is 2.3026\n" for n in range(1, 60)))
    goal = {"metric": "accuracy", "reached": 0.1, "expected": 0.95, "source": "README <b>"}
    spec = {"goal": goal, "curves": {"train": "train.log"}, "data": {"train": {"classes": [*range(10)]}}}
    case = Case(str(tmp_path), msgspec.convert(spec, CaseFile))
    record = Record(entries={"wi.01": probed("zero_weights", zero(Sure.CERTAIN))})
    report = build(record, [ACCURACY], case, Language.EN, None, set(), MOMENT)
    symptom = "accuracy: 0.1 reached, 0.95 expected (README <b>); the loss stays at 2.303, as with random guesses among 10 classes"
    assert report.verdict.symptom == symptom == report.result["verdict"]["symptom"]
    text = markdown.render(report, "r")["r.md"].decode()
    assert text.index("0.95 expected") < text.index(report.verdict.headline) and "README &lt;b&gt;" in text
    paragraphs = [one.text for one in docx.Document(io.BytesIO(words.render(report, "r")["r.docx"])).paragraphs]
    assert paragraphs.index(symptom) < paragraphs.index(report.verdict.headline)
    empty = build(Record(), [ACCURACY], Case(str(tmp_path)), Language.ZH, None, set(), MOMENT)
    assert empty.verdict.symptom == empty.verdict.goal == ""


@pytest.mark.parametrize("language", list(Language))
def test_a_training_that_does_not_run_is_told(language: Language) -> None:
    told = {}
    for answer in (None, *Training):
        history = [Change(MOMENT, "li", answer.value)] if answer else []
        record = Record(history=[*history, Change(MOMENT, "li", "unsigned")])
        told[answer] = build(record, [ACCURACY], Case("/project"), language, None, set(), MOMENT).overview
    assert told[None] == told[Training.RUNS]
    assert len(told[Training.FAILS]) == len(told[Training.UNSURE]) == len(told[None]) + 1
    assert told[Training.FAILS][-1] != told[Training.UNSURE][-1]


def test_all_decided_and_nothing_wrong() -> None:
    verdict = report_of(ok(*ALL)).verdict
    assert verdict.state is Verdict.OK and "all 24 items" in verdict.headline and not verdict.limits


def test_little_checked_says_little() -> None:
    verdict = report_of(ok(*ALL[:5])).verdict
    assert verdict.state is Verdict.UNDECIDED and "only 5 of 24 items" in verdict.headline
    verdict = report_of(ok(*ALL[:-1])).verdict
    assert verdict.state is Verdict.UNDECIDED and "23 of 24 items" in verdict.headline


def test_suspects_alone_are_no_problem_and_no_clearance() -> None:
    suspect = probed("zero_weights_script", msgspec.structs.replace(zero(Sure.POSSIBLE), level=Level.SUSPECT))
    verdict = report_of({**ok(*ALL), "wi.01": suspect}).verdict
    assert verdict.state is Verdict.UNDECIDED and "suspect" in verdict.headline
    assert verdict.limits == ["Suspects that nobody has decided: wi.01."] and not verdict.highlights


def test_failed_stale_partial_and_overruled_are_told() -> None:
    failed = probed("zero_weights_script", status=Status.FAILED)
    old = probed("shuffle_settings", Finding("ok", Level.INFO))
    gap = probed("frozen_weights_script", Finding("gap", Level.INFO, incomplete=True), conclusion=Verdict.OK, who="li")
    against = probed("clip_order", zero(None), conclusion=Verdict.OK, who="li")
    entries = {**ok(*ALL), "wi.01": failed, "dp.03": old, "cg.02": gap, "mp.03": against}
    verdict = report_of(entries, stale={("dp.03", "shuffle_settings")}).verdict
    assert verdict.state is Verdict.UNDECIDED, "all but one decided, but not to be relied on"
    assert [(limit.split(":")[0].split(",")[0], limit.rsplit(" ", 1)[1]) for limit in verdict.limits] == [
        ("Probes failed or were cancelled", "wi.01."),
        ("Results are out of date because their inputs have changed", "dp.03."),
        ("Conclusions that differ from what the probes suggest", "mp.03."),
        ("Examined in part only", "cg.02."),
    ]
    assert "1 failed or cancelled" in verdict.checked


def test_what_matters_most_first_and_the_possible_last() -> None:
    entries = {
        "dp.03": probed("zero_weights_script", zero(Sure.POSSIBLE, "possible.py")),
        "hp.01": probed("zero_weights_script", zero(Sure.LIKELY, "likely.py"), zero(Sure.CERTAIN, "certain.py")),
        "cg.02": probed("zero_weights_script", zero(None, "measured.py")),
        "wi.01": probed(
            "zero_weights_script", zero(Sure.LIKELY, "person.py"), conclusion=Verdict.PROBLEM, who="wang", when=MOMENT
        ),
        "mp.03": Entry(conclusion=Verdict.PROBLEM, who="li", when=MOMENT, note="clipped before unscaling"),
    }
    verdict = report_of(entries, stale={("dp.03", "zero_weights_script")}).verdict
    assert verdict.state is Verdict.PROBLEM
    assert "5 problems found: 2 confirmed by a person, 3 reported by probes only" in verdict.headline
    places = [highlight.where.removesuffix(".py:3") for highlight in verdict.highlights]
    assert places == ["person", "measured", "certain", "likely", "possible", ""], (
        "what keeps it from learning comes first, what no probe found last"
    )
    how = {highlight.where: highlight.sure for highlight in verdict.highlights}
    assert how["person.py:3"] == "concluded by wang", "the time stands with the item"
    assert how["measured.py:3"].startswith("measured; not")
    assert how["certain.py:3"].startswith("certain") and how["possible.py:3"].endswith("run it again")
    assert verdict.highlights[-1].message == "clipped before unscaling"


def test_what_is_likely_and_does_more_comes_before_what_is_certain() -> None:
    entries = {
        "api.01": probed("zero_weights_script", zero(Sure.CERTAIN, "points.py")),
        "dp.02": probed("zero_weights_script", zero(Sure.LIKELY, "evaluation.py")),
    }
    assert [highlight.item for highlight in report_of(entries).verdict.highlights] == ["dp.02", "api.01"]


def test_the_headline_says_who_holds_it_for_a_problem() -> None:
    probe = probed("zero_weights_script", zero(Sure.CERTAIN))
    assert report_of({"wi.01": probe}).verdict.headline == "The probes found 1 problem; nobody has confirmed it yet."
    person = msgspec.structs.replace(probe, conclusion=Verdict.PROBLEM, who="li", when=MOMENT)
    assert "1 problem found, confirmed by a person" in report_of({"wi.01": person}).verdict.headline


@pytest.mark.parametrize("language", list(Language))
def test_word_and_markdown_tell_the_same(language: Language, tmp_path: Path) -> None:
    entries = {"wi.01": probed("zero_weights_script", zero(Sure.CERTAIN), note=HOSTILE), **ok(*ALL[:3])}
    spec = {"scripts": {"train": "train.py"}, "name": HOSTILE}
    report = report_of(entries, spec, language=language, environment=ENVIRONMENT)
    text = markdown.render(report, "x")["x.md"].decode()
    document_ = docx.Document(io.BytesIO(words.render(report, "x")["x.docx"]))
    told = [paragraph.text for paragraph in document_.paragraphs]
    told += [cell.text for table in document_.tables for row in table.rows for cell in row.cells]
    whole = "\n".join(told)
    verdict, grade = report.verdict, report.grade
    said = [verdict.headline, verdict.checked, *verdict.limits, grade.title, *grade.why, *grade.lacking, grade.advice]
    said += [part for highlight in verdict.highlights for part in (highlight.message, highlight.where, highlight.sure)]
    said += [step.title for step in report.reproduce] + [
        part for pair in report.asked + report.versions for part in pair
    ]
    for part in said:
        assert part in whole
        assert markdown._inline(part) in text or markdown.escape(part) in text
    assert "\x1b" not in text + whole


def test_steps_to_reproduce_can_be_followed(tmp_path: Path) -> None:
    spec = {
        "name": "net: *x",
        "runtime": {"python": "/srv/env/bin/python", "distributed": {"devices": 8, "launcher": "msrun"}},
        "scripts": {"train": "my train.py"},
        "curves": {"train": "a.log", "eval": "/project/logs/eval.csv"},
    }
    steps = {step.title: step for step in report_of({}, spec, environment=ENVIRONMENT).reproduce}
    assert steps["The code"].lines == ["git checkout " + "0123456789abcdef" * 2 + "01234567"]
    assert steps["The code"].text[0].startswith("2 files have changes") and "address" in steps["The code"].text[1]
    (launch,) = steps["The training"].lines
    assert shlex.split(launch) == ["msrun", "--worker_num=8", "--local_worker_num=8", "my train.py"]
    text = "\n".join(steps["accucheck.yaml in the project's folder"].lines)
    again = document.convert(document.parse(text.encode(), "x"), CaseFile, text.encode(), "x")
    assert again.name == "net: *x" and again.curves.train == "a.log" and again.runtime.python is None
    assert again.curves.eval == "logs/eval.csv", "relative, so that it fits elsewhere"
    assert yaml.safe_load(text)["runtime"] == {"distributed": {"devices": 8, "launcher": "msrun"}}
    assert steps["The check"].lines[-1] == "accucheck run --checklist accuracy"
    assert [text[:15] for text in steps["The check"].text] == ["Expect the resu"]
    given = report_of({}, {"runtime": {"command": "bash run.sh 8\n"}})
    assert next(step.lines for step in given.reproduce if step.title == "The training") == ["bash run.sh 8"]
    assert next(step.lines for step in report_of({}).reproduce if step.title == "The training") == []


def test_live_probes_are_named_with_what_they_do() -> None:
    entry = probed("zero_weights_live")
    live = msgspec.structs.replace(entry.results["zero_weights_live"], kind=Kind.LIVE)
    step = report_of({"wi.01": Entry(results={"zero_weights_live": live})}).reproduce[-1]
    assert step.lines[-1].endswith("--live") and "runs the project's own code" in step.text[0]


def test_what_is_always_asked() -> None:
    seeded = Finding("seeded", Level.INFO, data={"seeds": "mindspore.set_seed(1)"})
    entries = {"cmp.01": probed("randomness_fixed", seeded)}
    asked = dict(report_of(entries, {"curves": {"train": "/project/logs/a.log"}}).asked)
    assert asked["Seeds"] == "Seeds are set: mindspore.set_seed(1)." and asked["Record of the loss"] == "logs/a.log"
    assert asked["Loss scale"] == asked["Several runs"] == "not given"


def test_versions_of_what_ran() -> None:
    entries = {
        "wi.01": probed("zero_weights_script"),
        "dp.03": probed("shuffle_settings"),
        "ds.01": probed("gone_probe"),
    }
    rows = report_of(entries).versions
    assert rows[0][1] == f"accucheck {__version__}"
    assert rows[1][1] == f"{ACCURACY.title[Language.EN]} (accuracy, version {ACCURACY.version})"
    assert rows[2:] == [("Probes", "accucheck 0.0.9 (results: 3)")], "of an older version: it says so"


def test_the_machine_readable_report_has_it_too() -> None:
    report = report_of({"wi.01": probed("zero_weights_script", zero(Sure.CERTAIN))}, environment=ENVIRONMENT)
    result = report.result
    assert result["verdict"]["state"] == "problem" and result["verdict"]["highlights"][0]["item"] == "wi.01"
    assert result["grade"]["grade"] == "own" and result["grade"]["lacking"]
    assert result["environment"]["mindspore"] == ENVIRONMENT["mindspore"]
