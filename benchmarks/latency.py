"""How long the walkthrough takes from a key to the changed screen: 95th percentile over many keys of each sort.

The real program in a pseudo terminal of 100x30, on examples/digits with a CSV and a checkpoint large enough that their probes run all
the while: without a session, and with one of 10,000 findings (as in session_open.py), idle and while probes run. A key counts as
answered when all that it changes has been written: the line of the list and the title of the next item, the text of the tab, the
list that the filter leaves, the head of the evidence, rows of a table not seen before, the title in the other language. `evidence of
the next item` follows the title on purpose (itempane.SETTLE), so that a key held down never lags; its time is told, not judged.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import re
import select
import shutil
import statistics
import struct
import subprocess
import tempfile
import termios
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import numpy as np
from _measuring import Row, report, row
from first_paint import ACCUCHECK, ESCAPE, PROJECT, clean_environment
from session_open import make

from accucheck import case, checklist
from accucheck.checklist import Item
from accucheck.language import Language
from accucheck.session import open_session
from accucheck.tui.words import WORDS

TARGET = 0.050
ALL = "all but the evidence of the next item"
FINDINGS = 10_000
PAUSE = 0.12  # seconds between the answer to one key and the next key
ROW = re.compile(rb"data/rows/(\d{5})\.png")  # a cell of the tables of session_open.py


def make_inputs(root: Path, megabytes: int) -> None:
    """A CSV and a checkpoint of about this size, in the place of the project's own."""
    rng = np.random.default_rng(0)
    rows = "\n".join(",".join(f"{value:.4f}" for value in row) for row in rng.normal(size=(20_000, 20))) + "\n"
    data = root / "big"
    data.mkdir()
    with (data / "train.csv").open("w") as stream:
        stream.write(",".join(f"c{i}" for i in range(20)) + "\n")
        for _ in range(max(1, (megabytes << 20) // len(rows))):
            stream.write(rows)
    from safetensors.numpy import save_file

    weights = {f"layer{i}.weight": rng.normal(size=(1024, 1024)).astype(np.float32) for i in range(megabytes // 8)}
    save_file(weights, root / "big.safetensors")


class Terminal:
    """The program in a pseudo terminal, and the seconds that each sort of key took."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        self.fd, inside = pty.openpty()
        fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        self.process = subprocess.Popen(
            command, env=environment, stdin=inside, stdout=inside, stderr=inside, start_new_session=True
        )
        os.close(inside)
        self.taken: dict[str, list[float]] = defaultdict(list)
        self.last = b""

    def read(self, seconds: float) -> bytes:
        ready, _, _ = select.select([self.fd], [], [], seconds)
        if not ready:
            return b""
        try:
            self.last = os.read(self.fd, 1 << 16)
        except OSError:
            raise SystemExit(
                f"the program has ended: {ESCAPE.sub(b'', self.last).decode('utf-8', 'replace')}"
            ) from None
        return self.last

    def settle(self, seconds: float = PAUSE) -> bytes:
        """What is written during the next `seconds`."""
        end, output = time.perf_counter() + seconds, b""
        while (left := end - time.perf_counter()) > 0:
            output += self.read(left)
        return output

    def press(self, keys: bytes, seconds: float = PAUSE) -> bytes:
        """Press keys that are not measured."""
        os.write(self.fd, keys)
        return self.settle(seconds)

    def wait(self, text: str, seconds: float = 60) -> None:
        """Until a text is written."""
        end, output = time.perf_counter() + seconds, b""
        while text.encode() not in ESCAPE.sub(b"", output):
            if time.perf_counter() > end:
                raise SystemExit(f"no {text!r} in {seconds:g} s; got {ESCAPE.sub(b'', output)[-2000:]!r}")
            output += self.read(0.5)

    def measure(self, sort: str, key: bytes, *answered: Callable[[bytes], bool], also: str = "") -> bytes:
        """Press a key and note the seconds until what was written answers it; of `also` until the second answer. Returns the text.

        A part counts from when it was read; what it says is looked at when no more is there, which costs time of our own.
        """
        begin, names = time.perf_counter(), [sort, also]
        parts: list[tuple[float, bytes]] = []  # since the key, and what was read then
        os.write(self.fd, key)
        for name, done in zip(names, answered, strict=False):
            while not done(_text(parts)):
                if time.perf_counter() - begin > 10:
                    raise SystemExit(f"{sort}: no answer to {key!r} in 10 s; got {_text(parts)[-2000:]!r}")
                waited = 0.5
                while part := self.read(waited):
                    parts.append((time.perf_counter() - begin, part))
                    waited = 0.0
            first = next(count for count in range(1, len(parts) + 1) if done(_text(parts[:count])))
            self.taken[name].append(parts[first - 1][0])
        return _text(parts) + ESCAPE.sub(b"", self.settle())

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.fd)


def _text(parts: list[tuple[float, bytes]]) -> bytes:
    return ESCAPE.sub(b"", b"".join(part for _, part in parts))


def says(*texts: str | bytes, times: int = 1) -> Callable[[bytes], bool]:
    wanted = [text.encode() if isinstance(text, str) else text for text in texts]
    return lambda output: all(output.count(text) >= times for text in wanted)


def say(key: str, language: str = "en") -> str:
    return WORDS[key][language]


def probe_of(project: Path, item: str) -> str:
    """The first probe whose findings of an item are on its evidence tab."""
    with open_session(project, write=False) as session:
        return next(iter(session.entry(item).results), "")


def again(terminal: Terminal, run: bool, down: int = 0) -> None:
    """Start the probes of the first item once more, and go so many items down."""
    terminal.press(b"\x1b[H", 0.3)
    if run:
        terminal.press(b"r", 0.5)
    for _ in range(down):
        terminal.press(b"]", 0.2)


def moves(terminal: Terminal, project: Path, items: list[Item], keys: int, run: bool) -> None:
    """From item to item, forth and back, with the evidence open."""
    probes = {item.id: probe_of(project, item.id) for item in items}
    again(terminal, run)
    place = 0
    for number in range(keys):
        step = 1 if number % 20 < 14 else -1
        place = (place + step) % len(items)
        if number % 10 == 9:
            again(terminal, run)
            place = 1
            step = 1
        item = items[place].id
        answers = [says(item, times=2), says(f"{probes[item]}  ")] if probes[item] else [says(item, times=2)]
        terminal.measure(
            "] [ next, previous item", b"]" if step > 0 else b"[", *answers, also="evidence of the next item"
        )


def tabs(terminal: Terminal, keys: int, run: bool) -> None:
    """Through the tabs of the second item, from its evidence on."""
    again(terminal, run, 1)
    terminal.press(b"\t", 0.3)
    opened = [say("meaning"), "20", say("how"), "1.0 s"]  # the history begins with a year
    for number in range(keys):
        terminal.measure("tabs", b"\x1b[C", says(opened[number % 4]))
    terminal.press(b"\x1b[D" * (keys % 4), 0.3)
    terminal.press(b"\x1b[Z", 0.3)


def filters(terminal: Terminal, items: list[Item], keys: int, run: bool) -> None:
    """Words of titles typed into the filter, letter by letter."""
    again(terminal, run)
    words = [item.title.en.split()[0].lower()[:6] for item in items]
    while keys > 0:
        word, typed = words[keys % len(words)], ""
        terminal.measure("/ filter", b"/", says(say("filter")[1:20]))
        for letter in word:
            typed += letter
            left = [item.id for item in items if typed in f"{item.id} {item.title.en}".lower()]
            terminal.measure("letters of the filter", letter.encode(), says(typed, left[0]))
            keys -= 1
        terminal.press(b"\x15\x1b", 0.4)


def evidences(terminal: Terminal, keys: int, run: bool) -> None:
    """The evidence of the second item full size, one after another, and the pages of each table."""
    again(terminal, run, 1)
    while keys > 0:
        shown = terminal.measure("v evidence", b"v", lambda output: bool(re.search(rb"\d+/\d+  ", output)))
        here, of = map(int, re.search(rb"(\d+)/(\d+)  ", shown).groups())
        for _ in range(12):
            if rows := ROW.findall(shown.rpartition(b"/%d  " % of)[2]):  # below the head: not what was there before
                for _ in range(4):
                    last = max(map(int, rows))
                    page = terminal.measure(
                        "page of a table",
                        b"\x1b[6~",
                        lambda output, last=last: any(int(row) > last for row in ROW.findall(output)),
                    )
                    rows = ROW.findall(page)
                    keys -= 1
            here = here % of + 1
            shown = terminal.measure("evidence, next", b"]", says(f"{here}/{of}  "))
            keys -= 1
        terminal.press(b"\x1b", 0.4)


def languages(terminal: Terminal, items: list[Item], keys: int, run: bool) -> None:
    again(terminal, run)
    for number in range(keys):
        language = Language.EN if number % 2 else Language.ZH
        shown = items[2].topic or items[2].title  # in the list, which has no room for titles at this width
        terminal.measure("L language", b"L", says(shown[language], say("tab-conclusion", language.value)))
        terminal.settle(0.3)
    if keys % 2:
        terminal.press(b"L", 0.5)


def walk(
    project: Path, environment: dict[str, str], items: list[Item], keys: int, run: bool, before: list[str]
) -> dict[str, list[float]]:
    """All sorts of keys on a project; with `run`, while the probes of its first item run. before: stands before the command."""
    settings = ["--set", "data.train.path=big", "--set", "checkpoints.current=big.safetensors"]
    terminal = Terminal([*before, ACCUCHECK, "--project", str(project), "--lang", "en", *settings], environment)
    try:
        terminal.wait(say("how"))
        terminal.settle(4)  # until what the next keys need is loaded
        terminal.press(b"\t\x1b[C", 0.5)  # to the evidence
        terminal.press(b"\x1b[Z", 0.5)
        moves(terminal, project, items, keys, run)
        tabs(terminal, keys, run)
        filters(terminal, items, keys, run)
        evidences(terminal, keys, run)
        languages(terminal, items, keys // 4, run)
    finally:
        terminal.close()
    return terminal.taken


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keys", type=int, default=80)
    parser.add_argument("--megabytes", type=int, default=400)
    parser.add_argument(
        "--realtime",
        action="store_true",
        help="run this and the walkthrough, without its probes, before all other programs of a machine that is not idle",
    )
    options = parser.parse_args()
    before = ["chrt", "--reset-on-fork", "--rr", "10"] if options.realtime else []
    if options.realtime:
        os.sched_setscheduler(0, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(11))
    facts = case.load(PROJECT).facts()
    items = sorted(checklist.load("accuracy").items, key=lambda item: not item.applicable(facts))  # as they are listed
    print(
        f"key to painted, 100x30, {FINDINGS:,} findings, {options.keys} keys of most sorts, {os.cpu_count()} processors"
    )
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder, "digits")
        shutil.copytree(PROJECT, project, ignore=shutil.ignore_patterns("__pycache__", ".accucheck"))
        make_inputs(project, options.megabytes)
        make(project, FINDINGS)
        environment = clean_environment(Path(folder, "home"))
        for state, run in (("idle", False), ("while probes run", True)):
            print(state)
            every: list[float] = []
            for sort, taken in walk(project, environment, items, options.keys, run, before).items():
                rows.append(told(sort, taken, state))
                every += taken if not sort.startswith("evidence of") else []
            rows.append(told(ALL, every, state))
    return report(rows)


def told(sort: str, taken: list[float], state: str) -> Row:
    median, p95 = statistics.median(taken), float(np.percentile(taken, 95))
    print(
        f"  {sort:38} {len(taken):4} keys  median {median * 1000:6.1f} ms   95th percentile {p95 * 1000:6.1f} ms  "
        f"{p95 / TARGET:5.2f} x of {TARGET * 1000:.0f} ms   longest {max(taken) * 1000:6.1f} ms",
        flush=True,
    )
    judged = TARGET if sort == ALL else None  # of a few keys the 95th percentile is the longest
    note = f"median {median * 1000:.1f} ms, longest {max(taken) * 1000:.1f} ms"
    return row(f"{state}, {sort}: 95th percentile", p95, "s", most=judged, note=note, rounds=len(taken))


if __name__ == "__main__":
    raise SystemExit(main())
