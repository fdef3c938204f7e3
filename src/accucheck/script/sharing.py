"""Which weights of a network are one and the same, and whether that can be meant.

Sharing is told by identity: one object under two names, handed to two places, or put several times into a list. A tie between
an embedding and an output layer is usual, and so is whatever the code itself calls shared. What is wrong is what the code
contradicts: siblings that are one layer, a layer repeated n times, a tie that only copies values or is announced and not made,
layers built anew where a trained network hands its own over, an average of a network that is the network.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import zip_longest
from typing import Any

from .analysis import Scripts
from .effects import bound_arguments
from .freezing import reach
from .models import FORWARD
from .networks import (
    AttributeUses,
    Observation,
    Structure,
    asked,
    base_names,
    comment,
    has_weights,
    inside,
    is_cell,
    is_layer,
    is_loss,
    is_parameter,
    kind,
    kind_of,
    leaves,
    made_by,
    shared_on_purpose,
    structure_of,
    trains,
    uses,
    weights,
)
from .source import Source
from .syntax import conditions_around, stored, walk
from .values import Call, Frame, Function, Instance, Items, KnownValue, Value, frames_around, options

#: So many objects of one network are looked at, on so long ways.
OBJECTS, DEEP = 4000, 12
#: A comment that says that a layer has the weights of an embedding.
_TIED = re.compile(
    r"weights?.{0,60}(same as|shared? with|tied (to|with)|equal to).{0,40}embed|(tie|share)[sd]?\b.{0,40}(embed|weights?)|"
    r"embed.{0,40}(tie|share)[sd]?\b|(共享|绑定|复用).{0,20}(embed|嵌入|词向量|权重)|(embed|嵌入|词向量).{0,20}(共享|绑定|相同|复用)",
    re.I,
)
_UNTIED = re.compile(r"\bnot? (tie|share)|\bun-?tie|without (tying|sharing)|separate|不共享|不绑定|独立", re.I)
_AVERAGE = re.compile(
    r"(^|_)(avg|ema|average[ds]?|target|tgt|teacher|shadow|momentum|slow|moving|mean)(_|$|net|model)|(Ema|Avg|Target|Teacher)",
    re.I,
)
#: What embeddings call the number of their rows.
_SIZES = ("vocab_size", "num_embeddings")
_UPDATES = re.compile(r"ema|update|copy|soft|sync|average|momentum|polyak|blend", re.I)
_ROLES = frozenset({"query", "key", "value", "q", "k", "v"})
_COPIES = re.compile(
    r"\.(asnumpy|copy|clone|value|data|init_data|astype|to_tensor)|Tensor|Parameter|numpy\.(array|copy)|@(data|value)|initializer|"
    r"copy\.(deep)?copy|ops\.(deepcopy|identity)"
)


#: Codes that only tell what is there.
TOLD = ("shared", "tied", "declared-shared")


def examine(scripts: Scripts, declared: list[list[str]] | None = None) -> Iterator[Observation]:
    """What is to say about sharing in all scripts, each place once. `declared`: groups of names of weights that are meant to be
    one each."""
    found: dict[tuple[str, str, int], Observation] = {}
    for reading in scripts.readings:
        look = _Look(structure_of(reading), scripts.sources)
        rules = (
            look.aliases(),
            look.replaced(),
            look.repeated(),
            look.ties(),
            look.announced(),
            look.rebuilt(),
            look.averages(),
            look.tables(),
            look.larger_tables(),
            look.handed(),
            look.against(declared or []),
        )
        for said in (said for rule in rules for said in rule):
            found.setdefault((said.code, said.source.path, said.line), said)
    for said in _copied_on_load(scripts.sources):
        found.setdefault((said.code, said.source.path, said.line), said)
    wrong = {(path, line) for (code, path, line) in found if code not in TOLD}
    for (code, path, line), said in found.items():
        if code not in TOLD or (path, line) not in wrong:
            yield said


class _Look:
    def __init__(self, structure: Structure, sources: list[Source]) -> None:
        self.structure, self.sources = structure, sources
        self.trace = structure.reading.trace
        self.texts: dict[int, AttributeUses] = {}

    def use(self, cell: Instance) -> AttributeUses:
        if id(cell.of) not in self.texts:
            self.texts[id(cell.of)] = uses(cell.of)
        return self.texts[id(cell.of)]

    # --- one object under two names --------------------------------------------------------------------------------

    def is_of_twins(self, cell: Instance) -> bool:
        """Whether a cell is given several inputs of its network, as the towers of a siamese network are: not one and the same twice, and
        nothing that layers have computed."""
        runs = [frame for frame in self.trace.frames if frame.owner is cell and frame.function.name in FORWARD]
        firsts = [next((value for value in run.parameters.values() if value is not cell), None) for run in runs]
        given = {id(value): value for value in firsts if value is not None}
        return len(given) > 1 and not any(reach(value, stop=False)[0] for value in given.values())

    def aliases(self) -> Iterator[Observation]:
        """Two attributes of one cell that are the same layer."""
        for cell in self.structure.cells:
            use = self.use(cell)
            groups: dict[int, list[str]] = defaultdict(list)
            for name, value in cell.attributes.items():
                if (
                    name in use.stored
                    and isinstance(value, (Call, Instance))
                    and not _apart(value)
                    and has_weights(value)
                ):
                    groups[id(value)].append(name)
            for same in groups.values():
                if len(same) < 2:
                    continue
                value = cell.attributes[same[0]]
                first, second = same[0], same[1]
                node, method = use.stored[second]
                statement = _assignment(method.node, node)
                if statement is None:
                    continue
                data = {"first": first, "second": second, "of": cell.of.node.name, "what": _title(value)}
                meant = shared_on_purpose(method.source, statement, _tests(method.node, statement))
                if _called(cell, first) and _called(cell, second) and not meant and made_by(cell, value):
                    beside = isinstance(value, Instance) and self.is_of_twins(value)
                    yield _one_of_two(first, second, method.source, statement, data, beside=beside)
                else:
                    names = [f"self.{first}", f"self.{second}"]
                    yield Observation("shared", method.source, statement, {"names": names, "what": data["what"]})

    def built(self) -> dict[tuple[int, str], Value]:
        """What cells make for themselves in __init__, by the id of the cell and the name it is bound to."""
        found: dict[tuple[int, str], Value] = {}
        made: list[Call | Instance] = [*self.trace.calls, *self.trace.instances]
        for thing in made:
            owner = thing.frame.owner if thing.frame else None
            if isinstance(owner, Instance) and thing.frame and thing.frame.function.name == "__init__":
                for name in thing.bound:
                    found.setdefault((id(owner), name), thing)
        return found

    def homes(self) -> dict[int, list[tuple[Instance, str]]]:
        """The cells that hold a layer or another cell, by the id of that, each with the name that it has there."""
        found: dict[int, list[tuple[Instance, str]]] = defaultdict(list)
        for cell in self.structure.cells:
            for name, value in cell.attributes.items():
                if isinstance(value, (Call, Instance)):
                    found[id(value)].append((cell, name))
        return found

    def replaced(self) -> Iterator[Observation]:
        """A layer that a cell built for itself and that is replaced from outside by one of another cell."""
        built, homes = self.built(), self.homes()
        for cell in self.structure.cells:
            for name, value in cell.attributes.items():
                own = built.get((id(cell), name))
                if own is None or own is value or not isinstance(value, (Call, Instance)):
                    continue
                if not has_weights(own) or not has_weights(value):
                    continue
                others = [(home, other) for home, other in homes[id(value)] if home is not cell]
                if not others or made_by(cell, value):
                    continue
                found = _attribute_set(self.sources, name, others[0][1])
                if found is None:
                    continue
                source, statement = found
                home, other = others[0]
                data = {
                    "first": f"{home.of.node.name}.{other}",
                    "second": f"{cell.of.node.name}.{name}",
                    "what": _title(value),
                }
                usual = kind_of(value) in ("embedding", "dense")
                if usual or shared_on_purpose(source, statement, _tests(source.tree, statement)):
                    yield Observation(
                        "shared", source, statement, {"names": [data["first"], data["second"]], "what": _title(value)}
                    )
                else:
                    yield Observation("replaced-by-another", source, statement, data, certain=False)

    # --- one object several times in a list ---------------------------------------------------------------------------

    def repeated(self) -> Iterator[Observation]:
        for call in self.trace.calls:
            value: Value | None = None
            if call.name == "*" and len(call.args) == 2:
                value = next((arg for arg in call.args if isinstance(arg, Items)), None)
                number = next((arg for arg in call.args if isinstance(arg, KnownValue)), None)
                if number is not None and number.value in (0, 1):
                    continue
                value = value.items[0] if isinstance(value, Items) and len(value.items) == 1 else None
            elif call.name == "comprehension" and call.args and isinstance(call.args[0], (Call, Instance)):
                value = call.args[0] if call.node not in call.args[0].loops else None
                value = value if value is not None and _bare(call.node) else None
            elif kind(call.api) == "container":
                value = _twice(call)
            if (
                value is not None
                and not isinstance(value, KnownValue)
                and _in_network(call.frame)
                and has_weights(value)
            ):
                yield from self.repeated_cells(call, value)
        yield from self.appended()

    def repeated_cells(self, call: Call, value: Value) -> Iterator[Observation]:
        tests = [test.text for test in call.tests] + _holders(call.frame)
        data = {"what": _title(value)}
        if shared_on_purpose(call.source, call.node, tests):
            yield Observation("shared", call.source, call.node, {"names": [_title(value)], "what": _title(value)})
        else:
            yield Observation("repeated", call.source, call.node, data, edit=_comprehension(call))

    def appended(self) -> Iterator[Observation]:
        """A layer made before a loop and appended in each round of it."""
        done: set[int] = set()
        for frame in self.trace.frames:
            function = frame.function.node
            if id(function) in done or isinstance(function, ast.Lambda) or not _in_network(frame):
                continue
            done.add(id(function))
            for loop in (n for n in walk(function) if isinstance(n, ast.For)):
                for node, name in _appends(loop):
                    value = self.appended_value(frame, name, loop) if not _once(loop, node) else None
                    if value is None or value.node in walk(loop) or not has_weights(value):
                        continue
                    tests = [*_tests(function, node), *_holders(frame)]
                    if not shared_on_purpose(frame.function.source, node, tests):
                        yield Observation("repeated", frame.function.source, node, {"what": _title(value)})

    def appended_value(self, frame: Frame, name: str, loop: ast.For) -> Call | Instance | None:
        """The one thing that a name stands for in each round of a loop."""
        if name in stored(loop):
            return None
        return self.bound(frame.function.node, name, loop) or _handed_in(frame, name)

    def bound(self, function: ast.AST, name: str, loop: ast.For) -> Call | Instance | None:
        """What a call within a function made for a name that a loop finds, when that is one thing."""
        made: list[Call | Instance] = [*self.trace.calls, *self.trace.instances]
        found = [v for v in made if name in v.bound and v.frame is not None and v.frame.function.node is function]
        last = max((getattr(v.node, "lineno", 0) for v in found if not _stands_after(v, loop)), default=0)
        latest = [v for v in found if getattr(v.node, "lineno", 0) == last]
        other_way = any(v.tests != v.frame.tests for v in latest if v.frame is not None)
        single = len({id(v.node) for v in found}) == 1
        return latest[0] if latest and (single or not other_way) else None

    # --- ties of weights -----------------------------------------------------------------------------------------------

    def tied(self) -> dict[tuple[int, str], tuple[int, str]]:
        """(layer, weight) -> the (layer, weight) that was put in its place."""
        found = {}
        for store in self.trace.stores:
            origin = _weight_of(store.value)
            if is_layer(store.owner) and origin is not None and store.attribute in _all_weights(store.owner):
                found[id(store.owner), store.attribute] = (id(origin[0]), origin[1])
            elif is_layer(store.owner) and is_parameter(store.value):
                found[id(store.owner), store.attribute] = (id(store.value), "")
        return found

    def ties(self) -> Iterator[Observation]:
        """Weights of one layer that are put, or only copied, into another."""
        for store in self.trace.stores:
            owner = store.owner
            if not is_layer(owner) or store.attribute not in _all_weights(owner) or not isinstance(owner, Call):
                continue
            origin = _weight_of(store.value)
            if origin is not None and origin[0] is not owner:
                data = {"names": [_shown(origin[0], origin[1]), _shown(owner, store.attribute)], "what": owner.api}
                yield Observation("tied", store.source, store.node, data)
            elif (copied := _copied(store.value)) is not None and copied[0] is not owner and _usual(owner, copied[0]):
                yield self.copied_weight(owner, store.attribute, copied, store.source, store.node)
        for call in self.trace.calls:
            if call.name == ".set_data" and call.args and isinstance(call.base, Call):
                target, copied = _weight_of(call.base), _copied(call.args[0]) or _weight_of(call.args[0])
                if (
                    target is not None
                    and copied is not None
                    and copied[0] is not target[0]
                    and _usual(target[0], copied[0])
                ):
                    yield self.copied_weight(target[0], target[1], copied, call.source, call.node)
            elif is_layer(call):
                for weight, argument in weights(call.api).items():
                    given = call.keywords.get(argument) if argument else None
                    copied = _weight_of(given) or _copied(given) if given is not None else None
                    if copied is not None and _usual(call, copied[0]):
                        yield self.copied_weight(call, weight, copied, call.source, call.node)

    def copied_weight(
        self, owner: Call, weight: str, copied: tuple[Call, str], source: Source, node: ast.AST
    ) -> Observation:
        data = {"first": _shown(*copied), "second": _shown(owner, weight)}
        return Observation("tied-by-copy", source, node, data, certain=False, edit=_tie(source, node))

    def announced(self) -> Iterator[Observation]:
        """An output layer whose comment says that it has the weights of an embedding, which it has not."""
        tied = self.tied()
        for root in self.roots():
            layers = [leaf for _, leaf in leaves(root) if isinstance(leaf, Call)]
            tables = [leaf for leaf in layers if kind(leaf.api) == "embedding"]
            for layer in layers:
                if kind(layer.api) != "dense" or (id(layer), "weight") in tied:
                    continue
                if not _announces(layer):
                    continue
                fitting = [t for t in tables if _fits(layer, t) and (id(t), "embedding_table") not in tied]
                if fitting and self.structure.applied.get(id(layer)):
                    table = fitting[0]
                    data: dict[str, Any] = {"path": table.source.path, "line": table.line}
                    data |= {"first": _shown(table, "embedding_table"), "second": _shown(layer, "weight")}
                    yield Observation("announced-not-tied", layer.source, layer.node, data, certain=False)

    # --- networks that are made from networks -----------------------------------------------------------------------------

    def rebuilt(self) -> Iterator[Observation]:
        """Layers that are built anew by a cell that is to carry a trained one on."""
        for cell in self.one_each():
            start = cell.of.find("__init__")
            if not isinstance(start, Function) or isinstance(start.node, ast.Lambda):
                continue
            parameters = [part.arg for part in start.node.args.args]
            for given in parameters[1:]:
                taken, whole, copied = _taken(start.node, parameters[0], given)
                if not taken:
                    continue
                if whole:
                    yield from self.not_taken(cell, start, parameters, given)
                else:
                    yield from self.built_anew(cell, start, parameters, given, taken, copied)

    def one_each(self) -> list[Instance]:
        """One cell of each class."""
        return list({id(cell.of): cell for cell in reversed(self.structure.cells)}.values())

    def built_anew(
        self,
        cell: Instance,
        start: Function,
        parameters: list[str],
        given: str,
        taken: dict[str, str],
        copied: set[str],
    ) -> Iterator[Observation]:
        """The cell takes some layers of the given network, and builds others of the same names and sizes."""
        for old in self.one_each():
            if old.of.node is cell.of.node or not set(taken.values()) <= set(old.attributes):
                continue
            if not any(
                has_weights(old.attributes[name])
                for name in taken.values()
                if not isinstance(old.attributes[name], KnownValue)
            ):
                continue
            fresh = []
            for name, node, call in _built(start.node, parameters[0]):
                alike = _are_alike(cell.attributes.get(name), old.attributes.get(name))
                if alike and _only_from(call, parameters, given, copied):
                    fresh.append((name, node))
            if fresh:
                data = {
                    "of": cell.of.node.name,
                    "given": given,
                    "names": [f"self.{name}" for name, _ in fresh],
                    "taken": [f"self.{name}" for name, other in taken.items() if has_weights(old.attributes[other])],
                }
                yield Observation("built-anew", start.source, fresh[0][1], data, certain=False)
                return

    def idle_ending(self, cell: Instance, name: str) -> Iterator[str]:
        """What a cell holds under the last part of a name, hands on and does not use."""
        use = self.use(cell)
        for held in use.stored:
            if held != name and name.endswith("_" + held) and not asked(use, held) and _handed(cell, held):
                yield held

    def not_taken(self, cell: Instance, start: Function, parameters: list[str], given: str) -> Iterator[Observation]:
        """The cell builds `last_head` while the network that it is given carries a trained `head` that nothing uses."""
        for name, node, call in _built(start.node, parameters[0]):
            if not any(isinstance(n, ast.Name) and n.id == given for n in walk(call)) or name not in cell.attributes:
                continue
            for run in self.trace.frames:
                if run.owner is not cell or run.function.node is not start.node:
                    continue
                for old in options(run.parameters.get(given)):
                    if not isinstance(old, Instance) or not is_cell(old.of):
                        continue
                    for held in self.idle_ending(old, name):
                        if has_weights(cell.attributes[name]):
                            data = {
                                "of": cell.of.node.name,
                                "name": name,
                                "given": given,
                                "kept": held,
                                "old": old.of.node.name,
                            }
                            yield Observation("not-taken-over", start.source, node, data, certain=False)

    def averages(self) -> Iterator[Observation]:
        """A function that keeps an average, or a target, of a network up to date and is given one network twice."""
        for frame in self.trace.frames:
            function = frame.function
            if frame.unseen or (frame.parent is None and isinstance(frame.node, ast.ClassDef)):
                continue
            nets = {
                name: [o for o in options(value) if isinstance(o, Instance) and is_cell(o.of) and has_weights(o)]
                for name, value in frame.parameters.items()
                if value is not frame.owner
            }
            hinted = [name for name, found in nets.items() if found and _AVERAGE.search(name)]
            plain = [name for name, found in nets.items() if found and name not in hinted]
            for one in hinted:
                for other in plain:
                    same = [net for net in nets[one] if any(net is o for o in nets[other])]
                    if same and (_UPDATES.search(function.name) or _writes(function.node)):
                        source, node = self.alias(same[0]) or (frame.source, frame.node)
                        yield Observation(
                            "average-is-network",
                            source,
                            node,
                            {"average": one, "network": other, "function": function.name},
                            False,
                        )

    def alias(self, net: Instance) -> tuple[Source, ast.AST] | None:
        """The statement that binds one name for a network to another."""
        for source in self.sources:
            for node in source.nodes_of(ast.Assign):
                if isinstance(node.value, (ast.Name, ast.Attribute)) and len(node.targets) == 1:
                    target = node.targets[0]
                    text = target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")
                    other = node.value.attr if isinstance(node.value, ast.Attribute) else node.value.id
                    if (
                        _AVERAGE.search(text)
                        and text in net.bound
                        and other in net.bound
                        and not _AVERAGE.search(other)
                    ):
                        return source, node
        return None

    def idle_tables(self, cell: Instance) -> Iterator[tuple[str, Call]]:
        """The embeddings of a cell that nothing asks for."""
        use = self.use(cell)
        for name, value in cell.attributes.items():
            if not (isinstance(value, Call) and kind(value.api) == "embedding") or name not in use.stored:
                continue
            if not (asked(use, name) or name in cell.read or self.structure.applied.get(id(value))):
                yield name, value

    def tables(self) -> Iterator[Observation]:
        """An embedding that is built and not used, while a second one of the same size is handed on in its place."""
        for cell in self.structure.cells:
            held = {id(one) for one in cell.attributes.values()}
            for name, value in self.idle_tables(cell):
                for other in self.trace.calls:
                    if other is value or other.api != value.api or other.frame is not value.frame:
                        continue
                    applied = self.structure.applied.get(id(other)) and id(other) not in held
                    if applied and _given(other) == _given(value):
                        data = {"name": name, "of": cell.of.node.name, "line": value.line}
                        yield Observation("table-twice", other.source, other.node, data, certain=False)

    def larger_tables(self) -> Iterator[Observation]:
        """An embedding as large as the larger of two vocabularies, which looks words of both up: number 7 is a word of either."""
        for table in self.trace.calls:
            if kind(table.api) != "embedding" or not _is_larger_of_two(_size(table)):
                continue
            given = {id(call.args[0]) for call in self.structure.applied.get(id(table), ()) if call.args}
            if len(given) > 1:
                yield Observation("table-of-two", table.source, table.node, {"what": _title(table)}, certain=False)

    # --- what is declared ------------------------------------------------------------------------------------------------

    def handed(self) -> Iterator[Observation]:
        """A layer that one cell hands to another, so that both hold it."""
        homes: dict[int, list[tuple[Instance, str]]] = defaultdict(list)
        for cell in self.structure.cells:
            if not _wrapper(cell):
                for name, value in cell.attributes.items():
                    if is_layer(value) or (is_parameter(value) and not _apart(value)):
                        homes[id(value)].append((cell, name))
        for holders in homes.values():
            classes = {id(cell.of.node) for cell, _ in holders}
            if len(classes) > 1:
                yield from self.instead_of(holders)
                cell, name = holders[-1]
                place = self.use(cell).stored.get(name)
                if place is not None:
                    names = [f"{c.of.node.name}.{n}" for c, n in holders[:4]]
                    data = {"names": names, "what": _title(cell.attributes[name])}
                    yield Observation("shared", place[1].source, place[0], data)

    def instead_of(self, holders: list[tuple[Instance, str]]) -> Iterator[Observation]:
        """A layer that is handed to two cells, while one of its kind that is made beside it goes nowhere."""
        cell, name = holders[-1]
        layer = cell.attributes[name]
        if not isinstance(layer, Call) or cell.node is None or cell.source is None:
            return
        held = {id(part) for one in self.trace.instances for part in one.attributes.values()}
        for other in self.trace.calls:
            beside = other is not layer and other.api == layer.api and other.frame is layer.frame and is_layer(other)
            if beside and other.bound and not self.structure.users.get(id(other)) and id(other) not in held:
                cells = [one.of.node.name for one, _ in holders[:2]]
                data = {"name": other.bound[0], "what": _title(other), "cells": cells, "line": other.line}
                yield Observation("shared-beside-unused", cell.source, cell.node, data, certain=False)

    def roots(self) -> list[Instance]:
        """The outermost cells of networks."""
        cells = [c for c in self.structure.cells if not _wrapper(c) and has_weights(c)]
        held = {id(part) for c in cells for value in c.attributes.values() for part in _all(value)}
        return [c for c in cells if id(c) not in held] or cells[:1]

    def weights(self, root: Instance) -> dict[str, tuple[int, str]]:
        """Full names of all weights of a network -> what they are, ties followed."""
        tied = self.tied()
        found: dict[str, tuple[int, str]] = {}
        queue: list[tuple[tuple[str, ...], Value]] = [((), root)]
        while queue and len(found) < OBJECTS:
            path, value = queue.pop()
            if len(path) > DEEP:
                continue
            if is_parameter(value):
                found[".".join(path)] = (id(value), "")
            elif is_layer(value) and isinstance(value, Call):
                for weight in weights(value.api):
                    key = (id(value), weight)
                    found[".".join((*path, weight))] = tied.get(key, key)
            elif isinstance(value, Instance):
                queue += [((*path, name), held) for name, held in value.attributes.items()]
            else:
                parts = inside(value) or []
                many = isinstance(value, Items) and len(parts) > 1
                queue += [((*path, str(place)) if many else path, part) for place, part in enumerate(parts)]
        return found

    def against(self, declared: list[list[str]]) -> Iterator[Observation]:
        """Groups of weights that are declared to be one."""
        if not declared:
            return
        for root in self.roots():
            names = self.weights(root)
            for group in declared:
                fitting = [[n for n in names if fnmatchcase(n, wanted) or n.endswith("." + wanted)] for wanted in group]
                if not all(fitting):
                    continue
                things = {names[n] for found in fitting for n in found}
                data = {"names": [found[0] for found in fitting]}
                source, node = root.of.source, root.of.node
                yield Observation("declared-shared" if len(things) == 1 else "declared-not-shared", source, node, data)


def _copied_on_load(sources: list[Source]) -> Iterator[Observation]:
    """A dict of loaded weights in which an output layer is given the table of an embedding: equal at the start only."""
    for source in sources:
        for node in source.nodes_of(ast.Assign):
            if len(node.targets) == 1 and isinstance(node.targets[0], ast.Subscript):
                target, value = _key(node.targets[0]), _key(node.value)
                if target.endswith("weight") and value.endswith("embedding_table"):
                    yield Observation("copied-on-load", source, node, {"first": value, "second": target}, certain=False)


# --- helpers ----------------------------------------------------------------------------------------------------------


def _size(table: Call) -> Value | None:
    """What the number of rows of an embedding is given as."""
    bound = bound_arguments(table)
    return next((bound[name] for name in _SIZES if name in bound), None) if bound is not None else None


def _is_larger_of_two(size: Value | None) -> bool:
    """max(a, b) of two that are not written down."""
    given = size.args if isinstance(size, Call) and size.name == "max" else []
    return len(given) > 1 and not any(isinstance(one, KnownValue) and one.assumed is None for one in given)


def _apart(value: Value) -> bool:
    """True for what is not a layer of a network: losses, optimizers, buffers."""
    if is_parameter(value):
        return isinstance(value, Call) and not trains(value)
    return is_loss(value) or kind_of(value) in ("optimizer", "scaler", "schedule", "step")


def _wrapper(cell: Instance) -> bool:
    return is_loss(cell) or any(kind(base) in ("step", "optimizer", "loss") for base in base_names(cell.of))


def _all(value: Value, depth: int = 0) -> Iterator[Value]:
    yield value
    for part in (inside(value) or []) if depth < 6 else []:
        yield from _all(part, depth + 1)


def _are_alike(one: Value | None, other: Value | None) -> bool:
    """Whether two layers with weights are made in the same way."""
    if one is None or other is None or not has_weights(one) or not has_weights(other):
        return False
    return _title(one) == _title(other)


def _announces(layer: Call) -> bool:
    """Whether the comment of a layer says that it has the weights of another."""
    text = comment(layer.source, layer.line, getattr(layer.node, "end_lineno", None))
    return bool(_TIED.search(text)) and not _UNTIED.search(text)


def _title(value: Value) -> str:
    if isinstance(value, Instance):
        return value.of.node.name
    return value.api if isinstance(value, Call) else ""


def _one_of_two(
    first: str, second: str, source: Source, statement: ast.Assign, data: dict[str, Any], *, beside: bool
) -> Observation:
    """What is to say of a layer that two names are used for. Where one statement gives both, `a = b = Layer()`, it may be on purpose; so
    it may where a whole network is used for each of several inputs, `beside` itself."""
    alike, in_one = siblings(first, second), isinstance(statement.value, ast.Call)
    code = "siblings-are-one" if alike else "one-under-two-names"
    return Observation(
        code, source, statement, data, certain=alike and not in_one and not beside, possible=in_one or beside
    )


def _assignment(function: ast.AST, target: ast.AST) -> ast.Assign | None:
    """The statement that assigns a bare name or attribute, not a new object, to a target; also a chain of targets."""
    for node in walk(function):
        if isinstance(node, ast.Assign) and any(part is target for part in node.targets):
            plain = isinstance(node.value, (ast.Name, ast.Attribute)) or len(node.targets) > 1
            return node if plain else None
    return None


def _tests(function: ast.AST, node: ast.AST) -> list[str]:
    """The conditions around a node, and the name of the function that it stands in."""
    return [getattr(function, "name", ""), *map(ast.unparse, conditions_around(function, node))]


def _called(cell: Instance, name: str) -> bool:
    """True when a method other than __init__ asks for an attribute."""
    for part in cell.of.lineage():
        for method in part.attributes.values():
            if not isinstance(method, Function) or method.name == "__init__" or isinstance(method.node, ast.Lambda):
                continue
            first = method.node.args.args[0].arg if method.node.args.args else "self"
            for node in walk(method.node):
                read = isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Load)
                if (
                    read
                    and isinstance(node, ast.Attribute)
                    and isinstance(node.value, ast.Name)
                    and node.value.id == first
                ):
                    return True
    return False


def siblings(one: str, other: str) -> bool:
    """True for the names of query, key and value projections, or of layers told apart by a number."""
    parts, others = (
        re.findall(r"[a-z]+|\d+", re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()) for name in (one, other)
    )
    if len(parts) != len(others):
        return False
    different = [pair for pair in zip(parts, others, strict=True) if pair[0] != pair[1]]
    if len(different) != 1:
        return False
    return {*different[0]} <= _ROLES or all(part.isdigit() for part in different[0])


def _attribute_set(sources: list[Source], name: str, other: str) -> tuple[Source, ast.Assign] | None:
    """The statement x.name = y.other."""
    for source in sources:
        for node in source.nodes_of(ast.Assign):
            if isinstance(node.value, ast.Attribute) and node.value.attr == other:
                for target in node.targets:
                    outside = isinstance(target, ast.Attribute) and ast.unparse(target.value) != "self"
                    if outside and isinstance(target, ast.Attribute) and target.attr == name:
                        return source, node
    return None


def _bare(node: ast.AST) -> bool:
    """True for a comprehension that yields a name which it does not bind."""
    if not isinstance(node, (ast.ListComp, ast.GeneratorExp)) or not isinstance(node.elt, (ast.Name, ast.Attribute)):
        return False
    bound = {n.id for part in node.generators for n in walk(part.target) if isinstance(n, ast.Name)}
    return not any(isinstance(n, ast.Name) and n.id in bound for n in walk(node.elt))


def _twice(container: Call) -> Value | None:
    """Something that a container of cells is given several times."""
    for arg in container.args:
        items = arg.items if isinstance(arg, Items) else [arg]
        seen: set[int] = set()
        for item in items:
            if isinstance(item, (Call, Instance)) and id(item) in seen:
                return item
            seen.add(id(item))
    seen = set()
    for arg in container.args:
        if isinstance(arg, (Call, Instance)) and id(arg) in seen:
            return arg
        seen.add(id(arg))
    return None


def _holders(frame: Frame | None) -> list[str]:
    """The names of the classes that something is made for, with what their docstrings say."""
    found = []
    for one in frames_around(frame):
        if isinstance(one.owner, Instance):
            found += [f"{of.node.name} {ast.get_docstring(of.node) or ''}" for of in one.owner.of.lineage()]
    return found


def _in_network(frame: Frame | None) -> bool:
    owners = (one.owner for one in frames_around(frame))
    cell = next((owner for owner in owners if isinstance(owner, Instance) and is_cell(owner.of)), None)
    return cell is not None and not _wrapper(cell)


def _appends(loop: ast.For) -> Iterator[tuple[ast.Call, str]]:
    """The calls of append within a loop that are given a name."""
    for node in walk(loop):
        appends = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "append"
        if appends and isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Name):
            yield node, node.args[0].id


def _handed_in(frame: Frame, name: str) -> Call | Instance | None:
    """The one thing that a function is given for a parameter, and keeps under its name."""
    value = frame.parameters.get(name)
    return value if isinstance(value, (Call, Instance)) and name not in stored(frame.function.node) else None


def _stands_after(made: Call | Instance, loop: ast.For) -> bool:
    return getattr(made.node, "lineno", 0) > loop.lineno


def _once(loop: ast.For, node: ast.AST) -> bool:
    """True when a condition within the loop lets something be added once, or the loop ends after it."""
    branches = (inner for inner in walk(loop) if isinstance(inner, ast.If))
    if any(part is node for branch in branches for part in walk(branch)):
        return True
    return any(isinstance(part, ast.Break) for part in walk(loop))


def _comprehension(call: Call) -> tuple[int, str] | None:
    """The line with [layer(...) for _ in range(n)] in the place of [layer(...)] * n."""
    node = call.node
    if not isinstance(node, ast.BinOp) or not isinstance(node.left, ast.List) or node.lineno != node.end_lineno:
        return None
    if len(node.left.elts) != 1 or not isinstance(node.left.elts[0], ast.Call):
        return None
    line = call.source.lines[node.lineno - 1]
    if not line.isascii() or node.end_col_offset is None:
        return None
    new = f"[{ast.unparse(node.left.elts[0])} for _ in range({ast.unparse(node.right)})]"
    return node.lineno, line[: node.col_offset] + new + line[node.end_col_offset :]


def _all_weights(value: Value) -> dict[str, str | None]:
    return weights(value.api) if isinstance(value, Call) else {}


def _weight_of(value: Value | None) -> tuple[Call, str] | None:
    """The layer, and the name of its weight, that an attribute stands for."""
    if isinstance(value, Call) and value.name[:1] == "@" and isinstance(value.base, Call) and is_layer(value.base):
        weight = value.name[1:]
        return (value.base, weight) if weight in weights(value.base.api) else None
    return None


def _copied(value: Value | None, depth: int = 0) -> tuple[Call, str] | None:
    """The weight that a value is a copy of."""
    if not isinstance(value, Call) or depth > 8:
        return None
    if not (_COPIES.fullmatch(value.name) or _COPIES.fullmatch(value.api)):
        return None
    for part in (value.base, *value.args[:1]):
        found = _weight_of(part) or _copied(part, depth + 1)
        if found is not None:
            return found
    return None


def _usual(one: Value, other: Value) -> bool:
    """True for an embedding and an output layer, the pair that is tied as a rule."""
    return {kind_of(one), kind_of(other)} == {"embedding", "dense"}


def _shown(layer: Call, weight: str) -> str:
    return f"{next(iter(layer.bound), layer.api)}.{weight}"


def _tie(source: Source, node: ast.AST) -> tuple[int, str] | None:
    """The line x.weight = Parameter(y.embedding_table...) without the copy."""
    line = getattr(node, "lineno", 0)
    statement = next((n for n in source.nodes_of(ast.Assign) if node in n.targets), None)
    if statement is None or statement.lineno != statement.end_lineno or statement.end_col_offset is None:
        return None
    inner = next(
        (n for n in walk(statement.value) if isinstance(n, ast.Attribute) and n.attr in ("embedding_table", "weight")),
        None,
    )
    text = source.lines[line - 1]
    if inner is None or not text.isascii():
        return None
    return line, text[: statement.value.col_offset] + ast.unparse(inner) + text[statement.end_col_offset :]


def _fits(dense: Call, table: Call) -> bool:
    """True when the weight of an output layer has the shape of a table."""
    ins = dense.argument(["in_channels", "out_channels"], "in_channels")
    outs = dense.argument(["in_channels", "out_channels"], "out_channels")
    count = table.argument(["vocab_size", "embedding_size"], "vocab_size")
    size = table.argument(["vocab_size", "embedding_size"], "embedding_size")
    return _equal(ins, size) and _equal(outs, count)


def _equal(one: Value | None, other: Value | None) -> bool:
    if isinstance(one, KnownValue) and isinstance(other, KnownValue):
        return bool(one.value == other.value)
    if one is None or other is None:
        return False
    return one is other or (isinstance(one, Call) and isinstance(other, Call) and _text(one.node) == _text(other.node))


def _text(node: ast.AST) -> str:
    return ast.unparse(node) if isinstance(node, ast.expr) else ""


def _given(call: Call) -> list[str]:
    """The arguments of a call by position: the value of each that is known, and the text of any other."""
    node = call.node
    texts = [ast.unparse(arg) for arg in node.args] if isinstance(node, ast.Call) else []
    values = [repr(value.value) if isinstance(value, KnownValue) else "" for value in call.args]
    return [value or text for value, text in zip_longest(values, texts, fillvalue="")]


def _key(node: ast.AST) -> str:
    """The constant end of a key, as in params["head.weight"] or params[prefix + "head.weight"]."""
    if not isinstance(node, ast.Subscript):
        return ""
    part: ast.AST = node.slice
    while isinstance(part, ast.BinOp):
        part = part.right
    return part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else ""


def _taken(function: ast.AST, self_name: str, given: str) -> tuple[dict[str, str], bool, set[str]]:
    """What an __init__ takes from an object that it is given: attributes (own name -> its name), whether all of it, and the
    attributes of self that hold something of it."""
    taken: dict[str, str] = {}
    whole = False
    assigned = [one for one in walk(function) if isinstance(one, ast.Assign)]
    for node, target in [(one, target) for one in assigned for target in one.targets]:
        own, of_given = _attribute_of(target, self_name), _attribute_of(node.value, given)
        if own is None:
            continue
        whole |= isinstance(node.value, ast.Name) and node.value.id == given
        if of_given is not None:
            taken[own] = of_given
    held = dict(taken)
    for part in walk(function):
        if (name := _attribute_of(part, given)) is not None:
            held.setdefault(name, name)
    return held if whole else taken, whole, set(taken)


def _attribute_of(node: ast.AST, owner: str) -> str | None:
    """The attribute that is asked of a variable; None for anything else."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == owner:
        return node.attr
    return None


