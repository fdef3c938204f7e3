"""What calls of Python's own and of known libraries give, for the tracer: containers, options of the command line,
configuration files, and the places where MindSpore runs code of the project (gradients, training cells, mapped functions).

Each function here returns None for what it has nothing to say about; the call is then noted as one that is not followed.
"""

from __future__ import annotations

import ast
import getopt
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from ..knowledge import api as apis
from ..knowledge import effects, names, signatures
from ..knowledge.methods import HANDED_BACK, RETURN_SELF
from ..knowledge.names import TRANSFORMS
from . import declared_options, typer
from .beginnings import beginning, place_of
from .effects import differentiates, effect
from .options import namespace
from .syntax import walk
from .values import (
    Call,
    Class,
    Definitions,
    Function,
    Index,
    Instance,
    Items,
    KnownValue,
    Many,
    Mapping,
    NamedValue,
    Numbering,
    Partial,
    Super,
    UnknownValue,
    Value,
    Words,
    Write,
    deciders_of,
    frames_around,
    is_known,
    join,
    name_of,
    options,
    same,
    strings_of,
)

if TYPE_CHECKING:
    from pathlib import Path

    from .command import Command
    from .expressions import Expressions as Tracer

#: What is made of each item of a list is made item by item of so many.
SHORT = 16
#: Classes that make a record out of a dict or of keywords; by their last name, as projects bring copies of their own.
_RECORDS = frozenset(
    (
        "EasyDict",
        "edict",
        "AttrDict",
        "ConfigDict",
        "DotDict",
        "Namespace",
        "SimpleNamespace",
        "Munch",
        "Box",
        "OrderedDict",
    )
)
#: Those whose last name alone may be of anything else.
_RECORDS_IN_FULL = frozenset(
    ("addict.Dict", "addict.addict.Dict", "omegaconf.OmegaConf.create", "mmengine.Config", "mmcv.Config")
)
_DICTS = frozenset((*_RECORDS, "dict", "UserDict", "MutableMapping"))
#: Containers of cells, of parameters and of Python that give back what was put in.
_CONTAINERS = ("nn.CellList", "nn.SequentialCell", "mint.nn.ModuleList", "mint.nn.Sequential")
_HOLDERS = frozenset([*_CONTAINERS, "list", "tuple", "reversed", "ParameterTuple"])
_SEQUENTIAL = ("nn.SequentialCell", "mint.nn.Sequential")
#: Methods that return the very object they are called on.
_CHAINED = frozenset(name.removeprefix(".") for name in RETURN_SELF)
#: Methods that put what they are given into the object they are called on.
_FEEDS = frozenset(
    ("append", "extend", "add", "insert", "update", "appendleft", "push", "put", "set_data", "assign_value", "copy_")
)
#: What adds to, or sets, a parameter in place, and which of its arguments are that parameter and what is put into it.
_PUTS = {
    "ops.assign": (0, 1),
    "ops.assign_add": (0, 1),
    "ops.Assign": (0, 1),
    "ops.AssignAdd": (0, 1),
    "boost.gradient_accumulation_op": (1, 2),
}
#: MindSpore's training cells, and what gives a network back: it is the first argument, and calling the result runs it.
_STEPS = {
    **{
        name: signatures.load().parameters[name]
        for name in (
            *("nn.WithLossCell", "nn.WithEvalCell", "nn.PipelineCell", "nn.MicroBatchInterleaved"),
            *(cell for cell in effects.differentiating() if cell.endswith(("Cell", "AndGrad"))),
        )
    },
    "amp.auto_mixed_precision": ["network", "amp_level", "dtype"],
    "amp.custom_mixed_precision": ["network"],
}
_HELD_AS = {"backbone": "_backbone", "loss_fn": "_loss_fn"}
_TYPES: dict[str, tuple[type, ...]] = {
    "dict": (dict,),
    "list": (list,),
    "tuple": (tuple,),
    "str": (str,),
    "int": (int,),
    "float": (float,),
    "bool": (bool,),
    "NoneType": (type(None),),
    "type": (type,),
    **dict.fromkeys(("collections.abc.Mapping", "collections.Mapping", "typing.Mapping"), (dict,)),
}
#: Functions that write their result into one of their arguments, where it is given -> its place; by name it is out or dst.
_INTO = {f"cv2.{name}": 2 for name in ("add", "subtract", "multiply", "divide", "cvtColor", "flip")} | {
    **{f"numpy.{name}": 2 for name in ("add", "subtract", "multiply", "divide", "true_divide")},
    "cv2.normalize": 1,
    "numpy.clip": 3,
}
#: What a call of a cell runs.
FORWARD = ("construct", "forward", "__call__")
#: Layers of the framework: a copy is another one, made alike.
CELLS = ("nn.", "mint.nn.")
#: What the names of attributes begin with that are set under names which a run decides, before their pattern; the fields of a text
#: that is formatted.
ANY, _FIELDS = "*", re.compile(r"\{[^{}]*\}|%[^a-z%]*[a-z]")
#: So many things within one are copied.
COPIES = 4000


def origin(values: Sequence[Value]) -> str | None:
    """Where what was computed of these comes from: what may be otherwise at run time goes before what the command settles."""
    given = [value for value in values if isinstance(value, KnownValue) and value.origin]
    return next((value.origin for value in sorted(given, key=lambda value: value.assumed is None)), None)


def computed(value: Any, of: Sequence[Value], asked: str = "") -> KnownValue:
    """A constant that was computed of others: it comes from where they do."""
    return KnownValue(value, origin(of), asked=asked, deciders=deciders_of(of))


def is_transform(made: Call) -> bool:
    """True for an object of MindSpore's that transforms samples."""
    return made.base is None and made.api.startswith(TRANSFORMS) and made.last[:1].isupper()


#: Kinds of classes whose objects count as true: they have no length, unlike containers of cells.
_OBJECTS = (
    *(
        "activation",
        "attention",
        "cell",
        "convolution",
        "dense",
        "dropout",
        "embedding",
        "layer",
        "loss",
        "normalization",
    ),
    *("optimizer", "pooling", "recurrent", "scaler", "schedule", "step"),
)
_MANAGERS = ("FixedLossScaleManager", "DynamicLossScaleManager")


def is_object(made: Call) -> bool:
    """True for a cell, an optimizer or the like that a class of MindSpore makes, which counts as true in a condition."""
    if made.base is not None or not made.last[:1].isupper():
        return False
    known = apis.find(made.api)
    return made.last in _MANAGERS if known is None else known.kind in _OBJECTS


def hashable(value: Any) -> bool:
    return isinstance(value, (str, int, float, bool, bytes, type(None)))


# --- functions --------------------------------------------------------------------------------------------------------


