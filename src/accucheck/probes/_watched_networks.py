"""Networks and optimizers of a watched run, set against each other: which parameter lies in which layer and with which optimizer, what
its gradients were, and which cells ran in which pass."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING, Any, Union

import msgspec

from ..axes import some
from ..case import Case
from ..errors import ReadError
from ..language import Words
from ..model import Heatmap, Plain, Table
from . import _watched
from ._checkpoints import table
from ._watched import Watch

if TYPE_CHECKING:
    from ..readers.runs import Column

#: Rows and columns of a map.
HEAT = 60
#: A number as a recording has it: what is not finite is a word.
_Number = Union[float, str, None]
_Place = Union[tuple[str, int], None]

MESSAGES: Words = {
    "no-steps": {
        "en": "The watched run did not train: no step of an optimizer was seen in {path}.",
        "zh": "所观察的运行没有训练：{path} 中没有记录到优化器更新。",
    },
}
WORDS: Words = {
    "layer": {"en": "Layer", "zh": "层"},
    "kind": {"en": "Class", "zh": "类"},
    "place": {"en": "Made at", "zh": "创建位置"},
    "parameter": {"en": "Parameter", "zh": "参数"},
    "shape": {"en": "Shape", "zh": "形状"},
    "optimizer": {"en": "Optimizer", "zh": "优化器"},
    "step": {"en": "Step", "zh": "step"},
    "layers": {"en": "layer, in the order of calls", "zh": "层（按调用顺序）"},
}


class _InitialParameter(msgspec.Struct):
    """A parameter of a network as it was before the first step."""

    id: int
    path: str
    name: str
    shape: list[int]
    trained: bool
    digest: str = ""
    constant: bool = False
    zero: _Number = None
    type: str = ""


class _Network(msgspec.Struct, rename={"kind": "class"}):
    number: int
    kind: str
    cells: list[tuple[str, str, _Place, dict[str, Any]]]
    parameters: list[_InitialParameter]
    ids: list[int] = []
    modes: list[str] = []
    shared: list[list[str]] = []
    at: int = 0


class _Optimizer(msgspec.Struct, rename={"kind": "class"}):
    number: int
    kind: str
    place: _Place
    parameters: list[str]
    ids: list[int]
    decay: Union[list[_Number], None] = None
    digests: list[str] = []
    loss_scale: _Number = 1.0
    arguments: dict[str, Any] = {}


class _Gradients(msgspec.Struct):
    step: int
    optimizer: int
    norms: list[_Number]
    #: Tables of which one row alone has a gradient: their place in the optimizer, the row, and how many rows they have.
    only: list[tuple[int, int, int]] = []


class _Changes(msgspec.Struct):
    step: int
    optimizer: int
    ratios: list[_Number]


class _Pass(msgspec.Struct):
    step: int
    training: bool
    networks: list[int]
    calls: list[tuple[str, str, bool, list[dict[str, Any]]]]
    batch: list[dict[str, Any]] = []
    data: Union[int, None] = None
    inference: list[str] = []
    place: _Place = None
    drops: list[tuple[str, float, _Place]] = []
    #: The network of each call, where names do not tell it.
    of: list[Union[int, None]] = []


class _Modes(msgspec.Struct):
    step: int
    inference: list[str]
    networks: list[int] = []


class _NetworkEnd(msgspec.Struct):
    trained: list[bool]
    digests: list[str]
    alike: list[bool]


class _End(msgspec.Struct):
    digests: dict[str, list[str]] = {}
    networks: dict[str, _NetworkEnd] = {}


@dataclass
class Parameter:
    """A parameter of a network or of an optimizer. `built`, `start` and `end` are digests as the network was first seen, before the first
    update and at the end, empty where not known; `constant`, `zero` and `type` belong to the first. `trained` is requires_grad at the end
    where that is known; `optimizers` are the numbers of those that hold it."""

    id: int
    path: str
    layer: str
    kind: str
    place: _Place
    shape: list[int]
    trained: bool
    network: int
    built: str = ""
    start: str = ""
    end: str = ""
    type: str = ""
    constant: bool = False
    zero: bool = False
    alike: bool = False
    optimizers: list[int] = field(default_factory=list)

    @property
    def matrix(self) -> bool:
        """Whether it is a weight in more than one direction: not a scale, a shift or a bias, however many dimensions of 1 these have."""
        return len(self.shape) == 2 or sum(size > 1 for size in self.shape) > 1

    @property
    def size(self) -> str:
        return "×".join(map(str, self.shape)) or "-"

    @property
    def made(self) -> str:
        return f"{self.place[0]}:{self.place[1]}" if self.place else ""


@dataclass(frozen=True)
class Call:
    """A call of a cell: the network of it by its number and the name in that, None and its class where it lies in none."""

    network: int | None
    name: str
    kind: str
    training: bool
    gave: list[dict[str, Any]]


class WatchedNetworks:
    """What a watched run tells of networks and optimizers. Raises ReadError where its facts are not what accucheck watch writes."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.networks: dict[int, _Network] = {one.number: one for one in self._facts("network", _Network)}
        self.optimizers: list[_Optimizer] = self._facts("optimizer", _Optimizer)
        self.end: _End = next(iter(self._facts("end", _End)), _End())

    def _facts(self, kind: str, of: Any) -> list[Any]:
        try:
            return [msgspec.convert(fact, of) for fact in self.watch.facts(kind)]
        except msgspec.ValidationError as error:
            raise ReadError(
                "malformed", path=self.watch.path, format="accucheck watch", offset=0, expected=f"{kind}: {error}"
            ) from None

    @cached_property
    def gradients(self) -> list[_Gradients]:
        return self._facts("gradients", _Gradients)

    @cached_property
    def changes(self) -> list[_Changes]:
        return self._facts("changes", _Changes)

    @cached_property
    def modes(self) -> list[_Modes]:
        return self._facts("modes", _Modes)

    @cached_property
    def passes(self) -> list[_Pass]:
        return self._facts("pass", _Pass)

    @cached_property
    def trained(self) -> set[int]:
        """The numbers of the networks that took part in a pass of training."""
        found = {number for one in self.modes for number in one.networks}
        return found | {number for one in self.passes if one.training for number in one.networks}

    @cached_property
    def parameters(self) -> dict[int, Parameter]:
        """Those of all networks by their ids, those of networks that are trained first, and further ones of optimizers."""
        found: dict[int, Parameter] = {}
        for network in sorted(self.networks.values(), key=lambda one: one.number not in self.trained):
            made = {name: (kind, place) for name, kind, place, _ in network.cells}
            end = self.end.networks.get(str(network.number))
            for number, held in enumerate(network.parameters):
                layer = held.path.rpartition(".")[0]
                kind, place = made.get(layer, (network.kind, None))
                one = Parameter(held.id, held.path, layer, kind, place, held.shape, held.trained, network.number)
                one.built, one.start, one.type = held.digest, held.digest, held.type
                one.constant, one.zero = held.constant, held.zero == 1
                if end is not None and number < len(end.digests):
                    one.trained, one.end, one.alike = end.trained[number], end.digests[number], end.alike[number]
                found.setdefault(held.id, one)
        for optimizer in self.optimizers:
            ends = self.end.digests.get(str(optimizer.number), [])
            for number, (key, name) in enumerate(zip(optimizer.ids, optimizer.parameters, strict=False)):
                lone = Parameter(key, name, name.rpartition(".")[0], "", None, [], True, -1)
                one = found.setdefault(key, lone)
                one.optimizers.append(optimizer.number)
                if number < len(optimizer.digests):
                    one.start = optimizer.digests[number]
                if number < len(ends):
                    one.end = ends[number]
        return found

    @cached_property
    def norms(self) -> dict[int, list[tuple[int, int, float | None]]]:
        """Of each parameter by its id the norm of each gradient that was looked at: step, optimizer, norm, None where it was missing."""
        holders = {one.number: one for one in self.optimizers}
        found: dict[int, list[tuple[int, int, float | None]]] = {key: [] for one in self.optimizers for key in one.ids}
        for fact in self.gradients:
            held = holders.get(fact.optimizer)
            if held is None or len(fact.norms) != len(held.ids):
                continue
            scale = number(held.loss_scale) or 1.0
            for key, norm in zip(held.ids, fact.norms, strict=True):
                value = number(norm)
                found[key].append((fact.step, fact.optimizer, None if value is None else value / scale))
        return found

    def series(self, optimizer: int, name: str) -> Column | None:
        """What was recorded by step of one optimizer, by its number: "loss", "grad_norm", "loss_scale"; None where it was not."""
        return self.watch.run.series.get(f"opt{optimizer}.{name}" if optimizer else name)

    def calls(self, one: _Pass) -> Iterator[Call]:
        """The calls of a pass, each with its network."""
        classes = {
            self.networks[key].kind.rpartition(".")[2]: key for key in one.networks[:0:-1] if key in self.networks
        }
        first = one.networks[0] if one.networks else None
        owners = one.of if len(one.of) == len(one.calls) else []
        for at, (name, kind, training, gave) in enumerate(one.calls):
            top, colon, rest = name.partition(":")
            owner = owners[at] if owners else classes.get(top) if colon else first
            yield Call(owner, rest if colon else name, kind, training, gave)


