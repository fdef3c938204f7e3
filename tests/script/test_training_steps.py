"""Factors of gradients, overflow flags and edits: what the probes of training steps stand on."""

import ast
from pathlib import Path
from typing import Any

import pytest
from training_scripts import HEAD, LOOP, bound, training

from accucheck.script import clipping, loss_scaling, overflow_gate
from accucheck.script.overflow import Overflow
from accucheck.script.patch import parse
from accucheck.script.remarks import with_keyword, without_keyword
from accucheck.script.source import read
from accucheck.script.training_steps import TrainingSteps
from accucheck.script.values import Call


def numbers(made: TrainingSteps, name: str) -> set[float]:
    return {round(term.number, 9) for term in made.factors.of(bound(made, name))}


@pytest.mark.parametrize(
    ("loss", "result", "factor"),
    [
        ("loss_fn(net(x), y) * 1024.0", "[g / 1024.0 for g in grads]", 1),
        ("loss_fn(net(x), y) * 1024.0", "tuple(g * (1 / 1024) for g in grads)", 1),
        ("ops.mul(loss_fn(net(x), y), 512)", "[ops.div(ops.cast(g, ms.float32), 512) for g in grads]", 1),
        ("loss_fn(net(x), y) * 1024.0", "[ops.clip_by_value(g, -1, 1) for g in grads]", 1024),
        ("(loss_fn(net(x), y) * 1024.0).mean()", "[g * ops.reciprocal(ms.Tensor(1024.0)) for g in grads]", 1),
        ("1024.0 * loss_fn(net(x), y) + 1024.0 * net(x).mean()", "[g.reshape(-1) for g in grads]", 1024),
        ("ops.sqrt(ops.square(1024.0 * loss_fn(net(x), y)))", "[g for g in grads]", 1024),
        ("-loss_fn(net(x), y) / 1024.0", "[g for g in grads]", 1 / 1024),
    ],
)
def test_a_factor_is_followed_to_the_optimizer(tmp_path: Path, loss: str, result: str, factor: float) -> None:
    made = training(tmp_path, LOOP.format(loss=loss, result=result))
    (step,) = made.steps
    assert {round(term.number, 9) for term in made.carried(step)} == {round(factor, 9)}


def test_options_that_go_together_are_not_mixed(tmp_path: Path) -> None:
    """Scaled and unscaled under one condition, read twice: no run has one without the other."""
    text = """
    import argparse
    parser = argparse.ArgumentParser()
    parser.add_argument("--scale", type=int, default=0)
    args = parser.parse_args()

    def forward(x, y):
        loss = loss_fn(net(x), y)
        if args.scale:
            loss = loss * 1024.0
        return loss

    grad_fn = ms.value_and_grad(forward, None, opt.parameters)

    def step(x, y):
        loss, grads = grad_fn(x, y)
        if args.scale:
            grads = [g / 1024.0 for g in grads]
        opt(grads)
    """
    made = training(tmp_path, text)
    assert {term.number for step in made.steps for term in made.carried(step)} == {1.0}


def test_a_scaler_without_a_name_is_a_scaler(tmp_path: Path) -> None:
    text = LOOP.format(loss="thing.scale(loss_fn(net(x), y))", result="thing.unscale(grads)")
    made = training(tmp_path, "thing = amp.DynamicLossScaler(1024, 2, 50)\n" + text)
    (step,) = made.steps
    assert all(made.factors.is_clean(term) and term.put_on for term in made.carried(step))


def test_a_setter_that_nobody_calls_changes_nothing(tmp_path: Path) -> None:
    text = """
    class Step(nn.Cell):
        def __init__(self, network, optimizer, sens=1.0):
            super().__init__()
            self.network, self.optimizer, self.sens = network, optimizer, sens
            self.grad = ops.GradOperation(get_by_list=True, sens_param=True)

        def set_sens(self, value):
            self.sens = value

        def construct(self, x, y):
            loss = self.network(x, y)
            sens = ops.fill(loss.dtype, loss.shape, self.sens)
            grads = self.grad(self.network, self.optimizer.parameters)(x, y, sens)
            self.optimizer(grads)

    model = ms.Model(Step(nn.WithLossCell(net, loss_fn), opt, sens=1024.0))
    """
    made = training(tmp_path, text)
    assert {term.number for step in made.steps if step.kind == "own" for term in made.carried(step)} == {1024.0}


