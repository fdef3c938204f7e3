"""Texts of checklists: code between backticks, over the ends of lines too."""

import pytest

from accucheck.tui.signs import prose, wrap


def code(content):
    return [content.plain[span.start : span.end].strip() for span in content.spans]


def test_code_is_told_from_words():
    content = prose("Set `--set a=1`, or `amp`: 用 `ds.batch` 。\n1. `x`")
    assert content.plain == "Set --set a=1, or amp: 用 ds.batch 。\n1. x"
    assert code(content) == ["--set a=1", "amp", "ds.batch", "x"]


@pytest.mark.parametrize("width", [8, 11, 20, 33])
def test_code_over_several_lines(width):
    text = "Run `accucheck run --set a=1 --live` first 然后看 `summary` 的内容"
    content = prose(text, width, 3)
    assert content.plain == wrap(text.replace("`", ""), width, 3)
    letters = "".join("".join(piece.split()) for piece in code(content))
    assert letters == "accucheckrun--seta=1--livesummary"


@pytest.mark.parametrize("text", ["", "no code", "one ` backtick", "[red]a[/red] \x1b[31m", "```"])
def test_what_is_no_code_stays(text):
    content = prose(text)
    assert code(content) == []
    assert content.plain == text.replace("\x1b", "\\x1b")
