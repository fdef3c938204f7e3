"""Options of the command line, as argparse gives them to a script: the defaults, and what the command of the run gives.

The parser is built anew from the calls that the script makes, and reads the arguments of the command with argparse itself; only
texts and numbers of the script go into it. Values are converted as the script asks: by a type that is known, or by a function of
its own, which is followed and not run.
"""

from __future__ import annotations

import argparse
import ast
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

from . import configs
from .declared_options import ArgumentError, Option, evaluated, settled, unbound
from .values import (
    Call,
    Function,
    Items,
    KnownValue,
    Mapping,
    NamedValue,
    Partial,
    UnknownValue,
    Value,
    ValueOrigin,
    Words,
    is_known,
    join,
    strings_of,
)

if TYPE_CHECKING:
    from .expressions import Expressions as Tracer

_PARSED = (".parse_args", ".parse_known_args")
#: Methods of a parser that say what options there are.
OPTIONS = (".add_argument", ".set_defaults")
_GROUPS = (".add_argument_group", ".add_mutually_exclusive_group")
_ACTIONS = ("store", "store_true", "store_false", "append", "count", "store_const", "append_const", "extend")
_NAMED: dict[str, Any] = {
    "argparse.REMAINDER": argparse.REMAINDER,
    "argparse.BooleanOptionalAction": argparse.BooleanOptionalAction,
}
_LITERALS = ("ast.literal_eval", "eval", "json.loads", "yaml.safe_load")


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ArgumentError(message)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        raise ArgumentError(message or "")


def option(tracer: Tracer, owner: Call, name: str) -> Value | None:
    """An option of the command line, when `owner` is what a parser made of it."""
    parsed = _parsed(owner)
    if parsed is None:
        return None
    if name == "__dict__":
        return namespace(tracer, owner)
    held = (parsed.held or {}).get("__dict__")
    tracer.loose_read.add(name)
    found = (held if isinstance(held, Mapping) else _values(tracer, parsed)).items.get(name)
    return tracer.noted("@" + name, [], {}, owner.node, owner) if found is None else found


def namespace(tracer: Tracer, owner: Call) -> Mapping | None:
    """All options, as vars(args) has them."""
    parsed = _parsed(owner)
    if parsed is None:
        return None
    tracer.loose_read.add("*")
    held = (parsed.held or {}).get("__dict__")
    if isinstance(held, Mapping):
        return held
    made = Mapping(dict(_values(tracer, parsed).items))
    parsed.held = {**(parsed.held or {}), "__dict__": made}
    return made


def _parsed(owner: Call) -> Call | None:
    if owner.name == "[]" and isinstance(owner.base, Call):
        owner = owner.base
    return owner if owner.name in _PARSED else None


def _values(tracer: Tracer, parsed: Call) -> Mapping:
    """Every option that a parse gives, kept for the next that asks."""
    key = id(parsed), len(tracer.trace.options)
    if key not in tracer.parsed:
        tracer.parsed[key] = Mapping({})  # for a type of an option that reads options itself
        tracer.parsed[key] = _parse(tracer, parsed)
    return tracer.parsed[key]


def _parse(tracer: Tracer, parsed: Call) -> Mapping:
    """Each option with its default, or what the arguments give."""
    roots = _roots(parsed)
    calls = [call for call in tracer.trace.options if any(_root(call) is root for root in roots)]
    converted = {_target(call): call for call in calls if call.name == ".add_argument"}
    words = _words(tracer, parsed)
    given = _parsed_words(tracer, parsed, calls, words) if words is not None else {}
    words = None if given is None else words
    values: dict[Any, Value] = {}
    for call in calls:
        if call.name == ".set_defaults":
            values |= _fitting(tracer, _set(call, values, words), converted)
            _unread(tracer, parsed, call, converted)
        elif target := _target(call):
            values[target] = settled(_default(call, target, words is not None), "argparse", words is not None)
    for name, text in (given or {}).items():
        values[name] = _converted(tracer, converted[name], name, text)
    return Mapping({name: _named(value, name) for name, value in values.items()})


