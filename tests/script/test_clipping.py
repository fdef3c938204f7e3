"""What is said of clipping: before or after the loss scale is taken off, by the step or by the optimizer."""

from pathlib import Path

import pytest
from training_scripts import LOOP, codes, training

from accucheck.script import clipping

SCALED = "scaler = amp.StaticLossScaler(1024)\n" + LOOP.format(loss="scaler.scale(loss_fn(net(x), y))", result="{}")
PLAIN = LOOP.format(loss="loss_fn(net(x), y)", result="{}")
SGD = "opt = nn.SGD(net.trainable_params(), 0.1, loss_scale=1024.0)\n"
BY_1024 = LOOP.format(loss="loss_fn(net(x), y) * 1024.0", result="{}")
CLIP = "ops.clip_by_global_norm(grads, 1.0)"

OWN = {
    "no clipping": (PLAIN.format("grads"), ["no-clip"]),
    "without a scale": (PLAIN.format(CLIP), ["clip-clean"]),
    "with its scale": (SCALED.format(f"scaler.unscale({CLIP})"), ["clip-scaled"]),
    "afterwards": (SCALED.format("ops.clip_by_global_norm(scaler.unscale(grads), 1.0)"), ["clip-clean"]),
    "each by its norm": (SCALED.format("scaler.unscale([ops.clip_by_norm(g, 1.0) for g in grads])"), ["clip-scaled"]),
    "each twice": (PLAIN.format("[ops.clip_by_value(ops.clip_by_norm(g, 1.0), -1, 1) for g in grads]"), ["clip-clean"]),
    "something else is clipped": (PLAIN.format("grads if ops.clamp(x, 0, 1) is None else grads"), ["no-clip"]),
    "the optimizer divides afterwards": (SGD + BY_1024.format(CLIP), ["clip-scaled"]),
    "the optimizer divides what nobody scaled": (SGD + PLAIN.format(CLIP), ["clip-before-optimizer"]),
    "with a scale that a table out of sight may leave at 1": (
        "from levels import table\nscale = 1.0 if table['O0'] is None else 1024.0\n"
        + LOOP.format(loss="loss_fn(net(x), y) * scale", result=f"[g / scale for g in {CLIP}]"),
        ["clip-scaled?"],
    ),
    "written out": (
        "def clip(g):\n    norm = ops.sqrt(ops.square(g).sum())\n    return g * (1.0 / (norm + 1e-6))\n"
        + SCALED.format("scaler.unscale([clip(g) for g in grads])"),
        ["clip-scaled"],
    ),
    "a square is no clipping": (SCALED.format("scaler.unscale([g * g for g in grads])"), ["no-clip"]),
    "a mean is no clipping": (SCALED.format("scaler.unscale([g * g.mean() for g in grads])"), ["no-clip"]),
    "in a function of the step": (
        "def limit(grads):\n    def inner(grads):\n        return ops.clip_by_global_norm(grads, 1.0)\n    return inner(grads)\n"
        + SCALED.format("scaler.unscale(limit(grads))"),
        ["clip-scaled"],
    ),
    "by a scale that somebody gives, and that is taken off afterwards": (
        "def step(x, y, loss_scale):\n    def forward(x, y):\n        return loss_fn(net(x), y) * loss_scale\n"
        "    loss, grads = ms.value_and_grad(forward, None, opt.parameters)(x, y)\n"
        "    grads = ops.clip_by_global_norm(grads, 1.0)\n    opt([g / loss_scale for g in grads])\n",
        ["clip-scaled"],
    ),
    "by a scale that somebody gives, and that nobody takes off": (
        "def step(x, y, loss_scale):\n    def forward(x, y):\n        return loss_fn(net(x), y) * loss_scale\n"
        "    loss, grads = ms.value_and_grad(forward, None, opt.parameters)(x, y)\n"
        "    grads = ops.clip_by_global_norm(grads, 1.0)\n    opt(grads)\n",
        ["clip-unknown"],
    ),
    "what is divided too often carries no scale": (
        "scaler = amp.StaticLossScaler(1024)\n" + PLAIN.format("ops.clip_by_global_norm(scaler.unscale(grads), 1.0)"),
        ["clip-unknown"],
    ),
    "more scales than can be told apart": (
        LOOP.format(
            loss="loss_fn(net(x), y)" + "".join(f" * ({2.0 ** (10 * n)} if flag_{n} else 1.0)" for n in range(1, 6)),
            result=CLIP,
        ),
        ["clip-unknown"],
    ),
    "no step": ("x = 1\n", ["no-step"]),
}


@pytest.mark.parametrize("name", OWN)
def test_steps_of_the_project(name: str, tmp_path: Path) -> None:
    text, expected = OWN[name]
    assert codes(clipping.examine(training(tmp_path, text))) == expected


