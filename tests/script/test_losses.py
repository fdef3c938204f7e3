"""Where predictions come from, and what is said of losses."""

from __future__ import annotations

import textwrap
import time
from pathlib import Path

import pytest

from accucheck.knowledge import api
from accucheck.script.analysis import Reading
from accucheck.script.losses import Losses, applied, heads
from accucheck.script.project import Project
from accucheck.script.source import read
from accucheck.script.trace import follow
from accucheck.script.training import assumption

HEAD = """
import mindspore as ms
import mindspore.numpy as mnp
from mindspore import nn, ops, mint
from mindspore.ops import operations as P
dense = nn.Dense(8, 4)
"""


def losses(folder: Path, text: str) -> Losses:
    (folder / "train.py").write_text(HEAD + text)
    source = read(folder / "train.py", "train.py")
    project = Project(folder, folder)
    return Losses(Reading("train", "train", source, follow(source, assumption("train"), project.find, folder), project))


def gives(folder: Path, expression: str) -> set[str]:
    made = losses(folder, f"loss = nn.CrossEntropyLoss()({expression}, y)\n")
    (application,) = made.applications
    return {head.gives for head in application.heads}


def codes(made: Losses) -> list[str]:
    return sorted({one.code for one in made.examine()})


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("dense(x)", "logits"),
        ("nn.Conv2d(3, 8, 3)(x).reshape(2, -1)", "logits"),
        ("ops.matmul(x, w)", "logits"),
        ("x @ w", "logits"),
        ("ops.matmul(x, w) + bias", "logits"),
        ("dense(x) / 0.07", "logits"),
        ("0.5 * dense(x)", "logits"),
        ("nn.BatchNorm1d(4)(dense(x))", "logits"),
        ("dense(x) - dense(x).max(1, keepdims=True)", "logits"),
        ("ops.sub(dense(x), ops.mean(dense(z)))", "logits"),
        ("x - z", ""),
        ("1 - ops.sigmoid(dense(x))", ""),
        ("dense(x) * (mask > 0)", "logits"),
        ("ops.cast(words != 0, ms.float32) * dense(x)", "logits"),
        ("ops.softmax(dense(x))", "probabilities"),
        ("ops.stack([ops.sigmoid(dense(x)) * ops.zeros((4, 4), ms.bool_)])", "element probabilities"),
        ("ops.softmax(dense(x)) * mask", ""),
        ("logits * (logits > 0)", ""),
        ("dense(x).softmax(-1)", "probabilities"),
        ("P.Softmax(axis=1)(dense(x)).astype(ms.float32)", "probabilities"),
        ("mint.nn.functional.softmax(dense(x), dim=-1)", "probabilities"),
        ("ops.cast(ops.squeeze(nn.Softmax()(x)), ms.float32)", "probabilities"),
        ("nn.Dense(8, 4, activation='softmax')(x)", "probabilities"),
        ("nn.Dense(8, 4, activation=nn.Sigmoid())(x)", "element probabilities"),
        ("nn.Dense(8, 4, activation='relu')(x)", "activation"),
        ("P.Sigmoid()(dense(x))[:, 0]", "element probabilities"),
        ("ops.clip_by_value(ops.sigmoid(x), 1e-6, 1 - 1e-6)", "element probabilities"),
        ("ops.sigmoid(dense(x)).mean(1)", "element probabilities"),
        ("ops.log_softmax(dense(x))", "log-probabilities"),
        ("ops.log(ops.softmax(dense(x)))", "log-probabilities"),
        ("P.Log()(nn.Softmax()(x))", "log-probabilities"),
        ("ops.log(dense(x))", ""),
        ("ops.relu(dense(x))", "activation"),
        ("ops.relu(dense(x)).mean((2, 3))", "logits"),
        ("nn.Dropout(p=0.1)(dense(x))", "logits"),
        ("ops.where(mask, dense(x), -1e9)", "logits"),
        ("dense(x).where(mask, -1e9)", "logits"),
        ("dense(x).masked_fill(mask, -1e9)", "logits"),
        ("ops.masked_fill(ops.softmax(dense(x)), ops.sigmoid(mask), 0.0)", "probabilities"),
        ("ops.select(mask, ops.softmax(dense(x)), ops.softmax(dense(z)))", "probabilities"),
        ("ops.concat((v := dense(x), v))", "logits"),
        ("nn.Flatten()(dense(x))", "logits"),
        ("mint.nn.Identity()(dense(x))", "logits"),
        ("nn.Dense(8, 4, activation=None)(x)", "logits"),
        ("x", ""),
        ("net(x)", ""),
        ("zoo.build()(x)", ""),
    ],
)
def test_the_form_of_a_prediction(tmp_path: Path, expression: str, expected: str) -> None:
    assert gives(tmp_path, expression) == {expected}


