"""What the weights of networks start from: zeros, one constant, or an initialiser that is built and never applied.

Only what is seen to be the same number everywhere counts. What starts at zero by design is known by what it is (bias, shift
and running mean of a normalisation, start states) or by its name; the scale of a normalisation may be zero where its result
is added to something else.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any

from ..knowledge import api, initializers
from ..knowledge.effects import Effect, differentiating, in_place
from ..knowledge.methods import CELLS, PARAMETERS
from ..knowledge.names import canonical
from ..model import Sure
from . import flow
from .analysis import Scripts
from .effects import TAKEN, bound_arguments, effect, kept, name_of, operands
from .factors import operation
from .freezing import scan_of
from .grading import Link, Replaced, replacements
from .models import FORWARD, as_layer, layer_of
from .networks import (
    WITH_MATRIX,
    Structure,
    base_names,
    comment,
    is_cell,
    is_layer,
    is_loss,
    is_parameter,
    kind,
    kind_of,
    leaves,
    structure_of,
    trains,
)
from .source import Source, SourceNode
from .syntax import conditions_around, walk
from .syntax import kept as kept_with_code
from .trace import Trace
from .training_seen import seen
from .values import (
    Call,
    Frame,
    Function,
    Instance,
    Items,
    KnownValue,
    Many,
    NamedValue,
    Test,
    UnknownValue,
    Value,
    frames_around,
    integer_of,
    is_known,
    is_model,
    is_slice,
    options,
    unseen,
    unseen_run,
)

#: Values within values are looked at so deep.
DEEP = 24
#: Of an array of one number these give arrays of that number.
_ALIKE = (*TAKEN, "between")
#: Initialisers of one number.
_INITIALIZERS = {"initializer.Zero": 0.0, "initializer.One": 1.0}
_ARITHMETIC = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
#: The matrices of layers, where equal numbers keep all units equal.
_MATRIX = re.compile(r"((\w+\.)?weight|embedding_table|weight_\w+)")
#: Parameters made by hand that are weights, by what people call them; and those that are not.
_WEIGHT = re.compile(
    r"weight|kernel|embed|table|proj|(^|[._])(w|u|v|wx|wh|wq|wk|wv|wo)\d*($|_)|matrix|linear|dense|conv|fc\d*", re.I
)
_NO_WEIGHT = re.compile(
    r"bias|beta|gamma|mean|var(iance)?($|_)|std|moving|running|state|hidden|(^|[._])[hcb]\d*($|_)|cache|buffer|queue|memory|moment|velocity|"
    r"accum|grad|count|step|mask|index|idx|pos|anchor|grid|center|centre|prior|token|query|offset|shift|scale|delta|alpha|age|hist|ema|avg|"
    r"shadow|sum|total|flag|num|temp|loss|lr$|zero|noise|target|label|prev|last|best|init_|_init|norm|bound|threshold|prob|prune|sigma|rho",
    re.I,
)
#: Layers that start at zero on purpose, by what they are called: offsets of deformable convolutions, zero convolutions, gates.
_MEANT = re.compile(
    r"offset|zero|^[pm]_conv$|modulat|control_?net|(?<![a-z])(lora|gate|gating|theta|affine)(?![a-z])|adaln|localization|fc_loc|adapter",
    re.I,
)
#: Convolutions that compute a fixed thing, by what they are called.
_FIXED = re.compile(
    r"blur|avg|mean|sum|smooth|gauss|sobel|laplac|window|mask|pool|filter|kernel|edge|dilat|erod|count|ones|upsample|box|unfold|patch",
    re.I,
)
_ZERO_MEANT = re.compile(r"\bzero(s|es|ed)?\b|identity|residual|残差|初始化为\s*(0|零)|置零|清零|全零", re.I)
_RANDOM_NUMBERS = re.compile(r"random|normal|uniform|initializer|init", re.I)
_RANDOM = re.compile(r"bias|beta|gamma|mean|var|norm|bn", re.I)


@dataclass(frozen=True)
class Observation(SourceNode):
    """One thing about initial weights, and how sure it is. `stopgap`: no layer beside it starts from random numbers."""

    code: str
    source: Source
    node: ast.AST
    data: dict[str, Any] = field(default_factory=dict)
    sure: Sure = Sure.CERTAIN
    edits: tuple[tuple[int, int, tuple[str, ...]], ...] = ()
    stopgap: bool = False

    @property
    def last(self) -> int:
        return self.last_line


def number(value: Value | None) -> float | None:
    """The number that every element of an array, or of what an initialiser gives, is; None where that is not seen."""
    return _Numbers().of(value)


class _Numbers:
    """The numbers that arrays consist of; each call is looked at once, however many ways lead to it."""

    def __init__(self) -> None:
        self.known: dict[int, float | None] = {}

    def of(self, value: Value | None, depth: int = 0) -> float | None:
        if depth > DEEP or value is None:
            return None
        if isinstance(value, KnownValue):
            return _of_constant(value.value)
        if isinstance(value, Items):
            whole = len(value.items) <= 64 and not value.open
            return self.common(value.items, depth) if whole else None
        if isinstance(value, Many):
            return self.common(value.options, depth)
        if not isinstance(value, Call):
            return None
        if id(value) not in self.known:
            self.known[id(value)] = self.made(value, depth)
        return self.known[id(value)]

    def common(self, values: Iterable[Value], depth: int) -> float | None:
        """The number that all of these are."""
        found: set[float | None] = set()
        for value in values:
            found.add(self.of(value, depth + 1))
            if None in found or len(found) > 1:
                return None
        return found.pop() if found else None

    def made(self, made: Call, depth: int) -> float | None:
        name = made.api
        if made.fed and name != "Parameter":
            return None  # something was stored into it
        if name == "initializer.Constant":
            return self.of(made.argument(["value"], "value"), depth + 1)
        if name in _INITIALIZERS:
            return _INITIALIZERS[name]
        if (drawn := initializers.find(name)) is not None:
            return self.undrawn(made, drawn, depth)
        if name in ("initializer", "Tensor") and (given := made.argument(["init"], "init")) is not None:
            return self.of(given, depth + 1)
        known = effect(made)
        if known is None or known.constant is not None:
            return None if known is None else known.constant
        passed = kept(made, *_ALIKE)
        if passed is None:
            return self.computed(made, known, depth)
        if name != "Parameter" and any(map(_is_text, passed)):
            return None
        return self.common(passed, depth)

    def undrawn(self, made: Call, drawn: initializers.Initializer, depth: int) -> float | None:
        """The number around which an initialiser draws without any spread; None where it has one."""
        spread = made.argument(drawn.parameters, drawn.of)
        if spread is None or self.of(spread, depth + 1) != 0.0:
            return None
        mean = made.argument(drawn.parameters, "mean") if "mean" in drawn.parameters else None
        return 0.0 if mean is None else self.of(mean, depth + 1)

    def computed(self, made: Call, known: Effect, depth: int) -> float | None:
        """The number in a result that is computed of arrays of one number each."""
        given = operands(made, (0, 1))
        if known.operation in _ARITHMETIC and len(given) == 2:
            return _combined(_ARITHMETIC[known.operation], *(self.of(value, depth + 1) for value in given))
        if not given or known.keeps not in ("negated", "factor"):
            return None
        first = self.of(given[0], depth + 1)
        if known.keeps == "negated":
            return None if first is None else -first
        return 0.0 if first == 0.0 else None


def _of_constant(value: object) -> float | None:
    """The number that a constant is, or that the initialiser called so gives."""
    if isinstance(value, str):
        return {"zeros": 0.0, "zero": 0.0, "ones": 1.0, "one": 1.0}.get(value.lower())
    try:
        return float(value) if isinstance(value, (int, float)) else None
    except OverflowError:
        return None


def _is_text(value: Value) -> bool:
    return isinstance(value, KnownValue) and isinstance(value.value, str)


def _combined(name: str, one: float | None, other: float | None) -> float | None:
    if name == "*" and (one == 0.0 or other == 0.0):
        return 0.0
    if one is None or other is None:
        return None
    if name == "/":
        return one / other if other else None
    return one * other if name == "*" else one + other if name == "+" else one - other


def possible(value: Value | None) -> list[tuple[float, Sure]]:
    """The numbers that an initialiser may be, each with how sure that is."""
    several = len(options(value)) > 1
    found = []
    for option in options(value):
        constant = number(option)
        if constant is not None:
            assumed = isinstance(option, KnownValue) and option.assumed is not None
            found.append((constant, Sure.POSSIBLE if several else Sure.LIKELY if assumed else Sure.CERTAIN))
    same = len({constant for constant, _ in found}) == 1 and len(found) == len(options(value))
    return [(found[0][0], Sure.LIKELY)] if same and several else found


def examine(scripts: Scripts, meant: tuple[str, ...] = ()) -> Iterator[Observation]:
    """What is to say about initial weights in all scripts, each place once. `meant`: patterns of names that may be zero."""
    found: dict[tuple[str, str, int], Observation] = {}
    told = []
    for reading in scripts.readings:
        structure = structure_of(reading)
        told.append((reading, [*_layers(structure, meant), *_parameters(structure, meant), *_stored(structure)]))
    # What a script only evaluates is loaded, or stands for what is: where a training is seen, its first weights are those that count.
    trained = [rows for reading, rows in told if seen(reading).steps]
    for rows in trained or [rows for _, rows in told]:
        for said in rows:
            found.setdefault((said.code, said.source.path, said.line), said)
    for (_, path, line), said in found.items():
        others = [other for (_, where, at), other in found.items() if (where, at) == (path, line)]
        if not _covered(said, others):
            yield said


def _covered(said: Observation, others: list[Observation]) -> bool:
    """True for what another script makes void at the same place: the worst case is told of weights that some script loads over, the
    best of a stopgap."""
    if said.code in _LATER:
        return any(other.code in ("zero-weights", "constant-weights") and not other.stopgap for other in others)
    milder = {*_LATER, "constant-possible", "constant-scores"}
    return said.code == "constant-weights" and said.stopgap and any(other.code in milder for other in others)


#: Weights that get other values before they are used, in one of the scripts.
_LATER = ("loaded-later", "set-later")


def examined(scripts: Scripts) -> int:
    """How many places in the scripts make layers with weights, or parameters of networks."""
    return len(
        {
            (call.source.path, call.line)
            for reading in scripts.readings
            for call in (*reading.trace.calls, *(layer for layer, _ in _derived(reading.trace)))
            if is_layer(call) or (call.api == "Parameter" and _of_network(call.frame))
        }
    )


def _derived(trace: Trace) -> list[tuple[Call, Instance]]:
    """The layers that objects of the project's classes are, whose base is a layer of the framework."""
    return [
        (layer, instance)
        for instance in trace.instances
        if (layer := layer_of(instance) or _beneath(instance)) is not None
    ]


