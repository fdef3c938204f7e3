"""Which way what is minimised moves with a loss: the sign with which a loss reaches the value that gradients are taken of.

Known losses fall as predictions get better, and so do distances written out, as the mean of (a - b) ** 2; the log-probability of the
labels rises, whether a product with one-hot labels takes it or their numbers do, and so do the log-probability that one score is above
another and what boxes have in common. From there the sign is followed through sums,
products, quotients and averages. A factor that may be negative leaves it unsure; with a log-probability it may be a reward.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, combinations, permutations, product
from operator import is_
from textwrap import shorten
from typing import NamedTuple

from ..knowledge import api, suites
from . import flow
from .effects import TAKEN, effect, kept, operands
from .factors import Operation, comparison, gradient, operation
from .freezing import applies, learnable, reach, scan_of
from .losses import Application, Losses, Observation, applied, encoded, heads, passes_on
from .networks import base_names, is_parameter, kind_of, structure_of
from .training_steps import Step, TrainingSteps, training
from .values import Call, Frame, Instance, Items, KnownValue, Many, UnknownValue, Value, exclusive, is_known, options

#: Values within values, and factors of one product, are followed so far.
DEEP = 60


@dataclass(frozen=True)
class LossDirection:
    """A loss within a value: `falls` when the value falls as predictions get better; `sure` unless something on the way is not
    known, `weighed` when that is no more than a weight that was read once, as from a configuration; `turn` is where the sign was
    turned last. `likelihood`: the log-probability of the labels that the loss is, or has in it, perhaps negated."""

    falls: bool
    loss: Call
    sure: bool = True
    weighed: bool = False
    turn: Call | None = None
    likelihood: Call | None = None

    def turned(self, by: Call) -> LossDirection:
        return replace(self, falls=not self.falls, turn=by)


def examine(losses: Losses) -> list[Observation]:
    """Losses that are made larger by the steps that follow their gradient, and likelihoods that these steps raise."""
    steps = training(losses.reading)
    directions = Directions(trained_layers(losses))
    if ascends(steps):
        return list(_turned_gradients(losses, steps, directions))
    values = list(minimised(losses, steps))
    found = _to_tell(values, directions)
    terms = {id(term.turn or term.loss): term for value in values for term in directions.turned_terms(value)}
    said = [_observation(way, compete(losses, steps, way) or set_by_hand(losses, steps)) for way in found.values()]
    terms = {turn: term for turn, term in terms.items() if turn not in found and not compete(losses, steps, term)}
    return [*said, *(_observation(term, set_by_hand(losses, steps)) for term in terms.values())]


def _to_tell(values: Iterable[Value], directions: Directions) -> dict[int, LossDirection]:
    """The ways of values that rise with a loss, or that are likelihoods, by the id of what turned the sign."""
    found: dict[int, LossDirection] = {}
    for way in chain.from_iterable(map(directions.ways, values)):
        if way.likelihood or not way.falls:
            found.setdefault(id(way.turn or way.loss), way)
    return found


def unseen(losses: Losses) -> list[Observation]:
    """What is minimised and could not be followed to a loss: its sign is not judged."""
    directions = Directions(trained_layers(losses))
    values = (value for value in minimised(losses, training(losses.reading)) if isinstance(value, Call))
    lost = {id(value.node): value for value in values if not directions.sees_loss(value)}
    return [Observation("sign-unseen", value) for value in lost.values()]


def _turned_gradients(losses: Losses, steps: TrainingSteps, directions: Directions) -> Iterator[Observation]:
    """Gradients of a loss that all reach the only optimizer with their sign turned, once."""
    ways = [way for value in minimised(losses, steps) for way in directions.ways(value)]
    turns = _turns(steps)
    if turns and ways and all(map(_is_plain, ways)) and not set_by_hand(losses, steps):
        for turn in turns:
            yield Observation("gradients-negated", turn, {"loss": _title(ways[0].loss)}, ways[0].loss, certain=False)


def _turns(steps: TrainingSteps) -> list[Call]:
    """Where each step of the only optimizer negates its gradients; none where a step does not."""
    judged = [step for step in steps.judged_steps() if not steps.only_evaluates(step)]
    held = {id(option) for step in judged for option in options(step.optimizer)}
    turns = [_negation_before(steps, step) for step in judged]
    found = {id(turn.node): turn for turn in turns if turn is not None}
    return list(found.values()) if len(held) == 1 and None not in turns else []


def _is_plain(way: LossDirection) -> bool:
    """Whether a loss is sure to fall as predictions get better."""
    return way.falls and way.sure and way.likelihood is None


def _negation_before(steps: TrainingSteps, step: Step) -> Call | None:
    """The only negation of gradients that a step applies, where they come to the optimizer on no way around it."""
    keys = {key for term in steps.carried(step) for key in term.gradients}
    taken = [steps.factors.gradients[key].call for key in keys]
    negations = [call for call in _negations(steps) if flow.derives(step.gradients, call)]
    if not taken or len({id(call.node) for call in negations}) != 1:
        return None
    around = any(flow.derives(step.gradients, call, lambda part: part in negations) for call in taken)
    return None if around else negations[0]


def minimised(losses: Losses, steps: TrainingSteps) -> Iterator[Value]:
    """What gradients are taken of, but for those of inputs, which may be followed upwards."""
    for call, value in (*losses.trained, *_run_by(steps)):
        taken = gradient(call)
        if taken is None or taken.weights is not None:
            yield value


def _run_by(steps: TrainingSteps) -> Iterator[tuple[Value, Value]]:
    """What the networks give that the framework's own steps run, where no loss is put behind them."""
    returned = {id(frame.owner): frame.returned for frame in steps.frames if frame.function.name == "construct"}
    for step in steps.steps:
        if isinstance(step.place, Frame) or step.kind == "own" or _has_loss(step.place):
            continue
        for network in options(step.network):
            if (value := returned.get(id(network))) is not None:
                yield step.place, value.items[0] if isinstance(value, Items) and value.items else value


def _has_loss(step: Value) -> bool:
    if not isinstance(step, Call):
        return False
    known = api.find(step.api)
    given = step.argument(list(known.positional) if known else [], "loss_fn")
    return given is not None and not is_known(given, None)


def _observation(way: LossDirection, against: bool) -> Observation:
    """`against`: something may work against the optimizer: another optimizer, or weights that are set by hand."""
    if way.falls and way.likelihood is not None:
        return Observation("own-likelihood", way.likelihood)
    unturned = "likelihood-minimised" if way.likelihood is way.loss else "overlap-minimised"
    code = "loss-negated" if way.turn is not None else unturned
    # Being unlike something may be intended, and the share may be that of pairs which do not belong together.
    minimised_itself = way.turn is None and (_is_agreement(way.loss) or _log_share(way.loss) is not None)
    if not way.sure or against or minimised_itself:
        code = "loss-negated-perhaps"
    data = {"loss": _title(way.loss)}
    return Observation(code, way.turn or way.loss, data, way.loss, certain=not way.weighed)


def _title(loss: Call) -> str:
    name = applied(loss)
    own = loss.last if loss.last.isidentifier() else shorten(ast.unparse(loss.node), 60, placeholder=" …")
    return name.loss.rsplit(".", 1)[-1] if name else own


def trained_layers(losses: Losses) -> set[int] | None:
    """The ids of the layers and parameters that optimizers have; None where that is not seen of all of them."""
    held = [given for _, given in scan_of(structure_of(losses.reading)).optimizers]
    return set().union(*held) if held and all(held) else None


def compete(losses: Losses, steps: TrainingSteps, way: LossDirection) -> bool:
    """Whether two optimizers each hold some of the weights that a loss trains which the other has not, or may do so."""
    look, reached = scan_of(structure_of(losses.reading)), reach(way.loss, stop=True)[0]
    given = {id(option): option for step in steps.steps for option in options(step.optimizer)}
    apart = [_held(step) for step in steps.steps]
    if not given:  # gradients that go out of sight before they are applied
        given = {id(optimizer): optimizer for optimizer, _ in look.optimizers}
        apart = [{optimizer} for optimizer in given]
    if not any(_may_meet(given, one, other) for one, other in combinations(apart, 2)):
        return False
    parts = [look.of_optimizer(optimizer) for optimizer in given.values()]
    if not reached or not all(parts):
        return True
    touched = [part & reached for part in parts]
    return any(one - other and other - one for one, other in combinations(touched, 2))


