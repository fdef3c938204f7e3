"""What a script infers, beside what a watched evaluation gave for the same rows: both really run, healthy and each with a planted fault."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest

from accucheck import case as cases
from accucheck.case import Case
from accucheck.model import Finding, Level
from accucheck.probe import Skip
from accucheck.probes import watched_inference
from accucheck.watching import Plan, watch

NET = """
    import numpy as np
    import mindspore as ms
    import mindspore.dataset as ds
    from mindspore import Tensor, nn, ops

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.conv, self.norm = nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4)
            self.drop, self.head = nn.Dropout(p=0.5), nn.Dense(4 * 64, 5)

        def construct(self, x):
            return self.head(self.drop(ops.relu(self.norm(self.conv(x)))).reshape(x.shape[0], -1))

    def pictures():
        dice = np.random.default_rng(3)
        return dice.integers(0, 256, (40, 3, 8, 8)).astype(np.float32), dice.integers(0, 5, 40).astype(np.int32)

    def data(scale=1 / 255, shift=0.0):
        x, y = pictures()
        return ds.NumpySlicesDataset((x * np.float32(scale) + np.float32(shift), y), ["x", "y"], shuffle=False).batch(16)
"""
MAKE = """
    from net import *
    ms.set_seed(1)
    net = Net()
    ms.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 0.01)).train(4, data(), dataset_sink_mode=False)
    ms.save_checkpoint(net, "net.ckpt")
    net.set_train(False)
    ms.export(net, Tensor(np.zeros((8, 3, 8, 8), np.float32)), file_name="net", file_format="MINDIR")
"""
EVAL = """
    from net import *
    net = Net()
    ms.load_checkpoint("net.ckpt", net)
    model = ms.Model(net, nn.CrossEntropyLoss(), metrics={"accuracy"})
    print(model.eval(data(), dataset_sink_mode=False))
"""
INFER = """
    from net import *
    net = Net()
    ms.load_checkpoint("net.ckpt", net)
    net.set_train(False)
    for x, _ in data().create_tuple_iterator(num_epochs=1):
        print(net(x).asnumpy().argmax(1))
"""
LOAD = '    ms.load_checkpoint("net.ckpt", net)\n'
#: What is changed of the script that infers: the code that is found, or the only ones.
SCRIPTS = {
    "the same": ("answers-agree", []),
    "single rows": (
        "answers-agree",
        [
            ("x, _ in data().create_tuple_iterator(num_epochs=1)", "x in pictures()[0] * np.float32(1 / 255)"),
            ("net(x).asnumpy().argmax(1)", "net(Tensor(x[None])).asnumpy().argmax()"),
        ],
    ),
    "the exported network": (
        "answers-agree",
        [(LOAD, ""), ("net = Net()", 'net = nn.GraphCell(ms.load("net.mindir"))'), ("net(x)", "net(x[:8])")],
    ),
    "with a softmax": ("answers-converted", [("    net.set_train", "    net = nn.SequentialCell(net, nn.Softmax())\n    net.set_train")]),
    "a softmax over samples": (
        "answers-over-samples",
        [("    net.set_train", "    net = nn.SequentialCell(net, nn.Softmax(axis=0))\n    net.set_train")],
    ),
    "not normalised": ("inputs-scaled", [("data()", "data(scale=1)")]),
    "normalised otherwise": ("inputs-scaled", [("data()", "data(scale=1 / 127.5, shift=-1.0)")]),
    "BGR": ("inputs-reversed", [("net(x)", "net(x[:, ::-1])")]),
    "training mode": ("answers-in-training", [("net.set_train(False)", "net.set_train(True)")]),
    "no checkpoint": ("answers-without-checkpoint", [(LOAD, "")]),
    "a part of a checkpoint": ("answers-of-other-weights", [(LOAD, f'{LOAD}    net.head.weight.set_data(net.head.weight * 2)\n')]),
    "other rows": ("no-row-in-common", [("net(x)", "net(ops.relu(x - 0.5) ** 2)")]),
}  # fmt: skip
FAULTS = {
    code
    for code, _ in SCRIPTS.values()
    if code.startswith("inputs") or code in ("answers-over-samples", "answers-in-training")
}


def started(root: Path, name: str, script: str, role: str = "infer") -> Case:
    (root / name).write_text(dedent(script), encoding="utf-8")
    found = watch(Plan([sys.executable, name], root, 0, role, "user", cwd=root))
    assert all(not one.failed and one.recordings for one in found.passes), found
    return cases.load(root, [f"watched={found.folder.relative_to(root)}"])


def changed(name: str) -> str:
    script = INFER
    for old, new in SCRIPTS[name][1]:
        assert old in script
        script = script.replace(old, new)
    return script


@pytest.fixture
def evaluated(tmp_path: Path, watched_evaluation: Path) -> Path:
    return shutil.copytree(watched_evaluation, tmp_path / "project")


@pytest.fixture(scope="module")
def watched_evaluation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that was trained, exported, and whose evaluation was watched."""
    root = tmp_path_factory.mktemp("evaluated")
    (root / "net.py").write_text(dedent(NET), encoding="utf-8")
    started(root, "make.py", MAKE, "train")
    shutil.rmtree(root / ".accucheck")
    started(root, "eval.py", EVAL, "eval")
    return root


def found(case: Case) -> Finding:
    (one,) = [one for one in watched_inference.run(case, watched_inference.Params()) if isinstance(one, Finding)]
    return one


@pytest.mark.mindspore
@pytest.mark.part(3)
@pytest.mark.parametrize("name", SCRIPTS)
def test_what_is_inferred_is_set_beside_what_was_evaluated(evaluated: Path, name: str) -> None:
    told = found(started(evaluated, "infer.py", changed(name)))
    code = SCRIPTS[name][0]
    assert told.code == code, told
    healthy = code in ("answers-agree", "answers-converted", "no-row-in-common")
    assert told.level is (Level.INFO if healthy else Level.PROBLEM if code in FAULTS else Level.SUSPECT), told
    assert told.data["script"] == "infer.py" and told.data["other"] == "eval.py"
    assert told.where.path == "infer.py" and told.data["rows"] == (24 if "exported" in name else 40)
    assert told.incomplete is (code == "no-row-in-common")
    if name == "normalised otherwise":
        assert told.data["scale"] == pytest.approx(2, rel=1e-3) and told.data["shift"] == pytest.approx(-1, rel=1e-3)


@pytest.mark.parametrize("noise", [1e-2, 0.0])
def test_samples_that_are_nearly_alike_are_told_apart_by_how_near_they_come(noise: float) -> None:
    """Of pictures of one class, which differ by noise alone, each is matched with itself, scaled; copies with none."""
    dice = np.random.default_rng(1)
    alike = dice.normal(size=(3, 16)) + noise * dice.normal(size=(20, 3, 16))
    rows = [watched_inference.Row(at, 1, one.round(6).tolist(), []) for at, one in enumerate(alike)]
    params = watched_inference.Params()
    for at, one in enumerate(alike):
        scaled = watched_inference.Row("new", 1, (3.246 * one - 0.424).round(6).tolist(), [])
        found = watched_inference._matched(scaled, rows, params)
        assert (found is None) if not noise else (found is not None and found.other.identity == at)


@pytest.mark.mindspore
def test_one_side_alone_says_how_to_watch_the_other(evaluated: Path) -> None:
    (folder,) = (evaluated / ".accucheck" / "watch").iterdir()
    with pytest.raises(Skip) as skipped:
        found(cases.load(evaluated, [f"watched={folder.relative_to(evaluated)}"]))
    assert skipped.value.reason.code == "one-side"
