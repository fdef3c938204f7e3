"""Whether cells are in training or inference mode when they train and when they are evaluated.

Replays what switches the mode (set_train, Model.train, Model.eval, ...) and what runs cells (gradients, training cells, bare
calls) in the order of the script, the bodies of loops twice and both ways of undecided conditions. A cell starts in inference
mode, as MindSpore makes it.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Any

from ..knowledge import api, effects, names
from ..knowledge.methods import PARAMETERS, RETURN_SELF, WEIGHT_SETTERS
from . import flow
from .effects import gradient_maker, named_arguments
from .factors import Factors, gradient
from .models import FORWARD, as_layer, attributes_of
from .networks import is_parameter
from .source import Source
from .syntax import kept, walk
from .trace import Trace
from .training import role
from .values import (
    Call,
    Frame,
    Function,
    Instance,
    Items,
    KnownValue,
    Many,
    Mapping,
    Partial,
    Test,
    UnknownValue,
    Value,
    frames_around,
    is_model,
    options,
)

#: Loops are replayed twice down to this depth.
TWICE = 5
#: So many cells are looked at within one.
CELLS = 20_000

#: What trains each time it is called, whatever becomes of what it gives.
_STEPS = effects.differentiating(updates=True)
#: Methods that only a cell has.
_OF_CELL = frozenset((*PARAMETERS, *RETURN_SELF, ".cells_and_names", ".update_parameters_name"))
_HOOK = re.compile(r"^(on_train_|on_)?(step|epoch)_(end|begin)$")


@dataclass(eq=False)
class Event:
    """Something that switches cells ("set"), trains ("step"), or runs them without training ("run")."""

    kind: str
    order: int
    end: int
    loops: tuple[ast.AST, ...]
    tests: tuple[Test, ...]
    place: Call | Frame
    cells: list[Value]
    mode: bool | None = None
    how: str = ""  # the call that switches, as one would name it
    chosen: bool = False  # the mode is an expression, not a constant
    uses: list[CellUse] = field(default_factory=list)  # of a step or run: the cells that take part
    weights: list[Value] = field(default_factory=list)  # of a step: cells whose parameters are trained
    tops: list[Value] = field(default_factory=list)  # of a step: the outermost of the cells that take part

    @property
    def line(self) -> int:
        return getattr(self.place.node, "lineno", 1)

    @property
    def last(self) -> int:
        return getattr(self.place.node, "end_lineno", None) or self.line

    @property
    def source(self) -> Source:
        return self.place.source


@dataclass(eq=False)
class CellUse:
    """One application of a cell; what runs within it lies between `order` and `end`."""

    cell: Value
    order: int
    end: int
    place: Call | Frame


@dataclass(eq=False)
class ModeFault:
    """`cause` is what put the cells into the wrong mode, None for the mode they were made in; `plain` tells that all of the
    network is seen, and nothing in it depends on the mode."""

    code: str
    event: Event
    cause: Event | None
    layers: list[Value]
    plain: bool = False


@dataclass
class Account:
    """What was seen of one trace."""

    faults: list[ModeFault] = field(default_factory=list)
    steps: list[Event] = field(default_factory=list)
    models: list[Event] = field(default_factory=list)  # training, evaluation and prediction by Model
    runs: list[Event] = field(default_factory=list)  # evaluation by bare calls
    unknown: set[int] = field(default_factory=set)  # ids of steps whose mode is decided by code that is not seen
    inference: set[int] = field(default_factory=set)  # ids of steps that train what is in inference mode
    unclear: dict[int, Event] = field(default_factory=dict)  # by node: runs in training mode that may evaluate


def underlying(value: Value | None) -> Iterator[Value]:
    """The cells that a value stands for."""
    for option in options(value):
        depth = 0
        while isinstance(option, Call) and option.name in RETURN_SELF and option.base is not None and depth < 20:
            option, depth = option.base, depth + 1
        yield from option.options if isinstance(option, Many) else (option,)


def within(cell: Value) -> dict[int, Value]:
    """A cell and all cells inside it, by id. A deep copy has cells of its own."""
    found: dict[int, Value] = {}
    queue = [cell]
    while queue and len(found) < CELLS:
        value = queue.pop()
        if id(value) in found:
            continue
        found[id(value)] = value
        if isinstance(value, Instance):
            queue += value.attributes.values()
            queue += [arg for _, args, keywords in value.supers for arg in (*args, *keywords.values())]
        elif isinstance(value, (Many, Items, Mapping, Partial)):
            queue += flow.inputs(value)
        elif isinstance(value, Call):
            queue += _given_to(value)
    return found


def _given_to(made: Call) -> list[Value]:
    """What a cell of the framework holds, by what it was made of; of what only hands on cells, those."""
    if made.name in ("comprehension", *RETURN_SELF):
        return [*made.args[:1], *([made.base] if made.base else [])]
    if made.base is None and made.name[:1].isalpha() and made.name != "copy.deepcopy":
        return [*made.args, *made.keywords.values(), *(made.fed or ()), *attributes_of(made).values()]
    return made.args if made.name == "*args" else []


def _may_depend(value: Value) -> bool:
    """True for what behaves differently in training, or is not seen to be a layer, operation or number that does not."""
    own = isinstance(value, Call) and (value.base is None or isinstance(value.base, UnknownValue))
    named = own and isinstance(value, Call) and value.name[:1].isalpha()
    unseen = named and isinstance(value, Call) and not value.name.startswith(("mindspore.", "numpy."))
    return unseen or isinstance(value, UnknownValue) or depends(value)


def _is_layer(value: Value) -> bool:
    """Whether a layer of the framework is made here, and no gradient of one."""
    return isinstance(value, Call) and value.api.startswith(("nn.", "mint.nn.")) and not gradient_maker(value)


def depends(value: Value) -> bool:
    """True for a layer that behaves differently in training."""
    if isinstance(value, Instance):
        return "training" in value.read or any(depends(layer) for layer in _beneath(value))
    known = api.find(value.api) if isinstance(value, Call) else None
    if known is None or not known.modes or not isinstance(value, Call):
        return False
    given = named_arguments(value)
    if "has_bn" in known.parameters:
        return "has_bn" in given and not _is(given["has_bn"], False)
    if "use_batch_statistics" in given:
        return _is(given["use_batch_statistics"], None)
    if "keep_prob" in given:
        return not _is(given["keep_prob"], 1)
    return _drops(known, given)


def _drops(known: api.Api, given: dict[str, Value]) -> bool:
    """Whether a layer drops anything, by its rate; one without a rate always differs."""
    rate = next((name for name in ("p", "dropout") if name in known.parameters), None)
    if rate is None:
        return True
    return not _is(given[rate], 0) if rate in given else known.defaults.get(rate) != 0


def _beneath(cell: Instance) -> Iterator[Call]:
    """The layers of the framework that an object's class derives from, where its own construct, if there is one, calls theirs."""
    run = next((found for name in FORWARD if isinstance(found := cell.of.find(name), Function)), None)
    if run is None or any(isinstance(node, ast.Name) and node.id == "super" for node in walk(run.node)):
        made = (as_layer(cell, base, args, keywords) for base, args, keywords in cell.supers)
        yield from (layer for layer in made if layer is not None)


