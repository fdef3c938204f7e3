"""Consent to run a project's own code or a command in it, and to read from addresses that it names, remembered in the user's config folder.

Never read from a case, a session or a checklist: those may come from a stranger.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from .case import Case
from .errors import SaveError, from_os_error
from .live.inside.definitions import is_call
from .settings import folder


def place() -> Path:
    """The file that this is kept in, in the person's own folder."""
    return folder() / "consent.json"


def code_key(case: Case) -> str:
    """The project's path and everything that decides which code would run; a changed case asks again."""
    spec = case.spec
    what: list[Any] = [spec.pipelines, spec.network, spec.loss, spec.optimizer, spec.runtime.python]
    what += [spec.phases] if spec.phases else []
    return f"{os.path.realpath(case.root)}#{_digest(msgspec.to_builtins(what))}"


def calls(case: Case) -> list[str]:
    """What a live probe would call of the project, each once."""
    spec = case.spec
    pipelines = (spec.pipelines.train, spec.pipelines.eval, spec.pipelines.infer)
    each = [part for one in spec.phases.values() for part in (one.pipeline, one.network, one.loss, one.optimizer)]
    found = (*pipelines, spec.network, spec.loss, spec.optimizer, *each)
    return list(dict.fromkeys(name for call in found if call for name in (call.call, *_within(call.args))))


def _within(args: dict[str, Any]) -> Iterator[str]:
    """The calls among the arguments of a call, which are made before it."""
    for value in filter(is_call, args.values()):
        yield value["call"]
        yield from _within(value.get("args", {}))


def addresses_key(case: Case, addresses: list[str]) -> str:
    """What an agreement to read from these addresses is kept under."""
    return f"{os.path.realpath(case.root)}#addresses:{_digest(sorted(addresses))}"


def command_key(case: Case, command: list[str]) -> str:
    """What an agreement to run this very command is kept under."""
    return f"{os.path.realpath(case.root)}#command:{_digest(command)}"


def _digest(what: Any) -> str:
    from hashlib import blake2b  # not at each start

    return blake2b(msgspec.json.encode(what), digest_size=16).hexdigest()


def _load() -> list[str]:
    try:
        return msgspec.json.decode(place().read_bytes(), type=list[str])
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return []


def granted(case: Case) -> bool:
    return code_key(case) in _load()


def with_agreed(case: Case, addresses: list[str] | None = None) -> Case:
    """The case with the addresses that it names as agreed to: all that are left, as far as that was remembered, or these."""
    left = case.unagreed()
    if addresses is None:
        addresses = left if left and addresses_key(case, left) in _load() else []
    return msgspec.structs.replace(case, agreed=[*case.agreed, *addresses])


def grant_addresses(case: Case) -> None:
    """Remember that all addresses that nobody has agreed to yet may be read. Raises SaveError."""
    _keep(addresses_key(case, case.unagreed()))


def granted_command(case: Case, command: list[str]) -> bool:
    """Whether this very command may be run in the project unasked."""
    return command_key(case, command) in _load()


def grant_command(case: Case, command: list[str]) -> None:
    """Remember that this command may be run in the project. Raises SaveError."""
    _keep(command_key(case, command))


def grant(case: Case) -> None:
    """Remember the consent. Raises SaveError when it cannot be kept."""
    _keep(code_key(case))


def _keep(key: str) -> None:
    from .store import private_folder, write_atomically

    file = place()
    try:
        private_folder(file.parent)
    except OSError as error:
        raise from_os_error(error, file.parent, SaveError) from None
    write_atomically(file, msgspec.json.encode(sorted({*_load(), key})), 0o600)
