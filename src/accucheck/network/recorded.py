"""A network as a recording of accucheck watch has it: cells by name and class, what went in and out, gradients, what was not called."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import ReadError
from ..probes._watched import Watch
from ..probes._watched_networks import WatchedNetworks, number
from ..readers import recordings
from ..readers.recordings import Run
from .stored import kept_beside
from .tree import MAX_WEIGHTS, Builder, Cell, FirstBad, Network, Note, Tensor, Traffic, Weight, in_order, mark_frozen

#: Calls that a pass tells of; what such a one does not tell may still have been called.
_CALLS = 4096
#: Letters of an argument.
_SHOWN = 60


def read(path: Path, name: str) -> Network:
    """The networks of a recording, or of the folder of a watch; `name` is what its path is called. Raises ReadError: no-recordings,
    graph-no-network, and what recordings.read does."""
    watches = []
    for mode, rank, file in recordings.watched(path):
        runs = recordings.read(file).runs if mode in ("user", "pynative") or path.is_file() else []
        watches += [Watch(name, mode, rank, run) for run in runs[-1:]]
    if not watches and path.is_file():  # by a line in one's own loop, under a name of its own
        watches = [Watch(name, "user", 0, run) for run in recordings.read(path).runs[-1:]]
    if not watches:
        raise ReadError("no-recordings", path=name)
    told = [watch for watch in watches if watch.facts("network")]
    if not told:
        raise ReadError("graph-no-network", path=name)
    return _RecordingTree(max(told, key=lambda watch: (_calls(watch.run), not watch.rank))).network


def _calls(run: Run) -> int:
    return sum(len(fact.get("calls") or ()) for fact in run.facts.get("pass", ()))


class _RecordingTree:
    """The tree of one recording."""

    def __init__(self, watch: Watch) -> None:
        self.watch, self.seen = watch, WatchedNetworks(watch)
        self.owners = watch.owners
        self.numbers: dict[int, Cell] = {}  # by the id of the cell
        self.named: dict[tuple[int, str], Cell] = {}  # by network and name
        self.weights: list[Weight] = []
        self.by_id: dict[int, Weight] = {}
        self.firsts: dict[tuple[int, bool], int] = {}  # the pass in which a cell was called first, in training and not
        self.again: dict[int, int] = {}  # networks that are made anew in each call, with the first of them
        self.builder = self._cells()
        self._weights()
        cells, weights = in_order(self.builder.cells, self.weights)
        title = cells[0].label or ", ".join(cell.label for cell in cells if cell.depth == 1) or watch.path
        self.network = Network(title, watch.path, "recording", cells, weights)
        self._traffic()
        self._called()
        self._gradients()
        mark_frozen(self.network)
        self.network.settle()

    def _distinct(self) -> list[int]:
        """The networks that are no part of another and no second wrapping of one; those that train first."""
        held: dict[int, set[int]] = {key: set(one.ids) for key, one in self.seen.networks.items()}
        found = []
        for key in sorted(held, key=lambda key: (key not in self.seen.trained, key)):
            own = held[key]
            within = any(
                own and own <= held[other] and (own != held[other] or other < key) for other in held if other != key
            )
            if self.owners.get(key, key) == key and not within:
                found.append(key)
        first: dict[Any, int] = {}
        for key in found:
            network = self.seen.networks[key]
            if not network.parameters:  # such as a loss that a construct makes: without weights, one is as the other
                made = str(network.cells)
                self.again[key] = first.setdefault((network.kind, made), key)
        return [key for key in found if self.again.get(key, key) == key]

    def _cells(self) -> Builder:
        distinct = self._distinct()
        holding = [key for key in distinct if self.seen.networks[key].parameters]
        several = len(holding or distinct) > 1
        main = (holding or distinct)[0]
        distinct = [main, *(key for key in distinct if key != main)]
        first = self.seen.networks[main]
        builder = Builder(self.watch.path, "" if several else _short(first.kind), "" if several else first.kind)
        for count, key in enumerate(distinct):
            network = self.seen.networks[key]
            own = _short(network.kind)
            clash = sum(_short(self.seen.networks[each].kind) == own for each in distinct) > 1
            own = f"{own}#{count + 1}" if clash else own
            # A loss, for instance, that is a cell of its own stands beside the layers of the only network.
            front = [own] if several else [f"({own})"] if count else []
            for at, (name, kind, place, arguments) in enumerate(network.cells):
                cell = builder.cell([*front, *(name.split(".") if name else [])], kind)
                cell.place = f"{place[0]}:{place[1]}" if place else ""
                cell.arguments = {str(word): str(value)[:_SHOWN] for word, value in list(arguments.items())[:16]}
                self.named[key, name] = cell
                if at < len(network.ids):
                    self.numbers.setdefault(network.ids[at], cell)
        for key, like in self.again.items():
            for name, *_ in self.seen.networks[key].cells:
                self.named[key, name] = self.named[like, name]
        for key, network in self.seen.networks.items():
            for at, (name, *_) in enumerate(network.cells[: len(network.ids)]):
                if network.ids[at] in self.numbers:
                    self.named.setdefault((key, name), self.numbers[network.ids[at]])
        return builder

    def _weights(self) -> None:
        optimizers = {one.number: one.kind.rpartition(".")[2] for one in self.seen.optimizers}
        holders = {
            (key, name): names
            for key, network in self.seen.networks.items()
            for names in network.shared
            for name in names
        }
        first = {key: {held.id: held for held in network.parameters} for key, network in self.seen.networks.items()}
        raw = {
            held.get("id"): held
            for fact in self.watch.facts("network")
            for held in fact.get("parameters") or ()
            if isinstance(held, dict)
        }
        known = [one for one in self.seen.parameters.values() if (one.network, one.layer) in self.named]
        if len(known) > MAX_WEIGHTS:
            raise ReadError("graph-too-large", path=self.watch.path, limit=MAX_WEIGHTS)
        for one in known:
            cell = self.named[one.network, one.layer]
            leaf = one.path.rpartition(".")[2]
            weight = Weight(f"{cell.name}.{leaf}" if cell.name else leaf, tuple(one.shape), one.type, cell.number)
            own = first[one.network][one.id].name if one.id in first.get(one.network, {}) else one.path
            weight.own_name = "" if own == weight.name else own
            weight.trained, weight.state = one.trained, kept_beside(one.path)
            weight.optimizers = [optimizers[key] for key in dict.fromkeys(one.optimizers) if key in optimizers]
            weight.values = tensor(raw.get(one.id, {}))
            shared = holders.get((one.network, one.path), [one.path])
            users = (self.named.get((one.network, name.rpartition(".")[0])) for name in shared)
            weight.users = list(dict.fromkeys(user.number for user in users if user is not None))
            if len(shared) > 1:
                weight.marks.append("shared")
            cell.weights.append(len(self.weights))
            self.by_id[one.id] = weight
            self.weights.append(weight)

    # --- what ran ---------------------------------------------------------------------------------------------------------

    def _passes(self) -> Iterator[tuple[Any, list[tuple[Cell | None, list[Tensor]]]]]:
        """Each pass that was looked at, and its calls of cells of the tree."""
        for one in self.seen.passes:
            calls = []
            for call in self.seen.calls(one):
                cell = None if call.network is None else self.named.get((call.network, call.name))
                calls.append((cell, [found for gave in call.gave if (found := tensor(gave))]))
            yield one, calls

    def _traffic(self) -> None:
        given = {bool(fact.get("training")): fact for fact in reversed(self.watch.facts("given"))}
        for one, calls in self._passes():
            fact = given.get(one.training, {})
            taken = fact.get("calls") or []
            fits = fact.get("step") == one.step and len(taken) == len(calls)
            bad: Cell | None = None
            for at, (cell, gave) in enumerate(calls):
                if cell is None:
                    continue
                inputs = [found for each in taken[at] if (found := tensor(each))] if fits else None
                self._take(cell, one, inputs, gave)
                is_bad = any(each.bad for each in gave)
                if is_bad and (bad is None or bad.number in self.network.above(cell.number)):
                    bad = cell  # a cell is called before those within, which gave it first
            if bad is not None and self.network.first_bad is None:
                self.network.first_bad = FirstBad(bad.number, one.step, one.training)
                bad.marks.append("bad")

    def _take(self, cell: Cell, one: Any, inputs: list[Tensor] | None, gave: list[Tensor]) -> None:
        """One call: the first of its kind is kept, and others of that pass are counted."""
        step = one.step if any(each.bad for each in gave) else None
        for at, known in enumerate(cell.traffic):
            if known.training == one.training:
                times = known.times + (self.firsts[cell.number, one.training] == id(one))
                first = step if known.bad_step is None else known.bad_step
                kept = known.given if known.given is not None else inputs
                cell.traffic[at] = Traffic(one.training, known.step, times, kept, known.gave, first)
                return
        self.firsts[cell.number, one.training] = id(one)
        cell.traffic.append(Traffic(one.training, one.step, 1, inputs, gave, step))

    def _called(self) -> None:
        """Which cells were called, and which never were: the outermost of which none within was either."""
        cells = self.network.cells
        ran = [bool(cell.traffic) for cell in cells]
        for cell in reversed(cells):
            if cell.parent >= 0:
                ran[cell.parent] = ran[cell.parent] or ran[cell.number]
        whole = any(ran) and all(len(one.calls) < _CALLS for one in self.seen.passes)
        used = {weight.cell for key, weight in self.by_id.items() if self._learns(key)}
        for holder in used:  # its weights are reached in another way than by calling it
            for above in self.network.above(holder):
                ran[above] = True
        for cell in cells:
            cell.called = True if cell.traffic else False if whole and not ran[cell.number] else None
            if cell.called is False and cell.parent >= 0 and ran[cell.parent]:
                cell.marks.append("never-called")
        if not any(cell.traffic for cell in cells):
            self.network.notes.append(Note("graph-no-calls", {}))
        elif not whole:
            self.network.notes.append(Note("graph-calls-cut", {"count": _CALLS}))

    def _learns(self, key: int) -> bool:
        return any(norm is not None and norm != 0 for *_, norm in self.seen.norms.get(key, ()))

    def _gradients(self) -> None:
        for key, weight in self.by_id.items():
            norms = self.seen.norms.get(key)
            if not norms:
                continue
            seen = [norm for *_, norm in norms if norm is not None]
            weight.gradient = seen[-1] if seen else None
            if any(not math.isfinite(norm) for norm in seen):
                weight.marks.append("not-finite-gradient")
            if not any(seen):
                weight.marks.append("no-gradient")


def _short(kind: str) -> str:
    return kind.rpartition(".")[2]


def tensor(fact: dict[str, Any]) -> Tensor | None:
    """What a recording says of a tensor; None where that is nothing of the kind."""
    shape, kind = fact.get("shape"), fact.get("type")
    if not isinstance(kind, str) or not isinstance(shape, list) or not all(type(size) is int for size in shape):
        return None
    values = {name: fact.get(name) for name in ("low", "high", "mean", "std", "zero", "bad")}
    known = {name: number(value) for name, value in values.items() if isinstance(value, (int, float, str))}
    return Tensor(tuple(shape), kind, **known)
