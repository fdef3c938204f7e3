"""The project with planted faults that `accucheck demo` works on: a copy, in a new folder."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from .errors import SaveError, from_os_error

NAME = "digits_faulty"
#: Where its reports go, in the copy.
REPORTS = "reports"


def source() -> Path:
    """The example: inside the wheel, or beside src/ in a checkout."""
    inside = Path(__file__).parent / "examples" / NAME
    return inside if inside.is_dir() else Path(__file__).parents[2] / "examples" / NAME


def copy(folder: Path | None) -> Path:
    """Copy the example to `folder`, which must be new or empty, or to a new temporary one; where it is now.

    Raises SaveError, and then leaves nothing behind.
    """
    target = folder
    made = begun = False
    try:
        if target is None:
            target = Path(tempfile.mkdtemp(prefix="accucheck-demo-")) / NAME
        made = not target.exists()
        if not made and (not target.is_dir() or any(target.iterdir())):
            raise SaveError("demo-folder", path=str(target))
        begun = True
        ignored = shutil.ignore_patterns(".accucheck", "__pycache__")
        shutil.copytree(source(), target, ignore=ignored, copy_function=shutil.copyfile, dirs_exist_ok=True)
    except (OSError, shutil.Error, KeyboardInterrupt) as error:
        if begun and target is not None:
            if made:
                shutil.rmtree(target if folder is not None else target.parent, ignore_errors=True)
            else:  # it was there, and empty
                _empty(target)
        if isinstance(error, shutil.Error):
            error = OSError(None, str(error.args[0][0][2]))
        if isinstance(error, OSError):
            raise from_os_error(error, error.filename2 or target or tempfile.gettempdir(), SaveError) from None
        raise
    return target


def _empty(folder: Path) -> None:
    """Remove what is in a folder, as far as that can be done."""
    with suppress(OSError):
        for path in folder.iterdir():
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink()


def runs_code() -> bool:
    """Whether its live probes can run: with MindSpore beside accucheck. The code is our own, so nobody is asked."""
    return find_spec("mindspore") is not None
