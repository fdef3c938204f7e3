"""One case, its checklists and its session together: what the walkthrough and the command line both stand on."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from . import case as cases
from . import checklist as checklists_
from . import consent, engine
from . import probe as probes
from .case import Case
from .checklist import Checklist, Item
from .demo import REPORTS
from .errors import SaveError, UserError, from_os_error
from .model import Kind, ProbeResult, Status, Verdict
from .readers.recordings import command as watched_command
from .readers.recordings import latest
from .session import MAX_ATTACHMENT, Entry, Record, Session, open_alone, open_session, suggestion
from .store import ATTACHMENTS, require_own, write_together
from .suppressing import Inline, apply_baseline

if TYPE_CHECKING:
    from .difference import Side
    from .proposal import Survey

#: What the data are compared with: one of these.
_REFERENCES = (("data.reference.path", "data.reference.manifest", "data.reference.known"),)


class Project:
    """`session` is None when nothing is to be recorded (`--no-session`); `survey` is what the case was taken from, where it has no
    file."""

    def __init__(
        self, case: Case, checklists: list[Checklist], session: Session | None, survey: Survey | None = None
    ) -> None:
        self.case = case
        self.survey = survey
        self.checklists = checklists
        self.session = session
        self.inline = Inline(case)
        #: What was there before, where a baseline is given: it does not count in outcome().
        self.baseline: Side | None = None
        self.use(checklists)

    def use(self, checklists: list[Checklist]) -> None:
        """Go on with these checklists. Raises UserError when they have an item in common."""
        checklists_.check_apart(checklists)
        self.checklists = checklists
        if self.session is not None:
            self.session.describe(self.case.name, {checklist.name: checklist.version for checklist in checklists})

    @property
    def reports(self) -> Path:
        """Where its reports go by default: its folder `reports`; of a session without its project, the folder of that."""
        return Path(self.case.root) if self.case.alone else Path(self.case.root, REPORTS)

    @property
    def items(self) -> list[Item]:
        return [item for checklist in self.checklists for item in checklist.items]

    def jobs(
        self,
        only: Collection[str] = (),
        kinds: Collection[Kind] = (),
        again: Collection[tuple[str, str]] | None = None,
    ) -> list[engine.Job]:
        """The jobs of the items that apply (all, or those named, by themselves or by their group, which then need not apply).

        again: only those that make the results of these (item, probe) anew, whether the items still apply or not.
        Raises UserError where there is no project to examine.
        """
        self.need_project()
        only = self.named(only)
        facts = self.case.facts()
        return [
            engine.Job(item.id, use.name, use.params, checklist.version)
            for checklist in self.checklists
            for item in checklist.items
            if (item.id in only if only else again is not None or item.applicable(facts))
            for use in item.uses
            if again is None or (item.id, use.name) in again
            if not kinds or _kind(use.name) in (None, *kinds)
        ]

    def named(self, names: Collection[str]) -> list[str]:
        """The ids of the items named, each by its id or by that of its group. Raises UserError for a name that is neither."""
        return [item for name in names for item in checklists_.named(self.checklists, name)]

    def ruled_out(self) -> set[str]:
        """The items that do not apply to this case, by what it says of itself."""
        facts = self.case.facts()
        return {item.id for item in self.items if not item.applicable(facts)}

    def need_project(self) -> None:
        """Raise UserError where there is only a session, which came without its project."""
        if self.case.alone:
            raise UserError("session-alone", path=str(self.session.path) if self.session else self.case.root)

    def would_run_code(self, jobs: Sequence[engine.Job]) -> bool:
        """Whether a live probe among the jobs has all it needs, so that it would run the project's own code."""
        return any(
            _kind(job.probe) is Kind.LIVE and not probes.missing(probes.load(job.probe), self.case) for job in jobs
        )

    def agree(self) -> None:
        """Let this project's probes read from all addresses that its case names."""
        self.case = consent.with_agreed(self.case, self.case.unagreed())

    def run(
        self,
        jobs: Sequence[engine.Job],
        *,
        live: bool = False,
        timeout: float | None = None,
        cancel: threading.Event | None = None,
        parallel: int = 1,
        scheduler: str | None = None,
        modest: bool = False,
    ) -> Iterator[engine.Event]:
        """engine.run, with what comments of the code set aside marked, and each result recorded before its Finished is yielded. A
        cancelled probe replaces no complete result, and leaves none where it had found nothing yet.

        When a result cannot be saved the run goes on, and SaveError is raised at its end.
        """
        failed: SaveError | None = None
        for event in engine.run(
            self.case,
            jobs,
            live=live,
            timeout=timeout,
            cancel=cancel,
            parallel=parallel,
            scheduler=scheduler,
            modest=modest,
        ):
            if isinstance(event, engine.Finished):
                event = engine.Finished(event.job, self.inline.apply(event.job.item, event.result))
            if isinstance(event, engine.Finished) and self.session is not None and self._says_more(event):
                try:
                    self.session.record_result(event.job.item, event.result)
                    failed = None  # what could not be saved before was saved with it
                except SaveError as error:
                    failed = error
            yield event
        if failed is not None:
            raise failed

    def _says_more(self, event: engine.Finished) -> bool:
        """Whether a result says more than what is recorded of its probe: one that was cancelled does so only where it found something,
        and nothing complete is there."""
        result = event.result
        if result.status is not Status.CANCELLED:
            return True
        assert self.session is not None
        known = self.session.entry(event.job.item).results.get(result.probe)
        return bool(result.findings) and (known is None or known.status is not Status.DONE)

    def outcome(
        self, results: Sequence[tuple[str, ProbeResult]], only: Collection[str] = ()
    ) -> tuple[Record, list[Checklist]]:
        """One run's results beside the session's conclusions, what the baseline knows set aside, and the checklists narrowed to `only`."""
        entries: dict[str, Entry] = {}
        for item in self.items:
            known = self.session.entry(item.id) if self.session else Entry()
            own = [result for name, result in results if name == item.id]
            if self.baseline is not None:
                own = apply_baseline(self.baseline, item.id, own)
            mine = {result.probe: result for result in own}
            entries[item.id] = msgspec.structs.replace(known, results=mine)
        return Record(case=self.case.name, entries=entries), [_narrow(checklist, only) for checklist in self.checklists]

    def recorded(self) -> list[tuple[str, ProbeResult]]:
        """(item, result) of everything recorded for the items of the checklists, weighed."""
        entries = [(item.id, self.session.entry(item.id)) for item in self.items] if self.session else []
        return [(item, result) for item, entry in entries for result in entry.weighed.values()]

    def settled(self) -> set[str]:
        """The items that a person concluded to be in order, or not to apply."""
        fine = (Verdict.OK, Verdict.NOT_APPLICABLE)
        return {item.id for item in self.items if self.session and self.session.entry(item.id).conclusion in fine}

    def stale(self) -> set[tuple[str, str]]:
        """(item, probe) of every finished result whose inputs, parameters or checklist changed since it ran, and of every one that was
        cancelled.

        Looks at size and time of the inputs, so it takes as long as listing them once.
        """
        if self.session is None or self.case.alone:
            return set()
        found = set()
        listed: engine.Listed = {}
        for checklist in self.checklists:
            for item in checklist.items:
                results = self.session.entry(item.id).results
                jobs = {use.name: engine.Job(item.id, use.name, use.params, checklist.version) for use in item.uses}
                for name, result in results.items():
                    if result.status is Status.CANCELLED or (
                        result.status is Status.DONE and self._changed(jobs.get(name), result, listed)
                    ):
                        found.add((item.id, name))
        return found

    def _changed(self, job: engine.Job | None, result: ProbeResult, listed: engine.Listed) -> bool:
        """Whether what a result was made of is another by now, or is not known."""
        return job is None or not result.inputs or engine.fingerprint(self.case, job, listed) != result.inputs

    def attach(self, item: str, path: Path, who: str | None = None) -> None:
        """Attach a file to an item. Of one that is not the project's a copy is kept with the session, unless it is large: reports
        take only what lies in the project, and so it goes where the project goes. Raises SaveError and ReadError."""
        session = self.session
        assert session is not None
        if session.read_only:
            raise session.refusal
        try:
            inside = path.resolve().is_relative_to(Path(self.case.root).resolve())
            kept = path if inside or self.case.alone or path.stat().st_size > MAX_ATTACHMENT else _kept(self.case, path)
        except OSError as error:
            raise from_os_error(error, path) from None
        session.attach(item, self.case.relative(kept.absolute()), who)

    @cached_property
    def needs(self) -> dict[str, tuple[str | tuple[str, ...], ...]]:
        """What each installed probe needs. Loads all of them, which takes some 0.2 s the first time."""
        found = {name: tuple(getattr(probes.loaded(name), "NEEDS", ())) for name in probes.names()}
        return {
            **found,
            "dataset_digest": (*found["dataset_digest"], *_REFERENCES),
        }  # it needs one of them, and says so itself

    def unlocks(self, key: str, given: Collection[str] = ()) -> dict[str, list[str]]:
        """What a key of the case would let run, by item: the probes that need it and that no other of the keys `given` serves as well."""
        found: dict[str, list[str]] = {}
        for item in self.items:
            for use in item.uses:
                for need in self.needs.get(use.name, ()):
                    alike = (need,) if isinstance(need, str) else need
                    if key in alike and not any(other in given for other in alike if other != key):
                        found.setdefault(item.id, []).append(use.name)
                        break
        return found

    def suggestion(self, item: Item) -> Verdict:
        """What the probes suggest for an item; not_applicable when the case says that it does not apply."""
        return suggestion(item, self.session.entry(item.id) if self.session else Entry(), self.case.facts())


