"""What a script would do, followed without running it: every call that leaves the script, with what it is given.

The script's own functions are followed into, with the arguments of each call; both ways of an undecided condition are taken
and joined; a loop's body is taken once. Names are resolved through imports and assignments, whatever the alias, and
constants are folded. What a name such as is_training stands for is asked of `assume`, so that a script can be read as "when
it trains". Nothing here knows about MindSpore; modules beyond the script stay names.
"""

from __future__ import annotations

import ast
import builtins
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .source import Source
from .values import (
    Class,
    Function,
    Instance,
    Items,
    Known,
    Made,
    Many,
    Mapping,
    Named,
    Scope,
    Unknown,
    Value,
    join,
    name_of,
    options,
)

#: Calls within calls are followed so deep, and so many expressions are looked at, before the trace gives up on the rest.
DEPTH, STEPS = 16, 500_000
#: Folded texts and numbers stay below this.
BIG = 1 << 40

#: (name, the constant it is compared with or None for a plain test) -> what it is taken for, or None for unknown.
Assume = Callable[[str, Any], "bool | None"]

#: (dotted name of a module, the source that imports it) -> its source, or None for a module that is not followed into.
Find = Callable[[str, Source], "Source | None"]

_OPERATORS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


@dataclass
class Trace:
    """`calls` in the order of reading; `stores` are attributes set on results of calls; `gave_up` when too much was asked."""

    source: Source
    calls: list[Made] = field(default_factory=list)
    stores: list[tuple[Value, str, Value, ast.AST]] = field(default_factory=list)
    gave_up: bool = False


class _GaveUp(Exception):
    pass


def follow(source: Source, assume: Assume, find: Find = lambda module, importer: None) -> Trace:
    """Follow a script from its first line, as when it is started, then its functions that nothing called.

    `find` gives the source of a module that the script imports and that is to be followed into, or None.
    """
    tracer = _Tracer(source, assume, find)
    try:
        tracer.module()
    except (_GaveUp, RecursionError):
        tracer.trace.gave_up = True
    return tracer.trace


