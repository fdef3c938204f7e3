"""Compares the tensors of two checkpoints in one pass over their chunks, by a few threads. Judges nothing.

pairs = pair(open_checkpoint("e9.ckpt").weights, open_checkpoint("e10.ckpt").weights)
for left, right, found in compare(pairs.same): ...
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from .. import system
from .tensor_statistics import shares
from .tensors import CHUNK, TensorInfo, chunks

if TYPE_CHECKING:
    from .tensors import Array

_Pair = tuple[TensorInfo, TensorInfo]


class Pairs(msgspec.Struct):
    """Two lists of tensors set against each other by name, in the order of the first list.

    `same` can be compared; `shapes` have one name and different shapes; `unread` could not be read on one side at least;
    `left` and `right` stand on one side only. `repeated` are names that one side has several times: no pair is made.
    """

    same: list[_Pair] = []
    shapes: list[_Pair] = []
    unread: list[_Pair] = []
    left: list[TensorInfo] = []
    right: list[TensorInfo] = []
    repeated: list[str] = []


def pair(left: Iterable[TensorInfo], right: Iterable[TensorInfo]) -> Pairs:
    """The tensors of both lists by name. A tensor without an axis and one of shape (1,) hold the same number."""
    left, right = list(left), list(right)
    often = {name for side in (left, right) for name, count in Counter(info.name for info in side).items() if count > 1}
    pairs = Pairs(repeated=sorted(often))
    others = {info.name: info for info in right if info.name not in often}
    for info in left:
        if info.name in often:
            continue
        other = others.pop(info.name, None)
        if other is None:
            pairs.left.append(info)
        elif (info.shape or (1,)) != (other.shape or (1,)):
            pairs.shapes.append((info, other))
        elif info.obstacle or other.obstacle:
            pairs.unread.append((info, other))
        else:
            pairs.same.append((info, other))
    pairs.right += others.values()
    return pairs


class Comparison(msgspec.Struct):
    """How the `count` numbers of two tensors of equal size differ (a complex element is two numbers).

    `identical`: all bits are equal. `equal` counts equal numbers: NaN equals NaN, an infinity itself, 0.0 equals -0.0.
    `nan` counts pairs of which one is NaN, `both_nan` those of two, `inf` pairs without NaN of which one is infinite or both are,
    with opposite signs.
    `finite` counts the pairs of two finite numbers; `largest`, `mean` and `total` are of their absolute differences. `outside`
    counts pairs beyond atol + rtol·|right| (numpy.isclose), and those of `nan` and `inf`. `relative` is
    ‖left - right‖ / ‖right‖ and `cosine` that of the angle between the two, of the finite pairs; None where a norm is zero or
    does not fit a float64. compare_files counts no `equal` but where all are.
    """

    count: int = 0
    identical: bool = True
    equal: int = 0
    nan: int = 0
    inf: int = 0
    outside: int = 0
    largest: float = 0.0
    total: float = 0.0
    left_square: float = 0.0
    right_square: float = 0.0
    product: float = 0.0
    square: float = 0.0
    finite: int = 0
    both_nan: int = 0

    @property
    def mean(self) -> float | None:
        return self.total / self.finite if self.finite and math.isfinite(self.total) else None

    @property
    def relative(self) -> float | None:
        usable = self.right_square > 0 and math.isfinite(self.right_square + self.square)
        return math.sqrt(self.square) / math.sqrt(self.right_square) if usable else None

    @property
    def cosine(self) -> float | None:
        if not (self.left_square > 0 and self.right_square > 0 and math.isfinite(self.left_square + self.right_square)):
            return None
        return max(-1.0, min(1.0, self.product / (math.sqrt(self.left_square) * math.sqrt(self.right_square))))


#: {dtype: (one unit in the last place of 1, the smallest number above 0)}; those of e8m0 are powers of two, without fraction.
_RESOLUTION = {
    "float64": (2.0**-52, 0.0),
    "complex128": (2.0**-52, 0.0),
    "float32": (2.0**-23, 2.0**-149),
    "complex64": (2.0**-23, 2.0**-149),
    "float16": (2.0**-10, 2.0**-24),
    "bfloat16": (2.0**-7, 2.0**-133),
    "float8_e4m3fn": (2.0**-3, 2.0**-9),
    "float8_e4m3fnuz": (2.0**-3, 2.0**-10),
    "float8_e5m2": (2.0**-2, 2.0**-16),
    "float8_e5m2fnuz": (2.0**-2, 2.0**-17),
    "float8_e8m0fnu": (1.0, 2.0**-127),
}


def unit(dtype: str) -> float:
    """One unit in the last place of 1, of a floating-point type; 0 for any other."""
    return _RESOLUTION.get(dtype, (0.0, 0.0))[0]


def resolution(left: TensorInfo, right: TensorInfo) -> tuple[float, float]:
    """What rounding to the coarser of two types explains, as (rtol, atol); nothing where they are of one type."""
    if left.dtype == right.dtype:
        return 0.0, 0.0
    first, second = (_RESOLUTION.get(info.dtype, (0.0, 0.0)) for info in (left, right))
    return max(first[0], second[0]), max(first[1], second[1])


def compare(
    pairs: Sequence[_Pair], threads: int = 2, rtol: float = 0.0, atol: float = 0.0
) -> Iterator[tuple[TensorInfo, TensorInfo, Comparison]]:
    """Each pair of tensors of equal size with its comparison, in the order given.

    Tensors of different types are allowed at least what rounding to the coarser one explains. Raises ReadError. Memory: a few
    chunks a thread.
    """

    def examine(held: list[tuple[TensorInfo, TensorInfo, int, int]]) -> list[Comparison]:
        with np.errstate(all="ignore"):
            return [_share(*share, rtol, atol) for share in held]

    with ThreadPoolExecutor(threads) as pool:
        try:
            unfinished = Comparison()
            work = list(_work(pairs))
            for held, parts in zip(work, pool.map(examine, work), strict=True):
                for (left, right, _, stop), part in zip(held, parts, strict=True):
                    _add(unfinished, part)
                    if stop == left.size:
                        yield left, right, unfinished
                        unfinished = Comparison()
        finally:
            pool.shutdown(cancel_futures=True)


def _work(pairs: Sequence[_Pair]) -> Iterator[list[tuple[TensorInfo, TensorInfo, int, int]]]:
    """The pairs as lists of (left, right, start, stop) of about equal work."""
    rights = (right for _, right in pairs)
    right: TensorInfo
    for held in shares(left for left, _ in pairs):
        work = []
        for left, start, stop in held:
            if start == 0:
                right = next(rights)
            work.append((left, right, start, stop))
        yield work


def compare_runs(
    left: TensorInfo, right: TensorInfo, rtol: float, atol: float, elements: int = CHUNK, spare: Array | None = None
) -> Comparison:
    """Two tensors of equal size in runs of so many elements, on this thread; `spare` is memory for a run, (2, elements) float32."""
    return _share(left, right, 0, left.size, rtol, atol, elements, spare)


#: Numbers of a run of compare_files, a multiple of a row: the calls for smaller ones cost more than the cache that they fit in saves.
RUN = 256 * 1024
#: Dots of rows as short as this are computed without threads, in one call for all of them.
_ROW = 4096
#: Bytes of the header of an NPY file as numpy writes it.
HEAD = 128


class Memory:
    """What compare_files reads into and computes in, used again for each pair."""

    def __init__(self) -> None:
        # Not whole pages apart: a core takes loads and stores at equal places of two pages for the same.
        places = [at * (HEAD + 4 * RUN + 1088) for at in range(4)]
        block = np.empty(places[-1] + HEAD + 4 * RUN + 64, np.uint8)
        block = block[-block.ctypes.data % 64 :]
        self.files = [block[at : at + HEAD + 4 * RUN] for at in places[:2]]
        runs = [block[at + HEAD : at + HEAD + 4 * RUN].view(np.float32) for at in places]
        self.left, self.right, self.apart, self.bound = runs
        self.beyond = np.empty(RUN, bool)
        ones = np.ones(RUN, np.float32)
        #: What is multiplied with what: left, right and differences with themselves, differences with 1.
        self.factors = [(runs[0], runs[0]), (runs[1], runs[1]), (runs[2], runs[2]), (runs[2], ones)]
        self.rows = [(one.reshape(-1, 1, _ROW), other.reshape(-1, _ROW, 1)) for one, other in self.factors]
        self.sums = np.zeros((4, RUN // _ROW), np.float32)
        self.cells = [sums[:, None, None] for sums in self.sums]
        self.ones = ones[: RUN // _ROW]

    def products(self, count: int) -> list[float]:
        """The sums of the products of `factors`, of the first `count` numbers."""
        rows = count // _ROW
        if count == RUN:
            for (one, other), out in zip(self.rows, self.cells, strict=True):
                np.matmul(one, other, out=out)
        else:
            self.sums[:, rows:] = 0
            for (one, other), out in zip(self.rows, self.cells, strict=True):
                np.matmul(one[:rows], other[:rows], out=out[:rows])
        found: list[float] = np.dot(self.sums, self.ones).tolist()
        if rest := count - rows * _ROW:
            for at, (one, other) in enumerate(self.factors):
                found[at] += float(np.dot(one[count - rest : count], other[count - rest : count]))
        return found


def compare_files(
    left: int, right: int, offset: int, count: int, rtol: float, atol: float, memory: Memory
) -> Comparison | None:
    """`count` float32 of two open files from `offset` on, of which `memory.files` hold the beginning.

    None where a number or a sum of squares is not finite, or too small or large for float32, or where a file has become shorter.
    """
    total = Comparison()
    ours, theirs, apart, bound = memory.left, memory.right, memory.apart, memory.bound
    for start in range(0, count, RUN):
        length = min(RUN, count - start)
        if start:
            for file, target in zip((left, right), memory.files, strict=True):
                if system.preadv(file, [target[HEAD : HEAD + 4 * length].data], offset + 4 * start) != 4 * length:
                    return None
        if length < RUN:
            ours, theirs, apart, bound = (values[:length] for values in (ours, theirs, apart, bound))
        np.subtract(ours, theirs, out=apart)
        np.abs(apart, out=apart)
        largest = float(apart.max())
        left_square, right_square, square, absolute = memory.products(length)
        if not (math.isfinite(largest) and _SAFE[0] < left_square < _SAFE[1] and _SAFE[0] < right_square < _SAFE[1]):
            return None
        if not largest:
            total.identical = total.identical and _same_bits(ours, theirs)
            total.equal += length
        elif not _SAFE[0] < square < _SAFE[1]:
            return None
        else:
            total.identical = False
        if largest > atol:
            np.multiply(theirs, np.float32(rtol), out=bound)
            np.abs(bound, out=bound)
            np.add(bound, np.float32(atol), out=bound)
            np.greater(apart, bound, out=memory.beyond[:length])
            total.outside += int(np.count_nonzero(memory.beyond[:length]))
        total.largest = max(total.largest, largest)
        total.total += absolute
        total.left_square += left_square
        total.right_square += right_square
        total.square += square
        total.product += (left_square + right_square - square) / 2
    total.count = total.finite = count
    if total.equal < count:
        total.equal = 0
    return total


def _share(
    left: TensorInfo,
    right: TensorInfo,
    start: int,
    stop: int,
    rtol: float,
    atol: float,
    elements: int = CHUNK,
    spare: Array | None = None,
) -> Comparison:
    coarse = resolution(left, right)
    rtol, atol = max(rtol, coarse[0]), max(atol, coarse[1])
    total = Comparison(identical=left.dtype == right.dtype)
    spare = np.empty((2, 0), np.float32) if spare is None else spare
    for one, other in zip(chunks(left, start, stop, elements), chunks(right, start, stop, elements), strict=True):
        if one.dtype.kind == "c":
            one = one.view(one.real.dtype)
        if other.dtype.kind == "c":
            other = other.view(other.real.dtype)
        if len(one) < len(other):  # complex against real
            one = _complex(one)
        elif len(other) < len(one):
            other = _complex(other)
        if spare.shape[1] < len(one):
            spare = np.empty((2, len(one)), np.float32)
        _add(total, _of_chunk(one, other, rtol, atol, spare[:, : len(one)]))
    return total


def _complex(values: Array) -> Array:
    """Real numbers as pairs of a real and an imaginary part."""
    pairs = np.zeros((len(values), 2), np.float64)
    pairs[:, 0] = values
    return pairs.reshape(-1)


#: Sums of squares of float32 within these bounds have lost nothing to overflow and underflow.
_SAFE = (1e-20, 1e30)


def _of_chunk(left: Array, right: Array, rtol: float, atol: float, spare: Array) -> Comparison:
    """Compares two runs of numbers; `spare` is memory for them: (2, n) float32."""
    count = len(left)
    if not (left.dtype == right.dtype == np.float32):
        return _carefully(left, right, rtol, atol, left.dtype == right.dtype and _same_bits(left, right))
    apart, bound = spare
    np.subtract(left, right, out=apart)
    np.abs(apart, out=apart)
    largest = float(apart.max())
    left_square = float(np.dot(left, left))
    if not (math.isfinite(largest) and _SAFE[0] < left_square < _SAFE[1]):
        return _carefully(left, right, rtol, atol, _same_bits(left, right))
    if not largest:
        result = Comparison(count, _same_bits(left, right), count, finite=count)
        result.left_square = result.right_square = result.product = left_square
        return result
    right_square = float(np.dot(right, right))
    square = float(np.dot(apart, apart))
    if not (_SAFE[0] < right_square < _SAFE[1] and _SAFE[0] < square < _SAFE[1]):
        return _carefully(left, right, rtol, atol, False)
    total = float(apart.sum())
    equal = int(np.count_nonzero(left == right))  # of a bool: counting in floats takes longer than all the rest
    outside = count - equal
    if largest <= atol:
        outside = 0
    elif rtol or atol:
        np.abs(right, out=bound)
        bound *= np.float32(rtol)
        bound += np.float32(atol)
        outside = int(np.count_nonzero(apart > bound))
    # ‖l - r‖² = ‖l‖² + ‖r‖² - 2 l·r, which also keeps the cosine of near vectors exact.
    product = (left_square + right_square - square) / 2
    return Comparison(
        *(count, False, equal, 0, 0, outside, largest, total), *(left_square, right_square, product, square, count)
    )


def _carefully(left: Array, right: Array, rtol: float, atol: float, identical: bool) -> Comparison:
    """The same for any type, infinities and NaN, in float64."""
    count = len(left)
    # Integers are compared before they are made float64, which has room for 53 bits.
    same = left == right
    left, right = left.astype(np.float64), right.astype(np.float64)
    one_nan, other_nan = np.isnan(left), np.isnan(right)
    same |= one_nan & other_nan
    nan = int(np.count_nonzero(one_nan != other_nan))
    both_nan = int(np.count_nonzero(one_nan & other_nan))
    inf = int(np.count_nonzero((np.isinf(left) | np.isinf(right)) & ~(same | one_nan | other_nan)))
    finite = np.isfinite(left) & np.isfinite(right)
    if not finite.all():
        left, right = left[finite], right[finite]
    result = Comparison(count, identical, int(np.count_nonzero(same)), nan, inf, nan + inf, finite=len(left))
    result.both_nan = both_nan
    if len(left):
        apart = np.abs(left - right)
        beyond = (apart > atol + rtol * np.abs(right)) & ~same[finite]
        result.outside += int(np.count_nonzero(beyond))
        result.largest, result.total = float(apart.max()), float(apart.sum())
        result.left_square, result.right_square = float(np.dot(left, left)), float(np.dot(right, right))
        result.product, result.square = float(np.dot(left, right)), float(np.dot(apart, apart))
    return result


def _same_bits(left: Array, right: Array) -> bool:
    unsigned = f"u{left.dtype.itemsize}"
    return np.array_equal(left.view(unsigned), right.view(unsigned))


def _add(total: Comparison, part: Comparison) -> None:
    # Written out: a loop over the names takes as long as a pass over a chunk.
    total.count += part.count
    total.identical = total.identical and part.identical
    total.equal += part.equal
    total.nan += part.nan
    total.inf += part.inf
    total.outside += part.outside
    total.largest = max(total.largest, part.largest)
    total.total += part.total
    total.left_square += part.left_square
    total.right_square += part.right_square
    total.product += part.product
    total.square += part.square
    total.finite += part.finite
    total.both_nan += part.both_nan
