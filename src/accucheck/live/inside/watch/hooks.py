"""Replaces functions of MindSpore and of the standard library by ones that tell what they are given and give.

What fails in a hook switches that hook off and is recorded; it never reaches the training.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple, Optional

from .journal import Journal

#: What a call gave that raised.
RAISED = object()
#: The folder whose frames are our own.
INSIDE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
#: Frames that are looked through for the user's own.
DEEP = 200

Before = Optional[Callable[[tuple[Any, ...], dict[str, Any]], Any]]  # noqa: UP045  # Python 3.9
After = Optional[Callable[[Any, tuple[Any, ...], dict[str, Any], Any], None]]  # noqa: UP045  # Python 3.9


class InstalledHook(NamedTuple):
    """One function that was replaced: `own` says whether its owner held it itself, `keys` where modules held it too; `steps` whether
    it is needed only in steps that are looked at."""

    owner: Any
    name: str
    original: Any
    replaced: Any
    own: bool
    keys: list[tuple[Any, str]]
    steps: bool


class Hooks:
    """`begun` is the folder in which this process began, which names of its files are relative to."""

    def __init__(self, journal: Journal, root: str, begun: str = "") -> None:
        self.journal, self.root = journal, os.path.join(os.path.realpath(root), "")
        self.begun = begun or str(Path.cwd())
        self.off: set[str] = set()
        #: Whether a hook runs now: what it calls itself is not told.
        self.busy = False
        self.asleep = False
        self.put: list[InstalledHook] = []
        #: What further takes back what was changed.
        self.back: list[Callable[[], None]] = []
        self._places: dict[CodeType, str | None] = {}

    def safely(self, hook: str, function: Callable[..., Any], *given: Any) -> Any:
        """What the function gives; None if it fails, and for ever after."""
        if hook in self.off or self.busy:
            return None
        self.busy = True
        try:
            return function(*given)
        except Exception as error:
            self.off.add(hook)
            self.failed(hook, error)
            return None
        finally:
            self.busy = False

    def failed(self, hook: str, error: Exception) -> None:
        """Tell what could not be watched any more, and the line that raised."""
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(last.filename).name}:{last.lineno}"
        self.journal.fact("failed", hook=hook, error=shown(error), place=place)

    def around(
        self, owner: Any, name: str, before: Before = None, after: After = None, hook: str = "", steps: bool = False
    ) -> None:
        """Have `before` told the arguments of each call of owner.name, and `after` what it gave or RAISED. `steps`: only in steps
        that are looked at."""
        original = getattr(owner, name, None) if owner is not None else None  # None itself has an __init__
        hook = hook or name
        if original is None:
            self.journal.fact("missing", hook=hook)
            return

        @wraps(original)
        def replaced(*args: Any, **kwargs: Any) -> Any:
            if self.busy:
                return original(*args, **kwargs)
            state = self.safely(hook, before, args, kwargs) if before else None
            result = RAISED
            try:
                result = original(*args, **kwargs)
            finally:
                if after:
                    self.safely(hook, after, state, args, kwargs, result)
            return result

        self.replace(owner, name, original, replaced, steps)

    def replace(self, owner: Any, name: str, original: Any, replaced: Any, steps: bool = False) -> None:
        """In its owner, and wherever a module of MindSpore has taken it over by name."""
        put = InstalledHook(owner, name, original, replaced, name in vars(owner), [], steps)
        if not isinstance(owner, type):
            for module in list(sys.modules.values()):
                if getattr(module, "__name__", "").partition(".")[0] == "mindspore":
                    put.keys.extend((module, key) for key, value in list(vars(module).items()) if value is original)
        self.put.append(put)
        _in(put)

    def sleep(self) -> None:
        """Take out what is needed only in steps that are looked at."""
        self.asleep = True
        for put in reversed(self.put):
            if put.steps:
                _out(put)

    def wake(self) -> None:
        self.asleep = False
        for put in self.put:
            if put.steps:
                _in(put)

    def end(self) -> None:
        """Take everything out. What somebody has wrapped meanwhile stays within, and does nothing any more."""
        self.busy = True
        for put in reversed(self.put):
            _out(put)
        for back in reversed(self.back):
            back()
        self.put, self.back = [], []

    def place(self, skip: Any = None, deep: int = DEEP) -> list[Any] | None:
        """[file, line] of the user's code that is running, the innermost frame of the project among the `deep` last ones
        that are not our own; frames whose self is `skip` left out."""
        for frame in self.own_frames(deep):
            if skip is None or frame.f_locals.get("self") is not skip:
                return [self._places[frame.f_code], frame.f_lineno]
        return None

    def own_frames(self, deep: int = DEEP) -> Iterator[FrameType]:
        """The frames of the project that are running, from the innermost, among the `deep` last ones that are not our own."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename.startswith(INSIDE):
            frame = frame.f_back
        for _ in range(deep):
            if frame is None:
                return
            code = frame.f_code
            if code not in self._places:
                self._places[code] = self.own_path(code.co_filename)
            if self._places[code] is not None:
                yield frame
            frame = frame.f_back

    def own_path(self, name: str) -> str | None:
        """The path below the project of a file of the user's, None for others: installed packages, and this folder."""
        path = os.path.realpath(os.path.join(self.begun, name))
        inside = path.startswith(self.root) and not path.startswith(INSIDE)
        installed = f"{os.sep}site-packages{os.sep}" in path or f"{os.sep}dist-packages{os.sep}" in path
        return path[len(self.root) :] if inside and not installed else None


def shown(error: BaseException) -> str:
    """An exception, cut short: errors of MindSpore go on with the stack of its C++ code."""
    first, *rest = str(error).strip().splitlines() or [""]
    return (f"{type(error).__name__}({first!r})" if rest else repr(error))[:300]


def _in(put: InstalledHook) -> None:
    setattr(put.owner, put.name, put.replaced)
    for module, key in put.keys:
        setattr(module, key, put.replaced)


def _out(put: InstalledHook) -> None:
    if vars(put.owner).get(put.name) is not put.replaced:
        return
    if put.own:
        setattr(put.owner, put.name, put.original)
    else:
        delattr(put.owner, put.name)
    for module, key in put.keys:
        setattr(module, key, put.original)
