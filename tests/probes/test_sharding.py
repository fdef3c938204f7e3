"""sharding and rank_seeds on scripts as people write them, and what their fixes do."""

import ast
import subprocess
import textwrap
from pathlib import Path

import msgspec
import pytest

from accucheck.case import Case, CaseFile
from accucheck.model import Finding, Level
from accucheck.probes import randomness_fixed, rank_seeds, sharding

HEAD = """import os
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn
from mindspore.communication import init, get_rank, get_group_size
"""


def run(root: Path, script: str, probe: object = sharding, devices: int | None = None) -> list[Finding]:
    (root / "train.py").write_text(HEAD + textwrap.dedent(script))
    spec = {"scripts": {"train": "train.py"}, "runtime": {"distributed": {"devices": devices}}}
    case = Case(root=str(root), spec=msgspec.convert(spec, CaseFile))
    return [event for event in probe.run(case, probe.Params()) if isinstance(event, Finding)]  # type: ignore[attr-defined]


def bad(findings: list[Finding]) -> set[str]:
    return {finding.code for finding in findings if finding.level is not Level.INFO}


HEALTHY = {
    "an option that is one by default": """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--device_num", type=int, default=1)
        args = parser.parse_args()
        rank = 0
        if args.device_num > 1:
            init()
            rank = get_rank()
        train_ds = ds.MindDataset("a", num_shards=args.device_num, shard_id=rank).batch(2)
        ms.Model(net).train(1, train_ds)
    """,
    "None where there is one device": """
        def create(num_shards=None, shard_id=None):
            if shard_id is not None:
                return ds.MindDataset("a", num_shards=num_shards, shard_id=shard_id).batch(2)
            else:
                return ds.MindDataset("a").batch(2)
        size = rank = None
        if args.run_distribute:
            init()
            size, rank = get_group_size(), get_rank()
        ms.Model(net).train(1, create(size, rank))
    """,
    "by the parallel mode": """
        def create():
            if ms.get_auto_parallel_context("parallel_mode") in [ms.ParallelMode.DATA_PARALLEL]:
                return ds.MindDataset("a", num_shards=get_group_size(), shard_id=get_rank()).batch(2)
            else:
                return ds.MindDataset("a").batch(2)
        init()
        ms.Model(net).train(1, create())
    """,
    "a sampler of the project's own": """
        class Mine:
            def __init__(self, size):
                self.rank = get_rank()
        init()
        ms.Model(net).train(1, ds.MindDataset("a", sampler=Mine(3)).batch(2))
    """,
}


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_script_comes_out_clean(name: str, tmp_path: Path) -> None:
    assert not bad(run(tmp_path, HEALTHY[name]))


def test_the_case_may_say_that_there_are_several_devices(tmp_path: Path) -> None:
    script = 'ms.Model(net).train(1, ds.MindDataset("a").batch(2))\n'
    assert bad(run(tmp_path, script, devices=8)) == {"no-shards-here"}
    assert not bad(run(tmp_path, script))


def test_settings_beside_a_rank_do_not_depend_on_it(tmp_path: Path) -> None:
    script = """
        from project import config
        init()
        config.rank = get_rank()
        ms.set_seed(config.seed)
        net = nn.Dense(2, 2)
        ms.Model(net).train(1, ds.MindDataset("a", num_shards=get_group_size(), shard_id=config.rank).batch(2))
    """
    assert not bad(run(tmp_path, script))
    assert not bad(run(tmp_path, script, rank_seeds))


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ('init()\ntrain_ds = ds.MindDataset("a").batch(2)\nms.Model(net).train(1, train_ds)\n', "no-shards"),
        (
            "class Rows:\n    def __init__(self):\n        self.files = os.listdir('a')\n"
            "    def __getitem__(self, i):\n        return (self.files[i],)\n    def __len__(self):\n        return 3\n"
            "init()\ntrain_ds = ds.GeneratorDataset(Rows(), ['x'], num_shards=get_group_size(), shard_id=get_rank())\n"
            "ms.Model(net).train(1, train_ds.batch(2))\n",
            "unsorted",
        ),
    ],
)
def test_a_fix_applies_and_mends(script: str, code: str, tmp_path: Path) -> None:
    found = next(finding for finding in run(tmp_path, script) if finding.code == code)
    assert found.fix is not None and found.fix.diff is not None
    subprocess.run(["git", "apply", "-p1"], input=found.fix.diff, text=True, cwd=tmp_path, check=True)
    mended = (tmp_path / "train.py").read_text()
    ast.parse(mended)
    assert code not in bad(run(tmp_path, mended.removeprefix(HEAD)))


def test_a_seed_is_put_after_the_imports(tmp_path: Path) -> None:
    script = "net = nn.Dense(2, 2)\nms.Model(net).train(1, data)\n"
    found = next(finding for finding in run(tmp_path, script, randomness_fixed) if finding.code == "no-seed")
    assert found.fix is not None and found.fix.diff is not None
    subprocess.run(["git", "apply", "-p1"], input=found.fix.diff, text=True, cwd=tmp_path, check=True)
    mended = (tmp_path / "train.py").read_text()
    assert "ms.set_seed(1)" in mended
    assert not bad(run(tmp_path, mended.removeprefix(HEAD), randomness_fixed))
