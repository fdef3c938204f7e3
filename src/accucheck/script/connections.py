"""How the layers of networks are connected: built and never used, used and the result thrown away, inputs that are ignored.

What the text of a class says (is an attribute asked for at all) decides about unused layers; the flow of values about results.
A result counts as thrown away only where the place of it is found.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations, islice
from typing import Any

from ..knowledge.methods import LOADS, PARAMETERS, RETURN_SELF
from . import flow, skip_connections
from .analysis import Scripts
from .effects import bound_arguments, effect, kept, name_of, operands
from .freezing import reach, scan_of
from .loss_cells import computes_loss
from .models import as_dict
from .networks import (
    FORWARD,
    AttributeUses,
    DroppedResult,
    Observation,
    Structure,
    asked,
    base_names,
    called,
    has_weights,
    is_cell,
    is_layer,
    is_loss,
    is_parameter,
    kind,
    kind_of,
    leaves,
    loaded,
    made_by,
    of_training,
    pure,
    speaks_of_training,
    structure_of,
    trains,
    uses,
    weights,
)
from .sample_numbers import is_drawn
from .source import Source
from .syntax import apart, called_name, conditions_around, unparse, walk
from .syntax import kept as kept_with_code
from .trace import Trace
from .training import role
from .values import (
    Call,
    Class,
    Frame,
    Function,
    Instance,
    Items,
    KnownValue,
    Many,
    NamedValue,
    Value,
    frames_around,
    is_known,
    options,
    parts,
    unseen,
)

#: A place in the text: path, line, column.
Place = tuple[str, int, int]
#: So many runs of one function are looked at where one is as good as another.
RUNS = 12
#: Of a dict of cells that holds more, not each is looked at by itself.
PARTS = 8
#: Names of cells that only apply an elementwise function.
_ACTIVATION = re.compile(r"relu|gelu|swish|silu|mish|sigmoid|tanh|softmax|softplus|elu$|activation|identity", re.I)
#: Names of the last layer of a network.
_OUTPUT = re.compile(r"^_?(fc|cls|class|head|logit|end_point|last_linear|out|linear|pool|score|predict|dense$)", re.I)
#: Names of an input that is added to the result.
_RESIDUAL = re.compile(r"resid|shortcut|identity|skip|input_tensor|bypass", re.I)
_WORKS = re.compile(
    r"activation|pooling|normalization|dropout|padding|layer|attention|recurrent|convolution|dense|embedding"
)
_SHAPES = re.compile(
    r"cast|flatten|one_?hot|identity|norm$|regularizer|shape|size|dtype|rank$|zeros|ones|fill|arange|range|eye$|print|^arg|"
    r"top_?k|equal|greater|less|logical|isnan|isfinite",
    re.I,
)
#: Operators that make a tensor of tensors.
_OPERATORS = frozenset("+-*/@")
#: Names of outputs that are not features: leaving them unused changes little.
_ASIDE = re.compile(
    r"label|target|(^|_)gt|true|shape|size|num|idx|index|count|length|dtype|device|zero|one|flag|loss|acc|metric|step|^i$|^[BCHWNLTD]$|epoch",
    re.I,
)
#: Kinds of layers that do nothing but give a result.
_GIVES = r"convolution|dense|embedding|dropout|normalization|recurrent|attention|pooling|activation|padding"
#: Operations that lists and arrays have in place, or that order what else is done.
_BESIDE = ("sort", "depend", "stop_gradient", "assign")
#: How much is lost with a result, most first.
_LEVELS = ("weights", "layer", "cell", "unknown", "tensor")


def examine(scripts: Scripts) -> Iterator[Observation]:
    """What is to say about the networks of all scripts, each place once."""
    structures = [structure_of(reading) for reading in scripts.readings]
    yield from _unused(structures, scripts.sources)
    yield from _unused_parts(structures)
    training = [s for s in structures if s.reading.role == "train" and s.reading.view == "train"] or structures
    told: set[Place] = set()
    for said in (
        *_dropped(training),
        *_left_out(training),
        *_ignored(training),
        *_skipped(training),
        *skip_connections.examine(training),
        *_discarded(structures),
    ):
        place = _place(said.source, said.node)
        if place not in told:
            told.add(place)
            yield said


def _place(source: Source, node: ast.AST) -> Place:
    return source.path, getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


# --- built and never used ---------------------------------------------------------------------------------------------


@dataclass
class _Attribute:
    """What a class sets and never asks for, over all its objects."""

    of: Class
    name: str
    node: ast.AST
    function: Function
    values: list[Value]
    asked: bool = False

    @property
    def defining(self) -> Class:
        """The class whose code sets it."""
        return self.function.of or self.of


#: What it may mean that something is not used; of objects that hold different things, the first counts.
_BY_WEIGHT = ("unused-layer", "unused-parameter", "unused-dropout", "unused-cell", "operator")


def _code_of_row(row: _Attribute, structures: list[Structure]) -> str | None:
    """What it means that an attribute is not used; a Dropout that would do nothing is no more than an operator."""
    found = {_code(value) for value in row.values}
    code = next((code for code in _BY_WEIGHT if code in found), None)
    if code == "unused-cell" and not _alone(row, structures):
        return None
    idle = code == "unused-dropout" and (not _in_training(row, structures) or _drops_otherwise(row, structures))
    return "operator" if idle else code


def _unasked(structures: list[Structure], sources: list[Source]) -> list[_Attribute]:
    """What the cells store and neither they nor their heirs ask for."""
    rows = [row for row in _attributes(structures, sources).values() if row.values and not row.asked]
    heirs = _heirs(sources) if rows else {}
    return [row for row in rows if not _asked_by_heir(row, heirs)]


def _unused(structures: list[Structure], sources: list[Source]) -> Iterator[Observation]:
    rows = _unasked(structures, sources)
    if not rows:
        return
    kept = _heads(rows, structures)
    untrained = not _trains(structures, sources)
    operators: dict[Place, list[_Attribute]] = defaultdict(list)
    named: set[int] = set()
    for row in rows:
        code = _code_of_row(row, structures)
        if code is None or id(row.values[0]) in named:  # told under another name
            continue
        named.add(id(row.values[0]))
        if code == "operator":
            operators[_place(row.defining.source, row.defining.node)].append(row)
            continue
        why = _harmless(code, row, untrained, id(row) in kept) if not _twin(row, row.values[0], structures) else None
        if why:
            told = {"name": row.name, "of": row.defining.node.name, "what": _title(row.values[0])}
            yield Observation(why, row.function.source, row.node, told)
        else:
            yield _unused_attribute(code, row, structures)
    for together in operators.values():
        first = together[0]
        data = {"of": first.defining.node.name, "names": sorted({"self." + row.name for row in together})}
        yield Observation("unused-operators", first.function.source, first.node, data)


def _attributes(structures: list[Structure], sources: list[Source]) -> dict[tuple[Place, str], _Attribute]:
    """What the cells store and the text of their classes does not ask for, by where it is stored."""
    found: dict[tuple[Place, str], _Attribute] = {}
    texts: dict[int, AttributeUses] = {}
    outside = _asked_outside(sources)
    for structure in structures:
        for cell in (cell for cell in structure.cells if not _opaque(cell.of)):
            use = texts.get(id(cell.of)) or uses(cell.of)
            texts[id(cell.of)] = use
            shared = _used_by_name(cell, use)
            for name in [one for one in cell.attributes if one in use.stored and not asked(use, one)]:
                node, method = use.stored[name]
                row = found.setdefault((_place(method.source, node), name), _Attribute(cell.of, name, node, method, []))
                built = [v for v in options(cell.attributes[name]) if _built_in(cell, v)]
                row.asked |= bool(cell.read & ({"*", name} if name in outside else {"*"}))
                row.asked |= any(id(v) in shared or _applied(v, structure) for v in built)
                row.values += built
    return found


def _used_by_name(cell: Instance, use: AttributeUses) -> set[int]:
    """The ids of what a cell stores and asks for: it may have a second name, by which nobody asks."""
    return {id(option) for name, value in cell.attributes.items() if asked(use, name) for option in options(value)}


def _unused_parts(structures: list[Structure]) -> Iterator[Observation]:
    """Layers in a dict of cells that are never applied, while others of the same dict are."""
    applied: set[tuple[Place, str]] = set()
    idle: dict[tuple[Place, str], Observation] = {}
    for structure in structures:
        for cell in structure.cells:
            for name, value in cell.attributes.items():
                held = _by_key(value)
                used = {key for key, part in held.items() if _applied(part, structure)}
                for key, part in held.items() if used else ():
                    place = _place(cell.of.source, cell.of.node), f"{name}[{key!r}]"
                    if key in used:
                        applied.add(place)
                    elif isinstance(part, (Call, Instance)) and part.source is not None and has_weights(part):
                        data = {"name": place[1], "of": cell.of.node.name, "what": _title(part)}
                        node = part.node or cell.of.node
                        idle.setdefault(place, Observation("unused-layer", part.source, node, data, certain=False))
    yield from (said for place, said in idle.items() if place not in applied)


def _by_key(value: Value) -> dict[Any, Value]:
    """What a dict of cells holds, where all its keys are seen, and so few that each is followed by itself."""
    given = as_dict(value) if isinstance(value, Call) else None
    return given.items if given is not None and not given.fed and len(given.items) <= PARTS else {}


def _harmless(code: str, row: _Attribute, untrained: bool, head: bool) -> str | None:
    """The code that tells an unused layer as information; None where it may be a fault."""
    if untrained:
        return "unused-untrained"
    if head:
        return "unused-tail"
    return "unused-commented" if code in ("unused-layer", "unused-parameter") and _commented(row) else None


def _commented(row: _Attribute) -> bool:
    """True when a line, or the end of one, that is commented out in the class that builds it uses a layer or parameter."""
    defining = row.function.of or row.of
    source, node = defining.source, defining.node
    uses_it = re.compile(rf"#.*\bself\.{re.escape(row.name)}\b")
    return any(uses_it.search(line) for line in source.lines[node.lineno : node.end_lineno])


def _asked_outside(sources: list[Source]) -> set[str]:
    """The attributes that are asked for of something other than self, and not only to set them up or to list what they hold."""
    return {name for source in sources for name in (*_read_outside(source), *_named_to_getattr(source))}


def _read_outside(source: Source) -> Iterator[str]:
    nodes = source.nodes_of(ast.Attribute)
    set_up = {id(node.value) for node in nodes if f".{node.attr}" in (*RETURN_SELF, *PARAMETERS)}
    for node in nodes:
        of_self = isinstance(node.value, ast.Name) and node.value.id == "self"
        if isinstance(node.ctx, ast.Load) and not of_self and id(node) not in set_up:
            yield node.attr


def _named_to_getattr(source: Source) -> Iterator[str]:
    for call in source.nodes_of(ast.Call):
        given = call.args[1:2] if isinstance(call.func, ast.Name) and call.func.id == "getattr" else []
        yield from (arg.value for arg in given if isinstance(arg, ast.Constant) and isinstance(arg.value, str))


def _cell_of(row: _Attribute, structures: list[Structure]) -> Instance:
    """A network of the class that an attribute belongs to."""
    return next(cell for structure in structures for cell in structure.cells if cell.of.node is row.of.node)


def _is_output(name: str, cell: Instance) -> bool:
    """Whether a layer is the output of a network, by its name and by what it is."""
    if _OUTPUT.search(name) is None:
        return False
    return any(kind_of(leaf) == "dense" for _, leaf in leaves(cell.attributes[name]))


def _heads(rows: list[_Attribute], structures: list[Structure]) -> set[int]:
    """The ids of rows of the last layers of a network, an output layer at their end, that other layers work on: features are
    taken before them, and they are there for a checkpoint to fit, or spare."""
    found: set[int] = set()
    backbones: dict[ast.ClassDef, bool] = {}
    for row in rows:
        stored = uses(row.of).stored
        cell = _cell_of(row, structures)
        names = [name for name in stored if name in cell.attributes and has_weights(cell.attributes[name])]
        names.sort(key=lambda name: _place(stored[name][1].source, stored[name][0]))
        unused = {other.name: other for other in rows if other.of.node is row.of.node}
        if row.name not in names or len(unused) >= len(names):
            continue
        if row.of.node not in backbones:
            backbones[row.of.node] = _within_another(cell, structures)
        if not backbones[row.of.node]:
            continue
        if _is_output(names[-1], cell) and all(name in unused for name in names[names.index(row.name) :]):
            found.add(id(row))
    return found


def _within_another(cell: Instance, structures: list[Structure]) -> bool:
    """True when what a cell of this class gives is worked on by further layers with weights: it is a backbone."""
    for structure in structures:
        given = _given_by(cell, structure)
        for calls in structure.applied.values() if given else ():
            call = calls[0]
            if call.base is None or not is_layer(call.base):
                continue
            reached = (part for arg in call.args for part in flow.sources(arg))
            if any(id(call.base) not in inner for part in reached for inner in given.get(id(part), ())):
                return True
    return False


def _given_by(cell: Instance, structure: Structure) -> dict[int, list[set[int]]]:
    """What cells of this class return, by id, each with the ids of the layers within the cell."""
    given: dict[int, list[set[int]]] = {}
    for mine in structure.cells:
        if mine.of.node is cell.of.node:
            results = (v for run in structure.runs.get(id(mine), ()) for o in options(run.returned) for v in _parts(o))
            inner = {id(leaf) for _, leaf in leaves(mine)}
            for value in islice(results, 4):
                given.setdefault(id(value), []).append(inner)
    return given


def _loads(structures: list[Structure]) -> bool:
    """True when a training script may load weights."""
    training = [s for s in structures if s.reading.role == "train"]
    return any(call.api in LOADS for s in training for call in s.reading.trace.calls)


def _trains(structures: list[Structure], sources: list[Source]) -> bool:
    """True when something in the scripts makes an optimizer, takes a gradient or hands a network to a trainer."""
    if any(of_training(call) for structure in structures for call in structure.reading.trace.calls):
        return True
    return speaks_of_training(sources) or any("trainable_params" in source.text for source in sources)


def _opaque(of: Class) -> bool:
    """True for a class that may use its attributes where that is not seen."""
    bases = base_names(of)
    if any(kind(base) == "container" and base != "nn.Cell" for base in bases):
        return True
    if any(not base.startswith(("nn.", "mint.", "object", "abc.", "typing.", "Generic")) for base in bases):
        return True
    return called(of) is None


def _heirs(sources: list[Source]) -> dict[str, list[ast.ClassDef]]:
    found: dict[str, list[ast.ClassDef]] = defaultdict(list)
    for source in sources:
        for node in source.nodes_of(ast.ClassDef):
            for base in node.bases:
                name = base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "")
                found[name].append(node)
    return found


def _asked_by_heir(row: _Attribute, heirs: dict[str, list[ast.ClassDef]]) -> bool:
    """True when another class that derives from the one that builds it asks for it."""
    defining = row.function.of or row.of
    queue, seen = [defining.node.name], set()
    while queue:
        name = queue.pop()
        if name in seen:
            continue
        seen.add(name)
        for heir in heirs.get(name, ()):
            queue.append(heir.name)
            for node in walk(heir):
                if isinstance(node, ast.Attribute) and node.attr == row.name and isinstance(node.ctx, ast.Load):
                    return True
    return False


def _built_in(cell: Instance, value: Value) -> bool:
    """True when something with weights, or else a layer, within a value was made by the cell's own __init__."""
    if isinstance(value, (Call, Instance)) and not isinstance(value, Items):
        return made_by(cell, value)
    return any(made_by(cell, leaf) for _, leaf in leaves(value))