@pytest.mark.parametrize(("loss", "expected"), [("BCEWithLogitsLoss", ["double-sigmoid"]), ("BCELoss", ["fits"])])
def test_probabilities_of_which_a_mask_leaves_some(tmp_path: Path, loss: str, expected: list[str]) -> None:
    """Masked probabilities are probabilities: they go into the loss that takes such."""
    text = f"""
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.head = nn.Dense(8, 4)
            self.keep = ops.zeros((4, 4), ms.bool_)

        def construct(self, x, y):
            return nn.{loss}()(self.head(x).sigmoid() * self.keep, y)

    loss = Net()(x, y)
    """
    assert codes(losses(tmp_path, textwrap.dedent(text))) == expected


def test_both_ways_of_a_condition_are_seen(tmp_path: Path) -> None:
    text = "z = dense(x)\nif flag:\n    z = ops.softmax(z)\nloss = nn.CrossEntropyLoss()(z, y)\n"
    (application,) = losses(tmp_path, text).applications
    assert {head.gives for head in application.heads} == {"logits", "probabilities"}
    assert codes(losses(tmp_path, text)) == ["sometimes"]


def test_every_loss_that_is_known_can_be_applied(tmp_path: Path) -> None:
    """By an object or as a function, by place or by keyword, the prediction and the labels are found."""
    for name, known in api.load().apis.items():
        if known.kind != "loss" or not (known.expects or known.reduction) or name.endswith("LossBase"):
            continue
        full = f"ms.{name}"
        if known.inputs:
            first, second = (*known.inputs, None)[:2]
            given = f"{first}=a, {second}=b" if second else f"{first}=a"
            calls = [f"{full}()(a, b)" if second else f"{full}()(a)", f"{full}()({given})"]
        else:
            first, second = known.positional[:2]
            calls = [f"{full}(a, b)", f"{full}({first}=a, {second}=b)"]
        for call in calls:
            made = losses(tmp_path, f"a, b = dense(x), y\nl = {call}\n")
            found = [one for one in map(applied, made.trace.calls) if one is not None]
            assert [one.loss for one in found] == [name], call
            assert {head.name for head in heads(found[0].prediction)} == {"Dense"}, call


def test_the_loss_of_a_model_is_applied_to_what_its_network_gives(tmp_path: Path) -> None:
    text = """
class Smooth(nn.Cell):
    def __init__(self, reduction):
        super().__init__()
        self.loss = nn.SoftmaxCrossEntropyWithLogits(reduction=reduction)
        self.one_hot = nn.OneHot(depth=4)

    def construct(self, logits, label):
        return self.loss(logits, self.one_hot(label))

net = nn.SequentialCell(dense, nn.Softmax())
ms.Model(net, Smooth({}), nn.SGD(net.trainable_params())).train(1, data)
"""
    assert codes(losses(tmp_path, text.format("'mean'"))) == ["double-softmax"]
    assert codes(losses(tmp_path, text.format("'none'"))) == ["double-softmax", "none-reduction"]
    evaluated = text.format("'none'").replace(".train(1, data)", ".eval(data)")
    assert "none-reduction" not in codes(losses(tmp_path, evaluated))


