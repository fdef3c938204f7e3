"""What becomes of checkpoints that scripts load: whether they get into a network, into which one, and whether anybody asks
what was not loaded.

A loaded dict is followed forwards through loops, new dicts and functions. Where it is handed to code that is not seen, nothing
is said for sure. What a script loads back after saving it itself fits by construction.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import PurePath
from typing import Any

from ..knowledge import api
from ..knowledge.methods import CELLS, CHECKPOINT_READERS, LOADS, PARAMETERS, RETURN_SELF, WEIGHT_SETTERS
from . import flow, loaded_names
from .analysis import Reading, Scripts
from .effects import bound_arguments
from .grading import Link, replacements, under
from .loaded_names import Passed
from .modes import within
from .networks import cells, is_cell, is_layer, is_parameter, kind, leaves
from .source import Source, SourceNode
from .syntax import ancestors, called_name, walk
from .trace import Store, Trace
from .values import (
    Call,
    Frame,
    Instance,
    Items,
    KnownValue,
    Many,
    Mapping,
    NamedValue,
    Test,
    UnknownValue,
    Value,
    exclusive,
    frames_around,
    is_known,
    options,
    strings_of,
    unseen,
    unseen_run,
)

_NET = ["net", "parameter_dict", "strict_load"]
_LOAD = ["ckpt_file_name", "net", "strict_load", "filter_prefix"]
_SAVE = ["save_obj", "ckpt_file_name"]
_SAVER = ["prefix", "directory", "config"]
#: Python's own functions and methods that only look at a dict, or give another form of it.
_LOOKS = re.compile(
    r"len|list|tuple|dict|set|sorted|reversed|enumerate|zip|iter|next|isinstance|type|hasattr|id|str|repr|print|pprint\.\w+|bool|any|all|sum|"
    r"min|max|comprehension|generator|slice|\[\]|f-string|in|not|not in|(copy|collections)\.\w+|OrderedDict|map|filter|range|filter_dict|"
    r"logging\.\w+|re\.\w+|numpy\.\w+|tqdm(\.\w+)*|\*args|[-+*/%<>=!@]+|neg|(ops|mnp)\.\w+|Tensor|asnumpy|time\.\w+|int|float|\.each"
)
_LOOKING_METHODS = re.compile(
    r"items|keys|values|get|pop|popitem|copy|setdefault|startswith|endswith|replace|split|join|format|strip|lower|upper|"
    r"find|info|debug|warning|error|log|write|shape|asnumpy|astype|reshape|transpose|sum|mean|max|min|size|numel|count|index|sort|"
    r"group|clear|swapaxes|item|data|dtype|name|init_data|clone|value|__contains__|__getitem__"
)
#: Methods that put what they are given into their object.
_PUTS_INTO = re.compile(r"append|extend|update|add|insert|setdefault|appendleft|put")
#: Attributes that hold, or are, parameters.
_HOLDS = re.compile(r"data|default_input|weight|bias|gamma|beta|moving_mean|moving_variance|embedding_table")
#: What asks of a path what it is: the answer that a file gets.
_IS_FILE = {"os.path.isfile": True, "os.path.isdir": False}
#: What makes a list of the names of a dict, or takes some of them.
_LISTS = frozenset(("list", "set", "tuple", "sorted", "filter", "map", "comprehension"))
#: So many cells around a network are looked into: the loss, the step, the wrapper of a project.
WRAPPERS = 4
#: What lists the cells or the parameters of a network.
_WALKS = (*CELLS, *PARAMETERS)
#: What puts values into parameters.
_APPLIES = (*WEIGHT_SETTERS, "ops.Assign", "ops.assign")
_SETS = re.compile(r"set_data|assign_value|copy_|set_param\w*|load_state_dict|load_param\w*|init_data")


@dataclass(frozen=True)
class Observation(SourceNode):
    """One thing about a checkpoint. `likely`: it rests on an option or a default; `also` are other places to show."""

    code: str
    source: Source
    node: ast.AST
    data: dict[str, Any] = field(default_factory=dict)
    likely: bool = False
    also: tuple[tuple[Source, int, int], ...] = ()
    edits: tuple[tuple[int, int, tuple[str, ...]], ...] = ()

    @property
    def last(self) -> int:
        return self.last_line


@dataclass(frozen=True)
class SavedNetworks:
    """A place that saves networks of these classes to a path. `inner`: these, and what they hold as their only cell."""

    call: Call
    path: str | None
    classes: frozenset[tuple[str, str]]
    inner: frozenset[tuple[str, str]]

    def found(self, strict: bool) -> frozenset[tuple[str, str]]:
        """The classes whose weights MindSpore finds in the file."""
        return self.classes if strict else self.inner


@dataclass(frozen=True)
class TrainedWeights:
    """A place that saves what a training has trained: networks of these classes, in a folder, under names with a prefix;
    either is None where it is not seen. `parts`: the texts that the folder is put together of."""

    call: Call
    folder: str | None
    prefix: str | None
    classes: frozenset[tuple[str, str]]
    parts: frozenset[str] = frozenset()


def examine(scripts: Scripts) -> list[Observation]:
    """What is to say about each place that loads a checkpoint or puts one into a network; nothing when there is none."""
    readings = [Loading(reading) for reading in scripts.readings]
    saved = [save for loading in readings for save in loading.saved]
    trained = _trained(readings)
    built = {
        one
        for reading in scripts.readings
        if reading.role == "train"
        for cell in cells(reading)
        for one in classes(cell)
    }
    found: dict[tuple[str, int, str], list[Observation]] = {}
    for loading in readings:
        for said in [*loading.examine(saved, trained), *loading.evaluated_unfilled(built)]:
            about = "load" if said.code in _OF_LOAD else "put"
            found.setdefault((said.source.path, said.line, about), []).append(said)
    return [min(several, key=lambda said: _RANK.index(said.code)) for _, several in sorted(found.items(), key=_place)]


#: What is said about one place when it runs more than once: the first of these. A dict that is put into a network in one of
#: the runs is not lost.
_RANK = [
    "wrong-network",
    "directory",
    "directory-possible",
    "applied",
    "set-one-by-one",
    "set-if-named",
    "overwritten",
    "overwritten-possible",
    "another-object",
    "nothing-loaded",
    "only-output",
    "names-changed",
    "fetched-for-nothing",
    "only-rebound",
    "never-filled",
    "evaluated-unfilled",
    "evaluated-in-part",
    "evaluated-before",
    "own",
    "checked",
    "own-trained",
    "dict-unseen",
    "result-ignored",
    "only-if-asked",
    "never-called",
    "another-class",
    "handed-on",
    "only-read",
    "not-applied",
]
_OF_LOAD = (
    "applied",
    "set-one-by-one",
    "set-if-named",
    "directory",
    "directory-possible",
    "handed-on",
    "only-read",
    "not-applied",
)


def _place(entry: tuple[tuple[str, int, str], list[Observation]]) -> tuple[str, int, str]:
    return entry[0]


def mentions(scripts: Scripts) -> Iterator[tuple[Source, ast.AST]]:
    """The places in the text of the examined files that load a checkpoint, and were not passed over because a settled condition leads
    past them; and those that have a package give a network its published weights."""
    traces = [reading.trace for reading in scripts.readings if not reading.trace.gave_up]
    yield from published(scripts)
    ran = {id(frame.function.node) for trace in traces for frame in trace.frames if not unseen(frame)}
    for source in scripts.sources:
        for node in _loading_in(source):
            around = (
                part
                for part in ancestors(source.tree, node)
                if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef))
            )
            if id(next(around, None)) not in ran:
                yield source, node


def published(scripts: Scripts) -> list[tuple[Source, ast.AST]]:
    """The places that have a package give a network its published weights, in what was followed."""
    traces = [reading.trace for reading in scripts.readings if not reading.trace.gave_up]
    found = {id(call.node): call for trace in traces for call in trace.calls if _is_published(call, trace)}
    return [(call.source, call.node) for call in found.values()]


def _is_published(call: Call, trace: Trace) -> bool:
    """Whether something elsewhere is asked for weights that were trained before."""
    given = call.keywords.get("pretrained")
    if call.result is None and is_known(given, True):
        return True
    held = (value for cell in trace.instances if is_cell(cell.of) for value in cell.attributes.values())
    return call.result is None and call.last == "from_pretrained" and any(call in options(value) for value in held)


def _loading_in(source: Source) -> Iterator[ast.AST]:
    return (node for node in source.nodes_of(ast.Call) if called_name(node) in LOADS)


class Loading:
    """The checkpoints of one reading."""

    def __init__(self, reading: Reading) -> None:
        self.reading, self.trace = reading, reading.trace
        self.loads = [call for call in self.trace.calls if call.api in CHECKPOINT_READERS]
        self.puts = [call for call in self.trace.calls if call.api == "load_param_into_net"]
        self._parts: dict[int, set[int]] = {}

    @cached_property
    def users(self) -> dict[int, list[tuple[Call, str]]]:
        return flow.users(self.trace)

    @cached_property
    def saved(self) -> list[SavedNetworks]:
        found = []
        for call in self.trace.calls:
            if call.api == "save_checkpoint":
                path = call.argument(_SAVE, "ckpt_file_name")
                network = call.argument(_SAVE, "save_obj")
                found.append(
                    SavedNetworks(call, key(path), frozenset(classes(network)), _inner_classes(options(network)))
                )
        return found

    def examine(self, saved: list[SavedNetworks], trained: list[TrainedWeights]) -> Iterator[Observation]:
        origins = {id(put): self.origins(put) for put in self.puts}
        for load in self.loads:
            yield from self.loaded(load, origins)
            net = load.argument(_LOAD, "net")
            if net is not None and not is_known(net, None):
                yield self.put(load, net, [load], saved, trained)
        for put in self.puts:
            net = put.argument(_NET, "net")
            yield self.put(put, net, origins[id(put)], saved, trained)
        yield from self.never_filled()
        yield from self.evaluated_as_made()

    # --- twins that get no weights ------------------------------------------------------------------------------------

    def never_filled(self) -> Iterator[Observation]:
        """A network that runs beside a trained one of its class, where nothing in the script gives any network weights."""
        if self.loads or self.trace.gave_up or any(map(_gives, self.trace.calls)):
            return
        trained = list(self.trained())
        for twin in cells(self.reading):
            origin = next((one for one in trained if one.of.node is twin.of.node and one is not twin), None)
            if origin is None or twin.source is None or unseen(twin.frame) or not self.only_runs(twin):
                continue
            data = {"net": twin.of.node.name, "at": f"{origin.source.path}:{origin.line}" if origin.source else ""}
            yield self.unfilled(twin, origin, data)

    def unfilled(self, twin: Instance, origin: Instance, data: dict[str, str]) -> Observation:
        """Where a network should have got the weights of another, as near as that is seen."""
        fetched, rebound = self.fetched(origin), self.rebound(twin)
        if fetched is not None:
            return Observation("fetched-for-nothing", fetched.source, fetched.node, data, likely=True)
        if rebound is not None:
            named = {**data, "name": rebound.bound[0]}
            return Observation("only-rebound", rebound.source, rebound.node, named, likely=True)
        assert twin.source is not None
        return Observation("never-filled", twin.source, twin.node or twin.of.node, data)

    def evaluated_unfilled(self, built: set[tuple[str, str]]) -> Iterator[Observation]:
        """The network that a script evaluates and nothing in the script gives weights: neither a line that is followed nor one that
        is not, and no training. `built`: the classes that trainings build; a network that is run without a Model must be of these, as
        a script may try a network of its own."""
        if self.reading.role == "train" or self.trace.gave_up or self.may_fill:
            return
        if not all(map(self.in_sight, cells(self.reading))):
            return
        for net, run in self.evaluated():
            evaluates = isinstance(run, Call) or _inner_classes([net]) & built
            if not evaluates or not self.in_sight(net):
                continue
            layers = [leaf for _, leaf in leaves(net)]
            if layers and all(map(starts_as_made, layers)):
                yield Observation("evaluated-unfilled", run.source, run.node, {"net": _called(net)}, likely=True)
                return

    def evaluated_as_made(self) -> Iterator[Observation]:
        """A network that a script evaluates, of which some layers stay as they were made, as weights are loaded into other parts of it
        alone, or all of them, as weights are loaded only afterwards."""
        if self.reading.role == "train" or self.trace.gave_up or not self.only_loads:
            return
        runs: dict[int, list[tuple[Value, Call | Frame]]] = {}
        for net, run in self.evaluated():
            runs.setdefault(id(net), []).append((net, run))
        for of_one in runs.values():
            net, run = max(of_one, key=lambda each: each[1].order)
            if (said := self.as_made(net, run)) is not None:
                yield said
                return

    def as_made(self, net: Value, run: Call | Frame) -> Observation | None:
        """What is wrong with the weights of a network in its last run."""
        named = {id(leaf): ".".join(path) for path, leaf in leaves(net)}
        into = [(call, layers) for call, layers in self.fillings if layers & named.keys()]
        before = set[int]().union(*(layers for call, layers in into if call.order < run.order or unseen(call.frame)))
        left = [leaf for _, leaf in leaves(net) if id(leaf) not in before and self.runs_as_made(leaf)]
        if not left or not into or not self.only_here(left):
            return None
        at = f"{run.source.path}:{getattr(run.node, 'lineno', 1)}"
        put, names = into[0][0], [named[id(leaf)] for leaf in left[:5]]
        data = {"net": _called(net), "part": _called(filled(put)), "layers": names, "at": at}
        code = "evaluated-in-part" if before else "evaluated-before"
        return Observation(code, put.source, put.node, data, likely=True)

    def only_here(self, layers: list[Value]) -> bool:
        """Whether nothing out of sight gets layers, or a cell that holds one of them."""
        around = [cell for cell in cells(self.reading) if any(leaf in layers for _, leaf in leaves(cell))]
        return all(map(self.in_sight, [*layers, *around]))

    @cached_property
    def fillings(self) -> list[tuple[Call, set[int]]]:
        """The calls that put a checkpoint into a network, each with the ids of the layers and parameters of that."""
        calls = [*self.puts, *filter(_fills, self.loads)]
        return [(call, {id(leaf) for one in options(filled(call)) for _, leaf in leaves(one)}) for call in calls]

    @cached_property
    def only_loads(self) -> bool:
        """Whether checkpoints are all that gives networks weights, each of them into what is seen, in code that is followed or not."""
        followed = {id(call.node) for call in self.trace.calls}
        known = {id(call) for call, layers in self.fillings if layers}
        others = any(_gives(call) and id(call) not in known for call in self.trace.calls)
        trains = any(kind(call.api) in ("optimizer", "step") for call in self.trace.calls)
        open_ = others or trains or bool(replacements(self.trace)) or self.loads_unseen(followed)
        return len(known) == len(self.fillings) > 0 and not open_

    def evaluated(self) -> Iterator[tuple[Value, Call | Frame]]:
        """The networks that a script runs itself, or by a Model, each with the place."""
        for call in self.trace.calls:
            net = _evaluated(call)
            if net is not None and not unseen(call.frame):
                yield net, call
        for frame in self.trace.frames:
            cell, around = frame.owner, frames_around(frame.parent)
            if isinstance(cell, Instance) and _is_run(frame) and not unseen(frame) and not any(map(_is_run, around)):
                yield cell, frame

    def runs_as_made(self, layer: Value) -> bool:
        """Whether a layer with weights is applied, and starts from what MindSpore draws."""
        applied = any(how == "base" and user.name == "" for user, how in self.users.get(id(layer), ()))
        return applied and is_layer(layer) and starts_as_made(layer)

    @cached_property
    def may_fill(self) -> bool:
        """True where something of the script gives a network weights, in code that is followed or not, or trains one."""
        if any(_gives(call) or kind(call.api) in ("optimizer", "step") for call in self.trace.calls):
            return True
        return bool(replacements(self.trace)) or any(True for source in self.sources for _ in _loading_in(source))

    def loads_unseen(self, followed: set[int]) -> bool:
        """True where code that is in none of the scripts' runs, whose calls are `followed`, may load weights."""
        return any(id(node) not in followed for source in self.sources for node in _loading_in(source))

    def in_sight(self, net: Value) -> bool:
        """True where a network is only run, set to a mode, built into others, loaded into, and evaluated."""
        uses = [user for user, how in self.users.get(id(net), ()) if how != "base" or user.name not in RETURN_SELF]
        known = ("Model", "load_param_into_net", *CHECKPOINT_READERS)
        return all(user.name == "" or user.api in known or user.api.startswith("nn.") for user in uses)

    def trained(self) -> Iterator[Instance]:
        """The networks whose parameters are given to an optimizer."""
        for call in self.trace.calls:
            given = [*call.args, *call.keywords.values()] if kind(call.api) == "optimizer" else []
            for part in (part for value in given for part in flow.sources(value, stop=_is_object)):
                getter = part.base if isinstance(part, Call) and part.name in _WALKS else None
                yield from (option for option in options(getter) if isinstance(option, Instance))

    def only_runs(self, net: Instance) -> bool:
        """True when a network is run, and nothing else is done with it than to set its mode."""
        uses = [user for user, how in self.users.get(id(net), ()) if how != "base" or user.name not in RETURN_SELF]
        runs = any(f.owner is net and not unseen(f) and f.function.name == "construct" for f in self.trace.frames)
        held = any(is_cell(i.of) and i is not net and _holds(i, net) for i in self.trace.instances)
        return runs and not held and all(user.name == "" or self.only_reads(user) for user in uses)

    def only_reads(self, fetched: Call) -> bool:
        """True where parameters are fetched, walked over and computed with, and nothing that is made of them is kept."""
        if fetched.name not in _WALKS:
            return False
        owners = {id(store.owner) for store in self.trace.stores if store.attribute != "requires_grad"}
        queue: list[Call] = [fetched]
        seen = {id(fetched)}
        while queue:
            part = queue.pop()
            if id(part) in owners or id(part) in self.kept:
                return False
            for user, _ in self.users.get(id(part), ()):
                if user.name not in _READS or _in_place(user):
                    return False
                if id(user) not in seen:
                    seen.add(id(user))
                    queue.append(user)
        return True

    def rebound(self, twin: Instance) -> Call | None:
        """What is computed for a parameter of a network and only takes the name of the loop that walks over these, which leaves the
        parameter what it was."""
        walked = [user for user, how in self.users.get(id(twin), ()) if how == "base" and user.name in _WALKS]
        each = [user for call in walked for user, _ in self.users.get(id(call), ()) if user.name == ".each"]
        computed = [call for call in self.trace.calls if call.name in _COMPUTES and not self.users.get(id(call))]
        return next((call for call in computed if any(_takes_name_of(call, parameter) for parameter in each)), None)

    def fetched(self, net: Instance) -> Call | None:
        """A call that fetches the parameters of a network for nothing."""
        calls = (user for user, how in self.users.get(id(net), ()) if how == "base" and user.name in _WALKS)
        return next((call for call in calls if call.discarded), None)

    def origins(self, put: Call) -> list[Call]:
        """The loads that a dict which is put into a network comes from."""
        given = put.argument(_NET, "parameter_dict")
        return [v for v in flow.sources(given) if isinstance(v, Call) and v.api in CHECKPOINT_READERS]

    # --- what is loaded -----------------------------------------------------------------------------------------------

    def loaded(self, load: Call, origins: dict[int, list[Call]]) -> Iterator[Observation]:
        path = load.argument(_LOAD, "ckpt_file_name")
        yield from self.directory(load, path)
        if _fills(load) or any(load in found for found in origins.values()):
            yield Observation("applied", load.source, load.node)
            return
        kind, place = self.end(load)
        data = {"path": shown(path)}
        if kind == "applied":
            code = "set-if-named" if getattr(place, "tests", ()) else "set-one-by-one"
            yield Observation(code, load.source, load.node, {**data, "at": _stands(place) or _stands(load)})
        elif kind == "handed" or self.trace.gave_up or (blurred := self.blurred(origins, load)) is not None:
            lost = place if kind == "handed" else blurred
            what = lost.last if isinstance(lost, Call) and lost.last else "load_param_into_net"
            yield Observation(
                "handed-on", load.source, load.node, {**data, "function": what, "at": _stands(lost) or _stands(load)}
            )
        elif self.is_only_read(load):
            yield Observation("only-read", load.source, load.node, data)
        else:
            yield Observation("not-applied", load.source, load.node, data, edits=self.insertion(load))

    def is_only_read(self, load: Call) -> bool:
        return not self.has_network or self.names_alone(load)

    def names_alone(self, load: Call) -> bool:
        """Whether a file is loaded for the names in it: they are kept as a list, and nothing asks for a value."""
        uses = [outer for outer in self.outer.get(id(load), ()) if isinstance(outer, Call)]
        names = [use for use in uses if use.name == ".keys" and use.base is load]
        return len(names) == len(uses) and any(self.listed(use) for use in names)

    def listed(self, names: Call) -> bool:
        """Whether a list that is made of names has a name of its own, and so is there for more than to be shown."""
        queue: list[Value] = [names]
        seen: set[int] = set()
        while queue:
            part = queue.pop()
            if id(part) not in seen:
                seen.add(id(part))
                queue += [outer for outer in self.outer.get(id(part), ()) if getattr(outer, "name", "") in _LISTS]
        return any(getattr(part, "bound", None) for part in self.trace.calls if id(part) in seen and part is not names)

    def blurred(self, origins: dict[int, list[Call]], load: Call) -> Call | None:
        """A place after a load that puts a dict into a network, or sets a parameter, of which it is not seen what that is."""
        for put in filter(partial(_may_follow, load), self.puts):
            given = put.argument(_NET, "parameter_dict")
            if origins[id(put)] or unseen(put.frame) or (isinstance(given, Call) and _is_copy(given)):
                continue
            if (
                given is None
                or put.unpacked
                or any(isinstance(v, (UnknownValue, NamedValue, Call)) for v in flow.sources(given))
            ):
                return put
        sets = (call for call in self.trace.calls if _sets_unknown(call) and not unseen(call.frame))
        return next(filter(partial(_may_follow, load), sets), None)

    def empty(self, put: Call) -> bool:
        """True for a dict that nothing was put into: neither a line that is followed, nor code that is not and is given it."""
        given = put.argument(_NET, "parameter_dict")
        if not isinstance(given, Mapping) or given.items or given.fed or put.unpacked or id(given) in self.kept:
            return False
        users = (user for user, how in self.users.get(id(given), ()) if user is not put)
        return all(_LOOKS.fullmatch(user.name) or _LOOKS.fullmatch(user.api) for user in users)

    def unseen_dict(self, put: Call, loads: list[Call]) -> Value | None:
        """What a dict that is put into a network is made of, where no load of it is seen; None where one is."""
        given = put.argument(_NET, "parameter_dict")
        if loads or put.api in CHECKPOINT_READERS or given is None:
            return None
        made = [v for v in flow.sources(given, stop=_is_object) if isinstance(v, Call)]
        return next((v for v in made if not _LOOKS.fullmatch(v.name)), given)

    @cached_property
    def has_network(self) -> bool:
        return any(is_cell(i.of) for i in self.trace.instances) or any(
            call.api == "Model" or (call.api.startswith("nn.") and call.name != "") for call in self.trace.calls
        )

    def end(self, load: Call) -> tuple[str, Value | Store | None]:
        """What finally becomes of a loaded dict: "applied", "handed" to something unseen, or "" when it goes nowhere."""
        queue: list[Value] = [load]
        seen = {id(load)}
        handed: Value | None = None

        def reach(value: Value | None) -> None:
            if value is not None and id(value) not in seen:
                seen.add(id(value))
                queue.append(value)

        while queue:
            value = queue.pop()
            if _is_name(value):
                continue  # what a parameter is called, as for a line of a log
            for outer in self.outer.get(id(value), ()):
                what, place = _given_to(value, outer)
                if what == "applied":
                    return what, place
                if what == "handed":
                    handed = place
                else:
                    reach(place)
            for store in self.stores.get(id(value), ()):
                owner = store.owner
                of_cell = isinstance(owner, Instance) and is_cell(owner.of)
                if _HOLDS.fullmatch(store.attribute) or (is_parameter(value) and of_cell):
                    return "applied", store
                if _belongs(owner, store.attribute):
                    handed = owner
                reach(owner)
            if id(value) in self.kept:
                handed = handed or value
        return ("handed", handed) if handed is not None else ("", None)

    @cached_property
    def outer(self) -> dict[int, list[Value]]:
        """id of a value -> what is made of it, attributes of it among that."""
        trace = self.trace
        queue: list[Value] = [*trace.calls, *(store.value for store in trace.stores)]
        queue += [frame.returned for frame in trace.frames if frame.returned is not None]
        found: dict[int, list[Value]] = {}
        seen: set[int] = set()
        while queue:
            value = queue.pop()
            if id(value) in seen:
                continue
            seen.add(id(value))
            for inner in flow.inputs(value):
                found.setdefault(id(inner), []).append(value)
                queue.append(inner)
        return found

    @cached_property
    def stores(self) -> dict[int, list[Store]]:
        found: dict[int, list[Store]] = {}
        for store in self.trace.stores:
            found.setdefault(id(store.value), []).append(store)
        return found

    @cached_property
    def kept(self) -> set[int]:
        """The ids of what objects keep, and of what is returned to code that is not seen."""
        found: set[int] = set()

        def keep(value: Value | None, depth: int = 0) -> None:
            if value is not None and id(value) not in found:
                found.add(id(value))
                if isinstance(value, (Many, Items, Mapping)) and depth < 4:
                    for part in flow.inputs(value)[:200]:
                        keep(part, depth + 1)

        for instance in self.trace.instances:
            for name, value in instance.attributes.items():
                if name in self.read or instance.of.beyond() or self.users.get(id(instance)):
                    keep(value)
        for frame in self.trace.frames:
            if frame.unseen:
                keep(frame.returned)
        return found

    @cached_property
    def read(self) -> frozenset[str]:
        """The attributes that any file of the project asks for, or has as a text, as for getattr."""
        return frozenset(name for source in self.sources for node in source.nodes for name in _asked(node))

    @property
    def sources(self) -> list[Source]:
        return [self.reading.source, *(s for s in self.reading.project.sources.values() if s is not None)]

    def directory(self, load: Call, path: Value | None) -> Iterator[Observation]:
        """A path that is the directory which checkpoints are saved to."""
        if not isinstance(path, KnownValue) or not isinstance(path.value, str) or _known_as_file(load, path):
            return
        text, data = path.value, {"path": path.value}
        if path.assumed is None:
            if _is_directory(text):
                if _past_by_default(load) is None:  # else nothing is loaded as things stand
                    yield Observation("directory", load.source, load.node, data)
            elif not PurePath(text).suffix and (saver := self.saver(text, None)) is not None:
                yield Observation("directory", load.source, load.node, data, also=(_span(saver),))
        elif path.name and (saver := self.saver(text, path.name)) is not None and not exclusive(load, saver):
            unsure = bool(load.tests) or unseen(load.frame)
            code = "directory-possible" if unsure else "directory"
            data = {"path": path.name if text == "" else f"{path.name}={text!r}"}
            yield Observation(code, load.source, load.node, data, likely=True, also=(_span(saver),))

    def saver(self, text: str, option: str | None) -> Call | None:
        """The ModelCheckpoint that saves to a directory, by its constant or by the option that tells it."""
        for call in self.trace.calls:
            if call.api == "train.ModelCheckpoint":
                directory = call.argument(_SAVER, "directory")
                if isinstance(directory, KnownValue) and isinstance(directory.value, str):
                    same = os.path.normpath(directory.value or ".") == os.path.normpath(text or ".")
                    named = option is None or (directory.assumed is not None and directory.name == option)
                    if same and named:
                        return call
        return None

    # --- what it is put into ------------------------------------------------------------------------------------------

    def put(
        self,
        call: Call,
        net: Value | None,
        loads: list[Call],
        saved: list[SavedNetworks],
        trained: list[TrainedWeights],
    ) -> Observation:
        data = {"net": _called(net)}

        def say(
            code: str, likely: bool = False, also: tuple[tuple[Source, int, int], ...] = (), **more: Any
        ) -> Observation:
            return Observation(code, call.source, call.node, {**data, **more}, likely, also)

        if call.api == "load_param_into_net" and self.empty(call):
            return say("nothing-loaded")
        if (left := self.let_through(call, net)) is not None:
            layer = None if left.everything else loaded_names.only_output(left)
            if left.everything or layer is not None:
                at = ((call.source, getattr(left.by, "lineno", call.line), getattr(left.by, "end_lineno", call.line)),)
                return say("nothing-loaded" if left.everything else "only-output", not left.everything, at, layer=layer)
        if (again := self.overwritten(call, net)) is not None:
            sure = (
                not call.tests
                and all("isinstance" in test.text for test in again.tests)
                and not _head_alone(again, net)
            )
            return say("overwritten" if sure else "overwritten-possible", also=(_span(again),), line=again.line)
        if (other := self.another(call, net)) is not None:
            at = ((other[0], other[1], other[1]),)
            return say("another-object", isinstance(net, Call), at, line=other[1])
        own = self.own(net, loads, saved, _is_strict(call))
        if own is not None:
            code, path, save = own
            if code != "own":
                return say(code, also=(_span(save),), path=path, line=save.line, saved=", ".join(_names(save)))
            if (added := _added_to_names(call)) is not None:
                return say("names-changed", path=path, added=added, likely=True)
            return say("own", path=path)
        if call.api == "load_param_into_net" and self.asked(call):
            lost = self.unseen_dict(call, loads)
            return say("checked") if lost is None else say("dict-unseen", at=_stands(lost) or _stands(call))
        code, more = self.unasked(call, net, loads, trained)
        return say(code, **more)

    def unasked(
        self, call: Call, net: Value | None, loads: list[Call], trained: list[TrainedWeights]
    ) -> tuple[str, dict[str, Any]]:
        """The finding about a call that loads weights into a network and whose list of unloaded parameters is never read."""
        fits = self.own_trained(call, net, loads, trained)
        if fits is not None:
            return "own-trained", {"at": _stands(fits.call)}
        asked = _past_by_default(call)
        if asked is None and (name := self.uncalled(call)) is not None:
            return "never-called", {"function": name}
        if asked is None:
            return "result-ignored", {}
        return "only-if-asked", {"condition": asked.text if asked.taken else f"not ({asked.text})"}

    def uncalled(self, call: Call) -> str | None:
        """The function around a call that nothing of the project mentions, in code that is followed or not."""
        run = unseen_run(call.frame)
        if run is None or run.function.name.startswith("__") or getattr(run.function.node, "decorator_list", None):
            return None
        name, of = run.function.name, run.owner.of if isinstance(run.owner, Instance) else None
        by_others = of is not None and bool(of.beyond())  # a callback's methods, a data set's
        named = (node.id for source in self.sources for node in source.nodes_of(ast.Name))
        return None if by_others or name in self.read or name in named else name

    def let_through(self, put: Call, net: Value | None) -> Passed | None:
        """What a script lets through of a checkpoint by the names of the network's parameters, where nothing else gives it weights."""
        network, node = _whole(net), put.node
        given = _given_dict(node) if isinstance(node, ast.Call) else None
        others = any(one.node is not node and _gives(one) for one in self.trace.calls)
        if network is None or given is None or others or not isinstance(node, ast.Call):
            return None
        function = put.frame.function.node if put.frame is not None else put.source.tree
        loads = {id(call.node) for call in self.trace.calls if call.api in CHECKPOINT_READERS}
        return loaded_names.passed(function, node, given, network, loads)

    def own(
        self, net: Value | None, loads: list[Call], saved: list[SavedNetworks], strict: bool
    ) -> tuple[str, str, Call] | None:
        """Whether what is loaded was saved by these scripts themselves, and from the same kind of network."""
        wanted = classes(net)
        for load in loads:
            path = load.argument(_LOAD, "ckpt_file_name")
            text = key(path)
            fitting = _saved_to(path, saved)
            if not fitting:
                continue
            if not wanted or any(not save.classes for save in fitting):
                return None
            if any(wanted & save.found(strict) for save in fitting):
                return "own", shown(path), fitting[0].call
            elsewhere = any(save.path not in (None, text) and wanted & save.classes for save in saved)
            certain = elsewhere and isinstance(path, KnownValue)
            return "wrong-network" if certain else "another-class", shown(path), fitting[0].call
        return None

    def own_trained(
        self, call: Call, net: Value | None, loads: list[Call], trained: list[TrainedWeights]
    ) -> TrainedWeights | None:
        """The training of this project that has made what an evaluation loads into the same kind of network: the names fit then."""
        wanted = classes(net)
        if self.reading.role == "train" or not wanted or not loads or _added_to_names(call) is not None:
            return None
        if any(self.held(one, before=call.order) for one in options(net) if isinstance(one, Instance)):
            return None
        if _is_strict(call):
            return None
        paths = [load.argument(_LOAD, "ckpt_file_name") for load in loads]
        return next((one for one in trained if wanted <= one.classes and all(_made_by(one, p) for p in paths)), None)

    def trained_anew(self) -> Iterator[TrainedWeights]:
        """What a training saves of the networks that it trains."""
        models = [call for call in self.trace.calls if call.api == "Model" and not unseen(call.frame)]
        nets = [option for call in models for option in options(call.argument(["network"], "network"))]
        of = _inner_classes(nets)
        for call in self.trace.calls:
            if of and call.api == "train.ModelCheckpoint":
                folder, prefix = (key(call.argument(_SAVER, name)) for name in ("directory", "prefix"))
                yield TrainedWeights(call, folder, prefix, of)
        yield from (_saved_anew(save) for save in self.saved if save.inner and not unseen(save.call.frame))

    def held(self, net: Instance, before: int) -> bool:
        """Whether a cell of the project has a network as a part by then, which changes the names of its parameters."""
        return any(_around(holder, net) and holder.order < before for holder in self.trace.instances)

    def asked(self, call: Call) -> bool:
        """True when something asks what was not loaded: prints it, tests it, returns it."""
        if call.discarded:
            return False
        queue: list[Value] = [call]
        while queue:
            value = queue.pop()
            if id(value) in self.tested or id(value) in self.kept:
                return True
            for user, _ in self.users.get(id(value), ()):
                if user.name != "[]":
                    return True
                queue.append(user)
        function = call.frame.function.node if call.frame else call.source.tree
        bound = {name for part in (call, *(u for u, _ in self.users.get(id(call), ()))) for name in part.bound}
        return any(
            isinstance(n, ast.Name) and n.id in bound and isinstance(n.ctx, ast.Load) and n.lineno >= call.line
            for n in walk(function)
        )

    @cached_property
    def tested(self) -> set[int]:
        tests = [t for call in self.trace.calls for t in call.tests] + [t for f in self.trace.frames for t in f.tests]
        return {id(test.value) for test in tests}

    def overwritten(self, put: Call, net: Value | None) -> Call | None:
        """A loop over the same network that gives its weights new values after they were loaded."""
        nets = {id(option) for option in options(net) if isinstance(option, Instance)}
        if not nets:
            return None
        for call in self.trace.calls:
            if not _sets_after(call, put):
                continue
            looped = flow.find(call.base, lambda made: made.name in _WALKS, stop=lambda v: isinstance(v, Instance))
            if looped is None or looped.base is None or not ({id(o) for o in options(looped.base)} & nets):
                continue
            fresh = flow.find(call.args[0], _random, stop=lambda v: isinstance(v, Instance))
            old = flow.find(
                call.args[0], lambda made: made.api in CHECKPOINT_READERS, stop=lambda v: isinstance(v, Instance)
            )
            if fresh is not None and old is None and not _picks(call, looped) and _is_weight(call.base):
                return call
        return None

    def another(self, put: Call, net: Value | None) -> tuple[Source, int] | None:
        """The place of another object of the same class that is used instead of the one with the loaded weights."""
        if isinstance(net, Call) and not unseen(put.frame):
            return self.another_made(put, net)
        if not isinstance(net, Instance) or net.node is None or self.used(net):
            return None
        if unseen(put.frame):
            return None
        for other in self.trace.instances:
            same = other.of.node.name == net.of.node.name and other.of.source.path == net.of.source.path
            seen = not isinstance(other.node, ast.ClassDef) and other.source is not None
            if same and other is not net and seen and self.used(other, put) and not self.is_filled(other, put):
                assert other.source is not None
                return other.source, other.line
        return None

    def another_made(self, put: Call, net: Call) -> tuple[Source, int] | None:
        """As of another, where the object is made within the call that puts weights into it, by what is not seen to keep it."""
        within = any(part is net.node for part in ast.walk(put.node))
        if not within or net.name[:1] in ("", ".", "@", "["):
            return None
        others = (call for call in self.trace.calls if call.name == net.name and call.node is not net.node)
        used = (call for call in others if self.users.get(id(call)) and not self.is_filled(call, put))
        return next(((call.source, call.line) for call in used), None)

    def is_filled(self, other: Value, put: Call) -> bool:
        """Whether another object gets weights of its own, from a checkpoint or from this network."""
        given = [call.argument(_NET, "net") for call in self.puts if call is not put]
        given += [load.argument(_LOAD, "net") for load in self.loads]
        return any(option is other for value in given for option in options(value))

    def parts(self, net: Instance) -> set[int]:
        """A network and the cells within it, by id: who runs net.backbone uses what was loaded into net."""
        if id(net) not in self._parts:
            self._parts[id(net)] = set(within(net))
        return self._parts[id(net)]

    def runs(self, net: Instance, since: int) -> bool:
        """Whether a network, or a part of it, is run after a moment."""
        parts = self.parts(net)
        calls = (call for part in parts for call, how in self.users.get(part, ()) if how == "base" and call.name == "")
        frames = (
            frame
            for frame in self.trace.frames
            if id(frame.owner) in parts and not _is_making(frame) and not _is_uncalled(frame, parts)
        )
        return any(
            call.order > since and not unseen(call.frame) and not _is_making(call.frame) for call in calls
        ) or any(frame.order > since for frame in frames)

    def used(self, net: Instance, put: Call | None = None) -> bool:
        """True when a network is run, or given to anything; after a call, when one is given."""
        since = put.order if put is not None else -1
        for call, how in self.users.get(id(net), ()):
            quiet = how == "base" and call.name in RETURN_SELF
            if call.order > since and not quiet and call.api not in ("load_param_into_net", "print", "len"):
                return True
        if self.runs(net, since):
            return True
        if put is not None:
            return False
        tops = (frame for frame in self.trace.frames if frame.parent is None)
        return id(net) in self.kept or any(_holds(frame.returned, net) for frame in tops)

    # --- the mend -----------------------------------------------------------------------------------------------------

    def insertion(self, load: Call) -> tuple[tuple[int, int, tuple[str, ...]], ...]:
        """The line that puts a loaded dict into the one network made beside it."""
        function: ast.AST = load.frame.function.node if load.frame else load.source.tree
        block, place = _block(function, load.node)
        statement = block[place] if block else None
        if not isinstance(statement, ast.Assign) or statement.value is not load.node or len(statement.targets) != 1:
            return ()
        if self.outer.get(id(load)):  # something else is made of it, which may be what was meant
            return ()
        target = statement.targets[0]
        nets = [
            (after, i)
            for i in self.trace.instances
            if i.frame is load.frame and is_cell(i.of) and i.node is not None
            for after, made in enumerate(block)
            if isinstance(made, ast.Assign) and made.value is i.node and isinstance(made.targets[0], ast.Name)
        ]
        if not isinstance(target, ast.Name) or len(nets) != 1 or not isinstance(load.node, ast.Call):
            return ()
        after, _ = nets[0]
        made = block[after]
        assert isinstance(made, ast.Assign) and isinstance(made.targets[0], ast.Name)
        function_name = ast.unparse(load.node.func)
        if not function_name.endswith("load_checkpoint"):
            return ()
        put = function_name.removesuffix("load_checkpoint") + "load_param_into_net"
        known = any(
            alias.name == put and not alias.asname
            for imported in load.source.nodes_of(ast.ImportFrom)
            for alias in imported.names
        )
        if "." not in put and not known:
            return ()
        last = block[max(after, place)].end_lineno or load.line
        first = load.source.lines[statement.lineno - 1]
        indent = first[: len(first) - len(first.lstrip())]
        return ((last + 1, last, (f"{indent}{put}({made.targets[0].id}, {target.id})",)),)


