"""Which parameter of one checkpoint is which of another, from names, shapes and order alone: MindSpore (nn, mint) and PyTorch.

found = pair_parameters(open_checkpoint("net.ckpt").tensors, open_checkpoint("ref.pth").tensors)

What fits equally well in several ways is told and not paired. Reads no values.
"""

from __future__ import annotations

import math
import pathlib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from . import document
from .errors import UserError
from .knowledge import parameter_names as facts
from .readers.checkpoints import Checkpoint
from .readers.tensors import TensorInfo

Path = tuple[str, ...]
Framework = Literal["mindspore", "pytorch"]
Rows = tuple[int, int]

#: Pairs of layers that the search for an order looks at; more would take some seconds.
ORDER_LIMIT = 4_000_000
#: Of a mapping file: 100,000 names.
MAP_LIMIT = 16 << 20
#: Wrong entries of it that are told the nearest name: to look for one takes as long as there are names, and whoever took one side for
#: the other has all of them wrong.
_HINTED = 20


class Pair(msgspec.Struct, frozen=True):
    """Two parameters that are one and the same.

    `how` says what it rests on: name, prefix, words (names that mean the same), shape (the only one of its shape), order
    (the order of the layers), state (that of a paired parameter) or file (a mapping file). Shapes that differ are told apart
    by axes of size 1 alone, or `transpose` swaps the two axes. `left_rows` and `right_rows` are (start, stop) where only
    these rows of a joined tensor are meant.
    """

    left: TensorInfo
    right: TensorInfo
    how: str
    transpose: bool = False
    left_rows: Rows | None = None
    right_rows: Rows | None = None

    @property
    def transform(self) -> str:
        """rows, transpose, reshape, or nothing."""
        if self.left_rows or self.right_rows:
            return "rows"
        return "transpose" if self.transpose else "reshape" if self.left.shape != self.right.shape else ""


class Ambiguous(msgspec.Struct, frozen=True):
    """Parameters of which several pairings are equally good.

    `why`: order (no order fits best), names (the names contradict the order), transpose (square, among tensors that are
    transposed), state (of an optimizer whose parameters cannot be numbered).
    """

    why: str
    left: list[TensorInfo]
    right: list[TensorInfo]


class ParameterMap(msgspec.Struct):
    """What belongs together. `shapes` have one name and shapes that do not fit; `left` and `right` stand on one side only."""

    pairs: list[Pair] = []
    shapes: list[tuple[TensorInfo, TensorInfo]] = []
    ambiguous: list[Ambiguous] = []
    left: list[TensorInfo] = []
    right: list[TensorInfo] = []


def unneeded(info: TensorInfo) -> bool:
    """Whether a parameter has no counterpart by design: the counter of batches of PyTorch's BatchNorm."""
    return info.name.rpartition(".")[2] == facts.UNNEEDED


def trainable(info: TensorInfo) -> bool:
    """Whether an optimizer would change it, as far as a name tells: no moving statistic, no state."""
    leaf = info.name.rpartition(".")[2]
    leaf = facts.LEAVES.get(leaf, leaf)
    return info.role == "weight" and info.floating and leaf not in (*facts.BUFFERS, *facts.TABLES, "mean", "variance")


def transformed(left: tuple[int, ...], right: tuple[int, ...]) -> str | None:
    """How one shape becomes the other: "" (equal), reshape (axes of size 1), transpose; None when it cannot."""
    if left == right:
        return ""
    if [size for size in left if size != 1] == [size for size in right if size != 1]:
        return "reshape"
    return "transpose" if len(left) == 2 and left[::-1] == right else None


def framework(tensors: Iterable[TensorInfo]) -> Framework | None:
    """Whose names the parameters have: those of mindspore.nn or those of PyTorch (and mindspore.mint); None where none of them tells."""
    leaves = {info.name.rpartition(".")[2] for info in tensors}
    if leaves & facts.LEAVES.keys():
        return "mindspore"
    return "pytorch" if leaves.intersection(facts.BUFFERS) else None


def other_names(left: Checkpoint, right: Checkpoint) -> bool:
    """Whether two checkpoints follow the names of different frameworks, as far as names or else the formats tell."""
    formats: dict[str, Framework] = {"ckpt": "mindspore", "torch": "pytorch"}
    own = [framework(side.tensors) or formats.get(side.format) for side in (left, right)]
    return None not in own and own[0] != own[1]


class ManualPairs(msgspec.Struct, frozen=True):
    """What a person said: pairs, and tensors of either side that have none. `wrong` are the entries that hold for nothing."""

    pairs: list[Pair] = []
    left: list[TensorInfo] = []
    right: list[TensorInfo] = []
    wrong: list[UserError] = []


# --- layers -----------------------------------------------------------------------------------------------------------


class _Part(NamedTuple):
    """A tensor, or some rows of it."""

    info: TensorInfo
    rows: Rows | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return self.info.shape if self.rows is None else (self.rows[1] - self.rows[0], *self.info.shape[1:])


