"""What the outputs of networks of watched trainings depend on."""

import pytest

from accucheck.model import Level
from accucheck.probes import watched_dependence
from watched_runs import judged as judged_case
from watched_runs import watched
from watched_trainings import judged

#: A network that gives the mean error over its only input, which does not depend on the order of rows.
CODER = """
    import mindspore as ms
    import mindspore.dataset as ds
    import numpy as np
    from mindspore import nn, ops


    class Coder(nn.Cell):
        def __init__(self):
            super().__init__()
            self.down, self.up = nn.Dense(8, 3), nn.Dense(3, 8)

        def construct(self, x):
            return ((self.up(ops.tanh(self.down(x))) - x) ** 2).mean()


    ms.set_seed(1)
    rows = np.random.default_rng(0).normal(size=(64, 8)).astype(np.float32)
    net = Coder()
    optimizer = nn.Adam(net.trainable_params(), 1e-3)
    step = ms.value_and_grad(net, None, optimizer.parameters)
    for (x,) in ds.NumpySlicesDataset((rows,), ["x"]).batch(16).create_tuple_iterator(num_epochs=1):
        loss, gradients = step(x)
        optimizer(gradients)
"""


@pytest.mark.mindspore
@pytest.mark.parametrize(("kind", "codes"), [("joined", {"depends", "apart"}), ("lost", {"depends", "mixing"})])
def test_samples_that_act_on_each_other(watched_runs, kind, codes):
    found = judged(watched_runs[kind], "watched_dependence")
    assert found.keys() == codes
    assert found["depends"].data["names"] == ["x"]
    assert all((one.level is Level.SUSPECT) is (code == "mixing") for code, one in found.items())
    assert found["depends"].where.path == "train.py"


@pytest.mark.mindspore
def test_a_mean_over_the_rows_depends_on_them(tmp_path):
    found = judged_case(watched_dependence, watched(tmp_path, CODER))
    assert {one.code for one in found.values()} == {"depends", "samples-unseen"}
