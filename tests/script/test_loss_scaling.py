"""What is said of loss scales: put on, taken off, by whom, in the ways steps are written."""

from pathlib import Path

import pytest
from training_scripts import LOOP, codes, training

from accucheck.script import loss_scaling

MODEL = "model = ms.Model(net, loss_fn, opt, amp_level='{}'{})\n"
CELL = "step = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), opt, {})\n"
SCALED = LOOP.format(loss="scaler.scale(loss_fn(net(x), y))", result="scaler.unscale(grads)")
PLAIN = LOOP.format(loss="loss_fn(net(x), y)", result="grads")
HALF = "net.to_float(ms.float16)\n"
SGD = "opt = nn.SGD(net.trainable_params(), 0.1, loss_scale=1024.0)\n"

WAYS = """
if flag():
    m = ms.FixedLossScaleManager(8, False)
    opt = nn.SGD(net.trainable_params(), 0.1, loss_scale={})
else:
    m = amp.DynamicLossScaleManager()
    opt = nn.SGD(net.trainable_params(), 0.1, loss_scale={})
"""
FRAMEWORK = {
    "a level that is not seen": ("model = ms.Model(net, loss_fn, opt, amp_level=level())\n", ["level-unknown"]),
    "a level that is seen": (MODEL.format("O3", ""), ["no-scale"]),
    "whether an update is dropped is not seen": (
        MODEL.format("O3", ", loss_scale_manager=ms.FixedLossScaleManager(1024, drops())"),
        ["manager-unknown"],
    ),
    "a manager of somebody else": (MODEL.format("O3", ", loss_scale_manager=manager()"), ["manager-unknown"]),
    "a fixed manager that drops": (
        MODEL.format("O3", ", loss_scale_manager=ms.FixedLossScaleManager()"),
        ["scaled-fixed"],
    ),
    "a fixed scale of 1": (
        MODEL.format("O3", ", loss_scale_manager=ms.FixedLossScaleManager(1, False)"),
        ["scale-one"],
    ),
    "a fixed scale of 1 in float32": (
        MODEL.format("O0", ", loss_scale_manager=ms.FixedLossScaleManager(1, False)"),
        ["no-half"],
    ),
    "a dynamic scale that stays 1": (
        MODEL.format("O3", ", loss_scale_manager=amp.DynamicLossScaleManager(1, 1, 2000)"),
        ["scale-one"],
    ),
    "a dynamic scale that starts at 1": (
        MODEL.format("O3", ", loss_scale_manager=amp.DynamicLossScaleManager(1, 2, 2000)"),
        ["scaled-dynamic"],
    ),
    "only some values are cast": (
        "class Net(nn.Cell):\n    def construct(self, x):\n        return net(ops.cast(x, ms.float16))\n"
        "model = ms.Model(Net(), loss_fn, opt)\n",
        ["no-scale-partly"],
    ),
    "the scale by a name": (
        "scale = 512\n" + MODEL.format("O3", ", loss_scale_manager=ms.FixedLossScaleManager(scale, False)"),
        ["kept"],
    ),
    "one or another on both sides": (
        "if flag():\n    s = 8.0\nelse:\n    s = 16.0\nopt = nn.SGD(net.trainable_params(), 0.1, loss_scale=s)\n"
        + CELL.format("sens=s"),
        ["scaled-fixed"],
    ),
    "two managers, each with its optimizer": (
        WAYS.format("8.0", "1.0") + MODEL.format("O3", ", loss_scale_manager=m"),
        ["scaled-dynamic", "scaled-fixed"],
    ),
    "two managers, each with the optimizer of the other": (
        WAYS.format("1.0", "8.0") + MODEL.format("O3", ", loss_scale_manager=m"),
        ["divided-twice", "kept"],
    ),
    "cells, each with its optimizer": (
        WAYS.replace("ms.FixedLossScaleManager(8, False)", "nn.FixedLossScaleUpdateCell(8)")
        .replace("amp.DynamicLossScaleManager()", "nn.DynamicLossScaleUpdateCell(8, 2, 100)")
        .format("1.0", "1.0")
        + "step = nn.TrainOneStepWithLossScaleCell(nn.WithLossCell(net, loss_fn), opt, m)\n",
        ["scaled-dynamic", "scaled-fixed"],
    ),
    "an optimizer without loss_scale": (
        "opt = nn.Rprop(net.trainable_params())\n" + CELL.format("1024.0"),
        ["kept"],
    ),
    "an optimizer that is not seen": ("opt = build()\n" + CELL.format("1024.0"), ["optimizer-unknown"]),
    "an optimizer of the project": (
        "class Own(nn.SGD):\n    def construct(self, grads):\n        return super().construct(grads)\n"
        "opt = Own(net.trainable_params(), 0.1, loss_scale=8.0)\n" + CELL.format("8.0"),
        ["scaled-fixed"],
    ),
    "an optimizer of the project, another number": (
        "class Own(nn.SGD):\n    def construct(self, grads):\n        return super().construct(grads)\n"
        "opt = Own(net.trainable_params(), 0.1, loss_scale=8.0)\n" + CELL.format("16.0"),
        ["mismatch"],
    ),
}


