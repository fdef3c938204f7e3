"""profile_data on runs that MindSpore profiled: one that waits for its data, and one that does not."""

import msgspec
import pytest

from accucheck.case import Case, CaseFile
from accucheck.model import Level, Verdict, suggest
from accucheck.probes import profile_data, profile_operators, profile_steps
from findings import found_by, of_code, told

pytestmark = pytest.mark.mindspore


def case_of(path) -> Case:
    return Case(root=str(path.parent), spec=msgspec.convert({"profiler": {"path": path.name}}, CaseFile))


def test_a_slow_map_is_a_problem_with_its_stage(profiled_runs):
    found = found_by(profile_data, case_of(profiled_runs["slow map"]), profile_data.Params())
    assert told(found) == {"waits"}
    waits = of_code(found, "waits")
    assert waits.level is Level.PROBLEM and waits.data["share"] > 0.3
    assert waits.data["stage"] == of_code(found, "bottleneck").data["stage"] == "Map"


def test_a_step_that_takes_longer_than_its_data_is_none(profiled_runs):
    found = found_by(profile_data, case_of(profiled_runs["slow step"]), profile_data.Params())
    assert suggest(found) is Verdict.OK and told(found) == set()
    assert of_code(found, "keeps-up").data["share"] < 0.1


def test_the_slowest_operators_of_a_cpu_run_and_no_steps(profiled_runs):
    case = case_of(profiled_runs["slow step"])
    found = found_by(profile_operators, case, profile_operators.Params())
    assert suggest(found) is Verdict.OK
    table = of_code(found, "slowest").evidence[0]
    assert abs(sum(row[5] for row in table.rows) - 100) < 0.5
    assert told(found_by(profile_steps, case, profile_steps.Params())) == set()
    assert suggest(found_by(profile_steps, case, profile_steps.Params())) is Verdict.UNDECIDED
