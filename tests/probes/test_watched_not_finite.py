"""Trainings with a planted NaN or Inf are watched: the probe names operator, cell and line; healthy ones that hold infinities are clean."""

import sys
from pathlib import Path

import pytest

from accucheck import case as cases
from accucheck import probe
from accucheck.model import Finding, Level
from watched_runs import watched

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
import first_not_finite as planted

pytestmark = pytest.mark.mindspore


def judged(folder: Path, **params: str) -> list[Finding]:
    """What the probe says of the last watch below a folder."""
    module = probe.load("watched_not_finite")
    watched = max((folder / ".accucheck" / "watch").iterdir())
    case = cases.load(folder, [f"watched={watched.relative_to(folder)}"])
    return [event for event in module.run(case, probe.params(module, params)) if isinstance(event, Finding)]


@pytest.mark.parametrize(
    ("name", "code", "fix"),
    [
        ("log of 0", "forward", "fix-zero"),
        ("root at 0, backward", "backward", "fix-derivative"),
        ("softmax of a hidden row", "hidden", "fix-hidden"),
        ("float16, backward", "backward", "fix-half"),
        ("update too large", "update", "fix-rate"),
    ],
)
def test_the_operator_and_the_line_are_named(name: str, code: str, fix: str, tmp_path: Path) -> None:
    one = planted.FAULTS[name]
    script, line = planted.written(tmp_path, one, "pynative")
    facts = planted.firsts(tmp_path, script, "pynative")
    assert [(fact["phase"], fact["place"]) for fact in facts[:1]] == [(one.phase, ["train.py", line])]
    found = [finding for finding in judged(tmp_path) if finding.level is not Level.INFO]
    assert [finding.code for finding in found] == [code]
    assert (found[0].where.path, found[0].where.line) == ("train.py", line)
    assert found[0].data["operator"].startswith(one.operators)
    assert found[0].fix is not None
    assert found[0].fix.message == fix
    (loss,) = judged(tmp_path, about="loss")  # the network makes it: the loss is not at fault, and not in order either
    assert (loss.code, loss.level, loss.incomplete) == ("blocked", Level.INFO, True)
    assert f"train.py:{line}" in loss.data["begun"]["en"]


@pytest.mark.parametrize("name", ["float16, update", "log left out by where, backward"])
def test_in_a_graph_the_operation_and_the_line_are_named(name: str, tmp_path: Path) -> None:
    one = planted.FAULTS[name]
    script, line = planted.written(tmp_path, one, "graph")
    facts = planted.firsts(tmp_path, script, "graph")
    assert [(fact["phase"], fact["place"]) for fact in facts[:1]] == [(one.phase, ["train.py", line])]
    assert facts[0]["operator"].startswith(one.operators)
    (found,) = [finding for finding in judged(tmp_path) if finding.level is Level.PROBLEM]
    assert (found.code, found.where.path, found.where.line) == (one.phase, "train.py", line)


@pytest.mark.parametrize("name", ["places hidden by -Inf", "a log of 0 that where leaves out"])
def test_infinities_that_reach_nothing_are_no_fault(name: str, tmp_path: Path) -> None:
    script, _ = planted.written(tmp_path, planted.Planted(planted.HEALTHY[name], ()), "pynative")
    assert planted.firsts(tmp_path, script, "pynative") == []
    (found,) = judged(tmp_path)
    assert (found.code, found.level) == ("finite-operators", Level.INFO)
    assert found.data["steps"] == 3
    assert found.data["count"] > 30


GATED = """
    import mindspore as ms
    import numpy as np
    from mindspore import Tensor, amp, nn, ops

    ms.set_seed(1)
    first, head, loss = nn.Dense(8, 16).to_float(ms.float16), nn.Dense(16, 2), nn.CrossEntropyLoss()
    net = nn.SequentialCell(first, nn.ReLU(), head)
    optimizer = nn.SGD(net.trainable_params(), 0.05)
    scaler = amp.DynamicLossScaler({scale}, 2, 50)
    forward = lambda x, y: scaler.scale(loss(head(ops.relu(first(x)).astype(ms.float32)), y))
    step = ms.value_and_grad(forward, None, optimizer.parameters)
    dice = np.random.default_rng(0)
    for _ in range(12):
        x = dice.standard_normal((16, 8)).astype(np.float32)
        value, grads = step(Tensor(x), Tensor((x[:, 0] > 0).astype(np.int32)))
        finite = amp.all_finite(grads)
        scaler.adjust(finite)
        if finite:
            optimizer(scaler.unscale(grads))
"""


def test_updates_that_are_left_out_contradict_scripts_that_seem_to_update_on_overflow(tmp_path: Path) -> None:
    watched(tmp_path / "overflow", GATED.replace("{scale}", "2**26"))
    (told,) = [one for one in judged(tmp_path / "overflow") if one.code.startswith("dropped")]
    assert "gate-open" in told.refutes[0].codes
    watched(tmp_path / "none", GATED.replace("{scale}", "2**8"))
    assert [(one.code, one.refutes) for one in judged(tmp_path / "none")] == [("finite", [])]
