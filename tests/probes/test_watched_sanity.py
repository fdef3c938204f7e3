"""What recordings of trainings say of the first loss, of one batch that is trained on alone, and of waiting for data."""

from pathlib import Path

import numpy as np
import pytest

from accucheck.model import Level
from accucheck.probes import watched_inputs, watched_times, watched_waits
from watched_runs import judged as of_run
from watched_runs import watched
from watched_trainings import judged


@pytest.mark.mindspore
@pytest.mark.parametrize(("kind", "code"), [("one-batch", "first-fits"), ("one-batch-stuck", "first-high")])
def test_the_first_loss_against_guessing(watched_runs, kind, code):
    (told,) = judged(watched_runs[kind], "watched_first_loss").values()
    assert (told.code, told.level is Level.SUSPECT) == (code, code == "first-high")
    assert (told.data["classes"], told.where.path) == (2, "train.py")


@pytest.mark.mindspore
@pytest.mark.parametrize(("kind", "code"), [("one-batch", "fitted"), ("one-batch-stuck", "stuck")])
def test_one_batch_that_is_trained_on_alone(watched_runs, kind, code):
    (told,) = judged(watched_runs[kind], "watched_one_batch").values()
    assert (told.code, told.level is Level.SUSPECT) == (code, code == "stuck")
    assert (told.data["samples"], told.data["steps"]) == (16, 120)


@pytest.mark.mindspore
@pytest.mark.parametrize(
    ("name", "times", "more", "codes"), [("like", 1, 0, {"alike"}), ("other", 255, 1, {"scale", "numbered"})]
)
def test_batches_against_saved_ones_of_a_benchmark(watched_runs, name, times, more, codes):
    root = watched_runs["healthy"]
    (root / name).mkdir(exist_ok=True)
    x = np.random.default_rng(0).standard_normal((64, 8)).astype(np.float32)
    np.save(root / name / "0_x.npy", times * x)
    np.save(root / name / "0_y.npy", (x[:, 0] > 0).astype(np.int32) + more)
    found = judged(root, "watched_batches", settings=(f"batches.reference={name}",))
    assert found.keys() == codes
    assert {one.level for one in found.values()} == {Level.INFO if name == "like" else Level.SUSPECT}


@pytest.mark.mindspore
@pytest.mark.parametrize(
    ("kind", "code"), [("long-epochs", "arrived"), ("averages-slow", "too-slow"), ("averages-still", "still")]
)
def test_moving_averages_when_a_run_evaluates(watched_runs, kind, code):
    (told,) = judged(watched_runs[kind], "watched_averages").values()
    assert (told.code, told.level is Level.SUSPECT) == (code, code != "arrived")
    if told.level is Level.SUSPECT:
        script = (watched_runs[kind] / "train.py").read_text().splitlines()
        assert told.where.line is not None and "BatchNorm1d" in script[told.where.line - 1]
        assert (told.data["names"], told.data["of"]) == (["norm"], 1)


@pytest.mark.mindspore
@pytest.mark.parametrize(("kind", "line"), [("healthy", None), ("dead", "relu(self.third(x))")])
def test_layers_that_are_given_nothing_but_zeros(watched_runs, kind, line):
    told = judged(watched_runs[kind], "watched_gradients", about="norms").get("dead")
    assert (told is None) == (line is None)
    if told is not None and line is not None:
        script = (watched_runs[kind] / "train.py").read_text().splitlines()
        assert told.where.line is not None and line in script[told.where.line - 1]
        assert (told.level, told.data["fed"], told.data["before"]) == (Level.SUSPECT, "head", "third.0")


WAITING = """
    import threading
    import time

    import mindspore as ms
    import mindspore.dataset as ds
    import numpy as np
    from mindspore import nn

    LATE = {late}
    asked = threading.Semaphore(0)

    class Source:
        def __len__(self):
            return 208

        def __getitem__(self, at):
            if LATE:  # nothing is read ahead, however slow the steps are
                asked.acquire(timeout=3)
                time.sleep(0.05)
            return np.full(4, at, np.float32) / 320, np.int32(at % 2)

    ms.set_seed(1)
    net, loss = nn.SequentialCell(nn.Dense(4, 256), nn.ReLU(), nn.Dense(256, 2)), nn.CrossEntropyLoss()
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    step = ms.value_and_grad(lambda x, y: loss(net(x), y), None, optimizer.parameters)
    data = ds.GeneratorDataset(Source(), ["x", "y"], num_parallel_workers=1).batch(8)
    batches = data.create_tuple_iterator(num_epochs=1)
    for _ in range(26):
        asked.release(8)
        value, gradients = step(*next(batches))
        optimizer(gradients)
        time.sleep(0.0 if LATE else 0.1)
"""


