"""The static probes on faults that a program planted into public projects: on the half that rules are worked on with, and on the other.

    GROUNDTRUTH=DIR REPOS=DIR python benchmarks/seeded.py [--jobs 2]

REPOS holds bare git repositories as owner+name/repo, GROUNDTRUTH the projects and what is planted:

seeded_projects.json  [{case_id, repo, commit, root, paths, entry}]: the files `paths` of a commit; `entry` are its training scripts
seeded_mutants.json   [{case, kind, item, accept, file, line, offset, delete, insert, operator, note}]: an edit by characters; a
                      fault is to be told by its item or one of `accept`, a control changes nothing

A fault is found when such an item turns to problem, or gains a problem within 25 lines of the edit; half found when it gains a suspect
there. What comes out wrong is told of the half that rules are worked on with alone: nobody looks at the other. Faults that the scripts
cannot show are counted apart: those of untellable.yaml, and edits of code that no entry script reaches.
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import json
import os
import shutil
import tempfile
from pathlib import Path, PurePosixPath
from typing import Any

import yaml
from _experiments import Count, done, each, examine
from _measuring import Wrong, report
from _reach import unreached
from _running import HERE
from labelled import bare, edit, lay_out, named

REACH = 25
CHECKLISTS = ("accuracy", "comparison", "sanity")
#: Why a fault cannot be told, where the reason is found and not listed.
NEVER_REACHED = "No entry script reaches this code."
Items = dict[str, dict[str, Any]]
#: A finding: its code, its file, its line.
Place = tuple[str, str, int]


def half(repo: str) -> str:
    """The part that all projects of a repository belong to."""
    return ("worked", "held")[hashlib.sha1(repo.encode(), usedforsecurity=False).digest()[-1] % 2]


def found(items: Items, item: str, level: str) -> list[Place]:
    findings = (one for each_ in done(items[item]).values() for one in each_) if item in items else ()
    wheres = ((one["code"], one["where"] or {}) for one in findings if one["level"] == level)
    return [(code, where.get("path") or "", where.get("line") or 0) for code, where in wheres]


def gained(before: Items, after: Items, item: str, level: str) -> list[Place]:
    """The findings of an item whose code is told more often of a file than before."""
    counts = [collections.Counter((code, path) for code, path, _ in found(one, item, level)) for one in (after, before)]
    more = counts[0] - counts[1]
    return [one for one in found(after, item, level) if one[:2] in more]


def turned(before: Items, after: Items, item: str) -> bool:
    said, was = (one.get(item, {}).get("suggestion") for one in (after, before))
    return said == "problem" != was


def outcome(mutant: dict[str, Any], before: Items, after: Items) -> str:
    """found, half or missed."""
    name = PurePosixPath(mutant["file"]).name

    def near(item: str, level: str) -> bool:
        places = gained(before, after, item, level)
        return any(PurePosixPath(path).name == name and abs(line - mutant["line"]) <= REACH for _, path, line in places)

    wanted = [item for item in after if item in {mutant["item"], *mutant["accept"]}]
    if any(turned(before, after, item) or near(item, "problem") for item in wanted):
        return "found"
    return "half" if any(near(item, "suspect") for item in wanted) else "missed"


def alarms(mutant: dict[str, Any], before: Items, after: Items) -> list[str]:
    """The items that gained a problem which is none of the fault's."""
    fits = {mutant["item"], *mutant["accept"]} if mutant["kind"] == "fault" else set()
    return [
        item
        for item in after
        if item not in fits and (turned(before, after, item) or gained(before, after, item, "problem"))
    ]


def untellable(mutant: dict[str, Any], case: dict[str, Any], folder: Path, listed: list[dict[str, str]]) -> str:
    """Why the scripts do not show a fault; empty when they do. `folder`: the project as it was."""
    place = {"project": named(case), "operator": mutant["operator"], "place": f"{mutant['file']}:{mutant['line']}"}
    for one in listed:
        if all(place[key] == value for key, value in one.items() if key != "why"):
            return one["why"]
    out = unreached(folder, case["paths"], case["entry"], mutant["file"], mutant["line"])
    return NEVER_REACHED if out else ""


