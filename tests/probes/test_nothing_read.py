"""A probe of files that read nothing never says that nothing is wrong."""

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import polars as pl
import pytest

from accucheck import probe
from accucheck.case import Case, CaseFile
from accucheck.errors import UserError
from accucheck.model import Finding, Kind, Verdict, suggest


def folder(root: Path) -> str:
    (root / "held").mkdir()
    return "held"


def header(root: Path) -> str:
    (root / "held.csv").write_text("x,label\n")
    return "held.csv"


def no_rows(root: Path) -> str:
    pl.DataFrame({"x": [], "label": []}, schema={"x": pl.Float64, "label": pl.Int64}).write_parquet(
        root / "held.parquet"
    )
    return "held.parquet"


def no_fields(root: Path) -> str:
    (root / "held.jsonl").write_text("{}\n{}\n")
    return "held.jsonl"


def no_elements(root: Path) -> str:
    np.save(root / "held.npy", np.zeros((0, 4), np.float32))
    return "held.npy"


def no_arrays(root: Path) -> str:
    with zipfile.ZipFile(root / "held.npz", "w"):
        pass
    return "held.npz"


def no_bytes(root: Path) -> str:
    (root / "held.tfrecord").write_bytes(b"")
    return "held.tfrecord"


def blank(root: Path) -> str:
    (root / "held.log").write_text("\n\n")
    return "held.log"


def no_tensors(root: Path) -> str:
    (root / "held.safetensors").write_bytes((2).to_bytes(8, "little") + b"{}")
    return "held.safetensors"


INPUTS = [folder, header, no_rows, no_fields, no_elements, no_arrays, no_bytes, blank, no_tensors]


def case_of(root: Path, module: Any, held: str) -> Case | None:
    """A case that gives the input for each path that the probe needs; None where it needs something else."""
    spec: dict[str, Any] = {}
    for need in (*module.NEEDS, *getattr(module, "USES", ())):
        key = need if isinstance(need, str) else need[0]
        *sections, last = key.split(".")
        place = spec
        for section in sections:
            place = place.setdefault(section, {})
        place[last] = held
    for role in ("train", "eval"):
        if role in spec.get("data", {}):
            spec["data"][role].setdefault("label", "label")
    try:
        return Case(root=str(root), spec=msgspec.convert(spec, CaseFile))
    except msgspec.ValidationError:
        return None


#: Those that need paths, and nothing that a path cannot stand for.
NAMES = [
    name
    for name in probe.names()
    if probe.load(name).KIND is Kind.FILE and case_of(Path(), probe.load(name), "held") is not None
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("make", INPUTS, ids=lambda make: make.__name__)
def test_nothing_read_is_never_ok(tmp_path: Path, name: str, make: Callable[[Path], str]) -> None:
    module = probe.load(name)
    case = case_of(tmp_path, module, make(tmp_path))
    assert case is not None
    try:
        found = [event for event in module.run(case, module.Params()) if isinstance(event, Finding)]
    except (probe.Skip, UserError):
        return
    verdict = getattr(module, "suggest", suggest)(found)
    assert verdict in (Verdict.PROBLEM, Verdict.UNDECIDED), [finding.code for finding in found]


def test_a_file_without_values_beside_one_with_values_leaves_it_open(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "whole.csv").write_text("x\n" + "1\n2\n" * 20)
    (tmp_path / "data" / "none.csv").write_text("x\n")
    module = probe.load("missing_values")
    case = Case(root=str(tmp_path), spec=msgspec.convert({"data": {"train": {"path": "data"}}}, CaseFile))
    found = [event for event in module.run(case, module.Params()) if isinstance(event, Finding)]
    (told,) = (finding for finding in found if finding.code == "nothing-in-files")
    assert told.incomplete and told.where.path == "data/none.csv" and told.data["count"] == 1
    assert suggest(found) is Verdict.UNDECIDED
    (tmp_path / "data" / "none.csv").unlink()
    assert suggest([event for event in module.run(case, module.Params()) if isinstance(event, Finding)]) is Verdict.OK
