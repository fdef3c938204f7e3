"""Whether half precision is trained with a loss scale, and whether what is put on is taken off again."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from ..knowledge import api
from .effects import named_arguments
from .factors import ONE, Key, Term, called, hinted, operation
from .flow import setting
from .grading import Link, under
from .remarks import Edit, Remark, SourcePlace, merged, remark, with_keyword, without_keyword
from .source import Source
from .step_faults import LOSS_SCALE
from .syntax import unparse, walk
from .training_steps import DYNAMIC, FIXED, HalfPrecision, Step, TrainingSteps, half_mode
from .values import Call, Frame, Instance, KnownValue, NamedValue, Value, is_known, name_of, options

#: What says that a scale is put on and taken off.
SOUND = frozenset({"scaled-dynamic", "scaled-fixed", "scaled-own"})
#: Those of them that stand for an optimizer whose loss_scale does not fit the step.
DISAGREE = frozenset({"kept", "divided-only", "divided-twice", "mismatch", "mismatch-own"})

_FACTOR, _WINDOW = re.compile("factor", re.I), re.compile("window", re.I)
_ASSIGNS = frozenset({"assign", "assignadd", "assignsub", "setdata", "assignvalue", "copy", "setitem"})

#: How keys of numbers begin.
_NUMBERS = frozenset({("known", "int"), ("known", "float")})
#: What one way through a step comes to, with the conditions that lead there.
_Ways = Iterator[tuple[Term, Remark]]


def examine(training: TrainingSteps) -> list[Remark]:
    """What there is to say about loss scaling in one reading."""
    return merged(_examine(training))


def _examine(training: TrainingSteps) -> Iterator[Remark]:
    yield from _windows(training)
    steps = training.judged_steps()
    if not steps:
        yield training.no_step()
        return
    ways = [(step, *way) for step in steps for way in _step(training, step)]
    sound = [term for _, term, told in ways if told.code in SOUND]
    for step, term, told in ways:
        unsure = told.code in LOSS_SCALE and _elsewhere(training, step, term, sound)
        yield replace(told, possible=True) if unsure else told
    if not ways:
        yield _by_mode(steps[0], training.precision_mode)


def _by_mode(step: Step, mode: Call | None) -> Remark:
    """Of a step without half precision of its own; bfloat16 has the range of float32 and needs no scale."""
    if mode is None:
        return about(step, "no-half")
    if half_mode(mode).endswith("bf16"):
        return about(step, "precision-mode", mode)
    return about(step, "no-scale-by-mode", mode, likely=True)


def disagreements(training: TrainingSteps) -> Iterator[Remark]:
    """Optimizers whose loss_scale does not fit the step."""
    return (told for told in examine(training) if told.code in DISAGREE)


def _elsewhere(training: TrainingSteps, step: Step, term: Term, sound: list[Term]) -> bool:
    """A fault on a way that the options lead to only when they are changed, or next to which there is a sound way."""
    default = training.factors.by_default(term, step.needs)
    return default is False or (default is None and any(term.times(other) is None for other in sound))


def _step(training: TrainingSteps, step: Step) -> _Ways:
    halves = training.halves_of(step)
    judge = {"model": _model, "cell": _cell, "scale cell": _scale_cell, "own": _own}[step.kind]
    for optimizer, here in training.optimizers(step):
        for term, told in judge(training, step, halves, optimizer):
            whole = term.times(here)
            if whole is not None:
                yield whole, told


# --- the framework's steps --------------------------------------------------------------------------------------------


def _model(training: TrainingSteps, step: Step, halves: list[HalfPrecision], optimizer: Value) -> _Ways:
    """Model and build_train_network."""
    if step.manager is None:
        yield from _by_level(training, step, halves, optimizer)
        return
    for manager, here in training.factors.ways(step.manager):
        for term, told in _managed(training, step, halves, optimizer, manager):
            whole = term.times(here)
            if whole is not None:
                yield whole, told


def _by_level(training: TrainingSteps, step: Step, halves: list[HalfPrecision], optimizer: Value) -> _Ways:
    """The default manager: a dynamic one under O2, and none elsewhere."""
    own = next((half for half in halves if half.made is step.place), None)
    if own is not None and own.level == "O2":
        yield from _divides(training, step, "dynamic", None, optimizer)
    elif own is None and any(not isinstance(option, KnownValue) for option in options(step.level)):
        yield ONE, about(step, "level-unknown", level=say_value(step.level))
    else:
        yield from _unscaled(training, step, halves, optimizer)


def _managed(
    training: TrainingSteps, step: Step, halves: list[HalfPrecision], optimizer: Value, manager: Value
) -> _Ways:
    """A manager that is given."""
    if is_known(manager, None):
        yield from _unscaled(training, step, halves, optimizer)
    elif isinstance(manager, Call) and manager.api in FIXED:
        given = named_arguments(manager)
        drops = given.get("drop_overflow_update") or KnownValue(True)
        if not isinstance(drops, KnownValue):
            yield ONE, about(step, "manager-unknown", manager=manager.last)
        elif drops.value:
            yield from _divides(training, step, "fixed", manager, optimizer)
        else:
            value = given.get("loss_scale") or given.get("loss_scale_value") or KnownValue(128.0)
            yield from _matches(training, step, manager, value, halves, optimizer)
    elif isinstance(manager, Call) and manager.api in DYNAMIC:
        yield from _divides(training, step, "dynamic", manager, optimizer)
    else:
        yield ONE, about(step, "manager-unknown", manager=say_value(manager))


def _scale_cell(training: TrainingSteps, step: Step, halves: list[HalfPrecision], optimizer: Value) -> _Ways:
    """TrainOneStepWithLossScaleCell divides by itself."""
    for manager, here in training.factors.ways(step.manager):
        dynamic = isinstance(manager, Call) and manager.api in DYNAMIC
        made = manager if isinstance(manager, Call) else None
        for term, told in _divides(training, step, "dynamic" if dynamic else "fixed", made, optimizer):
            whole = term.times(here)
            if whole is not None:
                yield whole, told


def _cell(training: TrainingSteps, step: Step, halves: list[HalfPrecision], optimizer: Value) -> _Ways:
    """TrainOneStepCell multiplies by sens, and leaves the division to the optimizer."""
    if step.sens is None or all(isinstance(o, KnownValue) and o.value in (None, 1) for o in options(step.sens)):
        yield from _unscaled(training, step, halves, optimizer)
    else:
        yield from _matches(training, step, None, step.sens, halves, optimizer)


def _unscaled(training: TrainingSteps, step: Step, halves: list[HalfPrecision], optimizer: Value) -> _Ways:
    """Nothing scales the loss: the optimizer must not divide, and half precision lacks a scale."""
    divisor = _divisor(training, optimizer)
    if divisor is not None and divisor != 1:
        place = _placed(optimizer, step)
        told = about(step, "divided-only", place, also=[step], optimizer=_name(optimizer), divisor=f"{divisor:g}")
        yield ONE, told
    else:
        yield from _lacks(training, step, halves)


def _lacks(training: TrainingSteps, step: Step, halves: list[HalfPrecision]) -> _Ways:
    """Half precision without a scale."""
    strong = [half for half in halves if half.strong(step.kind == "own")]
    listed = [half for half in halves if half.level in ("O1", "auto")]
    if strong:
        half = min(strong, key=lambda one: (one.maybe, one.how != "level", one.how == "parameter", one.made.order))
        unused = _unused(step)
        told = remark(half.made, "no-scale", half.maybe, half=half.text, step=title(step), also=[step])
        if unused:
            told = replace(told, code="no-scale-unused", data={**told.data, "unused": unused[0]})
        yield training.under(half), told
    elif listed:
        yield ONE, remark(listed[0].made, "level-decides", level=listed[0].level, step=title(step), also=[step])
    elif halves:
        yield ONE, remark(halves[0].made, "no-scale-partly", half=halves[0].text, step=title(step), also=[step])


def _divides(training: TrainingSteps, step: Step, kind: str, manager: Call | None, optimizer: Value) -> _Ways:
    """The step takes its scale off by itself, so the optimizer must not divide."""
    given = named_arguments(manager) if manager is not None and manager.api in DYNAMIC else {}
    known = api.find(manager.api) if manager is not None else None
    if known is not None and _is(given.get(known.scale or ""), 1) and _is(given.get("scale_factor"), 1):
        yield ONE, remark(manager or step, "scale-one", scaler=title(step), also=[step])
        return
    divisor = _divisor(training, optimizer)
    if divisor is None:
        yield ONE, about(step, "optimizer-unknown", optimizer=_name(optimizer))
    elif divisor != 1:
        place = _placed(optimizer, step)
        told = about(step, "divided-twice", place, also=[step], optimizer=_name(optimizer), divisor=f"{divisor:g}")
        yield ONE, replace(told, edits=without_keyword(told.source, place.node, "loss_scale"))
    else:
        yield ONE, about(step, f"scaled-{kind}")


def _matches(
    training: TrainingSteps,
    step: Step,
    manager: Call | None,
    value: Value,
    halves: list[HalfPrecision],
    optimizer: Value,
) -> _Ways:
    """A scale that only the optimizer takes off: both must have the same."""
    given = training.loss_scale(optimizer)
    if not training.is_seen(optimizer):
        yield ONE, about(step, "optimizer-unknown", optimizer=_name(optimizer))
        return
    place = _placed(optimizer, step)
    ones = [not on.powers and on.number == 1 for on in training.factors.of(value, True)]
    for on in training.factors.of(value, True):
        for off in training.factors.of(given, True):
            rest = on.times(off.power(-1.0))
            if rest is None:
                continue
            way = replace(rest, powers=frozenset())
            shown: dict[str, Any] = {
                "optimizer": _name(optimizer),
                "scale": _say(on, value),
                "divisor": _say(off, given),
            }
            if rest.unsure:
                yield way, about(step, "unresolved", place, also=[manager or step], **shown)
            elif not rest.powers and abs(rest.number - 1) < 1e-9:
                if all(ones):
                    yield from ((way, told) for told in _one(step, manager or step, halves))
                else:
                    yield way, about(step, "scaled-fixed")
            elif not rest.powers or given is None:
                code = "kept" if given is None or (not off.powers and off.number == 1) else "mismatch"
                code = "divided-only" if not on.powers and on.number == 1 else code
                likely = bool(rest.powers) or _assumed(value) or _assumed(given)
                told = about(step, code, place, likely, also=[manager or step], **shown)
                edits = (
                    _same_scale(told.source, place, manager or step, optimizer, on) if code != "divided-only" else []
                )
                yield way, replace(told, edits=edits)
            else:
                yield way, about(step, "unresolved", place, also=[manager or step], **shown)


def _same_scale(source: Source, place: SourcePlace, other: SourcePlace, optimizer: Value, on: Term) -> list[Edit]:
    """The edit that gives the optimizer the number that the loss is multiplied by, as it is written there."""
    known = api.find(optimizer.api) if isinstance(optimizer, Call) else None
    if known is None or "loss_scale" not in known.parameters or on.powers or not isinstance(other.node, ast.Call):
        return []
    named = {keyword.arg: keyword.value for keyword in other.node.keywords}
    written = named.get("loss_scale") or named.get("sens") or next(iter(other.node.args[:1]), None)
    if isinstance(written, ast.Constant):
        return with_keyword(source, place.node, "loss_scale", ast.unparse(written))
    return []


def _one(step: Step, place: SourcePlace, halves: list[HalfPrecision]) -> Iterator[Remark]:
    """A fixed scale of 1 is none."""
    strong = [half for half in halves if half.strong(step.kind == "own") and not half.made.tests]
    if strong:
        yield remark(place, "scale-one", strong[0].maybe, scaler=title(step), also=[strong[0].made])


# --- steps of the project ---------------------------------------------------------------------------------------------


def _divided(carried: Iterable[Term], divided: Iterable[Term]) -> list[Term]:
    """What gradients carry once an optimizer has divided them."""
    return [
        replace(rest, put_on=term.put_on)
        for term in carried
        for by in divided
        if (rest := term.times(by.power(-1.0))) is not None
    ]


def _own(training: TrainingSteps, step: Step, halves: list[HalfPrecision], optimizer: Value) -> _Ways:
    carried = training.carried(step)
    divided = training.divided(optimizer)
    bad = training.faulty(carried)
    # What only comes of combining what no run combines stays so, whatever the optimizer does.
    carried = tuple(term for term in carried if term in bad or training.factors.is_clean(term))
    if divided is None:
        if bad or any(term.put_on for term in carried):
            yield ONE, about(step, "optimizer-unknown", optimizer=_name(optimizer))
            return
        divided = (ONE,)
    applied = _divided(carried, divided)
    bad = training.faulty(applied)
    good = [term for term in applied if training.factors.is_clean(term)]
    for term, told in _unclean(training, step, bad, optimizer):
        yield term, replace(told, possible=told.possible or perhaps_off(training, step, term, good))
    if good and not bad:
        yield from _clean(training, step, good, halves)


def perhaps_off(training: TrainingSteps, step: Step, term: Term, others: Iterable[Term]) -> bool:
    """Whether the scale of a way is a number that may as well be 1, by what is not seen or by the defaults of options."""
    plain = (other for other in others if not other.put_on and _by_number(term, other))
    return any(training.factors.by_default(other, step.needs) is not False for other in plain)


def _by_number(one: Term, other: Term) -> bool:
    """Whether what keeps two ways apart is a number that is one or the other, as a scale that may as well be 1."""
    apart = {key for key, way in one.choices for key_too, way_too in other.choices if key == key_too and way != way_too}
    return any(
        key[0] == "many" and all(isinstance(part, tuple) and part[:2] in _NUMBERS for part in key[1:]) for key in apart
    )


def _clean(training: TrainingSteps, step: Step, applied: list[Term], halves: list[HalfPrecision]) -> _Ways:
    """Nothing is left of a scale: because it was taken off, or because there was none."""
    put_on = {key for term in applied for key in term.put_on} or training.taken_off(applied)
    if any(term.uneven for term in applied):
        yield ONE, about(step, "uneven")
    elif not put_on and not training.sees_loss(step):
        if halves:
            yield ONE, about(step, "loss-unknown")
    elif not put_on and (unseen := training.unseen_divisors(applied)):
        if halves:
            yield ONE, about(step, "unresolved-step", scale=", ".join(key_names(training, unseen)))
    elif not put_on:
        yield from _lacks(training, step, halves)
    else:
        names = ", ".join(key_names(training, put_on))
        stuck = [key for key in put_on if _never_adjusted(training, key)]
        ones = [key for key in put_on if _is_one(training, key)]
        if ones and len(ones) == len(put_on) and _is_needed(training, ones, halves):
            yield ONE, about(step, "scale-one", scaler=names)
        elif ones and len(ones) == len(put_on):
            yield ONE, about(step, "scaled-own", scale=names)
        elif stuck:
            for term in applied:
                way = replace(term, powers=frozenset())
                if held := [key for key in stuck if key in term.put_on]:
                    told = about(step, "never-adjusted", scale=key_name(training, held[0]))
                    yield way, replace(told, possible=_made_elsewhere(training, step, held[0]))
                elif term.put_on:
                    yield way, about(step, "scaled-own", scale=", ".join(key_names(training, term.put_on)))
        else:
            yield ONE, about(step, "scaled-own", scale=names)


def _unclean(training: TrainingSteps, step: Step, bad: list[Term], optimizer: Value) -> _Ways:
    """A scale is left on the gradients, or was taken off without having been put on."""
    for term in bad:
        keys = set(training.factors.left(term))
        told = _left_on(training, step, term, keys, optimizer)
        # A scaler that only other options than the defaults make is on another way than this step.
        elsewhere = any(_made_elsewhere(training, step, key) for key in keys)
        told = replace(told, likely=told.likely or any(_is_setting(training, key) for key in keys))
        yield replace(term, powers=frozenset()), replace(told, possible=told.possible or elsewhere)


def _left_on(training: TrainingSteps, step: Step, term: Term, keys: set[Key], optimizer: Value) -> Remark:
    divisor = _divisor(training, optimizer)
    scale = ", ".join(key_names(training, keys)) or number_text(term.number)
    shown: dict[str, Any] = {"scale": scale, "optimizer": _name(optimizer), "divisor": f"{divisor or 1:g}"}
    if _open(training, step, term, keys, divisor):
        return about(step, "unresolved-step", scale=scale)
    if divisor not in (None, 1) and not term.put_on:
        return about(step, "divided-only", _placed(optimizer, step), also=[step], **shown)
    if divisor not in (None, 1):
        shown["scale"] = _rest(training, term)
        return about(step, "mismatch-own", _placed(optimizer, step), also=[step], **shown)
    up = any(power > 0 for power in training.factors.left(term).values()) or (not keys and abs(term.number) > 1)
    divided = scale if keys or not term.number else number_text(1 / term.number)
    return about(step, "kept-own" if up else "divided-own", scale=scale if up else divided)


def _open(training: TrainingSteps, step: Step, term: Term, keys: set[Key], divisor: float | None) -> bool:
    """Whether it is not seen what is left on the gradients."""
    # A condition that asks for the scale itself may well be what makes it right.
    asked = any(_mentions(choice[0], key) and not _asks_type(choice[0]) for choice in term.choices for key in keys)
    kept = all(power > 0 and _is_setting(training, key) for key, power in training.factors.left(term).items())
    unseen = bool(keys) and not kept and all(map(training.is_given, keys))
    # A loss is divided to be a mean, too.
    averages = not keys and abs(term.number) < 1 and divisor in (None, 1) and not _undone(training, step, term)
    return term.unsure or asked or unseen or averages


def _is_setting(training: TrainingSteps, key: Key) -> bool:
    """Whether a scale is given as sens, and a setting of the run whose value is not seen: it may be 1, but no caller takes it off."""
    value = training.factors.values.get(key)
    read = isinstance(value, NamedValue) or (value is not None and setting(value))
    return read and key in training.factors.scales and training.is_given(key)


def _asks_type(choice: Any) -> bool:
    """Whether a condition asks for nothing but a type: isinstance(scale, (int, float))."""
    return isinstance(choice, tuple) and len(choice) == 2 and choice[0] == "test" and choice[1][:1] == ("isinstance",)


def _made_elsewhere(training: TrainingSteps, step: Step, key: Key) -> bool:
    """Whether a scale is made where options have to be given that the step itself does not stand under."""
    value = training.factors.values.get(key)
    beside = {(id(test.node), test.taken) for test in step.needs}
    apart = (
        (test for test in value.tests if (id(test.node), test.taken) not in beside) if isinstance(value, Call) else ()
    )
    return under(tuple(apart)) is Link.ELSEWHERE


def _undone(training: TrainingSteps, step: Step, term: Term) -> bool:
    """Whether all that was done to a loss that is seen is to divide by one number that is called a loss scale."""
    if not training.sees_loss(step):
        return False
    values = [training.factors.values.get(key) for key in term.put_on]
    numbers = [value.value for value in values if isinstance(value, KnownValue) and hinted(value.name)]
    return len(values) == len(numbers) == 1 and abs(abs(term.number * numbers[0]) - 1) < 1e-9


def number_text(number: float) -> str:
    """What gradients are multiplied by, small numbers as what they are divided by."""
    return f"{abs(number):g}" if not 0 < abs(number) < 1 else f"1/{1 / abs(number):g}"


def _rest(training: TrainingSteps, term: Term) -> str:
    """What gradients are still multiplied by, as a product."""
    left = training.factors.left(term)
    over = [key_name(training, key) for key, power in left.items() if power > 0]
    under = [key_name(training, key) for key, power in left.items() if power < 0]
    number = abs(term.number)
    if number >= 1:
        over += [f"{number:g}"] if number != 1 else []
    elif number:
        under.append(f"{1 / number:g}")
    return " / ".join([" * ".join(sorted(over)) or "1", *sorted(under)])


def _mentions(inside: Any, key: Key) -> bool:
    return inside == key or (isinstance(inside, tuple) and any(_mentions(part, key) for part in inside))


# --- scales -----------------------------------------------------------------------------------------------------------


def _first(training: TrainingSteps, key: Key) -> Value | None:
    """The constant or the manager that a scale gets its first value from, through parameters, tensors and casts."""
    value = training.factors.values.get(key)
    for _ in range(8):
        if not isinstance(value, Call) or ((known := api.find(value.api)) is not None and known.scale):
            return value
        done = operation(value)
        if value.name != ".get_loss_scale" and done.name not in ("parameter", "tensor", "cast", "astype", "float"):
            return None
        value = value.base if value.name == ".get_loss_scale" else done.operand(0)
    return None


def _is_one(training: TrainingSteps, key: Key) -> bool:
    """A scale that starts at 1 and cannot grow."""
    value = _first(training, key)
    if not isinstance(value, Call):
        return value is not None and _is(value, 1)
    known, given = api.find(value.api), named_arguments(value)
    assert known is not None and known.scale
    return _is(given.get(known.scale), 1) and not (known.dynamic and not _is(given.get("scale_factor"), 1))


def _is_needed(training: TrainingSteps, ones: list[Key], halves: list[HalfPrecision]) -> bool:
    """Whether a scale that stays 1 lacks something: where anything is float16, or a scale that grows is asked for, which nothing else
    wants; in float32 and bfloat16 it is as good as none."""
    dynamic = any(isinstance(made := _first(training, key), Call) and made.api in DYNAMIC for key in ones)
    return dynamic or any(half.strong(True) and not half.made.tests for half in halves)


def _never_adjusted(training: TrainingSteps, key: Key) -> bool:
    """A scale that is made to change, which nothing in the step does."""
    value = training.factors.values.get(key)
    if not isinstance(value, Call):
        return False
    if value.api == "amp.DynamicLossScaler":
        return not any(call.name == ".adjust" and value in options(call.base) for call in training.calls)
    if operation(value).name != "parameter":
        return False
    manager = _manager(value)
    if manager is not None:
        used = any(
            (call.base is not None and manager in options(call.base) and call.name[:1] not in (".", "@"))
            or call.name in (".process_loss_scale", ".update_loss_scale")
            for call in training.calls
        )
        return not used and manager.api in DYNAMIC and not is_assigned(training, value)
    return _held_and_unchanged(training, value)


def _held_and_unchanged(training: TrainingSteps, value: Call) -> bool:
    """Whether an object holds a scale that its methods assign, and none of those runs."""
    holder = next(
        (i for i in training.trace.instances if any(value in options(held) for held in i.attributes.values())), None
    )
    if holder is None or is_assigned(training, value, holder):
        return False
    reached = {frame.function.node for frame in training.frames if not _uncalled(frame, holder)}
    return any(_assigns(method.node) for method in holder.of.methods() if method.node not in reached)


def _manager(parameter: Call) -> Call | None:
    """The update cell that a parameter has its first value from."""
    value: Value | None = parameter
    for _ in range(6):
        if not isinstance(value, Call):
            return None
        if value.name == ".get_loss_scale":
            return value.base if isinstance(value.base, Call) else None
        value = operation(value).operand(0)
    return None


def is_assigned(training: TrainingSteps, parameter: Call, holder: Instance | None = None) -> bool:
    """Whether anything sets a parameter, other than methods of its holder that are never called."""
    for call in training.calls:
        done = operation(call)
        assigns = done.name in _ASSIGNS and done.operands and parameter in options(done.operands[0])
        if assigns and (holder is None or call.frame is None or not _uncalled(call.frame, holder)):
            return True
    return False


def _uncalled(frame: Frame, holder: Instance) -> bool:
    """Whether a frame was only run because the method has no caller."""
    top = frame
    while top.parent is not None and not top.unseen:
        top = top.parent
    return top.unseen and top.owner is holder and top.function.name not in ("construct", "__call__")


def _assigns(node: ast.AST) -> bool:
    calls = (part.func for part in walk(node) if isinstance(part, ast.Call))
    names = (part.attr if isinstance(part, ast.Attribute) else getattr(part, "id", "") for part in calls)
    return any(name in ("assign", "set_data", "assign_value") for name in names)


def _windows(training: TrainingSteps) -> Iterator[Remark]:
    """Scalers whose window is given the factor, or the other way round."""
    for made in training.calls:
        if made.api in DYNAMIC:
            given = named_arguments(made)
            factor, window = given.get("scale_factor"), given.get("scale_window")
            if _swapped(factor, window):
                shown: dict[str, Any] = {"factor": say_value(factor), "window": say_value(window)}
                yield remark(made, "window-is-factor", scaler=made.last, **shown)


def _swapped(factor: Value | None, window: Value | None) -> bool:
    if factor is None or window is None:
        return False
    names = name_of(factor), name_of(window)
    if _FACTOR.search(names[1]) and not _WINDOW.search(names[1]):
        return True
    if _WINDOW.search(names[0]) and not _FACTOR.search(names[0]):
        return True
    numbers = [v.value for v in (factor, window) if isinstance(v, KnownValue) and type(v.value) in (int, float)]
    return len(numbers) == 2 and numbers[0] >= 50 and numbers[1] <= 10


# --- words ------------------------------------------------------------------------------------------------------------


def about(
    step: Step, code: str, place: SourcePlace | None = None, likely: bool = False, also: Any = (), **data: Any
) -> Remark:
    """A remark about a step, at a place of its own if need be."""
    return remark(place or step, code, likely, also, step=title(step), **data)


def title(step: Step) -> str:
    """What a step is called: its class, or the function that it stands in."""
    place = step.place
    if isinstance(place, Call) and step.kind != "own":
        return place.last
    if isinstance(place, Instance):
        return place.of.node.name
    frame = step.frame
    if frame is not None and isinstance(frame.owner, Instance):
        return frame.owner.of.node.name
    return frame.function.name if frame is not None else step.source.path


def key_name(training: TrainingSteps, key: Key) -> str:
    """What the script calls a scale."""
    if key[0] == "known":
        return str(key[2])
    value = whole = training.factors.values.get(key)
    while isinstance(value, Call) and not called(value) and value.args:
        value = value.args[0]
    names = called(value) if value is not None else []
    node = whole.node if isinstance(whole, Call) else None
    written = unparse(node)[:60] if isinstance(node, ast.expr) else "?"
    return next((name for name in names if hinted(name)), names[0] if names else written)


def key_names(training: TrainingSteps, keys: Iterable[Key]) -> list[str]:
    """What the script calls some scales, each name once."""
    return sorted({key_name(training, key) for key in keys})


def say_value(value: Value | None) -> str:
    """A value in a few words."""
    for option in options(value):
        if isinstance(option, KnownValue):
            return f"{option.value}"
        if called(option):
            return called(option)[0]
    return "?"


def _say(term: Term, value: Value | None) -> str:
    return say_value(value) if term.powers else f"{term.number:g}"


def _name(optimizer: Value) -> str:
    if isinstance(optimizer, Instance):
        return optimizer.of.node.name
    if isinstance(optimizer, Call) and optimizer.name[:1] not in ("", "@", ".", "["):
        return optimizer.last
    return next(iter(called(optimizer)), "optimizer")


def _placed(optimizer: Value, step: Step) -> SourcePlace:
    """Where an optimizer is made, if that is seen."""
    return optimizer if isinstance(optimizer, (Call, Instance)) and optimizer.source is not None else step


def _divisor(training: TrainingSteps, optimizer: Value) -> float | None:
    """The number that an optimizer divides by; None when it is not known."""
    terms = training.divided(optimizer)
    numbers = {term.number for term in terms or ()}
    seen = terms and not any(term.powers or term.unsure for term in terms)
    return numbers.pop() if seen and len(numbers) == 1 else None


def _is(value: Value | None, number: float) -> bool:
    return isinstance(value, KnownValue) and value.value == number and not isinstance(value.value, bool)


def _assumed(value: Value | None) -> bool:
    return any(isinstance(option, KnownValue) and option.assumed is not None for option in options(value))


def _unused(step: Step) -> list[str]:
    """Names of loss scales that are set in the file of the step and never read there."""
    tree = step.source.tree
    stored = [n.id for n in walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    loaded = {n.id for n in walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return [name for name in stored if re.search("loss_?scal", name, re.I) and name not in loaded]
