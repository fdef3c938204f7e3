"""What is kept from being trained: requires_grad=False, stop_gradient on the way to the loss, and whether that can be meant.

A weight is cut off when each way from it to the loss that is differentiated leads through stop_gradient. Which weights are to be
trained is what the optimizer, or the gradient function, is given. `requires_grad` is replayed in the order of the script; where steps
are compiled, it counts only up to the list that the optimizer is given: gradients of a graph do not look at it (MindSpore 2.10).
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import islice
from typing import TypeGuard

from ..knowledge import api, names
from ..knowledge.methods import CHECKPOINT_READERS, LOADS, PARAMETERS, WEIGHT_SETTERS
from . import flow
from .analysis import Scripts
from .effects import describes, effect, name_of, named_arguments, stops_gradient, updates
from .execution import jitted, mode
from .factors import argument_of, given_to_base, gradient
from .grading import Link, replacements, under
from .networks import (
    FORWARD,
    Observation,
    Structure,
    base_names,
    is_layer,
    is_parameter,
    kind,
    kind_of,
    leaves,
    structure_of,
    trains,
    uses,
    weights,
)
from .parameter_lists import (
    behind,
    ends_off,
    holds,
    is_cut,
    left_out_of,
    listed_weights,
    matrices,
    part_of,
    taken,
    takes_part,
)
from .project_samplers import is_draw
from .sample_functions import ARRAYS
from .source import Source
from .syntax import called_name, kept, walk
from .trace import Store, Trace
from .training_seen import is_foreign
from .training_steps import is_optimizer, training
from .values import (
    Call,
    Frame,
    Function,
    Instance,
    Items,
    KnownValue,
    Mapping,
    NamedValue,
    Test,
    UnknownValue,
    Value,
    frames_around,
    is_known,
    is_model,
    options,
    unseen,
)

#: A look behind a loss passes so many values.
LIMIT = 60_000
#: So many losses, and places that set requires_grad, are looked at.
STEPS = 40
_MODEL = ["network", "loss_fn", "optimizer"]
#: What makes cells known to the network that a list does not.
_REGISTERS = re.compile(
    r"insert_child_to_cell|insert_param_to_cell|setattr|_cells|add_module|trainable_params|get_parameters"
)
#: Conditions that choose whether something is frozen.
_CHOICE = re.compile(
    r"freez|froz|finetun|fine_tun|pre_?train|train_(only|part)|backbone|fix|filter|load|resume|stage", re.I
)
#: Layers that are frozen on purpose although nothing is loaded: fixed kernels, codes of places.
_FIXED = re.compile(
    r"pos|blur|kernel|filter|fixed|const|anchor|grid|fourier|random_feat|proj_mat|gauss|sobel|mask|avg|mean|dct|haar|template",
    re.I,
)


def examine(scripts: Scripts, declared: list[str] | None = None) -> Iterator[Observation]:
    """What is to say about freezing in the training scripts, each place once. `declared`: patterns of the names of weights that
    are meant to be frozen; None where nothing is declared."""
    readings = scripts.training or scripts.readings
    found: dict[tuple[str, str, int], Observation] = {}
    for reading in readings:
        look = scan_of(structure_of(reading))
        against = look.against(declared) if declared is not None else ()
        cut = (*look.cut_off(), *look.cut_off_in_losses(), *look.idle_terms(), *look.stops())
        for said in (*cut, *look.flags(), *look.unregistered(), *against):
            found.setdefault((said.code, said.source.path, said.line), said)
    problems = {(path, line) for (code, path, line), said in found.items() if code not in TOLD}
    for (code, path, line), said in found.items():
        if code != "stopped" or (path, line) not in problems:
            yield said


#: Codes that only tell what is there.
TOLD = (
    "stopped",
    "stop-discarded",
    "frozen",
    "toggled-late",
    "statistics-trainable",
    "declared-frozen",
    "declared-by-phase",
    "made-frozen",
    "frozen-unseen",
    "frozen-if-loaded",
    "frozen-by-name",
)
#: Of these, what leaves open what is trained, or whether it is meant.
UNSEEN = ("frozen-unseen", "frozen-if-loaded", "frozen-by-name")


@dataclass
class Step:
    """A loss that is differentiated: its value, the place, the ids of the weights that the gradient is taken of, and when that is."""

    loss: Value
    source: Source
    node: ast.AST
    trained: set[int]
    order: int


class FreezeScan:
    def __init__(self, structure: Structure) -> None:
        self.structure = structure
        self.trace = structure.reading.trace
        self.layers: dict[int, Call] = {}
        self.names: dict[int, str] = {}
        for cell in structure.cells:
            for path, leaf in leaves(cell):
                if isinstance(leaf, Call):
                    self.layers[id(leaf)] = leaf
                    if len(".".join(path)) > len(self.names.get(id(leaf), "")):
                        self.names[id(leaf)] = ".".join(path)

    @cached_property
    def registers(self) -> bool:
        """Whether a cell makes others known to itself in a way that is not followed, so that an optimizer may well have more than is seen:
        not one that holds layers which no optimizer is given."""
        return any(
            _REGISTERS.search(" ".join(_body(part.node) for part in cell.of.lineage()))
            and {id(leaf) for _, leaf in leaves(cell)} <= self.trained
            for cell in self.structure.cells
        )

    # --- behind stop_gradient ----------------------------------------------------------------------------------------

    def cut_off(self) -> Iterator[Observation]:
        """Weights that are to be trained and that no gradient reaches."""
        steps = self.steps
        reached: set[int] = set()
        behind: dict[int, list[Call]] = {}
        whole: list[tuple[Step, list[Call]]] = []
        for step in steps:
            free, _ = reach(step.loss, stop=True)
            every, found = reach(step.loss, stop=False)
            stops = [one for one in found if reach(one, stop=False)[0] or may_hold_weights(one, stop=False)]
            trained = step.trained or set(self.layers)
            reached |= free & trained
            cut = (every - free) & trained & set(self.layers)
            if stops and not free & trained and (cut or not _may_be_trained(step.loss)):
                whole.append((step, stops))
            elif cut:
                for leaf in cut:
                    behind[leaf] = stops
        for step, stops in whole:
            unseen = not step.trained and _may_be_trained(step.loss)
            for stop in _nearest(stops):
                data = {"text": _text(stop.node), "line": getattr(step.node, "lineno", 1), "path": step.source.path}
                yield Observation("nothing-trained", stop.source, stop.node, data, possible=unseen)
        if not whole:
            yield from self.lost_parts(reached, behind)

    def lost_parts(self, reached: set[int], behind: dict[int, list[Call]]) -> Iterator[Observation]:
        """Layers that are cut off beside others which a gradient reaches. `behind`: what stops it, nearest to the loss first."""
        frozen = self.frozen
        lost = [leaf for leaf in behind if leaf not in reached and leaf not in frozen and learns(self.layers[leaf])]
        if any(set(lost) <= apart and not reached <= apart for apart in self.set_apart()):
            return
        if all(kind_of(self.layers[leaf]) == "normalization" for leaf in lost):
            return
        stops = _first_met(behind[lost[0]], set(lost)) or behind[lost[0]]
        lost.sort(key=lambda leaf: self.layers[leaf].order)
        shown = [self.names.get(leaf, "") or self.layers[leaf].api for leaf in lost]
        total = len(reached | set(lost))
        code = "part-cut-off-loaded" if self.loaded(perhaps=2 * len(lost) <= total) else "part-cut-off"
        for stop in _nearest(stops):
            data = {"text": _text(stop.node), "count": len(lost), "total": total, "names": shown[:5]}
            yield Observation(code, stop.source, stop.node, data, certain=False)

    def idle_terms(self) -> Iterator[Observation]:
        """Terms of a loss that are computed with what is to be trained, and of which no operand has a gradient."""
        for step in self.steps:
            trained = step.trained or set(self.layers)
            if not reach(step.loss, stop=True)[0] & trained:
                continue  # nothing is trained at all
            for part in flow.sources(step.loss, _is_update):
                if not _is_loss(part):
                    continue
                operands = [*part.args, *part.keywords.values()]
                before = [reach(operand, stop=True) for operand in operands]
                stops = [stop for _, found in before for stop in found]
                if not stops or any(learnt & trained for learnt, _ in before):
                    continue
                if any(reach(operand, stop=False)[0] & trained for operand in operands):
                    data = {"line": part.line, "path": part.source.path}
                    yield Observation("term-stopped", stops[0].source, stops[0].node, data, certain=False)

    def set_apart(self, by_default: bool = False) -> Iterator[set[int]]:
        """The layers of each part that is loaded, or told not to be trained, by itself: stopping its gradient is meant. What is loaded
        when training is over, as the best weights are to be tested, tells nothing of what was trained. `by_default`: only where options,
        left as they are, do not lead past it."""
        for call in self.trace.calls:
            if by_default and under(call.under) is Link.ELSEWHERE:
                continue
            part: Value | None = None
            if call.api == "load_param_into_net":
                part = call.argument(["net"], "net")
            elif call.api == "load_checkpoint":
                part = call.argument(["ckpt_file_name", "net"], "net")
            elif call.name in (".set_grad", ".set_train"):
                part = self.told_not_to(call)
            if part is not None and not (call.api in LOADS and comes_after_training(self.trace, call, part)):
                yield from ({id(leaf) for _, leaf in leaves(option)} for option in options(part))

    def told_not_to(self, call: Call) -> Value | None:
        """The part that is told not to be trained; not where it is set to training elsewhere, so that it is evaluated in between."""
        given = (
            call.args[0] if call.args else call.keywords.get("requires_grad" if call.name == ".set_grad" else "mode")
        )
        back = call.name == ".set_train" and any(id(option) in self.set_to_train for option in options(call.base))
        return call.base if is_known(given, False) and not back else None

    @cached_property
    def set_to_train(self) -> set[int]:
        """The ids of the networks that are set to training by themselves."""
        calls = (
            call
            for call in self.trace.calls
            if call.name == ".set_train" and not is_known(next(iter(call.args), None), False)
        )
        return {id(option) for call in calls for option in options(call.base)}

    @cached_property
    def steps(self) -> list[Step]:
        """The losses that are differentiated."""
        return list(islice(self.differentiated(), STEPS))

    def differentiated(self) -> Iterator[Step]:
        seen = False
        for call in self.trace.calls:
            if call.name != "" or call.result is None or not isinstance(call.base, (Call, Instance)):
                continue
            base, taken = call.base, gradient(call)
            if taken is not None and taken.by_weights:
                seen = True
                loss = _first(call.result) if taken.has_aux else call.result
                yield Step(loss, call.source, call.node, self.of_parameters(taken.weights), call.order)
            elif updates(base):
                seen = True
                optimizer = _optimizer_of(base)
                yield Step(call.result, call.source, call.node, self.of_optimizer(optimizer), call.order)
        if not seen:
            yield from self.given_to_model()

    def given_to_model(self) -> Iterator[Step]:
        """The networks that Model, or a training cell that nothing calls here, runs."""
        for call in self.trace.calls:
            network = optimizer = None
            if call.api == "Model":
                network = call.argument(_MODEL, "network")
                optimizer = call.argument(_MODEL, "optimizer")
            elif updates(call):
                network, optimizer = (argument_of(call, name) for name in ("network", "optimizer"))
            if optimizer is None:
                continue
            for cell in options(network):
                for frame in self.trace.frames:
                    if (
                        isinstance(cell, Instance)
                        and frame.owner is cell
                        and frame.function.name in FORWARD
                        and frame.returned is not None
                    ):
                        trained = self.of_optimizer(optimizer)
                        yield Step(frame.returned, call.source, call.node, trained, self.first_used(call))

    def first_used(self, maker: Call) -> int:
        """When a Model or a training cell runs first: as late as can be where that is not seen."""
        runs = (one for one in self.trace.calls if one.name in (".train", ".fit", ""))
        return min((one.order for one in runs if maker in options(one.base)), default=self.trace.calls[-1].order)

    def cut_off_in_losses(self) -> Iterator[Observation]:
        """Loss cells that a Model puts behind its network, in which no gradient gets to what the network gives."""
        losses = (call.argument(_MODEL, "loss_fn") for call in self.trace.calls if call.api == "Model")
        cells = {id(cell) for loss in losses for cell in options(loss) if isinstance(cell, Instance)}
        for frame in self.trace.frames:
            stop = _stop_around(frame) if id(frame.owner) in cells and frame.function.name in FORWARD else None
            if stop is not None:
                line, path = getattr(frame.function.node, "lineno", 1), frame.function.source.path
                data = {"text": _text(stop.node), "line": line, "path": path}
                yield Observation("nothing-trained", stop.source, stop.node, data)

    def of_optimizer(self, optimizer: Value | None) -> set[int]:
        return {leaf for option in options(optimizer) for given in _given(option) for leaf in self.of_parameters(given)}

    def takes(self, given: Value | None, leaf: int) -> bool | None:
        """Whether a list of parameters has a matrix of a layer, or a parameter; None where that cannot be told."""
        layer = self.layers.get(leaf)
        return None if layer is None else taken(given, layer, self.names.get(leaf, ""))

    def of_parameters(self, given: Value | None) -> set[int]:
        """The ids of the layers whose parameters a list of parameters holds."""
        found: set[int] = set()
        for part in behind(given):
            if isinstance(part, Call) and part.name in PARAMETERS:
                for owner in options(part.base):
                    found |= {id(leaf) for _, leaf in leaves(owner)}
            elif isinstance(part, Call) and part.name == "@parameters":
                found |= self.of_optimizer(part.base)
            elif is_parameter(part):
                found.add(id(part))
        return found

    def stops(self) -> Iterator[Observation]:
        """Each stop_gradient within what is trained."""
        for call in self.trace.calls:
            known = effect(call)
            if known is None or known.operation != "stop_gradient" or not stops_gradient(call):
                continue
            if call.discarded:
                given = call.args[0] if call.args else None
                feature = given is not None and bool(reach(given, stop=False)[0])
                code = "stop-discarded-feature" if feature else "stop-discarded"
                yield Observation(code, call.source, call.node, {"text": _text(call.node)}, certain=False)
            else:
                yield Observation("stopped", call.source, call.node, {"text": _text(call.node)})

    # --- requires_grad -----------------------------------------------------------------------------------------------

    @cached_property
    def frozen(self) -> dict[int, Store]:
        """id of each layer or parameter that is not trained in the end -> what froze it."""
        state: dict[int, Store] = {}
        for store, on in self.switches:
            if not on:
                state.update(dict.fromkeys(self.frozen_by(store), store))
            elif not _of_trainable(store.owner):
                for leaf in self.meant(store):
                    state.pop(leaf, None)
        for store, on in self.switches:
            if on:  # a loop that sets both comes back to this one
                for leaf in self.meant(store):
                    if leaf in state and _together(store, state[leaf]):
                        del state[leaf]
        return {leaf: store for leaf, store in state.items() if self.made_anew(leaf, store) is None}

    def made_anew(self, leaf: int, store: Store) -> Call | None:
        """The Parameter that takes the place of a weight after a switch, which was about the former one."""
        layer = self.layers.get(leaf)
        for one in replacements(self.trace) if layer is not None else ():
            after = one.anew is not None and one.order > store.order
            if after and layer is not None and one.reaches(layer) and one.link(layer) is not Link.ELSEWHERE:
                return one.anew
        return None

    @cached_property
    def switches(self) -> list[tuple[Store, bool]]:
        """Each place that sets requires_grad, and to what. A condition on the parameters that a loop goes through sets it both ways, each
        for those that it is about."""
        found = []
        for store in self.trace.stores:
            if store.attribute != "requires_grad":
                continue
            if isinstance(store.value, KnownValue) and type(store.value.value) is bool:
                found.append((store, store.value.value))
            elif isinstance(store.value, Call) and _listing_call(store) is not None:
                found += [(_on_condition(store, on), on) for on in (True, False)]
        return found

    def meant(self, store: Store) -> list[int]:
        """The layers and parameters whose weights a switch is about, as far as they exist then."""
        owner = store.owner
        if is_parameter(owner):
            return [id(owner)]
        if (listing := _listed_cells(_cell_of(owner))) is not None:
            return _of_kind(store, listing)
        if isinstance(owner, Call) and owner.name[:1] == "@" and owner.base is not None:
            return _of_weight(owner.base, owner.name[1:])
        found = []
        for network in _networks_of(owner):
            held = [(path, leaf) for path, leaf in leaves(network) if isinstance(leaf, Call)]
            within = _within(owner, [leaf for _, leaf in held])
            for path, leaf in held:
                if id(leaf) in within and leaf.order < store.order and _chosen(store, path, leaf):
                    found.append(id(leaf))
        return found

    def switched_off(self, store: Store, text: dict[str, str]) -> Observation:
        """What there is to say of a switch that comes in time."""
        if (made := self.all_made_anew(store)) is not None:
            told: dict[str, object] = {**text, "line": made.line, "path": made.source.path}
            return Observation("frozen-anew", store.source, store.node, told, certain=False)
        if not self.is_seen(store):
            return Observation("frozen-unseen", store.source, store.node, text)
        if (load := self.loaded_perhaps(store)) is not None:
            place = {**text, "line": load.line, "path": load.source.path}
            return Observation("frozen-if-loaded", store.source, store.node, place)
        return Observation("frozen", store.source, store.node, text)

    def loaded_perhaps(self, store: Store) -> Call | None:
        """The load on a condition without which weights that a switch freezes keep random numbers."""
        for leaf in self.frozen_by(store):
            layer = self.layers.get(leaf)
            at_random = layer is not None and self.random(layer, store) and not self.has_learnt(leaf, store)
            loads = [call for call in self.trace.calls if call.api in LOADS and self.loads_into(call, leaf)]
            if at_random and loads and max(under(call.tests) for call in loads) < Link.DEFAULT:
                return loads[0]
        return None

    def all_made_anew(self, store: Store) -> Call | None:
        """One of the Parameters that take the places of all weights of a switch after it; None where one stays."""
        made = [self.made_anew(leaf, store) for leaf in self.meant(store)]
        return made[0] if made and None not in made else None

    def is_seen(self, store: Store) -> bool:
        """Whether it is seen which of the parameters that a loop goes through a switch is about."""
        held = [
            (path, leaf) for net in _networks_of(store.owner) for path, leaf in leaves(net) if isinstance(leaf, Call)
        ]
        if not held or self.meant(store):
            return True
        within = _within(store.owner, [leaf for _, leaf in held])
        return bool(within) and all(_chosen(store, path, leaf) is not None for path, leaf in held if id(leaf) in within)

    def frozen_by(self, store: Store) -> list[int]:
        """What a switch of what is `meant` keeps from being trained."""
        late = self.late(store)
        return [leaf for leaf in self.meant(store) if leaf not in late]

    def late(self, store: Store) -> dict[int, Call | Instance]:
        """Weights that an optimizer had before they were switched off, with the optimizer, where steps may be compiled."""
        found: dict[int, Call | Instance] = {}
        if self.compiled and not unseen(store.frame):  # it is not known when a function without a visible caller runs
            for optimizer, given in self.optimizers:
                if optimizer.order < store.order and self.updates(optimizer):
                    found |= {leaf: optimizer for leaf in self.meant(store) if leaf in given}
        return found

    def updates(self, optimizer: Call | Instance) -> bool:
        """Whether a step updates weights by an optimizer, as far as steps are seen."""
        steps = training(self.structure.reading).steps
        return not steps or any(optimizer in options(step.optimizer) for step in steps)

    @cached_property
    def compiled(self) -> bool:
        """Whether training steps may run as a graph."""
        steps = training(self.structure.reading)
        chosen = mode(steps)
        return (chosen.place is not None and chosen.value != "pynative") or jitted(steps) is not None

    def flags(self) -> Iterator[Observation]:
        """Each place that sets requires_grad, and what is wrong in the end."""
        told: set[int] = set()
        yield from self.all_frozen(told)
        yield from self.frozen_at_random(told)
        yield from self.traps()
        for store, on in self.switches:
            if id(store) not in told:
                yield from self.switch(store, on)

    def all_frozen(self, told: set[int]) -> Iterator[Observation]:
        """Where nothing is left that is trained. `told`: the ids of the places that were said."""
        learning = {leaf for leaf in self.trained if leaf in self.layers and learns(self.layers[leaf])}
        unseen = any(on and not self.meant(store) for store, on in self.switches)  # may well unfreeze
        if (
            not learning
            or unseen
            or not all(leaf in self.frozen and self.always(self.frozen[leaf]) for leaf in learning)
        ):
            return
        data = {"count": len(learning)}
        for store in {id(self.frozen[leaf]): self.frozen[leaf] for leaf in learning}.values():
            told.add(id(store))
            yield Observation("all-frozen", store.source, store.node, data, certain=not store.tests)

    def frozen_layers(self) -> Iterator[tuple[int, Call, Store]]:
        """The layers that are switched off, though an optimizer is given them, each with its id and the switch."""
        given = self.trained or self.layers
        for leaf, store in self.frozen.items():
            layer = self.layers.get(leaf)
            if layer is not None and leaf in given and not self.left_out(leaf):
                yield leaf, layer, store

    def frozen_at_random(self, told: set[int]) -> Iterator[Observation]:
        """What stays at its random first values."""
        heads = self.heads()
        for leaf, layer, store in self.frozen_layers():
            if id(store) in told:
                continue
            loaded = self.loaded(perhaps=leaf not in heads, into=leaf)
            optional = loaded and not self.loaded(into=leaf, by_default=True)
            given = loaded and not optional
            unlearnt = self.random(layer, store) and not self.has_learnt(leaf, store)
            if unlearnt and (not given or leaf in heads):
                data = {"name": self.names.get(leaf) or layer.api, "what": layer.api}
                certain = not (optional or store.tests) and self.whichever(store, leaf)
                told.add(id(store))
                code = "frozen-by-name" if self.is_called_fixed(layer) else "head-frozen" if given else "random-frozen"
                yield Observation(code, store.source, store.node, data, certain=certain)

    def is_called_fixed(self, layer: Call) -> bool:
        """Whether the name of a layer tells that it is frozen on purpose although nothing is loaded."""
        return any(_FIXED.search(name) for name in (*layer.bound, self.names.get(id(layer), "")))

    def left_out(self, leaf: int) -> bool:
        """Whether all that is differentiated is seen, and a layer contributes to none of it: its network is not trained here."""
        models = (call.argument(_MODEL, "network") for call in self.trace.calls if call.api == "Model")
        trained = [
            frozenset(id(part) for _, part in leaves(option)) for network in models for option in options(network)
        ]
        trained += [reach(step.loss, stop=False)[0] for step in self.steps]
        return bool(trained) and all(trained) and not any(leaf in each for each in trained)

    def switch(self, store: Store, on: bool) -> Iterator[Observation]:
        """What there is to say of one place that sets requires_grad."""
        owner, text = store.owner, {"text": _text(store.node)}
        if isinstance(owner, Call) and (is_layer(owner) or kind_of(owner) == "container"):
            yield Observation("flag-on-cell", store.source, store.node, {"name": text["text"]}, certain=False)
        elif not on and (late := self.late(store)):
            again = {leaf for other, sets in self.switches if sets for leaf in self.meant(other)}
            code = "frozen-late" if late.keys() - again else "toggled-late"
            place = next(iter(late.values()))
            path = (place.source or store.source).path
            counted = {**text, "count": len(late), "line": place.line, "path": path}
            yield Observation(code, store.source, store.node, counted, certain=False)
        elif not on:
            yield self.switched_off(store, text)
        elif self.statistics(store):
            yield Observation("statistics-trainable", store.source, store.node, {})

    def whichever(self, store: Store, leaf: int) -> bool:
        """Whether a switch is about a layer whichever of several networks it is given; each of them has been followed."""
        listed = _listing_call(store)
        if listed is None or listed.loops:  # one network after the other is listed in a loop
            return True
        same = [other for other, _ in self.switches if other.node is store.node and other.frame is store.frame]
        return all(leaf in self.meant(other) for other in same)

    def always(self, store: Store) -> bool:
        """True when what is set is set wherever the optimizer is made: without a condition, or under the same."""
        around = store.tests[: len(store.tests) - len(_own_tests(store))]
        wanted = {(id(test.node), test.taken) for test in around}
        optimizers = [c for c in self.trace.calls if kind(c.api) == "optimizer" and not c.api.startswith("ops.")]
        return not wanted or any(wanted <= {(id(t.node), t.taken) for t in made.tests} for made in optimizers)

    def traps(self) -> Iterator[Observation]:
        """Unfreezing through trainable_params(), which no longer lists what is frozen."""
        switches = [(store, on, self.meant(store) if on else self.frozen_by(store)) for store, on in self.switches]
        whole = [meant for store, on, meant in switches if on and not _of_trainable(store.owner)]
        again = set().union(*whole)
        state: dict[int, Store] = {}
        for store, on, leaves_meant in switches:
            if not on:
                state.update(dict.fromkeys(leaves_meant, store))
            elif not _of_trainable(store.owner):
                for leaf in leaves_meant:
                    state.pop(leaf, None)
            else:
                by_leaf = _frozen_with(store, switches, again) | state
                if stuck := [leaf for leaf in leaves_meant if leaf in by_leaf]:
                    by = by_leaf[stuck[0]]
                    data = {"line": by.line, "path": by.source.path, "count": len(stuck)}
                    edit = _listed(store)
                    certain = not store.tests and not by.tests
                    yield Observation("unfreezes-nothing", store.source, store.node, data, certain, edit)

    @cached_property
    def trained(self) -> set[int]:
        """The weights that an optimizer is given."""
        return {leaf for _, given in self.optimizers for leaf in given}

    @cached_property
    def optimizers(self) -> list[tuple[Call | Instance, set[int]]]:
        """Each optimizer, with the weights that it is given."""
        return [(each, self.of_optimizer(each)) for each in optimizers_of(self.trace)]

    @cached_property
    def by_themselves(self) -> set[int]:
        """The ids of the networks whose parameters an optimizer is given without those of what holds them."""
        lists = [given for optimizer, _ in self.optimizers for given in _given(optimizer)]
        return {id(network) for given in lists for part in behind(given) for network in _listed_of(part)}

    def random(self, layer: Call, store: Store) -> bool:
        """True for a frozen matrix that starts from random numbers."""
        if is_parameter(layer) or not learns(layer) or kind_of(layer) == "normalization":
            return False
        if any(
            _CHOICE.search(test.text)
            for test in (*store.tests, *(t for f in frames_around(store.frame) for t in f.tests))
        ):
            return False
        given = named_arguments(layer)
        for name in {argument for argument in weights(layer.api).values() if argument} & set(given):
            if any(_is_data(option) for option in options(given[name])):
                return False
        return not self.is_written(layer)

    def has_learnt(self, leaf: int, store: Store) -> bool:
        """Whether a layer was trained before it is frozen, as an encoder is whose outputs are then classified."""
        earlier = (step for step in self.steps if step.order < store.order and leaf in (step.trained or {leaf}))
        return any(leaf in reach(step.loss, stop=True)[0] for step in earlier)

    def written_by(self, call: Call) -> set[int]:
        """The ids of the layers and parameters that a call writes values into, as far as that is seen."""
        if call.name == ".set_data":
            into = call.base
        elif assigns(call):
            into = call.argument(["variable", "value"], "variable")
        else:
            return set()
        if is_setting(into):
            return set()
        parts = list(behind(into)) if into is not None else []
        found = {id(owner) for part in parts for owner in (part, getattr(part, "base", None))}
        networks = _networks_of(into) if into is not None else []
        return found | {id(leaf) for network in networks for _, leaf in leaves(network)}

    def is_written(self, layer: Call) -> bool:
        """Whether other values than first ones are written into a layer, or into each parameter of a network with it, as
        the average of another network's weights is."""
        return id(layer) in self.written

    @cached_property
    def written(self) -> set[int]:
        """The ids of the layers and parameters, and of those that hold them, for which that is so."""
        found: set[int] = set()
        networks: dict[int, Value] = {}
        for call in self.trace.calls:
            if call.name == ".set_data":
                into, value = call.base, call.argument(["data"], "data")
            elif assigns(call):
                into, value = (call.argument(["variable", "value"], name) for name in ("variable", "value"))
            else:
                continue
            if any(isinstance(part, Call) and _initial(part) for part in behind(value)):
                continue
            for part in behind(into):
                found |= {id(part), id(part.base)} if isinstance(part, Call) else {id(part)}
                networks |= {id(network): network for network in _listed_of(part)}
        return found | {id(leaf) for network in networks.values() for _, leaf in leaves(network)}

    def loaded(self, perhaps: bool = False, into: int | None = None, by_default: bool = False) -> bool:
        """True when the script loads weights before it trains; in any case, unless `perhaps`. `into`: the id of a layer or parameter
        that is to be among what is loaded into, or may be. `by_default`: where options, left as they are, do not lead past it."""
        first = self.first_run(into)
        loads = [c for c in self.trace.calls if c.api in LOADS and (first is None or c.order < first)]
        if all(map(copied, loads)):  # where anything is read from a checkpoint, a copy may be one of that
            loads = []
        if into is not None:
            loads = [load for load in loads if self.loads_into(load, into)]
        if by_default:
            return any(under(load.under) is not Link.ELSEWHERE for load in loads)
        return any(perhaps or not load.under for load in loads) or (perhaps and self.loads_elsewhere)

    def first_run(self, leaf: int | None) -> int | None:
        """When something is trained first, once a layer is made."""
        made = self.layers[leaf].order if leaf in self.layers else 0
        return min((run for run in self.runs if run > made), default=None)

    def loads_into(self, load: Call, leaf: int) -> bool:
        """Whether what is loaded may get into a layer or parameter: not where other networks, all of them seen, are filled."""
        names = ["net"] if load.api == "load_param_into_net" else ["ckpt_file_name", "net"]
        filled = list(options(load.argument(names, "net")))
        if not filled:
            return not self.fills
        held = [(each, self.of_optimizer(each) | {id(part) for _, part in leaves(each)}) for each in filled]
        return any(leaf in parts or not (parts or is_optimizer(each)) for each, parts in held)

    @cached_property
    def fills(self) -> bool:
        """Whether what is read from checkpoints is filled into networks by the framework."""
        return any(call.api == "load_param_into_net" for call in self.trace.calls)

    @cached_property
    def runs(self) -> list[int]:
        """When something is trained, by the order of the script."""
        calls = self.trace.calls
        found = [c.order for c in calls if c.name in (".train", ".fit") and is_model(c.base)]
        return found + [c.order for c in calls if c.name == "" and c.result is not None]

    @cached_property
    def loads_elsewhere(self) -> bool:
        """True when the code loads weights on a way that is not taken by default."""
        reading = self.structure.reading
        sources = {reading.source.file: reading.source}
        sources.update({s.file: s for s in reading.project.sources.values() if s is not None})
        calls = (node for source in sources.values() for node in source.nodes_of(ast.Call))
        return any(called_name(node) in LOADS and id(node) not in self.structure.executed for node in calls)

    def heads(self) -> set[int]:
        """The layers with weights that are nearest to a loss."""
        found = set()
        for step in self.steps:
            nearest = next((part.base for part in flow.sources(step.loss) if applies(part)), None)  # type: ignore[attr-defined]
            if nearest is not None:
                found.add(id(nearest))
        return found

    def statistics(self, store: Store) -> bool:
        """True for a switch that is about every parameter of a network, moving statistics among them."""
        return not _of_trainable(store.owner) and any(
            "moving_mean" in weights(leaf.api)
            for network in _networks_of(store.owner)
            for _, leaf in leaves(network)
            if isinstance(leaf, Call)
        )

    # --- lists that are not cells ------------------------------------------------------------------------------------

    def unregistered(self) -> Iterator[Observation]:
        """Layers that a cell keeps in a Python list: the network does not know their parameters."""
        for cell in self.structure.cells:
            if _REGISTERS.search(" ".join(_body(part.node) for part in cell.of.lineage())):
                continue
            held_besides = [value for value in cell.attributes.values() if not _listing(value)]
            held_besides += [given for _, args, _ in cell.supers for given in args]  # CellList and its like keep these
            known = {id(leaf) for value in held_besides for _, leaf in leaves(value)}
            stored = uses(cell.of).stored
            for name, value in cell.attributes.items():
                if name not in stored or not _listing(value):
                    continue
                held = [leaf for _, leaf in leaves(value) if isinstance(leaf, Call) and id(leaf) not in self.frozen]
                held = [leaf for leaf in held if self.is_applied_layer(leaf) or self.is_reached_weight(leaf)]
                trained = any(id(part) in self.by_themselves for part in behind(value))
                if held and not trained and not any(id(leaf) in known for leaf in held):
                    node, method = stored[name]
                    data = {"name": name, "of": cell.of.node.name, "what": self.shown(held[0])}
                    yield Observation("not-registered", method.source, node, data)

    def is_applied_layer(self, leaf: Call) -> bool:
        """Whether this is a layer of the framework that is applied."""
        return is_layer(leaf) and kind_of(leaf) != "recurrent" and bool(self.structure.applied.get(id(leaf)))

    def is_reached_weight(self, leaf: Call) -> bool:
        """Whether this is a parameter of a cell of the project that a loss is computed with."""
        return trains(leaf) and id(leaf) in self.own_weights and id(leaf) in self.in_losses

    def shown(self, leaf: Call) -> str:
        """What a layer is called, or the cell of the project that a parameter is of."""
        cell = self.own_weights.get(id(leaf))
        return leaf.api if cell is None else cell.of.node.name

    @cached_property
    def own_weights(self) -> dict[int, Instance]:
        """The id of each parameter that a cell of the project has by itself, not in a list -> that cell."""
        held = ((cell, value) for cell in self.structure.cells for value in cell.attributes.values())
        return {id(value): cell for cell, value in held if is_parameter(value)}

    @cached_property
    def in_losses(self) -> set[int]:
        """The ids of what the losses that are differentiated are computed with."""
        return {leaf for step in self.steps for leaf in reach(step.loss, stop=True)[0]}

    # --- against what is declared ------------------------------------------------------------------------------------

    def against(self, declared: list[str]) -> Iterator[Observation]:
        """Weights that are declared to be frozen and are trained, or the other way round."""
        frozen = self.frozen
        trained = self.trained
        if not trained:
            return
        names = self.parameters(trained)
        late = {leaf for store, on in self.switches if not on for leaf in self.late(store)}
        for pattern in declared:
            fitting = [
                (name, leaf)
                for name, leaf in names.items()
                if fnmatchcase(name, pattern) or fnmatchcase(name, "*." + pattern)
            ]
            free = [(name, leaf) for name, leaf in fitting if leaf not in frozen and leaf not in late]
            if free and self.stays_for_another({leaf for _, leaf in free}):
                leaf = self.layers[free[0][1]]
                data = {"pattern": pattern, "count": len(free), "optimizers": len(self.optimizers)}
                yield Observation("declared-by-phase", leaf.source, leaf.node, data)
            elif free and not any(self.unsure(store) for store, on in self.switches if not on):
                leaf = self.layers[free[0][1]]
                data = {"pattern": pattern, "count": len(free), "names": [name for name, _ in free[:5]]}
                yield Observation("declared-not-frozen", leaf.source, leaf.node, data)
            elif fitting and not free:
                leaf = self.layers[fitting[0][1]]
                yield Observation(
                    "declared-frozen", leaf.source, leaf.node, {"pattern": pattern, "count": len(fitting)}
                )
        for name, leaf_id in names.items():
            wanted = any(fnmatchcase(name, pattern) or fnmatchcase(name, "*." + pattern) for pattern in declared)
            if leaf_id in frozen and not wanted:
                store = frozen[leaf_id]
                yield Observation("frozen-not-declared", store.source, store.node, {"name": name}, not store.tests)

    def stays_for_another(self, layers: set[int]) -> bool:
        """Whether there is an optimizer that trains other weights and none of these, as those of a generator and a discriminator."""
        return any(given and not given & layers for _, given in self.optimizers)

    def unsure(self, store: Store) -> bool:
        """True for a switch about parameters that are chosen in a way that is not followed."""
        return any(
            isinstance(leaf, Call) and _chosen(store, path, leaf) is None
            for network in _networks_of(store.owner)
            for path, leaf in leaves(network)
        )

    def parameters(self, trained: set[int]) -> dict[str, int]:
        """Full names of the weights of layers -> the layer."""
        found = {}
        for leaf, layer in self.layers.items():  # in the order of the code, so that the first is the same in each run
            if leaf in trained:
                for weight in matrices(layer) if is_layer(layer) else [""]:
                    found[f"{self.names.get(leaf, '')}.{weight}".strip(".")] = leaf
        return found


