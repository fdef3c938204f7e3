"""overfit_batch on networks that learn and on ones that cannot, and what each course of a loss means."""

import hashlib
from pathlib import Path
from typing import Any

import pytest

import networks
from accucheck.case import load
from accucheck.model import Curve, Finding, Level, Verdict, suggest
from accucheck.probes import overfit_batch
from accucheck.probes.overfit_batch import Params, judged
from findings import found_by, of_code, told

NET = """
class Net(nn.Cell):
    def __init__(self, how=""):
        super().__init__()
        self.how, self.one, self.drop, self.two = how, nn.Dense(8, 64), nn.Dropout(p=0.9), nn.Dense(64, 2)
        if how == "frozen":
            for one in self.get_parameters():
                one.requires_grad = False

    def construct(self, x):
        if self.how == "fixed size":
            x = x.reshape((64, 8))
        if self.how == "dead":
            return ops.relu(self.two(x.sum() * 0 + self.one(x)) - 1000)
        return self.two(self.drop(ops.relu(self.one(x))))

class WithLoss(nn.Cell):
    def __init__(self):
        super().__init__()
        self.net = Net()

    def construct(self, x, label):
        return nn.CrossEntropyLoss()(self.net(x), label)
"""
CE = {"call": "mindspore.nn:CrossEntropyLoss"}
BATCH = {"parameters": 4, "trainable": 4, "samples": 32, "conflicts": 0, "differ": True}


def run(root: Path, how: str = "", batch: int = 16, **spec: Any) -> list[Finding]:
    calls = {"network": {"call": "net:Net", "args": {"how": how}}, "loss": CE}
    calls["pipelines"] = {"train": {"call": "net:create", "args": {"batch": batch}}}
    return networks.run("overfit_batch", root, NET, params={"steps": 100}, **{**calls, **spec})


@pytest.mark.mindspore
def test_dropout_is_off_and_the_batch_is_cut(tmp_path: Path) -> None:
    found = run(tmp_path, batch=64)
    fitted = of_code(found, "fitted")
    assert suggest(found) is Verdict.OK and fitted.data["samples"] == 32 and fitted.data["learnt"] >= 0.9
    (chart,) = fitted.evidence
    assert isinstance(chart, Curve) and len(chart.x) == fitted.data["steps"] + 1
    assert chart.series["0.001"][0] == fitted.data["first"] > fitted.data["last"]


@pytest.mark.mindspore
def test_a_network_that_wants_its_number_of_samples_gets_it(tmp_path: Path) -> None:
    assert of_code(run(tmp_path, "fixed size", batch=64), "fitted").data["samples"] == 64


@pytest.mark.mindspore
def test_what_cannot_learn(tmp_path: Path) -> None:
    dead = of_code(run(tmp_path, "dead"), "never-moved")
    assert dead.level is Level.PROBLEM and dead.data["zero"] == dead.data["trainable"] == 4 and dead.data["steps"] == 30
    assert told(run(tmp_path, "frozen")) == {"nothing-trainable"}


@pytest.mark.mindspore
def test_a_network_that_gives_its_loss(tmp_path: Path) -> None:
    found = run(tmp_path, network={"call": "net:WithLoss"}, loss=None)
    assert not told(found) and {one.code for one in found} & {"fitted", "slow"}


@pytest.mark.part(40)
@pytest.mark.mindspore
def test_the_files_of_the_example_stay_as_they_are() -> None:
    digits = Path(__file__).parents[2] / "examples/digits"
    before = {path: hashlib.md5(path.read_bytes()).digest() for path in digits.rglob("*.ckpt")}
    found = found_by(overfit_batch, load(digits), Params())
    assert suggest(found) is Verdict.OK and of_code(found, "fitted").data["learnt"] >= 0.9
    assert before == {path: hashlib.md5(path.read_bytes()).digest() for path in digits.rglob("*.ckpt")}


def attempt(losses: list[float | None], end: str = "steps", **more: Any) -> dict[str, Any]:
    return {"rate": 1e-3, "end": end, "losses": losses, "zero": 0, "learnt": 0.0, "spread": 1.0, **more}


FLAT = [1.1, 1.09, 1.11] * 100
FALLING = [1.1 - 0.002 * step for step in range(300)]


@pytest.mark.parametrize(
    ("attempts", "code", "level"),
    [
        ([attempt(FLAT), attempt(FLAT), attempt(FLAT, learnt=0.05)], "stuck", Level.SUSPECT),
        ([attempt(FLAT, learnt=0.3)] * 3, "stuck", Level.SUSPECT),
        ([attempt(FLAT, learnt=0.6)] * 3, "slow", Level.INFO),
        ([attempt(FALLING, learnt=0.2)] * 3, "slow", Level.INFO),
        ([attempt(FLAT[:50], "seconds")] * 3, "slow", Level.INFO),
        ([attempt([1.1] * 50, "seconds")] * 3, "slow", Level.INFO),
        ([attempt([1.1] * 301)] * 3, "never-moved", Level.PROBLEM),
        ([attempt([0.0] * 301, learnt=None)] * 3, "unmeasured", Level.INFO),
        ([attempt(FLAT, spread=0.0)] * 3, "same-output", Level.PROBLEM),
        ([attempt(FLAT, spread=0.0), attempt(FLAT, spread=0.1)], "stuck", Level.SUSPECT),
        ([attempt(FLAT, spread=0.0), attempt([1.1, None], "not-finite")], "same-output", Level.PROBLEM),
        ([attempt([1.1, 3.0, None], "not-finite")] * 3, "not-finite", Level.PROBLEM),
        ([attempt([1.1, None], "not-finite"), attempt(FLAT, learnt=0.7)], "slow", Level.INFO),
        ([attempt([None], "not-finite")] * 3, "not-finite-at-once", Level.PROBLEM),
        ([attempt([1.1, None], "not-finite"), attempt(FALLING, "fitted", learnt=1.0)], "fitted", Level.INFO),
    ],
)
def test_what_a_course_means(attempts: list[dict[str, Any]], code: str, level: Level) -> None:
    found = list(judged(Params(), BATCH, attempts))
    assert of_code(found, code).level is level


def test_no_attempt_and_equal_inputs() -> None:
    assert suggest(judged(Params(), {}, [])) is Verdict.UNDECIDED
    same = list(judged(Params(), {**BATCH, "differ": False}, [attempt(FLAT, spread=0.0)]))
    assert {one.code for one in same} == {"same-inputs", "stuck"}
    bare = list(judged(Params(), {**BATCH, "parameters": 0, "trainable": 0}, []))
    assert suggest(bare) is Verdict.UNDECIDED and not told(bare)
