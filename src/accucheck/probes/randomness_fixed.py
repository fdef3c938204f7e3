"""Reads from the training script whether its randomness is fixed: which generators it uses, which it seeds, and when.

Catches: no seed at all, a generator that is used but not seeded, a seed that comes after what it should fix, a seed that is
another one in each run, generator objects made without a seed; in the PyTorch benchmark script, too, that no seed is set.
Lists what stays random beside the seeds (shuffling, augmentation, Dropout, workers, order of computing). Cannot tell whether
two runs really agree: run them. Never imports or runs the script.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Plain, Progress, Sure, Table, Verdict, Where
from ..probe import Example, script_example
from . import _gaps, _grades

if TYPE_CHECKING:
    from ..script.analysis import Reading, Scripts
    from ..script.seeding import Randomness, RandomUse, Seed
    from ..script.trace import Trace
    from ..script.values import Call

KIND = Kind.STATIC
NEEDS: tuple[str | tuple[str, ...], ...] = ("scripts.train",)
#: Rows of the table of what else is random.
ROWS = 100


class Params(msgspec.Struct, frozen=True):
    pass


MESSAGES: Words = {
    **_gaps.MESSAGES,
    "no-seed": {
        "en": "Nothing that this script runs sets a seed, and {what} are random from here on.",
        "zh": "本脚本执行到的代码没有设置任何随机种子，而{what}从此处起是随机的。",
    },
    "seed-not-reached": {
        "en": "The only seed is set in code that this script never reaches ({place}), and {what} are random from here on.",
        "zh": "唯一的随机种子写在本脚本执行不到的地方（{place}），而{what}从此处起是随机的。",
    },
    "unseeded": {
        "en": "Here {what} are random, and none of the seeds that are set ({seeds}) reaches them.",
        "zh": "此处的{what}是随机的，已设置的种子（{seeds}）都管不到它们。",
    },
    "unseeded-perhaps": {
        "en": "Here {what} are random, and none of the seeds that are set ({seeds}) reaches them; no object of this class is seen to be "
        "made.",
        "zh": "此处的{what}是随机的，已设置的种子（{seeds}）都管不到它们；没有看到创建该类的对象。",
    },
    "late": {
        "en": "Here {what} are already random; the seed that would fix them ({seed}, line {line}) is only set afterwards.",
        "zh": "{what}在此处就已随机产生，能固定它们的种子（{seed}，第 {line} 行）在这之后才设置。",
    },
    "seed-varies": {
        "en": "This seed comes from {source} and differs in each run.",
        "zh": "该种子取自 {source}，每次运行都不同。",
    },
    "generator-unseeded": {
        "en": "{call} makes a generator without a seed; the global seeds do not reach it.",
        "zh": "{call} 创建的随机数生成器没有给种子，全局种子管不到它。",
    },
    "conditional": {
        "en": "There is a seed for {what} only under a condition ({condition}).",
        "zh": "只有在条件 {condition} 下才为{what}设置种子。",
    },
    "benchmark-unseeded": {
        "en": "The benchmark script sets no seed for PyTorch.",
        "zh": "标杆脚本没有设置 PyTorch 的随机种子。",
    },
    "elsewhere": {
        "en": "{function} seems to set the seeds, but is not among the examined files.",
        "zh": "{function} 似乎会设置随机种子，但不在检查范围内。",
    },
    "seeded": {"en": "Seeds are set: {seeds}.", "zh": "已设置随机种子：{seeds}。"},
    "nothing-random": {
        "en": "Nothing in {path} was found to draw random numbers.",
        "zh": "{path} 中没有发现使用随机数的地方。",
    },
    "also-random": {
        "en": "Besides the seeds, {count:,} {count:place decides|places decide} whether two runs agree step by step.",
        "zh": "除种子外，还有 {count:,} 处会影响两次运行能否逐步一致。",
    },
    "fix-seed": {
        "en": "Call mindspore.set_seed(1) once, right after the imports: it seeds weights, operators, data sets, numpy and random.",
        "zh": "在导入语句之后调用一次 mindspore.set_seed(1)：它同时固定权重、算子、数据集、numpy 和 random 的种子。",
    },
    "fix-order": {
        "en": "Move the seed before data set and network are made, best right after the imports.",
        "zh": "把设置种子的语句移到创建数据集和网络之前，最好紧跟在导入语句之后。",
    },
    "fix-value": {
        "en": "Seed with a constant, or with a value of the configuration.",
        "zh": "种子写成常量，或从配置中读取。",
    },
    "fix-generator": {"en": "Give the generator a seed: {name}(1).", "zh": "为该生成器给定种子：{name}(1)。"},
    "fix-mint": {
        "en": "Call mindspore.manual_seed(1) as well: interfaces of mint have a generator of their own.",
        "zh": "另外调用 mindspore.manual_seed(1)：mint 的接口使用自己的随机数生成器。",
    },
    "fix-benchmark": {
        "en": "Call torch.manual_seed(1), numpy.random.seed(1) and random.seed(1) there, right after the imports.",
        "zh": "在标杆脚本的导入语句之后调用 torch.manual_seed(1)、numpy.random.seed(1) 和 random.seed(1)。",
    },
}
WORDS: Words = {
    **_grades.WORDS,
    "also-random": {"en": "What else decides whether two runs agree", "zh": "其他影响两次运行是否一致的因素"},
    "source": {"en": "Source", "zh": "来源"},
    "place": {"en": "Place", "zh": "位置"},
    "code": {"en": "Code", "zh": "代码"},
}

#: What is random, by kind, within a sentence.
_WHAT: Words = {
    "weights": {"en": "initial weights", "zh": "初始权重"},
    "numpy": {"en": "numbers of numpy.random", "zh": "numpy.random 的随机数"},
    "python": {"en": "numbers of Python's random", "zh": "Python random 的随机数"},
    "operators": {"en": "Dropout and random operators", "zh": "Dropout 等随机算子"},
    "data": {"en": "the order and augmentation of the data", "zh": "数据的顺序与增强"},
    "mint": {"en": "random interfaces of mint", "zh": "mint 的随机接口"},
}
_DIFFERS = {
    "en": "Two runs then differ from the first step on: a comparison with the benchmark shows differences that are not caused by "
    "the code, and a result cannot be reproduced.",
    "zh": "两次运行从第一步起就不同：与标杆对比时看到的差异未必来自代码，结果也无法复现。",
}
WHY: Words = {
    "no-seed": _DIFFERS,
    "seed-not-reached": _DIFFERS,
    "unseeded": _DIFFERS,
    "unseeded-perhaps": {
        "en": "If such an object is made where this is not seen, two runs differ from then on.",
        "zh": "若在看不到的地方创建了这样的对象，两次运行从那时起就不同。",
    },
    "late": _DIFFERS,
    "seed-varies": _DIFFERS,
    "generator-unseeded": _DIFFERS,
    "conditional": {
        "en": "Without that condition two runs differ from the first step on, and cannot be compared.",
        "zh": "条件不成立时，两次运行从第一步起就不同，无法对比。",
    },
    "benchmark-unseeded": {
        "en": "The benchmark's own runs then differ from each other, so there is no fixed reference to compare with.",
        "zh": "标杆脚本自身的两次运行就不一致，对比失去了固定的参照。",
    },
}
_TWO_RUNS = {
    "en": "Run the script twice for a few steps without changing anything: losses 1 and 2 differ by more than 1 in 1,000.",
    "zh": "不做任何改动，连续运行两次脚本各若干步：第 1、2 步的 loss 相差超过千分之一。",
}
PROOF: Words = {
    **dict.fromkeys(WHY, _TWO_RUNS),
    "benchmark-unseeded": {
        "en": "Run the benchmark script twice for a few steps and compare its losses.",
        "zh": "把标杆脚本连续运行两次各若干步，比较 loss。",
    },
}


@_grades.by_road
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..script import seeding
    from ..script.analysis import read_scripts

    scripts = read_scripts(case)
    yield from _gaps.findings(scripts)
    for done, reading in enumerate(scripts.training, start=1):
        found = seeding.read(reading.trace, scripts.sources)
        yield from _seeds(reading, found, scripts)
        yield from _others(reading, found)
        yield Progress(done, len(scripts.training), "files")
    yield from _benchmark(case)


def _nothing_random(reading: Reading, found: Randomness, scripts: Scripts) -> Iterator[Finding]:
    """Weights that are trained are random at first or loaded: that nothing is random says only a training that was seen."""
    from ..script.training_seen import seen

    if not reading.trace.gave_up and not found.seeds:
        path, unseen = reading.source.path, bool(scripts.gaps) or not seen(reading).followed
        yield Finding("nothing-random", Level.INFO, Where(path=path), {"path": path}, incomplete=unseen)


def _seeds(reading: Reading, found: Randomness, scripts: Scripts) -> Iterator[Finding]:
    """What the seeds of a training script are worth: whether they are the same in each run, and what they reach."""
    yield from _of_sources(found)
    if not found.uses:
        yield from _nothing_random(reading, found, scripts)
        return
    for made in found.elsewhere[:1]:
        yield _finding("elsewhere", Level.INFO, made, {"function": made.name.lstrip(".")}, None, None, incomplete=True)
    if not found.seeds and found.elsewhere:
        return
    fixed = [seed for seed in found.seeds if seed.seen]
    if not fixed:
        yield _none(reading, found, scripts)
        return
    wrong = [
        told for use in _uses(found, reading) if (told := _of_use(use, fixed, reading, found, scripts)) is not None
    ]
    yield from wrong
    if not wrong and all(found.source_of(seed) is None for seed in found.seeds):
        seeds = sorted({_short(seed.call) for seed in fixed})
        unseen = _leaves_open(reading, fixed)
        yield _finding("seeded", Level.INFO, fixed[0].call, {"seeds": seeds}, None, None, incomplete=unseen)


def _leaves_open(reading: Reading, fixed: list[Seed]) -> bool:
    """Whether nothing seeds what the layers of a network draw, and that network was not seen whole."""
    from ..script.training_seen import seen

    return not any("operators" in seed.reaches for seed in fixed) and not seen(reading).followed


def _of_sources(found: Randomness) -> Iterator[Finding]:
    """Seeds that differ from run to run, and generators that are given none."""
    from ..script.seeding import text_of

    sources: set[int] = set()
    for seed in found.seeds:
        source = found.source_of(seed)
        if (
            source is not None and id(source) not in sources
        ):  # one number that several generators are given is one cause
            sources.add(id(source))
            told: dict[str, Any] = {"source": text_of(source)}
            sure = Sure.LIKELY if _beyond(source, seed.call) else Sure.CERTAIN  # an option may give another seed
            yield _finding("seed-varies", Level.PROBLEM, seed.call, told, sure, Fix("fix-value"))
    for made in found.unseeded:
        told = {"call": text_of(made), "name": made.name}
        yield _finding("generator-unseeded", Level.PROBLEM, made, told, Sure.CERTAIN, Fix("fix-generator"))


def _of_use(use: RandomUse, fixed: list[Seed], reading: Reading, found: Randomness, scripts: Scripts) -> Finding | None:
    """What is wrong with the seeds, of which some are `fixed`, for one use of random numbers."""
    what: dict[str, Any] = {"what": _WHAT[use.kind]}
    reaching = [seed for seed in fixed if use.kind in seed.reaches]
    if not reaching:
        return None if found.elsewhere else _unreached(use, fixed, reading, found, scripts)
    if all(found.source_of(seed) is not None for seed in reaching):
        return None  # told with the seeds
    first = min(reaching, key=lambda seed: seed.call.order)
    late = found.late(use, first, reading.trace) if use.kind in ("weights", "numpy", "python") else None
    if late is not None:
        data = what | {"seed": _short(first.call), "line": first.call.line}
        return _finding("late", Level.PROBLEM, late.call, data, Sure.LIKELY, Fix("fix-order"))
    if all(_beyond(seed.call, use.call) for seed in reaching):
        data = what | {"condition": _beyond(first.call, use.call)}
        return _finding("conditional", Level.SUSPECT, first.call, data, Sure.POSSIBLE, None)
    return None


def _unreached(use: RandomUse, fixed: list[Seed], reading: Reading, found: Randomness, scripts: Scripts) -> Finding:
    """No seed is for what is used: the others are named."""
    fix = Fix("fix-mint") if use.kind == "mint" else Fix("fix-seed", _insert(reading))
    place = _firmest(scripts, [other for other in found.uses if other.kind == use.kind])
    data = {"what": _WHAT[use.kind], "seeds": sorted({_short(seed.call) for seed in fixed})}
    if _of_nobody(place, reading.trace):
        return _finding("unseeded-perhaps", Level.SUSPECT, place.call, data, Sure.POSSIBLE, fix)
    return _finding("unseeded", Level.PROBLEM, place.call, data, _sure(place), fix)


def _of_nobody(use: RandomUse, trace: Trace) -> bool:
    """Whether random numbers are only drawn in a method of a class of which nobody is seen to make an object."""
    from ..script.values import unseen, unseen_run

    run = None if use.seen else unseen_run(use.call.frame)
    of = run.function.of if run is not None else None
    made = (one for one in trace.instances if not (one.unseen or unseen(one.frame)))
    return of is not None and not any(of in one.of.lineage() for one in made)


#: So many places where random numbers are used are looked at for one that nothing decides about.
LOOKED_AT = 200


def _uses(found: Randomness, reading: Reading) -> list[RandomUse]:
    """The first use of each kind; of initial weights, the first of a network that is seen to be trained, where one is."""
    from ..script.seeding import KINDS
    from ..script.training_seen import seen

    layers = {layer for network in seen(reading).networks for layer in network.layers}
    trained = next((use for use in found.uses if use.kind == "weights" and id(use.call.node) in layers), None)
    firsts = (trained if trained is not None and kind == "weights" else found.first(kind) for kind in KINDS)
    return [use for use in firsts if use is not None]


def _firmest(scripts: Scripts, uses: list[RandomUse]) -> RandomUse:
    """Of what no seed reaches, the first use that the fewest options and conditions decide about: any other network that an option
    chooses has random weights as well."""
    from ..script.grading import road

    by_place: dict[tuple[str, int], RandomUse] = {}
    for use in sorted(uses, key=lambda use: (not use.seen, use.call.order)):
        by_place.setdefault((use.call.source.path, use.call.line), use)
    first = [*by_place.values()][:LOOKED_AT]
    return max(first, key=lambda use: (use.seen, road(scripts, (use.call.source.path, use.call.line)).link))


def _none(reading: Reading, found: Randomness, scripts: Scripts) -> Finding:
    """No seed that the script gets to: at a place where something random happens in any case."""
    from ..script import setting_origins

    use = _firmest(scripts, found.uses)
    data: dict[str, Any] = {"what": _WHAT[use.kind]}
    fix = Fix("fix-seed", _insert(reading))
    written = [(seed.call.source, seed.call.line) for seed in found.seeds]
    written += [(source, node.lineno) for source, node in found.unreached]
    if written:
        source, line = written[0]
        data["place"] = f"{source.path}:{line}"
        data |= _grades.settings(setting_origins.settings_of(scripts.configurations, found.undone(reading.trace)))
        return _finding("seed-not-reached", Level.PROBLEM, use.call, data, Sure.LIKELY, fix)
    return _finding("no-seed", Level.PROBLEM, use.call, data, _sure(use), fix)


def _sure(use: RandomUse) -> Sure:
    return Sure.CERTAIN if use.seen else Sure.LIKELY


def _beyond(seed: Call, use: Call) -> str:
    """The condition that a seed stands under and the use does not; empty when there is none."""
    from ..script.values import frames_around

    def tests(call: Call) -> dict[tuple[int, bool | None], str]:
        around = [*call.tests, *(test for frame in frames_around(call.frame) for test in frame.tests)]
        return {(id(test.node), test.taken): test.text for test in around}

    shared = tests(use)
    return next((text for key, text in tests(seed).items() if key not in shared and text != "except"), "")


def _short(call: Call) -> str:
    name = call.name.lstrip(".")
    return name if name.count(".") < 3 else ".".join([name.split(".")[0], *name.split(".")[-2:]])


def _insert(reading: Reading) -> str | None:
    """The script with mindspore.set_seed(1) after its imports."""
    import ast

    source = reading.source
    name, last = None, 0
    for node in source.tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            last = node.end_lineno or node.lineno
            for alias in node.names:
                if isinstance(node, ast.Import) and alias.name == "mindspore":
                    name = alias.asname or "mindspore"
        elif last:
            break
    lines = [f"{name or 'mindspore'}.set_seed(1)"]
    return source.patch([(last + 1, last, lines if name else ["import mindspore", *lines])]) if last else None


def _finding(
    code: str,
    level: Level,
    call: Call,
    data: dict[str, Any],
    sure: Sure | None,
    fix: Fix | None,
    incomplete: bool = False,
) -> Finding:
    last = getattr(call.node, "end_lineno", None) or call.line
    where = Where(path=call.source.path, line=call.line, column=getattr(call.node, "col_offset", 0))
    code_ = [call.source.code(call.line, min(last, call.line + 12))]
    return Finding(code, level, where, data, [*code_], fix, incomplete=incomplete, sure=sure)


def _others(reading: Reading, found: Randomness) -> Iterator[Finding]:
    """What a comparison step by step must turn off beside setting seeds; never a fault."""
    from ..script.seeding import text_of
    from ..script.values import KnownValue

    rows: list[list[Plain]] = []
    seen: set[tuple[str, str]] = set()

    def row(source: str, call: Call) -> None:
        place = f"{call.source.path}:{call.line}"
        if (source, place) not in seen:
            seen.add((source, place))
            rows.append([source, place, text_of(call)])

    for call in reading.trace.calls:
        workers = call.keywords.get("num_parallel_workers")
        if isinstance(workers, KnownValue) and isinstance(workers.value, int) and workers.value > 1:
            row("num_parallel_workers", call)
    for use in found.uses:
        if use.kind in ("operators", "mint") and "ropout" in use.call.last:
            row("Dropout", use.call)
        elif use.of_data:
            row("Random…" if use.call.last.startswith("Random") else "shuffle", use.call)
    for call in found.deterministic:
        row("deterministic", call)
    if rows:
        table = Table("also-random", ["source", "place", "code"], rows[:ROWS], total=len(rows))
        where = Where(path=reading.source.path)
        yield Finding("also-random", Level.INFO, where, {"count": len(rows)}, [table])


def _benchmark(case: Case) -> Iterator[Finding]:
    """The benchmark script: whether PyTorch is seeded there."""
    from ..errors import ReadError
    from ..script.project import Project
    from ..script.source import read
    from ..script.trace import follow
    from ..script.training import assumption

    for path in case.paths("benchmark.scripts.train"):
        try:
            source = read(path, case.relative(path))
        except ReadError:
            continue
        trace = follow(source, assumption("train"), Project(path.parent, path.parent).find, path.parent)
        seeds = (
            "torch.manual_seed",
            "torch.random.manual_seed",
            "lightning.seed_everything",
            "accelerate.utils.set_seed",
        )
        if any(
            call.name in seeds or call.last in ("seed_everything", "set_seed", "manual_seed") for call in trace.calls
        ):
            continue
        first = next((call for call in trace.calls if call.name.startswith("torch.nn.")), None)
        if first is not None:
            fix = Fix("fix-benchmark")
            yield _finding("benchmark-unseeded", Level.PROBLEM, first, {}, Sure.LIKELY, fix)


_OWN_INITIALIZER = """
from mindspore.common.initializer import Initializer

