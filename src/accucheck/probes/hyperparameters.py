"""Compares from the code what a script trains with and what its PyTorch benchmark does: optimizer, rate, loss, batch size, clipping.

All is told in PyTorch's words, with file and line of both: optimizer and its settings (defaults differ), learning rate and schedule,
loss with reduction and label smoothing, batch size, epochs, gradient clipping, rates of Dropout, accumulation. Catches settings that
differ, or that one side lacks. What the command line or a configuration may change is a suspect only. Of several training scripts the
first of each side is compared. Cannot tell how two schedules run, nor what a setting is that is computed: that is told. Never imports
or runs a script.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from ..case import Case
from ..language import Words
from ..model import Code, Finding, Fix, Kind, Level, Plain, Progress, Sure, Table, Verdict, Where
from ..probe import Example
from . import _gaps

if TYPE_CHECKING:
    from ..script.hyperparameters import Row, Sheet, SideSetting
    from ..script.settings import Settings
    from ..script.source import Source

KIND = Kind.STATIC
NEEDS: tuple[str | tuple[str, ...], ...] = ("scripts.train", "benchmark.scripts.train")


class Params(msgspec.Struct, frozen=True):
    pass


MESSAGES: Words = {
    **_gaps.MESSAGES,
    "differs": {
        "en": "Here {setting} is {here}, and {there} in the benchmark ({place}).",
        "zh": "{setting}：本脚本为 {here}，标杆脚本为 {there}（{place}）。",
    },
    "only-here": {
        "en": "There is {setting} here ({value}), and none was found in the benchmark.",
        "zh": "本脚本有{setting}（{value}），标杆脚本中没有找到。",
    },
    "only-there": {
        "en": "The benchmark has {setting} ({value}, {place}), and none was found here.",
        "zh": "标杆脚本有{setting}（{value}，{place}），本脚本中没有找到。",
    },
    "no-bias-correction": {
        "en": "nn.AdamWeightDecay does not correct the bias of the moments in the first steps; PyTorch's AdamW ({place}) does.",
        "zh": "nn.AdamWeightDecay 不做偏差修正，而 PyTorch 的 AdamW（{place}）在前若干步会修正动量的偏差。",
    },
    "decay-filtered": {
        "en": "MindSpore's {optimizer} applies no weight decay to parameters named gamma or beta; the benchmark ({place}) applies it "
        "to all.",
        "zh": "MindSpore 的 {optimizer} 默认不对名字含 gamma、beta 的参数做权重衰减，标杆脚本（{place}）则对全部参数衰减。",
    },
    "unknown": {
        "en": "Not to be compared from the code, look for yourself: {settings}.",
        "zh": "仅凭代码无法比较，请人工确认：{settings}。",
    },
    "several": {
        "en": "{here:,} optimizers here and {there:,} in the benchmark: which belongs to which is not known.",
        "zh": "本脚本有 {here:,} 个优化器，标杆脚本有 {there:,} 个，无法确定对应关系。",
    },
    "no-optimizer": {
        "en": "No optimizer was found in {path}: its settings cannot be compared.",
        "zh": "{path} 中没有找到优化器，无法比较它的设置。",
    },
    "passed-over": {
        "en": "Only {path} was compared with {other}; {count:,} further training {count:script was|scripts were} not: {names}. To compare "
        "one, name it alone in scripts.train, and its counterpart in benchmark.scripts.train.",
        "zh": "只比较了 {path} 与 {other}，另有 {count:,} 个训练脚本未比较：{names}。"
        "如需比较，请在 scripts.train 中只写该脚本，并在 benchmark.scripts.train 中写上与它对应的脚本。",
    },
    "compared": {
        "en": "{same:,} of {count:,} settings are the same on both sides.",
        "zh": "共比较 {count:,} 项设置，{same:,} 项两边相同。",
    },
    "fix-same": {
        "en": "Give both scripts the same value, written as a number, before losses are compared.",
        "zh": "对比 loss 之前，把两个脚本的该项设成相同的数值。",
    },
    "fix-adamw": {
        "en": "Use mindspore.experimental.optim.AdamW (on Ascend also mindspore.mint.optim.AdamW), which is PyTorch's.",
        "zh": "改用与 PyTorch 一致的 mindspore.experimental.optim.AdamW（Ascend 上也可用 mindspore.mint.optim.AdamW）。",
    },
    "fix-groups": {
        "en": "Pass the parameters as a group, [dict(params=net.trainable_params(), weight_decay=x)]: then weight decay applies to all "
        "of them.",
        "zh": "以参数组的形式给出：[dict(params=net.trainable_params(), weight_decay=x)]，这样全部参数都会衰减。",
    },
}
#: What the settings are called within a sentence; the others by their own names.
_CALLED: Words = {
    "optimizer": {"en": "the optimizer", "zh": "优化器"},
    "lr": {"en": "the learning rate", "zh": "学习率"},
    "schedule": {"en": "a learning rate schedule", "zh": "学习率调度"},
    "loss": {"en": "the loss", "zh": "损失函数"},
    "reduction": {"en": "the reduction of the loss", "zh": "损失的 reduction"},
    "label_smoothing": {"en": "label_smoothing", "zh": "label_smoothing"},
    "batch_size": {"en": "the batch size", "zh": "batch size"},
    "epochs": {"en": "the number of epochs", "zh": "epoch 数"},
    "clipping": {"en": "gradient clipping", "zh": "梯度裁剪"},
    "dropout": {"en": "Dropout", "zh": "Dropout"},
    "accumulation": {"en": "gradient accumulation", "zh": "梯度累积"},
}
WORDS: Words = {
    "settings": {"en": "Settings side by side, in PyTorch's words", "zh": "两边的设置（按 PyTorch 的叫法）"},
    "setting": {"en": "Setting", "zh": "设置"},
    "here": {"en": "Here", "zh": "本脚本"},
    "place": {"en": "Place", "zh": "位置"},
    "there": {"en": "Benchmark", "zh": "标杆脚本"},
    "there_place": {"en": "Its place", "zh": "标杆位置"},
    "result": {"en": "Result", "zh": "结果"},
    "same": {"en": "same", "zh": "相同"},
    "differs": {"en": "differs", "zh": "不同"},
    "one-side": {"en": "on one side only", "zh": "仅一边有"},
    "unknown": {"en": "not known", "zh": "无法确定"},
}
_UPDATES = {
    "en": "The losses diverge as soon as the setting comes into play, which is then taken for a fault of a layer or an operator.",
    "zh": "该设置一起作用，loss 曲线就会分叉，容易误判为网络或算子有问题。",
}
WHY: Words = dict.fromkeys(("differs", "only-here", "only-there", "no-bias-correction", "decay-filtered"), _UPDATES)
_SET = {
    "en": "Set it alike on both sides and run some steps again: the losses come closer.",
    "zh": "把两边设成相同后重跑若干步，loss 的差异应当缩小。",
}
PROOF: Words = dict.fromkeys(WHY, _SET)


def _with_optimizer(side: list[tuple[Settings, Sheet]]) -> list[tuple[str, Sheet]]:
    return [(one.reading.source.path, found) for one, found in side if found.optimizers]


def _passed_over(trained: list[list[tuple[str, Sheet]]]) -> list[str]:
    """The scripts that train beside the first one of each side."""
    return list(dict.fromkeys(name for side in trained for name, _ in side if name != side[0][0]))


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..knowledge import api
    from ..script import benchmark, hyperparameters, settings
    from ..script.analysis import Scripts, read_scripts

    scripts = read_scripts(case)
    theirs, gaps = benchmark.training(case)
    yield from _gaps.findings(Scripts(gaps=[*scripts.gaps, *gaps]))
    version = case.spec.runtime.mindspore or api.load().mindspore
    here = [(one, hyperparameters.sheet(one, version)) for one in settings.of_scripts(scripts, None)]
    there = [(one, hyperparameters.sheet(one, None)) for one in theirs]
    trained = [_with_optimizer(side) for side in (here, there)]
    for side, with_optimizer in zip((here, there), trained, strict=True):
        if side and not with_optimizer:
            path = side[0][0].reading.source.path
            yield Finding("no-optimizer", Level.INFO, Where(path=path), {"path": path}, incomplete=True)
    if not all(trained):
        return
    (path, mine), (their_path, other) = (side[0] for side in trained)
    if left := _passed_over(trained):
        data = {"path": path, "other": their_path, "count": len(left), "names": left}
        yield Finding("passed-over", Level.INFO, Where(path=path), data, incomplete=True)
    sources = {source.path: source for one, _ in (*here, *there) for source in one.definitions.modules}
    for finding in _compared(mine, other):
        yield msgspec.structs.replace(finding, evidence=[*_quoted(finding, sources), *finding.evidence])


def _quoted(finding: Finding, sources: dict[str, Source]) -> Iterator[Code]:
    """The lines of both sides that a difference is about."""
    if finding.level is Level.INFO:
        return
    here = f"{finding.where.path}:{finding.where.line}"
    for place in dict.fromkeys((here, str(finding.data.get("place", "")))):
        path, _, line = place.rpartition(":")
        if path in sources and line.isdecimal():
            yield sources[path].code(int(line))


def _compared(here: Sheet, there: Sheet) -> Iterator[Finding]:
    from ..script import hyperparameters

    rows = list(hyperparameters.rows(here, there))
    counts = len(here.optimizers), len(there.optimizers)
    own = [row for row in rows if row.name in ("optimizer", *hyperparameters.OF_OPTIMIZER)]
    several = any(len(side) > 1 for row in own for side in (row.here, row.there))
    if several:
        number = {"here": counts[0], "there": counts[1]}
        yield Finding("several", Level.INFO, _where(rows[0].here), dict(number), incomplete=True)
    for row in rows:
        yield from judged(row)
    by_name = {row.name: row for row in rows}
    if not several:
        yield from _of_optimizer(here, there, by_name)
    where = _where(by_name["optimizer"].here)
    unknown = [row.name for row in rows if row.verdict == "unknown"]
    if unknown:
        yield Finding("unknown", Level.INFO, where, {"settings": unknown}, incomplete=True)
    same = sum(row.verdict == "same" for row in rows)
    yield Finding("compared", Level.INFO, where, {"same": same, "count": len(rows)}, [listed(rows)])


def _of_optimizer(here: Sheet, there: Sheet, by_name: dict[str, Row]) -> Iterator[Finding]:
    """What optimizers of one name and the same settings do differently."""
    kind, decay = by_name["optimizer"], by_name.get("weight_decay")
    if here.uncorrected and kind.verdict == "same":
        data: dict[str, Any] = {"place": kind.there[0].place}
        where = _where(kind.here)
        yield Finding("no-bias-correction", Level.PROBLEM, where, data, [], Fix("fix-adamw"), sure=Sure.CERTAIN)
    filtered = here.filtered and here.normalizes and not there.grouped
    if filtered and decay is not None and decay.verdict == "same" and decay.here[0].value:
        data = {"optimizer": here.optimizers[0][1], "place": decay.there[0].place}
        where = _where(decay.here)
        yield Finding("decay-filtered", Level.SUSPECT, where, data, [], Fix("fix-groups"), sure=Sure.LIKELY)


def listed(rows: list[Row]) -> Table:
    """Both sides of each setting, with their places."""
    columns = ["setting", "here", "place", "there", "there_place", "result"]
    return Table("settings", columns, [_line(row) for row in rows], total=len(rows))


def judged(row: Row) -> Iterator[Finding]:
    data: dict[str, Any] = {"setting": _CALLED.get(row.name, row.name), "name": row.name}
    # What may be another number at run time, or be done in another way, is for a person to look at.
    certain = not row.assumed and row.name not in ("loss", "epochs", "schedule", "accumulation", "dropout", "clipping")
    if row.verdict == "differs":
        data |= {"here": _shown(row.here), "there": _shown(row.there), "place": row.there[0].place}
        level, sure = (Level.PROBLEM, Sure.CERTAIN) if certain else (Level.SUSPECT, Sure.LIKELY)
        yield Finding("differs", level, _where(row.here), data, [], Fix("fix-same"), sure=sure)
    elif row.verdict == "one-side":
        entries = row.here or row.there
        data |= {"value": _shown(entries), "place": entries[0].place}
        code = "only-here" if row.here else "only-there"
        sure = Sure.POSSIBLE if all(entry.maybe for entry in entries) else Sure.LIKELY
        yield Finding(code, Level.SUSPECT, _where(entries), data, [], Fix("fix-same"), sure=sure)


def _shown(entries: list[SideSetting]) -> str:
    return ", ".join(dict.fromkeys(entry.text for entry in entries)) or "—"


def _places(entries: list[SideSetting]) -> str:
    return ", ".join(dict.fromkeys(entry.place for entry in entries if entry.place))


def _line(row: Row) -> list[Plain]:
    return [row.name, _shown(row.here), _places(row.here), _shown(row.there), _places(row.there), row.verdict]


def _where(entries: list[SideSetting]) -> Where:
    path, _, line = (entries[0].place if entries else "").rpartition(":")
    return Where(path=path or None, line=int(line) if line.isdecimal() else None)


_Edits = tuple[tuple[str, str], ...]
_HERE = """import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn, ops

