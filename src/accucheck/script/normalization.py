"""What the scripts say about the scale of the network's inputs (dp.01), from the pipelines of training."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import prod, sqrt
from typing import Any, NamedTuple

from ..knowledge import pixel_statistics
from ..knowledge.methods import LOADS
from .flow import derives, inputs
from .pipelines import LOOKS, Input, Pipeline, Pipelines
from .sample_functions import SCALERS
from .samples import SamplePath, Step
from .values import Call, Items, options, unseen

#: Beyond this many units a range is an order of magnitude off [-1, 1]; below this width it has been scaled down too often.
REACH, WIDTH = 20.0, 0.1
FAULTS = (
    "raw",
    "features-raw",
    "wraps-around",
    "unit-statistics",
    "scaled-late",
    "pixel-statistics",
    "scaled-twice",
    "impossible-statistics",
    "exchanged-statistics",
)
#: Faults that stay whatever the other ways do, and the network with it.
_WHATEVER = ("wraps-around", "impossible-statistics", "exchanged-statistics")
#: By how much a std may be beyond the largest that there is: statistics are written with three digits.
ROUNDED = 1.02
FINE = ("normalised", "centred")
#: A factor that brings 0 to 255 down to 0 to 1 is below this, one that stretches or moves a range a little is not.
_TO_ONE = 0.01
#: No mean and no std of numbers of 0 to 1 is larger.
_UNIT = 2.0


@dataclass(frozen=True, eq=False)
class Observation:
    """One thing to say: its place, the way that shows it; `certain` when the code alone decides."""

    code: str
    made: Call
    data: dict[str, Any] = field(default_factory=dict)
    way: SamplePath | None = None
    step: Step | None = None
    certain: bool = False


def judge(way: SamplePath) -> str:
    """What the range behind a way says: one of FAULTS or FINE, or unclear."""
    if wrong := next((code for code, is_so in _WRONG_STEPS.items() if is_so(way)), None):
        return wrong
    if way.low is None or way.high is None:
        if _unit_formula(way) is not None:
            return "unit-statistics"
        return "normalised" if way.normalised and not _after_unseen(way) else "unclear"
    reach = max(abs(way.low), abs(way.high))
    if reach > REACH:
        return _of_large(way, reach, way.low < 0 < way.high)
    if _width(way, way.high - way.low) < WIDTH:
        return "pixel-statistics" if _statistics(way, large=True) is not None else "scaled-twice"
    return "scaled-late" if _moves_nothing(way) else "normalised"


def _width(way: SamplePath, between: float) -> float:
    """How far the numbers of one channel lie apart: channels may have different offsets."""
    of_channels = way.scale if way.origin == "pixels" else None
    return between if of_channels is None else min(between, 255 * max(abs(factor) for factor, _ in of_channels))


def wrapped(way: SamplePath) -> Step | None:
    """The arithmetic of uint8 whose result wraps around."""
    return next((step for step in way.steps if step.wraps and not step.random and not step.condition), None)


def _moves_nothing(way: SamplePath) -> bool:
    """Whether a mean of 0 to 1 is taken from numbers of 0 to 255, which only then are scaled down: it moves them by hardly anything."""
    step = unit_statistics(way)
    return step is not None and any(_numbers(dict(step.arguments).get("mean")))


#: What a step, or two, do wrong whatever the range is in the end, the worst first.
_WRONG_STEPS: dict[str, Callable[[SamplePath], object]] = {
    "wraps-around": lambda way: wrapped(way),
    "impossible-statistics": lambda way: impossible(way),
    "exchanged-statistics": lambda way: exchanged(way),
    "scaled-twice": lambda way: rescaled_again(way),
}


def _of_large(way: SamplePath, reach: float, around_zero: bool) -> str:
    """The same of a range that reaches far from 0."""
    if any(step.kind == "features" for step in way.steps) and not way.normalised:
        return "features-raw"
    if unit_statistics(way) is not None:
        return "unit-statistics"
    centred = any(step.name in ("-", "vision.Normalize") for step in way.steps)
    return "centred" if around_zero and centred and reach <= 260 else "raw"


def rescaled_again(way: SamplePath) -> bool:
    """Whether two steps each bring numbers of 0 to 255 down to 0 to 1, whatever numbers these are."""
    return len(_rescaled(way)) > 1


def _rescaled(way: SamplePath) -> list[float]:
    """The factors that bring 0 to 255 down to 0 to 1 and that nothing is seen to take back; where they are written by hand, those for
    nothing else."""
    found: list[float] = []
    for step in way.steps:
        if step.kind == "opaque":  # it may take numbers back to 0 to 255
            found.clear()
        for factor, _ in (step.pairs or ())[:1] if step.kind == "scale" and not step.condition else ():
            if found and 255 <= factor <= 256:
                found.pop()
            elif 0 < factor < _TO_ONE and (step.name == "vision.Rescale" or 1 / 256 <= factor <= 1 / 255):
                found.append(factor)
    return found


def span(way: SamplePath) -> str:
    return "?" if way.low is None or way.high is None else f"{way.low:.4g} .. {way.high:.4g}"


def unit_statistics(way: SamplePath) -> Step | None:
    """The Normalize with statistics of 0 to 1 that is given numbers of 0 to 255."""
    step = _statistics(way, large=False)
    if step is None:
        return None
    before = way.steps[: way.steps.index(step)]
    high = before[-1].high if before else 255.0 if way.origin == "pixels" else None
    return step if high is not None and high > REACH else None


class _UnitFormula(NamedTuple):
    """What takes a mean of 0 to 1 from larger numbers and divides by a std of 0 to 1, and the numbers behind it."""

    step: Step
    low: float
    high: float


def _unit_formula(way: SamplePath) -> _UnitFormula | None:
    """The first such formula, in whatever steps it is written, for instance a channel at a time."""
    for place in range(1, len(way.steps)):
        means, stds, first = _standardises(way.steps, place)
        before = way.steps[first - 1] if first else None
        high = before.high if before is not None else None
        if high is None or high <= REACH or not means or first == place or not stds or max(*means, *stds) > _UNIT:
            continue
        ends = [(end - mean) / std for mean, std in zip(means, stds, strict=False) for end in (0.0, high)]
        return _UnitFormula(way.steps[place], min(ends), max(ends))
    return None


def _statistics(way: SamplePath, large: bool) -> Step | None:
    for step in way.steps:
        told = dict(step.arguments)
        numbers = [_numbers(told.get(key)) for key in ("mean", "std")]
        if step.kind == "scale" and all(numbers):
            biggest = max(abs(part) for group in numbers for part in group)
            if (biggest > _UNIT) is large:
                return step
    return None


def _after_unseen(way: SamplePath) -> bool:
    """True for statistics of 0 to 1 behind a step that is not followed, before which the numbers are larger, or of numbers of which
    nothing tells how large they are: whether they were divided decides."""
    step = _statistics(way, large=False)
    if step is None:
        return False
    before = way.steps[: way.steps.index(step)]
    ends = [255.0 if way.origin == "pixels" else None, *(each.high for each in before)]
    seen = [(place, end) for place, end in enumerate(ends) if end is not None]
    place, high = seen[-1] if seen else (0, None)
    unseen = before[place:]
    if high is None:
        return way.origin in ("array", "unknown") and not _scales(unseen)
    return bool(unseen) and high > REACH and not _scales(unseen)


def _scales(steps: tuple[Step, ...]) -> bool:
    return any(step.kind == "scale" for step in steps)


class ExchangedStatistics(NamedTuple):
    """A Normalize whose mean is the published std of a data set, and whose std is its mean."""

    step: Step
    mean: float
    std: float
    dataset: str


def exchanged(way: SamplePath) -> ExchangedStatistics | None:
    """The first step that standardises pictures of one channel with the published mean and std of a data set in each other's places."""
    for place, step in enumerate(way.steps):
        means, stds, _ = _standardises(way.steps, place)
        if step.kind == "scale" and len(set(means)) == len(set(stds)) == 1:
            dataset = pixel_statistics.exchanged(means[0], stds[0])
            if dataset is not None:
                return ExchangedStatistics(step, means[0], stds[0], dataset)
    return None


