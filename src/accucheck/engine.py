"""Runs probes in child processes and yields what they say. Knows no probe by name, and never touches a session."""

from __future__ import annotations

import os
import queue
import re
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from functools import lru_cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple, Union

import msgspec

from . import __version__, system
from . import probe as probes
from .case import Case, redacted
from .errors import UserError, from_os_error
from .imports import environment
from .knowledge import durations
from .language import Language
from .live.inside.processes import descendants, end
from .model import (
    STRENGTH,
    Code,
    Evidence,
    Finding,
    Kind,
    Note,
    ProbeResult,
    Progress,
    Reason,
    Status,
    Table,
    Tree,
    Verdict,
    now,
    suggest,
    too_deep,
)
from .store import scratch

if TYPE_CHECKING:
    from .live.warm import WarmProcess

#: Seconds a probe may take when nobody says otherwise. Reading files has no limit: a data set may be any size.
TIMEOUTS: dict[Kind, float | None] = {Kind.STATIC: 300.0, Kind.FILE: None, Kind.LIVE: 600.0}
#: Seconds that a probe may take and still count as quick: of those that do, none is worth running out of turn.
QUICK = 1.0
#: How long a child may take to end after SIGTERM before it is killed.
GRACE = 1.0
#: Seconds between two looks at a child after which this process must have been stopped (Ctrl+Z); they do not count as its time.
STOPPED = 5.0
#: What is kept of a child's own output, from its end.
LOG_BYTES = 64 << 10
#: The largest pipe that Linux lets a user have.
PIPE_BYTES = 1 << 20
#: An event longer than this is refused; evidence is bounded far below.
EVENT_BYTES = 64 << 20


class Job(msgspec.Struct, frozen=True):
    """One probe for one item, with the item's parameters; `version` is the checklist's."""

    item: str
    probe: str
    params: dict[str, Any] = {}
    version: int = 1


class Request(msgspec.Struct, frozen=True):
    """What the engine asks of a worker."""

    case: Case
    jobs: list[Job]
    scheduler: str | None = None
    modest: bool = False


class JobEnd(msgspec.Struct, frozen=True):
    """How a job ended, as the worker says it."""

    status: Status
    suggestion: Verdict
    seconds: float
    reason: Reason | None = None
    log: str = ""


class ChannelLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of the event channel: the job's index and one of the three."""

    job: int
    finding: Finding | None = None
    progress: Progress | None = None
    end: JobEnd | None = None


class Started(msgspec.Struct, frozen=True):
    job: Job


class FindingEvent(msgspec.Struct, frozen=True):
    job: Job
    finding: Finding


class ProgressEvent(msgspec.Struct, frozen=True):
    job: Job
    progress: Progress


class Finished(msgspec.Struct, frozen=True):
    job: Job
    result: ProbeResult


Event = Union[Started, FindingEvent, ProgressEvent, Finished]
#: What was listed at one moment: by folder, and whether only of its scripts.
Listed = dict[tuple[Path, bool], list[Any]]


def run(
    case: Case,
    jobs: Sequence[Job],
    *,
    live: bool = False,
    timeout: float | None = None,
    cancel: threading.Event | None = None,
    parallel: int = 1,
    scheduler: str | None = None,
    modest: bool = False,
) -> Iterator[Event]:
    """Run the jobs and yield their events; each job ends with exactly one Finished.

    live: consent to run the project's own code; without it live probes are skipped.
    timeout: seconds for each probe, instead of TIMEOUTS.
    cancel: set it from another thread to stop; what was found until then is kept.
    parallel: children at a time.
    scheduler: address of a Dask cluster on which probes of files do their work.
    modest: the processor is for other programs first, such as a screen that a person looks at. What is read from scripts takes its
    share all the same: it is over in seconds, and the person waits for it.
    Closing the generator cancels.
    """
    cancel = cancel or threading.Event()
    events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
    groups: queue.SimpleQueue[list[Job]] = queue.SimpleQueue()
    able: list[Job] = []
    listed: Listed = {}
    for job in jobs:
        skipped = _skip(case, job, live, listed)
        if skipped is not None:
            yield Finished(job, skipped)
        else:
            able.append(job)
    for group in _groups(able, max(1, parallel)):
        groups.put(group)

    shared = _SharedImport(case, able)

    def work() -> None:
        try:
            while True:
                try:
                    group = groups.get_nowait()
                except queue.Empty:
                    break
                static = all(probes.load(job.probe).KIND is Kind.STATIC for job in group)
                warm = None if static else shared.process()
                _run_group(case, group, timeout, cancel, events.put, scheduler, modest and not static, warm)
        finally:
            events.put(None)  # whatever happened: run() waits for it

    threads = [threading.Thread(target=work, daemon=True) for _ in range(max(1, parallel))]
    for thread in threads:
        thread.start()
    running = len(threads)
    try:
        while running:
            event = events.get()
            if event is None:
                running -= 1
            else:
                yield event
    finally:
        cancel.set()
        for thread in threads:
            thread.join()
        shared.close()


