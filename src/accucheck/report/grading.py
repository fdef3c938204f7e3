"""Is this worth filing? The grade of a session, by rules that stand here and nowhere else.

The rules, the first that fits:

1. OWN: an item about the project's own code or data stands as a problem. Whatever else was measured rests on it, so it is mended first.
2. FRAMEWORK: nothing of that kind stands, enough of it was looked at (COMPLETE), and either the same script is worse on this version
   of MindSpore than on an older one, or the comparison with a benchmark went to the end where neither code nor data is the cause.
3. TOLERANCE: nothing of that kind stands, and where results were compared (with a benchmark, an older version, a second run) they
   differ by no more than data types or the spread of runs explain; no comparison says otherwise.
4. UNKNOWN: all else. `lacking` says what would decide it.

A layer at which a benchmark parts is UNKNOWN: its arguments differ far more often than its operator is wrong. What rests on results
whose inputs changed since is UNKNOWN too, but for a problem in code or data: it stands until it is looked at again.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import Enum

import msgspec

from ..case import Case
from ..checklist import Checklist, Item
from ..language import Words
from ..model import Status, Verdict
from ..path import walk
from ..session import Entry, Record, suggestion

#: Probes that tell a difference whose cause is still open.
DIFFERENCES = frozenset({"loss_comparison", "updated_weights", "layer_outputs", "inference_outputs"})
#: Probes that tell MindSpore itself from what runs on it.
VERSIONS = frozenset({"version_regression"})
#: Codes of findings that say: alike, within what rounding or the spread of runs explains.
ALIKE = {
    "loss_comparison": {"agrees", "within-noise", "drift"},
    "layer_outputs": {"agree"},
    "inference_outputs": {"outputs-agree", "metrics-agree"},
    "version_regression": {"agrees", "ends-alike"},
}
#: Ends of the checklist comparison at which neither code nor data is left as a cause.
FRAMEWORK_ENDS = frozenset({"file", "upgrade"})
#: Checklists about something else than accuracy.
OTHER_SUBJECTS = frozenset({"performance"})
#: The share of the items about code and data that must be decided before a framework is suspected. Own choice: of 24 items four
#: may stay open, as the guide's own cases rarely have the inputs for all.
COMPLETE = 0.8


class Grade(str, Enum):
    OWN = "own"
    FRAMEWORK = "framework"
    TOLERANCE = "tolerance"
    UNKNOWN = "unknown"


class Ground(msgspec.Struct, frozen=True):
    """One thing that a grade rests on, or that is lacking: a key of WORDS, the items meant, and a number."""

    key: str
    items: list[Item] = []
    count: int = 0


class ItemGrade(msgspec.Struct, frozen=True):
    grade: Grade
    why: list[Ground]
    lacking: list[Ground]


WORDS: Words = {
    "grade": {"en": "Is this worth filing?", "zh": "是否值得提交 issue"},
    "own": {"en": "Not yet: fix the project's own problems first", "zh": "暂不必提交：先修正项目自身的问题"},
    "framework": {"en": "Yes: the cause is likely in the framework", "zh": "值得提交：很可能是框架的问题"},
    "tolerance": {
        "en": "No: the differences are within what data types and run-to-run spread explain",
        "zh": "不必提交：差异在数据类型和多次运行波动可以解释的范围内",
    },
    "unknown": {"en": "Not enough has been checked to decide", "zh": "检查得还不够，无法判断"},
    "own-advice": {
        "en": "Fix these items, train again and rerun the probes; file an issue if the problem persists.",
        "zh": "请先修正这些检查项，重新训练并重新运行探针；问题依旧时再提交 issue。",
    },
    "framework-advice": {
        "en": "File it with this report, the scripts with their randomness fixed, and the smallest data that shows it.",
        "zh": "请提交 issue，附上本报告、固定随机性后的脚本和能复现问题的最小数据集。",
    },
    "tolerance-advice": {
        "en": "Find out whether the benchmark reaches the accuracy itself; if it does, go on with tuning.",
        "zh": "请先确认标杆本身能否达到目标精度；能达到的，转入调优。",
    },
    "unknown-advice": {
        "en": "Collect what is missing first. If you file it anyway, say that this is open.",
        "zh": "请先补齐所缺的内容；仍要提交的，请在 issue 中说明这些尚未查清。",
    },
    # what it rests on
    "own-concluded": {
        "en": "Problems in the project's code or data, concluded by a person: {items}.",
        "zh": "项目代码或数据中的问题（已人工确认）：{items}。",
    },
    "own-suggested": {
        "en": "Problems in the project's code or data, found by probes and not confirmed by a person: {items}.",
        "zh": "项目代码或数据中的问题（探针发现，尚未人工确认）：{items}。",
    },
    "clean": {
        "en": "No problem found in the project's own code or data; {count} such {count:item was|items were} decided.",
        "zh": "项目自身的代码和数据没有发现问题，已判定的相关检查项有 {count} 项。",
    },
    "regression": {
        "en": "The same script is worse on this version of MindSpore than on an older one: {items}.",
        "zh": "同一脚本在当前版本 MindSpore 上劣于旧版本：{items}。",
    },
    "path-file": {
        "en": "The comparison with the benchmark ended where neither code nor data is left as a cause; it differs at: {items}.",
        "zh": "与标杆的对比已走到“与代码和数据无关”的终点，差异出现在：{items}。",
    },
    "alike": {
        "en": "What was compared differs by no more than rounding or the spread of runs explains: {items}.",
        "zh": "对比过的内容，差异不超过舍入误差或多次运行的波动：{items}。",
    },
    "difference": {
        "en": "There are differences, and their cause is not known yet: {items}.",
        "zh": "存在差异，原因尚未查清：{items}。",
    },
    "nothing": {"en": "Nothing has been checked yet.", "zh": "尚未进行任何检查。"},
    # what is lacking
    "lack-items": {"en": "Items not decided yet: {items}.", "zh": "尚未判定的检查项：{items}。"},
    "lack-comparison": {
        "en": "A comparison with a benchmark script or an older MindSpore: accucheck path --checklist comparison",
        "zh": "与标杆脚本或旧版本 MindSpore 的对比：accucheck path --checklist comparison",
    },
    "lack-path": {
        "en": "The comparison is not finished; it is at: {items}.",
        "zh": "对比尚未走完，停在：{items}。",
    },
    "lack-cause": {
        "en": "The cause of the difference: compare the code, the arguments (defaults too), weights and inputs where it begins ({items}).",
        "zh": "差异的原因：请核对差异起点处的代码、参数（包括默认值）、权重和输入（{items}）。",
    },
    "lack-stale": {
        "en": "Results that are out of date; run these again: {items}.",
        "zh": "已过期的结果，请重新运行：{items}。",
    },
    "lack-failed": {
        "en": "Probes that failed; see why at: {items}.",
        "zh": "执行失败的探针，原因见：{items}。",
    },
}


class _ItemState(msgspec.Struct, frozen=True):
    """An item with what stands of it."""

    item: Item
    entry: Entry
    state: Verdict

    @property
    def probes(self) -> set[str]:
        return {use.name for use in self.item.uses} | set(self.entry.results)

    @property
    def own(self) -> bool:
        """Whether it is about the project's own code or data: a probe of differences makes an item one of differences."""
        return not self.probes & (DIFFERENCES | VERSIONS)

    @property
    def concluded(self) -> bool:
        return self.entry.conclusion is not None

    @property
    def alike(self) -> bool:
        return self.state is Verdict.OK and any(
            finding.code in ALIKE.get(name, ())
            for name, result in self.entry.weighed.items()
            for finding in result.findings
        )

    @property
    def differs(self) -> bool:
        """A difference stands: a problem, or a suspect that nobody has decided."""
        suspect = self.entry.suspected
        return not self.own and (self.state is Verdict.PROBLEM or (self.state is Verdict.UNDECIDED and suspect))


