"""The main screen: what a reviewer says of the answers."""

from __future__ import annotations

from functools import partial

from textual import work
from textual.content import Content

from ...checklist import Item
from ...errors import UserError
from ...reviewing import obstacles
from ...session import Entry, Judgement, Role
from ..signs import plain
from .checklist_answering import Answering


class Reviewing(Answering):
    """Accepting and returning answers, and signing the whole off."""

    def _first_item(self) -> str:
        """A reviewer begins with the first answer that waits for a review, and its evidence; an author with the first that came back, and
        what the reviewer says of it."""
        left, reviews = obstacles(self.app.session.record, self.app.project.checklists), self.app.role is Role.REVIEWER
        waiting = left.unreviewed if reviews else left.returned
        if not waiting:
            return super()._first_item()
        self._open_tab("tab-evidence" if reviews else "tab-conclusion")
        return waiting[0]

    def why_not(self, verb: str) -> str | None:
        if verb != "sign-off" and verb != "comment" and not verb.startswith("review-"):
            return super().why_not(verb)
        why, item = self.app.why_not_review(), self.item
        if why is not None or item is None:
            return why
        entry, words = self.app.session.entry(item.id), ""
        if verb in ("review-accept", "review-return") and entry.conclusion is None:
            return UserError("review-unanswered", item=item.id).text(self.speech.language)
        if verb in ("review-withdraw", "comment"):
            words = "" if entry.review is not None else "no-review-here"
        elif verb == "review-all":
            words = "" if self._agreed() else "review-all-none"
        return self.speech.say(words) if words else None

    @work
    async def action_review(self, name: str, *, ask: bool = False) -> None:
        """Accept or return the item's answer, or take the review back; a return asks for its reason, and so does `ask`."""
        app, item = self.app, self.item
        if item is None:
            return
        entry = app.session.entry(item.id)
        if not name:
            app.change(item.id, lambda: app.session.withdraw_review(item.id, app.who))
            return
        judgement = Judgement(name)
        same = entry.review is not None and entry.review.judgement is judgement
        comment = entry.review.comment if entry.review is not None and same else ""
        if (judgement is Judgement.RETURNED and entry.conclusion is not None) or ask:
            title = lambda: self.speech.say(f"comment-title-{judgement.value}", item=item.id)  # noqa: E731
            comment = await app.write_note(title, comment, f"comment {item.id}")
        app.change(item.id, lambda: app.session.review(item.id, judgement, comment, app.who))

    def action_comment(self) -> None:
        """Write the comment of the item's review."""
        item = self.item
        review = self.app.session.entry(item.id).review if item is not None else None
        if review is not None:
            self.action_review(review.judgement.value, ask=True)

    def _agreed(self) -> list[tuple[Item, Entry]]:
        """The items whose answers nobody has reviewed and the probes agree with."""
        app = self.app
        return [
            (item, entry)
            for item in app.project.items
            for entry in (app.session.entry(item.id),)
            if entry.conclusion is not None
            and entry.review is None
            and app.project.suggestion(item) is entry.conclusion
        ]

    @work
    async def action_accept_answers(self) -> None:
        """Accept the answers that nobody has reviewed as they stand and that the probes agree with, after one look at them."""
        from .dialogs import Choose

        app, say, found = self.app, self.speech.say, self._agreed()
        lines = [
            Content.assemble(
                self.speech.sign(state := str(entry.conclusion and entry.conclusion.value)),
                f" {item.id} ",
                plain(f"{item.named(state)[self.speech.language]}  {entry.who}"),
            )
            for item, entry in found
        ]
        answers = [("yes", say("yes")), ("no", say("no"))]
        dialog = Choose(say("review-all-title", count=len(found)), Content("\n").join(lines), answers)
        if await app.push_screen_wait(dialog) == "yes":
            for item, _ in found:
                app.change(item.id, partial(app.session.review, item.id, Judgement.ACCEPTED, "", app.who))

    @work
    async def action_sign_off(self) -> None:
        """Sign the open checklists off, or say what is still open."""
        from ...reviewing import sign_off
        from .dialogs import Choose

        app, say = self.app, self.speech.say
        checklists = app.project.checklists
        titles = " + ".join(checklist.title[self.speech.language] for checklist in checklists)
        text = say("sign-off-text", titles=titles, count=len(app.project.items), who=app.who)
        left = obstacles(app.session.record, checklists)
        ready = not left
        answers = [("yes", say("yes")), ("no", say("no"))]
        if ready and await app.push_screen_wait(Choose(say("sign-off-title"), text, answers)) != "yes":
            return
        try:
            sign_off(app.session, checklists, "", app.who)
        except UserError as error:
            text = error.text(self.speech.language)
            await app.push_screen_wait(Choose(say("sign-off-refused"), text, [("close", say("close"))]))
            self.show_items(next(iter((*left.unanswered, *left.returned, *left.unreviewed)), None))
            return
        app.save_soon()
        self.notify(say("signed", who=app.who), markup=False)
