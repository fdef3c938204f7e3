"""The little that is recorded of a training whose outcome alone counts: how far it is, and what its evaluations give.

It looks at no layer and no gradient, and leaves mode and sink mode as they are, so that it costs next to nothing.
"""

from __future__ import annotations

import atexit
import os
import sys
import time
from typing import Any, Optional

from ..measures import array, plain, tensors
from .data import Data
from .hooks import RAISED, Hooks
from .journal import opened
from .settings import seed_anew

#: Seconds between two lines about steps: a loss is waited for so often at most.
APART = 0.5


def begin(settings: dict[str, Any]) -> Light:
    """Record this process from now on: its MindSpore was imported just now."""
    hooks = Hooks(opened(settings), settings["root"], settings.get("begun", ""))
    seed_anew(hooks, settings.get("seed", 0))
    return Light(hooks)


class Light:
    def __init__(self, hooks: Hooks) -> None:
        import mindspore
        from mindspore import nn

        self.hooks, self.journal = hooks, hooks.journal
        self.data = Data(hooks, lambda: None)
        self.steps, self.epoch = 0, -1
        #: Whether a Model counts the steps; else the optimizer that was called first does.
        self.counted = False
        self.first: int | None = None
        self.told = self.clock = time.perf_counter()
        self.written = 0
        self.hooks.around(mindspore.Model, "_get_metrics", after=self.evaluated, hook="Model.metrics")
        module = sys.modules.get("mindspore.train.callback._callback")
        kind = getattr(module, "CallbackManager", None) or getattr(module, "_CallbackManager", None)
        self.hooks.around(kind, "on_train_step_end", before=self.stepped, hook="on_train_step_end")
        experimental = getattr(getattr(mindspore, "experimental", None), "optim", None)
        for optimizer in (nn.Optimizer, getattr(experimental, "Optimizer", None)):
            if isinstance(optimizer, type):
                self.hooks.around(optimizer, "__call__", before=self.updated, hook="Optimizer.__call__")
        atexit.register(self.at_exit)
        self.journal.taken_over = self.forked

    def forked(self) -> None:
        """A process of multiprocessing ends without what atexit runs, but runs this."""
        if (util := sys.modules.get("multiprocessing.util")) is not None:
            util.Finalize(None, self.at_exit, exitpriority=0)

    def stepped(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """CallbackManager.on_train_step_end(manager, run context): a step of a Model, or of data that is sunk, is over."""
        context = args[1] if len(args) > 1 else kwargs["run_context"]
        now = context.original_args()
        self.counted = True
        self.steps, self.epoch = int(now.cur_step_num), int(now.cur_epoch_num)
        self.over(getattr(now, "net_outputs", None))

    def updated(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Optimizer.__call__(optimizer, gradients) of a loop of the user's own."""
        if self.counted:
            return
        if self.first is None:
            self.first = id(args[0])
        if id(args[0]) == self.first:
            self.steps, self.epoch = self.steps + 1, self.data.epoch
            self.over(None)

    def over(self, outputs: Any) -> None:
        """A step is over; told now and then."""
        now = time.perf_counter()
        if self.written and now - self.told < APART:
            return
        loss = next((_number(one) for one in tensors(outputs)), None)
        self.write({} if loss is None else {"loss": plain(loss)})

    def write(self, values: dict[str, Any]) -> None:
        now = time.perf_counter()
        place = {"step": self.steps, "epoch": self.epoch, "seconds": round(now - self.told, 6)}
        if not self.written:  # what tells a process that trains from others
            self.journal.fact("network", number=0, light=True)
        self.told, self.written = now, self.steps
        self.journal.write({**place, **values})

    def evaluated(self, _: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        """Model._get_metrics(model): what an evaluation gave."""
        if result is RAISED or not isinstance(result, dict):
            return
        found = {str(name): _number(value) for name, value in result.items()}
        numbers = {name: plain(value) for name, value in found.items() if value is not None}
        if numbers:
            self.journal.write({"step": self.steps, "epoch": self.epoch, "metrics": numbers})

    def at_exit(self) -> None:
        if os.getpid() != self.journal.owner:
            return
        if self.steps > self.written:
            self.write({})
        self.journal.fact("end", why="exit", steps=self.steps)


def _number(value: Any) -> Optional[float]:  # noqa: UP045  # Python 3.9
    """A metric as one number; None where it is no single one."""
    found = array(value) if hasattr(value, "asnumpy") or hasattr(value, "dtype") else value
    try:
        return float(found)
    except (TypeError, ValueError):
        return None