def _is_uncalled(frame: Frame, parts: set[int]) -> bool:
    """Whether a run belongs to a method of these objects that nothing calls."""
    run = unseen_run(frame)
    return run is not None and id(run.owner) in parts


def _is_making(frame: Frame | None) -> bool:
    """Whether a run belongs to the making of an object, such as one that sets its first weights."""
    return any(one.function.name == "__init__" for one in frames_around(frame))


#: Sums and products, and what walks over parameters.
_COMPUTES = ("+", "-", "*", "/")
_READS = (*_COMPUTES, ".each", "zip", "enumerate", "list", "len")


def _is_directory(path: str) -> bool:
    return path.endswith(("/", "\\")) or path in (".", "..")


def _past_by_default(call: Call) -> Test | None:
    """The condition that leads past a call while options and configuration files are left as they are; None where none does."""
    around = [*call.under, *(test for frame in frames_around(call.frame) for test in frame.under)]
    return next((test for test in around if under((test,)) is Link.ELSEWHERE), None)


def _saved_to(path: Value | None, saved: list[SavedNetworks]) -> list[SavedNetworks]:
    """The places that save to a path that is put together alike, or to the very one that a load is given, such as that of the best epoch,
    which a function returns."""
    text = key(path)
    if text is not None and (alike := [save for save in saved if save.path == text]):
        return alike
    given = [option for option in options(path) if not is_known(option, None)]
    ways = [[save for save in saved if save.call.argument(_SAVE, "ckpt_file_name") is option] for option in given]
    return [save for way in ways for save in way] if all(ways) else []


