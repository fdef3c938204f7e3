"""What to do next: the steps of guidance.py as a list; Enter does one."""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.content import Content
from textual.events import Resize
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from ... import symptoms
from ...guidance import FAULTS, SHOWN, Step, steps, summary
from ...language import visible
from ...project import Project
from ..signs import plain, wrap
from ..verbs import BACK, FILTER, HELP, PALETTE, Verb, VerbScreen
from ..widgets.filtered import FilteredList
from ..widgets.keybar import KeyBar

#: The option that shows the steps beyond SHOWN.
MORE = "more"
#: Lines of what was found that are shown of one step: its evidence has the rest.
_LINES = 3
#: Seconds between two looks at whether answers or results have changed, and while probes run, which change them all the time.
_LOOK_EVERY, _LOOK_WHILE_RUNNING = 0.5, 3.0


def _same(one: Step, other: Step) -> bool:
    """Whether two steps are about the same thing, however much is known of it."""
    return (one.kind, one.items[:1], one.key) == (other.kind, other.items[:1], other.key)


def command_of(step: Step, project: Project) -> str:
    """The command that does the same here."""
    root, names = Path(project.case.root), [checklist.name for checklist in project.checklists]
    try:
        here = Path.cwd() == root
    except FileNotFoundError:  # somebody has removed the folder that this was started in
        here = False
    return step.command("." if here else str(root), [] if names == ["accuracy"] else names)


