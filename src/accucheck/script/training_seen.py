"""What the training steps of a script use, and how far it was followed: the networks that are trained, how many of their layers
are applied in what was followed, and the places where following stopped.

A layer counts as it is written, once for each place that makes it: a block that a loop makes twelve times is one. Following stops
at what no file of the project and no knowledge of MindSpore gives: a class of a package that is not there, a name that is looked
up in a registry or configuration, a parameter that nobody is seen to give. What stands there may hold any layer.
"""

from __future__ import annotations

import ast
import builtins
import sys
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

from ..knowledge import names
from .analysis import Reading
from .described import is_described
from .models import attributes_of
from .modes import Event, training_events, underlying, within
from .networks import FORWARD, called, is_layer, is_parameter, kind_of, trains, weights
from .project import LIBRARIES
from .source import Source, SourceNode
from .syntax import kept
from .training import role
from .training_steps import is_optimizer, training
from .values import (
    Call,
    Class,
    Frame,
    Function,
    Instance,
    Items,
    KnownValue,
    Many,
    Mapping,
    Partial,
    UnknownValue,
    Value,
    frames_around,
    is_model,
    options,
)

#: Packages whose functions hold no weights of a network, beside Python's own.
_PLAIN = frozenset({"mindspore", *LIBRARIES, *sys.stdlib_module_names, *dir(builtins)})
#: Those of them whose objects are called to compute: what another makes, import_module for one, may be a network.
_COMPUTES = frozenset({"mindspore", "numpy", "comprehension", "generator"})
#: A network of which less than this share of the layers is applied in what was followed counts as not followed.
SHARE = 0.5
#: So many networks, and places where following stopped, are told.
MOST = 4


@dataclass(frozen=True, eq=False)
class FollowingStop(SourceNode):
    """Where following stopped: the call, name or class of the project that leads further. `called`: the full name of what is called."""

    source: Source
    node: ast.AST
    called: str = ""

    @property
    def key(self) -> tuple[str, int, int]:
        return self.source.path, self.line, getattr(self.node, "col_offset", 0)

    @property
    def package(self) -> str:
        """The package, known by its description, that makes what is here; "" for anything else."""
        package = self.called.partition(".")[0]
        return package if is_described(package) else ""

    @property
    def text(self) -> str:
        node = self.node
        if isinstance(node, ast.ClassDef):
            return f"class {node.name}({', '.join(self.source.segment(base) for base in node.bases)})"
        if isinstance(node, (ast.For, ast.AsyncFor)):
            node = node.iter
        return self.source.segment(node, 80) if isinstance(node, ast.expr) else type(node).__name__.lower()


@dataclass(eq=False)
class Network(SourceNode):
    """A network that a step trains. `layers` are those with weights, each as the node that makes it; `applied` those among them
    that are applied in what was followed, `idle` those for which a cell that ran did not ask."""

    value: Value
    source: Source
    node: ast.AST
    layers: set[int] = field(default_factory=set)
    applied: set[int] = field(default_factory=set)
    idle: set[int] = field(default_factory=set)
    parameters: int = 0
    stops: list[FollowingStop] = field(default_factory=list)

    @property
    def name(self) -> str:
        value = self.value
        if isinstance(value, Instance):
            return value.of.node.name
        return value.last if isinstance(value, Call) else "?"

    @property
    def without_construct(self) -> bool:
        """Whether it is a cell of the project that says nowhere what it computes."""
        if not isinstance(self.value, Instance):
            return False
        of = self.value.of
        own = all(names.canonical(base) == "nn.Cell" for base in of.beyond())
        return own and not any(of.find(name) for name in (*FORWARD, "__call__"))

    @property
    def followed(self) -> bool:
        """Whether all of it was seen that could be wrong, but for what may be where following stopped."""
        if self.without_construct:
            return False
        if not self.layers:
            return self.parameters > 0
        return self.layers == self.applied | self.idle and len(self.applied) >= SHARE * len(self.layers)


@dataclass(eq=False)
class TrainingSeen:
    """What was seen of the training in one reading. `stops` are places before any network was reached."""

    reading: Reading
    networks: list[Network] = field(default_factory=list)
    stops: list[FollowingStop] = field(default_factory=list)
    steps: int = 0

    @property
    def followed(self) -> bool:
        whole = all(network.followed and not network.stops for network in self.networks)
        return bool(self.networks) and not self.stops and whole


