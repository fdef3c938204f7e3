"""Networks beside a training that stay as they were made: no optimizer is given their weights, and nothing loads or writes any.

A loss that is computed with one is compared with random numbers; one that is evaluated or saved after training has not learnt anything.
A network that gets the weights of a checkpoint and never runs was to be used, or another one was to get them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from ..knowledge.methods import LOADS, RETURN_SELF
from .analysis import Scripts
from .freezing import FreezeScan, Step, copied, learns, reach, scan_of
from .loading import Loading, Observation, filled, starts_as_made
from .networks import cells, leaves, structure_of
from .values import Call, Frame, Instance, Value, options, unseen, unseen_run

#: A network with fewer layers is a projection, which some leave random on purpose.
LEAST = 2


def examine(scripts: Scripts) -> Iterator[Observation]:
    """What there is to say of such networks in scripts that train and were followed to their end."""
    for reading in scripts.readings:
        scan = scan_of(structure_of(reading))
        if scan.steps and not reading.trace.gave_up and not scan.loads_elsewhere:
            yield from _Networks(Loading(reading), scan).examine()


class _Networks:
    """The networks of one reading beside those that are trained."""

    def __init__(self, loading: Loading, scan: FreezeScan) -> None:
        self.loading, self.scan, self.trace = loading, scan, loading.trace
        self.begin = min(step.order for step in scan.steps)
        self.told: set[int] = set()

    def examine(self) -> Iterator[Observation]:
        if self.trained:
            for net, own in self.others:
                said = self.idle(net) or self.target(net, own) or self.evaluated(net, own) or self.saved(net, own)
                if said is not None and id(own[0]) not in self.told:
                    self.told.update(map(id, own))
                    yield said

    @cached_property
    def trained(self) -> set[int]:
        """The layers that optimizers are given; none where one is given what is not seen."""
        given = [layers for _, layers in self.scan.optimizers]
        return set[int]().union(*given) if all(given) else set()

    @cached_property
    def others(self) -> list[tuple[Instance, list[Call]]]:
        """The networks of which nothing is trained or written, that are only used in ways that are seen; each with its layers, and the one
        with the most first, as it is the whole."""
        found = []
        for cell in cells(self.loading.reading):
            own = [leaf for _, leaf in leaves(cell) if isinstance(leaf, Call) and learns(leaf)]
            apart = len(own) >= LEAST and not self.trained & set(map(id, own)) and not unseen(cell.frame)
            if apart and not any(map(self.scan.is_written, own)) and self.is_seen(cell):
                found.append((cell, own))
        return sorted(found, key=lambda one: -len(one[1]))

    def is_seen(self, net: Instance) -> bool:
        """Whether a network is only run, set, looked at, loaded into, saved, and given to what is followed."""
        return all(self.is_known(user, how) for user, how in self.loading.users.get(id(net), ()))

    def is_known(self, user: Call, how: str) -> bool:
        if how != "base":
            return user.api in (*LOADS, "save_checkpoint") or user.result is not None
        return user.name == "" or user.name in RETURN_SELF or self.loading.only_reads(user)

    # --- what weights it has -------------------------------------------------------------------------------------------

    def fillings(self, own: list[Call]) -> list[Call]:
        """What loads weights that were trained before into layers, or may do so."""
        loads = (call for call in self.trace.calls if call.api in LOADS and not self.copies_first_weights(call))
        return [load for load in loads if any(self.scan.loads_into(load, id(leaf)) for leaf in own)]

    def copies_first_weights(self, load: Call) -> bool:
        """Whether a network gets the weights of others that have not been trained yet, and were loaded nothing either."""
        layers = {id(leaf) for network in copied(load) for _, leaf in leaves(network)}
        filled = (call for call in self.trace.calls if call.api in LOADS and call.order < load.order)
        return (
            bool(layers)
            and load.order < self.begin
            and not any(self.scan.loads_into(call, leaf) for call in filled for leaf in layers)
        )

    def stays_as_made(self, own: list[Call]) -> bool:
        return all(map(starts_as_made, own)) and not self.fillings(own)

    # --- what is done with it ------------------------------------------------------------------------------------------

    def target(self, net: Instance, own: list[Call]) -> Observation | None:
        """A network whose random outputs a loss is computed with."""
        step = next((step for step in self.scan.steps if self.is_target(step, own)), None)
        if step is None or self.has_twin or not self.stays_as_made(own):
            return None
        at = f"{step.source.path}:{getattr(step.node, 'lineno', 1)}"
        return _observation("random-target", net, {"net": net.of.node.name, "at": at})

    @cached_property
    def has_twin(self) -> bool:
        """Whether a network that runs beside one of its own class was told already."""
        return any(True for _ in self.loading.never_filled())

    def is_target(self, step: Step, own: list[Call]) -> bool:
        """Whether a loss is computed with layers that no loss gives a gradient: they are not meant to be trained."""
        layers = set(map(id, own))
        return bool(layers & reach(step.loss, stop=False)[0]) and not layers & self.moved

    @cached_property
    def moved(self) -> set[int]:
        """The layers that a gradient reaches and that are not frozen."""
        reached = (reach(step.loss, stop=True)[0] for step in self.scan.steps)
        return set[int]().union(*reached) - set(self.scan.frozen)

    def evaluated(self, net: Instance, own: list[Call]) -> Observation | None:
        """A network that no loss is computed with, and that runs after something was trained."""
        runs = (run for cell, run in self.loading.evaluated() if cell is net and run.order > self.begin)
        run = next(runs, None)
        if run is None or self.in_losses & set(map(id, own)) or not self.stays_as_made(own):
            return None
        at = f"{run.source.path}:{getattr(run.node, 'lineno', 1)}"
        return _observation("evaluated-untrained", net, {"net": net.of.node.name, "at": at})

    @cached_property
    def in_losses(self) -> set[int]:
        return set[int]().union(*(reach(step.loss, stop=False)[0] for step in self.scan.steps))

    def saved(self, net: Instance, own: list[Call]) -> Observation | None:
        """A network that is saved after something was trained, as if it had learnt."""
        if self.moved & set(map(id, own)):
            return None  # it was to be trained
        for call in self.trace.calls:
            if call.api == "save_checkpoint" and call.order > self.begin and not unseen(call.frame):
                alone = _is_alone(call.argument(["save_obj"], "save_obj"), net)
                if alone and all(load.order < self.begin for load in self.fillings(own)):
                    return Observation("saved-untrained", call.source, call.node, {"net": net.of.node.name}, True)
        return None

    def idle(self, net: Instance) -> Observation | None:
        """A network that is loaded a checkpoint and never runs."""
        loads = [call for call in self.trace.calls if call.api in LOADS and _is_alone(filled(call), net)]
        certain = loads and not any(copied(load) or load.under or unseen(load.frame) for load in loads)
        uses = self.loading.users.get(id(net), ())
        if not certain or self.runs(net) or not all(self.only_sets(user, how) for user, how in uses):
            return None
        return Observation("loaded-idle", loads[0].source, loads[0].node, {"net": net.of.node.name}, True)

    def runs(self, net: Instance) -> bool:
        """Whether a network, or a part of it, is run anywhere."""
        parts = {id(net), *(id(one) for one in self.scan.structure.cells if self.is_part(one, net))}
        return any(id(frame.owner) in parts and self.is_asked_for(frame, parts) for frame in self.trace.frames)

    def is_asked_for(self, frame: Frame, parts: set[int]) -> bool:
        """Whether code of the project runs a method of `parts`, called in sight or not."""
        begin = unseen_run(frame)
        return frame.function.name != "__init__" and (begin is None or id(begin.owner) not in parts)

    def is_part(self, cell: Instance, net: Instance) -> bool:
        inner = {id(leaf) for _, leaf in leaves(cell)}
        return bool(inner) and inner <= {id(leaf) for _, leaf in leaves(net)}

    def only_sets(self, user: Call, how: str) -> bool:
        """Whether a use changes a network or hands it on, and computes nothing with it."""
        return user.api in LOADS or (how == "base" and user.name != "") or (how != "base" and user.result is not None)


def _is_alone(value: Value | None, net: Instance) -> bool:
    """Whether a value is this network and no other."""
    return all(option is net for option in options(value)) and value is not None


def _observation(code: str, net: Instance, data: dict[str, str]) -> Observation:
    assert net.source is not None
    return Observation(code, net.source, net.node or net.of.node, data, likely=True)