LISTED = """
class Net(nn.Cell):
    def __init__(self, last):
        super().__init__()
        self.layers = nn.CellList([nn.Dense(8, 8), nn.ReLU(), nn.Dense(8, 4), last])
        for i in range(2):
            setattr(self, f"part{{i}}", [nn.Softmax(), nn.Dense(4, 4)][i])

    def construct(self, x):
        {loop}
        return x

loss = nn.CrossEntropyLoss()(Net({last})(x), y)
"""


@pytest.mark.parametrize(
    "loop",
    [
        "for layer in self.layers:\n            x = layer(x)",
        "for number, layer in enumerate(self.layers):\n            x = layer(x)",
        "for i in range(len(self.layers)):\n            x = self.layers[i](x)",
        "for i in range(3):\n            x = self.layers[i](x)\n        x = self.layers[-1](x)",
        "x = nn.SequentialCell(*self.layers)(x)",
        "for i in range(2):\n            x = getattr(self, f'part{i}')(x)\n        x = self.layers[3](x)",
    ],
    ids=["each", "numbered", "by place", "but the last", "in a row", "by name"],
)
@pytest.mark.parametrize(("last", "expected"), [("nn.Dense(4, 4)", "logits"), ("nn.Softmax()", "probabilities")])
def test_a_loop_over_different_cells_gives_what_the_last_of_them_gives(
    tmp_path: Path, loop: str, last: str, expected: str
) -> None:
    (application,) = losses(tmp_path, LISTED.format(loop=loop, last=last)).applications
    assert {head.gives for head in application.heads} == {expected}


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ("loss", ["fits", "none-reduction"]),
        ("loss * 0.5 + 1e-4", ["fits", "none-reduction"]),
        ("loss.mean()", ["fits"]),
        ("ops.ReduceMean()(loss)", ["fits"]),
        ("(loss * mask).sum() / mask.sum()", ["fits"]),
        ("loss / count", ["fits"]),
        ("loss if flag else loss.mean()", ["fits", "none-reduction-perhaps"]),
    ],
)
def test_what_is_averaged_before_the_gradient(tmp_path: Path, after: str, expected: list[str]) -> None:
    text = f"""
def forward(x, y):
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True)(dense(x), y)
    return {after}

ms.value_and_grad(forward, None, dense.trainable_params())(x, y)
"""
    assert codes(losses(tmp_path, text)) == expected


def test_with_has_aux_only_the_first_result_counts(tmp_path: Path) -> None:
    text = """
def forward(x, y):
    each = nn.SoftmaxCrossEntropyWithLogits(sparse=True)(dense(x), y)
    return each.mean(), each

ms.value_and_grad(forward, None, dense.trainable_params(), has_aux=True)(x, y)
"""
    assert codes(losses(tmp_path, text)) == ["fits"]


@pytest.mark.parametrize(
    ("point", "weight", "expected"),
    [
        ("a * r + (1 - a) * f", "ops.randn((8, 1))", ["penalty-normal"]),
        ("(1 - a) * f + a * r", "ops.StandardNormal()((8, 1))", ["penalty-normal"]),
        ("f + a * (r - f)", "ms.Tensor(np.random.randn(8, 1))", ["penalty-normal"]),
        ("a * r + (1 - a) * f", "ops.rand(8, 1).expand_as(r)", []),
        ("a * r + (1 - a) * f", "ops.UniformReal()((8, 1))", []),
        ("a * r + (1 - a) * f", "dense(noise)", []),
        ("a * r + f", "ops.randn((8, 1))", []),
    ],
)
def test_the_weight_of_a_gradient_penalty(tmp_path: Path, point: str, weight: str, expected: list[str]) -> None:
    text = f"import numpy as np\nr, f = dense(x), dense(z)\na = {weight}\ng = ms.grad(dense)({point})\n"
    assert codes(losses(tmp_path, text)) == expected


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ("y", ["fits"]),
        ("y.astype(ms.int32)", ["fits", "regression-on-classes"]),
        ("ms.Tensor(y, dtype=ms.int64)", ["fits", "regression-on-classes"]),
        ("ops.cast(y, ms.float32)", ["fits"]),
        ("ops.one_hot(y.astype(ms.int32), 4)", ["fits"]),
    ],
)
def test_a_regression_loss_on_numbers_of_classes(tmp_path: Path, labels: str, expected: list[str]) -> None:
    assert codes(losses(tmp_path, f"loss = nn.MSELoss()(dense(x), {labels})\n")) == expected


