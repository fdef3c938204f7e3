"""What is done when the first screen stands: loading what the next keys need, and leaving what is there out of garbage collection."""

from __future__ import annotations

import asyncio
import gc
import threading
from contextlib import suppress
from importlib import import_module

from .. import probe as probes
from ..project import Project

#: Modules that a screen imports when it is opened; each would hold up the first key that opens it.
LATER = (
    "accucheck.tui.screens.evidence",
    "accucheck.tui.screens.help",
    "accucheck.tui.screens.export",
    "accucheck.tui.screens.path",
    "accucheck.tui.screens.samples",
    "textual.widgets._data_table",
    "accucheck.tui.widgets.pages",
    "accucheck.tui.widgets.plot",
    "accucheck.tui.widgets.code",
    "textual.highlight",
)
#: Seconds without a key after which new objects are looked through, and after which all are.
PAUSE, REST = 0.1, 2.0
#: All are looked through after so many looks at the new ones.
SWEEPS = 10
#: New objects that are not left until a pause.
MOST = 200_000


def settle(project: Project) -> None:
    """Do it in a thread, so that no key waits. For a start with collection disabled, which it enables again."""
    threading.Thread(target=_settle, args=(project,), daemon=True).start()


def _settle(project: Project) -> None:
    session = project.session
    entries = session.record.entries.values() if session is not None else ()
    for name in LATER:
        with suppress(Exception):  # whoever opens that screen hears of it
            import_module(name)
    of_results = [name for entry in entries for name in entry.results]
    for name in {
        *of_results,
        *(use.name for item in project.items for use in item.uses),
    }:  # all take 0.4 s, which a run would begin with
        probes.loaded(name)  # the run tells why one cannot be
    gc.freeze()  # to go through a session of 10,000 findings takes 0.1 s
    gc.set_threshold(MOST, 10, 10)
    gc.enable()


class Sweeper:
    """Looks for garbage between keys, not during them: a look takes 10 to 150 ms, and a painted line is 15 objects."""

    def __init__(self) -> None:
        self._waiting: list[asyncio.TimerHandle] = []

    def pressed(self) -> None:
        """A key has come: wait anew."""
        for each in self._waiting:
            each.cancel()
        later = asyncio.get_running_loop().call_later
        self._waiting = [later(PAUSE, gc.collect, 0), later(REST, self._all)]

    def _all(self) -> None:
        if gc.get_count()[1] >= SWEEPS:
            gc.collect()
