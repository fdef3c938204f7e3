"""Processes that probes and the user's code start, and runs that are cancelled: no orphan, no temporary file, no wait for a pipe that
somebody else holds open."""

import os
import signal
import threading
from pathlib import Path

import pytest
from test_kills import POINTS

from accucheck import engine
from accucheck.case import Case
from accucheck.live.inside.processes import descendants
from accucheck.model import Status
from accucheck.session import open_session
from command_line import write_checklist
from left_behind import Command, is_gone, run, wait_until

pytestmark = pytest.mark.part(40)

SIGNALS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}


@pytest.mark.usefixtures("fakes")
def test_who_dies_is_not_waited_for_though_others_hold_its_pipes(tmp_path: Path) -> None:
    job = engine.Job("xx.01", "fake_daemon", {"dies": True})
    events = list(engine.run(Case(str(tmp_path)), [job]))
    result = events[-1].result
    assert (result.status, result.reason.code) == (Status.FAILED, "crashed") and "SIGKILL" in result.reason.data["how"]
    shared, own = (finding.data["n"] for finding in result.findings)
    wait_until(lambda: is_gone(shared), lambda: "it lives on")
    if not is_gone(
        own
    ):  # a process of its own session, whose parent was killed with SIGKILL, cannot be told from any other
        os.kill(own, signal.SIGKILL)


@pytest.mark.usefixtures("fakes")
def test_a_cancelled_probe_leaves_neither_processes_nor_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    cancel, children, before = threading.Event(), [], descendants(os.getpid())
    for event in engine.run(Case(str(tmp_path)), [engine.Job("xx.01", "fake_daemon")], cancel=cancel):
        if isinstance(event, engine.FindingEvent):
            children.append(event.finding.data["n"])
        if isinstance(event, engine.ProgressEvent):
            assert list((tmp_path / "temporary").rglob("copy"))
            cancel.set()
    assert event.result.status is Status.CANCELLED and len(children) == 2
    wait_until(lambda: all(map(is_gone, children)), lambda: f"one of {children} lives on")
    assert not list((tmp_path / "temporary").iterdir())
    ended = {process for process, _ in descendants(os.getpid()) - before}
    assert not ended - set(children), "a zombie"  # theirs are for whoever adopts orphans


@pytest.fixture
def project(tmp_path: Path, fakes: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "accucheck.yaml").write_text("name: x\nruntime: {device: CPU}\n")
    write_checklist(folder / "mine.yaml", "fake_problem", "fake_daemon", each=True)
    return folder


def begun(command: Command) -> bool:
    return bool(list(command.temporary.rglob("began")))


@pytest.mark.parametrize("times", [1, 2], ids=["once", "twice"])
@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_an_ended_run_leaves_nothing_but_what_was_found(
    project: Path, tmp_path: Path, number: signal.Signals, times: int
) -> None:
    command = Command(project, tmp_path / "temporary", "run", ".", "--checklist", "mine.yaml")
    recorded = project / ".accucheck" / "session.json"

    def under_way() -> bool:
        """Whether the first item is recorded, which a second signal cannot undo, and the second one runs."""
        return begun(command) and recorded.is_file() and "fake_problem" in recorded.read_text(encoding="utf-8")

    wait_until(under_way, lambda: f"it does not begin: {command.process.poll()}", 120)
    for _ in range(times):
        command.process.send_signal(number)
    code, _, err = command.ended()
    assert code == SIGNALS[number] and "Traceback" not in err, err
    command.require_no_process()
    command.require_no_temporary()
    with open_session(project) as session:
        assert not session.read_only and session.notice is None
        assert set(session.entry("a.1").results) == {"fake_problem"}
        ended = [(result.status, bool(result.findings)) for result in session.entry("a.2").results.values()]
        # A second signal may end the run before what was found is recorded.
        assert ended == [(Status.CANCELLED, True)] or (times == 2 and not ended)
    assert os.listdir(project / ".accucheck") == ["session.json"]


def test_what_a_killed_run_leaves_goes_with_the_next(project: Path, tmp_path: Path) -> None:
    """Both the run and its worker at once: nobody is left to clear up."""
    command = Command(project, tmp_path / "temporary", "run", ".", "--checklist", "mine.yaml")
    wait_until(lambda: begun(command), lambda: f"it does not begin: {command.process.poll()}", 120)
    processes = command.living()
    for number in (signal.SIGSTOP, signal.SIGKILL):  # none clears up while the others are being killed
        for pid in processes:
            os.kill(pid, number)
    command.ended()
    assert list(command.temporary.iterdir())
    code, _, err = run(project, tmp_path / "temporary", "run", ".", "--checklist", "mine.yaml", "--only", "a.1")
    assert code == 1, err


@pytest.fixture
def network(tmp_path: Path) -> Path:
    folder = tmp_path / "network"
    folder.mkdir()
    (folder / "points.py").write_text(POINTS)
    (folder / "accucheck.yaml").write_text(
        'pipelines: {train: {call: "points:data"}}\nnetwork: {call: "points:Net"}\n'
        'loss: {call: "mindspore.nn:CrossEntropyLoss"}\n'
    )
    return folder


@pytest.mark.mindspore
@pytest.mark.part(40)
@pytest.mark.parametrize("end", ["by itself", *SIGNALS], ids=str)
def test_a_range_test_leaves_its_curve_and_no_process(network: Path, tmp_path: Path, end: str | signal.Signals) -> None:
    steps = 60 if end == "by itself" else 1_000_000
    command = Command(network, tmp_path / "temporary", "lr-range", ".", "--live", "--steps", steps)
    partial, curve = network / "logs/lr_range.csv.partial", network / "logs/lr_range.csv"
    if isinstance(end, signal.Signals):
        rows = lambda: partial.exists() and partial.read_text().count("\n") > 10  # noqa: E731
        wait_until(rows, lambda: f"it does not train: {command.process.poll()}", 300)
        if end is signal.SIGINT:
            os.killpg(command.process.pid, end)  # the terminal tells all of the job
        else:
            command.process.send_signal(end)
    code, _, err = command.ended()
    assert code == (SIGNALS[end] if isinstance(end, signal.Signals) else 0), err
    command.require_no_process()
    command.require_no_temporary()
    assert curve.read_text().startswith("step,lr,loss,accuracy\n1,") and not partial.exists()


@pytest.mark.mindspore
@pytest.mark.part(40)
def test_a_killed_range_test_keeps_its_rows_apart(network: Path, tmp_path: Path) -> None:
    command = Command(network, tmp_path / "temporary", "lr-range", ".", "--live", "--steps", 1_000_000)
    partial, curve = network / "logs/lr_range.csv.partial", network / "logs/lr_range.csv"
    rows = lambda: partial.exists() and partial.read_text().count("\n") > 10  # noqa: E731
    wait_until(rows, lambda: f"it does not train: {command.process.poll()}", 300)
    command.process.kill()
    command.ended()
    command.require_no_process()
    assert not curve.exists(), "it did not come to its end"
    head, *lines = partial.read_text().splitlines()
    assert head == "step,lr,loss,accuracy" and [line.split(",")[0] for line in lines] == [
        str(number) for number in range(1, len(lines) + 1)
    ]
    assert all(line.count(",") == 3 for line in lines)
