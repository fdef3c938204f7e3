"""A fake probe of another package: finds nothing, and never ends."""

import time

import msgspec

from accucheck.model import Kind, Progress

KIND = Kind.FILE
NEEDS = ()
MESSAGES = {"seen": {"en": "seen {n}", "zh": "看到 {n}"}, "bad": {"en": "bad {n}", "zh": "有问题 {n}"}}
WORDS = {}
EXAMPLES = []


class Params(msgspec.Struct, frozen=True):
    n: int = 1


def run(case, params):
    while True:
        yield Progress(1, None, "rows")
        time.sleep(0.05)
