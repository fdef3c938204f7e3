"""What an expression of a script may stand for, as far as it can be told without running it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any, TypeGuard

from ..knowledge import names
from .source import Source, SourceNode
from .syntax import unparse


@dataclass(eq=False, slots=True)
class Value:
    """Base of all values; compared by identity."""


@dataclass(eq=False, slots=True)
class Test(Value):
    """A condition that could not be decided, and which of its ways was taken; None for a handler of an exception, and
    for one of several definitions that a call may run."""

    value: Value
    taken: bool | None
    node: ast.AST

    @property
    def text(self) -> str:
        return unparse(self.node)[:200] if isinstance(self.node, ast.expr) else "except"


@dataclass(eq=False, slots=True)
class Frame(Value):
    """One run of a function: the call that made it, what it was given and what it returned.

    `order` counts with that of the calls of the trace: what ran within it lies between `order` and `end`. `left`: as of Call.
    """

    function: Function
    node: ast.AST
    source: Source
    parent: Frame | None
    order: int
    tests: tuple[Test, ...] = ()
    loops: tuple[ast.AST, ...] = ()
    names: tuple[str, ...] = ()
    parameters: dict[str, Value] = field(default_factory=dict)
    returned: Value | None = None
    end: int = 0
    unseen: bool = False  # nobody is seen to call it with these arguments
    left: tuple[Test, ...] = ()

    @property
    def under(self) -> tuple[Test, ...]:
        """All conditions under which it runs."""
        return (*self.left, *self.tests)

    @property
    def owner(self) -> Value | None:
        """What self is."""
        return self.function.owner

    @property
    def given(self) -> dict[str, Any]:
        """The parameters that are constants for sure."""
        return {n: v.value for n, v in self.parameters.items() if isinstance(v, KnownValue) and not v.assumed}


def frames_around(frame: Frame | None) -> Iterator[Frame]:
    """A run of a function and those that called it, the innermost first."""
    while frame is not None:
        yield frame
        frame = frame.parent


def unseen(frame: Frame | None) -> bool:
    """True within a run of a function that nobody is seen to call."""
    return unseen_run(frame) is not None


def unseen_run(frame: Frame | None) -> Frame | None:
    """The outermost run of a function that nobody is seen to call around a place: what it does happens together, or not at all."""
    return next((one for one in [*frames_around(frame)][::-1] if one.unseen), None)


@dataclass(frozen=True, slots=True)
class ValueOrigin:
    """What decides a value in a run. `how`: "configuration" (`keys` lead to it in the file `place`), "command" (the option `name`), or
    "default" (of the option `name`, which is declared at `place`, a path and line as they are shown)."""

    how: str
    name: str
    value: Any
    place: str = ""
    keys: tuple[str | int, ...] = ()


#: So many are kept of what a constant was computed from.
DECIDERS = 4
#: Origins of a constant that the command of the run settles.
COMMANDED = ("command", "unset", "configured")


@dataclass(eq=False, slots=True)
class KnownValue(Value):
    """A constant. `origin` says where it comes from, if the script does not fix it: "argparse" (the default of an option),
    "parameter", "config", and of a run whose command is known "command" (given there), "unset" (left at its default there) or
    "configured" (of a configuration file that it loads); `name` what it is called; `asked` which option was compared with what, for
    the result of that; `deciders` say what decides it, as far as that was kept: see `deciders_of`."""

    value: Any
    origin: str | None = None
    name: str = ""
    asked: str = ""
    deciders: tuple[ValueOrigin, ...] = ()

    @property
    def assumed(self) -> str | None:
        """Why it may be another one at run time."""
        return None if self.origin in COMMANDED else self.origin


def deciders_of(values: Iterable[Value | None], limit: int = DECIDERS) -> tuple[ValueOrigin, ...]:
    """The settings of the run that constants are, or were computed from: the first of them."""
    found: list[ValueOrigin] = []
    for value in values:
        if isinstance(value, KnownValue):
            own = value.deciders
            if not own and value.origin in _HOW:
                own = (ValueOrigin(_HOW[value.origin], value.name, value.value),)
            found += [one for one in own if one not in found]
    return tuple(found[:limit])


#: How a constant of an origin is set.
_HOW = {"command": "command", "argparse": "default", "unset": "default"}


@dataclass(eq=False, slots=True)
class UnknownValue(Value):
    """Something that the script alone does not tell; `name` is what the script calls it, `held` what was set on it."""

    name: str = ""
    held: dict[Any, Value] | None = None


@dataclass(eq=False, slots=True)
class Rest(UnknownValue):
    """What more values there may be than are told apart: `of`, so that it is seen that they are used."""

    of: tuple[Value, ...] = ()


@dataclass(eq=False, slots=True)
class Index(UnknownValue):
    """The place of an element of `of`, counted from 0."""

    of: Value | None = None


@dataclass(eq=False, slots=True)
class Many(Value):
    """One of several, depending on a condition that could not be decided. `by`: they are the operands of this `and` or `or`;
    `when`: of functions, names and constants, the condition under which each is the one, where that is known."""

    options: tuple[Value, ...]
    by: ast.BoolOp | None = None
    when: tuple[Test, ...] = ()


@dataclass(frozen=True, eq=False, slots=True)
class Write:
    """Something stored in an array or list: at `key` by x[key] = value, or by the method `key` (a text) in a loop. `head` is what
    the innermost of the `loops` around it tests, or goes through, `under` the conditions under which it is done."""

    key: Value | str
    value: Value
    node: ast.AST
    source: Source
    frame: Frame | None
    loops: tuple[ast.AST, ...] = ()
    head: Value | None = None
    order: int = 0
    under: tuple[Test, ...] = ()


@dataclass(eq=False, slots=True)
class Items(Value):
    """A list, tuple or set as written. `open`: it was added to in a loop or on one way only, so the number is not known;
    `fixed`: a tuple, which += replaces by another; `writes`: what loops added; `start`: so many items of an open list stand where the
    list begins, whatever was added."""

    items: list[Value]
    open: bool = False
    fixed: bool = False
    writes: tuple[Write, ...] = ()
    start: int = 0


@dataclass(eq=False, slots=True)
class Words(Items):
    """Words of the command, or what they were sorted into, and numbers of a loop: a loop over them takes each in turn, as it is run."""


@dataclass(eq=False, slots=True)
class Members(Items):
    """A set as written: nothing says in which order a loop takes its elements."""


@dataclass(eq=False, slots=True)
class Mapping(Value):
    """A dict with constant keys as written; `fed` is what was stored under keys that are not known, `tests` the conditions that
    it is made under."""

    items: dict[Any, Value]
    fed: list[Value] | None = None
    tests: tuple[Test, ...] = ()


@dataclass(eq=False, slots=True)
class Numbering(Mapping):
    """A dict that was made of a list, as one that numbers its words: what is looked up under a key that is not known is made of that."""


@dataclass(eq=False, slots=True)
class NamedValue(Value):
    """A module, or something in a module that is not examined, by its full dotted name whatever its alias here.

    A relative name starts with dots and counts from `importer`.
    """

    name: str
    importer: Source | None = None


@dataclass(eq=False, slots=True)
class Function(Value):
    """A function, method or lambda of an examined script; `scope` is where it was defined, `owner` what self is."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    scope: Scope
    source: Source
    owner: Value | None = None
    of: Class | None = None  # the class that defines it
    decorators: tuple[Value, ...] = ()  # of a function that is not a method

    @property
    def name(self) -> str:
        return getattr(self.node, "name", "<lambda>")


