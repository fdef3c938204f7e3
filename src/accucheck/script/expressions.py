"""The expressions of a script, as values: the half of the tracer (trace.py) that looks at what stands within statements."""

from __future__ import annotations

import ast
import builtins
import operator
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..knowledge import api as apis
from ..knowledge import names
from . import declared_options, models
from . import options as command_line
from .beginnings import Beginning, beginning
from .source import Source
from .syntax import children
from .training import MANY_DEVICES
from .values import (
    Call,
    Class,
    Definitions,
    Frame,
    Function,
    Instance,
    Items,
    KnownValue,
    Many,
    Mapping,
    Members,
    NamedValue,
    Numbering,
    Partial,
    Scope,
    Super,
    Test,
    UnknownValue,
    Value,
    Words,
    deciders_of,
    is_known,
    is_slice,
    join,
    joined,
    name_of,
    options,
    string_of,
)

if TYPE_CHECKING:
    from .command import Command
    from .trace import Trace

#: (dotted name of a module, the source that imports it) -> its source, or None for a module that is not followed into.
Find = Callable[[str, Source], "Source | None"]

#: Folded texts and numbers stay below this.
BIG = 1 << 40

_OPERATORS: dict[type[ast.AST], tuple[str, Callable[[Any, Any], Any] | None]] = {
    ast.Add: ("+", operator.add),
    ast.Sub: ("-", operator.sub),
    ast.Mult: ("*", operator.mul),
    ast.Div: ("/", operator.truediv),
    ast.FloorDiv: ("//", operator.floordiv),
    ast.Mod: ("%", operator.mod),
    ast.Pow: ("**", None),
    ast.MatMult: ("@", None),
    ast.BitAnd: ("&", None),
    ast.BitOr: ("|", None),
    ast.BitXor: ("^", None),
    ast.LShift: ("<<", None),
    ast.RShift: (">>", None),
    ast.Eq: ("==", operator.eq),
    ast.NotEq: ("!=", operator.ne),
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
    ast.Is: ("==", None),
    ast.IsNot: ("!=", None),
    ast.In: ("in", None),
    ast.NotIn: ("not in", None),
}


#: Under a key that is not known, a dict with more values than this gives an unknown one.
OPTIONS = 8
#: Of a table that an option picks from, those of so many entries are followed that it does not pick by default.
MODELS = 16
#: So many of the functions and classes that a table holds may be meant by such a key.
ENTERED = 16
#: Functions of Python that give None where there is nothing of what they look for.
_MAY_FIND_NOTHING = frozenset(
    {
        "getattr",
        "next",
        "os.getenv",
        "re.fullmatch",
        "re.match",
        "re.search",
        "shutil.which",
        "importlib.util.find_spec",
    }
)


