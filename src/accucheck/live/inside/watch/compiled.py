"""Training steps that MindSpore compiles into one graph: a cell, or a function under ms.jit, that calls an optimizer within.

Its layers and gradients are not seen; what went in, the loss that came out, the rate in force and what changed in the weights are.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, Optional

from ..measures import array, described, plain, tensors
from .hooks import RAISED
from .optimizers import ObservedOptimizer
from .passes import MANY, loss_of, rows_of

if TYPE_CHECKING:
    from .run import Run

#: How far an optimizer is looked for through functions that a compiled one calls.
DEEP = 3

Cell = Any  # a mindspore.nn.Cell


class Step:
    """One call: the networks within, the optimizers that it updates with, and what it was given."""

    def __init__(self, networks: list[int], optimizers: list[ObservedOptimizer], given: list[Any]) -> None:
        self.networks, self.optimizers = networks, optimizers
        self.batch = list(tensors(given))[:MANY]


class Compiled:
    def __init__(self, run: Run) -> None:
        import mindspore

        self.run, self.mindspore = run, mindspore
        #: Of cells by their id whether they train: the optimizers below them.
        self.known: dict[int, list[Any]] = {}
        self.active = False
        module = sys.modules.get("mindspore.graph.api") or sys.modules.get("mindspore.common.api")
        kind = getattr(module, "_JitExecutor", None) or getattr(module, "_MindsporeFunctionExecutor", None)
        run.hooks.around(kind, "__call__", self.called, self.returned, hook="jit")
        for name in ("train", "fit", "eval"):
            self.unsunk(mindspore.Model, name)

    def unsunk(self, kind: Any, name: str) -> None:
        """Data is fed step by step while watching: sink mode would run many steps in one call."""
        original, hooks = getattr(kind, name, None), self.run.hooks
        if original is None:
            return
        signature = inspect.signature(original)

        def fed(*args: Any, **kwargs: Any) -> Any:
            given = hooks.safely("sink", bound, args, kwargs)
            return original(*given.args, **given.kwargs) if given is not None else original(*args, **kwargs)

        def bound(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Optional[inspect.BoundArguments]:  # noqa: UP045  # Python 3.9
            given = signature.bind(*args, **kwargs)
            sunk = [key for key, value in given.arguments.items() if key.endswith("dataset_sink_mode") and value]
            if not sunk:
                return None
            given.arguments.update(dict.fromkeys(sunk, False))
            hooks.journal.fact("sink", place=hooks.place(), of=name)
            return given

        hooks.replace(kind, name, original, fed)

    # --- cells ----------------------------------------------------------------------------------------------------------

    def trains(self, cell: Cell) -> list[Any]:
        """The optimizers within a cell that is called from outside of all others in graph mode; [] where it is no such step."""
        run = self.run
        if self.active or run.passes.stack or run.passes.open:
            return []
        if self.mindspore.get_context("mode") != self.mindspore.GRAPH_MODE:
            return []
        if id(cell) not in self.known:
            self.known[id(cell)] = self.below(cell)
        return self.known[id(cell)]

    def below(self, cell: Cell) -> list[Any]:
        return [one for _, one in cell.cells_and_names() if isinstance(one, self.run.kinds)]

    def begins(self, owner: Any, optimizers: list[Any], given: list[Any]) -> Step:
        run = self.run
        if not run.passes.stack:
            run.passes.begin()
        networks = [run.passes.network(one).number for one in self.network(owner)]  # as it is before the first step
        step = Step(networks, [run.held(one) for one in optimizers], given)
        run.step = {}
        for held in step.optimizers:
            run.rates(held)
            if run.is_close():
                held.keep()
        self.active = True
        return step

    def ends(self, step: Step, result: Any) -> None:
        run, self.active = self.run, False
        if result is RAISED:
            return
        loss, rows = loss_of(result), rows_of(step.batch)
        run.goes_on(step.batch, rows)
        if loss is not None:
            run.step["loss"] = plain(loss)
        if rows is not None:
            run.step["samples"] = rows
        number = run.steps + 1
        if run.is_close():
            run.journal.fact(
                "pass",
                step=number,
                training=True,
                compiled=True,
                data=run.data.current,
                networks=step.networks,
                batch=[described(array(one)) for one in step.batch],
                output=[described(array(one)) for one in list(tensors(result))[:MANY]],
                calls=[],
            )
            for held in step.optimizers:
                run.journal.fact("changes", step=number, optimizer=held.number, ratios=held.changes())
        run.epoch = run.data.epoch
        run.done.update(held.number for held in step.optimizers)
        run.finish()

    def network(self, owner: Any) -> list[Cell]:
        """Of a cell that trains, the one within that holds most parameters and is no optimizer."""
        inner = [one for one in getattr(owner, "_cells", {}).values() if one is not None]
        inner = [one for one in inner if not isinstance(one, self.run.kinds)]
        return sorted(inner, key=lambda one: -len(list(one.get_parameters())))[:1]

    # --- functions ------------------------------------------------------------------------------------------------------

    def called(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Optional[Step]:  # noqa: UP045  # Python 3.9
        """_JitExecutor.__call__(executor, ...)."""
        run, given = self.run, [*args[1:], *kwargs.values()]
        if not self.idle():
            return None
        optimizers = list({id(one): one for one in self.within(args[0].fn, args[0].obj)}.values())
        if not optimizers:
            return None
        if run.passes.last is not None:
            run.passes.last.trained = bool(run.passes.stack)
        return self.begins(args[0].obj, optimizers, given)

    def returned(self, step: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        if step is not None:
            self.ends(step, result)
        elif result is not RAISED and self.idle():
            self.gave(list(args[1:]), result)

    def idle(self) -> bool:
        """Whether nothing is being followed within which a function would run."""
        return not self.active and not self.run.passes.open and self.run.updating is None

    def gave(self, given: list[Any], result: Any) -> None:
        """A function in graph mode that gives a loss and gradients, which an optimizer takes next."""
        batch = list(tensors(given))[:MANY]
        loss, rows = loss_of(result), rows_of(batch)
        if loss is None or len(list(tensors(result))) < 2:
            return
        self.run.goes_on(batch, rows)
        self.run.values["loss"] = plain(loss)
        if rows is not None:
            self.run.values["samples"] = rows

    def within(self, function: Any, owner: Any, deep: int = DEEP) -> Iterator[Any]:
        """Optimizers that a function refers to: in its closure, among its globals, held by the object that it belongs to."""
        owner = owner if owner is not None else getattr(function, "__self__", None)
        code = getattr(function, "__code__", None)
        held = [cell.cell_contents for cell in getattr(function, "__closure__", None) or () if _is_full(cell)]
        names = getattr(code, "co_names", ())
        held += [value for name, value in getattr(function, "__globals__", {}).items() if name in names]
        if owner is not None:
            held += [value for name, value in vars(owner).items() if name in names]
            held += [one for one in (getattr(owner, "_cells", None) or {}).values() if one is not None]
        for one in held:
            if isinstance(one, self.run.kinds):
                yield one
            elif isinstance(one, (FunctionType, MethodType)) and deep and self.run.hooks.own_path(_file(one)):
                yield from self.within(inspect.unwrap(one), None, deep - 1)


def _is_full(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


def _file(function: Any) -> str:
    return str(getattr(getattr(inspect.unwrap(function), "__code__", None), "co_filename", ""))