def _may_meet(given: dict[int, Value], one: set[int], other: set[int]) -> bool:
    """Whether two steps have no optimizer in common and one run may have both, as it has not where a setting chooses between them."""
    if one & other:
        return False
    pairs = ((given[left], given[right]) for left, right in product(one, other))
    return any(
        not (isinstance(left, Call) and isinstance(right, Call) and exclusive(left, right)) for left, right in pairs
    )


def set_by_hand(losses: Losses, steps: TrainingSteps) -> bool:
    """Whether a loop that trains weights also writes values into them. A search for the largest loss near the weights does: it puts
    them back after each step."""
    look = scan_of(structure_of(losses.reading))
    for step in steps.steps:
        made_anew = {id(loop) for option in options(step.optimizer) for loop in getattr(option, "loops", ())}
        around = {id(loop) for loop in step.place.loops} - made_anew if isinstance(step.place, Call) else set()
        held = set().union(*(look.of_optimizer(option) for option in options(step.optimizer)))
        beside = (call for call in steps.calls if around & {id(loop) for loop in call.loops})
        if any(held & look.written_by(call) for call in beside):
            return True
    return False


def _held(step: Step) -> set[int]:
    return {id(option) for option in options(step.optimizer)}


def ascends(steps: TrainingSteps) -> bool:
    """Whether gradients of weights are negated before they are applied."""
    return any(_negations(steps))


def _negations(steps: TrainingSteps) -> Iterator[Call]:
    """Where gradients of weights are negated."""
    for call in steps.calls:
        if _is_negation(call) and any(_of_weights(steps, given) for given in operation(call).operands):
            yield call


def _of_weights(steps: TrainingSteps, value: Value) -> bool:
    """Whether a value is a gradient, and of weights: that of an input may be part of a loss."""
    if not steps.is_gradient(value):
        return False
    taken = (gradient(part) for part in flow.sources(value))
    return any(one is not None and (one.weights is not None or one.function is None) for one in taken)


def _is_negation(call: Call) -> bool:
    done = operation(call)
    return done.does == "negate" or (done.does == "mul" and any(_below_zero(given) for given in done.operands))


