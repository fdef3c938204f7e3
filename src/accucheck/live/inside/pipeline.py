"""The user's pipeline function: calling it, what its nodes say about themselves, and copies of its sources."""

from __future__ import annotations

import copy
import importlib
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import dropwhile, takewhile
from pathlib import Path
from typing import Any

from .definitions import is_call, module_with

Node = Any  # a mindspore.dataset.Dataset: MindSpore is imported late, and its classes have no types
Tell = Callable[..., None]


HERE = Path(__file__).resolve().parent
#: The real paths of the scripts that the case names.
SCRIPTS: set[str] = set()
#: A line of a traceback that names a frame.
_FRAME = re.compile(r'\s*File "(.+)", line (\d+), in (.+)')


class EndRun(Exception):
    """The run ends here with this event."""

    def __init__(self, **event: Any) -> None:
        super().__init__(event)
        self.event = event


def kinds(node: Node) -> list[str]:
    """The names of a node's classes, so that no private module of MindSpore is imported."""
    return [cls.__name__ for cls in type(node).__mro__]


def is_dataset(value: Any) -> bool:
    return "Dataset" in kinds(value) and hasattr(value, "create_dict_iterator")


class NotReplayed(Exception):
    """The pipeline cannot be taken apart; the argument says why: "zip" or the class of a node."""


@contextmanager
def blamed(call: str, root: str) -> Iterator[None]:
    """What is raised within is the user's own doing, save by our own code: it becomes a Stop with its last lines."""
    try:
        yield
    except (EndRun, NotReplayed):
        raise
    except (Exception, SystemExit) as error:
        if own_place(error, root):
            raise
        raise EndRun(event="raised", call=call, error=shown(error), lines=last_lines(error, root))


def theirs(function: Callable[..., Any], *given: Any, **named: Any) -> Any:
    """Call what is the user's: an error about how it is called is raised here, and is theirs to mend."""
    return function(*given, **named)


def is_own(frame: traceback.FrameSummary) -> bool:
    """Whether it lies in this folder."""
    return Path(frame.filename).resolve().parent == HERE


def own_place(error: BaseException, root: str) -> str | None:
    """file:line where this folder's own code failed: it raised the error itself, or was called back while the user's code ran."""
    frames = inner_frames(error) or traceback.extract_tb(error.__traceback__)
    own_root = os.path.join(root, "")
    known = list(
        dropwhile(lambda one: not is_own(one) and not os.path.abspath(one.filename).startswith(own_root), frames[::-1])
    )
    ours = list(takewhile(is_own, known))
    raised_here = len(known) == len(frames) and ours and ours[0].name != theirs.__name__
    if raised_here or any(frame.name == "called_back" for frame in ours):
        return f"{Path(ours[0].filename).name}:{ours[0].lineno}"
    return None


def deepest(error: BaseException) -> str:
    """file:line of this folder's code that an error went through last."""
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if is_own(frame)]
    return f"{Path(own[-1].filename).name}:{own[-1].lineno}" if own else ""


def returned(what: dict[str, Any], root: str, tell: Tell, *first: Any) -> Any:
    """What a function of the user's returns: {"call": "module:function", "args": {...}}, given `first` before them. Arguments that are
    such calls are made first; a data set at the top of a script is taken as it is. Raises Stop."""
    call = what["call"]
    tell(event="calling", call=call)
    if root not in sys.path:
        sys.path.insert(0, root)
    sys.argv = [call]
    with blamed(call, root):
        return _result(what, *first)


def _result(what: dict[str, Any], *first: Any) -> Any:
    """What a call gives, those among its arguments made first."""
    module, _, name = what["call"].partition(":")
    attribute, *rest = name.split(".")
    function: Any = module_with(module, attribute, SCRIPTS) or importlib.import_module(module)
    for part in [attribute, *rest]:
        function = theirs(getattr, function, part)
    if is_dataset(function):
        return function
    given = what.get("args", {}).items()
    return theirs(function, *first, **{key: _result(value) if is_call(value) else value for key, value in given})


def called(pipeline: dict[str, Any], root: str, tell: Tell) -> Node:
    """The dataset that a function of the user's returns. Raises Stop."""
    value, call = returned(pipeline, root, tell), pipeline["call"]
    found = [value] if is_dataset(value) else []
    if isinstance(value, (list, tuple)):
        found = [entry for entry in value if is_dataset(entry)]
    elif isinstance(value, dict):
        found = [entry for entry in value.values() if is_dataset(entry)]
    if len(found) != 1:
        described = type(value).__module__ + "." + type(value).__qualname__
        raise EndRun(event="no-dataset", call=call, found=described, count=len(found))
    return found[0]


def shown(error: BaseException) -> str:
    """The error as its last line; of an error that MindSpore wraps, the user's own."""
    inner = inner_lines(error)
    return (inner[-1] if inner else "".join(traceback.format_exception_only(type(error), error)).strip())[:500]