net = nn.SequentialCell(nn.Dense(4, 4), nn.Dropout(p=0.1), nn.Dense(4, 2))
loss = nn.CrossEntropyLoss()
optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.1, momentum=0.9)
data = ds.Cifar10Dataset("data", usage="train").batch(32)
step = ms.value_and_grad(lambda x, y: loss(net(x), y), None, optimizer.parameters)
for epoch in range(10):
    for x, y in data:
        value, grads = step(x, y)
        optimizer(grads)
"""
_THERE = """import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.1), nn.Linear(4, 2))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
loader = torch.utils.data.DataLoader(data, batch_size=32, shuffle=True)
for epoch in range(10):
    for x, y in loader:
        optimizer.zero_grad()
        criterion(net(x), y).backward()
        optimizer.step()
"""


def _example(name: str, verdict: Verdict, *codes: str, here: _Edits = (), there: _Edits = ()) -> Example:
    """The two scripts, some of their text replaced."""
    mine, other = _HERE, _THERE
    for old, new in here:
        mine = mine.replace(old, new)
    for old, new in there:
        other = other.replace(old, new)
    return Example(
        name,
        files={"train.py": mine, "ref/train.py": other},
        case={"scripts": {"train": "train.py"}, "benchmark": {"scripts": {"train": "ref/train.py"}}},
        verdict=verdict,
        codes=codes,
    )


_SGD = "torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)"
_OPTION = """import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.2)
args = parser.parse_args()
net = nn.Sequential"""
_CLIP = "        nn.utils.clip_grad_norm_(net.parameters(), 1.0)\n        optimizer.step()"
EXAMPLES = [
    _example("the same in other words", Verdict.OK, "compared"),
    _example("twice the rate", Verdict.PROBLEM, "differs", here=(("learning_rate=0.1", "learning_rate=0.2"),)),
    _example("a default that differs", Verdict.PROBLEM, "differs", there=(("lr=0.1, ", ""),)),
    _example(
        "the loss is summed", Verdict.PROBLEM, "differs", here=(("EntropyLoss()", 'EntropyLoss(reduction="sum")'),)
    ),
    _example("another batch size", Verdict.PROBLEM, "differs", there=(("batch_size=32", "batch_size=64"),)),
    _example(
        "an AdamW without bias correction",
        Verdict.PROBLEM,
        "no-bias-correction",
        here=(("nn.Momentum(", "nn.AdamWeightDecay("), ("momentum=0.9", "eps=1e-8, weight_decay=0.01")),
        there=((_SGD, "torch.optim.AdamW(net.parameters(), lr=0.1)"),),
    ),
    _example(
        "gamma and beta do not decay here",
        Verdict.UNDECIDED,
        "decay-filtered",
        here=(
            ("nn.Dense(4, 4)", "nn.Dense(4, 4), nn.BatchNorm1d(4)"),
            ("momentum=0.9", "momentum=0.9, weight_decay=1e-4"),
        ),
        there=(("momentum=0.9", "momentum=0.9, weight_decay=1e-4"),),
    ),
    _example(
        "gradients are clipped in the benchmark only",
        Verdict.UNDECIDED,
        "only-there",
        there=(("        optimizer.step()", _CLIP),),
    ),
    _example("Dropout keeps what it should drop", Verdict.UNDECIDED, "differs", here=(("p=0.1", "p=0.9"),)),
    _example(
        "the command line may change it",
        Verdict.UNDECIDED,
        "differs",
        there=(("net = nn.Sequential", _OPTION), ("lr=0.1", "lr=args.lr")),
    ),
    _example(
        "a rate that is computed", Verdict.UNDECIDED, "unknown", here=(("learning_rate=0.1", "learning_rate=rate()"),)
    ),
]
