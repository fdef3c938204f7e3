"""Names the operators of the code that compute in float16 only on Ascend, by MindSpore's migration guide, and whether a loss scale is set.

Reads every Python file and notebook below the project and the folder of the benchmark scripts; nothing is imported or run. Such
operators are normal (every convolution is one) and only listed; suspect is a MindSpore training script that uses some and sets no
loss scale anywhere. What newer devices and versions compute in float32 as well, the code does not show.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Plain, Progress, Sure, Table, Verdict, Where
from ..probe import Example
from . import _gaps
from .dynamic_shapes import suggest

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
    "operators": {
        "en": "{count:,} {count:place uses|places use} operators that compute in float16 on Ascend: {kinds}.",
        "zh": "有 {count:,} 处使用了在 Ascend 上以 float16 计算的算子：{kinds}。",
    },
    "coarse": {
        "en": "{api} works on positions or an order: in float16 whole numbers above 2,048 and values that differ by less than 1 in 1,000 "
        "become equal.",
        "zh": "{api} 处理的是位置或次序：float16 下大于 2048 的整数和相差不足千分之一的数值会变得相等。",
    },
    "no-scale": {
        "en": "The network trains ({api}) with operators that compute in float16 on Ascend, and no loss scale is set anywhere.",
        "zh": "训练（{api}）用到了在 Ascend 上以 float16 计算的算子，但全部代码都没有设置 loss scale。",
    },
    "scaled": {"en": "A loss scale is set: {api}.", "zh": "已设置 loss scale：{api}。"},
    "none": {
        "en": "No such operator is seen in {files:,} {files:file|files}.",
        "zh": "在 {files:,} 个文件中没有看到这些算子。",
    },
    "no-code": {
        "en": "No file uses PyTorch or MindSpore ({files:,} {files:file was|files were} checked).",
        "zh": "没有文件使用 PyTorch 或 MindSpore（共查看 {files:,} 个文件）。",
    },
    "fix-scale": {
        "en": "Add amp.FixedLossScaleManager or amp.DynamicLossScaleManager to Model, or amp.DynamicLossScaler to a step of your "
        "own (mp.02).",
        "zh": "给 Model 加上 amp.FixedLossScaleManager 或 amp.DynamicLossScaleManager；自写训练步用 amp.DynamicLossScaler（见 mp.02）。",
    },
    "fix-coarse": {
        "en": "Keep coordinates relative to the picture, in [0, 1], and sort by scores of a good range; compare with float32 on CPU.",
        "zh": "坐标使用相对值（0 到 1），按区分度足够的分数排序，并与 CPU 上 float32 的结果对比。",
    },
}
WORDS: Words = {
    "operators": {"en": "Operators in float16 on Ascend", "zh": "Ascend 上以 float16 计算的算子"},
    "kind": {"en": "Kind", "zh": "类别"},
    "api": {"en": "API", "zh": "API"},
    "places": {"en": "Places", "zh": "处数"},
    "first": {"en": "First", "zh": "首处"},
}
WHY: Words = {
    "no-scale": {
        "en": "Gradients below 6e-8 become zero in float16: weights of the first layers hardly change, and accuracy stays lower than on "
        "devices that compute in float32.",
        "zh": "小于 6e-8 的梯度在 float16 下变为 0：靠前的层几乎不更新，精度低于以 float32 计算的设备。",
    },
}
PROOF: Words = {
    "no-scale": {
        "en": "Train some steps with and without a loss scale of 1,024 and compare the gradients of the first layers.",
        "zh": "分别在不设和设置 1024 的 loss scale 时训练若干步，对比靠前各层的梯度。",
    },
}
#: Names of APIs, without their namespace, by the kinds of MindSpore's migration guide; in PyTorch and in MindSpore.
_KINDS = {
    "Conv": r"(?:Lazy)?Conv(?:Transpose)?[123]d|Conv[123]dTranspose|conv(?:_transpose)?[123]d|Conv2D(?:Transpose)?|Conv3D(?:Transpose)?"
    r"|DepthwiseConv2dNative|conv[23]d",
    "Pool": r"AdaptiveMaxPool2[dD]|adaptive_max_pool2d|AvgPool[123]?[dD]?|avg_pool[123]d|MaxPool[123]?[dD]?|max_pool[123]d"
    r"|MaxPoolWithArgmax(?:V2)?",
    "MatMul": r"Linear|linear|Dense|dense|MatMul|BatchMatMul|matmul|bmm|mm|addmm|baddbmm|einsum",
    "RNN": r"LSTM(?:Cell)?|GRU(?:Cell)?|DynamicRNN|DynamicGRUV2|GRUV2",
    "Sort": r"[Ss]ort|argsort|topk|TopK|top_k",
    "Box": r"nms|batched_nms|NMSWithMask|IOU|iou|box_iou|BoundingBoxEncode|bounding_box_encode",
    "Patch": r"unfold|Unfold|ExtractImagePatches|ExtractVolumePatches|extract_volume_patches",
}
_OF = re.compile("|".join(f"(?P<{kind}>^(?:{names})$)" for kind, names in _KINDS.items()))
_COARSE = ("Sort", "Box")
_TRAINING = re.compile(
    r"^mindspore\.(?:\w+\.)*(?:TrainOneStep\w*|value_and_grad|GradOperation)$|^mindspore\.(?:train\.)?(?:\w+\.)?Model$"
)
_SCALE = re.compile(r"LossScal|GradScaler|loss_scale")
#: The argument that sets the level of mixed precision, by name and place.
_LEVELS = {"Model": ("amp_level", "6"), "build_train_network": ("level", "3")}
#: Places told one by one.
MOST = 20


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..script.folder import read_folder

    folder = yield from read_folder(case)
    yield from _gaps.findings(folder)
    if not folder.files:
        yield Finding("no-code", Level.INFO, data={"files": folder.seen})
        return
    places = [
        (kind, file, use) for file in folder.files for use in file.usage.uses if use.called and (kind := _kind(use))
    ]
    if not places:
        yield Finding("none", Level.INFO, data={"files": len(folder.files)})
        return
    yield _listed(places)
    for _, file, use in [place for place in places if place[0] in _COARSE and place[2].network][:MOST]:
        yield _finding("coarse", Level.INFO, file, use, Fix("fix-coarse"))
    yield from _scale(folder.mindspore(), {file.path for _, file, _ in places})


def _kind(use: ApiUse) -> str | None:
    found = _OF.match(use.api.rpartition(".")[2])
    return None if found is None or ".dataset." in use.api else found.lastgroup


def _finding(code: str, level: Level, file: File, use: ApiUse, fix: Fix | None = None) -> Finding:
    where = Where(path=file.path, line=use.line, column=use.column)
    sure = Sure.POSSIBLE if level is Level.SUSPECT else None
    return Finding(code, level, where, {"api": use.api}, [file.code(use)], fix, sure=sure)


def _listed(places: list[tuple[str, File, ApiUse]]) -> Finding:
    counts = Counter((kind, use.api) for kind, _, use in places)
    first: dict[str, str] = {}
    for _, file, use in places:
        first.setdefault(use.api, f"{file.path}:{use.line}")
    rows: list[list[Plain]] = [[kind, api, count, first[api]] for (kind, api), count in counts.most_common()]
    kinds = [kind for kind, _ in Counter(kind for kind, _, _ in places).most_common()]
    table = Table("operators", ["kind", "api", "places", "first"], rows[:100], total=len(rows))
    return Finding("operators", Level.INFO, data={"count": len(places), "kinds": kinds}, evidence=[table])


def _scale(files: list[File], using: set[str]) -> Iterator[Finding]:
    """Whether the MindSpore code that trains sets a loss scale."""
    called = [(file, use) for file in files for use in file.usage.uses if use.called]
    training = [(file, use) for file, use in called if _TRAINING.match(use.api)]
    if not training or not any(file.path in using for file in files):
        return
    scaled = next(((file, use) for file, use in called if _sets_scale(use)), None)
    if scaled is not None:
        yield _finding("scaled", Level.INFO, *scaled)
    elif not any(_level(use) is ... for _, use in called):
        yield _finding("no-scale", Level.SUSPECT, *training[0], Fix("fix-scale"))


def _sets_scale(use: ApiUse) -> bool:
    """Whether a call gives a loss scale, or asks for level O2, which brings a DynamicLossScaleManager."""
    return _level(use) == "O2" or any(_SCALE.search(name) for name in (use.api, *use.names))


def _level(use: ApiUse) -> object:
    """The level of mixed precision that is asked for; ... where it is not a constant, None where there is none."""
    module, _, last = use.api.rpartition(".")
    if module.startswith("mindspore"):
        for name in _LEVELS.get(last, ()):
            if name in use.names:
                return use.given.get(name, ...)
    return None


def _example(name: str, lines: str, verdict: Verdict, *codes: str) -> Example:
    text = "import mindspore as ms\nfrom mindspore import nn\n" + lines
    return Example(name, files={"train.py": text}, case={"runtime": {"device": "Ascend"}}, verdict=verdict, codes=codes)


EXAMPLES = [
    _example(
        "a loss scale",
        "net = nn.Conv2d(3, 8, 3)\nscale = ms.amp.FixedLossScaleManager(1024)\n"
        "model = ms.Model(net, nn.MSELoss(), opt, loss_scale_manager=scale)\n",
        Verdict.OK,
        "operators",
        "scaled",
    ),
    _example(
        "none", "net = nn.Conv2d(3, 8, 3)\nmodel = ms.Model(net, nn.MSELoss(), opt)\n", Verdict.UNDECIDED, "no-scale"
    ),
    _example("nothing of the kind", "net = nn.ReLU()\n", Verdict.OK, "none"),
    Example(
        "boxes and order in a PyTorch network",
        files={
            "net.py": "import torch\nfrom torch import nn\n\nclass Net(nn.Module):\n    def forward(self, x):\n"
            "        return torch.sort(x)\n"
        },
        case={},
        verdict=Verdict.OK,
        codes=("coarse",),
    ),
]
