"""The engine with probes that behave as badly as real ones can."""

import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import msgspec
import pytest

from accucheck import case as cases
from accucheck import engine
from accucheck.case import Case, CaseFile, Data, DataSet
from accucheck.model import Kind, Language, ProbeResult, Reason, Status, Verdict
from accucheck.probe import reason_text
from left_behind import is_gone, wait_until

pytestmark = pytest.mark.usefixtures("fakes")


def results(root: Path, *names: str, spec: CaseFile | None = None, **options) -> dict[str, ProbeResult]:
    jobs = [engine.Job("xx.01", name) for name in names]
    events = list(engine.run(Case(str(root), spec or CaseFile()), jobs, **options))
    finished = [event for event in events if isinstance(event, engine.Finished)]
    assert sorted(event.job.probe for event in finished) == sorted(names), "each job ends exactly once"
    return {event.job.probe: event.result for event in finished}


def test_inputs_of_which_one_will_do_are_told_in_words() -> None:
    lacking = Reason("missing-input", {"keys": ["curves.train | curves.eval", "watched"], "first": "curves.train"})
    assert reason_text("any", lacking, Language.EN).startswith("curves.train or curves.eval, and watched is not set.")
    assert reason_text("any", lacking, Language.ZH).startswith("未给出 curves.train 或 curves.eval、watched。")


def test_events_come_in_order(tmp_path):
    events = list(engine.run(Case(str(tmp_path)), [engine.Job("xx.01", "fake_clean", {"n": 7})]))
    assert [type(event).__name__ for event in events] == ["Started", "ProgressEvent", "FindingEvent", "Finished"]
    result = events[-1].result
    assert (result.status, result.suggestion) == (Status.DONE, Verdict.OK)
    assert result.findings[0].data == {"n": 7}
    assert result.inputs and result.started and result.seconds >= 0


def test_noise_on_both_descriptors_harms_nothing(tmp_path, capfd):
    result = results(tmp_path, "fake_noisy")["fake_noisy"]
    assert (result.status, result.suggestion) == (Status.DONE, Verdict.OK)
    assert capfd.readouterr() == ("", "")


def test_a_segfault_is_failed_with_its_log_and_keeps_what_was_found(tmp_path):
    result = results(tmp_path, "fake_segfault")["fake_segfault"]
    assert (result.status, result.suggestion) == (Status.FAILED, Verdict.UNDECIDED)
    assert "SIGSEGV" in reason_text(result.probe, result.reason, Language.EN)
    assert "about to crash" in result.log
    assert [finding.code for finding in result.findings] == ["seen"]


def test_the_log_is_kept_where_it_comes_together_with_the_end_of_the_events(tmp_path, monkeypatch):
    ready, late = engine._Pipes.ready, {}

    def together(pipes: engine._Pipes, wait: float) -> dict[str, bytes]:
        read = ready(pipes, wait)
        if read.get("log"):
            late["log"] = read.pop("log")
        return {**read, **late} if read.get("events") == b"" else read

    monkeypatch.setattr(engine._Pipes, "ready", together)
    assert "about to crash" in results(tmp_path, "fake_segfault")["fake_segfault"].log


def test_running_out_of_memory_is_failed(tmp_path):
    result = results(tmp_path, "fake_hungry")["fake_hungry"]
    assert (result.status, result.suggestion) == (Status.FAILED, Verdict.UNDECIDED)
    assert "MemoryError" in reason_text(result.probe, result.reason, Language.EN) + result.log


@pytest.mark.parametrize("name", ["fake_exit", "fake_quit", "fake_liar"])
def test_no_honest_answer_is_failed_never_ok(tmp_path, name):
    result = results(tmp_path, name)[name]
    assert (result.status, result.suggestion) == (Status.FAILED, Verdict.UNDECIDED)
    assert result.reason.code != "timeout"


