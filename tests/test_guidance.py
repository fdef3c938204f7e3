"""What to do next, and how long a run takes: the order of the steps, their words, and what they rest on."""

import json
import os
from pathlib import Path

import msgspec
import pytest

from accucheck import case as cases
from accucheck import probe as probes
from accucheck import symptoms
from accucheck.checklist import load
from accucheck.engine import fingerprint
from accucheck.estimating import Estimate, estimate
from accucheck.guidance import SHOWN, as_json, steps, summary
from accucheck.knowledge import durations
from accucheck.model import (
    Finding,
    Fix,
    Kind,
    Language,
    Level,
    ProbeResult,
    Reason,
    Refutes,
    Status,
    Sure,
    Verdict,
    Where,
)
from accucheck.project import Project, open_project
from accucheck.session import Judgement, Role
from accucheck.try_results import Trial, TryResults
from command_line import accucheck
from path_checklist import ROUTE

ITEM = """
      - id: {id}
        title: {{zh: 检查 {id}, en: Check {id}}}
        method: {{zh: 看, en: Look}}
        conclusions:
          problem: {{zh: 有问题, en: it is wrong}}
          ok: {{zh: 没问题, en: it is right}}
          not_applicable: {{zh: 不适用, en: there is none}}
        remedy: {{zh: 修复它, en: mend it}}
        applies: {{zh: 总是, en: always}}
        {when}
        probes: [{probes}]
"""
ITEMS = {
    "a.1": "fake_static_one, fake_live",
    "a.2": "fake_problem",
    "a.3": "fake_needy",
    "a.4": "",
    "a.5": "fake_clean",
    "a.6": "fake_static_one, fake_problem",
}
DIFF = "--- a/train.py\n+++ b/train.py\n@@ -1,2 +1,2 @@\n-old\n-old\n+new\n+new\n"


@pytest.fixture
def project(tmp_path: Path, fakes: Path):
    text = "name: fakes\nversion: 1\ntitle: {zh: 假清单, en: Fakes}\nsections:\n  - id: a\n"
    text += "    title: {zh: 一节, en: A section}\n    items:"
    text += "".join(ITEM.format(id=name, when="", probes=named) for name, named in ITEMS.items())
    text += ITEM.format(id="a.7", when="applies_when: [ascend]", probes="fake_clean")
    (tmp_path / "fakes.yaml").write_text(text, encoding="utf-8")
    root = tmp_path / "project"
    root.mkdir()
    (root / "accucheck.yaml").write_text("runtime: {device: CPU}\n")
    opened = open_project(root, [str(tmp_path / "fakes.yaml")])
    yield opened
    opened.session.close()


def give(project: Project, item: str, probe: str, *findings: Finding, kind: Kind = Kind.FILE, **values: object) -> None:
    """A result as the engine records it, of the inputs as they are."""
    from accucheck.model import suggest

    job = next(job for job in project.jobs({item}) if job.probe == probe)
    known = {"status": Status.DONE, "suggestion": suggest(findings), "inputs": fingerprint(project.case, job)}
    result = ProbeResult(probe, kind, findings=list(findings), **{**known, **values})
    project.session.record_result(item, result)


def problem(**values: object) -> Finding:
    return Finding("bad", Level.PROBLEM, Where("train.py", line=3), {"n": 1}, **values)


def suspect(**values: object) -> Finding:
    return Finding("bad", Level.SUSPECT, Where("train.py", line=4), {"n": 2}, **values)


def skipped(code: str, **data: object) -> dict[str, object]:
    return {"status": Status.SKIPPED, "suggestion": Verdict.UNDECIDED, "reason": Reason(code, data)}


def kinds(project: Project) -> list[tuple[str, str]]:
    return [(step.kind, step.item) for step in steps(project)]


def test_of_a_new_project_everything_is_to_be_run_first(project):
    first, *rest = steps(project)
    assert (first.kind, first.items) == ("run", ["a.1", "a.2", "a.5", "a.6"])  # a.7 does not apply, a.3 lacks two keys
    assert first.time is not None and first.time.live == 1 and first.time.jobs == 6
    assert [(step.kind, step.item) for step in rest] == [("check", "a.3"), ("check", "a.4")]
    assert not [step for step in steps(project) if "a.7" in step.items]


def test_what_is_wrong_comes_first_and_what_is_mended_at_once_before_all(project):
    give(project, "a.1", "fake_static_one", suspect(sure=Sure.LIKELY), kind=Kind.STATIC)
    give(project, "a.2", "fake_problem", problem())
    give(project, "a.5", "fake_clean")
    give(project, "a.6", "fake_static_one", problem(sure=Sure.CERTAIN, fix=Fix("bad", DIFF)), kind=Kind.STATIC)
    give(project, "a.6", "fake_problem", suspect())
    found = steps(project)
    assert [(step.kind, step.item, step.grade) for step in found[:3]] == [
        ("problem", "a.6", "mend"),
        ("problem", "a.2", "measured"),
        ("suspect", "a.1", "likely"),
    ]
    assert found[0].others == 1 and "1 more finding for this item" in found[0].why(Language.EN)
    assert found[0].cost(Language.EN) == "2 lines to change"
    assert found[0].command() == "accucheck fix --only a.6"
    assert found[1].what(Language.EN) == "bad 1" and found[1].what(Language.ZH) == "有问题 1"


