"""Networks that a configuration describes: lists of layers by name, settings with a type that a registry knows."""

from pathlib import Path

import pytest

from accucheck.case import Case, load
from accucheck.model import Finding
from accucheck.probes import graph_connectivity_script, zero_weights_script
from accucheck.script.analysis import read_scripts

CELLS = """from mindspore import nn, ops
class Convs(nn.Cell):
    def __init__(self, before, after, size=1):
        super().__init__()
        self.conv = nn.Conv2d(before, after, size)
        self.norm = nn.BatchNorm2d(after)
    def construct(self, x):
        return ops.relu(self.norm(self.conv(x)))
class Wide(nn.Cell):
    def __init__(self, before, after):
        super().__init__()
        self.inner = nn.Conv2d(before, after, 3)
    def construct(self, x):
        return self.inner(x) + x
class Mean(nn.Cell):
    def construct(self, x):
        return ops.mean(x, (2, 3))
class Scores(nn.Cell):
    def __init__(self, before, classes):
        super().__init__()
        self.dense = nn.Dense(before, classes, weight_init="zeros")
        self.spare = nn.Dense(before, classes)
    def construct(self, x):
        return self.dense(x)
"""
PARSER = """from copy import deepcopy
from mindspore import nn
from cells import Convs, Mean, Scores, Wide
class Net(nn.Cell):
    def __init__(self, described):
        super().__init__()
        self.cells = nn.CellList(built(deepcopy(described), [3]))
    def construct(self, x):
        kept = ()
        for cell in self.cells:
            if cell.source != -1:
                x = kept[cell.source]
            x = cell(x)
            kept += (x,)
        return x
def built(described, widths):
    classes, layers = described["classes"], []
    for number, (source, times, kind, args) in enumerate(described["body"] + described["head"]):
        kind = eval(kind) if isinstance(kind, str) else kind
        for place, arg in enumerate(args):
            try:
                args[place] = eval(arg) if isinstance(arg, str) else arg
            except NameError:
                pass
        if kind in (Convs, Wide, Scores):
            width = args[0]
            args = [widths[source], width, *args[1:]]
        elif kind is nn.BatchNorm2d:
            width = widths[source]
            args = [width]
        else:
            width = widths[source]
        made = nn.SequentialCell(*[kind(*args) for _ in range(times)]) if times > 1 else kind(*args)
        made.number, made.source = number, source
        layers.append(made)
        if number == 0:
            widths = []
        widths.append(width)
    return layers
"""
LISTED = """lr: 0.01
network:
  classes: 10
  body:
    - [-1, 1, Convs, [16, 3]]
    - [-1, 2, Convs, [2 * 8]]
    - [-1, 1, nn.BatchNorm2d, []]
    - [-1, 1, nn.ReLU, []]
    - [1, 1, Wide, [16]]
  head:
    - [-1, 1, Mean, []]
    - [-1, 1, Scores, [classes]]
"""
TABLE = """from mindspore import nn
import cells
CELLS = {}
def cell(made):
    CELLS[made.__name__] = made
    return made
@cell
class Body(nn.Cell):
    def __init__(self, widths):
        super().__init__()
        self.steps = nn.SequentialCell([cells.Convs(*pair) for pair in widths])
    def construct(self, x):
        return self.steps(x)
def made(given):
    given = dict(given)
    kind = given.pop("type")
    of = CELLS[kind] if kind in CELLS else getattr(cells, kind)
    return of(**given)
@cell
class Net(nn.Cell):
    def __init__(self, body, head):
        super().__init__()
        self.body, self.mean, self.head = made(body), cells.Mean(), made(head)
    def construct(self, x):
        return self.head(self.mean(self.body(x)))
"""
TYPED = """lr: 0.01
network:
  type: Net
  body: {type: Body, widths: [[3, 16], [16, 32]]}
  head: {type: Scores, before: 32, classes: 10}
"""
MAIN = """import argparse
import mindspore as ms
import yaml
from mindspore import dataset, nn
parser = argparse.ArgumentParser()
parser.add_argument("--config", default="net.yaml")
with open(parser.parse_args().config) as stream:
    settings = yaml.safe_load(stream)
"""
RUN = """data = dataset.Cifar10Dataset("data").batch(32)
ms.Model(net, nn.CrossEntropyLoss(), nn.Momentum(net.trainable_params(), settings["lr"], 0.9)).train(9, data)
"""
FORMS = {
    "listed": (LISTED, {"built.py": PARSER}, "from built import Net\nnet = Net(settings['network'])\n"),
    "typed": (TYPED, {"built.py": TABLE}, "from built import made\nnet = made(settings['network'])\n"),
}


def case_of(root: Path, form: str, cells: str = CELLS, edit: tuple[str, str] = ("", ""), command: bool = True) -> Case:
    described, modules, making = FORMS[form]
    files = {"cells.py": cells, "net.yaml": described.replace(*edit), "train.py": MAIN + making + RUN, **modules}
    for name, text in files.items():
        (root / name).write_text(text)
    settings = ["scripts.train=train.py"]
    return load(root, [*settings, "runtime.command=python train.py --config net.yaml"] if command else settings)


def found(module: object, case: Case) -> dict[str, list[Finding]]:
    told: dict[str, list[Finding]] = {}
    for each in module.run(case, module.Params()):  # type: ignore[attr-defined]
        if isinstance(each, Finding):
            told.setdefault(each.code, []).append(each)
    return told


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("command", [True, False])
def test_the_layers_of_a_described_network_are_examined(tmp_path: Path, form: str, command: bool) -> None:
    case = case_of(tmp_path, form, command=command)
    (zero,) = found(zero_weights_script, case)["zero-weights"]
    assert (zero.where.path, zero.where.line) == ("cells.py", 21)
    connected = found(graph_connectivity_script, case)
    (unused,) = connected["unused-layer"]
    assert (unused.where.path, unused.where.line) == ("cells.py", 22)
    if command:
        (seen,) = connected["network-seen"]
        assert seen.data["layers"] - seen.data["applied"] == 1


@pytest.mark.parametrize("form", FORMS)
def test_a_described_network_in_order_is_not_accused(tmp_path: Path, form: str) -> None:
    cells = CELLS.replace(', weight_init="zeros"', "").replace("        self.spare = nn.Dense(before, classes)\n", "")
    case = case_of(tmp_path, form, cells)
    assert "zero-weights" not in found(zero_weights_script, case)
    connected = found(graph_connectivity_script, case)
    assert "unused-layer" not in connected
    (seen,) = connected["network-seen"]
    assert seen.data["layers"] == seen.data["applied"] > 2


@pytest.mark.parametrize("form", FORMS)
def test_a_name_that_nothing_has_leaves_the_network_undecided(tmp_path: Path, form: str) -> None:
    case = case_of(tmp_path, form, edit=("Scores", "Nothing"))
    (stopped,) = found(graph_connectivity_script, case)["network-unseen"]
    line = (tmp_path / "built.py").read_text().splitlines()[(stopped.where.line or 0) - 1]
    assert stopped.where.path == "built.py" and str(stopped.data["call"]) in line
    assert "zero-weights" not in found(zero_weights_script, case)
    assert not any(reading.trace.gave_up for reading in read_scripts(case).readings)
