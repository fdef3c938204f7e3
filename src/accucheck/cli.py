"""The command line. stdout is the result, stderr is talk; this module owns the exit codes.

Every command imports what it needs when it runs: start-up is sacred.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from . import __version__
from .language import Language, Words, detect, visible, word

if TYPE_CHECKING:
    from pathlib import Path

    from .errors import UserError
    from .model import Progress
    from .project import Project
    from .session import Session

#: Exit codes of every command.
OK, FOUND, WRONG_USE, PROBE_FAILED, INTERRUPTED = 0, 1, 2, 3, 130

WORDS: Words = {
    "accucheck": {
        "en": "Locate why a MindSpore model does not reach its accuracy. Without a command: the walkthrough.",
        "zh": "定位 MindSpore 模型精度不达标的原因。不带命令时进入逐项检查向导。",
    },
    "project": {
        "en": "The project folder, or its accucheck.yaml (default: here).",
        "zh": "项目目录或其 accucheck.yaml（默认当前目录）。",
    },
    "lang": {"en": "Language.", "zh": "语言。"},
    "json": {"en": "Print JSON.", "zh": "输出 JSON。"},
    "ascii": {"en": "Draw with ASCII characters only.", "zh": "界面仅使用 ASCII 字符。"},
    "version": {"en": "Show the version and exit.", "zh": "显示版本号并退出。"},
    "help": {"en": "Show this text and exit.", "zh": "显示此帮助并退出。"},
    "usage": {"en": "Usage: ", "zh": "用法："},
    "arguments": {"en": "Arguments:", "zh": "参数："},
    "options": {"en": "Options:", "zh": "选项："},
    "commands": {"en": "Commands:", "zh": "命令："},
    "options-metavar": {"en": "[OPTIONS]", "zh": "[选项]"},
    "command-metavar": {"en": "[COMMAND] ...", "zh": "[命令] ..."},
    "error": {"en": "accucheck: {text}", "zh": "accucheck：{text}"},
    "see-help": {"en": "{problem}. See: {command} --help", "zh": "{problem}。参见：{command} --help"},
    "no-such-option": {"en": "there is no option {name}", "zh": "没有选项 {name}"},
    "no-such-command": {"en": "there is no command {name}", "zh": "没有命令 {name}"},
    "did-you-mean": {"en": "{problem} (did you mean {nearest}?)", "zh": "{problem}（是否想写 {nearest}？）"},
    "missing-argument": {"en": "{name} is missing", "zh": "缺少 {name}"},
    "extra-argument": {"en": "one argument too many: {name}", "zh": "多余的参数：{name}"},
    "needs-value": {"en": "{name} needs a value", "zh": "{name} 需要一个值"},
    "takes-no-value": {"en": "{name} takes no value", "zh": "{name} 不接受值"},
    "bad-value": {"en": "{name}: {problem}", "zh": "{name}：{problem}"},
    "one-of": {"en": "give one of {choices}", "zh": "只能是 {choices} 之一"},
    "whole-number": {"en": "give a whole number from {min} to {max}", "zh": "应为 {min} 到 {max} 之间的整数"},
    "number": {"en": "give a number, at least {min}", "zh": "应为不小于 {min} 的数值"},
    "only-alone": {
        "en": "{name} before a command has no effect: give it after {command}",
        "zh": "{name} 写在命令之前不起作用，请写在 {command} 之后",
    },
    "standard-output": {"en": "standard output", "zh": "标准输出"},
    "interrupted": {"en": "interrupted; what was recorded is kept", "zh": "已中断，已记录的内容均已保留"},
    "internal": {
        "en": "an error inside accucheck ({problem}). What was saved is intact. Details for an issue: {path}",
        "zh": "accucheck 内部错误（{problem}）。已保存的内容完好。提交 issue 时请附上：{path}",
    },
    "nowhere": {"en": "(they could not be written)", "zh": "（无法写出）"},
    "no-terminal": {
        "en": "the walkthrough needs a terminal ({why}); without one use: accucheck run",
        "zh": "向导需要终端（{why}）；没有终端时请使用：accucheck run",
    },
    "not-a-tty": {"en": "standard input or output is none", "zh": "标准输入或输出不是终端"},
    "no-utf8": {
        "en": "the locale's encoding is not UTF-8, so some characters may look wrong; try LC_ALL=C.UTF-8 or --ascii",
        "zh": "当前 locale 编码不是 UTF-8，部分字符可能显示异常；可设置 LC_ALL=C.UTF-8 或使用 --ascii",
    },
    # run
    "run": {"en": "Run the probes and print what they suggest.", "zh": "运行探针并输出建议结论。"},
    "script": {
        "en": "A script to examine; its role is detected. Repeatable.",
        "zh": "要检查的脚本，角色自动识别，可重复。",
    },
    "kind": {"en": "Only probes of this kind. Repeatable.", "zh": "仅运行该类探针，可重复。"},
    "live": {"en": "Allow live probes to run the project's own code.", "zh": "允许在线探针运行项目自身的代码。"},
    "checklist": {
        "en": "A shipped checklist, or a YAML file. Repeatable.",
        "zh": "内置 checklist 的名称或 YAML 文件，可重复。",
    },
    "only": {"en": "Only this item. Repeatable.", "zh": "仅检查该项，可重复。"},
    "set": {
        "en": "Override a key of the case, KEY=VALUE. Repeatable.",
        "zh": "覆盖检查对象的某个键，KEY=VALUE，可重复。",
    },
    "jobs": {"en": "Probes at a time.", "zh": "同时运行的探针数。"},
    "timeout": {"en": "Seconds each probe may take.", "zh": "每个探针的时限（秒）。"},
    "fail-on": {"en": "What makes the exit code 1.", "zh": "何种结果使退出码为 1。"},
    "exit-zero": {
        "en": "Exit with 0 even when problems are found or a probe failed.",
        "zh": "即使发现问题或探针失败也以 0 退出。",
    },
    "format": {"en": "Format of the output.", "zh": "输出格式。"},
    "no-session": {"en": "Do not record into the project's session.", "zh": "不写入项目的会话。"},
    "locked": {
        "en": "not recorded: the session is open in another accucheck ({holder})",
        "zh": "结果未记录：会话已在另一个 accucheck 中打开（{holder}）",
    },
    "unwritable": {
        "en": "{text} To run without recording: --no-session",
        "zh": "{text} 如不需记录，可加 --no-session",
    },
    # fix
    "fix": {
        "en": "Print the changes that mend what static probes found, as one patch for git apply. Edits nothing.",
        "zh": "将静态探针所发现问题的修改合并为一个补丁输出，供 git apply 使用；不改动任何文件。",
    },
    "fix-made": {
        "en": "findings that the patch mends: {mended:,} (files: {files:,}). Read it, then apply it in {folder}: git apply",
        "zh": "补丁可修正 {mended:,} 处发现，涉及 {files:,} 个文件。请先审阅，再在 {folder} 中用 git apply 应用",
    },
    "fix-nothing": {"en": "nothing to mend was found", "zh": "没有发现需要修改之处"},
    "fix-no-probe": {"en": "no static probe examines what was asked for", "zh": "所选范围内没有可运行的静态探针"},
    "fix-by-hand": {"en": "not in the patch, to be looked at by hand:", "zh": "未纳入补丁，需人工处理："},
    "fix-meant": {"en": "may well be intended, so not in the patch:", "zh": "可能是有意为之，未纳入补丁："},
    "fix-overlap": {
        "en": "not in the patch, as it changes the same lines otherwise; apply it, then run accucheck fix again:",
        "zh": "与补丁中其他修改涉及相同的行，未纳入补丁；应用补丁后请再次运行 accucheck fix：",
    },
    "fix-misfit": {
        "en": "not in the patch, as the probe's diff does not fit the file:",
        "zh": "探针给出的 diff 与文件内容不符，未纳入补丁：",
    },
    "fix-settled": {
        "en": "left out, as a person concluded that these are in order: {items} (--item ITEM takes one in)",
        "zh": "以下各项已由人工判定无需处理，未纳入：{items}（如需纳入，请用 --item 指定）",
    },
    "fix-undecided": {
        "en": "places that could not be decided: {count:,}; accucheck run names them",
        "zh": "另有 {count:,} 处未能判定，可用 accucheck run 查看",
    },
    # compare
    "compare": {
        "en": "Compare two checkpoints, two folders of .npy or dumps, or two logs. Exit code 0: the same, 1: not.",
        "zh": "比较两个 checkpoint、两个 .npy 或 dump 目录，或两份日志。退出码 0 表示一致，1 表示不一致。",
    },
    "compare-left": {"en": "What is examined.", "zh": "要检查的一份。"},
    "compare-right": {"en": "What it is compared with.", "zh": "作为参照的一份。"},
    "rtol": {
        "en": "How far each number may be off, relative to the second's (default: by type).",
        "zh": "每个数值允许的相对误差，以后者为准（默认按数据类型）。",
    },
    "atol": {
        "en": "How far each number may be off in itself (default: by type).",
        "zh": "每个数值允许的绝对误差（默认按数据类型）。",
    },
    "map": {
        "en": "A YAML file with a name of the first and its name in the second a line.",
        "zh": "名称对照文件（YAML），每行写前者中的名称及其在后者中的名称。",
    },
    "show-all": {"en": "Show all pairs, also those that agree.", "zh": "显示全部配对，包括一致的。"},
    # convert
    "convert": {
        "en": "Write weights of one framework as a .ckpt or .safetensors of the other. Exit code 0: all of it, 1: not.",
        "zh": "把一个框架的权重写成另一个框架的 .ckpt 或 .safetensors。退出码 0 表示全部写入，1 表示有遗漏。",
    },
    "convert-reference": {
        "en": "The checkpoint to convert (.pth, .pt, .bin, .safetensors, .ckpt, or a folder of its parts).",
        "zh": "要转换的 checkpoint（.pth、.pt、.bin、.safetensors、.ckpt，或由多个分片组成的目录）。",
    },
    "convert-output": {"en": "The .ckpt or .safetensors to write.", "zh": "要写入的 .ckpt 或 .safetensors。"},
    "convert-to": {
        "en": "Names and shapes as this framework's layers have them, where there is no --like (default: the other one).",
        "zh": "没有 --like 时，按该框架各层的习惯命名和取形状（默认为另一框架）。",
    },
    "like": {
        "en": "A checkpoint of the network that is to load the result: its names and shapes are taken.",
        "zh": "将要加载结果的网络的 checkpoint：以其名称和形状为准。",
    },
    "convert-map": {
        "en": "A YAML file that says which parameter is which (--write-map makes one).",
        "zh": "写明参数对应关系的 YAML 文件（可由 --write-map 生成）。",
    },
    "write-map": {
        "en": "Write the pairs that were found to this file, to be edited.",
        "zh": "把找到的对应关系写到该文件，供修改。",
    },
    "convert-rows": {"en": "Show all parameters.", "zh": "显示全部参数。"},
    "convert-force": {"en": "Replace files that exist.", "zh": "文件已存在时覆盖。"},
    "needs-like": {"en": "{name} needs --like.", "zh": "{name} 需要与 --like 同用。"},
    "to-or-like": {
        "en": "--like says where to, so that --to is not needed.",
        "zh": "--like 已经确定了目标，不能再用 --to。",
    },
    # report and the rest
    "report": {"en": "Write the report.", "zh": "生成报告。"},
    "report-format": {
        "en": "Format to write. Repeatable (default: md and docx).",
        "zh": "报告格式，可重复（默认 md 和 docx）。",
    },
    "output": {"en": "Folder to write to.", "zh": "输出目录。"},
    "list": {"en": "List the items and their probes.", "zh": "列出检查项及其探针。"},
    "no-probe": {"en": "(no probe yet)", "zh": "（暂无探针）"},
    "explain": {
        "en": "Explain an item: how to check, what conclusions mean, how to mend.",
        "zh": "说明检查项：检查方法、结论含义与处理建议。",
    },
    "item": {"en": "The item's id, for instance ds.01.", "zh": "检查项编号，如 ds.01。"},
    "method": {"en": "How to check", "zh": "检查方法"},
    "conclusions": {"en": "Conclusions", "zh": "检查结论"},
    "problem": {"en": "problem", "zh": "发现问题"},
    "ok": {"en": "no problem", "zh": "无问题"},
    "not_applicable": {"en": "not applicable", "zh": "不涉及"},
    "undecided": {"en": "undecided", "zh": "未能判定"},
    "open": {"en": "not concluded", "zh": "未填写"},
    "remedy": {"en": "How to mend", "zh": "处理建议"},
    "applies": {"en": "When it applies", "zh": "适用范围"},
    "probes": {"en": "Probes", "zh": "探针"},
    "references": {"en": "References", "zh": "参考资料"},
    "parameter": {"en": "{name} = {default}  {description}", "zh": "{name} = {default}  {description}"},
    "answer": {"en": "Record a conclusion.", "zh": "记录一项的检查结论。"},
    "conclusion": {
        "en": "problem, ok or not_applicable.",
        "zh": "problem（发现问题）、ok（无问题）或 not_applicable（不涉及）。",
    },
    "note": {"en": "A note to the conclusion.", "zh": "结论备注。"},
    "as": {"en": "Who concludes (default: the user's name).", "zh": "结论填写人（默认当前用户）。"},
    "attach": {
        "en": "A screenshot or file that goes into the report. Repeatable.",
        "zh": "随报告附上的截图或文件，可重复。",
    },
    "answered": {"en": "{item}: {conclusion}", "zh": "{item}：{conclusion}"},
    "status": {"en": "Show what is concluded and what is open.", "zh": "显示检查进度。"},
    "status-counts": {
        "en": "{done} of {total} concluded: {problem} problem, {ok} no problem, {not_applicable} not applicable",
        "zh": "已填写 {done}/{total}：发现问题 {problem}，无问题 {ok}，不涉及 {not_applicable}",
    },
    "path": {
        "en": "Show where one stands on the path of a checklist, what to collect next, and the code that does.",
        "zh": "显示在定位路径上的当前位置、接下来要采集的数据及采集代码。",
    },
    "path-output": {
        "en": "Write the code that collects what is lacking into this folder, a file for each framework.",
        "zh": "将尚缺数据的采集代码写入该目录，每个框架一个文件。",
    },
    "plan": {
        "en": "Plan experiments for this project, as a checklist in Markdown: letting go of fixed randomness one by one, moving a "
        "difference at step D to step 2.",
        "zh": "生成本项目的实验计划（Markdown 检查清单）：逐项放开固定的随机性，以及把第 D 步的问题提前到第 2 步。",
    },
    "plan-step": {
        "en": "The step, counted from 1, at which the losses part (default: what cmp.08 or cmp.02 found).",
        "zh": "loss 分叉的步，从 1 数起（默认取 cmp.08 或 cmp.02 的检查结果）。",
    },
    "plan-output": {
        "en": "The Markdown file to write (default: standard output).",
        "zh": "写出的 Markdown 文件（默认输出到标准输出）。",
    },
    "path-write": {
        "en": "Name in accucheck.yaml what the code wrote; what stands there is kept. Asks first on a terminal.",
        "zh": "将采集代码写出的数据填入 accucheck.yaml，已有内容保持不变；在终端中会先询问。",
    },
    "path-write-sure": {"en": "Write these keys into {path}?", "zh": "将以上各键写入 {path}？"},
    "path-write-none": {
        "en": "nothing to name: no snippet has written anything that accucheck.yaml does not name yet",
        "zh": "没有可填入的数据：采集代码尚未写出 accucheck.yaml 中缺少的数据",
    },
    "path-nothing": {
        "en": "nothing to collect here: what this step lives on is there",
        "zh": "本步所需的输入均已具备，无需采集",
    },
    "collect": {"en": "What to collect", "zh": "需要采集的数据"},
    "ways": {"en": "Where it leads", "zh": "结果与去向"},
    "suggested": {"en": "suggested: {verdict}", "zh": "建议：{verdict}"},
    "stale": {"en": "stale", "zh": "已过期"},
    "init": {"en": "Propose an accucheck.yaml from what the project holds.", "zh": "根据项目内容生成 accucheck.yaml。"},
    "print": {"en": "Print it instead of writing it.", "zh": "仅输出，不写入文件。"},
    "init-exists": {
        "en": "{path} exists and was left as it is. Edit it, or use --print.",
        "zh": "{path} 已存在，未作改动。请直接编辑，或使用 --print。",
    },
    "init-nothing": {
        "en": "nothing was recognised in {path}: no training script, data folder, checkpoint or log. See the keys in the user guide.",
        "zh": "未能在 {path} 中识别出训练脚本、数据目录、权重或日志。可用的键见用户指南。",
    },
    "manifest": {
        "en": "MD5 of every file of a folder: write it, or verify against a reference.",
        "zh": "计算目录中每个文件的 MD5：写出清单，或与参考清单比对。",
    },
    "folder": {"en": "The folder to hash.", "zh": "要计算的目录。"},
    "manifest-output": {
        "en": "Where to write the manifest (default: standard output).",
        "zh": "清单写入位置（默认标准输出）。",
    },
    "manifest-check": {
        "en": "Compare with this manifest, md5sum or hashdeep file, or folder.",
        "zh": "与该清单、md5sum/hashdeep 文件或目录比对。",
    },
    "scheduler": {
        "en": "Have the workers of this Dask cluster read the files (tcp://host:8786).",
        "zh": "由该 Dask 集群的 worker 读取文件（tcp://host:8786）。",
    },
    "manifest-scheduler": {
        "en": "Have each host of this Dask cluster hash its own DIR, and compare them (tcp://host:8786).",
        "zh": "由该 Dask 集群的每台主机计算各自的目录并互相比对（tcp://host:8786）。",
    },
    "scheduler-alone": {
        "en": "--scheduler takes --check, --full and --json, no other option.",
        "zh": "--scheduler 只能与 --check、--full、--json 同用。",
    },
    "manifest-format": {
        "en": "Format on standard output (json: the manifest itself).",
        "zh": "标准输出的格式（json 为清单本身）。",
    },
    "manifest-opened": {
        "en": "Run the command after -- and list in FILE which files of DIR were opened meanwhile.",
        "zh": "运行 -- 之后的命令，并把其间 DIR 中被打开的文件列入 FILE。",
    },
    "opened-alone": {
        "en": "--opened takes a folder and, after --, a command, without other options.",
        "zh": "--opened 只接受一个目录和 -- 之后的命令，不能与其他选项同用。",
    },
    "manifest-compare": {
        "en": "Compare the manifests of several machines with each other; they stand in place of DIR.",
        "zh": "互相比对多台机器的清单；此时用各份清单代替 DIR。",
    },
    "compare-alone": {
        "en": "--compare takes manifests only, without --output, --check and --full.",
        "zh": "--compare 只接受清单，不能与 --output、--check、--full 同用。",
    },
    "one-folder": {
        "en": "One folder at a time; --compare takes several manifests.",
        "zh": "每次只能计算一个目录；要比对多份清单请用 --compare。",
    },
    "full": {
        "en": "Hash every file, even when size and time are unchanged.",
        "zh": "重新计算所有文件，即使大小和时间未变。",
    },
    "labels": {
        "en": "Draw samples of the labels for a person to look at, write them as contact sheets, read marks back.",
        "zh": "抽取带标签样本供人工查看：生成图片总览和标注表，读回标注，统计错误率。",
    },
    "sheet": {
        "en": "Write contact sheets (PNG) and a table to mark (CSV) into this folder.",
        "zh": "将样本总览图（PNG）和标注表（CSV）写入该目录。",
    },
    "read": {"en": "Read the marks of this table.", "zh": "读回该表中的标注。"},
    "role": {"en": "Which data.", "zh": "哪一部分数据。"},
    "seed": {"en": "Seed of the drawing (default: 0).", "zh": "抽样的随机种子（默认 0）。"},
    "count": {
        "en": "How many samples to draw (default: 50); of up to 20 labels each is drawn once at least.",
        "zh": "抽取的样本数（默认 50）；标签在 20 种以内时每种至少一个。",
    },
    "redraw": {
        "en": "Draw again; marks of samples that stay are kept, the old ones put aside.",
        "zh": "重新抽样；仍在样本中的标注会保留，原有标注另存备份。",
    },
    "marked-by": {"en": "Who marked (default: the user's name).", "zh": "标注人（默认当前用户）。"},
    "labels-plan": {
        "en": "{role} data: {samples:,} samples from {strata:,} of {labels:,} labels ({labelled:,} labelled samples, {missing:,} without "
        "a label), seed {seed}",
        "zh": "{role}数据：从 {labels:,} 种标签中的 {strata:,} 种抽取 {samples:,} 个样本（带标签 {labelled:,} 个，无标签 {missing:,} 个），"
        "随机种子 {seed}",
    },
    "labels-left": {
        "en": "not marked: {left:,}. Mark them in the walkthrough (s on ds.02), or with --sheet DIR and --read CSV",
        "zh": "未标注：{left:,}。请在向导中标注（对 ds.02 按 s），或使用 --sheet DIR 与 --read CSV",
    },
    "labels-rate": {
        "en": "wrong: {wrong:,} of {looked:,} = {share:.1%}, 95 % interval {low:.1%} to {high:.1%} (Wilson); weighted by label: "
        "{weighted}; unsure: {unsure:,}",
        "zh": "有误：{wrong:,}/{looked:,} = {share:.1%}，95% 区间 {low:.1%} 至 {high:.1%}（Wilson）；"
        "按标签加权：{weighted}；不确定：{unsure:,}",
    },
    "labels-none": {
        "en": "no error found among {looked:,}; the true rate is most likely below {high:.1%} (95 %, Wilson); unsure: {unsure:,}",
        "zh": "{looked:,} 个样本中未发现错误，真实错误率大概率低于 {high:.1%}（95%，Wilson）；不确定：{unsure:,}",
    },
    "labels-read": {"en": "marks read: {count:,}", "zh": "已读入标注：{count:,}"},
    "labels-aside": {"en": "the old marks are kept in {path}", "zh": "原有标注已另存为 {path}"},
    "labels-font": {
        "en": "no font with Chinese characters was found: labels that need one stand on the sheets as codes; the table has them in full",
        "zh": "未找到中文字体：总览图上的相应标签以编码显示，表格中为原文",
    },
    "lr-range": {
        "en": "Run a learning rate range test on the project's network: which rates train it, and is the current one among them?",
        "zh": "在项目的网络上做学习率范围实验：得出合适的学习率上下限，并检查当前学习率是否在其中。",
    },
    "lr-range-live": {
        "en": "Agree that the project's own code is run and its network trained.",
        "zh": "同意运行项目自身的代码并训练其网络。",
    },
    "from": {"en": "The first learning rate (default: 1e-7).", "zh": "起始学习率（默认 1e-7）。"},
    "to": {"en": "The last learning rate (default: 1).", "zh": "最终学习率（默认 1）。"},
    "steps": {
        "en": "Steps to train (default: 8 epochs, but at least 400 and at most 2000).",
        "zh": "训练步数（默认 8 个 epoch，且不少于 400 步、不多于 2000 步）。",
    },
    "scale": {
        "en": "Whether the rate rises by a factor or by an amount each step.",
        "zh": "学习率每步按倍数（exponential）还是按等量（linear）增大。",
    },
    "lr-range-output": {
        "en": "The CSV to write (default: what curves.lr_test names, else logs/lr_range.csv in the project).",
        "zh": "写出的 CSV 文件（默认为 curves.lr_test 所指文件，否则为项目中的 logs/lr_range.csv）。",
    },
    "force": {"en": "Replace that file where it exists.", "zh": "文件已存在时覆盖。"},
    "train": {"en": "training", "zh": "训练"},
    "eval": {"en": "evaluation", "zh": "评估"},
    "validate": {"en": "Check accucheck.yaml and checklist files.", "zh": "检查 accucheck.yaml 与 checklist 文件。"},
    "valid": {"en": "{path}: valid", "zh": "{path}：有效"},
    "valid-missing": {"en": "{key}: {path} does not exist", "zh": "{key}：{path} 不存在"},
    "no-case-file": {
        "en": "{path} has no accucheck.yaml; accucheck init proposes one",
        "zh": "{path} 中没有 accucheck.yaml；可用 accucheck init 生成",
    },
    "doctor": {"en": "Show the environment, to paste into an issue.", "zh": "显示运行环境，便于粘贴到 issue。"},
}

F = TypeVar("F", bound=Callable[..., Any])


def _language_of(arguments: list[str]) -> str | None:
    """--lang, wherever it stands: help texts are needed before the arguments are parsed."""
    for index, argument in enumerate(arguments):
        if argument.startswith("--lang="):
            return argument[7:]
        if argument == "--lang" and index + 1 < len(arguments):
            return arguments[index + 1]
    return None


LANGUAGE: Language = detect(_language_of(sys.argv[1:]))


def say(key: str, /, **data: Any) -> str:
    return word(WORDS, key, LANGUAGE, **data)


def talk(text: str) -> None:
    """One message to stderr, untrusted parts made visible."""
    click.echo(say("error", text=visible(text)), err=True)


def show(text: str) -> None:
    """One line to stdout, untrusted parts made visible."""
    click.echo(visible(text))


def show_json(value: Any) -> None:
    """A value as JSON to stdout, nothing in it that a terminal would obey."""
    import msgspec

    from .report.machine import encode

    sys.stdout.buffer.write(encode(msgspec.to_builtins(value)))


def _section(formatter: click.HelpFormatter, title: str, rows: list[tuple[str, str]]) -> None:
    if rows:
        formatter.write(f"\n{say(title)}\n")
        with formatter.indentation():
            formatter.write_dl(rows)


class _Command(click.Command):
    """A command whose frame speaks the language too."""

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage(ctx.command_path, " ".join(self.collect_usage_pieces(ctx)), prefix=say("usage"))

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        option = super().get_help_option(ctx)
        if option is not None:
            option.help = say("help")
        return option

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        parameters = self.get_params(ctx)
        arguments = [parameter.row for parameter in parameters if isinstance(parameter, _Argument)]
        records = [parameter.get_help_record(ctx) for parameter in parameters if isinstance(parameter, click.Option)]
        _section(formatter, "arguments", arguments)
        _section(formatter, "options", [record for record in records if record])

    def invoke(self, ctx: click.Context) -> Any:
        if ctx.args:
            raise click.UsageError(say("extra-argument", name=ctx.args[0]), ctx)
        return super().invoke(ctx)


class _Argument(click.Argument):
    """A click argument whose help is a key of WORDS."""

    def __init__(self, name: str, *, words: str, metavar: str, **settings: Any) -> None:
        super().__init__([name], metavar=metavar, **settings)
        self.row = (metavar, say(words))


def option(*names: str, words: str, **settings: Any) -> click.Option:
    """A click option whose help is a key of WORDS."""
    return click.Option(names, help=say(words), **settings)


def _lang() -> click.Option:
    choice = click.Choice(["zh", "en"])
    return option("--lang", words="lang", type=choice, expose_value=False, metavar="[zh|en]")


def _json() -> click.Option:
    return option("--json", "as_json", words="json", is_flag=True)


def _checklists() -> click.Option:
    return option("--checklist", "checklists", words="checklist", multiple=True, metavar="NAME")


def _set() -> click.Option:
    return option("--set", "settings", words="set", multiple=True, metavar="KEY=VALUE")


def _project() -> click.Argument:
    return _Argument("project", words="project", metavar="[PROJECT]", default=".")


def _project_option() -> click.Option:
    return option("--project", "-p", words="project", default=".", metavar="PATH")


#: name -> (what it runs, its parameters); made into a click command only when it is asked for.
COMMANDS: dict[str, tuple[Callable[..., Any], Callable[[], list[click.Parameter]]]] = {}


def command(name: str, parameters: Callable[[], list[click.Parameter]]) -> Callable[[F], F]:
    """Register a subcommand; its help is the key of WORDS that has its name."""

    def register(function: F) -> F:
        COMMANDS[name] = (function, parameters)
        return function

    return register


class _Group(click.Group, _Command):
    """The commands of COMMANDS, built one at a time: building all of them would double the start-up."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        function, parameters = COMMANDS[cmd_name]
        return _Command(
            cmd_name,
            callback=function,
            params=[*parameters(), _lang()],
            help=say(cmd_name),
            options_metavar=say("options-metavar"),
            context_settings={"allow_extra_args": True},  # _Command says in both languages that there are too many
        )

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return click.Group.invoke(self, ctx)
        except BrokenPipeError:  # the reader of our output left, as `head` does; click would end with 1, our "found"
            _discard_output()

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMANDS:
            problem = say("no-such-command", name=args[0])
            raise click.UsageError(_with_nearest(problem, args[0], list(COMMANDS)), ctx)
        return super().resolve_command(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        _Command.format_options(self, ctx, formatter)
        _section(formatter, "commands", [(name, say(name)) for name in COMMANDS])


def _with_nearest(problem: str, name: str, known: list[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, known, n=1)
    return say("did-you-mean", problem=problem, nearest=close[0]) if close else problem


def root() -> click.Group:
    """The whole command line."""
    version = click.Option(
        ["--version"], is_flag=True, is_eager=True, expose_value=False, callback=_show_version, help=say("version")
    )
    only_ascii = option("--ascii", "only_ascii", words="ascii", is_flag=True)
    parameters = [_project_option(), only_ascii, _checklists(), _set(), _lang(), version]
    return _Group(
        "accucheck",
        callback=_start,
        params=parameters,
        invoke_without_command=True,
        help=say("accucheck"),
        options_metavar=say("options-metavar"),
        subcommand_metavar=say("command-metavar"),
        context_settings={"terminal_width": _width()},
    )


def _width() -> int:
    """Columns for help texts. Asked of the terminal here: click would import shutil for it, a tenth of the start-up."""
    try:
        return min(os.get_terminal_size(1).columns - 2, 100)
    except OSError:
        return 78


def _show_version(context: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        click.echo(f"accucheck {__version__}")
        context.exit()


@click.pass_context
def _start(
    context: click.Context, project: str, only_ascii: bool, checklists: tuple[str, ...], settings: tuple[str, ...]
) -> None:
    if context.invoked_subcommand is None:
        walkthrough(project, checklists, settings, only_ascii)
    # What stands before a command is the walkthrough's: to ignore it would examine the wrong project.
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if parameter.expose_value and source is click.core.ParameterSource.COMMANDLINE:
            name, command = parameter.opts[0], f"accucheck {context.invoked_subcommand}"
            raise click.UsageError(say("only-alone", name=name, command=command), context)


def walkthrough(project: str, checklists: tuple[str, ...], settings: tuple[str, ...], only_ascii: bool) -> None:
    """Open the walkthrough, or say in one line why it cannot be opened."""
    from pathlib import Path

    why = None
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        why = say("not-a-tty")
    elif os.environ.get("TERM", "dumb") == "dumb":
        why = "TERM=dumb"
    if why:
        talk(say("no-terminal", why=why))
        raise SystemExit(WRONG_USE)
    if "utf" not in (sys.stdout.encoding or "").lower():
        talk(say("no-utf8"))
    from .tui.app import run as run_app

    raise SystemExit(run_app(Path(project), checklists, settings, _language_of(sys.argv[1:]), only_ascii=only_ascii))


# --- run --------------------------------------------------------------------------------------------------------------


def _no_nan(context: click.Context, parameter: click.Parameter, value: float | None) -> float | None:
    if value is not None and value != value:  # NaN lies in every range
        raise click.BadParameter("nan", context, parameter)
    return value


@command(
    "run",
    lambda: [
        _project(),
        option("--script", "scripts", words="script", multiple=True, metavar="PATH"),
        option("--kind", "kinds", words="kind", multiple=True, type=click.Choice(["static", "file", "live"])),
        option("--live", words="live", is_flag=True),
        _checklists(),
        option("--only", words="only", multiple=True, metavar="ITEM"),
        _set(),
        option("--jobs", words="jobs", type=click.IntRange(1, 64), default=1, metavar="N"),
        option("--scheduler", words="scheduler", default=None, metavar="ADDRESS"),
        option(
            "--timeout",
            words="timeout",
            type=click.FloatRange(min=0.1),
            default=None,
            metavar="N",
            callback=_no_nan,
        ),
        option(
            "--fail-on",
            words="fail-on",
            type=click.Choice(["problem", "suspect", "undecided", "unanswered"]),
            default="problem",
        ),
        option("--exit-zero", words="exit-zero", is_flag=True),
        option("--no-session", words="no-session", is_flag=True),
        option("--format", "form", words="format", type=click.Choice(["text", "json"]), default="text"),
        _json(),
    ],
)
def run_(
    project: str,
    scripts: tuple[str, ...],
    kinds: tuple[str, ...],
    live: bool,
    checklists: tuple[str, ...],
    only: tuple[str, ...],
    settings: tuple[str, ...],
    jobs: int,
    scheduler: str | None,
    timeout: float | None,
    fail_on: str,
    exit_zero: bool,
    no_session: bool,
    form: str,
    as_json: bool,
) -> None:
    from pathlib import Path

    from .errors import SaveError
    from .model import Kind
    from .project import open_project

    opened, unsaved = None, None
    results: list[tuple[str, Any]] = []
    try:
        settings = (*settings, *_script_settings(Path(project), scripts))
        opened = open_project(Path(project), checklists, settings, session="none" if no_session else "write")
        _speak(opened)
        if opened.session is not None:
            _talk_of(opened.session)
            if opened.session.read_only:
                talk(say("locked", holder=opened.session.holder))
        todo = opened.jobs(only, {Kind(kind) for kind in kinds})
        _run_with_progress(opened, todo, results, live=live, timeout=timeout, parallel=jobs, scheduler=scheduler)
    except SaveError as error:
        unsaved = say("unwritable", text=error.text(LANGUAGE))
    finally:
        if opened is not None and opened.session is not None:
            opened.session.close()
    if opened is not None:
        outcome = _print_outcome(opened, results, only, as_json=as_json or form == "json")
    if unsaved is not None:
        talk(unsaved)
        raise SystemExit(WRONG_USE)
    raise SystemExit(OK if exit_zero else _exit_code(outcome, fail_on))


def _print_outcome(
    project: Project, results: list[tuple[str, Any]], only: tuple[str, ...], *, as_json: bool
) -> dict[str, Any]:
    """Print what a run gave; returns it as others read it."""
    from .report import machine
    from .report.build import build

    record, chosen = project.outcome(results, only)
    outcome = machine.result_json(record, chosen, project.case, LANGUAGE)
    try:
        if as_json:
            show_json(outcome)
        else:
            for line in machine.summary_text(build(record, chosen, project.case, LANGUAGE, None)):
                show(line)
        sys.stdout.flush()
    except BrokenPipeError:  # `| head` must not turn a problem found into success
        _discard_output()
    return outcome


def _talk_of(session: Session) -> None:
    """Say what is wrong with the session's file."""
    if session.notice is not None:
        talk(_notice(session).text(LANGUAGE))


def _notice(session: Session) -> UserError:
    """The session's notice; one that was only read has moved nothing aside."""
    from .errors import UserError

    notice = session.notice
    assert notice is not None
    if session.read_only and notice.code == "session-corrupt":
        return UserError("session-unreadable", **notice.data)
    return notice


def _exit_code(outcome: dict[str, Any], fail_on: str) -> int:
    """0 nothing, 1 what `fail_on` names or worse was found, 3 a probe failed. A skipped probe never counts."""
    findings = [f for item in outcome["items"] for result in item["results"] for f in result["findings"]]
    suggestions = [item["suggestion"] for item in outcome["items"] if item["results"]]
    grades = {
        "problem": any(finding["level"] == "problem" for finding in findings) or "problem" in suggestions,
        "suspect": any(finding["level"] == "suspect" for finding in findings),
        "undecided": any(
            item["suggestion"] == "undecided" and any(r["status"] != "skipped" for r in item["results"])
            for item in outcome["items"]
        ),
        "unanswered": any(item["conclusion"] is None for item in outcome["items"]),
    }
    for grade, found in grades.items():
        if found:
            return FOUND
        if grade == fail_on:
            break
    return PROBE_FAILED if outcome["summary"]["probes"]["failed"] else OK


def _script_settings(project: Path, scripts: tuple[str, ...]) -> list[str]:
    """--script PATH as --set scripts.<role>=[...], by the role of each."""
    import json
    from pathlib import Path

    from .case import require_utf8, script_role
    from .errors import UserError
    from .script.training import role as spoken

    folder = project if project.is_dir() else project.parent
    roles: dict[str, list[str]] = {}
    for script in scripts:
        path = Path(script) if Path(script).exists() else folder / script
        _require_file(path, script)
        role = script_role(path, named=True)
        if role is None and path.suffix in (".py", ".ipynb") and path.stat().st_size:
            role = spoken([path.stem]) or "train"  # a script that leaves everything to other modules most likely trains
        if role is None:
            raise UserError("script-role", path=script)
        require_utf8(str(path.resolve()))
        roles.setdefault(role, []).append(str(path.resolve()))
    return [f"scripts.{role}={json.dumps(paths, ensure_ascii=False)}" for role, paths in roles.items()]


def _require_file(path: Path, name: str) -> None:
    """Raise ReadError, about `name`, unless `path` is a regular file."""
    from .errors import ReadError

    if not path.is_file():
        code = "is-directory" if path.is_dir() else "not-regular" if path.exists() else "not-found"
        raise ReadError(code, path=name)


def _run_with_progress(project: Project, jobs: list[Any], results: list[tuple[str, Any]], **options: Any) -> None:
    """Run the jobs and append (item, result) pairs, saying on a terminal what is going on."""
    from contextlib import closing

    from .engine import Finished, Progressed, Started

    with _status_line() as show, closing(project.run(jobs, **options)) as events:  # type: ignore[type-var]
        for event in events:
            if isinstance(event, (Started, Progressed)):
                job = event.job
                amount = _amount(event.progress) if isinstance(event, Progressed) else ""
                show(f"{len(results)}/{len(jobs)} {job.item} {job.probe} {amount}")
            if isinstance(event, Finished):
                results.append((event.job.item, event.result))


@contextmanager
def _status_line() -> Iterator[Callable[[str], None]]:
    """A function that shows one line on stderr in the place of the last; nothing where stderr is no terminal."""
    terminal = sys.stderr.isatty()

    def show(text: str) -> None:
        if terminal:
            click.echo(f"\r\x1b[2K{visible(text)[:78]}", nl=False, err=True)

    try:
        yield show
    finally:
        if terminal:
            click.echo("\r\x1b[2K", nl=False, err=True)


def _amount(progress: Progress) -> str:
    of = f"/{progress.total:,}" if progress.total else ""
    return f"{progress.done:,}{of} {progress.unit}"


# --- fix --------------------------------------------------------------------------------------------------------------


@command(
    "fix",
    lambda: [
        _project(),
        option("--script", "scripts", words="script", multiple=True, metavar="PATH"),
        _checklists(),
        option("--item", "--only", "items", words="only", multiple=True, metavar="ITEM"),
        _set(),
    ],
)
def fix(
    project: str,
    scripts: tuple[str, ...],
    checklists: tuple[str, ...],
    items: tuple[str, ...],
    settings: tuple[str, ...],
) -> None:
    from pathlib import Path

    from .fixes import collect
    from .model import Kind, Level, Status, Verdict
    from .project import open_project

    settings = (*settings, *_script_settings(Path(project), scripts))
    opened = open_project(Path(project), checklists, settings, session="read")
    _speak(opened)
    session = opened.session
    assert session is not None
    _talk_of(session)
    results: list[tuple[str, Any]] = []
    _run_with_progress(opened, opened.jobs(items, {Kind.STATIC}), results)
    fine = (Verdict.OK, Verdict.NOT_APPLICABLE)
    found = [(item, result) for item, result in results if any(f.level is not Level.INFO for f in result.findings)]
    settled = sorted({item for item, _ in found if session.entry(item).conclusion in fine} - {*items})
    patch = collect(Path(opened.case.root), [result for item, result in results if item not in settled])
    try:
        _write_patch(patch.text)
    except BrokenPipeError:
        _discard_output()
    if patch.text:
        talk(say("fix-made", mended=patch.mended, files=patch.files, folder=opened.case.root))
    _talk_of_unmended(patch.left)
    if settled:
        talk(say("fix-settled", items=", ".join(settled)))
    done = [result for _, result in results if result.status is Status.DONE]
    if not results:
        talk(say("fix-no-probe"))
    elif done and not found:
        talk(say("fix-nothing"))
    _talk_of_unexamined([result for _, result in results])
    if any(left.finding.level is Level.PROBLEM for left in patch.left):
        raise SystemExit(FOUND)
    raise SystemExit(PROBE_FAILED if any(result.status is Status.FAILED for _, result in results) else OK)


def _write_patch(text: bytes) -> None:
    """The patch to stdout: the very bytes for a program, nothing that a terminal would obey for a person."""
    if sys.stdout.isatty():
        for line in text.decode("utf-8", "backslashreplace").split("\n")[:-1]:
            show(line.removesuffix("\r"))
    else:
        sys.stdout.buffer.write(text)
    sys.stdout.flush()


def _talk_of_unmended(left: list[Any]) -> None:
    """Each finding that the patch leaves as it is, with its place and its advice."""
    from .report.machine import Speech
    from .report.words import LEVELS

    speech = Speech(LANGUAGE)
    for why in ("by-hand", "meant", "overlap", "misfit"):
        listed = [(name, finding) for name, finding, reason in left if reason == why]
        if listed:
            talk(say(f"fix-{why}"))
        for name, finding in listed:
            where = finding.where
            place = where.path or name
            place += f":{where.line}" if where.path and where.line is not None else ""
            text = f"{place}: {speech.message(name, finding.code, finding.data)}"
            if finding.fix is not None:
                text += f" → {speech.message(name, finding.fix.message, finding.data)}"
            click.echo(visible(f"  {LEVELS[finding.level.value][LANGUAGE.value]}  {text}"), err=True)


def _talk_of_unexamined(results: list[Any]) -> None:
    """What keeps a patch from being the whole truth: undecided places, and probes that did not finish, with the reason."""
    from .report.machine import Speech

    speech = Speech(LANGUAGE)
    if count := sum(finding.incomplete for result in results for finding in result.findings):
        talk(say("fix-undecided", count=count))
    reasons = [f"{r.probe}: {speech.reason(r.probe, r.reason)}" for r in results if r.reason is not None]
    for reason in dict.fromkeys(reasons):
        talk(reason)


# --- report -----------------------------------------------------------------------------------------------------------


@command(
    "report",
    lambda: [
        _project(),
        option("--format", "formats", words="report-format", multiple=True, type=click.Choice(["md", "docx", "json"])),
        option("--output", "-o", words="output", default=".", metavar="DIR"),
        _checklists(),
        _set(),
    ],
)
def report_(
    project: str, formats: tuple[str, ...], output: str, checklists: tuple[str, ...], settings: tuple[str, ...]
) -> None:
    from pathlib import Path

    from . import report
    from .project import open_project

    opened = open_project(Path(project), checklists, settings, session="read")
    _speak(opened)
    if opened.session is not None and opened.session.notice is not None:
        raise _notice(opened.session)
    for path in report.write_project(opened, list(formats) or ["md", "docx"], Path(output), LANGUAGE):
        show(str(path))


# --- list, explain ----------------------------------------------------------------------------------------------------


@command(
    "list",
    lambda: [
        _json(),
        _checklists(),
    ],
)
def list_(as_json: bool, checklists: tuple[str, ...]) -> None:
    from .checklist import load_all, shipped

    loaded = load_all(checklists or shipped())
    if as_json:
        show_json(loaded)
        return
    for checklist in loaded:
        show(f"{checklist.name}  {checklist.title[LANGUAGE]}")
        for section in checklist.sections:
            show(f"  {section.title[LANGUAGE]}")
            for item in section.items:
                names = ", ".join(use.name for use in item.uses) or say("no-probe")
                show(f"    {item.id}  {item.title[LANGUAGE]}  [{names}]")


@command(
    "explain",
    lambda: [
        _Argument("item", words="item", metavar="ITEM"),
        _checklists(),
    ],
)
def explain(item: str, checklists: tuple[str, ...]) -> None:
    from .checklist import find, load_all, shipped
    from .report.machine import snippet_text, ways_text

    loaded = load_all(checklists or shipped())
    found = find(loaded, item)
    owner = next(checklist for checklist in loaded if found in checklist.items)
    parts = [(None, f"{found.id}  {found.title[LANGUAGE]}"), ("method", found.method[LANGUAGE])]
    meanings = found.conclusions
    rows = [(key, getattr(meanings, key)[LANGUAGE]) for key in ("problem", "ok", "not_applicable")]
    parts.append(("conclusions", "\n".join(f"{say(key)}: {text}" for key, text in rows)))
    parts += [("remedy", found.remedy[LANGUAGE]), ("applies", found.applies[LANGUAGE])]
    parts.append(("probes", "\n".join(_probe_lines(found)) or say("no-probe")))
    collected = [(key, owner.snippets.get(key)) for key in found.collect]
    lines = [
        [key, *("  " + line for line in snippet_text(code, LANGUAGE))] if code else [key] for key, code in collected
    ]
    parts.append(("collect", "\n".join(line for block in lines for line in block)))
    parts.append(("ways", "\n".join(line.strip() for line in ways_text(owner, found, LANGUAGE)[1:])))
    parts.append(("references", "\n".join(f"{link.title[LANGUAGE]}: {link.url}" for link in found.references)))
    for title, text in parts:
        if text and title is not None:
            click.echo(f"\n{say(title)}")
        for line in text.splitlines():
            show(line if title is None else f"  {line}")


def _probe_lines(item: Any) -> list[str]:
    """Each probe with its parameters, their values for this item, and what they mean."""
    import msgspec

    from .probe import load, params

    lines = []
    for use in item.uses:
        probe = load(use.name)
        lines.append(f"{use.name} ({probe.KIND.value})")
        values = params(probe, use.params)
        fields: Any = msgspec.inspect.type_info(probe.Params)
        for field in fields.fields:
            extra = getattr(field.type, "extra_json_schema", None) or {}
            lines.append(
                "  "
                + say(
                    "parameter",
                    name=field.name,
                    default=getattr(values, field.name),
                    description=extra.get("description", ""),
                )
            )
    return lines


# --- answer, status ---------------------------------------------------------------------------------------------------


@command(
    "answer",
    lambda: [
        _Argument("item", words="item", metavar="ITEM"),
        _Argument(
            "conclusion",
            words="conclusion",
            metavar="CONCLUSION",
            type=click.Choice(["problem", "ok", "not_applicable"]),
        ),
        option("--note", words="note", default=None),
        option("--as", "who", words="as", default=None),
        option("--attach", words="attach", multiple=True, metavar="PATH"),
        _project_option(),
        _checklists(),
    ],
)
def answer(
    item: str,
    conclusion: str,
    note: str | None,
    who: str | None,
    attach: tuple[str, ...],
    project: str,
    checklists: tuple[str, ...],
) -> None:
    from pathlib import Path

    from .case import require_utf8
    from .checklist import find
    from .errors import UserError
    from .model import Verdict
    from .project import open_project

    opened = open_project(Path(project), checklists)
    _speak(opened)
    session = opened.session
    assert session is not None
    with session:
        if session.read_only:
            raise UserError("session-locked", holder=session.holder)
        _talk_of(session)
        find(opened.checklists, item)
        for text in (note, who, *attach):
            require_utf8(text or "")
        for path in attach:
            _require_file(Path(path), path)
        session.answer(item, Verdict(conclusion), note, who)
        for path in attach:
            session.attach(item, opened.case.relative(os.path.abspath(path)))
    show(say("answered", item=item, conclusion=say(conclusion)))


@command(
    "status",
    lambda: [
        _project(),
        _json(),
        _checklists(),
    ],
)
def status(project: str, as_json: bool, checklists: tuple[str, ...]) -> None:
    from pathlib import Path

    from .model import CONCLUSIONS
    from .project import open_project

    opened = open_project(Path(project), checklists, session="read")
    _speak(opened)
    session = opened.session
    assert session is not None
    if session.notice is not None:
        raise _notice(session)
    stale = {item for item, _ in opened.stale()}
    rows = []
    for item in opened.items:
        entry = session.entry(item.id)
        rows.append(
            {
                "id": item.id,
                "conclusion": entry.conclusion.value if entry.conclusion else None,
                "suggestion": opened.suggestion(item).value,
                "note": entry.note,
                "stale": item.id in stale,
            }
        )
    counts = {c.value: sum(row["conclusion"] == c.value for row in rows) for c in CONCLUSIONS}
    summary = {"done": sum(counts.values()), "total": len(rows), **counts}
    if as_json:
        show_json({"version": 1, "case": opened.case.name, "items": rows, "summary": summary})
        return
    for item, row in zip(opened.items, rows, strict=True):
        text = say(str(row["conclusion"] or "open"))
        if row["conclusion"] is None and (session.entry(item.id).results or row["suggestion"] != "undecided"):
            text += f" ({say('suggested', verdict=say(str(row['suggestion'])))})"
        flag = f" [{say('stale')}]" if row["stale"] else ""
        show(f"{item.id}  {item.title[LANGUAGE]}: {text}{flag} {row['note']}".rstrip())
    click.echo(say("status-counts", **summary))


@command(
    "path",
    lambda: [
        _project(),
        _json(),
        option("--output", "-o", words="path-output", default=None, metavar="DIR"),
        option("--write", words="path-write", is_flag=True),
        _checklists(),
        _set(),
    ],
)
def path_(
    project: str,
    as_json: bool,
    output: str | None,
    write: bool,
    checklists: tuple[str, ...],
    settings: tuple[str, ...],
) -> None:
    from pathlib import Path

    from .checklist import load, shipped
    from .errors import UserError
    from .path import walk
    from .project import open_project
    from .report.machine import path_json, path_text

    known = [name for name in shipped() if load(name).ends]
    opened = open_project(Path(project), checklists or known, settings, session="read")
    _speak(opened)
    session = opened.session
    assert session is not None
    if session.notice is not None:
        raise _notice(session)
    if write:
        _name_collected(opened)
    paths = []
    for checklist in opened.checklists:
        path = walk(checklist, session.record, opened.case)
        if path is None:
            raise UserError("no-path", name=checklist.name, known=", ".join(known))
        paths.append(path)
    if as_json:
        walked = [path_json(path, opened.case, LANGUAGE) for path in paths]
        show_json({"version": 1, "case": opened.case.name, "paths": walked})
    else:
        stale = {item for item, _ in opened.stale()}
        for line in (line for path in paths for line in path_text(path, session.record, opened.case, LANGUAGE, stale)):
            show(line)
    if output is not None:
        _write_code(paths, opened.case, Path(output))


def _name_collected(opened: Any) -> None:
    """Into accucheck.yaml with what the snippets wrote and it does not name."""
    from .case import FILE_NAME, extend
    from .path import collected

    values = {key: path for checklist in opened.checklists for key, path in collected(checklist, opened.case).items()}
    for key, path in values.items():
        talk(f"{key}: {path}")
    if not values:
        talk(say("path-write-none"))
    elif not sys.stdin.isatty() or click.confirm(say("path-write-sure", path=opened.case.file or FILE_NAME), err=True):
        opened.case = extend(opened.case, values)


def _write_code(paths: list[Any], case: Any, folder: Path) -> None:
    """The code that collects what is lacking where each path stands; existing files are refused."""
    from .errors import SaveError, from_os_error
    from .path import frameworks, script, uncollected, wanted

    written = 0
    for path in paths:
        lacking = uncollected(wanted(path.checklist, path.here, case)) if path.here else []
        for framework in frameworks(lacking):
            target = folder / f"collect_{path.here.id}_{framework}.py"
            try:
                folder.mkdir(parents=True, exist_ok=True)
                with target.open("x", encoding="utf-8") as stream:
                    stream.write(script(lacking, framework, LANGUAGE))
            except OSError as error:
                raise from_os_error(error, target, SaveError) from None
            talk(str(target))
            written += 1
    if not written:
        talk(say("path-nothing"))


@command(
    "plan",
    lambda: [
        _project(),
        option("--step", words="plan-step", type=click.IntRange(1, 10**12), default=None, metavar="D"),
        option("--output", "-o", words="plan-output", default=None, metavar="FILE"),
        _set(),
    ],
)
def plan(project: str, step: int | None, output: str | None, settings: tuple[str, ...]) -> None:
    from pathlib import Path

    from . import experiments
    from .errors import SaveError, from_os_error
    from .project import open_project

    opened = open_project(Path(project), (), settings, session="read")
    _speak(opened)
    session = opened.session
    assert session is not None
    if session.notice is not None:
        raise _notice(session)
    found_by = None
    if step is None:
        results = (result for entry in session.record.entries.values() for result in entry.results.values())
        step, found_by = experiments.step_of(results) or (None, None)
    text = experiments.markdown(opened.case, LANGUAGE, step, found_by)
    if output is None:
        click.echo(text, nl=False)
        return
    target = Path(output)
    try:
        with target.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except OSError as error:
        raise from_os_error(error, target, SaveError) from None
    talk(str(target))


# --- init, validate ---------------------------------------------------------------------------------------------------


@command(
    "init",
    lambda: [
        _project(),
        option("--print", "only_print", words="print", is_flag=True),
    ],
)
def init(project: str, only_print: bool) -> None:
    from pathlib import Path

    from . import case
    from .errors import ReadError

    folder = Path(project)
    if not folder.is_dir():
        raise ReadError("not-a-directory" if folder.exists() else "not-found", path=project)
    target = folder / case.FILE_NAME
    if target.exists() and not only_print:
        talk(say("init-exists", path=target))
        raise SystemExit(WRONG_USE)
    proposals = case.propose(folder.resolve())
    if not proposals:
        talk(say("init-nothing", path=folder))
        raise SystemExit(WRONG_USE)
    for proposal in proposals:
        click.echo(visible(f"{proposal.key}: {proposal.value}  ({word(case.WHY, proposal.why, LANGUAGE)})"), err=True)
    name = folder.resolve().name
    values = {
        **({"name": name} if name.isprintable() else {}),
        **{proposal.key: proposal.value for proposal in proposals},
    }
    if only_print:
        click.echo(case.document_of(values).decode(), nl=False)
    else:
        case.write(values, target)
        show(str(target))


@command(
    "validate",
    lambda: [
        _project(),
        _checklists(),
    ],
)
def validate(project: str, checklists: tuple[str, ...]) -> None:
    from pathlib import Path

    from . import case
    from .checklist import validate as validate_checklist
    from .document import read_text

    for name in checklists:
        path = _checklist_path(name)
        validate_checklist(read_text(path), str(path))
        show(say("valid", path=path))
    if checklists and project == ".":
        return
    loaded = case.load(Path(project))
    if loaded.file is None:
        talk(say("no-case-file", path=project))
        raise SystemExit(WRONG_USE)
    paths = [(key, path) for key in case.path_keys() if "://" not in str(loaded.get(key)) for path in loaded.paths(key)]
    lacking = [(key, path) for key, path in paths if not case.mode_of(path)]
    for key, path in lacking:
        talk(say("valid-missing", key=key, path=path))
    if lacking:
        raise SystemExit(WRONG_USE)
    show(say("valid", path=loaded.file))


def _checklist_path(name: str) -> Path:
    from pathlib import Path

    from .checklist import folder

    shipped = folder() / f"{name}.yaml"
    return shipped if os.sep not in name and shipped.is_file() else Path(name)


# --- manifest ---------------------------------------------------------------------------------------------------------


@command(
    "manifest",
    lambda: [
        _Argument("folder", words="folder", metavar="DIR", nargs=-1, required=True),
        option("--output", "-o", words="manifest-output", default=None, metavar="FILE"),
        option("--check", words="manifest-check", default=None, metavar="REFERENCE"),
        option("--compare", words="manifest-compare", is_flag=True),
        option("--opened", words="manifest-opened", default=None, metavar="FILE"),
        option("--scheduler", words="manifest-scheduler", default=None, metavar="ADDRESS"),
        option("--full", words="full", is_flag=True),
        option("--format", "form", words="manifest-format", type=click.Choice(["json", "md5sum", "hashdeep"])),
        _json(),
    ],
)
def manifest_(
    folder: tuple[str, ...],
    output: str | None,
    check: str | None,
    compare: bool,
    opened: str | None,
    scheduler: str | None,
    full: bool,
    form: str | None,
    as_json: bool,
) -> None:
    import gc

    if opened is not None:
        if output is not None or check is not None or compare or scheduler or full or form or as_json:
            raise click.UsageError(say("opened-alone"))
        from . import opened as recording

        raise SystemExit(recording.command(folder[0], opened, folder[1:], language=LANGUAGE, echo=click.echo))

    from . import manifest, nodes

    gc.disable()  # the process ends soon; collecting among 100,000s of small records would cost 2 %
    if compare:
        if output is not None or check is not None or full or form or scheduler:
            raise click.UsageError(say("compare-alone"))
        raise SystemExit(nodes.command(folder, as_json=as_json, language=LANGUAGE, echo=click.echo))
    if len(folder) > 1:
        raise click.UsageError(say("one-folder"))
    if scheduler is not None:
        if output is not None or form:
            raise click.UsageError(say("scheduler-alone"))
        words: dict[str, Any] = {"full": full, "as_json": as_json, "language": LANGUAGE, "echo": click.echo}
        raise SystemExit(nodes.cluster_command(folder[0], scheduler, check, **words))
    with _status_line() as show:
        code = manifest.command(
            folder[0],
            output,
            check,
            full=full,
            as_json=as_json,
            form=form,
            language=LANGUAGE,
            echo=click.echo,
            progress=lambda progress: show(_amount(progress)),
        )
    raise SystemExit(code)


@command(
    "compare",
    lambda: [
        _Argument("left", words="compare-left", metavar="A"),
        _Argument("right", words="compare-right", metavar="B"),
        option("--rtol", words="rtol", type=click.FloatRange(min=0), default=None, callback=_no_nan, metavar="R"),
        option("--atol", words="atol", type=click.FloatRange(min=0), default=None, callback=_no_nan, metavar="A"),
        option("--map", "names", words="map", default=None, metavar="FILE"),
        option("--all", "everything", words="show-all", is_flag=True),
        _json(),
    ],
)
def compare(
    left: str, right: str, rtol: float | None, atol: float | None, names: str | None, everything: bool, as_json: bool
) -> None:
    from . import comparing

    lines: list[str] = []
    code, whole = comparing.command(
        left, right, rtol=rtol, atol=atol, names=names, everything=everything, language=LANGUAGE, echo=lines.append
    )
    if as_json:
        show_json(whole)
    else:
        for line in lines:
            click.echo(line)
    raise SystemExit(code)


# --- convert ----------------------------------------------------------------------------------------------------------


@command(
    "convert",
    lambda: [
        _Argument("reference", words="convert-reference", metavar="REF"),
        _Argument("output", words="convert-output", metavar="OUT"),
        option("--to", words="convert-to", type=click.Choice(["mindspore", "pytorch"]), default=None),
        option("--like", words="like", default=None, metavar="FILE"),
        option("--map", "given", words="convert-map", default=None, metavar="FILE"),
        option("--write-map", words="write-map", default=None, metavar="FILE"),
        option("--force", words="convert-force", is_flag=True),
        option("--all", "everything", words="convert-rows", is_flag=True),
        _json(),
    ],
)
def convert(
    reference: str,
    output: str,
    to: Any,
    like: str | None,
    given: str | None,
    write_map: str | None,
    force: bool,
    everything: bool,
    as_json: bool,
) -> None:
    from pathlib import Path

    from . import converting

    for name, value in (("--map", given), ("--write-map", write_map)):
        if value is not None and like is None:
            raise click.UsageError(say("needs-like", name=name))
    if to is not None and like is not None:
        raise click.UsageError(say("to-or-like"))
    lines: list[str] = []
    with _status_line() as line:
        code, whole = converting.command(
            Path(reference),
            Path(output),
            to=to,
            like=Path(like) if like else None,
            given=Path(given) if given else None,
            write_map=Path(write_map) if write_map else None,
            force=force,
            everything=everything,
            language=LANGUAGE,
            echo=lines.append,
            progress=lambda done, total: line(f"{done / 1e6:,.0f}/{total / 1e6:,.0f} MB"),
        )
    if as_json:
        show_json(whole)
    else:
        for text in lines:
            click.echo(text)
    raise SystemExit(code)


# --- labels -----------------------------------------------------------------------------------------------------------


@command(
    "labels",
    lambda: [
        _project(),
        option("--role", words="role", type=click.Choice(["train", "eval"]), default="train"),
        option("--sheet", words="sheet", default=None, metavar="DIR"),
        option("--read", words="read", default=None, metavar="CSV"),
        option("--seed", words="seed", type=click.IntRange(0, 2**31 - 1), default=None, metavar="N"),
        option("--count", words="count", type=click.IntRange(1, 2000), default=None, metavar="N"),
        option("--redraw", words="redraw", is_flag=True),
        option("--as", "who", words="marked-by", default=None),
        _set(),
        _json(),
    ],
)
def labels(
    project: str,
    role: str,
    sheet: str | None,
    read: str | None,
    seed: int | None,
    count: int | None,
    redraw: bool,
    who: str | None,
    settings: tuple[str, ...],
    as_json: bool,
) -> None:
    from pathlib import Path

    from . import marks
    from .case import require_utf8
    from .errors import UserError
    from .project import open_project
    from .session import user

    opened = open_project(Path(project), (), settings, session="try")
    _speak(opened)
    case, session = opened.case, opened.session
    assert session is not None
    require_utf8(who or "")
    name, partial = who or user(), False
    with session:
        record = marks.load(case)
        plan = record.plans.get(role)
        fresh = redraw or plan is None or not _as_drawn(plan, seed, count)
        if plan is None and read is not None:
            raise UserError("no-plan")
        if (fresh or read is not None) and session.read_only:
            raise session.notice or UserError("session-locked", holder=session.holder)
        if fresh:
            if plan is not None and plan.marked and not redraw:
                raise UserError("plan-marked", seed=plan.seed, samples=len(plan.samples), marked=plan.marked)
            record, partial = _draw(case, record, role, seed, count, name)
        if read is not None:
            record = _read_marks(case, role, record, Path(read), name)
    plan = record.plans[role]
    if sheet is not None:
        partial |= _write_sheet(case, role, plan, Path(sheet))
    rate = marks.rate(plan)
    if as_json:
        show_json({"version": 1, "case": case.name, "role": role, "plan": plan, "rate": rate})
    else:
        _show_plan(case, role, plan, rate, briefly=sheet is not None or read is not None)
    raise SystemExit(FOUND if rate.wrong else PROBE_FAILED if partial else OK)


def _as_drawn(plan: Any, seed: int | None, count: int | None) -> bool:
    """Whether a plan is what these options ask for."""
    return seed in (None, plan.seed) and count in (None, plan.count)


def _draw(case: Any, record: Any, role: str, seed: int | None, count: int | None, who: str) -> tuple[Any, bool]:
    """Draw and store a plan, the marks of the old one kept aside; also whether something could not be read."""
    from . import marks, sampling
    from .probe import load, message

    old = record.plans.get(role)
    seed = seed if seed is not None else old.seed if old is not None else sampling.SEED
    count = count if count is not None else old.count if old is not None else sampling.COUNT
    with _status_line() as line:
        plan, gaps = sampling.drawn_now(case, role, seed, count, who, lambda progress: line(_amount(progress)))
    for gap in gaps:
        talk(message(load("label_conflicts"), gap.code, gap.data, LANGUAGE))
    if old is not None and old.marked and (aside := sampling.keep_aside(case)) is not None:
        talk(say("labels-aside", path=aside))
    record = marks.with_plan(record, role, sampling.adopt(record, role, plan))
    marks.save(case, record)
    return record, bool(gaps)


def _read_marks(case: Any, role: str, record: Any, path: Path, who: str) -> Any:
    """Take the marks of a table and store them; every line that is wrong is named, and then nothing is taken."""
    from . import marks
    from .report import sheet

    try:
        record, taken = sheet.read(case, role, record, path, who, LANGUAGE)
    except sheet.WrongLines as error:
        talk(error.text(LANGUAGE))
        for line in error.lines[:100]:
            click.echo(visible(f"  {line}"), err=True)
        raise SystemExit(WRONG_USE) from None
    marks.save(case, record)
    talk(say("labels-read", count=taken))
    return record


def _write_sheet(case: Any, role: str, plan: Any, folder: Path) -> bool:
    """Write the sheets and the table; whether a sample could not be read."""
    from .report.sheet import write

    written = write(case, role, plan, folder, LANGUAGE)
    for place, problem in sorted(written.problems.items())[:20]:
        talk(f"{place + 1}: {problem.text(LANGUAGE)}")
    if written.no_font:
        talk(say("labels-font"))
    for path in written.paths:
        show(str(path))
    return bool(written.problems)


def _show_plan(case: Any, role: str, plan: Any, rate: Any, *, briefly: bool) -> None:
    """The samples with their marks, and the rate."""
    from . import marks

    facts = {name: getattr(plan, name) for name in ("labels", "labelled", "missing", "seed")}
    strata = len(plan.strata) or plan.labels
    click.echo(say("labels-plan", role=say(role), samples=len(plan.samples), strata=strata, **facts))
    for number, sample in enumerate(plan.samples, 1):
        if not briefly or (sample.judgement is not None and sample.judgement is not marks.Judgement.RIGHT):
            note = sample.mark.note if sample.mark is not None else ""
            said = marks.said(sample.judgement, LANGUAGE)
            show(f"{number:>4}  {marks.class_name(case, sample.label)}  {sample.id}  {said}  {note}".rstrip())
    if rate.left:
        click.echo(say("labels-left", left=rate.left))
    if rate.looked:
        weighted = "-" if rate.weighted is None else f"{rate.weighted:.1%}"
        facts = {name: getattr(rate, name) for name in ("wrong", "looked", "share", "low", "high", "unsure")}
        click.echo(say("labels-rate" if rate.wrong else "labels-none", weighted=weighted, **facts))


# --- lr-range ---------------------------------------------------------------------------------------------------------


@command(
    "lr-range",
    lambda: [
        _project(),
        option("--live", words="lr-range-live", is_flag=True),
        option("--from", "begin", words="from", type=_rate(), default=1e-7, metavar="RATE", callback=_no_nan),
        option("--to", "end", words="to", type=_rate(), default=1.0, metavar="RATE", callback=_no_nan),
        option("--steps", words="steps", type=click.IntRange(40, 1_000_000), default=None, metavar="N"),
        option("--scale", words="scale", type=click.Choice(["exponential", "linear"]), default="exponential"),
        option("--output", "-o", words="lr-range-output", default=None, metavar="FILE"),
        option("--force", words="force", is_flag=True),
        _set(),
    ],
)
def lr_range(
    project: str,
    live: bool,
    begin: float,
    end: float,
    steps: int | None,
    scale: str,
    output: str | None,
    force: bool,
    settings: tuple[str, ...],
) -> None:
    from pathlib import Path

    from . import consent, range_test
    from .errors import UserError
    from .model import Level
    from .probe import REASONS, Skip
    from .probes._rate_bounds import SPAN
    from .project import open_project

    opened = open_project(Path(project), (), settings, session="none")
    _speak(opened)
    if end < SPAN * begin or (scale == "exponential" and not begin):
        raise UserError("lr-range-rates", factor=SPAN, begin=begin, end=end)
    if not (live or consent.granted(opened.case)):
        raise UserError("lr-range-consent")
    plan = range_test.Plan(begin, end, steps, scale == "exponential")
    with _status_line() as line:
        try:
            recording, findings = range_test.command(
                opened.case,
                plan,
                Path(output) if output else None,
                force=force,
                language=LANGUAGE,
                say=show,
                talk=lambda text: click.echo(visible(text), err=True),
                progress=line,
            )
        except Skip as skip:
            talk(word(REASONS, skip.reason.code, LANGUAGE, **skip.reason.data))
            raise SystemExit(WRONG_USE) from None
    if recording.ended == "interrupted":
        raise KeyboardInterrupt
    raise SystemExit(FOUND if any(finding.level is Level.PROBLEM for finding in findings) else OK)


def _rate() -> click.FloatRange:
    return click.FloatRange(0, 1e6)


# --- doctor -----------------------------------------------------------------------------------------------------------


@command(
    "doctor",
    lambda: [
        _project(),
        _json(),
    ],
)
def doctor(project: str, as_json: bool) -> None:
    from pathlib import Path

    from . import case
    from .report import environment

    loaded = case.load(Path(project))
    facts = environment.collect(loaded)
    if as_json:
        show_json(facts)
        return
    for line in environment.lines(facts, LANGUAGE):
        show(line)


# --- the frame --------------------------------------------------------------------------------------------------------


def _speak(project: Project) -> None:
    """The case may name a language; --lang and ACCUCHECK_LANG go before it."""
    global LANGUAGE
    LANGUAGE = detect(_language_of(sys.argv[1:]), project.case.spec.language)


def _usage_error(error: click.UsageError) -> str:
    """What click says about the command line, in the words of this tool."""
    named = (argument for argument in sys.argv[1:] if argument in COMMANDS)
    command = error.ctx.command_path if error.ctx else f"accucheck {next(named, '')}".rstrip()
    problem = error.message  # one of ours, already in words
    if isinstance(error, click.NoSuchOption):
        problem = say("no-such-option", name=error.option_name)
        known = [name for parameter in error.ctx.command.params for name in parameter.opts] if error.ctx else []
        problem = _with_nearest(problem, error.option_name, known)
    elif isinstance(error, click.BadOptionUsage):
        given = error.message.endswith("does not take a value.")
        problem = say("takes-no-value" if given else "needs-value", name=error.option_name)
    elif isinstance(error, click.BadParameter) and error.param is not None:
        argument = isinstance(error.param, click.Argument)
        name = error.param.human_readable_name if argument else error.param.opts[0]
        missing = isinstance(error, click.MissingParameter)
        problem = say("missing-argument", name=name) if missing else _value_error(error, error.param.type, name)
    return say("see-help", problem=problem, command=command)


def _value_error(error: click.BadParameter, kind: Any, name: str) -> str:
    problem = error.message
    if isinstance(kind, click.Choice):
        problem = say("one-of", choices=", ".join(str(choice) for choice in kind.choices))
    elif isinstance(kind, click.IntRange):
        problem = say("whole-number", min=kind.min, max=kind.max)
    elif isinstance(kind, click.FloatRange):
        problem = say("number", min=kind.min)
    return say("bad-value", name=name, problem=problem)


def _internal_error(error: BaseException) -> None:
    """Keep the traceback in a file and name it: no traceback on the screen."""
    import tempfile
    import traceback

    text = f"accucheck {__version__}, Python {sys.version}\n{traceback.format_exc()}"
    try:
        with tempfile.NamedTemporaryFile("wb", prefix="accucheck-error-", suffix=".txt", delete=False) as stream:
            stream.write(text.encode("utf-8", "backslashreplace"))
            path = stream.name
    except OSError:
        path = say("nowhere")
    talk(say("internal", problem=f"{type(error).__name__}: {error}"[:200], path=path))


def _open_streams() -> None:
    """Standard streams that are there and can write any text.

    A descriptor that the caller closed would be given to the next file opened, and be written to as if it were the
    terminal; and a locale that lacks a character is no reason to end.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number
    for name in ("stdin", "stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w"))  # noqa: SIM115
        elif name != "stdin" and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _discard_output() -> None:
    """Nobody reads standard output any more, or it cannot be written: what is left in its buffer goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def console() -> NoReturn:
    """The console script: main() without the interpreter's own farewell, which would take 5 to 20 ms and undo nothing."""
    try:
        main()
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else OK
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def main(arguments: list[str] | None = None) -> NoReturn:
    """The whole program. Always ends the process with one of the exit codes."""
    _open_streams()
    try:
        code = _main(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_output()
        code = OK
    except OSError as error:  # a full disk behind standard output
        _discard_output()
        code = _os_error(error)
    raise SystemExit(code)


def _main(arguments: list[str] | None) -> int:
    try:
        root().main(arguments, prog_name="accucheck", standalone_mode=False)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.UsageError as error:
        talk(_usage_error(error))
        return WRONG_USE
    except (KeyboardInterrupt, click.Abort):
        talk(say("interrupted"))
        return INTERRUPTED
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else WRONG_USE
    except OSError as error:
        return _os_error(error)
    except Exception as error:
        from .errors import UserError

        if isinstance(error, UserError):
            talk(error.text(LANGUAGE))
        else:
            _internal_error(error)
        return WRONG_USE
    return OK


def _os_error(error: OSError) -> int:
    """What the system refused outside of any reader: a name too long, a full disk behind standard output."""
    from .errors import from_os_error

    talk(from_os_error(error, error.filename or say("standard-output")).text(LANGUAGE))
    return WRONG_USE