def _is(value: Value | None, constant: Any) -> bool:
    """True when a value is that constant, whatever the command line says."""
    return isinstance(value, KnownValue) and value.assumed is None and value.value == constant


def called(value: Value) -> str:
    """What to call a cell in a message."""
    if isinstance(value, Instance):
        return value.of.node.name
    if isinstance(value, Call) and not value.last[:1].isalpha():
        return value.bound[-1] if value.bound else "?"
    return getattr(value, "last", "") or getattr(value, "name", "") or "?"


class Replay:
    """The events of one trace, and their replay."""

    def __init__(self, trace: Trace, evaluates: bool, view: str = "train") -> None:
        """`view`: what flags were taken to say when the script was followed."""
        self.trace, self.evaluates = trace, evaluates
        self.beside = bool(trace.assumed) and view == "train"  # what evaluates alone is judged where flags say that
        self.account = Account()
        self.state: dict[int, dict[bool, Event | None]] = {}
        self.start: dict[bool, Event | None] = {False: None}  # the mode of a cell that nothing has switched
        self.root: Frame | None = None
        self.found: dict[tuple[bool, int], ModeFault] = {}
        self.met: set[int] = set()
        self.in_callback = False
        self.judged: dict[int, bool] = {}  # by id of a run: whether it evaluates
        self.inside: dict[int, dict[int, Value]] = {}
        self.factors = Factors()  # tells conditions apart
        self.uses = sorted(self._uses(), key=lambda use: use.order)
        self.orders = [use.order for use in self.uses]

    # --- what takes place ---------------------------------------------------------------------------------------------

    @cached_property
    def cells(self) -> set[int]:
        """Values of unknown making that are treated as cells."""
        found: set[int] = set()
        for call in self.trace.calls:
            given: list[Value | None] = []
            if call.name in _OF_CELL:
                given = [call.base]
            elif call.api in ("Model", *WEIGHT_SETTERS, "save_checkpoint") or gradient_maker(call):
                given = [*call.args[:1], call.keywords.get("network"), call.keywords.get("net")]
            found.update(id(cell) for value in given for cell in underlying(value))
        return found

    def _uses(self) -> Iterator[CellUse]:
        for frame in self.trace.frames:
            if frame.function.name in FORWARD and isinstance(frame.owner, Instance) and not _optimizes(frame.owner):
                yield CellUse(frame.owner, frame.order, frame.end, frame)
        for call in self.trace.calls:
            for base in underlying(call.base):
                if isinstance(base, Instance):
                    if call.name == base.of.node.name or (call.name == "" and base.of.beyond()):
                        yield CellUse(base, call.order, call.order, call)
                elif (
                    call.name == ""
                    and isinstance(base, (Call, UnknownValue))
                    and (_is_layer(base) or id(base) in self.cells)
                ):
                    yield CellUse(base, call.order, call.order, call)

    def used(self, first: int, last: int) -> list[CellUse]:
        """The uses of cells between two moments."""
        start = bisect_left(self.orders, first)
        return self.uses[start : bisect_left(self.orders, last + 1)]

    @cached_property
    def by_call(self) -> dict[int, list[Frame]]:
        found: dict[int, list[Frame]] = defaultdict(list)
        for frame in self.trace.frames:
            found[id(frame.node)].append(frame)
        return found

    @cached_property
    def by_node(self) -> dict[int, list[CellUse]]:
        """Uses that are calls, by their node: a layer that is differentiated itself shares its node with the gradient."""
        found: dict[int, list[CellUse]] = defaultdict(list)
        for use in self.uses:
            if isinstance(use.place, Call):
                found[id(use.place.node)].append(use)
        return found

    @cached_property
    def updates(self) -> list[Value]:
        """What optimizers are given."""
        found: list[Value] = []
        for call in self.trace.calls:
            if any(
                _optimizes(base) or _named_optimizer(base) or _made_of_weights(base) for base in underlying(call.base)
            ):
                found += [*call.args, *call.keywords.values(), call]
        for frame in self.trace.frames:
            if isinstance(frame.owner, Instance) and _optimizes(frame.owner):
                found += frame.parameters.values()
        return found

    @cached_property
    def training(self) -> list[Event]:
        """The steps whose gradients an optimizer gets; all of them where none is seen to arrive."""
        steps = [step for step in self.all_steps if self.takes_part(step)]
        wanted = {id(step.place) for step in steps}
        updates = self.updates[:1000] if len(steps) > 1 else []
        arriving = flow.sources_of(updates, lambda value: id(value) in wanted or _optimizes(value))
        given = wanted & set(map(id, arriving))
        return [step for step in steps if not given or id(step.place) in given or step.how in _STEPS]

    def takes_part(self, step: Event) -> bool:
        """Whether something is seen to update weights with what a step gives."""
        return step.how in _STEPS or (bool(self.updates) and not _is_of_inputs(step))

    def steps(self) -> Iterator[Event]:
        """Computations of gradients that an optimizer can use, each with the cells that take part."""
        for call in self.trace.calls:
            for base in underlying(call.base) if call.name == "" else ():
                kind = gradient_maker(base)
                if not kind:
                    continue
                spans = [(f.order, f.end) for f in self.by_call[id(call.node)] if f.parent is call.frame]
                uses = [use for span in spans for use in self.used(*span)]
                uses += self.by_node.get(id(call.node), [])
                first = min([call.order, *(order for order, _ in spans)])
                last = max([call.order, *(end for _, end in spans)])
                event = Event("step", first, last, call.loops, call.tests, call, [], how=kind, uses=uses)
                event.weights = list(self.trained(base))
                if kind == "amp.build_train_network" and isinstance(base, Call):
                    event.cells = list(underlying(base.argument(["network"], "network")))
                yield event

    def trained(self, gradient: Value) -> Iterator[Value]:
        """The cells whose parameters a gradient is taken for, where that is seen."""
        if isinstance(gradient, Call):
            given = [*gradient.args[1:], *(v for k, v in gradient.keywords.items() if k not in ("fn", "network"))]
        else:
            given = list(flow.inputs(gradient))
        for value in given:
            for part in flow.sources(value, lambda v: isinstance(v, Instance) and not _optimizes(v)):
                if isinstance(part, Call) and part.name in PARAMETERS:
                    yield from underlying(part.base)

    def outermost_steps(self) -> list[Event]:
        """The training steps that are not part of another, as a gradient penalty is."""
        found: list[Event] = []
        for step in sorted(self.training, key=lambda step: (step.order, -step.end)):
            if not (found and step.end <= found[-1].end):
                found.append(step)
        return found

    @cached_property
    def all(self) -> list[Event]:
        found = self.outermost_steps()
        starts, ends = [step.order for step in found], [step.end for step in found]
        for call in self.trace.calls:
            found += self.switches(call)
        last: Event | None = None
        nested = 0
        for use in self.uses:
            place_of = bisect_left(starts, use.order + 1)
            if use.order <= nested or (place_of and ends[place_of - 1] >= use.order):
                continue
            if self.differentiated(use):
                continue  # for a penalty, an attack, the importance of weights
            nested = use.end
            if bisect_left(self.step_orders, use.order) != bisect_left(self.step_orders, use.end + 1):
                continue  # a training cell of the project, or one that attacks
            place, uses = use.place, self.used(use.order, use.end)
            if isinstance(use.cell, Call) and use.cell.last.endswith("Loss"):
                continue
            if last is not None and last.place.node is place.node and isinstance(place, Call):
                last.cells.append(use.cell)  # one container called, its cells applied one after the other
                last.uses += uses
                continue
            last = Event("run", use.order, use.end, place.loops, place.tests, place, [use.cell], uses=uses)
            found.append(last)
        return sorted(found, key=lambda event: event.order)

    @cached_property
    def gradients(self) -> tuple[list[int], list[int]]:
        """Where computations of gradients begin, and how far those that have begun until then reach."""
        spans = sorted((step.order, step.end) for step in self.all_steps)
        return [first for first, _ in spans], list(accumulate((last for _, last in spans), max))

    def differentiated(self, use: CellUse) -> bool:
        """True for what runs to take a gradient of it."""
        starts, ends = self.gradients
        begun = bisect_left(starts, use.order + 1)
        return begun > 0 and ends[begun - 1] >= use.end

    def switches(self, call: Call) -> Iterator[Event]:
        def event(cells: list[Value], mode: bool | None, how: str) -> Event:
            return Event("set", call.order, call.order, call.loops, call.tests, call, cells, mode, how)

        layered = [base for base in underlying(call.base) if self.switches_itself(call, base)]
        if call.name == ".set_train" or layered:
            mode = call.argument(["mode"], "mode")
            given = call.name != ".eval" if mode is None else bool(mode.value) if isinstance(mode, KnownValue) else None
            switch = event(layered or list(underlying(call.base)), given, "set_train")
            switch.chosen = mode is not None and not _is_literal(call.node)
            yield switch
        elif call.name in (".train", ".fit", ".eval", ".predict", ".build"):
            for base in underlying(call.base):
                if is_model(base):
                    yield event(list(_networks(base)), call.name in (".train", ".fit"), "Model" + call.name)
        elif call.api == "amp.build_train_network":
            yield event(list(underlying(call.argument(["network"], "network"))), True, "build_train_network")

    def switches_itself(self, call: Call, base: Value) -> bool:
        """True for train() and eval() of a cell, which frameworks that are laid over MindSpore give it."""
        if call.name not in (".train", ".eval") or len(call.args) > (call.name == ".train") or call.keywords:
            return False
        if isinstance(base, Instance):
            return base.of.find(call.name[1:]) is None and any(base.of.find(name) for name in FORWARD)
        return id(base) in self.cells and getattr(base, "api", "") != "Model"

    # --- the replay ---------------------------------------------------------------------------------------------------

    def run(self) -> Account:
        groups: dict[int, tuple[Frame | None, list[Event]]] = {}
        for event in self.all:
            root = _unseen(event.place if isinstance(event.place, Frame) else event.place.frame)
            groups.setdefault(id(root), (root, []))[1].append(event)
        for root, events in groups.values():
            # A step that what is called comes to is not judged once more in a function that nothing calls.
            if root is not None:
                events = [one for one in events if one.kind != "step" or id(one.place.node) not in self.reached]
            self.root, self.state = root, {}
            self.start = {False: None} if root is None else {}
            self.play(events, 0, 0)
        self.callbacks()
        self.account.faults = list(self.found.values())
        return self.account

    def play(self, events: Sequence[Event], loops: int, tests: int) -> None:
        place = 0
        while place < len(events):
            event = events[place]
            looped = _shared(events, place, lambda e: e.loops[loops : loops + 1])
            tested = _shared(events, place, lambda e: [(t.node, t.value) for t in e.tests[tests : tests + 1]])
            if looped and looped >= tested:
                group = events[place : place + looped]
                for _ in range(2 if loops < TWICE else 1):
                    self.play(group, loops + 1, tests)
                place += looped
            elif tested:
                self.branches(events[place : place + tested], loops, tests)
                place += tested
            else:
                self.handle(event)
                place += 1

    def branches(self, events: Sequence[Event], loops: int, tests: int) -> None:
        before = {key: dict(held) for key, held in self.state.items()}
        ends, ways = [], list(dict.fromkeys(event.tests[tests] for event in events))
        for way in ways:
            self.state = {key: dict(held) for key, held in before.items()}
            self.play([event for event in events if event.tests[tests] is way], loops, tests + 1)
            ends.append(self.state)
        if len(ways) == 1:
            ends.append(before)
        self.state = {}
        for key in {key: None for end in ends for key in end}:
            joined: dict[bool, Event | None] = {}
            for end in ends:
                joined.update(end.get(key, self.start))
            self.state[key] = joined

    def mode(self, cell: Value) -> dict[bool, Event | None]:
        """The modes a cell may be in, each with what put it there. Within a function without a visible caller, only what is
        made there is known to be as new."""
        held = self.state.get(id(cell))
        if held is None and self.root is not None and isinstance(cell, (Call, Instance)):
            return {False: None} if self.root.order <= cell.order <= self.root.end else self.start
        return self.start if held is None else held

    def first(self, event: Event) -> bool:
        """True when an event comes for the first time, not in another round of its loop."""
        size = len(self.met)
        self.met.add(id(event))
        return len(self.met) > size

    def handle(self, event: Event) -> None:
        if event.kind == "set":
            if event.how.startswith("Model") and self.first(event):
                self.account.models.append(event)
            for cell in event.cells:
                for key in self.within(cell):
                    self.state[key] = {} if event.mode is None else {event.mode: event}
        elif event.kind == "step":
            if self.first(event):
                self.account.steps.append(event)
            self.train(event)
        else:
            self.evaluate(event)

    def within(self, cell: Value) -> dict[int, Value]:
        if id(cell) not in self.inside:
            self.inside[id(cell)] = within(cell)
        return self.inside[id(cell)]

    def fault(self, code: str, event: Event, cause: Event | None, layers: list[Value], plain: bool = False) -> None:
        if cause is not None and not self.together(event, cause):
            return
        at = event if cause is None or code.startswith("evaluated") else cause
        key = code.startswith("evaluated"), id(at.place.node)
        known = self.found.get(key)
        if known is None or (known.plain and not plain):  # of what one switch does, that which matters
            self.found[key] = ModeFault(code, event, cause, layers, plain)

    def together(self, one: Event, other: Event) -> bool:
        """True for what one run may bring both about: no condition has come out one way for one, and the other for the other."""
        taken = self.factors.conditions(one.place.under) | self.factors.conditions(other.place.under)
        return len(dict(taken)) == len(taken)

    def indifferent(self, cells: list[Value]) -> bool:
        """Whether all layers of networks are seen, and none of them behaves differently in training."""
        held = [part for cell in cells for part in self.within(cell).values()]
        layers = [part for part in held if isinstance(part, Call) and part.api.startswith(("nn.", "mint."))]
        return bool(layers) and not any(_may_depend(part) for part in held)

    def needs_no_switch(self, tops: Sequence[Value]) -> bool:
        """Whether a network is switched on to train, and what is trained beside it, as a head in the loss, has no layer that would ask
        for it."""
        left = [top for top in tops if set(self.mode(top)) != {True}]
        seen = not any(_may_depend(part) for top in left for part in self.within(top).values())
        return len(left) < len(tops) and seen

    # --- judging ------------------------------------------------------------------------------------------------------

    def train(self, event: Event) -> None:
        used = self.taking_part(event)
        layers = [cell for cell in used.values() if depends(cell)]
        tops = event.tops = _tops(self.of_weights(event)) or event.cells or event.weights
        if not all(self.mode(cell) for cell in layers or tops) or not (layers or tops):
            self.account.unknown.add(id(event))
        wrong = [layer for layer in layers if False in self.mode(layer)]
        idle = [] if layers or self.needs_no_switch(tops) else [top for top in tops if False in self.mode(top)]
        if wrong:
            cause = self.mode(wrong[0])[False]
            meant = cause is not None and cause.how == "set_train" and not self.covers(cause, tops)
            if cause is None and all(True in self.mode(layer) for layer in wrong):
                self.account.unknown.add(id(event))  # switched on several ways, perhaps on all that lead here
            elif not meant:  # else a part is kept in inference mode on purpose
                self.untrained(event, cause, wrong, "no-set-train")
        elif idle:
            plain = all(isinstance(t, Instance) or getattr(t, "api", "").startswith(("nn.", "mint.")) for t in idle)
            code = "no-set-train-plain" if plain else "no-set-train-unknown"
            self.untrained(event, self.mode(idle[0])[False], idle, code)

    def of_weights(self, event: Event) -> list[CellUse]:
        """The cells that run in a step, those alone that hold what it trains where any of them does."""
        trained: set[int] = set()
        for cell in event.weights:
            trained.update(self.within(cell))
        return [use for use in event.uses if id(use.cell) in trained] or event.uses

    def taking_part(self, event: Event) -> dict[int, Value]:
        """The cells of a step, by id: those that run, else all that it is given."""
        used: dict[int, Value] = {id(use.cell): use.cell for use in self.of_weights(event)}
        for cell in (event.cells or event.weights) if not used else ():
            used.update({key: v for key, v in self.within(cell).items() if isinstance(v, (Instance, Call))})
        return used

    def covers(self, cause: Event, tops: Sequence[Value]) -> bool:
        """True when what switches reaches a whole network, not only a part of it."""
        return not tops or any(id(top) in self.within(cell) for cell in cause.cells for top in tops)

    def untrained(self, event: Event, cause: Event | None, cells: list[Value], code: str) -> None:
        self.account.inference.add(id(event))
        if cause is None:
            self.fault(code, event, None, cells)
            return
        back = cause.order > event.order or cause.how != "set_train"
        told = "not-set-back" if back else "inference-chosen" if cause.chosen else "set-to-inference"
        plain = code == "no-set-train-plain" and not any(
            self.applied_unseen & self.within(cell).keys() for cell in cells
        )
        self.fault(told, event, cause, cells, plain)

    @cached_property
    def applied_unseen(self) -> set[int]:
        """The ids of what is applied as a layer is, and may hold layers that are not seen."""
        bases = (base for call in self.trace.calls if call.name == "" for base in options(call.base))
        unseen = (base for base in bases if isinstance(base, (Call, UnknownValue)) and not gradient_maker(base))
        return {
            id(base)
            for base in unseen
            if isinstance(base, UnknownValue) or not base.api.startswith(("nn.", "mint.", "ops."))
        }

    def evaluate(self, event: Event) -> None:
        used = {id(cell): cell for cell in (*event.cells, *(use.cell for use in event.uses))}
        layers = [cell for cell in used.values() if depends(cell)]
        wrong = [cell for cell in layers if True in self.mode(cell)]
        top = event.cells[0]
        only_evaluates = self.evaluates and not self.all_steps
        if not wrong and only_evaluates and not layers and (cause := self.mode(top).get(True)) is not None:
            wrong = [top] if cause.how == "set_train" else []
        if id(event) not in self.judged:
            self.judged[id(event)] = self.is_evaluation(event)
            if self.judged[id(event)]:
                self.account.runs.append(event)
        if not self.judged[id(event)] and not self.in_callback:
            if wrong and self.beside_steps(event):
                self.beside_training(event, wrong)
            return
        if self.beside and self.root is not None and role([self.root.function.name]) == "eval":
            return
        if wrong:
            cause = self.mode(wrong[0])[True]
            if cause is not None and not all(isinstance(cell, Call) and depends(cell) for cell in cause.cells):
                meant = any(_is_instance_norm(layer) for layer in wrong)
                self.fault("evaluated-by-batch" if meant else "evaluated-in-training", event, cause, wrong)

    def beside_training(self, event: Event, wrong: list[Value]) -> None:
        """What runs in training mode between steps that it does not feed: one that was switched on by itself, and that no step
        trains, may be an evaluation by mistake."""
        cause = self.mode(wrong[0])[True]
        told = cause is not None and cause.how == "set_train" and any(cell is event.cells[0] for cell in cause.cells)
        if told and id(event.cells[0]) not in self.in_steps:
            self.fault("evaluated-perhaps", event, cause, wrong)
        else:
            self.account.unclear[id(event.place.node)] = event

    @cached_property
    def in_steps(self) -> set[int]:
        """The ids of the cells that training steps run or train."""
        return {
            id(cell)
            for step in self.all_steps
            for cell in (*step.cells, *step.weights, *step.tops, *(use.cell for use in step.uses))
        }

    def is_evaluation(self, event: Event) -> bool:
        """True when a bare call of a cell evaluates or predicts, as far as names and what is done with the result tell."""
        if self.goes_back(event):
            return False
        if self.evaluates and not self.within_training(event):
            return True
        frame = event.place.parent if isinstance(event.place, Frame) else event.place.frame
        callers = [*frames_around(frame)]
        nearest = next((side for f in callers[:3] if (side := role([f.function.name])) is not None), None)
        if nearest == "eval":
            return True
        if self.reads_apart(event) or self.comes_after(event):
            return True
        starts = self.step_orders
        inside = any(bisect_left(starts, f.order) != bisect_left(starts, f.end + 1) for f in callers[:1])
        if inside or (event.loops and id(event.loops[-1]) in self.training_loops):
            return False
        given = event.place.args if isinstance(event.place, Call) else list(event.place.parameters.values())
        return role(list(_origin_names(given))) == "eval"

    def goes_back(self, event: Event) -> bool:
        """Whether a gradient is taken of what it gives as other frameworks do it: loss.backward()."""
        given = [event.place] if isinstance(event.place, Call) else options(event.place.returned)
        return any(id(value) in self.going_back for value in given)

    @cached_property
    def going_back(self) -> set[int]:
        """The ids of what the losses are made of that such gradients are taken of."""
        losses = {id(call.base): call.base for call in self.trace.calls if call.name == ".backward"}
        return {id(part) for loss in losses.values() for part in flow.sources(loss)}

    def within_training(self, event: Event) -> bool:
        """Whether a loop that trains is around it."""
        return any(id(loop) in self.training_loops for loop in event.loops)

    def beside_steps(self, event: Event) -> bool:
        """True for what runs in a loop that trains, and flows into no training step: it may well evaluate."""
        given = [event.place] if isinstance(event.place, Call) else options(event.place.returned)
        return self.within_training(event) and not any(id(value) in self.into_steps for value in given)

    def comes_after(self, event: Event) -> bool:
        """True for a run of trained cells, by themselves or within others, when nothing trains any more: what is left is to use them."""
        if self.root is not None or not self.seen_to_train or event.order < max(one.end for one in self.seen_to_train):
            return False
        # What a step runs does not count as a run by itself.
        within_a_step = any(one.place.node is event.place.node for one in self.seen_to_train)
        if within_a_step or any(id(loop) in self.trained_in for loop in event.loops):
            return False
        return any(key in self.trained_cells for cell in event.cells for key in self.within(cell))

    @cached_property
    def seen_to_train(self) -> list[Event]:
        """The steps, and the trainings by Model, that the script is seen to come to."""
        found = [*self.training, *(one for one in self.all if one.how in ("Model.train", "Model.fit"))]
        return [one for one in found if _unseen(one.place if isinstance(one.place, Frame) else one.place.frame) is None]

    @cached_property
    def reached(self) -> set[int]:
        """The ids of the places where the script is seen to come to a step."""
        return {id(one.place.node) for one in self.seen_to_train}

    @cached_property
    def trained_in(self) -> set[int]:
        """The ids of the loops around all that trains."""
        return {id(loop) for one in self.seen_to_train for loop in one.loops}

    @cached_property
    def trained_cells(self) -> set[int]:
        """The ids of the cells that are trained, with those that take part in it."""
        return {
            id(cell)
            for one in self.seen_to_train
            for cell in (*one.cells, *one.weights, *(use.cell for use in one.uses))
        }

    def reads_apart(self, event: Event) -> bool:
        """True for what runs beside training steps on rows of other data sets than theirs, and flows into none of them."""
        if not self.beside_steps(event):
            return False
        given = event.place.args if isinstance(event.place, Call) else event.place.parameters.values()
        own = {id(part) for value in given for part in flow.sources(value) if _is_data_set(part)}
        trained = {id(part) for part in self.steps_are_given if _is_data_set(part)}
        return bool(own and trained) and not own & trained

    @cached_property
    def steps_are_given(self) -> list[Value]:
        """All that flows into training steps."""
        calls = [step.place for step in self.all_steps if isinstance(step.place, Call)]
        given = (value for call in calls for value in (*call.args, *call.keywords.values()))
        return [part for value in given for part in flow.sources(value)]

    @cached_property
    def into_steps(self) -> set[int]:
        """The ids of all that flows into training steps."""
        return {id(part) for part in self.steps_are_given}

    @cached_property
    def step_orders(self) -> list[int]:
        return sorted(step.order for step in self.all_steps)

    @cached_property
    def training_loops(self) -> set[int]:
        """The loops that train, by id."""
        return {id(loop) for step in self.all_steps for loop in step.loops}

    @cached_property
    def all_steps(self) -> list[Event]:
        return list(self.steps())

    # --- callbacks ----------------------------------------------------------------------------------------------------

    def callbacks(self) -> None:
        """A callback that switches to inference must switch back: Model does not look when it does not sink data."""
        handed, unclear = self.handed_over()
        for frame in self.trace.frames:
            if id(frame.owner) not in handed or not _HOOK.match(frame.function.name):
                continue
            inside = [event for event in self.all if frame.order <= event.order <= frame.end]
            model = handed[id(frame.owner)]
            self.root, self.start = None, {False: None}  # a network of the callback's own is not being trained
            self.state = {key: {True: model} for cell in model.cells for key in self.within(cell)}
            self.in_callback = True
            self.play(inside, len(frame.loops), len(frame.tests))
            for event in inside:
                if event.kind == "set" and event.how == "set_train" and event.mode is False:
                    self.left_by_callback(event, model, id(model) in unclear)

    def left_by_callback(self, event: Event, model: Event, unclear: bool) -> None:
        """Cells that a callback leaves in inference."""
        left = [cell for cell in event.cells if self.mode(cell).get(False) is event]
        back = [self.mode(cell).get(True) for cell in left]
        if any(cause is not None and cause is not model for cause in back) or unclear:
            self.fault("callback-may-leave-inference", event, event, left)
        elif left and not self.indifferent(left):
            self.fault("callback-leaves-inference", event, event, left)

    def handed_over(self) -> tuple[dict[int, Event], set[int]]:
        """The callbacks that a Model is given which may not sink its data, by id; and the ids of those models of which it is not
        clear whether they do."""
        handed: dict[int, Event] = {}
        unclear: set[int] = set()
        for model in self.account.models:
            call = model.place
            if not isinstance(call, Call) or not model.mode:
                continue
            ways = options(call.keywords.get("dataset_sink_mode"))
            sinks = [_is(option, True) for option in ways]
            if sinks and all(sinks):
                continue
            if any(sinks) or not all(isinstance(way, KnownValue) for way in ways):
                unclear.add(id(model))
            for value in (call.keywords.get("callbacks"), *call.args[2:3]):
                parts = flow.sources(value, lambda v: isinstance(v, Instance))
                handed |= {id(part): model for part in parts if isinstance(part, Instance)}
        return handed, unclear