class ImpossibleNormalize(NamedTuple):
    """A Normalize whose mean and std no data between `low` and `high` have: with that mean, a std is at most `most`."""

    step: Step
    mean: float
    std: float
    low: float
    high: float
    most: float
    known: bool  # the range was followed, not told by the size of the statistics, and these are the only ones


def impossible(way: SamplePath) -> ImpossibleNormalize | None:
    """The first channel of a Normalize, or of x less a mean over a std, with a std beyond the bound of Bhatia and Davis for its mean
    and range. A std that is the same for all channels is a scale that somebody chose, no statistic."""
    for place, step in enumerate(way.steps):
        means, stds, first = _standardises(way.steps, place)
        before = way.steps[first - 1] if first else None
        low, high = (before.low, before.high) if before is not None else (None, None)
        if before is None and way.origin == "pixels":
            low, high = 0.0, 255.0
        chosen = [(*choice, False) for choice in step.choices]
        for mean, std, only in ((means, stds, True), *chosen) if step.kind == "scale" else ():
            beyond = _beyond(step, mean, std, low, high)
            if beyond is not None:
                return beyond._replace(known=beyond.known and only)
    return None


def _beyond(
    step: Step, means: Sequence[float], stds: Sequence[float], low: float | None, high: float | None
) -> ImpossibleNormalize | None:
    """The first channel whose std is beyond what there is between two bounds, for its mean."""
    if len(means) != len(stds) or len(set(stds)) < 2:
        return None
    biggest = max(*means, *stds)
    known = low is not None and high is not None
    if low is None or high is None:
        low, high = 0.0, 1.0 if biggest <= 1 else 255.0
    if high > REACH and biggest <= 2:
        return None  # statistics of another range, which is a fault of its own
    for mean, std in zip(means, stds, strict=True):
        most = sqrt((mean - low) * (high - mean)) if low < mean < high else None
        if most is not None and std > most * ROUNDED:
            return ImpossibleNormalize(step, mean, std, low, high, most, known)
    return None


