"""Which losses a script applies, to what: whether the prediction has the form that the loss expects, and whether it trains.

Follows the prediction back from the loss, through what leaves its form as it is, to the layer that gave it: a Softmax, a
Sigmoid, a bare Dense. Losses and networks that are handed to Model are run for this as Model would run them.
"""

from __future__ import annotations

import ast
import re
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from ..knowledge import api, effects
from ..knowledge.effects import Effect
from . import flow
from .analysis import Reading
from .effects import (
    TAKEN,
    bound_arguments,
    describes,
    differentiates,
    effect,
    gradient_maker,
    kept,
    name_of,
    named_arguments,
    operands,
    updates,
)
from .factors import argument_of, comparison, operation
from .factors import gradient as gradient_of
from .networks import WITH_MATRIX, is_layer, kind_of, outputs
from .syntax import kept as kept_with_code
from .values import (
    Call,
    Frame,
    Instance,
    Items,
    KnownValue,
    Many,
    NamedValue,
    UnknownValue,
    Value,
    frames_around,
    is_known,
    options,
    unseen,
)

if TYPE_CHECKING:
    from .trace import Tracer


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: So many values are looked at between a loss and the layers that its prediction comes from, and so many such layers count.
STEPS, HEADS = 4000, 24
#: So many sums within sums are looked into, and so many operations are looked through on a mask.
_SUMS = 4
DEEP = 12

#: What leaves the form of a prediction as it is: of scores, the largest, the average and those that are not masked are scores.
_FORM = (*TAKEN, "filled", "limited", "between")
_REDUCERS = _words(
    "mean sum ReduceMean ReduceSum reduce_mean reduce_sum get_loss nanmean average max min ReduceMax ReduceMin dot matmul "
    "MatMul tensor_dot topk TopK norm"
)
_UNIFORM = re.compile(r"(^|\.)(rand|random|uniform|UniformReal|rand_like|random_sample|Uniform|Beta|beta)$")
_NORMAL = re.compile(r"(^|\.)(randn|normal|StandardNormal|standard_normal|Normal|randn_like|gauss)$")
_ACCURACY = re.compile(
    r"^(acc|accuracy|top_?[15].*|topk.*|precision|recall|f1|train\.(Accuracy|Top\w+|Precision|Recall|F1))$", re.I
)
_REGRESSION = re.compile(r"(MSE|L1|MAE|RMSE|Huber|mse|l1|huber)_?", re.I)


class Head(NamedTuple):
    """Where a prediction comes from: `gives` is "probabilities", "element probabilities", "log-probabilities", "element
    log-probabilities", "logits", "activation" or "" for what is not known."""

    gives: str
    name: str
    made: Value


@dataclass(eq=False)
class Application:
    """One time that a loss is applied."""

    loss: str
    place: Call
    cell: Call | None  # the loss as an object; None for a function
    arguments: dict[str, Value]
    prediction: Value | None
    labels: Value | None
    heads: list[Head] = field(default_factory=list)

    @property
    def known(self) -> api.Api:
        found = api.find(self.loss)
        assert found is not None
        return found


class ModelLoss(NamedTuple):
    """A Model with a loss: the calls that its training would make, what its network gives, and what its loss gives."""

    model: Call
    calls: list[Call]
    outputs: list[Value]
    losses: list[Value]


@dataclass(eq=False)
class Observation:
    """A finding: the code, where, and what fills the message; `certain` unless it rests on what was not seen."""

    code: str
    place: Any  # Call or Instance
    data: dict[str, Any] = field(default_factory=dict)
    also: Any = None
    certain: bool = True


# --- forms of predictions ---------------------------------------------------------------------------------------------


def heads(value: Value | None, depth: int = 0) -> list[Head]:
    """The layers that a prediction comes from, behind what leaves its form as it is."""
    found: list[Head] = []
    seen: set[int] = set()
    # What is looked at, whether its logarithm is taken, and whether it is averaged.
    queue: list[tuple[Value, bool, bool]] = [(value, False, False)] if value is not None else []
    while queue and len(seen) < STEPS and len(found) < HEADS:
        part, logged, averaged = queue.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part, (Many, Items)):
            queue += [(inner, logged, averaged) for inner in flow.inputs(part)]
        elif isinstance(part, Call):
            step = passes_on(part)
            if step is None:
                head = _head(part, logged, depth)
                found.append(head._replace(gives="logits") if averaged and head.gives == "activation" else head)
            else:
                known = effect(part)
                averaged |= known is not None and known.reduces
                queue += [(v, logged or step[1], averaged) for v in step[0]]
        else:
            found.append(Head("", getattr(part, "name", ""), part))
    return found


def passes_on(made: Call) -> tuple[list[Value], bool] | None:
    """What a call passes on without changing its form, and whether it takes the logarithm; None for what gives a form."""
    if made.name == "comprehension":
        return made.args[:1], False
    known = effect(made)
    if known is not None and known.gives == "log":
        return operands(made), True
    if known is not None and known.constant is not None:
        return [], False
    passed = kept(made, *_FORM)
    if passed is None and known is not None:
        passed = _scaled(made, known) or _masked(made, known) or _summed(made, known)
    if passed is not None:
        return [value for value in passed if not isinstance(value, KnownValue)], False
    return ([made.result], False) if made.result is not None else None