def _kept(case: Case, path: Path) -> Path:
    """A copy of a file among the attachments of the project; one of the same content is taken again."""
    content, folder = path.read_bytes(), Path(case.root, ATTACHMENTS)
    require_own(folder, Path(case.root))
    names = chain([path.name], (f"{path.stem}-{number}{path.suffix}" for number in count(2)))
    target = next(each for name in names if not (each := folder / name).exists() or each.read_bytes() == content)
    if not target.exists():
        write_together(folder, {target.name: content}, replace=False, mode=path.stat().st_mode & 0o777)
    return target


def _kind(name: str) -> Kind | None:
    """The kind of a probe, or None when it cannot be loaded."""
    kind: Kind | None = getattr(probes.loaded(name), "KIND", None)
    return kind


def _narrow(checklist: Checklist, only: Collection[str]) -> Checklist:
    """A checklist with the items named, or all when none is. A part of a path is no path."""
    if not only:
        return checklist
    sections = [
        msgspec.structs.replace(section, items=[item for item in section.items if item.id in only])
        for section in checklist.sections
    ]
    return msgspec.structs.replace(checklist, sections=[section for section in sections if section.items], ends={})


def last_watch(case: Case) -> list[str]:
    """What a case that names no watched run takes of the last one: that, and its command where the case names none."""
    if case.spec.watched or (watched := latest(Path(case.root))) is None:
        return []
    settings = [f"watched={case.relative(watched)}"]
    if not case.spec.runtime.command and (command := watched_command(watched)) is not None:
        settings.insert(0, f"runtime.command={json.dumps(command, ensure_ascii=False)}")
    return settings


