"""Modes of real trainings under watch."""

import pytest

from accucheck.model import Level, Verdict, suggest
from watched_trainings import judged


def line_of(root, finding):
    return (root / finding.where.path).read_text().splitlines()[finding.where.line - 1].strip()


@pytest.mark.mindspore
def test_a_healthy_training_is_in_order(watched_runs):
    found = judged(watched_runs["healthy"], "watched_modes")
    assert {*found} == {"in-order"}
    assert (found["in-order"].data["count"], found["in-order"].data["all"]) == (2, 12)
    assert found["in-order"].data["passes"] > 0
    before, asleep = found["in-order"].refutes
    assert "not-set-back" in before.codes
    assert "evaluated-in-training" in asleep.codes
    text = (watched_runs["healthy"] / "train.py").read_text().splitlines()
    assert [text[first - 1].strip()[:8] for first, _ in asleep.places["train.py"]] == ["right = "]


@pytest.mark.mindspore
def test_an_evaluation_that_leaves_inference_mode_is_named_with_the_step_and_the_line(watched_runs):
    root = watched_runs["left"]
    left = judged(root, "watched_modes")["left-in-inference"]
    assert (left.level, left.data["step"], left.data["steps"]) == (Level.PROBLEM, 5, 8)
    assert left.data["names"] == ["norm", "drop"]
    assert line_of(root, left) == "net.set_train(False)"


@pytest.mark.mindspore
def test_a_network_that_nothing_switches_trains_in_inference_mode(watched_runs):
    found = judged(watched_runs["never-switched"], "watched_modes")
    assert found["never-in-training"].level is Level.PROBLEM
    assert found["never-in-training"].data["steps"] == 12


@pytest.mark.mindspore
def test_an_evaluation_in_training_mode_is_suspect(watched_runs):
    found = judged(watched_runs["evaluated-in-training"], "watched_modes")
    assert found["evaluated-in-training"].level is Level.SUSPECT
    assert line_of(watched_runs["evaluated-in-training"], found["evaluated-in-training"]).startswith("right = ")
    assert found["in-order"].data["count"] == 2
    assert not any("evaluated-in-training" in one.codes for one in found["in-order"].refutes)


@pytest.mark.mindspore
def test_a_normalisation_that_was_loaded_and_is_kept_in_inference_mode_is_information(watched_runs):
    found = judged(watched_runs["norm-kept-loaded"], "watched_modes")
    assert suggest(found.values()) is Verdict.OK
    assert found["kept-in-inference"].data["names"] == ["norm"]


@pytest.mark.mindspore
@pytest.mark.parametrize("kind", ["norm-kept", "statistics-off"])
def test_statistics_that_stay_as_they_were_made_are_suspect(watched_runs, kind):
    root = watched_runs[kind]
    kept = judged(root, "watched_modes")["statistics-kept"]
    assert (kept.level, kept.data["names"]) == (Level.SUSPECT, ["norm"])
    assert line_of(root, kept).startswith("self.norm = ")


@pytest.mark.mindspore
def test_a_mode_that_only_a_cell_of_ones_own_reads_is_suspect(watched_runs):
    found = judged(watched_runs["own-mode-and-large"], "watched_modes")
    assert {one.code for one in found.values() if one.level is not Level.INFO} == {"own-in-inference"}
    assert (found["own-in-inference"].level, found["own-in-inference"].data["names"]) == (Level.SUSPECT, ["norm"])


@pytest.mark.mindspore
def test_a_part_with_random_weights_that_is_kept_in_inference_mode_is_suspect(watched_runs):
    found = judged(watched_runs["part-kept"], "watched_modes")
    assert found["part-never-in-training"].level is Level.SUSPECT
    assert (found["part-never-in-training"].data["part"], found["part-never-in-training"].data["names"]) == (
        "second",
        ["second.1"],
    )


@pytest.mark.mindspore
@pytest.mark.parametrize(("kind", "name"), [("drops-by-function", "dropout"), ("drops-by-operator", "Dropout")])
def test_what_drops_values_in_inference_mode_is_named_with_its_line(watched_runs, kind, name):
    root = watched_runs[kind]
    found = judged(root, "watched_modes")["drops-in-inference"]
    assert (found.level, found.data["name"], found.data["share"]) == (Level.PROBLEM, name, 0.1)
    assert line_of(root, found).startswith("x = ops.dropout" if name == "dropout" else "x, _ = self.drop(x)")


@pytest.mark.mindspore
def test_a_function_that_asks_for_the_mode_is_in_order(watched_runs):
    assert suggest(judged(watched_runs["drops-by-mode"], "watched_modes").values()) is Verdict.OK