def _summed(made: Call, known: Effect) -> list[Value] | None:
    """What is added up along an axis."""
    return operands(made) if known.linear and known.reduces else None


def _scaled(made: Call, known: Effect) -> list[Value] | None:
    """What is multiplied by a constant, divided by one, or has one added."""
    pair = operands(made, (0, 1))
    if known.operation not in ("add", "mul", "div") or len(pair) != 2:
        return None
    left, right = pair
    if isinstance(right, KnownValue):
        return [left]
    return [right] if isinstance(left, KnownValue) and not known.right else None


def _masked(made: Call, known: Effect) -> list[Value] | None:
    """What is multiplied by truths: scores of which a mask leaves some, and 0 of the others."""
    pair = operands(made, (0, 1)) if known.operation == "mul" else []
    left, masks = [part for part in pair if not is_truth(part)], [part for part in pair if is_truth(part)]
    if len(left) != 1 or len(masks) != 1:
        return None
    own = any(part is left[0] for part in flow.sources(masks[0]))  # x * (x > 0), which changes the form
    return None if own else left


def is_truth(value: Value | None, depth: int = 0) -> bool:
    """Whether all elements are 0 or 1, whatever their type and shape: of a comparison, an array made of truths, or a part of these."""
    if not isinstance(value, Call) or depth > DEEP:
        return False
    known = effect(value)
    if comparison(value) or (known is not None and known.kind == "truth"):
        return True
    if known is not None and known.new and any(map(_is_truth_type, (*value.args, *value.keywords.values()))):
        return True
    inner = kept(value, *TAKEN) if known is not None else None
    return bool(inner) and all(is_truth(part, depth + 1) for part in inner or ())


def _is_truth_type(value: Value) -> bool:
    """True for the type of truths: mstype.bool_."""
    return isinstance(value, NamedValue) and value.name.rpartition(".")[2] in ("bool_", "bool")


def _head(made: Call, logged: bool, depth: int) -> Head:
    name = name_of(made)
    known, does = api.find(name), effect(made)
    gives = does.gives if does is not None else ""
    last = name.rsplit(".", 1)[-1]
    if not gives and known is not None:
        if known.kind in ("dense", "convolution"):
            gives, last = _activated(made, last)
        elif known.kind in ("normalization", "embedding", "recurrent", "pooling"):
            gives = "logits"
        elif known.kind == "activation":
            gives = "activation"
    if does is not None and does.operation in ("add", "sub") and _of_scores(made, depth):
        gives = "logits"
    if logged and gives in ("probabilities", "element probabilities"):
        return Head(gives.replace("probabilities", "log-probabilities"), f"log({last})", made)
    return Head("" if logged else gives, last or name, made)


def _of_scores(made: Call, depth: int) -> bool:
    """Whether scores are one of the two that are added, or taken off each other."""
    pair = operands(made, (0, 1)) if depth < _SUMS else []
    return any(head.gives == "logits" for part in pair for head in heads(part, depth + 1)[:1])


def _activated(made: Call, last: str) -> tuple[str, str]:
    """What a Dense layer gives, by its activation argument."""
    layer = made.base if isinstance(made.base, Call) else made
    given = layer.keywords.get("activation")
    if given is None:
        return "logits", last
    if isinstance(given, KnownValue):
        text = str(given.value).lower()
        if given.value is None:
            return "logits", last
    else:
        text = getattr(given, "last", getattr(given, "name", "")).lower()
    kinds = {"softmax": "probabilities", "sigmoid": "element probabilities", "logsoftmax": "log-probabilities"}
    if text in kinds:
        return kinds[text], text.capitalize()
    return ("activation", text) if text else ("", last)


# --- losses of one script ---------------------------------------------------------------------------------------------