@kept
def scan_of(structure: Structure) -> FreezeScan:
    """The scan of a reading, made once for all who ask."""
    return FreezeScan(structure)


# --- helpers ----------------------------------------------------------------------------------------------------------


def comes_after_training(trace: Trace, load: Call, into: Value) -> bool:
    """Whether weights are loaded into a network only after all training of it: no loop comes back to a step, but for one that makes the
    network anew in each turn."""
    steps = [call for call in trace.calls if _trains(call)]
    parts = [leaf for option in options(into) for _, leaf in leaves(option)]
    anew = set[ast.AST]().union(*(leaf.loops for leaf in parts if isinstance(leaf, Call)))
    again = set(load.loops) - anew
    return bool(steps) and not unseen(load.frame) and all(_is_over(step, load, again) for step in steps)


def _is_over(step: Call, load: Call, loops: set[ast.AST]) -> bool:
    return step.order < load.order and not loops.intersection(step.loops) and not unseen(step.frame)


def _trains(call: Call) -> bool:
    """Whether a call trains something: a gradient by weights, a training cell that runs, a Model."""
    if call.name in (".train", ".fit"):
        return is_model(call.base)
    if call.name != "" or not isinstance(call.base, (Call, Instance)):
        return False
    found = gradient(call)
    return updates(call.base) or (found is not None and found.by_weights)


