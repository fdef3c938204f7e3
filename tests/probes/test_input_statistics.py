"""input_statistics on real pipelines: what is judged, what is left aside, and what healthy projects look like."""

from pathlib import Path

import numpy as np
import pytest

import pipelines
from accucheck.model import Finding, Level, Verdict, suggest

pytestmark = pytest.mark.mindspore


def run(root: Path, body: str, **more: object) -> list[Finding]:
    return pipelines.run("input_statistics", root, "slices = ds.NumpySlicesDataset\n" + body, **more)


def found(findings: list[Finding]) -> set[str]:
    return {finding.code for finding in findings if finding.level is not Level.INFO or finding.incomplete}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("def create(): return sliced().batch(32)", set()),
        ("def create(): return sliced()", set()),
        # rows of pixels: corners of digits hardly ever differ from zero
        (
            "from sklearn.datasets import load_digits\n"
            "def create(): return slices({'x': (load_digits().data / 16).astype(np.float32), 'y': load_digits().target}).batch(32)",
            set(),
        ),
        (
            "from sklearn.datasets import load_digits\nfrom sklearn.preprocessing import StandardScaler\n"
            "X = StandardScaler().fit_transform(load_digits().data).astype(np.float32)\n"
            "def create(): return slices((X, load_digits().target), ['data', 'label']).batch(32)",
            set(),
        ),
        (
            "from sklearn.datasets import load_iris\n"
            "def create(): return slices((load_iris().data.astype(np.float32), load_iris().target), ['data', 'label']).batch(30)",
            set(),
        ),
        (
            "from sklearn.datasets import load_breast_cancer\nX, Y = load_breast_cancer(return_X_y=True)\n"
            "def create(): return slices((X.astype(np.float32), Y), ['data', 'label']).batch(30)",
            {"scales-differ"},
        ),
        (
            "from sklearn.datasets import load_breast_cancer\nfrom sklearn.preprocessing import StandardScaler\n"
            "X, Y = load_breast_cancer(return_X_y=True)\nX = StandardScaler().fit_transform(X).astype(np.float32)\n"
            "def create(): return slices((X, Y), ['data', 'label']).batch(30)",
            set(),
        ),
        # one column a feature, and the target last, whatever its scale
        (
            "def create(): return slices({'rooms': random.random(N), 'area': random.random(N), 'price': 1e5 * random.random(N)})",
            set(),
        ),
        (
            "def create(): return slices({'rooms': random.random(N), 'area': 900 * random.random(N), 'price': random.random(N)})",
            {"scales-differ"},
        ),
        # masks and boxes are no inputs
        (
            "def create(): return slices({'image': random.random((N, 3, 4, 4)).astype(np.float32), 'mask': "
            "255 * random.random((N, 4, 4)), 'bboxes': 600 * random.random((N, 4)).astype(np.float32), 'label': LABELS}).batch(8)",
            set(),
        ),
        # a spectrogram in decibel: no table, no picture
        (
            "def create(): return slices({'spectrum': -80 * random.random((N, 20, 12)).astype(np.float32), 'label': LABELS}).batch(8)",
            {"values-large"},
        ),
        (
            "def create(): return slices({'image': np.where(np.arange(3)[:, None, None] == 1, 0.5, random.random((N, 3, 6, 6)))"
            ".astype(np.float32), 'label': LABELS}).batch(8)",
            {"constant-channel"},
        ),
        (
            "def create(): return slices({'x': np.zeros((N, 7), np.float32), 'label': LABELS}).batch(8)",
            {"constant-input"},
        ),
        (
            "def create(): return slices({'x': np.where(np.arange(N)[:, None] == 3, np.inf, IMAGES), 'label': LABELS}).batch(8)",
            {"not-finite"},
        ),
        # lengths differ from batch to batch
        (
            "def rows():\n    for i in range(90): yield random.standard_normal(5 + i % 7).astype(np.float32), np.int32(i % 3)\n"
            "def create(): return ds.GeneratorDataset(rows, ['signal', 'label']).padded_batch(6, pad_info={'signal': ([None], 0)})",
            set(),
        ),
        ("def create(): return ds.GeneratorDataset(lambda: iter(()), ['x'])", {"no-samples"}),
        ("def create(): return ds.NumpySlicesDataset(['good', 'bad'] * 9, ['text']).batch(3)", set()),
    ],
)
def test_a_pipeline(tmp_path: Path, body: str, expected: set[str]) -> None:
    findings = run(tmp_path, body)
    assert found(findings) == expected, findings


def test_a_row_of_numbers_beside_a_picture_may_be_about_it(tmp_path: Path) -> None:
    body = (
        "def create(): return slices({'image': random.random((N, 3, 4, 4)).astype(np.float32), 'extent': (random.random((N, 3))"
        " * [800, 600, 1]).astype(np.float32), 'label': LABELS}).batch(8)"
    )
    findings = run(tmp_path, body)
    assert found(findings) == {"scales-differ"} and suggest(findings) is Verdict.UNDECIDED
    assert found(run(tmp_path, body.replace("extent", "im_info"))) == set()


