"""Reads with which arguments the layers of a watched training were made, and what they did to the shapes they were given.

Catches a momentum of BatchNorm in PyTorch's sense, one of 1, dropout that leaves hardly anything, and a recurrent layer that runs along
the samples of a batch instead of along the sequence. Lists each kind of layer with its arguments. Cannot tell whether another argument
suits the task, nor functions that are called without a layer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Evidence, Finding, Fix, Kind, Level, Plain, Progress, Refutes, Verdict, Where
from ..model import suggest as usual
from ..probe import Example
from . import _watched_networks
from ._checkpoints import shown, table
from ._watched_examples import recording
from ._watched_networks import WatchedNetworks

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("watched",)


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    momentum: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="a momentum of BatchNorm below this is one in PyTorch's sense",
            extra={
                "unit": "1",
                "source": "MindSpore keeps this share of the moving statistics (0.9), PyTorch takes it from the batch (0.1)",
            },
        ),
    ] = 0.5
    drops: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="a probability of dropping above this is suspect",
            extra={"unit": "1", "source": "own choice: published networks drop at most 0.5 to 0.7"},
        ),
    ] = 0.75


MESSAGES: Words = {
    **_watched_networks.MESSAGES,
    "momentum-reversed": {
        "en": "{count:,} {count:BatchNorm was|BatchNorms were} created with momentum={value:g} ({names}): MindSpore keeps that share "
        "of the moving statistics, so that {new:.2g} of them comes from the last batch.",
        "zh": "有 {count:,} 个 BatchNorm 的 momentum={value:g}（{names}）：MindSpore 中这是滑动统计量保留的比例，"
        "即每一步有 {new:.2g} 来自当前 batch。",
    },
    "momentum-one": {
        "en": "{count:,} {count:BatchNorm was|BatchNorms were} created with momentum=1 ({names}): in MindSpore the moving statistics "
        "never change.",
        "zh": "有 {count:,} 个 BatchNorm 的 momentum=1（{names}）：在 MindSpore 中滑动统计量永远不会更新。",
    },
    "drops-most": {
        "en": "{count:,} {count:Dropout drops|Dropouts drop} {value:.0%} of {count:its|their} input ({names}).",
        "zh": "有 {count:,} 个 Dropout 丢弃 {value:.0%} 的输入（{names}）。",
    },
    "runs-over-batch": {
        "en": "{names} was created with batch_first=False and outputs {shape}, while the batch has {batch:,} samples: it runs along "
        "the samples and treats the {length:,} positions of the sequence as a batch.",
        "zh": "{names} 的 batch_first=False，输出形状为 {shape}，而 batch 有 {batch:,} 个样本：它沿样本方向循环，"
        "把序列的 {length:,} 个位置当作了 batch。",
    },
    "layers": {
        "en": "{count:,} layers of {kinds:,} {kinds:kind|kinds} ran in the watched training; the arguments of {judged:,} of them were "
        "checked here.",
        "zh": "所观察的训练运行了 {kinds:,} 类共 {count:,} 个层，其中 {judged:,} 个的参数在此作了判断。",
    },
    "fix-momentum": {
        "en": "Give 1 - momentum of PyTorch: 0.9 where that was 0.1.",
        "zh": "改为 1 减去 PyTorch 的 momentum：原为 0.1 的写 0.9。",
    },
    "fix-drop": {
        "en": "Give the probability of dropping: p = 1 - keep_prob.",
        "zh": "p 是丢弃的概率：p = 1 - keep_prob。",
    },
    "fix-batch-first": {
        "en": "Make the layer with batch_first=True, or swap the first two axes before and after it.",
        "zh": "创建该层时设 batch_first=True，或在其前后交换前两个维度。",
    },
}
_STATISTICS = {
    "en": "Evaluation uses the moving statistics: those of a single batch, or the initial ones, do not fit the data.",
    "zh": "评估使用滑动统计量：若几乎只来自一个 batch，或停留在初始值，就与数据不符。",
}
WHY: Words = {
    **dict.fromkeys(("momentum-reversed", "momentum-one"), _STATISTICS),
    "drops-most": {
        "en": "The network learns from a small random part of its features, which slows training down and underfits.",
        "zh": "网络每次只用到很小一部分随机特征，训练缓慢且欠拟合。",
    },
    "runs-over-batch": {
        "en": "The state goes from one sample to the next, and nothing is learned along the sequence; results depend on the batch.",
        "zh": "状态在样本之间传递，沿序列方向什么也没学到；结果还取决于 batch 的组成。",
    },
}
_MEAN = {
    "en": "Print moving_mean of the layer before and after ten steps.",
    "zh": "在训练 10 步前后打印该层的 moving_mean。",
}
PROOF: Words = {
    **dict.fromkeys(("momentum-reversed", "momentum-one"), _MEAN),
    "drops-most": {
        "en": "Print the share of zeros in the layer's output in training mode.",
        "zh": "在训练模式下打印该层输出中 0 的比例。",
    },
    "runs-over-batch": {
        "en": "Run the network on one sample alone and within a batch: the outputs must be equal.",
        "zh": "分别单独输入一个样本和放在 batch 中输入：两次输出应当相同。",
    },
}
WORDS: Words = {
    **_watched_networks.WORDS,
    "arguments": {"en": "Arguments of the layers", "zh": "各层的参数"},
    "count": {"en": "Layers", "zh": "层数"},
    "given": {"en": "Arguments", "zh": "参数"},
}
_RECURRENT = ("LSTM", "GRU", "RNN")
#: Kinds of layers in the table, and arguments of one.
_ROWS, _ARGUMENTS = 40, 8
#: One layer of a network: its name, class, place, and arguments.
_Cell = tuple[str, str, Any, dict[str, Any]]


#: What reading the scripts says of calls that MindSpore refuses, and that a layer which was made in that line proves wrong.
#: What is said of arguments that a layer turns out not to have: of its momentum, and of the share that it drops.
MOMENTUM = ["momentum-one", "momentum-reversed", "momentum-as-epsilon"]
DROPPED = ["drops-a-keep-rate", "keeps-a-drop-rate", "keeps-little"]
#: What is usual of both: a weight of old statistics from here on, an epsilon up to here, and less than this dropped, as of a share to keep
#: hardly anyone gives so little.
_MOMENTUM, _EPSILON, _FEW = 0.5, 1e-2, 0.5
REFUSED = ["keyword", "twice", "positional", "gone"]


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    seen = _watched_networks.seen(case)
    if not isinstance(seen, WatchedNetworks):
        yield Finding("no-steps", Level.INFO, Where(seen.path), {"path": seen.path}, incomplete=True)
        return
    ran = {call.name for one in seen.passes if one.training for call in seen.calls(one)}
    cells = [
        (name, kind, place, given)
        for network in seen.networks.values()
        if network.number in seen.trained
        for name, kind, place, given in network.cells
        if name in ran and kind.startswith("mindspore.")
    ]
    judged = [*_momentum(seen, cells, params), *_dropout(seen, cells, params), *_recurrent(seen, cells)]
    yield from judged
    known = sum(
        "momentum" in given or "batch_first" in given or _drops(one) is not None for one in cells for given in one[3:]
    )
    kinds = {kind for _, kind, _, _ in cells}
    data = {"count": len(cells), "kinds": len(kinds), "judged": known}
    yield Finding("layers", Level.INFO, seen.watch.where(), data, [_table(cells)], refutes=_refuted(cells))


def suggest(findings: Iterable[Finding]) -> Verdict:
    """Arguments that are not judged may be wrong as well: without a problem nothing is decided."""
    return Verdict.PROBLEM if usual(findings) is Verdict.PROBLEM else Verdict.UNDECIDED


def _refuted(cells: list[_Cell]) -> list[Refutes]:
    """What is said of lines in which layers were made, and of arguments that all layers of a line have otherwise."""
    by_line: dict[tuple[str, int], list[_Cell]] = defaultdict(list)
    for cell in cells:
        if cell[2] is not None:
            by_line[cell[2]].append(cell)
    found = [Refutes("refused_calls", REFUSED, places=_lines(by_line))] if by_line else []
    for codes, usual_one in ((MOMENTUM, _keeps_statistics), (DROPPED, _drops_few)):
        lines = {place: some for place, some in by_line.items() if all(map(usual_one, some))}
        if lines:
            found.append(Refutes("api_differences", codes, places=_lines(lines)))
    return found


def _lines(places: Iterable[tuple[str, int]]) -> dict[str, list[list[int]]]:
    found: dict[str, list[list[int]]] = {}
    for path, line in places:
        found.setdefault(path, []).append([line, line])
    return found


def _keeps_statistics(cell: _Cell) -> bool:
    """Whether it is a BatchNorm whose momentum and epsilon are as usual."""
    momentum, epsilon = cell[3].get("momentum"), cell[3].get("eps")
    if "BatchNorm" not in cell[1] or not isinstance(momentum, float) or not isinstance(epsilon, float):
        return False
    return _MOMENTUM <= momentum < 1 and epsilon <= _EPSILON


def _drops_few(cell: _Cell) -> bool:
    """Whether it is a Dropout that drops something, and less than half."""
    drops = _drops(cell)
    return drops is not None and 0 < drops < _FEW


def _momentum(seen: WatchedNetworks, cells: list[_Cell], params: Params) -> Iterator[Finding]:
    found: dict[float, list[_Cell]] = defaultdict(list)
    for cell in cells:
        value = cell[3].get("momentum")
        own = cell[1].startswith("mindspore.nn.") and "BatchNorm" in cell[1].rpartition(".")[2]
        if own and isinstance(value, (int, float)) and not isinstance(value, bool):
            found[float(value)].append(cell)
    for value, some in found.items():
        if value == 1:
            yield _finding(seen, "momentum-one", Level.PROBLEM, some, {"value": value}, "fix-momentum")
        elif 0 < value < params.momentum:
            data = {"value": value, "new": 1 - value}
            yield _finding(seen, "momentum-reversed", Level.PROBLEM, some, data, "fix-momentum")


def _drops(cell: _Cell) -> float | None:
    """The probability of dropping of a Dropout."""
    _, kind, _, given = cell
    value = given.get("p")
    return float(value) if kind.rpartition(".")[2].startswith("Dropout") and isinstance(value, (int, float)) else None


def _dropout(seen: WatchedNetworks, cells: list[_Cell], params: Params) -> Iterator[Finding]:
    found: dict[float, list[_Cell]] = defaultdict(list)
    for cell in cells:
        value = _drops(cell)
        if value is not None and value > params.drops:
            found[value].append(cell)
    for value, some in found.items():
        yield _finding(seen, "drops-most", Level.SUSPECT, some, {"value": value}, "fix-drop")


def _recurrent(seen: WatchedNetworks, cells: list[_Cell]) -> Iterator[Finding]:
    """Recurrent layers whose first axis is that of the batch, in every pass, though they take the second for it."""
    shapes: dict[str, set[tuple[int, tuple[int, ...]]]] = defaultdict(set)
    for one in seen.passes:
        batch = _batch(one.batch) if one.training else None
        for call in seen.calls(one) if batch is not None else ():
            if call.gave and batch is not None:
                shapes[call.name].add((batch, tuple(call.gave[0].get("shape") or ())))
    for cell in cells:
        name, kind, _, given = cell
        if kind.rpartition(".")[2] not in _RECURRENT or given.get("batch_first") is not False:
            continue
        found = shapes.get(name, set())
        if found and all(len(shape) == 3 and shape[0] == batch != shape[1] for batch, shape in found):
            batch, shape = max(found)
            data = {"shape": "×".join(map(str, shape)), "batch": batch, "length": shape[1]}
            yield _finding(seen, "runs-over-batch", Level.PROBLEM, [cell], data, "fix-batch-first")


def _batch(given: list[dict[str, Any]]) -> int | None:
    """How many samples a batch has: the first axis of all that the pass was given, inputs and labels; None where that is not one."""
    sizes = {one["shape"][0] for one in given if one.get("shape")}
    return sizes.pop() if len(sizes) == 1 and len(given) > 1 else None


def _finding(
    seen: WatchedNetworks, code: str, level: Level, cells: list[_Cell], data: dict[str, Any], fix: str
) -> Finding:
    names = shown(name or kind.rpartition(".")[2] for name, kind, _, _ in cells)
    where = seen.watch.where(list(cells[0][2] or []))
    return Finding(code, level, where, data | {"count": len(cells), "names": names}, [_table(cells)], Fix(fix))


def _table(cells: list[_Cell]) -> Evidence:
    by: dict[tuple[str, str], list[_Cell]] = defaultdict(list)
    for cell in cells:
        given = ", ".join(f"{key}={value}" for key, value in list(cell[3].items())[:_ARGUMENTS])
        by[cell[1].rpartition(".")[2], given].append(cell)
    rows: list[list[Plain]] = [
        [kind, len(some), given, ":".join(map(str, some[0][2] or []))] for (kind, given), some in by.items()
    ]
    return table("arguments", ["kind", "count", "given", "place"], rows[:_ROWS])


def _example(name: str, verdict: Verdict, *codes: str, **args: Any) -> Example:
    files: dict[str, Any] = {"watch/pynative.jsonl": recording(**args)}
    return Example(name, files=files, case={"watched": "watch"}, verdict=verdict, codes=codes)


_DROPOUT = "mindspore.nn.layer.basic.Dropout"
_LSTM = "mindspore.nn.layer.rnns.LSTM"
EXAMPLES = [
    _example("momentum of MindSpore", Verdict.UNDECIDED, "layers", arguments={"norm": {"momentum": 0.9}}),
    _example("momentum of PyTorch", Verdict.PROBLEM, "momentum-reversed", arguments={"norm": {"momentum": 0.1}}),
    _example("momentum of 1", Verdict.PROBLEM, "momentum-one", arguments={"norm": {"momentum": 1.0}}),
    _example(
        "what is kept given as what is dropped",
        Verdict.UNDECIDED,
        "drops-most",
        kinds={"second": _DROPOUT},
        arguments={"second": {"p": 0.9}},
    ),
    _example(
        "along the samples",
        Verdict.PROBLEM,
        "runs-over-batch",
        kinds={"second": _LSTM},
        arguments={"second": {"batch_first": False}},
        shapes={"second": [16, 10, 8]},
        batch=16,
    ),
    _example(
        "along the sequence",
        Verdict.UNDECIDED,
        "layers",
        kinds={"second": _LSTM},
        arguments={"second": {"batch_first": False}},
        shapes={"second": [10, 16, 8]},
        batch=16,
    ),
]