def optimizers_of(trace: Trace) -> list[Call | Instance]:
    """The optimizers that a script makes, of MindSpore and of its own."""
    found: list[Call | Instance] = []
    found += [call for call in trace.calls if kind(call.api) == "optimizer" and not call.api.startswith("ops.")]
    found += [one for one in trace.instances if any(kind(base) == "optimizer" for base in base_names(one.of))]
    return found


def _listing(value: Value) -> bool:
    """True for a list, tuple or dict of Python."""
    return isinstance(value, (Items, Mapping)) or (isinstance(value, Call) and value.name == "comprehension")


@kept
def _body(node: ast.AST) -> str:
    return " ".join(
        n.attr if isinstance(n, ast.Attribute) else n.id for n in walk(node) if isinstance(n, (ast.Attribute, ast.Name))
    )


def learns(layer: Call) -> bool:
    """True for a layer or parameter that holds weights which are trained."""
    return trains(layer) if is_parameter(layer) else bool(matrices(layer))


@kept
def reach(value: Value, stop: bool) -> tuple[frozenset[int], list[Call]]:
    """The ids of the layers and parameters that a value is computed with, and what stops the gradient on the way, nearest first.

    With `stop` nothing behind what stops the gradient, or behind what is constant whatever it is given, counts, but for what is written
    into that afterwards; what lies behind a shape never does.
    """
    found: set[int] = set()
    stops: list[Call] = []
    queue, seen = [value], {id(value)}
    for part in islice(queue, LIMIT):  # the queue grows meanwhile
        if isinstance(part, Instance):
            found |= {id(leaf) for _, leaf in leaves(part)}
            continue
        if isinstance(part, Call):
            if stops_gradient(part):
                stops.append(part)
                if stop:
                    continue
            if describes(part):
                continue
            if is_parameter(part):
                found.add(id(part))
                continue
            if is_layer(part.applied):
                found.add(id(part.applied))
        for inner in _written(part) if stop and _is_constant(part) else flow.inputs(part):
            if id(inner) not in seen and not isinstance(inner, Function):
                seen.add(id(inner))
                queue.append(inner)
    return frozenset(found), stops


