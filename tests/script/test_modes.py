"""The replay of set_train, Model and training steps: which mode cells are in when they train and when they are evaluated."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from accucheck.script.analysis import Reading
from accucheck.script.modes import Account, Replay, called, depends, underlying, within
from accucheck.script.project import Project
from accucheck.script.source import read
from accucheck.script.trace import follow
from accucheck.script.training import assumption
from accucheck.script.values import Call, Instance

HEAD = """
import mindspore as ms
from mindspore import nn, ops, amp

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.bn = nn.BatchNorm1d(8)
        self.fc = nn.Dense(8, 2)

    def construct(self, x):
        return self.fc(self.bn(x))

net, other = Net(), Net()
loss_fn = nn.CrossEntropyLoss()
opt = nn.SGD(net.trainable_params(), 0.1)
grad_fn = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, opt.parameters)

def step(x, y):
    loss, grads = grad_fn(x, y)
    opt(grads)

def evaluate(network, data):
    for x, y in data:
        right = network(x).argmax(1) == y

class Step(nn.TrainOneStepCell):
    pass

class Mine(nn.Optimizer):
    def construct(self, grads):
        return ops.assign(self.parameters, grads)

def penalised(x, y):
    return loss_fn(net(x), y) + grad_fn(x, y)[0]
"""


def reading(folder: Path, text: str) -> Reading:
    (folder / "train.py").write_text(HEAD + text)
    source = read(folder / "train.py", "train.py")
    project = Project(folder, folder)
    trace = follow(source, assumption("train"), project.find, folder)
    return Reading("train", "train", source, trace, project)


def replay(folder: Path, text: str, evaluates: bool = False) -> Account:
    return Replay(reading(folder, text).trace, evaluates).run()


def codes(account: Account) -> list[str]:
    return sorted(fault.code for fault in account.faults)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("for x, y in data:\n    step(x, y)\n", ["no-set-train"]),
        ("net.set_train()\nfor x, y in data:\n    step(x, y)\n", []),
        ("other.set_train()\nfor x, y in data:\n    step(x, y)\n", ["no-set-train"]),
        ("nn.WithLossCell(net, loss_fn).set_train()\nstep(x, y)\n", []),
        ("net.set_train(mode=False)\nstep(x, y)\n", ["set-to-inference"]),
        # What nothing calls is not judged by a step that is judged where the script comes to it.
        ("net.set_train()\nstep(x, y)\ndef unused(x):\n    net.set_train(False)\n    return step(x, y)\n", []),
        ("def unused(x):\n    net.set_train(False)\n    return step(x, y)\n", ["set-to-inference"]),
        ("net = net.set_train(True)\nstep(x, y)\n", []),
        # The second round of a loop counts.
        ("net.set_train()\nfor e in r:\n    step(x, y)\n    net.set_train(False)\n", ["not-set-back"]),
        ("for e in r:\n    net.set_train()\n    step(x, y)\n    net.set_train(False)\n", []),
        (
            "for e in r:\n    net.set_train()\n    for x, y in data:\n        step(x, y)\n        net.set_train(False)\n",
            ["not-set-back"],
        ),
        # Both ways of a condition do.
        (
            "net.set_train()\nfor e in r:\n    step(x, y)\n    if e % 5 == 0:\n        net.set_train(False)\n",
            ["not-set-back"],
        ),
        (
            "net.set_train()\nfor e in r:\n    step(x, y)\n    if e % 5 == 0:\n        net.set_train(False)\n        net.set_train()\n",
            [],
        ),
        ("if flag:\n    net.set_train()\nelse:\n    net.set_train(True)\nstep(x, y)\n", []),
        ("net.set_train(flag)\nstep(x, y)\n", []),
        # Model switches by itself, and only its own network.
        ("ms.Model(net, loss_fn, opt).train(1, data)\n", []),
        (
            "model = ms.Model(net, loss_fn)\nnet.set_train()\nfor e in r:\n    step(x, y)\n    model.eval(data)\n",
            ["not-set-back"],
        ),
        ("model = ms.Model(other, loss_fn)\nnet.set_train()\nfor e in r:\n    step(x, y)\n    model.eval(data)\n", []),
        ("ms.Model(net, loss_fn, opt).train(1, data)\nevaluate(net, data)\n", ["evaluated-in-training"]),
        ("model = ms.Model(net, loss_fn, opt)\nmodel.train(1, data)\nmodel.eval(data)\nevaluate(net, data)\n", []),
        # What leaves early does not train.
        (
            "def main():\n    net.set_train()\n    if flag:\n        net.set_train(False)\n        return net(x)\n    step(x, y)\nmain()\n",
            [],
        ),
        (
            "def main():\n    net.set_train()\n    if flag:\n        net.set_train(False)\n        step(x, y)\n        return\n"
            "    step(x, y)\nmain()\n",
            ["set-to-inference"],
        ),
        # A deep copy is switched for itself.
        ("import copy\nteacher = copy.deepcopy(net)\nnet.set_train()\nteacher.set_train(False)\nstep(x, y)\n", []),
        ("import copy\nteacher = copy.deepcopy(net)\nteacher.set_train()\nstep(x, y)\n", ["no-set-train"]),
        (
            "import copy\nteacher = copy.copy(net)\nnet.set_train()\nteacher.set_train(False)\nstep(x, y)\n",
            ["set-to-inference"],
        ),
        # A part that is kept in inference mode.
        ("net.set_train()\nnet.bn.set_train(False)\nstep(x, y)\n", []),
        # build_train_network switches by itself.
        ("train_net = amp.build_train_network(net, opt, loss_fn)\nfor x, y in data:\n    train_net(x, y)\n", []),
        # Other ways to make a step.
        ("train_net = Step(nn.WithLossCell(net, loss_fn), opt)\ntrain_net(x, y)\n", ["no-set-train"]),
        ("train_net = Step(nn.WithLossCell(net, loss_fn), opt)\ntrain_net.set_train()\ntrain_net(x, y)\n", []),
        ("opt(ops.GradOperation(get_by_list=True)(net, opt.parameters)(x))\n", ["no-set-train"]),
        ("net.set_train()\nopt(ops.GradOperation(get_by_list=True)(net, opt.parameters)(x))\n", []),
        ("Mine(net.trainable_params(), 0.1)(grad_fn(x, y)[1])\n", ["no-set-train"]),
        ("net.set_train()\nMine(net.trainable_params(), 0.1)(grad_fn(x, y)[1])\n", []),
        ("net.set_train()\nopt(ms.value_and_grad(penalised, None, opt.parameters)(x, y)[1])\n", []),
        ("opt(ms.value_and_grad(penalised, None, opt.parameters)(x, y)[1])\n", ["no-set-train"]),
        ("def fit(network):\n    train(network.set_train(False))\n    step(x, y)\nfit(net)\n", ["set-to-inference"]),
        # Gradients that no optimizer gets are no training.
        ("attack = ms.grad(other)\nattack(x)\nnet.set_train()\nstep(x, y)\n", []),
        # Nor are those of an input, whoever moves it.
        ("attack = ms.value_and_grad(net, 0, None)\nnet.set_train(False)\nx = Mine(x, 0.1)(attack(x)[1])\n", []),
        # Nor is a picture a network, which is painted by what a network says of it.
        (
            "net.set_train(False)\nimage = ms.Parameter(load(), name='image')\npaint = nn.Adam([image])\n"
            "paint(ms.value_and_grad(lambda: net(image), None, [image])()[1])\n",
            [],
        ),
        (
            "net.set_train(False)\nimage = ms.Parameter(load(), name='image')\nboth = nn.Adam([image, *net.trainable_params()])\n"
            "both(ms.value_and_grad(lambda: net(image), None, both.parameters)()[1])\n",
            ["set-to-inference"],
        ),
        # Nor is what runs for a gradient an evaluation, whatever it is called.
        (
            "def evaluate_weights(x):\n    return net(x)\nnet.set_train()\nstep(x, y)\nms.grad(evaluate_weights)(x)\n",
            [],
        ),
        # One run takes the same way of a condition each time.
        ("if load()['warm']:\n    net.set_train()\n    step(x, y)\nevaluate(net, data)\n", ["evaluated-in-training"]),
        (
            "warm = load()['warm']\nif warm:\n    net.set_train()\n    step(x, y)\nif not warm:\n    evaluate(net, data)\n",
            [],
        ),
        (
            "def build(config):\n    if config['is_training']:\n        net.set_train()\n    else:\n        net.set_train(False)\n"
            "def fit(config):\n    build(config)\n    step(x, y)\ndef test(config):\n    build(config)\n    evaluate(net, data)\n"
            "if config['is_training']:\n    fit(config)\nelse:\n    test(config)\n",
            [],
        ),
        # Frameworks that are laid over MindSpore give a cell train() and eval().
        ("net.train()\nstep(x, y)\nnet.eval()\nevaluate(net, data)\n", []),
        ("net.train(True)\nstep(x, y)\n", []),
        ("net.train()\nstep(x, y)\nevaluate(net, data)\n", ["evaluated-in-training"]),
        ("net.eval()\nstep(x, y)\n", ["set-to-inference"]),
        ("net.train(False)\nstep(x, y)\n", ["set-to-inference"]),
        ("net.train(1, data)\nstep(x, y)\n", ["no-set-train"]),
        (
            "class Own(Net):\n    def train(self):\n        pass\nnet.set_train(False)\nown = Own()\nown.train()\nstep(x, y)\n",
            ["set-to-inference"],
        ),
        ("net.set_train()\nstep(x, y)\nevaluate(other, data)\n", []),
        # When nothing trains any more, what was trained is used, whatever that is called.
        ("net.set_train()\nfor x, y in data:\n    step(x, y)\nprint(net(x))\n", ["evaluated-in-training"]),
        ("net.set_train()\nfor x, y in data:\n    step(x, y)\nnet.set_train(False)\nprint(net(x))\n", []),
        ("net.set_train()\nfor x, y in data:\n    step(x, y)\nother.set_train()\nprint(other(x))\n", []),
        ("net.set_train()\nprint(net(x))\nfor x, y in data:\n    step(x, y)\n", []),
        ("ms.Model(net, loss_fn, opt).train(1, data)\nprint(net(x))\n", ["evaluated-in-training"]),
        ("ms.Model(net, loss_fn, opt).train(1, data)\nnet.set_train(False)\nprint(net(x))\n", []),
        (
            "net.set_train()\nfor e in r:\n    for x, y in data:\n        step(x, y)\n    print(net(x))\n",
            [],
        ),
        ("net.set_train()\nstep(x, y)\nevaluate(net, data)\n", ["evaluated-in-training"]),
    ],
)
def test_the_mode_when_it_trains_and_when_it_is_evaluated(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert codes(replay(tmp_path, text)) == expected


def test_an_evaluation_script_may_rely_on_the_mode_a_cell_is_made_in(tmp_path: Path) -> None:
    fresh = replay(tmp_path, "for x in data:\n    print(net(x))\n", evaluates=True)
    assert not fresh.faults and fresh.runs
    assert codes(replay(tmp_path, "net.set_train()\nfor x in data:\n    print(net(x))\n", evaluates=True)) == [
        "evaluated-in-training"
    ]
    assert not replay(tmp_path, "net.set_train()\nms.Model(net, loss_fn).eval(data)\n", evaluates=True).faults


def test_what_feeds_a_step_is_no_evaluation_whatever_the_script_is_called(tmp_path: Path) -> None:
    text = "net.set_train()\nfor x, y in data:\n    guess = net(x)\n    step(guess, y)\n"
    assert not replay(tmp_path, text, evaluates=True).faults
    text += "for x, y in data:\n    print(net(x))\n"
    assert codes(replay(tmp_path, text, evaluates=True)) == ["evaluated-in-training"]


def test_what_nobody_is_seen_to_call_is_not_judged_by_the_start(tmp_path: Path) -> None:
    text = "def fit(network, data):\n    step(x, y)\n"
    account = replay(tmp_path, text)
    assert not account.faults and account.steps and account.unknown
    inside = "def fit(data):\n    net.set_train(False)\n    step(x, y)\n"
    assert codes(replay(tmp_path, inside)) == ["set-to-inference"]


@pytest.mark.parametrize(
    ("layer", "expected"),
    [
        ("nn.Dropout(p=0.1)", True),
        ("nn.Dropout(0.9)", True),
        ("nn.Dropout(p=0.0)", False),
        ("nn.Dropout(keep_prob=1.0)", False),
        ("nn.Dropout(1 - args.rate)", True),
        ("nn.Dropout2d(0.2)", True),
        ("nn.BatchNorm2d(8)", True),
        ("nn.BatchNorm2d(8, use_batch_statistics=None)", True),
        ("nn.BatchNorm2d(8, use_batch_statistics=False)", False),
        ("nn.LSTM(8, 8)", False),
        ("nn.LSTM(8, 8, dropout=0.1)", True),
        ("nn.LSTM(8, 8, 2, True, False, 0.1)", True),
        ("nn.TransformerEncoderLayer(8, 2)", True),
        ("nn.TransformerEncoderLayer(8, 2, dropout=0)", False),
        ("nn.DenseBnAct(8, 8)", False),
        ("nn.DenseBnAct(8, 8, has_bn=True)", True),
        ("nn.LayerNorm((8,))", False),
        ("nn.Dense(8, 8)", False),
    ],
)
def test_layers_that_depend_on_the_mode(tmp_path: Path, layer: str, expected: bool) -> None:
    trace = reading(tmp_path, f"made = {layer}\n").trace
    made = next(call for call in trace.calls if "made" in call.bound)
    assert depends(made) is expected


def test_a_cell_that_asks_for_training_depends_on_it(tmp_path: Path) -> None:
    text = """