def _beneath(instance: Instance) -> Call | None:
    """The layer beneath an object whose class has a construct of its own, unless it has put its own weights in their place."""
    base, args, keywords = instance.supers[-1] if instance.supers else ("", [], {})
    known = api.find(canonical(base))
    if known is None or not known.weights or known.weights.keys() & instance.attributes.keys() or instance.layer:
        return None
    return as_layer(instance, base, args, keywords)


def _by_class(said: Observation, layer: Call, instance: Instance, initial: str) -> Observation:
    """What is said of a derived layer, told where its class decides it; a class may be for layers that begin at zero."""
    source, node = _initialised_at(layer, instance, initial)
    meant = _MEANT.search(instance.of.node.name) or _says_zero(
        source, getattr(node, "lineno", 1), getattr(node, "end_lineno", None)
    )
    code = said.code
    if meant and code in ("zero-weights", "zero-possible", "constant-weights", "constant-scores", "constant-possible"):
        code = "meant-constant"
    elif instance.layer is None and code in ("zero-weights", "constant-weights"):
        code = code.replace("weights", "possible")  # the construct of the class may use other weights
    return replace(said, source=source, node=node, code=code)


def _initialised_at(layer: Call, instance: Instance, initial: str) -> tuple[Source, ast.AST]:
    """Where a derived layer gets its initialiser: where the object is made, or where its class calls __init__ of the base."""
    start = instance.of.find("__init__")
    given = {keyword.arg for keyword in getattr(layer.node, "keywords", ())}
    if initial in given or not isinstance(start, Function):
        return layer.source, layer.node
    for node in walk(start.node):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "__init__":
            return start.source, node
    return layer.source, layer.node


# --- layers of the framework ------------------------------------------------------------------------------------------