def learnable(value: Value) -> frozenset[int]:
    """The ids of the layers and parameters that the gradient of a value reaches, but for parameters that are made not to be trained."""
    reached = reach(value, stop=True)[0]
    inside = flow.sources(value) if reached else ()
    return reached - {id(part) for part in inside if isinstance(part, Call) and is_parameter(part) and not trains(part)}


def _may_be_trained(loss: Value) -> bool:
    """Whether a gradient gets from a loss to any weights, seen or not."""
    return bool(learnable(loss)) or may_hold_weights(loss)


def _is_update(value: Value) -> bool:
    """True for the result of an optimizer: an update that another step waits for is not a term of that step's loss."""
    return isinstance(value, Call) and value.name == "" and value.base is not None and is_optimizer(value.base)


def _is_constant(value: Value) -> bool:
    """True for what an operation makes whatever it is given, such as zeros_like."""
    known = effect(value) if isinstance(value, Call) else None
    return known is not None and known.constant is not None


def _written(value: Value) -> list[Value]:
    """What is written into a result afterwards: loss = zeros(3); loss[0] = ..."""
    return list(value.fed or ()) if isinstance(value, Call) else []


def may_hold_weights(value: Value, stop: bool = True, since: int = 0) -> bool:
    """Whether a value may be computed with weights that are not seen, for something out of sight is called on the way, after the
    time `since`. With `stop` only where a gradient gets."""
    queue, seen = [value], {id(value)}
    while queue and len(seen) < LIMIT:
        part = queue.pop()
        if isinstance(part, Call) and (part.order < since or (stop and _ends_gradient(part))):
            continue
        if _may_be_weights(part):
            return True
        inner = [one for one in flow.inputs(part) if id(one) not in seen and not isinstance(one, Function)]
        seen.update(map(id, inner))
        queue += inner
    return bool(queue)


