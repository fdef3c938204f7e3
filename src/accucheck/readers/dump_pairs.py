"""Which tensor of one dump stands for which of another: by a map of names, by name, by the place in the network, by order and shape.

Where the shapes leave several ways, tensors that agree in numbers are set against each other first. Gradients follow the modules
whose outputs are known. Opens no tensor but those whose shape, or some of whose numbers, have to tell them apart. What could stand
for several is told as ambiguous, not guessed.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ..document import parse, read_text
from ..errors import ReadError, UserError
from . import dumps
from .dumps import Dump, Operation, Tensor


class TensorSource(NamedTuple):
    """What a name says of a tensor: the module or operation, forward or backward, which run of it, input or output, which of them."""

    module: str
    direction: str
    run: int
    io: str
    slot: int


class Point(msgspec.Struct, frozen=True):
    """One tensor of a dump under the name that a person sees. `operation` counts the operations of the dump in their order."""

    name: str
    spot: TensorSource
    tensor: Tensor
    operation: int
    rank: int | None
    step: int | None


class Match(NamedTuple):
    """Two tensors that stand for each other, known by `how`: "map", "name", "place", "order" (and shape) or "numbers"."""

    left: Point
    right: Point
    how: str


class Matches(msgspec.Struct):
    """Two dumps set against each other, in the order of the first.

    `left` and `right` stand on one side only; each of `ambiguous` are names of both sides that could stand for each other in several
    ways; `unknown` are names of the map that a side does not have, as (side, name); `steps` are (rank, step) that one side lacks.
    """

    found: list[Match] = []
    left: list[Point] = []
    right: list[Point] = []
    ambiguous: list[tuple[list[str], list[str]]] = []
    unknown: list[tuple[str, str]] = []
    steps: list[tuple[str, int | None, int | None]] = []


def match(
    left: Dump, right: Dump, names: Mapping[str, str] | None = None, shape: Callable[[Tensor], object] | None = None
) -> Matches:
    """The tensors of both dumps in pairs. `names` maps modules or whole names of the left side to those of the right one.

    `shape` tells a tensor's shape, None where it cannot be read (default: from the header of its file).
    """
    shape = shape or _shape_of
    result = Matches()
    both = [points(dump) for dump in (left, right)]
    # One device of each side: whatever its number, which a folder of .npy does not tell.
    single = all(len({point.rank for point in side}) <= 1 for side in both)
    sides = [_by_step(side, single) for side in both]
    if len(sides[0]) == len(sides[1]) == 1:
        groups = [(next(iter(sides[0])), next(iter(sides[0].values())), next(iter(sides[1].values())))]
    else:
        groups = [(place, sides[0][place], sides[1][place]) for place in sides[0] if place in sides[1]]
        for side, own, other in (("left", sides[0], sides[1]), ("right", sides[1], sides[0])):
            result.steps += [(side, *place) for place in own if place not in other]
    ordered = not (unordered(left) or unordered(right))
    used: set[tuple[str, str]] = set()
    for _, ours, theirs in groups:
        _match_step(ours, theirs, names or {}, shape, ordered, result, used)
    for side, wanted in (("left", names or {}), ("right", (names or {}).values())):
        result.unknown += [(side, name) for name in wanted if (side, name) not in used]
    result.found.sort(key=lambda found: (found.left.operation, found.left.tensor.io != "input", found.left.tensor.slot))
    return result


#: Of a map of names: 100,000 names.
_MAP_LIMIT = 16 << 20


def read_names(path: Path) -> dict[str, str]:
    """A map of names: YAML, a name of the first side and its counterpart a line, as "backbone.conv1: features.0".

    A mapping file of parameters (`parameters:`, see parameter_map.py) tells the modules that these belong to. Raises UserError.
    """
    content = parse(read_text(path, _MAP_LIMIT), str(path))
    parameters = content.get("parameters") if isinstance(content, dict) else None
    if isinstance(parameters, dict):
        return _modules(parameters)
    if not isinstance(content, dict) or not all(isinstance(word, str) for pair in content.items() for word in pair):
        raise UserError("compare-map", path=str(path))
    return content


def _modules(parameters: dict[Any, Any]) -> dict[str, str]:
    """The modules of parameters that are paired, but those that stand against several."""
    found: dict[str, set[str]] = {}
    for own, value in parameters.items():
        entries = value if isinstance(value, list) else [value]
        for entry in entries:
            other = entry.get("name") if isinstance(entry, dict) else entry
            if isinstance(own, str) and isinstance(other, str) and "." in own and "." in other:
                found.setdefault(own.rpartition(".")[0], set()).add(other.rpartition(".")[0])
    return {own: others.pop() for own, others in found.items() if len(others) == 1}


def points(dump: Dump) -> list[Point]:
    """The tensors of a dump in its order, each with what its name says."""
    found = []
    root = dump.path if Path(dump.path).is_dir() else os.path.dirname(dump.path)
    runs: Counter[tuple[object, ...]] = Counter()
    for number, operation in enumerate(dump.operations):
        for tensor in operation.tensors:
            name, spot = _named(tensor, root)
            which = (operation.rank, operation.step, spot)
            spot, runs[which] = spot._replace(run=spot.run + runs[which]), runs[which] + 1
            found.append(Point(name, spot, tensor, number, operation.rank, operation.step))
    return found


def unordered(dump: Dump) -> bool:
    """Whether nothing tells in which order the layers of a dump ran: neither it, nor numbers that the names of files begin with."""
    if dump.orders != ["names"]:
        return False
    return not all(
        tensor.path.rpartition(os.sep)[2][:1].isdecimal() for run in dump.operations for tensor in run.tensors
    )


def module_output(dump: Dump) -> Dump:
    """A dump of graph operations as one of modules: the last output of each module's own operations, forward only.

    MindSpore names an operation by its scope: Default/network-Net/fc-Dense/MatMul-op1, with _ for / in names of files.
    """
    last: dict[tuple[int | None, int | None, str], Operation] = {}
    for operation in dump.operations:
        module = _scope(operation.name)
        outputs = [tensor for tensor in operation.outputs if tensor.slot == 0]
        if module is not None and outputs:
            last.pop((operation.rank, operation.step, module), None)
            tensor = msgspec.structs.replace(outputs[0], type="", op=module)
            last[operation.rank, operation.step, module] = Operation(
                "", module, operation.rank, operation.step, [tensor]
            )
    return msgspec.structs.replace(dump, operations=list(last.values()))


def of_graph(dump: Dump) -> bool:
    """Whether the operations of a dump carry scopes of a graph."""
    return any(_scope(operation.name) is not None for operation in dump.operations[:1000])


# --- names -----------------------------------------------------------------------------------------------------------------------

#: Of msprobe: what begins the name of a module, and of a function by the name it has in both frameworks.
_MODULES = ("Cell", "Module")
_FUNCTIONS = {"Mint": "torch", "Torch": "torch", "MintFunctional": "functional", "Functional": "functional"}
_MSPROBE = re.compile(r"^(.+)\.(forward|backward|parameters_grad)(?:\.(\d+))?(?:[./](.+))?$")
#: What the name of a file may end with, to tell inputs from outputs.
_ENDING = re.compile(
    r"(?:[./_ -](forward|backward|fwd|bwd|grads?|gradients?))?(?:[./_ -](\d+))?[./_ -](input|output|inputs|outputs|in|out)"
    r"(?:[./_ -](\d+))?$",
    re.I,
)
#: ... and gradients from outputs.
_GRADIENT = re.compile(r"[./_ -](?:grads?|gradients?)$", re.I)
#: Names that frameworks wrap a network in.
_WRAPPERS = {"module", "_backbone", "network", "_network", "model", "_orig_mod", "net", "backbone_network"}
_COUNTED = re.compile(r"^\d{1,9}[_-](?=[^\d])")
_OPERATION = re.compile(r"-op\d+$")


def _named(tensor: Tensor, root: str) -> tuple[str, TensorSource]:
    op = tensor.op
    plain = not tensor.type and tensor.told is None and tensor.time is None
    if plain and tensor.path.endswith(".npy"):
        *folders, name = tensor.path[len(root) : -4].strip("/").split("/")
        if folders and folders[-1].isdecimal():  # a step
            folders.pop()
        op = "/".join([*(folder for folder in folders if not dumps.tells_step(folder)), name])
    if found := _MSPROBE.match(op):
        return _of_msprobe(found, tensor, op)
    if plain:
        io, slot, direction, run, module = "output", 0, "forward", 0, op
        if found := _ENDING.search(op):
            module = op[: found.start()]
            direction = "backward" if (found[1] or "").lower().startswith(("b", "g")) else "forward"
            io = "input" if found[3].lower().startswith("in") else "output"
            run, slot = int((found[2] or "0")[:9]), int((found[4] or "0")[:9])
        elif found := _GRADIENT.search(op):
            module, direction = op[: found.start()], "backward"
        folder, _, last = module.rpartition("/")
        module = _dotted(f"{folder}/{_COUNTED.sub('', last)}")  # the number is of the order, not of the name
        return op, TensorSource(module, direction, run, io, slot)
    name = f"{tensor.type}.{op}.{tensor.io}.{tensor.slot}".lstrip(".")
    direction = "backward" if op.startswith("Gradients") else "forward"
    return name, TensorSource(f"{tensor.type}.{op}".lstrip("."), direction, 0, tensor.io, tensor.slot)


def _of_msprobe(found: re.Match[str], tensor: Tensor, op: str) -> tuple[str, TensorSource]:
    """Cell.conv.Conv2d.forward.0 (kind, module, class) and Functional.relu.0.forward (kind, function, number)."""
    words = found[1].split(".")
    direction, run = found[2], int((found[3] or "0")[:9])
    io, slot, name = tensor.io, tensor.slot, f"{op}.{tensor.io}.{tensor.slot}"
    if rest := found[4]:  # the name of a file in dump_tensor_data: input.0 or output.0
        name = op
        io = "input" if rest.startswith("input") else "output"
        slot = next((int(word[:9]) for word in rest.split(".") if word.isdecimal()), 0)
    if words[0] in _MODULES and len(words) > 1:
        words = words[1:-1] or words[1:]
    else:
        words[0] = _FUNCTIONS.get(words[0], words[0].lower())
        if words[-1].isdecimal() and len(words) > 2:
            run = int(words.pop()[:9])
    return name, TensorSource(".".join(words), direction, run, io, slot)


def _dotted(name: str) -> str:
    return name.replace("/", ".").replace(os.sep, ".").strip(".")


def _scope(name: str) -> str | None:
    """The module of an operation of a graph, "" for the network itself; None where the name is no scope, or of the backward pass."""
    if not name.startswith("Default"):
        return None
    words = name.split("-")
    if len(words) < 3:
        return None
    path = [words[0].partition("_")[2], *(word.partition("_")[2] for word in words[1:-1])]
    return ".".join(_unwrapped([word for word in path[:-1] if word]))


def _unwrapped(words: list[str]) -> list[str]:
    while words and words[0] in _WRAPPERS:
        words = words[1:]
    return words


def _loose(spot: TensorSource) -> TensorSource:
    """The same place without wrappers and the numbers that MindSpore gives to operations."""
    return spot._replace(module=_OPERATION.sub("", ".".join(_unwrapped(spot.module.split(".")))).lower())


# --- pairs -----------------------------------------------------------------------------------------------------------------------


def _by_step(found: Iterable[Point], single: bool) -> dict[tuple[int | None, int | None], list[Point]]:
    steps: dict[tuple[int | None, int | None], list[Point]] = {}
    for point in found:
        steps.setdefault((None if single else point.rank, point.step), []).append(point)
    return steps


def _match_step(
    left: list[Point],
    right: list[Point],
    names: Mapping[str, str],
    shape: Callable[[Tensor], object],
    ordered: bool,
    result: Matches,
    used: set[tuple[str, str]],
) -> None:
    pairs: dict[int, tuple[int, str]] = {}  # places on the left: place on the right, and how it is known
    if names:
        mapped = {id(point): _mapped(point, names, used) for point in left}
        targets = {point.name: point for point in right}
        known = _names(right)
        used.update(("right", name) for name in names.values() if name in known)
        places = {point.spot: at for at, point in enumerate(right)}
        at_of = {id(point): at for at, point in enumerate(right)}
        for at, point in enumerate(left):
            target = mapped[id(point)]
            if target is None:
                continue
            whole, spot = target
            other = at_of[id(targets[whole])] if whole in targets else places.get(spot)
            if other is not None:
                pairs[at] = other, "map"
    for key, how in ((_whole, "name"), (_spot, "name"), (_place, "place")):
        taken = {other for other, _ in pairs.values()}
        one = _unique((at, key(point)) for at, point in enumerate(left) if at not in pairs)
        other_side = _unique((at, key(point)) for at, point in enumerate(right) if at not in taken)
        pairs.update({at: (other_side[word], how) for word, at in one.items() if word in other_side})
    for backward in (False, True):
        if backward:
            _follow(left, right, pairs)
        _by_order(left, right, pairs, shape, ordered, backward, result)
    result.found += [Match(left[at], right[other], how) for at, (other, how) in pairs.items()]
    taken = {other for other, _ in pairs.values()}
    told = {name for group in result.ambiguous for side in group for name in side}
    result.left += [point for at, point in enumerate(left) if at not in pairs and point.name not in told]
    result.right += [point for at, point in enumerate(right) if at not in taken and point.name not in told]


def _whole(point: Point) -> object:
    return point.name


def _spot(point: Point) -> object:
    return point.spot


def _place(point: Point) -> object:
    return _loose(point.spot)


def _unique(keyed: Iterable[tuple[int, object]]) -> dict[object, int]:
    found: dict[object, int] = {}
    often: set[object] = set()
    for at, key in keyed:
        if key in found:
            often.add(key)
        found[key] = at
    return {key: at for key, at in found.items() if key not in often}


def _names(side: list[Point]) -> set[str]:
    """Of all tensors and modules, those above these too."""
    modules: set[str] = set()
    for module in {point.spot.module for point in side}:
        while module and module not in modules:
            modules.add(module)
            module = module.rpartition(".")[0]
    return modules | {point.name for point in side}


def _mapped(point: Point, names: Mapping[str, str], used: set[tuple[str, str]]) -> tuple[str, TensorSource] | None:
    """What the map makes of a name: of the whole of it, else of the longest module above it."""
    if point.name in names:
        used.add(("left", point.name))
        target = names[point.name]
        return target, point.spot._replace(module=target)
    module = point.spot.module
    while module:
        if module in names:
            used.add(("left", module))
            moved = names[module] + point.spot.module[len(module) :]
            return "", point.spot._replace(module=moved.strip("."))
        module = module.rpartition(".")[0]
    return None


def _follow(left: list[Point], right: list[Point], pairs: dict[int, tuple[int, str]]) -> None:
    """Pairs what else there is of two modules, gradients above all, where their outputs are known to be of one place."""
    twins: dict[str, set[str]] = {}
    for at, (other, _) in pairs.items():
        twins.setdefault(left[at].spot.module, set()).add(right[other].spot.module)
    taken = {other for other, _ in pairs.values()}
    places = _unique((at, point.spot) for at, point in enumerate(right) if at not in taken)
    moved = _unique(
        (at, point.spot._replace(module=next(iter(twins[point.spot.module]))))
        for at, point in enumerate(left)
        if at not in pairs and len(twins.get(point.spot.module, ())) == 1
    )
    pairs.update({at: (places[spot], "order") for spot, at in moved.items() if spot in places})


def _by_order(
    left: list[Point],
    right: list[Point],
    pairs: dict[int, tuple[int, str]],
    shape: Callable[[Tensor], object],
    ordered: bool,
    backward: bool,
    result: Matches,
) -> None:
    """Pairs what is left of one direction between pairs that are known, where shapes and numbers leave one way only."""
    sides = (left, right)
    wanted = tuple({at for at, point in enumerate(side) if _backward(point) == backward} for side in sides)
    if wanted[0] <= pairs.keys() or wanted[1] <= {other for other, _ in pairs.values()}:
        return
    inner = tuple(_containers(side) for side in sides)

    def gaps(within: tuple[tuple[int, int], tuple[int, int]]) -> Iterator[tuple[list[int], list[int]]]:
        """What is not paired between two known pairs."""
        (start, first), (stop, last) = within
        taken = {other for other, _ in pairs.values()}
        known = sorted((at, pairs[at][0]) for at in pairs if start < at < stop and at in wanted[0])
        anchors = [(start, first), *_rising([one for one in known if first < one[1] < last]), (stop, last)]
        for (one, two), (other_one, other_two) in pairwise(anchors if ordered else [within[0], within[1]]):
            ones = [at for at in range(one + 1, other_one) if at in wanted[0] and at not in pairs]
            others = [at for at in range(two + 1, other_two) if at in wanted[1] and at not in taken]
            if ones and others:
                yield ones, others

    def told(ones: list[int], others: list[int]) -> tuple[list[object], list[object]]:
        return [_look(left[at], shape) for at in ones], [_look(right[at], shape) for at in others]

    def in_order(ones: list[int], others: list[int]) -> bool:
        """Pairs all, or all that hold no other modules, where the shapes are the same one after the other."""
        for own, other in (
            (ones, others),
            tuple([at for at in side if at not in held] for side, held in zip((ones, others), inner, strict=True)),
        ):
            shapes = told(own, other)
            if ordered and own and shapes[0] == shapes[1] and None not in shapes[0]:
                pairs.update({at: (to, "order") for at, to in zip(own, other, strict=True)})
                return True
        return False

    everything = ((-1, -1), (len(left), len(right)))
    for ones, others in list(gaps(everything)):
        if in_order(ones, others):
            continue
        found = _alike([left[at] for at in ones], [right[at] for at in others], *told(ones, others), ordered)
        pairs.update({ones[at]: (others[other], "numbers") for at, other in found})
        ends = (ones[0] - 1, others[0] - 1), (ones[-1] + 1, others[-1] + 1)
        for own, other in list(gaps(ends)):
            if not in_order(own, other):
                _in_one_way(left, right, own, other, told(own, other), pairs, ordered, result)


def _in_one_way(
    left: list[Point],
    right: list[Point],
    ones: list[int],
    others: list[int],
    shapes: tuple[list[object], list[object]],
    pairs: dict[int, tuple[int, str]],
    ordered: bool,
    result: Matches,
) -> None:
    """Pairs what all longest alignments of the shapes have in common, and shapes that stand once on each side; tells the others."""
    counts = Counter(shapes[0]), Counter(shapes[1])
    found = _forced(*shapes) if ordered else []
    own, taken = {at for at, _ in found}, {other for _, other in found}
    for at, one in enumerate(shapes[0]):
        if one is not None and counts[0][one] == counts[1][one] == 1:
            other = shapes[1].index(one)
            if at not in own and other not in taken:
                found.append((at, other))
    pairs.update({ones[at]: (others[other], "order") for at, other in found})
    own, taken = {at for at, _ in found}, {other for _, other in found}
    for one in counts[0]:
        names = [
            [
                side[place].name
                for at, (place, own) in enumerate(zip(places, told, strict=True))
                if own == one and at not in used
            ]
            for side, places, told, used in zip((left, right), (ones, others), shapes, (own, taken), strict=True)
        ]
        if one is not None and all(names):
            result.ambiguous.append((names[0], names[1]))


def _backward(point: Point) -> bool:
    return point.spot.direction != "forward"


def _containers(side: list[Point]) -> set[int]:
    """The places of tensors whose module holds other modules: of a Sequential, the output of its last one once more."""
    above: set[str] = set()
    for module in {point.spot.module for point in side}:
        while module := module.rpartition(".")[0]:
            if module in above:
                break
            above.add(module)
    return {at for at, point in enumerate(side) if point.spot.module in above}


#: Tensors of one gap on each side, multiplied, up to which all of them are set against each other.
_MOST = 250_000
#: How far the samples of two tensors may be off to be of one place, relative to the norm.
_NEAR = 1e-3


def _alike(
    ones: list[Point], others: list[Point], shapes: list[object], other_shapes: list[object], ordered: bool
) -> list[tuple[int, int]]:
    """The places of tensors that agree in numbers: the longest rising part of them, or those with one counterpart."""
    import numpy as np

    if len(ones) * len(others) > _MOST:
        return []
    near = np.zeros((len(ones), len(others)), bool)
    for shape in {one for one in shapes if one is not None and one in other_shapes}:
        rows = [at for at, one in enumerate(shapes) if one == shape]
        columns = [at for at, one in enumerate(other_shapes) if one == shape]
        own, other = ([_sample(side[at].tensor) for at in places] for side, places in ((ones, rows), (others, columns)))
        for at, values in zip(rows, own, strict=True):
            for to, against in zip(columns, other, strict=True):
                if values is not None and against is not None and len(values) == len(against):
                    near[at, to] = np.linalg.norm(values - against) <= _NEAR * np.linalg.norm(against)
    if not ordered:
        alone = near & (near.sum(1, keepdims=True) == 1) & (near.sum(0, keepdims=True) == 1)
        return [(int(at), int(to)) for at, to in np.argwhere(alone)]
    # Of several that agree, a module is set against a module of its kind: one that holds others or one that does not.
    inner = [{points[at].spot.module for at in _containers(points)} for points in (ones, others)]
    kinds = [
        [point.spot.module in held for point in points] for points, held in zip((ones, others), inner, strict=True)
    ]
    best = [[0] * (len(others) + 1) for _ in range(len(ones) + 1)]
    for at, row in reversed(list(enumerate(near.tolist()))):
        for to in range(len(others) - 1, -1, -1):
            best[at][to] = max(best[at + 1][to], best[at][to + 1])
            if row[to]:
                best[at][to] = max(best[at][to], best[at + 1][to + 1] + 2 + (kinds[0][at] == kinds[1][to]))
    found, at, to = [], 0, 0
    while at < len(ones) and to < len(others):
        if best[at][to] == best[at + 1][to]:
            at += 1
        elif best[at][to] == best[at][to + 1]:
            to += 1
        else:
            found.append((at, to))
            at, to = at + 1, to + 1
    return found


#: Runs of numbers that make a sample of a tensor, and how long each is.
_RUNS, _LONG = 16, 64


def _sample(tensor: Tensor) -> Any:
    """Some numbers from all over a tensor, or what statistics tell of it; None where it cannot be read, or nothing is to be told."""
    import numpy as np

    from .dump_comparison import tensor_info
    from .tensors import chunks

    if tensor.told is not None:
        known = (tensor.told.minimum, tensor.told.maximum, tensor.told.mean, tensor.told.norm)
        values = np.array([one for one in known if one is not None])
    else:
        try:
            info = tensor_info(tensor)
            if info.obstacle or not info.size or info.dtype.startswith("complex"):
                return None
            starts = {run * max(0, info.size - _LONG) // (_RUNS - 1) for run in range(_RUNS)}
            parts = [part.astype(np.float64) for at in sorted(starts) for part in chunks(info, at, at + _LONG)]
        except ReadError:
            return None
        values = np.concatenate(parts)
    return values if np.isfinite(values).all() and values.any() else None


def _forced(one: list[object], other: list[object]) -> list[tuple[int, int]]:
    """The places that stand against each other in every longest alignment of two lists; what is None stands against nothing."""
    if len(one) * len(other) > _MOST:
        return []
    before = _alignments(one, other)
    after = _alignments(one[::-1], other[::-1])
    longest, ways = before[-1][-1]
    found = []
    for at, value in enumerate(one):
        for to, against in enumerate(other):
            if value is not None and value == against:
                length, count = before[at][to]
                rest, others = after[len(one) - at - 1][len(other) - to - 1]
                if length + 1 + rest == longest and (count * others - ways) % _PRIME == 0:
                    found.append((at, to))
    return found


#: Ways to align are counted modulo this, since there are so many of them.
_PRIME = 2**61 - 1


def _alignments(one: list[object], other: list[object]) -> list[list[tuple[int, int]]]:
    """For the beginnings of two lists, the length of the longest alignment and in how many ways there is one as long."""
    table = [[(0, 1)] * (len(other) + 1) for _ in range(len(one) + 1)]
    for at, value in enumerate(one, start=1):
        for to, against in enumerate(other, start=1):
            above, beside, corner = table[at - 1][to], table[at][to - 1], table[at - 1][to - 1]
            longest = max(above[0], beside[0])
            met = value is not None and value == against
            longest = max(longest, corner[0] + 1) if met else longest
            ways = above[1] * (above[0] == longest) + beside[1] * (beside[0] == longest)
            ways -= corner[1] * (corner[0] == longest)
            ways += corner[1] * (met and corner[0] + 1 == longest)
            table[at][to] = longest, ways % _PRIME
    return table


def _look(point: Point, shape: Callable[[Tensor], object]) -> object:
    found = shape(point.tensor)
    return None if found is None else (point.spot.io, point.spot.direction, found)


def _rising(places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest part of the pairs that rises on both sides."""
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for index, (_, other) in enumerate(places):
        at = bisect_left(tails, other)
        before.append(ends[at - 1] if at else -1)
        tails[at : at + 1], ends[at : at + 1] = [other], [index]
    chain = []
    index = ends[-1] if ends else -1
    while index >= 0:
        chain.append(places[index])
        index = before[index]
    return chain[::-1]


def _shape_of(tensor: Tensor) -> object:
    try:
        return dumps.shape_of(tensor)
    except ReadError:
        return None
