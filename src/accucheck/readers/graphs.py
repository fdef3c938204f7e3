"""Computing graphs that MindSpore wrote, without MindSpore or protobuf: IR dumps (.pb), MindIR, and the graphs in Summary files.

Messages and field numbers are those of anf_ir.proto, mind_ir.proto and summary.proto of MindSpore. What is not needed is passed over
by its length: attributes, the values of weights and of constants.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import msgspec

from .. import system
from ..errors import ReadError, from_os_error
from . import tfrecord
from .ckpt import ENCRYPTED
from .tensors import open_regular
from .tfrecord import signed

READABLE = "ms_output_*.pb, *.mindir, events.out.events.summary.*"

#: More than any model has; bounds the memory a hostile file can ask for.
MAX_NODES = 2_000_000
_MAX_TEXT = 1 << 16
#: A longer message is not read at once, but a field at a time.
_WHOLE = 1 << 26
_HEAD = 64
_VARINT = 10
#: Bytes of a long message that are read at once.
_BLOCK = 1 << 20
#: Types of outputs of so few bytes are kept, and so many of them.
_SHORT_TYPE, _KEPT_TYPES = 256, 1 << 14
#: Tuples within each other, of which one operation gives.
_NESTED = 8

# fmt: off
_ANF_TYPES = dict(enumerate((
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
), start=1)) | {43: "complex64", 44: "complex128", 46: "bfloat16", 48: "int4"}
_MINDIR_TYPES = dict(enumerate((
    "float32", "uint8", "int8", "uint16", "int16", "int32", "int64", "string", "bool", "float16", "float64", "uint32", "uint64",
    "complex64", "complex128", "bfloat16", "float64", "qint4x2",
), start=1))
# fmt: on
_DT_GRAPH = 15
#: Operations that call functions, which a dump leaves out.
_CALLS = frozenset({"", "Switch", "SwitchLayer", "Partial", "switch", "switch_layer"})


class Parameter(msgspec.Struct, frozen=True, gc=False):
    """A weight, or an input of the network where the format does not tell them apart. `shape` has -1 where it is not fixed."""

    name: str
    dtype: str
    shape: tuple[int, ...]


class Node(msgspec.Struct, frozen=True, gc=False):
    """One operation. `inputs` are names of nodes, parameters and constants; `scope` is the path of the layer that it stands in; `output`
    is what it gives, of several the first, where that was asked for and is known."""

    name: str
    op: str
    scope: str
    inputs: tuple[str, ...]
    output: Parameter | None = None


class Graph(msgspec.Struct, frozen=True):
    """A graph as it was written, its functions included. `format` is "IR", "MindIR" or "Summary".

    `whole` is false when the file leaves out functions that the graph calls, or is one of the parts that a graph was cut into:
    what seems to be unused may then be used out of sight.
    """

    path: str
    format: str
    name: str
    nodes: list[Node]
    parameters: list[Parameter]
    outputs: list[str]
    whole: bool = True


def format_of(path: str | os.PathLike[str]) -> str | None:
    """ "IR", "MindIR" or "Summary", by the first bytes; None for any other file. Raises ReadError when it cannot be read."""
    with open_regular(path) as file:
        head = system.pread(file.fileno(), _HEAD, 0)
    if head.startswith(b"\x08") and head[2:3] == b"\x22":
        return "IR"
    if head.startswith(b"\x0a") and b"\x12\x09MindSpore" in head:
        return "MindIR"
    if head.startswith(ENCRYPTED) and Path(path).suffix == ".mindir":
        raise ReadError("encrypted", path=os.fspath(path), format="MindIR")
    if tfrecord.starts(head, tfrecord.LONGEST) and b"MindSpore.Event:" in head:
        return "Summary"
    return None


def files(place: Path, refused: Callable[[ReadError], object]) -> Iterator[Path]:
    """The file itself, or all files below a folder in a stable order. Raises ReadError; of a folder below it goes to `refused`."""

    def refuse(error: OSError) -> None:
        problem = from_os_error(error, error.filename)
        if error.filename == str(place) or not isinstance(problem, ReadError):
            raise problem from None
        refused(problem)

    if not place.is_dir():
        yield place
        return
    for folder, folders, names in os.walk(place, onerror=refuse):
        folders.sort()
        yield from (Path(folder, name) for name in sorted(names))


def graphs(path: str | os.PathLike[str], *, outputs: bool = False) -> Iterator[Graph]:
    """The graphs of a file: one, or as many as a Summary file has, which may be none; `outputs`: with what each operation gives.

    Raises ReadError: unknown-format, malformed, truncated, record-checksum, too-large, encrypted. Of a Summary file the graphs
    before the fault are given first.
    """
    text = os.fspath(path)
    format = format_of(path)
    if format == "Summary":
        for record, start in tfrecord.records(Path(path)):
            event = _in_memory(text, format, record, start)
            for number, first, last in event.fields(start, start + len(record)):
                if number == 4 and last is not None:
                    yield _anf(event, first, last, outputs)
        return
    if format is None:
        raise ReadError("unknown-format", path=text, expected=READABLE)
    with open_regular(path) as file:
        fd = file.fileno()
        size = os.fstat(fd).st_size
        message = _Message(text, format, lambda at, length: system.pread(fd, length, at), size)
        if format == "MindIR":
            yield _mindir(message, size, outputs)
        else:
            yield _anf(message, *_only_graph(message, size), outputs)


#: Types by their bytes, and by whether one without a shape counts.
Types = dict[tuple[bytes, bool], Parameter | None]
#: A field of a message: number, start and end; or number, value and None.
Field = tuple[int, int, int | None]


class _Message(NamedTuple):
    """Where messages are read from. Offsets count from the start of the file; `size` is where it ends. `data` is what of it is in
    memory, from the offset `base` on."""

    path: str
    format: str
    read: Callable[[int, int], bytes]
    size: int
    data: bytes = b""
    base: int = 0

    def bad(self, at: int, expected: str) -> ReadError:
        return ReadError("malformed", path=self.path, format=self.format, offset=at, expected=expected)

    def varint(self, head: bytes, used: int, at: int) -> tuple[int, int]:
        value = 0
        for index, byte in enumerate(head[used : used + _VARINT]):
            value |= (byte & 127) << (7 * index)
            if byte < 128:
                return value, used + index + 1
        if at + len(head) >= self.size:
            raise ReadError("truncated", path=self.path, offset=self.size, expected="varint")
        raise self.bad(at + used, "varint")

    def fields(self, at: int, end: int) -> Iterable[Field]:
        """The fields of a message: number, start and end; or number, value and None."""
        found: list[Field] = []
        if self.base <= at and end <= self.base + len(self.data):
            found, at = _plain_fields(self.data, self.base, at, end)
        return found if at == end else chain(found, self._other_fields(at, end))

    def _other_fields(self, at: int, end: int) -> Iterator[Field]:
        while at < end:
            field, at = self._field(at, end)
            if field is not None:
                yield field

    def parts(self, start: int, end: int) -> Iterator[tuple[_Message, int, int, int]]:
        """The fields of a long message that have a length: what of it is in memory, number, start and end. A block is read at a time."""
        at = start
        while at < end:
            block = self.within(at, min(end, at + _BLOCK))
            found, at = _plain_fields(block.data, block.base, at, min(end, block.base + len(block.data)))
            for number, first, last in found:
                if last is not None:
                    yield block, number, first, last
            if at >= end:
                return
            field, at = self._field(at, end)
            if field is not None and field[2] is not None:
                yield self.within(field[1], field[2]), field[0], field[1], field[2]

    def _field(self, at: int, end: int) -> tuple[Field | None, int]:
        """A field, None for one of a kind that nothing here has, and where the next one begins."""
        head = self.read(at, min(2 * _VARINT, end - at))
        key, used = self.varint(head, 0, at)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, used = self.varint(head, used, at)
            return (number, value, None), at + used
        if wire not in (1, 2, 5) or not number:
            raise self.bad(at, "protobuf")
        length = {1: 8, 5: 4}.get(wire, 0)
        if wire == 2:
            length, used = self.varint(head, used, at)
        start = at + used
        if length > end - start:
            if end < self.size:  # within a message whose length is known, so it is not the file that ends
                raise self.bad(at, f"length <= {end - start:,}")
            raise ReadError("truncated", path=self.path, offset=end, expected=f"{start + length - end:,} B")
        return ((number, start, start + length) if wire == 2 else None), start + length

    def text(self, start: int, end: int, decoded: Callable[[bytes], str] = bytes.decode) -> str:
        if end - start > _MAX_TEXT:
            raise self.bad(start, f"<= {_MAX_TEXT:,} B")
        try:
            if self.base <= start and end <= self.base + len(self.data):
                return decoded(self.data[start - self.base : end - self.base])
            return decoded(self.read(start, end - start))
        except UnicodeDecodeError:
            raise self.bad(start, "UTF-8") from None

    def within(self, start: int, end: int) -> _Message:
        """The same, with this part in memory where it is not too long, or not there already."""
        if end - start > _WHOLE or self.base <= start <= end <= self.base + len(self.data):
            return self
        return _in_memory(self.path, self.format, self.read(start, end - start), start, self.size)


def _plain_fields(data: bytes, base: int, at: int, end: int) -> tuple[list[Field], int]:
    """The fields of a message in memory up to the first that is not as nearly all are, and where that one begins: one byte says number
    and kind, one or two the length, or one the value."""
    found: list[Field] = []
    at, end = at - base, end - base
    while at + 2 < end:
        key, length, first = data[at], data[at + 1], at + 2
        if not 7 < key < 128 or key & 7 not in (0, 2):
            break
        if length > 127:
            if key & 7 == 0 or data[first] > 127:
                break
            length, first = length & 127 | data[first] << 7, first + 1
        if key & 7 == 0:
            found.append((key >> 3, length, None))
            at = first
        elif first + length > end:
            break
        else:
            at = first + length
            found.append((key >> 3, base + first, base + at))
    return found, base + at


@lru_cache(maxsize=1 << 14)
def _decoded(text: bytes) -> str:
    """Kept: a million operations stand in some thousand layers, and are of some dozen kinds. Raises UnicodeDecodeError."""
    return text.decode()


def _in_memory(path: str, format: str, data: bytes, start: int, size: int | None = None) -> _Message:
    def read(at: int, length: int) -> bytes:
        return data[at - start : at - start + length]

    # A record of a Summary file is complete, so that nothing in it can be truncated.
    return _Message(path, format, read, size if size is not None else start + len(data) + 1, data, start)


def _only_graph(message: _Message, size: int) -> tuple[int, int]:
    """Where the graph of an IR dump lies."""
    found = None
    for number, start, end in message.fields(0, size):
        if number == 4 and end is not None:
            found = start, end
    if found is None:
        raise ReadError("truncated", path=message.path, offset=size, expected="graph")
    return found


def _anf(message: _Message, start: int, end: int, outputs_too: bool = False) -> Graph:
    """A GraphProto of anf_ir.proto."""
    name, nodes, parameters, outputs, constants = "", [], [], [], set()
    whole = True
    types: Types = {}
    for part, number, first, last in message.parts(start, end):
        if number == 2:
            name = part.text(first, last)
        elif number == 1:
            node = _anf_node(part, first, last, types if outputs_too else None)
            whole &= node.op not in _CALLS
            nodes.append(node)
            if len(nodes) > MAX_NODES:
                raise message.bad(first, f"<= {MAX_NODES:,} nodes")
        elif number == 3:
            parameters.append(_anf_parameter(part, first, last, types))
        elif number == 4:
            outputs += [part.text(a, b) for field, a, b in part.fields(first, last) if field == 1 and b is not None]
        elif number == 5:
            for field, a, b in part.fields(first, last):
                if field == 1 and b is not None:
                    constants.add(part.text(a, b))
                elif field == 2 and b is not None:
                    whole &= (1, _DT_GRAPH, None) not in part.fields(a, b)
    known = constants | {node.name for node in nodes} | {parameter.name for parameter in parameters}
    whole &= bool(outputs) and known.issuperset(outputs) and all(known.issuperset(node.inputs) for node in nodes)
    # A part of a graph gets what other parts computed as parameters of these names, and weights as ▸ and their name.
    whole &= not any(parameter.name.startswith(("Parameter_", "▸")) for parameter in parameters)
    return Graph(message.path, message.format, name, nodes, parameters, outputs, whole)


def _anf_node(message: _Message, start: int, end: int, types: Types | None) -> Node:
    """A NodeProto; `types` are those of outputs that were read already, None where these are not asked for."""
    name = op = scope = ""
    inputs = []
    output = None
    for number, first, last in message.fields(start, end):
        if last is None:
            continue
        if number == 1:
            source = _anf_input(message, first, last)
            if source is not None:
                inputs.append(source)
        elif number == 2:
            name = message.text(first, last)
        elif number == 3:
            op = message.text(first, last, _decoded)
        elif number == 4:
            scope = message.text(first, last, _decoded)
        elif number == 6 and types is not None:
            output = _known_type(message, first, last, types, shapeless=False)
    return Node(name, op, scope, tuple(inputs), output)


def _anf_input(message: _Message, start: int, end: int) -> str | None:
    """The name of an input; None for one that only settles the order."""
    head = message.data[start - message.base : start - message.base + 2]
    if (
        len(head) == 2 and head[0] == 10 and head[1] == end - start - 2 < 128
    ):  # a name and nothing else, as nearly all are
        return message.text(start + 2, end)
    source, control = "", 0
    for field, first, last in message.fields(start, end):
        if field == 1 and last is not None:
            source = message.text(first, last)
        elif field == 2 and last is None:
            control = first
    return None if control else source


def _known_type(message: _Message, start: int, end: int, types: Types, shapeless: bool) -> Parameter | None:
    """The type of a parameter or output: most are said again and again, each of which is read once."""
    if end - start > _SHORT_TYPE:
        return _anf_type(message, start, end, shapeless)
    key = message.read(start, end - start), shapeless
    if key not in types:
        if len(types) >= _KEPT_TYPES:
            types.clear()
        types[key] = _anf_type(message, start, end, shapeless)
    return types[key]


def _anf_parameter(message: _Message, start: int, end: int, types: Types) -> Parameter:
    name, found = "", None
    for number, first, last in message.fields(start, end):
        if last is None:
            continue
        if number == 1:
            name = message.text(first, last)
        elif number == 2:
            found = _known_type(message, first, last, types, shapeless=True)
    return Parameter(name, "-", ()) if found is None else Parameter(name, found.dtype, found.shape)


def _anf_type(message: _Message, start: int, end: int, shapeless: bool, depth: int = 0) -> Parameter | None:
    """The type and shape of a TypeProto, of several the first, without a name; None where it is no tensor's, or, unless `shapeless`, of
    one that tells no shape."""
    for field, a, b in message.fields(start, end):
        if field == 2 and b is not None:  # only tensors have a type and a shape
            dtype, shape = "-", None
            for inner, c, d in message.fields(a, b):
                if inner == 1 and d is None:
                    dtype = _ANF_TYPES.get(c, str(c))
                elif inner == 2 and d is not None:
                    shape = [_dim(message, e, f) for dim, e, f in message.fields(c, d) if dim == 1 and f is not None]
            return Parameter("", dtype, tuple(shape or ())) if shape is not None or shapeless else None
        if field == 3 and b is not None and depth < _NESTED:
            for inner, c, d in message.fields(a, b):
                if inner == 1 and d is not None:
                    return _anf_type(message, c, d, shapeless, depth + 1)
    return None


def _dim(message: _Message, start: int, end: int) -> int:
    return next((signed(value) for field, value, rest in message.fields(start, end) if field == 1 and rest is None), -1)


def _mindir(message: _Message, size: int, outputs_too: bool = False) -> Graph:
    """A ModelProto of mind_ir.proto: the graph and the functions that it calls as one."""
    found: list[_Function] = []
    primitives: dict[str, str] = {}
    main = -1
    for number, first, last in message.fields(0, size):
        if last is None:
            continue
        if number in (7, 8):
            main = len(found) if number == 7 else main
            found.append(_function(message, first, last, sum(len(function.nodes) for function in found), outputs_too))
        elif number == 12:
            part = message.within(first, last)
            texts = {
                field: part.text(a, b) for field, a, b in part.fields(first, last) if field in (1, 2) and b is not None
            }
            primitives[texts.get(1, "")] = texts.get(2, "")
    if main < 0:
        raise ReadError("truncated", path=message.path, offset=size, expected="graph")
    functions = {function.name for function in found}
    made = {node.name for function in found for node in function.nodes}
    parameters = [parameter for function in found for parameter in function.parameters]
    names = {parameter.name for parameter in parameters}
    # A function gets the weights it uses handed in, under names of its own.
    handed = {name: name.partition(":")[2] for function in found for name in function.inputs}
    handed = {name: weight for name, weight in handed.items() if weight in names}
    nodes = []
    for function in found:
        prefix = function.name + ":"
        for node in function.nodes:
            op, inputs = node.op, list(node.inputs)
            if op.startswith("REF::"):
                target = op[5:]
                if target in primitives:
                    op = primitives[target]
                elif target in functions or target in made:
                    op = "call"
                    inputs.append(target)
                else:
                    raise ReadError("truncated", path=message.path, offset=size, expected=op)
            inputs = [
                handed.get(name) or (name[len(prefix) :] if name[len(prefix) :] in names else name) for name in inputs
            ]
            nodes.append(Node(node.name, op, node.scope, tuple(inputs), node.output))
    outputs = [name for function in found for name in function.outputs]
    return Graph(message.path, message.format, found[main].name, nodes, parameters, outputs)


class _Function(NamedTuple):
    name: str
    nodes: list[Node]
    parameters: list[Parameter]
    inputs: list[str]
    outputs: list[str]


def _function(message: _Message, start: int, end: int, before: int, outputs: bool) -> _Function:
    """A GraphProto of mind_ir.proto."""
    name, nodes, parameters = "", [], []
    ends: dict[int, list[str]] = {5: [], 6: []}
    for part, number, first, last in message.parts(start, end):
        if number == 1:
            nodes.append(_mindir_node(part, first, last, outputs))
            if before + len(nodes) > MAX_NODES:
                raise message.bad(first, f"<= {MAX_NODES:,} nodes")
        elif number == 2:
            name = part.text(first, last)
        elif number == 3:
            parameters.append(_mindir_parameter(part, first, last))
        elif number in ends:
            ends[number] += [
                part.text(a, b) for field, a, b in part.fields(first, last) if field == 1 and b is not None
            ]
    # Names of parameters come with that of their graph before them.
    parameters = [
        msgspec.structs.replace(parameter, name=parameter.name.removeprefix(name + ":")) for parameter in parameters
    ]
    return _Function(name, nodes, parameters, ends[5], ends[6])


def _mindir_node(message: _Message, start: int, end: int, outputs: bool) -> Node:
    inputs: list[str] = []
    texts: dict[int, str] = {}
    output = None
    for number, first, last in message.fields(start, end):
        if last is None:
            continue
        if number == 1:
            inputs.append(message.text(first, last))
        elif number in (2, 4, 7):
            texts.setdefault(number, message.text(first, last, _decoded if number == 4 else bytes.decode))
        elif number in (5, 8) and outputs and output is None:
            output = _mindir_output(message, first, last)
    # The domain is the scope with the name of the operation behind it.
    return Node(texts.get(2, ""), texts.get(4, ""), texts.get(7, "").rpartition("/")[0], tuple(inputs), output)


def _mindir_output(message: _Message, start: int, end: int) -> Parameter | None:
    """What an attribute says of the output of its operation, of several the first; None where it says something else."""
    name, tensor = "", None
    for number, first, last in message.fields(start, end):
        if number == 1 and last is not None:
            name = message.text(first, last)
        elif number in (6, 12) and last is not None and tensor is None:
            tensor = first, last
    return _mindir_parameter(message, *tensor) if name == "shape" and tensor is not None else None


def _mindir_parameter(message: _Message, start: int, end: int) -> Parameter:
    name, dtype, shape = "", "-", []
    for number, first, last in message.fields(start, end):
        if number == 1 and last is None:
            shape.append(signed(first))
        elif number == 1 and last is not None:  # packed, as newer protobuf compilers may write it
            packed, used = message.read(first, min(last - first, _MAX_TEXT)), 0
            while used < len(packed):
                value, used = message.varint(packed, used, first)
                shape.append(signed(value))
        elif number == 2 and last is None:
            dtype = _MINDIR_TYPES.get(first, str(first))
        elif number == 7 and last is not None:
            name = message.text(first, last)
    return Parameter(name, dtype, tuple(shape))
