"""accucheck graph as it is used: a project, a file, one place of it, a search, the page, and what it cannot read."""

import json
import shutil
from pathlib import Path

import pytest

from command_line import accucheck
from made_once import MadeOnce


@pytest.mark.mindspore
def test_the_graph_of_a_project(watched_runs: MadeOnce, tmp_path: Path) -> None:
    root = watched_runs["remarkable"]
    ran = accucheck("graph", cwd=root)
    assert ran.code == 0 and ran.out.startswith("Net: "), ran
    assert "never called: 1: spare" in ran.out and "shared: 1: second.weight" in ran.out
    assert any(
        line.split()[:3] == ["first", "Dense", "16×8"] and line.endswith("frozen") for line in ran.out.splitlines()
    )
    found = accucheck("graph", str(root), "--find", "hew", "--lang", "zh")
    assert (found.code, found.out.split()) == (0, ["head.weight", "float32", "2×16"])
    place = accucheck("graph", "-p", str(root), "--cell", "head", cwd=tmp_path)
    assert (
        place.code == 0
        and "Class: mindspore.nn.layer.basic.Dense\n" in place.out
        and "Made at: train.py:21" in place.out
    )
    whole = json.loads(accucheck("graph", "--json", cwd=root).out)
    assert whole["format"] == "recording" and {cell["name"] for cell in whole["cells"]} >= {"first", "spare"}
    written = accucheck("graph", "-o", str(tmp_path / "net.html"), "--cell", "spare", cwd=root)
    assert written.code == 0 and b'"open":[false,' in (tmp_path / "net.html").read_bytes()
    again = accucheck("graph", "-o", str(tmp_path / "net.html"), cwd=root)
    assert again.code == 2 and "net.html" in again.err
    assert accucheck("graph", "-o", str(tmp_path / "net.html"), "--force", cwd=root).code == 0


@pytest.mark.mindspore
def test_the_graph_beside_the_benchmarks(real_graphs: MadeOnce, tmp_path: Path) -> None:
    shutil.copy(real_graphs["residual"] / "initial.ckpt", tmp_path / "own.ckpt")
    (tmp_path / "accucheck.yaml").write_text("checkpoints: {current: own.ckpt, reference: own.ckpt}\n")
    ran = accucheck("graph", "--beside", cwd=tmp_path)
    assert ran.code == 0 and "beside own.ckpt: 13 weights paired" in ran.out, ran
    other = accucheck("graph", "--json", "--beside", str(real_graphs["left_out"] / "net.mindir"), cwd=tmp_path)
    assert json.loads(other.out)["beside"]["weights"]["block.conv2.weight"] == "block.conv2.weight"
    assert "block.shortcut.weight" not in json.loads(other.out)["beside"]["weights"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "shows a network"),
        (("lacking.ckpt",), "lacking.ckpt"),
        (("text.txt",), "the format is not recognised"),
        (("text.txt", "--lang", "zh"), "无法从内容识别格式"),
        (("--beside",), "shows a network"),
    ],
)
def test_what_cannot_be_looked_at_is_said(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    (tmp_path / "text.txt").write_text("no network\n")
    ran = accucheck("graph", *arguments, cwd=tmp_path)
    assert ran.code == 2 and said in ran.err and "Traceback" not in ran.err, ran


@pytest.mark.mindspore
def test_a_name_that_is_not_there_has_the_nearest(real_graphs: MadeOnce) -> None:
    ran = accucheck("graph", "initial.ckpt", "--cell", "shortcut.wei", cwd=real_graphs["residual"])
    assert ran.code == 2 and "Nearest: block.shortcut.weight." in ran.err, ran
