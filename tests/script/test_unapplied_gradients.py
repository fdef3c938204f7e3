"""Gradients of weights that nothing takes, weights that no optimizer is given, and losses that are computed too early."""

from __future__ import annotations

from pathlib import Path

import pytest

from accucheck.case import Case, CaseFile
from accucheck.case import Scripts as Given
from accucheck.script import unapplied_gradients
from accucheck.script.analysis import read_scripts
from accucheck.script.networks import Observation

HEAD = """
import mindspore as ms
from mindspore import nn, ops

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.Dense(8, 8)
        self.head = nn.Dense(8, 2)

    def construct(self, x):
        return self.head(self.body(x))

net = Net()
loss_fn = nn.CrossEntropyLoss()
opt = nn.SGD(net.trainable_params(), 0.1)

def forward(x, y):
    logits = net(x)
    return loss_fn(logits, y), logits

"""


def said(folder: Path, text: str, head: str = HEAD) -> list[Observation]:
    (folder / "train.py").write_text(head + text)
    scripts = read_scripts(Case(root=str(folder), spec=CaseFile(scripts=Given(train="train.py"))))
    return list(unapplied_gradients.examine(scripts))


def codes(folder: Path, text: str) -> list[str]:
    return [one.code for one in said(folder, text)]


FUNCTION = """
grad_fn = ms.value_and_grad(forward, None, opt.parameters, has_aux=True)

def step(x, y):
    (loss, _), grads = grad_fn(x, y)
    APPLY
    return loss

for x, y in data:
    print(step(x, y))
"""
CELL = """
class Step(nn.Cell):
    def __init__(self, network, optimizer):
        super().__init__(auto_prefix=False)
        self.network, self.optimizer, self.weights = network, optimizer, optimizer.parameters
        self.grad = ops.GradOperation(get_by_list=True)

    def construct(self, x, y):
        loss = self.network(x, y)
        grads = self.grad(self.network, self.weights)(x, y)
        APPLY
        return loss

cell = Step(nn.WithLossCell(net, loss_fn), opt)
for x, y in data:
    print(cell(x, y))
"""
LOOP = """
grad_fn = ms.value_and_grad(forward, None, opt.parameters, has_aux=True)
for x, y in data:
    (loss, _), grads = grad_fn(x, y)
    APPLY
    print(loss)
"""


def test_a_pair_that_is_unpacked_into_three_says_nothing_of_its_gradients(tmp_path: Path) -> None:
    text = LOOP.replace("(loss, _), grads", "loss, _, grads").replace("APPLY", "opt(grads)")
    assert said(tmp_path, text) == []


UNSEEN = """
from others import made
opt = made(net.trainable_params())
grad_fn = ms.value_and_grad(forward, None, opt.parameters, has_aux=True)
for x, y in data:
    (loss, _), grads = grad_fn(x, y)
    APPLY
    print(loss)
measured = ms.value_and_grad(forward, None, opt.parameters, has_aux=True)
for x, y in held:
    (loss, _), grads = measured(x, y)
    print(loss)
"""


@pytest.mark.parametrize(
    ("apply", "expected"), [("opt(grads)", []), ("pass", ["gradients-dropped", "gradients-dropped"])]
)
def test_gradients_that_only_measure(apply: str, expected: list[str], tmp_path: Path) -> None:
    head = HEAD.replace("opt = nn.SGD(net.trainable_params(), 0.1)\n", "")
    assert [one.code for one in said(tmp_path, UNSEEN.replace("APPLY", apply), head)] == expected


CUT = """
class Cut(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.SequentialCell(*list(Net().cells())[:-1])
        self.last = nn.Dense(8, 2)

    def construct(self, x):
        return self.last(self.body(x))

cut = Cut()
cut_opt = nn.SGD(PARAMETERS, 0.1)

def cut_forward(x, y):
    return loss_fn(cut(x), y)

cut_grad = ms.value_and_grad(cut_forward, None, cut_opt.parameters)
cut_opt(cut_grad(x, y)[1])
"""


