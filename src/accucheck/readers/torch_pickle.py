"""Reads the pickles of torch.save without torch, and without letting them call anything.

The pickle may name the functions below and nothing else; they only note where in a storage a tensor would be.
"""

from __future__ import annotations

import enum
import io
import pickle
import pickletools
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, BinaryIO, NamedTuple

import msgspec

from ..errors import ReadError
from ..language import visible
from .tensors import DTYPES

FORMAT = "PyTorch checkpoint"

_DTYPES = {
    **{"double": "float64", "float": "float32", "half": "float16", "cfloat": "complex64", "cdouble": "complex128"},
    **{"long": "int64", "int": "int32", "short": "int16", "char": "int8", "byte": "uint8"},
    **{name: name for name in DTYPES},
}
_STORAGES = {
    **{"DoubleStorage": "float64", "FloatStorage": "float32", "HalfStorage": "float16", "BFloat16Storage": "bfloat16"},
    **{"LongStorage": "int64", "IntStorage": "int32", "ShortStorage": "int16", "CharStorage": "int8"},
    **{"ByteStorage": "uint8", "BoolStorage": "bool", "ComplexFloatStorage": "complex64"},
    **{"ComplexDoubleStorage": "complex128", "UntypedStorage": "uint8"},
}
QUANTIZED = {"QInt8Storage": 1, "QUInt8Storage": 1, "QInt32Storage": 4, "QUInt4x2Storage": 1, "QUInt2x4Storage": 1}


class Storage(NamedTuple):
    key: str
    dtype: str
    size: int  # elements


class Tensor(msgspec.Struct, frozen=True):
    storage: Storage | None
    dtype: str
    offset: int = 0
    shape: tuple[int, ...] = ()
    strides: tuple[int, ...] = ()
    obstacle: str | None = None


class _Name(str):
    """A global of the pickle that stands for itself: a dtype, a storage class."""


class _Call(NamedTuple):
    """A function that the pickle may call, and cannot alter."""

    function: Callable[..., Any]

    def __call__(self, *args: Any) -> Any:
        return self.function(*args)


class _SealedClass(type):
    """A class that the pickle cannot alter."""

    def __setattr__(cls, name: str, value: Any) -> None:
        raise TypeError(name)


class _OpaqueObject(metaclass=_SealedClass):
    """Stands for an object that is no tensor and is not built: takes whatever the pickle does to it and keeps nothing."""

    __slots__ = ()

    def __new__(cls, *args: Any, **kwargs: Any) -> _OpaqueObject:
        return super().__new__(cls)

    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

    def __setstate__(self, state: Any) -> None: ...

    def __setitem__(self, key: Any, value: Any) -> None: ...

    def append(self, value: Any) -> None: ...

    def extend(self, values: Any) -> None: ...


class _BadRecord(Exception):
    """A record that does not make sense; what was expected."""


def _dims(value: Any) -> tuple[int, ...]:
    if not isinstance(value, tuple) or len(value) > 64:
        raise _BadRecord("tuple of <= 64 sizes")
    if any(type(dim) is not int or not 0 <= dim < 1 << 48 for dim in value):
        raise _BadRecord("0 <= size, stride < 2^48")
    return value


def _rebuild_tensor(storage: Any, offset: Any, shape: Any, strides: Any, *rest: Any) -> Tensor:
    if not isinstance(storage, Storage):
        raise _BadRecord("storage")
    (offset,) = _dims((offset,))
    return Tensor(storage, storage.dtype, offset, _dims(shape), _dims(strides))