def _trained(readings: list[Loading]) -> list[TrainedWeights]:
    """What the trainings of a project save, where all that they run and that loads weights was followed."""
    trainings = [loading for loading in readings if loading.reading.role == "train"]
    followed = {id(call.node) for loading in readings for call in loading.trace.calls}
    if any(loading.trace.gave_up or loading.loads_unseen(followed) for loading in trainings):
        return []
    return [one for loading in trainings if loading.reading.view == "train" for one in loading.trained_anew()]


def _saved_anew(save: SavedNetworks) -> TrainedWeights:
    path = save.call.argument(_SAVE, "ckpt_file_name")
    folders = (os.path.normpath(os.path.dirname(text)) for text in _texts(path))
    folder = next((one for one in folders if re.search(r"\w{3}", one)), None)
    return TrainedWeights(save.call, folder, None, save.inner, _folder_parts(path))


def _is_strict(put: Call) -> bool:
    """Whether MindSpore is told not to look for the names under another beginning."""
    strict = put.argument(_LOAD if put.api in CHECKPOINT_READERS else _NET, "strict_load")
    return is_known(strict, True)


def _inner_classes(nets: Iterable[Value]) -> frozenset[tuple[str, str]]:
    """The classes of networks, and of what they hold as their only cell."""
    return frozenset(found for net in nets for inner in _only_parts(net) for found in classes(inner))