class Losses:
    """What the losses of one reading are applied to."""

    def __init__(self, reading: Reading) -> None:
        self.reading, self.trace = reading, reading.trace
        self.handed: list[ModelLoss] = []
        self.gather_models()

    @cached_property
    def calls(self) -> list[Call]:
        return [*self.trace.calls, *(call for handed in self.handed for call in handed.calls)]

    @cached_property
    def users(self) -> dict[int, list[tuple[Call, str]]]:
        return flow.users(self.trace)

    def gather_models(self) -> None:
        """Runs what is handed to Model with a loss: the network on unknown inputs, the loss on its result."""
        for model in self.models_trained():
            arguments = named_arguments(model)
            network, loss = arguments.get("network"), arguments.get("loss_fn")
            if network is None:
                continue
            if loss is not None and not is_known(loss, None):
                self.hand(model, network, loss)
                continue
            for cell in _with_loss(network):
                backbone, loss = (cell.argument(["backbone", "loss_fn"], name) for name in ("backbone", "loss_fn"))
                if backbone is not None and loss is not None:
                    self.hand(cell, backbone, loss)

    def models_trained(self) -> list[Call]:
        """What Model makes and then trains."""
        trains = {
            id(base) for call in self.trace.calls if call.name in (".train", ".fit") for base in options(call.base)
        }
        return [call for call in self.trace.calls if call.api == "Model" and id(call) in trains]

    def hand(self, made: Call, network: Value, loss: Value) -> None:
        handed = ModelLoss(made, [], [], [])
        self.trace.again(_as_model(network, loss, handed))
        self.handed.append(handed)

    @cached_property
    def applications(self) -> list[Application]:
        found = []
        for call in self.calls:
            if (application := applied(call)) is not None:
                application.heads = heads(application.prediction)
                found.append(application)
        # A loss of the project that is also run with nothing known of its inputs says nothing new then.
        clear = {id(a.place.node) for a in found if any(head.gives for head in a.heads)}
        seen = any(not unseen(a.place.frame) for a in found)
        return [
            a
            for a in found
            if any(head.gives for head in a.heads)
            or not (id(a.place.node) in clear or (seen and unseen(a.place.frame)))
        ]

    def examine(self) -> list[Observation]:
        said: list[Observation] = []
        for application in self.applications:
            said += (one for one in form(application) if not self.only_picks(one))
            said += weights(application)
        said = self.of_training(said)
        said += self.regressions()
        said += self.reductions()
        said += self.values_for_losses()
        said += self.never_called()
        said += self.own_likelihoods()
        said += self.penalties()
        if not self.learns:  # the weights may be changed by hand, and a loss only be printed
            said = [replace(one, certain=False) for one in said]
        return said

    def of_training(self, said: list[Observation]) -> list[Observation]:
        """What is said, with each loss that fits and is no part of what is trained told as such: a loss that is only printed says
        nothing of the training. Where another one of it fits, that is enough."""
        inside = self.contributing
        beside = [one for one in said if one.code == "fits" and id(one.place) not in inside]
        if not inside or not beside:
            return said
        fits = any(one.code == "fits" and one not in beside for one in said)
        return [
            replace(one, code="fits-beside") if one in beside else one for one in said if not (fits and one in beside)
        ]

    @cached_property
    def learns(self) -> bool:
        """Whether gradients are taken anywhere: by a Model, a training cell or a function."""
        return any(call.api == "Model" or gradient_maker(call) for call in self.trace.calls)

    # --- the amount of a loss -----------------------------------------------------------------------------------------

    @cached_property
    def trained(self) -> list[tuple[Call, Value]]:
        """What gradients are taken of: the calls, and the values that come out."""
        found: list[tuple[Call, Value]] = []
        for call in self.trace.calls:
            if call.result is None or call.name != "":
                continue
            base = call.base
            if differentiates(base):
                found.append((call, _differentiated(call.result)))
            elif updates(base) or (isinstance(base, Instance) and call.result):
                found.append((call, call.result))
        found += [(handed.model, value) for handed in self.handed for value in handed.losses]
        return [*found, *self.trained_without_loss()]

    @cached_property
    def contributing(self) -> dict[int, Value]:
        """All that flows into what gradients are taken of, by id, each once."""
        return {id(part): part for _, value in self.trained for part in flow.sources(value)}

    def trained_without_loss(self) -> Iterator[tuple[Call, Value]]:
        """The same of models that are given no loss: their networks compute it."""
        known = {id(handed.model) for handed in self.handed}
        for call in self.trace.calls:
            if call.api == "Model" and not _argument(call, "loss_fn") and id(call) not in known:
                for network in options(_argument(call, "network")):
                    yield from ((call, value) for value in self.returned_by(network) if value is not None)

    def returned_by(self, network: Value) -> list[Value | None]:
        """What a network returns where it is run."""
        runs = (frame for frame in self.trace.frames if frame.owner is network)
        return [frame.returned for frame in runs if frame.function.name == "construct"]

    def reductions(self) -> Iterator[Observation]:
        """Losses that are not averaged before the gradient is taken."""
        reported: set[int] = set()
        for model in (handed.model for handed in self.handed):
            for loss in options(_argument(model, "loss_fn")):
                if (
                    isinstance(loss, Call)
                    and (kind := reduction(loss)) in ("none", "sum")
                    and id(loss.node) not in reported
                ):
                    reported.add(id(loss.node))
                    yield Observation(f"{kind}-reduction", loss, {"loss": loss.last}, model)
        for call in self.trace.calls:
            if call.api == "nn.WithLossCell":
                for loss in options(call.argument(["backbone", "loss_fn"], "loss_fn")):
                    kind = reduction(loss) if isinstance(loss, Call) else None
                    if kind in ("none", "sum") and isinstance(loss, Call) and id(loss.node) not in reported:
                        if self.only_evaluates(call, loss):
                            continue
                        reported.add(id(loss.node))
                        yield Observation(f"{kind}-reduction", loss, {"loss": loss.last}, call)
        bare = {id(a.place): a for a in self.applications if self.reduction_of(a) == "none"}
        for gradient, value in self.trained if bare else ():
            for part, sure in unreduced(value) if not _gives_jacobian(gradient) else ():
                application = bare.get(id(part))
                if application is not None:
                    at = application.cell or application.place
                    # An operator has no reduction to give, so the missing reduction may be intended.
                    meant = not sure or "reduction" not in application.known.parameters
                    if id(at.node) not in reported:
                        reported.add(id(at.node))
                        code = "none-reduction-perhaps" if meant else "none-reduction"
                        yield Observation(code, at, {"loss": application.loss.rsplit(".", 1)[-1]}, gradient)

    @staticmethod
    def reduction_of(application: Application) -> str | None:
        """The reduction of a loss that is applied; None when it is not known."""
        if application.cell is not None:
            return reduction(application.cell)
        return _given_reduction(application.loss, application.arguments)

    def only_evaluates(self, cell: Call, loss: Call) -> bool:
        """Whether a cell with a loss is given to nothing, and run where no gradient is taken."""
        users = [user for user, _ in self.users.get(id(cell), ())]
        runs = {id(a.place) for a in self.applications if a.cell is loss}
        if not runs or not all(user.name.startswith(".") for user in users):
            return False
        return runs.isdisjoint(self.contributing)

    # --- kinds --------------------------------------------------------------------------------------------------------

    @cached_property
    def classified(self) -> set[int]:
        """Layers whose results are compared with labels as classes: by argmax, or by an accuracy of a Model that evaluates."""
        compared = (value for call in self.calls if call.name == "==" for value in call.args)
        found = {id(layer_of(head)) for value in compared for score in _scores(value) for head in heads(score)}
        for model in self.trace.calls:
            metrics = _argument(model, "metrics") if model.api == "Model" and self.evaluates(model) else None
            if metrics is not None and any(_is_accuracy(part) for part in flow.sources(metrics)):
                found.update(id(layer_of(head)) for value in self.outputs_of(model) for head in heads(value))
        return found

    def evaluates(self, model: Call) -> bool:
        """Whether a Model asks for its metrics: what never does may have been given some that do not suit."""
        return any(use.name in (".eval", ".fit") for use, _ in self.users.get(id(model), ()))

    def outputs_of(self, model: Call) -> list[Value | None]:
        """What the networks of a Model give."""
        networks = options(_argument(model, "network"))
        handed = (value for one in self.handed if one.model is model for value in one.outputs)
        return [*(value for network in networks for value in self.returned_by(network)), *(handed if networks else ())]

    def scores_classes(self, head: Head, integers: bool) -> bool:
        """Whether a layer gives a score for each class. `integers`: what it is compared with are whole numbers."""
        return id(layer_of(head)) in self.classified or (integers and (outputs(layer_of(head)) or 1) > 1)

    def regressions(self) -> Iterator[Observation]:
        """Mean squared error and its like between the scores of classes and the numbers of classes."""
        for application in self.applications:
            name = application.loss.rsplit(".", 1)[-1]
            if application.known.expects != "raw" or not _REGRESSION.match(name):
                continue
            integers = is_integer(application.labels)
            wrong = [head for head in application.heads if self.scores_classes(head, integers)]
            if not wrong or any(head.gives not in ("logits", "activation", "log-probabilities") for head in wrong):
                continue
            width = outputs(layer_of(wrong[0]))
            if width == 1 or self.encodes or any(map(_no_class, flow.sources(application.labels))):
                continue
            yield Observation(
                "regression-on-classes", application.cell or application.place, {"loss": name}, application.place
            )

    @cached_property
    def encodes(self) -> bool:
        """True when one-hot labels are made anywhere."""
        return any(_one_hot(call) for call in self.calls)

    def values_for_losses(self) -> Iterator[Observation]:
        """A number where a loss function is expected."""
        for call in self.trace.calls:
            if call.api in ("nn.WithLossCell", "Model", "nn.WithEvalCell"):
                for given in options(_argument(call, "loss_fn")):
                    if isinstance(given, Call) and _is_number(given):
                        yield Observation("value-as-loss", call, {"cell": call.api})

    def never_called(self) -> Iterator[Observation]:
        """Training cells that are made and not run."""
        for call in self.trace.calls:
            if not updates(call) or unseen(call.frame):
                continue
            if self.users.get(id(call)) or _returned(self.trace.frames, call) or call.unpacked:
                continue
            optimizer = call.argument(["network", "optimizer"], "optimizer")
            if any(not isinstance(o, (Call, Instance)) or len(self.uses_of(o, call)) for o in options(optimizer)):
                continue
            if not self.replaced(call):
                yield Observation("never-called", call, {"cell": call.api})

    def replaced(self, cell: Call) -> bool:
        """Whether a training cell is left over: its name is that of another one, which is made later and run."""
        others = (other for other in self.trace.calls if other.order > cell.order and updates(other))
        return any(set(other.bound) & set(cell.bound) and self.users.get(id(other)) for other in others)

    def uses_of(self, optimizer: Value, besides: Call) -> list[Call]:
        """What else uses an optimizer, other training cells that are not run left out."""
        found = []
        for use, _ in self.users.get(id(optimizer), ()):
            idle = updates(use) and not self.users.get(id(use)) and not _returned(self.trace.frames, use)
            if use is not besides and not idle:
                found.append(use)
        return found

    # --- formulas -----------------------------------------------------------------------------------------------------

    def own_likelihoods(self) -> Iterator[Observation]:
        """-sum(one_hot * prediction), which wants the logarithm of probabilities."""
        seen: set[int] = set()
        for call in self.calls:
            pair = _likelihood(call)
            if pair is None or id(call.node) in seen:
                continue
            prediction, labels = pair
            found = heads(prediction)
            # The scores themselves choose the places, by more than how many there are.
            if any(flow.derives(labels, head.made, describes) for head in found):
                continue
            if not any(head.gives for head in found):
                continue
            seen.add(id(call.node))
            if all(head.gives.endswith("log-probabilities") for head in found):
                yield Observation("own-likelihood", call, {})
            elif all(head.gives == "probabilities" for head in found) and not (
                self.is_bent(call) or self.is_share(call, prediction)
            ):
                yield Observation("no-logarithm", call, {"layer": found[0].name}, found[0].made)

    def only_picks(self, said: Observation) -> bool:
        """Whether a loss that is given probabilities is nothing but what chooses those of the labels, for a formula on them."""
        return said.code == "no-log-softmax" and isinstance(said.place, Call) and self.is_bent(said.place)

    def is_bent(self, call: Call, depth: int = 4) -> bool:
        """Whether a logarithm or a power is taken of a result afterwards: what was chosen by the labels is then a probability, as in
        -log(p) and in (1 - p ** q) / q."""
        users = [user for user, _ in self.users.get(id(call), ())]
        return any(_bends(user) or (depth and _is_linear(user) and self.is_bent(user, depth - 1)) for user in users)

    def is_share(self, part: Value, whole: Value, depth: int = 5) -> bool:
        """Whether a result is divided by what is made of the same prediction, as an overlap is by both areas."""
        for user, _ in self.users.get(id(part), ()):
            done = operation(user)
            pair = done.operands if done.does == "div" else []
            if len(pair) == 2 and pair[0] is part and flow.derives(pair[1], whole):
                return True
            if depth and passes_on(user) is not None and self.is_share(user, whole, depth - 1):
                return True
        return False

    def penalties(self) -> Iterator[Observation]:
        """The point between real and generated samples at which a gradient penalty is taken."""
        seen: set[int] = set()
        for call in self.calls:
            if call.name != "" or not differentiates(call.base) or _by_weights_alone(call):
                continue
            for value in call.args:
                for part in flow.sources(value, _between_or_cell):
                    weight = _between(part) if isinstance(part, Call) else None
                    if weight is None or not isinstance(part, Call) or id(part.node) in seen:
                        continue
                    seen.add(id(part.node))
                    yield from self.drawn(weight, part)

    def drawn(self, weight: Value, point: Call) -> Iterator[Observation]:
        queue, seen = [weight], 0
        while queue and seen < 200:
            part, seen = queue.pop(), seen + 1
            if isinstance(part, (Many, Items)):
                queue += flow.inputs(part)
            if not isinstance(part, Call):
                continue
            name = name_of(part)
            last = name.rsplit(".", 1)[-1]
            normal = _NORMAL.search(name) is not None
            if normal or _UNIFORM.search(name):
                if normal:
                    yield Observation("penalty-normal", part, {"function": last + "()"}, point)
                if _once(part.frame):
                    yield Observation("penalty-once", part, {"function": last + "()"}, point)
                return
            queue += kept(part, *_FORM) or []


