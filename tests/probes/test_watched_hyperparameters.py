"""What a really watched training used, against a benchmark in PyTorch that is read as text."""

from pathlib import Path

import pytest

from accucheck import case as cases
from accucheck.model import Finding, Kind, Level, ProbeResult, Status, Verdict, combine, suggest
from accucheck.probes import hyperparameters, watched_hyperparameters
from watched_runs import judged, watched

#: The defaults are those of no benchmark: the "command line" sets what runs.
SCRIPT = """
    import argparse
    import sys

    import mindspore as ms
    import mindspore.dataset as ds
    import numpy as np
    from mindspore import nn

    sys.argv[1:] = ["--lr", "{lr}", "--batch", "16"]
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=3.0)
    parser.add_argument("--batch", type=int, default=4)
    args = parser.parse_args()
    net, loss = nn.Dense(6, 2), nn.CrossEntropyLoss()
    optimizer = nn.{optimizer}
    rows = np.random.default_rng(0).standard_normal((64, 6)).astype(np.float32)
    data = ds.NumpySlicesDataset((rows, (rows[:, 0] > 0).astype(np.int32)), ["x", "y"]).batch(args.batch)
    step = ms.value_and_grad(lambda x, y: loss(net(x), y), None, optimizer.parameters)
    for x, y in data.create_tuple_iterator():
        value, grads = step(x, y)
        optimizer(grads)
"""
MOMENTUM = "Momentum(net.trainable_params(), args.lr, momentum=0.9, weight_decay=1e-4)"
THERE = """
import torch
from torch import nn

net = nn.Linear(6, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
loader = torch.utils.data.DataLoader(data, batch_size=16, shuffle=True)
for x, y in loader:
    optimizer.zero_grad()
    nn.functional.cross_entropy(net(x), y).backward()
    optimizer.step()
"""


@pytest.mark.mindspore
@pytest.mark.parametrize(
    ("lr", "optimizer", "differing"),
    [
        ("0.1", MOMENTUM, []),
        ("0.2", MOMENTUM, ["lr"]),
        ("0.1", MOMENTUM.replace("0.9, weight_decay=1e-4", "0.5"), ["momentum", "weight_decay"]),
        ("0.1", "Adam(net.trainable_params(), args.lr)", ["optimizer"]),
    ],
    ids=["healthy", "rate", "momentum and decay", "optimizer"],
)
def test_what_ran_is_set_against_the_benchmark(lr: str, optimizer: str, differing: list[str], tmp_path: Path) -> None:
    root = tmp_path / "project"
    seen = watched(root, SCRIPT.format(lr=lr, optimizer=optimizer))
    (root / "ref").mkdir()
    (root / "ref" / "train.py").write_text(THERE)
    recording = f"watched={seen.paths('watched')[0].relative_to(root)}"
    case = cases.load(root, [recording, "benchmark.scripts.train=ref/train.py", "scripts.train=train.py"])
    found = [
        one for one in watched_hyperparameters.run(case, watched_hyperparameters.Params()) if isinstance(one, Finding)
    ]
    assert [one.data["name"] for one in found if one.code == "differs"] == differing
    assert {one.level for one in found if one.code == "differs"} <= {Level.PROBLEM}
    assert suggest(found) is (Verdict.PROBLEM if differing else Verdict.OK)
    assert judged(watched_hyperparameters, case)["compared"].data["count"] >= 3
    read = [one for one in hyperparameters.run(case, hyperparameters.Params()) if isinstance(one, Finding)]
    assert any(one.level is Level.SUSPECT for one in read)  # by their defaults, rate and batches differ
    results = [
        ProbeResult(name, kind, Status.DONE, suggest(some), some)
        for name, kind, some in (
            ("hyperparameters", Kind.STATIC, read),
            ("watched_hyperparameters", Kind.FILE, found),
        )
    ]
    assert (combine(results) is Verdict.PROBLEM) == bool(differing)
    if not differing:
        assert combine(results) is Verdict.OK
