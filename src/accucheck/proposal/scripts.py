"""Scripts by role, and what the training script says plainly of device, mode and mixed precision. Nothing is imported or run."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from .. import document
from ..errors import UserError
from .tree import Folder, Tree, head

#: Bytes of a notebook, with its pictures.
NOTEBOOK = 64 << 20
#: Scripts of one folder that are read.
_READ = 60
#: Scripts of one folder that are looked into to tell whether it is a project of its own.
_LOOKED = 5
#: Folders of a project in which scripts lie; in the second kind modules do too.
SCRIPT_FOLDERS = ("scripts", "script", "tools", "tool", "bin")
_SOURCES = ("src", "code", "train", "training")

#: Role of a script by its name, then by what it does.
_NAMED = (
    ("eval", re.compile(r"(^|[_-])(eval|evaluate|evaluation|validate|validation|val|test)([_-]|$)")),
    ("infer", re.compile(r"(^|[_-])(infer|inference|predict|demo)([_-]|$)")),
    ("train", re.compile(r"(^|[_-])(train|finetune|pretrain|run_train|main)([_-]|$)")),
)
#: Names that need no look inside.
_EXACT = frozenset(
    (
        *("train", "main", "run_train", "train_net", "finetune", "pretrain", "run_pretrain"),
        *(
            "eval",
            "evaluate",
            "test",
            "val",
            "validate",
            "run_eval",
            "infer",
            "inference",
            "predict",
            "demo",
            "run_infer",
        ),
    )
)
#: Scripts that go with a project and do none of these.
_OTHER_NAME = re.compile(
    r"(^|[_-])(export|convert|preprocess|postprocess|prepare|download|setup|conf|config|onnx|quant|hub)([_-]|$)"
)
_USES_MINDSPORE = re.compile(rb"^\s*(from|import)\s+(mindspore|mindcv|mindnlp|mindformers|mindyolo|mindocr)\b", re.M)
USES_TORCH = re.compile(rb"^\s*(from|import)\s+(torch|torchvision|torchaudio|pytorch_lightning|lightning)\b", re.M)
_IMPORTS = re.compile(rb"^(from|import)\s", re.M)
#: A script does something when it is started; a module only defines things.
_RUNS = re.compile(rb"__main__|^(for|while|with)\s|^[A-Za-z_][\w.]*\(", re.M)
#: A file of unit tests, which pytest or unittest starts: it imports one of them, or has functions as pytest calls them, without arguments.
_UNIT_TESTS = re.compile(rb"^\s*(?:import|from)\s+(?:pytest|unittest)\b|^def test_\w*\(\):", re.M)
_TEST = re.compile(r"^tests?([_-]|$)|[_-]tests?$")
_OPTIMIZER = re.compile(rb"\b(?:SGD|Momentum|Adam\w*|RMSProp|Lamb|LARS|Adagrad|Rprop|ASGD|Lion|\w*optimizer)\(", re.I)
#: What a script of each role calls; one that trains may evaluate too, so training comes first.
_CALLS = (
    ("train", re.compile(rb"\.train\(|\.fit\(|TrainOneStep|value_and_grad\(|GradOperation\(")),
    ("eval", re.compile(rb"\.eval\(")),
    ("infer", re.compile(rb"\.predict\(")),
)
#: What a script of PyTorch calls.
_TORCH_CALLS = (
    ("train", re.compile(rb"\.backward\(|\.fit\(|\.zero_grad\(")),
    ("eval", re.compile(rb"\.eval\(")),
)


#: Modules of a project that are read to tell what a script does.
_MODULES = 40
#: An import of a module, absolute or relative, with the names that are taken from it.
_IMPORT = re.compile(
    rb"^[ \t]*(?:from[ \t]+(?P<dots>\.*)(?P<module>[\w.]*)[ \t]+import[ \t]+\(?(?P<names>[\w \t,]+)|import[ \t]+(?P<whole>[\w.]+))",
    re.M,
)


class Script(NamedTuple):
    """A script, its role, whether its name says so, and the scripts that may as well be meant."""

    path: Path
    role: str
    named: bool
    others: tuple[Path, ...] = ()

    @property
    def rank(self) -> tuple[bool, bool, bool]:
        """What goes before what: a usual name, a name that speaks of the role, its content; a notebook comes last."""
        return self.path.suffix != ".py", self.path.stem.lower() not in _EXACT, not self.named


def script_role(path: Path, named: bool = False) -> str | None:
    """train, eval or infer, from a script's name, else from what it calls; None when it is no MindSpore entry script. What a longer name
    says (mnist_demo) counts for nothing against an optimizer and a call that trains.

    `named`: the user named this file as a script, so it needs no main guard, and neither does a notebook.
    """
    text = _text(path)
    if text is None:
        return None
    if _UNIT_TESTS.search(text):
        return None
    named = named or path.suffix == ".ipynb"
    uses = _USES_MINDSPORE.search(text)
    if not uses and (not _IMPORTS.search(text) or USES_TORCH.search(text)):
        return None
    roles = _named(path)
    stem = path.stem.lower()
    if len(roles) == 1 and (stem in _EXACT or _TEST.search(stem) or not _learns(text)):
        return roles[0]
    if not uses or not (named or _RUNS.search(text)):
        return None
    return next((role for role, pattern in _CALLS if pattern.search(text)), None) or (roles[-1] if roles else None)


def trains_as_test(path: Path) -> bool:
    """Whether a script is called a test and trains: it is the training where no other is."""
    return _is_test(path) and _learns(_text(path) or b"")


def _is_test(path: Path) -> bool:
    """Whether a script is called a test, by its own name or that of its folder."""
    return any(_TEST.search(name.lower()) for name in (path.stem, path.parent.name))


def _learns(text: bytes) -> bool:
    """Whether a script uses MindSpore, makes an optimizer and calls something that trains."""
    calls = dict(_CALLS)["train"]
    return all(pattern.search(text) for pattern in (_USES_MINDSPORE, _OPTIMIZER, calls))


def _named(path: Path) -> list[str]:
    return [role for role, pattern in _NAMED if pattern.search(path.stem.lower())]


def is_unit_test(path: Path) -> bool:
    """Whether pytest or unittest starts a module."""
    return _UNIT_TESTS.search(_text(path) or b"") is not None


def _text(path: Path) -> bytes | None:
    """The text of a script; of a notebook its lines of code, with much else."""
    notebook = path.suffix == ".ipynb"
    try:
        text = document.read_text(path, NOTEBOOK if notebook else document.MAX_BYTES)
    except UserError:
        return None
    return re.sub(rb'\\n|"', b"\n", text) if notebook else text  # a line of code is a text, or a part of one


def find(tree: Tree) -> tuple[list[Script], list[Path]]:
    """The scripts of a project, one of each role, and, where the scripts lie in several folders of equal right, those folders:
    several projects, of which one is to be opened. Where no name tells a training, one is sought by what scripts do; what is called a
    test and trains is taken where nothing else does."""
    found, projects = _find(tree)
    if projects or any(script.role == "train" for script in found):
        return found, projects
    trains = [path for path in _started(tree) if _trains_through(path, tree)]
    homes = sorted({_home(path, tree.root) for path in trains})
    if len(homes) > 1:
        return [], homes
    rest = trains or [path for path in _tests(tree) if trains_as_test(path)]
    others = [script for script in found if script.path not in rest]
    return [*others, *_best([Script(path, "train", False) for path in rest], tree.root)], []


def _started(tree: Tree) -> Iterator[Path]:
    """The scripts of all folders that do something when they are started and are called nothing but, perhaps, a training."""
    for folder in tree.folders.values():
        for name in [name for name in folder.files if name.endswith(".py")][:_READ]:
            path = folder.path / name
            if tree.over():
                return
            test = _is_test(path.relative_to(tree.root))
            other = test or _OTHER_NAME.search(path.stem.lower()) or set(_named(path)) - {"train"}
            text = b"" if other else _text(path) or b""
            if _RUNS.search(text) and not USES_TORCH.search(text) and not _UNIT_TESTS.search(text):
                yield path


def _trains_through(path: Path, tree: Tree) -> bool:
    """Whether a script trains: by itself or, where it is meant to be started, by what the modules do that it imports."""
    text = _text(path) or b""
    if _learns(text):
        return True
    return b"__main__" in text and _learns(b"\n".join(_with_imports(path, tree)))


def _with_imports(path: Path, tree: Tree) -> Iterator[bytes]:
    """The text of a script and those of the modules of the project that it imports, and that these import."""
    waiting = [path]
    for read in waiting:  # grows meanwhile
        text = _text(read) or b""
        yield text
        found = (module for module in dict.fromkeys(_imported(text, read, tree)) if module not in waiting)
        waiting += islice(found, _MODULES - len(waiting))


def _imported(text: bytes, importer: Path, tree: Tree) -> Iterator[Path]:
    """The modules of the project that a text imports by name, sought beside it and in the folders above, as a start there finds them."""
    for match in _IMPORT.finditer(text):
        dots, module, whole, names = (match.group(group) or b"" for group in ("dots", "module", "whole", "names"))
        parts = [part for part in (module or whole).decode().split(".") if part]
        folder = importer.parents[min(len(dots), len(importer.parents)) - 1] if dots else importer.parent
        places = [folder, *(above for above in folder.parents if above in tree.folders and not dots)]
        tails = [parts, *([*parts, name] for name in re.findall(r"\w+", names.decode()))]
        yield from (found for place in places for tail in tails if (found := _module(place, tail, tree)) is not None)


def _module(place: Path, parts: list[str], tree: Tree) -> Path | None:
    """The file of a module below a folder, where it is one that was looked at."""
    if not parts:
        return None
    folder = tree.folders.get(place.joinpath(*parts[:-1]))
    name = f"{parts[-1]}.py"
    return folder.path / name if folder is not None and name in folder.files else None


def _home(path: Path, root: Path) -> Path:
    """The folder of the project that a script belongs to: above one in which scripts or modules lie."""
    folder = path.parent
    return folder.parent if folder != root and folder.name.lower() in (*SCRIPT_FOLDERS, *_SOURCES) else folder


def _tests(tree: Tree) -> Iterator[Path]:
    """The scripts that are called tests."""
    for folder in tree.folders.values():
        paths = [folder.path / name for name in folder.files if name.endswith(".py")]
        for path in [path for path in paths if _is_test(path)][:_READ]:
            if tree.over():
                return
            yield path


def _find(tree: Tree) -> tuple[list[Script], list[Path]]:
    root = tree.folders[tree.root]
    places = [root, *(tree.folders[tree.root / name] for name in root.folders if tree.root / name in tree.folders)]
    found = {folder.path: _of_folder(tree, folder) for folder in places}
    for own in ([folder for folder in places if folder.path.name.lower() not in _SOURCES], places):
        home = [script for folder in own if _belongs(folder) for script in found[folder.path]]
        if any(script.role == "train" for script in home):
            return _best(home, tree.root), []
    others = [
        folder for folder in places if any(s.role == "train" for s in found[folder.path]) and not _belongs(folder)
    ]
    deeper = [folder for folder in tree.folders.values() if folder.depth > 1 and _is_project(folder)]
    surest = [folder for folder in others if any(_trains(script) for script in found[folder.path])] or others
    projects = [*surest, *deeper]
    if len(projects) == 1:
        (only,) = projects
        return _best([*home, *(found.get(only.path) or _of_folder(tree, only))], tree.root), []
    if not home:
        return [], [folder.path for folder in (*others, *deeper)]
    return _best([*home, *(script for folder in surest for script in found[folder.path])], tree.root), []


def _trains(script: Script) -> bool:
    """Whether a script is one that trains, by what it calls."""
    calls = dict(_CALLS)["train"]
    return script.role == "train" and calls.search(_text(script.path) or b"") is not None


def _belongs(folder: Folder) -> bool:
    return folder.depth == 0 or folder.path.name.lower() in (*SCRIPT_FOLDERS, *_SOURCES)


def _is_project(folder: Folder) -> bool:
    """Whether a folder below looks like a project of its own: it has a script that is named as one that trains, and does something."""
    if _belongs(folder):
        return False
    named = [Path(name) for name in folder.files if name.endswith(".py") and _named(Path(name)) == ["train"]]
    usual = [path for path in named if not _OTHER_NAME.search(path.stem.lower())][:_LOOKED]
    return any(_is_started(folder.path / path) for path in usual)


def _is_started(path: Path) -> bool:
    """Whether a script uses MindSpore, by itself or through other modules, and does something when it is started."""
    return script_role(path) is not None and _RUNS.search(_text(path) or b"") is not None


def apart(tree: Tree) -> set[Path]:
    """Folders that are projects of their own, whose data and weights are not this one's."""
    return {
        path
        for path, folder in tree.folders.items()
        if folder.depth and ("accucheck.yaml" in folder.files or _is_project(folder))
    }