class _SharedImport:
    """One import of MindSpore for all jobs that run the project's code, where there are several. It begins when the first job begins that
    is not read from scripts: until then the processors are for what the person waits for."""

    def __init__(self, case: Case, jobs: Sequence[Job]) -> None:
        self._case = case
        self._wanted = sum(probes.load(job.probe).KIND is Kind.LIVE for job in jobs) > 1
        self._process: WarmProcess | None = None
        self._lock = threading.Lock()

    def process(self) -> WarmProcess | None:
        """The process that imports it, started by the first call; None where each job is to start its own."""
        with self._lock:
            if self._wanted:
                self._wanted = False
                self._process = _warm(self._case)
            return self._process

    def close(self) -> None:
        if self._process is not None:
            self._process.close()


def _warm(case: Case) -> WarmProcess | None:
    from .live.child import interpreter
    from .live.warm import WarmProcess, available

    with suppress(UserError, OSError):  # each job tells it
        python = interpreter(case)
        return WarmProcess(python) if available() else None
    return None


def shared_child(name: str) -> Kind | None:
    """The kind of the probes with which a probe shares a child, as starting one takes longer than they do; None where it has a child of its
    own: what runs the project's code, and what reads data, which may be of any size, or takes long."""
    module, known = probes.load(name), durations.load()
    seconds = known.probes.get(name, known.kinds[module.KIND.value])
    small = module.KIND is Kind.FILE and not _reads_data(module) and seconds <= QUICK
    return module.KIND if module.KIND is Kind.STATIC or small else None


def _reads_data(module: Any) -> bool:
    return module.KIND is Kind.FILE and any(key.startswith("data.") for key in _keys(module))


def _groups(jobs: Sequence[Job], parallel: int) -> Iterator[list[Job]]:
    """The jobs of one child each, in the order in which they begin: what is read from scripts comes first, as it is certain and takes
    seconds, then what is read from files, then what runs the project's code. Within a kind data come last, which may be of any size, and
    what takes long comes after what is quick. Those that share a child are as many children as run at a time."""
    known = durations.load()

    def turn(job: Job) -> tuple[int, bool, float]:
        module = probes.load(job.probe)
        seconds = known.probes.get(job.probe, known.kinds[module.KIND.value])
        return STRENGTH[module.KIND], _reads_data(module), max(seconds, QUICK)

    shared: dict[Kind | None, list[Job]] = {}
    for job in sorted(jobs, key=turn):
        shared.setdefault(shared_child(job.probe), []).append(job)
    if static := shared.get(Kind.STATIC):
        yield static
    files = shared.get(Kind.FILE, [])
    yield from filter(None, (files[first::parallel] for first in range(parallel)))
    yield from ([job] for job in shared.get(None, []))


def reason_of(error: BaseException) -> Reason:
    """An error as the reason of a failed result: a UserError with its words in both languages, what the system says of a file as one
    (it may be gone since it was looked at), anything else by name."""
    if isinstance(error, OSError) and error.errno and error.filename is not None:
        error = from_os_error(
            error, os.fsdecode(error.filename) if isinstance(error.filename, bytes) else error.filename
        )
    if not isinstance(error, UserError):
        return Reason("raised", {"error": redacted(f"{type(error).__name__}: {error}")[:500]})
    data: dict[str, Any] = {}
    for key, value in error.data.items():
        if isinstance(value, UserError):
            data[key] = {language.value: value.text(language) for language in Language}
        else:
            data[key] = value if isinstance(value, (str, int, float, bool)) else str(value)
    return Reason(error.code, data)


