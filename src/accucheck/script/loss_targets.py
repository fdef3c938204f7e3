"""What the labels and the averages of losses leave of them: one output that is held against the labels of another, which no loss reads;
labels that are smoothed until most of their weight lies on wrong classes, or are the same for all classes; random numbers that the network
is to predict and never sees; a target of knowledge distillation without the temperature of the prediction; a mean that is divided by the
number of samples again.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations
from typing import TypeGuard

from . import flow
from .direction import difference, product_of
from .effects import describes, effect, kept, named_arguments, operands
from .exchanged_arguments import number_given
from .factors import operation
from .freezing import reach
from .losses import Application, Losses, Observation, applied, encoded, heads, known_name, passes_on
from .values import Call, Items, KnownValue, UnknownValue, Value, options

#: Labels that keep less than this of their weight on the class itself are of no use.
LEAST = 0.5
#: Values within values are looked into so far.
DEEP = 12


def examine(losses: Losses) -> Iterator[Observation]:
    yield from _outputs_left(losses)
    yield from _smoothed(losses)
    yield from _divided_again(losses)
    yield from _never_shown(losses)
    yield from _at_other_temperature(losses)
    yield from _focused_on_the_easy(losses)


# --- one output for the labels of two ---------------------------------------------------------------------------------


def _outputs_left(losses: Losses) -> Iterator[Observation]:
    """Two losses of one kind, on one output and different labels, while another output of the same network is read by none."""
    minimised = losses.contributing
    trained = [each for each in losses.applications if id(each.place) in minimised]
    told: set[int] = set()
    for one, other in combinations(trained, 2):
        if id(other.place.node) in told or not _holds_one_output_twice(one, other):
            continue
        left = next((each for each in _beside(losses, one.prediction) if id(each) not in minimised), None)
        if left is not None and _is_alike(left, one.prediction):
            told.add(id(other.place.node))
            yield Observation("output-left", other.place, {"loss": known_name(other)}, one.place, certain=False)


def _holds_one_output_twice(one: Application, other: Application) -> bool:
    """Whether two applications of one loss take the same prediction and labels that have nothing in common, as those of a mixture of
    samples have."""
    if one.loss != other.loss or one.prediction is not other.prediction or one.prediction is None:
        return False
    first, second = _read(one.labels), _read(other.labels)
    if first is None or second is None:
        return False
    return not flow.derives(first, second) and not flow.derives(second, first)


def _read(labels: Value | None) -> Value | None:
    """What labels are read from, behind changes of type and shape; None where they are computed otherwise."""
    labels = _origin(labels, items=False) if labels is not None else None
    if isinstance(labels, Call) and labels.name in (".item", "[]"):
        return labels if all(isinstance(place, KnownValue) for place in labels.args) else None
    return labels if isinstance(labels, UnknownValue) else None


def _beside(losses: Losses, output: Value | None) -> Iterator[Value]:
    """The other outputs of the networks that give this one."""
    for frame in losses.trace.frames:
        for returned in options(frame.returned):
            if isinstance(returned, Items) and any(part is output for part in returned.items):
                yield from (part for part in returned.items if part is not output)


def _is_alike(left: Value, output: Value | None) -> bool:
    """Whether two outputs are both scores, and neither is made of the other, as scores are of features."""
    if output is None or flow.derives(output, left) or flow.derives(left, output):
        return False
    return all({head.gives for head in heads(part)} == {"logits"} for part in (left, output))


# --- smoothed labels --------------------------------------------------------------------------------------------------


def _smoothed(losses: Losses) -> Iterator[Observation]:
    for one in losses.applications:
        given = _arguments(one).get("label_smoothing")
        share = given.value if isinstance(given, KnownValue) else None
        if isinstance(share, (int, float)) and share > 1 - LEAST:
            yield Observation("smoothed-away", one.cell or one.place, {"share": f"{share:g}"}, certain=False)
        made = encoded(one.labels) if one.labels is not None else None
        on, off = (number_given(made, place, name) for place, name in ((2, "on_value"), (3, "off_value")))
        if made is None or on is None or off is None:
            continue
        if on == off:
            yield Observation("classes-alike", made, {"value": f"{on:g}"}, certain=False)
        elif 0 < off <= on < LEAST:
            yield Observation("smoothed-away", made, {"share": f"{1 - on:g}"}, certain=False)


def _arguments(one: Application) -> dict[str, Value]:
    """What a loss is made with, or a function of a loss is given."""
    return one.arguments if one.cell is None else named_arguments(one.cell)


# --- targets ----------------------------------------------------------------------------------------------------------


def _never_shown(losses: Losses) -> Iterator[Observation]:
    """Predictions that are compared with fresh random numbers, which are used for nothing else: the network is not given them."""
    told: set[int] = set()
    for part in losses.contributing.values():
        sides = _compared(part) if isinstance(part, Call) else []
        for target, prediction in permutations(sides) if len(sides) == 2 else ():
            if id(target) not in told and _is_random(target) and _is_used_once(losses, target):
                told.add(id(target))
                if reach(prediction, stop=True)[0] and isinstance(part, Call):
                    yield Observation("target-random", part, {}, target, certain=False)


def _is_used_once(losses: Losses, target: Value) -> bool:
    """Whether drawn numbers, and what they are but for their type, go into one call."""
    for _ in range(DEEP):
        users = {id(user.node) for user, _ in losses.users.get(id(target), ())}
        if len(users) != 1:
            return False
        inner = kept(target, "same") if isinstance(target, Call) else None
        if not inner or len(inner) != 1:
            break
        (target,) = inner
    return True


def _compared(made: Call) -> list[Value]:
    """The two that a distance compares, of MindSpore or written out."""
    application = applied(made)
    if application is not None:
        pair = (application.prediction, application.labels)
        known = application.known.labels == "same-shape" and application.known.expects == "raw"
        return [side for side in pair if side is not None] if known else []
    apart = difference(made)
    return operation(apart).operands[:2] if apart is not None else []


def _is_random(value: Value) -> bool:
    """Whether a value is drawn, and nothing but its type changed since: as samples of a prior, to which those of a network are compared
    one by one, it would have another form."""
    while isinstance(value, Call) and (inner := kept(value, "same")) and len(inner) == 1:
        (value,) = inner
    known = effect(value) if isinstance(value, Call) else None
    return known is not None and known.kind == "random"


def _at_other_temperature(losses: Losses) -> Iterator[Observation]:
    """A divergence whose prediction was divided by a temperature above 1, while its target was not."""
    for one in losses.applications:
        if one.known.expects != "log-probabilities" or one.known.labels != "same-shape":
            continue
        warm, cold = _temperature(one.prediction), _temperature(one.labels)
        if warm is not None and cold is not None and warm > 1 and cold == 1:
            yield Observation("temperature-missing", one.place, {"by": f"{warm:g}"}, certain=False)


def _temperature(value: Value | None) -> float | None:
    """What the scores behind a softmax are divided by; None where no softmax, or no constant, is seen."""
    for _ in range(DEEP):
        known = effect(value) if isinstance(value, Call) else None
        if known is None or not isinstance(value, Call):
            return None
        inner = operands(value)[:1]
        if known.operation in ("softmax", "log_softmax"):
            return _divisor(inner[0]) if inner else None
        if known.gives != "log" and not kept(value, "same", "order") and known.operation != "stop_gradient":
            return None
        value = inner[0] if inner else None
    return None


def _divisor(scores: Value) -> float | None:
    """The constant that scores are divided by, 1 where they are the result of a layer or network as it is."""
    done = operation(scores) if isinstance(scores, Call) else None
    if done is None or done.does not in ("mul", "div") or len(done.operands) != 2:
        return 1.0
    given = done.operands[1].value if isinstance(done.operands[1], KnownValue) else None
    if not isinstance(given, (int, float)) or not given:
        return None
    return float(given) if done.does == "div" else 1 / given


def _focused_on_the_easy(losses: Losses) -> Iterator[Observation]:
    """The logarithm of a probability, weighed with a power of that probability: p ** g * log(p) in place of (1 - p) ** g * log(p)."""
    told: set[int] = set()
    for part in losses.contributing.values():
        if not isinstance(part, Call) or operation(part).does != "mul" or id(part.node) in told:
            continue
        factors = product_of(part)[0]
        if any(_is_power_of(one, other) for one, other in permutations(factors, 2)):
            told.add(id(part.node))
            yield Observation("focus-turned", part, {}, certain=False)


def _is_power_of(factor: Value, logarithm: Value) -> bool:
    """Whether a factor is a power above 1 of the probability whose logarithm the other one is."""
    base, of = _raised(factor), _plain(logarithm)
    if base is None:
        return False
    if _does(base, "exp"):
        return _plain(operands(base)[0]) is of and _gives(of, "log-probabilities")
    return _does(of, "log") and _plain(operands(of)[0]) is base and _gives(base, "probabilities")


def _raised(factor: Value) -> Value | None:
    """What a power above 1 is of."""
    done = operation(factor) if isinstance(factor, Call) else None
    exponent = done.operand(1, "exponent") if done is not None and done.does == "pow" else None
    power = exponent.value if isinstance(exponent, KnownValue) else None
    if done is None or not isinstance(power, (int, float)) or power <= 1:
        return None
    return _plain(done.operands[0])


def _does(value: Value, what: str) -> TypeGuard[Call]:
    known = effect(value) if isinstance(value, Call) else None
    return known is not None and what in (known.operation, known.gives)


def _gives(value: Value, form: str) -> bool:
    return {head.gives.removeprefix("element ") for head in heads(value)} == {form}


def _plain(value: Value) -> Value:
    """What stands behind a guard, a limit, and changes of form and type."""
    for _ in range(DEEP):
        known = effect(value) if isinstance(value, Call) else None
        # Elements by their numbers, several together, and what no gradient goes through stand for themselves.
        takes = known is None or known.picks or known.reduces or known.stops
        step = passes_on(value) if isinstance(value, Call) and not takes else None
        if step is None or step[1] or len(step[0]) != 1:
            break
        value = step[0][0]
    return value


# --- means that are divided again -------------------------------------------------------------------------------------


def _divided_again(losses: Losses) -> Iterator[Observation]:
    """The mean over a batch that is divided by the number of its samples."""
    told: set[int] = set()
    for one in losses.applications:
        if losses.reduction_of(one) != "mean":
            continue
        for user, how in losses.users.get(id(one.place), ()):
            done = operation(user)
            divides = done.does == "div" and how in ("0", "base") and id(user.node) not in told
            if divides and _counts_samples(done.operands[-1], one):
                told.add(id(user.node))
                yield Observation("mean-divided", user, {"loss": known_name(one)}, one.place, certain=False)


def _counts_samples(divisor: Value, one: Application) -> bool:
    """Whether a divisor is the length of the predictions or labels of a loss, or of what these are computed of."""
    divisor = _origin(divisor, items=False)
    counted = _counted(divisor)
    given = (one.prediction, one.labels)
    return counted is not None and any(flow.derives(value, _origin(counted), describes) for value in given if value)


def _counted(divisor: Value) -> Value | None:
    """x of len(x), x.shape[0] and the like."""
    if not isinstance(divisor, Call):
        return None
    if divisor.name == "len":
        return divisor.args[0] if divisor.args else None
    first = isinstance(divisor.args[0], KnownValue) and divisor.args[0].value == 0 if divisor.args else False
    if divisor.name == "[]" and first and isinstance(divisor.base, Call) and describes(divisor.base):
        return next(iter(operands(divisor.base)), None)
    return None


def _origin(value: Value, items: bool = True) -> Value:
    """What an array is but for its type and form; without `items` an index ends that, whatever it takes."""
    for _ in range(DEEP):
        passed = isinstance(value, Call) and (items or value.name != "[]")
        inner = kept(value, "same", "order", "whole") if isinstance(value, Call) and passed else None
        if not inner or len(inner) != 1:
            break
        value = inner[0]
    return value
