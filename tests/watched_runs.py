"""Scripts that are really trained under accucheck watch, and what a probe says of the recording."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import dedent
from types import ModuleType

from accucheck import case as cases
from accucheck.case import Case
from accucheck.model import Finding
from accucheck.watching import Plan, watch


def watched(root: Path, script: str, steps: int = 0) -> Case:
    """Train what the script does in a folder of its own, watched; the case names the recording."""
    root.mkdir(exist_ok=True)
    (root / "train.py").write_text(dedent(script), encoding="utf-8")
    found = watch(Plan([sys.executable, str(root / "train.py")], root, steps))
    assert all(not one.failed and one.recordings for one in found.passes), found
    return cases.load(root, [f"watched={found.folder.relative_to(root)}"])


def judged(probe: ModuleType, case: Case, **params: float | str) -> dict[str, Finding]:
    """What the probe finds, by code."""
    return {one.code: one for one in probe.run(case, probe.Params(**params)) if isinstance(one, Finding)}