class Directions:
    """How values move with the losses in them; each value is looked at once."""

    def __init__(self, trained: set[int] | None = None) -> None:
        """`trained`: the ids of the layers and parameters that optimizers have; None where that is not seen."""
        self.trained = trained
        self.known: dict[int, LossDirection | None] = {}
        self.weights: set[int] = set()  # what is added up in a divisor, and so can be nothing but weights or counts
        self.depth = 0

    def of(self, value: Value) -> LossDirection | None:
        """How a value moves with the loss in it; None where that is not known."""
        if id(value) not in self.known:
            self.known[id(value)] = None  # what a value that contains itself finds
            if self.depth < DEEP:
                self.depth += 1
                self.known[id(value)] = self._of(value)
                self.depth -= 1
        return self.known[id(value)]

    def ways(self, value: Value) -> list[LossDirection]:
        """How a value moves; where it may be one of several that do not go alike, how each does, which is not sure."""
        way = self.of(value)
        if way is not None:
            return [way]
        each = map(self.of, options(value) if isinstance(value, Many) else ())
        return [replace(one, sure=False) for one in each if one is not None]

    def sees_loss(self, value: Value) -> bool:
        """Whether a value is known to move with a loss, or a term of it is."""
        return bool(self.ways(value)) or next(self._terms(value), None) is not None

    def turned_terms(self, value: Value) -> list[LossDirection]:
        """The terms of a sum that rise while others fall, and that hardly can be meant to."""
        alone = (replace(term, weighed=True) for term in self.turned_alone(value))
        return [*self.turned_among(value), *alone]

    def turned_alone(self, value: Value) -> list[LossDirection]:
        """The terms of a sum that rise while other losses in it fall, and that train layers which none of the others do: nothing but the
        turned loss tells these layers what to learn."""
        terms = list(self._terms(value))
        rising = [way for way in terms if not way.falls and way.sure and way.turn is not None]
        falling = [way for way in terms if way.falls]
        if not rising or not falling:
            return []
        elsewhere = set().union(*(reach(way.loss, stop=True)[0] for way in falling))
        alone = [reach(way.loss, stop=True)[0] - elsewhere for way in rising]
        return [
            way
            for way, layers in zip(rising, alone, strict=True)
            if layers & (self.trained if self.trained else layers)
        ]

    def turned_among(self, value: Value) -> Iterator[LossDirection]:
        """The losses of classes and ranks that rise in a sum of others that fall, which may be intended, to unlearn labels; and what
        predictions have in common with labels, which nobody means to make smaller."""
        terms = list(self._terms(value))
        if any(way.falls for way in terms):
            rising = [way for way in terms if not way.falls]
            yield from (way for way in rising if way.sure and _coefficient(way.loss) is not None)
            turned = (way for way in rising if way.turn is not None and _coefficient(way.loss) is None)
            yield from (replace(way, sure=False) for way in turned if self._is_rarely_raised(way.loss))

    def _is_rarely_raised(self, made: Call) -> bool:
        """Whether a loss is one that hardly anybody means to raise: of classes and ranks, and how far a distribution is from one that is
        not learnt. Two predictions may be driven apart on purpose."""
        apart = _distributions(made)
        return _is_of_classes(made) or _ranks(made) or (apart is not None and not self._all_learn(apart))

    def _terms(self, value: Value, negative: Call | None = None, depth: int = 0) -> Iterator[LossDirection]:
        """The losses that are added up in a value; `negative`: what turns the sign of all of them."""
        if depth == DEEP:
            return
        added = self._added(value) if isinstance(value, Call) else None
        for part, by in added or ():
            yield from self._terms(part, None if by and negative else by or negative, depth + 1)
        if added is not None:
            return
        way = self.of(value)
        if way is not None:
            yield way.turned(negative) if negative is not None else way
            return
        for part in _ways_or_factors(value):
            yield from (replace(term, sure=False) for term in self._terms(part, negative, depth + 1))

    def parts(self, value: Value, depth: int = 0) -> Iterator[Value]:
        """The terms that a value is the sum of, whatever they are."""
        added = self._added(value) if isinstance(value, Call) and depth < DEEP else None
        if added is None:
            yield value
        for part, _ in added or ():
            yield from self.parts(part, depth + 1)

    def _added(self, made: Call) -> list[tuple[Value, Call | None]] | None:
        """What a sum is of, behind signs and averages, each with what turns its sign; None for anything else."""
        done = operation(made)
        if done.does in ("add", "sub") and len(done.operands) == 2:
            return [(done.operands[0], None), (done.operands[1], made if done.does != "add" else None)]
        if done.does == "negate" and done.operands:
            return [(done.operands[0], made)]
        if done.does == "div" and len(done.operands) == 2 and not_negative(done.operands[1]):
            return [(done.operands[0], None)] if _coefficient(made) is None else None
        if _adds_up(made) or made.name == "sum":
            lists = made.args[:1] if made.name == "sum" else operands(made)
            parts = chain.from_iterable(map(flow.elements, lists))
            return [(part, None) for part in parts]
        return self._passed_on(made, done)

    def _passed_on(self, made: Call, done: Operation) -> list[tuple[Value, Call | None]] | None:
        """What a constant is multiplied by, or what is averaged or given back as it is, where that is no loss by itself."""
        if self._judged(made) is not None:
            return None
        if done.does in ("mul", "div"):
            factors, divisors, negative = product_of(made)
            return [(factors[0], made if negative else None)] if len(factors) == 1 and not divisors else None
        step = passes_on(made)
        return None if step is None or step[1] else [(part, None) for part in step[0]]

    def _of(self, value: Value) -> LossDirection | None:
        if isinstance(value, (Many, Items)):
            return self._together(value.options if isinstance(value, Many) else value.items)
        if not isinstance(value, Call):
            return None
        if (known := self._judged(value)) is not None:
            return known
        done = operation(value)
        if done.does == "negate" and done.operands:
            inner = self.of(done.operands[0])
            return inner.turned(value) if inner is not None else None
        if done.does in ("add", "sub") and len(done.operands) == 2:
            return self._sum(value, done.operands, done.does != "add")
        if done.does in ("mul", "div") and len(done.operands) == 2:
            return self._product(value)
        return self._through(value)

    def _likelihood(self, made: Call) -> bool | None:
        """Whether a likelihood of what was observed is negated; None for what is none."""
        if _is_likelihood(made) or _is_log_of_chosen(made) or _is_log_of_labelled(made):
            return False
        if _is_picked_of_negated(made):
            return True
        return False if self._is_log_density(made) else None

    def _judged(self, made: Call) -> LossDirection | None:
        """The way of what is a loss or a likelihood by itself. Two predictions may be driven apart on purpose."""
        if (known := self._ready_made(made) or self._distance(made)) is not None:
            return known
        if (pair := _coefficient(made)) is not None and not self._all_learn(pair):
            return LossDirection(False, made)
        if _is_agreement(made):
            return None if self._all_learn(operands(made, (0, 1))) else LossDirection(False, made)
        if (negated := self._likelihood(made)) is not None:
            return LossDirection(negated, made, likelihood=made)
        if (written := self._written_out(made)) is not None:
            return written
        if (preferred := _preference(made)) is not None and self._all_learn(preferred.scores):
            return LossDirection(preferred.negative, made, likelihood=made)
        if self._counts_to_margin(made):
            return LossDirection(True, made, weighed=True)
        rises = _of_two_classes(made)
        return None if rises is None else LossDirection(not rises, made, likelihood=made)

    def _written_out(self, made: Call) -> LossDirection | None:
        """The way of exponentials of scores that are held against their sum, and of one distribution against another."""
        if (share := _log_share(made)) is not None and self._learns(share.part):
            return LossDirection(share.negative, made, weighed=True, likelihood=made)
        if (falls := _cross_entropy(made)) is not None:
            return LossDirection(falls, made, likelihood=None if falls else made)
        return LossDirection(True, made, sure=False) if _divergence(made) is not None else None

    def _ready_made(self, made: Call) -> LossDirection | None:
        """The way of a loss of MindSpore or of a package."""
        if (loss := applied(made)) is not None:
            return LossDirection(True, made, sure=not self._may_be_driven_apart(loss))
        return LossDirection(True, made) if _is_given_by_package(made) else None

    def _may_be_driven_apart(self, loss: Application) -> bool:
        """Whether a loss compares two predictions, as that of labels with one does not."""
        return not _ranks(loss.place) and self._all_learn([loss.prediction, loss.labels])

    def _distance(self, made: Call) -> LossDirection | None:
        """The way of a difference without its sign, but for one of data alone, of which the weight is what learns, and for one to the
        mean of the same numbers, which is no error."""
        apart = difference(made)
        sides = operation(apart).operands[:2] if apart is not None else []
        if not sides or (not any(map(self._learns, sides)) and self._learns(made)) or _is_centred(sides):
            return None
        return LossDirection(True, made, sure=not self._all_learn(sides) or _is_to_projection(sides))

    def _is_log_density(self, made: Call) -> bool:
        """Whether a sum is the log-density of labels about a mean: the square of what a prediction misses, in units of a deviation that is
        learnt too, and the logarithm of that deviation are both taken off."""
        parts = [part for part, negative in _signed_terms(made) if negative]
        for part in parts if len(parts) > 1 else ():
            miss, deviation = _in_units(part)
            if miss is None or deviation is None or self._all_learn(operation(miss).operands[:2]):
                continue
            learnt = _learnt_in(deviation)
            if any(other is not part and learnt & _learnt_in(other) for other in parts):
                return True
        return False

    def _counts_to_margin(self, made: Call) -> bool:
        """Whether a call is what is missing to a margin, or how far one score is beneath another up to one."""
        if (inside := _positive_part(made)) is not None and self._is_hinge(inside):
            return True
        limited = _limited_difference(made)
        return limited is not None and self._all_learn(limited[0]) and not self._learns(limited[1])

    def _is_hinge(self, inside: Value) -> bool:
        """Whether the part above zero of a value is what is missing to a margin, and so to fall. Of a margin less a loss it is not told."""
        way = self.of(inside)
        missing = _has_margin(inside) or (way is not None and way.sure)  # to a margin that is learnt
        return missing and (way is None or way.falls) and self._learns(inside)

    def _all_learn(self, values: Iterable[Value | None]) -> bool:
        """Whether each of these is computed with weights that are trained, and that a gradient reaches."""
        return all(value is not None and self._learns(value) for value in values)

    def _learns(self, value: Value) -> bool:
        """The value itself, not only the shape that it is given; a gradient may be stopped on the way."""
        return all(map(self._is_reached, (value, _bare(value))))

    def _is_reached(self, value: Value) -> bool:
        if self.trained is None:
            return bool(learnable(value))
        return bool(reach(value, stop=True)[0] & self.trained)

    def _through(self, made: Call) -> LossDirection | None:
        """Behind what keeps the sign: averages, changes of shape, what a function of the project returns."""
        if kind_of(made.base) == "scaler" or (made.last == "get_loss" and _is_loss_cell(made.base)):
            return self.of(made.args[0]) if made.args else None
        if made.name == "sum":  # Python's own
            return self._items(made.args[:1])
        if _adds_up(made) and not _is_power(made):
            return self._items(operands(made))
        if _is_power(made) or _rises(made):
            way = self._together(operands(made))
            return way if way is not None and (way.falls or _is_log_quotient(made, way)) else None
        step = passes_on(made)
        return None if step is None or step[1] else self._together(step[0])

    def _together(self, values: Iterable[Value]) -> LossDirection | None:
        """The way of several values, where they go alike; a constant among them is where a sum begins."""
        ways = [self.of(value) for value in values if not _is_constant(value)]
        known = [way for way in ways if way is not None]
        if not known or len({way.falls for way in known}) > 1:
            return None
        every = len(known) == len(ways)
        return replace(max(known, key=_doubt), sure=every and all(way.sure for way in known))

    def _items(self, values: Iterable[Value]) -> LossDirection | None:
        """The way of what adds up the items of lists: whatever else is in it, it moves with the loss that surely is."""
        added = chain.from_iterable(map(flow.elements, values))
        ways = [way for value in added if (way := self.of(value)) is not None]
        return _surest(ways) if len({way.falls for way in ways}) == 1 else None

    def _sum(self, made: Call, sides: list[Value], minus: bool) -> LossDirection | None:
        """A sum or difference. A loss that is taken off something that is not known may be intended: it is one of two that compete."""
        ways = [self.of(side) for side in sides]
        if minus and ways[1] is not None:
            ways[1] = ways[1].turned(made)
        known = _alike(ways)
        if not known:
            return None
        rest = [side for way, side in zip(ways, sides, strict=True) if way is None and not isinstance(side, KnownValue)]
        belong = minus and all(_is_penalised(known[0], side) for side in rest)
        return _surest(known) if known[0].falls or belong or not rest else None

    def _product(self, made: Call) -> LossDirection | None:
        factors, divisors, negative = product_of(made)
        self.weights.update(id(_bare(leaf)) for divisor in divisors for leaf in _leaves(divisor, products=False))
        ways = self._ways_in(made, factors)
        one = _of_all(ways)
        if one is None:
            return None if ways else self._per_loss(made, factors, divisors, negative)
        judged = {id(factor) for _, factor in ways}
        rest = [unsigned(factor) for factor in (*factors, *divisors) if id(factor) not in judged]
        negative ^= sum(turned for _, turned in rest) % 2 == 1
        unseen = [factor for factor, _ in rest if not not_negative(factor) and id(_bare(factor)) not in self.weights]
        way = self._weighed(one, unseen, divisors)
        if way.likelihood and not way.sure:  # actions that paid are made likelier, others less likely
            return None
        return way.turned(made) if negative else way

    def _per_loss(
        self, made: Call, factors: list[Value], divisors: list[Value], negative: bool
    ) -> LossDirection | None:
        """The way of what is not below 0 and divided by a loss, as the power of a signal is by that of what is missed."""
        way = self.of(divisors[0]) if len(divisors) == 1 and all(map(not_negative, factors)) else None
        if way is None or not way.falls or way.likelihood is not None:
            return None
        return way if negative else way.turned(made)

    def _weighed(self, way: LossDirection, unseen: list[Value], divisors: list[Value]) -> LossDirection:
        """The way of a loss in a product with factors whose sign is not known."""
        known = (self._only_weighs(factor, way, divisors) or _is_of_settings(factor) for factor in unseen)
        return replace(way, sure=way.sure and all(known), weighed=way.weighed or bool(unseen))

    def _only_weighs(self, factor: Value, way: LossDirection, divisors: list[Value]) -> bool:
        """Whether a factor of unknown sign is data, and can be nothing but a weight or a count: it divides, or is put on a distance. On
        scores of classes it may be a reward."""
        counts = any(factor is unsigned(divisor)[0] for divisor in divisors)
        return (counts or _is_distance(way.loss)) and not reach(factor, stop=False)[0]

    def _ways_in(self, made: Call, factors: list[Value]) -> list[tuple[LossDirection, Value]]:
        """The ways of the factors of a product; beside a likelihood all others are weights."""
        ways = [(way, factor) for factor in factors if (way := self.of(factor)) is not None]
        if not ways and (likelihood := _likelihood(made, factors)) is not None:
            ways = [(likelihood, factor) for factor in factors if encoded(factor) is None]
        return [(way, factor) for way, factor in ways if way.likelihood] or ways