@kept
def training_events(trace: Trace) -> list[Event]:
    """The steps of a script whose gradients an optimizer gets, found once for all who ask."""
    return Replay(trace, False).training


def _is_data_set(value: Value) -> bool:
    return isinstance(value, Call) and value.base is None and value.api.startswith("dataset.")


def _is_instance_norm(layer: Value) -> bool:
    """BatchNorm without scale and shift: with a batch of one, in training mode, it stands for InstanceNorm."""
    return isinstance(layer, Call) and "BatchNorm" in layer.last and _is(layer.keywords.get("affine"), False)


def _is_literal(node: ast.AST) -> bool:
    """True for a call with one constant."""
    given = [*getattr(node, "args", ()), *(keyword.value for keyword in getattr(node, "keywords", ()))]
    return len(given) == 1 and isinstance(given[0], ast.Constant)


def _optimizes(value: Value) -> bool:
    """True for an optimizer, of the framework or of the project."""
    if isinstance(value, Instance):
        return any(_is_optimizer(names.canonical(base)) for base in value.of.beyond())
    return isinstance(value, Call) and _is_optimizer(value.api)


def _is_optimizer(name: str) -> bool:
    known = api.find(name)
    return known is not None and known.kind == "optimizer"


def _named_optimizer(value: Value) -> bool:
    return isinstance(value, UnknownValue) and re.search(r"(?i)(^|_)opt", value.name) is not None


