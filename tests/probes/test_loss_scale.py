"""Loss scales and overflows that real trainings recorded, and logs as they come."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from accucheck.case import Case, CaseFile
from accucheck.model import Curve, Finding, Level, Verdict, suggest
from accucheck.probe import Skip
from accucheck.probes import loss_scale
from findings import found_by, of_code, told

#: A training cell that finds overflows on a CPU, where MindSpore's own does not look.
TRAINING = """
import sys
import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from accucheck import Recorder

ms.set_device("CPU")
ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(1)
first, bad = float(sys.argv[1]), sys.argv[2] == "bad"
x = np.random.default_rng(0).normal(size=(64, 8)).astype(np.float32)
if bad:
    x[:, 0] = 1e38
y = (x.sum(1) > 0).astype(np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(16)

class OnCPU(nn.TrainOneStepWithLossScaleCell):
    def get_overflow_status(self, status, grads):
        return ops.logical_not(ms.amp.all_finite(grads))

net = nn.Dense(8, 2)
cell = OnCPU(
    nn.WithLossCell(net, nn.CrossEntropyLoss(reduction="sum")), nn.Momentum(net.trainable_params(), 0.001, 0.9),
    nn.DynamicLossScaleUpdateCell(first, 2, 1000))
cell.set_train()
with Recorder("run.jsonl") as recorder:
    ms.Model(cell).train(10, data, callbacks=recorder.callback(), dataset_sink_mode=False)
"""


def judge(folder: Path, log: str | None = None, **spec: Any) -> list[Finding]:
    name = "run.jsonl"
    if log is not None:
        name = "train.log"
        (folder / name).write_text(log)
    case = Case(root=str(folder), spec=msgspec.convert({"curves": {"train": name}, **spec}, CaseFile))
    return found_by(loss_scale, case, loss_scale.Params())


def train(folder: Path, *arguments: str) -> list[Finding]:
    (folder / "training.py").write_text(TRAINING)
    process = subprocess.run(
        [sys.executable, "training.py", *arguments],
        cwd=folder,
        env={**os.environ, "GLOG_v": "3"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert process.returncode == 0, process.stderr
    return judge(folder)


@pytest.mark.mindspore
def test_a_real_scale_that_settles(tmp_path: Path) -> None:
    found = train(tmp_path, str(2.0**127), "good")
    finding = of_code(found, "settled")
    assert suggest(found) is Verdict.OK
    assert finding.data["start"] > 0 and finding.data["count"] == 0 and finding.data["steps"] < 40
    (chart,) = finding.evidence
    assert isinstance(chart, Curve)
    assert chart.series["loss-scale"][0] == pytest.approx(126) and len(chart.marks) == finding.data["start"]


@pytest.mark.mindspore
def test_a_real_scale_that_falls_to_1(tmp_path: Path) -> None:
    found = train(tmp_path, str(2.0**16), "bad")
    assert suggest(found) is Verdict.PROBLEM
    finding = of_code(found, "collapsed")
    assert finding.data["step"] == 16 and finding.data["end"] == 1
    assert [type(chart) for chart in finding.evidence] == [Curve, Curve], "40 overflows are too many to mark each"


def test_the_share_counts_what_comes_after_the_start(tmp_path: Path) -> None:
    scales, overflows = loss_scale._dynamic(1000, 2.0**24, {*range(12), 300, 700})
    finding = of_code(judge(tmp_path, loss_scale._log(scales, overflows)), "settled")
    data = finding.data
    assert (data["start"], data["count"], data["steps"], data["from_step"], data["last"]) == (12, 2, 988, 13, 701)


def test_a_scale_of_1_is_right_in_float32(tmp_path: Path) -> None:
    log = loss_scale._log([1.0] * 50)
    assert told(judge(tmp_path, log)) == {"scale-one"}
    found = judge(tmp_path, log, runtime={"amp": "O0"})
    assert of_code(found, "scale-one").level is Level.INFO and suggest(found) is Verdict.OK


@pytest.mark.parametrize("scale", ["nan", "inf", "0", "-1", "1e300"])
def test_odd_scales(scale: str, tmp_path: Path) -> None:
    log = loss_scale._log([1024.0] * 20) + "".join(
        f"{{ Epoch:[  1/  1], step:[{step:5}/ 9000], loss: 2, loss_scale: {scale} }}\n" for step in range(21, 41)
    )
    assert ("collapsed" in told(judge(tmp_path, log))) is (scale in ("0", "-1"))


def test_a_scale_that_is_told_at_the_start_only(tmp_path: Path) -> None:
    scales, overflows = loss_scale._dynamic(200, 1024.0, set(range(12)))
    lines = loss_scale._log(scales, overflows).splitlines(keepends=True)
    log = "".join(line if at < 3 else line.replace("loss_scale", "size") for at, line in enumerate(lines))
    data = of_code(judge(tmp_path, log), "settled").data
    assert (data["from_step"], data["settled"], data["end"]) == (13, 128, 128)


def test_a_log_without_scale_is_skipped(tmp_path: Path) -> None:
    with pytest.raises(Skip):
        judge(tmp_path, "epoch: 1 step: 1, loss is 2.3\n")
