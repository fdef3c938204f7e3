"""What is said of updates when gradients overflow: checked, not checked, by a gate that is open, closed or the wrong way."""

from pathlib import Path

import pytest
from training_scripts import HEAD, codes, training

from accucheck.case import load
from accucheck.script import overflow_gate
from accucheck.script.analysis import read_scripts
from accucheck.script.training_steps import TrainingSteps

SGD = "opt = nn.SGD(net.trainable_params(), 0.1, loss_scale=8.0)\n"
HALF = "net.to_float(ms.float16)\n"
MODEL = "model = ms.Model(net, loss_fn, opt, amp_level='{}'{})\n"
FRAMEWORK = {
    "float32": (MODEL.format("O0", ""), ["no-half"]),
    "O2 has its manager": (MODEL.format("O2", ""), ["checked-by-framework"]),
    "O3 has none": (MODEL.format("O3", ""), ["no-check-framework"]),
    "half precision by hand": (HALF + MODEL.format("O0", ""), ["no-check-possible"]),
    "a manager that drops": (
        MODEL.format("O3", ", loss_scale_manager=ms.FixedLossScaleManager(8)"),
        ["checked-by-framework"],
    ),
    "a manager that does not": (
        MODEL.format("O3", ", loss_scale_manager=ms.FixedLossScaleManager(8, False)"),
        ["not-dropped"],
    ),
    "a dynamic manager": (
        MODEL.format("O3", ", loss_scale_manager=amp.DynamicLossScaleManager()"),
        ["checked-by-framework"],
    ),
    "a manager with an option": (
        MODEL.format("O3", ", loss_scale_manager=ms.FixedLossScaleManager(8, drops())"),
        ["manager-unknown"],
    ),
    "a manager that is not seen": (MODEL.format("O3", ", loss_scale_manager=manager()"), ["manager-unknown"]),
    "a cell with a scale": (SGD + "nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), opt, 8.0)\n", ["not-dropped"]),
    "a cell without": (SGD + "nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), opt)\n", ["no-half"]),
    "a cell with a manager": (
        "nn.TrainOneStepWithLossScaleCell(nn.WithLossCell(net, loss_fn), opt, nn.FixedLossScaleUpdateCell(8))\n",
        ["checked-by-framework"],
    ),
}


@pytest.mark.parametrize("name", FRAMEWORK)
def test_steps_of_the_framework(name: str, tmp_path: Path) -> None:
    text, expected = FRAMEWORK[name]
    assert codes(overflow_gate.examine(training(tmp_path, text))) == expected