def _is_given_by_package(made: Call) -> bool:
    """Whether a value is the loss that a network of a package in the form of transformers returns: as its attribute, or as the first of
    its results where it is given labels."""
    run = made.base
    if not isinstance(run, Call) or run.name or not all(map(_is_of_package, options(run.base))):
        return False
    labels = run.keywords.get("labels")
    first = made.name == "[]" and [given.value for given in made.args if isinstance(given, KnownValue)] == [0]
    named = labels is not None and not is_known(labels, None)
    return made.name == "@loss" or (first and named)


def _is_of_package(network: Value) -> bool:
    """Whether a network is one that a package has of its own, which is known by its description."""
    return isinstance(network, Call) and network.name.partition(".")[0] in suites.packages()


def _ways_or_factors(value: Value) -> Iterable[Value]:
    """The ways of a value, which do not go alike, or what a product is of: a loss, and weights of it."""
    return options(value) if isinstance(value, Many) else _factors(value)


def _factors(value: Value) -> list[Value]:
    """The factors of a product with no constant below zero among them; none of anything else."""
    if not isinstance(value, Call) or operation(value).does not in ("mul", "div"):
        return []
    factors, _, negative = product_of(value)
    return [] if negative else factors


def _alike(ways: list[LossDirection | None]) -> list[LossDirection]:
    """The ways that are known, where they go alike."""
    known = [way for way in ways if way is not None]
    return known if len({way.falls for way in known}) == 1 else []


def _of_all(ways: list[tuple[LossDirection, Value]]) -> LossDirection | None:
    """The way of a product of losses, which are not negative: it falls where all of them fall."""
    if len(ways) == 1:
        return ways[0][0]
    if not ways or not all(way.falls and way.likelihood is None for way, _ in ways):
        return None
    named = next((way for way, _ in ways if applied(way.loss) is not None), ways[0][0])
    alike = all(factor is ways[0][1] for _, factor in ways)
    return replace(named, sure=all(way.sure for way, _ in ways), weighed=named.weighed or not alike)


def _is_log_quotient(made: Call, way: LossDirection) -> bool:
    """Whether a logarithm is taken of what is divided by a loss."""
    return _is_log(made) and way.turn is not None and operation(way.turn).does == "div"


def _is_to_projection(pair: list[Value]) -> bool:
    """Whether one of two values is made of the other and of something else, as what a target explains of an estimate is."""
    for one, other in permutations(pair):
        inside = list(flow.sources(one, partial(is_, other)))
        if any(part is other for part in inside):
            within = {id(part) for part in flow.sources(other)}
            return any(id(part) not in within and _is_data(part, other) for part in inside)
    return False


def _is_centred(pair: list[Value]) -> bool:
    """Whether one of two values is an average of the other, perhaps a weighted one."""
    return any(part is other for one, other in permutations(pair) for part in _averaged(one))


def _averaged(mean: Value) -> Iterator[Value]:
    """What is added up in a value, behind the number by which the sum is divided; of what is weighted first, each factor."""
    part, depth = mean, 0
    while isinstance(part, Call) and depth < DEEP:
        depth += 1
        known = effect(part)
        if known is not None and known.reduces:
            for added in operands(part):
                yield added
                yield from product_of(added)[0] if isinstance(added, Call) else ()
            return
        scaled = operation(part).does in ("mul", "div")
        inner = product_of(part)[0] if scaled else kept(part, "same", "order", "values") or []
        part = inner[0] if len(inner) == 1 and inner[0] is not part else UnknownValue()


def _is_data(value: Value, estimate: Value) -> bool:
    """Whether a value is neither a constant nor computed from an estimate or with weights."""
    known = isinstance(value, (KnownValue, Items))
    return not known and not flow.derives(value, estimate) and not reach(value, stop=False)[0]


def _distributions(made: Call) -> Sequence[Value] | None:
    """What a divergence tells apart: of p * log(p / q), or of a loss of log-probabilities; None for anything else."""
    application = applied(made)
    if application is not None and application.known.expects == "log-probabilities":
        return [value for value in (application.prediction, application.labels) if value is not None]
    return _divergence(made)


def _is_of_classes(made: Call) -> bool:
    """Whether a loss compares scores of classes with labels that are not constants."""
    application = applied(made)
    if application is None or application.known.expects not in ("logits", "probabilities"):
        return False
    return application.labels is not None and not _is_constant(application.labels)


def _ranks(made: Call) -> bool:
    """Whether a loss tells of several predictions which is to be the larger, or which are to be alike."""
    application = applied(made)
    return application is not None and application.labels is not None and application.known.labels in ("signs", None)


def _is_distance(made: Call) -> bool:
    """Whether a loss compares numbers with numbers of the same shape."""
    application = applied(made)
    return difference(made) is not None if application is None else application.known.labels == "same-shape"


def _doubt(way: LossDirection) -> int:
    return 2 if not way.sure else int(way.weighed)


def _surest(ways: list[LossDirection]) -> LossDirection:
    return replace(min(ways, key=_doubt), likelihood=next((way.likelihood for way in ways if way.likelihood), None))


def _is_agreement(made: Call) -> bool:
    """The likeness of a prediction and what it is to be like."""
    known = effect(made)
    return known is not None and known.kind == "agreement"


def _is_power(made: Call) -> bool:
    """A root, a square or another power of each element."""
    known = effect(made)
    if known is not None and known.operation == "pow":
        exponent = operation(made).operand(1, "exponent", "x2")
        return isinstance(exponent, KnownValue) and not _below_zero(exponent)
    return known is not None and (known.power or 0) > 0 and not known.reduces


def _rises(made: Call) -> bool:
    """Whether a function rises wherever it is looked at, as a logarithm does; not one that is flat below zero."""
    known = effect(made)
    return known is not None and known.rises and known.operation != "relu"


def _positive_part(made: Call) -> Value | None:
    """x of max(x, 0), however it is written: a rectifier, a limit below, a product with what tells where x is above 0."""
    known, done = effect(made), operation(made)
    named = known.operation if known is not None else ""
    if named == "relu":
        return next(iter(operands(made)), None)
    if named == "clip":
        low, high = done.operand(1, "min", "clip_value_min"), done.operand(2, "max", "clip_value_max")
        return done.operand(0) if _is_zero(low) and (high is None or is_known(high, None)) else None
    pairs = permutations(done.operands) if len(done.operands) == 2 else ()
    if done.name in ("maximum", "fmax"):
        return next((one for one, other in pairs if _is_zero(other)), None)
    above = done.does == "mul"
    return next((one for one, other in pairs if above and _tells_above_zero(_bare(other), one)), None)