@dataclass(eq=False, slots=True)
class Class(Value):
    node: ast.ClassDef
    attributes: dict[str, Value]
    bases: list[Value]
    source: Source

    def find(self, name: str, depth: int = 0) -> Value | None:
        """An attribute of the class or of its examined bases."""
        if name in self.attributes or depth > 10:
            return self.attributes.get(name)
        return self.above(name, depth)

    def above(self, name: str, depth: int = 0) -> Value | None:
        """What super() has under this name, as far as the bases are examined."""
        found = (base.find(name, depth + 1) for base in self.bases if isinstance(base, Class))
        return next((value for value in found if value is not None), None)

    def lineage(self, depth: int = 0) -> Iterator[Class]:
        """The class and its examined bases."""
        yield self
        for base in self.bases:
            if isinstance(base, Class) and depth < 10:
                yield from base.lineage(depth + 1)

    def methods(self) -> list[Function]:
        """The methods, those of bases included unless overridden."""
        found: dict[str, Function] = {}
        for of in self.lineage():
            for name, value in of.attributes.items():
                if isinstance(value, Function) and name not in found:
                    found[name] = value
        return list(found.values())

    def fields(self) -> list[str]:
        """The names annotated in its body: the parameters of a dataclass."""
        return [
            part.target.id
            for part in self.node.body
            if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
        ]

    def beyond(self, depth: int = 0) -> list[str]:
        """The full names of the bases that are not examined, nearest first."""
        found: list[str] = []
        for base in self.bases:
            if isinstance(base, Class) and depth < 10:
                found += base.beyond(depth + 1)
            elif isinstance(base, (NamedValue, Call)):
                found.append(base.name)
        return found


