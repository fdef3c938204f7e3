"""accucheck.watch: what accucheck watch records, from a line in one's own training. Runs within that training.

Between the steps that are looked at, the hooks are out: only the calls of optimizers are counted, until an evaluation seems to begin, as
a data set is read that was not trained with, a cell is put into inference mode, or the network is called by other lines than in training.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import __version__
from .errors import SaveError, UserError, from_os_error
from .readers.recordings import WATCH
from .store import require_own, stamped

if TYPE_CHECKING:
    from .live.inside.watch.run import Run


class watch:  # called like a function: with accucheck.watch(every=100)
    """Records the training that runs within `with`, or as a callback of Model.train: step 1, and then each `every`-th.

    `folder` is where the recording goes, as user.jsonl, or user.rank1.jsonl of another rank; without it a new folder below
    .accucheck/watch of the current one, where accucheck finds it by itself. With several ranks, name one for all of them. An earlier
    recording in the folder is continued. Raises UserError for an `every` below 1; where the recording begins, SaveError for a folder
    that cannot be written. Later, a full disk costs records, never the training. Under `accucheck watch` it does nothing, as all is
    watched already.
    """

    def __init__(self, *, every: int = 100, folder: str | os.PathLike[str] | None = None) -> None:
        if isinstance(every, bool) or not isinstance(every, int) or every < 1:
            raise UserError("watch-every", value=str(every))
        self.every = every
        self.folder = None if folder is None else Path(folder)
        self._run: Run | None = None

    def __enter__(self) -> watch:
        self._begin()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._end(failed=kind is not None)

    def callback(self) -> Any:
        """A mindspore.Callback for Model.train and Model.fit that watches from the beginning of the training to its end."""
        from mindspore import Callback

        own = self

        class WatchCallback(Callback):  # type: ignore[misc]
            def on_train_begin(self, run_context: Any) -> None:
                own._begin()

            def on_train_end(self, run_context: Any) -> None:
                own._end()

        return WatchCallback()

    def _begin(self) -> None:
        if self._run is not None or "accucheck_inside.watch.run" in sys.modules:
            return
        from .live.inside.watch.run import begin

        root = Path.cwd()
        folder = self.folder or root / WATCH
        try:
            folder = self.folder or _folder(root)
            folder.mkdir(parents=True, exist_ok=True)
            told = {"folder": str(folder), "root": str(root), "mode": "user", "steps": 0, "role": "train", "nan": False}
            self._run = begin({**told, "version": __version__, "every": self.every})
        except OSError as error:
            raise from_os_error(error, folder, SaveError) from None
        self.folder = folder

    def _end(self, failed: bool = False) -> None:
        run, self._run = self._run, None
        if run is not None:
            run.stop(failed)


def _folder(root: Path) -> Path:
    """A new folder for a recording of the project in the current folder. Raises OSError."""
    above = root / WATCH
    require_own(above, root)
    return stamped(above)
