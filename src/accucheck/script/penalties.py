"""Whether a gradient penalty is made of gradients without a loss scale."""

from __future__ import annotations

from collections.abc import Iterator

from .factors import Term, gradient, operation
from .loss_scaling import key_names, number_text
from .remarks import Remark, merged, remark
from .training_steps import TrainingSteps
from .values import Call, KnownValue, Value

#: A factor on gradients within these is a weight or a norm to reach, not a scale.
FROM, TO = 1 / 16, 16.0
#: A constant below this guards a root or a division.
GUARD = 1e-2

_BENDS = frozenset({"square", "norm", "l2norm", "pow", "sqrt", "rsqrt", "sumsq", "inplaceadd"})


def examine(training: TrainingSteps) -> list[Remark]:
    """What there is to say about gradient penalties in one reading."""
    return merged(_examine(training))


def _examine(training: TrainingSteps) -> Iterator[Remark]:
    own = [step for step in training.steps if step.kind == "own"]
    updates = {key for step in own for term in training.carried(step) for key in term.gradients}
    inner = any(gradient(call) is not None and id(call) not in updates for call in training.calls)
    calls = reversed(training.calls) if inner else ()
    bends = {(c.source.file, c.line): c for c in calls if _bends(training, c, updates)}
    told = [one for bend in reversed(bends.values()) for one in _judged(training, bend, updates)]
    yield from told
    steps = training.judged_steps()
    if not told:
        yield remark(steps[0], "no-penalty") if steps else training.no_step()


def _inner(training: TrainingSteps, value: Value, updates: set[int]) -> list[Term]:
    """The terms of a value that hold a gradient which does not update weights."""
    return [term for term in training.factors.of(value) if term.gradients - updates]


def _bends(training: TrainingSteps, call: Call, updates: set[int]) -> bool:
    """An operation that makes a penalty of a gradient: a norm, a square, a product with itself."""
    done = operation(call)
    if done.name in _BENDS and done.operands:
        return bool(_inner(training, done.operands[0], updates))
    if done.does == "mul" and len(done.operands) == 2:
        return all(_inner(training, operand, updates) for operand in done.operands)
    return False


def _judged(training: TrainingSteps, bend: Call, updates: set[int]) -> Iterator[Remark]:
    factors = training.factors
    wanted = {
        key for term in _inner(training, operation(bend).operands[0], updates) for key in term.gradients - updates
    }
    entry = _inner(training, operation(bend).operands[0], updates)
    scaled = [term for term in entry if not term.unsure and not _plain(training, term)]
    sums = [call for call in training.calls if call.order > bend.order and _adds(training, call, wanted)]
    for call in sums:
        bent = _bent(training, call, wanted)
        bad = [term for term in bent if not _plain(training, term)]
        if bad and len(bad) == len(bent) and not any(term.unsure for term in bad):
            yield remark(call, "penalty-scaled", scale=_scale(training, bad), also=[bend])
            return
    if scaled and len(scaled) == len(entry) and not sums:
        yield remark(bend, "penalty-scaled", scale=_scale(training, scaled))
    elif any(term.unsure for term in entry):
        yield remark(bend, "penalty-unknown")
    else:
        uses = bool(factors.gradients) and _scales_anywhere(training)
        yield remark(bend, "penalty-clean" if uses else "penalty-without-scale")


def _adds(training: TrainingSteps, call: Call, wanted: set[int]) -> bool:
    """A penalty combined with something that is not a gradient: the target norm, or another loss."""
    return bool(_bent(training, call, wanted))


def _bent(training: TrainingSteps, call: Call, wanted: set[int]) -> list[Term]:
    done = operation(call)
    if done.does not in ("add", "sub") or len(done.operands) < 2:
        return []
    sides = [[t for t in training.factors.of(side) if t.gradients & wanted] for side in done.operands[:2]]
    if bool(sides[0]) is bool(sides[1]):
        return []
    place = 0 if sides[0] else 1
    other = done.operands[1 - place]
    # A weight is free to be anything once the norm has been compared, so only a constant tells.
    if not isinstance(other, KnownValue) or not isinstance(other.value, (int, float)) or abs(other.value) < GUARD:
        return []
    return sides[place] if _is_bent(training, done.operands[place], 0) else []


def _is_bent(training: TrainingSteps, value: Value, depth: int) -> bool:
    """Whether a norm, a root or a square lies between a value and the gradient."""
    if depth > 24 or not isinstance(value, Call):
        return False
    done = operation(value)
    if done.name in _BENDS:
        return True
    if done.does == "mul" and all(training.is_gradient(operand) for operand in done.operands):
        return True
    if value.name == "[]" or value.name == ".each":
        return value.base is not None and _is_bent(training, value.base, depth + 1)
    return any(_is_bent(training, operand, depth + 1) for operand in done.operands if training.is_gradient(operand))


def _plain(training: TrainingSteps, term: Term) -> bool:
    return not training.factors.left(term) and (term.number == 0 or FROM <= abs(term.number) <= TO)


def _scale(training: TrainingSteps, terms: list[Term]) -> str:
    keys = {key for term in terms for key in training.factors.left(term)}
    return ", ".join(key_names(training, keys)) or number_text(terms[0].number)


def _scales_anywhere(training: TrainingSteps) -> bool:
    """Whether the script scales a loss at all."""
    own = any(term.put_on for step in training.steps if step.kind == "own" for term in training.carried(step))
    return own or any(
        step.kind == "scale cell" or step.manager is not None or step.sens is not None for step in training.steps
    )
