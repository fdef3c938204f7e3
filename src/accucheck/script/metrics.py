"""How a script computes what it reports of its evaluations: what is counted, divided, left out, or kept from one evaluation to the next.

Judges only what is counted of guesses that are right, whatever the code is called. Where the data set, or what is counted, is not seen,
nothing is said.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cached_property, partial
from itertools import islice

from ..knowledge.api import IGNORING
from ..knowledge.metric_functions import gathering, metric_functions
from . import best_kept, flow, guessed_classes, metric_state
from .analysis import Reading, Scripts
from .axes import axis_of, place, rank, width
from .effects import MOVED, effect, kept, operands
from .factors import comparison
from .guessed_classes import least_first, ranked_by
from .losses import Losses, heads, losses_of
from .networks import Observation, first_of_place, outputs
from .rankings import OF_CLASSES, scored_by, wrong_end
from .same_data import read_alike
from .shuffling import Examination
from .source import Source
from .syntax import THROUGH, unparse
from .syntax import kept as kept_with_code
from .tallies import Addition, Quotient, Tallies, Tally, batch_of, dataset_of, parts
from .values import (
    Call,
    Frame,
    Function,
    Index,
    Instance,
    Items,
    KnownValue,
    Many,
    Value,
    Write,
    frames_around,
    is_known,
    is_model,
    options,
    runs_model,
    trains_model,
)

#: What additions of an evaluation count; see tallies.Addition.
_COUNTED = ("hits", "rate", "weighed", "truths", "ratio")
#: What only evaluations add up, too: numbers of samples, errors.
_GATHERED = (*_COUNTED, "mean", "sums")
#: Methods of dicts and lists that leave them as they are, or only add to them.
_READING = ("get", "items", "keys", "values", "copy", "append", "extend", "index", "count", "mean", "sum")
#: What tells whether something is one of several.
_AMONG = ("in", "not in", "isin", "in1d")
#: The first parameters of Model.
_OF_MODEL = ("network", "loss_fn", "optimizer", "metrics")
#: So many values are looked at on the way from a comparison to what is counted.
STEPS = 400


@first_of_place
def examine(scripts: Scripts) -> Iterator[Observation]:
    """What is wrong with the evaluations of all scripts, each place once."""
    for reading in scripts.readings:
        yield from of(reading).examine()


def judged(scripts: Scripts) -> Iterator[tuple[Source, ast.AST]]:
    """The places of all metrics that were followed."""
    for reading in scripts.readings:
        yield from of(reading).judged()


@kept_with_code
def of(reading: Reading) -> Metrics:
    """The evaluations of a reading, made once for all who ask."""
    return Metrics(reading)


class Metrics:
    """The evaluations of one reading."""

    def __init__(self, reading: Reading) -> None:
        self.reading, self.trace = reading, reading.trace
        self.tallies = Tallies(reading)
        self.data = self.tallies.data

    def examine(self) -> Iterator[Observation]:
        yield from metric_state.examine(self.reading)
        yield from self.averages()
        yield from self.kept_over_epochs()
        yield from self.not_cleared()
        yield from self.masked()
        yield from self.whole_slices()
        yield from self.of_training_data()
        yield from self.of_training_files()
        yield from self.rest_dropped()
        yield from best_kept.examine(self.reading, self.tallies)
        yield from guessed_classes.examine(self.reading, self.losses)
        for call in self.trace.calls:
            yield from self.smallest(call)
            yield from self.scores_compared(call)
            yield from self.other_column(call)
            yield from self.along_samples(call)

    def judged(self) -> Iterator[tuple[Source, ast.AST]]:
        """What was seen of the evaluations: a metric that a script counts itself, and evaluation by Model."""
        for quotient in self.tallies.quotients:
            additions = [one for one in quotient.tally.additions if not self.trains(one.loops[-1:])]
            if additions and all(one.amount in _COUNTED for one in additions):
                yield quotient.source, quotient.node
        for call in self.trace.calls:
            if (call.name in (".eval", ".fit") and _has_metrics(call)) or (call.name == ".eval" and self.gathers(call)):
                yield call.source, call.node

    @cached_property
    def users(self) -> dict[int, list[tuple[Call, str]]]:
        return flow.users(self.trace)

    @cached_property
    def read_by(self) -> dict[int, list[Value]]:
        """What the loops go through, by the id of the loop."""
        found: dict[int, list[Value]] = {}
        for call in self.trace.calls:
            if call.name == ".each" and call.base is not None:
                found.setdefault(id(call.node), []).append(call.base)
        return found

    def trains(self, loops: Iterable[ast.AST]) -> bool:
        return any(id(loop) in self.learning for loop in loops)

    @cached_property
    def learning(self) -> set[int]:
        """The loops, by id, in which something is trained, by steps of the script's own or by Model."""
        models = (call for call in self.trace.calls if trains_model(call))
        return self.data.uses.stepping | {id(loop) for call in models for loop in call.loops}

    # --- sums and what they are divided by ----------------------------------------------------------------------------

    def averages(self) -> Iterator[Observation]:
        for quotient in self.tallies.quotients:
            additions = self.evaluating(quotient.tally)
            judged = self.average(quotient, additions) if additions else None
            if judged is not None:
                code, possible = judged
                yield self.observation(code, additions[0], quotient, possible)

    def evaluating(self, tally: Tally) -> list[Addition]:
        """What is added to a tally but for where the innermost loop trains."""
        return [one for one in tally.additions if not self.trains(one.loops[-1:])]

    def average(self, quotient: Quotient, additions: list[Addition]) -> tuple[str, bool] | None:
        """What is wrong with a quotient, and whether that may be intended."""
        additions = [self.of_one_average(one, quotient) for one in additions]
        batches, amounts = self.batches(additions), {one.amount for one in additions}
        per_turn = quotient.amount in ("turns", "batches") or quotient.is_by("turns")
        if per_turn and len(amounts) == 1 and (averaged := self.averaged(amounts.copy().pop(), batches, additions)):
            return averaged, True
        if batches == "single" or quotient.tally.listed:
            return None
        if amounts == {"rate"} and quotient.is_per_row:
            return "shares-by-rows", batches == ""
        return ("hits-by-batches", batches == "") if amounts == {"hits"} and per_turn else None

    def of_one_average(self, addition: Addition, quotient: Quotient) -> Addition:
        """An addition without the loops that begin and divide anew in each turn: those of the classes of one batch are averaged in it."""
        name = quotient.tally.key.partition("[")[0]
        around = [
            loop
            for loop in addition.loops
            if not (_holds(loop, quotient.node) and self.renewed_beside(loop, addition.node, name))
        ]
        return replace(addition, loops=tuple(around))

    def averaged(self, amount: str, batches: str, additions: list[Addition]) -> str:
        """Why numbers of batches must not be averaged; "" where they may be, or that is not seen."""
        if amount == "ratio":
            return "ratio-of-batches" if self.have_several_rows(additions) else ""
        if batches != "unequal":
            return ""
        if amount == "mean":
            return "" if any(self.is_of_training(one) for one in additions) else "errors-of-batches"
        return "mean-of-batches" if amount == "rate" else ""

    def observation(self, code: str, addition: Addition, quotient: Quotient, possible: bool) -> Observation:
        data = {"added": f"{quotient.tally.source.path}:{getattr(addition.node, 'lineno', 1)}"}
        return Observation(code, quotient.source, quotient.node, data | self.shown(quotient), possible=possible)

    def shown(self, quotient: Quotient) -> dict[str, list[str]]:
        """The lines that hand a number on and use no result, as those that print or log it; {} where there are none."""
        taking = (call for call in self.trace.calls if call.result is None and id(call) not in self.users)
        places = {
            f"{call.source.path}:{call.line}": None
            for call in taking
            if any(getattr(part, "node", None) is quotient.node for one in _given(call) for part in flow.sources(one))
        }
        return {"shown": [*places]} if places else {}

    def batches(self, additions: list[Addition]) -> str:
        """Whether the batches that a tally goes over are of one size: "equal", "single" (of one row each), "unequal" where the last may be
        smaller, or "" where that is not seen."""
        found = {self.batch_sizes(value) for one in additions for value in self.gone_through(one)}
        found = found or {self.slice_sizes(one) for one in additions}
        return found.pop() if len(found) == 1 else ""

    def slice_sizes(self, addition: Addition) -> str:
        """The same of slices whose starts a loop counts up to the number of all rows."""
        if addition.loop is None or self.fitting(addition) is not None:
            return ""
        for value in self.counted_by(addition):
            if not (isinstance(value, Call) and value.name == "range" and len(value.args) == 3):
                continue
            _, rows, size = value.args
            if isinstance(size, KnownValue) and size.value == 1:
                return "single"
            if self.tallies.amount(rows) == "rows":
                return "unequal"
        return ""

    def counted_by(self, addition: Addition) -> Iterator[Value]:
        """What the loop around an addition goes through; where that is a generator, also what the loops in it go through."""
        loops = [addition.loop, *self.tallies.yielding(addition)]
        for loop in loops:
            yield from map(_each_counted, self.read_by.get(id(loop), ()))

    def gone_through(self, addition: Addition) -> list[Value]:
        """The data that an addition is made for each batch of."""
        for loop in reversed(addition.loops):
            read = [value for value in self.read_by.get(id(loop), ()) if self.tallies.is_data(dataset_of(value))]
            if read := read or self.tallies.yielded(addition, loop):
                return read
        if addition.loop is None and not addition.loops:  # a method that Model calls
            return [value for call in self.trace.calls for value in _evaluated(call)]
        return []

    def batch_sizes(self, value: Value) -> str:
        batch = batch_of(self.data, value)
        if batch is None:
            return "single" if self.tallies.is_data(dataset_of(value)) else ""
        size, drops = batch.argument(["batch_size"], "batch_size"), _drops(batch)
        if isinstance(size, KnownValue) and size.value == 1:
            return "single"
        return "" if drops is None else "equal" if drops else "unequal"

    def have_several_rows(self, additions: list[Addition]) -> bool:
        """Whether each batch is seen to be of more rows than one."""
        found = [batch_of(self.data, value) for one in additions for value in self.gone_through(one)]
        sizes = [batch.argument(["batch_size"], "batch_size") if batch is not None else None for batch in found]
        return bool(sizes) and all(
            isinstance(size, KnownValue) and type(size.value) is int and size.value > 1 for size in sizes
        )

    def is_of_training(self, addition: Addition) -> bool:
        """Whether what is added is the loss: made by code that training runs, too, or by a cell."""
        made = [part for part in flow.sources(addition.value) if isinstance(part, Call) and _reduces(part)]
        return any(id(part.node) in self.trained_code or "construct" in part.functions for part in made)

    @cached_property
    def trained_code(self) -> set[int]:
        """The calls, by the ids of their nodes, that are made in turns of loops that train."""
        return {id(call.node) for call in self.trace.calls if call.loops and self.trains(call.loops[-1:])}

    def whole_slices(self) -> Iterator[Observation]:
        """Slices of one size are evaluated, as many as fit in whole, and the rows behind them are not."""
        for quotient in self.tallies.quotients:
            tally, by = quotient.tally, quotient.by
            for addition in tally.additions:
                cut = self.fitting(addition)
                if cut is None or addition.amount not in ("hits", "rows") or self.trains(addition.loops[-1:]):
                    continue
                data = {"at": f"{cut.source.path}:{cut.line}"}
                if by is None and quotient.amount == "rows":
                    yield Observation("fewer-than-divided-by", quotient.source, quotient.node, data)
                elif by is not None:
                    yield Observation("rest-of-slices", cut.source, cut.node, data, possible=True)
                break

    def fitting(self, addition: Addition) -> Call | None:
        """What says how many slices fit, where the loop around an addition takes that many."""
        if addition.loop is None:
            return None
        if (left_at := self.breaks_at(addition.loop)) is not None:
            return left_at
        for value in self.counted_by(addition):
            last = (
                value.args[min(len(value.args), 2) - 1]
                if isinstance(value, Call) and value.name == "range" and value.args
                else None
            )
            number = _uncast(last) if last is not None else None
            step = value.args[2] if isinstance(value, Call) and len(value.args) > 2 else None
            if isinstance(number, Call) and (self.fits_whole(number) or self.stops_before_rest(number, step)):
                return number
        return None

    def breaks_at(self, loop: ast.AST) -> Call | None:
        """The number of whole slices after which a loop that counts its turns is left."""
        ends = {
            id(one.test)
            for one in getattr(loop, "body", ())
            if isinstance(one, ast.If) and isinstance(one.body[-1], ast.Break)
        }
        for call in self.trace.calls if ends else ():
            pair = operands(call, (0, 1))
            if id(call.node) in ends and comparison(call) in (">=", "==") and len(pair) == 2:
                number = _uncast(pair[1])
                if isinstance(pair[0], Index) and isinstance(number, Call) and self.fits_whole(number):
                    return number
        return None

    def fits_whole(self, number: Call) -> bool:
        """Whether a number is that of rows divided by the size of a slice, rounded down, perhaps times that size again."""
        pair = [_uncast(one) for one in operands(number, (0, 1))]
        if number.name == "*" and len(pair) == 2:
            return any(isinstance(one, Call) and one.name == "//" and self.fits_whole(one) for one in pair)
        if number.name != "//" or len(number.args) != 2:
            return False
        whole, size = number.args
        return self.tallies.amount(whole) == "rows" and not (isinstance(size, KnownValue) and size.value == 1)

    def stops_before_rest(self, number: Call, step: Value | None) -> bool:
        """Whether the starts of slices end where the rest is smaller than a slice: rows - size, 1 added at most, in steps of the size."""
        added = [one for one in operands(number, (0, 1)) if not _is_one(one)] if number.name == "+" else [number]
        left = _uncast(added[0]) if len(added) == 1 else None
        pair = operands(left, (0, 1)) if isinstance(left, Call) and left.name == "-" else []
        return len(pair) == 2 and self.tallies.amount(pair[0]) == "rows" and _is_same(pair[1], step)

    # --- positions that do not count ----------------------------------------------------------------------------------

    def masked(self) -> Iterator[Observation]:
        """Positions that the loss leaves out count in the metric."""
        for quotient in self.tallies.quotients:
            if not self.counts_all(quotient):
                continue
            for code, loss, sure in self.left_out[:1]:
                data = {"at": f"{loss.source.path}:{loss.line}"}
                yield Observation(code, quotient.source, quotient.node, data, possible=not sure)
        yield from self.gathered_all()
        for call in self.trace.calls:
            if (
                call.last == "Perplexity"
                and call.api in gathering()
                and _is_nothing(call.argument(["ignore_label"], "ignore_label"))
            ):
                for code, loss, _ in self.left_out[:1]:
                    yield Observation(
                        code, call.source, call.node, {"at": f"{loss.source.path}:{loss.line}"}, possible=True
                    )

    def gathered_all(self) -> Iterator[Observation]:
        """The guesses of all places are put into a list, which a metric is computed of."""
        for tally in self.tallies.tallies.values():
            additions = self.evaluating(tally) if tally.listed else []
            if not additions or not all(self.is_each_guess(one.value) for one in additions):
                continue
            judging = [call for call in self.trace.calls if _judges(call) and _names(call.node, tally.key)]
            for code, loss, sure in self.left_out[:1] if judging else ():
                data = {"at": f"{loss.source.path}:{loss.line}"}
                yield Observation(code, judging[0].source, judging[0].node, data, possible=not sure)

    def is_each_guess(self, value: Value | None) -> bool:
        """Whether a value is the guesses for all places that a loss is computed of, or for those of a sample, and none was left out."""
        while isinstance(value, Call):
            known = effect(value)
            if known is not None and known.operation == "argmax":
                found = width(next(iter(operands(value)), None))
                return found is not None and any(found[0] in one for one in self.trained_layers)
            inner = kept(value, "same", *MOVED) or (
                [value.base] if value.name == ".each" and value.base is not None else []
            )
            value = inner[0] if len(inner) == 1 else None
        return False

    @cached_property
    def trained_layers(self) -> list[list[Call]]:
        """The layers that give what each loss is applied to, where it leaves positions out."""
        found = (self.width_of(one.prediction) for one in self.losses.applications)
        return [[layer] for layer in found if layer is not None]

    @staticmethod
    def width_of(prediction: Value | None) -> Call | None:
        found = [head.made.base for head in heads(prediction) if head.gives == "logits" and isinstance(head.made, Call)]
        return found[0] if found and isinstance(found[0], Call) else None

    def counts_all(self, quotient: Quotient) -> bool:
        """Whether all places count in an evaluation, those that are right above and all of them below."""
        additions = self.evaluating(quotient.tally)
        if not additions or len(additions) < len(quotient.tally.additions):
            return False
        if not all(one.amount in ("hits", "rate") and _guessed(one.value) for one in additions):
            return False
        return additions[0].amount == "rate" or quotient.is_per_row

    @cached_property
    def losses(self) -> Losses:
        return losses_of(self.reading)

    @cached_property
    def left_out(self) -> list[tuple[str, Call, bool]]:
        """The losses that leave positions out: how, where, and whether it is seen that these are none of the data."""
        found: list[tuple[str, Call, bool]] = []
        for one in self.losses.applications:
            given = one.cell.keywords if one.cell is not None else one.arguments
            if isinstance(given.get(IGNORING), KnownValue):
                found.append(("ignored-counted", one.place, False))
            mask = self.mask_of(one.place)
            if mask is not None:
                found.append(("masked-counted", mask, _is_mask(mask, self.data)))
        return sorted(found, key=lambda one: not one[2])

    def mask_of(self, loss: Call) -> Call | None:
        """The product of the losses of all positions with a part of the batch."""
        queue, seen = [loss], {id(loss)}
        while queue and len(seen) < STEPS:
            part = queue.pop()
            for user, _ in self.users.get(id(part), ()):
                known = effect(user)
                others = [one for one in operands(user, (0, 1)) if not _derives(one, part)]
                if known is not None and known.operation == "mul" and others and self.is_of_batch(others[0]):
                    return user
                if id(user) not in seen and kept(user, "same", *MOVED) is not None:
                    seen.add(id(user))
                    queue.append(user)
        return None

    @staticmethod
    def is_of_batch(value: Value) -> bool:
        found = [part for part in flow.sources(value) if isinstance(part, Call)]
        networks = any(part.name == "" for part in found)
        return not networks and any(part.name == ".each" for part in found)

    # --- what is kept from one evaluation to the next -----------------------------------------------------------------

    def kept_over_epochs(self) -> Iterator[Observation]:
        """What an evaluation within a loop of training counts from where the last one ended."""
        for quotient in self.tallies.quotients:
            for tally in filter(None, (quotient.tally, quotient.by)):
                found = self.counts_on(tally, quotient)
                if found is not None:
                    data = {"name": tally.key, "line": getattr(found.node, "lineno", 1), **self.shown(quotient)}
                    yield Observation("counts-on", quotient.source, quotient.node, data)
        for tally in self.tallies.tallies.values():
            if not tally.listed and tally.is_of("sums"):
                yield from self.table_counts_on(tally)

    def table_counts_on(self, tally: Tally) -> Iterator[Observation]:
        """A table of counts, from which a metric is computed in more steps than one division."""
        adding = {id(part) for one in tally.additions for part in ast.walk(one.node)}
        if isinstance(tally.owner, ast.ClassDef):
            for function, node in _reads_of(self.trace.frames, tally.key.partition(".")[2], adding):
                if (found := self.counts_on_in_object(tally, node)) is not None:
                    data = {"name": tally.key, "line": getattr(found.node, "lineno", 1)}
                    yield Observation("counts-on", function.source, node, data)
                    return

    def counts_on(self, tally: Tally, quotient: Quotient) -> Addition | None:
        if isinstance(tally.owner, ast.ClassDef):
            return self.counts_on_in_object(tally, quotient.node)
        name = tally.key.partition("[")[0]  # the dict that holds it
        if not name.isidentifier():
            return None
        for addition in tally.additions:
            inner = addition.loop
            if inner is None or self.trains((inner,)) or not addition.amount or _holds(inner, quotient.node):
                continue
            if isinstance(tally.owner, ast.Module) and addition.frame is not None:
                on = self.goes_on_globally(name, addition, quotient)
            else:
                on = self.goes_on(name, inner, quotient.node, addition) or (
                    name != tally.key and self.goes_on_in_callers(name, addition)
                )
            if on:
                return addition
        return None

    def goes_on(self, name: str, inner: ast.AST, reading: ast.AST, addition: Addition) -> bool:
        """Whether a loop that trains holds both what adds and what reads, and nothing in it gives the name a first value again."""
        loops = (one for one in addition.loops if one is not inner and self.trains((one,)) and _holds(one, reading))
        return any(not self.renewed_beside(outer, inner, name) for outer in loops)

    def goes_on_globally(self, name: str, addition: Addition, quotient: Quotient) -> bool:
        """Whether a function counts in a name of the module, that gets a value only before the loop that trains and calls it."""
        frame, outer = addition.frame, [loop for loop in addition.loops[:-1] if self.trains((loop,))]
        if frame is None or not outer or not _holds(frame.function.node, quotient.node):
            return False
        adding = {id(part) for one in quotient.tally.additions for part in ast.walk(one.node)}
        functions = (code.node for code in self.tallies.codes if not isinstance(code.node, ast.Module))
        set_again = any(name in _stored(function, adding) for function in functions)
        return not set_again and not any(self.renewed_beside(loop, frame.node, name) for loop in outer)

    def goes_on_in_callers(self, name: str, addition: Addition) -> bool:
        """The same of a dict that a function is given by who calls it."""
        for frame in frames_around(addition.frame):
            given = _given_for(frame, name)
            if given is None or self.renewed_beside(frame.function.node, addition.loop or frame.node, name):
                return False
            if not isinstance(given, ast.Name):  # a dict that is made once, with the function
                return any(self.trains((loop,)) and _holds(loop, frame.node) for loop in addition.loops)
            name = given.id
            if self.goes_on(name, frame.node, frame.node, addition):
                return True
        return False

    def renewed_beside(self, outer: ast.AST, inner: ast.AST, name: str) -> bool:
        """Whether a name is given a value in a loop or function, `inner` left out, or what it stands for may be set to another one: an item
        of it, by a method, or by code of the project that is given it."""
        inside = {id(inner), *(id(part) for part, _ in parts(inner))}
        return any(id(part) not in inside and self.renews(part, name) for part, _ in parts(outer))

    def renews(self, part: ast.AST, name: str) -> bool:
        def is_it(node: ast.AST) -> bool:
            return isinstance(node, ast.Name) and node.id == name

        if isinstance(part, ast.Name):
            return part.id == name and isinstance(part.ctx, (ast.Store, ast.Del))
        if isinstance(part, (ast.Assign, ast.Delete)):
            stored = (one for target in part.targets for one in ast.walk(target))
            return any(isinstance(one, (ast.Subscript, ast.Attribute)) and is_it(one.value) for one in stored)
        if not isinstance(part, ast.Call):
            return False
        method = isinstance(part.func, ast.Attribute) and is_it(part.func.value) and part.func.attr not in _READING
        given = any(is_it(one) for one in (*part.args, *(keyword.value for keyword in part.keywords)))
        return method or (given and id(part) in self.tallies.ran)

    def counts_on_in_object(self, tally: Tally, reading: ast.AST) -> Addition | None:
        """An addition to an attribute that only the making of the object sets, or that nobody clears, in an object that is made before what
        evaluates again and again: the loop of the training or Model, or any loop where the class is a metric of the framework."""
        for addition in tally.additions:
            owner = addition.frame.owner if addition.frame is not None else None
            if not addition.loops or not addition.amount or not isinstance(owner, Instance):
                continue
            name = tally.key.partition(".")[2]
            runs = [run for run in self.runs_again(addition, owner) if self.reads_in(reading, owner, run)]
            inner = self.trains(addition.loops[-1:])
            if runs and not inner and not self.is_set_in(owner, name, runs) and not self.is_set_outside(name):
                return addition
        return None

    def runs_again(self, addition: Addition, owner: Instance) -> list[Callable[[Frame], bool]]:
        """What is run again and again around an addition, and not around the making of its object: whether a run is part of it."""
        metric = metric_state.is_metric(owner.of)
        found = [
            partial(_is_in, loop)
            for loop in addition.loops[:-1]
            if loop not in owner.loops and (metric or self.trains((loop,)))
        ]
        repeated = metric_state.is_repeated(addition.frame)
        made_there = any(metric_state.is_repeated(one) for one in self.trace.frames if _makes(one, owner))
        return [*found, metric_state.is_repeated] if repeated and not made_there else [*found]

    def reads_in(self, reading: ast.AST, owner: Instance, is_part: Callable[[Frame], bool]) -> bool:
        """Whether an object reads within what is run again and again, and not only behind it."""
        frames = [one for one in self.trace.frames if one.owner is owner]
        return any(is_part(one) and any(part is reading for part, _ in parts(one.function.node)) for one in frames)

    def is_set_in(self, owner: Instance, name: str, runs: list[Callable[[Frame], bool]]) -> bool:
        """Whether a method that sets an attribute is run on an object within what is run again, or may be where that is not seen."""
        setting = metric_state.setting(owner.of, name)
        if setting is None:
            return True
        run = any(
            one.owner is owner and one.function.name in setting and any(is_part(one) for is_part in runs)
            for one in self.trace.frames
        )
        return run or any(method in self.called_methods for method in setting)

    @cached_property
    def called_methods(self) -> set[str]:
        """The names of methods that the text of the project calls, those on its own object left out."""
        sources = {id(call.source): call.source for call in self.trace.calls}.values()
        called = (node.func for source in sources for node in source.nodes_of(ast.Call))
        methods = (one for one in called if isinstance(one, ast.Attribute))
        return {one.attr for one in methods if not (isinstance(one.value, ast.Name) and one.value.id == "self")}

    def is_set_outside(self, name: str) -> bool:
        """Whether an attribute of this name of any object is set where it is not one of its methods that does so."""
        stores = (*self.trace.stores, *self.trace.sets)
        return any(
            one.attribute == name and not (one.frame is not None and one.frame.owner is one.owner) for one in stores
        )

    def not_cleared(self) -> Iterator[Observation]:
        """A metric of the framework that an inner loop updates and nothing clears before the next evaluation."""
        methods: dict[int, tuple[Call, dict[str, list[Call]]]] = {}
        for call in self.trace.calls:
            for metric in options(call.base):
                if isinstance(metric, Call) and metric.api in gathering():
                    methods.setdefault(id(metric), (metric, {}))[1].setdefault(call.name, []).append(call)
        for metric, called in methods.values():
            for read in called.get(".eval", ()):
                if _read_again(metric, read, called):
                    data = {"metric": metric.last, "line": metric.line}
                    yield Observation("not-cleared", read.source, read.node, data)

    # --- data ---------------------------------------------------------------------------------------------------------

    @cached_property
    def evaluated(self) -> list[tuple[Call, Source, ast.AST]]:
        """The data sets that are evaluated with, each with the place that evaluates or counts."""
        found: list[tuple[Call, Source, ast.AST]] = []
        counting = self.counting
        for leaf in self.data.uses.leaves():
            for user, how in self.data.uses.consumers[id(leaf)]:
                if (user.name == ".eval" and runs_model(user)) or how == "valid_dataset":
                    found.append((leaf, user.source, user.node))
            loops = {id(loop) for loop in self.data.uses.loops(leaf)} - self.data.uses.stepping
            found += [(leaf, *place) for loop, place in counting.items() if loop in loops][:1]
        return found

    @cached_property
    def counting(self) -> dict[int, tuple[Source, ast.AST]]:
        """The loops, by id, in which right guesses are counted or a metric of the framework gathers, each with the first place."""
        found: dict[int, tuple[Source, ast.AST]] = {}
        for tally in self.tallies.tallies.values():
            for addition in tally.additions:
                if addition.amount in _GATHERED:
                    for loop in addition.loops:
                        found.setdefault(id(loop), (tally.source, addition.node))
        for call in self.trace.calls:
            if (call.name == ".update" and self.gathers(call)) or self.is_table(call):
                for loop in call.loops:
                    found.setdefault(id(loop), (call.source, call.node))
        return found

    def is_table(self, call: Call) -> bool:
        """Whether a call adds to an element of a table whose place is a guess."""
        cell = call.args[0] if call.name == "+" and len(call.args) == 2 else None
        if not isinstance(cell, Call) or cell.name != "[]" or not cell.args:
            return False
        return _guessed(cell.args[0], self.tallies.is_batch)

    @staticmethod
    def gathers(call: Call) -> bool:
        return any(isinstance(base, Call) and base.api in gathering() for base in options(call.base))

    def is_trained(self, leaf: Call) -> bool:
        given = any(trains_model(user) and how != "valid_dataset" for user, how in self.data.uses.consumers[id(leaf)])
        return given or any(id(loop) in self.data.uses.stepping for loop in self.data.uses.loops(leaf))

    def of_training_data(self) -> Iterator[Observation]:
        """Evaluation of nothing but what is trained with, while another data set is created and never read."""
        counted = self.evaluated
        evaluated = counted or list(self.gathered())
        if not evaluated or not all(self.is_trained(leaf) for leaf, _, _ in evaluated):
            return
        idle = [leaf for leaf in self.data.uses.leaves() if leaf.bound and not self.data.uses.consumers[id(leaf)]]
        for other in idle[:1]:
            _, source, node = evaluated[0]
            data = {"name": other.bound[-1], "at": f"{other.source.path}:{other.line}"}
            yield Observation("evaluates-training", source, node, data, possible=not counted)

    def gathered(self) -> Iterator[tuple[Call, Source, ast.AST]]:
        """The data sets of which a loop that does not train keeps what a network gives, with the place that does: what is made of it
        behind the loop is mostly a metric."""
        uses = self.data.uses
        if not (leaves := uses.leaves()):
            return
        writes = {id(write): write for call in self.trace.calls for write in _written(call)}.values()
        for leaf in leaves:
            reading = {id(loop) for loop in uses.loops(leaf)} - uses.stepping
            stored = (w for w in writes if {id(loop) for loop in w.loops} & reading and _layers_within(w.value))
            yield from [(leaf, w.source, w.node) for w in islice(stored, 1)]

    def summed(self) -> list[tuple[Call, Source, ast.AST]]:
        """The data sets of which a loop that does not train adds up something that a network gives, with the place that does."""
        uses = self.data.uses
        adding = [
            (addition, tally)
            for tally in self.tallies.tallies.values()
            for addition in tally.additions
            if not tally.listed and addition.value is not None and _layers_within(addition.value)
        ]
        found: list[tuple[Call, Source, ast.AST]] = []
        for leaf in uses.leaves():
            loops = {id(loop) for loop in uses.loops(leaf)} - uses.stepping
            within = (one for one in adding if loops & {id(loop) for loop in one[0].loops})
            found += [(leaf, tally.source, addition.node) for addition, tally in islice(within, 1)]
        return found

    def of_training_files(self) -> Iterator[Observation]:
        """Evaluation of data sets that are read from the files that training reads, and of nothing else."""
        trained = [leaf for leaf in self.data.uses.leaves() if self.is_trained(leaf)]
        evaluated = [one for one in self.evaluated or self.summed() if one[0] not in trained]
        found = [next((one for one in trained if read_alike(leaf, one)), None) for leaf, _, _ in evaluated]
        if found and all(found) and found[0] is not None:
            leaf, source, node = evaluated[0]
            data = {"at": f"{found[0].source.path}:{found[0].line}", "line": leaf.line}
            yield Observation("reads-training", source, node, data, possible=True)

    def rest_dropped(self) -> Iterator[Observation]:
        for leaf, source, node in self.evaluated:
            batch = batch_of(self.data, leaf)
            if batch is None or self.is_trained(leaf) or self.batch_sizes(leaf) != "equal":
                continue
            data = {"at": f"{source.path}:{getattr(node, 'lineno', 1)}"}
            yield Observation("rest-dropped", batch.source, batch.node, data, possible=True)

    # --- guesses ------------------------------------------------------------------------------------------------------

    def smallest(self, call: Call) -> Iterator[Observation]:
        """The places of the smallest scores are compared with labels, or come first where a precision is computed of the first."""
        found = least_first(call)
        made = _layers(found[1]) if found is not None else []
        if found is not None and made and self.compared(call):
            yield Observation("smallest-scores", call.source, call.node, {"layer": made[0].last, "line": found[0]})
        elif (ranked := wrong_end(call, self.compared)) is not None:
            data = {"at": f"{call.source.path}:{call.line}"}
            yield Observation("smallest-first", ranked.order.source, ranked.order.node, data)

    def compared(self, value: Call) -> bool:
        """Whether a value is compared for equality, moved about at most."""
        made = flow.made_of(self.trace)
        queue: list[Value] = [value]
        seen = {id(value)}
        while queue and len(seen) < STEPS:
            for user in made.get(id(queue.pop()), ()):
                if isinstance(user, Call) and (comparison(user) == "==" or user.last in _AMONG):
                    return True
                if id(user) not in seen and _moves_on(user):
                    seen.add(id(user))
                    queue.append(user)
        return False

    def scores_compared(self, call: Call) -> Iterator[Observation]:
        """Scores themselves, and not their places, are compared with labels."""
        sides = operands(call, (0, 1)) if comparison(call) == "==" else []
        if len(sides) != 2:
            return
        for scores, labels in (sides, sides[::-1]):
            made = _layers(scores)
            if made and isinstance(labels, Call) and not _layers_within(labels):
                data = {"layer": made[0].last, "line": made[0].line}
                yield Observation("scores-as-places", call.source, call.node, data)
                return

    def other_column(self, call: Call) -> Iterator[Observation]:
        """The probability of class 0 counts as that of the class that is labelled 1."""
        if comparison(call) == "==":
            sides = operands(call, (0, 1))
            above = [(_threshold(one), other) for one, other in (sides, sides[::-1])] if len(sides) == 2 else []
            scores, truth = next(((one, other) for one, other in above if one is not None), (None, None))
        elif call.name == "[]" and call.base is not None and call.args:
            scores, truth = ranked_by(call.args[0]), call.base
        else:
            scores, truth = _given_as_positive(call)
        column = _first_of_two(scores)
        if column is not None and truth is not None and self.is_as_read(truth):
            data = {"at": f"{column.source.path}:{column.line}"}
            yield Observation("other-column", call.source, call.node, data)

    def is_as_read(self, labels: Value) -> bool:
        """Whether all that labels hold is what a data set gives for them: nothing has turned them around, and they are no column of one-hot
        labels, which may be that of class 0 too."""
        queue, seen = [labels], 0
        while queue and seen < STEPS:
            part, seen = queue.pop(), seen + 1
            if isinstance(part, (Many, Items)):
                queue += flow.inputs(part)
            elif not self.is_read(part):
                inner = _moved(part)
                if not inner:
                    return False
                queue += inner
        return not queue

    def is_read(self, value: Value) -> bool:
        """Whether a value is a row or batch of a data set, or one column of it by its name or number."""
        if not isinstance(value, Call) or value.base is None:
            return False
        if value.name == "[]" and value.args and isinstance(value.args[0], KnownValue):
            return self.is_read(value.base)
        return value.name == ".each" and self.tallies.is_data(dataset_of(value.base))

    def along_samples(self, call: Call) -> Iterator[Observation]:
        """Whether all samples are right in one output, where it is asked whether all outputs of a sample are right."""
        known = effect(call)
        if known is None or known.operation != "every" or axis_of(call) != 0:
            return
        right = next(iter(operands(call)), None)
        compared = _comparison_of(right)
        if compared is None or not self.counted(call):
            return
        for side in operands(compared, (0, 1)):
            found = width(_before_threshold(side))
            if found is not None and place(0, rank(_before_threshold(side))).is_not(found[1].high):
                data = {"layer": found[0].last, "line": found[0].line}
                yield Observation("all-samples", call.source, call.node, data)
                return

    def counted(self, value: Call) -> bool:
        """Whether truths are summed or averaged."""
        queue, seen = [value], {id(value)}
        while queue and len(seen) < STEPS:
            part = queue.pop()
            for user, _ in self.users.get(id(part), ()):
                known = effect(user)
                if known is not None and known.operation in ("sum", "add_n", "mean", "count"):
                    return True
                if id(user) not in seen and kept(user, "same", "whole", *MOVED) is not None:
                    seen.add(id(user))
                    queue.append(user)
        return False


