"""What is done to the numbers of a sample between where they are read and where they are used, step by step.

A value of a trace is followed back to what it was read from, through transforms, numpy formulas, OpenCV, PIL and the
project's own functions alike. On the way back down the range of the numbers is kept: pixels are 0 to 255, a division by 255
makes that 0 to 1, Normalize(mean, std) moves it again. Where the code leaves several ways open, each is kept. What is not
known makes the range unknown, never a guess.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Mapping as Mapping_
from dataclasses import dataclass, replace
from itertools import islice
from math import floor
from types import MappingProxyType
from typing import Any

from ..knowledge import api
from ..knowledge.names import TRANSFORMS
from .effects import effect
from .flow import sources
from .sample_functions import (
    ALIKE,
    ARITHMETIC,
    ARRAYS,
    CLIPS,
    COLOUR,
    COUNTS,
    DRAWS,
    FEATURES,
    FLIPS,
    FUNCTION,
    GENERATES,
    GEOMETRY,
    GREY,
    KEEP,
    LAYOUT,
    MAKES,
    MOVED,
    NORMALISES,
    NUMBERS,
    PATHS,
    RANDOM_NAME,
    READERS,
    SAME,
    SCALER_ASIDE,
    SCALER_DEFAULTS,
    SCALERS,
    SIMULATORS,
    SIZED,
    STATISTIC,
    TABLES,
    TRANSPOSES,
    WHOLE,
    WHOLE_TYPE,
    WIDENS,
)
from .sample_numbers import (
    Scale,
    after,
    computed_from,
    constant,
    drawn_from,
    is_drawn,
    one_number,
    plain,
    shown_value,
    spread,
    text_of,
    varies,
)
from .values import (
    Call,
    Instance,
    Items,
    KnownValue,
    Many,
    Mapping,
    NamedValue,
    Test,
    UnknownValue,
    Value,
    is_known,
    is_none,
    is_slice,
    name_of,
    options,
)

#: So many ways through the code are kept apart, and so deep a value is followed back.
WAYS, DEPTH = 6, 80
#: What is computed from a sample itself is told so many calls deep, and is looked for among so many values that the sample is made of.
OWN, NEAR = 6, 500

#: Whose functions give numbers of 0 to 1 for an array of uint8; what gives Python's numbers, or floats; modes of PIL of wider numbers.
_MAKE_FLOATS, _NO_BYTES, _WIDE_MODES = ("skimage.", "scipy."), ("half", "double", "tolist", "getdata"), ("F", "I")

#: Arguments as they are shown: name or place, and value.
Told = tuple[tuple[str, Any], ...]
#: Where numbers come from, the more telling the higher: when two are combined, the sample is the one that ranks higher.
RANK = {
    "pixels": 6,
    "audio": 5,
    "record": 5,
    "table": 5,
    "text": 4,
    "array": 4,
    "opaque": 3,
    "simulator": 3,
    "generated": 2,
    "network": 2,
    "unknown": 1,
    "path": 0,
    "number": 0,
    "constant": 0,
}


#: What a way is once an image was decoded.
_DECODED: dict[str, Any] = {
    **{"origin": "pixels", "low": 0.0, "high": 255.0, "colour": "RGB"},
    **{"scale": ((1.0, 0.0),), "unclear": False, "unsigned": True},
}


#: Mean and standard deviation by channel.
MeanAndStd = tuple[tuple[float, ...], tuple[float, ...]]


@dataclass(frozen=True, eq=False)
class Step:
    """One operation. `kind`: scale, clip, geometry, layout, colour, type, slice, random, function or opaque (not known).

    `arguments` are constants, or the text of what is none; `random` when chance decides about it; `condition` the condition
    that could not be decided, if it is not always done; `assumed` when a run may be given other arguments. `low` and `high`
    bound the numbers behind it.
    """

    kind: str
    name: str
    arguments: Told
    made: Call
    random: bool = False
    condition: str = ""
    assumed: bool = False
    low: float | None = None
    high: float | None = None
    never: bool = False  # it stands under a condition that never comes true
    tossed: bool = False  # it stands under a condition that chance decides
    pairs: Scale | None = None  # factor and offset by channel, of a step that is linear and known
    own: str = ""  # what is computed from the sample itself as an argument, whatever the sample is called
    choices: tuple[MeanAndStd, ...] = ()  # those that are constants of several statistics, one of which a run has
    wraps: bool = False  # arithmetic of uint8 whose result is below 0 or above 255, and so wraps around

    @property
    def rearranges(self) -> bool:
        """Whether it puts numbers elsewhere, leaves some out or changes their type, and computes none but those between neighbours."""
        return self.kind in ("geometry", "slice", "type", "layout")

    @property
    def effective(self) -> bool:
        """True for chance that is seen to have an effect: what it draws from has more than one value."""
        return self.kind == "random" or any(varies(part) for part in self.draws)

    @property
    def draws(self) -> list[Call]:
        """The draws of the numbers that chance decides about it with, the nearest first."""
        made = self.made if self.made.name or not isinstance(self.made.base, Call) else self.made.base
        told = [test.value for test in self.made.tests] if self.tossed else [*made.args, *made.keywords.values()]
        drawn = (part for value in told for part in sources(value, lambda v: isinstance(v, KnownValue)))
        return [part for part in drawn if isinstance(part, Call) and is_drawn(part)][:20]

    @property
    def key(self) -> tuple[Any, ...]:
        return self.kind, self.name, self.own or self.arguments

    @property
    def text(self) -> str:
        """As it is shown: Resize(256), / 255."""
        told = [shown_value(value) if key.isdigit() else f"{key}={shown_value(value)}" for key, value in self.arguments]
        if self.name == "[]":
            return f"[{', '.join(told) or '…'}]"
        if self.name[:1] == "[":
            return self.name  # [::-1], whose name says it all
        if not self.name and isinstance(self.made.node, ast.expr):
            return self.made.source.segment(self.made.node, 60)
        if not self.name[:1].isalpha() and not self.name.startswith("."):
            return f"{self.name} {', '.join(told) or '…'}"
        return f"{self.name.removeprefix('vision.').removeprefix('transforms.')}({', '.join(told)})"


@dataclass(frozen=True, eq=False)
class SamplePath:
    """One way of a value from where it was read (`origin`, `root`), with its steps.

    `scale` are factor and offset, by channel, that take what was read to what it is now, as far as that is linear and known.
    `normalised`: something brought it to a common scale, even if by how much is not known. `unclear`: a step, a factor or
    where it comes from is not known. `integer`: it was made whole numbers in the end. `unsigned`: it is an array of uint8.
    """

    origin: str
    root: Value | None = None
    steps: tuple[Step, ...] = ()
    low: float | None = None
    high: float | None = None
    scale: Scale | None = ((1.0, 0.0),)
    normalised: bool = False
    unclear: bool = False
    integer: bool = False
    unsigned: bool = False
    colour: str = ""
    layout: str = ""
    size: tuple[int, ...] | None = None

    @property
    def rank(self) -> int:
        return RANK[self.origin]

    @property
    def data(self) -> bool:
        return self.rank > 0

    @property
    def texts(self) -> list[str]:
        """The steps as they are shown."""
        return [step.text for step in self.steps] or ["-"]

    @property
    def fixed(self) -> tuple[Step, ...]:
        """The steps that are not random."""
        return tuple(step for step in self.steps if not step.random)


class Samples:
    """Follows values back. `columns` gives the values that something read from a data set stands for, or None when it is no
    such thing; `call` runs a function of the project on values."""

    def __init__(
        self,
        columns: Callable[[Call], list[Value] | None] = lambda made: None,
        call: Callable[[Value, list[Value]], Value] = lambda function, args: UnknownValue(),
    ) -> None:
        self.columns, self.call = columns, call
        self.known: dict[int, tuple[Value, tuple[SamplePath, ...]]] = {}
        self.active: set[int] = set()
        self.chances: dict[int, tuple[Value, bool]] = {}
        self.budget = 60_000

    # --- following back -----------------------------------------------------------------------------------------------

    def ways(self, value: Value | None) -> tuple[SamplePath, ...]:
        """The ways of a value, the most telling ones; empty for none."""
        if value is None:
            return ()
        held = self.known.get(id(value))
        if held is not None:
            return held[1]
        self.budget -= 1
        if id(value) in self.active or len(self.active) > DEPTH or self.budget < 0:
            return (SamplePath("unknown", value, scale=None, unclear=True),) if self.budget < 0 else ()
        self.active.add(id(value))
        try:
            found = _distinct(self._ways(value))
        except RecursionError:
            found = (SamplePath("unknown", value, scale=None, unclear=True),)
        finally:
            self.active.discard(id(value))
        self.known[id(value)] = value, found
        if isinstance(value, Call) and value.fed:
            found = self.updated(value, found, value.fed)
            self.known[id(value)] = value, found
        return found

    def updated(self, value: Call, before: tuple[SamplePath, ...], parts: Sequence[Value]) -> tuple[SamplePath, ...]:
        """The ways of an array after these were written to it: x[...] = f(x[...]) changes it in place, as does f(x, x) with a place
        for the result, and what is written into a buffer becomes its content."""
        now = before
        for part in parts:
            self.known[id(value)] = value, now
            stored = _of_data(self.ways(part))
            if not stored:
                continue
            changed = _gone_on(now, stored)
            if changed and now[0].origin != "table":
                whole = isinstance(part, Call) and any(arg is value for arg in part.args)
                now = _distinct(changed if whole else [_in_part(way) for way in changed])
            elif now and now[0].origin in ("generated", "unknown"):
                now = _distinct([*now, *(replace(way, size=None) for way in stored)])
        return now

    def _ways(self, value: Value) -> Sequence[SamplePath]:
        if isinstance(value, Many):
            found = self.each(value.options)
            found = _of_data(found) or found
            return [way for way in found if not any(step.never for step in way.steps)] or found
        if isinstance(value, (Items, Mapping)):
            if constant(value) is not None:
                return (SamplePath("constant", value),)
            inner = value.items if isinstance(value, Items) else list(value.items.values())
            found = self.each(inner[:12])
            return _of_data(found) or found[:1]
        if isinstance(value, KnownValue):
            if isinstance(value.value, str):
                return (SamplePath("path", value),)
            return () if value.value is None else (SamplePath("constant", value),)
        if isinstance(value, Call):
            return self.made(value)
        return (SamplePath("unknown", value, unclear=True),)

    def made(self, made: Call) -> Sequence[SamplePath]:
        columns = self.columns(made)
        if columns is not None:
            return self.each(columns)
        if made.name == "column":
            return (_column(made),)
        if constant(made) is not None:
            return (SamplePath("constant", made),)
        if made.name in ("+", "-", "*", "/", "//", "**", "neg", "%", "&", "|", "@"):
            return self.operator(made, made.name, made.args)
        if made.name in ("==", "!=", "<", "<=", ">", ">=", "in", "not in", "not", "slice"):
            return (SamplePath("number", made),)
        if made.name in ("[]", ".item"):
            return self.subscript(made)
        if made.name in (".each", "comprehension", "generator", "*args"):
            return self.ways(made.base) or self.ways(made.result) or self.any(made.args[:1])
        if made.name[:1] == "@":
            return (SamplePath("number", made),) if made.name in COUNTS else self.ways(made.base)
        if made.applied is not None:
            return self.applied(made, made.applied)
        if made.name == "" and made.result is not None:
            return self.ways(made.result)
        return self.called(made)

    def each(self, values: Iterable[Value]) -> list[SamplePath]:
        return [way for value in values for way in self.ways(value)]

    def any(self, values: Sequence[Value]) -> Sequence[SamplePath]:
        found = self.each(values)
        best = max((way.rank for way in found), default=0)
        return [way for way in found if way.rank == best]

    def main(self, made: Call) -> tuple[SamplePath, ...]:
        """The ways of the input of a call that is the sample: of its object, or of the argument that tells most."""
        best: tuple[SamplePath, ...] = ()
        given = [made.base, *made.args, *made.keywords.values()]
        if made.last in WIDENS and (made.base is not None or made.args):
            given = [made.base, *made.args[:1]]
        for value in given:
            if isinstance(value, (Call, Items, Many, UnknownValue, Mapping)):
                ways = self.ways(value)
                if ways and (not best or ways[0].rank > best[0].rank):
                    best = ways
        return best

    # --- operators ----------------------------------------------------------------------------------------------------

    def operator(self, made: Call, symbol: str, args: Sequence[Value]) -> Sequence[SamplePath]:
        if symbol == "neg":
            return [self.scaled(way, made, "neg", (), -1.0, 0.0) for way in self.ways(args[0])] if args else ()
        if len(args) < 2:
            return self.main(made)
        left, right = args[0], args[1]
        numbers = self.numbers(left), self.numbers(right)
        if numbers[1] is not None and numbers[0] is None:
            return [self.by_constant(way, made, symbol, numbers[1], right) for way in self.ways(left)]
        if numbers[0] is not None:
            return [self.from_constant(way, made, symbol, numbers[0]) for way in self.ways(right)]
        ours, theirs = self.ways(left), self.ways(right)
        if not ours or not theirs:
            return ours or theirs
        if theirs[0].rank > ours[0].rank:
            ours, theirs, left, right = theirs, ours, right, left
            turned = True
        else:
            turned = False
        if not ours[0].data:
            return ours
        found = [self.by_value(way, made, symbol, right, theirs, turned) for way in ours]
        roots = [way.root for way in theirs]
        own = "" if turned or not any(way.root is root for way in ours for root in roots) else _own(right, left)
        return [_called(after, way, own) for way, after in zip(ours, found, strict=True)] if own else found

    def numbers(self, value: Value) -> tuple[float, ...] | None:
        """The numbers of a constant, or the one that all of a new array is, as long as nothing is written into it."""
        known = effect(value) if isinstance(value, Call) else None
        if known is None or known.constant is None:
            return constant(value)
        written = any(way.rank > RANK["generated"] for way in self.ways(value))
        return None if written else (float(known.constant),)

    def by_constant(
        self, way: SamplePath, made: Call, symbol: str, by: tuple[float, ...], written: Value | None = None
    ) -> SamplePath:
        if not way.data or _leaves_all(symbol, by):
            return way
        assumed = any(isinstance(option, KnownValue) and option.assumed is not None for option in options(written))
        told: Told = (("0", by[0] if len(by) == 1 else by),)
        if symbol in ("/", "//") and all(by):
            found = self.scaled(way, made, symbol, told, [1 / part for part in by], 0.0, assumed)
            return found if symbol == "/" else _floored(found)
        factors: dict[str, tuple[float | Sequence[float], float | Sequence[float]]] = {
            "*": (by, 0.0),
            "-": (1.0, [-part for part in by]),
            "+": (1.0, by),
        }
        if symbol not in factors:
            return self.step(way, made, "function", symbol, told, unknown=True)
        found = self.scaled(way, made, symbol, told, *factors[symbol], assumed)
        return _in_bytes(found) if way.unsigned and _fits_byte(written) else found

    def from_constant(self, way: SamplePath, made: Call, symbol: str, by: tuple[float, ...]) -> SamplePath:
        if not way.data:
            return way
        told: Told = (("0", by[0] if len(by) == 1 else by),)
        if symbol in ("*", "+"):
            return self.by_constant(way, made, symbol, by)
        if symbol == "-" and by == (1.0,) and way.origin == "pixels" and way.high == 255.0:
            return self.step(way, made, "function", "rsub", told, unknown=True)  # it was 0 to 1: black and white
        if symbol == "-":
            return self.scaled(way, made, "rsub", told, -1.0, by)
        return self.step(way, made, "function", "r" + symbol, told, unknown=True)

    def by_value(
        self, way: SamplePath, made: Call, symbol: str, other: Value, theirs: tuple[SamplePath, ...], turned: bool
    ) -> SamplePath:
        """Combined with something that is not a constant."""
        named = next((option for option in options(other) if isinstance(option, Call) or name_of(option)), None)
        text = "" if named is None else text_of(named)
        told = (("0", text),)
        chance = self.chance(other)
        if symbol in ("/", "//") and not turned:
            if isinstance(other, Call) and any(way.root is part.root for part in theirs):
                return replace(
                    self.step(way, made, "scale", symbol, told, unknown=True), normalised=True, unclear=way.unclear
                )
            found = self.step(way, made, "scale", symbol, told, unknown=True, random=chance)
            return replace(found, normalised=True, unclear=way.unclear or theirs[0].data is False)
        same = any(way.root is part.root for part in theirs)
        if symbol == "-" and not turned and same and way.low is not None and way.high is not None:
            reach = way.high - way.low  # how it changes along itself
            return replace(self.step(way, made, "function", "-", told, low=-reach, high=reach), scale=None)
        if symbol == "-" and not turned:
            mean = re.search(r"(?i)mean|avg|average|centre|center|(^|_)mu\b", text) is not None
            found = self.step(way, made, "scale", "-", told, unknown=True, random=chance)
            return replace(found, normalised=way.normalised or mean, unclear=way.unclear or not mean)
        kind = "function" if symbol in ("+", "*", "@", "**", "%") else "opaque"
        found = self.step(way, made, kind, symbol, told, unknown=True, random=chance)
        if chance and len(found.steps) > len(way.steps):  # noise and the like: the range is much the same
            steps = (*way.steps, replace(found.steps[-1], low=way.low, high=way.high))
            return replace(found, steps=steps, low=way.low, high=way.high, scale=way.scale, unclear=way.unclear)
        return found

    def scaled(
        self,
        way: SamplePath,
        made: Call,
        name: str,
        told: Told,
        factor: float | Sequence[float],
        offset: float | Sequence[float],
        assumed: bool = False,
    ) -> SamplePath:
        """After x * factor + offset."""
        if not way.data:
            return way
        factors = tuple(factor) if isinstance(factor, Sequence) else (factor,)
        offsets = tuple(offset) if isinstance(offset, Sequence) else (offset,)
        pairs = spread(factors, offsets)
        low = high = None
        if way.low is not None and way.high is not None and pairs:
            ends = [f * end + o for f, o in pairs for end in (way.low, way.high)]
            low, high = min(ends), max(ends)
        # An offset and then a division is meant to standardise, whatever the range was.
        centred = bool(way.steps) and way.steps[-1].name in ("-", "+") and way.steps[-1].kind == "scale"
        shrinks = all(abs(f) <= (0.99 if centred else 0.1) for f in factors)
        found = self.step(way, made, "scale", name, told, low=low, high=high, assumed=assumed)
        if len(found.steps) > len(way.steps):
            found = replace(found, steps=(*way.steps, replace(found.steps[-1], pairs=pairs)))
        return replace(
            found,
            scale=after(way.scale, pairs),
            normalised=way.normalised or shrinks,
            low=low,
            high=high,
            unclear=way.unclear,
        )

    # --- items and attributes -----------------------------------------------------------------------------------------

    def under_name(self, base: Call, name: str) -> tuple[SamplePath, ...]:
        """The ways of what is held under a name: what is stored under other names is no part of it."""
        named = [one for one in base.writes if isinstance(one.key, KnownValue) and isinstance(one.key.value, str)]
        own = {id(one.value) for one in named if isinstance(one.key, KnownValue) and one.key.value == name}
        others = {id(one.value) for one in named} - own
        if not others or id(base) in self.active:
            return self.ways(base)
        self.active.add(id(base))
        try:
            parts = [part for part in base.fed or () if id(part) not in others]
            return self.updated(base, _distinct(self._ways(base)), parts)
        finally:
            self.active.discard(id(base))
            self.known.pop(id(base), None)

    def taken_from(self, made: Call) -> tuple[SamplePath, ...]:
        """The ways of what an element is taken from."""
        name = made.args[0] if made.args else None
        if isinstance(made.base, Call) and isinstance(name, KnownValue) and isinstance(name.value, str):
            return self.under_name(made.base, name.value)
        return self.ways(made.base)

    def subscript(self, made: Call) -> Sequence[SamplePath]:
        ways: Sequence[SamplePath] = self.taken_from(made)
        if isinstance(made.base, Call) and made.base.name in COUNTS:
            return (SamplePath("number", made),)
        key = made.args[0] if made.args else None
        if isinstance(made.base, Call) and isinstance(key, KnownValue) and _beside(made.base, key.value):
            known = made.base.name in READERS  # the rate of a sound
            return (SamplePath("number" if known else "unknown", made, unclear=not known),)
        keys = key.items if isinstance(key, Items) else [key]
        slices = [part for part in keys if is_slice(part)]
        if len(keys) > 1 and constant(keys[-1]) == (2.0, 1.0, 0.0):
            return [self.recoloured(way, made, "[2, 1, 0]", ()) for way in ways if way.data]
        if not slices:
            return ways
        if _reverses_last(keys):
            return [self.reversed_last(way, made, len(keys)) for way in ways]
        if all(_bounds(part) in ((None, None, None), (None, None, 1)) for part in slices):
            return ways
        if any(not way.data or way.origin == "text" for way in ways) and not any(way.steps for way in ways):
            return ways  # a part of a path, a list or a text
        chance = self.chance(key)
        told = (("0", ", ".join(_slice_text(part) for part in slices)),)
        return [self.step(way, made, "slice", "[]", told, random=chance) for way in ways]

    def reversed_last(self, way: SamplePath, made: Call, axes: int) -> SamplePath:
        """x[..., ::-1]: the colours the other way round, or a picture that is flipped."""
        if way.layout == "CHW" or (axes == 4 and way.origin != "pixels"):
            return self.step(way, made, "geometry", "[::-1]", (), keeps=True)
        return self.recoloured(way, made, "[::-1]", ())

    def recoloured(self, way: SamplePath, made: Call, name: str, told: Told, colour: str = "turned") -> SamplePath:
        """Of another order of colours: `colour`, "turned" for the other way round, or "" for as it was."""
        if not way.data:
            return way
        turned = {"RGB": "BGR", "BGR": "RGB"}.get(way.colour, way.colour)
        found = self.step(way, made, "colour", name, told)
        if len(found.steps) == len(way.steps) or found.steps[-1].random:
            return found
        now = turned if colour == "turned" else colour or way.colour
        swapped = colour == "turned" or {way.colour, now} == {"RGB", "BGR"}
        scale = way.scale[::-1] if way.scale is not None and swapped else way.scale
        return replace(found, colour=now, scale=scale)

    # --- calls --------------------------------------------------------------------------------------------------------

    def applied(self, made: Call, what: Call) -> Sequence[SamplePath]:
        """The result of calling the result of a call: a transform, or an operator, on a sample."""
        name = what.api
        space, _, last = name.rpartition(".")
        if last == "Compose" and what.args:
            return self.ways(self.composed(what.args[0], list(made.args), made))
        ways = self.any(made.args) or self.any(list(made.keywords.values()))
        if name.startswith(TRANSFORMS) or what.name.startswith(ALIKE):
            return [self.transformed(way, made, what, space, last) for way in ways]
        if last in ARITHMETIC and name.startswith("ops."):
            return self.operator(made, ARITHMETIC[last], made.args)
        if name.startswith("ops.") and MAKES.match(last):
            low, high = _drawn_between(last)
            return (SamplePath("generated", made, low=low, high=high),)
        if name.startswith(("nn.", "mint.nn.")) and last not in ("Pad", "ResizeBilinear", "Norm"):
            return (SamplePath("network", made, unclear=True),)
        if _is_function(what, last):
            # A function made what is applied, or passed it on: its name does not tell what that does to a sample.
            return [self.step(way, made, "opaque", _own_name(what, last), (), unknown=True) for way in ways]
        return self.function(made, last, name, ways)

    def composed(self, operations: Value, args: list[Value], at: Call) -> Value:
        """The result of operations, one after the other, on samples."""
        found = args
        for operation in operations.items if isinstance(operations, Items) else [operations]:
            result = self.apply(operation, found, at)
            found = result.items if isinstance(result, Items) and len(result.items) == len(args) > 1 else [result]
        if isinstance(operations, Items) and _from_loop(operations, at):
            found = [_made("", found, at, None, at.tests)]  # and others that were not followed
        return found[0] if len(found) == 1 else Items(found)

    def apply(self, operation: Value, args: list[Value], at: Call) -> Value:
        """The result of one operation: a transform, a function of the project, a list of them."""
        if (steps := _steps_of(operation)) is not None:
            return self.composed(steps, args, at)
        if isinstance(operation, Many):
            given = [option for option in operation.options if not is_known(option, None)]
            return (
                Many(tuple(self.apply(option, args, at) for option in given))
                if given
                else (args or [UnknownValue()])[0]
            )
        if isinstance(operation, Call):
            tests = tuple(dict.fromkeys((*operation.tests, *at.tests)))
            return _made("", args, operation, operation, tests)
        if isinstance(operation, NamedValue):
            return _made(operation.name, args, at, None, at.tests)
        if isinstance(operation, KnownValue):
            return args[0] if len(args) == 1 else Items(args)
        return self.call(operation, args)

    def transformed(self, way: SamplePath, made: Call, what: Call, space: str, last: str) -> SamplePath:
        """After one of MindSpore's transforms, or one of the same name and sense elsewhere."""
        known = api.transform(what.api) or api.transform("vision." + last)
        told = arguments(what, known.positional if known else (), known.defaults if known else {})
        values = {**(known.defaults if known else {}), **dict(told)}
        assumed = _rests(what)
        shown = what.api if what.api.startswith(TRANSFORMS) else what.name
        category = known.category if known else ""
        drawn = known is not None and (known.random or values.get(known.random_if or "") is True)
        if drawn or RANDOM_NAME.match(last):
            never = last in FLIPS and values.get("prob") == 0
            found = self.step(way, made, "random", shown, told, random=not never, assumed=assumed, keeps=True)
            found = replace(found, **_DECODED) if "Decode" in last else found
            return replace(found, size=_size(values)) if category in SIZED else found
        if category == "decode":
            return replace(way, **_DECODED) if way.origin != "pixels" else way
        if category == "rescale":
            return self.rescaled(way, made, shown, told, values, assumed)
        if category == "totensor":
            return replace(self.scaled(way, made, shown, (), 1 / 255, 0.0), layout="CHW")
        if category == "normalize":
            found = self.normalised(way, made, shown, told, values, assumed, what.name.startswith("albumentations."))
            return _with_choices(found, what)
        if category == "layout":
            return replace(self.step(way, made, "layout", shown, (), keeps=True), layout="CHW")
        if last in ("ConvertColor", "ConvertMode", "Grayscale", "RgbToHsv", "HsvToRgb"):
            return self.recoloured(way, made, shown, told, _colour_of(str(values.get("convert_mode", last))))
        if last == "ImageBatchFormat" or category in ("duplicate", "unique"):
            return way
        if category in KEEP:
            return self.rearranged(way, made, what, shown, told, values, category)
        found = self.step(way, made, "opaque", shown, told, unknown=True, assumed=assumed)
        return replace(found, origin="text" if space == "text" else way.origin)

    def rearranged(
        self, way: SamplePath, made: Call, what: Call, shown: str, told: Told, values: dict[str, Any], category: str
    ) -> SamplePath:
        """After what keeps the numbers but for their places, or their type."""
        chance = any(self.chance(value) for value in (*what.args, *what.keywords.values()))
        found = self.step(way, made, KEEP[category], shown, told, random=chance, assumed=_rests(what), keeps=True)
        if category == "cast":
            types = [str(value) for value in values.values()]
            found = replace(found, integer=any(map(WHOLE_TYPE.match, types)), unsigned="uint8" in types)
        return replace(found, size=_size(values)) if category in SIZED else found

    def rescaled(
        self, way: SamplePath, made: Call, shown: str, told: Told, values: dict[str, Any], assumed: bool
    ) -> SamplePath:
        """After a multiplication and a shift by constants, or by what is not seen."""
        factor, shift = values.get("rescale"), values.get("shift", 0.0)
        if isinstance(factor, (int, float)) and isinstance(shift, (int, float)):
            return self.scaled(way, made, shown, told, float(factor), float(shift), assumed)
        found = self.step(way, made, "scale", shown, told, unknown=True)
        return replace(found, normalised=True, unclear=way.unclear)

    def normalised(
        self,
        way: SamplePath,
        made: Call,
        shown: str,
        told: Told,
        values: dict[str, Any],
        assumed: bool,
        by_largest: bool,
    ) -> SamplePath:
        mean, std = _numbers(values.get("mean")), _numbers(values.get("std"))
        if mean is None or std is None or not all(std) or by_largest:
            found = self.step(way, made, "scale", shown, told, unknown=True, assumed=assumed)
            return replace(found, normalised=True, unclear=way.unclear)
        pairs = spread(tuple(1 / part for part in std), tuple(-m / s for m, s in spread(mean, std)))
        found = self.scaled(
            way, made, shown, told, [factor for factor, _ in pairs], [offset for _, offset in pairs], assumed
        )
        return replace(found, normalised=True)

    def called(self, made: Call) -> Sequence[SamplePath]:
        """The result of a function or method that is not followed."""
        name, last = made.name, made.last
        if last in (
            "get_loss_scale",
            "get_dataset_size",
            "get_batch_size",
            "get_rank",
            "get_group_size",
            "len",
            "time",
        ):
            return (SamplePath("number", made),)
        if name in READERS:
            origin, colour = READERS[name]
            if origin == "pixels":
                unsigned = "as_gray" not in made.keywords
                colour = _flagged(made, colour)
                return (SamplePath(origin, made, low=0.0, high=255.0, colour=colour, unsigned=unsigned),)
            return (SamplePath(origin, made),)
        if TABLES.match(name):
            return (SamplePath("table", made), *(way for way in self.fed(made) if way.normalised))
        if ARRAYS.search(name):
            bytes_ = any(str(plain(value)) == "uint8" for value in (*made.args[1:2], *made.keywords.values()))
            return (
                SamplePath("array", made, low=0.0, high=255.0, unsigned=True) if bytes_ else SamplePath("array", made),
            )
        if GENERATES.match(name) or (made.base is not None and last in DRAWS and self.chance(made)):
            low, high = drawn_from(made)
            return (SamplePath("generated", made, low=low, high=high),)
        if SIMULATORS.match(name):
            return (SamplePath("simulator", made),)
        if PATHS.match(name) or name.startswith((".format", ".join", ".replace", ".split", ".strip", ".endswith")):
            inner = self.main(made)
            return inner if inner and inner[0].data and not PATHS.match(name) else (SamplePath("path", made),)
        ways = self.main(made)
        if not ways or not ways[0].data:
            if made.base is None and not ways:
                return (SamplePath("unknown", made, unclear=True),)
            if last in SAME or last in LAYOUT:
                return ways
            return (SamplePath("opaque", made, unclear=True),)
        return self.function(made, last, made.api, ways)

    def fed(self, made: Call) -> list[SamplePath]:
        """What was stored into a buffer that starts out as zeros or the like."""
        return _of_data(self.each(made.fed or ()))

    def function(self, made: Call, last: str, name: str, ways: Sequence[SamplePath]) -> Sequence[SamplePath]:
        """After a function or method known by its name."""
        if name.startswith(".") and last in ("append", "extend"):
            return ways
        if last in ("transform", "fit_transform") and (fitted := self.by_scaler(made, ways)):
            return fitted
        if last in ARITHMETIC and len(made.args) > 1 and not name.startswith("."):
            return self.operator(made, ARITHMETIC[last], made.args)
        if last in COUNTS or last in NUMBERS:
            return (SamplePath("number", made),)
        skipped = self.skipped(made, ways[0].rank if ways else 0)
        told = arguments(made, (), skip=skipped)
        chance = any(self.chance(v) for v in (*made.args, *made.keywords.values()) if id(v) not in skipped)
        return [self.by_name(way, made, last, name, told, chance) for way in ways]

    def by_scaler(self, made: Call, ways: Sequence[SamplePath]) -> Sequence[SamplePath]:
        """What a scaler that was fitted gives; nothing where no scaler is seen."""
        scaler = made.base
        while isinstance(scaler, Call) and scaler.name == ".fit":  # gives the scaler itself
            scaler = scaler.base
        if not (isinstance(scaler, Call) and scaler.last in SCALERS):
            return ()
        given = self.each(made.args[:1]) or list(ways)
        told = arguments(scaler, SCALERS[scaler.last], SCALER_DEFAULTS)
        told = tuple((key, value) for key, value in told if key not in SCALER_ASIDE)
        return [self.standardised(way, made, scaler.last, told) for way in given]

    def standardised(self, way: SamplePath, made: Call, name: str, told: Told) -> SamplePath:
        """Brought to a scale that is not known as numbers."""
        found = self.step(way, made, "scale", name, told, unknown=True)
        return replace(found, normalised=True, unclear=way.unclear)

    def by_name(self, way: SamplePath, made: Call, last: str, name: str, told: Told, chance: bool) -> SamplePath:
        """After a function that the knowledge names, or one that it does not. `chance`: it is given random numbers."""
        if last in CLIPS:
            return self.clipped(way, made, last)
        if last in SAME:
            return self.retyped(way, made, last, told)
        if last in STATISTIC:
            return replace(way, steps=(), scale=None, unsigned=False)
        if last in TRANSPOSES:
            return self.transposed(way, made, last, told)
        if last in LAYOUT:
            return way
        if last in COLOUR:
            return self.coloured(way, made, last, name, told)
        if last in GEOMETRY:
            found = self.step(way, made, "geometry", name, told, random=chance, assumed=_rests(made), keeps=True)
            return replace(found, size=_pair(told))
        if last in FEATURES and way.origin == "audio":
            found = self.step(way, made, "features", name, told, low=-100.0, high=100.0)
            return replace(found, low=-100.0, high=100.0, scale=None, unclear=way.unclear)
        if last in NORMALISES:
            return self.standardised(way, made, name, told)
        if last in FUNCTION:
            return self.step(way, made, "function", name, told, unknown=True, random=chance)
        return self.step(way, made, "opaque", name or last, told, unknown=True, random=chance)

    def retyped(self, way: SamplePath, made: Call, last: str, told: Told) -> SamplePath:
        """After a call that changes the type at most."""
        whole = bool(WHOLE.match(last)) or any(WHOLE_TYPE.match(str(value)) for _, value in told)
        floats = "float" in last or any("float" in str(value) for _, value in told)
        if not whole and not floats:
            return replace(way, unsigned=False) if told or last in _NO_BYTES else way
        found = self.step(way, made, "type", last, told, keeps=True)
        return replace(found, integer=whole, unsigned=any(str(value).endswith("uint8") for _, value in told))

    def coloured(self, way: SamplePath, made: Call, last: str, name: str, told: Told) -> SamplePath:
        """After a call that orders the colours anew; split and merge do where their parts come back in another order."""
        if last in ("split", "merge"):
            return self.recoloured(way, made, name, ()) if _turns(made) else way
        return self.recoloured(way, made, name, told, _colour_of(" ".join(str(value) for _, value in told)))

    def skipped(self, made: Call, rank: int) -> frozenset[int]:
        """The arguments that are the sample itself, of this rank, or made of it: they are not settings."""
        found = set()
        for value in (*made.args, *made.keywords.values()):
            if isinstance(value, (Call, Items, Many)) and constant(value) is None:
                best = max((way.rank for way in self.ways(value)), default=0)
                drawn = best == RANK["generated"] < rank and self.chance(value)  # an angle, a size
                if best and not drawn:
                    found.add(id(value))
        return frozenset(found)

    def clipped(self, way: SamplePath, made: Call, last: str) -> SamplePath:
        low, high = way.low, way.high
        below, above = _clip_bounds(made, last)
        told = tuple((key, value) for key, value in (("low", below), ("high", above)) if value is not None)
        if not told:
            return self.step(way, made, "function", last, (), unknown=True)
        if below is not None:
            low = below if low is None else max(low, below)
        if above is not None:
            high = above if high is None else min(high, above)
        found = self.step(way, made, "clip", "clip", told, low=low, high=high)
        return replace(found, low=low, high=high, scale=way.scale, unclear=way.unclear)

    def transposed(self, way: SamplePath, made: Call, last: str, told: Told) -> SamplePath:
        order = [int(n) for _, value in told for n in (_numbers(value) or ())]
        if not order:
            return way
        axes = order[1:] if len(order) == 4 and order[0] == 0 else order
        axes = [axis - 1 for axis in axes] if len(order) == 4 and order[0] == 0 else axes
        layout = "CHW" if axes == [2, 0, 1] else "HWC" if axes == [1, 2, 0] else ""
        layout = MOVED.get((last, *order), layout)
        return replace(self.step(way, made, "layout", last, told, keeps=True), layout=layout) if layout else way

    # --- steps --------------------------------------------------------------------------------------------------------

    def step(
        self,
        way: SamplePath,
        made: Call,
        kind: str,
        name: str,
        told: Told,
        *,
        random: bool = False,
        unknown: bool = False,
        keeps: bool = False,
        assumed: bool = False,
        low: float | None = None,
        high: float | None = None,
    ) -> SamplePath:
        """The way with one more step; `unknown` when the numbers behind it are not known any more."""
        tests = [test for test in made.tests if test.taken is not None]
        tossed = any(self.chance(test.value) for test in tests)
        condition = next((test.text for test in reversed(tests) if not self.chance(test.value)), "")
        unsigned = False
        if keeps or (kind in ("slice", "colour", "type") and not unknown):
            low, high = way.low, way.high
            unsigned = way.unsigned and kind != "type" and not _leaves_bytes(name, told)
        never = any(_never(test.value, test.taken) for test in tests)
        step = Step(kind, name, told, made, random or tossed, condition, assumed, low, high, never, tossed)
        if len(way.steps) > 60:
            return replace(way, unclear=True)
        found = replace(way, steps=(*way.steps, step), low=low, high=high, unsigned=unsigned)
        return replace(found, scale=None, unclear=True) if unknown else found

    def chance(self, value: Value | None, depth: int = 0) -> bool:
        """True when a value is a drawn number, or computed from one. What was picked at random from the data is a sample like
        any other."""
        if not isinstance(value, (Call, Many, Items)) or depth > 40:
            return False
        held = self.chances.get(id(value))
        if held is not None:
            return held[1]
        self.chances[id(value)] = value, False
        if isinstance(value, Call):
            found = self.drawn(value) or any(self.chance(part, depth + 1) for part in computed_from(value))
            found = found or (value.name.startswith("numpy.") and self.reckoned(value, depth + 1))
        else:
            inner = value.options if isinstance(value, Many) else value.items[:20]
            found = any(self.chance(part, depth + 1) for part in inner)
        self.chances[id(value)] = value, found
        return found

    def reckoned(self, made: Call, depth: int) -> bool:
        """True for what a function of arrays makes of drawn numbers and constants alone."""
        given = [*made.args, *made.keywords.values()]
        drawn = [self.chance(value, depth) for value in given]
        plain = (isinstance(value, (KnownValue, NamedValue)) or constant(value) is not None for value in given)
        return any(drawn) and all(one or other for one, other in zip(drawn, plain, strict=True))

    @staticmethod
    def drawn(made: Call) -> bool:
        if not is_drawn(made):
            return False
        if made.last in ("choice", "choices", "sample") and made.args:
            given = made.args[0]
            return not (isinstance(given, Items) and len(given.items) == 1 and not given.open)
        return True