WHOLE = """
class Whole(nn.Cell):
    def construct(self, x, y):
        return nn.SoftmaxCrossEntropyWithLogits(sparse=True)(dense(x), y){}

ms.Model(Whole(), optimizer=opt).train(1, data)
"""
DRAWN = """
class Penalty(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a = {}

    def construct(self, r, f):
        return ms.grad(dense)(self.a * r + (1 - self.a) * f)

Penalty()(x, z)
"""
JUDGED = "loss = nn.MSELoss()(dense(x), {})\nms.Model(dense, nn.CrossEntropyLoss(), opt, metrics={{'acc'}}).fit(1, data, data)"
OPTIONAL = """
class Given(nn.Cell):
    def construct(self, x, y=None):
        scores = dense(x)
        if y is None:
            return scores
        return nn.SoftmaxCrossEntropyWithLogits()(scores, y)
{}
"""
SAID = {
    "cell = nn.WithLossCell(dense, nn.SoftmaxCrossEntropyWithLogits())\nnn.TrainOneStepCell(cell, opt)(x, y)": [
        "fits",
        "none-reduction",
    ],
    "cell = nn.WithLossCell(dense, nn.MSELoss(reduction='sum'))\nnn.TrainOneStepCell(cell, opt)(x, y)": [
        "fits",
        "sum-reduction",
    ],
    "cell = nn.WithLossCell(dense, nn.MSELoss(reduction='mean'))\nnn.TrainOneStepCell(cell, opt)(x, y)": ["fits"],
    "cell = nn.WithLossCell(dense, nn.MSELoss(reduction='sum'))\nnn.TrainOneStepCell(cell, opt)(*batch)": [
        "fits",
        "sum-reduction",
    ],
    "step = nn.TrainOneStepCell(nn.WithLossCell(dense, nn.MSELoss()), opt)\nfor row in data:\n    step(*row)": ["fits"],
    OPTIONAL.format("nn.TrainOneStepCell(Given(), opt)(*batch)"): ["fits", "none-reduction-perhaps"],
    OPTIONAL.format("nn.TrainOneStepCell(Given(), opt)(**batch)"): ["fits", "none-reduction-perhaps"],
    OPTIONAL.format("nn.TrainOneStepCell(Given(), opt)(x)"): [],
    "cell = nn.WithLossCell(dense, nn.MSELoss(reduction=how()))\nnn.TrainOneStepCell(cell, opt)(x, y)": ["fits"],
    "step = nn.TrainOneStepCell(dense, opt)": ["never-called"],
    "step = nn.TrainOneStepCell(dense, nn.Adam(a))\nstep = nn.TrainOneStepCell(dense, opt)\nstep(x, y)": [],
    "step = nn.TrainOneStepCell(dense, opt)\nlast = nn.TrainOneStepCell(dense, nn.Adam(a))\nlast(x, y)": [
        "never-called"
    ],
    "step = nn.TrainOneStepCell(dense, opt)\nstep(x)": [],
    "step = nn.TrainOneStepCell(dense, unseen)": [],
    "opt = build()\nstep = nn.TrainOneStepCell(dense, opt)\nother = nn.TrainOneStepCell(dense, opt)\nother(x)": [],
    "opt = build()\nstep = nn.TrainOneStepCell(dense, opt)\nother = nn.TrainOneStepCell(dense, opt)": ["never-called"]
    * 2,
    "ms.Model(dense, None, opt).train(1, data)": [],
    WHOLE.format(""): ["fits", "none-reduction"],
    WHOLE.format(".mean()"): ["fits"],
    "ms.Model(dense, nn.MSELoss(), opt, metrics={'accuracy'}).train(1, data)": ["fits"],
    "ms.Model(dense, nn.MSELoss(), opt, metrics={'accuracy'}).fit(1, data, data)": ["fits", "regression-on-classes"],
    "ms.Model(dense, nn.MSELoss(), opt, metrics={'acc': nn.Accuracy()}).fit(1, data, data)": [
        "fits",
        "regression-on-classes",
    ],
    "ms.Model(nn.Dense(8, 1), nn.MSELoss(), opt, metrics={'accuracy'}).train(1, data)": ["fits"],
    "ms.Model(dense, nn.MSELoss(), opt, metrics={'mae'}).train(1, data)": ["fits"],
    JUDGED.format("nn.Dense(8, 4)(x)"): ["fits"],  # of what is trained
    JUDGED.format("y"): ["fits", "regression-on-classes"],
    "nn.WithLossCell(dense, nn.MSELoss()(dense(x), y))": ["fits", "value-as-loss"],
    "nn.WithLossCell(dense, nn.MSELoss()(dense(x), y) * 2)": ["fits", "value-as-loss"],
    "nn.SoftmaxCrossEntropyWithLogits(True)(dense(x), ops.one_hot(y, 4).astype(ms.float32))": [
        "fits",
        "one-hot-for-sparse",
    ],
    "nn.SoftmaxCrossEntropyWithLogits(False)(dense(x), ops.one_hot(y, 4))": ["fits"],
    "nn.SoftmaxCrossEntropyWithLogits(sparse=True)(dense(x), ops.one_hot(y, 4)[0])": ["fits"],
    "ops.cross_entropy(dense(x), y.flatten(), weight=ms.Tensor([1.0, 2.0]).view(-1))": ["fits"],
    "ops.cross_entropy(dense(x), y)(z)": ["fits"],
    "y, w = read(f)\nops.cross_entropy(dense(x), y.flatten(), weight=w.view(-1))": ["fits", "weight-per-position"],
    "y, w = read(f)\nops.cross_entropy(dense(x), y.view(-1), weight=w.float())": ["fits"],
    "p = ops.softmax(dense(x))\nl = (-(p * ops.one_hot(y, 4))).sum()": ["no-logarithm"],
    "p = ops.softmax(dense(x))\nl = ops.reduce_sum(-1 * ops.one_hot(y, 4) * p)": ["no-logarithm"],
    "p = ops.softmax(dense(x))\nl = ops.reduce_sum(-1 * ops.log(ops.clip_by_value(ops.one_hot(y, 4), 1e-4, 1.0)) * p)": [],
    # An overlap of areas.
    "p = ops.softmax(dense(x))\nt = ops.one_hot(y, 4)\n"
    "l = 1 - ((2 * (p * t).sum(0) + 1) / (p.sum(0) + t.sum(0) + 1)).mean()": [],
    "p = ops.softmax(dense(x))\nt = ops.one_hot(y, 4)\nl = -((p * t).sum(0) / (t.sum(0) + 1)).mean()": ["no-logarithm"],
    # As many classes as there are scores.
    "p = ops.softmax(dense(x))\nl = -(p * ops.one_hot(y, ops.shape(p)[-1])).sum()": ["no-logarithm"],
    # How often a mixture sends its samples where, times how likely that is: the places are those of the probabilities.
    "p = ops.softmax(dense(x))\nl = (p.mean(0) * ops.one_hot(ops.topk(p, 2)[1], 4).sum(1).mean(0)).sum()": [],
    "p = ops.softmax(dense(x))\nl = -(p.mean(0) * ops.one_hot(y, 4).mean(0)).sum()": ["no-logarithm"],
    "p = (ops.softmax(dense(x)) * ops.one_hot(y, 4)).sum(1) + 1e-5\nl = (-1 * (1 - p) * ops.log(p)).mean()": [],
    "p = ops.log_softmax(dense(x))\nl = (-(p * ops.one_hot(y, 4))).sum()": ["own-likelihood"],
    "p = ops.softmax(dense(x))\nl = -(p * y).sum()": [],
    "p = dense(x)\nl = -(p * ops.one_hot(y, 4)).sum()": [],
    "p = ops.softmax(dense(x))\nl = (ops.one_hot(y, 4) * ops.one_hot(z, 4)).sum()": [],
    "a = ops.concat((b, ops.randn((8, 1))))\nms.grad(dense)(a * dense(x) + (1 - a) * dense(z))": ["penalty-normal"],
    "ms.grad(dense)(a * dense(x) + (1 - a) * dense(z))": [],
    DRAWN.format("ops.rand((8, 1))"): ["penalty-once"],
    # The gradients of weights at a point between two are those of a mixture of samples, and no penalty.
    DRAWN.format("ops.rand((8, 1))").replace("ms.grad(dense)", "ms.grad(dense, None, opt.parameters)"): [],
    DRAWN.format("ops.rand((8, 1))").replace("ms.grad(dense)", "ms.grad(dense, 0, opt.parameters)"): ["penalty-once"],
    DRAWN.format("ops.rand((8, 1))").replace("ms.grad(dense)", "ops.GradOperation(get_by_list=True)(dense, w)"): [],
    DRAWN.format("ops.randn((8, 1))"): ["penalty-normal", "penalty-once"],
    DRAWN.format("weight()").replace(
        "class", "@ms.ops.constexpr\ndef weight():\n    return ops.rand((8, 1))\n\nclass"
    ): ["penalty-once"],
    DRAWN.replace("self.a", "a")
    .replace("a = {}", "pass")
    .replace("return", "a = ops.rand((8, 1))\n        return"): [],
}


