"""Training data of which a constant lets only the first few batches or rows through: what was taken for a trial, and stayed.

Judged where the data set is seen to train, and where nothing else made of the same data does. A loop that trains and ends in its first turn
takes one batch as well.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

from ..knowledge.methods import BATCHES
from .shuffling import Examination, Observation, data_sets
from .trace import Trace
from .values import Call, KnownValue, unseen

#: So few batches are learnt by heart; up to so many are still a trial more often than a training.
ONE, TRIAL = 1, 10


def examine(trace: Trace) -> Iterator[Observation]:
    data = data_sets(trace)
    groups: dict[int, list[list[Call]]] = defaultdict(list)
    for leaf in data.uses.leaves():
        chain = data.uses.chain(leaf)
        if trains(data, leaf):
            groups[id(chain[-1].node)].append(chain)
    for chains in groups.values():
        cuts = [next(_cuts(chain), None) for chain in chains]
        if None in cuts:
            continue
        for cut in cuts:
            if cut is not None:
                yield _observation(*cut)


def broken_off(trace: Trace) -> Iterator[Observation]:
    """The loops over data that train and leave in their first turn, whatever happens in it."""
    data = data_sets(trace)
    turns = {id(call.node): call for call in trace.calls if call.name == ".each"}
    training = {id(step.loops[-1]): step for step in data.uses.steps if step.loops and not unseen(step.frame)}
    for loop, step in training.items():
        turn, node = turns.get(loop), step.loops[-1]
        leaving = [part for part in getattr(node, "body", ()) if isinstance(part, (ast.Break, ast.Return))]
        if turn is not None and leaving and isinstance(node, ast.For):
            line, last = leaving[0].lineno, leaving[0].end_lineno or leaving[0].lineno
            data_ = {"line": turn.line, "how": "return" if isinstance(leaving[0], ast.Return) else "break"}
            yield Observation("first-batch-only", turn.source, line, leaving[0].col_offset, last, data_)


def trains(data: Examination, leaf: Call) -> bool:
    """Whether a data set is given to a Model to train, or read by a loop that steps."""
    given = any(
        user.name in (".train", ".fit") and how != "valid_dataset" for user, how in data.uses.consumers[id(leaf)]
    )
    return given or any(id(loop) in data.uses.stepping for loop in data.uses.loops(leaf))


def _cuts(chain: list[Call]) -> Iterator[tuple[Call, int, int]]:
    """The calls that leave a few batches: how many elements, and how many batches that are at most."""
    for place, part in enumerate(chain):
        count = _count(part)
        if count is None:
            continue
        number = count.value
        rows = 1 if any(before.name in BATCHES for before in chain[place + 1 :]) else _rows(chain[:place])
        batches = -(-number // rows)
        if 0 < batches <= TRIAL:
            yield part, number, batches


def _count(made: Call) -> KnownValue | None:
    """How many elements a call leaves of a data set, where it tells a number."""
    given = made.argument(["count"], "count") if made.name == ".take" else made.keywords.get("num_samples")
    return given if isinstance(given, KnownValue) and type(given.value) is int else None


def _rows(later: list[Call]) -> int:
    """How many rows a batch holds that is made behind; 1 where none is, or its size is not seen."""
    sizes = [made.argument(["batch_size"], "batch_size") for made in later if made.name in BATCHES]
    known = [
        size.value for size in sizes if isinstance(size, KnownValue) and type(size.value) is int and size.value > 0
    ]
    return known[-1] if known else 1


def _observation(call: Call, count: int, batches: int) -> Observation:
    node = call.node
    column = getattr(node, "col_offset", 0)
    last = getattr(node, "end_lineno", None) or call.line
    takes = call.name == ".take"
    # A set may hold no more rows than num_samples, as where each step trains on all of them.
    code = "few-taken" if takes and batches <= ONE else "few-taken-perhaps"
    written = f"take({count})" if takes else f"num_samples={count}"
    data = {"batches": batches, "call": written}
    return Observation(code, call.source, call.line, column, last, data, assumed=True)  # it may be a trial run
