"""Networks that are one under two names and are used as two: each name is run, has its weights asked for, or is saved and loaded.

A second name alone is usual, as for an evaluation; what is done twice in two ways was meant for two networks, such as a target and what it
follows.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..knowledge.methods import LOADS, PARAMETERS
from .analysis import Scripts
from .networks import Observation, first_of_place, has_weights, is_cell, is_loss, shared_on_purpose
from .source import Source
from .syntax import ancestors, called_name, children, conditions_around, stored, walk

#: Ways of using a network -> the methods and functions that use it so. Names of layers of a cell are looked at elsewhere.
_WAYS = {
    "weights": tuple(name.removeprefix(".") for name in PARAMETERS),
    "names": ("update_parameters_name",),
    "saved": ("save_checkpoint",),
    "loaded": LOADS,
}
#: So many ways are shared by the two names.
BOTH = 2
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@first_of_place
def examine(scripts: Scripts) -> Iterator[Observation]:
    networks = [
        net
        for reading in scripts.readings
        for net in reading.trace.instances
        if len(net.bound) > 1 and is_cell(net.of) and not is_loss(net)
    ]
    for source in scripts.sources if networks else ():
        for node, first, second in _renamed(source):
            net = next((one for one in networks if {_last(first), _last(second)} <= {*one.bound}), None)
            if net is None or not has_weights(net) or not _is_used_as_two(source, node, first, second):
                continue
            if not shared_on_purpose(source, node):
                data = {"first": first, "second": second, "what": net.of.node.name}
                yield Observation("network-under-two-names", source, node, data, certain=False)


def _renamed(source: Source) -> Iterator[tuple[ast.Assign, str, str]]:
    """The statements that give what has one name another, on every way."""
    for node in source.nodes_of(ast.Assign):
        target = node.targets[0]
        plain = all(isinstance(one, (ast.Name, ast.Attribute)) for one in (target, node.value))
        if len(node.targets) > 1 or not plain:
            continue
        if all("__name__" in ast.unparse(test) for test in conditions_around(source.tree, node)):
            yield node, ast.unparse(node.value), ast.unparse(target)


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _is_used_as_two(source: Source, node: ast.Assign, first: str, second: str) -> bool:
    return len(_ways(source, node, first) & _ways(source, node, second)) >= BOTH


def _ways(source: Source, node: ast.Assign, name: str) -> set[str]:
    """How what a name of a statement stands for is used, where the name means the same."""
    found: set[str] = set()
    for call in _calls_in_scope(source, node, name.partition(".")[0]):
        if ast.unparse(call.func) == name:
            found.add("run")
        given = [call.func.value] if isinstance(call.func, ast.Attribute) else []
        given += [*call.args, *(keyword.value for keyword in call.keywords)]
        if any(isinstance(one, (ast.Name, ast.Attribute)) and ast.unparse(one) == name for one in given):
            found |= {way for way, names in _WAYS.items() if called_name(call) in names}
    return found


def _calls_in_scope(source: Source, node: ast.Assign, variable: str) -> Iterator[ast.Call]:
    """The calls for which a variable is the one that a statement reads or writes."""
    scope = _scope(source, node, variable)
    queue: list[ast.AST] = [scope]
    may_hide = not isinstance(scope, ast.ClassDef)
    while queue:
        part = queue.pop()
        if may_hide and part is not scope and isinstance(part, _FUNCTIONS) and variable in _own(part):
            continue  # another variable of this name
        if isinstance(part, ast.Call):
            yield part
        queue += children(part)


def _scope(source: Source, node: ast.Assign, variable: str) -> ast.AST:
    """The function or module that a variable of a statement belongs to; the class, where it is the object of a method."""
    around = ancestors(source.tree, node)
    function = next((one for one in around if isinstance(one, _FUNCTIONS) and variable in _own(one)), None)
    if function is not None and variable == _object_of(function):
        return next((one for one in around if isinstance(one, ast.ClassDef)), function)
    return function or source.tree


def _object_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    return next((one.arg for one in function.args.args), "")


def _own(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """The variables of a function."""
    shared = {name for part in walk(function) if isinstance(part, (ast.Global, ast.Nonlocal)) for name in part.names}
    given = {part.arg for part in walk(function.args) if isinstance(part, ast.arg)}
    return given | stored(function) - shared
