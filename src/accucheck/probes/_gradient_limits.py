"""From which norms on gradients vanish or explode: the limits of the probes that look at them, of which each may set its own."""

from typing import Annotated

from msgspec import Meta

Vanishing = Annotated[
    float,
    Meta(
        gt=0,
        lt=1,
        description="a first layer whose gradient has less than this share of the norm of the last one's is suspect",
        extra={"unit": "1", "source": "AUTOTRAINER, TDSC 2024: 1e-3"},
    ),
]
Small = Annotated[
    float,
    Meta(
        gt=0,
        description="where that norm itself is below",
        extra={"unit": "1", "source": "AUTOTRAINER, TDSC 2024: 1e-4"},
    ),
]
Large = Annotated[
    float,
    Meta(
        gt=0,
        description="so is any gradient of a larger norm",
        extra={"unit": "1", "source": "TheDeepChecker, TOSEM 2022: 1e6"},
    ),
]
VANISHING, SMALL, EXPLODING, LARGE = 1e-3, 1e-4, 70.0, 1e6
