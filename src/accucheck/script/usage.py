"""Which APIs of a framework a file uses, by full name: aliases resolved by scope, what is local left out.

Lighter than trace.py: every line is read once where it stands, whether it is run or not, so that a folder of a project that
was never meant for MindSpore can be read too. What a value is, is told only as far as one function shows it: a tensor, an object
of a class of the framework, a list of tensors. Nothing is guessed of the rest.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache

from ..knowledge import api, pytorch_apis
from .source import Source
from .syntax import children, walk

#: Packages whose APIs are told.
FRAMEWORKS = frozenset(("torch", "torchvision", "torchaudio", "torchtext", "mindspore"))
#: Values: a tensor, one of truth values, several in a list or tuple, a number that was read out of a tensor, a range up to such
#: a number, a weight of a layer, an object of a network class of the file itself. Any other value is the full name of the class
#: that made the object.
TENSOR, MASK, TENSORS, NUMBER = "tensor", "mask", "tensors", "number"
RANGE, WEIGHT, NETWORK = "range", "weight", "network"
_TENSOR = (TENSOR, MASK, WEIGHT)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Classes that networks derive from, beside the framework's own layers.
_NETWORKS = ("torch.nn.", "mindspore.nn.", "mindspore.mint.nn.")
_FORWARD = frozenset(("forward", "construct"))
#: What code calls the size of the images that a network is fed.
_SIZE_NAME = re.compile(
    r"(?:new_)?(?:img|image|input|in|inp|train|net|scaled)_?(?:size|shape|res|resolution|dim|height|width|[hw])"
)
_CHOICES = frozenset(("choice", "randint", "randrange"))
#: Methods of tensors that give no tensor, and those that give several.
_PLAIN = _words(
    "size dim ndimension numel nelement stride type numpy data_ptr get_device storage asnumpy is_contiguous backward "
    "element_size storage_offset is_cuda is_floating_point is_complex is_signed register_hook"
)
_READ = frozenset(("item", "tolist"))
_SEVERAL = _words(
    "chunk split unbind tensor_split hsplit vsplit dsplit sort topk kthvalue cummax cummin svd slogdet meshgrid "
    "unique_consecutive broadcast_tensors"
)
_TRUTH = _words(
    "bool eq ne lt le gt ge equal greater less greater_equal less_equal not_equal isnan isinf isfinite logical_and logical_or "
    "logical_not logical_xor isclose"
)
#: Attributes of tensors that are tensors again.
_PARTS = frozenset(("data", "grad", "T", "mT", "H", "real", "imag"))
#: Functions below a framework's name that give no tensor; modules of functions that do.
_NO_TENSOR = _words(
    "device no_grad enable_grad set_grad_enabled load save manual_seed is_tensor is_floating_point is_complex is_storage numel "
    "Generator Size set_default_dtype set_num_threads compile Stream get_default_dtype inference_mode finfo iinfo allclose equal "
    "seed initial_seed set_printoptions typename result_type set_seed set_context load_checkpoint save_checkpoint"
)
_FUNCTIONS = (
    "torch",
    "torch.nn.functional",
    "torch.special",
    "torch.linalg",
    "torch.fft",
    "mindspore.ops",
    "mindspore.mint",
    "mindspore.mint.nn.functional",
    "mindspore.ops.function",
)
#: Methods of networks that return it.
_KEEPING = frozenset(("to", "cuda", "cpu", "train", "eval", "half", "float", "double", "set_train", "to_float"))
_RECURRENT = frozenset(("LSTM", "GRU", "RNN", "MultiheadAttention", "LSTMCell"))
#: Names that modules of a project hand on: `from .common import nn`.
_HANDED_ON = frozenset(("torch", "nn", "F", "optim", "functional", "transforms", "mindspore", "ops", "ms"))
_LIST_METHODS = _words("append extend insert keys items values update pop clear")
_LISTS = frozenset(("ModuleList", "CellList", "ModuleDict", "CellDict", "ParameterList", "ParameterDict"))


@dataclass(frozen=True)
class ApiUse:
    """An API where it stands. `given` are the constants among its arguments by name, and by place as "0", "1"; `names` all
    arguments given. `varies`: an argument is a number that was read out of a tensor. `network`: within a method of a network."""

    api: str
    line: int
    column: int
    called: bool
    network: bool
    given: dict[str, object] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    varies: bool = False


@dataclass(frozen=True)
class UsageRemark:
    """Something a rule may ask about besides APIs: branch, loop, mask-index, slice, shared-weight, or random-size."""

    kind: str
    line: int
    column: int
    network: bool


@dataclass
class Usage:
    """All of one file. `unknown` counts calls of methods on objects whose class is not seen, by the method's name."""

    uses: list[ApiUse] = field(default_factory=list)
    remarks: list[UsageRemark] = field(default_factory=list)
    unknown: dict[str, int] = field(default_factory=dict)


