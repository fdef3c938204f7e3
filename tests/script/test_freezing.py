"""What scripts keep from being trained, in the ways people write it."""

import textwrap
from pathlib import Path

import pytest

from accucheck.script.analysis import Reading, Scripts
from accucheck.script.freezing import examine
from accucheck.script.networks import Observation
from accucheck.script.project import Project
from accucheck.script.source import read
from accucheck.script.trace import follow
from accucheck.script.training import assumption

HEAD = """
import mindspore as ms
import numpy as np
from mindspore import nn, ops, Parameter, Tensor
from mindspore.common.initializer import initializer, Normal

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.SequentialCell(
            nn.Conv2d(3, 8, 3),
            nn.BatchNorm2d(8),
        )
        self.neck = nn.Dense(8, 8)
        self.head = nn.Dense(8, 2)
{init}

    def construct(self, x):
        h = self.body(x)
{construct}

net = Net()
loss_fn = nn.CrossEntropyLoss()
"""
TRAIN = "ms.Model(net, loss_fn, nn.Adam(net.trainable_params())).train(1, data)\n"
FORWARD = "return self.head(self.neck(h))"


def said(
    folder: Path,
    text: str,
    init: str = "pass",
    construct: str = FORWARD,
    train: str = TRAIN,
    declared: list[str] | None = None,
) -> list[Observation]:
    head = HEAD.format(init=textwrap.indent(init, " " * 8), construct=textwrap.indent(construct, " " * 8))
    (folder / "train.py").write_text(head + text + train)
    source = read(folder / "train.py", "train.py")
    project = Project(folder, folder)
    trace = follow(source, assumption("train"), project.find, folder)
    return list(examine(Scripts([Reading("train", "train", source, trace, project)]), declared))


LOAD = "ms.load_checkpoint('a.ckpt', net)\n"
PAIRS = "for name, p in net.parameters_and_names():\n    if {}:\n        p.requires_grad = False\n"
ITEMS = "for name, p in net.parameters_dict().items():\n    if {}:\n        p.requires_grad = False\n"
EACH = "for p in net.get_parameters():\n    if {}:\n        p.requires_grad = False\n"
NAMES = {"body.0", "body.1", "neck", "head"}
#: A condition on the name of a parameter -> the weights, but for biases, that it chooses; None where that is not told.
CHOSEN: dict[str, set[str] | None] = {
    "'head' in name": {"head"},
    "'head' not in name": {"body.0", "body.1", "neck"},
    "not 'head' in name": {"body.0", "body.1", "neck"},
    "'weight' in name": {"body.0", "neck", "head"},
    "'weight' not in name": {"body.1"},
    "'bias' in name": set(),
    "'bias' not in name": {"body.0", "body.1", "neck", "head"},
    "name == 'head.weight'": {"head"},
    "'head.weight' == name": {"head"},
    "name != 'head.weight'": {"body.0", "body.1", "neck"},
    "name == 'head'": set(),
    "name.startswith('body.')": {"body.0", "body.1"},
    "name.endswith('.weight')": {"body.0", "neck", "head"},
    "not name.startswith('head')": {"body.0", "body.1", "neck"},
    "name.split('.')[0] == 'head'": {"head"},
    "name.split('.')[0] != 'head'": {"body.0", "body.1", "neck"},
    "name.split('.')[-1] == 'weight'": {"body.0", "neck", "head"},
    "name.split('.')[0] in ['neck', 'head']": {"neck", "head"},
    "name.split('.')[0] not in ('body',)": {"neck", "head"},
    "name.split('.')[0] in parts": None,
    "any(part in name for part in ('neck', 'body.1'))": {"neck", "body.1"},
    "not any([name.startswith(part) for part in ['neck', 'body']])": {"head"},
    "all(part in name for part in ('body', 'weight'))": {"body.0"},
    "any(part in name for part in parts)": None,
    "name.split('.')[7] == 'weight'": None,
    "name.split(mark)[0] == 'head'": None,
    "name.startswith(prefix)": None,
    "len(name) > 3": None,
    "match(name)": None,
    "flag": None,
}


def frozen(found: list[Observation]) -> set[str]:
    """The weights that are frozen, told by declaring each."""
    return {one.data["pattern"].rpartition(".")[0] for one in found if one.code == "declared-frozen"}


@pytest.mark.parametrize("test", CHOSEN)
@pytest.mark.parametrize("loop", [PAIRS, ITEMS, EACH], ids=["pairs", "items", "names"])
def test_the_weights_that_a_condition_chooses(tmp_path: Path, loop: str, test: str) -> None:
    text = loop.format(test if loop != EACH else test.replace("name", "p.name"))
    declared = ["body.0.weight", "body.1.gamma", "neck.weight", "head.weight"]
    found = said(tmp_path, LOAD + text, declared=declared)
    assert frozen(found) == (CHOSEN[test] or set())
    # Where it cannot be told nothing is held against the declaration.
    assert any(one.code == "declared-not-frozen" for one in found) is (CHOSEN[test] not in (None, NAMES))


SET = "for p in net.get_parameters():\n    p.requires_grad = {}\n"


