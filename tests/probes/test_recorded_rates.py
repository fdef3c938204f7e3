"""Learning rates in force, of real trainings that accucheck.Recorder records."""

from pathlib import Path
from typing import Any

import pytest

from accucheck import case as cases
from accucheck.model import Finding, Level
from accucheck.probes import recorded_rates

STEPS = 40


def judged(root: Path, log: str = "run.jsonl", script: str = "") -> dict[str, Finding]:
    settings = [f"curves.train={log}"]
    if script:
        (root / "train.py").write_text(f"from mindspore import nn\n{script}\n", encoding="utf-8")
        settings.append("scripts.train=train.py")
    case = cases.load(root, settings)
    return {one.code: one for one in recorded_rates.run(case, recorded_rates.Params()) if isinstance(one, Finding)}


def trained(path: Path, rate: Any, epochs: int = 4, *, anew: bool = False) -> None:
    """Train a layer with Model.train, recorded by the callback; `anew`: with a new optimizer each epoch."""
    import mindspore as ms
    import mindspore.dataset as ds
    import numpy as np
    from mindspore import nn

    from accucheck import Recorder

    random = np.random.default_rng(0)
    x = random.standard_normal((STEPS, 4)).astype(np.float32)
    data = ds.NumpySlicesDataset({"x": x, "y": x[:, :1]}, shuffle=False).batch(4)
    net = nn.Dense(4, 1)
    loss = nn.MSELoss()
    with Recorder(path) as recorder:
        if not anew:
            model = ms.Model(net, loss, nn.Momentum(net.trainable_params(), rate(), 0.9))
            model.train(epochs, data, callbacks=[recorder.callback()], dataset_sink_mode=False)
            return
        for epoch in range(epochs):
            optimizer = nn.Momentum(net.trainable_params(), rate(), 0.9)
            step = ms.value_and_grad(lambda x, y: loss(net(x), y), None, optimizer.parameters)
            for x, y in data:
                value, grads = step(x, y)
                recorder.step(epoch=epoch + 1, loss=value, lr=optimizer.get_lr())
                optimizer(grads)


@pytest.mark.mindspore
def test_a_schedule_that_is_shorter_than_the_training_leaves_a_rate_of_zero(tmp_path):
    from mindspore import nn

    trained(tmp_path / "run.jsonl", lambda: nn.PolynomialDecayLR(0.1, 0.0, 10, 1.0))
    found = judged(tmp_path)
    assert found["zero-from"].level is Level.PROBLEM
    # on a busy machine the rate of every step takes too long
    assert 11 <= found["zero-from"].data["at"] <= 15
    assert found["zero-from"].data["share"] == pytest.approx(0.75, abs=0.11)
    assert recorded_rates.suggest(found.values()).value == "problem"


@pytest.mark.mindspore
def test_a_schedule_as_long_as_the_training_is_in_order(tmp_path):
    from mindspore import nn

    trained(tmp_path / "run.jsonl", lambda: nn.PolynomialDecayLR(0.1, 0.0, STEPS, 1.0))
    found = judged(tmp_path)
    assert {*found} == {"in-force"} and found["in-force"].data["first"] == pytest.approx(0.1)
    assert recorded_rates.suggest(found.values()).value == "undecided", "that it suits the training is not said"
    lower = (
        "net = nn.Dense(4, 1)\nopt = nn.Momentum(net.trainable_params(), nn.cosine_decay_lr(0.0, 0.01, 40, 10, 4), 0.9)"
    )
    above = judged(tmp_path, script=lower)["above-schedule"]
    assert (above.level, above.data["ratio"]) == (Level.SUSPECT, pytest.approx(10))


@pytest.mark.mindspore
def test_a_schedule_that_starts_anew_each_epoch_is_told(tmp_path):
    from mindspore import nn

    trained(tmp_path / "run.jsonl", lambda: nn.PolynomialDecayLR(0.1, 0.001, 10, 1.0), anew=True)
    found = judged(tmp_path)
    assert found["restarts-each-epoch"].level is Level.SUSPECT and found["restarts-each-epoch"].data["count"] == 3


@pytest.mark.mindspore
def test_a_rate_that_the_script_does_not_write_is_told(tmp_path):
    trained(tmp_path / "run.jsonl", lambda: 0.08)
    script = "net = nn.Dense(4, 1)\nopt = nn.Momentum(net.trainable_params(), {}, 0.9)"
    assert judged(tmp_path, script=script.format(0.01))["other-rate"].level is Level.PROBLEM
    assert judged(tmp_path, script=script.format(0.01))["other-rate"].data["ratio"] == pytest.approx(8)
    assert {*judged(tmp_path, script=script.format(0.08))} == {"in-force"}
    schedule = script.format("nn.cosine_decay_lr(0.0, 0.08, 40, 10, 4)")
    assert judged(tmp_path, script=schedule)["never-moves"].level is Level.SUSPECT


def test_what_was_printed_may_be_rounded(tmp_path):
    rows = "".join(
        f"epoch: 1 step: {n}, loss is {2 - n / 50}, lr: {0.1 if n < 20 else 0.0:.4f}\n" for n in range(1, 41)
    )
    (tmp_path / "train.log").write_text(rows)
    found = judged(tmp_path, "train.log")
    assert found["zero-from"].level is Level.SUSPECT


def test_a_log_without_rates_says_nothing(tmp_path):
    from accucheck.probe import Skip

    (tmp_path / "train.log").write_text("".join(f"epoch: 1 step: {n}, loss is {2 - n / 50}\n" for n in range(1, 41)))
    with pytest.raises(Skip):
        judged(tmp_path, "train.log")