def localised(case: Case, finding: Finding) -> Finding:
    """A finding that names files as they lie in the project, not on this machine. A diff and an excerpt of code stay as they are."""
    evidence = [_localised_evidence(case, each) for each in finding.evidence]
    named = {key: _local(case, getattr(finding.where, key)) for key in ("path", "name", "field")}
    where = msgspec.structs.replace(finding.where, **named)
    return msgspec.structs.replace(finding, where=where, data=_local(case, finding.data), evidence=evidence)


def localised_reason(case: Case, reason: Reason) -> Reason:
    """A reason, likewise."""
    return Reason(reason.code, _local(case, reason.data))


def _localised_evidence(case: Case, evidence: Evidence) -> Evidence:
    if isinstance(evidence, Table):
        return msgspec.structs.replace(evidence, rows=_local(case, evidence.rows))
    if isinstance(evidence, Note):
        return msgspec.structs.replace(evidence, text=case.local(evidence.text))
    if isinstance(evidence, Code):
        return msgspec.structs.replace(evidence, path=case.local(evidence.path))
    if isinstance(evidence, Tree):
        branches = [msgspec.structs.replace(each, text=case.local(each.text)) for each in evidence.branches]
        return msgspec.structs.replace(evidence, branches=branches)
    return evidence


def _local(case: Case, value: Any) -> Any:
    """Plain data, all texts in it local."""
    if isinstance(value, str):
        return case.local(value)
    if isinstance(value, dict):
        return {key: _local(case, below) for key, below in value.items()}
    return [_local(case, below) for below in value] if isinstance(value, (list, tuple)) else value


def unagreed(case: Case, jobs: Sequence[Job]) -> list[str]:
    """The addresses in the network that these jobs would read and that nobody agreed to."""
    if not case.unagreed():
        return []
    modules = [module for job in jobs if (module := probes.loaded(job.probe)) is not None]
    return case.unagreed({key for module in modules for key in _keys(module)})


def _skip(case: Case, job: Job, live: bool, listed: Listed) -> ProbeResult | None:
    """The result of a job that cannot or may not run, or None; `listed` as in fingerprint()."""
    try:
        module = probes.load(job.probe)
    except Exception as error:  # a probe of another package may fail in any way when imported
        reason = localised_reason(case, reason_of(error))
        return ProbeResult(job.probe, Kind.FILE, Status.FAILED, Verdict.UNDECIDED, reason=reason, started=now())
    if lacking := probes.missing(module, case):
        reason = Reason("missing-input", {"keys": lacking, "first": lacking[0].split(" ")[0]})
    elif module.KIND is Kind.LIVE and not live:
        reason = Reason("needs-consent")
    elif unagreed := case.unagreed(_keys(module)):
        reason = Reason("needs-address-consent", {"addresses": [redacted(address) for address in unagreed]})
    else:
        return None
    inputs = fingerprint(case, job, listed)
    return ProbeResult(
        job.probe,
        module.KIND,
        Status.SKIPPED,
        Verdict.UNDECIDED,
        reason=reason,
        started=now(),
        inputs=inputs,
        tool=__version__,
    )


def _keys(module: Any) -> list[str]:
    """The keys of a case that a probe reads."""
    needs = [key for need in module.NEEDS for key in ((need,) if isinstance(need, str) else need)]
    return [*needs, *getattr(module, "USES", ())]


def _run_group(
    case: Case,
    group: list[Job],
    timeout: float | None,
    cancel: threading.Event,
    emit: Callable[[Event], None],
    scheduler: str | None,
    modest: bool,
    warm: WarmProcess | None,
) -> None:
    """Run jobs in one child. When it dies, the jobs it did not finish are run one by one."""
    pending = [group]
    while pending:
        jobs = pending.pop(0)
        child = _Child(case, jobs, timeout, cancel, emit, scheduler, modest, warm)
        try:
            pending += [[job] for job in child.run(last=len(jobs) == 1)]
        except Exception as error:  # a fault of ours must fail these jobs, not hang the run
            child.stop_all(Status.FAILED, reason_of(error))


