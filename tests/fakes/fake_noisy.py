"""A fake probe of another package: writes to fd 1 and 2 by all roads, megabytes of it."""

import os
import subprocess
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
    for descriptor in (1, 2):
        for _ in range(64):
            os.write(descriptor, b"noise \x1b[2J " * 4096)
    print("printed", flush=True)
    print("complained", file=sys.stderr, flush=True)
    subprocess.run(["sh", "-c", "echo from a child; echo to its log >&2"], check=True)
    yield Finding("seen", Level.INFO, data={"n": params.n})
