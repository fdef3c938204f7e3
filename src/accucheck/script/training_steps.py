"""The training steps of a script: where gradients meet an optimizer, in the framework's cells or in code of the project;
where half precision comes from; and how each optimizer, scaler and cell deals with a loss scale."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from ..knowledge import api, effects, names, signatures
from ..knowledge.api import Api
from .analysis import Reading
from .effects import effect
from .effects import kept as kept_operands
from .factors import Factors, Key, Term, called, comparison, faulty, gradient, operation
from .flow import inputs, users
from .networks import trains
from .remarks import Remark
from .source import Source
from .syntax import kept
from .trace import Tracer
from .values import (
    Call,
    Frame,
    Function,
    Instance,
    Items,
    KnownValue,
    Many,
    Mapping,
    NamedValue,
    Test,
    UnknownValue,
    Value,
    frames_around,
    is_known,
    options,
    strings_of,
)

_WRAPPERS = (
    "nn.LARS",
    "nn.AdaSumByGradWrapCell",
    "nn.AdaSumByDeltaWeightWrapCell",
    "boost.OptimizerProcess",
    "boost.FreezeOpt",
)
_OPTIMIZER = re.compile(r"optim|(^|_)opt(_|\d|$)|^opt[A-Z]|adam|(^|_)sgd|momentum$|(^|_)lamb($|_)|lars$", re.I)

#: Training cells that are run though no call of them is seen.
CELLS = 12
_LOSS_SCALE = re.compile("loss_?scale", re.I)
#: What the construct of an optimizer of the project says when it divides by loss_scale.
_DIVIDING = re.compile(r"scale|super\(.*\)\.construct")

_MODEL = ["network", "loss_fn", "optimizer", "metrics", "eval_network", "eval_indexes", "amp_level", "boost_level"]
_BUILD = ["network", "optimizer", "loss_fn", "level", "boost_level"]
#: Training cells and the order of their arguments.
_CELLS = {
    name: signatures.load().parameters[name] for name in effects.differentiating(updates=True) if name.endswith("Cell")
}
DYNAMIC = ("amp.DynamicLossScaleManager", "nn.DynamicLossScaleUpdateCell", "amp.DynamicLossScaler")
FIXED = ("amp.FixedLossScaleManager", "nn.FixedLossScaleUpdateCell", "amp.StaticLossScaler")

_DEVICES = {"ascend", "gpu", "cpu"}
#: Which option was compared with what, as values.KnownValue has it.
_ASKED = re.compile(r" (==|!=) '(\w+)'$")
#: Values of precision_mode, in either spelling of CANN, that compute in half precision of their own accord.
_HALF_MODES = frozenset(
    {"force_fp16", "allow_fp32_to_fp16", "allow_mix_precision", "allow_mix_precision_fp16", "allow_mix_precision_bf16"}
)
HALF = frozenset({"float16", "half", "numpy.float16", "numpy.half"})


@dataclass(frozen=True)
class HalfPrecision:
    """A place where computation in float16 is asked for. `how` is "level", "to_float", "argument", "table" (a layer that looks up
    and computes nothing), "parameter", "flag" or "cast"; `maybe` tells that an option or a device decides, or that nothing is seen
    to run it, `chosen` under which conditions it is float16 that is asked for."""

    how: str
    made: Call
    level: str = ""
    maybe: bool = False
    chosen: tuple[Test, ...] = ()

    def strong(self, alone: bool) -> bool:
        """Layers with weights are computed in half precision, not just some values between them. What the lists of O1 and
        auto hold counts where the framework adds nothing by itself (`alone`)."""
        return self.how not in ("cast", "table") and (alone or self.level not in ("O1", "auto"))

    @property
    def text(self) -> str:
        """What the script asks for."""
        name = self.made.last
        if self.how == "level":
            return f'{name}(amp_level="{self.level}")' if name == "Model" else f'{name}(..., "{self.level}")'
        known = {"to_float": ".to_float(float16)", "cast": "cast(float16)", "flag": "fp16=True"}
        return known.get(self.how, f"{name}(float16)")


@dataclass
class Step:
    """Where weights are updated. `kind` is "model" for Model and build_train_network, "cell" and "scale cell" for the
    framework's training cells, "own" for code of the project that calls an optimizer with gradients."""

    kind: str
    place: Call | Frame | Instance
    optimizer: Value | None
    network: Value | None = None
    level: Value | None = None
    manager: Value | None = None  # what was given as loss_scale_manager, or scale_sense
    sens: Value | None = None
    gradients: Value | None = None
    others: list[Value] = field(default_factory=list)

    @property
    def source(self) -> Source:
        if isinstance(self.place, Instance):
            assert self.place.source is not None
            return self.place.source
        return self.place.source

    @property
    def node(self) -> ast.AST:
        assert self.place.node is not None
        return self.place.node

    @property
    def line(self) -> int:
        return getattr(self.node, "lineno", 1)

    @property
    def tests(self) -> tuple[Test, ...]:
        return self.place.tests

    @property
    def under(self) -> tuple[Test, ...]:
        """All conditions under which weights are updated."""
        return self.place.under

    @property
    def needs(self) -> tuple[Test, ...]:
        """All conditions under which weights are updated, and those under which the cell is made that does so."""
        owner = self.frame.owner if self.frame is not None else None
        return (*self.under, *owner.under) if isinstance(owner, Instance) else self.under

    @property
    def frame(self) -> Frame | None:
        return self.place.parent if isinstance(self.place, Frame) else self.place.frame

    @property
    def order(self) -> int:
        return self.place.order

    @property
    def is_run(self) -> bool:
        """Whether something is seen to lead to the step, or to make the cell that does it."""
        return not (isinstance(self.place, Instance) and _is_made_up(self.place)) and is_run(self.frame)


