"""Which parameters a script lets through, by their names, between a checkpoint and a network: conditions of a comprehension, what a loop
takes out of a dict or puts into another one.

The conditions are tried with the names that the network's own parameters have. One that cannot be worked out from a name alone makes the
answer unknown, and so does anything that may put entries into the dict again. What is made anew forgets what was held back before.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from .networks import is_parameter, kind_of, leaves, weights
from .syntax import called_name, conditions_around, walk
from .values import Call, Value

#: Whether a parameter stays, by its name; None where that cannot be worked out.
Kept = Callable[[str], bool | None]
#: What holds names back, and where.
Step = tuple[Kept, ast.AST]


@dataclass(frozen=True)
class Passed:
    """The names of a network's parameters that reach it, and the statement that holds the others back."""

    network: Value
    kept: tuple[str, ...]
    by: ast.AST
    everything: bool = False  # held back whatever its name


def passed(function: ast.AST, put: ast.Call, given: ast.expr, network: Value, loads: set[int]) -> Passed | None:
    """What is left of the names of a network, of which all are taken to be in the checkpoint; None where that is not seen. `loads` are the
    nodes that read a checkpoint, by id."""
    steps = list(_steps(function, put, given, loads))
    names = [name for _, name in parameters(network)]
    if not steps or not names:
        return None
    answers = {name: [keeps(name) for keeps, _ in steps] for name in names}
    if any(None in each for each in answers.values()):
        return None
    kept = tuple(name for name in names if all(answers[name]))
    by = next((node for keeps, node in steps if not all(keeps(name) for name in names)), None)
    everything = any(keeps is _nothing for keeps, _ in steps)
    return None if by is None else Passed(network, kept, by, everything)


def parameters(network: Value) -> Iterator[tuple[Value, str]]:
    """Each layer or parameter of a network, with the names that its parameters have."""
    for path, leaf in leaves(network):
        own = (
            [""] if is_parameter(leaf) else [f".{name}" for name in weights(leaf.api)] if isinstance(leaf, Call) else []
        )
        yield from ((leaf, ".".join(path) + name) for name in own)


def only_output(left: Passed) -> str | None:
    """The output layer of the network, the last of at least three, where its parameters alone are let through."""
    rows: dict[int, tuple[Value, list[str]]] = {}
    for leaf, name in parameters(left.network):
        rows.setdefault(id(leaf), (leaf, []))[1].append(name)
    layers = list(rows.values())
    if len(layers) < 3 or kind_of(layers[-1][0]) not in ("dense", "convolution"):
        return None
    names = layers[-1][1]
    return names[0].rpartition(".")[0] if left.kept and set(left.kept) == set(names) else None


def _steps(function: ast.AST, put: ast.Call, given: ast.expr, loads: set[int]) -> list[Step]:
    """What holds names back on the way into the dict that is put into a network."""
    names = set(_aliases(function, put, given))
    around = {id(test) for test in conditions_around(function, put)}
    steps: list[Step] = []
    for node in _before(function, put, names):
        found = list(_of_statement(node, names, loads))
        sometimes = any(id(test) not in around for test in conditions_around(function, node))
        if isinstance(node, ast.Assign) and _targets(node) and not sometimes and not _mentions(node.value, names):
            steps = []
        steps += [(_unknown, node)] if found and sometimes else found
    return steps if isinstance(given, ast.Name) else [*steps, *_of_value(given, names, loads)]


def _before(function: ast.AST, put: ast.Call, names: set[str]) -> list[ast.stmt]:
    """The statements that name the dict before it is put into the network, in their order; a loop counts as one."""
    last = (
        node for node in _statements(function) if node.lineno <= put.lineno and not any(p is put for p in walk(node))
    )
    return [node for node in last if _mentions(node, names)]


