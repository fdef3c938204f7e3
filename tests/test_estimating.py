"""How long the rest of a run takes, as the top line of the walkthrough tells it."""

import pytest

from accucheck.estimating import left


def test_what_is_left_is_told_by_what_was_expected_and_by_the_pace_so_far() -> None:
    likely = {"a": 10.0, "b": 20.0, "c": 30.0}
    assert left({}, {"a"}, 5.0) is None, "nothing tells"
    assert left(likely, {"a", "b", "c"}, 3.0) == 60.0, "nothing is done yet"
    assert left(likely, {"c"}, 30.0) == 30.0
    assert left(likely, {"c"}, 60.0) == 60.0, "twice as slow"
    assert left(likely, {"c"}, 15.0) == 15.0
    assert left(likely, {"c"}, 3000.0) == 150.0, "no more than five times"
    assert left(likely, set(), 3000.0) == 0.0
    assert left({"a": 1.0, "b": 9.0}, {"b"}, 60.0) == pytest.approx(9.0), "too little is done to tell a pace"