# --- values -----------------------------------------------------------------------------------------------------------


def _stored(function: ast.AST, beside: set[int]) -> set[str]:
    """The names that a function gives values, code left out that is told by its ids."""
    names = (part for part, _ in parts(function) if isinstance(part, ast.Name) and id(part) not in beside)
    return {part.id for part in names if isinstance(part.ctx, ast.Store)}


def _judges(call: Call) -> bool:
    """Whether a call computes a metric of guesses and labels, or compares them."""
    functions = metric_functions()
    return call.name in (*functions.of_samples, *functions.of_all, *functions.counts) or comparison(call) == "=="


def _names(node: ast.AST, key: str) -> bool:
    return any(unparse(part) == key for part in ast.walk(node) if isinstance(part, (ast.Name, ast.Attribute)))


def _is_in(loop: ast.AST, run: Frame) -> bool:
    return loop in run.loops


def _makes(run: Frame, owner: Instance) -> bool:
    """Whether a run makes an object."""
    return run.owner is owner and run.function.name == "__init__"


def _reads_of(frames: Iterable[Frame], name: str, adding: set[int]) -> Iterator[tuple[Function, ast.AST]]:
    """Where methods read an attribute of their object, but for the code that adds to it."""
    for function in {id(one.function.node): one.function for one in frames if one.owner is not None}.values():
        for node, _ in parts(function.node):
            if (
                isinstance(node, ast.Attribute)
                and node.attr == name
                and isinstance(node.ctx, ast.Load)
                and id(node) not in adding
            ):
                yield function, node


