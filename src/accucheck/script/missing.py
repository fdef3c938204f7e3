"""What the code that reads the training data does about missing values and broken samples (ds.01)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .normalization import pipelines_of
from .pipelines import Pipelines
from .source import Source
from .syntax import unparse, walk
from .values import Call, Function, KnownValue, NamedValue, options

#: Method or function -> what it does about missing values.
_TABLE = {
    "dropna": "dropped",
    "fillna": "filled",
    "ffill": "filled",
    "bfill": "filled",
    "interpolate": "filled",
    "isna": "tested",
    "isnull": "tested",
    "notna": "tested",
    "notnull": "tested",
    "nan_to_num": "filled",
    "isnan": "tested",
    "isinf": "tested",
    "isfinite": "tested",
    "nanmean": "ignored",
    "nanmedian": "ignored",
    "nanstd": "ignored",
    "drop_nulls": "dropped",
    "fill_null": "filled",
    "fill_nan": "filled",
}
_IMPUTERS = ("SimpleImputer", "KNNImputer", "IterativeImputer", "MissingIndicator", "Imputer")
_OTHERS = frozenset((*_IMPUTERS, "filter", "set_error_samples_mode", "replace"))
_WORDS = ("imread", "imdecode", "Image.open", "verify", "decode_image", "read_image", "_loader", "wavfile")
_DECODES = re.compile(r"^(imread|imdecode|verify|decode_image|read_image|pil_loader|img_loader|wavfile\.read)$")
_READS = re.compile(
    r"^(open|io\.open|codecs\.open|cv2\.(imread|VideoCapture)|PIL\.Image\.open|imageio\.\w*\.?imread|skimage\.io\.imread|h5py\.File"
    r"|pandas\.read_\w+|polars\.(read|scan)_\w+|numpy\.(load|loadtxt|genfromtxt|fromfile|memmap)|pickle\.load|json\.load|scipy\.\w*\.?\w*"
    r"|librosa\.\w*\.?load|soundfile\.read|scipy\.io\.\w+|sklearn\.datasets\.(load|fetch)_\w+|csv\.reader|lmdb\.open|tifffile\.imread"
    r"|nibabel\.load|sqlite3\.connect|download\.\w+|requests\.get)$"
)


@dataclass(frozen=True, eq=False)
class Observation:
    code: str
    source: Source
    line: int
    last: int
    data: dict[str, Any] = field(default_factory=dict)


def examine(readings: list[Pipelines]) -> list[Observation]:
    """Every place that deals with missing values or broken samples, or else that there is none."""
    training = [one for one in readings if one.reading.role == "train" and one.reading.view == "train"]
    found: dict[tuple[str, int], Observation] = {}
    for said in (said for one in training for said in (*_calls(one), *_guards(one))):
        found.setdefault((said.source.path, said.line), said)
    if found:
        return list(found.values())
    sources = [one.reading.source for one in training[:1]]
    code = "nothing-read" if all(_reads_nothing(one) for one in training) else "none-seen"
    return [Observation(code, source, 1, 1, {"path": source.path}) for source in sources]


def _calls(pipelines: Pipelines) -> Iterator[Observation]:
    for call in pipelines.trace.calls:
        last = call.last
        how = _TABLE.get(last, "")
        if not how and last not in _OTHERS and not last.startswith("read_"):
            continue
        data: dict[str, Any] = {"call": call.name.lstrip(".") + "()"}
        if call.name.startswith(("mindspore.ops", "mindspore.nn", "mindspore.mint")):
            continue  # overflow checks and resizing
        if how and (call.name.startswith(("pandas.", "numpy.", ".")) or "." not in call.name):
            if _of_data(pipelines, call):
                yield _observation(f"missing-{how}", call, data)
        elif last in _IMPUTERS:
            yield _observation("missing-filled", call, data)
        elif call.name == ".filter" and id(call) in pipelines.columns:
            yield _observation("samples-filtered", call, data)
        elif last == "set_error_samples_mode":
            mode = call.args[0] if call.args else next(iter(call.keywords.values()), None)
            name = mode.name.rpartition(".")[2] if isinstance(mode, NamedValue) else ""
            if name in ("SKIP", "REPLACE"):
                yield _observation("errors-skipped", call, data | {"mode": name})
        elif call.name.startswith("pandas.read_") and "na_values" in call.keywords:
            yield _observation("missing-marked", call, data)
        elif call.name == ".replace" and (nan := [_is_nan(value) for value in call.args]) and any(nan):
            yield _observation("missing-filled" if nan[0] else "missing-marked", call, data)


def _of_data(pipelines: Pipelines, call: Call) -> bool:
    """True for a call on something that was read: a loss may be tested for NaN as well."""
    first = call.base if call.base is not None else (call.args[0] if call.args else None)
    origins = {way.origin for way in pipelines.samples.ways(first)}
    if origins & {"network", "generated", "simulator"}:
        return False
    return bool(origins & {"pixels", "audio", "record", "table", "text", "array"}) or call.last in (
        "dropna",
        "fillna",
        "fill_null",
    )


def _is_nan(value: Any) -> bool:
    for option in options(value):
        if isinstance(option, NamedValue) and option.name.rpartition(".")[2].lower() in ("nan", "inf", "na", "nat"):
            return True
        if isinstance(option, KnownValue) and isinstance(option.value, float) and option.value != option.value:
            return True
    return False


def _guards(pipelines: Pipelines) -> Iterator[Observation]:
    """A try around what decodes a sample, and a test whether a picture was read at all."""
    seen: set[ast.AST] = set()
    speak: dict[Path, bool] = {}
    for frame in pipelines.trace.frames:
        function = frame.function
        source = function.source
        if source.file not in speak:
            speak[source.file] = any(word in line for line in source.lines for word in _WORDS)
        if function.node in seen or not speak[source.file] or not isinstance(function, Function):
            continue
        seen.add(function.node)
        yield from _guards_within(function)


def _guards_within(function: Function) -> Iterator[Observation]:
    read: set[str] = set()
    for node in walk(function.node):
        if isinstance(node, ast.Try):
            if node.handlers and any(_decodes(part) for statement in node.body for part in walk(statement)):
                yield Observation("errors-caught", function.source, node.lineno, node.handlers[0].lineno, {})
        elif isinstance(node, ast.Assign) and _decodes(node.value):
            read |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    for node in walk(function.node) if read else ():
        if isinstance(node, ast.If) and _tests_none(node.test, read):
            yield Observation("picture-tested", function.source, node.lineno, node.lineno, {})


def _decodes(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    name = unparse(node.func) if isinstance(node.func, (ast.Name, ast.Attribute)) else ""
    return _DECODES.match(name.rpartition(".")[2]) is not None or name.endswith("Image.open")


def _tests_none(node: ast.expr, names: set[str]) -> bool:
    for part in walk(node):
        if isinstance(part, ast.Compare) and isinstance(part.left, ast.Name) and part.left.id in names and _none(part):
            return True
        if isinstance(part, ast.UnaryOp) and isinstance(part.operand, ast.Name) and part.operand.id in names:
            return True
    return False


def _none(test: ast.Compare) -> bool:
    return any(isinstance(other, ast.Constant) and other.value is None for other in test.comparators)


def _reads_nothing(pipelines: Pipelines) -> bool:
    """True when a script trains on what it makes itself."""
    kinds = {entry.kind for pipeline in pipelines_of([pipelines], "train") for entry in pipeline.inputs}
    if not kinds & {"made", "simulator"} or kinds - {"made", "simulator", "label", "ids", "nothing"}:
        return False
    return not any(_READS.match(call.name) or _from_files(pipelines, call) for call in pipelines.trace.calls)


def _from_files(pipelines: Pipelines, call: Call) -> bool:
    made = ("GeneratorDataset", "NumpySlicesDataset", "RandomDataset")
    return call.name.startswith("mindspore.") and call.last in pipelines.known.sources and call.last not in made


def _observation(code: str, call: Call, data: dict[str, Any]) -> Observation:
    last = call.last_line
    return Observation(code, call.source, call.line, min(last, call.line + 8), data)
