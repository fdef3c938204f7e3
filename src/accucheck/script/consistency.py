"""What the scripts say about evaluation processing data as training does (dp.02), from the pipelines of both."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from ..knowledge import api
from ..knowledge.random_numbers import SEEDS
from . import seeding
from .effects import effect, gradient_maker
from .factors import operation
from .flow import find, sources
from .lengths import alike
from .normalization import judge, pipelines_of, placed, rescaled_again, unique
from .pipelines import Input, Pipeline, Pipelines
from .sample_functions import RESAMPLES, SCALERS
from .sample_numbers import Scale, after, constant, one_number
from .samples import SamplePath, Step
from .syntax import kept
from .training import role
from .values import (
    Call,
    Frame,
    Instance,
    Items,
    KnownValue,
    Value,
    frames_around,
    is_known,
    options,
    parts,
    words,
)

#: How bad each difference is; of several trainings, the one that differs least is compared with.
SEVERE = {
    "agree": 0,
    "usual": 1,
    "unclear": 2,
    "clip-differs": 3,
    "interpolation-differs": 3,
    "slice-differs": 4,
    "size-differs": 4,
    "part-differs": 4,
    "colour-differs": 4,
    "sampling-differs": 4,
    "own-statistics": 5,
    "constants-differ": 5,
    "scale-differs": 5,
    "normalised-in-one": 6,
}
#: By how much more of the picture's sides evaluation may cut off than training: the usual 256 to 224 is 1.14.
CUT_OFF = 1.9
#: Pictures whose sides differ by this factor show things in sizes that no training had, whatever part of them is taken.
FAR_APART = 2.5
#: How the first of two ways differs from the second: the code, the ways, and what differs.
Difference = tuple[str, SamplePath, SamplePath, tuple[str, ...]]
_OF_NUMBERS = ("scale-differs", "normalised-in-one", "constants-differ", "own-statistics")
#: The operations by which a sample is brought to a scale of its own, by what they look at.
_STATISTICS = {"mean": "moments", "std": "moments", "variance": "moments", "max": "ends"}
_FITS = SCALERS.keys() | {
    "PCA",
    "SimpleImputer",
    "KNNImputer",
    "TfidfVectorizer",
    "CountVectorizer",
    "KBinsDiscretizer",
}
_SPLITS = ("sklearn.model_selection.train_test_split", "sklearn.cross_validation.train_test_split")


@dataclass(frozen=True, eq=False)
class Observation:
    """One thing to say. `ways` are those of training and evaluation, to be shown side by side."""

    code: str
    made: Call
    data: dict[str, Any] = field(default_factory=dict)
    ways: tuple[SamplePath, SamplePath] | None = None
    step: Step | None = None
    certain: bool = False
    differs: tuple[str, ...] = ()
    shared: bool = False  # training uses the step, too
    possible: bool = False  # it may well be meant


def examine(readings: list[Pipelines]) -> Iterator[Observation]:
    """Everything to say about evaluation beside training."""
    training = list(pipelines_of(readings, "train"))
    evaluation = [pipeline for pipeline in pipelines_of(readings, "eval") if not _is_idle(pipeline)]
    yield from fitted_on_evaluation(readings)
    yield from resplit(readings)
    if not training or not evaluation:
        return
    known = {id(step.made.node) for p in training for entry in p.inputs for way in entry.ways for step in way.steps}
    for pipeline in evaluation:
        yield from split_leaks(pipeline, training, readings)
        chances = list(by_chance(pipeline, known))
        yield from chances
        yield from compared(pipeline, training)


def _is_idle(pipeline: Pipeline) -> bool:
    """True for a data set that the script which is started makes, and never asks for again: nothing is evaluated with it."""
    leaf = pipeline.leaf
    if leaf is None or not leaf.bound or pipeline.proven or leaf.source.path != pipeline.reading.source.path:
        return False
    names = (node for node in leaf.source.nodes_of(ast.Name) if isinstance(node.ctx, ast.Load))
    return not any(node.id in leaf.bound for node in names)


# --- chance -----------------------------------------------------------------------------------------------------------


def by_chance(pipeline: Pipeline, training: set[int]) -> Iterator[Observation]:
    """Random steps in evaluation."""
    seen: set[int] = set()
    split = bool(_splits(pipeline))
    for entry in filter(_is_data, unique(pipeline.inputs)):
        always = all(_is_drawn(way.steps) for way in entry.of_data)
        for way in entry.ways:
            for step in way.steps:
                if not step.random or id(step.made.node) in seen or _repeats(step, pipeline.reading.trace.calls):
                    continue
                seen.add(id(step.made.node))
                known = step.kind == "random"
                if not _augments(step):
                    continue
                data = {"step": step.text, "input": entry.name}
                shared = id(step.made.node) in training
                condition = _condition(step, entry, pipeline)
                code = _doubt(step, pipeline, always and not condition)
                if code is not None:
                    data["condition"] = condition or "?"
                else:
                    code = "random-before-split" if split and shared else "random-in-evaluation"
                yield Observation(
                    code, placed(step, way, pipeline), data, None, step, certain=known and pipeline.sure, shared=shared
                )


def _repeats(step: Step, calls: list[Call]) -> bool:
    """True where each number that chance decides a step with is drawn right after its generator was seeded with a constant, in the
    same run of a function: it is the same for each sample."""
    seeds = [call for call in calls if call.api in SEEDS and call.args and isinstance(call.args[0], KnownValue)]
    return bool(seeds) and bool(step.draws) and all(any(_fixes(seed, draw) for seed in seeds) for draw in step.draws)


def _fixes(seed: Call, draw: Call) -> bool:
    """Whether a seed stands before a draw in the same function, with no loop around the draw alone. A function is run anew for
    each use of it, so its runs are not compared."""
    functions = [None if call.frame is None else call.frame.function.node for call in (seed, draw)]
    same = functions[0] is not None and functions[0] is functions[1] and seed.line < draw.line and not seed.tests
    return same and set(draw.loops) <= set(seed.loops) and seeding.drawn(draw) in SEEDS[seed.api]


def _condition(step: Step, entry: Input, pipeline: Pipeline) -> str:
    """The condition that a step depends on, beyond those that its whole data set, or the run of the network, depends on."""
    common = {test.text for part in pipeline.chain for test in part.tests}
    if pipeline.leaf is None and entry.frame is not None:
        common = {test.text for test in entry.frame.under}
    return "" if step.condition in common else step.condition


# --- leaks ------------------------------------------------------------------------------------------------------------


def _is_data(entry: Input) -> bool:
    """Whether an input is of the data: no label, and nothing that is made up."""
    return entry.kind not in ("label", "made", "nothing", "simulator")


def _doubt(step: Step, pipeline: Pipeline, always: bool) -> str | None:
    """The code for a random step that may be none, or not be met; None where nothing speaks against it. `always`: it is on each way."""
    if not always or not step.effective:
        # What no operation of augmentation does may be about something else than chance: boxes, a unit.
        return "random-perhaps" if step.kind == "random" else "random-unclear"
    return "random-perhaps" if not pipeline.sure and pipeline.reading.role == "train" else None


def _augments(step: Step) -> bool:
    """Whether a random step is of a kind that augmentation has: noise that is added to data may be the task."""
    jitter = step.kind == "function" and step.name == "*"
    return jitter or step.kind in ("random", "slice", "geometry", "colour")


def _splits(pipeline: Pipeline) -> list[Call]:
    """The calls that divide a data set, of which a pipeline takes one part."""
    return [part for part in pipeline.chain if part.name == ".split"]


def split_leaks(pipeline: Pipeline, training: list[Pipeline], readings: list[Pipelines]) -> Iterator[Observation]:
    """A split() whose parts do not stay apart: MindSpore draws the order of each part anew unless a seed is set, and of a
    shuffled data set in each epoch."""
    for split in _splits(pipeline):
        whole = _divided(split, pipeline)
        if not any(_divided(part, other) == whole for other in training for part in _splits(other)):
            continue  # training takes none of its parts, in this script or in another that divides the same data there
        above = pipeline.chain[pipeline.chain.index(split) :]
        shuffle = next((part for part in above if part.name == ".shuffle"), None)
        source = pipeline.source
        randomize = split.argument(["sizes", "randomize"], "randomize")
        data = {"dataset": source.last if source is not None else "?"}
        if shuffle is not None:
            yield Observation("split-shuffled", shuffle, data, certain=True)
        elif source is not None and _shuffles(source):
            yield Observation("split-shuffled", split, data, certain=True)
        elif not is_known(randomize, False) and not _seeded(readings, split):
            yield Observation("split-unseeded", split, data)


def _shuffles(source: Call) -> bool:
    from ..knowledge import dataset_classes

    known = dataset_classes.load().sources.get(source.last)
    if known is None or "shuffle" not in known.parameters or source.unpacked:
        return False
    given = source.argument(known.parameters, "shuffle")
    sampler = source.argument(known.parameters, "sampler")
    if sampler is not None and not is_known(sampler, None):
        return False
    if given is None:
        return known.access == "random" and source.last not in ("GeneratorDataset", "PaddedDataset")
    return isinstance(given, KnownValue) and given.assumed is None and given.value is True


def _seeded(readings: list[Pipelines], split: Call) -> bool:
    """True when each script that divides the data there sets a seed: another one may evaluate what this one trains with."""
    for pipelines in readings:
        calls = pipelines.trace.calls
        divides = any(_place(call) == _place(split) for call in calls if call.name == ".split")
        if divides and not (
            any(call.last == "set_seed" for call in calls) or seeding.read(pipelines.trace, []).elsewhere
        ):
            return False
    return True


def _divided(split: Call, pipeline: Pipeline) -> tuple[Any, ...]:
    """Where data are divided, and what they are read from."""
    source = pipeline.source
    given = (*source.args, *source.keywords.values()) if source is not None else ()
    return *_place(split), *(word for value in given[:1] for word in words(value))


def _place(made: Call) -> tuple[str, int, int]:
    return made.source.path, made.line, getattr(made.node, "col_offset", 0)


def resplit(readings: list[Pipelines]) -> Iterator[Observation]:
    """A random split that training and evaluation each do for themselves, from other seeds."""
    said: set[tuple[str, int]] = set()
    for train in (p for p in readings if p.reading.role == "train" and p.reading.view == "train"):
        ours = {(c.source.path, c.line): c for c in train.trace.calls if c.name in _SPLITS}
        for evaluation in (p for p in readings if p.reading.role != "train"):
            for call in (c for c in evaluation.trace.calls if c.name in _SPLITS):
                key = call.source.path, call.line
                mine = ours.get(key)
                if mine is None or key in said or not _used(evaluation, call):
                    continue
                state = call.keywords.get("random_state")
                if state is not None and not is_known(state, None):
                    continue
                seeds = [_seed(pipelines, at) for pipelines, at in ((train, mine), (evaluation, call))]
                if "?" in seeds or (seeds[0] == seeds[1] and seeds[0] is not None):
                    continue
                said.add(key)
                shown = [str(seed) if seed is not None else "-" for seed in seeds]
                code = "resplit" if None not in seeds else "resplit-unseeded"
                yield Observation(code, call, {"train": shown[0], "evaluation": shown[1]}, certain=None not in seeds)


def _used(pipelines: Pipelines, split: Call) -> bool:
    """True when something that reaches evaluation was made by a split."""
    return any(_reaches(pipelines, pipeline, split) for pipeline in pipelines.found if pipeline.inputs)


def _reaches(pipelines: Pipelines, pipeline: Pipeline, call: Call) -> bool:
    """Whether the inputs of a pipeline, or the columns of its source, are made of what a call gives."""
    values = [*(entry.value for entry in pipeline.inputs), *_raw(pipelines, pipeline)]
    return any(find(value, lambda part: part is call) is not None for value in values)


def _raw(pipelines: Pipelines, pipeline: Pipeline) -> Iterator[Value]:
    columns = pipelines.columns.get(id(pipeline.leaf))
    if columns is not None:
        yield from columns.values.values()


def _seed(pipelines: Pipelines, at: Call) -> Any:
    """The seed of numpy when a call is made: a number, None when none is set, "?" when it is not known."""
    found: Any = None
    for call in pipelines.trace.calls:
        if call.order >= at.order:
            break
        if "numpy" in SEEDS.get(call.api, ()):
            value = call.args[0] if call.args else next(iter(call.keywords.values()), None)
            found = value.value if isinstance(value, KnownValue) and value.assumed != "argparse" else "?"
    return found


def fitted_on_evaluation(readings: list[Pipelines]) -> Iterator[Observation]:
    """Scalers and the like that are fitted on data that are not for training, where each run of the line is seen to be for one or the
    other."""
    runs: dict[tuple[str, int], list[tuple[Call, str, str, str | None]]] = {}
    for pipelines in readings:
        for call, scaler in _fits(pipelines):
            names = _names(call.args[0])
            run = call, scaler, names[-1] or _given_text(call), _fitted_for(pipelines, call, names)
            runs.setdefault((call.source.path, call.line), []).append(run)
    for line in runs.values():
        evaluates = [run for run in line if run[3] == "eval"]
        if evaluates and all(run[3] for run in line):
            call, scaler, given, _ = evaluates[0]
            yield Observation("fitted-on-evaluation", call, {"scaler": scaler, "data": given})


def _fitted_for(pipelines: Pipelines, call: Call, names: list[str]) -> str | None:
    """ "eval" or "train", by what the data are called and what they are used for; None where neither is seen."""
    if role(names) == "train":
        return "train"  # in a script that evaluates too: what is scaled there is scaled as in training
    used = _roles_of(pipelines, call)
    called = role(names) == "eval" and not any(role([name]) == "train" for name in names)
    if called or used == {"eval"}:
        return "eval"
    return "train" if "train" in used else None


def _fits(pipelines: Pipelines) -> Iterator[tuple[Call, str]]:
    """The calls that fit a scaler, each with its class."""
    for call in pipelines.trace.calls:
        if call.name in (".fit", ".fit_transform") and call.args:
            made = (base for base in options(call.base) if isinstance(base, Call) and base.last in _FITS)
            yield from ((call, scaler.last) for scaler in islice(made, 1))


def _given_text(call: Call) -> str:
    """What a call is given first, as it is written."""
    given = call.node.args[0] if isinstance(call.node, ast.Call) and call.node.args else call.node
    return " ".join(ast.unparse(given).split())[:80]


def _roles_of(pipelines: Pipelines, call: Call) -> set[str | None]:
    """What the data that a call gives are used for; what a script that trains shows its network by hand may be what it trained on."""
    by_hand = pipelines.reading.role == "train" or any(map(seeding.is_training, pipelines.trace.calls))
    return {
        None if by_hand and pipeline.leaf is None and pipeline.role == "eval" else pipeline.role
        for pipeline in pipelines.found
        if _reaches(pipelines, pipeline, call)
    }


def _names(value: Value) -> list[str]:
    """What the script calls a value, or what it is an item of."""
    found: list[str] = []
    for part in parts(value):
        made: Value | None = part
        for _ in range(4):
            if not isinstance(made, Call):
                break
            found += made.bound
            if found or made.name not in ("[]", "@values", ".reshape", ".astype", ".to_numpy", ".values", ".copy"):
                break
            made = made.base
    return found or [""]


# --- comparing --------------------------------------------------------------------------------------------------------


def _followed_furthest(group: list[Observation]) -> list[Observation]:
    """What is said of one input: a way that agrees stands for those that were followed less far."""
    agrees = any(one.code in ("agree", "usual") for one in group)
    return [one for one in group if not (agrees and one.code == "unclear")]


def compared(pipeline: Pipeline, training: list[Pipeline]) -> Iterator[Observation]:
    """The steps of evaluation beside those of the training that is nearest to it."""
    inputs = list(filter(_is_data, unique(pipeline.inputs)))
    said: dict[tuple[str, str], list[Observation]] = {}
    for entry in inputs:
        pairs = ((mine, other) for other in training for mine in counterparts(entry, inputs, other))
        found = [one for mine, other in pairs if (one := between(mine, entry, other, pipeline)) is not None]
        best = min(found, key=lambda one: SEVERE[one.code], default=None)
        if best is not None:
            said.setdefault((entry.name, entry.parameter), []).append(best)
    for group in said.values():
        yield from _followed_furthest(group)
    if not said and pipeline.leaf is not None and any(built_alike(pipeline, other) for other in training):
        yield Observation("agree", pipeline.leaf, {"input": "-", "train": "-", "evaluation": "-", "what": "-"})


def built_alike(ours: Pipeline, theirs: Pipeline) -> bool:
    """True when two data sets are made by the same calls on sources of the same kind."""
    return bool(ours.chain) and _recipe(ours) == _recipe(theirs)


_BESIDES = ("shuffle", "batch", "repeat", "take", "skip", "split", "[]", "get_dataset_size")


def _recipe(pipeline: Pipeline) -> list[Any]:
    recipe: list[Any] = []
    for part in reversed(pipeline.chain):
        if part.last in _BESIDES:
            continue
        held = [
            option.of.node.name
            for value in (*part.args, *part.keywords.values())
            for option in options(value)
            if isinstance(option, Instance)
        ]
        place = (part.source.path, part.line) if part.name == ".map" else None
        recipe.append((part.last, held, place))
    return recipe


def _namesake(entry: Input, among: list[Input]) -> Input | None:
    """The input of the same name, or of the same parameter of the network."""
    for key in ("name", "parameter"):
        same = [one for one in among if getattr(one, key) and getattr(one, key) == getattr(entry, key)]
        if same:
            return next((one for one in same if one.kind == entry.kind), same[0])
    return None


def counterparts(entry: Input, inputs: list[Input], other: Pipeline) -> list[Input]:
    """The input of training that one of the `inputs` of evaluation corresponds to; several where training has more of its kind, as
    pictures of two domains, and no name tells which it is."""
    wanted = list(filter(_is_data, unique(other.inputs)))
    if (same := _namesake(entry, wanted)) is not None:
        return [same]
    names = {one.name for one in inputs}
    wanted = [one for one in wanted if not one.name or one.name not in names]  # that of another input otherwise
    alike = [one for one in wanted if one.kind == entry.kind] or (wanted if len(wanted) == 1 else [])
    place = min(inputs.index(entry), len(alike) - 1)
    peers = sum(one.kind == entry.kind for one in inputs)
    return alike if len(alike) > peers else alike[place : place + 1] if alike else []


_AGREES = ("agree", "usual")


def _is_contradicted(code: str, codes: list[str], unknown: bool) -> bool:
    """Whether another way agrees where one differs, or what is unknown may differ where what is known agrees."""
    if SEVERE[code] > SEVERE["unclear"] and any(one in _AGREES for one in codes):
        return True
    return code in _AGREES and unknown


def between(mine: Input, theirs: Input, training: Pipeline, evaluation: Pipeline) -> Observation | None:
    """What differs most between the ways of one input in training and in evaluation."""
    ours = mine.not_computed
    other = [way for way in theirs.not_computed if (way.steps or way.origin != "unknown") and not _by_gradient(way)]
    if not ours or not other:
        return None
    found = [_closest(way, ours, mine, theirs) for way in other]
    code, base, way, differs = max(found, key=lambda one: SEVERE[one[0]])
    unknown = _unlike(training.opaque, evaluation.opaque) or _nameless(base) or _nameless(way)
    if _is_contradicted(code, [one[0] for one in found], unknown):
        code = "unclear"
    code, differs = _with_sets(code, differs, (base, way), (training, evaluation))
    made = _place_of(code, way, evaluation, theirs)
    if made is None:
        return None
    data: dict[str, Any] = {"train": base.texts, "evaluation": way.texts}
    data |= {"input": theirs.name, "what": list(differs) or ["-"]}
    meant = code in _OF_NUMBERS and theirs.kind == "ids"  # such formulas choose what to look up
    sure = _is_certain(base, way, evaluation)
    return Observation(code, made, data, (base, way), None, sure, differs, possible=meant)


def _with_sets(
    code: str, differs: tuple[str, ...], ways: tuple[SamplePath, SamplePath], sets: tuple[Pipeline, Pipeline]
) -> tuple[str, tuple[str, ...]]:
    """The same, but for steps that are alike and yet use each set's own statistics."""
    apart = _by_own_sets(*ways, *sets) if code in _AGREES else ()
    return ("own-statistics", apart) if apart else (code, differs)


