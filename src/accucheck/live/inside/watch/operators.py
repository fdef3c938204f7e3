"""With --nan: the first operator of each step whose result is not finite though what went into it is, forward, backward and in updates.

Each operator that MindSpore dispatches in PyNative is seen with its inputs and its result. What is not finite is followed from where it
began through the operators behind it; only what reaches a loss, a gradient or a weight is told. Backward operators are not all
dispatched: each gradient of a result is looked at instead, and the operator between the last finite one and the first that is not is
the one whose derivative is at fault.
"""

from __future__ import annotations

import math
from typing import Any, Tuple  # noqa: UP035  # Python 3.9

import numpy as np

from ..measures import Array, array, described, plain, tensors
from .hooks import Hooks
from .optimizers import ObservedOptimizer
from .passes import Pass, Passes

#: First operators that are told, operators of a pass that are remembered, and numbers among an operator's arguments that are told.
FIRSTS, TAPE, NUMBERS = 16, 1 << 16, 4
#: What MindSpore adds up the gradients of one tensor with.
SUMS = ("Add", "AddExt", "AddN", "InplaceAddExt")


class OperatorRun:
    """One operator that ran forward. `ran` counts what ran backward for it and was seen, `spoilt` whether that was where it began."""

    __slots__ = ("cell", "inputs", "name", "numbers", "outputs", "place", "ran", "spoilt")

    def __init__(self, name: str, inputs: list[Any], outputs: list[Any], numbers: list[Any]) -> None:
        self.name, self.inputs, self.outputs, self.numbers = name, inputs, outputs, numbers
        self.cell: Any = None
        self.place: list[Any] | None = None
        self.ran, self.spoilt = 0, False


class Origin:
    """Where something not finite began: "made" of finite inputs, "hidden" (NaN of infinities put in on purpose), "filled" (these infinities
    themselves), "weight" or "data" that came in so. `turned` is the operator that made the first NaN of an infinity."""

    __slots__ = ("entry", "how", "output", "sure", "turned")

    def __init__(self, entry: OperatorRun, how: str, output: Any, sure: bool = True) -> None:
        self.entry, self.how, self.output, self.sure = entry, how, output, sure
        self.turned: OperatorRun | None = None


#: What tells tensors apart, whichever object of Python stands for them: where they lie and their shape.
Key = Tuple[int, Tuple[int, ...]]  # noqa: UP006  # Python 3.9


