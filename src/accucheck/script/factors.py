"""What a loss or a gradient is multiplied by on its way: loss scales that are put on and taken off again.

A value is taken apart into a product: numbers, values that stand for a scale, and the rest. Operations that keep a constant
factor (a sum, a cast, a mean, a reduction across devices, clipping) are passed through, any other ends the road. A gradient
has the factors of the loss that it is taken of and of its sens. Where a value may be one of several, each is a term of its
own; terms that no run can bring together are dropped.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Any, NamedTuple

from ..knowledge import api, effects, names, signatures
from ..knowledge.effects import Effect
from .effects import TAKEN, differentiates, effect, kept
from .syntax import kept as kept_with_code
from .syntax import unparse
from .values import (
    Call,
    Instance,
    Items,
    KnownValue,
    Many,
    NamedValue,
    Test,
    UnknownValue,
    Value,
    is_known,
    name_of,
    options,
)

Key = tuple[Any, ...]
#: What no run can have at once: a value with the option that was taken, a condition with the way that was taken.
Choice = tuple[Key, Any]

#: Terms and steps for one value, before the rest is left out.
TERMS, DEEP = 24, 70
#: A plain number this large, and a power of two, is meant as a loss scale.
LARGE = 256.0
#: Factors between these are weights, numbers of devices or of accumulated steps rather than scales.
SMALL = 48.0

_HINT = re.compile(
    r"(loss|grad)_?scal|scal\w*_?sens|(^|_)sens($|_)|^scale_?value$|^scaler$|(amp|grad|loss)_?scaler|^scaling$|^sens\d*$",
    re.I,
)


def words(text: str) -> frozenset[str]:
    """A set of words in one string."""
    return frozenset(text.split())


#: What keeps a constant factor of the operand; but for its sign, and for what is clipped.
_FACTOR = (*TAKEN, "filled", "limited", "between", "factor", "negated")
#: Comparisons by how they are written.
COMPARES: dict[str, Callable[[float, float], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_SYMBOLS = {
    "*": "mul",
    "/": "div",
    "//": "div",
    "+": "add",
    "-": "sub",
    "**": "pow",
    "neg": "neg",
    "&": "and",
    "|": "or",
}
#: Calls that give the same each time: of the same values, they stand for the same condition.
_PURE = words(
    "== != < <= > >= in not + - % // ** isinstance hasattr getattr len bool str int float get startswith endswith lower upper"
    " strip keys get_context get_auto_parallel_context"
) | {"not in"}
#: Comparisons by what they are the negation of.
_NEGATED = {"!=": "==", "not in": "in"}
_IS_NONE = {"==": True, "!=": False}
_AFFIRMED: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.NotEq: ast.Eq, ast.IsNot: ast.Is, ast.NotIn: ast.In}
#: Arithmetic that keeps a sum or mean one, by what it `does`.
ARITHMETIC = ("add", "sub", "mul", "div", "negate")
#: Functions within the framework that divide a gradient by a scale: scale, gradient.
_UNSCALES = ("nn.wrap.loss_scale._grad_scale", "nn.wrap.loss_scale.tensor_grad_scale", "amp._grad_unscale")
_SCALERS = ("amp.DynamicLossScaler", "amp.StaticLossScaler")
_MANAGERS = (
    "amp.FixedLossScaleManager",
    "amp.DynamicLossScaleManager",
    "nn.FixedLossScaleUpdateCell",
    "nn.DynamicLossScaleUpdateCell",
)


class Operation(NamedTuple):
    """A call of the framework by its name: lower case, without underscores, whether function, method or class; and by what it
    `does`: the operation in effects.json, "" for what is not known. A division that rounds is a division here."""

    name: str
    operands: list[Value]
    keywords: dict[str, Value]
    does: str = ""

    def operand(self, place: int, *names: str) -> Value | None:
        """The operand at a place, or by one of its names."""
        if place < len(self.operands):
            return self.operands[place]
        return next((self.keywords[name] for name in names if name in self.keywords), None)


@kept_with_code
def operation(made: Call) -> Operation:
    name, base = made.name, made.base
    called = _called(made)
    if name in _SYMBOLS:
        return Operation(called, made.args, {}, _does(made, called))
    operands = [base, *made.args] if name.startswith(".") and base is not None else made.args
    return Operation(called, operands, made.keywords, _does(made, called))


def _called(made: Call) -> str:
    name, base = made.name, made.base
    if name in _SYMBOLS:
        return _SYMBOLS[name]
    if name == "" and isinstance(base, Call) and base.name[:1] not in (".", "@", "[", ""):
        return effects.plain(base.api)
    return "" if name[:1] in ("", "@", "[") else effects.plain(name if name[0] == "." else made.api)


def _does(made: Call, called: str) -> str:
    """The operation behind a call; for an unknown name, the only operation that similar known names stand for."""
    known = effect(made)
    does = known.operation if known is not None else _like(called)
    return "div" if does == "floor_div" else does


@kept_with_code
def _like(called: str) -> str:
    alike = {one.operation for one in effects.alike(called)}
    return alike.pop() if len(alike) == 1 else ""


@cache
def _signs() -> dict[str, str]:
    """How the operations that compare are written."""
    return {one.operation: name for one in effects.load() for name in one.names if name in COMPARES}


@kept_with_code
def comparison(made: Call) -> str:
    """How a comparison is written, whether by a sign, a function, a method or a class; "" for a call that is none."""
    if made.name in COMPARES:
        return made.name
    return "" if made.name[:1] in ("@", "[") else _signs().get(_does(made, _called(made)), "")


def _known(made: Call, done: Operation) -> list[Effect]:
    """What is known of the operation behind a call; of a name that is not known, of all operations of this name."""
    known = effect(made)
    return [known] if known is not None else effects.alike(done.name)


def _exponent(made: Call, done: Operation) -> float | None:
    """The power to which a call raises its operand."""
    if done.does == "pow":
        given = done.operand(1, "exponent")
        return float(given.value) if isinstance(given, KnownValue) and isinstance(given.value, (int, float)) else None
    powers = {one.power for one in _known(made, done)}
    return powers.pop() if len(powers) == 1 else None


def _passed(made: Call, done: Operation) -> Value | None:
    """The operand whose constant factor is one of the result, too; of a name that is not known, what all operations of this
    name keep."""
    known = kept(made, *_FACTOR)
    if known is not None:
        return next((value for value in known if not isinstance(value, KnownValue)), known[0])
    return done.operand(0) if effect(made) is None and effects.keeps(done.name, *_FACTOR) else None


class Gradient(NamedTuple):
    """A call that differentiates: of which function, what that returned, by which weights, with which sens; whether by weights
    at all, and whether further outputs are set apart (all of them are differentiated otherwise)."""

    call: Call
    function: Value | None
    loss: Value | None
    weights: Value | None
    sens: Value | None
    by_weights: bool
    has_aux: bool


def gradient(made: Value) -> Gradient | None:
    """What a value is the gradient of, when it is the call of a gradient function."""
    if not isinstance(made, Call) or made.name or not isinstance(made.base, Call):
        return None
    if not differentiates(made.base):
        return None
    given = made.base  # the call that the function is given to
    maker = given.base if given.name == "" and isinstance(given.base, Call) else given
    with_sens = is_known(argument_of(maker, "sens_param"), True)
    sens = made.keywords.get("sens") or (made.args[-1] if made.args else None)
    if maker is given:
        function, weights = argument_of(maker, "fn") or argument_of(maker, "network"), argument_of(maker, "weights")
    else:
        function, weights = given.argument(["fn", "weights"], "fn"), given.argument(["fn", "weights"], "weights")
    if is_known(weights, None):
        weights = None
    by_weights = weights is not None or is_known(argument_of(maker, "get_by_list"), True)
    has_aux = is_known(argument_of(maker, "has_aux"), True)
    return Gradient(made, function, _loss(made.result), weights, sens if with_sens else None, by_weights, has_aux)


def argument_of(call: Call, name: str) -> Value | None:
    """The argument that a call of MindSpore gives for a parameter of this name."""
    known = signatures.load().signature(call.api) or api.find(call.api)
    return call.argument(list(known.positional) if known is not None else [], name)


def given_to_base(made: Instance, name: str) -> Value | None:
    """What the class of an object gives the __init__ of its base in MindSpore for a parameter of this name."""
    for base, args, keywords in made.supers:
        known = signatures.load().signature(names.canonical(base))
        bound = {**dict(zip(known.positional if known is not None else (), args, strict=False)), **keywords}
        if name in bound:
            return bound[name]
    return None


def _loss(result: Value | None) -> Value | None:
    """What is differentiated: the first of several outputs."""
    return result.items[0] if isinstance(result, Items) and result.items else result


@dataclass(frozen=True)
class Term:
    """One way to see a value as a product. `plain` is that part of `number` which by no sign is a scale: the weight of a loss;
    `gradients` the gradient calls within; `rough` tells that something on the road could not be followed, `blurred` that
    there were too many roads, or a loss at its start that is not seen."""

    number: float = 1.0
    plain: float = 1.0
    powers: frozenset[tuple[Key, float]] = frozenset()
    gradients: frozenset[int] = frozenset()
    choices: frozenset[Choice] = frozenset()
    never: frozenset[frozenset[Choice]] = frozenset()  # choices that it cannot go with
    put_on: frozenset[Key] = frozenset()
    rough: bool = False
    uneven: bool = False  # a sum of which only one side carries a scale
    blurred: bool = False
    normed: bool = False  # divided by the size of gradients, and so rid of every factor of theirs

    @property
    def unsure(self) -> bool:
        """It may carry something else."""
        return self.rough or self.blurred

    @property
    def scale(self) -> float:
        """The number without the weights."""
        return self.number / self.plain if self.plain else self.number

    def power(self, exponent: float) -> Term:
        try:
            number, plain = float(self.number**exponent), float(self.plain**exponent)
        except (ArithmeticError, ValueError, TypeError):
            number = plain = 1.0
        powers = frozenset((key, value * exponent) for key, value in self.powers if value * exponent)
        normed = self.normed or (exponent < 0 and bool(self.gradients))
        return replace(self, number=number, plain=plain, powers=powers, normed=normed)

    def may(self, choices: frozenset[Choice]) -> bool:
        """Whether it goes with these choices."""
        both = self.choices | choices
        return len(dict(both)) == len(both) and not any(ruled_out <= both for ruled_out in self.never)

    def times(self, other: Term) -> Term | None:
        """The product; None when no run has both."""
        choices, never = self.choices | other.choices, self.never | other.never
        if len(dict(choices)) != len(choices) or any(ruled_out <= choices for ruled_out in never):
            return None
        powers = dict(self.powers)
        for key, value in other.powers:
            powers[key] = powers.get(key, 0.0) + value
        return Term(
            _bounded(self.number * other.number),
            _bounded(self.plain * other.plain),
            frozenset((key, value) for key, value in powers.items() if value),
            self.gradients | other.gradients,
            choices,
            never,
            self.put_on | other.put_on,
            self.rough or other.rough,
            self.uneven or other.uneven,
            self.blurred or other.blurred,
            self.normed or other.normed,
        )


def _bounded(number: float) -> float:
    return number if 1e-60 < abs(number) < 1e60 or number == 0 else 1.0


ONE = Term()
_Terms = tuple[Term, ...]


class Factors:
    """The factors of the values of one trace."""

    def __init__(self, divisor: Callable[[Value], Value | None] = lambda optimizer: None) -> None:
        """`divisor` tells what an optimizer was given as loss_scale."""
        self.divisor = divisor
        self.known: dict[tuple[int, bool], _Terms] = {}
        self.values: dict[Key, Value] = {}
        self.kept: list[Value] = []  # so that an id is not given twice
        self.depth = 0
        self.gradients: dict[int, Gradient] = {}
        self.hidden: set[int] = set()  # gradients of a loss that is not seen
        self.scales: set[Key] = set()  # what is given as sens
        self.defaults: dict[Key, bool] = {}  # conditions that options and configuration files decide -> what they say

    # --- keys ---------------------------------------------------------------------------------------------------------

    def key(self, value: Value, depth: int = 0) -> Key:
        """What a value is called here; the same for two reads of one attribute."""
        found = self._key(value, depth)
        self.values.setdefault(found, value)
        return found

    def _key(self, value: Value, depth: int) -> Key:
        if isinstance(value, KnownValue):
            return "known", type(value.value).__name__, str(value.value)[:100]
        if isinstance(value, NamedValue):
            return "named", value.name
        made = self._made_key(value, depth) if depth < 8 else None
        if made is not None:
            return made
        self.kept.append(value)
        return "id", id(value)

    def _made_key(self, value: Value, depth: int) -> Key | None:
        """The key of a value that was put together of others: by what these are, and how."""
        if isinstance(value, Many) and value.by is not None:
            parts = tuple(self._part(option, depth + 1) for option in value.options)
            # What a constant of a comparison is about is not seen in it.
            bare = any(isinstance(option, KnownValue) and not option.name for option in value.options)
            return unparse(value.by) if bare else _shape(value.by), *parts
        if isinstance(value, Items) and not value.open:
            return "items", *(self._part(item, depth + 1) for item in value.items[:24]), len(value.items)
        if not isinstance(value, Call):
            return None
        return self._call(value.name, value, depth) if value.last in _PURE else self._read_key(value, depth)

    def _read_key(self, value: Call, depth: int) -> Key | None:
        """What is read of something, as an attribute, an item, or its .value; None for any other call."""
        if value.base is None:
            return None
        if value.name == ".value":
            return self._key(value.base, depth + 1)
        if value.name == "@scale_value" and self._is_scaler(value.base):
            return self.scale_of(value.base)
        is_item = value.name == "[]" and isinstance(value.args[0], KnownValue)
        is_scale = value.name == ".get_loss_scale" and not value.args
        if not (is_item or is_scale or value.name.startswith("@")):
            return None
        inner = tuple(self._key(arg, depth + 1) for arg in value.args)
        return value.name, self._key(value.base, depth + 1), inner

    def _part(self, value: Value, depth: int) -> Key:
        """The key of a part; settings that have one value by default are still several."""
        key = self._key(value, depth)
        return (key, value.name) if isinstance(value, KnownValue) and value.assumed else key

    def _call(self, name: str, made: Call, depth: int) -> Key:
        """The key of a call or operator that is nothing but what it is given."""
        base = () if made.base is None else self._part(made.base, depth + 1)
        keywords = ((name, self._part(value, depth + 1)) for name, value in sorted(made.keywords.items()))
        return name, base, *(self._part(arg, depth + 1) for arg in made.args), *keywords

    def condition(self, test: Test) -> Choice | None:
        """A condition and the way that was taken, the same for `if x` and `if not x`."""
        if test.taken is None:
            return None
        value, taken, node = affirmed(test)
        if isinstance(value, KnownValue):
            said, opposite = _affirmed(node) if not value.name else (value.name, False)
            key: Key = "test", "known", said
            self.defaults[key] = bool(value.value) is not opposite
            return key, taken is not opposite
        if (made := self._made_where(value, taken)) is not None:
            return made
        if isinstance(value, Call) and value.name in _NEGATED:
            return ("test", self._call(_NEGATED[value.name], value, 0)), not taken
        return ("test", self.key(value)), taken

    def _made_where(self, value: Value, taken: bool) -> Choice | None:
        """For whether something was made, or is None: the condition that it was made under, where that is a single one."""
        asked, there = value, True
        if isinstance(value, Call) and value.name in _IS_NONE and len(value.args) == 2 and _nothing(value.args[1]):
            asked, there = value.args[0], not _IS_NONE[value.name]
        if not isinstance(asked, Many) or asked.by is not None or len(asked.options) != 2:
            return None
        under = [self._made_under(option) for option in asked.options if not _nothing(option)]
        if len(under) != 1 or len(under[0]) != 1:
            return None
        ((key, way),) = under[0]
        return (key, way is (taken is there)) if isinstance(way, bool) else None

    def conditions(self, tests: Iterable[Test]) -> frozenset[Choice]:
        found: dict[Key, Any] = {}
        for test in tests:
            choice = self.condition(test)
            if choice is not None:
                found[choice[0]] = choice[1]
        return frozenset(found.items())

    # --- terms --------------------------------------------------------------------------------------------------------

    def of(self, value: Value | None, scales: bool = False) -> _Terms:
        """All ways to see a value as a product. `scales`: it is a sens, where each number is a scale."""
        if value is None:
            return (ONE,)
        place = id(value), scales
        if place not in self.known:
            if self.depth > DEEP:
                return (replace(ONE, rough=True),)
            self.known[place] = (replace(ONE, rough=True),)  # what a value that contains itself finds
            self.kept.append(value)
            self.depth += 1
            try:
                self.known[place] = self._few(self._of(value, scales))
            finally:
                self.depth -= 1
        return self.known[place]

    def _of(self, value: Value, scales: bool) -> Iterable[Term]:
        if isinstance(value, KnownValue):
            return (self._number(value, scales),)
        if isinstance(value, Many):
            return self._many(value, scales)
        if isinstance(value, Items):
            return self._together(value.items[:24], scales)
        if isinstance(value, Call):
            return self._made(value, scales)
        return (self.atom(value),)

    def atom(self, value: Value) -> Term:
        return Term(powers=frozenset([(self.key(value), 1.0)]))

    def _number(self, value: KnownValue, scales: bool) -> Term:
        number = value.value
        if isinstance(number, bool) or not isinstance(number, (int, float)):
            return ONE if number is None or isinstance(number, bool) else self.atom(value)
        number = _bounded(float(number)) if number == number else 1.0
        size = abs(number)
        large = size >= LARGE and size == 2.0 ** round(_log2(size))
        meant = scales or large or (number and 1 / size >= LARGE and 1 / size == 2.0 ** round(-_log2(size)))
        meant = meant or hinted(value.name)
        return Term(
            number,
            1.0 if meant else number,
            put_on=frozenset([self.key(value)]) if meant and number != 1 else frozenset(),
        )

    def _many(self, value: Many, scales: bool) -> Iterable[Term]:
        for option, here in self.ways(value):
            for term in self.of(option, scales):
                if (whole := term.times(here)) is not None:
                    yield whole

    def ways(self, value: Value | None) -> list[tuple[Value, Term]]:
        """What a value may be, each with the conditions under which it is."""
        if not isinstance(value, Many):
            return [] if value is None else [(value, Term(choices=self._made_under(value)))]
        held = [option for option in value.options if not _impossible(option)] or list(value.options)
        own = self._conditions_of(held, value.when)
        # Two reads of one setting give the same numbers, and one run takes the same of them.
        known = all(isinstance(option, KnownValue) for option in held)
        which: Key = tuple(map(self.key, held)) if known else (id(value),)
        found = []
        for place, option in enumerate(held):
            # Another option that was made under more conditions would have taken its place wherever they all hold.
            never = _resolved(_other_ways(own, place))
            taken: dict[Key, Any] = {("many", *which): place, **dict(own[place])}
            taken.update((test, not way) for ((test, way),) in (tuple(one) for one in never if len(one) == 1))
            never = frozenset(one for one in never if len(one) > 1)
            found.append((option, Term(choices=frozenset(taken.items()), never=never)))
        return found

    def _conditions_of(self, held: Sequence[Value], when: Sequence[Test]) -> list[frozenset[Choice]]:
        """The conditions under which each option is made, and those of x if test else y."""
        own = list(map(self._made_under, held))
        if len(when) != len(held):
            return own
        return [self.conditions([test]) | under for test, under in zip(when, own, strict=True)]

    def _made_under(self, value: Value) -> frozenset[Choice]:
        return self.conditions(value.under) if isinstance(value, (Call, Instance)) else frozenset()

    def _together(self, items: list[Value], scales: bool) -> Iterable[Term]:
        """What several items have in common."""
        found: list[_Terms] = [self.of(item, scales) for item in items if not _nothing(item)]
        if not found:
            return (ONE,)
        if len(found) == 1:
            return found[0]
        with_gradients = list(filter(_has_gradients, found))
        # A sens of zeros takes an output out of the gradient and leaves those of the others as they are.
        there = [terms for terms in with_gradients or found if not _is_zero(terms)]
        merged: Iterable[Term] = (there or found)[0]
        for terms in there[1:]:
            both = (self._common(one, other) for one in merged for other in terms)
            merged = self._few(whole for whole in both if whole is not None)
        return merged

    def _common(self, one: Term, other: Term) -> Term | None:
        """What two terms of a sum, or of a list, have in common."""
        both = one.times(other)
        if both is None:
            return None
        scales = [
            frozenset(p for p in term.powers if self.is_scale(p[0]) and self.from_scaler(p[0])) for term in (one, other)
        ]
        same_number = abs(one.number - other.number) <= 1e-9 * abs(one.number)
        same_scale = abs(one.scale - other.scale) <= 1e-9 * abs(one.scale)
        number = one.number if same_number else one.scale if same_scale else 1.0
        plain = one.plain if same_number else 1.0
        return replace(
            both,
            number=number,
            plain=plain,
            powers=one.powers & other.powers,
            uneven=both.uneven or scales[0] != scales[1],
        )

    def _made(self, made: Call, scales: bool) -> Iterable[Term]:
        found = gradient(made)
        if found is not None:
            return self._gradient(found)
        if made.name in (".each", "slice"):
            return self.of(made.base, scales) if made.base is not None else (ONE,)
        if made.name == "*args":
            return self.of(made.args[0], scales)
        if made.name in ("comprehension", "generator"):
            return self.of(made.result or (made.args[0] if made.args else None), scales)
        if made.name == "[]":
            return self._item(made, scales)
        if made.name[:1] == "@":
            return (self.atom(made),)
        if made.fed and (gathered := self._gathered(made, scales)):
            return gathered
        scaled = self._scaler(made)
        if scaled is not None:
            return scaled
        return self._operation(made, operation(made), scales)

    def _gathered(self, made: Call, scales: bool) -> list[Term]:
        """The gradients that parameters are filled with; what sets these back to 0 says nothing of those."""
        return [term for value in made.fed or () for term in self.of(value, scales) if term.gradients]

    def _operation(self, made: Call, done: Operation, scales: bool) -> Iterable[Term]:
        first, second = done.operand(0), done.operand(1, "other", "y", "value")
        here = Term(choices=self.conditions(made.under))
        if done.name in ("hypermap", "map") and made.result is not None:
            return self.of(made.result, scales)
        if first is None:
            return self._constant(made, done, scales)
        if done.does in ("mul", "div"):
            way = -1.0 if done.does == "div" else 1.0
            return self._product(self.of(first, scales), [t.power(way) for t in self.of(second, scales)], here)
        if done.does in ("add", "sub"):
            return [t for term in self._sum(made, done, scales) if (t := term.times(here)) is not None]
        if (exponent := _exponent(made, done)) is not None:
            return [term.power(exponent) for term in self.of(first, scales)]
        if done.name in ("select", "where"):
            return self._either(made, [way for way in (done.operand(1), done.operand(2)) if way is not None], scales)
        if made.name.endswith(_UNSCALES) and len(made.args) == 2:
            return self._product(self.of(made.args[1]), [t.power(-1.0) for t in self.of(first, True)], here)
        if done.name == "parameter" and not _nothing(first):
            return (self.atom(made),)
        if (passed := _passed(made, done)) is not None or self._reduces(made):
            return self._product(self.of(passed or first, scales), (ONE,), here)
        return self._constant(made, done, scales)

    def _constant(self, made: Call, done: Operation, scales: bool) -> Iterable[Term]:
        """What makes an array of one number; anything else is not seen through."""
        constants = {one.constant for one in _known(made, done)}
        constant = constants.pop() if len(constants) == 1 else None
        return self._opaque(made, scales) if constant is None else (ONE if constant == 1 else Term(number=constant),)

    def _either(self, made: Call, ways: list[Value], scales: bool) -> Iterable[Term]:
        """What picks its elements of several arrays, each a way of its own; an array of zeros drops them."""
        found: list[Term] = []
        for place, way in enumerate(ways):
            terms = list(self.of(way, scales))
            here = Term(choices=frozenset([(("many", id(made)), place)]))
            if not all(term.number == 0 for term in terms):
                found += [t for term in terms if (t := term.times(here)) is not None]
        return found or (ONE,)

    def _opaque(self, made: Call, scales: bool) -> Iterable[Term]:
        """What cannot be looked into: a gradient that goes in comes out, roughly; anything else is a value of its own."""
        for operand in reversed(made.args):
            terms = self.of(operand, scales)
            if any(term.gradients for term in terms):
                return [replace(term, rough=True) for term in terms]
        return (self.atom(made),)

    def _reduces(self, made: Call) -> bool:
        """A call of something that is named as a reducer of gradients."""
        base = made.base
        return base is not None and bool(re.search(r"reduc", name_of(base), re.I)) and len(made.args) == 1

    def _product(self, ones: Iterable[Term], others: Iterable[Term], here: Term) -> list[Term]:
        found = []
        for one, other in product(ones, list(others)):
            whole = one.times(other)
            if whole is not None and (whole := whole.times(here)) is not None:
                found.append(whole)
        return found or [replace(ONE, rough=True)]

    def _sum(self, made: Call, done: Operation, scales: bool) -> Iterable[Term]:
        sides = [side for side in done.operands[:2] if not _nothing(side)]
        if any(isinstance(side, Items) for side in sides):  # lists put one after the other
            return self._together(sides, scales)
        terms = [self.of(side, scales) for side in sides]
        terms = [t for t in terms if not _is_zero(t)]
        if not terms:
            return (Term(number=0.0),)
        if len(terms) == 1:
            return terms[0]
        carried = list(map(_has_gradients, terms))
        if carried[0] is not carried[1]:  # gradients added to a sum of earlier ones, or to a decay of weights
            return terms[carried.index(True)]
        pairs = (self._common(one, other) for one, other in product(*terms))
        found = [self._as_sum(common, made) for common in pairs if common is not None]
        return found or (self.atom(made),)

    def _as_sum(self, common: Term, made: Call) -> Term:
        """What both sides of a sum carry, for the sum: a number of its own, unless it is a gradient."""
        return common if common.gradients else replace(common, powers=common.powers | {(self.key(made), 1.0)})

    def _item(self, made: Call, scales: bool) -> Iterable[Term]:
        base = made.base
        place = made.args[0].value if made.args and isinstance(made.args[0], KnownValue) else None
        if isinstance(base, Call) and base.name == ".start_overflow_check":
            return self.of(base.args[1], scales) if place == 1 and len(base.args) > 1 else (self.atom(made),)
        terms = self.of(base, scales)
        if any(term.gradients or term.put_on or term.unsure for term in terms):
            return terms
        alone = isinstance(base, UnknownValue) or (isinstance(base, Call) and base.name[:1] in ("@", "."))
        return (self.atom(made),) if alone or isinstance(place, str) else terms

    def _scaler(self, made: Call) -> Iterable[Term] | None:
        """The methods of the framework's loss scalers, and of what is named like one."""
        base, last = made.base, made.name
        if last in (".scale_grad", ".gradients_unscale") and isinstance(base, Instance) and made.args:
            given = self.divisor(base)
            by = self.of(given, True) if given is not None else (ONE,)
            return self._product(self.of(made.args[0]), [term.power(-1.0) for term in by], ONE)
        if base is None or last not in (".scale", ".unscale", ".get_loss_scale"):
            return None
        if not self._is_scaler(base):
            return None
        if last == ".get_loss_scale":
            return self._initial(base) if isinstance(base, Call) else (self.atom(base),)
        if not made.args:
            return None
        way = 1.0 if last == ".scale" else -1.0
        mark = Term(powers=frozenset([(self.scale_of(base), way)]), put_on=frozenset([self.scale_of(base)]))
        return self._product(self.of(made.args[0]), (mark,), Term(choices=self.conditions(made.under)))

    def _is_scaler(self, owner: Value) -> bool:
        """Whether a value is one of the framework's scalers, or named like one."""
        known = isinstance(owner, Call) and owner.api in (*_SCALERS, *_MANAGERS)
        return known or any(hinted(word) for word in called(owner))

    def scale_of(self, owner: Value) -> Key:
        """The key of the scale that a scaler or manager holds."""
        key = ("scale of", self.key(owner))
        self.values.setdefault(key, owner)
        return key

    def _initial(self, manager: Call) -> Iterable[Term]:
        if manager.api in ("amp.FixedLossScaleManager", "nn.FixedLossScaleUpdateCell"):
            given = manager.argument(["loss_scale"], "loss_scale") or manager.argument(
                ["loss_scale_value"], "loss_scale_value"
            )
            if isinstance(given, KnownValue) or given is not None:
                return self.of(given, True)
        return (Term(powers=frozenset([(self.scale_of(manager), 1.0)]), put_on=frozenset([self.scale_of(manager)])),)

    def _gradient(self, found: Gradient) -> Iterable[Term]:
        self.gradients[id(found.call)] = found
        self.kept.append(found.call)
        own = Term(gradients=frozenset([id(found.call)]), choices=self.conditions(found.call.under))
        losses = [_before_gradient(term, found.sens is not None) for term in self.of(found.loss)]
        if found.sens is None and any(map(self._is_hidden, losses)):
            self.hidden.add(id(found.call))
            losses = [replace(term, blurred=term.blurred or self._is_hidden(term)) for term in losses]
        given = (ONE,) if found.sens is None else self.of(found.sens, True)
        # Whatever is given as sens is a scale, unless it is a gradient that comes from further on.
        self.scales |= {key for term in given if not term.gradients for key, _ in term.powers}
        senses = [replace(term, gradients=frozenset()) for term in given]
        terms = self._product(losses, senses, own)
        return [
            replace(t, put_on=t.put_on | {key for key, value in t.powers if value > 0 and self.is_scale(key)})
            for t in terms
        ]

    def _is_hidden(self, loss: Term) -> bool:
        """Whether a loss is a value that is not seen at all, which may hold a scale."""
        values = [self.values.get(key) for key, _ in loss.powers]
        return not loss.put_on and bool(values) and all(isinstance(value, UnknownValue) for value in values)

    def by_default(self, term: Term, beside: Iterable[Test] = ()) -> bool | None:
        """True where options of the command line and configuration files, left as they are, lead this way, False where they
        do not, None where something else decides as well, or nothing is asked. What is asked `beside` it leads nowhere else: a
        training that an option has to ask for stands under that as a whole."""
        tests = [choice for choice in term.choices if choice[0][0] == "test"]
        answer = self._defaults_of(tests)
        if answer is not False:
            return answer
        shared = {self.condition(test) for test in beside}
        return self._defaults_of([choice for choice in tests if choice not in shared])

    def _defaults_of(self, tests: list[Choice]) -> bool | None:
        known = [self.defaults[test] is way for test, way in tests if test in self.defaults]
        if not all(known):
            return False
        return True if known and len(known) == len(tests) else None

    # --- not too many -------------------------------------------------------------------------------------------------

    def _few(self, terms: Iterable[Term]) -> _Terms:
        """The terms, each once. Where they are too many, decisions that make no difference to the scales are forgotten first,
        then those that make none but to weights, then all: such terms may be ways that no run goes, and are blurred."""
        found = list(dict.fromkeys(terms))
        for weighed in (True, False):
            if TERMS < len(found) <= TERMS**2:
                found = self._fewer(found, weighed)
        if len(found) > TERMS:
            put_on = frozenset(key for term in found for key in term.put_on)
            bare = {self._carries(term, False): term for term in reversed(found)}
            found = [
                replace(term, choices=frozenset(), never=frozenset(), put_on=put_on, blurred=True)
                for term in [*reversed(bare.values())][:TERMS]
            ]
        return tuple(found)

    def _carries(self, term: Term, weighed: bool) -> Term:
        """What counts of a term: all but the decisions that lead to it, values that are not scales and, unless it is `weighed`,
        weights."""
        powers = frozenset(each for each in term.powers if self.is_scale(each[0]))
        numbers = (term.number, term.plain) if weighed or not term.plain else (term.scale, 1.0)
        return replace(term, number=numbers[0], plain=numbers[1], powers=powers, choices=frozenset(), never=frozenset())

    def _fewer(self, terms: list[Term], weighed: bool) -> list[Term]:
        """The terms without the decisions that all that counts goes with alike, one of those that carry the same."""
        carried = [self._carries(term, weighed) for term in terms]
        idle = _idle(terms, carried)
        found: dict[tuple[Term, frozenset[Choice], frozenset[frozenset[Choice]]], Term] = {}
        for term, what in zip(terms, carried, strict=True):
            choices = frozenset(choice for choice in term.choices if choice[0] not in idle)
            never = frozenset(sets for sets in term.never if not any(key in idle for key, _ in sets))
            found.setdefault((what, choices, never), replace(term, choices=choices, never=never))
        return list(found.values())

    # --- scales -------------------------------------------------------------------------------------------------------

    def is_scale(self, key: Key) -> bool:
        """Whether what a key stands for is a loss scale, by where it comes from or by what it is called."""
        if key[0] == "scale of" or key in self.scales:
            return True
        value = self.values.get(key)
        if value is None:
            return False
        return self.from_manager(value, 0) or any(hinted(word) for word in called(value))

    def from_scaler(self, key: Key) -> bool:
        """Whether a scale comes from one of the framework's scalers or managers, or from a parameter that holds it."""
        if key and key[0] == "scale of":
            return True
        value = self.values.get(key)
        return value is not None and (
            self.from_manager(value, 0) or (isinstance(value, Call) and operation(value).name == "parameter")
        )

    def from_manager(self, value: Value, depth: int = 0) -> bool:
        """Whether a value is one of the framework's scalers or managers, or the scale of one."""
        if depth > 6 or not isinstance(value, Call):
            return False
        if value.name == ".get_loss_scale" or value.api in (*_SCALERS, *_MANAGERS):
            return True
        done = operation(value)
        first = done.operand(0)
        return (
            done.name in ("parameter", "tensor", "cast", "astype")
            and first is not None
            and any(self.from_manager(option, depth + 1) for option in options(first))
        )

    def left(self, term: Term) -> dict[Key, float]:
        """The scales that a term still carries, or was divided by too often."""
        return {key: value for key, value in term.powers if self.is_scale(key)}

    def is_clean(self, term: Term) -> bool:
        """No scale is left in it."""
        if self.left(term):
            return self._cancels(term)
        return not (_notable(term.number) and _notable(term.scale))

    def _cancels(self, term: Term) -> bool:
        """Whether nothing is left of scalers and of what they were given, one taken for the other. They are the same for good
        where a scaler does not change; where it does, an attribute that is called like the argument is read as the argument."""
        whole, given = replace(term, powers=frozenset()), set()
        for key, power in term.powers:
            by = self._given(key)
            given |= {inner for inner, _ in by.powers} if by is not None else set()
            more = whole.times((by or Term(powers=frozenset([(key, 1.0)]))).power(power))
            if more is None:
                return False
            whole = more
        left = {key for key, _ in whole.powers if key in given or self.is_scale(key)}
        return not left and abs(abs(whole.scale) - 1) < 1e-9

    def _given(self, key: Key) -> Term | None:
        """What one of the framework's scalers was given as its first scale, by the key of that scale."""
        scaler = self.values.get(key) if key[0] == "scale of" else None
        if not isinstance(scaler, Call) or scaler.api not in _SCALERS:
            return None
        fixed = scaler.api == "amp.StaticLossScaler"
        value = scaler.argument(["scale_value"], "scale_value") if fixed else scaler.keywords.get("scale_value")
        terms = self.of(value, True) if value is not None else ()
        return terms[0] if len(terms) == 1 else None


