"""A network to look at: its cells as a tree, its weights with their users, and what is remarkable about each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

import msgspec

from ..errors import ReadError

#: Cells and weights of one tree. More than any model has; a dump with more operations has them counted by layer instead.
MAX_CELLS, MAX_WEIGHTS = 200_000, 200_000
#: Names that lie within each other, at most.
DEEPEST = 128
#: Where the state of optimizers stands.
STATE = "(state)"
#: What may be remarkable about a cell or a weight, what matters most first. Keys of telling.WORDS.
MARKS = ("bad", "not-finite-gradient", "never-called", "unused", "no-gradient", "shared", "frozen")


class Tensor(msgspec.Struct, frozen=True):
    """What is known of a tensor. `shape` has -1 where it is not fixed; `bad` is the share of NaN and Inf; None: not known."""

    shape: tuple[int, ...]
    type: str
    low: float | None = None
    high: float | None = None
    mean: float | None = None
    std: float | None = None
    zero: float | None = None
    bad: float | None = None

    @property
    def size(self) -> str:
        return "×".join("?" if size < 0 else str(size) for size in self.shape) or "-"


class Traffic(msgspec.Struct, frozen=True):
    """What a cell was given and gave when it ran first, in training or not; `times`: calls in that pass. `given` is None where it was
    not recorded; `bad`: some call in any pass gave NaN or Inf, first in step `bad_step`."""

    training: bool
    step: int
    times: int
    given: list[Tensor] | None
    gave: list[Tensor]
    bad_step: int | None = None


class Weight(msgspec.Struct):
    """A parameter. `users`: the cells that hold it or the operations that read it, by their numbers. `trained`: requires_grad;
    `state`: it is kept beside the weights and not trained, as a moving mean is; `of_optimizer`: it belongs to an optimizer or to the
    training loop, and counts nowhere. `gradient` is the norm that was seen last; `marks` are of MARKS."""

    name: str
    shape: tuple[int, ...]
    type: str
    cell: int
    users: list[int] = []
    own_name: str = ""
    trained: bool | None = None
    state: bool = False
    of_optimizer: bool = False
    optimizers: list[str] = []
    gradient: float | None = None
    values: Tensor | None = None
    marks: list[str] = []

    @property
    def tensor(self) -> Tensor:
        return self.values or Tensor(self.shape, self.type)

    @property
    def count(self) -> int:
        """The number of elements; 0 where it is not fixed."""
        total = 1
        for size in self.shape:
            total *= max(size, 0)
        return total


class Cell(msgspec.Struct):
    """A cell, a layer of a dumped graph, or one of its operations. `name` is the whole path, `label` its last part; `kind` the class or
    the operation, empty where it is not known. `inputs` are names of what an operation takes; `operations` counts those that are not
    listed. `called`: None where nothing tells. `within` counts the marks of what lies below."""

    number: int
    parent: int
    depth: int
    name: str
    label: str
    kind: str = ""
    place: str = ""
    arguments: dict[str, str] = {}
    children: list[int] = []
    weights: list[int] = []
    traffic: list[Traffic] = []
    gave: Tensor | None = None
    inputs: list[str] = []
    operations: dict[str, int] = {}
    called: bool | None = None
    leaf: bool = False
    marks: list[str] = []
    within: dict[str, int] = {}
    held: int = 0


class FirstBad(msgspec.Struct, frozen=True):
    """The first tensor that was not finite: the cell that gave it, in which step, in training or not."""

    cell: int
    step: int
    training: bool


class Note(NamedTuple):
    """What is to be said of a network: `code` is a key of telling.WORDS."""

    code: str
    data: dict[str, object]


class SearchHit(NamedTuple):
    """A cell or a weight, by its number."""

    weight: bool
    number: int


def _count(counts: dict[str, int], marks: Iterable[str]) -> None:
    for mark in marks:
        counts[mark] = counts.get(mark, 0) + 1


class Network:
    """Cells in the order of the tree, each after its parent; the first one is the root."""

    def __init__(self, title: str, source: str, format: str, cells: list[Cell], weights: list[Weight]) -> None:
        self.title, self.source, self.format = title, source, format
        self.cells, self.weights = cells, weights
        self.first_bad: FirstBad | None = None
        self.notes: list[Note] = []

    @cached_property
    def marked(self) -> Counter[str]:
        """How many cells and weights have each mark; of weights only where no cell says the same of all that it holds."""
        found = Counter(mark for cell in self.cells for mark in cell.marks)
        return found + Counter(mark for weight in self.weights for mark in weight.marks)

    def settle(self) -> None:
        """Count what lies below each cell, once all marks are known."""
        for cell in self.cells:
            cell.held, cell.within = 0, {}
        for weight in self.weights:
            self.cells[weight.cell].held += 0 if weight.of_optimizer else weight.count
        for cell in reversed(self.cells):
            for number in cell.weights:
                _count(cell.within, self.weights[number].marks)
            if cell.parent >= 0:
                above = self.cells[cell.parent]
                above.held += cell.held
                _count(above.within, cell.marks)
                for mark, count in cell.within.items():
                    above.within[mark] = above.within.get(mark, 0) + count

    def above(self, number: int) -> list[int]:
        """The cells that a cell lies in, the root first, and itself."""
        found = []
        while number >= 0:
            found.append(number)
            number = self.cells[number].parent
        return found[::-1]

    def at(self, name: str) -> SearchHit | None:
        """The cell or weight of a name: the whole one, or the end of only one path."""
        return self._whole.get(name) or self._ends.get(name)

    @cached_property
    def _whole(self) -> dict[str, SearchHit]:
        found: dict[str, SearchHit] = {}
        for number, cell in enumerate(self.cells):
            found.setdefault(cell.name, SearchHit(False, number))
        for number, weight in enumerate(self.weights):
            found.setdefault(weight.name, SearchHit(True, number))
            if weight.own_name:
                found.setdefault(weight.own_name, SearchHit(True, number))
        return found

    @cached_property
    def _ends(self) -> dict[str, SearchHit]:
        """The ends of paths from a dot on, those that several have left out."""
        found: dict[str, SearchHit | None] = {}
        for name, hit in self._whole.items():
            rest = name
            while (rest := rest.partition(".")[2]) and not self._is_operation(hit):
                found[rest] = None if rest in found else hit
        return {name: hit for name, hit in found.items() if hit is not None}

    def _is_operation(self, hit: SearchHit) -> bool:
        return not hit.weight and self.cells[hit.number].leaf

    # --- search ---------------------------------------------------------------------------------------------------------

    def find(self, query: str, most: int = 200) -> list[SearchHit]:
        """Cells and weights that the words of a query name, by name or class, the best first."""
        words = query.lower().split()
        if not words:
            return []
        found: list[tuple[int, int, int, SearchHit]] = []
        for hit, name, kind in self._sought:
            ranks = [rank(word, name, kind) for word in words]
            if None not in ranks:
                found.append((max(one or 0 for one in ranks), len(name), len(found), hit))
        return [hit for *_, hit in sorted(found)[:most]]

    @cached_property
    def _sought(self) -> list[tuple[SearchHit, str, str]]:
        """In the order of the tree: each cell and then what it holds."""
        found: list[tuple[SearchHit, str, str]] = []
        for cell in self.cells:
            found.append((SearchHit(False, cell.number), cell.name, cell.kind.rpartition(".")[2].lower()))
            found += [(SearchHit(True, number), self.weights[number].name, "") for number in cell.weights]
        return found


#: Letters of a name that are looked at.
_SEARCHED = 256
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def rank(word: str, name: str, kind: str) -> int | None:
    """How well a word of lower case names something: 0 a part of its path or its class, 1 a piece of these, 2 the beginnings of parts
    of the path in their order ("3bg" is layer3.0.bn1.gamma); None where it does not."""
    low = name.lower()
    if word == kind or word in low.split("."):
        return 0
    if word in low or word in kind:
        return 1
    return 2 if abbreviates(word, name[:_SEARCHED]) else None


def abbreviates(word: str, name: str) -> bool:
    """Whether each letter begins a part of the name, or stands right behind the letter before it."""
    starts = sum(1 << found.start() for found in _WORD.finditer(name))
    low, reached = name.lower(), -1
    for letter in word:
        places, at = 0, low.find(letter)
        while at >= 0:
            places |= 1 << at
            at = low.find(letter, at + 1)
        if reached == -1:
            reached = places & starts
        else:
            lowest = reached & -reached
            reached = places & (reached << 1 | starts & ~(2 * lowest - 1))
        if not reached:
            return False
    return True


# --- making a tree ------------------------------------------------------------------------------------------------------


class Builder:
    """Makes cells by their paths; those between that nothing names are made too. Raises ReadError for too many."""

    def __init__(self, source: str, root: str, kind: str = "") -> None:
        self.source = source
        self.cells = [Cell(0, -1, 0, "", root, kind)]
        self.known: dict[tuple[str, ...], int] = {(): 0}

    def cell(self, path: Iterable[str], kind: str = "", between: str = "") -> Cell:
        """The cell of a path, made where it is not there; `between` is the kind of those above it that are made with it."""
        parts = tuple(path)[:DEEPEST]
        if parts in self.known:
            found = self.cells[self.known[parts]]
            found.kind = found.kind or kind
            return found
        above = self.cell(parts[:-1], between, between)
        found = Cell(len(self.cells), above.number, above.depth + 1, ".".join(parts), parts[-1], kind)
        if len(self.cells) >= MAX_CELLS:
            raise ReadError("graph-too-large", path=self.source, limit=MAX_CELLS)
        self.cells.append(found)
        self.known[parts] = found.number
        above.children.append(found.number)
        return found


def in_order(cells: list[Cell], weights: list[Weight]) -> tuple[list[Cell], list[Weight]]:
    """The cells as the tree has them, numbered anew; those that no way leads to from the root are left out."""
    new: dict[int, int] = {}
    waiting = [0]
    while waiting:
        number = waiting.pop()
        if number not in new:
            new[number] = len(new)
            waiting += reversed(cells[number].children)
    ordered = [cells[number] for number in new]
    for cell in ordered:
        cell.number = new[cell.number]
        cell.parent = new.get(cell.parent, -1)
        cell.children = [new[child] for child in cell.children]
    for weight in weights:
        weight.cell = new[weight.cell]
        weight.users = [new[user] for user in weight.users if user in new]
    return ordered, weights


def mark_frozen(network: Network) -> None:
    """Of cells whose weights are all not trained, the outermost; of weights of which that is said by no cell, themselves."""
    trains = [0] * len(network.cells)
    holds = [0] * len(network.cells)
    for weight in network.weights:
        if not weight.state and weight.trained is not None:
            for number in network.above(weight.cell):
                holds[number] += 1
                trains[number] += weight.trained

    def frozen(number: int) -> bool:
        return number >= 0 and holds[number] > 0 and not trains[number]

    for cell in network.cells:
        if frozen(cell.number) and not frozen(cell.parent):
            cell.marks.append("frozen")
    for weight in network.weights:
        if weight.trained is False and not weight.state and not frozen(weight.cell):
            weight.marks.append("frozen")


def each_marked(network: Network, mark: str) -> Iterator[SearchHit]:
    """What has a mark, in the order of the tree."""
    for cell in network.cells:
        if mark in cell.marks:
            yield SearchHit(False, cell.number)
        yield from (SearchHit(True, number) for number in cell.weights if mark in network.weights[number].marks)
