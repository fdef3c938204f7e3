"""Finds calls that this version of MindSpore refuses: parameters that it does not have, too many arguments, names that are gone.

Compares each call of MindSpore that the scripts make with the signatures of the version of the case, else of the one that is installed.
What an older version takes, or has, is told as that where the case does not name its version. Only what is certainly MindSpore's, and whose
signature is known. Cannot tell: values that are refused, and calls that were not followed. Never imports or runs a script.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from ..case import Case
from ..language import Language, Words, word
from ..model import Finding, Fix, Kind, Level, Progress, Sure, Verdict, Where
from ..probe import script_example
from . import _gaps, _version

if TYPE_CHECKING:
    from ..script.refusals import RefusedCall

KIND = Kind.STATIC
NEEDS: tuple[str | tuple[str, ...], ...] = (("scripts.train", "scripts.eval", "scripts.infer"),)
USES = ("runtime.mindspore",)


class Params(msgspec.Struct, frozen=True):
    pass


_OLDER = {
    "en": "{what} MindSpore {until} accepts it, {version} does not: set runtime.mindspore to the version that the scripts run on.",
    "zh": "{what}MindSpore {until} 接受这种写法，{version} 不接受：请在 runtime.mindspore 中写明脚本所用的版本。",
}
_WHATS: Words = {
    "keyword": {"en": "{api} is given {name}=.", "zh": "{api} 使用了参数 {name}=。"},
    "twice": {"en": "{api} is given {name} twice.", "zh": "{api} 的 {name} 给出了两次。"},
    "positional": {"en": "{api} is given {count:,} positional arguments.", "zh": "{api} 给出了 {count:,} 个位置参数。"},
}
MESSAGES: Words = {
    **_gaps.MESSAGES,
    "keyword": {
        "en": "MindSpore {version} refuses this call: {api} has no parameter {name}. It has: {accepted}.",
        "zh": "MindSpore {version} 拒绝此调用：{api} 没有参数 {name}，可用参数为 {accepted}。",
    },
    "twice": {
        "en": "MindSpore {version} refuses this call: {api} gets {name} by position and by name.",
        "zh": "MindSpore {version} 拒绝此调用：{api} 的 {name} 既按位置又按名称给出。",
    },
    "positional": {
        "en": "MindSpore {version} rejects this call: {api} takes at most {most:,} positional {most:argument|arguments}, but gets "
        "{count:,}.",
        "zh": "MindSpore {version} 拒绝此调用：{api} 最多接受 {most:,} 个位置参数，这里给出了 {count:,} 个。",
    },
    "gone": {
        "en": "MindSpore {version} has no {api}.",
        "zh": "MindSpore {version} 中没有 {api}。",
    },
    "older": _OLDER,
    "former-name": {
        "en": "MindSpore {version} has no {api}; earlier versions had it. Set runtime.mindspore to the version that the scripts run on.",
        "zh": "MindSpore {version} 中没有 {api}，较早的版本中有：请在 runtime.mindspore 中写明脚本所用的版本。",
    },
    "fit": {
        "en": "{count:,} {count:call|calls} of {apis:,} {apis:API|APIs} fit the signatures of MindSpore {version}.",
        "zh": "对 {apis:,} 个 API 的 {count:,} 处调用与 MindSpore {version} 的参数表相符。",
    },
    "none-seen": {
        "en": "No call of MindSpore whose signature is known was seen in what {path} runs.",
        "zh": "在 {path} 所运行的代码中，没有看到参数表已知的 MindSpore 调用。",
    },
    "fix-near": {"en": "Write {near}= instead of {name}=.", "zh": "将 {name}= 改为 {near}=。"},
    "fix-signature": {
        "en": "Look up the signature for this version, and pass the intended arguments by name.",
        "zh": "查阅该版本的接口文档，按其参数名给出所需的值。",
    },
}
WORDS: Words = {}
_STOPS = {
    "en": "The script ends here with an error. If a handler or condition skips it, the intended setting has no effect.",
    "zh": "脚本会在此处报错退出；如果被异常处理或条件分支绕过，则所期望的设置不会生效。",
}
_PROOF = {
    "en": "Run the line by itself in the training environment: it raises TypeError, or AttributeError for a name.",
    "zh": "在训练环境中单独运行这一行：参数不符会抛出 TypeError，名称不存在会抛出 AttributeError。",
}
_CODES = ("keyword", "twice", "positional", "gone")
WHY: Words = dict.fromkeys(_CODES, _STOPS)
PROOF: Words = dict.fromkeys(_CODES, _PROOF)
#: Places that are told.
MOST = 100


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..script.analysis import read_scripts
    from ..script.refusals import Refusals

    scripts = read_scripts(case)
    yield from _gaps.findings(scripts)
    version = _version.of(case)
    examined = Refusals(scripts.readings, version)
    for number, refused in enumerate(examined.examine()):
        if number < MOST:
            yield _finding(refused, version, _version.is_known(case))
    count = sum(examined.fit.values())
    if count:
        data: dict[str, Any] = {"count": count, "apis": len(examined.fit), "version": version}
        yield Finding("fit", Level.INFO, data=data)
    elif scripts.readings:
        path = scripts.readings[0].source.path
        yield Finding("none-seen", Level.INFO, Where(path=path), {"path": path}, incomplete=True)
    yield Progress(len(scripts.readings), len(scripts.readings), "files")


def _finding(refused: RefusedCall, version: str, known: bool) -> Finding:
    """`known`: the case names its version. Where it does not, what an older one takes may well be right."""
    place = refused.place
    where = Where(path=place.source.path, line=place.line)
    evidence = [
        place.source.code(place.line, min(getattr(place.node, "end_lineno", None) or place.line, place.line + 3))
    ]
    data = {**refused.data, "version": version}
    if refused.until and not known:  # which a healthy project may run on
        what = {each.value: word(_WHATS, refused.code, each, **refused.data) for each in Language}
        return Finding(
            "older", Level.INFO, where, {"what": what, "until": refused.until, "version": version}, [*evidence]
        )
    if refused.former and not known:  # as a training that runs does
        return Finding("former-name", Level.INFO, where, data, [*evidence])
    level, sure = Level.PROBLEM, Sure.CERTAIN if known else Sure.LIKELY
    if refused.guarded:
        level, sure = Level.SUSPECT, Sure.POSSIBLE
    elif not known and refused.code == "gone":
        level = Level.SUSPECT
    fix = Fix("fix-near" if refused.data.get("near") else "fix-signature")
    return Finding(refused.code, level, where, data, [*evidence], fix, sure=sure)


_HEAD = """
import mindspore as ms
from mindspore import nn, ops