def _only_parts(net: Value) -> Iterator[Value]:
    """A network, and what it holds as its only cell, and that in turn. MindSpore finds the weights of these in the file of the whole:
    it takes the part of the names that comes before off, if all have it."""
    yield net
    for _ in range(WRAPPERS):
        held = {id(part): part for part in _held_cells(net)}
        if len(held) != 1:
            return
        net = next(iter(held.values()))
        yield net


def _held_cells(net: Value) -> Iterator[Value]:
    """The cells and layers with weights that a cell of the project has as parts."""
    for value in net.attributes.values() if isinstance(net, Instance) and is_cell(net.of) else ():
        yield from (option for option in options(value) if is_layer(option) or _has_weights(option))


def _has_weights(part: Value) -> bool:
    return isinstance(part, Instance) and is_cell(part.of) and any(True for _ in leaves(part))


def _folder_parts(path: Value | None) -> frozenset[str]:
    """The texts that the folder of a path is put together of, as far as they are words."""
    return frozenset(text for text in _texts(path) if re.search(r"\w{3}", text) and not PurePath(text).suffix)


def _around(holder: Instance, net: Instance) -> bool:
    """Whether a cell of the project has a network as a part."""
    return holder is not net and is_cell(holder.of) and any(_holds(each, net) for each in holder.attributes.values())


