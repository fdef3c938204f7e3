"""A monkey at the keyboard of the real program: nothing it does ends the program badly, hangs it, or loses an answer.

Each seed is one order of keys, clicks, pastes, sizes and signals. `pytest tests/tui/test_monkey.py --monkey=20000` presses that many
keys for each of the SEEDS; without it a part is pressed, which takes less than a minute.
"""

import json
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import deque
from pathlib import Path

import pytest
from terminals import Pty, environment

from accucheck.session import open_session

ROOT = Path(__file__).parents[2]
#: The program, told to write down what it has taken for an answer, and to touch nothing outside of the test's folder: the monkey
#: types paths too. F20 is answered by a line in the same file, so that the monkey does not run ahead of the screen.
OBSERVED = """
import asyncio, errno, faulthandler, json, os, signal, sys, threading, time
safe, log = sys.argv[1], os.open(sys.argv[2], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
stacks = open(sys.argv[2] + ".stacks", "w")
def waits(*_):
    for task in asyncio.all_tasks():
        task.print_stack(file=stacks)
    stacks.flush()
signal.signal(signal.SIGUSR2, waits)
faulthandler.register(signal.SIGUSR2, stacks, chain=True)  # what is stuck in C calls no handler
WRITES = {"open": 0, "os.mkdir": 0, "os.rename": 1, "os.remove": 0, "os.rmdir": 0, "os.link": 1, "os.symlink": 1, "os.truncate": 0}
def guard(event, data):
    if event in WRITES and isinstance(path := data[WRITES[event]], (str, bytes)):
        if event == "open" and not (data[2] or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            return
        if not os.path.realpath(os.fsdecode(path)).startswith((safe, "/dev/", "/proc/")):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
sys.addaudithook(guard)
def tell(*what):
    os.write(log, json.dumps([time.time(), *what]).encode() + b"\\n")
from accucheck.session import Session
from accucheck.tui.app import Walkthrough
apply, on_event = Session._apply, Walkthrough.on_event
order = threading.Lock()
def observed(self, item, change, result, values):
    with order:
        apply(self, item, change, result, values)
        tell("change", item, change.when, change.what, change.conclusion and change.conclusion.value, change.note)
async def watched(self, event):
    await on_event(self, event)
    if getattr(event, "key", "") == "f20":
        tell("sync")
Session._apply, Walkthrough.on_event = observed, watched
sys.argv = ["accucheck", *sys.argv[3:]]
from accucheck.cli import console
console()
"""
SYNC = "\x1b[57383u"  # F20
KEYS = {
    "r": 3, "R": 0.3, "1": 6, "2": 6, "3": 6, "A": 2, "n": 5, "o": 1, "a": 1, "s": 3, "p": 2, "u": 4, "]": 6, "[": 3, "/": 3,
    "e": 2, "v": 4, "y": 1, "l": 2, "L": 1.5, "S": 1, "?": 2, "q": 0.15, "w": 2, "f": 2, "x": 1, "g": 1, "t": 1, "h": 1, " ": 3,
    "\r": 10, "\n": 1, "\x1b": 12, "\t": 5, "\x1b[Z": 2, "\x7f": 2, "\x1b[A": 5, "\x1b[B": 8, "\x1b[C": 5, "\x1b[D": 3,
    "\x1b[H": 1, "\x1b[F": 1, "\x1b[5~": 2, "\x1b[6~": 2, "\x1b[3~": 1, "\x10": 1, "\x11": 0.03, "\x03": 1, "\x1a": 0.5,
    "\x1b[1;2B": 1, "\x1b[1;5C": 1, "\x01": 1, "\x0b": 1, "\x15": 1, "\x17": 1, "\x18": 0.5, "\x16": 0.5, "\x1bOP": 1,
}  # fmt: skip
TEXT = [
    "loss",
    "精度",
    "ds.0",
    "a[b",
    "[red]",
    "\u202e",
    "é",
    "👩‍💻",
    "ﷺ",
    "ｱ",
    "́",
    "\\",
    "'",
    '"',
    "%s",
    "{x}",
    "0",
    "~",
    "..",
]
BAD = [
    b"\xff",
    b"\xc3",
    b"\x1b[",
    b"\x1b[<0;",
    b"\x1b]52;c;",
    b"\x1b[99999999999;5u",
    b"\x00",
    b"\x1b[?1;2c",
    b"\x9b1~",
    b"\x1bP",
]
SIZES = [(80, 24), (20, 5), (60, 15), (120, 40), (200, 50), (1, 1), (250, 70), (40, 100), (80, 3)]
EDITOR = """#!/bin/sh
case $(($(date +%N | cut -c9) % 4)) in 0) echo more >> $1;; 1) exit 1;; 2) rm $1;; 3) printf '\\377\\326' > $1;; esac
"""
SEEDS = (1, 2, 3)
#: Seconds within which a key is to be worked off, on a machine that has other things to do.
PATIENCE = 60


