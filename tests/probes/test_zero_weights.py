"""zero_weights on checkpoints of real networks, healthy and with one fault each."""

import subprocess
import sys
from pathlib import Path

import msgspec
import numpy as np
import pytest

from accucheck import probe
from accucheck.case import Case, CaseFile
from accucheck.errors import ReadError
from accucheck.model import Finding, Language, Level, Progress, Verdict, suggest
from accucheck.probes import zero_weights
from accucheck.probes._checkpoints import ckpt
from accucheck.probes.zero_weights import Params
from accucheck.readers.checkpoints import open_checkpoint
from accucheck.readers.tensor_statistics import SAMPLE, histogram, statistics


def examine(root: Path, params: Params = Params(), **checkpoints: object) -> list[Finding]:
    case = Case(root=str(root), spec=msgspec.convert({"checkpoints": checkpoints}, CaseFile))
    events = list(zero_weights.run(case, params))
    assert all(isinstance(event, (Finding, Progress)) for event in events)
    found = [event for event in events if isinstance(event, Finding)]
    msgspec.json.encode(found)
    for finding in found:
        for language in Language:
            text = probe.message(zero_weights, finding.code, finding.data, language)
            assert text != finding.code and "{" not in text, text
    return found


def told(found: list[Finding]) -> dict[str | None, str]:
    """{tensor: code} of what is above info."""
    return {finding.where.name: finding.code for finding in found if finding.level is not Level.INFO}


def of_code(found: list[Finding], code: str) -> list[Finding]:
    return [finding for finding in found if finding.code == code]


@pytest.mark.parametrize("example", zero_weights.EXAMPLES, ids=lambda example: example.name)
def test_examples(example, tmp_path):
    case = example.lay_out(tmp_path)
    params = probe.params(zero_weights, example.params)
    found = [event for event in zero_weights.run(case, params) if isinstance(event, Finding)]
    assert {finding.code for finding in found if finding.level is not Level.INFO} == set(example.codes)
    assert suggest(found) is example.verdict


def test_importing_it_loads_nothing_heavy():
    code = "import sys, accucheck.probes.zero_weights; print([m for m in ('numpy', 'polars', 'mindspore') if m in sys.modules])"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    )


# numpy arrays through safetensors: quick, and any name


def saved(root: Path, **arrays: np.ndarray) -> str:
    save = pytest.importorskip("safetensors.numpy")
    save.save_file(
        {name.replace("__", "."): np.ascontiguousarray(array) for name, array in arrays.items()},
        str(root / "x.safetensors"),
    )
    return "x.safetensors"


