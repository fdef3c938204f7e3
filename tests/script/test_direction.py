"""The sign with which a loss reaches what is minimised."""

from __future__ import annotations

from pathlib import Path

import pytest

from accucheck.script import direction
from accucheck.script.analysis import Reading
from accucheck.script.losses import Losses, Observation
from accucheck.script.project import Project
from accucheck.script.source import read
from accucheck.script.trace import follow
from accucheck.script.training import assumption
from accucheck.script.values import exclusive

HEAD = """
import numpy as np
import mindspore as ms
from mindspore import nn, ops
from mindspore.ops import operations as P
net = nn.Dense(8, 4)
opt = nn.SGD(net.trainable_params(), 0.1)
COUNTS = np.array([10, 20, 30, 40])
TABLE = ms.Tensor(1 / (COUNTS / float(sum(COUNTS)) + 0.02), ms.float32)
"""
LOOP = """
def forward(x, y):
    logits = net(x)
    return LOSS

step = ms.value_and_grad(forward, None, opt.parameters)
for x, y in data:
    loss, grads = step(x, y)
    opt(grads)
"""


def codes(folder: Path, text: str) -> list[str]:
    return [one.code for one in said(folder, text)]


def said(folder: Path, text: str) -> list[Observation]:
    (folder / "train.py").write_text(HEAD + text)
    source = read(folder / "train.py", "train.py")
    project = Project(folder, folder)
    trace = follow(source, assumption("train"), project.find, folder)
    return direction.examine(Losses(Reading("train", "train", source, trace, project)))


@pytest.mark.parametrize(("sign", "expected"), [("", []), ("-", ["loss-negated"])])
def test_a_cell_that_gives_the_value_with_its_gradient(tmp_path: Path, sign: str, expected: list[str]) -> None:
    text = (
        "class Judged(nn.Cell):\n"
        "    def __init__(self):\n        super().__init__()\n        self.net = net\n"
        f"    def construct(self, x, y):\n        return {sign}ops.cross_entropy(self.net(x), y)\n"
        "step = nn.ForwardValueAndGrad(Judged(), opt.parameters, get_by_list=True)\n"
        "for x, y in data:\n    loss, grads = step(x, y)\n    opt(grads)\n"
    )
    assert codes(tmp_path, text) == expected


@pytest.mark.parametrize(
    "loss",
    [
        "-nn.CrossEntropyLoss()(logits, y)",
        "-1.0 * ops.cross_entropy(logits, y)",
        "ops.neg(ops.mse_loss(logits, y))",
        "0 - nn.MSELoss()(logits, y)",
        "nn.L1Loss()(logits, y) / -2.0",
        "-(ops.cross_entropy(logits, y) + 0.1 * extra(logits))",
        "-(ops.square(logits - y)).mean()",
        "-(P.Cast()(ms.Tensor(1.0), ms.float32) * ops.cross_entropy(logits, y))",
        "-ops.mean(((logits - y) ** 2).reshape(-1))",
        "-(ops.cross_entropy(logits, y, reduction='none') * (y > 0).astype(ms.float32)).sum() / x.shape[0]",
        "-sum([ops.l1_loss(logits, y), ops.mse_loss(logits, y)])",
        "-ops.AddN()((ops.l1_loss(logits, y), ops.mse_loss(logits, y)))",
        "-(ops.cross_entropy(logits, y) + ops.mse_loss(logits, y) * (extra(x) - 1))",
        "-sum([ops.l1_loss(logits, y), extra(logits)])",
        "-ops.cross_entropy(logits, y) * sum([1, 2, 3]) / int(ops.count_nonzero(y))",
        "-ops.where(y > 0, (logits - y) ** 2, ms.Tensor(np.zeros(4), ms.float32)).mean()",
        "-(ops.cross_entropy(logits, y, reduction='none') * (TABLE * ops.one_hot(y, 4)).sum(-1)).mean()",
        "-(1 - nn.SSIM()(logits, y).mean())",
        "-(1 - ops.cosine_similarity(logits, y)).mean()",
        "-ops.mse_loss(logits.reshape(logits.shape), y.reshape(logits.shape))",
        "-ops.sqrt(ops.mse_loss(logits, y))",
        "-ops.sqrt((logits - y) ** 2 + 1e-6).mean()",
        "-ops.abs((logits - y) / y).mean()",
        "-(lambda apart: (apart * apart).mean())(logits - y)",
        "-(ops.log_softmax(logits) * -1.0 * ops.one_hot(y, 4, 1.0, 0.0)).sum(-1).mean()",
    ],
)
def test_a_loss_whose_sign_is_turned(tmp_path: Path, loss: str) -> None:
    assert codes(tmp_path, LOOP.replace("LOSS", loss)) == ["loss-negated"]


@pytest.mark.parametrize(
    "loss",
    [
        "nn.CrossEntropyLoss()(logits, y)",
        "-(-nn.CrossEntropyLoss()(logits, y))",
        "1 + 2 * ops.mse_loss(logits, y)",
        "-(-ops.cross_entropy(logits, y, reduction='none') * advantage).mean()",
        "critic(logits).mean() - ops.cross_entropy(logits, y)",
        "ops.relu(1.0 - ops.mse_loss(logits, y))",
        "ops.mse_loss(logits, y) - ops.mse_loss(logits, z)",
        "-(ops.softmax(logits) * ops.one_hot(y, 4, 1.0, 0.0)).sum()",
        "-critic(logits).mean()",
        "-ops.cosine_similarity(logits, y).mean()",
        "ops.sqrt(-ops.mse_loss(logits, y))",
        "-ops.var(ops.mse_loss(logits, y))",
        "-ops.exp(-ops.mse_loss(logits, y))",
        "-ops.square(logits).mean()",
    ],
)
def test_a_loss_that_is_minimised_and_what_is_no_loss(tmp_path: Path, loss: str) -> None:
    assert codes(tmp_path, LOOP.replace("LOSS", loss)) == []


HINGES = [
    "ops.relu(1.0 - y * logits).mean()",
    "ops.maximum(0, 0.3 + ops.norm(logits - x, dim=1) - ops.norm(logits - z, dim=1)).mean()",
    "ops.clip(ops.mul(logits, -y) + 0.5, 0).sum()",
    "(lambda short: P.ReduceMean()(short * P.GreaterEqual()(short, 0)))(P.Add()(P.Sub()(x, logits) * y, 2))",
    "(lambda far, edge: ((far - edge) * (far > edge)).mean())(ops.norm(logits - y, dim=1), ops.softplus(x))",
    "(lambda far: ops.cast(P.Less()(x, far), ms.float32) * (far - x))(ops.norm(logits - y, dim=1)).mean()",
]


@pytest.mark.parametrize("loss", HINGES)
def test_what_is_missing_to_a_margin_is_to_be_made_smaller(tmp_path: Path, loss: str) -> None:
    assert codes(tmp_path, LOOP.replace("LOSS", loss)) == []
    assert codes(tmp_path, LOOP.replace("LOSS", f"-({loss})")) == ["loss-negated"]