def _reduces(made: Call) -> bool:
    known = effect(made)
    return known is not None and known.reduces


def _read_again(metric: Call, read: Call, called: dict[str, list[Call]]) -> bool:
    """Whether a metric, which was made before, is read again and again by a loop or by Model, updated within, and never cleared there.
    `called`: its methods."""
    updates, clears = called.get(".update", ()), called.get(".clear", ())
    if metric_state.is_repeated(read.frame) and not metric_state.is_repeated(metric.frame):
        again = any(one.loops and metric_state.is_repeated(one.frame) for one in updates)
        return again and not any(metric_state.is_repeated(one.frame) for one in clears)
    for update in updates:
        loops = [loop for loop in read.loops if loop in update.loops[:-1] and loop not in metric.loops]
        if loops:
            return not any(loops[-1] in one.loops for one in clears)
    return False


def _each_counted(value: Value) -> Value:
    """What enumerate or tqdm goes through."""
    while isinstance(value, Call) and value.last in THROUGH and value.args:
        value = value.args[0]
    return value


def _is_one(value: Value) -> bool:
    return isinstance(value, KnownValue) and value.value == 1 and not isinstance(value.value, bool)


def _is_same(size: Value, step: Value | None) -> bool:
    """Whether two sizes are one, and more than 1."""
    if isinstance(size, KnownValue) and isinstance(step, KnownValue):
        return type(size.value) is int and size.value == step.value and size.value > 1
    return size is step


