"""Names the places where PyTorch or MindSpore code uses sparse tensors, sparse gradients or optimizers for them.

Reads every Python file and notebook below the project and the folder of the benchmark scripts; nothing is imported or run. In
PyTorch code each place is suspect: few operators of MindSpore take sparse tensors, and what computes densely instead may update
other rows. Sparse tensors of MindSpore itself are only listed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Progress, Sure, Verdict, Where
from ..probe import Example
from . import _gaps
from .dynamic_shapes import MOST, suggest

if TYPE_CHECKING:
    from ..script.usage import ApiUse

__all__ = ["suggest"]

KIND = Kind.STATIC
NEEDS: tuple[str | tuple[str, ...], ...] = ()
USES = ("benchmark.scripts",)


class Params(msgspec.Struct, frozen=True):
    pass


MESSAGES: Words = {
    **_gaps.MESSAGES,
    "tensor": {
        "en": "{api} makes or takes a sparse tensor.",
        "zh": "{api} 创建或使用稀疏张量。",
    },
    "gradient": {
        "en": "{api} with sparse=True produces sparse gradients: optimizers then update only the rows that a batch uses.",
        "zh": "{api} 设置了 sparse=True，梯度是稀疏的：优化器只更新当前 batch 用到的行。",
    },
    "optimizer": {
        "en": "{api} keeps moments only of the rows that get a gradient.",
        "zh": "{api} 只更新有梯度的行的动量。",
    },
    "listed": {
        "en": "{api} of MindSpore: check that the operators after it take sparse input.",
        "zh": "用到 MindSpore 的 {api}：确认其后的算子支持稀疏输入。",
    },
    "dense": {
        "en": "Nothing sparse is seen in {files:,} {files:file|files}.",
        "zh": "在 {files:,} 个文件中没有看到稀疏计算。",
    },
    "no-code": {
        "en": "No file uses PyTorch or MindSpore ({files:,} {files:file was|files were} checked).",
        "zh": "没有文件使用 PyTorch 或 MindSpore（共查看 {files:,} 个文件）。",
    },
    "fix-tensor": {
        "en": "Use COOTensor or CSRTensor where the operator accepts them; otherwise a dense tensor, or gather and segment sums over "
        "the indices.",
        "zh": "算子支持时用 COOTensor 或 CSRTensor，否则改用稠密张量，或按下标 gather 后分段求和。",
    },
    "fix-rows": {
        "en": "Compute densely; if only used rows may change, use nn.LazyAdam.",
        "zh": "改为稠密计算；若只应更新用到的行，可用 nn.LazyAdam。",
    },
}
WORDS: Words = {}
_ROWS = {
    "en": "A dense Adam or a weight decay moves rows that the batch does not use, by their old moments; embeddings of rare words end up "
    "elsewhere than in the original.",
    "zh": "稠密的 Adam 或权重衰减会依据旧动量更新当前 batch 未用到的行，低频词的 embedding 会与原网络不同。",
}
WHY: Words = {
    "tensor": {
        "en": "Operators that do not accept sparse input have to be replaced, and the replacement (sums over duplicates, empty rows) "
        "determines the result.",
        "zh": "不支持稀疏输入的算子需要替换，而替换后的处理方式（重复下标的累加、空行）会影响结果。",
    },
    "gradient": _ROWS,
    "optimizer": _ROWS,
}
_TWO = {
    "en": "Run one step of both on a batch that leaves some rows out, and compare these rows before and after.",
    "zh": "用只覆盖部分行的 batch 在两边各运行一步，对比未覆盖的行在更新前后是否变化。",
}
PROOF: Words = {
    "tensor": {
        "en": "Compare both results on input with duplicate indices and empty rows.",
        "zh": "用含重复下标和空行的输入对比两边的结果。",
    },
    "gradient": _TWO,
    "optimizer": _TWO,
}
_TORCH = re.compile(
    r"torch\.sparse\b|torch\.(?:sparse_\w+_tensor|spmm|hspmm|smm|dsmm|sspaddmm)$|torch\.Tensor\.(?:to_sparse\w*|coalesce|sparse_\w+)$"
    r"|torch(?:\.cuda)?\.sparse\."
)
_MINDSPORE = re.compile(
    r"^mindspore\.(?:\w+\.)*(?:COOTensor|CSRTensor|RowTensor|SparseTensor|Sparse\w+|csr_\w+|coo_\w+|sparse_\w+)$"
)
_FIXES = {"tensor": "fix-tensor", "gradient": "fix-rows", "optimizer": "fix-rows"}
#: What has "sparse" in its name and computes densely.
_DENSE = re.compile(r"SparseSoftmaxCrossEntropy\w*|sparse_\w*cross_entropy\w*")


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..script.folder import read_folder

    folder = yield from read_folder(case)
    yield from _gaps.findings(folder)
    if not folder.files:
        yield Finding("no-code", Level.INFO, data={"files": folder.seen})
        return
    found = 0
    for file in folder.files:
        for use in file.usage.uses:
            code = _code(use)
            if code is None:
                continue
            found += 1
            if found <= MOST:
                listed = code == "listed"
                where = Where(path=file.path, line=use.line, column=use.column)
                level, fix = (Level.INFO, None) if listed else (Level.SUSPECT, Fix(_FIXES[code]))
                sure = None if listed else Sure.LIKELY
                yield Finding(code, level, where, {"api": use.api}, [file.code(use)], fix, sure=sure)
    if not found:
        yield Finding("dense", Level.INFO, data={"files": len(folder.files)})


def _code(use: ApiUse) -> str | None:
    last = use.api.rpartition(".")[2]
    if use.api.startswith("mindspore."):
        return "listed" if _MINDSPORE.search(use.api) and not _DENSE.search(last) else None
    if last == "SparseAdam":
        return "optimizer"
    if last in ("Embedding", "EmbeddingBag", "embedding", "embedding_bag"):
        return "gradient" if use.given.get("sparse") is True else None
    return "tensor" if _TORCH.search(use.api) else None


def _example(name: str, lines: str, verdict: Verdict, *codes: str) -> Example:
    text = "import torch\nfrom torch import nn\n" + lines
    return Example(name, files={"net.py": text}, case={}, verdict=verdict, codes=codes)


EXAMPLES = [
    _example("dense embeddings", "table = nn.Embedding(100, 8)\n", Verdict.OK, "dense"),
    _example("sparse gradients", "table = nn.Embedding(100, 8, sparse=True)\n", Verdict.UNDECIDED, "gradient"),
    _example("an optimizer for them", "step = torch.optim.SparseAdam([])\n", Verdict.UNDECIDED, "optimizer"),
    _example("a sparse matrix", "graph = torch.ones(3, 3).to_sparse()\n", Verdict.UNDECIDED, "tensor"),
    Example(
        "MindSpore's own",
        files={
            "net.py": "import mindspore as ms\nfrom mindspore import nn\nx = ms.CSRTensor(a, b, c, (2, 2))\n"
            "loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True)\n"
        },
        case={},
        verdict=Verdict.OK,
        codes=("listed",),
    ),
]
