"""Options that a script declares by click, absl.flags, fire or a dataclass: their values as the command of the run gives them.

Each form says which options there are (Option); one reader binds the words of the command to them. Nothing of the script is run.
"""

from __future__ import annotations

import ast
import shlex
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from .values import (
    Call,
    Class,
    Function,
    Items,
    KnownValue,
    Mapping,
    NamedValue,
    UnknownValue,
    Value,
    is_known,
    string_of,
    strings_of,
)

if TYPE_CHECKING:
    from .expressions import Expressions as Tracer
    from .source import Source

_TRUE, _FALSE = ("true", "t", "1", "yes", "y", "on"), ("false", "f", "0", "no", "n", "off")
#: Files of flags name further ones so deep; larger ones are not read.
DEPTH, LARGEST = 5, 1 << 18


class ArgumentError(Exception):
    """The words do not fit the options."""


@dataclass
class Option:
    """An option: the name its value goes by, its flags (none: by place), what converts a text (None: it stays one), its default.

    `constants`: the flags that take no value, and what they give; `single`: it may also be given without one, as true. `many`: a list
    of all that is given. `count`: how often it is given. `width`: how many words it takes at once, -1 for all.
    """

    name: str
    flags: tuple[str, ...]
    convert: Callable[[str], Value] | None = None
    default: Value = field(default_factory=UnknownValue)
    constants: dict[str, Any] = field(default_factory=dict)
    single: bool = False
    many: bool = False
    count: bool = False
    width: int = 1

    def bare(self, flag: str) -> bool:
        """Whether one of its flags takes no value."""
        return self.count or flag in self.constants

    def value(self, text: str) -> Value:
        found = KnownValue(text) if self.convert is None else self.convert(text)
        return KnownValue(found.value, "command", self.name) if isinstance(found, KnownValue) else found


@dataclass
class BoundArguments:
    """What words give: values by name, and the words that no option takes, in their order."""

    values: dict[str, Value] = field(default_factory=dict)
    rest: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)


def bind(declared: list[Option], words: list[str], stop: bool = False) -> BoundArguments:
    """Bind words to options. `stop`: words from the first one that is not a flag are the rest, such as a command with its own. Raises
    Refused where a value is missing or does not fit."""
    flags = {flag: option for option in declared for flag in option.flags}
    places = [option for option in declared if not option.flags]
    found, waiting, loose = BoundArguments(), list(words), list[str]()
    while waiting:
        word = waiting.pop(0)
        if word == "--":
            loose += waiting
            break
        flag, given, text = _split(word, flags)
        option = flags.get(flag)
        if option is not None:
            if given and option.bare(flag) and word[len(flag)] != "=":  # -vv
                waiting.insert(0, "-" + text)
                given = False
            _take(found, option, flag, text if given else None, waiting)
        elif _is_flag(flag):
            found.unknown.append(word)
        elif stop and not places:
            found.rest = [word, *waiting]
            return found
        else:
            loose.append(word)
    found.rest = _placed(found, places, loose)
    return found


def _placed(found: BoundArguments, places: list[Option], loose: list[str]) -> list[str]:
    """Bind words to the options that are given by place; the words that are left."""
    for place, option in enumerate(places):
        behind = sum(each.width for each in places[place + 1 :])
        width = max(len(loose) - behind, 0) if option.width < 0 else option.width
        if len(loose) >= width > 0:
            _store(found, option, [option.value(text) for text in loose[:width]])
            del loose[:width]
    return loose


def _split(word: str, flags: dict[str, Option]) -> tuple[str, bool, str]:
    """The flag of a word, whether it brings a value of its own (--a=1, -a1), and that value."""
    flag, given, text = word.partition("=")
    short = word[:2]
    if flag not in flags and short in flags and word[:2] != "--" and len(word) > 2:
        return short, True, word[2:]
    return flag, bool(given), text