def _ends_gradient(made: Call) -> bool:
    return stops_gradient(made) or (is_parameter(made) and not trains(made))


def _may_be_weights(value: Value) -> bool:
    """Whether a value is a network, something out of sight, or one at which following was given up."""
    if isinstance(value, UnknownValue):
        return not value.name
    return isinstance(value, Instance) or (isinstance(value, Call) and _is_unseen(value))


def _is_unseen(made: Call) -> bool:
    """Whether it is not known what a call computes with: of a value that is out of sight, by a name that nothing is known of."""
    if made.result is not None or effect(made) is not None or api.find(name_of(made)) is not None:
        return False
    return is_foreign(made) if made.base is None else made.name[:1] not in ("@", "[") and not _is_of_data_set(made)


def copied(load: Call) -> list[Instance]:
    """The networks of the project whose values a network is given; none where they come from a checkpoint, or are not all seen."""
    given = load.argument(["net", "parameter_dict"], "parameter_dict")
    made = [part for part in flow.sources(given) if isinstance(part, Call)] if load.api in WEIGHT_SETTERS else []
    networks = [option for part in made if part.name in PARAMETERS for option in options(part.base)]
    seen = [network for network in networks if isinstance(network, Instance)]
    reads = any(part.api in CHECKPOINT_READERS for part in made)
    return seen if len(seen) == len(networks) and not reads else []