def is_run(frame: Frame | None) -> bool:
    """False within a function that nobody is seen to call, and in methods of a class that nobody is seen to make an object of."""
    return not any(one.unseen and (one.owner is None or _is_made_up(one.owner)) for one in frames_around(frame))


def _is_made_up(owner: Value) -> bool:
    """Whether an object is one that was made to follow its class, which nothing else makes an object of."""
    return isinstance(owner, Instance) and owner.node is owner.of.node


class TrainingSteps:
    """The steps and the half precision of one reading."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.trace = reading.trace
        self.calls, self.frames = list(self.trace.calls), list(self.trace.frames)
        self._run_all()
        self.factors = Factors(self.loss_scale)
        self.inits = {id(f.owner): f for f in reversed(self.frames) if f.function.name == "__init__"}
        self._judged: list[Step] | None = None
        self._touched: dict[int, bool | None] = {}
        self._kept: list[Value] = []
        for call in self.calls:  # in their order, so that none asks for a long way back
            self.touched(call)
        self.steps = list(self._steps())

    @cached_property
    def halves(self) -> list[HalfPrecision]:
        """Where half precision is asked for."""
        return list(_halves(self.calls))

    def _run_all(self) -> None:
        """A trace runs what nobody calls once. A training cell is made for each way to train, so each is run here."""
        run = {id(frame.owner) for frame in self.frames if frame.function.name == "construct"}
        left = [made for made in self.trace.instances if id(made) not in run and _is_step(made)]
        for instance in left[:CELLS]:
            self.trace.again(partial(self._run, instance))

    def _run(self, instance: Instance, tracer: Tracer) -> Value:
        method = instance.of.find("construct")
        if not isinstance(method, Function):
            return UnknownValue()
        calls, frames = len(tracer.trace.calls), len(tracer.trace.frames)
        bound = Function(method.node, method.scope, method.source, instance, method.of)
        found = tracer.call_function(bound, [], {}, method.node, unseen=True)
        self.calls += tracer.trace.calls[calls:]
        self.frames += tracer.trace.frames[frames:]
        return found

    # --- steps --------------------------------------------------------------------------------------------------------

    def _steps(self) -> Iterator[Step]:
        for made in self.calls:
            step = self._framework(made) or self._own(made)
            if step is not None:
                yield step
        for instance in self.trace.instances:
            yield from self._inherited(instance)
        for frame in self.frames:
            step = self._followed(frame)
            if step is not None:
                yield step

    def _framework(self, made: Call) -> Step | None:
        name, get = made.api, made.argument
        if name == "Model":
            optimizer = get(_MODEL, "optimizer")
            if optimizer is None or is_known(optimizer, None):
                return None
            manager = made.keywords.get("loss_scale_manager")
            return Step("model", made, optimizer, get(_MODEL, "network"), get(_MODEL, "amp_level"), manager)
        if name == "amp.build_train_network":
            manager = made.keywords.get("loss_scale_manager")
            return Step("model", made, get(_BUILD, "optimizer"), get(_BUILD, "network"), get(_BUILD, "level"), manager)
        if name in _CELLS:
            return _cell(name, made, {**dict(zip(_CELLS[name], made.args, strict=False)), **made.keywords})
        return None

    def _inherited(self, instance: Instance) -> Iterator[Step]:
        """An object of a class that leaves the step to the framework's cell it is derived from."""
        if instance.of.find("construct") is not None:
            return
        for name, args, keywords in instance.supers:
            cell = canonical(name)
            step = _cell(cell, instance, {**dict(zip(_CELLS.get(cell, ()), args, strict=False)), **keywords})
            if step is not None:
                yield step

    def _own(self, made: Call) -> Step | None:
        """A call of an optimizer with gradients."""
        base = made.base
        if (
            base is None
            or not made.args
            or (made.name[:1] in ("@", ".") and made.name not in (".step", ".apply_gradients"))
        ):
            return None
        if self._within_optimizer(made.frame) or not any(is_optimizer(option) for option in options(base)):
            return None
        given = [arg for arg in made.args if self.is_gradient(arg)]
        if not given:
            return None
        return Step("own", made, base, gradients=given[0], others=[arg for arg in made.args if arg is not given[0]])

    def _followed(self, frame: Frame) -> Step | None:
        """The same with an optimizer of the project."""
        owner = frame.owner
        if owner is None or frame.function.name not in ("construct", "__call__") or not is_optimizer(owner):
            return None
        if frame.unseen or self._within_optimizer(frame.parent):
            return None
        given = [value for name, value in frame.parameters.items() if name != "self" and self.is_gradient(value)]
        if not given:
            return None
        others = [value for name, value in frame.parameters.items() if name != "self" and value is not given[0]]
        return Step("own", frame, owner, gradients=given[0], others=others)

    def _within_optimizer(self, frame: Frame | None) -> bool:
        methods = (one for one in frames_around(frame) if one.function.name != "__init__")
        return any(one.owner is not None and is_optimizer(one.owner) for one in methods)

    def is_gradient(self, value: Value) -> bool:
        """Whether a value is a gradient, or gradients multiplied, summed up, clipped and the like."""
        return self.touched(value) and any(term.gradients for term in self.factors.of(value))

    @cached_property
    def _differentiates(self) -> bool:
        return any(gradient(call) is not None for call in self.trace.calls)

    def touched(self, value: Value | None) -> bool:
        """Whether a gradient flows into a value; a cheap first question."""
        if value is None or not self._differentiates:
            return False
        known = self._touched
        waiting = [value]
        while waiting:  # no recursion: a script may chain thousands of attributes
            part = waiting[-1]
            if known.get(id(part)) is not None:
                waiting.pop()
                continue
            inner = inputs(part)
            if id(part) not in known:
                known[id(part)] = None
                self._kept.append(part)
                if gradient(part) is None:
                    waiting += [one for one in inner if id(one) not in known]
                    continue
            known[id(part)] = gradient(part) is not None or any(known.get(id(one)) for one in inner)
            waiting.pop()
        return bool(known[id(value)])

    def judged_steps(self) -> list[Step]:
        """The steps that run on an accelerator, but for training cells that are made and not used, and for those that nothing is seen
        to run where others are."""
        if self._judged is None:
            steps = [step for step in self.steps if not on_cpu((*self._owner_tests(step), *step.under))]
            used = [step for step in steps if self._is_used(step)] or steps
            self._judged = [step for step in used if step.is_run] or used
        return self._judged

    def _owner_tests(self, step: Step) -> tuple[Test, ...]:
        owner = step.frame.owner if step.kind == "own" and step.frame is not None else None
        return owner.under if isinstance(owner, Instance) else ()

    def _is_used(self, step: Step) -> bool:
        """Whether anything is done with a training cell beyond setting it up; the only step there is counts as used."""
        cell = step.place
        if step.kind not in ("cell", "scale cell") or not isinstance(cell, Call):
            return True
        for call in self.calls:
            if call.name == "" and cell in options(call.base):
                return True
            if _is_given(cell, call):
                return True
        held = (value for instance in self.trace.instances for value in instance.attributes.values())
        if any(cell in options(value) for value in held):
            return True
        return any(
            frame.unseen and frame.returned is not None and cell in options(frame.returned) for frame in self.frames
        )

    def only_evaluates(self, step: Step) -> bool:
        """Whether a Model is made with an optimizer and then runs no training, beside gradients that the script takes itself."""
        made = step.place
        if not isinstance(made, Call) or made.api != "Model" or not self._takes_gradients:
            return False
        used = users(self.trace).get(id(made), ())
        held = (value for instance in self.trace.instances for value in instance.attributes.values())
        returned = (frame.returned for frame in self.frames)
        if any(made in options(value) for value in (*held, *returned)):
            return False
        return all(how == "base" and use.name in (".eval", ".predict") for use, how in used)

    @cached_property
    def _takes_gradients(self) -> bool:
        taken = map(gradient, self.calls)
        return any(one is not None and one.weights is not None for one in taken)

    def no_step(self) -> Remark:
        source = self.reading.source
        return Remark("no-step", source, 1, 1, {"path": source.path})

    @cached_property
    def precision_mode(self) -> Call | None:
        """The call that sets a mode of the context which computes in half precision whatever the script asks for."""
        return next((call for call in self.calls if half_mode(call)), None)

    def halves_of(self, step: Step) -> list[HalfPrecision]:
        """The half precision that a step trains in: its own level, and what the script asks for besides, as far as both can
        be at once."""
        here = self.given(step)
        general = (h for h in self.halves if h.how != "level" or h.made.api.endswith("mixed_precision"))
        own = (half for half in self.halves if half.made is step.place)
        both = (half for half in (*own, *general) if not on_cpu(half.made.under))
        return [half for half in both if self.under(half).times(here) is not None]

    def under(self, half: HalfPrecision) -> Term:
        """The conditions under which half precision is asked for."""
        return Term(choices=self.factors.conditions((*half.made.under, *half.chosen)))

    # --- scales -------------------------------------------------------------------------------------------------------

    def loss_scale(self, optimizer: Value) -> Value | None:
        """What an optimizer was given as loss_scale; None where it takes none or was given none."""
        if isinstance(optimizer, Instance):
            return self.own_loss_scale(optimizer)
        if not isinstance(optimizer, Call):
            return None
        if optimizer.api in _WRAPPERS and optimizer.args:
            inner = (self.loss_scale(option) for option in options(optimizer.args[0]))
            return next((given for given in inner if given is not None), None)
        known = _framework_optimizer(optimizer.name)
        bound = known.bind_any(optimizer.args, optimizer.keywords) if known is not None else None
        return (bound or optimizer.keywords).get("loss_scale")

    def own_loss_scale(self, optimizer: Instance) -> Value | None:
        """The same of an optimizer of the project: of its own parameters, else of what it gives to the framework's."""
        init = self.inits.get(id(optimizer))
        named = (value for name, value in init.parameters.items() if _LOSS_SCALE.search(name)) if init else ()
        for value in named:
            return value
        for name, args, keywords in optimizer.supers:
            if (found := _framework_optimizer(name)) is not None:
                return (found.bind_any(args, keywords) or keywords).get("loss_scale")
        return None

    def is_seen(self, optimizer: Value) -> bool:
        """Whether it is seen what an optimizer divides gradients by."""
        if isinstance(optimizer, Call):
            return _framework_optimizer(optimizer.name) is not None or optimizer.api in _WRAPPERS
        if not isinstance(optimizer, Instance):
            return False
        update = optimizer.of.find("construct")
        if not isinstance(update, Function) or self.loss_scale(optimizer) is None:
            return True
        return bool(_DIVIDING.search(ast.unparse(update.node)))

    def given(self, step: Step) -> Term:
        """The conditions under which a step is made."""
        return Term(choices=self.factors.conditions((*self._owner_tests(step), *step.under)))

    def optimizers(self, step: Step) -> list[tuple[Value, Term]]:
        """The optimizers that a step may have, each with the conditions under which it has it."""
        here = self.given(step)
        ways = [(option, term.times(here)) for option, term in self.factors.ways(step.optimizer)]
        return [(option, term) for option, term in ways if term is not None]

    def divided(self, optimizer: Value) -> tuple[Term, ...] | None:
        """What an optimizer divides gradients by; None where that is not seen."""
        return self.factors.of(self.loss_scale(optimizer), True) if self.is_seen(optimizer) else None

    def carried(self, step: Step) -> tuple[Term, ...]:
        """What the gradients of an own step carry when they reach the optimizer."""
        return self.factors.of(step.gradients)

    def taken_off(self, terms: Iterable[Term]) -> set[Key]:
        """Factors of a loss that its gradients do not have any more: divided out again they are scales, whatever they are called. What
        gradients lose as they are brought to one size is not told by that."""
        return {
            factor
            for term in terms
            if not term.normed
            for loss in self._losses(term)
            if loss.times(term) is not None  # on the same way through the script
            for factor, power in loss.powers
            if power > 0 and factor not in dict(term.powers)
        }

    def unseen_divisors(self, terms: Iterable[Term]) -> set[Key]:
        """What gradients are divided by where of it only the place is known, as of what the loss was multiplied by: both may be one."""
        return {
            factor
            for term in terms
            if any(sum(power > 0 and key[0] == "id" for key, power in loss.powers) > 1 for loss in self._losses(term))
            for factor, power in term.powers
            if power < 0 and factor[0] == "id"
        }

    def _losses(self, term: Term) -> Iterator[Term]:
        return (loss for key in term.gradients for loss in self.factors.of(self.factors.gradients[key].loss))

    def faulty(self, terms: Sequence[Term]) -> list[Term]:
        """The terms that carry what they should not."""
        return faulty(tuple(terms), self.factors.is_clean)

    def is_given(self, key: Key) -> bool:
        """A scale that comes from a caller who is not seen, or is set from elsewhere, and so may be anything."""
        value = self.factors.values.get(key)
        if key[0] == "scale of":
            return False
        if isinstance(value, Call) and operation(value).name == "parameter":
            start = self.factors.of(operation(value).operand(0), True)
            return not self.factors.from_manager(value) and not any(term.put_on for term in start)
        return not isinstance(value, Call) or not self.factors.from_manager(value)

    def sees_loss(self, step: Step) -> bool:
        """Whether what the gradients are taken of is seen; a network from elsewhere does not scale its loss."""
        found = [self.factors.gradients[key] for term in self.carried(step) for key in term.gradients]
        return bool(found) and all(
            (one.loss is not None or isinstance(one.function, (Call, Instance)) or one.sens is not None)
            and id(one.call) not in self.factors.hidden
            for one in found
        )


