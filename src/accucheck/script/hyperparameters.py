"""What a script trains with beside that of its PyTorch benchmark, in PyTorch's words: optimizer, rates, loss, batches, clipping."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from ..knowledge import api
from ..knowledge.methods import PARAMETERS
from . import benchmark
from .effects import named_arguments
from .settings import SCHEDULED, Setting, Settings, plain
from .training import role
from .training_steps import TrainingSteps, training
from .values import Call, Instance, Items, KnownValue, Mapping, Value, options

#: Settings of an optimizer that are compared, where both sides have the same kind of it.
OF_OPTIMIZER = ("lr", "momentum", "dampening", "nesterov", "betas", "eps", "weight_decay", "amsgrad", "alpha")
#: What there may be on one side only.
ONE_SIDED = ("schedule", "clipping", "dropout", "accumulation")
#: PyTorch's word for what is called otherwise in nn.
_RENAMED = {
    "learning_rate": "lr",
    "use_nesterov": "nesterov",
    "use_amsgrad": "amsgrad",
    "epsilon": "eps",
    "decay": "alpha",
}
_KINDS = {
    "momentum": "SGD",
    "sgd": "SGD",
    "adam": "Adam",
    "lazyadam": "Adam",
    "adamoffload": "Adam",
    "adamw": "AdamW",
    "adamweightdecay": "AdamW",
    "rmsprop": "RMSprop",
    "adamax": "Adamax",
    "adagrad": "Adagrad",
    "adadelta": "Adadelta",
    "lamb": "LAMB",
    "asgd": "ASGD",
    "rprop": "Rprop",
}
_LOSSES = {
    "softmaxcrossentropywithlogits": "crossentropy",
    "mae": "l1",
    "binarycrossentropy": "bce",
    "binarycrossentropywithlogits": "bcewithlogits",
}
#: What gives an optimizer the parameters of a network.
_PARAMETERS = (*PARAMETERS, ".parameters", ".named_parameters")
#: Layers and wrappers of layers.
_FRAMEWORKS = ("mindspore.", "torch.")
_CLIPS = re.compile(r"^clip_(by_(global_norm|norm|value)|grad)", re.I)
#: Clips that are used for pictures and losses too.
_ANYTHING = re.compile(r"^clip_by_(norm|value)$")


@dataclass(frozen=True)
class SideSetting:
    """A setting on one side: `value` is ... where it is not known; `assumed` where the command line or a configuration may change it,
    `maybe` where a condition decides."""

    value: Any
    text: str
    place: str = ""
    assumed: bool = False
    maybe: bool = False


@dataclass(frozen=True)
class Row:
    """A setting on both sides; nothing on a side that has none. `verdict`: "same", "differs", "one-side" or "unknown"."""

    name: str
    here: list[SideSetting]
    there: list[SideSetting]

    @property
    def verdict(self) -> str:
        here, there = _values(self.here), _values(self.there)
        if here is None or there is None:
            return "unknown"
        if self.name in ONE_SIDED and bool(here) != bool(there):
            return "one-side"
        if self.name == "schedule":  # both have one: how they are put together is not compared
            return "same" if here == there else "unknown"
        if _alike(here, there):
            return "same"
        return "differs" if len(here) == len(there) == 1 or self.name == "dropout" else "unknown"

    @property
    def assumed(self) -> bool:
        return any(entry.assumed for entry in (*self.here, *self.there))


@dataclass
class Sheet:
    """What one script trains with, by name, the different values of each.

    grouped      the optimizer is given groups of parameters
    filtered     it is one of nn, which lets gamma and beta be where it is given no groups
    uncorrected  it is nn.AdamWeightDecay, which does not correct the bias of its moments
    normalizes   there are layers with gamma and beta
    elsewhere    a network is trained whose code was not read: what it holds is not known
    """

    optimizers: list[tuple[Call | Instance, str]] = field(default_factory=list)
    entries: dict[str, list[SideSetting]] = field(default_factory=dict)
    grouped: bool = False
    filtered: bool = False
    uncorrected: bool = False
    normalizes: bool = False
    elsewhere: bool = False

    def add(self, name: str, entry: SideSetting) -> None:
        held = self.entries.setdefault(name, [])
        if all((entry.value, entry.text) != (other.value, other.text) for other in held):
            held.append(entry)


def kind_of(name: str) -> str:
    """PyTorch's name of a kind of optimizer, by the name of its class in MindSpore; the name itself where there is none."""
    return _KINDS.get(name.lower(), name)


def of_arguments(given: dict[str, Any], place: str) -> dict[str, SideSetting]:
    """The settings that an optimizer was made with, by what its constructor calls them; those that are not numbers left out."""
    found = {
        _RENAMED.get(name, name): SideSetting(value, f"{value:g}", place)
        for name, value in given.items()
        if isinstance(value, (bool, int, float))
    }
    return _with_betas(found)


