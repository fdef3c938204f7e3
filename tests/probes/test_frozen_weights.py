"""frozen_weights on checkpoints of real trainings, healthy and with one fault each."""

from pathlib import Path

import msgspec
import numpy as np
import pytest

from accucheck import probe
from accucheck.case import Case, CaseFile
from accucheck.errors import ReadError
from accucheck.model import Finding, Verdict, suggest
from accucheck.probes import frozen_weights
from accucheck.probes.frozen_weights import Params
from findings import found_by, of_code, told


def examine(root: Path, previous: str, current: str, *frozen: str) -> list[Finding]:
    content = {"checkpoints": {"previous": previous, "current": current}, "design": {"frozen": list(frozen)}}
    case = Case(root=str(root), spec=msgspec.convert(content, CaseFile))
    return found_by(frozen_weights, case, Params())


def saved(root: Path, name: str, arrays: dict[str, np.ndarray]) -> str:
    save = pytest.importorskip("safetensors.numpy")
    save.save_file({key: np.ascontiguousarray(array) for key, array in arrays.items()}, str(root / name))
    return name


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


BEFORE = {"backbone.weight": normal(4, 4), "head.weight": normal(2, 4)}
AFTER = BEFORE | {"head.weight": normal(2, 4, seed=1)}


def both(root: Path, before: dict[str, np.ndarray], after: dict[str, np.ndarray], *frozen: str) -> list[Finding]:
    return examine(root, saved(root, "a.safetensors", before), saved(root, "b.safetensors", after), *frozen)


@pytest.mark.parametrize("pattern", ["backbone.*", "backbone.weight", "back*"])
def test_patterns_of_the_design(tmp_path, pattern):
    assert suggest(both(tmp_path, BEFORE, AFTER, pattern)) is Verdict.OK
    longer = [{f"net.{name}": array for name, array in arrays.items()} for arrays in (BEFORE, AFTER)]
    assert suggest(both(tmp_path, *longer, pattern)) is Verdict.OK


def test_a_single_changed_number_is_a_move(tmp_path):
    after = {name: array.copy() for name, array in AFTER.items()}
    after["backbone.weight"][3, 3] = np.nextafter(after["backbone.weight"][3, 3], np.float32(9))
    finding = of_code(both(tmp_path, BEFORE, after, "backbone.*"), "frozen-moved")
    assert finding.where.name == "backbone.weight" and finding.fix
    row = dict(zip(finding.evidence[0].columns, finding.evidence[0].rows[0], strict=True))
    assert row["changed"] == 1 / 16 and row["largest"] == finding.data["largest"] > 0


def test_the_sign_of_zero_and_equal_nan_are_no_move(tmp_path):
    before = BEFORE | {"backbone.weight": np.array([[0.0, np.nan]], np.float32)}
    after = AFTER | {"backbone.weight": np.array([[-0.0, np.nan]], np.float32)}
    assert told(both(tmp_path, before, after, "backbone.*")) == set()
    after["backbone.weight"] = np.array([[np.nan, np.nan]], np.float32)
    finding = of_code(both(tmp_path, before, after, "backbone.*"), "frozen-moved")
    assert finding.evidence[0].rows[0][-1] == 1


def test_integers_and_state_do_not_count_as_weights(tmp_path):
    extra = {"relative_position_index": np.arange(4), "moments.head.weight": np.zeros((2, 4), np.float32)}
    found = both(tmp_path, BEFORE | extra, AFTER | extra, "backbone.*")
    assert suggest(found) is Verdict.OK
    kinds = of_code(found, "examined").evidence[0]
    assert kinds.columns == ["weight", "declared", "statistics", "buffer", "state"]
    assert kinds.rows == [["1 / 1", "0 / 1", "0 / 0", "0 / 1", "0 / 1"]]


def test_names_and_shapes_of_another_network(tmp_path):
    after = {name: array for name, array in AFTER.items() if name != "backbone.weight"}
    found = both(tmp_path, BEFORE, after)
    assert of_code(found, "one-sided").incomplete and suggest(found) is Verdict.UNDECIDED
    assert "shapes-differ" in told(both(tmp_path, BEFORE, AFTER | {"backbone.weight": normal(5, 4)}))
    found = both(tmp_path, BEFORE, {"other": normal(2, 2)})
    assert of_code(found, "no-weights").incomplete
    # State that is saved with one of the two only is nothing to worry about.
    found = both(tmp_path, BEFORE, AFTER | {"moments.head.weight": normal(2, 4)}, "backbone.*")
    assert not of_code(found, "one-sided").incomplete and suggest(found) is Verdict.OK


def test_another_type_is_undecided_where_rounding_explains_it(tmp_path):
    after = AFTER | {"backbone.weight": BEFORE["backbone.weight"].astype(np.float16)}
    found = both(tmp_path, BEFORE, after)
    assert of_code(found, "rounding").data["names"] == ["backbone.weight"] and suggest(found) is Verdict.UNDECIDED
    assert told(both(tmp_path, BEFORE, after, "backbone.*")) == set()
    after["backbone.weight"] = after["backbone.weight"] + np.float16(0.5)
    assert told(both(tmp_path, BEFORE, after, "backbone.*")) == {"frozen-moved"}