@pytest.mark.parametrize(
    "loss",
    [
        "-ops.relu(logits).mean()",  # a score
        "-ops.clip(logits + 1, 0, 6).mean()",  # limited on both sides
        "-ops.minimum(0, logits - 1).mean()",
        "-((logits - x) * (logits > x)).mean()",  # of no distance
        "-((lambda far: (x - far) * (far < x))(ops.norm(logits - y, dim=1))).mean()",  # what is left of a limit
        "-ops.relu(x - 1).mean() + ops.mse_loss(logits, y)",  # of no weight
        "-ops.relu(1 - ops.mse_loss(logits, y))",  # a loss that counts up to a bound
    ],
)
def test_what_is_no_margin(tmp_path: Path, loss: str) -> None:
    assert codes(tmp_path, LOOP.replace("LOSS", loss)) == []


CHOSEN = "(lambda p: (FACTOR * ops.log(y * p + (1 - y) * (1 - p) + 1e-8)).mean())(ops.sigmoid(logits))"


@pytest.mark.parametrize("factor", ["-1", "-((1 - y * p - (1 - y) * (1 - p)) ** 2)"])
def test_a_probability_that_labels_choose(tmp_path: Path, factor: str) -> None:
    loss = CHOSEN.replace("FACTOR", factor)
    assert codes(tmp_path, LOOP.replace("LOSS", loss)) == ["own-likelihood"]
    assert codes(tmp_path, LOOP.replace("LOSS", f"-{loss}")) == ["loss-negated"]
    assert codes(tmp_path, LOOP.replace("LOSS", CHOSEN.replace("FACTOR *", ""))) == ["likelihood-minimised"]


def test_a_power_of_a_loss(tmp_path: Path) -> None:
    loss = "ops.pow(ops.norm(logits - y) / x.shape[0], exponent=1.5)"
    assert codes(tmp_path, LOOP.replace("LOSS", loss)) == []
    assert codes(tmp_path, LOOP.replace("LOSS", f"-{loss}")) == ["loss-negated"]


WRITTEN = [
    "(lambda apart: ops.select(apart < 1, 0.5 * apart * apart, apart - 0.5).mean())(ops.abs(logits - y))",
    "(lambda ce: (0.25 * (1 - ops.exp(-ce)) ** 2 * ce).mean())(ops.cross_entropy(logits, y, reduction='none'))",
    "ops.log(1e-6 + nn.MSELoss()(logits, y))",
    "ops.ReduceMean()(ops.Sqrt()(ops.Square()(P.Add()(logits, -y)) + 1e-3))",
    "nn.SoftmaxCrossEntropyWithLogits(reduction='mean')(logits, P.OneHot()(y, ops.shape(logits)[1], 0.9, 0.1))",
    "(y * ops.softplus(-logits) + (1 - y) * ops.softplus(logits)).mean()",
    "(ops.logsumexp(logits, 1) - ops.gather_elements(logits, 1, y.reshape(-1, 1)).squeeze(1)).mean()",
    "(lambda s, top: ops.log(ops.exp(s - top).sum(1)) + top - (s * ops.one_hot(y, 4, 1.0, 0.0)).sum(1))(logits, logits.max())",
    "(ops.ReduceSum()(P.SigmoidCrossEntropyWithLogits()(logits, y) * x, ())) / 8",
    "ops.l1_loss(logits, y, reduction='sum') / z.sum()",
    "ops.cross_entropy(logits, y, reduction='none').sum() / z.sum()",
]


PAIRS = [
    "(lambda s: -ops.log((s * ops.eye(4, 4)).sum(1) / (s.sum(1) - (s * ops.eye(4, 4)).sum(1))).mean())(ops.exp(logits))",
    "(lambda s, t: -2 * ops.log(P.ReduceSum(True)(s * P.Eye()(4, 4, ms.float32), 1) / (s.sum(1, keepdims=True) + t.sum(1))).mean())("
    "ops.exp(ops.matmul(logits, logits.T / 0.1)), ops.exp(net(y)))",
    "(lambda own, other: -ops.log(own / (own + other.sum(1))).mean())(ops.exp(logits / 0.5), ops.exp(net(y) / 0.5))",
    "(lambda s: (ops.log(s.sum(1)) - ops.log((s * y).sum(1))).mean())(ops.exp(logits))",
    "-(lambda s: ops.log(s[ops.arange(4), y] / s.sum(1)).mean())(ops.exp(logits))",
    "(lambda s, own: -1.0 * ((s * own).sum(1) - ops.log(ops.exp(s - own * 1e9).sum(1))).mean())(logits, ops.one_hot(y, 4, 1.0, 0.0))",
]


@pytest.mark.parametrize("loss", PAIRS)
def test_pairs_that_belong_together_among_all(tmp_path: Path, loss: str) -> None:
    assert codes(tmp_path, LOOP.replace("LOSS", loss)) in ([], ["own-likelihood"])
    assert codes(tmp_path, LOOP.replace("LOSS", f"-({loss})")) == ["loss-negated"]


@pytest.mark.parametrize("mask", ["y", "(1 - ops.eye(4, 4))"])
def test_a_share_that_is_minimised_may_be_that_of_other_pairs(tmp_path: Path, mask: str) -> None:
    """With a sign that turns it besides, it is most likely that of pairs which belong together."""
    share = f"(lambda s: ops.log((s * {mask}).sum(1) / s.sum(1)).mean())(ops.exp(logits))"
    assert codes(tmp_path, LOOP.replace("LOSS", share)) == ["loss-negated-perhaps"]
    (one,) = said(tmp_path, LOOP.replace("LOSS", f"-(-{share})"))
    assert (one.code, one.certain) == ("loss-negated", False)


def test_scores_less_the_logarithm_of_their_sum_are_a_likelihood(tmp_path: Path) -> None:
    loss = "(logits * ops.one_hot(y, 4, 1.0, 0.0)).sum(1) - ops.logsumexp(logits, 1)"
    assert codes(tmp_path, LOOP.replace("LOSS", f"({loss}).mean()")) == ["likelihood-minimised"]
    assert codes(tmp_path, LOOP.replace("LOSS", f"-({loss}).mean()")) == ["own-likelihood"]


def test_a_sum_of_the_same_over_and_over(tmp_path: Path) -> None:
    """Each value is looked at once, however many ways lead to it."""
    text = LOOP.replace(
        "    return LOSS", "    s = ops.exp(logits)\n    w = s\n" + "    w = w * y + w\n" * 40 + "    return LOSS"
    )
    assert codes(tmp_path, text.replace("LOSS", "-ops.log((s * y).sum(1) / w.sum(1)).mean()")) == ["own-likelihood"]


@pytest.mark.parametrize(
    "loss",
    [
        "(lambda s: ops.log(s / s.sum(1)).mean())(ops.exp(logits))",  # all shares alike
        "(lambda s, t: ops.log((s * y).sum(1) / t.sum(1)).mean())(ops.exp(logits), ops.exp(net(y)))",  # no part of the whole
        "(lambda s: ops.log((s * y).sum(1) / s.sum(1)).mean())(ops.abs(logits))",
    ],
)
def test_what_is_no_share_of_pairs(tmp_path: Path, loss: str) -> None:
    assert codes(tmp_path, LOOP.replace("LOSS", loss)) == []


