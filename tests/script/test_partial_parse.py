"""What is read of a script that does not parse as a whole."""

import ast

import pytest

from accucheck.script.partial_parse import parse

BROKEN = {
    "an indentation that fits nothing": "x = 1\nif x:\n    y = 2\n  z = 3\nw = 4\n",
    "a statement of Python 2": 'x = 1\nprint "training"\nw = 4\n',
    "a block that consists of it": 'x = 1\nif x:\n    print "yes"\nw = 4\n',
    "a bracket too many": "x = f(1))\nw = 4\n",
    "a line that is no Python": "x = 1\n<<<<<<< HEAD\nw = 4\n",
}


@pytest.mark.parametrize("name", BROKEN)
def test_the_rest_is_read_with_its_places(name: str) -> None:
    tree = parse(BROKEN[name])
    assert tree is not None
    (last,) = [node for node in tree.body if isinstance(node, ast.Assign) and ast.unparse(node) == "w = 4"]
    assert last.lineno == BROKEN[name].count("\n")


@pytest.mark.parametrize("text", ["", "(((", "\0", "print 'x'\n" * 500])
def test_what_is_broken_through_and_through_is_left(text: str) -> None:
    assert parse(text) is None
