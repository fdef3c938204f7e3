"""Writing the report: formats, language, folder; then the paths."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Button, Checkbox, Input, RadioButton, RadioSet, Static

from ...errors import UserError
from ...language import Language
from ..signs import plain
from ..widgets.keybar import KeyBar

if TYPE_CHECKING:
    from ..app import Walkthrough

FORMATS = [("md", "Markdown (.md)"), ("docx", "Word (.docx)"), ("json", "JSON (.json)")]


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


class ExportScreen(Screen[None]):
    CSS = """
    ExportScreen VerticalScroll { padding: 0 2; height: 1fr; }
    ExportScreen .title { text-style: bold; }
    ExportScreen #open { color: $text-warning; }
    ExportScreen Checkbox, ExportScreen RadioSet { border: none; padding: 0; height: auto; }
    ExportScreen RadioSet { layout: horizontal; }
    ExportScreen Input { width: 1fr; max-width: 80; }
    ExportScreen Button { margin: 1 0 0 0; }
    ExportScreen #written { margin-top: 1; }
    """
    BINDINGS = [
        Binding("escape", "back", show=False, id="back"),
        Binding("w", "write", show=False, id="write"),
    ]

    app: Walkthrough

    def compose(self) -> ComposeResult:
        say = self.app.speech.say
        open_items = sum(
            self.app.state(item)[1] or self.app.state(item)[0] == "open" for item in self.app.project.items
        )
        with VerticalScroll():
            yield Static(say("export-title"), classes="title", markup=False)
            if open_items:
                yield Static(say("export-open", count=open_items), id="open", markup=False)
            yield Static(say("export-formats"), markup=False)
            for name, words in FORMATS:
                yield _Check(words, name != "json", id=f"format-{name}")
            yield Static(say("export-language"), markup=False)
            with RadioSet(id="language"):
                yield _Radio("中文", self.app.speech.language is Language.ZH, id="zh")
                yield _Radio("English", self.app.speech.language is Language.EN, id="en")
            yield Static(say("export-folder"), markup=False)
            yield Input(str(self.app.report_folder), id="folder")
            yield Button(say("export-write"), variant="primary", id="write")
            with Vertical(id="written"):
                yield Static("", id="paths", markup=False)
        yield KeyBar()

    def on_mount(self) -> None:
        say = self.app.speech.say
        self.query_one(KeyBar).set_keys(
            [("w", say("key-write"), "screen.write"), ("Esc", say("key-back"), "screen.back")]
        )
        self.query_one("#write").focus()

    def on_button_pressed(self, _: Button.Pressed) -> None:
        self.action_write()

    def on_input_submitted(self, _: Input.Submitted) -> None:
        self.action_write()

    def action_back(self) -> None:
        self.dismiss()

    def action_write(self) -> None:
        formats = [name for name, _ in FORMATS if self.query_one(f"#format-{name}", Checkbox).value]
        paths = self.query_one("#paths", Static)
        if not formats:
            paths.update(Content.styled(self.app.speech.say("export-none"), "$text-warning"))
            return
        language = Language.ZH if self.query_one("#zh", RadioButton).value else Language.EN
        folder = Path(self.query_one("#folder", Input).value.strip() or ".").expanduser()
        paths.update(self.app.speech.say("export-working"))
        self._write(formats, folder, language)

    @work(thread=True, exclusive=True)
    def _write(self, formats: list[str], folder: Path, language: Language) -> None:
        from ... import report

        try:
            options = report.Options(formats=tuple(formats), languages=(language,))
            written = report.write_project(self.app.project, folder, options).paths
        except UserError as error:
            self.app.call_from_thread(self._failed, error)
        else:
            self.app.call_from_thread(self._done, written)

    def _failed(self, error: UserError) -> None:
        self.query_one("#paths", Static).update(plain(error.text(self.app.speech.language), "$text-error"))

    def _done(self, written: list[Path]) -> None:
        speech = self.app.speech
        self.app.written += [path for path in written if path not in self.app.written]
        lines = [Content.assemble(speech.sign("ok"), " ", plain(speech.say("written", path=path))) for path in written]
        self.query_one("#paths", Static).update(Content("\n").join(lines))
        self.query_one("#paths").scroll_visible()
