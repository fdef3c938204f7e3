"""Studies of hyper-parameters as Optuna keeps them: opened in any storage that it knows, trials whose process was killed taken up again,
and what it knows as plain records.

The only module that knows Optuna, which is imported when a study is opened.
"""

from __future__ import annotations

import os
import shlex
import socket
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from .case import redacted
from .errors import SaveError, UserError, from_os_error
from .lacking import requirement
from .model import now
from .search_space import Search, Space
from .store import FOLDER, require_own
from .study_results import Axis, StudyResults, Trial

#: Where a study lies that no storage is named for, in the project.
FILE = f"{FOLDER}/tune.db"
#: How the address of a file begins that Optuna keeps as a journal, which suits a shared folder better than SQLite does.
JOURNAL = "journal://"
#: How the name of a database of SQLite ends, and how its content begins.
DATABASES, _SQLITE = (".db", ".sqlite", ".sqlite3"), b"SQLite format 3\0"
#: Seconds that a locked database is waited for, after which a process on another machine is given up that told nothing, between two signs
#: of life, and that a trial may be without an owner.
_PATIENCE, _SILENT, _ALIVE, _ORPHAN = 10, 300.0, 30.0, 5.0
#: Trainings without which importance is not told (own choice), and trials that are kept as records.
_TELLING, _KEPT = 8, 1000
#: Pruners by name: one gives up what is below the median of the others at the same point, one by rounds of rising length.
PRUNERS = ("median", "hyperband", "none")
#: Trainings before the sampler goes by what they gave, and that come to their end before any is given up; points of each (own choice).
_STARTUP, _WARMUP = 4, 1


class StudyIdentity(msgspec.Struct, frozen=True):
    """What a study is of; trials of another project, command, code or search cannot be set beside its own."""

    command: list[str]
    search: dict[str, str]
    state: str
    metric: str = ""