def _by_own_sets(base: SamplePath, way: SamplePath, training: Pipeline, evaluation: Pipeline) -> tuple[str, ...]:
    """The steps that bring each of the two sets to a scale by the mean and deviation of its own samples, as they are written."""
    pairs = zip(_steps(base), _steps(way), strict=False)
    own = [
        (one, other)
        for one, other in pairs
        if one.own and one.own == other.own and one.made is not other.made and _key(one) == _key(other)
    ]
    both = [
        (one, other)
        for one, other in own
        if _is_of_set(one, training) and _is_of_set(other, evaluation) and not _are_of_one_set(one, other)
    ]
    return tuple(text for one, other in both[:1] for text in (f"- {one.text}", f"+ {other.text}"))


#: So many operations of two expressions are compared.
SAME = 40


def _is_of_set(step: Step, pipeline: Pipeline) -> bool:
    """Whether a step uses the mean or deviation over the samples of a set, before a data set is made of them."""
    made, leaf = step.made, pipeline.leaf or pipeline.source
    before = leaf is not None and made.order < leaf.order and not made.loops
    within = {frame.function.name for frame in frames_around(made.frame)}
    if step.kind != "scale" or not before or within & {"__getitem__", "__next__", "__iter__", "__call__"}:
        return False
    return any(True for _ in _moments(step))


