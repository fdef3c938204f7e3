"""What a watched run tells of the case: the script, the command, files and checkpoints that it really read, and which functions made its
data sets, network, loss and optimizer. Only what is certain: a function is named where it returns what it made, and a class where all of
its arguments are known. Scripts are read as text."""

from __future__ import annotations

import ast
import json
import os
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import ReadError
from ..live.inside.definitions import inner, is_idle, needed
from ..readers import recordings
from ..readers.recordings import Run
from .keys import KEYS, fits

#: Steps in which a loss must have been equal to another one to be that.
_EQUAL = 5
#: Networks and optimizers that take turns are at least so many.
_SEVERAL = 2
#: Bytes of a script that is read.
_BYTES = 4 << 20


class Told(NamedTuple):
    """The dotted keys of a case, arguments and phases as JSON. `turns`: the classes of the networks that take turns, each with an
    optimizer, where what makes one of them is not known: a person is to say it."""

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
    looked_at = _WatchSummary(root.resolve(), folder, next((run for run in runs if _shows_networks(run)), runs[0]))
    keys = {**told.started(), **looked_at.files(), **looked_at.pipelines()}
    keys["curves.train"] = told.curve()
    turns = looked_at.turns()
    if not turns:  # a case has one network; of several, each is a phase
        keys |= looked_at.calls()
    elif phases := looked_at.phases():
        keys["phases"], turns = phases, []
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