net = nn.SequentialCell(nn.Dense(8, 8), nn.ReLU(), nn.Dense(8, 2))
"""
_example = partial(script_example, _HEAD, runtime={"mindspore": "2.10.0"})
EXAMPLES = [
    _example("as the signature says", 'net = ms.amp.auto_mixed_precision(net, amp_level="O2")\n', Verdict.OK, "fit"),
    _example("level for amp_level", 'net = ms.amp.auto_mixed_precision(net, level="O2")\n', Verdict.PROBLEM, "keyword"),
    _example("a name of PyTorch", "head = nn.Dense(8, 2, bias=True)\n", Verdict.PROBLEM, "keyword"),
    _example("too many arguments", "ms.set_seed(1, 2)\n", Verdict.PROBLEM, "positional"),
    _example("by position and by name", "head = nn.Dense(8, 2, out_channels=2)\n", Verdict.PROBLEM, "twice"),
    _example(
        "a module that is gone",
        "import mindspore.dataset.vision.c_transforms as C\nC.Decode()\n",
        Verdict.PROBLEM,
        "gone",
    ),
    script_example(
        _HEAD,
        "a module of earlier versions, where none is declared",
        "import mindspore.dataset.vision.c_transforms as C\nC.Decode()\nms.set_seed(1)\n",
        Verdict.OK,
        "former-name",
    ),
    script_example(
        _HEAD, "a name that no version has, where none is declared", "nn.BatchNorm2D(8)\n", Verdict.UNDECIDED, "gone"
    ),
    _example(
        "on the way of another version",
        "import os\nif os.environ['OLD'] == '1':\n    net = ms.amp.auto_mixed_precision(net, level='O2')\n",
        Verdict.UNDECIDED,
        "keyword",
    ),
    _example(
        "arguments that are not to be seen", "import cfg\nhead = nn.Dense(*cfg.sizes, **cfg.more)\n", Verdict.OK, "fit"
    ),
    script_example(
        _HEAD, "a spelling of an earlier version", "d = nn.BCELoss(weight=None, reduction='mean')\n", Verdict.OK, "fit"
    ),
    script_example("import numpy as np\n", "nothing of MindSpore", "np.zeros(3)\n", Verdict.UNDECIDED, "none-seen"),
]
