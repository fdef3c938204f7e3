"""Redaction against detect-secrets, on the corpora of the tests and on 10 MB of a log: what each finds, what each takes for a secret
that is none, and how long they take, interleaved, medians.

python benchmarks/redaction.py [--rounds 3] [--megabytes 10]. detect-secrets (pip install detect-secrets) looks for secrets alone, so
it is asked only about those; all its detectors are on, as by default. The corpora are our own: the rules were made with them in sight.
Targets: more secrets found, fewer false alarms, and 10 MB in less than 30 s.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

from _measuring import report, row
from detect_secrets import SecretsCollection
from detect_secrets.settings import default_settings

sys.path.insert(0, str(Path(__file__).parent.parent / "tests/report"))
from redaction_corpus import MACHINE, harmless, planted

from accucheck.report.redact import Redactor

LIMIT = 30.0


def ours(text: str) -> bool:
    hide = Redactor(**MACHINE)  # type: ignore[arg-type]
    hide(text)
    return bool(hide.counts)


def theirs(text: str, folder: Path) -> bool:
    path = folder / "text.txt"
    path.write_text(text, "utf-8")
    found = SecretsCollection()
    with default_settings():
        found.scan_file(str(path))
    return bool(found)


def log(size: int) -> str:
    """Lines of a training log, one in fifty with something private."""
    secret = [one.text for one in planted()]
    plain = harmless()
    lines, length, number = [], 0, 0
    while length < size:
        number += 1
        line = f"2026-03-04 05:06:07 epoch: {number // 100} step: {number % 100}, loss is {1 / number:.6f}, {number * 7} tokens"
        if number % 50 == 0:
            line = secret[number // 50 % len(secret)]
        elif number % 10 == 0:
            line = plain[number // 10 % len(plain)]
        lines.append(line)
        length += len(line) + 1
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--megabytes", type=int, default=10)
    options = parser.parse_args()
    secrets = sorted({one.text for one in planted() if one.kind == "secret"})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = [sum(map(ours, secrets)), sum(theirs(text, folder) for text in secrets)]
        alarms = [sum(map(ours, harmless())), sum(theirs(text, folder) for text in harmless())]
        print(f"secrets found, of {len(secrets)}: accucheck {found[0]}, detect-secrets {found[1]}")
        print(f"false alarms, of {len(harmless())}: accucheck {alarms[0]}, detect-secrets {alarms[1]}")
        text = log(options.megabytes << 20)
        whole = folder / "whole.log"
        whole.write_text(text, "utf-8")
        times: list[list[float]] = [[], []]
        for _ in range(options.rounds):
            begun = time.perf_counter()
            ours(text)
            times[0].append(time.perf_counter() - begun)
            begun = time.perf_counter()
            with default_settings():
                SecretsCollection().scan_file(str(whole))
            times[1].append(time.perf_counter() - begun)
    own, other = (statistics.median(each) for each in times)
    print(
        f"{options.megabytes} MB of a log: accucheck {own:.1f} s, detect-secrets {other:.1f} s, ratio {own / other:.2f}"
    )
    good = found[0] > found[1] and alarms[0] < alarms[1] and own < LIMIT * options.megabytes / 10
    print("target met" if good else "target missed")
    peer, limit = "detect-secrets", LIMIT * options.megabytes / 10
    return report(
        [
            row("secrets found", found[0], "", peer, found[1], least=found[1] + 1, note=f"of {len(secrets)}"),
            row("false alarms", alarms[0], "", peer, alarms[1], most=alarms[1] - 1, note=f"of {len(harmless())}"),
            row(f"{options.megabytes} MB of a log", *(times[0], "s", peer, times[1]), most=limit),
        ],
        [peer],
    )


if __name__ == "__main__":
    sys.exit(main())