def test_a_probe_that_found_nothing_speaks_against_no_finding(project):
    give(project, "a.1", "fake_static_one", problem(sure=Sure.CERTAIN), kind=Kind.STATIC)
    give(project, "a.1", "fake_live", kind=Kind.LIVE)
    (first,) = [step for step in steps(project) if step.kind in ("problem", "suspect")]
    assert (first.item, first.kind, first.grade) == ("a.1", "problem", "certain")
    give(project, "a.1", "fake_static_one", suspect(sure=Sure.LIKELY), kind=Kind.STATIC)
    (first,) = [step for step in steps(project) if step.kind in ("problem", "suspect")]
    assert (first.item, first.kind, first.grade) == ("a.1", "suspect", "likely")
    assert not [step for step in steps(project) if step.kind == "accept" and "a.1" in step.items]


def test_a_suspect_that_another_probe_refutes_is_no_step(project):
    found = suspect()
    proof = Finding("fine", Level.INFO, refutes=[Refutes("fake_static_one", [found.code])])
    give(project, "a.1", "fake_static_one", found, kind=Kind.STATIC)
    give(project, "a.1", "fake_live", proof, kind=Kind.LIVE)
    assert "a.1" not in [step.item for step in steps(project) if step.kind in ("problem", "suspect", "check")]


def trained(**metrics: float) -> TryResults:
    """The unchanged project twice, and a change of each code, or all together, with the accuracy that it gave."""
    trials = [Trial(f"base{seed}", "base", seed, metric=0.5, metric_name="accuracy") for seed in (1, 2)]
    for code, metric in metrics.items():
        rule = {"kind": "all"} if code == "all" else {"kind": "patch", "probe": "fake_problem", "fault": code}
        trials.append(Trial(code, metric=metric, metric_name="accuracy", **rule))
    return TryResults(["python", "train.py"], trials=trials)


def test_a_change_that_was_tried_comes_by_what_it_gave(project):
    fix = {"fix": Fix("bad", DIFF), "sure": Sure.CERTAIN}
    worst, best = Finding("worst", Level.PROBLEM, Where("a.py"), {}, **fix), Finding("best", Level.PROBLEM, **fix)
    meant = Finding("meant", Level.SUSPECT, Where("b.py"), {}, fix=Fix("bad", DIFF), sure=Sure.POSSIBLE)
    give(project, "a.2", "fake_problem", worst)
    give(project, "a.6", "fake_problem", best, meant)
    before = [step.finding.code for step in steps(project) if step.finding is not None]
    assert before == ["worst", "best"], "what may be meant is among the others of its item"
    project.session.keep_tried(trained(worst=0.2, best=0.8, meant=0.6))
    found = [step for step in steps(project) if step.finding is not None]
    assert [step.finding.code for step in found] == ["best", "meant", "worst"]
    assert "accuracy 0.5 → 0.8" in found[0].why(Language.EN) and "0.5 → 0.6" in found[1].why(Language.ZH)
    assert "by itself: accuracy 0.5 → 0.2" in found[2].why(Language.EN)
    told = summary(project, Language.EN)
    assert told[0].endswith("Tried in a copy: accuracy 0.5 → 0.8.") and not any("0.2" in line for line in told)
    project.session.keep_tried(trained(worst=0.501, best=0.8))
    same = next(step for step in steps(project) if step.finding is not None and step.finding.code == "worst")
    assert "no difference beyond the noise" in same.why(Language.EN)


def test_changes_that_helped_together_are_one_step(project):
    for item, code in (("a.2", "one"), ("a.6", "two")):
        diff = DIFF.replace("train.py", f"{code}.py")
        finding = Finding(code, Level.PROBLEM, Where("a.py"), {}, fix=Fix("bad", diff), sure=Sure.LIKELY)
        give(project, item, "fake_problem", finding)
    assert "together" not in {step.kind for step in steps(project)}
    project.session.keep_tried(trained(one=0.5, two=0.5, all=0.9))
    first = steps(project)[0] if steps(project)[0].kind == "together" else steps(project)[1]
    assert first.kind == "together" and first.items == ["a.2", "a.6"] and "0.5 → 0.9" in first.why(Language.ZH)
    assert first.command("p").split() == ["accucheck", "fix", "p"]
    project.session.keep_tried(trained(one=0.5, two=0.5, all=0.4))
    assert "together" not in {step.kind for step in steps(project)}, "together they did not help"