# --- arguments -------------------------------------------------------------------------------------------------------


def arguments(
    made: Call,
    parameters: Sequence[str],
    defaults: Mapping_[str, Any] = MappingProxyType({}),
    skip: frozenset[int] = frozenset(),
) -> Told:
    """The arguments of a call that are not the default: by the names of its parameters where these are known, else by place."""
    given = [(parameters[n] if n < len(parameters) else str(n), value) for n, value in enumerate(made.args[:8])]
    found = [(key, plain(value)) for key, value in (*given, *made.keywords.items()) if id(value) not in skip]
    return tuple((key, value) for key, value in found if key not in defaults or _data(defaults[key]) != _data(value))


def _with_choices(way: SamplePath, made: Call) -> SamplePath:
    """The way with what its last step, which normalises, may have for statistics: means and deviations that one condition chooses."""
    means, stds = (options(made.argument(["mean", "std"], name)) for name in ("mean", "std"))
    if not way.steps or len(means) != len(stds) or len(means) < 2:
        return way
    pairs = [(constant(mean), constant(std)) for mean, std in zip(means, stds, strict=True)]
    choices = tuple((mean, std) for mean, std in pairs if mean is not None and std is not None)
    return replace(way, steps=(*way.steps[:-1], replace(way.steps[-1], choices=choices)))


