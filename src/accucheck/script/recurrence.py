"""State that a loop is to carry from turn to turn and does not: each step starts from what was there before the loop.

Judged where one object runs a cell of a recurrent layer, or a gated sum as such cells compute it, in a loop that goes through steps,
and a part of its state hangs on nothing that the loop changes. Loops over several cells, and over batches, start anew by design.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from . import flow
from .analysis import Scripts
from .axes import axis_of
from .effects import TAKEN, effect, kept, operands
from .factors import argument_of
from .networks import Observation, Structure, first_of_place, kind_of, of_training, structure_of
from .syntax import counted, stored, walk
from .values import Call, Frame, Value, is_known

#: A state is followed through so many callers, a gate through so many operations.
CALLERS, STEPS = 4, 8
#: Methods that change what they are called on.
_CHANGES = ("append", "extend", "insert", "update", "pop", "add", "setdefault")
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


class StateUse(NamedTuple):
    """Parts of a state that a step starts from, as they are written where it runs, and what runs it. `certain`: by itself they are seen
    to be a state, and not only by what stands `beside` them."""

    frame: Frame
    node: ast.AST
    states: list[ast.expr]
    runs: ast.expr | None
    certain: bool = True
    beside: tuple[ast.expr, ...] = ()


@first_of_place
def examine(scripts: Scripts) -> Iterator[Observation]:
    for reading in scripts.training or scripts.readings:
        structure = structure_of(reading)
        trained = {id(loop) for call in reading.trace.calls if of_training(call) for loop in call.loops}
        for call in reading.trace.calls:
            use = _use(call) if structure.in_cell(call.frame) else None
            if use is not None:
                yield from _lost(call, use, structure, trained)


def _use(call: Call) -> StateUse | None:
    """The state that a step starts from, where this call is one."""
    node = call.node
    if call.applied is None or kind_of(call.base) != "recurrent" or not isinstance(node, ast.Call):
        return _gated(call)
    given = [*node.args[1:2], *(keyword.value for keyword in node.keywords if keyword.arg == "hx")]
    states = [part for one in given for part in (one.elts if isinstance(one, ast.Tuple) else [one])]
    single = call.applied.last.endswith("Cell") or _is_one_step(call, call.applied)
    return StateUse(call.frame, node, states, node.func) if single and call.frame and states else None


def _is_one_step(call: Call, layer: Call) -> bool:
    """Whether a recurrent layer is given a single step: an axis of one step is added, or x[:, t:t + 1] cut out."""
    steps, value = int(is_known(argument_of(layer, "batch_first"), True)), call.args[0] if call.args else None
    known = effect(value) if isinstance(value, Call) else None
    if not isinstance(value, Call):
        return False
    if known is not None and known.operation == "expand_dims":
        return axis_of(value) == steps
    keys = value.node.slice if isinstance(value.node, ast.Subscript) else None
    parts = keys.elts if isinstance(keys, ast.Tuple) else [keys]
    cut = parts[steps] if steps < len(parts) else None
    if not isinstance(cut, ast.Slice) or cut.lower is None or cut.upper is None:
        return False
    return ast.unparse(cut.upper) == f"{ast.unparse(cut.lower)} + 1"


def _gated(call: Call) -> StateUse | None:
    """What a gated sum starts from: it is multiplied by a gate."""
    known = effect(call)
    if known is None or known.operation != "add" or call.frame is None:
        return None
    products = [part for part in operands(call, (0, 1)) if isinstance(part, Call) and part.frame is call.frame]
    for product in products:
        for gate, state, at in _factors(product):
            if isinstance(at, ast.Name) and _is_gate(gate) and not flow.derives(state, gate):
                return StateUse(call.frame, call.node, [at], None, flow.derives(gate, state))
    return None


def _factors(product: Call) -> list[tuple[Value, Value, ast.expr]]:
    """Each factor of a product of two, with the other one and how that is written."""
    known, pair, written = effect(product), operands(product, (0, 1)), _operands(product.node)
    if known is None or known.operation != "mul" or len(pair) != 2 or len(written) != 2:
        return []
    return [(pair[0], pair[1], written[1]), (pair[1], pair[0], written[0])]


def _is_gate(value: Value | None) -> bool:
    """Whether a value is a sigmoid, a part of one, or what one leaves of 1."""
    for _ in range(STEPS):
        known = effect(value) if isinstance(value, Call) else None
        if not isinstance(value, Call) or (known is not None and known.operation == "sigmoid"):
            break
        taken = kept(value, *TAKEN) or []
        rest = operands(value, (0, 1))[1:] if known is not None and known.operation == "sub" else []
        value = value.result or next(iter([*taken, *rest]), None)
    return isinstance(value, Call)


def _is_carried(sum_: ast.AST, loop: ast.AST) -> bool:
    """Whether a loop reads what a sum was in the turn before."""
    given = {
        one.id for node in walk(loop) if isinstance(node, ast.Assign) and _holds(node, sum_) for one in _targets(node)
    }
    reads = (part for part in walk(loop) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load))
    return any(part.id in given and part.lineno <= (getattr(sum_, "end_lineno", 0) or 0) for part in reads)


def _targets(node: ast.Assign) -> list[ast.Name]:
    return [target for target in node.targets if isinstance(target, ast.Name)]


def _operands(node: ast.AST) -> list[ast.expr]:
    """What an operation on two is written with."""
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if not isinstance(node, ast.Call):
        return []
    of = [node.func.value] if isinstance(node.func, ast.Attribute) and len(node.args) == 1 else []
    return [*of, *node.args]


def _has_sibling(use: StateUse, loop: ast.stmt) -> bool:
    """Whether a part of a state stands in a tuple beside another one that a loop gives a new value."""
    changed = _changed(loop)
    if any(_names(one) & changed for one in use.beside):
        return True
    state = ast.unparse(use.states[0])
    for node in walk(use.frame.function.node):
        for target in node.targets if isinstance(node, ast.Assign) and not _holds(loop, node) else []:
            names = [ast.unparse(part) for part in target.elts] if isinstance(target, ast.Tuple) else []
            if state in names and changed & {*names}:
                return True
    return False


def _lost(call: Call, use: StateUse, structure: Structure, trained: set[int]) -> Iterator[Observation]:
    """What to say of a step that a loop runs from the same state in each turn."""
    for state in use.states:
        held = _in_loop(use._replace(states=[state]), structure, trained)
        if held is not None:
            shown, loop = held
            data = {"name": _shown(call), "state": ast.unparse(shown)[:60], "line": loop.lineno}
            yield Observation("state-not-carried", call.source, call.node, data, certain=False)


def _shown(call: Call) -> str:
    node = call.node.func if isinstance(call.node, ast.Call) else call.node
    return ast.unparse(node)[:60]


def _in_loop(use: StateUse, structure: Structure, trained: set[int]) -> tuple[ast.expr, ast.stmt] | None:
    """The state as it is written, and the loop, where each turn starts from the same one; None where it is carried on."""
    for _ in range(CALLERS):
        function, state = use.frame.function.node, use.states[0]
        loops = [loop for loop in walk(function) if isinstance(loop, _LOOPS) and _holds(loop, use.node)]
        places: set[str] = set()
        for loop in reversed(loops):  # the innermost first
            if use.runs is not None and _names(use.runs) & (_changed(loop) - places):
                places |= _names(loop.target) if isinstance(loop, ast.For) else set()
                continue  # another one in each turn
            if not _is_of_steps(loop, use.frame, structure, trained):
                return None
            lost = not (_origins(loop.body, use.node, state) & (_changed(loop) - places) or _is_carried(use.node, loop))
            return (state, loop) if lost and (use.certain or _has_sibling(use, loop)) else None
        above = _above(use, state)
        if above is None:
            return None
        use = above
    return None


def _is_of_steps(loop: ast.AST, frame: Frame, structure: Structure, trained: set[int]) -> bool:
    """Whether a loop goes through the steps of a sequence, and not through batches that a network is trained on."""
    return id(loop) not in trained and (structure.in_cell(frame) or counted(loop) is not None)


def _above(use: StateUse, state: ast.expr) -> StateUse | None:
    """The same where the function that runs a step is called: what is written there for the parameter that the state is."""
    function, call = use.frame.function.node, use.frame.node
    if isinstance(function, ast.Lambda) or not isinstance(call, ast.Call) or use.frame.parent is None:
        return None
    named = _origins(function.body, use.node, state)
    order = [part.arg for part in function.args.args]
    order = order[1:] if use.frame.owner is not None else order
    given = dict(zip(order, call.args, strict=False)) | {part.arg: part.value for part in call.keywords if part.arg}
    found = [given[name] for name in named & given.keys()]
    if len(found) != 1:
        return None
    written, place, beside = found[0], _place_within(function, state), list[ast.expr]()
    if isinstance(written, ast.Tuple) and place is not None and place < len(written.elts):
        beside = [one for one in written.elts if one is not written.elts[place]]
        written = written.elts[place]
    return StateUse(use.frame.parent, call, [written], call.func, use.certain, tuple(beside))


def _place_within(function: ast.AST, state: ast.expr) -> int | None:
    """The place of a name in a tuple that is taken apart: 1 of c in h, c = state."""
    for node in walk(function):
        for target in node.targets if isinstance(node, ast.Assign) else []:
            names = [ast.unparse(part) for part in target.elts] if isinstance(target, ast.Tuple) else []
            if ast.unparse(state) in names:
                return names.index(ast.unparse(state))
    return None


def _holds(outer: ast.AST, node: ast.AST) -> bool:
    return any(part is node for part in walk(outer))


def _names(node: ast.AST) -> set[str]:
    """The variables that an expression reads, and attributes, as self.h; not those that say how much of something is taken."""
    bounds = {id(inner) for part in walk(node) if isinstance(part, ast.Slice) for inner in walk(part)}
    parts = [part for part in walk(node) if id(part) not in bounds]
    found = {part.id for part in parts if isinstance(part, ast.Name)}
    return found | {ast.unparse(part) for part in parts if isinstance(part, ast.Attribute)}


def _changed(loop: ast.AST) -> set[str]:
    """The variables and attributes that a loop gives a value, or changes."""
    found = set(stored(loop))
    for part in walk(loop):
        if isinstance(part, (ast.Attribute, ast.Subscript)) and isinstance(part.ctx, ast.Store):
            found |= {ast.unparse(part), ast.unparse(part.value)}
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr in _CHANGES:
            found.add(ast.unparse(part.func.value))
    return found - {"self"}


def _origins(block: list[ast.stmt], node: ast.AST, expression: ast.expr) -> set[str]:
    """The variables at the start of a block that an expression at a node in it may hang on."""
    at = next((place for place, statement in enumerate(block) if _holds(statement, node)), len(block))
    around = walk(block[at]) if at < len(block) else []
    nested = [part for part in around if isinstance(part, ast.Assign) and not _holds(part, node)]
    names = _names(expression)
    for statement in reversed([*block[:at], *nested]):
        given = _changed(statement) & names
        value = statement.value if isinstance(statement, ast.Assign) else statement
        if value is not statement and statement not in nested:  # on each way
            names -= given
        names |= _names(value) if given else set()
    return names
