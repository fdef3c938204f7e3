"""What training_settings tells of a script: values, where they come from, and what it does not judge."""

from pathlib import Path

import pytest

from accucheck import probe
from accucheck.model import Finding, Level, Table
from accucheck.probe import Example, Verdict

SCRIPT = """
import argparse
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn
from config import cfg

parser = argparse.ArgumentParser()
parser.add_argument("--epoch-size", type=int, default=90)
args = parser.parse_args()

train_ds = ds.Cifar10Dataset("data", usage="train").batch(cfg["batch_size"], drop_remainder=True)
net = nn.Dense(2, 2)
opt = nn.Momentum(net.trainable_params(), learning_rate=cfg["lr"] / 2, momentum=0.9)
ms.Model(net, nn.MSELoss(), opt).train(args.epoch_size, train_ds)
"""
CONFIG = """
cfg = {
    "lr": 0.1,
    "batch_size": 128,
}
"""


def told(tmp_path: Path, script: str, about: str, case: dict[str, object] | None = None) -> list[Finding]:
    files: dict[str, object] = {"train.py": script, "config.py": CONFIG}
    given = {"scripts": {"train": "train.py"}, **(case or {})}
    example = Example("", files=files, case=given, verdict=Verdict.UNDECIDED)  # type: ignore[arg-type]
    module = probe.load("training_settings")
    events = module.run(example.lay_out(tmp_path), probe.params(module, {"about": about}))
    return [event for event in events if isinstance(event, Finding)]


def rows(finding: Finding) -> dict[str, tuple[str, str]]:
    (table,) = (part for part in finding.evidence if isinstance(part, Table))
    return {str(row[0]): (str(row[1]), str(row[2])) for row in table.rows}


def test_a_rate_is_folded_and_the_defaults_of_the_optimizer_are_told(tmp_path: Path) -> None:
    (found,) = told(tmp_path, SCRIPT, "learning_rate")
    assert (found.code, found.level, found.incomplete) == ("rate", Level.INFO, True)
    table = rows(found)
    assert table["learning_rate"][0] == "0.05"
    assert table["momentum"][0] == "0.9"
    assert table["weight_decay"] == ("0.0", "Momentum()")


def test_an_option_is_told_with_the_line_of_its_default(tmp_path: Path) -> None:
    (found,) = told(tmp_path, SCRIPT, "epochs")
    assert rows(found)["epoch"] == ("90", "--train.py:9")
    assert "90" in probe.message(probe.load("training_settings"), found.code, found.data, probe.Language.EN)


def test_a_constant_of_another_module_is_told_with_its_line(tmp_path: Path) -> None:
    (found,) = told(tmp_path, SCRIPT, "batch_size")
    assert rows(found)["batch_size"] == ("128", "config.py:4")
    assert rows(found)["drop_remainder"][0] == "True"


def test_the_number_of_devices_gives_the_global_batch(tmp_path: Path) -> None:
    case = {"runtime": {"distributed": {"devices": 8}}}
    (found,) = told(tmp_path, SCRIPT, "batch_size", case)
    assert found.code == "batch-devices" and found.data["total"] == "1024"


@pytest.mark.parametrize("about", ["learning_rate", "epochs", "batch_size"])
def test_it_never_judges(tmp_path: Path, about: str) -> None:
    module = probe.load("training_settings")
    from accucheck.model import suggest

    assert getattr(module, "suggest", suggest)(told(tmp_path, SCRIPT, about)) is Verdict.UNDECIDED
