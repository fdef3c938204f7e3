"""Faults planted into a project that is really trained: whether they are found, and what is said of the same projects in health.

    python benchmarks/planted.py [NAME ...] [--jobs 2]   NAME: only these faults. Takes some ten minutes

Each faulty project is examined with all probes of the fault's item, live ones too, and each healthy one with every probe.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from _experiments import Count, done, each, examine
from _measuring import Wrong, report
from next_steps import BOTH, planted


def measure(jobs: int, names: Sequence[str] = ()) -> int:
    """Recall on the faults of examples/faults.py, and false alarms on the same projects in health."""
    faults = {name: fault for name, fault in planted().FAULTS.items() if not names or name in names}
    # Several faults have the same healthy project.
    twins = {(fault.given, fault.right, fault.steps): name for name, fault in reversed(faults.items())}
    count = Count()
    for name, item in zip(faults, each(lambda name: faulty(name, faults[name]), faults, jobs), strict=True):
        judge_faulty(name, faults[name], item, count)
    for name, items in zip(
        twins.values(), each(lambda name: healthy(name, faults[name]), twins.values(), jobs), strict=True
    ):
        judge_healthy(name, items, count)
    notes = [f"{len(faults)} planted faults, {len(twins)} healthy projects"]
    return report([], tallies=count.tallies(), wrong=count.wrong, notes=notes)


def faulty(name: str, fault: Any) -> dict[str, Any] | None:
    """The item of a planted fault, examined; None without an answer."""
    with tempfile.TemporaryDirectory() as folder:
        planted().plant(fault, project := Path(folder, name))
        return (examine(project, "--only", fault.item, *BOTH, "--live") or {}).get(fault.item)


def healthy(name: str, fault: Any) -> dict[str, Any] | None:
    """All items of the same project without the fault."""
    with tempfile.TemporaryDirectory() as folder:
        planted().plant(fault, project := Path(folder, name), clean=True)
        return examine(project, *BOTH, "--live")


def judge_faulty(name: str, fault: Any, item: dict[str, Any] | None, count: Count) -> None:
    """A fault is found when one of its probes says its code, as more than information."""
    found = done(item) if item else {}
    told = {probe: [one["code"] for one in found.get(probe, []) if one["level"] != "info"] for probe in fault.found}
    seen = {probe: code in told[probe] for probe, code in fault.found.items()}
    count.add("planted", fault.item, any(seen.values()))
    for probe, right in seen.items():
        count.add("planted by probe", probe, right)
        if not right:
            got = ", ".join(told[probe]) or ("nothing" if probe in found else "no result")
            what = f"{fault.what}; {probe}"
            count.wrong.append(Wrong("planted", name, fault.item, "", what, fault.found[probe], got))
    print(f"{name}: {', '.join(f'{probe} {right}' for probe, right in seen.items())}", flush=True)


def judge_healthy(name: str, items: dict[str, Any] | None, count: Count) -> None:
    """Anything above information is a false alarm."""
    if items is None:
        count.add("healthy", "", False)
        count.wrong.append(Wrong("healthy", name, "", "", "", "nothing", "no answer"))
    for item_id, item in (items or {}).items():
        if not (found := done(item)):
            continue
        alarms = {probe: [one for one in told if one["level"] != "info"] for probe, told in found.items()}
        count.add("healthy", item_id, not any(alarms.values()))
        for probe, told in alarms.items():
            count.add("healthy by probe", probe, not told)
            for one in told:
                got = f"{one['level']} {one['code']} ({probe})"
                count.wrong.append(Wrong("healthy", name, item_id, place(one), one["message"], "nothing", got))
                print(f"{name}, healthy: {item_id} {got}: {one['message']}", flush=True)


def place(finding: dict[str, Any]) -> str:
    where = finding.get("where") or {}
    return ":".join(str(where[key]) for key in ("path", "line") if where.get(key))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--jobs", type=int, default=2, help="how many projects at a time")
    options = parser.parse_args()
    return measure(options.jobs, options.names)


if __name__ == "__main__":
    raise SystemExit(main())
