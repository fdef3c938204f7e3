"""How a script divides its training data among devices: shard arguments, samplers, the order of files, seeds before the cut."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..knowledge.methods import BATCHES
from ..knowledge.random_numbers import DRAWS_ONCE, IN_PLACE, shared_generator
from . import ranks, seeding
from .analysis import Reading
from .flow import setting, sources
from .pipelines import COUNTS
from .project_samplers import asks_rank, chosen_by_rank, divides, given_by, length_of_all
from .shuffling import LISTINGS, SHUFFLED, data_sets
from .source import Source, once_each
from .syntax import called_name, walk
from .training_data import given
from .training_seen import is_foreign
from .training_steps import devices, on_cpu
from .values import (
    Call,
    Function,
    Instance,
    Items,
    KnownValue,
    Many,
    Mapping,
    Test,
    UnknownValue,
    Value,
    integer_of,
    is_known,
    is_none,
    is_slice,
    options,
)

#: Calls whose result does not depend on the order of what they are given, beside all whose name mentions sorting.
_ORDERLESS = frozenset(
    (
        "len",
        "sum",
        "max",
        "min",
        "any",
        "all",
        "in",
        "==",
        "!=",
        "isinstance",
        "numpy.unique",
        "numpy.sum",
        ".count",
        "@shape",
    )
)
_SPLITS = frozenset(("train_test_split",))
#: What stands between the last argument of a call and the end of the call; first the parentheses around the argument.
_CLOSES = re.compile(rb"((?:\s*\))*)\s*(?:,\s*)?(?:#[^\n]*\n\s*)*\)")
_CONTENT = ("source", "data", "dataset_files", "dataset_file", "dataset_dir", "annotation_file", "sampler")


@dataclass(frozen=True)
class Observation:
    """One thing to say: a code, its place, what fills the message, and the lines that mend it."""

    code: str
    source: Source
    node: ast.AST
    data: dict[str, Any] = field(default_factory=dict)
    diff: str | None = None
    likely: bool = False  # rests on a value that a run may change, or on code that this run does not get to


def examine(reading: Reading, modules: list[Source], devices: int | None) -> list[Observation]:
    """What a training script does about its shards. `devices`: how many the case says there are."""
    found = once_each(_Sharding(reading, modules, devices).say())
    constant = {id(one.node) for one in found if one.code == "constant-shard"}
    return [one for one in found if one.code != "shard-written" or id(one.node) not in constant]


class _Sharding:
    def __init__(self, reading: Reading, modules: list[Source], devices: int | None) -> None:
        self.reading, self.trace, self.modules, self.devices = reading, reading.trace, modules, devices
        self.source = reading.source
        self.deployment = ranks.deployment(reading.trace)
        self.data = data_sets(reading.trace)
        self.sorted = {
            id(part) for call in reading.trace.calls if call.name == ".sort" for part in _with_elements(call.base)
        }

    @cached_property
    def random(self) -> seeding.Randomness:
        return seeding.read(self.trace, [])

    def of_origins(self, whole: Call | None) -> Iterator[Observation]:
        """What there is to say of each constructor that can give a device its part. `whole`: what has each step take the whole batch."""
        seen: set[int] = set()
        for _, chain in self.data.sets():
            for origin in self.where_rows_come_from(chain):
                known = self.data.known.sources.get(origin.last)
                if known is None or id(origin) in seen:
                    continue
                seen.add(id(origin))
                if "num_shards" in known.parameters:
                    yield from self.of(origin, chain, known.parameters, whole)

    def say(self) -> Iterator[Observation]:
        start = self.deployment.distributed
        many = start is not None or (self.devices or 0) > 1
        whole = self.deployment.whole_batch
        if self.devices == 1 and start is None:
            yield Observation("single", self.source, self.source.tree)
            return
        yield from self.unreached()
        yield from self.first_part()
        told = list(self.of_origins(whole))
        yield from told
        if not told and many and whole is not None:
            yield Observation("whole-batch", whole.source, whole.node)
        elif not told and many:
            yield from self.cut()
            place = start or None
            yield Observation(
                "no-dataset", place.source if place else self.source, place.node if place else self.source.tree
            )
        elif not told:
            yield Observation("single", self.source, self.source.tree)

    def where_rows_come_from(self, chain: list[Call]) -> Iterator[Call]:
        """The data sets of MindSpore at the beginning of a chain: of a generator that reads others, these."""
        for origin in chain:
            if self.is_source(origin):
                given = origin.args[:1] if origin.api == "dataset.GeneratorDataset" else []
                read = (part for value in given for part in sources(value, setting) if isinstance(part, Call))
                yield from [part for part in read if self.is_source(part)] or [origin]

    def is_source(self, call: Call) -> bool:
        return call.name.startswith("mindspore.") and call.last in self.data.known.sources

    def of(self, origin: Call, chain: list[Call], parameters: list[str], whole: Call | None) -> Iterator[Observation]:
        tests = ranks.tests_of(origin)
        if (other := self.on_another_target(tests)) is not None and self.deployment.beside(other):
            tests = other
        branch, start = self.branch(tests), self.deployment.beside(tests)
        many = start is not None or (self.devices or 0) > 1
        if branch is False or on_cpu(tests):
            return
        data: dict[str, Any] = {"dataset": origin.last}
        count, index = _given(origin, parameters, "num_shards"), _given(origin, parameters, "shard_id")
        for option in self.data.samplers(origin, parameters):
            if isinstance(option, Call) and option.api == "dataset.DistributedSampler":
                count = option.argument(["num_shards", "shard_id"], "num_shards")
                index = option.argument(["num_shards", "shard_id"], "shard_id")
        if _one(count):
            yield from self.undivided(origin, chain, parameters, whole, tests, count)
            return
        if not many and _undivided(count):
            return
        if (place := self.single_elsewhere(tests, count)) is not None:
            told = data | {"start": ranks.started(place)}
            yield Observation("shards-on-one-kind", origin.source, origin.node, told, likely=True)
        fixed = [option.value for option in options(index) if isinstance(option, KnownValue) and not option.assumed]
        if index is not None and len(fixed) == len(options(index)):
            if branch is True or many or not ranks.constant(count):
                value = next((v for v in fixed if v is not None), None)
                yield Observation("constant-shard", origin.source, origin.node, data | {"value": value})
                return
        elif "device" in (held := ranks.kinds(index)) and "rank" not in held:
            yield Observation("shard-by-device", origin.source, origin.node, data)
        else:
            yield self.divided(origin, count, index, data)
        yield from self.order(origin, parameters, data)

    def undivided(
        self,
        origin: Call,
        chain: list[Call],
        parameters: list[str],
        whole: Call | None,
        tests: tuple[Test, ...],
        count: Value | None,
    ) -> Iterator[Observation]:
        """A data set without shards of MindSpore's own."""
        data: dict[str, Any] = {"dataset": origin.last}
        samplers = self.own_samplers(origin, parameters)
        if self.by_rank(chain, samplers) or any(asks_rank(self.trace, one) for one in samplers):
            yield Observation("by-rank", origin.source, origin.node, data)
            yield from self.unclear(origin, parameters)
            yield from self.order(origin, parameters, data)
            return
        kept = (value for one in samplers for value in one.attributes.values())
        if any("device" in ranks.kinds(value, objects=False) for value in kept):
            yield Observation("shard-by-device", origin.source, origin.node, data)
            return
        perhaps_whole = self.deployment.perhaps_whole and whole is None and count is None
        unseen = origin.unpacked or self.sampled_elsewhere(origin, parameters) or self.may_know_rank(chain)
        if unseen or perhaps_whole:
            yield Observation("unresolved", origin.source, origin.node, data)
        elif whole is None:
            yield from self.whole_on_each(origin, chain, tests, count)

    def whole_on_each(
        self, origin: Call, chain: list[Call], tests: tuple[Test, ...], count: Value | None
    ) -> Iterator[Observation]:
        """A data set that each of several devices reads whole."""
        start = self.deployment.beside(tests)
        branch = self.branch(tests)
        if branch is not True and start is None and (self.devices or 0) < 2:
            return
        where = ranks.started(start) if start else ""
        diff = _sharded(origin) if count is None else None
        code = "no-shards" if where else "no-shards-here"
        if branch is not True and not self.feeds(chain):
            if self.only_counted(chain):
                return
            code = "aside"
        likely = branch is not True and self.may_be_single(where)
        yield Observation(code, origin.source, origin.node, {"dataset": origin.last, "start": where}, diff, likely)

    def may_be_single(self, where: str | dict[str, str]) -> bool:
        """Whether one device may be all there is: whoever starts the script decides what it does under a condition."""
        asked = isinstance(where, dict) and (self.devices or 0) < 2
        return not where or self.deployment.only_started or asked

    def branch(self, tests: tuple[Test, ...]) -> bool | None:
        """As of ranks, with what communication starts under as a condition for several devices."""
        found = ranks.branch(tests)
        return False if found is None and self.deployment.takes_alone(tests) else found

    def on_another_target(self, tests: tuple[Test, ...]) -> tuple[Test, ...] | None:
        """The conditions of a way that one device takes, and several take on another kind of device: beside `kind and several`. None
        for any other way."""
        found = []
        for test in tests:
            if test.taken is False and isinstance(test.node, ast.BoolOp) and isinstance(test.node.op, ast.And):
                others = [operand for operand in test.node.values if not self.deployment.fails_alone(operand)]
                kinds = [part for part in options(test.value) if devices(Test(part, False, test.node)) is not None]
                if len(kinds) == len(others) == 1 < len(test.node.values):
                    found.append(Test(kinds[0], False, others[0]))
                    continue
            found.append(test)
        return tuple(found) if found != list(tests) else None

    def single_elsewhere(self, tests: tuple[Test, ...], count: Value | None) -> Call | None:
        """Where communication starts for several devices of a kind that the number of shards is 1 or none for: it is asked for on
        another kind of device only."""
        sizes = _sizes(count) if _is_size_or_one(count) else []
        asked = [ranks.tests_of(size) for size in sizes]
        for size, way in (
            (s, way) for s, under in zip(sizes, asked, strict=True) for way in self.on_other_kinds(tests, under)
        ):
            start = self.deployment.beside(way)
            if start is not None and not any(ranks.together(other, way) for other in asked) and _has_value(size, way):
                return start
        return None

    def on_other_kinds(self, tests: tuple[Test, ...], under: tuple[Test, ...]) -> Iterator[tuple[Test, ...]]:
        """The ways on which what stands `under` conditions does not come, for the kind of device alone."""
        for place, test in enumerate(under):
            if test in tests or test.taken is not True:
                continue
            before = tuple(each for each in under[:place] if each not in tests)
            beside = (*tests, *before, Test(test.value, False, test.node))
            way = self.on_another_target(beside) or (beside if devices(beside[-1]) is not None else ())
            if (
                way and not on_cpu(way) and ranks.together(way, way)
            ):  # a function stands under its caller's conditions once more
                yield way

    def divided(self, origin: Call, count: Value | None, index: Value | None, data: dict[str, Any]) -> Observation:
        """Whether the devices together read all parts of a data set."""
        if ranks.kinds(count) == {"rank"} and ranks.kinds(index) == {"size"}:
            return Observation("shards-exchanged", origin.source, origin.node, data, likely=_by_name(count, index))
        parts = ranks.parts(count, index)
        on_one = ranks.parts(count, index, one_machine=True)
        by_device = parts is None and on_one is not None and not on_one.complete  # wrong whichever machine has it
        parts = on_one if by_device else parts
        if parts is None:
            return Observation("part-unclear", origin.source, origin.node, data)
        if parts.complete:
            return Observation("sharded", origin.source, origin.node, data)
        shown = {"devices": len(parts.read), "parts": parts.count, "read": ", ".join(map(str, parts.read[:16]))}
        return Observation(
            "parts-unread", origin.source, origin.node, data | shown, likely=by_device or _by_name(index)
        )

    def feeds(self, chain: list[Call]) -> bool:
        """True for data that a network is fed with, as far as that is to be seen: batched, or given to a Model."""
        users = [user for call in chain for user, _ in self.data.uses.consumers[id(call)]]
        return any(call.name in BATCHES for call in chain) or any(
            user.name in (".train", ".fit") or user.api in ("DatasetHelper", "data_sink") for user in users
        )

    def only_counted(self, chain: list[Call]) -> bool:
        """True for data of which nothing is read but how many there are, and in what shapes."""
        users = [user for call in chain for user, _ in self.data.uses.consumers[id(call)] if user not in chain]
        asked = [user for user in users if user.last in COUNTS]
        return bool(asked) and len(asked) == len(users)

    def by_rank(self, chain: list[Call], samplers: Sequence[Value]) -> bool:
        """True when the data themselves are chosen by rank: a path, a list, a sampler of one's own, .take() and the like, or by what a
        function gives that each row or batch goes through. A sampler counts where it is given the rank, not where it only names one."""
        given = [value for call in chain for value in (*call.args, *call.keywords.values())]
        held = [value for value in given if value not in samplers]
        functions = (part for value in held for part in _with_elements(value) if isinstance(part, Function))
        made = (given_by(self.trace, function) for function in functions)
        return any("rank" in ranks.kinds(one) for one in samplers) or chosen_by_rank(self.trace, [*held, *made])

    def may_know_rank(self, chain: list[Call]) -> bool:
        """True where code out of sight makes the data from a configuration that holds the rank among its settings."""
        given = (
            option for call in chain for value in (*call.args, *call.keywords.values()) for option in options(value)
        )
        made = (one for one in given if isinstance(one, Call) and (is_foreign(one) or one.name == ""))
        return any(one.result is None and "rank" in ranks.kinds(one) for one in made)

    def sampled_elsewhere(self, origin: Call, parameters: list[str]) -> bool:
        """True for a sampler out of sight, which may ask for the number of the device itself."""
        hidden = (one.of.find("__iter__") is None for one in self.own_samplers(origin, parameters))
        samplers = self.data.samplers(origin, parameters)
        return any(hidden) or any(isinstance(option, Call) and is_foreign(option) for option in samplers)

    def own_samplers(self, origin: Call, parameters: list[str]) -> list[Instance]:
        return [option for option in self.data.samplers(origin, parameters) if isinstance(option, Instance)]

    def unclear(self, origin: Call, parameters: list[str]) -> Iterator[Observation]:
        """Samplers of the project that get the number of the device, and are not seen to divide by it."""
        for sampler in self.own_samplers(origin, parameters):
            length = sampler.of.find("__len__")
            counted = length_of_all(self.trace, sampler)
            if counted is not None and isinstance(length, Function):
                yield Observation("sampler-length", length.source, counted, {"sampler": sampler.of.node.name})
            elif not divides(self.trace, sampler):
                yield Observation("sampler-unclear", origin.source, origin.node, {"sampler": sampler.of.node.name})

    def cut(self) -> Iterator[Observation]:
        """Lists of files in any order of which the steps get some by their places: no data set of MindSpore divides them."""
        for value in (value for _, values in given(self.reading) for value in values):
            for part in sources(value, self.settles):
                listing = self.listed(part) if isinstance(part, Call) and _takes_some(part) else None
                if listing is not None and isinstance(part, Call):
                    told = {"path": part.source.path, "line": part.line, "call": listing.last}
                    text = part.source.segment(part.node, 60) if isinstance(part.node, ast.expr) else listing.last
                    yield Observation(
                        "cut-unsorted", listing.source, listing.node, told | {"part": text}, _in_order(listing)
                    )

    def listed(self, part: Call) -> Call | None:
        """The listing that a list is, or is made of element by element, in the order that it has."""
        value: Value | None = part
        for _ in range(20):
            if not isinstance(value, Call) or id(value) in self.sorted:
                return None
            if value.name in LISTINGS - {"os.walk", "os.fwalk"}:
                return value
            if value.name == "comprehension":
                value = value.args[-1]
            elif value.name in ("list", "tuple") and value.args:
                value = value.args[0]
            else:
                value = value.base if value.name == ".copy" or _takes_some(value) else None
        return None

    # --- what the shards are cut from -----------------------------------------------------------------------------------

    def order(self, origin: Call, parameters: list[str], data: dict[str, Any]) -> Iterator[Observation]:
        """The order of what is cut into shards must be the same on every device."""
        given = [value for name in _CONTENT if name in parameters and (value := origin.argument(parameters, name))]
        content = [value for value in given if not self.is_sorted_by(origin, value)]
        held: dict[int, Value] = {}
        for value in content:
            if not self.settles(value):
                held.update({id(part): part for part in sources(value, self.settles) if id(part) not in held})
        for part in held.values():
            listed = isinstance(part, Call) and part.name in LISTINGS and id(part) not in self.sorted
            if isinstance(part, Call) and listed and part.order < origin.order:
                place = {"path": origin.source.path, "line": origin.line, "call": part.last}
                yield Observation("unsorted", part.source, part.node, data | place, _in_order(part))
        everything = {id(part) for value in content for part in sources(value)}
        for call in self.trace.calls:
            if call.order > origin.order:
                break
            kind = self.mixes(call, everything)
            if kind is not None and not self.seeded(call, kind):
                yield Observation("shuffled-apart", call.source, call.node, data | {"call": seeding.text_of(call)})
        state = self.data.states.get(id(origin))
        if state is not None and state.order == SHUFFLED:
            for seed in self.random.seeds:
                if "data" in seed.reaches and "rank" in ranks.kinds(seed.value) and seed.call.order < origin.order:
                    told = data | {"call": seeding.text_of(seed.call)}
                    yield Observation("seed-by-rank", seed.call.source, seed.call.node, told)

    def is_sorted_by(self, origin: Call, files: Value) -> bool:
        """Whether a data set puts the files of a list in the order of their names itself, and the list is of all files in any order."""
        known = self.data.known.sources.get(origin.last)
        chosen = (part for part in sources(files) if isinstance(part, Call))
        return known is not None and known.sorts and not any(_takes_some(p) or p.name in DRAWS_ONCE for p in chosen)

    def settles(self, value: Value) -> bool:
        """True for what brings its elements into one order, or does not depend on it."""
        if id(value) in self.sorted or _is_one_file(value):
            return True
        return isinstance(value, Call) and ("sort" in value.last.lower() or value.name in _ORDERLESS)

    def mixes(self, call: Call, everything: set[int]) -> str | None:
        """The generator that a call brings the elements of what is cut into shards into an order with."""
        if call.name in IN_PLACE:
            if any(id(part) in everything for arg in call.args[:1] for part in _with_elements(arg)):
                return shared_generator(call.name)
        elif id(call) in everything and (call.name in DRAWS_ONCE or _chooses_once(call)):
            return shared_generator(call.name)
        elif id(call) in everything and call.last in _SPLITS and call.name.startswith("sklearn."):
            state = call.keywords.get("random_state")
            return None if state is not None and not isinstance(state, KnownValue) else self.split_kind(call)
        return None

    @staticmethod
    def split_kind(call: Call) -> str | None:
        state, shuffle = call.keywords.get("random_state"), call.keywords.get("shuffle")
        fixed = isinstance(state, KnownValue) and state.value is not None
        return None if fixed or is_known(shuffle, False) else "numpy"

    def seeded(self, call: Call, kind: str) -> bool:
        """True when a seed that is the same on every device was set before."""
        if self.random.elsewhere:
            return True
        before = [seed for seed in self.random.seeds if kind in seed.reaches and seed.call.order < call.order]
        return bool(before) and "rank" not in ranks.kinds(before[-1].value)

    # --- code that this run does not get to ------------------------------------------------------------------------------

    def unreached(self) -> Iterator[Observation]:
        """Branches for several devices that a constant of the script turns off now: what they would do counts all the same."""
        visited = {id(call.node) for call in self.trace.calls}
        for source in self.modules:
            for node in source.nodes_of(ast.If):
                for body, other, taken in ((node.body, node.orelse, True), (node.orelse, node.body, False)):
                    if ranks.way(node.test, taken) is not True:
                        continue
                    made = list(self.constructors(body))
                    if not made or not list(self.constructors(other)):
                        continue
                    if any(_mentions_shards(call) for call, _ in made):
                        continue  # what is divided is trained on; what is not beside it may be for evaluation
                    for call, name in made:
                        if id(call) not in visited:
                            yield Observation(
                                "no-shards-here", source, call, {"dataset": name, "start": ""}, likely=True
                            )

    def first_part(self) -> Iterator[Observation]:
        """Data sets with parts whose number is computed or handed over, and of which one is taken by a number that is written there."""
        traced = {id(call.node): call.keywords.get("shard_id") for call in self.trace.calls}
        for source in self.modules if any(map(_speaks_of_ranks, self.modules)) else ():
            for call, name in self.constructors(source.tree.body):
                given = {keyword.arg: keyword.value for keyword in call.keywords}
                count, index = given.get("num_shards"), given.get("shard_id")
                written = _written(index, traced.get(id(call)))
                if type(written) is int and isinstance(count, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)):
                    told = {"dataset": name, "count": ast.unparse(count)[:80], "value": written}
                    yield Observation("shard-written", source, call, told)

    def constructors(self, body: list[ast.stmt]) -> Iterator[tuple[ast.Call, str]]:
        for statement in body:
            for node in walk(statement):
                if isinstance(node, ast.Call):
                    name = called_name(node)
                    known = self.data.known.sources.get(name)
                    if known is not None and "num_shards" in known.parameters:
                        yield node, name


