"""How a script has its network run: on which device, compiled or not, with the data sunk to the device, in which precision.

Rules about speed only: what they say costs time, not accuracy. Of an option of the command line or a configuration the default counts.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..knowledge import names
from ..knowledge.methods import MODEL_RUNS
from .loss_scaling import about
from .remarks import Remark, merged, remark
from .syntax import unparse
from .training_steps import TrainingSteps, half_mode, on_cpu
from .values import Call, Instance, KnownValue, NamedValue, Value, is_model, options

_MODES: dict[int | str, str] = {0: "graph", 1: "pynative", "GRAPH_MODE": "graph", "PYNATIVE_MODE": "pynative"}
_BFLOAT = frozenset({"bfloat16", "bf16"})


class Choice(NamedTuple):
    """What a script settles on: "" where that is not to be seen. `place` None: it says nothing."""

    value: str
    place: Call | None = None


def device(training: TrainingSteps) -> Choice:
    """The device in lower case: "ascend", "gpu", "cpu"."""

    def named(call: Call) -> Value | None:
        if call.api == "set_device":
            return call.argument(["device_target"], "device_target")
        return call.keywords.get("device_target") if call.api == "set_context" else None

    def read(option: Value) -> str:
        return option.value.lower() if isinstance(option, KnownValue) and isinstance(option.value, str) else ""

    return _chosen(training, named, read)


def mode(training: TrainingSteps) -> Choice:
    """ "graph" or "pynative"."""

    def named(call: Call) -> Value | None:
        return call.keywords.get("mode") if call.api == "set_context" else None

    def read(option: Value) -> str:
        if isinstance(option, NamedValue):
            return _MODES.get(option.name.rpartition(".")[2], "")
        return _MODES.get(option.value, "") if isinstance(option, KnownValue) and type(option.value) is int else ""

    return _chosen(training, named, read)


def _chosen(training: TrainingSteps, named: Callable[[Call], Value | None], read: Callable[[Value], str]) -> Choice:
    """What the last call settles, or the last ones where those depend on conditions; on CPU only does not count."""
    values: set[str] = set()
    place: Call | None = None
    for call in reversed(training.calls):
        given = named(call)
        if given is None or not _counts(call):
            continue
        place = place or call
        values |= {read(option) for option in options(given)}
        if all(isinstance(test.value, KnownValue) for test in call.tests):
            break
    return Choice(values.pop() if len(values) == 1 else "", place)


def _counts(call: Call) -> bool:
    """False for what runs on a CPU alone, or only with options other than the defaults."""
    if on_cpu(call.tests):
        return False
    return all(bool(test.value.value) is test.taken for test in call.tests if isinstance(test.value, KnownValue))


# --- graph mode -------------------------------------------------------------------------------------------------------


def compiled(training: TrainingSteps, old: bool) -> list[Remark]:
    """Whether training steps run as a graph. `old`: under MindSpore 1.x, which starts in graph mode."""
    steps = training.judged_steps()
    if not steps:
        return [training.no_step()]
    chosen = mode(training)
    place = chosen.place or steps[0].place
    if chosen.value == "graph" or (chosen.place is None and old):
        return [remark(place, "graph")]
    if chosen.place is not None and not chosen.value:
        return [remark(place, "mode-unknown")]
    function = jitted(training)
    if function is not None:
        return [function]
    return [remark(place, "pynative" if chosen.place is not None else "pynative-default", also=[steps[0].place])]


def jitted(training: TrainingSteps) -> Remark | None:
    """A function that is compiled by itself."""
    for call in training.calls:
        if call.api == "jit":
            return remark(call, "jit")
    found = [frame.function for frame in training.frames]
    for function in found:
        for decorator in getattr(function.node, "decorator_list", ()):
            name = unparse(decorator.func if isinstance(decorator, ast.Call) else decorator)
            if name.rpartition(".")[2] in ("jit", "ms_function"):
                line = function.node.lineno
                return Remark("jit", function.source, line, line)
    return None


# --- sink mode --------------------------------------------------------------------------------------------------------


def accelerated(training: TrainingSteps, known: str) -> str | Remark:
    """The device of a training ("" where it is not to be seen); or what is said of one without a step, or on a CPU.

    `known`: the device of the case, in lower case, else empty.
    """
    steps = training.judged_steps()
    if not steps:
        return training.no_step()
    here = known or device(training).value
    return about(steps[0], "cpu") if here == "cpu" else here


def sunk(training: TrainingSteps, old: bool, known: str) -> list[Remark]:
    """Whether batches are sunk to the device. `known`: the device of the case, in lower case, else empty."""
    return merged(_sunk(training, old, known))


def _sunk(training: TrainingSteps, old: bool, known: str) -> Iterator[Remark]:
    here = accelerated(training, known)
    if isinstance(here, Remark):
        yield here
        return
    steps = training.judged_steps()
    calls = [call for call in training.calls if _is_model_train(call) and _counts(call)]
    helpers = [call for call in training.calls if call.api in ("data_sink", "connect_network_with_dataset")]
    if not calls:
        yield remark(helpers[0], "sink") if helpers else about(steps[0], "own-loop")
    for call in calls:
        code = _sink_of(call, old)
        yield remark(call, code if here or code not in ("sink-off", "sink-default") else "device-unknown")


def _is_model_train(call: Call) -> bool:
    if call.name not in (".train", ".fit") or not (call.args or call.keywords):
        return False
    return any(
        is_model(option) or (isinstance(option, Instance) and "Model" in map(names.canonical, option.of.beyond()))
        for option in options(call.base)
    )


def _sink_of(call: Call, old: bool) -> str:
    given = call.argument(MODEL_RUNS[call.name], "dataset_sink_mode")
    if given is None:
        return "sink-unknown" if call.unpacked else "sink" if old else "sink-default"
    values = {o.value if isinstance(o, KnownValue) else None for o in options(given)}
    return "sink" if values == {True} else "sink-off" if values == {False} else "sink-unknown"


# --- mixed precision --------------------------------------------------------------------------------------------------


def precise(training: TrainingSteps, known: str) -> list[Remark]:
    """Whether steps compute in half precision, where the device has units for that."""
    return merged(_precise(training, known))


def _precise(training: TrainingSteps, known: str) -> Iterator[Remark]:
    here = accelerated(training, known)
    if isinstance(here, Remark):
        yield here
        return
    steps = training.judged_steps()
    unseen = any(
        _unseen(call.argument(["dst_type"], "dst_type")) for call in training.calls if call.name == ".to_float"
    )
    other = next((call for call in training.calls if _bfloat(call) or half_mode(call)), None)
    for step in steps:
        halves = training.halves_of(step)
        if halves or other is not None:
            yield remark(halves[0].made if halves else other or step.place, "mixed")
        elif _unseen(step.level) or unseen:
            yield about(step, "precision-unknown")
        else:
            yield about(step, "all-float32" if here else "device-unknown")


def _unseen(value: Value | None) -> bool:
    """A level or a type that code out of sight decides."""
    known = ("mindspore.", "numpy.")
    return any(
        not (isinstance(o, KnownValue) or (isinstance(o, NamedValue) and o.name.startswith(known)))
        for o in options(value)
    )


def _bfloat(call: Call) -> bool:
    for value in (*call.args, *call.keywords.values()):
        for option in options(value):
            if isinstance(option, NamedValue) and names.canonical(option.name) in _BFLOAT:
                return True
            if isinstance(option, KnownValue) and option.value in _BFLOAT:
                return True
    return False