@pytest.mark.parametrize("limit", ["-0.5", "-margin", "ops.neg(margin)"])
def test_a_difference_of_scores_up_to_a_margin(tmp_path: Path, limit: str) -> None:
    """It has no lower bound with its sign turned."""
    loss = f"(ops.maximum(logits - net(y), {limit}).mean() + margin)"
    text = "from settings import margin\n" + LOOP
    assert codes(tmp_path, text.replace("LOSS", loss)) == []
    assert codes(tmp_path, text.replace("LOSS", f"-{loss}")) == ["loss-negated"]
    upwards = loss.replace(limit, "0.5")  # a limit that keeps a value from zero
    assert codes(tmp_path, text.replace("LOSS", f"-{upwards}")) == []


@pytest.mark.parametrize("loss", WRITTEN)
def test_losses_that_are_written_out(tmp_path: Path, loss: str) -> None:
    assert codes(tmp_path, LOOP.replace("LOSS", loss)) in ([], ["own-likelihood"])
    assert codes(tmp_path, LOOP.replace("LOSS", f"-{loss}")) == ["loss-negated"]


@pytest.mark.parametrize(
    "loss",
    [
        "-(ops.logsumexp(logits, 1) - logits.mean(1)).mean()",  # no labels choose
        "-(ops.logsumexp(other(x), 1) - ops.gather_elements(logits, 1, y)).mean()",
        "-(ops.softplus(logits) + ops.softplus(-net(y))).mean()",  # a score, without labels
        "ops.exp(-ops.mse_loss(logits, y))",  # apart up to a bound
        "-ops.log(logits).mean()",
    ],
)
def test_what_is_like_a_written_loss(tmp_path: Path, loss: str) -> None:
    assert codes(tmp_path, LOOP.replace("LOSS", loss)) == []


def test_more_ways_than_are_kept(tmp_path: Path) -> None:
    ways = "".join(
        f"    elif kind == '{number}':\n        loss = -{number} * ops.mse_loss(logits, y)\n" for number in range(1, 13)
    )
    text = LOOP.replace(
        "    return LOSS", f"    if kind == '0':\n        loss = -ops.l1_loss(logits, y)\n{ways}    return loss"
    )
    assert codes(tmp_path, text.replace("(x, y)", "(x, y, kind)")) == ["loss-negated-perhaps"]


def test_a_sign_that_is_turned_on_one_way(tmp_path: Path) -> None:
    text = LOOP.replace(
        "    return LOSS", "    return ops.mse_loss(logits, y) if kind == 'near' else -ops.huber_loss(logits, y)"
    )
    assert codes(tmp_path, text.replace("(x, y)", "(x, y, kind)")) == ["loss-negated-perhaps"]


HEADS = """
class Two(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body, self.near, self.far = nn.Dense(8, 8), nn.Dense(8, 1), nn.Dense(8, 1)

    def construct(self, x):
        x = self.body(x)
        return self.near(x), self.far(x)

two = Two()
ONE
"""
HELD = HEADS.replace("ONE", "opt = nn.SGD(two.trainable_params(), 0.1)") + LOOP.replace("net(x)", "two(x)")


@pytest.mark.parametrize(
    ("loss", "said"),
    [
        ("-ops.mse_loss(logits[0], y) + ops.l1_loss(logits[1], y)", ["loss-negated"]),
        ("sum([ops.l1_loss(logits[1], y), 0.5 * -ops.mse_loss(logits[0], y)])", ["loss-negated"]),
        ("ops.mse_loss(logits[0], y) - ops.mse_loss(logits[0], z)", []),  # driven from one target, drawn to another
        ("ops.mse_loss(logits[0], y) + ops.l1_loss(logits[1], y)", []),
        ("-(-ops.mse_loss(logits[0], y) - ops.l1_loss(logits[1], y))", []),
        ("ops.l1_loss(logits[1], y) - critic(logits[0]).mean()", []),
    ],
)
def test_a_term_that_alone_teaches_a_layer(tmp_path: Path, loss: str, said: list[str]) -> None:
    assert codes(tmp_path, HELD.replace("LOSS", loss)) == said


def test_a_term_that_another_optimizer_works_against(tmp_path: Path) -> None:
    apart = HEADS.replace(
        "ONE",
        "opt = nn.SGD([*two.body.trainable_params(), *two.far.trainable_params()], 0.1)\n"
        "rival = nn.SGD(two.near.trainable_params(), 0.1)\n"
        "def own(x, y):\n    return ops.mse_loss(two(x)[0], y)\n"
        "follow = ms.value_and_grad(own, None, rival.parameters)\n"
        "for x, y in data:\n    rival(follow(x, y)[1])",
    )
    loss = "ops.l1_loss(logits[1], y) - ops.mse_loss(logits[0], y)"
    assert codes(tmp_path, apart + LOOP.replace("net(x)", "two(x)").replace("LOSS", loss)) == []


OVERLAPS = [
    "(lambda p: 2 * (y * p).sum() / (y.sum() + p.sum() + 1e-5))(ops.sigmoid(logits) * (1 - mask))",
    "(2 * (logits * y).sum() + 1) / (logits.sum() + y.sum() + 1)",
    "(lambda m: 2 * (logits * y * m).sum() / ((logits * m).sum() + P.ReduceSum()(y * m) + 1e-6))(x)",
    "(lambda m: (ops.sum(logits * m * y) + 1) / (ops.sum(logits * m) + (m * y).sum() + 1))(ops.cast(z > 0, ms.float32))",
    "(ops.sum(logits.view(-1) * y.view(-1)) / (ops.sum(logits ** 2) + ops.sum(y * y) + 1e-6))",
    "(lambda both: (both / (logits.sum((1, 2)) + y.sum((1, 2)) - both)).mean())((logits * y).sum((1, 2)))",
    "(lambda both: (both / (logits[:, 1] - logits[:, 0] + y[:, 1] - y[:, 0] - both + 1e-7)).mean())"
    "(ops.clamp(ops.minimum(logits[:, 1], y[:, 1]) - P.Maximum()(logits[:, 0], y[:, 0]), 0))",
    "(lambda both, hull: (lambda union: (both / union - (hull - union) / hull).mean())"
    "(logits[:, 1] - logits[:, 0] + y[:, 1] - y[:, 0] - both))"
    "(ops.relu(ops.minimum(logits[:, 1], y[:, 1]) - ops.maximum(logits[:, 0], y[:, 0])), "
    "ops.maximum(logits[:, 1], y[:, 1]) - ops.minimum(logits[:, 0], y[:, 0]))",
    "(lambda both: (both / (logits[:, 1] - logits[:, 0] + y[:, 1] - y[:, 0] - both) - "
    "(logits[:, 0] + logits[:, 1] - y[:, 0] - y[:, 1]) ** 2 / 4).mean())"
    "(ops.clamp(ops.minimum(logits[:, 1], y[:, 1]) - P.Maximum()(logits[:, 0], y[:, 0]), 0))",
]


