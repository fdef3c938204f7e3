"""checklists/*.yaml -> Checklist. Parsed documents are cached: YAML is slow, and start-up is sacred."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

import msgspec

from . import __version__, document
from .errors import SaveError, UserError
from .model import CONCLUSIONS, Text
from .settings import personal
from .store import write_atomically


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    pass


class Link(_Part, frozen=True):
    title: Text
    url: str


class ProbeUse(_Part, frozen=True):
    """A probe an item names, and the parameters that differ from the probe's own defaults."""

    name: str
    params: dict[str, Any] = {}


class ConclusionMeanings(_Part, frozen=True):
    """What each conclusion means for this item."""

    problem: Text
    ok: Text
    not_applicable: Text


class Snippet(_Part, frozen=True):
    """Code that collects what one key of the case names: for which framework, and what it writes, relative to the project."""

    framework: Literal["mindspore", "pytorch"]
    path: str
    title: Text
    code: str


class PathBranch(_Part, frozen=True):
    """Where an answer leads: `when` holds conclusions, EARLIER, codes of findings, or ITEM.CODE for a finding that is no mere
    information of an item before this one on the path; `to` is an item or one of the ends.
    """

    when: list[str]
    to: str
    text: Text


class PathEnd(_Part, frozen=True):
    """Where a path ends, and what is to be done then."""

    title: Text
    advice: Text


#: In `when` of a way: an item before this one on the path is a problem.
EARLIER = "earlier_problem"


class Item(_Part, frozen=True):
    """One check. `applies_when` names facts of the case (see case.FACTS): when all are known false, it does not apply.

    `sound` is the title of an item without a problem, `topic` what it is about, in two or three words. `collect` names keys of the case
    that this check needs. `next` is the fork of a path here: its first entry that the answer meets is taken; an answer that meets none
    leads to the item below.
    """

    id: str
    title: Text
    method: Text
    conclusions: ConclusionMeanings
    remedy: Text
    applies: Text
    applies_when: list[str] = []
    references: list[Link] = []
    probes: list[str | ProbeUse] = []
    collect: list[str] = []
    next: list[PathBranch] = []
    sound: Text | None = None
    topic: Text | None = None

    def named(self, state: str) -> Text:
        """What the item is called beside a state: titles name faults, and beside “no problem” that would read as its opposite."""
        return self.sound if state == "ok" and self.sound is not None else self.title

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
    """A named list of items in sections. `version` is raised when the meaning of an item changes.

    With `ends` the items are a path from the first to one of these. `snippets`, by key of the case, collect what items ask for.
    """

    name: str
    version: int
    title: Text
    sections: list[Section]
    snippets: dict[str, Snippet] = {}
    ends: dict[str, PathEnd] = {}

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
    if found := _from_cache(cached):
        return found
    checklist = read(text, str(path))
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
    for item, place in _places(checklist):
        if item.id in seen:
            raise UserError("duplicate-item", path=path, line=document.line_of(text, place), item=item.id)
        seen.add(item.id)
        for f, fact in enumerate(item.applies_when):
            if fact not in FACTS:
                line = document.line_of(text, [*place, "applies_when", f])
                hint = document.nearest(fact, sorted(FACTS))
                raise UserError("yaml-unknown-key", path=path, line=line, key=fact, hint=hint)
    _check_path(checklist, text, path)
    return checklist


def _places(checklist: Checklist) -> Iterator[tuple[Item, list[str | int]]]:
    """The items, each with its place in the document."""
    for s, section in enumerate(checklist.sections):
        for i, item in enumerate(section.items):
            yield item, ["sections", s, "items", i]


