"""Where networks, losses, optimizers and data sets come from: the function of the user's that made each, and with what; and files of
the project that were opened. From these the keys of a case are told."""

from __future__ import annotations

import inspect
import os
import sys
import weakref
from pathlib import Path
from types import FrameType
from typing import Any

from .cells import ARGUMENTS, arguments, class_of, defined
from .hooks import RAISED, Hooks

#: Opened files that are told.
FILES = 1000
#: Values that JSON has as they are, and letters of one.
_KINDS, _LETTERS = (bool, int, float, str, type(None)), 200
#: Cells within cells that are arguments.
_DEEP = 3


class Origins:
    def __init__(self, hooks: Hooks, files: bool) -> None:
        """`files`: whether opened files are told, which cannot be ended."""
        import mindspore

        self.hooks = hooks
        self.known: weakref.WeakKeyDictionary[Any, dict[str, Any]] = weakref.WeakKeyDictionary()
        #: Of a cell the cells among the arguments of its __init__, by name.
        self.cells: weakref.WeakKeyDictionary[Any, dict[str, Any]] = weakref.WeakKeyDictionary()
        self.told = False
        self.files: set[str] = set()
        hooks.around(mindspore.nn.Cell, "__init__", after=self.made, hook="Cell.__init__ (origin)", steps=True)
        engine = sys.modules.get("mindspore.dataset.engine.datasets")
        hooks.around(getattr(engine, "Dataset", None), "__init__", after=self.made, hook="Dataset.__init__")
        if files:
            sys.addaudithook(self.audited)

    def made(self, _: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        """After the __init__ of a base class, which that of the class itself calls: its own arguments are in that frame."""
        if result is RAISED:
            return
        made = args[0]
        found: dict[str, Any] = {"own": {}, "left": []}
        frame: FrameType | None = sys._getframe(1)
        for _ in range(ARGUMENTS * 2):
            if frame is None:
                break
            held = frame.f_locals
            if held.get("self") is made and frame.f_code.co_name == "__init__":
                found["own"], left = split(frame)
                found["left"] = [name for name in left if not is_default(type(made), name, held.get(name))]
                self.cells[made] = {name: weakref.ref(held[name]) for name in found["left"] if is_cell(held.get(name))}
            elif held.get("self") is not made and self.place(frame) is not None:
                plain, left = split(frame)
                found.update(function=frame.f_code.co_name, place=self.place(frame), arguments=plain, whole=not left)
                break
            frame = frame.f_back
        self.known[made] = found

    def place(self, frame: FrameType) -> list[Any] | None:
        """[file, line] where a frame is the user's."""
        own = self.hooks.own_path(frame.f_code.co_filename)
        return None if own is None else [own, frame.f_lineno]

    def tell(self, of: str, number: int, made: Any) -> None:
        """What is known of something that takes part in the training."""
        if not self.told:
            import mindspore

            self.told = True
            self.hooks.journal.fact("device", target=str(mindspore.get_context("device_target")))
        found = self.known.get(made, {})
        cells = self.within(made)
        self.hooks.journal.fact(
            "origin",
            of=of,
            number=number,
            **kind_of(made),
            **found,
            **({"cells": cells} if cells else {}),
            files=sources(made),
        )

    def within(self, made: Any, depth: int = 0) -> dict[str, Any]:
        """The cells that a cell was given, by the names of its arguments: the class of each, where it is defined, and its arguments."""
        held = {name: one() for name, one in self.cells.get(made, {}).items()} if depth < _DEEP else {}
        return {
            name: {
                **kind_of(cell),
                "defined": defined(cell, self.hooks),
                **{key: self.known.get(cell, {}).get(key) for key in ("own", "left")},
                "cells": self.within(cell, depth + 1),
            }
            for name, cell in held.items()
            if cell is not None
        }

    def audited(self, event: str, given: tuple[Any, ...]) -> None:
        """open(path, mode, flags): a file of the project that is read."""
        if event != "open" or self.hooks.busy or len(self.files) >= FILES:
            return
        self.hooks.safely("open", self.opened, *given)

    def opened(self, path: Any, mode: Any, flags: Any) -> None:
        reads = flags is None or not flags & (os.O_WRONLY | os.O_RDWR)
        if not reads or not isinstance(path, (str, bytes)) or os.fsdecode(path).endswith((".py", ".pyc")):
            return
        own = self.hooks.own_path(os.path.abspath(os.fsdecode(path)))
        if own is not None and own not in self.files and not own.startswith(".accucheck"):
            self.files.add(own)
            self.hooks.journal.fact("file", path=own)


def is_cell(value: Any) -> bool:
    import mindspore

    return isinstance(value, mindspore.nn.Cell)


def kind_of(made: Any) -> dict[str, Any]:
    """The class, and whether it is one of mindspore.nn."""
    import mindspore

    kind = type(made)
    return {"class": class_of(made), "public": getattr(mindspore.nn, kind.__name__, None) is kind}


def is_default(kind: type, name: str, value: Any) -> bool:
    """Whether an argument of __init__ is what it is where it is not given, as a dtype of MindSpore's is."""
    try:
        default = inspect.signature(kind.__init__).parameters[name].default  # type: ignore[misc]
    except (KeyError, TypeError, ValueError):
        return False
    return default is not inspect.Parameter.empty and value is default


def split(frame: FrameType) -> tuple[dict[str, Any], list[str]]:
    """The plain ones among the arguments of a function that runs, and the names of the others."""
    code = frame.f_code
    count = code.co_argcount + code.co_kwonlyargcount
    names = code.co_varnames[:count]
    plain = arguments(code, frame.f_locals)
    if names and names[0] != "self" and isinstance(frame.f_locals.get(names[0]), _KINDS):
        plain = {names[0]: frame.f_locals[names[0]], **plain}
    varied = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    further = any(frame.f_locals.get(name) for name in code.co_varnames[count : count + varied])
    left = [name for name in names if name not in plain and name != "self"] + ["*"] * further
    return dict(list(plain.items())[:ARGUMENTS]), left[:ARGUMENTS]


def sources(made: Any) -> list[str]:
    """Files and folders that the sources of a data set name."""
    children = getattr(made, "children", None)
    if children is None:
        return []
    if children:
        return [name for child in children for name in sources(child)][:ARGUMENTS]
    named = []
    for value in list(vars(made).values()):
        each = value if isinstance(value, (list, tuple)) else [value]
        named += [
            one for one in each[:ARGUMENTS] if isinstance(one, str) and 0 < len(one) < _LETTERS and Path(one).exists()
        ]
    return [os.path.realpath(one) for one in named][:ARGUMENTS]
