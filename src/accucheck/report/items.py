"""The items of a report: what was concluded, what was not checked, what is attached."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from ..checklist import Item
from ..model import Reason, Status, Text, Verdict
from ..session import MAX_ATTACHMENT, Entry, suggestion
from ..store import ATTACHMENTS
from . import machine
from .context import MAX_ATTACHMENTS_IN_ALL, Context, cut, moment_text
from .parts import AgentPart, Attachment, ItemPart, UncheckedGroup
from .results import result_part
from .reviews import review_brief, review_part
from .words import STATUSES

MAX_NOTE_BRIEF = 60

_PICTURES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp")


class ItemStanding(NamedTuple):
    """Where an item stands: by its conclusion, or by what is suggested; whether its probes `ran`, the case `excluded` it, and so whether
    it was `checked` at all; what is suggested and where it stands, in words."""

    verdict: Verdict
    suggested: Verdict
    ran: bool
    excluded: bool
    checked: bool
    spoken: str
    text: str


def standing(context: Context, item: Item) -> ItemStanding:
    """Where an item stands, by the record of `context`."""
    entry = context.record.entries.get(item.id, Entry())
    suggested = suggestion(item, entry, context.facts)
    ran = any(result.status is not Status.SKIPPED for result in entry.results.values())
    excluded = not ran and suggested is Verdict.NOT_APPLICABLE
    checked = bool(entry.conclusion or ran or excluded)
    spoken = context.verdict(suggested) if ran or excluded else "–" if entry.conclusion else context.say("unchecked")
    text = context.say("open", suggestion=spoken) if checked else context.say("open-unchecked")
    if entry.conclusion:
        text = context.verdict(entry.conclusion)
    return ItemStanding(entry.conclusion or suggested, suggested, ran, excluded, checked, spoken, text)


def item_part(context: Context, item: Item) -> ItemPart:
    entry = context.record.entries.get(item.id, Entry())
    state, suggested, ran, excluded, checked, spoken, text = standing(context, item)
    concluded = entry.conclusion is not None
    by = context.say("by", who=context.who(entry.who, 80), when=moment_text(entry.when)) if concluded else ""
    brief = text if concluded else context.say("unfilled")
    overruled = ran and concluded and suggested not in (entry.conclusion, Verdict.UNDECIDED)
    note = context.note(entry.note)
    problem = state is Verdict.PROBLEM
    return ItemPart(
        id=context.line(item.id, 80),
        title=context.line(item.named(state.value)[context.language]),
        method=context.prose(item.method[context.language]),
        conclusion=entry.conclusion,
        suggestion=suggested,
        state=state,
        checked=checked,
        conclusion_text=text,
        conclusion_brief=brief,
        suggestion_text=spoken,
        by=by,
        by_brief=" ".join([context.who(entry.who, 40), moment_text(entry.when)[:10]]) if concluded else "",
        meaning=" ".join(context.prose(_meaning(item, entry.conclusion)[context.language])) if entry.conclusion else "",
        overruled=context.say("overruled", suggestion=spoken) if overruled else "",
        remedy=context.prose(item.remedy[context.language]) if problem else [],
        references=_references(context, item) if problem else [],
        note=note,
        note_brief=cut(" ".join(note), MAX_NOTE_BRIEF),
        attachments=[_attachment(context, path) for path in entry.attachments],
        not_applicable=context.say("not-applicable", applies=" ".join(context.prose(item.applies[context.language])))
        if not item.applicable(context.facts) and not ran
        else "",
        results=[result_part(context, item.id, result) for result in machine.results(item, entry)],
        not_run=[use.name for use in item.uses if use.name not in entry.results] if not excluded else [],
        no_probe=not item.uses,
        review=review_part(context, entry),
        review_brief=review_brief(context, entry),
        agent=_agent(context, entry),
    )


def _agent(context: Context, entry: Entry) -> AgentPart | None:
    """What a program concluded, so that nobody takes it for a person's conclusion."""
    told = entry.agent
    if told is None:
        return None
    return AgentPart(
        text=context.say("agent-said", conclusion=context.verdict(told.conclusion)),
        by=context.say("by", who=context.line(told.who, 80), when=moment_text(told.when)),
        note=context.note(told.note),
    )