def test_one_finding_of_several_items_is_one_step(project):
    for item in ("a.2", "a.6"):
        give(project, item, "fake_problem", problem())
    assert [step.items for step in steps(project) if step.kind == "problem"] == [["a.2", "a.6"]]


def test_a_person_overrules_the_probes(project):
    give(project, "a.2", "fake_problem", problem())
    project.session.answer("a.2", Verdict.OK)
    assert "a.2" not in [step.item for step in steps(project)]
    give(project, "a.5", "fake_clean")
    project.session.answer("a.5", Verdict.PROBLEM)
    (step,) = [step for step in steps(project) if step.kind == "differs"]
    assert step.command() == "accucheck answer a.5 ok"
    project.session.answer("a.4", Verdict.PROBLEM)
    (own,) = [step for step in steps(project) if step.item == "a.4"]
    assert own.kind == "concluded" and "mend it" in own.what(Language.EN)
    assert own.command(".", ["x.yaml"]) == "accucheck explain a.4 --checklist x.yaml"  # which tells the remedy


def test_an_answer_that_came_back_goes_before_everything(project):
    give(project, "a.2", "fake_problem", problem())
    project.session.answer("a.4", Verdict.OK, who="Li")
    project.session.review("a.4", Judgement.RETURNED, "show {it} [red]", "Wang")
    first = steps(project)[0]
    assert (first.kind, first.item) == ("returned", "a.4")
    assert first.what(Language.EN).endswith("show {it} [red]") and "Wang" in first.why(Language.ZH)
    assert first.command() == "accucheck answer a.4 ok"


def test_a_reviewer_first_judges_what_the_probes_speak_against(project):
    give(project, "a.2", "fake_problem", problem())
    give(project, "a.5", "fake_clean")
    for item in ("a.2", "a.4", "a.5"):
        project.session.answer(item, Verdict.OK, who="Li")
    found = steps(project, role=Role.REVIEWER)
    assert [(step.kind, step.item) for step in found[:3]] == [("judge", "a.2"), ("weigh", "a.4"), ("agree", "a.5")]
    assert "“problem found”" in found[0].what(Language.EN) and "Li" in found[0].why(Language.ZH)
    assert [step.command() for step in found[:3]] == [
        "accucheck explain a.2",
        "accucheck explain a.4",
        "accucheck review a.5 accept",
    ]
    project.session.review("a.2", Judgement.RETURNED, "why?", "Wang")
    assert "a.2" not in [step.item for step in steps(project, role=Role.REVIEWER) if step.kind in ("judge", "returned")]
    project.session.review("a.5", Judgement.ACCEPTED, "", "Wang")
    project.session.answer("a.5", Verdict.OK, "looked again", "Li")
    (again,) = [step for step in steps(project, role=Role.REVIEWER) if step.item == "a.5"]
    assert again.kind == "judge" and "again" in again.what(Language.EN)


def test_a_reviewer_signs_off_when_all_is_accepted(project):
    for item in project.items:
        project.session.answer(item.id, Verdict.OK, who="Li")
        assert "sign" not in [step.kind for step in steps(project, role=Role.REVIEWER)]
        project.session.review(item.id, Judgement.ACCEPTED, "", "Wang")
    first = steps(project, role=Role.REVIEWER)[0]
    assert first.kind == "sign" and first.command() == "accucheck sign-off"


def test_a_suggestion_is_accepted_as_it_is(project):
    give(project, "a.2", "fake_problem", suggestion=Verdict.NOT_APPLICABLE)
    (step,) = [step for step in steps(project) if step.kind == "accept"]
    assert (step.items, step.command()) == (["a.2"], "accucheck answer a.2 not_applicable")


def test_what_is_out_of_date_is_run_again_before_its_problem_is_believed(project):
    give(project, "a.2", "fake_problem", problem(), inputs="of before")
    give(project, "a.5", "fake_clean")
    first, second = steps(project)[:2]
    assert (first.kind, first.items, first.time.jobs) == ("rerun", ["a.2"], 1)
    assert second.item == "a.2" and second.late and "out of date" in second.why(Language.EN)
    give(project, "a.2", "fake_problem")
    give(project, "a.5", "fake_clean", inputs="of before")
    order = [step.kind for step in steps(project)]
    assert "late" in order and order.index("run") < order.index("late")
    (late,) = [step for step in steps(project) if step.kind == "late"]
    assert "only this 1 probe is run again" in late.why(Language.EN)


