"""What a watched run tells of the case: the script, the command, files and checkpoints that it really read, and which functions made its
data sets, network, loss and optimizer. Only what is certain: a function is named where it returns what it made, and a class where all of
its arguments are known. Scripts are read as text."""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import ReadError
from ..readers import recordings
from ..readers.recordings import Run
from .keys import KEYS, fits

#: Steps in which a loss must have been equal to another one to be that.
_EQUAL = 5
#: Networks and optimizers that take turns are at least so many.
_SEVERAL = 2
#: Packages whose calls at the top of a script make something, as nn.CrossEntropyLoss() and logging.getLogger() do.
_MAKING = frozenset({"mindspore", "numpy", "math", "re", "pathlib", "logging", "collections", "functools"})
#: Bytes of a script that is read.
_BYTES = 4 << 20


class Told(NamedTuple):
    """The dotted keys of a case, arguments as JSON. `turns`: the classes of the networks that take turns, each with an optimizer; which
    function gives the loss of each is a person's to say."""

    keys: dict[str, str]
    turns: list[str]


def found(root: Path) -> Told:
    """What the last watch of a project tells; empty where there was none."""
    folder = recordings.latest(root)
    runs = _runs(folder) if folder is not None else []
    if folder is None or not runs:
        return Told({}, [])
    told = _WatchSummary(root.resolve(), folder, runs[0])
    # A graph hides passes, and with them what belongs to which: what ran beside it in PyNative tells.
    looked_at = _WatchSummary(root.resolve(), folder, next((run for run in runs if run.facts.get("pass")), runs[0]))
    keys = {**told.started(), **looked_at.files(), **looked_at.pipelines()}
    keys["curves.train"] = told.curve()
    turns = looked_at.turns()
    if not turns:  # a case has one network; of several, each is a phase
        keys |= looked_at.calls()
    shown = {
        key: json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value for key, value in keys.items()
    }
    return Told({key: value for key, value in shown.items() if value}, turns)


def _runs(folder: Path) -> list[Run]:
    """What rank 0 recorded of a training in its own mode, and in PyNative."""
    found = []
    for name in ("user.jsonl", "pynative.jsonl"):
        try:
            runs = recordings.read(folder / name).runs
        except ReadError:
            continue
        found += [run for run in runs[-1:] if "seconds" in run.series]
    return found


