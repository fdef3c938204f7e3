"""What a value is after a clean step and after one that overflowed, through the operations on the way to a condition."""

from pathlib import Path

import pytest
from training_scripts import LOOP, bound, training

from accucheck.script.overflow import Overflow, speaks_of_overflow

PREPARED = """
import mindspore.ops.operations as P
update = nn.DynamicLossScaleUpdateCell(1024, 2, 50)
from helper import look
helper = build()
ready, k = read()
"""
Told = tuple[bool, bool, str]


def told(folder: Path, check: str) -> set[Told | None]:
    """(after a clean step, after an overflow, what is looked at) on each way; None where that is not seen."""
    loop = LOOP.format(loss="loss_fn(net(x), y)", result="grads")
    made = training(folder, PREPARED + loop.replace("    opt(", f"    {check}\n    look(flag)\n    opt("))
    found = Overflow(made.calls, made.factors).of(next(call for call in made.calls if call.last == "look").args[0])
    return {s and (bool(s.clean), bool(s.over), " ".join(sorted(s.checks))) for s in found}


FINITE, OVER = (True, False, "gradients"), (False, True, "gradients")
CHECKS: dict[str, set[Told | None]] = {
    "flag = amp.all_finite(grads)": {FINITE},
    "flag = ops.AllFinite()(grads)": {OVER},
    "flag = tools.all_finite(grads)": {None},  # of a module that is not read
    "flag = not amp.all_finite(grads)": {OVER},
    "flag = amp.all_finite(grads) if ready else ops.isnan(grads[0]).any()": {FINITE, OVER},
    "flag = amp.all_finite(grads) if ready else True": {FINITE, (True, True, "")},
    "flag = ops.stack((ops.isfinite(grads[0]).all(), ops.isfinite(grads[1]).all())).all()": {FINITE},
    "flag = ops.stack((ops.isfinite(grads[0]).all(), ops.isfinite(grads[1]).all())).any()": {(True, True, "gradients")},
    "flag = ops.stack((k, ready)).all()": {None},
    "flag = ops.stack((1.0, 1.0)).sum() > 0": {(True, True, "")},
    "flag = helper.get_overflow_status(k, grads)": {OVER},
    "flag = helper.get_overflow_status(k, x)": {(False, True, "other")},
    "flag = update(k, ops.isnan(grads[0]).any())": {OVER},
    "scale_manager = build()\n    flag = scale_manager(k, ops.isnan(grads[0]).any())": {OVER},
    "flag = helper(k, ops.isnan(grads[0]).any())": {None},
    "flag = helper.process_loss_scale(amp.all_finite(grads))": {FINITE},
    "flag = amp.all_finite(grads) and ready": {FINITE, None},
    "flag = ready or ops.isnan(grads[0]).any()": {OVER, None},
    "flag = amp.all_finite(grads) and not ops.isnan(grads[1]).any()": {FINITE},
    "flag = ops.logical_xor(amp.all_finite(grads), ms.Tensor(True))": {OVER},
    "flag = ready and k": {None},
    "flag = ready and k and amp.all_finite(grads)": {FINITE, None},
    "flag = amp.all_finite(grads) < 1" + "0" * 400: {None},
    "flag = 'overflow'": {None},
    "flag = amp.all_finite(grads) + k > 0": {None},
    "flag = ops.select(amp.all_finite(grads), ops.zeros_like(x), ops.ones_like(x))": {OVER},
    "flag = ops.where(ops.isnan(grads[0]).any(), k, 1.0)": {None},
    "flag = ops.where(ready, 0.0, 1.0)": {None},
    "flag = ops.cast(amp.all_finite(grads), ms.float32).reshape(()).all()": {FINITE},
    "flag = ready.all()": {None},
    "flag = ops.isnan(loss)": {(False, True, "loss")},
    "flag = ops.isnan(ops.cast(loss, ms.float32))": {(False, True, "loss")},
    "total_loss = loss * k\n    flag = ops.isinf(total_loss)": {(False, True, "loss")},
    "flag = ops.isnan(x[0])": {(False, True, "other")},
    "flag = ops.isnan(ops.cast(x, ms.float32))": {(False, True, "other")},
    "flag = ops.isnan(helper(x)[0]).any()": {(False, True, "other")},
    "flag = ms.Parameter(amp.all_finite(grads))": {None},
    "flag = 1.0 < 10 ** 400": {None},
    "flag = 2 > 'a'": {None},
    "flag = x": {None},
}


@pytest.mark.parametrize("check", CHECKS)
def test_what_a_condition_tells(check: str, tmp_path: Path) -> None:
    assert told(tmp_path, check) == CHECKS[check]


@pytest.mark.parametrize(("times", "expected"), [(2, {FINITE}), (200, {None})])
def test_a_chain_that_is_too_long_is_not_seen_through(times: int, expected: set[Told | None], tmp_path: Path) -> None:
    assert told(tmp_path, "flag = amp.all_finite(grads)" + "\n    flag = ops.logical_not(flag)" * times) == expected


REGISTER = """
status = P.NPUAllocFloatStatus()()
{before}
def forward(x, y):
    return loss_fn(net(x), y)

grad_fn = ms.value_and_grad(forward, None, opt.parameters)

def step(x, y):
    loss, grads = grad_fn(x, y)
    {after}
    opt(grads)
"""
CLEAR, GET = "P.NPUClearFloatStatus()(status)", "P.NPUGetFloatStatus()({})"


@pytest.mark.parametrize(
    ("before", "after", "uncleared", "unread"),
    [
        (CLEAR, GET.format("status") + "\n    flag = status.sum() > 0", False, False),
        ("pass", GET.format("status") + "\n    flag = status.sum() > 0", True, False),
        (CLEAR, "flag = status.sum() > 0", False, True),
        (CLEAR, GET.format("ops.depend(status, grads)") + "\n    flag = status.sum() > 0", False, False),
        (
            CLEAR.replace("(status)", "(ops.depend(ops.cast(status, ms.float32), net))"),
            "flag = " + GET.format("status"),
            False,
            False,
        ),
        (CLEAR.replace("(status)", "(other())"), "flag = " + GET.format("ops.depend(status, grads)"), True, False),
    ],
)
def test_the_register_of_the_device(before: str, after: str, uncleared: bool, unread: bool, tmp_path: Path) -> None:
    made = training(tmp_path, PREPARED + REGISTER.format(before=before, after=after))
    (status,) = Overflow(made.calls, made.factors).of(bound(made, "flag"))
    assert status is not None
    assert (status.checks, status.uncleared, status.unread) == ({"device"}, uncleared, unread)


@pytest.mark.parametrize(("name", "speaks"), [("is_finite", True), ("overflow", True), ("ready", False)])
def test_what_a_condition_is_called(name: str, speaks: bool, tmp_path: Path) -> None:
    made = training(tmp_path, f"from helper import look, seen\n{name} = look(opt)\nseen({name})\nseen(not {name})\n")
    plain, negated = [call.args[0] for call in made.calls if call.last == "seen"]
    assert (speaks_of_overflow(plain), speaks_of_overflow(negated), speaks_of_overflow(negated, True)) == (
        *(speaks, False),
        speaks,
    )
