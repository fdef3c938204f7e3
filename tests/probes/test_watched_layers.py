"""Arguments of the layers of trainings that were really watched, healthy and each with a planted fault."""

from pathlib import Path

import pytest

from accucheck.model import Level
from accucheck.probes import watched_layers
from watched_runs import judged, watched

SCRIPT = """
    import mindspore as ms
    import numpy as np
    from mindspore import Tensor, nn

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.lstm = nn.LSTM(4, 8, batch_first=True)
            self.norm = nn.BatchNorm1d(8, momentum=0.9)
            self.drop = nn.Dropout(p=0.1)
            self.head = nn.Dense(8, 2)

        def construct(self, x):
            states, _ = self.lstm(x)
            return self.head(self.drop(self.norm(states[:, -1])))

    net, loss = Net(), nn.CrossEntropyLoss()
    optimizer = nn.Adam(net.trainable_params(), 1e-3)
    step = ms.value_and_grad(lambda x, y: loss(net(x), y), None, optimizer.parameters)
    dice = np.random.default_rng(0)
    for _ in range(3):
        x = dice.standard_normal((16, 10, 4)).astype(np.float32)
        value, grads = step(Tensor(x), Tensor((x[:, 0, 0] > 0).astype(np.int32)))
        optimizer(grads)
"""


@pytest.mark.mindspore
@pytest.mark.parametrize(
    ("old", "new", "code", "line"),
    [
        ("momentum=0.9", "momentum=0.1", "momentum-reversed", 10),
        ("momentum=0.9", "momentum=1.0", "momentum-one", 10),
        ("p=0.1", "p=0.9", "drops-most", 11),
        (", batch_first=True", "", "runs-over-batch", 9),
        ("", "", "layers", None),
        # The sequence comes first on purpose: its last state is at the end of the first axis.
        ("self.lstm(x)\n", "self.lstm(x.swapaxes(0, 1)); states = states.swapaxes(0, 1)\n", "layers", None),
    ],
)
def test_arguments_are_judged_as_the_run_used_them(tmp_path: Path, old: str, new: str, code: str, line: int) -> None:
    script = SCRIPT.replace(old, new)
    if "swapaxes" in new:
        script = script.replace(", batch_first=True", "")
    found = judged(watched_layers, watched(tmp_path, script))
    assert {*found} == {code, "layers"}
    assert found["layers"].level is Level.INFO
    made, *arguments = found["layers"].refutes
    assert (made.probe, "keyword" in made.codes) == ("refused_calls", True)
    usual = {first for one in arguments for first, _ in one.places["train.py"]}
    assert all(one.probe == "api_differences" for one in arguments)
    assert usual == {10, 11} - {line}
    assert {9, 10, 11, 12} <= {first for first, _ in made.places["train.py"]}
    assert found[code].where.line == line
