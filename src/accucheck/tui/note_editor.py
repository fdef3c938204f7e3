"""A note in the person's own editor. What the editor saved is never lost: not when it fails, and not when the line drops."""

from __future__ import annotations

import locale
import re
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import UserError, from_os_error
from ..session import MAX_NOTE
from .editor import edit

if TYPE_CHECKING:
    from .app import Walkthrough


def edit_note(app: Walkthrough, item: str) -> str | None:
    """The note of an item as the person leaves it in the editor; None, with the reason shown, when it is to stay as it was.

    The file lies with the session and goes when the editor has ended: what was saved before the line dropped is there the next
    time, and so is the editor's own swap file.
    """
    session, language = app.session, app.speech.language
    file = session.drafts.with_name(f"note.{re.sub('[^A-Za-z0-9.-]', '_', item)}.txt")
    try:
        if file.is_symlink():  # a stranger's project may bring one, to have the file that it leads to edited
            file.unlink()
        fresh = not file.exists()  # else an editor that was killed has left what it had saved
        if fresh:
            file.write_text(session.entry(item).note, encoding="utf-8")
        try:
            code = edit(app, file)
        except UserError:
            if fresh:
                file.unlink()
            raise
        note = _read(file)
        file.unlink()
    except UserError as error:
        app.show_error(error.text(language))
    except FileNotFoundError:
        app.show_error(app.speech.say("editor-gone", name=file))
    except OSError as error:
        app.show_error(from_os_error(error, file).text(language))
    else:
        if not code:
            return note
        app.drafts.put(f"note {item}", note)
        app.show_error(app.speech.say("editor-failed", code=code))
    return None


def _read(file: Path) -> str:
    """The text of a file in UTF-8 or the encoding of the locale. Raises UserError where it is longer than a note may be."""
    size = file.stat().st_size
    if size > 4 * MAX_NOTE:  # a character has at most 4 bytes
        raise UserError("note-file-too-long", path=str(file), size=size, limit=MAX_NOTE)
    content = file.read_bytes()
    for encoding in ("utf-8-sig", locale.getpreferredencoding(False)):
        try:
            return content.decode(encoding).strip()
        except (UnicodeDecodeError, LookupError):
            pass
    return content.decode("utf-8", "replace").strip()
