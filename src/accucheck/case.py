"""accucheck.yaml -> Case: what is under examination."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import msgspec

from . import document
from .errors import SaveError, UserError, from_os_error

FILE_NAME = "accucheck.yaml"
#: The schema of that file that its first line names, for editors; and the version of the schema.
VERSION = 1
SCHEMA = f".accucheck/case.{VERSION}.schema.json"
_NAMING = "# yaml-language-server: $schema="
#: What may be a secret in an address: who logs in (abfs writes its container there), and the query.
#: Both take time in proportion to the text: it may be a stranger's, and megabytes.
_LOGIN = re.compile(r"(\b(?!(?:abfs|wasb)s?://[^:/]*@)\w+://)(?:[^\s/]*|[^\s/@:]*:(?!\d+/)[^\s@]{0,512})@")
_QUERY = re.compile(r"(\w://[^\s?]*)(?:\?[^\s'\"]*)?")

#: What stands around a path in a text, and the folders of Python's packages.
_BEFORE_PATH, _AFTER_PATH = r"(?<![\w.~/-])", r"(?=/|$|[^\w.-])"
_PACKAGES = re.compile(r"(?<![\w.-])~?/[^\s:'\"]*?((?:site|dist)-packages/)")

#: File systems of fsspec that stay on this machine.
_LOCAL = frozenset({"file", "local", "memory", "zip", "tar", "dir", "simplecache", "filecache", "blockcache"})

#: What a case gives that has to do with inference: one of these.
_INFERENCE = ("outputs.path", "outputs.reference", "scripts.eval", "scripts.infer", "data.eval.path", "data.infer.path")


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A mapping of the case file: every key optional, unknown keys refused."""


#: A path relative to the case file.
Location = Annotated[str, msgspec.Meta(description="path, relative to the case file")]
Locations = Location | list[Location] | None
#: Of data, which may also lie at an fsspec address.
Address = Annotated[str, msgspec.Meta(description="path, relative to the case file, or an fsspec address")]
Addresses = Address | list[Address] | None


class Distributed(_Part, frozen=True):
    devices: int | None = None
    launcher: str | None = None


class Runtime(_Part, frozen=True):
    device: str | None = None
    mindspore: str | None = None
    python: Location | None = None
    mode: str | None = None
    amp: str | None = None
    command: str | None = None
    distributed: Distributed = Distributed()


class Configs(_Part, frozen=True):
    """The configuration that was used, and the one it was made from: YAML, JSON, or Python constants."""

    used: Location | None = None
    base: Location | None = None


#: Scripts that one key may name.
MAX_SCRIPTS = 200


class Scripts(_Part, frozen=True):
    train: Locations = None
    eval: Locations = None
    infer: Locations = None


class Field(_Part, frozen=True):
    """A column: which values stand for "missing" in it."""

    missing: list[str | int | float] = []


class DataSet(_Part, frozen=True):
    path: Addresses = None
    label: str | None = None
    fields: dict[str, Field] = {}
    classes: list[str | int] = []


class Reference(_Part, frozen=True):
    """What ds.04 compares with: a folder, a manifest or md5sum file, or a known public data set; `files` restricts the list."""

    path: Address | None = None
    manifest: Location | None = None
    known: str | None = None
    files: Location | None = None


class Data(_Part, frozen=True):
    """`nodes` are manifests of the training data, one of each machine."""

    train: DataSet = DataSet()
    eval: DataSet = DataSet()
    infer: DataSet = DataSet()
    reference: Reference = Reference()
    nodes: list[Location] = []
    predictions: Location | None = None


class Call(_Part, frozen=True):
    """`module:function` of the project, and the arguments to call it with."""

    call: str
    args: dict[str, Any] = {}


class CallOnColumns(Call, frozen=True):
    """A Call whose result is called with columns of the training pipeline: `inputs`, in order.

    Of the loss `network` stands for what the network gives, `network.0` for the first of several. Left out, the network takes the
    columns that are no labels, and the loss what the network gives and the labels.
    """

    inputs: list[str] = []


class ShardArgs(_Part, frozen=True):
    count: str = "num_shards"
    index: str = "shard_id"


class Pipelines(_Part, frozen=True):
    train: Call | None = None
    eval: Call | None = None
    infer: Call | None = None
    shard_args: ShardArgs | None = None


