"""The networks of a script: its cells, the layers within them, where each is applied, and what becomes of the results.

A layer is what holds weights or changes what passes through it. Liveness is judged backwards from what a run keeps: what is
returned to code out of sight, given to calls that are not followed, stored, or asked for by a condition. What is not reached
that way is thrown away; `dropped` then looks for the place in the text where that happens, so that a value which was only
lost by this analysis is not taken for one.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial, wraps
from typing import Any, NamedTuple

from ..knowledge import api, names
from ..knowledge.methods import CELLS
from . import flow
from .analysis import Reading, Scripts
from .effects import bound_arguments
from .models import FORWARD as FORWARD
from .models import as_dict, attributes_of, contained, layer_of
from .source import Source, SourceNode
from .syntax import ancestors, kept, walk
from .values import (
    Call,
    Class,
    Frame,
    Function,
    Instance,
    Items,
    KnownValue,
    Many,
    Mapping,
    NamedValue,
    UnknownValue,
    Value,
    frames_around,
    integer_of,
    is_known,
    options,
)

#: So many layers of one network, and names on the way to one, are looked at.
LAYERS, DEEP = 4000, 16
#: Kinds of layers with a matrix of weights.
WITH_MATRIX = ("dense", "convolution", "embedding", "recurrent")
#: Cells of the framework that are not part of a network's structure.
_APART = frozenset({"optimizer", "schedule", "scaler", "callback"})
#: Kinds of calls that do nothing but give a result.
_PURE = re.compile(
    r"convolution|dense|embedding|dropout|normalization|recurrent|attention|pooling|activation|padding|layer|container|loss|"
    r"clip|gradient|statistics|overflow"
)
#: Operations of the framework that do something beyond their result, most of them marked side_effect_mem or side_effect_io there.
_EFFECTS = re.compile(
    r"(print|summary|assign|update|scatter|apply|depend|load|store|push|pull|send|receive|reduce|gather$|broadcast$|barrier|"
    r"float_?status|initialize|callback|write|inplace|put$|dump|report|queue|set_?data|copy|erase|free|index_?add|cache)",
    re.I,
)
#: Names that only training code uses.
_TRAINING = re.compile(r"optimi[sz]er|value_and_grad|GradOperation|TrainOneStep", re.I)
#: Names of what may have effects where it is not seen what it is.
_UNSURE = re.compile(
    _EFFECTS.pattern + r"|opt|grad|step|loss|scale|status|sync|reset|clear|hook|log|save|record|callback", re.I
)
_HARMLESS = re.compile(
    r"ops\.(Gather(V2|D|Nd)?|gather\w*|Reduce(Mean|Sum|Max|Min|Prod|All|Any)|reduce_\w+|BroadcastTo)"
)
_METHODS_WITH_EFFECT = re.compile(
    r"append\w*|extend|add|insert|update|push|put|set_\w+|assign_value|copy_|fill|init_data|register_\w+|write|save|log|info|"
    r"debug|warning|add_scalar|add_value|record|close|flush|send|backward|step"
)
_BUILTINS = re.compile(
    r"len|range|zip|enumerate|isinstance|int|float|bool|str|list|tuple|dict|set|sum|min|max|abs|round|sorted|reversed|"
    r"comprehension|generator|slice|getattr|hasattr|type|\*args"
)
#: Words by which people say that two places are meant to hold one thing.
SHARING = re.compile(
    r"shar(e|ed|es|ing)(?![a-z])|(?<![a-z])(un)?tie[ds]?(?![a-z])|tying|siamese|albert|same weights?|共享|共用|绑定|复用",
    re.I,
)


@dataclass(frozen=True)
class Observation(SourceNode):
    """One thing about a network, before a probe puts it into words. `certain`: nothing out of sight can change it; `possible`:
    it may well be meant; `edit`: a line and what to put in its place."""

    code: str
    source: Source
    node: ast.AST
    data: dict[str, Any] = field(default_factory=dict)
    certain: bool = True
    edit: tuple[int, str] | None = None
    possible: bool = False


def first_of_place(examine: Callable[[Scripts], Iterable[Observation]]) -> Callable[[Scripts], Iterator[Observation]]:
    """Of what is observed at one line, in one reading or another, the first."""

    @wraps(examine)
    def examined(scripts: Scripts) -> Iterator[Observation]:
        found: dict[tuple[str, int], Observation] = {}
        for one in examine(scripts):
            found.setdefault((one.source.path, one.line), one)
        yield from found.values()

    return examined


@lru_cache(maxsize=4096)
def kind(name: str) -> str:
    """The kind of an API by its canonical name: "dense", "dropout", ...; empty for what is not known."""
    found = api.find(name)
    return found.kind if found else ""


@lru_cache(maxsize=4096)  # asked of every call
def weights(name: str) -> dict[str, str | None]:
    """The parameters of a layer of the framework -> the argument that initializes each."""
    found = api.find(name)
    return found.weights if found else {}


def kind_of(value: Value | None) -> str:
    """The kind of API behind a value; empty when it is none that is known."""
    return kind(value.api) if isinstance(value, Call) else ""


def of_training(call: Call) -> bool:
    """True for a call that makes an optimizer, takes a gradient, or hands a network to what may train it."""
    return kind(call.api) in ("optimizer", "step", "gradient", "model") and call.api != "ops.stop_gradient"


def speaks_of_training(sources: Iterable[Source]) -> bool:
    """True when a line of these scripts names what learning by gradients needs, seen or not."""
    return any(_TRAINING.search(source.text) for source in sources)


def base_names(of: Class) -> list[str]:
    """The bases of a class that are not examined. A cell of a package that builds on MindSpore is one of nn."""
    found = [names.canonical(name) for name in of.beyond()]
    built_on = any(name.partition(".")[0] in names.FAMILY for name in found) and of.find("construct") is not None
    return [*found, "nn.Cell"] if built_on else found


def in_callback(frame: Frame | None) -> bool:
    """Whether a method of a callback runs, or what it calls: not the making of one."""
    nearest = next((one for one in frames_around(frame) if _is_of_callback(one.owner)), None)
    return nearest is not None and nearest.function.name != "__init__"


def _is_of_callback(owner: Value | None) -> bool:
    return isinstance(owner, Instance) and any(name.endswith("Callback") for name in base_names(owner.of))


@kept
def is_cell(of: Class) -> bool:
    """True for a class of cells that may be part of a network."""
    return any(
        name.startswith(("nn.", "mint.nn."))
        and kind(name) not in _APART
        and not re.search(r"LearningRate|Optimizer|LR$", name)
        for name in base_names(of)
    )


def is_loss(value: Value) -> bool:
    """True for a loss function, a metric, or another cell that no layer of the network is."""
    if isinstance(value, Instance):
        if any(re.search(r"Loss|Metric", name) or kind(name) == "loss" for name in base_names(value.of)):
            return True
        return (
            re.search(r"loss|criterion|metric|accuracy|print|summary|debug|optim", value.of.node.name, re.I) is not None
        )
    return kind_of(value) == "loss"


def made_by(cell: Instance, value: Value) -> bool:
    """Whether a value is made in a method of a cell, or in what that calls."""
    frame = value.frame if isinstance(value, (Call, Instance)) else None
    return any(one.owner is cell for one in frames_around(frame))


def is_layer(value: Value | None) -> bool:
    """True for a layer of the framework that holds weights."""
    return isinstance(value, Call) and value.name != "" and bool(weights(value.api))


def is_parameter(value: Value) -> bool:
    return isinstance(value, Call) and value.api == "Parameter"


_WHOLE = re.compile(r"(u?int\d*|bool_?)$")


def trains(parameter: Call) -> bool:
    """False for a parameter made with requires_grad=False, or of whole numbers, which have no gradient: a buffer rather than a weight."""
    names = ["default_input", "name", "requires_grad"]
    if is_known(parameter.argument(names, "requires_grad"), False):
        return False
    made = parameter.argument(names, "default_input")
    given = (*made.args, *made.keywords.values()) if isinstance(made, Call) else ()
    types = (value.name.rpartition(".")[2] for value in given if isinstance(value, NamedValue))
    return not any(map(_WHOLE.match, types))


def inside(value: Value) -> list[Value] | None:
    """What a list or a container of cells holds; None for what is none."""
    if isinstance(value, Many):
        return list(value.options)
    if isinstance(value, Items):
        return value.items
    if isinstance(value, Mapping):
        return list(value.items.values())
    if isinstance(value, Call):
        if value.name == "comprehension":
            return value.args[:1]
        if value.name == "*" and value.args and isinstance(value.args[0], Items):
            return value.args[0].items
        if value.name == "*args":
            return value.args[:1]
        if (by_name := as_dict(value)) is not None:
            return [by_name]
        held = contained(value)
        attributes = attributes_of(value)
        if held is not None or attributes:
            return [*([] if held is None else [held]), *([Mapping(attributes)] if attributes else [])]
    return None


@kept
def leaves(value: Value) -> list[tuple[tuple[str, ...], Value]]:
    """Each layer and parameter that holds weights within a value, with the names of attributes on the way to it, once each."""
    return list(_leaves(value, (), {}))


def _leaves(value: Value, path: tuple[str, ...], seen: dict[int, Value]) -> Iterator[tuple[tuple[str, ...], Value]]:
    """Those but for what was `seen`: held, as what a container gives is made anew each time, and the next would get its id."""
    if id(value) in seen or len(seen) > LAYERS or len(path) > DEEP:
        return
    seen[id(value)] = value
    if is_layer(value) or is_parameter(value):
        yield path, value
        return
    if isinstance(value, Instance) and (layer := layer_of(value)) is not None:
        yield path, layer
    for step, held in _held(value):
        yield from _leaves(held, (*path, *step), seen)


def _held(value: Value) -> Iterator[tuple[tuple[str, ...], Value]]:
    """What a cell or a container holds, each with the attribute or place that leads there."""
    if isinstance(value, Instance):
        if is_cell(value.of):
            yield from (((name,), held) for name, held in value.attributes.items())
            given = (held for _, args, _ in value.supers for held in args)
            yield from (((), held) for held in given if not isinstance(held, (KnownValue, UnknownValue)))
        return
    for place, held in enumerate(inside(value) or ()):
        if isinstance(value, Items) and len(value.items) > 1:
            yield (str(place),), held
        elif isinstance(value, Mapping):
            yield (str([*value.items][place]),), held
        else:
            yield (), held


def outputs(layer: Value | None) -> int | None:
    """How many outputs a layer of the framework is made with; None where that is not seen."""
    return integer_of(width_of(layer))


def width_of(layer: Value | None) -> Value | None:
    """What the number of outputs of a layer of the framework is given as."""
    given = bound_arguments(layer) if isinstance(layer, Call) else None
    names = ("out_channels", "out_features", "embedding_size", "embedding_dim")
    return next((given[name] for name in names if name in given), None) if given else None


def has_weights(value: Value) -> bool:
    """True when a value is, or holds, something with weights that are trained."""
    return any(not is_parameter(leaf) or (isinstance(leaf, Call) and trains(leaf)) for _, leaf in leaves(value))


def cells(reading: Reading) -> list[Instance]:
    """The objects of the project's own cells that the script makes; those made up for classes that nothing makes are not."""
    return [i for i in reading.trace.instances if is_cell(i.of) and not isinstance(i.node, ast.ClassDef)]


