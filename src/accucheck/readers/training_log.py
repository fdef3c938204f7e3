"""Training logs as text: which lines hold a step or an epoch with numbers, whatever their wording, read in blocks.

A number has the name that stands before it: "loss is 0.5", "loss: [0.5/0.6]", "'acc': 0.9". A line without its numbers is its shape;
what a shape means is settled once, and shapes that come often are then looked for in whole blocks at once.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from ..errors import ReadError, from_os_error
from ..knowledge import metric_names
from ..scan import in_order
from .runs import UNKNOWN, Array, Rows

if TYPE_CHECKING:
    import polars as pl

#: Bytes of the first block, from which shapes are learned, and of all others.
_FIRST, _BLOCK = 1 << 16, 4 << 20
#: A longer line is no line of a training log.
_LONGEST = 4000
#: A shape that came so often is looked for in whole blocks; at most so many of them.
_OFTEN, _TOGETHER = 100, 8
#: Shapes remembered, and kinds of lines kept; no log that people write has as many.
_SHAPES, _KINDS = 20_000, 1000

_NUMBER = r"[-+]?(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|(?i:nan|inf(?:inity)?)(?!\w))"
#: From the first of several blanks: to begin at each of them would take the square of their number.
_TOKEN = re.compile(rf"(?<![ \t])[ \t]*(?<![A-Za-z0-9_.@]){_NUMBER}")
#: The same for whole blocks, told apart from other words of these letters by casting it: a class alone is matched twice as fast.
_FAST = r"[ \t]*([-+.0-9aefintyAEFINTY]+)"
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
#: The name before a number.
_NAME = re.compile(r"([^\W\d][\w@.%+-]*(?:[ /][^\W][\w@.%+-]*)*)\W{0,12}$")
_SWITCH = re.compile(r"([^\W\d][\w@.%+-]*(?:[ /][^\W][\w@.%+-]*)*)['\"]?[ \t]*[:=][ \t]*(True|False)\b")
_PLACE = re.compile(r"(?:.*[ _])?(?:(epoch)|(step|iter|iteration|batch))(?:[ _]?(?:num|no|idx|id|index))?")
_NO_PLACE = re.compile(r"time|per|size|total|best|max|save|num_|every|each|interval|last")
_PASSED_OVER = re.compile(
    r"(?:^|[ _/])(?:time|eta|ms|sec|seconds?|speed|throughput|fps|elapsed|cost|or|and|to|of|in|at)(?:$|[ _/])|_time|imgsize|\.py$"
)
_UNIT = re.compile(r"[ \t]*(?:ms|s|sec|secs|seconds|min|mins|h|it/s|s/it|samples/s|img/s)(?![A-Za-z])")
#: What a line says of the time of its steps: "per step time: 12.3 ms" of TimeMonitor, "step time: 0.1 s"; and of waiting for data.
_STEP_TIME = re.compile(
    r"(?:per[ _]step[ _]time|step[ _]time|time[ _]per[ _]step|step[ _]cost)\W{1,4}([0-9]*\.?[0-9]+)[ \t]*(ms|s)\b",
    re.IGNORECASE,
)
_DATA_TIME = re.compile(r"data[ _]time\W{1,4}([0-9]*\.?[0-9]+)[ \t]*(ms|s)\b", re.IGNORECASE)
#: Names that make a curve even where the line says no step and no epoch.
_METRIC = re.compile(metric_names.AS_A_WORD)
_EVALUATED = r"(?:eval|evaluation|val|valid|validation|test|testing)"
#: A line about an evaluation says so in a word of its own; a name of such a number begins with it.
_EVALUATION = re.compile(rf"(?<![\w/\\.-]){_EVALUATED}(?![\w/\\.-])", re.IGNORECASE)
_OF_EVALUATION = re.compile(rf"{_EVALUATED}[_ /.]")
#: What wraps a number: np.float32(0.5), Tensor(shape=[], dtype=Float32, value= 0.5).
_WRAPPED = re.compile(r"(?:(?:np\.|numpy\.)?float[0-9]+\(|Tensor\(shape=\[[0-9, ]*\], dtype=\w+, value=)[ \t\[]*$")
#: What a line must have to be looked at: a place or a metric before a number.
_WORTH = (
    rf"(?i)(?:epoch|step|iter|batch|top|map|{metric_names.WORDS})[\w@.%+-]*"
    r"(?: (?:is|was|num|no|idx|id|index|value|score|mean|error))?\W{0,12}(?:[0-9]|nan|inf|np|numpy|float|tensor\()"
)
_worth = re.compile(_WORTH)


@dataclass
class _Kind:
    """Lines that say the same things: by block the columns line, epoch and step, as far as there are, then the values."""

    names: tuple[str, ...]
    has_epoch: bool
    has_step: bool
    per_epoch: int = 0
    blocks: list[list[Array]] = field(default_factory=list)
    pending: list[list[float]] = field(default_factory=list)

    def add(self, lines: Array, numbers: list[Array]) -> None:
        """Takes a block: of each line its number, and the places and values."""
        places = self.has_epoch + self.has_step
        self.blocks.append([lines, *map(_integers, numbers[:places]), *numbers[places:]])

    def settle(self) -> None:
        if self.pending:
            table = np.array(self.pending, np.float64)
            self.add(table[:, 0].astype(np.int64), list(table[:, 1:].T))
            self.pending = []

    def rows(self) -> Rows:
        columns = []
        while self.blocks[0]:  # one after the other, so that the blocks of no more than one are there twice
            columns.append(np.concatenate([block.pop(0) for block in self.blocks]))
        if (columns[0][1:] < columns[0][:-1]).any():
            order = np.argsort(columns[0], kind="stable")
            columns = [column[order] for column in columns]
        lines, *columns = columns
        epochs = columns.pop(0) if self.has_epoch else None
        steps = columns.pop(0) if self.has_step else None
        return Rows(lines, steps, epochs, dict(zip(self.names, columns, strict=True)), self.per_epoch)


def _integers(numbers: Array) -> Array:
    """Steps or epochs as integers; what can be none is not known."""
    whole = (numbers >= 0) & (numbers < 1 << 53)  # neither NaN nor Inf
    return np.where(whole, numbers, UNKNOWN).astype(np.int64)


@dataclass
class _Layout:
    """What the numbers of a shape mean: `taken` are their indices, in the order of _Kind; `fixed` are True and False as 1 and 0."""

    kind: _Kind
    taken: list[int]
    fixed: list[float]
    total: int | None
    shape: str
    count: int = 0

    def pattern(self) -> str:
        """The regex of a whole line, which captures the numbers taken."""
        texts = self.shape.split("\0")
        made = [re.escape(texts[0])]
        for index, text in enumerate(texts[1:]):
            made.append(_FAST if index in self.taken else _FAST.replace("(", "(?:"))
            made.append(re.escape(text))
        return "^" + "".join(made) + r"\s*$"


class _Log:
    """The kinds of lines found so far."""

    def __init__(self) -> None:
        self.kinds: dict[tuple[object, ...], _Kind] = {}
        self.shapes: dict[str, _Layout | None] = {}
        self.frequent: list[_Layout] = []
        self.refused = 0

    def line(self, number: int, text: str) -> None:
        """Takes one line."""
        text = text.rstrip()
        if len(text) > _LONGEST or not _worth.search(text):
            return
        shape = _TOKEN.sub("\0", text)
        if shape not in self.shapes:
            if len(self.shapes) >= _SHAPES:
                self.shapes = {}
            self.shapes[shape] = self.layout(shape)
        layout = self.shapes[shape]
        if layout is None:
            return
        layout.count += 1
        numbers = _TOKEN.findall(text)
        if layout.total is not None and not layout.kind.per_epoch:
            layout.kind.per_epoch = min(int(_integers(np.array([float(numbers[layout.total])]))[0]), 1 << 40)
        layout.kind.pending.append([number, *(float(numbers[index]) for index in layout.taken), *layout.fixed])

    def layout(self, shape: str) -> _Layout | None:
        """What a shape says; None where that is nothing."""
        texts = shape.split("\0")
        epoch = step = total = None
        found: dict[str, int] = {}
        for index in range(len(texts) - 1):
            before, after = texts[index], texts[index + 1]
            name = _name_at_end(before)
            is_part = after.lstrip(" \t").startswith("/")
            if not name:
                # "Epoch [1/90] [20/100]": what follows an epoch without a name of its own is the step
                if epoch is not None and step is None and is_part and not before.strip(" \t,;|[](){}"):
                    step = index
                    total = index + 1
                continue
            place = None if _NO_PLACE.search(name) else _PLACE.fullmatch(name)
            if place and not (_UNIT.match(after)):
                if place[1] and epoch is None:
                    epoch = index
                elif place[2] and step is None:
                    step = index
                    total = index + 1 if is_part and index + 2 < len(texts) else None
            elif name and not place and not _PASSED_OVER.search(name) and not _UNIT.match(after):
                found.setdefault(name.replace(" ", "_"), index)
        switches: dict[str, float] = {}
        for match in _SWITCH.finditer(shape[: _LONGEST // 4]) if "True" in shape or "False" in shape else ():
            switches.setdefault(match[1].lower().replace(" ", "_"), float(match[2] == "True"))
        if epoch is None and step is None:
            found = {name: index for name, index in found.items() if _METRIC.search(name) and "scale" not in name}
            switches = {}
            if not found:
                return None
        switches = {name: value for name, value in switches.items() if name not in found}
        begin = "\0".join(texts[: min(found.values(), default=0) + 1])
        names = tuple(_named(name, _EVALUATION.search(begin) is not None) for name in (*found, *switches))
        key = (names, epoch is None, step is None)
        if key not in self.kinds:
            if len(self.kinds) >= _KINDS:
                self.refused += 1
                return None
            self.kinds[key] = _Kind(names, epoch is not None, step is not None)
        places = [index for index in (epoch, step) if index is not None]
        return _Layout(self.kinds[key], [*places, *found.values()], list(switches.values()), total, shape)

    def add(self, block: _Block, first: int) -> None:
        """Takes a block, of which the first line has the number `first`."""
        for layout, lines, numbers in block.found:
            fixed = [np.full(len(lines), value) for value in layout.fixed]
            layout.kind.add(lines + first, numbers + fixed)
        for number, line in block.rest.iter_rows():
            self.line(first + number, line)
        for kind in self.kinds.values():
            kind.settle()
        often = [found for found in self.shapes.values() if found is not None and found.count >= _OFTEN]
        self.frequent = sorted(often, key=lambda found: -found.count)[:_TOGETHER]


@dataclass
class _Block:
    """How many lines a block has, the numbers of the lines of known shapes, and of the others those worth a look."""

    count: int
    found: list[tuple[_Layout, Array, list[Array]]]
    rest: pl.DataFrame


def named_numbers(line: str) -> list[tuple[str, str]]:
    """The numbers of a line that have a name, each with it in small letters, as they are written."""
    line = _ANSI.sub("", line)[:_LONGEST]
    texts = _TOKEN.sub("\0", line.replace("\0", " ")).split("\0")
    named = ((_name_at_end(text), token.strip()) for text, token in zip(texts, _TOKEN.findall(line), strict=False))
    return [(name, token) for name, token in named if name]


def _name_at_end(text: str) -> str:
    """The name of the number that follows; "" where it has none."""
    match = _NAME.search(_WRAPPED.sub("", text[-200:]))
    return re.sub(r"[ ./]?\b(is|was)$", "", match[1].lower()).strip(" .-") if match else ""


def _named(name: str, evaluated: bool) -> str:
    """The name of a curve; of an evaluation it begins with "eval_", whatever the word in the log."""
    if match := _OF_EVALUATION.match(name):
        return "eval_" + name[match.end() :]
    return "eval_" + name if evaluated and "train" not in name else name


def _examined(part: tuple[str, list[_Layout]]) -> _Block:
    """A block of text, with the shapes to look for; lines are numbered from 0."""
    from .frames import pl

    text, frequent = part
    lines = pl.Series("line", [text]).str.split("\n").explode()
    rest = pl.DataFrame({"at": np.arange(len(lines)), "line": lines})
    found = []
    for layout in frequent:
        numbers = rest["line"].str.extract_groups(layout.pattern()).struct.unnest().cast(pl.Float64, strict=False)
        is_one = numbers.select(pl.all_horizontal(pl.all().is_not_null())).to_series()
        if is_one.any():
            columns = dict(zip(sorted(layout.taken), numbers.filter(is_one).get_columns(), strict=True))
            taken = [columns[index].to_numpy() for index in layout.taken]
            found.append((layout, rest["at"].filter(is_one).to_numpy(), taken))
            rest = rest.filter(~is_one)
    return _Block(len(lines), found, rest.filter(pl.col("line").str.contains(_WORTH)))


def rows(path: Path) -> tuple[list[Rows], list[ReadError]]:
    """What the lines of a log say, and what of it could not be taken. Raises ReadError for a file that cannot be opened.

    Memory: the numbers found, and a few blocks. Lines end with a line feed or a carriage return, as progress bars have it.
    """
    log = _Log()
    try:
        with path.open("rb") as file:
            texts = _texts(file)
            # The first block settles what to look for; the others are looked through on two threads.
            log.add(first := _examined((next(texts, ""), [])), 0)
            number = first.count
            with ThreadPoolExecutor(2) as threads:
                for block in in_order(((text, log.frequent) for text in texts), _examined, threads, ahead=3):
                    log.add(block, number)
                    number += block.count
    except OSError as error:
        raise from_os_error(error, path) from None
    problems = [ReadError("curve-kinds", path=str(path), count=log.refused, limit=_KINDS)] if log.refused else []
    return [kind.rows() for kind in log.kinds.values() if kind.blocks], problems


@dataclass(frozen=True)
class StepTimes:
    """Times in s, an entry a line that tells one: of a step, and of its waiting for data, NaN where the line does not say."""

    steps: Array
    waits: Array


def step_times(path: Path) -> StepTimes:
    """The times of training steps that a log tells, such as those of TimeMonitor; lines about an evaluation are left out.

    Raises ReadError for a file that cannot be opened.
    """
    from .frames import pl

    steps, waits = [], []
    try:
        with path.open("rb") as file:
            for text in _texts(file):
                lines = pl.Series([text]).str.split("\n").explode()
                for line in lines.filter(lines.str.contains("(?i)step[ _](?:time|cost)|per[ _]step")):
                    found = _STEP_TIME.search(line[:_LONGEST])
                    if found is None or _EVALUATION.search(line[:_LONGEST]):
                        continue
                    waited = _DATA_TIME.search(line[:_LONGEST])
                    steps.append(_seconds(found))
                    waits.append(_seconds(waited) if waited else np.nan)
    except OSError as error:
        raise from_os_error(error, path) from None
    return StepTimes(np.array(steps, np.float64), np.array(waits, np.float64))


def _seconds(found: re.Match[str]) -> float:
    return float(found[1]) / (1000 if found[2].lower() == "ms" else 1)


def _texts(file: BinaryIO) -> Iterator[str]:
    """The text in blocks of whole lines, without colours; a line longer than a block is cut."""
    head = file.read(_FIRST)
    encoding = "utf-16" if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    data, left = head, ""
    while data:
        text = left + decoder.decode(data).replace("\r", "\n").replace("\0", " ")
        end = text.rfind("\n")
        if end < 0 and len(text) > _BLOCK:
            end = len(text)
        left = text[end + 1 :]
        if end >= 0:
            yield _ANSI.sub("", text[:end]) if "\x1b" in text else text[:end]
        data = file.read(_BLOCK)
    left += decoder.decode(b"", True)
    if left:
        yield _ANSI.sub("", left)
