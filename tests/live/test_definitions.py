"""What a name at the top of a script needs of it."""

import ast
import sys
from pathlib import Path

import pytest

from accucheck.live.inside import definitions

SCRIPT = """
import argparse
import numpy as np
from other import load, train

SIZE = 4
rows = load(SIZE)
rows.shuffle()
rows = rows.batch(SIZE)
options = argparse.ArgumentParser().parse_args()

def create(size=SIZE):
    label = [row for row in range(size)]
    return load(label)

class Net:
    def make(self, rows):
        return create(len(rows))

def chosen():
    return load(options.path)

for label in rows:
    train(label)
if len(rows) > 3:
    late = load(3)
train(rows)
"""


def kept(name: str, script: str = SCRIPT) -> list[int] | None:
    needed = definitions.needed(ast.parse(script), name)
    return None if needed is None else [node.lineno for node in needed]


def test_a_name_needs_its_own_statements_and_those_of_the_names_within() -> None:
    assert kept("rows") == [4, 6, 7, 8, 9]
    assert kept("create") == [4, 6, 12]
    assert kept("Net") == [4, 6, 12, 16]  # rows and label are names of its own there


@pytest.mark.parametrize("name", ["chosen", "options", "late", "label", "nothing"])
def test_what_the_command_line_or_a_condition_decides_cannot_be_told(name: str) -> None:
    assert kept(name) is None


def test_what_a_function_or_an_import_of_all_names_binds_cannot_be_told() -> None:
    function = "def fill():\n    global rows\n    rows = [1]\nfill()\ndef first():\n    return rows[0]\n"
    assert kept("first", function) is None
    assert kept("first", function.replace("def fill", "rows = []\ndef fill", 1)) is None
    assert kept("first", "from other import *\ndef first():\n    return rows[0]\n") is None
    assert kept("first", "def first():\n    return len(__file__)\n") == [1]


def test_what_binds_a_name_after_it_was_read_does_not_count() -> None:
    script = "row = [1]\nrows = [row]\nfor row in rows:\n    print(row)\ndef first():\n    return row\n"
    assert kept("rows", script) == [1, 2]
    assert kept("first", script) is None  # which reads what the loop left


def test_what_is_set_before_is_kept() -> None:
    script = "import sys\nimport mindspore as ms\nsys.path.insert(0, 'lib')\nfrom nets import Net\nms.set_seed(1)\n"
    script += (
        "print(Net)\nnet = Net()\nms.set_context(mode=net.mode)\ndef first():\n    return Net(2)\nms.set_seed(2)\n"
    )
    assert kept("first", script) == [1, 2, 3, 4, 5, 9]


def test_a_module_is_run_as_far_as_each_name_needs_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = "made = []\ndef first():\n    return made\nbegun = made.append(1)\ndef second():\n    return begun, made\nraise SystemExit\n"
    (tmp_path / "script_apart.py").write_text(script)
    (tmp_path / "idle_apart.py").write_text("import math\nsize = math.prod([2, 3])\n")
    (tmp_path / "other_apart.py").write_text(script)
    scripts = [str((tmp_path / name).resolve()) for name in ("script_apart.py", "idle_apart.py")]
    monkeypatch.syspath_prepend(str(tmp_path))
    first = definitions.module_with("script_apart", "first", scripts)
    assert first is not None and first.first() == [] and not hasattr(first, "begun")
    second = definitions.module_with("script_apart", "second", scripts)
    assert second is first and second.second() == (None, [1]) and second.first() is second.made
    assert definitions.module_with("idle_apart", "size", scripts) is None  # is imported as any other
    assert definitions.module_with("json.tool", "main", scripts) is None
    assert definitions.module_with("other_apart", "first", scripts) is None  # not a script, but what scripts import
    del sys.modules["script_apart"]
