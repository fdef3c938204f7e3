"""Which files of a project use a framework: what is walked through, what is left out, and what could not be read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from accucheck.case import Case, CaseFile
from accucheck.model import Progress
from accucheck.script import folder
from accucheck.script.folder import Folder, read_folder

TORCH = "import torch\ntorch.abs(1)\n"


def case_of(root: Path, spec: dict[str, Any] | None = None, **files: str) -> Case:
    for name, text in files.items():
        path = root / name
        path = path if path.suffix in (".py", ".ipynb") else path.parent / f"{path.name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Case(root=str(root), spec=msgspec.convert(spec or {}, CaseFile))


def walked(case: Case) -> tuple[Folder, list[Progress]]:
    events = []
    walk = read_folder(case)
    while True:
        try:
            events.append(next(walk))
        except StopIteration as stop:
            return stop.value, events


def used(found: Folder) -> dict[str, list[str]]:
    return {file.path: [use.api for use in file.usage.uses] for file in found.files}


def test_what_is_walked_through(tmp_path: Path) -> None:
    left_out = (".hidden/d", "build/e", "env/f", "lib/site-packages/g")
    files = dict.fromkeys(("a", "b/c", *left_out), TORCH)
    case = case_of(tmp_path, plain="print(1)\n", empty="", words="torchlight = 1\n", said="# torch\n", **files)
    (tmp_path / "env" / "pyvenv.cfg").touch()
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "loop").symlink_to(tmp_path)
    found, events = walked(case)
    assert used(found) == {"a.py": ["torch.abs"], "b/c.py": ["torch.abs"]}
    assert [(event.done, event.total) for event in events] == [(6, 6)] and found.seen == 6 and not found.gaps
    assert [file.code(file.usage.uses[0]).text for file in found.torch()] == ["torch.abs(1)"] * 2


def test_a_folder_is_read_again_only_when_something_changed(tmp_path: Path) -> None:
    case = case_of(tmp_path, a=TORCH)
    first = walked(case)[0]
    again, events = walked(case)
    assert again is first and not events
    case_of(tmp_path, a=TORCH + "torch.neg(1)\n")
    assert used(walked(case)[0]) == {"a.py": ["torch.abs", "torch.neg"]}


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    case = case_of(tmp_path, {"benchmark": {"scripts": {"train": "../gone/train.py"}}}, a=TORCH)
    assert used(walked(case)[0]) == {"a.py": ["torch.abs"]}


def test_too_much_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = case_of(tmp_path, **dict.fromkeys(("a", "b", "sub/c"), TORCH))
    for name, limit, kept in (("ENTRIES", 3, {"a.py", "b.py"}), ("FILES", 1, {"a.py"})):
        with monkeypatch.context() as patch:
            patch.setattr(folder, name, limit)
            found = walked(case)[0]
        assert set(used(found)) == kept and [gap.code for gap in found.gaps] == ["too-many-files"]


@pytest.mark.usefixtures("usual_recursion")
@pytest.mark.parametrize(
    ("name", "text", "gaps", "uses"),
    [
        ("a.py", "import torch\ntorch.abs(1)\nx = (\n", ["unreadable"], ["torch.abs"]),
        ("a.py", "import torch\nx = " + "+".join(["1"] * 900) + "\n", ["too-complex"], []),
        ("a.ipynb", "", [], []),
        ("a.ipynb", '{"cells": []}', [], []),
        ("a.ipynb", '{"cells": [', ["unreadable"], []),
        ("a.ipynb", '{"cells": [{"cell_type": "code", "source": "import torch\\ntorch.abs(1)"}]}', [], ["torch.abs"]),
    ],
)
def test_what_cannot_be_read(name: str, text: str, gaps: list[str], uses: list[str], tmp_path: Path) -> None:
    found = walked(case_of(tmp_path, **{name: text}))[0]
    assert [gap.code for gap in found.gaps] == gaps
    assert used(found) == ({name: uses} if uses else {})


def test_a_module_called_torch(tmp_path: Path) -> None:
    """Beside a script it is what the script gets; in a package it is another module."""
    package = {"package/__init__": "", "package/torch": "x = 1\n", "package/b": TORCH}
    found = walked(case_of(tmp_path, torch="x = 1\n", a=TORCH, **package))[0]
    assert used(found) == {"package/b.py": ["torch.abs"]}
    assert [(gap.code, gap.path) for gap in found.gaps] == [("unreadable", "a.py")]
    assert "import torch finds torch.py of" in found.gaps[0].data["problem"]["en"]


def test_a_package_called_torch(tmp_path: Path) -> None:
    (gap,) = walked(case_of(tmp_path, a=TORCH, **{"torch/__init__": "x = 1\n"}))[0].gaps
    assert gap.path == "a.py" and "import torch finds torch of" in gap.data["problem"]["en"]


def test_modules_hand_on_what_a_star_of_a_framework_brings(tmp_path: Path) -> None:
    case = case_of(tmp_path, a="from common import *\nLinear(1, 1)\n", common="from torch.nn import *\n")
    assert used(walked(case)[0]) == {"a.py": ["torch.nn.Linear"]}


def test_modules_hand_on_what_they_import(tmp_path: Path) -> None:
    use = "nn.Linear(1, 1)\n"
    case = case_of(
        tmp_path,
        a="from common import *\n" + use,
        b="from common import *\n" + use,
        common="from base import *\nfrom torch import *\n",
        base="from common import *\nfrom torch import nn\nfrom broken import *\n",
        broken="from torch import (\n",
        c="from broken import *\n" + use,
    )
    assert {path: uses for path, uses in used(walked(case)[0]).items() if uses} == {
        "a.py": ["torch.nn.Linear"],
        "b.py": ["torch.nn.Linear"],
    }