def _parsed_words(tracer: Tracer, parsed: Call, calls: list[Call], words: list[str]) -> dict[str, Any] | None:
    """What words of the command give; None where they do not fit the options."""
    try:
        given, rest = _given(calls, words)
    except ArgumentError as error:
        unbound(tracer, parsed.node, "options-refused", str(error), parsed.source)
        return None
    if rest and parsed.name == ".parse_args":
        unbound(tracer, parsed.node, "options-unknown", shlex.join(rest), parsed.source)
    return given


def _set(call: Call, values: dict[Any, Value], words: list[str] | None) -> dict[Any, Value]:
    """The options that set_defaults changes. Where a condition that could not be decided stands before it, they are settled no more."""
    unread = "**" in call.keywords and not call.tests  # of a configuration that was not read
    found: dict[Any, Value] = {name: UnknownValue(name) for name in values} if unread else {}
    for name, value in call.keywords.items():
        if name != "**":
            given = settled(value, "config", words is not None)
            perhaps = words is not None and bool(call.tests) and name in values
            found[name] = join([values[name], given]) if perhaps else given
    return found


def _fitting(tracer: Tracer, found: dict[Any, Value], options: dict[str, Call]) -> dict[Any, Value]:
    """Defaults that are texts, as argparse converts them by the types of their options."""
    for name, value in found.items():
        if name in options and isinstance(value, KnownValue) and isinstance(value.value, str):
            found[name] = _from_text(tracer, options[name], name, value)
    return found


def _from_text(tracer: Tracer, call: Call, name: str, value: KnownValue) -> Value:
    kind = call.keywords.get("type")
    if not isinstance(kind, NamedValue) or kind.name not in ("int", "float"):
        return value
    found = tracer.call(kind, [replace(value, name=name)], {}, call.node)
    if not isinstance(found, KnownValue):
        configs.note(tracer, "config-type", name, value, call.source.path, call.line)
    return found if isinstance(found, KnownValue) else UnknownValue(name)


def _unread(tracer: Tracer, parsed: Call, call: Call, options: dict[str, Call]) -> None:
    """Keep what a configuration sets and no option is: it has no effect unless something reads it (see Tracer.unfitting)."""
    for name, value in call.keywords.items():
        if name not in options and isinstance(value, KnownValue) and value.origin in ("config", "configured"):
            tracer.loose.setdefault(name, (value, parsed))


def _named(value: Value, name: str) -> Value:
    return replace(value, name=name) if isinstance(value, KnownValue) else value


def _words(tracer: Tracer, parsed: Call) -> list[str] | None:
    """The arguments that a parser reads; None where they are not known."""
    given = parsed.args[0] if parsed.args else parsed.keywords.get("args")
    if given is None or is_known(given, None):
        return None if tracer.command is None else list(tracer.command.words)
    if isinstance(given, Items) and not given.open:
        texts = strings_of(given.items)
        return texts if len(texts) == len(given.items) else None
    return None


def of_written_words(calls: list[Call], options: list[Call]) -> dict[int, Call]:
    """The options, by the id of their add_argument call, that no command reaches: each parse of theirs takes words that the script writes
    itself, as parse_args(["--lr", "1"]) does. With the parse."""
    found: dict[int, Call] = {}
    reached: set[int] = set()
    for parsed in (call for call in calls if call.name in _PARSED):
        roots = {id(root) for root in _roots(parsed)}
        own = {id(option) for option in options if id(_root(option)) in roots}
        if _is_written(parsed):
            found |= dict.fromkeys(own, parsed)
        else:
            reached |= own
    return {option: parsed for option, parsed in found.items() if option not in reached}


def _is_written(parsed: Call) -> bool:
    """Whether a parse takes words of the script, none of the command."""
    given = parsed.args[0] if parsed.args else parsed.keywords.get("args")
    if type(given) is not Items or given.open:
        return False
    if not given.items:  # a list that is empty in this run may hold words of another
        node = parsed.node
        written = [*node.args[:1], *(word.value for word in node.keywords)] if isinstance(node, ast.Call) else []
        return any(isinstance(each, ast.List) and not each.elts for each in written)
    return all(isinstance(word, KnownValue) and word.origin != "command" for word in given.items)