class Study:
    """A study that is open. All of its methods raise UserError for what the storage says."""

    def __init__(self, study: Any, url: str, about: StudyIdentity, search: Search) -> None:
        self._study, self._url, self.about, self.search = study, url, about, search
        self.metric, self.least = str(study.user_attrs.get("metric", "")), study.direction.name == "MINIMIZE"
        self._told_alive = 0.0

    @property
    def name(self) -> str:
        return str(self._study.study_name)

    # --- trials -------------------------------------------------------------------------------------------------------

    def records(self) -> list[Trial]:
        """What came of trials, in their order."""
        with _stored(self._url):
            trials = self._study.get_trials(deepcopy=False)
        found = []
        for trial in trials:
            if "result" in trial.user_attrs:
                with suppress(msgspec.ValidationError):
                    kept = msgspec.convert(trial.user_attrs["result"], Trial)
                    found.append(msgspec.structs.replace(kept, number=trial.number))
        return found[-_KEPT:]

    def due(self) -> list[PendingTrial]:
        """The trials that run or wait."""
        with _stored(self._url):
            trials = self._study.get_trials(deepcopy=False)
        return [
            PendingTrial(
                one.user_attrs.get("kind", "search"),
                one.user_attrs.get("of", -1),
                one.user_attrs.get("seed", 1),
                one.state.name == "WAITING",
                "owner" in one.user_attrs,
            )
            for one in trials
            if not one.state.is_finished() and "result" not in one.user_attrs
        ]

    def enqueue(self, values: Mapping[str, str], **known: Any) -> None:
        """Have a trial run next: with these values, as texts, and what is `known` of it: kind, of, seed."""
        with _stored(self._url):
            self._study.enqueue_trial(_params(self.search, values), user_attrs=known)

    def add(self, result: Trial, steps: Mapping[int, float]) -> None:
        """Take in a trial that was run already; `steps` is the metric at its points."""
        from optuna.trial import TrialState, create_trial

        spaces = {knob.space.name: knob.space for knob in self.search.knobs}
        params = _params(self.search, result.values)
        with _stored(self._url):
            self._study.add_trial(
                create_trial(
                    state=TrialState.COMPLETE if result.whole else TrialState.PRUNED,
                    value=result.value if result.whole else None,
                    params=params,
                    distributions={name: _distribution(spaces[name]) for name in params},
                    user_attrs={"kind": result.kind, "seed": result.seed, "result": msgspec.to_builtins(result)},
                    intermediate_values=dict(steps),
                )
            )

    def ask(self) -> RequestedTrial:
        """The next trial: one that waits, else one that the sampler chooses."""
        with _stored(self._url):
            trial = self._study.ask()
            trial.set_user_attr("owner", _owner())
            attrs, values = trial.user_attrs, {}
            if not attrs.get("unseen"):
                values = {knob.space.name: _suggested(trial, knob.space) for knob in self.search.knobs}
        return RequestedTrial(
            trial, attrs.get("kind", "search"), int(attrs.get("of", -1)), int(attrs.get("seed", 1)), values, self._url
        )

    def keep(self, asked: RequestedTrial, result: Trial) -> None:
        """Keep what came of a trial. One without a metric, or with one that is not finite, counts as bad for the sampler."""
        from optuna.trial import TrialState

        with _stored(self._url):
            asked.trial.set_user_attr("result", msgspec.to_builtins(result))
            if result.whole:
                self._study.tell(asked.trial, result.value, skip_if_finished=True)
            else:
                self._study.tell(asked.trial, state=TrialState.PRUNED, skip_if_finished=True)

    def give_back(self, asked: RequestedTrial) -> None:
        """Let a trial that was stopped before it had a result be run again."""
        from optuna.trial import TrialState

        with _stored(self._url):
            self._again(asked.number, asked.values, asked.trial.user_attrs)
            self._study.tell(asked.trial, state=TrialState.FAIL, skip_if_finished=True)

    def recover(self) -> int:
        """Take up trials whose process has ended: those with a result are told, the others are run again. How many these were."""
        with _stored(self._url):
            trials = self._study.get_trials(deepcopy=False)
            lost = [trial for trial in trials if trial.state.name == "RUNNING" and _is_lost(trial)]
            for trial in lost:
                self._take_up(trial)
        return len(lost)

    def _take_up(self, trial: Any) -> None:
        from optuna.trial import TrialState

        with suppress(ValueError):  # another process has taken it up meanwhile
            if "result" in trial.user_attrs:
                result = msgspec.convert(trial.user_attrs["result"], Trial)
                told = {"values": result.value} if result.whole else {"state": TrialState.PRUNED}
                self._study.tell(trial.number, **told)
                return
            spaces = {knob.space.name: knob.space for knob in self.search.knobs}
            values = {name: spaces[name].text_of(value) for name, value in trial.params.items() if name in spaces}
            self._again(trial.number, values, trial.user_attrs)
            self._study.tell(trial.number, state=TrialState.FAIL)

    def _again(self, number: int, values: Mapping[str, str], attrs: Mapping[str, Any]) -> None:
        """Enqueue a trial once more, unless that was done already."""
        if any(trial.user_attrs.get("again") == number for trial in self._study.get_trials(deepcopy=False)):
            return
        known = {key: attrs[key] for key in ("kind", "of", "seed", "unseen") if key in attrs}
        if values or known:  # else it has hardly begun, and the next is as good
            self.enqueue(values, **known, again=number)

    def alive(self, asked: RequestedTrial) -> None:
        """A sign of life of the trial that runs, now and then, for processes on other machines."""
        if time.monotonic() - self._told_alive > _ALIVE:
            self._told_alive = time.monotonic()
            with _stored(self._url):
                asked.trial.set_user_attr("alive", time.time())

    # --- the whole ----------------------------------------------------------------------------------------------------

    def tuned(self) -> StudyResults:
        """All of it as a record."""
        axes = [
            Axis(space.name, space.text, [*space.choices], space.low, space.high, space.log)
            for space in (knob.space for knob in self.search.knobs)
        ]
        return StudyResults(
            command=self.about.command,
            study=self.name,
            storage=FILE if self._url.endswith(f"/{FILE}") else redacted(self._url),
            metric=self.metric,
            least=bool(self.least),
            axes=axes,
            trials=self.records(),
            importance=self._importance(),
            when=now(),
        )

    def _importance(self) -> dict[str, float]:
        from optuna.importance import get_param_importances
        from optuna.trial import TrialState

        names = [knob.space.name for knob in self.search.knobs]
        with _stored(self._url):
            whole = self._study.get_trials(deepcopy=False, states=[TrialState.COMPLETE])
            if len(names) < 2 or sum(bool(trial.params) for trial in whole) < _TELLING:
                return {}
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    found = get_param_importances(self._study, params=names)
            except (ValueError, RuntimeError):  # all trials alike
                return {}
        return {str(name): round(float(share), 4) for name, share in found.items()}


