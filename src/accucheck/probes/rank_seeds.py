"""Reads from the training script whether all devices start from the same weights: one seed for all of them, or a broadcast.

Catches, in a distributed run: no seed before the network is made, a seed that is made of the rank or the time, a seed that only
one rank sets. The seed that counts is the last one before the weights, numpy's and the data sets' included: initial weights are
drawn from numpy's generator, also after mindspore.set_seed (run on 2.10). A broadcast of the parameters, or a checkpoint that all
ranks load, makes up for it and is said; what is seeded by rank after the weights are made is no matter. Cannot tell whether the
weights are really equal: compare a checkpoint of each rank. Never imports or runs the script.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Progress, Sure, Verdict, Where
from ..model import suggest as usual
from ..probe import Example, script_example
from . import _gaps, _grades

if TYPE_CHECKING:
    from ..script.analysis import Reading
    from ..script.ranks import Deployment
    from ..script.seeding import Randomness, Seed
    from ..script.values import Call, Value

KIND = Kind.STATIC
NEEDS: tuple[str | tuple[str, ...], ...] = ("scripts.train",)
#: Scripts without any of these words run on one device.
SUBJECT = ("init_process_group", "communication", "\ninit(", " init(", ".init(", "(init(")


class Params(msgspec.Struct, frozen=True):
    pass


MESSAGES: Words = {
    **_gaps.MESSAGES,
    "no-seed-unseen": {
        "en": "The script runs on several devices ({start}), and no seed is set before training here; where its weights are "
        "initialised could not be followed.",
        "zh": "脚本在多卡上运行（{start}），此处训练开始之前没有设置随机种子；权重在何处创建未能跟踪到。",
    },
    "no-seed": {
        "en": "The script runs on several devices ({start}), and no seed is set before the weights are made here.",
        "zh": "脚本会在多卡上运行（{start}），而在此处创建权重之前没有设置随机种子。",
    },
    "rank-seed": {
        "en": "{call} seeds each device differently, and the parameters are not broadcast.",
        "zh": "{call} 使各卡的种子不同，且没有广播参数。",
    },
    "seed-varies": {
        "en": "{call} seeds with {source}, which differs from process to process.",
        "zh": "{call} 的种子取自 {source}，各进程互不相同。",
    },
    "seed-on-one": {
        "en": "{call} runs only where {condition}: the other devices have no seed.",
        "zh": "{call} 只在 {condition} 时执行，其他卡没有设置种子。",
    },
    "loaded": {
        "en": "Nothing seeds the initial weights ({start}); they are equal only if the checkpoint loaded here holds all of them.",
        "zh": "初始权重没有设置种子（{start}）；只有此处加载的 checkpoint 包含全部参数，各卡才会一致。",
    },
    "elsewhere": {
        "en": "{function} seems to set the seeds, but is not among the examined files.",
        "zh": "{function} 似乎会设置随机种子，但不在检查范围内。",
    },
    "same-seed": {
        "en": "The last seed before the weights are made is {call}: no condition on the rank surrounds it, and neither a rank nor the "
        "time is seen in its value.",
        "zh": "创建权重之前最后设置的种子是 {call}：它不受 rank 条件限制，取值中也没有看到 rank 或时间。",
    },
    "broadcast": {
        "en": "parameter_broadcast=True is set here: the weights of device 0 are sent to all devices before the first step.",
        "zh": "此处设置了 parameter_broadcast=True：第一步之前会把 0 号卡的权重广播到各卡。",
    },
    "broadcast-not-run": {
        "en": "parameter_broadcast=True has no effect here: it works where a network is compiled (graph mode) or trained by Model, and "
        "this script does neither.",
        "zh": "此处 parameter_broadcast=True 不起作用：它只在网络被编译（图模式）或由 Model 训练时生效，而本脚本两者都不是。",
    },
    "sliced": {
        "en": "The parallel mode here is {mode}: the framework seeds each slice of a weight by its position, not by the process.",
        "zh": "此处并行模式为 {mode}：框架按切片的位置而不是按进程为各权重切片设置种子。",
    },
    "single": {"en": "The script runs on a single device.", "zh": "脚本只在单卡上运行。"},
    "fix-seed": {
        "en": "Call mindspore.set_seed(1) on all devices, right after the imports.",
        "zh": "在导入语句之后，各卡都调用 mindspore.set_seed(1)。",
    },
    "fix-alike": {
        "en": "Seed all devices with the same value, or set parameter_broadcast=True.",
        "zh": "各卡设置相同的种子，或设置 parameter_broadcast=True。",
    },
}
WORDS: Words = _grades.WORDS

_APART = {
    "en": "Each device initialises its own weights. Data parallel training reduces gradients only, so weights that start out different "
    "stay different: the gradients belong to different networks, and each device ends with its own model.",
    "zh": "每张卡各自初始化权重。数据并行只聚合梯度，起点不同的权重始终不同：聚合的是不同网络的梯度，各卡得到的模型也不一样。",
}
WHY: Words = dict.fromkeys(
    ("no-seed", "no-seed-unseen", "rank-seed", "seed-varies", "seed-on-one", "loaded", "broadcast-not-run"), _APART
)
_SAVE = {
    "en": "Save the weights of each rank before the first step and compare them tensor by tensor: all must be equal.",
    "zh": "在第一步之前各卡分别保存权重，逐个张量比较，应完全相同。",
}
PROOF: Words = dict.fromkeys(WHY, _SAVE)

#: Parallel modes, and those in which weights are cut into slices.
_SLICED = frozenset(("semi_auto_parallel", "auto_parallel"))
_MODES = frozenset((*_SLICED, "data_parallel", "hybrid_parallel", "stand_alone"))


@_grades.by_road
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..script.analysis import read_scripts

    scripts = read_scripts(case)
    yield from _gaps.findings(scripts)
    devices = case.get("runtime.distributed.devices")
    if not scripts.mentions(*SUBJECT) and (devices or 1) < 2:
        for reading in scripts.training:
            yield Finding("single", Level.INFO, Where(path=reading.source.path))
        return
    for done, reading in enumerate(scripts.training, start=1):
        yield from _script(reading, devices)
        yield Progress(done, len(scripts.training), "files")


def _script(reading: Reading, devices: int | None) -> Iterator[Finding]:
    from ..script import ranks, seeding

    deployment = ranks.deployment(reading.trace)
    start = deployment.distributed
    if start is None and (devices or 1) < 2:
        yield Finding("single", Level.INFO, Where(path=reading.source.path))
        return
    modes = set(deployment.modes()) & _MODES
    if modes and modes <= _SLICED:
        yield _finding("sliced", Level.INFO, deployment.contexts[-1], {"mode": sorted(modes)})
        return
    random = seeding.read(reading.trace, [])
    if deployment.broadcasts and not _idle(reading, deployment.broadcasts):
        yield _finding("broadcast", Level.INFO, deployment.broadcasts[0], {})
        return
    seeds = _of_weights(random, deployment)
    faults = list(_faults(reading, random, seeds, ranks.started(start) if start else reading.source.path))
    if deployment.broadcasts and any(finding.level is not Level.INFO for finding in faults):
        yield _finding("broadcast-not-run", Level.SUSPECT, deployment.broadcasts[0], {}, Sure.LIKELY, Fix("fix-alike"))
    else:
        yield from faults


def _of_weights(random: Randomness, deployment: Deployment) -> list[Seed]:
    """The seeds that are set before the weights are drawn, on several devices."""
    from ..script import ranks

    weights = random.first("weights")
    end = weights.call.order if weights is not None and weights.seen else None
    before = [seed for seed in random.seeds if seed.seen and "weights" in seed.reaches]
    before = [seed for seed in before if end is None or seed.call.order < end]
    tests = [(seed, ranks.tests_of(seed.call)) for seed in before]
    start = deployment.distributed
    return [
        seed
        for seed, under in tests
        if ranks.branch(under) is not False and (start is None or deployment.beside(under) is not None)
    ]


def _faults(reading: Reading, random: Randomness, seeds: list[Seed], start: str | dict[str, str]) -> Iterator[Finding]:
    """What is wrong with the last of the seeds that the weights depend on, or that there is none."""
    from ..script import ranks
    from ..script.values import unseen

    loads = [c for c in reading.trace.calls if c.api == "load_param_into_net" and not ranks.tests_of(c)]
    if seeds:
        yield _of_seed(seeds, random, bool(loads))
    elif random.elsewhere:
        made = random.elsewhere[0]
        yield _finding("elsewhere", Level.INFO, made, {"function": made.name.lstrip(".")}, incomplete=True)
    elif loads:
        yield _finding("loaded", Level.SUSPECT, loads[0], {"start": start}, Sure.POSSIBLE, Fix("fix-seed"))
    elif (weights := random.first("weights")) is not None:
        # who calls this, or what was not followed to its end, may set a seed before
        unmade = weights.call is random.training  # its weights are made where that is not followed
        doubtful = reading.trace.gave_up or unseen(weights.call.frame) or unmade
        level, sure = (Level.SUSPECT, Sure.POSSIBLE) if doubtful else (Level.PROBLEM, Sure.LIKELY)
        code = "no-seed-unseen" if unmade else "no-seed"
        yield _finding(code, level, weights.call, {"start": start}, sure, Fix("fix-seed"))


def _of_seed(seeds: list[Seed], random: Randomness, loads: bool) -> Finding:
    """Whether the last seed is the same on all devices. `loads`: they all load one checkpoint, which may hold every weight."""
    from ..script import ranks, seeding

    seed = seeds[-1]
    data: dict[str, Any] = {"call": seeding.text_of(seed.call)}
    level, sure = (Level.SUSPECT, Sure.POSSIBLE) if loads else (Level.PROBLEM, Sure.CERTAIN)
    varying = random.source_of(seed)
    tests = ranks.tests_of(seed.call)
    lonely = next((t for t in tests if t.taken is not None and "rank" in ranks.kinds(t.value)), None)
    if ranks.kinds(seed.value) & {"rank", "device"}:
        return _finding("rank-seed", level, seed.call, data, sure, Fix("fix-alike"))
    if varying is not None:
        data["source"] = seeding.text_of(varying)
        return _finding("seed-varies", level, seed.call, data, sure, Fix("fix-alike"))
    if lonely is not None and len(seeds) == 1 and not lonely.text.startswith("not "):
        data["condition"] = lonely.text
        sure = Sure.POSSIBLE if loads else Sure.LIKELY
        return _finding("seed-on-one", level, seed.call, data, sure, Fix("fix-alike"))
    return _finding("same-seed", Level.INFO, seed.call, data)


def _idle(reading: Reading, broadcasts: list[Call]) -> bool:
    """Whether a broadcast is only asked for by a setting that nothing in this script heeds: PyNative mode without Model."""
    from ..script.values import options

    if any(call.api != "set_auto_parallel_context" for call in broadcasts):
        return False
    if any(_heeds_context(call) for call in reading.trace.calls):
        return False
    modes = [c.argument(["mode"], "mode") for c in reading.trace.calls if c.api == "set_context"]
    chosen = [option for mode in modes for option in options(mode)]
    return bool(chosen) and all(_is_pynative(option) for option in chosen)


def _heeds_context(call: Call) -> bool:
    """Whether a call does what the parallel context asks for."""
    from ..script.values import options

    by_model = any(getattr(option, "api", "") == "Model" for option in options(call.base))
    return (by_model and call.name in (".train", ".fit")) or call.api in ("jit", "amp.build_train_network")


def _is_pynative(mode: Value) -> bool:
    from ..script.values import KnownValue, NamedValue

    if isinstance(mode, NamedValue):
        return mode.name.endswith("PYNATIVE_MODE")
    return isinstance(mode, KnownValue) and mode.value == 1 and not mode.assumed


def _finding(
    code: str,
    level: Level,
    call: Call,
    data: dict[str, Any],
    sure: Sure | None = None,
    fix: Fix | None = None,
    incomplete: bool = False,
) -> Finding:
    last = getattr(call.node, "end_lineno", None) or call.line
    where = Where(path=call.source.path, line=call.line, column=getattr(call.node, "col_offset", 0))
    evidence = call.source.code(call.line, min(last, call.line + 12))
    return Finding(code, level, where, data, [evidence], fix, incomplete=incomplete, sure=sure)


def suggest(findings: Sequence[Finding]) -> Verdict:
    verdict = usual(findings)
    codes = {finding.code for finding in findings}
    return Verdict.NOT_APPLICABLE if verdict is Verdict.OK and codes == {"single"} else verdict


def _example(name: str, script: str, verdict: Verdict, *codes: str, tail: str | None = None) -> Example:
    head = """import os
