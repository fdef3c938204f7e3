"""The page of the terms."""

from __future__ import annotations

from accucheck.knowledge import glossary
from accucheck.language import Language

from .markdown import page
from .words import say


def terms(language: Language) -> str:
    """The glossary, by the alphabet of the page's language."""
    known = sorted(glossary.load(), key=lambda term: term.term[language].lower().encode("gb18030"))
    return page(
        say("glossary", language), language, *([f"## {t.term[language]}", "", t.text[language], ""] for t in known)
    )
