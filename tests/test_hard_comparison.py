"""Comparisons of what is wrong, mixed up, hostile or huge: clear words in both languages, and the rest is compared."""

import json
import os
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from accucheck import probe
from accucheck.case import Case, CaseFile
from accucheck.errors import ReadError, UserError
from accucheck.model import Finding, Language, Level, Verdict, suggest
from accucheck.probes._checkpoints import ckpt, drawn
from accucheck.readers.dumps import open_dump
from command_line import accucheck
from test_hard_runs import DANGEROUS

NAN = float("nan")
#: Items of the checklist comparison and their keys: the first is what is examined, the second the benchmark's.
CURVES = {
    "loss_comparison": ("curves.train", "curves.reference.path"),
    "reproducible_runs": ("curves.train", "curves.rerun"),
    "version_regression": ("curves.train", "curves.previous_version"),
}
FOLDERS = {
    "layer_outputs": ("dumps.path", "dumps.reference"),
    "first_batches": ("batches.path", "batches.reference"),
    "inference_outputs": ("outputs.path", "outputs.reference"),
}


def judged(name: str, root: Path, one: str, other: str) -> tuple[Verdict, dict[str, Finding], str]:
    """The suggestion, the findings by code, and all that was said in both languages; of an error, its words."""
    spec: dict[str, Any] = {}
    for key, value in zip({**CURVES, **FOLDERS}[name], (one, other), strict=True):
        place = spec
        *above, last = key.split(".")
        for part in above:
            place = place.setdefault(part, {})
        place[last] = value
    module, found = probe.load(name), []
    case = Case(root=str(root), spec=msgspec.convert(spec, CaseFile))
    try:
        found += (event for event in module.run(case, probe.params(module, {})) if isinstance(event, Finding))
    except ReadError as error:
        return Verdict.UNDECIDED, {}, "\n".join(error.text(language) for language in Language)
    except probe.Skip as skip:
        texts = [probe.message(module, skip.reason.code, skip.reason.data, language) for language in Language]
        return Verdict.UNDECIDED, {}, "\n".join(texts)
    texts = [probe.message(module, one.code, one.data, language) for one in found for language in Language]
    verdict = getattr(module, "suggest", suggest)(found)
    return verdict, {finding.code: finding for finding in found}, "\n".join(texts)


def log(path: Path, values: list[float], first: int = 1) -> None:
    path.write_text(
        "".join(f"epoch: 1 step: {step}, loss is {value:.7f}\n" for step, value in enumerate(values, first))
    )


def save(folder: Path, **arrays: np.ndarray) -> Path:
    folder.mkdir(exist_ok=True)
    for name, values in arrays.items():
        np.save(folder / f"{name}.npy", values)
    return folder


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


FALLING = [2 / step for step in range(1, 61)]


@pytest.mark.parametrize("name", CURVES)
@pytest.mark.parametrize(
    ("kind", "verdict", "words"),
    [
        ("short", Verdict.OK, "40 steps of both logs were compared"),
        ("gaps", Verdict.OK, "12 are only in a.log"),
        ("elsewhere", Verdict.UNDECIDED, "The two logs have"),
        ("cut", Verdict.OK, "b.log ends within a line: its last loss may be cut off"),
        ("empty", Verdict.UNDECIDED, "b.log is empty"),
        ("folder", Verdict.UNDECIDED, "b.log holds no event file with scalars and no training log"),
        ("none", Verdict.UNDECIDED, "b.log does not exist"),
        ("binary", Verdict.UNDECIDED, "b.log"),
        ("pipe", Verdict.UNDECIDED, "b.log is neither a regular file nor a folder"),
    ],
)
def test_curves(name, kind, verdict, words, tmp_path):
    one, other = tmp_path / "a.log", tmp_path / "b.log"
    log(one, FALLING)
    if kind == "short":
        log(other, FALLING[:40])
    elif kind == "gaps":
        other.write_text("".join(line for at, line in enumerate(one.open()) if at % 5 != 4))
    elif kind == "elsewhere":
        log(other, FALLING, first=200)
    elif kind == "cut":
        other.write_text(one.read_text()[:-5])
    elif kind == "pipe":
        os.mkfifo(other)
    elif kind == "folder":
        other.mkdir()
    elif kind != "none":
        other.write_bytes({"empty": b"", "binary": bytes(range(256)) * 9}[kind])
    found, _, said = judged(name, tmp_path, "a.log", "b.log")
    assert (found, words in said) == (verdict, True), said