@pytest.mark.parametrize("loss", OVERLAPS)
def test_what_labels_and_predictions_share_is_to_be_made_larger(tmp_path: Path, loss: str) -> None:
    assert codes(tmp_path, LOOP.replace("LOSS", f"1 - {loss}")) == []
    assert codes(tmp_path, LOOP.replace("LOSS", f"-{loss}")) == []
    assert codes(tmp_path, LOOP.replace("LOSS", f"-(1 - {loss})")) == ["loss-negated"]
    assert codes(tmp_path, LOOP.replace("LOSS", loss)) == ["overlap-minimised"]


@pytest.mark.parametrize(
    ("loss", "expected"),
    [
        ("(logits * net(y)).sum() / (logits.sum() + net(y).sum())", []),
        ("(logits * y).sum() / y.sum()", []),
        ("(lambda both: (both / (logits + net(y) - both)).mean())(ops.minimum(logits, net(y)))", []),
        ("(lambda part: (part / (logits + y + part)).mean())(ops.minimum(logits, y))", []),
        ("(lambda part: (part / (logits + 3 - part)).mean())(ops.minimum(logits, 3))", []),
        ("(lambda part: (part / (logits + y - part) - other(y)).mean())(ops.minimum(logits, y))", []),
        ("(logits * logits).sum() / (logits.sum() + y.sum())", []),
        ("(logits * y * z).sum() / ((logits * z).sum() + y.sum())", []),
        ("(logits * y * z).sum() / ((logits * z).sum() + (w * z).sum())", []),
        ("-ops.square(logits - net(y)).mean()", ["loss-negated-perhaps"]),
        ("-ops.square(logits - ops.stop_gradient(net(y))).mean()", ["loss-negated"]),
    ],
)
def test_two_predictions_may_be_driven_apart(tmp_path: Path, loss: str, expected: list[str]) -> None:
    assert codes(tmp_path, LOOP.replace("LOSS", loss)) == expected


#: A deviation that a layer gives beside the prediction.
SPREAD = "(lambda s: "
LIKELIHOODS = [
    "(ops.log_softmax(logits) * ops.one_hot(y, 4, 1.0, 0.0)).sum(-1).mean()",
    "ops.gather_elements(ops.log_softmax(logits), 1, y.expand_dims(1)).mean()",
    "ops.GatherD()(nn.LogSoftmax()(logits), 1, y.view(-1, 1)).squeeze(1).sum()",
    "ops.log(ops.gather_d(ops.softmax(logits), 1, y.reshape(-1, 1)) + 1e-8).mean()",
    "ops.log_softmax(logits)[ops.arange(y.shape[0]), y].mean()",
    "ops.gather_nd(ops.log_softmax(logits), places).mean()",
    "(ops.gather_d(ops.log_softmax(logits), 1, y) * (y > 0).astype(ms.float32)).sum() / (y > 0).sum()",
    "((1 - ops.softmax(logits).gather_elements(1, y)) ** 2.0 * ops.log_softmax(logits).gather_elements(1, y)).mean()",
    "sum([ops.gather_d(ops.log_softmax(part), 1, y).mean() for part in (logits, logits / 2)])",
    "(lambda p: (y * ops.log(p) + (1 - y) * ops.log(1 - p)).mean())(ops.sigmoid(logits))",
    "(lambda p: ((1 - y) * ops.log(1 - p + 1e-7)).mean() + (y.astype(ms.float32) * ops.log(p + 1e-7)).mean())(prob(logits))",
    "(lambda p: (0.7 * y * ops.log(p.clip(0.01, 0.99)) + 0.3 * (1.0 - y) * ops.log(1.0 - p)).sum())(prob(logits))",
    "ops.log(ops.sigmoid(logits - net(y)) + 1e-8).mean()",
    "nn.LogSigmoid()((logits - net(y)).sum(-1)).mean()",
    f"{SPREAD}(-0.5 * ops.square((y - logits) / ops.exp(s)) - s - 0.92).mean())(net(x))",
    f"{SPREAD}(-((y - logits) ** 2) / (2 * ops.exp(s)) - 0.5 * s).mean())(net(x))",
]


@pytest.mark.parametrize("loss", LIKELIHOODS)
def test_the_likelihood_of_the_labels_is_not_to_be_minimised(tmp_path: Path, loss: str) -> None:
    assert codes(tmp_path, LOOP.replace("LOSS", loss)) == ["likelihood-minimised"]


@pytest.mark.parametrize("loss", LIKELIHOODS)
def test_the_likelihood_of_the_labels_is_minimised_with_a_minus(tmp_path: Path, loss: str) -> None:
    assert codes(tmp_path, LOOP.replace("LOSS", f"-({loss})")) == ["own-likelihood"]
    assert codes(tmp_path, LOOP.replace("LOSS", f"-(-({loss}))")) == ["loss-negated"]


@pytest.mark.parametrize(
    "loss",
    [
        "ops.gather_elements(-ops.log_softmax(logits), 1, y.expand_dims(1)).squeeze(1).mean()",
        "ops.neg(ops.log_softmax(logits)).reshape(-1, 4)[ops.arange(8), y].mean()",
    ],
)
def test_elements_of_negated_logarithms(tmp_path: Path, loss: str) -> None:
    """The sign may be turned before the labels choose."""
    assert codes(tmp_path, LOOP.replace("LOSS", loss)) == ["own-likelihood"]
    assert codes(tmp_path, LOOP.replace("LOSS", f"-{loss}")) == ["loss-negated"]
    assert codes(tmp_path, LOOP.replace("LOSS", f"({loss} * rewards).mean()")) == []


@pytest.mark.parametrize(("sign", "expected"), [("", ["own-likelihood"]), ("-", ["loss-negated"])])
def test_a_preference_by_softplus_is_negative_already(tmp_path: Path, sign: str, expected: list[str]) -> None:
    loss = f"{sign}ops.softplus(ops.neg(logits[:, 0] - logits[:, 1])).sum()"
    assert codes(tmp_path, LOOP.replace("LOSS", loss)) == expected