def called(of: Class) -> Function | None:
    """What runs when an object of the class is called."""
    return next((f for name in FORWARD if isinstance(f := of.find(name), Function)), None)


# --- what the text of a class says ------------------------------------------------------------------------------------


class AttributeUses(NamedTuple):
    """How the methods of a class treat the attributes of self."""

    stored: dict[str, tuple[ast.AST, Function]]
    loaded: set[str]
    patterns: list[re.Pattern[str]]
    any: bool  # some attribute is asked for by a name that is not to be seen


@kept
def uses(of: Class) -> AttributeUses:
    """Attributes of self that the methods of a class and its bases set and ask for."""
    use = AttributeUses({}, set(), [], False)
    for part in of.lineage():
        for method in part.attributes.values():
            if isinstance(method, Function) and not isinstance(method.node, ast.Lambda):
                use = _used(use, method)
    return use


def _is_name(name: str, node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _holds_all(attribute: str, method: Function) -> bool:
    """Whether an attribute holds all others, or lists the cells of a network where that is run."""
    lists = f".{attribute}" in CELLS and method.name in FORWARD
    return lists or attribute in ("__dict__", "_cells", "_params")


def _used(use: AttributeUses, method: Function) -> AttributeUses:
    """What is known so far, with what one method does."""
    anything = use.any
    given = [*method.node.args.posonlyargs, *method.node.args.args]
    own = partial(_is_name, given[0].arg if given else "self")
    for node in walk(method.node):
        if isinstance(node, ast.Attribute) and own(node.value):
            if isinstance(node.ctx, ast.Store):
                use.stored.setdefault(node.attr, (node, method))
            elif not _only_set(method, node):
                use.loaded.add(node.attr)
                anything |= _holds_all(node.attr, method)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id == "getattr" and any(map(own, node.args[:1])) and len(node.args) > 1:
                use.patterns.append(_pattern(node.args[1]))
            anything |= node.func.id in ("eval", "exec") or (node.func.id == "vars" and any(map(own, node.args[:1])))
        elif isinstance(node, ast.Subscript):
            anything |= own(node.value)
    return use._replace(any=anything)


def _is_own(targets: list[ast.expr], attribute: str) -> bool:
    """Whether an assignment sets this attribute alone, of an object that goes by a name."""
    target = targets[0] if len(targets) == 1 else None
    return isinstance(target, ast.Attribute) and target.attr == attribute and isinstance(target.value, ast.Name)


def _only_set(method: Function, node: ast.Attribute) -> bool:
    """True where an attribute is asked for only to set something on it, as in self.x.weight.requires_grad = False,
    self.x.set_train() or self.x = self.x.to_float(...)."""
    if method.name in FORWARD:
        return False
    top, *around = ancestors(method.node, node)
    for outer in around:
        chained = isinstance(outer, (ast.Attribute, ast.Subscript)) and outer.value is top
        if not chained and not (isinstance(outer, ast.Call) and outer.func is top and top is not node):
            break
        top = outer
    if isinstance(top, ast.Attribute) and isinstance(top.ctx, ast.Store):
        return True
    if isinstance(outer, ast.Assign) and top is not node:
        return outer.value is top and _is_own(outer.targets, node.attr)
    return isinstance(outer, ast.Expr) and isinstance(top, ast.Call)


def _pattern(node: ast.expr) -> re.Pattern[str]:
    """What the names that an expression may stand for look like."""

    def text(part: ast.expr) -> str:
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            return re.sub(r"%[\d.]*\w|\\\{[^}]*\}", ".*", re.escape(part.value))
        if isinstance(part, ast.JoinedStr):
            return "".join(text(value) if isinstance(value, ast.Constant) else ".*" for value in part.values)
        if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Add):
            return text(part.left) + text(part.right)
        if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Mod):
            return text(part.left)
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr == "format":
            return text(part.func.value)
        return ".*"

    return re.compile(text(node))


