"""What watching a run finds: every finding of every probe that reads a recording, by item, as one page."""

from __future__ import annotations

from accucheck import checklist as checklists
from accucheck import probe as probes
from accucheck.language import Language

from .findings import shown
from .markdown import cell, page
from .words import say


def watched_findings(language: Language) -> str:
    """The findings of the probes that look at a watched run, each with an example."""
    parts: list[list[str]] = [[say("watched-intro", language), ""]]
    for checklist in (checklists.load(name) for name in checklists.shipped()):
        for item in checklist.items:
            uses = [use for use in item.uses if _reads_a_watched_run(use.name)]
            if not uses:
                continue
            link = f"[{item.id}](../items/{item.id}.{language.value}.md)"
            parts.append([f"## {link} {cell(item.title[language])}", ""])
            for use in uses:
                parts.append([f"### [{use.name}](../probes/{use.name}.md)", "", *shown(use, language)])
    return page(say("watched-findings", language), language, *parts)


def _reads_a_watched_run(name: str) -> bool:
    """Whether a probe can run on a recording of `accucheck watch` alone."""
    ways = [need if isinstance(need, tuple) else (need,) for need in probes.load(name).NEEDS]
    return len(ways) == 1 and "watched" in ways[0]
