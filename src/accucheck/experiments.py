"""`accucheck plan`: the experiments of one project as a checklist to tick, in Markdown, with its own lines, names and commands.

Two of them: let go of what fixes the randomness, one at a time; and move a difference at step D to step 2, by the state before
step D-1 and passing over the batches used up to then. Reads the scripts as text and runs nothing.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .case import Case
from .errors import ReadError
from .language import Language, Words, visible, word
from .model import ProbeResult, Status

if TYPE_CHECKING:
    from .script.randomness import Names, SeedPlace

#: Where the runs of a plan are to leave what they write.
FOLDER = "collect"
#: Lines of one subject that are shown.
_LINES = 10
#: Findings that tell a step at which two trainings part, by the probe that gives them; the first that is there counts.
_TELLING = {
    "loss_comparison": ("fork", "nan-ours"),
    "reproducible_runs": ("forks", "fixed-always", "fixed-sometimes"),
}

WORDS: Words = {
    "title": {"en": "Experiment plan: {name}", "zh": "实验计划：{name}"},
    "begin": {
        "en": "All commands are for the folder {folder}. Tick off what is done.",
        "zh": "以下命令均在目录 {folder} 中执行。做完一项勾选一项。",
    },
    "unread": {
        "en": "No line of a training script could be read here: name it as scripts.train in accucheck.yaml, and this plan names its lines.",
        "zh": "这里没有可读取的训练脚本：在 accucheck.yaml 的 scripts.train 中写明路径后，本计划会列出具体代码行。",
    },
    "gaps": {
        "en": "Could not be read: {paths}. Their content is missing from this plan.",
        "zh": "未能读取：{paths}，其中的内容没有纳入本计划。",
    },
    "free": {
        "en": "1. Remove what fixes the randomness, one at a time",
        "zh": "1. 逐项放开固定的随机性",
    },
    "free-why": {
        "en": "For a problem that disappears once all randomness is fixed (cmp.01): whatever brings it back is the clue. If it "
        "persists, go to part 2.",
        "zh": "适用于随机性全部固定（cmp.01）之后问题消失的情况：放开哪一项后问题重现，哪一项就是线索。固定后问题仍在的，直接做第 2 部分。",
    },
    "free-start": {
        "en": "With everything fixed: run {run} and keep the loss of each step in {log}. The trouble must be gone.",
        "zh": "全部固定：运行 {run}，逐步的 loss 存到 {log}。此时问题应不出现。",
    },
    "free-not": {"en": "Not fixed yet, fix it first: {spots}", "zh": "尚未固定，应先固定：{spots}"},
    "free-alone": {
        "en": "Then each of these by itself, in this order, everything else as in that run; put the lines back before the next.",
        "zh": "然后按以下顺序每次只放开一项，其余与上述运行相同；做下一项之前先恢复。",
    },
    "fixed-by": {"en": "Fixed here: {spots}", "zh": "固定它的代码：{spots}"},
    "nothing": {
        "en": "Nothing of it was found in the scripts: pass over it.",
        "zh": "脚本中没有发现相关代码，跳过。",
    },
    "free-run": {
        "en": "{how} Run {run}, and keep the loss of each step in {log}.",
        "zh": "{how}运行 {run}，逐步的 loss 存到 {log}。",
    },
    "free-compare": {
        "en": "{command} shows from which step on it has an effect; if the runs agree, it has none and is not the cause.",
        "zh": "{command} 会指出它从第几步起有影响；两次运行一致说明它没有影响，也就不是原因。",
    },
    "free-outcome": {
        "en": "Is the trouble back? {means} If not: put the lines back.",
        "zh": "问题是否重现？{means}若没有重现，恢复代码。",
    },
    "free-end": {
        "en": "None brings it back by itself: remove them one after the other in this order, without putting any back, until it shows.",
        "zh": "单独放开哪一项都不重现：按同样的顺序逐项累加放开（不恢复），直到重现。",
    },
    "network": {"en": "Network: Dropout and other random operators", "zh": "网络：Dropout 等随机算子"},
    "network-how": {
        "en": "Give the layers the rates of the real training.",
        "zh": "把这些层的概率恢复为正式训练的取值。",
    },
    "network-means": {
        "en": "Then check their rate, or what it means (p is the share dropped, keep_prob the share kept), and whether set_train is "
        "called (api.01, api.02).",
        "zh": "若重现，查其概率、含义（p 为丢弃概率，keep_prob 为保留概率）以及是否调用了 set_train（api.01、api.02）。",
    },
    "order": {"en": "Data: order", "zh": "数据：顺序"},
    "order-how": {
        "en": "Shuffle as the real training does (shuffle=True, or its sampler).",
        "zh": "按正式训练的方式混洗（shuffle=True 或原来的采样器）。",
    },
    "order-means": {
        "en": "Then how the data are shuffled, sharded and batched (dp.03, dp.05), and the content of the first batch.",
        "zh": "若重现，查混洗、分片与组 batch 的方式（dp.03、dp.05），以及问题开始处那个 batch 的内容。",
    },
    "augmentation": {"en": "Data: augmentation", "zh": "数据：增强"},
    "augmentation-how": {"en": "Put the random transforms back.", "zh": "恢复随机变换。"},
    "augmentation-means": {
        "en": "Then compare the ranges and order of the transforms with those of the benchmark and of evaluation (dp.01, dp.02).",
        "zh": "若重现，把变换的取值范围和顺序与标杆、与推理时的处理对比（dp.01、dp.02）。",
    },
    "workers": {"en": "Data: parallel workers", "zh": "数据：并行线程数"},
    "workers-how": {
        "en": "Set num_parallel_workers as in the real training.",
        "zh": "把 num_parallel_workers 改回正式训练的取值。",
    },
    "workers-means": {
        "en": "Then check what the workers share: stateful functions of the project, generators, files opened once.",
        "zh": "若重现，查各线程共用的东西：带状态的自定义函数、随机数生成器、只打开一次的文件。",
    },
    "weights": {"en": "Initial weights", "zh": "初始权重"},
    "weights-how": {
        "en": "Do not load the checkpoint, or, if only the seed fixes them, initialise them with a different seed.",
        "zh": "不加载该 checkpoint；若仅靠种子固定，则换一个种子生成。",
    },
    "weights-means": {
        "en": "Then the initializers of the layers against the benchmark's (wi.01, cmp.06).",
        "zh": "若重现，把各层的初始化方式与标杆对比（wi.01、cmp.06）。",
    },
    "hyperparameters": {"en": "Hyperparameters", "zh": "超参"},
    "hyperparameters-how": {
        "en": "Use the schedule and the numbers of the real training where they were replaced by constants.",
        "zh": "把为对比而写死的数值换回正式训练的学习率策略和超参。",
    },
    "hyperparameters-means": {
        "en": "Then the one that was replaced: learning rate, its schedule and warm-up, batch size (hp.01 to hp.03, cmp.03).",
        "zh": "若重现，查被替换的那一项：学习率及其策略与预热、批大小（hp.01 至 hp.03、cmp.03）。",
    },
    "seeds": {"en": "Global seeds", "zh": "全局随机种子"},
    "seeds-how": {"en": "Use three other seeds, one run each.", "zh": "换三个种子各运行一次。"},
    "seeds-means": {
        "en": "With some seeds only, the spread of the training is as large as the trouble: judge by the mean of several runs, on "
        "both sides.",
        "zh": "只在部分种子下重现，说明训练本身的波动就有这么大：两边都应以多次运行的平均值来判断。",
    },
    "deterministic": {"en": "Deterministic computing", "zh": "确定性计算"},
    "deterministic-how": {"en": "Turn it off.", "zh": "关闭确定性计算。"},
    "deterministic-means": {
        "en": "Then an operator whose sums come in no fixed order; run twice, and compare layer by layer (cmp.09).",
        "zh": "若重现，问题在累加次序不固定的算子：连跑两次，逐层对比（cmp.09）。",
    },
    "move": {"en": "2. Move step {step:,} to step 2", "zh": "2. 把第 {step:,} 步的问题提前到第 2 步"},
    "move-no": {"en": "2. Move a difference to step 2", "zh": "2. 把问题提前到第 2 步"},
    "step-found": {
        "en": "Step {step:,} (counted from 1) is where {probe} saw the losses diverge.",
        "zh": "第 {step:,} 步（从 1 数起）是 {probe} 找到的 loss 分叉处。",
    },
    "step-unknown": {
        "en": "The step at which the losses diverge is not known. Run cmp.08 or cmp.02 first, or give it, counted from 1: {command}",
        "zh": "尚不知道 loss 从哪一步分叉。请先运行 cmp.08 或 cmp.02，或直接指定（从 1 数起）：{command}",
    },
    "step-early": {
        "en": "The losses already differ at step {step:,}, so there is nothing to skip. At step 1 look at the forward pass (cmp.09), at "
        "step 2 at the first update (updated_weights of cmp.08).",
        "zh": "问题在第 {step:,} 步就已出现，无需提前。第 1 步的问题看正向（cmp.09），"
        "第 2 步的问题看首次更新（cmp.08 的 updated_weights）。",
    },
    "move-why": {
        "en": "Keep the state before step {before:,} (network, optimizer, learning rate), start from it and skip the {used:,} "
        "batches used so far: step {before:,} becomes step 1, and step {step:,} becomes step 2. Fix the randomness first (cmp.01), "
        "above all the order of the data.",
        "zh": "保存第 {before:,} 步之前的状态（网络、优化器、学习率），从该状态开始并跳过已用的 {used:,} 个 batch："
        "第 {before:,} 步就成为第 1 步，第 {step:,} 步成为第 2 步。事先应固定随机性（cmp.01），尤其是数据顺序。",
    },
    "move-ours": {"en": "MindSpore: {script}", "zh": "MindSpore：{script}"},
    "move-theirs": {"en": "Benchmark (PyTorch): {script}", "zh": "标杆（PyTorch）：{script}"},
    "at": {"en": "It trains at {place}.", "zh": "训练位于 {place}。"},
    "names-guessed": {
        "en": "Put the script's own names for {names}: they were not found.",
        "zh": "未找到 {names} 在脚本中的变量名，请自行替换。",
    },
    "keep-loop": {
        "en": "Before the training loop; call `keep_state(step)` at the end of each step, counted from 1. Run it up to step {used:,}.",
        "zh": "放在训练循环之前，每步结束时调用 `keep_state(step)`，step 从 1 数起。运行到第 {used:,} 步即可。",
    },
    "keep-model": {
        "en": "Before `{model}.train`; give it `KeepState()` among its callbacks, and dataset_sink_mode=False. Run it up to step "
        "{used:,}.",
        "zh": "放在 `{model}.train` 之前，把 `KeepState()` 加入它的 callbacks，并设 dataset_sink_mode=False。运行到第 {used:,} 步即可。",
    },
    "resume-loop": {
        "en": "In a copy of the script: after network, optimizer and data are made. The loop then runs over `rest` instead of "
        "{data}, for one epoch, and counts from 1.",
        "zh": "在脚本的副本中，放在网络、优化器和数据集创建之后。循环改为遍历 `rest`（原为 {data}），只跑一个 epoch，step 从 1 数起。",
    },
    "resume-model": {
        "en": "In a copy of the script: after `{model}` and the data are made. Train on `rest` instead of {data}, for one epoch, with "
        "dataset_sink_mode=False.",
        "zh": "在脚本的副本中，放在 `{model}` 和数据集创建之后。用 `rest`（原为 {data}）训练一个 epoch，dataset_sink_mode=False。",
    },
    "resume-log": {
        "en": "Record the loss of each step in {log}. It must match the full run: {values}.",
        "zh": "逐步的 loss 存到 {log}。它应重现完整运行中的数值：{values}。",
    },
    "resume-log-plain": {
        "en": "Record the loss of each step in {log}. It must match the full run from step {before:,} on.",
        "zh": "逐步的 loss 存到 {log}。它应重现完整运行中从第 {before:,} 步起的数值。",
    },
    "value": {"en": "step {new} {value:.9g} (was step {old:,})", "zh": "第 {new} 步 {value:.9g}（原第 {old:,} 步）"},
    "and": {"en": ", ", "zh": "，"},
    "or": {"en": "; ", "zh": "；"},
    "outcome": {"en": "Outcome", "zh": "结果说明"},
    "outcome-run": {
        "en": "{command} compares the two. It should say: first loss equal, second differs.",
        "zh": "{command} 对比两边，应得到：第一步一致，第二步不同。",
    },
    "outcome-first": {
        "en": "If step 1 differs from the full run, some of the state was not saved, or the batches differ. A loss scale, a scheduler "
        "and the script's own random generators must be saved too.",
        "zh": "第 1 步与完整运行不同：状态没有保存完整，或 batch 不同。脚本自己的 loss scale、学习率调度器和随机数生成器也要保存。",
    },
    "outcome-weights": {
        "en": "Step 1 agrees, step 2 differs: keep the weights after the first step on both sides (checkpoints.after_step, "
        "checkpoints.reference_after_step) and run cmp.08, whose updated_weights compares them. They differ: gradients or update of "
        "step {before:,}. They agree: the batch or the forward pass of step {step:,}; continue with cmp.04 and cmp.09.",
        "zh": "第 1 步一致、第 2 步不同：两边各保存第一步之后的权重（checkpoints.after_step、checkpoints.reference_after_step），"
        "再运行 cmp.08，由 updated_weights 对比。权重不同，问题在第 {before:,} 步的梯度或更新；权重一致，"
        "问题在第 {step:,} 步的 batch 或正向，继续做 cmp.04 和 cmp.09。",
    },
    "outcome-none": {
        "en": "If both steps now agree, the cause is not in the state: something that counts steps or epochs, a callback, or the data "
        "(the order of a later epoch) is.",
        "zh": "两步都一致：分叉的原因不在这些状态里，而在按步数或 epoch 计数的代码、回调函数或数据（后续 epoch 的顺序）。",
    },
}

_KEEP_LOOP = """\
import os