@pytest.mark.parametrize("name", CURVES)
def test_nan_on_both_sides_is_told(name, tmp_path):
    values = FALLING[:20] + [NAN] * 20
    log(tmp_path / "a.log", values)
    log(tmp_path / "b.log", values)
    verdict, _, said = judged(name, tmp_path, "a.log", "b.log")
    assert "21" in said and "NaN or Inf" in said and verdict is not Verdict.PROBLEM
    assert verdict is Verdict.OK or name != "reproducible_runs", "both runs break down alike"
    for name_ in ("a.log", "b.log"):
        log(tmp_path / name_, [NAN] * 20)
    assert judged(name, tmp_path, "a.log", "b.log")[0] is not Verdict.OK


@pytest.mark.parametrize("name", FOLDERS)
def test_nan_on_both_sides_of_tensors_is_told(name, tmp_path):
    values = normal(4, 8)
    values[1, 2] = NAN
    for side in ("a", "b"):
        save(tmp_path / side, x=values, y=normal(4, 8, seed=1))
    verdict, found, said = judged(name, tmp_path, "a", "b")
    assert verdict is Verdict.UNDECIDED and found["both-nan"].data == {"count": 1, "name": "x"}
    assert "NaN" in said


@pytest.mark.parametrize("name", FOLDERS)
@pytest.mark.parametrize("kind", ["half", "empty file", "objects", "pipe", "dead link", "shape"])
def test_the_rest_is_compared(name, kind, tmp_path):
    arrays = {"x": normal(4, 8), "y": normal(4, 8, seed=1)}
    save(tmp_path / "a", **arrays)
    bad = save(tmp_path / "b", **arrays) / "y.npy"
    whole = bad.read_bytes()
    bad.unlink()
    if kind == "pipe":
        os.mkfifo(bad)
    elif kind == "dead link":
        bad.symlink_to("nowhere")
    elif kind == "objects":
        np.save(bad, np.array([1, "x"], dtype=object), allow_pickle=True)
    elif kind == "shape":
        np.save(bad, normal(5, 8))
    else:
        bad.write_bytes(whole[:150] if kind == "half" else b"")
    verdict, found, said = judged(name, tmp_path, "a", "b")
    assert verdict is not Verdict.OK and ("b/y.npy" in said or "y" in said)
    agreed = {"layer_outputs": "agree", "first_batches": "same", "inference_outputs": "outputs-agree"}[name]
    assert found[agreed].data["count"] == 1, said


@pytest.mark.parametrize("name", FOLDERS)
def test_an_empty_folder_and_swapped_files(name, tmp_path):
    save(tmp_path / "a", x=normal(4, 8), y=normal(4, 8, seed=1))
    save(tmp_path / "b", y=normal(4, 8), x=normal(4, 8, seed=1))
    (tmp_path / "empty").mkdir()
    verdict, _, said = judged(name, tmp_path, "a", "empty")
    assert verdict is Verdict.UNDECIDED and "empty" in said
    assert judged(name, tmp_path, "a", "b")[0] is Verdict.PROBLEM


WEIGHTS = {"fc.weight": drawn(4, 4), "fc.bias": drawn(4, seed=1)}


@pytest.mark.parametrize("name", ["parameter_map", "initial_weights"])
@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("half", "b.ckpt is truncated"),
        ("empty", "b.ckpt is empty"),
        ("folder", "b.ckpt"),
        ("none", "b.ckpt does not exist"),
        ("pipe", "b.ckpt is neither a regular file nor a folder"),
        ("no map", "names.yaml"),
        ("half a map", "names.yaml:"),
    ],
)
def test_checkpoints_and_maps(name, kind, words, tmp_path):
    whole = ckpt(WEIGHTS)
    (tmp_path / "a.ckpt").write_bytes(whole)
    other, names = tmp_path / "b.ckpt", tmp_path / "names.yaml"
    if kind == "pipe":
        os.mkfifo(other)
    elif kind == "folder":
        other.mkdir()
    elif kind != "none":
        other.write_bytes({"half": whole[:50], "empty": b""}.get(kind, whole))
    names.write_text(
        {
            "half a map": "version: 1\nparameters: {fc.weight: fc",
        }.get(kind, "[]")
    )
    checkpoints = {"initial": "a.ckpt", "reference": "b.ckpt"} | (
        {"map": "names.yaml"} if "map" in words or "names" in words else {}
    )
    module = probe.load(name)
    case = Case(root=str(tmp_path), spec=msgspec.convert({"checkpoints": checkpoints}, CaseFile))
    with pytest.raises((ReadError, UserError)) as caught:
        list(module.run(case, probe.params(module, {})))
    assert words in caught.value.text(Language.EN) and caught.value.text(Language.ZH)


