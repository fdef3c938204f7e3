"""What slows a step or its data down by the way a script is written: widths of layers, casts, how gradients are reduced, fusion of kernels,
settings of the data pipeline. Rules about speed only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..knowledge import api, names
from .aggregation import CONTEXTS, INITS
from .execution import accelerated, mode
from .factors import operation
from .flow import sources
from .loss_scaling import about
from .pipelines import Pipeline
from .remarks import Remark, merged, remark
from .syntax import unparse
from .training_steps import TrainingSteps
from .values import Call, Instance, Items, KnownValue, Mapping, NamedValue, Value, is_known, options, parts

#: Parameters with the number of features that enter and leave a layer; None for what enters where it is an index.
_WIDTHS: dict[str, tuple[str | None, str]] = {
    "nn.Dense": ("in_channels", "out_channels"),
    **{f"nn.Conv{n}d{t}": ("in_channels", "out_channels") for n in (1, 2, 3) for t in ("", "Transpose")},
    **{f"mint.nn.Conv{n}d": ("in_channels", "out_channels") for n in (2, 3)},
    "mint.nn.Linear": ("in_features", "out_features"),
    **dict.fromkeys(("nn.LSTM", "nn.GRU", "nn.RNN"), ("input_size", "hidden_size")),
    "nn.Embedding": (None, "embedding_size"),
    "mint.nn.Embedding": (None, "embedding_dim"),
}
#: As few features are the channels of an image, which the data decide.
CHANNELS = 4
#: Columns of tokens, whose length is that of a matrix.
_TOKENS = re.compile(r"(?i)ids?$|token|mask|segment|sent|text|seq|^(input|source|target|src|tgt)s?$")
_FLOATS = {"float16": 16, "bfloat16": 16, "float32": 32, "float64": 64}
_READS_FILES = re.compile(r"\b(open|imread|imdecode|load|read_\w+|loadtxt|genfromtxt|fromfile)\(")


# --- widths -----------------------------------------------------------------------------------------------------------


class Layer(NamedTuple):
    """A layer of the framework with the features that enter and leave it; None where that is not to be seen."""

    made: Call
    before: int | None
    after: int | None


def layers(training: TrainingSteps) -> list[Layer]:
    """The layers with weights that a script makes, each place once for each pair of widths."""
    found: dict[tuple[str, int, int | None, int | None], Layer] = {}
    for call in training.calls:
        if call.api not in _WIDTHS or not call.name.startswith("mindspore."):
            continue
        known = api.find(call.api)
        bound = known.bind(call.args, call.keywords) if known is not None else None
        before, after = (_width((bound or {}).get(name)) if name else None for name in _WIDTHS[call.api])
        layer = Layer(call, before, after)
        found.setdefault((call.source.path, call.line, before, after), layer)
    return list(found.values())


def _width(value: Value | None) -> int | None:
    found = {option.value if isinstance(option, KnownValue) else None for option in options(value)}
    only = found.pop() if len(found) == 1 else None
    return only if type(only) is int and only > 0 else None


def unaligned(found: list[Layer], multiple: int) -> list[Layer]:
    """The layers that give a width of the design's own choice, one that another layer takes, which is not such a multiple."""
    taken = {layer.before for layer in found} - {None}
    return [one for one in found if one.after in taken and (one.after or 0) > CHANNELS and (one.after or 0) % multiple]


class Size(NamedTuple):
    """A size that a pipeline gives its batches: `what` is "batch", or "length", of the tokens of a sample."""

    made: Call
    what: str
    size: int


