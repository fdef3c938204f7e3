"""Padding followed from where a row is filled up, through the columns of the data set, into the network and the loss that trains.

What a column holds, and what a mask or a length is of, is told by lengths.py from the values; names decide nothing here.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..knowledge import api
from ..knowledge.methods import MODEL_RUNS
from . import attention, effects, even_masks, flow, masked_means, pooled_padding, weak_masks
from .analysis import Reading
from .lengths import ConstantArray, Form, Length, Shape, Shapes, alike, number, root, total
from .losses import Application, applied, losses_of
from .networks import FORWARD, loaded
from .padding_facts import END, START, Observation
from .pipelines import Columns, Pipeline, Pipelines
from .syntax import unparse
from .values import (
    Call,
    Frame,
    Index,
    Instance,
    Items,
    KnownValue,
    Mapping,
    Value,
    Write,
    frames_around,
    is_known,
    is_model,
    options,
    parts,
)

#: From here on a number is so large that a softmax makes nothing of what it is added to.
LARGE = 1e3
#: So many values are looked at from a loss back to the columns.
NODES = 40_000


@dataclass(eq=False)
class Column:
    """A column of the training data that is filled up. `hidden`: what keeps its padding out of the loss; `stopped`: where
    following it stopped; `used`: the loss is seen to hang on it; `followed`: by operations that are all known; `apart`: a mask of its
    length that it has no part in."""

    name: str
    form: Form
    hidden: Call | None = None
    stopped: Call | None = None
    apart: Call | None = None
    used: bool = False
    followed: bool = False
    by_value: bool = False  # what hides it tells padding by what was filled in

    @property
    def places(self) -> set[tuple[str, int]]:
        """The lines where it is filled up."""
        return {(at.source.path, _line(at)) for at in (self.form.at, self.form.also) if at is not None}


@dataclass(eq=False)
class PaddingFound:
    said: list[Observation] = field(default_factory=list)
    columns: list[Column] = field(default_factory=list)


def examine(pipelines: Pipelines) -> PaddingFound:
    """What is to be said of the padded columns of the data that a script trains with."""
    found = PaddingFound()
    seen: set[tuple[str, str, int]] = set()
    for pipeline in pipelines.found:
        columns = pipelines.columns.get(id(pipeline.leaf)) if pipeline.leaf is not None else None
        if columns is None or pipeline.role == "eval":
            continue
        rules = Rules(pipelines, pipeline, columns)
        rules.run()
        for said in rules.found.said:
            key = said.code, said.source.path, getattr(said.node, "lineno", 0)
            if key not in seen:
                seen.add(key)
                found.said.append(said)
        found.columns += rules.found.columns
    return found


class Graph:
    """What a loss is made of, back to the columns of the data."""

    def __init__(self, value: Value, column: Any) -> None:
        self.value, self.column = value, column
        self.nodes: dict[int, Value] = {}
        self.users: dict[int, list[Value]] = {}
        self.read: dict[str, list[Value]] = {}  # the values that are read from each column
        queue = [value]
        while queue and len(self.nodes) < NODES:
            part = queue.pop()
            if id(part) in self.nodes:
                continue
            self.nodes[id(part)] = part
            name = column(part)
            if name is not None:
                self.read.setdefault(name, []).append(part)
                continue
            for inner in inputs(part):
                self.users.setdefault(id(inner), []).append(part)
                queue.append(inner)

    @cached_property
    def made(self) -> list[Call]:
        return [node for node in self.nodes.values() if isinstance(node, Call)]

    def above(self, values: list[Value]) -> set[int]:
        """What derives from some values, by id."""
        found: set[int] = set()
        queue = list(values)
        while queue:
            part = queue.pop()
            if id(part) not in found:
                found.add(id(part))
                queue += self.users.get(id(part), ())
        return found

    def follows(self, name: str) -> bool:
        """Whether every operation between a column and the loss is known."""
        above = self.above(self.read.get(name, []))
        return bool(above) and all(_is_followed(made) for made in self.made if id(made) in above)

    def multiplied(self) -> set[str]:
        """The columns that the loss hangs on other than as a divisor."""
        found: set[str] = set()
        seen: set[int] = set()
        queue = [self.value]
        while queue:
            part = queue.pop()
            if id(part) in seen:
                continue
            seen.add(id(part))
            name = self.column(part)
            if name is not None:
                found.add(name)
                continue
            divides = isinstance(part, Call) and _operation(part) == "div"
            queue += effects.operands(part, (0,)) if divides and isinstance(part, Call) else inputs(part)
        return found

    def divisor(self, name: str) -> Call | None:
        """The division by something made of a column."""
        above = self.above(self.read.get(name, []))
        divisions = [made for made in self.made if id(made) in above and _operation(made) == "div"]
        return divisions[0] if divisions else None

    def reduction(self) -> Call | None:
        """Where the loss becomes one number, the last such place."""
        queue, seen = [self.value], set[int]()
        while queue:
            part = queue.pop(0)
            if id(part) in seen or self.column(part) is not None:
                continue
            seen.add(id(part))
            known = effects.effect(part) if isinstance(part, Call) else None
            if isinstance(part, Call) and ((known is not None and known.reduces) or applied(part) is not None):
                return part
            queue += inputs(part)
        return None


def _goes_backward(layer: Value) -> bool:
    """Whether a recurrent layer also reads sequences from their ends."""
    return isinstance(layer, Call) and is_known(layer.keywords.get("bidirectional"), True)


def inputs(value: Value) -> list[Value]:
    """What a value is computed from; the weights of a network, what its layers are made of, and what is only awaited are none of it."""
    if isinstance(value, Instance):
        return []
    if isinstance(value, Call) and _operation(value) == "depend":
        return effects.operands(value, (0,))
    inner = flow.inputs(value)
    if isinstance(value, Call) and value.name == "" and isinstance(value.base, (Call, Instance)):
        inner = [part for part in inner if part is not value.base]
    return inner


def _is_followed(made: Call) -> bool:
    """Whether a call was run, or is one of an operation or layer of the framework, or an item."""
    layer = made.base if made.name == "" else None
    of_layer = isinstance(layer, Call) and api.find(layer.api) is not None
    return made.result is not None or made.name == "[]" or of_layer or effects.effect(made) is not None


def _operation(made: Call) -> str:
    known = effects.effect(made)
    return known.operation if known is not None else ""


class Rules:
    def __init__(self, pipelines: Pipelines, pipeline: Pipeline, columns: Columns) -> None:
        self.pipelines, self.pipeline, self.columns = pipelines, pipeline, columns
        self.reading: Reading = pipelines.reading
        self.found = PaddingFound()
        self.names = {id(value): name for name, value in columns.values.items()}
        self.shapes = Shapes(self.held)
        self.shape: dict[str, Shape] = {}
        self.other_values: list[
            tuple[Call, Form, Column]
        ] = []  # places that hold another value than the padding are hidden
        self.weak: list[weak_masks.WeakMask] = []
        self.made_of: dict[str, set[int]] = {}  # what the loss that is looked at makes of each column, by id

    def run(self) -> None:
        for name, value in self.columns.values.items():
            shape = self.shapes.of(value) or self.of_batch(name)
            if shape is not None:
                self.shape[name] = shape
                if isinstance(shape, Form) and shape.real is None:
                    self.found.columns.append(Column(name, shape))
        if not self.found.columns:
            return
        graphs = self.graphs()
        for graph in graphs:
            self.of_graph(graph)
        for made, shape, column in self.other_values:
            if column.hidden is None:  # else what is hidden beside the padding is meant
                data = {"value": shown(shape.looked), "padded": column.name, "filled": shown(column.form.fill)}
                self.say("mask-value", made, data | _stands(column.form.at))
        self.of_loss_only()
        self.of_sides()
        self.of_places()
        self.of_ones()
        self.of_numbers()

    # --- the data ---------------------------------------------------------------------------------------------------------

    def of_batch(self, name: str) -> Form | None:
        """A column that the data set itself fills up: pad_info of batch and padded_batch."""
        for call in self.pipeline.chain:
            for info in options(call.keywords.get("pad_info")):
                if not isinstance(info, Mapping) or name not in info.items:
                    continue
                told = info.items[name]
                value = told.items[1] if isinstance(told, Items) and len(told.items) == 2 else KnownValue(0)
                if is_known(value, None):
                    value = KnownValue(0)
                return Form(self.columns.values[name], None, value, END, call)
        return None

    def held(self, value: Value) -> Value | None:
        """What a value that is read from the data holds."""
        name = self.name(value)
        return None if name is None else self.columns.values[name]

    def name(self, value: Value) -> str | None:
        """The column that a value is read from."""
        if not isinstance(value, Call) or value.name not in ("[]", ".item") or not isinstance(value.base, Call):
            return None
        found = self.pipelines.read(value)
        return self.names.get(id(found[0])) if found and len(found) == 1 else None

    # --- what trains ------------------------------------------------------------------------------------------------------

    def graphs(self) -> list[Graph]:
        trained = [value for _, value in losses_of(self.reading).trained]
        found = [Graph(value, self.name) for value in [*trained, *self.run_models()]]
        return [graph for graph in found if graph.read]

    def run_models(self) -> Iterator[Value]:
        """What networks and losses that are handed to a Model make of the columns of this data set."""
        leaf = self.pipeline.leaf
        for call in self.reading.trace.calls:
            data = call.argument(MODEL_RUNS[call.name], "train_dataset") if call.name in (".train", ".fit") else None
            if data is None or leaf is None or not any(part is leaf for part in parts(data)):
                continue
            for model in options(call.base):
                if is_model(model):
                    yield self.run_model(model, leaf)

    def run_model(self, model: Call, leaf: Call) -> Value:
        iterator = Call(".create_tuple_iterator", [], {}, leaf.node, leaf.source, leaf)
        batch = Call(".each", [], {}, leaf.node, leaf.source, iterator)
        given: list[Value] = [
            Call("[]", [KnownValue(place)], {}, leaf.node, leaf.source, batch)
            for place in range(len(self.columns.order))
        ]
        network = model.argument(["network", "loss_fn"], "network")
        loss = model.argument(["network", "loss_fn"], "loss_fn")
        while isinstance(network, Call) and network.api.startswith("nn."):
            inner = network.argument(["network", "optimizer"], "network")
            if network.api == "nn.WithLossCell":
                inner, loss = (network.argument(["backbone", "loss_fn"], name) for name in ("backbone", "loss_fn"))
            if inner is None:
                break
            network = inner
        if network is None:
            return Items([])
        if loss is None or is_known(loss, None):
            return _first(self.pipelines.call(network, given))
        return self.pipelines.call(loss, [self.pipelines.call(network, given[:-1]), *given[-1:]])

    # --- rules ------------------------------------------------------------------------------------------------------------

    def say(self, code: str, at: Call | Write | Frame, data: dict[str, Any] | None = None) -> None:
        self.found.said.append(Observation(code, at.source, at.node, data or {}, likely=True))

    def column(self, name: str | None) -> Column | None:
        return next((column for column in self.found.columns if column.name == name), None)

    def of_graph(self, graph: Graph) -> None:
        self.made_of = {name: graph.above(read) for name, read in graph.read.items()}
        for column in self.found.columns:
            column.used |= column.name in graph.read
            column.followed |= graph.follows(column.name)
        self.of_attention(graph)
        weak = self.of_scores(graph)
        self.of_weights(graph, weak)
        self.of_constants(graph)
        for made in graph.made:
            if (application := applied(made)) is not None:
                self.of_loss(graph, application)
                self.of_lengths(application)
        self.of_recurrent(graph)
        self.of_unused(graph)
        self.of_averages(graph)

    @cached_property
    def even(self) -> set[int]:
        """Where a mask is put to scores that is the same for all keys and so hides none, by the ids of the nodes."""
        return {id(mask.made.node) for _, masks in even_masks.find(self.reading) for mask in masks}

    def hide(self, form: Form, by: Call) -> None:
        """Note what keeps the padding of a sequence, and of all as long as it that take part in `by`, out."""
        if form.partly or id(by.node) in self.even:
            return
        for column in self.found.columns:
            if id(by) not in self.made_of.get(column.name, {id(by)}):
                if _beside(column.form, form):  # as labels are from a mask of the inputs
                    column.apart = by
                continue
            if form.length is not None and self.is_padded(form.length, column):
                data = {"length": shown(form.length.made), "padded": column.name}
                self.say("length-padded", form.length.made, data | _stands(column.form.at))
                column.stopped = by
            elif _beside(column.form, form) and {form.side, column.form.side} == {START, END}:
                self.say_other_side(column, form, shown(form.at))
                column.stopped = by
            elif _beside(column.form, form):
                column.by_value |= column.hidden is None and form.at is column.form.at
                column.hidden = column.hidden or by

    def of_loss(self, graph: Graph, application: Application) -> None:
        """A loss of classes, whose labels are filled up with a number."""
        labels = self.shapes.form(application.labels)
        column = self.column(self.name_within(application.labels)) if application.labels is not None else None
        if labels is None or column is None or labels.real is not None or not _of_classes(application):
            return
        ignored = _ignored(application)
        if ignored is not None and alike(ignored, labels.fill):
            column.hidden = application.place
            return
        weighed = self.weighing(graph, application.place)
        for made, weight in weighed:
            self.of_weight(column, labels, made, weight)
            self.of_mean(graph, column, made)
        if weighed or "weight" in application.arguments or (application.cell and "weight" in application.cell.keywords):
            if column.hidden is None:
                column.stopped = weighed[0][0] if weighed else application.place
            return
        fill = labels.number
        known = ignored is None or isinstance(ignored, KnownValue)
        if not known or (fill is None and not _looked_up(labels.fill)):
            column.stopped = application.place
        elif fill is None or fill >= 0 or ignored is not None:
            loss = application.loss.rpartition(".")[2]
            data = {"padded": column.name, "value": shown(labels.fill), "loss": loss}
            self.say("pad-counted", labels.at, data | {"place": _place(application.place)})

    def of_lengths(self, application: Application) -> None:
        """The lengths that a loss of whole sequences is given: of a sequence that was filled up, they leave nothing out."""
        if application.known.labels != "sequences":
            return
        for given in application.arguments.values():
            length = self.shapes.of(given)
            if not isinstance(length, Length):
                continue
            for column in self.found.columns:
                if self.is_padded(length, column):
                    self.say_padded(application.place, given, column)
                elif self.is_real(length, column):
                    column.hidden = column.hidden or application.place

    def is_real(self, length: Length, column: Column) -> bool:
        """True for the length of what a column was made of before it was filled up."""
        form = column.form
        return form.of is not None and alike(root(form.of), root(length.of))

    def weighing(self, graph: Graph, place: Call) -> list[tuple[Call, Value]]:
        """(the operation, the other operand) wherever a loss meets something else that is made of data, before it is one number."""
        above = graph.above([place])
        touched = graph.above([node for nodes in graph.read.values() for node in nodes])
        found: list[tuple[Call, Value]] = []
        for made in graph.made:
            if id(made) not in above or made is place or _operation(made) in ("div", "add", "sub", "add_n"):
                continue
            others = [part for part in inputs(made) if id(part) not in above and id(part) in touched]
            found += [(made, other) for other in others]
        return found

    def of_weight(self, column: Column, labels: Form, made: Call, weight: Value) -> None:
        """What the loss of each place is multiplied by, against what the labels are filled up with."""
        shape, name = self.shapes.of(weight), self.name_within(weight)
        if (
            isinstance(shape, ConstantArray)
            and number(shape.value) == 1
            and name is not None
            and not _of_data(shape, labels)
        ):
            self.say("mask-everywhere", made, {"mask": name, "padded": column.name})
            column.stopped = made
        if not isinstance(shape, Form) or shape.real is None:
            return
        if shape.looked is not None:
            data = {"value": shown(shape.looked), "padded": column.name, "filled": shown(labels.fill)}
            self.say("mask-value", made, data | _stands(labels.at))
        elif shape.mask and _beside(shape, labels) and _shifted(shape, labels):
            data = {"label": column.name, "part": _cuts(labels), "mask": name or "?", "other": _cuts(shape)}
            self.say("mask-shifted", made, data)
        elif shape.mask and shape.real == 0:
            self.say("mask-inverted", made)
        elif shape.tells_all_padding:
            column.hidden = made
            self.hide(shape, made)

    def of_mean(self, graph: Graph, column: Column, masked: Call) -> None:
        """An average that counts the padding which a mask has set to 0."""
        zeroed = column.hidden is masked and _operation(masked) == "mul"
        mean = masked_means.mean_of_all(graph, masked) if zeroed else None
        if mean is not None:
            self.say("padding-averaged", mean, {"padded": column.name})

    def of_scores(self, graph: Graph) -> set[int]:
        """Masks that are put to the scores of attention and hide nothing there; the operations that do so, by id."""
        found = list(weak_masks.find(graph, self.shapes.form))
        for weak in found:
            column = self.column_of(weak.mask)
            if column is not None:
                self.say("mask-weak", weak.made, {"padded": column.name} | _stands(column.form.at))
        return {id(weak.made) for weak in found}

    def of_weights(self, graph: Graph, weak: set[int]) -> None:
        """Masks that something is multiplied by or chosen with: 1 has to be the data, unless the rest is used, too."""
        signs: list[tuple[Call, Form]] = []
        data = graph.above([node for nodes in graph.read.values() for node in nodes])
        for made in graph.made:
            if id(made) in weak:
                continue
            if _operation(made) not in ("mul", "masked_select", "where", "where_method") and made.name != "[]":
                continue
            for part in effects.operands(made, (0, 1)) if made.name != "[]" else made.args[:1]:
                shape = self.shapes.form(part)
                large = any(abs(each or 0) >= LARGE for each in self.chosen(made))
                if (
                    shape is not None
                    and shape.mask
                    and not large
                    and not any(isinstance(a, KnownValue) for a in made.args[:2])
                ):
                    signs.append((made, shape))
        right = [(made, shape) for made, shape in signs if shape.real == 1 and shape.number == 0]
        for made, shape in right:
            self.hide(shape, made)
        for made, shape in signs:
            turned = shape.real == 0 and shape.number == 1 and _operation(made) in ("mul", "masked_select")
            # what it weighs is data itself: a number that is not seen may be one that a softmax makes nothing of
            turned = turned and all(id(part) in data for part in effects.operands(made, (0, 1)) or ())
            if turned and not any(_beside(shape, other) for _, other in right):
                self.say("mask-inverted", made)

    def of_sum(self, made: Call, operation: str) -> None:
        """A mask that is added to something, or taken off it."""
        for place, part in enumerate(effects.operands(made, (0, 1))):
            shape = self.shapes.form(part)
            if shape is not None and shape.mask and shape.real is not None and shape.number is not None:
                sign = -1 if operation == "sub" and place == 1 else 1
                self.of_added(made, shape, sign * shape.real, sign * shape.number)

    def of_attention(self, graph: Graph) -> None:
        """A large number at places: what is added to the padding has to be far below zero, and so what is filled in there."""
        for made in graph.made:
            operation = _operation(made)
            if operation in ("add", "sub"):
                self.of_sum(made, operation)
            elif operation == "masked_fill":
                given = effects.operands(made, (0, 1, 2))
                shape = self.shapes.form(given[1]) if len(given) == 3 else None
                if shape is None or (number(given[2]) or 0) > -LARGE:
                    continue
                self.of_other_value(made, shape)
                if shape.mask:
                    self.of_added(made, shape, -LARGE * (shape.real != 0), -LARGE * (shape.number != 0))
            elif operation in ("where", "where_method"):
                self.of_choice(made)

    def of_choice(self, made: Call) -> None:
        """A large number that is chosen where a mask holds, or where it does not."""
        given, chosen = effects.operands(made, (0, 1)), self.chosen(made)
        shape = self.shapes.form(given[_operation(made) == "where_method"]) if len(given) == 2 else None
        if shape is None or not any((each or 0) <= -LARGE for each in chosen):
            return
        self.of_other_value(made, shape)
        if not shape.mask:
            return
        held, other = (each or 0.0 for each in chosen)
        self.of_added(made, shape, held if shape.real else other, held if shape.number else other)

    def of_other_value(self, made: Call, shape: Form) -> None:
        """A large number at the places that hold another value than the one that was filled in."""
        column = self.column_of(shape)
        if shape.looked is not None and column is not None:
            self.other_values.append((made, shape, column))

    def column_of(self, shape: Form) -> Column | None:
        """The column whose places a form is about."""
        return next((c for c in self.found.columns if alike(root(c.form.of), root(shape.of))), None)

    def chosen(self, made: Call) -> list[float | None]:
        """The numbers between which a condition chooses, the first where it holds; None for what is not one number throughout."""
        given = effects.operands(made, (0, 1, 2)) if _operation(made) in ("where", "where_method") else []
        pair = [given[0], given[2]] if _operation(made) == "where_method" and len(given) == 3 else given[1:]
        shapes = [(value, self.shapes.of(value)) for value in pair]
        return [number(shape.value if isinstance(shape, ConstantArray) else value) for value, shape in shapes]

    def of_added(self, made: Call, shape: Form, real: float, fill: float) -> None:
        """What is added to the data and to the padding: of the two, a softmax makes nothing of what lies far below the other."""
        if real - fill <= -LARGE:
            self.say("mask-inverted", made)
        elif fill - real <= -LARGE:
            weighed = any(any(attention.weights_behind(part)) for part in effects.operands(made, (0, 1, 2)))
            column = self.column_of(shape)
            if weighed and column is not None:
                self.say("mask-late", made, {"padded": column.name} | _stands(column.form.at))
            else:
                self.hide(shape, made)

    def of_recurrent(self, graph: Graph) -> None:
        """Lengths that are measured and not given to the recurrent layer that reads what was filled up."""
        lengths = {name: shape for name, shape in self.shape.items() if isinstance(shape, Length)}
        for made in graph.made:
            layer = made.base if made.name == "" else None
            known = api.find(layer.api) if isinstance(layer, Call) else None
            if known is None or known.kind != "recurrent" or not made.args:
                continue
            read = {name for name, nodes in graph.read.items() if id(made.args[0]) in graph.above(nodes)}
            columns = [column for column in self.found.columns if column.name in read]
            given = made.keywords.get("seq_length") or (made.args[2] if len(made.args) > 2 else None)
            if given is not None and not is_known(given, None):
                self.of_given(made, given, columns)
                continue
            for name, length in lengths.items():
                column = next((c for c in columns if alike(root(c.form.of), root(length.of))), None)
                if column is None or layer is None:
                    continue
                data = {
                    "length": name,
                    "padded": column.name,
                    "layer": made.base.last if isinstance(made.base, Call) else made.last,
                }
                if column.hidden is None and name not in graph.read:
                    self.say("length-unused", made, data)
                elif _goes_backward(layer) and column.form.side == END:
                    self.say("backward-from-padding", made, data)

    def of_averages(self, graph: Graph) -> None:
        """Averages over all places of a network that is told which of them are padding."""
        masks = any(isinstance(shape, Length) or self.is_only_mask(name) for name, shape in self.shape.items())
        for column in self.found.columns:
            told = masks or column.hidden is not None
            for made in pooled_padding.averages(graph, graph.read.get(column.name, [])) if told else ():
                self.say("places-averaged", made, {"padded": column.name})

    def of_given(self, made: Call, given: Value, columns: list[Column]) -> None:
        length = self.shapes.of(given)
        for column in columns:
            if isinstance(length, Length) and self.is_padded(length, column):
                self.say_padded(made, given, column)
            elif column.hidden is None:
                column.hidden = made

    def say_padded(self, made: Call, given: Value, column: Column) -> None:
        """Tell of a length that was measured after its sequence was filled up."""
        data = {"length": self.name(given) or shown(given), "padded": column.name}
        self.say("length-padded", made, data | _stands(column.form.at))

    def is_padded(self, length: Length, column: Column) -> bool:
        """True for the length of that column, measured after it was filled up."""
        form = self.shapes.form(length.of)
        if form is None or form.real is not None or form.at is not column.form.at:
            return False
        return all(length.made.order > at.order for at in (form.at, form.also) if at is not None)

    def filled_up(self, length: Length) -> Column | None:
        """The column that a length was measured of after it was filled up."""
        return next((each for each in self.found.columns if self.is_padded(length, each)), None)

    def of_unused(self, graph: Graph) -> None:
        """A mask among the columns that does not enter the loss, or only divides it, where nothing else hides the padding."""
        multiplied = graph.multiplied()
        place = graph.reduction()
        for name, shape in self.shape.items():
            if name in multiplied or not isinstance(shape, Form) or place is None or not self.is_only_mask(name):
                continue
            columns = [c for c in self.found.columns if c.name in multiplied and _beside(c.form, shape)]
            column = next((c for c in columns if c.hidden is None), None)
            if column is None or any(c.hidden is not None for c in self.found.columns):
                continue
            divisor = graph.divisor(name)
            if divisor is not None:
                self.say("mask-not-applied", divisor, {"mask": name})
            else:
                self.say("mask-unused", place, {"mask": name, "padded": column.name})

    def is_only_mask(self, name: str) -> bool:
        """Whether a column is a mask, whichever of several data sets it is of: a loss may be that of the one which has none."""
        return self.mask(name) is not None and None not in map(self.shapes.of, options(self.columns.values[name]))

    def of_loss_only(self) -> None:
        """A mask that the loss takes, and that a network is handed beside the sequence and does not read."""
        told = {said.data.get("mask") for said in self.found.said if said.code == "mask-unused"}
        for frame in self.reading.trace.frames:
            function = frame.function
            if function.name not in FORWARD or function.of is None:
                continue
            handed = {parameter: name for parameter, value in frame.parameters.items() if (name := self.name(value))}
            for parameter, name in handed.items():
                column = self.masked_by(name, handed) if name not in told else None
                if column is None or column.by_value:  # by what was filled in, the network masks for itself
                    continue
                if not {parameter, "*"} & loaded(function.node):
                    data = {"mask": parameter, "padded": column.name, "network": function.of.node.name}
                    self.found.said.append(
                        Observation("mask-loss-only", function.source, function.node, data, likely=True)
                    )

    def masked_by(self, mask: str, handed: dict[str, str]) -> Column | None:
        """The padded column among those that are handed on of which a column is the mask."""
        shape = self.mask(mask)
        padded = (column for column in self.found.columns if column.name in handed.values())
        return None if shape is None else next((one for one in padded if _beside(one.form, shape)), None)

    def mask(self, name: str) -> Form | None:
        """The mask that a column is; None for any other."""
        shape = self.shape.get(name)
        return shape if isinstance(shape, Form) and shape.mask else None

    def of_constants(self, graph: Graph) -> None:
        """A column of ones, as long as one that is filled up, by which something of that column is multiplied: it hides nothing."""
        for name, shape in self.shape.items():
            if not isinstance(shape, ConstantArray) or number(shape.value) != 1 or shape.size is None:
                continue
            size = shape.size
            columns = [c for c in self.found.columns if c.hidden is None and alike(total(c.form), size)]
            column = next((c for c in columns if self.weighs(graph, name, c)), None)
            if column is not None:
                self.say("mask-everywhere", shape.made, {"mask": name, "padded": column.name})

    def weighs(self, graph: Graph, name: str, column: Column) -> bool:
        """Whether the elements of a column are what something is multiplied by that is made of another one."""
        masks, data = graph.read.get(name, []), graph.above(graph.read.get(column.name, []))
        alone = {id(part) for part in masks}
        for made in graph.made:
            if id(made) not in graph.above(masks) or _operation(made) != "mul":
                continue
            sides = [{id(part) for part in flow.sources(side, self.stops)} for side in effects.operands(made, (0, 1))]
            if len(sides) == 2 and any(side & alone and not side & data for side in sides) and id(made) in data:
                return True
        return False

    def of_places(self) -> None:
        """A mask from the same length that begins or ends at another place than the data do."""
        for name, shape in self.shape.items():
            if not isinstance(shape, Form) or (shape.real, shape.number) != (1, 0) or not _whole(shape):
                continue
            for column in self.found.columns:
                form = column.form
                if _whole(form) and alike(root(form.of), root(shape.of)) and shape.span != form.span:
                    (first, more), (begins, ends) = form.span, shape.span
                    code = "mask-off" if (begins - first) * (ends - more) > 0 else "mask-off-perhaps"
                    self.say(code, shape.also or shape.at, {"mask": name, "padded": column.name})

    def of_ones(self) -> None:
        """Ones for the data and for the padding alike, beside what is padded."""
        for name, shape in self.shape.items():
            if isinstance(shape, Form) and shape.looked is None and shape.real == shape.number == 1:
                column = next((each for each in self.found.columns if _beside(each.form, shape)), None)
                at: Call | Write = shape.at
            elif isinstance(shape, ConstantArray) and number(shape.value) == 1 and shape.of is not None:
                column, at = self.filled_up(Length(shape.of, shape.made)), shape.made
            elif isinstance(shape, Form) and shape.mask and shape.real == 1 and isinstance(shape.at, Call):
                column, at = self.filled_up(Length(shape.of, shape.at)), shape.at
            else:
                continue
            if column is not None:
                self.say("mask-everywhere", at, {"mask": name, "padded": column.name})

    def of_sides(self) -> None:
        """A mask that counts from the other side than the one at which its sequence was filled up."""
        for name, shape in self.shape.items():
            if not isinstance(shape, Form) or not shape.mask or not shape.side:
                continue
            for column in self.found.columns:
                form = column.form
                if alike(root(form.of), root(shape.of)) and {form.side, shape.side} == {START, END}:
                    self.say_other_side(column, shape, name)

    def say_other_side(self, column: Column, mask: Form, name: str) -> None:
        data = {"mask": name, "padded": column.name, "side": column.form.side, "other": mask.side}
        self.say("mask-side", _meeting(column.form.at, mask.at), data)

    def of_numbers(self) -> None:
        """Words that are numbered as they are met, from the number on that is filled in."""
        for column in self.found.columns:
            fill = column.form.number
            if fill is None or (column.hidden is not None and not column.by_value):
                continue
            for numbers in self.numbered(column):
                if (first := _starts(numbers)) is not None and first <= fill:
                    data = {"padded": column.name, "value": int(fill), "place": _place(column.form.at)}
                    self.say("word-is-pad", numbers, data)
                    break

    def numbered(self, column: Column) -> Iterator[Call]:
        """The numbers that a growing table gives: as many words as it has already."""
        values = [self.columns.values[column.name], column.form.of]
        found = (part for value in values for part in flow.sources(value))
        for part in found:
            if isinstance(part, Call) and _starts(part) is not None:
                yield part

    def name_within(self, value: Value) -> str | None:
        """The column that a weight is made of."""
        return next((name for part in flow.sources(value, self.stops) if (name := self.name(part)) is not None), None)

    def stops(self, value: Value) -> bool:
        return self.name(value) is not None


# --- values -----------------------------------------------------------------------------------------------------------


def _first(value: Value) -> Value:
    """The loss among several results."""
    return value.items[0] if isinstance(value, Items) and value.items else value


def _of_classes(application: Application) -> bool:
    labels = application.known.labels
    if labels == "by sparse":
        cell = application.cell
        sparse = cell.argument(list(application.known.positional), "sparse") if cell is not None else None
        return is_known(sparse, True)
    return labels in ("classes", "classes or probabilities")


def _ignored(application: Application) -> Value | None:
    """The label that a loss leaves out; None where it leaves none out."""
    known = application.known
    if api.IGNORING not in known.parameters:
        return None
    cell = application.cell
    given = (known.bind_any(cell.args, cell.keywords) or cell.keywords) if cell is not None else application.arguments
    return given.get(api.IGNORING) or KnownValue(known.defaults.get(api.IGNORING, api.IGNORED))


def _looked_up(fill: Value) -> bool:
    """The number of a word in a vocabulary: none below zero."""
    return isinstance(fill, Call) and fill.last in ("tokens_to_ids", "len", "[]")


def _beside(one: Form, other: Form) -> bool:
    """Whether two are as long as the same sequence, or one is made of the other."""
    return one.at is other.at or alike(root(one.of), root(other.of))


def _whole(form: Form) -> bool:
    """True for what is filled up at its end, and is neither cut nor changed then."""
    return form.side == END and not form.changed and not form.cuts


def _of_data(same: ConstantArray, labels: Form) -> bool:
    """Ones for the data alone, before they were filled up: no mask of all places."""
    return same.of is not None and same.of is not labels.of


def _cuts(form: Form) -> str:
    return ", ".join(unparse(cut.node) for cut in form.cuts if isinstance(cut, Call))[:60] or ":"


def _shifted(mask: Form, labels: Form) -> bool:
    """True where both were cut, and not alike."""
    return bool(mask.cuts) and bool(labels.cuts) and _cuts(mask) != _cuts(labels)


def _starts(made: Call) -> int | None:
    """The first number that a table gives which numbers words as they are met: len(table) + c while it grows by that, or their places
    among what is there once each; None for anything else."""
    if made.name == "[]" and isinstance(made.base, Call) and isinstance(made.base.node, ast.DictComp):
        inner, plus = _sum(made.base.args[0])
        return plus if isinstance(inner, Index) and _once_each(inner.of) else None
    inner, plus = _sum(made)
    if not isinstance(inner, Call) or inner.name != "len" or not isinstance(inner.args[0], Mapping):
        return None
    if _one_of_many(inner):
        return None
    table = inner.args[0]
    grows = any(option is made for value in table.fed or () for option in options(value))
    return len(table.items) + plus if grows else None


def _one_of_many(size: Call) -> bool:
    """True for the length of a table that is looked up by something: each of these numbers from the start, within a group."""
    of = size.node.args[0] if isinstance(size.node, ast.Call) and size.node.args else None
    return isinstance(of, ast.Subscript) and not isinstance(of.slice, ast.Constant)


def _sum(value: Value) -> tuple[Value, int]:
    """A value without the number that is added to it."""
    if isinstance(value, Call) and value.name == "+" and len(value.args) == 2:
        for inner, plus in (value.args, value.args[::-1]):
            if isinstance(plus, KnownValue) and type(plus.value) is int:
                return inner, plus.value
    return value, 0


def _once_each(value: Value | None) -> bool:
    """True for the words of some data, each once: sorted(set(words)), Counter(words).most_common(n)."""
    for _ in range(6):
        if not isinstance(value, Call):
            return False
        if isinstance(value.node, ast.SetComp) or value.last in ("set", "frozenset", "Counter", "unique"):
            return True
        value = value.base if value.base is not None else next(iter(value.args), None)
    return False


def _meeting(one: Call | Write, other: Call | Write) -> Call | Write | Frame:
    """Where the code parts that filled up one and made the other: the call in the function that has both."""
    shared = _calls(other.frame)
    return next((frame for frame in _calls(one.frame) if not any(frame is each for each in shared)), one)


def _calls(frame: Frame | None) -> list[Frame]:
    """The runs of functions around something, outermost first."""
    return [*frames_around(frame)][::-1]


def _line(at: Call | Write) -> int:
    return int(getattr(at.node, "lineno", 1))


def _place(at: Call | Write) -> str:
    return f"{at.source.path}:{_line(at)}"


def _stands(at: Call | Write) -> dict[str, Any]:
    return {"path": at.source.path, "line": _line(at)}


def shown(value: Value | Write) -> Any:
    """A value as it is told: the number, or the code that gives it."""
    if isinstance(value, KnownValue):
        return value.value
    node = getattr(value, "node", None)
    return unparse(node)[:60] if node is not None else "?"
