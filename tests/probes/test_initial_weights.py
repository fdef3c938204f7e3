"""Initial weights against the benchmark's, in files of torch and MindSpore; mapping files; bad files."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from accucheck import probe
from accucheck.case import load
from accucheck.errors import UserError
from accucheck.model import Finding, Level, suggest
from accucheck.probes._checkpoints import ckpt


def findings(folder: Path, name: str = "initial_weights", **keys: str) -> dict[str, Finding]:
    module = probe.load(name)
    case = load(folder, [f"checkpoints.{key}={value}" for key, value in keys.items()])
    found = [event for event in module.run(case, probe.params(module, {})) if isinstance(event, Finding)]
    assert len({finding.code for finding in found}) == len(found)
    return {finding.code: finding for finding in found}


def problems(found: dict[str, Finding]) -> set[str]:
    return {code for code, finding in found.items() if finding.level is not Level.INFO}


def weights(**shapes: tuple[int, ...]) -> dict[str, Any]:
    generator = np.random.default_rng(0)
    return {name.replace("__", "."): generator.standard_normal(shape).astype("f4") for name, shape in shapes.items()}


def own(folder: Path, values: dict[str, Any], name: str = "w0.ckpt") -> None:
    (folder / name).write_bytes(ckpt({key: (list(v.shape), v.ravel().tolist()) for key, v in values.items()}))


def reference(folder: Path, values: dict[str, Any], dtype: str = "float32") -> None:
    torch = pytest.importorskip("torch")
    torch.save({key: torch.tensor(v).to(getattr(torch, dtype)) for key, v in values.items()}, folder / "ref.pth")


FILES = {"initial": "w0.ckpt", "reference": "ref.pth"}


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "float64"])
def test_a_coarser_type_may_round(dtype: str, tmp_path: Path) -> None:
    values = weights(a__weight=(40, 30), b__weight=(7, 40), b__bias=(7,))
    own(tmp_path, values)
    reference(tmp_path, values, dtype)
    found = findings(tmp_path, **FILES)
    assert problems(found) == set()
    assert found["examined"].data["equal"] == 3
    assert found["examined"].data["identical"] == (3 if dtype == "float32" else 0)


def test_projections_that_torch_joins(tmp_path: Path) -> None:
    joined = weights(attn__in_proj_weight=(48, 16), attn__in_proj_bias=(48,))
    split = {
        f"attn.{part}.{leaf}": joined[f"attn.in_proj_{leaf}"][16 * n : 16 * n + 16]
        for n, part in enumerate("qkv")
        for leaf in ("weight", "bias")
    }
    reference(tmp_path, joined)
    own(tmp_path, split)
    assert problems(findings(tmp_path, **FILES)) == set()
    own(tmp_path, split | {"attn.q.weight": split["attn.k.weight"], "attn.k.weight": split["attn.q.weight"]})
    assert problems(findings(tmp_path, **FILES)) == {"exchanged"}


def test_one_wrong_element_is_found(tmp_path: Path) -> None:
    values = weights(a__weight=(400, 300), b__weight=(7, 400))
    reference(tmp_path, values)
    changed = values["a.weight"].copy()
    changed[399, 299] += 1e-3
    own(tmp_path, values | {"a.weight": changed})
    found = findings(tmp_path, **FILES)
    assert problems(found) == {"values-differ"}
    assert found["values-differ"].data["names"] == ["a.weight"]


def test_nothing_was_loaded(tmp_path: Path) -> None:
    values = weights(a__weight=(40, 30), b__weight=(7, 40))
    reference(tmp_path, values)
    own(tmp_path, {key: np.random.default_rng(5).standard_normal(v.shape) for key, v in values.items()})
    assert problems(findings(tmp_path, **FILES)) == {"not-transferred"}


def test_nan_on_both_sides_is_equal_and_on_one_is_not(tmp_path: Path) -> None:
    values = weights(a__weight=(40, 30), b__weight=(7, 40))
    values["a.weight"][3, 3] = np.nan
    reference(tmp_path, values)
    own(tmp_path, values)
    assert problems(findings(tmp_path, **FILES)) == set()
    own(tmp_path, values | {"a.weight": np.nan_to_num(values["a.weight"])})
    assert problems(findings(tmp_path, **FILES)) == {"values-differ"}


def test_a_mapping_file_settles_what_is_ambiguous(tmp_path: Path) -> None:
    values = weights(a__weight=(8, 8), b__weight=(8, 8))
    reference(
        tmp_path, {"x.weight": values["b.weight"], "y.weight": values["a.weight"], "z.weight": values["a.weight"] * 2}
    )
    own(tmp_path, values)
    found = findings(tmp_path, **FILES)
    assert problems(found) == {"nothing-paired"}
    assert suggest(list(found.values())).value == "undecided"
    (tmp_path / "map.yaml").write_text("parameters: {a.weight: y.weight, b.weight: x.weight}\n", "utf-8")
    assert problems(findings(tmp_path, **FILES, map="map.yaml")) == set()


def test_a_mapping_file_that_does_not_fit_says_where(tmp_path: Path) -> None:
    values = weights(a__weight=(8, 8))
    reference(tmp_path, values)
    own(tmp_path, values)
    (tmp_path / "map.yaml").write_text("parameters:\n  a.weight: a.wieght\n", "utf-8")
    found = findings(tmp_path, **FILES, map="map.yaml")
    assert "map.yaml:2" in found["map-wrong"].data["problem"]["en"] and "initial" not in found, found.keys()
    assert suggest(list(found.values())).value == "undecided", "the rest was compared, but not all"


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    values = weights(a__weight=(80, 80))
    reference(tmp_path, values)
    own(tmp_path, values)
    whole = (tmp_path / "ref.pth").read_bytes()
    for content, code in ((whole[: len(whole) // 2], "truncated"), (b"", "empty"), (b"hello, world", "unknown-format")):
        (tmp_path / "ref.pth").write_bytes(content)
        with pytest.raises(UserError) as error:
            findings(tmp_path, **FILES)
        assert error.value.code == code


def test_hostile_names_stay_what_they_are(tmp_path: Path) -> None:
    values = weights(a__weight=(8, 8)) | {"[bold]x\x1b[31m.weight": np.ones((3, 2), "f4"), "..": np.ones(2, "f4")}
    own(tmp_path, values)
    own(tmp_path, values, "ref.ckpt")
    for name in ("initial_weights", "parameter_map"):
        assert problems(findings(tmp_path, name, initial="w0.ckpt", reference="ref.ckpt")) == set()


def between(tmp_path: Path, ours: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Finding]:
    own(tmp_path, ours)
    own(tmp_path, theirs, "ref.ckpt")
    return findings(tmp_path, initial="w0.ckpt", reference="ref.ckpt")


def test_square_matrices_may_be_transposed_and_others_may_not(tmp_path: Path) -> None:
    theirs = weights(
        same__weight=(6, 6), square__weight=(4, 4), one__weight=(1, 1), cube__weight=(2, 2, 2), long__weight=(6, 2)
    )
    ours = theirs | {"square.weight": theirs["square.weight"].T.copy()}
    found = between(tmp_path, ours, theirs)
    assert problems(found) == {"transposed"} and found["transposed"].data["names"] == ["square.weight"]
    for name, turned in (("long.weight", theirs["long.weight"][::-1]), ("cube.weight", theirs["cube.weight"].T)):
        assert problems(between(tmp_path, theirs | {name: turned.copy()}, theirs)) == {"values-differ"}
    assert problems(between(tmp_path, theirs | {"one.weight": theirs["one.weight"] + 1}, theirs)) == {"values-differ"}


def test_what_holds_the_values_of_another(tmp_path: Path) -> None:
    """Two that were exchanged, also after one that holds a constant and one of a single element; not what is a constant itself."""
    theirs = weights(a__weight=(3, 4), b__weight=(3, 4), c__weight=(3, 4), d__weight=(5, 4))
    theirs |= {
        "gain.weight": np.ones(9, "f4"),
        "shift.weight": np.zeros(9, "f4"),
        "x.scale": np.ones(1, "f4"),
        "y.scale": np.full(1, 9.0, "f4"),
    }
    ours = theirs | {"a.weight": theirs["b.weight"], "b.weight": theirs["a.weight"]}
    found = between(tmp_path, ours, theirs)
    assert problems(found) == {"exchanged"} and found["exchanged"].data["names"] == ["a.weight", "b.weight"]
    assert [row[2] for row in found["exchanged"].evidence[0].rows] == ["b.weight", "a.weight"]
    more = ours | {"gain.weight": theirs["shift.weight"], "x.scale": theirs["y.scale"]}
    found = between(tmp_path, more, theirs)
    assert found["exchanged"].data["count"] == 2
    assert set(found["values-differ"].data["names"]) == {"gain.weight", "x.scale"}
    close = ours | {"a.weight": theirs["b.weight"] * np.float32(1.2)}
    assert between(tmp_path, close, theirs)["exchanged"].data["names"] == ["b.weight"]


@pytest.mark.parametrize(
    ("count", "share", "fresh"), [(400, 0.0, True), (400, 0.5, False), (99, 0.0, False), (100, 0.0, True)]
)
def test_what_was_drawn_anew_goes_its_own_way_and_is_as_wide(
    tmp_path: Path, count: int, share: float, fresh: bool
) -> None:
    theirs = weights(a__weight=(count // 9, 9) if count % 9 == 0 else (count,), b__weight=(30, 30))
    drawn = np.random.default_rng(1).standard_normal(theirs["a.weight"].shape).astype("f4")
    ours = theirs | {"a.weight": share * theirs["a.weight"] + (1 - share) * drawn}
    assert problems(between(tmp_path, ours, theirs)) == ({"drawn-anew"} if fresh else {"values-differ"})
    wide = theirs | {"a.weight": 3 * drawn}
    assert problems(between(tmp_path, wide, theirs)) == {"values-differ"}


@pytest.mark.part(40)
def test_weights_that_all_differ_are_searched_in_little_time(tmp_path: Path) -> None:
    """2,000 of one shape took half a minute when each was held against each."""
    count = 2000
    theirs = weights(**{f"layer{number}__weight": (4, 4) for number in range(count)})
    ours = {name: values + np.float32(0.01) for name, values in theirs.items()}
    ours["layer5.weight"], ours["layer7.weight"] = theirs["layer7.weight"], theirs["layer5.weight"]
    own(tmp_path, ours)
    own(tmp_path, theirs, "ref.ckpt")
    started = time.process_time()
    found = findings(tmp_path, initial="w0.ckpt", reference="ref.ckpt")
    assert time.process_time() - started < 15
    assert found["exchanged"].data["names"] == ["layer5.weight", "layer7.weight"]
    assert found["values-differ"].data["count"] == count - 2


def test_what_is_exchanged_is_found_among_weights_that_begin_alike(tmp_path: Path) -> None:
    theirs = weights(**{f"layer{number}__weight": (5, 5) for number in range(9)})
    for values in theirs.values():
        values[0, 0] = 0.5
    ours = theirs | {"layer3.weight": theirs["layer8.weight"], "layer8.weight": theirs["layer3.weight"]}
    found = between(tmp_path, ours, theirs)
    assert [row[::2] for row in found["exchanged"].evidence[0].rows] == [
        ["layer3.weight", "layer8.weight"],
        ["layer8.weight", "layer3.weight"],
    ]