LOOP = """
ready = read()

def broken(grads):
    for g in grads:
        if ops.isnan(g).any():
            return True
    return False

scaler = amp.{scaler}

def forward(x, y):
    return {loss}

grad_fn = ms.value_and_grad(forward, None, opt.parameters)

def step(x, y):
    loss, grads = grad_fn(x, y)
    {body}

for x, y in data:
    step(x, y)
"""
DYNAMIC, STATIC = "DynamicLossScaler(1024, 2, 50)", "StaticLossScaler(1024)"
FINITE, NAN = "amp.all_finite(grads)", "ops.isnan(grads[0]).any()"
#: After forward in float16 without a scale, the statements from the gradients on.
BODIES = {
    f"if {FINITE}:\n    opt(grads)": ["checked"],
    f"if not {FINITE}:\n    opt(grads)": ["gate-inverted"],
    f"if {NAN}:\n    opt(grads)": ["gate-inverted"],
    f"if {NAN}:\n    skip()\nelse:\n    opt(grads)": ["checked"],
    f"if {FINITE} >= 0:\n    opt(grads)": ["gate-open"],
    f"if {FINITE} < 0:\n    opt(grads)": ["gate-closed"],
    f"if {FINITE} and ready:\n    opt(grads)": ["checked"],
    f"if {FINITE}:\n    if ready:\n        opt(grads)": ["checked"],
    f"if {FINITE}:\n    opt(grads)\nelse:\n    opt(grads)": ["update-on-overflow"],
    f"if {FINITE}:\n    if True:\n        opt(grads)\nelse:\n    opt(grads)": ["update-on-overflow"],
    f"if {FINITE}:\n    opt(grads)\nelse:\n    if True:\n        opt(grads)": ["gate-unknown"],
    f"if not {FINITE}:\n    if True:\n        opt(grads)\nelse:\n    opt(grads)": ["gate-unknown"],
    "if not ops.isnan(loss):\n    opt(grads)": ["checks-loss"],
    f"if {NAN}:\n    return loss\nopt(grads)": ["checked"],
    f"if {NAN}:\n    print(loss)\nopt(grads)": ["check-unused"],
    f"if {FINITE}:\n    return loss\nopt(grads)": ["gate-inverted"],
    f"if not {FINITE}:\n    return loss\nopt(grads)": ["checked"],
    f"if not {FINITE}:\n    raise ValueError\nopt(grads)": ["checked"],
    f"ok = {FINITE}\nif not ok:\n    return loss\nopt(grads)": ["checked"],
    f"ok = {FINITE}\nif ok:\n    pass\nelse:\n    return loss\nopt(grads)": ["checked"],
    f"ok = {FINITE}\nif ok:\n    return loss\nopt(grads)": ["gate-inverted"],
    f"ok = {FINITE}\nif not ok:\n    print(loss)\nopt(grads)": ["check-unused"],
    f"with scope():\n    if not {FINITE}:\n        return loss\nopt(grads)": ["checked"],
    f"try:\n    if not {FINITE}:\n        return loss\nexcept ValueError:\n    pass\nopt(grads)": ["checked"],
    f"if {FINITE}:\n    opt(grads)\n    return loss\nopt(grads)": ["update-on-overflow"],
    "for g in grads:\n    if ops.isnan(g).any():\n        return loss\nopt(grads)": ["checked"],
    "for g in grads:\n    if ops.isnan(g).any():\n        break\nopt(grads)": ["check-unused"],
    "if ops.isnan(loss):\n    return loss\nopt(grads)": ["checks-loss"],
    f"if ops.isnan(loss):\n    return loss\nif not {FINITE}:\n    return loss\nopt(grads)": ["checked"],
    f"if ops.isnan(loss):\n    return loss\nopt(grads, {FINITE})": ["checked-by-optimizer"],
    f"if {FINITE} and ops.isfinite(loss):\n    opt(grads)": ["checked"],
    f"good = ops.isfinite(loss) and {FINITE}\nif good:\n    opt(grads)": ["checked"],
    f"if ops.isnan(loss) or not {FINITE}:\n    pass\nelse:\n    opt(grads)": ["checked"],
    f"if not (ops.isnan(loss) or {NAN}):\n    opt(grads)": ["checked"],
    f"if ops.isfinite(loss) or {FINITE}:\n    opt(grads)": ["checks-loss"],
    f"if not (ops.isnan(loss) and {NAN}):\n    opt(grads)": ["checks-loss"],
    "bad = False\nfor g in grads:\n    if ops.isnan(g).any():\n        bad = True\nif not bad:\n    opt(grads)": [
        "gate-unknown"
    ],
    "bad = False\nfor g in grads:\n    if ops.isnan(g).any():\n        bad = True\nif ready:\n    opt(grads)": [
        "check-unused"
    ],
    "if not broken(grads):\n    opt(grads)": ["gate-unknown"],
    "bad = broken(grads)\nif not bad:\n    opt(grads)": ["gate-unknown"],
    "bad = broken(grads)\nif ready:\n    opt(grads)": ["check-unused"],
    "if has_overflow(ready):\n    return loss\nopt(grads)": ["gate-unknown"],
    "if ready:\n    return loss\nopt(grads)": ["no-check"],
    "overflow = ready.check()\nif not overflow:\n    opt(grads)": ["gate-unknown"],
    "overflow = ready.check()\nif overflow:\n    pass\nelse:\n    opt(grads)": ["gate-unknown"],
    "if ready:\n    opt(grads)": ["no-check"],
    f"flag = {FINITE} if ready else True\nif flag:\n    opt(grads)": ["checked"],
    f"flag = {FINITE} if ready else ms.Tensor(1) > 0\nif flag:\n    opt(grads)": ["gate-constant"],
    f"finite = {FINITE}\nopt(grads)": ["check-unused"],
    "opt(grads)": ["no-check"],
    "grads = [ops.nan_to_num(g) for g in grads]\nopt(grads)": ["checked-by-mask"],
    "grads = [ops.select(ops.isfinite(g), g, ops.zeros_like(g)) for g in grads]\nopt(grads)": ["checked-by-mask"],
    "grads = [g * ops.isfinite(g) for g in grads]\nopt(grads)": ["checked-by-mask"],
    f"opt(grads, {FINITE})": ["checked-by-optimizer"],
}


def _said(
    folder: Path, body: str, loss: str = "loss_fn(net(x), y)", scaler: str = STATIC, half: str = HALF
) -> list[str]:
    text = LOOP.format(loss=loss, body=body.replace("\n", "\n    "), scaler=scaler)
    return codes(overflow_gate.examine(training(folder, half + text)))


