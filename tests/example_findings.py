"""What the examples of each probe find, as example_findings.json keeps it: `python tests/example_findings.py` writes it again, and
with names of probes only what theirs find.

Verdict and codes alone leave open where a threshold lies; the levels and numbers of the findings tell. Live probes are left out: their
numbers differ from one machine to another.
"""

import io
import json
import math
import re
import sys
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from accucheck import probe
from accucheck.errors import ReadError, UserError
from accucheck.model import Finding, Kind
from accucheck.probe import Example, Skip
from accucheck.readers.checkpoints import open_checkpoint

KEPT = Path(__file__).with_suffix(".json")
#: Measured numbers, the nearest to a threshold, that it is set to.
NEAR = 6
#: What stands in a finding as a name or a few words.
NAME = re.compile(r"[\w .,:;()+-]{1,60}", re.ASCII)
#: Of these files each is changed; of other kinds so many of an example.
TEXTS, OF_A_KIND = {".py", ".csv", ".log", ".jsonl", ".txt"}, 3
#: Lines of a script that are left out, one at a time, and numbers of lines of a log or table.
LEFT_OUT = 8
#: Numbers of a script that are changed, one at a time, and what is one; and what is a measured one in a log or table.
LITERALS = 4
LITERAL = re.compile(r"(?<![\w.\"'])(?:\d+\.\d*(?:e-?\d+)?|\d+e-?\d+|\d+)(?![\w.\"'])")
MEASURED = re.compile(r"(?<![\w.])-?\d+\.\d+(?:e[-+]?\d+)?(?!\w)")
LENGTHS = (2, 3, 5, 6, 10, 11, 12, 20, 21, 31)
#: Probes that take seconds for an example.
SLOW = {"label_issues"}


def short(value: Any) -> Any:
    """A number of a finding, to four digits, for the last ones differ between releases of NumPy; a name or a few words; of a list its
    length; else None, as for where files are."""
    if isinstance(value, dict):
        value = value.get("en")
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, (list, tuple)):
        return len(value)
    return value if isinstance(value, int) or (isinstance(value, str) and NAME.fullmatch(value)) else None


def as_kept(findings: Iterable[Finding]) -> list[str]:
    """A line for each finding: its code, its level, how sure and how whole it is, and its numbers."""
    lines = []
    for finding in findings:
        words = [finding.code, finding.level.value]
        words += ["incomplete"] * finding.incomplete + ([finding.sure.value] if finding.sure else [])
        words += [f"{key}={said}" for key in sorted(finding.data) if (said := short(finding.data[key])) is not None]
        if finding.fix is not None:
            words.append(
                f"{finding.fix.message}{f' #{zlib.crc32(finding.fix.diff.encode()):08x}' if finding.fix.diff else ''}"
            )
        lines.append(" ".join(words))
    return lines


def run(module: Any, example: Example, **params: Any) -> list[Finding]:
    with tempfile.TemporaryDirectory() as folder:
        case = example.lay_out(Path(folder))
        if probe.missing(module, case):
            raise Skip("missing")
        events = module.run(case, probe.params(module, {**example.params, **params}))
        return [event for event in events if isinstance(event, Finding)]


def at_thresholds(module: Any, example: Example) -> dict[str, str]:
    """What is found, where it is otherwise, when a threshold is just what the findings measured, or half or twice the default."""
    found = run(module, example)
    usual, kept = _codes(found), {}
    measured = {value for finding in found for value in finding.data.values() if type(value) in (int, float)}
    for field in msgspec.structs.fields(module.Params):
        default = example.params.get(field.name, field.default)
        if type(default) not in (int, float) or not default:
            continue
        near = sorted((value for value in measured if value > 0), key=lambda value: abs(math.log(value / default)))[
            :NEAR
        ]
        for value in dict.fromkeys([default / 2, default * 2, *near]):
            value = round(value) if type(default) is int else float(value)
            try:
                told = _codes(run(module, example, **{field.name: value}))
            except msgspec.ValidationError:  # out of its bounds
                continue
            except (UserError, Skip) as error:
                told = type(error).__name__
            if told != usual:
                kept[f"{field.name}={value:.4g}"] = told
    return kept