def test_each_of_several_training_cells_is_run(tmp_path: Path) -> None:
    text = """
    class Step(nn.Cell):
        def __init__(self, network, optimizer, sens):
            super().__init__()
            self.network, self.optimizer, self.sens = network, optimizer, sens
            self.grad = ops.GradOperation(get_by_list=True, sens_param=True)

        def construct(self, x, y):
            grads = self.grad(self.network, self.optimizer.parameters)(x, y, ops.ones((1,)) * self.sens)
            self.optimizer(grads)

    one = ms.Model(Step(nn.WithLossCell(net, loss_fn), opt, 2.0))
    two = ms.Model(Step(nn.WithLossCell(net, loss_fn), opt, 512.0))
    """
    made = training(tmp_path, text)
    assert {term.number for step in made.steps if step.kind == "own" for term in made.carried(step)} == {2.0, 512.0}


@pytest.mark.parametrize(
    ("check", "clean", "over"),
    [
        ("amp.all_finite(grads)", True, False),
        ("ops.stack([ops.isfinite(g).all() for g in grads]).all()", True, False),
        ("ops.stack([ops.isfinite(g).any() for g in grads]).all()", True, True),
        ("ops.isnan(grads[0]).any()", False, True),
        ("ops.logical_not(amp.all_finite(grads))", False, True),
        ("ops.addn([ops.FloatStatus()(g) for g in grads]) >= 1", False, True),
        ("ops.addn([ops.FloatStatus()(g) for g in grads]) == 0", True, False),
        ("ops.LessEqual()(ops.addn([ops.FloatStatus()(g) for g in grads]), ms.Tensor(1))", True, True),
        ("ops.select(amp.all_finite(grads), ms.Tensor(0), ms.Tensor(1))", False, True),
    ],
)
def test_what_a_check_gives_is_followed_to_the_condition(tmp_path: Path, check: str, clean: bool, over: bool) -> None:
    made = training(
        tmp_path,
        LOOP.format(loss="loss_fn(net(x), y)", result="grads").replace("    opt(", f"    flag = {check}\n    opt("),
    )
    (status,) = {s for s in Overflow(made.calls, made.factors).of(bound(made, "flag")) if s is not None}
    assert (bool(status.clean), bool(status.over)) == (clean, over)
    assert status.checks == {"gradients"}


def test_hostile_scripts_are_examined(tmp_path: Path) -> None:
    """Chains that are too long to be walked down, and values that contain themselves."""
    text = LOOP.format(loss="loss_fn(net(x), y)", result="grads")
    chain = "value = opt\n" + "value = value.inner\n" * 3000 + "total = 1.0\n" + "total = total * net(total)\n" * 800
    cycle = "items = []\nitems.append(items)\nnet.items = items\n"
    made = training(tmp_path, chain + cycle + text)
    for module in (loss_scaling, overflow_gate, clipping):
        assert module.examine(made)


