"""The data of a script: its data sets with what each column holds, what they are used for, and what reaches the networks.

A data set is followed from its constructor through its methods to where it is read or given to a model. What MindSpore would
run of the project on the way is run on values here: the __getitem__ of a source, mapped functions, per_batch_map. So a column
is a value like any other, and samples.py tells what happened to its numbers.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

from ..knowledge import api, dataset_classes
from ..knowledge.names import TRANSFORMS
from . import effects, flow
from .analysis import KEPT, Reading, Scripts
from .factors import gradient
from .flow import derives, find, users
from .modes import training_events
from .networks import called, in_callback, is_cell, kind
from .records import Records
from .sample_numbers import constant, plain
from .samples import SamplePath, Samples
from .syntax import THROUGH
from .trace import Store, Trace
from .training import purpose, role
from .values import (
    Call,
    Frame,
    Function,
    Instance,
    Items,
    KnownValue,
    Many,
    Mapping,
    Partial,
    UnknownValue,
    Value,
    frames_around,
    is_known,
    is_none,
    join,
    name_of,
    options,
    parts,
    runs_model,
    unseen,
    words,
)

READERS = (*dataset_classes.ITERATORS, "each")
#: Calls that look at a data set and give nothing of it back.
LOOKS = frozenset(
    ["print", "len", "iter", "next", "enumerate", "tqdm", "range", "list", "type", "isinstance", "repr", "str", "id"]
)
#: Methods of a data set that tell about it and read no row.
COUNTS = frozenset(
    (
        "get_dataset_size",
        "get_batch_size",
        "get_col_names",
        "get_class_indexing",
        "num_classes",
        "output_shapes",
        "output_types",
    )
)
PASSES_ON = re.compile(r"data|loader|pipeline|transform|process|augment|preprocess|batch|shuffle|map", re.I)
_NOT_A_SET = re.compile(
    r"^(get|set|output)_|size$|_num$|^num_|len|count|shape|length|visual|plot|show|save|append|copy"
)

#: The columns of the data set classes that read public data: those with images, with sound, and with texts.
_IMAGES = """Caltech101 Caltech256 CelebA Cifar10 Cifar100 Cityscapes Coco DIV2K EMnist FakeImage FashionMnist Flickr Flowers102
Food101 ImageFolder KITTI KMnist LFW LSUN Manifest Mnist Omniglot PhotoTour Places365 QMnist RenderedSST2 SB SBU STL10 SUN397
SVHN Semeion USPS VOC WIDERFace"""
_SOUNDS = "CMUArctic GTZAN LJSpeech LibriTTS SpeechCommands Tedlium YesNo"
_KINDS = {f"{name}Dataset": "pixels" for name in _IMAGES.split()} | {f"{n}Dataset": "audio" for n in _SOUNDS.split()}
_FIRST = {
    "DIV2KDataset": ["hr_image", "lr_image"],
    "CelebADataset": ["image", "attr"],
    "Cifar100Dataset": ["image", "coarse_label", "fine_label"],
    "Caltech101Dataset": ["image", "category"],
    "CityscapesDataset": ["image", "task"],
    "FlickrDataset": ["image", "annotation"],
    "SBUDataset": ["image", "caption"],
    "VOCDataset": ["image", "target"],
    "CocoDataset": ["image", "bbox", "category_id"],
}
_STORED = ("MindDataset", "TFRecordDataset", "CSVDataset", "OBSMindDataset", "RandomDataset", "PaddedDataset")
_HELPERS = ("DatasetHelper", "connect_network_with_dataset", "data_sink")


_LABEL = re.compile(
    r"(?i)label|target|(^|_)(gt|y|cls|class(es)?|seg|mask|bbox(es)?|box(es)?|anno\w*|caption|attr|score|density|truth|answer|category"
    r"|task|rating|num|shape|filename)(_|$|\d)|^(gt|lbl)",
)
_SURELY_LABEL = re.compile(r"(?i)label|(^|_)(gt|bbox(es)?|box(es)?|anno\w*|attr)(_|$|\d)|^(gt|lbl)")
_BESIDES = re.compile(
    r"(?i)(^|_)(ids?|token\w*|mask|segment|pos\w*|lens?|length\w*|words?|sentence|seq\w*|index|idx)(_|$|\d)|ids?$"
)


# --- columns ----------------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class Columns:
    """What a data set yields, by the names of its columns; `reader` gives further ones by any name. `opaque`: the calls of
    functions elsewhere that it went through."""

    values: dict[str, Value]
    reader: Call | None = None
    opaque: tuple[Call, ...] = ()

    @property
    def order(self) -> list[str]:
        return list(self.values)

    def get(self, name: str) -> Value | None:
        if name not in self.values and self.reader is not None:
            self.values[name] = _column(self.reader, name)
        return self.values.get(name)

    def at(self, place: int) -> Value | None:
        names = self.order
        return self.values[names[place]] if -len(names) <= place < len(names) else None


def _column(reader: Call, name: str) -> Call:
    kind = _KINDS.get(reader.last, "record" if reader.last in _STORED else "text")
    if kind == "pixels" and "image" not in name:
        kind = "number"
    if kind == "audio" and name != "waveform":
        kind = "text"
    return Call(
        "column", [KnownValue(name), KnownValue(kind)], {}, reader.node, reader.source, reader, order=reader.order
    )


def _renamed(call: Call, columns: Columns) -> Columns:
    parameters = ["input_columns", "output_columns"]
    old, new = (_names(call.argument(parameters, parameter)) for parameter in parameters)
    if not old or not new or len(old) != len(new):
        return columns
    for name in old:
        columns.get(name)
    turned = dict(zip(old, new, strict=True))
    return Columns({turned.get(n, n): v for n, v in columns.values.items()}, columns.reader, columns.opaque)


def _names(value: Value | None) -> list[str] | None:
    """The names of columns as they are given: a text or a list of them."""
    for option in options(value):
        if isinstance(option, KnownValue) and isinstance(option.value, str):
            return [option.value]
        if isinstance(option, Items) and not option.open:
            found = [
                item.value for item in option.items if isinstance(item, KnownValue) and isinstance(item.value, str)
            ]
            if len(found) == len(option.items) and found:
                return found
    return None


# --- what a data set is for -------------------------------------------------------------------------------------------


class Uses:
    """Where the data sets of a trace go and what they are for. `is_set` tells which calls give a data set."""

    def __init__(self, trace: Trace, is_set: Callable[[Call], bool]) -> None:
        self.trace, self.is_set = trace, is_set

    @cached_property
    def consumers(self) -> dict[int, list[tuple[Call, str]]]:
        return flow.consumers(self.trace)

    def dead(self, call: Call, depth: int = 0) -> bool:
        """True for a result that is dropped."""
        if call.discarded:
            return True
        after = [user for user, _ in self.consumers[id(call)]]
        return (
            bool(after)
            and not call.bound
            and depth < 30
            and all(self.dead(user, depth + 1) and self.is_set(user) for user in after)
        )

    def leaves(self) -> list[Call]:
        """The data sets at the end of their chains, or given to a model to train: what is really trained or evaluated with."""
        found = []
        for call in self.trace.calls:
            if not self.is_set(call) or self.dead(call):
                continue
            after = [user for user, _ in self.consumers[id(call)]]
            goes_on = any(self.is_set(user) and not self.dead(user) for user in after) or self.read_whole(call, after)
            if not goes_on or any(user.name in (".train", ".fit", ".eval") for user in after):
                found.append(call)
        return found

    @cached_property
    def fed(self) -> set[int]:
        """The ids of the objects that data sets are made of."""
        made = (call for call in self.trace.calls if self.is_set(call))
        given = (option for call in made for option in options(call.argument(["source"], "source")))
        return {id(option) for option in given if isinstance(option, Instance)}

    def read_whole(self, call: Call, after: list[Call]) -> bool:
        """True for one that an object reads into itself when it is made, from which another data set is made then."""
        frame = call.frame
        return (
            frame is not None
            and frame.function.name == "__init__"
            and id(frame.owner) in self.fed
            and any(user.last in READERS for user in after)
            and all(user.frame is frame for user in after)
        )

    def chain(self, call: Call) -> list[Call]:
        """A data set and what it was made from, back to its constructors."""
        found: list[Call] = []
        queue = [call]
        while queue and len(found) < 200:
            part = queue.pop(0)
            if part in found or not self.is_set(part):
                continue
            found.append(part)
            for value in (part.base, *part.args, *part.keywords.values()):
                queue += parts(value)
        return found

    def role(self, leaf: Call, chain: list[Call]) -> str | None:
        """train or eval, from the strongest hint that says one of them only: what it is given to, its names, the loops that read it, where
        it is made, its path."""
        keywords, after, places = self.used_as(leaf)
        made = [part for part in chain if not part.name.startswith(".")]
        if _usage(made) == {"eval"} and role(keywords) is None and not self.trains_by_model(leaf):
            return "eval"  # a function that trains is often given the data to evaluate with, too
        if "train" in {role([word]) for word in (*keywords, *after)}:
            return "train"
        stated = {purpose(part.given) for part in chain} - {None}
        within = {role([*part.functions[-1:]]) for part in chain}
        if stated == {"train"} and within == {"eval"}:
            stated = set()  # make_eval_set(test=False) is for validation
        if len(stated) == 1 and not any(role(hint) for hint in (keywords, after)):
            return stated.pop()
        named = [keywords, after, places, [name for part in chain for name in part.bound]]
        around = [[name] for part in chain for name in reversed(part.functions)]
        given = ((*origin.args, *origin.keywords.values()) for origin in made)
        around += [[word for value in values for word in words(value)] for values in given]
        found = _role_of(named) or self.role_by_loops(leaf)
        return found or (None if self.is_left_unread(leaf) else _role_of(around))

    def is_left_unread(self, leaf: Call) -> bool:
        """True for a data set that nothing reads but for its size, where another one is seen to be trained with."""
        users = (user for user, _ in self.consumers[id(leaf)])
        return self.sees_training and all(user.last in COUNTS for user in users)

    @cached_property
    def sees_training(self) -> bool:
        """Whether a data set is seen to be read by a training."""
        return any(self.trains_by_model(leaf) or self.role_by_loops(leaf) == "train" for leaf in self.leaves())

    def role_by_loops(self, leaf: Call) -> str | None:
        """train for a data set that a loop reads in which weights are updated, eval for one that networks only run on in a script that
        trains otherwise; None for any other."""
        loops = {id(loop) for loop in self.loops(leaf)}
        if loops & self.stepping:
            return "train"
        return "eval" if self.stepping and loops & self.running else None

    def trains_by_model(self, leaf: Call) -> bool:
        return any(user.name in (".train", ".fit") for user, _ in self.consumers[id(leaf)])

    def used_as(self, leaf: Call) -> tuple[list[str], list[str], list[str]]:
        """What a data set is called where it is given to something, what that is called, and the functions that read it."""
        keywords: list[str] = []
        after: list[str] = []
        places: list[str] = []
        for user, keyword in self.consumers[id(leaf)]:
            keywords.append(keyword)
            if user.last in READERS or user.last in LOOKS:
                readers = (user, *(call for call, _ in self.consumers[id(user)]))
                # on_train_step_end of a callback says when it reads, and not what for: what it reads is to evaluate with.
                within = [("eval",) if in_callback(call.frame) else call.functions[-1:] for call in readers]
                places += [name for some in within for name in some]
                places += user.bound
            elif role([keyword]) is None:
                after.append(user.last)
        return keywords, after, places

    def loops(self, leaf: Call) -> Iterator[ast.AST]:
        """The loops that are seen to read a data set."""
        return (turn.node for turn in self.turns(leaf))

    def turns(self, leaf: Call) -> Iterator[Call]:
        """What takes the batches of a data set, one after the other."""
        queue = [leaf]
        while queue:
            part = queue.pop()
            for user, _ in self.consumers[id(part)]:
                if user.name == ".each" and user.node is not None:
                    yield user
                elif user.last in (*THROUGH, *dataset_classes.ITERATORS):
                    queue.append(user)

    @cached_property
    def steps(self) -> list[Call]:
        """The calls that compute gradients, or have weights updated."""
        return [call for call in self.trace.calls if gradient(call) is not None or calls_a(call, ("step", "optimizer"))]

    @cached_property
    def stepping(self) -> set[int]:
        """The ids of the loops in which weights are trained."""
        return {id(loop) for call in self.steps for loop in call.loops}

    @cached_property
    def running(self) -> set[int]:
        """The ids of the loops in which networks run."""
        around = [frame.loops for frame in self.trace.frames if frame.function.name == "construct"]
        around += [call.loops for call in self.trace.calls if _runs_network(call)]
        return {id(loop) for loops in around for loop in loops}

    def trained(self, leaf: Call) -> bool:
        """True for a data set that is given to something that trains: the name of a variable alone says less."""
        return any("train" in (role([keyword]), role([user.last])) for user, keyword in self.consumers[id(leaf)])


def calls_a(call: Call, kinds: tuple[str, ...]) -> bool:
    """Whether an object of the framework of such a kind is called."""
    return call.name == "" and isinstance(call.base, Call) and kind(call.base.api) in kinds


def _role_of(hints: list[list[str]]) -> str | None:
    """What the first of several groups of words that says one thing says."""
    return next((found for found in map(role, hints) if found), None)


# --- pipelines --------------------------------------------------------------------------------------------------------


#: Where an input arrives that the network computes with.
_COMPUTES = frozenset(("layer", "norm", "scaled"))


@dataclass(eq=False)
class Input:
    """Something that may reach a network: a column of a data set as it is when the network gets it, or another value.

    `parameter` is what the network calls it, `inner` what it is there, `inside` what all networks get. `arrives` tells what the
    network does first with it: "layer", "norm" (it is normalised there), "ids" (an index into an embedding), "loss", "scaled";
    empty when that could not be followed. `inference`: the network does not learn from it.
    """

    name: str
    value: Value
    ways: tuple[SamplePath, ...]
    parameter: str = ""
    arrives: frozenset[str] = frozenset()
    frame: Frame | None = None
    place: int = 0
    inner: Value | None = None
    inside: list[tuple[str, Value]] = field(default_factory=list)
    inference: bool = False

    @property
    def frame_call(self) -> Call | None:
        """A call to point to where nothing else is seen."""
        return next((option for option in options(self.value) if isinstance(option, Call)), None)

    @property
    def of_data(self) -> list[SamplePath]:
        """The ways that bring samples of data."""
        return [way for way in self.ways if way.data]

    @property
    def not_computed(self) -> list[SamplePath]:
        """Those of them that bring what no network computes."""
        return [way for way in self.of_data if way.origin != "network"]

    @property
    def is_label(self) -> bool:
        """Whether nothing but the loss takes it, or its name says so and the network does not compute with it."""
        if self.arrives == {"loss"} or _SURELY_LABEL.search(self.name):
            return True
        return not self.arrives & _COMPUTES and _LABEL.search(self.name) is not None

    @property
    def is_index(self) -> bool:
        """Whether it is integers that no layer takes as they are, or its name says so."""
        if "layer" in self.arrives:
            return False
        by_name = "norm" not in self.arrives and _BESIDES.search(self.name) is not None
        return by_name or all(way.integer for way in self.of_data)

    @property
    def kind(self) -> str:
        """What it is: "label" (or something else that only the loss takes), "ids", "text", "simulator", "made" (by the program
        itself), "nothing", or what it is read as: "pixels", "audio", "table", "array", "record", "unknown"."""
        origins = [way.origin for way in self.of_data]
        if (not origins or origins[0] == "network") and "ids" not in self.arrives:
            return "nothing"
        if self.is_label:
            return "label"
        if "ids" in self.arrives and not self.arrives & _COMPUTES:
            return "ids"
        if not origins:
            return "nothing"
        if origins[0] in ("text", "simulator"):
            return origins[0]
        if origins[0] != "pixels" and self.is_index:
            return "ids"
        return "made" if origins[0] == "generated" else origins[0]


@dataclass(eq=False)
class Pipeline:
    """The data of one use: of a data set (`leaf`, made of `chain`), or of values that a script gives to a network itself."""

    reading: Reading
    role: str | None
    leaf: Call | None = None
    chain: list[Call] = field(default_factory=list)
    inputs: list[Input] = field(default_factory=list)
    sure: bool = True
    trained: bool = False
    given: bool = False  # to a Model
    opaque: tuple[Call, ...] = ()

    @property
    def proven(self) -> bool:
        """True when something of it is seen to reach a network, or what trains or evaluates one."""
        return self.trained or self.given or any(entry.parameter or entry.arrives for entry in self.inputs)

    @property
    def source(self) -> Call | None:
        """The constructor call."""
        return next((part for part in reversed(self.chain) if part.name.startswith("mindspore.")), None)


class Pipelines:
    """The pipelines of one reading."""

    def __init__(self, reading: Reading) -> None:
        self.reading, self.trace = reading, reading.trace
        self.known = dataset_classes.load()
        self.columns: dict[int, Columns] = {}
        self.batches: dict[int, Call] = {}  # what is read from an iterator, by the data set
        self.samples = Samples(self.read, self.call)
        for call in self.trace.calls:
            if not self.columns and not call.name.startswith("mindspore."):
                continue  # nothing to be made of yet
            columns = self.yields(call)
            if columns is not None:
                self.columns[id(call)] = columns
        self.found = self.pipelines()

    @cached_property
    def held_fast(self) -> set[int]:
        """The layers, by id, whose own classes give them weights and keep these from being trained: a mean and a deviation that a
        convolution holds."""
        frozen = [one.frame for one in self.trace.stores if one.attribute == "requires_grad" and _is_off(one)]
        given = {
            id(call.frame.owner) for call in self.trace.calls if call.last == "set_data" and call.frame is not None
        }
        given |= {id(one.owner) for one in self.trace.sets if one.attribute == "weight"}
        owners = [frame.owner for frame in frozen if frame is not None and id(frame.owner) in given]
        return {id(owner.layer) for owner in owners if isinstance(owner, Instance) and owner.layer is not None}

    @cached_property
    def handed_on(self) -> list[tuple[str, Value]]:
        """What each network gets, by the name of its class."""
        return [
            (frame.owner.of.node.name, value)
            for frame in self.trace.frames
            if frame.function.name == "construct" and isinstance(frame.owner, Instance)
            for value in list(frame.parameters.values())[1:]
        ]

    @cached_property
    def records(self) -> Records:
        return Records(self.reading)

    @cached_property
    def uses(self) -> Uses:
        return Uses(self.trace, lambda call: id(call) in self.columns)

    @cached_property
    def users(self) -> dict[int, list[tuple[Call, str]]]:
        return users(self.trace)

    # --- what a data set yields ---------------------------------------------------------------------------------------

    def call(self, function: Value, args: list[Value]) -> Value:
        """What a function or object of the project makes of values, as MindSpore would call it."""
        found: Value = self.trace.again(
            lambda tracer: join([tracer.call(option, list(args), {}, _node(option)) for option in options(function)])
        )
        return found

    def of(self, value: Value | None) -> list[Columns]:
        return [self.columns[id(part)] for part in parts(value) if id(part) in self.columns]

    def yields(self, call: Call) -> Columns | None:
        """The columns of the data set that a call returns; None when it is none."""
        if call.name.startswith("mindspore.") and call.last in self.known.sources:
            return self.constructed(call)
        base = self.of(call.base)
        if base and call.name.startswith(".") and call.last in (*self.known.methods.keeps, "shuffle"):
            return self.method(call, base)
        if base and _is_part_of_split(call):
            return base[0]
        given = [columns for value in (*call.args, *call.keywords.values()) for columns in self.of(value)]
        if not given:
            return None
        if call.name in ("+", "mindspore.dataset.concat"):
            return self.joined(given)
        if call.name == "mindspore.dataset.zip":
            return self.zipped(given)
        return Columns(given[0].values, given[0].reader, (*given[0].opaque, call)) if self.passes_on(call) else None

    def passes_on(self, call: Call) -> bool:
        """True for a function elsewhere that is given a data set and seems to return one."""
        if call.discarded or call.last in LOOKS or call.last in READERS or not call.name[:1].isalpha():
            return False
        if call.name.startswith(("mindspore.", "numpy.")) or call.last[:1].isupper() or _NOT_A_SET.search(call.last):
            return False
        return PASSES_ON.search(call.last) is not None or (bool(call.bound) and role([call.last]) is None)

    def joined(self, given: Sequence[Columns]) -> Columns:
        if len(given) == 1:
            return given[0]
        names = list(dict.fromkeys(name for columns in given for name in columns.values))
        values = {n: join([c.values[n] for c in given if n in c.values]) for n in names}
        return Columns(values, given[0].reader, tuple(dict.fromkeys(call for c in given for call in c.opaque)))

    def zipped(self, given: Sequence[Columns]) -> Columns:
        values = {name: value for columns in given for name, value in columns.values.items()}
        return Columns(values, given[0].reader, tuple(dict.fromkeys(call for c in given for call in c.opaque)))

    def constructed(self, call: Call) -> Columns:
        parameters = self.known.sources[call.last].parameters
        if call.last == "GeneratorDataset":
            names = (
                _names(call.argument(parameters, "column_names")) or _names(call.argument(parameters, "schema")) or []
            )
            return self.generated(call, call.argument(parameters, "source"), names)
        if call.last == "NumpySlicesDataset":
            return self.sliced(call, call.argument(parameters, "data"), call.argument(parameters, "column_names"))
        names = (
            _names(call.argument(parameters, "columns_list")) or _names(call.argument(parameters, "column_names")) or []
        )
        if call.last in _KINDS:
            names = _FIRST.get(call.last) or (["waveform"] if _KINDS[call.last] == "audio" else ["image", "label"])
        return Columns({name: _column(call, name) for name in names}, call)

    def generated(self, call: Call, source: Value | None, names: list[str]) -> Columns:
        yielded = [self.sample(option, call) for option in options(source)]
        value = join([found for found in yielded if found is not None]) if any(yielded) else UnknownValue("source")
        shown: dict[str, Value] = {}
        for place, name in enumerate(names):
            shown[name] = _part(value, place, name, len(names), call)
        if not names:
            many = [option for option in options(value) if isinstance(option, Items)]
            for place in range(max((len(option.items) for option in many), default=1)):
                shown[f"column_{place}"] = _part(value, place, "", 2 if many else 1, call)
        return Columns(shown)

    def sample(self, source: Value, call: Call) -> Value | None:
        """One sample of the source of a GeneratorDataset."""
        if isinstance(source, Instance):
            method = source.of.find("__getitem__")
            if isinstance(method, Function):
                bound = Function(method.node, method.scope, method.source, source, method.of)
                return self.call(bound, [UnknownValue("index")])
            return self.trace.again(lambda tracer: tracer.element(source, call.node))
        if isinstance(source, (Function, Partial)):
            found = self.call(source, [])
            return found.result if isinstance(found, Call) and found.name == "generator" else found
        if isinstance(source, (Call, Items)):
            return self.trace.again(lambda tracer: tracer.element(source, call.node))
        return None

    def sliced(self, call: Call, data: Value | None, names: Value | None) -> Columns:
        columns = _names(names)
        values: dict[str, Value] = {}
        for option in options(data):
            if isinstance(option, Mapping):
                values.update({str(key): item for key, item in option.items.items()})
            elif isinstance(option, Items) and (columns is None or len(columns) == len(option.items)):
                names_ = columns or [f"column_{place}" for place in range(len(option.items))]
                values.update(dict(zip(names_, option.items, strict=False)))
            elif isinstance(option, Call):
                for place, name in enumerate(columns or ["column_0"]):
                    values[name] = _part(option, place, name, len(columns or [""]), call)
        return Columns(values, None if values else call)

    def mapped_batches(self, call: Call, columns: Columns) -> Columns:
        """Behind the function that batch() runs on whole batches."""
        names = _names(call.keywords.get("input_columns")) or columns.order
        given = [columns.get(name) or UnknownValue(name) for name in names]
        result = self.call(call.keywords["per_batch_map"], [*given, UnknownValue("batch_info")])
        return self.replaced(columns, result, names, _names(call.keywords.get("output_columns")) or names, call)

    def method(self, call: Call, base: list[Columns]) -> Columns:
        columns = self.joined(base)
        given: list[Any]
        if call.last == "map":
            return self.mapped(call, columns)
        if call.last in ("batch", "padded_batch") and not is_none(call.keywords.get("per_batch_map")):
            return self.mapped_batches(call, columns)
        if call.last == "project":
            wanted = _names(call.argument(["columns"], "columns"))
            if wanted:
                return Columns({name: columns.get(name) or UnknownValue(name) for name in wanted}, None, columns.opaque)
        if call.last == "rename":
            return _renamed(call, columns)
        if call.last in ("concat", "zip"):
            given = [found for value in (*call.args, *call.keywords.values()) for found in self.of(value)]
            return self.joined([columns, *given]) if call.last == "concat" else self.zipped([columns, *given])
        return columns

    def mapped(self, call: Call, columns: Columns) -> Columns:
        known = ["operations", "input_columns", "output_columns"]
        operations, wanted = call.argument(known, "operations"), call.argument(known, "input_columns")
        if operations is None:
            return columns
        if isinstance(wanted, Many):  # in a loop over the columns
            for option in wanted.options:
                keywords = {**call.keywords, "operations": operations, "input_columns": option}
                columns = self.mapped(replace(call, args=[], keywords=keywords), columns)
            return columns
        names = self.named(wanted) or (columns.order[: _takes(operations)] if is_none(wanted) else [])
        if not names:
            return self.perhaps_mapped(call, columns, operations)
        given = [columns.get(name) or UnknownValue(name) for name in names]
        result = self.samples.apply(operations, given, call)
        return self.replaced(columns, result, names, _names(call.argument(known, "output_columns")) or names, call)

    def perhaps_mapped(self, call: Call, columns: Columns, operations: Value) -> Columns:
        """The columns behind operations on one of them that is not seen: each as it was, or changed."""
        applied = {name: self.samples.apply(operations, [value], call) for name, value in columns.values.items()}
        values = {name: join([value, _part(applied[name], 0, "", 1, call)]) for name, value in columns.values.items()}
        return Columns(values, columns.reader, columns.opaque if values else (*columns.opaque, call))

    def named(self, value: Value | None) -> list[str] | None:
        """The names of columns as they are given, or as a data set is asked for them."""
        given = (o.items if isinstance(o, Items) else [o] for o in options(value))
        asked = ([name for item in items for name in self.asked(item)] for items in given)
        return _names(value) or next(filter(None, asked), None)

    def asked(self, value: Value) -> list[str]:
        """The names that data.get_col_names() gives, or one of them, where the columns are known."""
        if not isinstance(value, Call):
            return []
        if value.name == ".get_col_names":
            return next((columns.order for columns in self.of(value.base)), [])
        key = value.args[0] if value.name in ("[]", ".item") and value.args else None
        if not isinstance(key, KnownValue) or type(key.value) is not int or value.base is None:
            return []
        names = self.asked(value.base)
        return [names[key.value]] if -len(names) <= key.value < len(names) else []

    def replaced(self, columns: Columns, result: Value, old: list[str], new: list[str], call: Call) -> Columns:
        """The columns after some of them gave way to what a function made of them."""
        values: dict[str, Value] = {}
        made = {name: _part(result, place, "", len(new), call) for place, name in enumerate(new)}
        for name, value in columns.values.items():
            if name == old[0]:
                values.update(made)
            if name not in old:
                values.setdefault(name, value)
        return Columns({**values, **made}, columns.reader, columns.opaque)

    # --- what is read from them ---------------------------------------------------------------------------------------

    def read(self, made: Call) -> list[Value] | None:
        """What something read from a data set stands for: the columns; None for what is not read from one."""
        if made.name == "column":
            return self.written(made)
        if made.name in ("[]", ".item") and isinstance(made.base, Call):
            columns = self.batch(made.base)
            if columns is None:
                return None
            key = made.args[0] if made.args else None
            if isinstance(key, KnownValue) and isinstance(key.value, str):
                found = columns.get(key.value)
                return [found] if found is not None else [UnknownValue(key.value)]
            if isinstance(key, KnownValue) and type(key.value) is int:
                found = columns.at(key.value)
                return [found] if found is not None else [UnknownValue(f"column {key.value}")]
            return list(columns.values.values())
        columns = self.batch(made)
        return None if columns is None else list(columns.values.values())

    def written(self, column: Call) -> list[Value] | None:
        """What the project itself writes into a stored column, when that tells more than that it is stored."""
        name, kind = str(plain(column.args[0])), str(plain(column.args[1]))
        reader = column.base.last if isinstance(column.base, Call) else ""
        if kind != "record" or reader != "MindDataset":
            return None
        values = self.records.of(name)
        ways = [way for way in self.samples.each(values) if way.data]
        telling = [way for way in ways if way.origin in ("pixels", "audio", "table", "array")]
        return values if telling and len(telling) == len(ways) else None

    def batch(self, made: Call) -> Columns | None:
        """The columns behind one batch of a data set that is iterated."""
        iterator: Value | None = None
        if made.name in (".each", ".get_next", ".__next__"):
            iterator = made.base
        elif made.name == "next":
            iterator = made.args[0] if made.args else None
        for part in parts(iterator):
            if part.last in dataset_classes.ITERATORS:
                found = self.of(part.base)
            elif part.api in _HELPERS:
                found = [columns for value in part.args for columns in self.of(value)]
            elif part.name in ("iter", "enumerate", "tqdm.tqdm"):
                found = [
                    columns
                    for value in part.args[:1]
                    for inner in parts(value)
                    for columns in self.of(_iterated(inner))
                ]
            else:
                found = [self.columns[id(part)]] if id(part) in self.columns else []
            if found:
                return self.joined(found)
        return None

    def set_of(self, value: Value) -> set[int]:
        """The data sets, by id, that a value is read from."""
        found = find(value, lambda made: self.batch(made) is not None, lambda part: isinstance(part, KnownValue))
        if found is None:
            return set()
        iterator = found.base if found.base is not None else found.args[0] if found.args else None
        sets = {id(p) for part in parts(iterator) for p in (part, *parts(part.base), *parts(Items(part.args)))}
        return {one for one in sets if one in self.columns}

    # --- what reaches the networks ------------------------------------------------------------------------------------

    def pipelines(self) -> list[Pipeline]:
        found: list[Pipeline] = []
        taken: set[int] = set()
        leaves = _run([(leaf, leaf.frame) for leaf in self.uses.leaves()]) if self.columns else []
        entries = _run([(entry, entry.frame) for entry in self.entries()], bool(leaves))
        read_from = {id(entry): self.set_of(entry.value) for entry in entries}
        roles = {id(leaf): self.uses.role(leaf, self.uses.chain(leaf)) for leaf in leaves}
        if self.reading.role != "train" and "eval" not in roles.values():
            roles = dict.fromkeys(roles, "eval")  # whatever its names say, that is what the script is for
        for leaf in leaves:
            chain = self.uses.chain(leaf)
            told = roles[id(leaf)]
            assumed = told or ("eval" if self.reading.view == "eval" and self.reading.role != "train" else None)
            columns = self.columns[id(leaf)]
            pipeline = Pipeline(self.reading, assumed, leaf, chain, sure=told is not None, opaque=columns.opaque)
            pipeline.trained = self.uses.trained(leaf)
            pipeline.given = any(runs_model(user) for user in self.takers(leaf))
            family = {id(leaf), *(id(part) for part in chain)}
            others = {id(other) for other in leaves} - family
            for entry in entries:
                if read_from[id(entry)] & family and not read_from[id(entry)] & others:
                    pipeline.inputs.append(entry)
                    taken.add(id(entry))
            if not pipeline.inputs:
                pipeline.inputs = list(self.through_model(leaf, columns)) or [
                    self.input(name, value, place=place) for place, (name, value) in enumerate(columns.values.items())
                ]
            found.append(pipeline)
        rest = [entry for entry in entries if id(entry) not in taken and not read_from[id(entry)]]
        if rest:
            found += self.direct(rest)
        return found

    def direct(self, entries: list[Input]) -> Iterator[Pipeline]:
        """Values that a script gives to its networks without a data set, those that they learn from apart."""
        trains = self.reading.view == "train" and self.reading.role == "train"
        learnt = self.telling([entry for entry in entries if not entry.inference])
        # A script that trains whatever its flags say shows by these what it trains with, not what it evaluates with.
        trains_anyway = self.reading.role == "train" and not trains and bool(self.steps)
        if learnt and not trains_anyway:
            yield Pipeline(self.reading, "train" if trains else "eval", inputs=learnt, sure=False)
        shown = self.telling([entry for entry in entries if entry.inference])
        # What the program itself makes for a trained network shows it, as a line through points does.
        shown = [entry for entry in shown if entry.kind not in ("made", "nothing", "simulator")]
        if shown:
            yield Pipeline(self.reading, "eval", inputs=shown, sure=False)

    def telling(self, entries: list[Input]) -> list[Input]:
        """Those of some inputs of which it is seen where they come from, or that something is done to."""
        told = [entry for entry in entries if entry.not_computed]
        own = [e for e in told if any(w.steps or w.origin not in ("unknown", "network") for w in e.ways)]
        return own or ([] if self.columns else told)

    @cached_property
    def steps(self) -> list[tuple[int, int]]:
        """When the steps of training run."""
        return [(event.order, event.end) for event in training_events(self.trace)]

    def infers(self, frame: Frame) -> bool:
        """Whether a network runs beside the steps of the training that was followed."""
        return bool(self.steps) and not any(first <= frame.order <= last for first, last in self.steps)

    def input(
        self,
        name: str,
        value: Value,
        parameter: str = "",
        frame: Frame | None = None,
        inner: Value | None = None,
        place: int = 0,
    ) -> Input:
        arrives = self.arrives(inner) if inner is not None else frozenset()
        return Input(name, value, self.samples.ways(value), parameter, arrives, frame, place, inner, self.handed_on)

    def entries(self) -> Iterator[Input]:
        """What the script itself gives to its networks."""
        yield from self.received()
        for call in self.trace.calls:
            if call.name == ".predict" and call.args and runs_model(call):
                yield self.predicted(call)
            elif _runs_network(call):
                inside = "construct" in call.functions or _within_idle_cell(call)
                for place, value in enumerate(call.args[: 0 if inside else 6]):
                    if not isinstance(value, KnownValue):
                        yield self.input(self.column_name(value) or str(place), value, "", None, None, place)

    def received(self) -> Iterator[Input]:
        """What its outermost cells are run on."""
        for frame in self.trace.frames:
            if frame.function.name != "construct" or not isinstance(frame.owner, Instance) or frame.unseen:
                continue
            if any(outer.function.name == "construct" or _makes_cell(outer) for outer in frames_around(frame.parent)):
                continue
            for place, (name, value) in enumerate(list(frame.parameters.items())[1:]):
                if isinstance(value, (KnownValue, Instance)) or _computed(value):
                    continue
                entry = self.input(self.column_name(value) or name, value, name, frame, value, place)
                entry.inference = self.infers(frame)
                yield entry

    def predicted(self, call: Call) -> Input:
        """What Model.predict is given: the first parameter of its network."""
        network = next((one for one in map(_network, options(call.base)) if one is not None), None)
        frame = self.frame_of(network) if network is not None else None
        runs = called(network.of) if network is not None else None
        names = list(frame.parameters)[1:] if frame else [arg.arg for arg in runs.node.args.args[1:]] if runs else []
        parameter = next(iter(names), "")
        inner = frame.parameters[parameter] if frame and parameter else None
        entry = self.input(self.column_name(call.args[0]) or "input", call.args[0], parameter, None, inner)
        entry.inference = True
        return entry

    def column_name(self, value: Value) -> str:
        """The column that a value was read from, when it is one."""
        made = find(value, lambda part: part.name in ("[]", ".item") and self.read(part) is not None)
        if made is None or not made.args or not isinstance(made.args[0], KnownValue):
            return ""
        key = made.args[0].value
        if isinstance(key, str):
            return key
        columns = self.batch(made.base) if isinstance(made.base, Call) else None
        order = columns.order if columns is not None else []
        return order[key] if isinstance(key, int) and 0 <= key < len(order) else ""

    def takers(self, leaf: Call) -> list[Call]:
        """The calls that a data set is given to as to a Model."""
        return [user for user, _ in self.uses.consumers[id(leaf)] if user.last in ("train", "fit", "eval", "predict")]

    def through_model(self, leaf: Call, columns: Columns) -> Iterator[Input]:
        """The columns of a data set that is given to a Model: the parameters of its network in their order."""
        for taker in self.takers(leaf):
            for option in options(taker.base):
                network = _network(option)
                if network is None:
                    continue
                frame = self.frame_of(network)
                parameters = list(frame.parameters.items())[1:] if frame else []
                for place, (name, value) in enumerate(columns.values.items()):
                    parameter, inner = parameters[place] if place < len(parameters) else ("", None)
                    yield self.input(name, value, parameter, frame, inner, place)
                return

    def frame_of(self, network: Instance) -> Frame | None:
        """The run of a network's construct, or of the one it hands all its inputs on to."""
        frames = [frame for frame in self.trace.frames if frame.function.name == "construct"]
        found = next((frame for frame in frames if frame.owner is network), None)
        while found is not None and not _own_parameters(found):
            found = next((frame for frame in frames if frame.parent is found), None)
        return found

    def arrives(self, value: Value) -> frozenset[str]:
        """What a network does first with a value."""
        found: set[str] = set()
        seen, queue = {id(value)}, [value]
        while queue and len(seen) < 300:
            part = queue.pop(0)
            for user, how in self.users.get(id(part), ()):
                if "construct" not in user.functions:
                    continue  # shown, saved or measured
                kind = _arrival(user, how, part)
                if kind == "layer" and id(user.base) in self.held_fast:
                    kind = "scaled"
                if kind == "on":
                    if id(user) not in seen:
                        seen.add(id(user))
                        queue.append(user)
                elif kind:
                    found.add(kind)
        return frozenset(found)


