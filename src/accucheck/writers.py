"""Writes tensors of any checkpoint as a .ckpt or a .safetensors, bit by bit and in bounded memory, without MindSpore and torch.

Assumes a little-endian machine, as the readers do.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from typing import BinaryIO, NamedTuple

import msgspec

from .readers import safetensors
from .readers.tensors import DTYPES, TensorInfo, chunks

#: A parameter over this many bytes becomes several messages with its name and full dims, as MindSpore's SLICE_SIZE says.
SLICE = 512 << 20
#: Elements that are copied at a time: 8 MB at most of common types.
_COPIED = 1 << 20

#: What a .ckpt can hold, and how it is called there (mindspore.train.serialization).
CKPT_TYPES = {
    **{
        f"{kind}{bits}": f"{word}{bits}"
        for kind, word in (("int", "Int"), ("uint", "UInt"))
        for bits in (8, 16, 32, 64)
    },
    **{"float16": "Float16", "float32": "Float32", "float64": "Float64", "bfloat16": "BFloat16", "bool": "Bool"},
}
SAFETENSORS_TYPES = {dtype: short for short, dtype in safetensors.TYPES.items()}
#: Holds the bits of an element of so many bytes.
_BITS = {1: "uint8", 2: "uint16", 4: "uint32", 8: "uint64", 16: "complex128"}


class Output(NamedTuple):
    """A tensor to be written: the elements of all `parts`, one after the other in C order. All have `dtype`."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    parts: tuple[TensorInfo, ...]

    @property
    def nbytes(self) -> int:
        return math.prod(self.shape) * DTYPES[self.dtype][0]


def write_ckpt(
    stream: BinaryIO, outputs: Sequence[Output], advance: Callable[[int], object] = lambda _: None, limit: int = SLICE
) -> None:
    """A file that mindspore.load_checkpoint reads. `advance` is told the bytes of values written. Raises ReadError, OSError."""
    for output in outputs:
        width = DTYPES[output.dtype][0]
        total, most = math.prod(output.shape), max(1, limit // width)
        dims = b"".join(b"\x08" + _varint(size) for size in output.shape)
        for start in range(0, total, most):
            stop = min(start + most, total)
            length = (stop - start) * width
            tensor = dims + _field(2, CKPT_TYPES[output.dtype].encode()) + b"\x1a" + _varint(length)
            value = _field(1, output.name.encode()) + b"\x12" + _varint(len(tensor) + length) + tensor
            stream.write(b"\x0a" + _varint(len(value) + length) + value)
            for piece in _pieces(output, start, stop):
                stream.write(piece)
                advance(len(piece))


def write_safetensors(
    stream: BinaryIO,
    outputs: Sequence[Output],
    metadata: dict[str, str] | None = None,
    advance: Callable[[int], object] = lambda _: None,
) -> None:
    """A file as the safetensors library writes it: wide types first, so that each tensor is aligned. Raises ReadError, OSError."""
    header: dict[str, object] = {"__metadata__": metadata} if metadata else {}
    outputs = sorted(outputs, key=lambda output: -DTYPES[output.dtype][0])
    at = 0
    for output in outputs:
        place = [at, at := at + output.nbytes]
        header[output.name] = {
            "dtype": SAFETENSORS_TYPES[output.dtype],
            "shape": list(output.shape),
            "data_offsets": place,
        }
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    stream.write(len(text).to_bytes(8, "little") + text)
    for output in outputs:
        for piece in _pieces(output, 0, math.prod(output.shape)):
            stream.write(piece)
            advance(len(piece))


def _pieces(output: Output, start: int, stop: int) -> Iterator[memoryview]:
    """The bytes of the elements from `start` to `stop`."""
    for part in output.parts:
        if start < part.size and stop > 0:
            raw = msgspec.structs.replace(part, dtype=_BITS[DTYPES[part.dtype][0]])
            for values in chunks(raw, max(start, 0), min(stop, part.size), _COPIED):
                yield values.data.cast("B")
        start, stop = start - part.size, stop - part.size


def _field(number: int, content: bytes) -> bytes:
    return bytes([number << 3 | 2]) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])
