"""Numbers as a script writes them: constants and what is computed from them, and those that are drawn, with their bounds."""

from __future__ import annotations

import ast
import re
from typing import Any

from .sample_functions import CHANCE, COMPUTES, DRAWS, ROUNDS
from .values import Call, Items, KnownValue, Many, NamedValue, Value, name_of, options

#: Factor and offset, by channel.
Scale = tuple[tuple[float, float], ...]


def constant(value: Value | None, depth: int = 0) -> tuple[float, ...] | None:
    """The numbers of a constant, of a list of them or of an array made of it; None for anything else."""
    if isinstance(value, KnownValue):
        number = value.value
        return (float(number),) if isinstance(number, (int, float)) and not isinstance(number, bool) else None
    if depth > 8:
        return None
    if isinstance(value, Items):
        found: list[float] = []
        for item in value.items[:17]:
            inner = constant(item, depth + 1)
            if inner is None or len(found) > 16:
                return None
            found += inner
        return tuple(found) if found and not value.open else None
    if not isinstance(value, Call) or value.unpacked:
        return None
    if value.name in ("+", "*") and any(isinstance(arg, Items) for arg in value.args):
        return _strung(value, depth)
    if value.name in ("+", "-", "*", "/") and len(value.args) == 2:
        left, right = constant(value.args[0], depth + 1), constant(value.args[1], depth + 1)
        return _folded(value.name, left, right) if left is not None and right is not None else None
    if value.name == "neg":
        inner = constant(value.args[0], depth + 1)
        return None if inner is None else tuple(-part for part in inner)
    if value.name == "[]" or value.last in (
        "reshape",
        "astype",
        "asnumpy",
        "view",
        "transpose",
        "expand_dims",
        "squeeze",
    ):
        return constant(value.base, depth + 1) if value.base is not None else _first(value, depth)
    if value.base is None and value.last in (
        "array", "asarray", "float32", "float64", "float16", "Tensor", "float", "tuple", "list", "Parameter", "tensor",
    ):  # fmt: skip
        return _first(value, depth)
    return None


def _first(value: Call, depth: int) -> tuple[float, ...] | None:
    given = value.args[0] if value.args else value.keywords.get("object") or value.keywords.get("input_data")
    return constant(given, depth + 1)


def _strung(value: Call, depth: int) -> tuple[float, ...] | None:
    """[0.5] * 3 and [1, 2] + [3]: of lists, these repeat and string together. Of a list and an array they reckon."""
    left, right = (constant(arg, depth + 1) for arg in value.args)
    if left is None or right is None:
        return None
    if value.name == "+" and all(isinstance(arg, Items) for arg in value.args):
        return left + right if len(left + right) <= 16 else None
    times = next((arg.value for arg in value.args if isinstance(arg, KnownValue)), None)
    if value.name == "*" and type(times) is int:
        listed = left if isinstance(value.args[0], Items) else right
        return listed * times if 0 < len(listed) * times <= 16 else None
    return _folded(value.name, left, right)


def _folded(symbol: str, left: tuple[float, ...], right: tuple[float, ...]) -> tuple[float, ...] | None:
    pairs = spread(left, right)
    try:
        if symbol == "+":
            return tuple(a + b for a, b in pairs)
        if symbol == "-":
            return tuple(a - b for a, b in pairs)
        if symbol == "*":
            return tuple(a * b for a, b in pairs)
        return tuple(a / b for a, b in pairs)
    except ArithmeticError:
        return None


def spread(left: tuple[float, ...], right: tuple[float, ...]) -> tuple[tuple[float, float], ...]:
    """Pairs of two lists of numbers, one of which may hold a single number for all."""
    if len(left) == len(right):
        return tuple(zip(left, right, strict=True))
    if len(left) == 1:
        return tuple((left[0], part) for part in right)
    return tuple((part, right[0]) for part in left) if len(right) == 1 else ()


def after(scale: Scale | None, pairs: tuple[tuple[float, float], ...]) -> Scale | None:
    """The scale of x -> factor * (a x + b) + offset."""
    if scale is None or not pairs:
        return None
    if len(scale) not in (1, len(pairs)) and len(pairs) != 1:
        return None
    count = max(len(scale), len(pairs))
    ours, theirs = (scale * count)[:count] if len(scale) == 1 else scale, (pairs * count)[:count]
    made = tuple((f * a, f * b + o) for (a, b), (f, o) in zip(ours, theirs, strict=True))
    return made[:1] if len(set(made)) == 1 else made


def one_number(value: Value | None) -> float | None:
    """The number of a constant that is one."""
    numbers = constant(value)
    return numbers[0] if numbers is not None and len(numbers) == 1 else None


