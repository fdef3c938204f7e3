"""pretrained_weights on files that were loaded, renamed, converted, or not loaded."""

from pathlib import Path

import msgspec
import numpy as np
import pytest

from accucheck.case import Case, CaseFile
from accucheck.errors import ReadError
from accucheck.model import Finding, Level, Verdict, suggest
from accucheck.probes import pretrained_weights
from accucheck.probes.pretrained_weights import Params
from findings import found_by, of_code, told

save_file = pytest.importorskip("safetensors.numpy").save_file


def examine(root: Path, params: Params = Params(), **checkpoints: str) -> list[Finding]:
    case = Case(root=str(root), spec=msgspec.convert({"checkpoints": checkpoints}, CaseFile))
    return found_by(pretrained_weights, case, params)


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng([seed, *shape]).standard_normal(shape).astype(np.float32)


BASE = {
    **{f"layers.{index}.weight": normal(6, 6, seed=index) for index in range(4)},
    **{f"layers.{index}.bias": normal(6, seed=index) for index in range(4)},
    "layers.0.moving_mean": normal(6, seed=9),
    "fc.weight": normal(10, 6),
    "global_step": np.ones(1, np.int32),
}
#: What fine-tuning starts from when all went well.
TUNED = BASE | {"fc.weight": normal(3, 6), "decoder.weight": normal(2, 6)}


def two(
    root: Path, base: dict[str, np.ndarray], network: dict[str, np.ndarray], role: str = "initial"
) -> list[Finding]:
    for name, arrays in (("base", base), ("net", network)):
        save_file(
            {key: np.ascontiguousarray(array) for key, array in arrays.items()}, str(root / f"{name}.safetensors")
        )
    return examine(root, pretrained="base.safetensors", **{role: "net.safetensors"})


def test_what_is_right(tmp_path):
    found = two(tmp_path, BASE, TUNED)
    assert suggest(found) is Verdict.OK
    assert of_code(found, "replaced").data["names"] == ["fc.weight"]
    assert of_code(found, "new-layers").data["names"] == ["decoder.weight"]
    summary = of_code(found, "examined").data
    assert (summary["equal"], summary["count"]) == (9, 10)


@pytest.mark.parametrize("old", ["layers.", "layers.0.", ""])
def test_renaming_does_no_harm(tmp_path, old):
    network = {name.replace(old, "encoder.block.", 1): array for name, array in TUNED.items()}
    found = two(tmp_path, BASE, network)
    assert of_code(found, "renamed").data["count"] >= 3 and suggest(found) is Verdict.OK


def test_half_precision_networks_hold_the_rounded_values(tmp_path):
    network = {name: array.astype(np.float16) if array.dtype == np.float32 else array for name, array in TUNED.items()}
    assert suggest(two(tmp_path, BASE, network)) is Verdict.OK
    network["layers.1.weight"] = network["layers.1.weight"] + np.float16(0.1)
    assert told(two(tmp_path, BASE, network)) == {"values-differ"}


FRESH = {name: normal(*array.shape, seed=77) for name, array in TUNED.items()}


@pytest.mark.parametrize(
    ("network", "codes"),
    [
        (FRESH, {"nothing-loaded"}),
        (TUNED | {"layers.2.weight": FRESH["layers.2.weight"]}, {"values-differ"}),
        (TUNED | {"layers.2.bias": np.full(6, np.nan, np.float32)}, {"values-differ"}),
        (TUNED | {"layers.0.moving_mean": FRESH["layers.0.moving_mean"]}, {"statistics-differ"}),
        (TUNED | {"layers.2.weight": normal(7, 6), "layers.1.weight": normal(6, 7)}, {"shapes-differ"}),
        (TUNED | {"layers.1.weight": normal(6, 7)}, {"shapes-differ"}),
        (TUNED | {"layers.9.weight": normal(6, 6, seed=5)}, {"new-inside"}),
        ({name: array for name, array in TUNED.items() if name != "layers.2.weight"}, {"left-over"}),
        # An output layer whose name nobody knows.
        (TUNED | {"layers.3.weight": normal(7, 6)}, set()),
    ],
)
def test_what_is_told(tmp_path, network, codes):
    found = two(tmp_path, BASE, network)
    assert told(found) == codes
    assert (suggest(found) is Verdict.OK) == (not codes)


@pytest.mark.parametrize("turned", [False, True])
def test_a_prefix_is_named(tmp_path, turned):
    longer = {f"module.net.{name}": array for name, array in (BASE if turned else FRESH).items()}
    found = two(tmp_path, longer, FRESH) if turned else two(tmp_path, BASE, longer)
    finding = of_code(found, "nothing-loaded")
    assert finding.data["prefix"] == "module.net." and finding.fix and finding.fix.message == "fix-names"
    # Some got in and some did not.
    network = TUNED | {"net.layers.3.weight": FRESH["layers.3.weight"]}
    del network["layers.3.weight"]
    finding = of_code(two(tmp_path, BASE, network), "names-differ")
    assert finding.evidence[0].rows == [["layers.3.weight", "net.layers.3.weight", "6×6"]]
    assert finding.data["prefix"] == "net." and finding.level is Level.PROBLEM


