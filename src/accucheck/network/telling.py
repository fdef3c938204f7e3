"""A network in words and lines: rows of its tree, all that is known of one place, and what is to be said first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..language import Language, Words, visible, word
from .tree import MARKS, Cell, Network, SearchHit, Tensor, Traffic, Weight, each_marked

if TYPE_CHECKING:
    from .matching import NetworkMatch

WORDS: Words = {
    # marks, and how many there are of each
    "bad": {"en": "first NaN/Inf", "zh": "首个 NaN/Inf"},
    "not-finite-gradient": {"en": "gradient NaN/Inf", "zh": "梯度 NaN/Inf"},
    "never-called": {"en": "never called", "zh": "从未调用"},
    "unused": {"en": "not used", "zh": "未使用"},
    "no-gradient": {"en": "no gradient", "zh": "无梯度"},
    "shared": {"en": "shared", "zh": "共享"},
    "frozen": {"en": "frozen", "zh": "冻结"},
    "only-here": {"en": "only here", "zh": "仅此处有"},
    "other-shape": {"en": "other shape", "zh": "形状不同"},
    # what is said of the whole
    "head": {
        "en": "{title}: {cells:,} {cells:cell|cells}, {weights:,} {weights:weight|weights}, {held} elements ({format}: {source})",
        "zh": "{title}：{cells:,} 个 cell，{weights:,} 个权重，共 {held} 个元素（{format}：{source}）",
    },
    "recording": {"en": "recording", "zh": "运行记录"},
    "first-bad": {
        "en": "The first tensor with NaN or Inf: step {step}, output of {name} ({when}).",
        "zh": "首个含 NaN 或 Inf 的张量：第 {step} 步，由 {name} 输出（{when}）。",
    },
    "marked": {"en": "{mark}: {count:,}: {names}", "zh": "{mark}：{count:,} 处：{names}"},
    "only-there": {
        "en": "only in {source}: {count:,}: {names}",
        "zh": "仅在 {source} 中：{count:,} 个：{names}",
    },
    "beside": {
        "en": "beside {source}: {paired:,} {paired:weight|weights} paired",
        "zh": "与 {source} 对照：配对权重 {paired:,} 个",
    },
    "of-other": {"en": "{source}: {note}", "zh": "{source}：{note}"},
    "graph-weights-only": {
        "en": "A checkpoint holds only weights; calls, inputs and outputs need a recording or a dumped graph.",
        "zh": "checkpoint 只含权重：调用情况和输入输出要看运行记录或导出的计算图。",
    },
    "graph-no-ranges": {
        "en": "Ranges were not read: {size:,} bytes are more than {limit:,}.",
        "zh": "未读取取值范围：{size:,} 字节超过 {limit:,} 字节。",
    },
    "graph-counted": {
        "en": "{count:,} operations are more than {limit:,}: they are counted by layer, not listed.",
        "zh": "共 {count:,} 个算子，超过 {limit:,} 个：按层计数，不逐一列出。",
    },
    "graph-partial": {
        "en": "The dump is incomplete: a function that is called is not in the file, or the graph was cut into parts. Nothing is called "
        "unused.",
        "zh": "计算图不完整：文件中缺少被调用的子图，或图已被切分，因此不判断是否未使用。",
    },
    "graph-no-calls": {
        "en": "No call of a cell was recorded (graph mode hides them): which cells are called, and what goes in and out, is "
        "not known. accucheck watch --mode pynative records it.",
        "zh": "没有记录到 cell 的调用（图模式下看不到）：无法得知哪些被调用、输入输出是什么。"
        "可用 accucheck watch --mode pynative 记录。",
    },
    "graph-calls-cut": {
        "en": "A pass had more calls than the {count:,} that are recorded: which cells were never called is not known.",
        "zh": "一次计算的调用数超过所记录的 {count:,} 次：无法得知哪些从未被调用。",
    },
    # of one place
    "name": {"en": "Name", "zh": "名称"},
    "own-name": {"en": "Parameter's name", "zh": "参数名"},
    "kind": {"en": "Class", "zh": "类"},
    "operation": {"en": "Operation", "zh": "算子"},
    "place": {"en": "Made at", "zh": "创建位置"},
    "arguments": {"en": "Arguments", "zh": "参数"},
    "holds": {"en": "Elements", "zh": "元素数"},
    "operations": {"en": "Operations", "zh": "算子"},
    "called": {"en": "Called", "zh": "调用"},
    "called-not": {"en": "never", "zh": "从未"},
    "called-unknown": {"en": "not known", "zh": "未知"},
    "times-training": {"en": "{times}× in a training step", "zh": "一个训练 step 中 {times} 次"},
    "times-inference": {"en": "{times}× in a pass of inference", "zh": "一次推理中 {times} 次"},
    "training": {"en": "training", "zh": "训练"},
    "inference": {"en": "inference", "zh": "推理"},
    "in-training": {"en": "In (training)", "zh": "输入（训练）"},
    "in-inference": {"en": "In (inference)", "zh": "输入（推理）"},
    "out-training": {"en": "Out (training)", "zh": "输出（训练）"},
    "out-inference": {"en": "Out (inference)", "zh": "输出（推理）"},
    "out": {"en": "Out", "zh": "输出"},
    "takes": {"en": "Takes", "zh": "取自"},
    "not-recorded": {"en": "not recorded", "zh": "未记录"},
    "bad-since": {"en": "NaN/Inf in the output since step {step}", "zh": "从第 {step} 步起输出含 NaN/Inf"},
    "marks": {"en": "Remarkable", "zh": "注意"},
    "within": {"en": "Within", "zh": "内部"},
    "shape": {"en": "Shape", "zh": "形状"},
    "dtype": {"en": "Type", "zh": "数据类型"},
    "values": {"en": "Values", "zh": "取值"},
    "trained": {"en": "Trained", "zh": "参与训练"},
    "yes": {"en": "yes", "zh": "是"},
    "no": {"en": "no (requires_grad is False)", "zh": "否（requires_grad 为 False）"},
    "state": {"en": "kept beside the weights", "zh": "随权重保存，不训练"},
    "optimizer": {"en": "Updated by", "zh": "更新者"},
    "gradient": {"en": "Gradient's norm", "zh": "梯度范数"},
    "users": {"en": "Users", "zh": "使用者"},
    "beside-name": {"en": "In the benchmark", "zh": "基准中"},
    "beside-none": {"en": "nothing", "zh": "无"},
    "more": {"en": "… {count:,} more", "zh": "……另有 {count:,} 个"},
    "hits": {"en": "{count:,} found for “{query}”", "zh": "“{query}”：找到 {count:,} 个"},
    "folded": {
        "en": "{count:,} more rows: --depth N, --cell NAME or --find TEXT shows them, or the page of --output FILE.html.",
        "zh": "另有 {count:,} 行：可用 --depth N、--cell NAME 或 --find TEXT 查看，或用 --output FILE.html 生成页面。",
    },
}

#: Names that are given of what has one mark, users of a weight, and tensors of a call.
_NAMES, _USERS, _TENSORS = 5, 20, 16
#: Shapes of what goes into a cell, and comes out, in one line.
_FLOWING = 4
#: All marks, what matters most first.
ALL_MARKS = (*MARKS[:4], "other-shape", "only-here", *MARKS[4:])


def say(key: str, language: Language, /, **data: object) -> str:
    return word(WORDS, key, language, **data)


def short(kind: str) -> str:
    return kind.rpartition(".")[2]


def amount(count: int) -> str:
    """A number of elements as people say it: 1.2M."""
    for size, unit in ((10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k")):
        if count >= size:
            return f"{count / size:.3g}{unit}"
    return str(count)


def span(tensor: Tensor) -> str:
    """A tensor as `8×64 float32 [-1.2, 3]`, with the share of what is not finite."""
    found = f"{tensor.size} {tensor.type}"
    if tensor.low is not None and tensor.high is not None:
        found += f" [{tensor.low:.4g}, {tensor.high:.4g}]"
    if tensor.mean is not None and tensor.std is not None:
        found += f" {tensor.mean:.3g}±{tensor.std:.3g}"
    if tensor.zero:
        found += f" 0: {tensor.zero:.1%}"
    if tensor.bad:
        found += f" NaN/Inf: {tensor.bad:.1%}"
    return found


def first(cell: Cell) -> Traffic | None:
    """What is shown of a cell in one line: of training where it was called there."""
    return next((each for each in cell.traffic if each.training), next(iter(cell.traffic), None))


def flow(cell: Cell) -> str:
    """What goes in and comes out, as shapes."""
    told = first(cell)
    if told is None:
        return f"→ {cell.gave.size} {cell.gave.type}" if cell.gave is not None else ""
    types = dict.fromkeys(each.type for each in told.gave[:_FLOWING])
    return f"{_sizes(told.given or [])} → {_sizes(told.gave)} {' '.join(types)}".strip()


def _sizes(tensors: Sequence[Tensor]) -> str:
    """The shapes of tensors; of many the first, and how many more there are."""
    left = len(tensors) - _FLOWING
    return ", ".join([*(each.size for each in tensors[:_FLOWING]), *([f"+{left}"] if left > 0 else [])])


def marks(one: Cell | Weight, language: Language) -> list[str]:
    return [say(mark, language) for mark in ALL_MARKS if mark in one.marks]


def row(network: Network, hit: SearchHit, language: Language) -> list[str]:
    """A line of the tree in columns: name, class or type, what flows or the shape, elements, marks."""
    if hit.weight:
        weight = network.weights[hit.number]
        label = weight.name.rpartition(".")[2]
        return [label, weight.type, weight.tensor.size, "", ", ".join(marks(weight, language))]
    cell = network.cells[hit.number]
    counted = sum(cell.operations.values())
    kind = short(cell.kind) + (f" ×{counted:,}" if counted else "")
    return [
        cell.label or "/",
        kind,
        flow(cell),
        amount(cell.held) if cell.held else "",
        ", ".join(marks(cell, language)),
    ]


def head(network: Network, language: Language) -> str:
    cells = sum(not cell.leaf for cell in network.cells) - (not network.cells[0].kind)
    data = {"title": network.title, "format": say(network.format, language), "source": network.source}
    weights = sum(not weight.of_optimizer for weight in network.weights)
    return say("head", language, cells=cells, weights=weights, held=amount(network.cells[0].held), **data)


def summary(network: Network, language: Language, beside: NetworkMatch | None = None) -> list[str]:
    """What is to be said first: where NaN begins, what is marked, what the other has alone, and what is not known."""
    lines = []
    if network.first_bad is not None:
        bad = network.first_bad
        name = name_of(network, SearchHit(False, bad.cell))
        when = say("training" if bad.training else "inference", language)
        lines.append(say("first-bad", language, step=bad.step, name=name, when=when))
    for mark in ALL_MARKS[1:] if network.first_bad is not None else ALL_MARKS:
        hits = list(each_marked(network, mark))
        if hits:
            names = [name_of(network, hit) for hit in hits[:_NAMES]]
            told = ", ".join(names) + (", …" if len(hits) > _NAMES else "")
            lines.append(say("marked", language, mark=say(mark, language), count=len(hits), names=told))
    if beside is not None:
        lines.append(say("beside", language, source=beside.other.source, paired=len(beside.weights)))
        if beside.only_there:
            there = [beside.other.weights[number].name for number in beside.only_there]
            told = ", ".join(there[:_NAMES]) + (", …" if len(there) > _NAMES else "")
            lines.append(say("only-there", language, source=beside.other.source, count=len(there), names=told))
    lines += [say(note.code, language, **note.data) for note in network.notes]
    if beside is not None:
        told_here = {note.code for note in network.notes}
        for note in beside.other.notes:
            if note.code not in told_here:
                told = say(note.code, language, **note.data)
                lines.append(say("of-other", language, source=beside.other.source, note=told))
    return lines


def name_of(network: Network, hit: SearchHit) -> str:
    if hit.weight:
        return network.weights[hit.number].name
    cell = network.cells[hit.number]
    return cell.name or cell.label or "/"


def rows(network: Network, depth: int, top: int = 0) -> Iterator[tuple[int, SearchHit]]:
    """The lines of the tree below a cell: how deep each is, and what stands there."""
    waiting = [top]
    while waiting:
        cell = network.cells[waiting.pop()]
        level = cell.depth - network.cells[top].depth
        yield level, SearchHit(False, cell.number)
        if level < depth:
            yield from ((level + 1, SearchHit(True, number)) for number in cell.weights)
            waiting += reversed(cell.children)


def details(
    network: Network, hit: SearchHit, language: Language, beside: NetworkMatch | None = None
) -> list[tuple[str, str]]:
    """All that is known of a cell or weight, as pairs of a word and a value."""
    found = _of_weight(network, hit.number, language) if hit.weight else _of_cell(network, hit.number, language)
    if beside is not None:
        there = (beside.weights if hit.weight else beside.cells).get(hit.number)
        if there is None:
            told = say("beside-none", language)
        else:
            other = SearchHit(hit.weight, there)
            columns = row(beside.other, other, language)
            told = " ".join([name_of(beside.other, other), *(column for column in columns[1:3] if column)])
        found.append(("beside-name", told))
    return [(say(key, language), visible(value)) for key, value in found if value]


def _of_cell(network: Network, number: int, language: Language) -> list[tuple[str, str]]:
    cell = network.cells[number]
    found = [
        ("name", cell.name or cell.label),
        ("operation" if cell.leaf else "kind", cell.kind),
        ("place", cell.place),
    ]
    found.append(("arguments", ", ".join(f"{key}={value}" for key, value in cell.arguments.items())))
    found.append(("holds", f"{cell.held:,}" if cell.held else ""))
    if cell.operations:
        most = sorted(cell.operations.items(), key=lambda pair: -pair[1])[:_USERS]
        found.append(("operations", ", ".join(f"{op} ×{count:,}" for op, count in most)))
    found.append(("takes", ", ".join(cell.inputs)))
    if cell.gave is not None:
        found.append(("out", span(cell.gave)))
    if network.format == "recording":
        found.append(("called", _calls(cell, language)))
    for each in cell.traffic:
        role = "training" if each.training else "inference"
        given = [span(one) for one in each.given or []]
        found.append((f"in-{role}", "; ".join(given[:_TENSORS]) if given else say("not-recorded", language)))
        found.append((f"out-{role}", "; ".join(span(one) for one in each.gave[:_TENSORS])))
        if each.bad_step is not None:
            found.append(("marks", say("bad-since", language, step=each.bad_step)))
    found.append(("marks", ", ".join(marks(cell, language))))
    within = [f"{say(mark, language)} ×{cell.within[mark]}" for mark in ALL_MARKS if mark in cell.within]
    found.append(("within", ", ".join(within)))
    return found


def _calls(cell: Cell, language: Language) -> str:
    if not cell.traffic:
        return say("called-unknown" if cell.called is None else "called-not", language)
    return ("，" if language is Language.ZH else ", ").join(
        say("times-training" if each.training else "times-inference", language, times=each.times)
        for each in cell.traffic
    )


def _of_weight(network: Network, number: int, language: Language) -> list[tuple[str, str]]:
    weight = network.weights[number]
    trained = {True: "yes", False: "no", None: ""}[weight.trained]
    trained = "state" if weight.state else trained
    users = [name_of(network, SearchHit(False, user)) for user in weight.users]
    more = [say("more", language, count=len(users) - _USERS)] if len(users) > _USERS else []
    return [
        ("name", weight.name),
        ("own-name", weight.own_name),
        ("shape", weight.tensor.size),
        ("dtype", weight.type),
        ("values", span(weight.values) if weight.values is not None else ""),
        ("trained", say(trained, language) if trained else ""),
        ("optimizer", ", ".join(weight.optimizers)),
        ("gradient", f"{weight.gradient:.4g}" if weight.gradient is not None else ""),
        ("users", ", ".join(users[:_USERS] + more)),
        ("marks", ", ".join(marks(weight, language))),
    ]
