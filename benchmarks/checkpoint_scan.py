"""Scans and lists a large MindSpore checkpoint: the probe zero_weights and the reader against scripts of load_checkpoint and numpy.

Both print the same statistics of every tensor, or its name and shape, in processes of their own, by turns; times include the start
of Python.

    python benchmarks/checkpoint_scan.py --size 1.5 --rounds 5
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from _measuring import report, row

OURS = """
import json, sys
from accucheck import probe
from accucheck.case import Case, CaseFile, Checkpoints
from accucheck.model import Finding
module = probe.load("zero_weights")
case = Case(root=".", spec=CaseFile(checkpoints=Checkpoints(initial=sys.argv[1])))
found = [event for event in module.run(case, module.Params(processes=int(sys.argv[2]))) if isinstance(event, Finding)]
table = found[-1].evidence[0]
print(json.dumps({"tensors": table.total, "zero": [f.where.name for f in found if f.code == "all-zero"],
                  "bad": [f.where.name for f in found if f.code == "non-finite"]}))
"""

# What one writes in five minutes: load, then a line of numpy a question.
USER = """
import json, sys
import numpy as np
import mindspore as ms
found = {"tensors": 0, "zero": [], "bad": []}
rows = []
for name, parameter in ms.load_checkpoint(sys.argv[1]).items():
    w = parameter.asnumpy()
    found["tensors"] += 1
    if np.isnan(w).any() or np.isinf(w).any():
        found["bad"].append(name)
    elif w.ndim > 1 and (w == 0).all():
        found["zero"].append(name)
    rows.append((name, (w == 0).mean(), w.min(), w.max(), w.mean(), w.std()))
print(json.dumps(found))
"""

OUR_LISTING = """
import json, sys
from pathlib import Path
from accucheck.readers.checkpoints import open_checkpoint
print(json.dumps([[tensor.name, list(tensor.shape)] for tensor in open_checkpoint(Path(sys.argv[1])).tensors]))
"""

USER_LISTING = """
import json, sys
import mindspore as ms
print(json.dumps([[name, list(parameter.shape)] for name, parameter in ms.load_checkpoint(sys.argv[1]).items()]))
"""


def make(path: Path, size: float) -> None:
    """A checkpoint of about `size` GB in 271 parameters like those of a transformer, one all zero and one with a NaN."""
    import mindspore as ms
    import numpy as np

    generator = np.random.default_rng(0)
    width = int((size * 1e9 / 4 / (22 * 12)) ** 0.5) // 8 * 8
    parameters = []

    def add(name: str, *shape: int) -> None:
        values = generator.standard_normal(shape, np.float32) if len(shape) > 1 else np.ones(shape, np.float32)
        parameters.append({"name": name, "data": ms.Tensor(values)})

    for block in range(22):
        for name in ("query", "key", "value", "output"):
            add(f"block{block}.{name}.weight", width, width)
        add(f"block{block}.up.weight", 4 * width, width)
        add(f"block{block}.down.weight", width, 4 * width)
        for name in ("norm1.gamma", "norm1.beta", "norm2.gamma", "norm2.beta", "output.bias", "down.bias"):
            add(f"block{block}.{name}", width)
    for name in range(7):
        add(f"head{name}.weight", 8, width)
    parameters[1]["data"] = ms.ops.zeros_like(parameters[1]["data"])
    broken = parameters[2]["data"].asnumpy().copy()
    broken[3, 5] = np.nan
    parameters[2]["data"] = ms.Tensor(broken)
    ms.save_checkpoint(parameters, str(path))


def measure(script: str, *arguments: str) -> tuple[float, float, dict[str, object]]:
    """Seconds, peak resident memory in MB of the largest of its processes, and what the script printed."""
    # All keep their byte code, as after an install.
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    begin = time.perf_counter()
    child = subprocess.Popen(
        [sys.executable, "-c", script, *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert child.stdout
    output = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - begin
    if status:
        raise SystemExit(f"a measured process failed ({status})")
    return seconds, usage.ru_maxrss / 1024, json.loads(output.splitlines()[-1])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=float, default=1.5, help="GB of the checkpoint")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--processes", default="2")
    parser.add_argument("--folder", type=Path, help="keep and reuse the checkpoint here")
    parser.add_argument("--make", type=Path, help="only write the checkpoint")
    options = parser.parse_args()
    if options.make:
        make(options.make, options.size)
        return 0
    with tempfile.TemporaryDirectory(dir=options.folder) as temporary:
        path = (options.folder or Path(temporary)) / f"scan-{options.size}.ckpt"
        if not path.exists():
            # In a child: a process counts the memory of the one it was forked from as its own.
            subprocess.run([sys.executable, __file__, "--make", str(path), "--size", str(options.size)], check=True)
        scripts = {"user": USER, "ours": OURS, "user-listing": USER_LISTING, "our-listing": OUR_LISTING}
        runs: dict[str, list[tuple[float, float]]] = {name: [] for name in scripts}
        answers = {}
        for _ in range(options.rounds):
            for name, script in scripts.items():
                seconds, memory, answer = measure(script, str(path), options.processes)
                runs[name].append((seconds, memory))
                answers[name] = answer
        size = path.stat().st_size
    median = {name: statistics.median(seconds for seconds, _ in values) for name, values in runs.items()}
    memory = {name: max(peak for _, peak in values) for name, values in runs.items()}
    print(f"{size:,} bytes, {answers['ours']['tensors']} tensors, {options.rounds} rounds, medians")
    print(f"  load_checkpoint + numpy   {median['user']:7.2f} s  peak {memory['user']:7.0f} MB")
    print(
        f"  zero_weights              {median['ours']:7.2f} s  peak {memory['ours']:7.0f} MB each  {size / median['ours'] / 1e9:.1f} GB/s"
    )
    print(f"  ratio {median['user'] / median['ours']:.1f}x; same answers: {answers['ours'] == answers['user']}")
    print(f"  listed by load_checkpoint {median['user-listing']:7.2f} s  peak {memory['user-listing']:7.0f} MB")
    print(f"  listed by our reader      {median['our-listing']:7.2f} s  peak {memory['our-listing']:7.0f} MB")
    same = answers["our-listing"] == answers["user-listing"]
    print(f"  ratio {median['user-listing'] / median['our-listing']:.1f}x; same answers: {same}")
    if not same or answers["ours"] != answers["user"]:
        raise SystemExit("the answers differ")
    rows = []
    for what, ours, user in (
        ("statistics of every tensor", "ours", "user"),
        ("names and shapes", "our-listing", "user-listing"),
    ):
        mine, theirs = ([seconds for seconds, _ in runs[name]] for name in (ours, user))
        peer = "load_checkpoint and numpy"
        rows.append(row(f"{what}, time", mine, "s", peer, theirs, note=f"{size / 1e9:.2f} GB"))
        rows.append(row(f"{what}, largest process", memory[ours], "MB", peer, memory[user], rounds=options.rounds))
    return report(rows)


if __name__ == "__main__":
    raise SystemExit(main())
