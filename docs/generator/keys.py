"""The page of the keys of the walkthrough, with the ids that a key map names."""

from __future__ import annotations

from typing import Any

from accucheck.language import Language, word
from accucheck.tui.screens.checklist import ChecklistScreen
from accucheck.tui.screens.curves import CurvesScreen
from accucheck.tui.screens.evidence import EvidenceScreen
from accucheck.tui.screens.export import ExportScreen
from accucheck.tui.screens.glossary import GlossaryScreen
from accucheck.tui.screens.mend import MendScreen
from accucheck.tui.screens.network import NetworkScreen
from accucheck.tui.screens.next import NextScreen
from accucheck.tui.screens.path import PathScreen
from accucheck.tui.screens.recent import RecentScreen
from accucheck.tui.screens.samples import SamplesScreen
from accucheck.tui.screens.search import SearchScreen
from accucheck.tui.screens.sheet import SheetScreen
from accucheck.tui.screens.start import CaseScreen, StartScreen
from accucheck.tui.screens.training import ErrorScreen, TrainingScreen
from accucheck.tui.screens.trial import TrialScreen
from accucheck.tui.screens.watch import WatchScreen
from accucheck.tui.verbs import ANYWHERE, Verb, VerbScreen, key_name, keys_of
from accucheck.tui.words import WORDS as SCREEN_WORDS

from .markdown import cell, code, page, table
from .words import say

#: The screens with their tables of verbs, and the keys of their widgets.
_SCREENS: list[tuple[str, type[VerbScreen[Any]], list[tuple[str, str]]]] = [
    ("checklist", ChecklistScreen, [("↑ ↓ j k", "move"), ("Tab", "focus"), ("← →", "tabs")]),
    ("next", NextScreen, [("↑ ↓", "move")]),
    ("evidence", EvidenceScreen, []),
    ("mend", MendScreen, []),
    ("samples", SamplesScreen, []),
    ("sheet", SheetScreen, []),
    ("path", PathScreen, [("↑ ↓", "step"), ("Tab", "focus")]),
    ("glossary", GlossaryScreen, [("↑ ↓", "move")]),
    ("export", ExportScreen, [("Tab", "focus"), ("Space", "tick")]),
    ("training", TrainingScreen, [("↑ ↓", "move")]),
    ("error", ErrorScreen, []),
    ("start", StartScreen, [("↑ ↓", "move")]),
    ("case", CaseScreen, [("↑ ↓", "move")]),
    ("recent", RecentScreen, [("↑ ↓", "move")]),
    ("watch", WatchScreen, []),
    ("trial", TrialScreen, []),
    ("curves", CurvesScreen, [("↑ ↓", "move")]),
    ("network", NetworkScreen, [("↑ ↓", "move"), ("Enter", "unfold")]),
    ("search", SearchScreen, []),
]
#: What has no verbs: its keys are fixed.
_FIXED: list[tuple[str, list[tuple[str, str]]]] = [
    ("value", [("Tab", "complete"), ("F2 Ctrl+O", "pick"), ("Enter", "take-value"), ("Esc", "leave")]),
    (
        "picker",
        [
            ("↑ ↓ j k", "move"),
            ("Enter → l", "into"),
            ("Backspace ← h", "up"),
            ("Space", "take-folder"),
            ("/", "filter"),
            ("Esc", "leave"),
        ],
    ),
    ("palette", [("↑ ↓", "move"), ("Enter", "choose"), ("Esc", "leave")]),
    ("themes", [("↑ ↓", "preview"), ("Enter", "keep"), ("/", "filter"), ("Esc", "leave")]),
    ("demo", [("h", "hint")]),
]


def keys(language: Language) -> str:
    """The keys of each screen, from its verbs, with the ids that a key map names."""
    tables: list[tuple[str, list[Verb], list[tuple[str, str]]]] = [
        *((name, screen.VERBS, others) for name, screen, others in _SCREENS),
        *((name, [], others) for name, others in _FIXED),
        ("anywhere", ANYWHERE, []),
    ]
    parts = []
    for name, verbs, others in tables:
        rows = [[_keyboard(shown), cell(say(words, language)), ""] for shown, words in others]
        for verb in verbs:
            if name == "anywhere" or verb not in ANYWHERE:
                shown = " ".join(_written(key) for key in keys_of(verb, {}))
                words = word(SCREEN_WORDS, verb.words, language)
                if verb.role is not None:
                    words = say(f"of-{verb.role.value}", language, words=words)
                rows.append([_keyboard(shown), cell(words), code(verb.id)])
        head = [say("key", language), say("does", language), say("key-id", language)]
        parts.append([f"## {say(f'screen-{name}', language)}", "", *table(head, rows)])
    return page(say("keys", language), language, *parts)


def _written(key: str) -> str:
    """A key as it is written: `Ctrl+P`."""
    return f"Ctrl+{key[5:].upper()}" if key.startswith("ctrl+") else key_name(key)


def _keyboard(keys: str) -> str:
    return " ".join(code(key) for key in keys.split())
