"""A fake probe of another package: runs the user's code, and finds a problem once the project has a file named go."""

import time
from pathlib import Path

import msgspec

from accucheck.model import Finding, Kind, Level

KIND = Kind.LIVE
NEEDS = ()
MESSAGES = {"bad": {"en": "bad {n}", "zh": "有问题 {n}"}}
WORDS = {}
EXAMPLES = []


class Params(msgspec.Struct, frozen=True):
    pass


def run(case, params):
    while not Path(case.root, "go").exists():
        time.sleep(0.05)
    yield Finding("bad", Level.PROBLEM, data={"n": 3})
