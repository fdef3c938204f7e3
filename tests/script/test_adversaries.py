"""Networks that are trained against each other pull the score of what one of them makes in opposite directions."""

from __future__ import annotations

from pathlib import Path

import pytest

from accucheck.case import Case, CaseFile
from accucheck.case import Scripts as Given
from accucheck.script import adversaries
from accucheck.script.analysis import read_scripts
from accucheck.script.losses import Losses, Observation

HEAD = """
import numpy as np
import mindspore as ms
from mindspore import nn, ops

class Judge(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body, self.out = nn.Dense(16, 8), nn.Dense(8, 1)

    def construct(self, x):
        return self.out(ops.relu(self.body(x)))

judge, maker = Judge(), nn.SequentialCell(nn.Dense(4, 8), nn.ReLU(), nn.Dense(8, 16))
judge_opt, maker_opt = nn.Adam(judge.trainable_params()), nn.Adam(maker.trainable_params())
prob = nn.Sigmoid()
ones, zeros = ops.ones((8, 1), ms.float32), ms.Tensor(np.zeros((8, 1)), ms.float32)
"""
FUNCTIONS = """
def judged(real, z):
    fake = ops.stop_gradient(maker(z))
    return JUDGE

def made(real, z):
    fake = maker(z)
    return MAKER

judge_step = ms.value_and_grad(judged, None, judge_opt.parameters)
maker_step = ms.value_and_grad(made, None, maker_opt.parameters)
for real, z in data:
    loss, grads = judge_step(real, z)
    judge_opt(grads)
    loss, grads = maker_step(real, z)
    maker_opt(grads)
"""
CELLS = """
class Judged(nn.Cell):
    def __init__(self, judge, maker):
        super().__init__()
        self.judge, self.maker = judge, maker

    def construct(self, real, z):
        judge, fake = self.judge, self.maker(z)
        return JUDGE

class Made(nn.Cell):
    def __init__(self, judge, maker):
        super().__init__()
        self.judge, self.maker = judge, maker

    def construct(self, real, z):
        judge, fake = self.judge, self.maker(z)
        return MAKER

judge_step = nn.TrainOneStepCell(Judged(judge, maker), judge_opt)
maker_step = nn.TrainOneStepCell(Made(judge, maker), maker_opt)
for real, z in data:
    judge_step(real, z)
    maker_step(real, z)
"""
BOXED = """
class BoxedStep(nn.TrainOneStepCell):
    def __init__(self, network, optimizer, bound=0.01):
        super().__init__(network, optimizer)
        self.bound = bound

    def construct(self, *inputs):
        loss = super().construct(*inputs)
        for weight in self.weights:
            ops.assign(weight, ops.clip_by_value(weight, -self.bound, self.bound))
        return loss
""" + CELLS.replace("judge_step = nn.TrainOneStepCell(", "judge_step = BoxedStep(")

#: A critic's loss and a generator's that compete.
PAIRS = [
    ("judge(fake).mean() - judge(real).mean()", "-judge(fake).mean()"),
    (
        "ops.mean(ops.neg(judge(real))) + judge(fake).mean(0).sum()",
        "-1.0 * judge(fake).mean() + 10 * (fake - real).abs().mean()",
    ),
    ("ops.relu(1 - judge(real)).mean() + ops.relu(1 + judge(fake)).mean()", "-judge(fake).mean()"),
    (
        "nn.BCEWithLogitsLoss()(judge(real), ones) + nn.BCEWithLogitsLoss()(judge(fake), zeros)",
        "nn.BCEWithLogitsLoss()(judge(fake), ops.ones_like(judge(fake)))",
    ),
    (
        "0.5 * (ops.binary_cross_entropy(prob(judge(real)), ones * 0.9) + ops.binary_cross_entropy(prob(judge(fake)), zeros))",
        "ops.binary_cross_entropy(ops.sigmoid(judge(fake)), ones)",
    ),
    ("((judge(real) - 1) ** 2).mean() + ops.square(judge(fake)).mean()", "nn.MSELoss()(judge(fake), ones)"),
    (
        "-ops.log(ops.sigmoid(judge(real))).mean() - ops.log(1 - ops.sigmoid(judge(fake))).mean()",
        "ops.log(1 - ops.sigmoid(judge(fake))).mean()",
    ),
    ("ops.softplus(judge(fake)).mean() + ops.softplus(-judge(real)).mean()", "ops.softplus(-judge(fake)).mean()"),
]


