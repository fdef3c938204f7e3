"""How long `accucheck` on examples/digits takes to its first painted screen, as a multiple of a minimal Textual app.

From the start of a fresh process to the first visible character after the switch to the alternate screen, in a
pseudo-terminal of 100x30 that answers no query; one of each a round, medians. Both have their byte code, as after an install.
"""

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
import sysconfig
import tempfile
import termios
import time
from pathlib import Path

from _measuring import report, row

ACCUCHECK = str(Path(sysconfig.get_path("scripts"), "accucheck"))
PROJECT = Path(__file__).parents[1] / "examples" / "digits"
TARGET = 1.5
PATIENCE = 60.0  # seconds until a process that paints nothing is given up
MINIMAL = """\
from textual.app import App
from textual.widgets import Static


class Minimal(App):
    def compose(self):
        yield Static("minimal")


Minimal().run()
"""
ALTERNATE_SCREEN = b"\x1b[?1049h"
#: Escape sequences (ECMA-48): CSI, the strings OSC, DCS, SOS, PM and APC, and the rest; each may still be incomplete.
ESCAPE = re.compile(
    rb"\x1b(\[[0-?]*[ -/]*([@-~]|$)|\][^\x07\x1b]*(\x07|\x1b\\|\x1b?$)|[PX^_][^\x1b]*(\x1b\\|\x1b?$)|[ -/]*([0-~]|$))"
)


def clean_environment(home: Path) -> dict[str, str]:
    """A terminal of its own for a fresh user; byte code is kept, as after an install, for all programs alike."""
    home.mkdir(exist_ok=True)
    unwanted = ("COLUMNS", "LINES", "NO_COLOR", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")
    environment = {key: value for key, value in os.environ.items() if key not in unwanted}
    environment |= {"HOME": str(home), "TERM": "xterm-256color", "LANG": "C.UTF-8"}
    environment |= {"PYTHONPYCACHEPREFIX": f"{home}/bytecode"}
    return environment | {f"XDG_{name}_HOME": f"{home}/.{name.lower()}" for name in ("CACHE", "CONFIG", "STATE")}


def painted(output: bytes, content: bytes) -> bool:
    """Whether `content` stands on the alternate screen: a frame without it is no paint."""
    _, _, screen = output.partition(ALTERNATE_SCREEN)
    return content in ESCAPE.sub(b"", screen)


def seconds(command: list[str], environment: dict[str, str], content: bytes) -> float:
    """From the start of the process until `content` is on the screen."""
    terminal, inside = pty.openpty()
    fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
    begin = time.perf_counter()
    process = subprocess.Popen(
        command, env=environment, stdin=inside, stdout=inside, stderr=inside, start_new_session=True
    )
    os.close(inside)
    output = b""
    try:
        while not painted(output, content):
            left = begin + PATIENCE - time.perf_counter()
            if left <= 0 or not select.select([terminal], [], [], left)[0]:
                raise SystemExit(
                    f"{command}: nothing painted in {PATIENCE:g} s; its output ends with {output[-500:]!r}"
                )
            try:
                output += os.read(terminal, 1 << 16)
            except OSError:  # the process has ended
                raise SystemExit(f"{command} ended before it painted: {output.decode('utf-8', 'replace')}") from None
        return time.perf_counter() - begin
    finally:
        process.kill()
        process.wait()
        os.close(terminal)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=11)
    rounds = parser.parse_args().rounds

    with tempfile.TemporaryDirectory() as folder:
        home, project, minimal = Path(folder, "home"), Path(folder, "digits"), Path(folder, "minimal.py")
        shutil.copytree(PROJECT, project, ignore=shutil.ignore_patterns("__pycache__", ".accucheck"))
        minimal.write_text(MINIMAL)
        environment = clean_environment(home)
        commands = {
            "minimal Textual app": ([sys.executable, str(minimal)], b"minimal"),
            "accucheck": ([ACCUCHECK, "--project", str(project)], b"ds.01"),
        }
        for command, content in commands.values():  # byte code and the cache of checklists
            seconds(command, environment, content)
        times: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(rounds):
            for name, (command, content) in commands.items():
                times[name].append(seconds(command, environment, content))

    base = statistics.median(times["minimal Textual app"])
    print(f"median of {rounds} fresh processes each, 100x30, {sys.executable}")
    for name, taken in times.items():
        aim = f"  (target: at most {TARGET})" if name == "accucheck" else ""
        print(f"{name:20} {statistics.median(taken) * 1000:7.1f} ms  {statistics.median(taken) / base:5.2f} x{aim}")
    plain = times["minimal Textual app"]
    return report([row("first screen", times["accucheck"], "s", "minimal Textual app", plain, ratio_most=TARGET)])


if __name__ == "__main__":
    raise SystemExit(main())