def _applied(value: Value, structure: Structure) -> bool:
    """True when something is seen to be called, by whatever name."""
    if isinstance(value, Instance):
        return any(not run.unseen for run in structure.runs.get(id(value), ()))
    return any(id(leaf) in structure.applied for _, leaf in leaves(value)) or id(value) in structure.applied


def _is_trained_matrix(value: Value) -> bool:
    return isinstance(value, Call) and trains(value) and _matrix(value)


def _is_layered(value: Value) -> bool:
    """Whether something with weights is more than a parameter by itself."""
    return isinstance(value, Instance) or any(not is_parameter(leaf) for _, leaf in leaves(value))


def _code(value: Value) -> str | None:
    """What it means when a value is built and not used."""
    if is_parameter(value):
        return "unused-parameter" if _is_trained_matrix(value) else None
    if is_loss(value):
        return "operator"
    if has_weights(value):
        return "unused-layer" if _is_layered(value) else None
    if isinstance(value, Call):
        if kind_of(value) == "dropout" and _drops(value):
            return "unused-dropout"
        return "operator" if value.api.startswith(("nn.", "ops.", "mint.")) else None
    if isinstance(value, Instance) and is_cell(value.of) and called(value.of) is not None:
        return "unused-cell" if _block(value) else "operator"
    return None