@kept
def seen(reading: Reading) -> TrainingSeen:
    """What the training steps of a reading use, made once for all who ask."""
    return _Search(reading).seen()


def lost(reading: Reading) -> FollowingStop | None:
    """Where following the training stopped first; else the training step itself, or None where none is seen."""
    found = seen(reading)
    stops = [*found.stops, *(stop for network in found.networks for stop in network.stops)]
    steps = (FollowingStop(step.source, step.node) for step in training(reading).judged_steps())
    return next(chain(stops, steps), None)


class _Search:
    def __init__(self, reading: Reading) -> None:
        self.reading, self.trace = reading, reading.trace
        self.calls = sorted(reading.trace.calls, key=lambda call: call.order)
        self.orders = [call.order for call in self.calls]

    def seen(self) -> TrainingSeen:
        found = TrainingSeen(self.reading)
        steps = [step for step in training(self.reading).judged_steps() if step.kind != "own"]
        events = self.used_events
        places = {id(step.place): (step.network, FollowingStop(step.source, step.node)) for step in steps}
        for model in self.models:
            places.setdefault(
                id(model), (model.argument(["network"], "network"), FollowingStop(model.source, model.node))
            )
        found.steps = len(places) + len(events)
        tops = [top for network, place in places.values() for top in self.tops_of(network, place, found)]
        tops += [top for event in events for top in self.tops_in(event, found)]
        found.networks = _relevant([self.network(top) for top in _distinct(map(_unwrapped, tops))])
        inside = {stop.key for network in found.networks for stop in network.stops}
        found.stops = [stop for stop in _unique(found.stops) if stop.key not in inside]
        if not found.steps:
            found.stops += self.trainers[:1]
        return found

    @cached_property
    def events(self) -> list[Event]:
        """Computations of gradients that reach an optimizer."""
        return training_events(self.trace)

    @property
    def used_events(self) -> list[Event]:
        return [event for event in self.events if not self.of_nobody(event)] or self.events

    def of_nobody(self, event: Event) -> bool:
        """Whether a step runs within a cell that nobody makes: it is written and not used."""
        frame = event.place.frame if isinstance(event.place, Call) else event.place
        owners = (one.owner for one in frames_around(frame))
        return any(isinstance(owner, Instance) and owner.unseen and not self.is_named(owner.of) for owner in owners)

    def is_named(self, of: Class) -> bool:
        """Whether a class is given to something by itself, which may make objects of it out of sight."""
        return bool(of.node.decorator_list) or any(
            isinstance(value, Class) and value.node is of.node for value in self.given
        )

    @cached_property
    def given(self) -> list[Value]:
        """All that calls are given, without what lists and dicts among it hold in turn."""
        args = [arg for call in self.calls for arg in (*call.args, *call.keywords.values())]
        return [part for arg in args for option in options(arg) for part in _parts(option)]

    # --- from the steps to the networks -------------------------------------------------------------------------------

    @cached_property
    def models(self) -> list[Call]:
        """The Models that are told to train, also where their network brings its optimizer along."""
        bases = (base for call in self.calls if call.name in (".train", ".fit") for base in options(call.base))
        return [base for base in bases if is_model(base)]

    def tops_of(self, network: Value | None, place: FollowingStop, found: TrainingSeen) -> Iterator[Value]:
        """The networks that a step of the framework was given."""
        for option in underlying(network):
            inner = _copied(option)
            if isinstance(inner, Instance) or _is_framework(inner):
                yield inner
            elif not isinstance(inner, KnownValue):
                found.stops.append(_origin(inner) or place)

    def tops_in(self, event: Event, found: TrainingSeen) -> Iterator[Value]:
        """The outermost cells that a computation of gradients runs."""
        inside = [use.cell for use in event.uses]
        tops = [*event.cells, *event.weights] if not inside else _outermost(event)
        found.stops += self.stops([(event.order, event.end)])
        ran = any(frame.node is event.place.node for frame in self.trace.frames)
        if not found.stops and (not tops or (ran and not inside)):  # what is differentiated runs no cell that is seen
            found.stops.append(FollowingStop(event.source, event.place.node))
        yield from tops

    # --- a network ----------------------------------------------------------------------------------------------------

    def network(self, top: Value) -> Network:
        source = getattr(top, "source", None) or self.reading.source
        found = Network(top, source, getattr(top, "node", None) or source.tree)
        held = within(top)
        for value in held.values():
            if _has_weights(value):
                found.layers.add(_node(value))
            elif is_parameter(value) and isinstance(value, Call) and trains(value):
                found.parameters += 1
        through = self.threaded(top)
        found.applied = {node for node in found.layers if node in self.applied or node in through}
        found.idle = {_node(value) for value in self.idle(held.values())} & (found.layers - found.applied)
        hidden = (
            []
            if isinstance(top, Instance) or _is_framework(top)
            else [_origin(top) or FollowingStop(source, found.node)]
        )
        found.stops = _unique(
            [*hidden, *_strangers(top), *self.hidden(held.values()), *self.stops(self.spans(held.values()))]
        )
        return found

    def idle(self, held: Iterable[Value]) -> Iterator[Value]:
        """The layers below attributes for which cells that ran did not ask: they are spare, or stand on a way that is not taken."""
        ran = {id(frame.owner) for frames in self.runs.values() for frame in frames}
        for cell in held:
            if isinstance(cell, Instance) and id(cell) in ran and "*" not in cell.read:
                spare = (value for name, value in cell.attributes.items() if name not in cell.read)
                yield from (part for value in spare for part in within(value).values() if _has_weights(part))

    def hidden(self, held: Iterable[Value]) -> list[FollowingStop]:
        """Objects of the project's classes that leave what they compute to a class which is not seen."""
        found = []
        for value in held:
            if isinstance(value, Instance) and called(value.of) is None and not is_optimizer(value):
                foreign = [name for name in value.of.beyond() if not _is_plain(name)]
                if foreign and self.is_applied(value):
                    found.append(FollowingStop(value.of.source, value.of.node))
        return found

    def is_applied(self, value: Instance) -> bool:
        return any(value in options(call.base) for call in self.calls if call.name in ("", value.of.node.name))

    def threaded(self, top: Value) -> set[int]:
        """The layers that a container of the framework applies one after the other by itself."""
        if isinstance(top, Instance) and called(top.of) is not None:
            return set()
        found, queue, met = set(), [top], set()
        while queue:
            value = queue.pop()
            if id(value) in met:
                continue
            met.add(id(value))
            if _has_weights(value):
                found.add(_node(value))
            else:
                queue += _passed_through(value)
        return found

    @cached_property
    def applied(self) -> set[int]:
        """The nodes that make the layers which are called, or whose weights are asked for."""
        found = set()
        for call in self.calls:
            for base in underlying(call.base):
                if isinstance(base, Instance) and call.name == base.of.node.name:
                    found.add(_node(base))
                elif isinstance(base, Call) and call.name == "":
                    found.add(_node(base))
                    if base.name == "getattr" and base.args:
                        found |= self.attributes(base.args[0])
            for value in (*call.args, *call.keywords.values()):
                if isinstance(value, Call) and value.name.startswith("@") and isinstance(value.base, Call):
                    found.add(id(value.base.node))
        return found

    @staticmethod
    def attributes(owner: Value) -> set[int]:
        """The layers that an object holds, where one of them is asked for by a name that only a run has."""
        held = [part for option in options(owner) for part in within(option).values()]
        return {_node(part) for part in held if _has_weights(part)}

    @cached_property
    def runs(self) -> dict[int, list[Frame]]:
        """The runs of what a call of a cell runs, by the node of the function."""
        found: dict[int, list[Frame]] = {}
        for frame in self.trace.frames:
            if frame.function.name in FORWARD:
                found.setdefault(id(frame.function.node), []).append(frame)
        return found

    def spans(self, held: Iterable[Value]) -> list[tuple[int, int]]:
        """When the cells within a network ran."""
        forwards = {id(f.node): f for v in held if isinstance(v, Instance) and (f := called(v.of)) is not None}
        mine = {id(value) for value in held if isinstance(value, Instance)}
        found = []
        for key in forwards:
            runs = self.runs.get(key, [])
            found += [(frame.order, frame.end) for frame in runs if id(frame.owner) in mine] or [
                (frame.order, frame.end) for frame in runs
            ]
        return found

    # --- where following stops ----------------------------------------------------------------------------------------

    def stops(self, spans: Iterable[tuple[int, int]]) -> list[FollowingStop]:
        """What is called within some spans of the run, and is neither seen nor known."""
        found: dict[tuple[str, int, int], FollowingStop] = {}
        reach = -1
        for first, last in sorted(spans):
            for call in self.calls[
                bisect_left(self.orders, max(first, reach + 1)) : bisect_left(self.orders, last + 1)
            ]:
                stop = self.unseen(call)
                if stop is not None:
                    found.setdefault(stop.key, stop)
            reach = max(reach, last)
        return list(found.values())

    def unseen(self, call: Call) -> FollowingStop | None:
        """Where following stopped, when a call is of something that may hold layers and is not seen."""
        place = FollowingStop(call.source, call.node)
        if call.name == "":
            stops = (self.hides(base, place) for base in underlying(call.base))
            return next((stop for stop in stops if stop is not None), None)
        owner = call.base
        if isinstance(owner, UnknownValue):
            return self.hides(owner, place) if call.name == owner.name else None
        method = call.name.startswith(".") and isinstance(owner, Call)
        if method and isinstance(owner, Call) and is_foreign(owner) and _held_by_cell(owner):
            return FollowingStop(owner.source, owner.node, owner.name)
        return None

    def hides(self, base: Value, place: FollowingStop) -> FollowingStop | None:
        """Where following stopped at something that is called at a place; None where it is seen."""
        name = "@" + base.name if isinstance(base, UnknownValue) else getattr(base, "name", "")
        if name in self.attributes_of_cells:
            return None
        if isinstance(base, UnknownValue):
            return place
        if not isinstance(base, Call):
            return None
        held = _held_elsewhere(base)
        return held if held is not None or _resolved(base) else _origin(base) or place

    @cached_property
    def attributes_of_cells(self) -> set[str]:
        """The attributes that hold layers in cells which are seen: one that is taken from an object out of sight is taken from such
        a cell."""
        cells = (value for value in self.trace.instances if called(value.of) is not None)
        held = ((name, part) for cell in cells for name, value in cell.attributes.items() for part in options(value))
        return {"@" + name for name, part in held if _is_cell(part) or _has_weights(part) or _is_framework(part)}

    @cached_property
    def trainers(self) -> list[FollowingStop]:
        """Where a script without a training step may go on to train: the calls of what is not seen, the last first, that are given
        an optimizer, else a network, else speak of training."""
        foreign = [call for call in self.calls if is_foreign(call)]
        given = [(call, [o for arg in (*call.args, *call.keywords.values()) for o in options(arg)]) for call in foreign]
        optimizing = [call for call, values in given if any(map(is_optimizer, values))]
        running = [call for call, values in given if any(map(_is_cell, values))]
        spoken = [call for call in foreign if role([call.last]) == "train"]
        return [FollowingStop(call.source, call.node) for call in (*optimizing[::-1], *running[::-1], *spoken[::-1])]


