"""Reads from the training scripts whether a gradient penalty is made of gradients that carry no loss scale.

Catches: the norm or square of gradients of a scaled loss, or with a scale as sens, that meets the norm to reach, or another loss,
before the scale is divided out; also where it is divided out only after the square. Follows gradients by value through helper
functions and cells. Cannot tell: whether the penalty's weight is right. Never imports or runs the scripts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

import msgspec

from ..case import Case
from ..language import Words
from ..model import Finding, Kind, Level, Progress, Verdict
from ..probe import script_example
from . import _grades, _training

KIND = Kind.STATIC
NEEDS: tuple[str | tuple[str, ...], ...] = ("scripts.train",)


class Params(msgspec.Struct, frozen=True):
    pass


_LEVELS = {"penalty-scaled": Level.PROBLEM}
#: Info that leaves the probe undecided.
_OPEN = ("penalty-unknown",)

MESSAGES: Words = {
    **_training.MESSAGES,
    "penalty-scaled": {
        "en": "The gradients of this penalty still carry a scale ({scale}).",
        "zh": "该梯度惩罚所用的梯度还带着缩放倍数（{scale}）。",
    },
    "penalty-unknown": {
        "en": "Whether the gradients of this penalty carry a loss scale cannot be seen here.",
        "zh": "看不出该梯度惩罚所用的梯度是否带有 loss scale。",
    },
    "penalty-clean": {
        "en": "The gradients of this penalty carry no loss scale.",
        "zh": "该梯度惩罚所用的梯度不带 loss scale。",
    },
    "penalty-without-scale": {
        "en": "There is a gradient penalty, and no loss scale in the script.",
        "zh": "脚本中有梯度惩罚，但没有使用 loss scale。",
    },
    "no-penalty": {"en": "There is no gradient penalty.", "zh": "没有使用梯度惩罚。"},
    "fix-unscale": {
        "en": "Take the gradients of the unscaled score, or divide them by the scale before the norm; scale the whole loss "
        "afterwards.",
        "zh": "对未缩放的输出求梯度，或在取范数之前先除以 scale；最后再对整个损失做缩放。",
    },
}
WORDS: Words = _grades.WORDS
WHY: Words = {
    "penalty-scaled": {
        "en": "The norm is larger by the loss scale, and its square by the square of the scale: the penalty outweighs the loss and "
        "pushes the network towards gradients that are far too small.",
        "zh": "梯度范数被放大，平方后更甚：惩罚项会压过原损失，把网络推向梯度过小的状态。",
    }
}
PROOF: Words = {
    "penalty-scaled": {
        "en": "Print the norm that enters the penalty once with the scale and once without it (scale 1): they must be equal.",
        "zh": "分别在有 scale 和 scale 为 1 时打印进入惩罚项的梯度范数，两者应当相等。",
    }
}
_FIXES = {"penalty-scaled": "fix-unscale"}


@_grades.by_road
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..script.penalties import examine

    yield from _training.findings(case, examine, _LEVELS, _OPEN, _FIXES, network=True)


def suggest(findings: Iterable[Finding]) -> Verdict:
    return _training.suggested(findings, {"no-penalty", "penalty-without-scale"})


_SCRIPT = """
import mindspore as ms
from mindspore import amp, nn, ops

critic = nn.Dense(8, 1)
opt = nn.Adam(critic.trainable_params(), 1e-4)
scaler = amp.DynamicLossScaler(2**16, 2, 1000)

def score(x):
    return critic(x)

def penalty(real, fake):
    mixed = ops.rand((4, 1)) * (real - fake) + fake
    gradients = ms.grad(score)(mixed)
    norm = ops.norm(gradients.view(4, -1), dim=1)
    return ((norm - 1.0) ** 2).mean()

def forward(real, fake):
    loss = critic(fake).mean() - critic(real).mean() + 10.0 * penalty(real, fake)
    return scaler.scale(loss)

grad_fn = ms.value_and_grad(forward, None, opt.parameters)

def step(real, fake):
    loss, grads = grad_fn(real, fake)
    grads = scaler.unscale(grads)
    if amp.all_finite(grads):
        opt(grads)
"""


_example = partial(script_example, "")

EXAMPLES = [
    _example("the scale is put on after the penalty", _SCRIPT, Verdict.OK, "penalty-clean"),
    _example(
        "gradients of a scaled score",
        _SCRIPT.replace("return critic(x)", "return scaler.scale(critic(x))"),
        Verdict.PROBLEM,
        "penalty-scaled",
    ),
    _example(
        "gradients of a scaled score, divided before the norm",
        _SCRIPT.replace("return critic(x)", "return scaler.scale(critic(x))").replace(
            "ms.grad(score)(mixed)", "scaler.unscale(ms.grad(score)(mixed))"
        ),
        Verdict.OK,
        "penalty-clean",
    ),
    _example(
        "a number as scale, divided after the square",
        _SCRIPT.replace("return critic(x)", "return critic(x) * 1024.0").replace(
            ".mean()\n\ndef forward", ".mean() / 1024.0\n\ndef forward"
        ),
        Verdict.PROBLEM,
        "penalty-scaled",
    ),
    _example(
        "the scale as sens of the inner gradient",
        _SCRIPT.replace(
            "ms.grad(score)(mixed)", "ops.GradOperation(sens_param=True)(score)(mixed, ops.ones((4, 1)) * 4096.0)"
        ),
        Verdict.PROBLEM,
        "penalty-scaled",
    ),
    _example(
        "the square of the norm, without a norm to reach, of scaled gradients",
        _SCRIPT.replace("return critic(x)", "return scaler.scale(critic(x))").replace(
            "((norm - 1.0) ** 2)", "(norm ** 2)"
        ),
        Verdict.PROBLEM,
        "penalty-scaled",
    ),
    _example(
        "a heavy weight of the penalty is no scale",
        _SCRIPT.replace("10.0 * penalty", "1000.0 * penalty").replace("((norm - 1.0) ** 2)", "(norm ** 2)"),
        Verdict.OK,
        "penalty-clean",
    ),
    _example(
        "a penalty without any scale",
        _SCRIPT.replace("return scaler.scale(loss)", "return loss").replace("scaler.unscale(grads)", "grads"),
        Verdict.NOT_APPLICABLE,
        "penalty-without-scale",
    ),
    _example(
        "no penalty",
        _SCRIPT.replace(" + 10.0 * penalty(real, fake)", "")
        .replace("    norm = ops.norm(gradients.view(4, -1), dim=1)\n", "")
        .replace("    return ((norm - 1.0) ** 2).mean()", "    return gradients"),
        Verdict.NOT_APPLICABLE,
        "no-penalty",
    ),
]