def normal(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


def zeros(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.float32)


@pytest.mark.parametrize(
    ("name", "array", "code"),
    [
        ("fc__weight", zeros(3, 4), "all-zero"),
        ("fc__weight", -zeros(3, 4), "all-zero"),
        ("fc__weight", zeros(1, 4), "all-zero"),
        ("fc__weight", zeros(4, 1), "all-zero"),
        ("conv__weight", zeros(4, 1, 1, 1), "all-zero"),
        ("kernel", zeros(3, 4), "all-zero"),
        ("fc__weight", zeros(3, 4) + 0.1, "constant"),
        ("fc__weight", zeros(4, 1) + 0.1, "constant"),
        ("fc__weight", zeros(3, 4) + 1e-30, "constant"),
        ("fc__weight", np.full((3, 4), 1e-42, np.float32), "constant"),
        ("fc__weight", np.tile(normal(1, 5), (4, 1)), "same-units"),
        ("conv__weight", np.tile(normal(1, 3, 3, 3), (8, 1, 1, 1)), "same-units"),
        ("fc__weight", np.tile(np.r_[np.zeros(999), 1.0].astype("f4"), (4, 1)), "same-units"),
        ("fc__weight", zeros(3, 4).astype(np.float64), "all-zero"),
        ("fc__weight", zeros(3, 4).astype(np.float16), "all-zero"),
        ("bn__gamma", zeros(4), "zero-gamma"),
        ("bn1__weight", zeros(4), "zero-gamma"),
        ("norm__weight", zeros(4, 5, 5), "zero-gamma"),
        ("scale", zeros(1, 4, 1, 1), "zero-parameter"),
        ("gate", zeros(1, 1), "zero-parameter"),
        ("fc__bias", np.array([0, np.nan], np.float32), "non-finite"),
        ("moments__fc__weight", np.full((2, 2), np.inf, np.float32), "non-finite"),
        ("attn__mask", np.full((2, 2), np.nan, np.float32), "non-finite"),
    ],
)
def test_what_cannot_learn_is_told(tmp_path, name, array, code):
    found = examine(tmp_path, initial=saved(tmp_path, other__weight=normal(3, 4), **{name: array}))
    assert told(found) == {name.replace("__", "."): code}
    assert of_code(found, code)[0].where.path == "x.safetensors" and of_code(found, code)[0].data["role"] == "initial"


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("fc__weight", normal(1, 5)),  # a single output unit is the same as itself
        ("fc__weight", normal(5, 1)),
        ("fc__weight", np.r_[zeros(3, 4), normal(1, 4)]),
        ("fc__weight", np.array([[1e-30, 2e-30], [3e-30, 4e-30]], np.float32)),
        ("embedding_table", np.r_[zeros(1, 8), normal(9, 8)]),  # the padding row
        ("embedding__weight", np.r_[zeros(1, 8), normal(9, 8)]),
        ("fc__bias", zeros(4)),
        ("experts__bias", zeros(4, 8)),
        ("norm__bias", zeros(4, 5, 5)),
        ("norm__weight", zeros(4, 5, 5) + 1),
        ("ln__gamma", zeros(4, 5) + 1),
        ("bn__moving_mean", zeros(4)),
        ("bn__moving_variance", zeros(4) + 1),
        ("prelu__a", zeros(4) + 0.25),
        ("layer_scale_1__gamma", zeros(4) + 1e-5),
        ("logit_scale", zeros(4, 1, 1) + 2.3),
        ("scale", zeros(1, 4, 1, 1) + 1),
        ("vit__cls_token", zeros(1, 1, 8)),
        ("Pos_Embed", zeros(1, 5, 8)),
        ("relative_position_bias_table", zeros(9, 2)),
        ("q__lora_B__default__weight", zeros(8, 2)),
        ("relative_position_index", np.zeros((4, 4), np.int64)),
        ("global_step", np.zeros((1,), np.int32)),
        ("moments__other__weight", zeros(3, 4)),
        ("exp_avg__other__weight", zeros(3, 4)),
        ("attn__mask", np.triu(np.full((4, 4), -np.inf, np.float32), 1)),
    ],
)
def test_what_is_right_is_not_told(tmp_path, name, array):
    found = examine(tmp_path, initial=saved(tmp_path, other__weight=normal(3, 4), **{name: array}))
    assert told(found) == {}
    assert suggest(found) is Verdict.OK


def test_known_initialisations_are_listed_and_the_list_is_a_parameter(tmp_path):
    path = saved(tmp_path, vit__cls_token=zeros(1, 1, 8), head__weight=zeros(3, 8))
    found = examine(tmp_path, initial=path)
    assert told(found) == {"head.weight": "all-zero"}
    (listed,) = of_code(found, "known-initialisation")
    assert listed.evidence[0].rows == [["vit.cls_token", "1×1×8", 0.0]]
    assert told(examine(tmp_path, Params(known=("HEAD.*",)), initial=path)) == {"vit.cls_token": "zero-parameter"}


def test_position_and_count_of_nan(tmp_path):
    array = normal(5, 6, 7)
    array[2, 3, 4], array[4, 0, 0], array[4, 1, 1] = np.nan, np.inf, -np.inf
    (finding,) = of_code(examine(tmp_path, current=saved(tmp_path, w=array)), "non-finite")
    assert {key: finding.data[key] for key in ("nan", "inf", "count", "index")} == {
        **{"nan": 1, "inf": 2, "count": 210, "index": "[2, 3, 4]"}
    }


def test_the_table_has_the_worst_first_and_is_bounded(tmp_path):
    arrays = {f"layer{index}__weight": zeros(2, 2) if index >= 130 else normal(2, 2) for index in range(260)}
    found = examine(tmp_path, initial=saved(tmp_path, **arrays, fine__weight=np.r_[normal(2, 2), zeros(1, 2)]))
    (summary,) = of_code(found, "examined")
    table = summary.evidence[0]
    assert (len(table.rows), table.total) == (200, 261)
    assert [row[-1] for row in table.rows] == ["all-zero"] * 130 + [None] * 70
    assert table.rows[130][0] == "fine.weight"
    assert len(of_code(found, "all-zero")) == 100 and of_code(found, "more")[0].data["count"] == 30
    assert summary.data["weights"] == 261
    row = dict(zip(table.columns, next(row for row in table.rows if row[0] == "layer3.weight"), strict=True))
    array = arrays["layer3__weight"]
    assert (row["min"], row["max"], row["shape"], row["dtype"]) == (array.min(), array.max(), "2×2", "float32")
    assert row["std"] == pytest.approx(array.std(), rel=1e-4) and row["mean"] == pytest.approx(array.mean(), abs=1e-6)


