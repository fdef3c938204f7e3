"""Whether an update is held back when gradients overflow: the checks, what they look at, and the gate that they open."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from .factors import Key, Term, affirmed, gradient, operation
from .flow import sources
from .loss_scaling import about, is_assigned, title
from .overflow import Overflow, Status, speaks_of_overflow
from .remarks import Remark, merged, remark
from .step_faults import OVERFLOW
from .syntax import conditions_around, walk
from .training_steps import DYNAMIC, FIXED, HalfPrecision, Step, TrainingSteps
from .values import Call, Frame, KnownValue, Many, Test, Value, frames_around, options

#: Operations that tell an overflow.
CHECKS = frozenset(
    (
        "allfinite",
        "isfinite",
        "isnan",
        "isinf",
        "floatstatus",
        "getoverflowstatus",
        "npugetfloatstatus",
        "npugetfloatstatusv2",
    )
)

#: What a condition says that asks for an overflow in a way that is not seen through.
_SPEAKS = re.compile(r"finite|overflow|(?<![a-z])(is_?)?(nan|inf)s?(?![a-z])", re.I)

#: What ends a run.
_EXITS = ("exit", "quit", "sys.exit", "os._exit", "os.abort")

#: What is told of the framework's steps because of half precision alone.
_OF_HALVES = ("no-check-framework", "no-check-possible")

_Statuses = tuple["Status | None", ...]


def examine(training: TrainingSteps) -> list[Remark]:
    """What there is to say about overflow in one reading."""
    return merged(_examine(training))


def _examine(training: TrainingSteps) -> Iterator[Remark]:
    overflow = Overflow(training.calls, training.factors)
    steps = training.judged_steps()
    if not steps:
        yield training.no_step()
        return
    told = [(step, one) for step in steps for one in _step(training, step, overflow)]
    sound = [training.given(step) for step, one in told if one.code.startswith("checked")]
    for step, one in told:
        if one.code in _OF_HALVES and not _half_by_default(training, step):
            one = about(step, "half-by-option")
        yield replace(one, possible=True) if one.code in OVERFLOW and _elsewhere(training, step, sound) else one
    if not told:
        mode = training.precision_mode
        yield about(steps[0], "no-half") if mode is None else about(steps[0], "precision-mode", mode)


def _half_by_default(training: TrainingSteps, step: Step) -> bool:
    """Whether a step computes in float16 where options and configuration files are left as they are."""
    ways = (training.factors.by_default(training.under(half)) for half in training.halves_of(step))
    return any(way is not False for way in ways)


def _elsewhere(training: TrainingSteps, step: Step, sound: list[Any]) -> bool:
    """A step that options do not lead to by default, or next to which there is a sound one."""
    here = training.given(step)
    default = training.factors.by_default(here)
    return default is False or (default is None and any(here.times(other) is None for other in sound))


def _step(training: TrainingSteps, step: Step, overflow: Overflow) -> Iterator[Remark]:
    halves = training.halves_of(step)
    if step.kind == "own":
        return _own(training, step, halves, overflow)
    return _framework(step, halves)


# --- the framework's steps --------------------------------------------------------------------------------------------


def _is_managed_by_level(step: Step, halves: list[HalfPrecision]) -> bool:
    """Whether a Model has a manager without being given one."""
    level = next((half.level for half in halves if half.made is step.place), "")
    return step.kind == "model" and step.manager is None and level == "O2"


def _framework(step: Step, halves: list[HalfPrecision]) -> Iterator[Remark]:
    if step.kind == "scale cell" or _is_managed_by_level(step, halves):
        yield about(step, "checked-by-framework")
        return
    drops = [_drops(manager) for manager in options(step.manager)] if step.kind == "model" else []
    if None in drops:
        yield about(step, "manager-unknown")
    elif drops and all(drops):
        yield about(step, "checked-by-framework")
    elif any(isinstance(option, Call) for option in options(step.manager)) or _scales(step):
        yield about(step, "not-dropped")
    elif halves:
        yield _unchecked(step, halves)


def _unchecked(step: Step, halves: list[HalfPrecision]) -> Remark:
    whole = next((half for half in halves if half.level == "O3"), None)
    strong = next((half for half in halves if half.strong(False)), halves[0])
    code = "no-check-framework" if whole else "no-check-possible"
    return about(step, code, also=[(whole or strong).made], likely=True)


def _drops(manager: Value) -> bool | None:
    """Whether a manager has an update dropped on overflow; None when that is not seen."""
    if isinstance(manager, Call) and manager.api in FIXED:
        given = manager.argument(["loss_scale", "drop_overflow_update"], "drop_overflow_update")
        if given is None:
            return True
        return bool(given.value) if isinstance(given, KnownValue) else None
    if isinstance(manager, Call) and manager.api in DYNAMIC:
        return True
    return False if isinstance(manager, KnownValue) else None


def _scales(step: Step) -> bool:
    return step.kind == "cell" and not all(
        isinstance(o, KnownValue) and o.value in (1, None) for o in options(step.sens)
    )


# --- steps of the project ---------------------------------------------------------------------------------------------


def _own(training: TrainingSteps, step: Step, halves: list[HalfPrecision], overflow: Overflow) -> Iterator[Remark]:
    scales, checks = _scales_put_on(training, step), _checks(training, step)
    if not halves and not scales and not checks:
        return
    gates = _gates(step, overflow)
    told = [one for test, found in gates for one in _gate(step, test, found)]
    good = [one for one in told if one.code == "checked"]
    both = _other_way(training, step, [test for test, _ in gates])
    if both is not None:
        yield _updated_both_ways(step, *both, bool(good))
    elif good:  # one sound gate holds the update back, whatever else is asked besides
        yield good[0]
    elif any(_tells(overflow.of(value)) for value in step.others):
        yield about(step, "checked-by-optimizer")
    elif _masked(step, overflow):
        yield about(step, "checked-by-mask")
    elif told:
        yield from told
    else:
        yield _ungated(training, step, halves, scales, checks)


def _asked_on_the_way(step: Step, overflow: Overflow) -> Iterator[Test]:
    """The conditions under which gradients are handed on to an update that asks no more, as where only finite ones are added up."""
    handed = [part for part in sources(step.gradients) if isinstance(part, Call) and gradient(part) is None]
    tests = {(id(test.value), test.taken): test for part in handed for test in part.tests}
    for key, test in tests.items():
        if test in step.under or not _tells(overflow.of(test.value)):
            continue
        under = {id(part) for part in handed if any((id(one.value), one.taken) == key for one in part.tests)}
        reached = sources(step.gradients, partial(_is_among, under))
        if all(gradient(part) is None for part in reached):
            yield test


def _is_among(ids: set[int], value: Value) -> bool:
    return id(value) in ids


def _updated_both_ways(step: Step, other: Step, test: Test, gated: bool) -> Remark:
    """What is to say where weights are updated whichever way a check goes."""
    first, last = sorted((step, other), key=lambda one: one.order)
    asked = _asked_for(other if gated else step, test)
    if asked is not None:
        return about(last, "gate-unknown", condition=asked)
    return about(last, "update-on-overflow", condition=test.text, also=[first])


def _ungated(
    training: TrainingSteps, step: Step, halves: list[HalfPrecision], scales: set[Key], checks: list[Call]
) -> Remark:
    """What is to say of an update that no check is seen to hold back."""
    changing = any(_changes(training, key) for key in scales)
    if vague := _vague(training, step, checks):
        return about(step, "gate-unknown", condition=_asked(vague[0]))
    if checks and (settled := _settled(training, step)) is not None:
        return about(step, "gate-unknown", condition=settled)
    if checks and (ended := _ended(step, checks)) is not None:
        return about(step, "ends-run", condition=ended)
    if checks and (changing or not scales):
        return about(step, "check-unused", also=[checks[0]], check=_name(checks[0]))
    if scales:
        return about(step, "no-check" if changing else "not-dropped")
    if strong := next((half for half in halves if half.strong(True)), None):
        return about(step, "no-check", likely=strong.maybe, also=[strong.made])
    return about(step, "no-check-possible", also=[halves[0].made])


def _gates(step: Step, overflow: Overflow) -> list[tuple[Test, _Statuses]]:
    """The conditions on the way to an update that tell of an overflow, with what they tell."""
    asked = [*step.under, *_asked_on_the_way(step, overflow)]
    told = ((test, overflow.of(test.value)) for test in asked if test.taken is not None)
    return [(test, found) for test, found in told if _tells(found)]


def _scales_put_on(training: TrainingSteps, step: Step) -> set[Key]:
    here = training.given(step)
    return {key for term in training.carried(step) if term.times(here) is not None for key in term.put_on}


def _tells(found: _Statuses) -> bool:
    return any(status is not None and status.checks for status in found)


def _changes(training: TrainingSteps, key: Key) -> bool:
    """A scale that is made to change with overflow."""
    value = training.factors.values.get(key)
    if not isinstance(value, Call):
        return False
    if operation(value).name != "parameter":
        return value.api in DYNAMIC
    return training.factors.from_manager(value) or is_assigned(training, value)


def _gate(step: Step, test: Test, found: _Statuses) -> list[Remark]:
    """The worst that one condition of the update does, over all ways to see it."""
    told: list[Remark] = []
    for status in found:
        code = "" if status is None else _judged(status, test)
        if code:
            told.append(remark(step, code, also=[_Condition(test, step)], condition=_asked(test), step=title(step)))
    bad = [one for one in told if one.code != "checked"]
    value, taken, _ = affirmed(test)
    if isinstance(value, Many) and value.by is not None and isinstance(value.by.op, ast.And) is taken:
        bad = bad if len(bad) == len(told) else []  # all of several conditions must hold: one that is sound is enough
    return (bad or [one for one in told if one.code == "checked"])[:1]


def _asked(test: Test) -> str:
    """What must hold for the way of a condition that was taken."""
    node = test.node
    if test.taken or not isinstance(node, ast.expr):
        return test.text
    negated = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    return ast.unparse(getattr(node, "operand", node) if negated else ast.UnaryOp(ast.Not(), node))[:200]


def _judged(status: Status, test: Test) -> str:
    clean, over = (bool(value) is test.taken for value in (status.clean, status.over))
    if status.uncleared:
        return "not-cleared"
    if status.unread:
        return "not-read"
    if not status.checks:
        return "gate-constant" if status.computed else ""
    if status.checks <= {"loss"}:
        return "checks-loss"
    if clean:
        return "gate-open" if over else "checked"
    return "gate-inverted" if over else "gate-closed"


def _other_way(training: TrainingSteps, step: Step, tests: list[Test]) -> tuple[Step, Test] | None:
    """Another update of the same optimizer, on the other way of one of these conditions."""
    optimizers = {id(option) for option in options(step.optimizer)}
    for test in tests:
        for other in training.steps:
            same = other.kind == "own" and optimizers & {id(option) for option in options(other.optimizer)}
            if same and any(t.value is test.value and t.taken is (not test.taken) for t in other.under):
                return other, test
    return None


def _asked_for(step: Step, gate: Test) -> str | None:
    """The setting that asks for an update after an overflow as well, within that way of the gate: the run settles it, and whoever
    set it may know what the hardware makes of an overflow."""
    if step.frame is None or step.node is None:
        return None
    gates = [part for part in walk(step.frame.function.node) if isinstance(part, ast.If) and part.test is gate.node]
    open_ = {id(test.node) for test in step.under}
    for inner in (part for each in gates for part in walk(each) if isinstance(part, ast.If) and part not in gates):
        if id(inner.test) not in open_ and any(part is step.node for part in walk(inner)):
            return ast.unparse(inner.test)[:200]
    return None


def _settled(training: TrainingSteps, step: Step) -> str | None:
    """A condition around the update that a setting of the run decides before its other part is asked: `not drop or not overflow`. Whoever
    set it may know what the hardware makes of an overflow."""
    if step.frame is None or step.node is None:
        return None
    for test in conditions_around(step.frame.function.node, step.node):
        if isinstance(test, ast.BoolOp) and test in training.trace.decided:
            return ast.unparse(test)[:200]
    return None


class _Condition:
    """The place of a condition."""

    def __init__(self, test: Test, step: Step) -> None:
        self.node, self.source = test.node, step.source


def _checks(training: TrainingSteps, step: Step) -> list[Call]:
    """Overflow checks of these gradients that may run before this update, whatever becomes of them."""
    wanted = {key for term in training.carried(step) for key in term.gradients}
    here = training.given(step)
    found = []
    for call in training.calls:
        done = operation(call)
        if done.name not in CHECKS or call.name[:1] == "@" or not _near(call, step):
            continue
        if here.times(Term(choices=training.factors.conditions(call.under))) is None:
            continue
        looked_at = (training.factors.of(operand) for operand in (*done.operands, *done.keywords.values()))
        gradients = {key for terms in looked_at for term in terms for key in term.gradients}
        if wanted & gradients or (done.name.startswith("npu") and call.name == ""):
            found.append(call)
    return found


def _near(call: Call, step: Step) -> bool:
    """In the run of the function that updates, or of one that it calls."""
    home = step.frame
    return home is None or any(frame is home for frame in frames_around(call.frame))


def _masked(step: Step, overflow: Overflow) -> bool:
    """Gradients that are replaced where they overflow, by select, where or a product."""
    for place, value in enumerate(sources(step.gradients)):
        if place > 400:
            break
        if isinstance(value, Call):
            done = operation(value)
            if done.name == "nantonum":
                return True
            if done.name in ("select", "where", "mul", "multiply"):
                ways = (status for operand in done.operands for status in overflow.of(operand))
                if any(status is not None and status.checks and status.clean != status.over for status in ways):
                    return True
    return False


def _vague(training: TrainingSteps, step: Step, checks: list[Call]) -> list[Test]:
    """The conditions of an update that ask for an overflow in a way that is not seen through: by what they are called, by what
    flows into them, or by a name or function that one of the checks decides."""
    looked = _looked_at(step, checks)
    decided = _decided(step, looked)
    return [
        test
        for test in step.under
        if speaks_of_overflow(test.value, negated=not checks)
        or (test in step.place.left and _SPEAKS.search(test.text))
        or _holds(test.node, looked)
        or any(isinstance(part, Call) and id(part.node) in looked for part in sources(test.value))
        or any(isinstance(part, ast.Name) and part.id in decided for part in walk(test.node))
    ]


def _looked_at(step: Step, checks: list[Call]) -> set[int]:
    """The ids of the nodes of checks, and of the calls within the step that lead to them."""
    looked = {id(check.node) for check in checks}
    frames: list[Frame | None] = [check.frame for check in checks]
    while frames:
        frame = frames.pop()
        if frame is not None and frame is not step.frame:
            looked.add(id(frame.node))
            frames.append(frame.parent)
    return looked


def _body(step: Step) -> ast.AST:
    """The function that updates, or the whole script."""
    return step.frame.function.node if step.frame is not None else step.source.tree


def _decided(step: Step, looked: set[int]) -> set[str]:
    """The names that checks, by the ids of their nodes, decide within a step."""
    return {
        name.id
        for part in walk(_body(step))
        if isinstance(part, (ast.If, ast.Assign))
        and _holds(part.test if isinstance(part, ast.If) else part.value, looked)
        for name in walk(part)
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
    }


def _ended(step: Step, checks: list[Call]) -> str | None:
    """The condition of a check under which the run ends: nothing is trained further from what overflowed."""
    looked = _looked_at(step, checks)
    decided = _decided(step, looked)
    for part in walk(_body(step)):
        if isinstance(part, (ast.If, ast.Assert)) and (
            _holds(part.test, looked) or any(isinstance(one, ast.Name) and one.id in decided for one in walk(part.test))
        ):
            inner = [one for held in part.body for one in walk(held)] if isinstance(part, ast.If) else [part]
            if any(_ends(one) for one in inner):
                return ast.unparse(part.test)[:200]
    return None


def _ends(node: ast.AST) -> bool:
    """Whether a run ends here."""
    called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
    return isinstance(node, (ast.Raise, ast.Assert)) or called in _EXITS


def _holds(node: ast.AST, looked: set[int]) -> bool:
    return any(id(part) in looked for part in walk(node))


def _name(made: Call) -> str:
    base = made.base
    return base.last if made.name == "" and isinstance(base, Call) else made.last