def _moments(step: Step) -> Iterator[Call]:
    """The means and deviations over samples that a step uses."""
    operands_ = operation(step.made).operands[1:]
    calls = (part for operand in operands_ for part in sources(operand) if isinstance(part, Call))
    return filter(_is_over_samples, calls)


def _are_of_one_set(one: Step, other: Step) -> bool:
    """Whether two steps use means and deviations of the same samples: of the part of a file for training, say, whichever part is scaled."""
    pairs = list(zip(_moments(one), _moments(other), strict=False))
    return bool(pairs) and all(alike(first, second, SAME) for first, second in pairs)


def _is_over_samples(made: Call) -> bool:
    """Whether a call takes a mean or a deviation along the first axis."""
    known = effect(made)
    axis = operation(made).operand(1, "axis")
    first = constant(axis)
    return known is not None and _STATISTICS.get(known.operation) == "moments" and first is not None and 0 in first


def _by_gradient(way: SamplePath) -> bool:
    """Whether a step works with a gradient, as an attack on the network does: that is no preparation of samples."""
    return any(_is_of_gradient(step.made) for step in way.steps)


@kept
def _is_of_gradient(made: Call) -> bool:
    return find(made, lambda part: bool(gradient_maker(part.base))) is not None


def _is_certain(base: SamplePath, way: SamplePath, evaluation: Pipeline) -> bool:
    """Whether both ways were followed, rest on nothing that a run may change, and the data are sure to be for evaluation."""
    followed = not base.unclear and not way.unclear
    sure = evaluation.sure or evaluation.reading.role != "train"
    return followed and sure and not any(step.assumed for one in (base, way) for step in one.steps)


