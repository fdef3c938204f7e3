"""What a watched run tells of the case: real trainings under watch, and recordings that are not what they should be."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from accucheck import case as cases
from accucheck.language import Language
from accucheck.proposal import keys, survey, watches
from accucheck.readers import recordings
from accucheck.watching import Plan, watch

NET = """
from mindspore import nn

class Net(nn.Cell):
    def __init__(self, width, classes=3):
        super().__init__()
        self.body = nn.SequentialCell(nn.Dense(4, width), nn.ReLU(), nn.Dense(width, classes))

    def construct(self, x):
        return self.body(x)
"""
DATA = """
import mindspore.dataset as ds
import numpy as np

def create_dataset(path, batch=4, training=True):
    held = np.load(path)
    data = ds.NumpySlicesDataset((held["x"], held["y"]), ["x", "y"], shuffle=training)
    data = data.batch(batch)
    return data
"""
TRAIN = """
import argparse
import mindspore as ms
from mindspore import nn
from src.data import create_dataset
from src.net import Net

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1)
    args = parser.parse_args()
    ms.set_device("CPU")
    net = Net(6)
    ms.load_param_into_net(net, ms.load_checkpoint("start.ckpt"))
    optimizer = nn.Adam(net.trainable_params(), args.lr)
    model = ms.Model(net, nn.CrossEntropyLoss(), optimizer)
    model.train(2, create_dataset("data/train.npz"), dataset_sink_mode=False)

if __name__ == "__main__":
    main()
