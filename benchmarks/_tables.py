"""What the pages of figures have in common: tables, numbers, where and when something was measured."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from _measuring import ROOT, Machine, Result, Row


def table(head: Sequence[str], rows: Iterable[Sequence[str]], right: Iterable[int] = ()) -> list[str]:
    """A table in Markdown; the columns `right` hold numbers."""
    aligned = set(right)
    lines = [line(head), line(["---:" if at in aligned else "---" for at in range(len(head))])]
    return [*lines, *(line(each) for each in rows), ""]


def line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def number(value: float) -> str:
    """Three figures that count, never in powers of ten."""
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:#.3g}" if abs(value) >= 1e-4 else f"{value:.6f}"


def amount(value: float, unit: str) -> str:
    if unit == "s" and abs(value) < 1:
        value, unit = value * 1000, "ms"
    return f"{value:.2%}".replace("%", " %") if unit == "%" else f"{number(value)} {unit}".strip()


def target(row: Row) -> str:
    """`at most 5.00 s`; of a ratio, `at most 1.05 times the peer`."""
    told = [
        *(f"{word} {amount(bound, row.unit)}" for word, bound in (("at most", row.most), ("at least", row.least)) if bound is not None),
        *(
            f"{word} {number(bound)} times the peer"
            for word, bound in (("at most", row.ratio_most), ("at least", row.ratio_least))
            if bound is not None
        ),
    ]  # fmt: skip
    return ", ".join(told)


def state(row: Row, stale: bool) -> str:
    said = {None: "", True: "met", False: "**missed**"}[row.met]
    return ", ".join(filter(None, [said, "stale" if stale else ""]))


def figures(rows: Iterable[Row], stale: bool) -> list[str]:
    """The table of a benchmark's rows."""
    cells = [
        (
            row.name,
            amount(row.ours, row.unit),
            f"{amount(row.theirs, row.unit)} ({row.peer})" if row.theirs is not None else row.peer,
            number(row.ratio) if row.ratio is not None else "",
            target(row),
            state(row, stale),
            str(row.rounds),
            row.note,
        )
        for row in rows
    ]
    head = ("Measured", "accucheck", "Peer", "Ratio", "Target", "State", "Rounds", "Note")
    # A column that says nothing here is left out.
    kept = [at for at in range(len(head)) if at < 2 or any(row[at] for row in cells)]
    return table([head[at] for at in kept], [[row[at] for at in kept] for row in cells], [kept.index(1)])


class Places:
    """The machines with their versions, a letter each, in order of appearance."""

    def __init__(self, results: Iterable[Result]) -> None:
        self.letters: dict[Machine, str] = {}
        self.versions: dict[Machine, dict[str, set[str]]] = {}
        for result in results:
            if result.machine is None:
                continue
            self.letters.setdefault(result.machine, chr(ord("A") + len(self.letters)))
            found = self.versions.setdefault(result.machine, {})
            for name, version in result.versions.items():
                found.setdefault(name, set()).add(version)

    def lines(self) -> list[str]:
        return table(
            ("Machine", "Processor", "Cores", "Memory", "System", "Versions"),
            [
                (
                    letter,
                    machine.processor,
                    str(machine.cores),
                    f"{machine.memory:g} GiB",
                    machine.system,
                    ", ".join(f"{name} {' and '.join(sorted(seen))}" for name, seen in self.versions[machine].items()),
                )
                for machine, letter in self.letters.items()
            ],
        )

    def of(self, result: Result) -> str:
        """When and where, and how busy the machine was."""
        if result.machine is None:
            return ""
        given = f"; `{' '.join(result.arguments)}`" if result.arguments else ""
        return (
            f"{result.date}, machine {self.letters[result.machine]}, {duration(result.seconds)}, "
            f"load average at the end {result.load:g}{given}"
        )


def duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def text(lines: Iterable[str]) -> str:
    """What a page of these lines holds."""
    return "\n".join(lines).rstrip("\n") + "\n"


def told(result: Result | None, places: Places, root: Path = ROOT) -> list[str]:
    """Of one result: when and where, what was wrong with the run, its notes and its rows."""
    if result is None:
        return ["Not measured yet.", ""]
    lines = [f"**The newest run failed**, {result.failed}.", ""] if result.failed else []
    if result.machine is None:
        return lines
    stale = result.stale(root)
    lines += [". ".join([places.of(result), *result.notes]) + "." + (" **Stale.**" if stale else ""), ""]
    return [*lines, *(figures(result.rows, stale) if result.rows else [])]


def listed(what: str, names: Sequence[str]) -> list[str]:
    return [f"- **{what}**: {'; '.join(names)}."] if names else []
