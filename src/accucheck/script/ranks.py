"""Whether a script runs on several devices, and what depends on which of them it runs on: ranks, sizes, branches."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache, partial

from .effects import describes
from .flow import setting, sources
from .syntax import kept
from .trace import Store, Trace
from .training import MANY_DEVICES
from .values import (
    Call,
    Frame,
    Instance,
    KnownValue,
    Many,
    Mapping,
    NamedValue,
    Test,
    UnknownValue,
    Value,
    deciders_of,
    frames_around,
    is_known,
    is_none,
    options,
    string_of,
)

#: What only has a value where there are several devices.
_OWN = re.compile(r"^(local_?|global_?)?(rank|shard)(_?(id|index))?$", re.IGNORECASE)
_RANK_NAME = re.compile(r"^(local_?|global_?|dp_?|data_?)?rank(_?id)?$|^rank_?index$", re.IGNORECASE)
_SIZE_NAME = re.compile(
    r"^(rank|world|group|dp|device|data)_?(size|nums?|count)$|^num_?(devices|shards|ranks)$|^device_?nums?$",
    re.IGNORECASE,
)
#: An option that is 0 or 1 says whether there are several devices; a number says how many there are.
_FLAG = re.compile(r"distribut|^(is|use|run|do|enable|with)_", re.IGNORECASE)
_COUNT = re.compile(r"num|count|size|(device|card|gpu|npu|node|rank|shard)s$", re.IGNORECASE)
#: What the functions are called that give the number of devices, that of this process and the device it has.
_CALLS = {
    "size": re.compile(r"(^|[._])get_(group_size|device_num|rank_size|world_size|local_rank_size|num_devices)$"),
    "rank": re.compile(r"(^|[._])(get_)?(local_|global_)?rank(_id|_num)?$"),
    "device": re.compile(r"(^|[._])get_device_id$"),
}
#: And the environment variables.
_VARIABLES = {
    "rank": frozenset(("RANK_ID", "RANK", "LOCAL_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "MS_RANK_ID")),
    "size": frozenset(("RANK_SIZE", "WORLD_SIZE", "DEVICE_NUM", "OMPI_COMM_WORLD_SIZE", "MS_WORKER_NUM")),
    "device": frozenset(("DEVICE_ID", "ASCEND_DEVICE_ID", "CUDA_VISIBLE_DEVICES")),
}
#: What hides all devices from a process but those that it names.
_VISIBLE_ENV = frozenset(("CUDA_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES"))
_STARTS = frozenset(("communication.init", "mint.distributed.init_process_group"))
_BROADCASTS = frozenset(("parameter_broadcast", "broadcast_parameters", "sync_params", "sync_parameters", "broadcast"))
_FALSE = ("false", "0", "no", "none", "")
#: With how many devices it is computed who reads which part, where the script does not say how many there are.
_SIZES = (2, 8)
_ARITHMETIC = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
}
#: Arithmetic is followed into so many operations within each other.
_DEPTH = 20


def kinds(value: Value | None, objects: bool = True) -> set[str]:
    """Which of "rank", "size" and "device" a value is made of: the number of this process, how many there are, the device. `objects`:
    what an object or a dict holds counts for all that it gives."""
    found: set[str] = set()
    for option in options(value):
        for part in (option,) if setting(option) else sources(option, partial(_ends, objects=objects)):
            if (kind := _kind(part)) is not None:
                found.add(kind)
    return found


def _ends(value: Value, objects: bool) -> bool:
    """What is made of others and has none of their numbers: one setting out of many, and what only describes, such as a type."""
    return setting(value) or describes(value) or (not objects and _holds_settings(value))


def _holds_settings(value: Value) -> bool:
    """Whether a value is an object, a dict, or what is filled like one."""
    stored = value.writes if isinstance(value, Call) else ()
    by_name = any(isinstance(write.key, KnownValue) and isinstance(write.key.value, str) for write in stored)
    return by_name or isinstance(value, (Instance, Mapping))


def is_size(value: Value) -> bool:
    """True for what gives the number of devices."""
    return _kind(value) == "size"


def _kind(value: Value) -> str | None:
    if isinstance(value, UnknownValue):
        return _named(value.name)
    if not isinstance(value, Call):
        return None
    if (variable := environment(value)) is not None:
        return next((kind for kind, names in _VARIABLES.items() if variable in names), None)
    if value.name.startswith("@"):
        return _named(value.name[1:])
    key = value.args[0] if value.name == "[]" and value.args else None
    if (text := string_of(key)) is not None:
        return _named(text)
    of_module = value.base is None and "." in value.name
    if of_module or value.api.startswith(("communication.get_", "mint.distributed.get_", "comm_func.get_")):
        return _gives(value.name)
    return {".get_rank": "rank", ".get_rank_id": "rank", ".get_group_size": "size"}.get(value.name)


@lru_cache(maxsize=4096)
def _gives(name: str) -> str | None:
    """Which of "size", "rank" and "device" a function gives."""
    return next((kind for kind, called in _CALLS.items() if called.search(name)), None)


@dataclass(frozen=True)
class Parts:
    """What the devices read of data in `count` parts, numbered from 0: rank i reads the part `read[i]`."""

    count: int
    read: tuple[int, ...]

    @property
    def complete(self) -> bool:
        """Whether the devices read all the parts, and no part that there is not."""
        return set(self.read) == set(range(self.count))


def parts(count: Value | None, index: Value | None, one_machine: bool = False) -> Parts | None:
    """What the devices read where `count` parts are made and each takes the part `index`: complete where some number of devices that
    the script names makes it so, or else any number. None where that cannot be computed from the rank and the number of devices, and
    where it hangs on that number. `one_machine`: the number of a device there is that of its process."""
    found = []
    named = _named_sizes(count)
    for size in named or _SIZES:
        each = [{"rank": rank, "size": size, **({"device": rank} if one_machine else {})} for rank in range(size)]
        made, read = _computed(count, each[0]), [_computed(index, given) for given in each]
        if made is None or made < 1 or None in read:
            return None
        found.append(Parts(int(made), tuple(int(number) for number in read if number is not None)))
    if not named and len({one.complete for one in found}) > 1:
        return None  # as of a rank modulo 8, which is right on one machine
    return max(found, key=lambda one: (one.complete, len(one.read)))


def _named_sizes(count: Value | None) -> list[int]:
    """The numbers of devices that the script names itself."""
    constants = [
        computed for option in options(count) if (computed := _computed(option, {"rank": 0, "size": 0})) is not None
    ]
    return [int(number) for number in constants if 1 < number <= 1 << 10]


def _computed(value: Value | None, known: dict[str, int], depth: int = 0) -> float | None:
    """The number that a value is where the quantities of kinds() are as `known`. A constant beside what is computed is for a single
    device."""
    found = options(value)
    computed = [
        option for option in found if not isinstance(option, KnownValue) or _quantity(option) is not None
    ] or found
    numbers = {_option_computed(option, known, depth) for option in computed} if depth < _DEPTH else set()
    return numbers.pop() if len(numbers) == 1 else None


def _option_computed(option: Value, known: dict[str, int], depth: int) -> float | None:
    if (kind := _quantity(option)) is not None:
        return known.get(kind)
    if isinstance(option, KnownValue):
        return _own_number(option)
    if not isinstance(option, Call):
        return None
    numbers = [_computed(part, known, depth + 1) for part in option.args]
    given = [number for number in numbers if number is not None]
    if len(given) != len(numbers):
        return None
    if option.name == "int" and len(given) == 1:
        return int(given[0])
    if option.name not in _ARITHMETIC or len(given) != 2 or (given[1] == 0 and option.name in ("/", "//", "%")):
        return None
    return float(_ARITHMETIC[option.name](*given))


def _own_number(constant: KnownValue) -> float | None:
    """The number that the script itself gives."""
    return constant.value if type(constant.value) in (int, float) and not constant.assumed else None


def _quantity(option: Value) -> str | None:
    """Which of "rank", "size" and "device" a value is, an option of the command line by its name."""
    return _named(option.name) if isinstance(option, KnownValue) and option.assumed else _kind(option)


def _named(name: str) -> str | None:
    return "rank" if _RANK_NAME.match(name) else "size" if _SIZE_NAME.match(name) else None


def names_rank(name: str) -> bool:
    """Whether a variable or a function is called as the number of this process is."""
    return _named(name) == "rank" or _CALLS["rank"].search(name) is not None or name in _VARIABLES["rank"]


def environment(value: Call) -> str | None:
    """The environment variable that a value is read from."""
    if value.name in ("os.getenv", "os.environ.get") or (
        value.name == "[]" and isinstance(value.base, NamedValue) and value.base.name == "os.environ"
    ):
        key = value.args[0] if value.args else None
        return string_of(key)
    return None


def way(node: ast.expr, taken: bool) -> bool | None:
    """True for a way of a condition that only several devices take, False for one that a single device takes too."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return way(node.operand, not taken)
    if isinstance(node, ast.BoolOp):
        parts = [way(part, taken) for part in node.values]
        if isinstance(node.op, ast.And) is taken:  # all of them hold, or none of them
            return True if True in parts else False if False in parts else None
        return False if False in parts else True if None not in parts else None
    if not taken and _always(node):
        return False
    many = _says_many(node)
    return None if many is None else many is taken