import mindspore

os.makedirs("{folder}", exist_ok=True)


def keep_state(step):
    if step == {used}:
        mindspore.save_checkpoint({network}, "{folder}/before{before}_network.ckpt")
        mindspore.save_checkpoint({optimizer}, "{folder}/before{before}_optimizer.ckpt")
"""
_RESUME_LOOP = """\
import mindspore

state = mindspore.load_checkpoint("{folder}/before{before}_network.ckpt")
mindspore.load_param_into_net({network}, state, strict_load=True)
state = mindspore.load_checkpoint("{folder}/before{before}_optimizer.ckpt")
mindspore.load_param_into_net({optimizer}, state, strict_load=True)
{again}rest = {data}.repeat(2).skip({used} % {data}.get_dataset_size())
"""
_KEEP_MODEL = """\
import os

import mindspore

os.makedirs("{folder}", exist_ok=True)


class KeepState(mindspore.Callback):
    def on_train_step_end(self, run_context):
        parameters = run_context.original_args()
        if parameters.cur_step_num == {used}:
            mindspore.save_checkpoint(parameters.train_network, "{folder}/before{before}.ckpt")
"""
_RESUME_MODEL = """\
import mindspore

state = mindspore.load_checkpoint("{folder}/before{before}.ckpt")
mindspore.load_param_into_net({model}.train_network, state, strict_load=True)
{again}rest = {data}.repeat(2).skip({used} % {data}.get_dataset_size())
"""
_KEEP_TORCH = """\
import os

