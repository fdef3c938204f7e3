"""Weights of real trainings under watch, as they were before the first step."""

import pytest

from accucheck.model import Level, Verdict
from accucheck.probes.watched_weights import suggest
from watched_trainings import judged


@pytest.mark.mindspore
def test_random_weights_are_in_order_and_refute_what_scripts_seem_to_say(watched_runs):
    found = judged(watched_runs["healthy"], "watched_weights")
    assert {*found} == {"varied"}
    assert found["varied"].data["count"] == 4
    assert found["varied"].refutes[0].probe == "zero_weights_script"


@pytest.mark.mindspore
def test_zeros_in_a_residual_branch_are_information(watched_runs):
    found = judged(watched_runs["residual-zeros"], "watched_weights")
    assert suggest(found.values()) is Verdict.OK
    assert found["starts-constant"].data["names"] == ["second.weight"]


@pytest.mark.mindspore
def test_zeros_on_the_only_way_of_the_gradient_are_suspect(watched_runs):
    root = watched_runs["zeros-between"]
    found = judged(root, "watched_weights")["blocks"]
    assert (found.level, found.data["name"]) == (Level.SUSPECT, "third.weight")
    assert found.where.line is not None
    assert "self.third = " in (root / "train.py").read_text().splitlines()[found.where.line - 1]


@pytest.mark.mindspore
def test_units_that_stay_alike_are_a_problem(watched_runs):
    found = judged(watched_runs["alike"], "watched_weights")
    assert (found["units-alike"].level, found["units-alike"].data["names"]) == (Level.PROBLEM, ["third.weight"])


@pytest.mark.mindspore
def test_a_layer_that_starts_as_one_constant_is_suspect(watched_runs):
    found = judged(watched_runs["constant-and-partly-loaded"], "watched_weights")["constant-layer"]
    assert (found.level, found.data["name"]) == (Level.SUSPECT, "third.weight")


@pytest.mark.mindspore
@pytest.mark.parametrize(
    ("kind", "code", "level"),
    [
        ("healthy", "nothing-loaded", Level.INFO),
        ("loaded", "loaded", Level.INFO),
        ("left-out", "left-out", Level.SUSPECT),
        ("initialised-after-loading", "overwritten", Level.PROBLEM),
        ("constant-and-partly-loaded", "fits-partly", Level.SUSPECT),
        ("other-names", "fits-nothing", Level.PROBLEM),
        ("never-applied", "not-applied", Level.SUSPECT),
    ],
)
def test_loads_are_judged_by_what_is_in_the_network_when_training_begins(watched_runs, kind, code, level):
    found = judged(watched_runs[kind], "watched_weights", about="loading")
    assert found[code].level is level
    assert {one.code for one in found.values() if one.level is not Level.INFO} == {code} - {"nothing-loaded", "loaded"}
    refuted = [code for one in found.values() for entry in one.refutes for code in entry.codes]
    assert ("overwritten" in refuted) is (kind in ("loaded", "left-out"))
    if kind == "loaded":
        text = (watched_runs[kind] / "train.py").read_text().splitlines()
        lines = [text[first - 1] for first, _ in found["loaded"].refutes[0].places["train.py"]]
        assert ["load_param_into_net" in lines[0], "load_checkpoint" in lines[1]] == [True, True]


@pytest.mark.mindspore
def test_weights_that_are_declared_to_be_one_and_are_two_are_a_problem(watched_runs):
    design = ("design.shared=[['second.weight', 'third.weight']]",)
    found = judged(watched_runs["healthy"], "watched_weights", design, about="sharing")
    assert found["declared-apart"].level is Level.PROBLEM
    design = ("design.shared=[['second.weight', 'fourth.weight']]",)
    found = judged(watched_runs["healthy"], "watched_weights", design, about="sharing")
    assert (found["unmatched"].level, found["unmatched"].data["names"]) == (Level.SUSPECT, ["fourth.weight"])
    found = judged(watched_runs["healthy"], "watched_weights", about="sharing")
    assert suggest(found.values()) is Verdict.NOT_APPLICABLE
