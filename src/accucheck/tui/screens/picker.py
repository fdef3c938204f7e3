"""The value of one key of the case: typed with completion and told at once whether it will do, or picked from folders."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.events import Key
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option
from textual.worker import get_current_worker

from ...case import Case, mode_of
from ...errors import UserError, from_os_error
from ...language import word
from ...proposal.keys import KEYS, TITLES, check, completions, fits
from ..early_keys import SteadyScreen
from ..signs import Speech, plain

if TYPE_CHECKING:
    from ..app import Walkthrough

#: Entries of a folder that are read, and that are shown at a time.
ENTRIES, PAGE = 200_000, 500


class AskValue(SteadyScreen, ModalScreen[str | None]):
    """One line of text with completion, or None. What will not do is not taken, and why is said while it is typed."""

    CSS = """
    AskValue { align: center middle; }
    AskValue > Vertical { width: 90; max-width: 96%; height: auto; border: round $primary; background: $surface; padding: 0 1; }
    AskValue .title { text-style: bold; width: 1fr; }
    AskValue #told { height: auto; max-height: 6; padding: 0 1; }
    """
    BINDINGS = [
        Binding("escape", "dismiss(None)", show=False),
        Binding("tab", "complete", show=False, priority=True),
        Binding("f2,ctrl+o", "pick", show=False, priority=True),
    ]

    def __init__(self, speech: Speech, case: Case, key: str, title: str, value: str = "") -> None:
        super().__init__()
        self._speech, self._case, self._key, self._title, self._value = speech, case, key, title, value

    def compose(self) -> ComposeResult:
        kind = KEYS[self._key]
        keys = "value-keys-path" if kind.file or kind.folder else "value-keys"
        with Vertical():
            yield Static(plain(self._title), classes="title", markup=False)
            yield Input(self._value)
            yield Static(id="told", markup=False)
            yield Static(Content.styled(self._speech.say(keys), "$text-muted"), markup=False)

    def on_mount(self) -> None:
        self.query_one(Input).focus()
        self._tell()

    def on_input_changed(self, _: Input.Changed) -> None:
        self._tell()

    def _tell(self, others: list[str] | None = None, *, sent: bool = False) -> None:
        """Whether the value will do, and what it could go on with."""
        value = self.query_one(Input).value
        if not value.strip() and not others and not sent:  # nothing typed is no mistake yet
            self.query_one("#told", Static).update("")
            return
        found = check(self._case, self._key, value)
        style = "$text-error" if not found.good else "$text-warning" if found.odd else "$text-success"
        state = "problem" if not found.good else "undecided" if found.odd else "ok"
        lines = [self._speech.sign(state) + " " + plain(found.text(self._speech.language), style)]
        if others:
            names = [Path(other).name + ("/" if other.endswith("/") else "") for other in others]
            shown = "  ".join(names[:12]) + ("  ..." if len(names) > 12 else "")
            lines.append(plain(shown, "$text-muted"))
        self.query_one("#told", Static).update(Content("\n").join(lines))

    def action_complete(self) -> None:
        field = self.query_one(Input)
        found = completions(self._case, self._key, field.value)
        if found:
            common = os.path.commonprefix(found)  # noqa: RUF071  of names, letter by letter
            if len(common) > len(field.value) or len(found) == 1:
                field.value = found[0] if len(found) == 1 else common
                field.cursor_position = len(field.value)
        self.call_after_refresh(self._tell, found if len(found) > 1 else None)

    @work
    async def action_pick(self) -> None:
        kind = KEYS[self._key]
        if not (kind.file or kind.folder):
            return
        start = self._case.path(self.query_one(Input).value.strip() or ".")
        folders = (each for each in (start, start.parent) if stat.S_ISDIR(mode_of(each)))
        folder = next(folders, Path(self._case.root))
        picked = await self.app.push_screen_wait(Picker(self._speech, self._case, self._key, folder))
        if picked is not None:
            field = self.query_one(Input)
            field.value = picked
            field.cursor_position = len(picked)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        value = event.value.strip()
        if check(self._case, self._key, value).good:
            self.dismiss(value)
        else:
            self.app.bell()
            self._tell(sent=True)


async def ask_value(app: Walkthrough, case: Case, key: str, value: str = "") -> str | None:
    """A value for a key of the case: one of its choices, or what the person types or picks. Runs in a worker."""
    from .dialogs import AskLine, Choose

    say, known = app.speech.say, KEYS.get(key)
    if known is None:
        words = "start-call" if key.endswith(".call") else "start-value"
        return await app.push_screen_wait(AskLine(say(words, key=key)))
    named = f"{word(TITLES, key, app.speech.language)} ({key})"
    if known.choices:
        answers = [(choice, choice) for choice in known.choices]
        return await app.push_screen_wait(Choose(say("start-value", key=named), "", answers))
    title = say("start-path" if known.file or known.folder else "start-value", key=named)
    return await app.push_screen_wait(AskValue(app.speech, case, key, title, value))


class _Entries(OptionList):
    BINDINGS = [Binding("j", "cursor_down", show=False), Binding("k", "cursor_up", show=False)]


class Picker(SteadyScreen, ModalScreen[str | None]):
    """A walk through folders; the result is a path as the case file has it, or None. Files that fit the key come first."""

    CSS = """
    Picker { align: center middle; }
    Picker > Vertical { width: 90; max-width: 96%; height: 90%; border: round $primary; background: $surface; padding: 0 1; }
    Picker OptionList { height: 1fr; border: none; text-wrap: nowrap; text-overflow: ellipsis; }
    Picker #where { text-style: bold; height: 1; text-wrap: nowrap; text-overflow: ellipsis; }
    Picker #told { height: auto; }
    Picker Input { border: none; height: 1; display: none; }
    Picker.-filter Input { display: block; }
    """
    BINDINGS = [
        Binding("escape", "back", show=False, priority=True),
        Binding("slash", "filter", show=False),
        Binding("space", "take_folder", show=False),
        Binding("backspace,left,h", "up", show=False),
        Binding("right,l", "into", show=False),
    ]

    def __init__(self, speech: Speech, case: Case, key: str, folder: Path) -> None:
        super().__init__()
        self._speech, self._case, self._key, self._folder = speech, case, key, folder
        self._entries: list[tuple[str, bool]] = []  # (name, whether it is a folder), those that fit first
        self._told: list[str] = []
        self._found: list[tuple[str, bool]] = []  # what the filter lets through
        self._shown = PAGE
        self._from = ""

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(id="where", markup=False)
            yield Input(placeholder=self._speech.say("picker-filter"))
            yield _Entries(markup=False)
            yield Static(id="told", markup=False)
            keys = "picker-keys-folder" if KEYS[self._key].folder else "picker-keys"
            yield Static(Content.styled(self._speech.say(keys), "$text-muted"), markup=False)

    def on_mount(self) -> None:
        self.query_one(_Entries).focus()
        self._open(self._folder)

    def _open(self, folder: Path) -> None:
        """Go to a folder. It is listed in a thread: one of 100,000 files takes a while."""
        self._from = self._folder.name if folder == self._folder.parent else ""
        self._folder, self._shown = folder, PAGE
        self.query_one("#where", Static).update(plain(str(folder)))
        self.query_one("#told", Static).update(self._speech.say("picker-reading"))
        self._leave_filter()
        self._list(folder)

    @work(thread=True, exclusive=True)
    def _list(self, folder: Path) -> None:
        entries, told = _listed(folder, self._key, self._speech)
        if not get_current_worker().is_cancelled:
            self.call_later(self._take, folder, entries, told)

    def _take(self, folder: Path, entries: list[tuple[str, bool]], told: list[str]) -> None:
        if folder == self._folder:
            self._entries, self._told = entries, told
            self._fill()

    def _fill(self) -> None:
        """The entries that the filter lets through, a page of them."""
        say = self._speech.say
        words = self.query_one(Input).value.lower().split()
        found = [(name, inside) for name, inside in self._entries if all(word in name.lower() for word in words)]
        options = [] if self._folder.parent == self._folder else [Option(Content("../"), id="up")]
        at = next((index for index, (name, inside) in enumerate(found) if inside and name == self._from), None)
        self._shown = max(self._shown, PAGE if at is None else at + 1)
        for number, (name, inside) in enumerate(found[: self._shown]):
            fit = inside or fits(self._key, name) or not KEYS[self._key].endings
            line = plain(name + ("/" if inside else ""), "bold" if inside else "" if fit else "$text-muted")
            options.append(Option(line, id=f"{number}"))
        if len(found) > self._shown:
            options.append(
                Option(Content.styled(say("picker-more", count=len(found) - self._shown), "$accent"), id="more")
            )
        self._found = found
        listing = self.query_one(_Entries)
        listing.clear_options()
        listing.add_options(options)
        first = bool(options) and options[0].id == "up" and len(options) > 1
        listing.highlighted = (at + 1 if at is not None else int(first)) if options else None
        lines = [*self._told, *([say("picker-none")] if not found else [])]
        self.query_one("#told", Static).update(plain("\n".join(lines), "$text-warning"))

    def on_input_changed(self, _: Input.Changed) -> None:
        self._shown = PAGE
        self._fill()

    def on_input_submitted(self, _: Input.Submitted) -> None:
        self.query_one(_Entries).focus()

    def on_key(self, event: Key) -> None:
        if event.key == "down" and self.query_one(Input).has_focus:
            self.query_one(_Entries).focus()

    def action_filter(self) -> None:
        self.add_class("-filter")
        self.query_one(Input).focus()

    def _leave_filter(self) -> None:
        self.remove_class("-filter")
        with self.prevent(Input.Changed):
            self.query_one(Input).value = ""
        self.query_one(_Entries).focus()

    def action_back(self) -> None:
        if self.has_class("-filter"):
            self._leave_filter()
            self._fill()
        else:
            self.dismiss(None)

    def _highlighted(self) -> tuple[str, bool] | None:
        option = self.query_one(_Entries).highlighted_option
        return self._found[int(option.id)] if option is not None and option.id and option.id.isdigit() else None

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        if event.option.id == "up":
            self.action_up()
        elif event.option.id == "more":
            at = self._shown
            self._shown += PAGE
            self._fill()
            self.query_one(_Entries).highlighted = at + 1
        elif (entry := self._highlighted()) is not None:
            if entry[1]:
                self._open(self._folder / entry[0])
            else:
                self._choose(self._folder / entry[0])

    def action_up(self) -> None:
        if self._folder.parent != self._folder:
            self._open(self._folder.parent)

    def action_into(self) -> None:
        entry = self._highlighted()
        if entry is not None and entry[1]:
            self._open(self._folder / entry[0])

    def action_take_folder(self) -> None:
        """Take the folder that is highlighted, else the one that is shown."""
        if KEYS[self._key].folder:
            entry = self._highlighted()
            self._choose(self._folder / entry[0] if entry is not None and entry[1] else self._folder)

    def _choose(self, path: Path) -> None:
        value = as_value(self._case, path)
        found = check(self._case, self._key, value)
        if found.good:
            self.dismiss(value)
        else:
            self.notify(found.text(self._speech.language), severity="warning", markup=False)


def as_value(case: Case, path: Path) -> str:
    """A path as a case file has it: relative to the project for what lies in it or beside it."""
    text = os.path.relpath(path, case.root)
    return str(path) if text.startswith(os.path.join("..", "..")) else text


def _listed(folder: Path, key: str, speech: Speech) -> tuple[list[tuple[str, bool]], list[str]]:
    """The entries of a folder, (name, whether it is a folder), and what is to be said of those that are left out."""
    found: list[tuple[int, str, bool]] = []
    strange = broken = 0
    more = False
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if len(found) >= ENTRIES:
                    more = True
                    break
                try:
                    entry.name.encode()
                except UnicodeEncodeError:
                    strange += 1
                    continue
                try:
                    inside, file = entry.is_dir(), entry.is_file()
                except OSError:
                    inside = file = False
                if not (inside or file):
                    broken += 1  # a link that leads nowhere, a pipe, a socket
                elif inside or KEYS[key].file:
                    hidden = 4 if entry.name.startswith(".") else 0
                    found.append((hidden + (0 if inside else 1 if fits(key, entry.name) else 2), entry.name, inside))
    except OSError as error:
        problem: UserError = from_os_error(error, folder)
        return [], [problem.text(speech.language)]
    told = [speech.say("picker-strange", count=strange)] if strange else []
    told += [speech.say("picker-broken", count=broken)] if broken else []
    told += [speech.say("picker-too-many", count=ENTRIES)] if more else []
    return [(name, inside) for _, name, inside in sorted(found)], told
