"""The mend of a finding: written with a copy kept, undone, refused where the file is another; and what a second run proves."""

import os
import stat

import pytest

from accucheck import mending
from accucheck.errors import UserError
from accucheck.language import Language
from accucheck.model import Finding, Fix, Kind, Level, ProbeResult, Status, Verdict, Where
from accucheck.script.patch import Edit, split, unified

TEXT = b"\xef\xbb\xbfimport x\r\nlr = 1\r\n# \xff\r\nlast"


@pytest.fixture
def project(tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "train.py").write_bytes(TEXT)
    (tmp_path / "src" / "train.py").chmod(0o754)
    return tmp_path


def finding(*edits, path="src/train.py", content=TEXT):
    lines = split(content.decode("utf-8", "surrogateescape"))
    diff = unified(path, lines, edits)
    return Finding("wrong", Level.PROBLEM, Where(path, 2), fix=Fix("mend", diff))


MENDED = finding(Edit(2, ("lr = 1\r\n",), ("lr = 0.1\r\n", "wd = 0\r\n")), Edit(4, ("last",), ("end",)))


def test_a_mend_is_written_whole_with_mode_and_line_ends_kept(project):
    mend = mending.prepare(project, MENDED)
    kept = mending.apply(mend)
    file = project / "src" / "train.py"
    assert file.read_bytes() == b"\xef\xbb\xbfimport x\r\nlr = 0.1\r\nwd = 0\r\n# \xff\r\nend"
    assert stat.S_IMODE(file.stat().st_mode) == 0o754
    assert kept.read_bytes() == TEXT and kept.is_relative_to(project / ".accucheck" / "backups")
    mending.undo(mend)
    assert file.read_bytes() == TEXT and stat.S_IMODE(file.stat().st_mode) == 0o754
    assert mending.apply(mending.prepare(project, MENDED)) != kept  # of the same second, perhaps
    assert sorted(path.name for path in (project / "src").iterdir()) == ["train.py"]


def test_git_would_write_the_same(project):
    import shutil
    import subprocess

    if shutil.which("git") is None:
        pytest.skip("git is missing")
    mend = mending.prepare(project, MENDED)
    diff = MENDED.fix.diff.encode("utf-8", "surrogateescape")
    subprocess.run(["git", "apply"], cwd=project, input=diff, check=True)
    assert mend.file.read_bytes() == mend.after


def code(action, *arguments):
    with pytest.raises(UserError) as caught:
        action(*arguments)
    assert all(caught.value.text(language) != caught.value.code for language in Language)
    return caught.value.code


def test_what_is_not_the_file_of_the_diff_is_left_alone(project):
    mend = mending.prepare(project, MENDED)
    file = project / "src" / "train.py"
    file.write_bytes(TEXT + b"\n")
    assert code(mending.apply, mend) == "mend-changed"
    assert file.read_bytes() == TEXT + b"\n" and not (project / ".accucheck").exists()
    assert code(mending.prepare, project, MENDED) == "mend-misfit"
    file.write_bytes(TEXT)
    mending.apply(mend)
    file.write_bytes(b"mine")
    assert code(mending.undo, mend) == "mend-undo-changed"
    assert file.read_bytes() == b"mine"
    file.unlink()
    assert code(mending.prepare, project, MENDED) == "not-found"


def test_nothing_outside_of_the_project_is_written(project, tmp_path_factory):
    other = tmp_path_factory.mktemp("other") / "train.py"
    other.write_bytes(TEXT)
    (project / "link.py").symlink_to(other)
    (project / "far").symlink_to(other.parent)
    edit = Edit(2, ("lr = 1\r\n",), ("lr = 2\r\n",))
    for path in ("link.py", "far/train.py", f"../{other.parent.name}/train.py", "src/../src/train.py", "src"):
        assert code(mending.prepare, project, finding(edit, path=path)) in ("mend-outside", "not-found"), path
    absolute = finding(edit, path=str(other))
    assert code(mending.prepare, project, absolute) in ("mend-outside", "mend-none", "not-found")
    assert other.read_bytes() == TEXT


def test_findings_without_a_change_say_so(project):
    for fix in (None, Fix("words"), Fix("words", "no diff"), Fix("words", "--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n")):
        assert code(mending.prepare, project, Finding("wrong", Level.PROBLEM, fix=fix)) == "mend-none"
    long = finding(Edit(2, ("lr = 1\r\n",), ("x" * mending.MOST,)))
    assert code(mending.prepare, project, long) == "mend-long"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anything")
def test_a_file_that_may_not_be_written_stays(project):
    (project / "src" / "train.py").chmod(0o444)
    assert code(mending.apply, mending.prepare(project, MENDED)) == "no-permission"


def result(*findings, verdict=Verdict.PROBLEM):
    return ProbeResult("fake", Kind.STATIC, Status.DONE, verdict, list(findings))


def test_a_second_run_proves_what_is_gone():
    first = Finding("wrong", Level.PROBLEM, Where("train.py", 3), {"name": "lr"})
    moved = Finding("wrong", Level.PROBLEM, Where("train.py", 9), {"name": "lr"})
    second = Finding("other", Level.SUSPECT, Where("eval.py", 1))
    told = Finding("info", Level.INFO)
    assert mending.proof("xx.01", result(first, second, told), result(moved, told)) == (1, 1, 0)
    assert mending.proof("xx.01", result(first), result(verdict=Verdict.OK)) == (1, 0, 0)
    assert mending.proof("xx.01", result(), result(second)) == (0, 0, 1)
