"""docs/security.md keeps its word: the tests that it names are there, and each dependency has its row."""

import re
from pathlib import Path

try:
    import tomllib
except ImportError:  # Python 3.10
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")


def rows(heading: str) -> list[list[str]]:
    """The cells of the table below a heading."""
    part = PAGE.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    lines = [line for line in part.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


def test_each_threat_names_tests_that_exist() -> None:
    there = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^(?:async )?def (test_\w+)", path.read_text(encoding="utf-8"), re.M)
    }
    threats = rows("What is promised, and the test that proves it")
    assert len(threats) > 20
    for threat, promise, tests in threats:
        named = re.findall(r"`(test_\w+)`", tests)
        assert promise and named, threat
        assert not set(named) - there, threat


def test_each_security_test_is_named() -> None:
    own = {
        name
        for path in Path(__file__).parent.glob("test_*.py")
        if path != Path(__file__)
        for name in re.findall(r"^(?:async )?def (test_\w+)", path.read_text(encoding="utf-8"), re.M)
    }
    assert len(own & set(re.findall(r"`(test_\w+)`", PAGE))) > len(own) / 2


def test_each_dependency_has_a_row() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [
        *project["dependencies"],
        *(each for name, listed in extras.items() if name not in ("dev", "fuzz", "mutation") for each in listed),
    ]
    names = {re.match(r"[\w-]+", each)[0].lower() for each in wanted}
    told = {package: reasons for package, *reasons in rows("Dependencies")}
    assert set(told) == names
    assert all(all(reasons) for reasons in told.values())


def test_every_range_of_what_is_installed_with_it_has_a_lower_bound() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert not [each for each in project["dependencies"] if ">=" not in each]


def test_the_page_is_linked() -> None:
    for page in ("README.md", "README.zh.md"):
        assert "docs/security.md" in (ROOT / page).read_text(encoding="utf-8")
    for page in ("docs/README.md", "docs/README.zh.md"):
        assert "](security.md)" in (ROOT / page).read_text(encoding="utf-8")
