"""A command under watch: what its training does, as it comes."""

from __future__ import annotations

import math
import shlex
import signal
import sys
from contextlib import suppress
from typing import ClassVar

from rich.cells import cell_len
from textual.content import Content
from textual.widgets import Static

from ...model import Curve, Verdict
from ...readers.following import Following, ProcessState
from ...watching import OUTPUT, Watching, WatchResult, ended_early
from ..signs import plain, wrap
from ..verbs import BACK, HELP, PALETTE, Verb
from ..widgets.chart import curve, cut
from .progress import JobScreen

#: Lines of the chart: at least, at most, and of the screen's.
_LEAST, _MOST, _SHARE = 7, 16, 0.4
#: Layers that are shown, decades of their bars, and cells of these.
_LAYERS, _DECADES, _BAR = 200, 6.0, 24
#: Bytes of the command's output that are looked at, and lines that are shown beside a training and without one.
_TAIL, _FEW, _MANY = 1 << 14, 2, 12
#: Rates that are told, of groups of parameters and of optimizers.
_RATES = 3
#: Hooks that failed, as far as they are told.
_FAILED = 3
#: Values of the last step that are told, in this order.
_VALUES = ("loss", "lr", "grad_norm", "loss_scale")


class WatchScreen(JobScreen):
    JOB = "watch"
    VERBS: ClassVar[list[Verb]] = [
        Verb("watch-stop", "s", "stop", "command-watch-stop", "key-watch-stop"),
        Verb("watch-again", "e", "again", "command-watch-again", "key-watch-again"),
        Verb("watch-next", "w", "next", "command-next-steps", "key-next-steps"),
        BACK,
        HELP,
        PALETTE,
    ]
    HERE = ("help-watch",)

    def __init__(self) -> None:
        super().__init__()
        self._following: Following | None = None
        self._of: Watching | None = None
        self._stopping = False
        self._drawn: object = None

    @property
    def is_on(self) -> bool:
        return self.app.runner.watches

    def action_stop(self) -> None:
        self._stopping = True
        self.app.runner.stop_watching()
        self._draw()

    def action_again(self) -> None:
        """Ask for a command, and watch that one here."""
        if (checklist := self.app.checklist) is not None:
            checklist.watch_anew(ask=True)

    def action_next(self) -> None:
        """Leave for what is to be done next."""
        self.action_back()
        if (checklist := self.app.checklist) is not None:
            self.app.call_later(checklist.action_next_steps)

    # --- what is shown ------------------------------------------------------------------------------------------------

    def _look(self) -> None:
        runner = self.app.runner
        if runner.watching is None:
            return
        if runner.watching is not self._of:
            self._of, self._stopping = runner.watching, False
            self._following = Following(runner.watching.folder)
        assert self._following is not None
        new = self._following.read()
        state = (runner.watches, runner.watched is None, self.app.runner.busy, self._printed(_FEW))
        if new or state != self._drawn:
            self._drawn = state
            self._draw()
            self.show_keys()

    def _draw(self) -> None:
        if self._of is None or self._following is None or not self.is_mounted:
            return
        say, width = self.speech.say, max(20, self.size.width - 4)
        command = shlex.join(self._of.plan.command)
        self.query_one("#head", Static).update(plain(say("watch-head", command=command)))
        seen = self._following.seen
        steps = seen.steps if seen is not None else 0
        lines = [self._state(seen, width)]
        if self._of.elsewhere:
            told = say("watch-elsewhere", problem=self._of.elsewhere.text(self.speech.language), folder=self._of.folder)
            lines.append(plain(wrap(told, width), "$text-warning"))
        if seen is not None:
            lines += [plain(wrap(told, width), "$text-warning") for told in self._not_watched(seen)]
        if seen is not None and steps:
            lines += [*self._chart(seen, width), self._last(seen)]
            if seen.bad is not None:
                step, name, kind = seen.bad
                told = say("watch-bad", step=step, name=name, kind=kind)
                lines.append(Content.assemble(self.speech.sign("problem"), " ", plain(told, "bold $text-error")))
            lines += self._layers(seen, width)
        printed = self._printed(_FEW if steps else _MANY)
        if printed:
            lines += [Content(""), Content.styled(say("watch-printed"), "$text-muted")]
            lines += [plain(cut(line, width, only_ascii=self.speech.only_ascii)) for line in printed]
        self.query_one("#seen", Static).update(Content("\n").join(lines))

    def _not_watched(self, seen: ProcessState) -> list[str]:
        """What this MindSpore has no place to watch at, and what could not be watched any more."""
        say = self.speech.say
        assert self._of is not None
        told = [say("watch-lacking", hooks=", ".join(seen.lacking))] if seen.lacking else []
        if (full := ended_early(seen.full, self._of.folder)) is not None:
            told.append(say("watch-full", problem=full.text(self.speech.language), steps=seen.steps))
        failed = seen.failed[:_FAILED]
        return told + [say("watch-failed", hook=hook, error=error, place=place) for hook, error, place in failed]

    def _state(self, seen: ProcessState | None, width: int) -> Content:
        """How far it is, or how it ended."""
        runner, steps = self.app.runner, seen.steps if seen is not None else 0
        if not runner.watches and runner.watched is not None:
            return self._ended(runner.watched, steps, width)
        if seen is None or not steps:
            return Content.styled(
                self.speech.say("watch-stopping" if self._stopping else "watch-starting"), "$text-muted"
            )
        return plain(self._progress(seen))

    def _ended(self, watched: WatchResult, steps: int, width: int) -> Content:
        name = f"{watched.code}"
        with suppress(ValueError):
            name = signal.Signals(-watched.code).name if watched.code < 0 else name
        words = "watch-over" if steps else _nothing_seen(watched)
        words = "watch-over-stopped" if self._stopping else words
        style = "$text-success" if steps else "$text-warning"
        told = self.speech.say(words, code=name, steps=steps, python=sys.executable)
        return plain(wrap(told + self._looked_at() if steps else told, width), style)

    def _looked_at(self) -> str:
        """Whether probes still look at the recording, or how many items they found problems of."""
        app = self.app
        if app.runner.busy:
            return self.speech.say("watch-looks")
        problems = sum(app.project.suggestion(item) is Verdict.PROBLEM for item in app.project.items)
        return self.speech.say("watch-looked", problem=problems, key=self.key_of("watch-next"))

    def _progress(self, seen: ProcessState) -> str:
        """Steps of those that are watched; an evaluation is waited for beyond them."""
        say = self.speech.say
        assert self._of is not None
        steps, most = seen.steps, self._of.plan.steps
        far = say("watch-of", steps=steps, most=most) if steps <= most else str(steps)
        waited = 100 * seen.waited / seen.seconds if seen.seconds else 0.0
        told = say("watch-state", mode=seen.mode, steps=far, rate=seen.seconds / steps, waited=waited)
        if self._stopping:
            return f"{told}  {say('watch-stopping')}"
        return f"{told}  {say('watch-awaits-evaluation')}" if most and steps > most else told

    def _chart(self, seen: ProcessState, width: int) -> list[Content]:
        say = self.speech.say
        rows = max(_LEAST, min(_MOST, int((self.size.height - 2) * _SHARE)))
        points = [(step, loss) for step, loss in seen.losses if math.isfinite(loss)]
        if len(points) < 2:
            return []
        chart = Curve(
            title="",
            x_label="watch-step",
            y_label="watch-loss",
            x=[float(step) for step, _ in points],
            series={"watch-loss": [loss for _, loss in points]},
        )
        return curve(chart, say, width, rows, only_ascii=self.speech.only_ascii)

    def _last(self, seen: ProcessState) -> Content:
        """The values of the last step; of several groups of parameters or optimizers each rate that is another one."""
        told = {name: f"{seen.values[name]:.4g}" for name in _VALUES if name in seen.values}
        rates = dict.fromkeys(f"{value:.4g}" for name, value in seen.values.items() if "lr" in name.split("."))
        if rates:
            told["lr"] = ", ".join([*rates][:_RATES])
        parts = [self.speech.say(f"watch-value-{name}", value=told[name]) for name in _VALUES if name in told]
        return plain("   ".join(parts), "bold")

    def _layers(self, seen: ProcessState, width: int) -> list[Content]:
        """A bar for each parameter, in the order of the network."""
        if not seen.layers:
            return []
        say, only_ascii = self.speech.say, self.speech.only_ascii
        sizes = [norm for norm in seen.layers.values() if norm is not None and math.isfinite(norm) and norm > 0]
        top = math.log10(max(sizes, default=1.0))
        room = max(12, width - _BAR - 12)
        longest = min(room, max(cell_len(name) for name in seen.layers))
        lines = [Content(""), Content.styled(cut(say("watch-layers", step=seen.looked), width), "$text-muted")]
        for name, norm in list(seen.layers.items())[:_LAYERS]:
            shown = cut(name, longest, only_ascii=only_ascii)
            shown += " " * (longest - cell_len(shown))
            if norm is None:
                lines.append(Content.assemble(plain(shown), "  ", (say("watch-missing"), "$text-warning")))
                continue
            wrong = not math.isfinite(norm)
            share = 1.0 if wrong else 1 + (math.log10(norm) - top) / _DECADES if norm > 0 else 0.0
            colour = "$text-error" if wrong else "$text-accent"
            bar = self.speech.bar(max(0.0, share), _BAR)
            lines.append(Content.assemble(plain(shown), "  ", (bar, colour), f"  {norm:.3g}"))
        return lines

    def _printed(self, most: int) -> list[str]:
        """The last lines of what the command printed."""
        if self._of is None:
            return []
        try:
            with self._of.folder.joinpath(OUTPUT).open("rb") as stream:
                end = stream.seek(0, 2)
                stream.seek(max(0, end - _TAIL))
                text = stream.read(_TAIL).decode("utf-8", "replace")
        except OSError:
            return []
        return [line.rpartition("\r")[2] for line in text.splitlines() if line.strip()][-most:]


def _nothing_seen(watched: WatchResult) -> str:
    """Of a command without a training step: how far it came."""
    if not any(one.started for one in watched.passes):
        return "watch-over-no-python"
    return "watch-over-nothing" if any(one.imported for one in watched.passes) else "watch-over-no-mindspore"