import torch

os.makedirs("{folder}", exist_ok=True)


def keep_state(step):
    if step == {used}:
        parts = {parts}
        state = {{name: part.state_dict() for name, part in parts.items()}}
        torch.save(state, "{folder}/before{before}.pth")
"""
_RESUME_TORCH = """\
import itertools

import torch

parts = {parts}
state = torch.load("{folder}/before{before}.pth", map_location="cpu", weights_only=True)
for name, part in parts.items():
    part.load_state_dict(state[name])
{again}rest = itertools.islice(itertools.chain({data}, {data}), {used} % len({data}), None)
"""


def step_of(results: Iterable[ProbeResult]) -> tuple[int, str] | None:
    """The step, counted from 1, at which two trainings parted, and the probe that saw it; None where none did or only epochs are known."""
    found = {result.probe: result for result in results if result.status is Status.DONE}
    for probe, codes in _TELLING.items():
        for finding in found[probe].findings if probe in found else ():
            data = finding.data
            unit, step = data.get("unit"), data.get("step")
            counted = isinstance(unit, dict) and unit.get("en") in ("step", "point")
            if finding.code in codes and counted and isinstance(step, (int, float)) and 0 <= step < 1e12:
                return int(step) + (1 if data.get("begins") == 0 else 0), probe
    return None


def markdown(case: Case, language: Language, step: int | None, found_by: str | None = None) -> str:
    """The plan of a project; `step` counts from 1, None where none is known, and `found_by` is the probe that told it.

    Scripts that cannot be read are told in it; the rest is planned.
    """
    return "\n".join(_Plan(case, language).lines(step, found_by)) + "\n"


class _Plan:
    def __init__(self, case: Case, language: Language) -> None:
        self.case, self.language = case, language
        self.spots, self.ours, self.theirs, self.gaps = _read(case)

    def say(self, key: str, /, **data: Any) -> str:
        return word(WORDS, key, self.language, **data)

    def lines(self, step: int | None, found_by: str | None) -> Iterator[str]:
        yield f"# {self.say('title', name=_plain(self.case.name))}"
        yield from ("", self.say("begin", folder=_code(str(self.case.root))))
        if self.ours is None:
            yield from ("", self.say("unread"))
        if self.gaps:
            paths = [_code(path) for path in self.gaps[:_LINES]] + ["…"] * (len(self.gaps) > _LINES)
            yield from ("", self.say("gaps", paths=", ".join(paths)))
        yield from self.freeing()
        yield from self.moving(step, found_by)

    def freeing(self) -> Iterator[str]:
        from .script.randomness import SUBJECTS

        run, base = self.command("train"), _code(_one(self.case, "curves.train", f"{FOLDER}/fixed.csv"))
        yield from ("", f"## {self.say('free')}", "", self.say("free-why"), "")
        yield f"- [ ] {self.say('free-start', run=run, log=base)}"
        loose = [spot for spot in self.spots if not spot.fixed]
        if loose:
            yield f"  - {self.say('free-not', spots=self.places(loose))}"
        yield from ("", self.say("free-alone"))
        for number, subject in enumerate(SUBJECTS, start=1):
            mine = [spot for spot in self.spots if spot.subject == subject]
            yield from ("", f"### 1.{number} {self.say(subject)}", "")
            if self.ours is not None and not mine:
                yield f"- {self.say('nothing')}"
                continue
            if fixed := [spot for spot in mine if spot.fixed]:
                yield f"- {self.say('fixed-by', spots=self.places(fixed))}"
            log = f"{FOLDER}/free_{subject}.csv"
            yield f"- [ ] {self.say('free-run', how=self.say(f'{subject}-how'), run=run, log=_code(log))}"
            keys = {"curves.train": _one(self.case, "curves.train", f"{FOLDER}/fixed.csv"), "curves.rerun": log}
            yield f"- [ ] {self.say('free-compare', command=self.accucheck('cmp.02', keys))}"
            yield f"- [ ] {self.say('free-outcome', means=self.say(f'{subject}-means'))}"
        yield from ("", f"- [ ] {self.say('free-end')}")

    def moving(self, step: int | None, found_by: str | None) -> Iterator[str]:
        title = self.say("move-no") if step is None else self.say("move", step=step)
        yield from ("", f"## {title}", "")
        if step is None:
            yield self.say("step-unknown", command=_code("accucheck plan --step D"))
            return
        if found_by is not None:
            yield from (self.say("step-found", step=step, probe=_code(found_by)), "")
        if step <= 2:
            yield self.say("step-early", step=step)
            return
        numbers = {"step": step, "before": step - 1, "used": step - 2}
        yield self.say("move-why", **numbers)
        logs = {}
        for key, curve, names in (
            ("ours", "curves.train", self.ours),
            ("theirs", "curves.reference.path", self.theirs),
        ):
            if names is None and key == "theirs" and not self.case.get("curves.reference.path"):
                continue
            logs[curve] = f"{FOLDER}/resumed{'' if key == 'ours' else '_benchmark'}.csv"
            yield from self.side(key, names, numbers, curve, logs[curve])
        if len(logs) == 2:
            yield from ("", f"### {self.say('outcome')}", "")
            yield f"- [ ] {self.say('outcome-run', command=self.accucheck('cmp.08', logs))}"
            for key in ("outcome-first", "outcome-weights", "outcome-none"):
                yield f"  - {self.say(key, **numbers)}"

    def side(self, key: str, names: Names | None, numbers: dict[str, int], curve: str, log: str) -> Iterator[str]:
        """Code and expectations of one of the two trainings."""
        from .script.randomness import Names

        torch, names = key == "theirs", names or Names()
        script = _one(self.case, "benchmark.scripts.train" if torch else "scripts.train", "train.py")
        yield from ("", f"### {self.say(f'move-{key}', script=_code(script))}", "")
        if names.place:
            yield from (self.say("at", place=_code(names.place)), "")
        used = {"network": names.network or "net", "optimizer": names.optimizer or "optimizer"}
        data = names.data or ("loader" if torch else "dataset")
        missing = [used[part] for part in ("network", "optimizer") if not getattr(names, part) and not names.model]
        missing += [data] * (not names.data)
        if missing:
            yield from (self.say("names-guessed", names=", ".join(map(_code, missing))), "")
        plain = re.fullmatch(r"[A-Za-z_]\w*", data)
        kept = {part: used[part] for part in used} | ({"scheduler": names.scheduler} if names.scheduler else {})
        fill = {
            **used,
            **numbers,
            "folder": FOLDER,
            "model": names.model,
            "data": data if plain else "batches",
            "again": "" if plain else f"batches = {data}\n",
            "parts": "{" + ", ".join(f'"{part}": {name}' for part, name in kept.items()) + "}",
        }
        way = "model" if names.model else "loop"
        keep, resume = (
            (_KEEP_TORCH, _RESUME_TORCH)
            if torch
            else (_KEEP_MODEL, _RESUME_MODEL)
            if names.model
            else (_KEEP_LOOP, _RESUME_LOOP)
        )
        yield f"- [ ] {self.say(f'keep-{way}', model=names.model, **numbers)}"
        yield from _fenced(keep.format_map(fill))
        yield f"- [ ] {self.say(f'resume-{way}', model=names.model, data=_code(data))}"
        yield from _fenced(resume.format_map(fill))
        values = self.values(curve, numbers["before"])
        told = self.say("and").join(
            self.say("value", new=new, old=numbers["before"] + new - 1, value=value)
            for new, value in enumerate(values, 1)
        )
        what = {"log": _code(log), **numbers}
        yield f"- [ ] {self.say('resume-log', values=told, **what) if told else self.say('resume-log-plain', **what)}"

    def values(self, key: str, before: int) -> list[float]:
        """The losses of the two steps in the log of the whole run; none where it does not tell both."""
        from .probes import _curves

        try:
            series = _curves.Logs(self.case, key).series("loss") if self.case.get(key) else None
        except ReadError:
            return []
        if series is None or series.unit != "step" or not len(series.x) or series.x[0] not in (0, 1):
            return []
        at = [float(before) - 1 + float(series.x[0]) + more for more in (0, 1)]
        known = dict(zip(series.x.tolist(), series.values.tolist(), strict=True))
        return [known[one] for one in at] if all(one in known for one in at) else []

    def places(self, spots: list[SeedPlace]) -> str:
        """Lines of the scripts with their places, the first of many."""
        shown = [f"{_code(spot.place)} {_code(spot.code)}".rstrip() for spot in spots[:_LINES]]
        return self.say("or").join(shown + [f"… ({len(spots):,})"] * (len(spots) > _LINES))

    def command(self, role: str) -> str:
        script = _one(self.case, f"scripts.{role}", "train.py")
        return _code(shlex.join([_one(self.case, "runtime.python", "python"), script]))

    def accucheck(self, item: str, keys: dict[str, str]) -> str:
        given = [part for key, path in keys.items() for part in ("--set", f"{key}={path}")]
        parts = ["accucheck", "run", "--checklist", "comparison", "--only", item, "--no-session", *given]
        return _code(shlex.join(parts))


def _read(case: Case) -> tuple[list[SeedPlace], Names | None, Names | None, list[str]]:
    """What the scripts tell: lines about randomness, and the names of the first training of each side; and what was not read."""
    from .script import benchmark, randomness, seeding
    from .script.analysis import read_scripts
    from .script.settings import of_scripts

    scripts = read_scripts(case)
    spots: list[SeedPlace] = []
    settings = of_scripts(scripts, None)
    for one in settings:
        spots += randomness.spots(one, seeding.read(one.reading.trace, scripts.sources))
    theirs, gaps = benchmark.training(case)
    ours = randomness.names(settings[0]) if settings else None
    unread = list(dict.fromkeys(gap.path for gap in (*scripts.gaps, *gaps)))
    return spots, ours, randomness.names(theirs[0], torch=True) if theirs else None, unread


def _one(case: Case, key: str, otherwise: str) -> str:
    """The first path of a key as the case gives it."""
    given = case.get(key)
    names = [given] if isinstance(given, (str, Path)) else list(given or [])
    return str(names[0]) if names else otherwise


def _plain(text: str) -> str:
    """A name within Markdown that shows just that name."""
    return re.sub(r"([\\`*_\[\]<>#|~&])", r"\\\1", visible(text))


def _code(text: str) -> str:
    """A code span that shows just that text."""
    text = visible(text).strip()
    if not text:
        return ""
    ticks = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    pad = " " if "`" in (text[0], text[-1]) else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def _fenced(code: str) -> Iterator[str]:
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", code)), default=0))
    yield from ("", f"  {fence}python")
    for line in code.rstrip().splitlines():
        yield f"  {visible(line)}".rstrip()
    yield from (f"  {fence}", "")