def _given(call: Call) -> list[Value]:
    return [*call.args, *call.keywords.values()]


def _has_metrics(call: Call) -> bool:
    """Whether a method is that of a Model with metrics."""
    models = [base for base in options(call.base) if is_model(base)]
    return any(model.argument([*_OF_MODEL], "metrics") is not None for model in models)


def _evaluated(call: Call) -> list[Value]:
    """The data set that Model evaluates with."""
    if call.name != ".eval" or not runs_model(call):
        return []
    given = call.argument(["valid_dataset"], "valid_dataset")
    return [] if given is None else [given]


def _drops(batch: Call) -> bool | None:
    """Whether a batch of fewer rows is dropped; None where that is not seen."""
    given = batch.argument(["batch_size", "drop_remainder"], "drop_remainder")
    if given is None:
        return None if batch.unpacked else False
    return given.value if isinstance(given, KnownValue) and isinstance(given.value, bool) else None


def _uncast(value: Value) -> Value:
    """What a value is but for its type, and for axes of one element."""
    for _ in range(20):
        if isinstance(value, Call) and value.result is not None:
            value = value.result
            continue
        inner = kept(value, "same", "order", "whole", "truth") if isinstance(value, Call) else None
        if inner is None or len(inner) != 1:
            break
        value = inner[0]
    return value


