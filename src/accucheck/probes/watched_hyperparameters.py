"""Sets what a watched run really trained with against its PyTorch benchmark: optimizer and settings, rate, weight decay, batch size.

The benchmark is read as text; what is told of the run was in force in it, wherever it came from: command line, configuration, defaults.
Catches settings that differ. Cannot tell: loss, clipping and dropout, which reading the scripts compares, how two schedules run, and what
the benchmark's own command line changed. Of several optimizers none is compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from ..case import Case
from ..language import Words
from ..model import Finding, Kind, Level, Progress, Refutes, Verdict, Where
from ..probe import Example
from . import _watched, _watched_networks, hyperparameters
from ._watched_examples import recording
from ._watched_networks import WatchedNetworks

if TYPE_CHECKING:
    from ..script.hyperparameters import Row, Sheet, SideSetting

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("watched", "benchmark.scripts.train")


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


MESSAGES: Words = {
    **_watched_networks.MESSAGES,
    "differs": {
        "en": "In the watched run {setting} is {here}, and {there} in the benchmark ({place}).",
        "zh": "{setting}：所观察的运行中为 {here}，标杆脚本为 {there}（{place}）。",
    },
    "several": {
        "en": "{here:,} optimizers ran in the watched training, and the benchmark has {there:,}: which belongs to which is not known.",
        "zh": "所观察的训练中有 {here:,} 个优化器，标杆脚本有 {there:,} 个，无法确定对应关系。",
    },
    "no-optimizer": hyperparameters.MESSAGES["no-optimizer"],
    "unknown": {
        "en": "Not to be compared: {settings}.",
        "zh": "无法比较：{settings}。",
    },
    "compared": {
        "en": "{same:,} of {count:,} settings in the watched run match the benchmark.",
        "zh": "所观察的运行中实际生效的 {count:,} 项设置，有 {same:,} 项与标杆脚本相同。",
    },
    "fix-same": hyperparameters.MESSAGES["fix-same"],
}
WORDS: Words = hyperparameters.WORDS
WHY: Words = {"differs": hyperparameters.WHY["differs"]}
PROOF: Words = {"differs": hyperparameters.PROOF["differs"]}


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..script import benchmark
    from ..script import hyperparameters as sheets

    watches = _watched.of_case(case)
    seen = _watched_networks.seen(case)
    if not isinstance(seen, WatchedNetworks):
        yield Finding("no-steps", Level.INFO, Where(seen.path), {"path": seen.path}, incomplete=True)
        return
    theirs = [(one, sheets.sheet(one, None)) for one in benchmark.read_training(case)[0]]
    there = next((found for _, found in theirs if found.optimizers), None)
    if there is None:
        path = case.relative(case.paths("benchmark.scripts.train")[0])
        yield Finding("no-optimizer", Level.INFO, Where(path), {"path": path}, incomplete=True)
    elif len(seen.optimizers) != 1 or len(there.optimizers) != 1:
        data = {"here": len(seen.optimizers), "there": len(there.optimizers)}
        yield Finding("several", Level.INFO, seen.watch.where(), dict(data), incomplete=True)
    else:
        here = _sheet(seen, len({one.rank for one in watches}), bool(there.entries.get("schedule")))
        yield from _compared(seen, [row for row in sheets.rows(here, there) if row.here and row.there])


def _compared(seen: WatchedNetworks, rows: list[Row]) -> Iterator[Finding]:
    for row in rows:
        yield from hyperparameters.judged(row)
    unknown = [row.name for row in rows if row.verdict == "unknown"]
    where = seen.watch.where(list(seen.optimizers[0].place or []))
    if unknown:
        yield Finding("unknown", Level.INFO, where, {"settings": unknown}, incomplete=True)
    same = [row for row in rows if row.verdict == "same"]
    refutes = [Refutes("hyperparameters", ["differs"], data={"name": row.name}) for row in same]
    data = {"same": len(same), "count": len(rows)}
    yield Finding("compared", Level.INFO, where, dict(data), [hyperparameters.listed(rows)], refutes=refutes)


def _sheet(seen: WatchedNetworks, ranks: int, scheduled: bool) -> Sheet:
    """What the run trained with, in PyTorch's words. `scheduled`: the benchmark changes its rate, so that single ones tell nothing."""
    from ..script import hyperparameters as sheets

    one = seen.optimizers[0]
    name, place = one.kind.rpartition(".")[2], f"{one.place[0]}:{one.place[1]}" if one.place else ""
    own = not one.kind.startswith("mindspore.")
    found = sheets.Sheet()
    found.add("optimizer", sheets.SideSetting(... if own else sheets.kind_of(name), name, place))
    if not own:
        told = sheets.of_arguments(one.arguments, place)
        for setting in sheets.OF_OPTIMIZER:
            if setting in told and setting not in ("lr", "weight_decay"):
                found.add(setting, told[setting])
    found.add("lr", _rate(seen, place, scheduled))
    found.add("weight_decay", _decay(one.decay, place))
    if ranks == 1 and (size := _batch(seen)) is not None:
        found.add("batch_size", size)
    return found


