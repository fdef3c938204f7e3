"""What a script would do, followed without running it: every call that leaves the script, with what it is given.

The script's own functions are followed into, with the arguments of each call; both ways of an undecided condition are taken
and joined; a loop's body is taken once. Names are resolved through imports and assignments, whatever the alias, and
constants are folded. What a name such as is_training stands for is asked of `assume`, so that a script can be read as "when
it trains". What calls of known libraries give is told by models.py; all other modules beyond the script stay names.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, TypeGuard, cast

from ..knowledge.names import TRANSFORMS
from . import configs, declared_options, models, typer
from .command import Command
from .described import Described
from .expressions import Expressions, decorated_as
from .expressions import Find as Find
from .source import Source
from .syntax import walk
from .training import MANY_DEVICES
from .values import (
    Call,
    Class,
    Frame,
    Function,
    Instance,
    Items,
    KnownValue,
    Mapping,
    NamedValue,
    Partial,
    Scope,
    Test,
    UnknownValue,
    Value,
    ValueOrigin,
    Words,
    Write,
    deciders_of,
    is_known,
    is_slice,
    join,
    joined,
    name_of,
    options,
)

#: Calls within calls are followed so deep, one function so often, and so many expressions are looked at, before the trace
#: gives up on the rest.
DEPTH, TIMES, STEPS = 28, 120, 500_000
#: A function within itself: nested settings are read so deep.
RECURSION = 2
#: Configurations that name others are followed so deep, and the parts of one.
NESTED = 8
#: So many keys of a configuration that no option has and nothing reads are told.
KEYS = 20
#: So many places that are written in one array are kept.
WRITES = 40
#: What is run afterwards may look at so many expressions each time.
MORE = 60_000
#: Loops over constants that only set or add things are taken once for each of so many items.
UNROLLED = 200
#: What gives tensors, as names.canonical has it, and the methods of tensors that give arrays of numpy.
_GIVE_TENSORS = ("Tensor", "tensor", "Parameter", "ops.", "mint.", "mnp.")
_GIVE_ARRAYS = frozenset({".asnumpy", ".numpy", ".each"})
#: (name, the constant it is compared with or None for a plain test) -> what it is taken for, or None for unknown.
Assume = Callable[[str, Any], "bool | None"]


@dataclass(eq=False)
class Trace:
    """What was met, each in the order of running: `calls` that are not followed (operators too), `frames` of functions that
    are, `instances` of the project's classes; `stores` are attributes and items set on results of calls, `sets` attributes of
    those instances that are set again; `options` those of the calls that say which options a command line has, `declarations` the options
    that are declared in other ways; `unread` are
    configuration files that are not there or not readable, with the place that loads them, `broken` those whose syntax is broken,
    with the line and what is wrong there, `loaded` those that were read;
    `unbound` what of the command fits no option: a gap's code, the words, and the place that parses them; `decided` the conditions of
    if statements that settings of the run decide, with those. `assumed` tells that a
    flag was taken for what `assume` says; `gave_up` that too much was asked. `again` runs more of the project's code
    afterwards: see Tracer.again."""

    source: Source
    calls: list[Call] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    instances: list[Instance] = field(default_factory=list)
    stores: list[Store] = field(default_factory=list)
    sets: list[Store] = field(default_factory=list)
    options: list[Call] = field(default_factory=list)
    declarations: list[declared_options.Option] = field(default_factory=list)
    unread: list[tuple[str, str, int]] = field(default_factory=list)
    broken: list[tuple[str, int, str]] = field(default_factory=list)
    loaded: list[Path] = field(default_factory=list)
    unbound: list[tuple[str, str, str, int]] = field(default_factory=list)
    decided: dict[ast.expr, tuple[ValueOrigin, ...]] = field(default_factory=dict)
    assumed: bool = False
    gave_up: bool = False
    again: Callable[[Callable[[Tracer], Value]], Value] = lambda wanted: UnknownValue()


@dataclass(eq=False, slots=True)
class Store:
    """owner.attribute = value, or owner[...] = value for the attribute "[]"; `before` is what an attribute of an instance held; `tests` and
    `left` as of Call."""

    owner: Value
    attribute: str
    value: Value
    node: ast.expr
    source: Source
    frame: Frame | None
    tests: tuple[Test, ...]
    loops: tuple[ast.AST, ...]
    order: int
    before: Value | None = None
    left: tuple[Test, ...] = ()

    @property
    def line(self) -> int:
        return self.node.lineno


class _GaveUp(Exception):
    pass


def follow(
    source: Source,
    assume: Assume,
    find: Find = lambda module, importer: None,
    root: Path | None = None,
    at_once: Callable[[str, Source], bool] = lambda module, importer: True,
    command: Command | None = None,
) -> Trace:
    """Follow a script from its first line, as when it is started, then its functions that nothing called.

    `find` gives the source of a module that the script imports and that is to be followed into, or None. A module is run when
    something of it is first used, unless `at_once` says that already its import matters. Configuration files below `root` are
    read when the script loads them. `command` started it, as far as that is known.
    """
    tracer = Tracer(source, assume, find, root, at_once, command)
    try:
        tracer.module()
        tracer.rest()
        tracer.unfitting()
    except (_GaveUp, RecursionError):
        tracer.trace.gave_up = True
    tracer.trace.again = tracer.again
    return tracer.trace


class Tracer(Expressions):
    """Statements, functions, classes and modules; expressions.py has the expressions."""

    def __init__(
        self,
        source: Source,
        assume: Assume,
        find: Find,
        root: Path | None,
        at_once: Callable[[str, Source], bool],
        command: Command | None = None,
    ) -> None:
        self.source, self.ask, self.find, self.root, self.at_once = source, assume, find, root, at_once
        self.command = command
        self.parsed: dict[tuple[int, int], Mapping] = {}
        self.modules: dict[Path, Scope] = {}
        self.sites: dict[int, Scope] = {}  # of descriptions, by the id of their source for a call
        self.scopes: list[Scope] = []
        self.trace = Trace(source)
        self.outside: set[tuple[str, int]] = set()  # what no followed module defines
        self.steps = self.order = 0
        self.frame: Frame | None = None
        self.active: list[ast.AST] = []
        self.tests: tuple[Test, ...] = ()
        self.left: tuple[Test, ...] = ()  # see values.Call
        #: Attributes of objects that are not seen, by id, that this way has set; and what they held before one of several ways set them.
        self.settings: set[tuple[int, str]] = set()
        self.former: list[tuple[Value, dict[Any, Value], str, Value]] = []
        self.loops: tuple[ast.AST, ...] = ()
        self.head: Value | None = None  # what the innermost loop tests, or goes through
        self.entered: dict[ast.AST, int] = {}
        self.returns: list[list[Value]] = []
        self.yields: list[list[Value]] = []
        self.breaks: list[list[dict[str, Value]]] = []
        self.broken: tuple[Test, ...] | None = None  # the conditions around the break of this turn of a loop
        self.unpacked: tuple[ast.AST, int] | None = None  # a comprehension that is unpacked into so many names
        self.numbering = False  # within the value of d[k] = ..., which may be as many as d has
        self.handed: list[Function] = []  # functions given to calls that are not followed
        self.others: list[Value] = []  # what another option would pick from a table
        self.beside: dict[str, list[NamedValue]] = {}  # of a module that an option picks, those that another would pick
        self.tables: list[Mapping] = []  # dicts that modules make empty: what is defined may enter itself there
        self.flags = Mapping({})  # those that absl has
        self.commands: list[Function] = []  # functions that click makes commands
        self.waiting: list[NamedValue] = []  # imported modules that are not run yet
        self.stepwise: list[Frame | None] = []  # where loops over words of the command run, which are taken as they run
        self.words = models.arguments(command)
        self.loose: dict[str, tuple[KnownValue, Call]] = {}  # keys of configurations that no option is, with the parse
        self.loose_read: set[str] = set()  # options that were asked for; "*": all at once
        self.unknown_names: dict[
            str, tuple[KnownValue, str, int]
        ] = {}  # looked up in a table that has none, with the place
        self.found_names: set[str] = set()  # looked up elsewhere
        self.loading: list[
            tuple[Path, Frame | None]
        ] = []  # configuration files, with the run of a function that loads them

    # --- running ------------------------------------------------------------------------------------------------------

    def assume(self, name: str, compared: Any) -> bool | None:
        taken = self.ask(name, compared)
        self.trace.assumed |= taken is not None
        return taken

    def step(self) -> None:
        self.steps += 1
        if self.steps > STEPS:
            raise _GaveUp

    def next(self) -> int:
        self.order += 1
        return self.order

    def module(self) -> None:
        scope = Scope()
        scope.names["__name__"] = KnownValue("__main__")
        scope.names["__file__"] = KnownValue(str(self.source.file), name="__file__")
        self.scopes.append(scope)
        self.block(self.source.tree.body, scope)

    def rest(self) -> None:
        """What nothing called: functions and classes of the script, methods of its objects, functions that were handed on."""
        for value in [option for held in self.scopes[0].names.values() for option in options(held)]:
            if isinstance(value, (Class, Function)) and value.source is self.source:
                self.unseen(value)
        for value in map(self.resolved, self.others):
            if isinstance(value, Class):
                self.unseen(value)
        done = 0
        while done < len(self.trace.instances) or self.handed:
            for function in self.handed:
                if function.node not in self.entered:
                    self.call_function(function, [], {}, function.node, unseen=True)
            self.handed = []
            # An object made later may hold this one and call its methods, so the last come first only within one round.
            round_ = self.trace.instances[done:]
            done += len(round_)
            for instance in round_:
                self.rest_of(instance)

    def unseen(self, value: Class | Function) -> None:
        """Follow a class of which nothing made an object, or a function that nothing called."""
        if isinstance(value, Class):
            if not self.made_of(value):
                self.construct(value, [], {}, value.node, unseen=True)
        elif value.node not in self.entered:
            self.call_function(value, [], declared_options.defaults(self, value), value.node, unseen=True)

    def rest_of(self, instance: Instance) -> None:
        """The methods of an object that nothing called."""
        for method in instance.of.methods():
            if method.node not in self.entered:
                bound = Function(method.node, method.scope, method.source, instance, method.of)
                self.call_function(bound, [], {}, method.node, unseen=True)

    def unfitting(self) -> None:
        """Note what a configuration sets that no option is and nothing reads, and the names in it that nothing has."""
        for name, (key, path, line) in self.unknown_names.items():
            if name not in self.found_names and not any(name in table.items for table in self.tables):
                configs.note(self, "name-unknown", key.name, key, path, line)
        unread = (loose for loose in self.loose.items() if not self.loose_read & {loose[0], "*"})
        for name, (value, parsed) in islice(unread, KEYS):
            configs.note(self, "config-key", name, value, parsed.source.path, parsed.line)

    def again(self, wanted: Callable[[Tracer], Value]) -> Value:
        """What `wanted` makes of the tracer once the script is through: calls of the project's functions with values of the
        trace, as a framework would make them. The trace itself stays as it is; too much gives Unknown."""
        trace = self.trace
        seen: tuple[list[Any], ...] = (trace.calls, trace.frames, trace.instances)
        lists = (*seen, trace.stores, trace.sets, trace.options)
        lengths = [len(held) for held in lists]
        state = dict(self.__dict__)
        self.steps, self.frame, self.tests, self.left, self.loops = max(0, STEPS - MORE), None, (), (), ()
        self.active, self.entered, self.returns, self.yields, self.breaks, self.handed = [], {}, [], [], [], []
        try:
            return wanted(self)
        except (_GaveUp, RecursionError):
            return UnknownValue()
        finally:
            order = self.order
            self.__dict__.update(state)
            self.order = order
            for held, length in zip(lists, lengths, strict=True):
                del held[length:]

    def made_of(self, of: Class) -> bool:
        return any(of in instance.of.lineage() for instance in self.trace.instances)

    def imported(self, module: NamedValue) -> Scope | None:
        """The names of a module that is followed into. It is run when something of it is first asked for."""
        source = self.find(module.name, module.importer or self.source)
        if source is None or source.file == self.trace.source.file:
            return None
        if source.file not in self.modules:
            self.modules[source.file] = scope = Scope()
            self.fill(scope, source, module.name)
        return self.modules[source.file]

    def fill(self, scope: Scope, source: Source, name: str) -> None:
        """Run a module, which puts its names into a scope."""
        scope.names["__name__"] = KnownValue(name)
        scope.names["__file__"] = KnownValue(str(source.file), name="__file__")
        outer = self.source, self.tests, self.left, self.loops, self.frame
        self.source, self.tests, self.left, self.loops, self.frame = source, (), (), (), None
        try:
            self.block(source.tree.body, scope)
        finally:
            self.source, self.tests, self.left, self.loops, self.frame = outer

    def names_at(self, source: Source, call: ast.AST) -> Scope | None:
        """The names of a description that is entered here, as what happens at this call; None for anything else."""
        if not isinstance(source, Described) or source.called or not isinstance(call, ast.Call):
            return None
        site = None if isinstance(self.source, Described) else source.at(self.source, call.lineno)
        if site is not None and id(site) not in self.sites:
            self.sites[id(site)] = scope = Scope()
            self.fill(scope, site, source.file.stem)
        return None if site is None else self.sites[id(site)]

    def function_at(self, function: Function, call: ast.AST) -> Function:
        """A function of a description as this call enters it; any other as it is."""
        names = self.names_at(function.source, call)
        if names is None:
            return function
        of = names.names.get(function.of.node.name) if function.of is not None else None
        found = of.attributes.get(function.name) if isinstance(of, Class) else names.names.get(function.name)
        if not isinstance(found, Function):
            return function
        return Function(found.node, found.scope, found.source, function.owner, found.of, function.decorators)

    def class_at(self, of: Class, call: ast.AST) -> Class:
        """A class of a description as this call makes an object of it; any other as it is."""
        names = self.names_at(of.source, call)
        found = names.names.get(of.node.name) if names is not None else None
        return found if isinstance(found, Class) else of

    # --- statements ---------------------------------------------------------------------------------------------------

    def block(self, body: Sequence[ast.stmt], scope: Scope) -> bool:
        """Run statements; False when they end in return, raise, break or continue."""
        outer = self.tests
        try:
            for statement in body:
                if not self.statement(statement, scope):
                    return False
        finally:
            self.tests = outer
        return True

    def statement(self, node: ast.stmt, scope: Scope) -> bool:
        self.step()
        run = _RUN.get(node.__class__)
        return run is None or run(self, node, scope)

    def do_Expr(self, node: ast.Expr, scope: Scope) -> bool:
        value = self.value(node.value, scope)
        for option in options(value):
            if isinstance(option, Call) and option.node is node.value:
                option.discarded = True
        return True

    def do_Assign(self, node: ast.Assign, scope: Scope) -> bool:
        outer, self.numbering = self.numbering, any(map(_by_unknown_key, node.targets))
        self.unpacked = (node.value, _names_in(node.targets)) if isinstance(node.value, _UNPACKED) else None
        value = self.value(node.value, scope)
        self.numbering = outer
        if isinstance(value, KnownValue) and self.carries(node, value, scope):
            value = self.carried(node.value, scope)
        for target in node.targets:
            self.assign(target, value, scope)
        return True

    def carries(self, node: ast.Assign, value: KnownValue, scope: Scope) -> bool:
        """Whether a number or text is computed anew in each turn of a loop from what it was before: rate = rate * 0.5."""
        target = node.targets[0]
        computed = type(value.value) in (int, float) or isinstance(node.value, ast.BinOp)
        if not computed or not isinstance(target, ast.Name) or not self.repeats(target, scope):
            return False
        return any(isinstance(part, ast.Name) and part.id == target.id for part in walk(node.value))

    def carried(self, node: ast.expr, scope: Scope) -> Value:
        """What stands for it: what it is computed of, and no constant, as the loop is taken once."""
        if not isinstance(node, ast.BinOp):
            return UnknownValue()
        return self.unfolded(node.op, self.value(node.left, scope), self.value(node.right, scope), node)

    def do_AnnAssign(self, node: ast.AnnAssign, scope: Scope) -> bool:
        if node.value is not None:
            self.assign(node.target, self.value(node.value, scope), scope)
        return True

    def do_AugAssign(self, node: ast.AugAssign, scope: Scope) -> bool:
        """A list is changed in place, and so is an array of numpy that the function was given: who else holds it sees that. Of a tensor
        a new one is made."""
        load = ast.copy_location(ast.BinOp(_loaded(node.target), node.op, node.value), node)
        old, value = self.value(load.left, scope), self.value(node.value, scope)
        certain = self.tests == (self.frame.tests if self.frame else ())  # within this function
        lists = isinstance(old, Items) and isinstance(value, Items) and not old.fixed
        if certain and lists and isinstance(node.op, ast.Add):
            models.method(self, old, "extend", [value], {}, node)
            return True
        counts = isinstance(old, KnownValue) and isinstance(value, KnownValue) and self.repeats(node.target, scope)
        made = self.unfolded(node.op, old, value, load) if counts else self.combined(node.op, old, value, load)
        if isinstance(old, Call) and isinstance(made, Call) and self.given(node.target) and not _is_tensor(old):
            old.fed = [*(old.fed or []), made]
        self.assign(node.target, made, scope)
        return True

    def repeats(self, target: ast.expr, scope: Scope) -> bool:
        """Whether what is computed into a variable or an attribute is so again in each turn of a loop, from what it was before."""
        if isinstance(target, ast.Attribute):
            owner = self.value(target.value, scope)
            return isinstance(owner, Instance) and len(self.loops) > len(owner.loops)
        shared = isinstance(target, ast.Name) and target.id in scope.outer
        around = self.frame.loops if self.frame is not None and not shared else ()
        return isinstance(target, ast.Name) and len(self.loops) > len(around)

    def given(self, target: ast.expr) -> bool:
        """True for a parameter of the running function; a network computes with tensors, not arrays, and they stay as they are."""
        frame = self.frame
        if frame is None or "construct" in frame.names:
            return False
        return isinstance(target, ast.Name) and target.id in frame.parameters

    def do_If(self, node: ast.If, scope: Scope) -> bool:
        test = self.value(node.test, scope)
        truth = self.truth(test)
        if truth is not None:
            if deciders := deciders_of(options(test)):
                self.trace.decided[node.test] = deciders
            return self.block(node.body if truth else node.orelse, scope)
        yes, no = Test(test, True, node.test), Test(test, False, node.test)
        return self.either([(node.body, yes), (node.orelse, no)], scope)

    def do_For(self, node: ast.For, scope: Scope) -> bool:
        over = _listed(self.value(node.iter, scope))
        if isinstance(over, Items) and not over.items and not over.open and self.stays_empty(node.iter):
            self.block(node.orelse, scope)
            return True
        iterated = self.places(node, over, scope) or over
        if isinstance(iterated, Items) and _in_turn(node, iterated):
            outer = self.tests
            for item in iterated.items:  # one that was only made on a condition is only applied on it
                made = (option for option in options(item) if isinstance(option, (Instance, Call)))
                self.tests = tuple(dict.fromkeys((*outer, *(test for option in made for test in option.tests))))
                self.assign(node.target, item, scope)
                self.turn(node, scope)
            self.tests = outer
        elif isinstance(iterated, Words) and not iterated.open:
            self.turns(node, iterated, scope)
        else:
            self.assign(node.target, self.element(iterated, node), scope)
            self.loop(node, scope, iterated)
        self.block(node.orelse, scope)
        return True

    def stays_empty(self, node: ast.expr) -> bool:
        """True for an empty list that nothing else can have filled: what a default stands in for, and what a call gives of its own
        beyond the parameters."""
        if _by_default(node):
            return True
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):  # options.items()
            node = node.func.value
        spec = self.frame.function.node.args if self.frame is not None else None
        return isinstance(node, ast.Name) and spec is not None and node.id in _rest(spec)

    def turns(self, node: ast.For, over: Words, scope: Scope) -> None:
        """The body of a loop for each word, until it breaks off."""
        for item in over.items[:UNROLLED]:
            self.assign(node.target, item, scope)
            if self.turn(node, scope):
                break

    do_AsyncFor = do_For

    def places(self, node: ast.For, over: Value, scope: Scope) -> Words | None:
        """The numbers of a loop over range(...) that takes different cells out of a container by them, or makes names of attributes
        with them: each is taken in turn. None for any other loop."""
        turns = _range(over)
        if turns is None or not isinstance(node.target, ast.Name):
            return None
        parts = [part for statement in node.body for part in walk(statement)]
        named = len(turns) <= models.SHORT and any(map(_names_attribute, parts))
        if named or (len(turns) <= UNROLLED and self.takes_cells(parts, node.target.id, scope)):
            return Words([KnownValue(turn) for turn in turns])
        return None

    def takes_cells(self, parts: list[ast.AST], name: str, scope: Scope) -> bool:
        """Whether one of different cells is taken by a number of this name."""
        held = [part.value for part in parts if _is_item(part, name)]
        cells = [models.cells(option) for each in held for option in options(self.value(each, scope))]
        return any(isinstance(each, Items) and _differ(each.items) for each in cells)

    def do_While(self, node: ast.While, scope: Scope) -> bool:
        head = self.value(node.test, scope)
        if isinstance(head, Words) or (self.stepwise and self.stepwise[-1] is self.frame):
            self.stepwise.append(self.frame)
            for _ in range(UNROLLED):
                if self.truth(head) is not True or self.turn(node, scope):
                    break
                head = self.value(node.test, scope)
            self.stepwise.pop()
        if self.truth(head) is not False or not isinstance(head, (Words, KnownValue)):
            self.loop(node, scope, head)
        self.block(node.orelse, scope)
        return True

    def loop(self, node: ast.For | ast.While, scope: Scope, head: Value) -> None:
        outer = self.loops, self.head
        self.loops, self.head = (*self.loops, node), head
        self.turn(node, scope)
        self.loops, self.head = outer

    def turn(self, node: ast.For | ast.While, scope: Scope) -> bool:
        """The body of a loop, once. What left only the turn does not count after it. True where it surely breaks the loop off."""
        self.breaks.append([])
        outer, broken = self.left, self.broken
        self.broken = None
        self.block(node.body, scope)
        ended, self.broken = self.broken == self.tests, broken
        if len(self.left) > len(outer):
            leaving = _ended(node)
            self.left = (*outer, *(test for test in self.left[len(outer) :] if id(test.node) in leaving))
        self.joined(scope, [scope.names, *self.breaks.pop()])
        return ended

    def do_Break(self, node: ast.Break, scope: Scope) -> bool:
        self.broken = self.tests
        return self.do_Continue(node, scope)

    def do_Continue(self, node: ast.Break | ast.Continue, scope: Scope) -> bool:
        if self.breaks:
            self.breaks[-1].append(dict(scope.names))
        return False

    def do_With(self, node: ast.With, scope: Scope) -> bool:
        for item in node.items:
            value = self.value(item.context_expr, scope)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, value, scope)
        return self.block(node.body, scope)

    do_AsyncWith = do_With

    def do_Try(self, node: Any, scope: Scope) -> bool:
        """The handlers start from before the body, and are joined with its regular end, which tells what ways have left."""
        before, outer, left = dict(scope.names), self.tests, self.left
        runs = self.block(node.body, scope) and self.block(node.orelse, scope)
        ends, kept = ([scope.names], self.left) if runs else ([], left)
        for handler in node.handlers:
            scope.names = dict(before)
            self.tests, self.left = (*outer, Test(UnknownValue(), None, handler)), left
            if self.block(handler.body, scope):
                ends.append(scope.names)
            self.tests = outer
        self.left = kept
        if ends:
            self.joined(scope, ends)
        return self.block(node.finalbody, scope) and bool(ends)

    do_TryStar = do_Try

    def do_Match(self, node: ast.Match, scope: Scope) -> bool:
        """The case that fits; where that is not decided, each that may, and none of them."""
        subject = self.value(node.subject, scope)
        ways: list[tuple[Sequence[ast.stmt], Test]] = [([], Test(subject, False, node.subject))]
        for case in node.cases:
            fits = self.fits(case.pattern, subject, scope)
            if fits is False:
                continue
            sure = fits and case.guard is None
            if sure and len(ways) == 1:
                return self.block(case.body, scope)
            ways.append((case.body, Test(subject, True, node.subject)))
            if sure:
                del ways[0]
                break
        return len(ways) == 1 or self.either(ways, scope)

    def fits(self, pattern: ast.pattern, subject: Value, scope: Scope) -> bool | None:
        """Whether a pattern of constants matches, as `if` would decide it; None when that cannot be told."""
        if isinstance(pattern, ast.MatchAs) and pattern.pattern is None:
            if pattern.name is not None:
                self.bind(pattern.name, subject, scope)
            return True
        if isinstance(pattern, ast.MatchOr):
            each = [self.fits(part, subject, scope) for part in pattern.patterns]
            return True if True in each else None if None in each else False
        if isinstance(pattern, ast.MatchValue):
            wanted = self.value(pattern.value, scope)
        elif isinstance(pattern, ast.MatchSingleton):
            wanted = KnownValue(pattern.value)
        else:
            return None
        if not isinstance(wanted, KnownValue):
            return None
        if isinstance(subject, KnownValue) and subject.assumed is None:
            return bool(subject.value == wanted.value)
        return self.assume(name_of(subject), wanted.value) if name_of(subject) else None

    def do_Return(self, node: ast.Return, scope: Scope) -> bool:
        value = KnownValue(None) if node.value is None else self.value(node.value, scope)
        if self.returns:
            self.returns[-1].append(value)
        return False

    def do_Raise(self, node: ast.Raise, scope: Scope) -> bool:
        return False

    def do_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> bool:
        function = Function(node, scope, self.source)
        for decorator in node.decorator_list:
            for made in options(self.value(decorator, scope)):
                function.decorators += (made,)
                registers = isinstance(made, Call) and made.name == ".register"
                root = made.base if registers and isinstance(made, Call) else made
                if isinstance(root, Call):
                    root.attached = [*(root.attached or []), function]
                elif isinstance(made, Function):
                    self.decorate(made, function, decorator)
        if declared_options.is_command(function) or typer.is_command(function):
            self.commands.append(function)
        sets = decorated_as(node, "setter") or decorated_as(node, "deleter")
        if not sets:  # a property gives what its getter returns
            scope.names[node.name] = function
        return True

    do_AsyncFunctionDef = do_FunctionDef

    def do_ClassDef(self, node: ast.ClassDef, scope: Scope) -> bool:
        inner = Scope(scope)
        made = Class(node, inner.names, [self.value(base, scope) for base in node.bases], self.source)
        decorators = [(part, self.value(part, scope)) for part in node.decorator_list]
        self.block(node.body, inner)
        made.attributes = inner.names
        for value in made.attributes.values():
            if isinstance(value, Function) and value.scope is inner:
                value.scope, value.of = scope, made  # a method does not see the names of its class
        scope.names[node.name] = made
        for part, value in reversed(decorators):
            for option in options(value):
                if isinstance(option, Function):
                    self.decorate(option, made, part)
        return True

    def decorate(self, decorator: Function, decorated: Function | Class, node: ast.expr) -> None:
        """What a decorator of the project does with what it is given, such as entering it in a registry. Its result is taken to do
        the same as what was decorated. However many it decorates, it counts as entered once, and what it wraps as not handed on:
        a method without its object, of a class that nobody may make, tells nothing."""
        times = self.entered.get(decorator.node, 0)
        self.call_function(decorator, [decorated], {}, node)
        self.entered[decorator.node] = max(times, 1)
        self.handed = [function for function in self.handed if function.node is not decorated.node]

    def registered(self, table: Mapping) -> bool:
        """Run the imported modules that were not run yet, as far as they decorate what they define, because something is looked up
        in a table that modules fill. False when that is no such table, or nothing is left to run."""
        if not self.waiting or not any(table is each for each in self.tables):
            return False
        while self.waiting:
            module = self.waiting.pop(0)
            source = self.find(module.name, module.importer or self.source)
            if source is not None and any(map(_registers, source.tree.body)):
                self.imported(module)
        return True

    def do_Import(self, node: ast.Import, scope: Scope) -> bool:
        for alias in node.names:
            name = alias.name if alias.asname else alias.name.split(".")[0]
            scope.names[alias.asname or name] = NamedValue(name)
            self.load(NamedValue(alias.name))
        return True

    def do_ImportFrom(self, node: ast.ImportFrom, scope: Scope) -> bool:
        module = "." * node.level + (node.module or "")
        importer = self.source if node.level else None
        self.load(NamedValue(module, importer))
        for alias in node.names:
            if alias.name == "*":
                scope.stars.append(NamedValue(module, importer))
            else:
                dot = "" if module.endswith(".") else "."
                named = NamedValue(f"{module}{dot}{alias.name}", importer)
                scope.names[alias.asname or alias.name] = named
                self.waiting.append(NamedValue(named.name, self.source))  # perhaps a module
        return True

    def load(self, module: NamedValue) -> None:
        """Importing a module runs it: what it does at its top counts, for instance a seed that is set there."""
        if len(self.active) < DEPTH and self.at_once(module.name, module.importer or self.source):
            self.imported(module)
        else:
            self.waiting.append(NamedValue(module.name, self.source))

    def do_Global(self, node: ast.Global | ast.Nonlocal, scope: Scope) -> bool:
        scope.outer.update(node.names)
        return True

    do_Nonlocal = do_Global

    def do_Assert(self, node: ast.Assert, scope: Scope) -> bool:
        self.value(node.test, scope)
        return True

    def do_Delete(self, node: ast.Delete, scope: Scope) -> bool:
        for target in node.targets:
            if isinstance(target, ast.Name):
                scope.names.pop(target.id, None)
            elif isinstance(target, ast.Subscript):
                key = self.value(target.slice, scope)
                for owner in options(self.value(target.value, scope)):
                    self.remove(owner, key)
        return True

    def remove(self, owner: Value, key: Value) -> None:
        known = key.value if isinstance(key, KnownValue) and not self.tests else None
        if isinstance(owner, Mapping) and models.hashable(known):
            owner.items.pop(known, None)
        elif isinstance(owner, Items):
            if type(known) is int and -len(owner.items) <= known < len(owner.items):
                del owner.items[known]
                owner.start = 0
            else:
                owner.open, owner.start = True, 0

    def either(self, ways: Sequence[tuple[Sequence[ast.stmt], Test]], scope: Scope) -> bool:
        """Run each way on the names as they are now, and join what they leave; False when none of them runs on."""
        before, ends, outer, left = dict(scope.names), [], self.tests, self.left
        going, settings, former = [], self.settings, len(self.former)
        on_each: list[set[tuple[int, str]]] = []
        for body, test in ways:
            scope.names, self.settings = dict(before), set()
            self.tests, self.left = (*outer, test), left
            if self.block(body, scope):
                ends.append(scope.names)
                going.append(test)
                on_each.append(self.settings)
        self.tests, self.left = outer, left
        everywhere = set.intersection(*on_each) if on_each else set()
        self.settings = settings | everywhere
        if not outer:  # else there are other ways around, which may not set them
            self.replaced(former, everywhere)
        if not ends:
            return False
        if len(going) == 1 and len(ways) > 1:  # the other way left: what follows is for this one alone
            if MANY_DEVICES.search(going[0].text):  # and that counts like a condition around it
                self.tests = (*outer, going[0])
            else:
                self.left = (*left, going[0])
        self.joined(scope, ends, going)
        return True

    def replaced(self, since: int, everywhere: set[tuple[int, str]]) -> None:
        """Forget what attributes held before several ways that all set them."""
        for owner, held, name, was in self.former[since:]:
            if (id(owner), name) in everywhere:
                before = {id(option) for option in options(was)}
                rest = [option for option in options(held[name]) if id(option) not in before]
                held[name] = join(rest) if rest else was

    def joined(self, scope: Scope, ends: list[dict[str, Value]], tests: Sequence[Test] = ()) -> None:
        """The names after several ways; `tests` are the conditions of these."""
        if len(ends) == 1:
            scope.names = ends[0]
            return
        names = {name: None for end in ends for name in end}
        scope.names = {name: joined([end[name] for end in ends if name in end], list(tests)) for name in names}

    def assign(self, target: ast.expr, value: Value, scope: Scope) -> None:
        if isinstance(target, ast.Name):
            if isinstance(value, KnownValue) and not value.name:
                value = KnownValue(value.value, value.origin, target.id, deciders=value.deciders)
            elif isinstance(value, UnknownValue) and not value.name:
                value.name = target.id
            self.bind(target.id, value, scope)
            _bound(value, target.id)
        elif isinstance(target, ast.Attribute):
            _bound(value, target.attr)
            for owner in options(self.value(target.value, scope)):
                self.set_attribute(owner, target.attr, value, target)
        elif isinstance(target, ast.Subscript):
            key = self.value(target.slice, scope)
            for owner in options(self.value(target.value, scope)):
                self.set_item(owner, key, value, target)
            if isinstance(key, KnownValue) and isinstance(key.value, str):
                _bound(value, key.value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            self.unpack(target, value, scope)

    def unpack(self, target: ast.Tuple | ast.List, value: Value, scope: Scope) -> None:
        """Assigns the items of a value to several targets."""
        count = len(target.elts)
        starred = next((place for place, part in enumerate(target.elts) if isinstance(part, ast.Starred)), count)
        value = _of_size(value, count) if starred == count else value
        for place, part in enumerate(target.elts):
            if isinstance(part, ast.Starred):
                self.assign(part.value, self.between(value, place, count - place - 1, target), scope)
            else:  # behind the starred one it counts from the end
                self.assign(part, self.item(value, place - count * (place > starred), target), scope)

    def between(self, value: Value, before: int, behind: int, node: ast.expr) -> Value:
        """What a starred target takes: all but so many items at both ends."""
        return join(
            [
                type(option)(option.items[before : len(option.items) - behind], option.open)
                if isinstance(option, Items)
                else Items([self.element(option, node)], open=True)
                for option in options(value)
            ]
        )

    def bind(self, name: str, value: Value, scope: Scope) -> None:
        if name not in scope.outer:
            scope.names[name] = value
            return
        home = scope.parent
        while home is not None and home.parent is not None and name not in home.names:
            home = home.parent
        (home or scope).names[name] = value

    def set_attribute(self, owner: Value, name: str, value: Value, node: ast.expr) -> None:
        if isinstance(owner, (Instance, Class)):
            held: dict[Any, Value] = owner.attributes
            if isinstance(owner, Instance) and name in held:
                self.trace.sets.append(self.stored(owner, name, value, node, held[name]))
        elif isinstance(owner, Mapping):
            held = owner.items
        else:
            self.store(owner, name, value, node)
            if not isinstance(owner, (Call, UnknownValue)):
                return
            if owner.held is None:
                owner.held = {}
            held = owner.held
        old = self.held_before(owner, held, name, node)
        if old is not None and isinstance(value, UnknownValue) and self.frame is not None and self.frame.unseen:
            return  # a setter without callers, whose argument is unknown
        held[name] = self.instead(owner, old, value)

    def held_before(self, owner: Value, held: dict[Any, Value], name: str, node: ast.expr) -> Value | None:
        """What an attribute holds before it is set; on a condition, something unknown where it may have been set out of sight: of what is
        not seen, or under a name that is not, as by the keys of a file."""
        own = self.frame is not None and self.frame.function.owner is owner
        filled = None if own else models.under_any_name(owner, name)
        out_of_sight = filled is not None or isinstance(owner, (Call, UnknownValue))
        if out_of_sight:
            self.settings.add((id(owner), name))
        if name in held or not (out_of_sight and self.tests):
            return held.get(name)
        before = filled if filled is not None else self.attribute(owner, name, node)
        self.former.append((owner, held, name, before))
        return before

    def set_item(self, owner: Value, key: Value, value: Value, node: ast.expr) -> None:
        constant = isinstance(key, KnownValue) and models.hashable(key.value)
        if isinstance(owner, Instance) and owner.of.find("__setitem__") is None:
            owner.vague |= not constant
            owner = models.as_dict(owner) or owner
        elif isinstance(owner, Call):
            owner = models.as_dict(owner) or owner
        if isinstance(owner, Mapping) and isinstance(key, KnownValue) and constant:
            owner.items[key.value] = self.instead(owner, owner.items.get(key.value), value)
        elif isinstance(owner, Mapping):
            owner.fed = [*(owner.fed or []), value][:200]
        elif isinstance(owner, Items):
            if (
                isinstance(key, KnownValue)
                and type(key.value) is int
                and -len(owner.items) <= key.value < len(owner.items)
            ):
                owner.items[key.value] = self.instead(owner, owner.items[key.value], value)
            elif is_slice(key):
                owner.items.append(value)
                owner.open, owner.start = True, 0
            elif len(owner.items) <= 100:  # one of them, which is unknown
                owner.items = [join([item, value]) for item in owner.items]
            else:
                owner.items, owner.open, owner.start = [join([UnknownValue(), value])], True, 0
        elif isinstance(owner, NamedValue) or models.put_cell(self, owner, key, value):  # of a library, as os.environ
            self.store(owner, "[]", value, node)
        elif isinstance(owner, (Call, UnknownValue)):
            self.store(owner, "[]", value, node)
            if isinstance(key, KnownValue) and isinstance(key.value, str):
                owner.held = owner.held or {}
                owner.held[key.value] = self.instead(owner, owner.held.get(key.value), value)
            if isinstance(owner, Call):
                owner.fed = [*(owner.fed or []), value]
                owner.writes = (
                    *owner.writes,
                    Write(key, value, node, self.source, self.frame, self.loops, self.head, self.order),
                )[:WRITES]

    def instead(self, owner: Value, old: Value | None, value: Value) -> Value:
        """What `owner` holds after a value was put in the place of another, perhaps on a condition: one that `owner` was made
        under as well decides nothing."""
        common = owner.tests if isinstance(owner, (Instance, Call, Mapping)) else ()
        perhaps = any(test not in common for test in self.tests)
        return join([old, value]) if old is not None and perhaps else value

    def store(self, owner: Value, name: str, value: Value, node: ast.expr) -> None:
        self.trace.stores.append(self.stored(owner, name, value, node))

    def stored(self, owner: Value, name: str, value: Value, node: ast.expr, before: Value | None = None) -> Store:
        place = self.source, self.frame, self.tests, self.loops, self.next()
        return Store(owner, name, value, node, *place, before, self.left)

    # --- functions ----------------------------------------------------------------------------------------------------

    def call_function(
        self,
        function: Function,
        args: list[Value],
        keywords: dict[str, Value],
        call: ast.AST,
        unpacked: bool = False,
        unseen: bool = False,
    ) -> Value:
        """Follow a function. `unseen`: no call of it was seen, so its defaults may be replaced."""
        function = self.function_at(function, call)
        node = function.node
        self.entered[node] = self.entered.get(node, 0) + 1
        if self.too_often(node, args):
            return self.made(function.name, args, keywords, call, function.owner, unpacked)
        scope = Scope(function.scope)
        self.parameters(function, args, keywords, scope, unpacked, unseen)
        if isinstance(node, ast.Lambda):
            return self.value(node.body, scope)
        outer, source = self.frame, self.source
        names, left = (*(outer.names if outer else ()), node.name), self.left
        frame = Frame(
            function, call, source, outer, self.next(), self.tests, self.loops, names, unseen=unseen, left=left
        )
        frame.parameters = dict(scope.names)
        self.trace.frames.append(frame)
        self.frame, self.source = frame, function.source
        self.active.append(node)
        self.returns.append([])
        self.yields.append([])
        self.breaks.append([])
        try:
            runs_on = self.block(node.body, scope)
        finally:
            found, yielded = self.returns.pop(), self.yields.pop()
            self.breaks.pop()
            self.active.pop()
            self.frame, self.source, self.left = outer, source, left
            frame.end = self.order
        if yielded:
            generator = self.made("generator", [function], {}, node)
            frame.returned = generator.result = join(yielded)
            return generator
        if not found and _stub(node):
            found.append(self.made(function.name, args, keywords, call, function.owner, unpacked))
        elif runs_on:
            found.append(KnownValue(None))
        elif not found:  # it raises on every way
            found.append(UnknownValue())
        useful = [value for value in found if not is_known(value, None)]
        frame.returned = join(useful or found)
        return frame.returned

    def too_often(self, node: ast.AST, args: list[Value]) -> bool:
        """Whether a function is not followed any more: within itself, too deep, or too many times."""
        within = NESTED if _names_configuration(args) or any(map(_is_configuration, args)) else RECURSION
        return self.active.count(node) > within or len(self.active) >= DEPTH or self.entered[node] > TIMES

    def parameters(
        self,
        function: Function,
        args: list[Value],
        keywords: dict[str, Value],
        scope: Scope,
        unpacked: bool,
        unseen: bool,
    ) -> None:
        spec = function.node.args
        names = [part.arg for part in (*spec.posonlyargs, *spec.args)]
        given = list(args)
        static = not isinstance(function.node, ast.Lambda) and decorated_as(function.node, "staticmethod")
        if function.owner is not None and names and not static:
            given.insert(0, function.owner)
        several = self.spread(given, spec, function.node) if unpacked else None
        defaults = dict(zip(reversed(names), reversed(spec.defaults), strict=False))
        defaults |= {part.arg: d for part, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if d is not None}
        rest = dict(keywords)
        for place, name in enumerate([*names, *(part.arg for part in spec.kwonlyargs)]):
            if place < len(given) and place < len(names):
                value = given[place]
            elif name in rest:
                value = rest.pop(name)
            elif name in defaults and not unpacked:
                value = self.value(defaults[name], function.scope)
                if unseen:
                    value = (
                        KnownValue(value.value, "parameter", name)
                        if isinstance(value, KnownValue)
                        else UnknownValue(name)
                    )
            else:
                value = UnknownValue(name)
            if isinstance(value, KnownValue) and not value.name:
                value = KnownValue(value.value, value.origin, name, deciders=value.deciders)
            elif isinstance(value, UnknownValue) and not value.name:
                value.name = name
            scope.names[name] = value
        if spec.vararg is not None:
            whole = not (unpacked or unseen)
            scope.names[spec.vararg.arg] = (
                Items(given[len(names) :]) if whole else several or UnknownValue(spec.vararg.arg)
            )
        if spec.kwarg is not None:
            whole = not (unpacked or unseen)
            scope.names[spec.kwarg.arg] = Mapping(dict(rest)) if whole else UnknownValue(spec.kwarg.arg)

    def spread(self, given: list[Value], spec: ast.arguments, node: ast.AST) -> Value | None:
        """Put the items of *batch in the places of the parameters that need one; what it is where there are none. Several ways of one,
        which are seen item by item, stay together. What stands behind it comes last, which is known where no parameter has a default."""
        stars = [place for place, value in enumerate(given) if isinstance(value, Call) and value.name == "*args"]
        if not stars:
            return None
        before, behind = stars[0], given[stars[0] + 1 :]
        held = cast(Call, given[before]).args[0]
        places = len(spec.posonlyargs) + len(spec.args) - len(spec.defaults) - before - len(behind)
        items = [self.item(held, place, node) for place in range(places)]
        if behind:
            told = len(stars) == 1 and not spec.defaults and spec.vararg is None and places >= 0
            given[before:] = [*items, *behind] if told else []
        elif isinstance(held, Call) and items:
            given[before:] = items
        elif isinstance(held, Call) and places == 0:
            return held
        return None

    def construct(
        self,
        of: Class,
        args: list[Value],
        keywords: dict[str, Value],
        node: ast.AST,
        unpacked: bool = False,
        unseen: bool = False,
    ) -> Instance:
        """An object of a class, after its __init__."""
        of = self.class_at(of, node)
        instance = Instance(of, {}, node, self.source, self.frame, self.next(), self.tests, self.loops, left=self.left)
        instance.unseen = unseen
        self.trace.instances.append(instance)
        start = of.find("__init__")
        if isinstance(start, Function):
            bound = Function(start.node, start.scope, start.source, instance, start.of)
            self.call_function(bound, args, keywords, node, unpacked, unseen)
        else:  # a dataclass, or a base that is not examined
            instance.attributes.update(zip(of.fields(), args, strict=False))
            instance.attributes.update(keywords)
            instance.supers += [(name, args, keywords) for name in of.beyond()]
            models.derive(instance, of.beyond(), args, keywords)
        return instance


#: How each kind of statement is run; True when what follows is, too.
_RUN: dict[type[ast.AST], Callable[[Tracer, Any, Scope], bool]] = {
    getattr(ast, name[3:]): method
    for name, method in vars(Tracer).items()
    if name.startswith("do_") and hasattr(ast, name[3:])
}


#: What an assignment may unpack turn by turn.
_UNPACKED = (ast.ListComp, ast.GeneratorExp)


def _names_in(targets: list[ast.expr]) -> int:
    """How many names a single target unpacks into; 0 where it does not, or into a list of them."""
    target = targets[0] if len(targets) == 1 else None
    parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else []
    return 0 if any(isinstance(part, ast.Starred) for part in parts) else len(parts)


def _of_size(value: Value, count: int) -> Value:
    """What of a value can be unpacked into so many names: Python stops at a list of another length."""
    fitting = [
        option
        for option in options(value)
        if not isinstance(option, Items) or option.open or len(option.items) == count
    ]
    return value if len(fitting) == len(options(value)) else join(fitting) if fitting else UnknownValue()


def _by_unknown_key(target: ast.expr) -> bool:
    return isinstance(target, ast.Subscript) and not isinstance(target.slice, (ast.Constant, ast.Slice, ast.Tuple))


def _registers(node: ast.stmt) -> bool:
    """True for a definition with a decorator, and for an import, behind which there may be some."""
    return bool(getattr(node, "decorator_list", ())) or isinstance(node, (ast.Import, ast.ImportFrom))


def _names_configuration(args: list[Value]) -> bool:
    """True for arguments that begin with the name of a configuration file which another one names."""
    return bool(args) and _of_configuration(args[0]) and _names_file(args[0])


def _is_configuration(value: Value, depth: int = 3) -> bool:
    """True for a dict of a configuration file, or a part of it: what walks through it ends where the file does."""
    if not isinstance(value, Mapping) or value.fed or not depth:
        return False
    return any(_of_file(held) or _is_configuration(held, depth - 1) for held in value.items.values())


def _of_file(value: Value) -> bool:
    return isinstance(value, KnownValue) and value.origin in ("config", "configured")


def _stub(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """True for a function whose code stands elsewhere, or nowhere yet: `...`, or NotImplementedError."""
    last = node.body[-1]
    if len(node.body) > 2 or (len(node.body) == 2 and not _text(node.body[0])):
        return False
    if isinstance(last, ast.Raise) and last.exc is not None:
        raised = last.exc.func if isinstance(last.exc, ast.Call) else last.exc
        return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"
    return isinstance(last, ast.Expr) and isinstance(last.value, ast.Constant) and last.value.value is ...


def _text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _ended(loop: ast.AST) -> set[int]:
    """The conditions within a loop of which one way ends the function, by id."""
    return {
        id(part.test)
        for part in walk(loop)
        if isinstance(part, ast.If)
        and any(isinstance(way[-1], (ast.Return, ast.Raise)) for way in (part.body, part.orelse) if way)
    }


def _is_tensor(value: Value | None) -> bool:
    """Whether MindSpore makes a value: a tensor, or what its operations and methods give."""
    while isinstance(value, Call) and value.name.startswith(".") and value.name not in _GIVE_ARRAYS:
        value = value.base
    return isinstance(value, Call) and value.api.startswith(_GIVE_TENSORS)


def _loaded(target: ast.expr) -> ast.expr:
    """The target of an augmented assignment as the value it had."""
    if isinstance(target, ast.Name):
        return ast.copy_location(ast.Name(target.id, ast.Load()), target)
    return target


def _listed(over: Value) -> Value:
    """What a loop goes over as a list, where that is known: the keys of a dict, different cells of a container, what enumerate and
    zip make of short lists."""
    held = models.as_dict(over) or models.cells(over) or over
    if isinstance(held, Mapping) and not held.fed:
        return Items([KnownValue(key) for key in held.items])
    if held is not over:
        return held if isinstance(held, Items) and not held.open and _differ(held.items) else over
    if not isinstance(over, Call) or over.name not in ("enumerate", "zip") or over.keywords:
        return over
    return _paired(over)


def _paired(over: Call) -> Value:
    """What enumerate and zip make of short lists."""
    lists = [arg.items for arg in map(_listed, over.args) if _short(arg) or _described(arg)]
    if not lists or len(lists) < len(over.args):
        return over
    numbers = [[KnownValue(number) for number in range(len(lists[0]))]] if over.name == "enumerate" else []
    return Items([Items(list(pair), fixed=True) for pair in zip(*numbers, *lists, strict=False)])


def _short(value: Value) -> TypeGuard[Items]:
    return isinstance(value, Items) and not value.open and len(value.items) <= models.SHORT


def _of_files(over: Items) -> bool:
    """True for names of configuration files: what each holds is merged into that of the ones before it."""
    return bool(over.items) and not over.open and len(over.items) <= UNROLLED and all(map(_names_file, over.items))


def _names_file(value: Value) -> bool:
    return (
        isinstance(value, KnownValue) and isinstance(value.value, str) and value.value.lower().endswith(configs.ENDINGS)
    )


def _differ(items: list[Value]) -> bool:
    """True for a few cells of different kinds, one behind the other: what the last of them gives is not what another one gives."""
    made = [part.items[-1] if isinstance(part, Items) and part.fixed and part.items else part for part in items]
    kinds = {part.of.node if isinstance(part, Instance) else part.api for part in made if models.is_cell(part)}
    return len(kinds) > 1 and len(items) <= UNROLLED and all(map(models.is_cell, made))


def _by_default(node: ast.expr) -> bool:
    """True for what a default stands in for: settings.get(key, []), given or []."""
    method = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
    return isinstance(node, ast.BoolOp) or method in ("get", "pop")


def _rest(spec: ast.arguments) -> list[str]:
    """The names of what a function is given beyond its parameters."""
    return [part.arg for part in (spec.vararg, spec.kwarg) if part is not None]


def _in_turn(node: ast.For, over: Items) -> bool:
    """True for a loop that is taken item by item."""
    kinds = (_fills, _applies, _descends)
    return _described(over) or _of_files(over) or _differ(over.items) or any(kind(node, over) for kind in kinds)


def _descends(node: ast.For, over: Items) -> bool:
    """True for a loop over a few names that goes a level deeper with each: held = held[name], or held = getattr(held, name)."""
    named = all(isinstance(item, KnownValue) and isinstance(item.value, str) for item in over.items)
    if not named or over.open or not isinstance(node.target, ast.Name) or len(over.items) > models.SHORT:
        return False
    assigned = [part for statement in node.body for part in walk(statement) if isinstance(part, ast.Assign)]
    return any(_one_deeper(part, node.target.id) for part in assigned)


def _one_deeper(assigned: ast.Assign, name: str) -> bool:
    """True for x = x[name], and for a call that gives x something else of x by that name."""
    read = {part.id for part in walk(assigned.value) if isinstance(part, ast.Name)}
    by_name = isinstance(assigned.value, (ast.Subscript, ast.Call)) and name in read
    return by_name and any(isinstance(target, ast.Name) and target.id in read for target in assigned.targets)


def _range(over: Value) -> range | None:
    """The numbers of range(...) of constants."""
    if not (isinstance(over, Call) and over.name == "range"):
        return None
    bounds = [arg.value for arg in over.args if isinstance(arg, KnownValue) and type(arg.value) is int]
    return range(*bounds) if bounds and len(bounds) == len(over.args) and 0 not in bounds[2:] else None


def _names_attribute(node: ast.AST) -> bool:
    """True for setattr, getattr and insert_child_to_cell with a name that is put together."""
    if not isinstance(node, ast.Call) or not node.args:
        return False
    by_name = isinstance(node.func, ast.Name) and node.func.id in ("setattr", "getattr") and len(node.args) > 1
    inserts = isinstance(node.func, ast.Attribute) and node.func.attr == "insert_child_to_cell"
    return (by_name and not isinstance(node.args[1], ast.Constant)) or (
        inserts and not isinstance(node.args[0], ast.Constant)
    )


def _is_item(node: ast.AST, name: str) -> TypeGuard[ast.Subscript]:
    """True for x[name] where x is a name or an attribute."""
    if not (isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name)):
        return False
    return node.slice.id == name and isinstance(node.value, (ast.Name, ast.Attribute))


def _described(value: Value) -> TypeGuard[Items]:
    """True for the lines of a configuration that each describe a thing by name, such as the layers of a network: a loop over them is
    taken line by line."""
    if not isinstance(value, Items) or value.open or len(value.items) > UNROLLED:
        return False
    inner = [item.items[-1] if isinstance(item, Items) and item.fixed else item for item in value.items]
    return bool(inner) and all(any(map(_of_configuration, _held(item))) for item in inner)


def _held(item: Value) -> list[Value]:
    return list(item.items.values()) if isinstance(item, Mapping) else item.items if isinstance(item, Items) else []


def _of_configuration(value: Value) -> TypeGuard[KnownValue]:
    return isinstance(value, KnownValue) and isinstance(value.value, str) and value.origin in ("config", "configured")


def _fills(node: ast.For, over: Items) -> bool:
    """True for a short loop over constants that sets attributes or items, or adds options: a configuration being put
    together; or that fills a short list. A loop within it is followed where it may go over what the items hold, or over the parts of
    words of the command."""
    if over.open or len(over.items) > UNROLLED or len(node.body) > 8:
        return False
    short = len(over.items) <= models.SHORT
    nested = short and (any(map(_nests, over.items)) or all(map(_of_command, over.items)))
    if any(isinstance(part, (ast.While, ast.With) if nested else (ast.For, ast.While, ast.With)) for part in node.body):
        return False
    return any(_sets(inner) or (short and _grows(inner)) for part in node.body for inner in walk(part))


def _sets(node: ast.AST) -> bool:
    """True for what sets an attribute or an item by its name, or adds an option."""
    if isinstance(node, ast.Call):
        called = node.func
        by_name = isinstance(called, ast.Name) and called.id == "setattr"
        return by_name or (isinstance(called, ast.Attribute) and called.attr in ("add_argument", "__setattr__"))
    return isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)


def _grows(node: ast.AST) -> bool:
    """True for what adds to a list."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and node.func.attr in ("append", "add", "extend")
    return isinstance(node, ast.AugAssign) and isinstance(node.value, (ast.List, ast.ListComp))


