"""Fixes mend: each diff of each static probe applies, the finding is gone, the file parses; and `accucheck fix` as a user runs it."""

import ast
import os
import pty
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from accucheck import probe
from accucheck.case import Case
from accucheck.fixes import UnfixedFinding, collect
from accucheck.model import Finding, Fix, Kind, Level, ProbeResult, Status, Sure, Verdict, Where
from accucheck.script.patch import Edit, unified
from command_line import Ran, accucheck, copy_example

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is missing")
STATIC = [name for name in probe.names() if probe.load(name).KIND is Kind.STATIC]


def apply(folder: Path, diff: bytes, tool: tuple[str, ...] = ("git", "apply")) -> None:
    done = subprocess.run(tool, cwd=folder, input=diff, capture_output=True)
    assert done.returncode == 0, f"{done.stderr.decode()}\n{diff.decode()}"


# --- each fix of each static probe --------------------------------------------------------------------------------------


def examples() -> Iterator[Any]:
    for name in STATIC:
        for example in probe.load(name).EXAMPLES:
            yield pytest.param(name, example, id=f"{name} {example.name}")


def findings(name: str, example: probe.Example, root: Path) -> list[Finding]:
    module = probe.load(name)
    case = Case(str(root), example.lay_out(root.parent / "spec").spec)
    return [event for event in module.run(case, probe.params(module, example.params)) if isinstance(event, Finding)]


def places(found: list[Finding]) -> Counter[tuple[str, str | None]]:
    return Counter((finding.code, finding.where.path) for finding in found)


def parses(folder: Path) -> None:
    for file in folder.rglob("*.py"):
        ast.parse(file.read_bytes())


@pytest.mark.part(40)
@needs_git
@pytest.mark.parametrize(("name", "example"), examples())
def test_a_fix_mends_what_it_is_for(name: str, example: probe.Example, tmp_path: Path) -> None:
    root = tmp_path / "original"
    example.lay_out(root)
    before = findings(name, example, root)
    offered = [finding for finding in before if finding.fix is not None and finding.fix.diff]
    result = ProbeResult(name, Kind.STATIC, Status.DONE, Verdict.UNDECIDED, before)
    diffs = [[finding] for finding in offered]
    for number, mended in enumerate([*diffs, offered] if len(offered) > 1 else diffs):
        copy = tmp_path / str(number)
        shutil.copytree(root, copy, symlinks=True)
        if len(mended) == 1:
            assert mended[0].fix is not None and mended[0].fix.diff is not None
            apply(copy, mended[0].fix.diff.encode())
        elif not (patch := collect(copy, [result])).text:
            continue
        else:
            apply(copy, patch.text)
            mended = [one for one in mended if one not in [left.finding for left in patch.left]]
        changed = {finding.where.path for finding in mended}
        for path in changed:
            assert path is not None
            ast.parse((copy / path).read_bytes())
        after = findings(name, example, copy)
        for key, count in places(mended).items():
            assert places(after)[key] <= places(before)[key] - count, f"{key} is still there"
        worse = {f.code for f in after if f.level is Level.PROBLEM} - {f.code for f in before}
        assert not worse, f"the fix brings {worse}"


def test_a_fix_is_offered_for_shuffle_false(tmp_path: Path) -> None:
    """So that the test above is about something."""
    example = next(e for e in probe.load("shuffle_settings").EXAMPLES if e.name == "shuffle=False")
    example.lay_out(tmp_path / "a")
    found = findings("shuffle_settings", example, tmp_path / "a")
    finding = next(one for one in found if one.code == "shuffle-off")
    assert finding.fix is not None and finding.fix.diff


# --- putting diffs together ---------------------------------------------------------------------------------------------

LINES = [f"x{n} = {n}\n" for n in range(1, 21)]


def found(*edits: Edit, path: str = "a.py", code: str = "bad", level: Level = Level.PROBLEM, **more: Any) -> Finding:
    diff = more.pop("diff", None) or unified(path, LINES, edits)
    return Finding(code, level, Where(path=path, line=edits[0].first), fix=Fix("fix", diff), **more)


