"""Whether two data sets read the same files: made by one data set class, of what is the same each time it is asked for."""

from __future__ import annotations

from collections.abc import Sequence

from ..knowledge import dataset_classes
from .sample_numbers import is_drawn
from .values import Call, Instance, Items, KnownValue, Mapping, NamedValue, Value, frames_around, unseen

#: Values within values are looked into so far.
DEPTH = 24
#: What leaves the rows of a data set as many as they are.
_STAYS = (".map", ".batch", ".padded_batch", ".shuffle", ".repeat", ".project", ".rename")
#: What a data set class is told beside what it reads.
_BESIDE = (
    "shuffle",
    "num_parallel_workers",
    "python_multiprocessing",
    "max_rowsize",
    "cache",
    "column_names",
    "columns_list",
    "decode",
)
#: Calls that give the same each time they are given the same.
_READS = (
    *(
        "numpy.load",
        "numpy.loadtxt",
        "numpy.genfromtxt",
        "pandas.read_csv",
        "pandas.read_parquet",
        "open",
        "json.load",
        "pickle.load",
    ),
    *(
        "os.path.join",
        "os.path.abspath",
        "os.path.expanduser",
        "pathlib.Path",
        "str",
        "+",
        "/",
        "[]",
        "f-string",
        ".format",
        ".read",
    ),
)


def read_alike(one: Call, other: Call) -> bool:
    """Whether two data sets are made of the same files, with the same rows."""
    first, second = _source(one), _source(other)
    if not _in_one_run(one, other):
        return False  # another run may be told another file
    if first is None or second is None or first is second or first.name != second.name:
        return False
    return _arguments_alike(first, second)


def _arguments_alike(first: Call, second: Call) -> bool:
    """Whether two calls are given the same, with a file among it."""
    given, against = ({k: v for k, v in call.keywords.items() if k not in _BESIDE} for call in (first, second))
    pairs = [
        *zip(first.args, second.args, strict=False),
        *((value, against.get(name)) for name, value in given.items()),
    ]
    alike = len(first.args) == len(second.args) and given.keys() == against.keys()
    return alike and bool(pairs) and all(_same(a, b, 0) for a, b in pairs) and any(_names_file(a, 0) for a, _ in pairs)


def _in_one_run(one: Call, other: Call) -> bool:
    """Whether one run is seen to make both."""
    ways = _ways(one)
    apart = any((node, not taken) in ways for node, taken in _ways(other))
    return not (apart or unseen(one.frame) or unseen(other.frame))


def _ways(made: Call) -> set[tuple[int, bool]]:
    """The conditions, by the ids of their nodes, under which a call is made, and which way each has to go."""
    frames = [*frames_around(made.frame)]
    tests = [*made.left, *made.tests, *(test for frame in frames for test in frame.under)]
    return {(id(test.node), test.taken) for test in tests if test.taken is not None}


def _source(leaf: Call) -> Call | None:
    """The call of a data set class that a chain of methods begins with, where all its rows are in the end."""
    made: Value | None = leaf
    known = dataset_classes.load().sources
    while isinstance(made, Call):
        if made.name.startswith("mindspore.") and made.last in known:
            return made
        if made.name not in _STAYS:
            return None
        made = made.base
    return None


def _same(one: Value | None, other: Value | None, depth: int) -> bool:
    if one is other:
        return one is not None
    if isinstance(one, KnownValue) and isinstance(other, KnownValue):
        return _is_one_constant(one, other)
    if isinstance(one, NamedValue) and isinstance(other, NamedValue):
        return one.name == other.name
    if type(one) is not type(other) or depth > DEPTH or not _of_one_kind(one, other):
        return False
    return _all_same(_held(one), _held(other), depth)


def _of_one_kind(one: Value | None, other: Value | None) -> bool:
    """Whether two calls, objects or mappings give the same where they are given, or hold, the same."""
    if isinstance(one, Call) and isinstance(other, Call):
        return _do_the_same(one, other)
    if isinstance(one, Instance) and isinstance(other, Instance):
        return one.of is other.of
    return not (isinstance(one, Mapping) and isinstance(other, Mapping)) or [*one.items] == [*other.items]


def _do_the_same(one: Call, other: Call) -> bool:
    """Whether two calls, given the same, give the same: those that read, and any that one line of the script makes twice, where chance
    has no part in it."""
    if one.name != other.name:
        return False
    return one.name in _READS or (one.node is other.node and not is_drawn(one))


def _is_one_constant(one: KnownValue, other: KnownValue) -> bool:
    """Whether two constants are the same in every run: a run may be told others, but not two for one option."""
    alike = type(one.value) is type(other.value) and one.value == other.value
    return alike and (one.assumed, one.name if one.assumed else "") == (
        other.assumed,
        other.name if other.assumed else "",
    )


def _held(value: Value | None) -> Sequence[Value | None]:
    """What a call is given, or a list or dict holds."""
    if isinstance(value, Call):
        return [value.base, *value.args, *value.keywords.values()] if value.result is None else [value.result]
    if isinstance(value, Instance):
        return [held for name, held in sorted(value.attributes.items())]
    return value.items if isinstance(value, Items) else [*value.items.values()] if isinstance(value, Mapping) else []


def _all_same(one: Sequence[Value | None], other: Sequence[Value | None], depth: int) -> bool:
    pairs = [*zip(one, other, strict=False)]
    return len(one) == len(other) > 0 and all(a is b is None or _same(a, b, depth + 1) for a, b in pairs)


def _names_file(value: Value | None, depth: int) -> bool:
    """Whether a text, such as the path of a file, has part in a value."""
    if isinstance(value, KnownValue):
        return isinstance(value.value, str)
    return depth <= DEPTH and any(_names_file(one, depth + 1) for one in _held(value))