def _of_folder(tree: Tree, folder: Folder) -> list[Script]:
    names = [name for name in folder.files if name.endswith((".py", ".ipynb"))]
    names.sort(key=lambda name: name.endswith(".ipynb"))  # scripts before notebooks
    found = []
    for name in names[:_READ]:
        path = folder.path / name
        if _OTHER_NAME.search(path.stem.lower()):
            continue
        if tree.over():
            break
        role = script_role(path)
        surely = path.stem.lower() in _EXACT and folder.path.name.lower() not in _SOURCES
        if role is not None and not surely and path.suffix == ".py" and not _RUNS.search(_text(path) or b""):
            role = None  # a module
        if role is not None:
            found.append(Script(path, role, role in _named(path)))
    return found


def _best(scripts: list[Script], root: Path) -> list[Script]:
    """One script of each role, by rank, near before far; those that have no less right go with it."""
    chosen: list[Script] = []
    for role in dict.fromkeys(script.role for script in scripts):
        alike = [script for script in scripts if script.role == role]
        alike = [script for script in alike if script.rank == min(one.rank for one in alike)]
        alike = [one for one in alike if one.path.parent == root] or alike
        best, *others = sorted(alike, key=lambda one: (len(one.path.stem), one.path))
        chosen.append(best._replace(others=tuple(other.path for other in others)))
    return chosen


