"""Comparing pairs of tensors of dumps, against numpy on the whole arrays."""

import math
from pathlib import Path

import numpy as np
import pytest

from accucheck.readers import dump_comparison
from accucheck.readers.dump_comparison import TensorComparison, Tolerance, compare_tensors, transposition
from accucheck.readers.dumps import Tensor, Values


def tensor(path: Path, values: np.ndarray, dtype: str = "") -> Tensor:
    np.save(path, values)
    return Tensor(str(path), "", path.stem, "output", 0, dtype=dtype)


def one(
    tmp_path: Path, left: np.ndarray, right: np.ndarray, tolerance: Tolerance | None = None, dtype: str = ""
) -> TensorComparison:
    pair = tensor(tmp_path / "a.npy", left, dtype), tensor(tmp_path / "b.npy", right, dtype)
    (outcome,) = compare_tensors([pair], tolerance or Tolerance())
    return outcome


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("shape", [(), (1,), (7, 3), (3, 64, 1024), (0, 4)])
@pytest.mark.parametrize("fortran", [False, True])
def test_the_numbers_are_those_of_numpy(tmp_path, shape, fortran):
    left = normal(*shape)
    right = np.asarray(left + np.float32(1e-3) * normal(*shape, seed=1))
    outcome = one(tmp_path, np.asfortranarray(left) if fortran else left, right)
    found = outcome.found
    assert found is not None and found.count == left.size
    if left.size:
        apart = np.abs(left - right)
        assert found.largest == apart.max() and outcome.differs is True
        assert found.mean == pytest.approx(apart.mean(dtype=np.float64), rel=1e-4)
        assert outcome.relative == pytest.approx(np.linalg.norm(apart) / np.linalg.norm(right), rel=1e-4)
        assert found.cosine == pytest.approx(
            np.vdot(left, right) / np.linalg.norm(left) / np.linalg.norm(right), abs=1e-5
        )
        assert found.outside == pytest.approx(np.count_nonzero(~np.isclose(left, right, 1e-4, 1e-7)), abs=2)


@pytest.mark.parametrize(
    ("dtype", "off", "differs"),
    [
        (np.float32, 1e-6, False),
        (np.float32, 1e-3, True),
        (np.float16, 1e-3, False),
        (np.float16, 3e-2, True),
        (np.float64, 1e-6, True),
    ],
)
def test_the_tolerance_goes_by_the_type(tmp_path, dtype, off, differs):
    left = normal(64, 64).astype(dtype)
    assert one(tmp_path, left, (left.astype(np.float64) * (1 + off)).astype(dtype)).differs is differs


def test_mixed_types_are_held_to_the_coarser(tmp_path):
    left = normal(64, 64)
    assert one(tmp_path, left, left.astype(np.float16)).differs is False


def test_bfloat16_as_dumps_keep_it(tmp_path):
    bits = (normal(1000).view(np.uint32) >> 16).astype(np.uint16)
    outcome = one(tmp_path, bits, bits, dtype="bfloat16")
    assert outcome.dtypes == ("bfloat16", "bfloat16") and outcome.found is not None and outcome.found.identical


def test_a_given_tolerance_is_that_of_isclose(tmp_path):
    left = np.array([1.0, 2.0, 1e-9], np.float32)
    right = np.array([1.0, 2.002, 2e-9], np.float32)
    assert one(tmp_path, left, right, Tolerance(1e-2, 1e-6)).differs is False
    assert one(tmp_path, left, right, Tolerance(1e-4, 1e-6)).differs is True


def test_one_number_far_off_in_many(tmp_path):
    left = np.ones(1_000_000, np.float32)
    right = left.copy()
    right[77] = 1.05
    assert one(tmp_path, left, right).differs is True


def test_nan_on_one_side_and_on_both(tmp_path):
    left = normal(100)
    left[3] = np.nan
    both = one(tmp_path, left, left)
    assert both.differs is False and both.both_nan == 1
    other = left.copy()
    other[3], other[4] = 1.0, np.inf
    found = one(tmp_path, left, other)
    assert found.differs is True and found.found is not None and (found.found.nan, found.found.inf) == (1, 1)


def test_shapes_and_transposed_numbers(tmp_path):
    left = normal(2, 3, 4, 5)
    turned = one(tmp_path, left, np.ascontiguousarray(left.transpose(0, 2, 3, 1)))
    assert turned.transposed and turned.axes == (0, 2, 3, 1) and turned.differs is True and not turned.compared
    wrong = one(tmp_path, normal(4, 8), normal(8, 4))
    assert wrong.axes == (1, 0) and not wrong.transposed
    assert one(tmp_path, normal(4), normal(5)).axes is None


def test_axes_that_make_one_shape_of_another():
    assert transposition((2, 3), (3, 2)) == (1, 0)
    assert transposition((8, 3, 32, 32), (8, 32, 32, 3)) == (0, 2, 3, 1)
    assert transposition((8, 32, 32, 3), (8, 3, 32, 32)) == (0, 3, 1, 2)
    assert transposition((2, 3), (2, 4)) is None and transposition((3,), (3,)) is None