class Expressions:
    """Needs the state of trace.Tracer, which it is a base of."""

    source: Source
    find: Find
    root: Path | None
    command: Command | None
    #: What was parsed of a command line, by the call and how many options there were.
    parsed: dict[tuple[int, int], Mapping]
    trace: Trace
    outside: set[tuple[str, int]]
    frame: Frame | None
    tests: tuple[Test, ...]
    left: tuple[Test, ...]
    loops: tuple[ast.AST, ...]
    head: Value | None
    order: int
    yields: list[list[Value]]
    handed: list[Function]
    entered: dict[ast.AST, int]
    scopes: list[Scope]
    tables: list[Mapping]
    others: list[Value]
    beside: dict[str, list[NamedValue]]
    commands: list[Function]
    waiting: list[NamedValue]
    modules: dict[Path, Scope]
    flags: Mapping
    words: Words | None
    loose: dict[str, tuple[KnownValue, Call]]
    loose_read: set[str]
    unknown_names: dict[str, tuple[KnownValue, str, int]]
    found_names: set[str]
    loading: list[tuple[Path, Frame | None]]
    numbering: bool
    unpacked: tuple[ast.AST, int] | None

    if TYPE_CHECKING:

        def registered(self, table: Mapping) -> bool: ...

        def step(self) -> None: ...
        def next(self) -> int: ...
        def assume(self, name: str, compared: Any) -> bool | None: ...
        def imported(self, module: NamedValue) -> Scope | None: ...
        def assign(self, target: ast.expr, value: Value, scope: Scope) -> None: ...
        def call_function(
            self,
            function: Function,
            args: list[Value],
            keywords: dict[str, Value],
            call: ast.AST,
            unpacked: bool = False,
            unseen: bool = False,
        ) -> Value: ...
        def construct(
            self, of: Class, args: list[Value], keywords: dict[str, Value], node: ast.AST, unpacked: bool = False
        ) -> Instance: ...
        def set_attribute(self, owner: Value, name: str, value: Value, node: ast.expr) -> None: ...

        def instead(self, owner: Value, old: Value | None, value: Value) -> Value: ...

    def value(self, node: ast.expr, scope: Scope) -> Value:
        self.step()
        evaluate = _EVALUATE.get(node.__class__)
        if evaluate is not None:
            return evaluate(self, node, scope)
        for child in children(node):
            if isinstance(child, ast.expr):
                self.value(child, scope)
        return UnknownValue()

    def on_Constant(self, node: ast.Constant, scope: Scope) -> Value:
        return KnownValue(node.value)

    # --- names --------------------------------------------------------------------------------------------------------

    def resolved(self, value: Value, depth: int = 0) -> Value:
        """What a full name stands for, when its module is followed into; any other value as it is."""
        if not isinstance(value, NamedValue) or depth > 10:
            return value
        if value.name == "absl.flags.FLAGS":
            return self.flags
        if value.name == "sys.argv" and self.words is not None:
            return self.words
        key = value.name, id(value.importer)
        if key in self.outside:
            return value
        module, _, last = value.name.rpartition(".")
        if not module.strip("."):
            module += "." * value.name.startswith(".")  # from . import x
        scope = self.imported(NamedValue(module, value.importer)) if module else None
        found = None if scope is None else self.exported(scope, last)
        if found is None:
            self.outside.add(key)
            return value
        return self.resolved(found, depth + 1)

    def exported(self, scope: Scope, name: str, depth: int = 0) -> Value | None:
        """A name of a module, or of the modules that it imports with *."""
        if name in scope.names:
            return scope.names[name]
        for star in scope.stars if depth < 8 else ():
            other = self.imported(star)
            if other is not None and (found := self.exported(other, name, depth + 1)) is not None:
                return found
        return None

    def on_Name(self, node: ast.Name, scope: Scope) -> Value:
        value = scope.get(node.id)
        if isinstance(value, Many):  # the same at each read, unless more is known of it now
            resolved = [self.resolved(option) for option in value.options]
            same = all(one is other for one, other in zip(resolved, value.options, strict=True))
            return value if same else join(resolved)
        if value is not None:
            return self.resolved(value) if isinstance(value, NamedValue) else value
        if hasattr(builtins, node.id):
            return NamedValue(node.id)
        if (found := self.exported(scope.top, node.id)) is not None:
            return self.resolved(found)
        return _of_star(node.id, scope)

    def on_NamedExpr(self, node: ast.NamedExpr, scope: Scope) -> Value:
        value = self.value(node.value, scope)
        self.assign(node.target, value, scope)
        return value

    # --- attributes and items -----------------------------------------------------------------------------------------

    def on_Attribute(self, node: ast.Attribute, scope: Scope) -> Value:
        owners = _but_none(options(self.value(node.value, scope)))
        return join([self.attribute(owner, node.attr, node) for owner in owners])

    def attribute(self, owner: Value, name: str, node: ast.AST) -> Value:
        found = self.held(owner, name, node)
        if found is not None:
            return found
        if (known := models.limit(owner, name) or models.wrapped(owner, name)) is not None:
            return known
        if isinstance(owner, (Call, UnknownValue, Instance)):
            return self.noted("@" + name, [], {}, node, owner)
        return UnknownValue(name)

    def held(self, owner: Value, name: str, node: ast.AST) -> Value | None:
        """An attribute as far as it is seen; None when it is not."""
        if isinstance(owner, NamedValue):
            self.others += [
                NamedValue(f"{other.name}.{name}", other.importer) for other in self.beside.get(owner.name, ())
            ]
            if name == "__dict__" and (module := self.imported(owner)) is not None:
                own = {key: value for key, value in module.names.items() if not isinstance(value, NamedValue)}
                return Definitions(own, module=owner)
            return self.resolved(NamedValue(f"{owner.name}.{name}", owner.importer))
        if isinstance(owner, Super):
            found = owner.of.above(name)
            if isinstance(found, Function):
                return Function(found.node, found.scope, found.source, owner.owner, found.of)
            return found
        if isinstance(owner, Instance):
            return self.of_instance(owner, name, node)
        if isinstance(owner, (Class, Function)):
            return self.of_definition(owner, name)
        if isinstance(owner, Mapping):
            held = owner.items.get(name)
            return None if held is None else self.resolved(held)
        if isinstance(owner, KnownValue) and name == "parent" and isinstance(owner.value, str):
            return KnownValue(os.path.dirname(owner.value), owner.origin, deciders=owner.deciders)
        if isinstance(owner, (Call, UnknownValue)) and owner.held and name in owner.held:
            return owner.held[name]
        if isinstance(owner, Call):
            if (option := command_line.option(self, owner, name)) is not None:
                return option
            for given in owner.args[:1]:  # EasyDict({...}) and its like
                if isinstance(given, Mapping) and name in given.items:
                    return given.items[name]
            if (
                name in owner.keywords and owner.base is None and name != "embedding_table"
            ):  # SimpleNamespace(shuffle=True)
                return owner.keywords[name]
        return None

    def of_instance(self, owner: Instance, name: str, node: ast.AST) -> Value | None:
        """An attribute of an object of a class of the project."""
        owner.read.add(name)
        if name in owner.attributes:
            return owner.attributes[name]
        found = owner.of.find(name)
        if isinstance(found, Function):
            is_class = decorated_as(found.node, "classmethod")
            bound = Function(found.node, found.scope, found.source, owner.of if is_class else owner, found.of)
            if decorated_as(found.node, "property"):
                return self.call_function(bound, [], {}, node)
            if decorated_as(found.node, "cached_property"):
                owner.attributes[name] = self.call_function(bound, [], {}, node)
                return owner.attributes[name]
            return bound
        if name == "__dict__":
            return Mapping(owner.attributes)
        if name == "__class__":
            return owner.of
        made = found or models.inherited(self, owner, name, node)
        return self.missing(owner, name, node) if made is None else made

    def missing(self, owner: Instance, name: str, node: ast.AST) -> Value | None:
        """What the __getattr__ of a class derived from dict gives for a key that the dict, which is known as a whole, does not hold."""
        held = None if hasattr(dict, name) or owner.vague else models.as_dict(owner)
        method = owner.of.find("__getattr__") if held is not None and held.items else None
        if not isinstance(method, Function) or name[:2] == "__":
            return None
        bound = Function(method.node, method.scope, method.source, owner, method.of)
        return self.call_function(bound, [KnownValue(name)], {}, node)

    def of_definition(self, owner: Class | Function, name: str) -> Value | None:
        """An attribute of a class or function of the project."""
        if name in ("__name__", "__qualname__"):
            return KnownValue(owner.node.name if isinstance(owner, Class) else owner.name)
        if isinstance(owner, Class):
            found = owner.find(name)
            if isinstance(found, Function) and decorated_as(found.node, "classmethod"):
                return Function(found.node, found.scope, found.source, owner, found.of)
            return found
        return None

    def on_Subscript(self, node: ast.Subscript, scope: Scope) -> Value:
        owners = options(self.value(node.value, scope))
        key = self.value(node.slice, scope)
        own = isinstance(node.slice, ast.Name) and node.slice.id == "__name__"
        if own and isinstance(owners[0], NamedValue) and owners[0].name == "sys.modules":
            return Mapping(scope.top.names)
        filled = [owner for owner in owners if not _is_empty(owner)]  # an empty one would end the program here
        return join([self.subscript(owner, key, node) for owner in filled or owners])

    def on_Slice(self, node: ast.Slice, scope: Scope) -> Value:
        """A slice as what is made of start, stop and step."""
        parts = (node.lower, node.upper, node.step)
        return self.noted("slice", [KnownValue(None) if p is None else self.value(p, scope) for p in parts], {}, node)

    def subscript(self, owner: Value, key: Value, node: ast.AST) -> Value:
        if isinstance(owner, Numbering) and not isinstance(key, KnownValue):
            return self.made("[]", [key], {}, node, owner)
        if isinstance(owner, Mapping):
            return self.entry(owner, key, node)
        if isinstance(owner, KnownValue) and isinstance(owner.value, str):
            return self.part_of_text(owner, key)
        if isinstance(owner, Words) and (found := self.of_words(owner, key)) is not None:
            return found
        if isinstance(key, KnownValue) and type(key.value) is int:
            return self.item(owner, key.value, node)
        if isinstance(owner, Items) and is_slice(key):
            bounds = _bounds(key)
            return Items(owner.items, open=True) if bounds is None or owner.open else Items(owner.items[bounds])
        if isinstance(owner, Items):
            return self.element(owner, node)
        if (cells := models.cells(owner)) is not None:
            return self.some_cells(owner, cells, key, node)
        if (
            isinstance(owner, Call)
            and isinstance(owner.node, ast.DictComp)
            and owner.args  # which the turns of its loops have not
            and isinstance(owner.args[0], (Items, Mapping))
        ):
            return join(
                [owner.args[0], *(owner.fed or ())], limit=32
            )  # each of its lists, as what is added to any of them
        text = string_of(key)
        if isinstance(owner, (Call, UnknownValue)) and (of_text := _held_under(owner, text)) is not None:
            return of_text
        if isinstance(owner, Instance) and isinstance(method := owner.of.find("__getitem__"), Function):
            bound = Function(method.node, method.scope, method.source, owner, method.of)
            return self.call_function(bound, [key], {}, node)
        if (held := models.as_dict(owner)) is not None:
            return self.subscript(held, key, node)
        if isinstance(owner, (Call, UnknownValue, Instance, NamedValue)):
            return self.made("[]", [key], {}, node, owner)
        return UnknownValue(text or "")

    def entry(self, owner: Mapping, key: Value, node: ast.AST) -> Value:
        """What a dict holds under a key; under one that is not known, any of its values."""
        if not isinstance(key, KnownValue):
            self.registered(owner)
        elif models.hashable(key.value):
            found = self.under(owner, key, node)
            if found is not None:
                return found
            if not key.assumed:
                return UnknownValue(key.value if isinstance(key.value, str) else "")
            # A default that the table does not have is not what runs.
        return self.any_entry(owner)

    def under(self, owner: Mapping, key: KnownValue, node: ast.AST) -> Value | None:
        """What a dict holds under a key that is known."""
        if key.value not in owner.items:
            self.registered(owner)
            self.unnamed(owner, key, node)
        if (brought := self.brought(owner, key.value, node)) is not None:
            return brought
        found = owner.items.get(key.value) or (join(owner.fed, limit=32) if owner.fed else None)
        if found is None:
            return None
        if key.assumed and len(owner.items) <= MODELS:
            others = [value for name, value in owner.items.items() if name != key.value]
            self.others += others
            if isinstance(found, NamedValue):
                self.beside[found.name] = [other for other in others if isinstance(other, NamedValue)]
        return self.resolved(found)

    def any_entry(self, owner: Mapping) -> Value:
        """What a dict may give under a key that is not known."""
        if owner.fed:
            return join([*owner.fed, *list(owner.items.values())[:OPTIONS]], limit=32)
        values = list(owner.items.values())
        if isinstance(owner, Definitions):
            values = owner.selectable() or self.gathered(owner)
        if len(values) > OPTIONS and all(isinstance(value, (Class, Function)) for value in values):
            return join(values, limit=ENTERED)  # what a table of builders holds is made to be chosen from
        return join(values) if 0 < len(values) <= OPTIONS else UnknownValue()

    def brought(self, table: Mapping, name: Any, node: ast.AST) -> Value | None:
        """A definition of the project that a module imports under a name, as a package gathers what its modules define."""
        module = table.module if isinstance(table, Definitions) and isinstance(name, str) else None
        found = None if module is None or name in table.items else self.held(module, name, node)
        return found if isinstance(found, (Class, Function)) else None

    def gathered(self, table: Definitions) -> list[Value]:
        """The definitions of the project that a module which has none of its own imports, as a package gathers those of its modules."""
        module = self.imported(table.module) if table.module is not None else None
        if module is None:
            return []
        by_star = [other for star in module.stars if (other := self.imported(star)) is not None]
        if len(by_star) < len(module.stars):  # some modules are not examined
            return []
        names = [value for value in module.names.values() if isinstance(value, NamedValue)]
        found = [value for name in names if isinstance(value := self.resolved(name), (Class, Function))]
        return found + [value for other in by_star for value in Definitions(dict(other.names)).selectable()]

    def some_cells(self, owner: Value, cells: Value, key: Value, node: ast.AST) -> Value:
        """What a container of cells has at a place that is not known, or a part of it."""
        if not is_slice(key):
            return self.element(cells, node)
        if isinstance(cells, Items):
            cells = self.subscript(cells, key, node)
        return models.container_like(self, owner, cells, node)

    def of_words(self, owner: Words, key: Value) -> Value | None:
        """Some of the words of the command; in a loop, others at each turn."""
        bounds = _bounds(key)
        return UnknownValue() if self.loops else None if bounds is None or owner.open else Words(owner.items[bounds])

    def unnamed(self, table: Mapping, key: Value, node: ast.AST) -> None:
        """Note a name of the configuration or the command that is looked up in a table where definitions enter themselves, and which
        none of them has."""
        if not isinstance(key, KnownValue) or not isinstance(key.value, str) or key.origin in (None, "parameter"):
            return
        entered = not table.fed and any(isinstance(value, (Class, Function)) for value in table.items.values())
        if entered and key.value not in table.items and any(table is each for each in self.tables):
            self.unknown_names.setdefault(key.value, (key, self.source.path, getattr(node, "lineno", 1)))

    def part_of_text(self, owner: KnownValue, key: Value) -> Value:
        place = key.value if isinstance(key, KnownValue) else _bounds(key)
        try:
            return (
                KnownValue(owner.value[place], owner.origin, deciders=owner.deciders)
                if isinstance(place, (int, slice))
                else UnknownValue()
            )
        except IndexError:
            return UnknownValue()

    def item(self, value: Value, place: int, node: ast.AST) -> Value:
        """One item of a value that is indexed or unpacked."""
        found: list[Value] = []
        for option in options(value):
            if isinstance(option, Items):
                inside = -len(option.items) <= place < len(option.items)
                found.append(option.items[place] if inside else self.element(option, node))
            elif isinstance(option, Call) and option.name == "comprehension":
                found.append(option.args[0])
            elif (inner := models.contained(option)) is not None:
                found.append(self.item(inner, place, node))
            elif place == 1 and isinstance(option, Call) and (rest := command_line.rest(self, option)) is not None:
                found.append(rest)
            elif isinstance(option, (Call, UnknownValue, Instance)):
                found.append(self.made("[]", [KnownValue(place)], {}, node, option))
            else:
                found.append(UnknownValue())
        return join(found)

    def element(self, value: Value, node: ast.AST) -> Value:
        """What a loop over a value yields."""
        found: list[Value] = []
        for option in options(value):
            if isinstance(option, Items):
                found += option.items[:8] or [UnknownValue()]
            elif isinstance(option, Mapping):
                found += [KnownValue(key) for key in list(option.items)[:8]]
            elif isinstance(option, Call) and option.name == "comprehension":
                found.append(option.args[0])
            elif isinstance(option, Call) and option.name == "generator" and option.result is not None:
                found.append(option.result)
            elif isinstance(option, Call) and (made := models.elements(self, option, node)) is not None:
                found.append(made)
            elif (inner := models.contained(option)) is not None:
                found.append(self.element(inner, node))
            elif isinstance(option, Instance) and (method := option.of.find("__iter__")) is not None:
                found.append(self.iterated(option, method, node))
            elif isinstance(option, Instance) and isinstance(method := option.of.find("__getitem__"), Function):
                bound = Function(method.node, method.scope, method.source, option, method.of)
                found.append(self.call_function(bound, [UnknownValue("index")], {}, node))
            elif isinstance(option, (Call, UnknownValue, Instance)):
                found.append(self.made(".each", [], {}, node, option))
        return join(found) if found else UnknownValue()

    def iterated(self, owner: Instance, method: Value, node: ast.AST) -> Value:
        """What the __iter__, and the __next__, of an object of the project yields."""
        for name in ("__iter__", "__next__"):
            method_ = owner.of.find(name)
            if isinstance(method_, Function) and (name == "__next__" or method is method_):
                bound = Function(method_.node, method_.scope, method_.source, owner, method_.of)
                found = self.call_function(bound, [], {}, node)
                if isinstance(found, Call) and found.name == "generator":
                    return found.result or UnknownValue()
                if found is not owner:
                    return self.element(found, node) if name == "__iter__" else found
        return self.made(".each", [], {}, node, owner)

    # --- calls --------------------------------------------------------------------------------------------------------

    def on_Call(self, node: ast.Call, scope: Scope) -> Value:
        args: list[Value] = []
        unpacked = False
        called = self.callee(node.func, scope)
        outer, self.numbering = self.numbering, isinstance(node.func, ast.Attribute) and node.func.attr == "setdefault"
        self.numbering |= outer
        for part in node.args:
            if isinstance(part, ast.Starred):
                value = self.value(part.value, scope)
                value = models.cells(value) or value
                if isinstance(value, Items) and not value.open:
                    args += value.items
                else:
                    args.append(self.noted("*args", [value], {}, part))
                    unpacked = True
            else:
                args.append(self.value(part, scope))
        self.numbering = outer
        keywords: dict[str, Value] = {}
        for keyword in node.keywords:
            value = self.value(keyword.value, scope)
            if keyword.arg is not None:
                keywords[keyword.arg] = value
                continue
            value = models.as_dict(value) or value
            if isinstance(value, Mapping):
                keywords.update({key: item for key, item in value.items.items() if isinstance(key, str)})
            if not isinstance(value, Mapping) or value.fed:  # of what is stored under keys that are not known
                keywords["**"] = value
                unpacked = True
        of_scope = (
            self.of_scope(option.name, args, node, scope) for option in called if isinstance(option, NamedValue)
        )
        if (found := next((value for value in of_scope if value is not None), None)) is not None:
            return found
        return self.any_of(called, self.choice(node.func, scope, called), args, keywords, node, unpacked)

    def choice(self, node: ast.expr, scope: Scope, called: list[Value | tuple[Value, str]]) -> tuple[Test, ...]:
        """The condition under which each of several functions is the one that is called, where that is known."""
        chosen: Value | None = None
        if len(called) > 1 and isinstance(node, ast.Name):
            chosen = scope.get(node.id)
        elif len(called) > 1 and isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner = scope.get(node.value.id)
            chosen = owner.attributes.get(node.attr) if isinstance(owner, Instance) else None
        return chosen.when if isinstance(chosen, Many) and len(chosen.when) == len(called) else ()

    def of_scope(self, name: str, args: list[Value], node: ast.Call, scope: Scope) -> Value | None:
        """The result of a function of Python that depends on where it is called; None for any other."""
        if name == "super":
            return self.super(args, scope)
        if name == "globals":
            return Mapping(scope.top.names)
        return self.evaluated(args, node, scope) if name == "eval" else None

    def any_of(
        self,
        called: list[Value | tuple[Value, str]],
        when: tuple[Test, ...],
        args: list[Value],
        keywords: dict[str, Value],
        node: ast.Call,
        unpacked: bool,
    ) -> Value:
        """A call of one of several; which definition it is, is a condition that could not be decided: `when`, where it is seen. What
        cannot be called like that is none of them."""
        if len(called) == 1:
            return self.call(called[0], args, keywords, node, unpacked)
        pairs = [*zip(called, when or [Test(UnknownValue(), None, node.func)] * len(called), strict=True)]
        fitting = [pair for pair in pairs if unpacked or not _refuses(pair[0], args, keywords)]
        pairs = fitting or pairs
        called = [option for option, _ in pairs]
        defined = {id(option.node) for option in called if isinstance(option, (Class, Function))}
        if len(defined) < 2:
            return join([self.call(option, args, keywords, node, unpacked) for option in called])
        outer, results = self.tests, []
        for option, test in pairs:
            self.tests = (*outer, test)
            results.append(self.call(option, args, keywords, node, unpacked))
        self.tests = outer
        return join(results, limit=ENTERED)  # each definition may give several

    def super(self, args: list[Value], scope: Scope) -> Value:
        function = self.frame.function if self.frame else None
        if function is not None and function.owner is not None:
            of = args[0] if args and isinstance(args[0], Class) else function.of
            if isinstance(of, Class):
                return Super(of, function.owner)
        return UnknownValue("super")

    def evaluated(self, args: list[Value], node: ast.Call, scope: Scope) -> Value | None:
        """What eval gives for a known short text: a name, with or without dots, a constant, or what is computed of these."""
        text = args[0].value if len(args) == 1 and isinstance(args[0], KnownValue) else None
        if not isinstance(text, str) or len(text) > 200 or "\0" in text:
            return None
        try:
            parsed = ast.parse(text, mode="eval").body
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            return None
        for part in ast.walk(parsed):
            ast.copy_location(part, node)
        found = self.value(parsed, scope)
        self.found_names.add(text)
        return None if isinstance(found, UnknownValue) else found

    def callee(self, node: ast.expr, scope: Scope) -> list[Value | tuple[Value, str]]:
        """What is called; a method of something that is not examined as (its owner, its name)."""
        if not isinstance(node, ast.Attribute):
            return list(options(self.value(node, scope)))
        found: list[Value | tuple[Value, str]] = []
        for owner in _but_none(options(self.value(node.value, scope))):
            held = self.held(owner, node.attr, node)
            callable_ = isinstance(held, (Function, Class, Instance, NamedValue, Partial, Super))
            method_of = isinstance(owner, (UnknownValue, KnownValue, Items)) or (
                isinstance(owner, (Call, Mapping)) and not callable_
            )
            if held is None or method_of:
                found.append((owner, node.attr))
            else:
                found += options(held)
        return found

    def call(
        self,
        called: Value | tuple[Value, str],
        args: list[Value],
        keywords: dict[str, Value],
        node: ast.AST,
        unpacked: bool = False,
    ) -> Value:
        if isinstance(called, tuple):
            owner, name = called
            if name in ("__call__", "construct") and isinstance(owner, (Call, Instance)):
                return self.call(
                    owner, args, keywords, node, unpacked
                )  # a cell of the framework, applied by its method
            known = models.method(self, owner, name, args, keywords, node)
            return known or self.made("." + name, args, keywords, node, owner, unpacked)
        if isinstance(called, Function):
            if declared_options.is_command(called):
                return declared_options.call_command(self, called, args, keywords, node)
            return self.call_function(called, args, keywords, node, unpacked)
        if isinstance(called, Class):
            return self.construct(called, args, keywords, node, unpacked)
        if isinstance(called, Instance):
            for name in ("__call__", "construct", "forward"):
                method = called.of.find(name)
                if isinstance(method, Function):
                    bound = Function(method.node, method.scope, method.source, called, method.of)
                    return self.call_function(bound, args, keywords, node, unpacked)
            return models.applied_instance(self, called, args, keywords, node) or self.made(
                called.of.node.name, args, keywords, node, called, unpacked
            )
        if isinstance(called, Partial):
            return self.call(called.function, called.args + args, {**called.keywords, **keywords}, node, unpacked)
        if isinstance(called, NamedValue):
            known = models.function(self, called.name, args, keywords, node)
            return known or self.made(called.name, args, keywords, node, None, unpacked)
        if isinstance(called, Call):
            known = models.applied(self, called, args, keywords, node)
            return known or self.made("", args, keywords, node, called, unpacked)
        return self.made(
            called.name if isinstance(called, UnknownValue) else "", args, keywords, node, called, unpacked
        )

    def made(
        self,
        name: str,
        args: list[Value],
        keywords: dict[str, Value],
        node: ast.AST,
        base: Value | None = None,
        unpacked: bool = False,
    ) -> Call:
        made = self.noted(name, args, keywords, node, base, unpacked)
        self.trace.calls.append(made)
        if name in command_line.OPTIONS:
            self.trace.options.append(made)
        for value in (*args, *keywords.values()):
            if isinstance(value, (Function, Many)):
                self.handed += [option for option in options(value) if isinstance(option, Function)]
        return made

    def noted(
        self,
        name: str,
        args: list[Value],
        keywords: dict[str, Value],
        node: ast.AST,
        base: Value | None = None,
        unpacked: bool = False,
    ) -> Call:
        """Like made, for values that are not calls: they are not listed among the calls of the trace."""
        return Call(
            name,
            args,
            keywords,
            node,
            self.source,
            base,
            unpacked,
            frame=self.frame,
            tests=self.tests,
            loops=self.loops,
            order=self.next(),
            left=self.left,
        )

    def on_Lambda(self, node: ast.Lambda, scope: Scope) -> Value:
        return Function(node, scope, self.source)

    def on_Await(self, node: ast.Await, scope: Scope) -> Value:
        return self.value(node.value, scope)

    def on_Yield(self, node: ast.Yield, scope: Scope) -> Value:
        if self.yields:
            self.yields[-1].append(self.value(node.value, scope) if node.value else KnownValue(None))
        return UnknownValue()

    def on_YieldFrom(self, node: ast.YieldFrom, scope: Scope) -> Value:
        value = self.value(node.value, scope)
        if self.yields:
            self.yields[-1].append(self.element(value, node))
        return UnknownValue()

    # --- conditions ---------------------------------------------------------------------------------------------------

    def on_IfExp(self, node: ast.IfExp, scope: Scope) -> Value:
        test = self.value(node.test, scope)
        truth = self.truth(test)
        if truth is not None:
            return _decided(self.value(node.body if truth else node.orelse, scope), test)
        outer, found, tests = self.tests, [], [Test(test, way, node.test) for way in (True, False)]
        for asked, part in zip(tests, (node.body, node.orelse), strict=True):
            self.tests = (*outer, asked)
            found.append(self.value(part, scope))
        self.tests = outer
        return joined(found, tests)

    def on_BoolOp(self, node: ast.BoolOp, scope: Scope) -> Value:
        possible: list[Value] = []
        stops = isinstance(node.op, ast.Or)
        for part in node.values:
            value = self.value(part, scope)
            truth = self.truth(value)
            given = truth in (None, stops) and not (stops and _unset(value))
            if given or part is node.values[-1]:
                possible.append(value)
            if truth is stops:
                break
        found = join(possible) if possible else UnknownValue()
        return Many(found.options, node) if isinstance(found, Many) and len(possible) > 1 else found

    def on_Compare(self, node: ast.Compare, scope: Scope) -> Value:
        values = [self.value(part, scope) for part in (node.left, *node.comparators)]
        kind = type(node.ops[0])
        if len(values) != 2:
            return self.chained(node, values)
        found: Value | None = None
        if kind in (ast.In, ast.NotIn):
            values[1] = models.as_dict(values[1]) or values[1]
            found = self.contained(values[0], values[1], kind is ast.In, node)
        elif kind in (ast.Is, ast.IsNot, ast.Eq, ast.NotEq):
            negated = kind in (ast.IsNot, ast.NotEq)
            left, right = values if not isinstance(values[0], KnownValue) or name_of(values[0]) else values[::-1]
            found = self.equal_to(left, right, negated) if isinstance(right, KnownValue) else None
            if found is None and (alike := _alike(values[0], values[1])) is not None:
                found = KnownValue(alike is not negated)
        return found if found is not None else self.folded(kind, values[0], values[1], node)

    def equal_to(self, left: Value, right: KnownValue, negated: bool) -> Value | None:
        """Whether a value is a constant, or is not; None where that is not known."""
        called = name_of(left)
        certain = isinstance(left, KnownValue) and left.assumed is None
        taken = self.assume(called, right.value) if called and not certain else None
        if taken is not None:
            return KnownValue(taken is not negated)
        if isinstance(left, KnownValue):
            asked = f"{called} {'!=' if negated else '=='} {right.value!r}" if called else ""
            return models.computed(_equal(left, right) is not negated, [left, right], asked)
        return KnownValue(negated) if right.value is None and _is_something(left) else None

    def contained(self, value: Value, among: Value, asked: bool, node: ast.Compare) -> Value | None:
        """Whether a value is in a list, or a key in a dict (`asked`), or is not; None where that is not known."""
        if isinstance(among, Items):
            inside = self.inside(value, among)
            return KnownValue(inside is asked) if inside is not None else None
        if not isinstance(value, KnownValue) or not isinstance(among, Mapping):
            return None
        if value.value not in among.items:
            self.registered(among)
            self.unnamed(among, value, node)
        held = value.value in among.items
        if among.fed and not held:
            return None
        own = any(among is table for table in self.tables)  # what modules enter is not a setting
        return KnownValue(held is asked, value.origin if own else models.keys_from(self, among))

    def chained(self, node: ast.Compare, values: list[Value]) -> Value:
        """What a < b < c is: False as soon as one pair is so, True where all pairs are."""
        pairs = [
            self.folded(type(op), left, right, node)
            for op, left, right in zip(node.ops, values, values[1:], strict=False)
            if isinstance(left, KnownValue) and isinstance(right, KnownValue)
        ]
        told = [pair for pair in pairs if isinstance(pair, KnownValue)]
        no = [pair for pair in told if not pair.value]
        if no or len(told) == len(node.ops):
            return models.computed(not no, no or told)
        return self.noted("<", values, {}, node)

    def inside(self, value: Value, items: Items) -> bool | None:
        """Whether a definition or a constant is one of a list; None when that cannot be told, and for long lists."""
        if not items.items and not items.open:
            return False
        found = _among_definitions(value, items)
        return self.among(value, items) if found is None else found

    def among(self, value: Value, items: Items) -> bool | None:
        """Whether a value is one of a list of constants; None when that cannot be told, and for long lists."""
        if len(items.items) > 1000:
            return None
        constants = [item.value for item in items.items if isinstance(item, KnownValue) and item.assumed is None]
        if isinstance(value, KnownValue) and value.assumed is None and value.value in constants:
            return True
        if items.open or len(constants) != len(items.items):
            return None
        if isinstance(value, KnownValue) and value.assumed is None:
            return False
        each = [self.assume(name_of(value), constant) for constant in constants]
        return any(each) if name_of(value) and None not in each else None

    def truth(self, value: Value) -> bool | None:
        """Whether a value counts as true; None when that cannot be told."""
        if isinstance(value, Many):
            found = {self.truth(option) for option in value.options}
            return found.pop() if len(found) == 1 else None
        if isinstance(value, KnownValue) and value.assumed is None:
            return bool(value.value)
        name = name_of(value)
        taken = self.assume(name, None) if name else None
        if taken is not None:
            return taken
        if isinstance(value, KnownValue):
            if value.assumed != "argparse" or isinstance(value.value, bool) or MANY_DEVICES.search(name):
                return None  # on how many devices it runs is told by who starts it
            return (
                None if value.value in (None, "") else bool(value.value)
            )  # a path may be given, as weights to start from
        if isinstance(value, Call) and value.name == "not":
            inner = self.truth(value.args[0])
            return None if inner is None else not inner
        if isinstance(value, Items):
            return True if value.items else None if value.open else False
        if isinstance(value, Mapping):
            return None if value.fed and not value.items else bool(value.items)
        if isinstance(value, Call) and (models.is_transform(value) or models.is_object(value)):
            return True
        return True if isinstance(value, (Instance, Function, Class)) else None

    # --- operators ----------------------------------------------------------------------------------------------------

    def on_UnaryOp(self, node: ast.UnaryOp, scope: Scope) -> Value:
        value = self.value(node.operand, scope)
        if isinstance(node.op, ast.Not):
            truth = self.truth(value)
            if truth is None:
                return self.noted("not", [value], {}, node)
            return models.computed(not truth, [value])
        if isinstance(node.op, ast.USub):
            if isinstance(value, KnownValue):
                return models.computed(-value.value, [value]) if type(value.value) in (int, float) else UnknownValue()
            return self.made("neg", [value], {}, node)
        return value if isinstance(node.op, ast.UAdd) else self.noted("~", [value], {}, node)

    def on_BinOp(self, node: ast.BinOp, scope: Scope) -> Value:
        return self.combined(node.op, self.value(node.left, scope), self.value(node.right, scope), node)

    def combined(self, op: ast.operator, left: Value, right: Value, node: ast.AST) -> Value:
        if isinstance(op, ast.Add) and (listed := _concatenated(left, right)) is not None:
            return listed
        if isinstance(op, ast.BitOr) and (dicts := _dicts_of(left, right)):
            return join(dicts)
        if isinstance(op, ast.Div) and isinstance(left, KnownValue) and isinstance(left.value, str):
            return models.function(self, "pathlib.Path", [left, right], {}, node) or UnknownValue()
        return self.folded(type(op), left, right, node)

    def unfolded(self, op: ast.operator, left: Value, right: Value, node: ast.AST) -> Value:
        """The same of numbers that are others in each turn of a loop."""
        return self.made(_OPERATORS.get(type(op), ("?", None))[0], [left, right], {}, node)

    def folded(self, kind: type[ast.AST], left: Value, right: Value, node: ast.AST) -> Value:
        symbol, compute = _OPERATORS.get(kind, ("?", None))
        if not (isinstance(left, KnownValue) and isinstance(right, KnownValue)):
            return self.made(symbol, [left, right], {}, node)
        one, other = left.value, right.value
        texts = (
            isinstance(one, str) and isinstance(other, str) and kind is not ast.Mod and len(one) + len(other) < 10_000
        )
        numbers = all(isinstance(v, (int, float)) and abs(v) < BIG for v in (one, other))
        if kind is ast.Pow and numbers and abs(other) <= 64 and abs(one) <= 1024:
            compute = operator.pow
        if kind is ast.LShift and numbers and 0 <= other <= 64:
            compute = operator.lshift
        if compute is not None and (texts or numbers):
            try:
                value = compute(one, other)
                return models.computed(value, [left, right]) if not isinstance(value, complex) else UnknownValue()
            except (ArithmeticError, TypeError, ValueError):
                pass
        return UnknownValue()

    # --- texts and collections ----------------------------------------------------------------------------------------

    def on_JoinedStr(self, node: ast.JoinedStr, scope: Scope) -> Value:
        parts = [self.value(p.value if isinstance(p, ast.FormattedValue) else p, scope) for p in node.values]
        formatted = any(
            isinstance(p, ast.FormattedValue) and (p.format_spec or p.conversion != -1) for p in node.values
        )
        if all(isinstance(part, KnownValue) for part in parts) and not formatted:
            text = "".join(str(part.value)[:1000] for part in parts if isinstance(part, KnownValue))
            return models.computed(text[:10_000], parts)
        return self.noted("f-string", parts, {}, node)

    def on_List(self, node: ast.List | ast.Tuple | ast.Set, scope: Scope) -> Items:
        found = Items([], fixed=isinstance(node, ast.Tuple))
        for part in node.elts:
            value = self.value(part.value if isinstance(part, ast.Starred) else part, scope)
            if not isinstance(part, ast.Starred):
                found.items.append(value)
            elif isinstance(value, Items):
                found.start = found.start if found.open else len(found.items) + value.start
                found.items += value.items
                found.open |= value.open
            else:
                found.start = found.start if found.open else len(found.items)
                found.items.append(self.element(value, part))
                found.open = True
        return found

    on_Tuple = on_List

    def on_Set(self, node: ast.Set, scope: Scope) -> Value:
        listed = self.on_List(node, scope)
        return Members(listed.items, listed.open)

    def on_Dict(self, node: ast.Dict, scope: Scope) -> Value:
        found, unknown = Mapping({}, tests=self.tests), []
        if not node.keys:
            self.table(found)
        for key, part in zip(node.keys, node.values, strict=True):
            value = self.value(part, scope)
            if key is None and not isinstance(value, Mapping):
                unknown.append(value)
                continue
            if isinstance(value, Mapping) and key is None:
                found.items.update(value.items)
                found.fed = [*(found.fed or []), *(value.fed or [])] or None
                continue
            assert key is not None
            name = self.value(key, scope)
            if isinstance(name, KnownValue) and models.hashable(name.value):
                found.items[name.value] = value
                if isinstance(name.value, str):
                    for option in options(value):
                        if isinstance(option, (Call, Instance)) and len(option.bound) < 20:
                            option.bound += (name.value,)
            else:
                found.fed = [*(found.fed or []), value]
        return self.noted("dict", [*unknown, found], {}, node) if unknown else found

    def on_ListComp(self, node: Any, scope: Scope) -> Value:
        inner = Scope(scope)
        first = self.counted(node, self.value(node.generators[0].iter, inner))
        if not isinstance(node, ast.DictComp) and isinstance(first, Items):
            unrolled: list[Value] = []
            if self.unrolled(node, first, inner, unrolled):
                return Words(unrolled) if isinstance(first, Words) else Items(unrolled)
        if isinstance(node, ast.DictComp) and len(node.generators) == 1 and (start := beginning(first)):
            return self.dictionary(node, first, start, inner)
        outer = self.loops
        self.loops = (*outer, node)
        picks: list[Value] = []
        for place, part in enumerate(node.generators):
            iterated = first if place == 0 else self.value(part.iter, inner)
            self.assign(part.target, self.element(iterated, node), inner)
            picks += [self.value(test, inner) for test in part.ifs]
        parts = [node.value, node.key] if isinstance(node, ast.DictComp) else [node.elt]
        values = [self.value(part, inner) for part in parts]
        self.loops = outer
        made = self.made("comprehension", [*values, first], {}, node)
        made.picks = tuple(picks)
        return made

    on_SetComp = on_GeneratorExp = on_DictComp = on_ListComp

    def counted(self, node: ast.AST, over: Value) -> Value:
        """What a comprehension goes over; the numbers themselves of a range whose turns are unpacked into as many names."""
        wanted = self.unpacked[1] if self.unpacked is not None and self.unpacked[0] is node else 0
        end = over.args[0] if isinstance(over, Call) and over.name == "range" and len(over.args) == 1 else None
        if not (wanted and isinstance(end, KnownValue) and end.value == wanted):
            return over
        return Items([KnownValue(number) for number in range(wanted)])

    def unrolled(self, node: Any, over: Value, inner: Scope, found: list[Value], depth: int = 0) -> bool:
        """Add what a comprehension makes of each of a few items to `found`; False where what it goes over, or a condition, is not
        known."""
        if not isinstance(over, Items) or over.open or len(over.items) > models.SHORT or len(found) > 200:
            return False
        part, deeper = node.generators[depth], node.generators[depth + 1 :]
        for item in over.items:
            self.assign(part.target, item, inner)
            truths = [self.truth(self.value(test, inner)) for test in part.ifs]
            if None in truths:
                return False
            if False in truths:
                continue
            if not deeper:
                found.append(self.value(node.elt, inner))
            elif not self.unrolled(node, self.value(deeper[0].iter, inner), inner, found, depth + 1):
                return False
        return True

    def table(self, made: Mapping) -> None:
        """Keep an empty dict that a module makes, itself or in an object."""
        frame = self.frame
        if frame is None or (frame.parent is None and frame.function.name == "__init__"):
            self.tables.append(made)

    def dictionary(self, node: ast.DictComp, over: Value, start: Beginning, inner: Scope) -> Value:
        """The dict that a comprehension makes of a list of which the first items are known."""
        found = (Mapping if isinstance(over, Items) else Numbering)({}, tests=self.tests)
        for item in start.items:
            self.assign(node.generators[0].target, item, inner)
            truths = [self.truth(self.value(test, inner)) for test in node.generators[0].ifs]
            if False in truths:
                continue
            key, value = self.value(node.key, inner), self.value(node.value, inner)
            if isinstance(key, KnownValue) and models.hashable(key.value) and None not in truths:
                found.items[key.value] = value
            else:
                found.fed = [*(found.fed or []), value]
        if not start.whole:
            outer, self.loops = self.loops, (*self.loops, node)
            self.assign(node.generators[0].target, self.element(over, node), inner)
            self.value(node.key, inner)
            found.fed = [*(found.fed or []), self.value(node.value, inner)]
            self.loops = outer
        return found