def replaced(line: int, *new: str) -> Edit:
    return Edit(line, (LINES[line - 1],), tuple(f"{text}\n" for text in new))


def together(root: Path, *all_found: Finding) -> tuple[str, list[tuple[str, int | None]]]:
    (root / "a.py").write_text("".join(LINES))
    (root / "b.py").write_text("".join(LINES))
    patch = collect(root, [ProbeResult("p", Kind.STATIC, Status.DONE, Verdict.PROBLEM, [one]) for one in all_found])
    if patch.text and shutil.which("git"):
        apply(root, patch.text)
    assert patch.mended + len(patch.left) <= len(all_found)
    return (root / "a.py").read_text(), [(left.why, left.finding.where.line) for left in patch.left]


def test_several_fixes_of_a_file_are_one_diff(tmp_path: Path) -> None:
    new_import = Edit(1, (), ("import re\n",))
    text, left = together(tmp_path, found(new_import, replaced(9, "y")), found(new_import, replaced(5, "z", "zz")))
    assert not left
    assert text == "import re\n" + "".join(LINES).replace("x5 = 5", "z\nzz").replace("x9 = 9", "y")


def test_of_overlapping_fixes_the_first_stays_and_none_is_made_by_half(tmp_path: Path) -> None:
    second = found(replaced(3, "no"), Edit(8, (LINES[7], LINES[8]), ("no\n",)))
    text, left = together(tmp_path, found(replaced(9, "y")), second, found(replaced(3, "z")), found(replaced(9, "w")))
    assert left == [("overlap", 3), ("overlap", 9)]
    assert text == "".join(LINES).replace("x3 = 3", "z").replace("x9 = 9", "y")


