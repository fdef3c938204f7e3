"""Values that stand for nothing because the case says so: what pads a column, and labels that the loss leaves out."""

from __future__ import annotations

from typing import NamedTuple

from ..case import Case, Padding
from ..knowledge.api import IGNORED, IGNORING


class DeclaredPadding(NamedTuple):
    """`padding` is that of the design, `ignored` are labels, which stand in the column `label`; None where the case does not name it."""

    padding: Padding | None = None
    ignored: frozenset[float] = frozenset({float(IGNORED)})
    label: str | None = None

    def of(self, column: str) -> set[float]:
        """The values of a column that are meant so."""
        from ..readers.labels import USUAL

        if column == self.label or (self.label is None and USUAL.match(column)):
            return self.labels(column)
        pads = self.padding.of(column).value if self.padding is not None else None
        return set() if pads is None else {float(pads)}

    def labels(self, column: str | None = None) -> set[float]:
        """Labels that stand for nothing; `column` is where they stand, the one of the case when left out."""
        name = column or self.label
        pads = [] if self.padding is None else [self.padding.of(*([name] if name else [])).value]
        if self.padding is not None and name is None:
            pads += [one.value for one in self.padding.columns.values()]
        return {*self.ignored, *(float(one) for one in pads if one is not None)}

    def no_classes(self, column: str | None = None, *, sequences: bool = False) -> frozenset[str]:
        """Labels that are not classes, as readers.labels.said() writes them. `sequences`: a sample has one for each of its places, as
        words of a sentence have, and these may be padded."""
        from ..readers.labels import said

        values = self.labels(column) if sequences else self.ignored
        return frozenset(text for value in values if (text := said(value)) is not None)


def of_case(case: Case, role: str = "train") -> DeclaredPadding:
    """What the case says of the data of a role."""
    losses = [case.spec.loss, *(phase.loss for phase in case.spec.phases.values())]
    given = [loss.args.get(IGNORING) for loss in losses if loss is not None]
    ignored = {float(IGNORED), *(float(one) for one in given if isinstance(one, (int, float)))}
    return DeclaredPadding(case.spec.design.padding, frozenset(ignored), case.get(f"data.{role}.label"))