@pytest.mark.parametrize(
    "loss",
    [
        "(ops.gather_d(ops.log_softmax(logits), 1, y) * rewards).mean()",
        "(ops.gather_d(ops.log_softmax(logits), 1, y) * -rewards).mean()",
        "(ops.softmax(logits) * ops.log_softmax(logits)).sum(-1).mean()",
        "ops.log_softmax(logits).mean()",
        "(lambda p: (p * ops.log(p) + (1 - p) * ops.log(1 - p)).mean())(ops.sigmoid(logits))",
        "(lambda p: (y * ops.log(p) - (1 - y) * ops.log(1 - p)).mean())(ops.sigmoid(logits))",
        "(lambda p: (y * ops.log(1 - p) + (1 - y) * ops.log(1 - p)).mean())(ops.sigmoid(logits))",
        "(lambda p: (y * ops.log(p) + (1 - z) * ops.log(1 - p)).mean())(ops.sigmoid(logits))",
        "ops.log_softmax(logits)[:, 0].mean()",
        "sum([ops.log_softmax(logits)[place] for place in range(4)])",
        "ops.gather_d(ops.softmax(logits), 1, y).mean()",
        "ops.gather_d(logits, 1, y).mean()",
        "ops.exp(ops.gather_d(ops.log_softmax(logits), 1, y) - before).mean()",
        "(ops.gather_d(ops.log_softmax(logits), 1, y) - worth(x)).mean()",
        "ops.gather_d(ops.log(1 - ops.softmax(logits)), 1, y).mean()",
        "ops.log(1 - ops.sigmoid(logits)).mean()",
        "nn.LogSigmoid()(logits - y).mean()",
        "ops.log(logits - net(y)).mean()",
        # An action that the network has drawn itself, and a weight beside a penalty of something else.
        f"{SPREAD}(-0.5 * ((net(y) - logits) / ops.exp(s)) ** 2 - s).mean())(net(x))",
        f"{SPREAD}(0.5 * ((y - logits) / ops.exp(s)) ** 2 + s).mean())(net(x))",
    ],
)
def test_what_is_no_likelihood_of_labels_or_has_a_reward(tmp_path: Path, loss: str) -> None:
    assert codes(tmp_path, LOOP.replace("LOSS", loss)) == []


def test_a_factor_that_may_be_negative_leaves_it_open(tmp_path: Path) -> None:
    text = LOOP.replace("LOSS", "-(ops.cross_entropy(logits, y, reduction='none') * weights).mean()")
    assert codes(tmp_path, text) == ["loss-negated-perhaps"]


@pytest.mark.parametrize(
    ("weight", "certain"),
    [("options['weight']", False), ("ms.Tensor(options.weight)", False), ("0.5", True)],
)
def test_a_weight_that_is_read_once_leaves_it_likely(tmp_path: Path, weight: str, certain: bool) -> None:
    text = f"import yaml\noptions = yaml.safe_load(open('a.yaml'))\nweight = {weight}\n" + LOOP.replace(
        "LOSS", "-weight * ops.cross_entropy(logits, y)"
    )
    assert [(one.code, one.certain) for one in said(tmp_path, text)] == [("loss-negated", certain)]


@pytest.mark.parametrize("weight", ["z", "float(score(logits))", "rewards(x)"])
def test_a_factor_that_changes_from_step_to_step_may_turn_the_sign_back(tmp_path: Path, weight: str) -> None:
    text = LOOP.replace("LOSS", f"-({weight} * ops.cross_entropy(logits, y))").replace("x, y", "x, y, z")
    assert codes(tmp_path, text) == ["loss-negated-perhaps"]


@pytest.mark.parametrize(
    ("loss", "expected"),
    [
        ("ops.cosine_similarity(logits, ops.stop_gradient(net(z))).mean()", ["loss-negated-perhaps"]),
        ("-ops.cosine_similarity(logits, ops.stop_gradient(net(z))).mean()", []),
        ("ops.cosine_similarity(logits, net(z)).mean()", []),
        ("-(1 - ops.cosine_similarity(logits, net(z))).mean()", []),
        ("(1 - nn.SSIM()(logits, y)).mean()", []),
        ("100 - nn.PSNR()(logits, y).mean()", []),
    ],
)
def test_a_likeness_is_raised_unless_both_sides_are_trained(tmp_path: Path, loss: str, expected: list[str]) -> None:
    assert codes(tmp_path, LOOP.replace("LOSS", loss).replace("x, y", "x, y, z")) == expected


OTHER = "other = nn.Dense(8, 4)\nopt2 = nn.SGD(other.trainable_params(), 0.1)\n"


@pytest.mark.parametrize(
    ("logits", "expected"),
    [("net(x)", "loss-negated"), ("other(net(x))", "loss-negated-perhaps"), ("net(other(x))", "loss-negated-perhaps")],
)
def test_two_optimizers_compete_where_the_loss_reaches_weights_of_both(
    tmp_path: Path, logits: str, expected: str
) -> None:
    turned = LOOP.replace("LOSS", "-ops.cross_entropy(logits, y)").replace("net(x)", logits)
    beside = LOOP.replace("LOSS", "ops.cross_entropy(logits, y)").replace("opt", "opt2").replace("net(x)", "other(x)")
    assert codes(tmp_path, OTHER + turned + beside) == [expected]


@pytest.mark.parametrize("held", ["", "[*net.trainable_params(), *other.trainable_params()]"])
def test_predictions_of_two_networks_may_be_driven_apart_where_both_are_trained(tmp_path: Path, held: str) -> None:
    text = "other = nn.Dense(8, 4)\n" + (f"opt = nn.SGD({held}, 0.1)\n" if held else "")
    found = codes(tmp_path, text + LOOP.replace("LOSS", "-ops.mse_loss(logits, other(x))"))
    assert found == ["loss-negated-perhaps" if held else "loss-negated"]


def test_networks_that_train_against_each_other_may_mean_it(tmp_path: Path) -> None:
    other = LOOP.replace("LOSS", "ops.cross_entropy(logits, y)").replace("opt", "opt2").replace("forward", "against")
    text = "opt2 = nn.Adam(other.trainable_params())\n" + LOOP.replace("LOSS", "-ops.cross_entropy(logits, y)") + other
    assert codes(tmp_path, text) == ["loss-negated-perhaps"]


SHARED = """
decoder, judge = nn.Dense(4, 4), nn.Dense(4, 4)
one = nn.Adam(net.trainable_params() + decoder.trainable_params())
two = nn.Adam(net.trainable_params() + SECOND.trainable_params())
def against(x, y):
    return SIGNops.mse_loss(judge(net(decoder(net(x)))), x)
for x, y in data.create_tuple_iterator():
    one(ms.value_and_grad(lambda x, y: ops.mse_loss(judge(net(decoder(net(x)))), x), None, one.parameters)(x, y)[1])
    two(ms.value_and_grad(against, None, two.parameters)(x, y)[1])
"""


@pytest.mark.parametrize(
    ("sign", "second", "expected"),
    [("-", "judge", ["loss-negated-perhaps"]), ("", "judge", []), ("-", "decoder", ["loss-negated"])],
)
def test_networks_that_share_a_part_may_train_against_each_other(
    tmp_path: Path, sign: str, second: str, expected: list[str]
) -> None:
    assert codes(tmp_path, SHARED.replace("SIGN", sign).replace("SECOND", second)) == expected


def test_gradients_of_inputs_and_gradients_that_are_negated_are_no_descent(tmp_path: Path) -> None:
    negated = LOOP.replace("LOSS", "-ops.cross_entropy(logits, y)")
    assert codes(tmp_path, negated.replace("None, opt.parameters", "0")) == []
    assert codes(tmp_path, negated.replace("opt(grads)", "opt([-grad for grad in grads])")) == []


def test_the_gradient_of_an_input_within_a_loss_is_no_step_upwards(tmp_path: Path) -> None:
    text = LOOP.replace("LOSS", "-(ops.cross_entropy(logits, y) + ops.norm(ms.grad(net)(x)))")
    assert codes(tmp_path, text) == ["loss-negated"]


