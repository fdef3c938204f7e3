"""Which tensor of one dump stands for which of another."""

import json
import time
from pathlib import Path

import numpy as np
import pytest

from accucheck.errors import UserError
from accucheck.readers import dump_pairs
from accucheck.readers.dump_pairs import Matches, match, module_output, of_graph, read_names
from accucheck.readers.dumps import Tensor, open_dump


def saved(root: Path, names: dict[str, tuple[int, ...]]) -> Path:
    for name, shape in names.items():
        path = root / f"{name}.npy"
        path.parent.mkdir(parents=True, exist_ok=True)
        np.save(path, np.zeros(shape, np.float32))
    return root


def matched(
    tmp_path: Path,
    left: dict[str, tuple[int, ...]],
    right: dict[str, tuple[int, ...]],
    names: dict[str, str] | None = None,
) -> Matches:
    return match(open_dump(saved(tmp_path / "a", left)), open_dump(saved(tmp_path / "b", right)), names)


def told(found: Matches) -> dict[str, tuple[str, str]]:
    return {one.left.name: (one.right.name, one.how) for one in found.found}


def test_equal_names_in_nested_folders(tmp_path):
    names = {"layer1/block0/conv1": (2,), "layer1/block1/conv1": (2,), "fc": (3,)}
    found = matched(tmp_path, names, names)
    assert told(found) == {name: (name, "name") for name in names} and not (found.left or found.right)


def test_steps_of_one_side_only_are_told(tmp_path):
    found = matched(
        tmp_path, {"step0/fc": (2,), "step1/fc": (2,), "step2/fc": (2,)}, {"step0/fc": (2,), "step1/fc": (2,)}
    )
    assert len(found.found) == 2 and found.steps == [("left", None, 2)]


def test_dots_folders_wrappers_and_numbers_are_one_place(tmp_path):
    left = {"0001_backbone.conv1": (2,), "0002_backbone.fc.input.0": (2,), "0003_backbone.fc.output.0": (2,)}
    right = {"module/backbone/conv1": (2,), "module/backbone/fc_input_0": (2,), "module/backbone/fc_output_0": (2,)}
    found = matched(tmp_path, left, right)
    assert [(one.left.name[:4], one.right.name[16:], one.how) for one in found.found] == [
        ("0001", "conv1", "place"),
        ("0002", "fc_input_0", "place"),
        ("0003", "fc_output_0", "place"),
    ]


def test_a_map_names_modules_and_whole_tensors_and_unknown_names_are_told(tmp_path):
    left = {"features.conv.output.0": (2,), "features.norm.output.0": (2,), "head": (2,)}
    right = {"body.conv.output.0": (2,), "body.norm.output.0": (2,), "classifier": (2,)}
    names = {"features": "body", "head": "classifier", "nowhere": "classifier", "head2": "no-such"}
    found = matched(tmp_path, left, right, names)
    assert {how for _, how in told(found).values()} == {"map"} and len(found.found) == 3
    assert set(found.unknown) == {("left", "nowhere"), ("left", "head2"), ("right", "no-such")}


def test_numbered_names_are_paired_by_order_and_shape(tmp_path):
    left = {"1_conv": (2, 3), "2_norm": (2, 3), "3_fc": (5,)}
    right = {"1_a": (2, 3), "2_b": (2, 3), "3_c": (5,)}
    assert told(matched(tmp_path, left, right)) == {
        "1_conv": ("1_a", "order"),
        "2_norm": ("2_b", "order"),
        "3_fc": ("3_c", "order"),
    }


def test_names_without_order_are_paired_only_where_one_shape_tells(tmp_path):
    found = matched(tmp_path, {"conv": (2, 3), "norm": (2, 3), "fc": (5,)}, {"a": (2, 3), "b": (2, 3), "c": (5,)})
    assert told(found) == {"fc": ("c", "order")}
    assert found.ambiguous == [(["conv", "norm"], ["a", "b"])]


def test_what_lies_between_known_pairs_is_paired_within(tmp_path):
    left = {"1_conv": (2,), "2_x": (2,), "3_norm": (2,), "4_y": (2,)}
    right = {"1_conv": (2,), "2_p": (2,), "3_norm": (2,), "4_q": (2,), "5_r": (7,)}
    found = matched(tmp_path, left, right)
    assert told(found)["2_x"] == ("2_p", "order")
    assert [point.name for point in found.right] == ["5_r"]


def entry(*values: float) -> dict[str, object]:
    said = {
        "type": "Tensor",
        "dtype": "float32",
        "shape": [2, 2],
        "Max": values[0],
        "Min": values[1],
        "Mean": 0.0,
        "Norm": values[2],
    }
    return {"input_args": [said], "input_kwargs": {}, "output": [said]}


