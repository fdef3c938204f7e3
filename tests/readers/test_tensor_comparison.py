"""Comparing the tensors of two checkpoints, against numpy on the whole arrays."""

from pathlib import Path

import numpy as np
import pytest

from accucheck.errors import ReadError
from accucheck.readers.checkpoints import open_checkpoint
from accucheck.readers.tensor_comparison import Comparison, Pairs, compare, pair, resolution
from accucheck.readers.tensors import CHUNK

save_file = pytest.importorskip("safetensors.numpy").save_file


def pairs_of(root: Path, left: dict[str, np.ndarray], right: dict[str, np.ndarray]) -> Pairs:
    for name, arrays in (("a", left), ("b", right)):
        save_file(
            {key: np.ascontiguousarray(array) for key, array in arrays.items()}, str(root / f"{name}.safetensors")
        )
    return pair(open_checkpoint(root / "a.safetensors").tensors, open_checkpoint(root / "b.safetensors").tensors)


def compared(root: Path, left: np.ndarray, right: np.ndarray, **tolerance: float) -> Comparison:
    ((_, _, found),) = compare(pairs_of(root, {"w": left}, {"w": right}).same, **tolerance)
    return found


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


# The second is larger than a thread's unit of work.
@pytest.mark.parametrize("size", [1, 7, CHUNK, CHUNK + 1, (4 << 20) + 12345])
@pytest.mark.parametrize("apart", [1e-3, 3e-7])
def test_the_numbers_are_those_of_numpy(tmp_path, size, apart):
    left = normal(size)
    right = left + (normal(size, seed=1) * apart).astype(np.float32)
    right[::3] = left[::3]
    found = compared(tmp_path, left, right, rtol=1e-5, atol=1e-8)
    one, other = left.astype(np.float64), right.astype(np.float64)
    assert (found.count, found.finite, found.nan, found.inf) == (size, size, 0, 0)
    assert found.equal == np.count_nonzero(left == right)
    assert found.largest == np.abs(left - right).max()
    assert found.mean == pytest.approx(np.abs(one - other).mean(), rel=1e-4)
    assert found.relative == pytest.approx(np.linalg.norm(one - other) / np.linalg.norm(other), rel=1e-4)
    assert found.cosine == pytest.approx(one @ other / np.linalg.norm(one) / np.linalg.norm(other), abs=1e-5)
    assert found.identical == (found.equal == size)
    assert found.outside == pytest.approx(np.count_nonzero(~np.isclose(left, right)), abs=size * 1e-6)


def test_infinities_and_nan_on_one_side_and_on_both(tmp_path):
    nan, inf = np.nan, np.inf
    left = np.array([nan, nan, 1, inf, inf, -inf, inf, 2, 0.0], np.float32)
    right = np.array([nan, 1, nan, inf, -inf, 1, nan, 2, -0.0], np.float32)
    found = compared(tmp_path, left, right, rtol=1e-5, atol=1e-8)
    assert (found.nan, found.inf, found.equal, found.finite) == (3, 2, 4, 2)
    assert found.outside == np.count_nonzero(~np.isclose(left, right, equal_nan=True)) == 5
    assert (found.largest, found.identical) == (0.0, False)
    same = compared(tmp_path, left, left)
    assert (same.identical, same.equal, same.outside) == (True, len(left), 0)


def test_the_sign_of_zero_is_seen_in_the_bits_alone(tmp_path):
    found = compared(tmp_path, np.zeros(5, np.float32), -np.zeros(5, np.float32))
    assert (found.identical, found.equal, found.outside, found.cosine, found.relative) == (False, 5, 0, None, None)


@pytest.mark.parametrize("scale", [1e-42, 1e-30, 1e25, 3e38])
def test_numbers_whose_squares_do_not_fit_a_float32(tmp_path, scale):
    left = np.array([1, -1, 0.5, 0.25], np.float32) * np.float32(scale)
    found = compared(tmp_path, left, -left)
    assert found.cosine == pytest.approx(-1) and found.relative == pytest.approx(2)
    assert found.largest == pytest.approx(2 * float(left.max())) and found.equal == 0