@dataclass(eq=False, slots=True)
class Definitions(Mapping):
    """What a module defines, by its name; what it imports is asked of `module`."""

    module: NamedValue | None = None

    def selectable(self) -> list[Value]:
        """What a name out of sight may pick: functions and classes, but for those that another one of the module uses as a part or
        derives from."""
        defined = {name: value for name, value in self.items.items() if isinstance(value, (Class, Function))}
        used = {
            name: {node.id for node in ast.walk(value.node) if isinstance(node, ast.Name)}
            for name, value in defined.items()
        }
        parts = {name for name in defined for other, names in used.items() if name in names and other != name}
        return [value for name, value in defined.items() if name not in parts]


@dataclass(eq=False, slots=True)
class Instance(SourceNode, Value):
    """An object of a class of the project. `supers`: calls of a base's __init__ that is not followed, with their arguments;
    `read`: the names of the attributes that were asked for; `layer`: the layer with weights that its base makes of it; `unseen`:
    nobody is seen to make it. `vague`: of a class derived from dict, something was set under keys that are not known."""

    of: Class
    attributes: dict[str, Value] = field(default_factory=dict)
    node: ast.AST | None = None
    source: Source | None = None
    frame: Frame | None = None
    order: int = 0
    tests: tuple[Test, ...] = ()
    loops: tuple[ast.AST, ...] = ()
    bound: tuple[str, ...] = ()
    supers: list[tuple[str, list[Value], dict[str, Value]]] = field(default_factory=list)
    read: set[str] = field(default_factory=set)
    left: tuple[Test, ...] = ()
    layer: Call | None = None
    unseen: bool = False
    vague: bool = False

    @property
    def under(self) -> tuple[Test, ...]:
        """All conditions under which it is made."""
        return (*self.left, *self.tests)


@dataclass(eq=False, slots=True)
class Call(SourceNode, Value):
    """The result of a call or operator that is not followed.

    `name` is the full dotted name of a function elsewhere, ".method" of `base`, "" for calling `base` itself, a symbol such
    as "+" or "==" for an operator (its operands are `args`), "@attribute" of `base`, "[]" for base[args[0]] and ".each"
    for what a loop over base yields. `result` is what was returned by code of the project that the call runs in turn;
    `bound` the names that it was assigned to; `fed` what was stored into it, `writes` where; `attached` the functions
    registered with it.
    `tests` are the conditions that it stands under, `left` those that hold because a way before it left the function or the
    turn of the loop. `picks` are the conditions on each item that a comprehension or a filter takes.
    """

    name: str
    args: list[Value]
    keywords: dict[str, Value]
    node: ast.AST
    source: Source
    base: Value | None = None
    unpacked: bool = False  # a *args or **kwargs of unknown content was passed
    frame: Frame | None = None
    tests: tuple[Test, ...] = ()
    loops: tuple[ast.AST, ...] = ()
    order: int = 0
    bound: tuple[str, ...] = ()
    discarded: bool = False
    result: Value | None = None
    held: dict[Any, Value] | None = None
    fed: list[Value] | None = None
    attached: list[Function] | None = None
    left: tuple[Test, ...] = ()
    writes: tuple[Write, ...] = ()
    picks: tuple[Value, ...] = ()
    api: str = field(init=False)  # the one name of MindSpore behind this spelling of it, or the name as it is
    last: str = field(init=False)

    def __post_init__(self) -> None:
        self.api = names.canonical(self.name)
        self.last = self.name.rpartition(".")[2]

    @property
    def functions(self) -> tuple[str, ...]:
        """The names of the functions then running, outermost first."""
        return self.frame.names if self.frame else ()

    @property
    def given(self) -> dict[str, Any]:
        return self.frame.given if self.frame else {}

    @property
    def under(self) -> tuple[Test, ...]:
        """All conditions under which it runs."""
        return (*self.left, *self.tests)

    @property
    def conditions(self) -> tuple[str, ...]:
        """The undecided conditions around it."""
        return tuple(test.text for test in self.tests)

    @property
    def applied(self) -> Call | None:
        """The layer or operator object that is applied here; None for any other call."""
        return self.base if self.name == "" and isinstance(self.base, Call) else None

    @property
    def maker(self) -> Call:
        """The call that makes what is run: the layer or operator object that is applied here, or the call itself."""
        return self.applied or self

    def argument(self, parameters: list[str], name: str) -> Value | None:
        """What was passed for a parameter, given the order of the parameters; None when nothing was."""
        if name in self.keywords:
            return self.keywords[name]
        place = parameters.index(name) if name in parameters else len(self.args)
        return self.args[place] if place < len(self.args) else None


