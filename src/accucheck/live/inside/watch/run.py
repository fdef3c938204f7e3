"""Puts the hooks into MindSpore and follows the training: steps, rates, gradients, what they change, and where it ends.

A step is over when each optimizer that takes part in it was called once. How many do is known when the first is called again.
"""

from __future__ import annotations

import atexit
import os
import sys
import time
from typing import Any

import numpy

from ..measures import array, plain, short, squares
from ..processes import is_one_of_several
from .again import MOST, PassesRunAgain
from .answers import Answers
from .arrays import OwnArrays, held_now
from .cells import class_of, own_lines, own_seconds
from .compiled import Compiled, Step
from .data import Data, Reading
from .evaluations import WAIT, Evaluations, among, changes_at_random
from .hooks import RAISED, Hooks, shown
from .journal import opened
from .operators import Operators, install
from .optimizers import GradientSums, ObservedOptimizer
from .order import BatchRows, examined
from .origins import Origins
from .passes import Pass, Passes, classes_of, loss_of, rows_of
from .printed import Printed
from .scores import Scores
from .settings import Settings
from .ways import Ways

#: Steps that are looked at closely: the first ones, and then one in so many.
FIRST, EVERY = 10, 10
#: Passes of inference in a row that are looked at closely.
INFERENCE = 2
#: Steps after the first during which each cell is timed.
TIMED = 5
#: Functions of (input, p, training), in mindspore.ops and mindspore.mint.nn.functional, and operators, that drop values whatever the mode.
DROPPING, DROPPING_OPERATORS = ("dropout", "dropout1d", "dropout2d", "dropout3d"), ("Dropout", "Dropout2D", "Dropout3D")
#: Parameters that are told with the one whose gradient they are given.
PAIRS = 64
#: Passes within one whose gradients are told.
INNER = 4
#: Passes whose gradients no optimizer took, until it is clear that none is used.
WITHOUT = 32
#: Lines of the user's of which is told that they switch the mode or end the way of a gradient.
LINES = 256
#: Rows of a pass of inference whose identities are told.
SAMPLES = 64
#: Steps between which the hooks rest: times that they are put in for an evaluation that does not come, until that is not done any more.
IN_VAIN = 3
#: An evaluation is waited for during so many further steps, as a share of those that were asked for.
MORE = 0.5


class StepLimitReached(SystemExit):
    """Ends the command after the steps that were to be watched; its exit code is 0."""


def begin(settings: dict[str, Any]) -> Run:
    """Watch this process from now on: its MindSpore was imported just now, or it asks for it itself, with "every"."""
    journal = opened(settings)
    hooks = Hooks(journal, settings["root"], settings.get("begun", ""))
    Settings(hooks, settings["mode"], settings.get("seed", 0))
    return Run(hooks, settings)


