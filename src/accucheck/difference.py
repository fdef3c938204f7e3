"""What changed between two rounds: two sessions, or JSON reports of them. Pure; the words are the report's.

A finding is the same when item, probe, code and file are; not its line, as code moves, nor its numbers, which then have changed.
Information is left out: only problems, suspects and what could not be examined are compared. Reports have private data replaced by names
such as <host-1>: a text with such a name is the same as one that differs from it only where the name stands.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Collection, Sequence
from typing import Any

import msgspec

from .errors import ReadError
from .model import Finding, Level, ProbeResult, Status, Verdict, Where, too_deep
from .session import Entry, Judgement, Record


class SideFinding(msgspec.Struct, frozen=True):
    """A finding of one side."""

    item: str
    probe: str
    code: str
    level: Level
    where: Where
    data: dict[str, Any]


class ItemState(msgspec.Struct, frozen=True):
    """An item on one side. `suggestion` is None where no probe ran; `review` is None, accepted, returned or outdated; `examined` are the
    probes that ran to their end."""

    conclusion: str | None = None
    suggestion: str | None = None
    note: str = ""
    who: str = ""
    review: str | None = None
    comment: str = ""
    examined: frozenset[str] = frozenset()
    seen: tuple[SideFinding, ...] = ()


class Side(msgspec.Struct, frozen=True):
    """One round. `signed` is None, signed or void."""

    name: str
    items: dict[str, ItemState]
    signed: str | None = None


class ValueChange(msgspec.Struct, frozen=True):
    """A value of an item that differs. `what` is conclusion, suggestion, note, review or comment."""

    item: str
    what: str
    before: str | None
    after: str | None


class Pair(msgspec.Struct, frozen=True):
    """A finding of both sides."""

    before: SideFinding
    after: SideFinding

    @property
    def altered(self) -> bool:
        """Whether more than its line differs."""
        return self.before.level is not self.after.level or not _agree(self.before.data, self.after.data)


class Difference(msgspec.Struct, frozen=True):
    """`gone`: found before, and not by the same probe now. `unknown`: found before, and its probe has not run to its end now, so that
    nobody knows. `new`: found now only; `fresh` are those of them whose probe had not run to its end before."""

    before: Side
    after: Side
    changed: list[ValueChange]
    gone: list[SideFinding]
    new: list[SideFinding]
    still: list[Pair]
    unknown: list[SideFinding]
    fresh: list[SideFinding]

    @property
    def same(self) -> bool:
        altered = any(pair.altered for pair in self.still)
        signed = self.before.signed != self.after.signed
        return not (self.changed or self.gone or self.new or self.unknown or self.fresh or altered or signed)


def compare(before: Side, after: Side) -> Difference:
    """What changed from one side to the other, items in the order of the later one."""
    changed: list[ValueChange] = []
    gone: list[SideFinding] = []
    new: list[SideFinding] = []
    still: list[Pair] = []
    unknown: list[SideFinding] = []
    fresh: list[SideFinding] = []
    for item in {**after.items, **before.items}:
        old, now = before.items.get(item, ItemState()), after.items.get(item, ItemState())
        changed += _values(item, old, now)
        pairs, left, right = _paired(old.seen, now.seen)
        still += pairs
        for seen in left:
            (gone if seen.probe in now.examined else unknown).append(seen)
        for seen in right:
            (new if seen.probe in old.examined else fresh).append(seen)
    return Difference(before, after, changed, gone, new, still, unknown, fresh)


def _values(item: str, old: ItemState, now: ItemState) -> list[ValueChange]:
    """What is said of an item. A suggestion is compared where probes ran on both sides."""
    names = ["conclusion", "note", "review", "comment"]
    if old.suggestion is not None and now.suggestion is not None:
        names.insert(1, "suggestion")
    values = [(name, getattr(old, name) or None, getattr(now, name) or None) for name in names]
    return [ValueChange(item, name, before, after) for name, before, after in values if not _agree(before, after)]


#: A name that a report shows in place of private data.
_HIDDEN = re.compile(r"<[a-z]+-\d+>")


def _agree(one: Any, other: Any) -> bool:
    """Whether two values are the same, apart from private data that a report has replaced in one of them."""
    if isinstance(one, str) and isinstance(other, str):
        return one == other or _stands_for(one, other) or _stands_for(other, one)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_agree(value, other[key]) for key, value in one.items())
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(_agree, one, other))
    return bool(one == other)


def _stands_for(hidden: str, text: str) -> bool:
    """Whether a text with names is what a report makes of another: the rest is the same, and something stands in each name's place."""
    first, *kept = _HIDDEN.split(hidden)
    if not kept or not text.startswith(first):
        return False
    at, last = len(first), kept.pop()
    for part in kept:
        found = text.find(part, at + 1)
        if found < 0:
            return False
        at = found + len(part)
    return text.endswith(last) and len(text) - len(last) > at