def _take(found: BoundArguments, option: Option, flag: str, text: str | None, waiting: list[str]) -> None:
    if option.count:
        before = found.values.get(option.name)
        found.values[option.name] = KnownValue(
            before.value + 1 if isinstance(before, KnownValue) else 1, "command", option.name
        )
    elif text is None and flag in option.constants:
        found.values[option.name] = KnownValue(option.constants[flag], "command", option.name)
    elif text is None and option.single and (not waiting or waiting[0][:2] == "--"):
        found.values[option.name] = KnownValue(True, "command", option.name)
    elif text is not None:
        _store(found, option, [option.value(text)])
    else:
        width = option.width
        if width < 0:
            width = next((place for place, word in enumerate(waiting) if _is_flag(word)), len(waiting))
        if len(waiting) < max(width, 1):
            raise ArgumentError(flag)
        _store(found, option, [option.value(word) for word in waiting[:width]])
        del waiting[:width]


def _store(found: BoundArguments, option: Option, values: list[Value]) -> None:
    value = values[0] if option.width == 1 else Items(values)
    if option.many:
        before = found.values.get(option.name)
        value = Items([*(before.items if isinstance(before, Items) else ()), value])
    found.values[option.name] = value


def _is_flag(word: str) -> bool:
    return word[:1] == "-" and not _number(word)


def _number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def words(tracer: Tracer) -> list[str] | None:
    """The arguments of the command; None where it is not known."""
    return None if tracer.command is None else list(tracer.command.words)


def default(tracer: Tracer, value: Value, name: str) -> Value:
    """A value that an option has unless it is given: settled where the arguments of the run are known."""
    found = settled(value, "argparse", tracer.command is not None)
    return replace(found, name=name) if found is not value and isinstance(found, KnownValue) else found


def settled(value: Value, origin: str, known: bool) -> Value:
    """A default that the script writes: settled where the arguments of the run are `known` and do not give another value, else of this
    origin."""
    if not isinstance(value, KnownValue) or value.origin not in (None, "argparse"):
        return value
    return replace(value, origin="unset" if known else origin)


def bound(
    tracer: Tracer,
    declared: list[Option],
    given: list[str] | None,
    node: ast.AST,
    stop: bool = False,
    partly: bool = False,
) -> tuple[dict[str, Value], list[str]]:
    """The value of each option, and the words that are left. What does not fit is noted with the place that reads it. `partly`: there
    are more options than are declared."""
    tracer.trace.declarations += declared
    values = {option.name: default(tracer, option.default, option.name) for option in declared}
    if given is None:
        return values, []
    try:
        found = bind(declared, given, stop)
    except ArgumentError as error:
        unbound(tracer, node, "options-refused", str(error))
        return {name: unsettled(value) for name, value in values.items()}, []
    if found.unknown and not partly:
        unbound(tracer, node, "options-unknown", shlex.join(found.unknown))
    lost = tracer.command is not None and bool(tracer.command.lost)
    for name, value in found.values.items():
        variable = lost and isinstance(value, KnownValue) and "$" in str(value.value)
        values[name] = UnknownValue(name) if variable else value
    return values, found.rest


def unsettled(value: Value) -> Value:
    return replace(value, origin="argparse") if isinstance(value, KnownValue) and value.origin == "unset" else value


def unbound(tracer: Tracer, node: ast.AST, code: str, text: str, source: Source | None = None) -> None:
    """Note words that do not fit at the place that reads them, in the file that is followed unless another is given."""
    path = (source or tracer.source).path
    tracer.trace.unbound.append((code, text[:200], path, getattr(node, "lineno", 1)))


# --- types ------------------------------------------------------------------------------------------------------------


def truth(text: str) -> Value:
    if text.strip().lower() in (*_TRUE, *_FALSE):
        return KnownValue(text.strip().lower() in _TRUE)
    raise ArgumentError(text)


def number(kind: Callable[[str], int | float]) -> Callable[[str], Value]:
    def convert(text: str) -> Value:
        try:
            return KnownValue(kind(text))
        except (ValueError, OverflowError):
            raise ArgumentError(text) from None

    return convert


def literal(text: str) -> Value:
    """A text as fire reads it: a literal of Python, else itself."""
    found = evaluated(text)
    return KnownValue(text) if found is None else found


