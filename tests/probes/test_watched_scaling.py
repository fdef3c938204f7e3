"""How a loss scale reached the updates of trainings that were really watched, healthy and each with a planted fault."""

from pathlib import Path

import pytest

from accucheck.model import Level
from accucheck.probes import watched_scaling
from watched_runs import judged, watched

SCRIPT = """
    import mindspore as ms
    import numpy as np
    from mindspore import Tensor, amp, nn, ops

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.first = nn.Dense(8, 16).to_float(ms.float16)
            self.head = nn.Dense(16, 2)

        def construct(self, x):
            return self.head(ops.relu(self.first(x)).astype(ms.float32))

    ms.set_seed(1)
    net, loss = Net(), nn.CrossEntropyLoss()
    optimizer = nn.Momentum(net.trainable_params(), 0.05, 0.9)
    scaler = amp.DynamicLossScaler(2**10, 2, 4)

    def forward(x, y):
        return scaler.scale(loss(net(x), y))

    step = ms.value_and_grad(forward, None, optimizer.parameters)
    dice = np.random.default_rng(0)
    for _ in range(10):
        x = dice.standard_normal((16, 8)).astype(np.float32)
        value, grads = step(Tensor(x), Tensor((x[:, 0] > 0).astype(np.int32)))
        grads = scaler.unscale(grads)
        scaler.adjust(amp.all_finite(grads))
        optimizer(grads)
"""
UNSCALE = "grads = scaler.unscale(grads)"
PLAIN = {"return scaler.scale(loss(net(x), y))": "return loss(net(x), y)"}
MOMENTUM = "nn.Momentum(net.trainable_params(), 0.05, 0.9"
CLIP = "grads = ops.clip_by_global_norm(grads, 0.05)"


@pytest.mark.mindspore
@pytest.mark.parametrize(
    ("changes", "scale", "clipping"),
    [
        ({}, "scaled", "not-clipped"),
        ({**PLAIN, UNSCALE: "pass"}, "no-scale", "unscaled"),
        ({**PLAIN, UNSCALE: "pass", ".to_float(ms.float16)": ""}, "no-half", "unscaled"),
        ({**PLAIN, UNSCALE: CLIP, ".to_float(ms.float16)": ""}, "no-half", "clipped-alone"),
        ({**PLAIN, UNSCALE: CLIP.replace("0.05", "1e-5"), ".to_float(ms.float16)": ""}, "no-half", "clips-most"),
        (
            {**PLAIN, UNSCALE: CLIP.replace("0.05", "1e-5"), ".to_float(ms.float16)": "", MOMENTUM: "nn.Adam(net.trainable_params(), 1e-3"},
            "no-half",
            "clipped-alone",
        ),
        ({UNSCALE: "pass"}, "keeps-scale", "not-clipped"),
        ({"0.05, 0.9)": "0.05, 0.9, loss_scale=1024.0)"}, "unscaled-twice", "not-clipped"),
        ({UNSCALE: f"grads = ops.clip_by_global_norm(grads, 1.0); {UNSCALE}"}, "scaled", "clipped-scaled"),
        ({UNSCALE: f"{UNSCALE}; {CLIP}"}, "scaled", "clipped"),
        ({**PLAIN, "return loss": "return 1e-3 * loss", UNSCALE: "grads = tuple(1e3 * one for one in grads)"}, "below-one", "not-told"),
    ],
    ids=["healthy", "none", "single", "clipped", "nothing", "made up for", "kept", "twice", "clipped before", "clipped after", "below 1"],
)  # fmt: skip
def test_the_scale_is_followed_to_the_update(
    tmp_path: Path, changes: dict[str, str], scale: str, clipping: str
) -> None:
    script = SCRIPT
    for old, new in changes.items():
        assert old in script
        script = script.replace(old, new)
    case = watched(tmp_path, script)
    about = judged(watched_scaling, case)
    assert [*about] == [scale]
    about_clipping = judged(watched_scaling, case, about="clipping")
    assert [*about_clipping] == [clipping]
    assert (about_clipping[clipping].level is Level.SUSPECT) is (clipping == "clips-most")
    faulty = {"no-scale", "keeps-scale", "unscaled-twice"}
    assert (about[scale].level is Level.PROBLEM) is (scale in faulty)
    assert (about[scale].level is Level.SUSPECT) is (scale == "below-one")
    assert about[scale].where.path == "train.py"


OWN = """
    import mindspore as ms
    import numpy as np
    from mindspore import Tensor, nn, ops


    class Step(nn.TrainOneStepCell):
        def construct(self, x, y):
            loss = self.network(x, y)
            grads = self.grad(self.network, self.weights)(x, y, ops.ones_like(loss) * 512)
            {rest}
            return ops.depend(loss, self.optimizer(grads))


    ms.set_seed(1)
    net = nn.SequentialCell(nn.Dense(8, 16), nn.ReLU(), nn.Dense(16, 2))
    step = Step(nn.WithLossCell(net, nn.CrossEntropyLoss()), nn.SGD(net.trainable_params(), 0.05))
    dice = np.random.default_rng(0)
    for _ in range(6):
        x = dice.standard_normal((16, 8)).astype(np.float32)
        step(Tensor(x), Tensor((x[:, 0] > 0).astype(np.int32)))
"""
DIVIDE = "grads = tuple(one / 512 for one in grads)"


@pytest.mark.mindspore
@pytest.mark.parametrize(
    ("rest", "about", "code"),
    [
        (DIVIDE, "scale", "scaled"),
        ("pass", "scale", "keeps-scale"),
        (f"{CLIP}; {DIVIDE}", "clipping", "clipped-small"),
        (f"{DIVIDE}; {CLIP}", "clipping", "clipped"),
    ],
)
def test_the_scale_of_a_step_of_ones_own_is_that_with_which_gradients_begin(
    tmp_path: Path, rest: str, about: str, code: str
) -> None:
    case = watched(tmp_path, OWN.replace("{rest}", rest))
    assert [*judged(watched_scaling, case, about=about)] == [code]