def _relevant(networks: list[Network]) -> list[Network]:
    """Those to speak of: what holds weights, or may, and none that is within another; cells of the project first."""
    weighty = [one for one in networks if one.layers or one.parameters or one.stops]
    wanted = weighty or networks[:1]
    wanted.sort(key=lambda one: (not isinstance(one.value, Instance), -len(one.layers)))
    found: list[Network] = []
    for one in wanted:
        beside = any(one.layers <= other.layers and not one.stops for other in found) and one.layers
        if not beside:
            found.append(one)
    return found


def _has_weights(value: Value) -> bool:
    """A layer of the framework, or an object of a class that is derived from one and leaves the computing to it."""
    if isinstance(value, Instance):
        return called(value.of) is None and any(weights(names.canonical(name)) for name in value.of.beyond())
    return is_layer(value)


def _node(value: Value) -> int:
    return id(getattr(value, "node", None))


def _unwrapped(value: Value) -> Value:
    """The network within the framework's cells that train it."""
    depth = 0
    while isinstance(value, Call) and kind_of(value) == "step" and value.args and depth < 8:
        value, depth = next(underlying(value.args[0]), value), depth + 1
    return value


def _outermost(event: Event) -> list[Value]:
    """The cells that a step runs and no other cell of the step runs in turn."""
    found: list[Value] = []
    nested = 0
    for use in sorted(event.uses, key=lambda use: use.order):
        if use.order > nested:
            nested = use.end
            found.append(use.cell)
    return found