def _limited_difference(made: Call) -> tuple[Sequence[Value], Value] | None:
    """a and b, and the limit, of max(a - b, -margin): how far one score is beneath another counts up to a margin."""
    done = operation(made)
    pairs = permutations(done.operands) if done.name in ("maximum", "fmax") and len(done.operands) == 2 else ()
    for value, limit in pairs:
        apart = operation(value) if isinstance(value, Call) else None
        turned = isinstance(limit, Call) and operation(limit).does == "negate"
        if apart is not None and apart.does == "sub" and len(apart.operands) == 2 and (turned or _below_zero(limit)):
            return apart.operands, limit
    return None


def _tells_above_zero(value: Value, of: Value) -> bool:
    """Whether a comparison tells where a value is above 0: x > 0, or a > b of the difference a - b."""
    done, compared = (operation(value), comparison(value)) if isinstance(value, Call) else (None, "")
    if done is None or len(done.operands) != 2 or compared not in _ABOVE:
        return False
    large, small = done.operands if _ABOVE[compared] else done.operands[::-1]
    if large is of and _is_zero(small):
        return True
    apart = operation(of) if isinstance(of, Call) else None
    pair = apart.operands if apart is not None and apart.does == "sub" and len(apart.operands) == 2 else [None, None]
    return pair[0] is large and pair[1] is small


#: Comparisons by whether their first operand is the larger one.
_ABOVE = {">": True, ">=": True, "<": False, "<=": False}


def _is_zero(value: Value | None) -> bool:
    return isinstance(value, KnownValue) and type(value.value) in (int, float) and value.value == 0


def _has_margin(value: Value) -> bool:
    """Whether a number is added to a value."""
    queue, looked = [value], 0
    while queue and looked < DEEP:
        part, looked = queue.pop(), looked + 1
        done = operation(part) if isinstance(part, Call) else None
        if done is None or not isinstance(part, Call):
            continue
        if done.does in ("add", "sub") and any(
            isinstance(side, KnownValue) and not _is_zero(side) for side in done.operands
        ):
            return True
        queue += done.operands if done.does in ("add", "sub") else _passed(part)
    return False


def _adds_up(made: Call) -> bool:
    """A sum of the items of a list."""
    known = effect(made)
    return known is not None and known.linear and any(isinstance(part, Items) for part in operands(made))


def _is_loss_cell(value: Value | None) -> bool:
    return isinstance(value, Instance) and "nn.LossBase" in base_names(value.of)


def product_of(made: Call) -> tuple[list[Value], list[Value], bool]:
    """The factors of a product or quotient and what divides it, without constants; and whether these are negative together."""
    found, divisors, negative, queue = list[Value](), list[Value](), False, [made]
    while queue and len(found) < DEEP:
        done = operation(queue.pop())
        for place, operand in enumerate(done.operands[:2]):
            divides = place == 1 and done.does == "div"
            if isinstance(operand, KnownValue):
                negative ^= _below_zero(operand)
            elif (turned := _reciprocal_of(operand)) is not None:
                (found if divides else divisors).append(turned)
            elif divides:
                divisors.append(operand)
            elif isinstance(operand, Call) and operation(operand).does in ("mul", "div"):
                queue.append(operand)
            else:
                found.append(operand)
    return found, divisors, negative


def _reciprocal_of(factor: Value) -> Value | None:
    """What a factor is the reciprocal of."""
    known = effect(factor) if isinstance(factor, Call) else None
    given = operands(factor) if known is not None and known.power == -1 and isinstance(factor, Call) else []
    return given[0] if given else None


def unsigned(factor: Value) -> tuple[Value, bool]:
    """A factor without a minus before it, and whether there is one."""
    done = operation(factor) if isinstance(factor, Call) else None
    return (done.operands[0], True) if done is not None and done.does == "negate" and done.operands else (factor, False)


def _likelihood(made: Call, factors: list[Value]) -> LossDirection | None:
    """The log-probability of the labels: it rises as predictions get better."""
    labels = [factor for factor in factors if encoded(factor) is not None]
    others = [factor for factor in factors if encoded(factor) is None]
    if len(labels) != 1 or len(others) != 1:
        return None
    forms = heads(others[0])
    logs = bool(forms) and all(head.gives.endswith("log-probabilities") for head in forms)
    return LossDirection(False, made, likelihood=made) if logs else None


def _is_likelihood(made: Call) -> bool:
    """Log-probabilities of classes, of which numbers tell which to take, perhaps averaged."""
    if made.result is not None or not _is_picked(made):
        return False
    forms = heads(made)
    return bool(forms) and all(head.gives == "log-probabilities" for head in forms)


def _is_picked_of_negated(made: Call) -> bool:
    """Log-probabilities of classes with their sign turned, of which numbers tell which to take."""
    if made.result is not None or not _picks(made):
        return False
    of = made.base if made.name == "[]" else next(iter(operands(made)), None)
    behind, negative = _signed(of) if of is not None else (made, False)
    forms = heads(behind) if negative else []
    return bool(forms) and all(head.gives == "log-probabilities" for head in forms)


def _is_picked(value: Value, depth: int = 0) -> bool:
    """Whether all that a value holds was taken by numbers of its elements, before or after the form that it has was given."""
    if isinstance(value, (Many, Items)):
        inner = [part for part in flow.inputs(value) if not isinstance(part, KnownValue)]
        return depth < DEEP and bool(inner) and all(_is_picked(part, depth + 1) for part in inner)
    if not isinstance(value, Call) or depth >= DEEP:
        return False
    if _picks(value):
        return True
    step = passes_on(value)
    return step is not None and bool(step[0]) and all(_is_picked(part, depth + 1) for part in step[0])


def _picks(made: Call) -> bool:
    """Whether numbers that are computed or read tell which elements a call takes."""
    if made.name != "[]":
        known = effect(made)
        return known is not None and known.picks
    key = made.args[0] if made.args else None
    parts = key.items if isinstance(key, Items) else [key]
    return any(isinstance(part, Call) and part.name != "slice" and not _is_turn(part) for part in parts)


def _is_turn(made: Call) -> bool:
    """The number of a turn of a loop."""
    counted = made.base if made.name == ".each" else None
    return isinstance(counted, Call) and counted.name in ("range", "enumerate")


def _coefficient(made: Call) -> tuple[Value, Value] | None:
    """The two of which a coefficient tells how much they have in common."""
    return _overlap(made) or _common_part(made)


def _overlap(made: Call) -> tuple[Value, Value] | None:
    """The two whose product, added up, is divided by what they add up to, as in the coefficients of Dice and Jaccard."""
    done = operation(made)
    if done.does != "div" or len(done.operands) != 2:
        return None
    shared = _leaves(done.operands[0], products=False)
    product = operation(shared[0]) if len(shared) == 1 and isinstance(shared[0], Call) else None
    if product is None or product.does != "mul" or len(product.operands) != 2:
        return None
    one, other = map(_bare, product.operands)
    whole = {id(leaf) for split in (True, False) for leaf in _leaves(done.operands[1], products=split)}
    if one is not other and {id(one), id(other)} <= whole:
        return one, other
    return _overlap_under_mask(shared[0], done.operands[1])


def _overlap_under_mask(product: Value, whole: Value) -> tuple[Value, Value] | None:
    """The two of three factors that are added up in the whole, each with the third one, which tells where they count. That may be of the
    same batch as the labels, and then is taken for them."""
    factors = _leaves(product, products=True)
    terms = [{id(leaf) for leaf in _leaves(term, products=True)} for term in _leaves(whole, products=False)]
    for mask, one, other in permutations(factors) if len(factors) == 3 else ():
        left = set().union(*terms) - {id(mask)}
        if one is not other and all(id(mask) in term for term in terms) and left == {id(one), id(other)} - {id(mask)}:
            return one, other
    return None