def _paired(
    old: tuple[SideFinding, ...], new: tuple[SideFinding, ...]
) -> tuple[list[Pair], list[SideFinding], list[SideFinding]]:
    """The findings of both, and what is left of either: first those that agree in most, then in ever less."""
    pairs: list[Pair] = []
    left, right = list(old), list(new)
    for key in _KEYS:
        waiting: dict[str, deque[SideFinding]] = {}
        for seen in right:
            waiting.setdefault(key(seen), deque()).append(seen)
        rest = []
        for seen in left:
            if fellows := waiting.get(key(seen)):
                pairs.append(Pair(seen, fellows.popleft()))
            else:
                rest.append(seen)
        left, right = rest, [seen for fellows in waiting.values() for seen in fellows]
    if any(_HIDDEN.search(repr(_named(seen))) for seen in [*left, *right]):
        pairs += _paired_by_names(left, right)
    order = {id(seen): place for place, seen in enumerate(new)}
    return sorted(pairs, key=lambda pair: order[id(pair.after)]), left, sorted(right, key=lambda seen: order[id(seen)])


def _paired_by_names(left: list[SideFinding], right: list[SideFinding]) -> list[Pair]:
    """Takes from both lists the findings that differ only where a report shows a name in place of private data."""
    pairs = []
    for seen in [*left]:
        fellow = next((other for other in right if _agree(_named(seen), _named(other))), None)
        if fellow is not None:
            pairs.append(Pair(seen, fellow))
            left.remove(seen)
            right.remove(fellow)
    return pairs


def _place(seen: SideFinding) -> list[object]:
    where = seen.where
    return [seen.probe, seen.code, where.path, where.name, where.field]


def _words(seen: SideFinding) -> list[object]:
    """What the data of a finding name, without what they measure."""
    return [(key, value) for key, value in sorted(seen.data.items(), key=str) if isinstance(value, str)]


def _named(seen: SideFinding) -> list[object]:
    """Where a finding is and what its data name."""
    return [_place(seen), _words(seen)]


def _data(seen: SideFinding) -> list[object]:
    return sorted(seen.data.items(), key=str)


#: How two findings are the same, the strictest way first: with line and numbers, with numbers, with what their data name.
_KEYS: list[Callable[[SideFinding], str]] = [
    lambda seen: repr([_place(seen), _data(seen), seen.where.line, seen.where.step]),
    lambda seen: repr([_place(seen), _data(seen)]),
    lambda seen: repr(_named(seen)),
]


# --- sides ------------------------------------------------------------------------------------------------------------


def taken_by(record: Record, jobs: Collection[tuple[str, str]]) -> Record:
    """A session narrowed to the results of these (item, probe)."""
    entries = {
        item: msgspec.structs.replace(
            entry, results={name: result for name, result in entry.results.items() if (item, name) in jobs}
        )
        for item, entry in record.entries.items()
    }
    return msgspec.structs.replace(record, entries=entries, signed=None)


def of_record(name: str, record: Record) -> Side:
    """A session as a side."""
    signed = None if record.signed is None else "void" if record.unsealed else "signed"
    return Side(name, {item: _entry(item, entry) for item, entry in record.entries.items()}, signed)