#: How each kind of expression is evaluated.
_EVALUATE: dict[type[ast.AST], Callable[[Expressions, Any, Scope], Value]] = {
    getattr(ast, name[3:]): method
    for name, method in vars(Expressions).items()
    if name.startswith("on_") and hasattr(ast, name[3:])
}


def _but_none(owners: Sequence[Value]) -> Sequence[Value]:
    """Those of several values that have attributes: None, which none of the ways before replaced, would end the program here."""
    return owners if len(owners) == 1 else [owner for owner in owners if not is_known(owner, None)] or owners


def _listed(value: Value) -> Value:
    """Cells that a comprehension makes, as the list that they are: how many there are is not seen."""
    if not isinstance(value, Call) or not isinstance(value.node, ast.ListComp) or value.name != "comprehension":
        return value
    each = value.args[0]
    cell = isinstance(each, Instance) or (isinstance(each, Call) and each.api.startswith(models.CELLS))
    return Items([each], open=True) if cell else value


def _is_empty(value: Value) -> bool:
    """Whether a list, or a container of cells, surely holds nothing."""
    held = models.cells(value) or value
    return isinstance(held, Items) and not held.items and not held.open


def _unset(value: Value) -> bool:
    """Whether a value marks an option that was not given."""
    return isinstance(value, KnownValue) and value.assumed == "argparse" and value.value in (None, "")


