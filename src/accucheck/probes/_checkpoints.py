"""What the probes of checkpoints share: names of their roles, words, tables of differences, and files for the examples."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta

from ..case import Case
from ..errors import ReadError
from ..language import Words
from ..model import Finding, Fix, Language, Level, Plain, Table, Where

if TYPE_CHECKING:
    from ..readers.tensor_comparison import Comparison, Pairs
    from ..readers.tensors import TensorInfo

#: Roles of the case's checkpoints in the order they are examined; a file given twice counts for the first.
ROLES: Words = {
    "initial": {"en": "initial", "zh": "初始"},
    "pretrained": {"en": "pretrained", "zh": "预训练"},
    "previous": {"en": "previous", "zh": "上一个"},
    "current": {"en": "current", "zh": "当前"},
    "ranks": {"en": "per-rank", "zh": "各卡"},
    "reference": {"en": "reference", "zh": "标杆"},
    "after_step": {"en": "after-step", "zh": "单步更新后"},
    "reference_after_step": {"en": "reference after-step", "zh": "标杆单步更新后"},
}
#: Parameters of them.
Threads = Annotated[
    int,
    Meta(
        ge=1,
        le=64,
        description="threads that read",
        extra={"unit": "threads", "source": "measured: two fill two cores"},
    ),
]
Processes = Annotated[
    int,
    Meta(
        ge=1,
        le=64,
        description="processes that read",
        extra={"unit": "processes", "source": "measured: two fill two cores"},
    ),
]

#: More is not read by a person, nor kept in a session.
MAX_ROWS = 200

#: What normalisations and their like keep up while the network runs in training mode, without the optimizer.
STATISTICS = re.compile(r"(^|[._])(moving|running)_(mean|var|variance)$", re.I)

MESSAGES: Words = {
    "not-compared": {
        "en": "{count:,} {count:tensor|tensors} could not be compared (quantised, sparse, of an unknown type, or of a "
        "name that repeats): {names}.",
        "zh": "有 {count:,} 个张量无法比较（量化、稀疏、类型未知或名称重复）：{names}。",
    },
}

#: Of the probes that go on when one of several checkpoints cannot be read.
UNREADABLE: Words = {
    "unreadable": {
        "en": "The checkpoint {path} could not be examined. {problem}",
        "zh": "checkpoint {path} 未能检查。{problem}",
    },
}

WORDS: Words = {
    "repeated": {"en": "Left out: names that repeat", "zh": "略过：名称重复"},
    "quantized": {"en": "Left out: quantised", "zh": "略过：量化张量"},
    "sparse": {"en": "Left out: sparse", "zh": "略过：稀疏张量"},
    "unknown-type": {"en": "Left out: of an unknown type", "zh": "略过：数据类型未知"},
    "view": {"en": "Left out: views that are too large", "zh": "略过：视图（view）过大"},
    "name": {"en": "Name", "zh": "名称"},
    "shape": {"en": "Shape", "zh": "形状"},
    "dtype": {"en": "Type", "zh": "数据类型"},
    "path": {"en": "File", "zh": "文件"},
    "changed": {"en": "Differing", "zh": "不同元素占比"},
    "largest": {"en": "Max difference", "zh": "最大差值"},
    "mean": {"en": "Mean difference", "zh": "平均差值"},
    "relative": {"en": "Relative", "zh": "相对差值"},
    "cosine": {"en": "Cosine", "zh": "余弦相似度"},
    "non-finite": {"en": "NaN or Inf on one side", "zh": "单侧 NaN 或 Inf"},
    "other-shape": {"en": "Other shape", "zh": "另一侧形状"},
}

#: The columns of `difference`.
DIFFERENCE = ["name", "shape", "dtype", "changed", "largest", "mean", "relative", "cosine", "non-finite"]


def given(case: Case, roles: Iterable[str]) -> Iterator[tuple[str, Path]]:
    """The checkpoints of some roles, each once: with the first role that it has."""
    seen: set[Path] = set()
    for role in roles:
        for path in case.paths(f"checkpoints.{role}"):
            if (real := path.resolve()) not in seen:
                seen.add(real)
                yield role, path


def shape(info: TensorInfo) -> str:
    return "×".join(map(str, info.shape)) or "-"


def difference(left: TensorInfo, right: TensorInfo, found: Comparison) -> list[Plain]:
    """A row of a table with the columns DIFFERENCE."""
    dtype = left.dtype if left.dtype == right.dtype else f"{left.dtype}, {right.dtype}"
    numbers = (found.largest, found.mean, found.relative, found.cosine)
    return [
        *(left.name, shape(left), dtype, (found.count - found.equal) / found.count if found.count else 0.0),
        *(number if number is not None and math.isfinite(number) else None for number in numbers),
        found.nan + found.inf,
    ]


def shown(names: Iterable[str]) -> list[str]:
    """The first names of many."""
    names = list(names)
    return names[:5] + ["…"] * (len(names) > 5)


def table(title: str, columns: list[str], rows: list[list[Plain]]) -> Table:
    return Table(title, columns, rows[:MAX_ROWS], len(rows))


def of_tensors(
    where: Where,
    common: dict[str, Any],
    code: str,
    level: Level,
    columns: list[str],
    rows: Sequence[Sequence[Plain]],
    fix: str | None = None,
    incomplete: bool = False,
    **data: Any,
) -> Iterator[Finding]:
    """What is to be said of the tensors that rows begin with the names of; nothing where there are none."""
    if rows:
        data = common | {"count": len(rows), "names": shown(str(row[0]) for row in rows)} | data
        place = Where(where.path, name=str(rows[0][0]))
        evidence = [table(code, columns, [[*row] for row in rows])]
        yield Finding(code, level, place, data, [*evidence], Fix(fix) if fix else None, incomplete)


def not_compared(pairs: Pairs, where: Where, common: dict[str, Any]) -> Iterator[Finding]:
    """What of two checkpoints could not be set against each other, when there is such a thing."""
    unread = [left if left.obstacle else right for left, right in pairs.unread]
    if names := [*pairs.repeated, *(info.name for info in unread)]:
        data = common | {"count": len(names), "names": shown(names)}
        repeated: list[list[Plain]] = [[name] for name in pairs.repeated]
        evidence = [*([table("repeated", ["name"], repeated)] if repeated else []), *obstacles(unread)]
        yield Finding("not-compared", Level.INFO, where, data, [*evidence], incomplete=True)


def obstacles(unread: Iterable[TensorInfo]) -> list[Table]:
    """Tensors whose values cannot be read, a table for each reason: cells are not translated, titles are."""
    rows: dict[str, list[list[Plain]]] = {}
    for info in unread:
        reason = "unknown-type" if info.obstacle == "dtype" else str(info.obstacle)
        rows.setdefault(reason, []).append([info.name, shape(info), info.dtype])
    return [table(reason, ["name", "shape", "dtype"], found) for reason, found in rows.items()]


def unreadable(path: str, error: ReadError) -> Finding:
    """That a checkpoint could not be read, in the words of UNREADABLE."""
    problem = {language.value: error.text(language) for language in Language}
    return Finding("unreadable", Level.INFO, Where(path), {"path": path, "problem": problem}, incomplete=True)


def field(number: int, content: bytes | str) -> bytes:
    """A field of a protobuf message, for files of the examples."""
    data = content.encode() if isinstance(content, str) else content
    return bytes([number << 3 | 2]) + varint(len(data)) + data


def varint(value: int) -> bytes:
    return (bytes([value & 127 | 128]) + varint(value >> 7)) if value > 127 else bytes([value])


def ckpt(tensors: dict[str, tuple[list[int], list[float]]]) -> bytes:
    """A .ckpt as MindSpore writes it, for the examples: {name: (dims, float32 values)}."""
    from array import array

    whole = b""
    for name, (dims, values) in tensors.items():
        sizes = b"".join(b"\x08" + varint(dim) for dim in dims)
        tensor = sizes + field(2, "Float32") + field(3, array("f", values).tobytes())
        whole += field(1, field(1, name) + field(2, tensor))
    return whole


def drawn(*dims: int, seed: int = 0) -> tuple[list[int], list[float]]:
    """Random weights of a shape, for `ckpt`."""
    import random

    generator = random.Random(100 * seed + len(dims))
    return list(dims), [generator.gauss(0, 0.1) for _ in range(math.prod(dims))]