def function(tracer: Tracer, name: str, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value | None:
    """The result of calling a function, or class, by its full name."""
    handler = _FUNCTIONS.get(name)
    if handler is not None:
        found: Value | None = handler(tracer, args, keywords, node)
        return found
    if name.startswith("dict.") and args:  # dict.__setitem__(self, key, value)
        held = as_dict(args[0]) or args[0]
        rest = name.removeprefix("dict.")
        return _of_mapping(tracer, held, rest, args[1:], keywords, node) if isinstance(held, Mapping) else None
    if name.startswith("absl.") and (found := declared_options.absl(tracer, name, args, keywords, node)) is not None:
        return found
    _put(name, args)
    if isinstance(target := _target(name, args, keywords), Call):
        made = tracer.made(name, args, keywords, node)
        target.fed = [*(target.fed or []), made]
        return made
    if (containers := _any_container(tracer, name, args, keywords, node)) is not None:
        return containers
    if _is_record(name):
        return _any_record(args, keywords)
    return _of_first(tracer, name, args, keywords, node) if args else None


def _is_record(name: str) -> bool:
    """Whether a class is one of dicts whose keys are attributes too."""
    return name in _RECORDS_IN_FULL or (name.rpartition(".")[2] in _RECORDS and not name.startswith("mindspore."))


def _of_first(tracer: Tracer, name: str, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value | None:
    """The result of a function of paths, files or functions, by what it is given first."""
    if name.startswith("mindspore.") and names.canonical(name) in HANDED_BACK:
        return _handed_back(tracer, name, args, keywords, node)
    last = name.rsplit(".", 1)[-1]
    texts = [arg for arg in args if isinstance(arg, KnownValue) and isinstance(arg.value, str)]
    if name.startswith("os.path.") and len(texts) == len(args):
        return _path(last, texts)
    if last in ("partial", "Partial"):
        return Partial(args[0], args[1:], keywords)
    if last == "tqdm":
        return args[0]
    return _loaded(tracer, name, args[0], node) if last in _LOADERS else None


def _handed_back(
    tracer: Tracer, name: str, args: list[Value], keywords: dict[str, Value], node: ast.AST
) -> Value | None:
    """The function or network that is given to what changes how it is computed, as far as it is seen."""
    given = args[0]
    if not isinstance(given, (Function, Instance, Partial)) and not is_cell(given):
        return None
    tracer.made(name, args, keywords, node)
    return given


def _put(name: str, args: list[Value]) -> None:
    """Note what is put into copies of parameters: gradients of several passes are gathered so until an optimizer is given them."""
    into, what = _PUTS.get(names.canonical(name), (0, len(args))) if name.startswith("mindspore.") else (0, len(args))
    if what < len(args):
        gather(args[into], args[what])


def gather(held: Value, value: Value) -> None:
    """Put a value into copies of parameters, or into parameters that begin as a constant; anything else stays what it is."""
    held = whole(held)
    if isinstance(held, Call) and (held.name == ".clone" or _begins_constant(held)):
        held.fed = [*(held.fed or []), value][:200]


def whole(value: Value) -> Value:
    """The copies of parameters that a value is an element of, or the parameter that each element of a list is."""
    while isinstance(value, Call):
        within = value.args[0] if value.name == "comprehension" else value.base
        if value.name not in ("comprehension", ".each", "[]") or within is None:
            break
        value = within
    return value


def _begins_constant(made: Call) -> bool:
    """Whether a parameter holds zeros, or another constant, until something is written into it."""
    start = made.args[0] if made.api == "Parameter" and made.args else None
    known = effect(start) if isinstance(start, Call) else None
    return known is not None and known.constant is not None


def _target(name: str, args: list[Value], keywords: dict[str, Value]) -> Value | None:
    """The argument that a function of arrays writes its result into."""
    place = _INTO.get(name, len(args))
    if place < len(args):
        return args[place]
    return keywords.get({"numpy": "out", "cv2": "dst"}.get(name.partition(".")[0], ""))


def _any_container(
    tracer: Tracer, name: str, args: list[Value], keywords: dict[str, Value], node: ast.AST
) -> Value | None:
    """The containers of cells that are made of one of several lists, as a condition decides: one for each."""
    lists = args[0].options if len(args) == 1 and isinstance(args[0], Many) else ()
    if not lists or not all(isinstance(each, (Items, Mapping)) for each in lists):
        return None
    if names.canonical(name) not in _CONTAINERS:
        return None
    return join([tracer.made(name, [each], keywords, node) for each in lists])


def _any_record(args: list[Value], keywords: dict[str, Value]) -> Value | None:
    """The record that is made of one of several lists or dicts, as a condition decides."""
    if not args or not isinstance(args[0], Many):
        return _record(args, keywords)
    made = [_record([option, *args[1:]], keywords) for option in args[0].options]
    known = [one for one in made if one is not None]
    return join([*known]) if len(known) == len(made) else None


def _of_pairs(items: list[Value]) -> Mapping | None:
    """A dict of pairs of a key and a value; None where not all keys are known."""
    pairs = [pair.items for pair in items if isinstance(pair, Items) and len(pair.items) == 2]
    held = [(key.value, value) for key, value in pairs if isinstance(key, KnownValue)]
    return Mapping(dict(held)) if len(held) == len(items) else None


def _record(args: list[Value], keywords: dict[str, Value]) -> Mapping | None:
    given = (as_dict(args[0]) or args[0]) if args else Mapping({})
    if isinstance(given, Call) and given.name == "sorted" and given.args:  # a dict of the same pairs
        given = given.args[0]
    if "**" in keywords:
        return None
    if isinstance(given, Items) and not given.open:
        given = _of_pairs(given.items) or given
    if not isinstance(given, Mapping):
        return None
    made = Mapping({**given.items, **keywords}, given.fed)
    for key, value in made.items.items():
        if isinstance(value, KnownValue) and not value.name and isinstance(key, str):
            made.items[key] = replace(value, name=key)
    return made


_PATHS: dict[str, Any] = {
    "join": os.path.join,
    "dirname": os.path.dirname,
    "basename": os.path.basename,
    "abspath": os.path.normpath,
    "realpath": os.path.normpath,
    "normpath": os.path.normpath,
    "expanduser": str,
    "isabs": os.path.isabs,
}


def _path(name: str, args: list[KnownValue]) -> Value | None:
    texts = [arg.value for arg in args]
    if name not in _PATHS or any(not isinstance(text, str) or len(text) > 4000 for text in texts):
        return None
    try:
        return computed(_PATHS[name](*texts), args)
    except TypeError:
        return None


def _file_read(given: Value) -> Value:
    """The name of the file that is opened, and perhaps read, for a loader; else what that is given itself."""
    while isinstance(given, Call) and given.name in (".read", "yaml.load"):
        given = given.base or UnknownValue()
    return given.args[0] if isinstance(given, Call) and given.name == "open" and given.args else given


def _loaded(tracer: Tracer, name: str, given: Value, node: ast.AST) -> Value | None:
    """The content of a configuration file that the script loads, where it lies below the project."""
    from . import configs

    source = _file_read(given)
    if not (isinstance(source, KnownValue) and isinstance(source.value, str)) or tracer.root is None:
        return None
    if not source.value.lower().endswith(configs.ENDINGS):
        plain = source is given and name.startswith("yaml.") and len(source.value) <= 2000
        return configs.of_text(source.value, source.origin) if plain and "_all" not in name else None
    origin_ = "configured" if tracer.command is not None and source.assumed is None else "config"
    entry = tracer.trace.source.file.parent
    found = configs.load(tracer.root, entry, tracer.source.file, source.value, "_all" in name, origin_)
    if found is None and (fault := configs.fault(tracer.root, entry, tracer.source.file, source.value)) is not None:
        tracer.trace.broken.append(fault)
        return None
    if found is None:
        tracer.trace.unread.append((source.value, tracer.source.path, getattr(node, "lineno", 1)))
        return None
    if _loads_again(tracer, found[0]):
        place = getattr(node, "lineno", 1)
        tracer.trace.unbound.append(("config-cycle", source.value[:200], tracer.source.path, place))
        return None
    tracer.loading.append((found[0], tracer.frame))
    tracer.trace.loaded.append(found[0])
    return found[1]


def _there(tracer: Tracer, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value | None:
    """True for a configuration file that is there; whatever other one is given is there as well, or the run ends."""
    from . import configs

    name = args[0].value if len(args) == 1 and isinstance(args[0], KnownValue) else None
    if not isinstance(name, str) or tracer.root is None or not name.lower().endswith(configs.ENDINGS):
        return None
    found = configs.find(tracer.root, tracer.trace.source.file.parent, tracer.source.file, name)
    return None if found is None else KnownValue(True)


def _loads_again(tracer: Tracer, path: Path) -> bool:
    """Whether a file is loaded within the run of a function that has loaded it and now loads what it names."""
    around = None if tracer.frame is None else tracer.frame.parent
    while around is not None:
        if any(loaded == path and frame is around for loaded, frame in tracer.loading):
            return True
        around = around.parent
    return False


def _getattr(tracer: Tracer, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value | None:
    if len(args) < 2:
        return None
    owner, name = args[0], args[1]
    if not (isinstance(name, KnownValue) and isinstance(name.value, str)):
        return _any_attribute(tracer, owner, name, node)
    tracer.found_names.add(name.value)
    found = [tracer.held(option, name.value, node) or under_any_name(option, name.value) for option in options(owner)]
    values = [value for value in found if value is not None]
    if len(values) == len(found) and values:
        return join(values)
    default = args[2:3]
    return join([*values, *default]) if values or default else tracer.attribute(owner, name.value, node)


def _any_attribute(tracer: Tracer, owner: Value, name: Value, node: ast.AST) -> Value | None:
    """Which of the attributes of an object it may be whose name is only known in part: "layer" + str(index)."""
    if isinstance(owner, NamedValue):
        return _any_definition(tracer, owner, node)
    asked = [option for option in options(owner) if isinstance(option, Instance)]
    for option in asked:
        option.read.add(ANY)
    found = [_fitting(option, _pattern(name)) for option in asked]
    whole = len(asked) == len(options(owner)) and all(found)
    return join([held for each in found for held in each], limit=32) if whole else None


def _any_definition(tracer: Tracer, module: NamedValue, node: ast.AST) -> Value | None:
    """What a module of the project defines, where a name out of sight, as of a configuration that is not there, picks one of it."""
    table = tracer.held(module, "__dict__", node)
    found = tracer.entry(table, UnknownValue(), node) if isinstance(table, Definitions) else None
    return None if isinstance(found, UnknownValue) else found


def _fitting(owner: Instance, asked: str) -> list[Value]:
    """The attributes whose names fit a pattern; of those that were set by a pattern, the ones that were set by this one, else those
    that begin alike."""
    plain = [held for name, held in owner.attributes.items() if name[:1] != ANY and re.fullmatch(asked, name)]
    if (mine := _key(asked)) in owner.attributes:
        return [*plain, owner.attributes[mine]]
    start = asked.partition(".*")[0]
    patterns = {name[1:].partition(".*")[0]: held for name, held in owner.attributes.items() if name[:1] == ANY}
    return plain + [held for begins, held in patterns.items() if begins.startswith(start) or start.startswith(begins)]


def _key(pattern: str) -> str:
    """What an attribute is called that was set under a name which fits a pattern."""
    return ANY if pattern == ".*" else ANY + pattern


def under_any_name(owner: Value, name: str) -> Value | None:
    """What was set on an object under a name of which a part is known, and which this one may be."""
    held = owner.attributes.items() if isinstance(owner, Instance) else ()
    found = [value for key, value in held if key[:1] == ANY and re.fullmatch(key[1:] or ".*", name)]
    return join(found, limit=32) if found else None


def _pattern(name: Value) -> str:
    """What a text that is put together may be, as a regular expression."""
    if isinstance(name, KnownValue):
        return re.escape(str(name.value)[:200])
    if isinstance(name, Call) and name.name in ("+", "f-string"):
        return "".join(map(_pattern, name.args[:20]))
    if isinstance(name, Call) and name.name in (".format", "%"):
        written = name.base if name.name == ".format" else name.args[0]
        if isinstance(written, KnownValue) and isinstance(written.value, str):
            return ".*".join(map(re.escape, _FIELDS.split(written.value[:200])))
    return ".*"


def _setattr(tracer: Tracer, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value | None:
    if (
        len(args) == 3
        and isinstance(args[1], KnownValue)
        and isinstance(args[1].value, str)
        and isinstance(node, ast.Call)
    ):
        for owner in options(args[0]):
            value = args[2]
            if isinstance(value, KnownValue) and not value.name:
                value = replace(value, name=args[1].value)
            tracer.set_attribute(owner, args[1].value, value, node)
        return KnownValue(None)
    for owner in options(args[0]) if args else ():
        if isinstance(owner, Instance):
            owner.read.add(ANY)
            if len(args) == 3:
                key = _key(_pattern(args[1]))
                held = owner.attributes.get(key)
                owner.attributes[key] = args[2] if held is None else join([held, args[2]], limit=32)
    return None


def _vars(tracer: Tracer, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value | None:
    owner = args[0] if len(args) == 1 else None
    if isinstance(owner, NamedValue):
        return tracer.held(owner, "__dict__", node)
    if isinstance(owner, Instance):
        return Mapping(owner.attributes)
    if isinstance(owner, Mapping):
        return owner
    return namespace(tracer, owner) if isinstance(owner, Call) else None


def _isinstance(tracer: Tracer, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value | None:
    wanted = _kinds(args[1]) if len(args) == 2 else None
    if not wanted:
        return None
    held = args[0]
    if isinstance(held, KnownValue):
        unset = held.value is None and held.assumed
        return None if unset else KnownValue(isinstance(held.value, tuple(wanted)))
    if isinstance(held, Mapping) or as_dict(held) is not None:
        return KnownValue(dict in wanted)
    if _is_a_class(held):
        return KnownValue(True) if type in wanted else None
    return KnownValue(bool(wanted & {list, tuple})) if isinstance(held, Items) else None


def _is_a_class(held: Value) -> bool:
    """True for a class of the project, or of MindSpore."""
    named = held.name if isinstance(held, NamedValue) and held.name.startswith("mindspore.") else ""
    return isinstance(held, Class) or names.is_class(named.rpartition(".")[2])


def _kinds(asked: Value) -> set[type]:
    """The Python types in the second argument of isinstance; none where one of them is another type."""
    given = asked.items if isinstance(asked, Items) else [asked]
    kinds = [option for kind in given for option in options(kind)]
    known = [_TYPES[kind.name] for kind in kinds if isinstance(kind, NamedValue) and kind.name in _TYPES]
    return {each for types in known for each in types} if len(known) == len(kinds) else set()


def keys_from(tracer: Tracer, held: Mapping) -> str:
    """Where it comes from which keys a dict has: "configured" where the command settles what it holds."""
    inner = [part for value in held.items.values() for part in _shallow(value)]
    settled = all(part.assumed is None for part in inner if isinstance(part, KnownValue))
    return "configured" if tracer.command is not None and settled else "config"


def _shallow(value: Value) -> list[Value]:
    """A value, or what a list or dict holds."""
    if isinstance(value, Mapping):
        return [*value.items.values()]
    return value.items if isinstance(value, Items) else [value]


def _hasattr(tracer: Tracer, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value | None:
    if len(args) == 2 and isinstance(args[0], Mapping) and isinstance(args[1], KnownValue):
        return KnownValue(args[1].value in args[0].items, keys_from(tracer, args[0]))
    return None


def _list(tracer: Tracer, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value | None:
    if not args:
        return Items([])
    if isinstance(args[0], Items):
        return type(args[0])(list(args[0].items), args[0].open)
    if isinstance(args[0], Mapping):
        return Items([KnownValue(key) for key in args[0].items])
    return None


def _tuple(tracer: Tracer, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value | None:
    found = _list(tracer, args, keywords, node)
    return Items(found.items, found.open, fixed=True) if isinstance(found, Items) else found


def _copy(tracer: Tracer, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value | None:
    if isinstance(held := args[0] if args else None, Items):
        return Items(list(held.items), held.open, held.fixed)
    return Mapping(dict(held.items), held.fed) if isinstance(held, Mapping) else None


def _deepcopy(tracer: Tracer, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value | None:
    """A copy of what is in it as well: of constants, transforms, layers and objects of the project. A layer that is copied is
    another layer."""
    if not args:
        return None
    copied = _Copier(tracer, node).copy(args[0])
    if copied is not None and not isinstance(args[0], (KnownValue, Items, Mapping)):
        made = tracer.made("copy.deepcopy", args, keywords, node)
        made.result = copied
    return copied


class _Copier:
    """One run of copy.deepcopy: what occurs twice in a thing is copied once."""

    def __init__(self, tracer: Tracer, node: ast.AST) -> None:
        self.tracer, self.node = tracer, node
        self.done: dict[int, tuple[Value, Value]] = {}  # the copied values as well, so that no other gets their ids

    def copy(self, value: Value) -> Value | None:
        """None for what is not known well enough to be copied."""
        if id(value) in self.done:
            return self.done[id(value)][1]
        if len(self.done) > COPIES:
            return None
        if isinstance(value, Instance):
            return self.instance(value)
        if isinstance(value, Many):
            copies = self.all(value.options)
            return None if copies is None else join(copies)
        made = self.container(value) if isinstance(value, (Items, Mapping)) else self.single(value)
        if made is not None:
            self.done[id(value)] = (value, made)
        return made

    def container(self, held: Items | Mapping) -> Value | None:
        if isinstance(held, Items):
            kept = self.all(held.items)
            return None if kept is None else Items(kept, held.open, held.fixed)
        found = None if held.fed else self.all([*held.items.values()])
        return None if found is None else Mapping(dict(zip(held.items, found, strict=True)))

    def single(self, value: Value) -> Value | None:
        if not isinstance(value, Call):
            return value if isinstance(value, KnownValue) else None
        if value.base is not None or is_transform(value):
            return value if is_transform(value) else None
        if value.name == "comprehension":
            each, *over = value.args
            return None if (copied := self.copy(each)) is None else self.like(value, [copied, *over], value.fed)
        if value.api in _HOLDERS:
            args, fed = self.all(value.args), self.all(value.fed or [])
            return None if args is None or fed is None else self.like(value, args, fed or None)
        if value.api == "Parameter" or value.api.startswith(CELLS):
            return self.like(value, value.args, value.fed)
        return None

    def like(self, made: Call, args: list[Value], fed: list[Value] | None) -> Call:
        """A layer or container that is made as another one is, here."""
        tracer = self.tracer
        return replace(made, args=args, fed=fed, bound=(), loops=tracer.loops, order=tracer.next())

    def all(self, values: Sequence[Value]) -> list[Value] | None:
        copies = [self.copy(value) for value in values]
        kept = [copied for copied in copies if copied is not None]
        return kept if len(kept) == len(copies) else None

    def instance(self, value: Instance) -> Value | None:
        """Another object of the class; what of its attributes cannot be copied stays what it is."""
        if value.of.find("__deepcopy__") is not None:
            return None
        tracer = self.tracer
        made = Instance(
            value.of,
            {},
            self.node,
            tracer.source,
            tracer.frame,
            tracer.next(),
            tracer.tests,
            tracer.loops,
            left=tracer.left,
        )
        self.done[id(value)] = (value, made)
        tracer.trace.instances.append(made)
        for name, held in value.attributes.items():
            if isinstance(held, Function) and held.owner is value:
                made.attributes[name] = replace(held, owner=made)
            else:
                made.attributes[name] = self.copy(held) or held
        made.supers = [(base, self.all(args) or args, given) for base, args, given in value.supers]
        made.layer = replace(value.layer, loops=tracer.loops) if value.layer is not None else None
        made.read = set(value.read)
        return made


def _filter(tracer: Tracer, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value | None:
    """filter(None, items): without those that do not count as true. A function is run on what stands for each item."""
    if len(args) == 2 and isinstance(args[0], Function) and not isinstance(args[1], Items):
        condition = mapped_each(tracer, args[0], [tracer.element(args[1], node)], node)
        made = tracer.made("filter", args, {}, node)
        made.picks = (condition,)
        return made
    if len(args) != 2 or not isinstance(args[1], Items) or not is_known(args[0], None):
        return None
    truths = [tracer.truth(item) for item in args[1].items]
    kept = [item for item, truth in zip(args[1].items, truths, strict=True) if truth is not False]
    return Items(kept, args[1].open or None in truths)


def _chain(tracer: Tracer, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value | None:
    held = [arg for arg in args if isinstance(arg, Items)]
    if len(held) < len(args):
        return None
    return Items([item for arg in held for item in arg.items], any(arg.open for arg in held))


def _reversed(tracer: Tracer, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value | None:
    held = contained(args[0]) or args[0] if args else None
    return Items(held.items[::-1], held.open) if isinstance(held, Items) else None


def _dict(tracer: Tracer, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value | None:
    made = _record(args, keywords)
    if made is None and len(args) == 1 and not keywords:
        made = _of_first_pairs(tracer, args[0], node)
    if made is not None and not made.items:
        tracer.table(made)
    return made


def _of_first_pairs(tracer: Tracer, listed: Value, node: ast.AST) -> Mapping | None:
    """The dict of pairs of which the first are known; None where none is."""
    first = beginning(listed)
    known = _of_pairs(first.items) if first.items else None
    if known is None:
        return None
    return Numbering(known.items, None if first.whole else [tracer.item(tracer.element(listed, node), 1, node)])


def _map(tracer: Tracer, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value | None:
    if len(args) < 2 or not isinstance(args[0], (Function, Instance, Partial)):
        return None
    over = args[1]
    if len(args) == 2 and isinstance(over, Items) and not over.open and len(over.items) <= SHORT:
        return Items([mapped_each(tracer, args[0], [item], node) for item in over.items])
    return mapped(tracer, args[0], args[1:], node)


def mapped(tracer: Tracer, function: Value, over: list[Value], node: ast.AST) -> Value:
    """A function applied to each element, as a comprehension would."""
    inner = mapped_each(tracer, function, [tracer.element(value, node) for value in over], node)
    return tracer.made("comprehension", [inner, *over], {}, node)


def mapped_each(tracer: Tracer, function: Value, given: list[Value], node: ast.AST) -> Value:
    return attached(tracer, function, given, node) or tracer.call(function, given, {}, node)


def _next(tracer: Tracer, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value | None:
    return tracer.element(args[0], node) if args and isinstance(args[0], (Items, Call, Instance)) else None


def _iter(tracer: Tracer, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value | None:
    if args and isinstance(args[0], Mapping):
        return _list(tracer, args, keywords, node)
    return args[0] if args and isinstance(args[0], Items) else None


def arguments(command: Command | None) -> Words | None:
    """sys.argv, as the command of the run sets it; None where it is not known."""
    if command is None:
        return None
    return Words([KnownValue(str(command.script), "command"), *(_word(command, text, "") for text in command.words)])


def _word(command: Command, text: str, name: str) -> Value:
    """A word of the command; one with a shell variable that is not set anywhere visible is unknown."""
    return UnknownValue(name) if command.lost and "$" in text else KnownValue(text, "command", name)


def _getopt(read: Any) -> Any:
    def handler(tracer: Tracer, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value | None:
        """The options that getopt gives, each with its value, and the other words."""
        given, short, long = [*args, *(keywords.get(name) for name in ("args", "shortopts", "longopts")[len(args) :])][
            :3
        ]
        texts = _texts(given)
        names = _texts(long) if isinstance(long, Items) else _texts(Items([long])) if long is not None else []
        if tracer.command is None or texts is None or names is None or not isinstance(short, KnownValue):
            return None
        try:
            found, rest = read(texts, str(short.value), names)
        except getopt.GetoptError as error:
            declared_options.unbound(tracer, node, "options-refused", str(error))
            return None
        pairs = [
            Items([KnownValue(flag, "command"), _word(tracer.command, text, flag.lstrip("-"))], fixed=True)
            for flag, text in found
        ]
        return Items([Words([*pairs]), Words([_word(tracer.command, text, "") for text in rest])], fixed=True)

    return handler


def _texts(value: Value | None) -> list[str] | None:
    """A list of texts that are all known."""
    if not isinstance(value, Items) or value.open:
        return None
    found = strings_of(value.items)
    return found if len(found) == len(value.items) else None


def _len(tracer: Tracer, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value | None:
    held = (cells(args[0]) or args[0]) if args else None
    grows = tracer.numbering or _grown_by(tracer.loops, node)
    if (count := _count(held, bool(grows))) is not None:
        return KnownValue(count)
    if args and _stays_empty(tracer, args[0]):
        return KnownValue(0)
    if args and isinstance(args[0], Instance) and isinstance(method := args[0].of.find("__len__"), Function):
        bound = Function(method.node, method.scope, method.source, args[0], method.of)
        return tracer.call_function(bound, [], {}, node)
    return None


def _count(held: Value | None, grows: bool) -> int | None:
    """How many elements a list, a dict that does not grow, or a text has."""
    if isinstance(held, KnownValue):
        return len(held.value) if isinstance(held.value, str) and not held.assumed else None
    is_whole = (isinstance(held, Items) and not held.open) or (isinstance(held, Mapping) and not held.fed and not grows)
    return len(held.items) if is_whole and isinstance(held, (Items, Mapping)) else None


def _stays_empty(tracer: Tracer, value: Value) -> bool:
    """True within a forward pass for a list of cells that nothing was put into: what is built is built by then."""
    empty = isinstance(value, Call) and value.api in _CONTAINERS and not (value.args or value.keywords or value.fed)
    return empty and any(frame.function.name in FORWARD for frame in frames_around(tracer.frame))


def _grown_by(loops: tuple[ast.AST, ...], node: ast.AST) -> bool:
    """Whether a loop stores into the dict whose length is asked for, so that it is another one at each turn."""
    asked = node.args[0].id if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Name) else None
    if asked is None or not loops:
        return False
    return any(_stored_into(part) == asked for part in walk(loops[-1]))


def _stored_into(part: ast.AST) -> str | None:
    """The name of the dict that d[key] = ... or d.setdefault(...) stores into."""
    stores = isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Store)
    sets = isinstance(part, ast.Attribute) and part.attr == "setdefault"
    of = part.value if (stores or sets) and isinstance(part, (ast.Subscript, ast.Attribute)) else None
    return of.id if isinstance(of, ast.Name) else None


def _number(convert: Any) -> Any:
    def handler(tracer: Tracer, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value | None:
        if len(args) == 1 and isinstance(args[0], KnownValue) and not keywords:
            try:
                return replace(args[0], value=convert(args[0].value))
            except (TypeError, ValueError, OverflowError, ArithmeticError):
                pass
        return None

    return handler


def _round(tracer: Tracer, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value | None:
    values = [arg.value for arg in args if isinstance(arg, KnownValue) and isinstance(arg.value, (int, float))]
    if len(values) != len(args) or len(args) not in (1, 2) or keywords or not all(-1e15 < v < 1e15 for v in values):
        return None
    places = values[1] if len(values) == 2 else None
    if isinstance(places, float) or abs(places or 0) > 400:  # rounding to very many places takes long
        return None
    return computed(round(values[0], places), args)


def _extreme(choose: Any) -> Any:
    def handler(tracer: Tracer, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value | None:
        values = [arg for arg in args if isinstance(arg, KnownValue) and isinstance(arg.value, (int, float))]
        if len(values) < 2 or len(values) != len(args) or keywords:
            return None
        return computed(choose(value.value for value in values), args)

    return handler


def _bool(tracer: Tracer, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value | None:
    if len(args) == 1 and (truth := tracer.truth(args[0])) is not None:
        return replace(computed(truth, args), name=name_of(args[0]))
    return None


def _pathlib(tracer: Tracer, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value | None:
    known = [arg for arg in args if isinstance(arg, KnownValue) and isinstance(arg.value, str)]
    return _path("join", known) if known and len(known) == len(args) else None


def _environment(tracer: Tracer, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value | None:
    """A variable of the environment that the command of the run sets."""
    if tracer.command is None or not args or not isinstance(args[0], KnownValue):
        return None
    text = tracer.command.environment.get(args[0].value)
    return None if text is None else KnownValue(text, "command")


def _type(tracer: Tracer, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value | None:
    """The type of an object of the project, a constant, a list or a dict; a list stands for a tuple too, see same_type."""
    held = args[0] if len(args) == 1 else None
    if isinstance(held, Instance):
        return held.of
    if isinstance(held, KnownValue) and (held.value is not None or held.assumed is None):
        return NamedValue(type(held.value).__name__)
    if isinstance(held, (Items, Mapping)):
        return NamedValue("list" if isinstance(held, Items) else "dict")
    return None


def same_type(one: Value, other: Value) -> bool | None:
    """Whether two types of Python are one; None for anything else, and for a list beside a tuple, which are not told apart."""
    found = {value.name for value in (one, other) if isinstance(value, NamedValue) and value.name in _TYPES}
    named = isinstance(one, NamedValue) and isinstance(other, NamedValue) and {one.name, other.name} == found
    return len(found) == 1 if named and found != {"list", "tuple"} else None


def _module(tracer: Tracer, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value | None:
    """A module that is imported by its name."""
    name = args[0].value if args and isinstance(args[0], KnownValue) else None
    return NamedValue(name, tracer.source) if isinstance(name, str) and name.strip(".") else None


def _module_at(tracer: Tracer, given: Value | None) -> NamedValue | None:
    """The module in a file below the project, by the file's name as the script has it."""
    from . import configs

    name = given.value if isinstance(given, KnownValue) else None
    if not isinstance(name, str) or not name.endswith(".py") or tracer.root is None:
        return None
    path = configs.find(tracer.root, tracer.trace.source.file.parent, tracer.source.file, name)
    if path is None:
        return None
    here = os.path.realpath(tracer.source.file.parent)
    steps = Path(os.path.relpath(path, here)).with_suffix("").parts
    above = steps.count(os.pardir)
    return NamedValue("." * (above + 1) + ".".join(steps[above:]), tracer.source)


def _module_from_spec(tracer: Tracer, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value | None:
    """A module that is imported by the name of its file."""
    spec = args[0] if args else keywords.get("spec")
    if not isinstance(spec, Call) or spec.name != "importlib.util.spec_from_file_location":
        return None
    return _module_at(tracer, spec.args[1] if len(spec.args) > 1 else spec.keywords.get("location"))


def _run_path(tracer: Tracer, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value | None:
    """The names of a configuration in Python that is run for them; what they hold is a setting as what stands in YAML is."""
    from . import configs

    module = _module_at(tracer, args[0] if args else None)
    scope = None if module is None else tracer.imported(module)
    if scope is None or tracer.root is None or not isinstance(args[0], KnownValue):
        return None
    path = configs.find(tracer.root, tracer.trace.source.file.parent, tracer.source.file, args[0].value)
    if path is None:
        return None
    tracer.trace.loaded.append(path)
    origin_ = "configured" if tracer.command is not None and args[0].assumed is None else "config"
    held = {key: value for key, value in scope.names.items() if not isinstance(value, NamedValue)}
    return configs.of_module(Mapping({**held}), origin_, path.relative_to(os.path.realpath(tracer.root)).as_posix())


_LOADERS = frozenset(("load", "safe_load", "full_load", "unsafe_load", "load_all", "safe_load_all", "fromfile"))
_FUNCTIONS: dict[str, Any] = {
    "importlib.import_module": _module,
    "importlib.util.module_from_spec": _module_from_spec,
    "runpy.run_path": _run_path,
    "fire.Fire": declared_options.fire,
    "tyro.cli": declared_options.tyro,
    "typer.run": typer.run,
    "getopt.getopt": _getopt(getopt.getopt),
    "getopt.gnu_getopt": _getopt(getopt.gnu_getopt),
    "type": _type,
    "os.getenv": _environment,
    "os.path.isfile": _there,
    "os.path.exists": _there,
    "os.environ.get": _environment,
    "getattr": _getattr,
    "setattr": _setattr,
    "object.__setattr__": _setattr,
    "hasattr": _hasattr,
    "vars": _vars,
    "isinstance": _isinstance,
    "list": _list,
    "tuple": _tuple,
    "copy.copy": _copy,
    "copy.deepcopy": _deepcopy,
    "filter": _filter,
    "itertools.chain": _chain,
    "reversed": _reversed,
    "dict": _dict,
    "map": _map,
    "next": _next,
    "iter": _iter,
    "len": _len,
    "int": _number(int),
    "float": _number(float),
    "str": _number(lambda value: str(value)[:1000]),
    "abs": _number(abs),
    "bool": _bool,
    "round": _round,
    "min": _extreme(min),
    "max": _extreme(max),
    "pathlib.Path": _pathlib,
}


# --- methods ----------------------------------------------------------------------------------------------------------


def method(
    tracer: Tracer, owner: Value, name: str, args: list[Value], keywords: dict[str, Value], node: ast.AST
) -> Value | None:
    """The result of a method of something that is not the project's own."""
    if name == "apply" and len(args) == 1 and isinstance(args[0], Function):
        return _apply(tracer, owner, args[0], node)
    if name == "parse_args_into_dataclasses" and isinstance(owner, Call):
        return declared_options.parsed_classes(tracer, owner, node)
    if isinstance(owner, Super):
        return _of_super(tracer, owner, name, args, keywords, node)
    if isinstance(owner, Instance) and name == "__setattr__":
        return _setattr(tracer, [owner, *args], keywords, node)
    if isinstance(owner, Instance) and name in _CHAINED:
        return _chained(tracer, owner, name, args, keywords, node)
    if isinstance(owner, Instance):
        held = as_dict(owner)
        found = _of_cell(tracer, owner, name, args, node)
        if found is None and held is not None:
            found = _of_mapping(tracer, held, name, args, keywords, node)
            owner.vague |= bool(held.fed)
        return found
    if name == "index" and len(args) == 1 and (place := place_of(owner, args[0])) is not None:
        return place
    if isinstance(owner, (Items, Mapping, KnownValue)):
        return _of_literal(tracer, owner, name, args, keywords, node)
    if name in _CHAINED and isinstance(owner, Call):
        return _chained(tracer, owner, name, args, keywords, node)
    if (cells_by_name := as_dict(owner)) is not None:
        return _of_mapping(tracer, cells_by_name, name, args, keywords, node)
    if name == "add_" and args:
        gather(owner, args[0])
    if name in _FEEDS and isinstance(owner, Call) and not _of_tensor(owner, name):
        owner.fed = [*(owner.fed or []), *args[name == "insert" :]]  # its first argument is a place
        _added(tracer, owner, name, args, node)
    return None


def as_dict(value: Value) -> Mapping | None:
    """The dict that an object of a class derived from dict is, and that a dict of cells has; what is set on an object is an attribute of it
    as well."""
    if isinstance(value, Call):
        return _cells_by_name(value) if value.api == "nn.CellDict" else None
    derived = isinstance(value, Instance) and any(name.rpartition(".")[2] in _DICTS for name in value.of.beyond())
    return Mapping(value.attributes) if isinstance(value, Instance) and derived else None


def _cells_by_name(made: Call) -> Mapping | None:
    """What a dict of cells was made with, which holds what is put into it later."""
    if not isinstance(next(iter(made.args), None), Mapping):
        held = _record(made.args, made.keywords)
        if held is None:
            return None
        made.args[:1] = [held]
    return made.args[0] if isinstance(made.args[0], Mapping) else None


def _chained(
    tracer: Tracer, owner: Value, name: str, args: list[Value], keywords: dict[str, Value], node: ast.AST
) -> Value:
    tracer.made("." + name, args, keywords, node, owner)
    return owner


def _of_cell(tracer: Tracer, owner: Instance, name: str, args: list[Value], node: ast.AST) -> Value | None:
    """What methods of the framework do that give a cell another one, or give back those that it has."""
    if name == "insert_child_to_cell" and len(args) == 2:
        return _setattr(tracer, [owner, *args], {}, node)
    running = tracer.frame is not None and tracer.frame.owner is owner and tracer.frame.function.name in FORWARD
    if name != "cells" or args or not running:
        return None
    owner.read.add(ANY)
    held = [option for value in owner.attributes.values() for option in options(value)]
    return Items(
        [one for one in held if is_cell(one) or (isinstance(one, Instance) and layer_of(one) is not None)], open=True
    )


def is_cell(value: Value) -> TypeGuard[Instance | Call]:
    """True for an object of a class that is run as a network is, and for a layer of the framework."""
    if isinstance(value, Instance):
        return any(value.of.find(name) is not None for name in FORWARD)
    return isinstance(value, Call) and value.base is None and value.api.startswith(CELLS)


def _apply(tracer: Tracer, owner: Value, function: Function, node: ast.AST) -> Value:
    """What apply(function) gives: of a cell itself, after the function ran on each cell within it; else what the function does."""
    beyond = owner.of.beyond() if isinstance(owner, Instance) else [owner.name] if isinstance(owner, Call) else []
    if not any(names.canonical(name).startswith(CELLS) for name in beyond):
        return tracer.call_function(function, [owner], {}, node)
    each = tracer.element(tracer.made(".cells", [], {}, node, owner), node)
    tracer.call_function(function, [each], {}, node)
    return owner


def _added(tracer: Tracer, owner: Call | Items, name: str, args: list[Value], node: ast.AST) -> None:
    """Keep what a loop adds to a list: where the loop ends at a length, that fills the list up."""
    if tracer.loops and args and name in ("append", "insert"):
        under = (*tracer.left, *tracer.tests)
        owner.writes = (
            *owner.writes[:40],
            Write(name, args[-1], node, tracer.source, tracer.frame, tracer.loops, tracer.head, tracer.order, under),
        )


def _of_tensor(owner: Call, name: str) -> bool:
    """Whether a method that stores into a container is an operation on a tensor here."""
    return effect(owner) is not None and effects.find(f".{name}") is not None


def _of_literal(
    tracer: Tracer,
    owner: Items | Mapping | KnownValue,
    name: str,
    args: list[Value],
    keywords: dict[str, Value],
    node: ast.AST,
) -> Value | None:
    """The result of a method of a list, a dict or a constant."""
    if isinstance(owner, Items):
        return _of_items(tracer, owner, name, args, keywords, node)
    if isinstance(owner, Mapping):
        return _of_mapping(tracer, owner, name, args, keywords, node)
    if name in ("is_file", "exists"):
        return _there(tracer, [owner], {}, node)
    return _of_text(owner, name, args, keywords) if isinstance(owner.value, str) else None


def _of_super(
    tracer: Tracer, owner: Super, name: str, args: list[Value], keywords: dict[str, Value], node: ast.AST
) -> Value | None:
    instance = owner.owner
    if not isinstance(instance, Instance):
        return None
    if name == "__init__":
        bases = owner.of.beyond()
        instance.supers += [(base, args, keywords) for base in bases]
        derive(instance, bases, args, keywords)
        if args and isinstance(args[0], Mapping):  # class Config(dict)
            instance.attributes.update(args[0].items)
        return KnownValue(None)
    if name in ("construct", "__call__"):
        return applied_instance(tracer, instance, args, keywords, node)
    return tracer.made("." + name, args, keywords, node, instance)


def _take_out(owner: Items, value: Value, perhaps: bool) -> None:
    """Removes the first that equals a value. `perhaps`: it may as well not be run."""
    first = next((number for number, item in enumerate(owner.items) if same(item, value)), None)
    owner.start = 0
    if first is None or perhaps:
        owner.open = True
    else:
        del owner.items[first]


def _of_items(
    tracer: Tracer, owner: Items, name: str, args: list[Value], keywords: dict[str, Value], node: ast.AST
) -> Value | None:
    perhaps = bool(tracer.tests or tracer.loops)
    if name in ("append", "add", "extend", "insert", "appendleft", "update") and args:
        _put_in(tracer, owner, name, args, node)
        owner.open |= perhaps or len(owner.items) > 400
        _added(tracer, owner, name, args, node)
        del owner.items[400:]
        return KnownValue(None)
    if name == "pop":
        return _popped(tracer, owner, args, node)
    if name == "remove" and args:
        _take_out(owner, args[0], perhaps)
        return KnownValue(None)
    if name == "clear":
        owner.open, owner.start = perhaps, 0
        if not perhaps:
            owner.items.clear()
        return KnownValue(None)
    if name in ("sort", "reverse"):
        return _rearranged(owner, name, keywords, perhaps)
    return Items(list(owner.items), owner.open, start=owner.start) if name == "copy" else None


def _rearranged(owner: Items, name: str, keywords: dict[str, Value], perhaps: bool) -> Value | None:
    owner.start = 0
    if name == "sort":
        owner.items = _sorted(owner.items, keywords, perhaps)
        return None  # how it was sorted, or that it was, may matter to others
    if perhaps:
        return None
    owner.items.reverse()
    return KnownValue(None)


def _put_in(tracer: Tracer, owner: Items, name: str, args: list[Value], node: ast.AST) -> None:
    given = args[-1]
    known = owner.start if owner.open else len(owner.items)
    owner.start = known if name in ("append", "extend") else 0
    if name in ("extend", "update"):
        owner.items += given.items if isinstance(given, Items) else [tracer.element(given, node)]
        owner.open |= not isinstance(given, Items) or given.open
    elif name == "insert" and isinstance(args[0], KnownValue) and type(args[0].value) is int:
        owner.items.insert(args[0].value, given)
    else:
        owner.items.append(given)


def _popped(tracer: Tracer, owner: Items, args: list[Value], node: ast.AST) -> Value | None:
    place = args[0] if args else KnownValue(-1)
    if isinstance(place, KnownValue) and type(place.value) is int and not (owner.open or tracer.tests or tracer.loops):
        return owner.items.pop(place.value) if -len(owner.items) <= place.value < len(owner.items) else None
    owner.open, owner.start = True, 0
    return owner.items[-1] if owner.items and not args else tracer.element(owner, node)


def _sorted(items: list[Value], keywords: dict[str, Value], perhaps: bool) -> list[Value]:
    """Items after a sort: constants by their values; else each may stand at each place where there are constants among them."""
    constants = [item for item in items if isinstance(item, KnownValue)]
    certain = len(constants) == len(items) and not perhaps and not any(item.assumed for item in constants)
    backwards = keywords.get("reverse", KnownValue(False))
    if certain and not keywords.keys() - {"reverse"} and isinstance(backwards, KnownValue):
        try:
            return [*sorted(constants, key=lambda item: item.value, reverse=bool(backwards.value))]
        except TypeError:  # of several kinds
            pass
    return [join(items, limit=32)] * len(items) if constants else items


def _of_mapping(
    tracer: Tracer, owner: Mapping, name: str, args: list[Value], keywords: dict[str, Value], node: ast.AST
) -> Value | None:
    at = args[0] if args and isinstance(args[0], KnownValue) and hashable(args[0].value) else None
    if at is not None and name in ("get", "pop", "setdefault"):
        return _looked_up(tracer, owner, name, at, args[1:], node)
    if name == "__setitem__" and len(args) == 2 and at is not None:
        owner.items[at.value] = tracer.instead(owner, owner.items.get(at.value), args[1])
        return KnownValue(None)
    if name in ("setdefault", "__setitem__") and len(args) == 2:
        owner.fed = [*(owner.fed or []), args[1]][:200]
        return join(owner.fed, limit=32)
    if name == "update":
        _updated(owner, args, keywords)
        return KnownValue(None)
    return _view(owner, name)


def _view(owner: Mapping, name: str) -> Value | None:
    """What a dict gives of all its entries."""
    more = owner.fed or []
    if name == "items":
        pairs = [Items([KnownValue(key), value]) for key, value in owner.items.items()]
        return Items([*pairs, *(Items([UnknownValue(), value]) for value in more)], open=bool(more))
    if name == "keys":
        return Items([*map(KnownValue, owner.items), *(UnknownValue() for _ in more)], open=bool(more))
    if name == "values":
        return Items([*owner.items.values(), *more], open=bool(more))
    return Mapping(dict(owner.items), owner.fed) if name == "copy" else None


def _looked_up(
    tracer: Tracer, owner: Mapping, name: str, at: KnownValue, default: list[Value], node: ast.AST
) -> Value | None:
    """What get, pop or setdefault gives for a key that is known."""
    key = at.value
    if key not in owner.items:
        tracer.registered(owner)
    tracer.unnamed(owner, at, node)
    if key not in owner.items and default:
        found = join([default[0], *(owner.fed or [])])
        if name == "setdefault":
            owner.items[key] = found
        return found
    found = tracer.subscript(owner, at, node)
    if name == "pop" and not (tracer.tests or tracer.loops):
        owner.items.pop(key, None)
    return found


def _updated(owner: Mapping, args: list[Value], keywords: dict[str, Value]) -> None:
    for value in args:
        _update(owner, value)
    if "**" in keywords:
        rest = keywords["**"]
        _feed(owner, (rest.fed or []) if isinstance(rest, Mapping) else [rest])
    owner.items.update({key: value for key, value in keywords.items() if key != "**"})


def _update(owner: Mapping, value: Value) -> None:
    """Put the entries of a dict into another; of one of several, all: what was there before may stay."""
    several = len(options(value)) > 1
    for option in options(value):
        given = option if isinstance(option, Mapping) else _record([option], {})
        _feed(owner, [option] if given is None else given.fed or [])
        for key, entry in given.items.items() if given is not None else ():
            owner.items[key] = join([owner.items[key], entry]) if several and key in owner.items else entry


def _feed(owner: Mapping, values: list[Value]) -> None:
    """Add what is stored under keys that are not known."""
    owner.fed = [*(owner.fed or []), *values][:200] or None


_TEXT = frozenset(
    (
        "lower",
        "upper",
        "capitalize",
        "title",
        "strip",
        "rstrip",
        "lstrip",
        "replace",
        "startswith",
        "endswith",
        "split",
        "rsplit",
        "partition",
        "rpartition",
        "find",
        "rfind",
        "format",
    )
)
#: A field of a format that asks for more than the value as it is: "{:.2f}", "{0.name}".
_SPECIFIED = re.compile(r"\{\w*[^\w}]")


#: The largest finite number of each type; the smallest is as far from 0, or one further.
_LARGEST: dict[str, float] = {
    "float16": 65504.0,
    "bfloat16": 3.3895314e38,
    "float32": 3.4028235e38,
    "float64": 1.7976931348623157e308,
    "int32": 2**31 - 1,
    "int64": 2**63 - 1,
}


def limit(owner: Value, name: str) -> KnownValue | None:
    """The largest number of a type, or the smallest: numpy.finfo(numpy.float32).min."""
    if not isinstance(owner, Call) or owner.last not in ("finfo", "iinfo") or name not in ("min", "max"):
        return None
    kind = owner.args[0] if owner.args else None
    said = kind.value if isinstance(kind, KnownValue) else kind.name if isinstance(kind, NamedValue) else ""
    largest = _LARGEST.get(str(said).rpartition(".")[2])
    return None if largest is None else KnownValue(largest if name == "max" else -largest)


def _run_on_text(text: str, name: str, given: list[Any]) -> Any:
    """What a method of a text gives; None where it is none that is run here, or raises an error."""
    if name not in _TEXT or len(text) > 2000 or any(isinstance(value, str) and len(value) > 200 for value in given):
        return None
    if name == "format" and _SPECIFIED.search(text):
        return None
    try:
        return getattr(text, name)(*given)
    except (TypeError, ValueError, LookupError):
        return None


def _of_text(owner: KnownValue, name: str, args: list[Value], keywords: dict[str, Value]) -> Value | None:
    given = [arg.value for arg in args if isinstance(arg, KnownValue)]
    if len(given) != len(args) or keywords or not all(isinstance(value, (str, int, float)) for value in given):
        return None
    if name in ("resolve", "absolute", "as_posix", "expanduser"):
        return owner
    if name == "joinpath":
        return _path("join", [owner, *(arg for arg in args if isinstance(arg, KnownValue))])
    value = _run_on_text(owner.value, name, given)
    if value is None:
        return None
    why = origin([owner, *args])
    if isinstance(value, (list, tuple)):
        deciders = deciders_of([owner])
        return Items([KnownValue(part, why, deciders=deciders) for part in value], fixed=isinstance(value, tuple))
    return KnownValue(value[:10_000] if isinstance(value, str) else value, why, owner.name)


# --- calling what was made --------------------------------------------------------------------------------------------


def _applied_map(
    tracer: Tracer, called: Call, args: list[Value], keywords: dict[str, Value], node: ast.AST
) -> Value | None:
    """The result of HyperMap()(operation, items) or HyperMap(operation)(items)."""
    operation = called.args[:1] or args[:1]
    over = args if called.args else args[1:]
    if not operation or not over:
        return None
    if isinstance(operation[0], (Function, Instance, Partial, NamedValue)) or _graph(operation[0]) is not None:
        made = tracer.made("", args, keywords, node, called)
        made.result = mapped(tracer, operation[0], over, node)
        return made.result
    return None


def applied(tracer: Tracer, called: Call, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value | None:
    """The result of calling the result of a call: a layer, a gradient function, a training cell."""
    api = called.api
    _put(called.name, args)
    if differentiates(called) and api not in _STEPS and called.name != "[]":
        return _gradient(tracer, called, args, keywords, node)
    if api in ("ops.HyperMap", "ops.Map"):
        return _applied_map(tracer, called, args, keywords, node)
    if api == "ops.Partial" and args:
        return Partial(args[0], args[1:], keywords)
    if called.attached:
        return attached(tracer, called, args, node)
    if called.name == "typer.Typer":
        return typer.applied(tracer, called, declared_options.words(tracer), node)
    if api in _SEQUENTIAL:
        return _threaded(tracer, contained(called), args, node)
    if api in _STEPS:
        arguments = _bound(_STEPS[api], called.args, called.keywords)
        return _stepped(tracer, api, called, arguments, args, keywords, node)
    return None


def applied_instance(
    tracer: Tracer, called: Instance, args: list[Value], keywords: dict[str, Value], node: ast.AST
) -> Value | None:
    """Calling an object whose class leaves that to a base of the framework."""
    for api, arguments in _supers(called):
        if api in _SEQUENTIAL:
            given = [*called.supers[-1][1]]
            return _threaded(tracer, _flat(given), args, node)
        if api in _STEPS:
            return _stepped(tracer, api, called, arguments, args, keywords, node)
    layer = layer_of(called)
    return None if layer is None else tracer.call(layer, args, keywords, node, _are_spread(args, keywords))


def derive(instance: Instance, bases: list[str], args: list[Value], keywords: dict[str, Value]) -> None:
    """Keep the layer that the base of an object's class makes of it, where no method of the class stands for its call."""
    known = apis.find(names.canonical(bases[0])) if len(bases) == 1 else None
    runs = any(instance.of.find(name) is not None for name in ("__call__", "construct", "forward"))
    if known is None or not known.weights or runs:
        return
    instance.layer = as_layer(instance, bases[0], args, keywords)


def as_layer(instance: Instance, base: str, args: list[Value], keywords: dict[str, Value]) -> Call | None:
    """The call that makes the layer of the framework beneath an object, where and when the object is made."""
    if instance.node is None or instance.source is None:
        return None
    return Call(
        base,
        args,
        keywords,
        instance.node,
        instance.source,
        frame=instance.frame,
        tests=instance.tests,
        loops=instance.loops,
        bound=instance.bound,
        order=instance.order,
        left=instance.left,
    )


def layer_of(instance: Instance) -> Call | None:
    """The layer that an object of a derived class is, unless the class has put weights of its own in the place of those."""
    layer = instance.layer
    known = apis.find(layer.api) if layer is not None else None
    if layer is None or known is None or known.weights.keys() & instance.attributes.keys():
        return None
    layer.bound = instance.bound
    return layer


def _stepped(
    tracer: Tracer,
    api: str,
    called: Value,
    arguments: dict[str, Value],
    args: list[Value],
    keywords: dict[str, Value],
    node: ast.AST,
) -> Value | None:
    network = arguments.get("network") or arguments.get("backbone")
    if network is None:
        return None
    pair = _pair(tracer, args, node)
    if api in ("nn.WithLossCell", "nn.WithEvalCell", "nn.WithGradCell") and len(pair) == 2 and "loss_fn" in arguments:
        args = pair
        output = join([tracer.call(option, args[:1], {}, node) for option in options(network)])
        loss = join([tracer.call(option, [output, args[1]], {}, node) for option in options(arguments["loss_fn"])])
        if api == "nn.WithLossCell":
            return loss
        made = tracer.made("", args, keywords, node, called)
        made.result = loss
        return made
    made = tracer.made("", args, keywords, node, called)
    spread = _are_spread(args, keywords)
    made.result = join([tracer.call(option, args, keywords, node, spread) for option in options(network)], limit=32)
    return made


def _are_spread(args: list[Value], keywords: dict[str, Value]) -> bool:
    """Whether arguments hold *batch or **batch of which it is not seen what is in it: any parameter may be among them."""
    return "**" in keywords or any(isinstance(arg, Call) and arg.name == "*args" for arg in args)


def _pair(tracer: Tracer, args: list[Value], node: ast.AST) -> list[Value]:
    """The data and the labels that a cell takes which has room for these two alone, also where they are given as *batch."""
    if len(args) == 1 and isinstance(args[0], Call) and args[0].name == "*args":
        return [tracer.item(args[0].args[0], place, node) for place in range(2)]
    return args


def _threaded(tracer: Tracer, cells: Value | None, args: list[Value], node: ast.AST) -> Value | None:
    """Each cell applied to the result of the one before; of many that a comprehension makes, one."""
    if isinstance(cells, Call) and cells.name == "comprehension" and args:
        return join([tracer.call(option, args[:1], {}, node) for option in options(cells.args[0])])
    if not isinstance(cells, Items) or not args or not cells.items:
        return None
    value = args[0]
    for cell in cells.items:
        value = join([tracer.call(option, [value], {}, node) for option in options(cell)])
    return value


def _gradient(
    tracer: Tracer, called: Call, args: list[Value], keywords: dict[str, Value], node: ast.AST
) -> Value | None:
    """Calling a gradient function runs the function it was made of."""
    function = called.args[0] if called.args else called.keywords.get("fn")
    if function is None:
        return None
    given = args[:-1] if len(args) > 1 and _takes_sens(called) else args
    spread = _are_spread(given, keywords)
    results = [
        tracer.call(option, given, keywords, node, spread)
        for option in options(function)
        if isinstance(option, (Function, Instance, Partial, Call))
    ]
    made = tracer.made("", args, keywords, node, called)
    made.result = join(results, limit=32) if results else None
    if called.api == "value_and_grad":
        return Items([made.result or UnknownValue("loss"), tracer.made("[]", [KnownValue(1)], {}, node, made)])
    return made


def _takes_sens(called: Call) -> bool:
    """Whether the last argument is the gradient to begin with: GradOperation(sens_param=True)(function, weights)(inputs, sens)."""
    maker = called.applied
    sens = maker.argument(["get_all", "get_by_list", "sens_param"], "sens_param") if maker is not None else None
    return isinstance(sens, KnownValue) and bool(sens.value)


def _graph(value: Value) -> Call | None:
    """The MultitypeFuncGraph with functions registered, behind a value."""
    return value if isinstance(value, Call) and value.attached else None


def attached(tracer: Tracer, value: Value, args: list[Value], node: ast.AST) -> Value | None:
    """The result of the functions that were registered with a MultitypeFuncGraph, called with these arguments."""
    given = args
    if isinstance(value, Partial):
        given = value.args + args
        value = value.function
    graph = _graph(value)
    if graph is None or not graph.attached:
        return None
    fitting = [f for f in graph.attached if len(f.node.args.args) == len(given)] or graph.attached
    return join([tracer.call_function(function, given, {}, node) for function in fitting[:4]])


# --- attributes -------------------------------------------------------------------------------------------------------


def _made_by_step(tracer: Tracer, api: str, name: str, node: ast.AST) -> Value | None:
    """What a training cell of the framework makes for itself, whatever it is given."""
    if name == "grad":
        by_list: dict[str, Value] = {"get_by_list": KnownValue(True), "sens_param": KnownValue(True)}
        return tracer.made("mindspore.ops.GradOperation", [], by_list, node)
    if name == "grad_reducer":
        return tracer.noted("mindspore.nn.DistributedGradReducer", [], {}, node)
    if name == "hyper_map":
        return tracer.noted("mindspore.ops.HyperMap", [], {}, node)
    return KnownValue(1.0, name="sens") if name == "sens" and api == "nn.TrainOneStepCell" else None


def inherited(tracer: Tracer, owner: Instance, name: str, node: ast.AST) -> Value | None:
    """An attribute that a base class of the framework sets in its __init__."""
    found: Value | None = None
    for api, arguments in _supers(owner):
        if api not in _STEPS:
            continue
        if name in arguments:
            found = arguments[name]
        elif name in _HELD_AS.values():
            found = next((arguments[key] for key, held in _HELD_AS.items() if held == name and key in arguments), None)
        elif name == "weights" and "optimizer" in arguments:
            found = tracer.noted("@parameters", [], {}, node, arguments["optimizer"])
        else:
            found = _made_by_step(tracer, api, name, node)
        if found is not None:
            owner.attributes[name] = found
            return found
    layer = layer_of(owner)
    return None if layer is None else tracer.attribute(layer, name, node)


def wrapped(owner: Value, name: str) -> Value | None:
    """An attribute of a training cell of the framework that holds what the cell was made with."""
    if not isinstance(owner, Call) or owner.api not in _STEPS:
        return None
    arguments = _bound(_STEPS[owner.api], owner.args, owner.keywords)
    return arguments.get(next((key for key, held in _HELD_AS.items() if held == name), name))


def _supers(owner: Instance) -> list[tuple[str, dict[str, Value]]]:
    found = []
    for name, args, keywords in owner.supers:
        api = names.canonical(name)
        found.append((api, _bound(_STEPS.get(api, []), args, keywords)))
    return found


def _bound(parameters: list[str], args: list[Value], keywords: dict[str, Value]) -> dict[str, Value]:
    return {**dict(zip(parameters, args, strict=False)), **keywords}


def contained(value: Value) -> Items | Call | None:
    """What a container of cells or a copy of a list gives back, item by item."""
    if not isinstance(value, Call) or value.api not in _HOLDERS:
        return None
    inner = _flat(value.args)
    if value.fed:
        held = inner.items if isinstance(inner, Items) else [] if inner is None else [inner]
        return Items([*held, *value.fed], open=True)
    return inner


def attributes_of(made: Call) -> dict[str, Value]:
    """What was set on a cell of the framework by name, as on an nn.Cell() that holds others."""
    return made.held or {} if made.base is None and made.api.startswith(CELLS) else {}


def cells(value: Value) -> Items | Call | None:
    """What a container of cells holds, item by item; None for anything else."""
    return contained(value) if isinstance(value, Call) and value.api in _CONTAINERS else None


def put_cell(tracer: Tracer, container: Value, key: Value, cell: Value) -> bool:
    """Put a cell into the place of another one in a container; False where the place is not seen, or is none of a container."""
    held = cells(container) if isinstance(container, Call) else None
    place = key.value if isinstance(key, KnownValue) else None
    if not (isinstance(container, Call) and isinstance(held, Items) and type(place) is int):
        return False
    named = any(isinstance(arg, Mapping) for arg in container.args)
    if named or held.open or not -len(held.items) <= place < len(held.items):
        return False
    parts = [*held.items]
    parts[place] = tracer.instead(container, parts[place], cell)
    container.args = [Items(parts)]
    return True


def container_like(tracer: Tracer, owner: Value, cells: Value, node: ast.AST) -> Value:
    """A container of the same kind as `owner` that holds some of its cells."""
    return tracer.noted(owner.name, [cells], {}, node) if isinstance(owner, Call) else cells


def _flat(args: list[Value]) -> Items | Call | None:
    """The items of a container from the arguments it was made with: one list of them, or each by itself."""
    given: list[Value] = []
    for arg in args:
        if isinstance(arg, Call) and arg.name == "*args":
            inner = arg.args[0]
            given += inner.items if isinstance(inner, Items) else [inner]
        else:
            given.append(arg)
    if len(given) == 1 and isinstance(given[0], Mapping):
        return Items(list(given[0].items.values()))
    if len(given) == 1 and isinstance(given[0], (Items, Call)) and not _is_cell(given[0]):
        found = _second(given[0])
        return found if isinstance(found, (Items, Call)) else None
    return Items(given) if given else Items([], open=True)


def _second(made: Items | Call) -> Items | Call:
    """The values of a dict that is made of pairs whose number or names are not seen; anything else as it is."""
    pairs = made.args[0] if isinstance(made, Call) and made.last in ("OrderedDict", "dict") and made.args else None
    if not isinstance(pairs, Items):
        return made
    values = [pair.items[1] for pair in pairs.items if isinstance(pair, Items) and len(pair.items) == 2]
    return Items(values, open=pairs.open) if len(values) == len(pairs.items) else made


def _is_cell(value: Value) -> bool:
    return isinstance(value, Call) and value.api.startswith(("nn.", "mint.nn.", "ops.")) and value.api not in _HOLDERS


def elements(tracer: Tracer, value: Call, node: ast.AST) -> Value | None:
    """What a loop over the result of enumerate or zip yields."""
    if value.name == "enumerate" and value.args:
        place = (
            Index("index", of=value.args[0]) if len(value.args) == 1 and not value.keywords else UnknownValue("index")
        )
        return Items([place, tracer.element(value.args[0], node)])
    if value.name == "zip" and value.args:
        return Items([tracer.element(arg, node) for arg in value.args])
    return None
