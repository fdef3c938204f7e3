"""The keys that are proposed and offered: what each is called, what it is, and whether a value will do."""

from __future__ import annotations

import math
import os
import stat
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ..case import NUMBERS, Case, mode_of, require_utf8
from ..errors import UserError
from ..language import Language, Words, word

_SCRIPTS = (".py", ".ipynb")
_WEIGHTS = (".ckpt", ".safetensors")
_RECORDS = (".log", ".txt", ".out", ".csv", ".tsv", ".jsonl", ".ndjson")
_DATA = (
    *(".csv", ".tsv", ".parquet", ".jsonl", ".ndjson", ".json", ".txt", ".npy", ".npz", ".tar", ".gz", ".bin"),
    *(".mindrecord", ".tfrecord", ".jpg", ".jpeg", ".png"),
)


class Key(NamedTuple):
    """A key of the case: `group` of GROUPS; `file`: its value names a file or, with `folder`, a folder as well, else it is a text;
    `endings` of files that fit; `choices` where the value is one of a few."""

    group: str
    file: bool = False
    folder: bool = False
    endings: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()


#: In the order in which they are shown.
KEYS = {
    "goal.metric": Key("goal"),
    "goal.reached": Key("goal"),
    "goal.expected": Key("goal"),
    "goal.source": Key("goal"),
    "scripts.train": Key("scripts", True, endings=_SCRIPTS),
    "scripts.eval": Key("scripts", True, endings=_SCRIPTS),
    "scripts.infer": Key("scripts", True, endings=_SCRIPTS),
    "configs.used": Key("scripts", True, endings=(".yaml", ".yml", ".json", ".py")),
    "runtime.device": Key("scripts", choices=("Ascend", "GPU", "CPU")),
    "runtime.mode": Key("scripts", choices=("graph", "pynative")),
    "runtime.amp": Key("scripts", choices=("O0", "O1", "O2", "O3", "auto", "none")),
    "runtime.command": Key("scripts"),
    "runtime.python": Key("scripts", True),
    "pipelines.train.call": Key("scripts"),
    "pipelines.train.args": Key("scripts"),
    "pipelines.eval.call": Key("scripts"),
    "pipelines.eval.args": Key("scripts"),
    "network.call": Key("scripts"),
    "network.args": Key("scripts"),
    "loss.call": Key("scripts"),
    "loss.args": Key("scripts"),
    "optimizer.call": Key("scripts"),
    "optimizer.args": Key("scripts"),
    "phases": Key("scripts"),
    "data.train.path": Key("data", True, True, _DATA),
    "data.train.label": Key("data"),
    "data.eval.path": Key("data", True, True, _DATA),
    "data.eval.label": Key("data"),
    "data.reference.manifest": Key("data", True, endings=(".md5", ".md5sum", ".json", ".txt")),
    "data.predictions": Key("data", True, endings=(".npy",)),
    "checkpoints.initial": Key("weights", True, True, _WEIGHTS),
    "checkpoints.pretrained": Key("weights", True, True, _WEIGHTS),
    "checkpoints.previous": Key("weights", True, True, _WEIGHTS),
    "checkpoints.current": Key("weights", True, True, _WEIGHTS),
    "curves.train": Key("curves", True, True, _RECORDS),
    "curves.eval": Key("curves", True, True, _RECORDS),
    "curves.rerun": Key("curves", True, True, _RECORDS),
    "curves.baseline": Key("curves", True, True, _RECORDS),
    "curves.lr_test": Key("curves", True, True, _RECORDS),
    "curves.previous_version": Key("curves", True, True, _RECORDS),
    "watched": Key("curves", True, True),
    "graphs.path": Key("graphs", True, True, (".pb", ".mindir")),
    "dumps.path": Key("graphs", True, True, (".json", ".csv", ".npy")),
    "profiler.path": Key("graphs", True, True, (".csv", ".json")),
    "benchmark.scripts.train": Key("benchmark", True, endings=_SCRIPTS),
    "benchmark.scripts.eval": Key("benchmark", True, endings=_SCRIPTS),
    "checkpoints.reference": Key("benchmark", True, True, (".pth", ".pt", ".tar", ".bin", *_WEIGHTS)),
    "curves.reference.path": Key("benchmark", True, True, _RECORDS),
    "dumps.reference": Key("benchmark", True, True, (".json", ".csv", ".npy")),
}