def _from_loop(operations: Items, at: Call) -> bool:
    """True for a list of operations that a loop which was not followed turn by turn filled."""
    made = (operation for operation in operations.items if isinstance(operation, (Call, Instance)))
    return operations.open and any(set(operation.loops) - set(at.loops) for operation in made)


def _data(value: Any) -> Any:
    """Lists and tuples alike, numbers as numbers, members by their last name."""
    if isinstance(value, (list, tuple)):
        return tuple(_data(part) for part in value)
    return value.rpartition(".")[2] if isinstance(value, str) else value


def _rests(made: Call) -> bool:
    """True when an argument is one that a run may be given otherwise."""
    for value in (*made.args, *made.keywords.values()):
        for option in options(value):
            inner = option.items if isinstance(option, Items) else [option]
            if any(isinstance(part, KnownValue) and part.assumed not in (None, "config") for part in inner):
                return True
    return False


def _numbers(value: Any) -> tuple[float, ...] | None:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return (float(value),)
    if isinstance(value, tuple) and value and all(isinstance(part, (int, float)) for part in value):
        return tuple(float(part) for part in value)
    return None


def _drawn_between(last: str) -> tuple[float | None, float | None]:
    """The bounds of what an operator draws."""
    if "Normal" in last:
        return -4.0, 4.0
    return (0.0, 1.0) if last == "UniformReal" else (None, None)


