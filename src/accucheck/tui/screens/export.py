"""Writing the report, and the issue: what goes into them, what is hidden, where to; then the paths, and what may still be private."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple, cast

import msgspec
from textual import work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.events import Resize
from textual.widgets import Button, Checkbox, Input, RadioButton, RadioSet, Static
from textual.widgets.option_list import Option

from ...errors import UserError
from ...language import Language, word
from ..signs import SIGNS, plain, wrap
from ..verbs import BACK, HELP, PALETTE, Verb, VerbScreen
from ..widgets.filtered import FilteredList
from ..widgets.keybar import KeyBar

if TYPE_CHECKING:
    from ...report import Options, WrittenReports
    from ...report.issue import IssueFiles
    from ...report.leftovers import Leftover
    from ...report.redact import RedactionPreview
    from ..app import Walkthrough

#: What the formats and trackers are called; one that is not here by its own name.
NAMES = {
    "md": "Markdown",
    "docx": "Word",
    "html": "HTML",
    "json": "JSON",
    "sarif": "SARIF",
    "junit": "JUnit",
    "atomgit": "AtomGit",
    "gitcode": "GitCode",
    "gitee": "Gitee",
    "github": "GitHub",
}
CHOSEN = ("md", "docx", "html")
PARTS = ("report", "issue")
#: Files left out of an attachment that are named here; its list of files names all.
MAX_TOLD = 5


class _Check(Checkbox):
    """Shows its state by shape, not by colour alone."""

    BUTTON_LEFT, BUTTON_RIGHT = "[", "]"

    @property
    def BUTTON_INNER(self) -> str:  # type: ignore[override]
        return "X" if self.value else " "


class _Radio(RadioButton):
    """Shows its state by shape, not by colour alone."""

    BUTTON_LEFT, BUTTON_RIGHT = "(", ")"

    @property
    def BUTTON_INNER(self) -> str:  # type: ignore[override]
        return "*" if self.value else " "


class _Prose(Static):
    """Lines of text, each with its style, broken where Chinese may be broken."""

    def __init__(self, lines: Sequence[tuple[str, str]] = (), **settings: str) -> None:
        super().__init__("", markup=False, **settings)  # type: ignore[arg-type]
        self._lines = lines

    def tell(self, *lines: tuple[str, str]) -> None:
        self._lines = lines
        self._draw()

    def on_resize(self, _: Resize) -> None:
        self._draw()

    def _draw(self) -> None:
        width = self.size.width or 76
        self.update(Content("\n").join(plain(wrap(text, width, 2), style) for text, style in self._lines))


class _Job(NamedTuple):
    """What is written; `parts` are some of PARTS."""

    parts: tuple[str, ...]
    folder: Path
    options: Options
    tracker: str


class ExportScreen(VerbScreen[None]):
    CSS = """
    ExportScreen #all { padding: 0 1; height: 1fr; scrollbar-size-vertical: 1; }
    ExportScreen .title { text-style: bold; }
    ExportScreen .row { height: auto; }
    ExportScreen .row > .label { width: 12; color: $text-muted; }
    ExportScreen #formats { height: auto; width: 1fr; }
    ExportScreen Checkbox, ExportScreen RadioSet { border: none; padding: 0; height: auto; background: $background; }
    ExportScreen Checkbox { margin-right: 1; }
    ExportScreen RadioSet { layout: horizontal; }
    ExportScreen RadioButton { width: auto; margin-right: 1; }
    ExportScreen Input { width: 1fr; }
    ExportScreen #preview { margin: 0 0 0 4; }
    ExportScreen #write { margin: 1 0; }
    ExportScreen #result { height: auto; }
    ExportScreen #left { height: auto; max-height: 8; border: none; padding: 0; display: none; }
    ExportScreen.-left #left { display: block; }
    ExportScreen.-narrow .row { layout: vertical; }
    ExportScreen.-narrow #formats, ExportScreen.-narrow RadioSet { layout: grid; grid-size: 3; grid-rows: 1; }
    """
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (78, "-normal")]
    VERBS: ClassVar[list[Verb]] = [
        Verb("write", "w", "write", "command-write", "key-write"),
        Verb("allow", "a", "accept", "command-allow", "key-allow"),
        Verb("address", "y", "copy", "command-address", "key-address"),
        replace(BACK, keys="escape"),
        HELP,
        PALETTE,
    ]
    HERE = ("help-export",)

    def __init__(self) -> None:
        super().__init__()
        self.allow: tuple[str, ...] = ()
        self.results: dict[str, WrittenReports | IssueFiles | UserError] = {}
        self._job: _Job | None = None  # the last one
        self._busy = False
        self._is_whole = True  # but while all widgets are made again
        self._found: list[tuple[str, str]] = []  # what the preview says

    def compose(self) -> ComposeResult:
        from ...report import FORMATS
        from ...report.trackers import known

        say = self.speech.say
        open_items = sum(
            self.app.state(item)[1] or self.app.state(item)[0] == "open" for item in self.app.project.items
        )
        with VerticalScroll(id="all", can_focus=False):
            yield Static(say("export-title"), classes="title", markup=False)
            if open_items:
                yield _Prose([(say("export-open", count=open_items), "$text-warning")])
            with Horizontal(classes="row"):
                yield self._label("export-formats")
                with Horizontal(id="formats"):
                    for name in FORMATS:
                        yield _Check(NAMES.get(name, name), name in CHOSEN, id=f"format-{name}")
            with Horizontal(classes="row"):
                yield self._label("export-language")
                with RadioSet(id="language"):
                    yield _Radio("中文", self.speech.language is Language.ZH, id="zh")
                    yield _Radio("English", self.speech.language is Language.EN, id="en")
                    yield _Radio(say("export-both"), id="both")
            with Horizontal(classes="row"):
                yield self._label("export-folder")
                yield Input(str(self.app.report_folder), id="folder", compact=True)
            with Horizontal(classes="row"):
                yield self._label("export-template")
                yield Input(placeholder=say("export-template-what"), id="template", compact=True)
            with Horizontal(classes="row"):
                yield self._label("export-issue")
                with RadioSet(id="tracker"):
                    yield _Radio(say("export-no-issue"), True, id="to-none")
                    for tracker in known().trackers:
                        yield _Radio(NAMES.get(tracker.name, tracker.name), id=f"to-{tracker.name}")
            yield _Check(say("export-samples"), id="samples")
            yield _Check(say("export-redact"), True, id="redact")
            yield _Prose(id="preview")
            yield Button(say("export-write"), variant="primary", id="write", compact=True)
            with Vertical(id="result"):
                yield _Prose(id="paths")
                yield FilteredList(id="left", markup=False)
        yield KeyBar()

    def _label(self, words: str) -> Static:
        return Static(self.speech.say(words), classes="label", markup=False)

    def on_mount(self) -> None:
        first = self.query_one("#write") if self.size.height >= 22 else self.query(Checkbox).first()
        first.focus(scroll_visible=False)
        self._show_preview((self.speech.say("export-looking"), "$text-muted"))
        self._preview()

    async def rebuild(self) -> None:
        """Everything again, with what was chosen, typed and written."""
        fields = [(field.id, field.value) for field in self.query(Input)]
        ticks = [(check.id, check.value) for check in self.query(Checkbox)]
        pressed = [self._pressed(group) for group in ("language", "tracker")]
        focused = self.focused.id if self.focused is not None else None
        self._is_whole = False
        await self.recompose()
        self._is_whole = True
        with self.prevent(Checkbox.Changed, Input.Changed):
            for name, text in fields:
                self.query_one(f"#{name}", Input).value = text
            for name, ticked in ticks:
                self.query_one(f"#{name}", Checkbox).value = ticked
            for name in pressed:
                self.query_one(f"#{name}", RadioButton).value = True
        self.query_one(f"#{focused or 'write'}").focus(scroll_visible=False)
        self._show_preview((self.speech.say("export-looking"), "$text-muted"))
        self._preview()
        if self.results:
            self._show_results()
        await super().rebuild()

    def in_bar(self, verb: str) -> bool:
        return (verb != "allow" or bool(self.left)) and (verb != "address" or bool(self.address))

    def why_not(self, verb: str) -> str | None:
        say = self.speech.say
        if verb in ("write", "allow") and self._busy:
            return say("export-busy")
        if verb == "allow" and not self.left:
            return say("export-none-left")
        return say("export-no-address") if verb == "address" and not self.address else None

    # --- what is hidden -----------------------------------------------------------------------------------------------

    @work(thread=True, exclusive=True, group="preview")
    def _preview(self) -> None:
        from ... import report

        try:
            found: RedactionPreview | UserError = report.preview(self.app.project, report.Options(allow=self.allow))
        except UserError as error:
            found = error
        self.call_later(self._previewed, found)

    def _previewed(self, found: RedactionPreview | UserError) -> None:
        language = self.speech.language
        if isinstance(found, UserError):
            self._show_preview((found.text(language), "$text-error"))
        else:
            self._show_preview(*((self._drawable(line), "$text-muted") for line in found.lines(language)))

    def _show_preview(self, *lines: tuple[str, str]) -> None:
        """What would be replaced; or, where nothing is, what that means."""
        self._found = [*lines]
        if not self._can_show:
            return
        hidden = self.query_one("#redact", Checkbox).value
        self.query_one("#preview", _Prose).tell(
            *(self._found if hidden else [(self.speech.say("export-bare"), "$text-warning")])
        )

    def _drawable(self, text: str) -> str:
        return text.replace("…", "...") if self.speech.only_ascii else text

    def on_checkbox_changed(self, event: Checkbox.Changed) -> None:
        if event.checkbox.id != "redact":
            return
        from .dialogs import Choose

        def answer(choice: str | None) -> None:
            if choice != "yes":
                event.checkbox.value = True

        self._show_preview(*self._found)
        if not event.value:
            say = self.speech.say
            answers = [("no", say("export-bare-no")), ("yes", say("export-bare-yes"))]
            self.app.push_screen(Choose(say("export-bare-title"), say("export-bare"), answers), answer)

    # --- writing ------------------------------------------------------------------------------------------------------

    async def on_button_pressed(self, _: Button.Pressed) -> None:
        await self.action_do("write")

    async def on_input_submitted(self, _: Input.Submitted) -> None:
        await self.action_do("write")

    def action_back(self) -> None:
        self.dismiss()

    def action_write(self) -> None:
        from ...report import FORMATS, Options

        formats = tuple(name for name in FORMATS if self.query_one(f"#format-{name}", Checkbox).value)
        template = self._path("template")
        tracker = self._pressed("tracker").removeprefix("to-")
        parts = (*(["report"] if formats or template else []), *(["issue"] if tracker != "none" else []))
        if not parts:
            self._show(("export-none", "$text-warning"))
            return
        spoken = self._pressed("language")
        options = Options(
            formats=formats,
            languages=tuple(Language) if spoken == "both" else (Language(spoken),),
            template=template,
            redact=self.query_one("#redact", Checkbox).value,
            allow=self.allow,
            samples=self.query_one("#samples", Checkbox).value,
            full=False,
        )
        self._begin(_Job(parts, self._path("folder") or Path(), options, tracker))

    def _path(self, name: str) -> Path | None:
        text = self.query_one(f"#{name}", Input).value.replace("\0", "").strip()
        return Path(os.path.expanduser(text)) if text else None

    def _pressed(self, name: str) -> str:
        button = self.query_one(f"#{name}", RadioSet).pressed_button
        return (button.id if button is not None else "") or ""

    def _begin(self, job: _Job, replaced: dict[Path, int] | None = None) -> None:
        """`replaced`: unfinished files of ours, with the time of their last change, that give way to what is written."""
        self._busy, self._job = True, job
        kept = self.results if replaced is not None else {}
        self.results = {part: result for part, result in kept.items() if part not in job.parts}
        self.show_keys()
        self.app.writing.append(job)
        self._write(job, replaced or {})

    @work(thread=True, group="write")
    def _write(self, job: _Job, replaced: dict[Path, int]) -> None:
        app = self.app
        try:
            self._write_parts(app, job, replaced)
        except (
            Exception
        ) as error:  # of ours: it ends the walkthrough, or is told on the way out when this screen was left
            app.failed = error
            raise
        finally:
            app.writing.remove(job)

    def _write_parts(self, app: Walkthrough, job: _Job, replaced: dict[Path, int]) -> None:
        from ... import report

        results: dict[str, WrittenReports | IssueFiles | UserError] = {}
        for part in job.parts:
            self.call_later(self._show, (f"export-working-{part}", "$text-accent"))
            try:
                if part == "report":
                    results[part] = report.write_project(app.project, job.folder, job.options)
                else:
                    from ...report import issue

                    written = msgspec.structs.replace(
                        issue.IssueOptions().report,
                        languages=job.options.languages,
                        redact=job.options.redact,
                        allow=job.options.allow,
                        samples=job.options.samples,
                    )
                    options = issue.IssueOptions(report=written, tracker=job.tracker)
                    results[part] = issue.write_issue(app.project, job.folder, options)
            except UserError as error:
                results[part] = error
        if not any(isinstance(result, UserError) for result in results.values()):
            _remove(replaced)
        paths = [path for result in results.values() for path in paths_of(result)]
        app.written = [path for path in app.written if path not in paths and path.exists()] + paths
        if not app.call_later(self._done, results):  # the person has left, and is told on the way out
            app.unwritten += [result for result in results.values() if isinstance(result, UserError)]

    @property
    def _can_show(self) -> bool:
        """Whether what a thread tells finds its widgets: they are not gone, and not just being made again."""
        return self.is_attached and self._is_whole

    def _done(self, results: dict[str, WrittenReports | IssueFiles | UserError]) -> None:
        self._busy = False
        found = self.results | results
        self.results = {part: found[part] for part in PARTS if part in found}
        if not self.is_attached:  # left meanwhile
            lines = [text for text, _ in self._lines()]
            self.app.notify("\n".join(lines), severity="warning" if self.left else "information", markup=False)
            return
        self.call_later(self._show_results)

    # --- what came of it ----------------------------------------------------------------------------------------------

    @property
    def left(self) -> list[Leftover]:
        return [left for result in self.results.values() if not isinstance(result, UserError) for left in result.left]

    @property
    def address(self) -> str:
        """Where the issue is filed, with what is filled in there."""
        issue = self.results.get("issue")
        return getattr(issue, "address", "")

    def _show(self, *lines: tuple[str, str]) -> None:
        """Words of ours with their styles, in place of all that came of the last writing."""
        if self._can_show:
            self.set_class(False, "-left")
            self.query_one("#paths", _Prose).tell(*((self.speech.say(words), style) for words, style in lines))
            self._scroll()

    def _show_results(self) -> None:
        if not self._can_show:  # rebuild() does, once it can
            return
        left = self.left
        self.query_one("#paths", _Prose).tell(*self._lines())
        chooser = self.query_one("#left", FilteredList)
        chooser.clear_options()
        width = max(20, self.size.width - 6)
        chooser.add_options(
            Option(plain(wrap(self._left_text(each), width, 2)), id=str(place)) for place, each in enumerate(left)
        )
        self.set_class(bool(left), "-left")
        if left:
            chooser.go(None)
            chooser.focus(scroll_visible=False)
        elif self.focused is None or self.focused is chooser:
            self.query_one("#write").focus(scroll_visible=False)
        self.show_keys()
        self._scroll()

    def _scroll(self) -> None:
        self.call_after_refresh(self.query_one("#result").scroll_visible, animate=False, top=True)

    def _lines(self) -> list[tuple[str, str]]:
        say, speech = self.speech.say, self.speech
        lines: list[tuple[str, str]] = []
        for part, result in self.results.items():
            if isinstance(result, UserError):
                lines.append((f"{speech.shape('problem')} {result.text(speech.language)}", SIGNS["problem"][2]))
                continue
            sign = "undecided" if result.left else "ok"
            for path in paths_of(result):
                lines.append((f"{speech.shape(sign)} {say('written', path=path)}", SIGNS[sign][2]))
            if part == "issue":
                lines += self._issue_lines(cast("IssueFiles", result))
        if count := len(self.left):
            lines.append((say("export-left", count=count), "$text-warning"))
        return [*dict.fromkeys(lines)]

    def _issue_lines(self, written: IssueFiles) -> list[tuple[str, str]]:
        from ...report.bilingual import one
        from ...report.issue import why

        say, language = self.speech.say, self.speech.language
        labels = {"title": say("export-issue-name"), **{block.name: block.label for block in written.issue.blocks}}
        blanks = [one(labels[name], language) for name in written.issue.blanks]
        start, more, _ = written.address.partition("?")
        lines = [
            (say("export-issue-title", title=written.issue.title), ""),
            (say("export-issue-address" if more else "export-issue-address-bare", address=start), ""),
            (one(written.grade, language), ""),
        ]
        if blanks:
            lines.append((say("export-blanks", fields=say("list-separator").join(blanks)), "$text-warning"))
        for left in written.left_out[:MAX_TOLD]:
            lines.append((say("export-left-out", path=left.path, why=why(left, language)), "$text-warning"))
        if len(written.left_out) > MAX_TOLD:
            lines.append((say("export-left-out-more", count=len(written.left_out) - MAX_TOLD), "$text-warning"))
        return [(self._drawable(text), style) for text, style in lines if text]

    def _left_text(self, left: Leftover) -> str:
        from ...report import forms, leftovers

        language = self.speech.language
        key, data = left.place
        kind = word(forms.KINDS, left.kind, language) if left.kind in forms.KINDS else self.speech.say("export-unread")
        parts = [left.file, word(leftovers.WORDS, key, language, **data), kind, self._drawable(left.shown)]
        return self.speech.say("colon").join(part for part in parts if part)

    def action_accept(self) -> None:
        """Leave what is chosen in the report, and write again."""
        chosen = self.query_one("#left", FilteredList).current
        if self._job is None or chosen is None:
            return
        self.allow = (*self.allow, self.left[int(chosen)].id)
        unfinished = {part: result for part, result in self.results.items() if getattr(result, "left", None)}
        replaced = {
            path: path.stat().st_mtime_ns
            for result in unfinished.values()
            for path in (getattr(result, "files", None) or paths_of(result))
            if path.exists()
        }
        options = msgspec.structs.replace(self._job.options, allow=self.allow)
        self._begin(self._job._replace(parts=tuple(unfinished), options=options), replaced)
        self._preview()

    def action_copy(self) -> None:
        self.app.copy_to_clipboard(self.address)
        self.notify(self.speech.say("copied"), timeout=2, markup=False)


def paths_of(result: WrittenReports | IssueFiles | UserError) -> list[Path]:
    """The files that a person is told of."""
    if isinstance(result, UserError):
        return []
    paths = getattr(result, "paths", None)
    return [*paths] if paths is not None else [result.body, result.fields, *result.attachments]  # type: ignore[union-attr]


def _remove(replaced: dict[Path, int]) -> None:
    """Remove files that nobody has changed since."""
    for path, changed in replaced.items():
        try:
            if path.stat().st_mtime_ns == changed:
                path.unlink()
        except OSError:
            pass
    for folder in {path.parent for path in replaced if path.parent.name.endswith("_files")}:
        try:
            folder.rmdir()
        except OSError:
            pass