@pytest.mark.parametrize("when", ["before", "copied", "after"])
def test_what_a_training_left_before_the_scripts_changed_comes_after_what_was_seen_since(project, monkeypatch, when):
    """A checkpoint or a log still shows the fault that was mended: nobody is to look for it again before training again."""
    monkeypatch.setattr(probes.load("fake_problem"), "NEEDS", ("curves.train",))
    root = Path(project.case.root)
    project.case = cases.load(root, ["curves.train=train.log"])
    (root / "train.log").write_text("step 1 loss 2\n")
    (root / "train.py").write_text("lr = 1\n")
    give(project, "a.2", "fake_problem", problem(sure=Sure.CERTAIN))
    give(project, "a.5", "fake_clean", problem())
    assert kinds(project)[:2] == [("problem", "a.2"), ("problem", "a.5")]
    changed = (root / "train.py").stat().st_mtime + 300  # after the probes ran
    os.utime(root / "train.py", (changed, changed))
    left = changed + {"before": -400, "copied": -5, "after": 10}[when]
    os.utime(root / "train.log", (left, left))
    give(project, "a.2", "fake_problem", problem(sure=Sure.CERTAIN))
    first, second = steps(project)[:2]
    assert (first.item, second.item) == (("a.5", "a.2") if when == "before" else ("a.2", "a.5"))
    assert second.aged is (when == "before") and ("train again" in second.why(Language.EN)) is second.aged


def test_what_no_run_can_make_anew_is_not_to_be_run_again(project):
    """The item no longer names the probe: its result stays out of date, and a person concludes."""
    gone = ProbeResult("fake_problem", Kind.FILE, Status.DONE, Verdict.PROBLEM, [problem()], inputs="of before")
    project.session.record_result("a.5", gone)
    give(project, "a.5", "fake_clean")
    assert project.stale() == {("a.5", "fake_problem")}
    (step,) = [step for step in steps(project) if "a.5" in step.items]
    assert step.kind == "problem" and step.late
    project.session.answer("a.5", Verdict.OK)
    assert "a.5" not in {item for step in steps(project) for item in step.items}


def test_one_missing_key_is_named_with_what_it_unlocks(project):
    project.case = msgspec.structs.replace(
        project.case, spec=msgspec.convert({"data": {"train": {"path": "d"}}}, cases.CaseFile)
    )
    (step,) = [step for step in steps(project) if step.kind == "unlock"]
    assert (step.items, step.key) == (["a.3"], "curves.train")
    assert "curves.train or curves.eval" in step.what(Language.EN)
    assert "curves.train 或 curves.eval" in step.what(Language.ZH)
    assert step.command(".", ["x.yaml"]) == "accucheck run --checklist x.yaml --only a.3 --set curves.train=..."
    give(project, "a.3", "fake_needy", **skipped("missing-input", keys=["curves.train"], first="curves.train"))
    assert ("unlock", "a.3") in kinds(project)
    project.case = msgspec.structs.replace(
        project.case,
        spec=msgspec.convert({"data": {"train": {"path": "d"}}, "curves": {"train": "c"}}, cases.CaseFile),
    )
    assert "a.3" in next(step for step in steps(project) if step.kind == "run").items  # it is given by now


def test_what_a_watched_run_gives_is_told_with_it_and_not_again(tmp_path):
    (tmp_path / "train.py").write_text("print('loss: 1.0')\n")
    project = open_project(tmp_path, settings=["scripts.train=train.py"])
    with project.session:
        (watch,) = [step for step in steps(project) if step.kind == "watch"]
        assert {"hp.01", "hp.03"} <= set(watch.items) and "it also unlocks ds.02, ds.03" in watch.why(Language.EN)
        assert "还可据此自动检查 ds.02、ds.03" in watch.why(Language.ZH)
        unlocked = [step.key for step in steps(project) if step.kind == "unlock"]
        assert unlocked and "watched" not in unlocked, unlocked
        project.case = msgspec.structs.replace(
            project.case, spec=msgspec.structs.replace(project.case.spec, scripts=cases.Scripts())
        )
        assert "watched" in [step.key for step in steps(project) if step.kind == "unlock"], "nothing to be watched"


@pytest.mark.parametrize("cut", [True, False])
def test_a_watch_that_ended_before_the_training_is_to_be_continued_to_its_end(tmp_path, cut):
    """Epochs and evaluations that nobody has seen yet tell more than inputs that a person would have to write; a run that failed would
    fail again."""
    (tmp_path / "train.py").write_text("print('loss: 1.0')\n")
    project = open_project(
        tmp_path, settings=["scripts.train=train.py", "runtime.command=python train.py --lr 1", "watched=seen"]
    )
    with project.session:
        give(
            project,
            "hp.02",
            "watched_settings",
            Finding("part", Level.INFO, Where("seen"), {"steps": 50, "epochs": 1, "cut": cut}),
        )
        told = steps(project)
        further = [step for step in told if step.kind == "further"]
        assert len(further) == cut and "watch" not in [step.kind for step in told]
        if cut:
            assert further[0].command() == "accucheck watch --steps 0 -- python train.py --lr 1"
            assert "50" in further[0].why(Language.EN) and "50" in further[0].why(Language.ZH)
            order = [step.kind for step in told]
            assert order.index("further") < order.index("unlock")