@pytest.mark.parametrize(
    ("sign", "expected"),
    [("", []), ("-", ["loss-negated"])],
)
@pytest.mark.parametrize(
    "train",
    [
        "ms.Model(Whole(), None, opt).train(1, data)",
        "ms.Model(Whole(), loss_fn=None, optimizer=opt, amp_level='O2').train(1, data)",
        "cell = nn.TrainOneStepCell(Whole(), opt)\nfor x, y in data:\n    cell(x, y)",
        "ms.Model(nn.TrainOneStepCell(Whole(), opt)).train(1, data)",
        "class Step(nn.TrainOneStepCell):\n    pass\n\nms.Model(Step(Whole(), opt)).train(1, data)",
    ],
)
def test_a_network_that_gives_its_own_loss(tmp_path: Path, train: str, sign: str, expected: list[str]) -> None:
    text = f"""
class Whole(nn.Cell):
    def __init__(self):
        super().__init__()
        self.net = net
        self.loss = P.SoftmaxCrossEntropyWithLogits()

    def construct(self, x, y):
        loss = self.loss(self.net(x), y)[0]
        return {sign}loss.mean(), ops.stop_gradient(loss)

{train}
"""
    assert codes(tmp_path, text) == expected


@pytest.mark.parametrize(("sign", "expected"), [("", []), ("-", ["loss-negated"])])
@pytest.mark.parametrize(
    "train",
    [
        "ms.Model(whole, None, opt).train(1, data)",
        "ms.Model(nn.TrainOneStepCell(whole, opt)).train(1, data)",
        "cell = nn.TrainOneStepWithLossScaleCell(whole, opt, scale)\nms.Model(network=cell).train(1, data)",
    ],
)
def test_an_own_loss_behind_a_network_in_a_cell_of_the_framework(
    tmp_path: Path, train: str, sign: str, expected: list[str]
) -> None:
    text = f"""
class Own(nn.Cell):
    def construct(self, logits, y):
        return {sign}ops.mse_loss(logits, y)

whole = nn.WithLossCell(net, Own())
{train}
"""
    assert codes(tmp_path, text) == expected


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ("    for p in net.trainable_params():\n        p.set_data(near(p))\n", "loss-negated-perhaps"),
        ("    ops.assign(net.weight, near(net.weight))\n", "loss-negated-perhaps"),
        ("    for p in other.trainable_params():\n        p.set_data(near(p))\n", "loss-negated"),
        ("for p in net.trainable_params():\n    p.set_data(near(p))\n", "loss-negated"),
    ],
)
def test_a_search_puts_the_weights_back_after_each_step_upwards(tmp_path: Path, after: str, expected: str) -> None:
    text = "other = nn.Dense(8, 4)\n" + LOOP.replace("LOSS", "-1 * nn.MSELoss()(logits, y)") + after
    assert codes(tmp_path, text) == [expected]


ACTOR = """
class Push(nn.Cell):
    def construct(self, score, aim):
        return -nn.MSELoss()(score, aim)

class Grads(nn.Cell):
    def __init__(self, loss, weights):
        super().__init__()
        self.loss, self.weights = loss, weights
        self.grad = ops.GradOperation(get_by_list=True)

    def construct(self, x, y):
        return self.grad(self.loss, self.weights)(x, y)

class Chain(nn.Cell):
    def __init__(self):
        super().__init__()
        self.push = Push()

    def construct(self, x, y):
        return self.push(judge(net(x)), y)

judge = nn.Dense(4, 1)
JUDGED
hand_out(Grads(Chain(), ms.ParameterTuple(net.trainable_params()))(x, y))
"""


@pytest.mark.parametrize(
    ("judged", "expected"),
    [("of_judge = nn.SGD(judge.trainable_params(), 0.1)", "loss-negated-perhaps"), ("pass", "loss-negated")],
)
def test_two_optimizers_compete_also_where_their_steps_are_not_seen(tmp_path: Path, judged: str, expected: str) -> None:
    assert codes(tmp_path, ACTOR.replace("JUDGED", judged)) == [expected]


#: How much of an estimate a target explains, beside what is left.
SIGNAL = """
def ratio(estimate, target):
    seen = (estimate * target).sum(-1, keepdims=True) * (target - target.mean(-1, keep_dims=True)) / (target ** 2).sum(-1, keepdims=True)
    left = estimate - seen
    return 10 * ops.log10((seen ** 2).sum(-1) / ((left ** 2).sum(-1) + 1e-8)).mean()
"""


@pytest.mark.parametrize(("sign", "expected"), [("-", []), ("", ["loss-negated"])])
def test_a_signal_over_what_is_missed_is_to_rise(tmp_path: Path, sign: str, expected: list[str]) -> None:
    assert codes(tmp_path, SIGNAL + LOOP.replace("LOSS", f"{sign}ratio(logits, y)")) == expected


CENTRED = """
def signal(heard, said):
    total = ops.ReduceSum(keep_dims=True)
    heard = heard - total(heard, -1) / heard.shape[-1]
    said = said - MEAN
    seen = total(heard * said, -1) * said / (total(said ** 2, -1) + 1e-8)
    left = heard - seen
    return 10 * ops.log10((seen ** 2).sum(-1) / ((left ** 2).sum(-1) + 1e-8)).mean()
"""


@pytest.mark.parametrize("mean", ["total(said, -1) / said.shape[-1]", "said.mean(-1, keep_dims=True)"])
@pytest.mark.parametrize("order", ["logits, y", "y, logits"])
def test_what_is_taken_from_its_own_mean_is_no_error(tmp_path: Path, mean: str, order: str) -> None:
    assert codes(tmp_path, CENTRED.replace("MEAN", mean) + LOOP.replace("LOSS", f"-signal({order})")) == []


@pytest.mark.parametrize(("sign", "expected"), [("", []), ("-", ["loss-negated"])])
def test_an_error_to_a_mean_of_other_numbers(tmp_path: Path, sign: str, expected: list[str]) -> None:
    loss = f"{sign}((logits - y.mean(-1, keep_dims=True)) ** 2).mean()"
    assert codes(tmp_path, LOOP.replace("LOSS", loss)) == expected


def test_weights_that_a_mean_is_divided_by_are_no_rewards(tmp_path: Path) -> None:
    mean = "((ops.log_softmax(logits, -1) * ops.one_hot(y, 4, 1.0, 0.0)).sum(-1) * w).sum() / (w.sum() + 1e-5)"
    loop = LOOP.replace("(x, y)", "(x, y, w)").replace("for x, y in", "for x, y, w in")
    assert codes(tmp_path, loop.replace("LOSS", f"-{mean}")) == ["own-likelihood"]
    assert codes(tmp_path, loop.replace("LOSS", mean)) == ["likelihood-minimised"]
    assert codes(tmp_path, loop.replace("LOSS", mean.partition(" / ")[0])) == []