def said(folder: Path, text: str) -> list[Observation]:
    (folder / "train.py").write_text(HEAD + text)
    scripts = read_scripts(Case(root=str(folder), spec=CaseFile(scripts=Given(train="train.py"))))
    return [one for reading in scripts.training for one in adversaries.examine(Losses(reading))]


def pair(form: str, judge: str, maker: str) -> str:
    return form.replace("JUDGE", judge).replace("MAKER", maker)


@pytest.mark.parametrize("form", [FUNCTIONS, CELLS, BOXED])
@pytest.mark.parametrize(("judge", "maker"), PAIRS)
def test_those_that_compete_are_in_order(tmp_path: Path, form: str, judge: str, maker: str) -> None:
    assert said(tmp_path, pair(form, judge, maker)) == []


@pytest.mark.parametrize("form", [FUNCTIONS, CELLS, BOXED])
@pytest.mark.parametrize(("judge", "maker"), PAIRS)
def test_a_critic_that_takes_real_for_made_helps_the_generator(
    tmp_path: Path, form: str, judge: str, maker: str
) -> None:
    turned = judge.replace("real", "?").replace("fake", "real").replace("?", "fake")
    (one,) = said(tmp_path, pair(form, turned, maker))
    assert one.code == "same-direction"
    assert turned in one.place.source.lines[one.place.line - 1]
    assert maker in one.also.source.lines[one.also.line - 1]


@pytest.mark.parametrize("form", [FUNCTIONS, CELLS, BOXED])
@pytest.mark.parametrize(
    ("judge", "maker"),
    [
        ("judge(fake).mean() + judge(real).mean()", "-judge(fake).mean()"),
        ("ops.relu(1 - judge(real)).mean() + ops.relu(1 - judge(fake)).mean()", "-judge(fake).mean()"),
        (
            "nn.BCEWithLogitsLoss()(judge(real), ones) + nn.BCEWithLogitsLoss()(judge(fake), ones)",
            "nn.BCEWithLogitsLoss()(judge(fake), ops.ones_like(judge(fake)))",
        ),
        ("((judge(real) - 1) ** 2).mean() + ops.square(judge(fake) - 1).mean()", "nn.MSELoss()(judge(fake), ones)"),
    ],
)
def test_a_critic_that_is_asked_the_same_of_all_samples(tmp_path: Path, form: str, judge: str, maker: str) -> None:
    (one,) = said(tmp_path, pair(form, judge, maker))
    assert one.code == "nothing-told-apart"
    assert judge in one.place.source.lines[one.place.line - 1]
    assert maker in one.also.source.lines[one.also.line - 1]


@pytest.mark.parametrize("form", [FUNCTIONS, CELLS, BOXED])
@pytest.mark.parametrize(
    ("judge", "codes"),
    [
        ("nn.BCEWithLogitsLoss()(judge(real), ones) + nn.BCEWithLogitsLoss()(judge(real), zeros)", ["same-for-both"]),
        ("nn.BCEWithLogitsLoss()(judge(real), ones) + nn.BCEWithLogitsLoss()(judge(fake), zeros)", []),
        ("nn.BCEWithLogitsLoss()(judge(real), ones) + nn.BCEWithLogitsLoss()(judge(pool(fake)), zeros)", []),
        ("nn.BCEWithLogitsLoss()(judge(real), ones) + nn.BCEWithLogitsLoss()(judge(real + z), zeros)", []),
    ],
)
def test_a_critic_that_scores_the_same_samples_twice(tmp_path: Path, form: str, judge: str, codes: list[str]) -> None:
    maker = "nn.BCEWithLogitsLoss()(judge(fake), ops.ones_like(judge(fake)))"
    assert [one.code for one in said(tmp_path, pair(form, judge, maker))] == codes


