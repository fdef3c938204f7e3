"""Experiment plans: their code is put into real trainings of both frameworks and run; steps and lines come from the project."""

import json
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from command_line import accucheck, copy_example

pytestmark = pytest.mark.part(40)

STEPS, BATCHES, FORK = 24, 10, 15
DATA = """
import numpy as np

random = np.random.default_rng(3)
X = random.normal(size=(80, 6)).astype(np.float32)
Y = random.integers(0, 3, 80).astype(np.int32)
"""
NETWORK = """
import mindspore as ms
import mindspore.dataset as ds
from data import X, Y
from mindspore import nn


def create_dataset(part):
    return ds.NumpySlicesDataset((X, Y), ["x", "y"], shuffle=False).batch(8)


def build():
    backbone = nn.SequentialCell(nn.Dense(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dense(8, 3), nn.Dropout(p=0.0))
    rates = nn.cosine_decay_lr(0.0, 0.05, 30, 10, 3)
    return backbone, nn.Momentum(backbone.trainable_params(), rates, 0.9)
"""
LOOP = """
import json
import sys

import mindspore as ms
from mindspore import nn
from network import build, create_dataset

ms.set_seed(int(sys.argv[1]))
backbone, opt = build()
loss_fn = nn.CrossEntropyLoss()
forward = ms.value_and_grad(lambda x, y: loss_fn(backbone(x), y), None, opt.parameters)
backbone.set_train()
log = open(sys.argv[2], "w")
step = 0
# HERE
for epoch in range(3):
    for number, (x, y) in enumerate(create_dataset("train").create_tuple_iterator()):
        loss, gradients = forward(x, y)
        opt(gradients)
        step += 1
        log.write(json.dumps({"step": step, "loss": float(loss)}) + "\\n")
        # KEEP
"""
MODEL = """
import json
import sys

import mindspore as ms
from mindspore import nn
from network import build, create_dataset

ms.set_seed(int(sys.argv[1]))
backbone, opt = build()
trainer = ms.Model(backbone, nn.CrossEntropyLoss(), opt)
train_set = create_dataset("train")


class Log(ms.Callback):
    def on_train_step_end(self, run_context):
        told = run_context.original_args()
        log.write(json.dumps({"step": told.cur_step_num, "loss": float(told.net_outputs)}) + "\\n")


log = open(sys.argv[2], "w")
# HERE
trainer.train(3, train_set, callbacks=[Log()], dataset_sink_mode=False)
"""
BENCHMARK = """
import json
import sys

import torch
from data import X, Y
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(sys.argv[1]))
net = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3))
optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 7, 0.5)
loader = DataLoader(TensorDataset(torch.tensor(X), torch.tensor(Y).long()), batch_size=8, shuffle=False)
log = open(sys.argv[2], "w")
step = 0
# HERE
for _ in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        schedule.step()
        step += 1
        log.write(json.dumps({"step": step, "loss": loss.item()}) + "\\n")
        # KEEP
"""


def make(folder: Path, script: str) -> Path:
    files = {"data.py": DATA, "network.py": NETWORK, "train.py": script, "ref/train.py": BENCHMARK, "ref/data.py": DATA}
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    (folder / "accucheck.yaml").write_text(
        "name: mine\nscripts: {train: train.py}\nbenchmark: {framework: pytorch, scripts: {train: ref/train.py}}\n"
        "curves: {train: ours.jsonl, reference: {path: theirs.jsonl}}\n"
    )
    return folder


def train(folder: Path, script: str, text: str, seed: int, log: str) -> list[float]:
    """Runs a script of the project as changed; the losses of its log."""
    (folder / script).write_text(text)
    environment = {**os.environ, "PYTHONPATH": str(folder / script).rpartition("/")[0], "GLOG_v": "3"}
    subprocess.run([sys.executable, script, str(seed), log], cwd=folder, env=environment, check=True, timeout=300)
    return losses(folder / log)


def losses(log: Path) -> list[float]:
    return [json.loads(line)["loss"] for line in log.read_text().splitlines()]


