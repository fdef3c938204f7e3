"""update_ratio on real steps: what the ratio is, and which weights and optimizers it is not judged by."""

from pathlib import Path
from typing import Any

import pytest

import networks
from accucheck import probe
from accucheck.case import Case
from accucheck.model import Finding, Verdict, suggest
from accucheck.probes import update_ratio
from findings import of_code, told

pytestmark = pytest.mark.mindspore

NET = """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Dense(8, 16), nn.Dense(16, 2)
{init}
    def construct(self, x):
        return {output}

def rising(params, peak):
    return nn.SGD(params, nn.WarmUpLR(peak, 5000))

def scaled(params):
    return nn.Momentum(params, 0.05, 0.9, loss_scale=1024.0)
"""
OUTPUT = "self.last(ops.relu(self.first(x)))"


def run(
    root: Path, optimizer: str, init: str = "", output: str = OUTPUT, seconds: float = 120.0, **args: Any
) -> list[Finding]:
    lines = "".join(f"        {line}\n" for line in init.splitlines())
    body = NET.replace("{init}", lines).replace("{output}", output)
    spec = {"loss": {"call": "mindspore.nn:CrossEntropyLoss"}, "optimizer": {"call": optimizer, "args": args}}
    return networks.run("update_ratio", root, body, params={"seconds": seconds}, **spec)


def ratios(found: list[Finding]) -> dict[str, list[Any]]:
    return {row[0]: row[2:] for row in of_code(found, "examined").evidence[0].rows}


def test_the_ratio_is_that_of_one_step(tmp_path: Path) -> None:
    """The gradient of the mean of a weight is 1/size, so that the change of SGD is rate/size, whatever the batch."""
    init = "self.own = Parameter(Tensor(np.full((4, 5), 0.5), ms.float32), name='own')"
    body = NET.replace("{init}", f"        {init}\n").replace("{output}", "self.own.mean() + 0 * x.sum()")
    spec = {"optimizer": {"call": "mindspore.nn:SGD", "args": {"learning_rate": 0.1}}}
    found = networks.run("update_ratio", tmp_path, body, **spec)
    assert ratios(found)["own"] == pytest.approx([0.1 / 20 / 0.5] * 3, rel=1e-4)


def test_weights_that_start_at_zero_and_words_that_do_not_occur(tmp_path: Path) -> None:
    init = "self.up = nn.Dense(16, 2, weight_init='zeros')\nself.words = nn.Embedding(5000, 8)"
    output = "self.last(x1) + self.up(x1)".replace(
        "x1", "ops.relu(self.first(x + self.words((x[:, 0] > 0).astype(ms.int32))))"
    )
    found = run(tmp_path, "mindspore.nn:SGD", init, output, learning_rate=0.1)
    assert not told(found) and of_code(found, "started-at-zero").data["names"] == ["up.weight"]
    assert ratios(found)["words.embedding_table"][0] > 1e-4  # 2 of 5000 rows move


def test_a_warm_up_is_taken_at_its_height(tmp_path: Path) -> None:
    assert not told(run(tmp_path, "net:rising", peak=0.3))
    low = of_code(run(tmp_path, "net:rising", peak=1e-5), "too-small")
    assert low.data["count"] == 2 and low.data["height"]["en"].startswith("; the rate rises")


def test_an_optimizer_that_divides_by_a_loss_scale(tmp_path: Path) -> None:
    found = run(tmp_path, "net:scaled")
    assert not told(found) and of_code(found, "loss-scale").data["scale"] == 1024
    assert 1e-4 < of_code(found, "examined").data["middle"] < 0.1


def test_what_becomes_nan_is_told_and_what_was_before_is_judged(tmp_path: Path) -> None:
    found = run(tmp_path, "mindspore.nn:SGD", "", "1e9 * " + OUTPUT, learning_rate=1e30)
    assert "not-finite" in told(found) and suggest(found) is not Verdict.OK


def test_too_few_steps_and_no_optimizer(tmp_path: Path) -> None:
    found = run(tmp_path, "mindspore.nn:SGD", seconds=1e-6, learning_rate=0.1)
    assert {f.code for f in found} == {"few-steps"} and suggest(found) is Verdict.UNDECIDED
    assert "optimizer | phases" in probe.missing(update_ratio, Case(root=str(tmp_path)))
