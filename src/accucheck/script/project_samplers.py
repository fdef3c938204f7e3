"""Samplers and data sources of the project's own classes: what their methods give, run with the settings of one object, and whether that
depends on the number of the device."""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from ..knowledge.random_numbers import DRAWING_METHODS, GENERATORS, STATE_METHODS, sets_state, shared_generator
from . import ranks
from .flow import setting, sources, sources_of
from .syntax import walk
from .trace import Trace, Tracer
from .values import (
    Call,
    Function,
    Instance,
    Items,
    KnownValue,
    Many,
    Mapping,
    UnknownValue,
    Value,
    frames_around,
    options,
    same,
)

#: Functions of Python that give what is outside of the program, or what is not said here.
_OUTSIDE = frozenset({"open", "input", "next", "eval", "exec", "id", "hash", "set", "frozenset", "vars", "getattr"})


def draws(trace: Trace, sampler: Instance) -> bool:
    """Whether the order of a sampler is drawn at random in each run of its __iter__, whatever a run's options say: a draw whose result
    nothing uses mixes nothing."""
    given, calls = _ran(trace, sampler, "__iter__")
    idle = _idle_draws(given, calls)
    return any(is_draw(call) and not call.under and id(call) not in idle for call in calls)


def in_order(trace: Trace, sampler: Instance) -> bool:
    """Whether a sampler gives the same order in each run of its __iter__: all that this calls, and all that it gives is made of, is
    arithmetic on numbers and lists, and nothing shuffles one of those lists elsewhere."""
    given, ran = _ran(trace, sampler, "__iter__")
    idle = _idle_draws(given, ran)
    calls = [call for call in ran if id(call) not in idle and not sets_state(call.name)]
    parts = list(sources(given, _counts))
    run = {id(arg) for part in parts if isinstance(part, Call) and part.name == "generator" for arg in part.args}
    held = [part for part in parts if id(part) not in run]
    return len(held) > 1 and all(map(_settled, [*calls, *held])) and _mixed(trace).isdisjoint(map(id, held))


def _mixed(trace: Trace) -> set[int]:
    """The ids of what is shuffled in place."""
    return {id(part) for call in trace.calls if call.last == "shuffle" for arg in call.args for part in options(arg)}


def remade_each_turn(sampler: Instance) -> bool:
    """Whether a sampler is made again in each turn of a loop, and holds what is drawn at random as it is made: the source may read its
    samples by that, whatever numbers the sampler gives."""
    held = (part for value in sampler.attributes.values() for part in sources(value))
    return bool(sampler.loops) and any(isinstance(part, Call) and is_draw(part) for part in held)


def asks_rank(trace: Trace, sampler: Instance) -> bool:
    """Whether what a sampler gives depends on the number of the device, which it may ask for only then."""
    given, calls = _ran(trace, sampler, "__iter__")
    return "rank" in ranks.kinds(given) or any("rank" in ranks.kinds(call) for call in calls)


def chosen_by_rank(trace: Trace, values: Sequence[Value]) -> bool:
    """Whether values are made with the number of the device. Where objects or functions of the project make them, their code has to ask for
    it: a configuration that they were given whole holds more than they read. What asks in a condition takes some and leaves others."""
    plain = (option for value in values for option in options(value) if not isinstance(option, Instance))
    if _have_rank(plain):
        return True
    reached = list(sources_of(values, setting))
    if _have_rank(test for part in reached if isinstance(part, Call) for test in part.picks):
        return True
    owners = {id(part): part for part in reached if isinstance(part, Instance)}
    names = {name for node in _code(trace, reached, owners) for name in _names(node)}
    return any(map(ranks.names_rank, names)) or _have_rank(_held(owners.values(), names))


def _have_rank(values: Iterable[Value]) -> bool:
    """Whether one of these is made with the number of the device, whatever objects among them hold."""
    return any("rank" in ranks.kinds(value, objects=False) for value in values)