def _resolved(made: Call) -> bool:
    """Whether it is known what calling this does to a network's layers: nothing out of sight comes in."""
    depth = 0
    value: Value | None = made
    while isinstance(value, Call) and depth < 30:
        if value.name == "getattr":
            return bool(value.args) and all(isinstance(owner, Instance) for owner in options(value.args[0]))
        if value.base is None:
            return value.name.partition(".")[0] in _COMPUTES or not value.name[:1].isalpha()
        if value.attached or value.result is not None:
            return True
        value, depth = value.base, depth + 1
    return isinstance(value, (KnownValue, Items, Mapping, Function, Partial))


def _origin(value: Value | None) -> FollowingStop | None:
    """The first call of what is not seen that a value comes from."""
    depth = 0
    while isinstance(value, Call) and depth < 30:
        if value.base is None:
            return FollowingStop(value.source, value.node, value.name) if value.name[:1].isalpha() else None
        if isinstance(value.base, UnknownValue):
            return FollowingStop(value.source, value.node)
        value, depth = value.base, depth + 1
    return None


def is_foreign(call: Call) -> bool:
    """A call of a function or class that is neither the project's nor MindSpore's nor of what holds no layers."""
    made = isinstance(call.node, ast.Call) and call.base is None and call.name[:1].isalpha()
    return made and not _is_plain(call.name)