@pytest.mark.parametrize("name", FRAMEWORK)
def test_steps_of_the_framework(name: str, tmp_path: Path) -> None:
    text, expected = FRAMEWORK[name]
    assert codes(loss_scaling.examine(training(tmp_path, text))) == expected


DYNAMIC = "scaler = amp.DynamicLossScaler(1024, 2, 50)\n"
ADJUSTED = SCALED + "    scaler.adjust(amp.all_finite(grads))\n"
OWN = {
    "put on, taken off, adjusted": (DYNAMIC + HALF + ADJUSTED, ["scaled-own"]),
    "never adjusted": (DYNAMIC + HALF + SCALED, ["never-adjusted"]),
    "a scaler that does not change": ("scaler = amp.StaticLossScaler(1024)\n" + HALF + SCALED, ["scaled-own"]),
    "a scaler of 1": ("scaler = amp.StaticLossScaler(1)\n" + HALF + SCALED, ["scale-one"]),
    "a dynamic one that stays 1": ("scaler = amp.DynamicLossScaler(1, 1, 50)\n" + HALF + ADJUSTED, ["scale-one"]),
    "a dynamic one that starts at 1": ("scaler = amp.DynamicLossScaler(1, 2, 50)\n" + HALF + ADJUSTED, ["scaled-own"]),
    "only one of two losses": (
        DYNAMIC
        + HALF
        + ADJUSTED.replace("scaler.scale(loss_fn(net(x), y))", "scaler.scale(loss_fn(net(x), y)) + net(x).sum()"),
        ["divided-own"],
    ),
    "only one of two losses, and not taken off": (
        DYNAMIC + HALF + LOOP.format(loss="scaler.scale(loss_fn(net(x), y)) + net(x).sum()", result="grads"),
        ["uneven"],
    ),
    "not taken off": (
        DYNAMIC + HALF + ADJUSTED.replace("scaler.unscale(grads)", "grads"),
        ["kept-own"],
    ),
    "taken off without having been put on": (
        DYNAMIC + HALF + ADJUSTED.replace("scaler.scale(loss_fn(net(x), y))", "loss_fn(net(x), y)"),
        ["divided-own"],
    ),
    "the optimizer divides as well": (SGD + DYNAMIC + HALF + ADJUSTED, ["mismatch-own"]),
    "the optimizer divides instead": (
        SGD + LOOP.format(loss="loss_fn(net(x), y) * 1024.0", result="grads"),
        ["scaled-own"],
    ),
    "the optimizer alone divides": (SGD + PLAIN, ["divided-only"]),
    "the optimizer divides by another number": (
        SGD + LOOP.format(loss="loss_fn(net(x), y) * 1048576.0", result="grads"),
        ["mismatch-own"],
    ),
    "a mean of several steps": (LOOP.format(loss="loss_fn(net(x), y) / 4", result="grads"), ["no-half"]),
    "a mean of very many": (LOOP.format(loss="loss_fn(net(x), y) / 4096", result="grads"), ["unresolved-step"]),
    "an unknown optimizer": (
        "opt = build(net)\n" + HALF + SCALED.replace("opt.parameters", "net.trainable_params()"),
        ["optimizer-unknown"],
    ),
    "an unknown loss": (
        "from helper import loss_of\n" + HALF + PLAIN.replace("(forward,", "(loss_of,"),
        ["loss-unknown"],
    ),
    "float32": (PLAIN, ["no-half"]),
}


@pytest.mark.parametrize("name", OWN)
def test_steps_of_the_project(name: str, tmp_path: Path) -> None:
    text, expected = OWN[name]
    assert codes(loss_scaling.examine(training(tmp_path, text))) == expected