def _is_of_data_set(made: Call) -> bool:
    """Whether a call is one of the methods of a data set, one behind the other, which computes with no weights."""
    value: Value | None = made
    while isinstance(value, Call) and value.base is not None:
        value = value.base
    return isinstance(value, Call) and value.api.startswith("dataset.")


def _is_stop(value: Value) -> bool:
    return isinstance(value, Call) and stops_gradient(value)


def _stop_around(frame: Frame) -> Call | None:
    """The nearest stop_gradient of those that all ways lead through from the first argument of a function to what it returns."""
    first = next((value for value in frame.parameters.values() if value is not frame.owner), None)
    given = frame.returned
    if first is None or given is None or not flow.derives(given, first) or flow.derives(given, first, _is_stop):
        return None
    return flow.find(given, stops_gradient)


def _optimizer_of(step: Call | Instance) -> Value | None:
    """The optimizer that a training cell is given, or that the class of one gives its base."""
    return argument_of(step, "optimizer") if isinstance(step, Call) else given_to_base(step, "optimizer")


def applies(value: Value) -> bool:
    return isinstance(value, Call) and value.name == "" and value.base is not None and is_layer(value.base)


def _first_met(stops: list[Call], layers: set[int]) -> list[Call]:
    """Those that the results of some of the layers come to without having been stopped before: another one, nearer to the loss, may stop
    what these are only a part of."""
    return [stop for stop in stops if any(layers & reach(part, stop=True)[0] for part in flow.inputs(stop))]


