"""Labels that are the numbers of classes where a loss takes a distribution over the classes: nn.SoftmaxCrossEntropyWithLogits
without sparse=True wants labels of the type and shape of the logits, and refuses whole numbers. And numbers that are written into labels,
belong to no class, and are not those that the loss leaves out."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

from ..knowledge import api, dataset_classes
from ..knowledge.methods import MODEL_RUNS
from . import flow
from .effects import MOVED, TAKEN, effect, kept, name_of, named_arguments, operands
from .factors import argument_of, comparison
from .losses import Application, Losses, Observation, known_name, layer_of, passes_on
from .networks import outputs
from .pipelines import Columns, Pipelines
from .values import Call, Index, Items, KnownValue, Many, NamedValue, UnknownValue, Value, integer_of, join, options

#: Values within values are followed so far.
DEEP = 40
#: So many of several values are looked at.
MANY = 32
_WHOLE = re.compile(r"^u?int(8|16|32|64)?$|^long$")
_TYPE = re.compile(r"^(u?int|b?float|complex)\d*$|^(bool_?|half|double|long)$")
#: The largest number of label images of uint8, which stands for no class.
_VOID = 255
_SUMS = ("+", "-", "*", "//", "%", "neg")


def examine(losses: Losses) -> Iterator[Observation]:
    """Losses that take distributions and get the numbers of classes; each place once."""
    numbers = WholeNumbers(losses)
    for application in losses.applications:
        if _takes(application) != "distributions":
            continue
        shown = numbers.shown(application.labels) or numbers.flattened(application)
        if shown is not None:
            place = application.cell or application.place
            loss = application.loss.rsplit(".", 1)[-1]
            also = shown if isinstance(shown, Call) else application.place
            yield Observation("classes-for-distributions", place, {"loss": loss}, also)
    yield from _of_no_class(losses, numbers)
    yield from _told_apart(losses, numbers)
    yield from _of_one_class(losses, numbers)


def _of_one_class(losses: Losses, numbers: WholeNumbers) -> Iterator[Observation]:
    """Losses whose labels are one number for all samples, where no other has another one, as two domains or real and made samples have,
    and where the scores are no join of those of what belongs together and others: there the first is the right one of each sample."""
    found: list[tuple[Application, Call, float]] = []
    for one in losses.applications:
        takes_numbers = _takes(one) == "classes" or one.known.labels == "classes or probabilities"
        if takes_numbers and one.labels is not None:
            alike = (origin for origin in numbers.origins(one.labels) if isinstance(origin, Call))
            found += [(one, made, number) for made in alike if (number := _only_number(made)) is not None]
    if len({number for *_, number in found}) == 1:
        for one, made, _ in found:
            if not _is_joined(one.prediction):
                yield Observation("labels-alike", one.place, {"loss": known_name(one)}, made, certain=False)


def _only_number(made: Call) -> float | None:
    """The number that all elements of an array are, where nothing is written into it."""
    known = effect(made)
    return known.constant if known is not None and not (made.writes or made.fed) else None


def _is_joined(prediction: Value | None) -> bool:
    """Whether scores are put together from several, or where they come from is not seen."""
    value = prediction
    for _ in range(DEEP):
        if not isinstance(value, Call):
            return True
        known, step = effect(value), passes_on(value)
        if known is not None and known.operation in ("concat", "stack"):
            return True
        if step is None or len(step[0]) != 1:
            return known is None and value.name != ""
        value = step[0][0]
    return True


def _told_apart(losses: Losses, numbers: WholeNumbers) -> Iterator[Observation]:
    """Losses that take a number for a class with which the same labels are compared elsewhere, as one that stands for no class."""
    compared: dict[Any, list[tuple[int, Call]]] = {}
    for call in losses.calls:
        sides = operands(call, (0, 1)) if comparison(call) in ("==", "!=") else []
        for one, other in (sides, sides[::-1]) if len(sides) == 2 else ():
            if (number := integer_of(other)) is not None:
                for origin in numbers.origins(one):
                    compared.setdefault(_mark(origin), []).append((number, call))
    for application in losses.applications if compared else ():
        if (found := _no_class(application, compared, losses, numbers)) is not None:
            number, call = found
            place = application.cell or application.place
            yield Observation(
                "left-out-elsewhere",
                place,
                {"loss": known_name(application), "number": str(number)},
                call,
                certain=False,
            )


def _no_class(
    one: Application, compared: dict[Any, list[tuple[int, Call]]], losses: Losses, numbers: WholeNumbers
) -> tuple[int, Call] | None:
    """The number among labels that stands for no class, is not what a loss leaves out, and where it is told apart from the classes."""
    left_out, width = _left_out(one), _classes(one)
    takes_numbers = _takes(one) == "classes" or one.known.labels == "classes or probabilities"
    if one.labels is None or left_out is None or not takes_numbers or losses.reduction_of(one) == "none":
        return None
    for origin in numbers.origins(one.labels):
        if isinstance(origin, Call) and origin.writes:
            return None  # it may be replaced
        for number, call in compared.get(_mark(origin), ()):
            beyond = number < 0 or (number >= width if width is not None else number == _VOID)
            if beyond and number != left_out:
                return number, call
    return None


def _of_no_class(losses: Losses, numbers: WholeNumbers) -> Iterator[Observation]:
    """Losses of classes whose labels are marked with a number beyond the classes that the loss does not leave out."""
    for one in losses.applications:
        width, left_out = _classes(one), _left_out(one)
        if width is None or left_out is None or losses.reduction_of(one) == "none" or one.labels is None:
            continue
        for origin in numbers.origins(one.labels):
            for number in _marks(origin):
                if not 0 <= number < width and number != left_out:
                    data = {"loss": known_name(one), "number": str(number), "classes": str(width)}
                    yield Observation("class-out-of-range", one.cell or one.place, data, origin, certain=False)
                    return


def _classes(one: Application) -> int | None:
    """How many classes a loss of their numbers gets scores of; None where that is not seen."""
    if one.known.labels not in ("classes", "classes or probabilities") and _takes(one) != "classes":
        return None
    found = {outputs(layer_of(head)) for head in one.heads}
    width = found.pop() if len(found) == 1 else None
    return width if width is not None and width > 1 else None


def _left_out(one: Application) -> int | None:
    """The label that a loss leaves out; -1 less than any number where it leaves out none, None where that is not seen."""
    made = one.cell if one.cell is not None else one.place
    given = argument_of(made, "ignore_index")
    if given is not None:
        return given.value if isinstance(given, KnownValue) and type(given.value) is int else None
    default = one.known.defaults.get("ignore_index")
    return default if isinstance(default, int) else -sys.maxsize


def _marks(origin: Value) -> Iterator[int]:
    """The numbers that are written into an array, but for those that are replaced by others afterwards."""
    writes = origin.writes if isinstance(origin, Call) else ()
    replaced = {
        side.value
        for write in writes
        if isinstance(write.key, Call) and write.key.name == "=="
        for side in write.key.args
        if isinstance(side, KnownValue)
    }
    for write in writes:
        value = write.value.value if isinstance(write.value, KnownValue) else None
        if type(value) is int and value not in replaced:
            yield value


def _takes(application: Application) -> str:
    """Whether the loss of an application takes "distributions" or "classes"; "" where either will do or it is not known."""
    labels, cell = application.known.labels, application.cell
    if labels in ("one-hot", "classes"):
        return "distributions" if labels == "one-hot" else "classes"
    if labels != "by sparse" or cell is None:
        return ""
    given = application.known.bind_any(cell.args, cell.keywords)
    sparse = None if given is None or cell.unpacked else given.get("sparse", KnownValue(False))
    if not isinstance(sparse, KnownValue) or sparse.assumed is not None:
        return ""
    return "classes" if sparse.value else "distributions"


class WholeNumbers:
    """Which values of one reading are whole numbers, and where that is seen."""

    def __init__(self, losses: Losses) -> None:
        self.losses, self.trace = losses, losses.trace

    @cached_property
    def pipelines(self) -> Pipelines:
        return Pipelines(self.losses.reading)

    @cached_property
    def given(self) -> dict[int, Value]:
        """id of what a network, or the loss of a Model, is given from out of sight -> the column of the data set that it is."""
        entries = (entry for pipeline in self.pipelines.found for entry in pipeline.inputs)
        found = {id(entry.inner): entry.value for entry in entries if entry.inner is not None}
        for handed in self.losses.handed:
            labels = self.labels_for(handed.model, (".train", ".fit"))
            parts = (part for value in handed.losses for part in flow.sources(value))
            unknown = [part for part in parts if isinstance(part, UnknownValue) and part.name == "labels"]
            if labels is not None:
                found.update({id(part): labels for part in unknown})
        return found

    def labels_for(self, model: Call, runs: tuple[str, ...]) -> Value | None:
        """The labels that a Model hands to its loss: the second column of the data set that it is run on, or of each that it may be."""
        calls = [call for call in self.trace.calls if call.name in runs and model in options(call.base)]
        sets = [_data(call) for call in calls]
        columns = [each for data in sets for each in self.pipelines.of(data)]
        seconds = [second for each in columns if _complete(each) and (second := each.at(1)) is not None]
        return join(seconds, MANY) if seconds and len(seconds) == len(columns) else None

    @cached_property
    def used(self) -> dict[Any, tuple[Value, Call]]:
        """What is used as the numbers of classes, by _mark() -> it, and the call that does so."""
        found: dict[Any, tuple[Value, Call]] = {}
        for value, use in self.uses():
            found.update({_mark(one): (one, use) for one in self.origins(value)})
        return found

    def uses(self) -> Iterator[tuple[Value, Call]]:
        """What a loss takes as the numbers of classes, or is compared with the places of largest scores."""
        for application in self.losses.applications:
            if application.labels is not None and _takes(application) == "classes":
                yield application.labels, application.place
        for call in self.trace.calls:
            if call.api == "Model":
                yield from self.evaluated(call)
            elif call.name == "==" or call.api in ("ops.equal", "ops.Equal", "ops.eq"):
                sides = operands(call, (0, 1))
                places = [any(map(_is_place, self.origins(side))) for side in sides]
                if len(places) == 2 and places[0] != places[1]:  # the other side is not a place
                    yield sides[places.index(False)], call

    def evaluated(self, model: Call) -> Iterator[tuple[Value, Call]]:
        """The labels that a Model evaluates a loss with which takes the numbers of classes."""
        for loss in options(named_arguments(model).get("loss_fn")):
            labels = self.labels_for(model, (".eval",)) if _classifies(loss) else None
            if labels is not None and isinstance(loss, Call):
                yield labels, loss

    def origins(self, value: Value) -> Iterator[Value]:
        """A value and what it is behind the operations that only move its elements."""
        for _ in range(DEEP):
            yield value
            behind = self.behind(value, MOVED)
            if len(behind) != 1:
                return
            (value,) = behind

    def behind(self, value: Value, keeps: tuple[str, ...] = TAKEN) -> list[Value]:
        """Where its elements come from: columns, the operands of what moves them, the result of the project's own function."""
        if id(value) in self.given:
            return [self.given[id(value)]]
        if not isinstance(value, Call):
            return []
        columns = self.pipelines.read(value)
        if columns is not None:
            return [column for column in columns if column is not value]
        if value.result is not None:
            return [value.result]
        return kept(value, *keeps) or []

    def shown(self, value: Value | None, depth: int = 0) -> Value | None:
        """What shows that a value is of a type of whole numbers, or stands for the numbers of classes: a call, or a constant; None
        where that is not seen on each way."""
        if value is None or depth > DEEP:
            return None
        if _mark(value) in self.used:
            return self.used[_mark(value)][1]
        if _is_index(value):
            return value
        if isinstance(value, (Many, Items)):
            return self.all(flow.inputs(value)[:MANY], depth)
        if not isinstance(value, Call):
            return self.all(self.behind(value), depth)
        told = _typed(value)
        if told is None:
            return self.stored(value) or self.all(value.args if value.name in _SUMS else self.behind(value), depth)
        return value if told else None

    def flattened(self, application: Application) -> Call | None:
        """What leaves labels a single axis, but not the scores: a distribution has an axis of its own for the classes."""
        if application.labels is None or application.prediction is None:
            return None
        labels, scores = (self.one_axis(value) for value in (application.labels, application.prediction))
        return labels if scores is None else None

    def one_axis(self, value: Value) -> Call | None:
        """The change of shape to a single axis that a value went through last."""
        for part in self.origins(value):
            known = effect(part) if isinstance(part, Call) else None
            if known is not None and isinstance(part, Call) and known.keeps in ("order", "values"):
                return part if known.operation == "reshape" and _is_single(part) else None
        return None

    def all(self, values: list[Value], depth: int) -> Value | None:
        """What shows it of the first of them, where it is seen of all."""
        found = [self.shown(value, depth + 1) for value in values]
        return found[0] if found and None not in found else None

    def stored(self, value: Call) -> Call | None:
        """The data set class behind a column that it fills with whole numbers, or whose file the project writes so."""
        reader = value.base if value.name == "column" else None
        name = value.args[0] if value.args else None
        if not isinstance(reader, Call) or not isinstance(name, KnownValue):
            return None
        known = dataset_classes.load().sources.get(reader.last)
        types = self.pipelines.records.types(str(name.value)) if reader.last == "MindDataset" else set[str]()
        whole = known is not None and name.value in known.whole
        return reader if whole or (types and all(map(_WHOLE.match, types))) else None


