"""Factors of gradients, overflow flags and edits: what the probes of training steps stand on."""

import ast
from pathlib import Path
from typing import Any

import pytest
from training_scripts import HEAD, LOOP, bound, training

from accucheck.script import clipping, loss_scaling, updating
from accucheck.script.overflow import Overflow
from accucheck.script.patch import parse
from accucheck.script.remarks import with_keyword, without_keyword
from accucheck.script.source import read
from accucheck.script.training_steps import Training


def numbers(made: Training, name: str) -> set[float]:
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
    for module in (loss_scaling, updating, clipping):
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
