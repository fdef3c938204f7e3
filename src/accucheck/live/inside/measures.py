"""Numbers about arrays, each in one pass and bounded: what a recording says of a tensor. JSON-plain."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

Array = Any  # a numpy.ndarray

#: Elements of a tensor that its statistics are of; of larger ones as many are drawn evenly.
SAMPLED = 1 << 14
#: Bytes of a row that its digest is of; of larger ones as many are drawn evenly.
ROW = 1 << 16


def array(value: Any) -> Array:
    """A Tensor or what numpy takes, on the host; bfloat16 as float32. Raises TypeError or ValueError."""
    found = np.asarray(value.asnumpy() if hasattr(value, "asnumpy") else value)
    return found.astype(np.float32) if found.dtype.name == "bfloat16" else found


def plain(value: float) -> Any:
    """A number as JSON has it: what is not finite as a word."""
    return value if isinstance(value, (bool, int)) or math.isfinite(value) else str(value)


def scalar(value: Any) -> float:
    """A numpy scalar as a number; of float32 the shortest decimal that is it, 0.1 and not 0.10000000149."""
    if value.dtype.kind in "biu":
        return value.item()  # type: ignore[no-any-return]
    if value.dtype.kind == "f":
        return float(str(value))
    if value.dtype.name != "bfloat16":
        raise TypeError
    return float(value)


def short(value: float) -> Any:
    """Four digits of it."""
    return plain(float(f"{value:.4g}"))


def sample(values: Array) -> Array:
    """At most SAMPLED elements, evenly drawn, of an array of any shape."""
    flat = values.reshape(-1)
    return flat[:: max(1, -(-flat.size // SAMPLED))]


def described(values: Array) -> dict[str, Any]:
    """Shape, type, range, mean, deviation, share of zeros, and share of what is not finite; of a sample of large arrays."""
    found: dict[str, Any] = {"shape": list(values.shape), "type": values.dtype.name}
    if values.dtype.kind not in "biuf" or not values.size:
        return found
    some = sample(values)
    wide = some.astype(np.float64)
    finite = np.isfinite(wide)
    if not finite.all():
        found["bad"] = short(1 - float(finite.mean()))
        wide = wide[finite]
    if wide.size:
        found.update(low=short(wide.min()), high=short(wide.max()), mean=short(wide.mean()), std=short(wide.std()))
        found["zero"] = short(float((wide == 0).mean()))
    return found


def squares(parts: Iterable[Array]) -> float:
    """The sum of squares of all elements: in their own precision (at least float32), in float64 where that is not finite."""
    flat = [one.reshape(-1) for one in parts]
    flat = [one if one.dtype in (np.float32, np.float64) else one.astype(np.float32) for one in flat]
    with np.errstate(all="ignore"):
        total = sum(float(np.dot(one, one)) for one in flat)
        if not math.isfinite(total):
            total = sum(float(np.dot(one, one)) for one in (part.astype(np.float64) for part in flat))
    return total


def norm(values: Array) -> float:
    """The L2 norm; NaN where it has none."""
    total = squares([values])
    return math.sqrt(total) if total >= 0 else math.nan


def digest(values: Array) -> str:
    """64 bits of all bytes, in hex."""
    return (
        hashlib.blake2b(np.ascontiguousarray(values).view(np.uint8).data, digest_size=8).hexdigest()
        if values.size
        else ""
    )


def identities(values: Array) -> list[Any]:
    """What tells the rows of a batch apart: numbers and words of shape (batch,) themselves, else 64 bits of each row's bytes, in hex.

    Raises ValueError for what has no rows.
    """
    if values.ndim == 0 or values.dtype.kind == "O":
        raise ValueError
    if values.ndim == 1 and values.dtype.kind in "biuUS":
        return [one.decode("utf-8", "replace") if isinstance(one, bytes) else one for one in values.tolist()]
    return [hashlib.blake2b(_bytes(row), digest_size=8).hexdigest() for row in values]


def _bytes(row: Array) -> bytes:
    if row.nbytes <= ROW:
        return bytes(row.tobytes())
    flat = row.reshape(-1)
    return bytes(flat[:: -(-row.nbytes // ROW)].tobytes())


def tensors(value: Any) -> Iterator[Any]:
    """The Tensors within nested tuples, lists and dictionaries."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        for one in value:
            yield from tensors(one)
    elif hasattr(value, "asnumpy") and hasattr(value, "shape"):
        yield value