def _takes_some(value: Call) -> bool:
    """True for a slice that leaves something out."""
    key = value.args[0] if value.name == "[]" and value.args else None
    bounds = key.args if is_slice(key) else []
    return any(not is_none(bound) for bound in bounds[:2])


def _with_elements(value: Value | None, depth: int = 0) -> Iterator[Value]:
    """A list, and what is in it: an element is followed by itself once it is taken out."""
    for part in options(value):
        if isinstance(part, KnownValue):
            continue
        yield part
        inner = part.items if isinstance(part, Items) else []
        if isinstance(part, Call) and part.name == "comprehension":
            inner = part.args[:1]
        if depth < 3:
            for element in inner[:100]:
                yield from _with_elements(element, depth + 1)


def _given(origin: Call, parameters: list[str], name: str) -> Value | None:
    """What a data set is told, also by one of several dicts of which the others leave its default, None."""
    direct = origin.argument(parameters, name)
    unpacked = options(origin.keywords.get("**")) if direct is None else ()
    told = [option.items.get(name) for option in unpacked if isinstance(option, Mapping) and option.fed is None]
    if len(told) < len(unpacked) or not any(told):
        return direct
    return Many(tuple(value or KnownValue(None) for value in told))


def _one(count: Value | None) -> bool:
    """True for no number of shards, or one; not for an option that is one by default."""
    return all(isinstance(o, KnownValue) and o.value in (None, 1) and not o.assumed for o in options(count))