def _standardises(steps: tuple[Step, ...], place: int) -> tuple[list[float], list[float], int]:
    """Mean and std by channel of a step that standardises, and the place of the first step that does so with it: one step takes the
    mean away, the next divides."""
    step, before = steps[place], steps[place - 1] if place else None
    told = dict(step.arguments)
    if "mean" in told or "std" in told:
        return _numbers(told.get("mean")), _numbers(told.get("std")), place
    if before is None or before.kind != "scale" or not _shifts(before) or not _divides(step):
        return [], [], place
    return [-offset for _, offset in before.pairs or ()], [1 / factor for factor, _ in step.pairs or ()], place - 1


def _shifts(step: Step) -> bool:
    """Whether a step adds a known number to each channel."""
    return bool(step.pairs) and all(factor == 1 and offset for factor, offset in step.pairs or ())


def _divides(step: Step) -> bool:
    """Whether a step multiplies each channel by a known number above zero."""
    return bool(step.pairs) and all(factor > 0 and not offset for factor, offset in step.pairs or ())


def _numbers(value: Any) -> list[float]:
    parts = value if isinstance(value, tuple) else [value]
    return [part for part in parts if isinstance(part, (int, float))] if parts else []


# --- all pipelines ----------------------------------------------------------------------------------------------------


def examine(readings: list[Pipelines]) -> Iterator[Observation]:
    """Everything to say about the inputs of training, and which statistics those of evaluation cannot have."""
    training = list(pipelines_of(readings, "train"))
    scalers = list(unused_scalers(readings))
    yield from scalers
    for pipeline in pipelines_of(readings, "eval"):
        yield from _of_evaluation(pipeline)
    if not training:
        return
    kinds: set[str] = set()
    told = False
    for pipeline in training:
        for said in of_pipeline(pipeline, readings, kinds):
            told = True
            yield said
    if told or scalers:
        return
    made = _first_seen(training)
    if made is not None:
        yield _of_kinds(made, training, kinds)


