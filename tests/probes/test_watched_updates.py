"""What real trainings under watch moved."""

import pytest

from accucheck.model import Level, Verdict, suggest
from watched_trainings import judged


@pytest.mark.mindspore
def test_a_healthy_training_moves_all(watched_runs):
    found = judged(watched_runs["healthy"], "watched_updates")
    assert suggest(found.values()) is Verdict.OK
    # The bias before a BatchNorm has a gradient of rounding alone, and may stay.
    still = found["still"].data["names"] if "still" in found else []
    assert {*still} <= {"first.bias"}
    data = found["moved"].data
    assert (data["moved"], data["all"], data["steps"]) == (10 - len(still), 10, 12)
    refuted = {one.probe: one.codes for one in found["moved"].refutes}
    assert {"layers-unheld", "optimizer-part"} <= {*refuted["frozen_weights_script"]}
    assert "left-out" in refuted["optimizer_parameters"]


@pytest.mark.mindspore
def test_layers_without_a_gradient_are_suspect_even_where_decay_moves_them(watched_runs):
    found = judged(watched_runs["asnumpy"], "watched_updates")
    assert found["no-gradient"].level is Level.SUSPECT
    assert found["no-gradient"].data["names"] == ["first.weight", "first.bias", "norm.gamma", "norm.beta"]
    assert not found["moved"].refutes


@pytest.mark.mindspore
def test_weights_that_no_optimizer_holds_are_suspect(watched_runs):
    found = judged(watched_runs["part"], "watched_updates")
    assert found["not-given"].level is Level.SUSPECT
    assert not found["moved"].refutes
    assert found["not-given"].data["names"] == [
        "first.weight",
        "first.bias",
        "norm.gamma",
        "norm.beta",
        "head.weight",
        "…",
    ]
    root = watched_runs["part"]
    assert (
        suggest(judged(root, "watched_updates", ("design.frozen=['first.*', 'head.*', 'norm.*']",)).values())
        is Verdict.OK
    )


@pytest.mark.mindspore
def test_a_layer_that_is_frozen_at_random_values_is_suspect_unless_it_is_meant(watched_runs):
    found = judged(watched_runs["frozen"], "watched_updates")
    assert (found["frozen-random"].level, found["frozen-random"].data["names"]) == (Level.SUSPECT, ["first.weight"])
    assert [one.probe for one in found["moved"].refutes] == ["optimizer_parameters"]
    assert found["frozen"].data["names"] == ["first.bias"]
    found = judged(watched_runs["frozen"], "watched_updates", ("design.frozen=['first.*']",))
    assert {one.level for one in found.values()} == {Level.INFO}
    assert found["frozen"].data["names"] == ["first.weight", "first.bias"]


@pytest.mark.mindspore
def test_updates_that_are_taken_back_move_nothing(watched_runs):
    found = judged(watched_runs["undone"], "watched_updates")
    assert found["nothing-moves"].level is Level.PROBLEM


@pytest.mark.mindspore
def test_gradients_with_their_sign_turned_make_the_loss_larger(watched_runs):
    found = judged(watched_runs["uphill"], "watched_updates")
    assert (found["turned"].level, found["turned"].data["share"]) == (Level.PROBLEM, -1.0)
    assert found["turned"].data["form"]["en"] == "the cross entropy"
    assert not {"turned", "turned-perhaps"} & {*judged(watched_runs["healthy"], "watched_updates")}


@pytest.mark.mindspore
def test_weights_that_move_against_the_design_are_a_problem(watched_runs):
    found = judged(watched_runs["healthy"], "watched_updates", ("design.frozen=['first.weight']",))
    assert found["declared-moves"].level is Level.PROBLEM


@pytest.mark.mindspore
def test_an_average_that_never_follows_the_weights_is_suspect(watched_runs):
    found = judged(watched_runs["average-lost"], "watched_updates")["evaluated-still"]
    assert (found.level, found.data["network"], found.data["steps"]) == (Level.SUSPECT, "Net", 12)
    assert "first.weight" in found.data["names"] and found.where.path == "train.py"
    assert "evaluated-still" not in judged(watched_runs["average"], "watched_updates")


@pytest.mark.mindspore
def test_gradients_in_the_order_of_other_parameters_are_a_problem(watched_runs):
    found = judged(watched_runs["gradients-of-others"], "watched_updates")["crossed"]
    assert (found.level, found.data["count"]) == (Level.PROBLEM, 2)
    assert found.data["pairs"] == ["second.weight ← third.weight", "third.weight ← second.weight"]
    assert "crossed" not in judged(watched_runs["healthy"], "watched_updates")
