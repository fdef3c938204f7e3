"""train_mode on projects of more than one module, and on networks that do without layers that depend on the mode."""

import subprocess
import textwrap
from pathlib import Path

import msgspec
import pytest

from accucheck import probe
from accucheck.case import Case, CaseFile
from accucheck.model import Finding, Language, Level, Verdict
from accucheck.probe import Example
from accucheck.probes import train_mode
from findings import found_by

STEP = """
import mindspore as ms
from mindspore import nn

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.SequentialCell(nn.Dense(8, 8), {layer}, nn.Dense(8, 2))

    def construct(self, x):
        return self.fc(x)

class Step(nn.Cell):
    def __init__(self, network, optimizer):
        super().__init__()
        self.network, self.optimizer = network, optimizer
        self.weights = optimizer.parameters

    def construct(self, x):
        grads = ms.grad(self.network, grad_position=None, weights=self.weights)(x)
        return self.optimizer(grads)
"""
TRAIN = """
from mindspore import nn
from network import Net, Step

net = Net()
step = Step(net, nn.SGD(net.trainable_params(), 0.1))
{before}# 1
# 2
# 3
# 4
# 5
# 6
# 7
# 8
# 9
for epoch in range(3):
    for x in data:
        step(x)
"""


def run(root: Path, layer: str, before: str = "") -> list[Finding]:
    (root / "network.py").write_text(textwrap.dedent(STEP.format(layer=layer)))
    (root / "train.py").write_text(textwrap.dedent(TRAIN.format(before=before)))
    spec = msgspec.convert({"scripts": {"train": "train.py"}}, CaseFile)
    return found_by(train_mode, Case(root=str(root), spec=spec), train_mode.Params())


def test_the_loop_may_stand_in_another_module_than_the_step(tmp_path: Path) -> None:
    (finding,) = (each for each in run(tmp_path, "nn.Dropout(p=0.5)") if each.level is not Level.INFO)
    assert finding.code == "no-set-train" and finding.where.path == "network.py"
    assert finding.fix and finding.fix.diff
    subprocess.run(["git", "apply", "-"], input=finding.fix.diff.encode(), cwd=tmp_path, check=True)
    assert "for epoch in range(3):\n    net.set_train()\n" in (tmp_path / "train.py").read_text()
    assert {each.level for each in run(tmp_path, "nn.Dropout(p=0.5)", "net.set_train()\n")} == {Level.INFO}


def test_a_mode_that_nothing_depends_on_is_no_problem(tmp_path: Path) -> None:
    for layer, level in (("nn.Dropout(p=0.5)", Level.PROBLEM), ("nn.ReLU()", Level.SUSPECT)):
        found = run(tmp_path, layer, "net.set_train(False)\n")
        assert [(each.code, each.level) for each in found if each.level is not Level.INFO] == [
            ("set-to-inference", level)
        ]
        (told,) = (each.data for each in found if each.code == "set-to-inference")
        assert told["path"] == "network.py" and told["line"] == 20


def test_train_and_eval_of_a_framework_laid_over_mindspore_switch_the_mode(tmp_path: Path) -> None:
    assert not [each for each in run(tmp_path, "nn.Dropout(p=0.5)", "net.train()\n") if each.level is not Level.INFO]
    found = run(tmp_path, "nn.Dropout(p=0.5)", "net.eval()\n")
    (told,) = (each for each in found if each.code == "set-to-inference")
    assert told.data["call"] == "eval()"


