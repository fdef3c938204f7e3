"""The terms of checklists and findings, for people who are new to them: glossary.yaml."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import msgspec

from .. import document
from ..language import Language
from ..model import Text


class Term(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`names` are further ways in which texts write it, in either language."""

    term: Text
    text: Text
    names: list[str] = []

    @property
    def id(self) -> str:
        return re.sub(r"\W+", "-", self.term.en.lower()).strip("-")

    @property
    def written(self) -> list[str]:
        """All ways in which texts write it."""
        heads = [re.sub(r"（.*?）|\(.*?\)", "", head).strip() for head in (self.term.zh, self.term.en)]
        return list(dict.fromkeys([*heads, *self.names]))


@lru_cache(maxsize=1)
def load() -> list[Term]:
    """All terms, as they stand in the file: those of one subject together."""
    path = Path(__file__).with_suffix(".yaml")
    text = document.read_text(path)
    terms: list[Term] = document.convert(document.parse(text, str(path)), list[Term], text, str(path))
    return terms


def find(words: str, terms: Iterable[Term], language: Language) -> list[Term]:
    """The terms in which all these words stand; those that are called so come first."""
    wanted = words.lower().split()

    def has(text: str) -> bool:
        return all(word in text.lower() for word in wanted)

    called = [term for term in terms if has(" ".join(term.written))]
    told = [term for term in terms if term not in called and has(f"{term.term[language]} {term.text[language]}")]
    return called + told


def occurring(text: str) -> list[Term]:
    """The terms that a text uses."""
    return [term for term in load() if _pattern(tuple(term.written)).search(text)]


@lru_cache(maxsize=512)
def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    """Finds one of the names; a name in letters must not stand within a longer word, and capitals count where it has nothing else."""
    parts = []
    for name in names:
        part = re.escape(name)
        if name[0].isascii() and name[0].isalnum():
            part = rf"(?<![A-Za-z0-9_]){part}"
        if name[-1].isascii() and name[-1].isalnum():
            part = rf"{part}(?![A-Za-z0-9_])"
        parts.append(part if name.isupper() else f"(?i:{part})")
    return re.compile("|".join(parts))