@pytest.mark.parametrize(
    ("line", "taken", "given"),
    [
        ("opt = nn.SGD(p, 0.1, loss_scale=1024)", "opt = nn.SGD(p, 0.1)", "opt = nn.SGD(p, 0.1, loss_scale=8)"),
        (
            "opt = nn.SGD(p, loss_scale=1024, momentum=m)",
            "opt = nn.SGD(p, momentum=m)",
            "opt = nn.SGD(p, loss_scale=8, momentum=m)",
        ),
        ("名 = nn.SGD(参数, '率', loss_scale=s)", "名 = nn.SGD(参数, '率')", "名 = nn.SGD(参数, '率', loss_scale=8)"),
        ("opt = nn.SGD(p, 0.1)", None, "opt = nn.SGD(p, 0.1, loss_scale=8)"),
        ("opt = nn.SGD(*p, **q)", None, None),
    ],
)
def test_keywords_are_taken_out_and_put_in(tmp_path: Path, line: str, taken: str | None, given: str | None) -> None:
    (tmp_path / "train.py").write_text(line + "\n", encoding="utf-8")
    source = read(tmp_path / "train.py", "train.py")
    (statement,) = source.tree.body
    assert isinstance(statement, ast.Assign)

    def applied(edits: Any) -> str | None:
        return None if not edits else edits[0][2][0]

    assert applied(without_keyword(source, statement.value, "loss_scale")) == taken
    assert applied(with_keyword(source, statement.value, "loss_scale", "8")) == given
    for edits in (
        without_keyword(source, statement.value, "loss_scale"),
        with_keyword(source, statement.value, "loss_scale", "8"),
    ):
        assert not edits or parse(source.patch(edits) or "")[0] == "train.py"


FIXED = """
opt = nn.Momentum(net.trainable_params(), 0.1, 0.9{given})
model = ms.Model(net, loss_fn, opt, amp_level="{level}"{manager})
"""
MANAGER = ", loss_scale_manager=ms.FixedLossScaleManager(1024, False)"


@pytest.mark.parametrize(
    ("text", "code", "module"),
    [
        (FIXED.format(given=", loss_scale=1024", level="O2", manager=""), "divided-twice", loss_scaling),
        (FIXED.format(given=", loss_scale=128", level="O3", manager=""), "", loss_scaling),
        (
            "manager = ms.FixedLossScaleManager(1024, False)\n"
            + FIXED.format(given="", level="O3", manager=", loss_scale_manager=manager"),
            "kept",
            loss_scaling,
        ),
        (
            "manager = ms.FixedLossScaleManager(1024, False)\n"
            + FIXED.format(given=", loss_scale=128", level="O3", manager=", loss_scale_manager=manager"),
            "mismatch",
            loss_scaling,
        ),
        (
            "scaler = amp.DynamicLossScaler(1024, 2, 50)\n"
            + LOOP.format(loss="scaler.scale(loss_fn(net(x), y))", result="grads").replace(
                "    result = grads\n    opt(result)",
                "    grads = ops.clip_by_global_norm(grads, 1.0)\n    grads = scaler.unscale(grads)\n    opt(grads)",
            ),
            "clip-scaled",
            clipping,
        ),
    ],
)
def test_a_mend_that_is_certain_makes_the_fault_go(tmp_path: Path, text: str, code: str, module: Any) -> None:
    mended = [one for one in module.examine(training(tmp_path, text)) if one.edits]
    assert [one.code for one in mended] == ([code] if code else [])
    for one in mended:
        _, edits = parse(one.source.patch(one.edits) or "")
        lines = (tmp_path / "train.py").read_text().splitlines(keepends=True)
        for edit in sorted(edits, reverse=True):
            assert edit.fits(lines)
            lines[edit.first - 1 : edit.after - 1] = edit.new
        (tmp_path / "again").mkdir()
        again = training(tmp_path / "again", "".join(lines).removeprefix(HEAD))
        assert code not in {other.code for other in module.examine(again)}


OWN = """
class Own(nn.Optimizer):
    def __init__(self, learning_rate, params, scale=1.0, {parameter}):
        super().__init__(learning_rate, params, {handed})
        self.scale = scale

    def construct(self, grads):
        {body}

opt = Own(1e-3, net.trainable_params(), {given})
"""
GRADS = "grad_fn = ms.value_and_grad(loss_fn, None, net.trainable_params())\nloss, grads = grad_fn(x, y)\n"
CELL = """
class Train(nn.{base}):
    def __init__(self, network, optimizer):
        super().__init__(network, optimizer{more})
        self.seen = 0
"""

