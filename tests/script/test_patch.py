"""Diffs apply to the bytes on disk, for git as for patch, and come back as the edits they were made of."""

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from accucheck.script.patch import Edit, parse, split, unified
from accucheck.script.source import read

TOOLS = [
    pytest.param(command, marks=pytest.mark.skipif(shutil.which(command[0]) is None, reason=f"{command[0]} is missing"))
    for command in (["git", "apply"], ["patch", "-p1", "--binary", "--no-backup-if-mismatch"])
]


def apply(command: list[str], folder: Path, diff: str) -> None:
    subprocess.run(command, cwd=folder, input=diff.encode(), check=True, capture_output=True)


def edited(lines: list[str], edits: list[Edit]) -> list[str]:
    for edit in sorted(edits, reverse=True):
        lines = [*lines[: edit.first - 1], *edit.new, *lines[edit.after - 1 :]]
    return lines


def random_file(chance: random.Random) -> list[str]:
    end = chance.choice(["\n", "\n", "\r\n"])
    lines = [
        chance.choice(["x", "x = 1", "", "\tpass", "# 训练\x0c", "\\ No"]) + end for _ in range(chance.randint(1, 30))
    ]
    if chance.random() < 0.3 and lines[-1] != end:
        lines[-1] = lines[-1][: -len(end)]
    return lines


def random_edits(chance: random.Random, lines: list[str]) -> list[Edit]:
    edits: list[Edit] = []
    for _ in range(chance.randint(1, 4)):
        first = chance.randint(1, len(lines))
        old = tuple(lines[first - 1 : first - 1 + chance.randint(0, 3)])
        new = [f"new {chance.random()}\n" for _ in range(chance.randint(0 if old else 1, 3))]
        if new and old and not old[-1].endswith("\n"):
            new[-1] = new[-1][:-1]
        edit = Edit(first, old, tuple(new))
        if not any(edit.clashes(other) for other in edits):
            edits.append(edit)
    return edits


@pytest.mark.parametrize("command", TOOLS)
def test_any_edits_of_any_file(command: list[str], tmp_path: Path) -> None:
    chance = random.Random(7)
    diffs, expected = [], {}
    for number in range(300):
        name = f"{number} é.py" if number % 3 == 0 else f"deep/{number}.py"
        lines = random_file(chance)
        edits = random_edits(chance, lines)
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes("".join(lines).encode())
        diffs.append(unified(name, lines, edits))
        expected[name] = "".join(edited(lines, edits)).encode()
        path, back = parse(diffs[-1])
        assert path == name and edited(lines, back) == edited(lines, edits)
        assert all(edit.fits(lines) for edit in back)
    apply(command, tmp_path, "".join(diffs))
    for name, content in expected.items():
        left = (tmp_path / name).read_bytes() if (tmp_path / name).exists() else b""  # an emptied file may be removed
        assert left == content, name


@pytest.mark.parametrize("command", TOOLS)
@pytest.mark.parametrize("name", ['say "no".py', "back\\slash.py", "two  blanks.py", "tab\there.py"])
def test_odd_names(command: list[str], name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("x = 1\n")
    diff = unified(name, ["x = 1\n"], [Edit(1, ("x = 1\n",), ("x = 2\n",))])
    assert parse(diff)[0] == name
    apply(command, tmp_path, diff)
    assert (tmp_path / name).read_text() == "x = 2\n"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nothing",
        "--- a/x\n+++ b/y\n@@ -1 +1 @@\n-x\n+y\n",
        "--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n-x\n+y\n",
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-x\n+y\n+z\n",
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-x\n+y",
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-x\n+y\n--- a/z\n+++ b/z\n@@ -1 +1 @@\n-x\n+y\n",
        '--- "a/x\n+++ "b/x\n@@ -1 +1 @@\n-x\n+y\n',
    ],
)
def test_what_is_no_diff_of_one_file(text: str) -> None:
    with pytest.raises(ValueError):
        parse(text)


def test_only_a_line_feed_ends_a_line() -> None:
    assert split("a\x0cb\u2028c\r\nd\x85\n\ne") == ["a\x0cb\u2028c\r\n", "d\x85\n", "\n", "e"]