def _built(function: ast.AST, self_name: str) -> Iterator[tuple[str, ast.AST, ast.Call]]:
    """Attributes of self that are given the result of a call."""
    for node in walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and len(node.targets) == 1:
            target = node.targets[0]
            if (
                isinstance(target, ast.Attribute)
                and isinstance(target.value, ast.Name)
                and target.value.id == self_name
            ):
                yield target.attr, node, node.value


def _only_from(call: ast.Call, parameters: list[str], given: str, copied: set[str]) -> bool:
    """True when a call's arguments are constants and things of the given network: the sizes are those of the old layer."""
    seen = False
    for arg in (*call.args, *(keyword.value for keyword in call.keywords)):
        for node in walk(arg):
            if isinstance(node, ast.Name) and node.id in parameters[1:] and node.id != given:
                return False
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                if node.value.id == parameters[0] and node.attr not in copied:
                    return False
                seen |= node.value.id == given or node.attr in copied
    return seen


def _handed(cell: Instance, name: str) -> bool:
    """True when a cell only holds an attribute that it took from a network which it was given."""
    start = cell.of.find("__init__")
    if not isinstance(start, Function) or isinstance(start.node, ast.Lambda):
        return False
    parameters = [part.arg for part in start.node.args.args]
    return any(_taken(start.node, parameters[0], given)[0].get(name) == name for given in parameters[1:])


def _writes(function: ast.AST) -> bool:
    """True when a function writes parameters."""
    return any(
        isinstance(node, ast.Attribute) and node.attr in ("set_data", "assign_value", "copy_", "data", "assign")
        for node in walk(function)
    )
