"""Tells whether the network starts from the very weights that the benchmark starts from.

Compares checkpoints.initial with checkpoints.reference through the parameter map: transposed, reshaped and joined tensors are set
right on the way. Equal means equal in every bit, but for the rounding of a coarser type. What differs is looked into: transposed by
mistake, changed places, or drawn anew. What the map does not pair is not compared.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Plain, Progress, Verdict, Where
from ..probe import Example
from . import _checkpoints, _parameters
from ._checkpoints import DIFFERENCE, STATISTICS, Threads, ckpt, difference, drawn, of_tensors, shape, shown, table

if TYPE_CHECKING:
    from ..parameter_map import Pair, ParameterMap
    from ..readers.tensor_comparison import Comparison
    from ..readers.tensors import TensorInfo

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("checkpoints.initial", "checkpoints.reference")
USES = ("checkpoints.map",)


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    rtol: Annotated[
        float,
        Meta(
            ge=0,
            description="relative difference that counts as equal; rounding to the coarser of two types always does",
            extra={"unit": "1", "source": "measured: clean pairs of frameworks agree to 1e-6"},
        ),
    ] = 1e-6
    alike: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="standard deviations that differ by up to this share count as of one distribution",
            extra={"unit": "1", "source": "own choice"},
        ),
    ] = 0.1
    threads: Threads = 2


MESSAGES: Words = {
    **_parameters.MESSAGES,
    "not-transferred": {
        "en": "None of the {count:,} {count:weight|weights} of {source} has the value that it has in {target}: the benchmark's "
        "weights were not loaded.",
        "zh": "{source} 的 {count:,} 个权重没有一个与 {target} 相同：没有加载标杆的权重。",
    },
    "drawn-anew": {
        "en": "{count:,} {count:weight has|weights have} the spread that {count:it has|they have} in {target}, but other numbers: {names}. "
        "{count:It was|They were} drawn again.",
        "zh": "有 {count:,} 个权重与 {target} 分布相近而数值无关：{names}。它们是重新随机初始化的。",
    },
    "transposed": {
        "en": "{count:,} {count:weight is|weights are} transposed against {target}: {names}.",
        "zh": "有 {count:,} 个权重与 {target} 相比被转置：{names}。",
    },
    "exchanged": {
        "en": "{count:,} {count:weight holds|weights hold} the values of another parameter of {target}: {names}.",
        "zh": "有 {count:,} 个权重装入了 {target} 中另一个参数的数值：{names}。",
    },
    "values-differ": {
        "en": "{count:,} {count:weight differs|weights differ} from {target}, by up to {largest:.3g}: {names}.",
        "zh": "有 {count:,} 个权重的值与 {target} 不同，最大差值 {largest:.3g}：{names}。",
    },
    "statistics-differ": {
        "en": "{count:,} moving {count:statistic differs|statistics differ} from {target}: {names}. "
        "{count:It moves|They move} as soon as a network runs in training "
        "mode.",
        "zh": "有 {count:,} 个滑动统计量与 {target} 不同：{names}。网络只要以训练模式运行过，它们就会变化。",
    },
    "not-paired": {
        "en": "{count:,} {count:weight was|weights were} not compared, since the parameter map pairs {count:it|them} with nothing or "
        "cannot decide: {names}.",
        "zh": "有 {count:,} 个权重未作比较，因为参数映射中没有对应或无法确定：{names}。",
    },
    "unread": {
        "en": "{count:,} {count:tensor|tensors} could not be compared (quantised, sparse, or of an unknown type): {names}.",
        "zh": "有 {count:,} 个张量无法比较（量化、稀疏或类型未知）：{names}。",
    },
    "nothing-paired": {
        "en": "Not one parameter of {source} could be paired with one of {target}. Are these checkpoints of the same network?",
        "zh": "{source} 与 {target} 没有一个参数能够配对。这两个 checkpoint 是同一个网络的吗？",
    },
    "examined": {
        "en": "{equal:,} of {count:,} paired {count:weight|weights} {equal:is|are} equal, {identical:,} bit by bit.",
        "zh": "已配对的 {count:,} 个权重中有 {equal:,} 个相等，其中 {identical:,} 个逐位相同。",
    },
    "fix-convert": {
        "en": "Convert the benchmark's file: accucheck convert {target} OUT.ckpt --like {source}. Load the result after all "
        "initialisation, check the return value of load_param_into_net, and then save checkpoints.initial.",
        "zh": "转换标杆的权重：accucheck convert {target} OUT.ckpt --like {source}。在所有初始化之后加载，"
        "查看 load_param_into_net 的返回值，再保存 checkpoints.initial。",
    },
    "fix-transposed": {
        "en": "Remove the transpose from the conversion: Dense and Linear both store weights as (out, in). accucheck convert handles "
        "this correctly.",
        "zh": "去掉转换中的转置：Dense 与 Linear 的权重都是 (输出, 输入)。可直接使用 accucheck convert 转换。",
    },
    "fix-exchanged": {
        "en": "Correct the names in the conversion: these layers have the same shape, so only their names distinguish them.",
        "zh": "改正转换时的名称对应：这些层形状相同，加载时不会报错。",
    },
}

_START: Words = {
    "why": {
        "en": "With different weights the first loss differs, and no later step can be compared.",
        "zh": "初始权重不同，首步 loss 就不同，之后每一步都无从比较。",
    },
    "proof": {
        "en": "Print one of these weights on both sides before the first step. Equal weights and equal data must yield equal first "
        "losses.",
        "zh": "在第一步之前于两边打印其中一个权重。权重和数据相同时，首步 loss 必须相同。",
    },
}
_CODES = (
    *("not-transferred", "drawn-anew", "transposed", "exchanged", "values-differ", "statistics-differ"),
    "nothing-paired",
)
WHY: Words = dict.fromkeys(_CODES, _START["why"])
PROOF: Words = dict.fromkeys(_CODES, _START["proof"])

WORDS: Words = {
    **_checkpoints.WORDS,
    **_parameters.WORDS,
    "not-transferred": {"en": "Difference of each weight", "zh": "各权重的差异"},
    "drawn-anew": {"en": "Drawn again", "zh": "重新初始化的权重"},
    "transposed": {"en": "Transposed", "zh": "被转置的权重"},
    "exchanged": {"en": "With the values of another", "zh": "装入了其他参数数值的权重"},
    "values-differ": {"en": "Values that differ", "zh": "数值不同的权重"},
    "statistics-differ": {"en": "Moving statistics that differ", "zh": "不同的滑动统计量"},
    "not-paired": {"en": "Not paired", "zh": "未配对的权重"},
    "unread": {"en": "Not compared", "zh": "未比较的张量"},
    "holds": {"en": "Holds the values of", "zh": "实际装入的是"},
    "all": {"en": "Difference of each weight", "zh": "各权重的差异"},
}


class _Row(NamedTuple):
    pair: Pair
    left: TensorInfo
    right: TensorInfo
    found: Comparison

    @property
    def cells(self) -> list[Plain]:
        return difference(self.left, self.right, self.found)

    @property
    def matrix(self) -> bool:
        return sum(size > 1 for size in self.left.shape) > 1


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    """Raises ReadError when either checkpoint cannot be read, UserError for a file that is not a mapping file."""
    from ..parameter_map import views
    from ..readers.tensor_comparison import compare

    ours, theirs, found, wrong = _parameters.sides(case, "initial")
    yield from wrong
    where = Where(case.relative(ours.path))
    common: dict[str, Any] = {"source": where.path, "target": case.relative(theirs.path)}
    pairs = [pair for pair in found.pairs if pair.left.role == "weight" and pair.left.floating]
    unread = [pair for pair in pairs if pair.left.obstacle or pair.right.obstacle]
    pairs = [pair for pair in pairs if not (pair.left.obstacle or pair.right.obstacle)]
    seen = [views(pair) for pair in pairs]
    rows: list[_Row] = []
    yield Progress(0, len(pairs), "tensors")
    for left, right, result in compare(seen, params.threads, params.rtol):
        rows.append(_Row(pairs[len(rows)], left, right, result))
        yield Progress(len(rows), len(pairs), "tensors")

    differing = sorted((row for row in rows if row.found.outside), key=lambda row: -row.found.largest)
    statistics = [row for row in differing if STATISTICS.search(row.pair.right.name)]
    differing = [row for row in differing if not STATISTICS.search(row.pair.right.name)]
    told = partial(of_tensors, where, common)
    yield from _of_differing(params, differing, rows, told)
    cells = [row.cells for row in statistics]
    yield from told("statistics-differ", Level.SUSPECT, DIFFERENCE, cells)
    yield from _left_out(found, unread, where)
    if not rows:
        yield Finding("nothing-paired", Level.SUSPECT, where, common, fix=Fix("fix-map"))
        return
    equal = [row for row in rows if not row.found.outside]
    identical = sum(row.found.identical for row in rows)
    data = common | {"equal": len(equal), "count": len(rows), "identical": identical}
    evidence = [table("all", DIFFERENCE, [row.cells for row in (*differing, *statistics, *equal)])]
    yield Finding("examined", Level.INFO, where, data, list(evidence))


def _of_differing(
    params: Params, differing: list[_Row], rows: list[_Row], told: Callable[..., Iterator[Finding]]
) -> Iterator[Finding]:
    """What the weights that differ are: transposed, those of another parameter, drawn anew, or others; or nothing was transferred."""
    exchanged = list(_exchanged(params, differing, rows))
    turned = [row for row in differing if _turned(params, row)]
    known = {id(row) for row in (*(row for row, _ in exchanged), *turned)}
    rest = [row for row in differing if id(row) not in known]
    telling = [row for row in rows if row.matrix] or rows

    def listed(code: str, some: list[_Row], fix: str, **data: Any) -> Iterator[Finding]:
        return told(code, Level.PROBLEM, DIFFERENCE, [row.cells for row in some], fix, **data)

    if rows and not known and {id(row) for row in telling} <= {id(row) for row in rest}:
        yield from listed("not-transferred", rest, "fix-convert")
        return
    yield from listed("transposed", turned, "fix-transposed")
    cells = [[row.left.name, shape(row.left), other] for row, other in exchanged]
    yield from told("exchanged", Level.PROBLEM, ["name", "shape", "holds"], cells, "fix-exchanged")
    fresh = [row for row in rest if _drawn(params, row)]
    yield from listed("drawn-anew", fresh, "fix-convert")
    new = {id(row) for row in fresh}
    some = [row for row in rest if id(row) not in new]
    largest = min(some[0].found.largest, 1e300) if some else 0.0
    yield from listed("values-differ", some, "fix-convert", largest=largest)


def _left_out(found: ParameterMap, unread: list[Pair], where: Where) -> Iterator[Finding]:
    """What could not be compared, for want of a counterpart or of readable values."""
    from ..parameter_map import trainable

    alone = [info for info in found.left if trainable(info)] + [info for info, _ in found.shapes]
    alone += [info for group in found.ambiguous for info in group.left if info.role == "weight"]
    for code, infos in (("not-paired", alone), ("unread", [pair.left for pair in unread])):
        if infos:
            cells: list[list[Plain]] = [[info.name, shape(info), info.dtype] for info in infos]
            data = {"count": len(infos), "names": shown(info.name for info in infos)}
            evidence = [table(code, ["name", "shape", "dtype"], cells)]
            fix = Fix("fix-map") if code == "not-paired" else None
            yield Finding(code, Level.INFO, where, data, list(evidence), fix, incomplete=True)


def _turned(params: Params, row: _Row) -> bool:
    """Whether a square matrix equals the transpose of its counterpart."""
    from ..parameter_map import turned
    from ..readers.tensor_comparison import compare

    size = row.left.shape
    if len(size) != 2 or size[0] != size[1] or size[0] < 2:
        return False
    ((_, _, result),) = compare([(row.left, turned(row.right))], params.threads, params.rtol)
    return not result.outside


def _exchanged(params: Params, differing: list[_Row], rows: list[_Row]) -> Iterator[tuple[_Row, str]]:
    """Weights that hold the values of another parameter of the benchmark, with the name of that.

    The first numbers of those of one shape are sorted, so that each weight is held against the few that begin alike and not
    against all.
    """
    import numpy as np

    from ..readers.tensor_comparison import compare
    from ..readers.tensors import chunks

    def head(info: TensorInfo) -> Any:
        return next(chunks(info, 0, 64)).astype("f4").round(4)

    waiting: dict[tuple[int, ...], list[_Row]] = {}
    for row in rows if differing else []:
        if row.left.size > 1:
            waiting.setdefault(row.right.shape, []).append(row)
    heads = {size: np.stack([head(row.right) for row in some]) for size, some in waiting.items()}
    orders = {size: some[:, 0].argsort() for size, some in heads.items()}
    for row in differing:
        if row.left.size < 2:
            continue
        mine, size = head(row.left), row.right.shape
        if (
            not (mine != mine[0]).any() or not np.isfinite(mine).all()
        ):  # a constant is found in many places, NaN in none
            continue
        off, order = 2e-4 + params.rtol * abs(mine), orders[size]
        ends = [mine[0] - 2 * off[0], mine[0] + 2 * off[0]]  # wider than needed, so that no rounding cuts one off
        low, high = np.searchsorted(heads[size][:, 0], ends, sorter=order)
        near = np.sort(order[low:high])
        for at in near[(abs(heads[size][near] - mine) <= off).all(1)]:
            other = waiting[size][at]
            if other is not row:
                ((_, _, result),) = compare([(row.left, other.right)], params.threads, params.rtol)
                if not result.outside:
                    yield row, other.right.name
                    break


def _drawn(params: Params, row: _Row) -> bool:
    """Whether both look drawn from one distribution, independently: equal spreads, no correlation."""
    found = row.found
    if found.finite < 100 or not found.left_square or not found.right_square or found.cosine is None:
        return False
    # Of n independent pairs of numbers, the cosine has a standard deviation of 1 / sqrt(n).
    independent = abs(found.cosine) < 4 / math.sqrt(found.finite)
    spread = math.sqrt(found.left_square / found.right_square)
    noise = 4 / math.sqrt(found.finite)
    return independent and abs(spread - 1) < params.alike + noise


_OURS = {
    "conv.weight": drawn(8, 3, 3, 3),
    "norm.gamma": ([8], [1.0] * 8),
    "norm.beta": ([8], [0.0] * 8),
    "norm.moving_mean": drawn(8),
    "norm.moving_variance": ([8], [1.0] * 8),
    "fc1.weight": drawn(8, 8),
    "fc2.weight": drawn(8, 8, seed=5),
    "head.weight": drawn(16, 8),
}
_NAMES = {
    "norm.gamma": "norm.weight",
    "norm.beta": "norm.bias",
    "norm.moving_mean": "norm.running_mean",
    "norm.moving_variance": "norm.running_var",
}
_THEIRS = {_NAMES.get(name, name): values for name, values in _OURS.items()}


def _transpose(matrix: tuple[list[int], list[float]]) -> tuple[list[int], list[float]]:
    (rows, columns), values = matrix
    return [columns, rows], [values[row * columns + column] for column in range(columns) for row in range(rows)]


def _example(
    name: str, ours: dict[str, Any], verdict: Verdict, *codes: str, theirs: dict[str, Any] | None = None
) -> Example:
    return Example(
        name,
        files={"init.ckpt": ckpt(_OURS | ours), "ref.ckpt": ckpt(theirs or _THEIRS)},
        case={"checkpoints": {"initial": "init.ckpt", "reference": "ref.ckpt"}},
        verdict=verdict,
        codes=codes,
    )


_FRESH = {
    name: drawn(*values[0], seed=7 + number)
    for number, (name, values) in enumerate(_OURS.items())
    if name.endswith("weight")
}

EXAMPLES = [
    _example("the benchmark's weights under other names", {}, Verdict.OK),
    _example(
        "a benchmark that stores matrices the other way round, where square ones do not tell",
        {},
        Verdict.UNDECIDED,
        "not-paired",
        theirs=_THEIRS | {"head.weight": _transpose(_THEIRS["head.weight"])} | {"fc1.bias": drawn(8)},
    ),
    _example("drawn again from the same distributions", _FRESH, Verdict.PROBLEM, "not-transferred"),
    _example("a layer was not loaded", {"conv.weight": _FRESH["conv.weight"]}, Verdict.PROBLEM, "drawn-anew"),
    _example(
        "a square layer was transposed", {"fc1.weight": _transpose(_OURS["fc1.weight"])}, Verdict.PROBLEM, "transposed"
    ),
    _example(
        "two layers of one shape changed places",
        {"fc1.weight": _OURS["fc2.weight"], "fc2.weight": _OURS["fc1.weight"]},
        Verdict.PROBLEM,
        "exchanged",
    ),
    _example(
        "a layer was scaled",
        {"head.weight": ([16, 8], [2 * value for value in _OURS["head.weight"][1]])},
        Verdict.PROBLEM,
        "values-differ",
    ),
    _example(
        "a network that already ran in training mode",
        {"norm.moving_mean": drawn(8, seed=4)},
        Verdict.UNDECIDED,
        "statistics-differ",
    ),
]
