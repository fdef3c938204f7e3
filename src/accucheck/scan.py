"""Split, apply, merge: work on parts through any concurrent.futures Executor (threads here, Dask's elsewhere).

Not a scheduler: the caller cuts the parts and merges the results, which come back in the order of the parts.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from typing import TypeVar

Part = TypeVar("Part")
Result = TypeVar("Result")


def in_order(
    parts: Iterable[Part], apply: Callable[[Part], Result], executor: Executor, ahead: int = 8
) -> Iterator[Result]:
    """`apply` of every part, in order, with at most `ahead` parts in flight, so that memory stays flat.

    `apply` and the parts must pickle where the executor is not of threads. What `apply` raises is raised here, and
    parts not yet begun are then cancelled.
    """
    flying: deque[Future[Result]] = deque()
    try:
        for part in parts:
            if len(flying) >= ahead:
                yield flying.popleft().result()
            flying.append(executor.submit(apply, part))
        while flying:
            yield flying.popleft().result()
    finally:
        for future in flying:
            future.cancel()
