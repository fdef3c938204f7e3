"""Where issues are filed and what their forms ask for, of trackers.yaml."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec

from .. import document
from ..model import Text


class Field(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A field of a form. `parts` name what fills it (see issue.py); `section` is a heading over fields that belong together."""

    name: str
    label: Text
    parts: list[str]
    required: bool = False
    section: Text | None = None


class Form(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    title: str
    fields: list[Field]


class Prefill(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    title: str
    text: str


class Tracker(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """See trackers.yaml: `characters` bounds the text of an issue, `zip` the bytes of an attachment."""

    name: str
    base: str
    repo: str
    address: str
    form: str
    forms: dict[str, str] = {}
    prefill: Prefill | None = None
    more: dict[str, str] = {}
    flavour: str = "plain"
    characters: int = 65_536
    zip: int = 1_000_000


class Trackers(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    trackers: list[Tracker]
    forms: list[Form]


@cache
def known() -> Trackers:
    """What trackers.yaml holds; the first tracker is the usual one."""
    path = Path(__file__).parent / "trackers.yaml"
    text = path.read_bytes()
    return document.convert(document.parse(text, path.name), Trackers, text, path.name)


def tracker(name: str) -> Tracker:
    return next(each for each in known().trackers if each.name == name)