def rest(tracer: Tracer, parsed: Call) -> Words | None:
    """The words of the command that a parser of some of its options does not know; None where they are not seen."""
    words = _words(tracer, parsed) if parsed.name == ".parse_known_args" else None
    if words is None:
        return None
    calls = [call for call in tracer.trace.options if any(_root(call) is root for root in _roots(parsed))]
    try:
        return Words([KnownValue(word, "command") for word in _given(calls, words)[1]])
    except ArgumentError:
        return None


def _given(calls: list[Call], words: list[str]) -> tuple[dict[str, Any], list[str]]:
    """What the arguments give, by the name of the option, and those that no option takes. Raises Refused."""
    parsers: dict[int, Any] = {}
    top = _Parser(add_help=False, argument_default=argparse.SUPPRESS)
    for call in calls:
        if call.name == ".add_argument":
            _add(_parser_of(call.base, top, parsers), call)
    try:
        found, rest = top.parse_known_args(words)
    except (TypeError, ValueError, IndexError, AttributeError, argparse.ArgumentError) as error:
        raise ArgumentError(str(error)) from None
    return vars(found), rest


def _parser_of(value: Value | None, top: _Parser, parsers: dict[int, Any]) -> Any:
    """The parser, or group of subparsers, that stands for what the script made here."""
    if not isinstance(value, Call) or value.base is None:
        return top
    if value.name in _GROUPS:
        return _parser_of(value.base, top, parsers)
    if id(value) not in parsers:
        above = _parser_of(value.base, top, parsers)
        if value.name == ".add_subparsers" and isinstance(above, _Parser):
            parsers[id(value)] = above.add_subparsers(parser_class=_Parser)
        elif value.name == ".add_parser" and value.args and isinstance(value.args[0], KnownValue):
            parsers[id(value)] = _subparser(above, str(value.args[0].value))
        else:
            raise ArgumentError(value.name)
    return parsers[id(value)]


def _subparser(above: Any, name: str) -> _Parser:
    try:
        made: _Parser = above.add_parser(name, add_help=False, argument_default=argparse.SUPPRESS)
    except (AttributeError, argparse.ArgumentError, ValueError) as error:
        raise ArgumentError(str(error)) from None
    return made


def _add(parser: Any, call: Call) -> None:
    """The option of an add_argument call, its values as texts. Raises Refused."""
    flags = strings_of(call.args)
    settings: dict[str, Any] = {"default": argparse.SUPPRESS}
    for name in ("dest", "nargs", "action", "const"):
        value = call.keywords.get(name)
        if isinstance(value, KnownValue):
            settings[name] = value.value
        elif isinstance(value, NamedValue) and value.name in _NAMED:
            settings[name] = _NAMED[value.name]
        elif name == "action" and value is not None:
            continue  # of the project: it takes its words like any other; see _converted
        elif value is not None:
            raise ArgumentError(f"{' '.join(flags)} {name}=")
    if isinstance(settings.get("action"), str) and settings["action"] not in _ACTIONS:
        return  # help and version give no value
    try:
        parser.add_argument(*flags, **settings)
    except (TypeError, ValueError, argparse.ArgumentError) as error:
        raise ArgumentError(str(error)) from None


def _has_own_action(call: Call) -> bool:
    """Whether code of the project stores an option."""
    return not isinstance(call.keywords.get("action") or KnownValue(""), KnownValue)


def _is_lost(tracer: Tracer, given: Any) -> bool:
    """Whether a word of the command is a shell variable that is not set anywhere visible."""
    return isinstance(given, str) and "$" in given and tracer.command is not None and bool(tracer.command.lost)


def _converted(tracer: Tracer, call: Call, name: str, given: Any) -> Value:
    """What the script gets for an option of the command: converted by the option's type, unless code of the project stores it."""
    if _has_own_action(call) and not isinstance(given, bool):
        return UnknownValue(name)
    if isinstance(given, list):
        return Items([_converted(tracer, call, name, each) for each in given])
    kind = call.keywords.get("type")
    named = kind.name if isinstance(kind, NamedValue) else ""
    if _is_lost(tracer, given):
        return UnknownValue(name)
    if not isinstance(given, str) or kind is None or named == "str":
        return KnownValue(given, "command", name)
    if named in _LITERALS:
        return evaluated(given, "command", name) or UnknownValue(name)
    if isinstance(kind, (NamedValue, Function, Partial)):
        found = tracer.call(kind, [KnownValue(given, "command", name)], {}, call.node)
        if isinstance(found, KnownValue):
            return KnownValue(found.value, "command", name)
        if named in ("int", "float"):
            unbound(tracer, call.node, "option-type", f"--{name} {shlex.quote(given)}", call.source)
    return UnknownValue(name)


