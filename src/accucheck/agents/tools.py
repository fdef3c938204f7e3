"""What an agent may ask of one project, as plain JSON values. Nothing is asked of a person here: what needs leave is refused without it."""

from __future__ import annotations

import shlex
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from .. import comparing, consent, engine, guidance, probe
from ..case import redacted
from ..checklist import Checklist, Item, find, load_all, shipped
from ..errors import UserError
from ..fixes import collect, weighed
from ..language import Language, visible
from ..model import Finding, Kind, Level, ProbeResult, Status, Verdict
from ..project import Project, open_project
from ..report import FORMATS, Options, machine, redact, write_project
from ..report.context import Context
from ..report.results import MAX_CHARTS, finding_part
from ..report.telling import evidence_lines
from ..session import Record
from ..watching import Plan, Watching, WatchResult
from .words import say

#: Findings that one answer holds, and of an item that a run tells in brief: what is left out is counted.
MOST, BRIEFLY = 60, 5
#: Characters of a diff, and lines of what a comparison says.
MAX_DIFF, MAX_LINES = 64 << 10, 60
#: Steps of a training that are watched where the agent says nothing.
STEPS = 50
_ORDER = list(Level)
#: Tells how far something is: what is done, of how many, and what is going on.
Tell = Callable[[int, int, str], None]