def _sizes(count: Value | None) -> list[Call]:
    """Where a number of shards is asked for."""
    return [part for part in sources(count) if isinstance(part, Call) and ranks.is_size(part)]


def _has_value(size: Call, way: tuple[Test, ...]) -> bool:
    """Whether the name that a number of shards is assigned to has a value on a way: one that is assigned on other ways alone has none, and
    the script ends there."""
    body = size.frame.function.node if size.frame is not None else size.source.tree
    given = [
        node
        for node in walk(body)
        if isinstance(node, ast.Assign)
        and any(
            isinstance(part, ast.Name) and part.id in size.bound for target in node.targets for part in walk(target)
        )
    ]
    return not given or any(ranks.together(_ways_around(body, node, size), way) for node in given)


def _ways_around(body: ast.AST, node: ast.AST, size: Call) -> tuple[Test, ...]:
    """The ways of the if statements of a function that a node stands in."""
    branches = [branch for branch in walk(body) if isinstance(branch, ast.If)]
    blocks = [
        (each.test, block, taken) for each in branches for block, taken in ((each.body, True), (each.orelse, False))
    ]
    within = (
        (test, taken) for test, block, taken in blocks if any(part is node for held in block for part in walk(held))
    )
    return tuple(Test(size, taken, test) for test, taken in within)