def _block(cell: Instance) -> bool:
    """True for a cell without weights that is a step of a network rather than one operation: it is made of other cells."""
    if _ACTIVATION.search(cell.of.node.name):
        return False
    for held in cell.attributes.values():
        for value in options(held):
            if isinstance(value, Instance) and is_cell(value.of) and not is_loss(value):
                return True
            inner = value.api if isinstance(value, Call) else ""
            if kind(inner) in ("dropout", "pooling", "normalization") and inner.startswith(("nn.", "mint.nn.")):
                return True
    return False


def _alone(row: _Attribute, structures: list[Structure]) -> bool:
    """True when no object of the class of an unused cell is ever applied, and what holds it holds weights too."""
    places = {_place(v.of.source, v.of.node) for v in row.values if isinstance(v, Instance)}
    for structure in structures:
        for cell in structure.cells:
            runs = structure.runs.get(id(cell), ())
            if _place(cell.of.source, cell.of.node) in places and not all(run.unseen for run in runs):
                return False
    return any(has_weights(cell) for s in structures for cell in s.cells if cell.of.node is row.of.node)


def _matrix(parameter: Call) -> bool:
    """True for a parameter that is seen to have several axes, by the size that what it begins with is made in."""
    made = [part for part in flow.sources_of(parameter.args[:1]) if isinstance(part, Call)]
    given = [value for call in made for value in (*call.args, *call.keywords.values())]
    sizes = [value for value in given if isinstance(value, Items) and not value.open]
    return any(len(size.items) > 1 for size in sizes) or any(map(_is_drawn_in_axes, made))


def _is_drawn_in_axes(made: Call) -> bool:
    """Whether a call is given several sizes side by side, as rand(3, 4) is."""
    numbers = [arg for arg in made.args if isinstance(arg, KnownValue) and type(arg.value) is int]
    known = effect(made)
    return known is not None and known.new and len(made.args) == len(numbers) > 1


def _drops(layer: Call) -> bool:
    """False for a dropout whose rate is 0."""
    given = bound_arguments(layer) or {}
    rate, keep = given.get("p"), given.get("keep_prob")
    if isinstance(rate, KnownValue):
        return bool(rate.value != 0)
    return not (isinstance(keep, KnownValue) and keep.value == 1)


def _drops_otherwise(row: _Attribute, structures: list[Structure]) -> bool:
    """Whether construct gives something else the rate that an unused dropout is made with, out of another attribute."""
    given = [value for made in row.values if isinstance(made, Call) for value in (*made.args, *made.keywords.values())]
    rates = {id(part) for value in given for part in flow.sources(value)}
    cells = (cell for structure in structures for cell in structure.cells if cell.of.node is row.of.node)
    held = {name for cell in cells for name, value in cell.attributes.items() if id(value) in rates}
    return any(isinstance(part, ast.Attribute) and part.attr in held for part in _arguments(called(row.of)))


def _arguments(method: Function | None) -> Iterator[ast.expr]:
    """What a method gives to all that it calls."""
    for node in walk(method.node) if method is not None else ():
        if isinstance(node, ast.Call):
            yield from (*node.args, *(keyword.value for keyword in node.keywords))


def _unused_attribute(code: str, row: _Attribute, structures: list[Structure]) -> Observation:
    value = next(v for v in row.values if _code(v) == code)
    defining = row.function.of or row.of
    data: dict[str, Any] = {"name": row.name, "of": defining.node.name, "what": _title(value)}
    source = row.function.source
    twice = _twin(row, value, structures) if code == "unused-layer" else None
    if twice is None:
        meant = _named_nearby(row) or _made_for_it(value, structures) or _missed(row, value, structures)
        spare = code == "unused-layer" and not meant
        return Observation(
            code, source, row.node, data, certain=code not in ("unused-cell", "unused-layer"), possible=spare
        )
    twin, calls, where = twice
    data |= {"twin": twin, "lines": sorted({call.lineno for call in calls})}
    last = max(calls, key=lambda call: (call.lineno, call.col_offset))
    alike = len({ast.unparse(call) for call in calls}) == 1 and _same_input(where, calls)
    sure = alike or _near(twin, row.name) or _others_once(row, value, twin, structures)
    meant = sure or _named_alike(twin, row.name, calls)
    edit = _swap(where, row.name, twin, calls)
    return Observation("twin-used-twice", where, last, data, sure, edit=edit, possible=not meant)


def _same_input(source: Source, calls: list[ast.Call]) -> bool:
    """Whether two calls that read alike stand in one block with no new value for what they name in between: both give the same."""
    first, second = sorted(calls, key=lambda call: (call.lineno, call.col_offset))
    named = {node.id for node in walk(first) if isinstance(node, ast.Name)}
    return not any(
        isinstance(node.ctx, ast.Store) and node.id in named and first.lineno <= node.lineno <= second.lineno
        for node in source.nodes_of(ast.Name)
    )


def _named_nearby(row: _Attribute) -> bool:
    """True when construct mentions what an unused layer is called after, in a variable or in the name of another layer that it
    uses: position, tok_embed beside pos_embed."""
    method = called(row.of)
    if method is None:
        return False
    names = {node.id for node in walk(method.node) if isinstance(node, ast.Name)}
    names |= {node.attr for node in walk(method.node) if isinstance(node, ast.Attribute)}
    names |= {part.arg for part in method.node.args.args}
    mine = _words(row.name)
    return bool(mine & {word for name in names - {"self"} for word in _words(name)})


def _missed(row: _Attribute, value: Value, structures: list[Structure]) -> bool:
    """True for a normalisation that is always made, of the one sort that its class has, while there is a further layer for each
    of them to follow, or nothing else with weights: it is neither an alternative nor left over."""
    if kind_of(value) != "normalization" or any(conditions_around(row.function.node, row.node)):
        return False
    cell = next(cell for s in structures for cell in s.cells if cell.of.node is row.of.node)
    held = [o for held in cell.attributes.values() for o in options(held)[:1] if _may_hold_weights(o)]
    norms = [one for one in held if kind_of(one) == "normalization"]
    others = len(held) - len(norms)
    return all(_title(norm) == _title(value) for norm in norms) and len(norms) <= max(others, 1)