@pytest.mark.parametrize(
    ("judge", "maker", "wrong"),
    [
        (*PAIRS[0], "judge(fake).mean()"),
        (*PAIRS[2], "judge(fake).mean() + 10 * (fake - real).abs().mean()"),
        (*PAIRS[3], "nn.BCEWithLogitsLoss()(judge(fake), zeros)"),
        (*PAIRS[5], "ops.mse_loss(judge(fake), zeros)"),
        (*PAIRS[6], "-ops.log(1 - ops.sigmoid(judge(fake))).mean()"),
    ],
)
def test_a_generator_that_helps_its_critic(tmp_path: Path, judge: str, maker: str, wrong: str) -> None:
    (one,) = said(tmp_path, pair(FUNCTIONS, judge, wrong))
    assert wrong in one.place.source.lines[one.place.line - 1]


@pytest.mark.parametrize(
    ("judge", "maker"),
    [
        # Labels that are not seen, scores that are compared with each other, the same formula for all samples.
        (
            "nn.BCEWithLogitsLoss()(judge(real), a) + nn.BCEWithLogitsLoss()(judge(fake), b)",
            "nn.BCEWithLogitsLoss()(judge(fake), b)",
        ),
        ("nn.MSELoss()(judge(real), judge(fake))", "nn.MSELoss()(judge(real), judge(fake))"),
        ("judge(fake).mean() + judge(real).mean()", "judge(fake).mean()"),
        # A value that rates what a policy does, and learns from what came of it.
        ("ops.square(judge(fake) - rewards).mean()", "-judge(fake).mean()"),
        # Two samples from the same network, and one loss for two optimizers.
        ("judge(maker(z)).mean() - judge(maker(real)).mean()", "judge(maker(z)).mean() - judge(maker(real)).mean()"),
        ("worth * judge(real).mean() - worth * judge(fake).mean()", "-judge(fake).mean()"),
    ],
)
def test_what_is_no_such_game_or_is_not_seen(tmp_path: Path, judge: str, maker: str) -> None:
    assert said(tmp_path, pair(FUNCTIONS, judge, maker)) == []


HELPERS = """
class Aim(nn.Cell):
    def __init__(self):
        super().__init__()
        self.loss = nn.BCEWithLogitsLoss()

    def construct(self, score, real):
        target = ops.ones_like(score) if real else ops.zeros_like(score)
        return self.loss(score, target)

aim = Aim()

def hinge(score, real=True):
    if real:
        return ops.relu(1.0 - score).mean()
    return ops.relu(1.0 + score).mean()
"""


@pytest.mark.parametrize(
    ("judge", "maker", "told"),
    [
        ("aim(judge(real), True) + aim(judge(fake), False)", "aim(judge(fake), True)", False),
        ("aim(judge(real), True) + aim(judge(fake), False)", "aim(judge(fake), False)", True),
        ("(hinge(judge(real)) + hinge(judge(fake), real=False)) / 2", "-judge(fake).mean()", False),
        ("(hinge(judge(real)) + hinge(judge(fake), real=False)) / 2", "hinge(judge(fake), False)", True),
        # Of a flag that is not seen, both ways are possible.
        ("aim(judge(real), flag) + aim(judge(fake), other)", "aim(judge(fake), flag)", False),
    ],
)
def test_losses_of_the_project_that_are_told_what_is_real(tmp_path: Path, judge: str, maker: str, told: bool) -> None:
    found = said(tmp_path, HELPERS + pair(FUNCTIONS, judge, maker))
    assert [one.code for one in found] == ["same-direction"] * told


def test_gradients_that_are_negated_turn_all_around(tmp_path: Path) -> None:
    text = pair(FUNCTIONS, PAIRS[0][0], "judge(fake).mean()").replace(
        "maker_opt(grads)", "maker_opt([-grad for grad in grads])"
    )
    assert said(tmp_path, text) == []