def _check_path(checklist: Checklist, text: bytes, path: str) -> None:
    """Refuse unknown keys to collect, ways to nowhere, and a path that never ends."""
    from .case import path_keys

    known = path_keys()
    wanted: list[tuple[str, list[str | int]]] = [(key, ["snippets", key]) for key in checklist.snippets]
    for item, place in _places(checklist):
        wanted += [(key, [*place, "collect", number]) for number, key in enumerate(item.collect)]
    for key, place in wanted:
        if key not in known:
            line, hint = document.line_of(text, place), document.nearest(key, known)
            raise UserError("yaml-unknown-key", path=path, line=line, key=key, hint=hint)
    items = {item.id: item for item in checklist.items}
    for name in checklist.ends:
        if name in items:
            raise UserError("path-end-item", path=path, line=document.line_of(text, ["ends", name]), name=name)
    for item, place in _places(checklist):
        for number, way in enumerate(item.next):
            if way.to not in items and way.to not in checklist.ends:
                line = document.line_of(text, [*place, "next", number, "to"])
                hint = document.nearest(way.to, [*checklist.ends, *items])
                raise UserError("path-nowhere", path=path, line=line, item=item.id, to=way.to, hint=hint)
    placed = list(_places(checklist))
    if not placed or not (checklist.ends or any(item.next for item, _ in placed)):
        return
    import graphlib

    last, place = placed[-1]
    lacking = {verdict.value for verdict in CONCLUSIONS} - {answer for way in last.next for answer in way.when}
    if lacking:
        line = document.line_of(text, [*place, "next"])
        raise UserError("path-no-end", path=path, line=line, item=last.id, answers=", ".join(sorted(lacking)))
    try:
        graphlib.TopologicalSorter(ways_ahead(checklist)).prepare()
    except graphlib.CycleError as error:
        circle = error.args[1][::-1]
        place = next(place for item, place in placed if item.id == circle[0])
        line = document.line_of(text, [*place, "next"])
        raise UserError("path-circle", path=path, line=line, items=" > ".join(circle)) from None


def ways_ahead(checklist: Checklist) -> dict[str, list[str]]:
    """For each item of a path the items and ends to which its answers can lead."""
    ahead: dict[str, list[str]] = {}
    items = checklist.items
    for number, item in enumerate(items):
        to = [way.to for way in item.next]
        answered = {answer for way in item.next for answer in way.when}
        if not {verdict.value for verdict in CONCLUSIONS} <= answered:
            to += [below.id for below in items[number + 1 : number + 2]]
        ahead[item.id] = list(dict.fromkeys(to))
    return ahead


def validate(text: bytes, path: str) -> Checklist:
    """read(), and every probe and its parameters too (imports the probes, so it is not part of load())."""
    from . import probe

    checklist = read(text, path)
    before: set[str] = set()
    for item, here in _places(checklist):
        for p, use in enumerate(item.uses):
            place = [*here, "probes", p]
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
            except Exception as error:  # a probe of another package may fail in any way when imported
                line, problem = document.line_of(text, place), f"{type(error).__name__}: {error}"
                raise UserError("broken-probe", path=path, line=line, name=use.name, problem=problem) from None
        codes = {code for use in item.uses for code in probe.load(use.name).MESSAGES}
        answers = {verdict.value for verdict in CONCLUSIONS} | {EARLIER} | codes | before
        before |= {f"{item.id}.{code}" for code in codes}
        for n, way in enumerate(item.next):
            for w, answer in enumerate(way.when):
                if answer not in answers:
                    line, hint = (
                        document.line_of(text, [*here, "next", n, "when", w]),
                        document.nearest(answer, sorted(answers)),
                    )
                    raise UserError("path-answer", path=path, line=line, item=item.id, answer=answer, hint=hint)
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


def named(checklists: list[Checklist], name: str) -> list[str]:
    """The ids of the item of this id, or of the items of this group: "ds" names ds.01 and all others of ds. Raises UserError."""
    ids = [item.id for checklist in checklists for item in checklist.items]
    group = [item for item in ids if item.startswith(f"{name}.")]
    return group if group and name not in ids else [find(checklists, name).id]


def schema() -> dict[str, Any]:
    """The JSON Schema of a checklist, for editors."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **document.schema(Checklist)}


# --- cache: the parsed document by the digest of its text; losing it costs 50 ms, nothing else -------------------------


def _cache_file(text: bytes) -> Path:
    from hashlib import blake2b

    digest = blake2b(text, digest_size=16, salt=__version__.encode()[:16]).hexdigest()
    return personal("XDG_CACHE_HOME", "~/.cache") / f"checklist-{digest}.json"


def _from_cache(path: Path) -> Checklist | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Checklist)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _to_cache(path: Path, checklist: Checklist) -> None:
    with suppress(OSError, SaveError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, msgspec.json.encode(checklist))