def _may_hold_weights(value: Value) -> bool:
    """True for what holds weights, and for an object of a class that is not examined; a parameter by itself is none."""
    beyond = (
        isinstance(value, Call)
        and value.base is None
        and value.last[:1].isupper()
        and not value.name.startswith("mindspore.")
    )
    return not is_parameter(value) and (beyond or has_weights(value))


def _words(name: str) -> set[str]:
    """The parts of a name, but for numbers and single letters."""
    return {word for word in re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()) if len(word) > 2}


def _made_for_it(value: Value, structures: list[Structure]) -> bool:
    """True for an object of a class of the project of which none is ever applied."""
    if not isinstance(value, Instance):
        return False
    place = _place(value.of.source, value.of.node)
    alike = [(s, cell) for s in structures for cell in s.cells if _place(cell.of.source, cell.of.node) == place]
    return all(run.unseen for s, cell in alike for run in s.runs.get(id(cell), ()))


def _title(value: Value) -> str:
    if isinstance(value, Instance):
        return value.of.node.name
    if isinstance(value, Call):
        return value.api
    inner = next((leaf for _, leaf in leaves(value)), None)
    return "" if inner is None else _title(inner)


def _in_training(row: _Attribute, structures: list[Structure]) -> bool:
    """True when a training script builds the class: elsewhere a dropout that is left out drops no less than one that is applied."""
    return any(cell.of.node is row.of.node for s in structures if s.reading.role == "train" for cell in s.cells)


def _twin(row: _Attribute, value: Value, structures: list[Structure]) -> tuple[str, list[ast.Call], Source] | None:
    """A layer of the same kind beside an unused one, by its name or made with the same arguments, that is called at two places of
    construct."""
    method = called(row.of)
    if method is None or not method.node.args.args:
        return None
    calls = _calls(method)
    for structure in structures:
        for cell in structure.cells:
            if cell.of.node is not row.of.node:
                continue
            for name, other in cell.attributes.items():
                if (
                    name != row.name
                    and len(calls[name]) == 2
                    and not apart(method.node, *calls[name])
                    and _title(other) == _title(value)
                    and (_near(name, row.name) or _made_alike(other, value))
                ):
                    return name, calls[name], method.source
    return None


def _calls(method: Function) -> dict[str, list[ast.Call]]:
    """The places where a method calls each attribute of its object."""
    first = method.node.args.args[0].arg
    calls: dict[str, list[ast.Call]] = defaultdict(list)
    for node in walk(method.node):
        func = node.func if isinstance(node, ast.Call) else None
        if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id == first:
            calls[func.attr] += [node] if isinstance(node, ast.Call) else []
    return calls


def _others_once(row: _Attribute, value: Value, twin: str, structures: list[Structure]) -> bool:
    """True when at least two further layers are made like an unused one and the one that is called twice, and each of them is
    called once, or once on each way: there is a call for each layer."""
    method = called(row.of)
    cell = next(cell for s in structures for cell in s.cells if cell.of.node is row.of.node)
    alike = {name for name, other in cell.attributes.items() if _made_alike(other, value)} - {row.name, twin}
    if method is None or len(alike) < 2:
        return False
    calls = _calls(method)
    pairs = (pair for name in alike for pair in combinations(calls.get(name, ()), 2))
    return all(calls.get(name) for name in alike) and all(apart(method.node, *pair) for pair in pairs)


def _made_alike(one: Value, other: Value) -> bool:
    """Whether two layers with weights are made with the same arguments, none of which is left out of sight."""
    if not (isinstance(one, Call) and isinstance(other, Call) and has_weights(one)):
        return False
    mine, others = ([*made.args, *(made.keywords[key] for key in sorted(made.keywords))] for made in (one, other))
    return len(mine) == len(others) and one.keywords.keys() == other.keywords.keys() and all(map(_same, mine, others))


def _same(one: Value, other: Value) -> bool:
    return one is other or (isinstance(one, KnownValue) and isinstance(other, KnownValue) and one.value == other.value)


def _near(one: str, other: str) -> bool:
    """True for names of siblings: query and key, conv1 and conv2, W_Q and W_K."""
    roles = {"query", "key", "value", "q", "k", "v"}
    stem, twin = (re.sub(r"\d+", "#", name.lower()) for name in (one, other))
    if stem == twin:
        numbers, others = (re.findall(r"\d+", name) for name in (one, other))
        return sum(abs(int(n) - int(m)) for n, m in zip(numbers, others, strict=True)) == 1
    parts, others = re.split(r"[_#]+", stem), re.split(r"[_#]+", twin)
    different = [pair for pair in zip(parts, others, strict=False) if pair[0] != pair[1]]
    return len(parts) == len(others) and len(different) == 1 and {*different[0]} <= roles


def _named_alike(twin: str, unused: str, calls: list[ast.Call]) -> bool:
    """True when what a layer is given at its two calls differs in its name as the two layers do: left(x_left), left(x_right), with
    right unused."""
    given = [[ast.unparse(argument) for argument in call.args] for call in calls]
    pairs = zip(*given, strict=False)
    return (apart_by := _different_words(twin, unused)) is not None and any(
        _different_words(one, other) in (apart_by, apart_by[::-1]) for one, other in pairs
    )


def _different_words(one: str, other: str) -> tuple[str, str] | None:
    """The words in which two names differ, where it is one of each."""
    words, others = (re.findall(r"[a-z0-9]+", name.lower()) for name in (one, other))
    different = [pair for pair in zip(words, others, strict=False) if pair[0] != pair[1]]
    return different[0] if len(words) == len(others) and len(different) == 1 else None


def _swap(source: Source, unused: str, twin: str, calls: list[ast.Call]) -> tuple[int, str] | None:
    """The line with the unused layer in the place of its twin, where the name that the result gets says which call is meant."""
    fitting = []
    for call in calls:
        line = source.lines[call.lineno - 1]
        target = line.split("=", 1)[0].lower() if "=" in line else ""
        words = set(re.split(r"[^a-z0-9]+|_", target))
        marks = {unused.lower(), unused.lower().split("_")[-1]} - {twin.lower()}
        if marks & words and line.count(f"self.{twin}(") == 1:
            fitting.append((call.lineno, line.replace(f"self.{twin}(", f"self.{unused}(")))
    return fitting[0] if len(fitting) == 1 else None


# --- used, and the result thrown away ---------------------------------------------------------------------------------


@dataclass
class _WeightedCall:
    """A call of something with weights within a cell, over all its runs: what it gave, and whether that was kept."""

    name: str
    what: str
    call: ast.AST
    source: Source
    level: str
    results: list[tuple[Structure, Frame, Value]] = field(default_factory=list)
    parts: list[Value] = field(default_factory=list)  # what it is applied
    inputs: set[tuple[str | int, ...]] = field(default_factory=set)  # what is applied to what, in each of its runs
    kept: bool = False

    @property
    def frames(self) -> list[Frame]:
        return [frame for _, frame, _ in self.results]


