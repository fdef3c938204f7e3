"""Where the planted fault stands among the next steps, once all probes have run: examples/faults.py, each fault really trained.

python benchmarks/next_steps.py [NAME ...]   NAME: only these faults. Takes about a minute each.
Targets: the item of the fault is among the first 3 steps, and without the fault no step calls anything a problem.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from _measuring import report, row

EXAMPLES = Path(__file__).parents[1] / "examples"
ACCUCHECK = str(Path(sys.executable).with_name("accucheck"))
BOTH = ("--checklist", "accuracy", "--checklist", "sanity")
TARGET = 3


def planted() -> Any:
    spec = importlib.util.spec_from_file_location("planted_faults", EXAMPLES / "faults.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def steps(project: Path) -> list[dict[str, Any]]:
    """What to do next, after every probe has run."""
    subprocess.run([ACCUCHECK, "run", project, *BOTH, "--live", "--exit-zero"], check=True, capture_output=True)
    told = subprocess.run([ACCUCHECK, "status", project, *BOTH, "--json"], check=True, capture_output=True)
    return json.loads(told.stdout)["next"]


def main() -> int:
    module = planted()
    ranks: list[int] = []
    wrong = 0
    clean: set[Any] = set()
    with tempfile.TemporaryDirectory() as folder:
        for name, fault in module.FAULTS.items():
            if sys.argv[1:] and name not in sys.argv[1:]:
                continue
            module.plant(fault, Path(folder, name))
            found = steps(Path(folder, name))
            told = [place for place, step in enumerate(found, 1) if fault.item in step["items"] and step["code"]]
            ranks.append(told[0] if told else len(found) + 1)
            print(f"{name}: {fault.item} is step {ranks[-1]} of {len(found)}", flush=True)
            made = (fault.given, fault.right, fault.steps)
            if made in clean:
                continue
            clean.add(made)
            module.plant(fault, Path(folder, f"{name}-clean"), clean=True)
            called = [step for step in steps(Path(folder, f"{name}-clean")) if step["kind"] == "problem"]
            wrong += len(called)
            for step in called:
                print(f"  without it: {step['items']} {step['what']}", flush=True)
    within = sum(rank <= TARGET for rank in ranks)
    print(f"{within} of {len(ranks)} within the first {TARGET}; {wrong} problems in {len(clean)} healthy projects")
    return report(
        [
            row(
                f"planted faults among the first {TARGET} steps", within, "", least=len(ranks), note=f"of {len(ranks)}"
            ),
            row("problems in healthy projects", wrong, "", most=0, note=f"{len(clean)} projects"),
        ]
    )


if __name__ == "__main__":
    raise SystemExit(main())