def _layers(value: Value | None) -> list[Call]:
    """The layers whose scores of classes a value holds, all of them; nothing where it may hold anything else."""
    return scored_by(value, OF_CLASSES)


def _layers_within(value: Value) -> bool:
    """Whether a network has part in a value."""
    return any(
        isinstance(part, Call) and part.name == "" and isinstance(part.base, Call) for part in flow.sources(value)
    )


def _written(call: Call) -> Iterator[Write]:
    """What loops have put into the lists that a call is given."""
    given = (call.base, *call.args, *call.keywords.values())
    lists = (option for value in given for option in options(value) if isinstance(option, Items))
    return (write for one in lists for write in one.writes)


def _threshold(value: Value) -> Value | None:
    """What is compared with a constant from above, where a value is that."""
    made = _uncast(value)
    if not isinstance(made, Call) or comparison(made) not in (">", ">="):
        return None
    sides = operands(made, (0, 1))
    return sides[0] if len(sides) == 2 and isinstance(sides[1], KnownValue) else None


def _is_nothing(value: Value | None) -> bool:
    return value is None or is_known(value, None)


def _moves_on(user: Value) -> bool:
    """Whether what is made of a value holds its elements, at other places at most."""
    if not isinstance(user, Call):
        return isinstance(user, (Many, Items))
    return user.name == ".each" or user.last in THROUGH or kept(user, "same", *MOVED) is not None


