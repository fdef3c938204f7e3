"""The mend of one finding: its lines in full, to copy, to save as a patch, or to write into the file after one question."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.events import Resize
from textual.widgets import Static

from ... import mending
from ...errors import UserError
from ...model import Finding
from ..places import open_place, why_not_open
from ..signs import plain, wrap
from ..verbs import BACK, HELP, PALETTE, Verb, VerbScreen
from ..widgets.findings import explanation_of, message_of, place
from ..widgets.keybar import KeyBar
from .dialogs import AskLine, Choose
from .evidence import diff_style, write_new


class MendScreen(VerbScreen[None]):
    CSS = """
    MendScreen #head { dock: top; height: auto; max-height: 4; padding: 0 1; background: $primary-background; }
    MendScreen #state { height: auto; max-height: 5; padding: 0 1; }
    MendScreen #body { height: 1fr; padding: 0 1; }
    """
    VERBS: ClassVar[list[Verb]] = [
        BACK,
        Verb("mend-apply", "a,enter", "apply", "command-mend-apply", "key-apply"),
        Verb("mend-rule", "A", "apply_rule", "command-mend-rule", "key-mend-rule"),
        Verb("mend-undo", "u", "undo", "command-mend-undo", "key-undo"),
        Verb("run-stale", "x", "run_stale", "command-run-stale", "key-run-stale"),
        Verb("try", "T", "try_fixes", "command-try", "key-try"),
        Verb("mend-copy", "y", "copy", "command-mend-copy"),
        Verb("mend-save", "s", "save", "command-mend-save", "key-save-as"),
        Verb("open-place", "o", "open_place", "command-open-place", "key-open-place"),
        HELP,
        PALETTE,
    ]
    HERE = ("help-mend",)

    def __init__(self, name: str, finding: Finding) -> None:
        super().__init__()
        self._probe, self._finding = name, finding
        self._mend: mending.FileChange | None = None
        self._refused = ""
        self._kept = ""  # where the file lies as it was
        self._together = (0, 0)  # how many changes were written at once, into how many files

    @property
    def _diff(self) -> str:
        return self._finding.fix.diff or "" if self._finding.fix is not None else ""

    @property
    def _written(self) -> mending.FileChange | None:
        """The mend, where it was written in this visit and not taken back."""
        return self.app.mends.get(self._diff)

    @property
    def _proves(self) -> bool:
        """Whether what runs is what this change may have mended."""
        return self.app.checklist is not None and self.app.checklist.proves

    def compose(self) -> ComposeResult:
        yield Static(id="head", markup=False)
        with VerticalScroll(id="body"):
            yield Static(id="diff", markup=False)
        yield Static(id="state", markup=False)
        yield KeyBar()

    def on_mount(self) -> None:
        self._look()
        self.query_one("#body").focus()

    def on_resize(self, _: Resize) -> None:
        self.call_after_refresh(self._show)

    def _look(self) -> None:
        """Read the file as it is now: whether the lines still fit."""
        self._mend, self._refused = None, ""
        try:
            if self.app.project.case.alone:
                raise UserError("session-alone", path=str(self.app.session.path))
            if self._written is None:
                self._mend = mending.prepare(Path(self.app.project.case.root), self._finding)
        except UserError as error:
            self._refused = error.text(self.speech.language)
        self._show()

    def _show(self) -> None:
        if not self.query("#head"):
            return
        name, finding, speech, width = self._probe, self._finding, self.speech, max(20, self.size.width - 4)
        say, fix = speech.say, finding.fix
        message = message_of(name, finding.code, finding.data, speech)
        head = Content.assemble(speech.level(finding.level), " ", plain(wrap(message, width, 2)))
        self.query_one("#head", Static).update(head + Content("\n") + plain(place(finding.where), "$text-accent"))
        lines: list[Content] = []
        if fix is not None:
            words = wrap(f"{say('fix')}  {message_of(name, fix.message, finding.data, speech)}", width, 2)
            lines += [plain(words).stylize("bold $accent", 0, len(say("fix"))), Content("")]
        lines += self._changes()
        if proof := explanation_of(name, finding, speech).proof:
            lines += [
                Content(""),
                plain(wrap(f"{say('proof')}  {proof}", width, 2)).stylize("bold $accent", 0, len(say("proof"))),
            ]
        self.query_one("#diff", Static).update(Content("\n").join(lines))
        self.query_one("#state", Static).update(self._state(width))
        self.show_keys()

    def _changes(self) -> list[Content]:
        """All lines of the diff, none of them cut."""
        return _styled(self._diff)

    def _state(self, width: int) -> Content:
        say = self.speech.say
        written = self._written
        if written is not None and self.app.runner.busy and self._proves:
            text, style = say("mend-proving"), "$text-muted"
        elif written is not None and self.app.runner.busy:
            text, style = say("mend-waits", path=written.path, key=self.key_of("run-stale")), "$text-muted"
        elif written is not None and self.app.proof:
            text, style = self.app.proof, "$text-success"
        elif written is not None and self._together[0]:
            count, files = self._together
            text = say("mend-rule-state", count=count, files=files, key=self.key_of("run-stale"))
            style = "$text-success"
        elif written is not None:
            words = "mend-written-kept" if self._kept else "mend-written"
            text = say(words, path=written.path, kept=self._kept, key=self.key_of("run-stale"))
            style = "$text-success"
        elif self._refused:
            text, style = self._refused, "$text-warning"
        else:
            text, style = say("mend-ready", key=self.key_of("mend-apply")), "$text-muted"
        return plain(wrap(text, width), style)

    def why_not(self, verb: str) -> str | None:
        app, say = self.app, self.speech.say
        if verb == "mend-undo":
            return None if self._written is not None else say("mend-not-written")
        if verb == "mend-apply":
            if self._written is not None:
                return say("mend-written-before")
            if app.session.read_only:
                return say("read-only-why", why=app.session.refusal.text(self.speech.language))
            return self._refused or None
        if verb == "mend-rule":
            if len(self._alike) < 2:
                return say("mend-rule-none")
            return (app.why_not_change() if app.session.read_only else None) or app.why_alone()
        if verb in ("run-stale", "try"):
            return app.why_not_run() if verb == "run-stale" else app.why_alone()
        return why_not_open(app, self._finding) if verb == "open-place" else None

    @work
    async def action_apply(self) -> None:
        """Write the lines into the file, after one question that shows them."""
        say, mend = self.speech.say, self._mend
        if mend is None:
            return
        answers = [("yes", say("mend-yes")), ("no", say("no"))]
        text = Content("\n").join([Content(say("mend-copy-kept")), Content(""), *self._changes()])
        if await self.app.push_screen_wait(Choose(say("mend-title", path=mend.path), text, answers)) != "yes":
            return
        try:
            kept = self.app.write_mend([self._diff], mend)
            self.app.proof = ""  # of another change
        except UserError as error:
            self.app.show_error(error.text(self.speech.language))
        else:
            self._kept, self._together = self.app.project.case.relative(kept), (0, 0)
        self._look()

    @property
    def _alike(self) -> list[Finding]:
        """The findings of the same rule, this one among them, whose changes are not written yet."""
        seen: dict[str, Finding] = {}
        for _, result in self.app.project.recorded() if self.app.project.session is not None else ():
            for finding in result.findings if result.probe == self._probe else ():
                diff = finding.fix.diff if finding.fix is not None else None
                if diff and finding.code == self._finding.code and diff not in self.app.mends:
                    seen.setdefault(diff, finding)
        return [*seen.values()]

    def in_bar(self, verb: str) -> bool:
        return verb != "mend-rule" or len(self._alike) > 1

    @work
    async def action_apply_rule(self) -> None:
        """Write the changes of all findings of this rule, after one question that shows them."""
        alike = self._alike
        if files := await write_all(self, alike, "mend-rule-title"):
            self._together = (len(alike), files)
        self._look()

    def action_undo(self) -> None:
        mend = self._written
        if mend is None:
            return
        try:
            self.app.take_back(mend)
        except UserError as error:
            self.app.show_error(error.text(self.speech.language))
            return
        self._look()

    def action_try_fixes(self) -> None:
        """Train copies of the project with this change and the others."""
        if (checklist := self.app.checklist) is not None:
            checklist.action_try_fixes()

    def action_run_stale(self) -> None:
        self.app.run_stale()

    def show_proof(self) -> None:
        """A run has begun or ended: say so here, and what it says of the change."""
        self._look()

    def action_copy(self) -> None:
        self.app.copy_to_clipboard(self._diff)
        self.notify(self.speech.say("copied"), timeout=2)

    @work
    async def action_save(self) -> None:
        proposed = str(Path(self.app.project.case.root, f"{self._finding.code}.patch"))
        target = await self.app.push_screen_wait(AskLine(self.speech.say("save-as-title"), proposed))
        if target is not None:
            write_new(self, target, self._diff.encode("utf-8", "surrogateescape"))

    def action_open_place(self) -> None:
        open_place(self.app, self._probe, self._finding)
        self._look()

    def action_back(self) -> None:
        self.dismiss()


async def write_all(screen: VerbScreen[Any], findings: list[Finding], title: str) -> int:
    """Write the changes of findings into their files, after one question that shows them all; `title` is a key of WORDS.

    Returns the number of files written; 0 where the answer was no or a change could not be written.
    """
    app, say = screen.app, screen.speech.say
    try:
        made = mending.prepare_all(Path(app.project.case.root), findings)
    except UserError as error:
        app.show_error(error.text(screen.speech.language))
        return 0
    lines = [Content(say("mend-copy-kept"))]
    for _, diffs in made:
        for diff in diffs:
            lines += [Content(""), *_styled(diff)]
    question = say(title, count=len(findings), files=len(made))
    answers = [("yes", say("mend-yes")), ("no", say("no"))]
    if await app.push_screen_wait(Choose(question, Content("\n").join(lines), answers)) != "yes":
        return 0
    try:
        for mend, diffs in made:
            app.write_mend(diffs, mend)
            app.proof = ""
    except UserError as error:
        app.show_error(error.text(screen.speech.language))
        return 0
    return len(made)


def _styled(diff: str) -> list[Content]:
    return [plain(line.rstrip("\r"), diff_style(line)) for line in diff[: mending.MOST].rstrip("\n").split("\n")]