def _made_by(training: TrainedWeights, path: Value | None) -> bool:
    """Whether a path can be that of what a training saved: it names its folder or its prefix, or is given when the script is called."""
    texts = [text for text in _texts(path) if re.search(r"[/\\.]", text)]
    if not texts or _is_put_together_of(training.parts, path) or _is_asked_for(path):
        return True
    named = [os.path.normpath(text) for text in texts]
    in_folder = any(text.startswith(training.folder) for text in named if training.folder)
    return in_folder or any(PurePath(text).name.startswith(training.prefix) for text in named if training.prefix)


def _is_asked_for(path: Value | None) -> bool:
    """Whether an option or a configuration says where a file lies, or the folder that it is sought in."""
    parts = flow.sources(path) if path is not None else []
    return any(isinstance(part, KnownValue) and part.assumed in ("argparse", "config") for part in parts)


def _is_put_together_of(parts: frozenset[str], path: Value | None) -> bool:
    return bool(parts) and parts <= {*_texts(path)}


def _texts(path: Value | None) -> list[str]:
    """The texts that a path is put together of."""
    inner = flow.sources(path) if path is not None else []
    return strings_of(inner)


def _added_to_names(put: Call) -> str | None:
    """The text that every name of a loaded dict gets before it is put into a network, where no parameter is found by such names:
    one behind the names, or one before them under strict_load, as MindSpore else tries again without it."""
    given = put.argument(_NET, "parameter_dict")
    made = given.args[1] if isinstance(given, Call) and given.name == "comprehension" and len(given.args) == 3 else None
    if not isinstance(made, Call) or made.name != "+" or len(made.args) != 2:
        return None
    before, behind = made.args
    if isinstance(behind, KnownValue) and _is_name(before):
        return str(behind.value)
    return str(before.value) if _is_strict(put) and isinstance(before, KnownValue) and _is_name(behind) else None