def _is_of_inputs(step: Event) -> bool:
    """True for a gradient of what a network is given, and of no weights: an attack, or a search for an input, trains no network."""
    taken = gradient(step.place) if isinstance(step.place, Call) else None
    if taken is None or taken.function is None:
        return False
    if taken.by_weights:
        return _is_of_no_cell(taken.weights)
    given = (part for value in taken.call.args for part in flow.sources(value, _optimizes))
    return not any(is_parameter(part) or (isinstance(part, Call) and part.name in PARAMETERS) for part in given)


def _is_of_no_cell(weights: Value | None) -> bool:
    """Whether all that is trained are parameters that no cell holds: a picture that is painted, a pattern that misleads."""
    parts = list(flow.sources(weights, _optimizes))
    made = [part for part in parts if isinstance(part, Call) and is_parameter(part)]
    held = any(isinstance(one.frame.owner, Instance) for one in made if one.frame is not None)
    given = any(
        isinstance(part, UnknownValue) or (isinstance(part, Call) and part.name in PARAMETERS) for part in parts
    )
    return bool(made) and not held and not given


def _made_of_weights(value: Value) -> bool:
    """True for what an unseen class, chosen by a setting, makes of a network's weights: called with gradients, it is the optimizer."""
    given = [*value.args[:1], *value.keywords.values()] if isinstance(value, Call) and value.base is not None else []
    return any(isinstance(one, Call) and one.name == ".trainable_params" for arg in given for one in options(arg))