def _before_threshold(value: Value) -> Value:
    below = _threshold(value)
    return value if below is None else below


def _given_as_positive(call: Call) -> tuple[Value | None, Value | None]:
    """Scores and labels that a function is given which takes the scores of the class that is labelled 1."""
    function = metric_functions().of_positive.get(call.name or "")
    if function is None or "pos_label" in call.keywords:
        return None, None
    named = next((call.keywords[name] for name in function.scores if name in call.keywords), None)
    scores = call.args[1] if named is None and len(call.args) > 1 else named
    return scores, call.argument([function.truth], function.truth)


def _first_of_two(value: Value | None) -> Call | None:
    """The index that takes the first of two probabilities, where all that a value holds is that."""
    found: list[Call] = []
    queue, seen = [value], 0
    while queue and seen < STEPS:
        part, seen = queue.pop(), seen + 1
        if isinstance(part, (Many, Items)):
            queue += flow.inputs(part)
        elif isinstance(part, Call) and _takes_first(part):
            found.append(part)
        elif inner := _moved(part):
            queue += inner
        else:
            return None
    return found[0] if found else None


def _moved(value: Value | None) -> list[Value]:
    """What a value holds the elements of, at other places at most."""
    if not isinstance(value, Call):
        return []
    if value.result is not None:
        return [value.result]
    if value.name == ".each" and value.base is not None:
        return [value.base]
    if value.name == "comprehension":
        return value.args[:1]
    return kept(value, "same", *MOVED) or []