def on_cpu(tests: tuple[Test, ...]) -> bool:
    """Whether code under these conditions runs on a CPU alone, where neither mixed precision nor several devices are at stake."""
    left = set(_DEVICES)
    for test in tests:
        if (named := devices(test)) is not None:
            left &= named
    return left == {"cpu"}


@kept
def training(reading: Reading) -> TrainingSteps:
    """The steps of a reading, made once for all who ask."""
    return TrainingSteps(reading)


def _is_step(instance: Instance) -> bool:
    return any(is_optimizer(held) and not isinstance(held, Function) for held in instance.attributes.values())


def _cell(name: str, place: Call | Instance, arguments: dict[str, Value]) -> Step | None:
    optimizer = arguments.get("optimizer")
    if optimizer is None or name not in _CELLS:
        return None
    network = arguments.get("network")
    if "scale_sense" in _CELLS[name]:
        return Step("scale cell", place, optimizer, network, manager=arguments.get("scale_sense"))
    return Step("cell", place, optimizer, network, sens=arguments.get("sens"))


def devices(test: Test) -> set[str] | None:
    """The kinds of devices that a condition leaves; None when it is about something else."""
    value, taken = test.value, test.taken
    while isinstance(value, Call) and value.name == "not" and value.args:
        value, taken = value.args[0], not taken
    symbol, texts = _compared(value)
    named = {text.lower() for text in texts} & _DEVICES
    if taken is None or not named:
        return None
    return named if taken is (symbol in ("==", "in")) else _DEVICES - named


