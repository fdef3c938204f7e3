"""Where a person stands on the path of a checklist: what is behind with which answer, what to collect here, where it ends.

Pure: computed from checklist, session and case each time; nothing of it is stored.
"""

from __future__ import annotations

from itertools import pairwise

import msgspec

from . import probe
from .case import Case, mode_of
from .checklist import EARLIER, Checklist, Item, PathBranch, PathEnd, Snippet, ways_ahead
from .language import Language
from .model import Level, Verdict
from .session import Entry, Record, suggestion

#: How frameworks are written.
FRAMEWORKS = {"mindspore": "MindSpore", "pytorch": "PyTorch"}


class Step(msgspec.Struct, frozen=True):
    """An item that is behind. `answer` is the conclusion or, where nobody `concluded`, what the probes suggest.

    It is undecided where what was found leads on all the same. `to` is the item or the end that it led to; `way` says why, and is
    None where that is just the item below.
    """

    item: Item
    answer: Verdict
    concluded: bool
    to: str
    way: PathBranch | None


class RequiredInput(msgspec.Struct, frozen=True):
    """An input that an item lives on. `given` is what the case says of it, or nothing; `lacking` is what of that does not exist.

    `written`: the case says nothing of it, and what its snippet writes lies in the project already. `optional`: the probes of the
    item run without it, and judge better with it.
    """

    key: str
    given: list[str]
    lacking: list[str]
    snippet: Snippet | None
    written: bool = False
    optional: bool = False

    @property
    def there(self) -> bool:
        return bool(self.given) and not self.lacking


class PathPosition(msgspec.Struct, frozen=True):
    """`here` is the first item without an answer, and `end` the name of the end reached: one of the two is None.

    `ahead` are the items that may still come, in the order of the checklist.
    """

    checklist: Checklist
    steps: list[Step]
    here: Item | None
    end: str | None
    ahead: list[Item]

    @property
    def at_end(self) -> PathEnd | None:
        return self.checklist.ends[self.end] if self.end is not None else None

    @property
    def problems(self) -> list[Item]:
        """The items behind that are problems."""
        return [step.item for step in self.steps if step.answer is Verdict.PROBLEM]


def walk(checklist: Checklist, record: Record, case: Case) -> PathPosition | None:
    """The path of a checklist as far as it has been answered; None where the checklist is no path.

    What is answered leads on. An item that is undecided is where the person stands, unless a way names what was found.
    """
    if not checklist.ends or not checklist.items:
        return None
    facts, items = case.facts(), {item.id: item for item in checklist.items}
    order = list(items)
    below = dict(pairwise(order))
    steps: list[Step] = []
    behind: set[str] = set()  # what ways may ask of the items before
    place = order[0]
    while place in items:
        item, entry = items[place], record.entries.get(place, Entry())
        suggested = suggestion(item, entry, facts)
        answer = entry.conclusion or suggested
        found = [finding for result in entry.weighed.values() for finding in result.findings]
        if suggested not in (answer, Verdict.UNDECIDED):  # findings that the person overruled lead nowhere
            found = []
        given = {finding.code for finding in found}
        if answer is not Verdict.UNDECIDED:
            given |= {answer.value} | behind
        way = next((way for way in item.next if not given.isdisjoint(way.when)), None)
        if way is None and answer is Verdict.UNDECIDED:
            break
        place = way.to if way is not None else below[place]
        steps.append(Step(item, answer, entry.conclusion is not None, place, way))
        behind |= {f"{item.id}.{finding.code}" for finding in found if finding.level is not Level.INFO}
        if answer is Verdict.PROBLEM:
            behind.add(EARLIER)
    here = items.get(place)
    return PathPosition(checklist, steps, here, None if here else place, _ahead(checklist, items, here))


def _ahead(checklist: Checklist, items: dict[str, Item], here: Item | None) -> list[Item]:
    """The items that can still be reached, without the one where the person stands."""
    if here is None:
        return []
    ways = ways_ahead(checklist)
    seen, queue = {here.id}, [here.id]
    while queue:
        for to in ways[queue.pop()]:
            if to in items and to not in seen:
                seen.add(to)
                queue.append(to)
    return [item for name, item in items.items() if name in seen and name != here.id]


def wanted(checklist: Checklist, item: Item, case: Case) -> list[RequiredInput]:
    """What an item lives on, and what of it is there."""
    found, needed = [], _needed(item)
    for key in item.collect:
        given = case.get(key)
        names = [given] if isinstance(given, str) else list(given or [])
        lacking = [name for name in names if "://" not in name and not mode_of(case.path(name))]
        snippet = checklist.snippets.get(key)
        written = not names and snippet is not None and bool(mode_of(case.path(snippet.path)))
        found.append(RequiredInput(key, names, lacking, snippet, written, bool(needed) and key not in needed))
    return found


def _needed(item: Item) -> set[str]:
    """The keys without which a probe of the item does not run."""
    keys: set[str] = set()
    for use in item.uses:
        for need in getattr(probe.loaded(use.name), "NEEDS", ()):
            keys.update([need] if isinstance(need, str) else need)
    return keys


def collected(checklist: Checklist, case: Case) -> dict[str, str]:
    """What snippets wrote for any item and the case does not name yet: the paths by key."""
    return {
        key: snippet.path
        for key, snippet in checklist.snippets.items()
        if case.get(key) is None and mode_of(case.path(snippet.path))
    }


def uncollected(inputs: list[RequiredInput]) -> list[RequiredInput]:
    """The inputs that code has still to write; the optional ones are not among them."""
    return [each for each in inputs if not (each.there or each.written or each.optional)]


def script(inputs: list[RequiredInput], framework: str, language: Language) -> str:
    """The code of one framework that collects inputs, each part headed by what it is, what it writes and for which key."""
    parts = [
        f"# {each.snippet.title[language]}\n# {each.key}: {each.snippet.path}\n{each.snippet.code.rstrip()}\n"
        for each in inputs
        if each.snippet is not None and each.snippet.framework == framework
    ]
    return "\n\n".join(parts)


def frameworks(inputs: list[RequiredInput]) -> list[str]:
    """The frameworks that `script` has something for, in the order of FRAMEWORKS."""
    known = {each.snippet.framework for each in inputs if each.snippet is not None}
    return [name for name in FRAMEWORKS if name in known]