class Run:
    def __init__(self, hooks: Hooks, settings: dict[str, Any]) -> None:
        self.hooks, self.journal = hooks, hooks.journal
        self.most, self.role = settings["steps"], settings["role"]
        #: Steps that are looked at closely: the first ones, and then one in so many; whether the hooks rest between them.
        self.rests = "every" in settings
        self.first: int = 1 if self.rests else FIRST
        self.every: int = settings.get("every", EVERY)
        self.data = Data(hooks, self.end_here)
        self.passes = Passes(hooks, self.looks, self.between, self.trained, self.nested)
        self.optimizers: dict[int, ObservedOptimizer] = {}
        self.steps = self.inference = self.inferences = 0
        #: Whether an evaluation is likely to begin, so that the hooks must not rest, and how often none came.
        self.expects, self.in_vain = False, 0
        #: Optimizers that the step has called; whether it is known how many there are.
        self.done: set[int] = set()
        self.known = self.ended = False
        self.updating: ObservedOptimizer | None = None
        #: What passes of training told since the last update: facts, and values of the step.
        self.facts: list[tuple[str, dict[str, Any]]] = []
        self.values: dict[str, Any] = {}
        self.step: dict[str, Any] = {}
        self.count = 0
        #: Whether what trained last was in training mode.
        self.awake = False
        self.gradients: Any = None
        #: The parameters of these gradients, and the optimizers of which it was told that they take some for those of others.
        self.asked_for: list[Any] | None = None
        self.crosses: set[int] = set()
        self.batch_rows = BatchRows()
        self.sums = GradientSums()
        #: Networks of passes whose columns of the data set were told.
        self.fed: set[tuple[int, ...]] = set()
        #: The networks of the pass whose gradients are taken.
        self.sources: list[int] = []
        #: What tells the batches of the passes since the last update apart.
        self.batches: set[Any] = set()
        #: What was told last of passes with the same networks.
        self.modes: dict[tuple[int, ...], dict[str, Any]] = {}
        self.told: set[tuple[Any, ...]] = set()
        self.forced = settings["mode"] == "pynative"
        self.scale: float | None = None
        #: Passes that are run again in the end, only where their cells run one by one; and one of the step that runs now.
        self.again = PassesRunAgain(self.passes, MOST if self.forced and self.role == "train" else 0)
        self.candidate: Pass | None = None
        #: What was read last when the last pass began: one that reads batches itself is not run again.
        self.reading = self.data.reading()
        #: That of the last pass of training: a step is over when the next batch was read already.
        self.epoch = -1
        self.evaluations = Evaluations()
        self.scores = Scores()
        #: Batches of the script's own arrays; the batch of a data set and the rows that the pass before was given.
        self.arrays = OwnArrays(hooks)
        self.passes.held = lambda: held_now(hooks)
        self.ways = Ways(hooks)
        self.before: tuple[int, list[Any] | None] = (-1, None)
        self.data.opens = self.opened
        self.printed = Printed(hooks, self.evaluated)
        self.answers = Answers(self.journal)
        #: Data sets that passes of training read from, by their number.
        self.learned: dict[int, Any] = {}
        #: Which tensor of a batch holds the class of each row, once that is known.
        self.labels: int | None = None
        self.clock = time.perf_counter()
        #: Whether other ranks may wait for this one: all must end at the same step.
        self.ranks = is_one_of_several()
        self.operators = Operators(hooks, self.passes) if settings.get("nan") else None
        self.origins = Origins(hooks, files=not self.rests)
        self.passes.tell = self.data.tell = self.origins.tell
        self.hook()
        atexit.register(self.at_exit)
        self.journal.taken_over = self.forked

    def forked(self) -> None:
        """A process of multiprocessing ends without what atexit runs, but runs this."""
        if (util := sys.modules.get("multiprocessing.util")) is not None:
            util.Finalize(None, self.at_exit, exitpriority=0)

    def hook(self) -> None:
        import mindspore
        from mindspore import nn

        experimental = getattr(getattr(mindspore, "experimental", None), "optim", None)
        self.kinds: tuple[Any, ...] = tuple(
            kind for kind in (nn.Optimizer, getattr(experimental, "Optimizer", None)) if isinstance(kind, type)
        )
        self.hooks.around(nn.Cell, "__init__", after=self.passes.made.see, hook="Cell.__init__", steps=True)
        self.hooks.around(nn.Cell, "__call__", self.entered, self.left, hook="Cell.__call__", steps=True)
        if "__call__" in vars(getattr(nn, "GraphCell", object)):  # what was exported, and is run
            self.hooks.around(nn.GraphCell, "__call__", self.entered, self.left, hook="GraphCell.__call__", steps=True)
        executor = executor_class(mindspore)
        self.hooks.around(executor, "new_graph", before=self.passes.opened, steps=True)
        self.hooks.around(executor, "end_graph", before=self.passes.closed, steps=True)
        # MindSpore 2.7 asks for the gradients of a function that gives more than the loss (has_aux) by a method of its own.
        for name in ("grad", *(["grad_aux"] if hasattr(executor, "grad_aux") else [])):
            self.hooks.around(executor, name, self.passes.asked, self.given, steps=True)
        for name in ("DynamicLossScaler", "StaticLossScaler"):
            kind = getattr(getattr(mindspore, "amp", None), name, None)
            if kind is not None:
                self.hooks.around(kind, "scale", before=self.scaled, hook=f"{name}.scale", steps=True)
                self.hooks.around(kind, "unscale", before=self.unscaled, hook=f"{name}.unscale", steps=True)
        if self.rests:
            self.hooks.around(nn.Cell, "set_train", before=self.put_to_inference)
        self.hooks.around(nn.Cell, "set_train", before=self.switched, steps=True)
        self.hooks.around(mindspore.Model, "_get_metrics", after=self.reported, hook="Model.metrics", steps=True)
        for owner in (
            mindspore.ops,
            getattr(getattr(getattr(mindspore, "mint", None), "nn", None), "functional", None),
        ):
            for name in [name for name in DROPPING if hasattr(owner, name)]:
                self.hooks.around(owner, name, before=self.dropper(name), steps=True)
        for name in DROPPING_OPERATORS:
            kind = getattr(mindspore.ops, name, None)
            if kind is not None:
                self.hooks.around(kind, "__call__", before=self.dropped, hook=f"{name}.__call__", steps=True)
        if self.forced:  # a graph cannot be made of what stands around a function
            self.hooks.around(mindspore.Tensor, "asnumpy", before=self.cutter("asnumpy"), steps=True)
            self.hooks.around(mindspore.ops, "stop_gradient", before=self.cutter("stop_gradient"), steps=True)
        self.compiled = Compiled(self)
        if self.operators is not None:
            install(self.operators)

    # --- cells and optimizers -------------------------------------------------------------------------------------------

    def entered(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        cell, given = args[0], [*args[1:], *kwargs.values()]
        if self.updating is not None:
            return None
        if isinstance(cell, self.kinds):
            self.before_update(cell, given)
            return self.updating
        trains = self.compiled.trains(cell)
        if trains:
            return self.compiled.begins(cell, trains, given)
        outermost = self.rests and not self.passes.stack
        state = self, self.passes.entered(cell, given)
        if outermost:
            self.ways.take(cell)
        return state

    def left(self, state: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        if isinstance(state, ObservedOptimizer):
            self.after_update(state, result)
        elif isinstance(state, Step):
            self.compiled.ends(state, result)
        elif state is not None:
            self.passes.left(state[1], args[0], result)

    def held(self, optimizer: Any) -> ObservedOptimizer:
        """What is known of an optimizer, told when it is seen for the first time."""
        if id(optimizer) not in self.optimizers:
            found = self.optimizers[id(optimizer)] = ObservedOptimizer(
                len(self.optimizers), optimizer, self.passes.made
            )
            self.journal.fact("optimizer", **found.facts())
            self.origins.tell("optimizer", found.number, optimizer)
        return self.optimizers[id(optimizer)]

    def rates(self, held: ObservedOptimizer) -> None:
        """The rates in force of the step that runs now."""
        prefix = f"opt{held.number}." if held.number else ""
        rates = held.rate() or []
        for number, rate in enumerate(rates):
            self.step[f"{prefix}lr" if len(rates) == 1 else f"{prefix}lr.{number}"] = rate

    def before_update(self, optimizer: Any, given: list[Any]) -> None:
        held = self.held(optimizer)
        for one in self.passes.unclaimed():
            self.trained(one)
            self.took(one.gradients, one.asked_for)
        if held.number in self.done:
            self.known = True
            self.finish()
        self.updating = held
        self.tell()
        prefix = f"opt{held.number}." if held.number else ""
        # Rows and labels are told of the first optimizer's passes alone.
        told = {key: value for key, value in self.values.items() if not prefix or not isinstance(value, (list, dict))}
        self.step.update({f"{prefix}{key}": value for key, value in told.items()})
        self.values = {}
        self.rates(held)
        if self.operators is not None:
            self.operators.updates(held, given[0] if given else ())
        if self.is_close():
            found = held.gradients(given[0] if given else ())
            self.step[f"{prefix}grad_norm"] = total = found.pop("norm")
            found["raw"] = self.norm_of_pass(given[0] if given else (), total)
            taken = tensors_of(given[0] if given else ())
            found.update(self.sums.against(held.number, self.steps + 1, taken))
            if (pairs := self.crossed(held, taken, found)) and held.number not in self.crosses:
                self.crosses.add(held.number)
                self.journal.fact(
                    "crossed", step=self.steps + 1, optimizer=held.number, count=len(pairs), pairs=pairs[:PAIRS]
                )
            found["batches"] = len(self.batches)
            self.journal.fact("gradients", step=self.steps + 1, optimizer=held.number, networks=self.sources, **found)
            held.keep()

    def norm_of_pass(self, given: Any, total: Any) -> Any:
        """The norm of the gradients as the pass gave them, before anything divided or clipped them, where an update takes those of
        one pass; `total` is the norm of those that the optimizer is given."""
        raw, taken = tensors_of(self.gradients), tensors_of(given)
        if self.count != 1 or len(raw) != len(taken) or not raw:
            return None
        if all(one is other for one, other in zip(raw, taken)):  # noqa: B905  # Python 3.9
            return total
        return plain(squares(array(one) for one in raw) ** 0.5)

    def crossed(self, held: ObservedOptimizer, taken: list[Any], told: dict[str, Any]) -> list[list[int]]:
        """Parameters that an update changes by the gradient of another one of the optimizer's, each with that one, by their ids.

        A gradient is known as it is, or by its place, where all of a pass are given in their order, times one number.
        """
        raw, mine = tensors_of(self.gradients), held.parameters
        if self.asked_for is None or len(raw) != len(self.asked_for) or len(taken) != len(mine):
            return []
        owners = {id(gradient): owner for gradient, owner in zip(raw, self.asked_for)}  # noqa: B905  # Python 3.9
        in_order = len(raw) == len(taken) and told["passes"] == 1 and told.get("share") is not None
        places = self.asked_for if in_order else [None] * len(taken)
        sources = [owners.get(id(gradient), place) for gradient, place in zip(taken, places)]  # noqa: B905
        ids = {id(one) for one in mine}
        pairs = zip(mine, sources)  # noqa: B905
        return [
            [id(one), id(other)] for one, other in pairs if other is not None and other is not one and id(other) in ids
        ]

    def after_update(self, held: ObservedOptimizer, result: Any) -> None:
        self.updating, self.gradients, self.asked_for, self.count = None, None, None, 0
        self.sums.clear()
        self.batches.clear()
        if self.operators is not None:
            self.operators.updated(held, self.steps + 1, held.rate())
        if result is RAISED:
            return
        self.done.add(held.number)
        if self.is_close():
            self.journal.fact("changes", step=self.steps + 1, optimizer=held.number, ratios=held.changes())

    # --- what the user's own lines ask for ------------------------------------------------------------------------------

    def once(self, kind: str, *what: Any, **values: Any) -> None:
        """Tell of a line of the user's what it does the first time; of so many lines at most."""
        place = self.hooks.place(deep=1)
        key = (kind, *what, *(place or ()))
        if place is not None and key not in self.told and len(self.told) < LINES:
            self.told.add(key)
            self.journal.fact(kind, step=self.steps + bool(self.done), place=place, **values)

    def switched(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """set_train(cell, mode); `step` is the number of steps before it."""
        training = bool([*args[1:], *kwargs.values(), True][0])
        kind = class_of(args[0])
        self.once("switched", kind, training, **{"class": kind, "training": training})

    def dropper(self, name: str) -> Any:
        def drops(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
            """A function of (input, p=0.5, training=True)."""
            given = {**dict(zip(("p", "training"), args[1:3])), **kwargs}  # noqa: B905  # Python 3.9
            if given.get("training", True) and given.get("p", 0.5) > 0:
                self.passes.drops(name, short(float(given.get("p", 0.5))))

        return drops

    def dropped(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """An operator that drops all but a share `keep_prob`."""
        share = 1.0 - float(getattr(args[0], "keep_prob", 0.5))
        if share > 0:
            self.passes.drops(type(args[0]).__name__, short(share))

    def cutter(self, how: str) -> Any:
        """What ends the way of a gradient within a pass, and how many calls of cells had begun before it."""

        def cut(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
            if self.passes.open:
                self.once("cut", how, how=how, calls=len(self.passes.open[-1].calls))

        return cut

    # --- passes ---------------------------------------------------------------------------------------------------------

    def is_close(self) -> bool:
        """Whether the step that runs now is looked at closely."""
        number = self.steps + 1
        return number <= self.first or number % self.every == 0

    def looks(self, top: Any) -> bool:
        """Whether the pass of a cell or function that begins is looked at closely: the first ones of an evaluation are."""
        if self.inference:
            return self.inference <= INFERENCE
        return self.is_close() or (self.awake and not getattr(top, "training", True))

    def scaled(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """scale(scaler, loss or gradients)."""
        value = getattr(args[0], "scale_value", None)
        self.scale = None if value is None else float(array(value).reshape(-1)[0])

    def unscaled(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """unscale(scaler, gradients): within a pass, those that were taken last within it."""
        if self.passes.open and self.passes.open[-1].inner:
            self.passes.open[-1].inner[-1].unscaled = True

    def nested(self, ended: Pass) -> None:
        """A pass within another whose gradient is asked for."""
        ended.scale, self.scale = self.scale, None
        ended.asked_at = self.hooks.place() if ended.close else None
        if self.operators is not None:
            self.operators.asked(ended, self.steps + 1)

    def trained(self, ended: Pass) -> None:
        """A pass whose gradient is asked for."""
        if self.gradients is not None:
            self.not_taken()
        rows = rows_of(ended.batch)
        self.goes_on(ended.batch, rows)
        self.awake = bool(getattr(ended.top, "training", True))
        self.count += 1
        self.epoch = self.data.epoch
        self.learned.update(self.data.running())
        if self.operators is not None:
            self.operators.asked(ended, self.steps + 1)
        loss, scale = loss_of(ended.output), ended.scale if ended.scale is not None else self.scale
        self.scale = None
        if loss is not None:
            self.values["loss"] = plain(loss / (scale or 1.0))
        whole = scale if scale is not None else ended.sens  # that with which gradients begin is not in the loss
        if whole is not None:
            self.values["loss_scale"] = plain(whole)
        modes = self.passes.modes(ended)
        self.sources = modes["networks"]
        networks = tuple(self.sources)
        if modes != self.modes.get(networks):
            self.facts.append(("modes", modes))
            self.modes[networks] = modes
        if rows is not None:
            self.values["samples"] = rows
            self.batches.add(tuple(rows))
            if not self.batch_rows.full:
                self.batch_rows.add(ended.batch, rows, self.hooks.place())
        if ended.close and self.again.wants() and self.reading.read == self.data.given:
            self.candidate = ended
        if ended.close:
            self.facts += [("inner", inner_of(one)) for one in ended.inner[:INNER]]
            self.facts.append(("pass", {"training": True, "data": self.data.current, **self.passes.facts(ended)}))
            if networks not in self.fed and (columns := self.data.columns(ended.batch)) is not None:
                self.fed.add(networks)
                self.facts.append(("columns", {"networks": self.sources, "names": columns}))
            if 0 < self.steps <= TIMED:
                self.facts.append(("times", {"own": own_seconds(ended.calls)}))
            if self.passes.lines:
                self.passes.lines = False
                self.facts.append(("lines", {"places": [one.place for one in ended.calls]}))
            if given := self.passes.given(ended):
                self.facts.append(("given", given))
            found = self.passes.against_labels(ended, scale or 1.0)
            if "losses" in found and len(found["losses"]) == len(rows or ()):
                self.values["losses"] = found.pop("losses")
            if found:
                self.labels = found.pop("labels")
                self.values["fit"] = found.pop("fit")
                self.facts.append(("outputs", found))

        classes = classes_of(ended.batch, self.labels)
        if classes is not None and self.labels is not None:
            self.values["labels"] = classes
            if self.evaluations.column is None:
                self.evaluations.learn(self.data.last, ended.batch[self.labels])

    def given(self, state: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        """The gradients of a pass; kept until an optimizer takes them."""
        gradients = None if result is RAISED else result
        weights = list(args[3]) if isinstance(args[3], (tuple, list)) else None
        if self.passes.open and self.passes.open[-1].inner:
            self.passes.open[-1].inner[-1].gradients = gradients
            self.passes.open[-1].inner[-1].asked_for = weights
        else:
            self.took(gradients, weights)
        if self.operators is not None:
            self.operators.settle(self.passes.last, self.steps + 1, gradients)

    def took(self, gradients: Any, asked_for: list[Any] | None) -> None:
        """`asked_for`: the parameters of the gradients, where it was asked for those of parameters."""
        self.gradients, self.asked_for = gradients, asked_for
        if self.is_close() and gradients is not None:
            self.sums.add(tensors_of(gradients))

    def not_taken(self) -> None:
        """No optimizer took the gradients of the last pass: they were added up, or left out as they are not finite."""
        finite = all(bool(numpy.isfinite(array(one)).all()) for one in tensors_of(self.gradients))
        self.journal.fact("not-taken", step=self.steps + 1, finite=finite)
        self.gradients = None
        if not self.optimizers and self.count >= WITHOUT:
            self.tell()
            self.step, self.values = self.values, {}
            self.finish()

    def between(self, last: Pass | None) -> None:
        """A pass begins that lies within no other; the one before it was inference, where no gradient was asked for."""
        if last is not None and not (last.trained or last.counted):
            self.inferred(last)
        if self.operators is not None:
            self.operators.clear()
        if self.known and len(self.done) == len(self.optimizers):
            self.finish()
        self.reading = self.data.reading()
        if self.rests and self.known and not (self.done or self.is_close() or self.inference or self.expects):
            self.sleep()
        self.end_here()

    def inferred(self, ended: Pass) -> None:
        """A pass of a network without a gradient; what computes a loss or clips gradients holds no weights, and is none."""
        ended.counted = True
        self.ways.forget()
        if not ended.has_weights():
            return
        rows = rows_of(ended.batch)
        reading, wanted = self.evaluated_batch(ended, rows)
        if not self.scores.passes:
            self.printed.over(self.steps)
        self.inference += 1
        self.inferences += 1
        number = self.reading.number
        self.evaluations.add(reading.number if reading is self.reading else None, rows, reading.batch)
        self.scores.add(reading, ended.output, wanted)
        if rows is not None and "answers" not in self.hooks.off:
            self.answered(ended, rows)
        if ended.close:
            found = {**self.passes.modes(ended), **self.passes.facts(ended)}
            told = {"step": self.steps, "training": False, "data": number, "place": ended.place}
            drops = {"drops": ended.drops} if ended.drops else {}
            self.journal.fact("pass", **told, **found, **drops, samples=(rows or [])[:SAMPLES])
            if given := self.passes.given(ended):
                self.journal.fact("given", step=self.steps, **given)

    def answered(self, ended: Pass, rows: list[Any]) -> None:
        """What the network gave for each row of a pass of inference."""
        about = {"step": self.steps, "place": ended.called_at, "network": class_of(ended.top)}
        try:
            self.answers.add(ended, rows, self.passes.tops(ended), about)
        except Exception as error:  # outputs of the user's, of whatever kind, must not end the rest of the watch
            self.hooks.off.add("answers")
            self.hooks.failed("answers", error)

    def reported(self, _: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        """Model._get_metrics(model): what an evaluation gave, beside what was counted of it."""
        self.settle()
        counted = self.scores.over()
        if result is RAISED or not isinstance(result, dict) or counted is None:
            return
        values = {str(name): plain(value) for name, value in result.items() if isinstance(value, (int, float))}
        metrics = getattr(args[0], "_metric_fns", None) or {}
        kinds = {str(name): class_of(metric) for name, metric in metrics.items()}
        lines = {str(name): own_lines(metric, self.hooks) for name, metric in metrics.items()}
        told = {"values": values, "kinds": kinds, "lines": lines}
        self.journal.fact("metric", step=self.steps, place=self.hooks.place(), **told, **counted)

    def evaluated_batch(self, ended: Pass, rows: list[Any] | None) -> tuple[Reading, list[Any]]:
        """The batch of a pass of inference, of a data set or of the script's own arrays, and the tensors of it that may be its labels."""
        is_own, self.before = self.is_own(ended.batch, rows), (self.reading.read, rows)
        if not is_own or rows is None:
            return self.reading, self.wanted(ended, self.reading.batch)
        again = self.arrays.reads(rows) == self.scores.at
        if self.scores.is_of_training() and not again:
            self.count_up()
        try:
            own = self.arrays.batch(ended, rows, self.scores.number)
        except Exception as error:  # arrays of the user's, of whatever kind, must not end the rest of the watch
            self.hooks.failed("arrays", error)
            self.passes.held, own = list, None
        if own is None:
            return self.reading, self.wanted(ended, self.reading.batch)
        if own.begins:
            self.count_up()
        at = self.scores.read(own.number) + (not again)
        return Reading(own.number, [], own.read, at), [own.wanted]

    def is_own(self, batch: list[Any], rows: list[Any] | None) -> bool:
        """Whether a pass was given what no data set gave: no batch was read since the one before, which was given other rows."""
        if self.reading.number is None:
            return True
        known = {id(one) for one in self.reading.batch}
        read, before = self.before
        return read == self.reading.read and rows != before and not any(id(one) in known for one in batch)

    def wanted(self, ended: Pass, batch: list[Any]) -> list[Any]:
        """The tensors of a batch that may be what a pass is to give: that of the classes, where it is known; else what it was not given."""
        column = self.evaluations.column
        if column and column[1] == len(batch):
            return [batch[column[0]]]
        return [one for one in batch if not any(one is given for given in ended.batch)] or batch

    # --- evaluations by the user's own loop -------------------------------------------------------------------------------

    def is_between(self) -> bool:
        """Whether the last pass, if any, is over, and nobody asked for its gradient."""
        last = self.passes.last
        return not (self.passes.stack or self.passes.open) and (last is None or not last.trained)

    def settle(self) -> None:
        """Count a pass of inference that is over, where no other has begun since."""
        last = self.passes.last
        if last is not None and self.is_between() and not last.counted:
            self.inferred(last)

    def evaluated(self) -> tuple[int, int] | None:
        """The evaluation that is under way by its number and how many passes it has; with none, the one before. None in training."""
        if self.hooks.asleep or not self.is_between():
            return None
        self.settle()
        if not self.inference:
            return None
        return (self.scores.number, self.scores.passes) if self.scores.passes else (self.scores.number - 1, 0)

    def opened(self, number: int) -> None:
        """A data set is read from its beginning: what was evaluated before was another evaluation."""
        if number not in self.learned:
            self.expect()
        if self.inference and not self.hooks.asleep and self.is_between():
            self.settle()
            self.tell_evaluations()
            self.count_up()

    def tell_evaluations(self, whole: bool = False) -> None:
        """What evaluations read; `whole`: only of those that read their data set to its end."""
        for told in self.evaluations.over():
            if not whole or told["data"] in self.data.over:
                self.journal.fact("evaluation", step=self.steps, **told)

    def count_up(self) -> None:
        """An evaluation is over: tell what was counted of it."""
        counted = self.scores.over()
        if counted is not None:
            self.journal.fact("counted", step=self.steps, **counted)

    def goes_on(self, batch: list[Any], rows: list[Any] | None) -> None:
        """A pass trains with a batch of these rows: evaluations are over."""
        self.ways.learn()
        is_own, self.before = self.is_own(batch, rows), (self.reading.read, rows)
        if self.scores.trains(self.arrays.reads(rows) if is_own and rows else self.reading.read):
            self.printed.forget(self.scores.passes)
        if self.inference:
            self.answers.over()
            self.tell_evaluations()
            self.count_up()
            self.printed.over(self.steps)
        self.in_vain += self.expects and not self.inference
        self.inference, self.expects = 0, False

    # --- steps ----------------------------------------------------------------------------------------------------------

    def tell(self) -> None:
        """Write the facts of the passes that belong to the step."""
        for kind, values in self.facts:
            self.journal.fact(kind, step=self.steps + 1, **values)
        self.facts = []

    def finish(self) -> None:
        """The step is over; what passes told since its last update belongs to the next one."""
        self.steps += 1
        self.done.clear()
        now = time.perf_counter()
        waited, self.data.waited = self.data.waited, 0.0
        place = {"step": self.steps, "epoch": self.epoch, "seconds": round(now - self.clock, 6)}
        self.journal.write({**place, "data_seconds": round(waited, 6), **self.step})
        if self.candidate is not None:
            self.again.keep(self.candidate, self.steps)
            self.candidate = None
        self.step, self.clock = {}, time.perf_counter()

    # --- one's own loop, where only some steps are looked at --------------------------------------------------------------

    def sleep(self) -> None:
        """Only count the calls of optimizers, until the step before the next that is looked at is over."""
        self.hooks.sleep()
        for kind in self.kinds:
            setattr(kind, "__call__", self.counting(kind.__call__))  # noqa: B010
        self.ways.listen(self.expect)

    def put_to_inference(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """set_train(cell, mode) between steps, whether or not the hooks rest."""
        if not [*args[1:], *kwargs.values(), True][0]:
            self.expect()

    def expect(self) -> None:
        """An evaluation seems to begin. Where the hooks rest they are put in for it, between two steps and not within one."""
        if not (self.rests and self.known and self.in_vain < IN_VAIN) or (self.done and self.hooks.asleep):
            return
        if self.hooks.asleep:
            self.wake()
        self.expects = True

    def counting(self, call: Any) -> Any:
        def counted(optimizer: Any, *args: Any, **kwargs: Any) -> Any:
            result = call(optimizer, *args, **kwargs)
            if id(optimizer) in self.done:
                self.over()
            self.done.add(id(optimizer))
            if len(self.done) >= len(self.optimizers):
                self.over()
            return result

        return counted

    def over(self) -> None:
        """A step that was not looked at is over."""
        self.steps += 1
        self.done.clear()
        if self.is_close() and self.hooks.asleep:
            self.wake()

    def wake(self) -> None:
        for kind in self.kinds:
            if "counted" in getattr(vars(kind).get("__call__"), "__qualname__", ""):
                del kind.__call__
        self.ways.rest()
        self.passes.fresh()
        self.before = self.data.given, None
        self.data.waited, self.step, self.values, self.facts, self.count, self.gradients = 0.0, {}, {}, [], 0, None
        self.sums.clear()
        self.batches.clear()
        self.hooks.wake()
        self.clock = time.perf_counter()

    def stop(self, failed: bool = False) -> None:
        """The end of what was to be watched, or that it failed: the hooks are taken out, and the recording is closed."""
        if self.ended:
            return
        if self.hooks.asleep:
            self.wake()
        elif self.done and self.is_close():
            self.finish()
        self.done.clear()
        self.at_exit("stopped", failed)
        self.hooks.end()
        atexit.unregister(self.at_exit)
        self.journal.close()

    # --- the end --------------------------------------------------------------------------------------------------------

    def end_here(self) -> None:
        """Raises Enough when all steps were seen, and an evaluation, if one comes soon."""
        if self.role != "train":
            enough = self.most and self.inferences >= self.most
        else:
            enough = 0 < self.most <= self.steps and self.trained_enough()
        if enough:
            self.at_exit("enough")
            raise StepLimitReached(0)

    def trained_enough(self) -> bool:
        """After the last step. Not every rank evaluates, and those that do not wait for the others: all of several end by steps alone."""
        if self.steps >= self.most + max(1, int(MORE * self.most)):
            return True
        return not self.ranks and self.inferences > INFERENCE

    def at_exit(self, why: str = "exit", failed: bool = False) -> None:
        """The last lines of the recording."""
        if self.ended or os.getpid() != self.journal.owner:
            return
        self.ended = True
        if self.done:
            self.finish()
        self.hooks.safely("last pass", self.last_evaluation, why in ("exit", "stopped") and not failed)
        if self.operators is not None:
            self.operators.end(self.steps)
        if self.ways.unseen:
            self.journal.fact("unseen", calls=self.ways.unseen)
        self.run_again()
        raised = getattr(sys, "last_value", None)  # set before the traceback of the script is printed
        if raised is not None:
            self.journal.fact("raised", error=shown(raised))
        digests = {held.number: held.digests() for held in self.optimizers.values()}
        networks = {held.number: held.end() for held in self.passes.networks.values()}
        self.journal.fact(
            "end", why=why, steps=self.steps, inferences=self.inferences, digests=digests, networks=networks
        )
        if self.forced:
            self.tell_order()

    def last_evaluation(self, whole: bool) -> None:
        """Tell the evaluation that the script ended with; of one that was cut off nothing is told."""
        self.settle()
        self.answers.over(last=True)
        if not whole or getattr(sys, "last_value", None) is not None:
            return
        if self.inference:
            self.tell_evaluations(whole=True)
            self.count_up()
        self.printed.over(self.steps)

    def run_again(self) -> None:
        """Tell of passes that are run again; what they call is not told."""
        busy, self.hooks.busy = self.hooks.busy, True
        try:
            for kind, found in self.again.run():
                self.journal.fact(kind, **found)
        except Exception as error:
            self.hooks.failed("again", error)
        finally:
            self.hooks.busy = busy

    def tell_order(self) -> None:
        """Of the rows that were learned from, and evaluated, as they lie in their sources; what reading them calls is not told any more."""
        self.hooks.busy = True
        read = False
        try:
            for number, dataset in self.learned.items():
                for found in examined(dataset):
                    read = True
                    place = self.origins.known.get(found.pop("node"), {}).get("place")
                    self.journal.fact("order", dataset=number, place=place, **found)
            batched = None if read else self.batch_rows.examined()
            if batched is not None:
                self.journal.fact("order", dataset=None, **batched)
            for number in self.evaluations.before.keys() - self.learned.keys():
                known = among(self.data.numbered(number), list(self.learned.values()))
                if known is not None:
                    self.journal.fact("among", data=number, **known)
            for number in (self.evaluations.before.keys() | self.evaluations.rows.keys()) - self.learned.keys():
                quick = self.data.longest.get(number, WAIT) < WAIT
                again = changes_at_random(self.data.numbered(number)) if quick else None
                if again is not None:
                    self.journal.fact("read_twice", data=number, **again)
        except Exception as error:
            self.hooks.failed("order", error)


def inner_of(ended: Pass) -> dict[str, Any]:
    """Of a pass within another: the line that asks for its gradients, their norm, how many rows they have, and what scales them."""
    gradients = tensors_of(ended.gradients)
    return {
        "place": ended.asked_at,
        "norm": plain(squares(array(one) for one in gradients) ** 0.5) if gradients else None,
        "rows": next((int(one.shape[0]) for one in gradients if one.ndim), 1),
        "scale": plain(ended.scale) if ended.scale is not None else None,
        "sens": plain(ended.sens) if ended.sens is not None else None,
        "unscaled": ended.unscaled,
    }


def tensors_of(value: Any) -> list[Any]:
    from ..measures import tensors

    return list(tensors(value))


def executor_class(mindspore: Any) -> Any:
    """The class of the executor of PyNative, which lies elsewhere by version."""
    for name in ("mindspore.graph.api", "mindspore.common.api"):
        module = sys.modules.get(name)
        if module is not None and hasattr(module, "_pynative_executor"):
            return type(module._pynative_executor)
    return None