#: The names that a star import of this module brings, with what they stand for.
Star = Callable[[str], dict[str, str]]


def read(source: Source, star: Star = lambda module: {}) -> Usage:
    """What a file uses. Raises RecursionError for what is nested too deeply."""
    return _Reader(source, star).usage


def module_names(tree: ast.Module) -> dict[str, str]:
    """The names that a module imports at its top, by full name; those of star imports as "*" + module: "" ."""
    found: dict[str, str] = {}
    for node in walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found.update(_imported(node))
    return found


@cache
def offered(module: str) -> dict[str, str]:
    """The names that a star import of a framework's module brings, as far as knowledge has them."""
    if module.partition(".")[0] not in FRAMEWORKS:
        return {}
    known = pytorch_apis.known()
    every = (*known.table, *known.ways_by_name, *api.load().pytorch, *(f"mindspore.{name}" for name in api.load().apis))
    return {last: full for full in every for space, _, last in [full.rpartition(".")] if space == module}


def _imported(node: ast.Import | ast.ImportFrom) -> dict[str, str]:
    if isinstance(node, ast.Import):
        return {
            alias.asname or alias.name.partition(".")[0]: alias.name if alias.asname else alias.name.partition(".")[0]
            for alias in node.names
        }
    module = "." * node.level + (node.module or "")
    return {
        "*" + module if alias.name == "*" else alias.asname or alias.name: ""
        if alias.name == "*"
        else f"{module}.{alias.name}"
        for alias in node.names
    }


