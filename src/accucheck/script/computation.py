"""Numbers that functions of a script compute of numbers, lists and mathematics alone: computed as the script would, turn by turn.

The trace takes a loop's body once, which does not tell what a list holds that the loop fills. Here the few operations that
such functions consist of are carried out one by one, within bounds; nothing of the script is run. Whatever else is met ends the
computation.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import math
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..knowledge import names, rate_schedules
from .trace import Trace
from .values import (
    Call,
    Frame,
    Function,
    Instance,
    Items,
    KnownValue,
    Many,
    Mapping,
    NamedValue,
    Scope,
    UnknownValue,
    Value,
    options,
)

#: So many expressions are computed, and functions within functions, and so many numbers may a list hold.
OPERATIONS, DEPTH, LONGEST = 200_000, 16, 100_000
#: No whole number gets larger than this power of two. Of a list, so many numbers count as one expression.
_BITS, _AT_ONCE = 256, 16


class NotComputed(Exception):
    """What was met that is no number, list or mathematics, or too much of it."""


class _Returned(Exception):
    def __init__(self, value: Any) -> None:
        self.value = value


class _Left(Exception):
    """break"""


class _Next(Exception):
    """continue"""


class _Unseen(int):
    """A number that stands for one out of sight: what is computed with it is a number, and no condition hangs on it alone."""


class _Array(list[Any]):
    """The numbers of an array, which operators take one by one."""


@dataclass(frozen=True)
class _Local:
    """A function that is defined within one that is computed."""

    node: ast.FunctionDef | ast.Lambda
    names: _Names


@dataclass(eq=False)
class _Object:
    """An object of a class of the project, with the attributes that were computed."""

    instance: Instance
    attributes: dict[str, Any] = field(default_factory=dict)


@dataclass
class _Names:
    """The names of one run of a function: its own, then those where it is defined."""

    scope: Scope
    own: dict[str, Any] = field(default_factory=dict)
    outer: _Names | None = None

    def holder(self, name: str) -> dict[str, Any] | None:
        names: _Names | None = self
        while names is not None:
            if name in names.own:
                return names.own
            names = names.outer
        return None


class Computation:
    """Computes values of a trace. A number that is out of sight, such as that of the batches of a data set, is taken for
    `stand_in`: what comes out alike for two of them does not depend on it."""

    def __init__(self, trace: Trace, stand_in: int) -> None:
        self.trace, self.stand_in = trace, stand_in
        self.left, self.depth = OPERATIONS, 0
        self.settled = True  # no constant was used that may be another one at run time
        self.unseen: list[Value] = []  # what `stand_in` stands for
        self.known: dict[int, tuple[Value | None, Any]] = {}  # with the value itself, which keeps its id
        self.named: dict[tuple[object, str], Value] = {}

    @cached_property
    def givers(self) -> dict[int, Frame]:
        """The run of a function that gives a value, by its id; the innermost where others hand it on."""
        found: dict[int, Frame] = {}
        for frame in self.trace.frames:
            found.update((id(option), frame) for option in options(frame.returned) if isinstance(option, (Call, Items)))
        return found

    def step(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise NotComputed("too many operations")

    # --- values of the trace ------------------------------------------------------------------------------------------

    def of(self, value: Value | None) -> Any:
        """The number, list or text that a value is; functions, modules and objects stay as they are. Raises NotComputed."""
        self.step()
        if id(value) not in self.known:
            self.known[id(value)] = value, NotComputed  # within itself
            self.known[id(value)] = value, self.computed(value)
        found = self.known[id(value)][1]
        if found is NotComputed:
            raise NotComputed
        return type(found)(found) if isinstance(found, list) else found

    def computed(self, value: Value | None) -> Any:
        if isinstance(value, KnownValue):
            self.settled = self.settled and not value.assumed
            return _plain(value.value)
        if isinstance(value, Many):
            return self.one_of(value, [self.of(option) for option in value.options])
        if isinstance(value, (Call, Items)):
            return self.made(value)
        if isinstance(value, UnknownValue):
            return self.stood_for(value)
        if isinstance(value, NamedValue):
            return _CONSTANTS.get(value.name, value)
        if isinstance(value, Instance):
            return self.object_of(value)
        if isinstance(value, (Function, Mapping)):
            return value
        raise NotComputed

    def object_of(self, instance: Instance) -> _Object:
        """An object with the attributes that its __init__ computes; the others are asked of the trace."""
        made = _Object(instance)
        self.known[id(instance)] = instance, made
        start = next((frame for frame in self.inits if frame.owner is instance), None)
        if start is not None:
            names = _Names(start.function.scope, dict(start.parameters))
            for node in start.function.node.body if isinstance(start.function.node, ast.FunctionDef) else ():
                with contextlib.suppress(NotComputed):
                    self.block([node], names)
        return made

    @cached_property
    def inits(self) -> list[Frame]:
        return [frame for frame in self.trace.frames if frame.function.name == "__init__"]

    def one_of(self, value: Many, found: list[Any]) -> Any:
        """What stands for one of several: a number that is out of sight, where they are numbers."""
        if all(other == found[0] for other in found[1:]):
            return found[0]
        if not all(isinstance(one, (int, float)) and not isinstance(one, bool) for one in found):
            raise NotComputed
        return self.stood_for(value)

    def made(self, value: Call | Items) -> Any:
        """What a script makes: of the parts of it, or by running again the function that gives it."""
        giver = self.givers.get(id(value))
        try:
            return self.listed(value) if isinstance(value, Items) else self.called(value, giver is None)
        except NotComputed:
            if giver is None or self.left < 0:
                raise
        return self.run_again(giver)

    def listed(self, row: Items) -> list[Any]:
        if row.open or row.writes:
            raise NotComputed
        return [self.of(item) for item in row.items]

    def called(self, call: Call, alone: bool) -> Any:
        """The result of a call that the trace does not follow. `alone`: nothing else tells what it gives."""
        if call.writes or call.fed or _is_in_a_loop(call):  # it changes, turn by turn
            raise NotComputed
        if (found := self.operation(call)) is not None:
            return found
        known = _known(call.name)
        if known is not None and not call.unpacked:
            given = {name: self.of(arg) for name, arg in call.keywords.items()}
            return self.apply(known, [self.of(arg) for arg in call.args], given)
        if not alone:
            raise NotComputed
        return self.stood_for(call)

    def stood_for(self, value: Value) -> int:
        self.unseen.append(value)
        return _Unseen(self.stand_in)

    def operation(self, call: Call) -> Any:
        """The result of an operator, an item or a method; None for any other call."""
        if call.name in _OPERATORS:
            return self.operate(call.name, [self.of(arg) for arg in call.args])
        if call.name == "[]" and call.base is not None:
            return self.item(self.of(call.base), self.of(call.args[0]))
        if call.name == "slice":
            return slice(*(self.of(arg) for arg in call.args))
        if call.name[:1] == "." and call.name[1:] in _METHODS and call.base is not None:
            return self.method(self.of(call.base), call.name[1:], [self.of(arg) for arg in call.args])
        return None

    def run_again(self, frame: Frame) -> Any:
        """What a function gives that the trace followed, from what it was given there."""
        names = _Names(frame.function.scope, dict(frame.parameters))
        return self.run(frame.function.node, names)

    # --- functions ----------------------------------------------------------------------------------------------------

    def run(self, node: ast.AST, names: _Names) -> Any:
        """What a function gives, its parameters among the `names`."""
        if self.depth > DEPTH or isinstance(node, ast.AsyncFunctionDef):
            raise NotComputed
        self.depth += 1
        try:
            if isinstance(node, ast.Lambda):
                return self.value(node.body, names)
            self.block(node.body, names)  # type: ignore[attr-defined]
        except _Returned as returned:
            return returned.value
        finally:
            self.depth -= 1
        return None

    def call(self, called: Any, args: list[Any], keywords: dict[str, Any]) -> Any:
        """A call of a function of the script, of Python or of a library."""
        if isinstance(called, Function):
            owner = [] if called.owner is None else [called.owner]
            return self.enter(called.node, _Names(called.scope), [*owner, *args], keywords)
        if isinstance(called, _Local):
            return self.enter(called.node, _Names(called.names.scope, {}, called.names), args, keywords)
        if isinstance(called, _Object):
            run = called.instance.of.find("construct") or called.instance.of.find("__call__")
            if isinstance(run, Function):
                return self.enter(run.node, _Names(run.scope), [called, *args], keywords)
        changes = any(isinstance(arg, list) for arg in args)
        if isinstance(called, NamedValue) and _known(called.name) is None and not changes:
            return self.stood_for(called)
        return self.apply(self.function(called), args, keywords)

    def function(self, called: Any) -> Callable[..., Any]:
        """What a name, an operator of MindSpore or a schedule does with numbers."""
        name = called.name if isinstance(called, NamedValue) else _operator_class(called)
        found = _known(name)
        if found is None and isinstance(called, Call):
            found = self.of(called)
        found = called if found is None and not isinstance(called, Value) else found
        if not callable(found):
            raise NotComputed
        return found

    def enter(self, node: ast.AST, names: _Names, args: list[Any], keywords: dict[str, Any]) -> Any:
        spec: ast.arguments = node.args  # type: ignore[attr-defined]
        if spec.vararg or spec.kwarg:
            raise NotComputed
        parameters = [part.arg for part in (*spec.posonlyargs, *spec.args)]
        outer = names.outer or _Names(names.scope)
        for name, default in zip(reversed(parameters), reversed(spec.defaults), strict=False):
            names.own[name] = self.value(default, outer)
        for part, only in zip(spec.kwonlyargs, spec.kw_defaults, strict=True):
            if only is not None:
                names.own[part.arg] = self.value(only, outer)
        names.own.update(zip(parameters, args, strict=False))
        names.own.update(keywords)
        missing = {*parameters, *(part.arg for part in spec.kwonlyargs)} - names.own.keys()
        if missing or len(args) > len(parameters):
            raise NotComputed
        return self.run(node, names)

    def apply(self, function: Callable[..., Any], args: list[Any], keywords: dict[str, Any]) -> Any:
        """A function of Python or of a library on numbers and lists. A type that is asked for changes nothing here."""
        given = {name: self.number_of(arg) for name, arg in keywords.items() if name not in ("dtype", "name")}
        plainly = [self.number_of(arg) for arg in args if not isinstance(arg, NamedValue)]
        self.left -= sum(len(arg) for arg in plainly if isinstance(arg, list)) // _AT_ONCE
        self.step()
        try:
            return _bounded(function(*plainly, **given))
        except (ArithmeticError, ValueError, TypeError, LookupError, AttributeError) as error:
            raise NotComputed from error

    def number_of(self, value: Any) -> Any:
        """What a name of the script stands for, once it is computed with."""
        found = self.of(value) if isinstance(value, Value) else value
        if isinstance(found, (Value, _Object)):
            raise NotComputed
        return found

    def method(self, owner: Any, name: str, args: list[Any]) -> Any:
        owner = self.number_of(owner)
        if isinstance(owner, list) and name in _OF_LISTS:
            given = [self.number_of(arg) for arg in args]
            if sum(len(row) for row in (owner, *given) if isinstance(row, (list, str, range))) > LONGEST:
                raise NotComputed
            self.left -= len(owner) // _AT_ONCE if name not in ("append", "pop") else 0
            return self.apply(getattr(owner, name), given, {})
        if name in ("astype", "copy", "item", "asnumpy", "to"):
            return type(owner)(owner) if isinstance(owner, list) else owner
        if name == "tolist":
            return list(owner) if isinstance(owner, list) else owner
        raise NotComputed

    def item(self, row: Any, key: Any) -> Any:
        """An item of a row, or a part of it."""
        self.left -= len(row) // _AT_ONCE if isinstance(row, list) and isinstance(key, slice) else 0
        self.step()
        try:
            return type(row)(row[key]) if isinstance(key, slice) else row[key]
        except (TypeError, IndexError, ValueError) as error:
            raise NotComputed from error

    def operate(self, sign: str, operands: list[Any]) -> Any:
        """An operator on numbers; on arrays number by number."""
        given = [self.number_of(part) for part in operands]
        of_arrays = any(isinstance(one, _Array) for one in given)
        return self.apply(_each(_OPERATORS[sign]) if of_arrays else _OPERATORS[sign], given, {})

    # --- statements ---------------------------------------------------------------------------------------------------

    def block(self, body: list[ast.stmt], names: _Names) -> None:
        for node in body:
            run = _RUN.get(type(node))
            if run is None:
                raise NotComputed
            run(self, node, names)

    def do_Expr(self, node: ast.Expr, names: _Names) -> None:
        if isinstance(node.value, ast.Constant):
            return
        try:
            self.value(node.value, names)
        except NotComputed:
            if self.left < 0 or not _only_tells(node.value):
                raise

    def do_Assign(self, node: ast.Assign, names: _Names) -> None:
        value = self.value(node.value, names)
        for target in node.targets:
            self.assign(target, value, names)

    def do_AnnAssign(self, node: ast.AnnAssign, names: _Names) -> None:
        if node.value is not None:
            self.assign(node.target, self.value(node.value, names), names)

    def do_AugAssign(self, node: ast.AugAssign, names: _Names) -> None:
        held, value = self.number_of(self.value(_loaded(node.target), names)), self.value(node.value, names)
        if isinstance(held, list) and not isinstance(held, _Array) and isinstance(node.op, ast.Add):
            self.method(held, "extend", [value])
            return
        self.assign(node.target, self.operate(_sign(node.op), [held, value]), names)

    def assign(self, target: ast.expr, value: Any, names: _Names) -> None:
        if isinstance(target, ast.Name):
            names.own[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            parts = self.number_of(value)
            if not isinstance(parts, (list, tuple)) or len(parts) != len(target.elts):
                raise NotComputed
            for part, held in zip(target.elts, parts, strict=True):
                self.assign(part, held, names)
        elif isinstance(target, ast.Attribute):
            owner = self.value(target.value, names)
            if not isinstance(owner, _Object):
                raise NotComputed
            owner.attributes[target.attr] = value
        elif isinstance(target, ast.Subscript):
            held, key = self.value(target.value, names), self.number_of(self.value(target.slice, names))
            self.apply(operator.setitem, [self.number_of(held), key, value], {})
        else:
            raise NotComputed

    def do_If(self, node: ast.If, names: _Names) -> None:
        self.block(node.body if self.truth(node.test, names) else node.orelse, names)

    def truth(self, node: ast.expr, names: _Names) -> bool:
        """Which way a condition takes. One that hangs on something out of sight takes none."""
        value = self.value(node, names)
        if isinstance(value, _Unseen) or (isinstance(value, Value) and not isinstance(value, KnownValue)):
            raise NotComputed
        return bool(self.number_of(value))

    def do_For(self, node: ast.For, names: _Names) -> None:
        over = self.number_of(self.value(node.iter, names))
        if not isinstance(over, (list, tuple, range)):
            raise NotComputed
        for item in over:
            self.step()
            self.assign(node.target, item, names)
            if self.leaves(node.body, names):
                return
        self.block(node.orelse, names)

    def do_While(self, node: ast.While, names: _Names) -> None:
        while self.truth(node.test, names):
            self.step()
            if self.leaves(node.body, names):
                return
        self.block(node.orelse, names)

    def leaves(self, body: list[ast.stmt], names: _Names) -> bool:
        """One turn of a loop; True where it ends it."""
        try:
            self.block(body, names)
        except _Left:
            return True
        except _Next:
            pass
        return False

    def do_Break(self, node: ast.Break, names: _Names) -> None:
        raise _Left

    def do_Continue(self, node: ast.Continue, names: _Names) -> None:
        raise _Next

    def do_Return(self, node: ast.Return, names: _Names) -> None:
        raise _Returned(None if node.value is None else self.value(node.value, names))

    def do_FunctionDef(self, node: ast.FunctionDef, names: _Names) -> None:
        names.own[node.name] = _Local(node, names)

    def do_Pass(self, node: ast.AST, names: _Names) -> None:
        """Nothing: what is imported and asserted does not change a number either."""

    do_Import = do_ImportFrom = do_Assert = do_Pass

    # --- expressions --------------------------------------------------------------------------------------------------

    def value(self, node: ast.expr, names: _Names) -> Any:
        self.step()
        evaluate = _EVALUATE.get(type(node))
        if evaluate is None:
            raise NotComputed
        return evaluate(self, node, names)

    def on_Constant(self, node: ast.Constant, names: _Names) -> Any:
        return _plain(node.value)

    def on_Name(self, node: ast.Name, names: _Names) -> Any:
        held = names.holder(node.id)
        if held is None:
            key = names.scope, node.id
            if key not in self.named:
                self.named[key] = self.trace.again(lambda tracer: tracer.on_Name(node, names.scope))
            return self.of(self.named[key])
        found = held[node.id]
        if isinstance(found, (KnownValue, Items, Instance)):
            held[node.id] = found = self.of(found)  # a list that is added to is this one from now on
        return found

    def on_Attribute(self, node: ast.Attribute, names: _Names) -> Any:
        owner = self.value(node.value, names)
        if isinstance(owner, _Object):
            if node.attr in owner.attributes:
                return owner.attributes[node.attr]
            owner = owner.instance
        if not isinstance(owner, Value):
            raise NotComputed
        key = owner, node.attr
        if key not in self.named:
            self.named[key] = self.trace.again(lambda tracer: tracer.attribute(owner, node.attr, node))
        found = self.named[key]
        return found if isinstance(found, Call) else self.of(found)

    def on_BinOp(self, node: ast.BinOp, names: _Names) -> Any:
        sign, one, other = _sign(node.op), self.value(node.left, names), self.value(node.right, names)
        if type(one) is float and type(other) in _NUMBERS and sign in _SIMPLE:  # by far the most
            return _SIMPLE[sign](one, other)
        return self.operate(sign, [one, other])

    def on_UnaryOp(self, node: ast.UnaryOp, names: _Names) -> Any:
        if isinstance(node.op, ast.Not):
            return not self.truth(node.operand, names)
        return self.operate(_sign(node.op), [self.value(node.operand, names)])

    def on_BoolOp(self, node: ast.BoolOp, names: _Names) -> Any:
        ends = isinstance(node.op, ast.Or)
        for part in node.values[:-1]:
            if self.truth(part, names) == ends:
                return self.value(part, names)
        return self.value(node.values[-1], names)

    def on_Compare(self, node: ast.Compare, names: _Names) -> Any:
        left = self.compared(node.left, names)
        for sign, part in zip(node.ops, node.comparators, strict=True):
            right = self.compared(part, names)
            if any(isinstance(one, _Unseen) for one in (left, right)) and not _are_numbers(left, right):
                raise NotComputed  # a text, or None, that is out of sight
            if not self.apply(_COMPARISONS[type(sign)], [left, right], {}):
                return False
            left = right
        return True

    def compared(self, node: ast.expr, names: _Names) -> Any:
        found = self.number_of(self.value(node, names))
        if not isinstance(found, (bool, int, float, str, list, type(None))):
            raise NotComputed
        return found

    def on_IfExp(self, node: ast.IfExp, names: _Names) -> Any:
        return self.value(node.body if self.truth(node.test, names) else node.orelse, names)

    def on_List(self, node: ast.List | ast.Tuple, names: _Names) -> Any:
        return [self.value(part, names) for part in node.elts]

    on_Tuple = on_List

    def on_ListComp(self, node: ast.ListComp | ast.GeneratorExp, names: _Names) -> Any:
        inner, found = _Names(names.scope, {}, names), list[Any]()
        self.turns(node.generators, inner, lambda: found.append(self.value(node.elt, inner)))
        return found

    on_GeneratorExp = on_ListComp

    def turns(self, loops: list[ast.comprehension], names: _Names, each: Callable[[], None]) -> None:
        if not loops:
            each()
            return
        over = self.number_of(self.value(loops[0].iter, names))
        if not isinstance(over, (list, tuple, range)):
            raise NotComputed
        for item in over:
            self.step()
            self.assign(loops[0].target, item, names)
            if all(self.truth(test, names) for test in loops[0].ifs):
                self.turns(loops[1:], names, each)

    def on_Subscript(self, node: ast.Subscript, names: _Names) -> Any:
        owner = self.value(node.value, names)
        if isinstance(owner, Mapping):
            key = KnownValue(self.number_of(self.value(node.slice, names)))
            return self.trace.again(lambda tracer: tracer.subscript(owner, key, node))
        key = self.value(node.slice, names)
        return self.item(self.number_of(owner), key if isinstance(key, slice) else self.number_of(key))

    def on_Slice(self, node: ast.Slice, names: _Names) -> Any:
        parts = (node.lower, node.upper, node.step)
        return slice(*(None if part is None else self.number_of(self.value(part, names)) for part in parts))

    def on_Lambda(self, node: ast.Lambda, names: _Names) -> Any:
        return _Local(node, names)

    def on_Call(self, node: ast.Call, names: _Names) -> Any:
        if any(isinstance(arg, ast.Starred) for arg in node.args) or any(word.arg is None for word in node.keywords):
            raise NotComputed
        args = [self.value(arg, names) for arg in node.args]
        keywords = {word.arg: self.value(word.value, names) for word in node.keywords if word.arg}
        if isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS:
            owner = self.value(node.func.value, names)
            if not isinstance(owner, (NamedValue, _Object)):
                return self.method(owner, node.func.attr, args)
        return self.call(self.value(node.func, names), args, keywords)


def _is_in_a_loop(call: Call) -> bool:
    """True in a loop of the function that makes a call: the trace takes it once."""
    return len(call.loops) > len(call.frame.loops if call.frame is not None else ())


def _sign(node: ast.AST) -> str:
    sign = _SIGNS.get(type(node))
    if sign is None:
        raise NotComputed
    return sign


def _plain(value: Any) -> Any:
    if isinstance(value, (bool, int, float, str, type(None))):
        return value
    if isinstance(value, (list, tuple)) and len(value) <= LONGEST:
        return [_plain(item) for item in value]
    raise NotComputed


def _bounded(found: Any) -> Any:
    """What a function gives, as long as it is not too much."""
    if isinstance(found, (map, zip, enumerate, reversed)):
        found = list(found)
    if isinstance(found, (list, tuple, range, str)) and len(found) > LONGEST:
        raise NotComputed
    if isinstance(found, int) and found.bit_length() > _BITS:
        raise NotComputed
    if isinstance(found, complex):
        raise NotComputed
    return found


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float))


def _are_numbers(*values: Any) -> bool:
    return all(map(_is_number, values))


def _known(name: str) -> Callable[..., Any] | None:
    """A schedule of MindSpore, or a function of numbers, by its full name."""
    canonical = names.canonical(name)
    return rate_schedules.find(canonical) or _function(canonical)


def _operator_class(called: Any) -> str:
    """The name of the operator that an object of MindSpore is: ops.Cos()."""
    return called.api if isinstance(called, Call) and called.api.startswith("ops.") else ""


def _loaded(target: ast.expr) -> ast.expr:
    """A target of an assignment as it is read."""
    if isinstance(target, ast.Name):
        return ast.copy_location(ast.Name(target.id, ast.Load()), target)
    if isinstance(target, ast.Subscript):
        return ast.copy_location(ast.Subscript(target.value, target.slice, ast.Load()), target)
    raise NotComputed


def _only_tells(node: ast.expr) -> bool:
    """A call whose result is dropped and that is handed no list by its name alone: one that prints or logs."""
    if not isinstance(node, ast.Call):
        return False
    changes = isinstance(node.func, ast.Attribute) and node.func.attr in _OF_LISTS
    return not changes


# --- functions on numbers and rows ------------------------------------------------------------------------------------


def _each(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of numbers, for rows number by number."""

    def over(*args: Any) -> Any:
        rows = [arg for arg in args if isinstance(arg, (list, tuple, range))]
        if not rows:
            return _bounded(function(*args))
        length = max(map(len, rows))
        if any(len(row) not in (1, length) for row in rows):
            raise NotComputed
        parts = (arg if isinstance(arg, (list, tuple, range)) else [arg] for arg in args)
        whole = [part if len(part) == length else [part[0]] * length for part in parts]
        return _Array(_number_only(function(*item)) for item in zip(*whole, strict=True))

    return over