def test_what_does_not_fit_a_float64_is_none(tmp_path):
    found = compared(tmp_path, np.array([1e308, 1.0]), np.array([-1e308, 1.0]))
    assert (found.equal, found.mean, found.relative, found.cosine) == (1, None, None, None)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i8", "u8", "?", "f8", "f2", "c8"])
def test_other_types(tmp_path, dtype):
    left = np.arange(40).reshape(5, 8).astype(dtype)
    right = left.copy()
    right[2, 3] = 0
    assert compared(tmp_path, left, left).identical
    found = compared(tmp_path, left, right)
    assert found.count == (80 if dtype == "c8" else 40) and found.count - found.equal == found.outside == 1
    assert found.largest == (1 if dtype == "?" else 19)


def test_large_integers_are_compared_as_they_are(tmp_path):
    assert compared(tmp_path, np.array([1 << 60]), np.array([(1 << 60) + 1])).equal == 0


@pytest.mark.parametrize("dtype", [np.float16, np.float64])
def test_rounding_between_types_is_allowed(tmp_path, dtype):
    left = normal(1000)
    found = compared(tmp_path, left, left.astype(dtype))
    assert found.outside == 0 and not found.identical
    assert (found.equal == 1000) == (dtype is np.float64)
    right = left.astype(dtype)
    right[3] += 0.01
    assert compared(tmp_path, left, right).outside == 1


def test_equal_numbers_of_two_types_are_not_identical(tmp_path):
    found = compared(tmp_path, np.arange(4, dtype=np.float32), np.arange(4, dtype=np.float16))
    assert (found.equal, found.identical) == (4, False)


def test_bfloat16_is_the_coarser_type(tmp_path):
    torch = pytest.importorskip("torch")
    values = torch.randn(1000)
    torch.save({"w": values}, tmp_path / "a.pth")
    torch.save({"w": values.bfloat16()}, tmp_path / "b.pth")
    (both,) = pair(*(open_checkpoint(tmp_path / name).tensors for name in ("a.pth", "b.pth"))).same
    assert resolution(*both) == resolution(*both[::-1]) == (2.0**-7, 2.0**-133)
    assert resolution(both[0], both[0]) == (0, 0)
    ((_, _, found),) = compare([both])
    assert found.outside == 0 and found.equal < 1000


def test_names_are_paired(tmp_path):
    pairs = pairs_of(
        tmp_path,
        {"a": normal(2, 3), "b": normal(4), "c": normal(1), "only": normal(2)},
        {"c": np.float32(2).reshape(()), "a": normal(3, 2), "b": normal(4), "new": normal(2)},
    )
    assert [left.name for left, _ in pairs.same] == ["b", "c"]
    assert [left.name for left, _ in pairs.shapes] == ["a"]
    assert ([info.name for info in pairs.left], [info.name for info in pairs.right]) == (["only"], ["new"])


def test_a_name_that_repeats_is_not_paired(tmp_path):
    for name in ("a", "b"):
        save_file({"w": normal(2)}, str(tmp_path / f"{name}.safetensors"))
    twice = open_checkpoint(tmp_path).tensors
    pairs = pair(twice, twice[:1])
    assert (pairs.repeated, pairs.same, pairs.left, pairs.right) == (["w"], [], [], [])


def test_a_file_that_is_cut_meanwhile(tmp_path):
    pairs = pairs_of(tmp_path, {"w": normal(1000)}, {"w": normal(1000)})
    path = tmp_path / "b.safetensors"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ReadError):
        list(compare(pairs.same))


def test_many_small_tensors_keep_their_order_and_their_numbers(tmp_path):
    left = {f"w{index:04}": normal(index % 5 + 1, seed=index) for index in range(3000)}
    right = {name: array + np.float32(int(name[1:]) % 2) for name, array in left.items()}
    pairs = pairs_of(tmp_path, left, right)
    found = [(one.name, part.equal == part.count) for one, _, part in compare(pairs.same)]
    assert found == [(one.name, int(one.name[1:]) % 2 == 0) for one, _ in pairs.same]


def test_nothing_to_compare(tmp_path):
    assert list(compare([])) == []
    empty = compared(tmp_path, np.zeros((0, 3), np.float32), np.zeros((0, 3), np.float32))
    assert (empty.count, empty.identical, empty.mean) == (0, True, None)