@pytest.mark.parametrize("test", CHOSEN)
def test_a_switch_that_is_set_to_a_condition(tmp_path: Path, test: str) -> None:
    declared = ["body.0.weight", "body.1.gamma", "neck.weight", "head.weight"]
    left = test.replace("name", "p.name")
    found = said(tmp_path, LOAD + SET.format(f"not ({left})"), declared=declared)
    assert frozen(found) == (CHOSEN[test] or set())
    assert any(one.code == "declared-not-frozen" for one in found) is (CHOSEN[test] not in (None, NAMES))


def test_a_condition_on_something_else_says_nothing_of_a_weight(tmp_path: Path) -> None:
    assert said(tmp_path, "net.neck.weight.requires_grad = not args.fixed\n") == []


CELLS = "for {} in net.{}():\n    if {}:\n        {}\n"
ALL = "for p in cell.get_parameters():\n            p.requires_grad = False"
#: How a loop goes through cells, what chooses some, and what it does with them -> the weights that are frozen.
OF_KIND: dict[tuple[str, str, str, str], set[str]] = {
    ("_, cell", "cells_and_names", "isinstance(cell, nn.Dense)", "cell.weight.requires_grad = False"): {"neck", "head"},
    ("_, cell", "cells_and_names", "isinstance(cell, (nn.Conv2d, nn.BatchNorm2d))", ALL): {"body.0", "body.1"},
    ("_, cell", "cells_and_names", "isinstance(cell, nn.Dense):\n        pass\n    else", ALL): set(),
    ("cell", "cells", "isinstance(cell, nn.Conv2d)", ALL): set(),
    ("cell", "cells", "isinstance(cell, nn.Dense)", "cell.weight.requires_grad = False"): {"neck", "head"},
    ("_, cell", "cells_and_names", "isinstance(cell, kinds)", ALL): set(),
    ("_, cell", "cells_and_names", "not isinstance(cell, nn.Cell)", ALL): set(),
    ("_, cell", "cells_and_names", "chosen(cell)", ALL): set(),
}


@pytest.mark.parametrize(("turn", "listed", "test", "switch"), OF_KIND)
def test_layers_that_are_chosen_by_their_class(tmp_path: Path, turn: str, listed: str, test: str, switch: str) -> None:
    declared = ["body.0.weight", "body.1.gamma", "neck.weight", "head.weight"]
    found = said(tmp_path, LOAD + CELLS.format(turn, listed, test, switch), declared=declared)
    assert frozen(found) == OF_KIND[turn, listed, test, switch]


@pytest.mark.parametrize(("before", "expected"), [("", ["random-frozen"]), (LOAD, ["frozen"])])
def test_layers_of_a_class_keep_random_values_unless_some_are_loaded(
    tmp_path: Path, before: str, expected: list[str]
) -> None:
    loop = CELLS.format("_, cell", "cells_and_names", "isinstance(cell, nn.Conv2d)", ALL)
    assert [one.code for one in said(tmp_path, before + loop)] == expected


@pytest.mark.parametrize(
    ("test", "code"), [("'blocks.8' not in name", "head-frozen"), ("'none' not in name", "all-frozen")]
)
def test_a_number_may_choose_one_of_a_list(tmp_path: Path, test: str, code: str) -> None:
    init = "self.blocks = nn.CellList([nn.Dense(8, 8) for _ in range(9)])"
    found = said(tmp_path, LOAD + PAIRS.format(test), init, "for b in self.blocks:\n    h = b(h)\n" + FORWARD)
    assert {one.code for one in found} == {code}


@pytest.mark.part(2)
@pytest.mark.parametrize(("step", "test"), [("part.split('.')[0]", "part == 'head'"), ("not part", "part")])
def test_a_condition_of_thousands_of_steps_is_not_followed(tmp_path: Path, step: str, test: str) -> None:
    steps = "    part = p.name\n" + f"    part = {step}\n" * 3_000
    text = f"for p in net.get_parameters():\n{steps}    if {test}:\n        p.requires_grad = False\n"
    assert frozen(said(tmp_path, LOAD + text, declared=["head.weight"])) == set()


#: How something is frozen -> what is said of each switch.
SWITCHES: dict[str, list[str]] = {
    "net.neck.weight.requires_grad = False\n": ["random-frozen neck"],
    "net.neck.bias.requires_grad = False\n": ["frozen"],
    "net.neck.requires_grad = False\n": ["flag-on-cell"],
    LOAD + "net.neck.weight.requires_grad = False\n": ["frozen"],
    LOAD + "net.head.weight.requires_grad = False\n": ["head-frozen head"],
    "if args.freeze:\n    net.neck.weight.requires_grad = False\n": ["frozen"],
    "net.neck.weight.set_data(load())\nnet.neck.weight.requires_grad = False\n": ["frozen"],
    "net.body[1].gamma.requires_grad = False\n": ["frozen"],
    LOAD + "for p in net.get_parameters():\n    p.requires_grad = False\n": ["all-frozen"],
    LOAD + "for p in net.get_parameters():\n    p.requires_grad = False\n"
    "for p in net.head.get_parameters():\n    p.requires_grad = True\n": ["frozen"],
    LOAD + "for p in net.get_parameters():\n    p.requires_grad = False\n"
    "for p in net.head.trainable_params():\n    p.requires_grad = True\n": ["all-frozen", "unfreezes-nothing"],
    LOAD
    + "for p in net.body.get_parameters():\n    p.requires_grad = False\n    if 'gamma' in p.name:\n        break\n": [
        "frozen-unseen"
    ],
    "for p in net.get_parameters():\n    p.requires_grad = True\n": ["statistics-trainable"],
    "for p in net.neck.get_parameters():\n    p.requires_grad = True\n": [],
}


