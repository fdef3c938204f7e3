"""Writes docs/benchmarks.md and docs/quality.md from what the benchmarks and experiments found (results/).

    python benchmarks/pages.py           both; each says what is stale today
    python benchmarks/pages.py --check   write nothing; name the page that does not say what is stored, and exit with 1

Whoever measures anything has both written: a result may stand in both.
"""

from __future__ import annotations

import argparse
import collections
from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml
from _measuring import ROOT, Result, Tally, Wrong, stored
from _running import HERE, title, titles
from _tables import Places, listed, table, text, told

from accucheck import checklist as checklists

#: Benchmarks that measure how often a probe is wrong, with the probe.
STATISTICS = {
    "epoch_curve_alarms": "epoch_curve",
    "lr_range_alarms": "lr_range",
    "loss_comparison_alarms": "loss_comparison",
    "shuffle_alarms": "shuffle_order",
}
#: Experiments that give rows alone.
ROWS = {
    "twins": "Faults located by the path of the checklist comparison",
    "metric_faults": "Planted faults of metrics, and healthy evaluations",
}
#: What is counted of labelled projects, in words.
KINDS = {
    "strict": "Faults of the author's, beyond dispute, that were found",
    "contestable": "Faults of the author's, where another answer would do as well, that were found",
    "seeds": "Missing random seeds (cmp.01) that were found",
    "clean": "Items in order that were not called a problem",
    "decided": "Items that can be decided and were",
    "seeded": "Faults planted by an edit that were found",
    "controls": "Edits that change nothing and raised no alarm",
    "repairs": "Mended faults that were no longer called a problem",
}
BENCHMARKS = """\
# Benchmarks

`make bench` runs every script of [benchmarks/](../benchmarks) and writes this page from what they found
(`benchmarks/results/`). A figure is the median of its rounds, in which both sides run by turns. The ratio is ours over the peer's: of
times and memory, below 1 is better than the peer. *Stale* is what was measured with other sources than those of today.
What is right and what is wrong of the findings: [quality](quality.md).
"""
QUALITY = """\
# Quality of the findings

What is found of faults that are known, and how often something that is in order is called a problem. `make quality` measures it and
writes this page from what it found (`benchmarks/results/`). *Stale* is what was measured with other sources than those of today.
How fast everything is: [benchmarks](benchmarks.md).
"""
PLANTED = """\
[examples/faults.py](../examples/faults.py) plants faults into a small project, which is then really trained. A fault counts as found when a
probe of its item says what it is, as a problem or as a suspect. The same projects without the faults are examined with every probe of both
checklists, `accuracy` and `sanity`; anything above info is a false alarm. The next steps are those that `accucheck status` tells.
"""
LABELLED = """\
The static probes on public projects, of which a reader said item by item what is wrong and what is in order. A fault counts as found
when its item is called a problem, within 15 lines of the place that the reader named; a suspect does not count. Then one line or a few of
the projects are edited: most of the edits plant a fault, some change nothing that matters, some mend one.
"""
SEEDED = """\
One fault at a time, planted by a program into public projects: rules are worked on with one half of the repositories, the other is only
measured with. A fault counts as found when its item turns to problem, or gains one within 25 lines of the edit; half found is one that
is told as a suspect there. Controls are edits that change nothing. Some faults cannot be told from the scripts, as the edit changes
nothing that runs ([the list](../benchmarks/untellable.yaml), and code that no entry script reaches); *found of the tellable* is without
them. One by one, only faults that were missed in the half worked on were read for that.
"""
JUDGED = """\
Problems that the static probes find in public projects which nobody had looked at, drawn at random and judged by reading the code, before
anything was mended ([the draws](../benchmarks/judged.yaml)). A matter of taste is a finding that is true and may be intended.
"""
BY_PROBE = """\
Items in order and controls: how often the probe was no reason for a false alarm. An item's fault need not be one that each of its
probes can see: static and live probes of one item see different sides of it.
"""


def benchmarks_page(results: Mapping[str, Result], titles: Mapping[str, str], root: Path = ROOT) -> list[str]:
    """The lines of docs/benchmarks.md. `titles`: every benchmark there is, with what it measures."""
    held = {name: results[name] for name in titles if name in results}
    stale = {name for name, result in held.items() if result.stale(root)}
    missed = [f"{name} ({one.name})" for name, result in held.items() for one in result.rows if one.met is False]
    targets = sum(one.met is not None for result in held.values() for one in result.rows)
    places = Places(held.values())
    lines = [BENCHMARKS, *places.lines()]
    lines += [f"- Targets: {targets - len(missed)} of {targets} met.", *listed("Missed", missed)]
    lines += listed("Failed", [f"{name} ({result.failed})" for name, result in held.items() if result.failed])
    lines += listed("Stale", sorted(stale))
    lines += listed("Not measured yet", [name for name in titles if name not in held])
    for name, what in titles.items():
        if name in held:
            lines += ["", f"## {name}", "", what, "", *told(held[name], places, root)]
    return lines


