"""Consent to run a project's own code, remembered in the user's config folder.

Never read from a case, a session or a checklist: those may come from a stranger.
"""

from __future__ import annotations

import os
from hashlib import blake2b
from pathlib import Path

import msgspec

from .case import Case
from .errors import SaveError, from_os_error
from .settings import folder


def _file() -> Path:
    return folder() / "consent.json"


def _key(case: Case) -> str:
    """The project's path and everything that decides which code would run; a changed case asks again."""
    spec = case.spec
    what = [spec.pipelines, spec.network, spec.loss, spec.optimizer, spec.runtime.python]
    digest = blake2b(msgspec.json.encode(msgspec.to_builtins(what)), digest_size=16).hexdigest()
    return f"{os.path.realpath(case.root)}#{digest}"


def _load() -> list[str]:
    try:
        return msgspec.json.decode(_file().read_bytes(), type=list[str])
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return []


def granted(case: Case) -> bool:
    return _key(case) in _load()


def grant(case: Case) -> None:
    """Remember the consent. Raises SaveError when it cannot be kept."""
    from .store import write_atomically

    file = _file()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise from_os_error(error, file.parent, SaveError) from None
    write_atomically(file, msgspec.json.encode(sorted({*_load(), _key(case)})))