@pytest.mark.parametrize("body", BODIES)
def test_steps_of_the_project(body: str, tmp_path: Path) -> None:
    assert _said(tmp_path, body) == BODIES[body]


@pytest.mark.parametrize(("words", "code"), [("", "checked"), ("--keeps", "gate-unknown")])
def test_a_setting_that_leads_past_the_check_may_be_meant(words: str, code: str, tmp_path: Path) -> None:
    options = (
        "import argparse\nparser = argparse.ArgumentParser()\n"
        "parser.add_argument('--keeps', action='store_true')\nargs = parser.parse_args()\n"
    )
    body = f"finite = {FINITE}\n    if args.keeps or finite:\n        opt(grads)"
    text = LOOP.format(loss="loss_fn(net(x), y)", body=body, scaler=STATIC)
    (tmp_path / "train.py").write_text(HEAD + options + HALF + text)
    case = load(tmp_path, ["scripts.train=train.py", f"runtime.command=python train.py {words}"])
    (reading,) = read_scripts(case).training
    assert codes(overflow_gate.examine(TrainingSteps(reading))) == [code]


def test_float32_without_a_check_needs_none(tmp_path: Path) -> None:
    assert _said(tmp_path, "opt(grads)", half="") == ["no-half"]


CAST = "class Net(nn.Cell):\n    def construct(self, x):\n        return nn.Dense(8, 2)(ops.cast(x, ms.float16))\nnet = Net()\n"


def test_single_values_in_half_precision(tmp_path: Path) -> None:
    assert _said(tmp_path, "opt(grads)", half=CAST) == ["no-check-possible"]


@pytest.mark.parametrize(
    ("scaler", "body", "expected"),
    [
        (STATIC, "opt(scaler.unscale(grads))", ["not-dropped"]),
        (DYNAMIC, "opt(scaler.unscale(grads))", ["no-check"]),
        (STATIC, f"scaler.adjust({FINITE})\nopt(scaler.unscale(grads))", ["not-dropped"]),
        (DYNAMIC, f"scaler.adjust({FINITE})\nopt(scaler.unscale(grads))", ["check-unused"]),
        (DYNAMIC, f"scaler.adjust({FINITE})\nif {FINITE}:\n    opt(scaler.unscale(grads))", ["checked"]),
    ],
)
def test_a_scale_asks_for_a_check(scaler: str, body: str, expected: list[str], tmp_path: Path) -> None:
    assert _said(tmp_path, body, "scaler.scale(loss_fn(net(x), y))", scaler) == expected


STEP = """
class Step(nn.Cell):
    def __init__(self, network, optimizer):
        super().__init__()
        self.network, self.optimizer = network, optimizer
        self.grad = ops.GradOperation(get_by_list=True, sens_param=True)
        self.loss_scale = ms.Parameter({value}, name="loss_scale")

    def construct(self, x, y):
        grads = self.grad(self.network, self.optimizer.parameters)(x, y, ops.ones((1,)) * self.loss_scale)
        grads = [g / self.loss_scale for g in grads]
        {then}
        self.optimizer(grads)

manager = nn.DynamicLossScaleUpdateCell(2**12, 2, 1000)
model = ms.Model(Step(nn.WithLossCell(net, loss_fn), opt))
"""


@pytest.mark.parametrize(
    ("value", "then", "expected"),
    [
        ("ms.Tensor(1024.0)", "pass", ["not-dropped"]),
        ("ms.Tensor(1024.0)", "ops.assign(self.loss_scale, self.loss_scale / 2)", ["no-check"]),
        ("ms.Tensor(manager.get_loss_scale())", "pass", ["no-check"]),
    ],
)
def test_a_scale_in_a_parameter(value: str, then: str, expected: list[str], tmp_path: Path) -> None:
    assert codes(overflow_gate.examine(training(tmp_path, STEP.format(value=value, then=then)))) == expected


@pytest.mark.parametrize(("clears", "expected"), [(True, ["checked"]), (False, ["not-cleared"])])
def test_the_register_of_the_device(clears: bool, expected: list[str], tmp_path: Path) -> None:
    lines = [
        "status = ops.operations.NPUAllocFloatStatus()()",
        "ops.operations.NPUClearFloatStatus()(status)" if clears else "",
        "loss, grads = grad_fn(x, y)",
        "ops.operations.NPUGetFloatStatus()(status)",
        "if status.sum() == 0:",
        "    opt(grads)",
    ]
    assert _said(tmp_path, "\n".join(lines)) == expected


