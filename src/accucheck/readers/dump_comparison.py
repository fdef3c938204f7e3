"""Compares tensors of two dumps, or two folders of .npy, in pairs: by their files, else by the statistics that a dump tells of them.

A pair that cannot be read is told and the others are compared. The work is shared between processes: on chunks that stay in a
core's cache, threads would spend their time handing the interpreter lock to each other.
"""

from __future__ import annotations

import math
import os
import re
import stat
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from .. import system
from ..errors import ReadError
from ..scan import forked
from . import arrays, dumps
from .dumps import Tensor, Values
from .tensor_comparison import HEAD, RUN, Comparison, Memory, compare_files, compare_runs
from .tensors import DTYPES, TensorInfo, read

#: How far two computations of one thing may lie apart, relative to its norm, and in absolute numbers. float32: the default rtol of
#: TroubleShooter's compare_npy_dir; a clean pair of MindSpore and PyTorch agrees to 1e-6 (measured). float16: the five thousandths of
#: msprobe, which are 5 units in the last place, as are those of the other types here. float64 is for computations in it throughout.
TOLERANCES: dict[str, tuple[float, float]] = {
    "float64": (1e-7, 1e-12),
    "complex128": (1e-7, 1e-12),
    "float32": (1e-4, 1e-7),
    "complex64": (1e-4, 1e-7),
    "float16": (5e-3, 1e-5),
    "bfloat16": (4e-2, 1e-5),
}
#: A single number may be further off than the norm is, by so much, before the tensor counts as another one: the largest
#: of a million random numbers is 5 times their root mean square, and rounding errors have longer tails.
_SINGLE = 100.0
#: Elements of a run: 128 kB of float32, of which four and the pages they come from lie in a core's cache (measured: 16 k to 64 k alike).
_RUN = 32 * 1024
#: Pairs that go to a process together.
_TOGETHER = 32
#: Elements up to which a tensor is read whole, to see whether a transposed one holds the same numbers.
_WHOLE = 16 << 20


class Tolerance(msgspec.Struct, frozen=True):
    """Given numbers hold for every element, as in numpy.isclose; else those of TOLERANCES hold for the norm of the coarser type."""

    rtol: float | None = None
    atol: float | None = None

    @property
    def given(self) -> bool:
        return self.rtol is not None or self.atol is not None

    def of(self, *dtypes: str) -> tuple[float, float]:
        """(rtol, atol) for numbers of these types; integers are to be equal."""
        if self.given:
            return self.rtol or 0.0, self.atol or 0.0
        return max((TOLERANCES.get(dtype, (0.0, 0.0)) for dtype in dtypes), default=(0.0, 0.0))


BY_TYPE = Tolerance()


class TensorComparison(msgspec.Struct, frozen=True):
    """What two tensors are to each other. Exactly one of `found`, `told`, `problem` is there, or none where the shapes differ.

    `told` holds the largest difference of minimum, maximum and mean, and the relative one of the norm, from statistics.
    `axes` is the transposition that makes the right shape of the left one; `transposed`, whether the numbers then agree.
    `problem` is the code and the data of a ReadError.
    """

    dtypes: tuple[str, str] = ("", "")
    shapes: tuple[tuple[int, ...] | None, tuple[int, ...] | None] = (None, None)
    found: Comparison | None = None
    told: tuple[float, float | None] | None = None
    axes: tuple[int, ...] | None = None
    transposed: bool = False
    problem: tuple[str, dict[str, Any]] | None = None
    differs: bool | None = None
    both_nan: int = 0

    @property
    def error(self) -> ReadError | None:
        return ReadError(self.problem[0], **self.problem[1]) if self.problem else None

    @property
    def compared(self) -> bool:
        return self.found is not None or self.told is not None

    @property
    def largest(self) -> float | None:
        return self.found.largest if self.found else self.told[0] if self.told else None

    @property
    def relative(self) -> float | None:
        return self.found.relative if self.found else self.told[1] if self.told else None


def compare_tensors(
    pairs: Sequence[tuple[Tensor, Tensor]], tolerance: Tolerance = BY_TYPE, processes: int = 2
) -> Iterator[TensorComparison]:
    """Each pair with its outcome, in the order given. Memory: some chunks a process."""
    parts = [(list(pairs[at : at + _TOGETHER]), tolerance) for at in range(0, len(pairs), _TOGETHER)]
    for outcomes in forked(parts, _examine, processes):
        yield from outcomes


