"""Whether weights are stored when a metric is better than before: which of its values is kept, and which are better."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from ..knowledge.metric_functions import metric_functions
from .analysis import Reading
from .effects import effect, operands
from .factors import comparison
from .losses import applied
from .networks import Observation
from .source import Source
from .syntax import unparse
from .tallies import Quotient, Tallies
from .values import Call, Items, KnownValue, Mapping, Value, is_model, options, string_of

#: Values within values are looked into so far.
DEPTH = 24
RISES, FALLS = "rises", "falls"
_OTHER = {RISES: FALLS, FALLS: RISES, "": ""}
_COUNTS = ("hits", "rate", "truths", "weighed")
#: Operations through which the larger of two values stays the larger.
_MONOTONE = ("same", "mean", "sum", "stack", "exp", "log", "sqrt", "round", "cast", "reshape", "squeeze")
_PLAIN = ("comprehension", "sum", "float", "int", "round", ".item", ".asnumpy", ".numpy", ".astype")
_SAVES = "save_checkpoint"


def examine(reading: Reading, tallies: Tallies) -> Iterator[Observation]:
    """Weights that are stored for the worst value of a metric, or never."""
    senses = _Senses(tallies)
    saves = (call for call in reading.trace.calls if call.api == _SAVES)
    for call in saves:
        for compared in _conditions(call):
            yield from _of_condition(call, compared, senses)


def _conditions(saved: Call) -> Iterator[Call]:
    """The comparisons that a call is made under, where all of them have to hold."""
    for test in saved.tests:
        whole = test.taken is True and not (isinstance(test.node, ast.BoolOp) and isinstance(test.node.op, ast.Or))
        for value in options(test.value) if whole else ():
            if isinstance(value, Call) and comparison(value) in ("<", "<=", ">", ">="):
                yield value


def _of_condition(saved: Call, compared: Call, senses: _Senses) -> Iterator[Observation]:
    """What is wrong with the comparison of a value with the best so far."""
    pair = operands(compared, (0, 1))
    place = _best(compared.source, compared.node) if len(pair) == 2 else None
    if place is None:
        if len(pair) == 2 and _never_moved(compared, pair, senses):
            yield Observation(
                "best-not-updated", compared.source, compared.node, {"saved": f"{saved.source.path}:{saved.line}"}
            )
        return
    now, best = pair[1 - place], pair[place]
    larger = (comparison(compared)[0] == ">") is (place == 1)
    sense = senses.of(now)
    starts = [float(one.value) for one in options(best) if isinstance(one, KnownValue) and _is_number(one.value)]
    start = starts[0] if len(starts) == 1 else None
    data = {"saved": f"{saved.source.path}:{saved.line}"}
    if start is not None and _never(larger, start, sense):
        yield Observation("never-better", compared.source, compared.node, data | {"start": f"{start:g}"})
    elif sense == (FALLS if larger else RISES):
        yield Observation("largest-kept" if larger else "smallest-kept", compared.source, compared.node, data)


def _never_moved(compared: Call, pair: list[Value], senses: _Senses) -> bool:
    """Whether a metric is compared with what any value of it is better than, and which is a variable that nothing sets anew."""
    node = compared.node
    if not (isinstance(node, ast.Compare) and len(node.comparators) == 1):
        return False
    for place, written in enumerate((node.left, node.comparators[0])):
        bound, now = pair[place], pair[1 - place]
        if (
            not isinstance(bound, KnownValue)
            or not _is_number(bound.value)
            or not isinstance(written, (ast.Name, ast.Attribute))
        ):
            continue
        larger = (comparison(compared)[0] == ">") is (place == 1)
        at_worst = bound.value <= 0 if larger else bound.value == math.inf
        if (
            at_worst
            and senses.of(now) == (RISES if larger else FALLS)
            and _assignments(compared.source, unparse(written)) == 1
        ):
            return True
    return False


def _assignments(source: Source, name: str) -> int:
    """How often a name is assigned to in a file."""
    found: list[ast.expr] = [target for node in source.nodes_of(ast.Assign) for target in node.targets]
    found += [node.target for node in source.nodes_of(ast.AugAssign)] + [
        node.target for node in source.nodes_of(ast.AnnAssign)
    ]
    flat = (part for target in found for part in (target.elts if isinstance(target, ast.Tuple) else [target]))
    return sum(unparse(part) == name for part in flat)


def _never(larger: bool, start: float, sense: str) -> bool:
    """Whether no value is beyond the one that the best starts with: shares are 0 at least, as errors mostly are."""
    if larger:
        return start == math.inf
    return start == -math.inf or (start <= 0 and sense == RISES)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _best(source: Source, node: ast.AST) -> int | None:
    """Which side of a comparison is the best so far: the one that is set to the other side where the comparison holds."""
    if not (isinstance(node, ast.Compare) and len(node.comparators) == 1):
        return None
    sides = [unparse(node.left), unparse(node.comparators[0])]
    found = set()
    for branch in (one for one in source.nodes_of(ast.If) if _holds(one.test, node)):
        for target, value in _assigned(branch):
            if target in sides and _bare(value) == sides[1 - sides.index(target)] != target:
                found.add(sides.index(target))
    return found.pop() if len(found) == 1 else None


def _holds(test: ast.expr, node: ast.AST) -> bool:
    return test is node or (isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) and node in test.values)


def _assigned(branch: ast.If) -> Iterator[tuple[str, ast.expr]]:
    """What the statements of a branch set, each with its value."""
    for one in (inner for statement in branch.body for inner in ast.walk(statement)):
        if not isinstance(one, ast.Assign):
            continue
        for target in one.targets:
            pairs = [(target, one.value)]
            if isinstance(target, ast.Tuple) and isinstance(one.value, ast.Tuple):
                pairs = [*zip(target.elts, one.value.elts, strict=False)]
            yield from ((unparse(to), value) for to, value in pairs)


def _bare(value: ast.expr) -> str:
    """An expression without calls that leave a number what it is."""
    while isinstance(value, ast.Call) and len(value.args) == 1 and unparse(value.func) in _PLAIN:
        value = value.args[0]
    return unparse(value)


class _Senses:
    """Of values, whether larger ones are better."""

    def __init__(self, tallies: Tallies) -> None:
        self.tallies = tallies
        self.quotients: dict[int, Quotient] = {id(one.node): one for one in tallies.quotients}
        self.known: dict[int, str] = {}

    def of(self, value: Value | None, depth: int = 0) -> str:
        """RISES where larger values are better, FALLS where smaller ones are, "" where that is not seen."""
        found = set()
        for option in options(value):
            if id(option) not in self.known:
                self.known[id(option)] = ""  # for what comes back to itself
                self.known[id(option)] = self._of(option, depth)
            found.add(self.known[id(option)])
        return found.pop() if len(found) == 1 else ""

    def _of(self, value: Value, depth: int) -> str:
        if not isinstance(value, Call) or depth > DEPTH:
            return ""
        if applied(value) is not None:
            return FALLS
        if self.tallies.amount(value) in _COUNTS:
            return RISES
        quotient = self.quotients.get(id(value.node))
        if quotient is not None and quotient.tally.is_of(*_COUNTS):
            return RISES
        return _of_metric(value) or self._computed(value, depth + 1)

    def _computed(self, value: Call, depth: int) -> str:
        """The same of what is computed, through operations of which it is known whether they turn the order round."""
        if value.result is not None:
            return self.of(value.result, depth)
        known, name, pair = effect(value), value.name, operands(value, (0, 1))
        done = known.operation if known is not None else ""
        if name == "neg":
            return _OTHER[self.of(value.args[0], depth)]
        if name in ("+", "-", "*", "/") and len(pair) == 2:
            return self._of_pair(name, pair[0], pair[1], depth)
        if done in ("abs", "square"):
            return FALLS if any(map(_is_difference, operands(value))) else ""
        given = [value.base] if name.startswith(".") else value.args[:1]
        through = name in _PLAIN or done in _MONOTONE
        return self.of(given[0], depth) if through and given else ""

    def _of_pair(self, name: str, left: Value, right: Value, depth: int) -> str:
        """Of a sum, a difference, a product or a quotient: what is added or divided by is a number, or of the same sense."""
        ours, theirs = self.of(left, depth), self.of(right, depth)
        if name == "-":
            theirs = _OTHER[theirs]
        if name in ("*", "/") and any(isinstance(one, KnownValue) and not _is_positive(one) for one in (left, right)):
            return ""
        if name == "/" and theirs:
            return ""
        return ours or theirs if not (ours and theirs) or ours == theirs else ""


def _is_positive(value: KnownValue) -> bool:
    return isinstance(value.value, (int, float)) and value.value > 0


def _is_difference(value: Value) -> bool:
    return any(isinstance(one, Call) and one.name == "-" and len(one.args) == 2 for one in options(value))


def _of_metric(value: Call) -> str:
    """The same of what a metric of MindSpore, or a function of scikit-learn, gives."""
    known = metric_functions()
    if value.name == ".eval" and not value.args:
        return _agreed({known.sense(base.last) for base in options(value.base) if isinstance(base, Call)})
    if value.name != "[]" or not (isinstance(value.base, Call) and value.base.name == ".eval" and value.args):
        return known.sense(value.name)
    key = string_of(value.args[0])
    models = [base for base in options(value.base.base) if is_model(base)]
    metrics = [model.argument(["network", "loss_fn", "optimizer", "metrics"], "metrics") for model in models]
    return _agreed({_under_key(metric, key) for metric in metrics if key is not None})


def _under_key(metrics: Value | None, key: str) -> str:
    """The sense of the metric that Model reports under a name."""
    known = metric_functions()
    if isinstance(metrics, Mapping):
        metric = metrics.items.get(key)
        return known.sense(metric.last) if isinstance(metric, Call) else ""
    named = [string_of(one) for one in metrics.items] if isinstance(metrics, Items) else []
    return known.sense(known.named.get(key, "")) if key in named else ""


def _agreed(found: set[str]) -> str:
    return found.pop() if len(found) == 1 else ""