def _before_gradient(term: Term, has_sens: bool) -> Term:
    """What a gradient is taken of. Where a sens is its scale, a number that makes it smaller is a mean or a weight."""
    if not has_sens or not 0 < abs(term.number) < 1:
        return replace(term, gradients=frozenset())
    put_on = frozenset(key for key in term.put_on if key[0] != "known")
    return replace(term, gradients=frozenset(), plain=term.number, put_on=put_on)


def _resolved(sets: frozenset[frozenset[Choice]]) -> frozenset[frozenset[Choice]]:
    """Sets of conditions of which none may hold, with what follows from two that differ in one condition alone. Nothing, where
    one of them always holds: these options are no branches of one decision."""
    for _ in range(4):
        found = set(sets)
        for one in sets:
            for test, way in one:
                if not isinstance(way, bool):
                    continue
                rest = one - {(test, way)}
                if rest | {(test, not way)} in sets:
                    found = {each for each in found if not rest <= each} | {rest}
        if found == sets or len(found) > 12:
            break
        sets = frozenset(found)
    return frozenset() if frozenset() in sets else sets


def _impossible(value: Value) -> bool:
    """None, and what calling None or a method of it gives: where a number or a gradient is wanted, a run does not come along
    with it."""
    if isinstance(value, KnownValue):
        return value.value is None
    if not isinstance(value, Call) or not isinstance(value.base, KnownValue):
        return False
    return value.name == "" or (value.name[:1] in (".", "@") and value.base.value is None)


