"""accucheck glossary."""

from __future__ import annotations

from .frame import Argument, command, json_option, language, say, show, show_json, talk


@command(
    "glossary",
    lambda: [
        Argument("words", words="glossary-words", metavar="[WORDS]...", nargs=-1),
        json_option(),
    ],
)
def glossary(words: tuple[str, ...], as_json: bool) -> None:
    from ..knowledge.glossary import find, load

    terms = find(" ".join(words), load(), language()) if words else load()
    if as_json:
        show_json(terms)
        return
    for term in terms:
        show(term.term[language()])
        show(f"    {term.text[language()]}")
    if not terms:
        talk(say("glossary-none", words=" ".join(words)))