def exclusive(one: Call, other: Call) -> bool:
    """True when two calls stand on the two ways of one condition, under one and under its contrary as written, or under two that one
    value cannot meet."""
    ways: dict[int, bool | None] = {id(test.node): test.taken for test in one.tests}
    if any(id(test.node) in ways and ways[id(test.node)] is not test.taken for test in other.tests):
        return True
    written = {_as_written(test) for test in one.under}
    if any((text, not taken) in written for text, taken in map(_as_written, other.under) if text):
        return True
    pairs = product(_chosen(one.under), _chosen(other.under))
    return any(left != right and _is_same_read(chosen, value) for (chosen, left), (value, right) in pairs)


def _chosen(tests: Iterable[Test]) -> list[tuple[Value, object]]:
    """What is equal to which constant under some conditions: kind == "adam"."""
    equal = (test.value for test in tests if test.taken and isinstance(test.value, Call) and test.value.name == "==")
    sides = (made.args for made in equal if len(made.args) == 2)
    return [(value, constant.value) for value, constant in sides if isinstance(constant, KnownValue)]


def _is_same_read(one: Value, other: Value) -> bool:
    """Whether two values are one, or the same attribute of one: a name that stands for something else meanwhile gives another value."""
    if one is other or not isinstance(one, Call) or not isinstance(other, Call):
        return one is other
    attribute = one.name[:1] == "@" and one.name == other.name
    return attribute and one.base is not None and other.base is not None and _is_same_read(one.base, other.base)


def _as_written(test: Test) -> tuple[str, bool]:
    """A condition as written, without `not`, and whether it holds; "" for the handler of an exception."""
    node, taken = test.node, test.taken
    if taken is None or not isinstance(node, ast.expr):
        return "", False
    while isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        node, taken = node.operand, not taken
    return unparse(node), taken


class Scope:
    """The names of a module or of one run of a function."""

    def __init__(self, parent: Scope | None = None) -> None:
        self.names: dict[str, Value] = {}
        self.parent = parent
        self.stars: list[NamedValue] = []  # modules imported with *
        self.outer: set[str] = set()  # names declared global or nonlocal

    def get(self, name: str) -> Value | None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.parent
        return None

    @property
    def top(self) -> Scope:
        return self if self.parent is None else self.parent.top


#: So many values are kept that are not told apart any more.
MOST = 32


def join(values: list[Value], limit: int = 8) -> Value:
    """One value for several possible ones. Of more than `limit`, the first are kept, and an unknown one stands for the rest."""
    if values.count(values[0]) == len(values):  # values are compared by identity
        return values[0]
    options: list[Value] = []
    for value in values:
        for option in value.options if isinstance(value, Many) else (value,):
            if not any(same(option, other) for other in options):
                options.append(option)
    if len(options) == 1:
        return options[0]
    if len(options) > limit:
        options = _fewer(options, limit)
    return Many(tuple(options))


def _fewer(options: list[Value], limit: int) -> list[Value]:
    """The first of some values, and an unknown one for the rest."""
    rest = next((option for option in options if isinstance(option, UnknownValue)), UnknownValue(name_of(options[0])))
    kept = [option for option in options[:limit] if option is not rest]
    return [*kept, _rest(rest, [option for option in options[limit:] if option is not rest])]


def _rest(unknown: UnknownValue, more: list[Value]) -> UnknownValue:
    """What stands for further values; MOST of them are kept."""
    if not more or unknown.held or type(unknown) not in (UnknownValue, Rest):
        return unknown
    before = unknown.of if isinstance(unknown, Rest) else ()
    return Rest(unknown.name, of=(*before, *more)[:MOST])


def joined(values: list[Value], tests: list[Test]) -> Value:
    """The same of one value for each condition: functions, names and constants do not tell when they are the one, as what is made does."""
    found = join(values)
    apart = isinstance(found, Many) and len(found.options) == len(values) == len(tests)
    if (
        apart
        and isinstance(found, Many)
        and all(isinstance(option, (Function, NamedValue, KnownValue)) for option in values)
    ):
        return Many(found.options, when=tuple(tests))
    return found