def _code(trace: Trace, values: Iterable[Value], owners: dict[int, Instance]) -> list[ast.AST]:
    """The classes of objects, the generators among values, and what these and the methods of the objects call; each once."""
    generators = (part for part in values if isinstance(part, Call) and part.name == "generator")
    functions = {id(of.node): of.node for part in generators for of in part.args if isinstance(of, Function)}
    code: list[ast.AST] = [of.node for owner in owners.values() for of in owner.of.lineage()] + [*functions.values()]
    if code:
        for frame in trace.frames:
            if any(id(run.owner) in owners or id(run.function.node) in functions for run in frames_around(frame)):
                code.append(frame.function.node)
    return list({id(node): node for node in code}.values())


def _held(owners: Iterable[Instance], names: set[str]) -> Iterator[Value]:
    """What objects, and the dicts and objects within them, hold under these names or under none."""
    queue: list[Value] = list(owners)
    seen = set(map(id, queue))
    while queue:
        holder = queue.pop()
        entries = holder.items if isinstance(holder, Mapping) else getattr(holder, "attributes", {})
        given = [value for key, value in entries.items() if not isinstance(key, str) or key in names]
        given += (holder.fed or []) if isinstance(holder, Mapping) else []
        given += [value for _, args, _ in getattr(holder, "supers", ()) for value in args]
        for option in (option for value in given for option in options(value)):
            if not isinstance(option, (Instance, Mapping)):
                yield option
            elif id(option) not in seen:
                seen.add(id(option))
                queue.append(option)


def _names(code: ast.AST) -> Iterator[str]:
    """The variables, attributes and keys that code names."""
    for part in walk(code):
        if isinstance(part, ast.Attribute):
            yield part.attr
        elif isinstance(part, ast.Name):
            yield part.id
        elif isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def divides(trace: Trace, sampler: Instance) -> bool:
    """Whether what a sampler gives depends on the number of the device, and its length on how many there are."""
    given, _ = _ran(trace, sampler, "__iter__")
    if "rank" not in ranks.kinds(given):
        return False
    length, _ = _ran(trace, sampler, "__len__")
    return sampler.of.find("__len__") is None or bool(ranks.kinds(length) & {"rank", "size"})


def length_of_all(trace: Trace, sampler: Instance) -> ast.AST | None:
    """Where the __len__ of a sampler gives the number of all that its __iter__ gives this device a part of; None where it does not, or
    that is not seen."""
    whole = _divided(_ran(trace, sampler, "__iter__")[0])
    method = sampler.of.find("__len__")
    if whole is None or not isinstance(method, Function) or not _equal(_ran(trace, sampler, "__len__")[0], whole):
        return None
    returns = [part for part in ast.walk(method.node) if isinstance(part, ast.Return)]
    return returns[0] if len(returns) == 1 else method.node


def _divided(given: Value) -> Value | None:
    """How many there are in all, of values that are a part of them by the number of the device."""
    listed = _listed(given)
    if not isinstance(listed, Call):
        return None
    if listed.last in ("range", "arange") and len(listed.args) == 3:
        return listed.args[1] if _by_rank(*listed.args) else None
    key = listed.args[0] if listed.name == "[]" and listed.args else None
    if not isinstance(key, Call) or key.name != "slice" or listed.base is None:
        return None
    return _length(listed.base) if _by_rank(*key.args) else None


def _listed(given: Value) -> Value:
    """What is given one after the other, as the list or range that it comes from."""
    each = given.result if isinstance(given, Call) and given.name == "generator" else None
    if isinstance(each, Call) and each.name == ".each":
        given = each.base or given
    while isinstance(given, Call) and (kept := _kept(given)) is not None:
        given = kept
    return given


def _by_rank(start: Value, stop: Value, step: Value) -> bool:
    """Whether a slice or range begins where the number of the device says, and leaves the others theirs."""
    parted = "size" in ranks.kinds(step) or "rank" in ranks.kinds(stop)
    return "rank" in ranks.kinds(start) and parted


def _length(value: Value) -> Value | None:
    """How many values there are in a list or an array, as another value; None where that is not seen."""
    lengths = [_option_length(option) for option in options(value)]
    first = lengths[0]
    return first if first is not None and all(one is not None and _equal(one, first) for one in lengths) else None