def test_mostly_zero_is_information(tmp_path):
    array = zeros(20, 20)
    array[3, 4] = 1
    found = examine(tmp_path, current=saved(tmp_path, fc__weight=array))
    assert told(found) == {} and suggest(found) is Verdict.OK
    assert of_code(found, "mostly-zero")[0].data["share"] == 399 / 400


def test_every_role_is_examined_once(tmp_path):
    saved(tmp_path, fc__weight=zeros(3, 4))
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.safetensors").write_bytes((tmp_path / "x.safetensors").read_bytes())
    found = examine(
        tmp_path,
        initial="x.safetensors",
        current="./x.safetensors",
        pretrained="a.safetensors",
        ranks=["b.safetensors", "c.safetensors"],
    )
    assert [finding.data["role"] for finding in of_code(found, "all-zero")] == [
        "initial",
        "pretrained",
        "ranks",
        "ranks",
    ]


def test_a_file_that_cannot_be_read_leaves_it_undecided(tmp_path):
    saved(tmp_path, fc__weight=normal(3, 4))
    (tmp_path / "bad.ckpt").write_bytes(b"\n\x7fcut")
    found = examine(tmp_path, initial="x.safetensors", current="bad.ckpt")
    (finding,) = of_code(found, "unreadable")
    assert finding.where.path == "bad.ckpt" and suggest(found) is Verdict.UNDECIDED
    with pytest.raises(ReadError):
        examine(tmp_path, initial="bad.ckpt", current="missing.ckpt")


def test_a_checkpoint_without_weights_is_undecided(tmp_path):
    found = examine(tmp_path, initial=saved(tmp_path, moments__w=zeros(2, 2), counts=np.arange(3)))
    assert of_code(found, "no-weights") and suggest(found) is Verdict.UNDECIDED


def test_tied_weights_are_told_once(tmp_path):
    torch = pytest.importorskip("torch")
    tied = torch.zeros(4, 3)
    torch.save({"encoder.weight": tied, "decoder.weight": tied, "fc.weight": torch.randn(2, 2)}, tmp_path / "x.pth")
    assert told(examine(tmp_path, initial="x.pth")) == {"encoder.weight": "all-zero"}


# real networks


@pytest.mark.mindspore
def test_networks_of_mindspore(tmp_path):
    ms = pytest.importorskip("mindspore")
    nn = ms.nn

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.conv, self.bn, self.relu = nn.Conv2d(3, 8, 3, has_bias=True), nn.BatchNorm2d(8), nn.PReLU(8)
            self.embedding, self.norm = nn.Embedding(20, 8, padding_idx=0), nn.LayerNorm((4, 8))
            self.lstm, self.fc = nn.LSTM(8, 8, num_layers=2), nn.Dense(8, 1)

        def construct(self, x):
            return self.fc(self.relu(self.bn(self.conv(x))).mean((2, 3)))

    net = Net()
    ms.save_checkpoint(net, str(tmp_path / "init.ckpt"), crc_check=True)
    found = examine(tmp_path, initial="init.ckpt")
    assert told(found) == {} and suggest(found) is Verdict.OK

    optimizer = nn.Adam(net.trainable_params())
    cell = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
    cell.set_train()
    for seed in range(3):
        cell(
            ms.Tensor(np.random.default_rng(seed).standard_normal((4, 3, 6, 6)), ms.float32),
            ms.Tensor(np.ones((4, 1)), ms.float32),
        )
    for name in ("last.ckpt", "last.safetensors"):
        ms.save_checkpoint(cell, str(tmp_path / name), format=name[5:])
        found = examine(tmp_path, current=name)
        assert told(found) == {} and suggest(found) is Verdict.OK
        assert of_code(found, "examined")[0].data["states"] > 20

    net.fc.weight.set_data(ms.common.initializer.initializer("zeros", net.fc.weight.shape))
    net.conv.weight.set_data(ms.common.initializer.initializer("ones", net.conv.weight.shape))
    ms.save_checkpoint(net, str(tmp_path / "faulty.ckpt"), crc_check=True)
    assert told(examine(tmp_path, initial="faulty.ckpt")) == {"fc.weight": "all-zero", "conv.weight": "constant"}

    (tmp_path / "init.ckpt").chmod(0o600)
    with (tmp_path / "init.ckpt").open("r+b") as file:
        file.seek(400)
        file.write(b"\x11\x22")
    assert of_code(examine(tmp_path, initial="init.ckpt"), "checksum")
    assert not of_code(examine(tmp_path, Params(verify_checksum=False), initial="init.ckpt"), "checksum")

    ms.save_checkpoint([{"name": "w", "data": ms.Tensor(np.zeros((4, 4)), ms.bfloat16)}], str(tmp_path / "brain.ckpt"))
    assert told(examine(tmp_path, initial="brain.ckpt")) == {"w": "all-zero"}


