"""Padding that reaches the output or the loss of trainings that were watched; the training itself stays as it is."""

import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest

from accucheck.live.inside.watch.padding import thinned
from accucheck.model import Level
from accucheck.probes import watched_padding
from watched_runs import judged, watched

POOLING = """
    import hashlib

    import mindspore as ms
    import mindspore.dataset as ds
    import numpy as np
    from mindspore import nn, ops

    random = np.random.default_rng(0)
    labels = random.integers(0, 3, 64).astype(np.int32)
    ids = np.zeros((64, 8), np.int32)
    for row, label in enumerate(labels):
        length = random.integers(2, 8)
        ids[row, :length] = random.integers(1, 5, length) + 4 * label


    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(13, 8)
            self.norm = nn.BatchNorm1d(8)
            self.drop = nn.Dropout(p=0.0)  # two runs of MindSpore on a CPU drop different values, whatever the seed
            self.head = nn.Dense(8, 3)
            self.calls = 0

        def construct(self, ids):
            self.calls += 1
            vectors = self.embed(ids)
            weight = ({mask}).astype(vectors.dtype)[:, :, None]
            mean = (vectors * weight).sum(1) / (weight.sum(1) + 1e-6)
            return self.head(self.drop(self.norm(mean)))


    ms.set_seed(1)
    net = Net()
    net.set_train()
    optimizer = nn.Adam(net.trainable_params(), 0.01)
    seen = []


    def forward(ids, label):
        noise = ms.Tensor(np.random.uniform(0.9, 1.1, (16, 3)).astype(np.float32))
        loss = ops.cross_entropy(net(ids) * noise, label)
        seen.append(float(loss))
        return loss


    step = ms.value_and_grad(forward, None, optimizer.parameters)
    for row, label in ds.NumpySlicesDataset((ids, labels), shuffle=True).batch(16).create_tuple_iterator(num_epochs=1):
        loss, gradients = step(row, label)
        optimizer(gradients)
    values = b"".join(one.asnumpy().tobytes() for one in net.get_parameters())
    print("END", seen, net.calls, np.random.rand(), hashlib.md5(values).hexdigest())
"""
TAGGER = """
    import mindspore as ms
    import mindspore.dataset as ds
    import numpy as np
    from mindspore import nn, ops

    random = np.random.default_rng(0)
    words, tags, mask = np.zeros((64, 8), np.int32), np.zeros((64, 8), np.int32), np.zeros((64, 8), np.float32)
    for row in range(64):
        length = random.integers(2, 8)
        words[row, :length] = random.integers(1, 12, length)
        tags[row, :length] = words[row, :length] % 3
        mask[row, :length] = 1


    class Tagger(nn.Cell):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(12, 8)
            self.head = nn.Dense(8, 3)

        def construct(self, words, tags, mask):
            logits = self.head(self.embed(words))
            loss = ops.cross_entropy(logits.reshape((-1, 3)), tags.reshape((-1,)), reduction="none")
            weight = ({weight}).reshape((-1,))
            return (loss * weight).sum() / weight.sum(), logits


    ms.set_seed(1)
    net = Tagger()
    optimizer = nn.Adam(net.trainable_params(), 0.1)
    step = ms.value_and_grad(net, None, optimizer.parameters, has_aux=True)
    for batch in ds.NumpySlicesDataset((words, tags, mask), shuffle=True).batch(16).create_tuple_iterator(num_epochs=1):
        (loss, _), gradients = step(*batch)
        optimizer(gradients)
"""


def ended(output: str) -> str:
    return next(line for line in output.splitlines() if line.startswith("END"))


