"""Parameters of MindSpore and PyTorch paired: real lists, names that differ, and what must not be guessed."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from accucheck import document, parameter_map
from accucheck.errors import UserError
from accucheck.parameter_map import ParameterMap, counts, pair_parameters, read_map, views, written
from accucheck.readers.checkpoints import TensorInfo, open_checkpoint, read, state_names

LISTS = Path(__file__).with_name("parameter_maps")
NETWORKS = sorted(path.name.removesuffix(".json.gz") for path in LISTS.glob("*.json.gz"))


def tensors(shapes: dict[str, tuple[int, ...]] | list[tuple[str, list[int], str]]) -> list[TensorInfo]:
    rows = [(name, shape, "float32") for name, shape in shapes.items()] if isinstance(shapes, dict) else shapes
    states = state_names(row[0] for row in rows)
    return [
        TensorInfo(name, dtype, tuple(shape), "", role="state" if name in states else "weight")
        for name, shape, dtype in rows
    ]


def found(left: dict[str, tuple[int, ...]], right: dict[str, tuple[int, ...]]) -> ParameterMap:
    return pair_parameters(tensors(left), tensors(right))


def names(mapped: ParameterMap) -> dict[str, str]:
    return {pair.left.name: pair.right.name for pair in mapped.pairs}


def conv(name: str, outputs: int, inputs: int, k: int = 3) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (outputs, inputs, k, k)}


def norm(name: str, size: int, torch: bool = False) -> dict[str, tuple[int, ...]]:
    leaves = (
        ("weight", "bias", "running_mean", "running_var")
        if torch
        else ("moving_mean", "moving_variance", "gamma", "beta")
    )
    return {f"{name}.{leaf}": (size,) for leaf in leaves} | ({f"{name}.num_batches_tracked": ()} if torch else {})


def dense(name: str, outputs: int, inputs: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (outputs, inputs), f"{name}.bias": (outputs,)}


def test_there_are_ten_architectures() -> None:
    assert len(NETWORKS) == 11  # DCGAN is two


@pytest.mark.parametrize("name", NETWORKS)
def test_real_networks_are_mapped_as_their_outputs_proved(name: str) -> None:
    """The committed pairs gave equal outputs of both frameworks (parameter_maps/make.py)."""
    content = json.loads(gzip.decompress((LISTS / f"{name}.json.gz").read_bytes()))
    mapped = pair_parameters(tensors(content["mindspore"]), tensors(content["pytorch"]))
    pairs = sorted(
        [pair.left.name, pair.right.name, pair.transform, list(pair.right_rows) if pair.right_rows else None]
        for pair in mapped.pairs
    )
    assert pairs == content["pairs"]
    assert (mapped.left, mapped.shapes, mapped.ambiguous) == ([], [], [])
    assert {pair.left.name for pair in mapped.pairs} == {row[0] for row in content["mindspore"]}
    assert sorted(info.name for info in mapped.right) == content["alone"]


@pytest.mark.parametrize("name", NETWORKS)
def test_the_other_way_round_the_same_pairs_are_found(name: str) -> None:
    content = json.loads(gzip.decompress((LISTS / f"{name}.json.gz").read_bytes()))
    mapped = pair_parameters(tensors(content["pytorch"]), tensors(content["mindspore"]))
    assert sorted([pair.right.name, pair.left.name] for pair in mapped.pairs) == sorted(
        row[:2] for row in content["pairs"]
    )


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("dropped", [0.2, 0.5, 0.8])
def test_a_layer_less_makes_no_wrong_pair(name: str, dropped: float) -> None:
    """A layer is missing in the MindSpore network: the others are paired rightly or told as ambiguous."""
    content = json.loads(gzip.decompress((LISTS / f"{name}.json.gz").read_bytes()))
    paths = list(dict.fromkeys(row[0].rpartition(".")[0] for row in content["mindspore"]))
    gone = paths[int(len(paths) * dropped)]
    left = [row for row in content["mindspore"] if row[0].rpartition(".")[0] != gone]
    mapped = pair_parameters(tensors(left), tensors(content["pytorch"]))
    truth = {tuple(row[:2]) for row in content["pairs"]}
    assert {(pair.left.name, pair.right.name) for pair in mapped.pairs} <= truth


@pytest.mark.parametrize(
    ("name", "block"),
    [("bert_base", f".layers.{n}.") for n in (0, 5, 11)]
    + [("vit_s", f"blocks.{n}.") for n in (0, 6, 11)]
    + [
        ("densenet121", "denseblock3"),
        ("unet", "decoder.1."),
        ("resnet50", "layer3.2."),
        ("yolo", "stage4.1.bottlenecks.1."),
        ("mobilenet_v2", "features.9."),
    ],
)
def test_a_block_less_makes_no_wrong_pair(name: str, block: str) -> None:
    content = json.loads(gzip.decompress((LISTS / f"{name}.json.gz").read_bytes()))
    left = [row for row in content["mindspore"] if block not in row[0]]
    assert len(left) < len(content["mindspore"])
    mapped = pair_parameters(tensors(left), tensors(content["pytorch"]))
    assert {(pair.left.name, pair.right.name) for pair in mapped.pairs} <= {tuple(row[:2]) for row in content["pairs"]}
    told = {info.name for group in mapped.ambiguous for info in (*group.left, *group.right)}
    told |= {info.name for info in (*mapped.left, *mapped.right)} | {one.name for both in mapped.shapes for one in both}
    told |= {info.name for pair in mapped.pairs for info in (pair.left, pair.right)}
    assert told >= {row[0] for row in (*left, *content["pytorch"])}


def test_a_batchnorm_that_stands_alone_has_other_names() -> None:
    mapped = found(
        {"mean": (4,), "variance": (4,), "gamma": (4,), "beta": (4,)},
        {"weight": (4,), "bias": (4,), "running_mean": (4,), "running_var": (4,), "num_batches_tracked": ()},
    )
    assert names(mapped) == {
        "mean": "running_mean",
        "variance": "running_var",
        "gamma": "weight",
        "beta": "bias",
    }
    assert [info.name for info in mapped.right] == ["num_batches_tracked"]


def test_layers_whose_parameters_are_called_otherwise() -> None:
    left = {
        "bn.bn2d.gamma": (3,),
        "bn.bn2d.beta": (3,),
        "act.a": (3,),
        "embed.embedding_table": (9, 3),
        "conv.weight": (5, 3, 1, 7),
        "norm.gamma": (5,),
        "norm.beta": (5,),
        "scale": (1,),
    }
    right = {
        "bn.weight": (3,),
        "bn.bias": (3,),
        "act.weight": (3,),
        "embed.weight": (9, 3),
        "conv.weight": (5, 3, 7),
        "norm.weight": (5,),
        "norm.bias": (5,),
        "scale": (),
    }
    mapped = found(left, right)
    assert list(names(mapped).items()) == [
        *(("bn.bn2d.gamma", "bn.weight"), ("bn.bn2d.beta", "bn.bias"), ("act.a", "act.weight")),
        *(("embed.embedding_table", "embed.weight"), ("conv.weight", "conv.weight")),
        *(("norm.gamma", "norm.weight"), ("norm.beta", "norm.bias"), ("scale", "scale")),
    ]
    assert {pair.left.name: pair.transform for pair in mapped.pairs if pair.transform} == {
        "conv.weight": "reshape",
        "scale": "reshape",
    }


def test_a_missing_bias_is_told_and_the_layer_is_the_same() -> None:
    mapped = found(
        conv("stem", 8, 3) | dense("fc", 4, 8), {"a.weight": (8, 3, 3, 3), "a.bias": (8,)} | dense("b", 4, 8)
    )
    assert names(mapped) == {"stem.weight": "a.weight", "fc.weight": "b.weight", "fc.bias": "b.bias"}
    assert [info.name for info in mapped.right] == ["a.bias"]


def test_prefixes_on_some_keys_only() -> None:
    left = conv("conv", 8, 3) | dense("fc1", 8, 8) | dense("fc2", 8, 8)
    right = {f"module.{name}" if "fc2" not in name else name: shape for name, shape in left.items()}
    assert names(found(left, right)) == {name: name if "fc2" in name else f"module.{name}" for name in left}


def test_numbers_that_count_layers_without_parameters() -> None:
    """features.2 is the third convolution here and the second there."""
    left = {name: shape for number in range(4) for name, shape in conv(f"features.{number}", 8, 8).items()}
    right = {name: shape for number in range(4) for name, shape in conv(f"features.{2 * number}", 8, 8).items()}
    assert names(found(left, right)) == {f"features.{n}.weight": f"features.{2 * n}.weight" for n in range(4)}


def test_counting_from_one_and_from_zero() -> None:
    left = {name: shape for n in range(6) for name, shape in dense(f"layer{n}", 8, 8).items()}
    right = {name: shape for n in range(6) for name, shape in dense(f"block{n + 1}", 8, 8).items()}
    assert names(found(left, right))["layer3.weight"] == "block4.weight"


def test_a_normalisation_is_missing_and_the_numbers_shift() -> None:
    left, right = {}, {}
    for number in range(3):
        left |= conv(f"net.{2 * number}", 4, 4 if number else 3)
        right |= conv(f"net.{3 * number}", 4, 4 if number else 3) | norm(f"net.{3 * number + 1}", 4, torch=True)
    mapped = found(left, right)
    assert names(mapped) == {f"net.{2 * n}.weight": f"net.{3 * n}.weight" for n in range(3)}
    assert len(mapped.right) == 15


def test_what_fits_equally_well_is_told_and_not_paired() -> None:
    mapped = found(dense("a", 8, 8) | dense("b", 8, 8), dense("x", 8, 8) | dense("y", 8, 8) | dense("z", 8, 8))
    assert mapped.pairs == []
    assert [(group.why, len(group.left), len(group.right)) for group in mapped.ambiguous] == [("order", 4, 6)]


def test_names_that_contradict_the_order_are_told() -> None:
    left = conv("conv_c", 8, 8, 1) | conv("downsample_x", 8, 8, 1) | dense("fc", 2, 8)
    right = conv("shortcut.0", 8, 8, 1) | conv("conv3", 8, 8, 1) | dense("head", 2, 8)
    mapped = found(left, right)
    assert names(mapped) == {"fc.weight": "head.weight", "fc.bias": "head.bias"}
    assert [group.why for group in mapped.ambiguous] == ["names"]


def test_a_head_of_another_size_is_told() -> None:
    mapped = found(conv("c", 8, 3) | dense("fc", 10, 8), conv("c", 8, 3) | dense("fc", 1000, 8))
    assert [(one.name, other.name) for one, other in mapped.shapes] == [
        ("fc.weight", "fc.weight"),
        ("fc.bias", "fc.bias"),
    ]


def test_tensors_stored_the_other_way_round() -> None:
    left = dense("attn", 24, 8) | dense("proj", 8, 8)
    right = {"attn.weight": (8, 24), "attn.bias": (24,), "proj.weight": (8, 8), "proj.bias": (8,)}
    mapped = found(left, right)
    assert {pair.left.name: pair.transform for pair in mapped.pairs} == {
        "attn.weight": "transpose",
        "attn.bias": "",
        "proj.bias": "",
    }
    assert [(group.why, group.left[0].name) for group in mapped.ambiguous] == [("transpose", "proj.weight")]


def test_joined_projections_of_attention() -> None:
    left = dense("attn.q", 8, 8) | dense("attn.k", 8, 8) | dense("attn.v", 8, 8) | dense("attn.proj", 8, 8)
    right = {"attn.in_proj_weight": (24, 8), "attn.in_proj_bias": (24,)} | dense("attn.out_proj", 8, 8)
    mapped = found(left, right)
    assert {(pair.left.name, pair.right.name, pair.right_rows) for pair in mapped.pairs if pair.right_rows} == {
        (f"attn.{part}.{leaf}", f"attn.in_proj_{leaf}", (8 * n, 8 * n + 8))
        for n, part in enumerate("qkv")
        for leaf in ("weight", "bias")
    }
    assert len(mapped.pairs) == 8
    back = found(right, left)
    assert {pair.left_rows for pair in back.pairs} == {None, (0, 8), (8, 16), (16, 24)}


def test_weight_normalisation_of_both_kinds() -> None:
    left = {"c.weight_g": (4, 1, 1), "c.weight_v": (4, 3, 3), "c.bias": (4,)}
    right = {
        "c.bias": (4,),
        "c.parametrizations.weight.original0": (4, 1, 1),
        "c.parametrizations.weight.original1": (4, 3, 3),
    }
    assert names(found(left, right))["c.weight_v"] == "c.parametrizations.weight.original1"


def test_optimizer_state_by_name_and_by_number() -> None:
    weights = conv("c", 4, 3) | norm("bn", 4) | dense("fc", 2, 4)
    left = (
        weights
        | {
            f"{kind}.{name}": shape
            for kind in ("moment1", "moment2")
            for name, shape in weights.items()
            if "moving" not in name
        }
        | {"global_step": (1,)}
    )
    right = conv("c", 4, 3) | norm("bn", 4, torch=True) | dense("fc", 2, 4)
    learnt = [shape for name, shape in right.items() if "running" not in name and "tracked" not in name]
    for number, shape in enumerate(learnt):
        right |= {f"optimizer.state.{number}.{kind}": shape for kind in ("exp_avg", "exp_avg_sq")}
        right[f"optimizer.state.{number}.step"] = ()
    mapped = found(left, right)
    assert names(mapped)["moment1.fc.weight"] == "optimizer.state.3.exp_avg"
    assert names(mapped)["moment2.bn.beta"] == "optimizer.state.2.exp_avg_sq"
    assert sum(pair.how == "state" for pair in mapped.pairs) == 10
    assert [info.name for info in mapped.left] == ["global_step"]


def test_counts_leave_statistics_out_of_what_is_trained() -> None:
    both = conv("c", 4, 3) | norm("bn", 4)
    assert counts(tensors(both)) == {"tensors": 5, "numbers": 124, "trainable": 3, "trainable_numbers": 116}
    assert counts(tensors(conv("c", 4, 3) | norm("bn", 4, torch=True))) == counts(tensors(both))


def test_hostile_names_end() -> None:
    left = {".".join(["a"] * 500) + f".{number}.weight": (2, 2) for number in range(50)}
    left |= {"": (1,), ".": (1,), "..weight": (2,), "9" * 5000 + ".weight": (3,), "².weight": (4,), "٣.weight": (5,)}
    mapped = found(left, left)
    assert len(mapped.pairs) >= 50


def read_back(tmp_path: Path, text: str, left: list[TensorInfo], right: list[TensorInfo]) -> ParameterMap:
    file = tmp_path / "map.yaml"
    file.write_text(text, "utf-8")
    return pair_parameters(left, right, read_map(file, left, right))


@pytest.mark.parametrize("name", NETWORKS)
def test_a_written_map_is_read_back(name: str, tmp_path: Path) -> None:
    content = json.loads(gzip.decompress((LISTS / f"{name}.json.gz").read_bytes()))
    left, right = tensors(content["mindspore"]), tensors(content["pytorch"])
    first = pair_parameters(left, right)
    second = read_back(tmp_path, written(first, "net.ckpt", "ref.pth"), left, right)
    assert {pair.how for pair in second.pairs} == {"file"}
    assert [(pair.left, pair.right, pair.transform) for pair in second.pairs] == [
        (pair.left, pair.right, pair.transform) for pair in first.pairs
    ]
    assert {info.name for info in second.right} == {info.name for info in first.right}


def test_a_map_decides_what_is_ambiguous(tmp_path: Path) -> None:
    left = tensors(dense("a", 8, 8) | dense("b", 8, 8))
    right = tensors(dense("x", 8, 8) | dense("y", 8, 8) | dense("z", 8, 8))
    text = "parameters:\n  a.weight: z.weight\n  a.bias: z.bias\n  b.weight: {name: x.weight, transpose: true}\n  b.bias: null\n"
    mapped = read_back(tmp_path, text, left, right)
    assert names(mapped) == {"a.weight": "z.weight", "a.bias": "z.bias", "b.weight": "x.weight"}
    assert [pair.transform for pair in mapped.pairs] == ["", "", "transpose"]
    assert [info.name for info in mapped.left] == ["b.bias"]


def test_names_that_yaml_would_take_for_something_else(tmp_path: Path) -> None:
    both = tensors({"no.weight": (2, 3), "1.5": (4,), "a: b #c\n'\"": (5,), "卷积.weight": (6, 2), "null": (7,)})
    mapped = pair_parameters(both, both)
    assert len(read_back(tmp_path, written(mapped, "\n- x", "b"), both, both).pairs) == 5


def test_names_of_any_script_are_written_as_they_are_and_read_back(tmp_path: Path) -> None:
    both = tensors({"卷积.weight": (2, 3), "𠮷.weight": (4,), "😀.bias": (5,), "a\U000f0000\x85\ufeff.weight": (6,)})
    text = written(pair_parameters(both, both), "权重/𠮷.ckpt", "b")
    assert '"卷积.weight"' in text and '"𠮷.weight"' in text and '# "权重/𠮷.ckpt"' in text
    given = read_map(put(tmp_path, text), both, both)
    assert len(given.pairs) == 4 and not given.wrong


def put(folder: Path, text: str) -> Path:
    file = folder / "map.yaml"
    file.write_text(text, "utf-8")
    return file


@pytest.mark.part(40)
def test_a_map_the_wrong_way_round_is_refused_in_time_that_grows_with_it(tmp_path: Path, monkeypatch) -> None:
    count = 1500
    left = tensors({f"net.layers.{n}.attention.proj.weight": (8, 8) for n in range(count)})
    right = tensors({f"module.layers.{n}.attention.proj.weight": (8, 8) for n in range(count)})
    lines = [f"  {other.name}: {one.name}\n" for one, other in zip(left, right, strict=True)]
    file = put(tmp_path, "version: 1\nparameters:\n" + "".join(lines))
    composed = []
    real = document._composed
    monkeypatch.setattr(document, "_composed", lambda text: composed.append(text) or real(text))
    given = read_map(file, left, right)
    assert [error.data["line"] for error in given.wrong] == list(range(3, count + 3)) and len(composed) == 1
    hinted = [error.data["hint"].code for error in given.wrong]
    assert set(hinted[:20]) == {"hint-nearest"} and set(hinted[20:]) == {"hint-none"}


def test_numbered_experts_are_compared_only_with_their_namesakes() -> None:
    """Of a mixture of experts each number has as many layers on both sides as there are experts."""

    class Counted(tuple):
        cut = 0

        def __getitem__(self, at):
            Counted.cut += isinstance(at, slice)
            return tuple.__getitem__(self, at)

    layers = [
        Counted(("layers", str(at), "experts", str(one), part)) for at in (0, 1) for one in range(60) for part in "abc"
    ]
    assert parameter_map._numbered(layers, layers, lambda one, other: False) == (layers, layers)
    assert Counted.cut < 20 * len(layers)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("fd.weight: fc.weight", "map-unknown"),
        ("fc.weight: fd.weight", "map-unknown-reference"),
        ("fc.weight: fc.bias", "map-shape"),
        ("fc.weight: {name: fc.weight, transpose: true}", "map-shape"),
        ("fc.weight: {name: big.weight, rows: [4, 9]}", "map-shape"),
        ("fc.weight: [{name: fc.weight, own_rows: [0, 1]}]", "map-shape"),
        ("fc.weight: fc.weight\n  big.weight: {name: fc.weight}", "map-twice"),
        ("fc.bias: fc.bias\n  other.bias: fc.bias", "map-twice"),
        ("fc.weight: [{name: half.weight, own_rows: [0, 2]}]", "map-rows"),
        ("fc.weight: 3", "yaml-type"),
        ("fc.weight: {nam: fc.weight}", "yaml-unknown-key"),
        ("fc.weight: fc.weight\n  fc.weight: fc.weight", "yaml-duplicate-key"),
    ],
)
def test_a_wrong_map_names_the_line(line: str, code: str, tmp_path: Path) -> None:
    both = tensors(dense("fc", 4, 3) | dense("big", 8, 3) | {"other.bias": (4,), "half.weight": (2, 3)})
    file = tmp_path / "map.yaml"
    file.write_text(f"version: 1\nparameters:\n  {line}\n", "utf-8")
    try:
        given = read_map(file, both, both)
        assert not given.pairs or len(given.pairs) + len(given.wrong) > 1
        (error,) = given.wrong
    except UserError as raised:
        error = raised
    assert error.code == code and error.data["line"] >= 2


def test_values_are_read_as_the_pairs_say(tmp_path: Path) -> None:
    """Rows of a joined tensor, transposed and reshaped ones, of every way torch stores them."""
    torch = pytest.importorskip("torch")
    generator = torch.Generator().manual_seed(0)
    joined, bias = torch.randn(24, 8, generator=generator), torch.randn(24, generator=generator)
    turned, conv1d = torch.randn(5, 8, generator=generator), torch.randn(4, 3, 7, generator=generator)
    state = {
        "attn.in_proj_weight": joined,
        "attn.in_proj_bias": bias,
        "fc.weight": turned,
        "c.weight": conv1d.permute(2, 1, 0).contiguous().permute(2, 1, 0),
        "half.qkv.weight": joined.half().t().contiguous().t(),
    }
    torch.save(state, tmp_path / "ref.pth")
    right = open_checkpoint(tmp_path / "ref.pth").tensors
    left = tensors(
        {f"attn.{p}.weight": (8, 8) for p in "qkv"}
        | {f"attn.{p}.bias": (8,) for p in "qkv"}
        | {"fc.weight": (8, 5), "c.weight": (4, 3, 1, 7)}
        | {f"half.{p}.weight": (8, 8) for p in "qkv"}
    )
    values = {pair.left.name: read(views(pair)[1]) for pair in pair_parameters(left, right).pairs}
    assert len(values) == len(left)
    for number, part in enumerate("qkv"):
        rows = slice(8 * number, 8 * number + 8)
        assert np.array_equal(values[f"attn.{part}.weight"], joined[rows].numpy())
        assert np.array_equal(values[f"attn.{part}.bias"], bias[rows].numpy())
        assert np.array_equal(values[f"half.{part}.weight"], joined.half()[rows].float().numpy())
    assert np.array_equal(values["fc.weight"], turned.numpy().T)
    assert np.array_equal(values["c.weight"], conv1d.numpy()[:, :, None])