@pytest.mark.parametrize(
    ("parameters", "expected"), [("cut.trainable_params()", []), ("cut.last.trainable_params()", ["layers-unheld"])]
)
def test_a_cut_list_of_cells_is_part_of_a_network(parameters: str, expected: list[str], tmp_path: Path) -> None:
    assert codes(tmp_path, CUT.replace("PARAMETERS", parameters)) == expected


@pytest.mark.parametrize("text", [FUNCTION, CELL, LOOP])
@pytest.mark.parametrize(
    "apply",
    ["pass", "grads = ops.clip_by_global_norm(grads, 1.0)", "scaled = [grad * 2 for grad in grads]"],
)
def test_gradients_that_nothing_takes(tmp_path: Path, text: str, apply: str) -> None:
    (one,) = said(tmp_path, text.replace("APPLY", apply))
    assert one.code == "gradients-dropped" and one.certain
    assert "grad" in one.source.lines[one.line - 1]


@pytest.mark.parametrize("text", [FUNCTION, CELL, LOOP])
@pytest.mark.parametrize(
    "apply",
    [
        "opt(grads)",
        "opt(ops.clip_by_global_norm(grads, 1.0))",
        "opt.construct(grads)",
        "opt.__call__([grad / 2 for grad in grads])",
        "print(grads)",
        "kept.append(grads)",
        "update(grads)",
        "zoo.Adam(net.trainable_params())(grads)",
        "nn.Newest(net.trainable_params())(grads)",
        "ops.assign(net.head.weight, grads[0])",
    ],
)
def test_gradients_that_something_may_take(tmp_path: Path, text: str, apply: str) -> None:
    assert codes(tmp_path, text.replace("APPLY", apply)) == []


SCALED = """
class Step(nn.TrainOneStepWithLossScaleCell):
    def construct(self, x, y):
        loss = self.network(x, y)
        status, scale = self.start_overflow_check(loss, self.scale_sense)
        grads = self.grad(self.network, self.weights)(x, y, ops.ones_like(loss) * scale)
        grads = self.grad_reducer([grad / scale for grad in grads])
        cond = self.get_overflow_status(status, grads)
        if not self.process_loss_scale(cond):
            APPLY
        return loss, cond

cell = Step(nn.WithLossCell(net, loss_fn), opt, nn.DynamicLossScaleUpdateCell(1024, 2, 100))
ms.Model(cell).train(3, data)
"""
FINITE = """
grad_fn = ms.value_and_grad(forward, None, opt.parameters, has_aux=True)
for x, y in data:
    (loss, _), grads = grad_fn(x, y)
    if ms.amp.all_finite(grads):
        APPLY
        print(loss)
"""


@pytest.mark.parametrize("text", [SCALED, FINITE])
def test_a_check_for_overflow_applies_nothing(tmp_path: Path, text: str) -> None:
    assert codes(tmp_path, text.replace("APPLY", "pass")) == ["gradients-dropped"]
    applied = text.replace("APPLY", "self.optimizer(grads)" if "self" in text else "opt(grads)")
    assert codes(tmp_path, applied) == []


ONE_OF_TWO = """
class Bare(nn.Cell):
    def __init__(self, network, optimizer):
        super().__init__(auto_prefix=False)
        self.network, self.optimizer = network, optimizer
        self.grad = ms.value_and_grad(network, None, optimizer.parameters)

    def construct(self, x, y):
        loss, grads = self.grad(x, y)
        self.optimizer(grads)
        return loss
"""


def test_one_of_two_training_cells_drops_its_gradients(tmp_path: Path) -> None:
    chosen = CELL.replace("cell = Step(", "cell = (Step if target == 'Ascend' else Bare)(")
    found = said(tmp_path, ONE_OF_TWO + chosen.replace("APPLY", "pass"))
    assert [(one.code, one.certain) for one in found] == [("gradients-dropped", False)]
    assert codes(tmp_path, ONE_OF_TWO + chosen.replace("APPLY", "self.optimizer(grads)")) == []