MEANS = {
    "each.sum() * ops.reciprocal(w.sum())": "loss-negated",
    "P.Mul()(P.ReduceSum()(each), P.Reciprocal()(P.ReduceSum()(w)))": "loss-negated",
    "each.sum() * (1 / w.sum())": "loss-negated",
    "each.sum() / ops.reciprocal(w.sum())": "loss-negated-perhaps",  # the weights count twice
    "each.mean()": "loss-negated-perhaps",
}


@pytest.mark.parametrize("mean", MEANS)
def test_a_mean_is_divided_by_its_weights_in_each_way(tmp_path: Path, mean: str) -> None:
    each = "    each = ops.cross_entropy(logits, y, reduction='none') * w\n"
    text = LOOP.replace("    return LOSS", f"{each}    return -({mean})").replace("x, y", "x, y, w")
    assert codes(tmp_path, text) == [MEANS[mean]]
    assert codes(tmp_path, text.replace("return -", "return ")) == []


@pytest.mark.parametrize(("sign", "expected"), [("-", ["own-likelihood"]), ("", ["likelihood-minimised"])])
def test_the_logarithm_of_a_probability_that_one_hot_labels_choose(
    tmp_path: Path, sign: str, expected: list[str]
) -> None:
    loss = f"({sign}(1 - picked) ** 2 * ops.log(picked)).mean()"
    chosen = "\n    picked = (ops.softmax(logits, -1) * ops.one_hot(y, 4, 1.0, 0.0)).sum(1) + 1e-5"
    assert codes(tmp_path, LOOP.replace("net(x)", f"net(x){chosen}").replace("LOSS", loss)) == expected


def test_a_loss_of_classes_that_rises_among_others_is_told(tmp_path: Path) -> None:
    others = "ops.mse_loss(logits, x)"
    assert codes(tmp_path, LOOP.replace("LOSS", f"({others} + ops.cross_entropy(logits, y)) / x.shape[0]")) == []
    for loss in ("ops.cross_entropy(logits, y)", "(weight * ops.cross_entropy(logits, y, reduction='none')).sum()"):
        turned = LOOP.replace("LOSS", f"({others} - {loss}) / x.shape[0]")
        assert codes(tmp_path, turned) == ["loss-negated-perhaps"]
    constant = "ops.binary_cross_entropy_with_logits(logits, ops.ones_like(logits), ops.ones_like(logits), ops.ones_like(logits))"
    assert codes(tmp_path, LOOP.replace("LOSS", f"{others} - {constant}")) == []


@pytest.mark.parametrize(
    "loss",
    [
        "ops.mean(ops.square(logits - y) - 0.5 * ops.cross_entropy(logits, y, reduction='none'))",
        "ops.cross_entropy(logits, y) - nn.MarginRankingLoss(0.3)(logits[:, 0], logits[:, 1], ops.ones_like(y))",
        "ops.mse_loss(logits, y) + extra(x) * (ops.cross_entropy(logits, y) if kind else -ops.cross_entropy(logits, y))",
        "ops.mean(ops.mse_loss(logits, y, reduction='none') - ops.pow(1 - MIXED, 2.0) * SCORED)",
    ],
    ids=["below an average", "ranks", "on one way, weighed", "a focal loss"],
)
def test_a_loss_that_rises_within_a_sum(tmp_path: Path, loss: str) -> None:
    loss = loss.replace("SCORED", "ops.binary_cross_entropy_with_logits(logits, labels, ONE, ONE)")
    loss = loss.replace("MIXED", "(labels * ops.sigmoid(logits) + (1 - labels) * (1 - ops.sigmoid(logits)))")
    text = LOOP.replace("    return LOSS", f"    labels = ops.one_hot(y, 4)\n    return {loss}")
    text = text.replace("(x, y)", "(x, y, kind)").replace("x, y in", "x, y, kind in")
    assert codes(tmp_path, text) == ["loss-negated-perhaps"]
    falls = loss.replace(" - 0.5 *", " + 0.5 *").replace(" - nn.", " + nn.").replace("-ops.cross", "ops.cross")
    falls = falls.replace(" - ops.pow", " + ops.pow")
    assert codes(tmp_path, text.replace(loss, falls)) == []


@pytest.mark.parametrize("focal", ["ops.pow(1 - SHARE, 2.0)", "(1 - SHARE) ** GAMMA", "(1 - SHARE)"])
def test_the_focus_of_a_focal_loss_is_not_negative(tmp_path: Path, focal: str) -> None:
    share = "(labels * ops.sigmoid(logits) + (1 - labels) * (1 - ops.sigmoid(logits)))"
    weight = "(labels * ALPHA + (1 - labels) * (1 - ALPHA))"
    text = LOOP.replace(
        "    return LOSS", f"    labels = ops.one_hot(y, 4)\n    return -({focal} * {weight} * LOSS).mean()"
    )
    text = text.replace("LOSS", "ops.binary_cross_entropy_with_logits(logits, labels, None, None)").replace(
        "SHARE", share
    )
    assert codes(tmp_path, "import yaml\nGAMMA, ALPHA = read('c.yaml')\n" + text) == ["loss-negated"]


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (
            "    net = nn.Dense(8, 4)\n    net.weight.set_data(first)\n    opt = nn.SGD(net.trainable_params(), 0.1)\n",
            "loss-negated",
        ),
        ("    ops.assign(opt.learning_rate, slower(turn))\n", "loss-negated"),
    ],
    ids=["weights that are set before a training of their own", "the rate of the optimizer"],
)
def test_what_is_written_is_not_the_weights_that_are_trained(tmp_path: Path, made: str, expected: str) -> None:
    inner = LOOP.replace("LOSS", "-ops.cross_entropy(logits, y)").strip().replace("\n", "\n    ")
    assert codes(tmp_path, f"for turn in range(3):\n{made}    {inner}\n") == [expected]


@pytest.mark.parametrize(("taken", "expected"), [("0, None", []), ("None, opt.parameters", ["loss-negated"])])
def test_a_loss_that_an_input_is_to_raise(tmp_path: Path, taken: str, expected: list[str]) -> None:
    loop = LOOP.replace("None, opt.parameters", taken).replace("LOSS", "-ops.cross_entropy(logits, y)")
    assert codes(tmp_path, loop) == expected


PUBLISHED = """
from mindnlp.transformers import AutoModelForSequenceClassification
known = AutoModelForSequenceClassification.from_pretrained("some")
tuned = nn.Adam(known.trainable_params(), 1e-5)

def forward(ids, mask, labels):
    GIVEN
    return LOSS

step = ms.value_and_grad(forward, None, tuned.parameters)
for ids, mask, labels in data:
    loss, grads = step(ids, mask, labels)
    tuned(grads)
"""
RUN = "given = known(input_ids=ids, attention_mask=mask, labels=labels)"


@pytest.mark.parametrize(
    ("given", "loss", "expected"),
    [
        (RUN, "given.loss", ["loss-negated"]),
        (RUN, "given[0]", ["loss-negated"]),
        (RUN.replace("given =", "loss, scores ="), "loss", ["loss-negated"]),
        ("given = known(**ids)", "given.loss", ["loss-negated"]),
        (RUN, "given[1]", []),  # the scores
        (RUN.replace(", labels=labels", ""), "given[0]", []),  # scores, too
        (RUN.replace("labels=labels", "labels=None"), "given[0]", []),
        (RUN.replace("known(", "helper("), "given[0]", []),
    ],
)
def test_the_loss_that_a_published_network_gives(tmp_path: Path, given: str, loss: str, expected: list[str]) -> None:
    text = PUBLISHED.replace("GIVEN", given)
    assert codes(tmp_path, text.replace("LOSS", f"-{loss}")) == expected
    assert codes(tmp_path, text.replace("LOSS", loss)) == []