def _number_only(found: Any) -> Any:
    """A number of an array; arrays of several axes are not computed."""
    if not _is_number(found):
        raise NotComputed
    return _bounded(found)


def _times(one: Any, other: Any) -> Any:
    row, count = (one, other) if isinstance(one, (list, str)) else (other, one)
    if isinstance(row, (list, str)) and (not isinstance(count, int) or len(row) * count > LONGEST):
        raise NotComputed
    return one * other


def _power(one: float, other: float) -> float:
    """The power of two numbers: as a float where the whole number gets too large."""
    large = abs(other) * math.log2(abs(one) + 2) > _BITS
    return (float(one) if large else one) ** other  # type: ignore[no-any-return]


def _sum(numbers: list[float], start: float = 0) -> float:
    if not all(map(_is_number, numbers)):
        raise NotComputed
    return sum(numbers, start)


def _linspace(start: float, stop: float, num: int = 50, endpoint: bool = True, retstep: bool = False) -> list[float]:
    if num > LONGEST or retstep:
        raise NotComputed
    gaps = max(1, num - 1 if endpoint else num)
    return _Array(start + (stop - start) * place / gaps for place in range(num))


def _arange(start: float, stop: float | None = None, step: float = 1) -> list[float]:
    first, end = (0, start) if stop is None else (start, stop)
    count = max(0, math.ceil((end - first) / step))
    if count > LONGEST:
        raise NotComputed
    return _Array(first + place * step for place in range(count))