def inner_lines(error: BaseException) -> list[str]:
    """The traceback that MindSpore puts into the message when the user's Python fails inside a pipeline."""
    _, found, text = str(error).partition("Python Call Stack")
    lines = text.partition("Dataset Pipeline Error Message")[0].splitlines()
    return [line for line in lines[1:] if line.strip("- ")] if found else []


def inner_frames(error: BaseException) -> list[traceback.FrameSummary]:
    """The frames of that traceback."""
    found = [entry for line in inner_lines(error) if (entry := _FRAME.fullmatch(line))]
    return [traceback.FrameSummary(entry[1], int(entry[2]), entry[3], lookup_line=False) for entry in found]


def last_lines(error: BaseException, root: str) -> list[str]:
    """The last lines of a traceback, from the first frame of the user's own project on; none if it has no part in it."""
    lines = inner_lines(error)[:-1]
    if not lines:
        frames = traceback.extract_tb(error.__traceback__)
        own = os.path.join(root, "")
        inside = (i for i, frame in enumerate(frames) if os.path.abspath(frame.filename).startswith(own))
        lines = "".join(traceback.format_list(frames[next(inside, len(frames)) :])).splitlines()
    return [line[:300] for line in lines][-12:]


def sources_of(node: Node) -> list[Node]:
    if not node.children:
        return [node]
    return [source for child in node.children for source in sources_of(child)]


def sampler_of(source: Node) -> Any:
    """What picks the rows of a source; None where they are read as they come, as of a generator that has no __getitem__, whose sampler
    MindSpore makes and does not ask."""
    reads_on = "GeneratorDataset" in kinds(source) and not hasattr(getattr(source, "source", None), "__getitem__")
    return None if reads_on else getattr(source, "sampler", None)


def sampler_facts(sampler: Any) -> list[dict[str, Any]]:
    """What a chain of samplers says about itself, outermost first."""
    facts = []
    while sampler is not None:
        fact: dict[str, Any] = {"node": type(sampler).__name__}
        for name in ("shuffle", "num_shards", "replacement", "num_samples", "reshuffle_each_epoch"):
            value = getattr(sampler, name, None)
            if isinstance(value, (bool, int, str)):
                fact[name] = str(getattr(value, "name", value)) if isinstance(value, str) else value
        facts.append(fact)
        sampler = getattr(sampler, "child_sampler", None)
    return facts


def sharded(source: Node) -> int:
    """How many shards a source is dealt out to."""
    sampler, shards = getattr(source, "sampler", None), 1
    while sampler is not None:
        if "DistributedSampler" in kinds(sampler):
            shards *= sampler.num_shards
        sampler = getattr(sampler, "child_sampler", None)
    return shards


def described(node: Node, depth: int = 0, limit: int = 60) -> list[dict[str, Any]]:
    """The pipeline from its end to its sources: one entry a node, with what bears on the order."""
    entry: dict[str, Any] = {"node": type(node).__name__, "depth": depth}
    for name in ("buffer_size", "reshuffle_each_epoch", "shuffle_flag", "batch_size", "count"):
        value = getattr(node, name, None)
        if isinstance(value, (bool, int)):
            entry[name] = value
    entries = [entry]
    if not node.children:
        entries += [dict(fact, depth=depth + 1) for fact in sampler_facts(sampler_of(node))]
    for child in node.children:
        if len(entries) < limit:
            entries += described(child, depth + 1, limit)
    return entries[:limit]


def plain_copy(source: Node) -> Node:
    """A copy of a source that belongs to no pipeline."""
    parent, source.parent = source.parent, []
    twin = copy.deepcopy(source)
    source.parent = parent
    twin.parent, twin.dataset_size = [], None
    return twin


def with_sampler(source: Node, sampler: Any) -> Node:
    twin = plain_copy(source)
    twin.sampler = sampler
    if hasattr(twin, "has_batch_sampler"):
        twin.has_batch_sampler = False
    for name in ("num_samples", "num_shards", "shard_id"):
        if hasattr(twin, name):
            setattr(twin, name, {"num_samples": 0, "num_shards": 1, "shard_id": 0}[name])
    return twin


def unshuffled(source: Node) -> Node:
    """The same source with shuffling off: the order in which the data lie there."""
    import mindspore.dataset as ds

    twin = plain_copy(source)
    twin.shuffle_flag = 0
    if getattr(twin, "sampler", None) is not None:
        twin = with_sampler(source, ds.SequentialSampler())
        twin.shuffle_flag = 0
        if hasattr(twin, "shuffle_option"):
            twin.shuffle_option = getattr(ds.Shuffle, "FALSE", False)
    return twin


def single(node: Node) -> Node:
    """A source's reader without worker processes of its own: the rows are the same, and nothing is left running."""
    if hasattr(node, "num_parallel_workers") and "GeneratorDataset" in kinds(node):
        node.num_parallel_workers = 1
    return node
