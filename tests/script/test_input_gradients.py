"""A gradient penalty needs the gradient of each sample's own score, not that of their average."""

from __future__ import annotations

from pathlib import Path

import pytest

from accucheck.case import Case, CaseFile
from accucheck.case import Scripts as Given
from accucheck.script import input_gradients
from accucheck.script.analysis import read_scripts
from accucheck.script.losses import Losses, Observation

TEXT = """
import mindspore as ms
from mindspore import nn, ops

class Judge(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body, self.out = nn.Dense(16, 8), nn.Dense(8, 1)

    def construct(self, x):
        score = self.out(ops.relu(self.body(x)))
        return SCORE

judge = Judge()
opt = nn.Adam(judge.trainable_params())

def judged(real, fake):
    part = ops.rand(8, 1)
    between = part * real + (1 - part) * fake
    slope = GRADIENT
    PENALTY
    return (judge(fake) - judge(real)).mean() + 10 * penalty

step = ms.value_and_grad(judged, None, opt.parameters)
for real, fake in data:
    loss, grads = step(real, fake)
    opt(grads)
"""
GRADIENTS = [
    "ms.grad(judge)(between)",
    "ms.value_and_grad(judge, 0)(between)[1]",
    "ops.GradOperation()(judge)(between)",
    "ops.GradOperation(get_all=True)(judge)(between)[0]",
]
PENALTIES = [
    "penalty = ((ops.sqrt((slope ** 2).sum(axis=1)) - 1) ** 2).mean()",
    "norm = slope.reshape(8, -1).norm(dim=1)\n    penalty = ops.square(norm - 1).mean()",
    "penalty = ops.relu(ops.norm(slope, dim=1) + -1.0).mean()",
    "penalty = ((ops.sqrt(ops.reduce_sum(ops.square(slope), 1) + 1e-8) - 1.0) ** 2).mean()",
]


def said(folder: Path, score: str, gradient: str = GRADIENTS[0], penalty: str = PENALTIES[0]) -> list[Observation]:
    text = TEXT.replace("SCORE", score).replace("GRADIENT", gradient).replace("PENALTY", penalty)
    (folder / "train.py").write_text(text)
    scripts = read_scripts(Case(root=str(folder), spec=CaseFile(scripts=Given(train="train.py"))))
    return [one for reading in scripts.training for one in input_gradients.examine(Losses(reading))]


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("gradient", GRADIENTS)
@pytest.mark.parametrize("score", ["score.mean()", "ops.ReduceMean()(score)", "score.squeeze().mean(axis=0)"])
def test_the_gradient_of_an_average_is_too_small(tmp_path: Path, score: str, gradient: str, penalty: str) -> None:
    (one,) = said(tmp_path, score, gradient, penalty)
    assert one.code == "penalty-of-mean" and score in one.place.source.lines[one.place.line - 1]


@pytest.mark.parametrize(
    "score", ["score", "score.sum()", "score.mean(axis=1)", "score.squeeze(1)", "score.mean() * 8"]
)
def test_scores_that_are_not_averaged_are_in_order(tmp_path: Path, score: str) -> None:
    assert said(tmp_path, score) == []


@pytest.mark.parametrize(
    "penalty",
    [
        "penalty = (slope ** 2).sum(axis=1).mean()",
        "penalty = ((ops.sqrt((slope ** 2).sum()) - 1) ** 2).mean()",
        "penalty = ((ops.sqrt((slope ** 2).sum(axis=1)) - norm) ** 2).mean()",
        "penalty = ((slope - 1) ** 2).mean()",
    ],
)
def test_gradients_that_are_not_compared_sample_by_sample(tmp_path: Path, penalty: str) -> None:
    assert said(tmp_path, "score.mean()", penalty=penalty) == []


def test_the_average_itself_and_scaled_gradients_are_no_gradients_of_samples(tmp_path: Path) -> None:
    assert said(tmp_path, "score.mean()", "ms.value_and_grad(judge, 0)(between)[0]") == []
    assert said(tmp_path, "score.mean()", "ops.GradOperation(sens_param=True)(judge)(between, eight)") == []