def _is_function(what: Call, last: str) -> bool:
    """Whether a call is that of a function rather than of a class or of the framework."""
    return bool(what.name) and not last[:1].isupper() and not what.api.startswith(("ops.", "nn.", "mint."))


def _own_name(what: Call, last: str) -> str:
    """The name of a function but for one of Python itself, such as list, which gives back what it was given."""
    return last if what.base is not None or not hasattr(builtins, what.name) else ""


def _clip_bounds(made: Call, last: str) -> tuple[float | None, float | None]:
    """The numbers that values are clipped to: from below, from above."""
    if last in ("minimum", "Minimum", "maximum", "Maximum"):
        single = [number for number in map(constant, (*made.args, *made.keywords.values())) if number is not None]
        bound = single[0][0] if single and len(single[0]) == 1 else None
        return (None, bound) if last in ("minimum", "Minimum") else (bound, None)
    given = made.args if made.name.startswith(".") else made.args[1:]
    low, high = (
        given[n] if n < len(given) else next((v for k, v in made.keywords.items() if word in k), None)
        for n, word in enumerate(("min", "max"))
    )
    known = all(one_number(value) is not None or is_none(value) for value in (low, high))
    return (one_number(low), one_number(high)) if known else (None, None)


def _of_data(ways: Iterable[SamplePath]) -> list[SamplePath]:
    return [way for way in ways if way.data]