class Operators:
    """`seen` is told each operator that ran; `asked`, `settle`, `updates` and `updated` are told how far the step is."""

    def __init__(self, hooks: Hooks, passes: Passes) -> None:
        self.hooks, self.passes = hooks, passes
        self.told: list[tuple[Any, ...]] = []
        self.count = 0
        self.backward = self.updating = self.lost = False
        self.handles: dict[Key, Any] = {}
        self.mode: Any = None
        self.clear()
        self.before: tuple[bool, list[dict[str, Any]], list[dict[str, Any]]] | None = None

    def clear(self) -> None:
        """A pass begins that lies within no other."""
        self.tape: list[OperatorRun] = []
        self.made: dict[Key, OperatorRun] = {}
        self.origins: dict[Key, Origin] = {}
        self.heard: set[Key] = set()
        self.gradients: dict[Key, tuple[float, float]] = {}
        self.first: Any = None
        self.running: OperatorRun | None = None

    # --- forward --------------------------------------------------------------------------------------------------------

    def seen(self, name: str, args: Any, result: Any) -> None:
        """An operator ran."""
        if self.updating or self.lost:
            return
        self.count += 1
        inputs, outputs = list(floats(args)), list(floats(result))
        if self.backward:
            self.seen_backward(name, inputs, outputs)
            return
        if len(self.tape) >= TAPE:
            return
        entry = OperatorRun(name, inputs, outputs, list(numbers(args))[:NUMBERS])
        entry.cell = self.passes.stack[-1] if self.passes.stack else None
        entry.place = self.hooks.place()
        bad = [one for one in outputs if not finite(one)]
        origin = self.origin(entry, bad) if bad else None
        for one in inputs:
            self.listen(one)
        self.tape.append(entry)
        for one in outputs:
            self.made[key_of(one)] = entry
        for one in bad:
            assert origin is not None
            self.origins[key_of(one)] = origin

    def origin(self, entry: OperatorRun, bad: list[Any]) -> Origin:
        """Where what is not finite in its result began."""
        known = [self.origins[key_of(one)] for one in entry.inputs if key_of(one) in self.origins]
        strange = [one for one in entry.inputs if self.is_strange(one) and not finite(one)]
        nan = any(has_nan(one) for one in bad)
        carried = next((one for one in known if one.how != "filled"), None) or (
            self.unseen() if strange and not any(is_weight(one) for one in strange) else None
        )
        if carried is not None:
            if nan and carried.turned is None and not has_nan(carried.output):
                carried.turned = entry
            return carried
        if any(is_weight(one) for one in strange):
            return Origin(entry, "weight", bad[0])
        if any(has_nan(one) for one in strange):
            return Origin(entry, "data", bad[0])
        if known or strange or any(not math.isfinite(one) for one in entry.numbers):
            return Origin(entry, "hidden", bad[0]) if nan else (known or [Origin(entry, "filled", bad[0])])[0]
        return Origin(entry, "made", bad[0])

    def is_strange(self, one: Any) -> bool:
        """Whether no operator that was seen made it: a weight, data, a constant, or what an operator gave that is not dispatched."""
        return key_of(one) not in self.made

    def unseen(self) -> Origin | None:
        """What a tensor from out of sight may come from: the last origin of this pass, when it is none of the batch."""
        last = next((one for one in reversed(list(self.origins.values())) if one.how != "filled"), None)
        if last is not None:
            last.sure = False
        return last

    # --- backward -------------------------------------------------------------------------------------------------------

    def listen(self, one: Any) -> None:
        """Look at the gradient of a tensor once it is known; tensors that have none refuse."""
        key = key_of(one)
        if not self.passes.open or key in self.heard or key in self.handles or not hasattr(one, "register_hook"):
            return

        def arrived(gradient: Any) -> None:
            if gradient is not None:
                self.hooks.safely("gradient", self.arrived, key, gradient)

        try:
            handle = one.register_hook(arrived)
        except (RuntimeError, TypeError, ValueError):
            return  # it takes no part in the gradient
        self.heard.add(key)
        if is_weight(one):
            self.handles[key] = handle

    def arrived(self, key: Key, gradient: Any) -> None:
        """The gradient of the loss by a tensor, whole."""
        if not self.backward:
            return
        low, high = limits(array(gradient))
        self.gradients[key] = low, high
        self.running = self.made.get(key, self.running)
        if self.first is None and not (math.isfinite(low) and math.isfinite(high)):
            self.first = key, described(array(gradient))

    def seen_backward(self, name: str, inputs: list[Any], outputs: list[Any]) -> None:
        entry = self.running
        if entry is None or self.first is not None or name in SUMS:
            return
        entry.ran += 1
        if not all(finite(one) for one in outputs) and all(finite(one) for one in inputs):
            entry.spoilt = True

    def culprit(self, key: Key) -> tuple[OperatorRun | None, bool]:
        """Of the operators that took this tensor, their own gradient finite, the one whose derivative is not; whether that is sure."""
        takers = [
            one
            for one in reversed(self.tape)
            if any(key_of(given) == key for given in one.inputs)
            and any(key_of(given) in self.gradients for given in one.outputs)
            and all(self.is_finite(given) for given in one.outputs)
        ]
        chosen = [one for one in takers if one.spoilt] or [one for one in takers if not one.ran] or takers
        if not chosen:
            return self.made.get(key), False
        return chosen[0], len(chosen) == 1

    def is_finite(self, one: Any) -> bool:
        low, high = self.gradients.get(key_of(one), (0.0, 0.0))
        return math.isfinite(low) and math.isfinite(high)

    # --- what is told ---------------------------------------------------------------------------------------------------

    def asked(self, ended: Pass, step: int) -> None:
        """The pass is over, and its gradient is asked for."""
        self.backward, self.first, self.running = True, None, None
        for one in floats(ended.output):
            self.gradients[key_of(one)] = 1.0, 1.0
            if not finite(one):
                origin = self.origins.get(key_of(one)) or self.unseen()
                if origin is not None:
                    self.tell_origin(step, origin, ended, "loss")
                    self.first = ()  # the gradients of such a loss tell nothing further
                return

    def settle(self, ended: Pass | None, step: int, gradients: Any) -> None:
        """The gradients are there; what is not finite on the way to them alone is no fault."""
        self.backward = False
        if self.first and ended is not None and not all(finite(one) for one in floats(gradients)):
            key, found = self.first
            entry, sure = self.culprit(key)
            if entry is not None:
                into = [self.gradients[key_of(one)] for one in entry.outputs if key_of(one) in self.gradients]
                self.tell(
                    step,
                    "backward",
                    entry,
                    ended,
                    how="made",
                    sure=sure,
                    reaches="gradient",
                    output=found,
                    gradient=[[plain(low), plain(high)] for low, high in into],
                    results=[described(array(one)) for one in entry.outputs[:2]],
                )
        self.clear()

    def tell_origin(self, step: int, origin: Origin, ended: Pass, reaches: str) -> None:
        turned = origin.turned
        more: dict[str, Any] = {}
        if turned is not None:
            more["turned"] = {"operator": turned.name, "cell": self.cell(turned, ended), "place": turned.place}
        output = described(array(origin.output))
        output["nan"] = has_nan(origin.output)
        self.tell(
            step,
            "forward",
            origin.entry,
            ended,
            how=origin.how,
            sure=origin.sure,
            reaches=reaches,
            output=output,
            **more,
        )

    def tell(self, step: int, phase: str, entry: OperatorRun, ended: Pass, **more: Any) -> None:
        inputs = [described(array(one)) for one in entry.inputs[:4]]
        names = [one.name for one in entry.inputs if is_weight(one)][:4]
        cell = self.cell(entry, ended)
        same = phase, entry.name, str(entry.place), cell
        if same in self.told or len(self.told) >= FIRSTS:
            return
        self.told.append(same)
        self.hooks.journal.fact(
            "not-finite",
            step=step,
            phase=phase,
            operator=entry.name,
            cell=cell,
            place=entry.place,
            inputs=inputs,
            numbers=[plain(one) for one in entry.numbers],
            weights=names,
            **more,
        )

    def cell(self, entry: OperatorRun, ended: Pass) -> list[str] | None:
        """Name and class of the cell that it ran in."""
        if entry.cell is None:
            return None
        name = self.passes.names(ended).get(id(entry.cell), "")
        return [name, type(entry.cell).__qualname__]

    # --- updates --------------------------------------------------------------------------------------------------------

    def updates(self, held: ObservedOptimizer, gradients: Any) -> None:
        """An optimizer is called."""
        self.updating = True
        if self.lost:
            return
        given = list(floats(gradients))
        weights = [array(one) for one in held.parameters]
        good = all(finite(one) for one in given) and all(finite_array(one) for one in weights)
        self.before = good, [described(one) for one in weights], [described(array(one)) for one in given]

    def updated(self, held: ObservedOptimizer, step: int, rate: Any) -> None:
        """It is done: weights that were finite, and whose gradients were, may not be so any more."""
        self.updating = False
        before, self.before = self.before, None
        if before is None:
            return
        bad = [number for number, one in enumerate(held.parameters) if not finite(one)]
        if not bad:
            return
        self.lost = True
        self.hooks.journal.fact("weights-lost", step=step, optimizer=held.number, count=len(bad))
        good, weights, gradients = before
        if good and len(self.told) < FIRSTS:
            number = bad[0]
            names = [one.name for one in held.parameters]
            self.hooks.journal.fact(
                "not-finite",
                step=step,
                phase="update",
                operator=type(held.optimizer).__name__,
                cell=None,
                place=held.place,
                inputs=[weights[number], *([gradients[number]] if len(gradients) == len(names) else [])],
                numbers=rate or [],
                weights=[names[one] for one in bad[:4]],
                how="made",
                sure=True,
                reaches="weight",
                output=described(array(held.parameters[number])),
            )

    def end(self, steps: int) -> None:
        """The run ends: MindSpore must hold none of our functions when Python does."""
        self.hooks.journal.fact("operators", steps=steps, count=self.count)
        self.lost = True
        self.clear()
        for handle in self.handles.values():
            handle.remove()
        if self.mode is not None:
            self.mode.__exit__(None, None, None)