def _place_of(code: str, way: SamplePath, evaluation: Pipeline, theirs: Input) -> Call | None:
    """Where to show a difference: at the last step that it may lie in, else at the data set."""
    shown = (_steps(way) if code in _OF_NUMBERS else []) or way.steps
    return placed(shown[-1], way, evaluation) if shown else evaluation.leaf or evaluation.source or theirs.frame_call


def _closest(way: SamplePath, ours: list[SamplePath], mine: Input, theirs: Input) -> Difference:
    """How a way of evaluation differs from the way of training that is most like it."""
    each = [difference(base, way, mine, theirs) for base in ours]
    best = min(each, key=lambda one: SEVERE[one[0]])
    worst = max(each, key=lambda one: SEVERE[one[0]])
    alike = len({_constants(base) for base in ours}) == 1
    # The ways of training that were not followed to the end bring it to the same scale.
    return worst if best[0] == "unclear" and worst[0] in _OF_NUMBERS and alike else best


def _constants(way: SamplePath) -> tuple[Any, ...]:
    return tuple(_key(step) for step in _steps(way) if _constant(step))


def _nameless(way: SamplePath) -> bool:
    """Whether a step of it is not even known by name: which operation it is, a configuration or an option decides."""
    unknown = (step for step in way.steps if step.kind == "opaque")
    return any(not step.name or isinstance(step.made.node, ast.ListComp | ast.GeneratorExp) for step in unknown)