def _decided(value: Value, test: Value) -> Value:
    """One of two values, which a condition chose: what decides this decides the value as well."""
    more = deciders_of(options(test))
    return (
        replace(value, deciders=deciders_of([value, *options(test)]))
        if more and isinstance(value, KnownValue)
        else value
    )


def _equal(one: KnownValue, other: KnownValue) -> bool:
    """Whether constants are the same. The default "true" of an option was read as True (models.py): compared with a text it is
    one again."""
    if one.assumed == "argparse" and isinstance(one.value, bool) and isinstance(other.value, str):
        return str(one.value).lower() == other.value.lower()
    return bool(one.value == other.value)


def _is_something(value: Value) -> bool:
    """Whether a value is not None: an object that is made, or what a function gives.

    An item of a table and an attribute may be None, and so may what these functions look for."""
    if isinstance(value, Call):
        return value.name[:1] not in ("@", ".", "[") and value.name not in _MAY_FIND_NOTHING
    return isinstance(value, (Instance, Items, Mapping, Function, Class))


def _alike(one: Value, other: Value) -> bool | None:
    """Whether two definitions, of the project or of MindSpore, or two types of Python, are the same; None for anything else."""
    if isinstance(one, (Class, Function)) and isinstance(other, (Class, Function)):
        return one.node is other.node
    if (same := models.same_type(one, other)) is not None:
        return same
    defined = [value for value in (one, other) if isinstance(value, (Class, Function)) or _of_mindspore(value)]
    if len(defined) < 2:
        return None
    if isinstance(one, NamedValue) and isinstance(other, NamedValue):
        return names.canonical(one.name) == names.canonical(other.name)
    return False


