"""What a project folder tells of its case: keys with values and reasons, and whether its training ran to its end.

Names and first bytes are looked at, a few scripts are read as text; nothing is imported, run or changed. Where two things could be
meant, none is proposed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from ..errors import UserError
from ..language import Language, Words, word
from . import datasets, logs, scripts, watches, weights
from .keys import KEYS
from .scripts import script_role, trains_as_test
from .tree import Folder, Tree, look, stamp

__all__ = ["WHY", "Proposal", "Survey", "Trained", "propose", "script_role", "survey", "trains_as_test"]

#: Losses from which on there is a curve to look at.
_CURVE = 2
#: Logs that are looked into, and folders beside the project that may hold its benchmark.
_LOGS, _BESIDE = 40, 2000

#: Why a key is proposed.
WHY: Words = {
    "why-script-name": {"en": "named like a script of this role", "zh": "文件名符合该角色"},
    "why-script-content": {"en": "calls what this role calls", "zh": "脚本内容符合该角色"},
    "why-seen": {"en": "seen in the run", "zh": "运行中实际看到"},
    "why-one-of": {"en": "{reason}; so are {others}", "zh": "{reason}；同样可能的还有 {others}"},
    "why-setting": {"en": "{path}:{line} sets it", "zh": "{path}:{line} 中设置"},
    "why-config": {"en": "holds {names}", "zh": "含有 {names}"},
    "why-data": {
        "en": "{count:,} {count:file|files}, of those looked into: {formats}",
        "zh": "{count:,} 个文件，抽查所见格式：{formats}",
    },
    "why-data-more": {
        "en": "{count:,} files or more, of those looked into: {formats}",
        "zh": "至少 {count:,} 个文件，抽查所见格式：{formats}",
    },
    "why-label": {"en": "a column of {path}", "zh": "{path} 中的一列"},
    "why-initial": {"en": "a checkpoint with init in its name", "zh": "文件名含 init 的权重文件"},
    "why-pretrained": {"en": "named like pretrained weights", "zh": "名称像预训练权重"},
    "why-checkpoint": {"en": "the only checkpoint of a training", "zh": "唯一的训练权重文件"},
    "why-newest": {"en": "the newest of {count} checkpoints", "zh": "{count} 个权重文件中最新的"},
    "why-last-number": {"en": "the last of {count} by epoch and step", "zh": "{count} 个中轮次和步数最大的"},
    "why-number-before": {"en": "the one before the last, by epoch and step", "zh": "按轮次和步数，最后一个之前的那个"},
    "why-torch-weights": {"en": "weights of PyTorch", "zh": "PyTorch 权重文件"},
    "why-log": {
        "en": "{losses:,} of {lines:,} lines hold a loss or a metric",
        "zh": "{lines:,} 行中有 {losses:,} 行含 loss 或指标",
    },
    "why-log-part": {
        "en": "{losses:,} of {lines:,} lines at its beginning and end hold a loss or a metric",
        "zh": "开头和末尾的 {lines:,} 行中有 {losses:,} 行含 loss 或指标",
    },
    "why-recording": {"en": "written by accucheck.Recorder", "zh": "由 accucheck.Recorder 写出"},
    "why-events": {
        "en": "{count} event {count:file|files} of MindSpore or TensorBoard",
        "zh": "{count} 个 MindSpore 或 TensorBoard 事件文件",
    },
    "why-graphs": {"en": "{count} graph {count:file|files} ({name})", "zh": "{count} 个图文件（{name}）"},
    "why-dump": {"en": "a dump: {name}", "zh": "dump 数据：{name}"},
    "why-profile": {"en": "written by mindspore.profiler: {name}", "zh": "由 mindspore.profiler 写出：{name}"},
    "why-manifest": {"en": "a list of MD5 sums", "zh": "MD5 校验码列表"},
    "why-benchmark": {"en": "a script of PyTorch", "zh": "PyTorch 脚本"},
    "why-range-test": {"en": "named like the record of a learning-rate range test", "zh": "名称像学习率范围测试的记录"},
    # whether the training runs to its end
    "trained-finished": {
        "en": "{path}: a loss in {losses:,} lines, the last epoch is complete ({last}), no error at the end",
        "zh": "{path}：{losses:,} 行含 loss，最后一轮已完成（{last}），末尾没有报错",
    },
    "trained-curve": {
        "en": "{path}: a loss in {losses:,} lines, no error at the end",
        "zh": "{path}：{losses:,} 行含 loss，末尾没有报错",
    },
    "trained-error": {"en": "{place}: {error}", "zh": "{place}：{error}"},
    "trained-interrupted": {"en": "{place}: it was interrupted ({error})", "zh": "{place}：训练被中断（{error}）"},
}


class Proposal(msgspec.Struct, frozen=True):
    """One proposed key, its value (of arguments as JSON), and why: a key of WHY and what fills it. `others` are values that may as well
    be meant: then a person is to choose."""

    key: str
    value: str
    why: str
    data: dict[str, Any] = {}
    others: list[str] = []

    def reason(self, language: Language) -> str:
        reason = word(WHY, self.why, language, **self.data)
        if not self.others:
            return reason
        shown = ", ".join(self.others[:3]) + (", ..." if len(self.others) > 3 else "")
        return word(WHY, "why-one-of", language, reason=reason, others=shown)


class TrainingState(msgspec.Struct, frozen=True):
    """What the newest log says of the training: "runs", "fails" or "unsure", with a key of WHY and what fills it."""

    answer: str
    why: str
    data: dict[str, Any] = {}

    def reason(self, language: Language) -> str:
        return word(WHY, self.why, language, **self.data)


@dataclass(frozen=True)
class Survey:
    """`projects` are the folders below that are projects of their own, where this one is none; `problems` could not be looked into,
    and `partial` says that more was left out: folders too large or too deep. `turns` are networks that a watched run trained in turns."""

    proposals: list[Proposal] = field(default_factory=list)
    trained: TrainingState | None = None
    projects: list[str] = field(default_factory=list)
    problems: list[UserError] = field(default_factory=list)
    partial: bool = False
    turns: list[str] = field(default_factory=list)

    @property
    def taken(self) -> dict[str, str]:
        """The keys of a case with their values; where several could be meant, the best."""
        return {proposal.key: proposal.value for proposal in self.proposals}


def propose(root: Path) -> list[Proposal]:
    """What a case of this folder could say, each with the reason."""
    return survey(root).proposals


def survey(root: Path) -> Survey:
    """All that a project folder tells, within a second for 50,000 entries."""
    tree = look(root)
    if root not in tree.folders:
        return Survey(problems=tree.problems)
    benchmark = _benchmark(tree)
    tree = tree.without(set(benchmark))
    found, projects = scripts.find(tree)
    names = [os.path.relpath(path, root) for path in projects]
    if projects and not found:  # what lies here is no project, and what lies below is of many
        return Survey(projects=names, problems=tree.problems, partial=tree.partial)
    own = tree.without(scripts.apart(tree) - {script.path.parent for script in found})
    gathered = _Proposals(own)
    watched = watches.found(root)
    for key, value in watched.keys.items():
        gathered.offer(key, value, "why-seen")
    gathered.take_scripts(found)
    gathered.take_data()
    gathered.take_weights()
    trained = gathered.take_records()
    if found or gathered.found:
        gathered.take_benchmark(benchmark or _beside(root))
    proposals = sorted(gathered.found.values(), key=lambda proposal: list(KEYS).index(proposal.key))
    return Survey(proposals, trained, names, tree.problems, tree.partial, watched.turns)


class _Proposals:
    """Proposals by key; the first of a key stays."""

    def __init__(self, tree: Tree) -> None:
        self.tree, self.root = tree, tree.root
        self.found: dict[str, Proposal] = {}

    def offer(self, key: str, value: Path | str, why: str, others: Sequence[Path] = (), **data: Any) -> None:
        text = os.path.relpath(value, self.root) if isinstance(value, Path) else value
        alike = [os.path.relpath(other, self.root) for other in others]
        self.found.setdefault(key, Proposal(key, text, why, data, alike))

    def take_scripts(self, found: list[scripts.Script]) -> None:
        for script in found:
            why = "why-script-name" if script.named else "why-script-content"
            self.offer(f"scripts.{script.role}", script.path, why, script.others)
            if script.role == "train" and not script.others:
                for key, (value, line) in scripts.settings(script.path).items():
                    self.offer(key, value, "why-setting", path=os.path.relpath(script.path, self.root), line=line)
        if found and (config := scripts.config(self.tree)) is not None:
            self.offer("configs.used", config[0], "why-config", names=", ".join(config[1][:4]))

    def take_data(self) -> None:
        for part, data in datasets.find(self.tree).items():
            why, formats = "why-data-more" if data.more else "why-data", ", ".join(data.formats)
            self.offer(f"data.{part}.path", data.path, why, count=data.files, formats=formats)
            if (told := datasets.label(data, self.tree.below(data.path))) is not None:
                self.offer(f"data.{part}.label", told[0], "why-label", path=os.path.relpath(told[1], self.root))
        for folder in self.tree.folders.values():
            for name in folder.files:
                if name.lower().endswith((".md5", ".md5sum", ".manifest.json")) or name.lower() == "md5sums.txt":
                    self.offer("data.reference.manifest", folder.path / name, "why-manifest")

    def take_weights(self) -> None:
        folders = list(self.tree.folders.values())
        for role, found in weights.find(folders).items():
            self.offer(f"checkpoints.{role}", found.path, found.why, count=found.among)

    def take_records(self) -> TrainingState | None:
        """Logs, summaries, graphs, dumps and profiles; what the newest log says of the training."""
        read = [log for path in self._logs() if (log := logs.examine(path)) is not None]
        tests = [log for log in read if _RANGE_TEST.search(log.path.stem.lower())]
        read = [log for log in read if log not in tests]
        for log in tests:
            self.offer("curves.lr_test", log.path, "why-range-test")
        evaluating = [log for log in read if _is_evaluation(log)]
        training = [log for log in read if log not in evaluating and log.losses >= _CURVE]
        self._take_curve("train", training)
        self._take_curve("eval", evaluating)
        for folder in self.tree.folders.values():
            self._take_folder(folder)
        ended = [log for log in read if log not in evaluating]
        return self._trained(logs.newest(ended)) if ended else None

    def _take_curve(self, role: str, kind: list[logs.Log]) -> None:
        if kind:
            log = logs.newest(kind)
            why = "why-recording" if log.recording else "why-log" if log.whole else "why-log-part"
            self.offer(f"curves.{role}", log.path, why, losses=log.losses or log.lines, lines=log.lines)

    def _trained(self, log: logs.Log) -> TrainingState:
        path = os.path.relpath(log.path, self.root)
        if log.error:
            place = path if log.line is None else f"{path}:{log.line}"
            answer, why = ("unsure", "trained-interrupted") if log.interrupted else ("fails", "trained-error")
            return TrainingState(answer, why, {"place": place, "error": log.error})
        data = {"path": path, "losses": log.losses, "last": log.last or 0}
        return TrainingState("runs", "trained-finished" if log.finished else "trained-curve", data)

    def _logs(self) -> Iterator[Path]:
        names = [
            folder.path / name
            for folder in self.tree.folders.values()
            for name in folder.files
            if _is_log(folder, name) and not logs.is_event_file(name)
        ]
        return iter(sorted(names, key=stamp)[-_LOGS:])

    def _take_folder(self, folder: Folder) -> None:
        events = [name for name in folder.files if logs.is_event_file(name)]
        if events:
            self.offer("curves.train", folder.path, "why-events", count=len(events))
        graphs = [name for name in folder.files if _GRAPH.match(name)]
        if graphs:
            self.offer("graphs.path", folder.path, "why-graphs", count=len(graphs), name=graphs[0])
        if folder.depth and (dumped := next((name for name in folder.files if _DUMP.match(name)), None)):
            top = self._top(folder, _DUMP_FOLDER)
            key = "dumps.reference" if re.search(r"ref|torch|bench", top.name.lower()) else "dumps.path"
            self.offer(key, top, "why-dump", name=dumped)
        if folder.ranked and (folder.path / "rank_0" / "execution_order").is_dir():
            self.offer("dumps.path", folder.path, "why-dump", name="rank_0/execution_order")
        if folder.depth and (profiled := next((name for name in folder.files if _PROFILE.match(name)), None)):
            self.offer("profiler.path", self._top(folder, _PROFILE_FOLDER), "why-profile", name=profiled)

    def _top(self, folder: Folder, name: re.Pattern[str]) -> Path:
        """The folder itself, or the highest one around it that has such a name."""
        around = [path for path in folder.path.parents if self.root in path.parents and name.search(path.name.lower())]
        return around[-1] if around else folder.path

    def take_benchmark(self, found: dict[Path, list[scripts.Script]]) -> None:
        for path, torch in list(found.items())[:1]:
            for script in torch:
                self.offer(f"benchmark.scripts.{script.role}", script.path, "why-benchmark")
            tree = look(path, depth=2)
            files = [file for folder in tree.folders.values() for file in weights.torch_weights(folder)]
            if len(files) == 1:
                self.offer("checkpoints.reference", files[0], "why-torch-weights")
            told = [
                log
                for folder in tree.folders.values()
                for name in folder.files[:_LOGS]
                if _is_log(folder, name) and (log := logs.examine(folder.path / name)) is not None and log.losses
            ]
            if told:
                log = logs.newest(told)
                why = "why-log" if log.whole else "why-log-part"
                self.offer("curves.reference.path", log.path, why, losses=log.losses, lines=log.lines)


_LOG_FOLDER = re.compile(r"^(logs?|output|outputs|results?|record|records|metrics|collect|rank_\d+|log_output)$")
_LOG_NAME = re.compile(r"(^|[_.-])(log|loss|metrics?|train|eval|nohup|worker|record(ing)?|history|curve)([_.-]|\d|$)")
_EVAL_NAME = re.compile(r"(^|[_.-])(eval|evaluation|val|valid|validation|test)([_.-]|$)")
_RANGE_TEST = re.compile(r"(^|[_.-])lr[_-]?(range|test|find(er)?)([_.-]|$)")
_GRAPH = re.compile(r"^ms_output_.*\.pb$|.*\.mindir$")
#: Files of MindSpore's dump, of its statistics, and of msprobe.
_DUMP = re.compile(r"^statistic\.csv$|^dump\.json$|^[A-Za-z]\w*\.[\w-]+\.\d+\.\d+\.\d+\.(input|output)\.\d+.*\.npy$")
_DUMP_FOLDER = re.compile(r"dump")
_PROFILE = re.compile(
    r"^(cpu_op_type_info_.*\.csv|op_statistic.*\.csv|kernel_details\.csv|step_trace_time\.csv|pipeline_profiling_.*\.json)$"
)
_PROFILE_FOLDER = re.compile(r"prof")
_BENCHMARK_NAME = re.compile(r"(^|[^a-z])(py)?torch([^a-z]|$)|^(benchmark|reference|ref|baseline)$")


def _is_evaluation(log: logs.Log) -> bool:
    named = _EVAL_NAME.search(log.path.stem.lower()) is not None
    return bool(log.losses + log.lines) and (log.evaluates or named)


def _is_log(folder: Folder, name: str) -> bool:
    path = Path(name.lower())
    if path.suffix in (".log", ".out"):
        return True
    if path.suffix in (".csv", ".tsv", ".txt", ".jsonl", ".ndjson", ".json"):
        beside = _LOG_FOLDER.match(folder.path.name.lower()) is not None and folder.depth > 0
        return _LOG_NAME.search(path.stem) is not None or (beside and path.suffix != ".json")
    return False


def _benchmark(tree: Tree) -> dict[Path, list[scripts.Script]]:
    """Folders of the project that are named like a benchmark's and hold scripts of PyTorch."""
    found = {}
    for path, folder in tree.folders.items():
        if 0 < folder.depth <= 2 and _BENCHMARK_NAME.search(path.name.lower()):
            below = [other for other in tree.below(path) if other.depth - folder.depth <= 1]
            if torch := [script for other in below for script in scripts.torch_scripts(other)]:
                found[path] = torch
    return found


def _beside(root: Path) -> dict[Path, list[scripts.Script]]:
    """The folder beside the project that is named like it, or like a benchmark, and holds scripts of PyTorch; none where several do."""
    found = {}
    own = _stem(root.name)
    around = look(root.parent, depth=0)
    folder = around.folders.get(root.parent)
    if folder is None or len(folder.folders) > _BESIDE:
        return {}
    for name in folder.folders:
        if name != root.name and _BENCHMARK_NAME.search(name.lower()) and _stem(name) in ("", own):
            below = look(root.parent / name, depth=0).folders.get(root.parent / name)
            if below is not None and (torch := scripts.torch_scripts(below)):
                found[below.path] = torch
    return found if len(found) == 1 else {}


def _stem(name: str) -> str:
    """The name of a project without what names its framework."""
    return re.sub(
        r"(py)?torch|mindspore|[^a-z0-9]|(?<![a-z])ms(?![a-z])|benchmark|reference|baseline|^ref$", "", name.lower()
    )
