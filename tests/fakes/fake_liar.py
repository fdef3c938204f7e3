"""A fake probe of another package: writes invalid JSON into the event channel."""

import os
import time

import msgspec

from accucheck.model import Finding, Kind, Level

KIND = Kind.FILE
NEEDS = ()
MESSAGES = {"seen": {"en": "seen {n}", "zh": "看到 {n}"}, "bad": {"en": "bad {n}", "zh": "有问题 {n}"}}
WORDS = {}
EXAMPLES = []


class Params(msgspec.Struct, frozen=True):
    n: int = 1


def run(case, params):
    yield Finding("seen", Level.INFO, data={"n": 1})
    for descriptor in range(3, 20):
        try:
            if os.readlink(f"/proc/self/fd/{descriptor}").startswith("pipe:"):
                os.write(descriptor, b'{"job": 0, "end": {"status": "fine"}}\nnot json\n')
        except OSError:
            continue
    time.sleep(30)