class Phase(_Part, frozen=True):
    """One of several trainings that take turns, as of a generator and a discriminator. What it leaves out is that of the whole case.

    `frozen`: patterns of parameter names that its optimizer is not given.
    """

    network: CallOnColumns | None = None
    loss: CallOnColumns | None = None
    optimizer: Call | None = None
    pipeline: Call | None = None
    frozen: list[str] = []


class Checkpoints(_Part, frozen=True):
    initial: Location | None = None
    previous: Location | None = None
    current: Location | None = None
    pretrained: Location | None = None
    reference: Location | None = None
    ranks: list[Location] = []
    after_step: Location | None = None
    reference_after_step: Location | None = None
    map: Location | None = None


class ReferenceCurve(_Part, frozen=True):
    path: Location | None = None
    rerun: Locations = None


class Curves(_Part, frozen=True):
    train: Location | None = None
    eval: Location | None = None
    rerun: Locations = None
    baseline: Location | None = None
    lr_test: Location | None = None
    previous_version: Location | None = None
    reference: ReferenceCurve = ReferenceCurve()


class Folder(_Part, frozen=True):
    path: Location | None = None
    reference: Location | None = None


class Dumps(Folder, frozen=True):
    map: Location | None = None


class ColumnPadding(_Part, frozen=True):
    value: int | float | None = None
    side: str | None = None


class Padding(_Part, frozen=True):
    """How sequences are padded; `columns`: where one differs from that."""

    value: int | float | None = None
    side: str | None = None
    mask: str | None = None
    columns: dict[str, ColumnPadding] = {}

    def of(self, *names: str) -> ColumnPadding:
        """Value and side of a column, which may have several names."""
        own = next((self.columns[name] for name in names if name in self.columns), ColumnPadding())
        return ColumnPadding(self.value if own.value is None else own.value, own.side or self.side)


class Design(_Part, frozen=True):
    frozen: list[str] = []
    shared: list[list[str]] = []
    loss: str | None = None
    padding: Padding | None = None


class Goal(_Part, frozen=True):
    """What the training is for: the `metric` by name, what it has `reached` and what is `expected`, in one unit, and what says so."""

    metric: str | None = None
    reached: float | None = None
    expected: float | None = None
    source: str | None = None


class TuneSection(_Part, frozen=True):
    """What accucheck tune searches: values by the name of an option or key, as --search has them or as a list, and the metric to go by."""

    search: dict[str, str | list[str | int | float]] = {}
    metric: str | None = None


class Benchmark(_Part, frozen=True):
    framework: str = "pytorch"
    scripts: Scripts = Scripts()


class CaseFile(_Part, frozen=True):
    """The keys of accucheck.yaml."""

    name: str | None = None
    language: str | None = None
    goal: Goal = Goal()
    runtime: Runtime = Runtime()
    scripts: Scripts = Scripts()
    configs: Configs = Configs()
    data: Data = Data()
    pipelines: Pipelines = Pipelines()
    network: CallOnColumns | None = None
    loss: CallOnColumns | None = None
    optimizer: Call | None = None
    phases: dict[str, Phase] = {}
    checkpoints: Checkpoints = Checkpoints()
    curves: Curves = Curves()
    watched: Location | None = None
    graphs: Folder = Folder()
    dumps: Dumps = Dumps()
    batches: Folder = Folder()
    outputs: Folder = Folder()
    profiler: Folder = Folder()
    design: Design = Design()
    tune: TuneSection = TuneSection()
    benchmark: Benchmark | None = None