def _statements(node: ast.AST) -> Iterator[ast.stmt]:
    """Those of a block and of the blocks within it, but for what functions and classes do elsewhere."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.If, ast.While, ast.With, ast.Try, ast.ExceptHandler)):
            yield from _statements(child)
        elif isinstance(child, ast.stmt) and not isinstance(
            child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        ):
            yield child


def _mentions(node: ast.AST, names: set[str]) -> bool:
    return any(isinstance(part, ast.Name) and part.id in names for part in walk(node))


def _of_statement(node: ast.stmt, names: set[str], loads: set[int]) -> Iterator[Step]:
    if isinstance(node, ast.For):
        yield from _of_loop(node, names)
    elif isinstance(node, ast.Assign) and _targets(node) & names:
        yield from _of_value(node.value, names, loads)
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and _method(node.value, names) == "clear":
        yield _nothing, node
    elif _may_fill(node, names):
        yield _unknown, node


def _may_fill(node: ast.AST, names: set[str], known: Sequence[ast.AST] = ()) -> bool:
    """Whether entries may come into the dict, or it may be called otherwise from here on: anything but asking it, taking out of it, and
    what is `known` already."""
    asked = {id(one) for part in walk(node) for one in _asked_by(part)}
    asked |= {id(part) for each in known for part in ast.iter_child_nodes(each)}
    return any(isinstance(part, ast.Name) and part.id in names and id(part) not in asked for part in walk(node))


def _asked_by(node: ast.AST) -> list[ast.expr]:
    """What a piece of code asks for entries, or takes some out of, and no more."""
    if isinstance(node, ast.Subscript):
        return [] if isinstance(node.ctx, ast.Store) else [node.value]
    if isinstance(node, ast.Compare):
        return node.comparators
    if isinstance(node, (ast.For, ast.comprehension)):
        return [node.iter]
    if not isinstance(node, ast.Call):
        return []
    if isinstance(node.func, ast.Attribute):
        return [node.func.value] if node.func.attr in _ASKS else []
    return node.args if called_name(node) in _READERS else []


#: What of Python only asks a dict, or takes entries out of it.
_ASKS = ("keys", "values", "items", "get", "copy", "pop", "clear")
_READERS = ("len", "list", "tuple", "set", "sorted", "dict", "iter", "enumerate", "print", "isinstance", "any", "all")


def _aliases(function: ast.AST, put: ast.Call, given: ast.expr) -> Iterator[str]:
    """The names that a dict goes by: what is put into the network, and what that was before."""
    name = given.id if isinstance(given, ast.Name) else None
    for _ in range(4):
        if name is None:
            return
        yield name
        made = [
            n for n in walk(function) if isinstance(n, ast.Assign) and name in _targets(n) and n.lineno < put.lineno
        ]
        last = max(made, key=lambda n: n.lineno).value if made else None
        name = last.id if isinstance(last, ast.Name) else None


def _targets(node: ast.Assign) -> set[str]:
    return {target.id for target in node.targets if isinstance(target, ast.Name)}


def _method(node: ast.Call, names: set[str]) -> str:
    """The method of one of these names that is called; empty for any other call."""
    of = node.func.value if isinstance(node.func, ast.Attribute) else None
    return (
        node.func.attr if isinstance(node.func, ast.Attribute) and isinstance(of, ast.Name) and of.id in names else ""
    )


def _nothing(_: str) -> bool:
    return False


def _unknown(_: str) -> None:
    return None


def _of_value(node: ast.expr, names: set[str], loads: set[int]) -> Iterator[Step]:
    """The conditions of {name: value for name, value in loaded.items() if …}; none of what is loaded, empty or the same dict."""
    if isinstance(node, ast.DictComp) and len(node.generators) == 1 and isinstance(node.key, ast.Name):
        for test in node.generators[0].ifs:
            yield _tried(test, node.key.id), test
        return
    same = isinstance(node, ast.Name) and node.id in names
    made = isinstance(node, ast.Call) and (id(node) in loads or called_name(node) in _WHOLE)
    if not same and not made and not (isinstance(node, ast.Dict) and not node.keys):
        yield _unknown, node


#: What of Python gives a dict as whole as that which it is given, or an empty one.
_WHOLE = ("dict", "OrderedDict", "copy", "deepcopy")


def _of_loop(loop: ast.For, names: set[str]) -> Iterator[Step]:
    """What a loop over names takes out of the dict, or puts into it."""
    turned = {part.id for part in walk(loop.target) if isinstance(part, ast.Name)}
    by_name = [part for part in walk(loop) if _touched(part, names)[0] in turned]
    if turned & names or _may_fill(loop, names, by_name):
        yield _unknown, loop
    for node in by_name:
        name, puts = _touched(node, names)
        assert name is not None
        ways = list(_ways(loop.body, node))
        if not puts and not _goes_through(loop.iter, names):
            yield _unknown, node
        else:
            yield _on_its_way(ways, name, puts) if ways or puts else _nothing, node


def _goes_through(over: ast.expr, names: set[str]) -> bool:
    """Whether a loop takes each entry of the dict: list(loaded.keys()), loaded.items(), loaded."""
    while isinstance(over, ast.Call):
        method = _method(over, names)
        if method:
            return method in ("keys", "items", "copy")
        if _variable(over.func) not in ("list", "tuple", "sorted", "set") or len(over.args) != 1:
            return False
        over = over.args[0]
    return isinstance(over, ast.Name) and over.id in names


def _touched(node: ast.AST, names: set[str]) -> tuple[str | None, bool]:
    """The variable by which an entry is taken out of the dict (False) or put into it (True)."""
    if isinstance(node, ast.Call) and _method(node, names) == "pop" and node.args:
        return _variable(node.args[0]), False
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in names:
        return (
            (None, False)
            if isinstance(node.ctx, ast.Load)
            else (_variable(node.slice), isinstance(node.ctx, ast.Store))
        )
    return None, False


def _variable(node: ast.expr) -> str | None:
    return node.id if isinstance(node, ast.Name) else None


def _on_its_way(ways: list[tuple[ast.expr, bool]], name: str, puts: bool) -> Kept:
    """A name stays where the statement that puts it is reached, or the one that takes it out is not."""

    def kept(tried: str) -> bool | None:
        answers = [_truth(test, name, tried) for test, _ in ways]
        if None in answers:
            return None
        reached = all(answer is way for answer, (_, way) in zip(answers, ways, strict=True))
        return reached if puts else not reached

    return kept


def _ways(body: list[ast.stmt], node: ast.AST) -> Iterator[tuple[ast.expr, bool]]:
    """The conditions that lead to a node within the turn of a loop, with the way that each takes."""
    for statement in body:
        inside = any(part is node for part in walk(statement))
        if isinstance(statement, ast.If):
            for way, block in ((True, statement.body), (False, statement.orelse)):
                if any(part is node for inner in block for part in walk(inner)):
                    yield statement.test, way
                    yield from _ways(block, node)
            if not inside and statement.body and isinstance(statement.body[-1], ast.Continue):
                yield statement.test, False
        if inside:
            return


def _tried(test: ast.expr, name: str) -> Kept:
    def kept(tried: str) -> bool | None:
        return _truth(test, name, tried)

    return kept


def _truth(test: ast.expr, name: str, tried: str) -> bool | None:
    """Whether a condition holds for a name; None where that takes more than the name."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _truth(test.operand, name, tried)
        return None if inner is None else not inner
    if isinstance(test, ast.BoolOp):
        answers = [_truth(part, name, tried) for part in test.values]
        if None in answers:
            return None
        return all(answers) if isinstance(test.op, ast.And) else any(answers)
    if isinstance(test, ast.Call):
        return _asked(test, name, tried)
    return _compared(test, name, tried) if isinstance(test, ast.Compare) else None