#: A script -> the kinds of its steps.
STEPS = {
    "a Model": ("ms.Model(net, loss_fn, opt)", ["model"]),
    "a Model for evaluation": ("ms.Model(net, loss_fn, metrics={'acc'})\nms.Model(net, loss_fn, None)", []),
    "a network built for training": ("amp.build_train_network(net, opt, loss_fn, level='O2')", ["model"]),
    "a cell": ("nn.TrainOneStepCell(net, opt, sens=8.0)", ["cell"]),
    "a cell with a scale": ("nn.TrainOneStepWithLossScaleCell(net, opt, scale_sense=ms.Tensor(8.0))", ["scale cell"]),
    "one derived from a cell": (CELL.format(base="TrainOneStepCell", more=", sens=8.0") + "Train(net, opt)", ["cell"]),
    "one derived from a cell with a scale": (
        CELL.format(base="TrainOneStepWithLossScaleCell", more=", scale_sense=ms.Tensor(8.0)") + "Train(net, opt)",
        ["scale cell"],
    ),
    "one derived from any cell": (
        "class Plain(nn.Cell):\n    def __init__(self, net, opt):\n        super().__init__()\n"
        "        self.opt = opt\nPlain(net, opt)",
        [],
    ),
    "an optimizer that is called": (GRADS + "opt(grads)", ["own"]),
    "an optimizer that is called with weights": (GRADS + "opt(net.trainable_params())", []),
    "an optimizer with step()": (GRADS + "from mindspore.experimental import optim\n"
        "optim.SGD(net.trainable_params(), 0.1).step(grads)", ["own"]),
    "an attribute of an optimizer": (GRADS + "opt.get_lr(grads)", []),
    "an optimizer of one's own": (
        OWN.format(parameter="**more", handed="", body="return grads", given="") + GRADS + "opt(grads)",
        ["own"],
    ),
    "an optimizer of one's own, called with weights": (
        OWN.format(parameter="**more", handed="", body="return grads", given="") + GRADS + "opt(net.trainable_params())",
        [],
    ),
    "an optimizer within one": (
        "class Both(nn.Optimizer):\n    def __init__(self, inner):\n        super().__init__(0.1, inner.parameters)\n"
        "        self.opt = inner\n"
        "    def construct(self, grads):\n        return self.opt(grads)\n" + GRADS + "Both(opt)(grads)",
        ["own"],
    ),
}  # fmt: skip


_COUNTED = """
class Loop:
    def __init__(self):
        self.turn = 0

    def update(self, grads):
        self.turn += 1
        if self.turn % 4 == 0:
            opt(grads)

grad_fn = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, opt.parameters)
{before}
for x, y in data:
    loss, grads = grad_fn(x, y)
    {within}
"""


@pytest.mark.parametrize(
    ("before", "within"),
    [
        ("loop = Loop()", "loop.update(grads)"),
        ("turn = 0", "turn += 1\n    if turn % 4 == 0:\n        opt(grads)"),
        ("turn = 0", "turn += 1\n    if turn < 4:\n        continue\n    opt(grads)\n    turn = 0"),
    ],
)
def test_a_counter_of_turns_decides_nothing_before_the_run(before: str, within: str, tmp_path: Path) -> None:
    (step,) = training(tmp_path, _COUNTED.format(before=before, within=within)).steps
    assert step.kind == "own" and step.under


def test_a_number_that_each_call_computes_anew_is_known(tmp_path: Path) -> None:
    text = "def widths():\n    width = 4\n    width *= 2\n    return width\nfor _ in range(3):\n    held = nn.Dense(widths(), 2)"
    assert getattr(bound(training(tmp_path, text), "held").args[0], "value", None) == 8


@pytest.mark.parametrize("name", STEPS)
def test_where_weights_are_updated(name: str, tmp_path: Path) -> None:
    code, expected = STEPS[name]
    assert [step.kind for step in training(tmp_path, code).steps] == expected


@pytest.mark.parametrize(
    ("code", "used"),
    [
        ("a(x)", ["a"]),
        ("print(b)", ["b"]),
        ("ops.pack([a, x])", ["a"]),
        ("", ["a", "b"]),
        ("class Keeper:\n    def __init__(self, cell):\n        self.cell = cell\nKeeper(b)", ["b"]),
        ("def make():\n    c = nn.TrainOneStepCell(net, opt)\n    return c", ["c"]),
    ],
)
def test_cells_that_nothing_is_done_with_are_not_judged(code: str, used: list[str], tmp_path: Path) -> None:
    made = training(tmp_path, f"a = nn.TrainOneStepCell(net, opt)\nb = nn.TrainOneStepCell(net, opt)\n{code}\n")
    places = [step.place for step in made.judged_steps()]
    assert [place.bound[0] for place in places if isinstance(place, Call)] == used