def _always(node: ast.expr) -> bool:
    """True for a condition on the number of devices that holds on one as on many: that it is greater than 0."""
    if not (isinstance(node, ast.Compare) and len(node.ops) == 1 and MANY_DEVICES.search(_subject(node.left))):
        return False
    kind, right = node.ops[0], node.comparators[0]
    least = 0 if isinstance(kind, (ast.Gt, ast.NotEq)) else 1 if isinstance(kind, ast.GtE) else None
    return isinstance(right, ast.Constant) and type(right.value) is int and right.value == least


#: The comparisons with their sides exchanged.
_TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE}


def _says_many(node: ast.expr) -> bool | None:
    """True for a condition that holds on several devices only, False for one that holds on one device only."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return _compares_many(node)
    if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) and MANY_DEVICES.search(_subject(node)):
        return True
    return None


def _compares_many(node: ast.Compare) -> bool | None:
    """The same of a comparison: of the parallel mode, or of a number or flag with a constant."""
    left, right, kind = node.left, node.comparators[0], type(node.ops[0])
    if isinstance(left, ast.Constant):
        left, right, kind = right, left, _TURNED.get(kind, kind)
    subject = _subject(left)
    if "parallel_mode" in subject and kind in (ast.Eq, ast.NotEq, ast.In, ast.NotIn):
        text = ast.unparse(right).lower()
        told = "stand_alone" in text or "parallel" in text
        return ("stand_alone" not in text) is (kind in (ast.Eq, ast.In)) if told else None
    value = right.value if isinstance(right, ast.Constant) else ...
    about = MANY_DEVICES.search(subject) or (value is None and _OWN.search(subject))
    if value is ... or not about:
        return None
    if kind in (ast.Eq, ast.Is, ast.NotEq, ast.IsNot):
        many = _is_of_many(value, subject)
        return None if many is None else many is (kind in (ast.Eq, ast.Is))
    return _counts_many(kind, value) if isinstance(value, (int, float)) else None


def _is_of_many(value: object, subject: str) -> bool | None:
    """Whether what is asked about has this value on several devices, or on one."""
    if isinstance(value, (bool, type(None))):
        return bool(value)
    if isinstance(value, str):
        return value.lower() not in _FALSE if value.lower() in (*_FALSE, "true", "1", "yes") else None
    if not isinstance(value, int):
        return None
    return value == 1 if _FLAG.search(subject) and not _COUNT.search(subject) else value > 1


def _counts_many(kind: type[ast.cmpop], value: float) -> bool | None:
    """Whether a number of devices that is compared so is that of several, or of one."""
    several = (kind is ast.Gt and value >= 1) or (kind is ast.GtE and value > 1)
    single = (kind is ast.LtE and value == 1) or (kind is ast.Lt and value == 2)
    return True if several else False if single else None


def _literal(node: ast.expr) -> str | None:
    """The text that is written in this place."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _subject(node: ast.expr) -> str:
    """What a condition asks about: the last part of a name, without the calls around it."""
    while isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and not node.args and node.func.attr in ("lower", "upper", "strip"):
            node = node.func.value
            continue
        if node.args and isinstance(node.func, ast.Name) and node.func.id in ("int", "bool", "str", "str2bool"):
            node = node.args[0]
            continue
        if node.args and (text := _literal(node.args[0])) is not None:
            return text  # os.getenv("RANK_SIZE")
        return _subject(node.func)
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript):
        return _literal(node.slice) or ""
    return node.id if isinstance(node, ast.Name) else ""


