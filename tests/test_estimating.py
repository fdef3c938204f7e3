"""How long the rest of a run takes, as the top line of the walkthrough tells it."""

import pytest

from accucheck.estimating import left, load


def test_what_is_left_is_told_by_what_was_expected_and_by_the_pace_so_far() -> None:
    likely = {"a": 10.0, "b": 20.0, "c": 30.0}
    assert left({}, {"a"}, 5.0) is None, "nothing tells"
    assert left(likely, {"a", "b", "c"}, 3.0, {"a": 3.0}) == pytest.approx(57.0), "as expected so far"
    assert left(likely, {"c"}, 30.0) == pytest.approx(30.0)
    assert left(likely, {"c"}, 60.0) == pytest.approx(30.0 * 78 / 48), "slower, and what was expected counts too"
    assert left(likely, {"c"}, 15.0) == pytest.approx(30.0 * 33 / 48)
    assert left(likely, {"c"}, 30000.0) == pytest.approx(600.0), "no more than twenty times"
    assert left(likely, set(), 3000.0) == 0.0


def test_a_job_that_is_late_is_expected_to_be_late_still() -> None:
    likely = {"a": 10.0, "b": 20.0}
    told = [left(likely, {"b"}, 10.0 + seconds, {"b": seconds}) for seconds in (0.0, 10.0, 40.0, 80.0)]
    assert told == [pytest.approx(20.0), pytest.approx(10.0), pytest.approx(14.0), pytest.approx(28.0)]
    assert load() >= 1.0