@pytest.mark.parametrize(
    ("test", "judged"),
    [
        ("ms.get_context('device_target') == 'CPU'", False),
        ("ms.get_context('device_target') == 'Ascend'", True),
        ("ms.get_context('device_target') in ('CPU', 'GPU')", True),
        ("ms.get_context('device_target') not in ['Ascend', 'GPU']", False),
        ("not ms.get_context('device_target') != 'CPU'", False),
        ("ms.get_context('mode') == 1", True),
        ("ms.get_context('device_target')", True),
    ],
)
def test_a_step_on_a_cpu_alone_is_not_judged(test: str, judged: bool, tmp_path: Path) -> None:
    made = training(
        tmp_path, f"if {test}:\n    ms.Model(net, loss_fn, opt)\nms.Model(net, loss_fn, opt, amp_level='O2')\n"
    )
    assert len(made.judged_steps()) == 1 + judged


#: What makes an optimizer -> its loss_scale, and whether what it divides by is seen.
SCALES = {
    "none": ("opt = nn.SGD(net.trainable_params())", None, True),
    "of the framework": ("opt = nn.SGD(net.trainable_params(), loss_scale=8.0)", 8.0, True),
    "by place": ("opt = nn.Momentum(net.trainable_params(), 0.1, 0.9, 0.0, 16.0)", 16.0, True),
    "within a wrapper": ("opt = nn.LARS(nn.SGD(net.trainable_params(), loss_scale=8.0))", 8.0, True),
    "within a wrapper, none": ("opt = nn.LARS(nn.SGD(net.trainable_params()))", None, True),
    "of a parent": (OWN.format(parameter="**more", handed="loss_scale=4.0", body="return grads", given=""), 4.0, False),
    "of a parent of the framework": (
        "class Own(nn.SGD):\n    def __init__(self, params):\n"
        "        super().__init__(params, loss_scale=4.0)\nopt = Own(net.trainable_params())",
        4.0,
        True,
    ),
    "of one's own that divides": (
        OWN.format(parameter="loss_scale=1.0", handed="", body="return [g / self.loss_scale for g in grads]", given="loss_scale=2.0"),
        2.0,
        True,
    ),
    "of one's own that does not": (
        OWN.format(parameter="loss_scale=1.0", handed="", body="return grads", given="loss_scale=2.0"),
        2.0,
        False,
    ),
    "elsewhere": ("import other\nopt = other.optimizer(net, loss_scale=2.0)", 2.0, False),
    "not made here": ("opt = net.optimizer_", None, False),
}  # fmt: skip


@pytest.mark.parametrize("name", SCALES)
def test_what_an_optimizer_divides_by(name: str, tmp_path: Path) -> None:
    code, scale, seen = SCALES[name]
    made = training(tmp_path, f"{code}\nms.Model(net, loss_fn, opt)\n")
    optimizer = made.steps[-1].optimizer
    assert optimizer is not None
    value = made.loss_scale(optimizer)
    assert (getattr(value, "value", None), made.is_seen(optimizer)) == (scale, seen)


