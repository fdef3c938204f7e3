"""Real runs under mindspore.profiler on a CPU, with their data pipelines profiled too, for the tests of profiles."""

import json
import os
import subprocess
import sys
from pathlib import Path

#: The profiler of a CPU run leaves the data pipeline out; MindSpore's own manager of pipeline profiles writes the same files as on Ascend.
SCRIPT = """
import json, sys, time
from pathlib import Path
import mindspore as ms
import mindspore._c_dataengine as engine
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, profiler

given = json.loads(sys.argv[1])
ms.set_device("CPU")
ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(1)
ds.config.set_monitor_sampling_interval(10)
rows = np.random.default_rng(1).normal(size=(given["samples"], given["size"])).astype(np.float32)

def slowly(row):
    time.sleep(given["map_seconds"])
    return row

class Slow(ms.Callback):
    def on_train_step_end(self, run_context):
        time.sleep(given["step_seconds"])

data = ds.NumpySlicesDataset({"x": rows, "y": np.arange(len(rows), dtype=np.int32) % 4}, shuffle=False)
data = data.map(slowly, "x", num_parallel_workers=1).batch(8)
net = nn.SequentialCell(nn.Dense(given["size"], 64), nn.ReLU(), nn.Dense(64, 4))
model = ms.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params()))
manager = engine.GlobalContext.profiling_manager()
manager.init()
manager.start()
with profiler.profile(
    activities=[profiler.ProfilerActivity.CPU], on_trace_ready=profiler.tensorboard_trace_handler(given["folder"])
) as run:
    model.train(1, data, callbacks=[Slow()], dataset_sink_mode=False)
    run.step()
manager.stop()
manager.save(str(next(Path(given["folder"]).glob("*_ascend_ms/FRAMEWORK"))))
"""


def write(folder: Path, map_seconds: float, step_seconds: float, samples: int = 320) -> Path:
    """Trains for `samples` / 8 steps, with a map that takes `map_seconds` a sample and a step that takes `step_seconds` more than it
    needs; the folder that the profiler wrote."""
    folder.mkdir(parents=True, exist_ok=True)
    script = folder / "training.py"
    script.write_text(SCRIPT)
    given = {"folder": str(folder / "profiler"), "map_seconds": map_seconds, "step_seconds": step_seconds}
    process = subprocess.run(
        [sys.executable, str(script), json.dumps({**given, "samples": samples, "size": 32})],
        cwd=folder,
        env={**os.environ, "GLOG_v": "3"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert process.returncode == 0, process.stderr
    return folder / "profiler"