def test_msprobe_of_both_frameworks(tmp_path):
    for side, keys in (
        (
            "a",
            [
                "Cell.conv1.Conv2d.forward.0",
                "Cell.fc.Dense.forward.0",
                "Mint.add.0.forward",
                "Functional.relu.1.forward",
            ],
        ),
        (
            "b",
            [
                "Module.conv1.Conv2d.forward.0",
                "Module.fc.Linear.forward.0",
                "Torch.add.0.forward",
                "Functional.relu.1.forward",
            ],
        ),
    ):
        (tmp_path / side).mkdir()
        (tmp_path / side / "dump.json").write_text(json.dumps({"data": {key: entry(1.0, -1.0, 2.0) for key in keys}}))
    found = match(open_dump(tmp_path / "a"), open_dump(tmp_path / "b"))
    assert len(found.found) == 8 and not found.left and not found.right
    assert {one.how for one in found.found} == {"name"}


def test_operations_of_a_graph_are_put_together_by_module(tmp_path):
    names = [
        "Conv2D.Default_network-WithLossCell__backbone-Net_conv-Conv2d_Conv2D-op0.0.0.10.output.0.DefaultFormat.Float32",
        "MatMul.Default_network-WithLossCell__backbone-Net_fc-Dense_MatMul-op1.0.0.11.output.0.DefaultFormat.Float32",
        "BiasAdd.Default_network-WithLossCell__backbone-Net_fc-Dense_BiasAdd-op2.0.0.12.output.0.DefaultFormat.Float32",
        "MatMul.Gradients_Default_network-WithLossCell_gradMatMul-op3.0.0.13.output.0.DefaultFormat.Float32",
    ]
    saved(tmp_path / "a", dict.fromkeys(names, (2,)))
    graph, plain = open_dump(tmp_path / "a"), open_dump(saved(tmp_path / "b", {"conv": (2,), "fc": (2,)}))
    assert of_graph(graph) and not of_graph(plain)
    found = match(module_output(graph), plain)
    assert [(Path(one.left.tensor.path).name.split(".")[0], one.right.name) for one in found.found] == [
        ("Conv2D", "conv"),
        ("BiasAdd", "fc"),
    ]


def drawn(root: Path, side: str, layers: dict[str, tuple[int, tuple[int, ...]]]) -> Path:
    """Files of the numbers that a seed gives, in this order."""
    for at, (name, (seed, shape)) in enumerate(layers.items()):
        (root / side).mkdir(exist_ok=True)
        np.save(root / side / f"{at:03}_{name}.npy", np.random.default_rng(seed).standard_normal(shape, np.float32))
    return root / side


def paired(found: Matches) -> dict[str, tuple[str, str]]:
    return {one.left.name[4:]: (one.right.name[4:], one.how) for one in found.found}


def test_modules_that_hold_others_do_not_hinder_order(tmp_path):
    ours = {"encode": (0, (2, 3)), "up": (1, (2, 4)), "norm": (2, (2, 4)), "act": (3, (2, 4))}
    theirs = {"encode": (0, (2, 3)), **{f"decoder.{at}": (at + 1, (2, 4)) for at in range(3)}, "decoder": (3, (2, 4))}
    found = match(open_dump(drawn(tmp_path, "a", ours)), open_dump(drawn(tmp_path, "b", theirs)))
    assert paired(found) == {
        "encode": ("encode", "name"),
        "up": ("decoder.0", "order"),
        "norm": ("decoder.1", "order"),
        "act": ("decoder.2", "order"),
    }
    assert not found.ambiguous and [point.name for point in found.right] == ["004_decoder"]


def test_gradients_follow_their_modules(tmp_path):
    ours = {name: (at, (2, 4)) for at, name in enumerate(("stem", "norm", "relu", "relu.grad", "stem.grad"))}
    theirs = {name: (at, (2, 4)) for at, name in enumerate(("conv", "bn", "act", "act.grad", "bn.grad", "conv.grad"))}
    found = match(open_dump(drawn(tmp_path, "a", ours)), open_dump(drawn(tmp_path, "b", theirs)))
    assert {one: other for one, (other, _) in paired(found).items()} == {
        "stem": "conv",
        "norm": "bn",
        "relu": "act",
        "relu.grad": "act.grad",
        "stem.grad": "conv.grad",
    }
    assert [one.left.spot.direction for one in found.found] == ["forward"] * 3 + ["backward"] * 2