def _nearest(stops: list[Call]) -> list[Call]:
    """Only the one nearest to the loss: what lies behind it does not matter."""
    return stops[:1]


def _given(optimizer: Value) -> list[Value]:
    """What an optimizer is made with, as far as it can hold the list of its parameters."""
    if isinstance(optimizer, Call):
        first = optimizer.args[0] if optimizer.args else optimizer.keywords.get("params")
        return [first] if first is not None else []
    supers = optimizer.supers if isinstance(optimizer, Instance) else []
    return [given for _, args, keywords in supers for given in (*args, *keywords.values())]


def _networks_of(owner: Value) -> list[Value]:
    """The networks whose parameters a loop goes through, given what it yields."""
    return next((networks for part in behind(owner) if (networks := _listed_of(part))), [])


def _is_loss(value: Value) -> TypeGuard[Call]:
    """Whether a loss is computed here."""
    return isinstance(value, Call) and kind(name_of(value)) == "loss" and not value.name.startswith(("@", "["))


def _of_weight(layer: Value, weight: str) -> list[int]:
    """A layer by one of its weights; nothing where it has no such one."""
    return [id(layer)] if isinstance(layer, Call) and weight in matrices(layer) else []


def _cell_of(owner: Value) -> Value | None:
    """The cell of which a switch is about a weight, by its name or in a list of all."""
    if isinstance(owner, Call) and owner.name[:1] == "@":
        return owner.base
    return next(iter(_networks_of(owner)), None)


def _listed_cells(cell: Value | None) -> Call | None:
    """The call that lists the cells which a loop goes through, given one of them."""
    place = cell.args[0] if isinstance(cell, Call) and cell.name == "[]" and cell.args else None
    paired = isinstance(place, KnownValue) and place.value == 1
    turn = cell.base if paired and isinstance(cell, Call) else cell
    of = turn.base if isinstance(turn, Call) and turn.name == ".each" else None
    return of if isinstance(of, Call) and of.name == (".cells_and_names" if paired else ".cells") else None


def _listed_before(store: Store, listing: Call) -> Iterator[Call]:
    """The layers that a loop over cells goes through, as far as they exist when a switch is set in it."""
    for path, leaf in (pair for network in options(listing.base) for pair in leaves(network)):
        if isinstance(leaf, Call) and leaf.order < store.order and not (listing.name == ".cells" and len(path) > 1):
            yield leaf


def _of_kind(store: Store, listing: Call) -> list[int]:
    """The layers that a switch is about in a loop over the cells of a network, which chooses them by their classes; none where it chooses
    otherwise. `cells` lists no cell within another."""
    tests = store.tests[len(listing.tests) :]
    if any(isinstance(node, (ast.Break, ast.Continue)) for loop in store.loops for node in walk(loop)):
        return []
    weight = store.owner.name[1:] if isinstance(store.owner, Call) and store.owner.name[:1] == "@" else ""
    found = []
    for leaf in _listed_before(store, listing):
        # A list of all parameters of what is of another class also has those of cells within it.
        about = weight in matrices(leaf) if weight else all(test.taken for test in tests)
        if about and all(_is_of(test.value, leaf) is test.taken for test in tests):
            found.append(id(leaf))
    return found