class Case(msgspec.Struct, frozen=True):
    """A project folder and what its case file says. Paths in `spec` are relative to `root`.

    `alone`: there is no project, only a session file that lies in `root`; nothing that it names is opened.
    `agreed`: the addresses in the network that the person gave or agreed to; a project may come from a stranger, whose addresses are not
    asked for anything.
    `taken`: the dotted keys of `spec` that were taken from what lies in the folder, as there is no case file.
    """

    root: str
    spec: CaseFile = CaseFile()
    file: str | None = None
    alone: bool = False
    agreed: list[str] = []
    taken: dict[str, str] = {}

    @property
    def name(self) -> str:
        return self.spec.name or Path(self.root).name or "case"

    def get(self, key: str) -> Any:
        """The value of a dotted key ("data.train.path"), or None when it or a parent is absent or empty."""
        value: Any = self.spec
        for step in key.split("."):
            value = value.get(step) if isinstance(value, dict) else getattr(value, step, None)
            if value is None:
                return None
        return None if value in ([], {}, "") else value

    def path(self, value: str) -> Path:
        """A path of the case as an absolute path; ~ is expanded."""
        return Path(self.root, os.path.expanduser(value))

    def paths(self, key: str) -> list[Path]:
        """The paths that a key names: one, several or none, each once however it is spelt."""
        value = self.get(key)
        named = [self.path(entry) for entry in ([value] if isinstance(value, str) else value or [])]
        return list({os.path.normpath(path): path for path in reversed(named)}.values())[::-1]

    def unagreed(self, keys: Collection[str] | None = None) -> list[str]:
        """The addresses in the network that the case names, or names under these keys, and that nobody agreed to."""
        named = [self.get(key) for key in address_keys() if keys is None or key in keys]
        texts = [text for value in named for text in ([value] if isinstance(value, str) else value or [])]
        return [text for text in dict.fromkeys(texts) if networked(text) and text not in self.agreed]

    def relative(self, path: object) -> str:
        """A path as it is shown: relative to the project when it lies inside it; an address without credentials."""
        text = os.fspath(path) if isinstance(path, os.PathLike) else str(path)
        if "://" in text:
            return redacted(text)
        absolute = os.path.abspath(os.path.join(self.root, text))
        inside = os.path.relpath(absolute, self.root)
        return absolute if inside.startswith("..") else inside

    def local(self, text: str) -> str:
        """A text without the folders of this machine: paths in the project are relative to it, those of the home folder begin with ~, and
        those of Python's packages with site-packages."""
        if "/" not in text:
            return text
        for folder, put in ((self.root, "."), (os.path.expanduser("~"), "~")):
            if len(folder) > 1 and folder in text:
                path = _BEFORE_PATH + re.escape(folder)
                text = re.sub(path + r"/(?=[\w.-])", "", text) if folder == self.root else text
                text = re.sub(path + _AFTER_PATH, put, text)
        return _PACKAGES.sub(r"\1", text) if "-packages/" in text else text

    def facts(self) -> dict[str, bool | None]:
        """What `applies_when` of an item may ask. None: the case does not say."""
        if self.alone:
            return dict.fromkeys(FACTS)
        runtime = self.spec.runtime
        devices = runtime.distributed.devices
        return {
            "ascend": None if runtime.device is None else runtime.device.lower() == "ascend",
            "mixed_precision": None if runtime.amp is None else runtime.amp.lower() not in ("o0", "none"),
            "distributed": None if devices is None else devices > 1,
            "labels": True if self.get("data.train.label") else None,
            "padding": True if self.get("design.padding") else None,
            "pretrained": True if self.get("checkpoints.pretrained") else None,
            "inference": any(self.get(key) is not None for key in _INFERENCE),
            "previous_version": self.get("curves.previous_version") is not None,
        }


def systems(address: str) -> list[str]:
    """The file systems of an fsspec address and of those that it is chained to; of a path none."""
    return [part.partition("://")[0].lower() for part in address.split("::")] if "://" in address else []


def networked(address: object) -> bool:
    """Whether an address, or one that it is chained to, leads off this machine."""
    return isinstance(address, str) and not _LOCAL.issuperset(systems(address))


def redacted(text: str) -> str:
    """A text with the addresses in it, without user names, passwords and queries."""
    if "://" not in text:
        return text
    return "::".join(
        _QUERY.sub(r"\1", _LOGIN.sub(r"\1", part)) for part in text.split("::")
    )  # fsspec chains addresses so


def _path_keys(part: type[msgspec.Struct], prefix: str = "") -> Iterator[str]:
    """The dotted keys below a Struct that hold a Location."""
    from typing import get_args, get_type_hints

    for name, kind in get_type_hints(part, include_extras=True).items():
        below = [
            each for each in (kind, *get_args(kind)) if isinstance(each, type) and issubclass(each, msgspec.Struct)
        ]
        if below:
            yield from _path_keys(below[0], f"{prefix}{name}.")
        elif "Meta(description='path" in repr(kind):
            yield prefix + name


