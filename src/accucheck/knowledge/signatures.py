"""Which names MindSpore's public modules have, and what their functions and constructors take: signatures.json.

Read from one MindSpore, whose version it tells; `python tests/knowledge/test_signatures.py` writes it anew, and a test compares. What
hides its signature, and what several modules offer under one name with other parameters, has none here. What earlier versions took and
today's refuses is in api.json, for the APIs that matter most, and in former_signatures.json, as the sources of 1.0, 1.10 and 2.0 have it.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec

from .api import OlderSignature, Signature, number


class Signatures(msgspec.Struct, frozen=True):
    """`mindspore` is the version. `modules`: the names in each public module, submodules among them; `parameters`: those of what is called,
    in the form of api.Signature, by canonical name (names.py); of a class those of its constructor."""

    mindspore: str
    modules: dict[str, list[str]]
    parameters: dict[str, list[str]]

    def is_of(self, version: str) -> bool:
        """Whether a version of MindSpore is the one that this was read from, but for its last number."""
        return number(version)[:2] == number(self.mindspore)[:2]

    def signature(self, name: str) -> Signature | None:
        found = self.parameters.get(name)
        return None if found is None else Signature(found)

    def lacks(self, name: str) -> str:
        """The part of a full dotted name up to the one that its module does not have; "" where all is there, or not known."""
        module, _, rest = name.partition(".")
        for part in rest.split(".") if rest else ():
            names = self._names(module)
            if names is None:
                return ""
            if part not in names:
                return f"{module}.{part}"
            module = f"{module}.{part}"
        return ""

    def _names(self, module: str) -> frozenset[str] | None:
        return _sets().get(module)


@cache
def load() -> Signatures:
    return msgspec.json.decode(Path(__file__).with_suffix(".json").read_bytes(), type=Signatures)


@cache
def former() -> dict[str, list[OlderSignature]]:
    """By canonical name, the signatures of earlier versions that take more than today's, the earliest first."""
    read = Path(__file__).with_name("former_signatures.json").read_bytes()
    return msgspec.json.decode(read, type=dict[str, list[OlderSignature]])


@cache
def _sets() -> dict[str, frozenset[str]]:
    return {module: frozenset(names) for module, names in load().modules.items()}