def _dropped(structures: list[Structure]) -> Iterator[Observation]:
    works = _works(structures)
    dead = [work for work in works.values() if not (work.kept or all(map(_evaluates_alone, work.frames)))]
    used = {id(part) for work in works.values() if work.kept for part in work.parts}
    lost = {id(work.call) for work in dead if work.level == "weights"}
    told: set[Place] = set()
    for work in sorted(dead, key=lambda work: _LEVELS.index(work.level)):
        drops = []
        for structure, frame, value in work.results:
            drop = structure.dropped(value)
            if drop is None or (not _by_itself(drop, frame) and _inside(frame, lost - {id(work.call)})):
                break
            drops.append((structure, drop, frame))
        else:
            end = _place(drops[0][1].source, drops[0][1].node) if drops else None
            if end is not None and end not in told:  # one chain of results ends at one place
                _, drop, frame = drops[0]
                idle = not _mentions(frame.function.node, drop.name)  # on no way, not even one that is not run
                again = _again(work, works.values()) if idle else None
                for said in _dropped_result(work, *drops[0], any(id(part) in used for part in work.parts)):
                    told.add(end)
                    yield said if again is None else _computed_again(said, again)


def _again(work: _WeightedCall, works: Iterable[_WeightedCall]) -> _WeightedCall | None:
    """Another call that computes the same of the same values in all runs, and whose results are kept."""
    return next((other for other in works if other.kept and work.inputs <= other.inputs), None)


def _computed_again(said: Observation, again: _WeightedCall) -> Observation:
    """A dropped result does no harm where another call computes the same from the same values and its result is kept."""
    data = {"name": said.data["name"], "path": again.source.path, "line": getattr(again.call, "lineno", 1)}
    return replace(said, code="result-again", data=data)


class _Numbering:
    """Numbers values so that equal computations of equal values get one number, whether a layer is applied once more or again."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._found: dict[tuple[Any, ...], int] = {}

    def see(self, call: Call) -> None:
        """Calls are seen in the order of running, so that those numbered before it are its operands."""
        key: tuple[Any, ...] = (id(call),)
        if call.result is not None:
            key = ("result", self.of(call.result))
        elif call.name == "":
            key = ("applied", *self.inputs(call.base or "", (*call.args, *call.keywords.values())))
        self._numbers[id(call)] = self._found.setdefault(key, id(call))

    def of(self, value: Value) -> int:
        return self._numbers.get(id(value), id(value))

    def inputs(self, applied: Value | str, values: Iterable[Value]) -> tuple[str | int, ...]:
        """Names one computation: what is applied, and to which values."""
        first = applied if isinstance(applied, str) else self.of(applied)
        given = [part for value in values for part in (value.items if isinstance(value, Items) else [value])]
        return (first, *(repr(value.value) if isinstance(value, KnownValue) else self.of(value) for value in given))


def _by_itself(drop: DroppedResult, frame: Frame) -> bool:
    """True for a call that is a statement: its result is lost whatever becomes of that of the cell around it."""
    return drop.how == "discarded" and drop.frame is frame


def _works(structures: list[Structure]) -> dict[Place, _WeightedCall]:
    found: dict[Place, _WeightedCall] = {}
    numbering = _Numbering()
    for structure in structures:
        _add_calls(found, structure, numbering)
        _add_cells(found, structure, numbering)
    return found


def _add_calls(found: dict[Place, _WeightedCall], structure: Structure, numbering: _Numbering) -> None:
    """Add what a network computes by layers and functions."""
    if not any(map(_forward, structure.reading.trace.frames)):
        return
    for call in structure.reading.trace.calls:
        numbering.see(call)
        frame = call.frame
        if frame is None or not _forward(frame):
            continue
        level = _level(call, structure.reading.trace)
        if level is None or (level == "tensor" and not (call.bound or id(call) in structure.live)):
            continue
        what = call.base.api if isinstance(call.base, Call) else ""
        work = _WeightedCall(_called_as(call.node, call), what, call.node, call.source, level)
        work = found.setdefault(_place(call.source, call.node), work)
        work.results.append((structure, frame, call))
        work.parts += [call.base] if isinstance(call.base, Call) else []
        work.inputs.add(numbering.inputs(call.base or call.name, (*call.args, *call.keywords.values())))
        work.kept |= id(call) in structure.live


def _add_cells(found: dict[Place, _WeightedCall], structure: Structure, numbering: _Numbering) -> None:
    """Add what a network computes by cells of the project."""
    for run in structure.reading.trace.frames:
        cell, within = run.owner, run.parent
        if run.unseen or within is None or not _forward(within):
            continue
        if not isinstance(cell, Instance) or run.function.name not in FORWARD or not is_cell(cell.of) or is_loss(cell):
            continue
        level = "weights" if has_weights(cell) else "cell"
        work = _WeightedCall(_called_as(run.node, cell), cell.of.node.name, run.node, run.source, level)
        work = found.setdefault(_place(run.source, run.node), work)
        work.parts.append(cell)
        work.inputs.add(numbering.inputs(cell, run.parameters.values()))
        parts = [part for option in options(run.returned) for part in _parts(option)]
        work.kept |= not parts or any(id(part) in structure.live for part in parts)
        work.results += [(structure, within, part) for part in parts]


def _level(call: Call, trace: Trace) -> str | None:
    """What is lost with the result of a call: that of "weights", of a "layer" without, of something "unknown"; None for a
    call that is of no interest."""
    base = call.base
    if call.name == "" and isinstance(base, Call):
        return _level_of_object(call, base, trace)
    if (isinstance(base, Call) and _computes(call, base)) or _multiplies_weights(call):
        return "weights"
    func = call.node.func if isinstance(call.node, ast.Call) else None
    own = isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id == "self"
    if own and not isinstance(base, Instance) and call.name[:1] != "." and pure(call):
        return "unknown"
    if call.name not in _OPERATORS and not (call.api.startswith(("ops.", "mint.", "mnp.")) and pure(call)):
        return None
    constant = all(isinstance(arg, KnownValue) for arg in call.args) or _of_sizes(call, trace)
    collects = call.name == "+" and any(isinstance(o, Items) for arg in call.args for o in options(arg))
    return None if constant or collects or _of_text(call) or _SHAPES.search(call.last) else "tensor"


def _multiplies_weights(call: Call) -> bool:
    """Whether a function of the framework, or an operator, multiplies something with a trained parameter."""
    known = effect(call)
    product = known is not None and known.operation in ("matmul", "mul")
    return product and any(
        is_parameter(one) and isinstance(one, Call) and trains(one) for one in operands(call, (0, 1))
    )


def _level_of_object(call: Call, made: Call, trace: Trace) -> str | None:
    """The same where an object of the framework is called."""
    if is_layer(made) or (_takes_weights(call) and pure(call)):
        return "weights"
    if _SHAPES.search(made.last):
        return None
    if _WORKS.fullmatch(kind_of(made)):
        return "layer"
    return "tensor" if made.api.startswith(("ops.", "mint.")) and pure(call) and not _of_sizes(call, trace) else None


def _takes_weights(call: Call) -> bool:
    return any(is_parameter(arg) and isinstance(arg, Call) and trains(arg) for arg in call.args)


def _of_sizes(call: Call, trace: Trace) -> bool:
    """True for what is computed from sizes and constants alone, as an index: neither numbers of the data nor weights go into it."""
    sized, of_data = _sized(trace)
    return id(call) in sized and id(call) not in of_data


@kept_with_code
def _sized(trace: Trace) -> tuple[set[int], set[int]]:
    """The ids of what is computed from sizes, and of what is from data or weights otherwise than by a size of these."""
    values, made = flow.values_of(trace), flow.made_of(trace)
    of_data = set[int]()
    queue = [value for value in values if _is_data(value)]
    while queue:
        part = queue.pop()
        if id(part) not in of_data:
            of_data.add(id(part))
            queue += () if _is_size(part) else made.get(id(part), ())
    return flow.made_from(trace, filter(_is_size, values)), of_data


def _is_data(value: Value) -> bool:
    """True for what holds numbers of the data or weights, as far as it is not computed of others."""
    if _is_size(value) or isinstance(value, (KnownValue, NamedValue, Items, Many)):
        return False
    made = isinstance(value, Call) and not (is_layer(value) or is_parameter(value) or is_drawn(value))
    return not (made and _is_computed(value))


def _is_size(value: Value) -> bool:
    known = effect(value) if isinstance(value, Call) else None
    return known is not None and known.operation == "size"


def _is_computed(value: Value) -> bool:
    """True for the result of something that is given operands, and for an operator of the framework."""
    return bool(flow.inputs(value)) or (isinstance(value, Call) and value.api.startswith(("ops.", "mint.")))


def _of_text(call: Call) -> bool:
    """True for what puts texts together, such as the name of a layer."""
    texts = (o for arg in call.args for o in options(arg) if isinstance(o, KnownValue) and isinstance(o.value, str))
    return call.name in _OPERATORS and next(texts, None) is not None


def _computes(call: Call, used: Call) -> bool:
    """True for a call that works with the values of a trained parameter."""
    return (
        is_parameter(used)
        and trains(used)
        and (call.name in (".item", "[]") or call.last in ("matmul", "mul", "gather", "dot"))
    )


def _parts(value: Value) -> list[Value]:
    """The single results that a function returned; values that are not results of calls count as kept."""
    if isinstance(value, Items):
        return [part for item in value.items for option in options(item) for part in _parts(option)]
    return [value] if isinstance(value, Call) else []


def _forward(frame: Frame) -> bool:
    """True within a run of a cell's construct, or of a method that it calls."""
    return isinstance(frame.owner, Instance) and is_cell(frame.owner.of) and frame.function.name != "__init__"


