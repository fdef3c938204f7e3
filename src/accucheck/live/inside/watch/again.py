"""Passes of training that are run again with something changed, once the training that is watched is over.

In the midst of it they would change the last bits of its numbers: each of the first calls of one of MindSpore's kernels for CPU divides the
work among threads in another way, and sums are then taken in another order.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterator
from typing import Any

from ..measures import Array, array
from .inputs import of_inputs
from .padding import KEPT, examine, like, of_beyond, of_next
from .passes import Pass, Passes

#: Passes that are kept: the second one is for what the first did not show, such as padding.
MOST = 2


class PassesRunAgain:
    """Keeps a few passes, and with them the weights of the first, where these are few: a training that failed tells nothing more."""

    def __init__(self, passes: Passes, most: int) -> None:
        self.passes, self.most = passes, most
        self.kept: list[tuple[int, Pass]] = []
        self.weights: list[tuple[Any, Array]] = []

    def keep(self, ended: Pass, step: int) -> None:
        """Of a pass what runs it again: what it was given, and of its cells the outermost; their outputs are not kept."""
        tops = self.passes.tops(ended)
        if not self.wants() or sum(one.size * one.itemsize for one in ended.batch) > KEPT:
            return
        if not self.kept:
            weights = [one for top in tops for one in top.get_parameters()]
            if sum(one.size * one.itemsize for one in weights) <= KEPT:
                self.weights = [(one, array(one).copy()) for one in weights]
        call = self.passes.network_call(ended)
        kept = copy.copy(ended)
        kept.calls, kept.inner, kept.entries, kept.gradients = [] if call is None else [call], [], [], None
        kept.held = []
        self.kept.append((step, kept))

    def wants(self) -> bool:
        return len(self.kept) < self.most

    def run(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Facts of what changed, by their kind; of the second pass where the first one shows nothing but its inputs."""
        inputs_told = False
        with in_force(self.weights):
            for step, ended in self.kept:
                told = {}
                for kind, trial in (
                    ("padding", examine),
                    ("next", of_next),
                    ("beyond", of_beyond),
                    ("inputs", of_inputs),
                ):
                    if kind == "inputs" and inputs_told:
                        continue
                    try:
                        found = trial(self.passes, ended)
                    except Exception as error:  # what cannot be run again, or not in inference mode
                        found = {"reason": "failed", "error": repr(error)[:300]}
                    if found is not None:
                        told[kind] = found
                        yield kind, {"step": step, **found}
                inputs_told = told.pop("inputs", None) is not None or inputs_told
                if any("reason" not in found for found in told.values()):
                    return


@contextlib.contextmanager
def in_force(weights: list[tuple[Any, Array]]) -> Iterator[None]:
    """The weights as they were kept; afterwards those of now."""
    now = [(one, array(one).copy()) for one, _ in weights]
    try:
        for one, kept in weights:
            one.set_data(like(kept, one))
        yield
    finally:
        for one, value in now:
            one.set_data(like(value, one))
