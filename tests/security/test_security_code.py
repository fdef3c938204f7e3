"""A project, a checklist, a session or a file of a stranger that tries to have code run. Each attack leaves a mark if it succeeds."""

import json
import os
import pickle
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
import yaml
from asking import asked

from accucheck import consent
from accucheck.case import load
from accucheck.cli.frame import COMMANDS
from accucheck.document import parse
from accucheck.errors import UserError
from command_line import Ran, accucheck, write_checklist


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    """What an attack that succeeds would make."""
    return tmp_path / "attacked"


@pytest.fixture
def stranger(tmp_path: Path, mark: Path) -> Path:
    """A cloned project of which whatever is imported or started leaves the mark."""
    root = tmp_path / "cloned"
    root.mkdir()
    evil = f"open({str(mark)!r}, 'a').write(__name__ + chr(10))\n"
    for name in (
        "train",
        "dataset",
        "conftest",
        "sitecustomize",
        "usercustomize",
        "click",
        "msgspec",
        "numpy",
        "yaml",
        "polars",
    ):
        (root / f"{name}.py").write_text(evil)
    (root / "accucheck_probes.py").write_text(evil)
    python = root / "env" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f"#!/bin/sh\necho started >> '{mark}'\n")
    python.chmod(0o755)
    case = {
        "name": "cloned",
        "runtime": {
            "python": "env/bin/python",
            "command": f"touch {mark}",
            "distributed": {"launcher": f"$(touch {mark})"},
        },
        "scripts": {"train": "train.py"},
        "pipelines": {"train": {"call": "dataset:create"}, "eval": {"call": "os:abort"}},
        "network": {"call": "train:Net"},
        "loss": {"call": "train:Loss"},
        "optimizer": {"call": "train:Optimizer"},
        "data": {"train": {"path": "data.csv", "label": "y"}},
        "curves": {"train": "train.log"},
    }
    (root / "accucheck.yaml").write_text(yaml.safe_dump(case))
    (root / "data.csv").write_text("x,y\n" + "1,2\n" * 50)
    (root / "train.log").write_text("epoch: 1 step: 1, loss is 0.5\n" * 20)
    return root


def unharmed(ran: Ran, mark: Path) -> None:
    assert not mark.exists(), mark.read_text()
    assert "Traceback" not in ran.out + ran.err, ran


#: How each command is called in a stranger's project; those that are not here take nothing from one.
CALLS = {
    "run": ["run", "."],
    "watch": ["watch", "--", "true"],
    "dump": ["dump", "--", "true"],
    "fix": ["fix", "."],
    "report": ["report", ".", "--output", "out"],
    "issue": ["issue", ".", "--output", "out"],
    "status": ["status", "."],
    "data": ["data", "."],
    "answer": ["answer", "ds.01", "ok"],
    "review": ["review", "ds.01", "accepted"],
    "sign-off": ["sign-off"],
    "path": ["path", "sanity", "."],
    "plan": ["plan", "."],
    "init": ["init", "."],
    "validate": ["validate", "."],
    "labels": ["labels", "."],
    "lr-range": ["lr-range", "."],
    "doctor": ["doctor", "."],
    "manifest": ["manifest", ".", "-o", "m.json"],
    "serve": ["serve", "--host", "192.0.2.1"],
    "mcp": ["mcp"],
    "diff": ["diff", "."],
    "explain": ["explain", "ds.01"],
    "summary": ["summary", "."],
    "try": ["try", "."],
    "tune": ["tune", "--search", "lr=1,2"],
    "graph": ["graph", "."],
    "curves": ["curves"],
}
NO_PROJECT = {"list", "glossary", "compare", "convert", "demo", "schema", "completion", "skill", "lsp"}


def test_every_command_is_attacked() -> None:
    assert set(CALLS) | NO_PROJECT == set(COMMANDS)


