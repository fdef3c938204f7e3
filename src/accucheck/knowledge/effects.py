"""What operations on arrays keep of what they are given, and what they give: effects.json, a line an operation.

An operation has many spellings: a function or class of ops, nn, mint or mindspore.numpy, a method of tensors (".view"), an attribute
("@T"), one of numpy or Python, an operator ("+"). A test runs each on arrays and compares with its line, but for those that
cannot be run where the tests run; their line says why not.
"""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path
from typing import Literal

import msgspec

#: The answers for so many names are kept: scripts make up names of their own.
NAMES = 4096

#: What an operation keeps, the most first:
#: same        each element at its place, but for the precision of its type
#: order       the elements in their order, in another shape
#: values      the elements, each as often, at other places or put together
#: elements    what it gives are elements of its operands, some perhaps not or several times
#: filled      elements of its operand, and at some places a constant
#: whole       the elements without what is behind the point
#: truth       whether an element is not 0
#: limited     the operand where it lies within limits that are given
#: between     something between the smallest and the largest of what it is computed from; f(a x) = a f(x)
#: factor      a positive factor of all elements: f(a x) = a f(x)
#: negated     the operand with the other sign
#: direction   the operand times a positive number that is computed from it
Keeps = Literal[
    "",
    "same",
    "order",
    "values",
    "elements",
    "filled",
    "whole",
    "truth",
    "limited",
    "between",
    "factor",
    "negated",
    "direction",
]


class Effect(msgspec.Struct, frozen=True):
    """What an operation does, by all its `names` (as names.canonical gives them).

    keeps       of the operands at the places `of`, as said above; of a list, its items are the operands; `keyword` is what the
                operand is called where a call names it and signatures.json does not have it
    neutral     of an operator on two: with this number as one operand, the result is the other one; `right`: only as the second
    gives       the form of a prediction: probabilities, log-probabilities (over an axis), "element ..." when each counts alone;
                "logits" for a product with weights, "activation" for what is applied to each element, "log" for a logarithm
    kind        truth (0 or 1), index, count, whole (numbers), description (of the array, whatever its elements), random, nothing;
                agreement: the nearer two operands are to each other, the larger
                gradient: of the function or network that it is given, in the inputs or in weights. `calls`: how often what it
                gives is called until they are there; `updates`: it also has an optimizer apply them
    power       f(a x) = a ** power f(x)
    low, high   bounds of all elements of the result
    constant    the number that each element is
    new         the result does not hang on the elements of an operand
    axes        the sizes of its axes stay, but for their order and for axes of size 1; so with all that keep "same"
    ordered     along each axis the elements stay in their order, whatever becomes of the axes
    picks       numbers in another operand tell which elements it takes
    rises       of a larger element, it gives no smaller one; each element counts alone
    steepest    |f(x) - f(y)| is this times |x - y| at most, and nearly so somewhere; left out where that is 1 or more
    linear      f(x + y) = f(x) + f(y)
    reduces     one number for several
    several     it gives further results: all this is said of the one at `value`
    pieces      it gives several parts of the operand, and all this is said of them together
    stops       no gradient goes through it: it gives numbers, or an array that is not differentiated
    asks        those of its names, functions of NumPy, that ask the array's own methods: a tensor comes out of them as a tensor
    mode        "evaluation": this holds there; in training what a dropout leaves is divided by the share that it leaves
    untried     why no test runs them -> spellings: "absent" from the public modules of MindSpore 2.10, "broken" in it, "pytorch"
                (a method of its tensors), "devices" (several are needed), "ascend" (it does not run on a CPU)
    """

    operation: str
    names: tuple[str, ...]
    keeps: Keeps = ""
    of: tuple[int, ...] = (0,)
    keyword: str = ""
    neutral: float | None = None
    right: bool = False
    gives: str = ""
    kind: str = ""
    power: float | None = None
    low: float | None = None
    high: float | None = None
    constant: float | None = None
    new: bool = False
    axes: bool = False
    ordered: bool = False
    picks: bool = False
    rises: bool = False
    steepest: float = 1.0
    linear: bool = False
    reduces: bool = False
    several: bool = False
    value: int = 0
    stops: bool = False
    pieces: bool = False
    asks: tuple[str, ...] = ()
    mode: str = ""
    calls: int = 0
    updates: bool = False
    untried: dict[str, tuple[str, ...]] = {}

    @property
    def keeps_order(self) -> bool:
        """Each element is there, and along each axis in the order of before."""
        return self.ordered or self.keeps in ("same", "order", "whole", "truth")

    def why_untried(self, name: str) -> str:
        """Why no test runs a spelling of it; "" where one does."""
        return next((why for why, names in self.untried.items() if name in names), "")


@cache
def load() -> list[Effect]:
    return msgspec.json.decode(Path(__file__).with_suffix(".json").read_bytes(), type=list[Effect])


@cache
def _by_name() -> dict[str, Effect]:
    return {name: effect for effect in load() for name in effect.names}


@lru_cache(maxsize=NAMES)  # every rule asks about every call
def find(name: str) -> Effect | None:
    """What the operation of this canonical name does; Tensor.view(x) is x.view()."""
    known = _by_name().get(name)
    return _by_name().get(name[len("Tensor") :]) if known is None and name.startswith("Tensor.") else known


@cache
def _by_last() -> dict[str, list[Effect]]:
    found: dict[str, list[Effect]] = {}
    for effect in load():
        for last in dict.fromkeys(plain(name) for name in effect.names):
            found.setdefault(last, []).append(effect)
    return found


@lru_cache(maxsize=NAMES)
def plain(name: str) -> str:
    """The last part of a name in lower case, without underscores: alike for a function, a method and a class."""
    return name.rsplit(".", 1)[-1].replace("_", "").lower()


def alike(name: str) -> list[Effect]:
    """The operations that are called so in some namespace, whatever the case and underscores: for code of which only the text
    is read."""
    return _by_last().get(plain(name), [])


def keeps(name: str, *words: str) -> bool:
    """Whether all operations that are called so keep one of these."""
    return bool(alike(name)) and all(effect.keeps in words for effect in alike(name))


def keeps_order(name: str) -> bool:
    """Whether all operations that are called so keep each element, along each axis in the order of before."""
    return bool(alike(name)) and all(effect.keeps_order for effect in alike(name))


def in_place(name: str) -> bool:
    """Whether an operation of this name changes the tensor it is given: such names end in an underscore, as in PyTorch."""
    return name.endswith("_") and not name.endswith("__")


@cache
def differentiating(updates: bool | None = None) -> frozenset[str]:
    """The names of all that gives gradients; with `updates`, of what has them applied, or of what does not."""
    fitting = (known for known in load() if known.kind == "gradient" and updates in (None, known.updates))
    return frozenset(name for known in fitting for name in known.names)