def seen(case: Case) -> WatchedNetworks | Watch:
    """What the first pass tells in which steps were seen; where there is none, the first pass."""
    watches = _watched.of_case(case)
    return next((WatchedNetworks(watch) for watch in watches if watch.steps and watch.facts("optimizer")), watches[0])


def lines(some: Iterable[Parameter]) -> dict[str, list[list[int]]]:
    """The lines in which the layers of some parameters are made, as Refutes has them."""
    found: dict[str, list[list[int]]] = {}
    for one in some:
        if one.place:
            found.setdefault(one.place[0], []).append([one.place[1], one.place[1]])
    return found


def loaded(seen: WatchedNetworks) -> set[int]:
    """The parameters that load_param_into_net put values into, by their ids."""
    return {key for fact in seen.watch.facts("taken") for key in fact.get("ids", ())}


def number(value: _Number) -> float | None:
    """What a recording writes as a number."""
    if isinstance(value, str):
        return {"inf": math.inf, "-inf": -math.inf}.get(value, math.nan)
    return value


def meant(name: str, patterns: Iterable[str]) -> bool:
    """Whether one of the patterns of the design names a parameter."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def listed(title: str, parameters: Iterable[Parameter]) -> Table:
    """A table of parameters with their shapes, the kinds of their cells, and where those are made; `title`: of WORDS."""
    rows: list[list[Plain]] = [[one.path, one.size, one.kind.rpartition(".")[2], one.made] for one in parameters]
    return table(title, ["parameter", "shape", "kind", "place"], rows)


def heat(title: str, value: str, rows: Sequence[tuple[str, Mapping[int, float | None]]]) -> Heatmap:
    """Layers by step: of each its name and its values; what is not finite is marked, and its first step is
    always shown. `title` and `value`: of WORDS."""
    steps = sorted({step for _, values in rows for step in values})
    begins = [place for place, step in enumerate(steps) if any(_bad(values.get(step)) for _, values in rows)][:1]
    steps = [steps[place] for place in some(len(steps), HEAT, begins)]
    bad = {place for place, (_, values) in enumerate(rows) if any(_bad(one) for one in values.values())}
    places = some(len(rows), HEAT, sorted(bad)[: HEAT // 2])
    chosen = [rows[place] for place in places]
    return Heatmap(
        title,
        "step",
        "layers",
        value,
        [name for name, _ in chosen],
        [str(step) for step in steps],
        [[None if _bad(values.get(step)) else values.get(step) for step in steps] for _, values in chosen],
        [
            [row, column]
            for row, (_, values) in enumerate(chosen)
            for column, step in enumerate(steps)
            if _bad(values.get(step))
        ],
        len(rows) if len(rows) > len(chosen) else None,
    )


def _bad(value: float | None) -> bool:
    return value is not None and not math.isfinite(value)
