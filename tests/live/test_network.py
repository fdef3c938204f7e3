"""Building the user's network, loss, optimizer and batches in the child, by a task that a test writes."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from accucheck.live import warm

PROJECT = """
import numpy as np
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn

ms.set_seed(1)

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.one, self.drop, self.two = nn.Dense(4, 8), nn.Dropout(p=0.5), nn.Dense(8, 3)

    def construct(self, x):
        return self.two(self.drop(self.one(x)))

class WithLoss(nn.Cell):
    def __init__(self):
        super().__init__()
        self.net, self.loss = Net(), nn.CrossEntropyLoss()

    def construct(self, x, label):
        return self.loss(self.net(x), label)

def data(batch=4):
    random = np.random.default_rng(0)
    x, y = random.random((10, 4), np.float32), (np.arange(10) % 3).astype(np.int32)
    made = ds.NumpySlicesDataset({"x": x, "label": y}, shuffle=False)
    return made.batch(batch) if batch else made

def empty():
    return data().skip(100)

def sgd(params, learning_rate):
    return nn.SGD(params, learning_rate)

def nothing(*first, **args):
    return 1

def bad():
    raise ValueError("no weights today")

def plain():
    return lambda output, label: 1.5

def of_three():
    return lambda output, label, weight: output.mean()
"""

#: Runs in a process of its own, as the child does: MindSpore's modes are those of a process.
TASK = """
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("main", sys.argv[1])
main = importlib.util.module_from_spec(spec)
spec.loader.exec_module(main)
network = main.neighbour("network")
EndRun = main.neighbour("pipeline").EndRun
request = json.loads(sys.argv[2])
told = {}
try:
    setup = network.Setup(request, lambda **event: None)
    batches = setup.batches(2)
    setup.network.set_train(True)
    optimizer = setup.optimizer(**request.get("instead", {}))
    losses = []
    for _ in range(30):
        loss, grads = setup.gradients(batches[0])
        optimizer(grads)
        losses.append(float(loss))
    told = {"inputs": setup.inputs, "labels": setup.labels, "batches": [batch[0].shape[0] for batch in batches], "losses": losses,
            "optimizer": type(optimizer).__name__, "grads": [list(grad.shape) for grad in grads]}
except EndRun as stop:
    told = stop.event
print(json.dumps(told))
"""


def run(
    root: Path, network: str = "project:Net", loss: str | None = "mindspore.nn:CrossEntropyLoss", **more: Any
) -> Any:
    (root / "project.py").write_text(PROJECT)
    request = {
        "root": str(root),
        "network": {"call": network, "args": {}},
        "loss": loss and {"call": loss, "args": {}},
        "pipeline": {"call": "project:data", "args": {}},
        **more,
    }
    main = str(warm.PROGRAM)
    ran = subprocess.run(
        [sys.executable, "-B", "-c", TASK, main, json.dumps(request)],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout.splitlines()[-1])


@pytest.mark.mindspore
def test_a_network_with_its_loss_trains(tmp_path: Path) -> None:
    told = run(tmp_path)
    assert (told["inputs"], told["labels"], told["batches"]) == (["x"], ["label"], [4, 4])
    assert told["optimizer"] == "Momentum" and told["grads"] == [[8, 4], [8], [3, 8], [3]]
    assert sum(told["losses"][-10:]) < sum(told["losses"][:10])


@pytest.mark.mindspore
def test_a_network_that_gives_its_loss_takes_all_columns(tmp_path: Path) -> None:
    told = run(tmp_path, "project:WithLoss", None)
    assert (told["inputs"], told["labels"]) == (["x", "label"], [])
    assert sum(told["losses"][-10:]) < sum(told["losses"][:10])


@pytest.mark.mindspore
def test_the_cases_own_optimizer_and_data_without_batches(tmp_path: Path) -> None:
    own = {"call": "project:sgd", "args": {"learning_rate": 0.1}}
    unbatched = {"call": "project:data", "args": {"batch": 0}}
    told = run(tmp_path, optimizer=own, pipeline=unbatched, instead={"learning_rate": 0.0})
    assert told["optimizer"] == "SGD" and told["batches"] == [10]
    assert max(told["losses"]) < 3  # a rate of 0: nothing moves, and only Dropout makes the losses differ


@pytest.mark.mindspore
@pytest.mark.parametrize(
    ("more", "event"),
    [
        ({"network": "project:nothing"}, "no-network"),
        ({"loss": "project:nothing"}, "no-loss"),
        ({"optimizer": {"call": "project:nothing", "args": {}}}, "no-optimizer"),
        ({"pipeline": {"call": "project:empty", "args": {}}}, "no-batch"),
        ({"network": "project:bad"}, "raised"),
        ({"loss": "mindspore.nn:BCELoss"}, "raised"),
        ({"loss": "project:plain"}, "no-tensor"),
        ({"loss": "project:of_three"}, "columns"),
    ],
)
def test_what_the_users_functions_do_wrong(tmp_path: Path, more: dict[str, Any], event: str) -> None:
    told = run(tmp_path, **more)
    assert told["event"] == event, told