def of_variants(module: Any, example: Example) -> dict[str, str]:
    """What is found, where it is otherwise, when one thing of the example is changed: its case, or a line, a number, a file."""
    whole = with_bytes(example)
    usual, kept = _said(module, whole), {}
    for name, variant in _variants(whole):
        said = _said(module, variant)
        if said != usual:
            kept[name] = said
    return kept


def with_bytes(example: Example) -> Example:
    """The same example, with what its functions write as bytes."""
    if not any(callable(content) for content in example.files.values()):
        return example
    with tempfile.TemporaryDirectory() as folder:
        example.lay_out(Path(folder))
        made = [path for path in sorted(Path(folder).rglob("*")) if path.is_file()]
        texts = {path: content for path, content in example.files.items() if isinstance(content, str)}
        files = {str(path.relative_to(folder)): path.read_bytes() for path in made} | texts
    return like(example, files=files)


def like(example: Example, **changes: Any) -> Example:
    given = {"files": example.files, "case": example.case, **changes}
    return Example(example.name, verdict=example.verdict, params=example.params, **given)


def _variants(example: Example) -> Iterator[tuple[str, Example]]:
    for keys, value in _leaves(example.case):
        if type(value) is int:
            for other in (value - 1, value + 1):
                yield f"{'.'.join(keys)}={other}", like(example, case=_with(example.case, keys, other))
        if isinstance(value, list) and len(value) > 1:
            for name, some in (("one of", value[:1]), ("all but one of", value[:-1])):
                yield f"{name} {'.'.join(keys)}", like(example, case=_with(example.case, keys, some))
        yield f"without {'.'.join(keys)}", like(example, case=_with(example.case, keys, None))
    seen: Counter[str] = Counter()
    for path, content in example.files.items():
        seen[suffix := Path(path).suffix] += 1
        if seen[suffix] > OF_A_KIND and suffix not in TEXTS:
            continue
        if len(example.files) > 1:
            yield (
                f"without {path}",
                like(example, files={**example.files, path: ""} if suffix == ".py" else _but(example, path)),
            )
        changed = _texts(suffix, content) if isinstance(content, str) else _arrays(suffix, content)
        with suppress(ValueError, ReadError):  # a file that is damaged on purpose
            for name, text in changed:
                yield f"{path} {name}", like(example, files={**example.files, path: text})


def _but(example: Example, path: str) -> dict[str, Any]:
    return {name: content for name, content in example.files.items() if name != path}


def _leaves(case: dict[str, Any]) -> Iterator[tuple[list[str], Any]]:
    for key, value in case.items():
        if isinstance(value, dict):
            yield from (([key, *keys], leaf) for keys, leaf in _leaves(value))
        else:
            yield [key], value


def _with(case: dict[str, Any], keys: list[str], value: Any) -> dict[str, Any]:
    """The case with another value; with None without the key."""
    key, *rest = keys
    if rest:
        return {**case, key: _with(case[key], rest, value)}
    return {name: each for name, each in {**case, key: value}.items() if name != key or value is not None}


