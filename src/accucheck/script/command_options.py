"""The options that the script of a command takes, however it declares them: what a search may vary, and what each is now.

Nothing of the script is run.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from ..case import Case, Runtime, Scripts
from .analysis import Reading, read_scripts
from .command import Command
from .command import read as read_command
from .declared_options import Option
from .options import as_option, of_written_words
from .values import KnownValue


class StartedScript(NamedTuple):
    """The script that a command starts, and its options; `known` is False where it was not read to its end, so that there may be more.
    `written`: the place of the parse that takes other words than the command's, by the name of each option that no command reaches."""

    command: Command
    options: list[Option]
    known: bool
    written: dict[str, str]


def of_command(case: Case, words: list[str], folder: Path) -> StartedScript | None:
    """None where the command starts no script that is seen."""
    command = read_command(shlex.join(words), folder)
    if command is None:
        return None
    root = Path(os.path.realpath(case.root))
    script = os.path.relpath(command.script, root) if command.script.is_relative_to(root) else str(command.script)
    inside = shlex.join(
        [*(f"{name}={value}" for name, value in command.environment.items()), "python", script, *command.words]
    )
    spec = msgspec.structs.replace(case.spec, runtime=Runtime(command=inside), scripts=Scripts(train=script))
    found = read_scripts(msgspec.structs.replace(case, root=str(root), spec=spec))
    options = {option.flags: option for reading in found.readings for option in options_of(reading)}
    known = bool(found.readings) and not any(one.trace.gave_up for one in found.readings)
    written = {name: place for reading in found.readings for name, place in _written(reading).items()}
    return StartedScript(command, list(options.values()), known and bool(options), written)


def _written(reading: Reading) -> dict[str, str]:
    """The options that the script gives words of its own, each with the place where it parses them."""
    calls = reading.trace.options
    parses = of_written_words(reading.trace.calls, calls)
    named = {id(call): option.name for call in calls if (option := as_option(call)) is not None}
    return {named[call]: f"{one.source.path}:{one.line}" for call, one in parses.items() if call in named}


def options_of(reading: Reading) -> Iterator[Option]:
    """The options of one script that have flags."""
    for call in reading.trace.options:
        option = as_option(call) if call.name == ".add_argument" else None
        if option is not None:
            yield option
    yield from (option for option in reading.trace.declarations if option.flags)


def text_of(option: Option) -> str | None:
    """What an option is where it is not given, as a text; None where that is not seen."""
    value = option.default.value if isinstance(option.default, KnownValue) else None
    return None if value is None or isinstance(value, (list, dict, tuple)) else str(value)