def path_keys() -> list[str]:
    """The dotted keys of a case that hold paths."""
    return list(_path_keys(CaseFile))


def address_keys() -> list[str]:
    """Those that may hold an address instead."""
    return ["data.train.path", "data.eval.path", "data.infer.path", "data.reference.path"]


def call_keys() -> list[str]:
    """The dotted keys of a case that hold a Call: a string is given to `call` below them."""
    parts = (("", CaseFile), ("pipelines.", Pipelines))
    return [
        prefix + name for prefix, part in parts for name, kind in part.__annotations__.items() if "Call " in str(kind)
    ]


#: The names `applies_when` may use.
FACTS = frozenset(Case(root=".").facts())


def load(
    project: Path,
    settings: list[str] | None = None,
    taken: dict[str, str] | None = None,
    earlier: Sequence[str] = (),
) -> Case:
    """The case of a project folder (or of an accucheck.yaml given by path), with `--set KEY=VALUE` settings applied. `taken`: what stands
    for a case file where there is none; `earlier`: settings of a run before, which nobody has typed now and so agrees to no address.

    Raises UserError for a missing folder, broken YAML, an unknown key or a value of the wrong type.
    """
    try:
        if project.is_file() and project.suffix in (".yaml", ".yml"):
            root, file = project.parent, project
        elif project.is_dir():
            root, file = project, project / FILE_NAME
        else:
            raise UserError("not-a-directory" if project.exists() else "not-found", path=str(project))
        root, given = root.resolve(), os.path.lexists(file)  # a dead link is no reason to ignore it
    except OSError as error:  # a name that is too long, a folder that may not be looked into
        raise from_os_error(error, project) from None
    require_utf8(str(root))
    taken = taken or {}
    text = document.read_text(file) if given else _text_of(root, taken)
    data = document.parse(text, str(file)) if text else {}
    spec = document.convert(data, CaseFile, text, str(file))
    for setting in earlier:
        data = _with(data, setting)
        spec = document.convert(data, CaseFile, b"", f"--set {setting}")
    typed: dict[str, Any] = {}
    for setting in settings or []:
        data, typed = _with(data, setting), _with(typed, setting)
        spec = document.convert(data, CaseFile, b"", f"--set {setting}")
    _bound_scripts(spec, str(file) if given else "--set")
    agreed = [text for text in _texts(typed) if networked(text)]
    return Case(root=str(root), spec=spec, file=str(file) if given else None, agreed=agreed, taken=taken)


def _bound_scripts(spec: CaseFile, place: str) -> None:
    """Refuse more scripts than a project has: each is read with all that it imports. Raises UserError."""
    benchmark = spec.benchmark.scripts if spec.benchmark is not None else Scripts()
    for prefix, scripts in (("scripts", spec.scripts), ("benchmark.scripts", benchmark)):
        for name, value in msgspec.structs.asdict(scripts).items():
            count = len({os.path.normpath(entry) for entry in value}) if isinstance(value, list) else 0
            if count > MAX_SCRIPTS:
                raise UserError("many-scripts", path=place, key=f"{prefix}.{name}", count=count, limit=MAX_SCRIPTS)


def _text_of(root: Path, taken: dict[str, str]) -> bytes:
    """What accucheck init would write with these keys; nothing without any."""
    named = {"name": root.name} if root.name.isprintable() else {}
    return document_of({**named, **taken}) if taken else b""


def _texts(data: Any) -> Iterator[str]:
    """The texts in plain data."""
    for below in data.values() if isinstance(data, dict) else data if isinstance(data, list) else ():
        yield from _texts(below)
    if isinstance(data, str):
        yield data


def _with(data: Any, setting: str) -> dict[str, Any]:
    """`data` with one dotted KEY=VALUE set; the value is read as YAML."""
    require_utf8(setting)
    key, equals, value = setting.partition("=")
    if not equals or not key:
        raise UserError("set-syntax", value=setting)
    top: dict[str, Any] = dict(data or {})
    level = top
    *parents, last = key.strip().split(".")
    for parent in parents:
        below = level.get(parent)
        level[parent] = dict(below) if isinstance(below, dict) else {}
        level = level[parent]
    level[last] = document.parse(value.encode(), f"--set {key}")
    return top