def test_live_probes_that_nobody_allowed_and_failed_ones(project):
    give(project, "a.1", "fake_static_one", suspect(), kind=Kind.STATIC)
    give(project, "a.1", "fake_live", kind=Kind.LIVE, **skipped("needs-consent"))
    failed = {"status": Status.FAILED, "suggestion": Verdict.UNDECIDED, "reason": Reason("raised", {"error": "{boom}"})}
    give(project, "a.5", "fake_clean", **failed)
    found = {step.kind: step for step in steps(project)}
    assert found["live"].items == ["a.1"] and found["live"].command() == "accucheck run --only a.1 --live"
    assert "{boom}" in found["failed"].what(Language.EN) and found["failed"].state == "failed"
    assert not [step for step in steps(project) if step.kind == "check" and step.item in ("a.1", "a.5")]


def test_addresses_that_nobody_agreed_to_are_a_step_of_their_own(project):
    spec = msgspec.convert({"data": {"train": {"path": "s3://bucket/d"}}, "curves": {"train": "c"}}, cases.CaseFile)
    project.case = msgspec.structs.replace(project.case, spec=spec)
    for item in ("a.1", "a.2", "a.5", "a.6"):
        project.session.answer(item, Verdict.OK)
    refused = skipped("needs-address-consent", addresses=["s3://bucket/d"])
    give(project, "a.3", "fake_needy", **refused)
    (step,) = [step for step in steps(project) if "a.3" in step.items]
    assert (step.kind, step.pairs) == ("remote", [("a.3", "fake_needy")])
    assert step.command() == "accucheck run --only a.3 --remote"
    assert not {"compare", "plan", "ask"} & {step.kind for step in steps(project)}, "what nobody examined is not sound"
    project.agree()
    (step,) = [step for step in steps(project) if "a.3" in step.items]
    assert step.kind == "run"


def test_a_healthy_project_is_led_on_and_nothing_in_it_is_called_wrong(project):
    for item, named in ITEMS.items():
        for name in filter(None, named.split(", ")):
            give(project, item, name, kind=Kind.LIVE if name == "fake_live" else Kind.FILE)
    found = steps(project)
    assert {step.kind for step in found} == {"check", "accept", "compare", "plan", "ask"}
    assert {step.state for step in found} <= {"ok", "open", "undecided"}
    for item in ITEMS:
        project.session.answer(item, Verdict.OK)
    assert kinds(project)[0] == ("export", "")


def test_where_the_path_stands_is_one_step_and_what_lies_ahead_is_none(tmp_path, fakes):
    (tmp_path / "route.yaml").write_text(ROUTE, encoding="utf-8")
    (tmp_path / "project").mkdir()
    with (opened := open_project(tmp_path / "project", [str(tmp_path / "route.yaml")])).session as session:
        session.answer("pp.01", Verdict.OK)
        session.answer("pp.02", Verdict.OK)
        (step,) = [step for step in steps(opened) if step.kind != "accept"]
        assert (step.kind, step.item) == ("path", "pp.03")
        assert "curves.train" in step.why(Language.EN) and "定位清单" in step.why(Language.ZH)


def test_a_session_that_came_alone_asks_for_nothing_that_cannot_be_done(project, tmp_path):
    give(project, "a.2", "fake_problem", problem())
    alone = tmp_path / "sent.json"
    alone.write_bytes(project.session.path.read_bytes())
    with (opened := open_project(alone, [str(tmp_path / "fakes.yaml")], session="try")).session:
        assert {step.kind for step in steps(opened)} <= {"problem", "check", "accept"}


def test_the_steps_speak_both_languages_and_are_plain_json(project):
    give(project, "a.2", "fake_problem", problem(), inputs="of before")
    give(project, "a.1", "fake_live", kind=Kind.LIVE, **skipped("needs-consent"))
    for language in Language:
        found = as_json(steps(project), language, "my project", ["x.yaml"])
        assert json.loads(json.dumps(found)) == found
        for each in found:
            assert each["command"].startswith("accucheck ") and each["what"] and each["why"] and each["cost"]
            assert "{" not in each["what"] + each["why"] + each["cost"], each
        assert any("'my project'" in each["command"] for each in found)


def test_status_says_what_to_do_next(tmp_path, fakes):
    root = tmp_path / "project"
    root.mkdir()
    (tmp_path / "fakes.yaml").write_text(
        "name: fakes\nversion: 1\ntitle: {zh: 假清单, en: Fakes}\nsections:\n  - id: a\n"
        "    title: {zh: 一节, en: A section}\n    items:"
        + "".join(ITEM.format(id=f"a.{n:02}", when="", probes="fake_problem") for n in range(SHOWN + 3)),
        encoding="utf-8",
    )
    mine = ("--checklist", str(tmp_path / "fakes.yaml"))
    text = accucheck("status", str(root), *mine).out
    assert "Next steps:" in text and "Run the probes of 13 items" in text
    text = accucheck("status", str(root), *mine, "--lang", "zh").out
    assert "下一步：" in text and "accucheck run" in text
    following = json.loads(accucheck("status", str(root), *mine, "--json").out)["next"]
    assert [(step["kind"], len(step["items"])) for step in following] == [("run", 13)]
    assert following[0]["seconds"][0] < following[0]["seconds"][1]


