"""Settings that a training really used, as it was watched."""

from pathlib import Path

import pytest

from accucheck.model import Level
from accucheck.probes import watched_settings
from watched_runs import judged, watched

SCRIPT = """
    import argparse

    import mindspore as ms
    import mindspore.dataset as ds
    import numpy as np
    from mindspore import nn

    parser = argparse.ArgumentParser()
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--epochs", type=int, default=2)
    options = parser.parse_args(["--batch", "16"])
    ms.set_seed(5)
    net = nn.Dense(4, 1)
    optimizer = nn.SGD(net.trainable_params(), 0.01)
    step = ms.value_and_grad(lambda x: net(x).mean(), None, optimizer.parameters)
    data = ds.NumpySlicesDataset(np.ones((32, 4), np.float32), shuffle=True).batch(options.batch)
    for (row,) in data.create_tuple_iterator(num_epochs=1):
        loss, gradients = step(row)
        optimizer(gradients)
"""


@pytest.mark.mindspore
def test_batches_options_and_seeds_are_told_as_they_were(tmp_path: Path) -> None:
    case = watched(tmp_path, SCRIPT)
    found = judged(watched_settings, case)
    assert found["batches"].data["size"] == 16
    assert found["batches"].refutes[0].codes == ["batch-not-positive", "batch-huge"]
    assert found["options"].data["names"] == ["batch=16"]
    assert found["seeded"].data["names"] == ["mindspore.set_seed(5)"]
    epochs = judged(watched_settings, case, about="epochs")["whole"]
    assert epochs.data == {"steps": 2, "epochs": 1}
    assert epochs.refutes[0].codes == ["epochs-zero", "epochs-squared", "epochs-twice"]
    seeded, line = judged(watched_settings, case, about="seed")["seeded"].refutes
    at = (tmp_path / "train.py").read_text().splitlines().index("ms.set_seed(5)") + 1
    assert (seeded.probe, line.codes, line.places) == ("randomness_fixed", ["conditional"], {"train.py": [[at, at]]})


@pytest.mark.mindspore
def test_a_run_without_a_seed_cannot_be_compared(tmp_path: Path) -> None:
    script = SCRIPT.replace("ms.set_seed(5)", "pass").replace("options.batch)", "options.batch).repeat(2)")
    case = watched(tmp_path, script)
    assert judged(watched_settings, case, about="epochs")["whole"].refutes[0].codes == ["epochs-zero"]
    assert judged(watched_settings, case, about="seed")["no-seed"].level is Level.PROBLEM
    assert judged(watched_settings, case)["no-seed"].level is Level.INFO


ACCUMULATED = """
    import mindspore as ms
    import numpy as np
    from mindspore import Tensor, nn

    ms.set_seed(1)
    net, loss = nn.SequentialCell(nn.Dense(8, 16), nn.ReLU(), nn.Dense(16, 2)), nn.CrossEntropyLoss()
    optimizer = nn.SGD(net.trainable_params(), 0.01)
    step = ms.value_and_grad(lambda x, y: loss(net(x), y), None, optimizer.parameters)
    dice = np.random.default_rng(0)
    kept, every = None, {every}
    for number in range(1, 5 * every + 1):
        x = dice.standard_normal((16, 8)).astype(np.float32)
        _, grads = step(Tensor(x), Tensor((x[:, 0] > 0).astype(np.int32)))
        grads = [one{divided} for one in grads]{forgotten}
        kept = grads if kept is None else [one + other for one, other in zip(kept, grads)]
        if number % every == 0:
            optimizer(tuple(kept))
            {cleared}
"""


@pytest.mark.mindspore
@pytest.mark.parametrize(
    ("every", "divided", "cleared", "code"),
    [
        (4, "", "kept = None", "summed"),
        (4, " / every", "kept = None", "added-up"),
        (2, " / every", "pass", "not-cleared"),
        (1, "", "pass", "not-cleared"),
        (1, "", "kept = None", None),
        (4, "", "pass", "only-last"),
    ],
)
def test_how_gradients_of_several_passes_reach_the_optimizer(
    tmp_path: Path, every: int, divided: str, cleared: str, code: str | None
) -> None:
    script = ACCUMULATED.replace("{every}", str(every)).replace("{divided}", divided).replace("{cleared}", cleared)
    script = script.replace("{forgotten}", "; kept = None" if code == "only-last" else "")
    found = judged(watched_settings, watched(tmp_path, script))
    assert {*found} & {"summed", "added-up", "not-cleared", "only-last"} == ({code} if code else set())
    if code:
        assert found[code].level is (Level.INFO if code == "added-up" else Level.SUSPECT)
        assert (found[code].where.path, found[code].where.line) == ("train.py", 8)
    if code in ("summed", "added-up"):
        assert found[code].data["passes"] == 4