def _of_command(item: Value) -> bool:
    return isinstance(item, KnownValue) and item.origin == "command"


def _nests(item: Value) -> bool:
    """True for a list or dict, also where enumerate or zip put it beside something else."""
    inner = item.items if isinstance(item, Items) and item.fixed else [item]
    return any(isinstance(part, (Mapping, Items)) for part in inner)


def _applies(node: ast.For, over: Items) -> bool:
    """True for a loop that applies one transform after the other: its turns are not alike."""
    if not isinstance(node.target, ast.Name) or not 0 < len(over.items) <= 24 or len(node.body) > 8:
        return False
    for option in (option for item in over.items for option in options(item)):
        transforms = isinstance(option, Call) and option.api.startswith(TRANSFORMS)
        own = isinstance(option, Instance) and option.of.find("__call__") is not None
        if not (transforms or own or isinstance(option, (Function, Partial))):
            return False
    name = node.target.id
    return any(_takes(part, name) for statement in node.body for part in walk(statement) if isinstance(part, ast.Call))


def _takes(call: ast.Call, name: str) -> bool:
    """True for a call of a transform by this name, or one that maps a data set with it."""
    maps = isinstance(call.func, ast.Attribute) and call.func.attr == "map"
    parts = [*call.args, *(keyword.value for keyword in call.keywords)] if maps else [call.func]
    return any(isinstance(part, ast.Name) and part.id == name for part in parts)


def _bound(value: Value, name: str) -> None:
    for option in options(value):
        if isinstance(option, (Call, Instance)) and len(option.bound) < 20:
            option.bound += (name,)