def grade(
    record: Record, checklists: Sequence[Checklist], case: Case, stale: Collection[tuple[str, str]] = ()
) -> ItemGrade:
    """The grade of a session. `stale` holds (item id, probe) of results whose inputs have changed."""
    facts = case.facts()
    known = []
    for checklist in checklists:
        if checklist.name not in OTHER_SUBJECTS:
            for item in checklist.items:
                entry = record.entries.get(item.id, Entry())
                known.append(_ItemState(item, entry, entry.conclusion or suggestion(item, entry, facts)))
    own = [each for each in known if each.own and each.state is Verdict.PROBLEM]
    concerned = [each for each in known if each.own and each.state is not Verdict.NOT_APPLICABLE]
    decided = [each for each in concerned if each.state is not Verdict.UNDECIDED]
    old = {item for item, _ in stale}
    outdated = [each for each in known if each.item.id in old and not each.concluded]
    failed = [
        each
        for each in known
        if each.state is Verdict.UNDECIDED and any(r.status is Status.FAILED for r in each.entry.results.values())
    ]
    lacking = _grounds(
        ("lack-items", [each for each in concerned if each.state is Verdict.UNDECIDED]),
        ("lack-failed", failed),
        ("lack-stale", outdated),
    )
    if own:
        why = _grounds(
            ("own-concluded", [each for each in own if each.concluded]),
            ("own-suggested", [each for each in own if not each.concluded]),
        )
        return ItemGrade(Grade.OWN, why, lacking)

    clean = [Ground("clean", count=len(decided))] if decided else []
    complete = bool(decided) and len(decided) >= COMPLETE * len(concerned)
    paths = [path for checklist in checklists if (path := walk(checklist, record, case))]
    regressed = [each for each in known if each.probes & VERSIONS and each.state is Verdict.PROBLEM]
    differing = [each for each in known if each.differs]
    alike = [each for each in known if each.alike]
    ended = any(path.end in FRAMEWORK_ENDS for path in paths)
    fresh = not any(each.item.id in old for each in [*regressed, *differing, *alike])
    if fresh and complete and regressed:
        return ItemGrade(Grade.FRAMEWORK, [*_grounds(("regression", regressed)), *clean], lacking)
    if fresh and complete and ended and differing:
        return ItemGrade(Grade.FRAMEWORK, [*_grounds(("path-file", differing)), *clean], lacking)
    if fresh and alike and not differing:
        return ItemGrade(Grade.TOLERANCE, [*_grounds(("alike", alike)), *clean], lacking)

    why = _grounds(("regression", regressed), ("difference", [each for each in differing if each not in regressed]))
    why += _grounds(("alike", alike))
    why += clean
    if not any(each.concluded or each.entry.results for each in known):
        why = [Ground("nothing")]
    standing = [path.here for path in paths if path.here is not None]
    if not differing and not alike:
        lacking.append(Ground("lack-comparison"))
    elif standing:
        lacking.append(Ground("lack-path", standing))
    elif differing and not regressed:
        lacking.append(Ground("lack-cause", [each.item for each in differing]))
    return ItemGrade(Grade.UNKNOWN, why, lacking)


def _grounds(*named: tuple[str, list[_ItemState]]) -> list[Ground]:
    """A ground for each key that has items."""
    return [Ground(key, [each.item for each in known], len(known)) for key, known in named if known]
