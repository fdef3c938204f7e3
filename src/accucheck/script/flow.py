"""What flows into what, among the values of a trace."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence

from .syntax import kept
from .trace import Trace
from .values import Call, Instance, Items, KnownValue, Many, Mapping, Partial, Rest, Value, parts

#: So many of what one configuration holds are told as used where it is.
CONTENTS = 1000
#: What values consist of others.
_HOLDERS = (Many, Items, Mapping)
#: A look at more values than this gives up: what is asked then counts as not found.
LIMIT = 20_000


def inputs(value: Value) -> list[Value]:
    """What a value is directly made of. Where the project's own code was run in turn, what that returned is part of it."""
    if isinstance(value, Call):  # most are
        if value.name == "comprehension":
            return value.args[:1]
        found = [*value.args, *value.keywords.values(), *(value.fed or ())]
        if value.base is not None:
            found.insert(0, value.base)
        if value.result is not None:
            found.append(value.result)
        return found
    if isinstance(value, Many):
        return list(value.options)
    if isinstance(value, Rest):
        return list(value.of)
    if isinstance(value, Items):
        return value.items
    if isinstance(value, Mapping):
        return [*value.items.values(), *(value.fed or ())]
    if isinstance(value, Partial):
        return [value.function, *value.args, *value.keywords.values()]
    if isinstance(value, Instance):
        return [*value.attributes.values(), *(arg for _, args, keywords in value.supers for arg in args)]
    return []


def elements(value: Value) -> list[Value]:
    """What is in a list, a dict or what a comprehension makes; a value that is no such thing itself."""
    if isinstance(value, (Items, Mapping)):
        return inputs(value)
    if isinstance(value, Many):
        return [part for option in value.options for part in elements(option)]
    if isinstance(value, Call) and value.name == "comprehension":
        return value.args[:1]
    if isinstance(value, Call) and value.name == ".values" and value.base is not None:
        return elements(value.base)
    return [value]


def sources(value: Value | None, stop: Callable[[Value], bool] | None = None) -> Iterator[Value]:
    """A value and everything that flows into it, nearest first, each once. What `stop` is true for is given, not passed."""
    return sources_of([] if value is None else [value], stop)


def sources_of(values: Sequence[Value], stop: Callable[[Value], bool] | None = None) -> Iterator[Value]:
    """Several values and everything that flows into any of them, each once; see sources()."""
    asked = {id(value): value for value in values}
    queue, seen, limit = deque(asked.values()), set(asked), LIMIT * len(values)
    while queue and len(seen) < limit:
        part = queue.popleft()
        yield part
        if stop is not None and id(part) not in asked and stop(part):
            continue
        for inner in inputs(part):
            if id(inner) not in seen:
                seen.add(id(inner))
                queue.append(inner)


def setting(value: Value) -> bool:
    """True for one setting out of a configuration: the other settings beside it do not contribute. For `stop` of sources()."""
    if not isinstance(value, Call) or value.base is None:
        return False
    key = value.args[0] if value.name == "[]" and value.args else None
    return value.name.startswith("@") or (isinstance(key, KnownValue) and isinstance(key.value, str))


def find(
    value: Value | None, wanted: Callable[[Call], bool], stop: Callable[[Value], bool] | None = None
) -> Call | None:
    """The nearest call that flows into a value, or is it, and is wanted."""
    return next((part for part in sources(value, stop) if isinstance(part, Call) and wanted(part)), None)


def derives(value: Value | None, origin: Value, stop: Callable[[Value], bool] | None = None) -> bool:
    """True when `origin` is, or flows into, a value."""
    return any(part is origin for part in sources(value, stop))


@kept
def consumers(trace: Trace) -> dict[int, list[tuple[Call, str]]]:
    """id of a call -> the calls that use its result (also within lists, dicts and alternatives), each with the keyword that it
    is passed for, "valid_dataset" for the third argument of Model.fit, "" otherwise."""
    found: dict[int, list[tuple[Call, str]]] = defaultdict(list)
    for call in trace.calls:
        validates = 2 if call.name == ".fit" else None
        given = [
            ("", call.base),
            *(("valid_dataset" if place == validates else "", arg) for place, arg in enumerate(call.args)),
            *call.keywords.items(),
        ]
        for how, value in given:
            for part in parts(value):
                found[id(part)].append((call, how))
    return found


@kept
def users(trace: Trace) -> dict[int, list[tuple[Call, str]]]:
    """id of a value -> the calls that use it directly (also within a list, or as one of several), each with how: "base", a
    keyword, or the place of the argument as "0", "1", ..."""
    found: dict[int, list[tuple[Call, str]]] = defaultdict(list)
    for call in trace.calls:
        given = [
            ("base", call.base),
            *((str(place), arg) for place, arg in enumerate(call.args)),
            *call.keywords.items(),
        ]
        for how, value in given:
            for part in _spread(value):
                found[id(part)].append((call, how))
    return found


@kept
def made_of(trace: Trace) -> dict[int, list[Value]]:
    """id of a value -> what is directly made of it, of all that the calls of a trace hold."""
    found: dict[int, list[Value]] = defaultdict(list)
    for part in values_of(trace):
        for inner in inputs(part):
            found[id(inner)].append(part)
    return found


@kept
def values_of(trace: Trace) -> list[Value]:
    """The calls of a trace and all that they are made of, each once."""
    found: dict[int, Value] = {}
    queue = list[Value](trace.calls)
    while queue:
        part = queue.pop()
        if id(part) not in found:
            found[id(part)] = part
            queue += inputs(part)
    return list(found.values())


def made_from(trace: Trace, origins: Iterable[Value]) -> set[int]:
    """The ids of values, and of all that is made of them."""
    made, found, queue = made_of(trace), set[int](), list(origins)
    while queue:
        part = queue.pop()
        if id(part) not in found:
            found.add(id(part))
            queue += made.get(id(part), ())
    return found


def _spread(value: Value | None) -> list[Value]:
    """A value and what lists, dicts and alternatives it consists of, each once, those of the outermost first: CONTENTS of a large one."""
    if not isinstance(value, _HOLDERS):
        return [] if value is None else [value]
    found: list[Value] = [value]
    seen = {id(value)}
    level = found
    for _ in range(6):
        held = [inner for part in level if isinstance(part, _HOLDERS) for inner in inputs(part)[:200]]
        level = []
        for inner in held:
            if id(inner) not in seen and len(seen) < CONTENTS:
                seen.add(id(inner))
                level.append(inner)
        found = [*found, *level]
    return found
