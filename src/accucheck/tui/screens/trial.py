"""Fixes tried: a row for each training of a copy of the project, as they end."""

from __future__ import annotations

import shlex
import time
from typing import ClassVar

from rich.cells import cell_len
from textual.content import Content
from textual.widgets import Static

from ... import try_results
from ...model import Curve
from ...try_results import Compared, Row
from ..signs import plain, wrap
from ..verbs import BACK, HELP, PALETTE, Verb
from ..widgets.chart import curve, cut
from ..widgets.topbar import clock
from .progress import JobScreen

#: Cells of a bar, lines of the chart, and the screens that have room for it.
_BAR, _CHART, _TALL = 20, 12, 34
#: Cells of a bar where the figures beside it take the room.
_LEAST = 6
#: Curves in the chart.
_CURVES = 4
#: The sign of an item's state that a verdict is like.
_SIGNS = {
    "better": "ok",
    "cured": "ok",
    "worse": "problem",
    "failed": "failed",
    "nan": "problem",
    "disk": "failed",
    "nothing": "failed",
    "escaped": "failed",
    "reference": "not_applicable",
}


class TrialScreen(JobScreen):
    JOB = "try"
    VERBS: ClassVar[list[Verb]] = [
        Verb("try-stop", "s", "stop", "command-try-stop", "key-try-stop"),
        Verb("try-again", "e", "again", "command-try-again", "key-try-again"),
        BACK,
        HELP,
        PALETTE,
    ]
    HERE = ("help-try",)

    @property
    def is_on(self) -> bool:
        return self.app.runner.tries

    def action_stop(self) -> None:
        self.app.runner.stop_trying()
        self._draw()

    def action_again(self) -> None:
        """Ask for a command, and train with that one; what was trained with it before is not trained again."""
        if (checklist := self.app.checklist) is not None:
            checklist.try_anew(ask=True)

    # --- what is shown ------------------------------------------------------------------------------------------------

    def _draw(self) -> None:
        if not self.is_mounted:
            return
        say, width, runner = self.speech.say, max(20, self.size.width - 4), self.app.runner
        kept = runner.tried
        command = (
            runner.trying.wanted.command if runner.trying is not None else kept.command if kept is not None else []
        )
        self.query_one("#head", Static).update(plain(say("try-head", command=shlex.join(command))))
        lines = [self._state(width), Content("")]
        if kept is not None:
            found = try_results.compare(kept.trials)
            figures = [self._figures(found, row) for row in found.rows]
            bar = max(_LEAST, min(_BAR, width - 5 - max(map(cell_len, figures), default=0)))
            rows = [
                line
                for number, row in enumerate(found.rows)
                for line in self._row(found, row, number, width, figures[number], bar)
            ]
            notes = try_results.notes(found, self.speech.language)
            if any(row.trial.whole for row in found.rows):
                lines += [*rows, *(plain(wrap(note, width, 2), "$text-muted") for note in notes)]
            else:  # why nothing could be trained comes before what was not
                lines += [*(plain(wrap(note, width, 2), "$text-warning") for note in notes), Content(""), *rows]
            lines += self._curves(found, width)
        self.query_one("#seen", Static).update(Content("\n").join(lines))
        self.show_keys()

    def _state(self, width: int) -> Content:
        """How far it is, or how it ended."""
        say, runner = self.speech.say, self.app.runner
        if not runner.tries:
            return self._ended(width)
        begun, trying = runner.trial, runner.trying
        if begun is None or trying is None:
            return Content.styled(say("try-starting"), "$text-muted")
        if trying.stopped:
            return Content.styled(say("try-stopping"), "$text-muted")
        trial, number, count, since = begun
        done = self.speech.bar((number - 1) / count, _BAR)
        seconds = time.monotonic() - since
        words = "try-judges" if trying.judging else "try-far"
        far = say(words, number=number, count=count, steps=trying.seen, seconds=seconds)
        ended = runner.tried.trials if runner.tried is not None else []
        if ended:
            each = sum(one.seconds for one in ended) / len(ended)
            rest = max(0.0, each - seconds) + each * (count - number)
            far += f"  {say('run-left', time=clock(rest))}"
        what = cut(try_results.label(trial, self.speech.language), width, only_ascii=self.speech.only_ascii)
        return Content.assemble((done, "$accent"), " ", plain(far), "\n", plain(what, "bold"))

    def _ended(self, width: int) -> Content:
        """How it ended, and where nothing was tried, why."""
        say, runner, key = self.speech.say, self.app.runner, self.key_of("try-again")
        count = len(runner.tried.trials) if runner.tried is not None else 0
        if runner.tried is not None and count < runner.tried.planned:
            text = say("try-stopped", count=count, of=runner.tried.planned, key=key)
        elif count:
            text = say("try-over", count=count)
        elif runner.try_error is not None:
            text = say("try-nothing-error", why=runner.try_error.text(self.speech.language), key=key)
        else:
            text = say("try-nothing-stopped", key=key)
        return plain(wrap(text, width), "$text-success" if count else "$text-warning")

    def _figures(self, found: Compared, row: Row) -> str:
        """The loss and the metric of a row, and how they differ from those of the unchanged project."""
        say = self.speech.say
        loss, metric, difference, *_ = try_results.cells(row, found.by, self.speech.language)
        figures = [
            say("try-figure", name=name, value=value)
            for name, value in (("loss", loss), (row.trial.metric_name[:16] or say("try-metric"), metric))
            if value
        ]
        return "   ".join([*figures, *([difference] if difference else [])])

    def _row(self, found: Compared, row: Row, number: int, width: int, told: str, bar: int) -> list[Content]:
        """What was tried, and below it a bar of what is compared, the figures, and what they say."""
        only_ascii = self.speech.only_ascii
        *_, verdict, what = try_results.cells(row, found.by, self.speech.language)
        shown = cut(what, width - 5, only_ascii=only_ascii)
        values = [_compared(each, found.by) for each in found.rows]
        most, own = max((value for value in values if value is not None), default=0.0), values[number]
        share = own / most if own is not None and most > 0 else 0.0
        style = {"ok": "$text-success", "problem": "$text-error", "failed": "$text-warning"}.get(
            _SIGNS.get(row.verdict, ""), "$text-muted"
        )
        return [
            Content.assemble(self.speech.sign(_SIGNS.get(row.verdict, "undecided")), " ", plain(shown, "bold")),
            Content.assemble("   ", (self.speech.bar(share, bar), "$accent"), "  ", plain(told)),
            plain(f"   {cut(verdict, width - 4, only_ascii=only_ascii)}", style),
        ]

    def _curves(self, found: Compared, width: int) -> list[Content]:
        """The losses of the unchanged project and of the first changes, on a screen that has room."""
        shown = [row.trial for row in found.rows if row.trial.losses]
        shown = [trial for trial in shown if trial.kind != "base" or trial.seed == 1][:_CURVES]
        if self.size.height < _TALL or not shown:
            return []
        steps = sorted({step for trial in shown for step, _ in trial.losses})
        series = {}
        for trial in shown:
            known = dict(trial.losses)
            name = trial.item or try_results.label(trial, self.speech.language)
            series[name] = [known.get(step) for step in steps]
        chart = Curve("", "watch-step", "watch-loss", [float(step) for step in steps], series)
        return [Content(""), *curve(chart, self.speech.say, width, _CHART, only_ascii=self.speech.only_ascii)]


def _compared(row: Row, by: str) -> float | None:
    return row.trial.metric if by == "metric" else row.loss