import time
import mindspore as ms
from mindspore import nn
from mindspore.communication import init, get_rank
"""
    usual_tail = """
net = nn.Dense(2, 2)
ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params())).train(1, data)
"""
    tail = usual_tail if tail is None else tail
    return script_example(head, name, script.lstrip("\n"), verdict, *codes, tail=tail)


EXAMPLES = [
    _example("one seed for all", "init()\nms.set_seed(1)\n", Verdict.OK, "same-seed"),
    _example("one device", "ms.set_seed(1)\n", Verdict.NOT_APPLICABLE, "single"),
    _example(
        "no seed, but a broadcast",
        "init()\nms.set_auto_parallel_context(parallel_mode='data_parallel', parameter_broadcast=True)\n",
        Verdict.OK,
        "broadcast",
    ),
    _example(
        "no seed, and a broadcast that never takes place",
        """
ms.set_context(mode=ms.PYNATIVE_MODE)
init()
ms.set_auto_parallel_context(parallel_mode='data_parallel', parameter_broadcast=True)
layer = nn.Dense(2, 2)
step = ms.value_and_grad(layer, None, layer.trainable_params())
step(data)
""",
        Verdict.UNDECIDED,
        "broadcast-not-run",
        tail="",
    ),
    _example(
        "weights in slices",
        "init()\nms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.SEMI_AUTO_PARALLEL)\n",
        Verdict.OK,
        "sliced",
    ),
    _example(
        "one seed for all, and one for each rank once the weights are there",
        """