def judge(
    mutant: dict[str, Any], case: dict[str, Any], before: Items | None, after: Items | None, count: Count, why: str = ""
) -> None:
    """`why`: the reason for which a fault cannot be told."""
    part, item = half(case["repo"]), mutant["item"]
    told = alarms(mutant, before or {}, after or {})
    if mutant["kind"] == "fault":
        said = outcome(mutant, before or {}, after) if after is not None else "missed"
        count.add(f"found {part}", item, said == "found")
        count.add(f"half {part}", item, said == "half")
        count.add(f"elsewhere {part}", item, not told)
        if not why:
            count.add(f"tellable {part}", item, said == "found")
        right = said == "found"
    else:
        right = after is not None and not told
        count.add(f"controls {part}", item, right)
    if not right and part == "worked":
        suggestion = (after or {}).get(item, {}).get("suggestion", "no answer")
        what = ": ".join(filter(None, [mutant["operator"], mutant["note"], why and f"cannot be told: {why}"]))
        expected = "problem" if mutant["kind"] == "fault" else "no new problem"
        at = f"{mutant['file']}:{mutant['line']}"
        count.wrong.append(Wrong("seeded", named(case), item, at, what, expected, ", ".join([suggestion, *told])))


def measure(jobs: int, labels: Path, repositories: Path) -> int:
    cases = {case["case_id"]: case for case in json.loads((labels / "seeded_projects.json").read_text("utf-8"))}
    mutants = json.loads((labels / "seeded_mutants.json").read_text("utf-8"))
    if missing := sorted({case["repo"] for case in cases.values() if not bare(repositories, case["repo"]).is_dir()}):
        raise SystemExit(f"REPOS lacks {', '.join(missing)}: clone them there with --bare, as owner+name/repo")
    listed = yaml.safe_load((HERE / "untellable.yaml").read_text("utf-8"))
    count, hidden = Count(), collections.Counter[str]()
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)

        def original(case: dict[str, Any]) -> Items | None:
            lay_out(case, repositories, work / case["case_id"])
            return static(work / case["case_id"], case)

        def edited(mutant: dict[str, Any]) -> Items | None:
            with tempfile.TemporaryDirectory(dir=work) as folder:
                copy = Path(folder, "project")
                shutil.copytree(work / mutant["case"], copy)
                edit(copy / mutant["file"], mutant)
                return static(copy, cases[mutant["case"]])

        before = dict(zip(cases, each(original, cases.values(), jobs), strict=True))
        for mutant, items in zip(mutants, each(edited, mutants, jobs), strict=True):
            case, fault = cases[mutant["case"]], mutant["kind"] == "fault"
            why = untellable(mutant, case, work / mutant["case"], listed) if fault else ""
            hidden[half(case["repo"])] += bool(why)
            judge(mutant, case, before[mutant["case"]], items, count, why)
    parts = collections.Counter(half(case["repo"]) for case in cases.values())
    notes = [f"{parts['worked']} projects that rules are worked on with, {parts['held']} only measured with"]
    notes.append(f"Faults that the scripts do not show: {hidden['worked']} and {hidden['held']}")
    return report([], tallies=count.tallies(), wrong=count.wrong, notes=notes)


def static(folder: Path, case: dict[str, Any]) -> Items | None:
    scripts = [word for entry in case["entry"] for word in ("--script", str(folder / entry))]
    checklists = [word for name in CHECKLISTS for word in ("--checklist", name)]
    return examine(folder, *scripts, "--kind", "static", "--no-session", *checklists)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=2, help="how many projects at a time")
    options = parser.parse_args()
    folders = [os.environ.get(name, "") for name in ("GROUNDTRUTH", "REPOS")]
    if not all(folders):
        raise SystemExit("GROUNDTRUTH and REPOS do not name their folders")
    return measure(options.jobs, *map(Path, folders))


if __name__ == "__main__":
    raise SystemExit(main())