def _gone_on(before: tuple[SamplePath, ...], after: list[SamplePath]) -> list[SamplePath]:
    """The ways that have more steps than one from the same root had before."""
    lengths = {id(way.root): len(way.steps) for way in before}
    return [way for way in after if len(way.steps) > lengths.get(id(way.root), 1 << 20)]


def _steps_of(operation: Value) -> Value | None:
    """The operations that one consists of, in their order: a list, Compose, or lists put together."""
    if isinstance(operation, Items):
        return operation
    if not isinstance(operation, Call):
        return None
    if operation.api.rpartition(".")[2] == "Compose" and operation.args:
        return operation.args[0]
    return Items(list(operation.args)) if operation.name == "+" else None


def _bounds(part: Call) -> tuple[Any, ...]:
    return tuple(arg.value if isinstance(arg, KnownValue) else ... for arg in part.args)


def _reverses_last(keys: Sequence[Value | None]) -> bool:
    """Whether only the last of three axes or more is reversed."""
    leading_ellipsis = len(keys) == 2 and is_known(keys[0], ...)
    last = keys[-1]
    reverses = is_slice(last) and _bounds(last) == (None, None, -1)
    return reverses and (len(keys) >= 3 or leading_ellipsis)


def _slice_text(part: Call) -> str:
    start, stop, step = (["" if plain(arg) is None else str(plain(arg)) for arg in part.args] + ["", "", ""])[:3]
    return f"{start}:{stop}" + (f":{step}" if step else "")