def _shown(entry: Input, way: SamplePath) -> dict[str, Any]:
    """What a message tells of an input."""
    return {"input": entry.name, "steps": way.texts, "origin": way.origin}


def _of_evaluation(pipeline: Pipeline) -> Iterator[Observation]:
    """Statistics that are wrong whatever the network was trained on."""
    for entry in _wanted(unique(pipeline.inputs)):
        code, way = of_input(entry)
        made = _place_of(entry, way, pipeline)
        if code in _WHATEVER and made is not None:
            yield _fault(code, entry, way, pipeline, made, _shown(entry, way))


def _first_seen(training: list[Pipeline]) -> Call | None:
    """The first data set of the pipelines, else the first call that an input comes from."""
    sets: Iterator[Call | None] = (each.leaf or each.source for each in training)
    calls = (entry.frame_call for each in training for entry in each.inputs)
    return next((one for one in (*sets, *calls) if one is not None), None)


def _of_kinds(made: Call, training: list[Pipeline], kinds: set[str]) -> Observation:
    """What the kinds of all inputs amount to where no input by itself calls for a finding."""
    if "simulator" in kinds and kinds <= {"simulator", "made", "label", "ids", "nothing", "unknown", "opaque"}:
        return Observation("simulated", made)
    if kinds & {"ids", "text"} and kinds <= {"ids", "text", "label", "nothing"}:
        return Observation("no-continuous-input", made)
    if "made" not in kinds:
        return Observation("input-unseen", made)
    own = [entry for each in training for entry in each.inputs if entry.kind == "made"]
    ways = [way for entry in own for way in entry.of_data]
    if not all(judge(way) in FINE for way in ways):
        return Observation("generated", made)
    return Observation("normalised", made, {"input": own[0].name, "steps": [span(way) for way in ways[:1]]}, ways[0])


def _of_no_known_use(readings: Iterable[Pipelines]) -> list[Pipeline]:
    """The pipelines of training scripts of which no use is known."""
    ours = [p for pipelines in readings if pipelines.reading.role == "train" for p in pipelines.found]
    return [p for p in ours if p.leaf is not None and p.role is None]


def pipelines_of(readings: Iterable[Pipelines], role: str) -> list[Pipeline]:
    """The pipelines of one use. Those that are seen to reach a network leave no room for those that are only looked at."""
    found = [p for pipelines in readings for p in pipelines.found if p.role == role]
    if role == "train" and all(p.leaf is None for p in found):
        found = _of_no_known_use(readings) or found
    proven = [p for p in found if p.proven]
    return proven or found


def _place_of(entry: Input, way: SamplePath, pipeline: Pipeline) -> Call | None:
    """The call to point to."""
    return last_call(way, pipeline) or pipeline.leaf or pipeline.source or entry.frame_call


def of_pipeline(pipeline: Pipeline, readings: list[Pipelines], kinds: set[str]) -> Iterator[Observation]:
    inputs = unique(pipeline.inputs)
    kinds.update(entry.kind for entry in inputs)
    judged = [(entry, *of_input(entry)) for entry in _wanted(inputs)]
    fine = any(code in (*FINE, "in-network") for _, code, _ in judged)
    for entry, code, way in judged:
        made = _place_of(entry, way, pipeline)
        if made is None:
            continue
        beside = fine and "layer" not in entry.arrives  # a normalised input: a mask, a picture to show
        if beside and code in (*FAULTS, "sometimes", "unclear"):
            continue
        data = _shown(entry, way)
        if code in ("raw", "unclear") and not (fine or way.normalised) and _normalised_elsewhere(entry, readings):
            yield Observation("only-in-evaluation" if _is_trained(entry, pipeline) else "unclear", made, data, way)
        elif code in FAULTS:
            yield _fault(code, entry, way, pipeline, made, data)
        else:
            yield Observation(code, made, data, way)


def _wanted(inputs: list[Input]) -> list[Input]:
    """The inputs that may need to be normalised; where there are none, pictures that are given to the loss as well."""
    kinds = ("pixels", "audio", "table", "array", "record", "unknown", "opaque")
    wanted = [entry for entry in inputs if entry.kind in kinds]
    labels = [entry for entry in inputs if entry.kind == "label"]
    return wanted or [entry for entry in labels if any(way.origin == "pixels" for way in entry.ways)]