class Drawn(Initializer):
    def _initialize(self, arr):
        {}
        arr[:] = np.random.normal(0, 1, arr.shape)

net = nn.Dense(2, 2, weight_init=Drawn(), has_bias=False)
"""


def _example(name: str, script: str, verdict: Verdict, *codes: str, **files: str) -> Example:
    head = "import numpy as np\nimport mindspore as ms\nfrom mindspore import nn\nimport mindspore.dataset as ds\n"
    tail = "\nms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params())).train(1, ds.Cifar10Dataset('data'))\n"
    modules = {f"{module.replace('__', '/')}.py": text for module, text in files.items()}
    return script_example(head, name, script.lstrip("\n"), verdict, *codes, tail=tail, files=modules)


EXAMPLES = [
    _example("mindspore.set_seed reaches everything", "ms.set_seed(1)\nnet = nn.Dense(2, 2)\n", Verdict.OK, "seeded"),
    _example(
        "set in a helper that is called",
        "from helper import fix\nfix(7)\nnet = nn.Dense(2, 2)\n",
        Verdict.OK,
        "seeded",
        helper="import mindspore\n\ndef fix(seed):\n    mindspore.set_seed(seed)\n",
    ),
    _example(
        "set when a module is imported",
        "import src.unet\nnet = nn.Dense(2, 2)\n",
        Verdict.OK,
        "seeded",
        src__unet="from mindspore import set_seed\nset_seed(1212)\n",
    ),
    _example(
        "an old name", "import mindspore.ops as ops\nops.set_seed(3)\nnet = nn.Dense(2, 2)\n", Verdict.OK, "seeded"
    ),
    _example(
        "seeds one by one, and weights that come from numpy's",
        """
