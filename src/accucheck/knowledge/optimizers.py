"""How large the updates of optimizers are: a test runs each on gradients that differ by a factor."""

from __future__ import annotations

from typing import Literal

Step = Literal["rate", "weights", "earlier"]
#: By the optimizer's full name, as names.canonical gives it, what a step is measured in where larger gradients do not make it larger: the
#: learning rate itself, the rate times the size of the weights, or the rate times earlier steps. Of others, the updates grow with the
#: gradients.
_NORMALIZED: dict[str, Step] = {
    **dict.fromkeys(
        (
            "nn.Adam",
            "nn.AdamWeightDecay",
            "nn.AdaMax",
            "nn.RMSProp",
            "nn.LazyAdam",
            "experimental.optim.Adam",
            "experimental.optim.AdamW",
            "experimental.optim.Adamax",
            "experimental.optim.NAdam",
            "experimental.optim.RAdam",
            "experimental.optim.RMSprop",
            "mint.optim.Adam",
            "mint.optim.AdamW",
        ),
        "rate",
    ),
    **dict.fromkeys(("nn.Lamb", "nn.AdaFactor"), "weights"),
    **dict.fromkeys(
        (
            "nn.Adagrad",
            "nn.Adadelta",
            "nn.Rprop",
            "experimental.optim.Adagrad",
            "experimental.optim.Adadelta",
            "experimental.optim.Rprop",
        ),
        "earlier",
    ),
}


def step_of(name: str) -> Step | None:
    """What the steps of an optimizer are measured in, whatever the size of the gradients; None where they grow with these."""
    return _NORMALIZED.get(name)


def holds_moments(name: str) -> bool:
    """Whether an optimizer keeps something of earlier gradients whatever it is given: all but plain gradient descent do, which takes a
    momentum for that."""
    return not name.endswith((".SGD", ".Momentum"))


def normalized() -> list[str]:
    """The optimizers whose steps do not grow with the gradients."""
    return list(_NORMALIZED)