#: A line -> how it asks for half precision: by what, at which level, whether an option decides, and in words.
HALVES: dict[str, tuple[str, str, bool, str] | None] = {
    "ms.Model(net, loss_fn, opt, amp_level='O2')": ("level", "O2", False, 'Model(amp_level="O2")'),
    "ms.Model(net, loss_fn, opt, amp_level='O0')": None,
    "ms.Model(net, loss_fn, amp_level='O2')": None,
    "ms.Model(net, loss_fn, opt, amp_level='O3' if flag() else 'O1')": ("level", "O3", True, 'Model(amp_level="O3")'),
    "amp.build_train_network(net, opt, loss_fn, 'auto')": ("level", "auto", False, 'build_train_network(..., "auto")'),
    "amp.auto_mixed_precision(net, 'O1')": ("level", "O1", False, 'auto_mixed_precision(..., "O1")'),
    "amp.auto_mixed_precision(net, 'O1', dtype=ms.bfloat16)": None,
    "amp.custom_mixed_precision(net)": ("level", "O1", False, 'custom_mixed_precision(..., "O1")'),
    "amp.custom_mixed_precision(net, dtype=ms.bfloat16)": None,
    "net.to_float(ms.float16)": ("to_float", "", False, ".to_float(float16)"),
    "net.to_float(ms.float16 if flag() else ms.float32)": ("to_float", "", True, ".to_float(float16)"),
    "net.to_float(ms.float32)": None,
    "net.add_flags_recursive(fp16=True)": ("flag", "", False, "fp16=True"),
    "net.add_flags_recursive(fp16=False)": None,
    "nn.Dense(8, 2, dtype=ms.float16)": ("argument", "", False, "Dense(float16)"),
    "nn.Dense(8, 2, has_bias=False)": None,
    "ms.Parameter(ms.Tensor(np.zeros(3), ms.float16))": ("parameter", "", False, "Parameter(float16)"),
    "ms.Parameter(ms.Tensor(np.zeros(3)).astype('float16'))": ("parameter", "", False, "Parameter(float16)"),
    "ms.Parameter(ms.Tensor(np.zeros(3).astype(np.float16), ms.float32))": None,
    "ms.Parameter(ms.Tensor(np.zeros(3).astype(np.float16)))": ("parameter", "", False, "Parameter(float16)"),
    "{k: ms.Parameter(v.astype(np.float16)) for k, v in load_file('a.safetensors').items()}": None,
    "read = {k: ms.Parameter(v.astype(np.float16)) for k, v in load_file('a.safetensors').items()}\n"
    "put(net, ms.Parameter(read.pop('w').astype(wanted()), name='w'))": None,
    "more = [ms.Parameter(ms.Tensor(np.zeros(n), ms.float16)) for n in sizes()]": (
        "parameter",
        "",
        False,
        "Parameter(float16)",
    ),
    "ms.Parameter(ms.Tensor(1.0) if flag() else ms.Tensor(1.0, ms.float16))": (
        "parameter",
        "",
        True,
        "Parameter(float16)",
    ),
    "ms.Parameter(ms.ops.zeros(3, ms.float32))": None,
    "ms.Parameter(3.0)": None,
    "forward(lambda v: ops.cast(v, ms.float16))": ("cast", "", False, "cast(float16)"),
    "forward(lambda v: v.astype(ms.float16))": ("cast", "", False, "cast(float16)"),
    "forward(lambda v: v.half())": ("cast", "", False, "cast(float16)"),
    "forward(lambda v: v.astype(np.float16))": None,
    "forward(lambda v: v.astype(ms.float32))": None,
    "x.astype(ms.float16)": None,
    # No gradient goes through a mask, a class or a constant.
    "forward(lambda v: v * (v > 0).astype(ms.float16))": None,
    "forward(lambda v: v * ops.logical_not(v > 0).reshape(-1).astype(ms.float16))": None,
    "forward(lambda v: v * ops.cast(v.argmax(1), ms.float16))": None,
    "forward(lambda v: v * ops.cast(ops.ones_like(v), ms.float16))": None,
    "forward(lambda v: v * ops.cast(v.reshape(-1), ms.float16))": ("cast", "", False, "cast(float16)"),
}


@pytest.mark.parametrize("line", HALVES)
def test_where_half_precision_is_asked_for(line: str, tmp_path: Path) -> None:
    head = "import numpy as np\nfrom other import flag\nx = flag()\ndef forward(change):\n    return net(change(x))\n"
    found = [(half.how, half.level, half.maybe, half.text) for half in training(tmp_path, head + line).halves]
    assert found == [HALVES[line]][: HALVES[line] is not None]