def _is_off(store: Store) -> bool:
    return is_known(store.value, False)


_INDEXES = re.compile(r"(?i)embedding|^(gather\w*|one_?hot|sparse_?gather\w*|take|index_?select|tensor_?gather)$")
_NORMS = re.compile(r"(?i)(batch|layer|group|instance|rms)_?norm|l2_?normalize|^normalize$")
#: Where an input arrives by the kind of an API, or by its name where that tells it.
_BY_NAME = (
    ("loss", re.compile(r"(?i)loss|entropy"), "loss"),
    ("embedding", _INDEXES, "ids"),
    ("normalization", _NORMS, "norm"),
)
#: Those that look up rows of their first operand.
_LOOKUPS = frozenset(("Gather", "GatherV2", "gather", "SparseGatherV2", "take", "EmbeddingLookup"))
_LAYERS = re.compile(r"(?i)conv|matmul|dense|linear|lstm|gru|rnn|attention|pool|bias_?add|einsum|bmm")


def _usage(made: list[Call]) -> set[str | None]:
    """What data sets say by their own argument that they are for."""
    usages = (option for part in made for option in options(part.keywords.get("usage")))
    return {purpose({"usage": one.value}) if isinstance(one, KnownValue) else None for one in usages}


def _is_part_of_split(call: Call) -> bool:
    """Whether one part is taken of a data set that was divided."""
    return call.name in ("[]", ".item") and isinstance(call.base, Call) and call.base.name == ".split"


