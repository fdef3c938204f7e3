"""Where MindSpore is not installed, everything but live probes says what it says beside it, and those say what to do."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from command_line import Ran, accucheck, copy_example

pytestmark = [pytest.mark.slow, pytest.mark.part(40)]

REASON = "has no MindSpore. Set runtime.python to the interpreter of the training environment, or install MindSpore"


def run(python: str, *arguments: str | Path) -> Ran:
    process = subprocess.run(
        [python, "-m", "accucheck", *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=300
    )
    return Ran(process.returncode, process.stdout, process.stderr)


def results(ran: Ran) -> dict[tuple[str, str], dict[str, Any]]:
    assert ran.code in (0, 1) and "Traceback" not in ran.err, ran
    found = {}
    for item in json.loads(ran.out)["items"]:
        for result in item["results"]:
            del result["seconds"]
            found[item["id"], result["probe"]] = result
    return found


def test_it_is_not_there(bare_python: str) -> None:
    code = "import importlib.util as u; print(*[u.find_spec(name) for name in ('mindspore', 'torch')], u.find_spec('numpy').name)"
    out = subprocess.run([bare_python, "-c", code], capture_output=True, text=True, check=True, timeout=60).stdout
    assert out.split() == ["None", "None", "numpy"]


@pytest.mark.parametrize("checklist", ["accuracy", "sanity", "migration", "performance"])
def test_static_and_file_probes_say_the_same_and_live_ones_what_to_do(
    bare_python: str, checklist: str, tmp_path: Path
) -> None:
    words = ("--checklist", checklist, "--json", "--no-session")
    one, other = (
        copy_example("digits_faulty", tmp_path / name) for name in "ab"
    )  # MD5s of a folder are kept for the next run
    beside = results(accucheck("run", one, *words, timeout=300))
    without = results(run(bare_python, "run", other, *words, "--live"))
    assert without.keys() == beside.keys()
    live = {key for key, result in beside.items() if result["kind"] == "live"}
    assert {key: without[key] for key in without.keys() - live} == {key: beside[key] for key in beside.keys() - live}
    assert any(result["status"] == "done" for result in without.values())
    for key in live:
        assert without[key]["status"] == "skipped" and without[key]["reason"]["code"] in (
            "no-mindspore",
            "missing-input",
        )
    told = [without[key]["reason"]["message"] for key in live if without[key]["reason"]["code"] == "no-mindspore"]
    assert all(REASON in message for message in told) and (told or checklist == "migration")


def test_commands_end_in_order(bare_python: str, tmp_path: Path) -> None:
    project = copy_example("digits", tmp_path)
    doctor = run(bare_python, "doctor", project)
    assert doctor.code == 0 and "MindSpore: not found" in doctor.out, doctor
    trial = run(bare_python, "lr-range", project, "--live", "--force")
    assert trial.code == 2 and REASON in trial.err and "Traceback" not in trial.err, trial
    weights = project / "checkpoints"
    compared = run(bare_python, "compare", weights / "init.ckpt", weights / "digits.ckpt", "--json")
    beside = accucheck("compare", weights / "init.ckpt", weights / "digits.ckpt", "--json", timeout=300)
    assert (compared.code, compared.out, compared.err) == (beside.code, beside.out, beside.err)
    report = run(
        bare_python, "report", project, "--format", "html", "--format", "docx", "--output", tmp_path / "reports"
    )
    assert report.code == 0 and len(list((tmp_path / "reports").iterdir())) == 2, report