def _is_plain(name: str) -> bool:
    return name.partition(".")[0] in _PLAIN or not name.lstrip(".")[:1].isalpha()


def _passed_through(value: Value) -> list[Value]:
    """What a container of the framework, or a list that it was made with, holds."""
    if isinstance(value, Call) and _is_framework(value):
        return [*value.args, *value.keywords.values(), *(value.fed or ()), *attributes_of(value).values()]
    if isinstance(value, Call):
        return value.args[:1] if value.name in ("comprehension", "*args") else []
    if isinstance(value, Instance):
        return [arg for _, args, _ in value.supers for arg in args] if called(value.of) is None else []
    if isinstance(value, Many):
        return list(value.options)
    return _items(value) if isinstance(value, (Items, Mapping)) else []


def _strangers(top: Value) -> list[FollowingStop]:
    """The cells that come from out of sight, among those that a container of the framework was made with and applies by itself."""
    found: list[FollowingStop] = []
    queue, met = [top], set[int]()
    while queue:
        value = queue.pop()
        if id(value) in met:
            continue
        met.add(id(value))
        if isinstance(value, (Items, Many)):
            queue += value.items if isinstance(value, Items) else value.options
        elif isinstance(value, Call) and is_foreign(value):
            found.append(FollowingStop(value.source, value.node, value.name))
        elif isinstance(value, Call) and value.api in _CONTAINERS:
            queue += [*value.args, *(value.fed or ())]
        elif isinstance(value, Call) and value.name in ("comprehension", "*args"):
            queue += value.args[:1]
    return found


def _held_elsewhere(made: Call) -> FollowingStop | None:
    """Where following stops within a container of the framework: at an attribute that was set on it from out of sight."""
    held = [option for value in (made.held or {}).values() for option in options(value)] if _is_framework(made) else []
    return next((_origin(option) for option in held if isinstance(option, Call) and is_foreign(option)), None)


def _is_framework(value: Value) -> bool:
    return isinstance(value, Call) and value.base is None and value.name.startswith("mindspore.")


#: Cells of the framework that hold others and apply them by themselves.
_CONTAINERS = ("nn.SequentialCell", "nn.CellList")


def _held_by_cell(made: Call) -> bool:
    """Whether something was made for an attribute of a cell."""
    owner = made.frame.owner if made.frame is not None else None
    return isinstance(owner, Instance) and any(made in options(held) for held in owner.attributes.values())


def _is_cell(value: Value) -> bool:
    return (isinstance(value, Instance) and called(value.of) is not None) or kind_of(value) in ("step", "model")


def _copied(value: Value) -> Value:
    """What a copy is a copy of."""
    if isinstance(value, Call) and value.last in ("deepcopy", "copy") and len(value.args) == 1:
        return next(underlying(value.args[0]), value)
    return value


def _items(value: Items | Mapping) -> list[Value]:
    return value.items if isinstance(value, Items) else [*value.items.values(), *(value.fed or ())]


def _parts(value: Value) -> list[Value]:
    return [value, *_items(value)] if isinstance(value, (Items, Mapping)) else [value]


def _distinct(values: Iterable[Value]) -> list[Value]:
    return list({id(value): value for value in values}.values())


def _unique(stops: Iterable[FollowingStop]) -> list[FollowingStop]:
    return list({stop.key: stop for stop in stops}.values())