@pytest.mark.parametrize("name", ["parameter_map", "initial_weights"])
def test_an_unknown_name_in_a_map_is_told_and_the_rest_is_compared(name, tmp_path):
    for other in ("a.ckpt", "b.ckpt"):
        (tmp_path / other).write_bytes(ckpt(WEIGHTS))
    (tmp_path / "names.yaml").write_text("version: 1\nparameters:\n  fc.wieght: fc.weight\n")
    spec = {"checkpoints": {"initial": "a.ckpt", "reference": "b.ckpt", "map": "names.yaml"}}
    case = Case(root=str(tmp_path), spec=msgspec.convert(spec, CaseFile))
    module = probe.load(name)
    found = {event.code: event for event in module.run(case, probe.params(module, {})) if isinstance(event, Finding)}
    assert "names.yaml:3" in found["map-wrong"].data["problem"]["en"] and found["map-wrong"].incomplete
    assert len(found) > 1 and {one.level for one in found.values()} == {Level.INFO}


def test_prefixes_on_some_keys_only_are_mapped(tmp_path):
    (tmp_path / "a.ckpt").write_bytes(ckpt({"net.conv.weight": drawn(4, 3), **WEIGHTS}))
    (tmp_path / "b.ckpt").write_bytes(
        ckpt({"conv.weight": drawn(4, 3), **{f"module.{k}": v for k, v in WEIGHTS.items()}})
    )
    module = probe.load("parameter_map")
    spec = {"checkpoints": {"initial": "a.ckpt", "reference": "b.ckpt"}}
    case = Case(root=str(tmp_path), spec=msgspec.convert(spec, CaseFile))
    found = [event for event in module.run(case, probe.params(module, {})) if isinstance(event, Finding)]
    assert getattr(module, "suggest", suggest)(found) is Verdict.OK, found


NASTY = ["[red]\u202e\x1b[31m", "a\nb", "x" * 200, "$(id)`|*_", b"\xff\xfe"]


@pytest.mark.part(40)
@pytest.mark.parametrize("nasty", NASTY, ids=repr)
def test_hostile_names_through_every_output(nasty, tmp_path):
    """Names of tensors in the text of run and compare, in JSON, Markdown and docx."""
    for side, seed in (("a", 0), ("b", 1)):
        place = save(tmp_path / side, x=normal(4, 8, seed=seed)) / "x.npy"
        os.rename(place, os.fsencode(place.parent) + b"/" + os.fsencode(nasty) + b".npy")
    settings = [word for key in ("dumps.path=a", "dumps.reference=b") for word in ("--set", key)]
    run = accucheck("run", tmp_path, "--checklist", "comparison", "--only", "cmp.09", *settings)
    assert run.code == 1, run
    formats = [word for form in ("md", "json", "docx") for word in ("--format", form)]
    report = accucheck("report", tmp_path, "--checklist", "comparison", *formats, "-o", tmp_path / "out")
    assert report.code == 0, report
    compared = accucheck("compare", tmp_path / "a", tmp_path / "b")
    assert compared.code == 1 and json.loads(accucheck("compare", tmp_path / "a", tmp_path / "b", "--json").stdout)
    (written,) = (tmp_path / "out").glob("*.md")
    for text in (run.out, run.err, report.err, compared.out, compared.err, written.read_text()):
        assert not DANGEROUS.search(text.replace("\t", " ")) and "Traceback" not in text


def test_a_dump_that_is_too_large_is_refused_with_words(tmp_path):
    path = tmp_path / "dump.json"
    with path.open("wb") as file:
        file.truncate(300 << 20)
    with pytest.raises(ReadError) as caught:
        open_dump(path)
    assert caught.value.code == "too-large" and str(path) in caught.value.text(Language.EN)


@pytest.mark.slow
def test_a_curve_of_a_million_steps(tmp_path):
    steps = np.arange(1, 1_000_001)
    for name, off in (("a.csv", 1.0), ("b.csv", 1.01)):
        values = np.where(steps > 500_000, off, 1.0) * (1 + 1 / steps)
        rows = np.char.add(np.char.add(steps.astype(str), ","), np.char.mod("%.7g", values))
        (tmp_path / name).write_text("step,loss\n" + "\n".join(rows.tolist()) + "\n")
    verdict, found, said = judged("loss_comparison", tmp_path, "a.csv", "b.csv")
    assert "500,001" in said and verdict is not Verdict.OK and found
