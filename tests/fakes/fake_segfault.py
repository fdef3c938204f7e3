"""A fake probe of another package: finds something, then dies of a segmentation fault."""

import os
import signal

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
    yield Finding("seen", Level.INFO, data={"n": params.n})
    os.write(2, b"about to crash\n")
    os.kill(os.getpid(), signal.SIGSEGV)