def torch_scripts(folder: Folder) -> list[Script]:
    """The scripts of a PyTorch project that lies in a folder."""
    found = []
    for name in [name for name in folder.files if name.endswith(".py")][:_READ]:
        path = folder.path / name
        text = _text(path)
        if text is None or not USES_TORCH.search(text) or _USES_MINDSPORE.search(text):
            continue
        roles = _named(path)
        if len(roles) != 1 or _OTHER_NAME.search(path.stem.lower()):
            if not _RUNS.search(text):
                continue
            roles = [role for role, pattern in _TORCH_CALLS if pattern.search(text)][:1]
        found += [Script(path, role, bool(_named(path))) for role in roles]
    return _best(found, folder.path)


# --- what a script says plainly ---------------------------------------------------------------------------------------

_MODES = {"GRAPH_MODE": "graph", "PYNATIVE_MODE": "pynative"}
_DEVICES = {"ascend": "Ascend", "gpu": "GPU", "cpu": "CPU"}
_LEVELS = ("O0", "O1", "O2", "O3", "auto")


def settings(path: Path) -> dict[str, tuple[str, int]]:
    """runtime.device, runtime.mode and runtime.amp with the line that says so: constants that stand under no condition, and only
    where all that the script says agree."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = ast.parse(document.read_text(path)) if path.suffix == ".py" else None
    except (UserError, SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    found: dict[str, set[str]] = {}
    lines: dict[str, int] = {}
    for call, certain in _calls(module) if module is not None else ():
        for key, value in _said(call):
            found.setdefault(key, set()).add(value if certain and value else "")
            lines.setdefault(key, call.lineno)
    return {key: (value, lines[key]) for key, values in found.items() for value in values if len(values) == 1 and value}


def _calls(module: ast.AST) -> Iterator[tuple[ast.Call, bool]]:
    """The calls of a module, each with whether it stands under no condition but that of being the program."""
    waiting: list[tuple[ast.AST, bool]] = [(module, True)]
    while waiting:
        node, certain = waiting.pop()
        if isinstance(node, ast.Call):
            yield node, certain
        if isinstance(node, (ast.If, ast.IfExp, ast.Try, ast.Match, ast.While)):
            names = (
                (each.id for each in ast.walk(node.test) if isinstance(each, ast.Name))
                if isinstance(node, ast.If)
                else ()
            )
            certain = certain and "__name__" in names
        waiting += [(child, certain) for child in ast.iter_child_nodes(node)]


def _said(call: ast.Call) -> Iterator[tuple[str, str]]:
    """(key, value) of what one call sets; the value is empty where it is no constant."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    if name == "set_context":
        if "device_target" in given:
            yield "runtime.device", _DEVICES.get(_constant(given["device_target"]).lower(), "")
        if "mode" in given:
            yield "runtime.mode", _MODES.get(_constant(given["mode"]), "")
    elif name == "set_device" and call.args:
        yield "runtime.device", _DEVICES.get(_constant(call.args[0]).lower(), "")
    elif name == "auto_mixed_precision" and len(call.args) > 1:
        yield "runtime.amp", _level(call.args[1])
    if "amp_level" in given:
        yield "runtime.amp", _level(given["amp_level"])


