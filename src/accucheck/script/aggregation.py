"""Whether a training step on several devices brings their gradients together."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .factors import Term, operation
from .flow import sources
from .loss_scaling import about
from .ranks import kinds
from .remarks import Remark, merged, remark
from .training_steps import Step, TrainingSteps, canonical
from .values import Call, Instance, Items, KnownValue, NamedValue, Value, name_of, options, string_of

INITS = frozenset(
    {"communication.init", "communication.management.init", "mint.distributed.init_process_group", "init"}
)
CONTEXTS = ("set_auto_parallel_context", "context.set_auto_parallel_context")
_REDUCES = frozenset({"distributedgradreducer", "allreduce", "reducescatter", "allreducecoalesced"})
_NAMED = re.compile(r"reduc|all_?reduce|sync_?grad|average_?grad|grad_?sync", re.I)
#: Modes in which the compiler puts the reduction in.
_COMPILED = frozenset({"semi_auto_parallel", "auto_parallel"})
_PARALLEL = frozenset({"data_parallel", "hybrid_parallel"})


def examine(training: TrainingSteps) -> list[Remark]:
    """What there is to say about gradients of several devices in one reading."""
    found = merged(_examine(training))
    # The same code with a reducer in one cell and without in another: the other is for a single device.
    reduced = {(one.source.file, one.line) for one in found if one.code == "reduced"}
    return [one for one in found if one.code == "reduced" or (one.source.file, one.line) not in reduced]


def _examine(training: TrainingSteps) -> Iterator[Remark]:
    steps = training.judged_steps()
    starts = [call for call in training.calls if call.api in INITS and call.name.startswith("mindspore.")]
    modes = _modes(training)
    if not starts and not modes & (_PARALLEL | {"unknown"}):
        yield from _alone(training, steps)
        return
    if not steps:
        yield training.no_step()
        return
    if modes and modes <= _COMPILED:
        yield about(steps[0], "compiler")
        return
    together = [Term(choices=training.factors.conditions(call.under)) for call in starts]
    for step in steps:
        here = training.given(step)
        if together and all(here.times(start) is None for start in together):
            continue  # this step is the one for a single device
        yield from _own(training, step, modes) if step.kind == "own" else _framework(training, step, modes, starts)


def _modes(training: TrainingSteps) -> set[str]:
    """The parallel modes that the script sets; "unknown" for one that is not seen."""
    found: set[str] = set()
    for call in training.calls:
        if call.last == "AutoParallel" and call.name.startswith("mindspore."):
            found.add("semi_auto_parallel")
        if call.api not in CONTEXTS:
            continue
        if call.unpacked:
            found.add("unknown")
        for option in options(call.keywords.get("parallel_mode")):
            if isinstance(option, NamedValue):
                found.add(canonical(option.name).rpartition(".")[2].lower())
            else:
                found.add(string_of(option) or "unknown")
    return found


def _own(training: TrainingSteps, step: Step, modes: set[str]) -> Iterator[Remark]:
    inside = any(_reduces(value) for value in _until_gradient(training, step)) or _in_optimizer(step)
    beside = _beside(training, step)
    dropped = next((call for call in beside if call.discarded), None)
    if inside or any(_in_place(call) for call in beside):
        yield about(step, "reduced")
    elif dropped is not None:
        yield about(step, "reduced-dropped", dropped, also=[step])
    elif idle := next(_idle_reducers(training, step), None):
        yield about(step, "not-reduced", also=[idle])
    elif any(term.rough for term in training.carried(step)) or any(map(_averages, _until_gradient(training, step))):
        yield about(step, "unresolved")
    elif modes & _PARALLEL or _shards(training):
        yield about(step, "not-reduced")
    else:
        yield about(step, "not-reduced-maybe")


def _framework(training: TrainingSteps, step: Step, modes: set[str], starts: list[Call]) -> Iterator[Remark]:
    if modes & (_PARALLEL | _COMPILED):
        yield about(step, "reduced-by-framework")
    elif "unknown" in modes:
        yield about(step, "mode-unknown")
    else:
        yield remark(
            starts[0], "mode-unset" if _shards(training) else "mode-unset-maybe", also=[step], step=_title(step)
        )


def _alone(training: TrainingSteps, steps: list[Step]) -> Iterator[Remark]:
    """Of training on one device."""
    idle = [(step, reducer) for step in steps for reducer in _idle_reducers(training, step)]
    for step, reducer in idle:
        yield about(step, "reducer-idle", also=[reducer], line=reducer.line)
    if not idle:
        yield about(steps[0], "one-device") if steps else training.no_step()


def _idle_reducers(training: TrainingSteps, step: Step) -> Iterator[Call]:
    """The reducers that the cell of a step makes for several devices and that nothing is done with."""
    owner = step.frame.owner if step.kind == "own" and step.frame is not None else None
    for held in owner.attributes.values() if isinstance(owner, Instance) else ():
        for reducer in options(held):
            if (
                isinstance(reducer, Call)
                and reducer.api == "nn.DistributedGradReducer"
                and not _is_used(training, reducer)
            ):
                yield reducer


def _is_used(training: TrainingSteps, reducer: Call) -> bool:
    """Whether a call is made of it, or of something that is given it."""
    given = ([call.base, *call.args, *call.keywords.values()] for call in training.calls)
    return any(reducer in options(part) for values in given for value in values for part in _spread(value))


def _spread(value: Value | None) -> list[Value]:
    return value.items if isinstance(value, Items) else [] if value is None else [value]


def _title(step: Step) -> str:
    return step.place.last if isinstance(step.place, Call) else "TrainOneStepCell"


def _until_gradient(training: TrainingSteps, step: Step) -> Iterator[Value]:
    """What happens to gradients between the gradient function and the optimizer."""
    known = training.factors.gradients

    def stop(value: Value) -> bool:
        return id(value) in known or not training.touched(value)

    return sources(step.gradients, stop)


def _averages(value: Value) -> bool:
    """Whether something is divided by the number of devices: then it was summed over them, be it by the backward pass."""
    return (
        isinstance(value, Call)
        and operation(value).does in ("mul", "div")
        and any("size" in kinds(operand, objects=False) for operand in operation(value).operands[1:])
    )


def _reduces(value: Value) -> bool:
    if not isinstance(value, Call):
        return False
    if operation(value).name in _REDUCES:
        return True
    called = [value.last if value.name[:1] == "." else "", *(name_of(option) for option in options(value.base))]
    return any(_NAMED.search(name) for name in called if name) and value.name[:1] not in ("@", "[")


def _in_optimizer(step: Step) -> bool:
    """An optimizer of the project that reduces by itself."""
    import ast

    for option in options(step.optimizer):
        if isinstance(option, Instance):
            texts = (ast.unparse(method.node) for method in option.of.methods())
            if any(re.search(r"AllReduce|all_reduce|ReduceScatter|grad_reducer", text) for text in texts):
                return True
        elif isinstance(option, Call) and "AdaSum" in option.last:
            return True
    return False


def _beside(training: TrainingSteps, step: Step) -> list[Call]:
    """The reductions that are given these gradients, whatever becomes of the results."""
    wanted = {key for term in training.carried(step) for key in term.gradients}
    given = ((call, training.factors.of(call.args[0])) for call in training.calls if _reduces(call) and call.args)
    return [call for call, terms in given if wanted & {key for term in terms for key in term.gradients}]


def _in_place(call: Call) -> bool:
    """True for a reduction that writes its result into what it is given."""
    return call.api == "mint.distributed.all_reduce" or _true(call.keywords.get("inplace"))


def _true(value: Value | None) -> bool:
    return isinstance(value, KnownValue) and bool(value.value)


def _shards(training: TrainingSteps) -> bool:
    """Whether a data set is divided among devices."""
    for call in training.calls:
        for option in options(call.keywords.get("num_shards")):
            if not (isinstance(option, KnownValue) and option.value in (None, 1)):
                return True
    return False
