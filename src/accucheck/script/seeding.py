"""Which generators of random numbers a script uses, which of them it seeds, and in which order."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from ..knowledge import api, dataset_classes, effects
from ..knowledge.random_numbers import GENERATORS, SEEDS, of_python_transforms, shared_generator
from .effects import bound_arguments
from .flow import setting, sources
from .grading import Link, replacements
from .source import Source
from .syntax import children, conditions_around, walk
from .trace import Trace
from .values import (
    Call,
    Function,
    Instance,
    KnownValue,
    NamedValue,
    UnknownValue,
    Value,
    ValueOrigin,
    is_known,
    options,
    runs_model,
    unseen,
    unseen_run,
)

#: What random numbers are used for, in the order in which it matters.
KINDS = ("weights", "numpy", "python", "operators", "data", "mint")

#: Functions elsewhere that by their names set seeds.
_HELPER = re.compile(
    r"(^|\.|_)(set|setup|fix|init|make|manual)_?(\w+_)?(seed|deterministic|random_?state)s?$|seed_(everything|all)$|set_global_seed",
    re.I,
)
_WEIGHTS = re.compile(
    r"^(mint\.)?nn\.(Conv\d|Dense$|Linear$|Embedding|BiDense$|Bilinear$|LSTM|GRU|RNN|MultiheadAttention$|Transformer|"
    r"SeparableConv|thor|DenseThor|Conv2dThor)"
)
_INITIALIZERS = re.compile(
    r"^(initializer\.)?(normal|uniform|truncatednormal|xavier\w*|he\w*|lecun\w*|orthogonal|sparse|variancescaling)$",
    re.I,
)
_OPERATORS = re.compile(
    r"^(ops|mnp)\.(standard_?normal|standard_?laplace|normal|uniform|uniform_?(int|real)|gamma|random_gamma|poisson|random_poisson|"
    r"multinomial\w*|rand|randn|randint|randperm|randint_like|rand_like|randn_like|bernoulli|laplace|shuffle|random\w*|dropout\w*|"
    r"alpha_dropout|feature_alpha_dropout|\w+_candidate_sampler|permutation|choice|rrelu)$",
    re.I,
)
_DROPOUT = re.compile(r"^(mint\.)?nn\.(Dropout|AlphaDropout|Dropout[123]d|FeatureAlphaDropout|RReLU)", re.I)
_TRAINS = frozenset((".train", ".fit"))
VARIES = re.compile(
    r"^(time\.(time|time_ns|perf_counter)|datetime\.\S*now|os\.(getpid|urandom)|uuid\.\w+|secrets\.\w+|\.now)$"
)


@dataclass(frozen=True)
class Seed:
    """A call that seeds `reaches`. `value` says what with; `sure` is False within a function without a visible caller."""

    call: Call
    reaches: frozenset[str]
    value: Value | None
    seen: bool


@dataclass(frozen=True)
class RandomUse:
    """Random numbers of one kind are drawn, or will be when this object is used."""

    kind: str
    call: Call
    seen: bool

    @property
    def of_data(self) -> bool:
        """Whether order or augmentation of the data is drawn, with whichever generator."""
        return self.kind == "data" or of_python_transforms(self.call.name)


@dataclass
class Randomness:
    seeds: list[Seed] = field(default_factory=list)
    uses: list[RandomUse] = field(default_factory=list)
    unseeded: list[Call] = field(default_factory=list)  # generator objects made without a seed
    elsewhere: list[Call] = field(default_factory=list)  # functions out of sight that by their names set seeds
    deterministic: list[Call] = field(default_factory=list)
    unreached: list[tuple[Source, ast.Call]] = field(
        default_factory=list
    )  # seeds written where the script does not come
    training: Call | None = None

    def first(self, kind: str) -> RandomUse | None:
        """The first use of a kind: one that the script comes to, if there is one."""
        fitting = [use for use in self.uses if use.kind == kind]
        return next((use for use in fitting if use.seen), fitting[0] if fitting else None)

    def reaching(self, kind: str) -> list[Seed]:
        return [seed for seed in self.seeds if kind in seed.reaches]

    def late(self, use: RandomUse, seed: Seed, trace: Trace) -> RandomUse | None:
        """What a seed comes too late for, a use or one of its kind. Weights that are set once more behind the seed are not trained as they
        were drawn before; transforms of Python draw only when the data are read."""
        if not use.seen or use.call.order > seed.call.order:
            return None
        anew = [one for one in replacements(trace) if one.order > seed.call.order] if use.kind == "weights" else []
        for other in (one for one in (use, *self.uses) if not one.of_data):
            before = other.kind == use.kind and other.seen and other.call.order < seed.call.order
            if before and not any(one.reaches(other.call) and one.link(other.call) > Link.ELSEWHERE for one in anew):
                return other
        return None

    def undone(self, trace: Trace) -> tuple[ValueOrigin, ...]:
        """The settings of the run that decide the conditions around the first seed that is not reached."""
        if not self.unreached:
            return ()
        source, node = self.unreached[0]
        around = [id(test) for test in conditions_around(source.tree, node)]
        return tuple(one for test, deciders in trace.decided.items() if id(test) in around for one in deciders)

    def source_of(self, seed: Seed) -> Call | None:
        """The call that makes a seed another one in each run: the time, or a random number that nothing seeds before."""
        return varies(seed.value) or next((part for part in _draws(seed.value) if self._is_free(part)), None)

    def _is_free(self, draw: Call) -> bool:
        """Whether a random number is drawn with a generator that nothing is seen, or may be thought, to seed before."""
        kind = drawn(draw)
        before = [seed for seed in self.reaching(kind) if seed.call.order < draw.order] if kind else []
        return kind in ("python", "numpy") and not before and not self.elsewhere


def read(trace: Trace, modules: list[Source]) -> Randomness:
    """Everything about random numbers that a script and the modules that were followed do."""
    found = Randomness()
    nodes: set[int] = set()
    trains = next((call for call in trace.calls if is_training(call)), None)
    found.training = trains
    for call in trace.calls:
        api = call.api
        if api in SEEDS:
            nodes.add(id(call.node))
            value = call.args[0] if call.args else call.keywords.get("seed")
            if not _nothing(value):
                found.seeds.append(Seed(call, SEEDS[api], value, _is_seen(call, trains) or _by_others(call)))
        elif _helps(call):
            nodes.add(id(call.node))
            found.elsewhere.append(call)
        elif kind := drawn(call):
            found.uses.append(RandomUse(kind, call, _is_seen(call, trains)))
        elif api in GENERATORS and not call.unpacked:
            if not call.args and not call.keywords:
                found.unseeded.append(call)
        elif api == "set_deterministic" or (api == "set_context" and "deterministic" in call.keywords):
            found.deterministic.append(call)
    of_seeds = _drawn_for_seeds(found, trace)
    found.uses = [use for use in found.uses if id(use.call) not in of_seeds]
    if found.first("weights") is None:
        found.uses += _learns(trace)
    if not any(seed.seen for seed in found.seeds):
        _add_written(found, trace, modules, nodes)
    return found


def _is_seen(call: Call, trains: Call | None) -> bool:
    """Whether a call is seen to be run, or the training is not seen to be either."""
    return not unseen(call.frame) or (trains is not None and unseen(trains.frame))


def _by_others(call: Call) -> bool:
    """Whether a call stands in what the framework asks an object that the script makes for, as a sampler for its indices."""
    run = unseen_run(call.frame)
    of = run.owner if run is not None and run.function.name.startswith("__") else None
    return isinstance(of, Instance) and not of.unseen and not unseen(of.frame)


def _drawn_for_seeds(found: Randomness, trace: Trace) -> set[int]:
    """The ids of random numbers that are drawn to be seeds, also by way of a setting that they are stored in: where none is configured,
    say. They are no use of randomness that a seed comes too late for."""
    parts = [part for seed in found.seeds for part in sources(seed.value)]
    read = {_road(part) for part in parts}
    kept = [store for store in trace.stores if f"{_road(store.owner)}.{store.attribute}" in read]
    parts += [part for store in kept for part in sources(store.value)]
    return {id(part) for part in parts}


def _road(value: Value | None) -> str:
    """What something is an attribute of, and through which ones."""
    if isinstance(value, Call) and value.name[:1] == "@":
        return f"{_road(value.base)}.{value.name[1:]}"
    return value.name if isinstance(value, NamedValue) else str(id(value))


def _add_written(found: Randomness, trace: Trace, modules: list[Source], known: set[int]) -> None:
    """Add what is written like a seed and is none of the known nodes: calls by names out of sight, and code that nothing gets to."""
    words = re.compile(r"seed\(")
    written = ((source, node) for source in modules if words.search(source.text) for node in _written(source.tree))
    rest = [(source, node) for source, node in written if id(node) not in known]
    ran = {id(call.node): call for call in trace.calls}
    found.unreached = [(source, node) for source, node in rest if id(node) not in ran]
    found.elsewhere += [ran[id(node)] for _, node in rest if id(node) in ran]


def is_training(call: Call) -> bool:
    """Something that trains: a Model, or gradients that are taken."""
    if call.name in _TRAINS and call.base is not None:
        return runs_model(call)
    return call.api in effects.differentiating()


def _learns(trace: Trace) -> list[RandomUse]:
    """Where weights of a network from elsewhere are trained first: they may be random there, or loaded when it is made."""
    learning = (call for call in trace.calls if is_training(call) and not _of_inputs_alone(call))
    return [RandomUse("weights", call, False) for call in islice(learning, 1)]


#: Of what gives gradients of inputs unless it is told otherwise: its parameters, and the one by which it gives those of weights.
_OF_INPUTS = {
    **dict.fromkeys(("grad", "value_and_grad"), (["fn", "grad_position", "weights"], "weights")),
    "ops.GradOperation": (["get_all", "get_by_list"], "get_by_list"),
}


def _of_inputs_alone(call: Call) -> bool:
    """Whether gradients are those of inputs, as forces are of positions: nothing is seen to be learnt by them."""
    known = _OF_INPUTS.get(call.api)
    given = call.argument(*known) if known is not None else None
    off = given is None or (isinstance(given, KnownValue) and given.value in (None, False) and not given.assumed)
    return known is not None and off and not call.unpacked


def _nothing(value: Value | None) -> bool:
    return value is None or (is_known(value, None) and not value.assumed)


def _helps(call: Call) -> bool:
    """True for a function out of sight that by its name sets a seed."""
    if not (call.base is None or isinstance(call.base, UnknownValue)):
        return False
    if call.name.startswith((".", "mindspore.", "numpy.", "random.", "torch.")):
        return False
    return bool(call.name) and _HELPER.search(call.name) is not None


def drawn(call: Call) -> str | None:
    """Of which kind the random numbers are that a call draws, or its object will."""
    api = call.api
    if not api[:1].isalpha():  # an operator, or a method of something
        return None
    if api.startswith(("numpy.random.", "random.")) and call.base is None:
        return shared_generator(api) or None
    if _WEIGHTS.match(api):
        return None if _draws_alike(call) or _is_filled(call) else "weights"
    if api == "initializer":
        kind = call.argument(["init", "shape", "dtype"], "init")
        for option in options(kind):
            name = option.value if isinstance(option, KnownValue) else option.api if isinstance(option, Call) else ""
            if isinstance(name, str) and _INITIALIZERS.match(name.rsplit(".", 1)[-1]):
                return "weights"
        return None
    if _DROPOUT.match(api):
        rate = call.argument(["keep_prob", "p"], "p")
        off = isinstance(rate, KnownValue) and rate.value in (0, 0.0) and not rate.assumed
        return None if off else "mint" if api.startswith("mint.") else "operators"
    if _OPERATORS.match(api):
        return None if _has_own_seed(call) else "operators"
    if api.startswith(("mint.rand", "mint.normal", "mint.bernoulli", "mint.multinomial")):
        return "mint"
    if of_python_transforms(call.name) and call.last.startswith("Random"):
        return "python"
    if api.startswith(("vision.Random", "transforms.Random", "audio.Random")) or api in (
        "dataset.RandomSampler",
        "dataset.SubsetRandomSampler",
        "dataset.WeightedRandomSampler",
    ):
        return "data"
    return "data" if api.startswith("dataset.") and call.last.endswith("Dataset") and _shuffles(call) else None


def _draws_alike(layer: Call) -> bool:
    """Whether the weight of a layer is drawn by an initializer of the project that seeds each time it draws, and no bias is drawn."""
    given = bound_arguments(layer) or {}
    made, known = options(given.get("weight_init")), api.find(layer.api)
    default = KnownValue(known.defaults.get("has_bias")) if known is not None else None
    fixed = is_known(given.get("has_bias", default), False) or is_known(given.get("bias_init"), "zeros")
    return bool(made) and fixed and all(isinstance(one, Instance) and any(_written(one.of.node)) for one in made)


def _is_filled(layer: Call) -> bool:
    """Whether a table is given all its numbers, which are then drawn elsewhere, or not at all."""
    given = (bound_arguments(layer) or {}).values() if api.is_table(layer.api) else ()
    return any(
        isinstance(one, Call) and one.api in ("Tensor", "Parameter") for value in given for one in options(value)
    )


def _has_own_seed(call: Call) -> bool:
    """Whether an operator is given a seed, which makes it draw the same in each run; 0 is none."""
    given = (call.keywords.get(name) for name in ("seed", "seed2", "Seed0", "Seed1"))
    return any(isinstance(one, KnownValue) and type(one.value) is int and one.value != 0 for one in given)


def _shuffles(call: Call) -> bool:
    """Whether a data set, by what it is given, brings its rows into an order of chance."""
    known = dataset_classes.load().sources.get(call.last)
    parameters = known.parameters if known is not None else ["shuffle"]
    given, sampler = call.argument(parameters, "shuffle"), call.argument(parameters, "sampler")
    if is_known(given, False):
        return False
    if sampler is not None and all(_takes_in_order(one) or isinstance(one, Instance) for one in options(sampler)):
        return False  # one of the project draws by itself, where it does
    if known is None or known.access != "generator":
        return True
    behind = options(call.argument(parameters, "source"))
    return not behind or not all(_yields(one) for one in behind)


def _takes_in_order(sampler: Value) -> bool:
    known = dataset_classes.load().samplers.get(sampler.last) if isinstance(sampler, Call) else None
    return known is not None and known.order in ("sequential", "fixed")


def _yields(source: Value) -> bool:
    """True for a generator function, whose rows come in its own order, whatever is asked for."""
    return isinstance(source, Function) and any(
        isinstance(node, (ast.Yield, ast.YieldFrom)) for node in walk(source.node)
    )


def _written(tree: ast.AST) -> Iterator[ast.Call]:
    """Calls in the text that set a seed, wherever they stand."""
    queue: list[ast.AST] = [tree]
    while queue:
        node = queue.pop()
        by_others = isinstance(node, ast.FunctionDef) and node.name.startswith("__") and node.name != "__init__"
        if not by_others:
            queue += children(node)
        if isinstance(node, ast.Call):
            called = node.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            owner = called.value if isinstance(called, ast.Attribute) else None
            if name in ("set_seed", "manual_seed") or (
                name == "seed" and isinstance(owner, (ast.Attribute, ast.Name)) and "random" in ast.unparse(owner)
            ):
                yield node


def varies(value: Value | None) -> Call | None:
    """The call that makes a seed another one in each run: the time or a process number."""
    for option in options(value):
        for part in () if setting(option) else sources(option, setting):
            if isinstance(part, Call) and VARIES.match(part.name):
                return part
    return None


def _draws(value: Value | None) -> Iterator[Call]:
    """The random numbers that a seed is made of."""
    for option in options(value):
        for part in () if setting(option) else sources(option, setting):
            if isinstance(part, Call) and drawn(part) is not None:
                yield part


def is_dropout(call: Call) -> bool:
    """A layer that draws random numbers in training, also where its rate is 0."""
    return bool(_DROPOUT.match(call.api))


def text_of(call: Call) -> str:
    """A call as it is written, shortened."""
    return call.source.segment(call.node, 60) if isinstance(call.node, ast.expr) else call.name
