"""What is seen of the networks of a script: layers, what is asked for, what becomes of results."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from accucheck.script.analysis import Reading, Scripts
from accucheck.script.networks import (
    Structure,
    asked,
    called,
    has_weights,
    is_cell,
    is_loss,
    layer_table,
    leaves,
    shared_on_purpose,
    structure_of,
    uses,
)
from accucheck.script.project import Project
from accucheck.script.source import read
from accucheck.script.trace import follow
from accucheck.script.training import assumption
from accucheck.script.values import Call, Instance

HEAD = "import collections\nimport mindspore as ms\nfrom mindspore import nn, ops, Parameter, Tensor\n"
NET = """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
{init}

    def construct(self, x):
{construct}

net = Net()
ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params())).train(1, data)
"""


def look(tmp_path: Path, text: str) -> Structure:
    path = tmp_path / "train.py"
    path.write_text(HEAD + text)
    source = read(path, "train.py")
    project = Project(tmp_path, tmp_path)
    trace = follow(source, assumption("train"), project.find, tmp_path)
    return structure_of(Reading("train", "train", source, trace, project))


def net(tmp_path: Path, init: str, construct: str) -> Structure:
    def indented(part: str) -> str:
        return "\n".join("        " + line for line in part.split("\n"))

    return look(tmp_path, NET.format(init=indented(init), construct=indented(construct)))


def the_net(structure: Structure) -> Instance:
    return next(cell for cell in structure.cells if cell.of.node.name == "Net")


def layer(structure: Structure, name: str) -> Call:
    value = the_net(structure).attributes[name]
    assert isinstance(value, Call)
    return value


def test_the_layers_of_a_network_by_the_way_to_them(tmp_path: Path) -> None:
    structure = net(
        tmp_path,
        "self.stem = nn.SequentialCell(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.BatchNorm2d(8))\n"
        "self.blocks = nn.CellList([nn.Dense(8, 8) for _ in range(n)])\n"
        "self.gain = Parameter(Tensor(1.0))\nself.cast = ops.Cast()",
        "return x",
    )
    found = [(".".join(path), leaf.api) for path, leaf in leaves(the_net(structure)) if isinstance(leaf, Call)]
    assert found == [
        ("stem.0", "nn.Conv2d"),
        ("stem.2", "nn.BatchNorm2d"),
        ("blocks", "nn.Dense"),
        ("gain", "Parameter"),
    ]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("nn.Dense(1, 1)", True),
        ("nn.ReLU()", False),
        ("nn.SequentialCell([nn.ReLU(), nn.Dense(2, 2)])", True),
        ("nn.Dropout(p=0.1)", False),
        ("Parameter(Tensor(1.0), requires_grad=False)", False),
        ("Parameter(Tensor(1.0))", True),
        ("[nn.Conv2d(1, 1, 1)] * 3", True),
        ("ops.Conv2D(1, 1)", False),
        ("nn.PReLU()", True),
    ],
)
def test_what_holds_weights(value: str, expected: bool, tmp_path: Path) -> None:
    structure = net(tmp_path, f"self.part = {value}", "return x")
    assert has_weights(the_net(structure).attributes["part"]) is expected


@pytest.mark.parametrize(
    ("base", "expected"),
    [
        ("nn.Cell", True),
        ("nn.Conv2d", True),
        ("nn.Optimizer", False),
        ("nn.learning_rate_schedule.LearningRateSchedule", False),
        ("nn.Momentum", False),
        ("ms.train.callback.Callback", False),
        ("object", False),
    ],
)
def test_which_classes_are_cells(base: str, expected: bool, tmp_path: Path) -> None:
    structure = look(tmp_path, f"class Thing({base}):\n    pass\n\nthing = Thing()\n")
    (thing,) = structure.reading.trace.instances
    assert is_cell(thing.of) is expected


@pytest.mark.parametrize(
    ("package", "method", "expected"),
    [("mindspore_gl", "construct", True), ("mindspore_gl", "run", False), ("other", "construct", False)],
)
def test_cells_of_packages_that_build_on_mindspore(package: str, method: str, expected: bool, tmp_path: Path) -> None:
    text = f"from {package}.nn import GNNCell\nclass Thing(GNNCell):\n    def {method}(self, x):\n        return x\n\nthing = Thing()\n"
    (thing,) = look(tmp_path, text).reading.trace.instances
    assert is_cell(thing.of) is expected


def test_attributes_asked_for_by_name_by_pattern_and_not_at_all(tmp_path: Path) -> None:
    structure = net(
        tmp_path,
        "self.a = nn.Dense(1, 1)\nself.layer1 = nn.Dense(1, 1)\nself.rest = nn.Dense(1, 1)",
        "x = self.a(x)\nreturn getattr(self, 'layer' + str(1))(x)",
    )
    use = uses(the_net(structure).of)
    assert set(use.stored) == {"a", "layer1", "rest"}
    assert "a" in use.loaded and "rest" not in use.loaded
    assert [bool(pattern.fullmatch("layer1")) for pattern in use.patterns] == [True]
    assert not any(pattern.fullmatch("rest") for pattern in use.patterns)
    assert not use.any


def test_what_runs_when_a_cell_is_called(tmp_path: Path) -> None:
    structure = look(
        tmp_path,
        "class A(nn.Cell):\n    def construct(self, x):\n        return x\n\n"
        "class B(A):\n    pass\n\nclass C(nn.Cell):\n    pass\n\nb, c = B(), C()\n",
    )
    b, c = (next(cell for cell in structure.cells if cell.of.node.name == name) for name in "BC")
    method = called(b.of)
    assert method is not None and method.name == "construct"
    assert called(c.of) is None


def dropped(tmp_path: Path, construct: str, name: str = "extra") -> str | None:
    structure = net(tmp_path, "self.main = nn.Dense(8, 8)\nself.extra = nn.Dense(8, 8)", construct)
    (call,) = structure.applied[id(layer(structure, name))]
    if id(call) in structure.live:
        return "live"
    drop = structure.dropped(call)
    return None if drop is None else drop.how


@pytest.mark.parametrize(
    ("construct", "expected"),
    [
        ("y = self.extra(x)\nreturn self.main(x)", "unused"),
        ("y = self.extra(x)\ny = ops.relu(y)\nreturn self.main(x)", "unused"),
        ("y = self.extra(x)\ny = self.main(x)\nreturn y", "overwritten"),
        ("self.extra(x)\nreturn self.main(x)", "discarded"),
        ("y = self.extra(x)\nreturn self.main(x) + y", "live"),
        ("y = self.extra(x)\nself.seen = y\nreturn self.main(x)", "live"),
        ("ops.Print()(self.extra(x))\nreturn self.main(x)", "live"),
        ("y = self.extra(x)\nif y.sum() > 0:\n    x = -x\nreturn self.main(x)", "live"),
        ("for i in range(3):\n    z = self.main(x)\n    x = self.extra(x)\nreturn z", "live"),
        ("outs = []\nouts.append(self.extra(x))\nreturn self.main(x), outs", "live"),
        ("outs = {}\nouts['a'] = self.extra(x)\nreturn self.main(x), outs", "live"),
        ("def later():\n    return y\ny = self.extra(x)\nreturn self.main(x) + later()", "live"),
        ("unknown(self.extra(x))\nreturn self.main(x)", "live"),
        ("try:\n    y = self.extra(x)\nexcept ValueError:\n    y = x\nreturn self.main(y)", "live"),
        ("y = self.extra(x)\nreturn self.main(x) + locals()['y']", None),
        ("y = [self.extra(x), x][1]\nreturn self.main(y)", None),
        ("y = self.extra(x)\nif self.training:\n    return self.main(x)\nreturn y", None),
        ("y = self.extra(x)\nif False:\n    x = x + y\nreturn self.main(x)", "unused"),
        ("if x.sum() > 0:\n    y = self.extra(x)\nelse:\n    y = self.main(x)\nreturn self.main(x)", "unused"),
    ],
)
def test_what_becomes_of_a_result(construct: str, expected: str | None, tmp_path: Path) -> None:
    assert dropped(tmp_path, construct) == expected


PART = """
class Part(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Dense(8, 8), nn.Dense(8, 8)
        self.late = lambda v: self.b(v)

    def construct(self, x):
        a, b = self.a(x), self.b(x)
        {part}

    def first(self, x, y):
        return x

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.part = Part()

    def construct(self, x):
        {construct}

net = Net()
ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params())).train(1, data)
"""


@pytest.mark.parametrize(
    ("part", "construct", "expected"),
    [
        ("return a, b", "return self.part(x)", "live"),
        ("return a, b", "y = self.part(x)[0]; return y", "item y = self.part(x)[0]"),
        ("return a, b", "y = self.part(x)[-2]; return y", "item y = self.part(x)[-2]"),
        ("return a, b", "y = self.part(x); return y[0]", "item y = self.part(x)"),
        ("return a, b", "y = self.part(x); return y[-2]", "item y = self.part(x)"),
        ("return a, b", "y = self.part(x); return y[n]", "live"),
        ("return a, b", "y = self.part(x)[n:]; return y", "live"),
        ("return a, b", "y = self.part(x); return y[0] + y[1]", "live"),
        ("return a, b", "y, _ = self.part(x); return y", "unused y, _ = self.part(x)"),
        ("return a, b", "y, z = self.part(x); return y + z", "live"),
        ("return a, b", "y = self.part(x); return x", "unused y = self.part(x)"),
        ("return a, b", "return self.part(x)[0]", None),
        ("return a, b", "y, *z = self.part(x); return y", None),
        ("return a + b", "self.part(x); return x", "discarded self.part(x)"),
        ("return a + b", "y = self.part(x); return x", "unused y = self.part(x)"),
        ("return a + b", "y = [self.part(x), x]; return y[1]", None),
        ("return self.first(a, b)", "return self.part(x)", "parameter y"),
        ("return self.first(a, [b])", "return self.part(x)", "parameter y"),
        ("self.late(x); return a", "return self.part(x)", None),
    ],
)
def test_where_a_result_is_lost_on_its_way(tmp_path: Path, part: str, construct: str, expected: str | None) -> None:
    structure = look(tmp_path, PART.format(part=part, construct=construct))
    (cell,) = (cell for cell in structure.cells if cell.of.node.name == "Part")
    call = structure.applied[id(cell.attributes["b"])][-1]
    if id(call) in structure.live:
        assert expected == "live"
        return
    drop = structure.dropped(call)
    where = drop and (drop.name if isinstance(drop.node, ast.FunctionDef) else ast.unparse(drop.node))
    where = where and where.replace("(y, _)", "y, _")  # as Python 3.10 writes it
    assert (f"{drop.how} {where}" if drop else None) == expected


@pytest.mark.parametrize(
    ("expression", "yes", "no"),
    [
        ("'layer%d' % i", "layer3", "block3"),
        ("'layer%02d' % i", "layer03", "lay03"),
        ("'layer{}'.format(i)", "layer3", "block3"),
        ("f'layer{i}_{j}'", "layer3_a", "layer3"),
        ("'layer' + str(i) + '_a'", "layer3_a", "layer3_b"),
        ("name", "whatever", None),
    ],
)
def test_which_attributes_a_pattern_asks_for(tmp_path: Path, expression: str, yes: str, no: str | None) -> None:
    use = uses(the_net(net(tmp_path, "self.a = nn.Dense(1, 1)", f"return getattr(self, {expression})(x)")).of)
    assert asked(use, yes) and (no is None or not asked(use, no))


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("nn.MSELoss()", True),
        ("nn.Dense(1, 1)", False),
        ("Dice()", True),
        ("CenterLoss()", True),
        ("Head()", False),
    ],
)
def test_what_is_a_loss(tmp_path: Path, cell: str, expected: bool) -> None:
    classes = (
        "class Dice(nn.LossBase):\n    pass\nclass CenterLoss(nn.Cell):\n    pass\nclass Head(nn.Cell):\n    pass\n"
    )
    structure = look(tmp_path, classes + NET.format(init=f"        self.part = {cell}", construct="        return x"))
    assert is_loss(the_net(structure).attributes["part"]) is expected


@pytest.mark.parametrize(
    ("held", "ways"),
    [
        ("{'q': nn.Dense(1, 1), 'k': nn.Conv2d(1, 1, 1)}", ["nn.Dense", "nn.Conv2d"]),
        ("nn.SequentialCell(*load(nn.Dense(1, 1)))", []),
        ("nn.SequentialCell(*[nn.Dense(1, 1) for _ in range(n)])", ["nn.Dense"]),
        ("nn.Dense(1, 1) if a else nn.Conv2d(1, 1, 1)", ["nn.Dense", "nn.Conv2d"]),
        ("Mine(nn.Dense(1, 1))", ["nn.Dense"]),
        ("Plain()", []),
    ],
)
def test_the_layers_that_the_cells_hold(tmp_path: Path, held: str, ways: list[str]) -> None:
    classes = "class Mine(nn.SequentialCell):\n    pass\nclass Plain:\n    layer = nn.Dense(1, 1)\n"
    structure = look(tmp_path, classes + NET.format(init=f"        self.part = {held}", construct="        return x"))
    line = next(n for n, text in enumerate(structure.reading.source.lines, 1) if "self.part" in text)
    found = [row for row in layer_table(Scripts([structure.reading])) if row[0] == "Net"]
    assert found == [("Net", "part", way, f"train.py:{line}") for way in ways]


def test_layers_of_a_dict_of_pairs_that_a_loop_collects(tmp_path: Path) -> None:
    init = "pairs = []\nfor i in range(n):\n    pairs.append(('part%d' % i, nn.Dense(1, 1)))\n"
    structure = net(
        tmp_path, init + "self.parts = nn.SequentialCell(collections.OrderedDict(pairs))", "return self.parts(x)"
    )
    assert [leaf.api for _, leaf in leaves(the_net(structure)) if isinstance(leaf, Call)] == ["nn.Dense"]


def test_the_place_where_a_caller_drops_a_result(tmp_path: Path) -> None:
    structure = look(
        tmp_path,
        """
