"""A fake probe of another package: reads scripts."""

import os

import msgspec

from accucheck.model import Finding, Kind, Level

KIND = Kind.STATIC
NEEDS = ()
MESSAGES = {"seen": {"en": "seen {n}", "zh": "看到 {n}"}, "bad": {"en": "bad {n}", "zh": "有问题 {n}"}}
WORDS = {}
EXAMPLES = []


class Params(msgspec.Struct, frozen=True):
    n: int = 1


def run(case, params):
    yield Finding("seen", Level.INFO, data={"n": os.getpid(), "nice": os.nice(0)})