def _examine(part: tuple[list[tuple[Tensor, Tensor]], Tolerance]) -> list[TensorComparison]:
    pairs, tolerance = part
    outcomes = []
    spare = np.empty((2, _RUN), np.float32)
    memory = _memory()
    with np.errstate(all="ignore"):
        for left, right in pairs:
            try:
                outcomes.append(_plainly(left, right, tolerance, memory) or _outcome(left, right, tolerance, spare))
            except ReadError as error:
                outcomes.append(TensorComparison(problem=(error.code, error.data)))
    return outcomes


@lru_cache(1)
def _memory() -> Memory:
    """That of this process."""
    return Memory()


_FLOAT32 = np.dtype("<f4")


def _plainly(left: Tensor, right: Tensor, tolerance: Tolerance, memory: Memory) -> TensorComparison | None:
    """What nearly all pairs are: two .npy of float32 with one header, opened once and read along with it. None for all others."""
    if left.told is not None or right.told is not None:
        return None
    with ExitStack() as stack:
        files = []
        for tensor, target in ((left, memory.files[0]), (right, memory.files[1])):
            try:
                file = os.open(tensor.path, system.READ | system.NONBLOCK)
                stack.callback(os.close, file)
                status = os.fstat(file)
                if not stat.S_ISREG(status.st_mode):
                    return None
                read_in = system.preadv(file, [target.data], 0)
            except OSError:
                return None
            files.append((file, status.st_size, read_in, target[:HEAD].tobytes()))
        (one, size, read_in, head), (other, other_size, other_in, other_head) = files
        if head != other_head or not head.startswith(b"\x93NUMPY\x01\x00") or 10 + head[8] + 256 * head[9] != HEAD:
            return None
        try:
            shape, _, dtype = arrays.known_head(head)
        except ReadError:
            return None
        count = math.prod(shape)
        if dtype != _FLOAT32 or not count or HEAD + 4 * count > min(size, other_size):
            return None
        if min(read_in, other_in) < HEAD + 4 * min(count, RUN):
            return None
        rtol, atol = tolerance.of("float32")
        found = compare_files(one, other, HEAD, count, rtol, atol, memory)
    if found is None:
        return None
    differs = _differs(found, rtol, atol, tolerance.given)
    return TensorComparison(("float32", "float32"), (shape, shape), found, differs=differs)


def _outcome(left: Tensor, right: Tensor, tolerance: Tolerance, spare: Any) -> TensorComparison:
    if left.told is not None or right.told is not None:
        return _of_statistics(dumps.examine(left), dumps.examine(right), tolerance)
    one, other = tensor_info(left), tensor_info(right)
    dtypes, shapes = (one.dtype, other.dtype), (one.shape, other.shape)
    for info in (one, other):
        if info.obstacle:
            raise ReadError("dump-type", path=info.path, dtype=info.dtype)
    if (one.shape or (1,)) != (other.shape or (1,)):
        axes = transposition(one.shape, other.shape)
        agrees = axes is not None and _transposed(one, other, axes, tolerance)
        return TensorComparison(dtypes, shapes, axes=axes, transposed=agrees, differs=True)
    rtol, atol = tolerance.of(*dtypes)
    found = compare_runs(one, other, rtol, atol, _RUN, spare)
    return TensorComparison(
        dtypes, shapes, found, differs=_differs(found, rtol, atol, tolerance.given), both_nan=found.both_nan
    )


def _differs(found: Comparison, rtol: float, atol: float, given: bool) -> bool:
    if found.nan or found.inf:
        return True
    if given:
        return found.outside > 0
    if found.largest <= atol or not found.finite:
        return False
    # Of a float64: squares of differences do not overflow here, see Comparison.relative.
    relative = found.relative
    if relative is None:
        return True  # something against nothing
    rms = math.sqrt(found.right_square / found.finite)
    return relative > rtol or found.largest > _SINGLE * rtol * rms


