"""What the condition of an update says about overflow: which values it takes after a clean step and after one that overflowed.

A check such as isfinite gives one number for what is finite and another for what is not. Both are followed through sums,
comparisons and negations to the condition, whatever the code calls it. So it is seen when a gate is the wrong way round, is
always open, or looks at one element where it should look at all.
"""

from __future__ import annotations

import math
import operator as op
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product

from ..knowledge import effects
from .effects import TAKEN
from .factors import COMPARES, Factors, called, comparison, operation
from .values import Call, Items, KnownValue, Many, Value, name_of, options

#: Elements of which one overflows, where a check gives one number an element.
MANY = 8
_LIMIT = 24

#: What leaves a status what it is: 0 stays 0, and what is more stays more.
_STATUS = (*TAKEN, "whole", "truth", "factor")
_COMPUTES: dict[str, Callable[[float, float], float]] = {
    "add": op.add, "sub": op.sub, "mul": op.mul, "tensoradd": op.add, "multiply": op.mul, "subtract": op.sub,
    "logicaland": lambda a, b: float(bool(a) and bool(b)), "and": lambda a, b: float(bool(a) and bool(b)),
    "logicalor": lambda a, b: float(bool(a) or bool(b)), "or": lambda a, b: float(bool(a) or bool(b)),
    "logicalxor": lambda a, b: float(bool(a) != bool(b)), "maximum": max, "minimum": min, "addn": op.add,
}  # fmt: skip
_REDUCES: dict[str, Callable[[Sequence[float]], float]] = {
    "all": lambda v: float(all(v)), "reduceall": lambda v: float(all(v)), "any": lambda v: float(any(v)),
    "reduceany": lambda v: float(any(v)), "sum": sum, "reducesum": sum, "addn": sum, "mean": lambda v: sum(v) / len(v),
    "reducemean": lambda v: sum(v) / len(v), "max": max, "reducemax": max, "min": min, "reducemin": min,
    "prod": math.prod, "reduceprod": math.prod,
}  # fmt: skip
_NOT = ("not", "logicalnot", "~", "invert", "bitwisenot")
_FILLED = {"ones": 1.0, "oneslike": 1.0, "zeros": 0.0, "zeroslike": 0.0}
_LOGICAL = ("logicalor", "logicaland", "and", "or")
#: Checks by what they give for a finite and for an overflowed element, and whether for each element.
_CHECKS = {
    "isfinite": (1.0, 0.0, True),
    "isnan": (0.0, 1.0, True),
    "isinf": (0.0, 1.0, True),
    "floatstatus": (0.0, 1.0, False),
    "allfinite": (1.0, 0.0, False),
}


@dataclass(frozen=True)
class Status:
    """What a value is after a clean step and after one with an overflow. `each`: it is so for each of many elements.

    `checks` names what is looked at: "gradients", "loss", "device" or "other"; `uncleared` the registers of the device that
    nobody clears, `unread` those that nobody reads.
    """

    clean: float
    over: float
    each: bool = False
    checks: frozenset[str] = frozenset()
    uncleared: bool = False
    unread: bool = False
    computed: bool = False  # by a comparison