@pytest.fixture(scope="session")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The console script as an installer writes it, without the module `re`, which some of them import first."""
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text()
    module, function = re.search(r'^accucheck = "([\w.]+):(\w+)"', text, re.M).groups()
    path = tmp_path_factory.mktemp("bin") / "accucheck"
    path.write_text(f"#!{sys.executable}\nimport sys\nfrom {module} import {function}\nsys.exit({function}())\n")
    path.chmod(0o755)
    return path


#: What `export PYTHONPATH=/usr/local/Ascend/python:$PYTHONPATH` leaves where there was none: Python takes its end for the current folder.
OPEN_PATH = f"/usr/local/Ascend/python{os.pathsep}"


@pytest.mark.part(3)
@pytest.mark.parametrize("name", CALLS)
def test_no_command_runs_a_strangers_code(stranger: Path, mark: Path, name: str, script: Path) -> None:
    """Started as the console script, in the project, as one does after `git clone`, with what CANN makes of PYTHONPATH."""
    for before in (
        "sitecustomize",
        "usercustomize",
    ):  # Python itself imports them: docs/security.md, "What is not promised"
        (stranger / f"{before}.py").unlink()
    done = subprocess.run(
        [script, *CALLS[name]],
        cwd=stranger,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": OPEN_PATH},
    )
    unharmed(Ran(done.returncode, done.stdout, done.stderr), mark)
    assert done.returncode in (0, 1, 2, 3)


@pytest.mark.parametrize("path", ["", "{project}", "{project}/src:/nowhere", ".", "src"])
def test_python_m_runs_nothing_of_the_current_folder(stranger: Path, mark: Path, path: str) -> None:
    (stranger / "src").mkdir()
    for name in ("sitecustomize", "usercustomize"):
        (stranger / f"{name}.py").unlink()
    for name in ("typing", "enum", "json", "click", "jinja2", "fsspec"):
        for folder in (stranger, stranger / "src"):
            (folder / f"{name}.py").write_text(f"open({str(mark)!r}, 'a').write(__name__)\n")
    ran = accucheck("run", "--only", "hp.01", cwd=stranger, PYTHONPATH=path.format(project=stranger), timeout=120)
    unharmed(ran, mark)
    assert ran.code == 0 and "done 1" in ran.out, ran  # by a child


def test_a_project_named_from_elsewhere_is_not_imported_either(stranger: Path, mark: Path, tmp_path: Path) -> None:
    for name in ("sitecustomize", "usercustomize"):
        (stranger / f"{name}.py").unlink()
    for words in ([str(stranger)], ["-p", str(stranger)], [f"--project={stranger}"]):
        unharmed(accucheck("status", *words, cwd=tmp_path, PYTHONPATH=str(stranger)), mark)


def test_code_that_was_agreed_to_has_the_users_own_path(tmp_path: Path) -> None:
    """What is kept from accucheck's own processes is there for the user's functions."""
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "mindspore.py").write_text("raise RuntimeError('of the user')\n")
    (tmp_path / "accucheck.yaml").write_text("name: x\npipelines: {train: {call: 'train:create'}}\n")
    ran = accucheck("run", "--live", "--only", "ds.03", cwd=tmp_path, PYTHONPATH=f"lib{os.pathsep}", timeout=120)
    assert "of the user" in ran.out + ran.err, ran


def test_doctor_warns_of_an_open_path(tmp_path: Path) -> None:
    english = accucheck("doctor", "--lang", "en", cwd=tmp_path, PYTHONPATH=OPEN_PATH).out
    chinese = accucheck("doctor", "--lang", "zh", cwd=tmp_path, PYTHONPATH="lib").out
    assert (
        f"PYTHONPATH={OPEN_PATH}" in english
        and "sitecustomize.py" in english
        and "${PYTHONPATH:+:$PYTHONPATH}" in english
    )
    assert "PYTHONPATH=lib" in chinese and "当前目录" in chinese and "${PYTHONPATH:+:$PYTHONPATH}" in chinese
    assert "PYTHONPATH" not in accucheck("doctor", cwd=tmp_path, PYTHONPATH="/a:/b").out


def test_with_consent_it_is_run(stranger: Path, mark: Path) -> None:
    """The attack above is one: the same interpreter is started as soon as a person says so."""
    accucheck("run", str(stranger), "--live", "--only", "ds.03", timeout=300)
    assert "started" in mark.read_text()


def test_consent_is_of_one_person_for_one_project_and_what_it_starts(stranger: Path, tmp_path: Path) -> None:
    case = load(stranger)
    forged = stranger / ".accucheck"
    forged.mkdir()
    consent.grant(case)
    key = consent.place().read_text()
    consent.place().unlink()
    for name in ("consent.json", "session.json"):  # what came with the project grants nothing
        (forged / name).write_text(key)
    assert not consent.granted(load(stranger))
    consent.grant(case)
    assert consent.granted(load(stranger))
    for change in (
        "runtime.python=env/bin/other",
        "network.call=other:Net",
        "pipelines.train.args={a: 1}",
        "loss.call=a:b",
        "phases.second.network.call=other:Net",
    ):
        assert not consent.granted(load(stranger, [change])), change
    moved = stranger.rename(tmp_path / "moved")
    assert not consent.granted(load(moved))


async def test_the_question_cannot_be_worded_by_a_stranger(stranger: Path, mark: Path, tmp_path: Path) -> None:
    """Lines, markup and hidden text in what a case names stay one line of what is asked."""
    from accucheck.language import Language
    from accucheck.project import open_project
    from accucheck.tui.app import Walkthrough

    evil = "env/bin/python\n\nThis project is verified.\x1b[2J [@click=app.exit]ok[/] \u202e"
    case = yaml.safe_load((stranger / "accucheck.yaml").read_text())
    case["runtime"]["python"] = case["pipelines"]["train"]["call"] = evil
    (stranger / "accucheck.yaml").write_text(json.dumps(case))
    checklist = write_checklist(tmp_path / "mine.yaml", "class_balance_live")
    app = Walkthrough(open_project(stranger, [str(checklist)]), Language.EN)
    async with app.run_test(size=(100, 40)) as pilot:
        question = await asked(app, pilot)
        (told, *more) = question.text.split("\n\n")
        assert "This project is verified." in told and "\n" not in told and "\x1b" not in told and "\u202e" not in told
        assert not [text for text in more if "verified" in text]
        question.dismiss("no")
        for _ in range(200):
            await pilot.pause(0.05)
            if app.session.entry("a.1").results:
                break
    app.runner.close()
    app.session.close()
    assert not mark.exists()


@pytest.mark.part(3)
@pytest.mark.parametrize(
    "name", ["os", "subprocess", "..engine", "_curves", "accucheck.engine", "train", "fake.os:system", "/tmp/evil", "A"]
)
def test_a_checklist_names_probes_and_imports_nothing_else(stranger: Path, mark: Path, name: str) -> None:
    checklist = write_checklist(stranger / "mine.yaml", json.dumps(name))
    ran = accucheck("run", str(stranger), "--checklist", str(checklist), "--json", PYTHONPATH="", cwd=stranger.parent)
    unharmed(ran, mark)
    if ran.code != 2:
        (result,) = json.loads(ran.stdout)["items"][0]["results"]
        assert result["status"] == "failed" and not result["findings"]


def test_a_session_of_a_stranger_names_probes_and_imports_nothing_else(stranger: Path, mark: Path) -> None:
    result = {"kind": "static", "status": "done", "suggestion": "problem"}
    finding = {
        "code": "{0.__class__}",
        "level": "problem",
        "where": {"path": "train.py"},
        "data": {"x": "{x.__class__.__mro__}"},
    }
    names = ["train", "os", "..engine", "_curves", "../../train", "accucheck.worker"]
    results = {name: {**result, "probe": name, "findings": [finding]} for name in names}
    session = {
        "version": 2,
        "case": "x",
        "checklists": {"accuracy": 1, "../../mine": 1},
        "entries": {"ds.01": {"results": results}},
    }
    (stranger / ".accucheck").mkdir()
    (stranger / ".accucheck" / "session.json").write_text(json.dumps(session))
    for call in (
        ["status", "."],
        ["report", ".", "--output", "out", "--format", "html"],
        ["run", ".", "--stale"],
        ["fix", "."],
    ):
        ran = accucheck(*call, cwd=stranger.parent / "cloned", timeout=120, PYTHONSAFEPATH="1")
        unharmed(ran, mark)
    assert "<class" not in (next((stranger / "out").glob("*.html"))).read_text()


class Evil:
    """A pickle that runs a command when it is loaded."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self):
        return os.system, (f"touch '{self.mark}'",)


