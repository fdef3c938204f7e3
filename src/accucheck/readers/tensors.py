"""A tensor of a checkpoint: where its bytes stand in a file, and its values as numpy chunks in bounded memory.

Knows no checkpoint format (see checkpoints.py) and examines nothing. Assumes a little-endian machine.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import msgspec

from .. import system
from ..errors import ReadError, from_os_error

# numpy is imported where values are read: what a checkpoint holds is listed without it, in half the time.
if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

#: Elements in a chunk: 512 kB of float32 stay in the second-level cache, and two threads scale (64 k elements do not).
CHUNK = 128 * 1024

#: A view that is not contiguous is read together with the storage between its first and its last element, up to here.
SPAN_LIMIT = 256 << 20

#: Elements of a transposed matrix that are read at a time, and the bytes for which a read of its own is worth while.
_BLOCK, _PIECE = 1 << 22, 1024

#: {dtype: (bytes of an element, the numpy type that holds its bits)}. Named as numpy and ml_dtypes name them.
DTYPES: dict[str, tuple[int, str]] = {
    "float64": (8, "<f8"),
    "float32": (4, "<f4"),
    "float16": (2, "<u2"),
    "bfloat16": (2, "<u2"),
    "float8_e4m3fn": (1, "u1"),
    "float8_e4m3fnuz": (1, "u1"),
    "float8_e5m2": (1, "u1"),
    "float8_e5m2fnuz": (1, "u1"),
    "float8_e8m0fnu": (1, "u1"),
    "complex64": (8, "<c8"),
    "complex128": (16, "<c16"),
    "int8": (1, "i1"),
    "int16": (2, "<i2"),
    "int32": (4, "<i4"),
    "int64": (8, "<i8"),
    "uint8": (1, "u1"),
    "uint16": (2, "<u2"),
    "uint32": (4, "<u4"),
    "uint64": (8, "<u8"),
    "bool": (1, "u1"),
}


def natural(name: str) -> list[tuple[int, str]]:
    """For sorting: rank_2 before rank_10."""
    return [(int(word), "") if word.isdecimal() else (0, word) for word in re.split(r"(\d{1,18})", name)]


class TensorInfo(msgspec.Struct, frozen=True):
    """One tensor and where it is.

    `extents` are (byte offset, byte length) in the file `path`, to be read one after the other; they hold the
    tensor in C order, unless `strides` (in elements, as torch counts them) says how its storage is walked instead.
    `obstacle` names why the values cannot be read: dtype (`dtype` is then as the file calls it), quantized, sparse,
    view (a view too large to be walked) or None.
    `role` is "weight", or "state" for what belongs to an optimizer or the training loop.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    path: str
    extents: tuple[tuple[int, int], ...] = ()
    strides: tuple[int, ...] | None = None
    obstacle: str | None = None
    role: str = "weight"

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """The bytes of its elements; of an unreadable tensor, the bytes it takes in the file."""
        return self.size * DTYPES[self.dtype][0] if self.dtype in DTYPES else sum(length for _, length in self.extents)

    @property
    def floating(self) -> bool:
        """Whether the elements are real or complex floating-point numbers."""
        return self.dtype.startswith(("float", "bfloat", "complex"))


def open_regular(path: str | os.PathLike[str]) -> BinaryIO:
    """The file opened unbuffered. Raises ReadError unless it is a regular file with something in it."""
    try:
        # O_NONBLOCK: opening a pipe that nobody writes to must not hang.
        fd = os.open(path, system.READ | system.NONBLOCK)
        file = os.fdopen(fd, "rb", buffering=0)
    except OSError as error:
        raise from_os_error(error, path)
    from stat import S_ISREG

    status = os.fstat(file.fileno())
    if not S_ISREG(status.st_mode) or not status.st_size:
        file.close()
        raise ReadError("not-regular" if not S_ISREG(status.st_mode) else "empty", path=str(path))
    return file


