"""A fake probe of another package: runs out of memory."""

import resource

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
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    yield Finding("seen", Level.INFO, data={"n": 1})
    hoard = []
    while True:
        hoard.append(bytearray(64 << 20))