def _networks(model: Call) -> Iterator[Value]:
    order = ["network", "loss_fn", "optimizer", "metrics", "eval_network"]
    for name in ("network", "eval_network"):
        yield from underlying(model.argument(order, name))


def _tops(uses: Iterable[CellUse]) -> list[Value]:
    """The outermost cells among those that take part."""
    found, nested = [], 0
    for use in sorted(uses, key=lambda use: use.order):
        if use.order > nested:
            nested = use.end
            if isinstance(use.cell, Instance) or not getattr(use.cell, "api", "nn.").startswith(("nn.", "mint.")):
                found.append(use.cell)
    return found


def _unseen(frame: Frame | None) -> Frame | None:
    """The outermost function without a visible caller."""
    return next((one for one in [*frames_around(frame)][::-1] if one.unseen), None)


def _shared(events: Sequence[Event], start: int, around: Callable[[Event], Sequence[Any]]) -> int:
    """How many events from `start` on lie within the same loop or condition; 0 when the first lies in none."""
    first, place = around(events[start]), start
    while first and place < len(events) and around(events[place]) == first:
        place += 1
    return place - start


def _origin_names(values: Iterable[Value]) -> Iterator[str]:
    """The names of data sets and files behind what a network is given."""
    for value in values:
        for part in flow.sources(value, lambda v: isinstance(v, Instance)):
            if isinstance(part, Call):
                yield from part.bound
            elif isinstance(part, KnownValue) and isinstance(part.value, str) and len(part.value) < 200:
                yield part.value