def chunks(info: TensorInfo, start: int = 0, stop: int | None = None, elements: int = CHUNK) -> Iterator[Array]:
    """The elements `start` to `stop` in C order, as one-dimensional arrays of at most `elements`.

    Floats of 16 and 8 bits come as float32, bool as uint8, the others as they are. The memory is used again: an array
    is valid until the next is asked for. Raises ReadError ("changed" when the file has become shorter).
    """
    import numpy as np

    if info.obstacle:
        raise ValueError(f"{info.name} cannot be read: {info.obstacle}")
    total = info.size
    stop = total if stop is None else min(stop, total)
    if start >= stop:
        return
    itemsize, storage = DTYPES[info.dtype]
    elements = min(elements, stop - start)
    decode = _decoder(info.dtype, elements)
    with open_regular(info.path) as file:
        if info.strides is None:
            # Tensors stand at odd offsets: copied into one aligned buffer. Not mapped: a file cut short would be fatal.
            buffer = np.empty(elements * itemsize, np.uint8)
            for at in range(start, stop, elements):
                raw = buffer[: min(elements, stop - at) * itemsize]
                _fill(file, info, at * itemsize, raw.data)
                yield decode(raw.view(storage))
        elif len(info.shape) == 2 and info.strides[0] == 1 and info.strides[1] >= info.shape[0]:
            columns = _Columns(file, info, start, stop)
            for at in range(start, stop, elements):
                yield decode(columns.read(at, min(at + elements, stop)))
        else:
            view = _strided(file, info).flat
            for at in range(start, stop, elements):
                yield decode(view[at : min(at + elements, stop)])


def read(info: TensorInfo) -> Array:
    """The whole tensor in its shape, with the types of `chunks`."""
    import numpy as np

    parts = [part.copy() for part in chunks(info, elements=max(CHUNK, info.size))]
    return parts[0].reshape(info.shape) if parts else np.empty(info.shape, np.float32)


def _fill(file: BinaryIO, info: TensorInfo, start: int, target: memoryview) -> None:
    """Fill `target` with the tensor's bytes from byte `start` on."""
    fd = file.fileno()
    for offset, length in info.extents:
        if start >= length:
            start -= length
            continue
        while target and start < length:
            try:
                count = system.preadv(fd, [target[: length - start]], offset + start)
            except OSError as error:
                raise from_os_error(error, info.path)
            if not count:
                raise ReadError("changed", path=info.path)
            start, target = start + count, target[count:]
        start = 0
        if not target:
            return
    if target:
        raise ReadError("changed", path=info.path)


def _strided(file: BinaryIO, info: TensorInfo) -> Array:
    """A view that is not contiguous, over the storage read into memory."""
    import numpy as np

    itemsize, storage = DTYPES[info.dtype]
    buffer = np.empty(sum(length for _, length in info.extents), np.uint8)
    _fill(file, info, 0, buffer.data)
    steps = [stride * itemsize for stride in info.strides or ()]
    return np.lib.stride_tricks.as_strided(buffer.view(storage), info.shape, steps, writeable=False)


