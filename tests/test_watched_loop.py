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
