"""checklists/*.yaml -> Checklist. Parsed documents are cached: YAML is slow, and start-up is sacred."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from . import __version__, document
from .errors import UserError
from .model import Text


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    pass


class Link(_Part, frozen=True):
    title: Text
    url: str


class ProbeUse(_Part, frozen=True):
    """A probe an item names, and the parameters that differ from the probe's own defaults."""

    name: str
    params: dict[str, Any] = {}


class Meanings(_Part, frozen=True):
    """What each conclusion means for this item."""

    problem: Text
    ok: Text
    not_applicable: Text


class Item(_Part, frozen=True):
    """One check. `applies_when` names facts of the case (see case.FACTS): when all are known false, it does not apply."""

    id: str
    title: Text
    method: Text
    conclusions: Meanings
    remedy: Text
    applies: Text
    applies_when: list[str] = []
    references: list[Link] = []
    probes: list[str | ProbeUse] = []

    @property
    def uses(self) -> list[ProbeUse]:
        return [ProbeUse(entry) if isinstance(entry, str) else entry for entry in self.probes]

    def applicable(self, facts: dict[str, bool | None]) -> bool:
        return not self.applies_when or any(facts[name] is not False for name in self.applies_when)


class Section(_Part, frozen=True):
    id: str
    title: Text
    items: list[Item]


class Checklist(_Part, frozen=True):
    """A named list of items in sections. `version` is raised when the meaning of an item changes."""

    name: str
    version: int
    title: Text
    sections: list[Section]

    @property
    def items(self) -> list[Item]:
        return [item for section in self.sections for item in section.items]


def folder() -> Path:
    """Where the shipped checklists lie: inside the wheel, or beside src/ in a checkout."""
    inside = Path(__file__).parent / "checklists"
    return inside if inside.is_dir() else Path(__file__).parents[2] / "checklists"


def shipped() -> list[str]:
    """The names of the shipped checklists; accuracy first."""
    return sorted((path.stem for path in folder().glob("*.yaml")), key=lambda name: (name != "accuracy", name))


def load(name: str) -> Checklist:
    """A shipped checklist by name, or a user's by path (anything with a separator or a .yaml ending)."""
    if os.sep in name or name.endswith((".yaml", ".yml")):
        path = Path(name)
    else:
        path = folder() / f"{name}.yaml"
        if not path.is_file():
            raise UserError("unknown-checklist", name=name, known=", ".join(shipped()))
    text = document.read_text(path)
    cached = _cache_file(text)
    if cached is not None and (found := _from_cache(cached)):
        return found
    checklist = read(text, str(path))
    if cached is not None:
        _to_cache(cached, checklist)
    return checklist


def load_all(names: Iterable[str]) -> list[Checklist]:
    """Several checklists, each once. Raises UserError when two of them have an item of the same id."""
    loaded = [load(name) for name in names]
    checklists = [checklist for place, checklist in enumerate(loaded) if checklist not in loaded[:place]]
    check_apart(checklists)
    return checklists


def check_apart(checklists: Iterable[Checklist]) -> None:
    """Refuse checklists that have an item of the same id: a session keeps answers by it."""
    owners: dict[str, str] = {}
    for checklist in checklists:
        for item in checklist.items:
            if item.id in owners:
                raise UserError("item-in-two", item=item.id, one=owners[item.id], other=checklist.name)
            owners[item.id] = checklist.name


def read(text: bytes, path: str) -> Checklist:
    """Parse and check a checklist document. Raises UserError with path:line and the mend."""
    from .case import FACTS

    data = document.parse(text, path)
    checklist = document.convert(data, Checklist, text, path)
    seen: set[str] = set()
    for s, section in enumerate(checklist.sections):
        for i, item in enumerate(section.items):
            place: list[str | int] = ["sections", s, "items", i]
            if item.id in seen:
                raise UserError("duplicate-item", path=path, line=document.line_of(text, place), item=item.id)
            seen.add(item.id)
            for f, fact in enumerate(item.applies_when):
                if fact not in FACTS:
                    line = document.line_of(text, [*place, "applies_when", f])
                    hint = document.nearest(fact, sorted(FACTS))
                    raise UserError("yaml-unknown-key", path=path, line=line, key=fact, hint=hint)
    return checklist


def validate(text: bytes, path: str) -> Checklist:
    """read(), and every probe and its parameters too (imports the probes, so it is not part of load())."""
    from . import probe

    checklist = read(text, path)
    for s, section in enumerate(checklist.sections):
        for i, item in enumerate(section.items):
            for p, use in enumerate(item.uses):
                place: list[str | int] = ["sections", s, "items", i, "probes", p]
                try:
                    probe.params(probe.load(use.name), use.params)
                except UserError:
                    line = document.line_of(text, place)
                    hint = document.nearest(use.name, probe.names())
                    raise UserError("unknown-probe", path=path, line=line, name=use.name, hint=hint) from None
                except msgspec.ValidationError as error:
                    line = document.line_of(text, [*place, "params"])
                    where = f"{item.id} {use.name}"
                    raise UserError("yaml-value", path=path, line=line, where=where, problem=str(error)) from None
    return checklist


def find(checklists: list[Checklist], item_id: str) -> Item:
    """The item of this id, or a UserError with the shipped checklist that has it, or the nearest one."""
    items = {item.id: item for checklist in checklists for item in checklist.items}
    if item_id not in items:
        for name in shipped():
            if any(item.id == item_id for item in load(name).items):
                raise UserError("unknown-item", item=item_id, hint=UserError("hint-checklist", name=name))
        raise UserError("unknown-item", item=item_id, hint=document.nearest(item_id, list(items)))
    return items[item_id]


def schema() -> dict[str, Any]:
    """The JSON Schema of a checklist, for editors."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **msgspec.json.schema(Checklist)}


# --- cache: the parsed document by the digest of its text; losing it costs 50 ms, nothing else -------------------------


def _cache_file(text: bytes) -> Path | None:
    from hashlib import blake2b

    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    if base.startswith("~"):
        return None
    digest = blake2b(text, digest_size=16, salt=__version__.encode()[:16]).hexdigest()
    return Path(base, "accucheck", f"checklist-{digest}.json")


def _from_cache(path: Path) -> Checklist | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Checklist)
    except (OSError, msgspec.DecodeError):
        return None


def _to_cache(path: Path, checklist: Checklist) -> None:
    temporary = path.with_suffix(f".{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(msgspec.json.encode(checklist))
        temporary.replace(path)
    except OSError:
        with suppress(OSError):  # a cache folder that is a file, or read-only, lets nothing be removed either
            temporary.unlink()
