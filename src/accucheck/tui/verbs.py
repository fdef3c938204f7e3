"""What can be done on a screen. One table a screen gives its keys, key bar, palette, help and the reference of keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from textual import on
from textual.binding import Binding, BindingsMap
from textual.css.query import NoMatches
from textual.events import Mount
from textual.keys import format_key
from textual.screen import Screen, ScreenResultType
from textual.widget import Widget

from ..session import Role
from .early_keys import SteadyScreen
from .widgets.keybar import KeyBar, KeyEntry

if TYPE_CHECKING:
    from .app import Walkthrough
    from .signs import Speech

Found = TypeVar("Found", bound=Widget)


@dataclass(frozen=True)
class Verb:
    """One thing that can be done.

    id: what key maps and the reference call it; it never changes, and a verb of several screens has one id.
    keys: as textual names them, with commas between; none where only the palette offers it.
    action: of the screen, or `app.` and one of the app.
    words, short: keys of WORDS, for palette and help and for the key bar; without `short` it is not in the bar. Neighbours
        with the same `short` are one entry of the bar.
    role: whose verb it is, where the key means another thing to the other role.
    priority: the key is taken before the widget with the focus sees it.
    """

    id: str
    keys: str
    action: str
    words: str
    short: str = ""
    role: Role | None = None
    priority: bool = False


BACK = Verb("back", "escape,q", "back", "command-back", "key-back")
HELP = Verb("help", "question_mark", "help", "command-help", "key-help")
LANGUAGE = Verb("language", "L", "app.switch_language", "command-language", "key-language")
QUIT = Verb("quit", "q", "app.leave", "command-quit", "key-quit")
FILTER = Verb("filter", "slash", "filter", "command-filter", "key-filter")
THEME = Verb("theme", "t", "app.choose_theme", "command-theme")
PALETTE = Verb("palette", "ctrl+p", "app.command_palette", "command-palette", "key-palette", priority=True)
JUMP = Verb("jump", "J", "jump", "command-jump")
RECENT = Verb("recent", "", "app.open_recent", "command-recent")
#: What works on top of everything, dialogs too.
ANYWHERE = [
    PALETTE,
    Verb("suspend", "ctrl+z", "app.suspend_process", "command-suspend"),
    Verb("quit-anywhere", "ctrl+q", "app.leave", "command-quit", priority=True),
]


def keys_of(verb: Verb, keymap: Mapping[str, str]) -> list[str]:
    """The keys of a verb under a key map, as textual names them."""
    return [key for key in keymap.get(verb.id, verb.keys).split(",") if key]


def bindings(verbs: list[Verb], keymap: Mapping[str, str], action: str = "do('{verb.id}')") -> BindingsMap:
    """The bindings of verbs. Raises nothing: a key map is checked when it is read."""
    return BindingsMap(
        Binding(",".join(keys), action.format(verb=verb), show=False, priority=verb.priority, id=verb.id)
        for verb in verbs
        if (keys := keys_of(verb, keymap))
    )


#: Where the name of a key on the keyboard is not what textual shows.
_NAMES = {"escape": "Esc", "space": "Space", "enter": "Enter", "delete": "Del", "backspace": "Backspace", "tab": "Tab"}
_ASCII = {"up": "Up", "down": "Down", "left": "Left", "right": "Right"}


@lru_cache(maxsize=256)
def key_name(key: str, *, only_ascii: bool = False) -> str:
    """A key as it is shown to people: `Esc`, `^p`, `]`, `F2`."""
    *modifiers, last = key.split("+") if len(key) > 1 else [key]
    name = (_ASCII.get(last) if only_ascii else None) or _NAMES.get(last) or format_key(last)
    if len(last) > 1 and last[0] == "f" and last[1:].isdigit():
        name = last.upper()
    return "".join("^" if each == "ctrl" else f"{each.capitalize()}+" for each in modifiers) + name


class VerbScreen(SteadyScreen, Screen[ScreenResultType]):
    """A screen with a table of verbs and a key bar. What cannot be done now stays in sight, with the reason."""

    VERBS: ClassVar[list[Verb]] = []
    #: What the help says of this place, as keys of WORDS.
    HERE: ClassVar[tuple[str, ...]] = ()

    app: Walkthrough

    def __init_subclass__(cls, **settings: Any) -> None:
        super().__init_subclass__(**settings)
        if cls.VERBS and LANGUAGE not in cls.VERBS:
            cls.VERBS = [*cls.VERBS, LANGUAGE]
        if cls.VERBS and JUMP not in cls.VERBS:
            cls.VERBS = [*cls.VERBS, JUMP]

    @on(Mount)
    def _take_keys(self) -> None:
        self._bindings = BindingsMap.merge([self._bindings, bindings(self.verbs, self.app.keymap)])
        self.show_keys()

    async def rebuild(self) -> None:
        """Say everything again, in another language; what the person chose and typed stays."""
        self.show_keys()

    @property
    def speech(self) -> Speech:
        return self.app.speech

    @property
    def verbs(self) -> list[Verb]:
        """The verbs of whoever is at the keyboard."""
        return [verb for verb in self.VERBS if verb.role in (None, self.app.role)]

    def why_not(self, verb: str) -> str | None:
        """Why a verb can do nothing now, in the person's language; None where it can. Must be cheap."""
        return None

    def in_bar(self, verb: str) -> bool:
        """Whether the key bar has room for a verb now."""
        return True

    def short(self, verb: Verb) -> str:
        """The words of the key bar."""
        return self.speech.say(verb.short)

    def here(self) -> tuple[str, ...]:
        """What the help says first, as keys of WORDS: of what has the focus."""
        return self.HERE

    def key_names(self, verb: Verb) -> list[str]:
        """The keys of a verb in force, as they are shown."""
        return [key_name(key, only_ascii=self.speech.only_ascii) for key in keys_of(verb, self.app.keymap)]

    def key_of(self, verb: str) -> str:
        """The first key of a verb of this screen, as it is shown; empty where there is none."""
        return next((names[0] for each in self.verbs if each.id == verb and (names := self.key_names(each))), "")

    def show_keys(self) -> None:
        """Draw the key bar again."""
        entries: list[KeyEntry] = []
        last = ""
        for verb in self.verbs:
            names = self.key_names(verb)
            if not verb.short or not names or not self.in_bar(verb.id):
                continue
            key = (names[0], f"screen.do('{verb.id}')")
            dim = self.why_not(verb.id) is not None
            if verb.short == last:
                before = entries.pop()
                entries.append(KeyEntry([*before.keys, key], before.words, dim and before.dim))
            else:
                entries.append(KeyEntry([key], self.short(verb), dim))
            last = verb.short
        if (bar := self.there(KeyBar)) is not None:
            bar.show(entries)

    def there(self, kind: type[Found]) -> Found | None:
        """The widget of a kind; None while the screen is made, or made again in another language. As `query`, but remembered."""
        try:
            return self.query_one(kind)
        except NoMatches:
            return None

    async def action_do(self, name: str) -> None:
        """Do what a verb says, or say why that is not possible now."""
        if not self.is_current or self.there(KeyBar) is None:
            return
        verb = next(verb for verb in self.verbs if verb.id == name)
        why = self.why_not(name)
        if why is not None:
            self.notify(why, severity="warning", markup=False)
        else:
            await self.app.run_action(verb.action, self)

    async def action_filter(self) -> None:
        """Ask for the words that filter the list with the focus, or the first one in sight."""
        from .widgets.filtered import FilteredList

        if isinstance(self.focused, FilteredList):
            await self.focused.ask()
            return
        for each in self.query(FilteredList):
            if all(node.display for node in each.ancestors_with_self if isinstance(node, Widget)):
                await each.ask()
                return

    def action_jump(self) -> None:
        """Labels beside all that can be reached here."""
        from .screens.jump import JumpScreen, Target, targets

        def chosen(target: Target | None) -> None:
            if target is not None:
                target.go()

        if found := targets(self):
            self.app.push_screen(JumpScreen(found), chosen)

    def action_help(self) -> None:
        from .screens.help import HelpScreen

        def left(verb: str | None) -> None:
            if verb is not None:
                self.call_later(self.action_do, verb)

        self.app.push_screen(HelpScreen(self), left)