class Tools:
    """The project at `path`, opened anew for each request, as agents change it meanwhile. Every method raises UserError."""

    def __init__(
        self, path: Path, checklists: Sequence[str] = (), settings: Sequence[str] = (), language: Language = Language.EN
    ) -> None:
        self.path, self.checklists, self.settings, self.language = path, tuple(checklists), tuple(settings), language
        self._agreed: set[str] = set()

    # --- leave ------------------------------------------------------------------------------------------------------------

    def code_question(self, items: Sequence[str] = ()) -> tuple[str, str] | None:
        """What a person is asked before code of the project runs, and what the answer is for; None where nothing would run, or somebody
        has agreed to it."""
        opened = self._open("none", take=True)
        case = opened.case
        key = consent.code_key(case)
        if consent.granted(case) or key in self._agreed or not opened.would_run_code(opened.jobs(items)):
            return None
        python = visible(case.spec.runtime.python or sys.executable)
        return self._say(
            "ask-code",
            root=visible(case.root),
            python=python,
            calls=visible(", ".join(consent.calls(case))),
            mark=key[-8:],
        ), key

    def address_question(self, items: Sequence[str] = ()) -> tuple[str, str] | None:
        """The same, before data are read from addresses that the case names."""
        opened = self._open("none", take=True)
        if not (addresses := engine.unagreed(opened.case, opened.jobs(items))):
            return None
        key = consent.addresses_key(opened.case, addresses)
        if key in self._agreed:
            return None
        named = ", ".join(visible(redacted(address)) for address in addresses)
        return self._say("ask-addresses", root=visible(opened.case.root), addresses=named, mark=key[-8:]), key

    def command_question(self, command: Sequence[str]) -> tuple[str, str] | None:
        """The same, before a command is run in the project."""
        case = self._open("none").case
        key = consent.command_key(case, list(command))
        if not command or consent.granted_command(case, list(command)) or key in self._agreed:
            return None
        shown = visible(shlex.join(command))
        return self._say("ask-command", root=visible(case.root), command=shown, mark=key[-8:]), key

    def agree(self, key: str) -> None:
        """Take a person's word, for as long as this process lives."""
        self._agreed.add(key)

    def _say(self, key: str, /, **data: Any) -> str:
        return say(key, self.language, **data)

    # --- reading ----------------------------------------------------------------------------------------------------------

    def items(self, checklist: str = "") -> dict[str, Any]:
        """The checklists, or one of them: sections, items, and the probes of each with its kind."""
        loaded = load_all([checklist] if checklist else shipped())
        return {"checklists": [self._checklist(each) for each in loaded]}

    def _checklist(self, checklist: Checklist) -> dict[str, Any]:
        return {
            "name": checklist.name,
            "title": checklist.title[self.language],
            "sections": [
                {
                    "title": section.title[self.language],
                    "items": [
                        {
                            "id": item.id,
                            "title": item.title[self.language],
                            "probes": [{"name": use.name, "kind": _kind(use.name)} for use in item.uses],
                        }
                        for item in section.items
                    ],
                }
                for section in checklist.sections
            ],
        }

    def explain(self, item: str) -> dict[str, Any]:
        """How an item is checked, what each conclusion means, how it is mended, and which probes look at it."""
        loaded = load_all([*self.checklists, *(name for name in shipped() if name not in self.checklists)])
        found, language = find(loaded, item), self.language
        return {
            "id": found.id,
            "title": found.title[language],
            "method": found.method[language],
            "conclusions": {
                name: getattr(found.conclusions, name)[language] for name in ("problem", "ok", "not_applicable")
            },
            "remedy": found.remedy[language],
            "applies": found.applies[language],
            "probes": [{"name": use.name, "kind": _kind(use.name), "needs": _needs(use.name)} for use in found.uses],
            "collect": list(found.collect),
            "references": [{"title": link.title[language], "url": link.url} for link in found.references],
        }

    def status(self) -> dict[str, Any]:
        """What is concluded, what is open, and what to do next."""
        opened = self._open("read")
        late = opened.stale()
        told = guidance.status(
            opened, guidance.steps(opened, late), late, self.language, str(self.path), self.checklists
        )
        told["next"] = told["next"][: guidance.SHOWN]
        return told

    def next_steps(self) -> dict[str, Any]:
        """What to do next, the best first, and what is wrong with the training as its user sees it."""
        opened = self._open("read")
        steps = guidance.steps(opened)
        return {
            "symptom": guidance.headline(opened, steps, self.language),
            "next": guidance.as_json(steps[: guidance.SHOWN], self.language, str(self.path), self.checklists),
        }

    def findings(self, items: Sequence[str] = (), level: str = "suspect") -> dict[str, Any]:
        """What was found, the worst first, with the evidence as lines of text; `level`: the mildest that is told."""
        opened = self._open("read")
        assert opened.session is not None
        if opened.session.notice is not None:
            raise opened.session.notice
        wanted = opened.named(items)
        record, late = opened.session.record, opened.stale()
        hide = redact.of(opened.case)
        hide.learn(msgspec.to_builtins(record))
        context = Context(record, opened.case, self.language, late, hide)
        found = [
            (item, result, finding)
            for item in opened.items
            if not wanted or item.id in wanted
            for result in machine.results(item, opened.session.entry(item.id))
            for finding in result.findings
            if _ORDER.index(finding.level) <= _ORDER.index(Level(level))
        ]
        found.sort(key=lambda each: _ORDER.index(each[2].level))
        return {
            "findings": [self._finding(context, item, result, finding) for item, result, finding in found[:MOST]],
            "more": max(0, len(found) - MOST),
            "not_looked_at": _reasons(opened, wanted, machine.Speech(self.language)),
        }

    def _finding(self, context: Context, item: Item, result: ProbeResult, finding: Finding) -> dict[str, Any]:
        part = finding_part(context, result.probe, finding, MAX_CHARTS)
        told = machine.finding_json(finding, result.probe, context.speech)
        del told["data"]
        return {
            "item": item.id,
            "probe": result.probe,
            "kind": result.kind.value,
            **told,
            "message": part.message,
            "out_of_date": context.is_stale(item.id, result),
            "evidence": [line for each in part.evidence for line in evidence_lines(context, each)],
        }

    def compare(self, left: str, right: str, rtol: float | None = None, atol: float | None = None) -> dict[str, Any]:
        """Two checkpoints, two folders of tensors or two logs against each other; paths are relative to the project."""
        root = Path(self._open("none").case.root)
        lines: list[str] = []
        _, told = comparing.command(
            str(root / left),
            str(root / right),
            rtol=rtol,
            atol=atol,
            names=None,
            everything=False,
            language=self.language,
            echo=lines.append,
        )
        whole = told or {}
        pairs = [pair for pair in whole.get("pairs", ()) if pair.get("differs")]
        return {**whole, "pairs": pairs[:MOST], "text": lines[:MAX_LINES]}

    # --- what is run ------------------------------------------------------------------------------------------------------

    def run(
        self,
        items: Sequence[str] = (),
        probes: Sequence[str] = (),
        *,
        live: bool = False,
        remote: bool = False,
        cancel: threading.Event | None = None,
        tell: Tell = lambda done, total, now: None,
    ) -> dict[str, Any]:
        """Run the probes of these items, or of all, and record what they find; probes that run the project's code with `live`, those that
        read from addresses with `remote`, both only where a person agreed."""
        opened = self._open("wait", take=True)
        assert opened.session is not None
        with opened.session:
            if opened.session.notice is not None:
                raise opened.session.notice
            jobs = opened.jobs(items)
            if probes:
                jobs = [job for job in jobs if job.probe in probes]
                if unknown := sorted(set(probes) - {job.probe for job in jobs}):
                    raise UserError(
                        "probe-unused", name=unknown[0], checklists=", ".join(c.name for c in opened.checklists)
                    )
            live = live and (consent.granted(opened.case) or consent.code_key(opened.case) in self._agreed)
            addresses = engine.unagreed(opened.case, jobs) if remote else []
            if addresses and consent.addresses_key(opened.case, addresses) in self._agreed:
                opened.case = consent.with_agreed(opened.case, addresses)
            results = self._ran(opened, jobs, live, cancel, tell)
            told = self._outcome(opened, results, sorted({job.item for job in jobs}))
            return {**told, "recorded": not opened.session.read_only, "live_code_ran": live}

    def _ran(
        self, opened: Project, jobs: list[engine.Job], live: bool, cancel: threading.Event | None, tell: Tell
    ) -> list[tuple[str, ProbeResult]]:
        results: list[tuple[str, ProbeResult]] = []
        for event in opened.run(jobs, live=live, cancel=cancel):
            if isinstance(event, engine.Finished):
                results.append((event.job.item, event.result))
                tell(len(results), len(jobs), f"{event.job.item} {event.job.probe}")
        return results

    def _outcome(
        self, opened: Project, results: Sequence[tuple[str, ProbeResult]], only: Sequence[str]
    ) -> dict[str, Any]:
        """What a run found, in brief: `findings` has it with its evidence."""
        record, checklists = opened.outcome(results, only)
        whole = machine.result_json(record, checklists, opened.case, self.language)
        return {
            "taken": whole["taken"],
            "items": [_brief(item) for item in whole["items"] if item["results"]],
            "left_out": _left_out(whole["items"]),
            "summary": whole["summary"],
        }

    def fix(self, items: Sequence[str] = (), cancel: threading.Event | None = None) -> dict[str, Any]:
        """The fixes of what static probes find now, as one unified diff; nothing is edited."""
        opened = self._open("read", take=True)
        assert opened.session is not None
        results = self._ran(opened, opened.jobs(items, {Kind.STATIC}), False, cancel, lambda *_: None)
        settled = opened.settled() - {*opened.named(items)}
        found = [weighed(opened.session.entry(item), result) for item, result in results if item not in settled]
        patch = collect(Path(opened.case.root), found)
        diff = patch.text.decode("utf-8", "backslashreplace")
        if len(diff) > MAX_DIFF:
            raise UserError("agent-diff-long", limit=MAX_DIFF >> 10)
        speech = machine.Speech(self.language)
        return {
            "diff": diff,
            "mended": patch.mended,
            "files": patch.files,
            "root": opened.case.root,
            "by_hand": [
                {
                    "probe": left.probe,
                    "code": left.finding.code,
                    "level": left.finding.level.value,
                    "where": _where(left.finding),
                    "why_not_in_the_diff": left.why,
                    "message": speech.message(left.probe, left.finding.code, left.finding.data),
                    "advice": speech.message(left.probe, left.finding.fix.message, left.finding.data)
                    if left.finding.fix
                    else "",
                }
                for left in patch.left[:MOST]
            ],
        }

    def watch(
        self,
        command: Sequence[str],
        steps: int = STEPS,
        role: str = "train",
        *,
        cancel: threading.Event | None = None,
        tell: Tell = lambda done, total, now: None,
    ) -> dict[str, Any]:
        """Run a command of the project's under watch, and what the probes say of the recording. Raises UserError where nobody agreed to
        this very command."""
        case = self._open("none").case
        if self.command_question(command) is not None:
            raise UserError("agent-no-leave")
        plan = Plan(tuple(command), Path(case.root), steps, role, cwd=Path(case.root), kept=True)
        watching = Watching(plan, lambda mode: tell(0, 0, mode))
        over = threading.Event()
        waits = threading.Thread(target=_stop_when, args=(cancel, over, watching), daemon=True)
        waits.start()
        try:
            watched = watching.run()
        finally:
            over.set()
            waits.join()
        seen = any(one.recordings for one in watched.passes)
        told = {"exit_code": watched.code, "folder": case.relative(watched.folder), "passes": _passes(watched)}
        if not seen:
            return {**told, "seen": False, "output": _tail(watched)}
        opened = self._open("wait", take=True)
        assert opened.session is not None
        with opened.session:
            jobs = [job for job in opened.jobs(kinds={Kind.FILE}) if "watched" in " ".join(_needs(job.probe)).split()]
            results = self._ran(opened, jobs, False, cancel, tell)
            return {**told, "seen": True, **self._outcome(opened, results, sorted({job.item for job in jobs}))}

    # --- what is written --------------------------------------------------------------------------------------------------

    def conclude(self, item: str, conclusion: str, note: str, program: str) -> dict[str, Any]:
        """Keep what the agent concludes of an item, as an agent's; a person's conclusion is a person's to give."""
        opened = self._open("wait")
        assert opened.session is not None
        with opened.session as session:
            if session.read_only:
                raise session.refusal
            find(opened.checklists, item)
            session.answer_as_agent(item, Verdict(conclusion), note, program)
            entry = session.entry(item)
        return {"item": item, "agent": machine.agent_json(entry), "person": entry.conclusion and entry.conclusion.value}

    def report(self, formats: Sequence[str] = ("md",), language: str = "") -> dict[str, Any]:
        """Write the report into the project's folder of reports; what is private is hidden in it."""
        if unknown := sorted(set(formats) - set(FORMATS)):
            raise UserError("agent-format", name=unknown[0], known=", ".join(FORMATS))
        opened = self._open("read")
        assert opened.session is not None
        if opened.session.notice is not None:
            raise opened.session.notice
        spoken = {"both": tuple(Language), "": (self.language,)}.get(language) or (Language(language),)
        options = Options(formats=tuple(formats), languages=spoken, full=False)
        written = write_project(opened, opened.reports, options)
        return {
            "reports": [str(path) for path in written.paths],
            "may_still_be_private": msgspec.to_builtins(written.left),
        }

    def _open(self, session: str, *, take: bool = False) -> Project:
        return open_project(self.path, self.checklists, self.settings, session=session, take=take)