@pytest.mark.parametrize("legacy", [False, True])
def test_networks_of_torch(tmp_path, legacy):
    torch = pytest.importorskip("torch")
    nn = torch.nn
    net = nn.ModuleDict(
        {
            "conv": nn.Conv2d(3, 8, 3),
            "bn1": nn.BatchNorm2d(8),
            "up": nn.ConvTranspose2d(8, 4, 2),
            "act": nn.PReLU(8),
            "ln": nn.LayerNorm((4, 8)),
            "embedding": nn.Embedding(20, 8, padding_idx=0),
            "attention": nn.MultiheadAttention(8, 2, add_bias_kv=True),
            "gru": nn.GRU(8, 8),
            "fc": nn.Linear(8, 1),
        }
    )
    optimizer = torch.optim.SGD(net.parameters(), 0.1, momentum=0.9)
    net["fc"](torch.ones(1, 8)).sum().backward()
    optimizer.step()
    state = {"state_dict": net.state_dict(), "optimizer": optimizer.state_dict()}
    torch.save(state, tmp_path / "net.pth", _use_new_zipfile_serialization=not legacy)
    found = examine(tmp_path, initial="net.pth")
    assert told(found) == {} and suggest(found) is Verdict.OK
    nn.init.zeros_(net["attention"].in_proj_weight)
    net["bn1"].weight.data.zero_()
    net["gru"].weight_hh_l0.data[3, 3] = float("nan")
    torch.save(net.state_dict(), tmp_path / "net.pth", _use_new_zipfile_serialization=not legacy)
    assert told(examine(tmp_path, initial="net.pth")) == {
        **{"attention.in_proj_weight": "all-zero", "bn1.weight": "zero-gamma", "gru.weight_hh_l0": "non-finite"}
    }


@pytest.mark.filterwarnings("ignore")
def test_quantised_weights_leave_it_undecided(tmp_path):
    torch = pytest.importorskip("torch")
    quantised = torch.quantize_per_tensor(torch.ones(2, 2), 0.1, 0, torch.qint8)
    torch.save({"q.weight": quantised, "fc.weight": torch.randn(3, 3)}, tmp_path / "q.pth")
    found = examine(tmp_path, current="q.pth")
    (finding,) = of_code(found, "not-examined")
    assert finding.data["names"] == ["q.weight"] and suggest(found) is Verdict.UNDECIDED


def test_values_are_drawn_of_what_is_told_of_else_of_the_largest(tmp_path):
    generator = np.random.default_rng(0)
    clean = {f"layer{n}.weight": ([n, 50], generator.normal(0, 0.1, n * 50).tolist()) for n in (4, 9, 6, 2)}
    faulty = {
        "layer4.weight": ([4, 50], generator.normal(0, 0.1, 50).tolist() * 4),
        "layer9.weight": ([9, 50], [0.0] * 450),
    }
    for weights, names in (
        (clean, ["layer9.weight"]),
        (clean | faulty, ["layer4.weight"]),
    ):
        path = tmp_path / "init.ckpt"
        path.write_bytes(ckpt(weights))
        (finding,) = of_code(examine(tmp_path, initial="init.ckpt"), "values")
        drawn = finding.evidence
        assert [chart.title for chart in drawn] == names
        assert [sum(chart.counts) for chart in drawn] == [len(weights[name][1]) for name in names]


def test_a_histogram_is_that_of_numpy(tmp_path):
    values = np.random.default_rng(1).normal(2, 0.5, 1_000_000).astype(np.float32)
    for special in ([], [np.nan, np.inf, -np.inf], [50.0]):
        values[: len(special)] = special
        path = tmp_path / "w.ckpt"
        path.write_bytes(ckpt({"w": ([1000, 1000], values.tolist())}))
        ((info, found),) = statistics(open_checkpoint(path).tensors)
        edges, counts = histogram(info, found)
        assert len(edges) == 21 and edges[0] == pytest.approx(max(found.minimum, found.mean - 4 * found.std))
        share = np.histogram(values[np.isfinite(values)].clip(edges[0], edges[-1]), 20, (edges[0], edges[-1]))[0] / 1e6
        assert sum(counts) >= SAMPLE - 3 and np.abs(np.array(counts) / SAMPLE - share).max() < 0.005
