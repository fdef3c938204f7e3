"""A column of predictions must not meet a vector of labels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from accucheck.case import Case, CaseFile
from accucheck.case import Scripts as Given
from accucheck.script import shapes
from accucheck.script.analysis import read_scripts
from accucheck.script.losses import Losses, Observation

TEXT = """
import numpy as np
import pandas as pd
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn, ops

net = nn.SequentialCell(nn.Dense(8, 16), nn.ReLU(), nn.Dense(16, WIDTH))
opt = nn.Adam(net.trainable_params())
rows = np.random.randn(500, 8)
targets = TARGETS
data = ds.NumpySlicesDataset((rows, targets), ["row", "target"], shuffle=True).batch(20)

def forward(x, y):
    return LOSS

step = ms.value_and_grad(forward, None, opt.parameters)
for x, y in data.create_tuple_iterator():
    loss, grads = step(x, y)
    opt(grads)
"""
VECTORS = [
    "np.random.randn(500)",
    "np.load('train.npy')",
    "np.load('train.npz')['target'].astype(np.float32)",
    "pd.read_csv('train.csv')['target'].values",
    "np.random.rand(500, 1).reshape(-1)",
    "rows @ np.random.default_rng(3).normal(size=8)",
    "np.dot(rows, np.random.RandomState(3).uniform(-1, 1, 8)) + 0.1 * np.random.normal(0, 1, 500)",
    "np.abs(rows).sum(axis=1)",
    "np.zeros(500)",
    "np.array([float(line) for line in open('marks.txt')], np.float32)",
]
COLUMNS = [
    "np.random.randn(500, 1)",
    "np.load('train.npz')['column']",
    "np.load('train.npy').reshape(-1, 1)",
    "np.expand_dims(np.random.rand(500), -1)",
    "pd.read_csv('train.csv')[['target']].values",
    "rows @ np.random.default_rng(3).normal(size=(8, 1))",
    "np.abs(rows).sum(axis=1, keepdims=True)",
    "np.zeros((500, 1))",
    "np.array([[float(line)] for line in open('marks.txt')], np.float32)",
    "np.array([read(line) for line in open('marks.txt')], np.float32)",
    "np.random.default_rng(3).multivariate_normal(np.zeros(1), np.eye(1), 500)",
    "np.load('absent.npy')",
    "np.load('train.npz')['absent']",
    "np.load('broken.npz')['target']",
    "np.load('broken.npy')",
]


OF_MODEL = (
    TEXT[: TEXT.index("def forward")]
    + """
class Own(nn.LossBase):
    def __init__(self, squeeze=False):
        super().__init__()
        self.squeeze = squeeze

    def construct(self, prediction, labels):
        if self.squeeze:
            prediction = prediction.squeeze(-1)
        return self.get_loss(ops.square(prediction - labels))