def quality_page(results: dict[str, Result], reasons: dict[tuple[str, str, str], str], root: Path = ROOT) -> list[str]:
    """The lines of docs/quality.md. `reasons`: by project, item and place, why a case comes out wrong."""
    experiments = {name: results[name] for name in ("planted", "labelled") if name in results}
    with_rows = {**ROWS, **{name: f"{probe}, on drawn data" for name, probe in STATISTICS.items()}}
    places = Places([*experiments.values(), *(results[name] for name in (*with_rows, "seeded") if name in results)])
    lines = [QUALITY, *places.lines()]
    for name, heading, words in (("planted", "Planted faults", PLANTED), ("labelled", "Labelled projects", LABELLED)):
        lines += ["", f"## {heading}", "", words]
        result = experiments.get(name)
        lines += [*told(result, places, root), *(summary(result) if result and result.tallies else [])]
    lines += ["", "## Seeded faults", "", SEEDED, *told(results.get("seeded"), places, root)]
    lines += seeded(results["seeded"]) if "seeded" in results else []
    lines += ["", "## Findings judged by reading", "", JUDGED, *judged()]
    counts = {(one.kind, one.name): one for result in experiments.values() for one in result.tallies}
    if counts:
        lines += ["", "## By item", "", *by_item(counts), "", "## By probe", "", BY_PROBE, *by_probe(counts)]
    for name, heading in with_rows.items():
        lines += [
            "",
            f"## {heading}",
            "",
            title(HERE / f"{name}.py"),
            "",
            *told(results.get(name), places, root),
        ]
    wrong = [one for result in experiments.values() for one in result.wrong]
    if counts:
        lines += ["", "## Still wrong", "", *still_wrong(wrong, reasons)]
    return [*lines, "", "## Without an experiment", "", *untried(counts)]


def summary(result: Result) -> list[str]:
    totals = collections.defaultdict(lambda: [0, 0])
    for one in result.tallies:
        if " by " not in one.kind and (result.name == "planted" or not one.name):
            totals[one.kind][0] += one.right
            totals[one.kind][1] += one.count
    words = {
        **KINDS,
        "planted": "Planted faults that were found",
        "healthy": "Items of healthy projects without a finding",
    }
    rows = [
        (words[kind], f"{right} of {count}", f"{right / count:.1%}") for kind, (right, count) in in_order(totals, words)
    ]
    return table(("", "Cases", "Share"), rows, (1, 2))


def seeded(result: Result) -> list[str]:
    """A row an item: how many faults were found, and half found, in the half that is worked on and in the other."""
    counts: dict[str, dict[str, Tally]] = collections.defaultdict(dict)
    for one in result.tallies:
        counts[one.name][one.kind] = one
    kinds = [
        f"{kind} {part}"
        for part in ("worked", "held")
        for kind in ("found", "tellable", "half", "controls", "elsewhere")
    ]

    def cells(some: list[dict[str, Tally]], share: bool = False) -> list[str]:
        sums = [[one[kind] for one in some if kind in one] for kind in kinds]
        pairs = [(sum(one.right for one in each), sum(one.count for one in each)) for each in sums]
        return [f"{right}/{count}{f' ({right / count:.1%})' * share}" if count else "" for right, count in pairs]

    rows = [(item, *cells([counts[item]])) for item in sorted(counts)]
    rows.append(("all", *cells([*counts.values()], share=True)))
    words = ("found", "found of the tellable", "half found", "controls in order", "nothing told elsewhere")
    heads = ("Item", *(f"{word}, {part}" for part in ("worked on", "only measured") for word in words))
    return table(heads, rows, tuple(range(1, len(heads))))


def judged(path: Path = HERE / "judged.yaml") -> list[str]:
    """A row a draw: how many findings and answers were right, wrong, and a matter of taste."""
    kinds = ("problems", "certain", "ok")
    rows = [
        (
            str(draw["day"]),
            str(draw["repositories"]),
            str(draw["projects"]),
            *(_judgement(draw[kind]) if kind in draw else "not drawn" for kind in kinds),
        )
        for draw in yaml.safe_load(path.read_text("utf-8"))
    ]
    heads = ("Day", "Repositories", "Projects", "Problems", "Those marked certain", "Answers *in order*")
    return table(heads, rows, (1, 2))


