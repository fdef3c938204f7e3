"""ARCHITECTURE.md says what is so: files, modules and layers."""

import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
SOURCE = ROOT / "src" / "accucheck"
#: Files of the user's project, not of this one.
OF_A_PROJECT = {"accucheck.yaml", ".accucheck/session.json", ".accucheck/labels.json"}


def block(after: str) -> str:
    return PAGE.split(after, 1)[1].split("```text\n", 1)[1].split("```", 1)[0]


def test_every_file_it_names_is_there() -> None:
    tops = [top for top in ROOT.iterdir() if not top.name.startswith(".")]
    listed = [path.relative_to(ROOT).as_posix() for top in tops for path in (top, *top.rglob("*")) if path.is_file()]
    named = set(re.findall(r"[\w./-]*\w\.(?:py|json|yaml|md|html|toml)\b", PAGE)) - OF_A_PROJECT
    assert len(named) > 50
    lost = [name for name in named if not any(f"/{path}".endswith(f"/{name}") for path in listed)]
    assert not lost


def test_every_module_and_folder_of_the_source_has_a_line() -> None:
    tree = block("## The tree")
    here = [path.name for path in SOURCE.glob("*.py") if not path.name.startswith("__")]
    here += [f"{path.name}/" for path in SOURCE.iterdir() if path.is_dir() and (path / "__init__.py").is_file()]
    assert not [name for name in here if name not in tree]


def test_every_module_that_reads_scripts_has_its_storey() -> None:
    told = PAGE.split("| Storey |", 1)[1].split("- A value is an object", 1)[0]
    modules = {path.stem for path in (SOURCE / "script").glob("[a-z]*.py")}
    assert set(re.findall(r"`([a-z_]+)`", told)) - {"migration"} == modules


def test_its_layers_are_those_that_are_checked() -> None:
    told = [re.findall(r"\w+", line.split("(")[0]) for line in block("## Who may import whom").strip().splitlines()]
    contract = (ROOT / "pyproject.toml").read_text("utf-8").split("layers = [", 1)[1].split("\n]", 1)[0]
    assert told == [re.findall(r"accucheck\.(\w+)", line) for line in contract.strip().splitlines()]


def test_no_two_modules_of_tests_have_one_name() -> None:
    """pytest imports them by their names alone, and collects nothing where two are called the same."""
    count = Counter(path.name for path in (ROOT / "tests").rglob("test_*.py"))
    assert not [name for name, times in count.items() if times > 1]
