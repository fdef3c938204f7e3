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


GRADIENT = """import mindspore as ms
from mindspore import nn

net = nn.Dense(8, 2)
opt = nn.SGD(net.trainable_params(), 0.1)
loss_fn = nn.MSELoss()
{forward}

step = ms.value_and_grad(forward, None, opt.parameters)
for x, y in rows:
    {given}
    opt(gradients)
"""


@pytest.mark.parametrize("name", ["frozen_weights_script", "loss_scale_script"])
@pytest.mark.parametrize(
    ("forward", "given", "inside"),
    [
        ("def forward(x, y):\n    return loss_fn(net(x), y)", "loss, gradients = step(x, y)", True),
        ("def forward(loss):\n    return loss", "loss, gradients = step(loss_fn(net(x), y))", False),
    ],
)
def test_what_is_differentiated_must_run_the_network(
    tmp_path: Path, name: str, forward: str, given: str, inside: bool
) -> None:
    (tmp_path / "train.py").write_text(GRADIENT.format(forward=forward, given=given))
    module = probe.load(name)
    case = Case(root=str(tmp_path), spec=msgspec.convert({"scripts": {"train": "train.py"}}, CaseFile))
    found = found_by(module, case, module.Params())
    assert any(finding.code == "network-unseen" and finding.where.line == 12 for finding in found) is not inside
    assert (getattr(module, "suggest", suggest)(found) in SEEN) is inside


@pytest.mark.parametrize("name", ["loss_scale_script", "overflow_script"])
@pytest.mark.parametrize(
    ("mode", "judged"), [("allow_mix_precision", False), ("must_keep_origin_dtype", True), ("force_fp16", False)]
)
def test_a_precision_mode_of_the_context_is_not_passed_over(tmp_path: Path, name: str, mode: str, judged: bool) -> None:
    script = SCRIPT.format(body=BODY, data=DATA) + f"ms.set_context(ascend_config={{'precision_mode': '{mode}'}})\n"
    (tmp_path / "train.py").write_text(script)
    module = probe.load(name)
    case = Case(root=str(tmp_path), spec=msgspec.convert({"scripts": {"train": "train.py"}}, CaseFile))
    found = found_by(module, case, module.Params())
    told = {finding.code for finding in found if finding.incomplete or finding.level is Level.SUSPECT}
    assert bool(told & {"precision-mode", "no-scale-by-mode"}) is not judged
    assert module.suggest(found) is (Verdict.NOT_APPLICABLE if judged else Verdict.UNDECIDED)


def test_transforms_that_a_configuration_names_are_not_known_to_be_the_same(tmp_path: Path) -> None:
    built = "\n\n\ndef steps(part):\n    return [getattr(ds.vision, name)() for name in plan[part]]\n\n\n"
    data = "ds.Cifar10Dataset('data', usage=part).map({steps}, 'image').batch(32)"
    script = SCRIPT.format(body=BODY, data="make('train')") + "ms.Model(net, nn.MSELoss()).eval(make('test'))\n"
    module = probe.load("train_infer_transforms")
    for steps, verdict in (("steps(part)", Verdict.UNDECIDED), ("[ds.vision.Rescale(1 / 255, 0)]", Verdict.OK)):
        made = f"def make(part):\n    return {data.format(steps=steps)}\n\n\n"
        text = script.replace("\n\n\nclass", f"\nfrom settings import plan{built}{made}class", 1)
        (tmp_path / "train.py").write_text(text)
        case = Case(root=str(tmp_path), spec=msgspec.convert({"scripts": {"train": "train.py"}}, CaseFile))
        assert module.suggest(found_by(module, case, module.Params())) is verdict