SCRIPT = "import os\n# 训练\nx = 1\ny = 2\n\n\nz = 3\n"


@pytest.mark.parametrize("command", TOOLS)
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("unended", [False, True])
def test_a_source_gives_a_patch(command: list[str], bom: bytes, end: str, unended: bool, tmp_path: Path) -> None:
    text = SCRIPT[:-1] if unended else SCRIPT
    (tmp_path / "src").mkdir()
    file = tmp_path / "src/a.py"
    for edits, expected in [
        ([(3, 3, ["x = 5"])], text.replace("x = 1", "x = 5")),
        ([(1, 0, ["import re"])], "import re\n" + text),
        ([(1, 1, ["import re", "import os"])], "import re\n" + text),
        ([(1, 1, [])], text[len("import os\n") :]),
        ([(7, 7, ["z = 4", "# 完"])], text.replace("z = 3", "z = 4\n# 完")),
        ([(8, 7, ["w = 1"])], SCRIPT + "w = 1\n"),
        ([(3, 4, ["a = 0"]), (1, 0, ["import re"])], "import re\n" + text.replace("x = 1\ny = 2", "a = 0")),
        ([(3, 3, ["x = 5"]), (3, 3, ["x = 5"])], text.replace("x = 1", "x = 5")),
    ]:
        file.write_bytes(bom + text.replace("\n", end).encode())
        diff = read(file, "src/a.py").patch(edits)
        assert diff is not None
        apply(command, tmp_path, diff)
        kept = b"" if edits == [(1, 1, [])] else bom  # the mark goes with the line that it stands in
        assert file.read_bytes() == kept + expected.replace("\n", end).encode(), edits


@pytest.mark.parametrize("command", TOOLS)
def test_another_encoding(command: list[str], tmp_path: Path) -> None:
    """ASCII around the edit is the same in any encoding; other characters could not be written exactly."""
    file = tmp_path / "a.py"
    text = "# coding: gbk\n# 训练\n\n\nx = 1\n\n\ny = 2\n"
    file.write_bytes(text.encode("gbk"))
    source = read(file, "a.py")
    assert source.diff(3, "import os") is None
    assert source.diff(5, "x = '值'") is None
    diff = source.diff(5, "x = 5")
    assert diff is not None
    apply(command, tmp_path, diff)
    assert file.read_bytes() == text.replace("x = 1", "x = 5").encode("gbk")


@pytest.mark.parametrize("content", [SCRIPT.encode("utf-16"), SCRIPT.replace("\n", "\r").encode(), b"x = 1\ry = 2\r\n"])
def test_no_diff_where_it_would_not_apply(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(content)
    assert read(tmp_path / "a.py", "a.py").diff(1, "x = 2") is None


def test_no_diff_of_what_is_not_a_file_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real/a.py").write_text("x = 1\n")
    (tmp_path / "linked").symlink_to(tmp_path / "real")
    (tmp_path / "b.py").symlink_to(tmp_path / "real/a.py")
    assert read(tmp_path / "real/a.py", "real/a.py").diff(1, "x = 2")
    assert read(tmp_path / "linked/a.py", "linked/a.py").diff(1, "x = 2") is None
    assert read(tmp_path / "b.py", "b.py").diff(1, "x = 2") is None
    assert read(tmp_path / "real/a.py", str(tmp_path / "real/a.py")).diff(1, "x = 2") is None
    assert read(tmp_path / "real/a.py", "../real/a.py").diff(1, "x = 2") is None


def test_no_diff_of_a_file_that_changed_or_of_edits_that_clash(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("x = 1\ny = 2\n")
    source = read(file, "a.py")
    file.write_text("x = 1\ny = 3\n")
    assert source.diff(1, "x = 2") is None
    source = read(file, "a.py")
    assert source.patch([(1, 2, ["a"]), (2, 2, ["b"])]) is None
    assert source.patch([(1, 0, ["a"]), (1, 0, ["b"])]) is None
    assert source.patch([(0, 0, ["a"])]) is None
    assert source.patch([(1, 1, ["x = 1"])]) is None and source.patch([]) is None