def _compared(value: Value) -> tuple[str, list[str]]:
    """How something is compared, and the texts that it is compared with."""
    if isinstance(value, KnownValue):
        asked = _ASKED.search(value.asked)
        return (asked[1], [asked[2]]) if asked is not None else ("", [])
    if not isinstance(value, Call) or value.name not in ("==", "!=", "in", "not in"):
        return "", []
    each = [option for arg in value.args for option in (arg.items if isinstance(arg, Items) else [arg])]
    return value.name, strings_of(each)


# --- optimizers -------------------------------------------------------------------------------------------------------


def _is_given(cell: Value, call: Call) -> bool:
    """Whether a call is given a cell, by itself or in a list."""
    given = (*call.args, *call.keywords.values())
    parts = (part for value in given for part in (inputs(value) if isinstance(value, Items) else [value]))
    return any(cell in options(part) for part in parts)


def canonical(name: str) -> str:
    return names.canonical(name)


def _framework_optimizer(name: str) -> Api | None:
    """One of the framework's optimizers, given its full name."""
    found = api.find(canonical(name)) or api.find("nn." + canonical(name).rpartition(".")[2])
    return found if found is not None and found.kind == "optimizer" and name.startswith("mindspore.") else None


@kept
def is_optimizer(value: Value | None) -> bool:
    """Whether a value is an optimizer, by what made it or by what it is called."""
    if isinstance(value, Many):
        return any(is_optimizer(option) for option in value.options)
    if isinstance(value, Instance):
        beyond = value.of.beyond()
        if any(_framework_optimizer(name) for name in beyond):
            return True
        return bool(_OPTIMIZER.search(value.of.node.name)) and "construct" in value.of.attributes and not beyond
    if isinstance(value, Call):
        if _framework_optimizer(value.name) or value.api in _WRAPPERS:
            return True
        if value.name.startswith("mindspore."):
            return False
    return isinstance(value, (Call, UnknownValue)) and any(_OPTIMIZER.search(name) for name in called(value))