class _Tracer:
    def __init__(self, source: Source, assume: Assume, find: Find) -> None:
        self.source, self.assume, self.find = source, assume, find
        self.modules: dict[Path, Scope] = {}
        self.trace = Trace(source)
        self.outside: set[Named] = set()  # what no followed module defines
        self.steps = 0
        self.running: list[str] = []
        self.active: list[ast.AST] = []
        self.conditions: list[str] = []
        self.entered: set[int] = set()
        self.returns: list[list[Value]] = []
        self.given: list[dict[str, Any]] = []  # the constants that each running function was called with

    # --- running ------------------------------------------------------------------------------------------------------

    def module(self) -> None:
        scope = Scope()
        scope.names["__name__"] = Known("__main__")
        self.block(self.source.tree.body, scope)
        for value in [option for held in scope.names.values() for option in options(held)]:
            if isinstance(value, (Class, Function)) and value.source is not self.source:
                continue
            if isinstance(value, Class):
                self.uncalled_class(value)
            elif isinstance(value, Function) and id(value.node) not in self.entered:
                self.call_function(value, [], {}, unseen=True)

    def imported(self, module: Named) -> Scope | None:
        """The names of a module that is followed into. It is run when something of it is first asked for."""
        source = self.find(module.name, module.importer or self.source)
        if source is None or source.file == self.trace.source.file:
            return None
        if source.file not in self.modules:
            scope = self.modules[source.file] = Scope()
            scope.names["__name__"] = Known(module.name)
            outer = self.source, self.conditions, self.running
            self.source, self.conditions, self.running = source, [], []
            try:
                self.block(source.tree.body, scope)
            finally:
                self.source, self.conditions, self.running = outer
        return self.modules[source.file]

    def resolved(self, value: Value, depth: int = 0) -> Value:
        """What a full name stands for, when its module is followed into; any other value as it is."""
        if not isinstance(value, Named) or value in self.outside or depth > 10:
            return value
        module, _, last = value.name.rpartition(".")
        if not module.strip("."):
            module += "." * value.name.startswith(".")  # from . import x
        scope = self.imported(Named(module, value.importer)) if module else None
        found = None if scope is None else self.exported(scope, last)
        if found is None:
            self.outside.add(value)
            return value
        return self.resolved(found, depth + 1)

    def exported(self, scope: Scope, name: str) -> Value | None:
        """A name of a module, or of the modules that it imports with *."""
        if name in scope.names:
            return scope.names[name]
        starred = (self.imported(star) for star in scope.stars)
        return next((other.names[name] for other in starred if other is not None and name in other.names), None)

    def uncalled_class(self, value: Class) -> None:
        methods = [m for m in value.attributes.values() if isinstance(m, Function) and id(m.node) not in self.entered]
        if not methods:
            return
        instance = Instance(value)
        for method in sorted(methods, key=lambda method: method.name != "__init__"):
            if id(method.node) not in self.entered:
                self.call_function(Function(method.node, method.scope, method.source, instance), [], {}, unseen=True)

    def step(self) -> None:
        self.steps += 1
        if self.steps > STEPS:
            raise _GaveUp

    def block(self, body: Sequence[ast.stmt], scope: Scope) -> bool:
        """Run statements; False when they end in return or raise."""
        return all(self.statement(statement, scope) for statement in body)

    def statement(self, node: ast.stmt, scope: Scope) -> bool:
        self.step()
        if isinstance(node, ast.Expr):
            value = self.value(node.value, scope)
            for option in options(value):
                if isinstance(option, Made) and option.node is node.value:
                    option.discarded = True
        elif isinstance(node, ast.Assign):
            value = self.value(node.value, scope)
            for target in node.targets:
                self.assign(target, value, scope)
        elif isinstance(node, ast.AnnAssign):
            if node.value is not None:
                self.assign(node.target, self.value(node.value, scope), scope)
        elif isinstance(node, ast.AugAssign):
            load = ast.copy_location(ast.BinOp(_loaded(node.target), node.op, node.value), node)
            self.assign(node.target, self.value(load, scope), scope)
        elif isinstance(node, ast.If):
            return self.branch(node, scope)
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            iterated = self.value(node.iter, scope)
            self.assign(node.target, self.element(iterated, node), scope)
            self.either([node.body], scope, "")
            self.block(node.orelse, scope)
        elif isinstance(node, ast.While):
            self.value(node.test, scope)
            self.either([node.body], scope, "")
            self.block(node.orelse, scope)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                value = self.value(item.context_expr, scope)
                if item.optional_vars is not None:
                    self.assign(item.optional_vars, value, scope)
            return self.block(node.body, scope)
        elif isinstance(node, (ast.Try, *_TRY_STAR)):
            return self.attempt(node, scope)
        elif isinstance(node, ast.Match):
            self.value(node.subject, scope)
            return self.either([[], *(case.body for case in node.cases)], scope, ast.unparse(node.subject))
        elif isinstance(node, ast.Return):
            value = Known(None) if node.value is None else self.value(node.value, scope)
            if self.returns:
                self.returns[-1].append(value)
            return False
        elif isinstance(node, ast.Raise):
            return False
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            scope.names[node.name] = self.decorated(node, Function(node, scope, self.source), scope)
        elif isinstance(node, ast.ClassDef):
            scope.names[node.name] = self.class_(node, scope)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.name if alias.asname else alias.name.split(".")[0]
                scope.names[alias.asname or name] = Named(name)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            importer = self.source if node.level else None
            for alias in node.names:
                if alias.name == "*":
                    scope.stars.append(Named(module, importer))
                else:
                    dot = "" if module.endswith(".") else "."
                    scope.names[alias.asname or alias.name] = Named(f"{module}{dot}{alias.name}", importer)
        elif isinstance(node, ast.Assert):
            self.value(node.test, scope)
        elif isinstance(node, ast.Delete):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    scope.names.pop(target.id, None)
        return True

    def branch(self, node: ast.If, scope: Scope) -> bool:
        test = self.value(node.test, scope)
        truth = self.truth(test)
        if truth is True:
            return self.block(node.body, scope)
        if truth is False:
            return self.block(node.orelse, scope)
        return self.either([node.body, node.orelse], scope, ast.unparse(node.test)[:200])

    def either(self, bodies: Sequence[Sequence[ast.stmt]], scope: Scope, condition: str) -> bool:
        """Run each body on the names as they are now, and join what they leave; False when none of them runs on."""
        before, ends = dict(scope.names), []
        if condition:
            self.conditions.append(condition)
        for body in bodies:
            scope.names = dict(before)
            if self.block(body, scope) or not condition:
                ends.append(scope.names)
        if condition:
            self.conditions.pop()
        if not ends:
            return False
        joined = {}
        for name in {name: None for names in ends for name in names}:
            joined[name] = join([names[name] for names in ends if name in names])
        scope.names = joined
        return True

    def attempt(self, node: Any, scope: Scope) -> bool:
        """A try statement: its handlers start from before its body, and are joined with its regular end."""
        before = dict(scope.names)
        runs = self.block(node.body, scope) and self.block(node.orelse, scope)
        ends = [scope.names] if runs else []
        for handler in node.handlers:
            scope.names = dict(before)
            self.conditions.append("except")
            if self.block(handler.body, scope):
                ends.append(scope.names)
            self.conditions.pop()
        if ends:
            names = {name: None for end in ends for name in end}
            scope.names = {name: join([end[name] for end in ends if name in end]) for name in names}
        return self.block(node.finalbody, scope) and bool(ends)

    def assign(self, target: ast.expr, value: Value, scope: Scope) -> None:
        if isinstance(target, ast.Name):
            scope.names[target.id] = value
            if isinstance(value, Known) and not value.name:
                scope.names[target.id] = Known(value.value, value.assumed, target.id)
            elif isinstance(value, Unknown) and not value.name:
                scope.names[target.id] = Unknown(target.id)
            _bind(value, target.id)
        elif isinstance(target, ast.Attribute):
            _bind(value, target.attr)
            for owner in options(self.value(target.value, scope)):
                if isinstance(owner, (Instance, Class)):
                    old = owner.attributes.get(target.attr)
                    owner.attributes[target.attr] = join([old, value]) if old and self.conditions else value
                elif isinstance(owner, Mapping):
                    owner.items[target.attr] = value
                else:
                    self.trace.stores.append((owner, target.attr, value, target))
        elif isinstance(target, ast.Subscript):
            key = self.value(target.slice, scope)
            for owner in options(self.value(target.value, scope)):
                if isinstance(owner, Mapping) and isinstance(key, Known) and _hashable(key.value):
                    owner.items[key.value] = value
            if isinstance(key, Known) and isinstance(key.value, str):
                _bind(value, key.value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for place, part in enumerate(target.elts):
                inner = part.value if isinstance(part, ast.Starred) else part
                self.assign(inner, self.item(value, place, target), scope)

    # --- values -------------------------------------------------------------------------------------------------------

    def value(self, node: ast.expr | None, scope: Scope) -> Value:
        if node is None:
            return Unknown()
        self.step()
        method = getattr(self, "on_" + type(node).__name__, None)
        if method is not None:
            found: Value = method(node, scope)
            return found
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child, scope)
        return Unknown()

    def on_Constant(self, node: ast.Constant, scope: Scope) -> Value:
        return Known(node.value)

    def on_Name(self, node: ast.Name, scope: Scope) -> Value:
        value = scope.get(node.id)
        if value is not None:
            return self.resolved(value)
        if hasattr(builtins, node.id):
            return Named(node.id)
        if (found := self.exported(scope.top, node.id)) is not None:
            return self.resolved(found)
        stars = [star.name for star in scope.top.stars if star.importer is None]
        known = [star for star in stars if star.split(".")[0] == "mindspore"]
        star = (known if node.id[:1].isupper() else []) or stars
        return Named(f"{star[-1]}.{node.id}") if star else Unknown(node.id)

    def on_Attribute(self, node: ast.Attribute, scope: Scope) -> Value:
        return join([self.attribute(owner, node.attr, node) for owner in options(self.value(node.value, scope))])

    def attribute(self, owner: Value, name: str, node: ast.AST) -> Value:
        if isinstance(owner, Named):
            return self.resolved(Named(f"{owner.name}.{name}", owner.importer))
        if isinstance(owner, Instance):
            if name in owner.attributes:
                return owner.attributes[name]
            found = owner.of.find(name)
            if isinstance(found, Function):
                bound = Function(found.node, found.scope, found.source, owner)
                return self.call_function(bound, [], {}) if _decorator(found.node, "property") else bound
            return found or Unknown(name)
        if isinstance(owner, Class):
            return owner.find(name) or Unknown(name)
        if isinstance(owner, Mapping):
            return owner.items.get(name) or Unknown(name)
        if isinstance(owner, Made):
            if (option := self.option(owner, name)) is not None:
                return option
            for given in owner.args[:1]:  # EasyDict({...}) and its like
                if isinstance(given, Mapping) and name in given.items:
                    return given.items[name]
            if name in owner.keywords and owner.base is None:  # SimpleNamespace(shuffle=True)
                return owner.keywords[name]
        return Unknown(name)

    def option(self, owner: Made, name: str) -> Value | None:
        """The default of a command line option, when `owner` is what a parser made of the command line."""
        parsed = owner
        if parsed.name == ".item" and isinstance(parsed.base, Made):
            parsed = parsed.base
        if parsed.name not in (".parse_args", ".parse_known_args"):
            return None
        root = _root(parsed)
        for call in self.trace.calls:
            if call.name != ".add_argument" or _root(call) is not root:
                continue
            flags = [
                flag.value.lstrip("-") for flag in call.args if isinstance(flag, Known) and isinstance(flag.value, str)
            ]
            target = call.keywords.get("dest")
            named = [target.value] if isinstance(target, Known) else [flag.replace("-", "_") for flag in flags]
            if name not in named:
                continue
            default, action = call.keywords.get("default"), call.keywords.get("action")
            if isinstance(default, Known):
                return Known(_boolean(default.value), "argparse", name)
            if default is None and isinstance(action, Known) and action.value in ("store_true", "store_false"):
                return Known(action.value == "store_false", "argparse", name)
            break
        return Unknown(name)

    def on_Call(self, node: ast.Call, scope: Scope) -> Value:
        args: list[Value] = []
        unpacked = False
        function = self.callee(node.func, scope)
        for part in node.args:
            if isinstance(part, ast.Starred):
                value = self.value(part.value, scope)
                if isinstance(value, Items):
                    args += value.items
                else:
                    unpacked = True
            else:
                args.append(self.value(part, scope))
        keywords: dict[str, Value] = {}
        for keyword in node.keywords:
            value = self.value(keyword.value, scope)
            if keyword.arg is not None:
                keywords[keyword.arg] = value
            elif isinstance(value, Mapping):
                keywords.update({key: item for key, item in value.items.items() if isinstance(key, str)})
            else:
                unpacked = True
        return join([self.call(option, args, keywords, node, unpacked) for option in function])

    def callee(self, node: ast.expr, scope: Scope) -> list[Value | tuple[Value, str]]:
        """What is called; a method of something that is not examined as (its owner, its name)."""
        if not isinstance(node, ast.Attribute):
            return list(options(self.value(node, scope)))
        found: list[Value | tuple[Value, str]] = []
        for owner in options(self.value(node.value, scope)):
            if isinstance(owner, (Made, Unknown, Known, Items, Mapping)):
                held = self.attribute(owner, node.attr, node) if isinstance(owner, (Made, Mapping)) else None
                follows = isinstance(held, (Function, Class, Instance))
                found.append(held if follows and held is not None else (owner, node.attr))
            elif isinstance(owner, Named) and owner.name == "super()":
                found.append(Unknown(node.attr))
            else:
                found += options(self.attribute(owner, node.attr, node))
        return found

    def call(
        self,
        function: Value | tuple[Value, str],
        args: list[Value],
        keywords: dict[str, Value],
        node: ast.Call,
        unpacked: bool = False,
    ) -> Value:
        if isinstance(function, tuple):
            owner, name = function
            if name == "apply" and len(args) == 1 and isinstance(args[0], Function):
                return self.call_function(args[0], [owner], {})
            if isinstance(owner, Mapping) and name == "get" and args and isinstance(args[0], Known):
                return self.subscript(owner, args[0], node) if _hashable(args[0].value) else Unknown()
            if (
                isinstance(owner, Known)
                and isinstance(owner.value, str)
                and not args
                and name in ("lower", "upper", "strip")
            ):
                return Known(getattr(owner.value, name)(), owner.assumed, owner.name)
            return self.made("." + name, args, keywords, node, owner, unpacked)
        if isinstance(function, Function):
            return self.call_function(function, args, keywords, unpacked)
        if isinstance(function, Class):
            instance = Instance(function)
            start = function.find("__init__")
            if isinstance(start, Function):
                self.call_function(Function(start.node, start.scope, start.source, instance), args, keywords, unpacked)
            else:
                instance.attributes.update(keywords)  # a dataclass, or a base that is not examined
            return instance
        if isinstance(function, Instance):
            method = function.of.find("__call__")
            if isinstance(method, Function):
                return self.call_function(
                    Function(method.node, method.scope, method.source, function), args, keywords, unpacked
                )
            return self.made(function.of.node.name, args, keywords, node, function, unpacked)
        name = function.name if isinstance(function, (Named, Unknown)) else ""
        if name == "bool" and len(args) == 1 and (truth := self.truth(args[0])) is not None:
            inner = args[0]
            return Known(truth, inner.assumed if isinstance(inner, Known) else None, name_of(inner))
        if name == "super":
            return Named("super()")
        if name == "dict" and not args and not unpacked:
            return Mapping(dict(keywords))
        if name.endswith("partial") and args and isinstance(args[0], (Function, Class)):
            return _Partial(args[0], args[1:], keywords)
        if isinstance(function, _Partial):
            return self.call(function.function, function.args + args, {**function.keywords, **keywords}, node, unpacked)
        base = function if isinstance(function, Made) else None
        return self.made(name, args, keywords, node, base, unpacked)

    def made(
        self,
        name: str,
        args: list[Value],
        keywords: dict[str, Value],
        node: ast.AST,
        base: Value | None = None,
        unpacked: bool = False,
    ) -> Made:
        made = Made(
            name,
            args,
            keywords,
            node,
            self.source,
            base,
            unpacked,
            functions=tuple(self.running),
            given=self.given[-1] if self.given else {},
            conditions=tuple(self.conditions),
        )
        self.trace.calls.append(made)
        return made

    def call_function(
        self,
        function: Function,
        args: list[Value],
        keywords: dict[str, Value],
        unpacked: bool = False,
        unseen: bool = False,
    ) -> Value:
        """Follow a function. `unseen`: nobody is seen to call it, so its defaults are no more than that."""
        node = function.node
        self.entered.add(id(node))
        if node in self.active or len(self.active) >= DEPTH:
            return Unknown(function.name)
        scope = Scope(function.scope)
        self.parameters(function, args, keywords, scope, unpacked, unseen)
        if isinstance(node, ast.Lambda):
            return self.value(node.body, scope)
        if _yields(node):
            return self.made("generator", [function], {}, node)
        self.active.append(node)
        self.running.append(node.name)
        passed = {name: value for name, value in scope.names.items() if isinstance(value, Known) and not value.assumed}
        self.given.append({name: value.value for name, value in passed.items()})
        outer, self.source = self.source, function.source
        self.returns.append([])
        try:
            runs_on = self.block(node.body, scope)
        finally:
            found = self.returns.pop()
            self.active.pop()
            self.running.pop()
            self.given.pop()
            self.source = outer
        if runs_on or not found:
            found.append(Known(None))
        useful = [value for value in found if not (isinstance(value, Known) and value.value is None)]
        return join(useful or found)

    def parameters(
        self,
        function: Function,
        args: list[Value],
        keywords: dict[str, Value],
        scope: Scope,
        unpacked: bool,
        unseen: bool,
    ) -> None:
        spec = function.node.args
        names = [part.arg for part in (*spec.posonlyargs, *spec.args)]
        given = list(args)
        static = not isinstance(function.node, ast.Lambda) and _decorator(function.node, "staticmethod")
        if function.owner is not None and names and not static:
            given.insert(0, function.owner)
        defaults = dict(zip(reversed(names), reversed(spec.defaults), strict=False))
        defaults |= {part.arg: d for part, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if d is not None}
        rest = dict(keywords)
        for place, name in enumerate([*names, *(part.arg for part in spec.kwonlyargs)]):
            if place < len(given) and place < len(names):
                value = given[place]
            elif name in rest:
                value = rest.pop(name)
            elif name in defaults and not unpacked:
                value = self.value(defaults[name], function.scope)
                if unseen:
                    value = Known(value.value, "parameter", name) if isinstance(value, Known) else Unknown(name)
            else:
                value = Unknown(name)
            if isinstance(value, Known) and not value.name:
                value = Known(value.value, value.assumed, name)
            elif isinstance(value, Unknown) and not value.name:
                value = Unknown(name)
            scope.names[name] = value
        if spec.vararg is not None:
            scope.names[spec.vararg.arg] = (
                Items(given[len(names) :]) if not (unpacked or unseen) else Unknown(spec.vararg.arg)
            )
        if spec.kwarg is not None:
            scope.names[spec.kwarg.arg] = Mapping(dict(rest)) if not (unpacked or unseen) else Unknown(spec.kwarg.arg)

    def decorated(self, node: ast.FunctionDef | ast.AsyncFunctionDef, function: Function, scope: Scope) -> Value:
        for decorator in node.decorator_list:
            self.value(decorator, scope)
        return function

    def class_(self, node: ast.ClassDef, scope: Scope) -> Class:
        inner = Scope(scope)
        made = Class(node, inner.names, [self.value(base, scope) for base in node.bases], self.source)
        self.block(node.body, inner)
        made.attributes = inner.names
        for value in made.attributes.values():
            if isinstance(value, Function) and value.scope is inner:
                value.scope = scope  # a method does not see the names of its class
        return made

    def on_Lambda(self, node: ast.Lambda, scope: Scope) -> Value:
        return Function(node, scope, self.source)

    def on_IfExp(self, node: ast.IfExp, scope: Scope) -> Value:
        truth = self.truth(self.value(node.test, scope))
        if truth is not None:
            return self.value(node.body if truth else node.orelse, scope)
        self.conditions.append(ast.unparse(node.test)[:200])
        found = join([self.value(node.body, scope), self.value(node.orelse, scope)])
        self.conditions.pop()
        return found

    def on_BoolOp(self, node: ast.BoolOp, scope: Scope) -> Value:
        possible: list[Value] = []
        stops = isinstance(node.op, ast.Or)
        for part in node.values:
            value = self.value(part, scope)
            truth = self.truth(value)
            if truth is stops:
                return join([*possible, value])
            if truth is None or part is node.values[-1]:
                possible.append(value)
        return join(possible) if possible else Unknown()

    def on_UnaryOp(self, node: ast.UnaryOp, scope: Scope) -> Value:
        value = self.value(node.operand, scope)
        if isinstance(node.op, ast.Not):
            truth = self.truth(value)
            return Unknown() if truth is None else Known(not truth, value.assumed if isinstance(value, Known) else None)
        if isinstance(node.op, ast.USub) and isinstance(value, Known) and type(value.value) in (int, float):
            return Known(-value.value, value.assumed, value.name)
        return Unknown()

    def on_Compare(self, node: ast.Compare, scope: Scope) -> Value:
        values = [self.value(part, scope) for part in (node.left, *node.comparators)]
        if len(values) != 2:
            return Unknown()
        left, right, kind = values[0], values[1], type(node.ops[0])
        if isinstance(left, Known) and not name_of(left):
            left, right = right, left
        if kind in (ast.Is, ast.IsNot, ast.Eq, ast.NotEq) and isinstance(right, Known):
            negated = kind in (ast.IsNot, ast.NotEq)
            certain = isinstance(left, Known) and left.assumed is None
            taken = None if certain or not name_of(left) else self.assume(name_of(left), right.value)
            if taken is not None:
                return Known(taken is not negated)
            if isinstance(left, Known):
                return Known((left.value == right.value) is not negated, left.assumed or right.assumed)
            if right.value is None and isinstance(left, (Made, Instance, Items, Mapping, Function, Class)):
                return Known(negated)
        if kind is ast.In and isinstance(right, Items) and all(isinstance(item, Known) for item in right.items):
            if isinstance(left, Known) and left.assumed is None:
                return Known(any(left.value == item.value for item in right.items if isinstance(item, Known)))
            each = [self.assume(name_of(left), item.value) for item in right.items if isinstance(item, Known)]
            if name_of(left) and None not in each:
                return Known(any(each))
        one, other = values
        if isinstance(one, Known) and isinstance(other, Known) and kind in _OPERATORS:
            return self.folded(kind, one, other)
        return Unknown()

    def on_BinOp(self, node: ast.BinOp, scope: Scope) -> Value:
        left, right = self.value(node.left, scope), self.value(node.right, scope)
        if isinstance(left, Known) and isinstance(right, Known):
            return self.folded(type(node.op), left, right)
        if any(isinstance(part, Made) for side in (left, right) for part in options(side)):
            return self.made("+" if isinstance(node.op, ast.Add) else "operator", [left, right], {}, node)
        return Unknown()

    def folded(self, kind: type[ast.AST], left: Known, right: Known) -> Value:
        one, other = left.value, right.value
        texts = (
            isinstance(one, str) and isinstance(other, str) and (kind is not ast.Mod) and len(one) + len(other) < 10_000
        )
        numbers = all(isinstance(v, (int, float)) and abs(v) < BIG for v in (one, other))
        if kind in _OPERATORS and (texts or numbers):
            try:
                return Known(_OPERATORS[kind](one, other), left.assumed or right.assumed)
            except (ArithmeticError, TypeError, ValueError):
                pass
        return Unknown()

    def on_JoinedStr(self, node: ast.JoinedStr, scope: Scope) -> Value:
        known = True
        text: list[str] = []
        for part in node.values:
            value = self.value(part.value if isinstance(part, ast.FormattedValue) else part, scope)
            if isinstance(value, Known):
                text.append(str(value.value)[:1000])
            else:
                known = False
                text.append(name_of(value))
        return Known("".join(text)[:10_000]) if known else Unknown("".join(text)[:1000])

    def on_List(self, node: ast.List | ast.Tuple | ast.Set, scope: Scope) -> Value:
        found = Items([])
        for part in node.elts:
            value = self.value(part.value if isinstance(part, ast.Starred) else part, scope)
            if not isinstance(part, ast.Starred):
                found.items.append(value)
            elif isinstance(value, Items):
                found.items += value.items
            else:
                return Unknown()
        return found

    on_Tuple = on_Set = on_List

    def on_Dict(self, node: ast.Dict, scope: Scope) -> Value:
        found = Mapping({})
        for key, part in zip(node.keys, node.values, strict=True):
            value = self.value(part, scope)
            if key is None:
                if not isinstance(value, Mapping):
                    return Unknown()
                found.items.update(value.items)
                continue
            name = self.value(key, scope)
            if isinstance(name, Known) and _hashable(name.value):
                found.items[name.value] = value
                if isinstance(name.value, str):
                    _bind(value, name.value)
        return found

    def on_Subscript(self, node: ast.Subscript, scope: Scope) -> Value:
        key = self.value(node.slice, scope)
        return join([self.subscript(owner, key, node) for owner in options(self.value(node.value, scope))])

    def subscript(self, owner: Value, key: Value, node: ast.AST) -> Value:
        text = key.value if isinstance(key, Known) and isinstance(key.value, str) else ""
        if isinstance(owner, Mapping) and isinstance(key, Known) and _hashable(key.value):
            return owner.items.get(key.value) or Unknown(text)
        if isinstance(key, Known) and isinstance(key.value, int):
            return self.item(owner, key.value, node)
        if isinstance(owner, Made):
            for given in owner.args[:1]:
                if isinstance(given, Mapping) and text in given.items:
                    return given.items[text]
        return Unknown(text)

    def item(self, value: Value, place: int, node: ast.AST) -> Value:
        """One item of a value that is indexed or unpacked."""
        found: list[Value] = []
        for option in options(value):
            if isinstance(option, Items):
                inside = -len(option.items) <= place < len(option.items)
                found.append(option.items[place] if inside else Unknown())
            elif isinstance(option, Made):
                found.append(self.made(".item", [Known(place)], {}, node, option))
            else:
                found.append(Unknown())
        return join(found)

    def element(self, value: Value, node: ast.AST) -> Value:
        """What a loop over a value yields."""
        found: list[Value] = []
        for option in options(value):
            if isinstance(option, Items):
                found += option.items[:8]
            elif isinstance(option, Made):
                found.append(self.made(".each", [], {}, node, option))
        return join(found) if found else Unknown()

    def on_ListComp(self, node: Any, scope: Scope) -> Value:
        inner = Scope(scope)
        for part in node.generators:
            self.assign(part.target, self.element(self.value(part.iter, inner), node), inner)
            for test in part.ifs:
                self.value(test, inner)
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        values = [self.value(part, inner) for part in parts]
        return self.made("comprehension", values, {}, node)

    on_SetComp = on_GeneratorExp = on_DictComp = on_ListComp

    def on_NamedExpr(self, node: ast.NamedExpr, scope: Scope) -> Value:
        value = self.value(node.value, scope)
        self.assign(node.target, value, scope)
        return value

    def on_Await(self, node: ast.Await, scope: Scope) -> Value:
        return self.value(node.value, scope)

    def truth(self, value: Value) -> bool | None:
        """Whether a value counts as true; None when that cannot be told."""
        if isinstance(value, Many):
            found = {self.truth(option) for option in value.options}
            return found.pop() if len(found) == 1 else None
        if isinstance(value, Known) and value.assumed is None:
            return bool(value.value)
        name = name_of(value)
        taken = self.assume(name, None) if name else None
        if taken is not None:
            return taken
        if isinstance(value, Known):
            return bool(value.value) if value.assumed == "argparse" and not isinstance(value.value, bool) else None
        if isinstance(value, (Items, Mapping)):
            return bool(value.items)
        return True if isinstance(value, (Instance, Function, Class)) else None