class _Child:
    """One worker process and what it has said so far."""

    def __init__(
        self,
        case: Case,
        jobs: list[Job],
        timeout: float | None,
        cancel: threading.Event,
        emit: Callable[[Event], None],
        scheduler: str | None,
        modest: bool,
        warm: WarmProcess | None,
    ) -> None:
        self.case, self.jobs, self.timeout, self.cancel, self.emit = case, jobs, timeout, cancel, emit
        self.scheduler, self.modest = scheduler, modest
        self.kinds = [probes.load(job.probe).KIND for job in jobs]
        self.warm = warm if Kind.LIVE in self.kinds else None
        self.findings: list[list[Finding]] = [[] for _ in jobs]
        self.inputs = ""
        self.listed: Listed = {}
        self.current = 0
        self.log = bytearray()
        self.buffer = bytearray()
        self.started = ""
        self.begin = 0.0

    def run(self, *, last: bool) -> list[Job]:
        """Run to the end. Unless `last`, a crash leaves the remaining jobs to the caller, who gets them returned."""
        self._begin_next()
        if self.cancel.is_set():
            return self.stop_all(Status.CANCELLED, Reason("cancelled"))
        with ExitStack() as stack:
            folder: Path | None = None
            with suppress(OSError):  # a probe that needs no room can do without
                folder = stack.enter_context(scratch())
            return self._run_in(folder, last)

    def _run_in(self, folder: Path | None, last: bool) -> list[Job]:
        """Run with a temporary folder: what is killed, as a cancelled probe is, does not remove its files."""
        request = msgspec.json.encode(Request(self.case, self.jobs, self.scheduler, self.modest))
        given = [] if folder is None else [str(folder)]
        variables = {} if folder is None else {"TMPDIR": str(folder)}
        try:
            process = subprocess.Popen(
                [sys.executable, "-m", "accucheck.worker", *given],
                env={**environment(), **variables, **(self.warm.variables() if self.warm else {})},
                pass_fds=[self.warm.socket.fileno()] if self.warm else [],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=Path(__file__).parents[1],  # -m puts it on the import path: it must not be the project's
                start_new_session=True,
            )
        except OSError as error:
            return self.stop_all(Status.FAILED, Reason("crashed", {"how": str(error)}))
        assert process.stdin and process.stdout and process.stderr
        stop: Reason | None = None
        try:
            try:
                process.stdin.write(len(request).to_bytes(8, "big") + request)
                process.stdin.flush()  # and stays open: the child ends when it closes
            except BrokenPipeError:
                pass
            stop = self._listen(process)
        finally:
            how = _end(process, gently=stop is not None)
            self._keep_log(_left_in(process.stderr))
            if stop is not None and stop.code == "cancelled":
                self._take(_left_in(process.stdout))  # found before it was cancelled, and not yet read
            for stream in (process.stdin, process.stdout, process.stderr):
                try:
                    stream.close()
                except BrokenPipeError:
                    pass
        if self.current >= len(self.jobs):
            return []
        if stop is not None and stop.code == "cancelled":
            return self.stop_all(Status.CANCELLED, stop)
        if stop is None and not last:
            return self.jobs[self.current :]
        reason = stop or Reason("crashed", {"how": how})
        self._finish(Status.FAILED, Verdict.UNDECIDED, time.monotonic() - self.begin, reason)
        return self.jobs[self.current :]

    def _limit(self) -> float | None:
        return self.timeout if self.timeout is not None else TIMEOUTS[self.kinds[self.current]]

    def _listen(self, process: subprocess.Popen[bytes]) -> Reason | None:
        """Take events and log until the child closes its channel or all jobs ended. A Reason when it must be stopped."""
        assert process.stdout and process.stderr
        with _Pipes({"events": process.stdout, "log": process.stderr}) as pipes:
            seen = time.monotonic()
            while self.current < len(self.jobs):
                over = _has_exited(process)  # before its last words are looked for
                ready, present = pipes.ready(0.1), time.monotonic()
                if (
                    present - seen > STOPPED
                ):  # we were stopped, not the child: what it said meanwhile waits in its pipes
                    self.begin += present - seen
                seen = present
                self._keep_log(ready.get("log", b""))  # before the events, whose end returns
                if ready.get("events") == b"":
                    return None
                if "events" in ready and (bad := self._take(ready["events"])) is not None:
                    return bad
                if over and "events" not in ready:
                    return None  # though something that it started may hold its channel open
                if self.cancel.is_set():
                    return Reason("cancelled")
                if self.current < len(self.jobs):
                    limit = self._limit()
                    if limit is not None and time.monotonic() - self.begin > limit:
                        return Reason("timeout", {"seconds": limit})
        return None

    def _keep_log(self, data: bytes) -> None:
        self.log += data
        del self.log[:-LOG_BYTES]

    def _take(self, data: bytes) -> Reason | None:
        """Handle the whole lines of the event channel; a Reason when one is not ours."""
        self.buffer += data
        if b"\n" not in data:  # the middle of a long line: not to be searched again and again
            return Reason("bad-event") if len(self.buffer) > EVENT_BYTES else None
        *lines, rest = self.buffer.split(b"\n")
        self.buffer = bytearray(rest)
        for text in lines:
            try:
                line = msgspec.json.decode(text, type=ChannelLine)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                return Reason("bad-event")
            told = line.finding or (line.end and line.end.reason)
            if line.job != self.current or (told and too_deep(told.data)):
                return Reason("bad-event")
            job = self.jobs[self.current]
            if line.finding is not None:
                self.findings[self.current].append(line.finding)
                self.emit(FindingEvent(job, line.finding))
            elif line.progress is not None:
                self.emit(ProgressEvent(job, line.progress))
            elif line.end is not None:
                end = line.end
                self._finish(end.status, end.suggestion, end.seconds, end.reason, end.log)
                if self.current < len(self.jobs):
                    self._begin_next()
        return None

    def _begin_next(self) -> None:
        job = self.jobs[self.current]
        self.started, self.begin = now(), time.monotonic()
        self.inputs = fingerprint(self.case, job, self.listed)
        self.log.clear()
        self.emit(Started(job))

    def _finish(
        self, status: Status, verdict: Verdict, seconds: float, reason: Reason | None = None, trace: str = ""
    ) -> None:
        job, findings = self.jobs[self.current], self.findings[self.current]
        if status is not Status.DONE:  # what was found still counts, but "nothing found yet" is no answer
            verdict = Verdict.PROBLEM if suggest(findings) is Verdict.PROBLEM else Verdict.UNDECIDED
        log = redacted(trace if status is Status.DONE or trace else self.log.decode("utf-8", "replace")[-4000:])
        self.listed = {}  # to be listed anew, for the job that comes next too
        if fingerprint(self.case, job, self.listed) != self.inputs:
            self.inputs = ""  # an input changed meanwhile: the result is stale from the start
        result = ProbeResult(
            probe=job.probe,
            kind=self.kinds[self.current],
            status=status,
            suggestion=verdict,
            findings=findings,
            seconds=round(seconds, 3),
            started=self.started,
            reason=reason,
            log=log,
            inputs=self.inputs,
            tool=__version__,
            own_training=getattr(probes.load(job.probe), "OWN_TRAINING", False),
        )
        self.current += 1
        self.emit(Finished(job, result))

    def stop_all(self, status: Status, reason: Reason) -> list[Job]:
        """Finish the current and all remaining jobs alike."""
        while self.current < len(self.jobs):
            self._finish(status, Verdict.UNDECIDED, time.monotonic() - self.begin, reason)
            if self.current < len(self.jobs):
                self._begin_next()
        return []