# --- half precision ---------------------------------------------------------------------------------------------------


def _halves(calls: list[Call]) -> Iterator[HalfPrecision]:
    for made in calls:
        found = _half(made)
        if found is not None:
            yield found if is_run(made.frame) else replace(found, maybe=True)


def _half(made: Call) -> HalfPrecision | None:
    name = made.api
    if name == "Model":
        optimizer = made.argument(_MODEL, "optimizer")
        return (
            _leveled(made, made.argument(_MODEL, "amp_level"))
            if optimizer is not None and not is_known(optimizer, None)
            else None
        )
    if name == "amp.build_train_network":
        return _leveled(made, made.argument(_BUILD, "level"))
    if name == "amp.auto_mixed_precision":
        dtype = made.argument(["network", "amp_level", "dtype"], "dtype")
        if dtype is not None and is_half(dtype) is None:
            return None
        level = made.argument(["network", "amp_level"], "amp_level")
        return _leveled(made, level)
    if name == "amp.custom_mixed_precision":
        return (
            None
            if "dtype" in made.keywords and is_half(made.keywords["dtype"]) is None
            else HalfPrecision("level", made, "O1")
        )
    if made.name in (".to_float",) and made.args:
        return _typed("to_float", made, made.args[0])
    if made.name in (".add_flags_recursive", ".add_flags"):
        flag = made.keywords.get("fp16")
        return HalfPrecision("flag", made) if isinstance(flag, KnownValue) and flag.value is True else None
    if name == "Parameter":
        return _half_weight(made)
    if name.split(".")[0] in ("nn", "mint", "parallel") and made.name:
        known = effect(made)
        if known is not None and known.new:  # one-hot labels, zeros and the like: no gradient goes through them
            return None
        for keyword, value in made.keywords.items():
            if keyword.endswith("type") and (found := _typed("argument", made, value)) is not None:
                return replace(found, how="table") if api.is_table(name) else found
        return None
    return _cast(made)


