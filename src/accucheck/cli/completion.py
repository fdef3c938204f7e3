"""accucheck completion."""

from __future__ import annotations

import os

import click

from .frame import Argument, command, echo, option, say, show, talk

#: Where each shell looks for completions of a user's own, below a folder that a variable names.
_PLACES = {
    "bash": ("XDG_DATA_HOME", "~/.local/share", "bash-completion/completions/accucheck"),
    "zsh": ("XDG_DATA_HOME", "~/.local/share", "zsh/site-functions/_accucheck"),
    "fish": ("XDG_CONFIG_HOME", "~/.config", "fish/completions/accucheck.fish"),
}


@command(
    "completion",
    lambda: [
        Argument("shell", words="completion-shell", metavar="SHELL", type=click.Choice(list(_PLACES))),
        option("--install", words="completion-install", is_flag=True),
    ],
)
def completion(shell: str, install: bool) -> None:
    from pathlib import Path

    from click.shell_completion import get_completion_class

    from . import root

    made = get_completion_class(shell)
    assert made is not None
    text = made(root(), {}, "accucheck", "_ACCUCHECK_COMPLETE").source()
    if not install:
        echo(text)
        return
    from ..store import write_together

    variable, default, name = _PLACES[shell]
    file = Path(os.environ.get(variable) or os.path.expanduser(default), name)
    write_together(file.parent, {file.name: f"{text}\n".encode()}, replace=True)
    show(str(file))
    if shell == "zsh":
        talk(say("completion-zsh", folder=file.parent))
