"""The first question: whether the training runs to its end with the loss printed; and what to do first where it does not."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.events import Resize
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from ... import recent
from ...proposal import Survey, TrainingState
from ...session import Training
from ..signs import plain, wrap
from ..verbs import BACK, HELP, LANGUAGE, PALETTE, QUIT, Verb, VerbScreen
from ..widgets.keybar import KeyBar

#: What a survey says of the training, as the answer that it makes likely.
_LIKELY = {"runs": Training.RUNS, "fails": Training.FAILS, "unsure": Training.UNSURE}


class TrainingScreen(VerbScreen[Training | None]):
    """Asks. What the project's logs say of it is shown as soon as it is known, and proposes the answer."""

    CSS = """
    TrainingScreen #text, TrainingScreen #seen { padding: 1 2 0 2; height: auto; max-width: 100; }
    TrainingScreen OptionList { height: auto; border: none; padding: 1 2 0 2; background: $background; }
    """
    VERBS: ClassVar[list[Verb]] = [
        Verb("training-runs", "1", "answer('training-runs')", "command-training-runs", "key-training-runs"),
        Verb("training-fails", "2", "answer('training-fails')", "command-training-fails", "key-training-fails"),
        Verb("training-unsure", "3", "answer('training-unsure')", "command-training-unsure", "key-training-unsure"),
        HELP,
        LANGUAGE,
        replace(QUIT, keys="q,escape"),
        PALETTE,
    ]
    HERE = ("help-training",)

    def __init__(self, survey: Survey | None) -> None:
        super().__init__()
        self._survey = survey
        self._moved = False

    def compose(self) -> ComposeResult:
        yield VerticalScroll(Static(id="text", markup=False), OptionList(markup=False), Static(id="seen", markup=False))
        yield KeyBar()

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).can_focus = False
        self._fill()
        self.query_one(OptionList).focus()

    async def rebuild(self) -> None:
        """Everything again, in another language."""
        self._fill()
        self.show_keys()

    def surveyed(self, survey: Survey) -> None:
        """What a look at the project found. Where that is nothing, another project may be meant."""
        known, self._survey = self._survey is not None, survey
        if not (known or survey.proposals or survey.projects or self._moved) and recent.load():
            self.dismiss(None)
        else:
            self._fill()

    def on_resize(self, _: Resize) -> None:
        self._fill()

    def _fill(self) -> None:
        say = self.speech.say
        width = min(100, self.size.width or 80) - 6
        text = Content.assemble((say("training-title"), "bold"), "\n\n", wrap(say("training-text"), width))
        self.query_one("#text", Static).update(text)
        options = self.query_one(OptionList)
        at = options.highlighted
        options.clear_options()
        options.add_options(
            Option(Content.assemble((f"{number} ", "bold $accent"), say(answer.value)), id=answer.value)
            for number, answer in enumerate(Training, start=1)
        )
        trained = self._survey.trained if self._survey is not None else None
        likely = list(Training).index(_LIKELY[trained.answer]) if trained is not None else 0
        options.highlighted = at if at is not None and self._moved else likely
        self.query_one("#seen", Static).update(self._seen(trained, width))

    def _seen(self, trained: TrainingState | None, width: int) -> Content:
        say = self.speech.say
        if self._survey is None:
            return Content.styled(say("training-looking"), "$text-muted")
        if trained is None:
            return Content.styled(wrap(say("training-no-log"), width), "$text-muted")
        reason = say(f"training-seen-{trained.answer}", reason=trained.reason(self.speech.language))
        return plain(wrap(reason, width), "$text-warning" if trained.answer == "fails" else "$text-muted")

    def on_key(self) -> None:
        self._moved = True  # what is found out from now on does not move the cursor any more

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.action_answer(event.option.id or Training.UNSURE.value)

    def action_answer(self, answer: str) -> None:
        self.dismiss(Training(answer))


class ErrorScreen(VerbScreen[bool]):
    """Mend the error first, and how. The result: whether to go on all the same."""

    CSS = """
    ErrorScreen VerticalScroll { padding: 1 2; }
    ErrorScreen Static#text { max-width: 100; }
    """
    VERBS: ClassVar[list[Verb]] = [
        Verb("go-on", "enter,c", "go_on", "command-go-on", "key-go-on"),
        replace(BACK, keys="escape"),
        HELP,
        LANGUAGE,
        QUIT,
        PALETTE,
    ]
    HERE = ("help-error",)

    def __init__(self, trained: TrainingState | None) -> None:
        super().__init__()
        self._trained = trained

    def compose(self) -> ComposeResult:
        yield VerticalScroll(Static(id="text", markup=False))
        yield KeyBar()

    def on_mount(self) -> None:
        self._fill()
        self.query_one(VerticalScroll).focus()

    async def rebuild(self) -> None:
        """Everything again, in another language."""
        self._fill()
        self.show_keys()

    def on_resize(self, _: Resize) -> None:
        self._fill()

    def _fill(self) -> None:
        say = self.speech.say
        width = min(100, self.size.width or 80) - 6
        lines = [Content.styled(say("error-first"), "bold"), Content(wrap(say("error-text"), width)), Content("")]
        if self._trained is not None and self._trained.answer == "fails":
            seen = say("training-seen-fails", reason=self._trained.reason(self.speech.language))
            lines += [plain(wrap(seen, width), "$text-warning"), Content("")]
        sign = "-" if self.speech.only_ascii else "•"
        lines += [Content(wrap(f"{sign} {say(f'error-{number}')}", width, 2)) for number in range(1, 8)]
        lines += [Content(""), Content(wrap(say("error-still"), width))]
        self.query_one("#text", Static).update(Content("\n").join(lines))

    def action_go_on(self) -> None:
        self.dismiss(True)

    def action_back(self) -> None:
        self.dismiss(False)
