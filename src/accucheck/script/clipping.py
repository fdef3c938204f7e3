"""Whether gradients are clipped after the loss scale is taken off, by what they carry where they are clipped."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from .factors import Term, operation
from .flow import sources
from .loss_scaling import about, key_names, number_text, perhaps_off, title
from .remarks import Edit, Remark, SourcePlace, merged, remark, span
from .syntax import walk
from .training_steps import FIXED, Step, TrainingSteps, is_optimizer
from .values import Call, Frame, Instance, KnownValue, Value, frames_around, is_known, options

_CLIPS = frozenset({"clipbyglobalnorm", "clipbynorm", "clipbyvalue", "clipgradnorm", "clipgradvalue", "clip", "clamp"})
#: Those that clip each element by itself, and where they are given the least and the most that it may be.
_OF_ELEMENTS = frozenset({"clipbyvalue", "clip", "clamp"})
_BOUNDS = {1: ("clip_value_min", "min", "xmin", "a_min"), 2: ("clip_value_max", "max", "xmax", "a_max")}
_DIVIDES = (".scale_grad", ".gradients_unscale", ".construct", ".unscale")


@dataclass(frozen=True)
class Clip:
    """Gradients `operand` are clipped by `made`; `place` is where the step, or the optimizer, has it done."""

    made: Call
    operand: Value
    place: SourcePlace


def examine(training: TrainingSteps) -> list[Remark]:
    """What there is to say about clipping in one reading."""
    return merged(_examine(training))


def _examine(training: TrainingSteps) -> Iterator[Remark]:
    steps = training.judged_steps()
    if not steps:
        yield training.no_step()
        return
    said = False
    for step in steps:
        for told in _own(training, step) if step.kind == "own" else _in_optimizer(training, step):
            said = True
            yield told
    if not said:
        yield about(steps[0], "no-clip")


def _own(training: TrainingSteps, step: Step) -> Iterator[Remark]:
    seen = set()
    for clip in clips(training, step):
        place = span(clip.place)[1:]
        if place not in seen:
            seen.add(place)
            yield _judged(training, step, clip)


def _judged(training: TrainingSteps, step: Step, clip: Clip) -> Remark:
    if clip.made.discarded and not clip.made.last.endswith("_"):  # by that, what works in place is told
        return about(step, "clip-dropped", clip.place, also=[step], clip=_name(clip.made))
    if not _holds_zero(clip.made):
        return about(step, "clip-one-sided", clip.place, also=[step], clip=_name(clip.made))
    operand = training.factors.of(clip.operand)
    terms = [whole for term in operand if (whole := term.times(training.given(step))) is not None]
    if bad := training.faulty(terms):
        return _scaled(training, step, clip, terms, bad)
    if kept := _taken_off_later(training, step, terms):
        return _told(step, clip, ", ".join(key_names(training, kept)), not _only_given(training, kept))
    return _without_scale(training, step, clip)


def _holds_zero(clip: Call) -> bool:
    """Whether a clip of each element has bounds on both sides of 0, as far as they are seen: else it moves small gradients too."""
    if operation(clip).name not in _OF_ELEMENTS or clip.unpacked:
        return True
    low, high = (operation(clip).operand(place, *names) for place, names in _BOUNDS.items())
    numbers = [one.value if isinstance(one, KnownValue) else None for one in (low, high)]
    absent = [one is None or is_known(one, None) for one in (low, high)]
    if any(absent):
        return all(absent)
    least, most = (number if isinstance(number, (int, float)) else None for number in numbers)
    return (least is None or least < 0) and (most is None or most > 0)


def _scaled(training: TrainingSteps, step: Step, clip: Clip, terms: list[Term], bad: list[Term]) -> Remark:
    """Clipped gradients of which some, the bad terms, carry a scale that they should not."""
    # What is divided too often carries no scale, and what was not followed may carry any.
    firm = [term for term in bad if not term.unsure and _is_up(training, term)]
    keys = {key for term in firm or bad for key in training.factors.left(term)}
    scale = ", ".join(key_names(training, keys)) or number_text((firm or bad)[0].scale)
    given = _only_given(training, keys)
    if not firm or (given and not keys & _taken_off_later(training, step, terms)):
        return _told(step, clip, scale, seen=False)
    possible = all(_elsewhere(training, step, term, terms) for term in firm)
    return replace(_told(step, clip, scale, seen=True), likely=given or len(firm) < len(terms), possible=possible)


def _told(step: Step, clip: Clip, scale: str, seen: bool) -> Remark:
    """That gradients are clipped with this scale. `seen`: whether it certainly is one."""
    name = _name(clip.made)
    if not seen:
        return about(step, "clip-unknown", clip.place, scale=scale, clip=name)
    edits = _swapped(step, clip)
    return remark(clip.place, "clip-scaled", True, [step], edits, step=title(step), scale=scale, clip=name)


def _only_given(training: TrainingSteps, keys: set[Any]) -> bool:
    """Whether all scales come from elsewhere, and so may be anything."""
    return bool(keys) and all(training.is_given(key) for key in keys)


def _without_scale(training: TrainingSteps, step: Step, clip: Clip) -> Remark:
    """Clipped gradients that carry no scale: right, unless the optimizer divides them once more afterwards."""
    name = _name(clip.made)
    divided, default = (None, None) if _inside_optimizer(clip.made) else _divided_later(training, step)
    if divided is None:
        return about(step, "clip-clean", clip.place, clip=name)
    told = about(step, "clip-before-optimizer", clip.place, also=[step], scale=f"{divided:g}", clip=name)
    return replace(told, possible=default is False)


def _elsewhere(training: TrainingSteps, step: Step, term: Term, terms: Iterable[Term]) -> bool:
    """Whether options left as they are lead past a way, or its scale may as well be none."""
    clean = (other for other in terms if training.factors.is_clean(other))
    return training.factors.by_default(term, step.needs) is False or perhaps_off(training, step, term, clean)


def _is_up(training: TrainingSteps, term: Term) -> bool:
    """Whether it is multiplied by more than it should be."""
    left = training.factors.left(term)
    return any(power > 0 for power in left.values()) or (not left and abs(term.scale) > 1)


def _divided_later(training: TrainingSteps, step: Step) -> tuple[float | None, bool | None]:
    """What each of the optimizers divides by, after clipping, None where one may not; and whether options lead to it."""
    found: set[float | None] = set()
    default = None
    for optimizer, here in training.optimizers(step):
        terms = training.divided(optimizer) or ()
        found |= {None} if not terms else {None if term.powers or term.number == 1 else term.number for term in terms}
        default = training.factors.by_default(here)
    numbers = [number for number in found if number is not None]
    return (numbers[0] if numbers and None not in found else None), default


def _inside_optimizer(made: Call) -> bool:
    return any(is_optimizer(frame.owner) for frame in frames_around(made.frame))


def _taken_off_later(training: TrainingSteps, step: Step, terms: list[Term]) -> set[Any]:
    """What was put on the loss, still is there where gradients are clipped, and no more where they are used."""
    later = {key for term in training.carried(step) for key, _ in term.powers}
    if any(term.unsure for term in (*terms, *training.carried(step))):
        return set()
    on = [{key for key, power in term.powers if power > 0} for term in terms]
    return {key for key in set.intersection(*on) if key not in later} if on else set()


def clips(training: TrainingSteps, step: Step) -> Iterator[Clip]:
    """Where the gradients of a step are clipped, in order."""
    wanted = {key for term in training.carried(step) for key in term.gradients}
    for call in training.calls:
        done = operation(call)
        written_out = done.does in ("mul", "div") and len(done.operands) == 2 and _by_norm(training, call)
        if not done.operands or not (done.name in _CLIPS or written_out):
            continue
        operand = done.operands[0]
        terms = training.factors.of(operand)
        if wanted & {key for term in terms for key in term.gradients}:
            yield Clip(call, operand, _outermost(call, step))


def _by_norm(training: TrainingSteps, call: Call) -> bool:
    """Gradients multiplied by a number that was made of their norm: clipping written out."""
    one, other = operation(call).operands
    if one is other or _inside_optimizer(call):
        return False
    if not training.is_gradient(one) or not training.is_gradient(other):
        return False
    names = {operation(v).name for v in _limited(other) if isinstance(v, Call)}
    return bool(names & {"norm", "sqrt", "l2norm", "pow"}) and not any(v is one for v in options(other))


def _limited(value: Value) -> Iterator[Value]:
    for place, part in enumerate(sources(value)):
        if place > 60:
            return
        yield part


def _outermost(call: Call, step: Step) -> SourcePlace:
    """The call within the function of the step that leads to the clipping."""
    home, below = step.frame, call.frame
    if below is home or below is None:
        return call
    for frame in frames_around(below):
        if frame.parent is home:
            return frame
    return call


def _name(made: Call) -> str:
    if made.name == "" and isinstance(made.base, Call):
        return made.base.last
    if not made.name[:1].isalpha() and isinstance(made.node, ast.expr):
        return made.source.segment(made.node, 60)  # clipping written out
    return made.last or made.name


# --- optimizers of the project that clip ------------------------------------------------------------------------------


def _in_optimizer(training: TrainingSteps, step: Step) -> Iterator[Remark]:
    """With a scale that only the optimizer takes off, an optimizer that clips first clips scaled gradients."""
    optimizers = [option for option in options(step.optimizer) if isinstance(option, Instance)]
    scale = _left_to_optimizer(training, step) if optimizers else None
    for optimizer in optimizers:
        for frame in training.frames:
            if frame.owner is optimizer and frame.function.name == "construct":
                yield from _in_update(training, step, frame, scale)


def _in_update(training: TrainingSteps, step: Step, update: Frame, scale: str | None) -> Iterator[Remark]:
    """Whether an update of an optimizer takes the scale off before it clips what it is given."""
    given = [value for name, value in update.parameters.items() if name != "self"]
    within = [call for call in training.calls if update.order < call.order <= update.end]
    clip = next((call for call in within if _clips_any(call, given)), None)
    if clip is None:
        return
    divides = [call for call in within if call.name in _DIVIDES]
    if any(call.order < clip.order for call in divides) or scale is None:
        yield about(step, "clip-clean", clip, clip=_name(clip))
    else:
        yield about(step, "clip-scaled", clip, not divides, also=[step], scale=scale, clip=_name(clip))


def _clips_any(call: Call, given: list[Value]) -> bool:
    """Whether a call clips what was made of one of these values."""
    done = operation(call)
    return done.name in _CLIPS and any(part in given for first in done.operands[:1] for part in _limited(first))


def _left_to_optimizer(training: TrainingSteps, step: Step) -> str | None:
    """The scale of a framework's step that the optimizer has to take off; None where there is none."""
    value = step.sens if step.kind == "cell" else None
    for manager in options(step.manager) if step.kind == "model" else ():
        if isinstance(manager, Call) and manager.api in FIXED:
            drops = manager.argument(["loss_scale", "drop_overflow_update"], "drop_overflow_update")
            if is_known(drops, False):
                value = manager.argument(["loss_scale"], "loss_scale")
    if value is None:
        return None
    numbers = {term.number for term in training.factors.of(value, True) if not term.powers}
    return None if numbers <= {1.0} else f"{numbers.pop():g}"