def _arrival(user: Call, how: str, part: Value) -> str:
    """What one use of an input says about it; "on" when it goes on as it is."""
    if user.name in ("[]", ".item", ".each"):
        return "on" if how == "base" else ""
    if _masks(user, part):
        return ""
    if user.name in ("/", "-", "*", "+"):
        return _arrival_in_formula(user, how, part)
    if user.name == "neg":
        return "on"
    layer = user.maker
    passed = _passes(user, part)
    if how == "base" or not layer.name:
        return "on" if passed else ""
    return _arrival_at(layer, how, passed)


def _arrival_in_formula(user: Call, how: str, part: Value) -> str:
    """The same where an input is added to something, or multiplied by it."""
    if user.name == "/" and how == "0" and derives(user.args[1], part):
        return "scaled"  # by its own norm, or the like
    others = [other for other in user.args if other is not part]
    return "scaled" if user.name != "+" and any(map(_fixed, others)) else "on"


def _arrival_by_name(of: str, last: str) -> str:
    return next((arrival for one, pattern, arrival in _BY_NAME if one == of or pattern.search(last)), "")


def _arrival_at(layer: Call, how: str, passed: bool) -> str:
    """The same where an input is given to a layer or function; `passed`: its numbers go on as they are."""
    name, last = layer.api, layer.api.rpartition(".")[2]
    of = kind(name)
    arrives = _arrival_by_name(of, last)
    if arrives == "ids" and how == "0" and last in _LOOKUPS and not name.startswith("nn."):
        return ""  # the table itself
    if arrives:
        return arrives
    if passed and of != "pooling":
        return "on"
    if of in ("convolution", "dense", "recurrent", "pooling"):
        return "layer" if how == "0" else ""  # beside it: lengths, states
    if of == "attention" or _LAYERS.search(last):
        return "layer"
    if last in ("Sub", "sub", "Div", "RealDiv", "div", "TruncatedNormal"):
        return "scaled" if how == "0" else ""
    return "on" if last in ("Mul", "Add", "mul", "add", "TensorAdd", "AddN") else ""