class _WatchSummary:
    def __init__(self, root: Path, folder: Path, run: Run) -> None:
        self.root, self.folder, self.run = root, folder, run
        self.start = next(iter(run.facts.get("start", ())), {})
        self.script = self._script()

    def _script(self) -> str | None:
        """The script that was started, relative to the project."""
        words = [str(word) for word in self.start.get("arguments", ())]
        for at, word in enumerate(words[1:], 1):
            if words[at - 1] == "-m":
                word = word.replace(".", "/") + ".py"
            if word.endswith(".py"):
                return self.inside(os.path.join(str(self.start.get("folder", "")), word)) or self.inside(word)
        return None

    def inside(self, path: str) -> str | None:
        """A path relative to the project, where there is something at it and it lies in the project."""
        real = os.path.realpath(os.path.join(self.root, path))
        own = os.path.relpath(real, self.root)
        return own if not own.startswith("..") and os.path.exists(real) and own.isprintable() else None  # noqa: PTH110

    def first(self, kind: str) -> dict[str, Any]:
        return next(iter(self.run.facts.get(kind, ())), {})

    def started(self) -> dict[str, Any]:
        graph = [fact.get("graph") for fact in self.run.facts.get("mode", ())]
        python = self.start.get("interpreter")
        device = str(self.first("device").get("target", ""))
        return {
            "scripts.train": self.script,
            "runtime.command": recordings.command(self.folder),
            "runtime.python": python if isinstance(python, str) and python.isprintable() else None,
            "runtime.device": device if device in KEYS["runtime.device"].choices else None,
            "runtime.mode": None if not graph else "graph" if graph[-1] else "pynative",
        }

    def files(self) -> dict[str, Any]:
        """Data that was read, and checkpoints that were loaded before the training."""
        loaded = [self.inside(str(fact.get("path"))) for fact in self.run.facts.get("loaded", ())]
        return {
            "data.train.path": self._data(),
            "checkpoints.pretrained": loaded[0] if len(loaded) == 1 else None,
        }

    def _data(self) -> str | None:
        """What the data set that was trained with read: its sources name it, or it is the only data file that was opened."""
        used = {fact.get("data") for fact in self.run.facts.get("pass", ()) if fact.get("training") is True}
        named = [
            self.inside(str(path))
            for fact in self.origins("dataset")
            if fact.get("number") in used
            for path in fact.get("files", ())
        ]
        if len(set(named)) == 1:
            return named[0]
        opened = [str(fact.get("path")) for fact in self.run.facts.get("file", ())]
        data = [
            path for path in opened if fits("data.train.path", path) and not path.lower().endswith((".json", ".txt"))
        ]
        return self.inside(data[0]) if len(data) == 1 else None

    def curve(self) -> str | None:
        """The recording itself, where the run was watched to its end."""
        ended = self.first("end").get("why") == "exit"
        path = self.folder / "user.jsonl"
        return self.inside(str(path)) if ended and path.is_file() else None

    # --- functions and classes ----------------------------------------------------------------------------------------

    def origins(self, of: str) -> list[dict[str, Any]]:
        return [fact for fact in self.run.facts.get("origin", ()) if fact.get("of") == of]

    def turns(self) -> list[str]:
        """The classes of the networks that are trained, where there are several and several optimizers take the gradients."""
        passes = [fact for fact in self.run.facts.get("pass", ()) if fact.get("training") is True]
        # a loss without weights is no network that is trained
        trained = {fact.get("number") for fact in self.run.facts.get("network", ()) if fact.get("parameters")}
        first = {number for fact in passes for number in fact.get("networks", ())[:1]} & trained
        used = {number for fact in passes for number in fact.get("networks", ())} & trained
        optimizers = len(self.run.facts.get("optimizer", ()))
        if optimizers < _SEVERAL or len(used) < _SEVERAL:
            return []
        shown = first if len(first) >= _SEVERAL else used
        networks = [fact for fact in self.run.facts.get("network", ()) if fact.get("number") in shown]
        return [_name(fact) for fact in networks]

    def pipelines(self) -> dict[str, Any]:
        keys: dict[str, Any] = {}
        passes = self.run.facts.get("pass", ())
        for part, training in (("train", True), ("eval", False)):
            used = {fact.get("data") for fact in passes if fact.get("training") is training}
            made = [fact for fact in self.origins("dataset") if fact.get("number") in used]
            calls = {json.dumps(call): call for fact in made if (call := self.function(fact)) is not None}
            again = {str(fact.get("place")) for fact in made}  # one line may make it anew for each epoch
            if len(calls) == len(again) == 1:
                keys |= _as(f"pipelines.{part}", next(iter(calls.values())))
        return keys

    def calls(self) -> dict[str, Any]:
        keys: dict[str, Any] = {}
        passes = self.run.facts.get("pass", ())
        trained = {number for fact in passes if fact.get("training") is True for number in fact.get("networks", ())[:1]}
        networks = [fact for fact in self.origins("network") if fact.get("number") in trained]
        if len(networks) == 1:
            keys |= _as("network", self.function(networks[0]) or self.own_class(networks[0]))
        if len(self.origins("optimizer")) == 1:
            keys |= _as("optimizer", self.optimizer(self.origins("optimizer")[0]))
        return keys | _as("loss", self.loss())

    def loss(self) -> tuple[str, dict[str, Any]] | None:
        """MindSpore's loss, or the project's own that holds it; where no cell computes it, the one that its values are equal to."""
        found = [fact for fact in [*self.origins("around"), *self.origins("network")] if _is_loss(fact)]
        if len(found) == 1:
            return self.holder(found[0]) if found[0].get("function") == "__init__" else _public(found[0], [])
        looked_at = [fact for fact in self.run.facts.get("outputs", ()) if fact.get("own") is not None]
        equal = len(looked_at) >= _EQUAL and all(_is_equal(fact.get("own"), fact.get("loss")) for fact in looked_at)
        return ("mindspore.nn:CrossEntropyLoss", {}) if equal and not found else None

    def holder(self, made: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
        """The cell beside the network in whose __init__ another one was made, where all of its arguments are known."""
        place, tree = made["place"], self.tree(made.get("place"))
        if tree is None:
            return None
        module, classes = self.module(place[0], tree), [node for node in tree.body if isinstance(node, ast.ClassDef)]
        name = next((node.name for node in classes if node.lineno <= place[1] <= (node.end_lineno or 0)), None)
        held = [fact for fact in self.origins("around") if _name(fact) == name]
        if len(held) != 1 or held[0].get("left") or module is None:
            return None
        return f"{module}:{name}", dict(held[0].get("own") or {})

    def optimizer(self, made: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
        """The class and its arguments; where its rates are a schedule, the highest that was in force, once it was past."""
        known = _public(made, ["params"])
        rates = self.run.series.get("lr")
        if known is not None or rates is None or not len(rates.values):
            return known
        scheduled = _public(made, ["params", "learning_rate"])
        highest = float(rates.values.max())
        rises = rates.values[0] < rates.values[-1] == highest
        if scheduled is None or not highest > 0 or rises:
            return None
        return scheduled[0], {"learning_rate": round(highest, 8), **scheduled[1]}

    def function(self, made: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
        """The function that made it and returns it, with the arguments that it was called with."""
        place, name = made.get("place"), made.get("function")
        tree = self.tree(place)
        if tree is None or made.get("whole") is not True or not isinstance(place, list):
            return None
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name == name and _returns(node, place[1]):
                module = self.module(place[0], tree)
                return None if module is None else (f"{module}:{name}", dict(made.get("arguments") or {}))
        return None

    def own_class(self, made: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
        """The class itself, where all of its arguments are known."""
        networks = [fact for fact in self.run.facts.get("network", ()) if fact.get("number") == made.get("number")]
        place = networks[0].get("defined") if networks else None
        tree = self.tree(place)
        if tree is None or made.get("left") or not isinstance(place, list):
            return None
        name = _name(made)
        defined = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name]
        if not defined or not defined[0].lineno <= place[1] <= (defined[0].end_lineno or 0):
            return None
        module = self.module(place[0], tree)
        return None if module is None else (f"{module}:{name}", dict(made.get("own") or {}))

    def tree(self, place: Any) -> ast.Module | None:
        if not (
            isinstance(place, list) and len(place) == 2 and isinstance(place[0], str) and isinstance(place[1], int)
        ):
            return None
        path = self.inside(place[0])
        try:
            with (self.root / str(path)).open("rb") as stream:
                return ast.parse(stream.read(_BYTES)) if path is not None else None
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            return None

    def module(self, path: str, tree: ast.Module) -> str | None:
        """The name by which a file of the project is imported; None for a script whose import would run it."""
        parts = path.removesuffix(".py").split("/")
        if not path.endswith(".py") or not all(part.isidentifier() for part in parts):
            return None
        harmless = _harmless(tree)
        idle = path != self.script or all(_is_idle(node, harmless) for node in tree.body)
        return ".".join(parts) if idle else None


def _root(called: ast.expr) -> str | None:
    """The name that a dotted name begins with."""
    while isinstance(called, ast.Attribute):
        called = called.value
    return called.id if isinstance(called, ast.Name) else None


def _as(key: str, call: tuple[str, dict[str, Any]] | None) -> dict[str, Any]:
    return {} if call is None else {f"{key}.call": call[0], **({f"{key}.args": call[1]} if call[1] else {})}


def _public(made: dict[str, Any], first: list[str]) -> tuple[str, dict[str, Any]] | None:
    """A class of mindspore.nn, where all arguments but the first ones are known."""
    if made.get("public") is not True or [name for name in made.get("left", ()) if name not in first]:
        return None
    given = {name: value for name, value in (made.get("own") or {}).items() if value is not None}
    return f"mindspore.nn:{_name(made)}", given


def _name(made: dict[str, Any]) -> str:
    """The name of a class without its module."""
    return str(made.get("class")).rpartition(".")[2]


def _is_equal(one: Any, other: Any) -> bool:
    """Whether two numbers of a recording are one, to its four digits."""
    known = isinstance(one, (int, float)) and isinstance(other, (int, float))
    return known and abs(one - other) <= 1e-3 * abs(other)


def _is_loss(made: dict[str, Any]) -> bool:
    """Whether it is one of MindSpore's losses, by the module that defines it."""
    return made.get("public") is True and str(made.get("class")).startswith("mindspore.nn.loss.")


def _returns(function: ast.FunctionDef, line: int) -> bool:
    """Whether all that a function returns is what it makes at a line: in the statement itself, or by a name that it is given there."""
    names: set[str] = set()
    for node in _inner(function):
        if isinstance(node, ast.Assign) and node.lineno <= line <= (node.end_lineno or 0):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    returned = [node for node in _inner(function) if isinstance(node, ast.Return)]
    here = [
        (isinstance(node.value, ast.Call) and node.lineno <= line <= (node.end_lineno or 0))
        or (isinstance(node.value, ast.Name) and node.value.id in names)
        for node in returned
    ]
    return bool(here) and all(here)


def _inner(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes within a function, but for those of functions and classes within."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            yield child
            yield from _inner(child)


def _harmless(tree: ast.Module) -> set[str]:
    """The names of a module whose calls make something and run nothing of the project."""
    found = set()
    for node in tree.body:
        if isinstance(node, ast.Import):
            found |= {one.asname or one.name.partition(".")[0] for one in node.names if _makes(one.name)}
        elif isinstance(node, ast.ImportFrom) and not node.level and _makes(node.module or ""):
            found |= {one.asname or one.name for one in node.names}
    return found


def _makes(module: str) -> bool:
    return module.partition(".")[0] in _MAKING


def _is_idle(node: ast.stmt, harmless: set[str]) -> bool:
    """Whether a statement of a module only defines something, or runs where the module is the program alone."""
    if isinstance(node, ast.If):
        return any(isinstance(one, ast.Name) and one.id == "__name__" for one in ast.walk(node.test))
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        return all(_root(one.func) in harmless for one in ast.walk(node) if isinstance(one, ast.Call))
    plain = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return plain or isinstance(node, (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef))
