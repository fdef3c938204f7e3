"""accucheck.watch in one's own training: what it records, that nothing of it stays, and that the training is the same."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import accucheck
from accucheck.errors import UserError
from accucheck.readers import recordings

SCRIPT = """
import hashlib, json
import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
import accucheck

ms.set_device("CPU")
x = np.random.default_rng(1).normal(size=(8, 4)).astype(np.float32)
y = np.arange(8).astype(np.int32) % 3

def trained(kind):
    ms.set_seed(1)
    net, loss = nn.SequentialCell(nn.Dense(4, 6), nn.ReLU(), nn.Dense(6, 3)), nn.CrossEntropyLoss()
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(4)
    if kind == "callback":
        watch = accucheck.watch(every=5, folder="called")
        ms.Model(net, loss, optimizer).train(6, data, callbacks=[watch.callback()], dataset_sink_mode=False)
    elif kind == "model":
        ms.Model(net, loss, optimizer).train(6, data, dataset_sink_mode=False)
    else:
        step = ms.value_and_grad(lambda a, b: loss(net(a), b), None, optimizer.parameters)
        def run():
            for _ in range(6):
                for a, b in data.create_tuple_iterator():
                    optimizer(step(a, b)[1])
        if kind == "loop":
            run()
        else:
            with accucheck.watch(every=5) as watch:
                run()
            told["folder"] = str(watch.folder)
    return hashlib.md5(b"".join(one.asnumpy().tobytes() for one in net.get_parameters())).hexdigest()

told = {}
before = nn.Cell.__call__, nn.Cell.__init__, nn.Optimizer.__call__, ms.load_checkpoint, ms.context._Context.set_mode
told["weights"] = {kind: trained(kind) for kind in ("loop", "watched", "model", "callback")}
after = nn.Cell.__call__, nn.Cell.__init__, nn.Optimizer.__call__, ms.load_checkpoint, ms.context._Context.set_mode
told["same"] = [one is other for one, other in zip(before, after)]
print(json.dumps(told))
"""


@pytest.mark.mindspore
@pytest.mark.slow
def test_a_loop_and_a_callback_are_watched_each_so_many_steps(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(SCRIPT)
    ended = subprocess.run([sys.executable, "own.py"], cwd=tmp_path, capture_output=True, text=True, timeout=500)
    assert ended.returncode == 0, ended.stderr
    told = json.loads(ended.stdout.splitlines()[-1])
    assert told["same"] == [True] * 5
    assert told["weights"]["loop"] == told["weights"]["watched"]
    assert told["weights"]["model"] == told["weights"]["callback"]
    folder = Path(told["folder"])
    assert folder.parent == tmp_path / ".accucheck/watch"
    assert recordings.latest(tmp_path) == folder
    for path in (folder / "user.jsonl", tmp_path / "called/user.jsonl"):
        (run,) = recordings.read(path).runs
        # The first step, one more until it is known which optimizers there are, and each fifth.
        assert list(run.series["loss"].steps) == [1, 2, 5, 10]
        assert [fact["step"] for fact in run.facts["gradients"]] == [1, 5, 10]
        assert len(run.facts["gradients"][0]["norms"]) == 4
        assert run.facts["dataset"][0]["nodes"][0]["batch_size"] == 4
        assert run.facts["end"][0]["steps"] == 12
        assert "failed" not in run.facts


def test_every_is_a_whole_number_of_steps() -> None:
    for wrong in (0, -1, True, 2.5):
        with pytest.raises(UserError) as caught:
            accucheck.watch(every=wrong)  # type: ignore[arg-type]
        assert caught.value.code == "watch-every"


EVALUATED = """
import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
import accucheck

ms.set_device("CPU")
dice = np.random.default_rng(1)
x, y = dice.normal(size=(64, 4)).astype(np.float32), dice.integers(0, 3, 64).astype(np.int32)
ms.set_seed(1)
net, loss = nn.Dense(4, 3), nn.CrossEntropyLoss()
optimizer = nn.SGD(net.trainable_params(), 0.1)
def scored(a):
    return net(a)

step = ms.value_and_grad(lambda a, b: loss(scored(a), b), None, optimizer.parameters)
train = ds.NumpySlicesDataset((x[:40], y[:40]), ["x", "y"], shuffle=False).batch(4)
test = ds.NumpySlicesDataset((x[40:], y[40:]), ["x", "y"], shuffle=False).batch(10)

def of_data():
    return np.mean([(net(a).argmax(1) == b).asnumpy().mean() for a, b in test.create_tuple_iterator(num_epochs=1)])

def of_arrays():
    return (net(ms.Tensor(x[40:])).argmax(1).asnumpy() == y[40:]).mean()

def of_shared():
    return (scored(ms.Tensor(x[40:])).argmax(1).asnumpy() == y[40:]).mean()

with accucheck.watch(every=100):
    for epoch in range(3):
        net.set_train()
        for a, b in train.create_tuple_iterator(num_epochs=1):
            net.set_train(WITHIN)
            optimizer(step(a, b)[1])
        BEFORE
        print("accuracy", EVALUATE())
"""


@pytest.mark.mindspore
@pytest.mark.slow
def test_evaluations_between_the_steps_that_are_looked_at_are_seen(tmp_path: Path) -> None:
    def counted(evaluate: str, before: str = "", within: str = "") -> tuple[list[dict], list[int]]:
        root = tmp_path / f"{evaluate}{bool(before)}{bool(within)}"
        root.mkdir()
        script = EVALUATED.replace("EVALUATE", evaluate).replace("BEFORE", before).replace("WITHIN", within)
        (root / "own.py").write_text(script)
        subprocess.run([sys.executable, "own.py"], cwd=root, check=True, capture_output=True, timeout=500)
        (run,) = recordings.read(recordings.latest(root) / "user.jsonl").runs
        assert "failed" not in run.facts
        return run.facts.get("counted", []), list(run.series["loss"].steps)

    found, steps = counted("of_data")
    assert [(one["step"], one["rows"], one["batches"]) for one in found] == [(10, 24, 3), (20, 24, 3), (30, 24, 3)]
    assert steps == [1, 2, 11, 21]  # and the one after each evaluation
    found, steps = counted("of_arrays", "net.set_train(False)")
    assert [(one["step"], one["rows"], one["batches"]) for one in found] == [(10, 24, 1), (20, 24, 1), (30, 24, 1)]
    # The lines that call the network tell that this one begins, also through a function that the training calls, too.
    found, steps = counted("of_arrays")
    assert [(one["step"], one["rows"], one["batches"]) for one in found] == [(10, 24, 1), (20, 24, 1), (30, 24, 1)]
    assert steps == [1, 2, 11, 21]
    found, steps = counted("of_shared")
    assert [(one["step"], one["rows"]) for one in found] == [(10, 24), (20, 24), (30, 24)] and steps == [1, 2, 11, 21]
    # A mode that is set in each step wakes nobody for long.
    found, steps = counted("of_arrays", "", "False")
    assert found == [] and steps == [1, 2, 3, 4, 5]
    (run,) = recordings.read(recordings.latest(tmp_path / "of_arraysFalseTrue") / "user.jsonl").runs
    assert [one["calls"] for one in run.facts["unseen"]] == [3], "what is not seen is said"
