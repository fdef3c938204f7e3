"""What a script does about the order of its training data, from its trace: data sets, where they go, how they are shuffled."""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ..knowledge import dataset_classes
from ..knowledge.methods import BATCHES
from ..knowledge.random_numbers import IN_PLACE
from . import ranks
from .flow import find, made_from, sources, values_of
from .networks import of_training, speaks_of_training
from .pipelines import LOOKS, PASSES_ON, READERS, Uses, calls_a
from .project_samplers import draws, in_order, remade_each_turn
from .sample_functions import ARRAYS, TABLES
from .sample_functions import READERS as READS
from .sample_numbers import is_drawn
from .source import Source
from .syntax import children, counted, kept, unparse, walk
from .trace import Trace
from .training import assume, role
from .training_steps import devices
from .values import (
    Call,
    Class,
    Frame,
    Function,
    Index,
    Instance,
    Items,
    KnownValue,
    Many,
    Mapping,
    NamedValue,
    Scope,
    Value,
    frames_around,
    integer_of,
    is_known,
    is_none,
    is_slice,
    name_of,
    options,
    parts,
    words,
)

SHUFFLED, IN_ORDER, UNKNOWN = "shuffled", "in-order", "unknown"

_RANDOM = re.compile(r"shuffl|permut|random|choice|\bsample\(", re.I)
#: Methods that give a Parameter another value.
_SETS = frozenset((".set_data", ".assign_value"))
#: What lists a folder, in an order that no system promises.
LISTINGS = frozenset(
    ("os.listdir", "glob.glob", "glob.iglob", "os.walk", "os.scandir", "os.fwalk", ".iterdir", ".glob", ".rglob")
)
_PICKS = re.compile(
    r"shuffl|permut|\b(choices?|sample)\((self\.|range\(|len\(|np\.arange\()|\b(randint|randrange|integers)\([^()]*\blen\(",
    re.I,
)
_MIXES = re.compile(r"shuffl|permut", re.I)
#: Bases of sources that hold no rows and give none.
_ABSTRACT = frozenset(("object", "abc.ABC", "mindspore.dataset.Dataset", "torch.utils.data.Dataset"))
_MAKES_DATA = re.compile(
    r"data_?set|data_?loader|(get|create|load|make|build)_data|input_(pipeline|fn)|(^|_)(ds|loader)$", re.IGNORECASE
)
#: Names of functions that may train, where what they do is not seen.
_TRAINER = re.compile(r"^(train|fit|finetune|learn|backward)(?!able)|trainer", re.IGNORECASE)
#: Builtins that leave the order of what they are given as it is.
_PLAIN = frozenset(
    (
        "range",
        "len",
        "zip",
        "enumerate",
        "open",
        "int",
        "float",
        "str",
        "iter",
        "next",
        "StopIteration",
        "super",
        "print",
    )
)


#: A buffer that holds no more than a part of 1 / FEW of the data set mixes only what is near; one of ENOUGH samples, as MindSpore's own
#: shuffling has, is taken for enough though the size of the data is not seen. One of less than TINY is not, wherever the data come from.
FEW, ENOUGH, TINY = 2, 10_000, 100
#: A buffer of less than this moves samples by a few places: what is read from files stays in its order.
NEARBY = 10
#: So many steps of a pipeline are looked at.
CHAIN = 60
#: Functions that a generator calls are looked into so deep.
CALLS = 4


@dataclass(frozen=True)
class State:
    """The order of a data set: of which constructor calls it is made, and why it is what it is (`code`, `data`).

    `assumed` when that rests on a value that a run may change.
    """

    origins: tuple[Call, ...]
    order: str
    code: str
    data: dict[str, Any]
    at: Call
    buffer: int | None = None  # of a .shuffle() that is the only shuffling
    assumed: bool = False


@dataclass(frozen=True)
class Observation:
    """One thing to say, with its place. `edit` is a line and what it should be instead.

    `assumed` when it rests on a value that a run may change, or on names for what the data are used for.
    """

    code: str
    source: Source
    line: int
    column: int
    last: int
    data: dict[str, Any] = field(default_factory=dict)
    edit: tuple[int, str] | None = None
    assumed: bool = False


def examine(trace: Trace) -> list[Observation]:
    """Everything that a script, and the modules that were followed, say about the order of its training data."""
    return data_sets(trace).say()


@kept
def data_sets(trace: Trace) -> Examination:
    """The data sets of a script, made once for all who ask."""
    return Examination(trace)


def _is_part_of_split(call: Call) -> bool:
    return call.name == "[]" and isinstance(call.base, Call) and call.base.name == ".split"


def _order_of_source(state: State, data: dict[str, Any]) -> State:
    """In order as far as MindSpore goes; what the source does with an index is its own affair."""
    return replace(state, order=UNKNOWN, code="source-may-shuffle", data=data) if state.order == IN_ORDER else state


def _handed_on(call: Call, given: State) -> State:
    """The order of a data set that a function hands on, which may shuffle it."""
    if given.order != IN_ORDER:
        return given
    data = given.data | {"function": call.name.lstrip(".")}
    return replace(given, order=UNKNOWN, code="handed-on", data=data, at=call)


