"""What a graph computes once: the rule on scripts, and that MindSpore does as the rule says."""

import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from accucheck import case as cases
from accucheck import probe
from accucheck.model import Finding, Level, Sure

MODULE = probe.load("graph_constants")
MODEL = """
    import numpy as np
    import mindspore as ms
    from mindspore import nn, ops, Tensor
    from mindspore.train import Callback

    class Net(nn.Cell):
        def __init__(self, warm=0.0):
            super().__init__()
            self.fc, self.warm, self.rng = nn.Dense(8, 2), warm, np.random.default_rng(1)

        def construct(self, x):
            x = self.fc(x)
            {line}
            return x * self.warm

    class Warm(Callback):
        def __init__(self, net):
            self.net, self.epoch = net, 0

        def on_train_epoch_begin(self, run_context):
            self.epoch = self.epoch + 1
            {callback}

    ms.set_context(mode=ms.GRAPH_MODE)
    net = Net()
    {before}
    model = ms.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 1e-3))
    model.train(3, data, callbacks=[Warm(net)])
"""


def found(root: Path, line: str = "pass", callback: str = "pass", before: str = "pass") -> list[Finding]:
    text = dedent(MODEL).format(line=line, callback=callback, before=before)
    (root / "train.py").write_text("data = None\n" + text, encoding="utf-8")
    case = cases.load(root, ["scripts.train=train.py"])
    return [one for one in MODULE.run(case, probe.params(MODULE, {})) if isinstance(one, Finding)]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("x = x + Tensor(np.random.normal(size=x.shape), ms.float32)", "frozen-random"),
        ("x = x * float(self.rng.random())", "frozen-random"),
        ("x = x if np.random.rand() < 0.5 else -x", "frozen-random"),
        ("x = x + Tensor(np.random.normal(x.asnumpy()), ms.float32)", "computed"),
        ("x = x + ops.randn_like(x)", "computed"),
        ("self.warm = self.warm + 1", "computed"),
    ],
)
def test_what_is_drawn_within_construct(line: str, code: str, tmp_path: Path) -> None:
    (finding,) = (one for one in found(tmp_path, line) if one.code in ("frozen-random", "computed"))
    assert finding.code == code
    if code == "frozen-random":
        assert (finding.level, finding.where.line, finding.data["of"]) == (Level.PROBLEM, 15, "Net.construct")


LOOP = """
import numpy as np
import mindspore as ms
from mindspore import nn, ops

class Noisy(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(8, 1)

    def construct(self, x, y):
        z = self.fc(x)
        {line}
        return ops.mse_loss(z, y)

ms.set_context(mode=ms.GRAPH_MODE)
net = Noisy()
step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1))
for x, y in batches:
    step(x, y)
"""


@pytest.mark.parametrize(
    ("line", "sure"),
    [
        ("z = z * np.random.rand()", Sure.CERTAIN),
        ("z = z * np.random.rand() if x.shape[0] > 4 else z", Sure.LIKELY),
    ],
)
def test_what_a_condition_may_leave_out_of_the_graph(line: str, sure: Sure, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(LOOP.format(line=line), encoding="utf-8")
    case = cases.load(tmp_path, ["scripts.train=train.py"])
    found = [one for one in MODULE.run(case, probe.params(MODULE, {})) if isinstance(one, Finding)]
    assert [one.sure for one in found if one.code == "frozen-random"] == [sure]


def test_a_number_that_a_callback_sets(tmp_path: Path) -> None:
    (finding,) = (
        one
        for one in found(tmp_path, callback="self.net.warm = min(1.0, self.epoch / 5)")
        if one.level is Level.PROBLEM
    )
    assert (finding.code, finding.where.line, finding.data["name"]) == ("set-outside", 24, "warm")
    assert finding.sure in (Sure.CERTAIN, Sure.LIKELY)


@pytest.mark.parametrize(
    ("callback", "before"),
    [
        ("pass", "net.warm = 1.0 / 5"),
        ("self.net.warm.set_data(Tensor(self.epoch / 5, ms.float32))", "pass"),
        ("self.epoch = self.epoch * 1", "pass"),
    ],
)
def test_numbers_that_are_set_before_the_training_or_within_a_parameter(
    callback: str, before: str, tmp_path: Path
) -> None:
    assert {one.level for one in found(tmp_path, callback=callback, before=before)} == {Level.INFO}


REALLY = """
    import numpy as np
    import mindspore as ms
    from mindspore import nn, Tensor

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.scale, self.count = 1.0, 0

        def construct(self, x):
            self.count = self.count + 1
            fixed, drawn = float(np.random.rand()), float(np.random.randint(0, 10**6 + int(x.asnumpy()[0])))
            return x * 0 + fixed, x * 0 + drawn, x * 0 + self.scale, x * 0 + self.count

    ms.set_context(mode=ms.GRAPH_MODE)
    net = Net()
    for step in range(1, 5):
        net.scale = float(step)
        print("given", *(float(one) for one in net(Tensor([float(step)], ms.float32))))
"""


@pytest.mark.mindspore
def test_mindspore_does_so(tmp_path: Path) -> None:
    script = tmp_path / "run.py"
    script.write_text(dedent(REALLY), encoding="utf-8")
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True, timeout=300)
    rows = [[float(one) for one in line.split()[1:]] for line in ran.stdout.splitlines() if line.startswith("given")]
    fixed, drawn, scale, count = zip(*rows, strict=True)
    assert len(set(fixed)) == 1 and len(set(drawn)) == 4
    assert scale == (1.0, 1.0, 1.0, 1.0)
    assert count == (1.0, 2.0, 3.0, 4.0)