def _with_betas(given: dict[str, SideSetting]) -> dict[str, SideSetting]:
    """Settings with MindSpore's beta1 and beta2 as the pair that PyTorch takes, too."""
    if "beta1" in given and "beta2" in given:
        one, two = given["beta1"], given["beta2"]
        value = ... if one.value is ... or two.value is ... else (one.value, two.value)
        given["betas"] = SideSetting(value, f"({one.text}, {two.text})", one.place, one.assumed or two.assumed)
    return given


def rows(here: Sheet, there: Sheet) -> Iterator[Row]:
    """All settings that either side has, in a fixed order; those of the optimizer only where both have the same kind."""
    kinds = Row("optimizer", here.entries.get("optimizer", []), there.entries.get("optimizer", []))
    names = ["optimizer", *(OF_OPTIMIZER if kinds.verdict == "same" else ("lr",))]
    for name in (
        *names,
        "schedule",
        "loss",
        "reduction",
        "label_smoothing",
        "batch_size",
        "epochs",
        "clipping",
        "dropout",
        "accumulation",
    ):
        row = Row(name, here.entries.get(name, []), there.entries.get(name, []))
        if name == "dropout" and bool(row.here) != bool(row.there):
            unread = [SideSetting(..., "?")] if (there if row.here else here).elsewhere else []
            row = Row(name, row.here or unread, row.there or unread)
        if (row.here and row.there) or (row.name in ONE_SIDED and (row.here or row.there)):
            yield row


def _values(entries: list[SideSetting]) -> list[Any] | None:
    """The values of a side; None where one of them is not known."""
    return None if any(entry.value is ... for entry in entries) else [entry.value for entry in entries]


def _alike(here: list[Any], there: list[Any]) -> bool:
    return len(here) == len(there) and all(any(equal(a, b) for b in there) for a in here)