class PendingTrial(NamedTuple):
    """A trial that waits, or that somebody is at; `owned`: it is known who that is."""

    kind: str
    of: int
    seed: int
    waits: bool
    owned: bool


class RequestedTrial(NamedTuple):
    """A trial that is to be run, with its values as texts; empty: the command's own, which are not seen."""

    trial: Any
    kind: str
    of: int
    seed: int
    values: dict[str, str]
    url: str

    @property
    def number(self) -> int:
        return int(self.trial.number)

    def report(self, value: float, step: int) -> None:
        """Tell what the metric is at a point."""
        with _stored(self.url):
            self.trial.report(value, step)

    def hopeless(self) -> bool:
        """Whether it is to be given up, by what was reported."""
        with _stored(self.url):
            return bool(self.trial.should_prune())


def _params(search: Search, values: Mapping[str, str]) -> dict[str, Any]:
    """Values as Optuna has them, from texts."""
    spaces = {knob.space.name: knob.space for knob in search.knobs}
    return {name: _param(spaces[name], value) for name, value in values.items() if name in spaces}


def _param(space: Space, value: str) -> Any:
    held = space.held(value)
    if held is None or isinstance(held, str):
        return value if held is None else held
    return int(held) if space.whole else held


def _distribution(space: Space) -> Any:
    from optuna import distributions

    if space.choices:
        return distributions.CategoricalDistribution(space.choices)
    if space.whole:
        step = 1 if space.log else int(space.step) or 1
        return distributions.IntDistribution(int(space.low), int(space.high), log=space.log, step=step)
    return distributions.FloatDistribution(space.low, space.high, log=space.log, step=space.step or None)


def _suggested(trial: Any, space: Space) -> str:
    """The value of one setting, as a text."""
    name = space.name
    if space.choices:
        return space.text_of(trial.suggest_categorical(name, list(space.choices)))
    if space.whole:
        step = 1 if space.log else int(space.step) or 1
        return space.text_of(trial.suggest_int(name, int(space.low), int(space.high), log=space.log, step=step))
    return space.text_of(trial.suggest_float(name, space.low, space.high, log=space.log, step=space.step or None))


# --- opening ------------------------------------------------------------------------------------------------------------


def require_known(storage: str) -> None:
    """Raises UserError for what is neither an address nor by its ending, or its content, a database of SQLite."""
    if not storage or "://" in storage or storage.lower().endswith(DATABASES):
        return
    try:
        with Path(storage).open("rb") as stream:
            if stream.read(len(_SQLITE)) == _SQLITE:
                return
    except (OSError, ValueError):
        pass
    raise UserError("tune-no-storage", storage=storage, endings=", ".join(DATABASES))


def address(root: Path, storage: str) -> str:
    """The address of a storage: that which is given, else a file of the project. Raises UserError, SaveError."""
    require_known(storage)
    if storage:
        return storage if "://" in storage else f"sqlite:///{os.path.abspath(storage)}"
    folder = root / FOLDER
    require_own(folder, root)
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise from_os_error(error, folder, SaveError) from None
    return f"sqlite:///{root.resolve() / FILE}"


def name_of(case: str, about: StudyIdentity) -> str:
    """What a study is called that nobody named: the same for the same command, code and search, so that it goes on."""
    told = blake2b(msgspec.json.encode(about), digest_size=4).hexdigest()
    return f"{case}-{told}"


class Store(NamedTuple):
    """A storage that is open."""

    storage: Any
    url: str

    def find(self, name: str) -> bool:
        """Whether there is a study of this name, with a metric."""
        optuna = _optuna()
        with _stored(self.url):
            found = optuna.get_all_study_summaries(self.storage, include_best_trial=False)
        return any(one.study_name == name and "metric" in one.user_attrs for one in found)

    def open(self, name: str, about: StudyIdentity, search: Search, **given: Any) -> Study:
        """The study of this name. Raises UserError where it is of something else. `given` as in `make`, but for the metric."""
        return self.make(name, about, search, metric="", **given)

    def make(
        self,
        name: str,
        about: StudyIdentity,
        search: Search,
        *,
        metric: str,
        least: bool = False,
        pruner: str = "median",
        seed: int | None = None,
    ) -> Study:
        """The study of this name, made where there is none: its metric, and whether a lower one is better, are fixed then. `seed`: of the
        sampler. Raises UserError where it is of something else."""
        optuna = _optuna()
        with _stored(self.url):
            study = optuna.create_study(
                study_name=name,
                storage=self.storage,
                direction="minimize" if least else "maximize",
                load_if_exists=True,
                sampler=optuna.samplers.TPESampler(seed=seed, n_startup_trials=_STARTUP),
                pruner=_pruner(optuna, pruner),
            )
            known = study.user_attrs
            if "about" not in known:
                if study.get_trials(deepcopy=False):
                    raise UserError("tune-foreign-study", name=name)
                study.set_user_attr("about", msgspec.to_builtins(about))
            if "metric" not in known and metric:
                study.set_user_attr("metric", metric)
        _require_same(name, msgspec.convert(known["about"], StudyIdentity) if "about" in known else about, about)
        return Study(study, self.url, about, search)