def _layers(structure: Structure, meant: tuple[str, ...]) -> Iterator[Observation]:
    later = later_values(structure)
    calls = later.calls
    frozen = {
        id(store.owner.base)
        for store in structure.reading.trace.stores
        if _freezes(store.attribute, store.value) and isinstance(store.owner, Call)
    }
    derived = {id(layer): (layer, instance) for layer, instance in _derived(structure.reading.trace)}
    for layer in (*calls, *(layer for layer, _ in derived.values()), *later.copies):
        if not is_layer(layer) or layer.api.startswith("ops.") or later.untrained_twin(layer):
            continue
        known = api.find(layer.api)
        bound = bound_arguments(layer)
        if known is None or bound is None:
            continue
        for weight, initial in known.weights.items():
            if initial is None:
                continue
            given = bound.get(initial)
            matrix = _MATRIX.fullmatch(weight) is not None and kind(layer.api) != "normalization"
            if matrix and _undecided(given) and not unseen(layer.frame):
                yield Observation(
                    "unresolved",
                    layer.source,
                    layer.node,
                    {"what": layer.api, "weight": weight, "expression": _source_text(given)},
                )
            for value, sure in possible(given):
                if matrix:
                    added = value == 0 and _branch(layer, structure)
                    said = _matrix(layer, weight, initial, value, sure, bound, id(layer) in frozen, meant, later, added)
                    _, instance = derived.get(id(layer), (layer, None))
                    yield said if instance is None else _by_class(said, layer, instance, initial)
                elif weight.endswith("gamma") and value == 0:
                    yield _gamma(layer, structure)


def _branch(layer: Call, structure: Structure) -> bool:
    """True when the result of a layer is added to what its input was made of, or to what is computed from that beside it: the last layer of
    a residual branch, or one of two ways in parallel. What is added may be a number: a factor of 1 plus what a layer gives. A product
    with the exponential of a result is such a sum, too."""
    applied = structure.applied.get(id(layer), [])
    return any(_joins(call, call.args[0], structure) for call in applied if call.args)


def _is_origin(other: Value, origin: Value, first: Call, user: Call) -> bool:
    """Whether what joins a result in `user` is what the branch began from, or what that goes on as."""
    return flow.derives(origin, other) or (user.frame is first.frame and _goes_on(origin, other, first))


def _joins(
    result: Call, origin: Value, structure: Structure, depth: int = 4, first: Call | None = None, factor: bool = False
) -> bool:
    """`factor`: an exponential was taken on the way, so that what is multiplied by the result goes on as it is."""
    first = first or result
    for user, how in structure.users.get(id(result), ()):
        done = operation(user)
        if done.does in (("add", "mul") if factor else ("add",)):
            others = [option for other in done.operands if other is not result for option in options(other)]
            if any(_is_origin(other, origin, first, user) for other in others):
                return True
            continue
        further = depth and (how in ("0", "base") or done.does == "mul")
        if further and _joins(user, origin, structure, depth - 1, first, factor or done.does == "exp"):
            return True
    return False


def _goes_on(origin: Value, other: Value, result: Call) -> bool:
    """Whether what a branch of zeros is added to is a number or an array beside 0, as the identity, or is computed without the branch from
    what it is computed from."""
    if isinstance(other, KnownValue):
        return isinstance(other.value, (int, float)) and other.value != 0
    if _is_constant(other):
        return number(other) != 0
    return not flow.derives(other, result) and bool(_computed_from(origin) & _computed_from(other))


def _is_constant(value: Value) -> bool:
    """Whether an array is made of numbers alone, by functions of a library."""
    made = [part for part in flow.sources(value) if not isinstance(part, (KnownValue, NamedValue, Items))]
    return bool(made) and all(isinstance(part, Call) and part.name[:1].isalpha() and not part.loops for part in made)


def _computed_from(value: Value) -> set[int]:
    """The ids of what flows into a value within the forward pass: no layers, and no numbers."""
    found = flow.sources(value, stop=_is_held)
    return {id(part) for part in found if not _is_held(part) and not isinstance(part, (KnownValue, NamedValue))}


def _is_held(value: Value) -> bool:
    """True for what a network holds between its runs."""
    return isinstance(value, Instance) or is_layer(value) or is_parameter(value)


def _in_branch(parameter: Value, structure: Structure, depth: int = 3) -> bool:
    """As of a layer, of what a parameter is multiplied with."""
    for user, _ in structure.users.get(id(parameter), ()):
        others = [one for one in user.args if not flow.derives(one, parameter)]
        if any(_joins(user, other, structure) for other in others if not isinstance(other, (KnownValue, Items))):
            return True
        if not others and depth and _in_branch(user, structure, depth - 1):
            return True
    return False


def _freezes(attribute: str, value: Value) -> bool:
    return attribute == "requires_grad" and is_known(value, False)


def _undecided(value: Value | None) -> bool:
    """True when a setting that is not seen decides what an initialiser is."""
    for option in options(value):
        if isinstance(option, (UnknownValue, NamedValue)) and not getattr(option, "name", "").startswith("mindspore."):
            return True
        if isinstance(option, Call) and (option.name[:1] == "@" or option.name == "[]") and number(option) is None:
            return not any(isinstance(v, Call) and _RANDOM_NUMBERS.search(v.api) for v in flow.sources(option))
    return False


def _source_text(value: Value | None) -> str:
    for option in options(value):
        if isinstance(option, Call) and isinstance(option.node, ast.expr):
            return _text(option.node)
        if isinstance(option, (UnknownValue, NamedValue)) and option.name:
            return option.name
    return "…"


def _matrix(
    layer: Call,
    weight: str,
    initial: str,
    value: float,
    sure: Sure,
    bound: dict[str, Value],
    frozen: bool,
    meant: tuple[str, ...],
    later: LaterValues,
    added: bool,
) -> Observation:
    names = [*layer.bound, *_owners(layer)]
    data: dict[str, Any] = {"what": layer.api, "weight": weight, "value": value, "name": _shown(layer)}
    known = any(fnmatchcase(name.lower(), pattern) for name in names for pattern in meant)
    stopgap = value != 0 and not _beside_random(layer)
    edits: tuple[tuple[int, int, tuple[str, ...]], ...] = ()
    code = "zero-weights" if value == 0 else "constant-weights"
    if (done := later.given(layer)) is not None:
        code = done
    elif (flag := _flag(layer)) is not None:
        code, data = "flag-as-initial", {**data, "flag": str(flag)}
        edits = _named(layer)
    elif known or (value == 0 and any(_MEANT.search(name) for name in names)) or _spoken(layer):
        code = "meant-constant"
    elif frozen or (value != 0 and kind_of(layer) != "dense" and _is_filter(names, bound)):
        code = "fixed-weights"
    elif _perhaps_meant(layer, value, sure, bound, later, added, stopgap) or _left_out(layer, later.structure):
        code = "zero-possible" if value == 0 else "constant-possible"
    else:
        edits = _without(layer, initial)
        if value != 0 and id(layer) in later.heads:  # its units get gradients that differ, each by its own label
            code = "constant-scores"
    loaded = code == "constant-weights" and id(layer) in later.loaded
    unsure = unseen(layer.frame) or loaded or _passed_over(layer, later.structure)
    unsure = unsure or (
        code == "zero-weights" and id(layer) in later.heads
    )  # it learns at once, the others from the second step on
    if unsure and sure is Sure.CERTAIN:
        sure = Sure.LIKELY
    return Observation(code, layer.source, layer.node, data, sure, edits, stopgap)