DROPS = """
import mindspore as ms
from mindspore import nn, ops

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(8, 2)

    {construct}

net = Net()
model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1), metrics={{"loss"}})
model.train(2, data)
model.eval(data)
"""
#: How a network drops -> the mended line; None where no line is mended, "" where nothing is wrong.
FUNCTIONS = {
    """def construct(self, x):
        return ops.dropout(x, 0.5)""": "return ops.dropout(x, 0.5, training=self.training)",
    """def construct(this, x):
        return ops.dropout(x, p=0.1,)""": "return ops.dropout(x, p=0.1, training=this.training)",
    """def construct(self, x):
        return self.fc(ops.dropout(
            x, 0.5))""": None,
    """def construct(self, x):
        return self.inner(x)

    def inner(self, x):
        return self.fc(ops.dropout(x, 0.5))""": None,
    """def construct(self, x):
        if self.fc.has_bias:
            x = ops.dropout(x, 0.5)
        return self.fc(x)""": "x = ops.dropout(x, 0.5, training=self.training)",
    """def construct(self, x):
        return ops.dropout(x, 0.5, training=self.training)""": "",
    """def construct(self, x):
        return self.fc(ops.dropout(x, p=0.0))""": "",
    """def construct(self, x):
        if self.training:
            x = ops.dropout(x, 0.5)
        return self.fc(x)""": "",
    """def construct(self, x):
        return self.fc(ops.dropout(x, 0.5) if self.training else x)""": "",
    """def construct(self, x):
        if not self.training:
            return self.fc(x)
        return self.fc(ops.dropout(x, 0.5))""": "",
    """def construct(self, x):
        now = self.training and x.ndim > 1
        if now:
            x = ops.dropout(x, 0.5)
        return self.fc(x)""": "",
    """def construct(self, x):
        if self.training:
            x = self.inner(x)
        return self.fc(x)

    def inner(self, x):
        return ops.dropout(x, 0.5)""": "",
}


