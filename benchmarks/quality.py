"""Runs the experiments that tell how far the findings can be trusted, and writes the pages of figures (pages.py)
from what they found.

    python benchmarks/quality.py                all of them; make quality
    python benchmarks/quality.py planted        these

planted     planted.py: faults planted into a project that is really trained, and where they stand among what is to be done next
labelled    labelled.py: projects that others wrote; left out where GROUNDTRUTH and REPOS do not name its folders, the page then keeps
            what was measured last
seeded      seeded.py: faults that a program planted into public projects; left out as labelled is
twins       twins.py: faults planted into one of two networks, in MindSpore and in PyTorch, that are trained in the same way
statistics  the benchmarks that draw healthy and faulty curves, orders and trainings, where what is stored of them is stale
"""

from __future__ import annotations

import argparse
import os

import pages
from _measuring import RESULTS
from _running import HERE, measure, wanted

#: Experiments on public projects.
PUBLIC = ("labelled", "seeded")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    known = ("planted", *PUBLIC, *pages.ROWS, "statistics")
    if unknown := set(options.names) - set(known):
        parser.error(f"no experiment {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    failed = []
    for name in options.names or known:
        if name in PUBLIC and not (os.environ.get("GROUNDTRUTH") and os.environ.get("REPOS")):
            print(f"{name}: left out, as GROUNDTRUTH and REPOS do not name its folders")
            continue
        for script in [one for one in pages.STATISTICS if wanted(one)] if name == "statistics" else [name]:
            result = measure(HERE / f"{script}.py", RESULTS)
            failed += [script] if result.failed else []
            pages.save()  # after each: nothing is lost when the next one is stopped
    if failed:
        print(f"failed: {', '.join(failed)}")
    return int(bool(failed))


if __name__ == "__main__":
    raise SystemExit(main())