# --- mending ----------------------------------------------------------------------------------------------------------


def _swapped(step: Step, clip: Clip) -> list[Edit]:
    """The two lines exchanged, where the next statement takes the scale off the same variable."""
    source, first, last = span(clip.place)
    if source is not step.source or clip.place is not clip.made:
        return []
    for one, two in (pair for block in _blocks(source.tree) for pair in itertools.pairwise(block)):
        if one.lineno <= first and (one.end_lineno or 0) >= last and _takes_off(two, one):
            start, middle, end = one.lineno, two.lineno, two.end_lineno or two.lineno
            lines = [*source.lines[middle - 1 : end], *source.lines[start - 1 : middle - 1]]
            return [(start, end, lines)]
    return []


def _takes_off(statement: ast.stmt, before: ast.stmt) -> bool:
    """Whether a statement takes the scale off the very variable that the line before it clips."""
    name = _assigned(before)
    if name is None or name != _assigned(statement):
        return False
    beside = (before.end_lineno or before.lineno) + 1 == statement.lineno and before.col_offset == statement.col_offset
    return beside and _unscales(statement) and _reads(before, name) and _reads(statement, name)


def _unscales(statement: ast.stmt) -> bool:
    """Whether a statement takes the scale off, by its text."""
    text = ast.unparse(statement).lower()
    return any(word in text for word in ("unscale", "grad_scale", "/", "reciprocal"))


def _assigned(statement: ast.stmt) -> str | None:
    """The variable that a statement sets, where it sets one and nothing else."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else None


def _reads(statement: ast.stmt, name: str) -> bool:
    value = statement.value if isinstance(statement, ast.Assign) else statement
    return any(isinstance(node, ast.Name) and node.id == name for node in walk(value))


def _blocks(tree: Any) -> Iterator[list[Any]]:
    for node in walk(tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield block