def asked(use: AttributeUses, name: str) -> bool:
    return name in use.loaded or use.any or any(pattern.fullmatch(name) for pattern in use.patterns)


#: What sets a finding aside (suppressing.py): it names a rule and says nothing about the code.
_OURS = re.compile(r"accucheck:\s*ignore\[[^\]\n]*\]")


def comment(source: Source, first: int, last: int | None = None, above: int = 3) -> str:
    """The comments at the lines of a statement, and those right above it."""
    lines = source.lines
    found = [line.split("#", 1)[1] for line in lines[first - 1 : last or first] if "#" in line]
    place = first - 2
    while place >= 0 and above and lines[place].strip().startswith("#"):
        found.append(lines[place].split("#", 1)[1])
        place, above = place - 1, above - 1
    return _OURS.sub("", " ".join(found))


def shared_on_purpose(source: Source, node: ast.AST, tests: Iterable[str] = ()) -> bool:
    """True when a comment at a statement, its own names, or a condition around it mention sharing."""
    first = getattr(node, "lineno", 1)
    last = getattr(node, "end_lineno", first)
    text = _OURS.sub("", " ".join(source.lines[first - 1 : last]))
    return any(SHARING.search(part.replace("_", " ")) for part in (comment(source, first, last), text, *tests))


# --- what becomes of values -------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class DroppedResult:
    """Where a result is thrown away: `how` it happens, in the statement `node` of `source`; `name` is what it was called.

    `how`: discarded (a statement by itself), unused or overwritten (a name), item (the caller takes another item), parameter
    (of a function that never asks for it).
    """

    how: str
    source: Source
    node: ast.AST
    name: str
    frame: Frame | None = None
    elsewhere: bool = False