@pytest.mark.parametrize("text", SWITCHES)
def test_what_is_said_of_a_switch(tmp_path: Path, text: str) -> None:
    found = said(tmp_path, text)
    assert [
        f"{one.code} {one.data['name'] if 'random' in one.code or 'head' in one.code else ''}".strip() for one in found
    ] == (SWITCHES[text])


@pytest.mark.parametrize(
    ("init", "code"),
    [
        ("self.extra = nn.Dense(8, 8)", "random-frozen"),
        ("self.pos_table = nn.Dense(8, 8)", "frozen-by-name"),
        ("self.extra = nn.Dense(8, 8, weight_init=Tensor(load()))", "frozen"),
        ("self.extra = nn.Dense(8, 8, weight_init=table)", "frozen"),
        ("self.extra = nn.Dense(8, 8, weight_init=Normal())", "random-frozen"),
        ("self.extra = nn.Dense(8, 8, weight_init='normal')", "random-frozen"),
        ("self.extra = Parameter(load())", "frozen"),
        ("self.extra = nn.BatchNorm1d(8)", "frozen"),
    ],
)
def test_what_is_frozen_from_the_start(tmp_path: Path, init: str, code: str) -> None:
    name = init.split(" ")[0]
    weight = {"Parameter": name, "BatchNorm": f"{name}.gamma"}
    switch = next((text for part, text in weight.items() if part in init), f"{name}.weight") + ".requires_grad = False"
    found = said(tmp_path, "", init + "\n" + switch, f"h = {name}(h)\n" + FORWARD)
    assert [one.code for one in found] == [code]


DRAWN = """
import math
import mindspore as ms
import numpy as np
from mindspore import Tensor
from scipy.stats import truncnorm

def normal(shape, gain=2.0):
    return np.random.randn(*shape).astype(np.float32) * math.sqrt(gain / shape[0])

def truncated(shape):
    return Tensor(np.reshape(truncnorm(-2, 2, loc=0, scale=0.1).rvs(shape[0] * shape[1]), shape), ms.float32)

def rows_of_words():
    rows = np.random.uniform(-0.1, 0.1, (8, 8))
    rows[3] = vectors["word"]
    return Tensor(rows)

"""
#: The first values of a layer -> whether they are random alone.
FIRST_VALUES = {
    "Tensor(normal((8, 8)))": True,
    "truncated((8, 8))": True,
    "Tensor(np.random.RandomState(3).normal(size=(8, 8)))": True,
    "Tensor(normal((8, 8)) + np.load('a.npy'))": False,
    "Tensor(normal((8, 8)) + load())": False,
    "Tensor(np.eye(8))": False,
    "rows_of_words()": False,
}


@pytest.mark.parametrize("values", FIRST_VALUES)
def test_first_values_that_are_drawn_are_no_data(tmp_path: Path, values: str) -> None:
    (tmp_path / "starts.py").write_text(
        "import mindspore as ms\nimport numpy as np\nfrom mindspore import Tensor\n" + DRAWN
    )
    init = "from starts import normal, rows_of_words, truncated\n"
    init += f"self.extra = nn.Dense(8, 8, weight_init={values})\nself.extra.weight.requires_grad = False"
    found = said(tmp_path, "", init, "h = self.extra(h)\n" + FORWARD)
    assert [one.code for one in found] == ["random-frozen" if FIRST_VALUES[values] else "frozen"]


@pytest.mark.parametrize(("test", "found"), [("few > 3", [False]), ("0 < 3 <= 4", []), ("5 < 3 <= few", [True])])
def test_a_layer_that_another_replaces_under_a_condition_is_not_certainly_frozen(
    tmp_path: Path, test: str, found: list[bool]
) -> None:
    init = f"self.extra = nn.Dense(8, 8)\nif {test}:\n    self.extra = nn.SequentialCell([])\n"
    init += "for p in self.extra.get_parameters():\n    p.requires_grad = False"
    told = said(tmp_path, "", init, "h = self.extra(h)\n" + FORWARD)
    assert [one.certain for one in told if one.code == "random-frozen"] == found


LOOP = "for p in net.body.get_parameters():\n    p.requires_grad = False\n"