def _perhaps_meant(
    layer: Call, value: float, sure: Sure, bound: dict[str, Value], later: LaterValues, added: bool, stopgap: bool
) -> bool:
    """Whether a layer may well be meant to begin with one number in all its weights."""
    if value != 0 and (_alone(bound) or (stopgap and id(layer) in later.loaded)):
        return True
    # The branch of a residual block then begins as nothing; the last layer of a spatial transformer as the identity.
    bias = bound.get("bias_init")
    if value == 0 and (added or (isinstance(bias, Call) and number(bias) is None)):
        return True
    if api.is_table(layer.api):  # its units get gradients that differ where what follows has weights that differ
        return True
    return sure is Sure.POSSIBLE or later.single or _chosen(layer.tests) or later.perhaps(layer)


def _left_out(layer: Call, structure: Structure) -> bool:
    """True for a layer that is not applied where the construct of the cell that makes it is seen to run: its weights do nothing."""
    return _maker_runs(layer, structure) and id(layer) not in structure.applied


def _maker_runs(layer: Call, structure: Structure) -> bool:
    owners = (frame.owner for frame in frames_around(layer.frame))
    maker = next((owner for owner in owners if isinstance(owner, Instance) and is_cell(owner.of)), None)
    return maker is not None and any(not run.unseen for run in structure.runs.get(id(maker), ()))


def _passed_over(layer: Call, structure: Structure) -> bool:
    """True for a layer of which no construct is seen to run, where what is trained is not seen and may be another network."""
    if _maker_runs(layer, structure):
        return _left_out(layer, structure)
    trained = seen(structure.reading)
    stopped = bool(trained.stops) or any(network.stops for network in trained.networks)
    return stopped and not any(id(layer.node) in network.layers for network in trained.networks)


def _beside_random(layer: Call) -> bool:
    """True where the innermost cell with further layers starts some of them from random numbers. Where it starts none so, one number for
    all may stand in for weights that are loaded."""
    for frame in frames_around(layer.frame):
        owner = frame.owner
        if isinstance(owner, Instance) and is_cell(owner.of):
            others = [initial for leaf in _matrices(owner) if leaf is not layer for initial in _starts(leaf)]
            if others:
                return any(number(initial) is None for initial in others)
    return False


def _matrices(net: Instance) -> Iterator[Call]:
    for _, leaf in leaves(net):
        if isinstance(leaf, Call) and kind(leaf.api) in WITH_MATRIX:
            yield leaf


def _starts(layer: Call) -> Iterator[Value | None]:
    """What the matrices of a layer start from; None for the default of the framework."""
    known = api.find(layer.api)
    bound = bound_arguments(layer)
    for weight, initial in known.weights.items() if known and bound is not None else ():
        if initial is not None and _MATRIX.fullmatch(weight):
            yield bound.get(initial) if bound else None


def _chosen(tests: tuple[Test, ...]) -> bool:
    """True when a condition chooses among ways to initialise."""
    return any(
        re.search(r"init|method|[\"'](zeros?|ones?|const\w*|normal|random|uniform)[\"']", t.text, re.I) for t in tests
    )


def _outputs(bound: dict[str, Value]) -> Value | None:
    return next((bound[name] for name in ("out_channels", "out_features", "embedding_size") if name in bound), None)


def _is_filter(names: Sequence[str], bound: dict[str, Value]) -> bool:
    """Whether a convolution is called after a fixed computation, and does not make several outputs of the same inputs, which would all
    be alike."""
    named = any(_FIXED.search(name) for name in names)
    return named and (_alone(bound) or not isinstance(_outputs(bound), KnownValue))


def _alone(bound: dict[str, Value]) -> bool:
    """True where nothing has to become different: one output, or outputs with inputs of their own."""
    outputs = _outputs(bound)
    groups = bound.get("group") or bound.get("groups")
    grouped = groups is not None and not (isinstance(groups, KnownValue) and groups.value == 1)
    return grouped or (isinstance(outputs, KnownValue) and outputs.value == 1)


def _spoken(place: Call) -> bool:
    """True when a comment at a statement says that zeros are meant."""
    return _says_zero(place.source, place.line, getattr(place.node, "end_lineno", place.line))


def _says_zero(source: Source, first: int, last: int | None) -> bool:
    return _ZERO_MEANT.search(comment(source, first, last or first)) is not None


def _flag(layer: Call) -> bool | None:
    """True or False where it was meant for has_bias, and is taken for the initialiser."""
    given = layer.args[2] if layer.api in ("nn.Dense", "nn.DenseThor") and len(layer.args) > 2 else None
    given = given or layer.keywords.get("weight_init")
    return given.value if isinstance(given, KnownValue) and isinstance(given.value, bool) else None


def _named(layer: Call) -> tuple[tuple[int, int, tuple[str, ...]], ...]:
    """The edit that gives a flag by its name."""
    node = layer.node
    if not isinstance(node, ast.Call) or len(node.args) != 3 or any(k.arg == "has_bias" for k in node.keywords):
        return ()
    flag = node.args[2]
    if not isinstance(flag, ast.Constant) or any(isinstance(arg, ast.Starred) for arg in node.args):
        return ()
    line = layer.source.lines[flag.lineno - 1]
    if not line.isascii():
        return ()
    return ((flag.lineno, flag.lineno, (f"{line[: flag.col_offset]}has_bias={line[flag.col_offset :]}",)),)


def _without(layer: Call, initial: str) -> tuple[tuple[int, int, tuple[str, ...]], ...]:
    """The edit that takes the argument away, where it stands on the line of the one before it."""
    node = layer.node
    if not isinstance(node, ast.Call):
        return ()
    parts: list[tuple[str | None, ast.expr]] = [(None, arg) for arg in node.args]
    parts += [(keyword.arg, keyword.value) for keyword in node.keywords]
    place = next((k for k, (name, _) in enumerate(parts) if name == initial), 0)
    if place == 0:
        return ()
    before, value = parts[place - 1][1], parts[place][1]
    line = layer.source.lines[value.lineno - 1]
    one_line = before.end_lineno == value.lineno == value.end_lineno
    if not one_line or not line.isascii() or before.end_col_offset is None or value.end_col_offset is None:
        return ()
    if not re.fullmatch(rf"\s*,\s*{initial}\s*=\s*", line[before.end_col_offset : value.col_offset]):
        return ()
    if not isinstance(value, ast.Constant):
        return ()
    return ((value.lineno, value.lineno, (line[: before.end_col_offset] + line[value.end_col_offset :],)),)