class NextScreen(VerbScreen[Step]):
    """The result is the step to be done."""

    CSS = """
    NextScreen #head { dock: top; height: auto; max-height: 2; padding: 0 1; background: $primary-background; text-wrap: nowrap;
        text-overflow: ellipsis; }
    NextScreen #steps { height: 1fr; border: none; padding: 0 1; background: $background; }
    """
    VERBS: ClassVar[list[Verb]] = [
        Verb("next-do", "enter", "do_step", "command-next-do", "key-next-do"),
        Verb("mend", "f", "mend", "command-mend", "key-mend"),
        Verb("try", "T", "try_fixes", "command-try", "key-try"),
        Verb("next-summary", "y", "copy_summary", "command-next-summary", "key-next-summary"),
        Verb("next-copy", "Y", "copy", "command-next-copy", "key-next-copy"),
        replace(BACK, keys="escape,q,w"),
        HELP,
        FILTER,
        PALETTE,
    ]
    HERE = ("help-next",)

    def __init__(self, begin: Step | None = None) -> None:
        """`begin` is the step to be highlighted first, where there still is one like it."""
        super().__init__()
        self._begin = begin
        self._steps: list[Step] = []
        self._all = False
        self._of: object = None
        self._looked = 0.0
        self._symptom: symptoms.Symptom | None = None
        self._known = False  # what there is to do

    def compose(self) -> ComposeResult:
        yield Static(plain(self.speech.say("next-title")), id="head", markup=False)
        yield FilteredList(id="steps", markup=False)
        yield KeyBar()

    def on_mount(self) -> None:
        options = self.query_one("#steps", OptionList)
        options.add_option(Option(plain(self.speech.say("next-looking"), "$text-muted"), disabled=True))
        options.focus()
        self._look()
        self.set_interval(_LOOK_EVERY, self._look)

    async def rebuild(self) -> None:
        if self._of is not None:
            self._fill()
        await super().rebuild()

    def on_resize(self, _: Resize) -> None:
        if self._of is not None and self._steps:
            self.call_after_refresh(self._fill)

    def _look(self) -> None:
        """Find out again what to do when an answer, a result or the case has changed; while probes run, only what is wrong so far."""
        app, busy = self.app, self.app.runner.busy
        state = (
            busy,
            app.session.record.entries,
            frozenset(app.stale),
            app.project.case,
            tuple(app.project.checklists),
        )
        if busy and self._known:
            self._tell_head()
        if state != self._of and not (busy and time.monotonic() < self._looked + _LOOK_WHILE_RUNNING):
            self._of, self._looked = state, time.monotonic()
            self._find(set(app.stale), busy)

    @work(thread=True, exclusive=True)
    def _find(self, stale: Collection[tuple[str, str]], busy: bool) -> None:
        found = [step for step in steps(self.app.project, stale, self.app.role) if not busy or step.kind in FAULTS]
        self.call_later(self._show, found, symptoms.of_case(self.app.project.case))

    def _show(self, found: list[Step], symptom: symptoms.Symptom | None) -> None:
        if self.is_mounted:
            before, self._steps, self._symptom, self._known = self._step or self._begin, found, symptom, True
            self._begin = None
            self._fill(before)

    def _fill(self, before: Step | None = None) -> None:
        """Draw the list, with the step highlighted that was, wherever it is now."""
        options, say = self.query_one("#steps", FilteredList), self.speech.say
        chosen = options.current
        shown = self._steps if self._all else self._steps[:SHOWN]
        width = max(30, options.size.width - 3)
        left = len(self._steps) - len(shown)
        options.clear_options()
        options.add_options(
            [Option(self._line(number, step, width), id=str(number - 1)) for number, step in enumerate(shown, 1)]
        )
        if left:
            options.add_option(Option(plain("    " + say("next-more", count=left), "$text-muted"), id=MORE))
        if not shown:
            nothing = "next-none-yet" if self.app.runner.busy else "next-nothing"
            options.add_option(Option(plain(wrap(say(nothing), width)), disabled=True))
        else:
            same = [str(place) for place, step in enumerate(shown) if before is not None and _same(step, before)]
            options.go(same[0] if same else chosen)
        self._tell_head()
        self.show_keys()

    def _tell_head(self) -> None:
        """How many steps there are and how many probes still run, and below it what is wrong as the person sees it."""
        say, left = self.speech.say, self.app.checklist.awaited if self.app.checklist is not None else 0
        faults = sum(step.state == "problem" for step in self._steps)
        head = [say("next-head-running" if left else "next-head", count=len(self._steps), faults=faults, left=left)]
        if headline := symptoms.headline(self.app.project.case, self._symptom, self.speech.language):
            head.append(headline)
        self.query_one("#head", Static).update(plain("\n".join(head)))

    def _line(self, number: int, step: Step, width: int) -> Content:
        speech, language = self.speech, self.speech.language
        item = f"{' '.join(step.items[:3])}  " if step.finding is not None or len(step.items) == 1 else ""
        item += f"{step.place}  " if step.place else ""
        head = f"{number:>2} "
        lines = wrap(f"     {item}{step.what(language)}", width, 5).split("\n")
        if len(lines) > _LINES:
            lines[_LINES - 1 :] = [lines[_LINES - 1][: width - 6] + ("..." if speech.only_ascii else "…")]
        said = {"why": step.why(language), "cost": step.cost(language)}
        told = step.kind in FAULTS and step.kind != "returned"  # what came back may say anything
        state = speech.say("problem" if step.state == "problem" else "suspect") if told else ""
        why = speech.say("next-why-state" if state else "next-why", state=state, **said)
        return Content.assemble(
            (head, "$text-muted"),
            speech.sign(step.state),
            plain("\n".join(lines)[4:], "bold"),
            "\n",
            plain(wrap(f"     {why}", width, 5), "$text-muted"),
        )

    @property
    def _step(self) -> Step | None:
        chosen = self.query_one("#steps", FilteredList).current
        place = int(chosen) if chosen not in (None, MORE) else None
        return self._steps[place] if place is not None and place < len(self._steps) else None

    def why_not(self, verb: str) -> str | None:
        if verb in ("next-do", "next-copy") and not self._steps:
            return self.speech.say("next-nothing" if self._of is not None else "next-looking")
        if verb == "mend":
            if (step := self._step) is not None and step.diff:
                return None
            return self.speech.say("mend-by-hand" if self._steps else "next-nothing")
        if verb == "try":
            return self.app.why_alone()
        return super().why_not(verb)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        if event.option.id == MORE:
            self._all = True
            self._fill()
        else:
            self.action_do_step()

    def action_do_step(self) -> None:
        if (step := self._step) is not None:
            self.dismiss(step)

    def action_mend(self) -> None:
        """The patch of the step, without the way by its item."""
        from .mend import MendScreen

        step = self._step
        if step is not None and step.finding is not None:
            self.app.push_screen(MendScreen(step.probe, step.finding))

    def action_try_fixes(self) -> None:
        """Train copies of the project with the changes of findings."""
        if (checklist := self.app.checklist) is not None:
            checklist.action_try_fixes()

    def action_copy_summary(self) -> None:
        """Five lines for a chat or a pull request."""
        from ...report import redact

        project = self.app.project
        hide = redact.of(project.case)
        lines = summary(project, self.speech.language, set(self.app.stale))
        self.app.copy_to_clipboard("\n".join(visible(hide(line)) for line in lines))
        self.notify(self.speech.say("next-summary-copied", count=len(lines)), timeout=4, markup=False)

    def action_copy(self) -> None:
        """Copy the command that does the same."""
        if (step := self._step) is not None:
            command = command_of(step, self.app.project)
            self.app.copy_to_clipboard(command)
            self.notify(plain(self.speech.say("next-copied", command=command)).plain, timeout=4, markup=False)

    def action_back(self) -> None:
        self.dismiss(None)