class _Columns:
    """A transposed matrix whose storage has its columns one after the other: read in blocks of its rows, each once."""

    def __init__(self, file: BinaryIO, info: TensorInfo, start: int, stop: int) -> None:
        self.file, self.info, self.width = file, info, info.shape[1]
        self.first, self.last = start // self.width, -(-stop // self.width)
        blocks = -(-(self.last - self.first) // max(1, _BLOCK // self.width))
        self.rows = -(
            -(self.last - self.first) // blocks
        )  # all blocks alike: a last one of few rows would be all pieces
        self.number, self.block = 0, self._load(self.first)

    def read(self, start: int, stop: int) -> Array:
        """The elements `start` to `stop` in C order."""
        import numpy as np

        parts = []
        while start < stop:
            number = (start // self.width - self.first) // self.rows
            offset = (self.first + number * self.rows) * self.width
            if number != self.number:
                self.number, self.block = number, self._load(self.first + number * self.rows)
            parts.append(self.block[start - offset : stop - offset])
            start += len(parts[-1])
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _load(self, row: int) -> Array:
        import numpy as np

        itemsize, storage = DTYPES[self.info.dtype]
        step = (self.info.strides or (1, 1))[1]
        count = min(self.rows, self.last - row)
        block = np.empty((self.width, count), storage)
        # Short pieces are read together with what lies between them.
        together = 1 if count * itemsize >= _PIECE and count < step else max(1, _BLOCK // step)
        buffer = np.empty(((min(together, self.width) - 1) * step + count) * itemsize, np.uint8)
        for at in range(0, self.width, together):
            pieces = min(together, self.width - at)
            raw = buffer[: ((pieces - 1) * step + count) * itemsize]
            _fill(self.file, self.info, (at * step + row) * itemsize, raw.data)
            values = np.lib.stride_tricks.as_strided(
                raw.view(storage), (pieces, count), (step * itemsize, itemsize), writeable=False
            )
            block[at : at + pieces] = values
        return np.ascontiguousarray(block.T).reshape(-1)


class _Decoder(NamedTuple):
    dtype: str
    target: Array

    def __call__(self, raw: Array) -> Array:
        import numpy as np

        target = self.target[: len(raw)]
        if self.dtype == "bfloat16":
            # The upper halves of float32; the lower halves were made zero once.
            self.target.view(np.uint16)[1 : 2 * len(raw) : 2] = raw
        elif self.dtype == "float16":  # by table: numpy 1.26 converts halves one by one
            np.take(_float16(), raw, out=target, mode="clip")
        else:
            np.take(_float8(self.dtype), raw, out=target, mode="clip")
        return target


def _decoder(dtype: str, elements: int) -> Any:
    import numpy as np

    if dtype in ("bfloat16", "float16") or dtype.startswith("float8"):
        return _Decoder(dtype, np.zeros(elements, np.float32))
    return lambda raw: raw


@cache
def _float16() -> Array:
    """The 65,536 values of a half."""
    import numpy as np

    return np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(np.float32)


class _Layout(NamedTuple):
    mantissa: int
    bias: int
    infinite: bool  # the highest exponent holds infinities and NaN, as in IEEE 754
    unsigned_zero: bool  # "uz": one zero only, and 0x80 is NaN


# OCP 8-bit floating point specification 1.0 (e4m3fn, e5m2); the fnuz variants are those of ONNX and torch.
_FLOAT8 = {
    "float8_e4m3fn": _Layout(3, 7, False, False),
    "float8_e5m2": _Layout(2, 15, True, False),
    "float8_e4m3fnuz": _Layout(3, 8, False, True),
    "float8_e5m2fnuz": _Layout(2, 16, False, True),
}


@cache
def _float8(dtype: str) -> Array:
    """The 256 values of an 8-bit float."""
    import numpy as np

    code = np.arange(256)
    if dtype == "float8_e8m0fnu":  # a power of two without a sign: the block scale of the OCP microscaling formats
        values = np.exp2(code - 127.0)
        values[255] = np.nan
        return np.asarray(values, np.float32)
    layout = _FLOAT8[dtype]
    exponent, fraction = (code & 127) >> layout.mantissa, code & ((1 << layout.mantissa) - 1)
    part = fraction / (1 << layout.mantissa)
    values = np.where(
        exponent == 0, part * 2.0 ** (1 - layout.bias), (1 + part) * np.exp2(exponent - float(layout.bias))
    )
    if layout.infinite:
        values[exponent == 31] = np.where(fraction[exponent == 31] == 0, np.inf, np.nan)
    elif not layout.unsigned_zero:
        values[(code & 127) == 127] = np.nan
    values[128:] *= -1
    if layout.unsigned_zero:
        values[128] = np.nan
    return np.asarray(values, np.float32)