def _common_part(made: Call) -> tuple[Value, Value] | None:
    """The two of which the smaller or larger is taken in what they have in common, where that is divided by what is left of their sum
    without it: the intersection over the union of boxes."""
    done = operation(made)
    shared = _bare(done.operands[0]) if done.does == "div" and len(done.operands) == 2 else None
    if shared is None or not _is_taken_off(shared, done.operands[1]):
        return None
    for part in flow.sources(shared):
        within = operation(part) if isinstance(part, Call) else None
        if within is not None and within.name in ("minimum", "maximum") and len(within.operands) == 2:
            one, other = within.operands
            if not isinstance(one, KnownValue) and not isinstance(other, KnownValue):
                return one, other
    return None


def _is_penalised(way: LossDirection, by: Value) -> bool:
    """Whether what is taken off the overlap of two boxes is computed from both of them: how far they lie apart, or what neither fills."""
    pair = _common_part(way.loss)
    return pair is not None and all(flow.derives(by, _origin(one)) for one in pair)


def _origin(value: Value) -> Value:
    """The array that a value holds elements of."""
    for _ in range(DEEP):
        taken = kept(value, *TAKEN) if isinstance(value, Call) else None
        if not taken or len(taken) != 1:
            break
        (value,) = taken
    return value


def _is_taken_off(value: Value, total: Value) -> bool:
    """Whether a value is one that a sum takes off."""
    queue, looked = [total], 0
    while queue and looked < DEEP:
        part, looked = _bare(queue.pop()), looked + 1
        done = operation(part) if isinstance(part, Call) else None
        if done is None or done.does not in ("add", "sub") or len(done.operands) != 2:
            continue
        if done.does != "add" and _bare(done.operands[1]) is value:
            return True
        queue += done.operands if done.does == "add" else done.operands[:1]
    return False


def _leaves(value: Value, products: bool) -> list[Value]:
    """What a sum is of, behind averages, squares, constants and changes of shape; with `products`, their factors."""
    found, queue = list[Value](), [value]
    while queue and len(found) < DEEP:
        part = _bare(queue.pop())
        given = _terms(part, products) if isinstance(part, Call) else []
        queue += given
        if not given:
            found.append(part)
    return found


def _terms(made: Call, products: bool) -> list[Value]:
    """The operands of a sum but for constants; of a product of a constant, or of any product, or of a square, where asked."""
    done, known = operation(made), effect(made)
    given = [operand for operand in done.operands[:2] if not isinstance(operand, KnownValue)]
    if done.does in ("add", "sub") or (done.does == "mul" and (products or len(given) == 1)):
        return given
    even = known is not None and (known.power == 2 or known.operation == "pow")
    return given if products and even else []


class _Term(NamedTuple):
    """y * log(p): the label, the probability, whether either is taken from 1, and the sign of all."""

    label: Value
    probability: Value
    of_rest: tuple[bool, bool]
    negative: bool


def _of_two_classes(made: Call) -> bool | None:
    """Whether y * log(p) + (1 - y) * log(1 - p), the log-probability of the labels, rises in a sum; None for anything else."""
    done = operation(made)
    terms = [_log_term(side) for side in done.operands[:2]] if done.does in ("add", "sub") else []
    one, other = terms if len(terms) == 2 else (None, None)
    if one is None or other is None or one.label is not other.label or one.probability is not other.probability:
        return None
    if one.label is one.probability:  # an entropy
        return None
    paired = {one.of_rest, other.of_rest} == {(False, False), (True, True)}
    alike = one.negative is (other.negative ^ (done.does != "add"))
    return not one.negative if paired and alike else None


def _log_term(value: Value) -> _Term | None:
    """A product with one logarithm and one factor that may be anything, perhaps negated and averaged."""
    value, negative = _signed(value)
    if not isinstance(value, Call) or operation(value).does != "mul":
        return None
    factors, divisors, below = product_of(value)
    logs = [factor for factor in factors if isinstance(factor, Call) and _log_of(factor) is not None]
    rest = [factor for factor in factors if factor not in logs]
    labels = rest if len(rest) == 1 else [factor for factor in rest if not not_negative(factor)]
    if len(logs) != 1 or len(labels) != 1 or not all(map(not_negative, divisors)):
        return None
    (label, rest_of_label), known = _from_one(labels[0]), _log_of(logs[0])
    assert known is not None
    probability, rest_of_one, turned = known
    return _Term(label, probability, (rest_of_label, rest_of_one), negative ^ below ^ turned)


class _Preference(NamedTuple):
    """log(sigmoid(one - other)): the log-probability that one score is above the other, perhaps negated."""

    scores: list[Value]
    negative: bool


def _preference(made: Call) -> _Preference | None:
    """The preference that a call is; None for anything else. It has no lower bound, so that nothing is learnt by making it smaller."""
    known = _log_of(made)
    if known is None or not isinstance(known[0], Call):
        return None
    score, _, negative = known
    gate = effect(score) if isinstance(score, Call) else None
    if gate is not None and gate.operation == "sigmoid" and isinstance(score, Call) and operands(score):
        score = _bare(operands(score)[0])
    elif _is_log(made):
        return None
    done = operation(score) if isinstance(score, Call) else None
    if done is None or done.does != "sub" or len(done.operands) != 2:
        return None
    return _Preference(done.operands, negative)


def _log_of(made: Call) -> tuple[Value, bool, bool] | None:
    """Of what probability a value is the logarithm, whether of 1 less it, and whether it is negated: log(p), log(1 - p), and, of the
    score that a sigmoid makes p of, logsigmoid(x) and softplus(-x)."""
    known = effect(made)
    given = operands(made)
    if known is None or not given:
        return None
    if _is_log(made):
        return (*_from_one(given[0]), False)
    if known.operation not in ("log_sigmoid", "softplus"):
        return None
    score, turned = unsigned(_bare(given[0]))
    soft = known.operation == "softplus"
    return _bare(score), turned is not soft, soft


def _divergence(made: Call) -> tuple[Value, Value] | None:
    """p and q of a product p * log(p / q) or p * (log(p) - log(q)): how far a distribution is from another one, or from a constant one.
    Without another one, p * log(p), it is an entropy, which may be meant to rise or to fall."""
    done = operation(made)
    pairs = permutations(done.operands) if done.does == "mul" and len(done.operands) == 2 else ()
    found = ((_bare(of), _log_ratio(_bare(ratio), _bare(of))) for of, ratio in pairs)
    return next(((of, other) for of, other in found if other is not None), None)


def _log_ratio(value: Value, of: Value) -> Value | None:
    """q of log(p / q), log(p) - log(q) and log(p * q), where `of` is p."""
    done = operation(value) if isinstance(value, Call) else None
    if done is None or not isinstance(value, Call) or isinstance(of, KnownValue):
        return None
    if done.does == "sub" and len(done.operands) == 2:
        log = _bare(done.operands[0])
        return done.operands[1] if isinstance(log, Call) and _is_log(log) and _bare(operands(log)[0]) is of else None
    return _shared_with(operands(value)[0], of) if _is_log(value) else None


def _shared_with(value: Value, of: Value) -> Value | None:
    """What a value is multiplied with, or divided by, behind a guard that is added."""
    for _ in range(DEEP):
        done = operation(value) if isinstance(value, Call) else None
        if done is not None and done.does in ("mul", "div") and len(done.operands) == 2:
            first, second = done.operands
            if _bare(first) is of:
                return second
            return first if done.does == "mul" and _bare(second) is of else None
        inner = _passed(value) if isinstance(value, Call) else []
        if len(inner) != 1:
            break
        (value,) = inner
    return None


def _cross_entropy(made: Call) -> bool | None:
    """Whether log(sum(exp(scores))) less the scores that are chosen falls as predictions get better, or the scores less that; None for
    anything else."""
    done = operation(made)
    pairs = permutations(done.operands) if done.does == "sub" and len(done.operands) == 2 else ()
    for place, (one, other) in enumerate(pairs):
        whole = _summed_up(one)
        if whole is not None and whole is _chosen_of(other):
            return place == 0
    return None