def mode_of(path: Path) -> int:
    """st_mode of what a path leads to; 0 when it leads nowhere, for whatever reason."""
    try:
        return path.stat().st_mode
    except (OSError, ValueError):  # pathlib lets a name too long and a folder closed to us through
        return 0


def require_utf8(text: str) -> None:
    """Refuse a name that no JSON can carry, as a case, its results and its session have to. Raises UserError."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UserError("not-utf8", value=text) from None


# --- the file itself ---------------------------------------------------------------------------------------------------

#: Folders that hold no input of a case.
IGNORED = frozenset(
    {
        ".git",
        ".accucheck",
        "__pycache__",
        ".venv",
        "venv",
        "node_modules",
        "site-packages",
        "build",
        "dist",
        ".idea",
        ".vscode",
        "rank_0",
    }
)


#: Keys whose values are numbers.
NUMBERS = frozenset({"goal.reached", "goal.expected"})


def typed(key: str, text: Any) -> Any:
    """A value as the case has it: of a key of NUMBERS the number that a text gives. Raises ValueError."""
    return float(text) if key in NUMBERS and isinstance(text, str) else text


def document_of(values: dict[str, Any], others: dict[str, list[str]] | None = None) -> bytes:
    """The text of a case file from dotted keys, arguments of calls being JSON; `others` are values that may be meant instead, which go
    into a comment behind a key's."""
    import yaml

    data: dict[str, Any] = {}
    for key, value in values.items():
        level = data
        *parents, last = key.split(".")
        for parent in parents:
            level = level.setdefault(parent, {})
        is_mapping = (last == "args" or key == "phases") and isinstance(value, str)
        level[last] = msgspec.json.decode(value) if is_mapping else typed(key, value)
    head = f"{_NAMING}{SCHEMA}\n"
    head += "# accucheck.yaml: what accucheck examines; every key is optional. Check it with: accucheck validate\n"
    head += "# The accuracy reached, the one expected, and its source; reports begin with it, for example:\n"
    head += "# goal: {metric: accuracy, reached: 0.62, expected: 0.93, source: README of the benchmark}\n"
    text = head + yaml.safe_dump(data, allow_unicode=True, sort_keys=False, default_flow_style=False)
    for key, alike in (others or {}).items():
        node: Any = yaml.compose(text, Loader=yaml.SafeLoader)
        for step in key.split("."):
            node = next(below for name, below in node.value if name.value == step)
        text = f"{text[: node.end_mark.index]}  # or: {', '.join(alike)}{text[node.end_mark.index :]}"
    return text.encode()


def with_keys(text: bytes, values: dict[str, str], path: str, *, replace: bool = False) -> bytes:
    """The text of a case file with further dotted keys; whatever stands in it is kept as it is, comments too. `replace`: a text that
    a key has already gives way.

    Raises UserError: what document.parse raises, or case-not-added where the keys find no place.
    """
    import yaml

    expected: dict[str, Any] = document.parse(text, path) or {}
    try:
        made = text.decode()
        for key, value in values.items():
            made = _inserted(made, key.split("."), _scalar(value, key), replace)
            expected = _with(expected, f"{key}={_scalar(value, key)}")
        if document.parse(made.encode(), path) == expected:
            return made.encode()
    except (UserError, ValueError, yaml.YAMLError):
        pass
    raise UserError("case-not-added", path=path, keys=", ".join(f"{key}: {value}" for key, value in values.items()))


def _scalar(text: str, key: str) -> str:
    """A text as YAML has it; numbers, and arguments, a JSON object, as they are."""
    import yaml

    if key in NUMBERS:
        return yaml.safe_dump(float(text)).partition("\n")[0]
    if text.startswith("{"):
        try:
            msgspec.json.decode(text, type=dict[str, Any])
        except msgspec.DecodeError:
            pass
        else:
            return text
    plain = re.fullmatch(r"[A-Za-z_][\w./-]*", text, re.ASCII) and yaml.safe_load(text) == text  # "no" is no text
    return text if plain else document.quoted(text)


