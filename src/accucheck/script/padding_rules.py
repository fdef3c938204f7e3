"""What is wrong with the padding of a project: where value, side, mask and length, as padding.py and masking.py find them,
contradict each other."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from ..errors import ReadError
from ..knowledge.api import IGNORED, IGNORING
from . import masking, padded_columns, padding
from .analysis import Reading, Scripts
from .decisions import apart
from .masking import Comparison, Masks, of_padding
from .networks import FORWARD
from .padded_columns import Column
from .padding import COMPANION, special
from .padding_facts import (
    END,
    START,
    Compared,
    HeldValue,
    LengthUse,
    Mask,
    Padded,
    PaddingFacts,
    PlainSequence,
    together,
)
from .padding_facts import Observation as Observation
from .pipelines import of_scripts
from .source import Source, once_each, read
from .syntax import walk
from .training_seen import seen
from .values import Call, Items, KnownValue, Value, options, string_of, unseen

#: So many files beside the scripts are looked at for the code that prepared the data.
FILES = 300
_MASK = re.compile(r"mask", re.IGNORECASE)
#: Words of names that tell not which sequence something belongs to.
_GENERAL = frozenset(
    (
        "",
        "id",
        "ids",
        "input",
        "inputs",
        "token",
        "tokens",
        "pad",
        "padded",
        "segment",
        "type",
        "pos",
        "position",
        "mask",
    )
)
#: Not sequences of the data: images, schedules, scores.
_OTHER = re.compile(
    r"ima?ge?s?(?![a-z])|picture|canvas|letterbox|crop|border|pixel|photo|(^|_)lrs?(_|$)|learning_?rate|sched|momentum|weight_?init|"
    r"embedding_?table|beam|score",
    re.IGNORECASE,
)
_LABELS = re.compile(r"label|target|tag|answer|box|gt", re.IGNORECASE)
#: Folders of code that does not prepare training data.
_ELSEWHERE = re.compile(
    r"^(infer\w*|ascend310\w*|sdk|mxbase|onnx\w*|deploy\w*|tests?|scripts|docs|serving|export\w*)$", re.IGNORECASE
)
#: Special tokens that are not padding.
_MARKS = re.compile(r"eos|sos|bos|unk|cls|sep|start|end|oov", re.IGNORECASE)
_WRITES = (b"FileWriter", b"write_raw_data")


#: Words that code which fills sequences up does not go without, and words of code that feeds a network.
_FILLS = ("pad", "mask", "_len", "maxlen", "seqlen", "fill", "np.zeros", "np.ones", "np.full")
_FEEDS = (
    *("dataset", "dataloader", "data_loader", ".train(", "trainer", "trainonestep", "value_and_grad", "gradoperation"),
)


@dataclass
class Result:
    said: list[Observation] = field(default_factory=list)
    pads: list[Padded] = field(default_factory=list)  # each place once
    hidden: list[Padded] = field(default_factory=list)  # those that a mask, a length or a comparison accounts for
    masks: int = 0
    pipelines: list[Call] = field(default_factory=list)  # padding by the data set itself
    columns: list[Column] = field(default_factory=list)  # filled up elsewhere than at `pads`, and followed
    pictures: list[str] = field(
        default_factory=list
    )  # all that the training gets, where these are pictures and single numbers


def examine(scripts: Scripts, root: Path, design: Any = None) -> Result:
    """All that is to be said of the padding of a case. `design` is what the case declares: value, side and mask."""
    sources = [*scripts.sources, *_preparation(scripts, root)]
    if len(sources) == len(scripts.sources) and not (scripts.mentions(*_FILLS) and scripts.mentions(*_FEEDS)):
        result = Result()
        _followed(scripts, result)
        return result
    facts = padding.read(sources)
    _drop_idle(facts, scripts)
    masks = masking.read(scripts.sources)
    checks = _Checks(facts, masks, design, _columns(scripts), _ignored(scripts))
    checks.run()
    _leave_open(checks.result, masks, {source.path for source in scripts.sources})
    for reading in scripts.training:
        checks.result.pipelines += _pipelines(reading)
        checks.result.said += [
            Observation(s.code, s.source, s.node, s.data, True) for s in masking.dropped(reading.trace)
        ]
    checks.result.said += [Observation(s.code, s.source, s.node, s.data, s.code != "mask-inverted") for s in masks.said]
    _followed(scripts, checks.result)
    columns = _fed(scripts)
    origins = {origin for found in columns.values() for origin in found}
    hides = masks.named or (masks.hides and not origins - {"unknown", "network"})
    checks.result.masks = len(masks.comparisons) + len(facts.masks) + hides
    checks.result.pictures = list(columns) if origins <= {"pixels", "number"} else []
    return checks.result


def _leave_open(result: Result, masks: Masks, run: set[str]) -> None:
    """Where nothing that is trained can leave padding out, a mask that is written beside it into the records accounts for nothing.
    `run`: the paths of what runs in the training."""
    if not (masks.hides or masks.named or masks.comparisons or masks.ignored):
        result.hidden = [pad for pad in result.hidden if pad.source.path in run]


def _drop_idle(facts: PaddingFacts, scripts: Scripts) -> None:
    """Leave out the padding and the masks of cells that no run has."""
    idle = _idle_cells(scripts)
    facts.pads = [pad for pad in facts.pads if not _is_within(pad, idle)]
    facts.masks = [mask for mask in facts.masks if not _is_within(mask, idle)]


def _idle_cells(scripts: Scripts) -> list[tuple[str, range]]:
    """Path and lines of the cells of which no script makes an object, where all that is trained was followed: no run has their padding."""
    if not all(seen(reading).followed and not reading.trace.gave_up for reading in scripts.training):
        return []
    used = _used_classes(scripts)
    return [
        (source.path, range(node.lineno, (node.end_lineno or node.lineno) + 1))
        for source in scripts.sources
        for node in walk(source.tree)
        if isinstance(node, ast.ClassDef) and _is_cell(node) and (source.path, node.lineno) not in used
    ]


def _used_classes(scripts: Scripts) -> set[tuple[str, int]]:
    """Path and line of the classes that objects are made of, and of those that these are based on. A builder that nobody calls makes
    nothing, unless what is trained comes from such a builder itself."""
    trained = (network.value for reading in scripts.training for network in seen(reading).networks)
    only_called = not any(unseen(getattr(network, "frame", None)) for network in trained)
    objects = [one for reading in scripts.readings for one in reading.trace.instances if not one.unseen]
    made = [one.of for one in objects if not (only_called and unseen(one.frame))]
    return {(of.source.path, of.node.lineno) for instance in made for of in instance.lineage()}


def _is_cell(node: ast.ClassDef) -> bool:
    return any(map(_computes, node.body))


def _computes(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name in FORWARD


def _is_within(one: Padded | Mask, places: list[tuple[str, range]]) -> bool:
    return any(one.source.path == path and one.line in lines for path, lines in places)


def _fed(scripts: Scripts) -> dict[str, set[str]]:
    """What the training data of a case consist of, each column with what it is read as."""
    training = {id(reading) for reading in scripts.training}
    columns: dict[str, set[str]] = {}
    for pipelines in of_scripts(scripts):
        for pipeline in pipelines.pipelines() if id(pipelines.reading) in training else []:
            for entry in pipeline.inputs if pipeline.role == "train" else []:
                columns.setdefault(entry.name, set()).update(way.origin for way in entry.ways)
    return columns


def _followed(scripts: Scripts, result: Result) -> None:
    """Add what following the padded columns into the loss says, and what keeps their padding out of it."""
    training = {id(reading) for reading in scripts.training}
    for pipelines in of_scripts(scripts):
        if id(pipelines.reading) not in training:
            continue
        found = padded_columns.examine(pipelines)
        told = {(said.code, said.source.path) for said in result.said}
        for said in (each for each in found.said if (each.code, each.source.path) not in told):
            data = {
                key: _SIDES.get(value, value) if key in ("side", "other") else value for key, value in said.data.items()
            }
            result.said.append(replace(said, data=data))
        for column in found.columns:
            known = [pad for pad in result.pads if (pad.source.path, pad.line) in column.places]
            if column.followed and not (
                column.hidden or column.apart or column.stopped
            ):  # a mask beside it is not used
                result.hidden = [pad for pad in result.hidden if pad not in known]
            if not known or column.hidden is not None or column.apart is not None:
                result.columns.append(column)
                result.pads = [pad for pad in result.pads if pad not in known]
    places = {place for column in result.columns for place in column.places}
    result.pipelines = [call for call in result.pipelines if (call.source.path, call.line) not in places]
    result.said = once_each(result.said)


def _columns(scripts: Scripts) -> set[str]:
    """The names of columns that data sets for training give, by their maker or by a map."""
    given = ("column_names", "columns_list", "output_columns", "input_columns")
    found: set[str] = set()
    for reading in scripts.training:
        for call in reading.trace.calls:
            held = [call.keywords[name] for name in given if name in call.keywords]
            held += call.args[1:3] if call.last in ("map", "rename") or call.last.endswith("Dataset") else []
            found |= {text for value in held for part in [value, *_items(value)] if (text := _text(part))}
    return found


def _items(value: Value) -> list[Value]:
    return value.items if isinstance(value, Items) else []


def _text(value: Value) -> str:
    return string_of(value) or ""


def _ignored(scripts: Scripts) -> set[Any]:
    """The labels that losses leave out: what they are told to, and what those of the framework do unless told otherwise."""
    told = (call.keywords.get(IGNORING) for reading in scripts.training for call in reading.trace.calls)
    return {IGNORED, *(value.value for value in told if isinstance(value, KnownValue) and type(value.value) is int)}


# --- code that prepared the data --------------------------------------------------------------------------------------------


def _preparation(scripts: Scripts, root: Path) -> list[Source]:
    """Scripts beside the entry that write records with the columns that the training data have."""
    columns: set[str] = set()
    for reading in scripts.training:
        for call in reading.trace.calls:
            if call.last in ("MindDataset", "TFRecordDataset"):
                columns |= _texts(call, 1 if call.last == "MindDataset" else 2)
    if not columns:
        return []
    known = {source.file for source in scripts.sources}
    found: list[Source] = []
    for folder in dict.fromkeys(reading.source.file.parent for reading in scripts.training):
        for path in _files(folder):
            if path in known:
                continue
            known.add(path)
            source = _writer(path, root, columns)
            if source is not None:
                found.append(source)
    return found


def _texts(call: Call, place: int) -> set[str]:
    """The columns that are asked for, by keyword or place."""
    given = call.keywords.get("columns_list") or (call.args[place] if len(call.args) > place else None)
    found: set[str] = set()
    for option in options(given):
        for item in option.items if isinstance(option, Items) else [option]:
            if isinstance(item, KnownValue) and isinstance(item.value, str):
                found.add(item.value)
    return found


def _files(folder: Path) -> Iterator[Path]:
    count = 0
    for here, folders, names in os.walk(folder):
        deep = len(Path(here).relative_to(folder).parts)
        below = [name for name in folders if not name.startswith(".") and not _ELSEWHERE.match(name)]
        folders[:] = sorted(below) if deep < 3 else []
        for name in sorted(names):
            if name.endswith(".py"):
                count += 1
                if count > FILES:
                    return
                yield Path(here, name)


def _writer(path: Path, root: Path, columns: set[str]) -> Source | None:
    try:
        with open(path, "rb") as stream:
            data = stream.read(1 << 20)
        if not any(word in data for word in _WRITES):
            return None
        here = sum(f'"{column}"'.encode() in data or f"'{column}'".encode() in data for column in columns)
        if here * 2 < len(columns):
            return None
        return read(path, os.path.relpath(path, root))
    except (OSError, ReadError, UnicodeEncodeError):
        return None


# --- rules --------------------------------------------------------------------------------------------------------------------


def _mask_name(mark: Mask) -> str:
    return next(name for name in mark.names if _MASK.search(name))


def _alike(mark: Mask, pads: list[Padded]) -> list[Padded]:
    """The padded sequences beside a mask that are of its length."""
    return [pad for pad in pads if mark.size and pad.size == mark.size and together(mark, pad)]


class _Checks:
    def __init__(self, facts: PaddingFacts, masks: Masks, design: Any, columns: set[str], ignored: set[Any]) -> None:
        self.facts, self.masks, self.design = facts, masks, design
        self.columns, self.ignored = columns, ignored
        self.result = Result()
        self.accounted: set[tuple[str, int, int]] = set()
        #: What is filled in at a place, None alone where that is not seen: each that calls a function that pads may give another value.
        self.values: dict[tuple[str, int, int], set[int | None]] = {}

    def run(self) -> None:
        runs: dict[int, list[Padded | Mask | Compared | LengthUse]] = {}
        everything: Iterable[Padded | Mask | Compared | LengthUse] = (
            *self.facts.pads,
            *self.facts.masks,
            *self.facts.compared,
            *self.facts.lengths,
        )
        for fact in everything:
            runs.setdefault(fact.run, []).append(fact)
        for held in runs.values():
            pads = [one for one in held if isinstance(one, Padded) and _sequence(one)]
            marks = [one for one in held if isinstance(one, Mask) and any(_MASK.search(name) for name in one.names)]
            if pads:
                self.of_masks(pads, marks)
                self.of_sides(pads)
                self.of_comparisons([one for one in held if isinstance(one, Compared)])
                self.account(pads, held)
        inner = {(pad.source.path, pad.run, id(pad.of)) for pad in self.facts.pads}
        # Where what is padded already is padded once more, its length is that before this padding.
        self.of_lengths([one for one in self.facts.lengths if (one.source.path, one.run, id(one.of)) not in inner])
        places: dict[tuple[str, int, int], list[Padded]] = {}
        for pad in self.facts.pads:
            if _sequence(pad):
                places.setdefault(_place(pad), []).append(pad)
        self.result.pads = [max(pads, key=lambda pad: (len(pad.tables), len(pad.names))) for pads in places.values()]
        self.values = {place: {pad.value for pad in pads} - {None} or {None} for place, pads in places.items()}
        self.of_values()
        self.of_network()
        self.of_design()
        self.result.hidden = [pad for pad in self.result.pads if _place(pad) in self.accounted]

    def say(self, code: str, at: Padded | Mask | Compared | LengthUse, likely: bool = False, **data: Any) -> None:
        self.result.said.append(Observation(code, at.source, at.node, data, likely))

    def of_masks(self, pads: list[Padded], marks: list[Mask]) -> None:
        for mark in marks:
            if mark.every:
                self.of_mask_of_ones(mark, pads, marks)
            elif mark.by is not None and not mark.turned:
                self.of_mask_by_lengths(mark, pads)

    def of_mask_of_ones(self, mark: Mask, pads: list[Padded], marks: list[Mask]) -> None:
        """A mask that leaves nothing out, beside padding that no other mask hides."""
        name = _mask_name(mark)
        if isinstance(mark.by, Padded):
            over = mark.by if together(mark, mark.by) else None
        else:
            over = next((pad for pad in _alike(mark, pads) if not self.has_own(pad, marks)), None)
        if over is not None and not mark.changed and of_padding(name):
            self.say("mask-everywhere", mark, mask=name, padded=_name(over))

    def of_mask_by_lengths(self, mark: Mask, pads: list[Padded]) -> None:
        """A mask made of one sequence, on the other side of its padding, or beside another sequence only."""
        name, alike = _mask_name(mark), _alike(mark, pads)
        fitting = [pad for pad in pads if together(mark, pad) and _root(pad) is _root(mark.by) and not pad.turned]
        if not any(pad.side == mark.side for pad in fitting):
            for pad in fitting:
                self.say("mask-side", mark, mask=name, padded=_name(pad), side=_side(pad), other=_side(mark))
        if fitting and alike and not any(pad in alike for pad in fitting):
            self.say("mask-of-another", mark, mask=name, padded=_name(alike[0]), other=_name(fitting[0]))

    @staticmethod
    def has_own(pad: Padded, marks: list[Mask]) -> bool:
        """True for what has a mask that leaves places out: one of ones only is then that of something else."""
        return any(not mark.every and mark.by is not None and _root(mark.by) is _root(pad) for mark in marks)

    def of_sides(self, pads: list[Padded]) -> None:
        """Ids and what goes along with them place by place, filled up on different sides."""
        for companion in (pad for pad in pads if _companion(pad)):
            ids = [
                pad for pad in pads if not _companion(pad) and pad.size == companion.size and together(pad, companion)
            ]
            pad = min(ids, key=partial(_distance, companion), default=None)
            if pad is not None and pad.side != companion.side and not (companion.turned or pad.turned):
                at = pad if pad.side == START else companion
                data = {"padded": _name(pad), "side": _side(pad), "companion": _name(companion)}
                self.say("sides-differ", at, True, **data, other=_side(companion))

    def of_lengths(self, lengths: list[LengthUse]) -> None:
        for given in lengths:
            if given.kept and isinstance(given.of, Padded) and _sequence(given.of) and together(given, given.of):
                self.say("length-padded", given, length=given.name, padded=_name(given.of), **_stands(given.of))

    def of_comparisons(self, compared: list[Compared]) -> None:
        """A mask made from padded ids by comparing with another value than the one they are filled with."""
        for one in compared:
            name = next((name for name in one.names if _MASK.search(name)), None)
            pad = one.of if isinstance(one.of, Padded) else None
            if name is None or pad is None or one.value is None or pad.value is None or one.value == pad.value:
                continue
            if not of_padding(name) or not together(one, pad) or (one.above and pad.value < one.value):
                continue
            self.say("mask-value", one, value=one.value, padded=_name(pad), filled=pad.value, **_stands(pad))

    def account(self, pads: list[Padded], held: list[Padded | Mask | Compared | LengthUse]) -> None:
        """Padding that something in the same place accounts for: a length, a mask, or the ids that it goes along with."""
        held = [one for one in held if not (isinstance(one, Mask) and one.handed)]  # whether that is used is not seen
        for pad in pads:
            root = _root(pad)
            for one in held:
                by = (
                    one.of
                    if isinstance(one, LengthUse)
                    else one.by
                    if isinstance(one, Mask) and not one.every
                    else None
                )
                same = by is not None and _root(by) is root
                masked = isinstance(one, Mask) and not one.every and one.size == pad.size
                compared = isinstance(one, Compared) and one.of is pad and any(_MASK.search(name) for name in one.names)
                if same or masked or compared:
                    self.accounted.add(_place(pad))
        if any(_place(pad) in self.accounted for pad in pads) or any(self.by_value(pad) for pad in pads):
            self.accounted |= {_place(pad) for pad in pads if _companion(pad)}

    def by_value(self, pad: Padded) -> bool:
        """True for ids that a network masks by their value."""
        values = {one.value for one in self.masks.comparisons}
        return pad.value is not None and not _companion(pad) and pad.value in values

    def of_values(self) -> None:
        """A value that also stands for something real, with nothing that leaves it out."""
        hidden = {one.value for one in self.masks.comparisons} | self.masks.ignored
        for pad in self.result.pads:
            if pad.value is None or _companion(pad) or not isinstance(pad.value, int):
                continue
            words = [word for table in pad.tables if (word := table.word(pad.value)) is not None and not special(word)]
            if pad.tables and not words and all(table.lacks(pad.value) for table in pad.tables):
                self.accounted.add(_place(pad))  # a value of its own
            if not words or pad.value in hidden or _place(pad) in self.accounted:
                continue
            if self.masks.hides and self.measured(pad):
                continue  # what the sample is told by goes to a network that leaves places out
            if not _MARKS.search(words[0]):
                self.say("pad-is-real", pad, True, padded=_name(pad), value=pad.value, word=words[0])
            elif not self.masks.hides:
                self.say("pad-is-mark", pad, True, padded=_name(pad), value=pad.value, word=words[0])

    def measured(self, pad: Padded) -> bool:
        """True where a mask is made, or a real length kept, beside it, and not that of something else that is padded."""

        def beside(one: Padded | Mask | LengthUse) -> bool:
            return (one.source.path, one.run) == (pad.source.path, pad.run)

        others = [_root(one) for one in self.facts.pads if beside(one) and one.size != pad.size]
        found = [one.by for one in self.facts.masks if beside(one) and not one.every]
        found += [one.of for one in self.facts.lengths if beside(one) and not isinstance(one.of, Padded)]
        return any(by is None or not any(_root(by) is other for other in others) for by in found)

    def elsewhere(self, pad: Padded) -> list[Padded]:
        """What is done instead of this padding on other ways of the same decision."""
        return [one for one in self.facts.pads if one.run == pad.run and apart(one.when, pad.when)]

    def of_network(self) -> None:
        """What the network masks by value, against what the data are filled with."""
        compared = [one for one in self.masks.comparisons if not _LABELS.search(one.of) and one.padding]
        values = {one.value for one in compared if isinstance(one.value, int)}
        ids = [pad for pad in self.result.pads if not _companion(pad) and not _labels(pad)]
        unknown = any(one.value is None for one in compared) or any(None in self.values[_place(pad)] for pad in ids)
        if not values or not ids or unknown:
            return
        self.of_values_masked(compared, ids)
        for pad in ids:
            if self.values[_place(pad)] & values:
                self.accounted.add(_place(pad))
            elif any(other.value in values for other in self.elsewhere(pad)):
                continue
            elif _place(pad) not in self.accounted and any(o.value in values and _beside(o, pad) for o in ids):
                one = next(c for c in compared if c.value in values)
                place = f"{one.source.path}:{getattr(one.node, 'lineno', 1)}"
                data = {"padded": _name(pad), "value": pad.value, "masked": sorted(values), "place": place}
                self.result.said.append(Observation("unmasked-value", pad.source, pad.node, data, True))

    def of_values_masked(self, compared: list[Comparison], ids: list[Padded]) -> None:
        """Values that the network masks, and that no data are filled with."""
        filled = {value for pad in ids for value in self.values[_place(pad)]}
        pad = ids[0]
        place = f"{pad.source.path}:{pad.line}"
        for one in compared:
            beside = [other for other in compared if other.function == one.function and other.value in filled]
            if one.value not in filled and not any(o.of == one.of or apart(o.when, one.when) for o in beside):
                data = {"value": one.value, "padded": _name(pad), "filled": pad.value, "place": place}
                self.result.said.append(Observation("network-mask-value", one.source, one.node, data, True))

    def of_design(self) -> None:
        """Against what the case declares."""
        if self.design is None:
            return
        ids = [pad for pad in self.result.pads if not _companion(pad)]
        for pad in ids:
            self.of_declared(pad, self.design.of(*pad.names))
        if self.design.mask and self.result.pads:
            marks: Iterable[Mask | Compared | Padded] = (*self.facts.masks, *self.facts.compared, *self.facts.pads)
            names = {name for mark in marks for name in mark.names}
            if self.design.mask not in names | self.columns:
                pad = self.result.pads[0]
                self.say("design-mask", pad, True, mask=self.design.mask)

    def of_declared(self, pad: Padded, wanted: Any) -> None:
        """The padding of one sequence against the value and the side that the case wants of it; what the loss leaves out is fine."""
        fine = {None, wanted.value, *self.ignored}
        others = list(self.elsewhere(pad))
        known = wanted.value is not None and pad.value not in fine
        if known and not any(other.value in (None, wanted.value) for other in others):
            self.say("design-value", pad, padded=_name(pad), value=pad.value, wanted=wanted.value)
        side = _DECLARED.get(wanted.side or "")
        if side is not None and pad.side != side and not any(other.side == side for other in others):
            self.say("design-side", pad, padded=_name(pad), side=_side(pad), wanted=_SIDES[side])


_DECLARED = {"right": END, "end": END, "post": END, "left": START, "start": START, "pre": START}
_SIDES = {
    END: {"en": "at the end", "zh": "末尾"},
    START: {"en": "at the start", "zh": "开头"},
}


def side_words(side: str) -> dict[str, str]:
    return _SIDES[side]


def _side(one: Padded | Mask) -> dict[str, str]:
    return _SIDES[one.side]


def _pipelines(reading: Reading) -> list[Call]:
    """Each call by which a data set pads."""
    found: dict[int, Call] = {}
    for call in reading.trace.calls:
        by_batch = call.name == ".batch" and "pad_info" in call.keywords
        if call.name == ".padded_batch" or by_batch or call.api in ("transforms.PadEnd", "text.PadEnd"):
            found.setdefault(id(call.node), call)
    return list(found.values())


def _distance(companion: Padded, pad: Padded) -> tuple[bool, int, bool]:
    """How near ids are to what may go along with them: by name, by place, by side."""
    words, others = ({*re.split(r"[^a-z]+", name.lower())} - _GENERAL for name in (_name(companion), _name(pad)))
    return not words & others, abs(pad.line - companion.line), pad.side != companion.side


def _root(held: HeldValue | None) -> HeldValue | None:
    while isinstance(held, Padded) and held.of is not None:
        held = held.of
    return held


def _place(pad: Padded) -> tuple[str, int, int]:
    return pad.source.path, pad.line, getattr(pad.node, "col_offset", 0)


def _beside(one: Padded, other: Padded) -> bool:
    """Whether two sequences are filled up in one function, so that they may go into a network together."""
    return (one.source.path, one.function) == (other.source.path, other.function)


def _stands(pad: Padded) -> dict[str, Any]:
    return {"path": pad.source.path, "line": pad.line}


def _name(pad: Padded) -> str:
    return pad.names[0] if pad.names else pad.function or "?"


def _sequence(pad: Padded) -> bool:
    """Not an image or a schedule, nor scores that are set to minus infinity."""
    if isinstance(pad.value, (int, float)) and abs(pad.value) >= 1e4:
        return False
    return not pad.area and not any(_OTHER.search(word) for word in (*pad.names, pad.function))


def _companion(pad: Padded) -> bool:
    inside = pad.of
    return (isinstance(inside, PlainSequence) and inside.upto is not None) or any(
        COMPANION.search(name) for name in pad.names
    )


def _labels(pad: Padded) -> bool:
    return any(_LABELS.search(name) for name in pad.names)
