"""The path of a checklist: what is behind, where the person stands, what may come; and the code that collects what a step lives on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.events import Resize
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from ...checklist import Checklist, Item
from ...errors import UserError
from ...model import Verdict
from ...path import (
    FRAMEWORKS,
    PathPosition,
    RequiredInput,
    Step,
    collected,
    frameworks,
    script,
    uncollected,
    walk,
    wanted,
)
from ...report.machine import input_text, telling, way_text, ways_of, ways_text
from ..signs import plain, prose, wrap
from ..verbs import BACK, FILTER, HELP, PALETTE, Verb, VerbScreen
from ..widgets.filtered import FilteredList
from ..widgets.findings import message_of, place
from ..widgets.keybar import KeyBar
from .evidence import write_new

#: The line of the end that was reached.
END = "end"
#: Findings of a step that are shown.
_FINDINGS = 5
#: Seconds between two looks at whether a run has moved the person on.
_LOOK_EVERY = 0.5


class PathScreen(VerbScreen[tuple[str, bool]]):
    """The result is an item to go to, and whether its probes are to be run."""

    CSS = """
    PathScreen #head { dock: top; height: 1; padding: 0 1; background: $primary-background; text-wrap: nowrap; text-overflow: ellipsis; }
    PathScreen #panes { layout: vertical; height: 1fr; }
    PathScreen #steps { height: 1fr; max-height: 50%; border: none; padding: 0; background: $background; }
    PathScreen #detail { height: 1fr; padding: 0 1; border-top: solid $panel; }
    PathScreen.-whole #steps { display: none; }
    PathScreen.-whole #detail { border: none; }
    PathScreen.-wide #panes { layout: horizontal; }
    PathScreen.-wide #steps { width: 2fr; height: 1fr; max-height: 100%; }
    PathScreen.-wide #detail { width: 3fr; border-top: none; border-left: solid $panel; }
    """
    HORIZONTAL_BREAKPOINTS = [(0, "-normal"), (120, "-wide")]
    VERBS: ClassVar[list[Verb]] = [
        Verb("path-open", "enter", "open", "command-path-open", "key-path-open"),
        Verb("path-run", "r", "run", "command-path-run", "key-run"),
        Verb("path-fold", "space", "fold", "command-path-fold", "key-path-fold"),
        Verb("path-view", "v", "view", "command-path-view", "key-path-view"),
        Verb("path-framework", "f", "framework", "command-path-framework", "key-path-framework"),
        Verb("path-copy", "y", "copy", "command-path-copy", "key-copy"),
        Verb("path-save", "s", "save", "command-path-save", "key-save-as"),
        Verb("path-write", "w", "write", "command-path-write", "key-path-write"),
        replace(BACK, keys="escape,q,p"),
        HELP,
        FILTER,
        PALETTE,
    ]
    HERE = ("help-path",)

    def __init__(self, checklist: Checklist) -> None:
        super().__init__()
        self._checklist = checklist
        self._framework = ""
        self._unfolded: set[str] = set()
        self._shown: object = None

    def compose(self) -> ComposeResult:
        yield Static(id="head", markup=False)
        with Vertical(id="panes"):
            yield FilteredList(id="steps", markup=False)
            with VerticalScroll(id="detail"):
                yield Static(id="text", markup=False)
        yield KeyBar()

    def on_mount(self) -> None:
        self.query_one("#steps").focus()
        self.set_interval(_LOOK_EVERY, self._look)
        self.app.runner.look_for_stale()

    def on_resize(self, _: Resize) -> None:
        self.call_after_refresh(self._fill)

    async def rebuild(self) -> None:
        self._fill()
        await super().rebuild()

    # --- the steps ----------------------------------------------------------------------------------------------------

    def _look(self) -> None:
        """Draw again when answers have changed: a run may go on meanwhile."""
        if self._shown is not None and self._state() != self._shown:
            self._fill()

    def _state(self) -> object:
        app = self.app
        states = [(item.id, app.state(item), app.session.entry(item.id)) for item in self._checklist.items]
        return states, app.stale, collected(self._checklist, app.project.case)

    def _fill(self) -> None:
        app, say = self.app, self.speech.say
        path = walk(self._checklist, app.session.record, app.project.case)
        if path is None:
            return
        self._shown = self._state()
        steps = self.query_one("#steps", FilteredList)
        before = self._current
        width = max(30, steps.size.width - 3)
        options = [Option(self._behind(step, width), id=step.item.id) for step in path.steps]
        here = path.here
        if here is not None:
            options.append(Option(self._here(here, width), id=here.id))
        options += [Option(self._coming(item, width), id=item.id) for item in path.ahead]
        if (end := path.at_end) is not None:
            square = "#" if self.speech.only_ascii else "■"
            title = end.title[self.speech.language]
            options.append(Option(plain(wrap(f"{square} {say('path-end', title=title)}", width, 2), "bold"), id=END))
        options += self._off(path, width)
        steps.clear_options()
        steps.add_options(options)
        ids = [option.id for option in options]
        stands = here.id if here is not None else END
        steps.go(before if before in ids else stands)
        title = self._checklist.title[self.speech.language]
        at = here.id if here is not None else say("path-at-end")
        head = say("path-head", title=title, behind=len(path.steps), at=at)
        self.query_one("#head", Static).update(plain(head))
        self._show()

    @property
    def _current(self) -> str | None:
        return self.query_one("#steps", FilteredList).current

    @property
    def _item(self) -> Item | None:
        """The item of the step looked at; None at the end."""
        return next((item for item in self._checklist.items if item.id == self._current), None)

    def _line(self, state: str, item: Item, after: str, width: int, *, faint: bool = False, style: str = "") -> Content:
        sign = self.speech.sign(state, faint=faint)
        text = wrap(f"  {item.id} {item.named(state)[self.speech.language]}{after}", width, 2)[1:]
        return Content.assemble(sign, plain(text, style))

    def _behind(self, step: Step, width: int) -> Content:
        answer = self.speech.say(step.answer.value)
        said = answer if step.concluded else self.speech.say("path-suggested", verdict=answer)
        after = f"  {said}{self._late(step.item)}{self._folded(step.item, step.to)}"
        line = self._line(step.answer.value, step.item, after, width, faint=not step.concluded)
        lines = [line]
        bar = "| " if self.speech.only_ascii else "│ "
        if step.way is not None:
            language = self.speech.language
            text = self._arrow(way_text(self._checklist, step.to, step.way.text[language], language))
            lines.append(plain(wrap(bar + text, width, 2), "$text-muted"))
        return Content("\n").join([*lines, *self._branches(step.item, width, bar, taken=step.to)])

    def _coming(self, item: Item, width: int) -> Content:
        """An item that may still come, with what is known of it."""
        state, faint = self.app.state(item)
        line = self._line(state, item, self._late(item) + self._folded(item), width, faint=faint)
        return Content("\n").join([line, *self._branches(item, width, "  ")])

    def _off(self, path: PathPosition, width: int) -> list[Option]:
        """What was looked at and lies off the path as it goes now."""
        on = {step.item.id for step in path.steps} | {item.id for item in path.ahead}
        on |= {path.here.id} if path.here is not None else set()
        tried = [item for item in self._checklist.items if item.id not in on and self._tried(item)]
        options = [Option(self._coming(item, width), id=item.id) for item in tried]
        heading = Option(plain(self.speech.say("path-off"), "bold $text-muted"), disabled=True)
        return [heading, *options] if options else []

    def _tried(self, item: Item) -> bool:
        entry = self.app.session.entry(item.id)
        return entry.conclusion is not None or bool(entry.results)

    def _others(self, item: Item, taken: str) -> list[tuple[str, str]]:
        """The ways of a fork that were not taken; of one ahead all are."""
        ways = ways_of(self._checklist, item, self.speech.language)
        return [way for way in ways if way[0] != taken] if len(ways) > 1 else []

    def _folded(self, item: Item, taken: str = "") -> str:
        """How many ways are folded away at an item."""
        ways = self._others(item, taken)
        return f"  {self.speech.pointer().strip()}{len(ways)}" if ways and item.id not in self._unfolded else ""

    def _branches(self, item: Item, width: int, bar: str, taken: str = "") -> list[Content]:
        """The ways that were not taken, where the person has unfolded them, each with what was found there."""
        ways = self._others(item, taken) if item.id in self._unfolded else []
        lines = []
        fork, last = ("+ ", "+ ") if self.speech.only_ascii else ("├ ", "└ ")
        for number, (to, text) in enumerate(ways, 1):
            known = next((each for each in self._checklist.items if each.id == to and self._tried(each)), None)
            sign = (
                Content.assemble(self.speech.sign(self.app.state(known)[0]), " ") if known is not None else Content("")
            )
            branch = f"{bar}{last if number == len(ways) else fork}"
            shown = plain(wrap(self._arrow(text), width - 6, 4), "$text-muted")
            lines.append(Content.assemble((branch, "$text-muted"), sign, shown))
        return lines

    def _late(self, item: Item) -> str:
        """What stands after an item whose results are out of date."""
        late = any(name == item.id for name, _ in self.app.stale)
        return "  " + self.speech.say("path-stale") if late else ""

    def _here(self, item: Item, width: int) -> Content:
        """The step where the person stands, and the ways that lead on from it."""
        speech = self.speech
        state, faint = self.app.state(item)
        pointer = plain(speech.pointer(), "bold $accent")
        text = f"    {item.id} {item.title[speech.language]}  {speech.say('path-here')}{self._late(item)}"
        lines = [Content.assemble(pointer, speech.sign(state, faint=faint), plain(wrap(text, width, 4)[3:], "bold"))]
        ways = [self._arrow(line.strip()) for line in ways_text(self._checklist, item, speech.language)[1:]]
        fork, last = ("+ ", "+ ") if speech.only_ascii else ("├ ", "└ ")
        for number, way in enumerate(ways, 1):
            branch = last if number == len(ways) else fork
            lines.append(plain(wrap(f"  {branch}{way}", width, 4), "$text-muted"))
        return Content("\n").join(lines)

    def _arrow(self, text: str) -> str:
        return text.replace("→", "->") if self.speech.only_ascii else text

    # --- one step -----------------------------------------------------------------------------------------------------

    def on_option_list_option_highlighted(self, _: OptionList.OptionHighlighted) -> None:
        self._show()

    def _show(self) -> None:
        item = self._item
        width = max(30, self.query_one("#detail").size.width - 4)
        content = self._ended(width) if item is None else self._detail(item, width)
        self.query_one("#text", Static).update(content)
        self.query_one("#detail", VerticalScroll).scroll_home(animate=False)
        self.show_keys()

    def in_bar(self, verb: str) -> bool:
        names = self._frameworks(self._item)
        match verb:
            case "path-open" | "path-run":
                return self._item is not None
            case "path-fold":
                return self._item is not None and self._forks(self._item)
            case "path-framework":
                return len(names) > 1
            case "path-copy" | "path-save":
                return bool(names)
            case "path-write":
                return bool(collected(self._checklist, self.app.project.case))
        return True

    def action_fold(self) -> None:
        """The ways not taken at the step looked at, or just their number."""
        if (item := self._item) is not None:
            self._unfolded ^= {item.id}
            self._fill()

    def _forks(self, item: Item) -> bool:
        path = walk(self._checklist, self.app.session.record, self.app.project.case)
        steps = path.steps if path is not None else []
        taken = next((step.to for step in steps if step.item.id == item.id), "")
        here = path is not None and path.here is not None and path.here.id == item.id
        return not here and bool(self._others(item, taken))

    def why_not(self, verb: str) -> str | None:
        say, item = self.speech.say, self._item
        names = self._frameworks(item)
        match verb:
            case "path-fold":
                return None if item is not None and self._forks(item) else say("path-no-fork")
            case "path-open" | "path-run" if item is None:
                return say("path-no-step")
            case "path-run":
                return self.app.why_not_run() if item and item.probes else self.app.why_alone() or say("no-probe")
            case "path-framework" if len(names) < 2:
                return say("path-one-framework" if names else "path-no-code")
            case "path-copy" | "path-save" if not names:
                return say("path-no-code")
            case "path-write":
                there = collected(self._checklist, self.app.project.case)
                return self.app.why_not_change() or (None if there else say("path-none-written"))
        return None

    def short(self, verb: Verb) -> str:
        names = self._frameworks(self._item)
        if verb.id == "path-framework" and len(names) > 1:
            return FRAMEWORKS[names[1 - names.index(self._chosen(names))]]
        return super().short(verb)

    def _detail(self, item: Item, width: int) -> Content:
        say, language = self.speech.say, self.speech.language
        lines = self._answer(item, width)
        inputs = self._inputs(item)
        if inputs:
            lines.append(Content.styled(say("path-inputs"), "bold $accent"))
        for each in inputs:
            sign = self.speech.sign("ok" if each.there else "open")
            text = wrap(f"  {input_text(each, self.app.project.case, language)}", width, 2)[1:]
            lines.append(Content.assemble(sign, plain(text)))
        names = self._frameworks(item)
        if names:
            framework = self._chosen(names)
            head = say("path-code", framework=FRAMEWORKS[framework])
            lines += [Content(""), Content.styled(head, "bold $accent")]
            lines.append(plain(script(self._code(item), framework, language).rstrip()))
        if not inputs:
            lines.append(plain(wrap(say("path-no-inputs"), width), "$text-muted"))
        return Content("\n").join(lines)

    def _answer(self, item: Item, width: int) -> list[Content]:
        """What is known of an item: the answer, the note, and what was found."""
        app, say = self.app, self.speech.say
        entry, suggestion = app.session.entry(item.id), app.project.suggestion(item)
        lines = [Content.styled(f"{item.id} {item.title[self.speech.language]}", "bold")]
        if entry.conclusion is not None:
            lines.append(plain(say("path-concluded", verdict=say(entry.conclusion.value), who=entry.who)))
        elif entry.results or suggestion is not Verdict.UNDECIDED:
            lines.append(plain(say("suggestion", verdict=say(suggestion.value))))
        else:
            lines.append(plain(say("path-open"), "$text-muted"))
        if entry.note:
            lines.append(plain(wrap(f"{say('note')}{say('colon')}{entry.note}", width, 2)))
        return [*lines, *self._findings(item, width), Content("")]

    def _findings(self, item: Item, width: int, *, fixes: bool = False) -> list[Content]:
        """The gravest findings of an item, or the first where all are just information; with `fixes`, what to do of each."""
        entry = self.app.session.entry(item.id)
        found = [(name, finding) for name, result in entry.weighed.items() for finding in result.findings]
        lines = []
        for name, finding in (telling(item, entry) or found)[:_FINDINGS]:
            where = place(finding.where)
            text = message_of(name, finding.code, finding.data, self.speech) + (f"  {where}" if where else "")
            lines.append(Content.assemble(self.speech.level(finding.level), plain(wrap(f"  {text}", width, 2)[1:])))
            if fixes and finding.fix is not None:
                fix = message_of(name, finding.fix.message, finding.data, self.speech)
                lines.append(plain(wrap(self._arrow(f"  → {fix}"), width, 4)))
        return lines

    def _ended(self, width: int) -> Content:
        app, language, say = self.app, self.speech.language, self.speech.say
        path = walk(self._checklist, app.session.record, app.project.case)
        end = path.at_end if path is not None else None
        if path is None or end is None:
            return Content("")
        lines = [Content.styled(say("path-end", title=end.title[language]), "bold")]
        if path.problems:
            lines.append(plain(say("path-problems")))
            for item in path.problems:
                lines += [
                    self._line("problem", item, "", width, style="bold"),
                    *self._findings(item, width, fixes=True),
                ]
        return Content("\n").join([*lines, Content(""), prose(end.advice[language], width)])

    # --- code ---------------------------------------------------------------------------------------------------------

    def _inputs(self, item: Item | None) -> list[RequiredInput]:
        return wanted(self._checklist, item, self.app.project.case) if item is not None else []

    def _code(self, item: Item | None) -> list[RequiredInput]:
        """The inputs whose code is shown: those that are lacking, or all where none is."""
        inputs = self._inputs(item)
        return uncollected(inputs) or inputs

    def _frameworks(self, item: Item | None) -> list[str]:
        return frameworks(self._code(item))

    def _chosen(self, names: list[str]) -> str:
        return self._framework if self._framework in names else names[0]

    def _text(self) -> str:
        """The code that is shown, or nothing."""
        names = self._frameworks(self._item)
        return script(self._code(self._item), self._chosen(names), self.speech.language) if names else ""

    def action_framework(self) -> None:
        names = self._frameworks(self._item)
        if len(names) > 1:
            self._framework = names[1 - names.index(self._chosen(names))]
            self._show()

    def action_copy(self) -> None:
        if text := self._text():
            self.app.copy_to_clipboard(text)
            self.notify(self.speech.say("copied"), timeout=2)

    @work
    async def action_save(self) -> None:
        """Write the code that is shown to a file that does not exist yet."""
        from .dialogs import AskLine

        item, text = self._item, self._text()
        if item is None or not text:
            return
        name = f"collect_{item.id}_{self._chosen(self._frameworks(item))}.py"
        proposed = str(Path(self.app.project.case.root, name))
        target = await self.app.push_screen_wait(AskLine(self.speech.say("save-as-title"), proposed))
        if target is None:
            return
        write_new(self, target, text.encode())

    @work
    async def action_write(self) -> None:
        """Name in accucheck.yaml what the code wrote, once the person agrees."""
        from ...case import FILE_NAME, extend
        from .dialogs import Choose

        app, say = self.app, self.speech.say
        values = collected(self._checklist, app.project.case)
        title = say("path-write-title", path=app.project.case.file or FILE_NAME)
        text = "\n".join(f"{key}: {path}" for key, path in values.items())
        answer = await app.push_screen_wait(Choose(title, text, [("yes", say("yes")), ("no", say("no"))]))
        if answer != "yes":
            return
        try:
            app.use_case(extend(app.project.case, values))
        except UserError as error:
            app.show_error(error.text(self.speech.language))
            return
        app.runner.look_for_stale()
        self._fill()

    # --- leaving ------------------------------------------------------------------------------------------------------

    def on_option_list_option_selected(self, _: OptionList.OptionSelected) -> None:
        self.action_open()

    def action_open(self) -> None:
        if (item := self._item) is not None:
            self.dismiss((item.id, False))

    def action_run(self) -> None:
        if (item := self._item) is not None:
            self.dismiss((item.id, True))

    def action_view(self) -> None:
        """The step looked at over the whole screen, or the steps again."""
        whole = not self.has_class("-whole")
        self.set_class(whole, "-whole")
        self.query_one("#detail" if whole else "#steps").focus()

    def action_back(self) -> None:
        if self.has_class("-whole"):
            self.action_view()
        else:
            self.dismiss(None)