"""
START = "import mindspore as ms\nfrom src.net import Net\nms.save_checkpoint(Net(6), 'start.ckpt')\n"


@pytest.mark.mindspore
@pytest.mark.slow
def test_the_case_is_filled_from_a_run_with_all_that_live_probes_need(tmp_path: Path) -> None:
    for name, text in {"src/net.py": NET, "src/data.py": DATA, "train.py": TRAIN, "start.py": START}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "data").mkdir()
    x = np.random.default_rng(1).normal(size=(16, 4)).astype(np.float32)
    np.savez(tmp_path / "data/train.npz", x=x, y=(np.arange(16) % 3).astype(np.int32))
    np.savez(tmp_path / "data/other.npz", x=x)
    assert watch(Plan([sys.executable, "start.py"], tmp_path, mode="user", cwd=tmp_path)).code == 0
    found = watch(Plan([sys.executable, "train.py", "--lr", "0.05"], tmp_path, 0, mode="user", cwd=tmp_path))
    assert found.code == 0
    run = recordings.read(found.passes[0].recordings[0]).runs[-1]
    assert not run.facts.get("failed") and not run.facts.get("missing")
    surveyed = survey(tmp_path)
    assert {one.why for one in surveyed.proposals if one.key.startswith(("runtime", "network", "scripts"))} == {
        "why-seen"
    }
    written = yaml.safe_load(cases.document_of(surveyed.taken))
    assert written["scripts"] == {"train": "train.py"}
    assert written["runtime"] == {
        "device": "CPU",
        "mode": "pynative",
        "command": f"{sys.executable} train.py --lr 0.05",
        "python": sys.executable,
    }
    made = {"call": "src.data:create_dataset", "args": {"path": "data/train.npz", "batch": 4, "training": True}}
    assert written["pipelines"] == {"train": made}
    assert written["network"] == {"call": "src.net:Net", "args": {"width": 6, "classes": 3}}
    assert written["loss"]["call"] == "mindspore.nn:CrossEntropyLoss"
    assert written["optimizer"]["call"] == "mindspore.nn:Adam"  # which takes further arguments, and got none
    assert written["optimizer"]["args"]["learning_rate"] == 0.05
    assert written["data"]["train"]["path"] == "data/train.npz"
    assert written["checkpoints"]["pretrained"] == "start.ckpt"
    (tmp_path / "accucheck.yaml").write_bytes(cases.document_of(surveyed.taken))
    case = cases.load(tmp_path)
    assert case.spec.network is not None and case.spec.network.args == {"width": 6, "classes": 3}


def recorded(root: Path, *facts: dict[str, Any], about: object = None) -> dict[str, str]:
    folder = root / ".accucheck/watch/20260101-000000"
    folder.mkdir(parents=True, exist_ok=True)
    lines: list[object] = [{"recording": 1}, *facts, {"step": 1, "seconds": 1.0, "loss": 1.0}]
    (folder / "user.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (folder / "watch.json").write_text(json.dumps(about))
    return watches.found(root).keys


PASS = {"fact": "pass", "training": True, "data": 0, "networks": [0]}


def origin(of: str, line: int, **more: Any) -> dict[str, Any]:
    return {"fact": "origin", "of": of, "number": 0, "place": ["made.py", line], "arguments": {}, "whole": True, **more}


def test_a_function_is_named_only_where_it_returns_what_it_made(tmp_path: Path) -> None:
    (tmp_path / "made.py").write_text(
        "def direct():\n    return Data()\n"
        "def several():\n    data = Data()\n    return data, 1\n"
        "def other(flag):\n    data = Data()\n    return None if flag else data\n"
        "def main():\n    data = Data()\n    train(data)\n"
        "class Holder:\n    def method(self):\n        return Data()\n"
    )
    told = {
        name: recorded(tmp_path, PASS, origin("dataset", line, function=name)).get("pipelines.train.call")
        for name, line in (("direct", 2), ("several", 4), ("other", 7), ("main", 10), ("method", 14))
    }
    assert told == {"direct": "made:direct", "several": None, "other": None, "main": None, "method": None}
    # Arguments that are not known, or a second data set, leave it open; one that is made anew for each epoch is one.
    assert recorded(tmp_path, PASS, origin("dataset", 2, function="direct", whole=False)) == {}
    twice = [origin("dataset", 2, function="direct"), origin("dataset", 2, function="direct", arguments={"rows": 3})]
    assert "pipelines.train.call" not in recorded(tmp_path, PASS, *twice)
    assert "pipelines.train.call" not in recorded(tmp_path, PASS, twice[0], origin("dataset", 7, function="other"))
    assert recorded(tmp_path, PASS, twice[0], twice[0])["pipelines.train.call"] == "made:direct"


def test_a_graph_that_hides_passes_is_told_by_what_ran_in_pynative(tmp_path: Path) -> None:
    (tmp_path / "made.py").write_text("def direct():\n    return Data()\n")
    graph = {"fact": "mode", "graph": True}
    hidden = recorded(tmp_path, graph, origin("dataset", 2, function="direct"))
    assert "pipelines.train.call" not in hidden
    folder = tmp_path / ".accucheck/watch/20260101-000000"
    lines = [{"recording": 1}, PASS, origin("dataset", 2, function="direct"), {"step": 1, "seconds": 1.0}]
    (folder / "pynative.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = watches.found(tmp_path).keys
    assert (found["pipelines.train.call"], found["runtime.mode"]) == ("made:direct", "graph")


def test_a_loss_that_another_cell_holds_is_not_told_for_that_cell(tmp_path: Path) -> None:
    (tmp_path / "made.py").write_text(
        "class Own(nn.Cell):\n    def __init__(self, weight=1):\n        self.ce = nn.MSELoss()\n"
    )
    told = {"public": True, "class": "mindspore.nn.loss.loss.MSELoss", "own": {"reduction": "mean"}, "left": []}
    inner = origin("around", 3, function="__init__", **told)
    own = origin("around", 9, **{"class": "made.Own", "own": {"weight": 2}, "left": []})
    found = recorded(tmp_path, PASS, own, inner)
    assert (found["loss.call"], json.loads(found["loss.args"])) == ("made:Own", {"weight": 2})
    assert "loss.call" not in recorded(tmp_path, PASS, inner)  # within the network
    assert "loss.call" not in recorded(tmp_path, PASS, {**own, "left": ["net"]}, inner)
    assert recorded(tmp_path, PASS, {**inner, "function": "main"})["loss.call"] == "mindspore.nn:MSELoss"


def test_a_function_for_a_loss_is_told_by_what_it_is_equal_to(tmp_path: Path) -> None:
    equal = [{"fact": "outputs", "step": step, "own": 1.0 + step, "loss": 1.0005 + step} for step in range(1, 6)]
    assert recorded(tmp_path, PASS, *equal)["loss.call"] == "mindspore.nn:CrossEntropyLoss"
    assert "loss.call" not in recorded(tmp_path, PASS, *equal[1:])
    assert "loss.call" not in recorded(tmp_path, PASS, *equal, {"fact": "outputs", "step": 6, "own": 2.0, "loss": 2.1})


def test_networks_that_take_turns_are_named_and_none_is_proposed(tmp_path: Path) -> None:
    (tmp_path / "made.py").write_text("def judge():\n    return Judge()\ndef sgd():\n    return SGD()\n")
    held = {"Judge": [{"name": "weight"}], "Forger": [{"name": "weight"}], "Loss": []}
    networks = [
        {"fact": "network", "number": n, "class": f"made.{name}", "parameters": parameters}
        for n, (name, parameters) in enumerate(held.items())
    ]
    optimizers = [{"fact": "optimizer", "number": number} for number in (0, 1)]
    passes = [PASS, {**PASS, "networks": [1, 0]}, {**PASS, "networks": [2, 1]}]
    seen = [*networks, origin("network", 2, function="judge"), origin("dataset", 2, function="judge")]
    assert recorded(tmp_path, *seen, optimizers[0], *passes[:1])["network.call"] == "made:judge"
    turns = recorded(tmp_path, *seen, *optimizers, *passes)
    assert "network.call" not in turns
    assert turns["pipelines.train.call"] == "made:judge"
    command = [sys.executable, "-m", "accucheck", "init", str(tmp_path), "--lang", "en"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=100, check=True)
    assert "the run trains 2 networks in turn (Judge, Forger)" in ended.stderr


GAN = """
import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