@pytest.mark.parametrize("text", SAID)
def test_what_is_said(tmp_path: Path, text: str) -> None:
    head = "opt = nn.SGD(dense.trainable_params())\n"
    assert sorted(one.code for one in losses(tmp_path, head + text + "\n").examine()) == SAID[text]


def test_long_sums_and_products_do_not_slow_it_down(tmp_path: Path) -> None:
    for text in (
        "z = dense(x)\n" + "z = z + dense(x)\n" * 3000 + "l = nn.CrossEntropyLoss()(z, y)\n",
        "z = ops.one_hot(y, 4)\n" + "z = z * x\n" * 3000 + "l = z.sum()\n",
        "z = r\n" + "z = a * z + (1 - a) * f\n" * 1500 + "g = ms.grad(dense)(z)\n",
        "l = nn.CrossEntropyLoss()(dense(x), y)\n" * 3000,
    ):
        made = losses(tmp_path, text)
        start = time.process_time()
        made.examine()
        assert time.process_time() - start < 10


def test_a_prediction_of_unknown_origin_is_told_as_it_is_written(tmp_path: Path) -> None:
    made = losses(tmp_path, "net = None\nnear, far = net(x)\nloss = nn.L1Loss()(near, y)\n")
    (told,) = [one for one in made.examine() if one.code == "fits"]
    assert told.data["layer"] == "near"


