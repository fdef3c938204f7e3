"""No problem, and not applicable, rest on a network and on data that were followed: each static probe says which, or where that ended."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from accucheck import probe
from accucheck.case import Case, CaseFile
from accucheck.model import Finding, Level, Verdict, suggest
from findings import found_by

OF_NETWORKS = (
    *(
        "api_differences",
        "train_mode",
        "weight_sharing_script",
        "frozen_weights_script",
        "graph_connectivity_script",
        "loss_function",
    ),
    *("zero_weights_script", "overflow_script", "loss_scale_script", "clip_order", "gradient_penalty"),
)
OF_DATA = ("input_normalization", "train_infer_transforms", "shuffle_settings", "padding_script", "sharding")
SCRIPT = """import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn
from zoo import build, loader


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = {body}
        self.head = nn.Conv2d(8, 3, 1, pad_mode="pad", padding=0, has_bias=True)

    def construct(self, x):
        return self.head(self.body(x))


data = {data}
net = Net()
ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1)).train(1, data)
"""
BODY = 'nn.Conv2d(3, 8, 1, pad_mode="pad", padding=0, has_bias=True)'
DATA = "ds.Cifar10Dataset('data', usage='train').map(ds.vision.Rescale(1 / 255, 0), 'image').batch(32)"
SEEN = {Verdict.OK, Verdict.NOT_APPLICABLE}


def look(root: Path, name: str, body: str = BODY, data: str = DATA) -> tuple[list[Finding], Verdict]:
    (root / "train.py").write_text(SCRIPT.format(body=body, data=data))
    spec: dict[str, Any] = {"scripts": {"train": "train.py"}, "runtime": {"mindspore": "2.10.0"}}
    module = probe.load(name)
    found = found_by(module, Case(root=str(root), spec=msgspec.convert(spec, CaseFile)), module.Params())
    return found, getattr(module, "suggest", suggest)(found)


@pytest.mark.parametrize("name", OF_NETWORKS)
def test_a_network_that_was_followed_is_named_with_its_layers(tmp_path: Path, name: str) -> None:
    found, verdict = look(tmp_path, name)
    (seen,) = (finding for finding in found if finding.code == "network-seen")
    assert (seen.data["network"], seen.data["applied"], seen.data["layers"]) == ("Net", 2, 2)
    assert verdict in SEEN or any(finding.code == "relied-on" for finding in found)


@pytest.mark.parametrize("name", OF_NETWORKS)
def test_a_network_from_elsewhere_leaves_the_probe_undecided(tmp_path: Path, name: str) -> None:
    found, verdict = look(tmp_path, name, body="build('resnet50')")
    assert verdict is Verdict.UNDECIDED
    (stop,) = (finding for finding in found if finding.code == "network-unseen")
    assert stop.incomplete and stop.level is Level.INFO
    assert (stop.where.path, stop.where.line, stop.data["call"]) == ("train.py", 10, "build('resnet50')")


@pytest.mark.parametrize("name", OF_DATA)
def test_the_data_set_that_feeds_the_training_is_named(tmp_path: Path, name: str) -> None:
    found, verdict = look(tmp_path, name)
    (seen,) = (finding for finding in found if finding.code == "data-seen")
    assert (seen.data["dataset"], seen.where.line) == ("Cifar10Dataset", 17) and verdict in SEEN


@pytest.mark.parametrize("name", OF_DATA)
def test_data_from_elsewhere_leave_the_probe_undecided(tmp_path: Path, name: str) -> None:
    found, verdict = look(tmp_path, name, data="loader(32)")
    assert verdict is Verdict.UNDECIDED
    (stop,) = (finding for finding in found if finding.code == "data-unseen")
    assert (stop.where.line, stop.data["call"], stop.incomplete) == (17, "loader(32)", True)
