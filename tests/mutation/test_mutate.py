"""What is a rule and what is not, and that the stored result is of modules that are there. Runs no mutant of the probes."""

import json
from pathlib import Path

import pytest
import yaml

from accucheck import probe

HERE = Path(__file__).resolve().parent
RULES = yaml.safe_load((HERE / "rules.yaml").read_text(encoding="utf-8"))
SOURCE = """
from __future__ import annotations
_LEAST, _ROWS = 0.5, 200
_FEWEST = 5

class Params:
    most: float = 0.1

def run(case, params):
    share, count = measured(case)
    if count % 64 == 0:
        yield Progress(count, 64, "rows")
    if count < _ROWS:
        count = 0
    if count < _FEWEST:
        yield Finding("few", Level.INFO, Where(line=1 + 1), data={"share": share / 2}, incomplete=True)
    elif _much(share, params):
        yield Finding("much", Level.PROBLEM, f"{count > 1}", _table(count + 1))

def _much(share: float | None, params):
    return share is not None and share > params.most

def _table(rows):
    return rows * 2

def _example(n):
    return n + 1
"""


def test_the_modules_of_the_rules_and_of_the_result_are_there() -> None:
    known = {*probe.names(), *RULES["shared"]}
    assert {*RULES["tests"], *RULES["also_not_rules"], *RULES["equivalent"]} <= known
    assert all((HERE.parent / name).is_file() for names in RULES["tests"].values() for name in names)
    assert set(json.loads((HERE / "results.json").read_text(encoding="utf-8"))["modules"]) <= known


def test_what_makes_no_difference_stands_in_the_source() -> None:
    for module, listed in RULES["equivalent"].items():
        lines = (HERE.parents[1] / "src/accucheck/probes" / f"{module}.py").read_text(encoding="utf-8").splitlines()
        for each in listed:
            assert each["line"] in {line.strip() for line in lines} and each["becomes"] != each["line"] and each["why"]


def test_rules_are_changed_and_words_are_not() -> None:
    pytest.importorskip("cosmic_ray")
    from mutate import change, mutants_of, mutate_code, operator

    found = {
        change(SOURCE, mutate_code(SOURCE, operator(one.operator), one.occurrence))
        for one in mutants_of(SOURCE, "x", RULES)
    }
    changed = {before for before, _ in found}
    assert ("_FEWEST = 5", "_FEWEST = 6") in found
    assert ("if count < _FEWEST:", "if count <= _FEWEST:") in found
    assert any("Level.SUSPECT" in after and "much" in after for _, after in found)
    assert any("incomplete=False" in after for _, after in found)
    assert any(after.endswith("share >= params.most") for _, after in found)
    assert any(" or share > " in after for _, after in found)
    assert not changed & {"most: float = 0.1", "return rows * 2", "return n + 1", "_LEAST, _ROWS = 0.5, 200"}
    assert not any("1 - 1" in after or "share * 2" in after or "count >= 1" in after for _, after in found)
