"""step_waits on logs that MindSpore's TimeMonitor printed, and on others."""

import gzip
import os
import time
from pathlib import Path

import msgspec
import numpy as np
import pytest

from accucheck.case import Case, CaseFile
from accucheck.model import Finding, Level, Verdict, suggest
from accucheck.probe import Skip
from accucheck.probes import step_waits
from accucheck.readers import curves
from findings import found_by, of_code, told


def examine(log: Path) -> list[Finding]:
    spec = {"curves": {"train": log.name}}
    return found_by(step_waits, Case(str(log.parent), msgspec.convert(spec, CaseFile)), step_waits.Params())


@pytest.mark.mindspore
@pytest.mark.parametrize(("seconds", "verdict"), [(0.4, Verdict.UNDECIDED), (0, Verdict.OK)])
def test_what_time_monitor_prints(tmp_path, capfd, seconds, verdict):
    import mindspore.dataset as ds
    from mindspore import nn
    from mindspore.train import Callback, LossMonitor, Model, TimeMonitor

    class Slow(Callback):
        def on_train_step_end(self, run_context):
            time.sleep(0 if seconds else 0.05)

    def rows():
        for at in range(4):
            time.sleep(seconds)
            yield np.ones(4, np.float32), np.int32(at % 2)

    network = nn.Dense(4, 2)
    model = Model(network, nn.CrossEntropyLoss(), nn.SGD(network.trainable_params(), 0.1))
    data = ds.GeneratorDataset(rows, ["x", "label"]).batch(1)
    monitors = [Slow(), LossMonitor(1), TimeMonitor(data_time=True)]
    model.train(3, data, callbacks=monitors, dataset_sink_mode=False)
    (tmp_path / "train.log").write_text(capfd.readouterr().out)
    found = examine(tmp_path / "train.log")
    assert suggest(found) is verdict
    if seconds:
        waits = of_code(found, "waits")
        assert waits.level is Level.SUSPECT and waits.data["share"] > 0.1 and waits.data["step_ms"] > 200
    else:
        assert of_code(found, "keeps-up").data["share"] < 0.1


WORDINGS = {
    "{ Epoch:[  1/  5], step:[    2/  100], loss: 9.9, per_step_time: 1234ms, lr: 1e-6, overflow cond: False": 1.234,
    "Epoch 1/300, Step 100/1000, imgsize (640, 640), loss: 7.1, step time: 456.50 ms": 0.4565,
    "epoch time: 1522.6 ms, per step time: 15.2 ms": 0.0152,
    "step: 10, loss: 0.5, step cost: 0.25 s": 0.25,
}


@pytest.mark.parametrize("line", WORDINGS)
def test_wordings(tmp_path, line):
    (tmp_path / "train.log").write_text(f"{line}\nEval step time: 3 ms\nstep time: fast ms\n")
    times = curves.step_times(tmp_path / "train.log")
    np.testing.assert_allclose(times.steps, [WORDINGS[line]])
    assert np.isnan(times.waits).all()
    assert told(found := examine(tmp_path / "train.log")) == set() and suggest(found) is Verdict.UNDECIDED


def test_a_compressed_log_and_bytes_that_are_no_text(tmp_path):
    line = b"\xff\xfe? per step time: 10 ms (data time: 5 ms)\n"
    with gzip.open(tmp_path / "train.log.gz", "wb") as file:
        file.write(b"started\n" + line * 3 + b"per step time: 10 ms " + b"x" * 100_000)
    found = examine(tmp_path / "train.log.gz")
    assert told(found) == {"waits"} and of_code(found, "waits").data["share"] == 0.5


@pytest.mark.parametrize("text", ["step,loss\n1,0.5\n2,0.4\n", "epoch: 1 step: 1, loss is 0.5\n", '{"loss": 1}\n'])
def test_what_tells_no_times_is_passed_over(tmp_path, text):
    (tmp_path / "train.log").write_text(text)
    with pytest.raises(Skip):
        examine(tmp_path / "train.log")


def test_a_folder_is_passed_over(tmp_path):
    os.mkdir(tmp_path / "logs")
    with pytest.raises(Skip):
        examine(tmp_path / "logs")
