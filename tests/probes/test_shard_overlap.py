"""shard_overlap on real pipelines: every way in which scripts ask for their rank, and 2 to 64 of them."""

from pathlib import Path

import numpy as np
import pytest

import pipelines
from accucheck.errors import UserError
from accucheck.model import Finding, Level, Verdict

pytestmark = pytest.mark.mindspore

HEAD = """
from mindspore import context
from mindspore.communication.management import get_group_size, get_rank, init

class Part:
    def __init__(self, values, noise=False): self.values, self.noise = values, noise
    def __len__(self): return len(self.values)
    def __getitem__(self, index): return (np.float32(self.values[index] + (np.random.rand() if self.noise else 0)),)
"""


def run(root: Path, body: str, *, count: int = 4, arguments: bool = False, **more: object) -> list[Finding]:
    calls: dict = {"train": {"call": "pipe:create"}}
    if arguments:
        calls["shard_args"] = {"count": "n", "index": "k"}
    runtime = {"distributed": {"devices": count}}
    return pipelines.run("shard_overlap", root, HEAD + body, pipelines=calls, runtime=runtime, **more)


def found(findings: list[Finding]) -> dict[str, Level]:
    return {finding.code: finding.level for finding in findings}


SLICES = "ds.NumpySlicesDataset({{'image': IMAGES, 'label': LABELS}}, num_shards={n}, shard_id={k}, shuffle={shuffle})"


