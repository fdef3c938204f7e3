"""Finds weights that cannot learn in checkpoints: all zero, constant, or the same in every output unit; and NaN and Inf.

Examines the values of .ckpt, .safetensors, .pth, .pt and .bin files. It cannot say why a weight is zero, and it knows
parameters that start at zero by design only by their names. Quantised and 4-bit weights are named, not examined.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from itertools import islice, pairwise, starmap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..errors import ReadError
from ..language import Words
from ..model import Finding, Fix, Histogram, Kind, Language, Level, Plain, Progress, Table, Verdict, Where
from ..probe import Example
from . import _checkpoints
from ._checkpoints import ROLES, Processes, ckpt, drawn, given, obstacles, shape, shown, table

if TYPE_CHECKING:
    from ..readers.checkpoints import Checkpoint, TensorInfo
    from ..readers.tensor_statistics import Statistics

KIND = Kind.FILE

NEEDS = (tuple(f"checkpoints.{role}" for role in ROLES),)

MAX_ROWS = 200
MAX_FINDINGS = 100
#: Of so many tensors the values are drawn.
MAX_DRAWN = 3


# fmt: off
KNOWN = (
    "*cls_token*", "*class_token*", "*dist_token*", "*distillation_token*", "*mask_token*",
    "*pos_emb*", "*position_emb*", "*positional_emb*", "*rel_pos*", "*relative_position_bias*", "*relative_attention_bias*",
    "*lora_b*", "*lora_embedding_a*", "*lora_embedding_b*", "*ia3_*", "*layer_scale*", "*layerscale*", "*logit_scale*",
    "*zero_conv*", "*adaln*", "*sampling_offsets*", "*attention_weights*", "*conv_offset*", "*grn*",
    "*key_cache*", "*value_cache*", "*k_cache*", "*v_cache*", "*anchor*", "*mask", "h0", "*.h0", "c0", "*.c0",
    "*blur.kernel", "*blur.filt", "*.filt", "*resample_filter*",
)
# fmt: on


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    known: Annotated[
        tuple[str, ...],
        Meta(
            description="patterns (* and ?, any case) of names that are zero, constant or repeated by design",
            extra={
                "unit": "names",
                "source": "initialisations of ViT, Swin, LoRA, LayerScale, ControlNet, DiT, deformable DETR",
            },
        ),
    ] = KNOWN
    mostly_zero: Annotated[
        float,
        Meta(
            gt=0,
            le=1,
            description="a weight with at least this share of zeros is named",
            extra={"unit": "1", "source": "own choice"},
        ),
    ] = 0.99
    verify_checksum: Annotated[
        bool,
        Meta(
            description="compare the CRC-32 of save_checkpoint(crc_check=True) where a file has one",
            extra={"unit": "yes/no", "source": "own choice: reads such a file a second time"},
        ),
    ] = True
    processes: Processes = 2


MESSAGES: Words = {
    "all-zero": {
        "en": "{name} in the {role_name} checkpoint is all zero ({shape}, {dtype}): its units all receive the same gradient, "
        "or none.",
        "zh": "{role_name} checkpoint 中的权重 {name} 全部为 0（{shape}，{dtype}）：各输出单元得到的梯度完全相同，或没有梯度。",
    },
    "constant": {
        "en": "{name} in the {role_name} checkpoint is {value:g} everywhere ({shape}, {dtype}): its units cannot learn different "
        "things.",
        "zh": "{role_name} checkpoint 中的权重 {name} 处处为 {value:g}（{shape}，{dtype}）：各输出单元无法学到不同的特征。",
    },
    "same-units": {
        "en": "{name} in the {role_name} checkpoint is the same in each of its {units:,} output units ({shape}, {dtype}): they stay "
        "the same during training.",
        "zh": "{role_name} checkpoint 中的权重 {name} 在 {units:,} 个输出单元上完全相同（{shape}，{dtype}），训练中也会一直相同。",
    },
    "non-finite": {
        "en": "{name} in the {role_name} checkpoint holds {nan:,} NaN and {inf:,} Inf among {count:,} numbers; the "
        "first is at "
        "{index}.",
        "zh": "{role_name} checkpoint 中的 {name} 有 {nan:,} 个 NaN、{inf:,} 个 Inf（共 {count:,} 个数），首个位置为 {index}。",
    },
    "zero-gamma": {
        "en": "{name} in the {role_name} checkpoint is a scale of a normalisation and all zero: the layer passes nothing on. "
        "Right only as the last one of a residual branch.",
        "zh": "{role_name} checkpoint 中归一化层的缩放参数 {name} 全部为 0，该层输出被清零。仅当它是残差分支的最后一个归一化层时才合理。",
    },
    "zero-parameter": {
        "en": "{name} in the {role_name} checkpoint is all zero ({shape}, {dtype}). It may be a scale or an offset that starts at zero "
        "by design.",
        "zh": "{role_name} checkpoint 中的参数 {name} 全部为 0（{shape}，{dtype}）。它可能是有意初始化为 0 的缩放或偏移参数，请确认。",
    },
    "more": {
        "en": "{count:,} more {count:weight|weights} of the {role_name} checkpoint {count:has|have} such faults; the table of "
        "statistics lists "
        "them first.",
        "zh": "{role_name} checkpoint 中还有 {count:,} 个权重存在同类问题，见统计表前部。",
    },
    "known-initialisation": {
        "en": "{count:,} {count:parameter|parameters} of the {role_name} checkpoint {count:is|are} zero, constant or "
        "repeated, as {count:its name lets|their names let} expect: {names}.",
        "zh": "{role_name} checkpoint 中有 {count:,} 个参数为 0、常数或逐行重复，从名称看属于有意设计：{names}。",
    },
    "constant-vectors": {
        "en": "{count:,} {count:vector|vectors} of the {role_name} checkpoint (such as scales of normalisations) "
        "{count:holds|hold} one number each.",
        "zh": "{role_name} checkpoint 中有 {count:,} 个一维参数（如归一化层的缩放参数）取值为单一常数。",
    },
    "mostly-zero": {
        "en": "{name} in the {role_name} checkpoint is zero in {share:.2%} of its elements ({shape}, {dtype}).",
        "zh": "{role_name} checkpoint 中的权重 {name} 有 {share:.2%} 的元素为 0（{shape}，{dtype}）。",
    },
    "not-examined": {
        "en": "{count:,} {count:tensor|tensors} of the {role_name} checkpoint could not be examined (quantised, "
        "sparse, or of an unknown type): {names}.",
        "zh": "{role_name} checkpoint 中有 {count:,} 个张量无法检查（量化、稀疏或类型未知）：{names}。",
    },
    "no-weights": {
        "en": "The {role_name} checkpoint {path} holds no floating-point weights.",
        "zh": "{role_name} checkpoint {path} 中没有浮点类型的权重。",
    },
    "unreadable": {
        "en": "The {role_name} checkpoint could not be examined. {problem}",
        "zh": "{role_name} checkpoint 未能检查。{problem}",
    },
    "checksum": {
        "en": "The {role_name} checkpoint {path} is damaged: its content does not have the CRC-32 it was saved with. Copy it again.",
        "zh": "{role_name} checkpoint {path} 已损坏：内容与保存时记录的 CRC-32 校验码不符，请重新拷贝。",
    },
    "values": {
        "en": "The distribution of values in the {role_name} checkpoint: {names} ({chosen}; at most {most:,} elements of each).",
        "zh": "{role_name} checkpoint 的取值分布：{names}（{chosen}，每个张量最多统计 {most:,} 个元素）。",
    },
    "examined": {
        "en": "The {role_name} checkpoint {path} ({format}) was examined: {weights:,} {weights:weight|weights} and {states:,} "
        "{states:tensor|tensors} of training state, "
        "{bytes:,} bytes.",
        "zh": "已检查{role_name} checkpoint {path}（{format}）：{weights:,} 个权重、{states:,} 个训练状态张量，共 {bytes:,} 字节。",
    },
    "initialise": {
        "en": "Give the parameter a random initialiser (HeUniform, XavierUniform, Normal ...), through weight_init or "
        "parameter.set_data(initializer(...)). Then save the initial checkpoint again.",
        "zh": "请为该参数设置随机初始化（如 HeUniform、XavierUniform、Normal），可通过 weight_init 或 "
        "parameter.set_data(initializer(...)) 设置，然后重新保存初始 checkpoint。",
    },
}

_ALIKE = {
    "en": "Units that start alike get the same gradient and stay alike: the layer learns one thing, however wide it is.",
    "zh": "初值相同的单元得到相同的梯度，会一直相同：无论层有多宽，都只能学到一种特征。",
}
WHY: Words = {
    **dict.fromkeys(("all-zero", "constant", "same-units"), _ALIKE),
    "non-finite": {
        "en": "NaN and Inf pass on to all that is computed from them: the loss is NaN from then on.",
        "zh": "NaN 和 Inf 会传播到由其计算的所有结果：此后 loss 一直是 NaN。",
    },
    "zero-gamma": {
        "en": "Outside a residual branch nothing passes such a layer, and the layers before it get no gradient.",
        "zh": "若不在残差分支上，该层不会传递任何信息，其前面的层也得不到梯度。",
    },
}
_PRINTED = {
    "en": "Print the parameter after the network is built, and again after some steps of training.",
    "zh": "在构建网络之后打印该参数，训练若干步后再次打印并比较。",
}
PROOF: Words = dict.fromkeys(WHY, _PRINTED)
WORDS: Words = {
    **_checkpoints.WORDS,
    "statistics": {"en": "Statistics per tensor", "zh": "各张量统计"},
    "known": {"en": "Known initialisations", "zh": "有意的初始化"},
    "vectors": {"en": "Constant vectors", "zh": "常数向量"},
    "name": {"en": "Name", "zh": "名称"},
    "file": {"en": "File", "zh": "文件"},
    "shape": {"en": "Shape", "zh": "形状"},
    "dtype": {"en": "Type", "zh": "数据类型"},
    "zeros": {"en": "Zeros", "zh": "零值占比"},
    "min": {"en": "Min", "zh": "最小值"},
    "max": {"en": "Max", "zh": "最大值"},
    "mean": {"en": "Mean", "zh": "均值"},
    "numbers": {"en": "numbers", "zh": "元素个数"},
    "std": {"en": "Std", "zh": "标准差"},
    "value": {"en": "Value", "zh": "取值"},
    "verdict": {"en": "Finding", "zh": "结论"},
    "all-zero": {"en": "all zero", "zh": "全 0"},
    "constant": {"en": "constant", "zh": "常数"},
    "same-units": {"en": "same in every output unit", "zh": "各输出单元相同"},
    "non-finite": {"en": "NaN or Inf", "zh": "含 NaN 或 Inf"},
    "zero-gamma": {"en": "zero scale", "zh": "缩放参数全 0"},
    "zero-parameter": {"en": "all zero", "zh": "全 0"},
    "mostly-zero": {"en": "mostly zero", "zh": "绝大部分为 0"},
    "known-initialisation": {"en": "by design", "zh": "有意设计"},
    "constant-vectors": {"en": "constant", "zh": "常数"},
}

_CHOSEN: Words = {
    "marked": {"en": "those that are named above", "zh": "上面指出的张量"},
    "largest": {"en": "the largest weight", "zh": "最大的权重"},
}

_LEVELS = {
    "non-finite": Level.PROBLEM,
    "all-zero": Level.PROBLEM,
    "constant": Level.PROBLEM,
    "same-units": Level.PROBLEM,
    "zero-gamma": Level.SUSPECT,
    "zero-parameter": Level.SUSPECT,
    "mostly-zero": Level.INFO,
    "known-initialisation": Level.INFO,
    "constant-vectors": Level.INFO,
}
#: Codes that are told once a checkpoint, with a table.
_TOGETHER = ("known-initialisation", "constant-vectors")

#: Zero is where these start: biases, shifts of normalisations, moving means. By the last part of the name.
_STARTS_AT_ZERO = re.compile(r"(^|\.)([^.]*bias[^.]*|beta|b|mean|moving_mean|running_mean)$", re.I)
#: Scales and moving variances of normalisations, whatever their shape (LayerNorm may span several axes).
_SCALE = re.compile(
    r"(^|\.)(gamma|variance|moving_variance|running_var)$|(norm[^.]*|(^|[._])(ln|bn|gn|layernorm)(_?[^._]{0,3}))\.weight$",
    re.I,
)
_WEIGHT = re.compile(r"(^|[._])(weight|kernel|embedding_table|w)s?$", re.I)


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    """Raises ReadError when not one of the checkpoints can be read."""
    failed: list[tuple[str, Path, ReadError]] = []
    examined = False
    for role, path in given(case, ROLES):
        try:
            yield from _checkpoint(case, params, role, path)
            examined = True
        except ReadError as error:
            failed.append((role, path, error))
    if failed and not examined:
        raise failed[0][2]
    for role, path, problem in failed:
        words = {language.value: problem.text(language) for language in Language}
        data = {"role": role, "role_name": ROLES[role], "problem": words}
        yield Finding("unreadable", Level.INFO, Where(case.relative(path)), data, incomplete=True)


def _checkpoint(case: Case, params: Params, role: str, path: Path) -> Iterator[Finding | Progress]:
    from ..readers.checkpoints import open_checkpoint, verify

    checkpoint = open_checkpoint(path)
    common: dict[str, Any] = {"role": role, "role_name": ROLES[role]}
    yield from judge(checkpoint, params, common, case.relative)
    if params.verify_checksum:
        for wrong in verify(checkpoint):
            shown = case.relative(wrong)
            yield Finding("checksum", Level.PROBLEM, Where(shown), common | {"path": shown})


def judge(
    checkpoint: Checkpoint, params: Params, common: dict[str, Any], shown: Callable[[str], str | None]
) -> Iterator[Finding | Progress]:
    """What the values of a checkpoint say. `common` goes into each finding; `shown` is the path of a file as it is told."""
    from ..readers.tensor_statistics import statistics

    # Tied weights are one tensor under two names.
    tensors = {
        (info.path, info.extents, info.strides, info.name * (not info.extents)): info
        for info in reversed(checkpoint.tensors)
    }
    readable = [info for info in reversed(tensors.values()) if not info.obstacle]
    rows: list[tuple[TensorInfo, Statistics, str | None]] = []
    yield Progress(0, len(readable), "tensors")
    for info, found in statistics(readable, params.processes):
        code = _judge(info, found, params)
        rows.append((info, found, code))
        yield Progress(len(rows), len(readable), "tensors")
    order = list(_LEVELS)
    rows.sort(key=lambda row: (order.index(row[2]) if row[2] else len(order), -row[1].zeros / max(1, row[1].count)))
    single = [row for row in rows if row[2] and row[2] not in _TOGETHER]
    for info, found, code in single[:MAX_FINDINGS]:
        yield _finding(shown, common, info, found, code or "")
    if rest := single[MAX_FINDINGS:]:
        worst = _LEVELS[rest[0][2] or ""]
        yield Finding("more", worst, Where(shown(checkpoint.path)), common | {"count": len(rest)})
    yield from _values(Where(shown(checkpoint.path)), common, rows)
    yield from _summary(Where(shown(checkpoint.path)), common, checkpoint, rows)


def _judge(info: TensorInfo, found: Statistics, params: Params) -> str | None:
    """The code of what is to be said about a tensor, or None."""
    from ..readers.tensor_statistics import rows_equal

    name = info.name.lower()
    known = any(fnmatchcase(name, pattern.lower()) for pattern in params.known)
    starts_at_zero = _STARTS_AT_ZERO.search(info.name) is not None and not known
    if found.nan or found.inf:
        # A mask added before a softmax is -Inf on purpose.
        return "known-initialisation" if name.endswith("mask") and not found.nan else "non-finite"
    if info.role != "weight" or not info.floating or info.size < 2:
        single_zero = info.role == "weight" and info.floating and len(info.shape) > 1 and found.zeros
        return "zero-parameter" if single_zero and not known and not starts_at_zero else None
    zero = found.zeros == found.count
    if zero and starts_at_zero:
        return None
    if zero or found.constant:
        return "known-initialisation" if known else _of_constant(info, zero)
    if _is_vector(info) or _is_disguised(info):
        return None
    if not found.rows_differ and rows_equal(info):
        return "known-initialisation" if known else "same-units"
    return "mostly-zero" if found.zeros >= params.mostly_zero * found.count else None


def _is_vector(info: TensorInfo) -> bool:
    return len(info.shape) == 1 or _SCALE.search(info.name) is not None


def _is_disguised(info: TensorInfo) -> bool:
    """(1, C, 1, 1) is a vector in disguise, unless it calls itself a weight; (O, 1) and (1, N) are weights of small layers."""
    return len(info.shape) > 2 and sum(dim > 1 for dim in info.shape) < 2 and not _WEIGHT.search(info.name)


def _of_constant(info: TensorInfo, zero: bool) -> str:
    """The code for a tensor of one number, or of zeros."""
    vector, disguised = _is_vector(info), _is_disguised(info)
    if not vector and not disguised:
        return "all-zero" if zero else "constant"
    if zero and vector and re.search(r"(^|\.)(gamma|weight)$", info.name, re.I):
        return "zero-gamma"
    return "zero-parameter" if zero and disguised else "constant-vectors"


def _finding(
    shown: Callable[[str], str | None], common: dict[str, Any], info: TensorInfo, found: Statistics, code: str
) -> Finding:
    data = common | {"name": info.name, "shape": shape(info), "dtype": info.dtype, "count": found.count}
    if code == "non-finite":
        flat, index = found.first_bad or 0, []
        for dim in reversed(info.shape):
            flat, place = divmod(flat, dim)
            index.append(place)
        data |= {"nan": found.nan, "inf": found.inf, "index": "[" + ", ".join(map(str, reversed(index))) + "]"}
    elif code == "constant":
        data["value"] = found.minimum
    elif code == "same-units":
        data["units"] = info.shape[0]
    elif code == "mostly-zero":
        data |= {"zeros": found.zeros, "share": found.zeros / found.count}
    fix = Fix("initialise") if code in ("all-zero", "constant", "same-units") else None
    return Finding(code, _LEVELS[code], Where(shown(info.path), name=info.name), data, fix=fix)


def _values(
    where: Where, common: dict[str, Any], rows: list[tuple[TensorInfo, Statistics, str | None]]
) -> Iterator[Finding]:
    """Histograms of the tensors that are told of; where nothing is to be drawn of them, of the largest weights."""
    from ..readers.tensor_statistics import SAMPLE

    weights = [row for row in rows if row[0].role == "weight" and row[0].floating]
    marked = [row for row in weights if row[2] and row[2] not in _TOGETHER]
    largest = sorted(weights, key=lambda row: -row[0].size)
    for chosen, among, most in (("marked", marked, MAX_DRAWN), ("largest", largest, 1)):
        shown = (_histogram(info, found) for info, found, _ in among[:MAX_FINDINGS])
        if drawn := list(islice((one for one in shown if one is not None), most)):
            data = common | {"names": [one.title for one in drawn], "chosen": _CHOSEN[chosen], "most": SAMPLE}
            yield Finding("values", Level.INFO, where, data, [*drawn])
            return


def _histogram(info: TensorInfo, found: Statistics) -> Histogram | None:
    from ..readers.tensor_statistics import histogram

    bars = histogram(info, found)
    if not bars:
        return None
    step = bars[0][1] - bars[0][0]
    middles = [f"{round((low + high) / 2 / step, 2) * step:.3g}" for low, high in pairwise(bars[0])]
    return Histogram(info.name, middles, [float(count) for count in bars[1]], "value", "numbers")


def _constants(rows: list[tuple[TensorInfo, Statistics, str | None]], code: str) -> list[list[Plain]]:
    some = [(info, found) for info, found, what in rows if what == code]
    return [[info.name, shape(info), found.minimum if found.constant else None] for info, found in some]


def _statistics(info: TensorInfo, found: Statistics, code: str | None) -> list[Plain]:
    zeros = found.zeros / found.count if found.count else None
    return [info.name, shape(info), info.dtype, zeros, found.minimum, found.maximum, found.mean, found.std, code]


def _summary(
    where: Where,
    common: dict[str, Any],
    checkpoint: Checkpoint,
    rows: list[tuple[TensorInfo, Statistics, str | None]],
) -> Iterator[Finding]:
    """What is told once a checkpoint."""

    def together(code: str, names: list[str], tables: list[Table], incomplete: bool = False) -> Finding:
        data = common | {"count": len(names), "names": shown(names)}
        return Finding(code, Level.INFO, where, data, [*tables], incomplete=incomplete)

    for code, title in (("known-initialisation", "known"), ("constant-vectors", "vectors")):
        if cells := _constants(rows, code):
            yield together(code, [str(row[0]) for row in cells], [table(title, ["name", "shape", "value"], cells)])
    unread = [info for info in checkpoint.tensors if info.obstacle]
    if unread:
        yield together("not-examined", [info.name for info in unread], obstacles(unread), incomplete=True)
    weights = [info for info in checkpoint.weights if info.floating and info.size]
    if not weights and not unread:
        yield Finding("no-weights", Level.INFO, where, common | {"path": where.path}, incomplete=True)
    head = ["name", "shape", "dtype", "zeros", "min", "max", "mean", "std", "verdict"]
    every = table("statistics", head, [*starmap(_statistics, rows)])
    data = common | {
        "path": where.path,
        "format": checkpoint.format,
        "weights": len(checkpoint.weights),
        "states": len(checkpoint.tensors) - len(checkpoint.weights),
        "bytes": sum(info.nbytes for info in checkpoint.tensors),
    }
    yield Finding("examined", Level.INFO, where, data, [every])


_HEALTHY = {
    "conv.weight": drawn(4, 3, 3, 3),
    "bn.moving_mean": ([4], [0.0] * 4),
    "bn.moving_variance": ([4], [1.0] * 4),
    "bn.gamma": ([4], [1.0] * 4),
    "bn.beta": ([4], [0.0] * 4),
    "fc.weight": drawn(2, 4),
    "fc.bias": ([2], [0.0] * 2),
    "moments.fc.weight": ([2, 4], [0.0] * 8),
}

EXAMPLES = [
    Example(
        "random weights, zero biases and moments",
        files={"init.ckpt": ckpt(_HEALTHY)},
        case={"checkpoints": {"initial": "init.ckpt"}},
        verdict=Verdict.OK,
    ),
    Example(
        "a zero layer, a constant one, and one with equal units",
        files={
            "init.ckpt": ckpt(
                _HEALTHY
                | {
                    "fc.weight": ([2, 4], [0.0] * 8),
                    "head.weight": ([3, 2], [0.5] * 6),
                    "conv.weight": ([2, 3], [0.1, -0.2, 0.3] * 2),
                }
            )
        },
        case={"checkpoints": {"initial": "init.ckpt"}},
        verdict=Verdict.PROBLEM,
        codes=("all-zero", "constant", "same-units"),
    ),
    Example(
        "a trained checkpoint with a NaN",
        files={"last.ckpt": ckpt(_HEALTHY | {"fc.weight": ([2, 2], [0.1, float("nan"), 0.2, 0.3])})},
        case={"checkpoints": {"current": "last.ckpt"}},
        verdict=Verdict.PROBLEM,
        codes=("non-finite",),
    ),
    Example(
        "a normalisation that starts at zero",
        files={"init.ckpt": ckpt(_HEALTHY | {"bn.gamma": ([4], [0.0] * 4)})},
        case={"checkpoints": {"initial": "init.ckpt"}},
        verdict=Verdict.UNDECIDED,
        codes=("zero-gamma",),
    ),
]