def test_an_exception_keeps_its_traceback_and_its_problem(tmp_path):
    result = results(tmp_path, "fake_raises")["fake_raises"]
    assert (result.status, result.suggestion) == (Status.FAILED, Verdict.PROBLEM)
    assert "ValueError" in result.log and "fake_raises.py" in result.log


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time goes ten times as fast for the engine, once a probe has found something."""

    class Clock:
        begin: float | None = None
        sleep = staticmethod(time.sleep)

        def monotonic(self) -> float:
            present = time.monotonic()
            return present if self.begin is None else present + 9 * (present - self.begin)

    clock, found = Clock(), engine.FindingEvent

    def noticed(*given: object) -> engine.FindingEvent:
        clock.begin = clock.begin or time.monotonic()
        return found(*given)

    monkeypatch.setattr(engine, "time", clock)
    monkeypatch.setattr(engine, "FindingEvent", noticed)


@pytest.mark.usefixtures("hurried")
def test_timeout(tmp_path):
    result = results(tmp_path, "fake_slow", timeout=10.0)["fake_slow"]
    assert (result.status, result.reason.code) == (Status.FAILED, "timeout")
    assert result.suggestion is Verdict.UNDECIDED and len(result.findings) == 1


def test_cancel_ends_a_stubborn_probe_and_its_children(tmp_path):
    cancel, pids = threading.Event(), []
    for event in engine.run(Case(str(tmp_path)), [engine.Job("xx.01", "fake_stubborn")], cancel=cancel):
        if isinstance(event, engine.FindingEvent):
            pids.append(event.finding.data["n"])
            cancel.set()
    assert event.result.status is Status.CANCELLED and len(event.result.findings) == 1
    assert pids and all(map(is_gone, pids))


def test_cancel_before_the_start_and_of_those_that_wait(tmp_path):
    cancel = threading.Event()
    cancel.set()
    both = results(tmp_path, "fake_clean", "fake_problem", cancel=cancel)
    assert {result.status for result in both.values()} == {Status.CANCELLED}
    assert {result.suggestion for result in both.values()} == {Verdict.UNDECIDED}


def test_closing_the_generator_stops_the_child(tmp_path):
    events = engine.run(Case(str(tmp_path)), [engine.Job("xx.01", "fake_stubborn")])
    pid = next(event.finding.data["n"] for event in events if isinstance(event, engine.FindingEvent))
    events.close()
    wait_until(lambda: is_gone(pid))


def test_a_killed_parent_leaves_no_orphan(tmp_path):
    code = (
        "from accucheck import engine; from accucheck.case import Case\n"
        f"for e in engine.run(Case({str(tmp_path)!r}), [engine.Job('xx.01', 'fake_stubborn')]):\n"
        "    if isinstance(e, engine.FindingEvent): print(e.finding.data['n'], flush=True)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    pid = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    wait_until(lambda: is_gone(pid))


def test_missing_input_names_the_keys(tmp_path):
    result = results(tmp_path, "fake_needy")["fake_needy"]
    assert (result.status, result.suggestion) == (Status.SKIPPED, Verdict.UNDECIDED)
    text = reason_text(result.probe, result.reason, Language.EN)
    assert "data.train.path, and curves.train or curves.eval is not set" in text and "--set data.train.path=" in text
    spec = CaseFile(data=Data(train=DataSet(path="d")))
    assert results(tmp_path, "fake_needy", spec=spec)["fake_needy"].reason.data["keys"] == [
        "curves.train | curves.eval"
    ]


def test_live_needs_consent(tmp_path):
    refused = results(tmp_path, "fake_live")["fake_live"]
    assert (refused.status, refused.reason.code) == (Status.SKIPPED, "needs-consent")
    assert results(tmp_path, "fake_live", live=True)["fake_live"].status is Status.DONE


def test_bad_parameters_are_named(tmp_path):
    jobs = [engine.Job("xx.01", "fake_clean", {"m": 1})]
    (finished,) = [e for e in engine.run(Case(str(tmp_path)), jobs) if isinstance(e, engine.Finished)]
    assert finished.result.status is Status.FAILED
    assert "unknown parameter m; known: n" in reason_text("fake_clean", finished.result.reason, Language.EN)


def test_unknown_probe_is_failed(tmp_path):
    result = results(tmp_path, "fake_nobody")["fake_nobody"]
    assert (result.status, result.suggestion) == (Status.FAILED, Verdict.UNDECIDED)


def test_static_probes_share_a_child_and_survive_a_crash_of_one(tmp_path):
    two = results(tmp_path, "fake_static_one", "fake_static_two")
    pids = {result.findings[0].data["n"] for result in two.values()}
    assert len(pids) == 1 and os.getpid() not in pids
    three = results(tmp_path, "fake_static_one", "fake_static_crash", "fake_static_two")
    assert three["fake_static_crash"].status is Status.FAILED
    assert three["fake_static_one"].status is three["fake_static_two"].status is Status.DONE
    assert len(three["fake_static_two"].findings) == 1


def test_quick_probes_of_files_share_as_many_children_as_run_at_a_time(tmp_path, monkeypatch):
    started = []
    real = subprocess.Popen
    monkeypatch.setattr(engine.subprocess, "Popen", lambda *given, **more: started.append(1) or real(*given, **more))
    names = ("fake_problem", "fake_clean", "fake_noisy")
    assert {result.status for result in results(tmp_path, *names).values()} == {Status.DONE} and len(started) == 1
    started.clear()
    assert {result.status for result in results(tmp_path, *names, parallel=2).values()} == {Status.DONE}
    assert len(started) == 2
    started.clear()
    known = msgspec.structs.replace(engine.durations.load(), probes={"fake_problem": engine.QUICK + 1})
    monkeypatch.setattr(engine.durations, "load", lambda: known)
    assert {result.status for result in results(tmp_path, *names).values()} == {Status.DONE}
    assert len(started) == 2, "what takes long has a child of its own"


def test_a_crash_of_a_probe_of_files_costs_no_other_one(tmp_path):
    three = results(tmp_path, "fake_problem", "fake_segfault", "fake_clean")
    assert three["fake_segfault"].status is Status.FAILED
    assert three["fake_problem"].suggestion is Verdict.PROBLEM and three["fake_clean"].suggestion is Verdict.OK


def test_what_is_read_comes_before_what_is_run_and_the_quick_before_the_slow(tmp_path, monkeypatch):
    known = msgspec.structs.replace(engine.durations.load(), probes={"fake_problem": 9.0, "fake_static_one": 9.0})
    monkeypatch.setattr(engine.durations, "load", lambda: known)
    names = ("fake_live", "fake_problem", "fake_static_one", "fake_clean", "fake_static_two")
    jobs = [engine.Job("xx.01", name) for name in names]
    events = list(engine.run(Case(str(tmp_path)), jobs, live=True))
    begun = [event.job.probe for event in events if isinstance(event, engine.Started)]
    assert begun == ["fake_static_two", "fake_static_one", "fake_clean", "fake_problem", "fake_live"]
    pids = {event.result.findings[0].data["n"] for event in events[:6] if isinstance(event, engine.Finished)}
    assert len(pids) == 1, "static probes share a child all the same"


def test_a_modest_run_is_not_modest_with_what_the_person_waits_for(tmp_path):
    two = results(tmp_path, "fake_static_one", "fake_live", live=True, modest=True)
    static, live = (two[name].findings[0].data["nice"] for name in ("fake_static_one", "fake_live"))
    assert static == os.nice(0) < live


@pytest.mark.usefixtures("hurried")
def test_parallel_children(tmp_path):
    both = results(tmp_path, "fake_slow", "fake_problem", "fake_clean", timeout=15.0, parallel=2)
    assert both["fake_problem"].suggestion is Verdict.PROBLEM
    assert both["fake_slow"].reason.code == "timeout"


def test_fingerprint_follows_inputs_parameters_and_checklist(tmp_path):
    data = tmp_path / "data.csv"
    data.write_text("a\n1\n")
    spec = CaseFile(data=Data(train=DataSet(path="data.csv")))
    case, job = Case(str(tmp_path), spec), engine.Job("xx.01", "fake_needy")
    first = engine.fingerprint(case, job)
    assert first == engine.fingerprint(case, job)
    assert first != engine.fingerprint(case, engine.Job("xx.01", "fake_needy", {"n": 2}))
    assert first != engine.fingerprint(case, engine.Job("xx.01", "fake_needy", version=2))
    data.write_text("a\n12\n")
    assert first != engine.fingerprint(case, job)


def test_a_project_that_was_copied_or_checked_out_anew_is_the_same(tmp_path):
    project = tmp_path / "here"
    (project / "src").mkdir(parents=True)
    (project / "src/net.py").write_text("import mindspore\n")
    (project / "train.py").write_text("import src.net\n")
    (project / "data.csv").write_text("a\n1\n")
    spec = CaseFile(data=Data(train=DataSet(path="data.csv")), scripts={"train": "train.py"})
    jobs = [engine.Job("xx.01", "fake_static_one"), engine.Job("xx.01", "fake_needy")]
    before = [engine.fingerprint(Case(str(project), spec), job) for job in jobs]
    moved = Path(shutil.copytree(project, tmp_path / "there"))
    for script in ("src/net.py", "train.py"):
        os.utime(moved / script, (1, 1))
    case = Case(str(moved), spec)
    assert [engine.fingerprint(case, job) for job in jobs] == before
    (moved / "src/net.py").write_text("import mindspork\n")
    assert engine.fingerprint(case, jobs[0]) != before[0], "of the same size, but another text"
    os.utime(moved / "data.csv", (1, 1))
    assert engine.fingerprint(case, jobs[1]) != before[1], "data are known by their time, as they may be large"


def test_annotations_in_json_do_not_hide_scripts(tmp_path, monkeypatch):
    monkeypatch.setattr(engine, "FINGERPRINT_ENTRIES", 20)
    (tmp_path / "annotations").mkdir()
    (tmp_path / "src").mkdir()
    for number in range(30):
        (tmp_path / "annotations" / f"{number:02}.json").write_text('{"shapes": []}')
    script, late = tmp_path / "src/model.py", tmp_path / "annotations/29.json"
    script.write_text("import mindspore\n")
    case, job = Case(str(tmp_path)), engine.Job("xx.01", "fake_static_one")
    before = engine.fingerprint(case, job)
    late.write_text("{}")
    assert engine.fingerprint(case, job) == before, "of each ending no more than so many are looked at"
    script.write_text("import mindspore, numpy\n")
    assert engine.fingerprint(case, job) != before


def test_the_project_is_walked_once_for_each_job_and_once_before_them_all(tmp_path, monkeypatch):
    (tmp_path / "train.py").write_text("")
    walks = []
    real = engine._stats
    monkeypatch.setattr(engine, "_stats", lambda *given: walks.append(given) or real(*given))
    results(tmp_path, "fake_static_one", "fake_static_two")
    assert len(walks) == 3
    skipped = results(tmp_path, "randomness_fixed", "shuffle_settings", "fake_live")
    assert {result.status for result in skipped.values()} == {Status.SKIPPED} and len(walks) == 4


def test_a_script_that_changes_while_a_job_runs_makes_its_result_stale_and_not_that_of_the_next(tmp_path):
    (script := tmp_path / "train.py").write_text("")
    case, jobs = Case(str(tmp_path)), [engine.Job("xx.01", name) for name in ("fake_static_one", "fake_static_two")]
    child = engine._Child(case, jobs, None, threading.Event(), (events := []).append, None, False, None)
    child._begin_next()
    script.write_text("x = 1")
    child._finish(Status.DONE, Verdict.OK, 1.0)
    child._begin_next()
    child._finish(Status.DONE, Verdict.OK, 1.0)
    first, second = (event.result for event in events if isinstance(event, engine.Finished))
    assert first.inputs == "" and second.inputs == engine.fingerprint(case, jobs[1])


def test_what_was_collected_concerns_only_the_probes_that_look_at_it(tmp_path):
    (tmp_path / "train.py").write_text("")

    def digest(probe, text):
        (tmp_path / "accucheck.yaml").write_text(f"scripts: {{train: train.py}}\n{text}")
        return engine.fingerprint(cases.load(tmp_path), engine.Job("xx.01", probe))

    before = "curves: {train: a.log}\n"
    after = "curves: {train: a.log, rerun: b.log}\n"
    assert digest("randomness_fixed", before) == digest("randomness_fixed", after)
    assert digest("reproducible_runs", before) != digest("reproducible_runs", after)
    assert digest("randomness_fixed", before) != digest("randomness_fixed", before + "runtime: {device: CPU}\n")
    assert digest("activations", before) != digest("activations", "checkpoints: {current: a.ckpt}\n")


def test_worker_kind_is_known_to_the_result(tmp_path):
    assert results(tmp_path, "fake_static_one")["fake_static_one"].kind is Kind.STATIC