@pytest.mark.mindspore
def test_words_that_reach_the_output_are_in_order_and_the_training_stays_as_it_is(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    script = POOLING.replace("{mask}", "ids != 0")
    (tmp_path / "alone.py").write_text(dedent(script), encoding="utf-8")
    alone = subprocess.run(
        [sys.executable, str(tmp_path / "alone.py")], capture_output=True, text=True, timeout=500, check=True
    )
    capfd.readouterr()
    found = judged(watched_padding, watched(tmp_path, script))
    assert found.keys() == {"padding-still"}
    assert found["padding-still"].data["padding"] == 0
    assert found["padding-still"].data["words"] > 0.01
    assert found["padding-still"].where.path == "train.py"
    assert ended(capfd.readouterr().out) == ended(alone.stdout)


@pytest.mark.mindspore
@pytest.mark.parametrize(("mask", "code", "level"), [("ids == 0", "mask-inverted", Level.PROBLEM)])
def test_a_mask_that_hides_the_words(tmp_path: Path, mask: str, code: str, level: Level) -> None:
    found = judged(watched_padding, watched(tmp_path, POOLING.replace("{mask}", mask)))
    assert found[code].level is level
    assert found[code].data["words"] == 0


@pytest.mark.mindspore
def test_a_mask_that_nothing_applies(tmp_path: Path) -> None:
    found = judged(watched_padding, watched(tmp_path, POOLING.replace("{mask}", "ops.ones_like(ids)")))
    assert found["padding-read"].level is Level.SUSPECT


@pytest.mark.mindspore
def test_a_loss_of_padding_and_one_of_words(tmp_path: Path) -> None:
    found = judged(watched_padding, watched(tmp_path / "faulty", TAGGER.replace("{weight}", "1 - mask")))
    assert found["loss-of-padding-alone"].level is Level.PROBLEM
    assert found["mask-inverted"].data["what"]["en"] == "the loss"
    found = judged(watched_padding, watched(tmp_path / "healthy", TAGGER.replace("{weight}", "mask")))
    assert found.keys() == {"padding-still", "labels-still"}
    assert found["labels-still"].refutes[0].codes == ["mask-shifted"]
    early = "ops.concat((mask[:, 1:], 0 * mask[:, :1]), 1)"  # it leaves the last word of each row out
    found = judged(watched_padding, watched(tmp_path / "early", TAGGER.replace("{weight}", early)))
    assert found.keys() == {"padding-still", "labels-still"}
    assert not found["labels-still"].refutes


APART = """
    import mindspore as ms
    import mindspore.dataset as ds
    import numpy as np
    from mindspore import nn, ops

    random = np.random.default_rng(0)
    words, tags = np.zeros((64, 8), np.int32), np.zeros((64, 8), np.int32)
    for row in range(64):
        length = random.integers(2, 8)
        words[row, :length] = random.integers(1, 12, length)
        tags[row, :length] = words[row, :length] % 3 + 1


    class Loss(nn.Cell):
        def construct(self, logits, tags):
            each = ops.cross_entropy(logits.reshape((-1, 4)), tags.reshape((-1,)), reduction="none")
            weight = (tags.reshape((-1,)) {counts} 0).astype(ms.float32)
            return (each * weight).sum() / weight.sum()


    ms.set_seed(1)
    net = nn.SequentialCell(nn.Embedding(12, 8, padding_idx=0), nn.Dense(8, 4))
    model = ms.Model(net, Loss(), nn.Adam(net.trainable_params(), 0.01))
    model.train(1, ds.NumpySlicesDataset((words, tags), ["words", "tags"]).batch(16), dataset_sink_mode=False)
"""


@pytest.mark.mindspore
def test_a_loss_of_its_own_that_counts_padding_as_a_class(tmp_path: Path) -> None:
    """It moves the loss of a network that is new by some thousandths only, as words do."""
    found = judged(watched_padding, watched(tmp_path / "faulty", APART.replace("{counts}", ">=")))
    read = found["padding-read"]
    assert (read.level, read.data["what"]["en"], read.where.line) == (Level.SUSPECT, "the loss", 24)
    assert judged(watched_padding, watched(tmp_path / "healthy", APART.replace("{counts}", ">"))).keys() == {
        "padding-still"
    }


NEXT = """
    import mindspore as ms
    import mindspore.dataset as ds
    import numpy as np
    from mindspore import Tensor, nn, ops

    words = np.random.default_rng(0).integers(0, 12, (64, 9)).astype(np.int32)


    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(12, 8)
            self.query, self.key, self.head = nn.Dense(8, 8), nn.Dense(8, 8), nn.Dense(8, 12)
            self.later = Tensor(np.triu(np.ones((8, 8), bool), 1))

        def construct(self, words):
            vectors = self.embed(words)
            scores = ops.matmul(self.query(vectors), self.key(vectors).swapaxes(1, 2))
            scores = {scores}
            return self.head(ops.matmul(ops.softmax(scores, -1), vectors))


    ms.set_seed(1)
    net = Net()
    optimizer = nn.Adam(net.trainable_params(), 0.01)
    step = ms.value_and_grad(
        lambda x, y: ops.cross_entropy(net(x).reshape((-1, 12)), y.reshape((-1,))), None, optimizer.parameters
    )
    for (batch,) in ds.NumpySlicesDataset((words,), ["words"]).batch(16).create_tuple_iterator(num_epochs=1):
        loss, gradients = step(batch[:, :-1], batch[:, 1:])
        optimizer(gradients)
"""


@pytest.mark.mindspore
def test_a_network_that_sees_the_words_that_it_is_to_tell(tmp_path: Path) -> None:
    found = judged(watched_padding, watched(tmp_path / "faulty", NEXT.replace("{scores}", "scores")))
    assert found["sees-next"].level is Level.PROBLEM
    assert found["sees-next"].where.path == "train.py"
    masked = NEXT.replace("{scores}", "scores.masked_fill(self.later, -1e9)")
    found = judged(watched_padding, watched(tmp_path / "healthy", masked))
    assert {*found} == {"next-unseen"}
    assert found["next-unseen"].data["before"] == 0


def test_large_outputs_are_compared_by_some_numbers_of_each_place() -> None:
    values = np.zeros((64, 32, 2048), np.float32)
    assert thinned(values).shape == (64, 32, 512)
    assert thinned(values[:1]).shape == (1, 32, 2048)
    assert thinned(np.zeros((1 << 20, 4), np.float32)).shape == (1 << 20, 1)