def _is_size_or_one(count: Value | None) -> bool:
    """True for the number of devices on one way, and one or none on another; what an unknown call gives is neither."""
    single = [_one(option) for option in options(count)]
    return any(single) and all(one or _sizes(option) for one, option in zip(single, options(count), strict=True))


def _undivided(count: Value | None) -> bool:
    """True for one part, also where it is the default of a parameter that no caller gives."""
    return all(
        isinstance(o, KnownValue) and o.value in (None, 1) and o.assumed in (None, "parameter") for o in options(count)
    )


def _speaks_of_ranks(source: Source) -> bool:
    return "get_rank" in source.text or "get_group_size" in source.text or "RANK_" in source.text


def _by_name(*values: Value | None) -> bool:
    """Whether that a value is of a rank or a number of devices is told by what it is called alone."""
    parts = (part for value in values for part in sources(value))
    return any(isinstance(part, UnknownValue) or (isinstance(part, KnownValue) and part.assumed) for part in parts)


def _written(node: ast.expr | None, value: Value | None) -> object:
    """The constant that an argument is: there, or among the constants of a class or a dict, which no setting of the run decides."""
    if isinstance(node, ast.Constant):
        return node.value
    fixed = isinstance(value, KnownValue) and value.origin is None and not value.deciders
    return (
        value.value
        if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(value, KnownValue) and fixed
        else None
    )


