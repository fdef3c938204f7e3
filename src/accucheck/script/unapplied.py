"""What is computed for training and never used for it: gradients of weights that nothing takes."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property

from . import flow
from .analysis import Reading, Scripts
from .factors import Gradient, gradient
from .freezing import optimizers_of
from .networks import Said, Structure, kind_of, pure, structure_of
from .training_steps import training
from .values import Items, Known, Made, Many, Mapping, Value, options

#: Values that something is made of a gradient are looked at.
LIMIT = 2000


def examine(scripts: Scripts) -> Iterator[Said]:
    """Gradients of weights that go nowhere, each place once."""
    found: dict[tuple[str, int], Said] = {}
    for reading in scripts.training:
        for said in Unapplied(reading).examine():
            found.setdefault((said.source.path, said.line), said)
    yield from found.values()


class Unapplied:
    def __init__(self, reading: Reading) -> None:
        self.reading, self.trace = reading, reading.trace
        self.structure: Structure = structure_of(reading)

    def examine(self) -> Iterator[Said]:
        """A gradient function whose gradients nothing takes, wherever it is called. Certain where an optimizer is left without any."""
        places: dict[int, list[Gradient]] = defaultdict(list)
        for call in self.trace.calls:
            found = gradient(call)
            if found is not None and found.weights is not None and not _is_none(found.weights):
                places[id(_maker(call).node)].append(found)
        for runs in places.values():
            if not any(self.is_taken(run.call) for run in runs) and (self.idle or not self.optimizers):
                call = runs[0].call
                yield Said("gradients-dropped", call.source, call.node, {}, certain=bool(self.idle))

    @cached_property
    def optimizers(self) -> set[int]:
        return {id(one) for one in optimizers_of(self.trace)}

    @cached_property
    def idle(self) -> set[int]:
        """The optimizers that no step is seen to apply."""
        return self.optimizers - {id(one) for step in training(self.reading).steps for one in options(step.optimizer)}

    @cached_property
    def users(self) -> dict[int, list[tuple[Made, str]]]:
        return flow.users(self.trace)

    def is_taken(self, call: Made) -> bool:
        """Whether anything may be done with the gradients that a call gives: all but making other values that are dropped too."""
        both = _maker(call).api == "value_and_grad"
        queue: list[Made] = [call]
        seen = {id(call)}
        while queue and len(seen) < LIMIT:
            part = queue.pop()
            if id(part) in self.kept or self.asked_elsewhere(part):
                return True
            for user, _ in self.users.get(id(part), ()):
                if part is call and both and _is_item(user, 0):
                    continue  # the loss
                if _calls_nothing(user):
                    continue
                if not _only_gives(user):
                    return True
                if id(user) not in seen:
                    seen.add(id(user))
                    queue.append(user)
        return bool(queue)

    @cached_property
    def kept(self) -> set[int]:
        """The ids of values that outlive what was followed, or decide something: held by objects, returned to nobody seen, tested."""
        trace = self.trace
        held: list[Value | None] = [store.value for store in trace.stores]
        held += [value for instance in trace.instances for value in instance.attributes.values()]
        held += [frame.returned for frame in trace.frames if frame.unseen or frame.parent is None]
        held += [call.result for call in trace.calls if call.name == "generator"]
        held += [value for call in trace.calls for value in call.fed or ()]
        held += [test.value for call in trace.calls for test in call.tests]
        held += [test.value for frame in trace.frames for test in frame.tests]
        return {id(part) for value in held for part in _flat(value)}

    def asked_elsewhere(self, made: Made) -> bool:
        """Whether code that was not followed asks for a value by its name."""
        scope: ast.AST = made.frame.function.node if made.frame is not None else made.source.tree
        return any(self.structure.unmet(scope, name) for name in made.bound)


def _only_gives(user: Made) -> bool:
    """Whether a call does nothing but give a result: one of an object of an unknown class may well be a step."""
    of = user.base if user.name == "" else None
    if isinstance(of, Made) and (of.api == "nn.DistributedGradReducer" or kind_of(of) == "communication"):
        return True
    if isinstance(of, Made) and of.name and not kind_of(of) and not of.api.startswith(("ops.", "mint.")):
        return False
    return pure(user)


def _calls_nothing(user: Made) -> bool:
    """A call of None: of an attribute that another way sets."""
    return user.name == "" and user.base is not None and _is_none(user.base)


def _maker(call: Made) -> Made:
    """What was called to give gradients: the function of value_and_grad, or the place where a GradOperation is applied."""
    base = call.base
    return base if isinstance(base, Made) and base.api in ("value_and_grad", "grad") else call


def _is_item(made: Made, place: int) -> bool:
    key = made.args[0] if made.name == "[]" and made.args else None
    return isinstance(key, Known) and type(key.value) is int and key.value == place


def _is_none(value: Value) -> bool:
    return isinstance(value, Known) and value.value is None


def _flat(value: Value | None, depth: int = 0) -> Iterator[Value]:
    if value is None:
        return
    yield value
    if isinstance(value, (Many, Items, Mapping)) and depth < 6:
        for part in flow.inputs(value)[:200]:
            yield from _flat(part, depth + 1)