def _judgement(counts: Mapping[str, int]) -> str:
    right, total = counts["right"], sum(counts.values())
    others = [f"{count} {word}" for word, count in counts.items() if word != "right" and count]
    return f"{right} of {total} right ({right / total:.1%})" + "".join(f", {one}" for one in others)


def in_order(totals: dict[str, list[int]], words: dict[str, str]) -> list[tuple[str, list[int]]]:
    return [(kind, totals[kind]) for kind in words if kind in totals]


def shares(counts: dict[tuple[str, str], Tally], name: str, columns: Sequence[Sequence[str]]) -> list[str]:
    """`right/count` of one item or probe in each column, which are kinds added up; nothing where nothing was tried."""
    cells = []
    for kinds in columns:
        found = [counts[kind, name] for kind in kinds if (kind, name) in counts]
        total = sum(one.count for one in found)
        cells.append(f"{sum(one.right for one in found)}/{total}" if total else "")
    return cells


def by_item(counts: dict[tuple[str, str], Tally]) -> list[str]:
    columns = {
        "Planted": ["planted"],
        "Healthy": ["healthy"],
        "Author's faults": ["strict by item", "contestable by item", "seeds by item"],
        "In order": ["clean by item"],
        "Seeded": ["seeded by item"],
        "Controls": ["controls by item"],
    }
    rows = [(item, title, *shares(counts, item, [*columns.values()])) for item, title, _ in shipped()]
    return table(("Item", "", *columns), [row for row in rows if any(row[2:])], range(2, 8))


def by_probe(counts: dict[tuple[str, str], Tally]) -> list[str]:
    columns = {
        "Planted": ["planted by probe"],
        "Healthy": ["healthy by probe"],
        "Author's faults": ["natural by probe"],
        "In order": ["clean by probe"],
        "Seeded": ["seeded by probe"],
        "Controls": ["controls by probe"],
    }
    probes = sorted({name for kind, name in counts if kind.endswith("by probe")})
    rows = [(f"[{probe}](probes/{probe}.md)", *shares(counts, probe, [*columns.values()])) for probe in probes]
    return table(("Probe", *columns), rows, range(1, 7))


def still_wrong(wrong: Sequence[Wrong], reasons: dict[tuple[str, str, str], str]) -> list[str]:
    if not wrong:
        return ["None of the cases.", ""]
    rows = [
        (
            one.project,
            one.item,
            one.place,
            one.what,
            one.expected,
            one.got,
            reasons.get((one.project, one.item, one.place), "not known"),
        )
        for one in wrong
    ]
    return table(("Project", "Item", "Where", "What is there", "Expected", "Observation", "Why"), rows)


def shipped() -> list[tuple[str, str, list[str]]]:
    """Items of the shipped checklists: id, English title, probes."""
    found = {}
    for name in ("accuracy", "sanity", "comparison"):
        for item in checklists.load(name).items:
            found[item.id] = (item.id, item.title.en, [use.name for use in item.uses])
    return [*found.values()]


def untried(counts: dict[tuple[str, str], Tally]) -> list[str]:
    """Items of which no fault was tried, and probes that were not asked for one."""
    faults = {"planted", "strict by item", "contestable by item", "seeds by item", "seeded by item"}
    items = [item for item, _, _ in shipped() if not any((kind, item) in counts for kind in faults)]
    asked = {name for kind, name in counts if kind in ("planted by probe", "natural by probe", "seeded by probe")}
    asked |= set(STATISTICS.values())
    probes = sorted({probe for _, _, uses in shipped() for probe in uses} - asked)
    return [
        "What stands here is tested (each probe has faulty and clean examples), but was tried on no fault of these experiments.",
        "",
        f"- Items: {', '.join(items) or 'none'}.",
        f"- Probes: {', '.join(probes) or 'none'}.",
    ]


def known_reasons(path: Path = ROOT / "benchmarks" / "wrong.yaml") -> dict[tuple[str, str, str], str]:
    """Why a case comes out wrong, as somebody found out: by project, item and place."""
    return {(one["project"], one["item"], one["place"]): one["why"] for one in yaml.safe_load(path.read_text("utf-8"))}


def made() -> dict[Path, str]:
    """The pages, as they are to be today."""
    results = stored()
    return {
        ROOT / "docs" / "benchmarks.md": text(benchmarks_page(results, titles())),
        ROOT / "docs" / "quality.md": text(quality_page(results, known_reasons())),
    }


def save() -> None:
    for path, content in made().items():
        path.write_text(content, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    if not parser.parse_args().check:
        save()
        return 0
    other = [path for path, content in made().items() if path.read_text(encoding="utf-8") != content]
    for path in other:
        print(f"stale: {path.relative_to(ROOT)}; run python benchmarks/pages.py")
    return int(bool(other))


if __name__ == "__main__":
    raise SystemExit(main())