@kept_with_code
def losses_of(reading: Reading) -> Losses:
    """The losses of a reading, gathered once for all who ask."""
    return Losses(reading)


def _by_weights_alone(call: Call) -> bool:
    """Whether a call gives the gradients of weights and none of what it is given."""
    found, given = gradient_of(call), call.base
    maker = given.base if isinstance(given, Call) and given.name == "" else given
    if found is None or not found.by_weights or not isinstance(maker, Call):
        return False
    position = argument_of(maker, "grad_position")
    whole = argument_of(maker, "get_all")
    every = is_known(whole, True)
    return not every and (position is None or is_known(position, None))


_ARGMAX = ("argmax", "argmaxwithvalue", "argmax_with_value", "topk")


def _as_model(network: Value, loss: Value, handed: ModelLoss) -> Callable[[Tracer], Value]:
    def wanted(tracer: Tracer) -> Value:
        start, node = len(tracer.trace.calls), handed.model.node
        try:
            for cell in options(network):
                handed.outputs.append(output := tracer.call(cell, [UnknownValue("inputs")], {}, node))
                for each in options(loss):
                    handed.losses.append(tracer.call(each, [output, UnknownValue("labels")], {}, node))
        finally:
            handed.calls.extend(tracer.trace.calls[start:])
        return UnknownValue()

    return wanted