def _of_statistics(left: Values, right: Values, tolerance: Tolerance) -> TensorComparison:
    dtypes = (_dtype(left.dtype), _dtype(right.dtype))
    shapes = (left.shape, right.shape)
    if None not in shapes and (left.shape or (1,)) != (right.shape or (1,)):
        return TensorComparison(dtypes, shapes, axes=transposition(left.shape or (), right.shape or ()), differs=True)
    rtol, atol = tolerance.of(*dtypes)
    if (left.nan > 0, left.positive > 0, left.negative > 0) != (right.nan > 0, right.positive > 0, right.negative > 0):
        return TensorComparison(dtypes, shapes, told=(math.inf, None), differs=True)
    both = min(left.nan, right.nan)
    known = [
        (one, other)
        for one, other in ((left.minimum, right.minimum), (left.maximum, right.maximum), (left.mean, right.mean))
        if one is not None and other is not None and math.isfinite(one) and math.isfinite(other)
    ]
    relative, off = None, 0.0
    if left.norm is not None and right.norm is not None and math.isfinite(left.norm) and math.isfinite(right.norm):
        off = abs(left.norm - right.norm)
        relative = off / right.norm if right.norm else (0.0 if not off else math.inf)
    if not known and relative is None and not both:
        raise ReadError("dump-untold")
    largest = max((abs(one - other) for one, other in known), default=0.0)
    scale = max((max(abs(one), abs(other)) for one, other in known), default=0.0)
    apart = largest > atol + rtol * scale or (relative is not None and relative > rtol and off > atol)
    return TensorComparison(dtypes, shapes, told=(largest, relative), differs=apart, both_nan=both)


#: Names of types as other frameworks write them.
_TYPES = re.compile(r"(?:torch\.|mindspore\.)?(b?float|bfloat|complex|u?int|bool)(\d*)", re.I)


def _dtype(text: str) -> str:
    found = _TYPES.fullmatch(text.strip().lower())
    return found[1] + found[2] if found else "bfloat16" if text.lower() == "bf16" else text.lower()


def tensor_info(tensor: Tensor) -> TensorInfo:
    """Where the values of a .npy stand; a type that cannot be read is its `obstacle`. Raises ReadError: truncated, malformed."""
    (array,) = arrays.arrays(Path(tensor.path), "npy")
    bfloat16 = tensor.dtype.lower() in ("bfloat16", "bf16")
    name, nbytes, strides, obstacle = _kind(array.dtype, array.shape, array.fortran, bfloat16)
    return TensorInfo(array.name, name, array.shape, tensor.path, ((array.offset or 0, nbytes),), strides, obstacle)


@lru_cache(256)
def _kind(
    dtype: np.dtype[Any], shape: tuple[int, ...], fortran: bool, bfloat16: bool
) -> tuple[str, int, tuple[int, ...] | None, str | None]:
    """The name of a type, the bytes of the array, its strides and what forbids to read it; many files have the same."""
    # numpy has no word for bfloat16: dumps keep its bits.
    name = "bfloat16" if bfloat16 and dtype.itemsize == 2 and dtype.kind in "uV" else str(dtype)
    size = math.prod(shape)
    obstacle = None if name in DTYPES and dtype.isnative else "dtype"
    strides = None
    if fortran and len(shape) > 1:
        strides = tuple(math.prod(shape[:axis]) for axis in range(len(shape)))
        obstacle = obstacle or ("view" if size > _WHOLE else None)
    return name, size * dtype.itemsize, strides, obstacle


def transposition(left: Sequence[int], right: Sequence[int]) -> tuple[int, ...] | None:
    """The axes that make the right shape of the left one: of a matrix, between channels first and last, else the one that fits."""
    count = len(left)
    if count < 2 or count != len(right) or sorted(left) != sorted(right):
        return None
    last, first = (0, *range(2, count), 1), (0, count - 1, *range(1, count - 1))
    for axes in (last, first, (*range(1, count), 0), (count - 1, *range(count - 1)), tuple(reversed(range(count)))):
        if tuple(left[axis] for axis in axes) == tuple(right):
            return axes
    if len(set(left)) == count:
        return tuple(list(left).index(side) for side in right)
    return None


def _transposed(one: TensorInfo, other: TensorInfo, axes: tuple[int, ...], tolerance: Tolerance) -> bool:
    if one.size > _WHOLE:
        return False
    left, right = (read(info) for info in (one, other))
    rtol, atol = tolerance.of(one.dtype, other.dtype)
    return bool(
        np.allclose(np.transpose(left, axes), right, rtol=rtol, atol=max(atol, rtol * _scale(right)), equal_nan=True)
    )


def _scale(values: Any) -> float:
    finite = values[np.isfinite(values)]
    return float(np.sqrt(np.mean(np.square(finite.astype(np.float64))))) if finite.size else 0.0
