"""pipeline_throughput on real pipelines: slow and fast ones, against recorded and measured steps."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from accucheck.case import Case, CaseFile
from accucheck.errors import UserError
from accucheck.model import Finding, Level, Verdict, suggest
from accucheck.probes import pipeline_throughput
from accucheck.probes.pipeline_throughput import Params
from findings import found_by, of_code, told

pytestmark = pytest.mark.mindspore

PIPELINE = """
import time
import numpy as np
import mindspore.dataset as ds
from mindspore import nn

rows = np.random.default_rng(0).normal(size=(256, 8)).astype(np.float32)

class Slow:
    def __len__(self):
        return 256

    def __getitem__(self, index):
        time.sleep(0.02)
        return rows[index], np.int32(index % 4)

class Once:
    def __iter__(self):
        return ((row, np.int32(0)) for row in rows)

def slow_source():
    return ds.GeneratorDataset(Slow(), ["x", "label"], shuffle=False).batch(8)

def slow_batch(seconds=0.15):
    def collected(x, label, info):
        time.sleep(seconds)
        return x, label
    data = ds.NumpySlicesDataset({"x": rows, "label": np.arange(256, dtype=np.int32) % 4})
    return data.batch(8, per_batch_map=collected, num_parallel_workers=1)

def zipped():
    one = ds.NumpySlicesDataset({"x": rows})
    two = ds.NumpySlicesDataset({"label": np.arange(256, dtype=np.int32) % 4})
    return ds.zip((one, two)).shuffle(64).repeat(3).batch(8)

def iterable():
    return ds.GeneratorDataset(Once(), ["x", "label"]).batch(8)

def one_batch():
    return zipped().take(1)

def raises():
    def broken(x):
        raise KeyError("no such file")
    return zipped().map(broken, "x")

def net():
    return nn.Dense(8, 4)
"""


def case_of(folder: Path, call: str, step: float | None = None, **more: Any) -> Case:
    (folder / "pipe.py").write_text(PIPELINE)
    spec: dict[str, Any] = {"pipelines": {"train": {"call": f"pipe:{call}"}}, **more}
    if step is not None:
        (folder / "run.jsonl").write_text(pipeline_throughput._record(step))
        spec["curves"] = {"train": "run.jsonl"}
    return Case(str(folder), msgspec.convert(spec, CaseFile))


def examine(case: Case, seconds: float = 5.0) -> list[Finding]:
    return found_by(pipeline_throughput, case, Params(seconds=seconds))


@pytest.mark.parametrize(("call", "stage"), [("slow_source", "Generator"), ("slow_batch", "Batch")])
def test_the_stage_that_is_slow_is_named_and_more_workers_are_tried(tmp_path, call, stage):
    found = examine(case_of(tmp_path, call, step=0.1))
    assert told(found) == {"slower"}
    slower = of_code(found, "slower")
    assert slower.level is Level.PROBLEM and slower.data["batch_ms"] >= 150
    assert of_code(found, "slowest").data["stage"] == stage
    assert any(finding.code.startswith("workers-help") for finding in found)


def test_branches_that_are_put_together(tmp_path):
    found = examine(case_of(tmp_path, "zipped", step=0.5))
    assert suggest(found) is Verdict.OK
    stages = [row[0] for row in of_code(found, "throughput").evidence[0].rows]
    assert stages == ["NumpySlices", "NumpySlices", "Zip", "Shuffle", "Repeat", "Batch"]


def test_a_source_that_is_read_but_once(tmp_path):
    found = examine(case_of(tmp_path, "iterable", step=1.0))
    assert suggest(found) is Verdict.OK


def test_steps_of_the_network_are_timed_where_none_was_recorded(tmp_path):
    calls = {"network": {"call": "pipe:net"}, "loss": {"call": "mindspore.nn:CrossEntropyLoss"}}
    slow = {"train": {"call": "pipe:slow_batch", "args": {"seconds": 2.0}}}
    found = examine(case_of(tmp_path, "slow_batch", **calls, pipelines=slow), seconds=10)
    assert told(found) == {"slower"} and 0 < of_code(found, "slower").data["step_ms"] < 1800
    assert of_code(found, "timed").data["device"] == "CPU"


def test_a_single_batch_has_no_rate(tmp_path):
    found = examine(case_of(tmp_path, "one_batch", step=1.0), seconds=4)
    assert suggest(found) is Verdict.UNDECIDED and {finding.code for finding in found} == {"no-samples"}


def test_what_the_project_raises_is_told_as_its_own(tmp_path):
    with pytest.raises(UserError) as caught:
        examine(case_of(tmp_path, "raises", step=1.0))
    assert caught.value.code == "live-raised" and "no such file" in str(caught.value)


def test_a_curve_without_times_is_no_step(tmp_path):
    case = case_of(tmp_path, "zipped", curves={"train": "loss.csv"})
    (tmp_path / "loss.csv").write_text("step,loss\n" + "".join(f"{step},1.0\n" for step in range(1, 20)))
    found = examine(case, seconds=4)
    assert suggest(found) is Verdict.UNDECIDED and of_code(found, "no-step").incomplete


def test_the_time_of_a_step_by_a_log(tmp_path):
    log = "".join(f"Train epoch time: 3200.0 ms, per step time: {ms} ms\n" for ms in (900, 100.0, 102.0, 101.0))
    log += "Eval epoch time: 3200.0 ms, per step time: 1.0 ms\n"
    (tmp_path / "train.log").write_text("epoch: 1 step: 1, loss is 0.5\nepoch: 2 step: 1, loss is 0.4\n" + log)
    found = examine(case_of(tmp_path, "slow_source", curves={"train": "train.log"}))
    assert told(found) == {"slower"} and of_code(found, "slower").data["step_ms"] == 101.0