def _with_loss(network: Value) -> Iterator[Call]:
    """The framework's cells that put a loss behind a network, within what a Model trains."""
    for option in options(network):
        if isinstance(option, Call) and updates(option):
            inner = option.argument(["network"], "network")
            yield from _with_loss(inner) if inner is not None else ()
        elif isinstance(option, Call) and option.api == "nn.WithLossCell":
            yield option


def applied(call: Call) -> Application | None:
    """The application of a loss of MindSpore, by an object or a function."""
    name = name_of(call)
    known = api.find(name)
    if known is None or known.kind != "loss" or not (known.expects or known.reduction):
        return None
    if call.name == "":
        if not isinstance(call.base, Call) or not known.inputs:
            return None
        given = {**dict(zip(known.inputs, call.args, strict=False)), **call.keywords}
        first, second = (*known.inputs, "", "")[:2]
        return Application(name, call, call.base, given, given.get(first), given.get(second))
    if known.inputs:  # an object that is made here
        return None
    given = named_arguments(call)
    first, second = known.positional[:2]
    return Application(name, call, None, given, given.get(first), given.get(second))


def _origin(found: list[Head], application: Application) -> str:
    """What a prediction is the result of, as a reader knows it: by the name of a layer, else as the script writes it."""
    name = next((head.name for head in found[:1] if head.name), "")
    node = getattr(application.place, "node", None)
    written = node.args[0] if isinstance(node, ast.Call) and node.args else None
    return name or (" ".join(ast.unparse(written).split())[:60] if written is not None else "?")


