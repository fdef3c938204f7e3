"""Names the parameters and buffers of PyTorch networks whose names or number change on the way to MindSpore.

Reads every Python file and notebook below the folder of the benchmark scripts, or below the project; nothing is imported or run.
Lists what has another name or no counterpart by rule (BatchNorm, LayerNorm, Embedding, recurrent layers, attention) and buffers of
the network's own. Suspect is what stores a weight in parts (weight_norm, spectral_norm, parametrizations) or knows its shape only
when it runs (Lazy layers). Which tensor of a file stands for which, the parameter map of cmp.05 tells from two checkpoints.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Plain, Progress, Sure, Table, Verdict, Where
from ..probe import Example
from . import _gaps
from .api_scan import suggest

if TYPE_CHECKING:
    from ..script.folder import File
    from ..script.usage import ApiUse

__all__ = ["suggest"]

KIND = Kind.STATIC
NEEDS: tuple[str | tuple[str, ...], ...] = ()
USES = ("benchmark.scripts",)


class Params(msgspec.Struct, frozen=True):
    pass


MESSAGES: Words = {
    **_gaps.MESSAGES,
    "parts": {
        "en": "{api} stores a weight in parts ({names}) that no layer of MindSpore has.",
        "zh": "{api} 把权重拆成几部分保存（{names}），MindSpore 的层中没有这些参数。",
    },
    "lazy": {
        "en": "{api} knows the shape of its weights only after the first batch; MindSpore needs it when the layer is created.",
        "zh": "{api} 要到第一个 batch 之后才知道权重的形状，而 MindSpore 在创建层时就需要。",
    },
    "buffer": {
        "en": "{count} {count:buffer is|buffers are} registered; those that are saved become Parameter(requires_grad=False).",
        "zh": "注册了 {count} 个自有 buffer；其中需要保存的要写成 Parameter(requires_grad=False)。",
    },
    "renamed": {
        "en": "{count} {count:place makes a layer|places make layers} whose parameters have different names in MindSpore: {apis}.",
        "zh": "有 {count} 处创建的层在 MindSpore 中参数名不同：{apis}。",
    },
    "shared": {
        "en": "One weight is used in two layers: it appears twice in a state_dict and once in a checkpoint of MindSpore.",
        "zh": "两个层共用一个权重：它在 state_dict 中出现两次，在 MindSpore 的 checkpoint 中只出现一次。",
    },
    "wrapped": {
        "en": "{api} puts a prefix (module. or _orig_mod.) before all names of a state_dict that is saved from it.",
        "zh": "从 {api} 保存的 state_dict，所有参数名前会多一个前缀（module. 或 _orig_mod.）。",
    },
    "plain": {
        "en": "All parameters keep their names by rule; nothing to map beyond that is seen in {files:,} {files:file|files}.",
        "zh": "在 {files:,} 个文件中没有看到需要额外映射的参数，参数名按规则对应即可。",
    },
    "no-torch": {
        "en": "No file uses PyTorch ({files:,} {files:file was|files were} checked).",
        "zh": "没有文件使用 PyTorch（共查看 {files:,} 个文件）。",
    },
    "fix-parts": {
        "en": "Merge the parts into one weight before converting (remove_weight_norm, remove_parametrizations), or keep them as Parameters "
        "of a Cell of your own and compute the weight in construct.",
        "zh": "转换前先合并成一个权重（remove_weight_norm、remove_parametrizations）；"
        "或在自定义 Cell 中把各部分存为 Parameter，在 construct 中计算权重。",
    },
    "fix-lazy": {
        "en": "Write the sizes out: run the original once and print the shapes.",
        "zh": "写明尺寸：先运行一次原网络，打印各权重的形状。",
    },
}
WORDS: Words = {
    "buffers": {"en": "Buffers", "zh": "buffer"},
    "renamed": {"en": "Parameters by another name", "zh": "参数名不同的层"},
    "api": {"en": "PyTorch", "zh": "PyTorch"},
    "name": {"en": "Name", "zh": "名字"},
    "place": {"en": "Place", "zh": "位置"},
    "places": {"en": "Places", "zh": "处数"},
    "first": {"en": "First", "zh": "首处"},
    "there": {"en": "Called there", "zh": "PyTorch 参数名"},
    "here": {"en": "Called in MindSpore", "zh": "MindSpore 参数名"},
}
_UNLOADED = {
    "en": "Loading by name leaves such weights at their random initial values, and only the return value says so.",
    "zh": "按名字加载时，这些权重会保持随机初值，只有查看返回值才能发现。",
}
WHY: Words = {"parts": _UNLOADED, "lazy": _UNLOADED}
_MAP = {
    "en": "Convert the checkpoint, compare it with the original tensor by tensor (cmp.05, cmp.06), and compare outputs for one input.",
    "zh": "转换 checkpoint 后与原文件逐个张量对比（见 cmp.05、cmp.06），并对比同一输入的输出。",
}
PROOF: Words = {"parts": _MAP, "lazy": _MAP}

#: What stores a weight in parts, and what the parts are called.
_PARTS = {
    "torch.nn.utils.weight_norm": "weight_g, weight_v",
    "torch.nn.utils.spectral_norm": "weight_orig, weight_u, weight_v",
    "torch.nn.utils.parametrizations.weight_norm": "parametrizations.weight.original0, original1",
    "torch.nn.utils.parametrizations.spectral_norm": "parametrizations.weight.original, 0._u, 0._v",
    "torch.nn.utils.parametrizations.orthogonal": "parametrizations.weight.original",
    "torch.nn.utils.parametrize.register_parametrization": "parametrizations.*.original",
}
#: What layers call their parameters here and there, for mindspore.nn; mindspore.mint.nn differs less.
_NORM = ("weight, bias, running_mean, running_var, num_batches_tracked", "gamma, beta, moving_mean, moving_variance, –")
_NAMES = {
    **dict.fromkeys(("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm"), _NORM),
    **dict.fromkeys(("LayerNorm", "GroupNorm"), ("weight, bias", "gamma, beta")),
    **dict.fromkeys(("InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"), ("weight, bias", "gamma, beta")),
    "Embedding": ("weight", "embedding_table"),
    "PReLU": ("weight", "w"),
}
_WRAPPERS = (
    "torch.nn.DataParallel",
    "torch.nn.parallel.DistributedDataParallel",
    "torch.nn.parallel.DataParallel",
    "torch.compile",
)
#: Rows of a table, and places told one by one.
ROWS = 100


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..script.folder import TORCH, read_folder

    folder = yield from read_folder(case)
    yield from _gaps.findings(folder)
    files = folder.torch()
    if not files:
        yield Finding("no-torch", Level.INFO, data={"files": folder.seen})
        return
    uses = [(file, use) for file in files for use in file.uses(*TORCH) if use.called]
    told = list(_parts(uses))
    told += _buffers(uses)
    told += _renamed(uses)
    for api in _WRAPPERS:
        told += [_finding("wrapped", Level.INFO, file, use) for file, use in uses if use.api == api][:1]
    for file in files:
        for remark in file.usage.remarks:
            if remark.kind == "shared-weight":
                where = Where(path=file.path, line=remark.line, column=remark.column)
                told.append(Finding("shared", Level.INFO, where, evidence=[file.code(remark)]))
    yield from told[: 2 * ROWS]
    if not told:
        yield Finding("plain", Level.INFO, data={"files": len(files)})


def _finding(code: str, level: Level, file: File, use: ApiUse, fix: str = "", **data: str) -> Finding:
    where = Where(path=file.path, line=use.line, column=use.column)
    sure = Sure.LIKELY if level is Level.SUSPECT else None
    return Finding(code, level, where, {"api": use.api, **data}, [file.code(use)], Fix(fix) if fix else None, sure=sure)


def _parts(uses: list[tuple[File, ApiUse]]) -> Iterator[Finding]:
    for file, use in uses:
        if use.api in _PARTS:
            yield _finding("parts", Level.SUSPECT, file, use, "fix-parts", names=_PARTS[use.api])
        elif use.api.startswith("torch.nn.Lazy"):
            yield _finding("lazy", Level.SUSPECT, file, use, "fix-lazy")


def _buffers(uses: list[tuple[File, ApiUse]]) -> Iterator[Finding]:
    """Buffers of the network's own; those that are not persistent are never saved."""
    rows: list[list[Plain]] = []
    for file, use in uses:
        if (
            use.api in ("torch.nn.Module.register_buffer", "torch.nn.Buffer")
            and use.given.get("persistent") is not False
        ):
            name = use.given.get("0", use.given.get("name"))
            rows.append([name if isinstance(name, str) else "…", f"{file.path}:{use.line}"])
    if rows:
        yield Finding(
            "buffer", Level.INFO, data={"count": len(rows)}, evidence=[_table("buffers", ["name", "place"], rows)]
        )


