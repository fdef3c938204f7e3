"""Which part of the long families runs: PARTS in succession run every case, and the commit chooses."""

import shutil
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest

pytest_plugins = "pytester"

FAMILIES = """
import pytest

@pytest.mark.part(3)
@pytest.mark.parametrize("n", range(7))
def test_three(n): pass

@pytest.mark.part(40)
@pytest.mark.parametrize("n", range(4))
def test_forty(n): pass

@pytest.mark.parametrize("n", [pytest.param(n, marks=pytest.mark.part(4) if n % 2 else ()) for n in range(9)])
def test_some(n): pass

def test_short(): pass
"""
MODULE = "import pytest\npytestmark = pytest.mark.part(5)\n" + "".join(f"def test_{n}(): pass\n" for n in range(6))


@pytest.fixture
def families(pytester: pytest.Pytester) -> pytest.Pytester:
    for name in ("conftest", "made_once"):
        pytester.makepyfile(**{name: (Path(__file__).parent / f"{name}.py").read_text(encoding="utf-8")})
    pytester.makeini("[pytest]\nmarkers =\n    part(n): so many parts\n    mindspore: needs it\n")
    pytester.makepyfile(test_families=FAMILIES, test_module=MODULE)
    return pytester


def ran(families: pytest.Pytester, *options: str) -> list[str]:
    """The names of the tests that passed; none may do else."""
    passed, skipped, failed = families.inline_run("-p", "no:cacheprovider", *options).listoutcomes()
    assert not skipped and not failed
    return [report.nodeid for report in passed]


def test_all_parts_in_succession_run_every_case_and_each_only_its_share(families: pytest.Pytester) -> None:
    everything = ran(families, "--whole")
    assert len(everything) == 7 + 4 + 9 + 1 + 6
    parts = [ran(families, f"--part={number}") for number in range(897, 937)]
    assert set().union(*parts) == set(everything)
    counts = Counter(name for part in parts for name in part)
    assert counts["test_families.py::test_short"] == 40 and counts["test_families.py::test_some[4]"] == 40
    assert all(len([name for name in part if "test_three" in name]) in (2, 3) for part in parts)
    assert [len([name for name in part if "test_module" in name]) for part in parts].count(1) == 32
    assert all(1 <= counts[name] <= 14 for name in everything if "test_three" in name or "module" in name)
    assert all(counts[f"test_families.py::test_forty[{n}]"] == 1 for n in range(4))


def test_a_part_is_the_same_each_time_and_is_told(families: pytest.Pytester) -> None:
    first, again = (families.runpytest_inprocess("-q", "--part=43", "-p", "no:cacheprovider") for _ in range(2))
    assert first.parseoutcomes() == again.parseoutcomes()
    first.stdout.fnmatch_lines(["part 3 of 40 of the long families*"])
    families.runpytest_inprocess("-q", "--whole", "-p", "no:cacheprovider").stdout.fnmatch_lines(["every case"])


def test_what_is_named_runs_whichever_part_it_belongs_to(families: pytest.Pytester) -> None:
    assert len(ran(families, "--part=1", "test_families.py::test_three")) == 7
    assert len(ran(families, "--part=1", "test_families.py")) < 21


@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
def test_the_commit_chooses_by_its_place_on_the_first_parent_line(families: pytest.Pytester) -> None:
    def git(*words: str, cwd: Path = families.path) -> None:
        given = ["-c", "user.name=a", "-c", "user.email=a@b", *words]
        subprocess.run(["git", *given], cwd=cwd, check=True, capture_output=True, timeout=60)

    def part(folder: Path) -> str:
        result = families.runpytest_subprocess("-q", "--collect-only", "-p", "no:cacheprovider", folder)
        return next(line for line in result.outlines if line.startswith("part "))

    git("init", "-b", "main")
    git("add", ".")
    for number in range(3):
        git("commit", "--allow-empty", "-m", f"main {number}")
    git("checkout", "-b", "side")
    for number in range(4):
        git("commit", "--allow-empty", "-m", f"side {number}")
    git("checkout", "main")
    git("merge", "--no-ff", "side")
    assert part(families.path).startswith("part 4 of 40 ")
    git("commit", "--allow-empty", "-m", "main 5")
    assert part(families.path).startswith("part 5 of 40 ")
    git("clone", "--depth", "1", families.path.as_uri(), "shallow")
    day = int(time.time()) // 86400
    assert part(families.path / "shallow").startswith(f"part {day % 40 or 40} of 40 ")