def _is_name(value: Value) -> bool:
    """True for what a loop yields as the names of a loaded dict: over its items, its keys, or itself."""
    place = value.args[0] if isinstance(value, Call) and value.name == "[]" and value.args else None
    turn = value.base if isinstance(value, Call) and isinstance(place, KnownValue) and place.value == 0 else value
    over = turn.base if isinstance(turn, Call) and turn.name == ".each" else None
    of = over.base if isinstance(over, Call) and over.name == (".items" if turn is not value else ".keys") else over
    return isinstance(of, Call) and of.api in CHECKPOINT_READERS


def _given_dict(node: ast.Call) -> ast.expr | None:
    """What load_param_into_net is given as the dict."""
    named = next((keyword.value for keyword in node.keywords if keyword.arg == "parameter_dict"), None)
    return node.args[1] if named is None and len(node.args) > 1 else named


def _whole(net: Value | None) -> Value | None:
    """The one network that is loaded into."""
    found = options(net)
    return found[0] if len(found) == 1 and isinstance(found[0], (Instance, Call)) else None


def _evaluated(call: Call) -> Value | None:
    """The network that a call evaluates by the Model that it was given to."""
    model = call.base if call.name in (".eval", ".predict") and isinstance(call.base, Call) else None
    return model.argument(["network"], "network") if model is not None and model.api == "Model" else None


