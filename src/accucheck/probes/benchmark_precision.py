"""Compares from the code in which precision a script trains and its PyTorch benchmark does.

Catches half precision (float16, bfloat16) that only one of them asks for, and different kinds of it: amp levels, auto_mixed_precision
and to_float here; autocast, GradScaler, half(), apex and trainers' arguments there. What an option or a condition decides is a suspect
only. Cannot see what an Ascend device computes in float16 by itself, nor what libraries ask for out of sight. Runs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Plain, Progress, Sure, Table, Verdict, Where
from ..probe import Example
from . import _gaps

if TYPE_CHECKING:
    from ..script.precision import HalfPrecisionUse
    from ..script.settings import Settings

KIND = Kind.STATIC
NEEDS: tuple[str | tuple[str, ...], ...] = ("scripts.train", "benchmark.scripts.train")
#: Rows of the table.
ROWS = 100
#: Trainers whose precision is among the arguments of one call, where nothing else sets it.
_SAYING = re.compile(r"(?:pytorch_)?lightning\.(?:pytorch\.)?Trainer$|transformers\.\w*TrainingArguments$")


class Params(msgspec.Struct, frozen=True):
    pass


MESSAGES: Words = {
    **_gaps.MESSAGES,
    "only-here": {
        "en": "Half precision is requested here ({text}), but the benchmark trains in full precision.",
        "zh": "本脚本使用了半精度（{text}），而标杆脚本以全精度训练。",
    },
    "only-there": {
        "en": "The benchmark uses half precision ({text}, {place}), but training here is in full precision.",
        "zh": "标杆脚本使用了半精度（{text}，{place}），而本脚本以全精度训练。",
    },
    "other-type": {
        "en": "Here half precision is {here} ({text}), in the benchmark it is {there} ({place}).",
        "zh": "本脚本的半精度类型是 {here}（{text}），标杆脚本是 {there}（{place}）。",
    },
    "both-half": {
        "en": "Both ask for half precision: {here} here, {there} in the benchmark.",
        "zh": "两边都使用半精度：本脚本为 {here}，标杆脚本为 {there}。",
    },
    "both-full": {
        "en": "Neither script asks for half precision.",
        "zh": "两个脚本都没有使用半精度。",
    },
    "no-training": {
        "en": "No optimizer and no backward pass was found in {path}: in which precision it trains is not known.",
        "zh": "{path} 中没有找到优化器或反向计算，无法得知它以何种精度训练。",
    },
    "fix-alike": {
        "en": "Compare in full precision first, without amp on either side; when that agrees, turn it on in both.",
        "zh": "先在两边都关掉混合精度，以全精度对比；结果一致后再在两边同时打开。",
    },
}
WORDS: Words = {
    "precision": {"en": "Where half precision is requested", "zh": "使用半精度的位置"},
    "side": {"en": "Script", "zh": "脚本"},
    "here": {"en": "this one", "zh": "本脚本"},
    "there": {"en": "benchmark", "zh": "标杆脚本"},
    "text": {"en": "What it says", "zh": "写法"},
    "type": {"en": "Type", "zh": "类型"},
    "place": {"en": "Place", "zh": "位置"},
    "condition": {"en": "Under a condition", "zh": "是否有条件"},
    "yes": {"en": "yes", "zh": "是"},
    "no": {"en": "no", "zh": "否"},
}
_ROUNDS = {
    "en": "Half precision rounds to 3 digits: losses diverge from the first step on by about 1 in 1,000, and hide a fault of that size.",
    "zh": "半精度只有约 3 位有效数字，loss 从第一步起就相差千分之一左右，同样大小的真正问题会被它掩盖。",
}
WHY: Words = dict.fromkeys(("only-here", "only-there", "other-type"), _ROUNDS)
_FULL = {
    "en": "Turn half precision off on both sides and compare the first loss again.",
    "zh": "两边都关掉半精度，再比较第一步的 loss。",
}
PROOF: Words = dict.fromkeys(WHY, _FULL)


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..knowledge import api
    from ..script import benchmark, precision, settings
    from ..script.analysis import Scripts, read_scripts

    scripts = read_scripts(case)
    theirs, gaps = benchmark.training(case)
    yield from _gaps.findings(Scripts(gaps=[*scripts.gaps, *gaps]))
    if not scripts.training or not theirs:
        return
    here = [use for reading in scripts.training for use in precision.here(reading)]
    there = [use for settings in theirs for use in precision.there(settings.reading)]
    table = _table(here, there)
    # Where a training is out of sight, as in a library, so is its precision.
    mine = settings.of_scripts(scripts, None)
    version = case.spec.runtime.mindspore or api.load().mindspore
    unseen = [
        side[0].reading.source.path
        for side, uses, framework in ((mine, here, version), (theirs, there, None))
        if not uses and not any(_trains(one, framework) for one in side)
    ]
    for path in unseen:
        yield Finding("no-training", Level.INFO, Where(path=path), {"path": path}, [table], incomplete=True)
    if not unseen:
        yield _judged(here, there, scripts.training[0].source.path, table)


def _table(here: list[HalfPrecisionUse], there: list[HalfPrecisionUse]) -> Table:
    """What both sides compute in another precision."""
    rows: list[list[Plain]] = [
        [side, use.text, use.dtype, use.place, "yes" if use.maybe else "no"]
        for side, uses in (("here", here), ("there", there))
        for use in uses
    ]
    return Table("precision", ["side", "text", "type", "place", "condition"], rows[:ROWS], total=len(rows))


def _trains(settings: Settings, version: str | None) -> bool:
    """Whether a training is seen: an optimizer, a backward pass, a step of MindSpore, or the arguments of a trainer of PyTorch.

    `version` is that of MindSpore, None for a script of PyTorch.
    """
    from ..script import hyperparameters
    from ..script.training_steps import training

    if hyperparameters.sheet(settings, version).optimizers:
        return True
    if version is not None:
        return bool(training(settings.reading).steps)
    return any(
        made.name == ".backward" or (_SAYING.match(made.name) and not made.unpacked)
        for made in settings.reading.trace.calls
    )


def _judged(here: list[HalfPrecisionUse], there: list[HalfPrecisionUse], path: str, table: Table) -> Finding:
    if not here and not there:
        return Finding("both-full", Level.INFO, Where(path=path))
    first = (here or there)[0]
    where = Where(path=first.made.source.path, line=first.made.line)
    data: dict[str, Any] = {"text": first.text, "place": first.place}
    types = [sorted({use.dtype for use in uses}) for uses in (here, there)]
    if here and there:
        data |= {"here": types[0], "there": types[1], "place": there[0].place}
        if types[0] == types[1]:
            unsure = any(all(use.maybe for use in uses) for uses in (here, there))
            return Finding("both-half", Level.INFO, where, data, [table], incomplete=unsure)
        return Finding("other-type", Level.SUSPECT, where, data, [table], Fix("fix-alike"), sure=Sure.LIKELY)
    maybe = all(use.maybe for use in (here or there))
    level, sure = (Level.SUSPECT, Sure.POSSIBLE) if maybe else (Level.PROBLEM, Sure.CERTAIN)
    code = "only-here" if here else "only-there"
    return Finding(code, level, where, data, [table], Fix("fix-alike"), sure=sure)


_HERE = """import mindspore as ms
from mindspore import nn