def _summed_up(value: Value, depth: int = 0) -> Value | None:
    """The scores in log(sum(exp(scores))), perhaps with their largest taken off before and put back behind."""
    value = _bare(value)
    if not isinstance(value, Call) or depth > 3:
        return None
    done, known, given = operation(value), effect(value), operands(value)
    if done.does == "add":
        return next((one for side in done.operands if (one := _summed_up(side, depth + 1)) is not None), None)
    if known is None or not given:
        return None
    if known.operation == "logsumexp":
        return _bare(given[0])
    return _raised(_bare(given[0])) if known.gives == "log" else None


def _raised(value: Value) -> Value | None:
    """x of exp(x) and of exp(x - y)."""
    known = effect(value) if isinstance(value, Call) else None
    if known is None or known.operation != "exp" or not isinstance(value, Call):
        return None
    score = _bare(operands(value)[0])
    less = operation(score) if isinstance(score, Call) else None
    return _bare(less.operands[0]) if less is not None and less.name in ("sub", "subtract") else score


def _chosen_of(value: Value) -> Value | None:
    """The scores of which labels choose some, by numbers of classes or by a product with what is one for the class, zero elsewhere."""
    for _ in range(DEEP):
        done = operation(value) if isinstance(value, Call) else None
        if done is None or not isinstance(value, Call):
            return None
        if _picks(value):
            return _bare(value.base if value.name == "[]" and value.base is not None else operands(value)[0])
        if done.does == "mul" and len(done.operands) == 2:
            return next((_bare(one) for one, other in permutations(done.operands) if encoded(other) is not None), None)
        inner = _passed(value)
        if len(inner) != 1:
            return None
        value = inner[0]
    return None


def _is_log_of_chosen(made: Call) -> bool:
    """log(y * p + (1 - y) * (1 - p)): the log-probability of labels of two classes, chosen before the logarithm is taken."""
    inside = _bare(operands(made)[0]) if _is_log(made) and operands(made) else None
    done = operation(inside) if isinstance(inside, Call) else None
    if done is None or done.does != "add" or len(done.operands) != 2:
        return False
    sides = [{(id(part), rest) for part, rest in map(_from_one, _factors_of(side))} for side in done.operands]
    return len(sides[0]) == 2 and sides[1] == {(part, not rest) for part, rest in sides[0]} and len(_ids(sides[0])) == 2


def _is_log_of_labelled(made: Call) -> bool:
    """The logarithm of the probabilities of classes that one-hot labels choose."""
    given = operands(made) if _is_log(made) else []
    chosen = _chosen_of(given[0]) if given else None
    forms = heads(chosen) if chosen is not None else []
    return bool(forms) and all(head.gives == "probabilities" for head in forms)


class _LogShare(NamedTuple):
    """log(part / whole), perhaps negated."""

    part: Value
    negative: bool


def _log_share(made: Call) -> _LogShare | None:
    """The part that exponentials have in a sum of the same and of others: the log-probability of the pairs that belong together, of all
    pairs, that contrastive losses raise."""
    quotient = _bare(operands(made)[0]) if _is_log(made) and operands(made) else None
    done = operation(quotient) if isinstance(quotient, Call) else operation(made)
    if done.does != ("div" if quotient is not None else "sub") or len(done.operands) != 2:
        return None
    sides = done.operands if quotient is not None else [_in_log(side) for side in done.operands]
    for place, (part, whole) in enumerate(permutations(sides)):
        if part is not None and whole is not None and _is_chosen(part, whole):
            return _LogShare(part, place == 1)
    return None


def _in_log(value: Value) -> Value | None:
    value = _bare(value)
    return operands(value)[0] if isinstance(value, Call) and _is_log(value) and operands(value) else None


def _is_chosen(part: Value, whole: Value) -> bool:
    """Whether a sum of exponentials holds more than a part of it: others are added to that, or a mask or numbers of elements take it."""
    raised, inner = _exponentials(part), _bare(part)
    if not raised or not raised <= _exponentials(whole):
        return False
    if _is_picked(part) or inner is _bare(whole):
        return _is_picked(part) and not _is_picked(whole)
    terms = [_bare(term) for term, _ in _signed_terms(whole)]
    weighted = isinstance(inner, Call) and operation(inner).does == "mul"
    return weighted or (len(terms) > 1 and inner in terms)


def _exponentials(value: Value) -> set[int]:
    """The ids of the exponentials that a sum is made of, some of them perhaps weighted, or taken off again."""
    found, seen, queue = set[int](), set[int](), [value]
    while queue:
        part = _bare(queue.pop())
        if id(part) in seen:
            continue
        seen.add(id(part))
        known = effect(part) if isinstance(part, Call) else None
        if known is not None and known.operation == "exp":
            found.add(id(part))
        else:
            queue += _summands(part)
    return found


def _summands(value: Value) -> list[Value]:
    """What a sum, a difference or a product is of, and what a list or a reduction holds."""
    if isinstance(value, Items):
        return value.items
    if not isinstance(value, Call):
        return []
    done = operation(value)
    return done.operands if done.does in ("add", "sub", "mul") else kept(value, "whole", *TAKEN) or []


def _ids(parts: set[tuple[int, bool]]) -> set[int]:
    return {part for part, _ in parts}


def _factors_of(value: Value) -> list[Value]:
    """The two factors of a product."""
    value = _bare(value)
    done = operation(value) if isinstance(value, Call) else None
    return done.operands[:2] if done is not None and done.does == "mul" else []


def _signed(value: Value) -> tuple[Value, bool]:
    """What stands behind signs, averages and changes of shape, and whether the signs turn it."""
    negative = False
    for _ in range(DEEP):
        done = operation(value) if isinstance(value, Call) else None
        if done is None or not isinstance(value, Call) or done.does == "mul":
            break
        inner = done.operands if done.does == "negate" else _passed(value)
        if len(inner) != 1:
            break
        negative ^= done.does == "negate"
        value = inner[0]
    return value, negative


def _passed(made: Call) -> list[Value]:
    """What an operation leaves in its form, if it takes no logarithm."""
    step = passes_on(made)
    return step[0] if step is not None and not step[1] else []


def _is_log(made: Call) -> bool:
    known = effect(made)
    return known is not None and known.gives == "log"


def _from_one(value: Value) -> tuple[Value, bool]:
    """x of x or of 1 - x, behind limits, guards and changes of type and shape; and whether it is taken from 1."""
    value = _bare(value)
    done = operation(value) if isinstance(value, Call) else None
    if done is not None and done.does == "sub" and len(done.operands) == 2:
        first, second = done.operands
        if isinstance(first, KnownValue) and first.value == 1:
            return _bare(second), True
    return value, False


def _bare(value: Value) -> Value:
    """What stands behind operations that leave its form."""
    for _ in range(DEEP):
        inner = _passed(value) if isinstance(value, Call) else []
        if len(inner) != 1:
            break
        value = inner[0]
    return value


def difference(made: Call) -> Call | None:
    """a - b in (a - b) ** 2, abs(a - b) and the like, also where it is weighted first."""
    done = operation(made)
    twice = done.does == "mul" and len(done.operands) == 2 and done.operands[0] is done.operands[1]
    squared = done.does == "pow" and len(done.operands) == 2 and is_even(done.operands[1])
    queue = done.operands[:1] if twice or squared or done.does in ("abs", "square", "norm") else []
    while queue:
        inner = queue.pop()
        within = operation(inner) if isinstance(inner, Call) else None
        if within is None or not isinstance(inner, Call):
            continue
        if within.name in ("sub", "subtract") or _takes_off(within):
            return inner
        queue += _weighted(within)
    return None


def _signed_terms(value: Value, negative: bool = False, depth: int = 0) -> list[tuple[Value, bool]]:
    """The terms of a sum, without the numbers that they are multiplied by, and whether each is taken off; a quotient has the sign of what
    is divided."""
    done = operation(value) if isinstance(value, Call) and depth < DEEP else None
    if done is None:
        return [(value, negative)]
    if done.does in ("add", "sub") and len(done.operands) == 2:
        first, second = done.operands
        turned = negative ^ (done.does == "sub")
        return [*_signed_terms(first, negative, depth + 1), *_signed_terms(second, turned, depth + 1)]
    if done.does == "negate" and done.operands:
        return _signed_terms(done.operands[0], not negative, depth + 1)
    if done.does in ("mul", "div") and len(done.operands) == 2:
        first, second = done.operands
        number, rest = (first, second) if done.does == "mul" and isinstance(first, KnownValue) else (second, first)
        if isinstance(number, KnownValue):
            return _signed_terms(rest, negative ^ _below_zero(number), depth + 1)
        inner = _signed_terms(first, negative, depth + 1)
        negative = inner[0][1] if len(inner) == 1 else negative
    return [(value, negative)]