@pytest.mark.parametrize("construct", FUNCTIONS)
def test_dropout_as_a_function_is_told_the_mode(construct: str, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(DROPS.format(construct=construct))
    spec = msgspec.convert({"scripts": {"train": "train.py"}}, CaseFile)
    found = found_by(train_mode, Case(root=str(tmp_path), spec=spec), train_mode.Params())
    drops = [each for each in found if each.code == "always-drops"]
    mended = FUNCTIONS[construct]
    assert len(drops) == (mended != "")
    for finding in drops:
        assert finding.level is Level.PROBLEM and finding.fix
        if mended is None:
            assert finding.fix.diff is None
        else:
            assert finding.fix.diff is not None
            subprocess.run(["git", "apply", "-"], input=finding.fix.diff.encode(), cwd=tmp_path, check=True)
            assert mended in (tmp_path / "train.py").read_text()


LOOPS = """
import mindspore as ms
from mindspore import nn

def train(network, step):
{loop}

def main():
    network = nn.SequentialCell(nn.Dense(8, 8), nn.Dropout(p=0.5), nn.Dense(8, 2))
    network.set_train(False)
    step = nn.TrainOneStepCell(nn.WithLossCell(network, nn.MSELoss()), nn.SGD(network.trainable_params(), 0.1))
{call}

main()
"""


@pytest.mark.parametrize(
    ("loop", "call"),
    [
        ("    for epoch in range(3):\n        step(x, y)", "    train(network, step)"),
        ("    for epoch in range(3): step(x, y)", "    train(network, step)"),
        ("    pass", "    for epoch in range(3):\n        step(x, y)"),
        ("    step(x, y)", "    train(network, step)"),
    ],
    ids=["a parameter", "on one line", "a local name", "no loop"],
)
def test_a_mode_is_switched_where_the_network_has_a_name(loop: str, call: str, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(LOOPS.format(loop=loop, call=call))
    spec = msgspec.convert({"scripts": {"train": "train.py"}}, CaseFile)
    found = found_by(train_mode, Case(root=str(tmp_path), spec=spec), train_mode.Params())
    (finding,) = (each for each in found if each.level is Level.PROBLEM)
    assert finding.code == "set-to-inference"
    if finding.fix and finding.fix.diff:
        subprocess.run(["git", "apply", "-"], input=finding.fix.diff.encode(), cwd=tmp_path, check=True)
        again = found_by(train_mode, Case(root=str(tmp_path), spec=spec), train_mode.Params())
        assert not [each for each in again if each.level is Level.PROBLEM]


@pytest.mark.parametrize(
    "example", [one for one in train_mode.EXAMPLES if one.verdict is Verdict.PROBLEM], ids=lambda one: one.name
)
def test_the_proof_names_the_line_that_runs_the_network(example: Example, tmp_path: Path) -> None:
    """Or, of a callback, none: what runs the network is MindSpore."""
    case = example.lay_out(tmp_path)
    for finding in train_mode.run(case, train_mode.Params()):
        if isinstance(finding, Finding) and finding.level is not Level.INFO and "run" in finding.data:
            proof = probe.explanation(train_mode, finding, Language.EN).proof
            line = (tmp_path / finding.data["run_path"]).read_text().splitlines()[finding.data["run"] - 1]
            if finding.code.startswith("callback"):
                assert "line" not in proof
            else:
                assert f"line {finding.data['run']} of {finding.data['run_path']}" in proof
                assert "set_train" not in line, line


def test_a_network_behind_two_training_cells_is_not_called_in_training_mode(tmp_path: Path) -> None:
    """Both cells are set to inference, which reaches the networks within their losses; a fault is told once a place."""
    text = """
from mindspore import nn, ops

class Maker(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense, self.norm = nn.Dense(4, 4), nn.BatchNorm1d(4)

    def construct(self, x):
        return self.norm(self.dense(x))

class Cost(nn.Cell):
    def __init__(self, maker, judge):
        super().__init__()
        self.maker, self.judge = maker, judge

    def construct(self, x):
        return self.judge(self.maker(x)).mean()

maker, judge = Maker(), nn.Dense(4, 1)
one = nn.TrainOneStepCell(Cost(maker, judge), nn.SGD(maker.trainable_params(), 0.1))
two = nn.TrainOneStepCell(Cost(maker, judge), nn.SGD(judge.trainable_params(), 0.1))
one.set_train({0})
two.set_train({0})
for x in data:
    one(x)
    two(x)
"""
    for mode, told in (("True", 2), ("False", 0)):
        (tmp_path / "train.py").write_text(text.replace("{0}", mode))
        case = Case(root=str(tmp_path), spec=msgspec.convert({"scripts": {"train": "train.py"}}, CaseFile))
        module = probe.load("train_mode")
        codes = [one.code for one in module.run(case, probe.params(module, {})) if isinstance(one, Finding)]
        assert codes.count("trains") == told
        assert ("set-to-inference" in codes) is (mode == "False")


def test_an_evaluation_is_told_of_networks_not_of_steps_of_the_data(tmp_path: Path) -> None:
    (tmp_path / "eval.py").write_text("""
import mindspore.dataset as ds
from mindspore import nn

class Scale:
    def __call__(self, image):
        return image / 255

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.drop, self.dense = nn.Dropout(p=0.5), nn.Dense(8, 2)

    def construct(self, x):
        return self.dense(self.drop(x))

class Rows:
    def __init__(self):
        self.scale = Scale()

    def __getitem__(self, at):
        return self.scale(images[at])

net = Net()
net.set_train(False)
for image in ds.GeneratorDataset(Rows(), ["image"]).batch(2):
    print(net(image))
""")
    spec = msgspec.convert({"scripts": {"eval": "eval.py"}}, CaseFile)
    found = found_by(train_mode, Case(root=str(tmp_path), spec=spec), train_mode.Params())
    assert [each.data["network"] for each in found if each.code == "evaluates"] == ["Net"]


@pytest.mark.parametrize(("mode", "expected"), [("True", ["evaluated-in-training"]), ("False", [])])
def test_a_training_script_evaluates_where_an_option_asks_for_it(
    mode: str, expected: list[str], tmp_path: Path
) -> None:
    text = f"""
    import argparse
    import mindspore as ms
    from mindspore import nn

    parser = argparse.ArgumentParser()
    parser.add_argument("--mode", default="train", choices=["train", "test"])
    args = parser.parse_args()
    net = nn.SequentialCell(nn.Dense(8, 8), nn.Dropout(p=0.5), nn.Dense(8, 2))
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1))
    step.set_train()

    def train():
        for x, y in loader():
            step(x, y)

    def test():
        net.set_train({mode})
        for x, y in loader():
            print(abs(net(x) - y).mean())

    if args.mode == "train":
        train()
    else:
        test()
    """
    (tmp_path / "train.py").write_text(textwrap.dedent(text))
    spec = msgspec.convert({"scripts": {"train": "train.py"}}, CaseFile)
    found = list(found_by(train_mode, Case(root=str(tmp_path), spec=spec), train_mode.Params()))
    assert [each.code for each in found if each.level is not Level.INFO] == expected
    assert "trains" in {each.code for each in found}