class Examination:
    """The data sets of a script, with their order and what they are used for."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.known = dataset_classes.load()
        self.states: dict[int, State] = {}  # by the id of the call that returns the data set
        self.uses = Uses(trace, lambda call: id(call) in self.states)
        self.setting: dict[int, list[Call]] = defaultdict(list)  # by the id of a data set: what sets its sampler later
        for call in trace.calls:
            for option in options(call.base) if call.name in (".use_sampler", ".add_sampler") and call.args else ():
                self.setting[id(option)].append(call)
        for call in trace.calls:
            if not self.states and not call.name.startswith("mindspore."):
                continue  # nothing to be made of yet
            if (state := self.state(call)) is not None:
                self.states[id(call)] = state

    # --- the state of a data set --------------------------------------------------------------------------------------

    def of(self, value: Value | None) -> list[State]:
        return [self.states[id(part)] for part in parts(value) if id(part) in self.states] if self.states else []

    def state(self, call: Call) -> State | None:
        """The order of what a call returns; None when that is not a data set. What it is made of came earlier in the trace."""
        if call.name.startswith("mindspore.") and call.last in self.known.sources:
            return self.constructed(call)
        base = self.of(call.base)
        given = [state for value in (*call.args, *call.keywords.values()) for state in self.of(value)]
        if base and (found := self.after(call, base, given)) is not None:
            return found
        if given and call.name in ("+", "mindspore.dataset.zip", "mindspore.dataset.concat"):
            return self.kept(call, given)
        return _handed_on(call, given[0]) if given and self.passes_on(call) else None

    def passes_on(self, call: Call) -> bool:
        """True for a function elsewhere that is given a data set and seems to return one."""
        if call.discarded or call.last in LOOKS or call.last in READERS or call.name in ("[]", ".each", "operator"):
            return False
        if call.name.startswith("mindspore.") or call.last[:1].isupper():
            return False
        if call.name in (".zip", ".concat"):  # of something that is not seen to be a data set
            return True
        if PASSES_ON.search(call.last):
            return not call.name.startswith((".get_", ".set_", ".output_", ".append"))
        return (
            not call.name.startswith(".")
            and bool(call.bound)
            and role([call.last]) is None
            and call.name != "comprehension"
        )

    def kept(self, call: Call, found: list[State]) -> State:
        origins = tuple(dict.fromkeys(origin for state in found for origin in state.origins))
        chosen = min(found, key=lambda state: (SHUFFLED, UNKNOWN, IN_ORDER).index(state.order))
        chosen = replace(chosen, origins=origins)
        if call.last == "split" and chosen.order == IN_ORDER:
            randomize = call.argument(["sizes", "randomize"], "randomize")
            if not is_known(randomize, False):
                return replace(chosen, code="split-in-order", at=call)
        return self.below_batch(call, chosen) or chosen

    def below_batch(self, call: Call, before: State) -> State | None:
        """Behind a batch of more rows than the buffer that alone has shuffled them."""
        if call.last not in ("batch", "padded_batch") or before.buffer is None:
            return None
        size = call.argument(["batch_size"], "batch_size")
        files = all(_reads_files(self.known.sources[origin.last].parameters) for origin in before.origins)
        if not isinstance(size, KnownValue) or type(size.value) is not int or size.assumed:
            return None
        if before.buffer >= size.value or (files and before.buffer < NEARBY):  # so few are told in any case
            return None
        data = {"dataset": before.data["dataset"], "buffer": before.buffer, "batch": size.value}
        return replace(before, order=UNKNOWN, code="small-buffer", data=data, buffer=None)

    def shuffled(self, call: Call, base: State) -> State:
        size = call.argument(self.known.methods.shuffle, "buffer_size")
        buffer = integer_of(size)
        data = {"dataset": base.data["dataset"]}
        if base.order != SHUFFLED and buffer is not None and buffer <= 1:
            order = base.order if base.order == IN_ORDER else UNKNOWN
            rests = base.assumed or _assumed(size)
            return replace(base, order=order, code="buffer-one", data=data | {"buffer": buffer}, at=call, assumed=rests)
        batch = _batched(call.base) if base.order != SHUFFLED else None
        if batch is not None:
            return _of_batches(base, batch, call)
        told = self.text(call, "buffer_size", 0)
        why = data | {"why": "call", "value": told, "line": call.line}
        alone = buffer if base.order == IN_ORDER else None
        parts_of = _divisor(size) if base.order == IN_ORDER else 1
        if parts_of >= FEW:
            part = data | {"share": 1 / parts_of, "buffer": told}
            return replace(base, order=UNKNOWN, code="buffer-of-a-part", data=part, at=call)
        return State(base.origins, SHUFFLED, "shuffled", why, base.at if base.order == SHUFFLED else call, alone)

    def after(self, call: Call, base: list[State], given: list[State]) -> State | None:
        """The order behind a method of data sets; None for what is none. `given`: other data sets that it takes."""
        if call.name == ".shuffle":
            return self.shuffled(call, base[0])
        if call.name.startswith(".") and call.last in self.known.methods.keeps:
            return self.kept(call, [*base, *(given if call.last in ("concat", "zip") else [])])
        return base[0] if _is_part_of_split(call) else None

    def constructed(self, call: Call) -> State | None:
        known = self.known.sources[call.last]
        if "shuffle" not in known.parameters:
            return None
        data = {"dataset": call.last}

        def state(order: str, code: str, **more: Any) -> State:
            return State((call,), order, code, data | more, call)

        access = self.access_of(call)
        if access == "single":
            return state(SHUFFLED, "shuffled", why="single")
        if access == "iterable":  # MindSpore then ignores shuffle and sampler without a word
            return state(IN_ORDER, "generator-in-order")
        if access == "iterable, perhaps shuffled":
            return state(UNKNOWN, "unresolved", expression=self.text(call, "source", 0))
        if not is_none(call.argument(known.parameters, "batch_sampler")):
            return state(UNKNOWN, "unresolved", expression="batch_sampler=" + self.text(call, "batch_sampler", None))
        return self.sampled_by(call, access, state)

    def sampled_by(self, call: Call, access: str, state: Callable[..., State]) -> State:
        """The order that the samplers of a data set and its argument shuffle amount to."""
        parameters = self.known.sources[call.last].parameters
        samplers = self.samplers(call, parameters)
        shuffle = call.argument(parameters, "shuffle")
        if shuffle is None and all(map(is_none, samplers)) and call.unpacked:
            return state(UNKNOWN, "unresolved", expression=_unpacked(call))
        found: list[State] = []
        for option in samplers:
            if is_none(option):
                found += [self.asked(call, wanted, access, state) for wanted in options(shuffle) or (KnownValue(None),)]
            else:
                found.append(self.sampled(call, option, state))
        if access in ("unseen", "random, perhaps shuffled"):
            hidden = {"dataset": call.last, "source": self.text(call, "source", 0)}
            found = [_order_of_source(one, hidden) for one in found]
        if any(later.name == ".add_sampler" for later in self.setting[id(call)]):  # one of several that all pick
            found = [one for one in found if one.order == SHUFFLED][:1] or found
        return self.merged(found, call)

    def access_of(self, call: Call) -> str:
        """How the rows of a data set are read: by index ("random"), or one after the other."""
        known = self.known.sources[call.last]
        if known.access != "generator":
            return "random"
        access = self.access(call.argument(known.parameters, "source"))
        return "random, perhaps shuffled" if access == "random" and self.mixed(call) else access

    def asked(self, call: Call, wanted: Value, access: str, state: Callable[..., State]) -> State:
        """The order that the argument shuffle asks for."""
        place = self.known.sources[call.last].parameters.index("shuffle")
        decided, why = self.decide(wanted)
        text = self.text(call, "shuffle", place)
        if is_known(wanted, None) and not wanted.assumed:
            if access == "unseen":
                return state(UNKNOWN, "unresolved", expression=self.text(call, "source", 0))
            return state(SHUFFLED, "shuffled", why="default")
        if decided is True:
            return state(SHUFFLED, "shuffled", why="argument", value=text)
        if decided is False:
            return replace(state(IN_ORDER, "shuffle-off"), assumed=_assumed(wanted))
        if why:
            return state(UNKNOWN, why, name=name_of(wanted) or text)
        return state(UNKNOWN, "unresolved", expression="shuffle=" + text)

    def samplers(self, call: Call, parameters: list[str]) -> list[Value]:
        """The samplers that a data set may have, Known(None) for none: of its constructor, or what replaces that later, or picks
        from what those pick."""
        found = [*(options(call.argument(parameters, "sampler")) or (KnownValue(None),))]
        for later in self.setting[id(call)]:
            given = options(later.args[0])
            always = later.name == ".use_sampler" and len(later.tests) <= len(call.tests)
            found = [*given] if always else [*found, *given]
        return found

    def merged(self, found: list[State], call: Call) -> State:
        orders = {state.order for state in found}
        if len(orders) == 1:
            return found[0]
        unknown = next((state for state in found if state.order == UNKNOWN), None)
        if unknown is not None:
            return unknown
        data = {
            "dataset": call.last,
            "condition": call.source.segment(call.node) if isinstance(call.node, ast.expr) else "",
        }
        return State((call,), UNKNOWN, "sometimes-off", data, call)

    def sampled(self, call: Call, sampler: Value, state: Any) -> State:
        text = self.text(call, "sampler", None)
        if isinstance(sampler, Call) and sampler.name.startswith("mindspore.") and sampler.last in self.known.samplers:
            known = self.known.samplers[sampler.last]
            if known.order == "random":
                return _state(state, SHUFFLED, "shuffled", why="sampler", value=sampler.last)
            if known.order != "by-shuffle":
                return _state(state, IN_ORDER, "sampler-in-order", sampler=sampler.last)
            wanted = sampler.argument(known.parameters, "shuffle")
            decided = [
                (known.shuffle, "") if wanted is None else self.decide(option)
                for option in options(wanted) or (KnownValue(None),)
            ]
            answers = {answer for answer, _ in decided}
            if answers == {True}:
                return _state(state, SHUFFLED, "shuffled", why="sampler", value=sampler.last)
            if answers == {False}:
                text = f"{sampler.last}(shuffle=False)"
                return replace(_state(state, IN_ORDER, "sampler-in-order", sampler=text), assumed=_assumed(wanted))
            if decided[0][1] and wanted is not None:
                name = name_of(wanted) or self.text(sampler, "shuffle", 2)
                return _state(state, UNKNOWN, decided[0][1], name=name)
            text = f"{sampler.last}(shuffle={self.text(sampler, 'shuffle', 2)})"
        elif isinstance(sampler, Items):
            return _state(state, IN_ORDER, "sampler-in-order", sampler=f"sampler={text}")
        elif isinstance(sampler, Instance) and draws(self.trace, sampler):
            return _state(state, SHUFFLED, "shuffled", why="sampler", value=sampler.of.node.name)
        elif isinstance(sampler, Instance) and not remade_each_turn(sampler) and in_order(self.trace, sampler):
            found = _state(state, IN_ORDER, "sampler-in-order", sampler=f"sampler={text}")
            if not isinstance(sampler.node, ast.expr) or sampler.source is None:
                return found
            data = found.data | {"sampler": sampler.source.segment(sampler.node, 60)}
            return replace(found, data=data, at=Call(sampler.of.node.name, [], {}, sampler.node, sampler.source))
        return _state(state, UNKNOWN, "unresolved", expression=f"sampler={text}")

    def decide(self, value: Value) -> tuple[bool | None, str]:
        """Whether a shuffle argument shuffles, and the code that says why this is not certain."""
        if isinstance(value, NamedValue):
            last = value.name.rsplit(".", 1)[-1]
            if value.name.startswith("mindspore.") and last.isupper():
                return {"FALSE": (False, ""), "FILES": (None, "files-only")}.get(last, (True, ""))
            return None, ""
        if isinstance(value, KnownValue) and isinstance(value.value, str):
            text = value.value.lower()
            if text in ("true", "false"):
                value = replace(value, value=text == "true")
            elif not value.assumed and text in ("global", "infile", "adaptive", "partial", "files"):
                return (None, "files-only") if text == "files" else (True, "")
            else:
                return None, ""
        if isinstance(value, KnownValue) and value.assumed is None:
            return (True, "") if value.value is None else (bool(value.value), "")
        name = name_of(value)
        taken = assume(name, None) if name else None
        if taken is not None:
            return taken, ""
        if isinstance(value, KnownValue):
            return (True, "") if value.value is None or bool(value.value) else (None, "off-by-default")
        if isinstance(value, Many):
            answers = {self.decide(option) for option in value.options}
            return answers.pop() if len(answers) == 1 else (None, "")
        if isinstance(value, Call) and len(value.args) == 1 and re.search(r"bool", value.last):
            return self.decide(value.args[0])
        return None, ""

    def access(self, source: Value | None) -> str:
        """How MindSpore will read the source of a GeneratorDataset: random, iterable, or unseen."""
        kinds = {self._access(option) for option in options(source)}
        if kinds <= {"random", "random, perhaps shuffled"} and len(kinds) > 1:
            return "random, perhaps shuffled"
        return kinds.pop() if len(kinds) == 1 else "unseen"

    def _access(self, source: Value) -> str:
        if isinstance(source, Items):
            return "random"
        if isinstance(source, Call) and (
            source.name in ("list", "zip", "sorted", "range") or source.name.startswith("numpy.")
        ):
            return "random"
        nodes: list[ast.AST] = []
        if isinstance(source, Instance):
            if _single(source.of.find("__len__")):
                return "single"
            if source.of.find("__getitem__") is not None:
                return "random, perhaps shuffled" if self.shuffles(source.of) else "random"
            if source.of.find("__iter__") is None and source.of.find("__next__") is None:
                return "unseen"
            if _beyond(source.of):
                return "iterable, perhaps shuffled"
            nodes = [of.node for of in source.of.lineage()]
        elif isinstance(source, Function):
            nodes = [source.node]
        elif isinstance(source, Call) and source.name == "generator":
            nodes = [part.node for part in source.args if isinstance(part, Function)]
        if not nodes:
            return "unseen"
        scope = next((part.scope for part in _functions(source)), None)
        mixes = any(self.may_mix(node, scope) for node in nodes) or self.picks_beneath(nodes)
        return "iterable, perhaps shuffled" if mixes else "iterable"

    def picks_beneath(self, nodes: list[ast.AST]) -> bool:
        """Whether a function that was seen to run within one of these shuffles or picks, such as a method of what it asks for rows."""
        within = {id(part) for node in nodes for part in (node, *children(node))}
        ran = (
            frame
            for frame in self.trace.frames
            if any(id(o.function.node) in within for o in frames_around(frame.parent))
        )
        return any(_PICKS.search(ast.unparse(frame.function.node)) for frame in ran)

    def may_mix(self, node: ast.AST, scope: Scope | None, of_one_row: bool = False, depth: int = 0) -> bool:
        """True when a generator, or a function of the project that it calls, mixes rows, or when that is not seen. `of_one_row`: it is
        called with one row in each turn, so that what else it calls does not decide the order."""
        if isinstance(node, ast.Lambda) or _RANDOM.search(ast.unparse(node)):
            return True
        if any(id(inner) in self.foreign for inner in walk(node)):
            return True
        for call, in_turn in _named_calls(node):
            row = of_one_row or (in_turn and bool(call.args or call.keywords))
            called = scope.get(call.func.id) if scope is not None and isinstance(call.func, ast.Name) else None
            if isinstance(called, Function):
                if depth >= CALLS or self.may_mix(called.node, called.scope, row, depth + 1):
                    return True
            elif not row:
                return True
        return False

    def shuffles(self, of: Class) -> bool:
        """True when a class, or a base of it, has to do with shuffling, picks its samples itself, or has a base that is not examined.
        What a method that was followed would do on a way that is not taken does not count."""
        if _beyond(of):
            return True
        body = [(part, ast.unparse(part)) for each in of.lineage() for part in each.node.body]
        by_place = self.gives_by_place(of) and not any(_MIXES.search(text) for _, text in body)
        picking = [part for part, text in body if _PICKS.search(text) and not by_place]
        followed = {id(frame.function.node) for frame in self.trace.frames}
        return any(id(part) not in followed or self.picks_within(part) for part in picking)

    def gives_by_place(self, of: Class) -> bool:
        """Whether row i of a source is what lies at place i of something that chance has not put together, and chance picks no other
        element: what is drawn besides is about this row, the part of it that is cut out, its noise."""
        method = of.find("__getitem__")
        runs = [f for f in self.trace.frames if isinstance(method, Function) and f.function.node is method.node]
        return bool(runs) and all(_takes_own_place(run, self.trace.calls) for run in runs)

    def picks_within(self, function: ast.AST) -> bool:
        """Whether something that a function was seen to call shuffles or picks."""
        if self.trace.gave_up:
            return True
        inside = {id(node) for node in walk(function) if isinstance(node, ast.expr)}
        ran: list[Call | Frame | Instance] = [*self.trace.calls, *self.trace.frames, *self.trace.instances]
        nodes = [thing.node for thing in ran if id(thing.node) in inside]
        return any(node is not None and _PICKS.search(ast.unparse(node)) for node in nodes)

    @cached_property
    def foreign(self) -> set[int]:
        """The ids of the loops over what a library, or a function that is not followed, gives: in which order, only that knows."""
        return {id(call.node) for call in self.trace.calls if call.name == ".each" and not _in_order(call.base)}

    def mixed(self, made: Call) -> bool:
        """True where a loop shuffles something that goes into a data set, once for each epoch or part."""
        shuffles = [
            call for call in self.trace.calls if call.name in IN_PLACE and call.loops and call.order < made.order
        ]
        if not shuffles:
            return False
        content = {id(part) for part in sources(made)}
        for call in shuffles:
            for part in options(next(iter(call.args), None)):
                elements = part.args if isinstance(part, Call) and part.last in ("list", "array", "arange") else []
                if any(id(each) in content for each in (part, *elements)):
                    return True
        return False

    @staticmethod
    def text(call: Call, name: str, place: int | None) -> str:
        """An argument of a call as written."""
        node = _argument(call, name, place)
        return "..." if node is None else call.source.segment(node, 60)

    # --- what it is for -----------------------------------------------------------------------------------------------

    def sets(self) -> list[tuple[Call, list[Call]]]:
        """The data sets that are for training, or of which nothing is said where none is; each with its chain."""
        found = [
            (leaf, chain, self.uses.role(leaf, chain))
            for leaf in self.uses.leaves()
            for chain in [self.uses.chain(leaf)]
        ]
        wanted = "train" if any(purpose == "train" for _, _, purpose in found) else None
        return [(leaf, chain) for leaf, chain, purpose in found if purpose == wanted]

    # --- what to say --------------------------------------------------------------------------------------------------

    def say(self) -> list[Observation]:
        groups: dict[tuple[str, int, int], list[tuple[Call, State, str | None, list[Call]]]] = defaultdict(list)
        for leaf in self.uses.leaves():
            state = self.states[id(leaf)]
            chain = self.uses.chain(leaf)
            purpose = self.uses.role(leaf, chain)
            if purpose == "eval" or (purpose is None and self.uses.is_left_unread(leaf)):
                continue
            for origin in state.origins[:1]:
                groups[origin.source.path, origin.line, getattr(origin.node, "col_offset", 0)].append(
                    (leaf, state, purpose, chain)
                )
        elsewhere = self.elsewhere()
        trains = {key for key, members in groups.items() if any(purpose == "train" for _, _, purpose, _ in members)}
        read = {
            key: {id(loop) for leaf, *_ in members for loop in self.uses.loops(leaf)} for key, members in groups.items()
        }
        steps = any(loops & self.uses.stepping for loops in read.values())
        said: list[Observation] = []
        for key, members in groups.items():
            wanted = [member for member in members if member[2] == "train"] or members
            only_shown = steps and bool(read[key]) and not read[key] & self.uses.stepping
            sure = (key in trains or not (trains or elsewhere)) and not only_shown
            others = any(
                state.order != IN_ORDER for held in groups.values() if held is not members for _, state, _, _ in held
            )
            said.append(self.of_group(wanted, sure, others))
        said += self.reshuffles(groups)
        for call in elsewhere:
            said.append(_observation("elsewhere", call, {"function": call.name.lstrip(".")}))
        if self.trace.gave_up:
            said.append(Observation("too-complex", self.trace.source, 1, 0, 1, {"path": self.trace.source.path}))
        if not said:
            said.append(Observation("no-dataset", self.trace.source, 1, 0, 1, {"path": self.trace.source.path}))
        return _unique(said)

    def training_turns(self) -> list[Call]:
        """What takes the batches of the data sets that are not for evaluation."""
        used = [leaf for leaf, chain in self.sets() if self.uses.role(leaf, chain) != "eval"]
        return [turn for leaf in used for turn in self.uses.turns(leaf)]

    def updates(self) -> list[Call]:
        """The calls that update weights: by a step or an optimizer, where there is one."""
        return [call for call in self.uses.steps if calls_a(call, ("step", "optimizer"))] or self.uses.steps

    @cached_property
    def passing(self) -> dict[int, bool]:
        """The counting loops around an update of weights, by id: whether a turn goes through all the data, which a loop within it
        takes one after the other. The rounds of a training that is made anew in each turn of a loop are not those of that loop.
        Where no loop over a data set is seen around an update, there is no telling."""
        turns = self.training_turns()
        taking = {id(turn.node) for turn in turns}
        found: dict[int, bool] = {}
        for around, anew in [*map(_loops_of, self.updates())] or [((*turn.loops, turn.node), ()) for turn in turns]:
            inner = max((place for place, loop in enumerate(around) if id(loop) in taking), default=0)
            rounds = [loop for loop in around[:inner] if counted(loop) is not None and loop not in anew]
            for loop in around if rounds else ():
                found[id(loop)] = found.get(id(loop), False) or loop is rounds[-1]
        return found

    def of_group(
        self, members: list[tuple[Call, State, str | None, list[Call]]], sure: bool, others: bool
    ) -> Observation:
        """The data sets that come from one constructor call. `others`: there is also one that is not in order."""
        states = [state for _, state, _, _ in members]
        orders = {state.order for state in states}
        state = min(states, key=lambda state: (UNKNOWN, IN_ORDER, SHUFFLED).index(state.order))
        if orders == {SHUFFLED} and (small := self.small_buffer(state, sure)) is not None:
            return small
        if orders == {SHUFFLED} or state.order == UNKNOWN:
            return _observation(state.code, state.at, state.data)
        origin, dataset = state.origins[0], {"dataset": state.data["dataset"]}
        conditions = sorted({text for _, found, _, chain in members for part in chain for text in part.conditions})
        asked = [text for text in conditions if "shuffle" in text.lower()]
        if SHUFFLED in orders:
            names = sorted({name for leaf, found, _, _ in members for name in leaf.bound if found.order == IN_ORDER})
            shown = conditions or names or [f"line {origin.line}"]
            return _observation("sometimes-off", origin, state.data | {"condition": shown})
        if asked:
            return _observation("unresolved", origin, state.data | {"expression": asked[0]})
        if not sure or self.only_read:
            return _observation("role-unknown", origin, dataset)
        if others and origin.conditions and not self.is_of_deployment(origin):
            return _observation("sometimes-off", origin, state.data | {"condition": list(origin.conditions)})
        return self.in_order(state, members)

    def is_of_deployment(self, origin: Call) -> bool:
        """Whether the number or the kind of the devices decides on which way a data set is made: both ways are taken in real runs."""
        tests = ranks.tests_of(origin)
        asked = any(ranks.kinds(test.value) or devices(test) is not None for test in origin.tests)
        starts = ranks.deployment(self.trace).starts
        return (
            asked
            or ranks.branch(tests) is not None
            or any(not ranks.together(ranks.tests_of(one), tests) for one in starts)
        )

    def small_buffer(self, state: State, sure: bool) -> Observation | None:
        """What is to say of a data set that nothing but a small buffer shuffles. Files are read through in the order of the disk,
        and are of any length."""
        source = self.known.sources[state.origins[0].last]
        if state.buffer is None or state.buffer >= (ENOUGH if source.access == "files" else TINY):
            return None
        told = {"dataset": state.data["dataset"], "buffer": state.buffer}
        if sure and not self.only_read and state.buffer < NEARBY and _reads_files(source.parameters):
            return replace(_observation("buffer-nearby", state.at, told), assumed=True)
        return _observation("buffer-alone", state.at, told)

    def in_order(self, state: State, members: list[tuple[Call, State, str | None, list[Call]]]) -> Observation:
        """What is to say of a data set for training that is not shuffled."""
        origin, dataset = state.origins[0], {"dataset": state.data["dataset"]}
        held = next((call for leaf, *_ in members for call in self.kept_by_place(leaf)), None)
        if held is not None:
            return _observation("by-place", origin, dataset | {"at": f"{held.source.path}:{held.line}"})
        assumed = state.assumed or not any(self.uses.trained(leaf) for leaf, _, _, _ in members)
        dropped = self.dropped(members)
        if dropped is not None:
            return replace(_observation("shuffle-dropped", dropped, dataset), assumed=assumed)
        edit = _shuffle_edit(state.at) if state.code == "shuffle-off" else None
        return replace(_observation(state.code, state.at, state.data, edit), assumed=assumed)

    def kept_by_place(self, leaf: Call) -> Iterator[Call]:
        """Reads of what a loop over a data set keeps for each place in it, and writes there too: it fits rows of one order alone."""
        placed = self.placed(leaf)
        for call in self.trace.calls:
            read = call.args[0] if call.name in ("[]", ".get") and call.args else None
            if read is None or id(read) not in placed:
                continue
            held, users = call.base, self.uses.consumers[id(call)]
            filled = isinstance(held, Mapping) and bool(held.fed)
            written = filled or any(user.name in _SETS for user, _ in users)
            writes = () if isinstance(held, Mapping) else getattr(held, "writes", ())
            keys = [write.key for write in writes if not isinstance(write.key, str)]
            if written or any(_place_in(key, leaf) for key in keys):
                yield call

    def placed(self, leaf: Call) -> set[int]:
        """The ids of what is computed from the places that loops over a data set have come to."""
        rows = made_from(self.trace, [leaf])
        places = (part for part in values_of(self.trace) if isinstance(part, Index))
        return made_from(self.trace, [place for place in places if any(id(part) in rows for part in parts(place.of))])

    @cached_property
    def only_read(self) -> bool:
        """True where a loop reads data sets and nothing learns by gradients: it may collect features of each sample."""
        read = any(call.last in READERS and (call.last != "each" or self.of(call.base)) for call in self.trace.calls)
        return read and not self.learns

    @property
    def learns(self) -> bool:
        """True when something makes an optimizer, takes a gradient, or may be a trainer."""
        fits = {id(call) for call in self.trace.calls if call.name.startswith("sklearn.")}  # without gradients
        calls = [call for call in self.trace.calls if id(call.base) not in fits]
        names = [*(call.last for call in calls), *(frame.function.name for frame in self.trace.frames)]
        if any(map(_TRAINER.search, names)) or any(map(of_training, calls)):
            return True
        return speaks_of_training({id(call.source): call.source for call in calls}.values())

    def dropped(self, members: list[tuple[Call, State, str | None, list[Call]]]) -> Call | None:
        """A .shuffle() of one of these data sets whose result is never used."""
        inside = {id(part) for _, _, _, chain in members for part in chain}
        for call in self.trace.calls:
            if (
                call.name == ".shuffle"
                and self.uses.dead(call)
                and any(id(part) in inside for part in parts(call.base))
            ):
                return call
        return None

    def reshuffles(self, groups: dict[Any, list[tuple[Call, State, str | None, list[Call]]]]) -> list[Observation]:
        """Each place that turns off reshuffling for a data set, or the sampler of one, that is not for evaluation."""
        said = []
        chains = [part for members in groups.values() for _, _, _, chain in members for part in chain]
        for store in self.trace.stores:
            owner, value, node = store.owner, store.value, store.node
            if store.attribute != "reshuffle_each_epoch" or not is_known(value, False):
                continue
            for part in chains:
                holds = (part, *(p for v in (*part.args, *part.keywords.values()) for p in parts(v)))
                if owner in holds:
                    line, last = getattr(node, "lineno", 1), getattr(node, "end_lineno", 1)
                    state = self.states.get(id(part))
                    label = state.data["dataset"] if state else part.last
                    column, rests = getattr(node, "col_offset", 0), _assumed(value)
                    said.append(
                        Observation("reshuffle-off", part.source, line, column, last, {"dataset": label}, assumed=rests)
                    )
                    break
        return said

    def elsewhere(self) -> list[Call]:
        """Calls of functions that are not examined and seem to return the training data."""
        found = []
        trains = any(call.name == ".train" or "train_dataset" in call.keywords for call in self.trace.calls)
        for call in self.trace.calls:
            if id(call) in self.states or call.base is not None or call.discarded or not _outside(call):
                continue
            if not trains and not _MAKES_DATA.search(call.last):
                continue
            users = self.uses.consumers[id(call)]
            sunk = any(
                keyword == "train_dataset" or (user.name == ".train" and call in user.args[1:2])
                for user, keyword in users
            )
            if not sunk and (not _MAKES_DATA.search(call.last) or call.last[:1].isupper()):
                continue
            if self.reaches(call) or not (sunk or call.bound):
                continue
            hints = [[keyword for _, keyword in users], [user.last for user, _ in users], list(call.bound), [call.last]]
            hints += [list(words(value)) for value in (*call.args, *call.keywords.values())]
            hints += [[name] for name in reversed(call.functions)]
            if next((hint for hint in map(role, hints) if hint), None) != "eval" and not _for_evaluation(call):
                found.append(call)
        return found

    def reaches(self, call: Call, depth: int = 0) -> bool:
        """True when a result ends up within a data set that is made here."""
        users = [user for user, _ in self.uses.consumers[id(call)]]
        return depth < 6 and any(id(user) in self.states or self.reaches(user, depth + 1) for user in users)


def _place_in(value: Value, leaf: Call) -> bool:
    """Whether a value is computed from the place that a loop over a data set has come to."""
    places = [part for part in sources(value) if isinstance(part, Index)]
    return any(part is leaf for place in places for part in sources(place.of))


def _reads_files(parameters: list[str]) -> bool:
    """True for a data set that is read from files, whose number of samples cannot be told."""
    return any(name.startswith("dataset_") for name in parameters)


def _batched(data: Value | None) -> Call | None:
    """The call that puts the rows of a data set together to batches of more than one."""
    for _ in range(CHAIN):
        if not isinstance(data, Call) or data.name == ".unbatch":
            return None
        if data.name in BATCHES:
            size = data.argument(["batch_size"], "batch_size")
            return None if isinstance(size, KnownValue) and size.value == 1 else data
        data = data.base
    return None


def _of_batches(base: State, batch: Call, shuffle: Call) -> State:
    """Rows that are shuffled batch by batch: those in order are mixed by no more, and an order that is not seen stays so."""
    if base.order == UNKNOWN:
        return base
    data = {"dataset": base.data["dataset"], "line": batch.line}
    return replace(base, order=UNKNOWN, code="batches-shuffled", data=data, at=shuffle)


def _loops_of(update: Call) -> tuple[tuple[ast.AST, ...], tuple[ast.AST, ...]]:
    """The loops around an update of weights, and those in which what updates them is made anew."""
    made = update.base if calls_a(update, ("step", "optimizer")) else None
    return update.loops, made.loops if isinstance(made, Call) else ()


def _counts_samples(value: Value) -> bool:
    return isinstance(value, Call) and value.last in ("get_dataset_size", "len")


def _divisor(size: Value | None) -> float:
    """By what the size of a data set is divided to give the size of a buffer; 1 where that is not what gives it."""
    while isinstance(size, Call) and size.last in ("int", "round", "max") and size.args:
        size = size.args[0]
    if not isinstance(size, Call) or size.name not in ("//", "/", "*") or len(size.args) != 2:
        return 1
    whole, by = size.args
    if size.name == "*" and isinstance(whole, KnownValue):
        whole, by = by, whole
    sized = any(map(_counts_samples, sources(whole)))
    number = by.value if isinstance(by, KnownValue) and type(by.value) in (int, float) else 0
    if not sized or number <= 0:
        return 1
    return float(1 / number if size.name == "*" else number)


def _assumed(value: Value | None) -> bool:
    """True for a value that a run may change: a default, an option, a flag read as when the script trains."""
    if isinstance(value, Many):
        return any(_assumed(option) for option in value.options)
    return not (
        value is None or isinstance(value, NamedValue) or (isinstance(value, KnownValue) and value.assumed is None)
    )


def _state(state: Any, order: str, code: str, **data: Any) -> State:
    found: State = state(order, code, **data)
    return found


def _outside(call: Call) -> bool:
    return "." in call.name.lstrip(".") and not call.name.startswith(
        ("mindspore.", "numpy.", "os.", "argparse.", "pandas.", "yaml.")
    )


def _for_evaluation(call: Call) -> bool:
    """True when a flag among the arguments says that this is not for training."""
    return any(is_known(value, False) and assume(name, None) is True for name, value in call.keywords.items())


def _argument(call: Call, name: str, place: int | None) -> ast.expr | None:
    node = call.node
    if not isinstance(node, ast.Call):
        return None
    found = next((keyword.value for keyword in node.keywords if keyword.arg == name), None)
    if found is None and place is not None and place < len(node.args):
        found = node.args[place]
    return found


def _single(length: Value | None) -> bool:
    """True for a __len__ that returns 1, or 0: there is no order then."""
    last = length.node.body[-1] if isinstance(length, Function) and isinstance(length.node, ast.FunctionDef) else None
    return isinstance(last, ast.Return) and isinstance(last.value, ast.Constant) and last.value.value in (0, 1)


def _beyond(of: Class) -> bool:
    """True for a class with a base that is not examined."""
    bases = [base for each in of.lineage() for base in each.bases if not isinstance(base, Class)]
    return any(not (isinstance(base, NamedValue) and base.name in _ABSTRACT) for base in bases)


def _takes_own_place(run: Frame, calls: list[Call]) -> bool:
    """Whether a run of __getitem__ takes the element at the place that it was asked for, and none that chance picks."""
    within = [call for call in calls if run.order <= call.order <= run.end]
    keys = [(call.base, call.args[0]) for call in within if call.name == "[]" and len(call.args) == 1]
    asked = list(run.parameters.values())[1:2]
    own = any(_is_place(key, one) and not _is_mixed(base) for base, key in keys for one in asked)
    return own and not _chance_picks(within, [key for _, key in keys])


def _chance_picks(within: list[Call], keys: list[Value]) -> bool:
    """Whether a run chooses some of several, or has a drawn number for the place of an element."""
    drawn = {id(call) for call in within if is_drawn(call)}
    picked = (find(key, lambda part: id(part) in drawn) for key in keys if not _is_slice(key))
    return any(picked) or any(call.last in ("choice", "choices", "sample") for call in within)


def _is_mixed(held: Value | None) -> bool:
    """Whether chance has a part in what something holds."""
    return find(held, is_drawn, stop=lambda value: isinstance(value, Instance)) is not None


def _is_slice(key: Value) -> bool:
    parts_ = key.items if isinstance(key, Items) else [key]
    return any(is_slice(part) for part in parts_)


def _is_place(key: Value, asked: Value) -> bool:
    """Whether a key is the place that was asked for, beginning anew behind the last."""

    def same(option: Value) -> bool:
        if isinstance(option, Call) and option.name == "%" and len(option.args) == 2:
            rows = option.args[1]
            return isinstance(rows, Call) and rows.name == "len" and _is_place(option.args[0], asked)
        return any(option is one for one in (asked, *options(asked)))

    return all(map(same, options(key)))


def _in_order(iterated: Value | None) -> bool:
    """True for what a loop yields as it is stored, or as the project's own code has it."""
    while isinstance(iterated, Call) and iterated.base is not None:
        iterated = iterated.base
    if not isinstance(iterated, Call) or "." not in iterated.name:
        return True
    name = iterated.name
    if name in READS or TABLES.match(name) or ARRAYS.search(name) or name.startswith("mindspore.mindrecord."):
        return True
    return name.partition(".")[0] in ({"numpy", *sys.stdlib_module_names} - {"random"})


