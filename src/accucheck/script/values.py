"""What an expression of a script may stand for, as far as it can be told without running it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .source import Source


@dataclass(eq=False)
class Value:
    """Base of all values; compared by identity."""


@dataclass(eq=False)
class Known(Value):
    """A constant. `assumed` says why it may be another one at run time ("argparse", "parameter"); `name` what it is called."""

    value: Any
    assumed: str | None = None
    name: str = ""


@dataclass(eq=False)
class Unknown(Value):
    """Something that the script alone does not tell; `name` is what the script calls it."""

    name: str = ""


@dataclass(eq=False)
class Many(Value):
    """One of several, depending on a condition that could not be decided."""

    options: tuple[Value, ...]


@dataclass(eq=False)
class Items(Value):
    """A list, tuple or set as written."""

    items: list[Value]


@dataclass(eq=False)
class Mapping(Value):
    """A dict with constant keys as written."""

    items: dict[Any, Value]


@dataclass(eq=False)
class Named(Value):
    """A module, or something in a module that is not examined, by its full dotted name whatever its alias here.

    A relative name starts with dots and counts from `importer`.
    """

    name: str
    importer: Source | None = None


@dataclass(eq=False)
class Function(Value):
    """A function, method or lambda of an examined script; `scope` is where it was defined, `owner` what self is."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    scope: Scope
    source: Source
    owner: Value | None = None

    @property
    def name(self) -> str:
        return getattr(self.node, "name", "<lambda>")


@dataclass(eq=False)
class Class(Value):
    node: ast.ClassDef
    attributes: dict[str, Value]
    bases: list[Value]
    source: Source

    def find(self, name: str, depth: int = 0) -> Value | None:
        """An attribute of the class or of its examined bases."""
        if name in self.attributes or depth > 10:
            return self.attributes.get(name)
        found = (base.find(name, depth + 1) for base in self.bases if isinstance(base, Class))
        return next((value for value in found if value is not None), None)


@dataclass(eq=False)
class Instance(Value):
    of: Class
    attributes: dict[str, Value] = field(default_factory=dict)


@dataclass(eq=False)
class Made(Value):
    """The result of a call that is not followed: of a function elsewhere by full name, or ".method" of `base`.

    `bound` collects the names it was assigned to; `functions` and `conditions` tell where it was made: the functions then
    running, outermost first, the constants that the innermost was called with, and the undecided conditions around it.
    """

    name: str
    args: list[Value]
    keywords: dict[str, Value]
    node: ast.AST
    source: Source
    base: Value | None = None
    unpacked: bool = False  # a *args or **kwargs of unknown content was passed
    functions: tuple[str, ...] = ()
    given: dict[str, Any] = field(default_factory=dict)
    conditions: tuple[str, ...] = ()
    bound: list[str] = field(default_factory=list)
    discarded: bool = False

    @property
    def line(self) -> int:
        return getattr(self.node, "lineno", 1)

    @property
    def last(self) -> str:
        return self.name.rsplit(".", 1)[-1]

    def argument(self, parameters: list[str], name: str) -> Value | None:
        """What was passed for a parameter, given the order of the parameters; None when nothing was."""
        if name in self.keywords:
            return self.keywords[name]
        place = parameters.index(name) if name in parameters else len(self.args)
        return self.args[place] if place < len(self.args) else None


class Scope:
    """The names of a module or of one run of a function."""

    def __init__(self, parent: Scope | None = None) -> None:
        self.names: dict[str, Value] = {}
        self.parent = parent
        self.stars: list[Named] = []  # modules imported with *

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


def join(values: list[Value], limit: int = 8) -> Value:
    """One value for several possible ones."""
    options: list[Value] = []
    for value in values:
        for option in value.options if isinstance(value, Many) else (value,):
            if not any(same(option, other) for other in options):
                options.append(option)
    if len(options) == 1:
        return options[0]
    return Many(tuple(options)) if len(options) <= limit else Unknown(name_of(options[0]))


def same(one: Value, other: Value) -> bool:
    if isinstance(one, Known) and isinstance(other, Known):
        return type(one.value) is type(other.value) and one.value == other.value and one.assumed == other.assumed
    if isinstance(one, Named) and isinstance(other, Named):
        return one.name == other.name
    return one is other


def options(value: Value | None) -> tuple[Value, ...]:
    """The possible values behind one."""
    return () if value is None else value.options if isinstance(value, Many) else (value,)


def name_of(value: Value) -> str:
    """What the script calls a value: the flag behind do_train, args.do_train.lower() and config["do_train"] alike."""
    if isinstance(value, (Known, Unknown)):
        return value.name
    if isinstance(value, Named):
        return value.name.rpartition(".")[2]
    if isinstance(value, Made):
        if value.name in (".lower", ".upper", ".strip") and value.base is not None:
            return name_of(value.base)
        if value.name in ("bool", "str2bool", "builtins.bool") and len(value.args) == 1:
            return name_of(value.args[0])
    return ""


def words(value: Value | None, depth: int = 0) -> Iterator[str]:
    """The strings and names within a value, however it was put together: what a path or an address mentions."""
    if value is None or depth > 6:
        return
    if isinstance(value, Known):
        if isinstance(value.value, str):
            yield value.value
        yield value.name
    elif isinstance(value, Unknown):
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
    elif isinstance(value, Made):
        yield from value.bound
        for part in (value.base, *value.args, *value.keywords.values()):
            yield from words(part, depth + 1)


def parts(value: Value | None, depth: int = 0) -> Iterator[Made]:
    """The results of calls that a value consists of, through lists, dicts and alternatives."""
    if isinstance(value, Made):
        yield value
    elif isinstance(value, (Many, Items, Mapping)) and depth < 6:
        inner = value.options if isinstance(value, Many) else value.items
        for item in list(inner.values() if isinstance(inner, dict) else inner)[:200]:
            yield from parts(item, depth + 1)
