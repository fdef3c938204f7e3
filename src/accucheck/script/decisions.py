"""The ways of decisions: what is known where one is taken, and which of them no run takes together."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from .syntax import kept, unparse


@dataclass(frozen=True, slots=True)
class DecisionCase:
    """One way of a decision: what it is about is one of these values, or none of them."""

    about: str
    values: frozenset[str]
    holds: bool


Ways = frozenset[DecisionCase]
NO_WAYS: Ways = frozenset()
NO_VALUES: frozenset[str] = frozenset()
TRUE = frozenset(("True",))
_NONE = frozenset(("None",))
_SIGNS: dict[type[ast.cmpop], str] = {
    **{ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="},
    **{ast.Eq: "=", ast.NotEq: "<>", ast.Is: "=", ast.IsNot: "<>"},
}


def ways(test: ast.expr, holds: bool, where: str = "") -> Ways:
    """What is known on one way of a decision. `where` tells it from decisions about others of the same name."""
    text = text_of(test)
    found = {DecisionCase(f"{where}?{text}", TRUE, holds)}
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return ways(test.operand, not holds, where) | found
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) is holds:
        found.update(*(ways(part, holds, where) for part in test.values))
    elif isinstance(test, (ast.Name, ast.Attribute)) and holds:
        found.add(DecisionCase(where + text, _NONE, False))
    elif isinstance(test, ast.Call) and text_of(test.func) == "isinstance" and len(test.args) == 2:
        found.add(DecisionCase(f"{where}type {text_of(test.args[0])}", _among(test.args[1]), holds))
    elif isinstance(test, ast.Compare) and len(test.ops) == 1:
        found.update(_of_comparison(test, holds, where))
    return frozenset(found)


def _of_comparison(test: ast.Compare, holds: bool, where: str) -> set[DecisionCase]:
    found: set[DecisionCase] = set()
    left, right, kind = test.left, test.comparators[0], test.ops[0]
    if isinstance(left, ast.Constant) and isinstance(kind, (ast.Eq, ast.NotEq)):
        left, right = right, left
    if isinstance(kind, (ast.In, ast.NotIn)):
        is_in = holds is isinstance(kind, ast.In)
        found.add(DecisionCase(f"{where}?{text_of(left)} in {text_of(right)}", TRUE, is_in))
        if isinstance(right, (ast.Tuple, ast.List, ast.Set)):
            found.add(DecisionCase(where + text_of(left), _among(right), is_in))
    else:
        first, second, signs = text_of(left), text_of(right), set(_SIGNS[type(kind)])
        if isinstance(kind, (ast.Eq, ast.NotEq, ast.Is, ast.IsNot)):
            equal = holds is isinstance(kind, (ast.Eq, ast.Is))
            found.add(DecisionCase(where + first, frozenset((second,)), equal))
            if second == "None" and equal:
                found.add(DecisionCase(f"{where}?{first}", TRUE, False))
        signs = signs if holds else set("<=>") - signs
        if first > second:
            first, second, signs = second, first, {{"<": ">", ">": "<"}.get(sign, sign) for sign in signs}
        found.add(DecisionCase(f"{where}{first} to {second}", frozenset(signs), True))
    return found


def apart(one: Ways, other: Ways) -> bool:
    """True for ways that no run takes both, or of which that is not sure: neither this value nor that one."""
    for about in {way.about for way in one} & {way.about for way in other}:
        (some, none), (more, less) = _known(one, about), _known(other, about)
        if some is None and more is None:
            if not (none <= less or less <= none):
                return True
        elif some is None or more is None:
            if not (some or more or NO_VALUES) - none - less:
                return True
        elif not some & more:
            return True
    return False


def _known(found: Ways, about: str) -> tuple[frozenset[str] | None, frozenset[str]]:
    """(the values that it may have, None for any; those that it has not) on these ways."""
    here = [way for way in found if way.about == about]
    no = NO_VALUES.union(*(way.values for way in here if not way.holds))
    yes = [way.values for way in here if way.holds]
    return (yes[0].intersection(*yes[1:]) - no if yes else None), no - _NONE


def _among(node: ast.expr) -> frozenset[str]:
    return frozenset(map(text_of, node.elts if isinstance(node, (ast.Tuple, ast.List, ast.Set)) else [node]))


def matched(node: ast.pattern) -> frozenset[str] | None:
    """The values that a pattern of a match takes; None where it takes all that is left."""
    if isinstance(node, ast.MatchOr):
        parts = [matched(part) for part in node.patterns]
        return None if None in parts else NO_VALUES.union(*(part for part in parts if part is not None))
    if isinstance(node, ast.MatchAs):
        return None if node.pattern is None else matched(node.pattern)
    return frozenset((text_of(node),))


@kept
def text_of(node: ast.AST | None) -> str:
    """A piece of a script on one line, cut short."""
    return "" if node is None else " ".join(unparse(node).split())[:200]