class _Scope:
    """`names`: what each name bound here stands for when it is imported, None when it is anything else."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.names: dict[str, str | None] = {}
        self.values: dict[str, str | None] = {}


class _Reader:
    def __init__(self, source: Source, star: Star) -> None:
        self.usage = Usage()
        self.scopes: list[_Scope] = []
        self.star = star
        self.stars: dict[str, str] | None = None
        self.modules: list[str] = []  # imported with *
        self.handed_on: dict[str, str | None] = {}
        self.networks: set[str] = set()
        self.attributes: list[dict[str, str | None]] = []  # of self, by class
        self.of_networks: list[bool] = []  # whether that class is one
        self.own: list[set[str]] = []  # its methods
        self.network = False
        tops = {(full or name[1:]).partition(".")[0] for name, full in module_names(source.tree).items()}
        self.framework = "mindspore" if "mindspore" in tops and "torch" not in tops else "torch"
        self.open("module", source.tree.body)
        self.block(source.tree.body)

    # --- names ---------------------------------------------------------------------------------------------------------

    def open(self, kind: str, body: Iterable[ast.AST], names: Iterable[str] = ()) -> _Scope:
        scope = _Scope(kind)
        scope.names.update(dict.fromkeys(names))
        waiting = list(body)
        for node in waiting:  # grows meanwhile
            kind_of = node.__class__
            if kind_of is ast.Import or kind_of is ast.ImportFrom:
                scope.names.update(_imported(node))  # type: ignore[arg-type]
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                scope.names.setdefault(node.name, None)
            elif isinstance(node, ast.Name):
                if not isinstance(node.ctx, ast.Load):
                    scope.names.setdefault(node.id, None)
            elif isinstance(node, ast.ExceptHandler):
                if node.name:
                    scope.names.setdefault(node.name, None)
                waiting += node.body
            elif not isinstance(node, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
                waiting += children(node)
        self.scopes.append(scope)
        return scope

    def meaning(self, name: str) -> str | None:
        """The full name of a framework's API or module that a name stands for here; None for anything else."""
        inner = True
        for scope in reversed(self.scopes):
            if name in scope.names and (inner or scope.kind != "class"):
                full = scope.names[name]
                return self.of_framework(full, name) if full else None
            inner = inner and scope.kind == "comprehension"
        if self.stars is None:
            self.stars = {}
            self.modules = [key[1:] for scope in self.scopes[:1] for key in scope.names if key.startswith("*")]
            for module in self.modules:
                self.stars.update(offered(module) or self.star(module))
        return self.of_framework(self.stars.get(name) or self.layer(name))

    def layer(self, name: str) -> str:
        """What a class stands for that only a star import can bring, where all of these are of frameworks and one of layers."""
        layers = [module for module in self.modules if f"{module}." in _NETWORKS]
        own = not all(module.partition(".")[0] in FRAMEWORKS for module in self.modules)
        if own or not layers or not name[:1].isupper() or hasattr(builtins, name):
            return ""
        return f"{layers[-1]}.{name}"

    def of_framework(self, full: str, name: str = "") -> str | None:
        if full.partition(".")[0] in FRAMEWORKS:
            return full
        if name not in _HANDED_ON:
            return None
        if full not in self.handed_on:
            module, _, last = full.rpartition(".")
            brought = self.star(module or ".").get(last, "") if module.strip(".") else ""
            self.handed_on[full] = brought if brought.partition(".")[0] in FRAMEWORKS else None
        return self.handed_on[full]

    def value_of(self, name: str) -> str | None:
        for scope in reversed(self.scopes):
            if name in scope.names:
                return scope.values.get(name)
        return None

    def dotted(self, node: ast.expr) -> str | None:
        """The full name of an attribute chain that begins with an import of a framework."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        full = self.meaning(node.id)
        return ".".join([full, *reversed(parts)]) if full else None

    def use(self, api: str, node: ast.expr, call: ast.Call | None = None, varies: bool = False) -> None:
        given: dict[str, object] = {}
        names: list[str] = []
        if call is not None:
            for place, argument in enumerate(call.args):
                if isinstance(argument, ast.Constant):
                    given[str(place)] = argument.value
                names.append(str(place))
            for keyword in call.keywords:
                if keyword.arg:
                    names.append(keyword.arg)
                    if isinstance(keyword.value, ast.Constant):
                        given[keyword.arg] = keyword.value.value
        line = getattr(node, "end_lineno", None) if isinstance(node, ast.Attribute) else node.lineno
        self.usage.uses.append(
            ApiUse(
                api,
                line or node.lineno,
                node.col_offset,
                call is not None,
                self.network,
                given,
                tuple(names),
                varies,
            )
        )

    def remark(self, kind: str, node: ast.expr | ast.stmt) -> None:
        self.usage.remarks.append(UsageRemark(kind, node.lineno, node.col_offset, self.network))

    # --- statements ----------------------------------------------------------------------------------------------------

    def block(self, body: Sequence[ast.stmt]) -> None:
        for statement in body:
            method = getattr(self, "do_" + type(statement).__name__, None)
            if method:
                method(statement)
            else:
                self.rest(statement)

    def rest(self, node: ast.AST) -> None:
        """Everything below a node: statements in order, expressions for what they use."""
        for part in children(node):
            if isinstance(part, ast.expr):
                self.value(part)
            elif isinstance(part, ast.stmt):
                self.block([part])
            else:
                self.rest(part)

    def do_Import(self, node: ast.Import) -> None:
        pass

    do_ImportFrom = do_Import

    def names_of(self, arguments: ast.arguments) -> list[str]:
        """The names of all arguments; their defaults are looked at, outside of the function."""
        for default in [*arguments.defaults, *(d for d in arguments.kw_defaults if d is not None)]:
            self.value(default)
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        return [argument.arg for argument in (*every, arguments.vararg, arguments.kwarg) if argument]

    def do_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for decorator in node.decorator_list:
            self.value(decorator)
        arguments = node.args
        names = self.names_of(arguments)
        of_class = self.scopes[-1].kind == "class"
        scope = self.open("function", node.body, names)
        plain = len(arguments.args) + len(arguments.posonlyargs) - len(arguments.defaults)
        for place, argument in enumerate([*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]):
            annotated = self.dotted(argument.annotation) if argument.annotation is not None else None
            if annotated in ("torch.Tensor", "mindspore.Tensor", "mindspore.common.tensor.Tensor") or (
                of_class
                and node.name in _FORWARD
                and self.of_networks[-1]
                and 0 < place < plain
                and not argument.annotation
            ):
                scope.values[argument.arg] = TENSOR
        outer = self.network
        if of_class:
            self.network = self.of_networks[-1] and node.name != "__init__"
        self.block(node.body)
        self.network = outer
        self.scopes.pop()

    do_AsyncFunctionDef = do_FunctionDef

    def is_network(self, node: ast.ClassDef, methods: set[str]) -> bool:
        """Whether a class is a network: by the classes that it is made of, or of one of the project's own by its methods."""
        names = [self.dotted(base) for base in node.bases]
        if any(isinstance(base, ast.Name) and base.id in self.networks for base in node.bases):
            return True
        if any(name and name.startswith(_NETWORKS) for name in names):
            return True
        return bool(node.bases) and bool(methods & _FORWARD) and not any(names)

    def do_ClassDef(self, node: ast.ClassDef) -> None:
        for part in (*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)):
            self.value(part)
        methods = {one.name for one in node.body if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))}
        network = self.is_network(node, methods)
        if network:
            self.networks.add(node.name)
        self.open("class", node.body)
        outer, self.network = self.network, False
        self.attributes.append({})
        self.of_networks.append(network)
        self.own.append(methods)
        ordered = sorted(node.body, key=lambda one: getattr(one, "name", "") != "__init__") if network else node.body
        self.block(ordered)
        self.attributes.pop()
        self.of_networks.pop()
        self.own.pop()
        self.network = outer
        self.scopes.pop()

    def do_Assign(self, node: ast.Assign) -> None:
        value = self.value(node.value)
        for target in node.targets:
            if value == WEIGHT and isinstance(target, ast.Attribute) and target.attr == "weight":
                self.remark("shared-weight", node)
            name = (
                target.attr if isinstance(target, ast.Attribute) else target.id if isinstance(target, ast.Name) else ""
            )
            if _SIZE_NAME.fullmatch(name) and any(map(_is_random_choice, walk(node.value))):
                self.remark("random-size", node)
            self.bind(target, value)

    def do_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.bind(node.target, self.value(node.value) if node.value is not None else None)

    def do_AugAssign(self, node: ast.AugAssign) -> None:
        value = self.value(node.value)
        if isinstance(node.target, ast.Name):
            before = self.value_of(node.target.id)
            self.bind(node.target, TENSOR if TENSOR in (value, before) else before)
        else:
            self.bind(node.target, None)

    def do_For(self, node: ast.For | ast.AsyncFor) -> None:
        values = self.value(node.iter)
        self.bind(node.target, TENSOR if values in (TENSORS, *_TENSOR) else None)
        if values == RANGE:
            self.remark("loop", node)
        self.block(node.body)
        self.block(node.orelse)

    do_AsyncFor = do_For

    def do_If(self, node: ast.If) -> None:
        if self.value(node.test) in (*_TENSOR, NUMBER):
            self.remark("branch", node)
        self.block(node.body)
        self.block(node.orelse)

    def do_While(self, node: ast.While) -> None:
        if self.value(node.test) in (*_TENSOR, NUMBER):
            self.remark("loop", node)
        self.block(node.body)
        self.block(node.orelse)

    def do_With(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            value = self.value(item.context_expr)
            if item.optional_vars is not None:
                self.bind(item.optional_vars, value)
        self.block(node.body)

    do_AsyncWith = do_With

    def bind(self, target: ast.expr, value: str | None) -> None:
        if isinstance(target, ast.Name):
            self.scopes[-1].values[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            for one in target.elts:
                self.bind(one, TENSOR if value in (TENSORS, *_TENSOR) else None)
        elif isinstance(target, ast.Starred):
            self.bind(target.value, None)
        elif isinstance(target, ast.Attribute):
            if isinstance(target.value, ast.Name) and target.value.id == "self" and self.attributes:
                held = self.attributes[-1]
                held[target.attr] = value if held.get(target.attr, value) == value else None
            else:
                self.value(target.value)
        else:
            assert isinstance(target, ast.Subscript)  # the only other kind of target
            self.value(target.value)
            self.value(target.slice)

    # --- expressions ---------------------------------------------------------------------------------------------------

    def value(self, node: ast.expr) -> str | None:
        method = getattr(self, "of_" + type(node).__name__, None)
        if method:
            found: str | None = method(node)
            return found
        self.rest(node)
        return None

    def of_Constant(self, node: ast.Constant) -> None:
        return None

    def of_Name(self, node: ast.Name) -> str | None:
        full = self.meaning(node.id)
        if full:
            self.use(full, node)
            return None
        return self.value_of(node.id)

    def of_Attribute(self, node: ast.Attribute) -> str | None:
        full = self.dotted(node)
        if full:
            self.use(full, node)
            return None
        if self.is_self(node.value):
            return self.attributes[-1].get(node.attr)
        value = self.value(node.value)
        if value in _TENSOR:
            return TENSOR if node.attr in _PARTS else None
        layer = isinstance(node.value, ast.Attribute) and self.is_self(node.value.value) and self.of_networks[-1]
        return WEIGHT if layer and node.attr == "weight" else None

    def owner_of(self, func: ast.expr) -> tuple[str | None, str]:
        """What a call of no framework's function is called on, and its method; empty for a method of the class itself."""
        if not isinstance(func, ast.Attribute):
            return self.value(func), "__call__"
        owner, method = self.value(func.value), func.attr
        if not self.is_self(func.value):
            return owner, method
        if method in self.own[-1]:
            return owner, ""
        held = self.attributes[-1].get(method)
        return (held, "__call__") if held else (NETWORK if self.of_networks[-1] else None, method)

    def of_Call(self, node: ast.Call) -> str | None:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in ("isinstance", "issubclass") and len(node.args) == 2:
            self.value(node.args[0])
            return None
        full = self.dotted(node.func)
        owner, method = self.owner_of(node.func) if full is None else (None, "")
        kinds = [self.value(argument) for argument in node.args]
        kinds += [self.value(keyword.value) for keyword in node.keywords]
        varies = NUMBER in kinds
        if full is not None:
            self.use(full, node.func, node, varies)
            return self.result(full, node, kinds)
        if owner in _TENSOR or (owner == TENSORS and method in _READ):
            return self.method(node, method, varies)
        if owner in (NETWORK, None):
            return self.plain(node, name, method, owner, kinds)
        return self.of_object(node, owner or "", method, varies)

    def is_self(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id == "self" and bool(self.attributes)

    def method(self, node: ast.Call, method: str, varies: bool) -> str | None:
        self.use(f"{self.framework}.Tensor.{method}", node.func, node, varies)
        if method in _READ:
            return NUMBER
        if method in _TRUTH:
            return MASK
        if method in ("max", "min", "median", "mode") and (node.args or node.keywords):
            return TENSORS
        if method in _SEVERAL:
            return TENSORS
        return None if method in _PLAIN or method.startswith("is_") else TENSOR

    def method_of_network(self, node: ast.Call, method: str) -> str | None:
        """A method that a network of the project has from its base class."""
        if method == "__call__":
            return None
        self.use(f"{self.base}.{method}", node.func, node)
        return NETWORK if method in _KEEPING else None

    def plain(self, node: ast.Call, name: str, method: str, owner: str | None, kinds: list[str | None]) -> str | None:
        """A call of something other than an API: builtins, and the project's own classes and functions."""
        if name in self.networks:
            return NETWORK
        if owner == NETWORK and method:
            return self.method_of_network(node, method)
        of_tensors = any(kind in (*_TENSOR, NUMBER) for kind in kinds)
        if name in ("int", "float", "bool", "max", "min", "round") and of_tensors:
            return NUMBER
        if name == "range":
            return RANGE if of_tensors else None
        if name in ("list", "tuple", "reversed", "enumerate", "zip") and TENSORS in kinds:
            return TENSORS if name in ("list", "tuple", "reversed") else None
        if method and method != "__call__":
            self.usage.unknown[method] = self.usage.unknown.get(method, 0) + 1
        return None

    def of_object(self, node: ast.Call, owner: str, method: str, varies: bool) -> str | None:
        """A call of an object that a class of the framework made, or of one of its methods."""
        if owner in (TENSORS, NUMBER, RANGE):
            return None
        layer = owner.startswith(_NETWORKS)
        last = owner.rpartition(".")[2]
        if method == "__call__":
            if last in _LISTS or not (layer or owner.startswith("mindspore.ops.")):
                return None
            return TENSORS if last in _RECURRENT else TENSOR
        own = not layer or (last in _LISTS and method in _LIST_METHODS)
        self.use(f"{owner if own else self.base}.{method}", node.func, node, varies)
        return owner if layer and method in _KEEPING else None

    @property
    def base(self) -> str:
        """The class that all networks derive from."""
        return "mindspore.nn.Cell" if self.framework == "mindspore" else "torch.nn.Module"

    def result(self, full: str, node: ast.Call, kinds: list[str | None]) -> str | None:
        """What a call of an API gives."""
        space, _, last = full.rpartition(".")
        if last[:1].isupper():
            if (
                full in ("torch.Tensor", "mindspore.Tensor")
                or last.endswith("Tensor")
                or last in ("Variable", "Parameter")
            ):
                return TENSOR
            return full
        if space not in _FUNCTIONS or last in _NO_TENSOR or last.startswith("is_"):
            return None
        if last in _TRUTH:
            return MASK
        if last in _SEVERAL:
            return TENSORS
        if last in ("max", "min", "median", "mode") and len(node.args) + len(node.keywords) > 1:
            return TENSOR if kinds[1:2] and kinds[1] in _TENSOR else TENSORS
        return TENSOR

    def of_BinOp(self, node: ast.BinOp) -> str | None:
        return self.mixed([self.value(node.left), self.value(node.right)])

    def mixed(self, kinds: list[str | None]) -> str | None:
        if any(kind in _TENSOR for kind in kinds):
            return MASK if all(kind == MASK for kind in kinds) else TENSOR
        return NUMBER if NUMBER in kinds else None

    def of_UnaryOp(self, node: ast.UnaryOp) -> str | None:
        value = self.value(node.operand)
        return value if value in (*_TENSOR, NUMBER) else None

    def of_BoolOp(self, node: ast.BoolOp) -> str | None:
        found = self.mixed([self.value(value) for value in node.values])
        return MASK if found == TENSOR else found

    def of_Compare(self, node: ast.Compare) -> str | None:
        parts = (node.left, *node.comparators)
        kinds = [self.value(part) for part in parts]
        if any(isinstance(part, ast.Constant) and isinstance(part.value, str) for part in parts):
            return None  # no tensor is compared with a text
        if any(isinstance(op, (ast.Is, ast.IsNot, ast.In, ast.NotIn)) for op in node.ops):
            return None
        if any(kind in _TENSOR for kind in kinds):
            return MASK
        return NUMBER if NUMBER in kinds else None

    def of_Subscript(self, node: ast.Subscript) -> str | None:
        value = self.value(node.value)
        kinds: list[str | None] = []
        bounds: list[str | None] = []
        for part in node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]:
            if isinstance(part, ast.Slice):
                bounds += [self.value(bound) for bound in (part.lower, part.upper, part.step) if bound is not None]
            else:
                kinds.append(self.value(part))
        if value in _TENSOR:
            if MASK in kinds:
                self.remark("mask-index", node)
            elif NUMBER in bounds:
                self.remark("slice", node)
            return TENSOR
        return TENSOR if value == TENSORS else NUMBER if value == NUMBER else None

    def of_IfExp(self, node: ast.IfExp) -> str | None:
        self.value(node.test)
        kinds = [self.value(node.body), self.value(node.orelse)]
        return kinds[0] if kinds[0] == kinds[1] else None

    def of_Tuple(self, node: ast.Tuple | ast.List) -> str | None:
        kinds = [self.value(part) for part in node.elts]
        return TENSORS if kinds and all(kind in _TENSOR for kind in kinds) else None

    of_List = of_Tuple

    def of_Lambda(self, node: ast.Lambda) -> None:
        self.open("function", [], self.names_of(node.args))
        self.value(node.body)
        self.scopes.pop()

    def of_ListComp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> str | None:
        targets = [generator.target for generator in node.generators]
        self.open("comprehension", targets)
        for generator in node.generators:
            values = self.value(generator.iter)
            self.bind(generator.target, TENSOR if values in (TENSORS, *_TENSOR) else None)
            for test in generator.ifs:
                self.value(test)
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        kinds = [self.value(part) for part in parts]
        self.scopes.pop()
        return TENSORS if kinds == [TENSOR] else None

    of_SetComp = of_GeneratorExp = of_DictComp = of_ListComp


def _is_random_choice(node: ast.AST) -> bool:
    """random.choice(...), numpy.random.randint(...)."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CHOICES):
        return False
    owner = node.func.value
    return (owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")) == "random"
