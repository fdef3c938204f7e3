"""accucheck lr-range: really trains networks, keeps what it recorded whatever happens, and leaves everything else as it was."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from accucheck import case as cases
from accucheck.range_test import judged, optimizer_of

pytestmark = pytest.mark.mindspore

#: Two clouds of points, a net of one layer: it trains within a few steps.
DATA = """
import numpy as np
import mindspore.dataset as ds


def data(batch=20):
    random = np.random.default_rng(0)
    label = np.arange(400) % 2
    point = random.standard_normal((400, 4)).astype(np.float32) * 0.3 + label[:, None].astype(np.float32)
    return ds.NumpySlicesDataset({"point": point, "label": label.astype(np.int32)}, shuffle=True).batch(batch)


def broken():
    def rows():
        for number in range(1000):
            if number == 900:
                raise RuntimeError("the 900th sample is bad")
            yield np.ones(4, np.float32), np.int32(number % 2)

    return ds.GeneratorDataset(rows, ["point", "label"], num_parallel_workers=1).batch(20)


def nothing():
    return ds.GeneratorDataset(lambda: iter(()), ["point", "label"], num_parallel_workers=1).batch(20)
"""
NET = """
import mindspore as ms
from mindspore import nn, ops


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(4, 2)

    def construct(self, point):
        return self.dense(point)


class Overflows(Net):
    "Its scores become infinite once the weights have grown."

    def construct(self, point):
        return ops.exp(ops.exp(self.dense(point) * 3))


class Counts(Net):
    "Leaves a file behind once it has trained a while."

    count = 0

    def construct(self, point):
        Counts.count += 1
        if Counts.count == 20:
            open("began", "w").close()
        return self.dense(point)


class WithLoss(nn.Cell):
    def __init__(self):
        super().__init__()
        self.net, self.loss = Net(), nn.CrossEntropyLoss()

    def construct(self, point, label):
        return self.loss(self.net(point), label)


class Fails(Net):
    def construct(self, point):
        raise ValueError("no such shape")


def own_schedule(parameters, learning_rate):
    return nn.SGD(parameters, nn.cosine_decay_lr(0.0, 0.1, 100, 10, 10))


def groups(parameters, learning_rate):
    parts = list(parameters)
    return nn.Adam([{"params": parts[:1]}, {"params": parts[1:], "weight_decay": 0.1}], learning_rate)
