"""Faults planted into a project that is really trained: whether they are found, and what is said of the same projects in health.

    python benchmarks/planted.py [NAME ...] [--jobs 2]   NAME: only these faults. Takes some twenty minutes

Each project, faulty and healthy, is examined with every probe, live ones too.
Targets: the item of the fault is among the first 3 next steps, and without the fault no step calls anything a problem.
"""

from __future__ import annotations

import argparse
import functools
import importlib.util
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from _experiments import ACCUCHECK, Count, done, each, examine
from _measuring import Wrong, report, row

BOTH = ("--checklist", "accuracy", "--checklist", "sanity")
#: Where the item of a fault is to stand among the next steps.
FIRST = 3


@functools.cache
def planted() -> Any:
    """examples/faults.py, which is no package."""
    spec = importlib.util.spec_from_file_location(
        "planted_faults", Path(__file__).parents[1] / "examples" / "faults.py"
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


class Examined(NamedTuple):
    """A project after every probe has run."""

    items: dict[str, dict[str, Any]] | None  #: by id; None without an answer
    steps: list[dict[str, Any]]  #: what to do next, in order


def examined(name: str, fault: Any, clean: bool) -> Examined:
    """Plant a fault, or its healthy twin, and run every probe."""
    with tempfile.TemporaryDirectory() as folder:
        planted().plant(fault, project := Path(folder, name), clean=clean)
        items = examine(project, *BOTH, "--live")
        status = [ACCUCHECK, "status", project, *BOTH, "--json"]
        told = subprocess.run(status, check=True, capture_output=True, timeout=120)
        return Examined(items, json.loads(told.stdout)["next"])


def measure(jobs: int, names: Sequence[str] = ()) -> int:
    """Recall on the faults of examples/faults.py, and false alarms on the same projects in health."""
    faults = {name: fault for name, fault in planted().FAULTS.items() if not names or name in names}
    # Several faults have the same healthy project.
    twins = {(fault.given, fault.right, fault.steps): name for name, fault in reversed(faults.items())}
    count, within, called = Count(), 0, 0
    cases = [*((name, False) for name in faults), *((name, True) for name in twins.values())]
    found = each(lambda case: examined(case[0], faults[case[0]], case[1]), cases, jobs)
    for (name, clean), (items, steps) in zip(cases, found, strict=True):
        if clean:
            judge_healthy(name, items, count)
            problems = [step for step in steps if step["kind"] == "problem"]
            called += len(problems)
            for step in problems:
                print(f"{name}, healthy: next {step['items']} {step['what']}", flush=True)
        else:
            fault = faults[name]
            judge_faulty(name, fault, (items or {}).get(fault.item), count)
            place = next((at for at, step in enumerate(steps, 1) if fault.item in step["items"] and step["code"]), None)
            within += place is not None and place <= FIRST
            print(f"{name}: {fault.item} is step {place} of {len(steps)}", flush=True)
    rows = [
        row(
            f"planted faults among the first {FIRST} next steps",
            within,
            "",
            least=len(faults),
            note=f"of {len(faults)}",
        ),
        row("problems among the next steps of healthy projects", called, "", most=0, note=f"{len(twins)} projects"),
    ]
    notes = [f"{len(faults)} planted faults, {len(twins)} healthy projects"]
    return report(rows, tallies=count.tallies(), wrong=count.wrong, notes=notes)


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
