"""The first screen of a project without an accucheck.yaml: what was recognised, and what giving more would unlock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.screen import Screen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from ...case import WHY, Proposal
from ...language import word
from ..signs import plain
from ..widgets.keybar import KeyBar
from .dialogs import Ask

if TYPE_CHECKING:
    from ..app import Walkthrough

#: The keys offered even when nothing was recognised for them.
OFFERED = (
    "scripts.train",
    "scripts.eval",
    "data.train.path",
    "data.reference.manifest",
    "checkpoints.initial",
    "checkpoints.current",
    "curves.train",
)


class StartScreen(Screen[dict[str, str]]):
    """The result: the dotted keys chosen, with their values."""

    CSS = """
    StartScreen #text { padding: 0 1; height: auto; }
    StartScreen OptionList { height: 1fr; border: none; }
    """
    BINDINGS = [
        Binding("b", "begin", show=False, id="begin"),
        Binding("space", "take", show=False, id="toggle", priority=True),
        Binding("q,escape", "app.leave", show=False, id="quit"),
    ]

    app: Walkthrough

    def __init__(self, proposals: list[Proposal]) -> None:
        super().__init__()
        self._why = {proposal.key: proposal.why for proposal in proposals}
        self._values: dict[str, str] = {proposal.key: proposal.value for proposal in proposals}
        self._chosen = set(self._values)
        self._keys = list(self._values)

    def compose(self) -> ComposeResult:
        self._keys += [key for key in OFFERED if key not in self._values and self._unlocks(key)]
        say = self.app.speech.say
        text = say("start-text" if self._values else "start-nothing", path=self.app.project.case.root)
        yield Static(Content.assemble((say("start-title"), "bold"), "\n", plain(text), "\n"), id="text", markup=False)
        yield OptionList(*[Option(self._line(key), id=key) for key in self._keys], markup=False)
        yield KeyBar()

    def on_mount(self) -> None:
        say = self.app.speech.say
        self.query_one(KeyBar).set_keys(
            [
                ("b", say("key-begin"), "screen.begin"),
                ("Space", say("key-toggle"), "screen.take"),
                ("Enter", say("key-edit"), ""),
                ("q", say("key-quit"), "app.leave"),
            ]
        )
        self.query_one(OptionList).focus()

    def _line(self, key: str) -> Content:
        speech = self.app.speech
        if key not in self._values:
            missing = speech.say("start-missing", unlocks=" ".join(self._unlocks(key)))
            return Content.assemble("   ", plain(f"{key}  "), (missing, "$text-muted"))
        box = (
            ("[x] " if key in self._chosen else "[ ] ")
            if speech.only_ascii
            else ("■ " if key in self._chosen else "□ ")
        )
        why = self._why.get(key)
        reason = f"  ({word(WHY, why, speech.language)})" if why else ""
        return Content.assemble((box, "$text-success"), plain(f"{key}: {self._values[key]}"), (reason, "$text-muted"))

    def _unlocks(self, key: str) -> list[str]:
        """The items with a probe that needs this key."""
        from ... import probe as probes

        names = {use.name for item in self.app.project.items for use in item.uses} & set(probes.names())
        needing = {"dataset_digest"} if key.startswith("data.reference") else set()
        for name in names:
            if any(key == need or (not isinstance(need, str) and key in need) for need in probes.load(name).NEEDS):
                needing.add(name)
        return [item.id for item in self.app.project.items if any(use.name in needing for use in item.uses)]

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        if event.option.id:
            self._change(event.option.id)

    @work
    async def _change(self, key: str) -> None:
        say = self.app.speech.say
        value = await self.app.push_screen_wait(Ask(say("start-value", key=key), self._values.get(key, "")))
        if value is not None:
            self._values[key] = value
            self._chosen.add(key)
            self.query_one(OptionList).replace_option_prompt(key, self._line(key))

    def action_take(self) -> None:
        options = self.query_one(OptionList)
        option = options.highlighted_option
        if option is not None and option.id in self._values:
            self._chosen ^= {option.id}
            options.replace_option_prompt(option.id, self._line(option.id))

    def action_begin(self) -> None:
        self.dismiss({key: self._values[key] for key in self._keys if key in self._chosen})