@pytest.mark.parametrize(
    ("loop", "line"),
    [
        ("for p in net.body.trainable_params():\n    p.requires_grad = True\n", "for p in net.body.get_parameters():"),
        ("params = net.body.trainable_params()\nfor p in params:\n    p.requires_grad = True\n", None),
    ],
)
def test_the_edit_that_unfreezes(tmp_path: Path, loop: str, line: str | None) -> None:
    (one,) = [one for one in said(tmp_path, LOAD + LOOP + loop) if one.code == "unfreezes-nothing"]
    assert (one.edit and one.edit[1]) == line
    assert one.data["count"] == 2


@pytest.mark.parametrize(("around", "certain"), [("", True), ("if flag():\n    ", False)])
def test_unfreezing_what_a_condition_freezes_is_not_certain(tmp_path: Path, around: str, certain: bool) -> None:
    frozen = LOOP if not around else around + LOOP.replace("\n    ", "\n        ")
    again = "for p in net.body.trainable_params():\n    p.requires_grad = True\n"
    (one,) = [one for one in said(tmp_path, LOAD + frozen + again) if one.code == "unfreezes-nothing"]
    assert one.certain is certain


def test_a_layer_that_takes_the_place_of_another_one_has_its_name(tmp_path: Path) -> None:
    anew = "net.body[0] = nn.Conv2d(3, 8, 1)\n"
    rest = "for p in net.get_parameters():\n    if p.name not in ['body.0.weight', 'head.weight', 'head.bias']:\n"
    found = said(tmp_path, LOAD + anew + rest + "        p.requires_grad = False\n")
    assert [one.code for one in found] == ["frozen"]
    assert not any("body.0" in str(one.data) or "body.2" in str(one.data) for one in found)


STOP = "ops.stop_gradient"
#: construct after h = self.body(x) -> what is said.
STOPS: dict[str, list[str]] = {
    FORWARD: [],
    f"return {STOP}(self.head(self.neck(h)))": ["nothing-trained"],
    f"return self.head(self.neck({STOP}(h)))": ["part-cut-off"],
    "return self.head(self.neck(h.detach()))": ["part-cut-off"],
    "return self.head(self.neck(np.transpose(np.swapaxes(h, 0, 1))))": [],  # by the methods of the tensor
    "return self.head(self.neck(np.reshape(np.abs(h), (2, 8))))": ["part-cut-off"],
    "stop = ops.StopGradient()\nreturn self.head(self.neck(stop(h)))": ["part-cut-off"],
    f"return self.head({STOP}(self.neck(h)) + self.neck(h))": ["stopped"],
    f"mask = {STOP}(x > 0)\nreturn self.head(self.neck(h * mask))": ["stopped"],
    f"{STOP}(h)\nreturn self.head(self.neck(h))": ["stop-discarded-feature"],
    f"{STOP}(x)\nreturn self.head(self.neck(h))": ["stop-discarded"],
}


@pytest.mark.parametrize("construct", STOPS)
def test_what_a_stopped_gradient_cuts_off(tmp_path: Path, construct: str) -> None:
    assert [one.code for one in said(tmp_path, "", construct=construct)] == STOPS[construct]


@pytest.mark.parametrize(
    ("meant", "code"),
    [
        ("", "part-cut-off"),
        ("ms.load_checkpoint('a.ckpt', net.body)\n", "stopped"),
        ("ms.load_param_into_net(net.body, load())\n", "stopped"),
        ("net.body.set_grad(False)\n", "stopped"),
        ("net.body.set_grad(requires_grad=False)\n", "stopped"),
        ("net.body.set_train(False)\n", "stopped"),
        ("net.body.set_grad(True)\n", "part-cut-off"),
        (LOAD, "part-cut-off-loaded"),
        ("def later():\n    ms.load_checkpoint('a.ckpt', net)\n", "part-cut-off"),
        ("if False:\n    ms.load_checkpoint('a.ckpt', net)\n", "part-cut-off-loaded"),
        (LOOP, "stopped"),
    ],
)
def test_a_part_that_is_cut_off_on_purpose(tmp_path: Path, meant: str, code: str) -> None:
    found = said(tmp_path, meant, construct=f"return self.head(self.neck({STOP}(h)))")
    assert [one.code for one in found if one.code not in ("frozen", "random-frozen")] == [code]


FORWARD_FN = "def forward(x, y):\n    return loss_fn({}(net(x)), y)\n"
#: How people train -> whether a stop_gradient around all of the network is seen to leave nothing to train.
STEPS: dict[str, bool] = {
    "grad_fn = ms.value_and_grad(forward, None, net.trainable_params())\ngrad_fn(x, y)\n": True,
    "grad_fn = ms.value_and_grad(forward, None, opt.parameters)\ngrad_fn(x, y)\n": True,
    "grad_fn = ms.grad(forward, 0)\ngrad_fn(x, y)\n": False,
    "ops.GradOperation(get_by_list=True)(forward, net.trainable_params())(x, y)\n": True,
    "ops.GradOperation()(forward)(x, y)\n": False,
    "cell = nn.TrainOneStepCell(Forward(), opt)\ncell(x, y)\n": True,
    "cell = nn.TrainOneStepCell(Forward(), opt)\nrun(cell)\n": True,
    "cell = nn.TrainOneStepCell(Forward(), Mine(net.trainable_params(), 0.1))\ncell(x, y)\n": True,
    "cell = nn.TrainOneStepCell(Forward(), nn.Adam([p for p in net.trainable_params() if p.name]))\ncell(x, y)\n": True,
    "cell = nn.TrainOneStepCell(Forward(), nn.Adam([{'params': net.head.trainable_params()}]))\ncell(x, y)\n": True,
    "cell = nn.TrainOneStepCell(Forward(), nn.Adam([net.extra]))\ncell(x, y)\n": True,
}