def _require_same(name: str, theirs: StudyIdentity, ours: StudyIdentity) -> None:
    """Raises UserError where a study is of something else than what is asked for."""
    for part in ("command", "search", "state", "metric"):
        if getattr(theirs, part) != getattr(ours, part):
            told = {"theirs": _told(getattr(theirs, part)), "ours": _told(getattr(ours, part))}
            raise UserError(f"tune-other-{part}", name=name, **told)


def _told(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(value.values())
    return shlex.join(value) if isinstance(value, list) else str(value)


def open_store(url: str) -> Store:
    """Raises UserError where it cannot be opened."""
    optuna = _optuna()
    with _stored(url):
        if url.startswith(JOURNAL):
            from optuna.storages.journal import JournalFileBackend

            return Store(optuna.storages.JournalStorage(JournalFileBackend(url.removeprefix(JOURNAL))), url)
        given = {"connect_args": {"timeout": _PATIENCE}} if url.startswith("sqlite") else {}
        return Store(optuna.storages.RDBStorage(url, engine_kwargs=given), url)


def _optuna() -> Any:
    try:
        import optuna
    except ImportError:
        raise UserError("tune-missing", install=requirement("tune")) from None
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    warnings.filterwarnings("ignore", module=r"optuna(\..*)?")
    return optuna


def _pruner(optuna: Any, name: str) -> Any:
    if name == "median":
        return optuna.pruners.MedianPruner(n_startup_trials=_STARTUP, n_warmup_steps=_WARMUP)
    return optuna.pruners.HyperbandPruner() if name == "hyperband" else optuna.pruners.NopPruner()


@contextmanager
def _stored(url: str) -> Iterator[None]:
    """What a storage raises within, as UserError: that it is locked, or what else it says."""
    try:
        yield
    except UserError:
        raise
    except Exception as error:
        if not _of_storage(error):
            raise
        said = str(error.__cause__ or error).strip().partition("\n")[0]
        code = "tune-locked" if "locked" in said.lower() else "tune-storage"
        raise UserError(code, storage=redacted(url), problem=redacted(said)[:300]) from None


def _of_storage(error: Exception) -> bool:
    """Whether an error comes from the storage: Optuna's own, that of SQLAlchemy or of a driver, or of the file."""
    modules = {kind.__module__.partition(".")[0] for kind in type(error).__mro__}
    return bool(modules & {"optuna", "sqlalchemy", "alembic", "sqlite3"}) or isinstance(error, (ImportError, OSError))


# --- who is at a trial --------------------------------------------------------------------------------------------------


def _owner() -> dict[str, Any]:
    return {"host": _host(), "pid": os.getpid(), "began": _began(os.getpid())}


def _host() -> str:
    """This machine, and within it the container: the same process numbers elsewhere are other processes."""
    space = ""
    with suppress(OSError):
        space = str(Path("/proc/self/ns/pid").readlink())
    return f"{socket.gethostname()} {space}".strip()


def _began(pid: int) -> str:
    """When a process began, by the clock of the kernel; empty where that is not told, or there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


def _is_lost(trial: Any) -> bool:
    """Whether nobody is at a trial any more that is said to run."""
    owner = trial.user_attrs.get("owner")
    begun = trial.datetime_start.timestamp() if trial.datetime_start is not None else 0.0
    if not isinstance(owner, dict):
        return time.time() - begun > _ORPHAN
    if owner.get("host") != _host():
        return time.time() - max(begun, float(trial.user_attrs.get("alive", 0.0))) > _SILENT
    pid = int(owner.get("pid", 0))
    if pid == os.getpid():
        return False
    if _began(pid) != owner.get("began"):
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False