def put(script: str, code: str, call: str = "pass") -> str:
    return script.replace("# HERE", code).replace("# KEEP", call)


def plan(folder: Path, *options: str) -> str:
    ran = accucheck("--lang", "en", "plan", folder, *options, timeout=120)
    assert ran.code == 0, ran
    return ran.out


def codes(text: str) -> list[str]:
    return [textwrap.dedent(found) for found in re.findall(r"^  ```python\n(.*?)^  ```$", text, re.M | re.S)]


@pytest.mark.part(40)
@pytest.mark.mindspore
@pytest.mark.parametrize(
    ("script", "fork"),
    [(LOOP, FORK), (MODEL, FORK), (LOOP, 2 * BATCHES + 1)],
    ids=["loop", "Model", "first of an epoch"],
)
def test_a_step_is_moved_to_the_second_in_both_frameworks(tmp_path: Path, script: str, fork: int) -> None:
    """Across the end of an epoch, with momentum, a schedule and BatchNorm; the resumed script starts from other weights."""
    pytest.importorskip("torch")
    folder = make(tmp_path, script)
    keep, resume, keep_there, resume_there = codes(plan(folder, "--step", str(fork)))
    if script is MODEL:
        kept = put(script, keep).replace("[Log()]", "[KeepState(), Log()]")
        resumed = put(script, resume).replace("train(3, train_set", "train(1, rest")
    else:
        kept = put(script, keep, "keep_state(step)")
        resumed = (
            put(script, resume).replace('create_dataset("train").create', "rest.create").replace("range(3)", "range(1)")
        )
        assert "rest.create" in resumed
    whole = train(folder, "train.py", kept, 1, "ours.jsonl")
    again = train(folder, "train.py", resumed, 2, "again.jsonl")
    assert len(whole) == 3 * BATCHES
    assert again[:5] == whole[fork - 2 : fork + 3]
    whole = train(folder, "ref/train.py", put(BENCHMARK, keep_there, "keep_state(step)"), 1, "theirs.jsonl")
    resumed = put(BENCHMARK, resume_there).replace("in loader:", "in rest:")
    again = train(folder, "ref/train.py", resumed, 2, "again_there.jsonl")
    assert again[:5] == whole[fork - 2 : fork + 3]
    # With both logs there, the plan names what is to be repeated.
    (folder / "train.py").write_text(script)
    expected = plan(folder, "--step", str(fork))
    for log in ("ours.jsonl", "theirs.jsonl"):
        values = losses(folder / log)[fork - 2 : fork]
        assert f"step 1 {values[0]:.9g} (was step {fork - 1}), step 2 {values[1]:.9g} (was step {fork})" in expected


def write_logs(folder: Path, start: int) -> None:
    """Two logs that part at the FORK-th step."""
    for name, other in (("ours", 0.2), ("theirs", 0.0)):
        values = [
            2.3 / (1 + 0.1 * at) + 0.03 * ((at * 7919) % 13) + (other if at >= FORK - 1 else 0) for at in range(STEPS)
        ]
        lines = [json.dumps({"step": start + at, "loss": value}) for at, value in enumerate(values)]
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize("start", [0, 1])
def test_the_step_is_what_the_session_knows(tmp_path: Path, start: int) -> None:
    """Counted from 1, also where the logs count from 0."""
    folder = make(tmp_path, LOOP)
    assert "Run cmp.08 or cmp.02 first" in plan(folder)
    write_logs(folder, start)
    ran = accucheck("run", folder, "--checklist", "comparison", "--only", "cmp.08", timeout=120)
    assert ran.code == 1, ran
    text = plan(folder)
    assert f"## 2. Move step {FORK} to step 2" in text
    assert f"Step {FORK} (counted from 1) is where `loss_comparison` saw the losses part." in text
    assert f"if step == {FORK - 2}:" in text
    assert text.count(f"(was step {FORK})") == 2