net = nn.Dense(4, 2)
model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1){level})
model.train(1, data)
"""
_THERE = """import torch
{head}
net = torch.nn.Linear(4, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for x, y in loader:
    {body}loss = torch.nn.functional.mse_loss(net(x), y)
    loss.backward()
    optimizer.step()
"""
_OPTION = """import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--amp", action="store_true")
args = parser.parse_args()
"""


def _example(name: str, verdict: Verdict, *codes: str, level: str = "", head: str = "", body: str = "") -> Example:
    return Example(
        name,
        files={"train.py": _HERE.format(level=level), "ref/train.py": _THERE.format(head=head, body=body)},
        case={"scripts": {"train": "train.py"}, "benchmark": {"scripts": {"train": "ref/train.py"}}},
        verdict=verdict,
        codes=codes,
    )


EXAMPLES = [
    _example("neither", Verdict.OK, "both-full"),
    _example("both", Verdict.OK, "both-half", level=', amp_level="O2"', body="with torch.autocast('cuda'):\n        "),
    _example("only here", Verdict.PROBLEM, "only-here", level=', amp_level="O3"'),
    _example("only in the benchmark", Verdict.PROBLEM, "only-there", body="with torch.cuda.amp.autocast():\n        "),
    _example(
        "another type",
        Verdict.UNDECIDED,
        "other-type",
        level=', amp_level="O2"',
        body="with torch.autocast('cuda', dtype=torch.bfloat16):\n        ",
    ),
    _example(
        "an option turns it on",
        Verdict.UNDECIDED,
        "only-there",
        head=_OPTION,
        body="with torch.autocast('cuda', enabled=args.amp):\n        ",
    ),
]
