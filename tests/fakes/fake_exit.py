"""A fake probe of another package: leaves by sys.exit(0) without an answer."""

import sys

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
    sys.exit(0)