class LaterValues:
    """What gives weights their values after the network was made, and before it is trained."""

    def __init__(self, structure: Structure) -> None:
        self.structure = structure
        self.calls = [*structure.reading.trace.calls]  # what looks for the training runs more
        #: The order of the first training by the id of the run of a function that nothing calls, or of None.
        self.trainings: dict[int, int] = {}
        for call in filter(_trains, self.calls):
            run = id(unseen_run(call.frame))
            self.trainings[run] = min(call.order, self.trainings.get(run, call.order))

    def is_in_time(self, order: int, run: Frame | None) -> bool:
        """Whether something is done before the training that runs with it. `run`: the function around it that nothing calls; such functions
        are followed one after the other, and each may be the one that is started."""
        return order < self.trainings.get(id(run), float("inf"))

    @cached_property
    def of_trained(self) -> dict[int, set[int]]:
        """The ids of the layers and parameters of the networks that are trained, by the id of the node that makes them."""
        found: dict[int, set[int]] = {}
        for network in seen(self.structure.reading).networks:
            for _, leaf in leaves(network.value):
                found.setdefault(id(getattr(leaf, "node", None)), set()).add(id(leaf))
        return found

    @cached_property
    def copies(self) -> list[Call]:
        """The layers of trained networks that are copies of others: no call makes them."""
        made = {id(call) for call in self.calls}
        held = (leaf for network in seen(self.structure.reading).networks for _, leaf in leaves(network.value))
        found = {id(leaf): leaf for leaf in held if isinstance(leaf, Call) and id(leaf) not in made}
        return list(found.values())

    def untrained_twin(self, layer: Call) -> bool:
        """Whether its place also makes a layer that is trained, and this one is not: of a network made as an example, say."""
        twins = self.of_trained.get(id(layer.node), ())
        return bool(twins) and id(layer) not in twins

    def own_parameters(self) -> list[Call]:
        """The parameters that networks of the project make of their own."""
        return [call for call in self.calls if _is_own(call) and not self.untrained_twin(call)]

    @cached_property
    def single(self) -> bool:
        """True when the whole script has one layer: a regression, which may start anywhere."""
        layers = {
            id(c)
            for c in (*self.calls, *(layer for layer, _ in _derived(self.structure.reading.trace)))
            if is_layer(c) and kind(c.api) in WITH_MATRIX
        }
        own = any(c.api == "Parameter" for c in self.calls)
        return len(layers) == 1 and not own

    @cached_property
    def heads(self) -> set[int]:
        """The ids of the layers nearest to a loss: some networks begin with zeros there, and so with the same answer for all."""
        return scan_of(self.structure).heads()

    @cached_property
    def loaded(self) -> dict[int, bool]:
        """The ids of layers in networks that a checkpoint is loaded into, with whether that depends on a condition."""
        found: dict[int, bool] = {}
        for call in self.calls:
            net = None
            if call.api == "load_param_into_net":
                net = call.argument(["net"], "net")
            elif call.api == "load_checkpoint":
                net = call.argument(["ckpt_file_name", "net"], "net")
            if net is not None and self.is_in_time(call.order, unseen_run(call.frame)):
                for leaf in (leaf for _, leaf in leaves(net) if _happens_with(call, leaf)):
                    found[id(leaf)] = found.get(id(leaf), True) and bool(call.tests)
        return found

    @cached_property
    def replaced(self) -> list[Replaced]:
        """The places that set the weights of layers to something else than one number before they are trained."""
        found = replacements(self.structure.reading.trace)
        drawn = [one for one in found if self.is_in_time(one.order, one.run) and number(one.value) is None]
        return [one for one in drawn if not any(_lets_pass(test, 2) is False for test in one.tests)]

    def given(self, layer: Call) -> str | None:
        """ "set-later" or "loaded-later" when a layer gets other weights afterwards."""
        if any(one.reaches(layer) and one.link(layer) >= Link.DEFAULT for one in self.replaced):
            return "set-later"
        return "loaded-later" if self.loaded.get(id(layer)) is False else None

    def perhaps(self, layer: Call) -> bool:
        """True when a condition decides whether a layer gets other weights afterwards."""
        return any(one.reaches(layer) and one.link(layer) is Link.CONDITION for one in self.replaced)


def _happens_with(call: Call, made: Value) -> bool:
    """Whether what a call does is done where something was made: no less sure to run than it."""
    within = unseen_run(call.frame)
    return within is None or (isinstance(made, Call) and within is unseen_run(made.frame))


@kept_with_code
def later_values(structure: Structure) -> LaterValues:
    """What gives the weights of a reading their values, made once for all who ask."""
    return LaterValues(structure)


def _trains(call: Call) -> bool:
    if call.api in differentiating() or kind(call.api) == "step":
        return True
    return call.name in (".train", ".fit") and is_model(call.base)


def _owners(value: Call) -> list[str]:
    """The names of the classes and functions that make something, and those of the cell it is made for."""
    found: list[str] = []
    frame = value.frame if isinstance(value, Call) else None
    while frame is not None and len(found) < 4:
        if frame.function.name not in ("__init__", "_make_layer"):
            found.append(frame.function.name)
        if isinstance(frame.owner, Instance):
            found += [frame.owner.of.node.name, *frame.owner.bound[:3]]
            break
        frame = frame.parent
    return found


def _shown(value: Call) -> str:
    return next(iter(value.bound), "")


def _gamma(layer: Call, structure: Structure) -> Observation:
    """A scale of a normalisation that is zero: usual as the last one of a residual branch."""
    calls = structure.applied.get(id(layer), [])
    data = {"what": layer.api, "name": _shown(layer)}
    if not calls or all(_added(call, structure) for call in calls):
        return Observation("zero-gamma-added", layer.source, layer.node, data)
    return Observation("zero-gamma", layer.source, layer.node, data, Sure.POSSIBLE)


