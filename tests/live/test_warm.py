"""Tasks forked from a process that has imported MindSpore: they are alone, draw their own numbers, and end with all they started."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from accucheck import engine
from accucheck.case import Case, CaseFile
from accucheck.engine import Finished, Job
from accucheck.errors import UserError
from accucheck.live import child, warm
from accucheck.live.inside.processes import descendants
from accucheck.live.warm import WarmProcess
from accucheck.model import Status
from accucheck.probe import Skip

pytestmark = [pytest.mark.mindspore, pytest.mark.skipif(sys.platform != "linux", reason="forks on Linux only")]

SHUFFLED = "import mindspore.dataset as ds\ndef create():\n    return ds.NumpySlicesDataset(list(range(60))).batch(5)\n"


@pytest.fixture(scope="module")
def process() -> Iterator[WarmProcess]:
    one = WarmProcess(sys.executable)
    yield one
    one.close()


@pytest.fixture(autouse=True)
def asked(process: WarmProcess) -> Iterator[None]:
    warm.ask(process.socket.fileno(), sys.executable)
    yield
    warm.ask(None, "")


def case(root: Path, text: str, **runtime: str) -> Case:
    (root / "pipe.py").write_text(text)
    return Case(root=str(root), spec=msgspec.convert({"runtime": runtime}, CaseFile))


def events(case: Case, seconds: float = 20) -> Iterator[dict[str, Any]]:
    request = {"pipeline": {"call": "pipe:create", "args": {}}, "samples": 100, "seconds": seconds, "label": None}
    return child.events(case, "order", request, seconds)


def forks(process: WarmProcess) -> int:
    return len(descendants(process.process.pid))


def are_gone(process: WarmProcess) -> bool:
    """Whether nothing is left of any task; what has been killed takes a moment to go."""
    for _ in range(100):
        if not forks(process):
            return True
        time.sleep(0.05)
    return False


def test_each_task_draws_its_own_numbers(tmp_path: Path, process: WarmProcess) -> None:
    told = []
    for _ in range(2):
        running = events(case(tmp_path, SHUFFLED))
        told.append([next(running)])
        assert forks(process) == 1, "the task runs elsewhere"
        told[-1] += running
    assert [event["event"] for event in told[0]] == [event["event"] for event in told[1]]
    assert told[0][0]["event"] == "runtime" and told[0][-1]["event"] == "end"
    assert told[0] != told[1], "both are in the same order"


def test_a_task_has_its_folder_and_its_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OF_THE_USER", "a word")
    text = "import os, tempfile\nraise ValueError(os.getcwd(), os.environ['OF_THE_USER'], tempfile.gettempdir())\n"
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with pytest.raises(UserError) as caught:
        list(events(case(tmp_path, text)))
    assert caught.value.code == "live-raised"
    assert str(caught.value).count(str(tmp_path)) >= 2 and "a word" in str(caught.value)


def test_a_crash_is_told_and_the_next_task_runs(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        list(events(case(tmp_path, "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n")))
    assert caught.value.code == "live-crashed" and caught.value.data["status"] == -11
    assert [event["event"] for event in events(case(tmp_path, SHUFFLED))][-1] == "end"


def test_what_a_task_started_ends_with_it(tmp_path: Path, process: WarmProcess) -> None:
    text = "import subprocess\nsubprocess.Popen(['sleep', '300'], start_new_session=True)\n" + SHUFFLED
    assert list(events(case(tmp_path, text)))[-1]["event"] == "end"
    text = "import subprocess, os\nsubprocess.Popen(['sleep', '300'], start_new_session=True)\nos._exit(5)\n"
    with pytest.raises(UserError) as caught:
        list(events(case(tmp_path, text)))
    assert caught.value.data["status"] == 5
    assert are_gone(process)


def test_a_task_ends_when_nobody_reads_on(tmp_path: Path, process: WarmProcess) -> None:
    running = events(case(tmp_path, "while True: pass\n"))
    assert next(running)["event"] == "runtime" and forks(process) == 1
    running.close()  # type: ignore[attr-defined]
    assert are_gone(process)


def test_what_takes_effect_when_python_starts_needs_a_process_of_its_own(
    tmp_path: Path, process: WarmProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in (str(tmp_path), "relative"):
        monkeypatch.setenv("PYTHONPATH", path)
        running = events(case(tmp_path, SHUFFLED))
        assert next(running)["event"] == "runtime" and forks(process) == 0
        running.close()  # type: ignore[attr-defined]


def test_without_mindspore_the_task_says_so(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "bare")], check=True)
    bare_python = str(tmp_path / "bare" / "bin" / "python")
    one = WarmProcess(bare_python)
    warm.ask(one.socket.fileno(), bare_python)
    with pytest.raises(Skip) as caught:
        list(events(case(tmp_path, SHUFFLED, python=bare_python)))
    assert caught.value.reason.code == "no-mindspore"
    one.close()
    with pytest.raises(Skip):  # it has ended: there is nobody to ask
        list(events(case(tmp_path, SHUFFLED, python=bare_python)))


def test_closing_waits_for_no_import() -> None:
    one = WarmProcess(sys.executable)
    one.close()
    assert one.process.returncode in (0, -signal.SIGTERM)


def test_jobs_of_one_run_share_an_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[WarmProcess] = []
    make = WarmProcess.__init__

    def note(one: WarmProcess, python: str) -> None:
        make(one, python)
        started.append(one)

    monkeypatch.setattr(WarmProcess, "__init__", note)
    (tmp_path / "pipe.py").write_text(SHUFFLED)
    spec = {"pipelines": {"train": {"call": "pipe:create"}}}
    several = Case(root=str(tmp_path), spec=msgspec.convert(spec, CaseFile))
    jobs = [Job(item="dp.03", probe="shuffle_order"), Job(item="ds.03", probe="class_balance_live")]
    ended = [event.result for event in engine.run(several, jobs, live=True) if isinstance(event, Finished)]
    assert len(started) == 1 and started[0].process.returncode is not None
    assert {result.probe: result.status for result in ended}["shuffle_order"] is Status.DONE


def test_the_import_begins_when_the_scripts_have_been_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    make, run_group = WarmProcess.__init__, engine._run_group

    def note(one: WarmProcess, python: str) -> None:
        order.append("import")
        make(one, python)

    def noted(case: Case, group: list[Job], *more: object) -> None:
        run_group(case, group, *more)  # type: ignore[arg-type]
        order.extend(job.probe for job in group)

    monkeypatch.setattr(WarmProcess, "__init__", note)
    monkeypatch.setattr(engine, "_run_group", noted)
    (tmp_path / "pipe.py").write_text(SHUFFLED)
    spec = {"pipelines": {"train": {"call": "pipe:create"}}, "scripts": {"train": "pipe.py"}}
    several = Case(root=str(tmp_path), spec=msgspec.convert(spec, CaseFile))
    jobs = [Job("dp.03", "shuffle_order"), Job("ds.03", "class_balance_live"), Job("dp.03", "shuffle_settings")]
    assert sum(isinstance(event, Finished) for event in engine.run(several, jobs, live=True)) == len(jobs)
    assert order[:2] == ["shuffle_settings", "import"]


def test_cancelling_a_run_ends_its_tasks(tmp_path: Path) -> None:
    mark = f"sleep-{time.time_ns()}"
    (tmp_path / "pipe.py").write_text(
        f"import subprocess\nsubprocess.Popen(['bash', '-c', 'exec -a {mark} sleep 300']).wait()\n"
    )
    spec = {"pipelines": {"train": {"call": "pipe:create"}}}
    several = Case(root=str(tmp_path), spec=msgspec.convert(spec, CaseFile))
    running = engine.run(
        several, [Job(item="dp.03", probe="shuffle_order"), Job(item="ds.03", probe="class_balance_live")], live=True
    )
    next(running)
    while subprocess.run(["pgrep", "-f", mark], capture_output=True).returncode:
        time.sleep(0.05)
    running.close()  # type: ignore[attr-defined]
    assert subprocess.run(["pgrep", "-f", mark], capture_output=True).returncode == 1