ms.Model(net, LOSS, opt).train(3, data)
"""
)


def said(
    folder: Path, targets: str, loss: str = "((net(x) - y) ** 2).mean()", width: int = 1, text: str = TEXT
) -> list[Observation]:
    text = text.replace("TARGETS", targets).replace("LOSS", loss).replace("WIDTH", str(width))
    (folder / "train.py").write_text(text)
    np.save(folder / "train.npy", np.zeros(500, np.float32))
    np.savez(folder / "train.npz", target=np.zeros(500), column=np.zeros((500, 1)))
    (folder / "broken.npz").write_bytes((folder / "train.npz").read_bytes()[:300])
    (folder / "broken.npy").write_bytes(b"\x93NUMPY\x01\x00v\x00" + b"{" * 200)
    scripts = read_scripts(Case(root=str(folder), spec=CaseFile(scripts=Given(train="train.py"))))
    return [one for reading in scripts.training for one in shapes.examine(Losses(reading))]


@pytest.mark.parametrize("targets", VECTORS)
@pytest.mark.parametrize(
    "loss",
    [
        "((net(x) - y) ** 2).mean()",
        "ops.square(y - ops.relu(net(x))).mean()",
        "ops.abs(net(x) - y.astype(ms.float32)).mean()",
        "nn.MSELoss()(net(x), y)",
        "ops.l1_loss(net(x), y)",
    ],
)
def test_a_column_of_predictions_meets_a_vector_of_labels(tmp_path: Path, targets: str, loss: str) -> None:
    (one,) = said(tmp_path, targets, loss)
    assert one.code == "pairs-compared" and loss in one.place.source.lines[one.place.line - 1]


@pytest.mark.parametrize("targets", COLUMNS)
def test_labels_in_a_column_or_of_a_shape_that_is_not_seen(tmp_path: Path, targets: str) -> None:
    assert said(tmp_path, targets) == []


@pytest.mark.parametrize(
    "loss",
    [
        "((net(x).squeeze(-1) - y) ** 2).mean()",
        "((net(x).squeeze() - y) ** 2).mean()",
        "((net(x).view(-1) - y) ** 2).mean()",
        "((net(x)[:, 0] - y) ** 2).mean()",
        "((net(x) - y.expand_dims(1)) ** 2).mean()",
        "nn.MSELoss()(net(x), y.reshape(-1, 1))",
        "nn.BCEWithLogitsLoss()(net(x), y)",
        "(net(x) - y).mean()",
    ],
)
def test_shapes_that_are_brought_together(tmp_path: Path, loss: str) -> None:
    assert said(tmp_path, VECTORS[0], loss) == []


@pytest.mark.parametrize(
    ("loss", "targets", "told"),
    [
        ("nn.MSELoss()", VECTORS[0], True),
        ("nn.HuberLoss()", VECTORS[2], True),
        ("Own()", VECTORS[3], True),
        ("nn.MSELoss()", COLUMNS[0], False),
        ("nn.SmoothL1Loss(reduction='mean')", VECTORS[0], False),
        ("Own(squeeze=True)", VECTORS[0], False),
    ],
)
def test_labels_that_a_model_hands_to_its_loss(tmp_path: Path, loss: str, targets: str, told: bool) -> None:
    assert [one.code for one in said(tmp_path, targets, loss, text=OF_MODEL)] == ["pairs-compared"] * told


@pytest.mark.parametrize(
    "operation",
    ["map(lambda row: row.reshape(1), 'target').batch(20)", "batch(20, per_batch_map=widen, input_columns=['target'])"],
)
def test_rows_that_get_another_shape_on_the_way(tmp_path: Path, operation: str) -> None:
    assert said(tmp_path, VECTORS[0], text=TEXT.replace("batch(20)", operation)) == []


def test_several_outputs_are_no_column(tmp_path: Path) -> None:
    assert said(tmp_path, VECTORS[0], width=500) == []


def test_what_is_computed_beside_the_training_is_no_loss(tmp_path: Path) -> None:
    loss = "ops.square(net(x).squeeze(-1) - y).mean()\n\ndef shown(x, y):\n    return ops.square(net(x) - y).mean()"
    assert said(tmp_path, VECTORS[0], loss) == []


OF_SOURCE = (
    TEXT[: TEXT.index("rows =")]
    + """
class Rows:
    def __init__(self):
        table = np.loadtxt("table.csv", delimiter=",", dtype=np.float32)
        self.rows, self.targets = table[:, :-1], TARGETS
        self.one = targets_of(table)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, number):
        return self.rows[number], LOSS

def targets_of(table):
    return table[:, -1]

data = ds.GeneratorDataset(Rows(), ["row", "target"], shuffle=True).batch(20)
ms.Model(net, nn.MSELoss(), opt).train(3, data)
"""
)


@pytest.mark.parametrize(
    ("targets", "row", "told"),
    [
        ("table[:, -1]", "self.targets[number]", True),
        ("table[:, 3]", "np.float32(self.targets[number])", True),
        ("np.load('train.npy')", "self.targets[number]", True),
        ("None", "self.one[number]", True),
        ("None", "self.rows[number].sum()", True),
        ("table[:, -1:]", "self.targets[number]", False),
        ("table[:, -1].reshape(-1, 1)", "self.targets[number]", False),
        ("table[:, -1]", "self.targets[number : number + 1]", False),
        ("table[:, -1]", "self.targets[[number]]", False),
        ("table[:, -1]", "np.array([self.targets[number]])", False),
        ("table[:, -1][:, None]", "self.targets[number]", False),
        ("table", "self.targets[number, -1:]", False),
        ("None", "np.abs(number) * 2", False),  # of which nothing is known
        ("np.load('absent.npy')", "self.targets[number]", False),
    ],
)
def test_labels_that_a_source_gives_row_by_row(tmp_path: Path, targets: str, row: str, told: bool) -> None:
    assert [one.code for one in said(tmp_path, targets, row, text=OF_SOURCE)] == ["pairs-compared"] * told
