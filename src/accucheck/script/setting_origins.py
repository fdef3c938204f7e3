"""Which settings of the run decide what stands at a place: options of its command, their defaults, keys of configuration files."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from collections.abc import Mapping as Mapping_
from pathlib import Path
from typing import NamedTuple

from ..knowledge import api, signatures
from . import configs
from .analysis import Scripts
from .described import Described
from .syntax import kept
from .trace import Trace
from .values import Call, Items, KnownValue, Mapping, Value, ValueOrigin, deciders_of, options

#: At most so many settings are reported for a place; lists, dicts and what was computed of them are looked into so deep.
SHOWN, DEEP = 4, 6
#: So many constants are looked at for them.
LOOKED_AT = 100
Files = Mapping_[str, Path]


class Setting(NamedTuple):
    """A setting in words: its name, what it is set to, how (see Decider), and the place where it is set: a file and line, or "".
    `key`: the keys that lead to it in a configuration file, with dots between."""

    name: str
    value: str
    how: str
    place: str
    key: str


def at(scripts: Scripts, path: str, line: int, column: int | None, told: Told) -> list[Setting]:
    """The settings that decide the arguments of what is called at a place, of those that are told; of one argument, where the
    place is that of one."""
    values: list[Value] = []
    for reading in scripts.readings:
        for call in calls(reading.trace).get((path, line), ()):
            if column is not None or not isinstance(call.source, Described):  # all of which stands at one line
                values += _given(call, line, column, told)
    return settings_of(scripts.configurations, deciders_of(_constants(values, DEEP), LOOKED_AT))


def settings_of(files: Files, deciders: Iterable[ValueOrigin]) -> list[Setting]:
    """Settings in words; the elements of a list as one. `files`: the configurations that were loaded, by their path as it is shown."""
    found: dict[tuple[str, str, tuple[str | int, ...]], list[ValueOrigin]] = {}
    for one in deciders:
        found.setdefault((one.how, one.place or one.name, _whole(one.keys)), []).append(one)
    return [_setting(files, keys, group) for (_, _, keys), group in found.items()][:SHOWN]


@kept
def calls(trace: Trace) -> dict[tuple[str, int], list[Call]]:
    """The calls, and the operations of arithmetic, by their file, as it is shown, and each line that they stand on."""
    found: dict[tuple[str, int], list[Call]] = {}
    for call in trace.calls:
        if isinstance(call.node, (ast.Call, ast.BinOp)):
            for line in range(call.node.lineno, (call.node.end_lineno or call.node.lineno) + 1):
                found.setdefault((call.source.path, line), []).append(call)
    return found


def _given(call: Call, line: int, column: int | None, told: Told) -> list[Value]:
    """What a call is given and what is told of it; the argument that stands at a column, whatever is told."""
    node = call.node
    if not isinstance(node, ast.Call):
        return [value for value in call.args if told.of("", value)]
    if (node.lineno, node.col_offset) == (line, node.col_offset if column is None else column):
        return [value for name, value in _named(call) if told.of(name, value)]
    return [value for part, value in _written(call, node) if (part.lineno, part.col_offset) == (line, column)]


def _written(call: Call, node: ast.Call) -> Iterator[tuple[ast.expr, Value]]:
    """The arguments of a call as they are written, each with its value; none where a list is unpacked among them."""
    if not any(isinstance(part, ast.Starred) for part in node.args):
        yield from zip(node.args, call.args, strict=False)
        yield from ((part.value, call.keywords[part.arg]) for part in node.keywords if part.arg in call.keywords)


def _named(call: Call) -> Iterator[tuple[str, Value]]:
    """The arguments of a call by the names of its parameters, "" where these are not known."""
    known = signatures.load().signature(call.api) or api.find(call.api)
    names = known.positional if known is not None else ()
    yield from ((names[at] if at < len(names) else "", value) for at, value in enumerate(call.args))
    yield from call.keywords.items()


class Told(NamedTuple):
    """What a finding tells of a call: its words, among them names of arguments, and the values that it shows."""

    words: frozenset[str]
    values: frozenset[str]

    def of(self, name: str, value: Value) -> bool:
        return name in self.words or any(str(constant.value) in self.values for constant in _constants([value], DEEP))


def _constants(values: Iterable[Value], depth: int) -> Iterator[KnownValue]:
    for value in values:
        for option in options(value):
            if isinstance(option, KnownValue):
                yield option
            elif isinstance(option, (Items, Mapping)) and depth:
                inner = option.items if isinstance(option, Items) else [*option.items.values()]
                yield from _constants(inner, depth - 1)
            elif isinstance(option, Call) and depth:  # as numpy.array(mean).astype("float32") is of the mean
                yield from _constants(option.args[:1] if option.base is None else [option.base], depth - 1)


def _whole(keys: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """The keys of the list that an element stands in."""
    end = len(keys)
    while end and isinstance(keys[end - 1], int):
        end -= 1
    return keys[:end]


def _setting(files: Files, keys: tuple[str | int, ...], group: list[ValueOrigin]) -> Setting:
    first = group[0]
    values = [repr(one.value)[:60] for one in group]
    if len(group) == 1:
        keys = first.keys
    text = values[0] if len(group) == 1 else f"[{', '.join(values)}]"
    place = first.place
    if first.how == "configuration":
        place = f"{place}:{_line(files, place, keys)}"
    return Setting(first.name, text, first.how, place, ".".join(map(str, keys)))


def _line(files: Files, shown: str, keys: tuple[str | int, ...]) -> int:
    """The line of a configuration file that sets what these keys lead to."""
    path = files.get(shown)
    return configs.line(_text(path), path.suffix.lower(), keys) if path is not None else 1


@kept
def _text(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:  # it was there when the script was followed
        return b""