def _in_units(term: Value) -> tuple[Call | None, Value | None]:
    """What a prediction misses, and the deviation in units of which it is counted: of ((y - m) / s) ** 2, and of (y - m) ** 2 / s ** 2
    or a product with what is left of that. None for anything else."""
    if not isinstance(term, Call):
        return None, None
    square, unit = _divided(term)
    inner = _signed_terms(square)[0][0] if square is not None else None
    if isinstance(inner, Call) and (miss := difference(inner)) is not None:
        return miss, unit
    done = operation(term)
    within = done.operands[0] if done.operands else None
    return difference(term), _divided(within)[1] if isinstance(within, Call) else None


def _divided(made: Call) -> tuple[Value | None, Value | None]:
    """What is divided, and by what; of a product, the factor with a square in it and the other."""
    done = operation(made)
    if done.does not in ("mul", "div") or len(done.operands) != 2 or done.operands[0] is done.operands[1]:
        return None, None
    first, second = done.operands
    inner = _signed_terms(second)[0][0] if done.does == "mul" else None
    turned = isinstance(inner, Call) and difference(inner) is not None
    return (second, first) if turned else (first, second)


def _learnt_in(value: Value) -> set[int]:
    """The nearest outputs of layers, and parameters, that a value is made of."""
    if applies(value):
        return {id(value)}
    return {id(part) for part in flow.sources(value, applies) if is_parameter(part) or applies(part)}


def _weighted(done: Operation) -> list[Value]:
    """What a product or a quotient may be the weighted form of."""
    if done.does == "mul":
        return done.operands[:2]
    return done.operands[:1] if done.does == "div" else []


def _takes_off(done: Operation) -> bool:
    """a + -b."""
    return done.does == "add" and sum(unsigned(side)[1] for side in done.operands) == 1


def is_even(value: Value) -> bool:
    return isinstance(value, KnownValue) and value.value == 2


def _is_constant(value: Value, depth: int = 0) -> bool:
    """Whether a value is a number that is written down, or an array of one, behind changes of type and shape."""
    if not isinstance(value, Call) or depth > DEEP:
        return isinstance(value, KnownValue)
    known = effect(value)
    if known is not None and known.constant is not None:
        return True
    passed = kept(value, "same", "order", "values")
    return bool(passed) and all(_is_constant(part, depth + 1) for part in passed or ())


def is_read_once(factor: Value) -> bool:
    """Whether a factor is read or computed once, before any data is seen, as a weight that a configuration gives."""
    for part in flow.sources(factor):
        if isinstance(part, (UnknownValue, Instance)) or is_parameter(part):
            return False
        if isinstance(part, Call) and (part.loops or part.name in (".each", "")):
            return False
    return True


def _is_of_settings(factor: Value, depth: int = 0) -> bool:
    """Whether only what is read once decides the sign of a factor: alpha * y + (1 - alpha) * (1 - y), of labels y in one-hot form."""
    if depth > DEEP or not_negative(factor) or is_read_once(factor):
        return depth <= DEEP
    done = operation(factor) if isinstance(factor, Call) else None
    composed = done is not None and done.does in ("add", "mul", "div") and len(done.operands) == 2
    return composed and done is not None and all(_is_of_settings(part, depth + 1) for part in done.operands)


def _below_zero(value: Value) -> bool:
    return isinstance(value, KnownValue) and isinstance(value.value, (int, float)) and value.value < 0


def _is_never_below_zero(made: Call) -> bool:
    """Whether an operation gives no number below zero, whatever it is given: bounds, constants, sizes of axes."""
    known = effect(made)
    if known is None:
        return False
    bound = known.constant if known.low is None else known.low
    return known.kind == "description" or (bound is not None and bound >= 0)


def _is_at_most(value: Value, bound: Value) -> bool:
    """Whether no element is larger than a constant, as a probability is none than 1: behind what takes elements."""
    if not isinstance(bound, KnownValue) or not isinstance(bound.value, (int, float)):
        return False
    for _ in range(DEEP):
        known = effect(value) if isinstance(value, Call) else None
        if known is not None and known.high is not None:
            return known.high <= bound.value
        if isinstance(value, Call) and (_is_less_than_constant(value, bound) or _is_blend(value, bound)):
            return True
        taken = kept(value, *TAKEN) if isinstance(value, Call) else None
        if not taken or len(taken) != 1:
            return False
        (value,) = taken
    return False


def _is_less_than_constant(made: Call, bound: KnownValue) -> bool:
    """Whether something that is not below zero is taken off a constant that is at most as large as the bound."""
    done = operation(made)
    whole = done.operands[0] if done.does == "sub" and len(done.operands) == 2 else None
    small = isinstance(whole, KnownValue) and isinstance(whole.value, (int, float)) and whole.value <= bound.value
    return small and not_negative(done.operands[1])


def _is_blend(made: Call, bound: KnownValue) -> bool:
    """Whether p * x + (1 - p) * y blends two that are at most as large as the bound: labels with probabilities, as in a focal loss."""
    done = operation(made)
    sides = [_factors(side) or [side] for side in done.operands] if done.does == "add" else []
    return len(sides) == 2 and any(_blends(one, other, bound) for one, other in permutations(sides))


def _blends(one: list[Value], other: list[Value], bound: KnownValue) -> bool:
    """Whether the factors of two sides are a share, the rest of it, and nothing larger than the bound."""
    for share, rest in product(one, other):
        blended = (part for part in (*one, *other) if part is not share and part is not rest)
        if _is_share(share) and _rests_of(rest, share) and all(_is_at_most(part, bound) for part in blended):
            return True
    return False


def _is_share(value: Value) -> bool:
    """Whether a value lies between 0 and 1, as labels in one-hot form do."""
    return encoded(value) is not None or (not_negative(value) and _is_at_most(value, KnownValue(1)))


def _rests_of(value: Value, share: Value) -> bool:
    """Whether a value is 1 less the other."""
    done = operation(value) if isinstance(value, Call) else None
    if done is None or done.does != "sub" or len(done.operands) != 2:
        return False
    whole, part = done.operands
    return isinstance(whole, KnownValue) and whole.value == 1 and _bare(part) is _bare(share)


def not_negative(value: Value, depth: int = 0) -> bool:
    """Whether a factor cannot turn a sign: a count, a mask, a square, what averages or products of such give."""
    if depth > DEEP:
        return False
    if isinstance(value, KnownValue):
        return isinstance(value.value, (int, float)) and value.value >= 0
    if isinstance(value, Call):
        if _is_never_below_zero(value) or encoded(value) is not None or _is_square(value) or _is_rest(value):
            return True
        parts = _parts_of_sign(value)
    else:
        parts = flow.inputs(value) if isinstance(value, (Many, Items)) else []
    return bool(parts) and all(not_negative(part, depth + 1) for part in parts)


def _is_square(made: Call) -> bool:
    done = operation(made)
    return done.does == "pow" and bool(done.operands) and is_even(done.operands[-1])


def _is_rest(made: Call) -> bool:
    """What is left of a constant by something that is at most as large, such as a probability of 1."""
    done = operation(made)
    if done.does != "sub" or len(done.operands) != 2:
        return False
    return _is_at_most(done.operands[1], done.operands[0])


def _parts_of_sign(made: Call) -> list[Value]:
    """The operands that alone decide the sign of a result; none where that is not known."""
    done = operation(made)
    if done.does == "pow":
        return done.operands[:1]
    if done.does in ("mul", "div", "add"):
        return done.operands
    if made.name == "sum" or made.api in ("Tensor", "tensor", "Parameter"):
        return made.args[:1]
    return kept(made, "whole", *TAKEN) or _passed(made)
