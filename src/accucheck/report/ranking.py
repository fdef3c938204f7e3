"""Which fault to look at first: the next steps and the reports have one order.

What a change gave in a copy of the project decides first, then whether there is something to believe in a finding, whether it goes with
the curves, how much its mend may be expected to give, and how sure it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cached_property
from typing import NamedTuple

from .. import engine, symptoms, try_results
from ..case import Case
from ..checklist import Item
from ..model import Finding, Level, Status, Sure, Verdict
from ..session import Entry, Record, suggestion
from ..try_results import Outcome
from . import machine

#: A finding with the name of its probe.
Told = tuple[str, Finding]

#: Probes that measure how a training goes as a whole, by when it shows there: 0 before the first step, 1 with weights as they are, 2
#: within some steps, 3 within some hundred, 4 at the end. Nearly any other fault shows there too, and what they find is often gone
#: once that is mended: so what others find is looked at first, and of these what shows first, as it is nearest to the cause.
SYMPTOMS = {
    "first_loss": 0,
    "first_loss_live": 0,
    "input_dependence": 1,
    "mode_switch": 1,
    "activations": 2,
    "gradients": 2,
    "update_ratio": 2,
    "overfit_batch": 3,
    "batch_size": 4,
    "batch_size_live": 4,
    "epoch_curve": 4,
    "reproducible_runs": 4,
}
#: How good a reason there is to believe in a finding, best first. A measured one is as good as certain code, but a certain one with a
#: change at hand is mended at once.
GRADES = ("mend", "certain", "measured", "likely", "possible", "symptom")
#: Seconds in which files of a project may be copied one after another.
_COPIED = 60
#: What probes may suggest of an item with which something may be wrong.
_OPEN = (Verdict.PROBLEM, Verdict.UNDECIDED)


class Rank(NamedTuple):
    """What orders faults, the smallest first.

    `suspect`: nothing says that it is a problem; `gain`: what its change gave in a copy, times -1; `aged`: what it looked at is older
    than the scripts; `doubt`: how much less than likely it is; `shows`: when, of SYMPTOMS; `unfitting`: it does not go with the curves;
    `effect`: a place in symptoms.EFFECTS; `fits`: the place among what goes with the curves; `grade`: a place in GRADES.
    """

    suspect: bool = False
    gain: float = 0.0
    aged: bool = False
    doubt: int = 0
    shows: int = 0
    unfitting: bool = True
    effect: int = 0
    fits: int = 0
    grade: int = 0


class Ranking:
    """The order of what probes found in one project. `record`: with the results; `items`: in the order of their checklists."""

    def __init__(self, record: Record, case: Case, items: Sequence[Item]) -> None:
        self.record, self.case, self.items, self.facts = record, case, items, case.facts()
        #: What the changes of each rule gave in copies of the project.
        self.tried = try_results.outcomes(record.tried.trials) if record.tried is not None else {}

    @cached_property
    def symptom(self) -> symptoms.Symptom | None:
        """What the curves look like. Not read before anything has run: reading them loads numpy, for which start-up does not wait."""
        return symptoms.of_case(self.case) if self.has_run else None

    @property
    def has_run(self) -> bool:
        """Whether any probe has a result."""
        results = (result for item in self.items for result in self._entry(item).results.values())
        return any(result.status is Status.DONE for result in results)

    def order(self) -> list[str]:
        """The items of which something may be wrong, in the order in which it is worth looking at them."""
        ranks = {}
        for item in self.items:
            if (first := self.first(item)) is not None:
                ranks[item.id] = self.rank([item.id], *first)
            elif self.is_wrong(item):  # a person says so, and no probe: after the problems that were found
                ranks[item.id] = Rank(doubt=len(GRADES))
        return sorted(ranks, key=lambda item: ranks[item])

    def is_wrong(self, item: Item) -> bool:
        """Whether an item stands as a problem, by the word of a person or by its probes."""
        return self._is_confirmed(item) or self._suggestion(item) is Verdict.PROBLEM

    def _is_confirmed(self, item: Item) -> bool:
        return self._entry(item).conclusion is Verdict.PROBLEM

    def worth(self, item: Item) -> list[Told]:
        """What probes found of an item that may be wrong, the worst first; nothing where a person or the probes say that all is well."""
        entry = self._entry(item)
        if entry.conclusion not in (None, Verdict.PROBLEM) or self._suggestion(item) not in _OPEN:
            return []
        return [told for told in machine.telling(item, entry) if told[1].level is not Level.INFO]

    def first(self, item: Item) -> Told | None:
        """Of what was found of an item what tells most."""
        return min(self.worth(item), key=self._telling, default=None)

    def _telling(self, told: Told) -> tuple[bool, bool, int]:
        name, finding = told
        return finding.level is not Level.PROBLEM, self.is_aged(name), GRADES.index(grade(name, finding))

    def rank(self, items: Sequence[str], name: str, finding: Finding) -> Rank:
        """The place of a finding that serves these items.

        A symptom that is only suspected stands among the problems where it shows before the last symptom that is one; what a person
        confirmed is in no doubt."""
        served = [item for item in self.items if item.id in items]
        confirmed = any(map(self._is_confirmed, served))
        graded = GRADES[0] if confirmed and name not in SYMPTOMS else grade(name, finding)
        tried, fits, effect = self.outcome(name, finding), self.fits(items), expected(items, name, finding)
        proven = tried is not None and tried.better
        early = SYMPTOMS.get(name, self._shown) < self._shown
        return Rank(
            suspect=not (any(map(self.is_wrong, served)) or proven or early),
            gain=-tried.gain if proven and tried is not None else 0.0,
            aged=self.is_aged(name),
            doubt=max(0, GRADES.index(graded) - GRADES.index("likely")),
            shows=SYMPTOMS.get(name, 0),
            unfitting=fits is None,
            effect=symptoms.EFFECTS.index(effect) if effect else 0,
            fits=fits or 0,
            grade=GRADES.index(graded),
        )

    def outcome(self, name: str, finding: Finding) -> Outcome | None:
        """What the change of a finding gave in a copy."""
        return self.tried.get((name, finding.code))

    def fits(self, items: Iterable[str]) -> int | None:
        """The best place that one of these items has among those that go with the curves; None where none does."""
        fitting = symptoms.FITTING[self.symptom.kind] if self.symptom is not None else ()
        return min((fitting.index(item) for item in items if item in fitting), default=None)

    @cached_property
    def _shown(self) -> int:
        """When the last symptom shows that is a problem; 0 where none is."""
        firsts = (self.first(item) for item in self.items if self.is_wrong(item))
        return max((SYMPTOMS.get(first[0], 0) for first in firsts if first is not None), default=0)

    def is_aged(self, name: str) -> bool:
        """Whether a probe looks at what a training left before a script was changed, which was after the first run: it may be mended by
        now. A copy of a project has all its files from the same time."""
        since, changed = self._changed
        if not since < changed:
            return False
        left = engine.recorded(self.case, name)
        return left is not None and left < changed - _COPIED

    @cached_property
    def _changed(self) -> tuple[float, float]:
        """When anything ran first here, and when a script was changed last."""
        ran = [change.when for item in self.items for change in self._entry(item).history if change.what == "ran"]
        with suppress(ValueError):
            return datetime.fromisoformat(min(ran)).timestamp(), engine.scripts_changed(self.case)
        return 0.0, 0.0

    def _entry(self, item: Item) -> Entry:
        return self.record.entries.get(item.id, Entry())

    def _suggestion(self, item: Item) -> Verdict:
        return suggestion(item, self._entry(item), self.facts)


def grade(name: str, finding: Finding) -> str:
    """How good a reason there is to believe in a finding of a probe, one of GRADES."""
    if name in SYMPTOMS:
        return "symptom"
    if finding.sure is Sure.LIKELY or finding.sure is Sure.POSSIBLE:
        return "likely" if finding.sure is Sure.LIKELY else "possible"
    if finding.fix is not None and finding.fix.diff:
        return "mend"
    return "certain" if finding.sure is Sure.CERTAIN else "measured"


def expected(items: Iterable[str], name: str, finding: Finding) -> str:
    """What mending a finding may be expected to give, one of symptoms.EFFECTS; empty for a symptom, which another fault shows by."""
    if name in SYMPTOMS:
        return ""
    return min((symptoms.effect(item, name, finding.code) for item in items), key=symptoms.EFFECTS.index)