class Drop(nn.Cell):
    def construct(self, x):
        return ops.dropout(x, 0.5, self.training)

class Plain(nn.Cell):
    def construct(self, x):
        return x

drop, plain = Drop(), Plain()
drop(x), plain(x)
"""
    made = {called(i): i for i in reading(tmp_path, text).trace.instances}
    assert depends(made["Drop"]) and not depends(made["Plain"])


def test_what_is_within_a_cell(tmp_path: Path) -> None:
    trace = reading(
        tmp_path, "train_net = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), opt)\ntrain_net(x, y)\n"
    ).trace
    cell = next(call for call in trace.calls if call.last == "TrainOneStepCell")
    inside = list(within(cell).values())
    assert any(isinstance(value, Instance) and called(value) == "Net" for value in inside)
    assert any(isinstance(value, Call) and value.api == "nn.BatchNorm1d" for value in inside)


@pytest.mark.parametrize(
    "cell",
    [
        "nn.SequentialCell(net)",
        "nn.SequentialCell(*[net])",
        "nn.SequentialCell(*list(copy(net)))",
        "[net, net]",
        "partial(net, x)",
        "copy(net).set_train()",
    ],
)
def test_how_a_cell_is_within_another(tmp_path: Path, cell: str) -> None:
    trace = reading(tmp_path, f"from copy import copy\nfrom functools import partial\nrun({cell})\n").trace
    (outer,) = next(call for call in trace.calls if call.name == "run").args
    assert any(isinstance(value, Instance) and called(value) == "Net" for value in within(outer).values())


def test_a_network_that_is_not_seen_is_told_by_its_name(tmp_path: Path) -> None:
    trace = reading(tmp_path, "def fit(network):\n    run(network.set_train().to_float(ms.float16))\n").trace
    (given,) = next(call for call in trace.calls if call.name == "run").args
    assert [getattr(value, "name", "") for value in underlying(given)] == ["network"]


CALLBACK = """
class Eval(ms.train.Callback):
    def epoch_end(self, context):
        net.set_train(False)
        evaluate(net, data)
        {back}