@pytest.mark.parametrize(("written", "cut"), [("losses[0] = loss_fn(made, y)", False), ("pass", True)])
def test_losses_that_are_written_into_zeros(tmp_path: Path, written: str, cut: bool) -> None:
    text = (
        "def forward(x, y):\n    made = net(x)\n    kept = ops.stop_gradient(made)\n    losses = ops.zeros(2)\n"
        f"    {written}\n    losses[1] = loss_fn(kept, y)\n    return losses.sum()\n"
        "grad_fn = ms.value_and_grad(forward, None, net.trainable_params())\ngrad_fn(x, y)\n"
    )
    found = said(tmp_path, text, "", "return self.head(self.neck(h))", "")
    assert ("nothing-trained" in {one.code for one in found}) is cut


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("stop", [STOP, "ops.relu"])
def test_a_loss_that_trains_nothing(tmp_path: Path, step: str, stop: str) -> None:
    classes = (
        "class Forward(nn.Cell):\n    def __init__(self):\n        super().__init__()\n        self.net = net\n"
        "    def construct(self, x, y):\n        return forward(x, y)\n"
        "class Mine(nn.Adam):\n    def __init__(self, params, lr):\n        super().__init__(params, lr)\n"
        "opt = nn.Adam(net.trainable_params())\n"
    )
    init = "self.extra = Parameter(load())"
    construct = "return self.head(self.neck(h)) + self.extra"
    found = said(tmp_path, FORWARD_FN.format(stop) + classes + step, init, construct, "")
    assert ("nothing-trained" in {one.code for one in found}) is (STEPS[step] and stop == STOP)


@pytest.mark.parametrize(
    ("loss", "stopped"),
    {
        f"ops.square({STOP}(out) - y).mean()": True,
        f"ops.square({STOP}(out * 2) - y).mean()": True,
        f"ops.square(out - {STOP}(y)).mean()": False,
        f"({STOP}(1 - out) * ops.square(out - y)).mean()": False,
        "ops.square(ops.relu(out) - y).mean()": False,
    }.items(),
)
def test_the_loss_of_a_model_trains_nothing(tmp_path: Path, loss: str, stopped: bool) -> None:
    judge = f"class Judge(nn.Cell):\n    def construct(self, out, y):\n        return {loss}\n"
    train = "ms.Model(net, Judge(), nn.Adam(net.trainable_params())).train(1, data)\n"
    found = said(tmp_path, judge + train, train="")
    assert ("nothing-trained" in {one.code for one in found}) is stopped


@pytest.mark.parametrize("stop", [STOP, ""])
def test_labels_that_are_held_in_a_parameter_carry_no_gradient(tmp_path: Path, stop: str) -> None:
    text = f"""
from packed import Network, batches
net = Network()
opt = nn.Adam(net.trainable_params())
def forward(x, y):
    return nn.CrossEntropyLoss()({stop}(net(x)), y)
step = ms.value_and_grad(forward, None, opt.parameters)
for x, y in batches():
    loss, grads = step(x, Parameter(ms.Tensor(y), requires_grad=False))
    opt(grads)
"""
    found = said(tmp_path, text, train="")
    assert ("nothing-trained" in {one.code for one in found}) is bool(stop)


ROWS = """
class Rows(nn.SequentialCell):
    def __init__(self, rows):
        super().__init__({})
        self.rows = rows
    def construct(self, x):
        for row in self.rows:
            x = row(x)
        return x
self.many = Rows([nn.Dense(8, 8), nn.Dense(8, 8)])
"""


@pytest.mark.parametrize(
    ("init", "use", "code"),
    [
        ("self.many = [nn.Dense(8, 8), nn.Dense(8, 8)]", "self.many[0](h)", "not-registered"),
        ("self.many = {'a': nn.Dense(8, 8)}", "self.many['a'](h)", "not-registered"),
        ("self.many = nn.CellList([nn.Dense(8, 8)])", "self.many[0](h)", None),
        ("self.many = [nn.Dense(8, 8)]\nself.all = nn.CellList(self.many)", "self.many[0](h)", None),
        (
            "self.many = [nn.Dense(8, 8)]\nself.insert_child_to_cell('a', self.many[0])",
            "self.many[0](h)",
            None,
        ),
        (ROWS.format("*rows"), "self.many(h)", None),
        (ROWS.format(""), "self.many(h)", "not-registered"),
        ("self.many = [nn.ReLU()]", "self.many[0](h)", None),
        ("self.many = [nn.Dense(8, 8)]", "h", None),
    ],
)
def test_layers_in_a_list_of_python(tmp_path: Path, init: str, use: str, code: str | None) -> None:
    found = said(tmp_path, "", init, f"h = {use}\n" + FORWARD)
    assert [one.code for one in found] == ([] if code is None else [code])