def branch(tests: tuple[Test, ...]) -> bool | None:
    """True where only several devices come, False where a single device comes too, None where nothing says so."""
    ways = [
        way(_asked(test.node, test.value), test.taken)
        for test in (*tests, *(before for test in tests for before in _chose(test)))
        if test.taken is not None and isinstance(test.node, ast.expr)
    ]
    return False if False in ways else True if True in ways else None


def _chose(test: Test) -> Iterator[Test]:
    """What was decided where a condition asks for the result: `if sampler` behind `sampler = made() if several else None`."""
    value, given = _asked_for(test)
    made = [option for option in options(value) if not is_none(option)]
    if given is None or not isinstance(value, Many) or len(made) != 1 or len(value.options) == 1:
        return
    if isinstance(made[0], Call) and made[0].under:
        last = made[0].under[-1]
        yield last if given or last.taken is None else Test(last.value, not last.taken, last.node)


def _asked_for(test: Test) -> tuple[Value, bool | None]:
    """What a condition asks to be there, and whether it is: x and x is not None ask the same."""
    value = test.value
    if isinstance(value, Call) and value.name in ("==", "!=") and is_none(value.args[1]) and test.taken is not None:
        return value.args[0], test.taken is (value.name == "!=")
    return value, test.taken


def _asked(node: ast.expr, value: Value) -> ast.expr:
    """A condition with the number of devices by its usual name, whatever the script calls it."""
    if isinstance(node, ast.UnaryOp) and isinstance(value, Call) and value.name == "not":
        return ast.UnaryOp(node.op, _asked(node.operand, value.args[0]))
    if isinstance(node, ast.BoolOp):
        known = {id(option.node): option for option in options(value) if isinstance(option, Call)}
        return ast.BoolOp(
            node.op, [_asked(part, known[id(part)]) if id(part) in known else part for part in node.values]
        )
    if not (isinstance(node, ast.Compare) and isinstance(value, Call) and len(value.args) == 2 == len(node.ops) + 1):
        return node
    left, right = (
        ast.Name("device_num", ast.Load()) if _is_size(part) else written
        for written, part in zip((node.left, *node.comparators), value.args, strict=True)
    )
    return ast.Compare(left, node.ops, [right])


