"""Where NaN and Inf begin in a dump: the operation with clean inputs and a dirty output, against those that carry them on.

What is dirty and yet right is told apart, as real dumps of healthy trainings hold it: scores that are -Inf so that a softmax hides
them, outputs that an operation declares and does not write, and what an optimizer gives out (it updates its inputs in place).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ._graphs import ASSIGN, UPDATE

if TYPE_CHECKING:
    from ..readers.dumps import Operation, Tensor, Values

#: Operations whose further outputs are memory for their gradients, not always written. Seen on MindSpore 2.10 with memory full of NaN:
#: BatchNorm 1 and 2, LSTM 3 and 4.
_UNWRITTEN = re.compile(
    r"BatchNorm\w*|SyncBatchNorm|(Cudnn|Dynamic)?(LSTM|GRU|RNN)\w*|\w*Attention\w*|Dropout\w*", re.I
)
#: Operations that write -Inf where they are told to.
_FILLS = re.compile(
    r"masked_?fill\w*|select\w*|where|fill\w*|full\w*|scatter\w*|index_?fill\w*|tri[ul]\w*|constant\w*|", re.I
)
#: Operations that hide scores: what is added to these is as low as the type goes, and becomes -Inf in adding and in casts to float16.
_HIDES = re.compile(r"(tensor)?add\w*|sub\w*|cast\w*|mul\w*|baddbmm\w*|concat\w*", re.I)
_LOW = -3e4
#: Operations for which scores are hidden.
_SOFTMAX = re.compile(r"softmax|attention", re.I)
#: Operations that look for overflow, after which a training step with a loss scale drops the update.
_CHECK = re.compile(r"AllFinite|FloatStatus|NPUGetFloatStatus\w*|IsFinite", re.I)
BACKWARD = re.compile(r"(^|[/_])Gradients[/_]|\.backward(\.|$)|\.parameters_grad(\.|$)")


@dataclass(frozen=True)
class NonFiniteOperation:
    """An operation with what is not finite in it: `tensors` of its outputs (of its inputs, where it has only those), and its `inputs`."""

    operation: Operation
    tensors: list[tuple[Tensor, Values]]
    inputs: list[tuple[Tensor, Values]] = field(default_factory=list)

    @property
    def dirty_inputs(self) -> list[tuple[Tensor, Values]]:
        return [(tensor, values) for tensor, values in self.inputs if not values.finite]

    @property
    def is_backward(self) -> bool:
        return BACKWARD.search(self.operation.name) is not None

    @property
    def is_scaling(self) -> bool:
        """Whether it may be the loss times its scale: a product of one number."""
        return self.operation.type.startswith("Mul") and all(
            math.prod(values.shape or ()) == 1 for _, values in self.tensors
        )


@dataclass
class Step:
    """What one step of one rank holds; `origin` is the first that is dirty for no reason before it, `kind` how it is:

    origin (clean inputs), alone (its inputs were not dumped), hidden (inputs of -Inf only, as a mask makes them), outside (an input
    is dirty that no operation here made), update (weights or their updates), weight (a parameter at the end of the step).
    """

    rank: int | None
    step: int | None
    operations: int
    examined: int = 0
    origin: NonFiniteOperation | None = None
    kind: str = ""
    carriers: list[NonFiniteOperation] = field(default_factory=list)
    masks: list[NonFiniteOperation] = field(default_factory=list)
    unwritten: list[NonFiniteOperation] = field(default_factory=list)
    softmax: bool = False
    checked: bool = False
    spoiled: bool = False

    @property
    def skipped(self) -> bool:
        """Whether only the scaled loss and gradients are dirty, the step looks for that, and no weight was touched."""
        if self.origin is None or not self.checked or self.spoiled:
            return False
        return self.origin.is_backward or self.origin.is_scaling


def judge(operations: list[Operation], look: Callable[[Tensor], Values | None]) -> Iterator[Step | None]:
    """One step, as soon as its origin is found and once more when all is read; None now and then, to tell how far it is.

    Only where an output is dirty, the inputs are read too. `look` gives None for a tensor that cannot be read.
    """
    step = Step(operations[0].rank, operations[0].step, len(operations))
    made: dict[object, NonFiniteOperation] = {}  # by what they look like, the unwritten outputs

    def seen(tensors: list[Tensor]) -> list[tuple[Tensor, Values]]:
        values = [(tensor, one) for tensor in tensors if (one := look(tensor)) is not None]
        step.examined += len(values)
        return values

    for operation in operations:
        yield None
        step.checked = step.checked or _CHECK.fullmatch(operation.type) is not None
        if step.masks and not step.softmax and _SOFTMAX.search(operation.type):
            step.softmax = any(_only_low(values) for _, values in seen(operation.inputs))
        found = _examined(operation, seen)
        if found is None:
            continue
        kind = _kind(found, step)
        if kind == "mask":
            step.masks.append(found)
        elif kind == "unwritten":
            step.unwritten.append(found)
            made.update({_looks(values): found for _, values in found.tensors})
        elif step.origin is not None or kind == "carrier":
            step.carriers.append(found)
        else:
            step.origin, step.kind = found, kind
            guilty = [made.get(_looks(values)) for _, values in found.dirty_inputs]
            if kind == "outside" and guilty and guilty[0] is not None:
                step.origin, step.kind = guilty[0], "origin"
                step.carriers.append(found)
            yield step
        if updates(operation) or operation.type == "Parameter":
            first = [
                tensor.slot for tensor, _ in found.tensors if tensor.io == "input" or operation.type == "Parameter"
            ]
            step.spoiled = step.spoiled or 0 in first
    yield step


def updates(operation: Operation) -> bool:
    return (UPDATE.fullmatch(operation.type) or ASSIGN.fullmatch(operation.type)) is not None


def _examined(
    operation: Operation, seen: Callable[[list[Tensor]], list[tuple[Tensor, Values]]]
) -> NonFiniteOperation | None:
    """The operation with what is dirty in it, or None."""
    # An optimizer updates its inputs in place, and they were dumped afterwards; what it gives out is seldom written.
    outputs = operation.inputs if updates(operation) else operation.outputs or operation.inputs
    dirty = [(tensor, values) for tensor, values in seen(outputs) if not values.finite]
    if not dirty:
        return None
    return NonFiniteOperation(
        operation, dirty, seen(operation.inputs) if operation.outputs and not updates(operation) else []
    )


def _kind(found: NonFiniteOperation, step: Step) -> str:
    operation, dirty_inputs = found.operation, found.dirty_inputs
    if operation.type == "Parameter":
        return "carrier" if step.origin else "weight"
    if updates(operation):
        return "carrier" if step.origin else "update"
    low = all(_only_low(values) for _, values in found.tensors)
    if low and all(_only_low(values) for _, values in dirty_inputs):
        hides = _HIDES.fullmatch(operation.type) and any(
            values.minimum is not None and values.minimum <= _LOW for _, values in found.inputs
        )
        if dirty_inputs or _FILLS.fullmatch(operation.type) or hides:
            return "mask"
    later = operation.outputs and all(tensor.slot for tensor, _ in found.tensors)
    if later and not found.is_backward and _UNWRITTEN.fullmatch(operation.type):
        return "unwritten"
    if not dirty_inputs:
        return "origin" if found.inputs else "alone"
    if all(_only_low(values) for _, values in dirty_inputs) and step.masks:
        return "hidden"
    return "outside"


def _only_low(values: Values) -> bool:
    return values.negative > 0 and not values.nan and not values.positive


def _looks(values: Values) -> object:
    return values.shape, values.nan, values.positive, values.negative
