"""Names the places where the shape of a tensor depends on its values, or the flow of the network does, in PyTorch and MindSpore code.

Reads every Python file and notebook below the project and the folder of the benchmark scripts; nothing is imported or run. Catches
operators whose result has as many elements as the data say (nonzero, unique, masked_select, nms), indexing with a mask, a number
read out of a tensor that becomes a size, conditions and loops on values, and batches as long as their longest sample. Within a
network such a place is suspect; elsewhere, where it runs in plain Python, it is only counted. Cannot see types that a function
gets from elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Progress, Sure, Verdict, Where
from ..probe import Example
from . import _gaps

if TYPE_CHECKING:
    from ..script.folder import File
    from ..script.usage import ApiUse, UsageRemark

KIND = Kind.STATIC
NEEDS: tuple[str | tuple[str, ...], ...] = ()
USES = ("benchmark.scripts",)


class Params(msgspec.Struct, frozen=True):
    pass


MESSAGES: Words = {
    **_gaps.MESSAGES,
    "operator": {
        "en": "How many elements {api} returns depends on the values of its input.",
        "zh": "{api} 输出的元素个数取决于输入的数值。",
    },
    "mask-index": {
        "en": "Indexing with a mask returns as many elements as the mask has True values.",
        "zh": "用掩码做下标，结果的元素个数取决于掩码中为真的个数。",
    },
    "size": {
        "en": "{api} gets a number that was read out of a tensor; if it is used as a size, the shape depends on the data.",
        "zh": "{api} 的参数是从张量中读出的数；若它用作尺寸，形状就随数据变化。",
    },
    "slice": {
        "en": "A slice ends at a number that was read out of a tensor: the shape follows the data.",
        "zh": "切片的边界是从张量中读出的数，形状随数据变化。",
    },
    "branch": {
        "en": "The condition depends on the values of a tensor.",
        "zh": "条件判断依赖张量的数值。",
    },
    "loop": {
        "en": "How often the loop runs depends on the values of a tensor.",
        "zh": "循环次数取决于张量的数值。",
    },
    "batch": {
        "en": "{api} makes each batch as long as its longest sample: the shape of the input changes from step to step.",
        "zh": "{api} 使每个 batch 的长度等于其中最长的样本，每一步的输入形状都可能不同。",
    },
    "last-batch": {
        "en": "{count:,} {count:loader keeps|loaders keep} the last batch of an epoch, which may be shorter than the others: graph mode "
        "compiles once more for it. Where all samples need not be seen, drop it: drop_last=True, drop_remainder=True in MindSpore.",
        "zh": "{count:,} 处数据加载保留了每个 epoch 的最后一个 batch，它可能比其他的短，图模式会为它再编译一次。"
        "不要求看到每个样本时可以丢弃："
        "drop_last=True，MindSpore 中为 drop_remainder=True。",
    },
    "random-size": {
        "en": "The size of the input is drawn at random at {count:,} {count:place|places} (multi-scale training): in graph mode each "
        "size is compiled once. Keep to a few sizes, or declare the varying dimensions with set_inputs().",
        "zh": "{count:,} 处随机选取输入尺寸（多尺度训练）：图模式下每种尺寸各编译一次。"
        "尺寸种类应尽量少，或用 set_inputs() 声明可变的维度。",
    },
    "elsewhere": {
        "en": "Outside networks, {count:,} more {count:place depends|places depend} on values of tensors; in plain Python that does no "
        "harm.",
        "zh": "网络之外另有 {count:,} 处依赖张量的数值，在普通 Python 代码中没有影响。",
    },
    "fixed": {
        "en": "No shape that depends on values is seen in the networks of {files:,} {files:file|files}.",
        "zh": "在 {files:,} 个文件的网络中没有看到随数值变化的形状。",
    },
    "no-code": {
        "en": "No file uses PyTorch or MindSpore ({files:,} {files:file was|files were} checked).",
        "zh": "没有文件使用 PyTorch 或 MindSpore（共查看 {files:,} 个文件）。",
    },
    "fix-mask": {
        "en": "Keep all elements and multiply by the mask, or select with ops.select (ops.where), so that the shape stays fixed.",
        "zh": "保留全部元素并乘以掩码，或用 ops.select（ops.where）选择，使形状不变。",
    },
    "fix-most": {
        "en": "Use a fixed maximum number (topk with a fixed k) and mask the rest.",
        "zh": "取固定的最大个数（例如 topk 的前 k 个），多出的部分用掩码去掉。",
    },
    "fix-select": {
        "en": "Compute both ways and choose with ops.select, or keep the decision outside of the network.",
        "zh": "两条分支都计算，再用 ops.select 选择；或把判断移到网络之外。",
    },
    "fix-pad": {
        "en": "Pad to one length, or to a few (dataset.bucket_batch_by_length), and pass a mask to the network.",
        "zh": "填充到固定长度或少数几种长度（dataset.bucket_batch_by_length），并向网络传入掩码。",
    },
}
WORDS: Words = {}
_SLOW = {
    "en": "In graph mode, data-dependent shapes or branches are recompiled or not supported; hasty rewrites (a different mask, a "
    "different reduction) change results.",
    "zh": "图模式下随数据变化的形状或分支会反复编译甚至不支持；为此仓促改写（换掩码、换归约方式）容易改变结果。",
}
_COMPARE = {
    "en": "Feed the original and the rewritten code inputs with none, some and all elements selected, and compare.",
    "zh": "用选中零个、部分和全部元素的输入分别对比改写前后的结果。",
}
WHY: Words = dict.fromkeys(("operator", "mask-index", "size", "slice", "branch", "loop", "batch"), _SLOW)
PROOF: Words = dict.fromkeys(WHY, _COMPARE)
_FIXES = {
    "operator": "fix-most",
    "mask-index": "fix-mask",
    "size": "fix-most",
    "slice": "fix-mask",
    "branch": "fix-select",
    "loop": "fix-select",
    "batch": "fix-pad",
}
#: Last part of the names of APIs whose result has as many elements as the data say.
_OPERATORS = frozenset(
    (
        "nonzero",
        "argwhere",
        "unique",
        "unique_consecutive",
        "masked_select",
        "bincount",
        "nms",
        "batched_nms",
        "NonZero",
        "Unique",
        "UniqueConsecutive",
        "MaskedSelect",
        "combinations",
    )
)
#: What takes a size or a number of elements.
_SIZED = frozenset(
    (
        *("zeros", "ones", "full", "empty", "rand", "randn", "arange", "eye", "linspace", "randint", "randperm"),
        *(
            "topk",
            "TopK",
            "view",
            "reshape",
            "expand",
            "repeat",
            "tile",
            "narrow",
            "split",
            "chunk",
            "one_hot",
            "new_zeros",
        ),
        *("new_ones", "new_full", "broadcast_to", "interpolate", "pad"),
    )
)
_BATCHES = ("torch.nn.utils.rnn.pad_sequence", "torch.nn.utils.rnn.pack_padded_sequence")
#: Places of one kind that are told one by one.
MOST = 40


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..script.folder import read_folder

    folder = yield from read_folder(case)
    yield from _gaps.findings(folder)
    if not folder.files:
        yield Finding("no-code", Level.INFO, data={"files": folder.seen})
        return
    told: dict[str, int] = {}
    lines: set[tuple[str, int]] = set()
    elsewhere = 0
    for file in folder.files:
        for code, at, data in _places(file):
            if not at.network and code != "batch":
                elsewhere += 1
            elif (file.path, at.line) not in lines:
                lines.add((file.path, at.line))
                told[code] = told.get(code, 0) + 1
                if told[code] <= MOST:
                    where = Where(path=file.path, line=at.line, column=at.column)
                    fix = Fix(_FIXES[code])
                    yield Finding(code, Level.SUSPECT, where, data, [file.code(at)], fix, sure=Sure.LIKELY)
    yield from _inputs(folder.files)
    if elsewhere:
        yield Finding("elsewhere", Level.INFO, data={"count": elsewhere})
    if not told:
        yield Finding("fixed", Level.INFO, data={"files": len(folder.files)})


def _places(file: File) -> Iterator[tuple[str, ApiUse | UsageRemark, dict[str, object]]]:
    for use in file.usage.uses:
        last = use.api.rpartition(".")[2]
        data: dict[str, object] = {"api": use.api}
        if use.api in _BATCHES:
            yield "batch", use, data
        elif _gives_as_many(use, last):
            yield "operator", use, data
        elif use.varies and last in _SIZED:
            yield "size", use, data
    for remark in file.usage.remarks:
        if remark.kind in _FIXES:
            yield remark.kind, remark, {}


def _inputs(files: list[File]) -> Iterator[Finding]:
    """Inputs that have another shape now and then though no value decides it."""
    short = [(file, use) for file in files for use in file.usage.uses if _keeps_the_rest(use)]
    sizes = [(file, one) for file in files for one in file.usage.remarks if one.kind == "random-size"]
    for code, places in (("last-batch", [*short]), ("random-size", [*sizes])):
        for file, at in places[:1]:
            where = Where(path=file.path, line=at.line, column=at.column)
            yield Finding(code, Level.INFO, where, {"count": len(places)}, [file.code(at)])


def _keeps_the_rest(use: ApiUse) -> bool:
    """Whether a loader makes batches of several samples, and a shorter one of what is left."""
    if not use.called or use.given.get("batch_size") == 1:
        return False
    if use.api == "torch.utils.data.DataLoader":
        several = "batch_size" in use.names or ("1" in use.names and use.given.get("1") != 1)
        return several and not _is_asked(use, "drop_last", "8")
    if use.api.startswith("mindspore.dataset.") and use.api.endswith(".batch"):
        return use.given.get("0") != 1 and not _is_asked(use, "drop_remainder", "1")
    return False


def _is_asked(use: ApiUse, *names: str) -> bool:
    """Whether an argument, by name or place, is given and may be true."""
    return any(name in use.names and bool(use.given.get(name, True)) for name in names)


def _gives_as_many(use: ApiUse, last: str) -> bool:
    """Whether the result has as many elements as the data say; steps of data sets run in Python and do not count."""
    if last == "where":
        return use.called and len(use.names) == 1 and ".Tensor." not in use.api
    return last in _OPERATORS and ".dataset." not in use.api and ".utils.data." not in use.api


def suggest(findings: list[Finding]) -> Verdict:
    """Nothing to say of a folder without code of either framework."""
    from ..model import suggest as usual

    if any(finding.code == "no-code" for finding in findings) and not any(finding.incomplete for finding in findings):
        return Verdict.NOT_APPLICABLE
    return usual(findings)


def _example(name: str, lines: str, verdict: Verdict, *codes: str, head: str = "") -> Example:
    body = "".join(f"        {line}\n" for line in lines.splitlines())
    text = "import torch\nfrom torch import nn\n\nclass Net(nn.Module):\n    def forward(self, x):\n" + body
    return Example(name, files={"net.py": head + text}, case={}, verdict=verdict, codes=codes)


EXAMPLES = [
    _example("shapes that stay", "y = x.view(x.size(0), -1)\nreturn torch.where(y > 0, y, 0 * y)", Verdict.OK, "fixed"),
    _example("a mask as index", "return x[x > 0.5].mean()", Verdict.UNDECIDED, "mask-index"),
    _example("indices of what is not zero", "return torch.nonzero(x)", Verdict.UNDECIDED, "operator"),
    _example("where with a condition alone", "return torch.where(x > 0)", Verdict.UNDECIDED, "operator"),
    _example("k from the data", "k = x.sum().item()\nreturn torch.topk(x, k)", Verdict.UNDECIDED, "size"),
    _example("a condition on values", "if x.sum() == 0:\n    x = x + 1\nreturn x", Verdict.UNDECIDED, "branch"),
    _example("a condition on the shape", "if x.shape[0] == 1:\n    x = x + 1\nreturn x", Verdict.OK, "fixed"),
    _example(
        "outside of a network",
        "return x",
        Verdict.OK,
        "elsewhere",
        head="import torch\nprint(torch.nonzero(torch.ones(3)))\n",
    ),
    _example(
        "loaders that keep the last batch",
        "return x",
        Verdict.OK,
        "fixed",
        "last-batch",
        head="from torch.utils.data import DataLoader\nloaders = [DataLoader([1], 8), DataLoader([1], batch_size=8, drop_last=True)]\n",
    ),
    _example(
        "images of a size drawn at random",
        "return x",
        Verdict.OK,
        "fixed",
        "random-size",
        head="import random\nimport torch\nimg_size = random.choice(range(320, 640, 32))\nx = torch.zeros(img_size)\n",
    ),
    Example(
        "a loop of a Cell",
        files={
            "net.py": "from mindspore import nn, ops\n\nclass Net(nn.Cell):\n    def construct(self, x):\n"
            "        while ops.abs(x).max() > 1:\n            x = x / 2\n        return x\n"
        },
        case={},
        verdict=Verdict.UNDECIDED,
        codes=("loop",),
    ),
]
