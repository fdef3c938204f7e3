"""What differs between versions of MindSpore, and that a failure of accucheck's own is not blamed on the user's function."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from accucheck.case import Case, CaseFile
from accucheck.errors import UserError
from accucheck.live import child, warm
from accucheck.live.inside import versions
from accucheck.model import Language


class OldCell:
    """A cell that tells its hooks a text instead of itself, as cells of MindSpore 2.0 to 2.3 do. It stands for those versions, which
    cannot be installed beside the one that the tests run on."""

    def __init__(self) -> None:
        self.hooks: dict[str, list] = {"before": [], "after": []}

    def _registered(self, kind, hook):
        self.hooks[kind].append(hook)
        return self

    def register_forward_pre_hook(self, hook):
        return self._registered("before", hook)

    def register_forward_hook(self, hook):
        return self._registered("after", hook)

    def __call__(self, *inputs):
        for hook in self.hooks["before"]:
            assert hook("OldCell(1)", inputs) is None
        output = sum(inputs)
        for hook in self.hooks["after"]:
            assert hook("OldCell(1)", inputs, output) is None
        return output


def test_hooks_of_the_old_form_are_told_the_cell_itself() -> None:
    cell, seen = OldCell(), []
    versions.before_calls(cell, lambda *told: seen.append(told))
    versions.after_calls(cell, lambda *told: seen.append(told))
    assert cell(1, 2) == 3
    assert seen == [(cell, (1, 2)), (cell, (1, 2), 3)]


#: Prints who is blamed for what is raised while a network runs: a Stop's event, or the place of our own code.
TASK = """
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("main", sys.argv[1])
main = importlib.util.module_from_spec(spec)
spec.loader.exec_module(main)
pipeline, versions = main.neighbour("pipeline"), main.neighbour("versions")
sys.path.insert(0, sys.argv[2])
import numpy, mindspore, project
from mindspore import nn
def see(cell, inputs, output):
    seen.append(type(cell).__name__)
    if sys.argv[3] == "hook":
        numpy.concatenate(output.asnumpy())
network, seen = nn.SequentialCell(nn.Dense(3, 2), project.Own()), []
for _, cell in network.cells_and_names():
    versions.after_calls(cell, see)
x = mindspore.Tensor(numpy.ones((1, 3), "float32"))
try:
    with pipeline.blamed("project:Own", sys.argv[2]):
        network(x if sys.argv[3] != "shape" else x[:, :2])
    said = "nobody"
except pipeline.EndRun as stop:
    said = "user"
except Exception as error:
    said = pipeline.own_place(error, sys.argv[2])
print(json.dumps([said, seen]))
"""

PROJECT = """
from mindspore import nn

class Own(nn.Cell):
    def construct(self, x):
        if {fail}:
            raise ValueError("mine")
        return x.sum()
"""


def blamed(root: Path, how: str) -> tuple[str, list[str]]:
    (root / "project.py").write_text(PROJECT.format(fail=how == "construct"))
    line = [sys.executable, "-B", "-c", TASK, str(warm.PROGRAM), str(root), how]
    ran = subprocess.run(line, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    said, seen = json.loads(ran.stdout.splitlines()[-1])
    return said, seen


@pytest.mark.mindspore
def test_who_is_blamed_for_what_is_raised_while_the_network_runs(tmp_path: Path) -> None:
    assert blamed(tmp_path, "nothing") == ("nobody", ["Dense", "Own", "SequentialCell"])
    assert blamed(tmp_path, "construct")[0] == blamed(tmp_path, "shape")[0] == "user"
    said, seen = blamed(tmp_path, "hook")
    assert said.startswith("versions.py:") and seen == ["Dense", "Own"]  # a sum has no rows to join


@pytest.mark.mindspore
def test_a_failure_of_our_own_task_is_told_as_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = tmp_path / "inside"
    shutil.copytree(warm.PROGRAM.parent, inside, ignore=shutil.ignore_patterns("__pycache__"))
    (inside / "broken.py").write_text(
        "from .pipeline import blamed\n\n\ndef examine(request, tell):\n"
        "    with blamed(request['call'], request['root']):\n        request['call'].no_such_thing()\n"
    )
    monkeypatch.setattr(child, "PROGRAM", inside / "__main__.py")
    warm.ask(None, "")
    case = Case(root=str(tmp_path), spec=msgspec.convert({}, CaseFile))
    with pytest.raises(UserError) as caught:
        list(child.events(case, "broken", {"call": "project:network"}, 5))
    assert caught.value.code == "live-own"
    assert caught.value.data["place"] == "broken.py:6" and caught.value.data["task"] == "broken"
    for language in Language:
        assert "project:network" not in caught.value.text(language)