def plain(value: Value | None, depth: int = 0) -> Any:
    """A constant as data: numbers, texts, lists of them; a member of a module by its last name; else its text."""
    if isinstance(value, KnownValue):
        return value.value
    if isinstance(value, (Items, Call)) and (numbers := constant(value)) is not None:
        whole = tuple(int(part) if abs(part) < 1e15 and part == int(part) else part for part in numbers)
        return whole if isinstance(value, Items) or len(whole) > 1 else whole[0]
    if isinstance(value, Items) and depth < 3:
        return tuple(plain(item, depth + 1) for item in value.items[:12])
    if isinstance(value, NamedValue):
        return value.name.rpartition(".")[2]
    if isinstance(value, Many):
        return " | ".join(dict.fromkeys(str(plain(option, depth + 1)) for option in value.options[:4]))
    return text_of(value)


def _generator(value: Value | None) -> bool:
    """True for a generator of random numbers."""
    return any(
        isinstance(option, Call)
        and re.search(r"RandomState|default_rng|^random\.Random$|Generator$", option.name) is not None
        for option in options(value)
    )


def is_drawn(value: Value) -> bool:
    """True for a call that draws a number."""
    if not isinstance(value, Call):
        return False
    if CHANCE.match(value.name) is not None:
        return True
    return value.name.startswith(".") and value.last in DRAWS and _generator(value.base)


def varies(made: Value) -> bool:
    """True for a draw from bounds that are known to differ."""
    if not isinstance(made, Call):
        return False
    if made.last in ("rand", "randn", "random", "random_sample", "standard_normal", "normal", "permutation"):
        return True
    if made.last in ("choice", "choices", "sample"):
        given = made.args[0] if made.args else None
        number = constant(given)
        return isinstance(given, Items) or (number is not None and number[0] > 1)
    low, high = drawn_from(made)
    if low is None and made.last in ("randint", "randrange", "integers") and len(made.args) == 1:
        number = constant(made.args[0])
        return number is not None and number[0] > 1
    return low is not None and high is not None and low < high


def computed_from(made: Call) -> list[Value]:
    """What a number is computed from: operands, arguments of plain functions, the drawn index into a list of constants."""
    if made.name in COMPUTES or made.last in ROUNDS:
        inner = [*made.args, *made.keywords.values()]
        return [made.base, *inner] if made.base is not None and made.name.startswith(".") else inner
    if made.name == "[]" and made.base is not None:
        return [made.base, *(made.args if constant(made.base) is not None else ())]
    return []


#: The bounds of what needs no arguments.
_BOUNDS = {
    **dict.fromkeys(("rand", "random", "random_sample", "ranf"), (0.0, 1.0)),
    **dict.fromkeys(("randn", "standard_normal", "StandardNormal"), (-4.0, 4.0)),
}


def drawn_from(made: Call) -> tuple[float | None, float | None]:
    """The bounds of numbers that a program makes; of a normal distribution, four deviations."""
    shaped = made.name.startswith("mindspore.ops.") and made.last in ("normal", "uniform")
    numbers = [one_number(value) for value in (made.args[1:] if shaped else made.args)]
    given = {key: one_number(value) for key, value in made.keywords.items()}

    def bound(place: int, default: float | None, *names: str) -> float | None:
        named = [given[name] for name in names if name in given]
        return named[0] if named else numbers[place] if place < len(numbers) else default

    last = made.last
    if made.unpacked:
        return None, None
    if last in _BOUNDS:
        return _BOUNDS[last]
    if last in ("normal", "gauss"):
        mean, deviation = bound(0, 0.0, "loc", "mean", "mu"), bound(1, 1.0, "scale", "stddev", "std", "sigma")
        return (None, None) if mean is None or deviation is None else (mean - 4 * deviation, mean + 4 * deviation)
    if last in ("uniform", "linspace", "randint", "randrange", "integers"):
        ends = (0.0, 1.0) if last == "uniform" else (None, None)
        low, high = bound(0, ends[0], "low", "start", "minval"), bound(1, ends[1], "high", "stop", "end", "maxval")
        return (None, None) if low is None or high is None else (low, high)
    return (0.0, 1.0) if last.startswith(("zeros", "ones")) else (None, None)


def text_of(value: Value | None) -> str:
    if isinstance(value, Call) and isinstance(value.node, ast.expr):
        try:
            return value.source.segment(value.node, 60)
        except RecursionError:
            return "…"
    return "" if value is None else name_of(value) or type(value).__name__.lower()


def shown_value(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, tuple):
        return "(" + ", ".join(shown_value(part) for part in value) + ("," if len(value) == 1 else "") + ")"
    return str(value)[:60]