def _masks(user: Call, part: Value) -> bool:
    """True for a product with what a layer made: an input says there how much of that counts."""
    known = effects.effect(user)
    product = known is not None and known.operation == "mul"
    return product and any(other is not part and _computed(other) for other in effects.operands(user, (0, 1)))


def _passes(user: Call, part: Value) -> bool:
    """True where the numbers of a value go on as they are, at other places, or with others between them or beside them."""
    known = effects.effect(user)
    kept = effects.kept(user, *effects.TAKEN, "filled", "between") if known is None or not known.reduces else None
    held = [item for one in kept or () for item in (one.items if isinstance(one, Items) else [one])]
    return any(item is part for item in held)


def _fixed(value: Value) -> bool:
    """True for a number or an array that a network holds ready: a mean, a deviation, 255."""
    if constant(value) not in (None, (1.0,), (-1.0,), (0.0,)):
        return True
    for option in options(value):
        if isinstance(option, Call) and option.api in ("Parameter", "Tensor") and find(option, Samples.drawn) is None:
            return True
        names = [name_of(option), *(option.bound if isinstance(option, Call) else ())]
        if any(re.search(r"(?i)mean|std|scale|norm", name) for name in names):
            return True
    return False


def _computed(value: Value) -> bool:
    """True for the output of a network: it is not an input."""

    def layer(made: Call) -> bool:
        if made.name != "" or not isinstance(made.base, Call):
            return False
        known = api.find(made.base.api)
        return known is not None and known.kind in ("convolution", "dense", "recurrent", "attention", "embedding")

    return find(value, layer) is not None


