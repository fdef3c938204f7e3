"""What the probes of speed share: the device and the version that the case declares, and words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..language import Words

if TYPE_CHECKING:
    from ..case import Case

MESSAGES: Words = {
    "cpu": {
        "en": "{step} trains on a CPU, where this makes no difference.",
        "zh": "{step} 在 CPU 上训练，此项不适用。",
    },
    "device-unknown": {
        "en": "The device is unknown; name it in runtime.device to have this judged.",
        "zh": "看不出在哪种设备上训练，请在 runtime.device 中注明后再判断。",
    },
}


def device(case: Case) -> str:
    """The declared device in lower case, empty where the case says none."""
    return (case.spec.runtime.device or "").lower()


def old(case: Case) -> bool:
    """True where the scripts run on MindSpore 1.x, whose defaults are others."""
    return (case.spec.runtime.mindspore or "").startswith("1.")
