"""How many faults the path of the comparison checklist locates, and what it finds of healthy pairs: the twins of tests/twins.

    python benchmarks/twins.py [--keep FOLDER]

Each twin is a network in MindSpore and in PyTorch, trained by two scripts on the same digits from the same weights, 8 steps each. At
least 95 of 100 planted faults must be located: at the right item of the path, with the layer, parameter or setting named. A suspect counts
as found. Of a healthy pair nothing may be found. Takes some minutes; needs torch. With --keep the projects stay, and are used again.
"""

from __future__ import annotations

import argparse
import importlib.util
import logging
import sys
import tempfile
import warnings
from pathlib import Path

from _measuring import report, row

LEAST_LOCATED = 0.95
sys.path.insert(0, str(Path(__file__).parents[1] / "tests/twins"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", type=Path, metavar="FOLDER")
    given = parser.parse_args()
    if importlib.util.find_spec("torch") is None:
        raise SystemExit("torch is not installed: no twins are trained")
    with tempfile.TemporaryDirectory() as temporary:
        return measure(given.keep or Path(temporary))


def measure(folder: Path) -> int:
    from building import build
    from experiments import CLEAN, FAULTY
    from walking import located, walk

    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    alarms, found = 0, 0
    print(f"{'twin':28} {'found at':14} {'end':7} located")
    for twin in (*CLEAN, *FAULTY):
        project = folder / twin.name
        if not (project / "converted.ckpt").is_file() or not (project / "outputs").is_dir():
            build(twin, project)
        walked = walk(project)
        if twin.clean:
            alarms += any(walked.findings.values())
            right = "-" if not any(walked.findings.values()) else "ALARM"
        else:
            right = "yes" if located(walked, twin.item, twin.place) else f"NO: {twin.item}, {twin.place}"
            found += right == "yes"
        print(f"{twin.name:28} {', '.join(walked.problems) or '-':14} {walked.end:7} {right}", flush=True)
    print(
        f"located: {found} of {len(FAULTY)} ({found / len(FAULTY):.1%}); healthy pairs with a finding: {alarms} of {len(CLEAN)}"
    )
    return report(
        [
            row("faults located", found / len(FAULTY), "%", least=LEAST_LOCATED, note=f"{found} of {len(FAULTY)}"),
            row("healthy pairs with a finding", alarms, "", most=0, note=f"of {len(CLEAN)}"),
        ],
        ["torch"],
    )


if __name__ == "__main__":
    raise SystemExit(main())
