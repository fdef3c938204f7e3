"""input_dependence on networks that are built: what they react to, samples that mix, and what cannot be told."""

from pathlib import Path
from typing import Any

import pytest

import networks
from accucheck.case import load
from accucheck.errors import UserError
from accucheck.model import Finding, Level, Verdict, suggest
from accucheck.probes import input_dependence
from accucheck.probes.input_dependence import Params, judged
from findings import found_by, of_code, told

NET = """
def texts(rows=32, batch=16):
    random = np.random.default_rng(0)
    length = random.integers(2, 6, rows)
    ids = random.integers(1, 50, (rows, 6)).astype(np.int32) * (np.arange(6) < length[:, None])
    columns = {"ids": ids.astype(np.int32), "mask": (ids > 0).astype(np.int32), "segment": np.zeros_like(ids, np.int32)}
    return ds.NumpySlicesDataset({**columns, "label": (length % 2).astype(np.int32)}, shuffle=False).batch(batch)

class Texts(nn.Cell):
    def __init__(self, segments=True):
        super().__init__()
        self.segments, self.words, self.kinds, self.fc = segments, nn.Embedding(50, 8), nn.Embedding(2, 8), nn.Dense(8, 2)

    def construct(self, ids, mask, segment):
        x = self.words(ids) + (self.kinds(segment) if self.segments else 0)
        return self.fc((x * mask[..., None]).sum(1) / mask.sum(1, keepdims=True))

class Net(nn.Cell):
    def __init__(self, how=""):
        super().__init__()
        self.how, self.fc, self.norm, self.out = how, nn.Dense(8, 8), nn.BatchNorm1d(8), nn.Dense(8, 2)
        if how == "batch statistics":
            self.norm = nn.BatchNorm1d(8, use_batch_statistics=True)
        if how == "half":
            self.to_float(ms.float16)

    def construct(self, x):
        x = self.fc(x)
        if self.how == "rounded":
            return self.out(self.norm(ops.round(self.fc(10 * x))))
        if self.how == "softmax over samples":
            x = ops.softmax(x, axis=0)
        if self.how == "random":
            x = x + ops.standard_normal(x.shape)
        if self.how == "mean of all":
            x = x.mean(0, keep_dims=True).broadcast_to(x.shape)
        if self.how == "reshaped":
            x = x.reshape((8, -1)).swapaxes(0, 1)
        x = self.out(ops.relu(self.norm(x)))
        if self.how == "log":
            x = ops.log(x - x.max() - 1)
        return x.mean() if self.how == "scalar" else x
"""
CE = {"call": "mindspore.nn:CrossEntropyLoss"}


def run(root: Path, how: str = "", batch: int = 16, **spec: Any) -> list[Finding]:
    calls = {"network": {"call": "net:Net", "args": {"how": how}}, "loss": CE}
    calls["pipelines"] = {"train": {"call": "net:create", "args": {"batch": batch}}}
    return networks.run("input_dependence", root, NET, **{**calls, **spec})


def run_texts(root: Path, **args: Any) -> list[Finding]:
    return run(root, network={"call": "net:Texts", "args": args}, pipelines={"train": {"call": "net:texts"}})


@pytest.mark.mindspore
@pytest.mark.parametrize("how", ["", "half", "rounded"])
def test_clean_networks(how: str, tmp_path: Path) -> None:
    found = run(tmp_path, how, batch=1 if how == "half" else 16)
    assert not told(found) or (how == "rounded" and told(found) == {"no-gradient"}), found
    of_code(found, "depends")
    assert of_code(found, "apart").data["mixed"] <= (1e-2 if how == "half" else 1e-6)


@pytest.mark.mindspore
def test_ids_masks_and_segments(tmp_path: Path) -> None:
    found = run_texts(tmp_path)
    assert not told(found) and suggest(found) is Verdict.OK
    assert [row[:2] for row in of_code(found, "depends").evidence[0].rows] == [  # type: ignore[union-attr]
        ["ids", "int32"],
        ["mask", "int32"],
        ["segment", "int32"],
    ]
    unused = of_code(run_texts(tmp_path, segments=False), "unused-input")
    assert unused.level is Level.SUSPECT and unused.data["name"] == "segment"


@pytest.mark.mindspore
@pytest.mark.parametrize(
    ("how", "codes"),
    [
        ("softmax over samples", {"mixing"}),
        ("reshaped", {"mixing"}),
        ("mean of all", {"mixing", "same-for-all"}),
        ("batch statistics", {"mixing"}),
        ("log", {"not-finite"}),
    ],
)
def test_what_is_wrong(how: str, codes: set[str], tmp_path: Path) -> None:
    found = run(tmp_path, how)
    assert told(found) == codes
    if "mixing" in codes:
        known = how == "batch statistics"
        assert of_code(found, "mixing").level is (Level.SUSPECT if known else Level.PROBLEM)
        assert known is ("together" in {one.code for one in found})


@pytest.mark.mindspore
def test_what_cannot_be_told(tmp_path: Path) -> None:
    noisy = run(tmp_path, "random")
    assert {one.code for one in noisy} == {"random"} and suggest(noisy) is Verdict.UNDECIDED
    scalar = run(tmp_path, "scalar", loss=None)
    assert not told(scalar) and {"depends", "no-sample-axis"} == {one.code for one in scalar}


@pytest.mark.mindspore
def test_the_example_of_this_repository_with_its_checkpoint() -> None:
    found = found_by(input_dependence, load(Path(__file__).parents[2] / "examples/digits"), Params())
    assert {one.code for one in found} == {"depends", "apart"} and suggest(found) is Verdict.OK


@pytest.mark.mindspore
def test_a_checkpoint_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "x.ckpt").write_bytes(b"nothing")
    with pytest.raises(UserError):
        run(tmp_path, checkpoints={"current": "x.ckpt"})


LOOK = {
    "steps": 0,
    "samples": 16,
    "outputs": 1,
    "finite": True,
    "noise": 0.0,
    "spread": 0.5,
    "differ": True,
    "square": False,
    "inputs": [{"name": "x", "dtype": "float32", "change": 0.5}],
    "mixed": 0.0,
    "gradient": 0.1,
    "zero": 0,
}
STILL = {"spread": 0.0, "inputs": [{"name": "x", "dtype": "float32", "change": 0.0}]}


@pytest.mark.parametrize(
    ("look", "network", "codes"),
    [
        ({}, {}, set()),
        ({"mixed": 0.01}, {}, {"mixing"}),
        ({"mixed": 0.01}, {"half": True}, set()),
        (STILL | {"gradient": 0.0}, {}, {"independent-as-built"}),
        (STILL | {"gradient": None}, {}, {"independent-as-built"}),
        (STILL | {"gradient": 0.0, "steps": 10}, {}, {"independent"}),
        (STILL, {}, {"faint"}),
        ({"spread": 0.0}, {}, {"same-for-all"}),
        ({"spread": 0.0, "differ": False}, {}, set()),
        ({"gradient": 0.0}, {}, set()),
        ({"gradient": 0.0, "zero": 2}, {}, {"no-gradient"}),
        ({"inputs": [{"name": "[x]", "dtype": "int32", "change": None}]}, {}, set()),
    ],
)
def test_what_a_look_means(look: dict[str, Any], network: dict[str, Any], codes: set[str]) -> None:
    facts = {"half": False, "together": [], "lacking": 0, **network}
    assert told(list(judged(Params(), facts, [LOOK | look]))) == codes
