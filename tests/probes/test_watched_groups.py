"""Weight decay and rates in force in real trainings under watch."""

import pytest

from accucheck.model import Level
from watched_trainings import judged


@pytest.mark.mindspore
def test_decay_on_weights_alone_is_in_order(watched_runs):
    found = judged(watched_runs["healthy"], "watched_groups")
    assert {*found} == {"in-force"}
    data = found["in-force"].data
    assert (data["weights"], data["vectors"], data["low"], data["high"]) == (["0.001"], ["0"], 0.05, 0.05)


@pytest.mark.mindspore
def test_groups_the_wrong_way_round_are_a_problem(watched_runs):
    root = watched_runs["reversed"]
    found = judged(root, "watched_groups")["reversed"]
    assert (found.level, found.data["count"], found.data["weights"]) == (Level.PROBLEM, 6, 4)
    assert "nn.Momentum" in (root / "train.py").read_text().splitlines()[found.where.line - 1]


@pytest.mark.mindspore
def test_updates_that_are_too_large_for_a_loss_to_fall_are_suspect(watched_runs):
    found = judged(watched_runs["rate-too-high"], "watched_groups")["too-large"]
    assert (found.level, found.data["steps"], found.data["high"]) == (Level.SUSPECT, 24, 5.0)
    assert found.data["last"] > found.data["first"]
    assert found.data["ratio"] > 0.1
    assert {*judged(watched_runs["longer"], "watched_groups")} == {"in-force"}
