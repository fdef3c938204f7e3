"""A fake probe of another package: starts processes that keep its pipes open, one in a session of its own, and leaves a temporary file;
then never ends, or with `dies` is killed."""

import os
import signal
import tempfile
import time
from pathlib import Path

import msgspec

from accucheck.model import Finding, Kind, Level, Progress

KIND = Kind.FILE
NEEDS = ()
MESSAGES = {"seen": {"en": "seen {n}", "zh": "看到 {n}"}, "bad": {"en": "bad {n}", "zh": "有问题 {n}"}}
WORDS = {}
EXAMPLES = []


class Params(msgspec.Struct, frozen=True):
    n: int = 1
    dies: bool = False


def run(case, params):
    for own in (False, True):
        if child := os.fork():
            yield Finding("seen", Level.INFO, data={"n": child})
        else:
            if own:
                os.setsid()
            time.sleep(300)
            os._exit(0)
    Path(tempfile.mkdtemp(), "copy").write_bytes(b"x" * 1000)
    Path(tempfile.gettempdir(), "began").touch()
    if params.dies:
        os.kill(os.getpid(), signal.SIGKILL)
    while True:
        yield Progress(1, None, "rows")
        time.sleep(0.05)