def _level(node: ast.expr) -> str:
    level = _constant(node)
    return level if level in _LEVELS else ""


def _constant(node: ast.expr) -> str:
    """A text, or the last name of ms.GRAPH_MODE; empty for all else."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            return node.value
        return {0: "GRAPH_MODE", 1: "PYNATIVE_MODE"}.get(node.value, "") if isinstance(node.value, int) else ""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) and node.id in _MODES else ""


# --- configurations ---------------------------------------------------------------------------------------------------

_CONFIG_NAME = re.compile(
    r"^(default_?config|config|train_?config|train|default|settings|params|hparams)\.(ya?ml|json)$", re.I
)
_SETTING = re.compile(
    rb"^[\s\"'{]*(lr|learning_rate|base_lr|init_lr|batch_size|train_batch_size|epochs?|epoch_size|num_epochs|max_epoch|optimizer|opt)"
    rb"[\"']?\s*:",
    re.M,
)


def config(tree: Tree) -> tuple[Path, list[str]] | None:
    """The configuration of a training, where there is just one that can be it, and which settings it has."""
    root = tree.folders[tree.root]
    places = [
        root,
        *(tree.folders[tree.root / name] for name in ("config", "configs") if tree.root / name in tree.folders),
    ]
    for folder in places:
        found = []
        for name in [name for name in folder.files if name.endswith((".yaml", ".yml", ".json"))][:_READ]:
            if folder is not root or _CONFIG_NAME.match(name):
                keys = dict.fromkeys(match.decode() for match in _SETTING.findall(head(folder.path / name, 1 << 18)))
                if len(keys) > 1:
                    found.append((folder.path / name, list(keys)))
        if found:
            return found[0] if len(found) == 1 else None
    return None