def _takes_first(made: Call) -> bool:
    """probabilities[:, 0] of a softmax over two outputs."""
    key = made.args[0] if made.name == "[]" and made.args else None
    if not isinstance(key, Items) or not key.items:
        return False
    last = key.items[-1]
    if not isinstance(last, KnownValue) or last.value != 0 or isinstance(last.value, bool) or len(key.items) < 2:
        return False
    layers = _layers(_shares_of(made.base))
    return bool(layers) and all(outputs(layer) == 2 for layer in layers)


def _shares_of(value: Value | None) -> Value | None:
    """What a softmax that is written out is taken of, e / e.sum() with e = exp(x) or exp(x - x.max()); else the value itself."""
    made = _uncast(value) if value is not None else None
    above, below = _operands_of(made, "div") or (None, None)
    summed, grown = _operands_of(below, "sum"), _operands_of(above, "exp")
    if not summed or not grown or summed[0] is not above:
        return value
    less = operands(grown[0], (0, 1)) if isinstance(grown[0], Call) and grown[0].name == "-" else []
    shifted = len(less) == 2 and isinstance(less[0], Call) and _derives(less[1], less[0])
    return less[0] if shifted else grown[0]


def _operands_of(value: Value | None, does: str) -> list[Value]:
    """The operands, but for their types, of what does this to them; the first two where it divides."""
    known = effect(value) if isinstance(value, Call) else None
    if not isinstance(value, Call) or known is None or known.operation != does:
        return []
    found = [_uncast(one) for one in operands(value, (0, 1) if does == "div" else (0,))]
    return [] if does == "div" and len(found) != 2 else found


