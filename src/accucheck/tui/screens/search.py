"""A search for hyper-parameters: its trials as they end, the best on their axes, and what it says."""

from __future__ import annotations

import shlex
from typing import ClassVar

from textual.content import Content
from textual.widgets import Static

from ... import study_results
from ...language import aligned
from ...study_results import StudyResults
from ..signs import plain, wrap
from ..verbs import BACK, HELP, PALETTE, Verb
from ..widgets.chart import curve, cut
from .progress import JobScreen

#: Cells of a bar, lines of the chart, and the screens that have room for it.
_BAR, _CHART, _TALL = 20, 12, 40


class SearchScreen(JobScreen):
    JOB = "tune"
    VERBS: ClassVar[list[Verb]] = [
        Verb("tune-stop", "s", "stop", "command-tune-stop", "key-tune-stop"),
        Verb("tune-again", "e", "again", "command-tune-again", "key-tune-again"),
        BACK,
        HELP,
        PALETTE,
    ]
    HERE = ("help-tune",)

    @property
    def is_on(self) -> bool:
        return self.app.runner.tunes

    def action_stop(self) -> None:
        self.app.runner.stop_tuning()
        self._draw()

    def action_again(self) -> None:
        """Ask what to search and with which command; the same goes on where it was."""
        if (checklist := self.app.checklist) is not None:
            checklist.tune_anew()

    # --- what is shown ------------------------------------------------------------------------------------------------

    def _draw(self) -> None:
        if not self.is_mounted:
            return
        say, width, runner = self.speech.say, max(20, self.size.width - 4), self.app.runner
        kept = runner.tuned
        command = (
            runner.tuning.wanted.command if runner.tuning is not None else kept.command if kept is not None else []
        )
        self.query_one("#head", Static).update(plain(say("tune-head", command=shlex.join(command))))
        lines = [self._state(width), Content("")]
        if kept is not None and kept.trials:
            lines += self._found(kept, width)
        self.query_one("#seen", Static).update(Content("\n").join(lines))
        self.show_keys()

    def _state(self, width: int) -> Content:
        """How far it is, or how it ended."""
        say, runner, language = self.speech.say, self.app.runner, self.speech.language
        if not runner.tunes:
            if runner.tune_error is not None:
                return plain(wrap(say("tune-broken", why=runner.tune_error.text(language)), width), "$text-warning")
            count = len(runner.tuned.trials) if runner.tuned is not None else 0
            text = say("tune-over", count=count, key=self.key_of("tune-again")) if count else say("tune-nothing")
            return plain(wrap(text, width), "$text-success" if count else "$text-warning")
        if runner.tuning is not None and runner.tuning.stopped:
            return Content.styled(say("tune-stopping"), "$text-muted")
        trial, far = runner.searched
        if trial is None or far is None:
            return Content.styled(say("tune-starting"), "$text-muted")
        bar = self.speech.bar(far.done / far.of, _BAR) if far.of else ""
        left = "" if far.left is None else say("tune-left", minutes=max(1, round(far.left / 60)))
        told = say(
            "tune-far", number=far.done + 1, epoch=far.epoch, value=study_results.number(far.value) or "-", left=left
        )
        what = cut(study_results.label(trial, language), width, only_ascii=self.speech.only_ascii)
        return Content.assemble((bar, "$accent"), " " if bar else "", plain(told.rstrip()), "\n", plain(what, "bold"))

    def _found(self, kept: StudyResults, width: int) -> list[Content]:
        """What it says, how to train with the best, the trials, and the best of them on their axes."""
        language, only_ascii = self.speech.language, self.speech.only_ascii
        told = [plain(wrap(study_results.verdict(kept, language), width), "bold")]
        told += [plain(wrap(line, width, 2), "$text-success") for line in study_results.advice(kept, language)]
        head, *rows = aligned(study_results.lines(kept, language))
        table = [plain(cut(head, width, only_ascii=only_ascii), "$text-muted")]
        table += [plain(cut(row, width, only_ascii=only_ascii)) for row in rows]
        axes = study_results.parallel(kept, language, only_ascii=only_ascii)
        weights = study_results.weights(kept, language, only_ascii=only_ascii)
        drawn = [plain(cut(line, width, only_ascii=only_ascii)) for line in [*axes, "", *weights]]
        notes = [plain(wrap(note, width, 2), "$text-muted") for note in study_results.notes(kept, language)]
        blank = Content("")
        return [*told, blank, *table, blank, *drawn, blank, *notes, *self._courses(kept, width)]

    def _courses(self, kept: StudyResults, width: int) -> list[Content]:
        """The metric of the best trials over their training, on a screen that has room."""
        charts = study_results.charts(kept, self.speech.language)
        if self.size.height < _TALL or len(charts) < 2:
            return []
        chart = charts[-1]
        drawn = curve(chart, str, width, _CHART, only_ascii=self.speech.only_ascii)
        return [Content(""), plain(chart.title, "bold"), *drawn]