def form(application: Application) -> Iterator[Observation]:
    """Whether a prediction has the form that the loss expects."""
    expects, labels = application.known.expects, application.known.labels
    loss = application.loss.rsplit(".", 1)[-1]
    heads_ = application.heads
    classes = labels in ("classes", "one-hot", "by sparse", "classes or probabilities", "classes or one-hot")
    verdicts = {_judge(expects, classes, head) for head in heads_}
    place = application.place
    if not heads_ or "" in verdicts or expects in (None, "raw"):
        if expects == "raw":
            yield Observation("fits", place, {"loss": loss, "layer": _origin(heads_, application)})
        elif expects is not None:
            yield Observation("prediction-unseen", place, {"loss": loss})
        return
    if len(verdicts) > 1:  # one way through the script is right
        wrong = [head for head in heads_ if _judge(expects, classes, head) != "fits"]
        yield Observation("sometimes", place, {"loss": loss, "layer": wrong[0].name}, wrong[0].made)
        return
    code = verdicts.pop()
    yield Observation(code, place, {"loss": loss, "layer": _origin(heads_, application)}, heads_[0].made)
    if code == "fits" and classes:
        yield from _dropped(application)
    if _takes_numbers(application) and application.labels is not None:
        made = encoded(application.labels)
        if made is not None:
            yield Observation("one-hot-for-sparse", place, {"loss": loss}, made)


def _cuts_off(head: Head) -> bool:
    """Whether a prediction is what an activation leaves of positive numbers, with 0 for all others."""
    known = effect(head.made) if isinstance(head.made, Call) else None
    found = [known] if known is not None else effects.alike(head.name)  # of the name that a layer has its activation by
    return bool(found) and all(one.keeps == "factor" and one.low == 0 for one in found)


def _dropped(application: Application) -> Iterator[Observation]:
    """Dropout between a layer and a loss, which sets scores to 0 themselves."""
    dropped, loss = _dropout_of_scores(application.prediction), application.loss.rsplit(".", 1)[-1]
    if dropped is not None:
        yield Observation(
            "dropped-scores", application.place, {"loss": loss, "layer": application.heads[0].name}, dropped
        )


def _dropout_of_scores(value: Value | None) -> Call | None:
    """The dropout, if any, that is done last to scores."""
    for _ in range(DEEP):
        if not isinstance(value, Call):
            return None
        if kind_of(value.base if value.name == "" else value) == "dropout":
            layer = operands(value)[:1]
            return value if layer and [head.gives for head in heads(layer[0])] == ["logits"] else None
        step = passes_on(value)
        value = step[0][0] if step is not None and len(step[0]) == 1 else None
    return None


def _takes_numbers(application: Application) -> bool:
    """Whether a loss is given the number of each class, by what it is or by its argument `sparse`."""
    labels, cell = application.known.labels, application.cell
    sparse = cell.keywords.get("sparse") if cell is not None else None
    if labels == "by sparse" and sparse is None and cell is not None and cell.args:
        sparse = cell.args[0]
    return labels == "classes" or is_known(sparse, True)


def _judge(expects: str | None, classes: bool, head: Head) -> str:
    """The code for a loss that expects one form and gets another; "" for what is not known."""
    gives = head.gives
    if gives == "":
        return ""
    element = gives.startswith("element ")
    plain = gives.removeprefix("element ")
    if expects == "logits":
        if plain == "probabilities":
            return "sigmoid-for-classes" if classes and element else "double-softmax" if classes else "double-sigmoid"
        if gives == "activation":
            return "cut-off-logits" if _cuts_off(head) else "activation-for-logits"
        return "fits"
    if expects == "probabilities":
        return "fits" if plain == "probabilities" else "logits-for-probabilities"
    if expects == "log-probabilities":
        return "fits" if plain == "log-probabilities" else "no-log-softmax"
    return "fits"


def weights(application: Application) -> Iterator[Observation]:
    """A weight for each position where one for each class is expected."""
    known = application.known
    if known.labels not in ("classes", "classes or probabilities") or application.cell is not None:
        return
    given = application.arguments.get("weight")
    labels = application.labels
    if not isinstance(given, Call) or not isinstance(labels, Call):
        return
    if _flattened(given) and _flattened(labels) and not _constant(given):
        yield Observation("weight-per-position", application.place, {"loss": known_name(application)})