def _fault(
    code: str, entry: Input, way: SamplePath, pipeline: Pipeline, made: Call, data: dict[str, Any]
) -> Observation:
    """A fault of FAULTS, with the range of what the network gets."""
    step, known = _cause(code, way)
    place = placed(step, way, pipeline) if step is not None else made
    low, high = _ends(code, way)
    data = {**data, "low": low, "high": high}
    if (beyond := impossible(way)) is not None and code == "impossible-statistics":
        data |= {"low": beyond.low, "high": beyond.high}
        data |= {"mean": beyond.mean, "std": beyond.std, "most": beyond.most}
    if (swapped := exchanged(way)) is not None and code == "exchanged-statistics":
        data |= {"mean": swapped.mean, "std": swapped.std, "dataset": swapped.dataset}
    found = "raw-perhaps" if code == "raw" and not _is_trained(entry, pipeline) else code
    certain = known and "layer" in entry.arrives and not any(step.assumed for step in way.steps)
    if found == "raw" and _loads_weights(pipeline):
        certain = False
    return Observation(found, place, data, way, step, certain=certain)


def _ends(code: str, way: SamplePath) -> tuple[float | None, float | None]:
    """The bounds behind a way that a fault is told with; where they were not followed, those of pictures."""
    formula = _unit_formula(way) if code == "unit-statistics" and way.high is None else None
    if formula is not None:
        return formula.low, formula.high
    if code == "scaled-twice" and way.high is None:
        return 0.0, 255 * prod(_rescaled(way))
    return way.low, way.high


def _is_trained(entry: Input, pipeline: Pipeline) -> bool:
    """Whether an input is seen to reach a layer, or a step that trains."""
    return "layer" in entry.arrives or (pipeline.trained and not entry.parameter)


def _loads_weights(pipeline: Pipeline) -> bool:
    """Whether the script puts stored weights into a network: these may have been trained on numbers from 0 to 255."""
    loads = (call for call in pipeline.reading.trace.calls if call.api in LOADS)
    return any(not unseen(call.frame) for call in loads)


def _cause(code: str, way: SamplePath) -> tuple[Step | None, bool]:
    """The step that a fault of FAULTS lies in, where it lies in one, and whether what it is given was followed."""
    if code == "unit-statistics":
        formula = _unit_formula(way)
        return unit_statistics(way) or (formula.step if formula is not None else None), True
    if code == "scaled-late":
        return unit_statistics(way), True
    if code == "wraps-around":
        return wrapped(way), True
    if code == "impossible-statistics" and (beyond := impossible(way)) is not None:
        return beyond.step, beyond.known
    if code == "exchanged-statistics" and (swapped := exchanged(way)) is not None:
        return swapped.step, True
    if code == "features-raw":
        return next((part for part in way.steps if part.kind == "features"), None), True
    return _statistics(way, large=True), True


def _conditional(ways: list[SamplePath]) -> SamplePath:
    """The first way with a step that depends on a condition, else the first one."""
    return next((way for way in ways if any(step.condition for step in way.steps)), ways[0])


def _places(codes: list[str], among: Container[str]) -> list[int]:
    return [place for place, code in enumerate(codes) if code in among]


def of_input(entry: Input) -> tuple[str, SamplePath]:
    """What there is to say about one input, and the way that shows it."""
    ways = entry.not_computed
    codes = [judge(way) for way in ways]
    inside = entry.arrives & {"norm", "scaled"}
    bad, good = _places(codes, FAULTS), _places(codes, FINE)
    if wrong := next((code for code in _WHATEVER if code in codes), None):
        return wrong, ways[codes.index(wrong)]
    scaled_first = bool(inside) and "layer" not in entry.arrives
    if bad and len(bad) == len(codes):
        code = codes[bad[0]] if not inside else "in-network" if scaled_first else "unclear"
        return code, ways[bad[0]]
    if bad and good:
        return ("in-network" if inside else "sometimes"), _conditional([ways[place] for place in bad])
    if good:
        return codes[good[0]], ways[good[0]]
    if scaled_first:
        return "in-network", ways[0]
    return "unclear", ways[bad[0] if bad else 0]