import random
import numpy as np
import mindspore.dataset as ds
init()
ms.set_seed(1)
net = nn.Dense(2, 2)
ds.config.set_seed(get_rank())
random.seed(get_rank())
np.random.seed(get_rank())
""",
        Verdict.OK,
        "same-seed",
    ),
    _example(
        "augmentation with a generator of its own",
        "import numpy as np\ninit()\nms.set_seed(1)\nflips = np.random.default_rng(get_rank())\n",
        Verdict.OK,
        "same-seed",
    ),
    _example(
        "numpy is seeded by rank after all is seeded alike, and weights come from numpy",
        "import numpy as np\ninit()\nms.set_seed(1)\nnp.random.seed(get_rank())\n",
        Verdict.PROBLEM,
        "rank-seed",
    ),
    _example(
        "the data sets' seed, too, seeds numpy",
        "import mindspore.dataset as ds\ninit()\nms.set_seed(1)\nds.config.set_seed(1 + get_rank())\n",
        Verdict.PROBLEM,
        "rank-seed",
    ),
    _example(
        "a seed for a single device only",
        "import sys\nif len(sys.argv) > 8:\n    distributed = True\nelse:\n    distributed = False\n"
        "if distributed:\n    init()\n    ms.set_seed(get_rank())\nelse:\n    ms.set_seed(1)\n",
        Verdict.PROBLEM,
        "rank-seed",
    ),
    _example(
        "a seed for each rank, and a checkpoint is loaded",
        "init()\nms.set_seed(get_rank())\nnet = nn.Dense(2, 2)\n"
        "ms.load_param_into_net(net, ms.load_checkpoint('start.ckpt'))\n",
        Verdict.UNDECIDED,
        "rank-seed",
    ),
    _example(
        "no seed in a function that another script calls",
        """