def _option_length(value: Value) -> Value | None:
    if not isinstance(value, Call):
        return None
    if value.last in ("range", "arange", "permutation") and len(value.args) == 1 and not value.keywords:
        given = value.args[0]
        return given if not isinstance(given, Call) or _kept(given) is None else _length(given)
    kept = _kept(value)
    return None if kept is None else _length(kept)


def _kept(made: Call) -> Value | None:
    """What a call gives back in another form, with as many values."""
    if made.name in ("list", "tuple", "iter", "sorted", "reversed", "numpy.array", "numpy.asarray") and made.args:
        return made.args[0]
    return made.base if made.name in (".tolist", ".copy", ".astype") else None


def _equal(one: Value, other: Value, depth: int = 0) -> bool:
    """Whether two values are the same number, as far as the way that they are computed tells."""
    if same(one, other):
        return True
    if not (isinstance(one, Call) and isinstance(other, Call)) or one.name != other.name or depth > 8:
        return False
    ours, theirs = ([part for part in (made.base, *made.args) if part is not None] for made in (one, other))
    alike = len(ours) == len(theirs) > 0 and not one.keywords and not other.keywords and not is_draw(one)
    return alike and all(_equal(a, b, depth + 1) for a, b in zip(ours, theirs, strict=True))


def _counts(value: Value) -> bool:
    """True for a number of values: whatever these are, it is the same in each run."""
    return isinstance(value, Call) and value.name in ("len", "@shape", "@size")


def _settled(value: Value) -> bool:
    """Whether a value, or the result of a call, is the same in each run, given what it is made of."""
    if not isinstance(value, Call):
        return isinstance(value, (KnownValue, Items, Many))
    if value.base is None and not value.args and ranks.kinds(value):
        return True
    root = value
    while isinstance(root.base, Call):
        root = root.base
    if root.base is not None and not _counts(value):
        return isinstance(root.base, (Items, Many, KnownValue))
    if root.name.startswith(("numpy.", "math.")):
        return not root.name.startswith("numpy.random.")
    plain = not root.name[:1].isalpha() or root.name in ("slice", "comprehension", "generator")
    return plain or (hasattr(builtins, root.name) and root.name not in _OUTSIDE)


def _ran(trace: Trace, sampler: Instance, name: str) -> tuple[Value, list[Call]]:
    """What a method returns, or yields, and the calls that are met in it."""
    method = sampler.of.find(name)
    calls: list[Call] = []
    if not isinstance(method, Function):
        return UnknownValue(), calls

    def run(tracer: Tracer) -> Value:
        before = len(tracer.trace.calls)
        bound = Function(method.node, method.scope, method.source, sampler, method.of)
        found = tracer.call_function(bound, [], {}, method.node)
        calls.extend(tracer.trace.calls[before:])
        return found

    return trace.again(run), calls


def given_by(trace: Trace, function: Function) -> Value:
    """What a function of the project returns, whatever it is given."""
    return trace.again(lambda tracer: tracer.call_function(function, [], {}, function.node))


def _idle_draws(given: Value, calls: list[Call]) -> set[int]:
    """The draws, by id, whose results neither get into what is given nor are used for anything else; what a shuffle mixes in place
    counts as its result."""
    held = {id(part) for part in sources(given, _counts)}
    used = Counter(id(part) for call in calls for value in _given_to(call) for part in options(value))
    drawn = (call for call in calls if is_draw(call) and (call.bound or call.discarded))
    return {id(call) for call in drawn if not any(id(one) in held or used[id(one)] > own for one, own in _made(call))}


def _made(draw: Call) -> list[tuple[Value, int]]:
    """What a draw gives, each with how often the draw itself uses it."""
    if draw.last != "shuffle":
        return [(draw, 0)]
    return [(part, 1) for value in draw.args[:1] for part in options(value)]


def _given_to(call: Call) -> list[Value]:
    """What a call is made of, and what is asked before it runs."""
    asked = [test.value for test in call.under]
    return [value for value in (call.base, *call.args, *call.keywords.values(), *asked) if value is not None]


def is_draw(call: Call) -> bool:
    """True for what draws a number itself, not for what is made of the draw."""
    own = isinstance(call.base, Call) and call.base.name in GENERATORS and call.name not in STATE_METHODS
    return own or call.name in DRAWING_METHODS or bool(shared_generator(call.name))