#: The gradients of a loss beside an output that is left out of them.
OUTPUTS = """
class Step(nn.Cell):
    def __init__(self, network, optimizer, scaler):
        super().__init__()
        self.network, self.optimizer, self.scaler = network, optimizer, scaler
        self.grad = ops.GradOperation(get_by_list=True, sens_param=True)

    def construct(self, x, y):
        loss, logits = self.network(x, y)
        sens = (ops.ones_like(loss) * self.scaler.scale_value, ops.zeros_like(logits))
        grads = self.grad(self.network, self.optimizer.parameters)(x, y, sens)
        {0}
        {1}
        self.optimizer(grads)

from missing import config
scaler = amp.StaticLossScaler(1024.0)
if config.scaler == "dynamic":
    scaler = amp.DynamicLossScaler(config.scale, 2, 2000)
elif config.scaler == "static":
    scaler = amp.StaticLossScaler(config.scale)
step = Step(net, opt, scaler)
"""


def test_a_loss_beside_other_outputs(tmp_path: Path) -> None:
    lines = ["grads = self.scaler.unscale(grads)", f"grads = {CLIP}"]
    (told,) = clipping.examine(training(tmp_path, OUTPUTS.format(*lines)))
    assert told.code == "clip-clean"
    (told,) = clipping.examine(training(tmp_path, OUTPUTS.format(*lines[::-1])))
    assert (told.code, told.data["scale"]) == ("clip-scaled", "scaler")


OPTIMIZER = """
class Own(nn.SGD):
    def other(self, grads):
        return ops.clip_by_global_norm(grads, 1.0)

    def construct(self, grads):
        {body}
        return super().construct(grads)

opt = Own(net.trainable_params(), 0.1, loss_scale=8.0)
"""
CELL = "nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), opt, {})\n"
MODEL = "model = ms.Model(net, loss_fn, opt, amp_level='O3', loss_scale_manager={})\n"
INNER = "grads = ops.clip_by_global_norm(grads, 1.0)"
AFTER = "grads = self.scale_grad(grads)\n        " + INNER


#: A layer that clips, made where it is used and mapped over the gradients.
MAPPED = """
limit = ops.MultitypeFuncGraph("limit")

@limit.register("Number", "Tensor")
def _limit(most, gradient):
    return nn.ClipByNorm()(gradient, most)

class Own(nn.Adam):
    def construct(self, grads):
        return super().construct(ops.HyperMap()(ops.partial(limit, 1.0), grads))

opt = Own(net.trainable_params())
"""


@pytest.mark.parametrize(("scale", "expected"), [("8.0", ["clip-scaled"]), ("1.0", ["clip-clean"])])
def test_a_layer_made_where_the_optimizer_maps_it(scale: str, expected: list[str], tmp_path: Path) -> None:
    assert codes(clipping.examine(training(tmp_path, MAPPED + CELL.format(scale)))) == expected


@pytest.mark.parametrize(
    ("body", "step", "expected"),
    [
        (INNER, CELL.format("8.0"), ["clip-scaled"]),
        (AFTER, CELL.format("8.0"), ["clip-clean"]),
        (INNER, CELL.format("1.0"), ["clip-clean"]),
        ("pass", CELL.format("8.0"), ["no-clip"]),
        ("x = ops.clip_by_value(self.lr, 0, 1)", CELL.format("8.0"), ["no-clip"]),
        (INNER, MODEL.format("ms.FixedLossScaleManager(8, False)"), ["clip-scaled"]),
        (AFTER, MODEL.format("ms.FixedLossScaleManager(8, False)"), ["clip-clean"]),
        (INNER, MODEL.format("ms.FixedLossScaleManager(8, True)"), ["clip-clean"]),
        (INNER, MODEL.format("amp.DynamicLossScaleManager()"), ["clip-clean"]),
        (INNER, MODEL.format("None"), ["clip-clean"]),
    ],
)
def test_optimizers_that_clip(body: str, step: str, expected: list[str], tmp_path: Path) -> None:
    assert codes(clipping.examine(training(tmp_path, OPTIMIZER.format(body=body) + step))) == expected


LINES = SCALED.replace("    result = {}\n    opt(result)", "    {}\n    opt(grads)")


@pytest.mark.parametrize(
    ("lines", "swapped"),
    [
        (["grads = " + CLIP, "grads = scaler.unscale(grads)"], True),
        (["grads = " + CLIP, "", "grads = scaler.unscale(grads)"], False),
        (["grads = " + CLIP, "loss = scaler.unscale(loss)", "grads = scaler.unscale(grads)"], False),
        (["small = " + CLIP, "grads = scaler.unscale(small)"], False),
        (["grads = scaler.unscale(" + CLIP + ")"], False),
        (["grads: tuple = " + CLIP, "grads = scaler.unscale(grads)"], False),
    ],
)
def test_two_lines_are_exchanged_where_that_is_certain(lines: list[str], swapped: bool, tmp_path: Path) -> None:
    (told,) = clipping.examine(training(tmp_path, LINES.format("\n    ".join(lines))))
    assert told.code == "clip-scaled"
    assert [[line.strip() for line in new] for _, _, new in told.edits] == [lines[::-1]] * swapped


def test_clipping_that_is_written_out_is_told_as_it_stands(tmp_path: Path) -> None:
    text = "def limit(g):\n    norm = ops.sqrt(ops.square(g).sum())\n    return g * (1.0 / (norm + 1e-6))\n"
    (told,) = clipping.examine(training(tmp_path, text + PLAIN.format("[limit(g) for g in grads]")))
    assert (told.code, told.data["clip"]) == ("clip-unknown", "g * (1.0 / (norm + 1e-06))")