GROUPS: Words = {
    "goal": {"en": "The symptom: what was reached, what is expected", "zh": "现象：已达到多少，期望多少"},
    "scripts": {"en": "Scripts and how they run", "zh": "脚本与运行方式"},
    "data": {"en": "Data", "zh": "数据"},
    "weights": {"en": "Weights", "zh": "权重"},
    "curves": {"en": "Logs and curves", "zh": "日志与曲线"},
    "graphs": {"en": "Graphs, dumps and profiles", "zh": "计算图、dump 与 profiling 数据"},
    "benchmark": {"en": "The benchmark (PyTorch)", "zh": "标杆（PyTorch）"},
}

#: What each key is called.
TITLES: Words = {
    "goal.metric": {"en": "metric", "zh": "指标"},
    "goal.reached": {"en": "reached", "zh": "已达到"},
    "goal.expected": {"en": "expected", "zh": "期望"},
    "goal.source": {"en": "source of the expectation", "zh": "期望的依据"},
    "scripts.train": {"en": "training script", "zh": "训练脚本"},
    "scripts.eval": {"en": "evaluation script", "zh": "评估脚本"},
    "scripts.infer": {"en": "inference script", "zh": "推理脚本"},
    "configs.used": {"en": "configuration", "zh": "配置文件"},
    "runtime.device": {"en": "device", "zh": "设备"},
    "runtime.mode": {"en": "mode", "zh": "运行模式"},
    "runtime.amp": {"en": "mixed precision", "zh": "混合精度"},
    "runtime.command": {"en": "command", "zh": "启动命令"},
    "runtime.python": {"en": "Python", "zh": "Python 解释器"},
    "pipelines.train.call": {"en": "function of the training data", "zh": "训练数据函数"},
    "pipelines.train.args": {"en": "its arguments", "zh": "训练数据函数的参数"},
    "pipelines.eval.call": {"en": "function of the evaluation data", "zh": "评估数据函数"},
    "pipelines.eval.args": {"en": "its arguments", "zh": "评估数据函数的参数"},
    "network.call": {"en": "network", "zh": "网络"},
    "network.args": {"en": "its arguments", "zh": "网络的参数"},
    "loss.call": {"en": "loss", "zh": "损失函数"},
    "loss.args": {"en": "its arguments", "zh": "损失函数的参数"},
    "optimizer.call": {"en": "optimizer", "zh": "优化器"},
    "optimizer.args": {"en": "its arguments", "zh": "优化器的参数"},
    "phases": {"en": "phases that take turns", "zh": "交替训练的阶段"},
    "data.train.path": {"en": "training data", "zh": "训练数据"},
    "data.train.label": {"en": "label column", "zh": "标签列"},
    "data.eval.path": {"en": "evaluation data", "zh": "评估数据"},
    "data.eval.label": {"en": "label column, evaluation", "zh": "评估数据的标签列"},
    "data.reference.manifest": {"en": "MD5 list of the data", "zh": "数据的 MD5 清单"},
    "data.predictions": {"en": "predicted probabilities", "zh": "预测概率"},
    "checkpoints.initial": {"en": "initial weights", "zh": "初始权重"},
    "checkpoints.pretrained": {"en": "pretrained weights", "zh": "预训练权重"},
    "checkpoints.previous": {"en": "weights some steps before", "zh": "若干步之前的权重"},
    "checkpoints.current": {"en": "trained weights", "zh": "训练后的权重"},
    "curves.train": {"en": "training log", "zh": "训练日志"},
    "curves.eval": {"en": "evaluation log", "zh": "评估日志"},
    "curves.rerun": {"en": "log of the same run again", "zh": "同一脚本重跑的日志"},
    "curves.baseline": {"en": "log with a small batch", "zh": "小 batch 的训练日志"},
    "curves.lr_test": {"en": "learning-rate range test", "zh": "学习率范围测试"},
    "curves.previous_version": {"en": "log on an earlier MindSpore", "zh": "旧版 MindSpore 的训练日志"},
    "watched": {"en": "watched run", "zh": "训练观察记录"},
    "graphs.path": {"en": "graph files", "zh": "计算图文件"},
    "dumps.path": {"en": "dump", "zh": "dump 数据"},
    "profiler.path": {"en": "profile", "zh": "profiling 数据"},
    "benchmark.scripts.train": {"en": "training script", "zh": "训练脚本"},
    "benchmark.scripts.eval": {"en": "evaluation script", "zh": "评估脚本"},
    "checkpoints.reference": {"en": "weights", "zh": "权重"},
    "curves.reference.path": {"en": "training log", "zh": "训练日志"},
    "dumps.reference": {"en": "dump", "zh": "dump 数据"},
}