def _unlike(ours: tuple[Call, ...], theirs: tuple[Call, ...]) -> bool:
    return {call.name for call in ours} != {call.name for call in theirs}


def difference(base: SamplePath, way: SamplePath, mine: Input, theirs: Input) -> Difference:
    """How the steps of evaluation (`way`) differ from those of training, the worst first."""
    found: list[tuple[str, tuple[str, ...]]] = [("agree", ())]
    if base.origin != way.origin and not (_bytes(base) and _bytes(way)):
        return "unclear", base, way, ()
    inside = mine.arrives & {"norm", "scaled"} or theirs.arrives & {"norm", "scaled"}
    numbers = _numeric(base, way, bool(inside))
    if numbers is not None and not _same_network(mine, theirs):
        numbers = ("unclear", numbers[1])
    if numbers is not None:
        found.append(numbers)
    found += _colours(base, way, _same_network(mine, theirs))
    found.append(_samplings(base, way))
    found.append(_slices(base, way))
    found.append(_sizes(base, way))
    found.append(_parts(base, way))
    found.append(_interpolations(base, way))
    if {base.layout, way.layout} == {"", "CHW"} and base.origin == "pixels" and not (base.unclear or way.unclear):
        found.append(("unclear", ("HWC2CHW",)))
    code, differs = max(found, key=lambda one: SEVERE[one[0]])
    return code, base, way, differs


