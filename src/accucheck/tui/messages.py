"""What happens off screen, as messages. Tests post these instead of doing real work."""

from textual.message import Message

from .. import engine
from ..errors import UserError


class EngineSaid(Message):
    """One event of a run; a Finished is recorded in the session before this is posted."""

    def __init__(self, event: engine.Event) -> None:
        super().__init__()
        self.event = event


class RunEnded(Message):
    """A run is over. `error` is what ended it early, for instance a full disk."""

    def __init__(self, error: UserError | None = None) -> None:
        super().__init__()
        self.error = error


class Saved(Message):
    """A save ended; `error` says why it failed."""

    def __init__(self, error: UserError | None = None) -> None:
        super().__init__()
        self.error = error


class StaleKnown(Message):
    """Which results are out of date."""

    def __init__(self, stale: set[tuple[str, str]]) -> None:
        super().__init__()
        self.stale = stale
