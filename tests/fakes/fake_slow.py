"""A fake probe of another package: finds something, then never ends."""

import time

import msgspec

from accucheck.model import Finding, Kind, Level, Progress

KIND = Kind.FILE
NEEDS = ()
MESSAGES = {"seen": {"en": "seen {n}", "zh": "看到 {n}"}, "bad": {"en": "bad {n}", "zh": "有问题 {n}"}}
WORDS = {}
EXAMPLES = []


class Params(msgspec.Struct, frozen=True):
    n: int = 1


def run(case, params):
    yield Finding("seen", Level.SUSPECT, data={"n": params.n})
    while True:
        yield Progress(1, None, "rows")
        time.sleep(0.05)
