"""What a person prefers, whatever the project: the theme and the keys of the walkthrough, in the user's own configuration folder."""

from __future__ import annotations

import os
import re
from pathlib import Path

import msgspec

from .errors import SaveError, UserError, from_os_error

#: A settings file is far below this.
MAX_BYTES = 64 << 10


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """theme: as the walkthrough names it, or nothing; keys: {id of a verb: its keys, with commas between}."""

    theme: str = ""
    keys: dict[str, str] = {}


def personal(variable: str, usual: str) -> Path:
    """A folder of the user's own, by a variable of XDG or where it usually lies. Who has neither gets one that cannot be: a relative
    path, as ~ is without a home, leads into the project, which may come from a stranger."""
    bases = (Path(os.environ.get(variable, "")), Path(os.path.expanduser(usual)))
    return next((base for base in bases if base.is_absolute()), Path(os.devnull)) / "accucheck"


def folder() -> Path:
    """Where accucheck keeps what is the user's own."""
    return personal("XDG_CONFIG_HOME", "~/.config")


def file() -> Path:
    return folder() / "settings.yaml"


def from_home(path: str) -> str:
    """A path as people write it: what lies in their home begins with ~."""
    home = os.path.expanduser("~")
    return "~" + path[len(home) :] if path.startswith(home + os.sep) else path


def load() -> tuple[Settings, UserError | None]:
    """The settings, and what is wrong with their file; the defaults where it is missing or wrong."""
    path = file()
    if not os.path.lexists(path):
        return Settings(), None
    try:
        return _read(path), None
    except UserError as error:
        return Settings(), UserError("settings-ignored", why=error)


def _read(path: Path) -> Settings:
    from . import document

    text = document.read_text(path, MAX_BYTES)
    return document.convert(document.parse(text, str(path)), Settings, text, str(path))


def line_of(*steps: str) -> int:
    """The line of a key of the file, from 1; 1 where it is gone meanwhile."""
    from . import document

    try:
        return document.line_of(document.read_text(file(), MAX_BYTES), list(steps))
    except UserError:
        return 1


def keep_theme(theme: str) -> None:
    """Write the theme into the file; whatever else stands there is kept, comments too. Raises SaveError and UserError."""
    from . import document
    from .store import private_folder, write_atomically

    path = file()
    old, text = Settings(), b""
    if os.path.lexists(path):
        old, text = _read(path), document.read_text(path, MAX_BYTES)
    line = f"theme: {theme}".encode()
    made, count = re.subn(rb"(?m)^theme:[^\r\n]*", line, text, count=1)
    if not count:
        made = line + b"\n" + text
    wanted = msgspec.structs.replace(old, theme=theme)
    if document.convert(document.parse(made, str(path)), Settings, made, str(path)) != wanted:
        raise SaveError("settings-odd", path=str(path), line=line.decode())
    try:
        private_folder(path.parent)
    except OSError as error:
        raise from_os_error(error, path.parent, SaveError) from None
    write_atomically(path.resolve(), made)
