"""The network as one page that opens offline: a tree to unfold, a search, and what is known of each place."""

from __future__ import annotations

import html
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from ..errors import ReadError
from ..language import Language, Words, visible, word
from ..offline import page
from .telling import ALL_MARKS, WORDS, amount, details, flow, head, name_of, row, say, short, summary
from .tree import Network, SearchHit, each_marked

if TYPE_CHECKING:
    from .matching import NetworkMatch

#: Rows of a page; a browser takes about a second for so many.
ROWS = 60_000
#: Places that one mark leads to in turn.
_PLACES = 200

_WORDS: Words = {
    "search": {
        "en": "Search by name or class; 3bg finds layer3.0.bn1.gamma (press /)",
        "zh": "按名称或类搜索；3bg 可找到 layer3.0.bn1.gamma（按 / 键）",
    },
    "more": {"en": "{count} more", "zh": "另有 {count} 个"},
    "hits": {"en": "{count} found", "zh": "找到 {count} 个"},
    "tree": {"en": "Cells and weights", "zh": "cell 与权重"},
    "details": {"en": "What is known of it", "zh": "详细信息"},
}
#: Values of these are names that lead to their places.
_LINKED = ("users", "takes")


def write(
    network: Network, language: Language, beside: NetworkMatch | None = None, at: SearchHit | None = None
) -> bytes:
    """The page, open at a place. Raises ReadError for more rows than a browser shows."""
    if len(network.cells) + len(network.weights) > ROWS:
        count = len(network.cells) + len(network.weights)
        raise ReadError("graph-page-large", path=network.source, count=count, limit=ROWS)
    labels: dict[str, int] = {}
    numbers = {mark: number for number, mark in enumerate(ALL_MARKS)}

    def told(hit: SearchHit) -> list[list[Any]]:
        found = details(network, hit, language, beside)
        return [[labels.setdefault(label, len(labels)), value] for label, value in found]

    def there(hit: SearchHit) -> str:
        found = None if beside is None else (beside.weights if hit.weight else beside.cells).get(hit.number)
        if beside is None or found is None:
            return ""
        other = SearchHit(hit.weight, found)
        columns = row(beside.other, other, language)
        return visible(" ".join([name_of(beside.other, other), *(each for each in columns[1:3] if each)]))

    cells = [
        {
            "p": cell.parent,
            "l": visible(cell.label),
            "k": visible(short(cell.kind)),
            "f": flow(cell),
            "h": amount(cell.held) if cell.held else "",
            "t": there(SearchHit(False, cell.number)),
            "m": [numbers[mark] for mark in ALL_MARKS if mark in cell.marks],
            "w": [[numbers[mark], cell.within[mark]] for mark in ALL_MARKS if mark in cell.within],
            "d": told(SearchHit(False, cell.number)),
        }
        for cell in network.cells
    ]
    weights = [
        {
            "c": weight.cell,
            "n": visible(weight.name),
            "f": f"{weight.tensor.size} {weight.type}",
            "t": there(SearchHit(True, number)),
            "m": [numbers[mark] for mark in ALL_MARKS if mark in weight.marks],
            "d": told(SearchHit(True, number)),
        }
        for number, weight in enumerate(network.weights)
    ]
    marked = []
    for mark in ALL_MARKS:
        if hits := list(each_marked(network, mark)):
            places = [list(hit) for hit in hits[:_PLACES]]
            marked.append({"id": numbers[mark], "count": len(hits), "first": places})
    opened = at or (SearchHit(False, network.first_bad.cell) if network.first_bad is not None else None)
    data = {
        "cells": [{key: value for key, value in cell.items() if value not in ("", [])} for cell in cells],
        "weights": [{key: value for key, value in weight.items() if value not in ("", [])} for weight in weights],
        "words": {key: word(_WORDS, key, language, count="{count}") for key in ("more", "hits")},
        "marks": [[mark, say(mark, language)] for mark in ALL_MARKS],
        "labels": list(labels),
        "linked": [labels[label] for key in _LINKED if (label := word(WORDS, key, language)) in labels],
        "marked": marked,
        "open": list(opened) if opened is not None else None,
    }
    shared, here = files("accucheck"), files("accucheck.network")
    style = (shared / "offline.css").read_text("utf-8") + (here / "page.css").read_text("utf-8")
    script = (here / "page.js").read_text("utf-8")
    return page(network.title, language, _body(network, language, beside), style, script, data)


def _body(network: Network, language: Language, beside: NetworkMatch | None) -> str:
    lines = summary(network, language, beside)
    bad = network.first_bad is not None
    told = "".join(
        f'<p class="{"bad" if bad and not at else "note"}">{_text(line)}</p>' for at, line in enumerate(lines)
    )
    search, tree, known = (_text(word(_WORDS, key, language)) for key in ("search", "tree", "details"))
    return (
        f"<header><h1>{_text(head(network, language))}</h1>{told}</header>\n"
        f'<div class="panes"><main><div class="tools" id="marks"><input id="search" type="search" placeholder="{search}" '
        f'aria-label="{search}" autocomplete="off" spellcheck="false"><span id="count" role="status"></span></div>\n'
        f'<ul id="found" role="listbox" hidden></ul><div id="tree" role="tree" aria-label="{tree}"></div></main>\n'
        f'<aside aria-label="{known}"><dl id="details"></dl></aside></div>'
    )


def _text(line: str) -> str:
    return html.escape(visible(line))