def _among_definitions(value: Value, items: Items) -> bool | None:
    """Whether a definition is one of a list of definitions; None where that is not sure."""
    each = [_alike(value, item) for item in items.items]
    return True if True in each else False if each and None not in each and not items.open else None


def _of_mindspore(value: Value) -> bool:
    return isinstance(value, NamedValue) and apis.find(names.canonical(value.name)) is not None


def _of_star(name: str, scope: Scope) -> Value:
    """A name that only an import of everything can have brought: of MindSpore, where it is that of a class."""
    stars = [star.name for star in scope.top.stars if star.importer is None]
    known = [star for star in stars if star.split(".")[0] == "mindspore"]
    star = (known if name[:1].isupper() else []) or stars
    return NamedValue(f"{star[-1]}.{name}") if star else UnknownValue(name)


def _concatenated(left: Value, right: Value) -> Value | None:
    """Two lists, one behind the other; None where not all that they may be are lists."""
    sides = [[_listed(option) for option in options(side)] for side in (left, right)]
    lists = [[option for option in side if isinstance(option, Items)] for side in sides]
    if any(len(held) < len(side) for held, side in zip(lists, sides, strict=True)):
        return None
    return join([_joined(a, b) for a in lists[0] for b in lists[1]])


def _joined(first: Items, second: Items) -> Items:
    start = first.start if first.open else len(first.items) + second.start
    return Items(first.items + second.items, first.open or second.open, first.fixed, start=start)