def _half_weight(parameter: Call) -> HalfPrecision | None:
    if not parameter.args or not trains(parameter) or _is_read(parameter):
        return None
    half = _holds_half(parameter.args[0], 0)
    return HalfPrecision("parameter", parameter, maybe=not half) if half is not None else None


def _is_read(made: Call) -> bool:
    """Whether a parameter without a name takes up an item of something, as of a file of weights: what is loaded, no weight of its own."""
    return not made.bound and all(map(_is_item, options(made.args[0])))


def _is_item(data: Value, depth: int = 4) -> bool:
    """Whether data are an item of something that is not made here, in whatever type."""
    if not isinstance(data, Call):
        return isinstance(data, UnknownValue)
    cast = data.name in (".astype", ".to", ".half")
    inner = data.base if cast else data.args[0] if data.api == "Parameter" and data.args else None
    if inner is not None and depth:
        return all(_is_item(option, depth - 1) for option in options(inner))
    return data.name in (".each", "[]", ".pop", ".get")


def _leveled(made: Call, level: Value | None) -> HalfPrecision | None:
    found = [o for o in options(level) if isinstance(o, KnownValue) and o.value in ("O1", "O2", "O3", "auto")]
    if not found:
        return None
    worst = max(found, key=lambda option: ("auto", "O1", "O2", "O3").index(str(option.value)))
    maybe = len(options(level)) > 1 or bool(worst.assumed)
    return HalfPrecision("level", made, str(worst.value), maybe, _chosen(level, lambda option: option is worst))