def _renamed(uses: list[tuple[File, ApiUse]]) -> Iterator[Finding]:
    rows: dict[str, list[Plain]] = {}
    for file, use in uses:
        space, _, last = use.api.rpartition(".")
        if space == "torch.nn" and last in _NAMES:
            row = rows.setdefault(last, [use.api, 0, f"{file.path}:{use.line}", *_NAMES[last]])
            row[1] = int(row[1] or 0) + 1
    if rows:
        ordered = sorted(rows.values(), key=lambda row: -int(row[1] or 0))
        data = {"count": sum(int(row[1] or 0) for row in ordered), "apis": [row[0] for row in ordered]}
        table = _table("renamed", ["api", "places", "first", "there", "here"], ordered)
        yield Finding("renamed", Level.INFO, data=data, evidence=[table])


def _table(title: str, columns: list[str], rows: list[list[Plain]]) -> Table:
    return Table(title, columns, rows[:ROWS], total=len(rows))


def _example(name: str, lines: str, verdict: Verdict, *codes: str) -> Example:
    body = "".join(f"        {line}\n" for line in lines.splitlines())
    text = "import torch\nfrom torch import nn\n\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    return Example(name, files={"net.py": text + body}, case={}, verdict=verdict, codes=codes)


EXAMPLES = [
    _example("linear layers alone", "self.a = nn.Linear(2, 3)", Verdict.OK, "plain"),
    _example("BatchNorm", "self.a = nn.BatchNorm2d(3)", Verdict.OK, "renamed"),
    _example("a buffer", 'self.register_buffer("scale", torch.ones(3))', Verdict.OK, "buffer"),
    _example(
        "one that is never saved", 'self.register_buffer("scale", torch.ones(3), persistent=False)', Verdict.OK, "plain"
    ),
    _example("a weight in parts", "self.a = nn.utils.weight_norm(nn.Linear(2, 3))", Verdict.UNDECIDED, "parts"),
    _example("sizes not yet known", "self.a = nn.LazyLinear(3)", Verdict.UNDECIDED, "lazy"),
    _example(
        "a tied weight",
        "self.a = nn.Embedding(9, 4)\nself.b = nn.Linear(4, 9)\nself.b.weight = self.a.weight",
        Verdict.OK,
        "shared",
        "renamed",
    ),
]
