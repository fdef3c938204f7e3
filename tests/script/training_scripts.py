"""Short training scripts, and what is read of them."""

from pathlib import Path
from textwrap import dedent

from accucheck.script.remarks import Remark
from accucheck.script.training_steps import TrainingSteps
from accucheck.script.values import Call
from case_scripts import scripts

HEAD = """
import mindspore as ms
from mindspore import amp, nn, ops
net = nn.Dense(8, 2)
loss_fn = nn.CrossEntropyLoss()
opt = nn.Adam(net.trainable_params(), 1e-3)
"""
LOOP = """
def forward(x, y):
    return {loss}

grad_fn = ms.value_and_grad(forward, None, opt.parameters)

def step(x, y):
    loss, grads = grad_fn(x, y)
    result = {result}
    opt(result)
"""


def training(folder: Path, text: str) -> TrainingSteps:
    (reading,) = scripts(folder, HEAD + dedent(text)).training
    return TrainingSteps(reading)


def bound(made: TrainingSteps, name: str) -> Call:
    return next(call for call in reversed(made.calls) if name in call.bound)


def codes(remarks: list[Remark]) -> list[str]:
    """The codes of what is said, with a question mark for what options other than the usual ones lead to."""
    return sorted(one.code + "?" * one.possible for one in remarks)