def _inside(frame: Frame, calls: set[int]) -> bool:
    """True when a frame lies within one of these calls, by the ids of their syntax."""
    return any(id(one.node) in calls for one in frames_around(frame))


def _called_as(node: ast.AST, value: Value) -> str:
    func = node.func if isinstance(node, ast.Call) else getattr(node, "value", None)
    if isinstance(node, (ast.BinOp, ast.UnaryOp)):
        return " ".join(unparse(node).split())[:80]
    text = unparse(func) if isinstance(func, (ast.Attribute, ast.Name)) else ""
    return text or _title(value)


def _evaluates_alone(frame: Frame) -> bool:
    """True in a method for evaluation that construct does not run: what is left over there changes no training."""
    runs = [*frames_around(frame)]
    if any(run.function.name in FORWARD for run in runs):
        return False
    return role([run.function.name for run in runs if _forward(run)]) == "eval"


def _on_a_way(frame: Frame) -> bool:
    """True for a method that construct runs only under a condition, or is not seen to run at all."""
    run: Frame | None = frame
    while run is not None and run.function.name not in FORWARD:
        if run.under or run.unseen:
            return True
        run = run.parent
    return False


def _reads(value: Value) -> bool:
    """True for a part that is read from a parameter."""
    return isinstance(value, Call) and value.name in (".item", "[]")


def _dropped_result(
    work: _WeightedCall, structure: Structure, drop: DroppedResult, frame: Frame, elsewhere: bool
) -> Iterator[Observation]:
    """`elsewhere`: other results of the same layer are kept."""
    here = drop.frame is not None and drop.frame.function.node is frame.function.node
    data: dict[str, Any] = {
        "name": work.name or work.what,
        "what": work.what,
        "result": drop.name,
        "path": drop.source.path,
        "line": getattr(drop.node, "lineno", 1),
    }
    named = bool(drop.name.strip("_"))
    aside = work.level != "layer" and (_ASIDE.search(drop.name) is not None or not _matters(frame))
    if work.level != "weights" and (drop.elsewhere or aside):  # a way that was not taken asks for it
        return
    certain = work.level in ("weights", "layer") and not _on_a_way(frame)
    if here and drop.how in ("unused", "overwritten") and named:
        last = (
            work.what == "nn.Dense" and _OUTPUT.search(work.name.rsplit(".", 1)[-1]) is not None and _loads([structure])
        )
        code = "result-tail" if last else "result-" + drop.how
        code = "result-perhaps-replaced" if work.level == "tensor" and drop.how == "overwritten" else code
        yield Observation(code, work.source, work.call, data, certain, possible=_only_arranges(work))
    elif work.level != "weights":
        return
    elif drop.how == "parameter":
        if all(_reads(value) for _, _, value in work.results):  # nothing is computed
            return
        data["callee"] = getattr(drop.node, "name", "")
        yield Observation("result-ignored", work.source, work.call, data)
    elif (
        here
        and drop.how == "discarded"
        and _keeps_statistics(work.parts)
        and not _idle_norm(structure, work, elsewhere)
    ):
        return
    elif here:
        code = "result-discarded" if drop.how == "discarded" else "result-underscore"
        yield Observation(code, work.source, work.call, data)
    elif not elsewhere:
        asked = _asked_for(structure, work, frame)
        yield Observation("asked-and-dropped" if asked else _in_caller(drop), work.source, work.call, data)


def _in_caller(drop: DroppedResult) -> str:
    named = bool(drop.name.strip("_"))
    return "caller-unread" if named and drop.how == "unused" else "caller-drops"


def _only_arranges(work: _WeightedCall) -> bool:
    """True for what only puts elements into other places, as a concatenation: nothing that was computed is lost with it."""
    if work.level != "tensor":
        return False
    return all(isinstance(value, Call) and kept(value, "same", "order", "values") for _, _, value in work.results)


def _matters(frame: Frame) -> bool:
    """True within a cell that holds weights and is not a loss."""
    return isinstance(frame.owner, Instance) and has_weights(frame.owner) and not computes_loss(frame)


#: How the statistics of a normalisation are called in each API.
_STATISTICS = re.compile("moving|running")


def _keeps_statistics(used: list[Value]) -> bool:
    """True when a call changes something beyond its result: the moving statistics of a normalisation."""
    found = [leaf for value in used for _, leaf in leaves(value) if isinstance(leaf, Call)]
    return any(_STATISTICS.search(name) for leaf in found for name in weights(leaf.api))


def _idle_norm(structure: Structure, work: _WeightedCall, elsewhere: bool) -> bool:
    """True for a normalisation by itself of which nothing is taken: neither a result, `elsewhere`, nor its statistics, which a script
    may have set itself."""
    if elsewhere or not all(isinstance(part, Call) and is_layer(part) for part in work.parts):
        return False
    used = {id(part) for part in work.parts}
    read = ((made.base, made.name.removeprefix("@")) for made in _all_given(structure) if made.name[:1] == "@")
    own = ((store.owner, store.attribute) for store in structure.reading.trace.stores)
    return not any(id(layer) in used and _STATISTICS.match(name) for layer, name in (*read, *own))


def _all_given(structure: Structure) -> Iterator[Call]:
    """What calls are given, and what objects and the callers of functions get."""
    trace = structure.reading.trace
    for call in trace.calls:
        for value in (call.base, *call.args, *call.keywords.values()):
            yield from parts(value)
    for held in (*(store.value for store in trace.stores), *(frame.returned for frame in trace.frames)):
        yield from parts(held)


def _is_switched_on(value: Value | None) -> bool:
    """Whether a flag is given as True, and not by a default that may be another one."""
    return is_known(value, True) and not value.assumed


def _names_in(test: ast.AST) -> Iterator[str]:
    """The names and attributes that a condition reads."""
    for part in walk(test):
        if isinstance(part, (ast.Name, ast.Attribute)):
            yield part.id if isinstance(part, ast.Name) else part.attr


