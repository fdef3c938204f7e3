"""What watching adds to a step of ResNet-50 (batch of 8, CPU, PyNative), and how long a watch of the example takes to its findings.

The same training runs alone and under `accucheck watch`, in turn; a step is timed by the training itself. All steps of a watch are looked
at closely here, as the first ten of any watch are, and images are small (64 pixels), as what is looked at counts the more the shorter a
step is: this is its worst. For `accucheck.watch(every=100)` in one's own loop, a hundred steps with one that is looked at count as one
figure, on images of 32 pixels, so that it ends within the hour: MindSpore's convolutions take seconds a step on a CPU.
"""

from __future__ import annotations

import argparse
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from _measuring import ROOT, Row, report, row

TRAINING = """
import contextlib
import resource
import time

import accucheck
import mindspore as ms
import numpy as np
from mindspore import nn, ops


def convolved(into, out, size, stride=1):
    return [nn.Conv2d(into, out, size, stride, pad_mode="pad", padding=size // 2), nn.BatchNorm2d(out)]


class Bottleneck(nn.Cell):
    def __init__(self, into, width, stride):
        super().__init__()
        out = 4 * width
        self.body = nn.SequentialCell(
            *convolved(into, width, 1), nn.ReLU(), *convolved(width, width, 3, stride), nn.ReLU(), *convolved(width, out, 1)
        )
        self.short = nn.SequentialCell(*convolved(into, out, 1, stride)) if stride > 1 or into != out else None

    def construct(self, x):
        return ops.relu(self.body(x) + (x if self.short is None else self.short(x)))


class ResNet50(nn.Cell):
    def __init__(self):
        super().__init__()
        layers, into = [*convolved(3, 64, 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, pad_mode="same")], 64
        for width, blocks, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
            for number in range(blocks):
                layers.append(Bottleneck(into, width, stride if not number else 1))
                into = 4 * width
        self.layers, self.last = nn.SequentialCell(*layers), nn.Dense(2048, 1000)

    def construct(self, x):
        return self.last(self.layers(x).mean((2, 3)))


ms.set_seed(1)
network, loss_fn = ResNet50(), nn.CrossEntropyLoss()
optimizer = nn.Momentum(network.trainable_params(), 0.01, 0.9)


def forward(images, labels):
    return loss_fn(network(images), labels)


step = ms.value_and_grad(forward, None, optimizer.parameters)
network.set_train()
dice = np.random.default_rng(0)
images = ms.Tensor(dice.standard_normal((8, 3, SIZE, SIZE)).astype(np.float32))
labels = ms.Tensor(dice.integers(0, 1000, 8).astype(np.int32))
with WATCHING:
    for _ in range(STEPS):
        begin = time.perf_counter()
        loss, grads = step(images, labels)
        optimizer(grads)
        print("loss", repr(float(loss)), "weight", repr(float(network.last.weight.asnumpy().sum())), "seconds", time.perf_counter() - begin)
print("memory", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


WATCH = ("-m", "accucheck", "watch", "--steps", "0", "--mode", "user", "--", sys.executable)


def script(folder: Path, steps: int, size: int, watching: str = "contextlib.nullcontext()") -> Path:
    """The training of so many steps on images of `size` pixels, within this context manager."""
    path = folder / f"train_{size}_{'alone' if 'null' in watching else 'watched'}.py"
    path.write_text(TRAINING.replace("STEPS", str(steps)).replace("SIZE", str(size)).replace("WATCHING", watching))
    return path


def trained(path: Path, *before: str) -> tuple[list[float], float, list[str]]:
    """Seconds of each step after the first, the most memory in MiB, and the losses and weights as printed."""
    command = [sys.executable, *before, path.name]
    folder = path.parent
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    seconds = [float(one) for one in re.findall(r"seconds (\S+)", ran.stdout)]
    memory = float(re.findall(r"^memory (\S+)", ran.stdout, re.M)[0])
    return seconds[1:], memory, re.findall(r"(loss .*) seconds", ran.stdout)


def resnet(rounds: int, steps: int) -> list[Row]:
    alone: list[float] = []
    watched: list[float] = []
    memories: dict[bool, float] = {}
    with tempfile.TemporaryDirectory() as name:
        path = script(Path(name), steps + 1, 64)
        said = []
        for _ in range(rounds):
            for under, taken in ((False, alone), (True, watched)):
                seconds, memories[under], lines = trained(path, *(WATCH if under else ()))
                taken += seconds
                said.append(lines)
    equal = all(lines == said[0] for lines in said)
    note = f"losses and weights of all {len(said)} runs {'equal' if equal else 'DIFFER'} to the last bit"
    print(f"ResNet-50: {statistics.median(alone):.2f} s a step, watched {statistics.median(watched):.2f} s; {note}")
    more = memories[True] - memories[False]
    return [
        row("ResNet-50, a step looked at closely", watched, "s", "unwatched", alone, ratio_most=2.0, note=note),
        row("ResNet-50, memory added", [more], "MiB", most=200.0),
    ]


def every_hundredth(rounds: int, hundreds: int) -> list[Row]:
    """A loop of one's own: the seconds of each hundred steps, one of which is looked at, after the first step."""
    taken: dict[str, list[float]] = {"contextlib.nullcontext()": [], "accucheck.watch(every=100)": []}
    with tempfile.TemporaryDirectory() as name:
        for _ in range(rounds):
            for watching, sums in taken.items():
                seconds, _, _ = trained(script(Path(name), 100 * hundreds + 1, 32, watching))
                sums += [sum(seconds[at : at + 100]) for at in range(0, len(seconds), 100)]
    alone, watched = taken.values()
    print(
        f"ResNet-50 on 32 pixels: {statistics.median(alone):.2f} s a hundred steps, {statistics.median(watched):.2f} s with every=100"
    )
    return [row("ResNet-50, 100 steps with every=100", watched, "s", "unwatched", alone, ratio_most=1.02)]


def example() -> list[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(shutil.copytree(ROOT / "examples" / "digits", Path(name, "digits")))
        folder.joinpath("accucheck.yaml").unlink(missing_ok=True)
        begin = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "accucheck", "watch", "--steps", "50", "--", sys.executable, "train.py"],
            cwd=folder,
            capture_output=True,
            check=True,
        )
        taken = time.perf_counter() - begin
    print(f"examples/digits: 50 steps from command to findings in {taken:.1f} s")
    return [row("examples/digits, 50 steps to findings", [taken], "s", most=30.0)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--hundreds", type=int, default=1)
    options = parser.parse_args()
    rows = resnet(options.rounds, options.steps) + every_hundredth(options.rounds, options.hundreds) + example()
    return report(rows)


if __name__ == "__main__":
    raise SystemExit(main())
