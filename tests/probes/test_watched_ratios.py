"""Updates of trainings that were really watched, against the weights that they change."""

import pytest

from accucheck.model import Level
from made_once import MadeOnce
from watched_trainings import judged


@pytest.mark.mindspore
@pytest.mark.parametrize(
    ("kind", "code", "levels"),
    [
        ("healthy", "examined", {Level.INFO}),
        ("rate-tiny", "too-small", {Level.SUSPECT}),
        ("rate-too-high", "too-large", {Level.SUSPECT, Level.PROBLEM}),
    ],
)
def test_updates_against_weights(watched_runs: MadeOnce, kind: str, code: str, levels: set[Level]) -> None:
    found = judged(watched_runs[kind], "watched_ratios")
    told = found[code] if code in found else found["replaced"]
    assert told.level in levels
    assert told.where.path == "train.py"
    assert all(one.level is Level.INFO for one in found.values() if one is not told)
    assert not found["examined"].incomplete
    of_rate = judged(watched_runs[kind], "watched_ratios", about="rate")
    assert of_rate.keys() == {"examined"} | ({code} if code == "too-small" else set())
    assert of_rate["examined"].incomplete
