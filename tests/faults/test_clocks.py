"""Clocks that jump: forwards, backwards, and at every look. Durations and time-outs come from a clock that does not, and the order of
what a person said is the order in which it was said."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from accucheck import manifest
from accucheck.session import open_session
from command_line import write_checklist

pytestmark = pytest.mark.part(40)

#: What Python runs at the start of this process and of all that it starts: the time of day as the variable JUMPS says.
JUMPING = """
import datetime, itertools, os, time
kind, day = os.environ["JUMPS"], 86400.0
real, real_ns, calls = time.time, time.time_ns, itertools.count(os.getpid())
def shift():
    if kind == "to and fro":
        return day * 400 * (-1) ** next(calls)
    return {"forwards": 3650 * day, "backwards": -3650 * day}[kind]
time.time = lambda: real() + shift()
time.time_ns = lambda: real_ns() + int(shift() * 1e9)
class Jumping(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(real() + shift(), tz)
datetime.datetime = Jumping
"""
KINDS = ("forwards", "backwards", "to and fro")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "logs").mkdir(parents=True)
    (folder / "accucheck.yaml").write_text("name: x\ncurves: {train: logs/train.csv}\nscripts: {train: train.py}\n")
    (folder / "train.py").write_text("import mindspore as ms\nms.set_seed(1)\n")
    (folder / "logs/train.csv").write_text("step,loss\n" + "".join(f"{n},{1 / n:.4f}\n" for n in range(1, 300)))
    os.utime(folder / "logs/train.csv", (2**33, 2**33))  # far in the future
    os.utime(folder / "train.py", (-1000, -1000))  # before 1970
    return folder


@pytest.fixture
def accucheck(tmp_path: Path, project: Path):
    """accucheck(kind, *arguments) under a clock that jumps: exit code, standard output and error."""
    (tmp_path / "start").mkdir()
    (tmp_path / "start/sitecustomize.py").write_text(JUMPING)

    def ran(kind: str, *arguments: object) -> tuple[int, str, str]:
        path = os.pathsep.join([str(tmp_path / "start"), *filter(None, [os.environ.get("PYTHONPATH")])])
        done = subprocess.run(
            [sys.executable, "-m", "accucheck", *map(str, arguments)],
            cwd=project,
            env={**os.environ, "PYTHONPATH": path, "JUMPS": kind},
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert "Traceback" not in done.stderr and "inside accucheck" not in done.stderr, done.stderr
        return done.returncode, done.stdout, done.stderr

    return ran


def test_the_clock_really_jumps(accucheck, project) -> None:
    for kind, year in (("forwards", 2030), ("backwards", 2022)):
        assert accucheck(kind, "answer", "ds.01", "ok")[0] == 0
        with open_session(project, write=False) as session:
            moment = session.entry("ds.01").when
        assert (int(moment[:4]) > year) == (kind == "forwards"), moment


@pytest.mark.parametrize("kind", KINDS)
def test_the_last_word_counts_whatever_its_date(accucheck, project, kind) -> None:
    said = ["ok", "problem", "not_applicable", "problem"]
    for number, conclusion in enumerate(said):
        assert (
            accucheck(kind if number % 2 else "forwards", "answer", "ds.01", conclusion, "--note", str(number))[0] == 0
        )
    with open_session(project, write=False) as session:
        entry = session.entry("ds.01")
        assert (entry.conclusion.value, entry.note) == ("problem", "3")
        assert [step.conclusion.value for step in entry.history] == said
    code, out, _ = accucheck(kind, "review", "ds.01", "accept", "--as", "another")
    assert code == 0, out
    code, out, _ = accucheck(kind, "status", ".", "--json")
    row = next(row for row in json.loads(out)["items"] if row["id"] == "ds.01")
    assert code == 0 and row["conclusion"] == "problem" and row["review"]["judgement"] == "accepted", row


@pytest.mark.parametrize("kind", KINDS)
def test_no_probe_runs_out_of_time_and_no_duration_is_odd(accucheck, project, fakes, kind) -> None:
    checklist = write_checklist(project / "mine.yaml", "epoch_curve", "training_settings", "fake_problem", each=True)
    code, out, err = accucheck(kind, "run", ".", "--checklist", checklist, "--timeout", "200", "--json")
    results = [result for item in json.loads(out)["items"] for result in item["results"]]
    assert code == 1 and len(results) == 3, err
    assert all(result["status"] == "done" and 0 <= result["seconds"] < 200 for result in results), results
    code, out, err = accucheck(kind, "status", ".", "--checklist", checklist, "--json")
    assert code == 0 and not any(row["stale"] for row in json.loads(out)["items"]), err
    (project / "logs/train.csv").write_text("step,loss\n1,2\n2,1\n")
    code, out, err = accucheck(kind, "status", ".", "--checklist", checklist, "--json")
    assert [row["stale"] for row in json.loads(out)["items"]] == [True, False, False]
    code, out, err = accucheck(
        kind, "report", ".", "--checklist", checklist, "-o", "out", "--format", "md", "--format", "json"
    )
    assert code == 0 and len(list((project / "out").glob("x-accuracy.*"))) == 2, err


@pytest.mark.parametrize("kind", KINDS)
def test_a_manifest_sees_what_changed(accucheck, project, kind) -> None:
    tree = project / "logs"
    assert accucheck("forwards", "manifest", tree, "-o", "logs.json")[0] == 0
    first = {file.path: file.md5 for file in manifest.read(project / "logs.json").files}
    (tree / "train.csv").write_bytes((tree / "train.csv").read_bytes()[::-1])  # of the same size
    os.utime(tree / "train.csv", (2**33, 2**33))  # and of the same time
    assert accucheck(kind, "manifest", tree, "-o", "logs.json")[0] == 0
    second = {file.path: file.md5 for file in manifest.read(project / "logs.json").files}
    assert first.keys() == second.keys() and first != second