@kept
def structure_of(reading: Reading) -> Structure:
    """A reading seen as networks, made once for all who ask."""
    return Structure(reading)


@dataclass(eq=False)
class Structure:
    """A reading seen as networks."""

    reading: Reading
    _in_cells: dict[int, bool] = field(default_factory=dict)

    @cached_property
    def cells(self) -> list[Instance]:
        return cells(self.reading)

    @cached_property
    def applied(self) -> dict[int, list[Call]]:
        """id of a layer -> the calls of it within cells."""
        found: dict[int, list[Call]] = defaultdict(list)
        for call in self.reading.trace.calls:
            if call.name == "" and isinstance(call.base, Call):
                found[id(call.base)].append(call)
        return found

    @cached_property
    def runs(self) -> dict[int, list[Frame]]:
        """id of a cell of the project -> the runs of its construct."""
        found: dict[int, list[Frame]] = defaultdict(list)
        for frame in self.reading.trace.frames:
            if isinstance(frame.owner, Instance) and frame.function.name in FORWARD:
                found[id(frame.owner)].append(frame)
        return found

    def outlasting(self) -> list[Value]:
        """What a run keeps: what it returns, tests, stores or does."""
        trace = self.reading.trace
        queue: list[Value] = []
        for frame in trace.frames:
            if frame.returned is not None and (frame.unseen or not self.in_cell(frame)):
                queue.append(frame.returned)
            queue += [test.value for test in frame.tests]
        for call in trace.calls:
            queue += [test.value for test in call.tests]
            if not self.in_cell(call.frame) or _has_effect(call):
                queue.append(call)
        queue += [store.value for store in trace.stores]
        for instance in trace.instances:
            for held in instance.attributes.values():
                queue += [part for part in _flat(held) if not _holds_weights(part)]
        return queue

    @cached_property
    def live(self) -> set[int]:
        """The ids of all values that something is made of which a run keeps."""
        queue, seen = self.outlasting(), set[int]()
        while queue:
            value = queue.pop()
            if id(value) in seen:
                continue
            seen.add(id(value))
            if not isinstance(value, Instance):
                queue += flow.inputs(value)
        return seen

    def in_cell(self, frame: Frame | None) -> bool:
        """True within a run of a cell's methods, or of functions that these call."""
        if frame is None:
            return False
        known = self._in_cells.get(id(frame))
        if known is None:
            own = isinstance(frame.owner, Instance) and is_cell(frame.owner.of)
            known = self._in_cells[id(frame)] = own or (not frame.unseen and self.in_cell(frame.parent))
        return known

    @cached_property
    def users(self) -> dict[int, list[tuple[Call, str]]]:
        return flow.users(self.reading.trace)

    @cached_property
    def executed(self) -> set[int]:
        """The ids of the syntax of all calls that were met."""
        found = {id(call.node) for call in self.reading.trace.calls}
        return found | {id(frame.node) for frame in self.reading.trace.frames}

    def dropped(self, value: Value) -> DroppedResult | None:
        """Where a value that is not kept is thrown away; None when that place is not found."""
        queue, seen, found = [value], {id(value)}, None
        while queue and len(seen) < 500:
            part = queue.pop(0)
            following = [user for user, _ in self.users.get(id(part), ()) if id(user) not in seen]
            if following:
                for user in following:
                    seen.add(id(user))
                    queue.append(user)
                continue
            if self.users.get(id(part)):
                continue  # a loop that comes back to itself
            drop = self.end(part)
            if drop is None:
                return None
            found = found or drop
        return found

    def end(self, value: Value) -> DroppedResult | None:
        """Where a value that no call uses is thrown away."""
        if not isinstance(value, Call) or value.frame is None:
            return None
        frame = value.frame
        if value.discarded:
            return DroppedResult("discarded", value.source, value.node, "", frame)
        place = _place(frame.returned, value)
        if place is not None:
            caller = frame.parent
            while caller is not None and (further := _place(caller.returned, value)) is not None:
                frame, place, caller = caller, further, caller.parent
            return self.returned(frame, place)
        if (ignored := self.ignored_by(frame, value)) is not None:
            return ignored
        statement = _statement(frame.function.node, value.node)
        name = next((name for name in _targets(statement) if name in value.bound), None) if statement else None
        return self.unused(name, statement, frame) if name is not None and statement is not None else None

    def ignored_by(self, frame: Frame, value: Value) -> DroppedResult | None:
        """A function called here that is given a value and does not read that parameter."""
        for run in self.reading.trace.frames:
            for name, given in run.parameters.items() if run.parent is frame else ():
                if any(part is value for part in _flat(given)) and not _loads(run.function.node, name):
                    return DroppedResult("parameter", run.function.source, run.function.node, name, run)
        return None

    def returned(self, frame: Frame, place: tuple[int | None, int]) -> DroppedResult | None:
        """Where the caller of a run throws away one item of what it returns, or all of it for the place None."""
        index, _ = place
        caller = frame.parent
        if caller is None:
            return None
        statement = _statement(caller.function.node, frame.node)
        if statement is None or isinstance(statement, ast.Return):
            return None
        beside = _bound_beside(statement, frame.node) if index is None else None
        return self.unused(beside, statement, caller) if beside else self.bound(frame, caller, statement, place)

    def bound(
        self, frame: Frame, caller: Frame, statement: ast.stmt, place: tuple[int | None, int]
    ) -> DroppedResult | None:
        """The same where a statement of the caller does no more than to call."""
        index, count = place
        source = caller.function.source
        if isinstance(statement, ast.Expr) and statement.value is frame.node:
            return DroppedResult("discarded", source, statement, "", caller)
        for node in walk(statement):
            if isinstance(node, ast.Subscript) and node.value is frame.node and index is not None:
                key = _index(node.slice)
                if key is not None and key % count != index:
                    return DroppedResult("item", source, statement, str(key), caller)
        if isinstance(statement, ast.Assign) and statement.value is frame.node and len(statement.targets) == 1:
            target = statement.targets[0]
            if isinstance(target, (ast.Tuple, ast.List)) and index is not None and len(target.elts) == count:
                part = target.elts[index]
                if isinstance(part, ast.Name):
                    return self.unused(part.id, statement, caller)
            if isinstance(target, ast.Name):
                unused = self.unused(target.id, statement, caller)
                if unused is not None or index is None:
                    return unused
                taken = {
                    id(n.value): key % count
                    for n in walk(caller.function.node)
                    if isinstance(n, ast.Subscript) and (key := _index(n.slice)) is not None
                }
                loads = (n for n in _mentions(caller.function.node)[target.id] if isinstance(n.ctx, ast.Load))
                if all(taken.get(id(n), index) != index for n in loads):
                    return DroppedResult("item", source, statement, target.id, caller)
        return None

    def unused(self, name: str, statement: ast.stmt, frame: Frame) -> DroppedResult | None:
        """A drop when what a statement binds to a name is not asked for afterwards."""
        function = frame.function.node
        source = frame.function.source
        if "*" in loaded(function):
            return None
        around = ancestors(function, statement)
        loop = any(isinstance(part, (ast.For, ast.While)) for part in around)
        if not loop and _overwritten(function, statement, name):
            return DroppedResult("overwritten", source, statement, name, frame)
        end = statement.end_lineno or 0, statement.end_col_offset or 0
        elsewhere = False
        for node in _mentions(function).get(name, ()):
            if isinstance(node.ctx, ast.Load) and (loop or (node.lineno, node.col_offset) >= end):
                if not self.skipped(function, around, node):
                    return None
                elsewhere = True
        return DroppedResult("unused", source, statement, name, frame, elsewhere)

    def unmet(self, function: ast.AST, name: str, remade: bool = True) -> bool:
        """Whether a name is asked for within a piece of code in a call that was not met; without `remade`, but for statements that
        only make a new value for it, as `grads = clip(grads)`."""
        for node in _mentions(function).get(name, ()):
            call = next((part for part in ancestors(function, node) if isinstance(part, ast.Call)), None)
            met = call is None or id(call) in self.executed
            if (
                isinstance(node.ctx, ast.Load)
                and not met
                and (remade or not _remakes(_statement(function, node), name))
            ):
                return True
        return "*" in loaded(function)

    def skipped(self, function: ast.AST, around: list[ast.AST], node: ast.AST) -> bool:
        """True when a node lies on a way that was never taken, and that is not among what is `around` a statement."""
        inner = node
        for outer in ancestors(function, node):
            if isinstance(outer, ast.If) and inner is not outer.test:
                body = outer.body if any(part is inner for part in outer.body) else outer.orelse
                if not any(part is other for part in body for other in around):
                    made = [n for part in body for n in walk(part) if _is_value_made(n)]
                    if made and not any(id(n) in self.executed for n in made):
                        return True
            inner = outer
        return False