class _Layer:
    """The parameters below one path, by their names in PyTorch."""

    def __init__(self, path: Path, leaves: dict[str, _Part]) -> None:
        self.path, self.leaves = path, leaves
        self.signature = tuple(
            (leaf, tuple(size for size in part.shape if size != 1))
            for leaf, part in sorted(leaves.items())
            if leaf not in facts.OPTIONAL
        ) or tuple((leaf, part.shape) for leaf, part in sorted(leaves.items()))

    def fits(self, other: _Layer) -> bool:
        common = self.leaves.keys() & other.leaves.keys()
        needed = {leaf for layer in (self, other) for leaf in layer.leaves if leaf not in facts.OPTIONAL}
        return (
            bool(common)
            and needed <= common
            and all(transformed(self.leaves[leaf].shape, other.leaves[leaf].shape) is not None for leaf in common)
        )

    @property
    def matrix(self) -> bool:
        return any(len(shape) > 1 for _, shape in self.signature)


def _layers(tensors: Iterable[TensorInfo]) -> list[_Layer]:
    """The layers in the order in which their first parameters stand."""
    found: dict[Path, dict[str, _Part]] = {}
    for info in tensors:
        *path, leaf = info.name.split(".")
        if leaf in facts.PARAMETRIZED and path[-2:-1] == ["parametrizations"]:
            leaf, path = path[-1] + facts.PARAMETRIZED[leaf], path[:-2]
        elif leaf in facts.PROJECTIONS:
            layer, leaf = facts.PROJECTIONS[leaf]
            path.append(layer)
        elif path[-1:] == ["bn2d"]:  # within BatchNorm3d
            path.pop()
        elif not facts.LEAF.match(leaf):  # a parameter by itself: cls_token
            path.append(leaf)
            leaf = ""
        leaves = found.setdefault(tuple(path), {})
        while leaf in leaves:  # two writings of one name: neither is lost
            leaf = f"{leaf}'"
        leaves[leaf] = _Part(info)
    return [_Layer(path, _named(leaves)) for path, leaves in found.items()]


def _named(leaves: dict[str, _Part]) -> dict[str, _Part]:
    """The same with PyTorch's names."""
    for whole in facts.WHOLE_LAYERS:
        if leaves.keys() <= whole.keys() and next(iter(whole)) in leaves:
            return {whole[leaf]: part for leaf, part in leaves.items()}
    names = {leaf: facts.LEAVES.get(leaf, leaf) for leaf in leaves}
    often = Counter(names.values())
    return {leaf if often[names[leaf]] > 1 else names[leaf]: part for leaf, part in leaves.items()}


def _is_joined(layer: _Layer) -> bool:
    """Whether a layer holds the projections of query, key and value."""
    return bool(layer.path) and layer.path[-1].lower() in facts.JOINED


def _split(layers: list[_Layer]) -> list[_Layer]:
    """The layers with each joined projection of query, key and value as three."""
    result = []
    for layer in layers:
        shapes = [part.shape for part in layer.leaves.values()]
        if not _is_joined(layer) or any(not shape or shape[0] % 3 for shape in shapes):
            result.append(layer)
            continue
        for number, name in enumerate(facts.PARTS):
            leaves = {}
            for leaf, part in layer.leaves.items():
                third = part.shape[0] // 3
                leaves[leaf] = _Part(part.info, (number * third, (number + 1) * third))
            result.append(_Layer((*layer.path[:-1], name), leaves))
    return result


# --- names ------------------------------------------------------------------------------------------------------------


def _words(path: Path) -> Path:
    """The words and numbers of a path, those that mean the same alike, without those that tell nothing."""
    found: list[str] = []
    for component in path:
        whole = component.replace("_", "").lower()
        if whole in facts.SAME_WORDS:  # down_sample, self_attn
            found += [facts.SAME_WORDS[whole]] * (found[-1:] != [facts.SAME_WORDS[whole]])
            continue
        spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", component)
        for word in re.findall(r"[^\W\d_]+|\d+", spaced):
            word = facts.SAME_WORDS.get(word.lower(), word.lower())
            if word not in facts.FILLERS and (word.isdigit() or found[-1:] != [word]):
                found.append(word)
    return tuple(found)


def _stripped(paths: list[Path], others: list[Path]) -> list[Path]:
    """The paths without what stands in front of most of them, or is the name of a wrapper, and is not on the other side."""
    for _ in range(8):
        foreign = {path[0] for path in others if path}
        fronts = Counter(path[0] for path in paths if len(path) > 1)
        drop = {
            front
            for front, count in fronts.items()
            if front not in foreign and (front in facts.WRAPPERS or 2 * count > len(paths)) and not front.isdigit()
        }
        if not drop:
            break
        shorter = [path[1:] if len(path) > 1 and path[0] in drop else path for path in paths]
        if len(set(shorter)) < len(set(paths)):
            break
        paths = shorter
    return paths


