"""Keeps what belongs to the project off the import path of accucheck's own processes. Imports only what Python has loaded already.

PYTHONPATH may name the project, and an empty entry in it (`export PYTHONPATH=/opt/lib:$PYTHONPATH` leaves one) means the current
folder: Python looks there before its own library, so that a project's click.py would run in every command. The user's own code,
run after consent, needs the variable as it was.
"""

import os
import sys

#: Where the user's PYTHONPATH is kept for the user's own code.
KEPT = "ACCUCHECK_USERS_PYTHONPATH"
#: Folders that the command line names.
_named: list[str] = []


def keep_out() -> None:
    """Drop the script's or current folder, which Python puts first, and what PYTHONPATH adds of the project. For a process of accucheck's
    own, before it imports anything."""
    if sys.path and not (sys.flags.isolated or getattr(sys.flags, "safe_path", False)):
        del sys.path[0]
    if sys.flags.ignore_environment or not os.environ.get("PYTHONPATH"):
        return
    _named[:] = [part for word in sys.argv[1:] for part in (word, word.partition("=")[2]) if os.path.isdir(part or "?")]  # noqa: PTH112
    dropped = {os.path.abspath(part) for part in os.environ["PYTHONPATH"].split(os.pathsep) if _is_projects(part)}
    dropped -= _installed()
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) not in dropped]


def environment() -> dict[str, str]:
    """The environment for a process of accucheck's own: PYTHONPATH without the project, and as it was under KEPT."""
    users = os.environ.get(KEPT, os.environ.get("PYTHONPATH"))
    if users is None:
        return dict(os.environ)
    entries = [part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if not _is_projects(part)]
    return {**os.environ, KEPT: users, "PYTHONPATH": os.pathsep.join(entries)}


def users_environment() -> dict[str, str]:
    """The environment for the user's own code: PYTHONPATH as the user has it."""
    given = dict(os.environ)
    if KEPT in given:
        given["PYTHONPATH"] = given.pop(KEPT)
    return given


def current_folder() -> str | None:
    """PYTHONPATH, if an entry of it is empty or relative and so means the current folder or one below it, whichever that is."""
    users = os.environ.get("PYTHONPATH")
    return users if users and not all(map(os.path.isabs, users.split(os.pathsep))) else None


def _is_projects(entry: str) -> bool:
    """Whether an entry of PYTHONPATH depends on the current folder, or lies in it or in a folder that the command line names.

    The root and the home directory hold what is no project's: of them only the folder itself counts."""
    if not os.path.isabs(entry):  # noqa: PTH117
        return True
    place, wide = os.path.realpath(entry), {"/", os.path.realpath(os.path.expanduser("~"))}
    try:
        folders = {os.path.realpath(folder) for folder in (os.getcwd(), *_named)}  # noqa: PTH109
    except OSError:  # the current folder has been removed
        folders = {os.path.realpath(folder) for folder in _named if os.path.isabs(folder)}  # noqa: PTH117
    return place in folders or any(place.startswith(folder + os.sep) for folder in folders - wide)


def _installed() -> set[str]:
    """Where the standard library, installed packages and accucheck itself lie: no entry of a project's, also when one works there."""
    own = {os.path.dirname(os.__file__), os.path.dirname(os.path.dirname(os.path.abspath(__file__)))}
    site = sys.modules.get("site")
    return own | (set(site.getsitepackages()) | {str(site.USER_SITE)} if site is not None else set())