def _colours(base: SamplePath, way: SamplePath, same_network: bool) -> list[tuple[str, tuple[str, ...]]]:
    """Two orders of the colours; another network may have been trained with another one."""
    if not (base.colour and way.colour) or base.colour == way.colour:
        return []
    return [("colour-differs" if same_network else "unclear", (f"{base.colour} / {way.colour}",))]


def _samplings(base: SamplePath, way: SamplePath) -> tuple[str, tuple[str, ...]]:
    """The number of samples a second that sound is read with."""
    ours, theirs = _sampling(base), _sampling(way)
    if ours is None or theirs is None or ours == theirs:
        return "agree", ()
    return "sampling-differs", (f"{ours:g} / {theirs:g}",)


def _sampling(way: SamplePath) -> float | None:
    """The rate to which a reader of sound brings it; None where that is not seen, or another step may change it."""
    if not isinstance(way.root, Call) or any("resample" in step.name.lower() for step in way.steps):
        return None
    place = RESAMPLES.get(way.root.name)
    given = way.root.argument(["path", "sr"], "sr") if place is not None else None
    return one_number(given) if given is not None else place


def _same_network(mine: Input, theirs: Input) -> bool:
    """True when both go into a network of the same class, perhaps within others that hand them on as they are."""
    if mine.frame is None or theirs.frame is None or mine.inner is None:
        return True
    return not _reached(mine).isdisjoint(_reached(theirs))


@kept
def _reached(entry: Input) -> set[str]:
    """The classes of the networks that get an input as it is: the outermost, and those within that it is handed on to."""
    handed = {name for name, value in entry.inside if any(part is entry.inner for part in _given(value))}
    return handed if entry.frame is None else {*handed, _class(entry.frame)}


def _given(value: Value) -> Sequence[Value | None]:
    return value.items if isinstance(value, Items) else [value]


def _class(frame: Frame) -> str:
    return frame.owner.of.node.name if isinstance(frame.owner, Instance) else ""


def _bytes(way: SamplePath) -> bool:
    """True for what was read as numbers of 0 to 255."""
    if way.origin == "pixels":
        return True
    if way.origin != "array":
        return False
    first = next((step for step in way.steps if step.low is not None), None)
    ends = [f * end + o for f, o in (first and first.pairs) or ((1.0, 0.0),) for end in (0.0, 255.0)]
    return (first or way).low == min(ends) and (first or way).high == max(ends)


def _numeric(base: SamplePath, way: SamplePath, inside: bool) -> tuple[str, tuple[str, ...]] | None:
    """Differences in what is done to the numbers."""
    clear = not (base.unclear or way.unclear)
    if base.scale is not None and way.scale is not None and clear:
        return _scaled_apart(base, way, base.scale, way.scale, inside)
    if _changes(base) == _changes(way):
        return None
    if (code := _plainly_apart(base, way)) is not None:
        return code, _scales(base, way)
    keys = [[step for step in steps if _constant(step)] for steps in (_steps(base), _steps(way))]
    texts = [[_key(step) for step in steps if not _constant(step)] for steps in (_steps(base), _steps(way))]
    if texts[0] == texts[1]:
        only = _apart([_key(step) for step in keys[0]], [_key(step) for step in keys[1]])
        if (not only[0] and not only[1]) or _add_up(keys[0], keys[1]):
            return None
        clips = all(key[0] == "clip" for side in only for key in side)
        return "clip-differs" if clips else "constants-differ", _scales(base, way)
    if base.normalised is not way.normalised and clear and not inside:
        return "normalised-in-one", _scales(base, way)
    return ("constants-differ" if _goes_on(base, way) and not inside else "unclear"), _scales(base, way)


def _plainly_apart(base: SamplePath, way: SamplePath) -> str | None:
    """What differs whatever the other steps do: one more division, or statistics of another kind between steps that are alike."""
    if rescaled_again(base) is not rescaled_again(way):
        return "scale-differs"
    kinds = {_own_statistics(base), _own_statistics(way)}
    return "constants-differ" if kinds == {"moments", "ends"} and _others(base) == _others(way) else None


def _others(way: SamplePath) -> list[Any]:
    """The steps that do not bring a sample to a scale by what it holds itself."""
    return [_key(step) for step in _steps(way) if step.kind != "scale" or not step.own]


@kept
def _own_statistics(way: SamplePath) -> str:
    """By what of the sample itself the steps bring it to a scale: "moments", its mean or deviation, or "ends", its smallest and largest
    number; "" for both and neither."""
    found = set[str]()
    for step in way.steps:
        if step.kind == "scale" and step.own and not step.condition:
            calls = (part for part in sources(step.made) if isinstance(part, Call))
            found |= {
                _STATISTICS[known.operation]
                for call in calls
                if (known := effect(call)) and known.operation in _STATISTICS
            }
    return found.pop() if len(found) == 1 else ""


def _scaled_apart(
    base: SamplePath, way: SamplePath, ours: Scale, theirs: Scale, inside: bool
) -> tuple[str, tuple[str, ...]] | None:
    """Differences between numbers whose scales are known."""
    if same_scale(ours, theirs):
        return _clips(base, way)
    if {base.colour, way.colour} == {"RGB", "BGR"} and same_scale(ours, theirs[::-1]):
        return None  # each with the numbers of its own order of colours; that the order differs is said of the colours
    if {judge(base), judge(way)} == {"raw", "normalised"} or base.normalised is not way.normalised:
        return ("unclear" if inside else "normalised-in-one"), _scales(base, way)
    return "scale-differs", _scales(base, way)


