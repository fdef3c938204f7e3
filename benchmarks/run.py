"""Runs the benchmarks one after another, each in a fresh process, and writes the pages of figures (pages.py) from what
they found.

    python benchmarks/run.py                  all of them; make bench
    python benchmarks/run.py start_up estimate    these; the page keeps the others, and says which are stale
    python benchmarks/run.py --stale          those that are stale, failed, or were never measured

A benchmark that fails is named in the page, and the next one runs. Exit code 1: one failed, or a target is missed.
"""

from __future__ import annotations

import argparse

import pages
from _measuring import RESULTS
from _running import measure, scripts, wanted


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--stale", action="store_true")
    options = parser.parse_args()
    known = {script.stem: script for script in scripts()}
    if unknown := [name for name in options.names if name not in known]:
        parser.error(f"no benchmark {', '.join(unknown)}; there are {', '.join(known)}")
    chosen = options.names or [*known]
    if options.stale:
        chosen = [name for name in chosen if wanted(name)]
    ran = []
    for name in chosen:
        ran.append(measure(known[name], RESULTS))
        pages.save()  # after each: nothing is lost when the next one is stopped
    wrong = [result.name for result in ran if result.failed or any(one.met is False for one in result.rows)]
    if wrong:
        print(f"failed, or a target missed: {', '.join(wrong)}")
    return int(bool(wrong))


if __name__ == "__main__":
    raise SystemExit(main())