#: Whether a value will do.
CHECKS: Words = {
    "is-file": {"en": "a file of {size}", "zh": "文件，{size}"},
    "is-folder": {"en": "a folder", "zh": "目录"},
    "is-address": {"en": "an address; it is read when a probe runs", "zh": "远程地址，运行探针时读取"},
    "is-text": {"en": "a text", "zh": "文本"},
    "unusual-ending": {"en": "there, but usually this ends in {endings}", "zh": "存在，但通常以 {endings} 结尾"},
    "is-number": {"en": "a number", "zh": "数值"},
    "not-number": {"en": "give a number, such as 0.93 or 93", "zh": "请填写数值，例如 0.93 或 93"},
    "nothing": {"en": "give a value", "zh": "请填写"},
    "not-there": {"en": "there is nothing at {path}", "zh": "{path} 不存在"},
    "needs-file": {"en": "that is a folder, not a file", "zh": "这是目录，应为文件"},
    "neither": {"en": "that is neither a file nor a folder", "zh": "既不是文件也不是目录"},
    "one-of": {"en": "one of {choices}", "zh": "可选：{choices}"},
    "not-arguments": {
        "en": 'arguments are a JSON object, such as {{"batch_size": 32}}',
        "zh": '参数应为 JSON 对象，例如 {{"batch_size": 32}}',
    },
    "not-utf8": {"en": "the name is not UTF-8; rename it first", "zh": "名称不是 UTF-8 编码，请先重命名"},
}


class Checked(NamedTuple):
    """Whether a value will do, and a key of CHECKS with what fills it. `odd`: it will, but looks like a mistake."""

    good: bool
    why: str
    data: dict[str, str] = {}
    odd: bool = False

    def text(self, language: Language) -> str:
        return word(CHECKS, self.why, language, **self.data)


def check(case: Case, name: str, value: str) -> Checked:
    """Whether a value will do for a key: what it names is there, and is of the right kind. No content is read."""
    key, value = KEYS[name], value.strip()
    if not value:
        return Checked(False, "nothing")
    try:
        require_utf8(value)
    except UserError:
        return Checked(False, "not-utf8")
    if key.choices:
        good = value in key.choices
        return Checked(good, "is-text" if good else "one-of", {"choices": ", ".join(key.choices)})
    if name.endswith(".args") or name == "phases":
        return _arguments(value)
    if name in NUMBERS:
        return _number(value)
    if not key.file:
        return Checked(True, "is-text")
    if "://" in value and name.startswith("data."):
        return Checked(True, "is-address")
    path = case.path(value)
    mode = mode_of(path)
    if not mode:
        return Checked(False, "not-there", {"path": str(path)})
    if stat.S_ISDIR(mode):
        return Checked(key.folder, "is-folder" if key.folder else "needs-file")
    if not stat.S_ISREG(mode):
        return Checked(False, "neither")
    if key.endings and not fits(name, path.name):
        return Checked(True, "unusual-ending", {"endings": " ".join(key.endings[:4])}, odd=True)
    return Checked(True, "is-file", {"size": size(path)})


