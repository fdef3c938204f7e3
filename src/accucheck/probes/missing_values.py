"""Counts missing values in the files of the training, evaluation and inference data, field by field.

Catches: null, NaN, Inf, empty cells, declared markers, the usual words (NA, null, ?, -), unmarked sentinels such as -999 (an
extreme, repeated value far off the rest), blank and damaged lines, samples of a shard that lack a member, and broken images, in
CSV, TSV, Parquet, NDJSON, JSON arrays, plain text, NPY, NPZ, IDX, MindRecord, TFRecord, WebDataset shards and folders of images,
also where they are compressed with gzip or lie at an fsspec address. Cannot tell: whether the script handles them (conclude
"ok" when it does), sentinels among ordinary values, rare sentinels in arrays (there a sample is looked at) and in integers within
MindRecord blobs. Pickled objects are never loaded.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from ..case import Case, redacted
from ..errors import ReadError
from ..language import Words
from ..model import Finding, Fix, Kind, Language, Level, Plain, Progress, Table, Verdict, Where
from ..probe import Example
from . import _declared_padding, _files

if TYPE_CHECKING:
    from ..readers.mindrecord import Shard
    from ..readers.places import File, Listing
    from ..readers.tfrecord import Feature
    from ._missing_counts import Field

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = (("data.train.path", "data.eval.path"),)
USES = ("design.padding", "loss")

_Row = TypeVar("_Row")
_ROLES = {
    "train": {"en": "Training", "zh": "训练"},
    "eval": {"en": "Evaluation", "zh": "评估"},
    "infer": {"en": "Inference", "zh": "推理"},
}
#: Errors that say that a file is damaged, whoever reads it; all others leave open whether the file is sound.
_DAMAGED = ("truncated", "checksum", "record-checksum", "empty")


class Params(msgspec.Struct, frozen=True):
    threads: Annotated[
        int,
        Meta(
            ge=1,
            le=64,
            description="threads for arrays and images",
            extra={"unit": "threads", "source": "measured: NPY is bound by memory beyond 2"},
        ),
    ] = 2
    unreadable_shown: Annotated[
        int,
        Meta(
            ge=1,
            le=200,
            description="unreadable files told one by one",
            extra={"unit": "files", "source": "own choice"},
        ),
    ] = 20


_EN = "; most in {worst} ({share:.2%})."
_ZH = "，最多的是 {worst}（{share:.2%}）。"
_HANDLED_EN = _EN + " If the script handles them, conclude: no problem."
_HANDLED_ZH = _ZH + "如脚本已处理缺失值，请结论填“无问题”。"

MESSAGES: Words = {
    "null-values": {
        "en": "{role} data: {count:,} null {count:value|values} in {fields:,} {fields:field|fields}" + _HANDLED_EN,
        "zh": "{role}数据：{fields:,} 个字段中有 {count:,} 个空值（null）" + _HANDLED_ZH,
    },
    "nan-values": {
        "en": "{role} data: {count:,} NaN in {fields:,} {fields:field|fields}" + _HANDLED_EN,
        "zh": "{role}数据：{fields:,} 个字段中有 {count:,} 个 NaN" + _HANDLED_ZH,
    },
    "infinite-values": {
        "en": "{role} data: {count:,} infinite {count:value|values} in {fields:,} {fields:field|fields}" + _HANDLED_EN,
        "zh": "{role}数据：{fields:,} 个字段中有 {count:,} 个无穷值（Inf）" + _HANDLED_ZH,
    },
    "empty-values": {
        "en": "{role} data: {count:,} empty {count:value|values} in {fields:,} {fields:field|fields}" + _HANDLED_EN,
        "zh": "{role}数据：{fields:,} 个字段有 {count:,} 个空值" + _HANDLED_ZH,
    },
    "empty-text": {
        "en": "{role} data: {count:,} empty {count:text|texts} in {fields:,} {fields:field|fields}"
        + _EN
        + " If the field is optional, conclude: no problem.",
        "zh": "{role}数据：{fields:,} 个文本字段中有 {count:,} 个空字符串"
        + _ZH
        + "若该字段本就允许为空，请结论填“无问题”。",
    },
    "declared-markers": {
        "en": "{role} data: {count:,} {count:value|values} in {fields:,} {fields:field|fields} {count:is|are} declared as missing in "
        "accucheck.yaml" + _HANDLED_EN,
        "zh": "{role}数据：{fields:,} 个字段中有 {count:,} 个值是已声明的缺失标记" + _HANDLED_ZH,
    },
    "words-in-numbers": {
        "en": "{role} data: {count:,} {count:word|words} for missing ({said}) in {fields:,} {fields:field|fields} of numbers"
        + _HANDLED_EN,
        "zh": "{role}数据：{fields:,} 个数值字段中有 {count:,} 处表示缺失的字样（{said}）" + _HANDLED_ZH,
    },
    "words-in-text": {
        "en": "{role} data: {count:,} {count:text|texts} in {fields:,} {fields:field|fields} {count:looks like a word|look like words} "
        "for missing ({said})" + _EN + " {count:It|They} may also be {count:an ordinary value|ordinary values}.",
        "zh": "{role}数据：{fields:,} 个文本字段中有 {count:,} 处疑似表示缺失的字样（{said}）"
        + _ZH
        + "也可能是正常取值。",
    },
    "not-numbers": {
        "en": "{role} data: {count:,} {count:text|texts} ({said}) in {fields:,} {fields:field that should hold|fields that "
        "should hold} numbers" + _EN,
        "zh": "{role}数据：{fields:,} 个数值字段中混有 {count:,} 个文本（{said}）" + _ZH,
    },
    "unmarked-sentinels": {
        "en": "{role} data: {count:,} {count:value|values} in {fields:,} {fields:field|fields} {count:looks like a stand-in|look like "
        "stand-ins} for missing ({said}): repeated, and far from all other values"
        + _EN
        + " If so, declare {count:it|them} in "
        "data.*.fields.",
        "zh": "{role}数据：{fields:,} 个字段中有 {count:,} 个值疑似未声明的缺失占位值（{said}）：重复出现且远离其余取值"
        + _ZH
        + "若确为占位值，请在 data.*.fields 中声明。",
    },
    "blank-lines": {
        "en": "{role} data: {count:,} blank {count:line|lines}"
        + _EN
        + " Where a line is a sample, {count:this is an empty one; if it separates|these are empty ones; if they separate} "
        "paragraphs, conclude: no problem.",
        "zh": "{role}数据：有 {count:,} 个空行"
        + _ZH
        + "若每行是一个样本，则这些样本为空；若空行只用于分隔段落，请结论填“无问题”。",
    },
    "damaged-text": {
        "en": "{role} data: {count:,} {count:line|lines} with bytes that are not UTF-8 or with U+FFFD, the sign of lost characters"
        + _EN,
        "zh": "{role}数据：{count:,} 行含有非法的 UTF-8 字节或替换字符 U+FFFD（原字符已丢失）" + _ZH,
    },
    "control-characters": {
        "en": "{role} data: {count:,} {count:line|lines} with control characters" + _EN,
        "zh": "{role}数据：{count:,} 行含有控制字符" + _ZH,
    },
    "member-missing": {
        "en": "{role} data: {count:,} {count:sample has|samples have} no member that most others have"
        + _EN
        + " If the script skips or fills {count:it|them}, conclude: no problem.",
        "zh": "{role}数据：{count:,} 个样本缺少其他多数样本都有的成员文件"
        + _ZH
        + "若脚本会跳过或补齐，请结论填“无问题”。",
    },
    "images-empty": {
        "en": "{role} data: {count:,} of {files:,} image {files:file|files} {count:is|are} empty (0 bytes), the first is {worst}.",
        "zh": "{role}数据：{files:,} 个图像文件中有 {count:,} 个为空（0 字节），第一个是 {worst}。",
    },
    "images-truncated": {
        "en": "{role} data: {count:,} of {files:,} image {files:file|files} {count:is|are} truncated, the first is {worst}.",
        "zh": "{role}数据：{files:,} 个图像文件中有 {count:,} 个不完整（被截断），第一个是 {worst}。",
    },
    "images-undecodable": {
        "en": "{role} data: {count:,} of {files:,} image {files:file|files} cannot be decoded, the first is {worst}.",
        "zh": "{role}数据：{files:,} 个图像文件中有 {count:,} 个无法解码，第一个是 {worst}。",
    },
    "members-undecodable": {
        "en": "{role} data: {count:,} {count:member|members} of tar archives cannot be decoded, the first is {worst}.",
        "zh": "{role}数据：tar 分片中有 {count:,} 个成员文件无法解码，第一个是 {worst}。",
    },
    "unreadable": {"en": "{problem}", "zh": "{problem}"},
    "unreadable-more": {
        "en": "{role} data: {count:,} more {count:file|files} could not be read.",
        "zh": "{role}数据：另有 {count:,} 个文件无法读取。",
    },
    "not-examined": {
        "en": "{role} data: {count:,} {count:file is of a kind that is|files are of kinds that are} not examined for missing values "
        "({kinds}), the first is {worst}.",
        "zh": "{role}数据：有 {count:,} 个文件的类型（{kinds}）暂不支持缺失值检查，第一个是 {worst}。",
    },
    "no-data": {
        "en": "{role} data: no value was found under {path}, so nothing could be examined.",
        "zh": "{role}数据：在 {path} 下没有找到任何数据，无法检查。",
    },
    "nothing-in-files": {
        "en": "{role} data: no value was read from {count:,} {count:file|files}, for example {worst}: no row or no field is in it.",
        "zh": "{role}数据：有 {count:,} 个文件没有读到任何值，例如 {worst}：其中没有样本或没有字段。",
    },
    "examined": {
        "en": "{role} data: {files:,} {files:file was|files were} examined{cells:: 1 value|: {cells:,} values|}"
        "{fields: in 1 field| in {fields:,} fields|}{images:, 1 image|, {images:,} images|}.",
        "zh": "{role}数据：共检查 {files:,} 个文件{fields:，1 个字段|，{fields:,} 个字段|}{cells:，1 个值|，{cells:,} 个值|}"
        "{images:，1 张图像|，{images:,} 张图像|}。",
    },
    "mend-values": {
        "en": "Drop the rows, fill them (mean, median, a class of their own) or mask them in the loss, in training and evaluation alike.",
        "zh": "请删除这些行、填充（均值、中位数或单独的类别），或在 loss 中屏蔽，训练与推理保持一致。",
    },
    "mend-images": {
        "en": "Copy these files again from the source, or take them out of the data set.",
        "zh": "请从数据源重新拷贝这些文件，或将其从数据集中移除。",
    },
}

WORDS: Words = {
    "by-field": {"en": "By field", "zh": "按字段统计"},
    "files": {"en": "Files", "zh": "文件"},
    "file": {"en": "file", "zh": "文件"},
    "field": {"en": "field", "zh": "字段"},
    "values": {"en": "values", "zh": "取值"},
    "count": {"en": "count", "zh": "数量"},
    "share": {"en": "share", "zh": "占比"},
    "first-rows": {"en": "first rows (from 0)", "zh": "首批行号（从 0 起）"},
    "why": {"en": "why", "zh": "原因"},
}

#: Finding code and level by what was counted; the second of a pair is for fields of text.
_CODES: dict[str, tuple[tuple[str, Level], tuple[str, Level]]] = {
    "null": (("null-values", Level.PROBLEM),) * 2,
    "nan": (("nan-values", Level.PROBLEM),) * 2,
    "+inf": (("infinite-values", Level.PROBLEM),) * 2,
    "-inf": (("infinite-values", Level.PROBLEM),) * 2,
    "empty": (("empty-values", Level.PROBLEM), ("empty-text", Level.SUSPECT)),
    "marker": (("declared-markers", Level.PROBLEM),) * 2,
    "word": (("words-in-numbers", Level.PROBLEM), ("words-in-text", Level.SUSPECT)),
    "text": (("not-numbers", Level.SUSPECT),) * 2,
    "sentinel": (("unmarked-sentinels", Level.SUSPECT),) * 2,
    "blank": (("blank-lines", Level.SUSPECT),) * 2,
    "damaged": (("damaged-text", Level.SUSPECT),) * 2,
    "control": (("control-characters", Level.SUSPECT),) * 2,
    "absent": (("member-missing", Level.PROBLEM),) * 2,
}
#: More foreign text than this in a column of numbers means that it is not a column of numbers (identifiers, codes).
_FOREIGN = 0.05
#: Images that are fetched from an address at a time.
_DOWNLOADS = 16
_ROWS = 200


@dataclass
class _Role:
    """What is known of one of train, eval, infer. `odd` holds, by code, a row per field and kind."""

    name: str
    markers: dict[str, list[Any]]
    label: str | None
    meant: _declared_padding.DeclaredPadding = field(default_factory=_declared_padding.DeclaredPadding)
    odd: dict[str, list[tuple[str, str, str, int, float, str]]] = field(default_factory=dict)
    levels: dict[str, Level] = field(default_factory=dict)
    broken: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    errors: list[tuple[str, ReadError]] = field(default_factory=list)
    others: list[tuple[str, str]] = field(default_factory=list)
    files: int = 0
    images: int = 0
    fields: set[str] = field(default_factory=set)
    cells: int = 0
    nothing_in: list[str] = field(default_factory=list)

    @property
    def hollow(self) -> bool:
        """Whether nothing was read that could lack a value."""
        return not (self.cells or self.images or self.others or self.broken)

    def take(self, shown: str, known: Field) -> None:
        """Keep what was counted in one field of one file."""
        if not known.examined:
            self.others.append((shown, f"{known.name}: object"))
            return
        self.fields.add(known.name)
        self.cells += known.cells
        plain = known.text and known.name != self.label
        for kind, count in known.counts.items():
            if kind == "text" and count > _FOREIGN * known.cells:
                continue
            if kind == "sentinel" and not (count := self.unmeant(known, count)):
                continue
            code, level = _CODES[kind][plain]
            said = "" if kind in ("null", "nan", "empty") else ", ".join(
                word for word, _ in known.texts.get(kind, Counter()).most_common(5)
            )  # fmt: skip
            if kind in ("+inf", "-inf"):
                said = kind
            rows = ", ".join(str(row) for row in known.first.get(kind, []))
            self.levels[code] = level
            self.odd.setdefault(code, []).append((shown, known.name, said, count, count / max(1, known.cells), rows))

    def unmeant(self, known: Field, count: int) -> int:
        """How many of the sentinels of a field are not what pads it, nor labels that the loss leaves out."""
        meant = self.meant.of(known.name)
        texts = known.texts.get("sentinel", Counter())
        for text in [text for text in texts if float(text) in meant]:
            count -= texts.pop(text)
        return max(0, count)

    def merge(self, other: _Role) -> None:
        """Add what was counted in another file."""
        for code, rows in other.odd.items():
            self.odd.setdefault(code, []).extend(rows)
        for code, broken in other.broken.items():
            self.broken.setdefault(code, []).extend(broken)
        self.levels.update(other.levels)
        self.others.extend(other.others)
        self.files += other.files
        self.images += other.images
        self.fields |= other.fields
        self.cells += other.cells


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..readers.places import Listing

    named = {name: _files.addresses(case, f"data.{name}.path") for name in _ROLES}
    several = sum(map(len, named.values())) > 1
    seen: set[str] = set()
    for name, addresses in named.items():
        role = _Role(name, _markers(case, name), case.get(f"data.{name}.label"), _declared_padding.of_case(case, name))
        todo: list[tuple[File, str, int]] = []
        images: list[Listing] = []
        shared = False  # with a role before this one, which has said what there is to say
        for address in addresses:
            listing: Listing | None = None
            for root, path, kind, size in _files.found(case, address):
                if several:
                    place = os.path.realpath(path) if isinstance(path, Path) else str(path)
                    if place in seen:
                        shared = True
                        continue
                    seen.add(place)
                if isinstance(kind, ReadError):
                    role.errors.append((case.relative(path), kind))
                elif kind in ("json", "other"):
                    role.others.append((case.relative(path), path.suffix.lstrip(".") or kind))
                elif kind == "image":
                    if listing is None:
                        listing = Listing(root)
                        images.append(listing)
                    listing.add(path, size)
                else:
                    todo.append((path, kind, size))
        if todo or images or role.others or role.errors:
            yield from _examine(case, role, todo, images, params)
            yield from _findings(role, params)
        if addresses and role.hollow and not role.errors and not shared:
            data = {"role": _ROLES[name], "path": redacted(", ".join(addresses))}
            yield Finding("no-data", Level.INFO, data=data, incomplete=True)


def _markers(case: Case, role: str) -> dict[str, list[Any]]:
    return {name: list(known.missing) for name, known in getattr(case.spec.data, role).fields.items() if known.missing}


def _examine(
    case: Case, role: _Role, todo: list[tuple[File, str, int]], images: list[Listing], params: Params
) -> Iterator[Progress]:
    from ..scan import each

    total = sum(size for *_, size in todo) + sum(listing.bytes for listing in images)
    done = 0
    yield Progress(0, total, "bytes")
    bare = _Role(role.name, role.markers, role.label, role.meant)
    files = (_File(path, kind, case.relative(path), size, bare, params) for path, kind, size in todo)
    # arrays of plain values split themselves
    steps = each(
        files, _count_file, here=lambda file: file.kind in ("npy", "idx", "cifar"), size=lambda file: file.size
    )
    for file, found in steps:
        if isinstance(found, float):
            yield Progress(done + int(file.size * min(found, 1.0)), total, "bytes")
            continue
        done += file.size
        if found.result is not None:
            role.merge(found.result)
            if found.error is None and found.result.hollow:
                role.nothing_in.append(file.shown)
        if found.error is not None:
            role.errors.append((file.shown, found.error))
        yield Progress(done, total, "bytes")
    try:
        for listing in images:
            for size in _images(case, role, listing, params):
                done += size
                yield Progress(done, total, "bytes")
    except ReadError as error:  # of a cluster; those of images are counted
        role.errors.append((str(error.data["path"]), error))


@dataclass(frozen=True)
class _File:
    """One file to count, whoever does it; `bare` is a role of which nothing is known yet."""

    path: File
    kind: str
    shown: str
    size: int
    bare: _Role
    params: Params


def _count_file(file: _File) -> Iterator[float | _Role]:
    """The share that is done, and at last what was counted, before damage too. Raises ReadError."""
    role = _Role(file.bare.name, file.bare.markers, file.bare.label, file.bare.meant)
    try:
        with _files.readable(file.path, file.kind) as (copy, form):
            yield from _counted(copy, form, role, file.shown, file.params)
    except ReadError:
        yield role
        raise
    role.files = 1
    yield role


def _counted(path: Path, kind: str, role: _Role, shown: str, params: Params) -> Iterator[float]:
    """Count one file into the role; yields the share of it that is done."""
    from ..readers.detect import TABLES

    if kind in TABLES:
        yield from _table(path, kind, role, shown)
    elif kind == "mindrecord":
        yield from _mindrecord(path, role, shown)
    elif kind == "tfrecord":
        yield from _tfrecord(path, role, shown)
    elif kind == "tar":
        yield from _tar(path, role, shown, params)
    else:
        yield from _arrays(path, kind, role, shown, params)


def _table(path: Path, kind: str, role: _Role, shown: str) -> Iterator[float]:
    from concurrent.futures import ThreadPoolExecutor

    from ..readers import tables
    from ..scan import in_order
    from ._missing_counts import LineCounts, glance
    from ._missing_counts import Table as Counts

    expected = tables.expected_rows(path, kind)
    counts = Counts(role.markers, kind == "csv", expected)
    settled: dict[str, Field] = {}
    if kind == "parquet":
        try:
            with tables.columns(path) as frame:
                for rows in glance(frame, role.markers, settled):
                    yield rows / expected
                rest = len(frame.collect_schema()) - len(settled)
        except ReadError:  # said again below, where what comes before the damage is counted
            settled, rest = {}, 1
        for known in settled.values():
            role.take(shown, known)
        if settled and not rest:
            return
    try:
        for mode in tables.MODES:
            made = LineCounts if kind == "text" else Counts
            counts = made(role.markers, kind in ("csv", "text"), expected)
            try:
                # one thread counts (in order: rows are numbered) while the next batches are decoded
                with ThreadPoolExecutor(1) as pool:
                    for _ in in_order(tables.batches(path, kind, mode, settled), counts.add, pool, ahead=2):
                        yield counts.rows / expected
                break
            except tables.RereadNeeded:
                continue
        if wanted := counts.sentinels():
            start = 0
            for batch in tables.batches(path, kind, mode, settled):
                counts.find(batch, start, wanted)
                start += batch.height
                yield 1.0
    finally:  # also what comes before damage
        for known in counts.fields.values():
            role.take(shown, known)


def _arrays(path: Path, kind: str, role: _Role, shown: str, params: Params) -> Iterator[float]:
    from functools import partial

    from ..readers.arrays import arrays
    from ..scan import executor, in_order
    from . import _missing_counts as counting

    with executor(params.threads) as pool:
        for array in arrays(path, kind):
            parts = counting.parts(array, role.markers)
            merged: list[Field] = []
            for index, counted in enumerate(in_order(parts, counting.count_part, pool)):
                for known, part in zip(merged, counted, strict=False):
                    known.merge(part)
                merged = merged or counted
                yield (index + 1) / len(parts)
            if not parts:  # an array of no elements
                continue
            for known, (_, steps, _) in zip(merged, counting.leaves(array.dtype, array.name), strict=True):
                markers = role.markers.get(".".join(steps) or array.name, [])
                wanted = counting.array_sentinels(array, known, markers)
                if wanted:
                    for columns in in_order(parts, partial(counting.find_part, path=steps, wanted=wanted), pool):
                        for column in columns.values():
                            known.merge(column)
                        yield 1.0
                role.take(shown, known)


def _mindrecord(path: Path, role: _Role, shown: str) -> Iterator[float]:
    from ..readers import mindrecord

    shard = mindrecord.open_shard(path)

    def batches() -> Iterator[Any]:
        rows = ((row, sum(map(len, row[1].values()))) for row in mindrecord.rows(shard))
        return (_frame(shard, part) for part in _parts(rows))

    yield from _batches(batches, role, shown, max(1, shard.rows))


def _tfrecord(path: Path, role: _Role, shown: str) -> Iterator[float]:
    from ..readers.tfrecord import expected_records, sized

    several: dict[str, bool] = {}  # fields by whether they hold several values a sample, as the first samples tell

    def batches() -> Iterator[Any]:
        return (_features(part, several) for part in _parts(sized(path)))

    yield from _batches(batches, role, shown, expected_records(path))


def _tar(path: Path, role: _Role, shown: str, params: Params) -> Iterator[float]:
    from concurrent.futures import ThreadPoolExecutor

    from ._missing_shards import Shard, count

    with ThreadPoolExecutor(params.threads) as pool:
        for part in count(path, role.markers, pool):
            if not isinstance(part, Shard):
                yield part
                continue
            for known in part.fields:
                role.take(shown, known)
            for state, member, why in part.broken:
                code = "members-undecodable" if state == "members" else f"images-{state}"
                role.broken.setdefault(code, []).append((f"{shown}:{member}", why))
            role.others += [(f"{shown}:{member}", member.rpartition(".")[2]) for member, _ in part.others]
            role.images += part.images


def _parts(rows: Iterator[tuple[_Row, int]]) -> Iterator[list[_Row]]:
    """Rows, which come with their bytes, together: no more than 1,024, and 32 MB but for the last."""
    part: list[_Row] = []
    held = 0
    try:
        for row, size in rows:
            part.append(row)
            held += size
            if len(part) == 1024 or held > 32 << 20:
                yield part
                part, held = [], 0
    except ReadError:  # what comes before damage is counted
        if part:
            yield part
        raise
    if part:
        yield part


def _batches(batches: Callable[[], Iterator[Any]], role: _Role, shown: str, expected: int) -> Iterator[float]:
    """Count frames, and once more where there may be sentinels."""
    from ._missing_counts import Table as Counts

    counts = Counts(role.markers, False, expected)
    try:
        for batch in batches():
            counts.add(batch)
            yield counts.rows / expected
        if wanted := counts.sentinels():
            start = 0
            for batch in batches():
                counts.find(batch, start, wanted)
                start += batch.height
                yield 1.0
    finally:  # also what comes before damage
        for known in counts.fields.values():
            role.take(shown, known)


def _features(batch: list[dict[str, Feature]], several: dict[str, bool]) -> Any:
    """Examples of TFRecord as columns; lists of floats as lists, of those of integers and bytes only that they are there."""
    import numpy as np

    from ..readers.frames import pl

    columns = []
    for name in {name: None for features in batch for name in features}:
        kind = next(features[name][0] for features in batch if name in features)
        given = [features.get(name, ("", [])) for features in batch]
        arrays = [values if of == kind else [] for of, values in given]
        lengths = {len(array) for array in arrays}
        if several.setdefault(name, max(lengths) > 1):
            if kind == "float" and len(lengths) == 1:
                columns.append(pl.Series(name, np.stack(arrays)).arr.to_list())
            elif kind == "float":
                columns.append(pl.Series(name, [list(array) for array in arrays], pl.List(pl.Float64), strict=False))
            else:  # which may be empty, as boxes where there is nothing to be seen
                columns.append(pl.Series(name, [_THERE] * len(arrays), pl.Binary))
            continue
        if kind == "bytes":  # only whether there are any
            columns.append(pl.Series(name, [values[0][:1] if len(values) else None for values in arrays], pl.Binary))
            continue
        lists = [array if isinstance(array, list) else array.tolist() for array in arrays]
        single = [next((one for one in values if one != one), values[0]) if values else None for values in lists]
        columns.append(pl.Series(name, single, pl.Float64 if kind == "float" else pl.Int64, strict=False))
    return pl.DataFrame(columns)


#: In the place of a field that is there, and of which nothing else can be told.
_THERE = b"1"


def _frame(shard: Shard, batch: list[tuple[dict[str, Any], dict[str, bytes]]]) -> Any:
    """Rows of a MindRecord file as columns; arrays of floats as lists, without a Python object a value.

    Of arrays of integers only that they are there: MindSpore may store them compressed, and they can hold neither NaN nor Inf.
    """
    import numpy as np

    from ..readers.frames import pl

    types = {"int32": pl.Int64, "int64": pl.Int64, "float32": pl.Float64, "float64": pl.Float64, "string": pl.String}
    columns = []
    try:
        for name, kind in shard.types.items():
            if name not in shard.blobs and kind in types:
                values = [scalars.get(name) for scalars, _ in batch]
                columns.append(pl.Series(name, values, types[kind], strict=False))
            elif kind in ("float32", "float64"):
                width = 4 if kind == "float32" else 8
                arrays = [np.frombuffer(blobs[name], kind, len(blobs[name]) // width) for _, blobs in batch]
                columns.append(pl.Series(name, [pl.Series(array) for array in arrays]))
            elif kind == "bytes":
                columns.append(pl.Series(name, [blobs[name] for _, blobs in batch], pl.Binary))
            else:
                columns.append(pl.Series(name, [_THERE if name in blobs else None for _, blobs in batch], pl.Binary))
    except (TypeError, ValueError, KeyError, OverflowError, pl.exceptions.PolarsError):
        raise ReadError(
            "malformed", path=str(shard.path), format="MindRecord", offset=0, expected=f"{name}: {kind}"
        ) from None
    return pl.DataFrame(columns)


def _images(case: Case, role: _Role, images: Listing, params: Params) -> Iterator[int]:
    from itertools import islice

    from ..readers.places import RemotePath
    from ..scan import executor, in_order

    left = images.sized()
    chunks = iter(lambda: list(islice(left, 64)), [])
    waiting = isinstance(images.root, RemotePath)  # for the network, rather than for the processor
    with executor(max(params.threads, _DOWNLOADS) if waiting else params.threads) as pool:
        for checked in in_order(chunks, _check_images, pool):
            for path, _, state, why in checked:
                shown = case.relative(path)
                if isinstance(state, ReadError):
                    role.errors.append((shown, state))
                elif state == "unsupported":
                    role.others.append((shown, path.suffix.lstrip(".")))
                elif state != "ok":
                    role.broken.setdefault(f"images-{state}", []).append((shown, why))
                role.images += 1
                role.files += 1
            yield sum(size for _, size, *_ in checked)


def _check_images(images: list[tuple[File, int]]) -> list[tuple[File, int, str | ReadError, str]]:
    from ..readers.images import check
    from ..readers.places import plain

    checked: list[tuple[File, int, str | ReadError, str]] = []
    for path, size in images:
        try:
            with plain(path, "image") as copy:
                checked.append((path, size, *check(copy)))
        except ReadError as error:
            checked.append((path, size, error, ""))
    return checked


def _findings(role: _Role, params: Params) -> Iterator[Finding]:
    for code in dict.fromkeys(code for pair in _CODES.values() for code, _ in pair):
        if code in role.odd:
            yield _values_finding(role, code)
    for code, broken in sorted(role.broken.items()):
        rows: list[list[Plain]] = [[shown, why] for shown, why in broken[:_ROWS]]
        yield Finding(
            code,
            Level.PROBLEM,
            Where(path=broken[0][0]),
            {"role": _ROLES[role.name], "count": len(broken), "files": role.images, "worst": broken[0][0]},
            [Table("files", ["file", "why"], rows, len(broken))],
            Fix("mend-images"),
        )
    # damaged files first, so that they are told one by one
    errors = sorted(role.errors, key=lambda entry: not _damaged(entry[1]))
    for shown, error in errors[: params.unreadable_shown]:
        damaged = _damaged(error)
        problem = {"zh": error.text(Language.ZH), "en": error.text(Language.EN)}
        data: dict[str, Any] = {"role": _ROLES[role.name], "problem": problem, "error": error.code}
        level = Level.PROBLEM if damaged else Level.INFO
        yield Finding("unreadable", level, Where(path=shown, line=error.data.get("line")), data, incomplete=not damaged)
    if more := errors[params.unreadable_shown :]:
        level = Level.PROBLEM if any(_damaged(error) for _, error in more) else Level.INFO
        table = Table("files", ["file", "why"], [[shown, error.code] for shown, error in more[:_ROWS]], len(more))
        yield Finding(
            "unreadable-more",
            level,
            data={"role": _ROLES[role.name], "count": len(more)},
            evidence=[table],
            incomplete=True,
        )
    if role.others:
        kinds = [kind for kind, _ in Counter(kind for _, kind in role.others).most_common(8)]
        table = Table(
            "files", ["file", "why"], [[shown, kind] for shown, kind in role.others[:_ROWS]], len(role.others)
        )
        data = {
            "role": _ROLES[role.name],
            "count": len(role.others),
            "kinds": kinds,
            "worst": role.others[0][0],
        }
        yield Finding("not-examined", Level.INFO, Where(path=role.others[0][0]), data, [table], incomplete=True)
    if role.nothing_in and not role.hollow:
        rows = [[shown, ""] for shown in role.nothing_in[:_ROWS]]
        data = {"role": _ROLES[role.name], "count": len(role.nothing_in), "worst": role.nothing_in[0]}
        table = Table("files", ["file", "why"], rows, len(role.nothing_in))
        yield Finding("nothing-in-files", Level.INFO, Where(path=role.nothing_in[0]), data, [table], incomplete=True)
    if role.files:
        data = {
            "role": _ROLES[role.name],
            "files": role.files,
            "fields": len(role.fields),
            "cells": role.cells,
            "images": role.images,
        }
        yield Finding("examined", Level.INFO, data=data)


def _damaged(error: ReadError) -> bool:
    # a set of MindRecord files that lacks one of its parts cannot be opened by MindSpore either
    return error.code in _DAMAGED or (error.code == "not-found" and ".mindrecord" in str(error.data.get("path")))


def _values_finding(role: _Role, code: str) -> Finding:
    odd = sorted(role.odd[code], key=lambda row: -row[4])
    files, fields = {row[0] for row in odd}, {row[1] for row in odd}
    shown, name, _, _, share, _ = odd[0]
    said: dict[str, None] = {}
    for row in odd:
        said.update(dict.fromkeys(word for word in row[2].split(", ") if word))
    rows: list[list[Plain]] = [list(row) for row in odd[:_ROWS]]
    data: dict[str, Any] = {
        "role": _ROLES[role.name],
        "count": sum(row[3] for row in odd),
        "fields": len(fields),
        "worst": name or "-",
        "share": share,
        "said": list(said)[:5],
    }
    where = Where(path=shown if len(files) == 1 else None, field=name if len(fields) == 1 else None)
    table = Table("by-field", ["file", "field", "values", "count", "share", "first-rows"], rows, len(odd))
    return Finding(code, role.levels[code], where, data, [table], Fix("mend-values"))


def _npy(values: str) -> Any:
    def write(path: Path) -> None:
        import numpy as np

        table = np.arange(600, dtype=np.float32).reshape(200, 3) / 7
        for row in values.split():
            table[int(row), 1] = np.nan
        np.save(path, table)

    return write


def _png(share: float) -> Any:
    def write(path: Path) -> None:
        import io

        from PIL import Image

        picture = Image.radial_gradient("L").resize((64, 64))
        file = io.BytesIO()
        picture.save(file, "PNG")
        data = file.getvalue()
        path.write_bytes(data[: int(len(data) * share)])

    return write


def _shard(without: str = "", cut: int = -1, null: int = -1) -> Any:
    """Ten samples of an image, a class and a description."""

    def write(path: Path) -> None:
        import io
        import json
        import tarfile

        from PIL import Image

        with tarfile.open(path, "w") as archive:
            for number in range(10):
                file = io.BytesIO()
                Image.radial_gradient("L").resize((32, 32)).rotate(9 * number).save(file, "PNG")
                picture = file.getvalue()[: 200 if number == cut else None]
                text = json.dumps({"width": None if number == null else 32, "caption": f"picture {number}"})
                members = {"cls": str(number % 2).encode(), "json": text.encode(), "png": picture}
                for field, content in members.items():
                    if f"{number}.{field}" != without:
                        info = tarfile.TarInfo(f"{number:03}.{field}")
                        info.size = len(content)
                        archive.addfile(info, io.BytesIO(content))

    return write


_AGES = "".join(f"{20 + i % 40},{1.5 * i},name{i % 7}\n" for i in range(60))

EXAMPLES = [
    Example(
        "a table without gaps",
        files={"train.csv": "age,income,name\n" + _AGES},
        case={"data": {"train": {"path": "train.csv"}}},
        verdict=Verdict.OK,
    ),
    Example(
        "labels with -1, a column of -1..1, an array",
        files={
            "train.csv": "x,label\n" + "".join(f"{(i % 21 - 10) / 10},{i % 3 - 1}\n" for i in range(90)),
            "x.npy": _npy(""),
        },
        case={"data": {"train": {"path": ["train.csv", "x.npy"], "label": "label"}}},
        verdict=Verdict.OK,
    ),
    Example(
        "empty cells and NA in numbers",
        files={"train.csv": "age,income,name\n" + _AGES + ",3.5,name1\n31,NA,name2\n"},
        case={"data": {"train": {"path": "train.csv"}}},
        verdict=Verdict.PROBLEM,
        codes=("empty-values", "words-in-numbers"),
    ),
    Example(
        "-999 stands for an unknown age",
        files={"train.csv": "age,income,name\n" + _AGES + "-999,3.5,name1\n" * 4},
        case={"data": {"train": {"path": "train.csv"}}},
        verdict=Verdict.UNDECIDED,
        codes=("unmarked-sentinels",),
    ),
    Example(
        "-999 pads this column",
        files={"train.csv": "age,income,name\n" + _AGES + "-999,3.5,name1\n" * 4},
        case={"data": {"train": {"path": "train.csv"}}, "design": {"padding": {"columns": {"age": {"value": -999}}}}},
        verdict=Verdict.OK,
    ),
    Example(
        "-100 among labels is what a loss leaves out",
        files={"train.csv": "name,label\n" + "".join(f"name{n},{n % 7}\n" for n in range(600)) + "name1,-100\n" * 9},
        case={"data": {"train": {"path": "train.csv", "label": "label"}}},
        verdict=Verdict.OK,
    ),
    Example(
        "-999 is declared",
        files={"train.csv": "age,income,name\n" + _AGES + "-999,3.5,name1\n" * 4},
        case={"data": {"train": {"path": "train.csv", "fields": {"age": {"missing": [-999]}}}}},
        verdict=Verdict.PROBLEM,
        codes=("declared-markers",),
    ),
    Example(
        "NaN in an array of the evaluation data",
        files={"train.npy": _npy(""), "eval.npy": _npy("3 50")},
        case={"data": {"train": {"path": "train.npy"}, "eval": {"path": "eval.npy"}}},
        verdict=Verdict.PROBLEM,
        codes=("nan-values",),
    ),
    Example(
        "sound images by class",
        files={"train/cat/1.png": _png(1), "train/dog/1.png": _png(1), "train/README.md": "two classes\n"},
        case={"data": {"train": {"path": "train"}}},
        verdict=Verdict.OK,
    ),
    Example(
        "one image cut short, one empty",
        files={"train/cat/1.png": _png(1), "train/cat/2.png": _png(0.5), "train/dog/1.png": b""},
        case={"data": {"train": {"path": "train"}}},
        verdict=Verdict.PROBLEM,
        codes=("images-truncated", "images-empty"),
    ),
    Example(
        "a comment that is mostly empty",
        files={"train.csv": "age,comment\n" + "".join(f"{i},{'late' if i % 9 == 0 else ''}\n" for i in range(60))},
        case={"data": {"train": {"path": "train.csv"}}},
        verdict=Verdict.UNDECIDED,
        codes=("empty-text",),
    ),
    Example(
        "a sentence a line",
        files={"train.txt": "a sentence\nanother, longer one\n"},
        case={"data": {"train": {"path": "train.txt"}}},
        verdict=Verdict.OK,
    ),
    Example(
        "a blank line, and bytes that are no text",
        files={"train.txt": b"a sentence\n\nanother one\nbroken \xff\xfe\x80 here\nthe end\n"},
        case={"data": {"train": {"path": "train.txt"}}},
        verdict=Verdict.UNDECIDED,
        codes=("blank-lines", "damaged-text"),
    ),
    Example(
        "a whole shard",
        files={"train.tar": _shard()},
        case={"data": {"train": {"path": "train.tar"}}},
        verdict=Verdict.OK,
    ),
    Example(
        "a shard with a cut image, a sample without a label and null in JSON",
        files={"train.tar": _shard("3.cls", cut=5, null=7)},
        case={"data": {"train": {"path": "train.tar"}}},
        verdict=Verdict.PROBLEM,
        codes=("images-truncated", "member-missing", "null-values"),
    ),
    Example(
        "binary data of no known format are not examined",
        files={"train.csv": "age,income,name\n" + _AGES, "scan.weights": b"\x01\x02\0\x03" * 99},
        case={"data": {"train": {"path": ["train.csv", "scan.weights"]}}},
        verdict=Verdict.UNDECIDED,
        codes=("not-examined",),
    ),
]
