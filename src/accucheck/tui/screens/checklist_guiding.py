"""The main screen: what to do next, and what terms mean."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import TYPE_CHECKING

from textual import work

from ... import engine
from ...errors import ReadError, UserError
from ...model import Kind, Status, Verdict
from ...project import Project
from ..signs import plain
from .checklist_watching import Watching

if TYPE_CHECKING:
    from ...guidance import Step

#: Where the details of a step are to be seen.
_TABS = {"check": "tab-method", "concluded": "tab-method", "returned": "tab-conclusion"}


class Guiding(Watching):
    """Opens the list of next steps, by itself too, and does what is chosen there."""

    def __init__(self) -> None:
        super().__init__()
        self._ran: set[str] = set()
        self._cancelled = False
        self._place: object = None
        self._grows = False
        self._finished: set[tuple[str, str]] = set()
        #: The step whose item was opened from the list of next steps: Esc goes back there while it is looked at.
        self._opened: Step | None = None

    # --- after a run --------------------------------------------------------------------------------------------------

    def engine_said(self, event: engine.Event) -> None:
        if not self._ran:
            self._place = self._looked_at()
        self._ran.add(event.job.item)
        if isinstance(event, engine.Finished):
            self._finished.add((event.job.item, event.job.probe))
            self._cancelled |= event.result.status is Status.CANCELLED
        super().engine_said(event)
        if isinstance(event, engine.Finished):
            self._show_causes()

    def _show_causes(self) -> None:
        """Open the list of next steps once in a run, where enough is known."""
        if self._grows or not self._causes_known():
            return
        self._grows = True
        if self._may_tell():
            self.app.clear_notifications()
            self.action_next_steps()

    def _causes_known(self) -> bool:
        """Whether all is done that reads scripts and something else is not, and that tells a problem; else once files are read as well."""
        from ... import probe as probes

        kinds = {module.KIND for _, name in self._awaited if (module := probes.loaded(name)) is not None}
        if not kinds or Kind.STATIC in kinds:
            return False
        if Kind.FILE not in kinds:
            return True
        ran = {module.KIND for _, name in self._finished if (module := probes.loaded(name)) is not None}
        problem = any(self.app.project.suggestion(item) is Verdict.PROBLEM for item in self.app.project.items)
        return Kind.STATIC in ran and problem

    def _may_tell(self) -> bool:
        """Whether a run of several items goes on that nobody has turned away from."""
        several = len(self._ran) > 1 and not self._cancelled and not self._again
        return several and self.app.screen is self and self._looked_at() == self._place

    def run_ended(self, *, told: bool = False) -> None:
        """After a run of several items: what to do next, unless the person has gone on to something else meanwhile."""
        from .next import NextScreen
        from .watch import WatchScreen

        whole = len(self._ran) > 1 and not self._cancelled and not self._again
        resting, shown = self._may_tell(), isinstance(self.app.screen, (NextScreen, WatchScreen))
        self._ran, self._cancelled, self._grows, self._finished = set(), False, False, set()
        super().run_ended(told=told or (whole and (resting or shown)))
        if whole and shown:
            return  # the screen takes in what was found
        if whole and resting:
            self.app.clear_notifications()  # what they said stands there
            self.action_next_steps()
        elif whole:
            self.notify(self.speech.say("next-ready"), timeout=8, markup=False)

    def _looked_at(self) -> object:
        """What would be another if the person had done anything meanwhile: whoever went on and came back is still at something."""
        return self.item and self.item.id, self.app.presses

    # --- next steps ---------------------------------------------------------------------------------------------------

    def action_next_steps(self, begin: Step | None = None) -> None:
        from .next import NextScreen

        def left(step: Step | None) -> None:
            if step is not None:
                self._do_step(step)

        self.app.push_screen(NextScreen(begin), left)

    def back_to_next_steps(self) -> bool:
        """Go back to the list of next steps where the item that is looked at was opened from there; returns whether it was."""
        step, self._opened = self._opened, None
        if step is None or self.item is None or self.item.id != step.item:
            return False
        self.action_next_steps(step)
        return True

    def _do_step(self, step: Step) -> None:
        """Go where a step is done, and begin it."""
        if step.pairs:
            self._run_again(step.pairs)
        elif step.kind == "unlock":
            self._give(step.key, step.items)
        elif step.kind == "watch":
            self.call_later(self.action_do, "watch")
        elif step.kind == "accept":
            self.call_later(self.action_do, "accept-all")
        elif step.kind in ("agree", "sign"):
            self.call_later(self.action_do, "review-all" if step.kind == "agree" else "sign-off")
        elif step.kind in ("export", "ask"):
            self.call_later(self.action_do, "export")
        elif step.kind == "together":
            self._apply_together()
        elif step.kind in ("plan", "further"):
            from .next import command_of

            command = command_of(step, self.app.project)
            self.app.copy_to_clipboard(command)
            self.notify(plain(self.speech.say("next-copied", command=command)).plain, timeout=8, markup=False)
        elif step.kind == "sanity":
            self.app.action_toggle_checklist("sanity")
        elif step.kind == "compare":
            self.app.action_toggle_checklist("comparison")
            self.call_later(self.action_do, "path")
        else:
            self._go_to(step)

    @work
    async def _apply_together(self) -> None:
        """Write the changes that were tried together."""
        from ...guidance import together
        from .mend import write_all

        found = [finding for _, _, finding in together(self.app.project)]
        if files := await write_all(self, found, "mend-together-title"):
            self.notify(self.speech.say("mend-rule-written", count=len(found), files=files), markup=False)

    @work
    async def _run_again(self, pairs: Collection[tuple[str, str]]) -> None:
        """Run these (item, probe), and nothing else."""
        if (why := self.why_not("run-all")) is not None:
            self.notify(why, severity="warning", markup=False)
            return
        self._open_tab("tab-evidence")
        await self._start(self.app.project.jobs(again=pairs))

    def _go_to(self, step: Step) -> None:
        """The item of a step: its finding, its method, or its place on the path."""
        if step.item:
            self.show_items(step.item)
        if step.kind == "path":
            self.call_later(self.action_do, "path")
            return
        self._opened = step
        self.remove_class("-list")
        self._open_tab(_TABS.get(step.kind, "tab-evidence"))
        if step.finding is not None:
            self.call_after_refresh(self._point_at, step)

    def _point_at(self, step: Step) -> None:
        """The finding of a step, highlighted in the list of evidence."""
        from ..widgets.findings import FindingList

        item = self.item
        if self.pane is None or item is None or item.id != step.item:
            return
        self.pane.show_findings(item)
        findings = self.query_one(FindingList)
        if (option := findings.option_of(step.probe, step.finding)) is not None:
            findings.go(option)
            findings.focus()

    @work
    async def _give(self, key: str, items: list[str]) -> None:
        """Ask for a key of the case, write it into accucheck.yaml, and run what it unlocks."""
        import msgspec

        from ... import case as cases
        from .picker import ask_value

        app = self.app
        if (why := app.why_not_change()) is not None:
            self.notify(why, severity="warning", markup=False)
            return
        key = key if key not in cases.call_keys() else f"{key}.call"
        value = await ask_value(app, app.project.case, key)
        if value is None:
            return
        try:
            _need(app.project, key, value)
            app.use_case(cases.extend(app.project.case, {key: value}))
        except UserError as error:
            app.show_error(error.text(self.speech.language))
            return
        except msgspec.ValidationError as error:
            app.show_error(plain(f"{key}: {error}").plain)
            return
        app.runner.look_for_stale()
        self.refresh_states()
        self._run_again([(job.item, job.probe) for job in app.project.jobs(items)])

    # --- terms --------------------------------------------------------------------------------------------------------

    def action_glossary(self) -> None:
        from ..widgets.findings import message_of
        from .glossary import GlossaryScreen

        item = self.item
        told = ""
        if item is not None:
            results = self.app.session.entry(item.id).results.values()
            say = partial(message_of, speech=self.speech)
            told = "\n".join(say(r.probe, f.code, f.data) for r in results for f in r.findings[:_MOST_TOLD])
        self.app.push_screen(GlossaryScreen(item, told))


#: Findings of a probe whose words are looked up.
_MOST_TOLD = 20


def _need(project: Project, key: str, value: str) -> None:
    """Raise ReadError where a key wants a path and there is nothing at it."""
    from ...case import mode_of, path_keys

    if key in path_keys() and "://" not in value and not mode_of(project.case.path(value)):
        raise ReadError("not-found", path=value)