def _target(call: Call) -> str:
    """The name under which the namespace has an option: its dest, else its first long flag, else its first one."""
    target = call.keywords.get("dest")
    if isinstance(target, KnownValue):
        return str(target.value)
    flags = strings_of(call.args)
    flags.sort(key=lambda flag: not flag.startswith("--"))
    return flags[0].lstrip("-").replace("-", "_") if flags else ""


def as_option(call: Call) -> Option | None:
    """What an add_argument call declares; None for an option that is given by its place, or gives no value."""
    flags = tuple(flag.value for flag in call.args if isinstance(flag, KnownValue) and str(flag.value).startswith("-"))
    action = call.keywords.get("action")
    if not flags or (isinstance(action, KnownValue) and action.value not in _ACTIONS):
        return None
    name, constants = _target(call), _switches(flags, action)
    return Option(name, tuple({**dict.fromkeys(flags), **constants}), None, _default(call, name, False), constants)


def _switches(flags: tuple[str, ...], action: Value | None) -> dict[str, Any]:
    """The flags that take no value, and what they give."""
    if isinstance(action, KnownValue) and action.value in ("store_true", "store_false"):
        return dict.fromkeys(flags, action.value == "store_true")
    if isinstance(action, NamedValue) and action.name == "argparse.BooleanOptionalAction":
        return {**dict.fromkeys(flags, True), **{f"--no-{flag[2:]}": False for flag in flags if flag.startswith("--")}}
    return {}


def _default(call: Call, name: str, settled_: bool) -> Value:
    """What an option is unless it is given. Without a default that is None, which counts only in a run whose command does not give it
    (`settled_`): who starts the script otherwise may well do."""
    default, action = call.keywords.get("default"), call.keywords.get("action")
    if isinstance(default, KnownValue):
        kept = default.value if default.assumed == "config" and _gives_text(call) else _boolean(default.value)
        return KnownValue(
            kept, default.origin or "argparse", name, deciders=default.deciders or _declared(call, name, kept)
        )
    if default is None and isinstance(action, KnownValue) and action.value in ("store_true", "store_false"):
        kept = action.value == "store_false"
        return KnownValue(kept, "argparse", name, deciders=_declared(call, name, kept))
    root = _root(call)
    if default is None and settled_ and isinstance(root, Call) and "argument_default" not in root.keywords:
        return KnownValue(None, "argparse", name, deciders=_declared(call, name, None))
    return UnknownValue(name) if default is None else default


def _declared(call: Call, name: str, value: Any) -> tuple[ValueOrigin]:
    return (ValueOrigin("default", name, value, f"{call.source.path}:{call.line}"),)


def _gives_text(call: Call) -> bool:
    """Whether an option stays the text that is given for it."""
    kind = call.keywords.get("type")
    return isinstance(kind, (NamedValue, Call)) and kind.name in ("str", "type")


def _boolean(value: Any) -> Any:
    """The default of an option that is converted from text: "True" and "false" are meant as truth values."""
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    return value


def _roots(parsed: Call) -> list[Value]:
    """The parser that parsed, and those whose options it takes over as its parents."""
    found: list[Value] = []
    waiting = [_root(parsed)]
    while waiting and len(found) < 20:
        root = waiting.pop()
        found.append(root)
        parents = root.keywords.get("parents") if isinstance(root, Call) else None
        waiting += (
            [_root(each) for each in parents.items if isinstance(each, Call)] if isinstance(parents, Items) else []
        )
    return found


def _root(made: Call) -> Value:
    """What a chain of methods started from."""
    base: Value = made
    while isinstance(base, Call) and base.base is not None:
        base = base.base
    return base
