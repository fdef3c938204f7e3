"""The static probes on projects that others wrote and a reader labelled: what they find, and what they take for a problem.

    GROUNDTRUTH=DIR REPOS=DIR python benchmarks/labelled.py [OWNER/NAME ...] [--jobs 2]   only these repositories

REPOS holds bare git repositories as owner+name/repo, GROUNDTRUTH the labels:

cases.json    [{case_id, repo, commit, root, paths, entry, labels: {item: {verdict, evidence, reason, also_acceptable}}}]: the files `paths`
              of a commit; `entry` are its training scripts; verdict: problem, ok, undecided ...; evidence: file:line
mutants.json  [{case, item, file, offset, delete, insert, line, expected, base_verdict, note}]: an edit of a case by characters, and
              whether it makes a problem of the item
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from _experiments import Count, done, each, examine
from _measuring import Wrong, report

#: A finding belongs to a label when it stands within so many lines of what the reader named.
REACH = 15


class Answer:
    """What accucheck said of one item of a case: its suggestion, and the problems of each probe as (code, path, line)."""

    def __init__(self, item: dict[str, Any] | None) -> None:
        self.said: str | None = item and item["suggestion"]
        self.problems: dict[str, list[tuple[str, str, int]]] = {}
        for probe, findings in (done(item) if item else {}).items():
            wheres = [(one["code"], one["where"] or {}) for one in findings if one["level"] == "problem"]
            self.problems[probe] = [(code, where.get("path") or "", where.get("line") or 0) for code, where in wheres]

    @property
    def codes(self) -> str:
        told = sorted({f"{code} ({probe})" for probe, found in self.problems.items() for code, _, _ in found})
        return ", ".join([self.said or "no answer", *told])

    def near(self, spots: Sequence[str], probe: str | None = None) -> bool:
        """Whether a problem stands near one of the places; anywhere when there are none."""
        wanted = [
            (PurePosixPath(file).name, int(line.split("-")[0]))
            for file, _, line in (s.rpartition(":") for s in spots)
            if file
        ]
        found = [one for name, each in self.problems.items() if probe in (None, name) for one in each]
        if not wanted:
            return bool(found) or probe is None
        return any(
            PurePosixPath(path).name == file and abs(line - at) <= REACH
            for _, path, line in found
            for file, at in wanted
        )

    def gained(self, before: Answer, probe: str | None = None) -> bool:
        """Whether a problem is there that was not: of the item, or of one probe."""
        counts = [
            collections.Counter(
                (code, path) for name, each in one.problems.items() if probe in (None, name) for code, path, _ in each
            )
            for one in (self, before)
        ]
        more = bool(counts[0] - counts[1])
        if self.said != "problem":
            return False
        return more or (probe is None and before.said != "problem")


def measure(jobs: int, labels: Path, repositories: Path, only: Sequence[str] = ()) -> int:
    """Recall and false alarms of the static probes on labelled projects and on edits of them."""
    cases = [
        case for case in json.loads((labels / "cases.json").read_text("utf-8")) if not only or case["repo"] in only
    ]
    by_id = {case["case_id"]: case for case in cases}
    mutants = [one for one in json.loads((labels / "mutants.json").read_text("utf-8")) if one["case"] in by_id]
    if missing := sorted({case["repo"] for case in cases if not bare(repositories, case["repo"]).is_dir()}):
        wanted = ", ".join(missing)
        raise SystemExit(f"REPOS lacks {wanted}: clone them there with --bare, as owner+name/repo")
    count = Count()

    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)

        def original(case: dict[str, Any]) -> dict[str, Any] | None:
            lay_out(case, repositories, work / case["case_id"])
            return static(work / case["case_id"], case)

        def edited(mutant: dict[str, Any]) -> dict[str, Any] | None:
            with tempfile.TemporaryDirectory(dir=work) as folder:
                copy = Path(folder, "project")
                shutil.copytree(work / mutant["case"], copy)
                edit(copy / mutant["file"], mutant)
                return static(copy, by_id[mutant["case"]])

        before = dict(zip(by_id, each(original, cases, jobs), strict=True))
        for case in cases:
            judge_case(case, before[case["case_id"]], count)
        for mutant, items in zip(mutants, each(edited, mutants, jobs), strict=True):
            judge_mutant(mutant, by_id[mutant["case"]], before[mutant["case"]], items, count)
    commits = sorted({(case["repo"], case["commit"]) for case in cases})
    notes = [
        f"{len(cases)} projects of {len(commits)} repositories, {len(mutants)} edits of them",
        "Repositories: " + ", ".join(f"{repo} at {commit[:12]}" for repo, commit in commits),
    ]
    return report([], tallies=count.tallies(), wrong=count.wrong, notes=notes)


def bare(repositories: Path, repo: str) -> Path:
    return repositories / repo.replace("/", "+") / "repo"


def lay_out(case: dict[str, Any], repositories: Path, folder: Path) -> None:
    for path in case["paths"]:
        command = ["git", "-C", str(bare(repositories, case["repo"])), "show", f"{case['commit']}:{path}"]
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(subprocess.run(command, check=True, capture_output=True).stdout)


def edit(path: Path, mutant: dict[str, Any]) -> None:
    """By characters, with the line ends as they are."""
    text, at = path.read_bytes().decode("utf-8"), mutant["offset"]
    path.write_bytes((text[:at] + mutant["insert"] + text[at + mutant["delete"] :]).encode("utf-8"))


def static(folder: Path, case: dict[str, Any]) -> dict[str, Any] | None:
    """The items of a case; None when there is no answer, which is wrong whatever was expected."""
    scripts = [word for entry in case["entry"] for word in ("--script", str(folder / entry))]
    return examine(folder, *scripts, "--kind", "static", "--checklist", "accuracy", "--checklist", "comparison")


def named(case: dict[str, Any]) -> str:
    return f"{case['repo']}: {case['root'] or case['entry'][0]}"


def judge_case(case: dict[str, Any], items: dict[str, Any] | None, count: Count) -> None:
    for item, label in case["labels"].items():
        answer, verdict = Answer((items or {}).get(item)), label["verdict"]
        accepted, spots = set(label.get("also_acceptable", [])), label["evidence"]
        kind = ""
        if verdict == "problem":
            kind = "seeds" if item == "cmp.01" else "contestable" if accepted else "strict"
            spots = [] if item == "cmp.01" else spots
            right = answer.said == "problem" and answer.near(spots)
            for probe in answer.problems:
                count.add("natural by probe", probe, answer.said == "problem" and answer.near(spots, probe))
        elif "problem" not in accepted:
            kind, right = "clean", answer.said != "problem" and items is not None
            for probe, found in answer.problems.items():
                count.add("clean by probe", probe, not (found and answer.said == "problem"))
        if kind:
            count.add(kind, "", right)
            count.add(f"{kind} by item", item, right)
            if not right:
                expected = verdict if kind == "clean" else f"problem at {', '.join(label['evidence']) or 'any place'}"
                got = answer.codes if kind == "clean" or answer.said != "problem" else f"{answer.codes}, elsewhere"
                at = label["evidence"][0] if label["evidence"] else ""
                count.wrong.append(Wrong(kind, named(case), item, at, label["reason"], expected, got))
        if verdict in ("ok", "problem"):
            count.add("decided", "", answer.said in ("ok", "problem"))


def judge_mutant(
    mutant: dict[str, Any],
    case: dict[str, Any],
    before: dict[str, Any] | None,
    items: dict[str, Any] | None,
    count: Count,
) -> None:
    item = mutant["item"]
    was, now = Answer((before or {}).get(item)), Answer((items or {}).get(item))
    gained = now.gained(was)
    if mutant["expected"] == "problem":
        kind, right, expected = "seeded", gained, "problem"
    elif mutant["base_verdict"] == "problem":
        kind, right, expected = "repairs", items is not None and now.said != "problem", "no problem"
    else:
        kind, right, expected = "controls", items is not None and not gained, "no new problem"
    for probe in now.problems if kind != "repairs" else ():
        count.add(f"{kind} by probe", probe, now.gained(was, probe) == (kind == "seeded"))
    count.add(kind, "", right)
    count.add(f"{kind} by item", item, right)
    if not right:
        what = ": ".join(filter(None, [mutant["operator"], mutant["note"]]))
        at = f"{mutant['file']}:{mutant['line']}"
        count.wrong.append(Wrong(kind, named(case), item, at, what, expected, now.codes))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="OWNER/NAME")
    parser.add_argument("--jobs", type=int, default=2, help="how many projects at a time")
    options = parser.parse_args()
    folders = [os.environ.get(name, "") for name in ("GROUNDTRUTH", "REPOS")]
    if not all(folders):
        raise SystemExit("GROUNDTRUTH and REPOS do not name their folders")
    return measure(options.jobs, *map(Path, folders), options.names)


if __name__ == "__main__":
    raise SystemExit(main())
