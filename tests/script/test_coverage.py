"""Whether every parameter that takes part in the loss is in an optimizer, in the ways people write networks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from accucheck.script.coverage import examine
from accucheck.script.training_steps import TrainingSteps
from case_scripts import scripts

HEAD = """import copy
import mindspore as ms
from mindspore import nn, ops
from mindspore.common.initializer import initializer

class Net(nn.Cell):
    def __init__(self, {given}):
        super().__init__()
        self.body = nn.Dense(8, 8)
        {held}

    def construct(self, x):
        return self.body(x)

"""
ALL = "net = Net()\nopt = nn.SGD(net.trainable_params(), 0.1)\n"
MODEL = "ms.Model(net, nn.MSELoss(), opt)\n"


def said(root: Path, text: str, held: str = "pass", given: str = "more=None") -> list[tuple[str, Any]]:
    (reading,) = scripts(root, HEAD.format(held=held, given=given) + text).training
    return [(one.code, one.data.get("layer")) for one in examine(TrainingSteps(reading))]


#: A script -> what is said, and of which layer.
SCRIPTS: dict[str, tuple[str, list[tuple[str, Any]]]] = {
    "all": (ALL + MODEL, [("covered", None)]),
    "a part": ("net = Net()\nopt = nn.SGD(net.body.trainable_params(), 0.1)\n" + MODEL, [("covered", None)]),
    "no step": (ALL, [("no-step", None)]),
    "out of sight": ("import other\nnet = Net()\nopt = nn.SGD(other.weights(net), 0.1)\n" + MODEL, [("parameters-unknown", None)]),
    "of another network": (
        "net, other = Net(), Net()\nopt = nn.SGD(other.trainable_params(), 0.1)\n" + MODEL,
        [("left-out-maybe", "Dense")],
    ),
    "groups": (
        "net = Net()\n"
        "opt = nn.SGD([{'params': list(net.body.trainable_params())}, {'order_params': net.trainable_params()}], 0.1)\n" + MODEL,
        [("covered", None)],
    ),
    "two lists": (
        "a, b = Net(), Net()\nnet = nn.SequentialCell(a, b)\nopt = nn.SGD(a.trainable_params() + b.trainable_params(), 0.1)\n" + MODEL,
        [("covered", None)],
    ),
    "an optimizer of one's own": (
        "class Slow(nn.SGD):\n    def __init__(self, params):\n        super().__init__(params, 0.1)\n"
        "net = Net()\nopt = Slow(net.trainable_params())\n" + MODEL,
        [("covered", None)],
    ),
    "one of one's own without parameters": (
        "class Slow(nn.SGD):\n    def __init__(self, params):\n        super().__init__(params, 0.1)\n"
        "import other\nnet = Net()\nopt = Slow(other.weights())\n" + MODEL,
        [("parameters-unknown", None)],
    ),
    "one around another": (
        "net = Net()\nopt = nn.LARS(nn.SGD(net.trainable_params(), 0.1))\n" + MODEL,
        [("covered", None)],
    ),
    "a layer put in later": (ALL + "net.body = nn.Dense(8, 3)\n" + MODEL, [("added-later", "Dense")]),
    "a layer put in before": (
        "net = Net()\nnet.body = nn.Dense(8, 3)\nopt = nn.SGD(net.trainable_params(), 0.1)\n" + MODEL,
        [("covered", None)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts(name: str, tmp_path: Path) -> None:
    code, expected = SCRIPTS[name]
    assert said(tmp_path, code) == expected


#: What the trained network holds beside what the optimizer was given -> the layer that is left out.
OUTER = """
class Outer(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net = net
        {held}

    def construct(self, x):
        return self.head(self.net(x))

inner = Net()
net = Outer(inner)
opt = nn.SGD({given}, 0.1)
"""
HELD: dict[str, tuple[str, str, list[tuple[str, Any]]]] = {
    "a layer": ("self.head = nn.Dense(8, 2)", "", [("left-out-maybe", "Dense")]),
    "a layer without weights": ("self.head = nn.ReLU()", "", [("covered", None)]),
    "layers in a list": ("self.head = nn.SequentialCell([nn.ReLU(), nn.Dense(8, 2)])", "", [("left-out-maybe", "Dense")]),
    "layers in a dict": ("self.heads = {'a': nn.Dense(8, 2)}", "", [("left-out-maybe", "Dense")]),
    "one of two layers": ("self.head = nn.Dense(8, 2) if ms.get_context('x') else nn.ReLU()", "", [("left-out-maybe", "Dense")]),
    "a parameter drawn at random": ("self.w = ms.Parameter(initializer('normal', (8, 2)), 'w')", "", [("left-out", "Parameter")]),
    "a parameter drawn by an operator": ("self.w = ms.Parameter(ops.standard_normal((8, 2)))", "", [("left-out", "Parameter")]),
    "a buffer": ("self.w = ms.Parameter(initializer('zeros', (8, 2)), 'w')", "", [("covered", None)]),
    "a parameter that is not trained": (
        "self.w = ms.Parameter(initializer('normal', (8, 2)), requires_grad=False)",
        "",
        [("covered", None)],
    ),
    "a network": ("self.side = Net()", "", [("left-out-maybe", "Dense")]),
    "a teacher": ("self.teacher = Net()", "", [("left-by-name", "Dense"), ("covered", None)]),
    "a layer that is loaded": ("self.head = nn.Dense(8, 2)", "ms.load_param_into_net(net.head, {})", [("covered", None)]),
    "a layer that takes no gradients": ("self.head = nn.Dense(8, 2)", "net.head.set_grad(False)", [("covered", None)]),
    "a layer that takes them": ("self.head = nn.Dense(8, 2)", "net.head.set_grad(True)", [("left-out-maybe", "Dense")]),
    "a layer whose parameters are asked for": (
        "self.head = nn.Dense(8, 2)",
        "for p in net.head.get_parameters():\n    p.requires_grad = False",
        [("covered", None)],
    ),
    "a weight that is fixed": ("self.head = nn.Dense(8, 2)", "net.head.weight.requires_grad = False", [("covered", None)]),
}  # fmt: skip


@pytest.mark.parametrize("name", HELD)
def test_what_a_network_holds_beside(name: str, tmp_path: Path) -> None:
    held, more, expected = HELD[name]
    text = OUTER.format(held=held, given="inner.trainable_params()")
    assert said(tmp_path, f"{text}{more}\n{MODEL}") == expected


@pytest.mark.parametrize(
    ("parameters", "code"),
    [
        ("inner.trainable_params()", "left-out"),
        ("list(inner.trainable_params())", "left-out"),
        ("ms.ParameterTuple(inner.trainable_params())", "left-out"),
        ("list(filter(lambda p: p.requires_grad, inner.get_parameters()))", "left-out"),
        ("[{'params': inner.trainable_params(), 'lr': 0.1}]", "left-out"),
        ("params=inner.trainable_params()", "left-out"),
        ("[p for p in inner.trainable_params() if 'x' in p.name]", "left-out-maybe"),
        ("other.chosen(inner.trainable_params())", "left-out-maybe"),
    ],
)
def test_how_sure_it_is(parameters: str, code: str, tmp_path: Path) -> None:
    text = "import other\n" + OUTER.format(
        held="self.w = ms.Parameter(initializer('normal', (8, 2)))", given=parameters
    ).replace(", 0.1)\n", ", learning_rate=0.1)\n")
    assert said(tmp_path, text + MODEL) == [(code, "Parameter")]


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (
            "def forward(x, y):\n    return net(x).sum()\ngrad_fn = ms.value_and_grad(forward, None, opt.parameters)\n"
            "def step(x, y):\n    loss, grads = grad_fn(x, y)\n    opt(grads)\n",
            [("left-out-maybe", "Dense")],
        ),
        (
            "def forward(x, y):\n    return inner(x).sum()\ngrad_fn = ms.value_and_grad(forward, None, opt.parameters)\n"
            "def step(x, y):\n    shown = net(x)\n    loss, grads = grad_fn(x, y)\n    opt(grads)\n",
            [("covered", None)],
        ),
        (
            "class Train(nn.TrainOneStepCell):\n    def __init__(self, network, optimizer):\n        super().__init__(network, optimizer)\n"
            "Train(net, opt)\n",
            [("left-out-maybe", "Dense")],
        ),
    ],
)
def test_steps_of_ones_own(step: str, expected: list[tuple[str, Any]], tmp_path: Path) -> None:
    text = OUTER.format(held="self.head = nn.Dense(8, 2)", given="inner.trainable_params()")
    assert said(tmp_path, text + step) == expected


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ("net.trainable_params()", ("covered", 2, 2)),
        ("list(filter(lambda p: p.requires_grad, net.get_parameters()))", ("covered", 2, 2)),
        ("filter(lambda p: 'body' in p.name, net.trainable_params())", ("covered-in-part", 2, 2)),
        ("[p for p in net.trainable_params() if 'body' in p.name]", ("covered-in-part", 2, 2)),
    ],
)
def test_what_was_compared_is_counted(parameters: str, expected: tuple[str, int, int], tmp_path: Path) -> None:
    text = f"net = Net()\nopt = nn.SGD({parameters}, 0.1)\n"
    (reading,) = scripts(
        tmp_path, HEAD.format(held="self.head = nn.Dense(8, 2)", given="more=None") + text + MODEL
    ).training
    (one,) = examine(TrainingSteps(reading))
    assert (one.code, one.data["layers"], one.data["of"]) == expected
    assert one.data["networks"] == ["Net"] and one.data["optimizers"] == 1


def test_layers_that_are_kept_fixed_are_not_counted_as_given(tmp_path: Path) -> None:
    text = OUTER.format(held="self.teacher = Net()", given="inner.trainable_params()")
    (reading,) = scripts(tmp_path, HEAD.format(held="pass", given="more=None") + text + MODEL).training
    named, one = examine(TrainingSteps(reading))
    assert (one.code, one.data["layers"], one.data["of"]) == ("covered", 1, 2)
    assert (named.code, named.data["network"]) == ("left-by-name", "Net")


LOADED = "ms.load_param_into_net(net, ms.load_checkpoint('best.ckpt'))\n"


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [("", LOADED, "left-out-maybe"), (LOADED, "", "nothing-covered"), ("", "", "left-out-maybe")],
)
def test_only_what_is_loaded_before_training_may_stay_as_it_is(
    before: str, after: str, code: str, tmp_path: Path
) -> None:
    text = (
        "net, other = Net(), Net()\nopt = nn.SGD(other.trainable_params(), 0.1)\n"
        f"{before}model = ms.Model(net, nn.MSELoss(), opt)\nmodel.train(1, data)\n{after}"
    )
    assert [found for found, _ in said(tmp_path, text)] == [code]


#: A discriminator and a generator, of which the second has no optimizer, and how they are evaluated after each step.
PAIR = """
judge, maker = Net(), Net()
opt = nn.SGD(judge.trainable_params(), 0.1)

def forward(x):
    return judge(maker(x)).mean()

step = ms.value_and_grad(forward, None, opt.parameters)
for x in data:
    BEFORE
    loss, grads = step(x)
    opt(grads)
    maker.set_train(False)
    print(maker(x))
"""


@pytest.mark.parametrize(("before", "code"), [("maker.set_train()", "left-out-maybe"), ("pass", "covered")])
def test_a_network_that_is_evaluated_in_between_is_not_kept_from_training(
    before: str, code: str, tmp_path: Path
) -> None:
    assert [found for found, _ in said(tmp_path, PAIR.replace("BEFORE", before))] == [code]


LOOP = """
def groups(net):
    decayed, others = [], []
    for param in net.trainable_params():
        if "bias" in param.name:
            others.append(param)
        else:
            decayed.append(param)
    return GROUPS

net = Net()
opt = nn.Adam(groups(net))
"""
LISTED = """
net = Net()
decayed = [param for param in net.trainable_params() if "bias" not in param.name]
others = list(filter(lambda param: "bias" in param.name, net.trainable_params()))
opt = nn.Adam(GROUPS)
"""
NAMED = LISTED.replace("net.trainable_params()", "params").replace("Net()", "Net()\nparams = net.trainable_params()", 1)


@pytest.mark.parametrize("text", [LOOP, LISTED, NAMED])
@pytest.mark.parametrize(
    ("groups", "told"),
    [
        ("[{'params': decayed, 'weight_decay': 0.1}]", True),
        ("decayed", True),
        ("[{'params': decayed}, {'params': others}]", False),
        ("decayed + others", False),
        ("[{'params': decayed}, {'params': others}, {'order_params': net.trainable_params()}]", False),
        ("net.trainable_params()", False),
    ],
)
def test_a_list_of_parameters_that_nothing_reads(tmp_path: Path, text: str, groups: str, told: bool) -> None:
    found = [code for code, _ in said(tmp_path, text.replace("GROUPS", groups) + MODEL)]
    assert ("list-forgotten" in found) is told


PARTS = """
def built(kind):
    net = None
    if kind == "a":
        net = Net()
    elif kind == "b":
        net = Net()
    return net

net = built(SETTINGS.kind)
backbone = net.backbone.trainable_params()
others = [param for param in net.trainable_params() if "backbone" not in param.name]
opt = nn.Adam(GROUPS)
"""


@pytest.mark.parametrize(
    ("groups", "told"),
    [
        ("[{'params': backbone}]", True),
        ("backbone", True),
        ("[{'params': backbone}, {'params': others}]", False),
        ("backbone + net.head.trainable_params() + others", False),
        ("[{'params': backbone}, {'params': net.trainable_params()}]", False),
    ],
)
def test_a_list_that_nothing_reads_beside_the_parameters_of_a_part(tmp_path: Path, groups: str, told: bool) -> None:
    """Also where one of several networks is built, and none at all without a setting, which fails."""
    found = [
        code for code, _ in said(tmp_path, "from settings import SETTINGS\n" + PARTS.replace("GROUPS", groups) + MODEL)
    ]
    assert ("list-forgotten" in found) is told


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("others.append(param)", "others.append(param)\n            decayed.append(param)"),
        ("others.append(param)", "param.requires_grad = False\n            others.append(param)"),
        ("    return", "    print(len(others))\n    return"),
        ("others.append(param)", "others.append(param.name)"),
    ],
)
def test_lists_that_hold_what_is_trained_elsewhere_or_not_at_all(tmp_path: Path, old: str, new: str) -> None:
    text = LOOP.replace("GROUPS", "[{'params': decayed}]").replace(old, new)
    assert "list-forgotten" not in [code for code, _ in said(tmp_path, text + MODEL)]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("net.trainable_params()", [("covered", 2, ["SequentialCell"])]),
        ("other.trainable_params()", [("left-out-maybe", None, None)]),
    ],
)
@pytest.mark.parametrize("wrapped", ["net", "ms.amp.auto_mixed_precision(net, 'O2')"])
def test_cells_of_the_framework_that_a_step_of_ones_own_runs(
    tmp_path: Path, given: str, expected: list[tuple[str, Any, Any]], wrapped: str
) -> None:
    text = (
        "net, other = nn.SequentialCell([nn.Dense(8, 8), nn.Dense(8, 2)]), nn.Dense(8, 2)\n"
        f"opt = nn.SGD({given}, 0.1)\nrun = {wrapped}\n"
        "def forward(x, y):\n    return nn.MSELoss()(run(x), y)\n"
        "grad_fn = ms.value_and_grad(forward, None, opt.parameters)\n"
        "def step(x, y):\n    loss, grads = grad_fn(x, y)\n    opt(grads)\n"
    )
    (reading,) = scripts(tmp_path, HEAD.format(held="pass", given="more=None") + text).training
    found = examine(TrainingSteps(reading))
    assert [(one.code, one.data.get("layers"), one.data.get("networks")) for one in found] == expected