ms.Model(net, loss_fn, opt).train(1, data, callbacks=[Eval()]{sink})
"""


@pytest.mark.parametrize(
    ("back", "sink", "expected"),
    [
        ("pass", "", ["callback-leaves-inference"]),
        ("net.set_train()", "", []),
        ("if flag: net.set_train()", "", ["callback-may-leave-inference"]),
        ("pass", ", dataset_sink_mode=False", ["callback-leaves-inference"]),
        ("pass", ", dataset_sink_mode=True", []),
        ("pass", ", dataset_sink_mode=args.sink", ["callback-may-leave-inference"]),
        ("pass", ", dataset_sink_mode=True if flag else False", ["callback-may-leave-inference"]),
    ],
)
def test_a_callback_that_switches_to_inference(tmp_path: Path, back: str, sink: str, expected: list[str]) -> None:
    assert codes(replay(tmp_path, CALLBACK.format(back=back, sink=sink))) == expected


@pytest.mark.parametrize(
    ("layer", "expected"), [("nn.ReLU()", []), ("nn.Dropout(p=0.1)", ["callback-leaves-inference"])]
)
def test_a_callback_of_a_network_that_no_mode_changes(tmp_path: Path, layer: str, expected: list[str]) -> None:
    plain = f"net = nn.SequentialCell(nn.Dense(8, 8), {layer})\n"
    assert codes(replay(tmp_path, plain + CALLBACK.format(back="pass", sink=""))) == expected


CHOSEN = """
def make(net):
    {switch}
    return nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), opt)