def test_a_fault_beside_a_sound_step_is_only_possible(tmp_path: Path) -> None:
    one = LOOP.format(loss="loss_fn(net(x), y)", body=f"if {FINITE}:\n        opt(grads)", scaler=STATIC)
    text = one.replace(f"    if {FINITE}", f"    if not ready:\n        opt(grads)\n    elif {FINITE}")
    assert codes(overflow_gate.examine(training(tmp_path, HALF + text))) == ["checked", "no-check?"]


@pytest.mark.parametrize(
    ("body", "condition"),
    [
        (f"if not {FINITE}:\n    return loss\nopt(grads)", FINITE),
        (f"if {NAN}:\n    pass\nelse:\n    opt(grads)", f"not {NAN}"),
        (f"if {FINITE}:\n    return loss\nopt(grads)", f"not {FINITE}"),
    ],
)
def test_the_condition_is_told_as_it_holds_for_the_update(body: str, condition: str, tmp_path: Path) -> None:
    text = LOOP.format(loss="loss_fn(net(x), y)", body=body.replace("\n", "\n    "), scaler=STATIC)
    (one,) = overflow_gate.examine(training(tmp_path, HALF + text))
    assert one.data["condition"] == condition


OPTION = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--guard", action="store_true")
args = parser.parse_args()
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"if args.guard:\n    if {FINITE}:\n        opt(grads)\nelse:\n    opt(grads)", ["checked"]),
        (f"if args.guard:\n    if {FINITE}:\n        opt(grads)\n    return loss\nopt(grads)", ["checked"]),
        (
            f"ok = {FINITE}\nif args.guard:\n    if ok:\n        opt(grads)\nelse:\n    opt(grads)",
            ["check-unused", "checked"],
        ),
    ],
)
def test_a_check_of_the_other_way_is_none_of_this_one(body: str, expected: list[str], tmp_path: Path) -> None:
    assert _said(tmp_path, body, scaler=STATIC + OPTION, half="") == expected


def test_a_scale_of_the_other_way_is_none_of_this_one(tmp_path: Path) -> None:
    """In float32, where only a scale asks for a check."""
    body = f"if args.guard:\n    grads = scaler.unscale(grads)\n    if {FINITE}:\n        opt(grads)\nelse:\n    opt(grads)"
    loss = "scaler.scale(loss_fn(net(x), y)) if args.guard else loss_fn(net(x), y)"
    assert _said(tmp_path, body, loss, DYNAMIC + OPTION, "") == ["checked"]


CHOSEN = """
mixed = read("settings")
if mixed:
    net.to_float(ms.float16)
{scaler}

def plain(x, y):
    return loss_fn(net(x), y)

def scaled(x, y):
    return scaler.scale(plain(x, y))

def full_step(x, y):
    loss, grads = ms.value_and_grad(plain, None, opt.parameters)(x, y)
    opt(grads)
    return loss

def mixed_step(x, y):
    loss, grads = ms.value_and_grad(scaled, None, opt.parameters)(x, y)
    grads = scaler.unscale(grads)
    if amp.all_finite(grads):
        opt(grads)
    return loss

{choice}
"""
MADE = "scaler = amp.DynamicLossScaler(1024, 2, 50)"
EITHER = "if mixed:\n    scaler = amp.DynamicLossScaler(1024, 2, 50)\nelse:\n    scaler = None"
#: How a step is chosen for half precision, or wrongly for the other way -> what is said.
CHOICES = {
    "step = mixed_step if mixed else full_step\nstep(x, y)": (MADE, ["checked"]),
    "if mixed:\n    step = mixed_step\nelse:\n    step = full_step\nstep(x, y)": (MADE, ["checked"]),
    "if scaler is not None:\n    mixed_step(x, y)\nelse:\n    full_step(x, y)": (EITHER, ["checked"]),
    "if scaler is None:\n    full_step(x, y)\nelse:\n    mixed_step(x, y)": (EITHER, ["checked"]),
    "if scaler:\n    mixed_step(x, y)\nelse:\n    full_step(x, y)": (EITHER, ["checked"]),
    "step = full_step if mixed else mixed_step\nstep(x, y)": (MADE, ["no-check?", "checked"]),
    "if scaler is None:\n    mixed_step(x, y)\nelse:\n    full_step(x, y)": (EITHER, ["no-check?", "checked"]),
}


@pytest.mark.parametrize("choice", CHOICES)
def test_a_step_on_the_way_without_half_precision_needs_no_check(choice: str, tmp_path: Path) -> None:
    scaler, expected = CHOICES[choice]
    told = codes(overflow_gate.examine(training(tmp_path, CHOSEN.format(scaler=scaler, choice=choice))))
    assert sorted(told) == sorted(expected)
