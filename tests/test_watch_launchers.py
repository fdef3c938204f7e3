"""Launchers start several processes of one training: each rank has its recording, and all end at the same step."""

import os
import shutil
import socket
import sys
from pathlib import Path

import pytest

from accucheck import case as cases
from accucheck.model import Finding, Level
from accucheck.probes import watched_ranks
from accucheck.readers import recordings
from accucheck.watching import OUTPUT, Pass, Plan, watch

pytestmark = pytest.mark.mindspore

#: Each rank trains on inputs of its own; "together" they use the mean of their gradients, so that one that ends has the other wait.
TRAIN = """
import os
import sys
import time

import mindspore as ms
import numpy as np
from mindspore import nn, ops

rank = int(os.environ.get("RANK_ID", os.environ.get("RANK", "-1")))
together = "together" in sys.argv
if together:
    from mindspore.communication import init

    ms.set_device("CPU")
    init()
    total = ops.AllReduce()
if "seeded" in sys.argv:
    ms.set_seed(1)
net = nn.Dense(2, 2)
optimizer = nn.SGD(net.trainable_params(), 0.01)
labels = ms.Tensor([1, 1], ms.int32)
losses = {False: lambda a, b: (net(a) ** 2).sum(), True: lambda a, b: nn.CrossEntropyLoss()(net(a), b)}
step = ms.value_and_grad(losses["classes" in sys.argv], None, optimizer.parameters)
begun = time.monotonic()
for number in range(int(sys.argv[1])):
    if "evaluate" in sys.argv and number == 5 and rank == 0:  # the other rank waits in the next step
        taken = time.monotonic() - begun
        while time.monotonic() - begun < 2 * taken + 2:
            net(ms.Tensor(np.ones((2, 2), np.float32)))
    loss, grads = step(ms.Tensor(np.full((2, 2), rank + 1, np.float32)), labels)
    devices = 1 if "summed" in sys.argv else 2
    optimizer(tuple(total(one) / devices for one in grads) if together else grads)
"""
#: Its folder holds the interpreter of these tests, which launchers take for "python".
OWN = Path(sys.executable).parent


def launched(folder: Path, monkeypatch: pytest.MonkeyPatch, launcher: str, *options: str, steps: int = 0) -> Pass:
    """The pass of two processes that a launcher starts; skipped where there is no such launcher."""
    monkeypatch.setenv("PATH", f"{OWN}{os.pathsep}{os.environ['PATH']}")
    if shutil.which(launcher) is None:
        pytest.skip(f"no {launcher} here")
    folder.joinpath("train.py").write_text(TRAIN)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    started = {
        "msrun": ["--worker_num=2", "--local_worker_num=2", f"--master_port={port}", "--join=True", "--log_dir=logs"],
        "torchrun": ["--nproc_per_node=2", f"--master_port={port}"],
    }[launcher]
    plan = Plan([launcher, *started, "train.py", *options], folder, steps, mode="pynative", cwd=folder, kept=True)
    found = watch(plan)
    (one,) = found.passes
    assert one.code == 0 and not one.failed, found.folder.joinpath(OUTPUT).read_text(errors="replace")[-2000:]
    return one


def losses(found: Pass) -> dict[int, list[float]]:
    runs = {rank: recordings.read(path).runs[-1] for rank, path in found.recordings.items()}
    assert all(run.rank == rank for rank, run in runs.items())
    return {rank: run.series["loss"].values.tolist() for rank, run in runs.items()}


@pytest.mark.parametrize("launcher", ["msrun", "torchrun"])
def test_every_rank_is_recorded(launcher: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = losses(launched(tmp_path, monkeypatch, launcher, "4"))
    assert sorted(seen) == [0, 1]
    assert [len(values) for values in seen.values()] == [4, 4]
    assert seen[0] != seen[1]


@pytest.mark.parametrize(
    ("options", "about", "codes"),
    [
        (("together", "seeded"), "gradients", {"together": Level.INFO}),
        (("together", "seeded"), "start", {"start-equal": Level.INFO}),
        (("together",), "start", {"start-differs": Level.PROBLEM}),
        (("seeded",), "gradients", {"drift-apart": Level.PROBLEM}),
        (("together", "seeded", "classes", "summed"), "gradients", {"together": Level.INFO, "summed": Level.SUSPECT}),
        (("together", "seeded", "summed"), "gradients", {"together": Level.INFO, "summed-meant": Level.INFO}),
    ],
)
def test_what_ranks_say_of_seeds_and_of_gradients(
    options: tuple[str, ...], about: str, codes: dict[str, Level], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded = launched(tmp_path, monkeypatch, "msrun", "4", *options).recordings[0].parent
    case = cases.load(tmp_path, [f"watched={recorded.relative_to(tmp_path)}"])
    found = [one for one in watched_ranks.run(case, watched_ranks.Params(about=about)) if isinstance(one, Finding)]
    assert {one.code: one.level for one in found} == codes
    assert {one.data["weights"] for one in found} == {2}


def test_ranks_that_wait_for_each_other_end_at_the_same_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = losses(launched(tmp_path, monkeypatch, "msrun", "100000", "together", steps=4))
    assert sorted(seen) == [0, 1]
    assert len(seen[0]) == len(seen[1]) == 6  # and two that waited for an evaluation


def test_a_rank_that_evaluates_alone_does_not_leave_the_others_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It evaluates longer than it has trained, after the steps that were asked for."""
    seen = losses(launched(tmp_path, monkeypatch, "msrun", "100000", "together", "evaluate", steps=4))
    assert [len(values) for values in seen.values()] == [6, 6]
