"""The first NaN or Inf of a training: whether accucheck watch --nan names the operator and the line it was planted in.

    python benchmarks/first_not_finite.py [NAME ...] [--mode pynative|graph]

Each network is really trained for three steps. Target: all of the planted ones are named with operator and line, and nothing is said of the
healthy ones, which hold infinities on purpose.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from _measuring import Row, Wrong, report, row

SCRIPT = """
import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops

ms.set_seed(1)
ms.set_context(mode=ms.{mode})

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc, self.head = nn.Dense(8, 8), nn.Dense(8, 4)
        self.limit = Tensor(np.array([np.inf], np.float32))
        self.causal = Tensor(np.triu(np.full((8, 8), -np.inf, np.float32), 1))
        {made}

    def construct(self, x):
        x = self.fc(x)
        {planted}  # planted
        return self.head(x)

net = Net()
net.set_train()
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
update = {update}
step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), update, {sens})
generator = np.random.default_rng(0)
for _ in range(3):
    x = Tensor(generator.normal(size=(16, 8)).astype(np.float32))
    print(float(step(x, Tensor(np.arange(16, dtype=np.int32) % 4))))
"""


class Planted(NamedTuple):
    """`operators` may all be named, as MindSpore 2.10 computes the line; `line` is found by this text where it is another one."""

    planted: str
    operators: tuple[str, ...]
    phase: str = "forward"
    made: str = "pass"
    sens: str = "1.0"
    update: str = "nn.SGD(net.trainable_params(), 0.01)"
    line: str = "# planted"


FAULTS = {
    "log of 0": Planted("x = ops.log(ops.relu(x))", ("Log",)),
    "log of an underflow": Planted("x = ops.log(ops.sigmoid(x * -400))", ("Log",)),
    "root at 0, backward": Planted("x = ops.sqrt((x * 0.0) * (x * 0.0))", ("Sqrt",), "backward"),
    "norm at 0, backward": Planted("x = x + ops.norm(x * 0.0, dim=1, keepdim=True)", ("Sqrt", "Norm"), "backward"),
    "division of 0 by 0": Planted("x = x / (x - x)", ("Div",)),
    "reciprocal of 0": Planted("x = ops.reciprocal(ops.relu(x))", ("Reciprocal",)),
    "reciprocal root of 0": Planted("x = ops.rsqrt(ops.relu(x))", ("Rsqrt",)),
    "exp too large": Planted("x = ops.exp(x * 1e4)", ("Exp",)),
    "softmax of a hidden row": Planted(  # MindSpore's own gives numbers there, on the CPU
        'x = ops.masked_fill(x, x < 1e9, float("-inf")); x = ops.exp(x - x.max(1, keepdims=True))', ("Sub",)
    ),
    "softmax of one's own": Planted("x = ops.exp(x * 1e3); x = x / x.sum(1, keepdims=True)", ("Exp",)),
    "float16, forward": Planted("x = ((x.astype(ms.float16) * 500) * 500).astype(ms.float32)", ("Mul", "Muls")),
    "float16, backward": Planted("x = x.astype(ms.float16).astype(ms.float32)", ("Cast",), "backward", sens="1e8"),
    "float16, update": Planted(
        "pass", ("SGD",), "update", made="self.to_float(ms.float16); self.head.weight.set_dtype(ms.float16)",
        update="nn.SGD(net.trainable_params(), 1e7)", line="update =",
    ),
    "update too large": Planted("pass", ("Adam",), "update", update="nn.Adam(net.trainable_params(), 1e39)", line="update ="),
    "0 times Inf": Planted("x = ops.relu(x) * self.limit", ("Mul",)),
    "acos beyond 1": Planted("x = ops.acos(x * 3)", ("ACos",)),
    "asin at 1, backward": Planted("x = ops.asin(x / ops.stop_gradient(x))", ("Asin",), "backward"),
    "root of a number below 0": Planted("x = ops.pow(x, 0.5)", ("Pow",)),
    "power at 0, backward": Planted("x = ops.pow(x * 0.0, 0.5)", ("Pow",), "backward"),
    "log left out by where, backward": Planted(
        "x = ops.where(x > 0, ops.log(x * ops.cast(x > 0, ms.float32)), ops.zeros_like(x))", ("Log",), "backward"
    ),
    "square too large": Planted("x = (x * 1e25) * (x * 1e25)", ("Mul",)),
}  # fmt: skip
HEALTHY = {
    "a causal mask": "x = x + ops.softmax(ops.matmul(x.T, x) + self.causal).sum(0)",
    "places hidden by -Inf": 'x = ops.softmax(ops.masked_fill(x, x < x.max(1, keepdims=True), float("-inf")))',
    "a log of 0 that where leaves out": "x = x + ops.where(x > 0, ops.log(ops.stop_gradient(ops.relu(x))), ops.zeros_like(x))",
    "a root at 0 whose gradient an activation leaves out": "x = ops.sqrt(ops.relu(x))",
    "a greatest value sought from -Inf": 'x = ops.maximum(x, Tensor(float("-inf")))',
}
MODES = {"pynative": "PYNATIVE_MODE", "graph": "GRAPH_MODE"}


def written(folder: Path, one: Planted, mode: str) -> tuple[Path, int]:
    """The training script, and the line that is to be named."""
    text = SCRIPT.format(
        mode=MODES[mode], **{name: getattr(one, name) for name in ("planted", "made", "sens", "update")}
    )
    script = folder / "train.py"
    script.write_text(text, encoding="utf-8")
    return script, next(number for number, line in enumerate(text.splitlines(), 1) if one.line in line)


def firsts(folder: Path, script: Path, mode: str) -> list[dict[str, Any]]:
    """What a watch tells of operators whose results are not finite; it fails where nothing was watched."""
    from accucheck import watching
    from accucheck.readers import recordings

    plan = watching.Plan(
        [sys.executable, str(script)], folder, steps=3, mode="user" if mode == "graph" else "pynative", nan=True
    )
    watched = watching.watch(plan)
    runs = [recordings.read(path).runs[-1] for path in sorted(watched.folder.glob("*.jsonl"))]
    if not any("seconds" in run.series for run in runs):
        raise RuntimeError("no step was watched")
    return [fact for run in runs for fact in run.facts.get("not-finite", [])]


def measure(mode: str, names: list[str]) -> tuple[list[Row], list[Wrong]]:
    right, wrong, false = 0, [], 0
    for name, one in FAULTS.items():
        if names and name not in names:
            continue
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            script, line = written(folder, one, mode)
            found = firsts(folder, script, mode)
        first = found[0] if found else {}
        told = f"{first.get('phase')} {first.get('operator')} {first.get('place')}"
        good = bool(first) and first["operator"].startswith(one.operators) and first["place"] == ["train.py", line]
        good = good and first["phase"] == one.phase
        right += good
        print(f"{name}: {told}{'' if good else f'; expected {one.phase} {one.operators} line {line}'}", flush=True)
        if not good:
            wrong.append(Wrong("planted", name, "mp.01", "", mode, f"{one.operators} line {line}", told))
    for name, text in HEALTHY.items():
        if names and name not in names:
            continue
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            script, _ = written(folder, Planted(text, ()), mode)
            found = firsts(folder, script, mode)
        false += bool(found)
        print(f"{name}: {found or 'nothing'}", flush=True)
        if found:
            wrong.append(Wrong("healthy", name, "mp.01", "", mode, "nothing", json.dumps(found[0])[:200]))
    chosen = [name for name in FAULTS if not names or name in names]
    rows = [
        row(
            f"first NaN or Inf named with operator and line, {mode}",
            right,
            "",
            least=len(chosen),
            note=f"of {len(chosen)}",
        ),
        row(f"healthy trainings that are accused, {mode}", false, "", most=0, note=f"of {len(HEALTHY)}"),
    ]
    return rows, wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--mode", choices=[*MODES], help="this one alone; both otherwise")
    options = parser.parse_args()
    measured = [measure(mode, options.names) for mode in ([options.mode] if options.mode else MODES)]
    return report([one for rows, _ in measured for one in rows], wrong=[one for _, wrong in measured for one in wrong])


if __name__ == "__main__":
    raise SystemExit(main())