@pytest.mark.parametrize("count", [2, 3, 7, 16, 64])
def test_real_shards(tmp_path: Path, count: int) -> None:
    """Of MindSpore's own, however many; and the same with one rank that takes another's part."""
    body = (
        "def create(n, k): return "
        + SLICES.format(n="n", k="k", shuffle=True)
        + ".batch(4, drop_remainder=True).repeat(2)"
    )
    assert found(run(tmp_path, body, count=count, arguments=True)) == {
        "filled" if 600 % count else "divided": Level.INFO
    }
    body = "def create(n, k): return " + SLICES.format(n="n", k="0 if k == n - 1 else k", shuffle=False)
    findings = run(tmp_path, body, count=count, arguments=True)
    if count == 2:
        assert found(findings) == {"not-sharded": Level.PROBLEM}
    else:
        assert found(findings) == {"overlap": Level.PROBLEM, "missing": Level.PROBLEM}
        assert findings[0].evidence[2].rows[0] == [0, count - 1, -(-600 // count)]


@pytest.mark.parametrize(
    "ask",
    [
        "init()\n    n, k = get_group_size(), get_rank()",
        "n, k = int(os.environ['RANK_SIZE']), int(os.getenv('RANK_ID'))",
        "n, k = context.get_auto_parallel_context('device_num'), context.get_auto_parallel_context('global_rank')",
    ],
)
def test_every_way_to_ask_for_the_rank(tmp_path: Path, ask: str) -> None:
    body = f"def create():\n    {ask}\n    return " + SLICES.format(n="n", k="k", shuffle=True)
    assert found(run(tmp_path, body)) == {"divided": Level.INFO}


def test_a_rank_that_is_read_at_import(tmp_path: Path) -> None:
    body = "K, SIZE = int(os.environ['RANK_ID']), int(os.environ['RANK_SIZE'])\n"
    body += "def create(): return " + SLICES.format(n="SIZE", k="K", shuffle=True)
    assert found(run(tmp_path, body)) == {"divided": Level.INFO}


@pytest.mark.parametrize(
    ("part", "codes"),
    [
        ("np.arange(600)[k::n]", {"divided"}),
        ("np.random.default_rng(7).permutation(600)[k::n]", {"divided"}),
        ("np.random.default_rng(k).permutation(600)[k::n]", {"overlap", "missing"}),
        ("np.array_split(np.arange(601), n)[k]", {"unequal-steps"}),
        ("np.arange(603)[k * (603 // n):(k + 1) * (603 // n)]", {"evened"}),
    ],
)
def test_parts_cut_by_hand(tmp_path: Path, part: str, codes: set[str]) -> None:
    body = f"def create(n, k): return ds.GeneratorDataset(Part({part}), ['x'])"
    assert set(found(run(tmp_path, body, arguments=True))) == codes
    # the same as an iterable: rows are known by their content alone
    body = f"def create(n, k):\n    rows = {part}\n    return ds.GeneratorDataset(lambda: ((np.float32(v),) for v in rows), ['x'])"
    iterable = {code.replace("unequal-steps", "unequal") for code in codes}
    assert set(found(run(tmp_path, body, arguments=True))) == iterable


def test_an_order_that_differs_by_rank_is_seen_behind_equal_indices(tmp_path: Path) -> None:
    body = "def create(n, k): return ds.GeneratorDataset(Part(np.random.default_rng({seed}).permutation(600)), 'x', num_shards=n, shard_id=k)"  # noqa: E501
    assert found(run(tmp_path, body.format(seed=3), arguments=True)) == {"divided": Level.INFO}
    findings = run(tmp_path, body.format(seed="k"), arguments=True)
    assert found(findings) == dict.fromkeys(("order-differs", "overlap", "missing"), Level.PROBLEM)


def test_content_that_differs_at_every_reading(tmp_path: Path) -> None:
    body = "def create(n, k): return ds.GeneratorDataset(Part(np.arange(600), noise=True), ['x'], num_shards=n, shard_id=k)"
    assert found(run(tmp_path, body, arguments=True)) == {"divided": Level.INFO}  # the indices tell
    body = "def create(n, k): return ds.GeneratorDataset(Part(np.arange(600)[k::n], noise=True), ['x'])"
    assert found(run(tmp_path, body, arguments=True)) == {"no-identity": Level.INFO}


def test_full_batch_is_by_design(tmp_path: Path) -> None:
    body = (
        "context.set_auto_parallel_context(parallel_mode='semi_auto_parallel', full_batch=True)\n"
        "def create(): return sliced().batch(8)"
    )
    findings = run(tmp_path, body)
    assert found(findings) == {"whole-batch": Level.INFO}
    from accucheck.probes import shard_overlap

    assert shard_overlap.suggest(findings) is Verdict.NOT_APPLICABLE


def test_records_and_pictures(tmp_path: Path) -> None:
    rows = [{"x": np.full(4, i, np.float32), "label": i % 5} for i in range(101)]
    schema = {"x": {"type": "float32", "shape": [4]}, "label": {"type": "int32"}}
    pipelines.mindrecord(tmp_path / "a.mindrecord", rows, schema)
    body = "def create(n, k): return ds.MindDataset('a.mindrecord', num_shards=n, shard_id=k).batch(4)"
    assert found(run(tmp_path, body, arguments=True)) == {"filled": Level.INFO}
    pipelines.folders(tmp_path / "images")
    body = "def create(n, k): return ds.ImageFolderDataset('images', num_shards=n, shard_id=k, decode=True).batch(4)"
    assert found(run(tmp_path, body, arguments=True)) == {"divided": Level.INFO}
    (tmp_path / "lines.txt").write_text("\n".join(str(number) for number in range(100)))
    body = "def create(n, k): return ds.TextFileDataset('lines.txt', num_shards=n, shard_id=k, shuffle=True)"
    assert found(run(tmp_path, body, arguments=True)) == {"divided": Level.INFO}
    assert found(run(tmp_path, body.replace("k, shuffle", "0, shuffle"), arguments=True)) == {
        "not-sharded": Level.PROBLEM
    }


def test_limits(tmp_path: Path) -> None:
    body = "def create(n, k): return " + SLICES.format(n="n", k="k", shuffle=True)
    assert found(run(tmp_path, body, arguments=True, params={"samples": 64})) == {"sampled": Level.INFO}
    body = "def create(n, k):\n    time.sleep(60 if k == 2 else 0)\n    return sliced()"
    findings = run(tmp_path, body, arguments=True, params={"seconds": 8})
    assert found(findings) == {"late": Level.INFO} and findings[0].data["ranks"] == 2


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("def create(n, k):\n    if k == 1: raise ValueError('no part for 1')\n    return sliced()", "no part for 1"),
        ("def create(n, k): os.abort()", "exit code -6"),
        ("def create(n, k): sys.exit(3)", "SystemExit: 3"),
        ("def create(n, k): return n", "int"),
        ("def create(): return sliced()", "unexpected keyword"),
    ],
)
def test_what_a_rank_does_wrong(tmp_path: Path, body: str, says: str) -> None:
    with pytest.raises(UserError) as caught:
        run(tmp_path, body, arguments=True)
    assert says in str(caught.value) and "pipe:create" in str(caught.value)