def _is_single(reshaped: Call) -> bool:
    """Whether a shape is given as -1 alone."""
    given = [value for value in reshaped.args if value is not next(iter(operands(reshaped)), None)]
    sizes = given[0].items if len(given) == 1 and isinstance(given[0], Items) else given
    return len(sizes) == 1 and isinstance(sizes[0], KnownValue) and sizes[0].value == -1


def _mark(value: Value) -> Any:
    """What makes a value the same as another: a column is so wherever the same line makes its data set."""
    if isinstance(value, Call) and value.name == "column" and value.base is not None and value.args:
        return id(value.node), getattr(value.args[0], "value", None)
    return id(value)


def _is_place(value: Value) -> bool:
    """Whether a value says where the largest element stands."""
    known = effect(value) if isinstance(value, Call) else None
    return known is not None and known.operation == "argmax"


def _classifies(loss: Value) -> bool:
    if not isinstance(loss, Call):
        return False
    known = api.find(loss.api)
    if known is None or known.kind != "loss":
        return False
    return _takes(Application(loss.api, loss, loss, {}, None, None)) == "classes"


def _complete(columns: Columns) -> bool:
    return len(columns.order) == 2


def _data(run: Call) -> Value | None:
    """The data set of Model.train, Model.fit or Model.eval."""
    return run.argument(MODEL_RUNS[run.name], "valid_dataset" if run.name == ".eval" else "train_dataset")


