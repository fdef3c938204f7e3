"""The main screen: what an author says of an item."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from textual import work
from textual.content import Content

from ...checklist import Item
from ...errors import UserError
from ...model import CONCLUSIONS, Verdict
from ...session import Entry
from ..editor import named
from ..signs import plain
from ..widgets.items import ItemList
from .checklist_running import Running

if TYPE_CHECKING:
    from .dialogs import Told

#: The verbs of this module.
_ANSWERING = {
    "accept",
    "accept-all",
    "conclude-problem",
    "conclude-ok",
    "conclude-not-applicable",
    "note",
    "editor",
    "attach",
    "undo",
    "undo-review",
}


class Answering(Running):
    """Conclusions, notes and attachments, and taking them back."""

    def why_not(self, verb: str) -> str | None:
        app, item = self.app, self.item
        if verb not in _ANSWERING:
            return super().why_not(verb)
        why = app.why_not_change() if verb.startswith("undo") else app.why_not_answer()
        if why is not None:
            return why
        words = ""
        if verb.startswith("undo"):
            words = "" if app.undo else "nothing-to-undo"
        elif verb == "accept-all":
            words = "" if self._acceptable() else "accept-all-none"
        elif verb == "editor":
            return None if named(os.environ) else UserError("editor-none").text(self.speech.language)
        elif verb == "accept" and item is not None:
            concluded = app.session.entry(item.id).conclusion is not None
            suggested = app.project.suggestion(item) in CONCLUSIONS
            words = "already-concluded" if concluded else "" if suggested else "nothing-to-accept"
            words = "accept-awaited" if not concluded and self._is_awaited(item) else words
        return self.speech.say(words) if words else None

    def action_accept(self) -> None:
        """Make the suggestion the conclusion."""
        if (item := self.item) is not None:
            self._conclude(item, self.app.project.suggestion(item))

    def action_conclude(self, name: str) -> None:
        item = self.item
        if item is None:
            return
        verdict, suggestion = Verdict(name), self.app.project.suggestion(item)
        self._conclude(item, verdict)
        if suggestion in CONCLUSIONS and suggestion is not verdict:
            self._explain(item, suggestion)

    def _conclude(self, item: Item, verdict: Verdict) -> None:
        """Answer, and say where that leads on the path."""
        from ...path import walk

        self._answer(item, verdict)
        checklist = self._path_of(item)
        path = walk(checklist, self.app.session.record, self.app.project.case) if checklist is not None else None
        step = next((step for step in path.steps if step.item.id == item.id), None) if path is not None else None
        if checklist is not None and step is not None:
            from ...report.machine import way_text

            language = self.speech.language
            why = step.way.text[language] if step.way is not None else ""
            way = way_text(checklist, step.to, why, language).removeprefix("→ ")
            self.notify(plain(self.speech.say("path-next", way=way)).plain, timeout=6, markup=False)

    def _answer(self, item: Item, verdict: Verdict) -> None:
        self.app.change(item.id, lambda: self.app.session.answer(item.id, verdict, who=self.app.who))

    @work
    async def _explain(self, item: Item, suggestion: Verdict) -> None:
        def title() -> str:
            return self.speech.say("overrule-title", item=item.id, verdict=self.speech.say(suggestion.value))

        await self._write_note(item, title)

    @work
    async def action_note(self) -> None:
        item = self.item
        if item is not None:
            await self._write_note(item, lambda: self.speech.say("note-title", item=item.id))

    async def _write_note(self, item: Item, title: Told) -> None:
        note = await self.app.write_note(title, self.app.session.entry(item.id).note, f"note {item.id}")
        self._annotate(item, note)

    def _annotate(self, item: Item, note: str | None) -> None:
        if note is not None and note != self.app.session.entry(item.id).note:
            self.app.change(item.id, lambda: self.app.session.annotate(item.id, note, self.app.who))

    def action_editor(self) -> None:
        """The note in $EDITOR, with the terminal given away meanwhile."""
        from ..note_editor import edit_note

        if (item := self.item) is not None:
            self._annotate(item, edit_note(self.app, item.id))

    @work
    async def action_attach(self) -> None:
        from ..places import require_file
        from .dialogs import AskLine

        item = self.item
        if item is None:
            return
        answer = await self.app.push_screen_wait(AskLine(lambda: self.speech.say("attach-title")))
        if answer is None:
            return
        path = Path(os.path.expanduser(answer))
        try:
            require_file(path, answer)
        except UserError as error:
            self.app.show_error(error.text(self.speech.language))
            return
        self.app.change(item.id, lambda: self.app.project.attach(item.id, path, self.app.who))

    def _acceptable(self) -> list[tuple[Item, Verdict]]:
        """The open items whose probes say that nothing is wrong, and suspect nothing, with what they say."""
        app = self.app
        suggested = [(item, app.project.suggestion(item)) for item in app.project.items]
        return [
            (item, verdict)
            for item, verdict in suggested
            if verdict in (Verdict.OK, Verdict.NOT_APPLICABLE)
            and app.session.entry(item.id).conclusion is None
            and not app.session.entry(item.id).suspected
            and not self._is_awaited(item)
        ]

    @work
    async def action_accept_all(self) -> None:
        """Accept the ok and not-applicable suggestions of finished probes, after one look at them."""
        from .dialogs import Choose

        app, say, found = self.app, self.speech.say, self._acceptable()
        lines = [
            Content.assemble(
                self.speech.sign(verdict.value), f" {item.id} ", plain(item.named(verdict.value)[self.speech.language])
            )
            for item, verdict in found
        ]
        dialog = Choose(
            say("accept-all-title", count=len(found)),
            Content("\n").join(lines),
            [("yes", say("yes")), ("no", say("no"))],
        )
        if await app.push_screen_wait(dialog) == "yes":
            for item, verdict in found:
                self._answer(item, verdict)

    def action_undo(self) -> None:
        """Take back the last answer, note or attachment, or the last mend that was written into a file."""
        app = self.app
        item, entry = app.undo[-1]
        if not isinstance(entry, Entry):
            try:
                app.take_back(entry)
            except UserError as error:
                app.undo.pop()  # the next key takes back what was before it
                app.show_error(error.text(self.speech.language))
            return
        app.undo.pop()
        app.session.restore(item, entry, app.who)
        app.save_soon()
        self.query_one(ItemList).go(item)
        self.notify(self.speech.say("undone", item=item), timeout=3, markup=False)