def test_a_trained_checkpoint_decides_names_and_shapes_only(tmp_path):
    trained = {name: array + np.float32(0.01) for name, array in TUNED.items() if array.dtype == np.float32}
    found = two(tmp_path, BASE, trained, "current")
    assert told(found) == set() and of_code(found, "trained").incomplete and suggest(found) is Verdict.UNDECIDED
    assert told(two(tmp_path, BASE, trained | {"layers.1.weight": normal(6, 7)}, "current")) == {"shapes-differ"}
    assert suggest(two(tmp_path, BASE, TUNED, "current")) is Verdict.OK
    assert told(two(tmp_path, BASE, {f"net.{name}": array for name, array in trained.items()}, "current")) == {
        "nothing-found"
    }


def test_the_initial_checkpoint_is_preferred(tmp_path):
    two(tmp_path, BASE, TUNED)
    save_file(FRESH, str(tmp_path / "trained.safetensors"))
    found = examine(tmp_path, pretrained="base.safetensors", initial="net.safetensors", current="trained.safetensors")
    assert suggest(found) is Verdict.OK


def test_the_file_of_the_benchmark(tmp_path):
    assert suggest(two(tmp_path, BASE, BASE, "reference")) is Verdict.OK
    found = two(tmp_path, BASE, BASE | {"layers.1.weight": normal(6, 6, seed=50)}, "reference")
    finding = of_code(found, "values-differ")
    assert finding.data["source"] == "net.safetensors" and finding.where.path == "base.safetensors"


def test_files_that_cannot_be_read(tmp_path):
    two(tmp_path, BASE, TUNED)
    (tmp_path / "bad.ckpt").write_bytes(b"\n\x7fcut")
    found = examine(tmp_path, pretrained="base.safetensors", initial="net.safetensors", reference="bad.ckpt")
    assert of_code(found, "unreadable").where.path == "bad.ckpt" and suggest(found) is Verdict.UNDECIDED
    for roles in (
        {"pretrained": "bad.ckpt", "initial": "net.safetensors"},
        {"pretrained": "base.safetensors", "initial": "bad.ckpt"},
    ):
        with pytest.raises(ReadError):
            examine(tmp_path, **roles)


def test_a_file_without_weights_is_undecided(tmp_path):
    found = two(tmp_path, {"global_step": np.ones(1, np.int32)}, TUNED)
    assert of_code(found, "no-weights").incomplete and suggest(found) is Verdict.UNDECIDED


@pytest.mark.mindspore
def test_loading_with_mindspore(tmp_path):
    ms = pytest.importorskip("mindspore")
    nn = ms.nn

    class Net(nn.Cell):
        def __init__(self, classes):
            super().__init__()
            self.conv, self.bn, self.hidden = nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.Dense(4, 8)
            self.out = nn.Dense(8, classes)

    base, net = Net(10), Net(2)
    ms.save_checkpoint(base, str(tmp_path / "base.ckpt"))
    ms.save_checkpoint(net, str(tmp_path / "before.ckpt"))
    ms.load_checkpoint(str(tmp_path / "base.ckpt"), net, choice_func=lambda name: not name.startswith("out."))
    ms.save_checkpoint(net, str(tmp_path / "after.safetensors"), format="safetensors")

    found = examine(tmp_path, pretrained="base.ckpt", initial="after.safetensors")
    assert suggest(found) is Verdict.OK and of_code(found, "replaced").data["names"] == ["out.weight", "out.bias"]
    assert told(examine(tmp_path, pretrained="base.ckpt", initial="before.ckpt")) == {"nothing-loaded"}
    net.hidden.weight.set_data(ms.common.initializer.initializer("normal", net.hidden.weight.shape))
    ms.save_checkpoint(net, str(tmp_path / "overwritten.ckpt"))
    found = examine(tmp_path, pretrained="base.ckpt", initial="overwritten.ckpt")
    assert told(found) == {"values-differ"} and of_code(found, "values-differ").data["names"] == ["hidden.weight"]


@pytest.mark.mindspore
def test_weights_converted_from_torch(tmp_path):
    ms, torch = pytest.importorskip("mindspore"), pytest.importorskip("torch")
    net = torch.nn.Sequential(
        torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.Linear(4, 8), torch.nn.Conv1d(8, 2, 5)
    )
    torch.nn.init.normal_(net[1].weight)
    torch.save(net.state_dict(), tmp_path / "base.pth")
    names = {"1.weight": "1.gamma", "1.bias": "1.beta", "1.running_mean": "1.moving_mean"}
    converted = {
        names.get(name, name.replace("running_var", "moving_variance")): ms.Tensor(values.numpy())
        for name, values in net.state_dict().items()
        if "tracked" not in name
    }
    converted["3.weight"] = ms.Tensor(net[3].weight.detach().numpy()[:, :, None])
    saved = [{"name": f"backbone.{name}", "data": values} for name, values in converted.items()]
    ms.save_checkpoint(saved, str(tmp_path / "base.ckpt"))
    found = examine(tmp_path, pretrained="base.ckpt", reference="base.pth")
    assert suggest(found) is Verdict.OK and of_code(found, "other-framework").data["count"] == 10
    saved[0]["data"] = saved[0]["data"] * 2
    ms.save_checkpoint(saved, str(tmp_path / "wrong.ckpt"))
    found = examine(tmp_path, pretrained="wrong.ckpt", reference="base.pth")
    assert suggest(found) is Verdict.PROBLEM and of_code(found, "values-differ").data["names"] == ["backbone.0.weight"]
