"""The numbers that a script trains with: optimizers with their learning rates and schedules, epochs, batch sizes.

Each is told as far as it can be folded, with where it comes from; what the command line, a configuration file or code out of
sight decides is told as that.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable, Iterator
from collections.abc import Mapping as Mapping_
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from ..knowledge import api, names, optimizers
from ..knowledge.methods import BATCHES, MODEL_RUNS, PARAMETERS
from . import computed_rates, configs, ranks, setting_origins
from .analysis import Reading, Scripts
from .effects import bound_arguments, named_arguments
from .flow import sources, users
from .shuffling import Examination, data_sets
from .source import Source, SourceNode
from .syntax import counted, mentioned, written_name
from .training import role
from .values import (
    Call,
    Frame,
    Instance,
    Items,
    KnownValue,
    Many,
    Mapping,
    NamedValue,
    UnknownValue,
    Value,
    deciders_of,
    frames_around,
    is_model,
    name_of,
    options,
    unseen,
)

#: Of each kind no more are looked at.
LIMIT = 40
#: Optimizers that wrap another one, which has the settings.
_WRAPPERS = (
    "nn.LARS",
    "nn.AdaSumByGradWrapCell",
    "nn.AdaSumByDeltaWeightWrapCell",
    "nn.Optimizer",
    "nn.ParameterUpdate",
)
_RATES = ("learning_rate", "lr")
#: The rates of a schedule, as settings.
RATES = ("first", "highest", "last")
HIGHEST = "learning_rate, highest"
#: Codes of what tells a schedule.
SCHEDULED = ("rate-schedule", "rate-computed")
#: No optimizer trains with more; one whose steps are as large as its rate hardly with the second.
HUGE_RATE, HUGE_STEP = 10, 1
#: A momentum up to the second has no effect, and below the first it may be intended as 0; an intended one is mostly at least the third.
NO_MOMENTUM, TINY_MOMENTUM, LARGE_MOMENTUM = 1e-6, 0.1, 0.8
#: A beta1 from here on is rarely intended; above beta2 it never is.
LONG_MOMENTUM = 0.99
_ASSIGNS = frozenset((".set_data", ".assign_value", "ops.assign", "ops.Assign"))
#: Arguments of an optimizer that belong to the learning rate check, beside the rate itself.
_BESIDES = ("momentum", "weight_decay", "beta1", "beta2", "betas", "use_nesterov", "nesterov")
_EPOCH = re.compile(r"(epoch|episode)s?(_|$|\d)|^ep$|max_?ep|^n_?epochs?|epoch$", re.I)
_ROUNDS = re.compile(
    r"^(max_?|num_?|total_?|n_?)?(epochs?|epoch_?(size|num|count|nums?)|num_epochs?|epoch_?max|total_?epochs?)$", re.I
)
_BATCH = re.compile(
    r"^(train|training|global|per_?(device|gpu|npu|card))?_?(batch_?size|bs|batchsize|batch_?num)(_train|_per_\w+)?$",
    re.I,
)
_ACCUMULATES = re.compile(
    r"accum\w*_?(step|iter|num|count|time)s?$|^(grad\w*_)?accum\w*(_grads?)?$|accumulat\w+$", re.I
)
#: Beyond what trained with optimizers made for it: 32K pictures of ImageNet with LARS (You et al., 2017).
HUGE_BATCH = 32_768
#: What a function or class is called that brings the data itself.
_FEEDS = re.compile(
    r"data|loader|sampler|iter|pipeline|generator|reader|batch(?!_?(norm|rnn))|provider|feeder|corpus|buffer", re.I
)
#: What functions that give rates are called.
RATE_NAME = re.compile(
    r"(^|_)(lr|lrs|learning_?rates?)(_|$)|^(get|build|create|make|generate|dynamic|warmup|cosine|poly)\w*_lr", re.I
)
_SYMBOLS = frozenset(("+", "-", "*", "/", "//", "%", "**"))
#: What only changes the type of a number, or makes a tensor of it.
_SAME = frozenset(
    (
        "int",
        "float",
        "list",
        "tuple",
        "Tensor",
        "Parameter",
        "tensor",
        "float32",
        "numpy.array",
        "numpy.asarray",
        "numpy.float32",
        "numpy.float64",
        "ops.cast",
        "ops.Cast",
    )
)


#: The origin of a constant by how it is decided.
_DECIDED = {"configuration": "configured", "command": "command", "default": "argparse"}
#: A schedule: where it is made, what it is called, and how many epochs it lasts.
_Length = tuple[Source, ast.AST, str, float]


@dataclass(frozen=True)
class Setting:
    """A number of a script. `origin`: "literal", "option" (of the command line), "configuration", "parameter" (the default of
    a function that nobody is seen to call), "default" (the API's own), "computed", "assumed" (computed of defaults), "several" or
    "unseen"; `place` tells where it is set,
    as far as that is known, `key` the keys that lead to it in a configuration file, with dots between."""

    name: str
    text: str
    origin: str
    number: float | None = None
    numbers: tuple[float, ...] = ()
    place: str = ""
    key: str = ""

    @property
    def known(self) -> bool:
        return self.origin != "unseen"

    @property
    def counted(self) -> bool:
        """Whether it is seen to be a number, or several."""
        return self.known and (self.number is not None or bool(self.numbers))


@dataclass
class SettingMessage(SourceNode):
    """One thing to tell: a code, its place, what fills the words, and all settings that belong to it. `likely` is for what
    is named as suspicious."""

    code: str
    source: Source
    node: ast.AST
    data: dict[str, Any] = field(default_factory=dict)
    rows: list[Setting] = field(default_factory=list)
    likely: bool = False


def _is_no_number(value: Value | None) -> bool:
    """True for a text that nothing makes a number of."""
    if not isinstance(value, KnownValue) or not isinstance(value.value, str):
        return False
    try:
        float(value.value)
    except ValueError:
        return True
    return False


class OptimizerRate(NamedTuple):
    """What an optimizer is `given`, what there is to say of its rate, and whether that stays as it is."""

    place: Call | Instance
    given: dict[str, Value]
    told: SettingMessage
    is_constant: bool


class Definitions:
    """Where a name is given a constant value in the files that were read."""

    def __init__(self, modules: Iterable[Source], configurations: Mapping_[str, Path] = MappingProxyType({})) -> None:
        self.modules = list(modules)
        self.configurations = configurations
        self.keys: dict[str, dict[str, list[tuple[int, str]]]] = {}

    def place(self, known: KnownValue, prefer: str) -> str:
        """The place of a constant by its name and value, the nearest file first; "" where there is none or several."""
        if known.origin in ("config", "configured"):
            return self.configured(known)
        same = [
            (path, line)
            for path, line, value in self.found.get(known.name, ())
            if type(value) is type(known.value) and value == known.value
        ]
        same = [place for place in same if place[0] == prefer] or same
        if len({path for path, _ in same}) != 1:
            return ""
        return f"{same[-1][0]}:{same[-1][1]}" if len(same) == 1 or same[0][0] == prefer else same[0][0]

    @cached_property
    def found(self) -> dict[str, list[tuple[str, int, Any]]]:
        """The constants by their names, each with its path and line."""
        found: dict[str, list[tuple[str, int, Any]]] = {}
        defined = ((source, *pair) for source in self.modules for node in source.nodes for pair in _defined(node))
        for source, name, value in defined:
            found.setdefault(name, []).append((source.path, value.lineno, _literal(value)))
        return found

    def configured(self, known: KnownValue) -> str:
        """The place of a value in the configuration files that were loaded, where one of them alone gives the name this value."""
        places = []
        for shown, path in self.configurations.items():
            if shown not in self.keys:
                self.keys[shown] = configs.keys(path)
            lines = self.keys[shown].get(known.name, ())
            places += [f"{shown}:{line}" for line, text in lines if _spells(text, known.value)]
        return places[0] if len(places) == 1 else ""


def _flag(node: ast.Call) -> str:
    """The name of the option that a call declares, as the script reads it."""
    flags = [a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    return max(flags, key=len).lstrip("-").replace("-", "_") if flags and flags[0][:1] == "-" else ""


def _defined(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield key.value, value
    elif isinstance(node, ast.Call):
        flag = _flag(node)
        for keyword in node.keywords:
            if keyword.arg == "default" and flag:
                yield flag, keyword.value
            elif keyword.arg:
                yield keyword.arg, keyword.value
    elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            if name := written_name(target):
                yield name, node.value


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


_ORIGINS = {
    "argparse": "option",
    "config": "configuration",
    "parameter": "parameter",
    "command": "command",
    "unset": "option",
    "configured": "configuration",
}


def _spells(text: str, value: Any) -> bool:
    """Whether a configuration writes a value like this: numbers and truth values have several spellings."""
    try:
        return text.lower() == str(value).lower() or float(text) == value
    except ValueError:
        return False


def number(value: Any) -> float | None:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) and value == value else None


def plain(value: Value | None) -> Value | None:
    """A number without the conversions around it."""
    for _ in range(8):
        if not isinstance(value, Call):
            return value
        if value.name in (".astype", ".tolist", ".item", ".asnumpy") and value.base is not None:
            value = value.base
        elif value.name and (value.api in _SAME or value.last in ("Tensor", "Parameter")) and value.args:
            value = value.args[0]
        else:
            return value
    return value


def written(value: Value | None, depth: int = 0) -> str:
    """A value in few words, numbers folded."""
    value = plain(value)
    if value is None or depth > 5:
        return "…"
    if isinstance(value, KnownValue):
        return repr(value.value)[:60]
    if isinstance(value, Many):
        shown = list(dict.fromkeys(written(option, depth + 1) for option in value.options))
        return " | ".join(shown[:4]) + (" | …" if len(shown) > 4 else "")
    if isinstance(value, Items):
        inner = ", ".join(written(item, depth + 1) for item in value.items[:6])
        return f"[{inner}{', …' if value.open or len(value.items) > 6 else ''}]"
    if isinstance(value, Call):
        if value.name in _SYMBOLS and len(value.args) == 2:
            left, right = (written(arg, depth + 1) for arg in value.args)
            return f"{_within(left)} {value.name} {_within(right)}"
        if value.name[:1] == "@":
            return name_of(value)
        if value.name == "[]":
            return name_of(value) or "…"
        if value.name == "comprehension" or value.name == "generator":
            return "[…]"
        called = value.last or (written(value.base, depth + 1).removesuffix("(…)") if value.base is not None else "…")
        return f"{called}({'…' if value.args or value.keywords else ''})"
    if isinstance(value, Instance):
        return f"{value.of.node.name}(…)"
    return name_of(value) or "…"


def _within(text: str) -> str:
    return f"({text})" if " " in text and text[-1:] != ")" else text


class Settings:
    """What one training script trains with."""

    def __init__(self, reading: Reading, definitions: Definitions, devices: int | None) -> None:
        self.reading, self.trace, self.definitions, self.devices = reading, reading.trace, definitions, devices
        self.inits = {id(f.owner): f for f in reversed(self.trace.frames) if f.function.name == "__init__"}
        self.schedules: list[Call] = []
        self.assigned: list[Call] = []
        for made in self.trace.calls:
            if (known := api.find(made.api)) is not None and known.kind == "schedule":
                self.schedules.append(made)
            elif made.name in _ASSIGNS or made.api in _ASSIGNS:
                self.assigned.append(made)
        del self.schedules[10 * LIMIT :], self.assigned[10 * LIMIT :]

    @cached_property
    def uses(self) -> dict[int, list[tuple[Call, str]]]:
        return users(self.trace)

    @cached_property
    def data(self) -> Examination:
        return data_sets(self.trace)

    # --- values -------------------------------------------------------------------------------------------------------

    def setting(
        self, name: str, value: Value | None, at: Call | Frame | Instance | None, default: Any = None
    ) -> Setting:
        if value is None and isinstance(at, Call) and at.unpacked:  # which may hold it
            return Setting(name, "?", "unseen")
        if value is None:
            return Setting(name, repr(default), "default", number(default), place=getattr(at, "last", ""))
        source = at.source.path if at is not None and at.source is not None else self.reading.source.path
        here = f"{source}:{getattr(at.node, 'lineno', 0) if at is not None else 0}"
        value = plain(value)
        found = [plain(option) for option in options(value)]
        numbers = tuple(n for o in found if isinstance(o, KnownValue) and (n := number(o.value)) is not None)
        if len(found) == len(numbers) and len(set(numbers)) == 1:  # the same from several places
            found.sort(key=lambda option: isinstance(option, KnownValue) and option.assumed is None)
            value = found[0]
        elif len(found) > 1:
            seen = all(isinstance(option, KnownValue) for option in found)
            return Setting(name, written(value), "several" if seen else "unseen", None, numbers, here)
        if not isinstance(value, KnownValue):
            constant = (
                isinstance(value, Items) and not value.open and all(isinstance(i, KnownValue) for i in value.items)
            )
            return Setting(name, written(value), "literal" if constant else "unseen", None, numbers, here)
        origin = _ORIGINS.get(value.origin or "", "literal")
        place, key = self.set_at(value, origin, at, source, here)
        return Setting(name, repr(value.value)[:80], origin, number(value.value), numbers, place, key)

    def set_at(
        self, value: KnownValue, origin: str, at: Call | Frame | Instance | None, source: str, here: str
    ) -> tuple[str, str]:
        """Where a setting is given its value, `here` where that is not found, and the keys that lead to it in a configuration file; the
        option of the command, which is "" where words of it belong to none."""
        stated = deciders_of([value])
        placed = setting_origins.settings_of(self.definitions.configurations, stated) if len(stated) == 1 else []
        if origin == "configuration" and placed:
            return placed[0].place, placed[0].key
        if origin == "command":
            return value.name or next((one.name for one in stated), ""), ""
        called = [value.name] if value.name else _read(at.node if at is not None else None)
        found = (self.definitions.place(KnownValue(value.value, value.origin, name), source) for name in called)
        return next((place for place in found if place), here), ""

    # --- learning rates -----------------------------------------------------------------------------------------------

    def rates(self) -> Iterator[SettingMessage]:
        seen: set[tuple[int, str]] = set()
        for place, bound, told, _ in self.optimizer_rates:
            key = id(told.node), repr((told.code, told.data))
            if key not in seen:
                seen.add(key)
                if not self.idle(place):
                    yield from self.wrong_rate(told, [given_rate(bound), *_group_rates(bound)], place)
                    yield from self.wrong_momentum(told, place)
                yield told
        if not self.optimizer_rates:
            yield SettingMessage("no-optimizer", self.reading.source, self.reading.source.tree)

    @cached_property
    def optimizer_rates(self) -> list[OptimizerRate]:
        """The learning rate of each optimizer, in the order of their making."""
        return [self.of_optimizer(*made) for made in self.optimizers()]

    def of_optimizer(self, place: Call | Instance, called: str, bound: dict[str, Value]) -> OptimizerRate:
        known = api.find(called)
        defaults = known.defaults if known is not None else {}
        told = self.rate(place, called.rpartition(".")[2], given_rate(bound), defaults)
        groups, moved = self.groups(bound, place), self.moved(place)
        for name in _BESIDES:
            if name in bound or (name in defaults and name in ("momentum", "weight_decay")):
                told.rows.append(self.setting(name, bound.get(name), place, defaults.get(name)))
        told.rows += [*groups, *moved]
        if rates := [row.text for row in groups if row.name.endswith(".lr")]:
            told.code = "rate-groups"
            told.data = {"optimizer": told.data["optimizer"], "rates": list(dict.fromkeys(rates))}
        return OptimizerRate(place, bound, told, told.code == "rate" and not moved)

    def optimizers(self) -> list[tuple[Call | Instance, str, dict[str, Value]]]:
        """The first optimizers of the script; what is written by people has few."""
        return list(islice(self._optimizers(), LIMIT))

    def _optimizers(self) -> Iterator[tuple[Call | Instance, str, dict[str, Value]]]:
        """The optimizers with their names and arguments: the framework's, and classes of the project."""
        for made in self.trace.calls:
            name = made.api
            if not made.name.startswith("mindspore.") or name in _WRAPPERS or name.startswith("ops."):
                continue
            known = api.find(name) or api.find("nn." + name.rpartition(".")[2])
            if known is not None and known.kind == "optimizer":
                yield made, name, known.bind_any(made.args, made.keywords) or made.keywords
        for instance in self.trace.instances:
            bound = self._own_optimizer(instance)
            if bound is not None:
                yield instance, instance.of.node.name, bound

    def _own_optimizer(self, instance: Instance) -> dict[str, Value] | None:
        """What an optimizer of the project is given, and hands on to the framework's; None for any other object."""
        for base, args, keywords in instance.supers:
            known = api.find(names.canonical(base))
            if known is not None and known.kind == "optimizer":
                init = self.inits.get(id(instance))
                own = init.parameters if init is not None else {}
                return (known.bind_any(args, keywords) or keywords) | {k: v for k, v in own.items() if k != "self"}
        return None

    def rate(
        self, place: Call | Instance, optimizer: str, rate: Value | None, defaults: dict[str, Any]
    ) -> SettingMessage:
        """The learning rate of an optimizer: a constant, a schedule, or something out of sight."""
        source, data = place.source, {"optimizer": optimizer}
        assert source is not None and place.node is not None
        default = next((defaults[name] for name in _RATES if name in defaults), None)
        row = self.setting("learning_rate", rate, place, default)
        rows = [Setting("optimizer", optimizer, "literal", place=f"{source.path}:{place.line}"), row]
        if row.counted and row.origin != "several":
            later = [self.schedule(made) for made in self.schedules if self.drives(made, place)]
            if later and later[0]:
                data["schedule"] = later[0][0]
                return SettingMessage("rate-schedule", source, place.node, data, [*rows, *later[0][1]])
            return SettingMessage("rate", source, place.node, data | {"rate": row.text, "how": row}, rows)
        if told := self.followed(rate, place, rows, data):
            return told
        if row.origin == "several":
            return SettingMessage("rate", source, place.node, data | {"rate": row.text, "how": row}, rows)
        if rate is None and default is None:
            row = Setting("learning_rate", "?", "unseen")
        if row.known and _is_no_number(rate):
            return SettingMessage("rate-text", source, place.node, data | {"rate": row.text, "how": row}, rows)
        return SettingMessage("rate-unknown", source, place.node, data | {"expression": row.text}, rows)

    def followed(
        self, rate: Value | None, place: Call | Instance, rows: list[Setting], data: dict[str, Any]
    ) -> SettingMessage | None:
        """A schedule, with the rates that it gives where they can be computed; None for what is none."""
        found, computed = self.scheduled(rate), self.computed(rate, place)
        if not found and not computed:
            return None
        assert place.source is not None and place.node is not None
        name = ", ".join(dict.fromkeys(name for name, _ in found[:3])) or written(rate)
        data = data | {"schedule": name}
        rows = [*rows, *computed, *(row for _, more in found[:3] for row in more)]
        if len(computed) < len(RATES):
            return SettingMessage("rate-schedule", place.source, place.node, data, rows)
        data |= {key: row.text for key, row in zip(RATES, computed, strict=True)}
        return SettingMessage("rate-computed", place.source, place.node, data, rows)

    def drives(self, made: Call, optimizer: Value) -> bool:
        """Whether a call makes a schedule that sets the rate of this optimizer."""
        given = made.args[0] if made.args else made.keywords.get("optimizer")
        return any(option is optimizer for option in options(given))

    def schedule(self, made: Call) -> tuple[str, list[Setting]]:
        given = named_arguments(made).items()
        return made.last, [
            self.setting(f"{made.last}.{name}", value, made) for name, value in given if name != "optimizer"
        ]

    def scheduled(self, rate: Value | None) -> list[tuple[str, list[Setting]]]:
        """The schedules behind a learning rate, each with what it is given: the project's function or class, or the
        framework's own where there is none around it."""
        parts, seen = list(sources(rate)), self.rates_of(rate) is not None
        held = {id(part) for part in parts}
        outer = self.outermost_giving_rate(held, seen)
        found = [(f.function.name, self.parameters(f.function.name, f)) for f in outer]
        for part in parts:
            if not isinstance(part, (Call, Instance)) or any(frame in outer for frame in frames_around(part.frame)):
                continue
            if isinstance(part, Call):
                if (known := api.find(part.api)) is not None and known.kind == "schedule":
                    found.append(self.schedule(part))
            elif any("LearningRateSchedule" in base for base in part.of.beyond()):
                init = self.inits.get(id(part))
                name = part.of.node.name
                found.append((name, self.parameters(name, init) if init is not None else []))
        return found

    def outermost_giving_rate(self, held: set[int], seen: bool) -> list[Frame]:
        """The functions that compute a learning rate, but for those that others of them call."""
        frames = [
            frame
            for frame in self.trace.frames
            if frame.function.name not in ("__init__", "__call__", "construct") and self.gives_rate(frame, held, seen)
        ]
        inner = {id(frame) for frame in frames}
        return [frame for frame in frames if not any(id(parent) in inner for parent in frames_around(frame.parent))]

    def gives_rate(self, frame: Frame, held: set[int], seen: bool) -> bool:
        """Whether a function of the project computes a learning rate: something with numbers in it, no whole program. `seen`: what it
        gives is a row of numbers; else its words tell."""
        if frame.returned is None or isinstance(frame.returned, (KnownValue, UnknownValue, NamedValue)):
            return False
        given = [frame.returned, *(options(frame.returned))]
        if not any(id(value) in held for value in given):
            return False
        return seen or any(_is_rate(name) for name in (frame.function.name, *frame.parameters))

    def parameters(self, name: str, frame: Frame) -> list[Setting]:
        rows: list[Setting] = []
        for parameter, value in frame.parameters.items():
            if parameter == "self":
                continue
            if isinstance(value, (Mapping, Instance)) or (isinstance(value, Call) and value.name in (".parse_args",)):
                rows += self.held(name, value, frame)
            else:
                rows.append(self.setting(f"{name}.{parameter}", value, frame))
        return rows[:24]

    def held(self, name: str, value: Value, at: Frame) -> list[Setting]:
        """What a configuration that is handed over says about learning rates and epochs."""
        inside = value.items if isinstance(value, Mapping) else value.attributes if isinstance(value, Instance) else {}
        return [
            self.setting(f"{name}.{key}", entry, at)
            for key, entry in inside.items()
            if isinstance(key, str)
            and (_is_rate(key) or "warm" in key.lower() or _EPOCH.search(key))
            and isinstance(entry, (KnownValue, Items))
        ]

    def groups(self, bound: dict[str, Value], place: Call | Instance) -> list[Setting]:
        """Rates and weight decays of groups of parameters."""
        return [
            self.setting(f"params[].{key}", entry.items[key], place)
            for entry in _groups(bound)
            for key in ("lr", "weight_decay")
            if key in entry.items
        ]

    def moved(self, optimizer: Value) -> list[Setting]:
        """Where the rate is set again while training."""
        moves = (made for made in self.assigned if self.sets_rate(made, optimizer))
        return [self.setting("learning_rate (set_data)", made.args[-1] if made.args else None, made) for made in moves]

    def sets_rate(self, made: Call, optimizer: Value) -> bool:
        """Whether a call puts another rate into an optimizer."""
        target = made.base if made.name[:1] == "." else made.args[0] if made.args else None
        reads = (option for option in options(target) if isinstance(option, Call) and name_of(option) in _RATES)
        return any(_rooted(option, optimizer) for option in reads)

    def idle(self, optimizer: Value) -> bool:
        """Whether an optimizer is never applied, nor given to anything, where others of the script are."""
        return not self.uses.get(id(optimizer)) and any(self.uses.get(id(other)) for other, _, _ in self.optimizers())

    def wrong_rate(
        self, told: SettingMessage, rates: list[Value | None], place: Call | Instance
    ) -> Iterator[SettingMessage]:
        """Rates that cannot be right."""
        for row in _stated_rates(told) or self.highest(rates, place):
            for value in (*row.numbers, *((row.number,) if row.number is not None else ())):
                code = "rate-not-positive" if value <= 0 else self.too_high(value, told, place)
                if code == "rate-not-positive" and told.code == "rate-groups":
                    continue  # a group that is to stay as it is
                if code:
                    likely = row.origin in ("literal", "default", "computed") or self.are_settled(rates)
                    data = {"optimizer": told.data["optimizer"], "rate": f"{value:.3g}", "how": row}
                    yield SettingMessage(code, told.source, told.node, data, told.rows, likely)
                    return

    def too_high(self, rate: float, told: SettingMessage, place: Call | Instance) -> str:
        """What is to say of a rate that is too high, "" of any other. One that is set again later may begin as a factor."""
        by_rate = _steps_by_rate(place)
        if rate >= HUGE_RATE:
            return "rate-huge-step" if by_rate else "rate-huge"
        stays = told.code in ("rate", *SCHEDULED) and not self.moved(place)
        return "rate-huge" if by_rate and stays and rate >= HUGE_STEP else ""

    def wrong_momentum(self, told: SettingMessage, optimizer: Call | Instance) -> Iterator[SettingMessage]:
        """A momentum of 1 or more, with which steps grow without end; or one close to zero: the value was probably meant for another
        argument. A small one that is given by its name alone may be meant."""
        kept = next((row for name in ("momentum", "beta1") for row in told.rows if row.name == name), None)
        if kept is None or kept.number is None:
            return
        likely = kept.origin in ("literal", "default", "parameter")
        data = {"optimizer": told.data["optimizer"], "name": kept.name, "value": f"{kept.number:g}", "how": kept}
        second = next((row.number for row in told.rows if row.name == "beta2"), None)
        if kept.name == "beta1" and second is not None and 1 > kept.number >= LONG_MOMENTUM and kept.number > second:
            yield SettingMessage(
                "betas-exchanged", told.source, told.node, data | {"second": f"{second:g}"}, told.rows, likely
            )
        if kept.number >= 1:
            yield SettingMessage("momentum-whole", told.source, told.node, data, told.rows, likely)
        if NO_MOMENTUM < kept.number < TINY_MOMENTUM:
            yield from self._tiny_momentum(told, optimizer, kept, data, likely)

    def _tiny_momentum(
        self, told: SettingMessage, optimizer: Call | Instance, kept: Setting, data: dict[str, Any], likely: bool
    ) -> Iterator[SettingMessage]:
        rate = next((row.number for row in told.rows if row.name == "learning_rate"), None)
        rate = rate if told.code == "rate" else None
        exchanged = kept.name == "momentum" and rate is not None and LARGE_MOMENTUM <= rate < 1
        code = "rate-for-momentum" if exchanged else "momentum-tiny"
        if not exchanged and not (isinstance(optimizer, Call) and kept.name not in optimizer.keywords):
            return
        yield SettingMessage(code, told.source, told.node, data | {"rate": f"{rate or 0:g}"}, told.rows, likely)

    def highest(self, rates: list[Value | None], place: Call | Instance) -> Iterator[Setting]:
        """The highest of rates that are computed."""
        for rate in rates:
            yield from (row for row in self.computed(rate, place) if row.name == HIGHEST)

    def computed(self, rate: Value | None, place: Call | Instance) -> list[Setting]:
        """The first, the highest and the last rate that a schedule gives, as far as the script alone tells them."""
        found = self.rates_of(rate)
        if found is None:
            return []
        at = rate if isinstance(rate, (Call, Instance)) and rate.source is not None else place
        assert at.source is not None
        where = f"{at.source.path}:{at.line}"
        origin = "computed" if found.settled else "assumed"
        rows = []
        for which, one in zip(RATES, (found.first, found.highest, found.last), strict=True):
            name, text = f"learning_rate, {which}", "" if one is None else f"{one:.3g}"
            if one is None and which in found.small:
                text = f"< {computed_rates.SMALL * found.highest:.3g}"
            if text:
                rows.append(self.decided_by(rate, name, text, one) or Setting(name, text, origin, one, place=where))
        return rows

    def decided_by(self, rate: Value | None, name: str, text: str, number_: float | None) -> Setting | None:
        """A computed rate as the setting of the run that has this value, so that its place is told; None where none has it, or several."""
        parts = [part for part in sources(rate) if isinstance(part, KnownValue)]
        parts += [
            KnownValue(by.value, _DECIDED[by.how], by.name, deciders=(by,))
            for part in parts
            for by in deciders_of([part])
        ]
        rows = {row.place: row for part in parts if (row := self.equal(part, name, number_)) is not None}
        return replace(next(iter(rows.values())), text=text, number=number_, numbers=()) if len(rows) == 1 else None

    def equal(self, part: KnownValue, name: str, number_: float | None) -> Setting | None:
        """A constant as a setting, where it is this number and the place that sets it is known."""
        value = number(part.value)
        if (
            not number_
            or not value
            or not (part.name or part.deciders)
            or not math.isclose(value, number_, rel_tol=1e-3)
        ):
            return None
        row = self.setting(name, part, None)
        return None if row.place.endswith(":0") else row

    def are_settled(self, rates: list[Value | None]) -> bool:
        """Whether nothing that rates are computed of may be another at run time."""
        found = [self.rates_of(rate) for rate in rates if rate is not None]
        return bool(found) and all(one is not None and one.settled for one in found)

    def rates_of(self, rate: Value | None) -> computed_rates.Rates | None:
        """The rates that an optimizer is given, as far as they can be computed."""
        return computed_rates.compute(self.trace, rate)

    @cached_property
    def prepares(self) -> set[int]:
        """The functions, by id, that compute what optimizers are made with: they run before anything is trained."""
        given = {id(part) for _, _, bound in self.optimizers() for value in bound.values() for part in sources(value)}
        frames = [
            f for f in self.trace.frames if isinstance(f.returned, (Call, Items)) and f.function.name != "__init__"
        ]
        return {id(frame.function.node) for frame in frames if id(frame.returned) in given}

    # --- epochs -------------------------------------------------------------------------------------------------------

    def epochs(self) -> Iterator[SettingMessage]:
        repeats = any(call.name == ".repeat" for call in self.trace.calls)
        of_models, of_loops = self.epochs_of_models(repeats), self.epochs_of_loops(repeats)
        told = [*of_models[0], *of_loops[0]]
        yield from _once(told)
        if not told:
            yield SettingMessage("no-epochs", self.reading.source, self.reading.source.tree)
        else:
            yield from _once(self.lengths([*of_models[1], *of_loops[1]]))

    def epochs_of_models(self, repeats: bool) -> tuple[list[SettingMessage], list[Setting]]:
        """What there is to say of the epochs that a Model trains, and their numbers; `repeats`: data sets are repeated."""
        told: list[SettingMessage] = []
        counts: list[Setting] = []
        for made, dataset, given in islice(self.trainings(), LIMIT):
            order = MODEL_RUNS[made.name]
            row = self.setting("epoch", given, made)
            rows = [row]
            for name in ("sink_size", "initial_epoch", "dataset_sink_mode"):
                value = plain(made.argument(order, name))
                if isinstance(value, KnownValue) or (value is not None and name != "dataset_sink_mode"):
                    rows.append(self.setting(name, value, made))
            call = f"Model.{made.last}"
            told.append(self.rounds(made.source, made.node, row, rows, call))
            counts.append(row)
            sink = made.argument(order, "sink_size")
            if repeats and (sink is None or (isinstance(sink, KnownValue) and sink.value == -1)):
                told += self.repeated(made, given, row, dataset)
        return told, counts

    def epochs_of_loops(self, repeats: bool) -> tuple[list[SettingMessage], list[Setting]]:
        """The same of loops."""
        told: list[SettingMessage] = []
        counts: list[Setting] = []
        sets = self.data.sets()[:LIMIT] if repeats else []
        for node, source, given, at in islice(self.loops(), LIMIT):
            row = self.setting("range", given, at)
            told.append(self.rounds(source, node, row, [row], source.segment(node.iter, 60) or "for"))
            counts.append(row)
            for leaf, _ in sets:
                if node in leaf.loops:
                    continue  # made again in each epoch
                readers = [call for call, _ in self.data.uses.consumers[id(leaf)] if node in call.loops]
                if readers:
                    told += self.repeated(readers[0], given, row, leaf)
        return told, counts

    def trainings(self) -> Iterator[tuple[Call, Value | None, Value | None]]:
        for made in self.trace.calls:
            if made.name not in (".train", ".fit"):
                continue
            order = MODEL_RUNS[made.name]
            given, dataset = made.argument(order, "epoch"), made.argument(order, "train_dataset")
            if given is None or isinstance(getattr(plain(given), "value", None), bool):  # net.train(True)
                continue
            if any(_is_model(option) for option in options(made.base)) or (
                dataset is not None and self.data.of(dataset)
            ):
                yield made, dataset, given

    def _loops_run(self) -> Iterable[tuple[ast.For, Call]]:
        """The loops that are run, each with the first call within it."""
        found: dict[int, tuple[ast.For, Call]] = {}
        for made in self.trace.calls:
            for node in made.loops:
                if isinstance(node, ast.For):
                    found.setdefault(id(node), (node, made))
        return found.values()

    def loops(self) -> Iterator[tuple[ast.For, Source, Value | None, Call]]:
        """The loops over epochs: each turn goes through the data. Where that is not seen, the name of what is counted, or of how
        many there are, tells."""
        made_at: dict[int, list[Call]] = {}
        for made in self.trace.calls:
            made_at.setdefault(id(made.node), []).append(made)
        for node, inside in self._loops_run():
            call, passes = counted(node), self.data.passing.get(id(node))
            if call is None or passes is False or any(map(_is_for_another, inside.functions[-1:])):
                continue
            if inside.frame is not None and id(inside.frame.function.node) in self.prepares:
                continue
            names_ = [*mentioned(node.target), *mentioned(call)]
            for made in made_at.get(id(call), ())[:4]:
                if not made.args:
                    continue
                given = made.args[min(1, len(made.args) - 1)]
                if passes or any(_EPOCH.search(name) for name in (*names_, name_of(given))):
                    start = made.args[0] if len(made.args) > 1 else None
                    yield node, made.source, _count(start, given), made

    def rounds(self, source: Source, node: ast.AST, row: Setting, rows: list[Setting], call: str) -> SettingMessage:
        whole = row.number is not None and float(row.number).is_integer()
        data = {"call": call, "epochs": f"{row.number:.0f}" if whole else row.text}
        if row.number is not None and row.number <= 0:
            return SettingMessage("epochs-zero", source, node, data, rows, row.origin == "literal")
        if row.known:
            return SettingMessage("epochs", source, node, data | {"how": row}, rows)
        return SettingMessage("epochs-unknown", source, node, data, rows)

    def repeated(
        self, user: Call, given: Value | None, row: Setting, dataset: Value | None
    ) -> Iterator[SettingMessage]:
        """A data set that is repeated for all epochs, and then trained with for that many epochs."""
        for option in options(dataset):
            for call in self.data.uses.chain(option) if isinstance(option, Call) else ():
                if call.name != ".repeat":
                    continue
                count = call.args[0] if call.args else call.keywords.get("count")
                times = self.setting("repeat", count, call)
                same = row.number is not None and times.number is not None and row.number == times.number > 1
                alike = count is not None and not isinstance(plain(count), KnownValue) and plain(count) is plain(given)
                named = (
                    isinstance(count, KnownValue)
                    and bool(_EPOCH.search(count.name))
                    and times.number not in (None, 1, -1)
                )
                if (same and (row.number or 0) > 1) or alike or (named and row.number != 1):
                    data = {"count": times.text, "epochs": row.text, "line": user.line, "path": user.source.path}
                    places = {f"{at.source.path}:{at.line}" for at in (user, call)}  # numbers may be equal by chance
                    one = alike or (same and row.place == times.place and row.place not in {"", *places})
                    whole = user.name in (".train", ".fit") and "sink_size" not in user.keywords
                    code = "epochs-squared" if one and whole else "epochs-twice"
                    yield SettingMessage(code, call.source, call.node, data, [row, times], same or alike)

    def lengths(self, counts: list[Setting]) -> Iterator[SettingMessage]:
        """Schedules for another number of epochs than the script trains."""
        trained = {row.number for row in counts}
        if len(trained) != 1 or None in trained or any(row.origin in ("parameter", "several") for row in counts):
            return
        (epochs,) = trained
        for place, _, bound in self.optimizers():
            rate = given_rate(bound)
            if (lasts := self.lasts(rate, epochs)) is not None:
                yield from self.shorter_or_longer(rate, lasts, epochs, place)
                continue
            yield from self.as_called(rate, epochs, place)

    def as_called(self, rate: Value | None, epochs: float | None, place: Call | Instance) -> Iterator[SettingMessage]:
        """The same of schedules by what their arguments are called."""
        of_project = list(self.of_project(rate))
        together = self.together(rate) if of_project else set()
        for found, covered in ((list(self.of_framework(rate)), set[float]()), (of_project, together)):
            if epochs in covered | {sum(length for _, _, _, length in found)}:
                continue  # one after the other: a warm-up and what follows
            for source, node, name, length in found:
                if length != epochs:
                    yield self.other(source, node, name, length, epochs, place)

    def lasts(self, rate: Value | None, trained: float | None) -> float | None:
        """The epochs that computed rates last; None where they are not seen, and where steps may be counted otherwise than batches are:
        of data that are repeated, or where gradients may be added up over some."""
        found = self.rates_of(rate)
        epochs = found.epochs if found is not None else None
        repeated = any(call.name == ".repeat" for call in self.trace.calls)
        added_up = epochs and trained and trained > epochs and trained % epochs == 0
        return None if repeated or added_up else epochs

    def shorter_or_longer(
        self, rate: Value | None, lasts: float, epochs: float | None, place: Call | Instance
    ) -> Iterator[SettingMessage]:
        made = rate if isinstance(rate, Call) else place
        assert made.source is not None and made.node is not None
        if lasts != epochs:
            name = next((name for name, _ in self.scheduled(rate)), written(rate))
            yield self.other(made.source, made.node, name, lasts, epochs, place)

    def of_framework(self, rate: Value | None) -> Iterator[_Length]:
        """The schedules of the framework that a learning rate is, with how many epochs each lasts."""
        for part in options(plain(rate)):
            if isinstance(part, Call) and part.api.startswith("nn.") and part.last.endswith("_lr"):
                length = self.in_epochs(part)
                if length is not None:
                    yield part.source, part.node, part.last, length

    def of_project(self, rate: Value | None) -> Iterator[_Length]:
        """The functions of the project that give a learning rate, with the epochs that each is told. Where it is put together
        of several, none has to last for all epochs."""
        if len(self.scheduled(rate)) != 1:
            return
        held = {id(part) for part in sources(rate)}
        for frame in self.trace.frames:
            if not self.gives_rate(frame, held, seen=False):
                continue
            for name, value in frame.parameters.items():
                told = plain(value)
                if (
                    isinstance(told, KnownValue)
                    and _ROUNDS.match(name)
                    and number(told.value)
                    and told.assumed != "parameter"
                ):
                    yield frame.source, frame.node, frame.function.name, float(told.value)

    def together(self, rate: Value | None) -> set[float]:
        """The numbers of epochs that functions of the project whose results are parts of a learning rate can make one after
        the other, each told one of its own numbers: a warm-up and a decay, or the one that puts both together."""
        held = {id(part) for part in sources(rate)}
        sums = {0.0}
        for frame in self.trace.frames:
            if len(sums) > LIMIT or not any(id(value) in held for value in options(frame.returned)):
                continue
            told = [plain(value) for name, value in frame.parameters.items() if _ROUNDS.match(name)]
            own = {number(value.value) or 0.0 for value in told if isinstance(value, KnownValue)}
            sums |= {before + epochs for before in sums for epochs in own}
        return sums

    def in_epochs(self, made: Call) -> float | None:
        """How many epochs a schedule of the framework lasts: its total number of steps over those of an epoch."""
        bound = bound_arguments(made)
        if not bound or "total_step" not in bound or "step_per_epoch" not in bound:
            return None
        total, steps = plain(bound["total_step"]), plain(bound["step_per_epoch"])
        if isinstance(total, KnownValue) and isinstance(steps, KnownValue):
            return _quotient(total, steps)
        if isinstance(total, Call) and total.name == "*" and not isinstance(steps, KnownValue):
            for factor, other in (total.args, total.args[::-1]):
                factor_, other_ = plain(factor), plain(other)
                if _is_one_size(other_, steps) and isinstance(factor_, KnownValue):
                    return number(factor_.value)
        return None

    def other(
        self, source: Source, node: ast.AST, schedule: str, length: float, epochs: float | None, place: Call | Instance
    ) -> SettingMessage:
        assert place.source is not None
        data = {
            "schedule": schedule,
            "length": f"{length:g}",
            "epochs": f"{epochs:g}",
            "place": f"{place.source.path}:{place.line}",
        }
        return SettingMessage("schedule-length", source, node, data)

    # --- batches ------------------------------------------------------------------------------------------------------

    def batches(self) -> Iterator[SettingMessage]:
        devices = self.devices or self.device_number()
        steps = self.accumulated()
        told: list[SettingMessage] = []
        batched = any(call.name in BATCHES for call in self.trace.calls)
        for _, chain in self.data.sets()[:LIMIT] if batched else ():
            for call in chain:
                if call.name not in BATCHES:
                    continue
                order = BATCHES[call.name]
                key = "bucket_batch_sizes" if call.name == ".bucket_batch_by_length" else "batch_size"
                row = self.setting(key, call.argument(order, key), call)
                rows = [row]
                drop = call.argument(order, "drop_remainder")
                if key == "batch_size":
                    rows.append(self.setting("drop_remainder", drop, call, False))
                rows += steps
                found = self.batch(call.source, call.node, row, rows, call.last, devices)
                found.code = "batch-text" if row.known and _is_no_number(call.argument(order, key)) else found.code
                told.append(found)
        if not told:
            told += islice(self.named(steps, devices), LIMIT)
        yield from _once(told)
        if not told:
            yield SettingMessage("no-batch", self.reading.source, self.reading.source.tree)

    def device_number(self) -> int | None:
        """How many devices the script itself says there are."""
        contexts = ranks.deployment(self.trace).contexts
        given = [one for call in contexts for one in options(call.argument(["device_num"], "device_num"))]
        numbers = (number(one.value) for one in given if isinstance(one, KnownValue))
        return next((int(count) for count in numbers if count is not None), None)

    def batch(
        self, source: Source, node: ast.AST, row: Setting, rows: list[Setting], call: str, devices: int | None
    ) -> SettingMessage:
        data: dict[str, Any] = {"call": call, "batch": row.text}
        if row.number is not None and row.number < 1:
            return SettingMessage("batch-not-positive", source, node, data, rows, row.origin == "literal")
        if not row.known:
            return SettingMessage("batch-unknown", source, node, data, rows)
        if row.number is not None and row.number > HUGE_BATCH:
            return SettingMessage("batch-huge", source, node, data | {"how": row}, rows)
        if devices and devices > 1 and row.number is not None:
            total = f"{row.number * devices:g}"
            rows = [*rows, Setting("devices", str(devices), "literal"), Setting("global batch", total, "literal")]
            return SettingMessage(
                "batch-devices", source, node, data | {"how": row, "devices": devices, "total": total}, rows
            )
        return SettingMessage("batch", source, node, data | {"how": row}, rows)

    def named(self, steps: list[Setting], devices: int | None) -> Iterator[SettingMessage]:
        """Batch sizes given to functions and classes that do the batching themselves."""
        for made in self.trace.calls:
            known = api.find(made.api)
            for name, value in made.keywords.items():
                if not _BATCH.match(name) or known is not None or not _FEEDS.search(made.last):
                    continue
                if role([made.last, *made.bound]) != "eval" and role(list(made.functions[-1:])) != "eval":
                    row = self.setting(name, value, made)
                    yield self.batch(made.source, made.node, row, [row, *steps], made.last or "…", devices)
        yield from self._named_of_runs(steps, devices)

    def _named_of_runs(self, steps: list[Setting], devices: int | None) -> Iterator[SettingMessage]:
        """The same of the project's own functions and classes, by their parameters."""
        for frame in self.trace.frames:
            for name, value in frame.parameters.items():
                made_of = frame.owner.of.node.name if isinstance(frame.owner, Instance) else frame.function.name
                title = made_of if frame.function.name == "__init__" else frame.function.name
                bound = frame.owner.bound if isinstance(frame.owner, Instance) else ()
                outer = list(frame.parent.names[-1:]) if frame.parent is not None else []
                if not _BATCH.match(name) or not _FEEDS.search(made_of) or unseen(frame):
                    continue
                if all(role(words) != "eval" for words in ([title, made_of, *bound], outer)):
                    row = self.setting(name, value, frame)
                    yield self.batch(frame.source, frame.node, row, [row, *steps], title, devices)

    def accumulated(self) -> list[Setting]:
        """Over how many steps gradients are accumulated, where something is given that says so by its name."""
        rows: dict[str, Setting] = {}
        for name, value, at in self.accumulation_settings():
            if isinstance(plain(value), KnownValue):
                row = self.setting(name, value, at)
                if row.number is not None and row.number > 1:
                    rows.setdefault(name, row)
        return list(rows.values())[:3]

    def accumulation_settings(self) -> Iterator[tuple[str, Value, Call | Frame]]:
        """What is given under a name that speaks of adding up gradients, with what it is given to."""
        given: list[tuple[str, Value, Call | Frame]] = []
        given += [(n, v, made) for made in self.trace.calls for n, v in made.keywords.items()]
        given += [(n, v, frame) for frame in self.trace.frames for n, v in frame.parameters.items()]
        yield from (one for one in given if _ACCUMULATES.search(one[0]))


def _is_for_another(function: str) -> bool:
    """Whether a function is not for training, but for a learning rate or an evaluation, by its name."""
    return _is_rate(function) or role([function]) == "eval"


def _quotient(total: KnownValue, steps: KnownValue) -> float | None:
    """How often one number goes into another, where it does so without a rest."""
    if number(total.value) and number(steps.value) and total.value % steps.value == 0:
        return float(total.value / steps.value)
    return None


def _is_one_size(one: Value | None, other: Value | None) -> bool:
    """Whether two values are the same, or the size of the same data set."""
    if one is other:
        return True
    sizes = isinstance(one, Call) and isinstance(other, Call) and one.name == other.name == ".get_dataset_size"
    return sizes and isinstance(one, Call) and isinstance(other, Call) and one.base is other.base


def of_scripts(scripts: Scripts, devices: int | None) -> list[Settings]:
    """The settings of all training scripts; kept for the next item in the same process."""
    if not _LAST or _LAST[0] is not scripts or _LAST[1] != devices:
        definitions = Definitions(scripts.sources, scripts.configurations)
        _LAST[:] = [scripts, devices, [Settings(reading, definitions, devices) for reading in scripts.training]]
    found: list[Settings] = _LAST[2]
    return found


_LAST: list[Any] = []


def _count(start: Value | None, end: Value) -> Value:
    """How many turns a range has, as far as its ends tell: range(start, start + 7), range(1, 11)."""
    if start is None:
        return end
    if isinstance(end, Call) and end.name == "+":
        others = [part for part in end.args if part is not start and written(part) != written(start)]
        return others[0] if len(others) == 1 else end
    if isinstance(start, KnownValue) and start.value == 1 and isinstance(end, KnownValue) and number(end.value):
        return KnownValue(end.value - 1, end.origin, end.name)
    return end


def _read(node: ast.AST | None) -> list[str]:
    """The variables, attributes and keys that a call is given as they are."""
    if not isinstance(node, ast.Call):
        return []
    found = []
    for part in (*node.args, *(keyword.value for keyword in node.keywords)):
        if isinstance(part, ast.Attribute):
            found.append(part.attr)
        elif isinstance(part, ast.Subscript) and isinstance(part.slice, ast.Constant):
            found.append(str(part.slice.value))
        elif isinstance(part, ast.Name):
            found.append(part.id)
    return found


def _is_model(value: Value) -> bool:
    if isinstance(value, Instance):
        return any(names.canonical(base) == "Model" for base in value.of.beyond())
    return is_model(value)


def given_rate(bound: dict[str, Value]) -> Value | None:
    """What an optimizer is given as its learning rate."""
    return next((bound[name] for name in _RATES if name in bound), None)


def _steps_by_rate(optimizer: Call | Instance) -> bool:
    """Whether each step of an optimizer moves all weights of a network by about its rate."""
    if not isinstance(optimizer, Call) or optimizers.step_of(optimizer.api) != "rate":
        return False
    given = optimizer.argument(["params"], "params")
    return any(isinstance(part, Call) and part.name in PARAMETERS for part in sources(given))


def _is_rate(name: str) -> bool:
    return bool(RATE_NAME.search(name)) or "lr" in name.lower()


def _groups(bound: dict[str, Value]) -> list[Mapping]:
    """The groups of parameters that an optimizer is given."""
    given = options(bound.get("params") or bound.get("parameters"))
    listed = (entry for option in given if isinstance(option, Items) for entry in option.items[:8])
    return [entry for entry in listed if isinstance(entry, Mapping)]


def _group_rates(bound: dict[str, Value]) -> list[Value]:
    return [entry.items["lr"] for entry in _groups(bound) if "lr" in entry.items]


def _stated_rates(told: SettingMessage) -> list[Setting]:
    """The rates that an optimizer, a group of its parameters or its schedule is given as constants. A schedule may begin or end at 0."""
    if told.code == "rate":
        return [told.data["how"]]
    if told.code == "rate-groups":
        return [row for row in told.rows if row.name == "params[].lr" and (row.numbers or row.number is not None)]
    if told.code in SCHEDULED:
        return [row for row in told.rows if row.name == HIGHEST]
    return []


def _rooted(value: Value, root: Value) -> bool:
    for _ in range(6):
        if not isinstance(value, Call) or value.base is None:
            return False
        value = value.base
        if any(option is root for option in options(value)):
            return True
    return False


def _once(told: Iterable[SettingMessage]) -> Iterator[SettingMessage]:
    seen = set()
    for one in told:
        key = (
            one.code,
            one.source.path,
            one.line,
            getattr(one.node, "col_offset", 0),
            one.data.get("epochs"),
            one.data.get("batch"),
        )
        if key not in seen:
            seen.add(key)
            yield one
