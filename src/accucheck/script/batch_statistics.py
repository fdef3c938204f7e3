"""What a number that is computed of one batch becomes when it is averaged over batches: the same as over all samples, or another one.

Sums over samples add up, and means do where batches are of one size. A quotient of two sums that both hang on the samples (F1, overlap
of areas), a root, logarithm or power of a mean (perplexity, root mean squared error) and what ranks the samples of a batch (average
precision) is another number in each batch than over all of them, and its average is none of all samples.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from ..knowledge import api
from ..knowledge.metric_functions import metric_functions
from . import flow
from .axes import axes_given, rank
from .effects import MOVED, differentiates, effect, kept, named_arguments, operands
from .factors import comparison
from .losses import applied, is_truth
from .networks import is_loss
from .values import Call, Items, KnownValue, Value, is_known, options

#: What a value holds of a batch. SAMPLES: something for each sample, or each position of one; CHOSEN: for some of them, which hangs on
#: the samples; RANKED: what hangs on the order of the samples by their scores. Of all samples one number, or a few: SUM, MEAN, the mean
#: LOSS that the framework computes, a RATIO that is neither a sum nor a mean, and the SIZE of the batch. NUMBER: the same for each batch.
SAMPLES, CHOSEN, RANKED = "samples", "chosen", "ranked"
SUM, MEAN, LOSS, RATIO, SIZE, NUMBER = "sum", "mean", "loss", "ratio", "size", "number"
_EACH = (SAMPLES, CHOSEN, RANKED)
_OF_ALL = (SUM, MEAN, LOSS, RATIO)
#: Values within values are looked into so far.
DEPTH = 60
#: Operations on each element, after which a mean is none any more.
_BENDS = ("exp", "log", "log_other", "expm1", "sqrt", "rsqrt", "square", "reciprocal", "pow", "sigmoid", "tanh", "erf")
#: Those of the module math, on one number.
_OF_MATH = tuple(f"math.{name}" for name in ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "pow"))
#: Operations after which there is something for each sample as before.
_ELEMENTS = (
    *_BENDS,
    *(
        "add",
        "sub",
        "mul",
        "div",
        "floor_div",
        "abs",
        "sign",
        "negate",
        "extreme",
        "clip",
        "round_to",
        "where",
        "where_method",
    ),
    *(
        "logical_and",
        "logical_or",
        "logical_xor",
        "logical_not",
        "one_hot",
        "softmax",
        "log_softmax",
        "argmax",
        "check",
        "close",
        "relu",
        "masked_fill",
        "nan_to_num",
    ),
)
#: Sums, means, and what is neither, of several elements.
_REDUCES = {
    "sum": SUM,
    "add_n": SUM,
    "count": SUM,
    "mean": MEAN,
    "average": RATIO,
    "std": RATIO,
    "variance": RATIO,
    "norm": RATIO,
}
#: What gives one element after the other.
_LISTED = ("zip", "comprehension", "generator")
#: Limits of a number against division by zero and the like: the builtins, which do not operate on arrays.
_GUARDS = ("max", "min")


class BatchStatistics:
    """What the values of one reading hold of a batch. `is_batch`: whether a value is what a loop over a data set yields; `is_size`: whether
    it is a number of rows or batches."""

    def __init__(self, is_batch: Callable[[Call], bool], is_size: Callable[[Call], bool]) -> None:
        self._is_batch, self._is_size = is_batch, is_size
        self._found: dict[int, str] = {}
        self._held: list[Value] = []  # as long as their ids count

    def of(self, value: Value | None, depth: int = 0) -> str:
        """One of the words above; "" where that is not seen."""
        return _together({self._of(option, depth) for option in options(value)})

    def _of(self, value: Value, depth: int) -> str:
        if id(value) not in self._found:
            self._found[id(value)] = ""  # for what comes back to itself
            self._held.append(value)
            self._found[id(value)] = self._asked(value, depth) if depth < DEPTH else ""
        return self._found[id(value)]

    def _asked(self, value: Value, depth: int) -> str:
        if isinstance(value, KnownValue):
            return NUMBER
        if isinstance(value, Items):
            return _together({self.of(item, depth + 1) for item in value.items})
        if not isinstance(value, Call):
            return ""
        if self._is_size(value):
            return SIZE
        if value.name == "" and differentiates(value.base):  # gradients are no statistic of the samples
            return ""
        return self._read(value, depth) or self._framework_loss(value, depth) or self._done(value, depth)

    def _read(self, made: Call, depth: int) -> str:
        """Of what a loop over a data set yields, of a network that is called with it, and of what code of the project gives."""
        if made.name == ".each":
            one_sample = self.of(made.base, depth + 1) in _EACH
            return SAMPLES if self._is_batch(made) and not one_sample else ""
        if made.result is not None and made.name != "generator" and (found := self.of(made.result, depth + 1)):
            return found
        network = made.name == "" and made.base is not None and not (is_loss(made.base) or _reduces(made))
        predicts = network or (made.name == ".predict" and made.base is not None)
        return SAMPLES if predicts and SAMPLES in {self.of(one, depth + 1) for one in made.args} else ""

    def _framework_loss(self, made: Call, depth: int) -> str:
        loss = applied(made)
        if loss is None or self.of(loss.prediction, depth + 1) not in _EACH:
            return ""
        known = api.find(loss.loss)
        reduction = named_arguments(loss.cell or made).get("reduction")
        if reduction is None:
            told = known.reduction if known is not None else ""
        else:
            told = reduction.value if isinstance(reduction, KnownValue) else ""
        return {"none": SAMPLES, None: SAMPLES, "sum": SUM, "mean": LOSS}.get(told, "")

    def _done(self, made: Call, depth: int) -> str:
        """Of an operation on arrays or numbers."""
        if made.name == "[]":
            return self._part(made, depth)
        if made.name in _LISTED:
            return self._gathered(made, depth)
        if made.name == "~":
            return self.of(made.args[0], depth + 1)
        if made.name in _GUARDS:
            return _together({self.of(one, depth + 1) for one in made.args})
        if made.name in _OF_MATH:
            return _bent([self.of(one, depth + 1) for one in made.args])
        judged = self._judged(made, depth)
        if judged or (known := effect(made)) is None:
            return judged
        if comparison(made):
            return _of_elements([self.of(one, depth + 1) for one in operands(made, (0, 1))])
        if known.operation in _REDUCES:
            return self._reduced(made, _REDUCES[known.operation], depth)
        if known.operation in _ELEMENTS:
            return self._elements(made, known.operation, depth)
        return self._arranged(made, known.operation, depth)

    def _gathered(self, made: Call, depth: int) -> str:
        """Of arrays side by side, and of a comprehension: whatever it makes of each sample is something for each, for some of them where it
        leaves others out. Over anything else, such as classes, it holds what each of its elements is. A generator gives as many as it has
        turns."""
        if made.name == "zip":
            return SAMPLES if SAMPLES in {self.of(one, depth + 1) for one in made.args} else ""
        if made.name == "generator" or isinstance(made.node, ast.DictComp):
            return ""
        if self.of(made.args[-1], depth + 1) in _EACH:
            turns = getattr(made.node, "generators", [])  # map() has none, and leaves nothing out
            return CHOSEN if any(part.ifs for part in turns) else SAMPLES
        each = self.of(made.args[0], depth + 1)
        return each if each in _OF_ALL and not self._has_turn_for_each_batch(made) else ""

    def _has_turn_for_each_batch(self, made: Call) -> bool:
        """Whether the elements of a comprehension are of one batch each."""
        found = (part for part in flow.sources(made.args[0]) if isinstance(part, Call) and part.node is made.node)
        return any(self._is_batch(part) for part in found)

    def _arranged(self, made: Call, does: str, depth: int) -> str:
        """Of an operation that moves elements, counts them off, or sums up those before each."""
        if does == "arange":
            return NUMBER if {self.of(one, depth + 1) for one in made.args} <= {NUMBER, SIZE} else ""
        if does == "cumsum":
            first = self.of(next(iter(operands(made)), None), depth + 1)
            return RANKED if first in _EACH and _takes_all(made) else ""
        inner = kept(made, *MOVED, "elements", "filled", "whole", "truth") or []
        return _together({self.of(one, depth + 1) for one in inner})

    def _judged(self, made: Call, depth: int) -> str:
        """Of functions of scikit-learn and the like that take labels and guesses."""
        functions = metric_functions()
        if made.name not in (*functions.of_samples, *functions.of_all, *functions.counts):
            return ""
        if not any(self.of(one, depth + 1) in _EACH for one in (*made.args, *made.keywords.values())):
            return ""
        average = made.keywords.get("average")
        if isinstance(average, KnownValue) and average.value == "micro":
            return ""  # of one label for each sample it is the share of right guesses
        return MEAN if made.name in functions.of_samples else RATIO if made.name in functions.of_all else SUM

    def _part(self, made: Call, depth: int) -> str:
        """Of an item: some of the samples where the index hangs on them."""
        whole = self.of(made.base, depth + 1)
        key = made.args[0] if made.args else None
        keys = key.items if isinstance(key, Items) else [key]
        if whole in ("", NUMBER) and len(keys) == 1 and self.of(key, depth + 1) == SAMPLES:
            return SAMPLES  # looked up for each sample
        if whole not in _EACH:
            return whole
        first = next((one for one in keys if one is not None), None)
        if isinstance(made.base, Call) and (self._is_batch(made.base) or _is_output(made)):
            return whole  # a column, or one of several outputs
        if isinstance(first, KnownValue) and type(first.value) is int:
            return ""  # one sample
        return CHOSEN if any(map(is_truth, keys)) else whole

    def _reduced(self, made: Call, into: str, depth: int) -> str:
        of = self.of(next(iter(operands(made)), None), depth + 1)
        if of in _OF_ALL:  # over classes
            return of if into in (SUM, MEAN) else ""
        if of not in _EACH:
            return of if of in (NUMBER, SIZE) else ""
        if not _takes_all(made):
            return of if _axes(made) else ""  # over other axes only, as far as they are seen
        if of == RANKED or (of == CHOSEN and into == MEAN):
            return RATIO
        return into

    def _elements(self, made: Call, does: str, depth: int) -> str:
        """Of an operation on each element, or on numbers."""
        places = (1, 2) if does == "where" else (0, 1, 2) if does == "where_method" else (0, 1)
        found = [self.of(one, depth + 1) for one in operands(made, places)]
        if any(one in _EACH for one in found):
            return _of_elements(found)
        if does == "mul":
            return _product(found)
        if does == "div":
            return _quotient(found)
        if does in _BENDS:
            return _bent(found)
        return _together(set(found))


def _bent(found: list[str]) -> str:
    """Of a root, power, logarithm or exponential of a number."""
    return RATIO if found and found[0] in _OF_ALL else _together(set(found))


def _of_elements(found: list[str]) -> str:
    """Of an operation on samples and what may be broadcast over them; "" where that is something of the whole batch."""
    kinds = {*found} - {NUMBER, SIZE}
    if not kinds or kinds - {*_EACH}:
        return ""
    return RANKED if RANKED in kinds else CHOSEN if CHOSEN in kinds else SAMPLES


def _together(found: set[str]) -> str:
    """Of several that are added, or of which it is one: constants do not count beside others."""
    kinds = found - {NUMBER} or found
    if len(kinds) == 1:
        return kinds.pop()
    if RATIO in kinds and kinds <= {*_OF_ALL}:
        return RATIO
    return SUM if kinds == {SUM, SIZE} else ""


def _product(found: list[str]) -> str:
    kinds = {*found} - {NUMBER} or {NUMBER}
    if len(found) == 2 and kinds == {MEAN, SIZE}:
        return SUM
    both = [one for one in found if one != NUMBER]
    if len(both) == 2 and all(one in (SUM, MEAN, RATIO) for one in both):
        return RATIO
    return kinds.pop() if len(kinds) == 1 else ""


def _quotient(found: list[str]) -> str:
    if len(found) != 2:
        return ""
    above, below = found
    if below == NUMBER:
        return above
    if below == SIZE:
        return {SUM: MEAN, SIZE: NUMBER}.get(above, above if above == RATIO else "")
    hangs = below in (SUM, MEAN, RATIO) and above in (SUM, MEAN, RATIO, NUMBER, SIZE)
    return RATIO if hangs else ""


def _is_output(made: Call) -> bool:
    """Whether an item is one of several things that a network gives side by side, as they are unpacked."""
    return isinstance(made.base, Call) and made.base.name == "" and isinstance(made.node, (ast.Tuple, ast.List))


def _reduces(made: Call) -> bool:
    """Whether an object that is called is an operation that makes one number of several, and no network."""
    known = effect(made)
    return known is not None and known.operation in _REDUCES


def _takes_all(made: Call) -> bool:
    """Whether a reduction goes over the axis of the samples, the first one, or over all axes."""
    told = _axes(made)
    if told is None:
        return True
    exact = rank(next(iter(operands(made)), None)).exact
    return any(axis == 0 or (exact is not None and axis == -exact) for axis in told)


def _axes(made: Call) -> list[int] | None:
    """The axes that a reduction names: none where they are not seen; None where it goes over all."""
    given = axes_given(made)
    if given is None or is_known(given, None):
        return None
    values = given.items if isinstance(given, Items) else [given]
    axes = [axis for value in values for axis in _numbers(value)]
    return [] if None in axes else [axis for axis in axes if axis is not None]


def _numbers(value: Value) -> list[int | None]:
    """The whole numbers of a constant, None for what is none."""
    told = value.value if isinstance(value, KnownValue) else None
    return [one if type(one) is int else None for one in (told if isinstance(told, tuple) else (told,))]