# --- how long -----------------------------------------------------------------------------------------------------------


def seconds(low: float, high: float | None) -> str:
    return Estimate(low, high, 1, 0).time(Language.EN)


def test_a_time_is_a_range_of_round_numbers():
    assert seconds(0.1, 3) == "less than 5 s"
    assert seconds(22, 55) == "about 20 s to 1 min"
    assert seconds(100, 1000) == "about 1.5 min to 20 min"
    assert seconds(4000, 9000) == "about 1 h to 4 h"
    assert seconds(7, None) == "5 s or more"
    assert seconds(90_000, 200_000) == "24 h or more" and seconds(1, 200_000) == "5 s or more"
    assert Estimate(22, 55, 3, 1).text(Language.ZH) == "3 个探针（其中 1 个需启动 MindSpore），预计约 20 秒至 1 分钟"


def test_a_job_that_ran_before_is_known_better(project):
    jobs = project.jobs()
    guessed = estimate(project, jobs, live=False)
    for item, named in ITEMS.items():
        for name in filter(None, named.split(", ")):
            give(project, item, name, seconds=10.0)
    known = estimate(project, jobs, live=False)
    assert known.jobs == guessed.jobs == 5 and known.live == 0
    assert known.high / known.low < guessed.high / guessed.low
    assert known.low < 50 < known.high
    assert estimate(project, jobs, live=True).live == 1
    assert estimate(project, jobs, live=False, parallel=5).high < known.high / 2


@pytest.mark.parametrize(
    ("status", "seconds", "known"),
    [
        (Status.DONE, 10.0, True),
        (Status.SKIPPED, 10.0, True),
        (Status.FAILED, 10.0, True),
        (Status.SKIPPED, 0.0, False),  # it was not begun
        (Status.CANCELLED, 10.0, False),
    ],
)
def test_a_job_that_ended_by_itself_is_known_better(project, status, seconds, known):
    jobs = project.jobs()
    guessed = estimate(project, jobs, live=False)
    for item, named in ITEMS.items():
        for name in filter(None, named.split(", ")):
            give(project, item, name, seconds=seconds, status=status)
    assert (estimate(project, jobs, live=False) != guessed) is known


def test_larger_inputs_take_longer_and_an_address_cannot_be_known(tmp_path):
    def said(path: str) -> Estimate:
        case = cases.Case(str(tmp_path), msgspec.convert({"data": {"train": {"path": path}}}, cases.CaseFile))
        return estimate(opened := Project(case, [load("accuracy")], None), opened.jobs({"ds.01"}), live=False)

    for name, size in (("small", 1 << 20), ("large", 1 << 36)):
        with (tmp_path / name).open("wb") as stream:
            stream.truncate(size)
    assert said("small").high < 60 < said("large").low
    assert said("s3://bucket/train").high is None
    assert said("nothing-there").jobs == 1


def test_millions_of_files_do_not_hold_it_up(tmp_path, monkeypatch):
    def endless(path: Path):
        while True:
            yield "f", 1

    monkeypatch.setattr("accucheck.estimating._entries", endless)
    case = cases.Case(str(tmp_path), msgspec.convert({"data": {"train": {"path": "d"}}}, cases.CaseFile))
    opened = Project(case, [load("accuracy")], None)
    assert estimate(opened, opened.jobs(), live=False).high is None


def test_the_durations_are_of_probes_that_there_are():
    from accucheck import probe

    known = durations.load()
    assert set(known.probes) <= set(probe.names()) and set(known.kinds) == {kind.value for kind in Kind}
    assert set(known.reading) <= set(cases.CaseFile.__struct_fields__)


def test_what_reads_recordings_and_fits_labels_was_measured():
    """A first estimate of these stood on the mean of their kind."""
    known = durations.load().probes
    recorded = {"recorded_losses", "recorded_order", "recorded_rates", "recorded_shards"}
    assert {*recorded, "label_fit", "label_fit_live", "refused_calls", "shard_overlap"} <= set(known)


# --- what fits the curve and the task, and what no item here looks at -----------------------------------------------------

LOSSES = {
    "at-guess": [2.303 + 0.004 * (-1) ** n for n in range(40)],
    "flat": [5.1] * 40,
    "rises": [2.0 + 0.05 * n for n in range(40)],
    "not-finite": [2.3 * 0.97**n for n in range(20)] + [float("nan")] * 5,
    "": [2.3 * 0.97**n for n in range(40)],
}


