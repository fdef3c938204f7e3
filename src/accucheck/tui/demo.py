"""The guided demo: the walkthrough with a line of hints that follows what the person does, and a last page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from textual.screen import Screen
from textual.widgets import Static

from ..checklist import Item
from ..demo import runs_code
from ..model import Status, Verdict
from .app import Walkthrough
from .screens.checklist import ChecklistScreen
from .signs import plain
from .verbs import Verb
from .widgets.keybar import KeyBar

#: Seconds between two looks at the state that the hint follows from.
LOOK_EVERY = 0.15
HINT = Verb("hint", "h", "app.toggle_hint", "command-hint")


class DemoChecklist(ChecklistScreen):
    VERBS: ClassVar[list[Verb]] = [*ChecklistScreen.VERBS, HINT]
    WITHOUT_ITEM: ClassVar[set[str]] = {*ChecklistScreen.WITHOUT_ITEM, HINT.id}
    GREETS = False  # it has hints of its own


class HintBar(Static):
    """What to do now, above the key bar."""

    DEFAULT_CSS = """
    HintBar { height: auto; max-height: 2; padding: 0 1; background: $success-muted; color: $foreground; }
    """


class Demo(Walkthrough):
    """Knows what was looked at; all else that a hint depends on is in the session and on the screen."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.live = runs_code()
        self._looked: set[str] = set()
        self._hidden = False
        self._ended = False

    def get_default_screen(self) -> Screen[None]:
        return DemoChecklist()

    def on_mount(self) -> None:
        super().on_mount()
        self.set_interval(LOOK_EVERY, self._guide)
        self.call_after_refresh(self._guide)

    async def action_toggle_hint(self) -> None:
        self._hidden = not self._hidden
        await self._guide()

    async def _guide(self) -> None:
        """Show the hint of this moment on every screen that has a key bar."""
        from .screens.evidence import EvidenceScreen

        checklist = self.checklist
        if checklist is None or not checklist.is_mounted:
            return
        if isinstance(self.screen, EvidenceScreen) and checklist.item is not None:
            self._looked.add(checklist.item.id)
        key, data = hint(self)
        text = "" if self._hidden else plain(self.speech.say(key, **data))
        for screen in self.screen_stack:
            if not screen.query(KeyBar):
                continue
            if not screen.query(HintBar):
                await screen.mount(HintBar(markup=False))
            bar = screen.query_one(HintBar)
            bar.display = not self._hidden
            if str(bar.content) != str(text):
                bar.update(text)
        if key == "demo-done" and not self._ended:
            self._ended = True
            self._last_page()

    def _last_page(self) -> None:
        from .screens.dialogs import Choose

        say, language = self.speech.say, self.speech.language
        found = [f"{self.speech.shape('problem')} {item.id}  {item.title[language]}" for item in self.problems()]
        names = ", ".join(path.name for path in self.written)
        parts = [*found, "", say("demo-own"), "", say("demo-report", folder=self.written[0].parent, names=names)]

        def answer(choice: str | None) -> None:
            if choice == "leave":
                self.exit()

        answers = [("leave", say("demo-leave")), ("stay", say("demo-stay"))]
        self.push_screen(Choose(say("demo-found", count=len(found)), "\n".join(parts), answers), answer)

    def problems(self) -> list[Item]:
        """The items with a problem, by the person, else by the probes."""
        return [item for item in self.project.items if self.state(item)[0] == "problem"]

    def looked(self, item: str) -> bool:
        return item in self._looked


def hint(app: Demo) -> tuple[str, dict[str, object]]:
    """What to do now, as a key of WORDS and its data: by what is on the screen, has run, was looked at and concluded."""
    from .screens.evidence import EvidenceScreen
    from .screens.export import ExportScreen
    from .screens.next import NextScreen

    checklist = app.checklist
    assert checklist is not None
    item = checklist.item
    places: list[tuple[type[Screen[Any]], Callable[[], str]]] = [
        (EvidenceScreen, lambda: "demo-evidence"),
        (NextScreen, lambda: "demo-next"),
        (ExportScreen, lambda: "demo-written" if app.written else "demo-write"),
        (ChecklistScreen, lambda: ""),
    ]
    place = next((key() for kind, key in places if isinstance(app.screen, kind)), "demo-back")
    if place:
        return place, {}
    entries = {each.id: app.session.entry(each.id) for each in app.project.items}
    if app.runner.busy:
        return "demo-running", {}
    if not any(result.status is Status.DONE for entry in entries.values() for result in entry.results.values()):
        return ("demo-run" if app.live else "demo-run-without"), {}
    suggested = {each.id: app.project.suggestion(each) for each in app.project.items}
    unanswered = [name for name, entry in entries.items() if entry.conclusion is None]
    problems = [name for name in unanswered if suggested[name] is Verdict.PROBLEM]
    if problems:
        if item is None or item.id not in problems:
            order = [*entries]
            after = order[order.index(item.id) :] if item is not None else order
            following = next((name for name in after if name in problems), problems[0])
            return "demo-go", {"item": following, "count": len(problems)}
        return ("demo-conclude" if app.looked(item.id) else "demo-look"), {"item": item.id}
    if any(suggested[name] in (Verdict.OK, Verdict.NOT_APPLICABLE) for name in unanswered):
        return "demo-accept", {}
    return ("demo-done" if app.written else "demo-export"), {"count": len(unanswered)}