def _is_size(value: Value) -> bool:
    """True for the number of devices itself, or 1 where there is no group; what is computed from it is another number."""
    found = [option for option in options(value) if not (isinstance(option, KnownValue) and option.value == 1)]
    return bool(found) and all(
        _kind(option) == "size"
        or (isinstance(option, Call) and option.name == "int" and any(map(_is_size, option.args)))
        for option in found
    )


def together(one: tuple[Test, ...], other: tuple[Test, ...]) -> bool:
    """True unless two places exclude each other: they lie on different ways of the same condition."""
    facts = {}
    for test in one:
        facts.update(_facts(test))
    return all(facts.get(text, taken) is taken for test in other for text, taken in _facts(test).items())


def _facts(test: Test) -> dict[str, bool]:
    """What holds for sure where a condition was taken so: the text of each part of it, and whether that is true."""
    found: dict[str, bool] = {}
    queue = [(test.node, test.taken)]
    while queue:
        node, taken = queue.pop()
        if taken is None or not isinstance(node, ast.expr):
            continue
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            queue.append((node.operand, not taken))
        elif isinstance(node, ast.BoolOp):
            if isinstance(node.op, ast.And) is taken:
                queue += [(part, taken) for part in node.values]
        else:
            found[ast.unparse(node)[:300]] = taken
    if test.taken is not None and isinstance(test.value, KnownValue):  # whatever a function calls it
        if test.value.asked:
            found[test.value.asked] = test.taken
        if settings := deciders_of([test.value]):
            found[" ".join(f"{one.how} {one.name}" for one in settings)] = test.taken is bool(test.value.value)
    return found


def tests_of(call: Call) -> tuple[Test, ...]:
    """The undecided conditions around a call and around the calls of the functions it stands in, outermost first."""
    return (*frame_tests(call.frame), *call.under)


def started(start: Call) -> str | dict[str, str]:
    """Where communication starts, and under what condition: an option may be off as the script stands."""
    place = f"{start.source.path}:{start.line}"
    asked = [test.text if test.taken else f"not ({test.text})" for test in tests_of(start) if test.taken is not None]
    asked = [text for text in asked if MANY_DEVICES.search(text)] or asked
    text = next(iter(asked[::-1]), "")[:120]
    return {"en": f"{place}, if {text}", "zh": f"{place}，当 {text} 时"} if text else place


def frame_tests(frame: Frame | None) -> tuple[Test, ...]:
    return tuple(test for one in [*frames_around(frame)][::-1] for test in one.under)