def evaluated(text: str, origin: str | None = None, name: str = "") -> Value | None:
    """What a literal of Python stands for, its constants of this origin and name; None for any other text."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return _literal(value, origin, name)


def _literal(value: Any, origin: str | None, name: str) -> Value:
    if isinstance(value, (list, tuple)):
        return Items([_literal(each, origin, name) for each in value], fixed=isinstance(value, tuple))
    if isinstance(value, dict):
        plain = {key: each for key, each in value.items() if isinstance(key, (str, int))}
        return Mapping({key: _literal(each, origin, name) for key, each in plain.items()})
    known = isinstance(value, (str, int, float, bool, type(None)))
    return KnownValue(value, origin, name) if known else UnknownValue(name)


#: By the last name of a type: int, click.INT, click.IntRange(1, 5), Optional[int] alike.
_TYPES: dict[str, Callable[[str], Value] | None] = {
    "int": number(int),
    "INT": number(int),
    "IntRange": number(int),
    "float": number(float),
    "FLOAT": number(float),
    "FloatRange": number(float),
    "bool": truth,
    "BOOL": truth,
    "str": None,
    "STRING": None,
    "Choice": None,
    "Path": None,
    "File": None,
}


def converter(tracer: Tracer, kind: Value | None, otherwise: Value | None) -> Callable[[str], Value] | None:
    """What converts the text of an option of this type; without one, of the type of its default."""
    if kind is None or is_known(kind, None):
        given = otherwise.value if isinstance(otherwise, KnownValue) else None
        return _TYPES.get(type(given).__name__) if given is not None else None
    if isinstance(kind, (NamedValue, Call)) and kind.name.rpartition(".")[2] in _TYPES:
        return _TYPES[kind.name.rpartition(".")[2]]
    if isinstance(kind, Function):
        return lambda text: tracer.call(kind, [KnownValue(text, "command")], {}, kind.node)
    return lambda text: UnknownValue()


# --- click ------------------------------------------------------------------------------------------------------------


def is_command(function: Function) -> bool:
    return any(map(_makes_command, function.decorators))


def _makes_command(decorator: Value) -> bool:
    """Whether a decorator is click's, or a method of a group of click: others have a .command() as well."""
    if not isinstance(decorator, Call):
        return False
    of_group = isinstance(decorator.base, Function) and is_command(decorator.base)
    return decorator.name in ("click.command", "click.group") or (of_group and decorator.name in (".command", ".group"))


def command_options(tracer: Tracer, function: Function) -> list[Option]:
    """The options that click's decorators declare, in the order in which they stand."""
    found: list[Option] = []
    for made in function.decorators:
        if isinstance(made, Call) and made.name in ("click.option", "click.argument"):
            found.append(_click_option(tracer, made))
    return found


def _click_flags(texts: list[str]) -> tuple[list[str], dict[str, Any]]:
    """The flags of an option, and what those give that switch it on and off: --shout/--no-shout."""
    constants: dict[str, Any] = {}
    flags: list[str] = []
    for text in texts:
        on, _, off = text.partition("/")
        if off:
            constants |= {on.strip(): True, off.strip(): False}
        flags += [part.strip() for part in (on, off) if part.strip()[:1] == "-"]
    return flags, constants


def _click_option(tracer: Tracer, made: Call) -> Option:
    texts = strings_of(made.args)
    given = made.keywords.get("default")
    settings = {key: value.value for key, value in made.keywords.items() if isinstance(value, KnownValue)}
    convert = converter(tracer, made.keywords.get("type"), given)
    width = settings.get("nargs", 1)
    width = width if type(width) is int else 1
    many = settings.get("multiple") is True
    missing: Value = Items([], fixed=True) if many or width < 0 else KnownValue(None)
    default_ = _converted(given, convert) if given is not None else missing
    if made.name == "click.argument":
        return Option(_name(texts), (), convert, default_, width=width)
    flags, constants = _click_flags(texts)
    if not constants and settings.get("is_flag"):
        constants = dict.fromkeys(flags, settings.get("flag_value", True))
    if constants and given is None:
        default_ = KnownValue(False)
    count = settings.get("count") is True
    if count and given is None:
        default_ = KnownValue(0)
    return Option(_name(texts), tuple(flags), convert, default_, constants, many=many, count=count, width=width)


def _converted(given: Value, convert: Callable[[str], Value] | None) -> Value:
    if isinstance(given, KnownValue) and isinstance(given.value, str) and convert is not None:
        try:
            return convert(given.value)
        except ArgumentError:
            return UnknownValue()
    return given


