"""`accucheck compare A B`: two checkpoints, two folders of .npy or dumps, or two logs against each other, outside of any project.

What cannot be set against each other is told, and the rest is compared; "the same" is said only when nothing was left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from .errors import ReadError, UserError
from .language import Language, Words, aligned, visible, word
from .model import Plain

if TYPE_CHECKING:
    from .parameter_map import Pair
    from .readers.checkpoints import Checkpoint
    from .readers.curves import Column, Curves
    from .readers.dump_comparison import Tolerance
    from .readers.dump_pairs import Matches, Point
    from .readers.dumps import Dump
    from .readers.tensors import TensorInfo

WORDS: Words = {
    "name": {"en": "Name", "zh": "名称"},
    "other": {"en": "In the second", "zh": "在后者中"},
    "shape": {"en": "Shape", "zh": "形状"},
    "dtype": {"en": "Type", "zh": "数据类型"},
    "relative": {"en": "Relative", "zh": "相对差值"},
    "largest": {"en": "Max diff", "zh": "最大差值"},
    "mean": {"en": "Mean diff", "zh": "平均差值"},
    "cosine": {"en": "Cosine", "zh": "余弦"},
    "outside": {"en": "Beyond", "zh": "超差占比"},
    "non_finite": {"en": "NaN/Inf", "zh": "单侧NaN/Inf"},
    "points": {"en": "Points", "zh": "点数"},
    "first": {"en": "First", "zh": "起始"},
    "differing": {"en": "Differing:", "zh": "不一致："},
    "all": {"en": "All pairs:", "zh": "全部配对："},
    "more": {"en": "{count:,} more: --all shows them", "zh": "另有 {count:,} 行，可用 --all 查看"},
    "same": {
        "en": "same: {pairs:,} {pairs:pair agrees|pairs agree}; tolerance: {tolerance}",
        "zh": "一致：{pairs:,} 对全部一致；容差：{tolerance}",
    },
    "differ": {
        "en": "differ: {differ:,} of {pairs:,} pairs; tolerance: {tolerance}",
        "zh": "不一致：{pairs:,} 对中有 {differ:,} 对不一致；容差：{tolerance}",
    },
    "partly": {
        "en": "no difference in {pairs:,} {pairs:pair|pairs}, but not all was compared; tolerance: {tolerance}",
        "zh": "已比较的 {pairs:,} 对均一致，但有内容未能比较；容差：{tolerance}",
    },
    "by-type": {"en": "by type (float32 1e-4 of the norm)", "zh": "按数据类型（float32 为范数的 1e-4）"},
    "by-loss": {"en": "1 in 1,000 of the value, or the last digit printed", "zh": "数值的千分之一，或打印的末位"},
    "nothing": {"en": "nothing could be compared", "zh": "没有能够比较的内容"},
    "given": {"en": "|a - b| <= {atol:g} + {rtol:g} |b|", "zh": "|a - b| <= {atol:g} + {rtol:g} |b|"},
    "left-only": {"en": "only in {path}: {count:,}: {names}", "zh": "仅在 {path} 中：{count:,} 个：{names}"},
    "ambiguous": {
        "en": "could be paired in several ways, and were not: {names}",
        "zh": "存在多种配对可能，未比较：{names}",
    },
    "repeated": {"en": "names that appear several times, not compared: {names}", "zh": "名称重复，未比较：{names}"},
    "unreadable": {"en": "cannot be read as numbers: {names}", "zh": "无法作为数值读取：{names}"},
    "shapes": {"en": "other shape: {name} {one} / {two}", "zh": "形状不同：{name} {one} / {two}"},
    "transposed": {
        "en": "transposed, with equal numbers: {name} {one} / {two}",
        "zh": "互为转置，数值一致：{name} {one} / {two}",
    },
    "turned": {
        "en": "different shape (axes in a different order?): {name} {one} / {two}",
        "zh": "形状不同（可能只是轴的顺序不同）：{name} {one} / {two}",
    },
    "step-missing": {"en": "only in {path}: {step}", "zh": "仅在 {path} 中：{step}"},
    "both-nan": {
        "en": "NaN at the same positions on both sides, not compared there: {names}",
        "zh": "两侧相同位置均为 NaN，该处未比较：{names}",
    },
    "by-order": {
        "en": "paired by order and shape or by equal numbers, as names differ: {count:,}",
        "zh": "名称不同、按顺序和形状或按数值配对：{count:,} 对",
    },
    "map-unknown": {
        "en": "{map}: there is no {name} in {path}",
        "zh": "{map}：{path} 中没有 {name}",
    },
    "begins": {
        "en": "the difference begins at {name} ({relative} relative): {why}",
        "zh": "差异从 {name} 开始（相对差值 {relative}）：{why}",
    },
    "unordered": {
        "en": "the file names do not show which layer ran first: number them (0001_conv1.npy) to see where the difference begins",
        "zh": "文件名未体现执行顺序，无法判断差异从哪一层开始；可在文件名前加序号，如 0001_conv1.npy",
    },
    "origin": {"en": "its inputs agree", "zh": "其输入一致"},
    "loss": {
        "en": "all outputs agree, and so it is the loss or its labels",
        "zh": "输出全部一致，差异在损失函数或标签",
    },
    "alone": {"en": "the first that differs; its inputs are not there", "zh": "第一个不一致者；没有其输入数据"},
    "fed": {"en": "its inputs differ already", "zh": "其输入已不一致"},
    "fork": {"en": "{name}: apart from point {x:g} on", "zh": "{name}：从 {x:g} 起分叉"},
    "one-nan": {
        "en": "{name}: NaN or Inf on one side only from point {x:g} on",
        "zh": "{name}：从 {x:g} 起只有一侧为 NaN 或 Inf",
    },
    "torn": {
        "en": "{path} ends within a line: the last {name} may be cut off, and was left out",
        "zh": "{path} 在一行中间结束：最后一个 {name} 的数字可能不完整，未比较",
    },
    "growing": {
        "en": "{name}: apart from point {x:g} on, grown step by step from rounding",
        "zh": "{name}：从 {x:g} 起分叉，由舍入误差逐步累积而成",
    },
    "durations": {
        "en": "not compared, as no two runs take the same time: {names}",
        "zh": "未比较耗时（每次运行都不同）：{names}",
    },
    "points-alone": {
        "en": "{name}: {ours:,} {ours:point is|points are} in the first only, {theirs:,} in the second only",
        "zh": "{name}：仅在前者中有 {ours:,} 个点，仅在后者中有 {theirs:,} 个点",
    },
    "runs": {
        "en": "{path} holds {count:,} runs; the first was compared",
        "zh": "{path} 中有 {count:,} 次训练，只比较第一次",
    },
}

#: Of the table in the terminal, and of names in a line.
_ROWS, _NAMES = 20, 6
#: What Recorder and watch measure of time.
_DURATIONS = ("seconds", "data_seconds")
#: Bytes of a line of JSON that tells a step.
_LINE = 1 << 20
#: Of weights: numpy.isclose's own, which MindInsight's watchpoint for unchanged weights uses too. Types are rounded to the coarser.
_WEIGHTS = (1e-5, 1e-8)


class Result(msgspec.Struct):
    """`pairs` as they stand in --json; `notes` are a key of WORDS or of errors, and its data; `left_out`: not all was compared."""

    kind: str
    columns: list[str]
    pairs: list[dict[str, Any]] = []
    notes: list[tuple[str, dict[str, Any]]] = []
    problems: list[UserError] = []
    left_out: bool = False

    @property
    def differing(self) -> int:
        return sum(bool(pair["differs"]) for pair in self.pairs)

    @property
    def same(self) -> bool:
        return bool(self.pairs) and not self.differing and not self.left_out and not self.problems


def command(
    left: str,
    right: str,
    *,
    rtol: float | None,
    atol: float | None,
    names: str | None,
    everything: bool,
    language: Language,
    echo: Callable[[str], object],
) -> tuple[int, dict[str, Any] | None]:
    """The exit code (0 the same, 1 not) and what --json prints; the text goes to `echo`. Raises UserError, ReadError."""
    from .readers.dump_comparison import Tolerance

    tolerance = Tolerance(rtol, atol)
    one, other = (_opened(Path(path)) for path in (left, right))
    if one.kind != other.kind:
        spoken = [UserError(f"compare-{side.kind}") for side in (one, other)]
        raise UserError("compare-kinds", left=left, right=right, one=spoken[0], two=spoken[1])
    for side in (one, other):
        if isinstance(side.content, ReadError):
            raise side.content
    compare = {"checkpoints": _checkpoints, "tensors": _tensors, "logs": _logs}[one.kind]
    result = compare(one, other, tolerance, Path(names) if names else None)
    if not result.pairs and not result.notes and not result.problems:
        raise UserError("compare-nothing", left=left, right=right)
    for line in _text(result, tolerance, everything, language):
        echo(line)
    return int(not result.same), _json(result, left, right, language)


class _Side(NamedTuple):
    """One of the two: `content` is its Checkpoint, Dump or Curves; or why it cannot be read, where it is one and damaged."""

    path: Path
    kind: str
    content: Any


def _opened(path: Path) -> _Side:
    """Checkpoints, tensors or logs, by what a file or a folder holds. Raises ReadError where there is no such thing."""
    from .readers.checkpoints import open_checkpoint
    from .readers.dumps import open_dump

    if path.suffix == ".npy" or path.name == "statistic.csv" or (path.suffix == ".json" and not _is_json_lines(path)):
        try:
            return _Side(path, "tensors", open_dump(path))
        except ReadError as error:
            return _Side(path, "tensors", error)
    looks: list[tuple[str, Callable[[Path], Any]]] = [("checkpoints", open_checkpoint)]
    if path.is_dir():
        looks.append(("tensors", open_dump))
    for kind, look in looks:
        try:
            return _Side(path, kind, look(path))
        except ReadError as error:
            if error.code in ("not-found", "no-permission", "not-regular"):
                raise
            if error.code not in ("unknown-format", "no-dump", "empty"):
                return _Side(path, kind, error)
    from .readers import curves

    try:
        return _Side(path, "logs", curves.read(path))
    except ReadError as error:
        if path.is_dir():
            raise UserError("compare-unknown", path=str(path)) from None
        raise (error if error.code != "no-curve" else UserError("compare-unknown", path=str(path))) from None


def _is_json_lines(path: Path) -> bool:
    """Whether the first line is an object by itself and more follows. A dump is one object, on one line or on many."""
    if not path.is_file():
        return False
    try:
        with path.open("rb") as stream:
            first, more = stream.readline(_LINE), stream.read(1)
        return bool(more) and isinstance(msgspec.json.decode(first), dict)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False


# --- checkpoints -------------------------------------------------------------------------------------------------------------


def _checkpoints(left: _Side, right: _Side, tolerance: Tolerance, names: Path | None) -> Result:
    from .parameter_map import other_names, pair_parameters, read_map, unneeded
    from .readers.tensor_comparison import Pairs, compare, pair

    sides: list[Checkpoint] = [left.content, right.content]
    result = Result(
        "checkpoints", ["name", "shape", "dtype", "relative", "largest", "mean", "cosine", "outside", "non_finite"]
    )
    ours, theirs = (side.weights for side in sides)
    pairs = pair(ours, theirs)
    hows: list[str] = []
    if (names or other_names(*sides) or (pairs.left and pairs.right)) and not pairs.repeated:
        given = read_map(names, ours, theirs) if names else None
        if given and given.wrong:
            result.problems += given.wrong
            result.left_out = True
        found = pair_parameters(ours, theirs, given)
        unread = [one for one in found.pairs if one.left.obstacle or one.right.obstacle]
        read = [one for one in found.pairs if not (one.left.obstacle or one.right.obstacle)]
        pairs = Pairs(
            [_named(one) for one in read],
            found.shapes,
            [(one.left, one.right) for one in unread],
            [info for info in found.left if not unneeded(info)],
            [info for info in found.right if not unneeded(info)],
        )
        hows = [one.how for one in read]
        if several := [info.name for group in found.ambiguous for info in group.left or group.right]:
            result.notes.append(("ambiguous", {"names": _some(several)}))
            result.left_out = True
        if count := sum(how in ("order", "shape") for how in hows):
            result.notes.append(("by-order", {"count": count}))
    both: list[str] = []
    rtol, atol = (tolerance.rtol or 0.0, tolerance.atol or 0.0) if tolerance.given else _WEIGHTS
    for at, (one, other, numbers) in enumerate(compare(pairs.same, 2, rtol, atol)):
        dtype = " / ".join(dict.fromkeys((one.dtype, other.dtype)))
        if numbers.both_nan:
            both.append(one.name)
            result.left_out |= numbers.both_nan == numbers.count
        result.pairs.append(
            {
                "name": one.name,
                "other": other.name,
                "how": hows[at] if hows else "name",
                "shape": list(one.shape),
                "dtype": dtype,
                "differs": numbers.outside > 0,
            }
            | _numbers(numbers)
        )
    for one, other in pairs.shapes:
        result.notes.append(_other_shape(one.name, one.shape, other.shape))
    if both:
        result.notes.append(("both-nan", {"names": _some(both)}))
    for side, infos in ((left, pairs.left), (right, pairs.right)):
        _only(result, side.path, [info.name for info in infos])
    if pairs.repeated:
        result.notes.append(("repeated", {"names": _some(pairs.repeated)}))
    if pairs.unread:
        result.notes.append(("unreadable", {"names": _some([one.name for one, _ in pairs.unread])}))
    result.left_out |= bool(pairs.shapes or pairs.left or pairs.right or pairs.repeated or pairs.unread)
    return result


def _named(pair: Pair) -> tuple[TensorInfo, TensorInfo]:
    """Both sides of a pair in one shape; what is some rows of a tensor says which."""
    from .parameter_map import views

    one, other = (
        info if rows is None else msgspec.structs.replace(info, name=f"{info.name}[{rows[0]}:{rows[1]}]")
        for info, rows in zip(views(pair), (pair.left_rows, pair.right_rows), strict=True)
    )
    return one, other


def _numbers(found: Any) -> dict[str, Any]:
    return {
        "relative": found.relative, "largest": found.largest, "mean": found.mean, "cosine": found.cosine,
        "outside": found.outside / found.count if found.count else 0.0, "non_finite": found.nan + found.inf,
        "both_nan": found.both_nan, "identical": found.identical,
    }  # fmt: skip


def _other_shape(
    name: str, one: tuple[int, ...], two: tuple[int, ...], transposed: bool = False
) -> tuple[str, dict[str, Any]]:
    from .readers.dump_comparison import transposition

    code = "transposed" if transposed else "turned" if transposition(one, two) else "shapes"
    return code, {"name": name, "one": _shape(one), "two": _shape(two)}


# --- tensors -----------------------------------------------------------------------------------------------------------------


def _tensors(left: _Side, right: _Side, tolerance: Tolerance, names: Path | None) -> Result:
    from .probes._divergence import layers, locate
    from .readers.dump_comparison import compare_tensors
    from .readers.dump_pairs import match, module_output, of_graph, read_names, unordered

    one: Dump
    other: Dump
    one, other = left.content, right.content
    result = Result(
        "tensors", ["name", "shape", "dtype", "relative", "largest", "mean", "cosine", "outside", "non_finite"]
    )
    result.problems += [*one.problems, *other.problems]
    if of_graph(one) != of_graph(other):
        one, other = (module_output(side) if of_graph(side) else side for side in (one, other))
    found = match(one, other, read_names(names) if names else {})
    rows = []
    both: list[str] = []
    for pair, outcome in zip(
        found.found,
        compare_tensors([(each.left.tensor, each.right.tensor) for each in found.found], tolerance),
        strict=True,
    ):
        rows.append((pair, outcome))
        if outcome.error:
            result.problems.append(outcome.error)
        elif not outcome.compared:
            shapes = outcome.shapes[0] or (), outcome.shapes[1] or ()
            result.notes.append(_other_shape(pair.left.name, *shapes, transposed=outcome.transposed))
            result.left_out = True
        else:
            numbers = (
                {"relative": outcome.relative, "largest": outcome.largest}
                if outcome.found is None
                else _numbers(outcome.found)
            )
            if outcome.both_nan:
                both.append(pair.left.name)
                result.left_out |= outcome.found is not None and outcome.both_nan == outcome.found.count
            result.pairs.append(
                {
                    "name": pair.left.name,
                    "other": pair.right.name,
                    "how": pair.how,
                    "step": pair.left.step,
                    "shape": list(outcome.shapes[0] or ()),
                    "dtype": " / ".join(dict.fromkeys(outcome.dtypes)),
                    "differs": bool(outcome.differs),
                }
                | numbers
            )
    by_name = unordered(one)
    split = locate(layers((row for row in rows if row[1].compared), by_name))
    if split is not None and by_name:
        result.notes.append(("unordered", {}))
    elif split is not None:
        first = split.layer
        relative = first.worst()[1].relative
        result.notes.append(
            (
                "begins",
                {
                    "name": first.name if first.direction == "forward" else first.worst()[0].left.name,
                    "relative": "-" if relative is None else f"{relative:.2g}",
                    "why": split.kind,
                },
            )
        )
    if both:
        result.notes.append(("both-nan", {"names": _some(both)}))
    if count := sum(pair.how in ("order", "numbers") for pair in found.found):
        result.notes.append(("by-order", {"count": count}))
    _left_out(result, found, left.path, right.path, names)
    return result


def _left_out(result: Result, found: Matches, left: Path, right: Path, names: Path | None) -> None:
    sides: tuple[tuple[Path, list[Point]], ...] = ((left, found.left), (right, found.right))
    for path, points in sides:
        _only(result, path, [point.name for point in points])
    for one, two in found.ambiguous:
        result.notes.append(("ambiguous", {"names": f"{_some(one)} - {_some(two)}"}))
    for side, rank, step in found.steps:
        told = " ".join([f"rank {rank}"] * (rank is not None) + [f"step {step}"] * (step is not None)) or "-"
        result.notes.append(("step-missing", {"path": str(left if side == "left" else right), "step": told}))
    for side, name in found.unknown:
        path = left if side == "left" else right
        result.notes.append(("map-unknown", {"map": str(names), "name": name, "path": str(path)}))
    result.left_out = result.left_out or bool(found.left or found.right or found.ambiguous or found.steps)


# --- logs --------------------------------------------------------------------------------------------------------------------


def _logs(left: _Side, right: _Side, tolerance: Tolerance, map_file: Path | None) -> Result:
    import numpy as np

    from .readers.curve_comparison import align, compare, without_torn
    from .readers.dump_pairs import read_names

    names = read_names(map_file) if map_file else {}
    result = Result("logs", ["name", "points", "first", "relative", "largest"])
    sides: list[Curves] = [left.content, right.content]
    for path, side in zip((left.path, right.path), sides, strict=True):
        result.problems += side.problems
        if len(side.runs) > 1:
            result.notes.append(("runs", {"path": str(path), "count": len(side.runs)}))
            result.left_out = True
    ours, theirs = (_columns(side) for side in sides)
    if timed := [name for name in _DURATIONS if name in ours or name in theirs]:
        result.notes.append(("durations", {"names": ", ".join(timed)}))
        ours, theirs = ({name: one for name, one in side.items() if name not in timed} for side in (ours, theirs))
    for name, target in names.items():
        for path, missing, given in ((left.path, name not in ours, name), (right.path, target not in theirs, target)):
            if missing:
                result.notes.append(("map-unknown", {"map": str(map_file), "name": given, "path": str(path)}))
    for name, column in ours.items():
        other = theirs.get(names.get(name, name))
        if other is None:
            continue
        one_x, one_y = _points(column)
        two_x, two_y = _points(other)
        aligned = align(one_x, one_y, two_x, two_y)
        torn = [bool(side.runs[0].torn and len(axis)) for side, axis in zip(sides, (one_x, two_x), strict=True)]
        both = without_torn(aligned, float(one_x[-1]) if torn[0] else None, float(two_x[-1]) if torn[1] else None)
        if both is not aligned:
            path = left.path if torn[0] and aligned.x[-1] == one_x[-1] else right.path
            result.notes.append(("torn", {"path": str(path), "name": name}))
            result.left_out = True
        if not len(both.x):
            result.notes.append(("points-alone", {"name": name, "ours": both.ours_alone, "theirs": both.theirs_alone}))
            result.left_out = True
            continue
        apart = np.abs(both.ours - both.theirs)
        finite = np.isfinite(apart)
        finite_ones = np.isfinite(both.ours), np.isfinite(both.theirs)
        one_sided = finite_ones[0] != finite_ones[1]
        nan = np.isnan(both.ours) & np.isnan(both.theirs)
        # Inf beside NaN or beside -Inf has no distance, and is a difference all the same.
        unlike = one_sided | (~(finite_ones[0] | finite_ones[1]) & ~nan & (both.ours != both.theirs))
        if nan.any():
            result.notes.append(("both-nan", {"names": name}))
            result.left_out |= bool(nan.all())
        if tolerance.given:
            good = np.isclose(
                both.ours, both.theirs, rtol=tolerance.rtol or 0.0, atol=tolerance.atol or 0.0, equal_nan=True
            )
            at = None if good.all() else int(np.argmin(good))
            origin = at
        else:
            found = compare(both.ours, both.theirs)
            places = [
                *([found.visible] if found.visible is not None else []),
                *found.lone[:1],
                *([int(np.argmax(unlike))] if unlike.any() else []),
            ]
            at, origin = (min(places), found.origin) if places else (None, None)
            if at is not None and unlike[at]:
                origin = at
        sizes = np.abs(both.theirs[finite])
        ratios = np.divide(apart[finite], sizes, out=np.where(apart[finite] > 0, np.inf, 0.0), where=sizes > 0)
        result.pairs.append(
            {
                "name": name,
                "other": names.get(name, name),
                "points": len(both.x),
                "differs": at is not None,
                "first": None if at is None else float(both.x[at]),
                "relative": float(ratios.max()) if finite.any() else None,
                "largest": float(apart[finite].max()) if finite.any() else None,
                "both_nan": int(np.count_nonzero(nan)),
            }
        )
        if at is not None and one_sided[at]:
            result.notes.append(("one-nan", {"name": name, "x": float(both.x[at])}))
        elif at is not None:
            code = "fork" if origin is not None else "growing"
            result.notes.append((code, {"name": name, "x": float(both.x[origin if origin is not None else at])}))
        if both.ours_alone or both.theirs_alone:
            result.notes.append(("points-alone", {"name": name, "ours": both.ours_alone, "theirs": both.theirs_alone}))
            result.left_out = True
    taken = {names.get(name, name) for name in ours}
    _only(result, left.path, [name for name in ours if names.get(name, name) not in theirs])
    _only(result, right.path, [name for name in theirs if name not in taken])
    result.left_out = result.left_out or set(theirs) != taken
    return result


def _columns(side: Curves) -> dict[str, Column]:
    return {name: column for name, column in side.runs[0].columns.items() if len(column.values)}


def _points(column: Column) -> tuple[Any, Any]:
    """Points over steps where all are known and rise, else epochs, else their order."""
    import numpy as np

    from .readers.runs import UNKNOWN

    for axis in (column.steps, column.epochs):
        if len(axis) and (axis != UNKNOWN).all() and (np.diff(axis) > 0).all():
            return axis, column.values
    return np.arange(len(column.values)), column.values


# --- what is shown -----------------------------------------------------------------------------------------------------------


def _only(result: Result, path: Path, names: list[str]) -> None:
    if names:
        result.notes.append(("left-only", {"path": str(path), "count": len(names), "names": _some(names)}))


def _some(names: list[str]) -> str:
    return ", ".join([*names[:_NAMES], *["…"] * (len(names) > _NAMES)])


def _shape(shape: tuple[int, ...] | list[int]) -> str:
    return "×".join(map(str, shape)) or "-"


def _text(result: Result, tolerance: Tolerance, everything: bool, language: Language) -> Iterator[str]:
    def say(key: str, /, **data: Any) -> str:
        return word(WORDS, key, language, **data)

    shown = result.pairs if everything else [pair for pair in result.pairs if pair["differs"]]
    if shown:
        yield say("all" if everything else "differing")
        rows = [
            [("≠ " if pair["differs"] else "= ") + str(pair["name"]), *(_cell(pair, key) for key in result.columns[1:])]
            for pair in shown[: None if everything else _ROWS]
        ]
        heads = [say(column) for column in result.columns]
        yield from aligned([["  " + heads[0], *heads[1:]], *rows])
        if not everything and len(shown) > _ROWS:
            yield "  " + say("more", count=len(shown) - _ROWS)
    for key, data in result.notes:
        yield "- " + visible(say(key, **({**data, "why": say(data["why"])} if "why" in data else data)))
    for problem in result.problems[: None if everything else _ROWS]:
        yield "- " + visible(problem.text(language))
    if tolerance.given:
        bound = say("given", rtol=tolerance.rtol or 0.0, atol=tolerance.atol or 0.0)
    elif result.kind == "checkpoints":
        bound = say("given", rtol=_WEIGHTS[0], atol=_WEIGHTS[1])
    else:
        bound = say("by-loss" if result.kind == "logs" else "by-type")
    code = "differ" if result.differing else "same" if result.same else "partly" if result.pairs else "nothing"
    yield say(code, pairs=len(result.pairs), differ=result.differing, tolerance=bound)


def _cell(pair: dict[str, Any], key: str) -> str:
    value: Plain | list[int] = pair.get(key)
    if isinstance(value, list):
        return _shape(value)
    if isinstance(value, float):
        return f"{value:.4g}" if math.isfinite(value) else str(value)
    return "-" if value is None else str(value)


def _json(result: Result, left: str, right: str, language: Language) -> dict[str, Any]:
    return {
        "version": 1, "kind": result.kind, "left": left, "right": right, "same": result.same,
        "complete": not (result.left_out or result.problems),
        "counts": {"pairs": len(result.pairs), "differ": result.differing},
        "pairs": [{key: _plain(value) for key, value in pair.items()} for pair in result.pairs],
        "notes": [{"code": key, **data} for key, data in result.notes],
        "problems": [{"code": problem.code, "message": problem.text(language)} for problem in result.problems],
    }  # fmt: skip


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