def install(operators: Operators) -> None:
    """Have it told of each operator: where MindSpore tells of what it dispatches, else of what Primitives compute."""
    import mindspore

    hooks, mode = operators.hooks, getattr(mindspore, "MsDispatchMode", None)
    if mode is None:
        hooks.journal.fact("missing", hook="MsDispatchMode")
        primitives(operators)
        return

    class Seen(mode):  # type: ignore[misc, valid-type]
        def __ms_dispatch__(self, function: Any, args: Any, kwargs: Any = None) -> Any:
            result = function(*args)
            hooks.safely("operator", operators.seen, function.name, args, result)
            return result

    operators.mode = Seen()
    operators.mode.__enter__()


def primitives(operators: Operators) -> None:
    """Before 2.10: calls of Primitives; operators that Tensor's own methods call in C++ are not seen."""
    import sys

    from mindspore import ops

    generated = sys.modules.get("mindspore.ops.auto_generate.gen_ops_prim")
    kinds = [ops.Primitive, *(one for one in vars(generated).values() if isinstance(one, type))] if generated else []

    def after(_: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        if next(tensors(result), None) is not None:
            operators.seen(args[0].name, [*args[1:], *kwargs.values()], result)

    for kind in kinds or [ops.Primitive]:
        if issubclass(kind, ops.Primitive) and "__call__" in vars(kind):
            operators.hooks.around(kind, "__call__", after=after, hook="Primitive.__call__")


def floats(value: Any) -> Any:
    """The tensors of floating point within."""
    return (one for one in tensors(value) if "loat" in str(one.dtype))


def numbers(value: Any) -> Any:
    """The plain floats within."""
    if isinstance(value, float):
        yield value
    elif isinstance(value, (tuple, list)):
        for one in value:
            yield from numbers(one)


def key_of(one: Any) -> Key:
    try:
        return one.data_ptr(), tuple(one.shape)
    except (AttributeError, RuntimeError):
        return id(one), ()


def is_weight(one: Any) -> bool:
    return hasattr(one, "requires_grad") and hasattr(one, "param_info")


def limits(values: Array) -> tuple[float, float]:
    """The least and the greatest: NaN where one is."""
    if not values.size:
        return 0.0, 0.0
    with np.errstate(all="ignore"):
        return float(values.min()), float(values.max())


def finite_array(values: Array) -> bool:
    low, high = limits(values)
    return math.isfinite(low) and math.isfinite(high)


def finite(one: Any) -> bool:
    values = array(one)
    return values.dtype.kind != "f" or finite_array(values)


def has_nan(one: Any) -> bool:
    return math.isnan(limits(array(one))[0])