def _rate(seen: WatchedNetworks, place: str, scheduled: bool) -> SideSetting:
    """The rate in force; where it changes and that of the benchmark does not seem to, from which to which."""
    from ..script.hyperparameters import SideSetting

    column = seen.series(0, "lr")
    values = [] if column is None else column.values.tolist()
    if not values or scheduled:
        return SideSetting(..., "…", place)
    low, high = min(values), max(values)
    if high - low <= 1e-6 * high:
        return SideSetting(values[0], f"{values[0]:.6g}", place)
    return SideSetting(f"{low:.6g} … {high:.6g}", f"{low:.6g} … {high:.6g}", place, assumed=True)


def _decay(decays: list[Any] | None, place: str) -> SideSetting:
    """The decay of what decays at all; which parameters do is another question."""
    from ..script.hyperparameters import SideSetting

    numbers = {_watched_networks.number(one) for one in decays or [None]}
    decaying = numbers - {0.0}
    if None in numbers or len(decaying) > 1:
        return SideSetting(..., "…", place)
    value = next(iter(decaying), 0.0)
    return SideSetting(value, f"{value:g}", place)


def _batch(seen: WatchedNetworks) -> SideSetting | None:
    """The size of the batches of the data set that was trained on, where MindSpore makes them and no step splits them."""
    from ..script.hyperparameters import SideSetting

    trained = {one.data for one in seen.passes if one.training}
    for fact in seen.watch.facts("dataset"):
        batch: dict[str, Any] = next((one for one in fact.get("nodes") or () if one.get("node") == "BatchDataset"), {})
        size, place = batch.get("batch_size"), fact.get("place")
        given = {
            one.batch[0]["shape"][0] for one in seen.passes if one.training and one.batch and one.batch[0].get("shape")
        }
        if trained == {fact.get("number")} and isinstance(size, int) and max(given, default=0) == size:
            return SideSetting(size, f"{size}", f"{place[0]}:{place[1]}" if place else "")
    return None


_THERE = """import torch
from torch import nn

net = nn.Sequential(nn.Linear(8, 16), nn.Linear(16, 2))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
loader = torch.utils.data.DataLoader(data, batch_size=32, shuffle=True)
for x, y in loader:
    optimizer.zero_grad()
    nn.functional.cross_entropy(net(x), y).backward()
    optimizer.step()
"""


def _example(name: str, verdict: Verdict, *codes: str, there: str = _THERE, **args: Any) -> Example:
    files: dict[str, Any] = {"ref/train.py": there, "watch/pynative.jsonl": recording(**args)}
    case: dict[str, Any] = {"watched": "watch", "benchmark": {"scripts": {"train": "ref/train.py"}}}
    return Example(name, files=files, case=case, verdict=verdict, codes=codes)


_SCHEDULE = _THERE + "torch.optim.lr_scheduler.StepLR(optimizer, 10)\n"
_OPTION = _THERE.replace("import torch\n", "import argparse\nimport torch\n", 1).replace(
    "net =",
    'parser = argparse.ArgumentParser()\nparser.add_argument("--lr", type=float, default=0.2)\nargs = parser.parse_args()\nnet =',
)
_MEASURED: dict[str, Any] = {"momentum": 0.9}
EXAMPLES = [
    _example("all as in the benchmark", Verdict.OK, "compared", made=_MEASURED),
    _example("another rate", Verdict.PROBLEM, "differs", made=_MEASURED, rates={"lr": 0.01}),
    _example("another momentum", Verdict.PROBLEM, "differs", made={"momentum": 0.5}),
    _example(
        "a benchmark whose command line may change the rate",
        Verdict.UNDECIDED,
        "differs",
        there=_OPTION.replace("lr=0.1", "lr=args.lr"),
        made=_MEASURED,
    ),
    _example("a benchmark with a schedule", Verdict.UNDECIDED, "unknown", there=_SCHEDULE, made=_MEASURED),
    _example("two optimizers", Verdict.UNDECIDED, "several", groups=[("first.weight",), ("head.weight",)]),
    _example("no optimizer in the benchmark", Verdict.UNDECIDED, "no-optimizer", there="import torch\n"),
]