_SUMMED = """
def loss_of(x, y):
    return ops.cross_entropy(ops.softmax(dense(x)), y, reduction='none')

class Whole(nn.Cell):
    def construct(self, x, y):
        return loss_of(x, y)

net, opt = Whole(), build()
"""


@pytest.mark.parametrize(
    "step",
    [
        "ms.grad(loss_of)(x, y)",
        "ms.value_and_grad(loss_of, None, w)(x, y)",
        "ops.GradOperation(get_by_list=True)(loss_of, w)(x, y)",
        "nn.ForwardValueAndGrad(net, w, get_by_list=True)(x, y)",
        "nn.WithGradCell(net)(x, y)",
        "nn.TrainOneStepCell(net, opt)(x, y)",
        "ms.boost.BoostTrainOneStepCell(net, opt)(x, y)",
        "nn.TrainOneStepWithLossScaleCell(net, opt, scale)(x, y)",
    ],
)
def test_each_way_to_gradients_is_one(tmp_path: Path, step: str) -> None:
    """What is differentiated is seen to be the loss of each sample, whatever takes the gradients."""
    assert "none-reduction" in codes(losses(tmp_path, _SUMMED + step))


@pytest.mark.parametrize("maker", ["jacrev", "jacfwd"])
def test_gradients_of_each_sample_are_not_added_up(tmp_path: Path, maker: str) -> None:
    assert "none-reduction" not in codes(losses(tmp_path, f"{_SUMMED}ms.{maker}(loss_of)(x, y)"))