def _comparison_of(value: Value | None) -> Call | None:
    """The comparison behind truths that were moved about at most."""
    made = None if value is None else _uncast(value)
    return made if isinstance(made, Call) and comparison(made) == "==" else None


def _guessed(value: Value | None, stop: Callable[[Call], bool] | None = None) -> bool:
    """Whether places of the largest scores have part in a value; what is true for `stop` is not looked behind."""

    def is_batch(part: Value) -> bool:
        return stop is not None and isinstance(part, Call) and stop(part)

    found = flow.find(value, lambda part: (known := effect(part)) is not None and known.operation == "argmax", is_batch)
    return found is not None


def _derives(value: Value, origin: Call) -> bool:
    return flow.derives(value, origin)


def _is_mask(product: Call, data: Examination) -> bool:
    """Whether what losses are multiplied by is 0 at padded positions: a comparison, or a column that is padded with the others."""
    for part in operands(product, (0, 1)):
        made = _uncast(part)
        if isinstance(made, Call) and comparison(made) in ("!=", ">", "<", ">=", "<="):
            return True
        batch = batch_of(data, made)
        if batch is not None and batch.name == ".padded_batch":
            return True
    return False


# --- syntax -----------------------------------------------------------------------------------------------------------


def _holds(loop: ast.AST, node: ast.AST) -> bool:
    return any(part is node for part, _ in parts(loop))


def _given_for(frame: Frame, name: str) -> ast.Name | ast.Dict | None:
    """The name that a call gives for a parameter of the function that it runs, or the dict that is there where nothing is given; None
    where that is anything else, or not seen."""
    call, function = frame.node, frame.function.node
    if not isinstance(call, ast.Call) or isinstance(function, ast.Lambda):
        return None
    names = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
    defaults = dict(zip(reversed(names), reversed(function.args.defaults), strict=False))
    names = names[1:] if frame.owner is not None else names
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    given.update(zip(names, call.args, strict=False))
    if None in given or any(isinstance(one, ast.Starred) for one in call.args):
        return None
    found = given.get(name)
    if found is None and isinstance(default := defaults.get(name), ast.Dict):
        return default
    return found if isinstance(found, ast.Name) else None