@dataclass(eq=False)
class _Partial(Value):
    function: Value
    args: list[Value]
    keywords: dict[str, Value]


_TRY_STAR: tuple[type[ast.AST], ...] = (ast.TryStar,) if hasattr(ast, "TryStar") else ()


def _loaded(target: ast.expr) -> ast.expr:
    """The target of an augmented assignment as the value it had."""
    if isinstance(target, ast.Name):
        return ast.copy_location(ast.Name(target.id, ast.Load()), target)
    return target


def _bind(value: Value, name: str) -> None:
    for option in options(value):
        if isinstance(option, Made) and len(option.bound) < 20:
            option.bound.append(name)


def _decorator(node: ast.AST, name: str) -> bool:
    return any(isinstance(part, ast.Name) and part.id == name for part in getattr(node, "decorator_list", ()))


def _yields(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """True for a generator function; a yield of a function within it does not count."""
    queue: list[ast.AST] = list(node.body)
    while queue:
        part = queue.pop()
        if isinstance(part, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            queue += ast.iter_child_nodes(part)
    return False


def _hashable(value: Any) -> bool:
    return isinstance(value, (str, int, float, bool, bytes, type(None)))


def _boolean(value: Any) -> Any:
    """The default of an option that is converted from text: "True" and "false" are meant as truth values."""
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    return value


def _root(made: Made) -> Value:
    """What a chain of methods started from."""
    base: Value = made
    while isinstance(base, Made) and base.base is not None:
        base = base.base
    return base