def open_project(
    path: Path,
    names: Sequence[str] = (),
    settings: Sequence[str] = (),
    *,
    session: str = "write",
    take: bool = False,
    anew: bool = False,
) -> Project:
    """The project at `path` with these checklists (default: accuracy). A .json file is a session without its project.

    session: "write" takes the lock where it can, "wait" waits a moment for it; "read" only reads; "try" reads when writing is
    impossible; "none" records nothing.
    take: where there is no case file and `settings` name no script, the case is taken from what lies in the folder; it is in any case
    where results of such a case are recorded, so that they are not out of date. A case that names no watched run takes the last one,
    and its command where it names none.
    anew: whether only `settings` say what the command line can; else, without a case file, what that of the last run said holds too.
    Raises UserError.
    """
    if path.suffix == ".json" and not path.is_dir():
        return _open_alone(path, names, session)
    case = cases.load(path, list(settings))
    checklists = checklists_.load_all(names or ["accuracy"])
    opened = None if session == "none" else _opened(open_session, Path(case.root), session)
    earlier = [] if opened is None or anew or case.file is not None else opened.record.settings
    try:
        case = cases.load(path, list(settings), earlier=earlier) if earlier else case
    except UserError:  # of a session that another version wrote, or somebody changed
        earlier = []
    if added := last_watch(case):
        settings = [*added, *settings]
        case = cases.load(path, list(settings), earlier=earlier)
    if opened is not None and not opened.read_only:
        cases.keep_schema(case)
    found = None
    if case.file is None and case.spec.scripts == cases.Scripts():
        recorded = opened is not None and any(entry.results for entry in opened.record.entries.values())
        if take or recorded:
            from .proposal import survey

            found = survey(Path(case.root))
            case = cases.load(path, list(settings), found.taken, earlier)
    return Project(consent.with_agreed(case), checklists, opened, found)


def _open_alone(path: Path, names: Sequence[str], session: str) -> Project:
    """A session that came alone, with the checklists named, or the shipped ones that it was made with."""
    opened = _opened(open_alone, path, "read" if session == "none" else session)
    try:
        used = [name for name in checklists_.shipped() if name in opened.record.checklists]
        checklists = checklists_.load_all(names or used or ["accuracy"])
        name = opened.record.case or path.stem
        case = Case(root=str(path.absolute().parent), spec=cases.CaseFile(name=name), alone=True)
        return Project(case, checklists, opened)
    except BaseException:
        opened.close()
        raise


def _opened(how: Callable[..., Session], path: Path, session: str) -> Session:
    """A session, opened for "write", "wait", "read" or "try"."""
    try:
        return how(path, write=session != "read", wait=session == "wait")
    except SaveError as error:
        if session != "try":
            raise
        opened = how(path, write=False)
        opened.notice = opened.notice or error
        return opened