if flag == 1:
    train = make(net)
elif flag == 2:
    net.set_train()
    train = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), opt)
else:
    raise ValueError(flag)
for x, y in data:
    train(x, y)
"""


def test_a_mode_that_each_way_to_the_step_sets(tmp_path: Path) -> None:
    assert codes(replay(tmp_path, CHOSEN.format(switch="net.set_train()"))) == []


def test_long_scripts_are_replayed_quickly(tmp_path: Path) -> None:
    deep = "".join("    " * depth + f"for i{depth} in r:\n" for depth in range(8))
    inner = "    " * 8 + "net.set_train()\n" + "    " * 8 + "step(x, y)\n" + "    " * 8 + "net.set_train(False)\n"
    flat = "net.set_train()\n" + "step(x, y)\nnet.set_train(False)\nnet.set_train()\n" * 1500
    ways = "".join(f"if c{n}:\n    net.set_train()\nstep(x, y)\n" for n in range(500))
    for text in (deep + inner * 100, flat, ways):
        trace = reading(tmp_path, text).trace
        start = time.process_time()
        Replay(trace, False).run()
        assert time.process_time() - start < 10


@pytest.mark.parametrize(
    ("layer", "plain"),
    [
        ("nn.ReLU()", True),
        ("nn.Dropout(p=0.5)", False),
        ("build('mlp')", False),
        # Classes that derive from a layer.
        ("Norm(4)", False),
        ("Scale(4)", True),
        ("Drop(p=0.5)", False),
        ("Drop(p=0.0)", True),
    ],
)
def test_a_network_in_which_nothing_depends_on_the_mode_is_plain(tmp_path: Path, layer: str, plain: bool) -> None:
    account = replay(
        tmp_path,
        f"""