def _numbered(left: list[Path], right: list[Path], clash: Callable[[int, int], bool]) -> tuple[list[Path], list[Path]]:
    """The paths with numbers that can be compared.

    Sequences count what has no parameters too, so that one layer may be features.2 here and features.1 there. Where neither
    side's numbers are among those of the other, equally many stand for their ranks; otherwise, or when `clash` says that two
    layers of one number are of different kinds, the numbers say nothing and are made different.
    """
    keys: tuple[list[list[str]], list[list[str]]] = ([[] for _ in left], [[] for _ in right])

    def alike(ones: list[int], others: list[int], depth: int) -> Iterator[tuple[int, int]]:
        """Those of both sides that are called the same from `depth` on."""
        named: dict[Path, list[int]] = defaultdict(list)
        for other in others:
            named[right[other][depth:]].append(other)
        return ((one, other) for one in ones for other in named.get(left[one][depth:], ()))

    stack = [(list(range(len(left))), list(range(len(right))), 0)]
    while stack:
        ones, others, depth = stack.pop()
        groups: dict[str, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
        for side, (paths, members) in enumerate(((left, ones), (right, others))):
            for index in members:
                if depth < len(paths[index]):
                    groups[paths[index][depth]][side].append(index)
        numbers = [
            sorted((name for name, group in groups.items() if _is_number(name) and group[side]), key=int)
            for side in (0, 1)
        ]
        ways: list[list[list[str]]] = []
        if set(numbers[0]) <= set(numbers[1]) or set(numbers[1]) <= set(numbers[0]):
            ways.append(numbers)
        if len(numbers[0]) == len(numbers[1]):
            ways.append([[str(rank) for rank in range(len(side))] for side in numbers])
        for way in ways:
            names = [dict(zip(way[side], numbers[side], strict=True)) for side in (0, 1)]
            if not any(
                clash(one, other)
                for name in names[0].keys() & names[1].keys()
                for one, other in alike(groups[names[0][name]][0], groups[names[1][name]][1], depth + 1)
            ):
                break
        else:
            way = [[f"{side}:{name}" for name in numbers[side]] for side in (0, 1)]
        below: dict[str, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
        for side in (0, 1):
            renamed = dict(zip(numbers[side], way[side], strict=True))
            for name, group in groups.items():
                for index in group[side]:
                    key = renamed.get(name, name)
                    keys[side][index].append(key)
                    below[key][side].append(index)
        stack += [(ones, others, depth + 1) for ones, others in below.values() if ones and others]
        for ones, others in below.values():
            if not (ones and others):  # nothing to compare with: the rest as it is
                for side, members in ((0, ones), (1, others)):
                    for index in members:
                        keys[side][index] += (left, right)[side][index][depth + 1 :]
    return [tuple(key) for key in keys[0]], [tuple(key) for key in keys[1]]


def _is_number(name: str) -> bool:
    """Whether a component counts: what else Unicode calls digits, and numbers of any length, are no numbers of layers."""
    return name.isascii() and name.isdigit() and len(name) < 20


class _Pairing:
    """Layers of two sides on the way to being paired; indices into their lists."""

    def __init__(self, left: list[_Layer], right: list[_Layer]) -> None:
        self.left, self.right = left, right
        self.partner: dict[int, int] = {}
        self.how: dict[int, str] = {}
        self.taken: set[int] = set()
        self.same_key: list[tuple[int, int]] = []

    def pair(self, one: int, other: int, how: str) -> None:
        self.partner[one], self.how[one] = other, how
        self.taken.add(other)

    def open(self) -> tuple[list[int], list[int]]:
        return (
            [one for one in range(len(self.left)) if one not in self.partner],
            [other for other in range(len(self.right)) if other not in self.taken],
        )

    def by_name(self, left: list[Path], right: list[Path], how: str) -> None:
        """Pair what has one key that stands once on each side."""
        left, right = _numbered(left, right, self._clash)
        often = [Counter(left), Counter(right)]
        places = {key: other for other, key in enumerate(right)}
        for one, key in enumerate(left):
            other = places.get(key)
            if other is None or often[0][key] > 1 or often[1][key] > 1 or one in self.partner or other in self.taken:
                continue
            if self.left[one].fits(self.right[other]):
                self.pair(one, other, how)
            else:
                self.same_key.append((one, other))

    def _clash(self, one: int, other: int) -> bool:
        """Whether two layers are of different kinds, whatever their sizes."""
        first, second = self.left[one], self.right[other]
        if first.fits(second):
            return False
        return [(leaf, len(shape)) for leaf, shape in first.signature] != [
            (leaf, len(shape)) for leaf, shape in second.signature
        ]

    def by_shape(self) -> None:
        """Pair the matrices of which each side has one left."""
        ones, others = self.open()
        places: dict[object, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
        for one in ones:
            places[self.left[one].signature][0].append(one)
        for other in others:
            places[self.right[other].signature][1].append(other)
        for some, more in places.values():
            if (
                len(some) == len(more) == 1
                and self.left[some[0]].matrix
                and self.left[some[0]].fits(self.right[more[0]])
            ):
                self.pair(some[0], more[0], "shape")

    def by_order(self) -> set[int]:
        """Pair what every longest common order of the two sides pairs. Gives those (left) whose names contradict it."""
        ones, others = self.open()
        signatures = {self.left[one].signature for one in ones} & {self.right[other].signature for other in others}
        if not signatures or len(self.left) * len(self.right) > ORDER_LIMIT:
            return set()
        certain = _certain(
            [
                ("paired", self.partner[one]) if one in self.partner else layer.signature
                for one, layer in enumerate(self.left)
            ],
            [("paired", other) if other in self.taken else layer.signature for other, layer in enumerate(self.right)],
        )
        found = [
            (one, other)
            for one, other in certain
            if one not in self.partner and other not in self.taken and self.left[one].fits(self.right[other])
        ]
        against = self._against(found)
        for one, other in found:
            if one not in against:
                self.pair(one, other, "order")
        return against

    def _against(self, found: list[tuple[int, int]]) -> set[int]:
        """Those (left) that the names of two pairs would rather swap."""
        alike: dict[object, list[tuple[int, int, frozenset[str], frozenset[str]]]] = defaultdict(list)
        for one, other in found:
            words = [
                frozenset(word for word in _words(layer.path) if not word.isdigit())
                for layer in (self.left[one], self.right[other])
            ]
            alike[self.left[one].signature].append((one, other, words[0], words[1]))
        against: set[int] = set()
        for group in alike.values():
            kinds: dict[tuple[frozenset[str], frozenset[str]], list[int]] = defaultdict(list)
            for one, _, mine, theirs in group:
                kinds[mine, theirs].append(one)
            for (mine, theirs), members in kinds.items():
                for (mine2, theirs2), members2 in kinds.items():
                    if len(mine & theirs2) + len(mine2 & theirs) > len(mine & theirs) + len(mine2 & theirs2):
                        against.update(members, members2)
        return against


def _certain(left: Sequence[object], right: Sequence[object]) -> list[tuple[int, int]]:
    """The pairs of equal elements that stand in every longest common subsequence."""
    rows, columns = len(left), len(right)
    before = [[0] * (columns + 1) for _ in range(rows + 1)]
    after = [[0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows):
        here, above, mine = before[i + 1], before[i], left[i]
        for j in range(columns):
            here[j + 1] = above[j] + 1 if mine == right[j] else max(above[j + 1], here[j])
    for i in range(rows - 1, -1, -1):
        here, below, mine = after[i], after[i + 1], left[i]
        for j in range(columns - 1, -1, -1):
            here[j] = below[j + 1] + 1 if mine == right[j] else max(below[j], here[j + 1])
    longest = before[rows][columns]
    choices: list[list[int]] = [[] for _ in left]
    wanted = Counter[int]()
    for i in range(rows):
        for j in range(columns):
            if left[i] == right[j] and before[i][j] + 1 + after[i + 1][j + 1] == longest:
                choices[i].append(j)
                wanted[j] += 1
    return [
        (i, some[0])
        for i, some in enumerate(choices)
        if len(some) == 1
        and wanted[some[0]] == 1
        and all(before[i][j] + after[i + 1][j] < longest for j in range(columns + 1))
    ]


# --- the whole --------------------------------------------------------------------------------------------------------


def pair_parameters(
    left: Sequence[TensorInfo], right: Sequence[TensorInfo], given: ManualPairs | None = None
) -> ParameterMap:
    """The parameters of two sides, and their optimizer state, set against each other. What `given` says stands already."""
    given = given or ManualPairs()
    found = ParameterMap(list(given.pairs), left=list(given.left), right=list(given.right))
    settled = _settled(found)
    ones, others = (
        _layers(info for info in side if (info.role == "weight" or unneeded(info)) and id(info) not in settled)
        for side in (left, right)
    )
    joined = [any(_is_joined(layer) for layer in side) for side in (ones, others)]
    if joined[0] and not joined[1]:
        ones = _split(ones)
    elif joined[1] and not joined[0]:
        others = _split(others)
    pairing = _Pairing(ones, others)
    paths = [layer.path for layer in ones], [layer.path for layer in others]
    pairing.by_name(*paths, "name")
    short = _stripped(paths[0], paths[1]), _stripped(paths[1], paths[0])
    pairing.by_name(*short, "prefix")
    words = [_words(path) for path in short[0]], [_words(path) for path in short[1]]
    pairing.by_name(_stripped(words[0], words[1]), _stripped(words[1], words[0]), "words")
    pairing.by_shape()
    against = pairing.by_order()
    for one, other in sorted(pairing.partner.items()):
        _leaves(found, ones[one], others[other], pairing.how[one])
    for one, other in pairing.same_key:
        if one not in pairing.partner and other not in pairing.taken:
            pairing.pair(one, other, "name")
            _leaves(found, ones[one], others[other], "name")
    _rest(found, pairing, against)
    _squares(found)
    _state(found, left, right)
    return found


def _settled(found: ParameterMap) -> set[int]:
    """The identities of all tensors of which something is said."""
    told = [info for pair in found.pairs for info in (pair.left, pair.right)]
    told += [info for both in found.shapes for info in both]
    told += [info for group in found.ambiguous for info in (*group.left, *group.right)]
    return {id(info) for info in (*told, *found.left, *found.right)}


def _leaves(found: ParameterMap, one: _Layer, other: _Layer, how: str) -> None:
    """What becomes of the parameters of two layers that are one."""
    for leaf, part in one.leaves.items():
        if leaf not in other.leaves:
            found.left.append(part.info)
            continue
        second = other.leaves[leaf]
        transform = transformed(part.shape, second.shape)
        if transform is None:
            found.shapes.append((part.info, second.info))
        else:
            found.pairs.append(Pair(part.info, second.info, how, transform == "transpose", part.rows, second.rows))
    found.right += [part.info for leaf, part in other.leaves.items() if leaf not in one.leaves]


def _rest(found: ParameterMap, pairing: _Pairing, against: set[int]) -> None:
    """What was not paired: ambiguous where both sides have layers of one signature, else on one side only."""
    ones, others = pairing.open()
    groups: dict[object, tuple[list[_Layer], list[_Layer], list[int]]] = defaultdict(lambda: ([], [], []))
    for one in ones:
        groups[pairing.left[one].signature][0].append(pairing.left[one])
        groups[pairing.left[one].signature][2].append(one)
    for other in others:
        groups[pairing.right[other].signature][1].append(pairing.right[other])
    for some, more, numbers in groups.values():
        mine, theirs = (
            list(_unique(part.info for layer in side for part in layer.leaves.values())) for side in (some, more)
        )
        if some and more:
            why = "names" if against.intersection(numbers) else "order"
            found.ambiguous.append(Ambiguous(why, mine, theirs))
        else:
            found.left += mine
            found.right += theirs


def _unique(infos: Iterable[TensorInfo]) -> Iterator[TensorInfo]:
    """Each tensor once: a joined one stands in three layers."""
    seen: set[int] = set()
    for info in infos:
        if id(info) not in seen:
            seen.add(id(info))
            yield info


def _squares(found: ParameterMap) -> None:
    """Square matrices among transposed ones: whether they are transposed too, no shape tells."""

    def kind(pair: Pair) -> str:
        return pair.left.name.split(".")[-2:][0]

    turned = {kind(pair) for pair in found.pairs if pair.transpose and pair.how != "file"}
    if not turned:
        return
    plain = {
        kind(pair)
        for pair in found.pairs
        if not pair.transpose and len(pair.left.shape) == 2 and pair.left.shape[0] != pair.left.shape[1]
    }
    for pair in list(found.pairs):
        square = len(pair.left.shape) == 2 and pair.left.shape == pair.right.shape == pair.left.shape[::-1]
        if square and not pair.transpose and pair.how != "file" and kind(pair) not in plain:
            found.pairs.remove(pair)
            found.ambiguous.append(Ambiguous("transpose", [pair.left], [pair.right]))


_NUMBERED = re.compile(r"(?:.*\.)?state\.(\d+)\.(\w+)$")


def _state(found: ParameterMap, left: Sequence[TensorInfo], right: Sequence[TensorInfo]) -> None:
    """Pair the optimizer state of parameters that are paired; of two optimizers, what cannot be numbered is ambiguous."""
    sides = [_owned(side) for side in (left, right)]
    partner = {id(pair.left): pair for pair in found.pairs}
    settled = _settled(found)
    for (owner, kind), info in sides[0].items():
        pair = partner.get(owner)
        if pair is None or id(info) in settled:
            continue
        names = {kind, *facts.OPTIMIZER_STATE.get(kind, ())}
        names |= {own for own, kinds in facts.OPTIMIZER_STATE.items() if names.intersection(kinds)}
        others = [other for name in sorted(names) if (other := sides[1].get((id(pair.right), name)))]
        others = [other for other in others if id(other) not in settled]
        if len(others) == 1 and transformed(info.shape, others[0].shape) is not None:
            found.pairs.append(Pair(info, others[0], "state", pair.transpose, pair.left_rows, pair.right_rows))
            settled |= {id(info), id(others[0])}
    rest = [[info for info in side if info.role == "state" and id(info) not in settled] for side in (left, right)]
    lost = [
        [info for info in side if _NUMBERED.match(info.name) and info.size > 1 and id(info) not in known]
        for side, known in zip(rest, ({id(info) for info in side.values()} for side in sides), strict=True)
    ]
    if any(lost) and all(any(info.size > 1 for info in side) for side in rest):
        found.ambiguous.append(Ambiguous("state", *lost))
        settled = _settled(found)
    found.left += [info for info in rest[0] if id(info) not in settled]
    found.right += [info for info in rest[1] if id(info) not in settled]


def _owned(tensors: Sequence[TensorInfo]) -> dict[tuple[int, str], TensorInfo]:
    """The state of an optimizer by (id of the parameter, kind): `moment1.NAME`, or `state.NUMBER.exp_avg` of torch.optim.

    The numbers count the parameters in the order of the network; where one shape does not fit, none is believed.
    """
    weights = {info.name: info for info in tensors if info.role == "weight"}
    found: dict[tuple[int, str], TensorInfo] = {}
    numbered: dict[tuple[int, str], TensorInfo] = {}
    for info in tensors:
        kind, _, name = info.name.partition(".")
        if info.role != "state":
            continue
        if (match := _NUMBERED.match(info.name)) and len(match[1]) < 9:
            numbered[int(match[1]), match[2]] = info
        elif kind in facts.OPTIMIZER_STATE and name in weights:
            found[id(weights[name]), kind] = info
    order = [info for info in weights.values() if trainable(info)]
    fitting = {
        (id(order[number]), kind): info
        for (number, kind), info in numbered.items()
        if number < len(order) and (kind == "step" or info.shape == order[number].shape)
    }
    return found | (fitting if len(fitting) == len(numbered) else {})


class Renamed(msgspec.Struct, frozen=True):
    """A parameter under the name and in the shape of the other framework; `sure` when its name and shape tell its layer."""

    info: TensorInfo
    name: str
    shape: tuple[int, ...]
    sure: bool = True


def renamed(tensors: Iterable[TensorInfo], to: Framework) -> list[Renamed]:
    """The weights as mindspore.nn or torch.nn would call them in a network of the same modules, in their order.

    Follows from the kind of each layer, as far as its names and shapes tell it; what is not sure keeps its name. Without the
    counters of batches, which mindspore.nn does not have and PyTorch makes up.
    """
    weights = [info for info in tensors if info.role == "weight" and not unneeded(info)]
    layers: dict[str, dict[str, TensorInfo]] = {}
    for info in weights:
        path, dot, leaf = info.name.rpartition(".")
        layers.setdefault(path + dot, {})[leaf] = info
    rename = _to_mindspore if to == "mindspore" else _to_pytorch
    volumes = any(len(info.shape) == 5 for info in weights)
    found = {id(one.info): one for front, layer in layers.items() for one in rename(front, layer, volumes)}
    return [found[id(info)] for info in weights]


_TO_NORM = {"weight": "gamma", "bias": "beta", "running_mean": "moving_mean", "running_var": "moving_variance"}


def _to_mindspore(front: str, layer: dict[str, TensorInfo], volumes: bool) -> Iterator[Renamed]:
    shapes = {leaf: info.shape for leaf, info in layer.items()}
    weight = shapes.get("weight", ())
    if "running_mean" in shapes or (len(weight) == 1 and shapes.get("bias") == weight):
        # BatchNorm3d keeps its parameters in a cell called bn2d, and nothing but the convolutions around tells it.
        sure = not (volumes and "running_mean" in shapes)
        for leaf, info in layer.items():
            yield Renamed(info, front + _TO_NORM.get(leaf, leaf), info.shape, sure)
        return
    last = next((part for part in reversed(front.split(".")) if part and not part.isdigit()), "")
    words = set(_words((last,)))
    embedding, linear = words & facts.EMBEDDINGS, words & facts.LINEARS
    for leaf, info in layer.items():
        name, shape, sure = front + leaf, info.shape, True
        if leaf == "weight" and len(shape) == 3:  # Conv1d
            shape = (*shape[:2], 1, shape[2])
        elif leaf == "weight" and len(shape) == 2 and len(layer) == 1:
            name = front + ("embedding_table" if embedding and not linear else leaf)
            sure = bool(embedding) is not bool(linear)
        elif leaf == "weight" and len(shape) == 1:  # PReLU, RMSNorm
            sure = False
        yield Renamed(info, name, shape, sure)


def _to_pytorch(front: str, layer: dict[str, TensorInfo], volumes: bool) -> Iterator[Renamed]:
    if f".{front}".endswith(".bn2d."):  # within BatchNorm3d
        front = front.removesuffix("bn2d.")
    named = {id(part.info): leaf for leaf, part in _named({leaf: _Part(info) for leaf, info in layer.items()}).items()}
    for leaf, info in layer.items():
        # A Conv1d of mindspore.nn looks like a Conv2d with a kernel of one row.
        flat = leaf == "weight" and len(info.shape) == 4 and info.shape[2] == 1 < info.shape[3]
        yield Renamed(info, front + named[id(info)], info.shape, not flat)


def counts(tensors: Iterable[TensorInfo]) -> dict[str, int]:
    """How many parameters there are, as tensors and as numbers, all and trainable."""
    weights = [info for info in tensors if info.role == "weight"]
    learnt = [info for info in weights if trainable(info)]
    return {
        "tensors": len(weights),
        "numbers": sum(info.size for info in weights),
        "trainable": len(learnt),
        "trainable_numbers": sum(info.size for info in learnt),
    }


# --- values -----------------------------------------------------------------------------------------------------------


def views(pair: Pair) -> tuple[TensorInfo, TensorInfo]:
    """Both tensors as they are to be compared, of one shape: that of the left one, or of its rows."""
    left, right = _rows(pair.left, pair.left_rows), _rows(pair.right, pair.right_rows)
    if pair.transpose:
        right = turned(right)
    return left, reshaped(right, left.shape)


def under_names(found: ParameterMap) -> list[TensorInfo]:
    """The right side as the left one calls and shapes it; what is not paired keeps its name.

    A joined tensor of the left side is made of several only where these lie one after the other in one file.
    """
    together: dict[int, list[Pair]] = defaultdict(list)
    for pair in found.pairs:
        together[id(pair.left)].append(pair)
    renamed = []
    for pairs in together.values():
        parts = [views(pair)[1] for pair in sorted(pairs, key=lambda pair: pair.left_rows or (0, 0))]
        whole = parts[0]
        if len(parts) > 1:
            if any(part.strides or part.obstacle for part in parts) or len({(p.path, p.dtype) for p in parts}) > 1:
                renamed += parts
                continue
            extents = tuple(extent for part in parts for extent in part.extents)
            whole = msgspec.structs.replace(whole, shape=pairs[0].left.shape, extents=extents)
        renamed.append(msgspec.structs.replace(whole, name=pairs[0].left.name))
    renamed += [msgspec.structs.replace(other, name=one.name) for one, other in found.shapes]
    rest = [*found.right, *(info for group in found.ambiguous for info in group.right)]
    return renamed + list(_unique(rest))


def _rows(info: TensorInfo, rows: Rows | None) -> TensorInfo:
    if rows is None or info.obstacle or not info.extents:
        return info
    shape = (rows[1] - rows[0], *info.shape[1:])
    width = info.nbytes // info.size
    step = info.strides[0] if info.strides else info.size // info.shape[0]
    first = rows[0] * step * width
    count = math.prod(shape) * width
    extents = []
    for offset, length in info.extents:
        if info.strides:  # one extent, from the first element to the last
            last = sum((size - 1) * stride for size, stride in zip(shape, info.strides, strict=True)) + 1
            extents.append((offset + first, last * width))
        elif first < length and count:
            part = min(count, length - first)
            extents.append((offset + first, part))
            count -= part
            first = 0
        else:
            first -= min(first, length)
    return msgspec.structs.replace(info, shape=shape, extents=tuple(extents))


def turned(info: TensorInfo) -> TensorInfo:
    """A matrix with its axes swapped; read as a view of the file."""
    strides = info.strides or (info.shape[1], 1)
    return msgspec.structs.replace(info, shape=info.shape[::-1], strides=strides[::-1])


def reshaped(info: TensorInfo, shape: tuple[int, ...]) -> TensorInfo:
    """The same numbers in a shape that differs by axes of size 1."""
    if info.strides is None or info.shape == shape:
        return msgspec.structs.replace(info, shape=shape)
    steps = iter([stride for size, stride in zip(info.shape, info.strides, strict=True) if size != 1])
    return msgspec.structs.replace(info, shape=shape, strides=tuple(next(steps) if size != 1 else 0 for size in shape))


# --- the mapping file -------------------------------------------------------------------------------------------------


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    transpose: bool = False
    rows: tuple[int, int] | None = None
    own_rows: tuple[int, int] | None = None


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    parameters: dict[str, str | _Entry | list[_Entry] | None]
    version: Literal[1] = 1


def written(found: ParameterMap, left: str, right: str) -> str:
    """A map as YAML that a person can edit and `read_map` reads. `left` and `right` say what the sides are."""
    lines = [
        f"# {document.quoted(left)} <- {document.quoted(right)}",
        "# own name: name of the reference, or {name, transpose: true}, or {name, rows: [from, to], own_rows: [from, to]},",
        "# or a list of these; null: it has none. A parameter that is not named here is paired by accucheck.",
        "version: 1",
        "parameters:" + ("" if found.pairs else " {}"),
    ]
    together: dict[str, list[Pair]] = defaultdict(list)
    for pair in found.pairs:
        together[pair.left.name].append(pair)
    for name, pairs in together.items():
        entries = [_entry(pair) for pair in pairs]
        lines.append(f"  {_word(name)}: {entries[0] if len(entries) == 1 else '[' + ', '.join(entries) + ']'}")
    for one, other in found.shapes:
        lines.append(f"  # {_word(one.name)}: {_word(other.name)}  # {list(one.shape)}, {list(other.shape)}")
    for group in found.ambiguous:
        several = ", ".join(_word(info.name) for info in group.right[:20])
        lines += [f"  # {_word(info.name)}: ?  # {several}" for info in group.left]
    lines += [f"  # {_word(info.name)}: null" for info in found.left]
    lines += [f"  # ?: {_word(info.name)}" for info in found.right]
    return "\n".join(lines) + "\n"


def _entry(pair: Pair) -> str:
    words = [f"name: {_word(pair.right.name)}"]
    words += ["transpose: true"] * pair.transpose
    words += [f"rows: {list(pair.right_rows)}"] if pair.right_rows else []
    words += [f"own_rows: {list(pair.left_rows)}"] if pair.left_rows else []
    return "{" + ", ".join(words) + "}" if len(words) > 1 else _word(pair.right.name)


def _word(name: str) -> str:
    """A name in YAML: quoted unless it can be nothing but a text."""
    plain = re.fullmatch(r"[A-Za-z_][\w.-]*", name, re.ASCII) and name.lower() not in _YAML_WORDS
    return name if plain else document.quoted(name)


_YAML_WORDS = ("y", "n", "yes", "no", "true", "false", "on", "off", "null")


def read_map(path: pathlib.Path, left: Sequence[TensorInfo], right: Sequence[TensorInfo]) -> ManualPairs:
    """What a mapping file says of two sides. Raises UserError where it is no mapping file.

    An entry with a name that is not there, that is named twice, or of a wrong shape, is in `wrong`; the others hold.
    A file without `parameters:` is what stands below it. A name may be that of a module: it stands for all below it that is not named.
    """
    text = document.read_text(path, MAP_LIMIT)
    content = document.parse(text, str(path))
    top = ["parameters"]
    if isinstance(content, dict) and not content.keys() & {"parameters", "version"}:
        content, top = {"parameters": content}, []
    file = document.convert(content, _File, text, str(path))
    sides = [{info.name: info for info in side} for side in (left, right)]
    pairs: list[Pair] = []
    without: list[TensorInfo] = []
    used: dict[str, list[Rows | None]] = defaultdict(list)

    modules: list[tuple[str, str | None]] = []
    wrong: list[UserError] = []
    lines: dict[str, int] = {}

    def bad(code: str, own: str, **data: Any) -> UserError:
        if not lines:
            lines.update(document.lines_of(text, top))
        return UserError(code, path=str(path), line=lines.get(own, 1), **data)

    def known(side: int, own: str, name: str) -> TensorInfo:
        if name not in sides[side]:
            hint = _near(name, sides[side]) if len(wrong) < _HINTED else UserError("hint-none")
            raise bad("map-unknown" if side == 0 else "map-unknown-reference", own, name=name, hint=hint)
        return sides[side][name]

    def below(name: str, entries: list[_Entry]) -> Iterator[Pair]:
        info = known(0, name, name)
        for entry in entries:
            other = known(1, name, entry.name)
            for before in used[entry.name]:
                if (
                    before is None
                    or entry.rows is None
                    or max(before[0], entry.rows[0]) < min(before[1], entry.rows[1])
                ):
                    raise bad("map-twice", name, name=entry.name)
            used[entry.name].append(entry.rows)
            own, theirs = _cut(info.shape, entry.own_rows), _cut(other.shape, entry.rows)
            turn = (
                theirs[::-1] if theirs and entry.transpose and len(theirs) == 2 else None if entry.transpose else theirs
            )
            if own is None or turn is None or transformed(own, turn) not in ("", "reshape"):
                shapes = {"shape": list(info.shape), "other": list(other.shape)}
                raise bad("map-shape", name, name=name, reference=entry.name, **shapes)
            yield Pair(info, other, "file", entry.transpose, entry.own_rows, entry.rows)
        rows = [entry.own_rows for entry in entries]
        covered = sorted(both for both in rows if both)
        if len(entries) > 1 or covered:
            ends = [0, *(stop for _, stop in covered)]
            if len(covered) < len(entries) or [start for start, _ in covered] != ends[:-1] or ends[-1] != info.shape[0]:
                raise bad("map-rows", name, name=name, rows=info.shape[0] if info.shape else 1)

    above = {parent for info in left for parent in _parents(info.name)}
    for name, value in file.parameters.items():
        if name in above and name not in sides[0] and not isinstance(value, (list, _Entry)):
            modules.append((name, value))
            continue
        try:
            if value is None:
                without.append(known(0, name, name))
                continue
            entries = value if isinstance(value, list) else [_Entry(value) if isinstance(value, str) else value]
            pairs += list(below(name, entries))
        except UserError as error:
            wrong.append(error)
    for name, module in sorted(modules, key=lambda entry: -entry[0].count(".")):
        settled = {id(info) for pair in pairs for info in (pair.left, pair.right)} | {id(info) for info in without}
        own_part = [info for info in _below(name, left) if id(info) not in settled]
        if module is None:
            without += own_part
            continue
        assert isinstance(module, str)
        if not (other_part := _below(module, right)):
            try:
                known(1, name, module)
            except UserError as error:
                wrong.append(error)
                continue
        pairs += _paired_below(own_part, name, [info for info in other_part if id(info) not in settled], module)
    return ManualPairs(pairs, without, wrong=wrong)


def _parents(name: str) -> Iterator[str]:
    """The names of the modules that a parameter lies in."""
    while name := name.rpartition(".")[0]:
        yield name


def _below(module: str, tensors: Iterable[TensorInfo]) -> list[TensorInfo]:
    return [info for info in tensors if info.name.startswith(f"{module}.")]


def _paired_below(left: list[TensorInfo], own: str, right: list[TensorInfo], other: str) -> list[Pair]:
    """The pairs of two modules of which a person said that they are one."""
    originals: dict[int, TensorInfo] = {}
    sides = []
    for infos, module in ((left, own), (right, other)):
        side = [msgspec.structs.replace(info, name=info.name[len(module) + 1 :]) for info in infos]
        originals.update({id(copy): info for copy, info in zip(side, infos, strict=True)})
        sides.append(side)
    return [
        msgspec.structs.replace(pair, left=originals[id(pair.left)], right=originals[id(pair.right)], how="file")
        for pair in pair_parameters(sides[0], sides[1]).pairs
    ]


def _near(name: str, known: Iterable[str]) -> UserError:
    """The nearest of many names, or no hint."""
    from difflib import get_close_matches

    close = get_close_matches(name, list(known), n=1, cutoff=0.6)
    return UserError("hint-nearest", nearest=close[0]) if close else UserError("hint-none")


def _cut(shape: tuple[int, ...], rows: Rows | None) -> tuple[int, ...] | None:
    if rows is None:
        return shape
    return (rows[1] - rows[0], *shape[1:]) if shape and 0 <= rows[0] < rows[1] <= shape[0] else None