def _typed(how: str, made: Call, dtype: Value) -> HalfPrecision | None:
    found = is_half(dtype)
    return None if found is None else HalfPrecision(how, made, maybe=not found, chosen=_chosen_half(dtype))


def _chosen_half(dtype: Value) -> tuple[Test, ...]:
    """The condition under which one of several types is the one in float16, where that is known."""
    return _chosen(dtype, lambda option: is_half(option) is not None)


def _chosen(value: Value | None, wanted: Callable[[Value], bool]) -> tuple[Test, ...]:
    """The condition under which one of several values is the one that is wanted, where that is known."""
    if not isinstance(value, Many) or len(value.when) != len(value.options):
        return ()
    found = [test for option, test in zip(value.options, value.when, strict=True) if wanted(option)]
    return tuple(found) if len(found) == 1 else ()


def is_half(dtype: Value | None) -> bool | None:
    """True for float16, False where it is one of several, None where it is not."""
    kinds = [
        (isinstance(o, NamedValue) and canonical(o.name) in HALF)
        or (isinstance(o, KnownValue) and o.value in ("float16", "fp16", "half"))
        for o in options(dtype)
    ]
    if not any(kinds):
        return None
    return all(kinds) and not any(isinstance(o, KnownValue) and o.assumed for o in options(dtype))