def _added(call: Call, structure: Structure, depth: int = 4) -> bool:
    """True when a result is added to something, perhaps after a few more steps."""
    for user, _ in structure.users.get(id(call), ()):
        if user.name == "+" or user.last in ("add", "Add", "tensor_add"):
            return True
        if isinstance(user.base, Call) and user.base.last in ("Add", "TensorAdd", "AddN", "FloatFunctional"):
            return True
        if depth and user.name[:1] != "." and _added(user, structure, depth - 1):
            return True
    return False


# --- parameters made by hand ------------------------------------------------------------------------------------------


def _parameters(structure: Structure, meant: tuple[str, ...]) -> Iterator[Observation]:
    always, sometimes = _set_anew(structure.reading.trace)
    later = later_values(structure)
    for parameter in later.own_parameters():
        if id(parameter) in always or later.given(parameter) is not None:
            continue
        given = parameter.argument(["default_input"], "default_input")
        for value, sure in possible(given):
            names = [*parameter.bound, *_given_names(parameter)]
            last = [name.rsplit(".", 1)[-1] for name in names]
            if any(fnmatchcase(name.lower(), pattern) for name in names for pattern in meant):
                continue
            used, sizes = _use_of_value(parameter, value, structure), shape(given)
            named = _named_weight(last)  # a matrix of a product is a weight by any name
            if (named is False and used != "weight") or any(_MEANT.search(n) for n in _owners(parameter)):
                continue
            if not _is_weight(used, named is True, sizes):
                continue
            data = {"name": next(iter(names), "") or _text(parameter.node), "value": value}
            code = "zero-parameter" if value == 0 else "constant-parameter"
            unclear = used != "weight" and not (used == "flat" and value == 0)
            unclear = unclear or (value == 0 and _in_branch(parameter, structure))
            unclear |= (
                named is False
                or sure is Sure.POSSIBLE
                or (sizes is None and not named)
                or id(parameter) in sometimes
                or later.perhaps(parameter)
            )
            if unclear or _meant(parameter, structure, regresses=value == 0 and used == "weight"):
                code, sure = code + "-possible", Sure.POSSIBLE
            yield Observation(code, parameter.source, parameter.node, data, sure)


def _use_of_value(parameter: Call, value: float, structure: Structure) -> str:
    """What a parameter that starts as one number is for; a table of rows counts as a weight where all tables start so: beside rows that
    differ, those of one number learn to differ as well."""
    used = _use(parameter, structure)
    if used != "table":
        return used
    return "weight" if value != 0 and _all_tables_alike(structure) else "other"


def _all_tables_alike(structure: Structure) -> bool:
    """Whether there are several tables that indices look up, and each starts as one number other than 0."""
    parameters = later_values(structure).own_parameters()
    tables = [one for one in parameters if _use(one, structure) == "table" and not _vector(one)]
    starts = [possible(one.argument(["default_input"], "default_input")) for one in tables]
    return len(tables) > 1 and all(found and all(value != 0 for value, _ in found) for found in starts)


def _named_weight(names: list[str]) -> bool | None:
    """Whether the names of a parameter are those of a weight; None where they say nothing."""
    if any(_NO_WEIGHT.search(name) for name in names):
        return False
    return True if any(_WEIGHT.search(name) for name in names) else None


def _is_own(made: Call) -> bool:
    """True for a parameter that a cell makes for itself and an optimizer may have. One of the forward pass is new in each run: a state."""
    within = made.api == "Parameter" and _of_network(made.frame) and not _within_forward(made.frame)
    return within and trains(made)


def _set_anew(trace: Trace) -> tuple[set[int], set[int]]:
    """The ids of the parameters whose attribute gets something else than one number afterwards, or which an operation writes into: always,
    and on a condition."""
    always: set[int] = set()
    sometimes: set[int] = set()
    stored = [
        (store.before, store.tests)
        for store in trace.sets
        if not isinstance(store.value, KnownValue) and not possible(store.value)
    ]
    written = [(_held(next(iter(operands(call)), None)), call.tests) for call in trace.calls if in_place(call.last)]
    for value, tests in (*stored, *written):
        for before in options(value):
            if isinstance(before, Call):
                conditional = any(test not in before.tests for test in tests)
                (sometimes if conditional else always).add(id(before))
    return always, sometimes


def _held(value: Value | None) -> Value | None:
    """The parameter whose data a value is; the value itself where it is none."""
    for _ in range(DEEP):
        inner = kept(value, "same") if isinstance(value, Call) and value.api != "Parameter" else None
        if not inner or len(inner) != 1:
            break
        value = inner[0]
    return value


def _is_weight(used: str, called: bool, sizes: list[int | None] | None) -> bool:
    """Whether a parameter is a matrix of weights, by what becomes of it or else by what it is called."""
    vector = sizes is not None and sum(size != 1 for size in sizes) <= 1
    return used != "state" and (not vector or used == "flat") and (called or used in ("weight", "flat"))


def _meant(parameter: Call, structure: Structure, regresses: bool) -> bool:
    """Whether a start at one number may be intended: chosen among others, spoken of, or `regresses` and the only weight."""
    return _chosen(parameter.tests) or _spoken(parameter) or (regresses and _sole(parameter, structure))


def _sole(parameter: Call, structure: Structure) -> bool:
    """Whether each optimizer that has a weight has no other matrix: a regression of one layer, whose gradient comes from the inputs."""
    if parameter.loops or any(one.loops for one in frames_around(parameter.frame)):  # it stands for several
        return False
    made = {id(call): call for call in structure.reading.trace.calls}
    beside = [held - {id(parameter)} for _, held in scan_of(structure).optimizers if id(parameter) in held]
    return bool(beside) and all(leaf in made and _vector(made[leaf]) for held in beside for leaf in held)


def _vector(leaf: Call) -> bool:
    """Whether a layer or parameter holds no matrix: a bias, or the scale and offset of a normalisation."""
    if leaf.api != "Parameter":
        return kind(leaf.api) == "normalization"
    sizes = shape(leaf.argument(["default_input"], "default_input"))
    return sizes is not None and sum(size != 1 for size in sizes) <= 1


#: Operators that take a weight: where it stands, as "0", "1", ...; None for anywhere.
_TAKES: list[tuple[str, tuple[str, ...] | None]] = [
    (r"(Batch)?Mat_?[Mm]ul|matmul|bmm|mm|einsum|Einsum|dot|tensor_dot|Gemm|inner|addmm|baddbmm", None),
    (r"[Cc]onv\dd\w*|Conv\dD\w*|DepthwiseConv2dNative|conv_transpose\w*", ("1", "weight", "filter")),
    (r"[Dd]ense|linear", ("1", "weight")),
    (r"Gather(V2)?|gather|EmbeddingLookup|embedding", ("0", "input_params", "params", "weight")),
]