def train(net, data, distributed):
    if distributed:
        init()
    ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params())).train(1, data)
""",
        Verdict.UNDECIDED,
        "no-seed-unseen",
        tail="",
    ),
    _example("no seed", "init()\n", Verdict.PROBLEM, "no-seed"),
    _example("a seed for each rank", "init()\nms.set_seed(1234 + get_rank())\n", Verdict.PROBLEM, "rank-seed"),
    _example(
        "a seed for each rank, from the environment",
        "init()\nrank = int(os.getenv('RANK_ID', '0'))\nms.set_seed(rank)\n",
        Verdict.PROBLEM,
        "rank-seed",
    ),
    _example("the time as a seed", "init()\nms.set_seed(int(time.time()))\n", Verdict.PROBLEM, "seed-varies"),
    _example(
        "a seed for one rank only", "init()\nif get_rank() == 0:\n    ms.set_seed(1)\n", Verdict.PROBLEM, "seed-on-one"
    ),
    _example(
        "no seed, and a checkpoint is loaded",
        "init()\nnet = nn.Dense(2, 2)\nms.load_param_into_net(net, ms.load_checkpoint('start.ckpt'))\n",
        Verdict.UNDECIDED,
        "loaded",
    ),
    _example(
        "a helper out of sight",
        "from framework.utils import set_random_seed\ninit()\nset_random_seed(1)\n",
        Verdict.UNDECIDED,
        "elsewhere",
    ),
]