@pytest.mark.parametrize(
    ("optimizer", "loss", "result", "scale"),
    [
        ("1024.0", "scaler.scale(loss_fn(net(x), y))", "grads", "scaler / 1024"),
        ("1024.0", "scaler.scale(loss_fn(net(x), y))", "[g * 8192 for g in grads]", "8 * scaler"),
        ("1024.0", "scaler.scale(loss_fn(net(x), y))", "[g * 1024 for g in grads]", "scaler"),
    ],
)
def test_what_is_left_of_a_scale(optimizer: str, loss: str, result: str, scale: str, tmp_path: Path) -> None:
    text = DYNAMIC + SGD.replace("1024.0", optimizer) + LOOP.format(loss=loss, result=result)
    (told,) = loss_scaling.examine(training(tmp_path, text))
    assert (told.code, told.data["scale"]) == ("mismatch-own", scale)


STEP = """
class Step(nn.Cell):
    def __init__(self, network, optimizer, manager):
        super().__init__()
        self.network, self.optimizer, self.manager = network, optimizer, manager
        self.grad = ops.GradOperation(get_by_list=True, sens_param=True)
        self.loss_scale = ms.Parameter({value}, name="loss_scale")

    def construct(self, x, y):
        sens = ops.ones((1,)) * self.loss_scale
        grads = self.grad(self.network, self.optimizer.parameters)(x, y, sens)
        grads = [g / self.loss_scale for g in grads]
        {then}
        self.optimizer(grads)

    def shrink(self):
        {method}

net.to_float(ms.float16)
manager = nn.DynamicLossScaleUpdateCell(2**12, 2, 1000)
model = ms.Model(Step(nn.WithLossCell(net, loss_fn), opt, manager))
"""
FROM_MANAGER = "ms.Tensor(manager.get_loss_scale(), ms.float32)"
PARAMETERS = [
    ("ms.Tensor(1024.0)", "pass", "pass", ["scaled-own"]),
    ("ms.Tensor(1.0)", "pass", "pass", ["scale-one"]),
    ("ms.Tensor(start())", "pass", "pass", ["scaled-own"]),
    ("ms.Tensor(network)", "pass", "pass", ["scaled-own"]),
    ("ms.Tensor(1024.0)", "pass", "ops.assign(self.loss_scale, self.loss_scale / 2)", ["never-adjusted"]),
    ("ms.Tensor(1024.0)", "ops.assign(self.loss_scale, self.loss_scale / 2)", "pass", ["scaled-own"]),
    ("ms.Tensor(1024.0)", "self.shrink()", "ops.assign(self.loss_scale, self.loss_scale / 2)", ["scaled-own"]),
    (FROM_MANAGER, "pass", "pass", ["never-adjusted"]),
    (FROM_MANAGER, "self.manager(self.loss_scale, amp.all_finite(grads))", "pass", ["scaled-own"]),
]


@pytest.mark.parametrize(("value", "then", "method", "expected"), PARAMETERS)
def test_a_scale_in_a_parameter(value: str, then: str, method: str, expected: list[str], tmp_path: Path) -> None:
    made = training(tmp_path, STEP.format(value=value, then=then, method=method))
    assert codes(loss_scaling.examine(made)) == expected


@pytest.mark.parametrize(
    ("asked", "expected"),
    [("self.loss_scale > 1", ["unresolved-step"]), ("1 != self.loss_scale", ["unresolved-step"]), ("x", ["kept-own"])],
)
def test_a_scale_that_is_taken_off_where_there_is_one(asked: str, expected: list[str], tmp_path: Path) -> None:
    text = STEP.replace(
        "= [g / self.loss_scale for g in grads]", f"= [g / self.loss_scale for g in grads] if {asked} else grads"
    )
    made = training(tmp_path, text.format(value=FROM_MANAGER, then="pass", method="pass"))
    assert [code for code in codes(loss_scaling.examine(made)) if code != "never-adjusted?"] == expected


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ("2**12, 2, 1000", False),
        ("2**12, 1000, 2", True),
        ("2**12, scale_factor=args.window, scale_window=args.k", True),
        ("2**12, scale_factor=args.k, scale_window=args.factor", True),
        ("2**12, scale_factor=args.factor, scale_window=args.window", False),
        ("2**12, scale_factor=args.a, scale_window=args.b", False),
    ],
)
def test_window_and_factor(given: str, wrong: bool, tmp_path: Path) -> None:
    text = f"args = read()\nm = nn.DynamicLossScaleUpdateCell({given})\n" + MODEL.format("O2", "")
    assert ("window-is-factor" in codes(loss_scaling.examine(training(tmp_path, text)))) is wrong
