"""The learning rate of a MindSpore optimizer that is in force, read within a share of the training's time."""

from __future__ import annotations

import math
import os
import time
from typing import Any

from .measures import array, plain, scalar

#: A learning rate that MindSpore must compute (0.6 ms in graph mode, 4 ms in PyNative) is read as often as costs this share.
SHARE = 0.002
#: The rates of so many of the steps between are computed at the end of the training, and of an epoch, within so many seconds.
BETWEEN, BETWEEN_SECONDS = 64, 1.0


class Rates:
    """The learning rate of a MindSpore optimizer before its next update."""

    def __init__(self, share: float = SHARE) -> None:
        self._share, self._due, self._called = share, 0.0, False
        # MindSpore's dump counts what it runs, and a schedule that is computed here would be counted as a step of the training.
        self._computes = not os.environ.get("MINDSPORE_DUMP_CONFIG")
        #: Steps whose rate was not computed, as (step, epoch, what the optimizer had counted), every nth of them.
        self._between: list[tuple[int, int, int]] = []
        self._every = self._passed = 1

    def pass_over(self, optimizer: Any, step: int, epoch: int) -> dict[str, Any]:
        """Remember a step whose rate is too costly now; of very many some are left out evenly."""
        self._passed += 1
        if self._passed % self._every:
            return {}
        self._between.append((step, epoch, int(array(optimizer.global_step).item())))
        if len(self._between) >= 4 * BETWEEN:
            self._between, self._every = self._between[::2], self._every * 2
        return {}

    def between(self, optimizer: Any) -> list[list[Any]]:
        """The rates of some of the steps that were passed over, [step, epoch, rate of each group ...], within a second."""
        import mindspore as ms

        rates: Any = optimizer.learning_rate
        groups = (
            [rates] if not getattr(optimizer, "is_group_lr", False) else list({id(one): one for one in rates}.values())
        )
        computes = self._computes and all(map(callable, groups))
        chosen = self._between[:: max(1, len(self._between) // BETWEEN)] if computes else []
        found: list[list[Any]] = []
        end = math.inf
        # from coarse to fine, so that they lie evenly when time is up
        for step, epoch, counted in dict.fromkeys(one for every in (16, 4, 1) for one in chosen[::-1][::every]):
            if time.perf_counter() > end:
                break
            given = ms.Tensor([counted], ms.int32)
            found.append([step, epoch, *(plain(scalar(array(one(given)).ravel()[0])) for one in groups)])
            end = min(end, time.perf_counter() + BETWEEN_SECONDS)  # the first call compiles
        self._between, self._every = [], 1
        return sorted(found)

    def read(self, optimizer: Any) -> list[Any] | None:
        """Of each group of parameters; None when computing it again so soon would cost too much."""
        if hasattr(optimizer, "param_groups"):  # mint.optim
            return [group["lr"] for group in optimizer.param_groups]
        rates = optimizer.learning_rate
        single = not getattr(optimizer, "is_group_lr", False)
        groups = (
            [rates] if single else list({id(rate): rate for rate in rates}.values())
        )  # one entry for each parameter
        if not optimizer.dynamic_lr:
            return groups
        found: list[Any] = []
        begin = None
        for rate in groups:
            # A number, and the values of a list by step, need not be computed.
            if type(rate).__name__ in ("_ConvertToCell", "_IteratorLearningRate"):
                values = array(rate.learning_rate).ravel()
                found.append(values[min(int(array(optimizer.global_step).item()), values.size - 1)])
                continue
            if begin is None:
                begin = time.perf_counter()
                if begin < self._due or not self._computes:
                    return None
            found.append(array(rate(optimizer.global_step)).reshape(()))
        if begin is not None and self._called:
            end = time.perf_counter()
            self._due = end + (end - begin) / self._share
        self._called = self._called or begin is not None  # the first call compiles
        return found