def _leaves_all(symbol: str, by: tuple[float, ...]) -> bool:
    """True for an operation that leaves every number as it is: + 0, * 1."""
    neutral = {"+": 0.0, "-": 0.0, "*": 1.0, "/": 1.0}.get(symbol)
    return neutral is not None and all(part == neutral for part in by)


def _fits_byte(value: Value | None) -> bool:
    """Whether a number is written as a whole one of 0 to 255: with an array of uint8, such a one leaves the type as it is."""
    found = options(value)
    return bool(found) and all(
        isinstance(one, KnownValue) and type(one.value) is int and 0 <= one.value <= 255 for one in found
    )


def _leaves_bytes(name: str, told: Told) -> bool:
    """Whether a step that moves numbers, or the colours, gives others than uint8 for an array of that."""
    return name.startswith(_MAKE_FLOATS) or any(value in _WIDE_MODES for _, value in told)


def _in_bytes(way: SamplePath) -> SamplePath:
    """After arithmetic of uint8: beyond 0 and 255 it wraps around."""
    wraps = way.low is not None and way.high is not None and (way.low < 0 or way.high > 255)
    if not wraps:
        return replace(way, unsigned=True)
    steps = (*way.steps[:-1], replace(way.steps[-1], wraps=True)) if way.steps else ()
    return replace(way, steps=steps, unsigned=True, low=0.0, high=255.0, scale=None)