@pytest.mark.parametrize("processes", [1, 2])
def test_what_cannot_be_read_is_told_and_the_others_are_compared(tmp_path, processes):
    pairs = []
    for at in range(80):
        values = normal(100, seed=at)
        pairs.append((tensor(tmp_path / f"a{at}.npy", values), tensor(tmp_path / f"b{at}.npy", values)))
    half = Path(pairs[40][1].path)
    half.write_bytes(half.read_bytes()[:200])
    np.save(pairs[50][0].path, np.array(["text"]))
    Path(pairs[60][0].path).unlink()
    outcomes = list(compare_tensors(pairs, processes=processes))
    codes = {at: outcome.problem[0] for at, outcome in enumerate(outcomes) if outcome.problem}
    assert codes == {40: "truncated", 50: "dump-type", 60: "not-found"}
    assert all(outcome.found and outcome.found.identical for at, outcome in enumerate(outcomes) if at not in codes)
    assert outcomes[40].error is not None and str(half) in str(outcomes[40].error)


def told(mean: float, norm: float | None, least: float = -1.0, most: float = 1.0, nan: int = 0) -> Tensor:
    values = Values("torch.float32", (2, 2), 4, nan, minimum=least, maximum=most, mean=mean, norm=norm)
    return Tensor("dump.json", "", "x", "output", 0, told=values)


def test_statistics_only(tmp_path):
    same, off, broken = compare_tensors(
        [(told(0.5, 2.0), told(0.5, 2.0)), (told(0.5, 2.0), told(0.5, 2.1)), (told(0.5, 2.0, nan=1), told(0.5, 2.0))]
    )
    assert same.differs is False and same.dtypes == ("float32", "float32") and same.found is None
    assert off.differs is True and off.relative == pytest.approx(0.1 / 2.1)
    assert broken.differs is True and broken.largest == math.inf


def test_statistics_against_a_file(tmp_path):
    values = np.array([[-1.0, 1.0], [0.5, 0.0]], np.float32)
    (outcome,) = compare_tensors([(told(0.125, None), tensor(tmp_path / "a.npy", values))])
    assert outcome.differs is False and outcome.told == (0.0, None)


@pytest.mark.parametrize("size", [1, 63, 4095, 4096, 5000, 65536, 65541, 200_000])
@pytest.mark.parametrize("off", [0.0, 1e-7, 1e-2])
def test_plain_files_are_compared_as_all_others(tmp_path, size, off):
    generator = np.random.default_rng(size)
    values = generator.standard_normal(size).astype(np.float32)
    other = (values * (1 + off * generator.standard_normal(size))).astype(np.float32)
    np.save(tmp_path / "a.npy", other)
    np.save(tmp_path / "b.npy", values)
    left, right = (Tensor(str(tmp_path / f"{name}.npy"), "", name, "output", 0) for name in "ab")
    for tolerance in (Tolerance(), Tolerance(1e-4, 1e-5), Tolerance(0.0, 0.0)):
        quick = dump_comparison._plainly(left, right, tolerance, dump_comparison._memory())
        slow = dump_comparison._outcome(left, right, tolerance, np.empty((2, 32768), np.float32))
        assert quick is not None and quick.differs == slow.differs
        one, two = quick.found, slow.found
        assert one is not None and two is not None
        for field in ("count", "finite", "identical", "outside", "largest", "nan", "inf"):
            assert getattr(one, field) == getattr(two, field), field
        for field in ("relative", "cosine", "mean", "left_square"):
            assert getattr(one, field) == pytest.approx(getattr(two, field), rel=1e-5, abs=1e-12), field


@pytest.mark.parametrize(
    "values", [np.array([1.0, np.nan, 2.0]), np.array([1.0, np.inf]), np.zeros(5), np.full(9, 1e30)]
)
def test_what_float32_sums_cannot_hold_is_left_to_the_careful_way(tmp_path, values):
    for name in "ab":
        np.save(tmp_path / f"{name}.npy", values.astype(np.float32))
    left, right = (Tensor(str(tmp_path / f"{name}.npy"), "", name, "output", 0) for name in "ab")
    with np.errstate(all="ignore"):
        assert dump_comparison._plainly(left, right, Tolerance(), dump_comparison._memory()) is None
    (outcome,) = compare_tensors([(left, right)])
    assert outcome.found is not None and outcome.differs is False and outcome.found.count == len(values)


def test_a_file_that_ends_early_is_told_and_the_next_compared(tmp_path):
    values = np.random.default_rng(0).standard_normal(100_000).astype(np.float32)
    for name in "abc":
        np.save(tmp_path / f"{name}.npy", values)
    (tmp_path / "b.npy").write_bytes((tmp_path / "b.npy").read_bytes()[:300_000])
    left, short, right = (Tensor(str(tmp_path / f"{name}.npy"), "", name, "output", 0) for name in "abc")
    first, second = compare_tensors([(left, short), (left, right)])
    assert first.problem is not None and first.problem[0] == "truncated"
    assert second.found is not None and second.found.identical