class _Pipes:
    """Pipes of a child that are read as soon as they hold something; an empty piece is the end of one. Where pipes cannot be waited for
    together, a thread reads each."""

    def __init__(self, pipes: dict[str, IO[bytes]]) -> None:
        self._pipes = pipes
        self._selector = selectors.DefaultSelector() if system.GROUPS else None
        self._read: queue.SimpleQueue[tuple[str, bytes]] = queue.SimpleQueue()

    def __enter__(self) -> _Pipes:
        for name, pipe in self._pipes.items():
            if self._selector is not None:
                self._selector.register(pipe, selectors.EVENT_READ, name)
            else:
                threading.Thread(target=self._take, args=(name, pipe.fileno()), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._selector is not None:
            self._selector.close()

    def ready(self, wait: float) -> dict[str, bytes]:
        """What has come, by pipe, after at most `wait` seconds."""
        if self._selector is None:
            return self._taken(wait)
        found = {}
        for key, _ in self._selector.select(wait):
            found[key.data] = data = os.read(key.fd, 1 << 16)
            if not data:
                self._selector.unregister(key.fileobj)
        return found

    def _taken(self, wait: float) -> dict[str, bytes]:
        with suppress(queue.Empty):
            return dict([self._read.get(timeout=wait)])
        return {}

    def _take(self, name: str, descriptor: int) -> None:
        with suppress(OSError):  # closed by whoever has heard enough
            while data := os.read(descriptor, 1 << 16):
                self._read.put((name, data))
        self._read.put((name, b""))


def _left_in(pipe: IO[bytes]) -> bytes:
    """What an ended child left in a pipe: no more than a pipe holds, as something that the child started may still write to it."""
    left = bytearray()
    if not system.GROUPS:  # pipes of such a system are read to their end by threads
        return b""
    os.set_blocking(pipe.fileno(), False)
    with suppress(BlockingIOError):
        while len(left) < PIPE_BYTES and (data := os.read(pipe.fileno(), 1 << 16)):
            left += data
    return bytes(left)


def _has_exited(process: subprocess.Popen[bytes]) -> bool:
    """Whether it has ended; it stays to be waited for."""
    return system.has_exited(process)


def _end(process: subprocess.Popen[bytes], *, gently: bool) -> str:
    """End a child, its whole process group, and what it started in groups of their own; says how the child itself ended.

    The group is signalled while the child is still unreaped, so that its id cannot belong to anybody else.
    """

    def exited(wait: float) -> bool:
        deadline = time.monotonic() + wait
        while True:
            if _has_exited(process):
                return True
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.01)

    started = set(descendants(process.pid))
    if gently and not exited(0):
        system.end_group(process, gently=True)
    exited(GRACE)
    started.update(descendants(process.pid))
    system.end_group(process, gently=False)
    end(started)
    code = process.wait()
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