def _floored(way: SamplePath) -> SamplePath:
    """After an integer division: its last step is not linear."""
    low, high = (None if end is None else float(floor(end)) for end in (way.low, way.high))
    steps = (*way.steps[:-1], replace(way.steps[-1], low=low, high=high, pairs=None)) if way.steps else ()
    return replace(way, steps=steps, low=low, high=high, scale=None)


def _turns(made: Call) -> bool:
    """True for cv2.merge([r, g, b]) of b, g, r = cv2.split(image): the channels the other way round."""
    channels = next((arg.items for arg in made.args if isinstance(arg, Items)), [])
    places = [plain(part.args[0]) for part in channels if isinstance(part, Call) and part.name == "[]" and part.args]
    return made.last == "merge" and places == [2, 1, 0]


def _size(values: dict[str, Any]) -> tuple[int, ...] | None:
    numbers = _numbers(values.get("size"))
    return tuple(int(part) for part in numbers) if numbers else None


def _pair(told: Told) -> tuple[int, ...] | None:
    for key, value in told:
        numbers = _numbers(value)
        if key in ("0", "1", "dsize", "size") and isinstance(value, tuple) and numbers and len(numbers) == 2:
            return tuple(int(part) for part in numbers)
    return None


def _colour_of(text: str) -> str:
    """What a conversion makes of the colours; to another colour space and back leaves their order as it is."""
    if re.search(r"RGB2BGR|BGR2RGB|RGBA2BGR|BGRA2RGB", text):
        return "turned"
    if GREY.search(text) and "GRAY2" not in text.upper():
        return "GRAY"
    found = re.search(r"\b(RGB|BGR)\b", text) or re.search(r"GRAY2(RGB|BGR)", text)
    return found[1] if found else ""


