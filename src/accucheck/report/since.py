"""A Difference in words: rows and an overview, for the terminal and for reports; as Markdown, and as JSON."""

from __future__ import annotations

from typing import Any

import msgspec

from ..checklist import Checklist
from ..difference import Difference, Pair, SideFinding, ValueChange
from ..language import visible, word
from ..model import Language, Where
from .machine import Speech
from .words import VERDICTS, WORDS

MARKS = {"gone": "-", "new": "+", "still": "=", "altered": "~", "unknown": "?", "fresh": "+"}


class Row(msgspec.Struct, frozen=True):
    """One change, untrusted text as it is. `kind` is gone, new, still, altered, unknown or fresh of a finding; else what of an item
    changed."""

    item: str
    kind: str
    text: str
    where: Where = Where()


def rows(difference: Difference, checklists: list[Checklist], speech: Speech, *, everything: bool = False) -> list[Row]:
    """Every change, in the order of the checklists; with `everything` the findings too that are still there as they were."""
    found = [Row(each.item, each.what, _change(each, speech.language)) for each in difference.changed]
    before, after = difference.before.signed, difference.after.signed
    if before != after:
        found.append(Row("", "sign-off", _arrow(before, after, speech.language)))
    for kind in ("new", "fresh", "gone", "unknown"):
        found += [_row(kind, seen, speech) for seen in getattr(difference, kind)]
    found += [_altered(pair, speech) for pair in difference.still if pair.altered]
    if everything:
        found += [_row("still", pair.after, speech) for pair in difference.still if not pair.altered]
    known = {item.id: place for place, item in enumerate(item for each in checklists for item in each.items)}
    return sorted(found, key=lambda row: known.get(row.item, len(known)))


def _row(kind: str, seen: SideFinding, speech: Speech) -> Row:
    return Row(seen.item, kind, speech.message(seen.probe, seen.code, seen.data), seen.where)


def _altered(pair: Pair, speech: Speech) -> Row:
    """A finding that is still there, with what it said before where that was something else."""
    now, old = (speech.message(each.probe, each.code, each.data) for each in (pair.after, pair.before))
    text = now if now == old else word(WORDS, "since-was", speech.language, after=now, before=old)
    return Row(pair.after.item, "altered", text, pair.after.where)


def _change(change: ValueChange, language: Language) -> str:
    return _arrow(change.before, change.after, language, own=change.what in ("note", "comment"))


def _arrow(before: str | None, after: str | None, language: Language, *, own: bool = False) -> str:
    """`own`: a person's own words, which stay as they are."""
    said = [_value(value, language) if value is None or not own else value for value in (before, after)]
    return word(WORDS, "since-change", language, before=said[0], after=said[1])


def _value(value: str | None, language: Language) -> str:
    """A verdict, a judgement or a sign-off in words."""
    if value is None:
        return word(WORDS, "since-none", language)
    return VERDICTS[value][language.value] if value in VERDICTS else word(WORDS, value, language)


def overview(difference: Difference, language: Language) -> list[str]:
    """The difference in a few lines."""
    counts = {key: len(getattr(difference, key)) for key in ("gone", "new", "still", "unknown", "fresh")}
    same = [word(WORDS, "since-same", language)] if difference.same else []
    unseen = [word(WORDS, f"since-counts-{key}", language, **counts) for key in ("unknown", "fresh") if counts[key]]
    return [*same, word(WORDS, "since-counts", language, **counts), *unseen]


def text(
    difference: Difference, checklists: list[Checklist], language: Language, *, everything: bool = False
) -> list[str]:
    """The lines `accucheck diff` prints, item by item; untrusted parts are visible."""
    titles = {item.id: item.title[language] for each in checklists for item in each.items}
    told = rows(difference, checklists, Speech(language), everything=everything)
    lines = [visible(word(WORDS, "since-sides", language, before=difference.before.name, after=difference.after.name))]
    of_item: dict[str, list[Row]] = {}
    for row in told:
        of_item.setdefault(row.item, []).append(row)
    for item, changes in of_item.items():
        lines.append(
            visible(f"{item}  {titles.get(item, '')}".rstrip()) if item else word(WORDS, "since-sign-off", language)
        )
        for row in changes:
            kind = word(WORDS, f"since-{row.kind}", language)
            place = f"{place_of(row.where)}: " if place_of(row.where) else ""
            lines.append(visible(f"  {MARKS.get(row.kind, '·')} {kind}  {place}{row.text}"))
    return [*lines, *overview(difference, language)]


def place_of(where: Where) -> str:
    """A place in a few words."""
    path = f"{where.path}:{where.line}" if where.path and where.line is not None else where.path
    return " · ".join(part for part in (path, where.name, where.field) if part)


def markdown(
    difference: Difference, checklists: list[Checklist], language: Language, *, everything: bool = False
) -> list[str]:
    """The same as Markdown: a heading, the overview and a table."""
    from . import markdown as writer

    titles = {item.id: item.title[language] for each in checklists for item in each.items}

    def say(key: str, **data: Any) -> str:
        return word(WORDS, key, language, **data)

    told = rows(difference, checklists, Speech(language), everything=everything)
    sides = say("since-sides", before=difference.before.name, after=difference.after.name)
    lines = [f"# {say('since')}", "", writer.escape(visible(sides)), ""]
    for line in overview(difference, language):
        lines += [writer.escape(line), ""]
    if told:
        columns = [say(f"column-{key}") for key in ("item", "title", "change", "what", "where")]
        lines += [writer.row(columns), "| --- | --- | --- | --- | --- |"]
        for row in told:
            cells = [row.item, titles.get(row.item, ""), say(f"since-{row.kind}"), row.text, place_of(row.where)]
            lines.append(writer.row([visible(cell) for cell in cells]))
    return lines


def as_json(difference: Difference, language: Language) -> dict[str, Any]:
    """For programs. `same` goes with the exit code; `still` holds pairs of what was and what is."""
    speech = Speech(language)

    def finding(seen: SideFinding) -> dict[str, Any]:
        where = {key: getattr(seen.where, key) for key in ("path", "line", "name", "field", "step")}
        message = speech.message(seen.probe, seen.code, seen.data)
        facts = {"item": seen.item, "probe": seen.probe, "code": seen.code, "level": seen.level.value}
        return {**facts, "message": message, "where": where, "data": seen.data}

    return {
        "version": 1,
        "same": difference.same,
        "before": difference.before.name,
        "after": difference.after.name,
        "items": msgspec.to_builtins(difference.changed),
        "sign_off": {"before": difference.before.signed, "after": difference.after.signed},
        "findings": {
            **{
                key: [finding(each) for each in getattr(difference, key)] for key in ("gone", "new", "unknown", "fresh")
            },
            "still": [
                {"before": finding(pair.before), "after": finding(pair.after), "altered": pair.altered}
                for pair in difference.still
            ],
        },
    }