# --- which inputs a result belongs to ---------------------------------------------------------------------------------

#: Entries of a folder, of each ending by itself, that go into a fingerprint; enough to see that it was touched, cheap for millions.
FINGERPRINT_ENTRIES = 2000
#: Bytes up to which a script or a configuration file is read for a fingerprint.
_READ = 1 << 16


class _FileStat(NamedTuple):
    path: bytes
    size: int
    time: int


#: What scripts are made of, and the settings they load.
SCRIPT_FILES = (".py", ".ipynb", ".yaml", ".yml", ".json")
#: Sections of a case that name what trainings left: a probe that looks at one says so, others are not concerned.
_COLLECTED = frozenset({"batches", "checkpoints", "curves", "dumps", "outputs"})
_LEFT = _COLLECTED | {"watched", "graphs", "profiler"}


def fingerprint(case: Case, job: Job, listed: Listed | None = None) -> str:
    """A digest of what a job depends on: parameters, checklist version, the case's section, and the files: of scripts and configuration
    files what they hold, of others size and time. It is the same where the project lies in another folder.

    `listed` keeps what was listed for one job, so that the others of the same moment need not list it again.

    A probe's section is what stands before the first dot of the keys it needs. Static and live probes also depend on
    every script and configuration file of the project, and on what the case says beside naming what trainings left.
    """
    from hashlib import blake2b

    module = probes.loaded(job.probe)
    if module is None:
        return ""
    sections = sorted({key.partition(".")[0] for key in _keys(module)})
    state: list[Any] = [job.probe, job.params, job.version]
    values = [msgspec.to_builtins(case.get(section)) for section in sections]
    state.append(values)
    for text in _strings(values):
        path = case.path(text)
        try:
            if path.is_dir():
                state += _listed(case, path, False, listed)
            elif path.exists():
                state.append(_identity(case, _stat(path), os.fspath(path).endswith(SCRIPT_FILES)))
        except (OSError, ValueError):  # ValueError: a NUL byte in the name
            continue
    for name in getattr(module, "OWN_FILES", ()):
        path = Path(case.root, name)
        state += _identity(case, _stat(path), False) if path.exists() else [name]
    if module.KIND is not Kind.FILE:
        said = msgspec.to_builtins(case.spec)
        state += [sorted((key, value) for key, value in said.items() if key not in _COLLECTED)]
        state += _listed(case, Path(case.root), True, listed)
    # repr, not JSON: a file name need not be UTF-8
    return blake2b(repr(state).encode("utf-8", "backslashreplace"), digest_size=12).hexdigest()