def known_name(application: Application) -> str:
    return application.loss.rsplit(".", 1)[-1]


def _flattened(made: Call) -> bool:
    """True for x.view(-1) and its like: what had several dimensions becomes a vector."""
    last = name_of(made).rsplit(".", 1)[-1].lower()
    if last in ("flatten", "ravel"):
        return True
    if last not in ("view", "reshape"):
        return False
    shape = made.args if made.name[:1] == "." else made.args[1:]
    flat = shape[0].items if len(shape) == 1 and isinstance(shape[0], Items) else shape
    return len(flat) == 1 and isinstance(flat[0], KnownValue) and flat[0].value == -1


def _constant(value: Value) -> bool:
    """True when a value rests on constants and parameters only, as the weights of classes do."""
    for part in flow.sources(value):
        if isinstance(part, UnknownValue) or (isinstance(part, Call) and part.name in (".each", ".item", "[]")):
            return False
    return True


def reduction(loss: Call) -> str | None:
    """The reduction of a loss object; None when it is not known."""
    known = api.find(loss.api)
    if known is None or known.kind != "loss":
        return None
    given = bound_arguments(loss)
    return None if given is None or loss.unpacked else _given_reduction(loss.api, given)


def _given_reduction(name: str, given: dict[str, Value]) -> str | None:
    known = api.find(name)
    value = given.get("reduction")
    if value is None:
        return known.reduction if known else None
    if isinstance(value, KnownValue):
        return "none" if value.value is None else str(value.value).lower()
    return None


def unreduced(value: Value) -> Iterator[tuple[Value, bool]]:
    """What flows into a value without being averaged on the way, and whether it does so on every way through the script."""
    seen: dict[int, bool] = {}
    queue: deque[tuple[Value, bool]] = deque([(value, True)])
    while queue and len(seen) < flow.LIMIT:
        part, sure = queue.popleft()
        if id(part) in seen and seen[id(part)] >= sure:
            continue
        seen[id(part)] = sure
        if _reduces(part):
            continue
        yield part, sure
        inner = flow.inputs(part)
        queue += [(v, sure and not (isinstance(part, Many) and len(inner) > 1)) for v in inner]


def _reduces(value: Value) -> bool:
    """True for what makes one number of a loss for each sample, or may do so."""
    if not isinstance(value, Call):
        return isinstance(value, Instance)
    name = name_of(value)
    if name.rsplit(".", 1)[-1] in _REDUCERS:
        return True
    if name in ("/", "ops.div", "ops.Div", "ops.RealDiv"):  # by a count of its own
        return not (len(value.args) == 2 and isinstance(value.args[1], KnownValue))
    known = api.find(name)
    layer = known is not None and known.kind in WITH_MATRIX
    return layer or (not name.startswith(("ops.", ".", "nn.", "mint.")) and name[:1].isalpha() and "." in name)


def _gives_jacobian(call: Call) -> bool:
    """Whether a call gives the gradients of each output by itself, which are not added up."""
    known = effects.find(gradient_maker(call.base))
    return known is not None and known.operation == "jacobian"


def _argument(call: Call, name: str) -> Value | None:
    known = api.find(call.api)
    return call.argument(list(known.positional) if known else [], name)


def _is_number(value: Call) -> bool:
    """True for what has been computed: the result of an operator, a layer or a function of tensors."""
    if value.name in ("+", "-", "*", "/", "**", "@", "neg"):
        return True
    if value.name == "" and isinstance(value.base, Call):
        known = api.find(value.base.api)
        return known is not None and known.kind in ("loss", "dense", "convolution", "statistics", "activation")
    known = api.find(value.api)
    function = value.api.rsplit(".", 1)[-1][:1].islower()
    return known is not None and function and known.kind in ("loss", "statistics", "activation")


def _returned(frames: list[Frame], made: Call) -> bool:
    return any(any(option is made for option in options(frame.returned)) for frame in frames)


def layer_of(head: Head) -> Value:
    """The layer object behind a head."""
    made = head.made
    return made.base if isinstance(made, Call) and made.name == "" and made.base is not None else made


def _is_accuracy(value: Value) -> bool:
    if isinstance(value, KnownValue):
        return isinstance(value.value, str) and _ACCURACY.match(value.value) is not None
    return isinstance(value, Call) and _ACCURACY.match(value.api) is not None


def _no_class(value: Value) -> bool:
    """True for what makes labels that are not class numbers: one-hot vectors, or what a network gives."""
    by_layer = isinstance(value, Call) and value.name == "" and value.base is not None and is_layer(value.base)
    return by_layer or _one_hot(value)


def _one_hot(value: Value) -> bool:
    if not isinstance(value, Call):
        return False
    last = name_of(value).rsplit(".", 1)[-1]
    return last in ("OneHot", "one_hot", "OneHotOp", "eye", "to_categorical", "onehot")


