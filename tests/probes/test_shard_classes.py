"""What classes each device gets: divided without loss is not divided alike."""

from pathlib import Path

import numpy as np
import pytest

import pipelines
from accucheck.live import shards
from accucheck.model import Finding, Level, Verdict, suggest

BODY = """
def create(num_shards=None, shard_id=None):
    sampler = SAMPLER
    return ds.NumpySlicesDataset({"image": IMAGES, "label": LABELS}, sampler=sampler).batch(5)

"""
BLOCKS = "ds.SequentialSampler() if (num_shards or 1) == 1 else ds.SubsetSampler(list(range(shard_id * 300, shard_id * 300 + 300)))"
TURNS = "ds.SequentialSampler() if not num_shards else ds.DistributedSampler(num_shards, shard_id, shuffle=False)"


def run(root: Path, sampler: str, body: str = BODY) -> list[Finding]:
    given = {
        "pipelines": {
            "train": {"call": "pipe:create"},
            "shard_args": {"count": "num_shards", "index": "shard_id"},
        },
        "runtime": {"distributed": {"devices": 2}},
    }
    return pipelines.run("shard_overlap", root, body.replace("SAMPLER", sampler), **given)


@pytest.mark.mindspore
def test_data_in_order_of_their_class_that_are_cut_in_blocks_are_suspect(tmp_path: Path) -> None:
    findings = run(tmp_path, BLOCKS)
    codes = {finding.code: finding.level for finding in findings}
    assert codes["classes-apart"] is Level.SUSPECT and codes["divided"] is Level.INFO, codes
    assert suggest(findings) is Verdict.UNDECIDED
    apart = next(finding for finding in findings if finding.code == "classes-apart")
    assert apart.data["distance"] == pytest.approx(0.5) and apart.data["classes"] == 6


@pytest.mark.mindspore
def test_data_that_are_dealt_out_in_turn_are_alike(tmp_path: Path) -> None:
    findings = run(tmp_path, TURNS)
    (divided,) = findings
    assert divided.code == "divided" and "at most 0.0% apart" in divided.data["alike"]["en"]
    assert suggest(findings) is Verdict.OK


OWN = """
class Part:
    def __init__(self, rows): self.rows = rows
    def __len__(self): return len(self.rows)
    def __getitem__(self, at): return IMAGES[self.rows[at]], LABELS[self.rows[at]]

def create(num_shards=None, shard_id=None):
    count, rank = num_shards or 1, shard_id or 0
    rows = np.arange(N)
    return ds.GeneratorDataset(Part(PART), ["image", "label"], shuffle=False).batch(5)

"""
BLOCK = "rows[rank * (N // count):(rank + 1) * (N // count)]"


@pytest.mark.mindspore
@pytest.mark.parametrize(
    ("part", "apart"),
    [
        (BLOCK, True),
        ("rows[rank::count]", False),
        ("np.random.default_rng(0).permutation(rows)" + BLOCK[4:], False),
    ],
)
def test_parts_that_are_cut_by_hand_are_compared_too(part: str, apart: bool, tmp_path: Path) -> None:
    """The ranks see another source each, so that their samples are known by content."""
    findings = run(tmp_path, "", body=OWN.replace("PART", part))
    codes = [finding.code for finding in findings]
    assert codes == (["classes-apart", "divided"] if apart else ["divided"])
    assert ("was not seen" not in findings[-1].data["alike"]["en"]) and findings[-1].data["identity"] == "content"


@pytest.mark.parametrize("seed", range(20))
def test_chance_alone_is_no_difference(seed: int) -> None:
    random = np.random.default_rng(seed)
    labels = dict(enumerate(random.integers(0, 10, 800).tolist()))
    found = shards.classes(np.array_split(random.permutation(800), 8), labels)
    assert found is not None and found.z < 6


def test_too_few_labels_say_nothing() -> None:
    parts = np.array_split(np.arange(40), 4)
    assert shards.classes(parts, {row: row for row in range(40)}) is None
    assert shards.classes(parts, dict.fromkeys(range(40), 0)) is None
    assert shards.classes(parts, {}) is None