def test_a_slice_of_whichever_network_is_chosen(tmp_path: Path) -> None:
    text = (
        "class Other(Net):\n    pass\n\nnet = Net() if small else Other()\nopt = nn.SGD(GIVEN, 0.1)\n"
        + LOOP.replace("APPLY", "opt(grads)")
    )
    assert codes(tmp_path, text.replace("GIVEN", "net.trainable_params()[-2:]")) == ["optimizer-part"]
    assert codes(tmp_path, text.replace("GIVEN", "net.trainable_params()")) == []


def test_a_loss_alone_is_taken_of_what_gives_both(tmp_path: Path) -> None:
    text = LOOP.replace("(loss, _), grads = grad_fn(x, y)", "loss = grad_fn(x, y)[0]").replace("APPLY", "pass")
    assert codes(tmp_path, text) == ["gradients-dropped"]


def test_a_first_run_that_only_compiles_is_no_step(tmp_path: Path) -> None:
    text = FUNCTION.replace("APPLY", "opt(grads)")
    assert codes(tmp_path, text.replace("def step", "grad_fn(first, labels)\n\ndef step")) == []


def test_gradients_beside_those_that_are_applied_may_be_for_show(tmp_path: Path) -> None:
    text = LOOP.replace("APPLY", "opt(grads)")
    assert (
        codes(tmp_path, text + "shown = ms.grad(lambda x, y: forward(x, y)[0], None, net.trainable_params())(x, y)\n")
        == []
    )


def test_gradients_of_inputs_are_no_step(tmp_path: Path) -> None:
    assert codes(tmp_path, LOOP.replace("None, opt.parameters", "0").replace("APPLY", "pass")) == []


def test_gradients_that_are_returned_go_where_nobody_sees(tmp_path: Path) -> None:
    text = FUNCTION.replace("APPLY", "pass").replace("return loss", "return loss, grads")
    assert codes(tmp_path, text[: text.index("for x, y")]) == []


def test_code_that_is_not_followed_may_take_them(tmp_path: Path) -> None:
    text = FUNCTION.replace("APPLY", "if False:\n        opt(grads)")
    assert codes(tmp_path, text) == []


def slices(folder: Path, text: str) -> list[Observation]:
    """Of a script with no optimizer but those of the text."""
    head = HEAD.replace("opt = nn.SGD(net.trainable_params(), 0.1)\n", "")
    (folder / "train.py").write_text(head + text + "ms.Model(net, loss_fn, trained).train(1, data)\n")
    scripts = read_scripts(Case(root=str(folder), spec=CaseFile(scripts=Given(train="train.py"))))
    return list(unapplied_gradients.examine(scripts))


@pytest.mark.parametrize(
    "given",
    [
        "net.trainable_params()[-2:]",
        "net.trainable_params()[:1]",
        "params=net.trainable_params()[-1:], learning_rate=0.1",
        "part",
        "list(net.get_parameters())[:2]",
        "[{'params': list(net.trainable_params())[:2], 'lr': 0.01}]",
    ],
)
def test_an_optimizer_of_a_slice_of_the_parameters(tmp_path: Path, given: str) -> None:
    (one,) = slices(tmp_path, f"part = net.trainable_params()[-2:]\ntrained = nn.Adam({given})\n")
    assert one.code == "optimizer-part" and not one.possible