class Norm(nn.BatchNorm1d):
    def __init__(self, width):
        super().__init__(width)

    def construct(self, x):
        return super().construct(x) * 2

class Scale(nn.BatchNorm1d):
    def construct(self, x):
        return x * self.gamma

class Drop(nn.Dropout):
    pass

class Other(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layer = {layer}

    def construct(self, x):
        return self.layer(x)

net = Other()
opt = nn.SGD(net.trainable_params(), 0.1)
net.set_train(False)
loss, grads = ms.value_and_grad(lambda x: net(x).mean(), None, opt.parameters)(x)
opt(grads)
""",
    )
    assert [(fault.code, fault.plain) for fault in account.faults] == [("set-to-inference", plain)]


def test_a_deep_copy_has_cells_of_its_own(tmp_path: Path) -> None:
    trace = reading(tmp_path, "import copy\nrun(copy.deepcopy(net))\n").trace
    (outer,) = next(call for call in trace.calls if call.name == "run").args
    copied = {id(value) for value in within(outer).values() if isinstance(value, Instance)}
    own = {id(instance) for instance in trace.instances if instance.node is outer.node}
    assert copied and copied <= own


WRAPPERS = """
class Cost(nn.Cell):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def construct(self, x):
        return self.network(x)

checked = Cost(net)
for epoch in range(3):
    net.set_train()
    for x, y in train_set:
        step(x, y)
    {}
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("checked.set_train(True)\n    print(checked(x))", ["evaluated-perhaps"]),
        ("checked.set_train(False)\n    print(checked(x))", []),
        ("net.set_train(True)\n    print(net(x))", []),  # the network that is trained, looked at between steps
        ("checked.set_train(True)\n    step(checked(x), y)", []),  # it feeds a step
    ],
)
def test_a_cell_of_its_own_that_is_switched_on_between_steps(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert codes(replay(tmp_path, WRAPPERS.format(text))) == expected


def test_a_switch_is_told_by_what_depends_on_it(tmp_path: Path) -> None:
    text = """
judge = nn.SequentialCell(nn.Dense(8, 8), nn.Dense(8, 1))

class Both(nn.Cell):
    def __init__(self, first, second):
        super().__init__()
        self.first, self.second = first, second

    def construct(self, x):
        return self.second(self.first(x))

judging = nn.TrainOneStepCell(Both(net, judge), nn.SGD(judge.trainable_params(), 0.1))
making = nn.TrainOneStepCell(Both(net, judge), nn.SGD(net.trainable_params(), 0.1))
judging.set_train()
making.set_train(False)
for x in train_set:
    judging(x)
    making(x)
"""
    (fault,) = replay(tmp_path, text).faults
    assert (fault.code, fault.plain) == ("set-to-inference", False)
    assert [called(layer) for layer in fault.layers] == ["BatchNorm1d"]


#: What is trained beside a network that is switched on -> what is said. The network has no layer that asks for it either.
BESIDE = """
class Plain(nn.Cell):
    def __init__(self, layer):
        super().__init__()
        self.fc, self.layer = nn.Dense(8, 8), layer

    def construct(self, x):
        return self.layer(self.fc(x))

body, head = Plain(nn.ReLU()), Plain(LAYER)
both = body.trainable_params() + head.trainable_params()
update = nn.SGD(both, 0.1)
total = ms.value_and_grad(lambda x, y: loss_fn(head(body(x)), y), None, both)
SWITCH
for x, y in data:
    value, grads = total(x, y)
    update(grads)
"""


@pytest.mark.parametrize(
    ("layer", "switch", "expected"),
    [
        ("ops.L2Normalize(axis=1)", "body.set_train()", []),
        ("nn.ReLU()", "head.set_train()", []),
        ("nn.ReLU()", "", ["no-set-train-plain"]),
        ("nn.ReLU()", "body.set_train(False)", ["set-to-inference"]),
        ("nn.Dropout(p=0.5)", "body.set_train()", ["no-set-train"]),
        ("build('mlp')", "body.set_train()", ["no-set-train-plain"]),
    ],
)
def test_what_is_trained_beside_a_network_that_is_switched_on(
    tmp_path: Path, layer: str, switch: str, expected: list[str]
) -> None:
    text = BESIDE.replace("LAYER", layer).replace("SWITCH", switch)
    assert codes(replay(tmp_path, text)) == expected