def _passes(user: Call) -> bool:
    """Whether a weight is still one in the result: its elements at other places, or these by a factor."""
    known = effect(user)
    by_factor = known is not None and (known.keeps == "direction" or known.operation in ("mul", "div"))
    return by_factor or kept(user, *TAKEN) is not None or name_of(user) == "ParameterTuple"


def _use_by(user: Call, how: str) -> str:
    """What one operation uses a parameter for; empty where it is for none of these."""
    operator = user.maker
    last = operator.last.lstrip(".@")
    assigned = how in ("0", "base", "input_x", "variable")
    if assigned and re.search(r"(^|_)[Aa]ssign|[Ss]catter|^set_data$|^assign_value$", last):
        return "state"
    if re.search(r"LSTM|GRU|RNN|lstm|gru|rnn", operator.last) and how not in ("0", "base"):
        return "flat"
    if operator.last == "ParameterTuple" and any(re.search("weight", name, re.I) for name in operator.bound):
        return "flat"
    taken = any(re.fullmatch(pattern, last) and (places is None or how in places) for pattern, places in _TAKES)
    if taken or user.name == "@":
        return "weight"
    return "table" if how == "base" and _looks_up(user) else ""


def _looks_up(item: Call) -> bool:
    """Whether numbers that are given, none of the script's own, tell which rows are taken."""
    key = item.args[0] if item.name == "[]" and item.args else None
    return isinstance(key, (Call, UnknownValue)) and not is_slice(key)


def _use(parameter: Call, structure: Structure) -> str:
    """What a parameter is for: "weight" of a product or look-up, "table" whose rows an index takes, "flat" weights of a recurrent
    operator, "state" that is assigned, "other"; empty where that is not seen."""
    queue: list[Value] = [parameter]
    seen = {id(parameter)}
    found = ""
    while queue and len(seen) < 200:
        value = queue.pop(0)
        for user, how in structure.users.get(id(value), ()):
            if told := _use_by(user, how):
                return told
            if _passes(user):
                if id(user) not in seen:
                    seen.add(id(user))
                    queue.append(user)
            else:
                found = "other"
    return found


def _given_names(parameter: Call) -> list[str]:
    given = parameter.argument(["default_input", "name"], "name")
    return _texts(given)[:3]


def _texts(value: Value | None, depth: int = 0) -> list[str]:
    """The constant texts that a text is put together of."""
    if isinstance(value, KnownValue):
        return [value.value] if isinstance(value.value, str) else []
    if isinstance(value, Call) and depth < 6 and (value.name in ("+", "%", "f-string", ".format") or not value.name):
        parts = [*([value.base] if value.base is not None else []), *value.args[:8]]
        return [text for part in parts for text in _texts(part, depth + 1)]
    return []


def _of_network(frame: Frame | None) -> bool:
    """True for what a cell of a network makes, itself or through a function."""
    owner = next((one.owner for one in frames_around(frame) if isinstance(one.owner, Instance)), None)
    if owner is None:
        return False
    steps = any(kind(base) in ("step", "optimizer", "scaler") for base in base_names(owner.of))
    return is_cell(owner.of) and not steps and not is_loss(owner)


def _within_forward(frame: Frame | None) -> bool:
    """True for what a network makes while it runs."""
    methods = (one for one in frames_around(frame) if isinstance(one.owner, Instance))
    return any(one.function.name in FORWARD for one in methods)


def shape(value: Value | None, depth: int = 0) -> list[int | None] | None:
    """The sizes of an array along its axes, None for those that are not known; None when their number is not known."""
    if isinstance(value, KnownValue) and type(value.value) in (int, float):
        return []
    if not isinstance(value, Call) or depth > DEEP:
        return None
    name = value.api
    if (
        name in ("initializer", "Tensor")
        and (given := value.argument(["init", "shape"], "shape")) is not None
        and name == "initializer"
    ):
        return _sizes(given) or _of_initial(value, depth)
    if name == "Tensor" and "shape" in value.keywords:
        return _sizes(value.keywords["shape"])
    if name == "initializer":
        return _of_initial(value, depth)
    known = effect(value)
    if known is None:
        return None
    if known.constant is not None or known.operation in ("full", "fill"):
        places = value.args[1:] if known.operation == "fill" else value.args
        return _sizes(places[0] if places else value.keywords.get("shape"))
    if name in (".reshape", ".view"):
        return _sizes(Items(value.args)) if len(value.args) != 1 else _sizes(value.args[0])
    if known.keeps == "same" or known.axes:
        return next((shape(given, depth + 1) for given in operands(value, known.of)), None)
    if known.operation in _ARITHMETIC:
        both = [shape(arg, depth + 1) for arg in operands(value, (0, 1))]
        return max((sizes for sizes in both if sizes is not None), key=len, default=None) or (
            None if None in both else []
        )
    return None


def _of_initial(made: Call, depth: int) -> list[int | None] | None:
    """The sizes of the array that an initializer is given in place of its name or its number."""
    return shape(made.args[0], depth + 1) if made.args and isinstance(made.args[0], Call) else None


def _sizes(value: Value | None) -> list[int | None] | None:
    if isinstance(value, KnownValue) and type(value.value) is int:
        return [value.value]
    if isinstance(value, Items) and not value.open:
        return [integer_of(item) for item in value.items]
    return None


# --- what is set afterwards -------------------------------------------------------------------------------------------


def _stored(structure: Structure) -> Iterator[Observation]:
    trace = structure.reading.trace
    for store in trace.stores:
        if store.attribute == "set_data":
            yield Observation(
                "set-data-assigned",
                store.source,
                store.node,
                {"target": _text(store.node)},
                Sure.LIKELY,
                edits=_called(store.source, store.node),
            )
        elif store.attribute in ("default_input", "data"):
            yield from _set(structure, store.owner, store.value, store.source, store.node, store.tests, None)
    for call in trace.calls:
        if call.name == ".set_data" and call.args:
            for owner in options(call.base):
                yield from _set(structure, owner, call.args[0], call.source, call.node, call.tests, call.frame)
        elif (
            call.discarded and (kind(call.api) == "initializer" or call.api == "initializer") and call.frame is not None
        ):
            yield Observation("initializer-discarded", call.source, call.node, {"what": call.api}, Sure.LIKELY)


