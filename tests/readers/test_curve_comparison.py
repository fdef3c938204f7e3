"""Curves against each other: steps that fit together, what a log's digits show, where a difference begins."""

import numpy as np
import pytest

from accucheck.readers.curve_comparison import align, compare, relative, resolution, spread

STEPS = np.arange(1, 301)


def losses(seed: int = 0, count: int = 300) -> np.ndarray:
    """A training that falls from 2.3 to 0.3, with the ups and downs of its batches."""
    random = np.random.default_rng(seed)
    return 0.3 + 2 * np.exp(-np.arange(count) / 60) + 0.05 * random.normal(size=count)


def rounded(values: np.ndarray, seed: int = 1) -> np.ndarray:
    """The same in another framework: float32 rounding."""
    return values * (1 + 1e-7 * np.random.default_rng(seed).normal(size=len(values)))


@pytest.mark.parametrize(
    ("ours", "theirs", "shift", "points", "alone"),
    [
        ([1, 2, 3], [1, 2, 3], 0, 3, (0, 0)),
        ([0, 1, 2], [1, 2, 3], 1, 3, (0, 0)),
        ([1, 2, 3, 4], [0, 1, 2], -1, 3, (1, 0)),
        ([1, 2, 3, 4, 5, 6], [2, 4, 6, 8], 0, 3, (3, 1)),
        ([99, 199, 299], [100, 200, 300], 1, 3, (0, 0)),
        ([2, 3, 4, 5], [1, 2, 3], 0, 2, (2, 1)),
        ([1, 3, 4], [1, 2, 4], 0, 2, (1, 1)),
        ([1, 2], [50, 60], 0, 0, (2, 2)),
        ([], [1, 2], 0, 0, (0, 2)),
    ],
)
def test_steps_are_aligned(ours: list[int], theirs: list[int], shift: int, points: int, alone: tuple[int, int]) -> None:
    first, second = np.array(ours, float), np.array(theirs, float)
    found = align(first, first * 10, second, second * 10)
    assert (found.shift, len(found.x), (found.ours_alone, found.theirs_alone)) == (shift, points, alone)
    assert np.isin(found.x, first).all() and (found.theirs - found.ours == 10 * shift).all()


def test_what_the_digits_of_a_log_show() -> None:
    values = losses()
    assert (resolution(np.round(values, 3)) == 1e-3).all()
    assert (resolution(values) == 0).all() and (resolution(values.astype(np.float32).astype(float)) == 0).all()
    digits = resolution(np.array([float(f"{value:.4g}") for value in values * 10]))
    assert digits[0] == pytest.approx(0.01) and digits[-1] == pytest.approx(0.001)
    assert (resolution(np.array([np.nan, np.inf, 1.0])) == 0).all()


def test_rounding_is_no_difference() -> None:
    found = compare(rounded(losses()), losses())
    assert found.visible is found.origin is found.early is None and not found.lone
    for decimals in (2, 3, 4):
        found = compare(np.round(rounded(losses()), decimals), np.round(losses(), decimals))
        assert found.visible is None, decimals


@pytest.mark.parametrize("at", [0, 1, 2, 40, 200, 298])
@pytest.mark.parametrize("size", [0.003, 0.3])
def test_a_jump_is_found_where_it_is(at: int, size: float) -> None:
    ours = rounded(losses())
    ours[at:] *= 1 + size
    found = compare(ours, losses())
    assert found.origin == found.visible == found.early == at and found.jump > 1000


def test_a_fault_that_grows_into_sight_begins_where_it_jumps() -> None:
    """As a bias that lacks in the last layer does: 9e-4, then 5e-3; the bare rule of 1e-3 takes it for the second step's."""
    ours = rounded(losses())
    ours *= 1 + np.concatenate([[9.2e-4, 4.8e-3], np.full(298, 0.01)])
    found = compare(ours, losses())
    assert (found.origin, found.visible) == (0, 1)


def test_a_later_jump_is_one_of_its_own() -> None:
    """Two devices differ by 2e-5 from the first step on; the fault is at step 100."""
    ours = losses() * (1 + 2e-5 * np.where(np.arange(300) % 2, 1, -1))
    ours[99:] *= 1.05
    found = compare(ours, losses())
    assert (found.early, found.origin, found.visible) == (0, 99, 99)


def test_rounding_that_grows_has_no_origin() -> None:
    for rate in (1.05, 1.1, 1.2):
        ours = losses() * (1 + np.minimum(1e-7 * rate ** np.arange(300), 0.05))
        found = compare(ours, losses())
        assert found.visible is not None and found.origin is None, rate


def test_a_lone_point_is_no_fork() -> None:
    ours = rounded(losses())
    ours[70] *= 2
    found = compare(ours, losses())
    assert found.visible is None and found.lone == [70]


def test_noise_of_two_runs_hides_what_is_smaller() -> None:
    noise = spread(relative(losses(2), losses(3)))
    found = compare(losses(4), losses(2), noise)
    assert found.visible is None
    ours = losses(4)
    ours[150:] += 2
    found = compare(ours, losses(2), noise)
    assert found.origin is not None and 145 <= found.origin <= 150
    assert (np.diff(noise) >= 0).all()


def test_numbers_that_are_none() -> None:
    ours, theirs = rounded(losses()), losses()
    ours[50:], theirs[80] = np.nan, np.inf
    found = compare(ours, theirs)
    assert (found.ours_bad, found.theirs_bad, found.visible) == (50, 80, None)
    nothing = compare(np.full(5, np.nan), theirs[:5])
    assert (nothing.ours_bad, nothing.theirs_bad, nothing.visible) == (0, None, None)
    assert compare(np.array([]), np.array([])).visible is None
    zeros = compare(np.zeros(5), np.zeros(5))
    assert zeros.visible is None