def _remakes(statement: ast.stmt | None, name: str) -> bool:
    """Whether a statement gives a name, and nothing else, a value."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return bool(targets) and all(isinstance(target, ast.Name) and target.id == name for target in targets)


def _is_own_layer(call: Call) -> bool:
    """Whether an attribute of a cell that is not seen is applied within it, and by its name may be a layer."""
    func = call.node.func if isinstance(call.node, ast.Call) else None
    of_self = isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id == "self"
    return of_self and isinstance(func, ast.Attribute) and not _UNSURE.search(func.attr)


def pure(call: Call) -> bool:
    """True for a call or operator that does nothing but give its result."""
    name = call.name
    if name == "":
        base = call.base
        return isinstance(base, Call) and base.name != "" and _harmless(base)
    if name[0] == ".":
        if name in (".item", ".each"):
            return True
        owner = call.base
        return isinstance(owner, (Call, Many, Items, KnownValue)) and not _METHODS_WITH_EFFECT.fullmatch(name[1:])
    if name[0] == "@" or not (name[0].isalpha() or name[0] == "_"):
        return True
    if isinstance(call.base, UnknownValue):
        return _is_own_layer(call)
    if name in ("neg", "in", "not", "not in") or _BUILTINS.fullmatch(name):
        return True
    return _harmless(call)


def _harmless(made: Call) -> bool:
    """True for a layer or function of the framework without effects beyond its result."""
    name = made.api
    if _PURE.fullmatch(kind(name)) or _HARMLESS.fullmatch(name) or weights(name):
        return True
    if not name.startswith(("nn.", "ops.", "mint.", "mnp.", "Tensor", "numpy.")) or kind(name):
        return False
    return not _EFFECTS.search(name.rsplit(".", 1)[-1])


def _has_effect(call: Call) -> bool:
    """Whether a call does something that outlasts it, whatever becomes of its result."""
    return not pure(call) or _carried(call)


def _holds_weights(value: Value) -> bool:
    return is_layer(value) or is_parameter(value) or bool(inside(value))


def _carried(call: Call) -> bool:
    """True for a value in a loop that is bound to a name which the loop asks for: the next round may use it."""
    own = call.loops[
        len(call.frame.loops) if call.frame is not None else 0 :
    ]  # not those that its function is called in
    return bool(own) and bool(call.bound) and not loaded(own[0]).isdisjoint(call.bound)


@kept
def loaded(node: ast.AST) -> frozenset[str]:
    """The names that are asked for within a piece of code; "*" when all of them may be."""
    found = {n.id for n in walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return frozenset(found | {"*"} if found & {"locals", "vars"} else found)


def _flat(value: Value, depth: int = 0) -> Iterator[Value]:
    yield value
    if isinstance(value, (Many, Items, Mapping)) and depth < 6:
        for part in flow.inputs(value)[:200]:
            yield from _flat(part, depth + 1)


def _place(returned: Value | None, value: Value) -> tuple[int | None, int] | None:
    """Where a value stands in what a function returns, as (place, number of items); the place None for all of it."""
    for option in options(returned):
        if option is value:
            return None, 1
        if isinstance(option, Items) and not option.open:
            for index, item in enumerate(option.items):
                if any(part is value for part in _flat(item)):
                    return index, len(option.items)
    return None


def _is_value_made(node: ast.AST) -> bool:
    """Whether a value comes of a piece of code when it runs; storing into an item or attribute leaves no value to be seen."""
    stores = isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load)
    return isinstance(node, (ast.Call, ast.BinOp, ast.Subscript)) and not stores


def _statement(function: ast.AST, node: ast.AST) -> ast.stmt | None:
    """The innermost statement of a function that holds a node."""
    around = ancestors(function, node)
    return next((part for part in around if isinstance(part, ast.stmt) and part is not function), None)


def _targets(statement: ast.stmt) -> list[str]:
    parts = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return [n.id for part in parts if part is not None for n in walk(part) if isinstance(n, ast.Name)]


def _bound_beside(statement: ast.stmt, node: ast.AST | None) -> str | None:
    """The name that an expression is bound to where several are bound at once: b of `a, b = f(x), g(x)`."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    target, value = statement.targets[0], statement.value
    if not isinstance(target, ast.Tuple) or not isinstance(value, ast.Tuple) or len(target.elts) != len(value.elts):
        return None
    bound = (to for to, given in zip(target.elts, value.elts, strict=True) if given is node)
    return next((to.id for to in bound if isinstance(to, ast.Name)), None)