def _is_run(frame: Frame) -> bool:
    """Whether a frame is that of a network's forward computation."""
    return isinstance(frame.owner, Instance) and is_cell(frame.owner.of) and frame.function.name == "construct"


def starts_as_made(layer: Value) -> bool:
    """True for a layer of MindSpore that starts from its own initialisers or from named ones, not from numbers that come from elsewhere."""
    known = api.find(layer.api) if isinstance(layer, Call) else None
    bound = bound_arguments(layer) if isinstance(layer, Call) else None
    if known is None or bound is None:
        return False
    given = [bound[initial] for initial in known.weights.values() if initial in bound]
    return all(
        isinstance(one, KnownValue) or (isinstance(one, Call) and kind(one.api) == "initializer") for one in given
    )


def _belongs(owner: Value, attribute: str) -> bool:
    """Whether what is stored there becomes part of an object, or of what is not seen."""
    return attribute != "[]" or getattr(owner, "name", "")[:1] == "@" or isinstance(owner, UnknownValue)


def _given_to(value: Value, outer: Value) -> tuple[str, Value | None]:
    """What becomes of a loaded dict, or of a part of it, where it is part of another value: "applied", "handed" to what is not
    seen, or "on" with what then holds it."""
    if isinstance(outer, Instance):
        return ("applied", value) if is_parameter(value) and is_cell(outer.of) else ("handed", outer)
    if not isinstance(outer, Call):
        return "on", outer
    name, of_base = outer.name, outer.base is value
    method = name[1:] if name[:1] == "." else ""
    if _operator_of(outer) in _APPLIES or (_SETS.fullmatch(method) and not of_base):
        return "applied", outer
    if _PUTS_INTO.fullmatch(method):
        return "on", outer.base
    if outer.api == "Parameter" or (_is_copy(outer) and not of_base):
        return "on", outer  # no more than a tensor until a cell has it, no more than a dict until a cell gets it
    return "on" if _only_looks(outer, method) else "handed", outer