def is_integer(value: Value | None) -> bool:
    """True for labels that are made integers, as the numbers of classes are."""
    for _ in range(20):
        if not isinstance(value, Call):
            return False
        last = name_of(value).rsplit(".", 1)[-1]
        if last in ("astype", "to", "cast", "Cast", "Tensor", "tensor", "int", "long"):
            given = [*value.args, *value.keywords.values()]
            kinds = [getattr(kind, "name", "") or str(getattr(kind, "value", "")) for kind in given]
            return last in ("int", "long") or any(re.search(r"(^|\.)int(32|64)?$", kind) for kind in kinds)
        behind = passes_on(value)
        if behind is None or not behind[0]:
            return False
        value = behind[0][0]
    return False


def encoded(value: Value) -> Call | None:
    """The one-hot encoding that labels are, behind changes of shape and type."""
    for _ in range(20):
        if not isinstance(value, Call):
            return None
        if _one_hot(value):
            return value
        behind = passes_on(value)
        if behind is None or not behind[0] or name_of(value) in (".item", ".each", "[]"):
            return None
        value = behind[0][0]
    return None


def _factors(call: Call) -> list[Value]:
    """What is multiplied in the operand of a sum, but for constants and signs."""
    factors: list[Value] = []
    queue = operands(call)
    while queue and len(factors) < 6:
        part = queue.pop()
        name = name_of(part) if isinstance(part, Call) else ""
        if isinstance(part, Call) and name in ("*", "ops.mul", "ops.Mul") and len(part.args) == 2:
            queue += part.args
        elif isinstance(part, Call) and name in ("neg", "ops.Neg", "ops.neg", ".neg"):
            queue += operands(part)
        elif not isinstance(part, KnownValue):
            factors.append(part)
    return factors


def _likelihood(call: Call) -> tuple[Value, Value] | None:
    """The prediction and the one-hot labels of a product that is negated and summed: -1 * p * one_hot, or -(p * one_hot).sum()."""
    if name_of(call).rsplit(".", 1)[-1] not in ("sum", "ReduceSum", "reduce_sum", "mean", "ReduceMean"):
        return None
    factors = _factors(call)
    if len(factors) != 2:
        return None
    labels = [factor for factor in factors if encoded(factor) is not None]
    if len(labels) != 1:
        return None
    if _is_logarithm(
        labels[0]
    ):  # a reverse cross entropy: its labels are the prediction, and what is predicted weighs them
        return None
    return next(factor for factor in factors if factor is not labels[0]), labels[0]


def _is_logarithm(value: Value) -> bool:
    known = effect(value) if isinstance(value, Call) else None
    return known is not None and known.gives == "log"


def _bends(made: Call) -> bool:
    """Whether a call takes the logarithm or a power of what it is given."""
    known = effect(made)
    return known is not None and (known.gives == "log" or known.operation == "pow" or known.power not in (None, 1))


def _is_linear(made: Call) -> bool:
    """Whether a call averages, turns the sign, adds a constant or is multiplied by one, or leaves the form as it is."""
    step = passes_on(made)
    known, pair = effect(made), operands(made, (0, 1))
    constant = any(isinstance(part, KnownValue) for part in pair)
    does = known.operation if known is not None else ""
    return (step is not None and not step[1]) or does == "negate" or (constant and does in ("add", "sub", "mul", "div"))


def _between_or_cell(value: Value) -> bool:
    return isinstance(value, Instance) or (isinstance(value, Call) and _between(value) is not None)


def _differentiated(result: Value) -> Value:
    """With has_aux only the first result is differentiated."""
    firsts = [o.items[0] if isinstance(o, Items) and o.items else o for o in options(result)]
    return firsts[0] if len(firsts) == 1 else Many(tuple(firsts))


def _scores(value: Value) -> list[Value]:
    """What argmax is taken of on the way to a value."""
    for part in flow.sources(value, lambda v: isinstance(v, Instance)):
        if isinstance(part, Call) and name_of(part).rsplit(".", 1)[-1].lower() in _ARGMAX:
            return operands(part)
    return []


def _between(call: Call) -> Value | None:
    """The weight w of w * a + (1 - w) * b, or of b + w * (a - b)."""
    if call.name not in ("+", "ops.add", "ops.Add") or len(call.args) != 2:
        return None
    products = [part for part in call.args if isinstance(part, Call) and part.name == "*" and len(part.args) == 2]
    for one in products:
        for other in products:
            for place, factor in enumerate(one.args):
                if one is not other and isinstance(factor, Call) and factor.name == "-":
                    left, right = factor.args
                    if isinstance(left, KnownValue) and left.value == 1 and any(right is part for part in other.args):
                        return right
                if isinstance(factor, Call) and factor.name == "-":
                    rest = [part for part in call.args if part is not one]
                    if rest and factor.args[1] is rest[0]:
                        return one.args[1 - place]
    return None


def _once(frame: Frame | None) -> bool:
    """True for what is drawn while the network is built or compiled."""
    return any(one.function.name == "__init__" or _is_compiled_constant(one) for one in frames_around(frame))


def _is_compiled_constant(run: Frame) -> bool:
    """True for a function whose result the compiler keeps."""
    decorators = getattr(run.function.node, "decorator_list", ())
    makers = (decorator.func if isinstance(decorator, ast.Call) else decorator for decorator in decorators)
    return any(getattr(maker, "id", getattr(maker, "attr", "")) in ("constexpr", "_primexpr") for maker in makers)
