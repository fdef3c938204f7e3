"""Runs that W&B and SwanLab keep offline, written by the libraries themselves (tests/trackers), and what monitors keep of each layer."""

import math
import shutil
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

from accucheck.errors import ReadError
from accucheck.readers import curves, distributions, monitors, trackers

KEPT = Path(__file__).parent.parent / "trackers"
LOSS = [2.0, 1.0, math.nan, 0.5, 0.4]


@pytest.mark.parametrize("name", ["run.wandb", "run.swanlab", "backup.swanlab"])
def test_a_run_of_a_tracker(name):
    (run,) = curves.read(KEPT / name).runs
    assert run.columns["loss"].steps.tolist() == [10, 20, 30, 40, 50]
    np.testing.assert_array_equal(run.columns["loss"].values, LOSS)
    np.testing.assert_allclose(run.columns["train/acc"].values, [0.1, 0.2, 0.3, 0.4, 0.5])
    others = set(run.columns) - {"loss", "train/acc"}
    assert others == ({"eval.top1"} if name == "run.wandb" else set())
    settings = trackers.read(KEPT / name).settings
    assert settings["lr"] == "0.1" and settings["batch"] == "16"


def test_histograms_of_wandb():
    found, problems = distributions.read(KEPT / "run.wandb")
    assert not problems and list(found) == ["weights"]
    assert [(one.step, one.counts.sum(), one.low[0], one.high[-1]) for one in found["weights"]] == [
        (10, 4, 0, 3),
        (30, 12, 0, 11),
        (50, 20, 0, 19),
    ]


def test_a_run_is_told_once(tmp_path):
    """What W&B and SwanLab keep beside a run says the same again: logs of its output, links to them, copies of each curve."""
    for folder, name in (("wandb/offline-run-1", "run.wandb"), ("swanlog/run-1", "run.swanlab")):
        (tmp_path / folder / "logs").mkdir(parents=True)
        shutil.copy(KEPT / name, tmp_path / folder)
        (tmp_path / folder / "logs/debug.log").write_text("step 1 loss 2\nstep 2 loss 1\n")
    (tmp_path / "wandb/debug.log").symlink_to(tmp_path / "wandb/offline-run-1/logs/debug.log")
    (tmp_path / "train.log").write_text("step 1 loss 3\nstep 2 loss 2\n")
    names = sorted(run.name for run in curves.read(tmp_path).runs)
    assert names == ["swanlog/run-1/run.swanlab", "train.log", "wandb/offline-run-1/run.wandb"]


@pytest.mark.parametrize("name", ["run.wandb", "run.swanlab", "backup.swanlab"])
def test_what_is_cut_or_changed_costs_only_what_follows(tmp_path, name):
    data = (KEPT / name).read_bytes()
    target = tmp_path / name
    for cut in range(8, len(data), 97):
        target.write_bytes(data[:cut])
        try:
            found = curves.read(target)
        except ReadError as error:
            assert error.code in ("truncated", "no-curve", "malformed"), error
            continue
        assert found.runs[0].columns["loss"].values.tolist()[0] == 2.0
    place = len(data) * 3 // 4
    target.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
    found = curves.read(target)
    assert [one.code for one in found.problems] == ["record-checksum"] and "loss" in found.runs[0].columns


def _record(payload: bytes) -> bytes:
    return struct.pack("<IHB", zlib.crc32(b"\1" + payload), len(payload), 1) + payload


def test_records_over_several_blocks_and_hostile_ones(tmp_path):
    name = b"x" * 40_000  # one record in pieces of two blocks
    key = b"\x0a" + bytes([len(name) & 127 | 128, len(name) >> 7 & 127 | 128, len(name) >> 14]) + name
    value = key + b"\x10\x05" + b"\x2a\x09\x09" + struct.pack("<d", 0.5)
    payload = b"\x6a" + bytes([len(value) & 127 | 128, len(value) >> 7 & 127 | 128, len(value) >> 14]) + value
    first = (1 << 15) - 7 - 7
    pieces = [(2, payload[:first]), (4, payload[first:])]
    written = b"".join(
        struct.pack("<IHB", zlib.crc32(bytes([kind]) + part), len(part), kind) + part for kind, part in pieces
    )
    path = tmp_path / "run.swanlab"
    path.write_bytes(b":SWL\xd6\xe1\x02" + written)
    (run,) = curves.read(path).runs
    ((told, column),) = run.columns.items()
    assert set(told) == {"x"} and len(told) == 1000 and column.steps.tolist() == [5] and column.values.tolist() == [0.5]
    for payload in (
        b"\x6a\x7f",
        b"{}",
        b'{"model_type": "Scalar", "data": 3}',
        b"\x6a\x04\x0a\x01a\x2a",
        b"[" * 50_000,
    ):
        path.write_bytes(b":SWL\xd6\xe1\x02" + _record(payload[:60_000]))
        with pytest.raises(ReadError):
            curves.read(path)