T = TypeVar("T")


def _run(found: list[tuple[T, Frame | None]], strict: bool = False) -> list[T]:
    """Those that are run, or may be by the framework; all of them where none is seen to be, unless `strict`."""
    kept = [one for one, frame in found if not _uncalled(frame)]
    return kept if kept or strict else [one for one, _ in found]


def _uncalled(frame: Frame | None) -> bool:
    """True for a function without a visible caller; callbacks, which the framework calls, do not count."""
    uncalled = next((one for one in frames_around(frame) if one.unseen), None)
    return uncalled is not None and not re.match(r"(on_)?(train_|eval_)?(epoch|step|begin|end)", uncalled.function.name)


def _own_parameters(frame: Frame) -> bool:
    spec = frame.function.node.args
    return len(spec.args) > 1 or spec.vararg is None


def _network(model: Value) -> Instance | None:
    """The project's network within a Model, below the framework's training cells."""
    value: Value | None = model
    for _ in range(6):
        if isinstance(value, Many):
            value = value.options[0]
        if isinstance(value, Instance):
            return value
        if not isinstance(value, Call):
            return None
        value = value.argument(["network"], "network") or value.argument(["backbone"], "backbone")
    return None


def _within_idle_cell(call: Call) -> bool:
    """True for a call in a method of a cell without a visible caller."""
    frame = call.frame
    return unseen(frame) and frame is not None and isinstance(frame.owner, Instance) and is_cell(frame.owner.of)