@pytest.mark.parametrize(
    ("text", "declared", "codes"),
    [
        (LOAD + LOOP, ["body.*"], {"declared-frozen"}),
        (LOAD + LOOP, ["neck.*", "body.*"], {"declared-frozen", "declared-not-frozen"}),
        (LOAD + LOOP, [], {"frozen-not-declared"}),
        (LOAD + LOOP, ["nothing"], {"frozen-not-declared"}),
        (LOAD + PAIRS.format("match(name)"), ["neck.*"], set()),
        ("", ["neck.*"], {"declared-not-frozen"}),
    ],
)
def test_against_what_is_declared(tmp_path: Path, text: str, declared: list[str], codes: set[str]) -> None:
    assert {one.code for one in said(tmp_path, text, declared=declared) if "declared" in one.code} == codes


TARGET = "self.target = nn.Dense(8, 8)\n"
FROZEN_TARGET = "for k in net.target.get_parameters():\n    k.requires_grad = False\n"
#: What is done with a second, frozen network -> whether it stays at its random first values.
FOLLOWS: dict[str, bool] = {
    "": True,
    "for k, q in zip(net.target.get_parameters(), net.neck.get_parameters()):\n    k.set_data(q)\n": False,
    "for q, k in zip(net.neck.get_parameters(), net.target.get_parameters()):\n    ops.assign(k, 0.9 * k + 0.1 * q)\n": False,
    "for q, k in zip(net.neck.get_parameters(), net.target.get_parameters()):\n    ops.Assign()(k, q)\n": False,
    "ops.HyperMap()(lambda t, o: ops.assign(t, o), ms.ParameterTuple(net.target.get_parameters()), "
    "ms.ParameterTuple(net.neck.get_parameters()))\n": False,
    "named = dict(net.neck.parameters_and_names())\nfor n, k in net.target.parameters_and_names():\n    k.set_data(named[n])\n": False,
    "for k in net.head.get_parameters():\n    k.set_data(load())\n": True,
    "for k in net.target.get_parameters():\n    k.set_data(initializer(Normal(), k.shape))\n": True,
}


@pytest.mark.parametrize("text", FOLLOWS)
def test_a_frozen_network_that_follows_another(tmp_path: Path, text: str) -> None:
    found = said(tmp_path, FROZEN_TARGET + text, TARGET, "return self.head(self.neck(h) + self.target(h))")
    assert [one.code for one in found] == ["random-frozen" if FOLLOWS[text] else "frozen"]


LAYERS = ["body.0.weight", "body.1.gamma", "neck.weight", "head.weight"]
#: A part of the list of parameters -> the weights, but for biases, that are sure to lie within it.
PARTS: dict[str, set[str]] = {
    "[:-2]": NAMES - {"head"},  # its weight and bias
    "[:-2:1]": NAMES - {"head"},
    "[-2:]": {"head"},
    "[-1:]": set(),
    "[:1]": {"body.0"},
    "[:]": NAMES,
    "[:count]": set(),
    "[::0]": set(),
}


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize(
    "listed",
    [
        "net.trainable_params()",
        "net.get_parameters()",
        "list(net.get_parameters())",
        "tuple(list(net.trainable_params()))",
    ],
)
def test_a_part_of_the_list_of_parameters(tmp_path: Path, listed: str, part: str) -> None:
    text = f"for p in {listed}{part}:\n    p.requires_grad = False\n"
    assert frozen(said(tmp_path, LOAD + text, declared=LAYERS)) == PARTS[part]


@pytest.mark.parametrize(("bias", "kept"), [("", 1), (", has_bias=False", 2), (", has_bias=biased()", 2)])
def test_a_bias_takes_a_place_in_the_list_where_there_is_one(tmp_path: Path, bias: str, kept: int) -> None:
    text = "for p in net.trainable_params()[:-2]:\n    p.requires_grad = False\n"
    init = f"self.neck = nn.Dense(8, 8{bias})\nself.head = nn.Dense(8, 4{bias})\n"
    left = frozen(said(tmp_path, LOAD + text, init, declared=LAYERS))
    assert left == NAMES - {"head", "neck"} if kept == 2 else left == NAMES - {"head"}


#: A loop that freezes -> what is told of it, where weights have been loaded.
CHOICES = {
    "for p in list(net.get_parameters())[:2]:\n    p.requires_grad = False\n": "frozen",
    "for i, p in enumerate(net.trainable_params()):\n    if i > 2:\n        p.requires_grad = False\n": "frozen-unseen",
    "for p in sorted(net.trainable_params(), key=str)[:4]:\n    p.requires_grad = False\n": "frozen-unseen",
    "for p in net.trainable_params():\n    if chosen(p):\n        p.requires_grad = False\n": "frozen-unseen",
    "for p in net.trainable_params():\n    if 'body' in p.name:\n        p.requires_grad = False\n": "frozen",
    "for p in net.trainable_params():\n    if 'nobody' in p.name:\n        p.requires_grad = False\n": "frozen",
    "for name, p in net.parameters_and_names():\n    if name.startswith('body'):\n        p.requires_grad = False\n": "frozen",
    "for p in net.trainable_params():\n    if 'head' in p.name:\n        continue\n    p.requires_grad = False\n": "frozen",
    "for p in net.trainable_params():\n    if chosen(p):\n        continue\n    p.requires_grad = False\n": "frozen-unseen",
    "for p in net.trainable_params():\n    if 'head' in p.name:\n        break\n    p.requires_grad = False\n": "frozen-unseen",
}