def markdown(told: dict[str, Any], language: Language) -> str:
    """An item of the guide, as `explain` tells it, to be read."""

    def part(key: str, text: str) -> list[str]:
        return [f"## {say(key, language)}", "", text.strip(), ""] if text.strip() else []

    conclusions = [f"- {say(key, language)}: {text}" for key, text in told["conclusions"].items()]
    probes = [f"- `{each['name']}` ({each['kind']})" for each in told["probes"]]
    links = [f"- [{each['title']}]({each['url']})" for each in told["references"]]
    lines = [f"# {told['id']} {told['title']}", "", *part("method", told["method"])]
    lines += (
        part("conclusions", "\n".join(conclusions)) + part("remedy", told["remedy"]) + part("applies", told["applies"])
    )
    lines += part("probes", "\n".join(probes)) + part("references", "\n".join(links))
    return "\n".join(lines).rstrip() + "\n"


def _kind(name: str) -> str:
    """static, file or live; empty where a probe cannot be loaded."""
    module = probe.loaded(name)
    return module.KIND.value if module is not None else ""


def _needs(name: str) -> list[str]:
    """The keys of the case that a probe needs; of several that serve alike, joined by |."""
    needs = getattr(probe.loaded(name), "NEEDS", ())
    return [need if isinstance(need, str) else " | ".join(need) for need in needs]


