"""Whether an update is held back when gradients overflow: the checks, what they look at, and the gate that they open."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from .factors import Key, operation
from .flow import sources
from .loss_scaling import about, is_assigned, title
from .overflow import Overflow, Status, speaks_of_overflow
from .remarks import Remark, merged, remark
from .step_faults import OVERFLOW
from .syntax import walk
from .training_steps import DYNAMIC, FIXED, Half, Step, Training
from .values import Frame, Known, Made, Test, Value, options

#: Operations that tell an overflow.
_CHECKS = frozenset(
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

_Statuses = tuple["Status | None", ...]


def examine(training: Training) -> list[Remark]:
    """What there is to say about overflow in one reading."""
    return merged(_examine(training))


def _examine(training: Training) -> Iterator[Remark]:
    overflow = Overflow(training.calls, training.factors)
    steps = training.judged_steps()
    if not steps:
        yield training.no_step()
        return
    told = [(step, one) for step in steps for one in _step(training, step, overflow)]
    sound = [training.given(step) for step, one in told if one.code.startswith("checked")]
    for step, one in told:
        yield replace(one, possible=True) if one.code in OVERFLOW and _elsewhere(training, step, sound) else one
    if not told:
        yield about(steps[0], "no-half")


def _elsewhere(training: Training, step: Step, sound: list[Any]) -> bool:
    """A step that options do not lead to by default, or next to which there is a sound one."""
    here = training.given(step)
    default = training.factors.by_default(here)
    return default is False or (default is None and any(here.times(other) is None for other in sound))


def _step(training: Training, step: Step, overflow: Overflow) -> Iterator[Remark]:
    halves = training.halves_of(step)
    if step.kind == "own":
        return _own(training, step, halves, overflow)
    return _framework(training, step, halves)


# --- the framework's steps --------------------------------------------------------------------------------------------


def _framework(training: Training, step: Step, halves: list[Half]) -> Iterator[Remark]:
    level = next((half.level for half in halves if half.made is step.place), "")
    if step.kind == "scale cell" or (step.kind == "model" and step.manager is None and level == "O2"):
        yield about(step, "checked-by-framework")
        return
    drops = [_drops(manager) for manager in options(step.manager)] if step.kind == "model" else []
    if None in drops:
        yield about(step, "manager-unknown")
    elif drops and all(drops):
        yield about(step, "checked-by-framework")
    elif any(isinstance(option, Made) for option in options(step.manager)) or _scales(step):
        yield about(step, "not-dropped")
    elif halves:
        whole = next((half for half in halves if half.level == "O3"), None)
        strong = next((half for half in halves if half.strong(False)), halves[0])
        code = "no-check-framework" if whole else "no-check-possible"
        yield about(step, code, also=[(whole or strong).made], likely=True)


def _drops(manager: Value) -> bool | None:
    """Whether a manager has an update dropped on overflow; None when that is not seen."""
    if isinstance(manager, Made) and manager.api in FIXED:
        given = manager.argument(["loss_scale", "drop_overflow_update"], "drop_overflow_update")
        if given is None:
            return True
        return bool(given.value) if isinstance(given, Known) else None
    if isinstance(manager, Made) and manager.api in DYNAMIC:
        return True
    return False if isinstance(manager, Known) else None


def _scales(step: Step) -> bool:
    return step.kind == "cell" and not all(isinstance(o, Known) and o.value in (1, None) for o in options(step.sens))


# --- steps of the project ---------------------------------------------------------------------------------------------


def _own(training: Training, step: Step, halves: list[Half], overflow: Overflow) -> Iterator[Remark]:
    scales = {key for term in training.carried(step) for key in term.put_on}
    checks = _checks(training, step)
    if not halves and not scales and not checks:
        return
    gates = [(test, overflow.of(test.value)) for test in step.tests if test.taken is not None]
    gates = [(test, found) for test, found in gates if _tells(found)]
    if gates:
        told = [one for test, found in gates for one in _gate(step, test, found)]
        good = [one for one in told if one.code == "checked"]
        both = _other_way(training, step, [test for test, _ in gates])
        if both is not None:
            first, last = sorted((step, both[0]), key=lambda one: one.order)
            yield about(last, "update-on-overflow", condition=both[1].text, also=[first])
        else:  # one sound gate holds the update back, whatever else is asked besides
            yield from good[:1] or told
        return
    if any(_tells(overflow.of(value)) for value in step.others):
        yield about(step, "checked-by-optimizer")
    elif _masked(step, overflow):
        yield about(step, "checked-by-mask")
    elif (left := _left_early(training, step, overflow)) is not None:
        yield left
    elif vague := [test for test in step.tests if speaks_of_overflow(test.value, negated=not checks)]:
        yield about(step, "gate-unknown", condition=vague[0].text)
    elif checks and (not scales or any(_changes(training, key) for key in scales)):
        yield about(step, "check-unused", also=[checks[0]], check=_name(checks[0]))
    elif any(_changes(training, key) for key in scales):
        yield about(step, "no-check")
    elif scales:
        yield about(step, "not-dropped")
    elif strong := next((half for half in halves if half.strong(True)), None):
        yield about(step, "no-check", likely=strong.maybe, also=[strong.made])
    else:
        yield about(step, "no-check-possible", also=[halves[0].made])


def _tells(found: _Statuses) -> bool:
    return any(status is not None and status.checks for status in found)


def _changes(training: Training, key: Key) -> bool:
    """A scale that is made to change with overflow."""
    value = training.factors.values.get(key)
    if not isinstance(value, Made):
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
            told.append(remark(step, code, also=[_Condition(test, step)], condition=test.text, step=title(step)))
    bad = [one for one in told if one.code != "checked"]
    return (bad or told)[:1]


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


def _other_way(training: Training, step: Step, tests: list[Test]) -> tuple[Step, Test] | None:
    """Another update of the same optimizer, on the other way of one of these conditions."""
    optimizers = {id(option) for option in options(step.optimizer)}
    for test in tests:
        for other in training.steps:
            same = other.kind == "own" and optimizers & {id(option) for option in options(other.optimizer)}
            if same and any(t.value is test.value and t.taken is (not test.taken) for t in other.tests):
                return other, test
    return None


class _Condition:
    """The place of a condition."""

    def __init__(self, test: Test, step: Step) -> None:
        self.node, self.source = test.node, step.source


def _checks(training: Training, step: Step) -> list[Made]:
    """Overflow checks of these gradients, whatever becomes of them."""
    wanted = {key for term in training.carried(step) for key in term.gradients}
    found = []
    for call in training.calls:
        done = operation(call)
        if done.name not in _CHECKS or call.name[:1] == "@" or not _near(call, step):
            continue
        looked_at = (training.factors.of(operand) for operand in (*done.operands, *done.keywords.values()))
        gradients = {key for terms in looked_at for term in terms for key in term.gradients}
        if wanted & gradients or (done.name.startswith("npu") and call.name == ""):
            found.append(call)
    return found


def _near(call: Made, step: Step) -> bool:
    """In the run of the function that updates, or of one that it calls."""
    frame: Frame | None = call.frame
    home = step.frame
    while frame is not None and frame is not home:
        frame = frame.parent
    return frame is home


def _masked(step: Step, overflow: Overflow) -> bool:
    """Gradients that are replaced where they overflow, by select, where or a product."""
    for place, value in enumerate(sources(step.gradients)):
        if place > 400:
            break
        if isinstance(value, Made):
            done = operation(value)
            if done.name == "nantonum":
                return True
            if done.name in ("select", "where", "mul", "multiply"):
                ways = (status for operand in done.operands for status in overflow.of(operand))
                if any(status is not None and status.checks and status.clean != status.over for status in ways):
                    return True
    return False


def _left_early(training: Training, step: Step, overflow: Overflow) -> Remark | None:
    """A return or continue before the update, on a condition about overflow."""
    frame = step.frame
    body = frame.function.node if frame is not None else step.source.tree
    values = {id(call.node): call for call in training.calls if call.frame is frame}
    for node in walk(body):
        if not isinstance(node, ast.If) or (node.end_lineno or 0) >= step.line:
            continue
        if not isinstance(node.body[-1], (ast.Return, ast.Continue, ast.Break)):
            continue
        text = ast.unparse(node.test)
        value = values.get(id(node.test))
        found = [s for s in (overflow.of(value) if value is not None else ()) if s is not None and s.checks]
        if found:
            right = all(bool(status.over) and not bool(status.clean) for status in found)
            return about(step, "checked" if right else "gate-inverted", condition=text)
        if any(word in text.lower() for word in ("finite", "overflow", "nan", "inf")):
            return about(step, "gate-unknown", condition=text)
    return None


def _name(made: Made) -> str:
    base = made.base
    return base.last if made.name == "" and isinstance(base, Made) else made.last
