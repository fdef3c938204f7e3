"""Options of scripts that typer starts: the parameters of their functions, with the words of the command.

A function stays what it is; typer.run, or the call of a Typer, runs it as a command.
"""

from __future__ import annotations

import ast
import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeGuard

from . import declared_options
from .declared_options import Option
from .values import Call, Function, KnownValue, NamedValue, UnknownValue, Value, is_known, strings_of

if TYPE_CHECKING:
    from .expressions import Expressions as Tracer

#: What stands in a signature for an option, and for what is given by its place.
_MARKS = ("typer.Option", "typer.Argument")
#: Sub-commands lie so deep.
DEPTH = 5


@dataclass
class _Parameter:
    """A parameter of a command: its type as written, its default, and what typer.Option or typer.Argument says of it."""

    name: str
    kind: str
    many: bool
    default: Value | None
    mark: str = ""
    flags: list[str] = field(default_factory=list)
    count: bool = False

    @property
    def placed(self) -> bool:
        """Whether it is given by its place."""
        return self.mark == "typer.Argument" or (not self.mark and self.default is None)


def is_command(function: Function) -> bool:
    """Whether a Typer has it as a command or as its callback."""
    return _made_by(function) is not None


def run(tracer: Tracer, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value | None:
    """typer.run(function)."""
    if not args or not isinstance(args[0], Function):
        return None
    return _whole(tracer, args[0], declared_options.words(tracer), node, UnknownValue("ctx"))


def applied(tracer: Tracer, app: Call, texts: list[str] | None, node: ast.AST) -> Value | None:
    """The run of a Typer: its callback, then its only command or the one that the words name. None where it is not seen."""
    held = _held(tracer, app)
    context = UnknownValue("ctx", {"obj": KnownValue(None)})
    if len(held.commands) == 1 and not held.callbacks and not held.inner:
        return _whole(tracer, next(iter(held.commands.values())), texts, node, context)
    if texts is None:
        results = [_run(tracer, each, None, node, context)[0] for each in (*held.callbacks, *held.commands.values())]
        return UnknownValue() if results else None
    return _named(tracer, held, texts, node, context, DEPTH)


@dataclass
class _TyperApp:
    """What a Typer has: callbacks, commands and further Typers by the words that name them."""

    callbacks: list[Function]
    commands: dict[str, Function]
    inner: dict[str, Call]


def _held(tracer: Tracer, app: Call) -> _TyperApp:
    made = {id(each.node): (each, made) for each in tracer.commands if (made := _made_by(each)) and made.base is app}
    return _TyperApp(
        [function for function, by in made.values() if by.name == ".callback"],
        {_name(function, by): function for function, by in made.values() if by.name == ".command"},
        _added(tracer, app),
    )


def _named(
    tracer: Tracer, held: _TyperApp, texts: list[str], node: ast.AST, context: Value, depth: int
) -> Value | None:
    """The run of the command that the words name, after the callback."""
    for each in held.callbacks[:1]:
        texts = _run(tracer, each, texts, node, context, stop=True)[1]
    word = texts[0] if texts else ""
    if word in held.inner and depth:
        return _named(tracer, _held(tracer, held.inner[word]), texts[1:], node, context, depth - 1)
    if word in held.commands:
        return _whole(tracer, held.commands[word], texts[1:], node, context)
    _left(tracer, node, texts)
    return None


def _whole(tracer: Tracer, function: Function, texts: list[str] | None, node: ast.AST, context: Value) -> Value:
    """The run of a function that takes all words."""
    result, rest = _run(tracer, function, texts, node, context)
    _left(tracer, node, rest)
    return result


def _run(
    tracer: Tracer, function: Function, texts: list[str] | None, node: ast.AST, context: Value, stop: bool = False
) -> tuple[Value, list[str]]:
    """What a function gives that runs with these words, and the words that are left."""
    parameters = [_parameter(tracer, function, part, given) for part, given in _signature(function)]
    options = [_option(tracer, each) for each in parameters if each.kind != "Context"]
    values, rest = declared_options.bound(tracer, options, texts, node, stop)
    values |= {each.name: context for each in parameters if each.kind == "Context"}
    return tracer.call_function(function, [], values, node), rest


def _left(tracer: Tracer, node: ast.AST, rest: list[str]) -> None:
    if rest:
        declared_options.unbound(tracer, node, "options-unknown", shlex.join(rest))


def _made_by(function: Function) -> Call | None:
    """The @app.command() or @app.callback() of a Typer above a function."""
    for made in function.decorators:
        app = made.base if isinstance(made, Call) else None
        if isinstance(made, Call) and isinstance(app, Call) and app.name == "typer.Typer":
            return made if made.name in (".command", ".callback") else None
    return None


def _name(function: Function, made: Call) -> str:
    given = made.argument(["name"], "name")
    if isinstance(given, KnownValue) and isinstance(given.value, str):
        return given.value
    return function.name.lower().replace("_", "-")


def _added(tracer: Tracer, app: Call) -> dict[str, Call]:
    """The Typers that were added to this one, by the word that names them."""
    found: dict[str, Call] = {}
    for call in tracer.trace.calls:
        inner, name = call.argument(["typer_instance"], "typer_instance"), call.keywords.get("name")
        if call.name == ".add_typer" and call.base is app and isinstance(inner, Call) and isinstance(name, KnownValue):
            found[str(name.value)] = inner
    return found


def _signature(function: Function) -> list[tuple[ast.arg, ast.expr | None]]:
    """The parameters, each with its default."""
    spec = function.node.args
    placed = [*spec.posonlyargs, *spec.args]
    defaults = [*[None] * (len(placed) - len(spec.defaults)), *spec.defaults]
    return [*zip(placed, defaults, strict=True), *zip(spec.kwonlyargs, spec.kw_defaults, strict=True)]


def _parameter(tracer: Tracer, function: Function, part: ast.arg, given: ast.expr | None) -> _Parameter:
    default = None if given is None else tracer.value(given, function.scope)
    annotation, beside = _unwrapped(part.annotation)
    kind, many = ("", False) if annotation is None else declared_options.annotation(annotation)
    found = _Parameter(part.arg, kind, many, default)
    marks = [mark for mark in (default, *(tracer.value(each, function.scope) for each in beside)) if _is_mark(mark)]
    for mark in marks[-1:]:
        texts = mark.args
        if mark is default:
            found.default = mark.args[0] if mark.args else mark.keywords.get("default")
            texts = mark.args[1:]
        found.mark = mark.name
        found.flags = strings_of(texts)
        count = mark.keywords.get("count")
        found.count = is_known(count, True)
    if is_known(found.default, ...):
        found.default = None
    return found


def _unwrapped(annotation: ast.expr | None) -> tuple[ast.expr | None, list[ast.expr]]:
    """The type in Annotated[type, ...], and what stands beside it."""
    if not isinstance(annotation, ast.Subscript) or not isinstance(annotation.slice, ast.Tuple):
        return annotation, []
    inside = annotation.slice.elts
    return (inside[0], inside[1:]) if declared_options.annotated(annotation.value) == "Annotated" else (annotation, [])


def _is_mark(value: Value | None) -> TypeGuard[Call]:
    return isinstance(value, Call) and value.name in _MARKS


def _option(tracer: Tracer, of: _Parameter) -> Option:
    convert = declared_options.converter(tracer, NamedValue(of.kind) if of.kind else None, of.default)
    default = UnknownValue(of.name) if of.default is None else of.default
    if of.placed:
        return Option(of.name, (), convert, default, width=-1 if of.many else 1)
    dashed = of.name.replace("_", "-")
    switch = of.kind == "bool" and not of.many
    given = [flag for flag in of.flags if flag[:1] == "-"] or [f"--{dashed}/--no-{dashed}" if switch else f"--{dashed}"]
    constants: dict[str, Any] = {}
    for flag in given if switch else ():
        on, _, off = flag.partition("/")
        constants |= {on.strip(): True} | ({off.strip(): False} if off else {})
    flags = tuple(constants or given)
    return Option(of.name, flags, convert, default, constants, many=of.many, count=of.count)
