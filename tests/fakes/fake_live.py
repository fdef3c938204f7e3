"""A fake probe of another package: runs the user's code."""

import os

import msgspec

from accucheck.model import Finding, Kind, Level

KIND = Kind.LIVE
NEEDS = ()
MESSAGES = {"seen": {"en": "seen {n}", "zh": "看到 {n}"}, "bad": {"en": "bad {n}", "zh": "有问题 {n}"}}
WORDS = {}
EXAMPLES = []


class Params(msgspec.Struct, frozen=True):
    n: int = 1


def run(case, params):
    yield Finding("seen", Level.INFO, data={"n": 1, "nice": os.nice(0)})