@pytest.mark.parametrize("text", CHOICES)
def test_what_is_frozen_is_seen_or_said_to_be_unseen(tmp_path: Path, text: str) -> None:
    assert [one.code for one in said(tmp_path, LOAD + text)] == [CHOICES[text]]


def test_a_loop_that_passes_over_some_freezes_the_others(tmp_path: Path) -> None:
    loop = "for p in net.trainable_params():\n    if {}:\n        continue\n    p.requires_grad = False\n"
    whole = frozen(said(tmp_path, LOAD + loop.format("False"), declared=LAYERS))
    kept = frozen(said(tmp_path, LOAD + loop.format("'head' in p.name"), declared=LAYERS))
    only = frozen(said(tmp_path, LOAD + loop.format("not p.name.startswith('head')"), declared=LAYERS))
    assert (kept, only) == (NAMES - {"head"}, {"head"})
    assert whole == NAMES


def test_one_of_the_list_of_parameters(tmp_path: Path) -> None:
    text = "net.trainable_params()[0].requires_grad = False\n"
    assert frozen(said(tmp_path, LOAD + text, declared=LAYERS)) == {"body.0"}


def test_a_part_of_the_parameters_is_not_called_all_of_them(tmp_path: Path) -> None:
    text = (
        "def keep(params):\n    for p in params:\n        p.requires_grad = False\nkeep(net.trainable_params()[:-2])\n"
    )
    assert [one.code for one in said(tmp_path, text)] == ["random-frozen"]


@pytest.mark.parametrize(
    ("part", "code"), [("[:-2]", "random-frozen"), ("[:9]", "frozen-unseen"), ("[-9:]", "frozen-unseen")]
)
def test_layers_made_in_a_loop_are_more_than_one(tmp_path: Path, part: str, code: str) -> None:
    init = "self.blocks = nn.CellList([nn.Dense(8, 8) for _ in range(9)])"
    text = f"for p in net.trainable_params(){part}:\n    p.requires_grad = False\n"
    found = said(tmp_path, text, init, "for b in self.blocks:\n    h = b(h)\n" + FORWARD)
    assert {one.code for one in found} == {code}


#: How a class derived from a layer is written -> whether its objects are the layer of the framework.
DERIVED: dict[str, bool] = {
    "class Own(nn.Dense):\n    pass\n": True,
    "class Own(nn.Dense):\n    def __init__(self, n, m):\n        super().__init__(n, m, weight_init='normal')\n": True,
    "class Own(ms.mint.nn.Linear):\n    def __init__(self, *args, **options):\n"
    "        super(Own, self).__init__(*args, **options)\n        self.start()\n\n"
    "    def start(self):\n        self.weight.set_data(initializer(Normal(0.1), self.weight.shape))\n": True,
    "class Own(nn.Dense):\n    def construct(self, x):\n        return ops.relu(x)\n": False,
    "class Own(nn.Dense):\n    def __init__(self, n, m):\n        super().__init__(n, m)\n"
    "        self.weight = Parameter(Tensor(table))\n": False,
}


@pytest.mark.parametrize("of", DERIVED)
def test_a_layer_derived_from_one_of_the_framework_is_frozen_like_it(tmp_path: Path, of: str) -> None:
    frozen_here = "net.neck.weight.requires_grad = False\n"
    found = said(tmp_path, frozen_here, of + "\nself.neck = Own(8, 8)")
    assert [one.code for one in found] == (["random-frozen"] if DERIVED[of] else ["frozen"])
    assert {one.code for one in said(tmp_path, LOAD + frozen_here, of + "\nself.neck = Own(8, 8)")} == {"frozen"}
    assert said(tmp_path, "", of + "\nself.neck = Own(8, 8)") == []


def test_no_gradient_reaches_a_derived_layer_behind_a_stop(tmp_path: Path) -> None:
    of = "class Own(nn.Dense):\n    pass\n\nself.neck = Own(8, 8)"
    found = said(tmp_path, "", of, "return self.head(ops.stop_gradient(self.neck(h)))")
    assert "part-cut-off" in {one.code for one in found}


AGAIN = "later = Net()\n{}for p in later.neck.get_parameters():\n    p.requires_grad = False\n"
TRAIN_AGAIN = "ms.Model(later, loss_fn, nn.Adam(later.trainable_params())).train(1, data)\n"


@pytest.mark.parametrize(
    ("load", "then", "codes"),
    [
        ("ms.load_checkpoint('a.ckpt', later)\n", TRAIN_AGAIN, {"frozen"}),
        ("", TRAIN_AGAIN, {"random-frozen"}),
    ],
)
def test_a_network_that_is_made_after_another_was_trained(
    tmp_path: Path, load: str, then: str, codes: set[str]
) -> None:
    found = said(tmp_path, TRAIN + AGAIN.format(load), train=then)
    assert {one.code for one in found} == codes


