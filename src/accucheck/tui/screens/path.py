"""The path of a checklist: what is behind, where the person stands, what may come; and the code that collects what a step lives on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.events import Resize
from textual.screen import Screen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from ...checklist import Checklist, Item
from ...errors import SaveError, UserError, from_os_error
from ...model import Verdict
from ...path import FRAMEWORKS, Step, Wanted, collected, frameworks, script, uncollected, walk, wanted
from ...report.machine import input_text, telling, way_text, ways_text
from ..signs import Speech, plain, wrap
from ..widgets.findings import message_of, place
from ..widgets.items import ItemList
from ..widgets.keybar import KeyBar

if TYPE_CHECKING:
    from ..app import Walkthrough

#: The line of the end that was reached.
END = "end"
#: Findings of a step that are shown.
_FINDINGS = 5
#: Seconds between two looks at whether a run has moved the person on.
_LOOK_EVERY = 0.5


class _Steps(OptionList):
    BINDINGS = ItemList.BINDINGS


class PathScreen(Screen[tuple[str, bool]]):
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
    BINDINGS = [
        Binding("escape,q,p", "back", show=False, id="back"),
        Binding("r", "run", show=False, id="path-run"),
        Binding("v", "view", show=False, id="path-view"),
        Binding("f", "framework", show=False, id="path-framework"),
        Binding("y", "copy", show=False, id="path-copy"),
        Binding("s", "save", show=False, id="path-save"),
        Binding("w", "write", show=False, id="path-write"),
        Binding("question_mark", "help", show=False, id="help"),
    ]
    #: What the command palette offers here, with the keys for the help.
    VERBS: ClassVar[list[tuple[str, str, str]]] = [
        ("Enter", "command-path-open", "screen.open"),
        ("r", "command-path-run", "screen.run"),
        ("v", "command-path-view", "screen.view"),
        ("f", "command-path-framework", "screen.framework"),
        ("y", "command-path-copy", "screen.copy"),
        ("s", "command-path-save", "screen.save"),
        ("w", "command-path-write", "screen.write"),
        ("Esc p", "command-back", "screen.back"),
    ]

    app: Walkthrough

    def __init__(self, checklist: Checklist) -> None:
        super().__init__()
        self._checklist = checklist
        self._framework = ""
        self._shown: object = None

    @property
    def _speech(self) -> Speech:
        return self.app.speech

    def compose(self) -> ComposeResult:
        yield Static(id="head", markup=False)
        with Vertical(id="panes"):
            yield _Steps(id="steps", markup=False)
            with VerticalScroll(id="detail"):
                yield Static(id="text", markup=False)
        yield KeyBar()

    def on_mount(self) -> None:
        self.query_one("#steps").focus()
        self.set_interval(_LOOK_EVERY, self._look)
        self.app.runner.look_for_stale()

    def on_resize(self, _: Resize) -> None:
        self.call_after_refresh(self._fill)

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
        app, say = self.app, self._speech.say
        path = walk(self._checklist, app.session.record, app.project.case)
        if path is None:
            return
        self._shown = self._state()
        steps = self.query_one("#steps", OptionList)
        before = self._current
        width = max(30, steps.size.width - 3)
        options = [Option(self._behind(step, width), id=step.item.id) for step in path.steps]
        here = path.here
        if here is not None:
            options.append(Option(self._here(here, width), id=here.id))
        options += [Option(self._coming(item, width), id=item.id) for item in path.ahead]
        if (end := path.at_end) is not None:
            square = "#" if self._speech.only_ascii else "■"
            title = end.title[self._speech.language]
            options.append(Option(plain(wrap(f"{square} {say('path-end', title=title)}", width, 2), "bold"), id=END))
        steps.clear_options()
        steps.add_options(options)
        ids = [option.id for option in options]
        stands = here.id if here is not None else END
        steps.highlighted = ids.index(before if before in ids else stands)
        title = self._checklist.title[self._speech.language]
        at = here.id if here is not None else say("path-at-end")
        head = say("path-head", title=title, behind=len(path.steps), at=at)
        self.query_one("#head", Static).update(plain(head))
        self._show()

    @property
    def _current(self) -> str | None:
        option = self.query_one("#steps", OptionList).highlighted_option
        return option.id if option is not None else None

    @property
    def _item(self) -> Item | None:
        """The item of the step looked at; None at the end."""
        return next((item for item in self._checklist.items if item.id == self._current), None)

    def _line(self, state: str, item: Item, after: str, width: int, *, faint: bool = False, style: str = "") -> Content:
        sign = self._speech.sign(state, faint=faint)
        text = wrap(f"  {item.id} {item.title[self._speech.language]}{after}", width, 2)[1:]
        return Content.assemble(sign, plain(text, style))

    def _behind(self, step: Step, width: int) -> Content:
        answer = self._speech.say(step.answer.value)
        said = answer if step.concluded else self._speech.say("path-suggested", verdict=answer)
        after = f"  {said}{self._late(step.item)}"
        line = self._line(step.answer.value, step.item, after, width, faint=not step.concluded)
        if step.way is None:
            return line
        text = self._arrow(
            way_text(self._checklist, step.to, step.way.text[self._speech.language], self._speech.language)
        )
        bar = "| " if self._speech.only_ascii else "│ "
        return Content.assemble(line, "\n", plain(wrap(bar + text, width, 2), "$text-muted"))

    def _coming(self, item: Item, width: int) -> Content:
        """An item that may still come, with what is known of it."""
        state, faint = self.app.state(item)
        return self._line(state, item, self._late(item), width, faint=faint)

    def _late(self, item: Item) -> str:
        """What stands after an item whose results are out of date."""
        late = any(name == item.id for name, _ in self.app.stale)
        return "  " + self._speech.say("path-stale") if late else ""

    def _here(self, item: Item, width: int) -> Content:
        """The step where the person stands, and the ways that lead on from it."""
        speech = self._speech
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
        return text.replace("→", "->") if self._speech.only_ascii else text

    # --- one step -----------------------------------------------------------------------------------------------------

    def on_option_list_option_highlighted(self, _: OptionList.OptionHighlighted) -> None:
        self._show()

    def _show(self) -> None:
        item = self._item
        width = max(30, self.query_one("#detail").size.width - 4)
        content = self._ended(width) if item is None else self._detail(item, width)
        self.query_one("#text", Static).update(content)
        self.query_one("#detail", VerticalScroll).scroll_home(animate=False)
        say = self._speech.say
        keys = [("Enter", say("key-path-open"), "screen.open"), ("r", say("key-run"), "screen.run")] if item else []
        keys.append(("v", say("key-path-view"), "screen.view"))
        if (names := self._frameworks(item)) and len(names) > 1:
            other = FRAMEWORKS[names[1 - names.index(self._chosen(names))]]
            keys.append(("f", other, "screen.framework"))
        if names:
            keys += [("y", say("key-copy"), "screen.copy"), ("s", say("key-save-as"), "screen.save")]
        if collected(self._checklist, self.app.project.case):
            keys.append(("w", say("key-path-write"), "screen.write"))
        keys += [("Esc", say("key-back"), "screen.back"), ("?", say("key-help"), "screen.help")]
        self.query_one(KeyBar).set_keys(keys)

    def _detail(self, item: Item, width: int) -> Content:
        say, language = self._speech.say, self._speech.language
        lines = self._answer(item, width)
        inputs = self._inputs(item)
        if inputs:
            lines.append(Content.styled(say("path-inputs"), "bold $accent"))
        for each in inputs:
            sign = self._speech.sign("ok" if each.there else "open")
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
        app, say = self.app, self._speech.say
        entry, suggestion = app.session.entry(item.id), app.project.suggestion(item)
        lines = [Content.styled(f"{item.id} {item.title[self._speech.language]}", "bold")]
        if entry.conclusion is not None:
            lines.append(plain(say("path-concluded", verdict=say(entry.conclusion.value), who=entry.who)))
        elif entry.results or suggestion is not Verdict.UNDECIDED:
            lines.append(plain(say("suggestion", verdict=say(suggestion.value))))
        else:
            lines.append(plain(say("path-open"), "$text-muted"))
        if entry.note:
            lines.append(plain(wrap(f"{say('note')}: {entry.note}", width, 2)))
        return [*lines, *self._findings(item, width), Content("")]

    def _findings(self, item: Item, width: int, *, fixes: bool = False) -> list[Content]:
        """The gravest findings of an item, or the first where all are just information; with `fixes`, what to do of each."""
        entry = self.app.session.entry(item.id)
        found = [(name, finding) for name, result in entry.results.items() for finding in result.findings]
        lines = []
        for name, finding in (telling(item, entry) or found)[:_FINDINGS]:
            where = place(finding.where)
            text = message_of(name, finding.code, finding.data, self._speech) + (f"  {where}" if where else "")
            lines.append(Content.assemble(self._speech.level(finding.level), plain(wrap(f"  {text}", width, 2)[1:])))
            if fixes and finding.fix is not None:
                fix = message_of(name, finding.fix.message, finding.data, self._speech)
                lines.append(plain(wrap(self._arrow(f"  → {fix}"), width, 4)))
        return lines

    def _ended(self, width: int) -> Content:
        app, language, say = self.app, self._speech.language, self._speech.say
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
        return Content("\n").join([*lines, Content(""), plain(wrap(end.advice[language], width))])

    # --- code ---------------------------------------------------------------------------------------------------------

    def _inputs(self, item: Item | None) -> list[Wanted]:
        return wanted(self._checklist, item, self.app.project.case) if item is not None else []

    def _code(self, item: Item | None) -> list[Wanted]:
        """The inputs whose code is shown: those that are lacking, or all where none is."""
        inputs = self._inputs(item)
        return uncollected(inputs) or inputs

    def _frameworks(self, item: Item | None) -> list[str]:
        return frameworks(self._code(item))

    def _chosen(self, names: list[str]) -> str:
        return self._framework if self._framework in names else names[0]

    def _text(self) -> str:
        """The code that is shown, or nothing after saying that there is none."""
        names = self._frameworks(self._item)
        if names:
            return script(self._code(self._item), self._chosen(names), self._speech.language)
        self.notify(self._speech.say("path-no-code"), severity="warning", markup=False)
        return ""

    def action_framework(self) -> None:
        names = self._frameworks(self._item)
        if len(names) > 1:
            self._framework = names[1 - names.index(self._chosen(names))]
            self._show()

    def action_copy(self) -> None:
        if text := self._text():
            self.app.copy_to_clipboard(text)
            self.notify(self._speech.say("copied"), timeout=2)

    @work
    async def action_save(self) -> None:
        """Write the code that is shown to a file that does not exist yet."""
        from .dialogs import Ask

        item, text = self._item, self._text()
        if item is None or not text:
            return
        name = f"collect_{item.id}_{self._chosen(self._frameworks(item))}.py"
        proposed = str(Path(self.app.project.case.root, name))
        target = await self.app.push_screen_wait(Ask(self._speech.say("save-as-title"), proposed))
        if target is None:
            return
        path = Path(target).expanduser()
        try:
            with path.open("x", encoding="utf-8") as stream:
                stream.write(text)
        except OSError as error:
            self.app.show_error(from_os_error(error, path, SaveError).text(self._speech.language))
        else:
            self.notify(plain(self._speech.say("written", path=path)).plain, markup=False)

    @work
    async def action_write(self) -> None:
        """Name in accucheck.yaml what the code wrote, once the person agrees."""
        from ...case import FILE_NAME, extend
        from .dialogs import Choose

        app, say = self.app, self._speech.say
        values = collected(self._checklist, app.project.case)
        if not values:
            self.notify(say("path-none-written"), severity="warning", markup=False)
            return
        title = say("path-write-title", path=app.project.case.file or FILE_NAME)
        text = "\n".join(f"{key}: {path}" for key, path in values.items())
        answer = await app.push_screen_wait(Choose(title, text, [("yes", say("yes")), ("no", say("no"))]))
        if answer != "yes":
            return
        try:
            app.use_case(extend(app.project.case, values))
        except UserError as error:
            app.show_error(error.text(self._speech.language))
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

    def action_help(self) -> None:
        from .help import HelpScreen

        keys = [(key, words) for key, words, _ in self.VERBS]
        self.app.push_screen(HelpScreen(self._speech, "help-path", keys))

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
