"""Phrases that docs/style.md has done away with do not come back in what a user reads."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = (
    "README.md",
    "README.zh.md",
    "docs/guide.*.md",
    "docs/troubleshooting.*.md",
    "docs/watch.*.md",
    "docs/try.*.md",
)


def left() -> list[str]:
    """The first column of the table of phrases that left."""
    table = (ROOT / "docs/style.md").read_text(encoding="utf-8").partition("## Phrases that left")[2]
    return [row.split("|")[1].strip() for row in table.splitlines() if row.startswith("|")][2:]


def of_module(path: Path) -> Iterator[tuple[int, str]]:
    """The texts of a module, with their lines: strings that hold a blank or Chinese, and are no docstrings."""
    tree = ast.parse(path.read_bytes())
    told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or id(node) in told:
            continue
        if " " in node.value or not node.value.isascii():
            yield node.lineno, re.sub(r"\{@?[\w-]+", "{", node.value)  # without the names of what is filled in


def texts() -> Iterator[tuple[str, str]]:
    """Everything that is said to a user, each with its place. Style sheets are no texts."""
    for path in sorted((ROOT / "src/accucheck").rglob("*.py")):
        for line, text in of_module(path):
            if "Screen " not in text and "{ " not in text:
                yield f"{path.relative_to(ROOT)}:{line}", text
    for pattern in ("checklists/*.yaml", "src/accucheck/knowledge/*.yaml", *PAGES):
        for path in sorted(ROOT.glob(pattern)):
            for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
                yield f"{path.relative_to(ROOT)}:{number}", text


TEXTS = list(texts())


def pattern(phrase: str) -> re.Pattern[str]:
    """A phrase as words: "mend" is in "mends" and "mended", not in "recommend" or in the key `to: mend` of a path."""
    return re.compile(
        rf"(?<![\w-]){re.escape(phrase)}(?!\w*[:.]svg)(?=\W|s\b|ed\b|ing\b)" if phrase.isascii() else phrase,
        re.IGNORECASE,
    )


@pytest.mark.parametrize("phrase", left())
def test_a_phrase_that_left_stays_away(phrase: str) -> None:
    found = [
        f"{place}: {text.strip()[:100]}" for place, text in TEXTS if pattern(phrase).search(text) and not is_key(text)
    ]
    assert not found, "\n".join(found)


def is_key(text: str) -> bool:
    """A line of YAML that names the step of a path, or a picture by its file."""
    return (
        re.fullmatch(r"\s*((to|mend): ?(mend)?|mend:.*|.*\bto: mend[,}].*)", text) is not None or "images/mend" in text
    )


def test_the_search_sees_texts_of_every_kind() -> None:
    places = " ".join(place for place, _ in TEXTS)
    assert all(
        part in places
        for part in ("tui/words.py", "probes/", "checklists/accuracy.yaml", "docs/guide.zh.md", "glossary.yaml")
    )
    assert pattern("mend").search("How to mend it") and not pattern("mend").search("we recommend")