def _mentions_shards(call: ast.Call) -> bool:
    for keyword in call.keywords:
        if keyword.arg in (None, "num_shards", "sampler", "shard_id"):
            return True
    return any(
        "rank" in text.lower() for node in walk(call) if (text := getattr(node, "id", getattr(node, "attr", "")))
    )


def _imported_for_ranks(source: Source) -> dict[str, str]:
    """The functions of mindspore.communication that a file imports, and what it calls each."""
    imported = [
        alias
        for part in source.nodes_of(ast.ImportFrom)
        if (part.module or "").startswith("mindspore.communication")
        for alias in part.names
    ]
    return {alias.name: alias.asname or alias.name for alias in reversed(imported)}


def _sharded(origin: Call) -> str | None:
    """The constructor with its shards, where the functions for them are imported in its file."""
    node, source = origin.node, origin.source
    imported = _imported_for_ranks(source)
    rank, size = imported.get("get_rank"), imported.get("get_group_size")
    if rank is None or size is None or not isinstance(node, ast.Call) or origin.unpacked:
        return None
    if not (node.args or node.keywords) or any(isinstance(arg, ast.Starred) for arg in node.args):
        return None
    last = max(
        (*node.args, *(keyword.value for keyword in node.keywords)), key=lambda a: (a.end_lineno, a.end_col_offset)
    )
    return _inserted(source, node, last, f", num_shards={size}(), shard_id={rank}()")