import random
random.seed(1)
np.random.seed(1)
ds.config.set_seed(1)
net = nn.Dense(2, 2)
""",
        Verdict.OK,
        "seeded",
    ),
    Example(
        "a training that is not seen",
        files={"train.py": "from trainers import Trainer\n\nTrainer('config').fit()\n"},
        case={"scripts": {"train": "train.py"}},
        verdict=Verdict.UNDECIDED,
        codes=["nothing-random"],
    ),
    _example("no seed", "net = nn.Dense(2, 2)\n", Verdict.PROBLEM, "no-seed"),
    _example(
        "no seed, and an option that chooses the network",
        """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--wide", action="store_true")
args = parser.parse_args()
net = nn.Dense(64, 2) if args.wide else nn.Dense(4, 2)
""".lstrip("\n"),
        Verdict.PROBLEM,
        "no-seed",
    ),
    _example("the word in a comment", "net = nn.Dense(2, 2)  # set_seed(1)\n", Verdict.PROBLEM, "no-seed"),
    _example(
        "a helper that nobody calls",
        "def set_seed(seed):\n    ms.set_seed(seed)\n\nnet = nn.Dense(2, 2)\n",
        Verdict.PROBLEM,
        "seed-not-reached",
    ),
    _example(
        "a seed that only the sampler sets, after the network is made",
        """
