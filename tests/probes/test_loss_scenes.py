"""Losses against those of a benchmark, scene by scene; what is told of each stands in loss_scenes.json, which
`PYTHONPATH=tests python tests/probes/test_loss_scenes.py` writes again."""

import json
import math
import tempfile
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from accucheck.case import Case, CaseFile
from accucheck.probes import _curve_pairs, loss_comparison
from example_findings import as_kept
from findings import found_by

KEPT = Path(__file__).with_name("loss_scenes.json")
Array = np.ndarray[Any, Any]


def falling(count: int = 40, seed: int = 0) -> Array:
    ups_and_downs = np.random.default_rng(seed).standard_normal(count)
    return np.exp(-np.arange(count) / 20) * (1 + 0.1 * ups_and_downs)


def apart(values: Array, at: int, share: float, end: int | None = None) -> Array:
    """With a difference of a share, from a place on or between two."""
    changed = values.copy()
    changed[at:end] *= 1 + share
    return changed


def grow(values: Array, rate: float, share: float = 1e-7) -> Array:
    """With a difference that grows step by step, as rounding does."""
    return values * (1 + share * rate ** np.arange(len(values)))


def put(values: Array, at: Any, value: float) -> Array:
    changed = values.copy()
    changed[at] = value
    return changed


def side(values: Array, **more: Any) -> dict[str, Any]:
    """One log: its losses, and `start`, `digits`, `norms`, `rates` and `name` of the steps, where not as usual."""
    return {"values": values, **more}


def write(
    path: Path,
    values: Array,
    start: int = 1,
    digits: int = 9,
    norms: Array | None = None,
    rates: Array | None = None,
    name: str = "step",
) -> None:
    columns = {"loss": values, "grad_norm": norms, "lr": rates}
    given = {key: column for key, column in columns.items() if column is not None}
    rows = [
        f"{at + start},{','.join(f'{column[at]:.{digits}g}' for column in given.values())}" for at in range(len(values))
    ]
    path.write_text("\n".join([",".join([name, *given]), *rows]) + "\n")


V = falling()
SCENES: dict[str, tuple[dict[str, Any], ...]] = {
    "equal": (side(V), side(V)),
    "the first loss 1 % off, all else equal": (side(put(V, 0, V[0] * 1.01)), side(V)),
    "all 1 % off": (side(V * 1.01), side(V)),
    "from the second on": (side(apart(V, 1, 0.01)), side(V)),
    "from the third on": (side(apart(V, 2, 0.01)), side(V)),
    "from the 20th on": (side(apart(V, 20, 0.01)), side(V)),
    "from the 20th on, by 0.2": (side(apart(V, 20, 0.2)), side(V)),
    "the last three": (side(apart(V, 37, 0.01)), side(V)),
    "the last two": (side(apart(V, 38, 0.01)), side(V)),
    "the last": (side(apart(V, 39, 0.01)), side(V)),
    "slightly from the first on": (side(V * (1 + 2e-5)), side(V)),
    "slightly from the second on": (side(apart(V, 1, 2e-5)), side(V)),
    "slightly from the tenth on, which rounding may do": (side(apart(V, 9, 2e-5)), side(V)),
    "slightly from the eleventh on": (side(apart(V, 10, 2e-5)), side(V)),
    "slightly from the 20th on": (side(apart(V, 20, 2e-5)), side(V)),
    "slightly, then visibly": (side(apart(V * (1 + 2e-5), 10, 0.01)), side(V)),
    "one point": (side(put(V, 20, V[20] * 1.1)), side(V)),
    "two points": (side(put(put(V, 20, V[20] * 1.1), 30, V[30] * 0.9)), side(V)),
    "grows": (side(grow(V, 1.4)), side(V)),
    "grows late": (side(grow(falling(80), 1.2)), side(falling(80))),
    "shifted": (side(V[1:]), side(V[:-1])),
    "shifted back": (side(V[:-1]), side(V[1:])),
    "other batches": (side(falling(60, 1)), side(falling(60, 2))),
    "other batches later": (side(np.r_[falling(60, 1)[:10], falling(60, 2)[10:]]), side(falling(60, 1))),
    "nan here": (side(put(V, slice(20, None), math.nan)), side(V)),
    "nan there": (side(V), side(put(V, slice(20, None), math.nan))),
    "nan here, later there": (side(put(V, slice(20, None), math.nan)), side(put(V, slice(25, None), math.nan))),
    "nan there, later here": (side(put(V, slice(25, None), math.nan)), side(put(V, slice(20, None), math.nan))),
    "nan in both": (side(put(V, slice(20, None), math.nan)), side(put(V, slice(20, None), math.nan))),
    "apart, then nan here": (side(put(apart(V, 5, 0.1), slice(20, None), math.nan)), side(V)),
    "apart, then nan there": (side(apart(V, 5, 0.1)), side(put(V, slice(20, None), math.nan))),
    "apart, then nan in both": (
        side(put(apart(V, 5, 0.1), slice(20, None), math.nan)),
        side(put(V, slice(22, None), math.nan)),
    ),
    "apart where nan begins": (side(put(apart(V, 20, 0.1), 20, math.nan)), side(V)),
    "from step 5 on logged, apart": (side(V * 1.01, start=5), side(V, start=5)),
    "from step 5 on logged, second apart": (side(apart(V, 1, 0.01), start=5), side(V, start=5)),
    "from step 5 on logged, slight": (side(V * (1 + 2e-5), start=5), side(V, start=5)),
    "three digits": (side(V, digits=3), side(V * 1.0001, digits=3)),
    "three digits, apart from the second on": (side(apart(V, 1, 0.02), digits=3), side(V, digits=3)),
    "three digits, far apart from the second on": (side(apart(V, 1, 0.9), digits=3), side(V, digits=3)),
    "counts from 0 there": (side(V), side(V, start=0)),
    "counts from 0 there, shifted": (side(V), side(V[1:], start=0)),
    "partial": (side(V[:30]), side(V)),
    "no overlap": (side(V[:10]), side(V[:10], start=100)),
    "one common point": (side(V[:10]), side(V[:10], start=10)),
    "norms agree, second differs": (side(apart(V, 1, 0.01), norms=V + 1), side(V, norms=V + 1)),
    "norms differ at first, second differs": (side(apart(V, 1, 0.01), norms=put(V + 1, 0, 9.0)), side(V, norms=V + 1)),
    "norms differ at first only": (side(V, norms=put(V + 1, 0, 9.0)), side(V, norms=V + 1)),
    "norms differ later": (side(V, norms=V * 1.2 + 1), side(V, norms=put(V + 1, 0, V[0] * 1.2 + 1))),
    "norms differ by 0.05": (side(V, norms=(V + 1) * 1.05), side(V, norms=V + 1)),
    "rates differ": (side(V, rates=np.full(40, 0.1)), side(V, rates=np.r_[np.full(20, 0.1), np.full(20, 0.01)])),
    "rates agree": (side(V, rates=np.full(40, 0.1)), side(V, rates=np.full(40, 0.1))),
    "noisy benchmark": (side(V * 1.01), side(V), side(V * 1.02)),
    "noisy benchmark, more than noise": (side(V * 1.2), side(V), side(V * 1.02)),
    "slight noise": (side(V * 1.01), side(V), side(V * 1.0005)),
    "apart, by epochs": (side(apart(V, 2, 0.01), name="epoch"), side(V, name="epoch")),
    "different in the middle for ten": (side(apart(V, 10, 0.01, 20)), side(V)),
    "ends near": (side(grow(V, 1.4, 1e-9)), side(V)),
    "short": (side(V[:3] * 1.01), side(V[:3])),
    "two points, second apart": (side(apart(V[:2], 1, 0.01)), side(V[:2])),
}


