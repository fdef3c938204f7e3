"""What happens off screen, as messages. Tests post these instead of doing real work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

from .. import engine
from ..errors import UserError
from ..model import ProbeResult

if TYPE_CHECKING:
    from ..proposal import Survey
    from ..watching import WatchResult


class EngineEvent(Message):
    """One event of a run; a Finished is recorded in the session before this is posted.

    before: with a Started, the result that this run will replace. It cannot be asked for later: the run goes on meanwhile.
    """

    def __init__(self, event: engine.Event, before: ProbeResult | None = None) -> None:
        super().__init__()
        self.event, self.before = event, before


class RunEnded(Message):
    """A run is over. `error` is what ended it early, for instance a full disk."""

    def __init__(self, error: UserError | None = None) -> None:
        super().__init__()
        self.error = error


class WatchEnded(Message):
    """A watched command has ended; `error` is why it could not be watched, for instance as it could not be started."""

    def __init__(self, watched: WatchResult | None, error: UserError | None = None) -> None:
        super().__init__()
        self.watched, self.error = watched, error


class TryEnded(Message):
    """Changes were tried; `error` is why that broke off."""

    def __init__(self, error: UserError | None = None) -> None:
        super().__init__()
        self.error = error


class TuneEnded(Message):
    """A search for hyper-parameters has ended; `error` is why that broke off."""

    def __init__(self, error: UserError | None = None) -> None:
        super().__init__()
        self.error = error


class SaveEnded(Message):
    """A save ended; `error` says why it failed."""

    def __init__(self, error: UserError | None = None) -> None:
        super().__init__()
        self.error = error


class SurveyEnded(Message):
    """What a look at the project found; `probes`: they are loaded too, and tell what each input is for."""

    def __init__(self, survey: Survey, *, probes: bool) -> None:
        super().__init__()
        self.survey, self.probes = survey, probes


class StaleChecked(Message):
    """Which results are out of date; with `error` it could not be found out."""

    def __init__(self, stale: set[tuple[str, str]], error: UserError | None = None) -> None:
        super().__init__()
        self.stale, self.error = stale, error


class TerminalGone(Message):
    """The terminal is gone, or somebody ends the program; `number` is the signal."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number