def _number(value: str) -> Checked:
    """A finite number."""
    try:
        good = math.isfinite(float(value))
    except ValueError:
        good = False
    return Checked(good, "is-number" if good else "not-number")


def _arguments(value: str) -> Checked:
    """Arguments are a JSON object."""
    try:
        msgspec.json.decode(value, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError):
        return Checked(False, "not-arguments")
    return Checked(True, "is-text")


#: What a mapping is shown as: calls as Python has them, and the phases of a training.
SHOWN: Words = {
    "phase": {"en": "{name}: {network}", "zh": "{name}：{network}"},
    "phase-updated": {
        "en": "{name}: {network}, updated by {optimizer}",
        "zh": "{name}：{network}，由 {optimizer} 更新",
    },
    "between": {"en": "; ", "zh": "；"},
}


def shown(name: str, value: str, language: Language) -> list[str]:
    """A value as it is read, a part a phase: mappings are JSON in the case, which nobody reads."""
    if name == "phases" and isinstance(phases := _mapping(value), dict):
        return [_phase(each, phase, language) for each, phase in phases.items() if isinstance(phase, dict)]
    if name.endswith(".args") and isinstance(given := _mapping(value), dict):
        return [_given(given)]
    return [value]


def _phase(name: str, phase: dict[str, Any], language: Language) -> str:
    network, optimizer = _called(phase.get("network")), _called(phase.get("optimizer"))
    key = "phase-updated" if optimizer else "phase"
    return word(SHOWN, key, language, name=name, network=network, optimizer=optimizer)


def _called(call: Any) -> str:
    """A call as Python has it, nested ones as well; of what module it is, the file says."""
    if not isinstance(call, dict) or "call" not in call:
        return ""
    name, args = str(call["call"]).rpartition(":")[2], call.get("args")
    return f"{name}({_given(args) if isinstance(args, dict) else ''})"


def _given(args: dict[str, Any]) -> str:
    return ", ".join(f"{name}={_called(value) or repr(value)}" for name, value in args.items())


def _mapping(value: str) -> Any:
    try:
        return msgspec.json.decode(value)
    except (msgspec.DecodeError, RecursionError):
        return None


def fits(name: str, file: str) -> bool:
    """Whether a file's name is one that a key usually has."""
    text = file.lower().removesuffix(".gz") if name.startswith(("data.", "curves.")) else file.lower()
    endings = KEYS[name].endings
    return text.endswith(endings) or ("mindrecord" in text and ".mindrecord" in endings)


def size(path: Path) -> str:
    """The size of a file, as people say it."""
    try:
        count = float(path.stat().st_size)
    except OSError:
        return "?"
    for unit in ("B", "KB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            return f"{count:,.0f} {unit}" if unit == "B" or count >= 10 else f"{count:.1f} {unit}"
        count /= 1000
    raise AssertionError


def completions(case: Case, name: str, typed: str, limit: int = 200) -> list[str]:
    """The paths that begin with what is typed, those that fit first; folders end in a slash. Empty for a value that is no path."""
    key = KEYS[name]
    if key.choices:
        return [choice for choice in key.choices if choice.lower().startswith(typed.lower())]
    if not key.file or "://" in typed:
        return []
    folder, slash, start = typed.rpartition("/")
    found: list[tuple[bool, str]] = []
    try:
        with os.scandir(case.path(folder + slash if slash else ".")) as entries:
            for entry in entries:
                if entry.name.startswith(start) and entry.name.isprintable() and (start or entry.name[0] != "."):
                    if entry.is_dir():
                        found.append((False, f"{folder}{slash}{entry.name}/"))
                    else:
                        found.append((not fits(name, entry.name), f"{folder}{slash}{entry.name}"))
                if len(found) >= 20_000:
                    break
    except (OSError, ValueError):
        return []
    return [text for _, text in sorted(found)][:limit]
