"""Where the outputs of layers part: on a real network of both frameworks, and on what dumps look like when something is wrong."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from accucheck.case import Case, CaseFile, Dumps
from accucheck.model import Finding, Table, Tree, Verdict, suggest, tree_text
from accucheck.probe import Skip
from accucheck.probes import layer_outputs
from dump_files import write


def run(root: Path, **params: Any) -> dict[str, Finding]:
    names = "names.yaml" if (root / "names.yaml").exists() else None
    case = Case(root=str(root), spec=CaseFile(dumps=Dumps(path="a", reference="b", map=names)))
    events = list(layer_outputs.run(case, layer_outputs.Params(**params)))
    findings = [event for event in events if isinstance(event, Finding)]
    found = {finding.code: finding for finding in findings}
    found["all"] = findings  # type: ignore[assignment]
    return found


def save(root: Path, name: str, values: np.ndarray) -> None:
    path = root / f"{name}.npy"
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, values)


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def both(root: Path, layers: dict[str, np.ndarray], off: dict[str, float]) -> None:
    for name, values in layers.items():
        save(root / "a", name, values * np.float32(1 + off.get(name, 0.0)))
        save(root / "b", name, values)


LAYERS = ["1_stem", "2_stage1.0.conv", "3_stage1.0.norm", "4_stage1", "5_head"]


def test_the_first_layer_that_differs_and_what_carries_it_on(tmp_path):
    layers = {name: normal(4, 8, seed=at) for at, name in enumerate(LAYERS)}
    both(tmp_path, layers, dict.fromkeys(LAYERS[2:], 0.01))
    found = run(tmp_path)
    data = found["alone"].data
    assert data["name"] == "stage1.0.norm" and data["before"] == "stage1.0.conv" and data["carriers"] == 1
    table, tree = found["alone"].evidence
    assert isinstance(table, Table) and [row[-1] for row in table.rows] == ["=", "=", "≠", "≠", "≠"]
    assert isinstance(tree, Tree)
    assert [(branch.depth, branch.text, branch.marked) for branch in tree.branches] == [
        (0, "stem", False),
        (0, "stage1", True),
        (1, "0", True),
        (2, "conv", False),
        (2, "norm", True),
        (0, "head", True),
    ]


def test_inputs_tell_the_origin_from_what_it_was_fed(tmp_path):
    layers = {
        f"{at}_layer{at}.{io}.0": normal(4, 8, seed=2 * at + (io == "output"))
        for at in range(3)
        for io in ("input", "output")
    }
    both(tmp_path, layers, {"1_layer1.output.0": 0.01, "2_layer2.input.0": 0.01, "2_layer2.output.0": 0.01})
    found = run(tmp_path)
    assert found["origin"].data["name"] == "layer1" and found["origin"].data["carriers"] == 1
    both(tmp_path, layers, {"0_layer0.input.0": 0.01, "0_layer0.output.0": 0.01})
    assert run(tmp_path)["fed"].data["name"] == "layer0"


def test_msprobe_statistics_of_two_frameworks(tmp_path):
    def entry(off: float) -> dict[str, Any]:
        said = {
            "type": "Tensor",
            "dtype": "float32",
            "shape": [2, 8],
            "Max": 2.0,
            "Min": -2.0,
            "Mean": 0.1,
            "Norm": 5.0,
        }
        return {
            "input_args": [said],
            "output": [{name: value * (1 + off) if name in ("Max", "Norm") else value for name, value in said.items()}],
        }

    for side, kinds, off in (("a", ("Cell", "Dense"), 0.01), ("b", ("Module", "Linear"), 0.0)):
        data = {
            f"{kinds[0]}.conv.Conv2d.forward.0": entry(0.0),
            f"{kinds[0]}.fc.{kinds[1]}.forward.0": entry(off),
        }
        (tmp_path / side).mkdir()
        (tmp_path / side / "dump.json").write_text(json.dumps({"data": data}))
    found = run(tmp_path)
    assert found["origin"].data["name"] == "fc"


def test_a_healthy_pair_is_ok_and_nan_on_both_sides_is_told_apart(tmp_path):
    layers = {name: normal(4, 8, seed=at) for at, name in enumerate(LAYERS)}
    both(tmp_path, layers, dict.fromkeys(LAYERS, 1e-6))
    assert suggest(run(tmp_path)["all"]) is Verdict.OK  # type: ignore[arg-type]
    layers["3_stage1.0.norm"][0, 0] = np.nan
    both(tmp_path, layers, {})
    found = run(tmp_path)
    assert found["both-nan"].data["count"] == 1 and "agree" in found
    assert suggest(found["all"]) is Verdict.UNDECIDED  # type: ignore[arg-type]


def test_shapes_layouts_damage_and_lonely_files_are_told_and_the_rest_is_compared(tmp_path):
    layers = {name: normal(4, 8, seed=at) for at, name in enumerate(LAYERS)}
    both(tmp_path, layers, {})
    save(tmp_path / "a", "1_stem", layers["1_stem"][:2])
    save(tmp_path / "a", "2_stage1.0.conv", np.ascontiguousarray(layers["2_stage1.0.conv"].T))
    half = tmp_path / "b" / "5_head.npy"
    half.write_bytes(half.read_bytes()[:140])
    save(tmp_path / "b", "6_extra", normal(3, 3, 3))
    found = run(tmp_path)
    assert found["shapes"].data["count"] == found["layout"].data["count"] == found["unread"].data["count"] == 1
    assert found["unpaired"].data["right"] == 1 and found["agree"].data["count"] == 2
    assert suggest(found["all"]) is Verdict.UNDECIDED  # type: ignore[arg-type]


def test_nothing_in_common_is_skipped(tmp_path):
    save(tmp_path / "a", "x", normal(3))
    save(tmp_path / "b", "y", normal(4))
    with pytest.raises(Skip):
        run(tmp_path)


def test_many_layers_stay_bounded_and_the_table_shows_the_fork(tmp_path):
    layers = {f"{at:04}_block{at // 10}.layer{at}": normal(8, seed=at) for at in range(700)}
    both(tmp_path, layers, dict.fromkeys(list(layers)[500:], 0.01))
    found = run(tmp_path)
    table, tree = found["alone"].evidence
    assert isinstance(table, Table) and isinstance(tree, Tree)
    assert len(table.rows) == 200 and table.total == 700 and "layer500" in str(table.rows[20][0])
    assert len(tree.branches) <= 300 and tree.total == 770 and any(branch.marked for branch in tree.branches)


@pytest.mark.mindspore
def test_a_real_network_of_both_frameworks(tmp_path):
    """The same weights and input in MindSpore and PyTorch: no difference when clean; another epsilon of LayerNorm is found at its place."""
    torch = pytest.importorskip("torch")
    import mindspore as ms
    from mindspore import nn

    weights = [normal(16, 12, seed=1), normal(16, seed=2), normal(4, 16, seed=3)]
    x = normal(8, 12, seed=4)

    def theirs() -> None:
        steps = [x]
        with torch.no_grad():
            steps.append(
                torch.nn.functional.linear(
                    torch.from_numpy(x), torch.from_numpy(weights[0]), torch.from_numpy(weights[1])
                ).numpy()
            )
            steps.append(torch.nn.functional.layer_norm(torch.from_numpy(steps[-1]), (16,)).numpy())
            steps.append(torch.nn.functional.gelu(torch.from_numpy(steps[-1])).numpy())
            steps.append(torch.nn.functional.linear(torch.from_numpy(steps[-1]), torch.from_numpy(weights[2])).numpy())
        tell("b", steps)

    def ours(epsilon: float) -> None:
        first = nn.Dense(12, 16, weight_init=ms.Tensor(weights[0]), bias_init=ms.Tensor(weights[1]))
        last = nn.Dense(16, 4, weight_init=ms.Tensor(weights[2]), has_bias=False)
        steps = [ms.Tensor(x)]
        for cell in (first, nn.LayerNorm((16,), epsilon=epsilon), nn.GELU(approximate=False), last):
            steps.append(cell(steps[-1]))
        tell("a", [step.asnumpy() for step in steps])

    def tell(side: str, steps: list[np.ndarray]) -> None:
        for at, name in enumerate(("first", "norm", "act", "last")):
            save(tmp_path / side, f"{at}_{name}.input.0", steps[at])
            save(tmp_path / side, f"{at}_{name}.output.0", steps[at + 1])

    theirs()
    ours(1e-5)
    clean = run(tmp_path)
    assert suggest(clean["all"]) is Verdict.OK, clean  # type: ignore[arg-type]
    ours(1e-1)
    assert run(tmp_path)["origin"].data["name"] == "norm"


def test_the_tree_as_text(tmp_path):
    layers = {name: normal(4, 8, seed=at) for at, name in enumerate(LAYERS)}
    both(tmp_path, layers, dict.fromkeys(LAYERS[2:], 0.01))
    tree = run(tmp_path)["alone"].evidence[1]
    assert isinstance(tree, Tree)
    assert tree_text(tree).split("\n") == [
        "stem  0",
        "! stage1  0.01",
        "  ! 0  0.01",
        "    conv  0",
        "    ! norm  0.01",
        "! head  0.01",
    ]


GRADIENTS = ["1_stem", "2_norm", "3_head", "4_head.grad", "5_norm.grad", "6_stem.grad"]


@pytest.mark.parametrize("names", [GRADIENTS, [name[2:] for name in GRADIENTS]])
def test_outputs_stand_before_gradients(tmp_path, names):
    layers = {name: normal(4, 8, seed=at) for at, name in enumerate(names)}
    both(tmp_path, layers, {name: 0.01 for name in names if "stem" not in name or "grad" in name})
    found = run(tmp_path)
    split = found["alone" if names is GRADIENTS else "unordered"]
    assert split.data["name"] == ("norm" if names is GRADIENTS else "head") and split.data["at"]["en"] == ""


def test_gradients_that_differ_from_the_loss_on(tmp_path):
    layers = {name: normal(4, 8, seed=at) for at, name in enumerate(GRADIENTS)}
    both(tmp_path, layers, dict.fromkeys(GRADIENTS[3:], 31.0))
    data = run(tmp_path)["loss-factor"].data
    assert data["name"] == "head" and data["outputs"] == 3 and data["factor"] == "32" and data["carriers"] == 2
    for name in GRADIENTS[3:]:
        save(tmp_path / "a", name, layers[name] + normal(4, 8, seed=9))
    assert run(tmp_path)["loss"].data["name"] == "head"


def test_a_gradient_that_differs_behind_one_that_agrees_is_of_its_layer(tmp_path):
    layers = {name: normal(4, 8, seed=at) for at, name in enumerate(GRADIENTS)}
    both(tmp_path, layers, dict.fromkeys(GRADIENTS[4:], 0.01))
    data = run(tmp_path)["alone"].data
    assert data["name"] == "norm" and "backward" in data["at"]["en"] and data["before"] == "head"


def test_a_map_of_names_settles_what_order_leaves_open(tmp_path):
    for at, name in enumerate(("stem", "relu", "norm")):
        save(tmp_path / "a", f"{at}_{name}", normal(4, 8, seed=at))
    for at, name in enumerate(("features.0", "features.1", "features.1a", "features.2")):
        save(tmp_path / "b", f"{at}_{name}", normal(4, 8, seed=at + 20))
    with pytest.raises(Skip, match="no-pairs"):
        run(tmp_path)
    (tmp_path / "names.yaml").write_text("stem: features.0\nnorm: features.2\nhed: head\n")
    found = run(tmp_path)
    assert found["compared"].data["count"] == 2 and found["alone-first"].data["name"] == "stem" and "ambiguous" in found
    assert found["map-unknown"].data["count"] == 2 and found["map-unknown"].data["names"] == ["hed", "head"]


GRAPH = """
import sys

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