class Monkey:
    def __init__(self, folder, seed):
        self.random = random.Random(seed)
        self.folder, self.project, self.log = folder, folder / "project", folder / "log"
        self.home = folder / "home"
        self.home.mkdir()
        shutil.copytree(ROOT / "examples" / "digits_faulty", self.project)
        case = self.project / "accucheck.yaml"
        code = (
            "pipelines:",
            "  train: {call",
            "  eval: {call",
            "network:",
            "loss:",
            "optimizer:",
        )  # live probes take too long
        case.write_text("".join(line for line in case.open() if not line.startswith(code)))
        (self.project / ".accucheck").mkdir()
        shutil.copy(ROOT / "reports" / "session" / "session.json", self.project / ".accucheck" / "session.json")
        editor = folder / "editor.sh"
        editor.write_text(EDITOR)
        editor.chmod(0o755)
        self.variables = environment(self.home, EDITOR=str(editor), TMPDIR=str(folder), XDG_STATE_HOME=str(self.home))
        self.last = deque(maxlen=30)
        self.told, self.keys, self.restarts, self.memory = 0, 0, 0, []
        self.known = self.stored()
        self.start()

    def start(self):
        command = [sys.executable, "-c", OBSERVED, self.folder, self.log, "-p", self.project]
        self.program = Pty(command, self.folder, self.variables, self.random.choice(SIZES[:4]))
        self.sync()

    def lines(self):
        """What the program has written down since the last call."""
        if not self.log.exists():
            return []
        with self.log.open("rb") as stream:
            stream.seek(self.told)
            content = stream.read()
        whole = content[: content.rfind(b"\n") + 1]
        self.told += len(whole)
        lines = [json.loads(line) for line in whole.splitlines()]
        for when, what, *change in lines:
            if what == "change":
                self.known.setdefault(change[0], []).append((when, tuple(change[1:])))
        return lines

    def stored(self):
        """{item: its history}, as the file has it."""
        session = open_session(self.project, write=False)
        assert session.notice is None
        return {
            item: [(0.0, (c.when, c.what, c.conclusion and c.conclusion.value, c.note)) for c in entry.history]
            for item, entry in session.record.entries.items()
        }

    def sync(self):
        """Wait until the keys pressed so far are worked off. False when the program has ended."""
        deadline = time.monotonic() + PATIENCE
        while True:
            self.send(SYNC)
            again = time.monotonic() + 2
            while time.monotonic() < again:
                if any(what == "sync" for _, what, *_ in self.lines()):
                    return True
                if self.program.process.poll() is not None:
                    return False
                time.sleep(0.005)
            assert time.monotonic() < deadline, f"it hangs after {self.keys} keys: {self.stacks()}"
            self.send("\x1b")  # half an escape sequence would swallow the key

    def stacks(self):
        """Where each thread of the program is, and what was done last."""
        self.program.signal(signal.SIGUSR2)
        time.sleep(1)
        state = self.program.state
        return f"{state} {self.last}\n{(self.folder / 'log.stacks').read_text()}"

    def write(self, data):
        self.last.append(data)
        self.send(data)

    def send(self, data):
        try:
            self.program.send(data)
        except OSError:
            pass  # it has ended

    def tail(self):
        return bytes(self.program.output[-4000:]).decode("utf-8", "replace")

    def press(self):
        """A few keys, or something else that a person or a terminal does."""
        rng, dice = self.random, self.random.random()
        if dice < 0.80:
            words = rng.choices(list(KEYS), list(KEYS.values()), k=rng.randint(1, 8))
            self.write("".join(words))
            self.keys += len(words)
        elif dice < 0.88:
            word = rng.choice(TEXT)
            self.write(word)
            self.keys += len(word)
        elif dice < 0.94:
            button, x, y = rng.choice([0, 0, 0, 2, 35, 64, 65]), rng.randint(1, 130), rng.randint(1, 45)
            self.write(f"\x1b[<{button};{x};{y}M" + (f"\x1b[<{button};{x};{y}m" if button < 3 else ""))
            self.keys += 1
        elif dice < 0.96:
            pasted = "".join(rng.choices([*TEXT, "\n", "word "], k=rng.choice([3, 30, 3000])))
            self.write(f"\x1b[200~{pasted}\x1b[201~")
            self.keys += 1
        elif dice < 0.97:
            self.write(rng.choice(BAD) + b"\x1b")
            self.keys += 1
        elif dice < 0.993:
            size = rng.choice(SIZES)
            self.last.append(size)
            self.program.resize(*size)
        elif dice < 0.996:
            self.stop_and_go()
        elif dice < 0.997:
            self.signal(signal.SIGCONT)
        elif dice < 0.9985:
            self.end(rng.choice([signal.SIGHUP, signal.SIGTERM]))
        elif dice < 0.9992:
            self.program.hang_up()
            self.ended(None)
        else:
            self.end(signal.SIGKILL)

    def signal(self, number):
        self.last.append(number)
        if self.program.process.poll() is None:
            self.program.signal(number)

    def stop_and_go(self):
        if self.program.process.poll() is None:
            self.program.signal(signal.SIGTSTP)  # which is nothing where there is no shell
            self.program.signal(signal.SIGSTOP)
            self.program.until(lambda: self.program.process.poll() is not None or self.program.state == "T", PATIENCE)
            self.signal(signal.SIGCONT)

    def end(self, number):
        self.signal(number)
        self.ended(number)

    def ended(self, number):
        """The program has ended, or is about to: was it in order, and is everything stored? Then begin again."""
        try:
            code = self.program.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"it does not end after {number}: {self.stacks()}") from None
        assert "Traceback" not in self.tail(), self.tail()
        assert not list(self.folder.glob("accucheck-error-*")), next(self.folder.glob("accucheck-error-*")).read_text()
        assert code in (0, 128 + signal.SIGHUP, 128 + signal.SIGTERM, -signal.SIGKILL), (code, self.tail())
        self.lines()
        stored, late = self.stored(), time.time() - 2 if number == signal.SIGKILL else float("inf")
        for item, changes in self.known.items():
            found = [change for _, change in stored.get(item, [])]
            told = [change for when, change in changes if when < late]
            assert found[: len(told)] == told and (late < float("inf") or len(found) == len(told)), (item, found, told)
        self.known = stored
        self.program.close()
        self.restarts += 1
        self.start()

    def play(self, keys):
        while self.keys < keys:
            for _ in range(self.random.randint(1, 6)):
                self.press()
            if not self.sync():
                self.ended(None)
            self.memory.append(self.program.megabytes)
        self.end(signal.SIGTERM)
        self.program.close()


@pytest.mark.slow
@pytest.mark.part(40)
@pytest.mark.parametrize("seed", SEEDS)
def test_twenty_thousand_keys(tmp_path, seed, pytestconfig):
    keys = pytestconfig.getoption("--monkey")
    monkey = Monkey(tmp_path, seed)
    try:
        monkey.play(keys or 500)
    finally:
        monkey.program.close()
    changes = sum(map(len, monkey.known.values()))
    print(f"seed {seed}: {monkey.keys} keys, {changes} changes, {monkey.restarts} starts, {max(monkey.memory):.0f} MB")
    assert changes
    assert max(monkey.memory) < 400