def _index(key: ast.expr) -> int | None:
    """The number in x[1] or x[-1]."""
    back = isinstance(key, ast.UnaryOp) and isinstance(key.op, ast.USub)
    inner = key.operand if isinstance(key, ast.UnaryOp) and back else key
    found = inner.value if isinstance(inner, ast.Constant) else None
    return None if type(found) is not int else -found if back else found


def _loads(function: ast.AST, name: str) -> bool:
    names = loaded(function)
    return name in names or "*" in names


@kept
def _mentions(function: ast.AST) -> dict[str, list[ast.Name]]:
    """The places where each name is mentioned, in the order of the text."""
    found: dict[str, list[ast.Name]] = defaultdict(list)
    for node in walk(function):
        if isinstance(node, ast.Name):
            found[node.id].append(node)
    for nodes in found.values():
        nodes.sort(key=lambda node: (node.lineno, node.col_offset))
    return found


def _overwritten(function: ast.AST, statement: ast.stmt, name: str) -> bool:
    """True when the next statement of the same block that mentions a name gives it a new value without asking for it."""
    around = ancestors(function, statement)
    end = statement.end_lineno or 0, statement.end_col_offset or 0
    following = next((n for n in _mentions(function).get(name, ()) if (n.lineno, n.col_offset) >= end), None)
    if following is None or len(around) < 2:
        return False
    path = ancestors(function, following)
    place = next((place for place, part in enumerate(path) if part is around[1]), 0)
    part = path[place - 1] if place else None
    if not isinstance(part, (ast.Assign, ast.AnnAssign)) or _branch(around[1], part) != _branch(around[1], statement):
        return False
    return not any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load) for n in walk(part))


def _branch(parent: ast.AST, node: ast.AST) -> str:
    """Which block of a statement another one stands in."""
    blocks = ("body", "orelse", "finalbody")
    return next((name for name in blocks if any(part is node for part in getattr(parent, name, ()))), "")


def _keys(value: Value | None) -> set[str]:
    """The keys under which a dict, or a dict of cells, holds layers."""
    held = value if isinstance(value, Mapping) else as_dict(value) if isinstance(value, Call) else None
    return set(map(str, held.items)) if held is not None else set()


def layer_table(scripts: Scripts) -> list[tuple[str, str, str, str]]:
    """The layers that the cells of all scripts hold themselves: class, attribute, layer, place; each place once."""
    found: dict[tuple[str, str, str, str], None] = {}
    for reading in scripts.readings:
        for cell in cells(reading):
            for path, leaf in leaves(cell):
                keys = _keys(cell.attributes.get(path[0]) if path else None)
                own = [name for place, name in enumerate(path) if not (name.isdigit() or (place and name in keys))]
                if isinstance(leaf, Call) and len(own) == 1:
                    found[cell.of.node.name, own[0], leaf.api, f"{leaf.source.path}:{leaf.line}"] = None
    return list(found)
