"""lr_range: bounds from curves of known bounds, none from flat ones, and the rate of the training wherever it is told."""

import math
import sys
from pathlib import Path

import msgspec
import numpy as np
import pytest

from accucheck.case import Case, CaseFile
from accucheck.errors import ReadError
from accucheck.model import Finding, Verdict, suggest
from accucheck.probes import lr_range
from accucheck.probes._rate_bounds import bounds, is_exponential
from accucheck.probes.lr_range import Params, _csv
from findings import found_by, of_code, told

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
import lr_range_alarms


def examine(root: Path, test: str, **more: str) -> list[Finding]:
    """`more`: the text of train.csv, or of train.py."""
    (root / "lr.csv").write_text(test)
    content: dict = {"curves": {"lr_test": "lr.csv"}}
    for name, text in more.items():
        file = {"log": "train.csv", "script": "train.py"}[name]
        (root / file).write_text(text)
        if name == "log":
            content["curves"]["train"] = file
        else:
            content["scripts"] = {"train": file}
    return found_by(lr_range, Case(root=str(root), spec=msgspec.convert(content, CaseFile)), Params())


def test_flat_curves_have_no_bounds():
    assert lr_range_alarms.false_bounds(200, np.random.default_rng(0)) == 0


@pytest.mark.parametrize("exponential", [False, True])
@pytest.mark.parametrize("falling", [False, True])
def test_known_bounds_are_found(exponential, falling, capsys):
    rows = lr_range_alarms.errors(60, np.random.default_rng(1), 400, exponential, falling)
    assert all(one.met for one in rows), capsys.readouterr().out


@pytest.mark.parametrize("end", [math.nan, math.inf, 1e30])
def test_a_loss_that_explodes_does_not_hide_its_bounds(end):
    rates = np.geomspace(1e-6, 1, 400)
    values = 2.3 - 2 * ((np.log10(rates) + 3) / 1.5).clip(0, 1) + 0.02 * np.random.default_rng(0).standard_normal(400)
    values[370:] = end
    found = bounds(rates, values, falling=True, least=0.05, noises=8, tolerance=0.05).bounds
    assert found is not None and not found.below and not found.above
    assert found.lower == pytest.approx(1e-3, rel=0.2) and found.upper == pytest.approx(10**-1.5, rel=0.35)
    assert found.falls < rates[370]


def test_the_scale_of_a_schedule():
    assert is_exponential(np.geomspace(1e-5, 1, 100)) and is_exponential(np.repeat(np.geomspace(1e-5, 1, 10), 10))
    assert not is_exponential(np.linspace(0, 0.5, 100)) and not is_exponential(np.linspace(0.01, 0.5, 100))


def test_a_linear_test_of_percents(tmp_path):
    """As Smith's plot is: from 0 to 0.5, here with a top-1 accuracy from 10 to 90."""
    random = np.random.default_rng(3)
    lines = ["step,learning_rate,top1_acc,loss"]
    for step in range(400):
        rate = 0.5 * step / 399
        share = min(max((rate - 0.05) / 0.2, 0), 1) * (1 if rate < 0.35 else 0.2)
        lines.append(f"{step},{rate:.6f},{10 + 80 * share + 3 * random.standard_normal():.4f},{random.random():.4f}")
    (found,) = examine(tmp_path, "\n".join(lines), log="step,lr\n1,0.1\n2,0.2\n")
    assert found.code == "inside" and found.data["rate"] == 0.2
    assert found.data["lower"] == pytest.approx(0.05, abs=0.02) and found.data["upper"] == pytest.approx(0.25, abs=0.03)
    (chart,) = found.evidence
    assert set(chart.marks) == {"lower", "upper", "current"} and chart.marks["current"] == 0.2


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("nn.Adam(net.trainable_params())", "inside"),
        ("nn.SGD(net.trainable_params(), nn.cosine_decay_lr(0.0, 0.01, 100, 10, 10))", "inside"),
        ("nn.SGD(net.trainable_params(), nn.cosine_decay_lr(0.0, 1e-5, 100, 10, 10))", "outside"),
        ("nn.SGD(net.trainable_params(), 0.5)", "too-high"),
        ("nn.SGD(net.trainable_params(), ms.get_rate())", "bounds"),
        ("nn.SGD([{'params': net.trainable_params(), 'lr': 0.5}])", "bounds"),
    ],
)
def test_the_rate_of_a_script(tmp_path, script, expected):
    head = "import mindspore as ms\nfrom mindspore import nn\n\nnet = nn.Dense(4, 2)\n"
    found = examine(
        tmp_path, _csv(), script=head + f"opt = {script}\nms.Model(net, nn.MSELoss(), opt).train(10, data)\n"
    )
    assert [finding.code for finding in found] == [expected]


def test_an_option_of_the_command_line_proves_nothing(tmp_path):
    script = """import argparse
import mindspore as ms
from mindspore import nn

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.5)
args = parser.parse_args()
net = nn.Dense(4, 2)
ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), args.lr)).train(10, data)
"""
    assert told(examine(tmp_path, _csv(), script=script)) == {"outside"}


def test_the_curve_of_the_training_goes_before_its_script(tmp_path):
    script = "from mindspore import nn\nnet = nn.Dense(4, 2)\nopt = nn.SGD(net.trainable_params(), 0.5)\n"
    found = of_code(examine(tmp_path, _csv(), log="step,lr\n1,0.001\n2,0.01\n3,nan\n", script=script), "inside")
    assert found.data["rate"] == 0.01 and "train.csv" in found.data["origin"]["en"]


def test_a_second_test_in_one_file_counts(tmp_path):
    flat, risen = _csv(rises=False), _csv()
    found = examine(tmp_path, flat + risen.split("\n", 1)[1], log="step,lr\n1,0.01\n")
    assert {finding.code for finding in found} == {"several", "inside"} and suggest(found) is Verdict.OK


@pytest.mark.parametrize(
    "text",
    [
        "step,lr\n1,0.1\n2,0.2\n",
        "step,accuracy\n1,0.1\n2,0.2\n",
        "step,lr,loss\n1,nan,1\n2,nan,2\n",
        "step,lr,loss\n1,0.1,nan\n",
        _csv(points=39),
        "step,lr,loss\n" + "".join(f"{n},{0.1 - n / 1000},{n}\n" for n in range(90)),
        "step,lr,loss\n" + "".join(f"{n},0,{n}\n" for n in range(90)),
    ],
)
def test_what_is_no_test_is_told(tmp_path, text):
    found = examine(tmp_path, text, log="step,lr\n1,0.01\n")
    assert told(found) == set() and suggest(found) is Verdict.UNDECIDED
    assert "no-test" in {finding.code for finding in found}


@pytest.mark.parametrize("value", ["nan", "inf", "1e308", "-1e308", "0"])
def test_values_that_say_nothing(tmp_path, value):
    text = "step,lr,loss\n" + "".join(f"{n},{0.001 * n},{value}\n" for n in range(1, 90))
    found = examine(tmp_path, text, log="step,lr\n1,0.01\n")
    assert suggest(found) is Verdict.UNDECIDED and told(found) == set()


def test_a_damaged_curve_of_the_training_is_told(tmp_path):
    found = examine(tmp_path, _csv(), log="")
    assert "unreadable" in {finding.code for finding in found} and suggest(found) is Verdict.UNDECIDED


def test_a_file_without_curves_is_an_error(tmp_path):
    with pytest.raises(ReadError):
        examine(tmp_path, "nothing\n")
