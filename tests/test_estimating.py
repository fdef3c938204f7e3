"""How long the rest of a run takes, as the top line of the walkthrough tells it."""

from pathlib import Path

import pytest

from accucheck.estimating import DurationEstimate, TimeLeft, expected, slower
from accucheck.model import Kind
from accucheck.project import open_project


def likely(seconds: float, kind: Kind = Kind.FILE, *, earlier: bool = False) -> DurationEstimate:
    return DurationEstimate(kind, seconds, seconds, seconds, earlier=earlier)


THREE = {"a": likely(10.0), "b": likely(20.0), "c": likely(30.0), "skipped": None}


def test_what_is_left_is_told_by_what_was_expected_and_by_the_pace_so_far() -> None:
    left = TimeLeft(THREE, 1.0)
    assert len(left) == 3 and "a" in left and "skipped" not in left
    assert left.seconds({}, "a", 3.0) == pytest.approx(57.0), "as expected so far"
    assert left.seconds({"a": 10.0, "b": 20.0}, "c", 0.0) == pytest.approx(30.0)
    assert left.seconds({"a": 20.0, "b": 40.0}, "c", 0.0) == pytest.approx(60.0, rel=0.05), "slower"
    assert left.seconds({"a": 5.0, "b": 10.0}, "c", 0.0) == pytest.approx(15.0, rel=0.1)
    assert left.seconds({"a": 9000.0, "b": 9000.0}, "c", 0.0) == pytest.approx(900.0), "no more than thirty times"
    assert left.seconds({"a": 1.0, "b": 2.0, "c": 3.0}, None, 5.0) == 0.0


def test_a_busy_machine_is_slower_but_what_ran_here_before_knew_it() -> None:
    for busy, earlier, told in ((1.0, False, 60.0), (4.0, False, 240.0), (4.0, True, 60.0)):
        same = {name: likely(each.likely, earlier=earlier) for name, each in THREE.items() if each is not None}
        assert TimeLeft(same, busy).seconds({}, None, 0.0) == pytest.approx(told)
    assert slower() >= 1.0


@pytest.mark.parametrize(("told", "times"), [("2000 3000 7\n", 2.5), ("2000 0 7\n", 1.0)])
def test_how_busy_the_machine_is_is_how_long_this_process_waited(told: str, times: float, tmp_path: Path) -> None:
    (tmp_path / "schedstat").write_text(told)
    assert slower(tmp_path / "schedstat") == times


@pytest.mark.parametrize("told", ["0 0 0", "", "nothing to tell"])
def test_where_the_system_does_not_tell_it_the_waiting_processes_do(told: str, tmp_path: Path) -> None:
    (tmp_path / "schedstat").write_text(told)
    assert slower(tmp_path / "schedstat") >= 1.0 and slower(tmp_path / "none") >= 1.0


def test_each_kind_of_probe_has_a_pace_of_its_own() -> None:
    kinds = {"read": likely(2.0, Kind.STATIC), "live": likely(10.0, Kind.LIVE), "other": likely(10.0, Kind.LIVE)}
    left = TimeLeft(kinds, 1.0)
    assert left.seconds({"read": 8.0}, "live", 0.0) > 30.0, "all that is known is that it goes slowly"
    assert left.seconds({"read": 8.0, "live": 10.0}, "other", 0.0) == pytest.approx(10.0, rel=0.1), "this kind does not"


def test_a_job_that_is_late_is_expected_to_be_late_still() -> None:
    left = TimeLeft({"a": likely(10.0), "b": likely(20.0)}, 1.0)
    told = [left.seconds({"a": 10.0}, "b", seconds) for seconds in (0.0, 10.0, 40.0, 80.0)]
    assert told[:2] == [pytest.approx(20.0), pytest.approx(10.0)] and told[2] < told[3] and told[2] >= 14.0


def test_long_scripts_take_longer_to_read(tmp_path) -> None:
    def first() -> float:
        project = open_project(tmp_path, settings=["scripts.train=train.py"], session="none")
        jobs = [job for job in project.jobs() if job.probe == "loss_function"]
        (found,) = expected(project, jobs, live=False)
        return found.likely

    (tmp_path / "train.py").write_text("import mindspore\n")
    short = first()
    (tmp_path / "network.py").write_text("x = 1\n" * 50_000)
    long = first()
    (tmp_path / "more.py").write_text("x = 1\n" * 500_000)
    assert short + 1.0 < long < first() < long + 1.0, "and no project is followed as a whole"


def test_each_rule_takes_longer_on_long_scripts(tmp_path) -> None:
    def told(probe: str) -> float:
        project = open_project(tmp_path, settings=["scripts.train=train.py"], session="none")
        jobs = project.jobs(kinds=(Kind.STATIC,))
        (found,) = (
            each for job, each in zip(jobs, expected(project, jobs, live=False), strict=True) if job.probe == probe
        )
        return found.likely

    (tmp_path / "train.py").write_text("import mindspore\n")
    short = told("graph_connectivity_script")
    (tmp_path / "network.py").write_text("x = 1\n" * 20_000)
    assert 2 * short < told("graph_connectivity_script") < 10 * short