def _flagged(made: Call, colour: str) -> str:
    """cv2.imread(path, 0) reads grey."""
    flag = made.args[1] if len(made.args) > 1 else made.keywords.get("flags")
    if isinstance(flag, KnownValue) and flag.value == 0:
        return "GRAY"
    return "GRAY" if isinstance(flag, NamedValue) and "GRAY" in flag.name else colour


def _column(made: Call) -> SamplePath:
    """A column as the data set class gives it; args are its name and its kind."""
    kind = str(plain(made.args[1])) if len(made.args) > 1 else "record"
    if kind == "pixels":
        return SamplePath("pixels", made, low=0.0, high=255.0, colour="RGB", unsigned=True)
    return SamplePath(kind if kind in RANK else "record", made)


def _beside(call: Call, place: Any) -> bool:
    """True for what a function gives back beside its result: image, scale = imresize(image)."""
    if type(place) is not int or call.base is not None or "." not in call.name:
        return False
    if call.name.endswith("wavfile.read"):
        return place == 0
    return place > 0 and not call.name.startswith(("numpy.", "mindspore.", "sklearn.")) and call.last != "split"


def _never(value: Value, taken: bool | None) -> bool:
    """True for a condition that cannot come out so: random.random() < 0."""
    if isinstance(value, Call) and value.name == "not" and taken is not None:
        return _never(value.args[0], not taken)
    if not (isinstance(value, Call) and value.name in ("<", "<=", ">", ">=") and len(value.args) == 2):
        return False
    left, right = value.args
    sign = value.name[0]
    if isinstance(right, Call):
        left, right, sign = right, left, {"<": ">", ">": "<"}[sign]
    if not (
        isinstance(left, Call)
        and re.match(r"^(numpy\.random\.(rand|random|uniform)|random\.(random|uniform))$", left.name)
    ):
        return False
    if left.args or not (isinstance(right, KnownValue) and isinstance(right.value, (int, float))):
        return False
    if right.value <= 0:
        return taken is (sign == "<")
    return right.value >= 1 and taken is (sign == ">")


def _made(name: str, args: list[Value], at: Call, base: Value | None, tests: tuple[Test, ...]) -> Call:
    return Call(name, args, {}, at.node, at.source, base, frame=at.frame, tests=tests, loops=at.loops, order=at.order)


def _distinct(ways: Sequence[SamplePath]) -> tuple[SamplePath, ...]:
    """Ways that differ in more than what chance decides; of those that do not, the one with the most steps."""
    kept: dict[Any, SamplePath] = {}
    for way in ways:
        key = way.origin, id(way.root) if not way.data else "", tuple(step.key for step in way.fixed)
        held = kept.get(key)
        if held is None:
            kept[key] = way
        elif held is not way:
            longer, other = (way, held) if len(way.steps) > len(held.steps) else (held, way)
            kept[key] = _merged(longer, other)
    found = sorted(kept.values(), key=lambda way: -way.rank)
    if found and found[0].rank > RANK["generated"]:
        found = [way for way in found if way.origin != "generated"]  # padding, or a buffer to fill
    return tuple(found[:WAYS])


def _called(after: SamplePath, before: SamplePath, own: str) -> SamplePath:
    """A way whose last step has an argument that is computed from the sample itself."""
    if len(after.steps) == len(before.steps):
        return after
    return replace(after, steps=(*after.steps[:-1], replace(after.steps[-1], own=own)))


def _own(value: Value, sample: Value) -> str:
    """How a value is computed from a sample, which goes without a name in it; "" where it is not."""
    known = {id(part) for part in islice(sources(sample), NEAR) if isinstance(part, Call)}

    def told(part: Value, depth: int) -> str:
        if id(part) in known:
            return "·"
        if not isinstance(part, Call) or depth > OWN:
            return str(plain(part))
        given = [inner for inner in (part.base, *part.args) if inner is not None]
        texts = [told(inner, depth + 1) for inner in given]
        texts += [f"{key}={told(inner, depth + 1)}" for key, inner in part.keywords.items()]
        return f"{part.name}({', '.join(texts)})"

    text = told(value, 0)
    return text if "·" in text and len(text) < 500 else ""


def _in_part(way: SamplePath) -> SamplePath:
    """A way whose last steps were done to a part only, a channel or a frame: what the whole is like is known no more."""
    if way.steps[-1].kind != "scale":
        return way
    return replace(way, scale=None, low=None, high=None, normalised=True)


def _merged(way: SamplePath, other: SamplePath) -> SamplePath:
    """A way for one that has not all of its random steps: unless chance itself decides about them, they may be left out."""
    there = {id(step.made.node) for step in other.steps}
    steps = tuple(
        replace(step, condition=step.condition or "?")
        if step.random and not step.tossed and id(step.made.node) not in there
        else step
        for step in way.steps
    )
    return way if steps == way.steps else replace(way, steps=steps)
