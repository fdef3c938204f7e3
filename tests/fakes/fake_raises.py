"""A fake probe of another package: raises."""

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
    yield Finding("bad", Level.PROBLEM, data={"n": 1})
    raise ValueError("a [red]bad\x1b[31m value")
