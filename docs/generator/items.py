"""The pages of the items, one for each in each language; their index; the table in both READMEs."""

from __future__ import annotations

import re
from pathlib import Path

from accucheck import checklist as checklists
from accucheck.cli.words import WORDS as COMMAND_WORDS
from accucheck.language import Language, word
from accucheck.model import CONCLUSIONS
from accucheck.report.machine import snippet_text, ways_text
from accucheck.report.markdown import fence, prose

from .findings import shown
from .markdown import OTHER, cell, code, page, paragraphs, table
from .probes import facts, parameters
from .words import say

BEGIN, END = "<!-- generated: items -->", "<!-- /generated -->"


def index(language: Language) -> str:
    """Every item of every shipped checklist with its probes."""
    parts: list[list[str]] = []
    for checklist in (checklists.load(name) for name in checklists.shipped()):
        parts.append([f"## {checklist.title[language]} (`{checklist.name}`)", ""])
        for section in checklist.sections:
            parts.append([f"### {section.title[language]}", "", *_table(section.items, language)])
    return page(say("items", language), language, *parts)


def _table(items: list[checklists.Item], language: Language) -> list[str]:
    rows = []
    for item in items:
        uses = ", ".join(f"[{use.name}](../probes/{use.name}.md)" for use in item.uses) or say("none", language)
        link = f"[{item.id}](../items/{item.id}.{language.value}.md)"
        rows.append([link, cell(item.title[language]), uses])
    return table([say("item", language), say("title", language), say("probes", language)], rows)


def item_pages(language: Language) -> dict[str, str]:
    """{name of the file: text} of the pages of all items."""
    pages = {}
    for checklist in (checklists.load(name) for name in checklists.shipped()):
        items = [(section, item) for section in checklist.sections for item in section.items]
        for at, (section, item) in enumerate(items):
            beside = {"←": items[at - 1][1] if at else None, "→": items[at + 1][1] if at + 1 < len(items) else None}
            pages[f"{item.id}.{language.value}.md"] = _page(checklist, section, item, beside, language)
    return pages


def _page(
    checklist: checklists.Checklist,
    section: checklists.Section,
    item: checklists.Item,
    beside: dict[str, checklists.Item | None],
    language: Language,
) -> str:
    def head(key: str) -> list[str]:
        return [f"## {word(COMMAND_WORDS, key, language)}", ""]

    other = OTHER[language]
    links = [f"[{say('language', other)}]({item.id}.{other.value}.md)"]
    links.append(f"[{say('items', language)}](../reference/items.{language.value}.md)")
    links.append(f"[{say('glossary', language)}](../reference/glossary.{language.value}.md)")
    links += [f"{sign} [{one.id}]({one.id}.{language.value}.md)" for sign, one in beside.items() if one]
    place = f"{checklist.title[language]} (`{checklist.name}`) · {section.title[language]}"
    parts = [[" · ".join(links), "", place, ""]]
    parts.append([*head("method"), *paragraphs(item.method[language])])
    parts.append(head("conclusions"))
    for verdict in CONCLUSIONS:
        text: str = getattr(item.conclusions, verdict.value)[language]
        parts.append(
            [f"- {word(COMMAND_WORDS, verdict.value, language)} (`{verdict.value}`){say('colon', language)}{text}"]
        )
    parts.append(["", *head("remedy"), *paragraphs(item.remedy[language])])
    parts.append([*head("applies"), *paragraphs(item.applies[language])])
    if item.collect:
        parts.append([*head("collect"), say("collect-text", language), ""])
        for key in item.collect:
            parts.append([f"- {code(key)}", ""])
            if (snippet := checklist.snippets.get(key)) is not None:
                first, *lines = snippet_text(snippet, language)
                parts.append([prose(first.strip()), "", *fence([line[4:] for line in lines], "python").split("\n"), ""])
    if ways := ways_text(checklist, item, language)[1:]:
        parts.append([*head("ways"), *(f"- {_linked(prose(line.strip()), language)}" for line in ways), ""])
    parts.append([f"## {say('probes', language)}", ""])
    for use in item.uses:
        link = f"[{say('whole-page', language)}](../probes/{use.name}.md)"
        parts.append([f"### {use.name}", "", *facts(use.name, language), link, ""])
        parts.append(parameters(use, language))
        if found := shown(use, language):
            parts.append([f"**{say('examples', language)}**", "", *found])
    if not item.uses:
        parts.append([say("none", language), ""])
    if item.references:
        parts.append(head("references"))
        parts.append([*(f"- [{link.title[language]}]({link.url})" for link in item.references), ""])
    return page(f"{item.id} {item.title[language]}", language, *parts)


def _linked(text: str, language: Language) -> str:
    """Markdown whose ids of items lead to their pages."""
    ids = "|".join(re.escape(item.id) for name in checklists.shipped() for item in checklists.load(name).items)
    return re.sub(rf"\b({ids})\b", rf"[\1](\1.{language.value}.md)", text)


def items_table(language: Language) -> str:
    """The short table of the READMEs: a row for each section."""
    accuracy = checklists.load("accuracy")
    rows = []
    for section in accuracy.sections:
        links = [f"[{i.id}](docs/items/{i.id}.{language.value}.md) {cell(i.title[language])}" for i in section.items]
        rows.append([section.title[language], " · ".join(links)])
    done = sum(bool(item.uses) for item in accuracy.items)
    head = f"[{say('items', language)}](docs/reference/items.{language.value}.md)"
    lines = [
        say("count-all" if done == len(accuracy.items) else "count", language, done=done, total=len(accuracy.items)),
        "",
    ]
    return "\n".join([*lines, *table([say("section", language), head], rows)])


def readme(path: Path, language: Language) -> str:
    text = path.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise SystemExit(f"{path.name}: {BEGIN} or {END} is missing")
    return f"{before}{BEGIN}\n\n{items_table(language)}\n{END}{after}"