def _notable(number: float) -> bool:
    """A number that is not just a weight, a number of devices or of accumulated steps."""
    size = abs(number)
    return size > 0 and not 1 / SMALL < size < SMALL


def _log2(number: float) -> float:
    from math import log2

    return log2(number) if number > 0 else 0.0


def affirmed(test: Test) -> tuple[Value, bool, ast.AST]:
    """The value, the way and the node of a condition without each `not` before it."""
    value, taken, node = test.value, bool(test.taken), test.node
    while isinstance(value, Call) and value.name == "not" and value.args:
        taken, node = not taken, getattr(value.node, "operand", node)
        value = value.args[0]
    return value, taken, node


def _affirmed(node: ast.AST) -> tuple[str, bool]:
    """The text of a condition, that of a == b for a != b, and whether it is the opposite."""
    op = _AFFIRMED.get(type(node.ops[0])) if isinstance(node, ast.Compare) and len(node.ops) == 1 else None
    if isinstance(node, ast.Compare) and op is not None:
        node = ast.Compare(node.left, [op()], node.comparators)
    return ast.unparse(node) if isinstance(node, ast.expr) else "", op is not None


def _shape(node: ast.expr) -> Key:
    """How `and` and `or` are nested."""
    return (type(node.op).__name__, *(_shape(part) for part in node.values)) if isinstance(node, ast.BoolOp) else ()