def recorded(case: Case, name: str) -> float | None:
    """When a training left what a probe looks at, the newest of it; None for a probe that looks at anything else too."""
    module = probes.loaded(name)
    if module is None or module.KIND is not Kind.FILE:
        return None
    given = [key for key in _keys(module) if case.get(key) is not None]
    if any(key.partition(".")[0] == "data" for key in given):
        return None
    times = []
    for path in (path for key in given if key.partition(".")[0] in _LEFT for path in case.paths(key)):
        with suppress(OSError, ValueError):
            times.append(path.stat().st_mtime)
    return max(times, default=None)


def scripts_changed(case: Case) -> float:
    """When a script of the project was changed last; 0.0 where there is none."""
    return max((stat.time / 1e9 for stat in _stats(Path(case.root), (".py", ".ipynb"))), default=0.0)


def _listed(case: Case, folder: Path, scripts: bool, listed: Listed | None) -> list[Any]:
    key = folder, scripts
    if listed is not None and key in listed:
        return listed[key]
    found = [_identity(case, stat, scripts) for stat in _stats(folder, SCRIPT_FILES if scripts else ("",))]
    if listed is not None:
        listed[key] = found
    return found


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for below in value.values():
            yield from _strings(below)
    elif isinstance(value, list):
        for below in value:
            yield from _strings(below)


def _stat(path: Path) -> _FileStat:
    status = path.stat()
    return _FileStat(os.fsencode(path), status.st_size, status.st_mtime_ns)


def _identity(case: Case, stat: _FileStat, read: bool) -> tuple[bytes, int, int | bytes]:
    """A file by its name in the project, its size, and its time or, where it is to be read and is small, what it holds: a copy or a
    checkout of the project is the same."""
    name = stat.path.removeprefix(os.fsencode(os.path.join(case.root, "")))
    return name, stat.size, _digest(*stat) if read and stat.size <= _READ else stat.time


@lru_cache(maxsize=5 * FINGERPRINT_ENTRIES)
def _digest(path: bytes, size: int, time: int) -> int | bytes:
    """Of what a file of this size and time holds; the time where it cannot be read."""
    from hashlib import blake2b

    try:
        descriptor = os.open(path, system.READ | system.NONBLOCK)  # a pipe of that name must not hold us up
    except OSError:
        return time
    try:
        return blake2b(os.read(descriptor, _READ), digest_size=12).digest()
    except OSError:
        return time
    finally:
        os.close(descriptor)


#: How sessions, JSON reports and differences begin, which may lie in the project: to write one makes no result stale.
_OWN = re.compile(rb'\s*\{\s*"version":\s*\d+,\s*"(tool|case|same)":')


@lru_cache(maxsize=FINGERPRINT_ENTRIES)
def _is_own(path: bytes, size: int, time: int) -> bool:
    """Whether accucheck wrote a JSON file of this size and time."""
    descriptor = os.open(path, system.READ | system.NONBLOCK)  # a pipe of that name must not hold us up
    try:
        return _OWN.match(os.read(descriptor, 64)) is not None
    finally:
        os.close(descriptor)


def _stats(folder: Path, endings: tuple[str, ...]) -> list[_FileStat]:
    """Files below a folder, of each ending at most FINGERPRINT_ENTRIES: annotations in JSON may not hide scripts."""
    from .case import FILE_NAME, IGNORED

    found: list[_FileStat] = []
    left = dict.fromkeys(endings, FINGERPRINT_ENTRIES)
    for base, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in IGNORED and not name.startswith("."))
        for name in sorted(files):
            if not name.endswith(endings) or name == FILE_NAME:
                continue
            ending = next(ending for ending in endings if name.endswith(ending))
            if not left[ending]:
                continue
            try:
                stat = _stat(Path(base, name))
                if name.endswith(".json") and _is_own(*stat):
                    continue
            except OSError:
                continue
            found.append(stat)
            left[ending] -= 1
            if not any(left.values()):
                return found
    return found
