"""What in a script decides whether its randomness is fixed, line by line; and what the objects of its training are called there."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ..knowledge.dataset_classes import ITERATORS
from ..knowledge.methods import CHECKPOINT_READERS, WEIGHT_SETTERS
from . import seeding
from .effects import gradient_maker
from .seeding import Randomness
from .settings import Settings
from .source import Source
from .syntax import THROUGH, called_name
from .values import Call, Frame, Instance, KnownValue, Value, options

#: What may be random in a training, in the order in which it is reported.
SUBJECTS = ("network", "order", "augmentation", "workers", "weights", "hyperparameters", "seeds", "deterministic")

_WORKERS = "num_parallel_workers"
_PARAMETERS = re.compile(r"([A-Za-z_][\w.]*)\.(trainable_params|get_parameters|parameters)\(")
_NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$")
#: A longer expression is not written a second time.
_LONGEST = 80


@dataclass(frozen=True)
class SeedPlace:
    """A line that fixes one of SUBJECTS, or leaves it random."""

    subject: str
    place: str
    code: str
    fixed: bool


@dataclass(frozen=True)
class Names:
    """What a script calls the objects of its training; an empty text where that was not found. `data` may be a call.

    `model`: the Model that trains, empty where the script has a loop of its own. `place`: where it trains.
    """

    network: str = ""
    optimizer: str = ""
    data: str = ""
    model: str = ""
    scheduler: str = ""
    place: str = ""


def spots(settings: Settings, found: Randomness) -> list[SeedPlace]:
    """Every line about randomness, each once, in the order of SUBJECTS and then of the script."""
    rows: dict[tuple[str, str], SeedPlace] = {}
    for subject, call, fixed in sorted(_spots(settings, found), key=lambda row: SUBJECTS.index(row[0])):
        place = f"{call.source.path}:{call.line}" if call.source is not None else ""
        code = call.source.segment(call.node, 100) if isinstance(call, Call) and isinstance(call.node, ast.expr) else ""
        held = rows.get((subject, place))
        if held is None or (held.fixed and not fixed):
            rows[subject, place] = SeedPlace(subject, place, code, fixed)
    return list(rows.values())


def _spots(settings: Settings, found: Randomness) -> Iterator[tuple[str, Call | Instance, bool]]:
    for use in found.uses:
        if use.kind in ("operators", "mint"):
            yield "network", use.call, False
        elif use.of_data:
            changes = use.call.api.startswith(("vision.", "transforms.", "audio."))
            yield "augmentation" if changes else "order", use.call, False
    drawn = {id(use.call) for use in found.uses}
    for call in settings.trace.calls:
        yield from _spots_of(call, id(call) in drawn)
    yield from _spots_of_weights(settings, found)
    yield from (("hyperparameters", optimizer, True) for optimizer, _, _ in settings.optimizers())
    yield from (("seeds", seed.call, True) for seed in found.seeds if seed.seen)
    yield from (("deterministic", call, True) for call in found.deterministic)


def _spots_of_weights(settings: Settings, found: Randomness) -> Iterator[tuple[str, Call | Instance, bool]]:
    """Where weights are loaded before training, else where they are drawn."""
    trains = found.training.order if found.training is not None else None
    loads = [call for call in settings.trace.calls if _loads(call) and (trains is None or call.order < trains)]
    yield from (("weights", call, True) for call in loads)
    if not loads and (first := found.first("weights")) is not None:
        reaching = [seed.call for seed in found.reaching("weights") if seed.seen]
        yield "weights", (reaching or [first.call])[0], bool(reaching)


def _spots_of(call: Call, drawn: bool) -> Iterator[tuple[str, Call | Instance, bool]]:
    """What one call fixes, or leaves to chance; `drawn`: it is among the uses of random numbers already."""
    if seeding.is_dropout(call) and not drawn:
        yield "network", call, True
    if call.api.startswith("dataset.") and call.last.endswith("Dataset") and _given(call, "shuffle") is False:
        yield "order", call, True
    elif call.name == ".shuffle" and _of_data(call):
        yield "order", call, False
    if isinstance(workers := _given(call, _WORKERS), int) and not isinstance(workers, bool):
        yield "workers", call, workers <= 1


def _loads(call: Call) -> bool:
    """Whether a call puts weights of a file into a network."""
    given = len(call.args) > 1 or "net" in call.keywords
    return call.api in WEIGHT_SETTERS or (call.api in CHECKPOINT_READERS and given)


def _given(call: Call, name: str) -> object:
    value = call.keywords.get(name)
    return value.value if isinstance(value, KnownValue) else None


def _of_data(call: Call) -> bool:
    """Whether the method is one of a data set."""
    base: Value | None = call
    for _ in range(50):
        if not isinstance(base, Call):
            return False
        if base.api.startswith("dataset."):
            return True
        base = next(iter(options(base.base)), None)
    return False


def names(settings: Settings, *, torch: bool = False) -> Names:
    """What the first training of a script works with."""
    made = list(_torch_optimizers(settings) if torch else (place for place, _, _ in settings.optimizers()))
    optimizer = called = network = ""
    for first in made[:1]:
        optimizer = _target(first, settings.reading.source) if isinstance(first, Call) else ""
        if first.source is not None and isinstance(first.node, ast.expr):
            written = _PARAMETERS.search(first.source.segment(first.node, 400))
            network = written[1] if written else ""
    if torch:
        schedules = [call for call in settings.trace.calls if ".lr_scheduler." in call.name and call.base is None]
        called = next((name for call in schedules if (name := _name(call.bound))), "")
        data, place = _loop(settings, lambda call: call.name == ".step" and _is_one_of(call.base, made))
        return Names(network, optimizer, data, "", called, place)
    for trained, _, _ in settings.trainings():
        if isinstance(trained.node, ast.Call) and isinstance(trained.node.func, ast.Attribute):
            given = [*trained.node.args[1:2], *(k.value for k in trained.node.keywords if k.arg == "train_dataset")]
            model = _expression(trained.node.func.value, trained)
            data = _expression(given[0], trained) if given else ""
            return Names(network, optimizer, data, model or "model", "", f"{trained.source.path}:{trained.line}")
    data, place = _loop(settings, lambda call: not call.name and _trains(call.base, made))
    return Names(network, optimizer, data, "", "", place)


def _torch_optimizers(settings: Settings) -> Iterator[Call]:
    for call in settings.trace.calls:
        if call.name.startswith("torch.optim.") and call.name.count(".") == 2 and call.last[:1].isupper():
            yield call


def _is_one_of(value: Value | None, made: Sequence[Value]) -> bool:
    return any(option is one for option in options(value) for one in made)


def _trains(value: Value | None, optimizers: Sequence[Value]) -> bool:
    """Whether calling this takes gradients or updates weights."""
    return _is_one_of(value, optimizers) or any(
        isinstance(option, Call) and gradient_maker(option) for option in options(value)
    )


def _loop(settings: Settings, wanted: Callable[[Call], bool]) -> tuple[str, str]:
    """What the innermost loop over data around such a call runs over, and its place; empty texts where there is none."""
    for call in settings.trace.calls:
        if not wanted(call):
            continue
        at: Call | Frame | None = call
        while at is not None:
            for node in reversed(at.loops):
                if isinstance(node, ast.For) and (iterated := _data(node.iter)) is not None:
                    return _expression(iterated, at), f"{at.source.path}:{node.lineno}"
            at = at.frame if isinstance(at, Call) else at.parent
    return "", ""


def _data(node: ast.expr) -> ast.expr | None:
    """What a loop runs over, without enumerate and its like; None for one that only counts, or goes over several."""
    while isinstance(node, ast.Call) and called_name(node) in THROUGH and node.args:
        node = node.args[0]
    if called_name(node) in ("range", "trange", "zip"):
        return None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ITERATORS:
        return node.func.value
    return node


def _expression(node: ast.expr, at: Call | Frame) -> str:
    """An expression that may be written once more; empty for a long one."""
    text = at.source.segment(node, _LONGEST)
    return "" if text.endswith("…") else text


def _target(made: Call, script: Source) -> str:
    """What a call is assigned to: opt, self.opt; else a variable that its result comes to."""
    for node in made.source.nodes_of(ast.Assign):
        if node.value is made.node:
            return _name([ast.unparse(target) for target in node.targets])
    names = (*made.source.nodes_of(ast.Name), *script.nodes_of(ast.Name))
    variables = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    return _name([name for name in made.bound if name in variables])


def _name(bound: Sequence[str]) -> str:
    return next((name for name in bound if _NAME.match(name)), "")