def _other_ways(own: list[frozenset[Any]], place: int) -> frozenset[Any]:
    """The conditions of the other options beyond those of the one in this place."""
    others = own[:place] + own[place + 1 :]
    return frozenset(other - own[place] for other in others if other - own[place])


def _has_gradients(terms: _Terms) -> bool:
    return any(term.gradients for term in terms)


def _is_zero(terms: _Terms) -> bool:
    return all(term.number == 0 for term in terms)


def _nothing(value: Value) -> bool:
    return (isinstance(value, KnownValue) and (value.value is None or value.value == ())) or (
        isinstance(value, Items) and not value.items
    )


def hinted(name: str) -> bool:
    """A name that people give to a loss scale."""
    return bool(name) and _HINT.search(name) is not None


def called(value: Value) -> list[str]:
    """All names that a value goes by."""
    found = [name_of(value)]
    if isinstance(value, Call):
        found += value.bound
    if isinstance(value, Instance):
        found += [*value.bound, value.of.node.name]
    return [name for name in found if name]


def _idle(terms: list[Term], carried: list[Term]) -> set[Key]:
    """Decisions that all that terms carry goes with alike, also together and given the other decisions."""
    ways: dict[Key, set[Any]] = {}
    for term in terms:
        for key, way in (*term.choices, *(choice for sets in term.never for choice in sets)):
            ways.setdefault(key, {True, False} if isinstance(way, bool) else set()).add(way)
    alike = []
    for key, each in ways.items():
        gone = [frozenset([(key, way)]) for way in each]
        if len({frozenset(what for term, what in zip(terms, carried, strict=True) if term.may(g)) for g in gone}) == 1:
            alike.append(key)
    if _tell_nothing(set(alike), terms, carried):
        return set(alike)
    idle: set[Key] = set()
    for key in alike:
        if _tell_nothing(idle | {key}, terms, carried):
            idle.add(key)
    return idle


def _tell_nothing(keys: set[Key], terms: list[Term], carried: list[Term]) -> bool:
    """Whether these decisions tell nothing of what terms carry, once the others are known."""
    ways: dict[frozenset[Choice], set[frozenset[Choice]]] = {}
    for term in terms:
        inner = frozenset(choice for choice in term.choices if choice[0] in keys)
        ways.setdefault(term.choices - inner, set()).add(inner)
    for others, inners in ways.items():
        here = [(term, what) for term, what in zip(terms, carried, strict=True) if term.may(others)]
        every = {what for _, what in here}
        if any({what for term, what in here if term.may(others | inner)} != every for inner in inners):
            return False
    return True


def faulty(terms: _Terms, fine: Callable[[Term], bool]) -> list[Term]:
    """The terms that are not fine, but for those that only come of combining what no run combines: each of their options is
    part of a term that is fine as well. What is blurred and knows of no options stays."""
    good = {choice for term in terms if fine(term) for choice in term.choices}
    bad = [term for term in terms if not fine(term)]
    if len(bad) == len(terms):
        return bad
    taken = [(t, {choice for choice in t.choices if choice[0][0] == "many"}) for t in bad]
    return [t for t, options in taken if not options <= good or (t.blurred and not options)]