def _rebuild_tensor_v3(
    storage: Any, offset: Any, shape: Any, strides: Any, grad: Any, hooks: Any, dtype: Any, *rest: Any
) -> Tensor:
    """As v2, for the dtypes without a storage class of their own: the storage counts bytes."""
    if not isinstance(storage, Storage):
        raise _BadRecord("storage")
    name = str(dtype)
    if name not in DTYPES:
        return Tensor(None, name, 0, _dims(shape), obstacle="dtype")
    typed = Storage(storage.key, name, storage.size * DTYPES[storage.dtype][0] // DTYPES[name][0])
    return _rebuild_tensor(typed, offset, shape, strides)


def _rebuild_parameter(data: Any, *rest: Any) -> Any:
    return data


def _rebuild_qtensor(storage: Any, offset: Any, shape: Any, *rest: Any) -> Tensor:
    if not isinstance(storage, Storage):
        raise _BadRecord("storage")
    return Tensor(storage, storage.dtype, 0, _dims(shape), obstacle="quantized")


def _rebuild_sparse_tensor(layout: Any, data: Any) -> Tensor:
    values = data[1] if isinstance(data, tuple) and len(data) > 2 else None
    shape = _dims(tuple(data[2])) if values is not None and isinstance(data[2], (tuple, list)) else ()
    return Tensor(None, values.dtype if isinstance(values, Tensor) else "sparse", 0, shape, obstacle="sparse")


def _rebuild_from_type_v2(function: Any, kind: Any, args: Any, state: Any) -> Any:
    if not isinstance(function, _Call) or function.function not in _REBUILD.values() or not isinstance(args, tuple):
        raise _BadRecord("torch._utils._rebuild_*")
    return function(*args)


def _rebuild_elsewhere(data: Any, dtype: Any, *rest: Any) -> Tensor:
    """A tensor of a device without storages, kept as a numpy array within the pickle."""
    return Tensor(None, str(dtype) if isinstance(dtype, _Name) else "-", obstacle="dtype")


def _size(*args: Any) -> tuple[Any, ...]:
    return tuple(args[0]) if args and isinstance(args[0], (tuple, list)) else ()


_REBUILD: dict[str, Callable[..., Any]] = {
    "torch._utils._rebuild_tensor": _rebuild_tensor,
    "torch._utils._rebuild_tensor_v2": _rebuild_tensor,
    "torch._utils._rebuild_tensor_v3": _rebuild_tensor_v3,
    "torch._utils._rebuild_parameter": _rebuild_parameter,
    "torch._utils._rebuild_parameter_with_state": _rebuild_parameter,
    "torch._utils._rebuild_qtensor": _rebuild_qtensor,
    "torch._utils._rebuild_sparse_tensor": _rebuild_sparse_tensor,
    "torch._utils._rebuild_device_tensor_from_numpy": _rebuild_elsewhere,
    "torch._utils._rebuild_xla_tensor": _rebuild_elsewhere,
    "torch_npu.utils.storage._rebuild_npu_tensor": _rebuild_tensor,
}
_CALLS: dict[str, Callable[..., Any]] = {
    **_REBUILD,
    "torch._tensor._rebuild_from_type_v2": _rebuild_from_type_v2,
    "torch.Size": _size,
}
#: Never built, only passed over: what training loops keep beside the tensors.
_PASSED_OVER = {
    *("torch.Tensor", "torch.nn.parameter.Parameter", "torch.nn.parameter.Buffer", "torch.device"),
    *("torch.serialization._get_layout", "torch.per_tensor_affine", "torch.per_channel_affine"),
    *("collections.defaultdict", "collections.Counter", "argparse.Namespace", "datetime.datetime", "_codecs.encode"),
    *("pathlib.PosixPath", "pathlib._local.PosixPath", "numpy.dtype", "numpy.ndarray"),
    *(f"numpy.{core}.multiarray.{name}" for core in ("core", "_core") for name in ("scalar", "_reconstruct")),
}


class _Unpickler(pickle.Unpickler):
    """Builds numbers, texts, containers and the records above. Every other global is refused by its name."""

    def __init__(self, file: BinaryIO, path: str) -> None:
        super().__init__(file, encoding="utf-8", errors="replace")
        self.path = path
        self.storages: dict[str, Storage] = {}

    def find_class(self, module: str, name: str) -> Any:
        whole = f"{module}.{name}"
        if whole in _CALLS:
            return _Call(_CALLS[whole])
        if whole in _PASSED_OVER:
            return _OpaqueObject
        if whole == "collections.OrderedDict":
            return OrderedDict
        if module in ("torch", "torch.storage", "torch.cuda", "torch_npu.npu") and (
            name in _STORAGES or name in QUANTIZED
        ):
            return _Name(name)
        if module == "torch" and (
            name in _DTYPES or name.startswith(("float", "int", "uint", "bits", "qint", "quint", "complex"))
        ):
            return _Name(_DTYPES.get(name, name))
        raise ReadError("unsafe-pickle", path=self.path, name=visible(whole)[:200])

    def persistent_load(self, pid: Any) -> Storage:
        if not isinstance(pid, tuple) or len(pid) < 5 or pid[0] != "storage" or not isinstance(pid[1], _Name):
            raise _BadRecord("('storage', class, key, location, size)")
        (size,) = _dims((pid[4],))
        key = pid[2] if isinstance(pid[2], str) else str(*_dims((pid[2],)))
        if len(pid) > 5 and pid[5] is not None:  # a view of a storage, last written by torch 0.3
            raise _BadRecord("a storage without a view")
        storage = Storage(key, _STORAGES.get(pid[1], str(pid[1])), size)
        self.storages.setdefault(key, storage)
        return storage


#: What opcodes push that may be a key: its hash takes no time, and no two of many have the same.
_TEXTS = {
    *("STRING", "BINSTRING", "SHORT_BINSTRING", "UNICODE", "SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8"),
    *(
        "BINBYTES",
        "SHORT_BINBYTES",
        "BINBYTES8",
        "NONE",
        "NEWTRUE",
        "NEWFALSE",
        "FLOAT",
        "BINFLOAT",
        "GLOBAL",
        "STACK_GLOBAL",
    ),
}
_NUMBERS = {"INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4"}
_TUPLES = {"EMPTY_TUPLE", "TUPLE1", "TUPLE2", "TUPLE3", "TUPLE"}
_PUTS, _GETS = {"PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE"}, {"GET", "BINGET", "LONG_BINGET"}
#: A tuple of a few plain values is a key too; a file has few of them, for many of one hash can be made.
MAX_TUPLE, MAX_TUPLE_KEYS = 16, 1000


class _Value(enum.Enum):
    """What is known of a value while nothing is built yet."""

    PLAIN = 0
    TUPLE = 1  # of a few plain values
    OTHER = 2
    MARK = 3


class _Keys:
    """Follows what a pickle would build, without building it: the C unpickler hashes each key at once, which may take for ever (a tuple
    of a tuple of ... twice each, or many numbers of one hash) and cannot be interrupted."""

    def __init__(self) -> None:
        self.stack: list[_Value] = []
        self.memo: dict[int, _Value] = {}
        self.tuples = 0

    def follow(self, opcode: pickletools.OpcodeInfo, argument: Any) -> None:
        """One opcode. Raises _Bad for a key that may be none; IndexError, ValueError where the stack does not hold what it needs."""
        name = opcode.name
        if name in _PUTS:
            self.memo[len(self.memo) if name == "MEMOIZE" else int(argument)] = self.stack[-1]
        elif name in _GETS:
            self.stack.append(self.memo.get(int(argument), _Value.OTHER))
        elif name == "DUP":
            self.stack.append(self.stack[-1])
        else:
            self._replace(opcode, argument)

    def _replace(self, opcode: pickletools.OpcodeInfo, argument: Any) -> None:
        """Take what an opcode takes, look at it, push what it makes."""
        name = opcode.name
        taken: list[_Value] = []
        below = [kind.name for kind in opcode.stack_before]
        if "mark" in below:
            at = len(self.stack) - 1 - self.stack[::-1].index(_Value.MARK)
            taken, self.stack[at:] = self.stack[at + 1 :], []
            below = below[: below.index("mark")]
        for _ in below:
            last = self.stack.pop()
            taken = taken if name == "SETITEMS" or name == "ADDITEMS" else [last, *taken]
        self._look(name, taken)
        if opcode.stack_after:
            self.stack.append(_made(name, argument, taken))

    def _look(self, name: str, taken: list[_Value]) -> None:
        keys = {
            "SETITEM": taken[1:2],
            "SETITEMS": taken[::2],
            "DICT": taken[::2],
            "ADDITEMS": taken,
            "FROZENSET": taken,
        }
        for key in keys.get(name, ()):
            self.tuples += key is _Value.TUPLE
            if key is _Value.OTHER or self.tuples > MAX_TUPLE_KEYS:
                raise _BadRecord("keys: text or numbers < 2^63")


def _made(name: str, argument: Any, taken: list[_Value]) -> _Value:
    if name == "MARK":
        return _Value.MARK
    if name in _TEXTS or (name in _NUMBERS and abs(int(argument)) < 1 << 63):
        return _Value.PLAIN
    flat = name in _TUPLES and len(taken) <= MAX_TUPLE and all(value is _Value.PLAIN for value in taken)
    return _Value.TUPLE if flat else _Value.OTHER


def unpickle(data: bytes, path: str, at: int) -> tuple[Any, int, dict[str, Storage]]:
    """The object pickled at the start of `data`, the length of its pickle, and the storages it names, by key.

    `at` is the byte of the file where `data` begins. Raises ReadError: unsafe-pickle, malformed.
    """

    def bad(offset: int, expected: str) -> ReadError:
        return ReadError("malformed", path=path, format=FORMAT, offset=at + offset, expected=expected)

    position, keys = 0, _Keys()
    try:
        for count, (opcode, argument, where) in enumerate(pickletools.genops(data)):
            position = where or 0
            # The C unpickler makes room for every memo number up to the highest.
            if opcode.name in ("PUT", "LONG_BINPUT") and int(argument or 0) > count:
                raise bad(position, f"memo <= {count:,}")
            keys.follow(opcode, argument)
    except _BadRecord as error:
        raise bad(position, str(error))
    except (ValueError, IndexError, TypeError) as error:
        raise bad(position, f"pickle ({str(error)[:200]})")
    stream = io.BytesIO(data)
    try:
        unpickler = _Unpickler(stream, path)
        return unpickler.load(), position + 1, unpickler.storages
    except ReadError:
        raise
    except _BadRecord as error:
        raise bad(stream.tell(), str(error))
    except Exception as error:  # whatever the C unpickler makes of nonsense: one of ten exceptions
        raise bad(min(stream.tell(), position), f"pickle ({type(error).__name__})")
