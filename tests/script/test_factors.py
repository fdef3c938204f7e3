"""What losses and gradients are multiplied by, in the ways people write it."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from accucheck.script.factors import TERMS, Factors, Term, _idle, called
from accucheck.script.project import Project
from accucheck.script.source import read
from accucheck.script.trace import follow
from accucheck.script.training import assumption
from accucheck.script.values import KnownValue, Value

HEAD = """
import mindspore as ms
from mindspore import amp, nn, ops
from mindspore.nn.wrap.loss_scale import _grad_scale
from mindspore.ops import functional as F, composite as C
net = nn.Dense(8, 2)
weights = net.trainable_params()
loss_fn = nn.CrossEntropyLoss()
scaler = amp.DynamicLossScaler(1024, 2, 50)
hyper_map = C.HyperMap()
scale_sense = ms.Parameter(ms.Tensor(1024.0), name="scale_sense")

class Own(nn.Optimizer):
    pass

def forward(x, y):
    loss = loss_fn(net(x), y)
    return loss * 1024.0

_, grads = ms.value_and_grad(forward, None, weights)(data, label)
"""


def read_value(folder: Path, code: str) -> tuple[Factors, Value]:
    """x after the code, of an optimizer with loss_scale=1024; the code may be an expression alone."""
    code = code if "x = " in code else f"x = {code}"
    (folder / "train.py").write_text(f"{HEAD}{code}\nuse(x)\n")
    source = read(folder / "train.py", "train.py")
    trace = follow(source, assumption("train"), Project(folder, folder).find, folder)
    (call,) = (call for call in trace.calls if getattr(call.base, "name", "") == "use")
    return Factors(lambda optimizer: KnownValue(1024.0)), call.args[0]


def told(factors: Factors, term: Term) -> str:
    """name^power * G for a gradient * number; ! when a scale was put on, uneven when on one side of a sum alone."""
    names = []
    for key, power in term.powers:
        name = next(iter(called(factors.values[key])), "?") + ("" if power == 1 else f"^{power:g}")
        names.append(f"scale of {name}" if key[0] == "scale of" else name)
    names += ["G"] * len(term.gradients)
    product = [*sorted(names, reverse=True), *([f"{term.number:g}"] if term.number != 1 or not names else [])]
    flags = {"!": term.put_on, "rough": term.rough, "blurred": term.blurred, "uneven": term.uneven}
    return " ".join([" * ".join(product), *(name for name, on in flags.items() if on)])


#: 32 ways to weigh a loss.
WEIGHTS = "".join(f" * ({2**n} if flag_{n} else 1)" for n in range(1, 6))

ONE_WAY = {
    "loss * 2": "loss * 2",
    "2.0 ** 10 * loss": "loss * 1024 !",
    "loss / 8": "loss * 0.125",
    "loss / 1024.0": "loss * 0.000976562 !",
    "loss * True": "loss",
    "loss / 8 * 'a'": "loss * ? * 0.125",
    "loss ** 2": "loss^2",
    "loss ** p": "x",
    "ops.pow(3 * loss, 2)": "loss^2 * 9",
    "ops.sqrt(ms.Tensor(-8.0) * loss)": "loss^0.5",
    "ops.rsqrt(ms.Tensor(0.0)) * loss": "loss",
    "1e300 * loss": "loss",
    "ops.ones((2, 2)) * loss": "loss",
    "ops.fill(ms.float32, (2,), 5) * loss": "loss * 5",
    "ops.cat(*rows) * loss": "rows * loss",
    "strange(3, loss)": "x",
    # sums and lists
    "ops.zeros_like(loss)": "0",
    "ops.zeros_like(loss) + ops.zeros_like(other)": "0",
    "ops.zeros_like(loss) + 3 * loss": "loss * 3",
    "2 * loss + 2 * other": "x * 2",
    "2 * loss + 3 * other": "x",
    "[loss * 2, other * 2]": "2",
    "[loss * 2, other * 3]": "1",
    "[loss * 2, None]": "loss * 2",
    "[loss * 2, ops.zeros_like(other)]": "loss * 2",
    "[ops.zeros_like(loss), ops.zeros_like(other)]": "0",
    "(loss * 1024.0,) + (ops.zeros_like(other),)": "loss * 1024 !",
    "[]": "1",
    "scale_sense * loss + scale_sense * other": "x * scale_sense",
    "scale_sense * loss + other": "x uneven",
    "loss_scale * loss + other": "x",
    "x = 0\nfor one in data:\n    x += 2 * loss": "loss * 2",
    # gradients
    "grads": "loss * G * 1024 !",
    "grads[0]": "loss * G * 1024 !",
    "[g / 1024.0 for g in grads]": "loss * G !",
    "tuple(map(lambda g: g / 1024.0, grads))": "loss * G !",
    "[grads[0] / 1024.0] + [grads[1] / 1024.0]": "loss * G !",
    "[grads[0] + grads[1]]": "loss * G * 1024 !",
    "grads[0] + 0.1 * weights[0]": "loss * G * 1024 !",
    "hyper_map(F.partial(_grad_scale, 1024.0), grads)": "loss * G !",
    "hyper_map(F.partial(_grad_scale, scale_sense), grads)": "scale_sense^-1 * loss * G * 1024 !",
    "hyper_map(F.partial(ops.mul, 1 / 1024), grads)": "loss * G !",
    "hyper_map(F.partial(strange, 1024.0), grads)": "loss * G * 1024 ! rough",
    "grad_reducer(grads)": "loss * G * 1024 !",
    "ops.clip_by_global_norm(grads, 1.0)": "loss * G * 1024 !",
    "strange(grads)": "loss * G * 1024 ! rough",
    "Own(0.1, weights).scale_grad(grads)": "loss * G !",
    "status, x = self.start_overflow_check(data, loss)": "loss",
    "C.GradOperation(get_by_list=True)(net, weights)(data)": "G * ?",
    "C.GradOperation(get_by_list=True, sens_param=True)(net, weights)(data, 512.0)": "G * ? * 512 !",
    "nn.ForwardValueAndGrad(net, weights, True)(data, label)": "G * ?",
    "nn.ForwardValueAndGrad(net, weights, True, sens_param=True)(data, 512.0)": "G * ? * 512 !",
    # scalers and settings
    "scaler.scale(loss)": "scale of scaler * loss !",
    "scaler.scale(loss) + other": "x ! uneven",
    "scaler.scale(loss) + scaler.scale(other)": "x * scale of scaler !",
    "scaler.unscale(scaler.scale(loss))": "loss !",
    "scaler.unscale(grads)": "scale of scaler^-1 * loss * G * 1024 !",
    "loss_scaler.scale(loss)": "scale of loss_scaler * loss !",
    "scaler.unscale(loss * scaler.scale_value)": "loss !",
    "loss * ops.depend(loss_scaler.scale_value, loss)": "scale of loss_scaler * loss",
    "loss * painter.scale_value": "scale_value * loss",
    "painter.scale(loss)": "x",
    "scaler.scale()": "x",
    "loss * amp.FixedLossScaleManager(512.0).get_loss_scale()": "loss * 512 !",
    "loss * nn.FixedLossScaleUpdateCell(loss_scale_value=512.0).get_loss_scale()": "loss * 512 !",
    "manager = amp.DynamicLossScaleManager()\nx = loss * manager.get_loss_scale()": "scale of manager * loss !",
    "loss * loss_scaler.get_loss_scale()": "loss_scaler * loss",
    "loss * scale_sense.value() / scale_sense": "loss",
    "x = [2 * loss]\nx = ops.add(x, [2 * other])": "2",
    "from missing import config\nx = loss * config.loss_scale / config.loss_scale": "loss",
    "from missing import config\nx = loss * config['loss_scale'] / config['loss_scale']": "loss",
    "class Config:\n    pass\nx = loss * Config().scale": "scale * loss",
}

SEVERAL_WAYS = {
    "ops.select(sure, loss * 1024.0, loss)": {"loss", "loss * 1024 !"},
    "ops.where(sure, loss * 2, ops.zeros_like(loss))": {"loss * 2"},
    "loss * 1024.0 if scaled else loss": {"loss", "loss * 1024 !"},
    "loss * 1024.0 if scaled else None": {"loss * 1024 !"},
    "loss * (1024.0 if big else 512.0)": {"loss * 1024 !", "loss * 512 !"},
    "scale = 1024.0 if big else 1.0\nx = loss * scale / scale": {"loss !", "loss"},
    "scale = 1024.0 if big else 2.0\nx = loss * scale + other * scale": {"x * 1024 !", "x * 2"},
    "x = loss\nif a:\n    x = loss * 2\nelif b:\n    x = loss * 3": {"loss", "loss * 2", "loss * 3"},
    "x = loss\nif a:\n    x = loss * 2\n    if b:\n        x = loss * 3\n    else:\n        x = loss * 4": {
        "loss", "loss * 3", "loss * 4"
    },
    "try:\n    x = loss * 2\nexcept ValueError:\n    x = loss": {"loss", "loss * 2"},
    # too many ways: weights are forgotten, then the decisions that lead to them, but not a scale
    f"loss{WEIGHTS}": {"loss * 32768"},
    f"loss{WEIGHTS} * (1024.0 if big else 1.0)": {"loss * 3.35544e+07 !", "loss * 32768"},
    f"x = loss{WEIGHTS}\nx = scaler.scale(x) if scaled else x": {"scale of scaler * loss * 32768 !", "loss * 32768"},
    f"scale = 1024.0 if big else 1.0\nx = loss * scale{WEIGHTS} / scale": {
        "loss * 32768 !", "loss * 32768", "loss * 1024 !", "loss * 1024"
    },
}  # fmt: skip


@pytest.mark.parametrize("code", [*ONE_WAY, *SEVERAL_WAYS])
def test_the_product(code: str, tmp_path: Path) -> None:
    factors, value = read_value(tmp_path, code)
    expected = {ONE_WAY[code]} if code in ONE_WAY else SEVERAL_WAYS[code]
    assert {told(factors, term) for term in factors.of(value)} == expected


@pytest.mark.parametrize(
    ("code", "scales"),
    [
        ("loss * loss_scale", {"loss_scale"}),
        ("loss * weight", set()),
        ("loss * scale_sense", {"scale_sense"}),
        ("scaler.scale(loss)", {"scaler"}),
        ("scaler.unscale(scaler.scale(loss))", set()),
    ],
)
def test_what_is_left_of_scales(code: str, scales: set[str], tmp_path: Path) -> None:
    factors, value = read_value(tmp_path, code)
    (term,) = factors.of(value)
    assert {called(factors.values[key])[0] for key in factors.left(term)} == scales
    assert factors.is_clean(term) is not bool(scales)


@pytest.mark.parametrize(
    ("scaler", "code", "clean"),
    [
        ("amp.StaticLossScaler(512.0)", "own.unscale(512.0 * loss)", True),
        ("amp.StaticLossScaler(512.0)", "own.unscale(1024.0 * loss)", False),
        ("amp.StaticLossScaler(512.0)", "512.0 * loss", False),
        ("amp.StaticLossScaler(scale_value=start)", "own.unscale(own.scale_value * loss)", True),
        ("amp.StaticLossScaler(scale_value=start)", "own.unscale(loss)", False),
        ("amp.DynamicLossScaler(512.0, 2, 50)", "own.unscale(512.0 * loss)", False),
        (
            "amp.DynamicLossScaler(scale_value=512.0, scale_factor=2, scale_window=50)",
            "own.unscale(512.0 * loss)",
            True,
        ),
        ("amp.DynamicLossScaler(scale_value=start, scale_window=50)", "own.unscale(own.scale_value * loss)", True),
    ],
)
def test_a_scaler_and_what_it_was_given(scaler: str, code: str, clean: bool, tmp_path: Path) -> None:
    factors, value = read_value(tmp_path, f"start = read()\nown = {scaler}\nx = {code}")
    (term,) = factors.of(value)
    assert factors.is_clean(term) is clean


def test_decisions_that_matter_together_alone_are_kept() -> None:
    def term(number: float, **choices: bool) -> Term:
        return Term(number=number, choices=frozenset((("test", (name,)), way) for name, way in choices.items()))

    both = [term(1024.0 if a is b else 1.0, a=a, b=b, c=c) for a, b, c in product((True, False), repeat=3)]
    assert idle(both) == {"c"}
    assert idle([term(1024.0 if a else 1.0, a=a, b=b) for a, b in product((True, False), repeat=2)]) == {"b"}
    # c goes with either number, but not where a is known
    assert (
        idle([term(1.0, a=True, c=True), term(8.0, a=False, c=True), term(1.0, c=False), term(8.0, c=False)]) == set()
    )


def idle(terms: list[Term]) -> set[str]:
    return {key[1][0] for key in _idle(terms, [replace(term, choices=frozenset()) for term in terms])}


def test_more_scales_than_can_be_told_apart(tmp_path: Path) -> None:
    many = "".join(f" * ({2.0 ** (10 * n)} if flag_{n} else 1.0)" for n in range(1, 6))
    factors, value = read_value(tmp_path, f"loss{many}")
    terms = factors.of(value)
    assert len(terms) == TERMS
    assert all(term.blurred and not term.choices and len(term.put_on) == 5 for term in terms)


def test_an_option_leads_one_way_by_default(tmp_path: Path) -> None:
    option = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--scaled', type=bool, default=True)\n"
    code = option + "x = loss\nif p.parse_args().scaled:\n    x = loss * 2\nelse:\n    x = loss * 3"
    factors, value = read_value(tmp_path, code)
    assert {told(factors, term): factors.by_default(term) for term in factors.of(value)} == {
        "loss * 2": True,
        "loss * 3": False,
    }