def test_the_same_finding_of_two_items_counts_once(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("".join(LINES))
    result = ProbeResult("p", Kind.STATIC, Status.DONE, Verdict.PROBLEM, [found(replaced(3, "z"))])
    patch = collect(tmp_path, [result, result])
    assert (patch.mended, patch.files, patch.left) == (1, 1, [])


@pytest.mark.parametrize(
    ("diff", "path"),
    [
        ("no diff", "a.py"),
        (unified("c.py", LINES, [replaced(1, "y")]), "c.py"),
        (unified("../a.py", LINES, [replaced(1, "y")]), "../a.py"),
        (unified("/etc/passwd", LINES, [replaced(1, "y")]), "/etc/passwd"),
        (unified("a.py", ["other\n"], [Edit(1, ("other\n",), ("y\n",))]), "a.py"),
        (unified("a.py", LINES * 2, [Edit(30, (LINES[9],), ("y\n",))]), "a.py"),
    ],
)
def test_a_diff_that_does_not_fit_is_left_out(diff: str, path: str, tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    text, left = together(tmp_path / "inner", found(replaced(1, "y"), path=path, diff=diff), found(replaced(2, "z")))
    assert left == [("misfit", 1)]
    assert text == "".join(LINES).replace("x2 = 2", "z")


def test_what_has_no_diff_may_be_meant_or_only_tells(tmp_path: Path) -> None:
    by_hand = Finding("bad", Level.SUSPECT, Where(path="a.py", line=1), fix=Fix("fix"), sure=Sure.LIKELY)
    bare = Finding("bad", Level.PROBLEM, Where(path="a.py", line=2))
    meant = found(replaced(3, "y"), level=Level.SUSPECT, sure=Sure.POSSIBLE)
    telling = found(replaced(4, "y"), level=Level.INFO)
    text, left = together(tmp_path, by_hand, bare, meant, telling)
    assert left == [("by-hand", 1), ("by-hand", 2), ("meant", 3)]
    assert text == "".join(LINES)


@needs_git
def test_bytes_of_another_encoding_between_two_fixes(tmp_path: Path) -> None:
    """Joined hunks may hold lines that neither diff holds: they go through as they are."""
    lines = ["# coding: gbk\n", "x = 1\n", "a\n", "b\n", "# 训练\n", "c\n", "d\n", "y = 1\n"]
    (tmp_path / "a.py").write_bytes("".join(lines).encode("gbk"))
    ascii_only = [line if line.isascii() else "?\n" for line in lines]
    edits = [Edit(2, ("x = 1\n",), ("x = 2\n",)), Edit(8, ("y = 1\n",), ("y = 2\n",))]
    results = [
        ProbeResult(
            "p", Kind.STATIC, Status.DONE, Verdict.PROBLEM, [found(edit, diff=unified("a.py", ascii_only, [edit]))]
        )
        for edit in edits
    ]
    patch = collect(tmp_path, results)
    assert patch.mended == 2
    apply(tmp_path, patch.text)
    assert (tmp_path / "a.py").read_bytes() == "".join(lines).replace("= 1", "= 2").encode("gbk")


def test_what_is_left_says_where(tmp_path: Path) -> None:
    result = ProbeResult("p", Kind.STATIC, Status.DONE, Verdict.PROBLEM, [Finding("bad", Level.PROBLEM)])
    assert collect(tmp_path, [result]).left == [UnfixedFinding("p", result.findings[0], "by-hand")]


# --- the command --------------------------------------------------------------------------------------------------------

TRAIN = """import mindspore as ms
import mindspore.dataset as ds

# 训练数据
first = ds.ImageFolderDataset("first", shuffle=False)
second = ds.MindDataset("second", shuffle=False)
ms.Model(net).train(10, first.batch(32))
ms.Model(net).train(10, second.batch(32))
"""
MENDED = TRAIN.replace("shuffle=False", "shuffle=True")


def project(folder: Path, content: str | bytes = TRAIN, name: str = "train.py") -> Path:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    (folder / "accucheck.yaml").write_text(f"name: p\nscripts: {{train: {name}}}\n")
    return folder


def fix(folder: Path, *arguments: str, lang: str = "en") -> Ran:
    return accucheck("fix", str(folder), "--lang", lang, "--item", "dp.03", *arguments)


def tree(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


@pytest.mark.part(40)
@needs_git
@pytest.mark.parametrize("tool", [("git", "apply"), ("patch", "-p1", "--binary", "--no-backup-if-mismatch")])
@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (TRAIN.encode(), MENDED.encode()),
        (TRAIN[:-1].encode(), MENDED[:-1].encode()),
        (TRAIN.replace("\n", "\r\n").encode(), MENDED.replace("\n", "\r\n").encode()),
        (b"\xef\xbb\xbf" + TRAIN.encode(), b"\xef\xbb\xbf" + MENDED.encode()),
    ],
)
def test_the_patch_applies(tool: tuple[str, ...], content: bytes, expected: bytes, tmp_path: Path) -> None:
    if shutil.which(tool[0]) is None:
        pytest.skip(f"{tool[0]} is missing")
    folder = project(tmp_path / "p", content)
    before = tree(folder)
    ran = fix(folder)
    assert ran.code == 0, ran
    assert tree(folder) == before, "it edits nothing and leaves nothing behind"
    assert "fixes: 2 (files: 1)" in ran.err
    apply(folder, ran.stdout, tool)
    assert (folder / "train.py").read_bytes() == expected
    ast.parse(expected)
    again = fix(folder)
    assert (again.code, again.stdout) == (0, b"") and "nothing to fix" in again.err


@needs_git
def test_the_patch_applies_in_a_folder_of_a_repository(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    folder = project(tmp_path / "sub dir", name="src/数据 train.py")
    ran = fix(folder)
    apply(folder, ran.stdout)
    assert (folder / "src/数据 train.py").read_text() == MENDED


def test_findings_without_a_diff_are_named(tmp_path: Path) -> None:
    text = TRAIN.replace('"second", shuffle=False', '"second", sampler=ds.SequentialSampler()')
    ran = fix(project(tmp_path, text))
    assert ran.code == 1, "a problem is left"
    assert ran.out.count("@@ -") == 1 and "train.py:6: MindDataset" in ran.err and "→ Use RandomSampler" in ran.err
    assert "fixed by hand" in ran.err and "  problem  train.py:6" in ran.err and "train.py:6" not in ran.out
    ran = fix(tmp_path, lang="zh")
    assert "需人工处理" in ran.err and "→ 改用 RandomSampler" in ran.err


def test_nothing_to_mend(tmp_path: Path) -> None:
    ran = fix(project(tmp_path, MENDED))
    assert (ran.code, ran.stdout) == (0, b"") and "nothing to fix was found" in ran.err


def test_what_was_not_examined_is_no_success_in_words(tmp_path: Path) -> None:
    ran = fix(project(tmp_path, "import mindspore.dataset as ds\nprint 'two'\n"))
    assert (ran.code, ran.stdout) == (0, b"") and "could not be decided; accucheck run lists them" in ran.err
    (tmp_path / "accucheck.yaml").write_text("name: p\n")
    ran = fix(tmp_path)
    assert (ran.code, ran.stdout) == (0, b"") and "scripts.train" in ran.err and "nothing to fix" not in ran.err
    ran = accucheck("fix", str(tmp_path), "--item", "ds.02", "--lang", "en")
    assert (ran.code, ran.stdout) == (0, b"") and "no static probe" in ran.err


def test_on_a_terminal_the_patch_holds_nothing_that_it_would_obey(tmp_path: Path) -> None:
    folder = project(tmp_path, TRAIN.replace("shuffle=False)", "shuffle=False)  # \x1b[2J\u202e"))
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "accucheck", "fix", str(folder), "--item", "dp.03"]
    done = subprocess.run(command, stdout=theirs, stderr=subprocess.PIPE, timeout=60)
    os.close(theirs)
    shown = os.read(ours, 1 << 16).decode()
    os.close(ours)
    assert done.returncode == 0
    assert "shuffle=True)  # \\x1b[2J\\u202e" in shown and "\x1b" not in shown and "\u202e" not in shown
    assert b"\x1b[2J" in fix(folder).stdout, "a program gets the bytes"


def test_what_a_person_concluded_is_left_alone(tmp_path: Path) -> None:
    folder = project(tmp_path)
    assert accucheck("answer", "dp.03", "ok", "--project", str(folder)).code == 0
    ran = accucheck("fix", str(folder), "--lang", "en")
    assert "shuffle" not in ran.out and "dp.03 (--item" in ran.err
    assert "shuffle=True" in fix(folder).out, "asked for by name"
    accucheck("answer", "dp.03", "problem", "--project", str(folder))
    assert "shuffle=True" in accucheck("fix", str(folder), "--lang", "en").out


def test_scripts_and_settings_of_the_command_line(tmp_path: Path) -> None:
    folder = project(tmp_path)
    (folder / "accucheck.yaml").unlink()
    assert b"shuffle=True" in fix(folder, "--script", "train.py").stdout
    assert b"shuffle=True" in fix(folder, "--set", "scripts.train=train.py").stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["no/such/folder"], "does not exist"),
        ([".", "--item", "nope"], "nope"),
        ([".", "--checklist", "no-such"], "no-such"),
        ([".", "--script", "no.py"], "no.py"),
        ([".", "--nonsense"], "--nonsense"),
    ],
)
def test_wrong_use(arguments: list[str], said: str, tmp_path: Path) -> None:
    ran = accucheck("fix", *arguments, "--lang", "en", cwd=tmp_path)
    assert (ran.code, ran.stdout) == (2, b"") and said in ran.err and "Traceback" not in ran.err


@needs_git
@pytest.mark.parametrize("repository", [False, True])
@pytest.mark.parametrize("here", [False, True])
def test_the_command_that_applies_the_patch_can_be_pasted(tmp_path: Path, repository: bool, here: bool) -> None:
    root = copy_example("digits_faulty", tmp_path)
    if repository:
        subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    place = root if here else tmp_path
    ran = accucheck("fix", *([] if here else [root]), "--item", "dp.03", "--lang", "en", cwd=place)
    command = ran.err.partition("apply it: ")[2].partition("\n")[0]
    program, _, rest = command.partition(" ")
    assert program == "accucheck" and ("git" in rest.partition("|")[2].split()) is repository, ran
    done = subprocess.run(
        f"{sys.executable} -m accucheck {rest}", shell=True, cwd=place, capture_output=True, text=True
    )
    assert done.returncode == 0, done
    assert "shuffle=True" in (root / "dataset.py").read_text()
