"""Which words open a file at a line, editor by editor; and what is said where there is none."""

from pathlib import Path

import pytest

from accucheck.errors import UserError
from accucheck.tui.editor import command

FILE = Path("/project/my train.py")


@pytest.mark.parametrize(
    ("editor", "words"),
    [
        ("vim", ["vim", "+7", str(FILE)]),
        ("/usr/bin/nvim -u NONE", ["/usr/bin/nvim", "-u", "NONE", "+7", str(FILE)]),
        ("nano", ["nano", "+7", str(FILE)]),
        ("emacsclient -t", ["emacsclient", "-t", "+7", str(FILE)]),
        ("micro", ["micro", "+7", str(FILE)]),
        ("hx", ["hx", f"{FILE}:7"]),
        ("code --wait", ["code", "--wait", "-g", f"{FILE}:7"]),
        ("kate", ["kate", "-l", "7", str(FILE)]),
        ("'/opt/my editor/own'", ["/opt/my editor/own", str(FILE)]),
    ],
)
def test_each_editor_is_told_the_line_in_its_own_way(editor, words):
    assert command(FILE, 7, {"EDITOR": editor}) == words
    assert command(FILE, None, {"EDITOR": editor})[-1] == str(FILE)


def test_visual_comes_before_editor_and_a_usual_one_is_found(monkeypatch):
    assert command(FILE, 1, {"VISUAL": "vim", "EDITOR": "nano"})[0] == "vim"
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}" if name == "vi" else None)
    assert command(FILE, 3, {"EDITOR": ""}) == ["/usr/bin/vi", "+3", str(FILE)]


def test_no_editor_and_one_that_cannot_be_read_are_said(monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: None)
    for environment, code in (
        ({}, "editor-none"),
        ({"EDITOR": "  "}, "editor-none"),
        ({"EDITOR": "vim '"}, "editor-wrong"),
    ):
        with pytest.raises(UserError) as caught:
            command(FILE, 1, environment)
        assert caught.value.code == code
