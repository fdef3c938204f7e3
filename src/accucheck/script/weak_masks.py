"""Masks of ones and zeros that are put to the scores of attention as they are: a softmax gives what is to be hidden nearly as much weight.

A softmax of 0 is no 0: only a large negative number takes the weight of a place away, or a product with the mask behind the softmax. Judged
between the softmax and the product of queries and keys, where both numbers of the mask are seen and nothing made of the data is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from . import triangles
from .attention import is_of_product
from .effects import effect, kept, operands
from .lengths import Form
from .values import Call, Value, options

if TYPE_CHECKING:
    from .padded_columns import Graph

#: So many operations are looked at before a softmax, and behind it.
STEPS = 60
_SUMS = ("add", "sub")
_SCALES = ("mul", "div")


class WeakMask(NamedTuple):
    """A mask that hides nothing, and the operation that puts it to the scores."""

    made: Call
    mask: Form


def find(graph: Graph, form: Callable[[Value], Form | None]) -> Iterator[WeakMask]:
    """The masks that are put to the scores of a softmax in the computation of a loss, and leave all places their weight."""
    data = graph.above([node for nodes in graph.read.values() for node in nodes])
    for softmax in graph.made:
        if triangles.attends(softmax):
            attention = _Attention(form, data)
            attention.look_at(softmax)
            if attention.weak and not attention.hides and not _is_masked_behind(softmax, graph, form):
                yield from attention.weak


class _Attention:
    """What is done to the scores that one softmax is taken of."""

    def __init__(self, form: Callable[[Value], Form | None], data: set[int]) -> None:
        self.form, self.data = form, data
        self.weak: list[WeakMask] = []
        self.hides = False  # something hides places, or may do so

    def look_at(self, softmax: Call) -> None:
        queue = operands(softmax)[:1]
        for _ in range(STEPS):
            if not queue:
                return
            value = queue.pop()
            ways = options(value)
            if len(ways) > 1:
                queue += ways
            elif isinstance(value, Call):
                queue += [value.result] if value.result is not None else self._scores(value)

    def _scores(self, made: Call) -> list[Value]:
        """The operands of an operation that are scores themselves."""
        known = effect(made)
        name = known.operation if known is not None else ""
        if name in (*_SUMS, *_SCALES):
            return [part for part in operands(made, (0, 1)) if not self._is_mask(made, name, part)]
        if name == "matmul":
            return []
        same = kept(made, "same") or []
        self.hides |= not same
        return same

    def _is_mask(self, made: Call, name: str, part: Value) -> bool:
        if is_of_product([part]):
            return False
        mask = self.form(part)
        if mask is None or mask.real is None or mask.number is None:
            self.hides |= id(part) in self.data
        elif name in _SUMS:
            self.hides |= max(abs(mask.real), abs(mask.number)) >= triangles.LARGE
            self.weak.append(WeakMask(made, mask))
        elif (mask.real, mask.number) == (1, 0):
            self.weak.append(WeakMask(made, mask))
        return True


def _is_masked_behind(softmax: Call, graph: Graph, form: Callable[[Value], Form | None]) -> bool:
    """Whether the weights that a softmax gives are multiplied by a mask before they weigh anything, or too much is done to them."""
    queue: list[Value] = [softmax]
    for _ in range(STEPS):
        if not queue:
            return False
        for user in graph.users.get(id(queue.pop()), ()):
            known = effect(user) if isinstance(user, Call) else None
            name = known.operation if known is not None else ""
            if name == "matmul":
                continue
            if isinstance(user, Call) and name == "mul" and any(form(part) for part in operands(user, (0, 1))):
                return True
            queue.append(user)
    return True
