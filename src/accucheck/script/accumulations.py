"""Gradients that a script adds up over several steps before an optimizer gets them: whether the totals are cleared after an update, and
whether the update is with their mean.

A total is what assign_add puts gradients on and an optimizer is given in the end, or a sum that a variable or attribute of Python holds
from one turn to the next.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ..knowledge.optimizers import step_of
from .effects import effect
from .factors import affirmed, comparison, operation
from .flow import sources
from .models import whole
from .settings import SettingMessage, Settings, number, plain, written
from .source import Source
from .syntax import walk
from .training_steps import Step, TrainingSteps, training
from .values import Call, Items, KnownValue, Test, Value, options, unseen

#: Operations that write into what they are given first.
_WRITES = frozenset(
    ("assign", "assignsub", "setdata", "assignvalue", "zero", "fill", "copy", "setitem", "zerograd", "fillzero", "mul")
)
#: Calls that hand a total on, or look at it, and write nothing.
_HANDS_ON = frozenset((".each", "[]", "zip", "len", "list", "tuple", "enumerate", "comprehension", "print", "*args"))
#: Operations that put one thing to another, or where others may be.
_GATHERS = frozenset(
    ("add", "assignadd", "addn", "append", "extend", "insert", "setitem", "update", "put", "sum", "accumulate")
)
_MAPS = frozenset(("ops.HyperMap", "ops.Map", "ops.depend", "ops.Depend", "ParameterTuple"))


@dataclass(frozen=True, eq=False)
class _Total:
    """A container or parameter on which `add` puts gradients."""

    held: Value
    add: Call


def examine(settings: Settings) -> Iterator[SettingMessage]:
    steps = training(settings.reading)
    for step in steps.judged_steps():
        if step.kind == "own" and step.is_run:
            yield from _of_step(settings, steps, step)


def _of_step(settings: Settings, steps: TrainingSteps, step: Step) -> Iterator[SettingMessage]:
    """What is wrong with the totals of one step, by the turns after which it is made."""
    turns = _turns(step)
    totals = list(_totals(steps, step))
    sums = [*_sums(steps, step), *_written_sums(step)] if turns is not None and not totals else []
    kept = [_place(total.add, step) for total in totals if _is_kept(settings, step, total)]
    kept += [(one.source, one.node) for one in sums if one.is_kept()]
    for source, node in kept[:1]:
        data = {"line": step.line, "path": step.source.path}
        yield SettingMessage("totals-kept", source, node, data, likely=True)
    if turns is None:
        return
    if (totals or sums) and _is_sum(steps, step, turns):
        yield SettingMessage("gradients-summed", step.source, step.node, {"count": written(turns)})
    elif not (totals or sums) and _drops_others(steps, step):
        yield SettingMessage("gradients-lost", step.source, step.node, {"count": written(turns)}, likely=True)


def may_add_up(settings: Settings) -> bool:
    """Whether gradients are added up over several steps, or something that is given and not known may say so."""
    given = (plain(value) for _, value, _ in settings.accumulation_settings())
    if any(not isinstance(value, KnownValue) or (number(value.value) or 0) > 1 for value in given):
        return True
    steps = training(settings.reading)
    return any(True for step in steps.judged_steps() for _ in (*_totals(steps, step), *_sums(steps, step)))


def _totals(steps: TrainingSteps, step: Step) -> Iterator[_Total]:
    given = {id(part) for part in sources(step.gradients)}
    for call in steps.calls:
        done = operation(call)
        if done.name not in ("assignadd", "add_") or len(done.operands) < 2 or not steps.is_gradient(done.operands[1]):
            continue
        held = whole(done.operands[0])
        if id(held) in given:
            yield _Total(held, call)


def _is_kept(settings: Settings, step: Step, total: _Total) -> bool:
    """Whether nothing but further gradients is seen to be written into a total, and all that is given it is known."""
    trace = settings.trace
    if any(whole(store.owner) is total.held or store.before is total.held for store in trace.stores):
        return False
    held = any(value is total.held for one in trace.instances for value in one.attributes.values())
    if not (held or _is_variable(total.held)):
        return False  # another list may take its place
    ran = unseen(total.add.frame)  # what nobody is seen to call empties nothing, but where that is so of all
    calls = (call for call in training(settings.reading).calls if ran or not unseen(call.frame))
    return all(_leaves(call, step, total) for call in calls if _is_given(call, total.held))


def _is_variable(held: Value) -> bool:
    """Whether a variable holds it that is assigned once, before all loops."""
    if not isinstance(held, Call) or held.node is None:
        return False
    within = held.source.tree if held.frame is None else held.frame.function.node
    holds = (part for part in walk(within) if isinstance(part, ast.Assign) and _contains(part.value, held.node))
    names = [name for part in holds for name in _targets(part) if "." not in name]
    before = _before_loops(within)
    statements = [part for part in walk(within) if names and names[0] in _targets(part)]
    return len(names) == len(statements) == 1 and id(statements[0]) in before


def _is_given(call: Call, held: Value) -> bool:
    given = [call.base, *call.args, *call.keywords.values()]
    parts = [part for value in given for option in options(value) for part in _items(option)]
    return any(whole(part) is held for part in parts)


def _items(value: Value) -> list[Value]:
    return [value, *value.items] if isinstance(value, Items) else [value]


def _leaves(call: Call, step: Step, total: _Total) -> bool:
    """Whether a call that is given a total leaves it as it is, or adds to it."""
    if call is total.add or call is step.place or call.name in _HANDS_ON:
        return True
    done = operation(call)
    if done.name in _WRITES and done.operands and whole(done.operands[0]) is total.held:
        return False
    maps = call.name == "" and isinstance(call.base, Call) and call.base.api in _MAPS
    return maps or call.api in _MAPS or call.result is not None or effect(call) is not None


@dataclass(frozen=True, eq=False)
class _Sum:
    """A variable or attribute that holds itself and further gradients after `assigned`, in a function or class `within`; what adds them
    up is `node` in `source`."""

    source: Source
    node: ast.AST
    held: str
    assigned: ast.AST
    within: ast.AST
    update: ast.AST | None

    def is_kept(self) -> bool:
        """Whether nothing else is assigned to it between the turns, and nothing but sums and the update is given it."""
        first = _before_loops(self.within) if "." not in self.held else _of_init(self.within)
        apart = first | {id(part) for part in walk(self.assigned)}
        for part in walk(self.within):
            if id(part) in apart:
                continue
            if self.held in _targets(part) or (isinstance(part, ast.Call) and self._is_changed_by(part)):
                return False
        return True

    def _is_changed_by(self, call: ast.Call) -> bool:
        if call is self.update or (isinstance(call.func, ast.Name) and call.func.id in _HANDS_ON):
            return False
        given = [call.func, *call.args, *(keyword.value for keyword in call.keywords)]
        within = (part.value if isinstance(part, (ast.Attribute, ast.Starred)) else part for part in given)
        return any(_text(part) == self.held for part in within)


def _sums(steps: TrainingSteps, step: Step) -> Iterator[_Sum]:
    for part in sources(step.gradients):
        if not isinstance(part, Call) or operation(part).name != "add":
            continue
        sides = operation(part).operands[:2]
        rest = [side for side in sides if not steps.is_gradient(side)]
        whole = all(not isinstance(side, Call) or operation(side).name not in ("mul", "div", "sub") for side in rest)
        if len(sides) == 2 and len(rest) == 1 and whole and (found := _held(part, step)) is not None:
            yield found


def _written_sums(step: Step) -> Iterator[_Sum]:
    """Attributes that the optimizer is given and that a statement of their class adds to, as it is written: the first turn, which has
    nothing to add to, is all that is followed of one that starts as None."""
    owner = step.frame.function.of if step.frame is not None else None
    if owner is None or not isinstance(step.node, ast.Call):
        return
    given = {_text(part) for argument in step.node.args for part in ast.walk(argument)}
    for statement in walk(owner.node):
        for held in given & set(_targets(statement)):
            if held.startswith("self.") and _is_added_to(statement, held) and _adds(statement):
                yield _Sum(step.source, statement, held, statement, owner.node, step.node)


def _adds(statement: ast.AST) -> bool:
    added = any(isinstance(part, ast.BinOp) and isinstance(part.op, ast.Add) for part in walk(statement))
    return added or (isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Add))


def _held(add: Call, step: Step) -> _Sum | None:
    """What keeps a sum from one turn to the next: a variable that is assigned within a loop and before it, or an attribute."""
    node, frame, source = add.node, add.frame, add.source
    while True:
        within: ast.AST = source.tree if frame is None else frame.function.node
        for statement in walk(within):
            for held in _targets(statement):
                if not (_contains(statement, node) and _is_added_to(statement, held)):
                    continue
                owner = frame.function.of if frame is not None and held.startswith("self.") else None
                if owner is not None:
                    return _Sum(add.source, add.node, held, statement, owner.node, step.node)
                before = _before_loops(within)
                begun = any(held in _targets(part) for part in walk(within) if id(part) in before)
                if begun and id(statement) not in before:
                    return _Sum(add.source, add.node, held, statement, within, step.node)
        if frame is None:
            return None
        node, source, frame = frame.node, frame.source, frame.parent


def _targets(part: ast.AST) -> list[str]:
    """The names and attributes that a statement assigns to, also where it is to a place within them."""
    given = part.targets if isinstance(part, ast.Assign) else [getattr(part, "target", None)]
    within = isinstance(part, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For))
    return [_text(target) for target in given if target is not None] if within else []


def _text(target: ast.AST) -> str:
    while isinstance(target, ast.Subscript):
        target = target.value
    return ast.unparse(target) if isinstance(target, (ast.Name, ast.Attribute)) else ""


def _contains(statement: ast.AST, node: ast.AST) -> bool:
    return any(part is node for part in walk(statement))


def _is_added_to(statement: ast.AST, held: str) -> bool:
    """Whether what is assigned is made of what was held before."""
    value = statement.value if isinstance(statement, ast.Assign) else None
    before = walk(value) if value is not None else []
    return isinstance(statement, ast.AugAssign) or any(_text(part) == held for part in before)


def _before_loops(within: ast.AST) -> set[int]:
    """The ids of what stands in no loop."""
    loops = [part for part in walk(within) if isinstance(part, (ast.For, ast.While))]
    inner = {id(part) for loop in loops for part in walk(loop)}
    return {id(part) for part in walk(within)} - inner


def _of_init(within: ast.AST) -> set[int]:
    made = [part for part in walk(within) if isinstance(part, ast.FunctionDef) and part.name == "__init__"]
    return {id(part) for one in made for part in walk(one)}


def _place(add: Call, step: Step) -> tuple[Source, ast.AST]:
    """Where the function of a step has gradients added."""
    source, node, frame = add.source, add.node, add.frame
    while frame is not None and frame is not step.frame:
        source, node, frame = frame.source, frame.node, frame.parent
    return (source, node) if frame is not None else (add.source, add.node)


# --- those that nothing adds up -------------------------------------------------------------------------------------


def _drops_others(steps: TrainingSteps, step: Step) -> bool:
    """Whether gradients are taken in each turn and only those of the last are applied: nothing adds up gradients, or gathers them."""
    waiting = {id(test.node) for test in step.under if _remainder(test) is not None}
    keys = {key for term in steps.carried(step) for key in term.gradients}
    taken = [steps.factors.gradients[key].call for key in keys]
    each_turn = bool(taken) and all(waiting.isdisjoint(id(test.node) for test in call.under) for call in taken)
    return each_turn and not any(_gathers(steps, call) for call in steps.calls)


def _gathers(steps: TrainingSteps, call: Call) -> bool:
    """Whether a call puts gradients to others, or where others may be."""
    done = operation(call)
    known = effect(call)
    adds = done.name in _GATHERS or (known is not None and (known.reduces or known.operation in ("stack", "concat")))
    return adds and any(steps.is_gradient(part) for part in done.operands)


# --- their mean -------------------------------------------------------------------------------------------------------


def _turns(step: Step) -> Value | None:
    """After how many steps an update is made: n of `turn % n == 0`."""
    for test in step.under:
        counted = _remainder(test)
        count = plain(counted.args[1]) if counted is not None else None
        if isinstance(count, KnownValue) and type(count.value) is int and count.value > 1:
            return count
    return None


def _remainder(test: Test) -> Call | None:
    """The remainder that is 0, or another number, where a condition is taken so and only there."""
    value, taken, _ = affirmed(test)
    sign = comparison(value) if isinstance(value, Call) else ""
    if isinstance(value, Call) and sign in ("==", "!=") and test.taken is not None:
        given = operation(value).operands
        one = len(given) == 2 and isinstance(given[1], KnownValue) and type(given[1].value) is int
        value, taken = (given[0], taken is (sign == "!=")) if one else (value, taken)
    is_remainder = isinstance(value, Call) and value.name == "%" and len(value.args) == 2
    return value if isinstance(value, Call) and is_remainder and not taken else None


def _is_sum(steps: TrainingSteps, step: Step, turns: Value) -> bool:
    """Whether gradients are divided by nothing on their way, where that changes the updates, and no rate makes up for it."""
    carried = [term for term in steps.carried(step) if term.gradients]
    if not carried or any(abs(term.number) != 1 or any(power < 0 for _, power in term.powers) for term in carried):
        return False
    clipped = any(isinstance(part, Call) and _limits(part) for part in sources(step.gradients))
    return all(_minds(option, turns, clipped) for option in options(step.optimizer))


def _limits(made: Call) -> bool:
    known = effect(made)
    return known is not None and known.keeps == "limited"


def _minds(optimizer: Value, turns: Value, clipped: bool) -> bool:
    """Whether an optimizer's updates grow with its gradients, or these are clipped, and its rate is not computed with the number of
    turns."""
    if not isinstance(optimizer, Call) or (step_of(optimizer.api) and not clipped):
        return False
    given = [value for name, value in optimizer.keywords.items() if name in ("learning_rate", "lr", "loss_scale")]
    held = [part for value in (*optimizer.args[1:], *given) for part in sources(value)]
    return not any(part is turns for part in held)