def test_statistics_are_those_of_numpy(tmp_path: Path) -> None:
    (finding, *_) = run(tmp_path, "def create(): return sliced().batch(7)")
    values = np.arange(2400, dtype=np.float32) / 2400
    assert finding.data["mean"] == pytest.approx(values.mean()) and finding.data["std"] == pytest.approx(values.std())
    assert (finding.data["low"], finding.data["high"]) == (0, pytest.approx(values.max()))
    table = finding.evidence[0]
    assert [row[:2] for row in table.rows] == [["image", str(n)] for n in range(4)]
    assert table.rows[1][4] == pytest.approx(values[1::4].mean(), rel=1e-5)


def test_pictures_from_files(tmp_path: Path) -> None:
    pipelines.folders(tmp_path / "images")
    pipelines.cifar(tmp_path / "cifar")
    body = (
        "def create(): return ds.{source}.map([{steps}], input_columns='image', num_parallel_workers=2, python_multiprocessing={many})"
        ".batch(4)"
    )
    folder, cifar = "ImageFolderDataset('images', decode=True)", "Cifar10Dataset('cifar')"
    to_float = "lambda image: image.astype(np.float32)"
    for source in (folder, cifar):
        assert found(run(tmp_path, body.format(source=source, steps="vision.ToTensor()", many=True))) == set()
        (finding, *_) = run(tmp_path, body.format(source=source, steps=to_float, many=True))
        assert finding.code == "out-of-range" and finding.data["high"] == (255 if source == folder else 240)
        assert found(run(tmp_path, body.format(source=source, steps="vision.HWC2CHW()", many=False))) == {
            "integer-picture"
        }


def test_records(tmp_path: Path) -> None:
    rows = [{"x": np.full(4, i / 500, np.float32), "label": i % 5} for i in range(500)]
    pipelines.mindrecord(
        tmp_path / "a.mindrecord", rows, {"x": {"type": "float32", "shape": [4]}, "label": {"type": "int32"}}
    )
    findings = run(tmp_path, "def create(): return ds.MindDataset('a.mindrecord').batch(8)", params={"samples": 100})
    assert found(findings) == set() and findings[0].data["samples"] == 104


def test_time_is_kept(tmp_path: Path) -> None:
    body = (
        "def rows():\n    for i in range(10**6): time.sleep(0.01); yield IMAGES[i % N], LABELS[i % N]\n"
        "def create(): return ds.GeneratorDataset(rows, ['image', 'label'])"
    )
    findings = run(tmp_path, body, params={"seconds": 1})
    assert suggest(findings) is Verdict.OK and 10 < findings[0].data["samples"] < 200


def test_a_channel_without_numbers_is_not_constant(tmp_path: Path) -> None:
    picture = "np.where(np.arange(3)[:, None, None] == 2, np.nan, random.random((N, 3, 6, 6))).astype(np.float32)"
    findings = run(tmp_path, f"def create(): return slices({{'image': {picture}, 'label': LABELS}}).batch(8)")
    assert [finding.code for finding in findings][:2] == ["not-finite", "in-range"]
    table = "np.where(np.arange(3) == 2, np.nan, random.random((N, 3))).astype(np.float32)"
    findings = run(tmp_path, f"def create(): return slices({{'x': {table}, 'label': LABELS}}).batch(8)")
    assert "constant-features" not in {finding.code for finding in findings}


def test_each_constant_channel_is_told_with_its_value(tmp_path: Path) -> None:
    picture = "np.where(np.arange(3)[:, None, None] == 1, random.random((N, 3, 6, 6)), np.arange(3)[:, None, None])"
    body = f"def create(): return slices({{'image': {picture}.astype(np.float32) / 2, 'label': LABELS}}).batch(8)"
    (finding,) = (finding for finding in run(tmp_path, body) if finding.code == "constant-channel")
    assert finding.data["names"] == ["0 (0)", "2 (1)"]


INSIDE = """
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv, self.dense = nn.Conv2d(3, 8, 3), nn.Dense(2, 8)

    def construct(self, image, table):
        return self.conv(image / 255.0).mean() + self.dense(table)

data = ds.GeneratorDataset(source, ["image", "table", "label"]).batch(32)
ms.Model(Net(), nn.SoftmaxCrossEntropyWithLogits()).train(10, data)
"""


def test_an_input_that_the_network_scales_excuses_no_other(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(INSIDE)
    columns = "'image': (255 * random.random((N, 3, 4, 4))).astype(np.float32)"
    table = "'table': (random.random((N, 2)) * [80, 90000]).astype(np.float32)"
    scripts = {"train": "train.py"}
    for inputs, codes in (
        (columns, {"network-scales"}),
        (columns.replace("image", "picture"), {"network-scales"}),
        (f"{columns}, {table}", {"network-scales", "scales-differ"}),
        (f"{columns.replace('image', 'picture')}, {table}", {"out-of-range", "scales-differ"}),
    ):
        body = f"def create(): return slices({{{inputs}, 'label': LABELS}}).batch(8)"
        findings = run(tmp_path, body, scripts=scripts)
        assert {finding.code for finding in findings} - {"not-judged"} == codes, inputs
