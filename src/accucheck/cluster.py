"""A Dask cluster: connecting to it, its hosts, and work on its workers. The only module that imports distributed.

A host is what the workers' addresses name, so two workers on one machine are one host. Scheduler and workers need accucheck of
this version.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future
from concurrent.futures import TimeoutError as Late
from typing import Any, TypeVar
from urllib.parse import urlsplit

from .errors import ReadError, UserError
from .lacking import requirement

Result = TypeVar("Result")

#: Seconds to reach the scheduler, and that a lost worker may take to be started again by its nanny (measured: 2 s).
_CONNECT, _GRACE = 10, 10
#: Seconds between two looks at what is left of the cluster.
_LOOK = 1.0


class Cluster:
    """A connection. `threads` of each worker that can be used, by its address; `hosts` maps a host to the threads of all its
    workers, `unusable` a host with a worker that cannot be used to the reason.
    """

    def __init__(self, address: str, client: Any) -> None:
        self.address, self._client = address, client
        self.threads: dict[str, int] = client.nthreads()
        self.hosts: dict[str, int] = {}
        self.unusable: dict[str, UserError] = {}
        self._executor: Executor | None = None
        self._gone = False
        if (
            error := _unfit(address, _scheduler_version(client))
        ) is not None:  # it unpickles the work before it sends it on
            raise error
        for worker, found in _versions(client).items():
            if (error := _unfit(worker, found)) is not None:
                self.unusable.setdefault(_host(worker), error)
                self.threads.pop(worker, None)
        for worker, threads in self.threads.items():
            if (host := _host(worker)) not in self.unusable:
                self.hosts[host] = self.hosts.get(host, 0) + threads

    @property
    def executor(self) -> Executor:
        """Runs on any worker that can be used; what it is given must pickle."""
        if self._executor is None:
            self._executor = self._client.get_executor(workers=list(self.threads), pure=False)
        return self._executor

    def result(self, future: Future[Result]) -> Result:
        """The result of a future of `executor`. Raises what the work raised, and ReadError when the cluster has failed:
        cluster-lost (no worker left, or no scheduler), worker-killed (the work ended several workers).
        """
        since: float | None = None
        while True:
            try:
                return future.result(0 if self._gone else _LOOK)
            except Late:
                if future.done():  # the work itself raised it
                    raise
            except CancelledError:
                raise ReadError("cluster-lost", path=self.address) from None
            except Exception as error:
                if type(error).__name__ == "KilledWorker":
                    raise ReadError("worker-killed", path=self.address) from None
                raise
            since = None if self._workers() else since or time.monotonic()
            if since is not None and (self._gone or time.monotonic() - since > _GRACE):
                self._gone = True
                future.cancel()
                raise ReadError("cluster-lost", path=self.address)

    def on_each_host(self, apply: Callable[[int], Result]) -> Iterator[tuple[str, Result | UserError]]:
        """`apply` of the number of threads there, once on each host, as they end; a UserError where it could not be done."""
        yield from self.unusable.items()
        futures = {
            host: self._client.submit(apply, threads, workers=[host], allow_other_workers=False, pure=False)
            for host, threads in self.hosts.items()
        }
        absent: dict[str, float] = {}
        while futures:
            present = {_host(worker) for worker in self._workers()}
            for host, future in list(futures.items()):
                absent[host] = time.monotonic() if host in present else absent.get(host, time.monotonic())
                outcome: Result | UserError | None = None
                if future.done():
                    outcome = _outcome(future, host)
                elif time.monotonic() - absent[host] > _GRACE:
                    future.cancel()
                    outcome = ReadError("worker-lost", path=host)
                if outcome is not None:
                    del futures[host]
                    yield host, outcome
            if futures:
                time.sleep(0.1)

    def _workers(self) -> list[str]:
        """The workers that there are now; none when the scheduler does not answer."""
        try:
            return list(self._client.nthreads()) if self._client.status == "running" else []
        except Exception:  # a connection may break in many ways
            return []

    def close(self) -> None:
        self._client.close(timeout=2)


def connect(address: str) -> Cluster:
    """Raises UserError: no-dask, no-scheduler, no-workers, or why no worker can be used."""
    try:
        import logging

        from distributed import Client
    except ImportError:
        raise UserError("no-dask", install=requirement("dask")) from None
    for name in ("distributed", "tornado"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # what is wrong is told here, once and in words
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            client = Client(address, timeout=_CONNECT, set_as_default=False)
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        raise UserError("no-scheduler", address=address, problem=str(error).splitlines()[0][:200]) from None
    try:
        cluster = Cluster(address, client)
        if not cluster.threads:
            raise next(iter(cluster.unusable.values()), UserError("no-workers", address=address))
    except BaseException:
        client.close(timeout=2)
        raise
    return cluster


def _host(worker: str) -> str:
    return urlsplit(worker).hostname or worker


def _versions(client: Any) -> dict[str, Any]:
    """What each worker has of accucheck: its version, or the error. The function asked for is Python's, so it is everywhere."""
    from importlib.metadata import version

    found: dict[str, Any] = client.run(version, "accucheck", on_error="return")
    return found


def _scheduler_version(client: Any) -> Any:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return client.run_on_scheduler(version, "accucheck")
    except PackageNotFoundError as error:
        return error


def _unfit(worker: str, found: Any) -> UserError | None:
    from importlib.metadata import version

    ours = version("accucheck")
    if found == ours:
        return None
    if isinstance(found, str):
        return UserError("worker-version", worker=worker, found=found, ours=ours)
    if type(found).__name__ == "PackageNotFoundError":
        return UserError("worker-bare", worker=worker, ours=ours)
    return ReadError("worker-lost", path=worker)


def _outcome(future: Any, host: str) -> Any:
    error = future.exception() if future.status == "error" else None
    if future.status == "finished":
        return future.result()
    if isinstance(error, UserError):
        return error
    if error is None or type(error).__name__ == "KilledWorker":
        return ReadError("worker-lost", path=host)
    return ReadError("io", path=host, problem=f"{type(error).__name__}: {error}"[:300])
