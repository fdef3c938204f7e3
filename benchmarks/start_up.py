"""How long `accucheck --help` and `accucheck list` take, as multiples of an empty Python of the same interpreter.

Wall time of fresh processes, one of each a round, so that a busy moment of the machine meets all alike; medians.
"""

import argparse
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

from _measuring import report, row
from first_paint import clean_environment

ACCUCHECK = str(Path(sysconfig.get_path("scripts"), "accucheck"))
#: The command and the target: at most so many times `python -c pass`.
COMMANDS = {
    "python -c pass": ([sys.executable, "-c", "pass"], None),
    'python -c "import click"': ([sys.executable, "-c", "import click"], None),
    "accucheck --help": ([ACCUCHECK, "--help"], 5),
    "accucheck list": ([ACCUCHECK, "list"], 7),
}


def seconds(command: list[str], environment: dict[str, str]) -> float:
    begin = time.perf_counter()
    subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begin


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=21)
    rounds = parser.parse_args().rounds

    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    with tempfile.TemporaryDirectory() as home:
        environment = clean_environment(Path(home))
        for command, _ in COMMANDS.values():  # byte code and the cache of checklists
            seconds(command, environment)
        for _ in range(rounds):
            for name, (command, _) in COMMANDS.items():
                times[name].append(seconds(command, environment))

    base = statistics.median(times["python -c pass"])
    print(f"median of {rounds} fresh processes each, {sys.executable}")
    for name, (_, target) in COMMANDS.items():
        median = statistics.median(times[name])
        aim = f"  (target: at most {target})" if target else ""
        print(f"{name:26} {median * 1000:7.1f} ms  {median / base:5.2f} x{aim}")
    bare = "python -c pass"
    return report(
        [
            row(name, times[name], "s", bare, times[bare], ratio_most=target)
            for name, (_, target) in COMMANDS.items()
            if target
        ]
    )


if __name__ == "__main__":
    raise SystemExit(main())
