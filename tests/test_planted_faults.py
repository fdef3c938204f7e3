"""Faults planted into the digits example and really trained: each probe finds its own, and nothing in the same project without it."""

import importlib.util
import json
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from command_line import EXAMPLES, accucheck

pytestmark = pytest.mark.mindspore

spec = importlib.util.spec_from_file_location("planted_faults", EXAMPLES / "faults.py")
assert spec is not None and spec.loader is not None
faults = importlib.util.module_from_spec(spec)
sys.modules[spec.name] = faults
spec.loader.exec_module(faults)


BOTH = ("--checklist", "accuracy", "--checklist", "sanity")


def findings(project: Path, item: str) -> dict[str, list[dict[str, Any]]]:
    """What each probe of an item finds, by the command line."""
    ran = accucheck("run", project, "--only", item, *BOTH, "--live", "--json", "--exit-zero", timeout=300)
    assert ran.code == 0, ran
    (found,) = json.loads(ran.out)["items"]
    assert all(result["status"] in ("done", "skipped") for result in found["results"]), ran
    return {result["probe"]: result["findings"] for result in found["results"] if result["status"] == "done"}


@pytest.mark.part(40)
@pytest.mark.parametrize("name", faults.FAULTS)
def test_a_planted_fault_is_found(name: str, tmp_path: Path) -> None:
    fault = faults.FAULTS[name]
    faults.plant(fault, tmp_path / "faulty")
    found = findings(tmp_path / "faulty", fault.item)
    for probe, code in fault.found.items():
        assert [one for one in found[probe] if one["code"] == code and one["level"] != "info"], found[probe]
    following = next_steps(tmp_path / "faulty")
    assert [step for step in following[:3] if fault.item in step["items"] and step["kind"] in ("problem", "suspect")]


def next_steps(project: Path) -> list[dict[str, Any]]:
    """What to do next, once every probe that runs none of the project's code has looked too."""
    ran = accucheck("run", project, *BOTH, "--kind", "static", "--kind", "file", "--exit-zero", timeout=300)
    assert ran.code == 0, ran
    steps: list[dict[str, Any]] = json.loads(accucheck("status", project, *BOTH, "--json").out)["next"]
    return steps


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Any], dict[str, list[dict[str, Any]]]]:
    """What the probes of a fault's item find in the project without it; several faults have the same one, or the same item there."""
    projects: dict[Any, Path] = {}

    @cache
    def found(project: Path, item: str) -> dict[str, list[dict[str, Any]]]:
        return findings(project, item)

    def examined(fault: Any) -> dict[str, list[dict[str, Any]]]:
        made = (fault.given, fault.right, fault.steps)
        if made not in projects:
            projects[made] = tmp_path_factory.mktemp("clean") / "project"
            faults.plant(fault, projects[made], clean=True)
        return found(projects[made], fault.item)

    return examined


@pytest.mark.part(40)
@pytest.mark.parametrize("name", faults.FAULTS)
def test_the_same_project_without_the_fault_is_clean(
    name: str, clean: Callable[[Any], dict[str, list[dict[str, Any]]]]
) -> None:
    fault = faults.FAULTS[name]
    found = clean(fault)
    assert set(fault.found) <= set(found)
    assert [one for probe in found for one in found[probe] if one["level"] != "info"] == []


def test_what_to_do_next_in_a_healthy_project_calls_nothing_a_problem(tmp_path: Path) -> None:
    fault = faults.FAULTS["layer-unused"]
    faults.plant(fault, tmp_path / "clean", clean=True)
    steps = next_steps(tmp_path / "clean")
    assert steps and not [step for step in steps if step["kind"] in ("problem", "suspect")]
