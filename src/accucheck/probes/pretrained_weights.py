"""Tells whether the weights of the pretrained file got into the network, and whether they are those of the benchmark.

Compares checkpoints.pretrained with checkpoints.initial (saved after loading, before the first step), or with checkpoints.current where
there is no initial one; and with checkpoints.reference, the file that the benchmark loads. Tensors are matched by name, and what is
left by content, so that renaming does no harm. Heads that are replaced are known by their names. A trained checkpoint tells names and
shapes only. Where the names are those of another framework, the parameter map says which weight is which, also of those that a conversion
splits, joins or reshapes; otherwise such tensors are not recognised. Training state is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from ..case import Case
from ..errors import ReadError
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Plain, Progress, Verdict, Where
from ..probe import Example
from . import _checkpoints
from ._checkpoints import (
    DIFFERENCE,
    STATISTICS,
    Threads,
    ckpt,
    difference,
    drawn,
    not_compared,
    of_tensors,
    shape,
    table,
    unreadable,
)

if TYPE_CHECKING:
    from ..parameter_map import ParameterMap
    from ..readers.checkpoints import Checkpoint
    from ..readers.tensor_comparison import Comparison, Pairs
    from ..readers.tensors import TensorInfo

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = (
    "checkpoints.pretrained",
    ("checkpoints.initial", "checkpoints.current", "checkpoints.reference"),
)

#: Output layers and additions of fine-tuning, by the names they usually have.
REPLACED = (
    *(
        "*head*",
        "*classifier*",
        "fc.*",
        "*.fc.*",
        "*end_point*",
        "*logits*",
        "*cls_score*",
        "*bbox_pred*",
        "*output_layer*",
    ),
    *("*pooler*", "*lora_*", "*adapter*", "*prompt*"),
)


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    replaced: Annotated[
        tuple[str, ...],
        Meta(
            description="patterns (* and ?, any case) of names that are replaced or added by design",
            extra={"unit": "names", "source": "names of output layers and adapters in public models"},
        ),
    ] = REPLACED
    rtol: Annotated[
        float,
        Meta(
            ge=0,
            description="relative difference that counts as equal; rounding to the coarser of two types always does",
            extra={"unit": "1", "source": "numpy.isclose"},
        ),
    ] = 1e-5
    atol: Annotated[
        float,
        Meta(
            ge=0,
            description="absolute difference that counts as equal",
            extra={"unit": "of the weights", "source": "numpy.isclose"},
        ),
    ] = 1e-8
    threads: Threads = 2


MESSAGES: Words = {
    **_checkpoints.MESSAGES,
    **_checkpoints.UNREADABLE,
    "nothing-loaded": {
        "en": "None of the {count:,} weights of {source} is in {target} with its values: nothing was loaded. "
        "Vectors, which start "
        "alike in any network, are not counted.",
        "zh": "{source} 的 {count:,} 个权重没有一个以原值出现在 {target} 中：没有加载成功。一维参数在各网络中初值往往相同，不计入。",
    },
    "nothing-found": {
        "en": "None of the {count:,} weights of {source} was found in {target}, by name or by content. A conversion "
        "may have changed them. "
        "Vectors, which start alike in any network, are not counted.",
        "zh": "无论按名称还是按内容，{source} 的 {count:,} 个权重都没有在 {target} 中找到，可能经过了格式转换，无法判断。"
        "一维参数在各网络中初值往往相同，不计入。",
    },
    "values-differ": {
        "en": "{count:,} {count:weight has|weights have} other values in {target} than in {source}, by up to "
        "{largest:.3g}: {names}.",
        "zh": "有 {count:,} 个权重在 {target} 中的值与 {source} 不同，最大差值 {largest:.3g}：{names}。",
    },
    "statistics-differ": {
        "en": "{count:,} moving statistics have other values in {target} than in {source}: {names}. They move as soon "
        "as the network "
        "runs in training mode.",
        "zh": "有 {count:,} 个滑动统计量在 {target} 中的值与 {source} 不同：{names}。网络只要以训练模式运行过，它们就会变化。",
    },
    "trained": {
        "en": "{count:,} {count:weight has|weights have} different values in {target}, a trained checkpoint, and in {source}; whether "
        "{count:it was|they were} loaded cannot be determined. Set checkpoints.initial to the checkpoint before the first step.",
        "zh": "{target} 是训练过的 checkpoint，其中 {count:,} 个权重的值与 {source} 不同，无法判断当初是否加载。"
        "请把第一步之前保存的 checkpoint 填到 checkpoints.initial。",
    },
    "shapes-differ": {
        "en": "{count:,} {count:weight has|weights have} different shapes in {target} and {source}, so {count:it|they} cannot have "
        "been loaded: {names}.",
        "zh": "有 {count:,} 个权重在 {target} 与 {source} 中形状不同，不可能加载成功：{names}。",
    },
    "names-differ": {
        "en": "{count:,} {count:weight|weights} of {source} {count:was|were} not loaded: in {target} "
        "{count:its name differs|their names differ} by “{prefix}” in front ({names}).",
        "zh": "{source} 中有 {count:,} 个权重没有加载：它们在 {target} 中的名称相差前缀“{prefix}”（{names}）。",
    },
    "left-over": {
        "en": "{count:,} {count:weight|weights} of {source} {count:is|are} not in {target}, by name or by content: "
        "{names}. Right only if left out "
        "by design.",
        "zh": "{source} 中有 {count:,} 个权重，按名称和内容都未在 {target} 中找到：{names}。仅当有意不加载时才合理。",
    },
    "new-inside": {
        "en": "{count:,} {count:weight|weights} of {target} {count:does|do} not come from {source}, although others of the same part "
        "of the network do: {names}.",
        "zh": "{target} 中有 {count:,} 个权重不是来自 {source}，而网络同一部分的其他权重来自该文件：{names}。",
    },
    "new-layers": {
        "en": "{count:,} {count:weight|weights} of {target} {count:is|are} of parts that {source} does not have: "
        "{names}.",
        "zh": "{target} 中有 {count:,} 个权重属于 {source} 没有的部分：{names}。",
    },
    "replaced": {
        "en": "{count:,} {count:weight|weights} of heads and additions, judged by "
        "{count:its name or place|their names or places}, {count:does|do} not come from {source}: {names}.",
        "zh": "有 {count:,} 个权重不是来自 {source}，从名称或位置看属于替换的分类头或新增结构：{names}。",
    },
    "renamed": {
        "en": "{count:,} {count:weight|weights} of {source} {count:is|are} in {target} under a different name: {names}.",
        "zh": "{source} 中有 {count:,} 个权重以另外的名称出现在 {target} 中：{names}。",
    },
    "no-weights": {
        "en": "{source} holds no floating-point weights.",
        "zh": "{source} 中没有浮点类型的权重。",
    },
    "other-framework": {
        "en": "{source} has the names of another framework: {count:,} {count:weight was|weights were} paired by the parameter map "
        "(cmp.05).",
        "zh": "{source} 采用另一框架的名称：按参数映射（cmp.05）配对了 {count:,} 个权重。",
    },
    "examined": {
        "en": "{equal:,} of {count:,} weights of {source} are in {target} with their values.",
        "zh": "{source} 的 {count:,} 个权重中，有 {equal:,} 个以原值出现在 {target} 中。",
    },
    "fix-load": {
        "en": "Check the return value of load_param_into_net: it lists the names that were not loaded. Load after all initialisation, "
        "and save checkpoints.initial after loading.",
        "zh": "查看 load_param_into_net 的返回值，其中列出了未加载的名称。应在所有初始化之后加载，并在加载之后保存 checkpoints.initial。",
    },
    "fix-names": {
        "en": "Rename before loading: add or remove “{prefix}” in the keys of the dict that load_checkpoint returns.",
        "zh": "加载前先改名：在 load_checkpoint 返回的字典的键上补上或去掉“{prefix}”。",
    },
    "fix-shapes": {
        "en": "Load the file of this network (depth, width, input channels), or leave these weights out and name them in `replaced`.",
        "zh": "改用与该网络（深度、宽度、输入通道）相符的权重文件；若有意不加载，请写入参数 `replaced`。",
    },
    "fix-same": {
        "en": "Convert the file that the benchmark loads, and load the outcome.",
        "zh": "对标杆脚本所加载的文件做格式转换，并加载转换结果。",
    },
}

_START: Words = {
    "why": {
        "en": "Layers that stay at random values below or among loaded ones spoil what those have learned; training starts almost from "
        "scratch.",
        "zh": "随机初值的层夹在已加载的层之间，会破坏预训练得到的特征，训练几乎等于从头开始。",
    },
    "proof": {
        "en": "Print the mean of one of these weights before and after load_param_into_net: it must change, and match the file. If "
        "they are new by design, list them in `replaced`.",
        "zh": "在 load_param_into_net 前后打印其中一个权重的均值：加载后应变化，并与文件中的一致。"
        "若本来就是新增的，请写入参数 `replaced`。",
    },
}
_CODES = (
    "nothing-loaded",
    "nothing-found",
    "values-differ",
    "shapes-differ",
    "names-differ",
    "left-over",
    "new-inside",
)
WHY: Words = dict.fromkeys(_CODES, _START["why"])
PROOF: Words = dict.fromkeys(_CODES, _START["proof"])

WORDS: Words = {
    **_checkpoints.WORDS,
    "values-differ": {"en": "Values that differ", "zh": "数值不同的权重"},
    "statistics-differ": {"en": "Moving statistics that differ", "zh": "不同的滑动统计量"},
    "trained": {"en": "Values that differ", "zh": "数值不同的权重"},
    "shapes-differ": {"en": "Shapes that differ", "zh": "形状不同的权重"},
    "names-differ": {"en": "Names that differ by a prefix", "zh": "名称相差前缀的权重"},
    "left-over": {"en": "Not in the network", "zh": "不在网络中的权重"},
    "new-inside": {"en": "Not from the file", "zh": "不是来自该文件的权重"},
    "new-layers": {"en": "Not from the file", "zh": "不是来自该文件的权重"},
    "replaced": {"en": "Replaced or added", "zh": "替换或新增的权重"},
    "renamed": {"en": "Under another name", "zh": "名称不同的权重"},
    "other-name": {"en": "Other name", "zh": "另一名称"},
    "all": {"en": "Difference of each weight", "zh": "各权重的差异"},
}

_Row = tuple["TensorInfo", "TensorInfo", "Comparison"]


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    """Raises ReadError when the pretrained file, or all that it is compared with, cannot be read."""
    from ..readers.checkpoints import open_checkpoint

    (pretrained,) = case.paths("checkpoints.pretrained")
    source = open_checkpoint(pretrained)
    role = "initial" if case.get("checkpoints.initial") else "current"
    failed: list[tuple[Path, ReadError]] = []
    examined = False
    for other in (role, "reference"):
        for path in case.paths(f"checkpoints.{other}"):
            try:
                second = open_checkpoint(path)
                # The benchmark's file should have come into the pretrained one, as that into the network.
                pair = (second, source) if other == "reference" else (source, second)
                yield from _judge(case, params, *pair, other)
                examined = True
            except ReadError as error:
                failed.append((path, error))
    if not examined:
        raise failed[0][1]
    for path, reason in failed:
        yield unreadable(case.relative(path), reason)


class _UnmatchedByName(NamedTuple):
    """What names alone did not match: pairs of equal content, and what stands on one side only."""

    found: list[_Row]
    source: list[TensorInfo]
    target: list[TensorInfo]


def _judge(
    case: Case, params: Params, source: Checkpoint, target: Checkpoint, role: str
) -> Iterator[Finding | Progress]:
    from ..parameter_map import other_names, pair_parameters, under_names
    from ..readers.tensor_comparison import compare, pair

    where = Where(case.relative(target.path))
    common: dict[str, Any] = {"source": case.relative(source.path), "target": where.path}
    weights, others = _weights(source), _weights(target)
    if other_names(source, target):
        found = _by_names(pair_parameters(others, weights))
        weights = under_names(found)
        if found.pairs:
            yield Finding("other-framework", Level.INFO, where, common | {"count": len(found.pairs)})
    if not weights:
        yield Finding("no-weights", Level.INFO, where, common, incomplete=True)
        return
    pairs = pair(weights, others)
    rows: list[_Row] = []
    yield Progress(0, len(pairs.same), "tensors")
    for row in compare(pairs.same, params.threads, params.rtol, params.atol):
        rows.append(row)
        yield Progress(len(rows), len(pairs.same), "tensors")
    found_weights = _FoundWeights(
        params, role, source, target, where, common, weights, others, pairs, rows, _by_content(params, pairs)
    )
    yield from found_weights.findings() if found_weights.arrived() else found_weights.nothing()


@dataclass
class _FoundWeights:
    """What of the weights of `source` is in `target`: `rows` compares tensors of one name, `left` is what names alone did not match."""

    params: Params
    role: str
    source: Checkpoint
    target: Checkpoint
    where: Where
    common: dict[str, Any]
    weights: list[TensorInfo]
    others: list[TensorInfo]
    pairs: Pairs
    rows: list[_Row]
    left: _UnmatchedByName

    def __post_init__(self) -> None:
        self.equal = [row for row in self.rows if not row[2].outside] + self.left.found
        differing = sorted((row for row in self.rows if row[2].outside), key=lambda row: -row[2].largest)
        self.differing = [row for row in differing if not self.replaced(row[0])]
        #: Output layers and the like, which fine-tuning makes anew.
        self.new = [row[0] for row in differing if self.replaced(row[0])]

    def replaced(self, info: TensorInfo) -> bool:
        return any(fnmatchcase(info.name.lower(), pattern.lower()) for pattern in self.params.replaced)

    @property
    def telling(self) -> list[TensorInfo]:
        """Vectors begin at zero or one in any network: matrices prove that something was loaded, where there are any."""
        return [info for info in self.weights if _matrix(info)] or self.weights

    def arrived(self) -> bool:
        """Whether anything was loaded; of a trained checkpoint, whether any name is the same."""
        equal = bool({row[0] for row in self.equal}.intersection(self.telling))
        return equal or (self.role == "current" and bool(self.rows))

    def nothing(self) -> Iterator[Finding]:
        types = [{info.dtype for info in side} for side in (self.weights, self.others)]
        alike = self.source.format == self.target.format and types[0] == types[1]
        certain = bool(self.rows) or (self.role != "current" and alike)
        code, level = ("nothing-loaded", Level.PROBLEM) if certain else ("nothing-found", Level.SUSPECT)
        prefix = _prefix(self.left.source, self.left.target)
        data = self.common | {"count": len(self.telling), "prefix": prefix[0] if prefix else ""}
        cells = [difference(*row) for row in self.rows]
        evidence = [table("all", DIFFERENCE, cells)] if cells else []
        yield Finding(code, level, self.where, data, [*evidence], Fix("fix-names" if prefix else self.fix))
        yield from not_compared(self.pairs, self.where, {})

    @property
    def fix(self) -> str:
        return "fix-same" if self.role == "reference" else "fix-load"

    def findings(self) -> Iterator[Finding]:
        yield from self.of_values()
        yield from self.of_shapes()
        yield from self.of_names()
        yield from self.told("replaced", Level.INFO, _cells(self.new), ["name", "shape", "dtype"])
        cells = [[one.name, other.name, shape(one)] for one, other, _ in self.left.found]
        yield from self.told("renamed", Level.INFO, cells, ["name", "other-name", "shape"])
        yield from not_compared(self.pairs, self.where, {})
        data = self.common | {"equal": len(self.equal), "count": len(self.weights)}
        evidence = [table("all", DIFFERENCE, [difference(*row) for row in self.differing + self.equal])]
        yield Finding("examined", Level.INFO, self.where, data, [*evidence])

    def told(
        self,
        code: str,
        level: Level,
        cells: Sequence[Sequence[Plain]],
        columns: list[str],
        fix: str | None = None,
        **data: Any,
    ) -> Iterator[Finding]:
        return of_tensors(self.where, self.common, code, level, columns, cells, fix, **data)

    def of_values(self) -> Iterator[Finding]:
        """Tensors of one name and shape with other values, which training may have given them."""
        if self.role == "current":
            cells = [difference(*row) for row in self.differing]
            yield from self.told("trained", Level.INFO, cells, DIFFERENCE, incomplete=True)
            return
        for code, level, statistics in (
            ("values-differ", Level.PROBLEM, False),
            ("statistics-differ", Level.SUSPECT, True),
        ):
            some = [row for row in self.differing if (STATISTICS.search(row[0].name) is not None) is statistics]
            largest = min(some[0][2].largest, 1e300) if some else 0.0
            cells = [difference(*row) for row in some]
            yield from self.told(code, level, cells, DIFFERENCE, self.fix, largest=largest)

    def of_shapes(self) -> Iterator[Finding]:
        self.new += [info for info, _ in self.pairs.shapes if self.replaced(info)]
        shapes = [(info, other) for info, other in self.pairs.shapes if not self.replaced(info)]
        one_layer = len({info.name.rpartition(".")[0] for info, _ in shapes}) == 1
        if one_layer and all(map(_other_outputs, shapes)):  # an output layer, whatever its name
            self.new += [info for info, _ in shapes]
            shapes = []
        cells = [[info.name, shape(info), shape(other)] for info, other in shapes]
        yield from self.told("shapes-differ", Level.PROBLEM, cells, ["name", "shape", "other-shape"], "fix-shapes")

    def of_names(self) -> Iterator[Finding]:
        """Tensors that one side alone has: of other names, lost, or added."""
        left = self.left
        self.new += [info for info in (*left.source, *left.target) if self.replaced(info)]
        lost = [info for info in left.source if not self.replaced(info)]
        added = [info for info in left.target if not self.replaced(info)]
        if prefix := _prefix(lost, added):
            front, both = prefix
            cells = [[info.name, other.name, shape(info)] for info, other in both]
            level = Level.PROBLEM if self.role == "initial" else Level.SUSPECT
            yield from self.told(
                "names-differ", level, cells, ["name", "other-name", "shape"], "fix-names", prefix=front
            )
            matched = {info for pair in both for info in pair}
            lost = [info for info in lost if info not in matched]
            added = [info for info in added if info not in matched]
        yield from self.told("left-over", Level.SUSPECT, _cells(lost), ["name", "shape", "dtype"])
        part = _parts(info.name for info in self.others)
        loaded = {part(row[1].name) for row in self.equal}
        inside = [info for info in added if part(info.name) in loaded]
        yield from self.told("new-inside", Level.SUSPECT, _cells(inside), ["name", "shape", "dtype"])
        outside = [info for info in added if part(info.name) not in loaded]
        yield from self.told("new-layers", Level.INFO, _cells(outside), ["name", "shape", "dtype"])


def _by_names(found: ParameterMap) -> ParameterMap:
    """Without the pairs that rest on order and shape: the content tells better."""
    pairs = [pair for pair in found.pairs if pair.how in ("name", "prefix", "words")]
    rest = [pair.right for pair in found.pairs if pair not in pairs]
    return msgspec.structs.replace(found, pairs=pairs, right=[*found.right, *rest])


def _weights(checkpoint: Checkpoint) -> list[TensorInfo]:
    return [info for info in checkpoint.weights if (info.floating or info.obstacle) and info.size]


def _matrix(info: TensorInfo) -> bool:
    return sum(size > 1 for size in info.shape) > 1


def _cells(tensors: Iterable[TensorInfo]) -> list[list[Plain]]:
    return [[info.name, shape(info), info.dtype] for info in tensors]


def _other_outputs(both: tuple[TensorInfo, TensorInfo]) -> bool:
    """Whether two shapes differ in the first axis only."""
    return both[0].shape[1:] == both[1].shape[1:]


def _beginning(info: TensorInfo) -> tuple[tuple[int, ...], bytes]:
    """The shape of a tensor and its first values."""
    from ..readers.tensors import chunks

    values = next(chunks(info, 0, 256))
    return info.shape, (values if values.dtype.kind == "c" else values.astype("f4")).tobytes()


def _by_content(params: Params, pairs: Pairs) -> _UnmatchedByName:
    """The tensors that stand on one side only, matched by the content of tensors on the other."""
    from ..readers.tensor_comparison import compare

    waiting: dict[tuple[tuple[int, ...], bytes], list[TensorInfo]] = {}
    if pairs.left:
        for info in reversed(pairs.right):
            if not info.obstacle:
                waiting.setdefault(_beginning(info), []).append(info)
    candidates = []
    for info in pairs.left if waiting else ():
        if not info.obstacle and (others := waiting.get(_beginning(info))):
            candidates.append((info, others.pop()))
    found = [row for row in compare(candidates, params.threads, params.rtol, params.atol) if not row[2].outside]
    taken = {info for left, right, _ in found for info in (left, right)}
    left, right = ([info for info in side if info not in taken] for side in (pairs.left, pairs.right))
    return _UnmatchedByName(found, left, right)


def _prefix(
    source: list[TensorInfo], target: list[TensorInfo]
) -> tuple[str, list[tuple[TensorInfo, TensorInfo]]] | None:
    """The front by which most names of the two sides differ, and the tensors of one shape that differ by it."""
    fitting: dict[str, list[tuple[TensorInfo, TensorInfo]]] = {}
    for longer, others, turned in ((source, target, False), (target, source, True)):
        names = {info.name: info for info in others}
        for info in longer:
            parts = info.name.split(".")
            for cut in range(1, min(len(parts), 20)):
                other = names.get(".".join(parts[cut:]))
                if other is not None and other.shape == info.shape:
                    front = ".".join(parts[:cut]) + "."
                    fitting.setdefault(front, []).append((other, info) if turned else (info, other))
                    break
    return max(fitting.items(), key=lambda entry: len(entry[1])) if fitting else None


def _parts(names: Iterable[str]) -> Callable[[str], str]:
    """What gives the part of a network that a name is in: its first component that is not the same in all names."""
    split = [name.split(".") for name in names]
    depth = 0
    while len({tuple(parts[: depth + 1]) for parts in split}) == 1 and len(split[0]) > depth + 2:
        depth += 1
    return lambda name: ".".join(name.split(".")[: depth + 1])


_BASE = {
    "backbone.0.weight": drawn(4, 3, 3, 3),
    "backbone.1.gamma": drawn(4),
    "backbone.2.weight": drawn(5, 4),
    "fc.weight": drawn(6, 5),
    "moments.fc.weight": ([6, 5], [0.0] * 30),
}
_TUNED = {
    **{name: weights for name, weights in _BASE.items() if name.startswith("backbone")},
    "fc.weight": drawn(2, 5, seed=1),
    "neck.weight": drawn(3, 3, seed=1),
}
_FRESH = {name: drawn(*weights[0], seed=2) for name, weights in _TUNED.items()}


_CONVERTED = {
    "conv.weight": drawn(4, 3, 3, 3),
    "bn.gamma": drawn(4, seed=1),
    "bn.beta": drawn(4, seed=2),
    "bn.moving_mean": drawn(4, seed=3),
    "neck.weight": drawn(4, 4),
}


def _safetensors(tensors: dict[str, Any]) -> bytes:
    """A .safetensors of float32."""
    import json
    from array import array

    header: dict[str, Any] = {}
    content = b""
    for name, (dims, values) in tensors.items():
        data = array("f", values).tobytes()
        header[name] = {"dtype": "F32", "shape": dims, "data_offsets": [len(content), len(content) + len(data)]}
        content += data
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + content


def _example(
    name: str, network: dict[str, Any], verdict: Verdict, *codes: str, role: str = "initial", base: Any = None
) -> Example:
    return Example(
        name,
        files={"base.ckpt": ckpt(base or _BASE), "net.ckpt": ckpt(network)},
        case={"checkpoints": {"pretrained": "base.ckpt", role: "net.ckpt"}},
        verdict=verdict,
        codes=codes,
    )


def _named(weights: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    return {name.replace(old, new): values for name, values in weights.items()}


EXAMPLES = [
    _example("a loaded backbone, a new neck and a new head", _TUNED, Verdict.OK, "replaced", "new-layers"),
    _example("renamed while it was loaded", _named(_TUNED, "backbone", "encoder"), Verdict.OK, "renamed"),
    _example("nothing was loaded", _FRESH, Verdict.PROBLEM, "nothing-loaded"),
    _example(
        "a layer was not loaded",
        _TUNED | {"backbone.2.weight": _FRESH["backbone.2.weight"]},
        Verdict.PROBLEM,
        "values-differ",
    ),
    _example(
        "the names differ by a prefix, and a part was not loaded",
        _TUNED,
        Verdict.PROBLEM,
        "names-differ",
        base=_BASE | {"network.neck.weight": drawn(3, 3)},
    ),
    _example(
        "another depth and another width",
        _TUNED
        | {"backbone.0.weight": drawn(8, 3, 3, 3), "backbone.1.gamma": drawn(8), "backbone.3.weight": drawn(5, 5)},
        Verdict.PROBLEM,
        "shapes-differ",
        "new-inside",
    ),
    _example("a trained network", _FRESH, Verdict.UNDECIDED, "trained", role="current"),
    Example(
        "a file of PyTorch that was converted, but for a layer",
        files={
            "base.safetensors": _safetensors(
                {
                    "conv.weight": _CONVERTED["conv.weight"],
                    "bn.weight": _CONVERTED["bn.gamma"],
                    "bn.bias": _CONVERTED["bn.beta"],
                }
                | {"bn.running_mean": drawn(4, seed=3), "neck.weight": drawn(4, 4, seed=9)}
            ),
            "net.ckpt": ckpt(_CONVERTED),
        },
        case={"checkpoints": {"pretrained": "base.safetensors", "initial": "net.ckpt"}},
        verdict=Verdict.PROBLEM,
        codes=["other-framework", "values-differ"],
    ),
    _example(
        "the file of the benchmark is another one",
        _BASE | {"backbone.2.weight": drawn(5, 4, seed=3)},
        Verdict.PROBLEM,
        "values-differ",
        role="reference",
    ),
]
