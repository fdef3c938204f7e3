"""What to do next, first what explains the symptom and matters most: computed from case, checklists and session each time, never stored.

Draws nothing: the walkthrough and `accucheck status` show the same.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any, NamedTuple

import msgspec

from . import engine, symptoms
from . import probe as probes
from .checklist import Checklist, Item, ProbeUse, load
from .estimating import Estimate, estimate
from .language import Language, Words, word
from .model import CONCLUSIONS, Finding, Kind, Level, ProbeResult, Status, Sure, Text, Verdict
from .path import PathPosition, uncollected, walk, wanted
from .project import Project
from .report import machine
from .report.ranking import Rank, Ranking, expected, grade
from .report.words import VERDICTS
from .reviewing import obstacles
from .session import Entry, Judgement, Role
from .try_results import Outcome

#: Steps that are shown at once: more than that would be no guidance.
SHOWN = 10
#: Items that are named in one step.
_NAMED = 6
#: Lines of a summary.
SUMMARY_LINES = 5

WORDS: Words = {
    # what to do
    "rerun": {
        "en": "Rerun outdated probes: {items}",
        "zh": "重新运行结果已过期的检查项：{items}",
    },
    "rerun-why": {
        "en": "code, data or accucheck.yaml has changed since; only {count:this|these} {count:,} {count:probe is|probes are} run again",
        "zh": "此后代码、数据或 accucheck.yaml 有改动；只需重新运行这 {count:,} 个探针",
    },
    "returned": {"en": "The reviewer returned the answer: {comment}", "zh": "评审人退回了结论：{comment}"},
    "returned-why": {"en": "{who} is waiting for it", "zh": "{who} 在等待答复"},
    # what a reviewer does
    "judge": {
        "en": "Review the conclusion “{conclusion}”: the probes suggest “{suggestion}”",
        "zh": "评审结论“{conclusion}”：探针的建议是“{suggestion}”",
    },
    "judge-why": {"en": "{who} decided against the probes", "zh": "{who} 的结论与探针的建议不同"},
    "judge-again": {"en": "Review the conclusion “{conclusion}” again", "zh": "重新评审结论“{conclusion}”"},
    "judge-again-why": {
        "en": "it has changed since its review, or the probes find something else",
        "zh": "评审之后结论或探针的发现有变化",
    },
    "weigh": {
        "en": "Review the conclusion “{conclusion}”: the probes cannot decide this item",
        "zh": "评审结论“{conclusion}”：探针对此项无法判定",
    },
    "weigh-why": {"en": "it rests on {who}'s own check", "zh": "依据是 {who} 的人工检查"},
    "agree": {
        "en": "Accept {count:,} {count:conclusion|conclusions} that the probes agree with",
        "zh": "通过 {count:,} 条与探针建议一致的结论",
    },
    "agree-why": {"en": "nothing speaks against them", "zh": "没有相反的证据"},
    "sign": {"en": "Sign the review off", "zh": "签署评审"},
    "sign-why": {"en": "every conclusion is accepted", "zh": "所有结论均已通过评审"},
    # what an author does
    "differs": {
        "en": "Concluded “problem”, but the probes no longer find one: update the conclusion",
        "zh": "修改后探针已不再报问题，请更新结论",
    },
    "differs-why": {"en": "the problem seems to be fixed", "zh": "问题可能已经修复"},
    "concluded": {"en": "Fix it: {remedy}", "zh": "修复：{remedy}"},
    "concluded-why": {"en": "you concluded that it is a problem", "zh": "您的结论是“发现问题”"},
    "mend-why": {"en": "certain from the code; a patch is available", "zh": "代码可确定，已有补丁"},
    "certain-why": {"en": "certain from the code", "zh": "代码可确定"},
    "measured-why": {"en": "measured", "zh": "实测发现"},
    "likely-why": {"en": "likely from the code", "zh": "从代码看很可能"},
    "possible-why": {"en": "possible; it may be intended", "zh": "有可能，也可能是有意为之"},
    "symptom-why": {
        "en": "measured, but probably a symptom of another problem; check it last",
        "zh": "实测发现，但可能是其他问题的表现，请最后处理",
    },
    "patched": {"en": "{why}; a patch is available", "zh": "{why}，已有补丁"},
    "effect": {"en": "{why}; {effect}", "zh": "{why}；{effect}"},
    # what came of it in copies of the project
    "tried-better": {
        "en": "{why}; tried in a copy: {name} {before:.4g} → {after:.4g}",
        "zh": "{why}；在副本中试用：{name} {before:.4g} → {after:.4g}",
    },
    "tried-cured": {
        "en": "{why}; tried in a copy: it trains, which the unchanged project does not",
        "zh": "{why}；在副本中试用：可以训练，而未修改的项目不能",
    },
    "tried-same": {
        "en": "{why}; tried in a copy: no difference beyond the noise",
        "zh": "{why}；在副本中试用：差异在波动范围内",
    },
    "tried-worse": {
        "en": "{why}; tried in a copy by itself: {name} {before:.4g} → {after:.4g}",
        "zh": "{why}；在副本中单独试用：{name} {before:.4g} → {after:.4g}",
    },
    "together": {
        "en": "Apply the {count:,} fixes that were tried together: {items}",
        "zh": "应用一起试用过的 {count:,} 处修改：{items}",
    },
    "together-why": {"en": "certain or likely from the code", "zh": "代码可确定，或从代码看很可能"},
    "aged": {
        "en": "{why}; recorded before the scripts were changed: train again to know",
        "zh": "{why}；其记录早于对脚本的修改，重新训练后才能确定",
    },
    "late": {"en": "{why}; out of date", "zh": "{why}（结果已过期）"},
    "more": {
        "en": "{why}; {count:,} more {count:finding|findings} for this item",
        "zh": "{why}；此项另有 {count:,} 处",
    },
    "live": {
        "en": "Let {count:,} live {count:probe|probes} run the project's own code: {items}",
        "zh": "允许 {count:,} 个运行时探针运行项目自身的代码：{items}",
    },
    "live-why": {
        "en": "reading code cannot decide these; a run can",
        "zh": "这些检查项仅读代码无法判定，运行后才能判定",
    },
    "remote": {
        "en": "Let {count:,} {count:probe|probes} read from the addresses that accucheck.yaml names: {items}",
        "zh": "允许 {count:,} 个探针读取 accucheck.yaml 中指定的网络地址：{items}",
    },
    "remote-why": {
        "en": "nobody has approved these addresses yet, so nothing was read from them",
        "zh": "这些地址尚未获得授权，因此未从中读取数据",
    },
    "unlock": {"en": "Add {key} to check {items} automatically", "zh": "补充 {key} 后可自动检查 {items}"},
    "unlock-why": {
        "en": "the only input that {count:,} {count:probe is|probes are} missing",
        "zh": "{count:,} 个探针只差这一项输入",
    },
    "failed": {"en": "{probe} failed: {reason}", "zh": "{probe} 失败：{reason}"},
    "failed-why": {
        "en": "a failed probe proves nothing; fix the cause and run it again",
        "zh": "失败的探针不说明任何问题；排除原因后请重新运行",
    },
    "path": {"en": "Continue the path: {title}", "zh": "继续走定位路径：{title}"},
    "path-why": {"en": "you are at {item} of “{checklist}”", "zh": "当前位于“{checklist}”的 {item}"},
    "path-lacks": {
        "en": "you are at {item} of “{checklist}”; still to be collected: {keys}",
        "zh": "当前位于“{checklist}”的 {item}，尚需采集 {keys}",
    },
    "path-end": {"en": "The path has come to its end, “{title}”", "zh": "定位路径已到终点：{title}"},
    "path-end-why": {"en": "{advice}", "zh": "{advice}"},
    "check": {"en": "Check by hand: {title}", "zh": "人工检查：{title}"},
    "check-why": {"en": "the probes could not decide it", "zh": "探针无法判定"},
    "check-left": {"en": "{why}", "zh": "{why}"},
    "check-none": {"en": "no probe could run", "zh": "没有可运行的探针"},
    "watch": {
        "en": "Watch a few steps of the training itself: {command}",
        "zh": "直接观察训练运行若干步：{command}",
    },
    "watch-why": {
        "en": "a real run is the best evidence and needs no change to the script; asks before it runs the command",
        "zh": "实际运行看到的内容最可靠，无需修改脚本；运行命令前会先询问",
    },
    "further": {
        "en": "Watch the training to its end: {command}",
        "zh": "把训练观察到结束：{command}",
    },
    "further-why": {
        "en": "the watch ended after {steps:,} steps, so later epochs and evaluations were not seen; it takes as long as the training",
        "zh": "观察到第 {steps:,} 步就结束了，之后的 epoch 和评估都没有看到；耗时与训练相当",
    },
    "checks": {"en": "{why}; it also unlocks {items}", "zh": "{why}；还可据此自动检查 {items}"},
    "run": {
        "en": "Run the probes of {count:,} {count:item|items}: {items}",
        "zh": "运行 {count:,} 个检查项的探针：{items}",
    },
    "run-why": {"en": "not checked yet", "zh": "尚未检查过"},
    "accept": {
        "en": "Accept {count:,} {count:suggestion|suggestions} of “no problem” or “not applicable”",
        "zh": "接受 {count:,} 条“无问题”或“不适用”的建议",
    },
    "accept-why": {"en": "conclusions are made by people", "zh": "结论须由人给出"},
    "sanity": {
        "en": "Run the checks that fit any training (the checklist “{title}”): {items}",
        "zh": "运行适用于任何训练的检查（清单“{title}”）：{items}",
    },
    "sanity-why": {
        "en": "no certain problem here; these checks cover what this checklist does not",
        "zh": "此清单没有确定的问题，而这些检查能发现其各项没有涉及的问题",
    },
    "sanity-found": {
        "en": "Look at what the checklist “{title}” found: {items}",
        "zh": "查看清单“{title}”发现的问题：{items}",
    },
    "sanity-found-why": {
        "en": "these are problems that no item of this checklist covers",
        "zh": "这些是确定的问题，但不属于此清单的任何一项",
    },
    "compare": {
        "en": "Compare with a benchmark, step by step (the checklist “{title}”)",
        "zh": "与标杆脚本逐步对比（清单“{title}”）",
    },
    "compare-why": {
        "en": "nothing found; remaining differences only show up against a known-good run",
        "zh": "没有发现问题，剩余差异只有与正确的运行对比才能看出",
    },
    "plan": {
        "en": "Plan experiments with the hyper-parameters: accucheck plan",
        "zh": "规划超参实验：accucheck plan",
    },
    "plan-why": {
        "en": "with sound code and data, accuracy is a matter of tuning",
        "zh": "代码和数据无误时，精度取决于调参",
    },
    "ask": {"en": "Ask for help: accucheck issue", "zh": "寻求帮助：accucheck issue"},
    "ask-why": {
        "en": "writes an issue with all findings, private data hidden",
        "zh": "生成包含全部检查结果的 issue，隐私信息已隐藏",
    },
    "export": {"en": "Write the report", "zh": "生成报告"},
    "export-why": {"en": "every item is concluded", "zh": "所有检查项均已有结论"},
    # what fits the curve
    "fits": {"en": "{why}; fits the symptom", "zh": "{why}；与现象相符"},
    # what it costs
    "cost-diff": {"en": "{count:,} {count:line|lines} to change", "zh": "修改 {count:,} 行"},
    "cost-look": {"en": "review the evidence", "zh": "查看证据"},
    "cost-hand": {"en": "by hand", "zh": "人工处理"},
    "cost-key": {"en": "one line in accucheck.yaml", "zh": "在 accucheck.yaml 中加一行"},
    "cost-command": {"en": "one command", "zh": "一条命令"},
    "cost-press": {"en": "one key press", "zh": "一次按键"},
    # the summary for a chat
    "summed-line": {"en": "{mark} {items} {what}", "zh": "{mark} {items} {what}"},
    "summed-line-place": {"en": "{mark} {items} {place}: {what}", "zh": "{mark} {items} {place}：{what}"},
    "summed-line-fix": {"en": "{mark} {items} {what} Fix: {fix}", "zh": "{mark} {items} {what}修改：{fix}"},
    "summed-line-place-fix": {
        "en": "{mark} {items} {place}: {what} Fix: {fix}",
        "zh": "{mark} {items} {place}：{what}修改：{fix}",
    },
    "summed-tried": {
        "en": "{line} Tried in a copy: {name} {before:.4g} → {after:.4g}.",
        "zh": "{line}在副本中试用：{name} {before:.4g} → {after:.4g}。",
    },
    "summed": {
        "en": "{name}: {decided:,} of {total:,} items decided with accucheck.",
        "zh": "{name}：使用 accucheck，{total:,} 项中已判定 {decided:,} 项。",
    },
    "summed-more": {
        "en": "{name}: {count:,} more {count:item|items} wrong or suspected; {decided:,} of {total:,} items decided with accucheck.",
        "zh": "{name}：另有 {count:,} 项存在问题或疑点；使用 accucheck，{total:,} 项中已判定 {decided:,} 项。",
    },
    "summed-unchecked": {
        "en": "{name}: nothing has been checked yet; start with accucheck run.",
        "zh": "{name}：尚未做任何检查，请先运行 accucheck run。",
    },
    "summed-none": {
        "en": "{name}: nothing wrong found so far; {decided:,} of {total:,} items decided with accucheck.",
        "zh": "{name}：目前没有发现问题；使用 accucheck，{total:,} 项中已判定 {decided:,} 项。",
    },
    "separator": {"en": ", ", "zh": "、"},
    "and-more": {"en": "{items} and {count:,} more", "zh": "{items} 等（另有 {count:,} 项）"},
}

#: The kinds of steps, first things first: what is known to be wrong, what may be, what a little more would tell, what a person has
#: to look at, and what brings it to an end. "late" is "rerun" where no problem hangs on it.
_ORDER = (
    "judge",
    "weigh",
    "agree",
    "sign",
    "returned",
    "rerun",
    "differs",
    "together",
    "problem",
    "concluded",
    "watch",
    "sanity",
    "suspect",
    "run",
    "live",
    "remote",
    "further",
    "unlock",
    "failed",
    "late",
    "path",
    "check",
    "accept",
    "export",
    "compare",
    "plan",
    "ask",
)
#: Kinds of steps that are done before another checklist is looked at.
_BEFORE_OTHERS = frozenset({"returned", "rerun", "differs", "problem", "concluded", "run"})
#: Kinds of steps that are an author's alone.
_OF_AUTHORS = frozenset({"returned", "differs", "concluded", "check", "accept"})
#: Kinds of steps that may go with what the curve looks like.
_FITTED = frozenset({"problem", "suspect", "concluded", "sanity", "live", "unlock", "check"})
#: Kinds of steps of which each stands for a fault that is known or suspected.
FAULTS = frozenset({"returned", "differs", "problem", "concluded", "suspect"})


class Step(msgspec.Struct, frozen=True):
    """One thing worth doing.

    `kind` is one of _ORDER, `items` those it is about, the first of them to be opened. `probe` and `finding` are what was found,
    `grade` is one of GRADES, `others` the further findings of that item. `late`: the result is out of date; `aged`: what it looked at
    is older than the scripts. `key` is the key of
    the case to be given, `pairs` are the probes to be run, each with its item. `words` and `reason` are keys of WORDS, filled with
    `data`; `time` is how long it runs. `verdict` is the answer that `item` has, or is to have. `fits` is what the curve of the training
    looks like, where an item goes with it. `tried` is what its change gave in a copy.
    """

    kind: str
    items: list[str] = []
    words: str = ""
    reason: str = ""
    data: dict[str, Any] = {}
    probe: str = ""
    finding: Finding | None = None
    grade: str = ""
    others: int = 0
    late: bool = False
    aged: bool = False
    key: str = ""
    pairs: list[tuple[str, str]] = []
    time: Estimate | None = None
    verdict: Verdict = Verdict.PROBLEM
    fits: symptoms.Symptom | None = None
    tried: Outcome | None = None

    @property
    def item(self) -> str:
        return self.items[0] if self.items else ""

    @property
    def place(self) -> str:
        """Where what was found is: file and line, as far as they are known; empty where nothing was found at a place."""
        if self.finding is None:
            return ""
        where = self.finding.where
        return f"{where.path}:{where.line}" if where.path and where.line is not None else where.path or where.name or ""

    @property
    def effect(self) -> str:
        """What mending it may be expected to give, one of symptoms.EFFECTS; empty where it is no fault that was found."""
        return expected(self.items, self.probe, self.finding) if self.finding is not None else ""

    @property
    def diff(self) -> str:
        """The change that its finding proposes; empty where it has none."""
        fix = self.finding.fix if self.finding is not None else None
        return (fix.diff or "") if fix is not None else ""

    @property
    def patched(self) -> bool:
        """Whether `accucheck fix` would make the change: one of what may well be intended is only shown and tried."""
        return bool(self.diff) and self.finding is not None and self.finding.sure is not Sure.POSSIBLE

    @property
    def state(self) -> str:
        """What of an item's states it is like: problem, undecided, failed, ok or open."""
        if self.kind in ("problem", "concluded", "returned"):
            return "problem"
        if self.kind in FAULTS or self.kind in ("judge", "weigh"):
            return "undecided"
        return {"failed": "failed", "accept": "ok", "export": "ok", "agree": "ok", "sign": "ok"}.get(self.kind, "open")

    def what(self, language: Language) -> str:
        """What was found, or what to do."""
        if self.finding is not None:
            return machine.Speech(language).message(self.probe, self.finding.code, self.finding.data)
        return _say(self.words or self.kind, language, **self.data)

    def why(self, language: Language) -> str:
        """Why it is worth it, in a few words."""
        text = _say(self.reason or f"{self.kind}-why", language, **self.data)
        if self.patched and self.grade != "mend":
            text = _say("patched", language, why=text)
        if self.tried is not None and (key := f"tried-{self.tried.verdict}") in WORDS:
            told = self.tried._asdict()
            text = _say(key, language, why=text, **told)
        elif self.effect:
            text = _say("effect", language, why=text, effect=word(symptoms.WORDS, self.effect, language))
        if self.others:
            text = _say("more", language, why=text, count=self.others)
        if self.kind == "watch" and self.items:
            text = _say("checks", language, why=text, items=self.items)
        if self.fits is not None:
            text = _say("fits", language, why=text)  # what it is stands above the steps
        if self.aged:
            text = _say("aged", language, why=text)
        return _say("late", language, why=text) if self.late else text

    def cost(self, language: Language) -> str:
        """What it takes."""
        if self.time is not None:
            return self.time.time(language)
        if self.patched:
            added, gone = (sum(line[:1] == sign for line in self.diff.splitlines()[2:]) for sign in "+-")
            return _say("cost-diff", language, count=max(added, gone))
        costs = {"unlock": "cost-key", "accept": "cost-press", "agree": "cost-press", "sign": "cost-press"}
        costs |= {"judge": "cost-look", "weigh": "cost-look", "problem": "cost-look", "suspect": "cost-look"}
        costs |= {
            "sanity": "cost-command",
            "watch": "cost-command",
            "further": "cost-command",
            "together": "cost-command",
        }
        return _say(costs.get(self.kind, "cost-hand"), language)

    def command(self, project: str = ".", checklists: Sequence[str] = ()) -> str:
        """The same on the command line, for a project and checklists as they were given there."""
        folder = [] if project == "." else [project]
        named = [part for name in checklists for part in ("--checklist", name)]
        few = self.items if len(self.items) <= _NAMED else []
        only = [part for item in few for part in ("--only", item)]
        if self.kind in ("rerun", "late"):
            words = ["run", *folder, *named, "--stale"]
        elif self.kind in ("run", "failed", "live", "remote", "unlock"):
            more = ["--set", f"{self.key}=..."] if self.kind == "unlock" else []
            more += ["--remote"] if self.kind == "remote" else []
            more += ["--live"] if self.time is not None and self.time.live else []
            words = ["run", *folder, *named, *only, *more]
        elif self.kind in ("problem", "concluded", "suspect", "check", "judge", "weigh"):
            words = (
                ["fix", *folder, *named, *only]
                if self.patched
                else ["explain", self.item, *(["--project", *folder] if folder else []), *named]
            )
        elif self.kind == "together":
            words = ["fix", *folder, *named]
        elif self.kind == "sign":
            words = ["sign-off", *folder, *named]
        elif self.kind == "agree":
            words = ["review", self.item, "accept", *(["--project", *folder] if folder else []), *named]
        elif self.kind in ("watch", "further"):
            whole = ["--steps", "0"] if self.kind == "further" else []
            named = ["--project", *folder] if folder else []
            words = ["watch", *named, *whole, "--", *shlex.split(self.data["command"])]
        elif self.kind == "sanity":
            words = ["run" if self.words == "sanity" else "status", *folder, "--checklist", "sanity"]
        elif self.kind in ("path", "compare", "plan"):
            words = ["plan" if self.kind == "plan" else "path", *folder]
        elif self.kind in ("export", "ask"):
            words = ["report" if self.kind == "export" else "issue", *folder, *named]
        else:
            words = ["answer", self.item, self.verdict.value, *(["--project", *folder] if folder else []), *named]
        return shlex.join(["accucheck", *words])