def _asked_for(structure: Structure, work: _WeightedCall, frame: Frame) -> bool:
    """True when what is thrown away was switched on by an argument of the very call that made the cell."""
    cell = frame.owner
    func = work.call.func if isinstance(work.call, ast.Call) else None
    if not isinstance(cell, Instance) or not isinstance(func, ast.Attribute):
        return False
    stored = uses(cell.of).stored.get(func.attr)
    if stored is None:
        return False
    node, method = stored
    names = {name for test in conditions_around(method.node, node) for name in _names_in(test)}
    for run in structure.reading.trace.frames:
        if run.owner is cell and run.function.name == "__init__" and isinstance(run.node, ast.Call):
            order = [part.arg for part in method.node.args.args][1:]
            given = {*order[: len(run.node.args)], *(keyword.arg for keyword in run.node.keywords)}
            for name in names & given:
                value = run.parameters.get(name)
                if _is_switched_on(value):
                    return True
    return False


# --- inputs that are not used -----------------------------------------------------------------------------------------


def _ignored(structures: list[Structure]) -> Iterator[Observation]:
    """Parameters of construct that are never asked for, though what another input was made of is given for them, or what layers gave
    that goes nowhere else."""
    found: dict[tuple[Place, str], Observation | None] = {}
    looked: dict[tuple[Place, str], int] = defaultdict(int)
    for structure, frame in _forwards(structures):
        function = frame.function
        for name, value in frame.parameters.items():
            if value is frame.owner or name.startswith("_") or _mentions(function.node, name):
                continue
            key = _place(function.source, function.node), name
            looked[key] += 1
            if looked[key] > RUNS or (key in found and found[key] is None):
                continue
            alone = _goes_nowhere_else(structure, value)
            if not alone and not _made_of_another(frame, name, value):
                found[key] = None
            elif key not in found:
                found[key] = _ignored_parameter(structures, frame, name, value, alone)
    yield from (said for said in found.values() if said is not None)


def _forwards(structures: list[Structure]) -> Iterator[tuple[Structure, Frame]]:
    """What each cell computes when it is called, losses and functions without a visible caller left out."""
    for structure in structures:
        for frame in structure.reading.trace.frames:
            called = not frame.unseen and _forward(frame) and frame.function.name in FORWARD
            if called and frame.owner is not None and not is_loss(frame.owner):
                yield structure, frame


def _goes_nowhere_else(structure: Structure, value: Value) -> bool:
    """Whether layers gave a value of which no loss has anything: whatever they learn is lost."""
    used = _used_by_losses(structure)
    given = [reach(option, stop=False)[0] for option in options(value) if isinstance(option, Call)]
    return bool(used) and bool(given) and all(layers - used for layers in given)


@kept_with_code
def _used_by_losses(structure: Structure) -> frozenset[int]:
    """The ids of the layers and parameters that losses are computed with."""
    losses = (step.loss for step in scan_of(structure).steps)
    return frozenset[int]().union(*(reach(loss, stop=False)[0] for loss in losses))


def _made_of_another(frame: Frame, name: str, value: Value) -> bool:
    """Whether what is given for a parameter is computed from another one, which holds what a layer gave."""
    others = (other for n, other in frame.parameters.items() if n != name)
    others = (other for other in others if other is not frame.owner and other is not value)
    given = (value, *options(value))
    return any(_activation(other) for other in others if any(flow.derives(other, part) for part in given))


def _ignored_parameter(
    structures: list[Structure], frame: Frame, name: str, value: Value, alone: bool
) -> Observation | None:
    """What is to say about such a parameter; None where it may well be one that this cell does not need."""
    asks = [_mentions(twin.node, name) for twin in _twins(structures, frame)]
    if any(asks) and not all(asks):  # one interface for many cells, not all of which need all of it
        return None
    sure = alone or _RESIDUAL.search(name) is not None or any(asks) or _twice(frame.function.node)
    aside = _ASIDE.search(name) or re.search(r"mask|seq|type|ids?$|len", name, re.I)
    if not sure and (aside or not any(_activation(part) for part in (value, *options(value)))):
        return None
    code = "input-ignored" if sure else "input-perhaps-ignored"
    data = {"name": name, "of": frame.owner.of.node.name if isinstance(frame.owner, Instance) else ""}
    return Observation(code, frame.function.source, frame.function.node, data, certain=False)


def _twins(structures: list[Structure], frame: Frame) -> Iterator[Function]:
    """The constructs of other classes of cells with the same parameters."""
    mine = [part.arg for part in frame.function.node.args.args]
    for structure in structures:
        for other in structure.cells:
            method = called(other.of)
            if method is None or method.node is frame.function.node:
                continue
            if [part.arg for part in method.node.args.args] == mine:
                yield method


def _twice(function: ast.AST) -> bool:
    """True when two things are joined that are one: cat((x, x)), add(x, x)."""
    for node in walk(function):
        if isinstance(node, ast.Call) and node.args:
            name = called_name(node)
            given = node.args[0].elts if isinstance(node.args[0], (ast.Tuple, ast.List)) else node.args[:2]
            names = [part.id for part in given if isinstance(part, ast.Name)]
            if re.search(r"cat|add|stack", name, re.I) and len(names) != len(set(names)):
                return True
    return False


def _left_out(structures: list[Structure]) -> Iterator[Observation]:
    """A residual that is put aside in construct and never added."""
    done: set[int] = set()
    for structure in structures:
        for frame in structure.reading.trace.frames:
            function = frame.function
            if id(function.node) in done or not _forward(frame) or function.name not in FORWARD or not _matters(frame):
                continue
            done.add(id(function.node))
            of = frame.owner.of.node.name if isinstance(frame.owner, Instance) else ""
            for name, node in (_never_asked(function.node) | _put_aside(structure, frame)).items():
                yield Observation("residual-left-out", function.source, node, {"name": name, "of": of}, certain=False)


def _never_asked(function: ast.AST) -> dict[str, ast.Assign]:
    """Residuals, by their names, that nothing but their own assignments asks for, and where each is set first."""
    inside: dict[str, int] = defaultdict(int)
    stored: dict[str, ast.Assign] = {}
    for node in walk(function):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if _RESIDUAL.search(name):
                stored.setdefault(name, node)
                inside[name] += _mentioned(node.value, name)
    return {
        name: node
        for name, node in stored.items()
        if inside[name] == _mentioned(function, name) and not isinstance(node.value, ast.Constant)
    }


def _put_aside(structure: Structure, frame: Frame) -> dict[str, ast.Assign]:
    """Second names for a tensor that are never asked for, while the tensor under its first name goes only through layers: it was
    kept to be joined with their result."""
    function = frame.function.node
    found: dict[str, ast.Assign] = {}
    for node in walk(function):
        target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
        if not (isinstance(node, ast.Assign) and isinstance(target, ast.Name) and isinstance(node.value, ast.Name)):
            continue
        if node.value.id == target.id or not _goes_on_alone(function, node.value.id, target.id, node):
            continue
        if _is_stage(function, node.value.id) or _gives_stages(function):
            continue
        if (drop := structure.unused(target.id, node, frame)) is not None and not drop.elsewhere:
            found.setdefault(target.id, node)
    return found


def _is_stage(function: ast.AST, name: str) -> bool:
    """Whether a tensor is put aside under several names, none of which is added to anything: these are features of its stages."""
    kept = {
        target.id
        for node in walk(function)
        if isinstance(node, ast.Assign) and _is_name(node.value, name)
        for target in _names(node)
    }
    return len(kept) > 1 and not any(_is_name(part, one) for one in kept for part in _addends(function))


def _gives_stages(function: ast.AST) -> bool:
    """Whether several second names for tensors are there only to be returned: a construct that gives the features of its stages, of
    which one may be left out."""
    assigned = [node for node in walk(function) if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name)]
    second = {target.id for node in assigned for target in _names(node)}
    returned = {id(part) for part in _listed_in_returns(function)}
    asked: dict[str, list[bool]] = defaultdict(list)
    for part in walk(function):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load) and part.id in second:
            asked[part.id].append(id(part) in returned)
    return sum(all(places) for places in asked.values()) > 1