@dataclass
class Deployment:
    """How a script runs on several devices. `starts`: where communication begins; `contexts`: settings of parallel modes;
    `asked`: where the number of a device, or how many there are, is asked for."""

    starts: list[Call] = field(default_factory=list)
    contexts: list[Call] = field(default_factory=list)
    asked: list[Call] = field(default_factory=list)
    broadcasts: list[Call] = field(default_factory=list)

    @property
    def distributed(self) -> Call | None:
        """What shows that the script is made for several devices."""
        return self.beside(())

    @property
    def only_started(self) -> bool:
        """True where communication starts, which one device can do alone, and nothing else is made for several."""
        return bool(self.starts) and not self.contexts and not self.asked

    def beside(self, tests: tuple[Test, ...]) -> Call | None:
        """A start of communication in the same run as what stands under these conditions."""
        started = (call for call in self.starts if branch(tests_of(call)) is not False)
        return next((call for call in started if together(tests_of(call), tests)), None)

    def fails_alone(self, operand: ast.expr) -> bool:
        """True for a condition that does not hold on a single device: by what it asks, or as communication starts under it only."""
        if way(operand, False) is False:
            return True
        text = ast.unparse(operand)[:300]
        held = [dict(fact for test in tests_of(start) for fact in _facts(test).items()) for start in self.starts]
        return bool(held) and all(facts.get(text) is True for facts in held)

    def takes_alone(self, tests: tuple[Test, ...]) -> bool:
        """True for a way that a single device takes, too: beside one for `several devices and something else`."""
        return any(
            test.taken is False and self.fails_alone(operand)
            for test in tests
            if isinstance(test.node, ast.BoolOp) and isinstance(test.node.op, ast.And)
            for operand in test.node.values
        )

    @property
    def whole_batch(self) -> Call | None:
        """The setting by which all devices take the same input."""
        for call in self.contexts:
            full = call.keywords.get("full_batch")
            if any(is_known(option, True) and not option.assumed for option in options(full)):
                return call
            strategy = call.keywords.get("dataset_strategy")
            for option in options(strategy):
                if isinstance(option, KnownValue) and option.value == "data_parallel":
                    continue
                if option is not None and not is_known(option, None):
                    return call
        return None

    @property
    def perhaps_whole(self) -> bool:
        """True when an option decides whether all devices take the same input."""
        given = [option for call in self.contexts for option in options(call.keywords.get("full_batch"))]
        return any(not isinstance(option, KnownValue) or option.assumed for option in given)

    def modes(self) -> Iterator[str]:
        for call in self.contexts:
            for option in options(call.argument(["device_num"], "parallel_mode")):
                text = (
                    option.name
                    if isinstance(option, NamedValue)
                    else option.value
                    if isinstance(option, KnownValue)
                    else ""
                )
                if isinstance(text, str):
                    yield text.rsplit(".", 1)[-1].lower()


@kept
def deployment(trace: Trace) -> Deployment:
    found = Deployment()
    if any(map(_leaves_one_device, trace.stores)):
        return found
    for call in trace.calls:
        if _kind(call) in ("rank", "size"):
            found.asked.append(call)
        if call.api in _STARTS:
            found.starts.append(call)
        elif call.api == "set_auto_parallel_context":
            found.contexts.append(call)
            given = call.keywords.get("parameter_broadcast")
            if any(is_known(option, True) for option in options(given)):
                found.broadcasts.append(call)
        elif call.last in _BROADCASTS or call.api in ("ops.Broadcast", "mint.distributed.broadcast"):
            found.broadcasts.append(call)
    return found


def _leaves_one_device(stored: Store) -> bool:
    """Whether a script hides all devices but one, whatever it is asked for."""
    key = stored.node.slice if isinstance(stored.node, ast.Subscript) else None
    named = isinstance(key, ast.Constant) and key.value in _VISIBLE_ENV
    at = isinstance(stored.owner, NamedValue) and stored.owner.name == "os.environ"
    given = stored.value
    if not (named and at) or stored.tests or not isinstance(given, KnownValue) or given.assumed:
        return False
    return isinstance(given.value, str) and given.value.strip().isdigit()


def constant(value: Value | None) -> bool:
    """True for a value that is a constant on each way."""
    found = options(value)
    return bool(found) and all(isinstance(option, KnownValue) for option in found)