def test_tables_are_bounded(tmp_path):
    before = {f"w{index}": normal(2, seed=index) for index in range(300)}
    finding = of_code(both(tmp_path, before, before | {"w0": normal(2, seed=999)}), "unmoved")
    assert (finding.data["count"], len(finding.evidence[0].rows), finding.evidence[0].total) == (299, 200, 299)
    assert finding.data["names"][-1] == "…" and len(finding.data["names"]) == 6


def test_one_file_and_files_that_cannot_be_read(tmp_path):
    saved(tmp_path, "a.safetensors", BEFORE)
    with pytest.raises(probe.Skip) as caught:
        examine(tmp_path, "a.safetensors", "./a.safetensors")
    assert caught.value.reason.code == "same-file"
    (tmp_path / "bad.ckpt").write_bytes(b"\n\x7fcut")
    with pytest.raises(ReadError):
        examine(tmp_path, "a.safetensors", "bad.ckpt")


@pytest.mark.mindspore
def test_a_training_of_mindspore(tmp_path):
    ms = pytest.importorskip("mindspore")
    nn = ms.nn

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.backbone = nn.SequentialCell(nn.Conv2d(3, 4, 3, has_bias=True), nn.BatchNorm2d(4), nn.ReLU())
            self.head = nn.Dense(4, 2)

        def construct(self, x):
            return self.head(self.backbone(x).mean((2, 3)))

    def trained(name: str, freeze: bool, drift: bool = True, rate: float = 0.1) -> None:
        """Two checkpoints, three steps apart: NAME1.ckpt and NAME2.safetensors."""
        ms.set_seed(1)
        net = Net()
        if freeze:
            for parameter in net.backbone.get_parameters():
                parameter.requires_grad = False
        cell = nn.TrainOneStepCell(
            nn.WithLossCell(net, nn.MSELoss()), nn.Momentum(net.trainable_params(), rate, 0.9)
        ).set_train()
        if not drift:
            net.backbone.set_train(False)
        for step in range(4):
            cell(ms.Tensor(normal(4, 3, 6, 6, seed=step)), ms.Tensor(normal(4, 2, seed=step)))
            if step == 0:
                ms.save_checkpoint(cell, str(tmp_path / f"{name}1.ckpt"))
        ms.save_checkpoint(cell, str(tmp_path / f"{name}2.safetensors"), format="safetensors")

    trained("all", freeze=False)
    found = examine(tmp_path, "all1.ckpt", "all2.safetensors")
    assert told(found) == set() and suggest(found) is Verdict.OK
    assert of_code(found, "examined").data["moved"] == 6
    assert told(examine(tmp_path, "all1.ckpt", "all2.safetensors", "backbone.*")) == {
        "frozen-moved",
        "frozen-statistics-moved",
    }

    trained("part", freeze=True, drift=False)
    found = examine(tmp_path, "part1.ckpt", "part2.safetensors", "backbone.*")
    assert suggest(found) is Verdict.OK and of_code(found, "examined").data["frozen"] == 4
    finding = of_code(examine(tmp_path, "part1.ckpt", "part2.safetensors"), "unmoved")
    assert finding.data["count"] == 4 and finding.data["moved"] == 2

    # requires_grad does not hold the moving statistics.
    trained("drift", freeze=True)
    assert told(examine(tmp_path, "drift1.ckpt", "drift2.safetensors", "backbone.*")) == {"frozen-statistics-moved"}

    trained("still", freeze=False, rate=0.0)
    assert told(examine(tmp_path, "still1.ckpt", "still2.safetensors")) == {"nothing-moved"}

    (tmp_path / "copy.ckpt").write_bytes((tmp_path / "all1.ckpt").read_bytes())
    assert told(examine(tmp_path, "all1.ckpt", "copy.ckpt")) == {"same-step"}


@pytest.mark.parametrize("legacy", [False, True])
def test_a_training_of_torch(tmp_path, legacy):
    torch = pytest.importorskip("torch")
    net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    net[0].requires_grad_(False)
    optimizer = torch.optim.Adam([parameter for parameter in net.parameters() if parameter.requires_grad], 0.1)
    for step in range(2):
        net(torch.ones(2, 4)).sum().backward()
        optimizer.step()
        state = {"model": net.state_dict(), "optimizer": optimizer.state_dict()}
        torch.save(state, tmp_path / f"e{step}.pth", _use_new_zipfile_serialization=not legacy)
    assert suggest(examine(tmp_path, "e0.pth", "e1.pth", "0.*")) is Verdict.OK
    assert told(examine(tmp_path, "e0.pth", "e1.pth", "2.*")) == {"frozen-moved", "nothing-moved"}
