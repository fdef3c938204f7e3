"""Samplers of the project's own classes: what their methods give, run with the settings of one object."""

from __future__ import annotations

from . import ranks
from .trace import Trace, Tracer
from .values import Function, Instance, Made, Unknown, Value

#: What makes or seeds a generator of random numbers, and draws nothing.
_MAKES = frozenset({"seed", "RandomState", "default_rng", "Generator", "Random", "SeedSequence", "PCG64"})


def draws(trace: Trace, sampler: Instance) -> bool:
    """Whether the order of a sampler is drawn at random in each run of its __iter__, whatever a run's options say."""
    _, calls = _ran(trace, sampler, "__iter__")
    return any(_draws(call) and not call.under for call in calls)


def asks_rank(trace: Trace, sampler: Instance) -> bool:
    """Whether what a sampler gives depends on the number of the device, which it may ask for only then."""
    given, calls = _ran(trace, sampler, "__iter__")
    return "rank" in ranks.kinds(given) or any("rank" in ranks.kinds(call) for call in calls)


def divides(trace: Trace, sampler: Instance) -> bool:
    """Whether what a sampler gives depends on the number of the device, and its length on how many there are."""
    given, _ = _ran(trace, sampler, "__iter__")
    if "rank" not in ranks.kinds(given):
        return False
    length, _ = _ran(trace, sampler, "__len__")
    return sampler.of.find("__len__") is None or bool(ranks.kinds(length) & {"rank", "size"})


def _ran(trace: Trace, sampler: Instance, name: str) -> tuple[Value, list[Made]]:
    """What a method returns, or yields, and the calls that are met in it."""
    method = sampler.of.find(name)
    calls: list[Made] = []
    if not isinstance(method, Function):
        return Unknown(), calls

    def run(tracer: Tracer) -> Value:
        before = len(tracer.trace.calls)
        bound = Function(method.node, method.scope, method.source, sampler, method.of)
        found = tracer.call_function(bound, [], {}, method.node)
        calls.extend(tracer.trace.calls[before:])
        return found

    return trace.again(run), calls


def _draws(call: Made) -> bool:
    root = call
    while isinstance(root.base, Made):
        root = root.base
    return root.name.startswith(("numpy.random.", "random.")) and call.last not in _MAKES
