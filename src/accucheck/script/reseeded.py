"""A seed that is set to the same number in each epoch: what is drawn for the order of the training data is then drawn again.

What a seed reaches was run on MindSpore 2.10. A data set draws its order when an iterator over it is made, so one iterator for all epochs
goes on through new orders, whatever is seeded meanwhile.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..knowledge.dataset_classes import ITERATORS
from ..knowledge.random_numbers import DRAWS_AGAIN, DRAWS_ONCE, IN_PLACE, SEEDS, shared_generator
from .flow import sources
from .networks import has_weights, is_cell, is_layer
from .shuffling import SHUFFLED, Examination, Observation, data_sets
from .syntax import counted
from .trace import Trace
from .values import Call, Value, integer_of, unseen

_ORDERS = IN_PLACE | DRAWS_ONCE | DRAWS_AGAIN


def examine(trace: Trace) -> Iterator[Observation]:
    """The seeds that give each epoch of a training the order of the one before."""
    data = data_sets(trace)
    told: set[int] = set()
    for seed in trace.calls:
        reached = SEEDS.get(seed.api, SEEDS.get(seed.name, frozenset()))
        if not reached or id(seed.node) in told or not _is_fixed(seed) or _begins_anew(trace, seed.loops[-1]):
            continue
        drawn = _of_data(data, seed, reached) or _of_project(data, seed, reached)
        if drawn is not None:
            told.add(id(seed.node))
            written = seed.source.segment(seed.node, 60) if isinstance(seed.node, ast.expr) else seed.last
            shown = {"seed": written, "line": drawn.line, "path": drawn.source.path}
            column, last = getattr(seed.node, "col_offset", 0), getattr(seed.node, "end_lineno", None) or seed.line
            yield Observation("same-order", seed.source, seed.line, column, last, shown, assumed=True)


def _is_fixed(seed: Call) -> bool:
    """Whether the innermost loop around a seed, one that counts, sets it to the same number whenever it turns."""
    if not seed.loops or unseen(seed.frame) or counted(seed.loops[-1]) is None:
        return False
    number = next(iter((*seed.args, *seed.keywords.values())), None)
    return integer_of(number) is not None


def _begins_anew(trace: Trace, loop: ast.AST) -> bool:
    """Whether each turn of a loop makes a network: it is a training of its own, as of a fold, and not an epoch."""
    layers: list[Value] = [call for call in trace.calls if loop in call.loops and is_layer(call)]
    cells = [net for net in trace.instances if loop in net.loops and is_cell(net.of)]
    return any(map(has_weights, [*layers, *cells]))


def _of_data(data: Examination, seed: Call, reached: frozenset[str]) -> Call | None:
    """What takes the batches of shuffled training data by an iterator that is made behind a seed, in the same turn."""
    loop = seed.loops[-1]
    if "data" not in reached:
        return None
    for leaf, _ in data.sets():
        state = data.states.get(id(leaf))
        if state is None or state.order != SHUFFLED or data.uses.role(leaf, data.uses.chain(leaf)) == "eval":
            continue
        for turn in data.uses.turns(leaf):
            steps = id(turn.node) in data.uses.stepping
            if steps and loop in turn.loops and _is_new(data, turn, loop) and _whenever(seed, turn):
                return turn
    return None


def _is_new(data: Examination, turn: Call, loop: ast.AST) -> bool:
    """Whether each turn of a loop makes the iterator that gives the batches."""
    parts = sources(turn.base, lambda part: id(part) in data.states)
    made = (part for part in parts if isinstance(part, Call) and part.last in ITERATORS)
    return all(loop in part.loops for part in made)


def _of_project(data: Examination, seed: Call, reached: frozenset[str]) -> Call | None:
    """What the project itself draws the order of an epoch with, around the loop that trains."""
    loop = seed.loops[-1]
    inner = [step for step in data.uses.steps if loop in step.loops and step.loops[-1] is not loop]
    for call in data.trace.calls if inner else ():
        orders = call.name in _ORDERS and shared_generator(call.name) in reached
        if orders and call.loops == seed.loops and call.order > seed.order and _whenever(seed, call):
            return call
    return None


def _whenever(seed: Call, drawn: Call) -> bool:
    """Whether a seed is set each time that something is drawn."""
    under = {id(test.node) for test in drawn.under}
    return all(id(test.node) in under for test in seed.under)
