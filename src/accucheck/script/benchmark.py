"""The PyTorch benchmark: its scripts, followed like those of the case; and the layers of a network beside its layers, matched one to
one in the order in which they are made, their settings compared in PyTorch's terms."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from ..case import Case
from ..errors import ReadError
from ..knowledge import api
from .analysis import Reading, UnreadPlace, gap, read_scripts
from .project import Project
from .settings import Definitions, Settings
from .source import read
from .trace import follow
from .training import assumption
from .values import Call, Items, KnownValue, Value

#: The kinds of layers that are matched; others are often written as functions.
KINDS = ("convolution", "dense", "embedding", "dropout", "normalization", "recurrent", "pooling")
#: Below this share of layers that match, the networks are not taken for the same.
ALIKE = 0.6
#: More layers are not matched: in networks that repeat themselves the time grows faster than the square of their number.
MOST = 1000
#: More layers that differ from their partner are not compared with all others.
MOST_APART = 100
#: Settings that are compared, in PyTorch's words.
_SIZES = "in_channels out_channels in_features out_features num_features num_embeddings embedding_dim kernel_size"
SETTINGS = _SIZES + " stride dilation groups bias p eps momentum affine negative_slope num_groups"
SIZES = frozenset(_SIZES.split())
_REVERSED = "bn-momentum"


@dataclass
class Pair:
    """A layer here and one there; `differs` are settings (PyTorch's name, what it is here and there in PyTorch's terms)."""

    here: Call
    there: Call
    same: set[str] = field(default_factory=set)  # parameters of MindSpore that come to the same
    differs: list[tuple[str, Any, Any]] = field(default_factory=list)
    compared: set[str] = field(default_factory=set)  # PyTorch's names of what is known of both


@dataclass
class Comparison:
    """`share`: how many of the layers have a partner."""

    pairs: list[Pair]
    share: float
    here: int
    there: int


def compare(here: Sequence[Call], paths: Sequence[tuple[Path, str]], version: str) -> Comparison | None:
    """The layers `here`, in their order, against those of benchmark scripts (path, as it is shown)."""
    there = [call for path, shown in paths for call in _benchmark(path, shown)][:MOST]
    mine = [(token, call) for call in here if (token := _token(call.api))][:MOST]
    theirs = [(api.load().pytorch[name_of_layer(call)].api, call) for call in there]
    if not mine or not theirs:
        return None
    pairs = _side_by_side(mine, theirs, version)
    return Comparison(pairs, len(pairs) / max(len(mine), len(theirs)), len(mine), len(theirs))


def _side_by_side(mine: Sequence[tuple[str, Call]], theirs: Sequence[tuple[str, Call]], version: str) -> list[Pair]:
    """The layers in pairs, in order; those with other settings than their partner with one that has the same, wherever the other
    network makes it; and what is left in order again, without layers of other sizes, which are other layers."""
    pairs = [pair for pair in _in_order(mine, theirs, version) if not pair.differs]
    left, others = _without(pairs, mine), _without(pairs, theirs)
    for token, call in left[:MOST_APART]:
        found = (_pair(call, other, version) for name, other in _without(pairs, others)[:MOST_APART] if name == token)
        pairs += [pair for pair in found if pair.compared and not pair.differs][:1]
    in_order = _in_order(_without(pairs, left), _without(pairs, others), version)
    pairs += [pair for pair in in_order if _of_like_size(pair)]
    return sorted(pairs, key=lambda pair: pair.here.order)


def _without(pairs: Sequence[Pair], layers: Sequence[tuple[str, Call]]) -> list[tuple[str, Call]]:
    paired = {id(call) for pair in pairs for call in (pair.here, pair.there)}
    return [(token, call) for token, call in layers if id(call) not in paired]


def _of_like_size(pair: Pair) -> bool:
    """Whether no more sizes of two layers differ than agree."""
    apart = SIZES & {name for name, _, _ in pair.differs}
    return 2 * len(apart) <= len(SIZES & pair.compared)


def _in_order(mine: Sequence[tuple[str, Call]], theirs: Sequence[tuple[str, Call]], version: str) -> list[Pair]:
    matcher = SequenceMatcher(None, [token for token, _ in mine], [token for token, _ in theirs], autojunk=False)
    blocks = matcher.get_matching_blocks()
    return [_pair(mine[block.a + n][1], theirs[block.b + n][1], version) for block in blocks for n in range(block.size)]


def training(case: Case) -> tuple[list[Settings], list[UnreadPlace]]:
    """The settings of the benchmark's training scripts, kept for the next probe in the same process; and what could not be read."""
    scripts = read_scripts(case)
    if not _LAST or _LAST[0] is not scripts:
        _LAST[:] = [scripts, read_training(case)]
    found: tuple[list[Settings], list[UnreadPlace]] = _LAST[1]
    return found


_LAST: list[Any] = []


def read_training(case: Case) -> tuple[list[Settings], list[UnreadPlace]]:
    """The same, read anew."""
    found: list[Settings] = []
    gaps: list[UnreadPlace] = []
    for path in case.paths("benchmark.scripts.train"):
        shown = case.relative(path)
        try:
            source = read(path, shown)
        except ReadError as error:
            gaps.append(gap(error, shown))
            continue
        project = Project(path.parent, path.parent, below=os.path.dirname(shown))
        trace = follow(source, assumption("train"), project.find, path.parent)
        gaps += [gap(problem, name) for name, problem in project.unreadable.items()]
        if trace.gave_up:
            gaps.append(UnreadPlace("too-complex", shown, None, {"path": shown}))
        modules = [source, *(module for module in project.sources.values() if module is not None)]
        found.append(Settings(Reading("train", "train", source, trace, project), Definitions(modules), None))
    return found, gaps


