"""Networks that are trained against each other: whether they do pull the score of what one of them makes in opposite directions.

A step wants its loss to fall. What that asks of the scores in it is followed back through sums, signs, averages and functions that
rise, and through losses with constant labels: a score is to rise or fall without end, or to come to a number. A critic is the step
that wants one thing of scores of samples that another step's network made and something else of all others; that other step has to
want the opposite of it.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from .direction import ascends
from .effects import TAKEN, effect, kept, operands
from .factors import operation
from .freezing import Step, reach, scan_of
from .losses import Application, Losses, Observation, applied, passes_on
from .networks import is_layer, structure_of
from .training_steps import training
from .values import Call, Items, KnownValue, Many, Value, frames_around, options

#: Values between a loss and the scores in it are looked at, and steps of one script.
LIMIT, STEPS = 2000, 8
_COMPUTES: dict[str, Callable[[float, float], float]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
}
_BINARY = ("probabilities", "logits")


class ScorePull(NamedTuple):
    """What a step wants of a score: `want` is a number, or infinite where it is to rise or fall without end."""

    want: float
    score: Call

    @property
    def layer(self) -> Value:
        assert self.score.base is not None
        return self.score.base


class Player:
    """A step with what it wants of scores."""

    def __init__(self, step: Step) -> None:
        self.step, self.pulls = step, list(pulls(step.loss))

    @property
    def place(self) -> Value:
        return _formula(self.step.loss)

    def behind(self, score: Call, stop: bool) -> frozenset[int]:
        """The layers that a score is computed with; with `stop`, those that a gradient reaches."""
        return reach(score, stop)[0]


def examine(losses: Losses) -> Iterator[Observation]:
    """Pairs of steps of which both pull the score of generated samples the same way, each pair once."""
    steps = scan_of(structure_of(losses.reading)).steps
    if len(steps) < 2 or ascends(training(losses.reading)):
        return
    players = [Player(step) for step in steps[:STEPS] if step.trained]
    told: set[tuple[int, int]] = set()
    for critic in players:
        for generator in players:
            where = id(critic.step.node), id(generator.step.node)
            if where in told or critic.step.trained & generator.step.trained:
                continue
            if found := list(_between(critic, generator)):
                told.add(where)
                yield from found


def _between(critic: Player, generator: Player) -> Iterator[Observation]:
    """What is wrong between two steps, by the first layer that shows it."""
    layers = _layers(critic)
    agreed = next((layer for layer in layers if _agree(critic, generator, layer)), None)
    if agreed is not None:
        yield from _observations(critic, generator, agreed)
    elif isinstance(critic.place, Call) and any(_takes_same_for_both(critic, generator, layer) for layer in layers):
        yield Observation("same-for-both", critic.place, {})
    elif any(_is_indifferent(critic, generator, layer) for layer in layers) and isinstance(critic.place, Call):
        place = generator.place if isinstance(generator.place, Call) else None
        yield Observation("nothing-told-apart", critic.place, {}, place)


def _observations(critic: Player, generator: Player, layer: Value) -> Iterator[Observation]:
    """Told at the critic where it wants real samples to score lower, which is unusual, at the generator otherwise."""
    made, others = _sides(critic, generator, layer)
    odd = max(made) > min(others)
    first, second = (critic, generator) if odd else (generator, critic)
    if isinstance(first.place, Call):
        yield Observation("same-direction", first.place, {}, second.place if isinstance(second.place, Call) else None)


def _layers(critic: Player) -> list[Value]:
    """The trained layers that give the scores of a critic."""
    found = {id(pull.layer): pull.layer for pull in critic.pulls if id(pull.layer) in critic.step.trained}
    return list(found.values())


def _sides(critic: Player, generator: Player, layer: Value) -> tuple[set[float], set[float]]:
    """What a critic wants of scores of generated samples, and of all others."""
    made, others = set[float](), set[float]()
    for pull in critic.pulls:
        if pull.layer is layer:
            generated = critic.behind(pull.score, stop=False) & generator.step.trained
            (made if generated else others).add(pull.want)
    return made, others


def _agree(critic: Player, generator: Player, layer: Value) -> bool:
    """Whether a generator wants of the score of what it makes what its critic wants, or even more."""
    made, others = _sides(critic, generator, layer)
    own = _own(generator, layer)
    if not len(made) == len(others) == len(own) == 1 or made == others:
        return False
    (low,), (high,), (wanted,) = made, others, own
    return wanted <= low if low < high else wanted >= low


def _own(generator: Player, layer: Value) -> set[float]:
    """What a generator wants of the score of what it makes."""
    return {
        pull.want
        for pull in generator.pulls
        if pull.layer is layer and generator.behind(pull.score, stop=True) & generator.step.trained
    }


def _is_indifferent(critic: Player, generator: Player, layer: Value) -> bool:
    """Whether a critic wants one thing of the scores of all samples, generated or not. What both networks want to be small may be a
    penalty."""
    made, others = _sides(critic, generator, layer)
    own = _own(generator, layer)
    penalty = own == made and max(made, default=0) <= 0
    return len(made) == 1 and made == others and bool(own) and not penalty


def _takes_same_for_both(critic: Player, generator: Player, layer: Value) -> bool:
    """Whether a critic wants two things of scores of the same samples, and scores nothing that its generator made."""
    made, others = _sides(critic, generator, layer)
    if made or len(others) < 2 or not _own(generator, layer):
        return False
    first, *rest = [pull.score for pull in critic.pulls if pull.layer is layer]
    return all(_are_of_the_same(first, score) for score in rest)


def _are_of_the_same(one: Call, other: Call) -> bool:
    """Whether a network gives two scores of one and the same values, by what its outermost cell is given for each."""
    around = [list(frames_around(score.frame)) for score in (one, other)]
    shared = {id(frame) for frame in around[0]} & {id(frame) for frame in around[1]}
    own = [[frame for frame in frames if id(frame) not in shared] for frames in around]
    if not all(own):
        return False
    given = [[id(value) for value in frames[-1].parameters.values()] for frames in own]
    return given[0] == given[1]


def _formula(loss: Value) -> Value:
    """The expression that a differentiated function returns, within the functions that it calls."""
    for _ in range(LIMIT):
        if isinstance(loss, Call) and loss.result is not None:
            loss = loss.result
        elif isinstance(loss, (Many, Items)) and (inner := _parts(loss)):
            loss = inner[0]
        else:
            break
    return loss


def _parts(value: Many | Items) -> list[Value]:
    return list(options(value)) if isinstance(value, Many) else value.items


# --- what a step wants of scores --------------------------------------------------------------------------------------


def pulls(loss: Value) -> Iterator[ScorePull]:
    """What a step that makes a loss fall wants of the results of layers, as far as it is followed."""
    queue, seen = [(loss, -math.inf)], set[tuple[int, float]]()
    while queue and len(seen) < LIMIT:
        value, want = queue.pop()
        if (id(value), want) in seen:
            continue
        seen.add((id(value), want))
        if isinstance(value, (Many, Items)):
            queue += [(part, want) for part in _parts(value)]
        elif isinstance(value, Call):
            if value.name == "" and value.base is not None and is_layer(value.base):
                yield ScorePull(want, value)
            else:
                queue += _wanted(value, want)


def _wanted(made: Call, want: float) -> Iterable[tuple[Value, float]]:
    """What is wanted of the operands of a call when something is wanted of its result."""
    if (application := applied(made)) is not None:
        return _of_loss(application, want)
    done = operation(made) if made.result is None else None
    if done is not None and len(done.operands) == 2 and done.does in ("add", "sub"):
        return _of_sum(done.operands, want, done.does != "add")
    if done is not None and len(done.operands) == 2 and done.does in ("mul", "div"):
        return _of_product(done.operands, want, done.does == "div")
    if done is not None and _is_even(made):
        return [(done.operands[0], 0.0)] if want == -math.inf else []
    known = effect(made)
    turned = known is not None and known.keeps == "negated"
    return [(value, -want if turned else want) for value in _risen(made, turned)]


def _risen(made: Call, turned: bool) -> list[Value]:
    """The operands with which a result rises; or falls, where it is `turned`."""
    known = effect(made)
    if made.result is not None:
        return [made.result]
    if turned or (known is not None and known.rises):
        return operands(made)
    if made.name == "sum":  # Python's own
        return made.args[:1]
    step = passes_on(made)
    return step[0] if step is not None and not step[1] else []


def _of_sum(sides: list[Value], want: float, minus: bool) -> list[tuple[Value, float]]:
    """Of a sum with a constant, another number is wanted of the rest; of one of two terms, no number is wanted."""
    left, right = sides
    first, second = constant(left), constant(right)
    if second is not None:
        return [(left, want + second if minus else want - second)]
    if first is not None:
        return [(right, first - want if minus else want - first)]
    return [(left, want), (right, -want if minus else want)] if math.isinf(want) else []


def _of_product(sides: list[Value], want: float, divides: bool) -> list[tuple[Value, float]]:
    left, right = sides
    first, second = constant(left), constant(right)
    if second:
        return [(left, want * second if divides else want / second)]
    return [(right, want / first)] if first and not divides else []


def _of_loss(application: Application, want: float) -> list[tuple[Value, float]]:
    """Of predictions in a loss that is to fall or rise, where its labels are one number."""
    label = constant(application.labels)
    known = application.known
    if application.prediction is None or label is None or known.labels != "same-shape" or math.isfinite(want):
        return []
    if known.expects in _BINARY and label in (0, 1):
        return [(application.prediction, want if label == 0 else -want)]
    return [(application.prediction, label)] if want < 0 else []


def _is_even(made: Call) -> bool:
    """Whether an operation is least at 0 and rises to both sides."""
    done = operation(made)
    if done.does == "pow":
        return len(done.operands) == 2 and constant(done.operands[1]) == 2
    known = effect(made)
    if known is None or not done.operands:
        return False
    size = known.keeps == "factor" and known.low == 0 and known.axes and not known.rises
    return size or known.power == 2


def constant(value: Value | None, depth: int = 0) -> float | None:
    """The number that each element of a value is; None where it is not seen."""
    if isinstance(value, KnownValue) and isinstance(value.value, (int, float)):
        return float(value.value)
    if not isinstance(value, Call) or depth > 24:
        return None
    known = effect(value)
    if known is not None and known.constant is not None:
        return known.constant
    numbers = {constant(part, depth + 1) for part in kept(value, *TAKEN) or ()}
    return numbers.pop() if len(numbers) == 1 else _computed(value, depth)


def _computed(made: Call, depth: int) -> float | None:
    """The sum, difference or product of two constants."""
    done = operation(made)
    computes = _COMPUTES.get(done.does)
    if computes is None or len(done.operands) != 2:
        return None
    left, right = (constant(operand, depth + 1) for operand in done.operands)
    return None if left is None or right is None else computes(left, right)