def _inserted(text: str, names: list[str], value: str, replace: bool) -> str:
    """YAML text with one more value, which is given as YAML has it, at the end of the deepest mapping that is there, or in the place of
    a text; ValueError where there is no place."""
    import yaml

    mapping: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    place, indent = len(text), 0
    while isinstance(mapping, yaml.MappingNode):
        found = next((entry for entry in mapping.value if entry[0].value == names[0]), None)
        if found is None:
            break
        (key, below), names = found, names[1:]
        if (
            replace
            and not names
            and isinstance(below, yaml.ScalarNode)
            and below.value
            and below.style not in ("|", ">")
        ):
            return text[: below.start_mark.index] + value + text[below.end_mark.index :]
        if not names or not (isinstance(below, yaml.MappingNode) or below.value == ""):
            raise ValueError(names)
        mapping, place, indent = below, below.end_mark.index, key.start_mark.column + 2
    if isinstance(mapping, yaml.MappingNode) and mapping.flow_style:
        added = "".join(f"{name}: {{" for name in names[:-1]) + f"{names[-1]}: {value}" + "}" * (len(names) - 1)
        place = mapping.end_mark.index - 1
        return text[:place].rstrip() + (", " if mapping.value else "") + added + text[place:]
    if isinstance(mapping, yaml.MappingNode):
        indent, last = mapping.value[0][0].start_mark.column, mapping
        while isinstance(last, yaml.CollectionNode) and not last.flow_style:
            last = last.value[-1][1] if isinstance(last, yaml.MappingNode) else last.value[-1]
        place = last.end_mark.index
    place = text.find("\n", max(place - 1, 0)) + 1 or len(text)
    end = "\r\n" if "\r\n" in text else "\n"
    lines = [f"{' ' * (indent + 2 * level)}{name}:" for level, name in enumerate(names)]
    before = text[:place] if not text[:place] or text[:place].endswith("\n") else text[:place] + end
    return before + end.join(lines) + f" {value}{end}" + text[place:]


def extend(case: Case, values: dict[str, str], *, replace: bool = False) -> Case:
    """The case with further dotted keys, which are written into its file too: not into what a link leads to outside of the project.
    Raises UserError, SaveError."""
    from .store import require_own, write_atomically

    if case.file is None:
        values = {"name": case.name, **case.taken, **values}
        write(values, Path(case.root, FILE_NAME))
    else:
        require_own(Path(case.file), Path(case.root))
        file = Path(case.file).resolve()
        write_atomically(file, with_keys(document.read_text(file), values, case.file, replace=replace))
    data: Any = msgspec.to_builtins(case.spec)
    for key, value in values.items():
        data = _with(data, f"{key}={_scalar(value, key)}")
    file = Path(case.file or Path(case.root, FILE_NAME))
    agreed = [*case.agreed, *(value for value in values.values() if networked(value))]
    return Case(root=case.root, spec=msgspec.convert(data, CaseFile), file=str(file), agreed=agreed)


def write(values: dict[str, Any], target: Path, others: dict[str, list[str]] | None = None) -> None:
    """Write a case file from dotted keys, atomically; `others` as in document_of(). The schema that its first line names for editors goes
    beside the session, where that can be written. Raises SaveError."""
    from .store import write_atomically

    write_atomically(target, document_of(values, others))
    _write_schema(target)


def keep_schema(case: Case) -> None:
    """Write the schema that the first line of a case file names, where it is missing: a clone has no folder of a session."""
    if case.file is None or Path(case.root, SCHEMA).exists():
        return
    with suppress(OSError), open(case.file, encoding="utf-8", errors="replace") as file:
        if file.readline().strip() == f"{_NAMING}{SCHEMA}":
            _write_schema(Path(case.file))


def _write_schema(target: Path) -> None:
    from .store import require_own, write_atomically

    file = target.parent / SCHEMA
    with suppress(OSError, SaveError):
        require_own(file.parent, target.parent)
        file.parent.mkdir(exist_ok=True)
        write_atomically(file, msgspec.json.format(msgspec.json.encode(schema()), indent=2) + b"\n")


def schema() -> dict[str, Any]:
    """The JSON Schema of accucheck.yaml."""
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"urn:accucheck:schema:case:{VERSION}"}
    return {**head, **document.schema(CaseFile)}