COLOURS = """
import numpy as np
import mindspore as ms
from mindspore import nn

ms.set_seed(1)
pictures = np.random.default_rng(0).normal([0.2, 0.0, -0.2], 0.5, (128, 6, 6, 3)).astype(np.float32)
labels = ms.Tensor(np.arange(16) % 2, ms.int32)
net, loss = nn.SequentialCell(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Dense(144, 2)), nn.CrossEntropyLoss()
optimizer = nn.SGD(net.trainable_params(), 0.1)


def batch(at, turn):
    return ms.Tensor(np.ascontiguousarray(pictures[at : at + 16, :, :, ::turn].transpose(0, 3, 1, 2)))


step = ms.value_and_grad(lambda x, y: loss(net(x), y), None, optimizer.parameters)
for at in range(0, 96, 16):
    optimizer(step(batch(at, 1), labels)[1])
net.set_train(False)
for at in (96, 112):
    net(batch(at, {turn})).asnumpy()
"""


@pytest.mark.mindspore
@pytest.mark.parametrize(("turn", "code"), [(-1, "channels-turned"), (1, "same-scale")])
def test_channels_that_come_in_the_other_order_in_inference(tmp_path: Path, turn: int, code: str) -> None:
    case = watched(tmp_path, COLOURS.replace("{turn}", str(turn)))
    assert code in of_run(watched_inputs, case, about="inference")


STANDARDISED = """
import numpy as np
import mindspore as ms
from mindspore import nn

ms.set_seed(1)
rng = np.random.default_rng(0)
pictures = rng.normal(rng.normal(0.5, 0.3, (128, 1, 1, 1)), 0.5, (128, 3, 6, 6)).astype(np.float32)
labels = ms.Tensor(np.arange(16) % 2, ms.int32)
net, loss = nn.SequentialCell(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Dense(144, 2)), nn.CrossEntropyLoss()
optimizer = nn.SGD(net.trainable_params(), 0.1)


def batch(at, alone):
    rows = pictures[at : at + 16]
    if alone:
        return ms.Tensor((rows - rows.mean((2, 3), keepdims=True)) / (rows.std((2, 3), keepdims=True) + 1e-5))
    return ms.Tensor((rows - pictures.mean()) / pictures.std())


step = ms.value_and_grad(lambda x, y: loss(net(x), y), None, optimizer.parameters)
for at in range(0, 96, 16):
    optimizer(step(batch(at, {training}), labels)[1])
net.set_train(False)
for at in (96, 112):
    net(batch(at, {inference})).asnumpy()
"""


@pytest.mark.mindspore
@pytest.mark.parametrize(
    ("training", "inference", "code"),
    [(0, 1, "standardised-alone"), (1, 0, "standardised-alone"), (1, 1, "same-scale"), (0, 0, "same-scale")],
)
def test_samples_standardised_each_by_itself_in_one_of_both(
    tmp_path: Path, training: int, inference: int, code: str
) -> None:
    script = STANDARDISED.replace("{training}", str(training)).replace("{inference}", str(inference))
    assert code in of_run(watched_inputs, watched(tmp_path, script), about="inference")


SLOW = """
import time
import numpy as np
import mindspore as ms
from mindspore import nn


class Slow(nn.Cell):
    def __init__(self):
        super().__init__()
        self.inner = nn.Dense(4, 4)

    def construct(self, x):
        time.sleep(0.3)
        return self.inner(x)


net = nn.SequentialCell(nn.Dense(4, 4), Slow(), nn.Dense(4, 1))
optimizer = nn.SGD(net.trainable_params(), 0.1)
step = ms.value_and_grad(lambda x: net(x).sum(), None, optimizer.parameters)
for _ in range(4):
    optimizer(step(ms.Tensor(np.ones((2, 4), np.float32)))[1])
"""


@pytest.mark.mindspore
def test_the_layer_that_takes_most_of_the_forward_pass(tmp_path: Path) -> None:
    (told,) = of_run(watched_times, watched(tmp_path, SLOW)).values()
    assert (told.code, told.level, told.incomplete) == ("slowest", Level.INFO, True)
    assert (told.data["name"], told.data["kind"], told.data["share"] > 0.5) == ("1", "Slow", True)
    assert (told.where.path, told.where.line) == ("train.py", 18)
    first = told.evidence[0].rows[0]
    assert first[3] == 1 and first[4] >= 300  # without what its inner layer takes


@pytest.mark.mindspore
@pytest.mark.parametrize(("late", "code"), [(True, "waits"), (False, "keeps-up")])
def test_a_training_that_waits_for_its_data(tmp_path: Path, late: bool, code: str) -> None:
    (told,) = of_run(watched_waits, watched(tmp_path, WAITING.replace("{late}", str(late)))).values()
    assert (told.code, told.level is Level.SUSPECT) == (code, code == "waits")
    assert told.where.path == "train.py"