def _dicts_of(left: Value, right: Value) -> list[Value]:
    """The dicts that one dict with the entries of another may be; none where either may be something else."""
    pairs = [(one, other) for one in options(left) for other in options(right)]
    found: list[Value] = [
        Mapping(
            {**one.items, **other.items},
            None if one.fed is other.fed is None else [*(one.fed or ()), *(other.fed or ())],
        )
        for one, other in pairs
        if isinstance(one, Mapping) and isinstance(other, Mapping)
    ]
    return found if len(found) == len(pairs) else []


def _held_under(owner: Call | UnknownValue, text: str | None) -> Value | None:
    """What was put into something under a text, or what the dict that it was made of holds there."""
    if owner.held and text in owner.held:
        return owner.held[text]
    given = owner.args[0] if isinstance(owner, Call) and owner.args else None
    return given.items[text] if isinstance(given, Mapping) and text in given.items else None


def _bounds(key: Value) -> slice | None:
    """A slice of constants, as Python has it."""
    if not is_slice(key):
        return None
    bounds = [part.value if isinstance(part, KnownValue) else "" for part in key.args]
    plain = all(part is None or type(part) is int for part in bounds) and bounds[2] != 0
    return slice(*bounds) if plain else None


def decorated_as(node: ast.AST, name: str) -> bool:
    """True for @name, also as that of a module: @functools.cached_property."""
    decorators = getattr(node, "decorator_list", ())
    return any(name in (getattr(part, "id", None), getattr(part, "attr", None)) for part in decorators)


def _refuses(option: Value | tuple[Value, str], args: list[Value], keywords: dict[str, Value]) -> bool:
    """Whether a function of the project, or the class by its constructor, has no place for some of what it is given."""
    made = option.find("__init__") if isinstance(option, Class) else option
    if not isinstance(made, Function) or made.decorators or getattr(made.node, "decorator_list", ()):
        return False
    spec = made.node.args
    by_place = [*spec.posonlyargs, *spec.args]
    given = len(args) + (isinstance(option, Class) or made.owner is not None)
    names = {part.arg for part in (*spec.args, *spec.kwonlyargs)}
    return (spec.vararg is None and given > len(by_place)) or (spec.kwarg is None and not names.issuperset(keywords))