def _shows_networks(run: Run) -> bool:
    return any(fact.get("networks") for fact in run.facts.get("pass", ()))


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

    def phases(self) -> dict[str, Any]:
        """What each optimizer trains: the network whose gradients it takes, which gives the loss, and the weights that it leaves alone;
        empty where one of them is not known."""
        found: dict[str, Any] = {}
        for fact in self.run.facts.get("optimizer", ()):
            taken = {tuple(one.get("networks", ())[:1]) for one in self._of_optimizer("gradients", fact["number"])}
            networks = [one for one in self.run.facts.get("network", ()) if (one.get("number"),) in taken]
            made = [one for one in self.origins("optimizer") if one.get("number") == fact["number"]]
            phase = self.phase(networks[0], fact, made[0]) if len(taken) == len(networks) == len(made) == 1 else None
            if phase is None or _name(networks[0]) in found:
                return {}
            found[_name(networks[0])] = phase
        return found

    def _of_optimizer(self, kind: str, number: Any) -> list[dict[str, Any]]:
        return [fact for fact in self.run.facts.get(kind, ()) if fact.get("optimizer") == number]

    def phase(self, network: dict[str, Any], optimizer: dict[str, Any], made: dict[str, Any]) -> dict[str, Any] | None:
        origins = [fact for fact in self.origins("network") if fact.get("number") == network["number"]]
        fed = [
            fact for fact in self.run.facts.get("columns", ()) if fact.get("networks", ())[:1] == [network["number"]]
        ]
        call = self.function(origins[0]) or self.own_class(origins[0]) if len(origins) == 1 else None
        given = self.optimizer(made)
        if call is None or given is None or len(fed) != 1:
            return None
        return {
            "network": {**_call(call), "inputs": fed[0]["names"]},
            "optimizer": _call(given),
            "frozen": _left_alone(network, set(optimizer.get("ids", ()))),
        }

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
        losses = [fact for fact in [*self.origins("around"), *self.origins("network")] if _is_loss(fact)]
        found = list(
            {str((fact.get("class"), fact.get("place"))): fact for fact in losses}.values()
        )  # one may be told of both passes
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
        classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
        name = next((node.name for node in classes if node.lineno <= place[1] <= (node.end_lineno or 0)), None)
        module = None if name is None else self.module(place[0], tree, name)
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
        """The function that made it and returns it, with the arguments that it was called with; the name of a data set that stands at
        the top of a script."""
        place, name = made.get("place"), made.get("function")
        tree = self.tree(place)
        if tree is None or made.get("whole") is not True or not isinstance(place, list):
            return None
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name == name and _returns(node, place[1]):
                module = self.module(place[0], tree, node.name)
                return None if module is None else (f"{module}:{name}", dict(made.get("arguments") or {}))
        return self.variable(place, tree) if made.get("of") == "dataset" and name == "<module>" else None

    def variable(self, place: list[Any], tree: ast.Module) -> tuple[str, dict[str, Any]] | None:
        """The name at the top of a script that has what a line makes as its last value."""
        at_line = [node for node in tree.body if node.lineno <= place[1] <= (node.end_lineno or 0)]
        targets = at_line[0].targets if at_line and isinstance(at_line[0], ast.Assign) else []
        if len(targets) != 1 or not isinstance(targets[0], ast.Name):
            return None
        name = targets[0].id
        bound = [
            node
            for node in tree.body
            if isinstance(node, ast.Assign)
            and any(isinstance(one, ast.Name) and one.id == name for one in node.targets)
        ]
        module = self.module(place[0], tree, name) if bound[-1] is at_line[0] else None
        return None if module is None else (f"{module}:{name}", {})

    def own_class(self, made: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
        """The class itself, where all of its arguments are known, those that are cells by their own classes and arguments."""
        networks = [fact for fact in self.run.facts.get("network", ()) if fact.get("number") == made.get("number")]
        return self.class_at({**made, "defined": networks[0].get("defined") if networks else None})

    def class_at(self, made: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
        """A class of mindspore.nn, or of the project by the place of its construct."""
        cells = made.get("cells") or {}
        if [name for name in made.get("left") or () if name not in cells]:
            return None
        inner = {name: self.class_at(cell) for name, cell in cells.items()}
        held = {name: _call(one) for name, one in inner.items() if one is not None}
        if len(held) < len(inner):
            return None
        if made.get("public") is True:
            public = _public(made, list(held))
            return None if public is None else (public[0], {**public[1], **held})
        if str(made.get("class")).startswith("mindspore.") and len(held) == 1 and not made.get("own"):
            return inner[next(iter(held))]  # what MindSpore puts around a network, as for mixed precision
        name, place = _name(made), made.get("defined")
        tree = self.tree(place)
        if tree is None or not isinstance(place, list):
            return None
        defined = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name]
        if not defined or not defined[0].lineno <= place[1] <= (defined[0].end_lineno or 0):
            return None
        module = self.module(place[0], tree, name)
        return None if module is None else (f"{module}:{name}", {**(made.get("own") or {}), **held})

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

    def module(self, path: str, tree: ast.Module, name: str) -> str | None:
        """The name by which a file of the project is imported; None for a script whose import would run it, where what `name` needs of
        it cannot be told from the rest."""
        parts = path.removesuffix(".py").split("/")
        if not path.endswith(".py") or not all(part.isidentifier() for part in parts):
            return None
        apart = path != self.script or is_idle(tree) or needed(tree, name) is not None
        return ".".join(parts) if apart else None


def _as(key: str, call: tuple[str, dict[str, Any]] | None) -> dict[str, Any]:
    return {} if call is None else {f"{key}.{name}": value for name, value in _call(call).items()}


def _call(call: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    return {"call": call[0], **({"args": call[1]} if call[1] else {})}


def _left_alone(network: dict[str, Any], held: set[Any]) -> list[str]:
    """Patterns of the parameters of a network that an optimizer does not hold: an attribute of the network where it holds none of
    those below, else each by its name."""
    below: dict[str, list[tuple[str, bool]]] = {}
    for one in network.get("parameters", ()):
        path = str(one.get("path", one.get("name")))
        below.setdefault(path.partition(".")[0], []).append((path, one.get("id") in held))
    found: list[str] = []
    for name, each in below.items():
        left = [path for path, is_held in each if not is_held]
        found += [f"{name}.*"] if len(left) == len(each) and "." in left[0] else left
    return found


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
    for node in inner(function):
        if isinstance(node, ast.Assign) and node.lineno <= line <= (node.end_lineno or 0):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    returned = [node for node in inner(function) if isinstance(node, ast.Return)]
    here = [
        (isinstance(node.value, ast.Call) and node.lineno <= line <= (node.end_lineno or 0))
        or (isinstance(node.value, ast.Name) and node.value.id in names)
        for node in returned
    ]
    return bool(here) and all(here)
