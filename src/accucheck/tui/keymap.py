"""The keys of a person: what the settings say, checked against the verbs. Imported only where there is something to check."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping

from textual.keys import Keys, key_to_character

from .. import settings
from ..document import nearest
from ..errors import UserError
from ..session import Role
from .screens.checklist import ChecklistScreen
from .screens.curves import CurvesScreen
from .screens.evidence import EvidenceScreen
from .screens.export import ExportScreen
from .screens.glossary import GlossaryScreen
from .screens.mend import MendScreen
from .screens.network import NetworkScreen
from .screens.next import NextScreen
from .screens.path import PathScreen
from .screens.recent import RecentScreen
from .screens.samples import SamplesScreen
from .screens.search import SearchScreen
from .screens.sheet import SheetScreen
from .screens.start import CaseScreen, StartScreen
from .screens.training import ErrorScreen, TrainingScreen
from .screens.trial import TrialScreen
from .screens.watch import WatchScreen
from .verbs import ANYWHERE, Verb, keys_of

SCREENS = (
    ChecklistScreen,
    EvidenceScreen,
    SamplesScreen,
    SheetScreen,
    PathScreen,
    MendScreen,
    NextScreen,
    GlossaryScreen,
    ExportScreen,
    TrainingScreen,
    ErrorScreen,
    StartScreen,
    CaseScreen,
    RecentScreen,
    WatchScreen,
    TrialScreen,
    SearchScreen,
    NetworkScreen,
    CurvesScreen,
)
#: How keys are written that textual names otherwise.
_WRITTEN = {"esc": "escape", "del": "delete", "return": "enter", "pgup": "pageup", "pgdn": "pagedown"}
#: Keys that move within lists and from one to the other, and that end a program everywhere.
_TAKEN = {"up", "down", "home", "end", "pageup", "pagedown", "tab", "shift+tab", "ctrl+c", "ctrl+z"}
_NAMED = {key.value for key in Keys} | {f"f{number}" for number in range(1, 25)}


def checked(wanted: Mapping[str, str]) -> tuple[dict[str, str], list[UserError]]:
    """The key map of `wanted`, {verb id: keys}, without what cannot be; and an error for each entry left out."""
    known = {verb.id: verb for verb in _all()}
    keymap: dict[str, str] = {}
    errors: list[UserError] = []

    def refuse(code: str, name: str, **data: object) -> None:
        place = {"path": str(settings.file()), "line": settings.line_of("keys", name)}
        errors.append(UserError(code, **place, id=name, **data))

    for name, text in wanted.items():
        keys = [normal(part) for part in _split(text)]
        if name not in known:
            refuse("settings-verb", name, hint=nearest(name, [*known]))
        elif not keys or None in keys:
            refuse("settings-key", name, key=text)
        elif taken := next((key for key in keys if key in _TAKEN and key not in known[name].keys.split(",")), None):
            refuse("settings-key-taken", name, key=taken)
        else:
            keymap[name] = ",".join(str(key) for key in keys)
    while clash := _clash(keymap):
        name, other, key = clash
        refuse("settings-clash", name, key=key, other=other)
        del keymap[name]
    return keymap, errors


def normal(key: str) -> str | None:
    """A key as textual names it: `F5`, `Ctrl+R`, `^r` and `?` are f5, ctrl+r, ctrl+r and question_mark. None where it is none."""
    key = key.strip()
    if len(key) == 1:
        if key.isalnum():
            return key
        return unicodedata.name(key, "").lower().replace("-", "_").replace(" ", "_") if key.isprintable() else None
    if key.startswith("^"):
        key = "ctrl+" + key[1:]
    *modifiers, last = key.split("+")
    if any(each.lower() not in ("ctrl", "shift", "alt") for each in modifiers):
        return None
    last = last.lower() if modifiers or len(last) > 1 else last
    last = _WRITTEN.get(last, last)
    if last not in _NAMED and not (len(last) == 1 and last.isalnum()) and key_to_character(last) is None:
        return None
    return "+".join([*(each.lower() for each in modifiers), last])


def _split(text: str) -> list[str]:
    """The keys of a value; a comma that stands alone is that key."""
    return [","] if text.strip() == "," else [part for part in text.split(",") if part.strip()]


def _all() -> Iterator[Verb]:
    for screen in SCREENS:
        yield from screen.VERBS
    yield from ANYWHERE


def _clash(keymap: Mapping[str, str]) -> tuple[str, str, str] | None:
    """(id, other id, key) of an entry of the map whose key another verb of some screen has too."""
    for screen in SCREENS:
        for role in Role:
            verbs = {verb.id: verb for verb in [*screen.VERBS, *ANYWHERE] if verb.role in (None, role)}
            held: dict[str, str] = {}
            for verb in verbs.values():
                for key in keys_of(verb, keymap):
                    other = held.setdefault(key, verb.id)
                    if other != verb.id:
                        name, rest = (verb.id, other) if verb.id in keymap else (other, verb.id)
                        return name, rest, key
    return None
