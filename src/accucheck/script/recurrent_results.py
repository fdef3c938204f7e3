"""What is taken of recurrent layers: the state of the first of several layers, the last step behind the end of a sequence, and a state
whose two parts are handed back in the other order.

Judged by what the framework's layers give: the outputs of all steps, and one last state for each layer and direction.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .analysis import Scripts
from .factors import argument_of
from .networks import Observation, Structure, first_of_place, kind_of, structure_of
from .syntax import walk
from .values import Call, Items, Value, integer_of, is_known, is_slice


@first_of_place
def examine(scripts: Scripts) -> Iterator[Observation]:
    for reading in scripts.training or scripts.readings:
        structure = structure_of(reading)
        for call in reading.trace.calls:
            if structure.in_cell(call.frame):
                yield from _of_item(call, structure)
                yield from _exchanged(call)


def _of_item(call: Call, structure: Structure) -> Iterator[Observation]:
    """A state or an output that is taken by a number."""
    keys: list[Value] = []
    run: Value | None = call
    while isinstance(run, Call) and run.name == "[]" and run.args:
        keys.insert(0, run.args[0])
        run = run.base
    if not isinstance(run, Call) or not keys or run.applied is None or kind_of(run.applied) != "recurrent":
        return
    state = {"LSTM": 3, "GRU": 2, "RNN": 2}.get(run.applied.last)
    if len(keys) == state and is_known(keys[0], 1) and is_known(keys[-1], 0):
        yield from _of_state(call, run, run.applied, structure)
    elif state is not None and len(keys) == 2 and is_known(keys[0], 0):
        yield from _of_output(call, run)


def _of_state(call: Call, run: Call, layer: Call, structure: Structure) -> Iterator[Observation]:
    """The state of the first of several layers, while nothing takes what the others give."""
    layers = integer_of(argument_of(layer, "num_layers"))
    if layers is None or layers < 2 or not _goes_one_way(layer):
        return
    outputs = [one for one, _ in structure.users.get(id(run), ()) if one.args and is_known(one.args[0], 0)]
    if not any(structure.users.get(id(one)) for one in outputs):
        data = {"layers": layers, "line": layer.line, "path": layer.source.path}
        yield Observation("first-layer-state", call.source, call.node, data, certain=False)


def _goes_one_way(layer: Call | None) -> bool:
    told = argument_of(layer, "bidirectional") if layer is not None else None
    return told is None or is_known(told, False)


def _of_output(call: Call, run: Call) -> Iterator[Observation]:
    """The outputs of the last step of all, where the layer is told how long each sequence is: they are 0 behind its end."""
    layer, length = run.applied, run.keywords.get("seq_length") or next(iter(run.args[2:3]), None)
    key = call.args[0]
    parts = key.items if isinstance(key, Items) else [key]
    first = layer is not None and is_known(argument_of(layer, "batch_first"), True)
    place = 1 if first else 0
    ends = len(parts) > place and is_known(parts[place], -1) and all(map(is_slice, parts[:place]))
    if length is not None and not is_known(length, None) and ends and _goes_one_way(layer):
        yield Observation("last-step-padded", call.source, call.node, {"line": run.line}, certain=False)


def _exchanged(call: Call) -> Iterator[Observation]:
    """The two parts of a state that come back as (h, c) and are handed over as (c, h)."""
    node, frame = call.node, call.frame
    if not _takes_pair(call) or not isinstance(node, ast.Call) or frame is None:
        return
    given = [*node.args[1:2], *(keyword.value for keyword in node.keywords if keyword.arg == "hx")]
    states = _names(given[0]) if given else []
    for statement in walk(frame.function.node):
        if isinstance(statement, ast.Assign) and statement.value is node:
            targets = _names(statement.targets[0]) or _names(_last(statement.targets[0]))
            if len(states) == 2 and states[0] != states[1] and targets == states[::-1]:
                data = {"given": ", ".join(states), "back": ", ".join(targets)}
                yield Observation("state-exchanged", call.source, call.node, data, certain=False)


def _takes_pair(call: Call) -> bool:
    return call.applied is not None and kind_of(call.applied) == "recurrent" and "LSTM" in call.applied.last


def _names(node: ast.AST | None) -> list[str]:
    """The variables of a pair."""
    parts = node.elts if isinstance(node, (ast.Tuple, ast.List)) and len(node.elts) == 2 else []
    names = [part.id for part in parts if isinstance(part, ast.Name)]
    return names if len(names) == 2 else []


def _last(node: ast.AST) -> ast.AST | None:
    return node.elts[-1] if isinstance(node, ast.Tuple) and node.elts else None
