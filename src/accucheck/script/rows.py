"""Rows of numbers that a script computes, such as one learning rate for each update: how many there are."""

from __future__ import annotations

from .effects import kept, operands
from .flow import setting, sources
from .values import Call, Items, KnownValue, Value, Write, options

#: Operations on a row are followed back so far.
DEPTH = 12
#: What is computed number by number, of rows and single numbers.
_ARITHMETIC = frozenset(("*", "/", "-", "**", "neg"))


def length(value: Value | None, depth: int = 0) -> Value | None:
    """How many numbers a row holds, as a value; None for what is no row, and where that is not seen."""
    if depth > DEPTH:
        return None
    if isinstance(value, Items):
        return _listed(value)
    if not isinstance(value, Call):
        return None
    if value.name == "comprehension":
        over = value.args[1] if len(value.args) == 2 and not value.picks and not _nested(value) else None
        return _of_range(over) or length(over, depth + 1)
    if value.name.startswith("numpy.") and value.last in ("linspace", "arange"):
        return value.argument(["start", "stop", "num"], "num") if value.last == "linspace" else _of_range(value)
    return _computed(value, depth)


def _nested(made: Call) -> bool:
    """Whether a comprehension goes over something in each turn of something else: [rate(e) for e in epochs for _ in steps]."""
    return len(getattr(made.node, "generators", ())) > 1


def _computed(made: Call, depth: int) -> Value | None:
    """The length of what is computed of one row."""
    whole = kept(made, "same", "order")
    if whole is None and (made.name in _ARITHMETIC or made.name.startswith("numpy.")):
        whole = operands(made, (0, 1))
    found = [length(option, depth + 1) for part in whole or () for option in options(part)]
    rows = [one for one in found if one is not None]
    return rows[0] if len(rows) == 1 else None


def _listed(row: Items) -> Value | None:
    """The length of a list as it is written, or as one loop fills it."""
    if not row.writes:
        return KnownValue(len(row.items)) if len(row.items) > 1 and not row.open and not row.fixed else None
    heads = {id(write.head): write.head for write in row.writes}
    each = all(write.key == "append" and _is_in_one_loop(write) for write in row.writes)
    once = len(row.writes) == 1 or all(write.under for write in row.writes)
    return _of_range(next(iter(heads.values()))) if each and once and len(heads) == 1 else None


def _is_in_one_loop(write: Write) -> bool:
    around = write.frame.loops if write.frame is not None else ()
    return len(write.loops) - len(around) == 1


def arithmetic(value: Value) -> bool:
    """Whether a row is computed of numbers and settings alone, by arithmetic and functions of Python and numpy."""
    return all(not isinstance(part, Call) or _computes(part) for part in sources(value, _is_given))


def _is_given(value: Value) -> bool:
    """True for a number of turns or rows, and for a setting: what these come from does not matter."""
    counts = isinstance(value, Call) and value.last in ("len", "get_dataset_size", "range", "arange", "linspace")
    return counts or setting(value)


def _computes(made: Call) -> bool:
    plain = made.name[:1] not in (".", "@", "") and "." not in made.name
    known = made.name.startswith(("math.", "numpy.", ".each")) or kept(made, "same") is not None
    return (plain and made.name != "[]") or known or _is_given(made)


def _of_range(over: Value | None) -> Value | None:
    """How many turns range(n) or range(0, n) has."""
    if not isinstance(over, Call) or over.last not in ("range", "arange") or over.keywords:
        return None
    if not 0 < len(over.args) < 3:
        return None
    start = over.args[0] if len(over.args) == 2 else KnownValue(0)
    return over.args[-1] if isinstance(start, KnownValue) and start.value == 0 else None
