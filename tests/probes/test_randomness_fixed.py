"""Where a missing seed is told: at what happens in any case, however much else an option decides about."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from accucheck import probe
from accucheck.case import Case, CaseFile
from accucheck.model import Finding, Level

_HEAD = """import argparse
import random
import mindspore.dataset as ds
from mindspore import nn

parser = argparse.ArgumentParser()
parser.add_argument("--net", default="none")
args = parser.parse_args()
{seed}
if args.net == "large":
    net = nn.Dense(64, 2)
elif args.net == "small":
    net = nn.Dense(4, 2)
{rest}
"""


def told(root: Path, seed: str, rest: str) -> Finding:
    module = probe.load("randomness_fixed")
    (root / "train.py").write_text(_HEAD.format(seed=seed, rest=rest))
    spec = msgspec.convert({"scripts": {"train": "train.py"}}, CaseFile)
    events = module.run(Case(root=str(root), spec=spec), module.Params())
    (found,) = [e for e in events if isinstance(e, Finding) and e.level is not Level.INFO]
    return found


@pytest.mark.parametrize(
    ("seed", "rest", "code", "level", "line"),
    [
        ("", "data = ds.MnistDataset('d', shuffle=True)", "no-seed", Level.PROBLEM, 14),
        ("", "", "no-seed", Level.SUSPECT, 11),
        ("random.seed(1)", "net = nn.Dense(2, 2)", "unseeded", Level.PROBLEM, 14),
    ],
)
def test_a_missing_seed_is_told_where_no_option_leads_past(
    tmp_path: Path, seed: str, rest: str, code: str, level: Level, line: int
) -> None:
    found = told(tmp_path, seed, rest)
    assert (found.code, found.level, found.where.line) == (code, level, line)