"""
LOSS = {"call": "mindspore.nn:CrossEntropyLoss"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "points.py").write_text(DATA)
    (tmp_path / "net.py").write_text(NET)
    return tmp_path


def write_case(root: Path, network: object = "net:Net", loss: bool = True, **more: object) -> None:
    import yaml

    content = {"pipelines": {"train": {"call": "points:data"}}, **more}
    if network is not None:
        content["network"] = {"call": network} if isinstance(network, str) else network
    if loss:
        content["loss"] = LOSS
    (root / "accucheck.yaml").write_text(yaml.safe_dump(content))


def started(root: Path, *arguments: str, live: bool = True, language: str = "en") -> subprocess.Popen:
    command = [
        sys.executable,
        "-m",
        "accucheck",
        "lr-range",
        ".",
        "--lang",
        language,
        *(["--live"] if live else []),
        *arguments,
    ]
    environment = {**os.environ, "XDG_CONFIG_HOME": str(root / "config")}
    return subprocess.Popen(
        command,
        cwd=root,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def ran(root: Path, *arguments: str, **options: object) -> tuple[int, str, str]:
    process = started(root, *arguments, **options)  # type: ignore[arg-type]
    out, err = process.communicate(timeout=300)
    return process.returncode, out, err


def table(path: Path) -> list[list[float]]:
    return [[float(cell) for cell in line.split(",")] for line in path.read_text().splitlines()[1:]]


def test_a_test_of_a_small_network(project):
    write_case(project)
    files = {path: path.read_bytes() for path in project.iterdir()}
    code, out, err = ran(project, "--steps", "300", "--from", "1e-5", "--to", "10")
    assert code == 0, err
    rows = table(project / "logs/lr_range.csv")
    assert (project / "logs/lr_range.csv").read_text().startswith("step,lr,loss,accuracy\n1,1e-05,")
    assert len(rows) == 300 and rows[-1][1] == pytest.approx(10)
    assert rows[0][3] < 0.8 and max(row[3] for row in rows) == 1.0, "it was trained"
    assert "The range test finds" in out and "curves: {lr_test: logs/lr_range.csv}" in out
    assert "checked by digest" in err and "mindspore.nn:Momentum(momentum=0.9)" in err and "default" in err
    assert {path: path.read_bytes() for path in files} == files
    assert {path.name for path in project.iterdir()} == {path.name for path in files} | {"logs"}
    kept = (project / "logs/lr_range.csv").read_bytes()
    code, out, err = ran(project, "--steps", "40")
    assert code == 2 and "--force" in err and (project / "logs/lr_range.csv").read_bytes() == kept
    code, out, err = ran(project, "--steps", "40", "--force", "--scale", "linear", "--from", "0", language="zh")
    assert code == 0 and len(table(project / "logs/lr_range.csv")) == 40
    assert "学习率" in err and "实验" in out


def test_a_loss_that_is_no_number_ends_the_test(project):
    write_case(project, "net:Overflows")
    _, _out, err = ran(project, "--steps", "400", "--from", "1e-4", "--to", "100", "-o", "out/curve.csv")
    lines = (project / "out/curve.csv").read_text().splitlines()
    assert "the loss is not a finite number" in err or "diverges" in err
    assert 1 < len(lines) < 401


def test_a_network_that_gives_its_loss_has_no_accuracy(project):
    write_case(project, "net:WithLoss", loss=False)
    code, out, err = ran(project, "--steps", "200", "--from", "1e-4", "--to", "10")
    assert code == 0 and (project / "logs/lr_range.csv").read_text().startswith("step,lr,loss\n1,")
    assert "no accuracy" in err and "from the loss" in out


@pytest.mark.parametrize(
    ("optimizer", "shown"),
    [
        ({"call": "mindspore.nn:Adam", "args": {"learning_rate": 0.5, "beta1": 0.8}}, "mindspore.nn:Adam"),
        ({"call": "net:groups"}, "net:groups"),
        ({"call": "mindspore.experimental.optim:Adam", "args": {"lr": 0.5}}, "optim:Adam"),
    ],
)
def test_the_optimizer_of_the_case(project, optimizer, shown):
    write_case(project, optimizer=optimizer)
    code, _out, err = ran(project, "--steps", "60", "--from", "1e-3", "--to", "1")
    assert code == 0, err
    assert shown in err and "accucheck.yaml" in err and "checked by digest" in err
    rows = table(project / "logs/lr_range.csv")
    assert sum(row[2] for row in rows[-10:]) < 0.6 * sum(row[2] for row in rows[:10]), "it did not train at these rates"


@pytest.mark.parametrize(
    ("script", "call", "args", "origin"),
    [
        ("nn.Adam(net.trainable_params(), 0.01, beta1=0.8)", "mindspore.nn:Adam", {"beta1": 0.8}, "from-script"),
        ("nn.Momentum(net.trainable_params(), 0.1, 0.85, weight_decay=1e-4)", "mindspore.nn:Momentum",
         {"momentum": 0.85, "weight_decay": 1e-4}, "from-script"),
        ("nn.Momentum(net.trainable_params(), 0.1, given)", "mindspore.nn:Momentum", {"momentum": 0.9}, "from-script"),
        ("print", "mindspore.nn:Momentum", {"momentum": 0.9}, "from-nowhere"),
    ],
)  # fmt: skip
def test_the_optimizer_of_the_script(project, script, call, args, origin):
    write_case(project, scripts={"train": "train.py"})
    (project / "train.py").write_text(f"from mindspore import nn\nnet = nn.Dense(2, 2)\nopt = {script}\n")
    made, told, _ = optimizer_of(cases.load(project))
    assert (made.call, made.args, told) == (call, args, origin)


def test_of_phases_the_first_is_tested_and_named(project):
    phases = {"first": {"network": {"call": "net:Net"}, "loss": LOSS}, "second": {"network": {"call": "net:Fails"}}}
    write_case(project, network=None, loss=False, phases=phases)
    code, _out, err = ran(project, "--steps", "40")
    assert code == 0 and "phase: first" in err and "not tested: second" in err, err
    assert len(table(project / "logs/lr_range.csv")) == 40


def test_a_phase_without_a_network_is_told(project):
    write_case(project, network=None, phases={"first": {"loss": LOSS}})
    code, _out, err = ran(project, "--steps", "40")
    assert code == 2 and "phases.first.network" in err and "Traceback" not in err, err


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"network": {"call": "net:Fails"}}, "no such shape"),
        ({"network": {"call": "net:missing"}}, "missing"),
        ({"network": {"call": "points:data"}}, "not a network"),
        ({"pipelines": {"train": {"call": "points:nothing"}}}, "no batch"),
        ({"optimizer": {"call": "net:own_schedule"}}, "its own schedule"),
        ({"optimizer": {"call": "net:Net"}}, "learning_rate"),
        ({"network": None}, "network is missing"),
        ({"pipelines": {}}, "pipelines.train is missing"),
    ],
)
def test_what_cannot_be_trained_is_told(project, more, says):
    write_case(project, **more)
    code, out, err = ran(project, "--steps", "40")
    assert code == 2 and says in err and out == "", err
    assert "Traceback" not in err and not (project / "logs").exists()


def test_what_was_recorded_before_an_error_is_kept(project):
    write_case(project, pipelines={"train": {"call": "points:broken"}})
    code, _out, err = ran(project, "--steps", "400")
    assert code == 2 and "the 900th sample is bad" in err and "ended by an error" in err
    assert 1 <= len(table(project / "logs/lr_range.csv")) <= 45, "MindSpore reads ahead"


def test_an_interruption_keeps_what_was_recorded(project):
    write_case(project, "net:Counts")
    process = started(project, "--steps", "1000000")
    for _ in range(1200):
        time.sleep(0.1)
        if (project / "began").exists() or process.poll() is not None:
            break
    os.killpg(process.pid, signal.SIGINT)  # as Ctrl-C does: accucheck and the process that trains
    _out, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert "interrupted at step" in err and table(project / "logs/lr_range.csv")


@pytest.mark.slow
def test_training_confirms_the_bounds_of_the_digits(tmp_path):
    """The example's own script reaches its accuracy at a rate between the bounds, and fails at ten times the upper one."""
    import shutil

    root = Path(shutil.copytree(Path(__file__).parents[1] / "examples/digits", tmp_path / "digits"))
    code, out, err = ran(root, "--force")
    assert code == 0 and "within the bounds" in out, out + err
    (found,) = judged(cases.load(root), root / "logs/lr_range.csv")
    lower, upper = found.data["lower"], found.data["upper"]
    assert not found.incomplete and 0.001 < lower < 0.05 < upper < 0.5

    def trained(rate: float) -> float:
        command = [sys.executable, "train.py", "--epochs", "8", "--learning-rate", f"{rate:.6g}"]
        subprocess.run(command, cwd=root, check=True, capture_output=True, timeout=300)
        return table(root / "logs/eval.csv")[-1][-1]

    assert trained((lower * upper) ** 0.5) > 0.9
    assert trained(upper / 2) > 0.9, "the advice of the fix"
    assert trained(10 * upper) < 0.3


def test_without_consent_nothing_runs(project):
    write_case(project)
    code, _out, err = ran(project, live=False)
    assert code == 2 and "--live" in err and not (project / "logs").exists()


@pytest.mark.parametrize(
    "arguments", [["--from", "0"], ["--from", "1", "--to", "0.1"], ["--to", "nan"], ["--steps", "39"]]
)
def test_rates_that_are_no_test_are_refused(project, arguments):
    write_case(project)
    code, _out, err = ran(project, *arguments)
    assert code == 2 and err.startswith("accucheck: ") and not (project / "logs").exists()