class Sampler:
    def __iter__(self):
        np.random.seed(1)
        return iter(np.random.permutation(8))

net = nn.Dense(2, 2)
data = ds.GeneratorDataset(rows, ["x"], sampler=Sampler())
""".lstrip("\n"),
        Verdict.PROBLEM,
        "late",
        "unseeded",
    ),
    _example(
        "only numpy is seeded",
        "np.random.seed(1)\nnet = nn.SequentialCell(nn.Dense(2, 2), nn.Dropout(p=0.5))\n",
        Verdict.PROBLEM,
        "unseeded",
    ),
    _example(
        "random numbers of an object that nobody makes",
        """
import random

class Crop:
    def __call__(self, image):
        return image[random.randint(0, 4):]

np.random.seed(1)
net = nn.Dense(2, 2)
""",
        Verdict.PROBLEM,
        "unseeded",
        "unseeded-perhaps",
    ),
    _example(
        "seeded after the network",
        "net = nn.Dense(2, 2)\nds.config.set_seed(1)\n",
        Verdict.PROBLEM,
        "late",
    ),
    _example(
        "seeded after the network, whose weights are then drawn anew",
        "net = nn.Dense(2, 2)\nnp.random.seed(1)\nds.config.set_seed(1)\nfor _, cell in net.cells_and_names():\n"
        "    if isinstance(cell, nn.Dense):\n"
        "        cell.weight.set_data(ms.Tensor(np.random.normal(0, 1, cell.weight.shape).astype(np.float32)))\n",
        Verdict.OK,
        "seeded",
    ),
    _example(
        "seeded after the network, of whose layers one kind is drawn anew",
        "net = nn.SequentialCell(nn.Conv2d(3, 4, 3), nn.Dense(2, 2))\nnp.random.seed(1)\nfor _, cell in net.cells_and_names():\n"
        "    if isinstance(cell, nn.Conv2d):\n"
        "        cell.weight.set_data(ms.Tensor(np.random.normal(0, 1, cell.weight.shape).astype(np.float32)))\n",
        Verdict.PROBLEM,
        "late",
        "unseeded",
    ),
    _example(
        "a seed that is drawn where a configuration of another package gives none",
        "from settings import chosen\nif chosen.train.seed is None:\n    chosen.train.seed = np.random.randint(1000)\n"
        "seed = chosen.train.seed + 1\nnp.random.seed(seed)\nms.set_seed(seed)\nnet = nn.Dense(2, 2)\nnoise = np.random.normal(0, 1, 8)\n",
        Verdict.OK,
        "seeded",
    ),
    _example(
        "numbers that are drawn before a seed which a configuration gives",
        "from settings import chosen\nchosen.train.size = np.random.randint(1000)\n"
        "seed = chosen.train.seed + 1\nnp.random.seed(seed)\nms.set_seed(seed)\nnet = nn.Dense(2, 2)\n",
        Verdict.PROBLEM,
        "late",
    ),
    _example(
        "weights of an initializer of the project that seeds each time",
        _OWN_INITIALIZER.format("np.random.seed(9)") + "ds.config.set_seed(1)\nnp.random.seed(1)\n",
        Verdict.OK,
        "seeded",
    ),
    _example(
        "weights of an initializer of the project that seeds nothing",
        _OWN_INITIALIZER.format("pass") + "ds.config.set_seed(1)\nnp.random.seed(1)\n",
        Verdict.PROBLEM,
        "late",
    ),
    _example(
        "a seed that is drawn",
        "import random\nchosen = random.randint(1, 10000)\nrandom.seed(chosen)\nms.set_seed(chosen)\nnet = nn.Dense(2, 2)\n",
        Verdict.PROBLEM,
        "seed-varies",
    ),
    _example(
        "a seed that is drawn where an option gives none",
        "import argparse, random\nparser = argparse.ArgumentParser()\nparser.add_argument('--seed', type=int)\nargs = parser.parse_args()\n"
        "if args.seed is None:\n    args.seed = random.randint(1, 10000)\nms.set_seed(args.seed)\nnet = nn.Dense(2, 2)\n",
        Verdict.PROBLEM,
        "seed-varies",
    ),
    _example(
        "a seed that is drawn with a generator that has a seed",
        "import random\nrandom.seed(7)\nms.set_seed(random.randint(1, 10000))\nnet = nn.Dense(2, 2)\n",
        Verdict.OK,
        "seeded",
    ),
    _example(
        "a seed that is the time",
        "import time\nms.set_seed(int(time.time()))\nnet = nn.Dense(2, 2)\n",
        Verdict.PROBLEM,
        "seed-varies",
    ),
    _example(
        "a generator of its own without a seed",
        "ms.set_seed(1)\nrng = np.random.default_rng()\nnet = nn.Dense(2, 2)\n",
        Verdict.PROBLEM,
        "generator-unseeded",
    ),
    _example(
        "a helper out of sight",
        "from framework.utils import set_random_seed\nset_random_seed(1)\nnet = nn.Dense(2, 2)\n",
        Verdict.UNDECIDED,
        "elsewhere",
    ),
    _example(
        "only under a condition",
        "import os\nif os.path.exists('fixed'):\n    ms.set_seed(1)\nnet = nn.Dense(2, 2)\n",
        Verdict.UNDECIDED,
        "conditional",
    ),
    Example(
        "the benchmark script sets none",
        files={
            "train.py": "import mindspore as ms\nfrom mindspore import nn\nms.set_seed(1)\nnet = nn.Dense(2, 2)\n",
            "ref/train.py": "import torch\nnet = torch.nn.Linear(2, 2)\n",
        },
        case={"scripts": {"train": "train.py"}, "benchmark": {"scripts": {"train": "ref/train.py"}}},
        verdict=Verdict.PROBLEM,
        codes=("benchmark-unseeded",),
    ),
]