class Overflow:
    """The overflow checks among some calls."""

    def __init__(self, calls: list[Call], factors: Factors) -> None:
        self.calls, self.factors = calls, factors
        self.known: dict[int, tuple[Status | None, ...]] = {}
        self.kept: list[Value] = []
        self.depth = 0

    def of(self, value: Value) -> tuple[Status | None, ...]:
        """The ways to see a value as a status; None among them for one that is not seen through."""
        if id(value) not in self.known:
            if self.depth > 80:
                return (None,)
            self.known[id(value)] = (None,)
            self.kept.append(value)
            self.depth += 1
            try:
                self.known[id(value)] = tuple(dict.fromkeys(self._of(value)))[:_LIMIT]
            finally:
                self.depth -= 1
        return self.known[id(value)]

    def _of(self, value: Value) -> Iterable[Status | None]:
        if isinstance(value, KnownValue):
            if not isinstance(value.value, (bool, int, float)) or value.assumed:
                return (None,)
            try:
                number = float(value.value)
            except OverflowError:  # an integer beyond any float
                return (None,)
            return (Status(number, number),)
        if isinstance(value, Many):
            return [status for option in value.options for status in self.of(option)]
        if isinstance(value, Items):
            return self._items(value.items)
        if not isinstance(value, Call):
            return (None,)
        return self._made(value)

    def _items(self, items: list[Value]) -> Iterable[Status | None]:
        found = [status for item in items[:16] for status in self.of(item)]
        useful = [status for status in found if status is not None and status.checks]
        return [replace(status, each=True) for status in useful] or found or (None,)

    def _made(self, made: Call) -> Iterable[Status | None]:
        done = operation(made)
        name, operands = done.name, [*done.operands, *done.keywords.values()]
        if made.name in ("comprehension", "generator", ".each", "[]", "*args"):
            return self._parts(made)
        if name in _CHECKS and operands:
            return (self._check(made, name, operands),)
        if name in ("npuallocfloatstatus", "npugetfloatstatus", "npugetfloatstatusv2"):
            return (self._register(made, name, operands),)
        if name == "getoverflowstatus":
            return (Status(0.0, 1.0, checks=self._looked_at(operands[2:3] or operands[1:])),)
        if (updated := self._updated(made)) is not None:
            return self.of(updated)
        if name in _FILLED:
            return (Status(_FILLED[name], _FILLED[name]),)
        if name == "processlossscale" and len(operands) > 1:
            return self.of(operands[1])
        if (computed := self._of_statuses(made, name, operands)) is not None:
            return computed
        if effects.keeps(name, *_STATUS) and operands and name != "parameter":  # which holds what was assigned last
            return self.of(operands[0])
        return (None,)

    def _parts(self, made: Call) -> Iterable[Status | None]:
        """The statuses of several tensors, or one of them."""
        of_arguments = made.name in ("comprehension", "*args") and made.args
        inner = made.result or (made.args[0] if of_arguments else made.base)
        each = made.name in ("comprehension", "generator")
        found = self.of(inner) if inner is not None else (None,)
        return [status and replace(status, each=status.each or each) for status in found]

    def _compared(self, operands: list[Value], compare: Callable[[float, float], bool]) -> list[Status | None]:
        """A status that is compared with another, or with a number."""
        compared = self._pairs(operands, lambda a, b: float(compare(a, b)))
        fixed = all(status is not None and not status.checks for status in compared)
        return [status and replace(status, computed=fixed) for status in compared]

    def _of_statuses(self, made: Call, name: str, operands: list[Value]) -> Iterable[Status | None] | None:
        """What is computed from statuses; None for any other operation."""
        if made.name in _NOT or name in _NOT:
            return [
                status and replace(status, clean=float(not status.clean), over=float(not status.over))
                for status in self.of(operands[0])
            ]
        compare = COMPARES.get(comparison(made))
        if compare is not None and len(operands) == 2:
            return self._compared(operands, compare)
        if name in ("select", "where") and len(operands) == 3:
            return self._selected(operands)
        of_two = name in _COMPUTES and len(operands) == 2
        if name in _REDUCES and operands and not of_two:
            return [self._reduced(status, _REDUCES[name]) for status in self.of(operands[0])]
        return self._pairs(operands, _COMPUTES[name], name in _LOGICAL) if of_two else None

    def _check(self, made: Call, name: str, operands: list[Value]) -> Status | None:
        clean, over, each = _CHECKS[name]
        if name == "allfinite" and not made.api.startswith("amp."):
            if not (isinstance(made.base, Call) and made.base.last == "AllFinite"):
                return None  # from another package: which of both it works like is not seen
            clean, over = 0.0, 1.0  # the operator tells an overflow, the function that all is finite
        return Status(clean, over, each, self._looked_at(operands[:1]))

    def _register(self, made: Call, name: str, operands: list[Value]) -> Status:
        """The device's own register: it must be cleared before the gradients, and read after them."""
        reads = name != "npuallocfloatstatus" or self._uses(made, ("npugetfloatstatus", "npugetfloatstatusv2"))
        root = made
        while operation(root).name != "npuallocfloatstatus" and operands and isinstance(operands[0], Call):
            root = operands[0]
            operands = operation(root).operands
        cleared = self._uses(root, ("npuclearfloatstatus", "npuclearfloatstatusv2")) or self._uses(
            made, ("npuclearfloatstatus", "npuclearfloatstatusv2")
        )
        return Status(0.0, 1.0, True, frozenset({"device"}), uncleared=not cleared, unread=not reads)

    def _uses(self, register: Call, names: tuple[str, ...]) -> bool:
        """Whether one of these operations is called with a register, or with what stands for it after a depend."""
        for call in self.calls:
            if (
                call.name == ""
                and operation(call).name in names
                and call.args
                and self._stands_for(call.args[0], register, 0)
            ):
                return True
        return False

    def _stands_for(self, value: Value, register: Call, depth: int) -> bool:
        for option in options(value):
            if option is register:
                return True
            if isinstance(option, Call) and depth < 12:
                done = operation(option)
                if (
                    done.name in ("depend", "cast")
                    and done.operands
                    and self._stands_for(done.operands[0], register, depth + 1)
                ):
                    return True
        return False

    def _looked_at(self, operands: list[Value]) -> frozenset[str]:
        found = set()
        for operand in operands:
            terms = self.factors.of(operand)
            if any(term.gradients for term in terms):
                found.add("gradients")
            elif self._is_loss(operand):
                found.add("loss")
            else:
                found.add("other")
        return frozenset(found or {"other"})

    def _is_loss(self, value: Value) -> bool:
        """Whether a value is what a gradient is taken of, or is called a loss."""
        losses = {id(g.loss) for g in self.factors.gradients.values() if g.loss is not None}
        for option in options(value):
            inner: Value | None = option
            for _ in range(6):
                if inner is None:
                    break
                if id(inner) in losses or any("loss" in word.lower() for word in called(inner)):
                    return True
                if not isinstance(inner, Call):
                    break
                inner = (
                    operation(inner).operand(0)
                    if effects.keeps(operation(inner).name, *_STATUS)
                    else inner.base
                    if inner.name == "[]"
                    else None
                )
        return False

    def _updated(self, made: Call) -> Value | None:
        """What a scaler's update gives back: the overflow flag that it was given."""
        base = made.base
        if base is None or made.name[:1] in (".", "@", "[") or len(made.args) < 2:
            return None
        known = any(
            isinstance(option, Call)
            and (option.api.endswith("LossScaleUpdateCell") or option.name == ".get_update_cell")
            for option in options(base)
        )
        named = any(
            word and ("scal" in word.lower() and ("manager" in word.lower() or "update" in word.lower()))
            for option in options(base)
            for word in called(option)
        )
        return made.args[1] if known or named or made.last.endswith("LossScaleUpdateCell") else None

    def _pairs(
        self, operands: list[Value], compute: Callable[[float, float], float], logical: bool = False
    ) -> list[Status | None]:
        found: list[Status | None] = []
        for one, other in product(self.of(operands[0])[:6], self.of(operands[1])[:6]):
            if one is None or other is None:
                some = one or other
                found.append(some if logical and some is not None and some.checks else None)
                continue
            found.append(
                Status(
                    float(compute(one.clean, other.clean)),
                    float(compute(one.over, other.over)),
                    one.each or other.each,
                    one.checks | other.checks,
                    one.uncleared or other.uncleared,
                    one.unread or other.unread,
                )
            )
        return found

    def _reduced(self, status: Status | None, reduce: Callable[[Sequence[float]], float]) -> Status | None:
        if status is None:
            return None
        if not status.each:
            return status
        clean = reduce([status.clean] * MANY)
        over = reduce([status.clean] * (MANY - 1) + [status.over])
        return replace(status, clean=float(clean), over=float(over), each=False)

    def _selected(self, operands: list[Value]) -> list[Status | None]:
        found: list[Status | None] = []
        for test in self.of(operands[0]):
            for yes, no in product(self.of(operands[1])[:4], self.of(operands[2])[:4]):
                if test is None or yes is None or no is None:
                    found.append(None)
                else:
                    found.append(
                        replace(test, clean=(yes if test.clean else no).clean, over=(yes if test.over else no).over)
                    )
        return found


def speaks_of_overflow(value: Value, negated: bool = False) -> bool:
    """Whether a condition that is not seen through is called as if it told an overflow; what is `negated` in it counts, too."""
    while negated and isinstance(value, Call) and value.name == "not" and value.args:
        value = value.args[0]
    words = [word.lower() for option in options(value) for word in [*called(option), name_of(option)]]
    return any(
        part in word
        for word in words
        for part in ("overflow", "finite", "nan", "inf_", "isinf", "float_status", "grad_ok", "skip")
    )