def _makes_cell(frame: Frame) -> bool:
    """Whether a run makes a cell: what it computes by other cells, such as a mask, is a constant of the network."""
    return frame.function.name == "__init__" and isinstance(frame.owner, Instance) and is_cell(frame.owner.of)


def _runs_network(call: Call) -> bool:
    """True for a call of a network that is not followed: one made elsewhere, or one of the project without a construct that is seen."""
    if isinstance(call.base, Instance):
        return call.name == call.base.of.node.name and is_cell(call.base.of)
    return call.name == "" and isinstance(call.base, Call) and _is_network(call.base)


def _is_network(made: Call) -> bool:
    """True for the result of a function elsewhere that is used as a network."""
    if made.api.startswith(("nn.", "mint.nn.", "ops.", *TRANSFORMS)) or not made.name:
        return False
    names = " ".join((*made.bound, made.last)).lower()
    return (
        not made.name.startswith((".", "numpy.", "@"))
        and re.search(r"net\b|model|network|backbone|generator", names) is not None
    )


def _iterated(made: Call) -> Value | None:
    return made.base if made.last in dataset_classes.ITERATORS else made


def _part(value: Value, place: int, name: str, count: int, call: Call) -> Value:
    """One of the values that a function returns, or a source yields, for so many columns."""
    found: list[Value] = []
    for option in options(value):
        if isinstance(option, Items) and (count > 1 or len(option.items) == 1):
            inside = place < len(option.items)
            found.append(option.items[place] if inside else UnknownValue(name))
        elif isinstance(option, Mapping) and name in option.items:
            found.append(option.items[name])
        elif count == 1 or not isinstance(option, (Call, UnknownValue)):
            found.append(option)
        else:
            found.append(Call("[]", [KnownValue(place)], {}, call.node, call.source, option, order=call.order))
    return join(found) if found else UnknownValue(name)


