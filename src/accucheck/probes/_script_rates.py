"""The learning rate that the training scripts write: a number, or the peak of a schedule."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from ..case import Case

if TYPE_CHECKING:
    from ..script.settings import SettingMessage


class ScriptRate(NamedTuple):
    """The highest rate that a script writes, and where. `sure`: it is a number that nothing else may be at run time; `scheduled`: it is
    the peak of a schedule."""

    rate: float
    place: str
    sure: bool
    scheduled: bool


def of_script(case: Case) -> ScriptRate | None:
    """The highest constant rate or peak of a schedule in the training scripts; None where optimizers differ in it or hide it."""
    from ..script.analysis import read_scripts
    from ..script.settings import SCHEDULED, of_scripts

    found = []
    for settings in of_scripts(read_scripts(case), None):
        for told in settings.rates():
            if told.code not in ("rate", *SCHEDULED, "rate-groups", "rate-unknown"):
                continue
            written = _written(told)
            if written is None:
                return None
            found.append(written)
    return found[0] if len({one.rate for one in found}) == 1 else None


def _written(told: SettingMessage) -> ScriptRate | None:
    """The highest rate that one optimizer is given."""
    from ..script.settings import HIGHEST, SCHEDULED

    scheduled = told.code in SCHEDULED
    rows = [row for row in told.rows if row.known and row.name == (HIGHEST if scheduled else "learning_rate")]
    numbers = [number for row in rows for number in _positive((row.number, *row.numbers))]
    if told.code not in ("rate", *SCHEDULED) or not numbers:
        return None
    place = next((row.place for row in rows if row.place), str(told.source.path))
    return ScriptRate(max(numbers), place, rows[0].origin in ("literal", "default", "computed"), scheduled)


def _positive(numbers: tuple[float | None, ...]) -> Iterator[float]:
    yield from (number for number in numbers if number is not None and math.isfinite(number) and number > 0)