def _holds_half(value: Value | None, depth: int) -> bool | None:
    """Whether a tensor is made in float16: True, False where that is one of several types, None where it is not."""
    if depth > 6:
        return None
    if isinstance(value, Many):
        found = [_holds_half(option, depth + 1) for option in value.options]
        return None if not any(one is not None for one in found) else all(found)
    if not isinstance(value, Call):
        return None
    dtypes = [value.keywords.get("dtype"), *value.args[value.name[:1] != "." :]]
    asked = [half for dtype in dtypes if dtype is not None and (half := is_half(dtype)) is not None]
    if asked:
        return all(asked)
    if any(isinstance(d, NamedValue) and canonical(d.name).startswith(("float", "bfloat", "int")) for d in dtypes):
        return None
    done = operation(value)
    keeps = done.name in ("tensor", "astype", "cast", "initializer", "parameter")
    return _holds_half(done.operand(0), depth + 1) if keeps else None


def _cast(made: Call) -> HalfPrecision | None:
    """A value of the network made float16: within construct, or a function that is called for a loss. A result that is thrown
    away changes nothing: tensors are cast into new ones."""
    done = operation(made)
    if done.name not in ("cast", "astype", "to", "half") or made.frame is None or made.discarded:
        return None
    if not _has_gradient(done.operand(0)):
        return None
    if done.name == "half":
        return HalfPrecision("cast", made) if made.name == ".half" and not made.args else None
    dtype = done.operand(1, "dtype")
    if dtype is None or (found := is_half(dtype)) is None:
        return None
    if isinstance(dtype, NamedValue) and dtype.name.startswith("numpy."):
        return None
    return HalfPrecision("cast", made, maybe=not found, chosen=_chosen_half(dtype))


#: Kinds of results that do not move with the elements of an operand: masks, numbers of classes, counts, noise.
_STEPWISE = ("truth", "index", "count", "whole", "description", "random")


def _has_gradient(value: Value | None, depth: int = 0) -> bool:
    """False for constants, masks and the like, also where they were put into another form or type: no gradient goes through them."""
    if not options(value) or depth > 6:
        return True
    return any(_passes_gradient(option, depth) for option in options(value))


def _passes_gradient(option: Value, depth: int) -> bool:
    if not isinstance(option, Call):
        return not isinstance(option, KnownValue)
    known = effect(option)
    if known is None:
        return not comparison(option)
    if known.new or known.kind in _STEPWISE or known.keeps in ("truth", "whole"):
        return False
    passed = kept_operands(option, "same", "order", "values", "elements", "filled", "limited", "factor", "negated")
    return not passed or any(_has_gradient(part, depth + 1) for part in passed)


def half_mode(call: Call) -> str:
    """The half precision that set_context(ascend_config=...), or its newer spelling, is asked for by precision_mode; "" for none."""
    if call.api != "set_context" and call.last != "precision_mode":
        return ""
    given: list[Value] = [*call.args, call.keywords.get("precision_mode") or KnownValue(None)]
    for option in options(call.keywords.get("ascend_config")):
        given += option.items.values() if isinstance(option, Mapping) else []
    values = [option.value for value in given for option in options(value) if isinstance(option, KnownValue)]
    return next((value for value in values if value in _HALF_MODES), "")