def _say(key: str, language: Language, /, **data: Any) -> str:
    """A text of WORDS; of a list of items the first are named, and of a value in both languages one is taken."""
    spoken = dict(data)
    for name, value in data.items():
        if isinstance(value, dict):
            spoken[name] = value[language.value]
        elif isinstance(value, list):
            items = word(WORDS, "separator", language).join(value[:_NAMED])
            left = len(value) - _NAMED
            spoken[name] = word(WORDS, "and-more", language, items=items, count=left) if left > 0 else items
    return word(WORDS, key, language, **spoken)


def as_json(
    steps: Sequence[Step], language: Language, project: str = ".", checklists: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """The steps for other programs: plain JSON values."""
    return [
        {
            "kind": step.kind,
            "items": step.items,
            "what": step.what(language),
            "where": step.place or None,
            "why": step.why(language),
            "likely": step.grade or None,
            "effect": step.effect or None,
            "cost": step.cost(language),
            "seconds": [step.time.low, step.time.high] if step.time is not None else None,
            "probe": step.probe or None,
            "code": step.finding.code if step.finding is not None else None,
            "key": step.key or None,
            "command": step.command(project, checklists),
        }
        for step in steps
    ]


def steps(project: Project, stale: Collection[tuple[str, str]] | None = None, role: Role = Role.AUTHOR) -> list[Step]:
    """What to do next, the best first: for who concludes the items, or who reviews the conclusions. `stale`: what Project.stale gives,
    where that is known already."""
    survey = _ProjectSurvey(project, project.stale() if stale is None else stale)
    return survey.steps() if role is Role.AUTHOR else survey.steps_of_reviewer()


def status(
    project: Project,
    steps: Sequence[Step],
    stale: Collection[tuple[str, str]],
    language: Language,
    path: str = ".",
    checklists: Sequence[str] = (),
) -> dict[str, Any]:
    """What is concluded, what is open, and what to do next, for other programs: plain JSON values. `stale` is what Project.stale gives;
    `path` and `checklists` are as the project was given."""
    assert project.session is not None
    late = {item for item, _ in stale}
    rows = [_row(project, item, item.id in late) for item in project.items]
    counts = {each.value: sum(row["conclusion"] == each.value for row in rows) for each in CONCLUSIONS}
    return {
        "version": 1,
        "case": project.case.name,
        "items": rows,
        "summary": {"done": sum(counts.values()), "total": len(rows), **counts, "review": _reviews(project)},
        "sign_off": machine.sign_off_json(project.session.record),
        "next": as_json(steps, language, path, checklists),
    }


def _row(project: Project, item: Item, stale: bool) -> dict[str, Any]:
    """Where an item stands."""
    entry = project.session.entry(item.id) if project.session is not None else Entry()
    return {
        "id": item.id,
        "conclusion": entry.conclusion.value if entry.conclusion else None,
        "by": entry.who or None,
        "when": entry.when or None,
        "suggestion": project.suggestion(item).value,
        "note": entry.note,
        "stale": stale,
        "review": machine.review_json(entry),
        "agent": machine.agent_json(entry),
    }


def _reviews(project: Project) -> dict[str, int]:
    """How many answers are accepted, returned, and waiting for a review."""
    assert project.session is not None
    left = obstacles(project.session.record, project.checklists)
    entries = [project.session.entry(item.id) for item in project.items]
    accepted = sum(entry.conclusion is not None and entry.judgement is Judgement.ACCEPTED for entry in entries)
    return {"accepted": accepted, "returned": len(left.returned), "to_review": len(left.unreviewed)}


def headline(project: Project, steps: Iterable[Step], language: Language) -> str:
    """What is wrong with the training as its user sees it, with the symptom that steps fit; empty where nothing is known."""
    return symptoms.headline(project.case, next((step.fits for step in steps if step.fits), None), language)


def summary(project: Project, language: Language, stale: Collection[tuple[str, str]] | None = None) -> list[str]:
    """At most five lines for a chat or a pull request: the symptom, then what is wrong in the order of `steps`, each with place and fix,
    and how much was looked at."""
    found = steps(project, stale)
    symptom = headline(project, found, language)
    wrong = [step for step in found if step.finding is not None and step.kind in ("problem", "concluded", "suspect")]
    wrong.sort(key=lambda step: step.kind == "suspect")
    room = SUMMARY_LINES - 1 - bool(symptom)
    shown = wrong[:room]
    lines = [*([symptom] if symptom else []), *(_summed(step, language) for step in shown)]
    verdicts = [_standing(project, item) for item in project.items]
    data = {"decided": sum(verdict is not Verdict.UNDECIDED for verdict in verdicts), "total": len(verdicts)}
    looked = any(project.session.entry(item.id).results for item in project.items) if project.session else False
    nothing = "summed-none" if looked or data["decided"] else "summed-unchecked"
    key = "summed-more" if len(wrong) > len(shown) else "summed" if wrong else nothing
    told = _say(key, language, name=project.case.name, count=len(wrong) - len(shown), **data)
    return [" ".join(line.split()) for line in [*lines, told]]


def _standing(project: Project, item: Item) -> Verdict:
    entry = project.session.entry(item.id) if project.session is not None else Entry()
    return entry.conclusion or project.suggestion(item)


def _summed(step: Step, language: Language) -> str:
    """What is wrong, where, and its fix, on one line."""
    assert step.finding is not None
    fix, speech, place = step.finding.fix, machine.Speech(language), step.place
    data = {
        "mark": "✗" if step.kind != "suspect" else "?",
        "items": " ".join(step.items[:_NAMED]),
        "what": step.what(language),
        "place": place,
        "fix": speech.message(step.probe, fix.message, step.finding.data) if fix is not None else "",
    }
    line = _say(f"summed-line{'-place' if place else ''}{'-fix' if fix is not None else ''}", language, **data)
    if step.tried is None or step.tried.verdict != "better":
        return line
    return _say("summed-tried", language, line=line, **step.tried._asdict())


def watchable(project: Project) -> list[str]:
    """The command that trains, as far as the case tells: how it is run, or the training script by itself; empty where there is none."""
    told = project.case.get("runtime.command")
    if isinstance(told, str):
        with suppress(ValueError):  # quotes that do not close
            return shlex.split(told)
    scripts = project.case.get("scripts.train")
    script = scripts[0] if isinstance(scripts, list) else scripts
    return ["python", script] if isinstance(script, str) and script.endswith(".py") else []


def startable(project: Project) -> list[str]:
    """The command of watchable(), with the configuration that the training script asks for where the command leaves it out. Reads the
    scripts, which may take seconds."""
    from .script import views

    plain = watchable(project)
    found = views.of(project.case) if plain else []
    return shlex.split(found[0].case.spec.runtime.command or "") if found else plain


class _ProbeUse(NamedTuple):
    """One probe of one item. `kind` is None where it cannot be loaded; `lacking` are the needs that the case does not give."""

    item: Item
    use: ProbeUse
    kind: Kind | None
    lacking: list[str]
    result: ProbeResult | None


class _ProjectSurvey:
    """One look at a project."""

    def __init__(self, project: Project, stale: Collection[tuple[str, str]]) -> None:
        assert project.session is not None
        self.project, self.session, self.stale = project, project.session, stale
        self.facts = project.case.facts()
        told = ((name, finding) for name, result in self._results() for finding in result.findings)
        #: Whether the network tells classes apart; None where nothing says.
        self.classes = symptoms.tells_classes(project.case, told)
        self.ranking = Ranking(self.session.record, project.case, project.items)
        self.place = {item.id: number for number, item in enumerate(project.items)}
        self.paths = [(each, path) for each in project.checklists if (path := self._walk(each)) is not None]
        later = {item.id for _, path in self.paths for item in (*path.ahead, *([path.here] if path.here else []))}
        #: The items that a person has to come to by himself; those of a path come when it is their turn.
        self.own = [item for item in project.items if item.id not in later and item.applicable(self.facts)]

    def _walk(self, checklist: Checklist) -> PathPosition | None:
        return walk(checklist, self.session.record, self.project.case)

    def _results(self) -> Iterator[tuple[str, ProbeResult]]:
        """The results of all items, each with the name of its probe."""
        for item in self.project.items:
            yield from self.session.entry(item.id).results.items()

    def steps(self) -> list[Step]:
        faults = list(self._faults())
        found = [*self._again(), *self._together(), *faults]
        if not self.project.case.alone:
            found += self._with_watching(list(self._unfinished(faults)))
        found += self._path()
        found += self._by_hand({item for step in found for item in step.items})
        found += self._sanity(found)
        found += self._ends(found)
        found = [self._fitting(step) for step in found]
        return sorted(found, key=self._rank)

    def steps_of_reviewer(self) -> list[Step]:
        """The conclusions that wait for a review, first those that the probes speak against; then what helps an author as well."""
        others = [step for step in self.steps() if step.kind not in _OF_AUTHORS]
        return sorted([*self._reviews(), *others], key=self._rank)

    def _reviews(self) -> Iterator[Step]:
        left, agreed = obstacles(self.session.record, self.project.checklists), []
        for item in self.project.items:
            entry, suggestion = self._entry(item), self.project.suggestion(item)
            if item.id not in left.unreviewed or entry.conclusion is None:
                continue
            if entry.review is None and suggestion is entry.conclusion:
                agreed.append(item.id)
                continue
            data = {
                "who": entry.who,
                "conclusion": VERDICTS[entry.conclusion.value],
                "suggestion": VERDICTS[suggestion.value],
            }
            if suggestion is entry.conclusion:
                yield Step("judge", [item.id], "judge-again", "judge-again-why", data)
            else:
                yield Step("weigh" if suggestion is Verdict.UNDECIDED else "judge", [item.id], data=data)
        if agreed:
            yield Step("agree", agreed, data={"count": len(agreed)})
        if not left and self.session.record.signed is None:
            yield Step("sign")

    def _fitting(self, step: Step) -> Step:
        """The step with what the curve looks like, where one of its items goes with that."""
        if step.kind not in _FITTED or self.ranking.fits(step.items) is None:
            return step
        return msgspec.structs.replace(step, fits=self.ranking.symptom)

    def _rank(self, step: Step) -> tuple[int, Rank, int, int]:
        """First by kind, then as faults are ranked, then by how many items it serves, and their order in the checklist."""
        fits = self.ranking.fits(step.items) if step.fits is not None else None
        rank = Rank(unfitting=fits is None, fits=fits or 0)
        if step.finding is not None:
            rank = self.ranking.rank(step.items, step.probe, step.finding)
        kind = "problem" if step.kind == "suspect" and not rank.suspect else step.kind
        return _ORDER.index(kind), rank, -len(step.items), self.place.get(step.item, 0)

    def _entry(self, item: Item) -> Entry:
        return self.session.entry(item.id)

    def _time(self, pairs: Collection[tuple[str, str]]) -> Estimate | None:
        """How long these probes take."""
        if self.project.case.alone:  # nothing can be run
            return None
        return estimate(self.project, self.project.jobs(again=pairs), live=True)

    # --- what is wrong ------------------------------------------------------------------------------------------------

    def _again(self) -> Iterator[Step]:
        """What is out of date: one run for all of it, and before anything else where a problem may be mended by now. No run makes anew
        what a probe found that its item no longer names."""
        named = {(item.id, use.name) for item in self.project.items for use in item.uses}
        late = sorted((pair for pair in self.stale if pair in named), key=lambda pair: self.place[pair[0]])
        if late:
            results = [self.session.entry(item).results[name] for item, name in late]
            kind = "rerun" if any(result.suggestion is Verdict.PROBLEM for result in results) else "late"
            items = list(dict.fromkeys(item for item, _ in late))
            data = {"items": items, "count": len(late)}
            yield Step(kind, items, "rerun", "rerun-why", data, pairs=late, time=self._time(late))

    def _faults(self) -> Iterator[Step]:
        """What is wrong or may be, a step for each item; one finding that serves several items is one step."""
        seen: dict[bytes, Step] = {}
        for item in self.project.items:
            for step in self._faults_of(item):
                if step.finding is None:
                    yield step
                    continue
                key = msgspec.json.encode([step.kind, step.probe, step.finding])
                seen[key] = (
                    msgspec.structs.replace(seen[key], items=[*seen[key].items, item.id]) if key in seen else step
                )
        yield from seen.values()

    def _faults_of(self, item: Item) -> Iterator[Step]:
        """What is wrong with an item, and beside it each rule whose change made the training better."""
        step = self._fault(item)
        if step is None:
            return
        yield step
        if step.finding is None:
            return
        told = {(step.probe, step.finding.code)}
        for name, finding in self.ranking.worth(item):
            tried = self.ranking.outcome(name, finding)
            if (name, finding.code) not in told and tried is not None and tried.better:
                told.add((name, finding.code))
                yield self._found(item, step.kind, name, finding, 0)

    def _found(self, item: Item, kind: str, name: str, finding: Finding, others: int) -> Step:
        graded = grade(name, finding)
        return Step(
            kind,
            [item.id],
            reason=f"{graded}-why",
            probe=name,
            finding=finding,
            grade=graded,
            others=others,
            late=(item.id, name) in self.stale,
            aged=self.ranking.is_aged(name),
            tried=self.ranking.outcome(name, finding),
        )

    def _together(self) -> Iterator[Step]:
        """All changes at once, where they were tried together and made the training better."""
        tried, found = self.ranking.tried.get(("", "")), together(self.project)
        late = any((item, probe) in self.stale for item, probe, _ in found)
        if tried is None or not tried.better or late or self.project.case.alone:
            return
        items = list(dict.fromkeys(item for item, _, _ in found))
        if len({(probe, finding.code) for _, probe, finding in found}) > 1:
            yield Step("together", items, data={"count": len(found), "items": items}, tried=tried)

    def _fault(self, item: Item) -> Step | None:
        entry, suggestion = self._entry(item), self.project.suggestion(item)
        if entry.judgement is Judgement.RETURNED and entry.review is not None:
            data = {"comment": entry.review.comment, "who": entry.review.who}
            return Step("returned", [item.id], data=data, verdict=entry.conclusion or Verdict.PROBLEM)
        if entry.conclusion not in (None, Verdict.PROBLEM):
            return None
        late = any(name == item.id for name, _ in self.stale)
        if entry.conclusion is Verdict.PROBLEM and suggestion is Verdict.OK and not late:
            return Step("differs", [item.id], verdict=suggestion)
        first = self.ranking.first(item)
        if first is None:
            remedy = {language.value: item.remedy[language].partition("\n")[0] for language in Language}
            return (
                Step("concluded", [item.id], data={"remedy": remedy}) if entry.conclusion is Verdict.PROBLEM else None
            )
        kind = "problem" if self.ranking.is_wrong(item) else "suspect"
        return self._found(item, kind, *first, len(self.ranking.worth(item)) - 1)

    # --- what would tell more -----------------------------------------------------------------------------------------

    def _with_watching(self, found: list[Step]) -> list[Step]:
        """The training watched, where it has a script and was not watched yet: what a watched run alone would unlock, or would as well as
        another input, is told with it and not a second time."""
        command = watchable(self.project)
        if command and self._cut:
            return [Step("further", data={"command": shlex.join(command), "steps": self._cut}), *found]
        if not command or self.project.case.get("watched") is not None:
            return found
        served = [step for step in found if step.kind == "unlock" and "watched" in step.data["keys"]]
        items = sorted({item for step in served for item in step.items}, key=lambda item: self.place[item])
        watch = Step("watch", items, data={"command": shlex.join(command)})
        return [watch, *(step for step in found if step not in served)]

    @cached_property
    def _cut(self) -> int:
        """After how many steps the watch ended the training; 0 where it did not."""
        told = (
            finding for name, result in self._results() if name == "watched_settings" for finding in result.findings
        )
        return next((finding.data["steps"] for finding in told if finding.data.get("cut")), 0)

    def _uses(self) -> Iterator[_ProbeUse]:
        """The probes of the items that are still open."""
        for item in self.own:
            entry = self._entry(item)
            if entry.conclusion is not None:
                continue
            for use in item.uses:
                if self.classes is False and use.name in symptoms.OF_CLASSES:
                    continue
                kind, lacking = self._needs(use)
                yield _ProbeUse(item, use, kind, lacking, entry.results.get(use.name))

    def _needs(self, use: ProbeUse) -> tuple[Kind | None, list[str]]:
        module = probes.loaded(use.name)
        return (None, []) if module is None else (module.KIND, probes.missing(module, self.project.case))

    def _unfinished(self, faults: Sequence[Step]) -> Iterator[Step]:
        """Probes that have not run, may not run, lack one key, or failed."""
        uses = list(self._uses())
        known = {item for step in faults if step.kind == "problem" for item in step.items}
        ready = [each for each in uses if not each.lacking]
        refused = [
            each
            for each in ready
            if _skipped(each, "needs-consent") and each.kind is Kind.LIVE and each.item.id not in known
        ]
        distant = [each for each in ready if _skipped(each, "needs-address-consent") and self._unagreed(each)]
        waiting = [
            each
            for each in ready
            if each not in refused and each not in distant and (each.result is None or _can_by_now(each))
        ]
        if waiting:
            yield self._running("run", waiting)
        if refused := [each for each in refused if self._open(each.item)]:
            yield self._running("live", refused)
        if distant := [each for each in distant if self._open(each.item) and each.item.id not in known]:
            yield self._running("remote", distant)
        lacking: dict[str, list[_ProbeUse]] = {}
        for each in uses:
            if len(each.lacking) == 1 and self._open(each.item) and each.item.id not in known:
                lacking.setdefault(each.lacking[0], []).append(each)
        for key, those in lacking.items():
            items = list(dict.fromkeys(each.item.id for each in those))
            keys = key.split(" | ")
            either = {"en": " or ".join(keys), "zh": " 或 ".join(keys)}
            data = {"key": either, "keys": keys, "items": items, "count": len(those)}
            yield Step("unlock", items, data=data, key=keys[0])
        for each in uses:
            if each.result is not None and each.result.status is Status.FAILED and each.result.reason is not None:
                reason = {
                    language.value: machine.Speech(language).reason(each.use.name, each.result.reason)
                    for language in Language
                }
                pair = (each.item.id, each.use.name)
                yield Step("failed", [pair[0]], data={"probe": pair[1], "reason": reason}, probe=pair[1], pairs=[pair])

    def _unagreed(self, each: _ProbeUse) -> bool:
        """Whether a probe would still read from addresses that nobody agreed to."""
        return bool(engine.unagreed(self.project.case, [engine.Job(each.item.id, each.use.name)]))

    def _running(self, kind: str, uses: Sequence[_ProbeUse]) -> Step:
        items = list(dict.fromkeys(each.item.id for each in uses))
        count = len(items) if kind == "run" else len(uses)
        pairs = [(each.item.id, each.use.name) for each in uses]
        return Step(kind, items, data={"items": items, "count": count}, pairs=pairs, time=self._time(pairs))

    def _open(self, item: Item) -> bool:
        return self.project.suggestion(item) is Verdict.UNDECIDED

    # --- what a person does -------------------------------------------------------------------------------------------

    def _path(self) -> Iterator[Step]:
        for checklist, path in self.paths:
            if path.here is None:
                if (end := path.at_end) is not None:
                    told = {"title": _both(end.title), "advice": _both(end.advice)}
                    yield Step("path", words="path-end", reason="path-end-why", data=told)
                continue
            keys = [each.key for each in uncollected(wanted(checklist, path.here, self.project.case))]
            data = {
                "item": path.here.id,
                "title": _both(path.here.title),
                "checklist": _both(checklist.title),
                "keys": keys,
            }
            yield Step("path", [path.here.id], reason="path-lacks" if keys else "path-why", data=data)

    def _by_hand(self, told: Collection[str]) -> Iterator[Step]:
        """Items that only a person can conclude, and suggestions that wait for one."""
        waiting: list[Item] = []
        for item in self.own:
            if self._entry(item).conclusion is not None:
                continue
            if not self._open(item):
                if self.project.suggestion(item) is not Verdict.PROBLEM and not self._entry(item).suspected:
                    waiting.append(item)
            elif item.id not in told:
                yield self._check(item)
        if waiting:
            verdict = self.project.suggestion(waiting[0])
            yield Step("accept", [item.id for item in waiting], data={"count": len(waiting)}, verdict=verdict)

    def _check(self, item: Item) -> Step:
        """An item that its probes leave open, with what they could not examine."""
        entry, title = self._entry(item), _both(item.title)
        left = next(((name, finding) for name, finding in machine.telling(item, entry) if finding.incomplete), None)
        if left is None:
            reason = "check-why" if any(not _lacked(result) for result in entry.results.values()) else "check-none"
            return Step("check", [item.id], reason=reason, data={"title": title})
        name, finding = left
        why = {
            each.value: machine.Speech(each).message(name, finding.code, finding.data).rstrip(".。")
            for each in Language
        }
        return Step(
            "check",
            [item.id],
            reason="check-left",
            data={"title": title, "why": why},
            late=(item.id, name) in self.stale,
        )

    def _sanity(self, found: Sequence[Step]) -> Iterator[Step]:
        """The checklist that looks at any training, where this one names no certain problem and something has run."""
        names = {checklist.name for checklist in self.project.checklists}
        if (
            names != {"accuracy"}
            or self.project.case.alone
            or not self.ranking.has_run
            or _BEFORE_OTHERS & {step.kind for step in found}
        ):
            return
        checklist = load("sanity")
        items = [item for item in checklist.items if item.applicable(self.facts)]
        wrong = [item.id for item in items if self.project.suggestion(item) is Verdict.PROBLEM]
        new = [item.id for item in items if not self._entry(item).results and self._entry(item).conclusion is None]
        data = {"title": _both(checklist.title)}
        if wrong:
            yield Step("sanity", wrong, "sanity-found", "sanity-found-why", data | {"items": wrong})
        elif new:
            yield Step("sanity", new, "sanity", "sanity-why", data | {"items": new})

    def _ends(self, found: Sequence[Step]) -> Iterator[Step]:
        """Where to go when nothing is wrong, and the report when all is said."""
        kinds = {step.kind for step in found}
        concluded = all(self._entry(item).conclusion is not None for item in self.own)
        under_way = any(path.here is not None for _, path in self.paths)
        if self.own and concluded and not under_way:
            yield Step("export")
        results = [result for item in self.own for result in self._entry(item).results.values()]
        if under_way or kinds & (FAULTS | {"run", "rerun"}) or all(r.status is Status.SKIPPED for r in results):
            return
        if not self.paths and not self.project.case.alone:
            yield Step("compare", data={"title": _both(load("comparison").title)})
        yield Step("plan")
        yield Step("ask")


def together(project: Project) -> list[tuple[str, str, Finding]]:
    """The item, the probe and the finding of each change that `accucheck fix` would make."""
    settled, seen = project.settled(), dict[str, tuple[str, str, Finding]]()
    for item, result in project.recorded():
        for finding in result.findings if item not in settled else ():
            diff = finding.fix.diff if finding.fix is not None else None
            if diff and finding.level is not Level.INFO and finding.sure is not Sure.POSSIBLE:
                seen.setdefault(diff, (item, result.probe, finding))
    return [*seen.values()]


def _both(text: Text) -> dict[str, str]:
    return {language.value: text[language] for language in Language}


def _skipped(each: _ProbeUse, code: str) -> bool:
    """Whether it was left out as nobody had agreed: to run the project's code, or to read from its addresses."""
    result = each.result
    return result is not None and result.reason is not None and result.reason.code == code


def _can_by_now(each: _ProbeUse) -> bool:
    """Whether it was left out for what the case gives, or somebody agreed to, by now."""
    return each.result is not None and (_lacked(each.result) or _skipped(each, "needs-address-consent"))


def _lacked(result: ProbeResult) -> bool:
    """Whether a result says that an input is missing: where the case gives it by now, the probe can run."""
    return result.status is Status.SKIPPED and result.reason is not None and result.reason.code == "missing-input"