def _goes_on(base: SamplePath, way: SamplePath) -> bool:
    """True where both do the same, known or not, and one then does more that surely changes the numbers."""
    shorter, longer = sorted((_steps(base), _steps(way)), key=len)
    more = longer[len(shorter) :]
    begun = [_key(step) for step in shorter] == [_key(step) for step in longer[: len(shorter)]]
    same = begun and (bool(shorter) or base.root is way.root)
    return same and all(map(_alters, more)) and any(step.kind != "clip" for step in more)


def _alters(step: Step) -> bool:
    """True for a known operation that is always done, and is not one that changes nothing."""
    if step.condition or step.assumed or step.kind not in ("scale", "clip", "function"):
        return False
    return step.pairs is None or not same_scale(step.pairs, ((1.0, 0.0),))


def _add_up(ours: list[Step], theirs: list[Step]) -> bool:
    """True when two lists of known steps come to the same in the end."""
    ends: list[Scale | None] = []
    for steps in (ours, theirs):
        scale: Scale | None = ((1.0, 0.0),)
        for step in steps:
            scale = after(scale, step.pairs) if step.pairs else scale
        ends.append(scale)
    clips = [[_key(step) for step in steps if not step.pairs] for steps in (ours, theirs)]
    return clips[0] == clips[1] and ends[0] is not None and ends[1] is not None and same_scale(ends[0], ends[1])


def same_scale(one: Scale, other: Scale) -> bool:
    """Equal for every channel, but for the rounding of published numbers."""
    count = max(len(one), len(other))
    ours, theirs = (one * count if len(one) == 1 else one), (other * count if len(other) == 1 else other)
    if len(ours) != len(theirs):
        return False
    for (a, b), (c, d) in zip(ours, theirs, strict=True):
        if abs(a - c) > 0.005 * max(abs(a), abs(c)) or abs(b - d) > 0.003 * max(abs(b), abs(d), 1.0):
            return False
    return True


def _clips(base: SamplePath, way: SamplePath) -> tuple[str, tuple[str, ...]] | None:
    ours, theirs = ([_key(s) for s in _steps(w) if s.kind == "clip"] for w in (base, way))
    only = _apart(ours, theirs)
    if all(_without_effect(key, other) for keys, other in zip(only, (way, base), strict=True) for key in keys):
        return None
    return "clip-differs", _scales(base, way)


def _without_effect(key: Any, other: SamplePath) -> bool:
    """True for a clip to bounds that the other side keeps anyway."""
    bounds = dict(key[2])
    if other.low is None or other.high is None:
        return False
    low, high = float(bounds.get("low", other.low)), float(bounds.get("high", other.high))
    return low <= other.low and high >= other.high


def _steps(way: SamplePath) -> list[Step]:
    """What is done to the numbers, but for what chance has a part in: a clip right after noise belongs to it."""
    found: list[Step] = []
    noise = False
    for step in way.steps:
        if step.kind in ("type", "layout"):
            continue
        if (
            not step.random
            and step.kind in ("scale", "clip", "function", "opaque")
            and not (step.kind == "clip" and noise)
        ):
            found.append(step)
        noise = step.random and step.kind in ("function", "scale", "random")
    return found


def _changes(way: SamplePath) -> list[Any]:
    return [_key(step) for step in _steps(way)]


def _constant(step: Step) -> bool:
    return step.kind in ("scale", "clip") and all(_is_number(value) for _, value in step.arguments)


def _is_number(value: Any) -> bool:
    held = value if isinstance(value, tuple) else (value,)
    return all(isinstance(part, (int, float)) for part in held)


def _key(step: Step) -> Any:
    """A step as it is compared: whole numbers and others alike, texts without what a name is qualified with."""
    return step.kind, step.name, step.own or tuple((key, _plain(value)) for key, value in step.arguments)


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return re.sub(r"\b(self|cfg|config|args|opt|\w*_args|args_opt)\.", "", re.sub(r"\b(\d+)\.0*\b", r"\1", value))
    if isinstance(value, tuple):
        return tuple(_plain(part) for part in value)
    return float(f"{value:.5g}") if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def _apart(ours: Iterable[Any], theirs: Iterable[Any]) -> tuple[list[Any], list[Any]]:
    """What each side has and the other has not."""
    left, right = list(ours), list(theirs)
    for item in list(left):
        if item in right:
            left.remove(item)
            right.remove(item)
    return left, right


def _scales(base: SamplePath, way: SamplePath) -> tuple[str, ...]:
    ours, theirs = ([step.text for step in _steps(w)] for w in (base, way))
    left, right = _apart(ours, theirs)
    return tuple([f"- {text}" for text in left] + [f"+ {text}" for text in right])


def _slices(base: SamplePath, way: SamplePath) -> tuple[str, tuple[str, ...]]:
    """Where a text or a sequence begins: what is cut off its end is a matter of length."""
    if base.origin not in ("record", "text") or way.origin != base.origin:
        return "agree", ()  # of a table or an array, it is the part that was set aside
    ours, theirs = ([s.text for s in w.fixed if s.kind == "slice" and _starts(s)] for w in (base, way))
    left, right = _apart(ours, theirs)
    if not left and not right:
        return "agree", ()
    clear = not (base.unclear or way.unclear) and _slices_plainly(base) and _slices_plainly(way)
    told = tuple([f"- {text}" for text in left] + [f"+ {text}" for text in right])
    return "slice-differs" if clear else "unclear", told