def _operator_of(call: Call) -> str:
    """The API that a call applies, as a function or as an object."""
    return call.base.api if call.name == "" and isinstance(call.base, Call) else call.api


def _only_looks(call: Call, method: str) -> bool:
    """Whether a call does no more than look at what it is given."""
    if call.name[:1] == "@" or _LOOKING_METHODS.fullmatch(method):
        return True
    return bool(_LOOKS.fullmatch(call.name) or _LOOKS.fullmatch(call.api))


def _is_copy(made: Call) -> bool:
    """True for the dict of its parameters that a network makes at each call: what is put into the dict does not reach the network."""
    return made.name == ".parameters_dict"


def _asked(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        yield node.attr
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def _gives(call: Call) -> bool:
    """True for what may give weights to a network: it loads, assigns, or updates by code of the project's own."""
    sets = call.name[:1] == "." and _SETS.fullmatch(call.name[1:]) is not None
    return (
        call.api in _APPLIES or sets or "ssign" in call.api or call.api in ("ops.HyperMap", "ops.Map", "copy.deepcopy")
    )


def _takes_name_of(made: Call, parameter: Call) -> bool:
    """True where the name of a parameter is given to what is computed from it."""
    named = bool(set(made.bound) & set(parameter.bound))
    return named and any(part is parameter for part in flow.sources(made))


def _in_place(made: Call) -> bool:
    """True for +=, which may write into the array itself."""
    return any(node.lineno == made.line for node in made.source.nodes_of(ast.AugAssign))


def _holds(value: Value | None, net: Instance) -> bool:
    return any(part is net for part in flow.sources(value, stop=lambda v: isinstance(v, Instance)))


def _is_object(value: Value) -> bool:
    return isinstance(value, Instance)


def _random(made: Call) -> bool:
    return made.api == "initializer" or made.api.startswith(("initializer.", "numpy.random"))


def _is_weight(value: Value | None) -> bool:
    return not (isinstance(value, Call) and value.name in ("@bias", "@beta", "@gamma"))


def _head_alone(call: Call, net: Value | None) -> bool:
    """True for what is about the dense layers of a network of convolutions: a loaded one mostly gets a new head."""
    asked = " ".join(test.text for test in call.tests)
    held = (leaf for option in options(net) for _, leaf in leaves(option) if isinstance(leaf, Call))
    return "Dense" in asked and "Conv" not in asked and any("Conv" in leaf.api for leaf in held)


def _block(function: ast.AST, node: ast.AST) -> tuple[list[ast.stmt], int]:
    """The statements among which one has a node as its value."""
    for outer in walk(function):
        for part in ("body", "orelse", "finalbody"):
            block = getattr(outer, part, None)
            if isinstance(block, list):
                for place, statement in enumerate(block):
                    if getattr(statement, "value", None) is node:
                        return block, place
    return [], 0


def _span(call: Call) -> tuple[Source, int, int]:
    return call.source, call.line, call.last_line


def _stands(value: Value | Store | None) -> str:
    """Where a value stands, as file:line; "" where it has none."""
    source = getattr(value, "source", None)
    return (
        f"{source.path}:{value.line}" if isinstance(value, (SourceNode, Store)) and isinstance(source, Source) else ""
    )


def filled(call: Call) -> Value | None:
    """The network that a call puts a checkpoint into."""
    return call.argument(_LOAD if call.api in CHECKPOINT_READERS else _NET, "net")


def _may_follow(load: Call, call: Call) -> bool:
    """Whether a call may run after a load: later in the script, in a loop with it, or where the order is not seen."""
    return call.order > load.order or unseen(load.frame) or any(loop in load.loops for loop in call.loops)


def _fills(load: Call) -> bool:
    """Whether a file is loaded right into a network."""
    net = load.argument(_LOAD, "net")
    return net is not None and not is_known(net, None)


def _known_as_file(load: Call, path: Value) -> bool:
    """Whether the script tests if this path is a file or a folder, and loads it where it is not a folder."""
    asked = [(test.value, test.taken) for test in load.tests if isinstance(test.value, Call)]
    return any(_IS_FILE.get(value.name) is taken and path in value.args for value, taken in asked)


def _sets_unknown(call: Call) -> bool:
    """Whether a call sets a parameter to something of which it is not seen what that is."""
    if call.name[:1] != "." or not _SETS.fullmatch(call.name[1:]):
        return False
    return any(isinstance(v, UnknownValue) for arg in call.args for v in flow.sources(arg, stop=_is_object))


def _picks(call: Call, looped: Call) -> bool:
    """Whether a call runs for some of what a loop gives only, by anything but its type."""
    asked = [test.value for test in call.tests if flow.derives(test.value, looped)]
    return any(not (isinstance(value, Call) and value.name == "isinstance") for value in asked)


def _sets_after(call: Call, put: Call) -> bool:
    """Whether a call gives a weight a new value in a run in which others were loaded before."""
    if call.order < put.order or call.name != ".set_data" or not call.args or exclusive(put, call):
        return False
    return not unseen(call.frame) or unseen_run(call.frame) is unseen_run(put.frame)


def classes(value: Value | None) -> set[tuple[str, str]]:
    """The project's classes that a network is of, by file and name; none when that is not all that is known."""
    found = set()
    for option in options(value):
        depth = 0
        while isinstance(option, Call) and option.name in (".set_train", ".to_float") and depth < 9:
            option, depth = option.base or UnknownValue(), depth + 1
        if not isinstance(option, Instance):
            return set()
        found.add((option.of.source.path, option.of.node.name))
    return found


def _names(call: Call) -> list[str]:
    return sorted(name for _, name in classes(call.argument(_SAVE, "save_obj")))


def _called(net: Value | None) -> str:
    found = dict.fromkeys(
        option.of.node.name
        if isinstance(option, Instance)
        else getattr(option, "last", "") or getattr(option, "name", "")
        for option in options(net)
    )
    return ", ".join(name for name in found if name) or "?"


def key(value: Value | None, depth: int = 0) -> str | None:
    """A text that two paths have in common only when they are put together in the same way; None when that is not seen."""
    if isinstance(value, KnownValue):
        return os.path.normpath(value.value) if isinstance(value.value, str) and value.value else None
    if isinstance(value, NamedValue):
        return f"<{value.name}>"
    if not isinstance(value, Call) or depth > 6:
        return None
    parts = [key(part, depth + 1) for part in (*((value.base,) if value.base is not None else ()), *value.args)]
    if value.keywords or not parts or any(part is None for part in parts):
        return None
    return f"{value.name}({','.join(part for part in parts if part is not None)})"


def shown(value: Value | None) -> str:
    """What to call a path in a message."""
    if isinstance(value, KnownValue) and isinstance(value.value, str) and value.value:
        return value.value
    if isinstance(value, (KnownValue, UnknownValue)) and value.name:
        return value.name
    if isinstance(value, NamedValue):
        return value.name.rsplit(".", 1)[-1]
    return ast.unparse(value.node)[:80] if isinstance(value, Call) and isinstance(value.node, ast.expr) else "…"