def _set(
    structure: Structure,
    owner: Value,
    value: Value,
    source: Source,
    node: ast.AST,
    tests: tuple[Test, ...],
    frame: Frame | None,
) -> Iterator[Observation]:
    """Zeros that are written into a weight, by a function that runs in `frame`."""
    found = possible(value)
    if not found or not isinstance(owner, Call):
        return
    constant, sure = found[0]
    line, last = getattr(node, "lineno", 1), getattr(node, "end_lineno", None)
    target = _text(node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else node)
    asked = " ".join(test.text for test in tests if test.taken)
    if owner.name in ("@weight", "@embedding_table"):
        if _set_on_purpose(structure, owner.base, constant, target, asked):
            return
        looped = owner.base is not None and not _is_made(owner.base) and flow.find(owner.base, _looped, stop=_is_made)
        chosen = not looped or _chosen(tests) or _asked_for(frame, node) or _says_zero(source, line, last)
        chosen = chosen or _by_name((*tests, *(test for run in frames_around(frame) for test in run.tests)))
    elif _every_parameter(owner):
        if _RANDOM.search(asked) or _RANDOM.search(" ".join(source.lines[max(0, line - 4) : line])):
            return
        chosen = not all(map(_for_matrices, tests)) or _of_one_layer(owner)
    else:
        return
    code = "zero-set" if constant == 0 else "constant-set"
    if chosen or sure is Sure.POSSIBLE:  # a layer chosen by an option
        code, sure = code + "-possible", Sure.POSSIBLE
    yield Observation(code, source, node, {"value": constant, "target": target}, sure)


def _set_on_purpose(structure: Structure, layer: Value | None, constant: float, target: str, asked: str) -> bool:
    """Whether the weight of a layer may well be meant to begin as one number: of a normalisation, of what its name says so, or
    of the last layer of a residual block."""
    if re.search(r"norm|(?<![a-z])bn", asked, re.I):
        return True
    made = layer if isinstance(layer, Call) else None
    if made is not None and made.name and kind_of(made) == "normalization":
        return True
    names = [*(made.bound if made is not None else ()), *target.split(".")]
    if any(_MEANT.search(name) or (constant != 0 and _FIXED.search(name)) for name in names):
        return True
    applied = made is not None and constant == 0 and structure.applied.get(id(made))
    return bool(applied) and made is not None and _branch(made, structure)


def _looped(made: Call) -> bool:
    return made.name in (*CELLS, ".each")


def _is_made(value: Value) -> bool:
    """True for a layer or an object itself, whatever it was made with."""
    return isinstance(value, Instance) or is_layer(value)


def _every_parameter(value: Value | None, depth: int = 0) -> bool:
    """True for what a loop over the parameters of a network yields."""
    if isinstance(value, Call) and depth < 6:
        if value.name in PARAMETERS:
            return True
        if value.name in (".each", "[]", ".item"):
            return _every_parameter(value.base, depth + 1)
    return False


_COMPARES: dict[str, Callable[[int, int], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def _for_matrices(test: Test) -> bool:
    """Whether a condition asks for a number of axes that no bias has: all matrices are set then, and nothing is chosen."""
    return _lets_pass(test, 1) is False


def _lets_pass(test: Test, axes: int) -> bool | None:
    """Whether a condition about the number of axes lets a parameter with so many pass; None for one about something else."""
    compares = _COMPARES.get(test.value.name) if isinstance(test.value, Call) else None
    if compares is None or not isinstance(test.value, Call) or test.taken is None:
        return None
    of_parameter = [axes if _counts_axes(side) else _number(side) for side in test.value.args]
    sides = [side for side in of_parameter if side is not None]
    asked = sum(map(_counts_axes, test.value.args)) == 1 and len(sides) == 2
    return compares(*sides) is test.taken if asked else None


def _number(value: Value) -> int | None:
    return integer_of(value)


def _counts_axes(value: Value) -> bool:
    if not isinstance(value, Call):
        return False
    shape_ = value.args[0] if value.api == "len" and value.args else None
    return name_of(value) in ("@ndim", ".dim", ".ndimension", "ops.rank", "ops.Rank") or (
        isinstance(shape_, Call) and shape_.name == "@shape"
    )


def _of_one_layer(value: Value | None) -> bool:
    """True for a parameter of one layer, or of a part that is chosen by its place."""
    getter = flow.find(value, lambda made: made.name in PARAMETERS)
    parts = options(getter.base) if getter is not None else ()
    places = [isinstance(part, Call) and part.name == "[]" and isinstance(part.args[0], KnownValue) for part in parts]
    return bool(parts) and all(place or is_layer(part) for place, part in zip(places, parts, strict=True))


def _by_name(tests: tuple[Test, ...]) -> bool:
    """Whether a condition takes the layers whose name, in a variable, begins with, ends with or has a text."""
    for test in tests:
        node = test.node
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in ("startswith", "endswith") and isinstance(node.func.value, ast.Name) and test.taken:
                return True
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In) and test.taken:
            text = isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
            if text and isinstance(node.comparators[0], ast.Name):
                return True
    return False


def _asked_for(frame: Frame | None, node: ast.AST) -> bool:
    """True where the caller of a function chose this way of it, by an argument."""
    if frame is None or not isinstance(frame.node, ast.Call):
        return False
    order = [part.arg for part in frame.function.node.args.args][frame.owner is not None :]
    told = {*order[: len(frame.node.args)], *(keyword.arg for keyword in frame.node.keywords)}
    told -= {part.id for part in walk(node) if isinstance(part, ast.Name)}  # the layer itself
    asked = (part for test in conditions_around(frame.function.node, node) for part in walk(test))
    return any(isinstance(part, ast.Name) and part.id in told for part in asked)


def _text(node: ast.AST) -> str:
    return " ".join(ast.unparse(node).split())[:80]


def _called(source: Source, node: ast.AST) -> tuple[tuple[int, int, tuple[str, ...]], ...]:
    """The edit that makes a call of what is assigned to the name of a method."""
    statement = next(
        (n for n in source.nodes_of(ast.Assign) if len(n.targets) == 1 and n.targets[0] is node),
        None,
    )
    if statement is None or statement.end_lineno is None:
        return ()
    first, last = statement.lineno, statement.end_lineno
    lines = list(source.lines[first - 1 : last])
    head, end = re.sub(r"\.set_data\s*=\s*", ".set_data(", lines[0], count=1), statement.end_col_offset
    if head == lines[0] or not lines[-1].isascii() or not lines[0].isascii():
        return ()
    if len(lines) == 1:
        grown = len(head) - len(lines[0])
        tail = (end or 0) + grown
        return ((first, last, (head[:tail] + ")" + head[tail:],)),)
    lines[0] = head
    lines[-1] = lines[-1][:end] + ")" + lines[-1][end:]
    return ((first, last, tuple(lines)),)