ms.set_context(mode=ms.GRAPH_MODE)
weights = np.load(sys.argv[0].replace("train.py", "weights.npz"))

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, pad_mode="valid", weight_init=Tensor(weights["conv"]))
        self.norm = nn.BatchNorm2d(4, eps=0.1 if sys.argv[1] == "epsilon" else 1e-5)
        self.act, self.flat = nn.ReLU(), nn.Flatten()
        self.head = nn.Dense(144, 3, weight_init=Tensor(weights["head"]), bias_init="zeros")

    def construct(self, x):
        return self.head(self.flat(self.act(self.norm(self.conv(x)))))

net = Net()
net.set_train()
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), nn.SGD(net.trainable_params(), 0.01))
for _ in range(2):
    print(float(step(Tensor(weights["x"]), Tensor(np.array([0, 1, 2, 0], np.int32)))))
"""


@pytest.mark.mindspore
def test_what_mindspore_dumps_in_graph_mode_against_itself_and_against_modules_of_pytorch(tmp_path):
    """Two dumps of one network, one with another epsilon: the operation is named; against outputs of modules of PyTorch: the module."""
    torch = pytest.importorskip("torch")
    weights = {"conv": normal(4, 1, 3, 3, seed=1), "head": normal(3, 144, seed=2), "x": normal(4, 1, 8, 8, seed=3)}
    np.savez(tmp_path / "weights.npz", **weights)
    for side, kind in (("a", "epsilon"), ("b", "clean"), ("c", "clean")):
        write(tmp_path, kind, GRAPH).rename(tmp_path / side)
    found = run(tmp_path)
    assert "BatchNorm" in found["origin"].data["name"] and found["attribute"].data["slots"] == ["6"]
    shutil.move(tmp_path / "a", tmp_path / "epsilon")
    shutil.move(tmp_path / "c", tmp_path / "a")
    assert suggest(run(tmp_path)["all"]) is Verdict.OK  # type: ignore[arg-type]

    shutil.rmtree(tmp_path / "b")
    values = torch.from_numpy(weights["x"])
    steps = {"conv": torch.nn.functional.conv2d(values, torch.from_numpy(weights["conv"]))}
    steps["norm"] = torch.nn.functional.batch_norm(steps["conv"], None, None, training=True)
    steps["act"] = torch.relu(steps["norm"])
    steps["head"] = steps["act"].flatten(1) @ torch.from_numpy(weights["head"]).T
    for at, (name, output) in enumerate(steps.items()):
        save(tmp_path / "b" / "step0", f"{at}_{name}", output.numpy())
    found = run(tmp_path)
    assert suggest(found["all"]) is not Verdict.PROBLEM and found["agree"].data["count"] >= 3, found
    shutil.rmtree(tmp_path / "a")
    shutil.move(tmp_path / "epsilon", tmp_path / "a")
    assert run(tmp_path)["alone"].data["name"] == "norm"


def test_a_benchmark_of_zeros_has_no_relative_difference(tmp_path):
    layers = {name: normal(4, 8, seed=at) for at, name in enumerate(LAYERS)}
    both(tmp_path, layers, {})
    save(tmp_path / "b", LAYERS[2], np.zeros((4, 8), np.float32))
    (split,) = (finding for finding in run(tmp_path)["all"] if finding.data.get("name") == "stage1.0.norm")
    assert split.data["relative"] == "-" and float(split.data["largest"]) > 1