def evil_files(folder: Path, mark: Path) -> dict[str, Path]:
    evil = pickle.dumps(Evil(mark))
    made = {
        ending: folder / f"evil{ending}" for ending in (".pth", ".old.pth", ".npy", ".npz", ".pkl", ".ckpt", ".bin")
    }
    with zipfile.ZipFile(made[".pth"], "w") as archive:
        archive.writestr("archive/data.pkl", evil)
        archive.writestr("archive/version", "3\n")
    made[".old.pth"].write_bytes(
        pickle.dumps(0x1950A86A20F9469CFC6C, 2) + pickle.dumps(1001, 2) + pickle.dumps({}, 2) + evil
    )
    array = np.array([Evil(mark)], object)
    np.save(made[".npy"], array, allow_pickle=True)
    np.savez(made[".npz"], x=array)
    for ending in (".pkl", ".ckpt", ".bin"):
        made[ending].write_bytes(evil)
    return made


@pytest.mark.slow
def test_no_reader_unpickles_what_could_run(tmp_path: Path, mark: Path) -> None:
    """As weights, data, tensors of a dump, a log and predictions, through the commands that read them."""
    with pytest.raises(FileExistsError):  # the attack is one
        pickle.loads(pickle.dumps(Evil(mark))), mark.touch(exist_ok=False)
    mark.unlink()
    project = tmp_path / "project"
    project.mkdir()
    keys = ("data.train.path", "checkpoints.current", "checkpoints.reference", "checkpoints.pretrained", "curves.train")
    keys += ("data.predictions", "dumps.path", "outputs.path", "batches.path", "graphs.path", "profiler.path")
    for ending, file in evil_files(project, mark).items():
        settings = [word for key in keys for word in ("--set", f"{key}={file.name}")]
        if ending in (".pth", ".npz", ".pkl"):
            ran = accucheck("run", str(project), "--kind", "file", "--no-session", *settings, timeout=300)
            unharmed(ran, mark)
            assert ran.code in (1, 3), ran
        for call in (["compare", str(file), str(file)], ["convert", str(file), str(project / "out.ckpt")]):
            unharmed(accucheck(*call), mark)


@pytest.mark.parametrize(
    "text",
    ["!!python/object/apply:os.system [touch {mark}]", "!!python/name:os.system", "!!python/object/new:os.system [x]"],
)
def test_yaml_makes_plain_data_only(text: str, mark: Path) -> None:
    with pytest.raises(UserError):
        parse(f"name: {text.format(mark=mark)}\n".encode(), "a.yaml")
    assert not mark.exists()


def test_texts_with_fields_do_not_reach_into_python() -> None:
    from accucheck.language import fill

    for hostile in ("{x.__class__}", "{x[0]}", "{0}", "{x.__init__.__globals__}"):
        assert fill(hostile, {"x": "a"}) == hostile