def _name(texts: list[str]) -> str:
    """The parameter that an option goes to: a name without dashes, else the first of its longest flags."""
    plain = [text for text in texts if text.isidentifier()]
    flags = sorted((text.partition("/")[0].strip() for text in texts), key=lambda text: not text.startswith("--"))
    return plain[0] if plain else flags[0].lstrip("-").replace("-", "_").lower() if flags else ""


def defaults(tracer: Tracer, function: Function) -> dict[str, Value]:
    """What a command that nothing is seen to run has for its options unless they are given."""
    if not is_command(function):
        return {}
    return {
        name: unsettled(value)
        for name, value in bound(tracer, command_options(tracer, function), None, function.node)[0].items()
    }


def call_command(
    tracer: Tracer, function: Function, args: list[Value], keywords: dict[str, Value], node: ast.AST
) -> Value:
    """A call of a command: it reads the words of the run, or those that the call gives."""
    given = args[0] if args else keywords.get("args")
    texts = words(tracer)
    if isinstance(given, Items):
        known = strings_of(given.items)
        texts = known if len(known) == len(given.items) and not given.open else None
    context = UnknownValue("ctx", {"obj": keywords.get("obj", Mapping({}))})
    return run_command(tracer, function, node, texts, context)


def run_command(tracer: Tracer, function: Function, node: ast.AST, given: list[str] | None, context: Value) -> Value:
    """Run a command of click as it runs itself: with its options, and, of a group, the command that the words name."""
    members = {_command_name(each): each for each in tracer.commands if _group(each) is function.node}
    values, rest = bound(tracer, command_options(tracer, function), given, node, stop=bool(members))
    before: list[Value] = []
    for made in function.decorators:
        if isinstance(made, NamedValue) and made.name == "click.pass_context":
            before.append(context)
        elif isinstance(made, NamedValue) and made.name == "click.pass_obj":
            before.append(tracer.attribute(context, "obj", node))
    result = tracer.call_function(function, before, values, node)
    if rest and rest[0] in members:
        return run_command(tracer, members[rest[0]], node, rest[1:], context)
    if rest:
        unbound(tracer, node, "options-unknown", shlex.join(rest))
    return result


def _group(function: Function) -> ast.AST | None:
    """The function of the group that a command belongs to."""
    for made in function.decorators:
        if isinstance(made, Call) and _makes_command(made) and isinstance(made.base, Function):
            return made.base.node
    return None


def _command_name(function: Function) -> str:
    for made in function.decorators:
        if isinstance(made, Call) and _makes_command(made):
            given = made.argument(["name"], "name")
            if isinstance(given, KnownValue) and isinstance(given.value, str):
                return given.value
    return function.name.replace("_", "-").lower()


# --- absl.flags -------------------------------------------------------------------------------------------------------

_ABSL: dict[str, Callable[[str], Value] | None] = {
    "DEFINE_float": number(float),
    "DEFINE_integer": number(lambda text: int(text, 0)),
    "DEFINE_bool": truth,
    "DEFINE_boolean": truth,
    "DEFINE_string": None,
    "DEFINE_enum": None,
    "DEFINE_list": lambda text: Items([KnownValue(part.strip(), "command") for part in text.split(",") if text]),
    "DEFINE_multi_float": number(float),
    "DEFINE_multi_integer": number(lambda text: int(text, 0)),
    "DEFINE_multi_string": None,
}
#: Flags that absl itself has.
_OWN = {"v", "verbosity", "logtostderr", "alsologtostderr", "log_dir", "stderrthreshold", "logger_levels", "undefok"}