def test_equal_numbers_tell_layers_of_one_shape_apart(tmp_path):
    """Our side dumped no activations: what agrees is paired, and behind the fault only what the shapes force."""
    ours = {"a": (0, (4, 8)), "b": (2, (4, 8)), "c": (4, (4, 8)), "d": (50, (4, 8)), "e": (60, (4, 3))}
    theirs = {f"{at}x": (at, (4, 8)) for at in range(6)} | {"last": (9, (4, 3))}
    found = match(open_dump(drawn(tmp_path, "a", ours)), open_dump(drawn(tmp_path, "b", theirs)))
    assert paired(found) == {
        "a": ("0x", "numbers"),
        "b": ("2x", "numbers"),
        "c": ("4x", "numbers"),
        "d": ("5x", "order"),
        "e": ("last", "order"),
    }


def test_what_could_stand_for_several_is_not_guessed(tmp_path):
    ours = {"a": (0, (4, 8)), "b": (70, (4, 8)), "c": (71, (4, 2)), "d": (72, (4, 8))}
    theirs = {"k": (0, (4, 8)), "l": (1, (4, 8)), "m": (2, (4, 8)), "n": (3, (4, 2)), "o": (4, (4, 8))}
    found = match(open_dump(drawn(tmp_path, "a", ours)), open_dump(drawn(tmp_path, "b", theirs)))
    assert paired(found) == {"a": ("k", "numbers"), "c": ("n", "order"), "d": ("o", "order")}
    assert found.ambiguous == [(["001_b"], ["001_l", "002_m"])]


def test_numbers_pair_what_has_no_order(tmp_path):
    for side, names in (("a", ("x", "y", "z")), ("b", ("p", "q", "r"))):
        (tmp_path / side).mkdir()
        for name, seed in zip(names, (5, 6, 7) if side == "a" else (7, 5, 6), strict=True):
            np.save(tmp_path / side / f"{name}.npy", np.random.default_rng(seed).standard_normal(8))
    found = match(open_dump(tmp_path / "a"), open_dump(tmp_path / "b"))
    assert told(found) == {"x": ("q", "numbers"), "y": ("r", "numbers"), "z": ("p", "numbers")}


def test_a_file_of_names(tmp_path):
    path = tmp_path / "names.yaml"
    path.write_text("backbone.conv1: features.0\nhead: fc\n")
    assert read_names(path) == {"backbone.conv1": "features.0", "head": "fc"}
    path.write_text(
        "parameters:\n  conv.weight: features.0.weight\n  conv.bias: {name: features.0.bias}\n  bn.gamma: null\n"
        "  q.weight: [{name: qkv.weight, rows: [0, 4]}]\n  x.weight: a.weight\n  x.bias: b.bias\n  scale: gain\n"
    )
    assert read_names(path) == {"conv": "features.0", "q": "qkv"}
    for content in ("- a\n", "a: 1\n", "a: [b]\n", "text", "1: b\n"):
        path.write_text(content)
        with pytest.raises(UserError):
            read_names(path)


def test_files_of_msprobe_and_folders_of_steps(tmp_path):
    left = {"Cell.fc.Dense.forward.0.input.0": (2,), "Functional.relu.forward.0.output.0": (3,), "norm/3/bias": (4,)}
    right = {
        "Module.fc.Linear.forward.0.input.0": (2,),
        "Functional.relu.forward.0.output.0": (3,),
        "norm/3/bias": (4,),
    }
    found = matched(tmp_path, left, right)
    assert len(found.found) == 3 and not found.left and not found.right


@pytest.mark.parametrize(
    ("name", "scope"),
    [
        ("Default_network-Net-Conv2d-op1", ""),  # the network itself
        ("Default-op3", None),
        ("Gradients_Default-x-y", None),
        ("Default_a-b_c-d_e-op12", "a.c"),
    ],
)
def test_the_module_of_an_operation_of_a_graph(name, scope):
    assert dump_pairs._scope(name) == scope


def test_a_name_of_the_map_is_known_where_a_tensor_or_a_module_above_one_has_it():
    tensor = Tensor("a.npy", "", "a", "output", 0)
    spots = [dump_pairs.TensorSource(name, "forward", 0, "output", 0) for name in ("fc", "deep.er.conv")]
    known = dump_pairs._names([dump_pairs.Point(f"{s.module}:0", s, tensor, 0, None, None) for s in spots])
    assert known == {"fc", "fc:0", "deep", "deep.er", "deep.er.conv", "deep.er.conv:0"}


def test_many_names_against_many_tensors_take_no_time_for_each_pair():
    tensor = Tensor("a.npy", "", "a", "output", 0)
    names = [f"l{number // 6}.m.{number % 6}" for number in range(12_000)]
    side = [
        dump_pairs.Point(n, dump_pairs.TensorSource(n, "forward", 0, "output", 0), tensor, 0, None, None) for n in names
    ]
    start = time.perf_counter()
    known = dump_pairs._names(side)
    assert all(f"l{number}.m" in known for number in range(2000))
    assert time.perf_counter() - start < 1