def _slices_plainly(way: SamplePath) -> bool:
    """Whether all slices of a way are of one axis and under no condition, and nothing else may have cut the data."""
    others = any(step.kind in ("opaque", "function") for step in way.fixed)
    return not others and all("," not in s.text and not s.condition for s in way.fixed if s.kind == "slice")


def _starts(step: Step) -> bool:
    return any(not part.startswith(":") for part in step.text.removeprefix("[").split(", "))


def _is_clear_picture(way: SamplePath) -> bool:
    return way.origin == "pixels" and not way.unclear


def _is_drawn(steps: Iterable[Step]) -> bool:
    return any(step.random for step in steps)


def _resized(way: SamplePath) -> list[Step]:
    """The steps that give pictures their size."""
    return [step for step in way.steps if step.kind in ("geometry", "random") and _sets_size(step)]


def _sizes(base: SamplePath, way: SamplePath) -> tuple[str, tuple[str, ...]]:
    """The size that pictures have in the end."""
    ours, theirs = (_resized(each) if _is_clear_picture(each) else [] for each in (base, way))
    if not ours or not theirs or ours[-1].key == theirs[-1].key:
        return "agree", ()
    last = ours[-1], theirs[-1]
    if base.size is None or way.size is None or any(step.condition for step in last):
        return "usual", ()
    if all(map(_resizes, last)) and _are_far_apart(min(base.size), min(way.size)):
        return "size-differs", (f"{base.size} / {way.size}",)
    return _alike_sizes(base, way, last)


def _alike_sizes(base: SamplePath, way: SamplePath, last: tuple[Step, Step]) -> tuple[str, tuple[str, ...]]:
    """The same of sizes that chance has a part in, or that differ by less."""
    if any(step.random for step in last):
        return "usual", ()
    if base.size == way.size or len(base.size or ()) != len(way.size or ()):
        return "agree", ()
    usual = last[0].name != last[1].name and _is_drawn(_resized(base))
    return "usual" if usual else "size-differs", (f"{base.size} / {way.size}",)


def _are_far_apart(one: float, other: float) -> bool:
    return not 1 / FAR_APART < one / other < FAR_APART


def _parts(base: SamplePath, way: SamplePath) -> tuple[str, tuple[str, ...]]:
    """Which part of a picture is left: evaluation that enlarges it and keeps the middle sees things larger than in training."""
    if base.origin != "pixels" or way.origin != "pixels" or base.unclear or way.unclear:
        return "agree", ()
    ours, theirs = _cut_off(base), _cut_off(way)
    if ours is None or theirs is None or theirs < CUT_OFF * ours:
        return "agree", ()
    shown = [step.text for step in way.steps if _sets_size(step)]
    return "part-differs", (f"{100 / ours:.0f} % / {100 / theirs:.0f} %: {', '.join(shown)}",)


def _interpolations(base: SamplePath, way: SamplePath) -> tuple[str, tuple[str, ...]]:
    """How pictures are brought to their last size: from the nearest pixel or between several."""
    if base.origin != "pixels" or way.origin != "pixels" or base.unclear or way.unclear:
        return "agree", ()
    ours, theirs = _interpolation(base), _interpolation(way)
    if not ours or not theirs or ours == theirs:
        return "agree", ()
    return "interpolation-differs", (f"{ours} / {theirs}",)


def _interpolation(way: SamplePath) -> str:
    """By what the last transform that resizes a picture interpolates; "" where that is not known."""
    resizes = (step for step in reversed(way.steps) if _resizes(step))
    return next((interpolation(step) for step in resizes), "")


def _resizes(step: Step) -> bool:
    known = api.transform(step.name)
    return known is not None and known.category in ("resize", "resized-crop")


def interpolation(step: Step) -> str:
    """By what a transform that resizes a picture interpolates; "" for any other step, and where that is not known."""
    known = api.transform(step.name)
    if known is None or not _resizes(step) or step.condition:
        return ""
    told = str({**known.defaults, **dict(step.arguments)}.get("interpolation", "")).rpartition(".")[2]
    return told.removeprefix("PIL").removeprefix("BI")


def _cut_off(way: SamplePath) -> float | None:
    """The side of a picture before its last crop over that after it, 1 where it is resized without a crop, or to what chance picks
    from it; None where that is not known."""
    steps = [step for step in way.steps if step.kind in ("geometry", "random") and _sets_size(step)]
    if not steps or any(step.condition for step in steps):
        return None
    kinds = [known.category if (known := api.transform(step.name)) is not None else "" for step in steps]
    if kinds[-1] in ("resize", "resized-crop"):
        return 1.0
    if kinds[-2:] != ["resize", "crop"]:
        return None
    before, after = (_side(step) for step in steps[-2:])
    return before / after if before and after else None


def _side(step: Step) -> float:
    """The shorter side that a transform gives; 0 where it is not known."""
    size = dict(step.arguments).get("size")
    sides = size if isinstance(size, (tuple, list)) else (size,)
    return float(min(sides)) if sides and all(type(side) is int for side in sides) else 0.0


def _sets_size(step: Step) -> bool:
    return re.search(r"(?i)resize|crop", step.name) is not None