def _listed_in_returns(function: ast.AST) -> Iterator[ast.expr]:
    for node in walk(function):
        for part in walk(node) if isinstance(node, ast.Return) else ():
            if isinstance(part, (ast.Tuple, ast.List)):
                yield from part.elts


def _names(node: ast.Assign) -> list[ast.Name]:
    return [target for target in node.targets if isinstance(target, ast.Name)]


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _addends(function: ast.AST) -> Iterator[ast.expr]:
    """What is written as a part of a sum, or given to a call beside something else, which may add both."""
    for node in walk(function):
        summed = isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ast.Add)
        if summed or (isinstance(node, ast.Call) and len(_operands(node)) > 1):
            yield from _operands(node)


def _goes_on_alone(function: ast.AST, name: str, aside: str, statement: ast.stmt) -> bool:
    """Whether a tensor that was put aside goes on by one way, unjoined, but for what is made of it under the other name: what goes on
    by several ways is no input of one branch that its result was to be added to."""
    anew = {id(part) for other in _assigned(function, aside) for part in walk(other.value)}
    asked = [each for each in _meanwhile(function, name, statement) if id(each) not in anew]
    return len(asked) == 1 and not _joined(function, asked)


def _assigned(function: ast.AST, name: str) -> Iterator[ast.Assign]:
    """The statements that give a name a value."""
    for node in walk(function):
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
            yield node


def _meanwhile(function: ast.AST, name: str, statement: ast.stmt) -> list[ast.Name]:
    """Where a name is asked for after a statement and before it stands for something else."""
    begin = statement.end_lineno or 0
    named = [n for n in walk(function) if isinstance(n, ast.Name) and n.id == name and n.lineno > begin]
    end = _bound_again(function, [n for n in named if isinstance(n.ctx, ast.Store)])
    return [n for n in named if isinstance(n.ctx, ast.Load) and n.lineno <= end]


def _bound_again(function: ast.AST, names: list[ast.Name]) -> int:
    """The last line of the first assignment that binds one of these names."""
    bound = {id(name) for name in names}
    ends = (
        node.end_lineno or 0
        for node in walk(function)
        if isinstance(node, ast.Assign) and any(id(part) in bound for target in node.targets for part in walk(target))
    )
    return min(ends, default=sys.maxsize)


def _joined(function: ast.AST, names: list[ast.Name]) -> bool:
    """True when one of these is brought together with another value: as the operand of an operator or one of several arguments."""
    mine = {id(name) for name in names}
    groups = (_operands(node) for node in walk(function))
    return any(len(group) > 1 and any(id(part) in mine for part in group) for group in groups)


def _operands(node: ast.AST) -> list[ast.expr]:
    """What an expression brings together."""
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.AugAssign):
        return [node.target, node.value]
    if isinstance(node, (ast.Tuple, ast.List)):
        return node.elts
    if isinstance(node, ast.Call):
        return [*node.args, *(keyword.value for keyword in node.keywords)]
    return []


def _mentioned(node: ast.AST, name: str) -> int:
    """How often a name is asked for."""
    return sum(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load) for n in walk(node))


def _mentions(function: ast.AST, name: str) -> bool:
    names = loaded(function)
    return name in names or "*" in names


def _activation(value: Value) -> bool:
    """True for what a layer with weights, or a trained parameter, has worked on."""

    def works(made: Call) -> bool:
        return (made.name == "" and made.base is not None and is_layer(made.base)) or is_parameter(made)

    return flow.find(value, works) is not None


def _sums_before_norms(structure: Structure) -> Iterator[tuple[Call, Call, tuple[Value, Value]]]:
    """Each LayerNorm that is given a sum, with the sum and its terms."""
    for call in structure.reading.trace.calls:
        if call.name == "" and isinstance(call.base, Call) and call.base.last == "LayerNorm" and call.args:
            for option in options(call.args[0]):
                if isinstance(option, Call) and (terms := _terms(option)):
                    yield call, option, terms


def _skipped(structures: list[Structure]) -> Iterator[Observation]:
    """Sums before a LayerNorm that add what an earlier such sum, which the other addend is made of, has already added."""
    for structure in structures:
        sums = list(_sums_before_norms(structure))
        for place, (norm, total, terms) in enumerate(sums):
            for term, other in (terms, terms[::-1]):
                for before, _, earlier in sums[:place]:
                    if before is norm or not any(part is term for part in earlier):
                        continue
                    if flow.derives(other, before) and not flow.derives(term, before) and _activation(term):
                        source, node = _given(total, term)
                        data = {"line": before.line, "path": before.source.path}
                        yield Observation("skips-a-sum", source, node, data, certain=False)


def _given(total: Call, term: Value) -> tuple[Source, ast.AST]:
    """Where an addend is handed over to the function that adds it, or else the sum."""
    frame = total.frame
    if frame is not None and frame.parent is not None and any(given is term for given in frame.parameters.values()):
        return frame.source, frame.node
    return total.source, total.node


def _terms(value: Call) -> tuple[Value, Value] | None:
    """The two addends of a sum."""
    if value.name == "+" and len(value.args) == 2:
        return value.args[0], value.args[1]
    adds = isinstance(value.base, Call) and value.base.api in ("ops.Add", "ops.TensorAdd", "mint.add")
    if ((value.name == "" and adds) or value.api in ("ops.add", "mint.add")) and len(value.args) == 2:
        return value.args[0], value.args[1]
    return None


# --- results of calls without weights -----------------------------------------------------------------------------------


def _discarded(structures: list[Structure]) -> Iterator[Observation]:
    """A layer or an operation called as a statement by itself: it changes nothing."""
    for structure in structures:
        for call in structure.reading.trace.calls:
            if not call.discarded or call.frame is None or not _forward(call.frame):
                continue
            if _is_idle_layer(call):
                data = {
                    "name": _called_as(call.node, call.base or call),
                    "what": call.base.api if isinstance(call.base, Call) else "",
                }
                reached = call.frame.function.name in FORWARD or not unseen(call.frame)
                yield Observation("call-discarded", call.source, call.node, data, reached, _kept(call))
            elif _is_idle_operation(call):
                data = {"name": _called_as(call.node, call), "what": name_of(call).lstrip(".")}
                yield Observation("call-discarded", call.source, call.node, data, certain=False)


def _is_idle_layer(call: Call) -> bool:
    """Whether a layer is called that does nothing but give a result."""
    layer = call.base
    if call.name != "" or not isinstance(layer, Call) or _keeps_statistics([layer]):
        return False
    return re.fullmatch(_GIVES, kind_of(layer)) is not None


def _is_idle_operation(call: Call) -> bool:
    """Whether an operation on a tensor is called that gives a new one: none that writes into it, or waits for it as asnumpy does."""
    known = effect(call) if isinstance(call.node, ast.Call) else None
    if known is None or known.kind or known.stops or known.operation in _BESIDE or call.name.endswith("_"):
        return False
    return pure(call) and not isinstance(call.base, Items)


def _kept(call: Call) -> tuple[int, str] | None:
    """The line with the result bound to the name of the only input."""
    node = call.node
    if isinstance(node, ast.Call) and len(node.args) == 1 and isinstance(node.args[0], ast.Name) and not node.keywords:
        line = call.source.lines[node.lineno - 1]
        if node.lineno == node.end_lineno and line.strip().startswith(ast.unparse(node.func)):
            indent = line[: len(line) - len(line.lstrip())]
            return node.lineno, f"{indent}{node.args[0].id} = {line.lstrip()}"
    return None
