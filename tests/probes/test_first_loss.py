"""First losses of real trainings and of networks as MindSpore initialises them, and logs as they come."""

import math
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from accucheck.case import Case, CaseFile, load
from accucheck.model import Curve, Finding, Language, Verdict, suggest
from accucheck.probe import message
from accucheck.probes import first_loss
from findings import found_by, of_code, told
from real_trainings import train


def judge(folder: Path, classes: int, log: str = "run.jsonl", **more: Any) -> list[Finding]:
    spec = {"curves": {"train": log}, "data": {"train": {"classes": list(range(classes))}}, **more}
    return found_by(first_loss, Case(root=str(folder), spec=msgspec.convert(spec, CaseFile)), first_loss.Params())


@pytest.mark.mindspore
@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"classes": 2}, "first-fits"),
        ({"classes": 100}, "first-fits"),
        ({"classes": 10, "scale": 200.0}, "first-high"),
    ],
)
def test_real_trainings(settings: dict[str, Any], code: str, tmp_path: Path) -> None:
    train(tmp_path, epochs=2, **settings)
    found = judge(tmp_path, settings["classes"])
    finding = of_code(found, code)
    assert suggest(found) is (Verdict.OK if code == "first-fits" else Verdict.UNDECIDED)
    (chart,) = finding.evidence
    assert isinstance(chart, Curve) and set(chart.series["guess"]) == {math.log(settings["classes"])}
    assert chart.series["training-loss"][0] == finding.data["loss"] and len(chart.x) == 40


@pytest.mark.mindspore
@pytest.mark.parametrize("classes", [2, 10, 1000])
def test_random_weights_lie_within_the_limits(classes: int, tmp_path: Path) -> None:
    """Networks of MindSpore with normalised inputs: default initialisers and He's, with and without BatchNorm."""
    import mindspore as ms
    from mindspore import nn
    from mindspore.common.initializer import HeNormal

    ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
    ms.set_seed(0)
    generator = np.random.default_rng(0)
    x = ms.Tensor(generator.standard_normal((64, 64)).astype(np.float32))
    y = ms.Tensor(generator.integers(0, classes, 64).astype(np.int32))
    for weights in ({}, {"weight_init": HeNormal()}):
        for normal in ([], [nn.BatchNorm1d(128)]):
            network = nn.SequentialCell(
                nn.Dense(64, 128, **weights),
                *normal,
                nn.ReLU(),
                nn.Dense(128, 128, **weights),
                nn.ReLU(),
                nn.Dense(128, classes, **weights),
            ).set_train()
            for scale, high in ((1, False), (255, not normal)):
                loss = float(nn.CrossEntropyLoss()(network(x * scale), y).asnumpy())
                (tmp_path / "train.log").write_text(f"epoch: 1 step: 1, loss is {loss}\n")
                assert told(judge(tmp_path, classes, "train.log")) == ({"first-high"} if high else set()), (
                    weights,
                    scale,
                    loss,
                )


def test_the_example_of_this_repository() -> None:
    found = found_by(first_loss, load(Path(__file__).parents[2] / "examples/digits"), first_loss.Params())
    assert of_code(found, "first-fits").data["ratio"] == pytest.approx(1, abs=0.01)


def test_a_training_that_goes_on_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text("epoch: 7 step: 1, loss is 0.2\nepoch: 7 step: 2, loss is 0.2\n")
    assert of_code(judge(tmp_path, 10, "train.log"), "not-first").data["at"] == 7


@pytest.mark.parametrize(("count", "code"), [(0, "no-classes"), (1, "no-classes"), (2, "first-fits")])
def test_two_classes_have_a_loss_of_guessing(tmp_path: Path, count: int, code: str) -> None:
    (tmp_path / "run.csv").write_text("step,loss\n" + "".join(f"{step},{0.7 - step / 100}\n" for step in range(1, 20)))
    assert of_code(judge(tmp_path, count, "run.csv"), code)


@pytest.mark.parametrize(("steps", "code"), [((1, 11, 21), "first-fits"), ((10, 20, 30), "mean-of-epoch")])
def test_a_loss_of_each_epoch_is_the_first_where_it_was_logged_at_the_first_step(
    tmp_path: Path, steps: tuple[int, ...], code: str
) -> None:
    lines = (
        f"epoch: {epoch} step: {step}, loss is {0.7 - epoch / 50:.4f}\n" for epoch, step in enumerate(steps, start=1)
    )
    (tmp_path / "run.log").write_text("".join(lines))
    assert of_code(judge(tmp_path, 2, "run.log"), code)


def test_a_step_beyond_a_million_is_told_in_full(tmp_path: Path) -> None:
    (tmp_path / "run.csv").write_text("step,loss\n1234567,0.5\n1234600,0.4\n")
    finding = of_code(judge(tmp_path, 2, "run.csv"), "not-first")
    assert "step 1,234,567:" in message(first_loss, "not-first", finding.data, Language.EN)