def _asked(test: ast.Call, name: str, tried: str) -> bool | None:
    """The answer of name.startswith(…) or name.endswith(…)."""
    asked = test.func
    texts = _texts(test.args[0]) if len(test.args) == 1 else None
    if not isinstance(asked, ast.Attribute) or _variable(asked.value) != name or texts is None:
        return None
    return (
        {"startswith": tried.startswith, "endswith": tried.endswith}[asked.attr](texts)
        if asked.attr in _ASKED
        else None
    )


_ASKED = ("startswith", "endswith")


def _texts(node: ast.expr) -> tuple[str, ...] | None:
    parts = node.elts if isinstance(node, (ast.Tuple, ast.List)) else [node]
    texts = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return tuple(texts) if texts and len(texts) == len(parts) else None


def _compared(test: ast.Compare, name: str, tried: str) -> bool | None:
    """The answer of 'head' in name, name in ('a', 'b') or name == 'a', and of their opposites."""
    if len(test.ops) != 1:
        return None
    (how,), left, right = test.ops, test.left, test.comparators[0]
    texts = _texts(right) if _variable(left) == name else _texts(left)
    if texts is None or name not in (_variable(left), _variable(right)):
        return None
    within = isinstance(how, (ast.In, ast.NotIn)) and _variable(right) == name
    found = texts[0] in tried if within else tried in texts
    if isinstance(how, (ast.In, ast.Eq)):
        return found
    return not found if isinstance(how, (ast.NotIn, ast.NotEq)) else None