def _is_index(value: Value) -> bool:
    """A whole number of Python's."""
    return isinstance(value, Index) or (isinstance(value, KnownValue) and type(value.value) is int)


def _typed(made: Call) -> bool | None:
    """Whether a call gives whole numbers, by what it does; None where that hangs on what it is given."""
    known = effect(made)
    transform = api.transform(name_of(made))
    if transform is not None and isinstance(made.base, Call):
        return _names_type(made.base.args, made.base.keywords) if transform.category == "cast" else False
    if known is None:
        return None
    if known.operation == "whole" or known.kind in ("index", "count"):
        return True
    if known.operation not in ("cast", "tensor"):
        return None if known.keeps or made.name in _SUMS else False
    given = operands(made)[:1]
    besides = [value for value in made.args if not any(value is one for one in given)]
    told = _names_type(besides, made.keywords)
    return False if told is None and known.operation == "cast" else told


def _names_type(args: Iterable[Value], keywords: dict[str, Value]) -> bool | None:
    """Whether the type that is named among arguments is one of whole numbers; None where none is."""
    for value in (*args, *keywords.values()):
        text = value.name if isinstance(value, NamedValue) else value.value if isinstance(value, KnownValue) else None
        last = text.rpartition(".")[2] if isinstance(text, str) else ""
        if _TYPE.match(last):
            return _WHOLE.match(last) is not None
    return None