def sizes(pipeline: Pipeline) -> list[Size]:
    """The constant sizes of batches, and lengths that tokens are padded to."""
    found = []
    for call in pipeline.chain:
        if call.name in (".batch", ".padded_batch"):
            size = _width(call.argument(["batch_size"], "batch_size"))
            found += [Size(call, "batch", size)] if size else []
        shapes: list[Value] = []
        if call.name == ".padded_batch":
            given = call.argument(["batch_size", "drop_remainder", "num_parallel_workers", "pad_info"], "pad_info")
            columns = [
                item for option in options(given) if isinstance(option, Mapping) for item in option.items.items()
            ]
            pads = [pad for name, value in columns if _TOKENS.search(str(name)) for pad in options(value)]
            shapes = [pad.items[0] for pad in pads if isinstance(pad, Items) and pad.items]
        elif call.name == ".map" and _of_tokens(call.argument(["operations", "input_columns"], "input_columns")):
            given = call.argument(["operations"], "operations")
            ends = [pad for pad in parts(given) if pad.name.startswith("mindspore.") and pad.last == "PadEnd"]
            shapes = [shape for pad in ends for shape in options(pad.argument(["pad_shape"], "pad_shape"))]
        for shape in (option for value in shapes for option in options(value)):
            if isinstance(shape, Items) and len(shape.items) == 1 and not shape.open:
                size = _width(shape.items[0])
                found += [Size(call, "length", size)] if size else []
    return found


def _of_tokens(columns: Value | None) -> bool:
    names = [name for option in options(columns) for name in (option.items if isinstance(option, Items) else [option])]
    return any(isinstance(name, KnownValue) and _TOKENS.search(str(name.value)) for name in names)


# --- casts ------------------------------------------------------------------------------------------------------------


def recast(training: TrainingSteps) -> list[Remark]:
    """Casts within networks that change nothing, or that the next one undoes."""
    return merged(_recast(training))


def _casts(training: TrainingSteps) -> list[tuple[Call, str]]:
    """The casts within networks, and to which type."""
    return [(call, to) for call in training.calls if "construct" in call.functions and (to := _cast_to(call))]


def _recast(training: TrainingSteps) -> Iterator[Remark]:
    casts = _casts(training)
    for call, to in casts:
        froms = {_made_as(option) for option in options(operation(call).operand(0))}
        if len(froms) != 1 or None in froms:
            continue
        inner, before = next(iter(froms)) or (call, "")
        also = [inner] if inner.line != call.line else []
        if before == to:
            yield remark(call, "same-type", also=also, type=to)
        elif _cast_to(inner) and _FLOATS.get(before, 0) > _FLOATS.get(to, 99):
            yield remark(call, "back-again", also=also, first=before, type=to)
    if casts:
        yield remark(casts[0][0], "casts", count=len({(call.source.path, call.line) for call, _ in casts}))
    elif training.judged_steps():
        yield about(training.judged_steps()[0], "no-casts")
    else:
        yield training.no_step()


def _cast_to(call: Call) -> str:
    """The type that a cast gives; empty for what is none, and where the type is not to be seen."""
    if operation(call).name not in ("cast", "astype", "to"):
        return ""
    return _type(operation(call).operand(1, "dtype"))


def _type(value: Value | None) -> str:
    found = set()
    for option in options(value):
        if isinstance(option, NamedValue) and option.name.startswith("mindspore."):
            found.add(names.canonical(option.name))
        else:
            found.add("")
    only = found.pop() if len(found) == 1 else ""
    return only if re.fullmatch(r"(bfloat|float|u?int)\d+|bool_?", only) else ""


def _made_as(value: Value) -> tuple[Call, str] | None:
    """What gives a value whose type is to be seen: a cast, or a tensor that is made in a type."""
    if not isinstance(value, Call):
        return None
    found = _cast_to(value)
    if not found and operation(value).name in ("zeros", "ones", "full", "arange", "eye"):
        found = _type(value.keywords.get("dtype"))
    return (value, found) if found else None


# --- reducing gradients -----------------------------------------------------------------------------------------------


def fused(training: TrainingSteps) -> list[Remark]:
    """In how many parts gradients of several devices are reduced."""
    return merged(_fused(training))