def curve(root: Path, losses: list[float], classes: int = 10, **more: object) -> Project:
    """A project whose training ran so, with the checklist accuracy."""
    root.mkdir(exist_ok=True)
    log = "".join(f"epoch: 1 step: {n}, loss is {loss}\n" for n, loss in enumerate(losses, 1))
    (root / "train.log").write_text(log, encoding="utf-8")
    case = {"runtime": {"device": "CPU"}, "curves": {"train": "train.log"}, **more}
    if classes:
        case["data"] = {"train": {"classes": list(range(classes))}}
    (root / "accucheck.yaml").write_text(json.dumps(case), encoding="utf-8")
    return open_project(root)


@pytest.mark.parametrize("kind", LOSSES)
def test_what_a_curve_looks_like(tmp_path, kind):
    with (opened := curve(tmp_path / "project", LOSSES[kind])).session:
        found = symptoms.of_curves(opened.case)
    assert (found.kind if found else "") == kind
    if kind == "not-finite":
        assert found.data == {"unit": "step", "at": 21}


@pytest.mark.parametrize(
    ("goal", "classes", "kind"),
    [
        ({"metric": "accuracy", "reached": 0.11, "expected": 0.95}, 10, "chance"),
        ({"metric": "top-1 acc", "reached": 11, "expected": 95}, 10, "chance"),
        ({"metric": "accuracy", "reached": 0.32, "expected": 0.95}, 10, ""),
        ({"metric": "accuracy", "reached": 0.5}, 2, ""),  # half of two classes may be a majority
        ({"metric": "loss", "reached": 0.11}, 10, ""),
        ({"metric": "accuracy", "expected": 0.95}, 10, ""),
    ],
)
def test_an_accuracy_no_better_than_guessing(tmp_path, goal, classes, kind):
    with (opened := curve(tmp_path / "project", LOSSES[""], classes, goal=goal)).session:
        found = symptoms.of_case(opened.case)
    assert (found.kind if found else "") == kind


def test_a_training_far_ahead_of_its_evaluation(tmp_path):
    rows = "epoch,train_acc,val_acc\n" + "".join(f"{n},{0.5 + n / 45},{0.5 + n / 200}\n" for n in range(1, 21))
    (tmp_path / "log.csv").write_text(rows)
    (tmp_path / "accucheck.yaml").write_text("curves: {train: log.csv}\n")
    found = symptoms.of_curves(cases.load(tmp_path))
    assert found is not None and found.kind == "lags"
    assert found.data["train"] == pytest.approx(0.9, abs=0.05) and found.data["eval"] == pytest.approx(0.59, abs=0.02)


def test_what_goes_with_the_curve_comes_first_and_says_so(tmp_path):
    with (opened := curve(tmp_path / "project", LOSSES["at-guess"])).session:
        for item, probe in (("hp.01", "training_settings"), ("cg.02", "frozen_weights_script")):
            give(opened, item, probe, suspect(sure=Sure.POSSIBLE), kind=Kind.STATIC)
        found = [step for step in steps(opened) if step.kind == "suspect"]
        assert [step.item for step in found] == ["cg.02", "hp.01"], (
            "frozen weights go with a loss that stays at guessing"
        )
        assert "fits the symptom" in found[0].why(Language.EN)
        assert "与现象相符" in found[0].why(Language.ZH)
    with (opened := curve(tmp_path / "sound", LOSSES[""])).session:
        give(opened, "cg.02", "frozen_weights_script", suspect(sure=Sure.POSSIBLE), kind=Kind.STATIC)
        assert not [step for step in steps(opened) if step.fits]


def test_a_patch_of_what_is_likely_is_told_and_one_of_what_may_be_intended_is_not(project):
    for sure, command in ((Sure.LIKELY, "accucheck fix --only a.2"), (Sure.POSSIBLE, "accucheck explain a.2")):
        give(project, "a.2", "fake_problem", problem(sure=sure, fix=Fix("fix", DIFF)))
        (step,) = (step for step in steps(project) if step.item == "a.2")
        told = sure is Sure.LIKELY
        assert ("a patch is available" in step.why(Language.EN)) is told and step.diff == DIFF
        assert ("已有补丁" in step.why(Language.ZH)) is told
        assert ("to change" in step.cost(Language.EN)) is told and step.command() == command


def test_what_matters_more_comes_first_and_says_why(tmp_path):
    """As a project with four faults showed: of certain ones, evaluation data that are not normalised cost most, whatever has a patch."""
    with (opened := curve(tmp_path / "project", LOSSES[""])).session:
        found = problem(sure=Sure.CERTAIN, fix=Fix("fix", DIFF))
        for item, probe, finding in (
            ("api.01", "api_differences", found),
            ("cg.04", "loss_function", found),
            ("dp.02", "train_infer_transforms", problem(sure=Sure.CERTAIN)),
            ("wi.01", "zero_weights", problem()),
            ("hp.03", "training_settings", found),
        ):
            give(opened, item, probe, finding, kind=Kind.STATIC)
        wrong = [step for step in steps(opened) if step.kind == "problem"]
        assert [step.item for step in wrong] == ["wi.01", "dp.02", "api.01", "cg.04", "hp.03"]
        assert [step.effect for step in wrong] == ["learning", "evaluation", "points", "points", "noise"]
        assert "expected effect: large, it makes the evaluation wrong" in wrong[1].why(Language.EN)
        assert "预期影响：大，会使评估结果失真" in wrong[1].why(Language.ZH)
        assert as_json(wrong, Language.EN)[0]["effect"] == "learning"
        give(opened, "cg.04", "loss_function", msgspec.structs.replace(found, code="loss-negated"), kind=Kind.STATIC)
        negated = next(step for step in steps(opened) if step.item == "cg.04")
        assert negated.effect == "learning", "what is minimised the wrong way keeps the network from learning"


