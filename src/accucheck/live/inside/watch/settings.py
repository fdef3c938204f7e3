"""What the run was told: options, seeds, context, files that were loaded. In the pass in PyNative, graph mode is asked for in vain."""

from __future__ import annotations

import argparse
import logging
import os
import random
import sys
import traceback
from functools import wraps
from typing import Any

import numpy

from ..measures import array, digest
from .hooks import RAISED, Hooks

#: Options of a command that are kept, and characters of one.
OPTIONS, LETTERS = 512, 200


class Settings:
    """`seed`: seeds are set that the command's own replace, so that two runs of it can be compared; above 1 its own are shifted, so that
    the spread of runs can be told."""

    def __init__(self, hooks: Hooks, mode: str, seed: int = 0) -> None:
        import mindspore

        seed_anew(hooks, seed)
        self.hooks = hooks
        #: Whether the command asked for graph mode last.
        self.graph = False
        hooks.around(argparse.ArgumentParser, "parse_known_args", after=self.parsed)
        for owner, name in seeders():
            hooks.around(owner, name, before=self.seeder(f"{owner.__name__}.{name}"), hook=f"{owner.__name__}.{name}")
        hooks.around(mindspore, "load_checkpoint", after=self.loaded)
        hooks.around(mindspore, "load_param_into_net", after=self.taken)
        self.context(mode)

    def context(self, mode: str) -> None:
        """Tell the mode that is set; in the pass in PyNative, set that one instead, and have ms.jit leave the user's functions alone."""
        context = sys.modules["mindspore.context"]
        kind, pynative = context._Context, context.PYNATIVE_MODE
        original, setters = kind.set_mode, kind.setters
        hooks = self.hooks

        def set_mode(own: Any, wanted: Any) -> Any:
            self.graph = bool(wanted != pynative)
            hooks.safely("set_mode", lambda: hooks.journal.fact("mode", graph=wanted != pynative, place=hooks.place()))
            return original(own, pynative if mode == "pynative" else wanted)

        def back() -> None:
            kind.set_mode, kind.setters = original, setters

        hooks.back.append(back)
        kind.set_mode = set_mode
        kind.setters = {**setters, "mode": set_mode}
        now = context._context()
        hooks.journal.fact("mode", graph=now.get_mode() != pynative, place=None)
        mindspore = sys.modules["mindspore"]
        self.within = os.path.join(os.path.dirname(str(mindspore.__file__)), "")
        hooks.replace(mindspore, "jit", mindspore.jit, self.jit(mindspore.jit, left=mode == "pynative"))
        if mode == "pynative":
            original(now, pynative)
            hooks.safely("log", self.hush, mindspore.log._get_logger())

    def jit(self, original: Any, left: bool) -> Any:
        """ms.jit(...), which tells that it was called; `left`: it leaves functions as they are, but for those of MindSpore's own."""

        @wraps(original)
        def jit(*args: Any, **kwargs: Any) -> Any:
            if sys._getframe(1).f_code.co_filename.startswith(self.within):
                return original(*args, **kwargs)
            self.hooks.safely("jit", self.compiled)
            function = [*args, kwargs.get("function"), kwargs.get("fn")][0]
            if not left:
                return original(*args, **kwargs)
            return (lambda decorated: decorated) if function is None else function

        return jit

    def compiled(self) -> None:
        """The user's code has a function compiled into a graph."""
        place = self.hooks.place(deep=1)
        if place is not None:
            self.hooks.journal.fact("mode", graph=True, place=place)

    def hush(self, logger: logging.Logger) -> None:
        """What graph mode would compile runs as Python in this pass, where MindSpore warns of deprecated functions that it calls itself."""

        def heard(record: logging.LogRecord) -> bool:
            if not self.graph or "deprecated" not in str(record.msg):
                return True
            called = [frame.f_code for frame, _ in traceback.walk_stack(None)]
            names = [code.co_name for code in called]
            callers = called[names.index(record.funcName) + 1 :] if record.funcName in names else []
            return not (callers and callers[0].co_filename.startswith(self.within))

        logger.addFilter(heard)
        self.hooks.back.append(lambda: logger.removeFilter(heard))

    def parsed(self, _: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        """ArgumentParser.parse_known_args(): what each option is."""
        if result is RAISED:
            return
        values = {name: shown(value) for name, value in list(vars(result[0]).items())[:OPTIONS]}
        defaults = {action.dest: shown(action.default) for action in args[0]._actions if action.dest in values}
        self.hooks.journal.fact("options", values=values, defaults=defaults, place=self.hooks.place())

    def seeder(self, name: str) -> Any:
        def seeded(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
            # MindSpore's own function sets further seeds, which need not be told.
            place = self.hooks.place(deep=1)
            if place is not None:
                self.hooks.journal.fact("seed", of=name, value=shown([*args, *kwargs.values()]), place=place)

        return seeded

    def loaded(self, _: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        """load_checkpoint(path, ...)."""
        if result is RAISED:
            return
        path = args[0] if args else next(iter(kwargs.values()), None)
        names = sorted(result)[:OPTIONS] if isinstance(result, dict) else []
        self.hooks.journal.fact(
            "loaded",
            at=self.hooks.journal.lines,
            path=shown(path),
            place=self.hooks.place(),
            count=len(result),
            names=names,
            digests=[digest(array(result[name])) if hasattr(result[name], "asnumpy") else "" for name in names],
            shapes=[list(getattr(result[name], "shape", ())) for name in names],
        )

    def taken(self, _: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        """load_param_into_net(network, parameters, ...): what was left out on both sides, and digests of what was loaded."""
        if result is RAISED:
            return
        left = result if isinstance(result, tuple) else (result or [], [])
        held = list((args[0] if args else kwargs["net"]).get_parameters())
        given = args[1] if len(args) > 1 else kwargs["parameter_dict"]
        missed = {str(name) for name in left[0]}
        loaded = [one for one in held if one.name not in missed][:OPTIONS]
        self.hooks.journal.fact(
            "taken",
            at=self.hooks.journal.lines,
            place=self.hooks.place(),
            not_loaded=[str(name) for name in left[0]][:OPTIONS],
            not_used=[str(name) for name in left[1]][:OPTIONS] if len(left) > 1 else [],
            of=len(held),
            given=len(given),
            ids=[id(one) for one in loaded],
            digests=[digest(array(one)) for one in loaded],
            types=[array(one).dtype.name for one in loaded],
        )


def seeders() -> tuple[tuple[Any, str], ...]:
    """The functions that set seeds, each as its owner and its name."""
    import mindspore

    return (
        (mindspore, "set_seed"),
        (mindspore.dataset.config, "set_seed"),
        (numpy.random, "seed"),
        (random, "seed"),
    )


def seed_anew(hooks: Hooks, seed: int) -> None:
    """Set seeds, which the command's own replace; above 1 its own are shifted."""
    import mindspore

    if seed:
        mindspore.set_seed(seed)
        random.seed(seed)
    for owner, name in seeders() if seed > 1 else ():
        original = getattr(owner, name)
        hooks.replace(owner, name, original, shifted(original, seed - 1))


def shown(value: Any) -> Any:
    """A value as JSON has it: what is not plain as its text."""
    if isinstance(value, (bool, int, type(None))):
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else str(value)
    if isinstance(value, (list, tuple)) and len(value) <= 32:
        return [shown(one) for one in value]
    return str(value)[:LETTERS]


def shifted(seeder: Any, by: int) -> Any:
    """A function that sets a seed, which sets a higher one."""

    @wraps(seeder)
    def seed(*args: Any, **kwargs: Any) -> Any:
        if args and type(args[0]) is int:
            args = (args[0] + by, *args[1:])
        kwargs = {name: value + by if type(value) is int else value for name, value in kwargs.items()}
        return seeder(*args, **kwargs)

    return seed
