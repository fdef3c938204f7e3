"""A fake probe of another package: ignores SIGTERM, with a child of its own that does too."""

import signal
import subprocess
import time

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
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = subprocess.Popen(["sh", "-c", "trap '' TERM; while :; do sleep 1; done"])
    yield Finding("seen", Level.INFO, data={"n": child.pid})
    while True:
        time.sleep(1)