def unique(inputs: list[Input]) -> list[Input]:
    """Each input once, however often a script uses it."""
    kept: dict[Any, Input] = {}
    for entry in inputs:
        key = entry.name, entry.parameter, tuple(tuple(step.key for step in way.steps) for way in entry.ways)
        held = kept.get(key)
        if held is None or len(entry.arrives) > len(held.arrives):
            kept[key] = entry
    return list(kept.values())


def last_call(way: SamplePath, pipeline: Pipeline) -> Call | None:
    if way.steps:
        return placed(way.steps[-1], way, pipeline)
    return way.root if isinstance(way.root, Call) else None


def placed(step: Step, way: SamplePath, pipeline: Pipeline) -> Call:
    """Where to show a step: where it is made, or, where one expression makes several steps of a way by what a list says, the call
    that maps the data set with them."""
    made = step.made
    if not any(other is not step and other.made.node is made.node and other.name != step.name for other in way.steps):
        return made
    maps = (part for part in pipeline.chain if part.name == ".map")
    return next((part for part in maps if made.base is not None and derives(Items(part.args), made.base)), made)


def _is_named_as(one: Input, other: Input) -> bool:
    """Whether two inputs go by one name, or into one parameter of the network."""
    return one.name == other.name or (bool(other.parameter) and one.parameter == other.parameter)


def _normalised_elsewhere(entry: Input, readings: list[Pipelines]) -> bool:
    """True when evaluation brings the same kind of input to a common scale."""
    origins = {way.origin for way in entry.of_data}
    for pipeline in pipelines_of(readings, "eval"):
        for other in pipeline.inputs:
            same = pipeline.leaf is None or _is_named_as(other, entry)
            ways = other.of_data
            alike = {way.origin for way in ways} <= origins and _readers(ways) <= _readers(entry.ways)
            if same and ways and alike and all(way.normalised for way in ways):
                return True
    return False


def _readers(ways: Iterable[SamplePath]) -> set[str]:
    """What stored numbers were read with: those of one kind of file may be normalised already, those of another not."""
    return {way.root.name for way in ways if way.origin in ("array", "record", "table") and isinstance(way.root, Call)}


def unused_scalers(readings: list[Pipelines]) -> Iterator[Observation]:
    """Scalers that are fitted and then not used."""
    for pipelines in readings:
        if pipelines.reading.role != "train" or pipelines.reading.view != "train":
            continue
        calls = pipelines.trace.calls
        for scaler in (call for call in calls if call.last in SCALERS and call.base is None):
            fits, after = _uses(pipelines, scaler)
            if fits and not after and _asked(calls).isdisjoint(id(one) for one in (scaler, *fits)):
                yield Observation("scaler-unused", fits[0], {"scaler": scaler.last}, certain=True)


def _uses(pipelines: Pipelines, scaler: Call) -> tuple[list[Call], list[Call]]:
    """The calls that fit a scaler, and what else is done with it or with what they return: fit gives the scaler itself."""
    fits: list[Call] = []
    after: list[Call] = []
    for same in (held := [scaler]):
        for user, _ in pipelines.users.get(id(same), ()):
            fitted = user.name == ".fit" and same in options(user.base)
            (fits if fitted else after).append(user)
            if fitted and user not in held:
                held.append(user)
    return fits, after


def _asked(calls: list[Call]) -> set[int]:
    """The ids of the objects of which an attribute, scaler.mean_, goes into a call that does more than show it."""
    waiting = [value for call in calls if call.last not in LOOKS for value in (*call.args, *call.keywords.values())]
    seen = {id(value): value for value in waiting}
    for part in waiting:  # grows meanwhile
        new = {id(inner): inner for inner in inputs(part) if id(inner) not in seen}
        seen |= new
        waiting += new.values()
    read = (part for part in seen.values() if isinstance(part, Call) and part.name.startswith("@"))
    return {id(option) for part in read for option in options(part.base)}