def equal(one: Any, other: Any) -> bool:
    """Numbers by value, also within a pair; 0.9 and 0.90 are the same, as are True and 1."""
    if isinstance(one, (tuple, list)) and isinstance(other, (tuple, list)):
        return len(one) == len(other) and all(equal(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return abs(one - other) <= 1e-6 * max(abs(one), abs(other))
    return bool(one == other)


# --- reading one side -------------------------------------------------------------------------------------------------


def sheet(settings: Settings, version: str | None) -> Sheet:
    """What a script trains with; `version` is that of MindSpore, None for a script of PyTorch."""
    found = Sheet()
    torch = version is None
    optimizers = list(_torch_optimizers(settings) if torch else _optimizers(settings, version or ""))
    for place, called, bound, defaults in optimizers:
        _optimizer(found, settings, place, called, bound, defaults, torch)
    for place, called, _, _ in optimizers:
        found.optimizers.append((place, called))
    _losses(found, settings, torch)
    _batches(found, settings, torch)
    for _, _, given, at in settings.loops():
        found.add("epochs", _entry(settings, "epochs", given, at))
    if not torch:
        for trained, _, given in settings.trainings():
            found.add("epochs", _entry(settings, "epochs", given, trained))
    _clips(found, settings)
    _dropouts(found, settings, torch)
    for made in settings.trace.calls:
        known = api.find(made.api)
        found.normalizes |= known is not None and known.kind == "normalization"
        found.elsewhere |= made.name in _PARAMETERS and _is_unread(made.base)
    for row in settings.accumulated():
        found.add("accumulation", SideSetting(row.number, row.text, row.place, _is_assumed(row)))
    return found


def _is_unread(network: Value | None) -> bool:
    """Whether a network is an object of a class that was not followed, whatever it was moved to or wrapped in."""
    while isinstance(network, Call):
        if network.name.startswith("."):
            network = network.base
        elif network.name.startswith(_FRAMEWORKS):
            network = network.args[0] if network.args else None
        else:
            return network.last.isidentifier()
    return False


_Made = tuple[Call | Instance, str, dict[str, Value], dict[str, Any]]


def _optimizers(settings: Settings, version: str) -> Iterator[_Made]:
    for place, called, bound in settings.optimizers():
        known = api.find(called)
        yield place, called, bound, known.at(version).defaults if known is not None else {}


def _torch_optimizers(settings: Settings) -> Iterator[_Made]:
    for made in settings.trace.calls:
        if made.name.startswith("torch.optim.") and made.name.count(".") == 2 and made.last[:1].isupper():
            known = api.load().pytorch.get(made.name)
            bound = known.bind(made.args, made.keywords) if known is not None else None
            yield made, made.name, bound or made.keywords, known.defaults if known is not None else {}


def _optimizer(
    found: Sheet,
    settings: Settings,
    place: Call | Instance,
    called: str,
    bound: dict[str, Value],
    defaults: dict[str, Any],
    torch: bool,
) -> None:
    last = called.rpartition(".")[2]
    source = f"{place.source.path}:{place.line}" if place.source is not None else ""
    own = isinstance(place, Instance)
    found.add("optimizer", SideSetting(... if own else kind_of(last), last, source))
    found.uncorrected |= called == "nn.AdamWeightDecay"
    groups = _groups(bound)
    found.grouped |= bool(groups)
    bound, defaults = _of_groups(found, groups, bound, defaults, source)
    given = _entries(settings, place, bound, defaults)
    for name in OF_OPTIMIZER:
        if name in given and not own:
            found.add(name, given[name])
    if torch:
        _torch_schedules(found, settings, place)
        return
    rate = next((bound[name] for name in ("learning_rate", "lr") if name in bound), None)
    told = settings.rate(place, last, rate, defaults)
    if told.code in SCHEDULED:
        found.add("schedule", SideSetting(_family(str(told.data["schedule"])), str(told.data["schedule"]), source))
        if any(entry.value is ... for entry in found.entries.get("lr", ())):
            found.entries.pop("lr")
    elif told.code == "rate-unknown":
        found.add("schedule", SideSetting(..., "…", source))
    if called.startswith("nn.") and not groups:
        found.filtered = True


def _groups(bound: dict[str, Value]) -> list[Mapping]:
    """The groups of parameters that an optimizer is given."""
    parameters = options(bound.get("params") or bound.get("parameters"))
    entries = [entry for option in parameters if isinstance(option, Items) for entry in option.items]
    return [entry for entry in entries if isinstance(entry, Mapping)]


def _of_groups(
    found: Sheet, groups: list[Mapping], bound: dict[str, Value], defaults: dict[str, Any], source: str
) -> tuple[dict[str, Value], dict[str, Any]]:
    """What an optimizer is given, and its defaults, where groups have a rate or decay of their own: that of a single group counts for
    all, several are not compared."""
    bound, defaults = dict(bound), dict(defaults)
    for key in ("lr", "weight_decay"):
        inside = [group.items[key] for group in groups if key in group.items]
        if inside and len(inside) == len(groups) == 1:
            bound["learning_rate" if key == "lr" and "learning_rate" in defaults else key] = inside[0]
        elif inside:
            found.add(key, SideSetting(..., "…", source))
            bound.pop(key, None)
            defaults.pop(key, None)
    return bound, defaults


def _entries(
    settings: Settings, place: Call | Instance, bound: dict[str, Value], defaults: dict[str, Any]
) -> dict[str, SideSetting]:
    """Each argument of an optimizer by the name that both frameworks know it by, given or left at its default."""
    given: dict[str, SideSetting] = {}
    for name in (*bound, *(name for name in defaults if name not in bound)):
        given[_RENAMED.get(name, name)] = _entry(settings, name, bound.get(name), place, defaults.get(name))
    return _with_betas(given)


def _torch_schedules(found: Sheet, settings: Settings, place: Call | Instance) -> None:
    for made in settings.trace.calls:
        if ".lr_scheduler." not in made.name or made.base is not None:
            continue
        given = made.args[0] if made.args else made.keywords.get("optimizer")
        if any(option is place for option in options(given)) and made.last not in ("SequentialLR", "ChainedScheduler"):
            found.add("schedule", SideSetting(_family(made.last), made.last, f"{made.source.path}:{made.line}"))


def _family(name: str) -> Any:
    """The kind of a schedule by its name; ... when it does not tell."""
    for family in (
        "cosine",
        "exponential",
        "poly",
        "plateau",
        "cyclic",
        "onecycle",
        "step",
        "piecewise",
        "linear",
        "warmup",
    ):
        if family in name.lower():
            return "step" if family == "piecewise" else family
    return ...


def _torch_loss(made: Call) -> tuple[dict[str, Value], dict[str, Any]] | None:
    """What a loss of PyTorch is given by name, and its defaults; None for anything else."""
    if not made.name.startswith(("torch.nn.", "torch.nn.functional.")) or not _is_loss(made.last):
        return None
    known = api.load().pytorch.get(benchmark.name_of_layer(made))
    if known is None:
        return made.keywords, {"reduction": "mean"}
    return known.bind(made.args, made.keywords) or made.keywords, dict(known.defaults)


def _mindspore_loss(made: Call) -> tuple[dict[str, Value], dict[str, Any]] | None:
    """The same of a loss of MindSpore."""
    known = api.find(made.api)
    if known is None or known.kind != "loss" or made.api == "nn.LossBase":
        return None
    return named_arguments(made), dict(known.defaults)


def _losses(found: Sheet, settings: Settings, torch: bool) -> None:
    for made in settings.trace.calls:
        if made.base is not None or role(list(made.functions[-1:])) == "eval":
            continue
        arguments = _torch_loss(made) if torch else _mindspore_loss(made)
        if arguments is None:
            continue
        given, defaults = arguments
        name = re.sub(r"_|loss", "", made.last.lower())
        found.add("loss", SideSetting(_LOSSES.get(name, name), made.last, f"{made.source.path}:{made.line}"))
        for key in ("reduction", "label_smoothing"):
            if key in given or key in defaults:
                entry = _entry(settings, key, given.get(key), made, defaults.get(key))
                unknown = key == "reduction" and entry.value not in ("mean", "sum")  # what follows then reduces
                found.add(key, SideSetting(..., entry.text, entry.place) if unknown else entry)


def _is_loss(last: str) -> bool:
    return (
        last.endswith("Loss")
        or last in ("cross_entropy", "binary_cross_entropy", "binary_cross_entropy_with_logits", "kl_div")
        or last.endswith("_loss")
    )


def _batches(found: Sheet, settings: Settings, torch: bool) -> None:
    if not torch:
        for told in settings.batches():
            for row in told.rows[:1]:
                if told.code.startswith("batch"):
                    value = row.number if row.number is not None else ...
                    found.add("batch_size", SideSetting(value, row.text, row.place, _is_assumed(row)))
        return
    for made in settings.trace.calls:
        if made.last != "DataLoader" or role([*made.bound]) == "eval" or role(list(made.functions[-1:])) == "eval":
            continue
        given = made.argument(["dataset", "batch_size"], "batch_size")
        if "batch_sampler" in made.keywords or made.unpacked:
            found.add("batch_size", SideSetting(..., "…", f"{made.source.path}:{made.line}"))
        else:
            found.add("batch_size", _entry(settings, "batch_size", given, made, 1))


def _clips(found: Sheet, settings: Settings) -> None:
    """Where gradients are clipped, and the limit."""
    clips = [made for made in settings.trace.calls if _CLIPS.search(made.last)]
    steps = training(settings.reading) if any(_ANYTHING.search(made.last) for made in clips) else None
    for made in clips:
        if steps is not None and _ANYTHING.search(made.last) and not _of_gradients(made, steps):
            continue
        given = (made.keywords[key] for key in ("clip_norm", "max_norm", "clip_value") if key in made.keywords)
        limit = next(given, made.args[1] if len(made.args) > 1 else None)
        default = 1.0 if made.last == "clip_by_global_norm" else None
        found.add("clipping", replace(_entry(settings, "clipping", limit, made, default), maybe=bool(made.tests)))


def _of_gradients(made: Call, training: TrainingSteps) -> bool:
    """Also within a function that by its name does that."""
    return any("grad" in name.lower() for name in made.functions[-1:]) or any(map(training.touched, made.args))


def _dropouts(found: Sheet, settings: Settings, torch: bool) -> None:
    """The rates that dropout layers drop at, but for 0."""
    for made in settings.trace.calls:
        if torch:
            if made.name not in ("torch.nn.Dropout", "torch.nn.Dropout2d", "torch.nn.functional.dropout"):
                continue
            order = ["input", "p"] if made.name.endswith("functional.dropout") else ["p"]
            entry = _entry(settings, "p", made.argument(order, "p"), made, 0.5)
        else:
            known = api.find(made.api)
            if known is None or known.kind != "dropout":
                continue
            given = named_arguments(made)
            entry = _entry(settings, "p", given.get("p"), made, 0.5)
            if "p" not in given and "keep_prob" in given:
                kept = _entry(settings, "keep_prob", given["keep_prob"], made)
                value = round(1 - kept.value, 10) if isinstance(kept.value, (int, float)) else ...
                entry = SideSetting(value, f"1 - {kept.text}", kept.place, kept.assumed)
        if entry.value is ... or entry.value:
            found.add("dropout", entry)


def _entry(settings: Settings, name: str, value: Value | None, at: Any, default: Any = None) -> SideSetting:
    """A setting with its value as it is compared."""
    row = settings.setting(name, value, at, default)
    place = (
        row.place
        if ":" in row.place
        else f"{at.source.path}:{at.line}"
        if at is not None and at.source is not None
        else ""
    )
    found = plain(value)
    if value is None:
        known = tuple(default) if isinstance(default, list) else default
        return SideSetting(known if known is not None else ..., row.text, place)
    choices = options(found)
    if len(choices) > 1 and row.number is not None:
        return SideSetting(row.number, row.text, place, _is_assumed(row))
    constant = benchmark.constant(found)
    return SideSetting(
        constant,
        row.text,
        place,
        _is_assumed(row) or any(isinstance(o, KnownValue) and bool(o.assumed) for o in choices),
    )


def _is_assumed(row: Setting) -> bool:
    return row.origin in ("option", "configuration", "parameter", "several")
