"""Steps that stand behind the loop over the batches, and so train with the last batch of each epoch alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..knowledge.dataset_classes import ITERATORS
from .effects import differentiates, kept, updates
from .settings import SettingMessage, Settings
from .syntax import walk
from .values import Call, Value, options

#: Values within values are looked into so far.
DEPTH = 24


def examine(settings: Settings) -> Iterator[SettingMessage]:
    steps = [
        call for call in settings.trace.calls if call.name == "" and (differentiates(call.base) or updates(call.base))
    ]
    within = {id(loop) for call in steps for loop in call.loops}
    for call in steps:
        each = next((one for value in call.args if (one := _read_by(value)) is not None), None)
        if each is None or not isinstance(each.node, ast.For) or id(each.node) in within:
            continue  # taken with next(), or another step trains with each batch
        if each.node not in call.loops and not _is_left_early(each.node):
            data = {"line": each.line, "path": each.source.path}
            yield SettingMessage("step-behind-loop", call.source, call.node, data, likely=True)
            return


def _is_left_early(loop: ast.AST) -> bool:
    """Whether a loop may be left on purpose, as with the first batch, to try something out."""
    return any(isinstance(part, ast.Break) for part in walk(loop))


def _read_by(value: Value | None) -> Call | None:
    """What gives the batches of a data set turn by turn, where a value is part of one."""
    for _ in range(DEPTH):
        if not isinstance(value, Call):
            return None
        if value.name == ".each":
            over = list(options(value.base))
            return value if over and all(isinstance(one, Call) and one.last in ITERATORS for one in over) else None
        inner = kept(value, "same", "order", "values", "elements")
        value = inner[0] if inner is not None and len(inner) == 1 else value.base if value.name == "[]" else None
    return None
