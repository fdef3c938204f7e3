"""What is known of sequences and of what goes along with them: filled up, masked, compared, counted.

A value is compared by identity: two names hold the same sequence where they hold the same object.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from .decisions import NO_WAYS, Ways, apart
from .source import Source, SourceNode

END, START = "end", "start"


@dataclass(eq=False, slots=True)
class HeldValue:
    """What a name may hold; compared by identity."""


@dataclass(eq=False, slots=True)
class Table(HeldValue):
    """A dict from words to numbers. `words` are its keys in order from number `start`; `whole` when these are all."""

    name: str
    words: list[str]
    start: int
    whole: bool
    numbers: dict[int, str] = field(default_factory=dict)

    def word(self, number: int) -> str | None:
        """The word of a number, None when there is none or it is not to be seen."""
        if number in self.numbers:
            return self.numbers[number]
        place = number - self.start
        return self.words[place] if 0 <= place < len(self.words) else None

    def lacks(self, number: int) -> bool:
        return self.whole and self.word(number) is None


@dataclass(eq=False, slots=True)
class PlainSequence(HeldValue):
    """A sequence, or anything else of which no more is known. `tables`: where its numbers come from."""

    name: str
    tables: tuple[Table, ...] = ()
    words: list[str] | None = None  # its first elements, where it is a list of texts or names
    whole: bool = False
    upto: HeldValue | None = None  # range(len(of))


@dataclass(eq=False, slots=True)
class Number(HeldValue):
    value: Any


@dataclass(eq=False, slots=True)
class Length(HeldValue):
    of: HeldValue
    given: list[LengthUse] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class MissingLength(HeldValue):
    """How much is missing to a size."""

    size: str
    of: HeldValue | None


@dataclass(eq=False, slots=True)
class FillValue(HeldValue):
    """One value many times: `count` is a Length, a Room, or unknown; `size` its text."""

    value: ast.expr
    count: HeldValue | None
    size: str
    node: ast.AST
    dims: tuple[str, ...] = ()
    mask: Mask | None = None  # where it is called one
    changed: bool = False

    def size_of(self, place: int) -> str:
        """The text of the size along one of its dimensions."""
        return self.dims[place] if place < len(self.dims) else self.size


@dataclass(eq=False, slots=True)
class Group(HeldValue):
    items: list[HeldValue | None]
    keys: list[str] | None = None


@dataclass(eq=False, slots=True)
class ListOf(HeldValue):
    """A list of which any element is like `element`."""

    element: HeldValue | None


@dataclass(eq=False, slots=True)
class Padded(SourceNode, HeldValue):
    """A sequence brought to `size`. `value` is the constant it is filled with, None where `text` is not one. `when` and `gone`
    as `together` takes them. `turned`: its order is changed somewhere."""

    of: HeldValue | None
    value: Any
    text: str
    side: str
    size: str
    node: ast.AST
    source: Source
    function: str
    names: list[str] = field(default_factory=list)
    area: bool = False  # an image or the like: cut out in two directions
    tables: tuple[Table, ...] = ()
    run: int = 0
    when: Ways = NO_WAYS
    gone: list[Ways] = field(default_factory=list)
    turned: bool = False


@dataclass(eq=False, slots=True)
class Mask(SourceNode, HeldValue):
    """Which places are real: the first ones (or the last) as many as `by` has, or all of them; 1 is real. `changed`: single
    places are written, or something is taken off, afterwards. `handed`: by a function that made it where it is not used."""

    by: HeldValue | None
    side: str
    every: bool
    size: str
    node: ast.AST
    source: Source
    function: str
    names: list[str] = field(default_factory=list)
    run: int = 0
    when: Ways = NO_WAYS
    gone: list[Ways] = field(default_factory=list)
    turned: bool = False
    changed: bool = False
    handed: bool = False


@dataclass(eq=False, slots=True)
class Compared(SourceNode, HeldValue):
    """Which elements of `of` are (not) equal to a value, or `above` it."""

    of: HeldValue | None
    value: Any
    text: str
    equal: bool
    node: ast.AST
    source: Source
    function: str
    names: list[str] = field(default_factory=list)
    run: int = 0
    when: Ways = NO_WAYS
    gone: list[Ways] = field(default_factory=list)
    above: bool = False


@dataclass(eq=False, slots=True)
class LengthUse(SourceNode, HeldValue):
    """A length that is used for more than counting. `kept`: as the number of what is real, in a sample or an output, by a
    network or a mask; any other may only be the size of something."""

    name: str
    of: HeldValue
    node: ast.AST
    source: Source
    function: str
    run: int = 0
    when: Ways = NO_WAYS
    gone: list[Ways] = field(default_factory=list)
    kept: bool = False


@dataclass(frozen=True)
class Observation:
    """One thing to say. `likely`: it rests on what names say, or on code that is put together across files."""

    code: str
    source: Source
    node: ast.AST
    data: dict[str, Any] = field(default_factory=dict)
    likely: bool = False


def together(one: Padded | Mask | Compared | LengthUse, other: Padded | Mask | Compared | LengthUse) -> bool:
    """True where one run can bring both about: they stand in no two ways of one decision, and neither was replaced on the
    way on which the other was made."""
    if apart(one.when, other.when):
        return False
    for first, second in ((one, other), (other, one)):
        if any(later - first.when and later - first.when <= second.when for later in first.gone):
            return False
    return True


@dataclass
class PaddingFacts:
    """Everything found in one or more modules. `run` numbers the runs of functions: what belongs together has one number."""

    pads: list[Padded] = field(default_factory=list)
    masks: list[Mask] = field(default_factory=list)
    compared: list[Compared] = field(default_factory=list)
    lengths: list[LengthUse] = field(default_factory=list)
    gave_up: list[Source] = field(default_factory=list)
