"""A file in the person's own editor, at its line, with the terminal given away meanwhile."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import UserError

if TYPE_CHECKING:
    from textual.app import App

#: Editors by how they take a line: +LINE FILE, FILE:LINE, or an option.
_PLUS = {
    "vi",
    "vim",
    "nvim",
    "nvi",
    "vis",
    "view",
    "elvis",
    "gvim",
    "kak",
    "nano",
    "pico",
    "micro",
    "ne",
    "joe",
    "jed",
    "mg",
}
_PLUS |= {"emacs", "emacsclient", "gedit", "mcedit", "tilde"}
_COLON = {"hx", "helix", "subl", "zed", "zeditor"}
_GOTO = {"code", "codium", "vscodium", "code-insiders", "code-oss", "cursor", "windsurf"}
_LINE = {"kate", "kwrite"}


def named(environment: Mapping[str, str]) -> str:
    """The editor as the person named it, else nano or vi; nothing where there is none."""
    wished = environment.get("VISUAL") or environment.get("EDITOR") or ""
    return wished.strip() or shutil.which("nano") or shutil.which("vi") or ""


def command(file: Path, line: int | None, environment: Mapping[str, str]) -> list[str]:
    """The words that open an absolute path in $VISUAL or $EDITOR, else nano or vi. Raises UserError when there is none."""
    editor = named(environment)
    if not editor:
        raise UserError("editor-none")
    try:
        words = shlex.split(editor)
    except ValueError as error:
        raise UserError("editor-wrong", editor=editor, problem=str(error)) from None
    name, path = Path(words[0]).name.lower(), str(file)
    if line is None or line < 1:
        return [*words, path]
    if name in _PLUS:
        return [*words, f"+{line}", path]
    if name in _COLON:
        return [*words, f"{path}:{line}"]
    if name in _GOTO:
        return [*words, "-g", f"{path}:{line}"]
    if name in _LINE:
        return [*words, "-l", str(line), path]
    return [*words, path]


def edit(app: App[None], file: Path, line: int | None = None) -> int:
    """Open the file, wait for the editor to end, and return its exit code. Raises UserError when none could be opened."""
    from textual.app import SuspendNotSupported

    words = command(file, line, os.environ)
    wrong: Exception | None = None
    code = 0
    try:
        with app.suspend():
            try:
                code = subprocess.run(words, check=False).returncode
            except (OSError, ValueError) as error:
                wrong = error  # raised in here it would leave the terminal suspended
    except SuspendNotSupported:
        raise UserError("editor-suspend") from None
    if wrong is not None:
        raise UserError("editor-wrong", editor=words[0], problem=str(wrong))
    return code