@pytest.mark.parametrize(
    ("before", "given"),
    [
        ("", "net.trainable_params()"),
        ("", "net.trainable_params()[:]"),
        ("", "net.trainable_params()[-4:]"),
        ("", "[{'params': list(net.get_parameters())[:2]}, {'params': list(net.get_parameters())[2:], 'lr': 0.01}]"),
        ("", "[net.trainable_params()[0], net.trainable_params()[1]]"),
        ("ms.load_checkpoint('a.ckpt', net)\n", "net.trainable_params()[-2:]"),
        ("for p in net.body.get_parameters():\n    p.requires_grad = False\n", "net.trainable_params()[-2:]"),
        ("first = nn.SGD(net.trainable_params()[:2], 0.01)\n", "net.trainable_params()[2:]"),
        ("net = zoo.build(pretrained=True)\n", "net.trainable_params()[-2:]"),
    ],
)
def test_all_parameters_and_slices_that_are_meant(tmp_path: Path, before: str, given: str) -> None:
    assert slices(tmp_path, f"{before}trained = nn.Adam({given})\n") == []


EARLY = """
for x, y in data:
    BEFORE
    def objective(*given):
        RETURN

    loss, grads = ms.value_and_grad(objective, None, opt.parameters)(GIVEN)
    opt(grads)
"""


def early(before: str, returned: str, given: str = "") -> str:
    return EARLY.replace("BEFORE", before).replace("RETURN", returned).replace("GIVEN", given)


@pytest.mark.parametrize(
    "text",
    [
        early("value = loss_fn(net(x), y)", "return given[0]", "value"),
        early("value = loss_fn(net(x), y)", "return given[0] * 2.0", "value"),
        early("value = loss_fn(net(x), y)", "return value"),
        "for x, y in data:\n    value = loss_fn(net(x), y)\n"
        "    grads = ms.value_and_grad(lambda v: v * 1.0, None, opt.parameters)(value)[1]\n    opt(grads)\n",
        early("logits = net(x)", "return loss_fn(given[0], given[1])", "logits, y"),
        early("logits = ops.relu(net(x))", "return ops.mse_loss(logits, y).mean()"),
        early("made, judge = net(x), nn.Dense(2, 1)", "return -ops.relu(judge(made)).mean()"),
    ],
)
def test_a_loss_that_is_computed_before_the_function_that_is_differentiated(tmp_path: Path, text: str) -> None:
    (one,) = said(tmp_path, text)
    assert one.code == "computed-before" and one.certain
    assert "value_and_grad" in one.source.lines[one.line - 1]


@pytest.mark.parametrize(
    "text",
    [
        early("pass", "return loss_fn(net(given[0]), given[1])", "x, y"),
        early("first = net.body(x)", "return loss_fn(net.head(first), y)"),
        early("first = net(x)", "return loss_fn(first, y) + 0.1 * ops.square(net.head.weight).sum()"),
        early(
            "first, weights = net(x), net.trainable_params()",
            "return loss_fn(first, y) + sum(w.sum() for w in weights)",
        ),
        early("first, weight = net(x), net.head.weight", "return loss_fn(first, y) + weight.sum()"),
        early("first = net(x)", "return helper(first, y)"),
        early("first, judge = net(x), nn.Dense(2, 8)", "return net(judge(first)).mean()"),
        early("first = net(x)", "return judge(first).mean()"),
        early("first = x * 2", "return loss_fn(first, y)"),
    ],
)
def test_a_function_that_uses_a_weight_or_what_is_not_seen(tmp_path: Path, text: str) -> None:
    assert codes(tmp_path, text) == []


def test_gradients_of_what_is_given_may_well_be_without_weights(tmp_path: Path) -> None:
    text = early("value = loss_fn(net(x), y)", "return given[0]", "value").replace("None, opt.parameters", "0")
    assert codes(tmp_path, text) == []


@pytest.mark.parametrize(
    ("use", "expected"),
    [
        ("model.eval(data)", ["gradients-dropped"]),
        ("", ["gradients-dropped"]),
        ("model.train(1, data)", []),
        ("run(model)", []),
    ],
)
def test_a_model_that_only_evaluates_takes_no_steps(tmp_path: Path, use: str, expected: list[str]) -> None:
    text = "model = ms.Model(net, loss_fn, opt)\n" + FUNCTION.replace("APPLY", "pass") + use + "\n"
    assert codes(tmp_path, text) == expected