@pytest.mark.parametrize(("name", "code"), symptoms.BY_CODE)
def test_an_effect_is_told_of_what_a_probe_says(name, code):
    assert code in probes.load(name).MESSAGES


def test_what_explains_the_curve_comes_before_what_has_a_larger_effect_elsewhere(tmp_path):
    with (opened := curve(tmp_path / "project", LOSSES["at-guess"])).session:
        for item, probe in (("dp.02", "train_infer_transforms"), ("cg.04", "loss_function")):
            give(opened, item, probe, problem(sure=Sure.CERTAIN), kind=Kind.STATIC)
        assert [step.item for step in steps(opened) if step.kind == "problem"] == ["cg.04", "dp.02"]


@pytest.mark.parametrize(
    ("goal", "english", "chinese"),
    [
        ({}, "", ""),
        ({"metric": "top-1", "source": "README"}, "", ""),
        ({"reached": 0.322}, "Accuracy: 0.322 reached", "精度：已达到 0.322"),
        ({"metric": "loss", "expected": 1}, "loss: 1 expected", "loss：期望 1"),
        (
            {"metric": "top-1", "reached": 62, "expected": 93.5, "source": "the paper,\n table 2"},
            "top-1: 62 reached, 93.5 expected (the paper, table 2)",
            "top-1：已达到 62，期望 93.5（依据：the paper, table 2）",
        ),
    ],
)
def test_the_goal_in_words(goal, english, chinese):
    case = cases.Case(".", msgspec.convert({"goal": goal}, cases.CaseFile))
    assert (symptoms.of_goal(case, Language.EN), symptoms.of_goal(case, Language.ZH)) == (english, chinese)
    flat = symptoms.Symptom("flat", {"loss": 2.3})
    told = symptoms.headline(case, flat, Language.EN)
    assert told == (f"{english}; the loss stays at 2.3" if english else "Symptom: the loss stays at 2.3")


@pytest.mark.parametrize(
    ("loss", "proposed"), [("mindspore.nn:MSELoss", False), ("mindspore.nn:CrossEntropyLoss", True)]
)
def test_no_regression_is_asked_for_the_probabilities_of_classes(tmp_path, loss, proposed):
    (tmp_path / "train.csv").write_text("x,y\n1,0\n2,1\n")
    more = {"data": {"train": {"path": "train.csv", "label": "y"}}, "loss": {"call": loss}}
    with (opened := curve(tmp_path, LOSSES[""], 0, **more)).session:
        assert ("data.predictions" in {step.key for step in steps(opened)}) is proposed


def test_where_nothing_is_certainly_wrong_the_checks_of_any_training_come_first(tmp_path):
    with (opened := curve(tmp_path / "project", LOSSES["flat"])).session:
        for job in opened.jobs():
            given = [suspect(sure=Sure.POSSIBLE)] if job.item == "cg.02" else []
            give(opened, job.item, job.probe, *given, kind=Kind.STATIC)
        first = steps(opened)[0]
        assert (first.kind, first.item) == ("sanity", "san.01") and first.fits is not None
        assert first.command() == "accucheck run --checklist sanity" and first.cost(Language.EN) == "one command"
        give(opened, "cg.02", "frozen_weights_script", problem(), kind=Kind.STATIC)
        assert "sanity" not in {step.kind for step in steps(opened)}, "what is certainly wrong is mended first"
        give(opened, "cg.02", "frozen_weights_script", kind=Kind.STATIC)
        with (other := open_project(tmp_path / "project", ["sanity"], session="read")).session:
            pairs = [(job.item, job.probe) for job in other.jobs()]
        for item, probe in pairs:
            result = ProbeResult(probe, Kind.STATIC, status=Status.DONE, suggestion=Verdict.OK)
            opened.session.record_result(item, result)
        assert "sanity" not in {step.kind for step in steps(opened)}, "all of it has run, and is clean"
        wrong = ProbeResult("optimizer_parameters", Kind.STATIC, Status.DONE, Verdict.PROBLEM, [problem()])
        opened.session.record_result("san.03", wrong)
        first = steps(opened)[0]
        assert (first.kind, first.items) == ("sanity", ["san.03"])
        assert first.command() == "accucheck status --checklist sanity"