def _benchmark(path: Path, shown: str) -> Iterator[Call]:
    """The layers of PyTorch that a script makes."""
    try:
        source = read(path, shown)
    except ReadError:
        return
    trace = follow(source, assumption("train"), Project(path.parent, path.parent).find, path.parent)
    for call in trace.calls:
        known = api.load().pytorch.get(name_of_layer(call))
        if known is not None and call.base is None and _token(known.api):
            yield call


def name_of_layer(call: Call) -> str:
    """torch.nn.modules.conv.Conv2d is torch.nn.Conv2d."""
    return "torch.nn." + call.last if call.name.startswith("torch.nn.modules.") else call.name


def _token(name: str) -> str:
    """The layer of nn that an API stands for; empty for what is not matched."""
    if name.startswith("mint.nn."):
        name = next((torch.api for torch in api.load().pytorch.values() if torch.aligned == name), name)
    known = api.find(name)
    layer = known is not None and known.kind in KINDS and name.startswith("nn.") and "Adaptive" not in name
    return name if layer or name == "nn.LeakyReLU" else ""


def _pair(here: Call, there: Call, version: str) -> Pair:
    pair = Pair(here, there)
    torch, known = api.load().pytorch[name_of_layer(there)], api.find(here.api)
    theirs = torch.bind(there.args, there.keywords)
    if known is None or theirs is None or here.unpacked or there.unpacked:
        return pair
    mine = known.bind_any(here.args, here.keywords)
    if mine is None:
        return pair
    defaults = known.at(version).defaults
    reverses = any(row.effect == _REVERSED for row in api.differences(here.api, version))
    for name in SETTINGS.split():
        parameter = torch.counterpart(name) if name in torch.parameters else None
        if here.api.startswith("mint."):
            parameter = name if name in known.parameters else None
        if parameter is None:
            continue
        other = constant(theirs.get(name), torch.defaults.get(name))
        own = constant(mine.get(parameter), defaults.get(parameter))
        if name == "p":
            own = _dropped(mine, own)
        elif name == "momentum" and reverses and isinstance(own, (int, float)):
            own = round(1 - own, 10)
        elif name == "stride" and other is None and "Pool" in here.api:
            other = constant(theirs.get("kernel_size"), None)
            own = constant(mine.get("kernel_size"), None) if own is None else own
        if own is None or other is None or own is ... or other is ...:
            continue
        pair.compared.add(name)
        if _equal(own, other):
            pair.same.add(parameter)
        else:
            pair.differs.append((name, own, other))
    if here.api.startswith("nn.Conv") and "Transpose" not in here.api:
        of_mine = {name: constant(mine.get(name), defaults.get(name)) for name in known.parameters}
        _pad(pair, of_mine, constant(theirs.get("padding"), torch.defaults.get("padding")))
    return pair


def _pad(pair: Pair, mine: dict[str, Any], other: Any) -> None:
    """The padding of a convolution, where both come to one number for all sides. `pad_mode="same"` does with a stride of 1 and an odd
    kernel only."""
    own = _one(mine.get("padding"))
    if mine.get("pad_mode") == "valid":
        own = 0
    elif mine.get("pad_mode") == "same":
        kernel, stride, dilation = (_one(mine.get(name)) for name in ("kernel_size", "stride", "dilation"))
        own = None
        if kernel is not None and dilation is not None and kernel % 2 == 1 and stride == 1:
            own = dilation * (kernel - 1) // 2
    theirs = 0 if other == "valid" else _one(other)
    if own is None or theirs is None:
        return
    pair.compared.add("padding")
    if own != theirs:
        pair.differs.append(("padding", own, theirs))


def _one(value: Any) -> int | None:
    """The number that a size is in all directions."""
    values = set(value) if isinstance(value, (tuple, list)) else {value}
    one = values.pop() if len(values) == 1 else None
    return one if isinstance(one, int) and not isinstance(one, bool) else None


def _dropped(given: dict[str, Value], own: Any) -> Any:
    """The rate that a Dropout drops, however it is given."""
    if own is None and "keep_prob" in given:
        kept = constant(given["keep_prob"], None)
        return round(1 - kept, 10) if isinstance(kept, (int, float)) else kept
    return 0.5 if own is None else own


def constant(value: Value | None, default: Any = None) -> Any:
    """What a setting is; ... when it is not known."""
    if value is None:
        return default
    if isinstance(value, KnownValue):
        return value.value
    if isinstance(value, Items) and not value.open and all(isinstance(item, KnownValue) for item in value.items):
        return tuple(item.value for item in value.items if isinstance(item, KnownValue))
    return ...


def _equal(own: Any, other: Any) -> bool:
    """3 and (3, 3) are the same size."""
    one, two = (tuple(v) if isinstance(v, (tuple, list)) else (v,) for v in (own, other))
    if len(one) != len(two) and 1 in (len(one), len(two)):
        one, two = one * max(len(one), len(two)) if len(one) == 1 else one, two * len(one) if len(two) == 1 else two
    if len(one) != len(two):
        return False
    for a, b in zip(one, two, strict=True):
        numbers = isinstance(a, (int, float)) and isinstance(b, (int, float))
        if not (abs(a - b) <= 1e-9 + 1e-6 * abs(b) if numbers else a == b):
            return False
    return True
