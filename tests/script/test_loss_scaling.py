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

#: A training cell of the project that gives its gradients a sens.
SENS = """
class Judged(nn.Cell):
    def __init__(self):
        super().__init__()
        self.net = net
    def construct(self, x, y):
        return loss_fn(self.net(x), y){mean}

class Step(nn.Cell):
    def __init__(self, network, optimizer):
        super().__init__(auto_prefix=False)
        self.network, self.optimizer = network, optimizer
        self.grad = ops.GradOperation(get_by_list=True, sens_param=True)
        self.sens = ms.Tensor({sens}.0, ms.float32)
    def construct(self, x, y):
        loss = self.network(x, y)
        grads = self.grad(self.network, self.optimizer.parameters)(x, y, self.sens)
        return ops.depend(loss, self.optimizer(grads))

step = Step(Judged(), opt)
for x, y in data:
    step(x, y)
"""
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
    "a table alone in half precision": (
        "net = nn.SequentialCell(nn.Embedding(9, 8, dtype=ms.float16), nn.Dense(8, 2))\nms.Model(net, loss_fn, opt)\n",
        ["no-scale-partly"],
    ),
    "a buffer in half precision": (
        "net.kept = ms.Parameter(ops.zeros((2, 2), ms.float16), requires_grad=False)\nms.Model(net, loss_fn, opt)\n",
        ["no-half"],
    ),
    "a weight in half precision": (
        "net.kept = ms.Parameter(ops.zeros((2, 2), ms.float16))\nms.Model(net, loss_fn, opt)\n",
        ["no-scale"],
    ),
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
    "a cast whose result is thrown away": (
        "class Net(nn.Cell):\n    def construct(self, x):\n        x.to(ms.float16)\n        x.astype(ms.float16)\n"
        "        return net(x)\nmodel = ms.Model(Net(), loss_fn, opt)\n",
        ["no-half"],
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
    "one or another, by the same test": (
        "level = flag()\nopt = nn.SGD(net.trainable_params(), 0.1, loss_scale=8.0 if level == 'O3' else 1.0)\n"
        "if level == 'O3':\n    " + MODEL.format("O3", ", loss_scale_manager=ms.FixedLossScaleManager(8, False)"),
        ["scaled-fixed"],
    ),
    "one or another, by another test": (
        "level = flag()\nopt = nn.SGD(net.trainable_params(), 0.1, loss_scale=8.0 if level == 'O2' else 1.0)\n"
        "if level == 'O3':\n    " + MODEL.format("O3", ", loss_scale_manager=ms.FixedLossScaleManager(8, False)"),
        ["kept?", "scaled-fixed"],
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
    "a dynamic one that stays 1, of what is not seen to be float16": (
        "scaler = amp.DynamicLossScaler(1, 1, 50)\n" + ADJUSTED,
        ["scale-one"],
    ),
    "a scaler of 1 in float32": ("scaler = amp.StaticLossScaler(1)\n" + SCALED, ["scaled-own"]),
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
    "the optimizer takes off what a scaler puts on": (
        SGD + "scaler = amp.StaticLossScaler(1024.0)\n" + HALF + SCALED.replace("scaler.unscale(grads)", "grads"),
        ["scaled-own"],
    ),
    "the optimizer takes off another number than a scaler puts on": (
        SGD + "scaler = amp.StaticLossScaler(512.0)\n" + HALF + SCALED.replace("scaler.unscale(grads)", "grads"),
        ["mismatch-own"],
    ),
    "the optimizer alone divides": (SGD + PLAIN, ["divided-only"]),
    "the optimizer divides by another number": (
        SGD + LOOP.format(loss="loss_fn(net(x), y) * 1048576.0", result="grads"),
        ["mismatch-own"],
    ),
    "a sens that the optimizer takes off, of a mean over very many": (
        SGD + SENS.format(mean=" / 4096", sens=1024),
        ["scaled-own"],
    ),
    "a sens that the optimizer does not take off, of a mean over very many": (
        SGD + SENS.format(mean=" / 4096", sens=1073741824),
        ["mismatch-own"],
    ),
    "a sens that a table out of sight may leave at 1": (
        "from levels import table\nscale = 1.0 if table['O0']['manager'] is None else 1024.0\n"
        + SENS.replace("{sens}.0", "scale").format(mean=""),
        ["kept-own?"],
    ),
    "a sens that a table may leave at 1, where the defaults of options are known": (
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('--sens', type=float, default=1024)\n"
        "args = p.parse_args()\nfrom levels import table\nscale = 1.0 if table['O0']['manager'] is None else args.sens\n"
        + SENS.replace("{sens}.0", "scale").format(mean=""),
        ["kept-own?"],
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
    "never adjusted, or no scaler": (
        "scaler = None\nif flag():\n    scaler = amp.DynamicLossScaler(1024, 2, 50)\n" + HALF + SCALED,
        ["never-adjusted"],
    ),
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


#: A scaler or none, by an option; six losses by a name; gradients brought together or not.
CHOSEN = """
from missing import config
net.to_float(ms.float16)

class NoScaler(amp.LossScaler):
    def scale(self, inputs):
        return inputs

    def unscale(self, inputs):
        return inputs

    def adjust(self, finite):
        return True

class Mean(nn.Cell):
    def __init__(self, kind, weighed, smooth):
        super().__init__()
        self.kind, self.weighed, self.smooth = kind, weighed, smooth

    def construct(self, x, y):
        if self.kind == "mean" and self.smooth > 0:
            return ops.reduce_mean(ops.abs(x - y)) + ops.reduce_mean(x)
        return ops.reduce_mean(ops.abs(x - y))

def build():
    name = config.loss
    if name == "ce":
        return nn.CrossEntropyLoss()
    if name == "bce":
        return nn.BCEWithLogitsLoss(weight=config.weight if config.weighed else None)
    if name == "l1":
        return nn.L1Loss()
    if name == "mse":
        return nn.MSELoss()
    if name == "huber":
        return nn.HuberLoss()
    return Mean(name, config.weighed, config.smooth)

loss_fn = build()
if config.distributed:
    reduce = nn.DistributedGradReducer(opt.parameters, True, 8)
else:
    reduce = ops.identity
if config.level != "O0":
    scaler = amp.StaticLossScaler({given})
else:
    scaler = NoScaler()

def forward(x, y):
    loss = loss_fn(net(x), y)
    return {loss}

grad_fn = ms.value_and_grad(forward, None, opt.parameters)

def step(x, y):
    loss, grads = grad_fn(x, y)
    grads = reduce(grads)
    if amp.all_finite(grads):
        grads = {grads}
        opt(grads)
"""
DIVIDING = "from missing import config\nopt = nn.SGD(net.trainable_params(), 0.1, loss_scale={})\n"
ON, OFF = "scaler.scale(loss)", "scaler.unscale(grads)"
WAYS_TO_CHOOSE = {
    "put on and taken off": ("", "config.scale", ON, OFF, ["scaled-own"]),
    "put on": ("", "1024.0", ON, "grads", ["kept-own"]),
    "taken off": ("", "1024.0", "loss", OFF, ["divided-own"]),
    "the optimizer divides by what is not seen": (
        DIVIDING.format("config.loss_scale"), "config.loss_scale", ON, OFF, ["unresolved-step"]
    ),
    "the optimizer divides as well": (DIVIDING.format("1024.0"), "1024.0", ON, OFF, ["mismatch-own"]),
}  # fmt: skip


@pytest.mark.parametrize("name", WAYS_TO_CHOOSE)
def test_more_ways_than_can_be_told_apart(name: str, tmp_path: Path) -> None:
    optimizer, given, loss, grads, expected = WAYS_TO_CHOOSE[name]
    text = optimizer + CHOSEN.format(given=given, loss=loss, grads=grads)
    assert codes(loss_scaling.examine(training(tmp_path, text))) == expected


@pytest.mark.parametrize(("loss", "grads", "expected"), [(ON, OFF, ["unresolved-step"]), (ON, "grads", ["kept-own"])])
def test_a_loss_that_may_be_too_much_to_be_seen(loss: str, grads: str, expected: list[str], tmp_path: Path) -> None:
    text = CHOSEN.format(given="1024.0", loss=loss, grads=grads).replace(
        "    return scaler",
        "    if config.smooth > 0:\n        loss = loss + config.smooth * ops.reduce_mean(net(x))\n    return scaler",
    )
    assert codes(loss_scaling.examine(training(tmp_path, text))) == expected


def test_scales_that_are_too_many_are_not_resolved(tmp_path: Path) -> None:
    many = "".join(f" * ({2.0 ** (10 * n)} if flag_{n} else 1.0)" for n in range(1, 6))
    loop = LOOP.format(loss="loss_fn(net(x), y)" + many, result="grads")
    assert codes(loss_scaling.examine(training(tmp_path, HALF + loop))) == ["unresolved-step"]
    text = f"opt = nn.SGD(net.trainable_params(), 0.1, loss_scale=1.0{many})\n"
    assert codes(loss_scaling.examine(training(tmp_path, text + CELL.format("8.0")))) == ["unresolved"]
    assert codes(loss_scaling.examine(training(tmp_path, text + MODEL.format("O2", "")))) == ["optimizer-unknown"]


#: A step of a network with several outputs, of which the loss alone is differentiated.
OUTPUTS = """
class Step(nn.Cell):
    def __init__(self, network, optimizer, scaler=None, sens=1.0):
        super().__init__()
        self.network, self.optimizer, self.scaler, self.sens = network, optimizer, scaler, sens
        self.grad = ops.GradOperation(get_by_list=True, sens_param=True)

    def construct(self, x, y):
        loss, logits, features = self.network(x, y)
        {sens}
        grads = self.grad(self.network, self.optimizer.parameters)(x, y, sens)
        grads = {grads}
        self.optimizer(grads)
        return loss

class Outputs(nn.Cell):
    def __init__(self, net, loss_fn):
        super().__init__()
        self.net, self.loss_fn = net, loss_fn

    def construct(self, x, y):
        features, logits = self.net(x)
        return self.loss_fn(logits, y), logits, features

net.to_float(ms.float16)
{scaler}
step = Step(Outputs(net, loss_fn), opt, {given})
"""
FILLED = (
    "sens = (ops.fill(ms.float32, (1,), self.sens), ops.fill(ms.float32, (2,), 0.0), ops.fill(ms.float32, (3,), 0.0))"
)
ADDED = (
    "sens = (ops.ones_like(loss) * self.scaler.scale_value,)\n"
    "        for output in (logits, features):\n            sens += (ops.zeros_like(output),)"
)
UNSCALED, BY_SENS = "self.scaler.unscale(grads)", "[g / self.sens for g in grads]"
STATIC, CHOICE = (
    "scaler = amp.StaticLossScaler({})",
    """from missing import config
scaler = amp.StaticLossScaler(1024.0)
if config.scaler == "dynamic":
    scaler = amp.DynamicLossScaler(scale_value=config.scale, scale_factor=2, scale_window=2000)
elif config.scaler == "static":
    scaler = amp.StaticLossScaler(config.get("scale", 512.0))""",
)
READ = "from missing import config"
LOSSES = {
    "a number": (FILLED, BY_SENS, "", "sens=1024.0", ["scaled-own"]),
    "a number that is kept": (FILLED, "grads", "", "sens=1024.0", ["kept-own"]),
    "a number that is put on twice": (FILLED, "[g * self.sens for g in grads]", "", "sens=1024.0", ["kept-own"]),
    "a setting that is not read": (FILLED, BY_SENS, READ, "sens=config.scale", ["scaled-own"]),
    "a setting that is not read, and kept": (FILLED, "grads", READ, "sens=config.scale", ["kept-own"]),
    "a number that is not put on": (
        FILLED.replace("self.sens", "1.0"),
        BY_SENS,
        "loss_scale = 1024.0",
        "sens=loss_scale",
        ["divided-own"],
    ),
    "a number that may be a mean": (
        FILLED.replace("self.sens", "1.0"),
        BY_SENS,
        "points = 1024.0",
        "sens=points",
        ["unresolved-step"],
    ),
    "no number": (FILLED, "grads", "", "sens=1.0", ["no-scale"]),
    "a scaler": (ADDED, UNSCALED, STATIC.format("1024.0"), "scaler", ["scaled-own"]),
    "a scaler by keyword": (ADDED, UNSCALED, STATIC.format("scale_value=1024.0"), "scaler", ["scaled-own"]),
    "a scaler that is kept": (ADDED, "grads", STATIC.format("1024.0"), "scaler", ["kept-own"]),
    "a scaler that is taken off alone": (
        ADDED.replace("self.scaler.scale_value", "1.0"),
        UNSCALED,
        STATIC.format("1024.0"),
        "scaler",
        ["divided-own"],
    ),
    "one of three scalers": (ADDED, UNSCALED, CHOICE, "scaler", ["never-adjusted?", "scaled-own"]),
    "one of three scalers that is kept": (ADDED, "grads", CHOICE, "scaler", ["kept-own"]),
}


@pytest.mark.parametrize("name", LOSSES)
def test_a_loss_beside_other_outputs(name: str, tmp_path: Path) -> None:
    sens, grads, scaler, given, expected = LOSSES[name]
    text = OUTPUTS.format(sens=sens, grads=grads, scaler=scaler, given=given)
    assert codes(loss_scaling.examine(training(tmp_path, text))) == expected


def test_what_gradients_are_divided_by_is_said(tmp_path: Path) -> None:
    sens, grads, scaler, given, _ = LOSSES["a number that is not put on"]
    (told,) = loss_scaling.examine(
        training(tmp_path, OUTPUTS.format(sens=sens, grads=grads, scaler=scaler, given=given))
    )
    assert told.data["scale"] == "1024"


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


GATHERED = """
from mindspore.boost.grad_accumulation import gradient_accumulation_op
add = ops.MultitypeFuncGraph("add")

@add.register("Tensor", "Tensor")
def _add(held, gradient):
    return ADDED

class Step(nn.TrainOneStepWithLossScaleCell):
    def __init__(self, network, optimizer, scale):
        super().__init__(network, optimizer, scale)
        self.held = optimizer.parameters.clone(prefix="held", init="zeros")
        self.zeros = optimizer.parameters.clone(prefix="zeros", init="zeros")
        self.passes = ms.Parameter(ms.Tensor(0, ms.int32), name="passes")
        self.map, self.partial = ops.Map(), ops.Partial()

    def construct(self, x, y):
        loss = self.network(x, y)
        grads = self.grad(self.network, self.weights)(x, y, ops.ones_like(loss) * self.scale_sense)
        grads = self.hyper_map(ops.partial(divided, self.scale_sense), grads)
        loss = ops.depend(loss, GATHER)
        if self.passes % 4 == 0:
            loss = ops.depend(loss, self.optimizer(self.grad_reducer(self.held)))
            loss = ops.depend(loss, self.map(self.partial(ops.assign), self.held, self.zeros))
        return loss

divided = ops.MultitypeFuncGraph("divided")

@divided.register("Tensor", "Tensor")
def _divided(scale, gradient):
    return gradient FACTOR ops.reciprocal(scale)

net.to_float(ms.float16)
model = ms.Model(Step(nn.WithLossCell(net, loss_fn), opt, ms.Tensor(1024.0)))
"""


@pytest.mark.parametrize(
    ("gather", "added"),
    [
        ("self.map(self.partial(ops.assign_add), self.held, grads)", "held"),
        ("self.hyper_map(add, self.held, grads)", "ops.assign_add(held, gradient)"),
        ("self.hyper_map(add, self.held, grads)", "held.add_(gradient)"),
        ("self.hyper_map(ops.partial(gradient_accumulation_op, 4), self.held, grads)", "held"),
    ],
)
def test_gradients_that_are_gathered_in_copies_of_the_parameters_are_followed(
    gather: str, added: str, tmp_path: Path
) -> None:
    text = GATHERED.replace("GATHER", gather, 1).replace("ADDED", added)
    for factor, expected in (("*", ["scaled-own"]), ("+", ["kept-own"])):
        assert codes(loss_scaling.examine(training(tmp_path, text.replace("FACTOR", factor)))) == expected


_SUMMED = """
scaler = ms.amp.DynamicLossScaler(2**16, 2, 1000)
held = [ms.Parameter(ops.zeros_like(p), requires_grad=False) for p in opt.parameters]
grad = ms.value_and_grad(lambda x, y: scaler.scale(loss_fn(net(x), y)) / 4, None, opt.parameters)
net.to_float(ms.float16)

for turn, (x, y) in enumerate(data):
    loss, grads = grad(x, y)
    for one, gradient in zip(held, grads):
        ops.assign_add(one, gradient)
    if turn % 4 == 3:
        summed = UNSCALED
        if ms.amp.all_finite(summed):
            opt(summed)
        scaler.adjust(ms.amp.all_finite(summed))
        for one in held:
            ops.assign(one, ops.zeros_like(one))
"""


@pytest.mark.parametrize(
    ("unscaled", "expected"), [("scaler.unscale(tuple(held))", ["scaled-own"]), ("tuple(held)", ["kept-own"])]
)
def test_gradients_that_are_gathered_in_parameters_of_zeros_are_followed(
    unscaled: str, expected: list[str], tmp_path: Path
) -> None:
    assert codes(loss_scaling.examine(training(tmp_path, _SUMMED.replace("UNSCALED", unscaled)))) == expected


ASKED_FOR = (
    "import argparse\n"
    "parser = argparse.ArgumentParser()\n"
    "parser.add_argument('--train', default='false')\n"
    "parser.add_argument('--start', default='')\n"
    "parser.add_argument('--scaled', default='false')\n"
    "args = parser.parse_args()\n"
    + STEP[: STEP.index("net.to_float")].format(
        value=FROM_MANAGER, then="self.manager(self.loss_scale, x)", method="pass"
    )
    + """
def train(path):
    if path == "":
        raise ValueError(path)
    net.to_float(ms.float16)
    manager = nn.DynamicLossScaleUpdateCell(2**12, 2, 1000)
    ms.Model(Step(nn.WithLossCell(net, loss_fn), opt, manager)).train(1, data)

if args.train.lower() == "true":
    train(args.start)
"""
).replace("        self.loss_scale =", "        if manager:\n            self.loss_scale =")


@pytest.mark.parametrize(
    ("then", "when", "expected"),
    [
        ("[g / self.loss_scale for g in grads]", "manager", ["scaled-own"]),
        ("grads", "manager", ["kept-own"]),
        ("grads", "manager and args.scaled == 'true'", ["kept-own?"]),
    ],
)
def test_a_training_that_options_ask_for(then: str, when: str, expected: list[str], tmp_path: Path) -> None:
    """What a training as a whole stands under makes nothing in it less sure: by default, none is asked for, and none has weights to
    start from. What is asked for within it does."""
    text = ASKED_FOR.replace("[g / self.loss_scale for g in grads]", then).replace("if manager:", f"if {when}:")
    assert codes(loss_scaling.examine(training(tmp_path, text))) == expected


def test_a_training_of_which_options_choose_one_of_two(tmp_path: Path) -> None:
    """The one that runs by default has no scale, the other one does."""
    head = ASKED_FOR[: ASKED_FOR.index("class Step")] + "if args.scaled:\n    "
    text = head.replace("'--scaled', default='false'", "'--scaled', action='store_true'")
    scaled = MODEL.format("O3", ", loss_scale_manager=amp.DynamicLossScaleManager()")
    made = training(tmp_path, text + scaled + "else:\n    " + MODEL.format("O3", ""))
    assert codes(loss_scaling.examine(made)) == ["no-scale", "scaled-dynamic"]


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


SETTINGS = """
import argparse
from config import cfg
parser = argparse.ArgumentParser()
parser.add_argument("--amp", action="store_true")
parser.add_argument("--fast", action="store_true")
parser.add_argument("--level", default="O2")
args = parser.parse_args()
scaler = amp.StaticLossScaler(1024)
maybe = None
if args.amp:
    maybe = scaler
both = args.amp and cfg.level != "O0"
"""
#: The condition under which the loss is scaled, and that under which the scale is taken off.
TWICE = """
def forward(x, y):
    loss = loss_fn(net(x), y)
    if {put_on}:
        loss = scaler.scale(loss)
    return loss

grad_fn = ms.value_and_grad(forward, None, opt.parameters)

def step(x, y):
    loss, grads = grad_fn(x, y)
    if {taken_off}:
        grads = scaler.unscale(grads)
        opt(grads)
    else:
        opt(grads)

for x, y in data:
    step(x, y)
"""
#: The same condition in the words of two places -> True; conditions that are no more than alike -> False.
SAME_CONDITION = {
    ("args.amp", "args.amp"): True,
    ("maybe", "maybe"): True,
    ("maybe is not None", "maybe is not None"): True,
    ("both", "both"): True,
    ("both", "args.amp and cfg.level != 'O0'"): True,
    ("args.amp and args.level != 'O0'", "args.amp and args.level != 'O0'"): True,
    ("cfg.amp and cfg.level != 'O0'", "cfg.amp and cfg.level != 'O0'"): True,
    ("not (cfg.amp or cfg.fast)", "not (cfg.amp or cfg.fast)"): True,
    ("args.level in ('O2', 'O3')", "args.level in ('O2', 'O3')"): True,
    ("args.level in ('O2', 'O3')", "not args.level not in ('O2', 'O3')"): True,
    ("args.level != 'O0'", "not args.level == 'O0'"): True,
    ("cfg.level != 'O0'", "not cfg.level == 'O0'"): True,
    ("cfg.get('amp', False)", "cfg.get('amp', False)"): True,
    ("cfg.level.startswith('O')", "cfg.level.startswith('O')"): True,
    ("ms.get_context('device_target') == 'Ascend'", "ms.get_context('device_target') == 'Ascend'"): True,
    ("isinstance(cfg.scaler, amp.StaticLossScaler)", "isinstance(cfg.scaler, amp.StaticLossScaler)"): True,
    ("hasattr(cfg, 'amp')", "hasattr(cfg, 'amp')"): True,
    ("len(cfg.devices) > 1", "len(cfg.devices) > 1"): True,
    ("args.amp", "args.fast"): False,
    ("maybe", "cfg.amp"): False,
    ("cfg.amp and cfg.fast", "cfg.amp or cfg.fast"): False,
    ("args.amp and args.level != 'O0'", "args.amp and args.level != 'O1'"): False,
    ("args.level in ('O2', 'O3')", "args.level in ('O1', 'O2')"): False,
    ("args.level != 'O0'", "args.level == 'O0'"): False,
    ("cfg.get('amp', False)", "cfg.get('fast', False)"): False,
    ("cfg.level.startswith('O')", "cfg.level.endswith('O')"): False,
    ("len(cfg.devices) > 1", "len(cfg.nodes) > 1"): False,
    ("draw()", "draw()"): False,
}


@pytest.mark.parametrize(("put_on", "taken_off"), SAME_CONDITION)
def test_a_condition_that_is_written_twice_is_the_same(put_on: str, taken_off: str, tmp_path: Path) -> None:
    made = training(tmp_path, SETTINGS + HALF + TWICE.format(put_on=put_on, taken_off=taken_off))
    faults = {code.strip("?") for code in codes(loss_scaling.examine(made))} & {"kept-own", "divided-own"}
    assert not faults if SAME_CONDITION[put_on, taken_off] else faults


def test_two_flags_that_hold_the_same_values_are_not_the_same(tmp_path: Path) -> None:
    flags = "one = two = False\nif cfg.amp:\n    one = True\nif cfg.fast:\n    two = True\n"
    made = training(tmp_path, SETTINGS + HALF + flags + TWICE.format(put_on="one", taken_off="two"))
    assert "kept-own" in {code.strip("?") for code in codes(loss_scaling.examine(made))}


LEFT_FORWARD = [
    "if args.amp:\n        loss = scaler.scale(loss)\n    return loss",
    "if not args.amp:\n        return loss\n    return scaler.scale(loss)",
    "if args.amp:\n        return scaler.scale(loss)\n    else:\n        pass\n    return loss",
]
LEFT_STEP = [
    "if not args.amp:\n        opt(grads)\n        return loss\n    {}",
    "if args.amp:\n        {}\n        return loss\n    opt(grads)",
    "if args.amp:\n        {}\n    else:\n        opt(grads)",
]


@pytest.mark.parametrize("forward", LEFT_FORWARD)
@pytest.mark.parametrize("step", LEFT_STEP)
@pytest.mark.parametrize("unscales", [True, False])
def test_what_follows_an_early_return_is_for_the_other_way(
    forward: str, step: str, unscales: bool, tmp_path: Path
) -> None:
    body = f"opt({'scaler.unscale(grads)' if unscales else 'grads'})"
    text = f"""
def forward(x, y):
    loss = loss_fn(net(x), y)
    {forward}

grad_fn = ms.value_and_grad(forward, None, opt.parameters)

def step(x, y):
    loss, grads = grad_fn(x, y)
    {step.format(body)}

for x, y in data:
    step(x, y)
"""
    found = {code.strip("?") for code in codes(loss_scaling.examine(training(tmp_path, SETTINGS + text)))}
    assert found == ({"scaled-own", "no-half"} & found if unscales else {"kept-own"})


@pytest.mark.parametrize(
    "loads",
    [
        "from config import cfg",
        "import yaml\nwith open('c.yaml') as f:\n    cfg = yaml.safe_load(f)",
        "import json\ncfg = json.load(open('c.json'))",
    ],
)
@pytest.mark.parametrize(
    "scale",
    ["cfg.loss_scale", "cfg['loss_scale']", "cfg['train']['loss_scale']", "cfg.get('loss_scale', 1024)"],
)
def test_a_scale_of_a_configuration_that_is_not_read(loads: str, scale: str, tmp_path: Path) -> None:
    text = loads + "\n" + HALF + LOOP.format(loss=f"loss_fn(net(x), y) * {scale}", result="{}")
    assert codes(loss_scaling.examine(training(tmp_path, text.format(f"[g / {scale} for g in grads]")))) == [
        "scaled-own"
    ]
    other = text.format("[g / cfg['weight'] for g in grads]")
    assert codes(loss_scaling.examine(training(tmp_path, other))) == ["unresolved-step"]
    assert codes(loss_scaling.examine(training(tmp_path, text.format("grads")))) == [
        "unresolved-step"
    ]  # perhaps a weight


@pytest.mark.parametrize(
    ("factor", "divisor", "expected"),
    [
        ("2 ** cfg.power", "2 ** cfg.power", ["scaled-own"]),
        ("(1 << 10)", "1024", ["scaled-own"]),
        ("cfg.weight", "cfg.weight", ["scaled-own"]),
        ("cfg.scales[0]", "cfg.scales[0]", ["unresolved-step"]),
        ("cfg.factor(3)", "cfg.factor(3)", ["unresolved-step"]),
        ("cfg.weight", "1", ["no-scale"]),
        ("0.5", "cfg.accumulated", ["no-scale"]),
        ("1", "cfg.steps()", ["no-scale"]),
    ],
)
def test_what_is_divided_out_again_is_a_scale_whatever_it_is_called(
    factor: str, divisor: str, expected: list[str], tmp_path: Path
) -> None:
    loop = LOOP.format(loss=f"loss_fn(net(x), y) * {factor}", result=f"[g / ({divisor}) for g in grads]")
    text = f"from config import cfg\n{HALF}{loop}"
    assert codes(loss_scaling.examine(training(tmp_path, text))) == expected


#: float16 that an option chooses, the one way or the other by default.
TYPE_BY_OPTION = """
import argparse
p = argparse.ArgumentParser()
p.add_argument("--kind", default="{kind}")
args = p.parse_args()
{chosen}
net.to_float(kind)
model = ms.Model(net, loss_fn, opt)
"""


@pytest.mark.parametrize("kind", ["half", "single"])
@pytest.mark.parametrize(
    "chosen",
    [
        "kind = ms.float16 if args.kind == 'half' else ms.float32",
        "if args.kind == 'single':\n    kind = ms.float32\nelse:\n    kind = ms.float16",
    ],
)
def test_a_type_that_an_option_chooses(chosen: str, kind: str, tmp_path: Path) -> None:
    told = codes(loss_scaling.examine(training(tmp_path, TYPE_BY_OPTION.format(chosen=chosen, kind=kind))))
    assert told == (["no-scale"] if kind == "half" else ["no-scale?"])


#: A scale that goes in as sens and out by a scaler: the same number, unless an option makes another scaler.
SENS = """
import argparse
p = argparse.ArgumentParser()
p.add_argument("--by", default="none")
p.add_argument("--sens", type=float, default=1024.0)
args = p.parse_args()
net.to_float(ms.float16)

def made(scaler, sens):
    if scaler is None:
        scaler = amp.StaticLossScaler(sens)
    def forward(x, y):
        return loss_fn(net(x), y)
    grad = ops.GradOperation(get_by_list=True, sens_param=True)(forward, opt.parameters)
    def step(x, y):
        loss = forward(x, y)
        grads = grad(x, y, ops.fill(loss.dtype, loss.shape, sens))
        opt(scaler.unscale(grads))
    return step

step = made({scaler}, {sens})
step(x, y)
"""


@pytest.mark.parametrize(
    ("scaler", "sens", "expected"),
    [
        ("None", "args.sens", ["scaled-own"]),
        ("amp.DynamicLossScaler(4096, 2, 99) if args.by == 'dynamic' else None", "args.sens", ["divided-own?"]),
        ("amp.StaticLossScaler(2048.0)", "1.0", ["divided-own"]),
    ],
)
def test_a_scale_that_goes_in_as_sens(scaler: str, sens: str, expected: list[str], tmp_path: Path) -> None:
    assert codes(loss_scaling.examine(training(tmp_path, SENS.format(scaler=scaler, sens=sens)))) == expected


BY_A_SETTING = """
class Step(nn.Cell):
    def __init__(self, net, opt, distance):
        super().__init__()
        self.net, self.opt, self.distance = net, opt, distance
        self.weights = opt.parameters
        self.differentiate = ops.GradOperation(get_by_list=True)

    def construct(self, x, y):
        def error(x, y):
            return self.distance(self.net(x), y)

        value = error(x, y)
        self.opt(self.differentiate(error, self.weights)(x, y))
        return value

def distance(kind):
    if kind == "mae":
        return nn.L1Loss()
    return nn.MSELoss()

step = Step(net, opt, distance(settings.kind))
for x, y in batches:
    step(x, y)
"""


def test_a_loss_that_a_setting_chooses_is_no_scale(tmp_path: Path) -> None:
    assert codes(loss_scaling.examine(training(tmp_path, BY_A_SETTING))) == ["no-half"]


CLIPPED = """
class Step(nn.Cell):
    def __init__(self, network, optimizer, sens=1.0):
        super().__init__(auto_prefix=False)
        self.network, self.optimizer, self.sens = network, optimizer, sens
        self.grad = ops.GradOperation(get_by_list=True, sens_param=True)

    def construct(self, x, y):
        loss = self.network(x, y)
        sens = ops.cast(ops.tuple_to_array((self.sens,)), ms.float32)
        grads = self.clip(self.grad(self.network, self.optimizer.parameters)(x, y, sens), 1.0)
        return ops.depend(loss, self.optimizer(grads))

    def clip(self, grads, largest):
        total = 0
        for grad in grads:
            total += ops.norm(grad) ** 2.0
        share = largest / (total ** 0.5 + 1e-6)
        if share < 1:
            clipped = ()
            for grad in grads:
                clipped += (ops.mul(grad, share),)
            grads = clipped
        return grads

step = Step(nn.WithLossCell(net, loss_fn), opt)
for x, y in data:
    step(x, y)
"""


@pytest.mark.parametrize(("precision", "expected"), [("", ["no-half"]), (HALF, ["no-scale"])])
def test_gradients_divided_by_their_own_size_had_no_scale(precision: str, expected: list[str], tmp_path: Path) -> None:
    assert codes(loss_scaling.examine(training(tmp_path, precision + CLIPPED))) == expected