def _references(context: Context, item: Item) -> list[tuple[str, str]]:
    """Title and address of each link that a browser may open."""
    return [
        (context.line(link.title[context.language]), context.line(link.url))
        for link in item.references
        if link.url.startswith(("https://", "http://"))
    ]


def gaps_of(context: Context, item: Item) -> list[UncheckedGroup]:
    """What was not checked of an item. One that the case rules out has none."""
    entry = context.record.entries.get(item.id, Entry())
    found = machine.results(item, entry)
    if suggestion(item, entry, context.facts) is Verdict.NOT_APPLICABLE:
        return []
    name = context.line(item.id, 80)
    if not item.uses and not found:
        return [] if entry.conclusion else [UncheckedGroup(name, "–", context.say("no-probe"))]
    gaps = []
    for result in found:
        if result.status is not Status.DONE:
            status = STATUSES[result.status.value][context.language.value]
            reasons = [context.line(context.speech.reason(result.probe, one)) for one in _apart(result.reason)]
            texts = [context.say("status-why", status=status, why=why) for why in reasons if why] or [status]
            gaps += [UncheckedGroup(name, context.line(result.probe, 80), text) for text in texts]
        gaps += [
            UncheckedGroup(
                name,
                context.line(result.probe, 80),
                context.say("incomplete", message=cut(context.message(result.probe, finding), 300)),
            )
            for finding in result.findings
            if finding.incomplete
        ]
        if context.is_stale(item.id, result):
            gaps.append(UncheckedGroup(name, context.line(result.probe, 80), context.say("stale")))
    if not_run := [use.name for use in item.uses if use.name not in entry.results]:
        gaps.append(UncheckedGroup(name, ", ".join(not_run), context.say("not-run-why")))
    return gaps


def _apart(reason: Reason | None) -> list[Reason]:
    """A reason for each key of the case that is missing, so that each key is told once; any other reason as it is."""
    keys = reason.data.get("keys") if reason is not None and reason.code == "missing-input" else None
    if isinstance(keys, list):
        return [Reason("missing-input", {"keys": [key], "first": str(key).partition(" ")[0]}) for key in keys]
    return [reason] if reason is not None else []


def told_once(gaps: Iterable[UncheckedGroup]) -> list[UncheckedGroup]:
    """Each reason once, with all items and probes that it keeps from being checked: one missing configuration stops many."""
    found: dict[str, list[UncheckedGroup]] = {}
    for gap in gaps:
        found.setdefault(gap.why, []).append(gap)

    def joined(names: Iterable[str]) -> str:
        return ", ".join(dict.fromkeys(names))

    return [
        UncheckedGroup(joined(gap.item for gap in same), joined(gap.probe for gap in same), why)
        for why, same in found.items()
    ]


def _attachment(context: Context, path: str) -> Attachment:
    """Whether an attachment goes in. A session may come from a stranger: only what lies in the project does, and of hidden files
    only pictures, so that no report carries a key or somebody's photographs away."""
    name, full = context.line(path), context.case.path(path)
    if context.case.alone:
        return Attachment(context.say("attachment-alone", name=name), "", "named")
    outside = Attachment(context.say("attachment-outside", name=name, limit=MAX_ATTACHMENT >> 20), "", "named")
    try:
        real, root = full.resolve(), Path(context.case.root).resolve()
        if not real.is_relative_to(root):
            return outside
        if not real.is_file():
            return Attachment(context.say("attachment-missing", name=name), "", "named")
        if context.room_for_attachments <= 0:
            return Attachment(context.say("attachment-over", name=name, limit=MAX_ATTACHMENTS_IN_ALL), "", "named")
        context.room_for_attachments -= 1
        if real.suffix.lower() in _PICTURES:
            return Attachment(name, str(real), "picture")
        hidden = any(step.startswith(".") for step in real.relative_to(root).parts)
        if (not hidden or real.parent == root / ATTACHMENTS) and real.stat().st_size <= MAX_ATTACHMENT:
            content, read = context.hide.file(real.read_bytes())
            shown = name if read else context.say("attachment-unseen", name=name)
            return Attachment(shown, str(real), "file", content)
    except (OSError, ValueError, RuntimeError):
        pass
    return outside


def _meaning(item: Item, conclusion: Verdict) -> Text:
    meaning: Text = getattr(item.conclusions, conclusion.value)
    return meaning
