"""How long the walkthrough takes from a key to the changed screen, idle and while probes run; 95th percentile.

The real program in a pseudo terminal of 100x30: `]` is pressed, and the time is taken until both the list line and the
title of the next item have been written. The project is examples/digits with a CSV, a checkpoint and a folder large
enough that its probes (file and live) run all the while. Prints what it measured.
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
import sys
import tempfile
import termios
import time
from pathlib import Path

import numpy as np

ACCUCHECK = str(Path(sys.executable).with_name("accucheck"))
PROJECT = Path(__file__).parents[1] / "examples" / "digits"
TARGET = 0.050
PAUSE = 0.12  # seconds between the answer to one key and the next key
ESCAPE = re.compile(rb"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[ -/]*[0-~])")
IDS = re.compile(rb"\b(?:ds|dp|hp|api|cg|wi|mp)\.\d\d")


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
    """The program in a pseudo terminal, and all it has written."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        self.fd, inside = pty.openpty()
        fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        self.process = subprocess.Popen(
            command, env=environment, stdin=inside, stdout=inside, stderr=inside, start_new_session=True
        )
        os.close(inside)

    def read(self, seconds: float) -> bytes:
        ready, _, _ = select.select([self.fd], [], [], seconds)
        return os.read(self.fd, 1 << 16) if ready else b""

    def settle(self, seconds: float) -> bytes:
        """What is written during the next `seconds`."""
        end, output = time.perf_counter() + seconds, b""
        while (left := end - time.perf_counter()) > 0:
            output += self.read(left)
        return output

    def press(self, keys: bytes) -> None:
        os.write(self.fd, keys)

    def answer(self, wanted: bytes, times: int) -> float:
        """Press `]` and return the seconds until `wanted` was written `times` times."""
        begin, output = time.perf_counter(), b""
        self.press(b"]")
        while ESCAPE.sub(b"", output).count(wanted) < times:
            if time.perf_counter() - begin > 5:
                raise SystemExit(f"no answer to a key in 5 s; waited for {wanted!r}, got {output[-300:]!r}")
            output += self.read(0.5)
        return time.perf_counter() - begin

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.fd)


def measure(terminal: Terminal, ids: list[bytes], presses: int, between: bytes = b"") -> list[float]:
    """The seconds of each press; `between` is pressed every 40 presses, for instance to start the probes again."""
    taken, place = [], 0
    for number in range(presses):
        if between and number % 40 == 0:
            terminal.press(between)
            terminal.settle(0.3)
        place = (place + 1) % len(ids)
        taken.append(terminal.answer(ids[place], 2))
        terminal.settle(PAUSE)
    return taken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--presses", type=int, default=240)
    parser.add_argument("--megabytes", type=int, default=400)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        project, home = Path(folder, "digits"), Path(folder, "home")
        shutil.copytree(PROJECT, project, ignore=shutil.ignore_patterns("__pycache__", ".accucheck"))
        make_inputs(project, options.megabytes)
        environment = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "LINES", "NO_COLOR")}
        environment |= {"HOME": str(home), "TERM": "xterm-256color", "LANG": "C.UTF-8"}
        settings = ["--set", "data.train.path=big", "--set", "checkpoints.current=big.safetensors"]
        listed = subprocess.run([ACCUCHECK, "list"], env=environment, capture_output=True, check=True).stdout
        ids = IDS.findall(listed)
        terminal = Terminal([ACCUCHECK, "--project", str(project), *settings], environment)
        try:
            terminal.settle(3)
            results = {"idle": measure(terminal, ids, options.presses)}
            ids_from_here = ids[options.presses % len(ids) :] + ids[: options.presses % len(ids)]
            terminal.press(b"R")
            terminal.settle(0.5)
            terminal.press(b"\x1b[B\x1b[B\r")  # consent: yes, and remember
            terminal.settle(0.5)
            results["while probes run"] = measure(terminal, ids_from_here, options.presses, between=b"R")
        finally:
            terminal.close()
    print(f"key to painted, 100x30, {options.presses} keys each, {os.cpu_count()} processors")
    for name, taken in results.items():
        median, p95 = statistics.median(taken), statistics.quantiles(taken, n=20)[-1]
        print(
            f"{name:18} median {median * 1000:5.1f} ms   95th percentile {p95 * 1000:5.1f} ms  "
            f"{p95 / TARGET:4.2f} x of {TARGET * 1000:.0f} ms   longest {max(taken) * 1000:5.1f} ms"
        )


if __name__ == "__main__":
    main()