def _monitored(folder: Path, steps: int) -> None:
    """Files as msprobe's writer (26.2) makes them: the same head, one file for each two steps, NaN in words."""
    folder.mkdir(parents=True)
    for begin in range(0, steps, 2):
        rows = ["vpp_stage,name,step,norm,min,max,mean,nans,shape,dtype"]
        for step in range(begin, min(begin + 2, steps)):
            for layer in range(3):
                value = "nan" if (step, layer) == (11, 1) else str(float(step + layer))
                rows.append(f'0,layers.{layer}.weight,{step},{value},-1.0,1.0,0.1,0.0,"[2, 2]",Float32')
        (folder / f"grad_reduced_{begin}-{begin + 1}.csv").write_text("\n".join(rows) + "\n")
    (folder / "actv_0-1.csv").write_text(
        "vpp_stage,name,step,micro_step,norm,shape,dtype\n"
        + "".join(f'1,head,0,{micro},2.5,"[2]",Float32\n' for micro in range(2))
    )


def test_a_monitor_of_msprobe(tmp_path):
    _monitored(tmp_path / "rank0", 13)
    found = curves.read(tmp_path)
    (run,) = found.runs
    assert not found.problems and run.name == "rank0"
    norm = run.columns["grad_reduced/norm/layers.1.weight"]
    assert norm.steps.tolist() == list(range(13)) and math.isnan(norm.values[11]) and norm.values[12] == 13
    assert run.columns["actv/norm/1/head"].values.tolist() == [2.5, 2.5]
    assert not any("shape" in name or "step" in name for name in run.columns)
    (single,) = curves.read(tmp_path / "rank0" / "grad_reduced_2-3.csv").runs
    assert single.columns["grad_reduced/norm/layers.0.weight"].steps.tolist() == [2, 3]
    (tmp_path / "rank0" / "grad_reduced_4-5.csv").write_text("vpp_stage,name,step,norm\n0,a\n")
    damaged = curves.read(tmp_path)
    assert len(damaged.problems) == 1
    assert damaged.runs[0].columns["grad_reduced/norm/layers.1.weight"].steps.tolist() == [
        0,
        1,
        2,
        3,
        6,
        7,
        8,
        9,
        10,
        11,
        12,
    ]


@pytest.mark.parametrize("head", ['vpp_stage,"a,name,step",norm', 'vpp_stage,"name,step",step,norm'])
def test_a_monitor_without_a_column_of_names_is_malformed(tmp_path: Path, head: str) -> None:
    for rows in ("0,a,1,2\n", ""):
        (tmp_path / "grad_reduced_0-1.csv").write_text(f"{head}\n{rows}")
        with pytest.raises(ReadError):
            monitors.rows(tmp_path / "grad_reduced_0-1.csv")


@pytest.mark.mindspore
def test_local_norms_as_mindspore_dumps_them(tmp_path):
    script = """
import sys, numpy as np, mindspore as ms
from mindspore import ops
put = ops.TensorDump()
for step in range(3):
    for name in ("model.a.weight", "model.b.weight"):
        put(f"{sys.argv[1]}/local_norm__{name}", ms.Tensor(np.float32(step + len(name))))
    put(f"{sys.argv[1]}/device_local_norm", ms.Tensor(np.float32(step)))
    put(f"{sys.argv[1]}/finish_step", ms.Tensor(np.int64(step)))
"""
    folder = tmp_path / "rank_0"
    folder.mkdir()
    subprocess.run([sys.executable, "-c", script, str(folder)], check=True, timeout=120, capture_output=True)
    (run,) = curves.read(tmp_path).runs
    assert set(run.columns) == {"local_norm/model.a.weight", "local_norm/model.b.weight", "device_local_norm"}
    for column in run.columns.values():
        assert column.steps.tolist() == [1, 2, 3]
    assert run.columns["local_norm/model.a.weight"].values.tolist() == [14, 15, 16]
    # What an unfinished step left, and the names of a MindSpore before 2.5.
    for file in folder.glob("finish_step*"):
        file.unlink()
    assert curves.read(tmp_path).runs[0].columns["device_local_norm"].steps.tolist() == [1, 2, 3]
    old = tmp_path / "old"
    old.mkdir()
    for number, name in ((1, "local_norm__a"), (2, "finish_step"), (3, "local_norm__a")):
        np.save(old / f"{number}_{name}.npy", np.float32(number))
    assert curves.read(old).runs[0].columns["local_norm/a"].steps.tolist() == [1, 2]


def test_families_of_layers():
    for name in (
        "local_norm/model.a",
        "grad_reduced/norm/layers.1",
        "actv/input.norm/1/head",
        "adam_m_norm/a",
        "param_origin/max/a",
    ):
        assert monitors.FAMILIES.match(name), name
    for name in ("loss", "train/acc", "local_norm", "params/loss", "parameters/norm"):
        assert not monitors.FAMILIES.match(name), name
