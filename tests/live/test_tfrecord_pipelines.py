"""Every live probe on pipelines of TFRecord, whose sources have neither an index nor a sampler."""

from pathlib import Path

import pytest

import pipelines
from accucheck.model import Finding, Level

pytestmark = pytest.mark.mindspore

BODY = """
def create(n=1, k=0, scale=1, shuffle=True):
    shards = {"num_shards": n, "shard_id": k, "shard_equal_rows": True} if n > 1 else {}
    data = ds.TFRecordDataset(["rows.tfrecord"], shuffle=ds.Shuffle.GLOBAL if shuffle else False, **shards)
    return data.map(lambda x: x * np.float32(scale), "x").batch(4)

def unscaled(): return create(scale=100, shuffle=False)
def padded(): return ds.TFRecordDataset("rows.tfrecord").map(transforms.PadEnd([6], 0), "x").batch(4)
def no_zero(): return ds.TFRecordDataset("rows.tfrecord").filter(lambda label: label[0] > 0, "label")
"""
PLAIN, HUNDRED = {"call": "pipe:create"}, {"call": "pipe:unscaled"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    rows = [{"x": [i / 120, 1 - i / 120, 0.5, (i % 7) / 7], "label": i * 3 // 120} for i in range(120)]
    pipelines.tfrecord(tmp_path / "rows.tfrecord", rows)
    return tmp_path


def found(name: str, root: Path, calls: dict, **spec: object) -> dict[str, Level]:
    findings: list[Finding] = pipelines.run(name, root, BODY, pipelines=calls, **spec)
    return {finding.code: finding.level for finding in findings}


def test_statistics_and_order(root: Path) -> None:
    assert "in-range" in found("input_statistics", root, {"train": PLAIN})
    assert found("input_statistics", root, {"train": HUNDRED})["out-of-range"] is Level.PROBLEM
    assert found("shuffle_order", root, {"train": PLAIN}) == {"shuffled": Level.INFO}
    assert found("shuffle_order", root, {"train": HUNDRED}) == {"source-order": Level.PROBLEM}


def test_samples_and_padding(root: Path) -> None:
    assert found("train_infer_samples", root, {"train": PLAIN, "eval": PLAIN}) == {"equal": Level.INFO}
    assert found("train_infer_samples", root, {"train": PLAIN, "eval": HUNDRED})["values-differ"] is Level.PROBLEM
    design = {"padding": {"value": 0, "side": "right"}}
    assert found("padding_live", root, {"train": {"call": "pipe:padded"}}, design=design) == {"padded": Level.INFO}


def test_classes_and_shards(root: Path) -> None:
    data = {"train": {"path": "rows.tfrecord", "label": "label"}}
    assert set(found("class_balance_live", root, {"train": PLAIN}, data=data)) == {"classes", "beside-files"}
    assert (
        found("class_balance_live", root, {"train": {"call": "pipe:no_zero"}}, data=data)["class-lost"] is Level.PROBLEM
    )
    shards = {"train": PLAIN, "shard_args": {"count": "n", "index": "k"}}
    # Rows sorted by class, and shards of equal rows that are halves of the file: class 0 goes to one device, class 2 to the other.
    assert found("shard_overlap", root, shards) == {"divided": Level.INFO, "classes-apart": Level.SUSPECT}
    assert found("shard_overlap", root, {"train": PLAIN}, runtime={"distributed": {"devices": 2}}) == {
        "not-sharded": Level.PROBLEM
    }