def _is_of(test: Value, layer: Call) -> bool | None:
    """Whether a layer is of the class, or of one of those, that isinstance asks for; None for another question, or class."""
    if not isinstance(test, Call) or test.name != "isinstance" or len(test.args) != 2:
        return None
    asked = test.args[1].items if isinstance(test.args[1], Items) else [test.args[1]]
    kinds = [names.canonical(one.name) for one in asked if isinstance(one, NamedValue)]
    known = len(kinds) == len(asked) and all(map(weights, kinds))
    return layer.api in kinds if known else None


def _listed_of(value: Value) -> list[Value]:
    """The networks whose parameters a value lists."""
    return list(options(value.base)) if isinstance(value, Call) and value.name in PARAMETERS else []


def _within(owner: Value, held: list[Call]) -> set[int]:
    """The ids of the layers and parameters whose matrices lie in the part of a list of parameters that a switch is about,
    whether or not layers have biases; none where that cannot be told."""
    cuts = [part for part in behind(owner) if isinstance(part, Call) and takes_part(part)]
    everything = {id(leaf) for leaf in held}
    if not cuts:
        return everything
    chosen = part_of(cuts[0].args[0])
    if len(cuts) > 1 or chosen is None or not is_cut(cuts[0]):
        return set()
    if any(leaf.loops for leaf in held) and not ends_off(chosen):  # made in a loop, it stands for several
        return set()
    left = set[int]()
    for bare in (True, False):
        left |= {leaf for leaf, matrix in left_out_of(_listed_matrices(held, bare), chosen) if matrix}
    return everything - left


def _listed_matrices(held: list[Call], bare: bool) -> list[tuple[int, bool]]:
    """The ids of layers and parameters as a list of weights has them, each with whether it is a matrix; `bare`: without biases."""
    return [(id(leaf), name in matrices(leaf) or not name) for leaf in held for name in listed_weights(leaf, bare=bare)]


def _of_trainable(owner: Value) -> bool:
    return any(isinstance(part, Call) and part.name == ".trainable_params" for part in behind(owner))


def _own_tests(store: Store) -> tuple[Test, ...]:
    """The conditions within the loop over the parameters: which of them are meant."""
    listed = _listing_call(store)
    return store.tests[len(listed.tests) :] if listed is not None else ()


def _passed_over(store: Store) -> tuple[Test, ...]:
    """The conditions that hold within the loop as the others leave its turn before."""
    listed = _listing_call(store)
    return store.left[len(listed.left) :] if listed is not None else ()


def _on_condition(store: Store, on: bool) -> Store:
    """A switch that is set to a condition, where that is what it holds."""
    return replace(store, tests=(*store.tests, Test(store.value, on, store.node)))


def _listing_call(store: Store) -> Call | None:
    """The call that lists the parameters which a loop goes through."""
    return next((p for p in behind(store.owner) if isinstance(p, Call) and p.name in PARAMETERS), None)


def _chosen(store: Store, path: tuple[str, ...], leaf: Call) -> bool | None:
    """Whether the conditions around a switch let it be about the matrices of a layer; None when that cannot be told."""
    tests = (*_passed_over(store), *_own_tests(store))
    if store.loops and any(isinstance(node, ast.Break) for node in walk(store.loops[-1])):
        return None
    if leaf.loops and any(re.search(r"\d", test.text) for test in tests):
        return None  # it stands for several of them, and a number may choose one
    names = [".".join((*path, name)) for name in matrices(leaf)] or [".".join(path)]
    truths = [(holds(test.value, name), test.taken) for name in names for test in tests]
    return None if any(truth is None for truth, _ in truths) else all(truth is taken for truth, taken in truths)


def assigns(call: Call) -> bool:
    return call.api == "ops.assign" or (
        call.name == "" and isinstance(call.base, Call) and call.base.api == "ops.Assign"
    )


def is_setting(value: Value | None) -> bool:
    """Whether a value is a setting of an optimizer, as its learning rate is: an attribute that holds none of its weights."""
    if not isinstance(value, Call) or not value.name.startswith("@") or value.name == "@parameters":
        return False
    return any(kind_of(owner) == "optimizer" for owner in options(value.base))


def _initial(made: Call) -> bool:
    """True for what makes the first values of a weight."""
    return made.api == "initializer" or made.api.startswith("initializer.")


def _is_data(value: Value) -> bool:
    """True for an initial value that is given as numbers rather than as an initialiser, and is not drawn at random."""
    if isinstance(value, Call):
        return not _initial(value) and not _is_drawn(value)
    return not isinstance(value, KnownValue)


def _is_drawn(value: Call) -> bool:
    """Whether numbers are drawn at random, and computed with nothing else but numbers that are no data: nothing is read, nor written
    into them."""
    inside = list(flow.sources(value))
    calls = [part for part in inside if isinstance(part, Call)]
    hidden = any(isinstance(part, UnknownValue) and not part.name for part in inside)
    return not hidden and any(map(is_draw, calls)) and all(not call.fed and _computes(call) for call in calls)


def _computes(call: Call) -> bool:
    """Whether a call gives nothing but what it is given, in another form, or draws."""
    if call.result is not None or is_draw(call) or effect(call) is not None or call.api in ("Tensor", "Parameter"):
        return True
    if call.name.startswith(("numpy.", "math.", "scipy.stats.")):
        return not ARRAYS.search(call.name)
    return (not call.name[:1].isalpha() and not call.name.startswith(".")) or hasattr(builtins, call.name)


def _true(value: Value | None) -> bool:
    return isinstance(value, KnownValue) and bool(value.value)


def _first(value: Value) -> Value:
    return value.items[0] if isinstance(value, Items) and value.items else value


def _text(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 80 else text[:79] + "…"


def _frozen_with(store: Store, switches: Iterable[tuple[Store, bool, list[int]]], again: set[int]) -> dict[int, Store]:
    """What each layer or parameter is frozen by in the same loop, but for those that are unfrozen again."""
    frozen = [(other, meant) for other, on, meant in switches if not on and _together(other, store)]
    return {leaf: other for other, meant in frozen for leaf in meant if leaf not in again}


def _together(one: Store, other: Store) -> bool:
    """True when a loop beyond those over the parameters themselves holds both."""
    outer = {id(loop) for loop in one.loops if not _over_parameters(loop)}
    return any(id(loop) in outer for loop in other.loops if not _over_parameters(loop))


def _over_parameters(loop: ast.AST) -> bool:
    return isinstance(loop, ast.For) and re.search(r"param", ast.unparse(loop.iter)) is not None


def _listed(store: Store) -> tuple[int, str] | None:
    """The line of a loop over trainable_params() with get_parameters() in its place."""
    loop = next((loop for loop in reversed(store.loops) if isinstance(loop, ast.For)), None)
    if loop is None or "trainable_params()" not in store.source.lines[loop.lineno - 1]:
        return None
    return loop.lineno, store.source.lines[loop.lineno - 1].replace("trainable_params()", "get_parameters()")