point = np.random.default_rng(1).normal(size=(32, 6)).astype(np.float32)
noise = np.random.default_rng(2).normal(size=(32, 4)).astype(np.float32)
pairs = ds.NumpySlicesDataset({"point": point, "noise": noise}, shuffle=True)
pairs = pairs.batch(8)
bce = nn.BCEWithLogitsLoss()


class Maker(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.body = nn.SequentialCell(nn.Dense(4, width), nn.ReLU(), nn.Dense(width, 6))

    def construct(self, noise):
        return self.body(noise)


class JudgeLoss(nn.Cell):
    def __init__(self, maker, judge):
        super().__init__()
        self.maker, self.judge = maker, judge

    def construct(self, point, noise):
        true, made = self.judge(point), self.judge(ops.stop_gradient(self.maker(noise)))
        return bce(true, ops.ones_like(true)) + bce(made, ops.zeros_like(made))


class MakerLoss(nn.Cell):
    def __init__(self, maker, judge):
        super().__init__()
        self.maker, self.judge = maker, judge

    def construct(self, noise):
        score = self.judge(self.maker(noise))
        return bce(score, ops.ones_like(score))


maker, judge = Maker(8), nn.Dense(6, 1)
of_judge = nn.Adam(judge.trainable_params(), 1e-3)
of_maker = nn.SGD(maker.trainable_params(), 1e-2)
judged = ms.value_and_grad(JudgeLoss(maker, judge), None, of_judge.parameters)
made = ms.value_and_grad(MakerLoss(maker, judge), None, of_maker.parameters)
for point, noise in pairs.create_tuple_iterator():
    _, grads = judged(point, noise)
    of_judge(grads)
    _, grads = made(noise)
    of_maker(grads)
print("trained")
"""


@pytest.mark.mindspore
@pytest.mark.slow
def test_networks_that_take_turns_are_phases_and_a_script_without_functions_is_taken_apart(tmp_path: Path) -> None:
    """Probes run both phases with the data set that stands at the top of the script, whose training they do not start."""
    (tmp_path / "gan.py").write_text(GAN)
    assert watch(Plan([sys.executable, "gan.py"], tmp_path, 0, mode="user", cwd=tmp_path)).code == 0
    surveyed = survey(tmp_path)
    assert surveyed.turns == []
    (tmp_path / "accucheck.yaml").write_bytes(cases.document_of(surveyed.taken))
    spec = cases.load(tmp_path).spec
    assert spec.pipelines.train is not None and spec.pipelines.train.call == "gan:pairs"
    judge = {"call": "mindspore.nn:Dense", "args": {"in_channels": 6, "out_channels": 1, "has_bias": True}}
    told = {
        name: (phase.network, phase.optimizer and phase.optimizer.call, phase.frozen)
        for name, phase in spec.phases.items()
    }
    given = {"maker": {"call": "gan:Maker", "args": {"width": 8}}, "judge": judge}
    assert told == {
        "JudgeLoss": (
            cases.CallOnColumns("gan:JudgeLoss", given, ["point", "noise"]),
            "mindspore.nn:Adam",
            ["maker.*"],
        ),
        "MakerLoss": (cases.CallOnColumns("gan:MakerLoss", given, ["noise"]), "mindspore.nn:SGD", ["judge.*"]),
    }
    command = [sys.executable, "-m", "accucheck", "run", str(tmp_path), "--live", "--kind", "live", "--only", "cg.02"]
    ended = subprocess.run([*command, "--json"], capture_output=True, text=True, timeout=300, check=False)
    (item,) = json.loads(ended.stdout)["items"]
    found = [(one["code"], one["where"]["field"]) for result in item["results"] for one in result["findings"]]
    assert item["suggestion"] == "ok" and {("examined", "JudgeLoss"), ("examined", "MakerLoss")} <= set(found)
    assert "trained" not in ended.stderr


def test_of_a_schedule_the_highest_rate_is_told_once_it_is_past(tmp_path: Path) -> None:
    own = {
        "own": {"momentum": 0.9},
        "left": ["params", "learning_rate"],
        "class": "mindspore.nn.optim.momentum.Momentum",
    }
    made = origin("optimizer", 2, public=True, **own)
    steps = [{"step": step, "lr": rate} for step, rate in ((2, 0.01), (3, 0.05), (4, 0.04))]
    found = recorded(tmp_path, PASS, made, *steps)
    assert found["optimizer.call"] == "mindspore.nn:Momentum"
    assert json.loads(found["optimizer.args"]) == {"learning_rate": 0.05, "momentum": 0.9}
    assert "optimizer.call" not in recorded(tmp_path, PASS, made, *steps[:2])  # it may rise further
    assert json.loads(recorded(tmp_path, PASS, made, steps[1])["optimizer.args"])["learning_rate"] == 0.05
    assert "optimizer.call" not in recorded(tmp_path, PASS, {**made, "left": ["params", "momentum"]}, *steps)


def test_of_a_script_that_would_train_when_it_is_imported_only_what_stands_apart_is_named(tmp_path: Path) -> None:
    start = {"fact": "start", "arguments": ["python", "made.py"], "folder": str(tmp_path)}
    (tmp_path / "made.py").write_text("def direct():\n    return Data()\nif __name__ == '__main__':\n    direct()\n")
    assert (
        recorded(tmp_path, start, PASS, origin("dataset", 2, function="direct"))["pipelines.train.call"]
        == "made:direct"
    )
    (tmp_path / "made.py").write_text(
        "def direct():\n    return Data()\nfrom mindspore import nn\nloss = nn.BCEWithLogitsLoss()\n"
    )
    assert (
        recorded(tmp_path, start, PASS, origin("dataset", 2, function="direct"))["pipelines.train.call"]
        == "made:direct"
    )
    (tmp_path / "made.py").write_text(
        "def direct():\n    return Data()\nfrom other import Data, train\nkept = train(direct())\n"
    )
    seen = origin("dataset", 2, function="direct")
    assert recorded(tmp_path, start, PASS, seen)["pipelines.train.call"] == "made:direct"  # which needs nothing of it
    (tmp_path / "made.py").write_text(
        "from other import Data\ndef direct():\n    return Data(kept)\nfor kept in train():\n    pass\n"
    )
    assert "pipelines.train.call" not in recorded(tmp_path, start, PASS, seen)


def test_a_recording_that_is_not_what_it_should_be_tells_nothing(tmp_path: Path) -> None:
    (tmp_path / "made.py").write_text("def (")
    (tmp_path.parent / "outside.npz").write_bytes(b"")
    facts: list[dict[str, Any]] = [
        {"fact": "start", "arguments": ["python", "../../x.py"], "folder": 5, "interpreter": ["x"]},
        {"fact": "device", "target": {"a": 1}},
        {"fact": "loaded", "path": "../outside.npz"},
        {"fact": "file", "path": "../outside.npz"},
        origin("dataset", 1, function="direct"),
        {"fact": "origin", "of": "network", "number": 0, "place": "x", "class": 7},
        {"fact": "network", "number": 0, "defined": ["made.py", "1"]},
        PASS,
    ]
    for about in (None, [], {"command": 5}, {"command": ["a\nb"]}):
        assert recorded(tmp_path, *facts, about=about) == {}
    assert watches.found(tmp_path / "nothing") == ({}, [])


def test_arguments_are_a_json_object_and_are_written_as_one(tmp_path: Path) -> None:
    case = cases.load(tmp_path)
    assert keys.check(case, "network.args", '{"width": 6}').good
    for wrong in ("6", "{width", "[1]"):
        assert "batch_size" in keys.check(case, "network.args", wrong).text(Language.EN)
    text = cases.with_keys(b"name: x\n", {"network.call": "net:Net", "network.args": '{"width": 6}'}, "accucheck.yaml")
    assert yaml.safe_load(text)["network"] == {"call": "net:Net", "args": {"width": 6}}