def same(one: Value, other: Value) -> bool:
    if isinstance(one, KnownValue) and isinstance(other, KnownValue):
        alike = one.origin == other.origin and one.asked == other.asked
        return alike and type(one.value) is type(other.value) and one.value == other.value
    if isinstance(one, NamedValue) and isinstance(other, NamedValue):
        return one.name == other.name
    return one is other


def options(value: Value | None) -> tuple[Value, ...]:
    """The possible values behind one."""
    return () if value is None else value.options if isinstance(value, Many) else (value,)


def is_known(value: Value | None, constant: object) -> TypeGuard[KnownValue]:
    """Whether a value is this constant, one of those that there is only one of: None, True, False, and three dots."""
    return isinstance(value, KnownValue) and value.value is constant


def is_none(value: Value | None) -> bool:
    """Whether nothing is given, or None."""
    return value is None or is_known(value, None)


def is_slice(value: Value | None) -> TypeGuard[Call]:
    """Whether a key is a slice: begin, end, step."""
    return isinstance(value, Call) and value.name == "slice"


def is_model(value: Value | None) -> TypeGuard[Call]:
    """Whether a value is a Model, which trains and evaluates a network."""
    return isinstance(value, Call) and value.api == "Model"


def runs_model(call: Call) -> bool:
    """Whether a call is that of a method of a Model."""
    return any(map(is_model, options(call.base)))


def trains_model(call: Call) -> bool:
    """Whether a call has a Model train."""
    return call.name in (".train", ".fit") and runs_model(call)


def integer_of(value: Value | None) -> int | None:
    """The integer that a constant is; None for any other value, True and False among them."""
    return value.value if isinstance(value, KnownValue) and type(value.value) is int else None


def string_of(value: Value | None) -> str | None:
    """The text that a constant is; None for any other value."""
    return value.value if isinstance(value, KnownValue) and isinstance(value.value, str) else None


def strings_of(values: Iterable[Value | None]) -> list[str]:
    """The texts among some values, in their order."""
    return [text for value in values if (text := string_of(value)) is not None]


def name_of(value: Value) -> str:
    """What the script calls a value: the flag behind do_train, args.do_train.lower(), config["do_train"] and
    config.get("do_train") alike."""
    if isinstance(value, (KnownValue, UnknownValue)):
        return value.name
    if isinstance(value, NamedValue):
        return value.name.rpartition(".")[2]
    if isinstance(value, Call):
        if value.name[:1] == "@":
            return value.name[1:]
        if value.name == "[]" or (value.last == "get" and value.args):
            key = value.args[0]
            return string_of(key) or ""
        if value.name in (".lower", ".upper", ".strip") and value.base is not None:
            return name_of(value.base)
        if value.last in ("bool", "str2bool") and value.base is None and len(value.args) == 1:
            return name_of(value.args[0])
    return ""


def words(value: Value | None, depth: int = 0) -> Iterator[str]:
    """The strings and names within a value, however it was put together: what a path or an address mentions."""
    if value is None or depth > 6:
        return
    if isinstance(value, KnownValue):
        if isinstance(value.value, str):
            yield value.value
        yield value.name
    elif isinstance(value, UnknownValue):
        yield value.name
    elif isinstance(value, Many):
        for option in value.options:
            yield from words(option, depth + 1)
    elif isinstance(value, Items):
        for item in value.items[:50]:
            yield from words(item, depth + 1)
    elif isinstance(value, Instance):
        yield value.of.node.name
        for held in list(value.attributes.values())[:30]:
            yield from words(held, depth + 3)
    elif isinstance(value, Call):
        yield from value.bound
        if name := name_of(value):
            yield name
        for part in (value.base, *value.args, *value.keywords.values()):
            yield from words(part, depth + 1)


def parts(value: Value | None, depth: int = 0) -> Iterator[Call]:
    """The results of calls that a value consists of, through lists, dicts and alternatives."""
    if isinstance(value, Call):
        yield value
    elif isinstance(value, (Many, Items, Mapping)) and depth < 6:
        inner = value.options if isinstance(value, Many) else value.items
        for item in list(inner.values() if isinstance(inner, dict) else inner)[:200]:
            yield from parts(item, depth + 1)


@dataclass(eq=False, slots=True)
class Partial(Value):
    """functools.partial, or ops.partial, of something that is followed."""

    function: Value
    args: list[Value]
    keywords: dict[str, Value]


@dataclass(eq=False, slots=True)
class Super(Value):
    """super() within a method of `of`, for the object `owner`."""

    of: Class
    owner: Value