@pytest.mark.parametrize(("trained", "codes"), [("net", {"frozen"}), ("later", {"random-frozen"})])
def test_a_network_that_is_frozen_and_not_trained(tmp_path: Path, trained: str, codes: set[str]) -> None:
    step = (
        f"def forward(x, y):\n    return loss_fn({trained}(x), y)\n"
        f"grad_fn = ms.value_and_grad(forward, None, {trained}.trainable_params())\ngrad_fn(x, y)\n"
    )
    assert {one.code for one in said(tmp_path, AGAIN.format(""), train=step)} == codes


ADVERSARIES = """
judge = Net()
both = [nn.Adam(net.trainable_params()), nn.Adam(judge.trainable_params())]
bce = nn.BCEWithLogitsLoss()

class Step(nn.Cell):
    def __init__(self):
        super().__init__()
        self.net, self.judge = net, judge
        self.opt_g, self.opt_d = both
        self.grad = ops.GradOperation(get_by_list=True)

    def real(self, x):
        return bce(self.judge(self.net(x)), ops.ones(2))

    def fake(self, x):
        return bce(self.judge(ops.stop_gradient(self.net(x))), ops.zeros(2))

    def construct(self, x):
        grads = self.grad(self.fake, self.opt_d.parameters)(x)
        x = ops.depend(x, self.opt_d(grads))
        grads = self.grad(self.real, self.opt_g.parameters)(x)
        return ops.depend(x, self.opt_g(grads))

Step()(data)
"""


def test_what_another_update_waits_for_is_no_term_of_its_loss(tmp_path: Path) -> None:
    assert "term-stopped" not in {one.code for one in said(tmp_path, ADVERSARIES, train="")}
    (tmp_path / "two").mkdir()
    real = "return bce(self.judge(self.net(x)), ops.ones(2))"
    stopped = ADVERSARIES.replace(real, real + " + bce(ops.stop_gradient(self.net(x)), ops.ones(2))")
    assert "term-stopped" in {one.code for one in said(tmp_path / "two", stopped, train="")}


#: What comes before the body is frozen, and after it -> what is told.
_FIRST = "loss_of = lambda x, y: loss_fn(net(x), y)\nopt = nn.Adam(net.trainable_params())\n"
_STEP = "_, grads = ms.value_and_grad(loss_of, None, opt.parameters)(x, y)\nopt(grads)\n"
_FREEZE = "for p in net.body.get_parameters():\n    p.requires_grad = False\n"


@pytest.mark.parametrize(
    ("text", "train", "codes"),
    [
        (_FIRST + _STEP + _FREEZE, _STEP, ["frozen"]),
        (_FIRST + _FREEZE + _STEP, _STEP, ["random-frozen"]),
        (TRAIN + _FREEZE, TRAIN, ["frozen"]),
        (_FREEZE, TRAIN, ["random-frozen"]),
    ],
)
def test_what_was_trained_before_it_is_frozen_is_not_random(
    tmp_path: Path, text: str, train: str, codes: list[str]
) -> None:
    assert [one.code for one in said(tmp_path, text, train=train)] == codes


@pytest.mark.parametrize(("weights", "possible"), [("net.trainable_params()", False), ("house.weights(net)", True)])
def test_what_is_out_of_sight_may_be_trained_instead(tmp_path: Path, weights: str, possible: bool) -> None:
    train = (
        "import house\nbody = house.build()\n"
        f"opt = nn.Adam({weights})\n"
        f"step = ms.value_and_grad(lambda x, y: loss_fn(body(x) + {STOP}(net(x)), y), None, opt.parameters)\n"
        "for x, y in data:\n    loss, grads = step(x, y)\n    opt(grads)\n"
    )
    found = [one for one in said(tmp_path, "", train=train) if one.code == "nothing-trained"]
    assert [one.possible for one in found] == [possible]


def test_the_place_is_where_the_layers_are_cut_off_not_another_stop_nearer_to_the_loss(tmp_path: Path) -> None:
    cut = "cut = Tensor(self.neck(h).asnumpy())\nh = h + cut\nreturn self.head(h) + self.head(ops.stop_gradient(h))"
    found = said(tmp_path, "", construct=cut)
    assert [one.data["text"] for one in found if one.code == "part-cut-off"] == ["self.neck(h).asnumpy()"]


@pytest.mark.parametrize(("table", "expected"), [("Tensor(np.load('words.npy'))", []), ("'normal'", ["random-frozen"])])
def test_a_table_that_is_given_by_its_place(tmp_path: Path, table: str, expected: list[str]) -> None:
    init = f"self.words = nn.Embedding(9, 8, False, {table})\nself.words.embedding_table.requires_grad = False"
    found = said(tmp_path, "", init=init, construct="return self.head(self.neck(self.body(x)) + self.words(x))")
    assert [one.code for one in found if "random" in one.code] == expected