#: Functions that choose among the parameters of a network.
CHOOSERS = """
def appended(network):
    found = []
    for p in network.trainable_params():
        if p.name.startswith("head"):
            found.append(p)
    return found

def skipped(network):
    found = []
    for name, p in network.parameters_and_names():
        if "body" in name:
            continue
        found.append(p)
    return found

def grouped(network):
    some, others = [], []
    for p in network.trainable_params():
        if "head" in p.name:
            some.append(p)
        else:
            others.append(p)
    return [{"params": some, "lr": 0.01}, {"params": others}]

def given(network):
    for p in network.trainable_params():
        if "head" in p.name:
            yield p

every = net.trainable_params()
"""


@pytest.mark.parametrize(
    "listed",
    [
        "[p for p in every if 'head' in p.name]",
        "[p for name, p in net.parameters_and_names() if 'body' not in name]",
        "list(filter(lambda p: p.name.split('.')[0] == 'head', every))",
        "net.head.trainable_params()",
        "[{'params': [p for p in every if 'head' in p.name and 'bias' not in p.name]}]",
        "appended(net)",
        "skipped(net)",
    ],
)
def test_an_optimizer_of_the_layers_with_a_name(tmp_path: Path, listed: str) -> None:
    (one,) = slices(tmp_path, CHOOSERS + f"trained = nn.Adam({listed})\n")
    assert (one.code, one.data["names"], one.possible) == ("layers-unheld", ["body"], False)


@pytest.mark.parametrize(
    "listed",
    [
        "[p for p in every if p.requires_grad]",
        "[{'params': [p for p in every if 'bias' in p.name]}, {'params': [p for p in every if 'bias' not in p.name]}]",
        "[{'params': [p for p in every if p.ndim > 1]}, {'params': [p for p in every if p.ndim <= 1]}]",
        "list(every)[-2:] + list(every)[:-2]",
        "[p for p in every if 'head' in p.name or p.name.startswith('body')]",
        "list(filter(lambda p: 'teacher' not in p.name, every))",
        "grouped(net)",
    ],
)
def test_an_optimizer_of_all_layers_in_other_words(tmp_path: Path, listed: str) -> None:
    assert slices(tmp_path, CHOOSERS + f"trained = nn.Adam({listed})\n") == []


@pytest.mark.parametrize("listed", ["[p for p in every if p.ndim > 1]", "given(net)"])
def test_a_choice_that_is_not_worked_out_is_told(tmp_path: Path, listed: str) -> None:
    assert [one.code for one in slices(tmp_path, CHOOSERS + f"trained = nn.Adam({listed})\n")] == ["optimizer-unseen"]


def test_an_optimizer_of_the_head_of_a_network_that_is_loaded(tmp_path: Path) -> None:
    loaded = "ms.load_param_into_net(net, ms.load_checkpoint('all.ckpt'))\n"
    assert slices(tmp_path, loaded + CHOOSERS + "trained = nn.Adam(appended(net))\n") == []


@pytest.mark.parametrize(
    "wrapped",
    [
        "ms.amp.auto_mixed_precision(net, 'O2')",
        "ms.amp.custom_mixed_precision(net)",
        "nn.PipelineCell(net, 2)",
        "nn.WithLossCell(net, None)",
        "wrap(net)",
    ],
)
def test_an_optimizer_of_a_network_that_was_wrapped(tmp_path: Path, wrapped: str) -> None:
    text = f"wrapped = {wrapped}\nbeside = nn.Dense(2, 2)\n"
    given = "wrapped.trainable_params() + beside.trainable_params()"
    assert slices(tmp_path, CHOOSERS + text + f"trained = nn.Adam({given})\n") == []
    few = slices(tmp_path, CHOOSERS + text + "trained = nn.Adam(net.head.trainable_params())\n")
    assert [one.code for one in few] == ["layers-unheld"]


#: An evaluation between the epochs, and the parameters that the optimizer gets.
EVALUATED = """
def evaluate():
    net.set_train(False)
    print(net(first))
    net.set_train(True)

trained = nn.Adam(GIVEN)
evaluate()
"""