def _texts(suffix: str, content: str) -> Iterator[tuple[str, str]]:
    """A script without a line or with another number; a log or table with fewer lines, all twice, or other numbers."""
    lines = content.splitlines(keepends=True)
    variants: dict[str, list[str]] = {}
    if suffix == ".py":
        full = [at for at, line in enumerate(lines) if line.strip()]
        places = full[:: max(1, -(-len(full) // LEFT_OUT))]
        variants = {f"without line {at + 1}": lines[:at] + lines[at + 1 :] for at in places}
        numbers = list(LITERAL.finditer(content))
        for found in numbers[:: max(1, -(-len(numbers) // LITERALS))]:
            other = f"{10 * float(found[0]):g}" if "." in found[0] or "e" in found[0] else str(int(found[0]) + 1)
            line = content.count("\n", 0, found.start()) + 1
            changed = content[: found.start()] + other + content[found.end() :]
            variants[f"line {line}, {found[0]} is {other}"] = [changed]
    elif suffix in TEXTS:
        variants = {f"{count} lines": lines[:count] for count in LENGTHS if count < len(lines)}
        variants |= {"without the first half": lines[:1] + lines[len(lines) // 2 :], "without the last": lines[:-1]}
        variants |= {"each other line": lines[:1] + lines[1::2], "twice": lines + lines[1:]}
        variants |= _measured(lines)
    yield from ((name, "".join(left)) for name, left in variants.items())


def _measured(lines: list[str]) -> dict[str, list[str]]:
    """The lines with another last number each."""
    found = {at: numbers[-1] for at, line in enumerate(lines) if (numbers := list(MEASURED.finditer(line)))}
    if len(found) < 3:
        return {}
    values = {at: float(number[0]) for at, number in found.items()}
    places = [*found]
    half = places[len(places) // 2 :]

    def told(changed: dict[int, float]) -> list[str]:
        return [
            line[: found[at].start()] + f"{changed[at]:.6g}" + line[found[at].end() :] if at in changed else line
            for at, line in enumerate(lines)
        ]

    return {
        "a hundredth more": told({at: 1.01 * value for at, value in values.items()}),
        "twice as much from half on": told({at: 2 * values[at] for at in half}),
        "half as much from half on": told({at: values[at] / 2 for at in half}),
        "three times as much at first": told({places[0]: 3 * values[places[0]]}),
        "nan in the middle": told({half[0]: math.nan}),
        "nan from half on": told(dict.fromkeys(half, math.nan)),
        "turned round": told(dict(zip(places, reversed(values.values()), strict=True))),
        "all alike": told(dict.fromkeys(places, values[places[0]])),
    }


def _arrays(suffix: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    """A .npy, or one tensor of a .ckpt, with other numbers."""
    if suffix == ".npy":
        array = np.load(io.BytesIO(content), allow_pickle=False)
        for name, changed in _numbers(array):
            stream = io.BytesIO()
            np.save(stream, changed)
            yield name, stream.getvalue()
        stream = io.BytesIO()
        np.save(stream, array[:-1] if array.ndim else array.reshape(1))
        yield "of another shape", stream.getvalue()
    elif suffix == ".ckpt":
        with tempfile.NamedTemporaryFile(suffix=suffix) as file:
            file.write(content)
            file.flush()
            tensors = open_checkpoint(file.name).tensors
        for tensor in (tensors[0], tensors[-1]) if len(tensors) > 1 else tensors:
            name = tensor.name.encode()
            yield f"{tensor.name} renamed", content.replace(name, name[:-1] + b"~")
            if tensor.dtype == "float32" and len(tensor.extents) == 1:
                ((start, size),) = tensor.extents
                values = np.frombuffer(content[start : start + size], "<f4")
                for what, changed in _numbers(values):
                    yield f"{tensor.name} {what}", content[:start] + changed.tobytes() + content[start + size :]


def _numbers(array: Any) -> Iterator[tuple[str, Any]]:
    if array.dtype.kind != "f" or not array.size:
        return
    yield "a hundredth more", (array * 1.01).astype(array.dtype)
    yield "all 0", np.zeros_like(array)
    yield "turned round", array.ravel()[::-1].reshape(array.shape)
    for value in (np.nan, np.inf):
        changed = array.copy()
        changed.flat[0] = value
        yield f"with {value}", changed


def _said(module: Any, example: Example) -> str:
    """The codes and levels, and a digest of the numbers."""
    try:
        found = run(module, example)
    except (UserError, Skip, msgspec.ValidationError) as error:
        return type(error).__name__
    return f"{_codes(found)} #{zlib.crc32(repr(as_kept(found)).encode()) & 0xFFFFFF:06x}"


def _codes(findings: Iterable[Finding]) -> str:
    return ", ".join(
        f"{finding.code} {finding.level.value}{' incomplete' * finding.incomplete}" for finding in findings
    )


def write(names: list[str]) -> None:
    kept: dict[str, dict[str, Any]] = json.loads(KEPT.read_text(encoding="utf-8")) if names else {}
    for name in names or probe.names():
        module = probe.load(name)
        if module.KIND is not Kind.LIVE:
            kept[name] = {example.name: as_kept(run(module, example)) for example in module.EXAMPLES}
            if name not in SLOW:
                at = {example.name: at_thresholds(module, example) for example in module.EXAMPLES}
                kept[name]["at thresholds"] = {key: value for key, value in at.items() if value}
                of = {example.name: of_variants(module, example) for example in module.EXAMPLES}
                kept[name]["of variants"] = {key: value for key, value in of.items() if value}
    KEPT.write_text(json.dumps(kept, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write(sys.argv[1:])