def _functions(source: Value) -> Iterator[Function]:
    """The functions whose turns give the rows of a source."""
    if isinstance(source, Function):
        yield source
    elif isinstance(source, Call):
        yield from (part for part in source.args if isinstance(part, Function))
    elif isinstance(source, Instance):
        yield from (part for of in source.of.lineage() for part in of.attributes.values() if isinstance(part, Function))


def _named_calls(node: ast.AST) -> Iterator[tuple[ast.Call, bool]]:
    """The functions, but for plain builtins, that a generator calls by their names, each with whether it does so in the turns of a loop
    over rows, and not to get what the loop goes over."""
    queue = [(part, False) for part in children(node)]
    while queue:
        part, in_turn = queue.pop()
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id not in _PLAIN:
            yield part, in_turn
        over = part.iter if isinstance(part, (ast.For, ast.AsyncFor)) else None
        queue += [(inner, in_turn or (over is not None and inner is not over)) for inner in children(part)]


def _shuffle_edit(call: Call) -> tuple[int, str] | None:
    """The line that says shuffle=False with True in its place, where it is written so."""
    node = _argument(call, "shuffle", None)
    if not (isinstance(node, ast.Constant) and node.value is False and node.lineno <= len(call.source.lines)):
        return None
    line = call.source.lines[node.lineno - 1].encode()
    if line[node.col_offset : node.end_col_offset] != b"False":
        return None
    return node.lineno, (line[: node.col_offset] + b"True" + line[node.end_col_offset :]).decode()


def _observation(code: str, call: Call, data: dict[str, Any], edit: tuple[int, str] | None = None) -> Observation:
    last = min(call.last_line, call.line + 12)
    node = _argument(call, "shuffle", None) if code == "shuffle-off" else None
    line, column = (
        (node.lineno, node.col_offset) if node is not None else (call.line, getattr(call.node, "col_offset", 0))
    )
    return Observation(code, call.source, line, column, max(last, line), data, edit)


def _unique(said: list[Observation]) -> list[Observation]:
    found: dict[tuple[str, str, int, int], Observation] = {}
    for one in said:
        found.setdefault((one.code, one.source.path, one.line, one.column), one)
    return sorted(found.values(), key=lambda one: (one.source.path, one.line, one.column))


def _unpacked(call: Call) -> str:
    """What a call is given as **keywords, as it is written."""
    keywords = call.node.keywords if isinstance(call.node, ast.Call) else []
    return next((f"**{unparse(part.value)[:80]}" for part in keywords if part.arg is None), "*args")