@pytest.mark.parametrize("given", ["Net().trainable_params()", "net.head.trainable_params()"])
def test_weights_that_stay_behind_although_the_network_is_evaluated_in_between(tmp_path: Path, given: str) -> None:
    """As an optimizer that is made with the weights of a network of its own."""
    assert [one.code for one in slices(tmp_path, EVALUATED.replace("GIVEN", given))] == ["layers-unheld"]
    assert slices(tmp_path, EVALUATED.replace("GIVEN", "net.trainable_params()")) == []


def test_a_network_that_is_only_evaluated_need_not_be_trained(tmp_path: Path) -> None:
    text = "net.body.set_train(False)\ntrained = nn.Adam(net.head.trainable_params())\n"
    assert slices(tmp_path, text) == []


def test_code_that_is_not_followed_and_only_makes_other_gradients_takes_none(tmp_path: Path) -> None:
    text = FUNCTION.replace("APPLY", "if False:\n        grads = ops.clip_by_global_norm(grads)")
    assert codes(tmp_path, text) == ["gradients-dropped"]


WITHOUT = HEAD.replace("opt = nn.SGD(net.trainable_params(), 0.1)\n", "")
#: A training of the head alone, and what stands before and after its loop.
TRAINED = """
opt = nn.SGD(net.head.trainable_params(), 0.1)
grad_fn = ms.value_and_grad(forward, None, opt.parameters, has_aux=True)
BEFORE
for epoch in range(3):
    for x, y in data:
        (loss, _), grads = grad_fn(x, y)
        opt(grads)
    EACH
AFTER
print(net(first))
"""
LOADED = "ms.load_param_into_net(net, ms.load_checkpoint('best.ckpt'))"


@pytest.mark.parametrize(
    ("place", "expected"),
    [("AFTER", ["layers-unheld"]), ("EACH", []), ("BEFORE", []), ("", ["layers-unheld"])],
)
def test_weights_that_are_loaded_after_training_were_not_there_before(
    tmp_path: Path, place: str, expected: list[str]
) -> None:
    """As the best ones are, to be tested."""
    text = TRAINED.replace(place, LOADED) if place else TRAINED
    for left in ("BEFORE", "EACH", "AFTER"):
        text = text.replace(left, "pass")
    assert [one.code for one in said(tmp_path, text, WITHOUT)] == expected


#: A network that is made, trained and loaded in each turn of a search over settings.
SEARCHED = """
for rate in rates:
    net = Net()
    opt = nn.SGD(net.head.trainable_params(), rate)
    grad_fn = ms.value_and_grad(forward, None, opt.parameters, has_aux=True)
    for x, y in data:
        (loss, _), grads = grad_fn(x, y)
        opt(grads)
    ms.load_param_into_net(net, ms.load_checkpoint("best.ckpt"))
    print(net(first))
"""


def test_a_network_that_is_made_anew_in_each_turn_starts_without_what_was_loaded_before(tmp_path: Path) -> None:
    head = WITHOUT.replace("net = Net()\n", "")
    assert [one.code for one in said(tmp_path, SEARCHED, head)] == ["layers-unheld"]
    once = SEARCHED.replace("    net = Net()\n", "")
    assert said(tmp_path, "net = Net()\n" + once, head) == []


#: A training step of the project's own that keeps an average of all weights.
AVERAGED = """
class Step(nn.Cell):
    def __init__(self, net, opt):
        super().__init__()
        self.net, self.opt, self.loss = net, opt, nn.CrossEntropyLoss()
        self.mean = ms.ParameterTuple(net.get_parameters()).clone(prefix="mean")
        self.grad = ms.value_and_grad(self.forward, None, opt.parameters)

    def forward(self, x, y):
        return self.loss(self.net(x), y)

    def construct(self, x, y):
        loss, grads = self.grad(x, y)
        self.opt(grads)
        return loss

step = Step(net, nn.SGD(GIVEN, 0.1))
for x, y in data:
    print(step(x, y))
"""