def _takes(operations: Value) -> int:
    """How many columns the first of some operations takes, where no columns are named."""
    first = operations.items[0] if isinstance(operations, Items) and operations.items else operations
    if isinstance(first, Function):
        return max(1, len(first.node.args.args) - (first.owner is not None))
    return 1


def _node(value: Value):  # type: ignore[no-untyped-def]
    inner = value.function if isinstance(value, Partial) else value
    if isinstance(inner, Function):
        return inner.node
    return inner.of.node if isinstance(inner, Instance) else getattr(inner, "node", None)


# --- of all scripts ---------------------------------------------------------------------------------------------------


_LAST: list[tuple[Scripts, list[Pipelines]]] = []


def of_scripts(scripts: Scripts) -> list[Pipelines]:
    """The pipelines of all readings; kept for the next probe in the same process, for each configuration that is taken in turn."""
    found = next((pipelines for of, pipelines in _LAST if of is scripts), None)
    if found is None:
        found = [Pipelines(reading) for reading in scripts.readings]
        kept = [one for one in _LAST if one[0].root == scripts.root]
        _LAST[:] = [*kept[1 - KEPT :], (scripts, found)]
    return found


__all__ = ["Columns", "Input", "Pipeline", "Pipelines", "Uses", "of_scripts", "plain"]