class Part(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a = nn.Dense(8, 8)
        self.b = nn.Dense(8, 8)

    def construct(self, x):
        return self.a(x), self.b(x)

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.part = Part()

    def construct(self, x):
        y = self.part(x)[0]
        return y

net = Net()
ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params())).train(1, data)
""",
    )
    part = next(cell for cell in structure.cells if cell.of.node.name == "Part")
    (call,) = structure.applied[id(part.attributes["b"])]
    assert id(call) not in structure.live
    drop = structure.dropped(call)
    assert drop is not None and drop.how == "item"
    assert ast.unparse(drop.node) == "y = self.part(x)[0]"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("self.key = self.query", False),
        ("self.key = self.query  # shared", True),
        ("self.key = self.query  # 与 query 共享", True),
        ("self.shared_key = self.query", True),
        ("self.properties = self.query", False),
        ("self.untied = self.query", True),
    ],
)
def test_words_for_sharing(line: str, expected: bool, tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(line + "\n", encoding="utf-8")
    source = read(path, "a.py")
    assert shared_on_purpose(source, source.tree.body[0]) is expected


def test_a_reading_is_looked_at_once(tmp_path: Path) -> None:
    structure = net(tmp_path, "self.a = nn.Dense(1, 1)", "return self.a(x)")
    assert structure_of(structure.reading) is structure