def _entry(item: str, entry: Entry) -> ItemState:
    results = entry.weighed.values()
    ran = any(result.status is not Status.SKIPPED for result in results)
    return ItemState(
        conclusion=entry.conclusion.value if entry.conclusion else None,
        suggestion=entry.suggestion.value if ran else None,
        note=entry.note,
        who=entry.who,
        review=None if entry.review is None else "outdated" if entry.outdated else entry.review.judgement.value,
        comment=entry.review.comment if entry.review else "",
        examined=frozenset(result.probe for result in results if result.status is Status.DONE),
        seen=tuple(_seen(item, r.probe, finding) for r in results for finding in r.findings if _counts(finding)),
    )


def _counts(finding: Finding | _JsonFinding) -> bool:
    return finding.weight is not Level.INFO or finding.incomplete


def _seen(item: str, probe: str, finding: Finding) -> SideFinding:
    data = msgspec.to_builtins(finding.data)
    return SideFinding(item, probe, finding.code, finding.weight, finding.where, data)


def known(before: Side, item: str, results: Sequence[ProbeResult]) -> set[tuple[int, int]]:
    """Which findings of an item's results another side has too: places of result and finding. What is worse by now is none of them."""
    now: dict[int, tuple[int, int]] = {}
    seen = []
    for at, result in enumerate(results):
        for place, finding in enumerate(result.findings):
            if finding.level is not Level.INFO:
                seen.append(_seen(item, result.probe, finding))
                now[id(seen[-1])] = at, place
    pairs, _, _ = _paired(before.items.get(item, ItemState()).seen, tuple(seen))
    order = list(Level)
    return {now[id(pair.after)] for pair in pairs if order.index(pair.after.level) >= order.index(pair.before.level)}


class _JsonSuppression(msgspec.Struct, frozen=True):
    level: Level


class _JsonFinding(msgspec.Struct, frozen=True):
    code: str
    level: Level
    where: Where = Where()
    data: dict[str, Any] = {}
    incomplete: bool = False
    suppressed: _JsonSuppression | None = None

    @property
    def weight(self) -> Level:
        return self.suppressed.level if self.suppressed is not None else self.level


class _JsonResult(msgspec.Struct, frozen=True):
    probe: str
    status: Status
    findings: list[_JsonFinding] = []


class _JsonReview(msgspec.Struct, frozen=True):
    judgement: Judgement
    comment: str = ""
    outdated: bool = False


class _JsonItem(msgspec.Struct, frozen=True):
    id: str
    suggestion: Verdict
    conclusion: Verdict | None = None
    note: str = ""
    by: str | None = None
    review: _JsonReview | None = None
    results: list[_JsonResult] = []


class _JsonSignOff(msgspec.Struct, frozen=True):
    changed: list[str] = []


class _JsonReport(msgspec.Struct, frozen=True):
    """What is read of a JSON report, of `run --json` too."""

    version: int
    items: list[_JsonItem]
    sign_off: _JsonSignOff | None = None


def of_report(name: str, content: bytes) -> Side:
    """A JSON report as a side. Raises ReadError when it is none."""
    try:
        report = msgspec.json.decode(content, type=_JsonReport)
        if any(too_deep(found.data) for item in report.items for result in item.results for found in result.findings):
            raise msgspec.ValidationError("data nested too deep")
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ReadError("not-comparable", path=name, problem=str(error)[:300]) from None
    signed = None if report.sign_off is None else "void" if report.sign_off.changed else "signed"
    return Side(name, {item.id: _item(item) for item in report.items}, signed)


def _item(item: _JsonItem) -> ItemState:
    ran = any(result.status is not Status.SKIPPED for result in item.results)
    review = item.review
    return ItemState(
        conclusion=item.conclusion.value if item.conclusion else None,
        suggestion=item.suggestion.value if ran else None,
        note=item.note,
        who=item.by or "",
        review=None if review is None else "outdated" if review.outdated else review.judgement.value,
        comment=review.comment if review else "",
        examined=frozenset(result.probe for result in item.results if result.status is Status.DONE),
        seen=tuple(
            SideFinding(item.id, result.probe, finding.code, finding.weight, finding.where, finding.data)
            for result in item.results
            for finding in result.findings
            if _counts(finding)
        ),
    )


def is_report(content: bytes) -> bool:
    """Whether JSON looks like a report, rather than a session."""
    try:
        data = msgspec.json.decode(content)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
    return isinstance(data, dict) and isinstance(data.get("items"), list)
