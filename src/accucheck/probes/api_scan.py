"""Lists which APIs of PyTorch a project uses, and what MindSpore has for each: the same, one that differs, another way, nothing.

Reads every Python file and notebook below the folder of the benchmark scripts, or below the project where none is named; nothing
is imported or run. Names are resolved through aliases and scopes, so that functions of the project's own, texts, comments and type
annotations do not count; methods count where the object is seen to be a tensor, a network or an optimizer. What MindSpore has is
its own table of both frameworks, for today's version or for 2.4 and before. Cannot tell whether a difference matters here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Plain, Progress, Sure, Table, Verdict, Where
from ..probe import Example
from . import _gaps, _version

if TYPE_CHECKING:
    from ..knowledge.pytorch_apis import Counterpart, Status
    from ..script.folder import File, Folder
    from ..script.usage import ApiUse

KIND = Kind.STATIC
NEEDS: tuple[str | tuple[str, ...], ...] = ()
USES = ("benchmark.scripts",)


class Params(msgspec.Struct, frozen=True):
    rows: Annotated[
        int,
        Meta(
            ge=1,
            le=200,
            description="APIs told one by one, of each status, the most frequent first; and rows of a table",
            extra={"unit": "rows", "source": "own choice"},
        ),
    ] = 60


MESSAGES: Words = {
    **_gaps.MESSAGES,
    "scanned": {
        "en": "{apis:,} {apis:API|APIs} of PyTorch at {uses:,} {uses:place|places} in {files:,} {files:file|files}: {consistent:,} "
        "consistent in MindSpore {version}, {differs:,} that {differs:differs|differ}, {otherwise:,} done another way, "
        "{missing:,} without a counterpart.",
        "zh": "{files:,} 个文件共在 {uses:,} 处用到 {apis:,} 个 PyTorch API：MindSpore {version} 中一致的 {consistent:,} 个，"
        "有差异的 {differs:,} 个，用别的方式实现的 {otherwise:,} 个，没有对应接口的 {missing:,} 个。",
    },
    "differs": {
        "en": "{api} ({uses} {uses:place|places}): {counterparts}.",
        "zh": "{api}（{uses} 处）：{counterparts}。",
    },
    "otherwise": {"en": "{api} ({uses} {uses:place|places}): {way}", "zh": "{api}（{uses} 处）：{way}"},
    "missing": {"en": "{api} ({uses} {uses:place|places}): {way}", "zh": "{api}（{uses} 处）：{way}"},
    "two-forms": {
        "en": "{count:,} of the consistent ones {count:is|are} so in {first} only; the older form differs: {apis}.",
        "zh": "一致的 API 中有 {count} 个只在 {first} 中一致，旧接口有差异：{apis}。",
    },
    "unknown-objects": {
        "en": "{count:,} {count:call|calls} of methods named like tensor methods ({names}) {count:is|are} left out: the code does not "
        "show on which object.",
        "zh": "另有 {count:,} 处调用了与张量方法同名的方法（{names}），从代码看不出对象的类型，没有计入。",
    },
    "no-torch": {
        "en": "No file uses PyTorch ({files:,} {files:file was|files were} checked).",
        "zh": "没有文件使用 PyTorch（共查看 {files:,} 个文件）。",
    },
    "fix-missing": {
        "en": "Combine it from other operators, write an operator with ops.Custom, or ask the community.",
        "zh": "用其他算子组合实现，或用 ops.Custom 自定义算子，或向社区求助。",
    },
}
WORDS: Words = {
    "consistent": {"en": "Consistent", "zh": "一致"},
    "differs": {"en": "Differ", "zh": "有差异"},
    "otherwise": {"en": "Done another way", "zh": "用别的方式实现"},
    "missing": {"en": "Without a counterpart", "zh": "没有对应接口"},
    "two-forms": {"en": "Consistent in one form only", "zh": "只有一种形式一致"},
    "api": {"en": "PyTorch", "zh": "PyTorch"},
    "uses": {"en": "Places", "zh": "处数"},
    "first": {"en": "First", "zh": "首处"},
    "mindspore": {"en": "MindSpore", "zh": "MindSpore"},
    "older": {"en": "Differs in", "zh": "有差异的形式"},
}
WHY: Words = {
    "missing": {
        "en": "Its replacement is written by hand, and a hand-written operator is where a migrated network most often stops matching "
        "the original.",
        "zh": "这部分需要自己实现，而自己实现的算子正是迁移后结果与原网络不一致的常见位置。",
    },
}
PROOF: Words = {
    "missing": {
        "en": "Give both implementations the same inputs, also extreme ones, and compare outputs and gradients.",
        "zh": "给两边的实现相同的输入（包括极端值），对比输出和梯度。",
    },
}
_NO_WAY = {
    "en": "MindSpore's table has no counterpart.",
    "zh": "MindSpore 的映射表中没有对应接口。",
}
#: Names in one message.
NAMED = 6


class _ApiUse:
    """Where an API is used: how often, and where first."""

    def __init__(self, status: Status, file: File, use: ApiUse) -> None:
        self.status, self.file, self.use, self.count = status, file, use, 0

    @property
    def place(self) -> str:
        return f"{self.file.path}:{self.use.line}"


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..script.folder import read_folder

    folder = yield from read_folder(case)
    yield from _gaps.findings(folder)
    files = folder.torch()
    if not files:
        yield Finding("no-torch", Level.INFO, data={"files": folder.seen})
        return
    version = _version.of(case)
    seen = _seen(files, version)
    yield from _summary(seen, files, version, params.rows)
    for status in ("missing", "differs", "otherwise"):
        for one in [one for one in seen if one.status.status == status][: params.rows]:
            yield _told(one, version)
    yield from _two_forms(seen, params.rows)
    yield from _unknown(folder)


def _seen(files: list[File], version: str) -> list[_ApiUse]:
    """Every API, the most frequent first."""
    from ..knowledge.pytorch_apis import look_up
    from ..script.folder import TORCH

    found: dict[str, _ApiUse] = {}
    for file in files:
        for use in file.uses(*TORCH):
            status = look_up(use.api, version)
            if status is not None:
                found.setdefault(status.name, _ApiUse(status, file, use)).count += 1
    return sorted(found.values(), key=lambda one: (-one.count, one.status.name))


def _summary(seen: list[_ApiUse], files: list[File], version: str, rows: int) -> Iterator[Finding]:
    counts = Counter(one.status.status for one in seen)
    data = {
        "apis": len(seen),
        "uses": sum(one.count for one in seen),
        "files": len(files),
        "version": version,
        **{status: counts[status] for status in ("consistent", "differs", "otherwise", "missing")},
    }
    tables = []
    for status in ("missing", "differs", "otherwise", "consistent"):
        cells: list[list[Plain]] = [
            [one.status.name, one.count, one.place, _names(one.status)] for one in seen if one.status.status == status
        ]
        if cells:
            tables.append(Table(status, ["api", "uses", "first", "mindspore"], cells[:rows], total=len(cells)))
    yield Finding("scanned", Level.INFO, data=data, evidence=[*tables])


def _names(status: Status) -> str:
    if status.counterparts:
        return ", ".join(one.api for one in status.counterparts)
    return ", ".join(status.way.api) if status.way else ""


def _told(one: _ApiUse, version: str) -> Finding:
    status = one.status
    where = Where(path=one.file.path, line=one.use.line, column=one.use.column)
    data = {"api": status.name, "uses": one.count}
    code = [one.file.code(one.use)]
    if status.status == "differs":
        return Finding(
            "differs", Level.INFO, where, data | {"counterparts": _both(status.counterparts, version)}, [*code]
        )
    way = status.way.says if status.way else _both(status.counterparts, version) if status.counterparts else _NO_WAY
    data |= {"way": way}
    if status.status == "otherwise":
        return Finding("otherwise", Level.INFO, where, data, [*code])
    fix = None if status.way else Fix("fix-missing")
    return Finding("missing", Level.SUSPECT, where, data, [*code], fix, sure=Sure.LIKELY)


def _both(counterparts: list[Counterpart], version: str) -> dict[str, str]:
    """The counterparts with how they differ, in both languages."""
    from ..knowledge import api
    from ..knowledge.pytorch_apis import known

    told: dict[str, list[str]] = {"en": [], "zh": []}
    for one in counterparts:
        says = [row.says for row in api.differences(one.api, version)]
        exact = [kind for kind in one.differs or () if kind not in known().coarse]
        kinds = [known().kinds[kind] for kind in exact or (() if says else one.differs or ())]
        for language, marks, open_, close in (("en", (", ", "; "), " (", ")"), ("zh", ("，", "；"), "（", "）")):
            words = [text[language].rstrip(".。") for text in (*says, *kinds)]
            text = marks[bool(says or exact)].join(words)
            told[language].append(f"{one.api}{open_}{text}{close}" if words else one.api)
    return {"en": "; ".join(told["en"]), "zh": "；".join(told["zh"])}


def _two_forms(seen: list[_ApiUse], rows: int) -> Iterator[Finding]:
    """APIs that one form has alike and another not, as mint.nn.Conv2d and nn.Conv2d."""
    chosen = [
        one
        for one in seen
        if one.status.status == "consistent" and any(other.differs for other in one.status.counterparts)
    ]
    if not chosen:
        return
    cells: list[list[Plain]] = []
    for one in chosen:
        alike = [other.api for other in one.status.counterparts if other.differs is None]
        rest = [other.api for other in one.status.counterparts if other.differs is not None]
        cells.append([one.status.name, one.count, one.place, ", ".join(alike), ", ".join(rest)])
    firsts = Counter(str(row[3]).partition(".")[0] for row in cells)
    names = [one.status.name for one in chosen[:NAMED]] + (["…"] if len(chosen) > NAMED else [])
    data = {"count": len(chosen), "apis": names, "first": [name for name, _ in firsts.most_common()]}
    table = Table("two-forms", ["api", "uses", "first", "mindspore", "older"], cells[:rows], total=len(cells))
    yield Finding("two-forms", Level.INFO, data=data, evidence=[table])


def _unknown(folder: Folder) -> Iterator[Finding]:
    """Methods that may be those of tensors, on objects that the code does not show."""
    from ..knowledge.pytorch_apis import known

    methods = known().methods["torch.Tensor"] - _COMMON
    counts: Counter[str] = Counter()
    for file in folder.torch():
        counts.update({name: count for name, count in file.usage.unknown.items() if name in methods})
    if counts:
        names = [name for name, _ in counts.most_common(NAMED)] + (["…"] if len(counts) > NAMED else [])
        yield Finding("unknown-objects", Level.INFO, data={"count": counts.total(), "names": names})


#: Methods that lists, texts, arrays and dictionaries have as well.
_COMMON = frozenset(("split", "index", "count", "sort", "values", "copy", "type", "apply_"))


def suggest(findings: list[Finding]) -> Verdict:
    """Nothing to migrate where nothing uses PyTorch."""
    from ..model import suggest as usual

    if any(finding.code == "no-torch" for finding in findings) and not any(finding.incomplete for finding in findings):
        return Verdict.NOT_APPLICABLE
    return usual(findings)


def _example(name: str, files: dict[str, str], verdict: Verdict, *codes: str, version: str = "2.10.0") -> Example:
    case = {"runtime": {"mindspore": version}}
    return Example(name, files={**files}, case=case, verdict=verdict, codes=codes)


_NETWORK = """
import torch
from torch import nn
import torch.nn.functional as F

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)

    def forward(self, x: torch.Tensor):
        return F.relu(self.conv(x)).view(x.size(0), -1)
"""

EXAMPLES = [
    _example("a network with a counterpart for everything", {"net.py": _NETWORK}, Verdict.OK, "scanned", "two-forms"),
    _example(
        "an API without a counterpart",
        {"net.py": _NETWORK, "norm.py": "from torch.nn.utils import spectral_norm\nlayer = spectral_norm(object())\n"},
        Verdict.UNDECIDED,
        "missing",
    ),
    _example("for MindSpore 2.4", {"net.py": _NETWORK}, Verdict.OK, "differs", version="2.4.10"),
    _example(
        "names that only look like it",
        {
            "utils.py": 'def spectral_norm(x):\n    """torch.nn.utils.spectral_norm"""\n    return x\n',
            "main.py": "from utils import spectral_norm\nfrom models import torch_utils\nspectral_norm(1)\ntorch_utils.fx(2)\n",
        },
        Verdict.NOT_APPLICABLE,
        "no-torch",
    ),
]