@pytest.mark.parametrize(
    "given",
    ["[-g for g in grads]", "ops.HyperMap()(ops.neg, grads)", "tuple(map(lambda g: -1 * g, grads))", "turned(grads)"],
)
@pytest.mark.parametrize(("loss", "expected"), [("", ["gradients-negated"]), ("-", [])])
def test_gradients_that_are_negated_before_the_optimizer_has_them(
    tmp_path: Path, given: str, loss: str, expected: list[str]
) -> None:
    helper = "def turned(grads):\n    return [ops.neg(g) / 2 for g in grads]\n"
    text = LOOP.replace("LOSS", f"{loss}ops.cross_entropy(logits, y)").replace("opt(grads)", f"opt({given})")
    assert codes(tmp_path, helper + text) == expected


def test_gradients_that_are_negated_beside_those_that_are_applied(tmp_path: Path) -> None:
    text = LOOP.replace("LOSS", "ops.cross_entropy(logits, y)")
    assert codes(tmp_path, text.replace("opt(grads)", "opt(grads)\n    print([-g for g in grads])")) == []
    assert codes(tmp_path, text.replace("opt(grads)", "opt([-(-g) for g in grads])")) == []


ACCUMULATED = """
totals = opt.parameters.clone(prefix="totals", init="zeros")
turn = ops.MultitypeFuncGraph("turn")

@turn.register("Tensor", "Tensor")
def _turn(total, gradient):
    return ops.assign_add(total, SIGNgradient / 4)

class Cell(nn.Cell):
    def __init__(self, network):
        super().__init__(auto_prefix=False)
        self.network, self.grad, self.map = network, ops.GradOperation(get_by_list=True), ops.HyperMap()

    def construct(self, x, y):
        grads = self.grad(self.network, opt.parameters)(x, y)
        self.map(turn, totals, grads)
        return opt(totals)

cell = Cell(nn.WithLossCell(net, nn.CrossEntropyLoss()))
for x, y in data:
    cell(x, y)
"""


@pytest.mark.parametrize(("sign", "expected"), [("", []), ("-", ["gradients-negated"])])
def test_gradients_that_are_negated_as_they_are_summed_up(tmp_path: Path, sign: str, expected: list[str]) -> None:
    assert codes(tmp_path, ACCUMULATED.replace("SIGN", sign)) == expected


def test_optimizers_that_a_setting_chooses_between_do_not_compete(tmp_path: Path) -> None:
    chosen = "".join(
        f"if kind == '{name.lower()}':\n    opt = nn.{name}(net.trainable_params(), 0.1)\n" for name in ("Adam", "SGD")
    )
    text = LOOP.replace("LOSS", "-ops.cross_entropy(logits, y)")
    assert codes(tmp_path, f"import sys\nkind = sys.argv[1]\n{chosen}{text}") == ["loss-negated"]


def test_labels_in_a_parameter_that_is_not_trained_are_no_prediction(tmp_path: Path) -> None:
    loss = "-ops.cross_entropy(logits, ms.Parameter(ms.Tensor(y), requires_grad=False))"
    assert codes(tmp_path, LOOP.replace("LOSS", loss)) == ["loss-negated"]


@pytest.mark.parametrize(("between", "never"), [("", True), ("kind = sys.argv[2]\n", False)])
@pytest.mark.parametrize("asked", ["kind", "args.kind"])
def test_a_setting_chooses_one_way_as_long_as_it_is_the_same(
    tmp_path: Path, between: str, never: bool, asked: str
) -> None:
    begin = "import sys\n" + (
        "kind = sys.argv[1]\n" if asked == "kind" else "from elsewhere import parse\nargs = parse()\n"
    )
    between = between.replace("kind = sys.argv[2]", "kind = sys.argv[2]" if asked == "kind" else "args = parse()")
    text = begin + f"if {asked} == 'a':\n    one()\n{between}if {asked} == 'b':\n    other()\n"
    (tmp_path / "train.py").write_text(text)
    source = read(tmp_path / "train.py", "train.py")
    trace = follow(source, assumption("train"), Project(tmp_path, tmp_path).find, tmp_path)
    one, other = (call for call in trace.calls if call.name in ("one", "other"))
    assert exclusive(one, other) is never


@pytest.mark.parametrize("sign", ["+", "-"])
@pytest.mark.parametrize(
    ("far", "told"),
    [
        ("(p * ops.log(p * 4 + 1e-20)).sum(-1).mean()", True),
        ("ops.reduce_sum(p * (ops.log(p) - ops.log(z)), -1).mean()", True),
        ("(z * ops.log(z / (p + 1e-9))).sum(-1).mean()", True),
        ("ops.kl_div(ops.log(p), z)", True),
        ("nn.KLDivLoss()(ops.log_softmax(net(x), -1), ops.softmax(net(x + 1), -1))", False),  # two that learn
        ("(p * ops.log(p)).sum(-1).mean()", False),  # an entropy
    ],
)
def test_a_divergence_that_is_taken_off(tmp_path: Path, far: str, sign: str, told: bool) -> None:
    loop = LOOP.replace("forward(x, y)", "forward(x, y, z)").replace("x, y in data", "x, y, z in data")
    text = loop.replace("step(x, y)", "step(x, y, z)").replace(
        "LOSS", f"nn.CrossEntropyLoss()(logits, y) {sign} 0.1 * {far}"
    )
    text = text.replace("logits = net(x)", "logits = net(x)\n    p = ops.softmax(logits, -1)")
    assert codes(tmp_path, text) == ["loss-negated-perhaps"] * (told and sign == "-")


@pytest.mark.parametrize(("sign", "expected"), [("", []), ("-", ["loss-negated"])])
def test_losses_that_a_dict_holds_are_added_up(tmp_path: Path, sign: str, expected: list[str]) -> None:
    text = """
class Criterion(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weights = {"classes": 1.0, "boxes": 5.0}

    def of_classes(self, logits, y):
        return {"classes": ops.cross_entropy(logits, y)}

    def of_boxes(self, logits, y):
        return {"boxes": ops.l1_loss(logits, y)}

    def construct(self, logits, y):
        losses = {}
        for name in ("classes", "boxes"):
            losses.update({"classes": self.of_classes, "boxes": self.of_boxes}[name](logits, y))
        return losses

criterion = Criterion()
""" + LOOP.replace(
        "    return LOSS",
        "    losses = criterion(logits, y)\n"
        "    scaled = {k: v * criterion.weights[k] for k, v in losses.items() if k in criterion.weights}\n"
        f"    return {sign}sum(scaled.values())",
    )
    assert codes(tmp_path, text) == expected