def _inserted(source: Source, call: ast.Call, last: ast.expr, text: str) -> str | None:
    """The call with more behind its last argument, and behind the parentheses around that, which are not part of its node."""
    if last.end_lineno is None or call.end_lineno is None or call.end_lineno > len(source.lines):
        return None
    lines = [line.encode() for line in source.lines[last.end_lineno - 1 : call.end_lineno]]
    lines[-1] = lines[-1][: call.end_col_offset]
    rest = _CLOSES.fullmatch(b"\n".join(lines)[last.end_col_offset :])
    if rest is None:
        return None
    closed = rest[1].split(b"\n")
    line, column = last.end_lineno + len(closed) - 1, len(closed[-1])
    if len(closed) == 1:
        column += last.end_col_offset or 0
    old = source.lines[line - 1].encode()
    return source.diff(line, (old[:column] + text.encode() + old[column:]).decode())


def _chooses_once(call: Call) -> bool:
    """Whether numpy.random.choice is told to draw without replacement."""
    replaces = call.argument(["a", "size", "replace"], "replace")
    return call.name == "numpy.random.choice" and isinstance(replaces, KnownValue) and not replaces.value


def _is_one_file(value: Value) -> bool:
    """Whether a value is the file at one place of a listing, as of a pattern that only one fits."""
    if not isinstance(value, Call) or value.name != "[]" or not isinstance(value.base, Call) or not value.args:
        return False
    return value.base.name in LISTINGS and integer_of(value.args[0]) is not None


def _in_order(listing: Call) -> str | None:
    """The listing within sorted(...), where that gives one order: os.walk and os.scandir want more than that."""
    node, source = listing.node, listing.source
    if listing.name in ("os.walk", "os.scandir", "os.fwalk") or not isinstance(node, ast.Call):
        return None
    if node.lineno != node.end_lineno or node.end_col_offset is None or node.lineno > len(source.lines):
        return None
    old = source.lines[node.lineno - 1].encode()
    inner = old[node.col_offset : node.end_col_offset]
    try:
        if ast.dump(ast.parse(inner.decode(), mode="eval").body) != ast.dump(node):
            return None
    except (SyntaxError, ValueError):
        return None
    new = old[: node.col_offset] + b"sorted(" + inner + b")" + old[node.end_col_offset :]
    return source.diff(node.lineno, new.decode())
