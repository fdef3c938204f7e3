"""What leaves next to nothing of each update: gradients that are clipped to a tiny limit, and a weight decay that outweighs them."""

from __future__ import annotations

from collections.abc import Iterator

from ..knowledge import optimizers
from .clipping import Clip, clips
from .factors import operation
from .settings import OptimizerRate, Setting, SettingMessage, Settings, given_rate
from .training_steps import Step, TrainingSteps, training
from .values import Call, Value

#: No gradients are clipped to less; the smallest limit in use is about 0.001.
TINY_LIMIT = 1e-5
#: No weights decay faster; nearly always it is 0.1 at most.
HUGE_DECAY = 1.0
#: The share of the weights that one update may take away; with usual settings it is 0.0005 at most.
HUGE_SHARE = 0.02
#: Where the limit of what clips is given: its place, and its names.
_NORM = 1, ("clip_norm", "max_norm", "clip_value")
_BETWEEN = 2, ("clip_value_max", "max")
_LIMITS = {
    "clip_by_norm": _NORM,
    "clip_by_global_norm": _NORM,
    "clip_gradients": _NORM,
    "clip": _BETWEEN,
}


def examine(settings: Settings) -> Iterator[SettingMessage]:
    yield from _tiny_limits(settings)
    yield from _huge_decays(settings)


def _tiny_limits(settings: Settings) -> Iterator[SettingMessage]:
    steps = training(settings.reading)
    for step in steps.judged_steps():
        for clip in clips(steps, step) if step.kind == "own" else ():
            if (told := _tiny_limit(settings, steps, step, clip)) is not None:
                yield told


def _tiny_limit(settings: Settings, steps: TrainingSteps, step: Step, clip: Clip) -> SettingMessage | None:
    """What there is to say of the limit of one clipping. Optimizers whose steps do not grow with the gradients take longer to notice."""
    row = settings.setting("limit", _limit(clip.made), clip.made)
    limit = row.number
    if limit is None or not 0 < limit <= TINY_LIMIT:
        return None
    grows = all(_grows(option) for option, _ in steps.optimizers(step))
    data = {"clip": clip.made.last or operation(clip.made).name, "limit": f"{limit:g}", "how": row}
    return SettingMessage("clip-tiny", clip.made.source, clip.made.node, data, [row], grows and _is_fixed(row))


def _limit(made: Call) -> Value | None:
    place, called = _LIMITS.get(operation(made).does, (len(made.args) + 1, ()))
    return operation(made).operand(place, *called)


def _grows(optimizer: Value) -> bool:
    return isinstance(optimizer, Call) and optimizers.step_of(optimizer.api) is None


def _is_fixed(row: Setting) -> bool:
    return row.origin in ("literal", "default")


def _huge_decays(settings: Settings) -> Iterator[SettingMessage]:
    for made in settings.optimizer_rates:
        if settings.idle(made.place):
            continue
        rows = {row.name: row for row in made.told.rows}
        rate = _highest(settings, made)
        for name in ("weight_decay", "params[].weight_decay"):
            row = rows.get(name)
            if row is None or row.number is None:
                continue
            takes_all = rate is not None and rate * row.number >= HUGE_SHARE
            if row.number <= HUGE_DECAY and not takes_all:
                continue
            data = {"optimizer": made.told.data["optimizer"], "decay": f"{row.number:g}", "how": row}
            likely = _is_fixed(row) and takes_all
            yield SettingMessage("decay-huge", made.told.source, made.told.node, data, made.told.rows, likely)
            break


def _highest(settings: Settings, made: OptimizerRate) -> float | None:
    """The highest rate of an optimizer: its constant one, or that of its schedule."""
    rows = [row for row in made.told.rows if row.name == "learning_rate"] if made.is_constant else []
    rows = rows or list(settings.highest([given_rate(made.given)], made.place))
    return max((row.number for row in rows if row.number is not None), default=None)