def _brief(item: dict[str, Any]) -> dict[str, Any]:
    """An item of a run: where it stands, and its worst findings in a line each."""
    found = [
        {
            "probe": result["probe"],
            "code": finding["code"],
            "level": finding["level"],
            "sure": finding["sure"],
            "message": finding["message"],
            "path": finding["where"]["path"],
            "line": finding["where"]["line"],
            "has_diff": bool(finding["fix"] and finding["fix"]["diff"]),
        }
        for result in item["results"]
        for finding in result["findings"]
        if finding["level"] != Level.INFO.value
    ]
    found.sort(key=lambda each: _ORDER.index(Level(each["level"])))
    more = len(found) - BRIEFLY
    return {
        "id": item["id"],
        "suggestion": item["suggestion"],
        "concluded_by_a_person": item["conclusion"],
        "findings": found[:BRIEFLY],
        **({"more": more} if more > 0 else {}),
    }


def _left_out(items: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Why probes did not look, each reason once with the items that it concerns."""
    found: dict[tuple[str, str], list[str]] = {}
    for item in items:
        for result in item["results"]:
            if reason := result["reason"]:
                found.setdefault((result["status"], reason["message"]), []).append(item["id"])
    return [{"status": status, "why": why, "items": list(dict.fromkeys(ids))} for (status, why), ids in found.items()]


def _reasons(opened: Project, wanted: Sequence[str], speech: machine.Speech) -> list[dict[str, Any]]:
    """The same of what is recorded."""
    assert opened.session is not None
    record: Record = opened.session.record
    rows = [
        {"id": item, "results": [{"status": r.status.value, "reason": {"message": speech.reason(r.probe, r.reason)}}]}
        for item, entry in record.entries.items()
        if not wanted or item in wanted
        for r in entry.results.values()
        if r.status is not Status.DONE and r.reason is not None
    ]
    return _left_out(rows)


def _where(finding: Finding) -> dict[str, Any]:
    where = finding.where
    return {"path": where.path, "line": where.line, "name": where.name}


def _stop_when(cancel: threading.Event | None, over: threading.Event, watching: Watching) -> None:
    """End a command that is watched once its call was cancelled."""
    while cancel is not None and not over.wait(0.2):
        if cancel.is_set():
            watching.stop()
            return


def _passes(watched: WatchResult) -> list[dict[str, Any]]:
    return [
        {"mode": one.mode, "exit_code": one.code, "steps": one.steps, "ranks": len(one.recordings)}
        for one in watched.passes
    ]


def _tail(watched: WatchResult) -> list[str]:
    """The end of what a command printed of which nothing was seen."""
    from ..watching import OUTPUT

    file = watched.folder / OUTPUT
    text = file.read_bytes()[-4000:].decode("utf-8", "replace") if file.is_file() else ""
    return [visible(line) for line in redacted(text).splitlines()[-20:]]