@pytest.mark.parametrize(
    ("given", "expected"), [("net.head.trainable_params()", ["layers-unheld"]), ("net.trainable_params()", [])]
)
def test_a_step_that_lists_parameters_hides_no_layer_from_an_optimizer(
    tmp_path: Path, given: str, expected: list[str]
) -> None:
    assert [one.code for one in said(tmp_path, AVERAGED.replace("GIVEN", given), WITHOUT)] == expected


AVERAGES = """
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn, ops

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Dense(8, 8), nn.Dense(8, 2)

    def construct(self, x):
        return self.head(ops.relu(self.body(x)))

class Average:
    def __init__(self, net):
        self.net = Net()
        self.kept, self.source = list(self.net.get_parameters()), list(net.get_parameters())
        START

    def update(self):
        for one, other in zip(self.kept, self.source):
            one.set_data(one * 0.99 + other * 0.01)

data = ds.NumpySlicesDataset({"x": rows, "y": labels}, shuffle=True).batch(8)
net = Net()
average = Average(net)
opt = nn.Adam(GIVEN, 1e-3)
step = ms.value_and_grad(lambda x, y: ops.cross_entropy(net(x), y), None, opt.parameters)
for x, y in data.create_tuple_iterator():
    loss, grads = step(x, y)
    opt(grads)
    average.update()
"""


@pytest.mark.parametrize(
    "start",
    [
        "pass",
        "ms.load_param_into_net(self.net, net.parameters_dict())",
        "ms.load_param_into_net(self.net, {p.name: p for p in net.get_parameters()})",
    ],
)
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("net.trainable_params()", []),
        ("average.net.trainable_params()", ["layers-unheld"]),
        ("net.head.trainable_params()", ["layers-unheld"]),
    ],
)
def test_the_source_of_an_average_is_written_by_nothing(
    tmp_path: Path, given: str, expected: list[str], start: str
) -> None:
    text = AVERAGES.replace("START", start).replace("GIVEN", given)
    found = said(tmp_path, text, "")
    assert [one.code for one in found] == expected and not any(one.possible for one in found)


@pytest.mark.parametrize(
    ("start", "possible"),
    [
        ("ms.load_param_into_net(net, ms.load_checkpoint('first.ckpt'))", True),
        ("ms.load_checkpoint('first.ckpt', net); ms.load_param_into_net(self.net, net.parameters_dict())", True),
        (
            "import suite; ms.load_param_into_net(self.net, suite.create_model(pretrained=True).parameters_dict())",
            False,
        ),
        ("ms.load_param_into_net(self.net, ms.load_checkpoint('first.ckpt'))", False),
    ],
)
def test_weights_that_were_learnt_elsewhere_count_for_the_network_they_are_loaded_into(
    tmp_path: Path, start: str, possible: bool
) -> None:
    text = AVERAGES.replace("START", start).replace("GIVEN", "net.head.trainable_params()")
    found = said(tmp_path, text, "")
    assert {one.code for one in found} <= {"layers-unheld"} and all(one.possible is possible for one in found)


#: A training cell of the project's own that gives its loss once something is computed.
AWAITING = """
class Step(nn.TrainOneStepCell):
    def construct(self, x, y):
        loss = self.network(x, y)
        grads = self.grad(self.network, self.weights)(x, y, ops.ones_like(loss))
        return ops.depend(loss, AWAITED)

ms.Model(Step(nn.WithLossCell(net, loss_fn), opt)).train(1, data)
"""


@pytest.mark.parametrize(("awaited", "expected"), [("self.optimizer(grads)", []), ("grads", ["gradients-dropped"])])
def test_a_loss_that_awaits_gradients(tmp_path: Path, awaited: str, expected: list[str]) -> None:
    assert codes(tmp_path, AWAITING.replace("AWAITED", awaited)) == expected
