"""examples/digits is healthy and makes itself again; examples/digits_faulty has the four faults it says, and no other."""

import csv
import json
import math
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from accucheck import case as cases
from accucheck import checklist, engine, probe
from accucheck.model import ProbeResult, Status, Verdict, combine
from command_line import accucheck

EXAMPLES = Path(__file__).parents[2] / "examples"
TWINS = ("digits", "digits_faulty")
FAULTS = {
    "ds.01": ["missing_values"],
    "ds.04": ["dataset_digest"],
    "dp.03": ["shuffle_settings", "shuffle_order"],
    "wi.01": ["zero_weights"],
}


def copy(name: str, target: Path, *without: str) -> Path:
    return Path(
        shutil.copytree(
            EXAMPLES / name, target / name, ignore=shutil.ignore_patterns("__pycache__", ".accucheck", *without)
        )
    )


def script(project: Path, *arguments: str) -> str:
    done = subprocess.run([sys.executable, "-B", *arguments], cwd=project, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def made(project: Path) -> dict[str, bytes]:
    files = [project / "data.md5", *(project / "data").rglob("*.*")]
    return {file.relative_to(project).as_posix(): file.read_bytes() for file in files}


def losses(project: Path) -> list[float]:
    return [float(loss) for loss in re.findall(r"loss is (\S+)", (project / "logs/train.log").read_text())]


def accuracy(project: Path) -> float:
    with (project / "logs/eval.csv").open() as stream:
        return float(list(csv.DictReader(stream))[-1]["accuracy"])


def run(project: Path, items: dict[str, list[str]]) -> dict[str, list[ProbeResult]]:
    """The results of the items' probes on a project, by item, as the program gets them."""
    jobs = [engine.Job(item, name) for item, names in items.items() for name in names]
    results: dict[str, list[ProbeResult]] = {item: [] for item in items}
    for event in engine.run(cases.load(project), jobs, live=True):
        if isinstance(event, engine.Finished):
            results[event.job.item].append(event.result)
    return results


def said(result: ProbeResult) -> tuple:
    """What to show when a result is not as expected."""
    codes = [(finding.code, finding.level.value, finding.where, finding.data) for finding in result.findings]
    return result.probe, result.status.value, result.suggestion.value, codes, result.reason, result.log[-1000:]


@pytest.mark.part(2)
@pytest.mark.parametrize("name", TWINS)
def test_the_data_are_made_again_byte_by_byte(name, tmp_path):
    project = copy(name, tmp_path, "data", "data.md5")
    script(project, "prepare.py")
    committed = made(EXAMPLES / name)
    assert len(committed) == 5
    assert made(project) == committed


def test_what_is_committed_is_small_and_tells_the_twins_apart():
    files = [path for name in TWINS for path in (EXAMPLES / name).rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 2_000_000
    assert accuracy(EXAMPLES / "digits") > 0.95
    assert accuracy(EXAMPLES / "digits_faulty") < 0.2
    assert losses(EXAMPLES / "digits")[-1] < 0.1 < 2 < losses(EXAMPLES / "digits_faulty")[-1]


@pytest.mark.mindspore
@pytest.mark.slow
@pytest.mark.parametrize("name", TWINS)
def test_training_runs(name, tmp_path):
    project = copy(name, tmp_path, "checkpoints", "logs")
    script(project, "train.py", "--epochs", "3")
    loss = losses(project)
    assert len(loss) == 3 * 45
    first, last = sum(loss[:20]) / 20, sum(loss[-20:]) / 20
    if name == "digits":
        assert last < first / 2
    else:
        assert first == pytest.approx(math.log(10), abs=0.02)
        assert last == pytest.approx(math.log(10), abs=0.02)
    assert f"{accuracy(project):.4f}" in script(project, "eval.py")
    assert len(script(project, "infer.py").splitlines()) == 355


@pytest.mark.mindspore
@pytest.mark.slow
def test_the_healthy_twin_gets_a_clean_bill(tmp_path):
    for item, results in run(copy("digits", tmp_path), FAULTS).items():
        for result in results:
            assert (item, result.status, result.suggestion) == (item, Status.DONE, Verdict.OK), said(result)


@pytest.mark.mindspore
@pytest.mark.slow
def test_each_planted_fault_is_found_by_every_probe_of_its_item(tmp_path):
    found = run(copy("digits_faulty", tmp_path), FAULTS)
    for item, results in found.items():
        for result in results:
            assert (item, result.status, result.suggestion) == (item, Status.DONE, Verdict.PROBLEM), said(result)
    places = {
        item: {str(finding.where.path) for result in results for finding in result.findings}
        for item, results in found.items()
    }
    assert any(path.endswith("part-1.csv") for path in places["ds.01"])
    assert any(path.endswith("dataset.py") for path in places["dp.03"])
    assert any(path.endswith("init.ckpt") for path in places["wi.01"])
    shown = str([finding for result in found["ds.04"] for finding in result.findings])
    assert "part-1.csv" in shown and "part_2.csv" in shown, "one file differs, one is renamed"


@pytest.mark.mindspore
@pytest.mark.slow
@pytest.mark.parametrize(("name", "expected"), [("digits", set()), ("digits_faulty", set(FAULTS))])
def test_the_whole_checklist_finds_the_planted_faults_and_no_other(name, expected, tmp_path):
    project = copy(name, tmp_path)
    facts, there = cases.load(project).facts(), set(probe.names())
    items = {
        item.id: [use.name for use in item.uses if use.name in there]
        for item in checklist.load("accuracy").items
        if item.applicable(facts)
    }
    assert set(FAULTS) <= set(items)
    found = run(project, items)
    problems = {
        item: [said(result) for result in results]
        for item, results in found.items()
        if combine(results) is Verdict.PROBLEM
    }
    assert set(problems) == expected, {item: shown for item, shown in problems.items() if item not in expected}
    failed = [said(result) for results in found.values() for result in results if result.status is Status.FAILED]
    assert not failed


@pytest.mark.mindspore
@pytest.mark.slow
def test_a_mend_is_proven_by_running_again(tmp_path):
    """Found, mended by the patch, looked at again in code, at run time and, once trained again, in the weights."""
    project = copy("digits_faulty", tmp_path)

    def again(*items: str) -> dict[str, list[tuple[str, str]]]:
        only = [part for item in items for part in ("--only", item)]
        ran = accucheck("run", project, *only, "--live", "--diff", "--json", "--exit-zero", timeout=300)
        assert ran.code == 0, ran
        found = json.loads(ran.stdout)["findings"]
        still = [pair["after"] for pair in found.pop("still")]
        return {
            kind: sorted((each["item"], each["probe"]) for each in findings)
            for kind, findings in {**found, "still": still}.items()
        }

    weights = [("wi.01", "zero_weights")] * 4  # both layers, in the initial and the current checkpoint
    planted = [
        ("dp.03", "shuffle_order"),
        ("dp.03", "shuffle_settings"),
        *[("wi.01", "zero_weights_live")] * 2,
        *[("wi.01", "zero_weights_script")] * 2,
    ]
    nothing = {"gone": [], "new": [], "unknown": [], "fresh": [], "still": []}
    assert again("dp.03", "wi.01") == {**nothing, "fresh": sorted(planted + weights)}
    before = tmp_path / "before.json"
    shutil.copy(project / ".accucheck" / "session.json", before)
    subprocess.run(["git", "apply", "-"], input=accucheck("fix", project).stdout, cwd=project, check=True)
    assert again("dp.03", "wi.01") == {**nothing, "gone": planted, "still": weights}  # these are still the old weights
    script(project, "train.py")
    assert again("wi.01") == {**nothing, "gone": weights}
    found = json.loads(accucheck("diff", before, project, "--json").stdout)["findings"]
    assert len(found.pop("gone")) == 10 and not any(found.values())