def test_the_step_at_which_two_runs_of_one_script_part(tmp_path: Path) -> None:
    folder = make(tmp_path, LOOP)
    write_logs(folder, 1)
    (folder / "accucheck.yaml").write_text(
        "scripts: {train: train.py}\ncurves: {train: ours.jsonl, rerun: theirs.jsonl}\n"
    )
    ran = accucheck("run", folder, "--checklist", "comparison", "--only", "cmp.02", timeout=120)
    assert ran.code == 1, ran
    text = plan(folder)
    assert f"Step {FORK} (counted from 1) is where `reproducible_runs` saw the losses part." in text
    assert len(codes(text)) == 2 and "Benchmark" not in text  # there is none


def test_the_order_and_the_lines_of_the_project(tmp_path: Path) -> None:
    text = plan(make(tmp_path, LOOP), "--step", "9")
    subjects = [
        "Network",
        "Data: order",
        "Data: augmentation",
        "Data: parallel workers",
        "Initial weights",
        "Hyperparameters",
    ]
    places = [text.index(f"### 1.{number} {subject}") for number, subject in enumerate(subjects, 1)]
    assert places == sorted(places)
    for part in (
        "`network.py:13` `nn.Dropout(p=0.0)`",
        "`train.py:9` `ms.set_seed(int(sys.argv[1]))`",
        "`network.py:9` `ds.Numpy",
    ):
        assert f"Fixed here: {part}" in text, part
    assert "Not fixed yet" not in text
    assert "`train.py:18`" in text  # where it trains
    assert "backbone" in text and '"scheduler": schedule' in text
    assert "--set curves.train=ours.jsonl --set curves.rerun=collect/free_order.csv" in text


def test_what_is_still_random_comes_first(tmp_path: Path) -> None:
    folder = make(tmp_path, LOOP)
    network = NETWORK.replace("shuffle=False", "shuffle=True, num_parallel_workers=4").replace("p=0.0", "p=0.3")
    (folder / "network.py").write_text(network)
    text = plan(folder)
    line = next(line for line in text.splitlines() if "Not fixed yet" in line)
    assert "nn.Dropout(p=0.3)" in line and "shuffle=True" in line and line.count("`network.py:9`") == 2


def test_early_steps_are_not_moved(tmp_path: Path) -> None:
    folder = make(tmp_path, LOOP)
    for step in ("1", "2"):
        text = plan(folder, "--step", step)
        assert f"It shows at step {step} already" in text
        assert not codes(text)


def test_bad_input(tmp_path: Path) -> None:
    folder = make(tmp_path, LOOP)
    assert accucheck("plan", folder, "--step", "0").code == 2
    (folder / "train.py").write_text("def broken(:\n")
    (folder / "ref" / "train.py").unlink()
    (folder / "ours.jsonl").write_bytes(b"\x00\xff\n")
    text = plan(folder, "--step", "7")
    assert "`net`, `optimizer`, `dataset`" in text  # the names are guessed, and that is said
    assert "before6_network.ckpt" in text and "It trains at" not in text
    assert "Could not be read: `train.py`" in text
    (folder / "accucheck.yaml").write_text('name: "a`b*\\e[31m|<b>"\n')
    text = plan(folder, "--step", "7")
    assert "scripts.train in accucheck.yaml" in text
    assert "\x1b" not in text
    assert "a\\`b\\*" in text.splitlines()[0]


def test_both_languages_and_the_file(tmp_path: Path) -> None:
    folder = copy_example("digits", tmp_path)
    target = tmp_path / "plan.md"
    ran = accucheck("--lang", "zh", "plan", folder, "--step", "40", "--output", target)
    assert (ran.code, ran.out) == (0, ""), ran
    text = target.read_text()
    assert "## 2. 把第 40 步的问题提前到第 2 步" in text and "model.train_network" in text
    english = plan(folder, "--step", "40")
    assert len(english.splitlines()) == len(text.splitlines())
    assert codes(english) == codes(text)
    again = accucheck("--lang", "zh", "plan", folder, "--output", target)
    assert again.code == 2 and str(target) in again.err
    assert target.read_text() == text
