"""The case: what was recognised in the project, what is given already, and what giving more would unlock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import msgspec
from rich.cells import cell_len
from textual import work
from textual.app import ComposeResult
from textual.content import Content
from textual.events import Resize
from textual.widgets import Static
from textual.widgets.option_list import Option

from ...case import Case
from ...language import word
from ...proposal import Proposal, Survey
from ...proposal.keys import GROUPS, KEYS, SHOWN, TITLES, Checked, check, shown
from ..signs import cut_to, plain, wrap
from ..verbs import BACK, FILTER, HELP, LANGUAGE, PALETTE, QUIT, Verb, VerbScreen
from ..widgets.filtered import FilteredList
from ..widgets.keybar import KeyBar

#: The symptom as its user knows it: no probe waits for it, reports begin with it.
_GOAL = "goal."
#: What decides which items apply; no probe waits for it.
_DECIDES = ("runtime.device", "runtime.mode", "runtime.amp")
#: From how many rows a screen is high, and the lines below the inputs on a high screen and on a low one, as in the styles.
_HIGH, _ABOUT, _ABOUT_LOW = 20, 5, 3


class StartScreen(VerbScreen[dict[str, str] | None]):
    """The result: the dotted keys chosen, with their values; of a case that has a file only those that are new or changed."""

    CSS = """
    StartScreen #text { padding: 0 1; height: auto; }
    StartScreen FilteredList { height: 1fr; border: none; background: $background; text-wrap: nowrap; text-overflow: ellipsis; }
    StartScreen #about { height: 6; border-top: solid $panel; padding: 0 1; }
    StartScreen.-low #about { height: 3; border-top: none; background: $surface; }
    .-ascii StartScreen #about { border-top: ascii $panel; }
    """
    SCOPED_CSS = False  # it is also that of a class made of this one
    VERTICAL_BREAKPOINTS = [(0, "-low"), (20, "-high")]
    VERBS: ClassVar[list[Verb]] = [
        Verb("begin", "b", "begin", "command-begin", "key-begin"),
        Verb("take", "space", "take", "command-take", "key-toggle"),
        Verb("change", "enter", "change", "command-change", "key-edit"),
        FILTER,
        HELP,
        LANGUAGE,
        replace(QUIT, keys="q,escape"),
        PALETTE,
    ]
    HERE = ("help-start",)

    def __init__(self, case: Case, survey: Survey | None) -> None:
        super().__init__()
        self._case = case
        self._given = {key: value for key in KEYS if (value := _text(case.get(key))) is not None}
        self._values = dict(self._given)
        self._chosen = set(self._given)
        self._reasons: dict[str, Proposal] = {}
        self._touched: set[str] = set()
        self._survey: Survey | None = None
        if survey is not None:
            self._adopt(survey)

    @property
    def changing(self) -> bool:
        """Whether keys of a case are changed that is examined already."""
        return False

    def compose(self) -> ComposeResult:
        yield Static(id="text", markup=False)
        yield FilteredList(markup=False)
        yield Static(id="about", markup=False)
        yield KeyBar()

    def on_mount(self) -> None:
        self._fill()
        self.query_one(FilteredList).focus()

    async def rebuild(self) -> None:
        """Everything again, in another language."""
        self._fill()
        self.show_keys()

    def on_resize(self, _: Resize) -> None:
        self._fill()

    def surveyed(self, survey: Survey) -> None:
        """What a look at the project found, as it comes; what the person has touched stays."""
        self._adopt(survey)
        self._fill()
        self.show_keys()

    def _adopt(self, survey: Survey) -> None:
        self._survey = survey
        for proposal in survey.proposals:
            if proposal.key not in self._values and proposal.key not in self._touched:
                self._values[proposal.key] = proposal.value
                self._reasons[proposal.key] = proposal
                if not (proposal.others or self.changing):
                    self._chosen.add(proposal.key)

    # --- drawing ------------------------------------------------------------------------------------------------------

    def _fill(self) -> None:
        speech = self.speech
        listing = self.query_one(FilteredList)
        current = self._current
        lines: list[Option] = []
        shown = [key for key in KEYS if key in self._values or self._is_offered(key)]
        room = max([cell_len(word(TITLES, key, speech.language)) for key in shown], default=0) + 2
        for group in GROUPS:
            keys = [key for key in shown if KEYS[key].group == group]
            if keys:
                lines.append(
                    Option(Content.styled(word(GROUPS, group, speech.language), "bold $text-muted"), disabled=True)
                )
                lines += [Option(self._line(key, room), id=key) for key in keys]
        listing.clear_options()
        listing.add_options(lines)
        listing.go(current)
        self.query_one("#text", Static).update(self._head())
        self._show_about()

    def _is_offered(self, key: str) -> bool:
        if key.startswith(_GOAL):  # from the first: what comes later would be no longer where the cursor is
            return True
        return self.app.probes_known and (key in _DECIDES or bool(self.app.project.unlocks(key)))

    def _unlocks(self, key: str) -> dict[str, list[str]]:
        return self.app.project.unlocks(key, self._chosen) if self.app.probes_known else {}

    def _head(self) -> Content:
        say, width = self.speech.say, (self.size.width or 80) - 2
        found = bool(self._values)
        looking = self._survey is None
        key = "case-text" if self.changing else "start-text" if found or looking else "start-nothing"
        title = say("start-title")
        folder = _ending(str(plain(self._case.root)), width - cell_len(title) - 2)
        parts: list[Any] = [(title, "bold"), "  ", plain(folder), "\n"]
        parts += [plain(wrap(say(key), width))]
        for text, style in self._remarks():
            parts += ["\n", plain(wrap(text, width), style)]
        return Content.assemble(*parts)

    def _remarks(self) -> list[tuple[str, str]]:
        say, survey = self.speech.say, self._survey
        if survey is None or not self.app.probes_known:
            return [(say("start-looking"), "$text-muted")]
        remarks = [(problem.text(self.speech.language), "$text-warning") for problem in survey.problems[:2]]
        if survey.partial:
            remarks.append((say("start-partial"), "$text-warning"))
        if survey.projects:
            names = ", ".join(survey.projects[:3]) + (", ..." if len(survey.projects) > 3 else "")
            remarks.append((say("start-projects", count=len(survey.projects), names=names), "$text-warning"))
        return remarks

    def _line(self, key: str, room: int) -> Content:
        """Box, title, value, and why or what it would unlock."""
        speech = self.speech
        title = word(TITLES, key, speech.language)
        padded = title + " " * (room - cell_len(title))
        if key not in self._values:
            if key in _DECIDES:
                told = speech.say("start-decides")
            elif key.startswith(_GOAL):
                told = speech.say("start-goal")
            elif items := self._unlocks(key):
                told = speech.say("start-missing", unlocks=" ".join(items))
            else:
                told = speech.say("start-adds", items=" ".join(self.app.project.unlocks(key)))
            return Content.assemble("    ", (padded, "$text-muted"), (told, "$text-muted"))
        taken = key in self._chosen
        box = ("[x] " if taken else "[ ] ") if speech.only_ascii else ("■   " if taken else "□   ")
        parts = shown(key, self._values[key], speech.language)
        value = plain(word(SHOWN, "between", speech.language).join(parts), "" if taken else "$text-muted")
        found = self._checked(key)
        if not found.good:
            reason = plain(f"  {found.text(speech.language)}", "$text-error")
        elif proposal := self._reasons.get(key):
            reason = plain(f"  ({proposal.reason(speech.language)})", "$text-muted")
        else:
            reason = Content("")
        return Content.assemble((box, "$text-success" if taken else "$text-muted"), padded, value, reason)

    def _checked(self, key: str) -> Checked:
        if key in self._given and isinstance(self._case.get(key), (list, dict)):
            return Checked(
                True, "is-text"
            )  # several paths, each of which is the probes' concern, or a mapping that was read already
        return check(self._case, key, self._values[key])

    def _show_about(self) -> None:
        """What is to be said of the input that is highlighted: its key, its state, and the items and probes that wait for it."""
        key, speech = self._current, self.speech
        about = self.query_one("#about", Static)
        if key is None:
            about.update("")
            return
        width = (self.size.width or 80) - 2
        room = _ABOUT if (self.size.height or _HIGH) >= _HIGH else _ABOUT_LOW
        parts: list[Any] = [(key, "bold")]
        if key in self._values:
            found = self._checked(key)
            state = "problem" if not found.good else "undecided" if found.odd else "ok"
            parts += ["  ", speech.sign(state), " ", plain(found.text(speech.language))]
            if proposal := self._reasons.get(key):
                parts += [plain("  " + proposal.reason(speech.language), "$text-muted")]
            if len(lines := shown(key, self._values[key], speech.language)) > 1:
                parts += ["\n", plain("\n".join(lines))]
        head = Content.assemble(*parts)
        left = max(1, room - len(head.wrap(width)))
        about.update(Content("\n").join([head, plain(told)]) if (told := self._purpose(key, width, left)) else head)

    def _purpose(self, key: str, width: int, lines: int) -> str:
        """What an input is for, in the longest form that fits: items with titles and probes, items with titles, or items alone."""
        speech = self.speech
        if items := self.app.project.unlocks(key) if self.app.probes_known else {}:
            titles = {item.id: item.title[speech.language] for item in self.app.project.items}
            separator = speech.say("list-separator")
            forms = [
                separator.join(f"{item} {titles[item]} ({', '.join(names)})" for item, names in items.items()),
                separator.join(f"{item} {titles[item]}" for item in items),
                " ".join(items),
            ]
            told = [wrap(speech.say("start-for", items=form), width) for form in forms]
            fitting = [text for text in told if text.count("\n") < lines]
            return (fitting or [cut_to(told[-1], lines, only_ascii=speech.only_ascii)])[0]
        if key in _DECIDES or key.startswith(_GOAL):
            return wrap(speech.say("start-decides" if key in _DECIDES else "start-goal-why"), width)
        return ""

    # --- keys ---------------------------------------------------------------------------------------------------------

    @property
    def _current(self) -> str | None:
        option = self.query_one(FilteredList).highlighted_option
        return option.id if option is not None else None

    def on_option_list_option_highlighted(self) -> None:
        self._show_about()
        self.show_keys()

    def on_option_list_option_selected(self) -> None:
        self.call_later(self.action_do, "change")

    def why_not(self, verb: str) -> str | None:
        key, say = self._current if self.is_mounted else None, self.speech.say
        if verb == "take":
            if key is None or key not in self._values:
                return say("start-no-value")
            return say("start-in-file") if key in self._given else None
        if verb == "change" and key in self._given and isinstance(self._case.get(key), (list, dict)):
            return say("start-is-list")
        if verb == "begin":
            wrong = [key for key in self._news() if not self._checked(key).good]
            return say("start-wrong", keys=", ".join(wrong)) if wrong else None
        return None

    def _news(self) -> dict[str, str]:
        """What is chosen and does not stand in the case already."""
        return {
            key: self._values[key] for key in KEYS if key in self._chosen and self._given.get(key) != self._values[key]
        }

    def action_take(self) -> None:
        if (key := self._current) is not None:
            self._chosen ^= {key}
            self._touched.add(key)
            self._fill()
            self.show_keys()

    @work
    async def action_change(self) -> None:
        from .picker import ask_value

        key, say = self._current, self.speech.say
        if key is None:
            return
        others = self._reasons[key].others if key in self._reasons else []
        if others and key not in self._touched and not KEYS[key].choices:
            title = say("start-value", key=f"{word(TITLES, key, self.speech.language)} ({key})")
            value = await self._choose_among(title, [self._values[key], *others])
        else:
            value = await ask_value(self.app, self._case, key, self._values.get(key, ""))
        if value is not None:
            self._values[key] = value
            self._chosen.add(key)
            self._touched.add(key)
            self._reasons.pop(key, None)
            self._fill()
            self.show_keys()

    async def _choose_among(self, title: str, values: Sequence[str]) -> str | None:
        from .dialogs import Choose

        chosen = await self.app.push_screen_wait(Choose(title, "", [(str(n), value) for n, value in enumerate(values)]))
        return values[int(chosen)] if chosen is not None else None

    def action_begin(self) -> None:
        self.dismiss(self._news())

    def action_back(self) -> None:
        self.dismiss(None)


class CaseScreen(StartScreen):
    """The same of a case that has a file, to fill in what is missing."""

    VERBS: ClassVar[list[Verb]] = [
        Verb("save-case", "s", "begin", "command-save-case", "key-save-case"),
        *StartScreen.VERBS[1:4],
        HELP,
        LANGUAGE,
        BACK,
        PALETTE,
    ]

    @property
    def changing(self) -> bool:
        return True

    def why_not(self, verb: str) -> str | None:
        if verb == "save-case":
            return super().why_not("begin") if self._news() else self.speech.say("case-unchanged")
        return super().why_not(verb)


def _text(value: object) -> str | None:
    """A value of a case as a text: a number in digits, of a list its parts, a mapping as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return f"{value:.12g}"
    if isinstance(value, dict):
        return msgspec.json.encode(value).decode() if value else None
    return ", ".join(map(str, value)) if isinstance(value, list) and value else None


def _ending(path: str, width: int) -> str:
    """The end of a path that is too long for one line: it names the project, and the line below belongs to the inputs."""
    if cell_len(path) <= width:
        return path
    while path and cell_len(path) > width - 3:
        path = path[1:]
    return f"...{path}"