def _fused(training: TrainingSteps) -> Iterator[Remark]:
    steps = training.judged_steps()
    if not steps:
        yield training.no_step()
        return
    contexts = [call for call in training.calls if call.api in CONTEXTS]
    starts = [call for call in training.calls if call.api in INITS and call.name.startswith("mindspore.")]
    if not starts and not any("parallel_mode" in call.keywords for call in contexts):
        yield about(steps[0], "one-device")
        return
    for call in contexts:
        if {"all_reduce_fusion_config", "comm_fusion"} & set(call.keywords):
            yield remark(call, "fusion-set")
            return
    for step in steps:
        alone = next(filter(_reduces_alone, sources(step.gradients)), None)
        if step.kind == "own" and isinstance(alone, Call):
            yield about(step, "each-alone", alone)
        else:
            yield about(step, "all-at-once")


def _reduces_alone(value: Value) -> bool:
    """A call of AllReduce as it is, without an attribute that says which ones belong together."""
    return isinstance(value, Call) and operation(value).name == "allreduce" and value.api != "ops.AllReduce"


# --- fusion of kernels ------------------------------------------------------------------------------------------------


def kernels(training: TrainingSteps, known: str, old: bool) -> list[Remark]:
    """Whether the compiler may fuse operators. `known`: the device of the case, in lower case, else empty; `old`: MindSpore 1.x."""
    return merged(_kernels(training, known, old))


def _kernels(training: TrainingSteps, known: str, old: bool) -> Iterator[Remark]:
    here = accelerated(training, known)
    if isinstance(here, Remark):
        yield here
        return
    steps = training.judged_steps()
    chosen = mode(training)
    if chosen.value == "pynative" or (chosen.place is None and not old):
        yield remark(chosen.place or steps[0], "pynative")
        return
    for call in reversed(training.calls):
        if call.api in ("set_context", "jit"):
            said = _fuses(call)
            if said is not None:
                yield remark(call, "enabled" if said else "disabled")
                return
    yield about(steps[0], "by-default")


def _fuses(call: Call) -> bool | None:
    """What a call says of graph kernel fusion: by its own switch, or by the level of compilation that holds it (O1)."""
    switch = call.keywords.get("enable_graph_kernel")
    if isinstance(switch, KnownValue) and isinstance(switch.value, bool):
        return switch.value
    levels = [call.keywords.get("jit_level")]
    for option in options(call.keywords.get("jit_config")):
        levels += [option.items.get("jit_level")] if isinstance(option, Mapping) else []
    found = {option.value for level in levels for option in options(level) if isinstance(option, KnownValue)}
    return None if len(found) != 1 else found.pop() != "O0"


# --- the data pipeline ------------------------------------------------------------------------------------------------


def settings(pipeline: Pipeline) -> Iterator[Remark]:
    """What the settings of a training pipeline say about its speed."""
    for call in pipeline.chain:
        workers = call.keywords.get("num_parallel_workers")
        one = isinstance(workers, KnownValue) and workers.value == 1
        if call.last in ("map", "batch") and one and (call.last == "map" or "per_batch_map" in call.keywords):
            yield remark(call, "one-worker", stage=call.last)
        if call.last == "GeneratorDataset" and any(map(_reads_files, options(call.argument(["source"], "source")))):
            alone = one or workers is None
            if alone and not call.unpacked:
                yield remark(call, "one-reader", stage=call.last)
            if not alone and is_known(call.keywords.get("python_multiprocessing"), False):
                yield remark(call, "threads-only", stage=call.last)


def queue_settings(training: TrainingSteps) -> Iterator[Remark]:
    """Settings for all pipelines that leave no room to work ahead."""
    for call in training.calls:
        if call.api in ("dataset.config.set_prefetch_size", "dataset.config.set_num_parallel_workers"):
            given = call.args[0] if call.args else next(iter(call.keywords.values()), None)
            if isinstance(given, KnownValue) and given.value == 1:
                yield remark(call, "config-one", setting=call.last)


def _reads_files(source: Value) -> bool:
    """A source with random access that opens a file for each sample."""
    method = source.of.find("__getitem__") if isinstance(source, Instance) else None
    return method is not None and _READS_FILES.search(unparse(getattr(method, "node"))) is not None  # noqa: B009
