"""`accucheck convert DATA.tfrecord OUT.mindrecord`: the records of TFRecord files as rows of a MindRecord file, value by value.

A field of one number in each record is a number, one of several, or of another count from record to record, an array; bytes stay bytes.
Nothing is held but a record at a time. A record that shows another form of a field than the first ones begins the work anew.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

from .errors import UserError
from .language import Language, Words, visible, word
from .mindrecord_writer import LARGEST, NAME, PAGE, RowTooLarge, Schema, Writer, packed, writing
from .readers import detect, tfrecord
from .readers.tfrecord import Feature
from .store import require_outside_links

WORDS: Words = {
    "whole": {
        "en": "{path}: {rows:,} {rows:row|rows} with {fields}",
        "zh": "{path}：{rows:,} 行，字段 {fields}",
    },
    "renamed": {
        "en": "fields that MindRecord cannot call so, renamed: {names}",
        "zh": "MindRecord 不允许的字段名，已改名：{names}",
    },
    "empty": {
        "en": "records without some bytes of {name}, which are empty in their rows: {count:,}",
        "zh": "有 {count:,} 条记录缺少 {name}，对应的行中为空",
    },
}
#: Records that are looked at before the first is written.
FIRST = 1000


class _OtherForm(Exception):
    """A record has a field in another form than the schema says."""


class Forms:
    """What the fields of records hold: of each its kind, and whether a record has not exactly one value."""

    def __init__(self) -> None:
        self.kinds: dict[str, str] = {}
        self.several: set[str] = set()
        self.seen = 0

    def add(self, features: dict[str, Feature], path: str) -> None:
        """Raises UserError for what no field of MindRecord holds."""
        for name, (kind, values) in features.items():
            known = self.kinds.setdefault(name, kind)
            if known != kind:
                raise UserError("field-kinds", path=path, field=name, one=known, other=kind, row=self.seen)
            if kind == "bytes" and len(values) > 1:
                raise UserError("field-of-several-bytes", path=path, field=name, row=self.seen, count=len(values))
            if len(values) != 1:
                self.several.add(name)
        self.seen += 1

    def schema(self, path: str) -> tuple[Schema, dict[str, str]]:
        """The schema, and what each field is called in it. Raises UserError where two names become one."""
        names: dict[str, str] = {}
        for name in self.kinds:
            names[name] = name if NAME.fullmatch(name) else re.sub(r"[^0-9A-Za-z_]", "_", name)
        if len(set(names.values())) < len(names) or not names:
            raise UserError("field-names", path=path, names=", ".join(sorted(names)) or "-")
        types = {"int64": "int64", "float": "float32"}
        numbers = {name: types[kind] for name, kind in self.kinds.items() if kind in types}
        return Schema(
            {names[name]: kind for name, kind in numbers.items() if name not in self.several},
            {names[name]: kind for name, kind in numbers.items() if name in self.several},
            tuple(names[name] for name, kind in self.kinds.items() if kind == "bytes"),
        ), names


class _Rows:
    """Records as the rows of a schema."""

    def __init__(self, schema: Schema, names: dict[str, str]) -> None:
        self.scalars = [(name, called) for name, called in names.items() if called in schema.scalars]
        own = {called: name for name, called in names.items()}
        self.blobs = [own[called] for called in schema.blobs]
        self.kinds = {own[called]: kind for called, kind in schema.arrays.items()}
        self.known = frozenset(names)
        self.empty: dict[str, int] = {}
        self.rows = 0

    def write(self, features: dict[str, Feature], writer: Writer) -> None:
        """Raises _OtherForm, RowTooLarge and UserError."""
        self.rows = writer.rows
        if not features.keys() <= self.known:
            raise _OtherForm
        scalars = {}
        for name, called in self.scalars:
            values: Any = features[name][1] if name in features else ()
            if len(values) == 0:
                raise UserError("field-empty", field=name, row=self.rows)
            if len(values) != 1:
                raise _OtherForm
            scalars[called] = values[0] if isinstance(values, list) else float(values[0])
        writer.add(scalars, [self.blob(name, features.get(name)) for name in self.blobs])

    def blob(self, name: str, feature: Feature | None) -> bytes:
        """Raises _OtherForm, and UserError for an array without elements, which MindSpore reads as a number that is not there."""
        values: Any = feature[1] if feature is not None else ()
        kind = self.kinds.get(name)
        if kind is not None and not len(values):
            raise UserError("field-empty", field=name, row=self.rows)
        if kind == "int64":
            return packed(values)
        if kind is not None:
            return np.asarray(values, "<f4").tobytes()
        if len(values) > 1:
            raise _OtherForm
        if not values:
            self.empty[name] = self.empty.get(name, 0) + 1
        return bytes(values[0]) if values else b""


def command(
    source: Path,
    output: Path,
    *,
    force: bool,
    language: Language,
    echo: Callable[[str], object],
    progress: Callable[[int, int], object],
) -> tuple[int, dict[str, Any]]:
    """The exit code and what --json prints; the text goes to `echo`. `progress` is told the bytes read and all.

    Raises UserError, ReadError, SaveError.
    """
    files = sources(source)
    for target in (output, output.with_name(f"{output.name}.db")):
        require_outside_links(target)
        if target.exists() and not force:
            raise UserError("convert-exists", path=str(target))
    if output.resolve() in {file.resolve() for file in files}:
        raise UserError("convert-same", path=str(output))
    writer, rows, names = convert(files, output, progress)
    shown = {name: called for name, called in names.items() if name != called}
    described = writer.schema.described()
    fields = ", ".join(f"{visible(name)} ({_type(one)})" for name, one in sorted(described.items()))
    echo(word(WORDS, "whole", language, path=str(output), rows=writer.rows, fields=fields))
    if shown:
        echo(
            word(
                WORDS,
                "renamed",
                language,
                names=", ".join(f"{visible(name)} → {called}" for name, called in shown.items()),
            )
        )
    for name, count in rows.empty.items():
        echo(word(WORDS, "empty", language, name=visible(name), count=count))
    told = {"path": str(output), "rows": writer.rows, "fields": described, "renamed": shown, "empty": rows.empty}
    return 0, told


def _type(field: dict[str, Any]) -> str:
    return f"{field['type']}[]" if "shape" in field else str(field["type"])


def is_records(path: Path) -> bool:
    """Whether a path is a TFRecord file, or a folder that holds one. Raises ReadError."""
    return any(True for _ in _records_in(path))


def sources(path: Path) -> list[Path]:
    """The TFRecord files of a path, by name. Raises ReadError and UserError."""
    found = list(_records_in(path))
    if not found:
        raise UserError("no-records", path=str(path))
    return found


def _records_in(path: Path) -> Iterator[Path]:
    for file in detect.files(path, lambda problem: None):
        if isinstance(file, Path) and detect.detect(file) == "tfrecord":
            yield file


def convert(
    files: Sequence[Path], output: Path, progress: Callable[[int, int], object]
) -> tuple[Writer, _Rows, dict[str, str]]:
    """Write all records; anew with what all of them say where the first ones did not say it. Raises UserError, ReadError, SaveError."""
    forms, page = _forms(files, FIRST), PAGE
    while True:
        schema, names = forms.schema(str(files[0]))
        rows = _Rows(schema, names)
        try:
            with writing(output, schema, page) as writer:
                done, total = 0, sum(file.stat().st_size for file in files)
                for number, (features, size) in enumerate(_examples(files)):
                    rows.write(features, writer)
                    done += size + 16
                    if number % 1024 == 0:
                        progress(min(done, total), total)
                progress(total, total)
        except _OtherForm:
            forms = _forms(files, None)
        except RowTooLarge as error:
            if error.size > LARGEST:
                raise UserError(
                    "row-too-large", path=str(output), row=writer.rows, size=error.size, limit=LARGEST
                ) from None
            page = 1 << (error.size - 1).bit_length()
        else:
            return writer, rows, names


def _examples(files: Sequence[Path]) -> Iterator[tuple[dict[str, Feature], int]]:
    return chain.from_iterable(tfrecord.sized(file) for file in files)


def _forms(files: Sequence[Path], most: int | None) -> Forms:
    """The forms of the first records, or of all."""
    found = Forms()
    for features, _ in islice(_examples(files), most):
        found.add(features, str(files[0]))
    if not found.seen:
        raise UserError("no-records", path=str(files[0]))
    return found