def _full(count: int | list[int], value: float) -> list[float]:
    """A row of one number; arrays of further axes are no rows."""
    shape = count if isinstance(count, list) else [count]
    if len(shape) != 1 or shape[0] > LONGEST:
        raise NotComputed
    return _Array([value] * shape[0])


def _joined(rows: list[list[float]], axis: int = 0) -> list[float]:
    if sum(map(len, rows)) > LONGEST:
        raise NotComputed
    return _Array(one for row in rows for one in row)


def _row(values: Any) -> Any:
    return _Array(values) if isinstance(values, (list, tuple, range)) else values


def _interp(at: float, places: list[float], values: list[float]) -> float:
    """numpy.interp of one place."""
    for left, right, low, high in zip(places, places[1:], values, values[1:], strict=False):
        if at <= right:
            return low + (high - low) * max(0.0, at - left) / (right - left)
    return values[-1]


def _clip(value: float, low: float | None, high: float | None) -> float:
    raised = value if low is None else max(value, low)
    return raised if high is None else min(raised, high)


#: Python's operators by their signs.
_OPERATORS: dict[str, Callable[..., Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": _times,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": _power,
    "neg": operator.neg,
    "pos": operator.pos,
}
#: That never fail on a float and a number.
_SIMPLE = {sign: _OPERATORS[sign] for sign in ("+", "-", "*")}
_NUMBERS = (float, int)
_SIGNS: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.USub: "neg",
    ast.UAdd: "pos",
}
_COMPARISONS: dict[type[ast.AST], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda item, row: item in row,
    ast.NotIn: lambda item, row: item not in row,
}
#: Of numbers, in math, numpy and MindSpore alike.
_OF_NUMBERS: dict[str, Callable[..., Any]] = {
    **{name: getattr(math, name) for name in ("cos", "sin", "tan", "tanh", "exp", "log", "log2", "log10", "sqrt")},
    "rsqrt": lambda number: 1 / math.sqrt(number),
    **dict.fromkeys(("inv", "reciprocal"), lambda number: 1 / number),
    "square": lambda number: number * number,
    "expm1": math.expm1,
    "log1p": math.log1p,
    "sigmoid": lambda number: 1 / (1 + math.exp(-number)),
    **dict.fromkeys(("neg", "negative"), operator.neg),
    **dict.fromkeys(("mod", "fmod", "remainder", "floormod"), operator.mod),
    "floor": math.floor,
    "floordiv": operator.floordiv,
    **dict.fromkeys(("pow", "power"), _power),
    **dict.fromkeys(("abs", "fabs"), abs),
    **dict.fromkeys(("minimum", "fmin"), min),
    **dict.fromkeys(("maximum", "fmax"), max),
    "ceil": math.ceil,
    **dict.fromkeys(("clip", "clamp", "clip_by_value"), _clip),
    "round": round,
    **dict.fromkeys(("where", "select"), lambda test, one, other: one if test else other),
    **dict.fromkeys(("greater", "gt"), operator.gt),
    **dict.fromkeys(("less", "lt"), operator.lt),
    **dict.fromkeys(("greater_equal", "greaterequal", "ge"), operator.ge),
    **dict.fromkeys(("less_equal", "lessequal", "le"), operator.le),
    "add": operator.add,
    **dict.fromkeys(("sub", "subtract"), operator.sub),
    **dict.fromkeys(("mul", "multiply"), _times),
    **dict.fromkeys(("div", "divide", "realdiv", "true_divide"), operator.truediv),
    "floor_divide": operator.floordiv,
}
_OF_ROWS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("array", "asarray", "Tensor", "tensor", "Parameter", "float32", "float64", "int32", "cast"), _row),
    **dict.fromkeys(("concatenate", "hstack"), _joined),
    "append": lambda row, more: _Array([*row, *(more if isinstance(more, list) else [more])]),
    "linspace": _linspace,
    "interp": _interp,
    "arange": _arange,
    "ones": lambda count: _full(count, 1.0),
    "zeros": lambda count: _full(count, 0.0),
    "Cast": _row,
    "full": _full,
}
_OF_PYTHON: dict[str, Callable[..., Any]] = {
    name: getattr(builtins, name)
    for name in ("range", "len", "int", "float", "bool", "min", "max", "round", "abs", "list", "tuple", "enumerate")
} | {"zip": zip, "sorted": sorted, "reversed": reversed, "sum": _sum}
_CONSTANTS = {f"{module}.{name}": getattr(math, name) for module in ("math", "numpy") for name in ("pi", "e", "inf")}
_OF_LISTS = frozenset(("append", "extend", "insert", "pop", "reverse", "sort", "index", "count"))
_METHODS = _OF_LISTS | {"astype", "tolist", "copy", "item", "asnumpy", "to"}


def _function(name: str) -> Callable[..., Any] | None:
    """A function of Python, math, numpy or MindSpore that is known here, by its full name."""
    module, _, last = name.rpartition(".")
    if not module:
        return _OF_PYTHON.get(last) or (_row if last in ("Tensor", "Parameter") else None)
    if module.partition(".")[0] not in ("math", "numpy", "mindspore", "ops", "mint", "nn"):
        return None
    if last in _OF_ROWS and module != "math":
        return _OF_ROWS[last]
    known = _OF_NUMBERS.get(last) or (_OF_NUMBERS.get(last.lower()) if module == "ops" else None)
    return _each(known) if known is not None else None


def _methods(prefix: str) -> Iterator[tuple[type[ast.AST], Any]]:
    for name in vars(Computation):
        if name.startswith(prefix) and hasattr(ast, name[3:]):
            yield getattr(ast, name[3:]), getattr(Computation, name)


_RUN: dict[type[ast.AST], Callable[[Computation, Any, _Names], None]] = dict(_methods("do_"))
_EVALUATE: dict[type[ast.AST], Callable[[Computation, Any, _Names], Any]] = dict(_methods("on_"))