def case_of(scene: tuple[dict[str, Any], ...], folder: Path, **runtime: Any) -> Case:
    names = ("ours.csv", "theirs.csv", "again.csv")[: len(scene)]
    for name, log in zip(names, scene, strict=True):
        write(folder / name, **log)
    reference = {"path": "theirs.csv"} | ({"rerun": "again.csv"} if len(scene) > 2 else {})
    spec = msgspec.convert({"curves": {"train": "ours.csv", "reference": reference}, "runtime": runtime}, CaseFile)
    return Case(str(folder), spec)


def judged(scene: tuple[dict[str, Any], ...], folder: Path, **runtime: Any) -> list[str]:
    return as_kept(found_by(loss_comparison, case_of(scene, folder, **runtime), loss_comparison.Params()))


@pytest.mark.parametrize("device", ["CPU", "Ascend"])
@pytest.mark.parametrize("name", SCENES)
def test_a_scene_is_told_as_it_was(tmp_path: Path, name: str, device: str) -> None:
    told = judged(SCENES[name], tmp_path, device=device)
    assert told == json.loads(KEPT.read_text())[device][name], "meant so? the docstring above says how it is kept"


@pytest.mark.parametrize(
    ("name", "relative"),
    [
        ("equal", None),
        ("all 1 % off", 0.01 / 1.01),
        ("slightly from the first on", 2e-5),
        ("from the second on", None),
        ("slightly from the second on", None),
        ("from step 5 on logged, apart", None),
        ("from step 5 on logged, slight", None),
        ("grows", None),
        ("no overlap", None),
        ("one common point", None),
    ],
)
def test_only_first_losses_that_differ_are_a_first_difference(
    tmp_path: Path, name: str, relative: float | None
) -> None:
    found = _curve_pairs.first_difference(case_of(SCENES[name], tmp_path), loss_comparison.Params())
    assert (found and found["relative"]) == (relative and pytest.approx(relative, rel=1e-3))


def test_logs_without_losses_or_of_one_file_have_no_first_difference(tmp_path: Path) -> None:
    params = loss_comparison.Params()
    case = case_of(SCENES["all 1 % off"], tmp_path)
    assert _curve_pairs.first_difference(case, params)
    ours, theirs = (tmp_path / name for name in ("ours.csv", "theirs.csv"))
    kept = ours.read_text()
    ours.write_text(kept.replace("loss", "speed"))
    assert _curve_pairs.first_difference(case, params) is None
    (finding,) = (one for one in found_by(loss_comparison, case, params) if one.code == "no-curve-known")
    assert finding.data["path"] == ["ours.csv"] and finding.incomplete
    ours.unlink()
    ours.symlink_to(theirs)
    assert _curve_pairs.first_difference(case, params) is None
    ours.unlink()
    assert _curve_pairs.first_difference(case, params) is None


@pytest.mark.parametrize(("points", "told"), [(1, "forward"), (2, "agrees")])
def test_two_points_of_another_run_tell_its_noise(tmp_path: Path, points: int, told: str) -> None:
    scene = (side(V * 1.0012), side(V), side(V[:points] * 1.001))
    codes = {line.split()[0] for line in judged(scene, tmp_path)}
    assert told in codes


if __name__ == "__main__":
    kept: dict[str, dict[str, list[str]]] = {}
    for device in ("CPU", "Ascend"):
        for name, scene in SCENES.items():
            with tempfile.TemporaryDirectory() as folder:
                kept.setdefault(device, {})[name] = judged(scene, Path(folder), device=device)
    KEPT.write_text(json.dumps(kept, indent=0, ensure_ascii=False) + "\n")