def absl(tracer: Tracer, name: str, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value | None:
    """A flag that is defined, as FLAGS has it then, or the run of a script by absl.app; None for anything else."""
    kind = name.rpartition(".")[2]
    if name == "absl.app.run" and args and isinstance(args[0], Function):
        texts = words(tracer)
        if texts is not None:
            _unknown_flags(tracer, texts, node)
        return tracer.call(args[0], [Items([UnknownValue("argv")], open=True)], {}, node)
    flag = string_of(args[0]) if args else None
    if kind not in _ABSL or flag is None:
        return None
    given = args[1] if len(args) > 1 else keywords.get("default", UnknownValue())
    many = kind.startswith("DEFINE_multi")
    if many and isinstance(given, KnownValue) and given.value is not None:
        given = Items([given])
    constants = {}
    if _ABSL[kind] is truth:
        constants = {f"{dash}{no}{flag}": not no for dash in ("-", "--") for no in ("", "no")}
    convert = _ABSL[kind]
    option = Option(
        flag, (f"--{flag}", f"-{flag}", *constants), convert, _converted(given, convert), constants, many=many
    )
    tracer.trace.declarations.append(option)
    tracer.flags.items[flag] = _flag_value(tracer, option, node)
    return Mapping({"value": tracer.flags.items[flag], "name": KnownValue(flag)})


def _flag_value(tracer: Tracer, option: Option, node: ast.AST) -> Value:
    """The value of one flag; words for others are passed over."""
    texts, value = words(tracer), default(tracer, option.default, option.name)
    if texts is None:
        return value
    try:
        found = bind([option], _with_files(tracer, texts, node, 0)).values.get(option.name, value)
    except ArgumentError as error:
        unbound(tracer, node, "options-refused", f"--{option.name} {error}")
        return unsettled(value)
    lost = tracer.command is not None and bool(tracer.command.lost)
    return UnknownValue(option.name) if lost and isinstance(found, KnownValue) and "$" in str(found.value) else found


def _unknown_flags(tracer: Tracer, texts: list[str], node: ast.AST) -> None:
    """Note the flags that nothing defines. Modules that are imported and not run yet may define some."""
    unknown = []
    for word in _with_files(tracer, texts, node, 0):
        if word == "--":
            break
        name = word.lstrip("-").partition("=")[0]
        if word[:2] == "--" and not {name, name.removeprefix("no")} & (_OWN | set(tracer.flags.items)):
            unknown.append(word)
    sources = [tracer.find(each.name, each.importer or tracer.source) for each in tracer.waiting] if unknown else []
    pending = any(source is not None and source.file not in tracer.modules for source in sources)
    if unknown and not pending:
        unbound(tracer, node, "options-unknown", shlex.join(unknown))


def _with_files(tracer: Tracer, texts: list[str], node: ast.AST, depth: int) -> list[str]:
    """Words with those of --flagfile in its place."""
    found: list[str] = []
    waiting = list(texts)
    while waiting:
        word = waiting.pop(0)
        flag, given, name = word.partition("=")
        if flag not in ("--flagfile", "-flagfile"):
            found.append(word)
            continue
        if not given:
            name = waiting.pop(0) if waiting else ""
        lines = _flag_file(tracer, name, node) if depth < DEPTH else []
        found += _with_files(tracer, lines, node, depth + 1)
    return found


def _flag_file(tracer: Tracer, name: str, node: ast.AST) -> list[str]:
    for folder in (tracer.trace.source.file.parent, tracer.root):
        path = folder / name if folder is not None and name and "\0" not in name else None
        with suppress(OSError):
            inside = (
                path is not None and tracer.root is not None and path.resolve().is_relative_to(tracer.root.resolve())
            )
            if path is not None and inside and path.is_file() and path.stat().st_size <= LARGEST:
                lines = [line.strip() for line in path.read_text("utf-8", errors="replace").splitlines()]
                return [line for line in lines if line and not line.startswith(("#", "//"))]
    tracer.trace.unread.append((name, tracer.source.path, getattr(node, "lineno", 1)))
    return []


# --- fire -------------------------------------------------------------------------------------------------------------


def fire(tracer: Tracer, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value | None:
    """What fire.Fire runs with the words of the command; None where they are not known."""
    texts = words(tracer)
    given = keywords.get("command")
    if isinstance(given, KnownValue) and isinstance(given.value, str):
        with suppress(ValueError):
            texts = shlex.split(given.value)
    component = args[0] if args else keywords.get("component")
    if texts is None:
        return None
    if component is None:
        component = Mapping(tracer.scopes[0].names)
    places, pairs = _fire_words(texts)
    return _fired(tracer, component, places, pairs, node)


def _fire_words(texts: list[str]) -> tuple[list[str], list[tuple[str, str | None]]]:
    """Words without flags, and flags with their values; what stands behind -- is for fire itself."""
    waiting = texts[: texts.index("--")] if "--" in texts else list(texts)
    places: list[str] = []
    pairs: list[tuple[str, str | None]] = []
    while waiting:
        word = waiting.pop(0)
        if not _fire_flag(word):
            places.append(word)
            continue
        flag, given, text = word.partition("=")
        if given:
            pairs.append((flag, text))
        else:
            pairs.append((flag, waiting.pop(0) if waiting and not _fire_flag(waiting[0]) else None))
    return places, pairs


def _fire_flag(word: str) -> bool:
    return word[:1] == "-" and word[1:2] != "" and (word[1] == "-" or word[1].isalpha())


def _fired(
    tracer: Tracer, component: Value, places: list[str], pairs: list[tuple[str, str | None]], node: ast.AST
) -> Value:
    """Run a component with what it takes of the words, and what it gives with the rest."""
    for _ in range(10):
        if isinstance(component, (Function, Class)):
            component, places, pairs = _fire_call(tracer, component, places, pairs, node)
        elif places:
            name = places[0]
            found = tracer.held(component, name, node) or tracer.held(component, name.replace("-", "_"), node)
            if found is None:
                break
            component, places = tracer.resolved(found), places[1:]
        else:
            break
    if places or pairs:
        rest = [*places, *(flag if text is None else f"{flag}={text}" for flag, text in pairs)]
        unbound(tracer, node, "options-unknown", shlex.join(rest))
    return component


def _fire_call(
    tracer: Tracer, called: Function | Class, places: list[str], pairs: list[tuple[str, str | None]], node: ast.AST
) -> tuple[Value, list[str], list[tuple[str, str | None]]]:
    start = called if isinstance(called, Function) else called.find("__init__")
    function = start if isinstance(start, Function) else None
    names, any_place, any_name = _parameters(function, called)
    tracer.trace.declarations += _fire_options(function, names)
    values: dict[str, Value] = {}
    left: list[tuple[str, str | None]] = []
    for flag, text in pairs:
        name, value = _fire_value(flag, text, names, shortened=not any_name)
        if name in names or any_name:
            values[name] = KnownValue(value.value, "command", name) if isinstance(value, KnownValue) else value
        else:
            left.append((flag, text))
    args: list[Value] = []
    if isinstance(called, Function):  # a class takes flags only
        free = [name for name in names if name not in values]
        values |= {name: _of_place(text, name) for name, text in zip(free, places, strict=False)}
        more, places = places[len(free) :], places[len(free) :]
        if any_place and more:
            args, places = [values.pop(name, UnknownValue(name)) for name in names], []
            args += [_of_place(text, "") for text in more]
    return tracer.call(called, args, values, node), places, left


def _fire_options(function: Function | None, names: list[str]) -> list[Option]:
    """The parameters that words can give, as options, with the defaults that are plain values."""
    spec = function.node.args if function is not None else ast.arguments([], [], None, [], [], None, [])
    placed = [*spec.posonlyargs, *spec.args]
    pairs = [*zip(placed[len(placed) - len(spec.defaults) :], spec.defaults, strict=True)]
    pairs += [(part, given) for part, given in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if given is not None]
    plain = {part.arg: KnownValue(given.value) for part, given in pairs if isinstance(given, ast.Constant)}
    return [Option(name, (f"--{name}",), default=plain.get(name, UnknownValue())) for name in names]


def _of_place(text: str, name: str) -> Value:
    value = literal(text)
    return KnownValue(value.value, "command", name) if isinstance(value, KnownValue) else value


def _parameters(function: Function | None, called: Function | Class) -> tuple[list[str], bool, bool]:
    """The parameters that words can give, and whether it takes any number by place, and of other names."""
    if function is None:
        return (called.fields() if isinstance(called, Class) else []), False, False
    spec = function.node.args
    names = [part.arg for part in (*spec.posonlyargs, *spec.args)]
    if isinstance(called, Class) or called.owner is not None:
        names = names[1:]
    return [*names, *(part.arg for part in spec.kwonlyargs)], spec.vararg is not None, spec.kwarg is not None


def _fire_value(flag: str, text: str | None, names: list[str], shortened: bool) -> tuple[str, Value]:
    name = flag.lstrip("-").replace("-", "_")
    if name in names or text is not None:
        one = shortened and len(name) == 1 and name not in names
        short = [each for each in names if one and each.startswith(name)]
        return short[0] if len(short) == 1 else name, KnownValue(True) if text is None else literal(text)
    if name.removeprefix("no") in names:
        return name.removeprefix("no"), KnownValue(False)
    return name, KnownValue(True)


# --- dataclasses ------------------------------------------------------------------------------------------------------


def of_classes(tracer: Tracer, classes: list[Class], node: ast.AST) -> list[Value]:
    """Objects of dataclasses, their fields as options. A base that is not seen may declare more: then the words that are left say
    nothing."""
    declared = [_declared(tracer, of) for of in classes]
    partly = any(of.beyond() for of in classes)
    values, rest = bound(tracer, [option for each in declared for option in each], words(tracer), node, partly=partly)
    if rest and not partly:
        unbound(tracer, node, "options-unknown", shlex.join(rest))
    return [
        tracer.construct(of, [], {option.name: values[option.name] for option in each}, node)
        for of, each in zip(classes, declared, strict=True)
    ]


def _declared(tracer: Tracer, of: Class) -> list[Option]:
    """The fields of a dataclass as options. A base that is not seen may give what another base declares another default: then only
    what the class itself declares keeps its own."""
    found = [_field(tracer, of, part) for part in _fields(of)]
    if of.beyond():
        own = {
            part.target.id
            for part in of.node.body
            if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
        }
        for option in found:
            option.default = option.default if option.name in own else UnknownValue(option.name)
    return found


def _fields(of: Class) -> list[ast.AnnAssign]:
    found: dict[str, ast.AnnAssign] = {}
    for each in reversed(list(of.lineage())):
        for part in each.node.body:
            if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
                found[part.target.id] = part
    return list(found.values())


def _field(tracer: Tracer, of: Class, part: ast.AnnAssign) -> Option:
    assert isinstance(part.target, ast.Name)
    name = part.target.id
    kind, many = annotation(part.annotation)
    convert = _TYPES.get(kind, lambda text: UnknownValue())
    dashed = name.replace("_", "-")
    flags = tuple(dict.fromkeys((f"--{name}", f"--{dashed}")))
    off = (f"--no_{name}", f"--no-{name}", f"--no-{dashed}") if kind == "bool" else ()
    default_ = _field_default(tracer, of.find(name))
    constants = dict.fromkeys(off, False)
    return Option(name, flags + off, convert, default_, constants, single=kind == "bool", width=-1 if many else 1)


def _field_default(tracer: Tracer, value: Value | None) -> Value:
    """The default of a field: as written, or what field(default=..., default_factory=...) says."""
    if not isinstance(value, Call) or value.name.rpartition(".")[2] != "field":
        return value or UnknownValue()
    factory = value.keywords.get("default_factory")
    if isinstance(factory, (Function, Class, NamedValue)):
        return tracer.call(factory, [], {}, value.node)
    return value.keywords.get("default", UnknownValue())


def annotation(node: ast.expr) -> tuple[str, bool]:
    """The name of a field's type, and whether it is a list of such: float, Optional[float], float | None, List[float]."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 200:
        try:
            return annotation(ast.parse(node.value, mode="eval").body)
        except SyntaxError:
            return "", False
    if isinstance(node, ast.BinOp):
        return annotation(node.left)
    if isinstance(node, ast.Subscript):
        outer, _ = annotation(node.value)
        inner = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) else node.slice
        if outer == "Literal":
            return "str", False
        kind, many = annotation(inner)
        return kind, many or outer.lower() in ("list", "tuple", "sequence")
    return annotated(node), False


def annotated(node: ast.expr) -> str:
    """The last name of a type that is written as a name: Annotated, typing.Annotated."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def parsed_classes(tracer: Tracer, made: Call, node: ast.AST) -> Value | None:
    """What HfArgumentParser(classes).parse_args_into_dataclasses() gives."""
    given = made.argument(["dataclass_types"], "dataclass_types")
    classes = given.items if isinstance(given, Items) else [given]
    of = [each for each in classes if isinstance(each, Class)]
    return Items(of_classes(tracer, of, node)) if of and len(of) == len(classes) else None


def tyro(tracer: Tracer, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value | None:
    """What tyro.cli gives for a dataclass, without a default of its own."""
    if len(args) == 1 and isinstance(args[0], Class) and not keywords.keys() - {"description", "prog"}:
        return of_classes(tracer, [args[0]], node)[0]
    return None
