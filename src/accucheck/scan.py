"""Split, apply, merge: work on parts through one concurrent.futures Executor, of threads here or of a Dask cluster; or by forked
processes, where Python itself is what threads would wait for.

Not a scheduler: the caller cuts the parts and merges the results, which come back in the order of the parts. Where the work is
done is said once for a process, by use(); nobody else asks.
"""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, BinaryIO, Generic, TypeVar, cast

from .errors import ReadError

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

    from .cluster import Cluster

Part = TypeVar("Part")
Result = TypeVar("Result")

#: A task for a cluster, which costs some 5 ms beside its work: parts of about so many bytes together, and not more of them.
_TOGETHER, _MOST = 32 << 20, 256

_cluster: Cluster | None = None


def use(scheduler: str | None) -> None:
    """Have the work of this process done on the Dask cluster at this address; None: by threads. Raises UserError."""
    global _cluster
    if scheduler is None or (_cluster is not None and _cluster.address != scheduler):
        _cluster = None
    if scheduler is not None and _cluster is None:
        from .cluster import connect

        _cluster = connect(scheduler)


def cluster() -> Cluster | None:
    """What use() connected to."""
    return _cluster


@contextmanager
def executor(threads: int) -> Iterator[Executor]:
    """The cluster's executor, or one of so many threads."""
    if _cluster is not None:
        yield _cluster.executor
    else:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(threads) as pool:
            yield pool


def in_order(
    parts: Iterable[Part], apply: Callable[[Part], Result], executor: Executor, ahead: int = 8
) -> Iterator[Result]:
    """`apply` of every part, in order, with at most `ahead` parts in flight (on a cluster, two for each of its threads), so that
    memory stays flat.

    `apply` and the parts must pickle where the executor is not of threads. What `apply` raises is raised here, and
    parts not yet begun are then cancelled; ReadError too when the cluster has failed.
    """
    flying: deque[Future[Result]] = deque()
    remote = _cluster if _cluster is not None and executor is _cluster.executor else None
    if remote is not None:
        ahead = max(ahead, 2 * sum(remote.threads.values()))

    def next_result() -> Result:
        future = flying.popleft()
        return future.result() if remote is None else remote.result(future)

    try:
        for part in parts:
            if len(flying) >= ahead:
                yield next_result()
            flying.append(executor.submit(apply, part))
        while flying:
            yield next_result()
    finally:
        for future in flying:
            future.cancel()


def forked(parts: Sequence[Part], apply: Callable[[Part], Result], processes: int) -> Iterator[Result]:
    """`apply` of every part, in order, each process taking every so-manieth part: for parts of about equal work that calls a library
    often and shortly, where threads would wait for each other between the calls.

    `apply` runs in a copy of this process, whose threads are not there. What it raises is raised here; a process that is killed
    raises ChildProcessError. With one process, or one part, nothing is forked.
    """
    import pickle

    processes = min(processes, len(parts))
    if processes < 2 or not hasattr(os, "fork"):
        yield from map(apply, parts)
        return
    children = [_fork(parts[first::processes], apply) for first in range(processes)]
    try:
        for number in range(len(parts)):
            _, stream = children[number % processes]
            try:
                result, error = pickle.load(stream)  # noqa: S301 - written by our own copy
            except EOFError:
                raise ChildProcessError("a process that worked on a part was killed") from None
            if error is not None:
                raise error
            yield result
    finally:
        for child, stream in children:
            stream.close()
            os.kill(child, signal.SIGKILL)  # one that has done its work is only waiting to be asked for
            os.waitpid(child, 0)


def _fork(parts: Sequence[Part], apply: Callable[[Part], Result]) -> tuple[int, BinaryIO]:
    """A copy of this process that writes (result, error) of every part to a pipe, up to the first error."""
    import pickle

    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        return child, os.fdopen(reading, "rb")
    try:
        with os.fdopen(writing, "wb", buffering=0) as stream:
            for part in parts:
                try:
                    answer = pickle.dumps((apply(part), None))
                except Exception as error:
                    stream.write(pickle.dumps((None, error)))
                    break
                stream.write(answer)
    finally:
        os._exit(0)  # nothing of what the parent has left to do at its end


@dataclass(frozen=True)
class PartResult(Generic[Result]):
    """A part has been worked on: its result, None for none, and the error that ended it. With both the part is damaged, and the
    result is of what comes before."""

    result: Result | None
    error: ReadError | None = None


def each(
    parts: Iterable[Part],
    apply: Callable[[Part], Iterator[float | Result]],
    here: Callable[[Part], bool] = lambda part: False,
    size: Callable[[Part], int] = lambda part: _TOGETHER,
) -> Iterator[tuple[Part, float | PartResult[Result]]]:
    """A generator `apply`, which yields the share that is done and at last its result, for every part in order: the shares, and
    one Done.

    Without a cluster the parts are taken one after another in this process; with one they are taken by its workers, small ones by
    their `size` in bytes together, which tell no shares, but for parts that are `here`, which split themselves.
    """
    if _cluster is None:
        for part in parts:
            for step in _steps(apply, part):
                yield part, step
        return
    remote = _cluster
    flying: deque[tuple[list[Part], Future[list[PartResult[Result]]] | None]] = deque()
    ahead = max(8, 2 * sum(remote.threads.values()))

    def sent(group: list[Part]) -> Future[list[PartResult[Result]]]:
        return remote.executor.submit(partial(_done, apply), group)

    def land() -> Iterator[tuple[Part, float | PartResult[Result]]]:
        group, future = flying.popleft()
        if future is None:
            for part in group:
                for step in _steps(apply, part):
                    yield part, step
            return
        try:
            found = remote.result(future)
        except ReadError as error:
            if len(group) == 1:
                yield group[0], PartResult(None, error)
            else:  # which of them was it
                flying.extendleft([([part], sent([part])) for part in reversed(group)])
        else:
            yield from zip(group, found, strict=True)

    try:
        for group, alone in _groups(parts, here, size):
            while len(flying) >= ahead:
                yield from land()
            flying.append((group, None if alone else sent(group)))
        while flying:
            yield from land()
    finally:
        for _, future in flying:
            if future is not None:
                future.cancel()


def _groups(
    parts: Iterable[Part], here: Callable[[Part], bool], size: Callable[[Part], int]
) -> Iterator[tuple[list[Part], bool]]:
    """Parts for one task, in order, and whether they are taken here."""
    group: list[Part] = []
    held = 0
    for part in parts:
        alone = here(part)
        if group and (alone or held + size(part) > _TOGETHER or len(group) >= _MOST):
            yield group, False
            group, held = [], 0
        if alone:
            yield [part], True
        else:
            group.append(part)
            held += size(part)
    if group:
        yield group, False


def _steps(apply: Callable[[Part], Iterator[float | Result]], part: Part) -> Iterator[float | PartResult[Result]]:
    result: Result | None = None
    try:
        for step in apply(part):
            if isinstance(step, float):
                yield step
            else:
                result = step
    except ReadError as error:
        yield PartResult(result, error)
    else:
        yield PartResult(result)


def _done(apply: Callable[[Part], Iterator[float | Result]], group: list[Part]) -> list[PartResult[Result]]:
    """The ends of `apply`, on a worker. What is not there is named with the machine that does not have it."""
    import socket

    found = []
    for part in group:
        done = cast("PartResult[Result]", deque(_steps(apply, part), maxlen=1).pop())
        if done.error is not None and done.error.code == "not-found":
            done.error.data["path"] += f" ({socket.gethostname()})"
        found.append(done)
    return found
