"""Writes what the documentation can take from the code: docs/reference/, the table of items in both READMEs, the JSON Schema.

    python docs/generate.py                 write what is stale
    python docs/generate.py --check         write nothing; name the stale files and exit with 1
    python docs/generate.py --screenshots   make docs/images/ again (runs the probes on a copy of examples/digits_faulty)

Words stand here only where the code has none: headings, and what the keys of a case mean.
"""

from __future__ import annotations

import argparse
import asyncio
import inspect
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import click
import msgspec
from template_fields import FIELDS, FUNCTIONS

from accucheck import case as cases
from accucheck import checklist as checklists
from accucheck import cli
from accucheck import probe as probes
from accucheck.cli import frame
from accucheck.cli.words import WORDS as COMMAND_WORDS
from accucheck.knowledge import known_datasets
from accucheck.language import Language, Words, word
from accucheck.model import CONCLUSIONS
from accucheck.report import parts
from accucheck.tui.screens.checklist import ChecklistScreen
from accucheck.tui.screens.evidence import EvidenceScreen
from accucheck.tui.screens.export import ExportScreen
from accucheck.tui.screens.path import PathScreen
from accucheck.tui.screens.samples import SamplesScreen
from accucheck.tui.screens.start import StartScreen
from accucheck.tui.words import WORDS as SCREEN_WORDS

ROOT = Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- generated: items -->", "<!-- /generated -->"

WORDS: Words = {
    "made": {"en": "Made by `docs/generate.py`; do not edit.", "zh": "由 `docs/generate.py` 生成，请勿手工修改。"},
    "items": {"en": "The items", "zh": "检查项"},
    "item": {"en": "Item", "zh": "编号"},
    "title": {"en": "What is checked", "zh": "检查内容"},
    "probes": {"en": "Probes", "zh": "探针"},
    "none": {"en": "none yet: by hand", "zh": "暂无，人工检查"},
    "count": {
        "en": "{done} of {total} items have probes; the others are checked by hand, with the method shown.",
        "zh": "{total} 项中有 {done} 项已配有探针，其余按给出的方法人工检查。",
    },
    "command-line": {"en": "The command line", "zh": "命令行"},
    "option": {"en": "Option", "zh": "选项"},
    "meaning": {"en": "Meaning", "zh": "含义"},
    "default": {"en": "default: `{value}`", "zh": "默认 `{value}`"},
    "exit-codes": {"en": "Exit codes", "zh": "退出码"},
    "code": {"en": "Code", "zh": "退出码"},
    "exit-ok": {"en": "done; nothing that counts was found", "zh": "完成，没有需要计入的发现"},
    "exit-found": {
        "en": "`run`: what `--fail-on` names was found; `fix`: a problem is left that the patch does not mend; "
        "`manifest --check`: there are differences; `labels`: a marked label is wrong",
        "zh": "`run`：发现了 `--fail-on` 所指的结果；`fix`：有补丁未能修正的问题；`manifest --check`：存在差异；`labels`：有标签被标为错",
    },
    "exit-wrong": {"en": "wrong use, or an input that cannot be read", "zh": "用法有误，或输入无法读取"},
    "exit-failed": {
        "en": "`run`, `fix`: a probe failed (and nothing was found); `manifest`, `labels`: something could not be read",
        "zh": "`run`、`fix`：有探针执行失败（且没有发现）；`manifest`、`labels`：有内容无法读取",
    },
    "exit-interrupted": {"en": "interrupted", "zh": "被中断"},
    "keys": {"en": "The keys of the walkthrough", "zh": "向导的按键"},
    "key": {"en": "Key", "zh": "按键"},
    "does": {"en": "What it does", "zh": "作用"},
    "screen-checklist": {"en": "Checklist", "zh": "检查清单"},
    "screen-evidence": {"en": "Evidence, full size", "zh": "全屏证据"},
    "screen-samples": {"en": "Samples (ds.02)", "zh": "查看样本（ds.02）"},
    "screen-path": {"en": "The path of a checklist", "zh": "定位路径"},
    "step": {"en": "Choose a step", "zh": "选择步骤"},
    "open-step": {"en": "Open the item of the step", "zh": "打开该步的检查项"},
    "screen-export": {"en": "Report", "zh": "生成报告"},
    "screen-start": {"en": "Start (a project without accucheck.yaml)", "zh": "开始（项目尚无 accucheck.yaml）"},
    "move": {"en": "Choose an item or a finding", "zh": "选择检查项或发现"},
    "accept": {
        "en": "On an item: accept the suggestion. On a finding: open the evidence full size",
        "zh": "在检查项上：接受建议结论；在发现上：全屏查看证据",
    },
    "edit": {"en": "Change the value", "zh": "修改该值"},
    "focus": {"en": "Move the focus", "zh": "切换焦点"},
    "tick": {"en": "Choose or leave out what has the focus", "zh": "勾选或取消当前项"},
    "tabs": {"en": "On the tabs: change the tab", "zh": "在页签上：切换页签"},
    "case": {"en": "The keys of accucheck.yaml", "zh": "accucheck.yaml 的键"},
    "case-text": {
        "en": "Every key is optional. Paths are relative to the file. “Needed by” names the probes that are skipped when the key "
        "(or all of several that serve alike) is missing. The other keys refine what a probe does, decide which items apply, "
        "go into the report, or belong to items that are still checked by hand.",
        "zh": "所有键均可省略，路径相对于该文件所在目录。“必需于”列出缺少该键（或可互相替代的几个键都缺）时会跳过的探针。"
        "其余的键用于细化探针的检查、决定检查项是否涉及、写入报告，或属于目前仍需人工检查的项目。",
    },
    "known": {"en": "Known public data sets", "zh": "已收录的公开数据集"},
    "known-text": {
        "en": "What `data.reference.known` may name, however it is spelt. Of some only the archives have a published MD5, and then "
        "extracted data stay undecided.",
        "zh": "`data.reference.known` 可填的名称，大小写和连字符不限。其中一些只公布了压缩包的 MD5，此时解压后的数据无法判定。",
    },
    "case-key": {"en": "Key", "zh": "键"},
    "type": {"en": "Type", "zh": "类型"},
    "needed": {"en": "Needed by", "zh": "必需于"},
    "path": {"en": "path", "zh": "路径"},
    "str": {"en": "text", "zh": "文本"},
    "int": {"en": "integer", "zh": "整数"},
    "float": {"en": "number", "zh": "数"},
    "bool": {"en": "true or false", "zh": "true 或 false"},
    "any": {"en": "any value", "zh": "任意值"},
    "list": {"en": "list ({of})", "zh": "列表（{of}）"},
    "dict": {"en": "mapping ({of})", "zh": "映射（{of}）"},
    "or": {"en": " or ", "zh": "或"},
    "bytes": {"en": "bytes", "zh": "字节串"},
    "comma": {"en": ", ", "zh": "、"},
    "vartuple": {"en": "list ({of})", "zh": "列表（{of}）"},
    "tuple": {"en": "pair ({of})", "zh": "二元组（{of}）"},
    "datetime": {"en": "date and time", "zh": "日期时间"},
    "none-type": {"en": "none", "zh": "空（none）"},
    "template": {"en": "What a template may use", "zh": "模板可用的内容"},
    "template-text": {
        "en": "For `accucheck report --template` ([guide](../guide.en.md#a-template-of-your-own)). `report` is a Report. "
        "Texts are in the language of the report, and private data in them is replaced already. Of values such as `problem` "
        "write `.value` to print them: `{{{{ item.state.value }}}}`.",
        "zh": "用于 `accucheck report --template`（见[用户指南](../guide.zh.md#自定义模板)）。`report` 即下面的 Report。"
        "文字均为报告所用的语言，其中的隐私信息已经替换。输出 `problem` 之类的取值时用 `.value`，如 `{{{{ item.state.value }}}}`。",
    },
    "field": {"en": "Field", "zh": "字段"},
    "functions": {"en": "Beside it", "zh": "其他名称"},
    "name": {"en": "Name", "zh": "名称"},
    "formats": {"en": "Formats", "zh": "格式"},
}

ROLES: Words = {
    "train": {"en": "training", "zh": "训练"},
    "eval": {"en": "evaluation", "zh": "评估"},
    "infer": {"en": "inference", "zh": "推理"},
}

#: What each key of a case means; patterns as in fnmatch, the first that fits.
MEANINGS: Words = {
    "name": {
        "en": "name of the case, used in reports and their file names (default: the folder's name)",
        "zh": "检查对象名称，用于报告及其文件名（默认为目录名）",
    },
    "language": {"en": "`zh` or `en`; `--lang` goes before it", "zh": "`zh` 或 `en`；`--lang` 优先"},
    "runtime.device": {
        "en": "`CPU`, `GPU` or `Ascend`; with `amp` it decides whether mp.* apply",
        "zh": "`CPU`、`GPU` 或 `Ascend`；与 `amp` 一起决定 mp.* 各项是否涉及",
    },
    "runtime.mindspore": {
        "en": "MindSpore version the scripts run on (default: the installed one)",
        "zh": "脚本所用的 MindSpore 版本（默认为已安装的版本）",
    },
    "runtime.python": {
        "en": "Python of the training environment, used by live probes (default: accucheck's own)",
        "zh": "训练环境的 Python 解释器，供在线探针使用（默认为 accucheck 自身的解释器）",
    },
    "runtime.mode": {"en": "`graph` or `pynative`", "zh": "`graph` 或 `pynative`"},
    "runtime.amp": {
        "en": "mixed precision: `O0`, `O1`, `O2`, `O3`, `auto` or `none`",
        "zh": "混合精度：`O0`、`O1`、`O2`、`O3`、`auto` 或 `none`",
    },
    "runtime.distributed.devices": {
        "en": "number of devices; with 1, dp.05 does not apply",
        "zh": "卡数；为 1 时 dp.05 不涉及",
    },
    "runtime.distributed.launcher": {
        "en": "what starts the processes, for instance `msrun`",
        "zh": "启动方式，如 `msrun`",
    },
    "runtime.command": {
        "en": "command that started the training, for the report: `msrun --worker_num=8 train.py --config a.yaml`",
        "zh": "启动训练的命令，写入报告，如 `msrun --worker_num=8 train.py --config a.yaml`",
    },
    "configs.used": {
        "en": "configuration of the training: YAML, JSON or Python; the report tells how it differs from `configs.base`",
        "zh": "训练所用的配置文件（YAML、JSON 或 Python），报告列出它与 `configs.base` 的差异",
    },
    "configs.base": {
        "en": "configuration that `configs.used` was made from, as it came",
        "zh": "`configs.used` 所依据的原始配置文件",
    },
    "scripts.*": {"en": "scripts for {name}", "zh": "{name}脚本"},
    "data.reference.path": {"en": "folder with the reference copy", "zh": "标准数据所在目录"},
    "data.reference.manifest": {
        "en": "manifest of the reference (`accucheck manifest`), or an md5sum or hashdeep list",
        "zh": "标准数据的清单（`accucheck manifest` 生成），或 md5sum、hashdeep 列表",
    },
    "data.reference.known": {"en": "name of a known public data set", "zh": "公开数据集的名称"},
    "data.reference.files": {
        "en": "list of the files that training really opens, one a line; only these are compared",
        "zh": "训练实际读取的文件列表，每行一个；只比对这些文件",
    },
    "data.*.path": {"en": "data for {name}: files or folders", "zh": "{name}数据：文件或目录"},
    "data.*.label": {"en": "name of the column with the label", "zh": "标签所在的列名"},
    "data.*.fields.*.missing": {"en": "values that mean “missing” in this column", "zh": "该列中表示“缺失”的取值"},
    "data.*.classes": {"en": "all labels there should be", "zh": "全部类别标签"},
    "data.nodes": {
        "en": "manifests of the training data, one of each machine (`accucheck manifest`)",
        "zh": "各机器上训练数据的清单（`accucheck manifest` 生成），每台一份",
    },
    "data.predictions": {"en": "predicted probabilities, n x classes, `.npy`", "zh": "预测概率，n × 类别数，`.npy`"},
    "pipelines.shard_args.count": {"en": "name of the argument for the number of shards", "zh": "表示分片数的参数名"},
    "pipelines.shard_args.index": {"en": "name of the argument for the shard's index", "zh": "表示分片序号的参数名"},
    "pipelines.*.call": {
        "en": "`module:function` of the project that returns the data set for {name}",
        "zh": "返回{name}数据集的函数，写作 `模块:函数`",
    },
    "network.call": {"en": "`module:function` that builds the network", "zh": "构建网络的 `模块:函数`"},
    "loss.call": {"en": "`module:function` that builds the loss", "zh": "构建损失函数的 `模块:函数`"},
    "optimizer.call": {
        "en": "`module:function` that makes the optimizer of the parameters given first; Momentum by default",
        "zh": "创建优化器的 `模块:函数`，首个参数是参数列表；默认为 Momentum",
    },
    "*.args": {"en": "its arguments, by name", "zh": "调用参数，按名称给出"},
    "checkpoints.initial": {"en": "weights before the first step", "zh": "训练第一步之前的权重"},
    "checkpoints.previous": {"en": "weights of an earlier epoch", "zh": "较早 epoch 的权重"},
    "checkpoints.current": {"en": "weights now", "zh": "当前权重"},
    "checkpoints.pretrained": {"en": "weights that training starts from", "zh": "训练加载的预训练权重"},
    "checkpoints.reference": {
        "en": "weights of the benchmark: `.ckpt`, `.safetensors` or `.pth`",
        "zh": "标杆的权重：`.ckpt`、`.safetensors` 或 `.pth`",
    },
    "checkpoints.ranks": {"en": "weights of each rank", "zh": "各卡的权重"},
    "checkpoints.after_step": {"en": "weights after one step", "zh": "训练一步之后的权重"},
    "checkpoints.reference_after_step": {
        "en": "weights of the benchmark after one step",
        "zh": "标杆训练一步之后的权重",
    },
    "dumps.map": {
        "en": "a map of names where both sides call their layers otherwise: `backbone.conv1: features.0`, one pair a line; the file of "
        "`checkpoints.map` will do",
        "zh": "两侧层名不同时的名称对照：每行一对，如 `backbone.conv1: features.0`；也可直接用 `checkpoints.map` 的文件",
    },
    "checkpoints.map": {
        "en": "a mapping file: `parameters: {our name: name in the benchmark}`, for what names and shapes leave open",
        "zh": "参数映射文件：`parameters: {本网络的名称: 标杆中的名称}`，用于名称和形状无法确定的参数",
    },
    "curves.reference.path": {"en": "record of the benchmark", "zh": "标杆的训练记录"},
    "curves.reference.rerun": {"en": "record of the benchmark run once more", "zh": "标杆再次运行的记录"},
    "*.reference": {"en": "the same of the benchmark", "zh": "标杆的同类数据"},
    "curves.train": {"en": "record of the training: log or CSV", "zh": "训练记录：日志或 CSV"},
    "curves.eval": {"en": "record of the evaluation", "zh": "评估记录"},
    "curves.rerun": {"en": "record of the same script run once more", "zh": "同一脚本再次运行的记录"},
    "curves.baseline": {"en": "record with a small batch size", "zh": "小批大小的训练记录"},
    "curves.lr_test": {"en": "record of a learning-rate range test", "zh": "学习率范围测试的记录"},
    "curves.previous_version": {"en": "record on an earlier MindSpore", "zh": "旧版本 MindSpore 上的记录"},
    "graphs.*": {"en": "graphs: `.pb`, MindIR or a summary folder", "zh": "计算图：`.pb`、MindIR 或 summary 目录"},
    "dumps.*": {"en": "folder of dumped tensors", "zh": "dump 数据目录"},
    "batches.*": {"en": "folder with the first batches as `.npy`", "zh": "最初若干批数据的目录，`.npy`"},
    "outputs.*": {"en": "folder with outputs of inference", "zh": "推理输出目录"},
    "profiler.*": {"en": "folder of profiler data", "zh": "性能数据目录"},
    "design.frozen": {
        "en": "patterns of parameter names that should be frozen",
        "zh": "应当冻结的参数名（可用通配符）",
    },
    "design.loss": {
        "en": "what a loss of your own should compute: cross_entropy, softmax_cross_entropy, nll, mse, l1, smooth_l1, huber, bce, "
        "bce_with_logits or kl_div, as a mean",
        "zh": "自定义损失应当计算的内容：cross_entropy、softmax_cross_entropy、nll、mse、l1、smooth_l1、huber、bce、bce_with_logits 或 "
        "kl_div，取均值",
    },
    "design.shared": {"en": "groups of parameters that should be one", "zh": "应当共享的参数，按组给出"},
    "design.padding.value": {"en": "the value of padding", "zh": "补齐所用的值"},
    "design.padding.side": {"en": "`left` or `right`", "zh": "`left` 或 `right`"},
    "design.padding.mask": {"en": "name of the mask column", "zh": "掩码所在的列名"},
    "benchmark.framework": {
        "en": "framework of the benchmark (default: `pytorch`)",
        "zh": "标杆所用框架（默认 `pytorch`）",
    },
    "benchmark.scripts.*": {"en": "the benchmark's scripts for {name}", "zh": "标杆的{name}脚本"},
}


def say(key: str, language: Language, /, **data: Any) -> str:
    return word(WORDS, key, language, **data)


# --- Markdown -----------------------------------------------------------------------------------------------------------


def cell(text: str) -> str:
    """Text within a table: one line, with pipes and stars that stay what they are."""
    return text.strip().replace("|", "\\|").replace("*", "\\*").replace("\n", "<br>")


def code(text: str) -> str:
    """Text as code within a table."""
    return f"`{text}`".replace("|", "\\|")


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    return [
        f"| {' | '.join(head)} |",
        f"|{'|'.join('---' for _ in head)}|",
        *(f"| {' | '.join(row)} |" for row in rows),
        "",
    ]


def paragraphs(text: str) -> list[str]:
    """Lines of a checklist's text: numbered ones as a list, each other one as a paragraph of its own."""
    lines: list[str] = []
    numbered = False
    for line in text.strip().split("\n"):
        now_numbered = bool(re.match(r"\d+\. ", line))
        if lines and not (numbered and now_numbered):
            lines.append("")
        lines.append(line.strip())
        numbered = now_numbered
    return [*lines, ""]


def page(title: str, language: Language, *parts: list[str]) -> str:
    lines = [f"# {title}", "", say("made", language), "", *(line for part in parts for line in part)]
    return "\n".join(lines).rstrip() + "\n"


# --- items --------------------------------------------------------------------------------------------------------------


def items(language: Language) -> str:
    parts: list[list[str]] = []
    for checklist in (checklists.load(name) for name in checklists.shipped()):
        parts.append([f"## {checklist.title[language]} (`{checklist.name}`)", ""])
        for section in checklist.sections:
            parts.append([f"### {section.title[language]}", ""])
            parts += [_item(item, language) for item in section.items]
    return page(say("items", language), language, *parts)


def _item(item: checklists.Item, language: Language) -> list[str]:
    uses = ", ".join(f"[{use.name}](probes.md#{use.name})" for use in item.uses) or say("none", language)
    lines = [f"#### {item.id} {item.title[language]}", "", f"**{say('probes', language)}** {uses}", ""]

    def head(key: str) -> list[str]:
        return [f"**{word(COMMAND_WORDS, key, language)}**", ""]

    lines += [*head("method"), *paragraphs(item.method[language]), *head("conclusions")]
    for verdict in CONCLUSIONS:
        text: str = getattr(item.conclusions, verdict.value)[language]
        lines.append(f"- {word(COMMAND_WORDS, verdict.value, language)} (`{verdict.value}`): {text}")
    lines += ["", *head("remedy"), *paragraphs(item.remedy[language])]
    lines += [*head("applies"), *paragraphs(item.applies[language])]
    if item.references:
        lines += head("references")
        lines += [*(f"- [{link.title[language]}]({link.url})" for link in item.references), ""]
    return lines


def items_table(language: Language) -> str:
    """The short table of the READMEs."""
    accuracy = checklists.load("accuracy")
    page_name = f"docs/reference/items.{language.value}.md"
    rows = []
    for item in accuracy.items:
        uses = ", ".join(f"`{use.name}`" for use in item.uses) or say("none", language)
        rows.append([item.id, cell(item.title[language]), uses])
    done = sum(bool(item.uses) for item in accuracy.items)
    lines = [say("count", language, done=done, total=len(rows)), ""]
    lines += table([f"[{say('item', language)}]({page_name})", say("title", language), say("probes", language)], rows)
    return "\n".join(lines)


def readme(path: Path, language: Language) -> str:
    text = path.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise SystemExit(f"{path.name}: {BEGIN} or {END} is missing")
    return f"{before}{BEGIN}\n\n{items_table(language)}\n{END}{after}"


# --- probes -------------------------------------------------------------------------------------------------------------


def built_in() -> list[str]:
    """The probes of this package, whatever other packages are installed."""
    folder = Path(probes.__file__).parent / "probes"
    return [name for name in probes.names() if (folder / f"{name}.py").is_file()]


def probes_page() -> str:
    english = Language.EN
    users: dict[str, list[str]] = {}
    for checklist in (checklists.load(name) for name in checklists.shipped()):
        for item in checklist.items:
            for use in item.uses:
                users.setdefault(use.name, []).append(item.id)
    parts = [_probe(name, users.get(name, [])) for name in built_in()]
    return page("The probes", english, *parts)


def _probe(name: str, users: list[str]) -> list[str]:
    module = probes.load(name)
    needs = [" or ".join(f"`{key}`" for key in ([need] if isinstance(need, str) else need)) for need in module.NEEDS]
    lines = [f"## {name}", ""]
    lines += [
        f"- kind: {module.KIND.value}",
        f"- items: {', '.join(users) or '-'}",
        f"- needs: {'; '.join(needs) or '-'}",
        "",
    ]
    lines += [inspect.cleandoc(module.__doc__), ""]
    rows = []
    info: Any = msgspec.inspect.type_info(module.Params)
    for field in info.fields:
        extra, schema = getattr(field.type, "extra", None) or {}, getattr(field.type, "extra_json_schema", None) or {}
        default = field.default
        if default is msgspec.NODEFAULT and field.default_factory is not msgspec.NODEFAULT:
            default = field.default_factory()
        shown = msgspec.json.encode(default).decode()
        columns = [cell(schema.get("description", "")), cell(extra.get("unit", "")), cell(extra.get("source", ""))]
        rows.append([code(field.name), columns[0], code(shown), *columns[1:]])
    if rows:
        lines += ["Parameters", "", *table(["Name", "Meaning", "Default", "Unit", "Source of the default"], rows)]
    messages = [[code(key), cell(text["en"]), cell(text["zh"])] for key, text in module.MESSAGES.items()]
    lines += ["Findings, reasons and fixes", "", *table(["Code", "English", "中文"], messages)]
    if why := getattr(module, "WHY", {}):
        rows = [
            [
                code(key),
                *(
                    "<br>".join(cell(words[key][language]) for words in (why, module.PROOF))
                    for language in ("en", "zh")
                ),
            ]
            for key in why
        ]
        lines += ["Why it hurts accuracy, and what would prove it", "", *table(["Code", "English", "中文"], rows)]
    examples = [[cell(e.name), e.verdict.value, ", ".join(map(code, e.codes)) or "-"] for e in module.EXAMPLES]
    lines += ["Examples, run by the tests", "", *table(["Example", "Suggestion", "Findings"], examples)]
    return lines


# --- the command line ---------------------------------------------------------------------------------------------------


def command_line(language: Language) -> str:
    spoken, frame.LANGUAGE = frame.LANGUAGE, language
    try:
        root = cli.root()
        context = click.Context(root, info_name="accucheck")
        parts = [_command("accucheck", root, language)]
        for name in root.list_commands(context):
            command = root.get_command(context, name)
            assert command is not None
            parts.append(_command(f"accucheck {name}", command, language))
    finally:
        frame.LANGUAGE = spoken
    codes = ("ok", "found", "wrong", "failed", "interrupted")
    numbers = (frame.OK, frame.FOUND, frame.WRONG_USE, frame.PROBE_FAILED, frame.INTERRUPTED)
    rows = [[str(number), say(f"exit-{key}", language)] for number, key in zip(numbers, codes, strict=True)]
    last = [f"## {say('exit-codes', language)}", "", *table([say("code", language), say("meaning", language)], rows)]
    return page(say("command-line", language), language, *parts, last)


def _command(path: str, command: click.Command, language: Language) -> list[str]:
    arguments = [p for p in command.params if isinstance(p, click.Argument)]
    usage = " ".join([path, "[OPTIONS]", *(p.metavar or (p.name or "").upper() for p in arguments)])
    if isinstance(command, click.Group):
        usage += " [COMMAND] ..."
    rows = []
    for option in command.params:
        if isinstance(option, click.Option):
            text = option.help or ""
            told = "default" in text or "默认" in text
            if not (told or option.is_flag or option.multiple) and isinstance(option.default, (str, int, float)):
                text += f" ({say('default', language, value=option.default)})"
            rows.append([code(_signature(option)), cell(text)])
    head = [say("option", language), say("meaning", language)]
    return [f"## {path}", "", command.help or "", "", "```text", usage, "```", "", *table(head, rows)]


def _signature(option: click.Option) -> str:
    names = ", ".join(option.opts)
    if option.is_flag:
        return names
    if isinstance(option.type, click.Choice):
        return f"{names} {option.metavar or '[' + '|'.join(option.type.choices) + ']'}"
    plain = {"integer range": "N", "float range": "SECONDS", "text": "TEXT"}
    return f"{names} {option.metavar or plain[option.type.name]}"


# --- keys ---------------------------------------------------------------------------------------------------------------

#: How a key is written on the keyboard.
_KEY = {
    "right_square_bracket": "]",
    "left_square_bracket": "[",
    "slash": "/",
    "question_mark": "?",
    "escape": "Esc",
    "space": "Space",
    "left": "←",
    "right": "→",
    "delete": "Del",
    "backspace": "Backspace",
    "enter": "Enter",
    "ctrl+q": "Ctrl+Q",
}
#: Where the words of a binding are not those of its id.
_WORDS_OF = {
    ("checklist", "conclude-not-applicable"): "command-conclude-not_applicable",
    ("checklist", "back"): "command-cancel",
    ("evidence", "next"): "key-following",
}


def keys(language: Language) -> str:
    screens: list[tuple[str, Any, str, list[tuple[str, str]]]] = [
        (
            "checklist",
            ChecklistScreen,
            "command",
            [("↑ ↓ j k", "move"), ("Tab", "focus"), ("← →", "tabs"), ("Enter", "accept")],
        ),
        ("evidence", EvidenceScreen, "key", []),
        ("samples", SamplesScreen, "command", []),
        ("path", PathScreen, "command", [("↑ ↓", "step"), ("Tab", "focus"), ("Enter", "open-step")]),
        ("export", ExportScreen, "command", [("Tab", "focus"), ("Space", "tick")]),
        ("start", StartScreen, "key", [("↑ ↓", "move"), ("Enter", "edit")]),
    ]
    parts = []
    for name, screen, prefix, others in screens:
        rows = [[_keyboard(shown), cell(say(words, language))] for shown, words in others]
        for binding in screen.BINDINGS:
            shown = " ".join(_KEY.get(key, key) for key in binding.key.split(","))
            words = _WORDS_OF.get((name, binding.id), f"{prefix}-{binding.id}")
            if words not in SCREEN_WORDS:
                raise SystemExit(f"no words for the key {binding.id} of {screen.__name__}")
            rows.append([_keyboard(shown), cell(word(SCREEN_WORDS, words, language))])
        if name == "checklist":
            rows.append([_keyboard("Ctrl+P"), cell(word(SCREEN_WORDS, "command-palette", language))])
            rows.append([_keyboard("Ctrl+Q"), cell(word(SCREEN_WORDS, "command-quit", language))])
        head = [say("key", language), say("does", language)]
        parts.append([f"## {say(f'screen-{name}', language)}", "", *table(head, rows)])
    return page(say("keys", language), language, *parts)


def _keyboard(keys: str) -> str:
    return " ".join(code(key) for key in keys.split())


# --- the case file ------------------------------------------------------------------------------------------------------


def case_keys(kind: Any = cases.CaseFile, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The dotted keys of a case with the type of each; a mapping of the user's own names has * for the name."""
    info: Any = kind if isinstance(kind, msgspec.inspect.StructType) else msgspec.inspect.type_info(kind)
    for field in info.fields:
        below = [option for option in _options(field.type) if isinstance(option, msgspec.inspect.StructType)]
        if below:
            yield from case_keys(below[0], f"{prefix}{field.name}.")
        elif isinstance(field.type, msgspec.inspect.DictType) and isinstance(
            field.type.value_type, msgspec.inspect.StructType
        ):
            yield from case_keys(field.type.value_type, f"{prefix}{field.name}.*.")
        else:
            yield prefix + field.name, field.type


def _options(kind: Any) -> list[Any]:
    options = kind.types if isinstance(kind, msgspec.inspect.UnionType) else [kind]
    return [option for option in options if not isinstance(option, msgspec.inspect.NoneType)]


def _type(kind: Any, language: Language) -> str:
    shown = []
    for option in _options(kind):
        if isinstance(option, msgspec.inspect.Metadata):
            shown.append(say("path", language))
        elif isinstance(option, msgspec.inspect.ListType):
            shown.append(say("list", language, of=_type(option.item_type, language)))
        elif isinstance(option, msgspec.inspect.DictType):
            shown.append(say("dict", language, of=_type(option.value_type, language)))
        else:
            shown.append(say(type(option).__name__.removesuffix("Type").lower(), language))
    return say("or", language).join(shown)


def meaning(key: str, language: Language) -> str:
    pattern = next((pattern for pattern in MEANINGS if fnmatchcase(key, pattern)), None)
    if pattern is None:
        raise SystemExit(f"docs/generate.py: MEANINGS lacks {key}")
    steps = key.split(".")
    name = steps[pattern.split(".").index("*")] if "*" in pattern.split(".") else ""
    name = word(ROLES, name, language)
    return word(MEANINGS, pattern, language, name=name)


def case_page(language: Language) -> str:
    needs: dict[str, list[str]] = {}
    for name in built_in():
        for need in probes.load(name).NEEDS:
            for key in [need] if isinstance(need, str) else need:
                needs.setdefault(key, []).append(name)
    rows = []
    for key, kind in case_keys():
        users = sorted(
            {name for need, names in needs.items() if key == need or key.startswith(f"{need}.") for name in names}
        )
        links = ", ".join(f"[{name}](probes.md#{name})" for name in users)
        rows.append([code(key), cell(_type(kind, language)), cell(meaning(key, language)), links or "-"])
    head = [say("case-key", language), say("type", language), say("meaning", language), say("needed", language)]
    names = ", ".join(dict.fromkeys(entry.dataset for entry in known_datasets.load()))
    known = [f"## {say('known', language)}", "", say("known-text", language), "", names, ""]
    return page(say("case", language), language, [say("case-text", language), ""], table(head, rows), known)


# --- templates ----------------------------------------------------------------------------------------------------------


def template_page(language: Language) -> str:
    sections = [[say("template-text", language), ""]]
    unused = set(FIELDS)
    for record in _records(msgspec.inspect.type_info(parts.Report), {}).values():
        name = record.cls.__name__
        rows = []
        for field in record.fields:
            pattern = next((pattern for pattern in FIELDS if fnmatchcase(f"{name}.{field.name}", pattern)), None)
            if pattern is None:
                raise SystemExit(f"docs/template_fields.py: FIELDS lacks {name}.{field.name}")
            shown = word(FIELDS, pattern, language)
            unused.discard(pattern)
            rows.append([code(field.name), cell(_shape(field.type, language)), cell(shown)])
        head = [say("field", language), say("type", language), say("meaning", language)]
        sections.append([f"## {name}", "", *table(head, rows)])
    if unused:
        raise SystemExit(f"docs/template_fields.py: no field is called {', '.join(sorted(unused))}")
    rows = [[code(call), formats.replace(" ", ", "), cell(words[language.value])] for call, formats, words in FUNCTIONS]
    head = [say("name", language), say("formats", language), say("meaning", language)]
    sections.append([f"## {say('functions', language)}", "", *table(head, rows)])
    return page(say("template", language), language, *sections)


def _records(kind: Any, known: dict[type, Any]) -> dict[type, Any]:
    """The records that a type is made of, each once, as they are met."""
    if isinstance(kind, msgspec.inspect.StructType):
        if kind.cls in known:
            return known
        known[kind.cls] = kind
        below = [field.type for field in kind.fields]
    else:
        found = [getattr(kind, name, ()) for name in ("types", "item_types", "item_type", "key_type", "value_type")]
        below = [one for each in found for one in (each if isinstance(each, (tuple, list)) else [each])]
    for each in below:
        _records(each, known)
    return known


def _shape(kind: Any, language: Language) -> str:
    """A type as a reader of a template needs it."""
    if isinstance(kind, msgspec.inspect.UnionType):
        return say("or", language).join(_shape(each, language) for each in kind.types)
    if isinstance(kind, msgspec.inspect.StructType):
        return f"[{kind.cls.__name__}](#{kind.cls.__name__.lower()})"
    if isinstance(kind, msgspec.inspect.EnumType):
        return say("comma", language).join(code(each.value) for each in kind.cls)
    if isinstance(kind, msgspec.inspect.NoneType):
        return say("none-type", language)
    key = type(kind).__name__.removesuffix("Type").lower()
    below = getattr(kind, "item_types", None) or (
        getattr(kind, "item_type", None) or getattr(kind, "value_type", None),
    )
    return say(
        key, language, of=say("comma", language).join(_shape(each, language) for each in below if each is not None)
    )


# --- pictures -----------------------------------------------------------------------------------------------------------

FONTS = '"Fira Code", "DejaVu Sans Mono", Menlo, Consolas, "Noto Sans Mono CJK SC", "PingFang SC", "Microsoft YaHei", monospace'

#: Width of one cell in the pictures.
CELL = 12.2


async def _screenshot(language: Language, folder: Path) -> str:
    """The checklist screen on a copy of the faulty example, with all probes run and ds.01 concluded."""
    from textual.widgets import TabbedContent

    from accucheck.project import open_project
    from accucheck.tui.app import Walkthrough

    copy = folder / language.value / "digits_faulty"
    ignored = shutil.ignore_patterns(".accucheck", "__pycache__", "rank_0", "logs.*")
    shutil.copytree(ROOT / "examples/digits_faulty", copy, ignore=ignored)
    project = open_project(copy)
    for _ in project.run(project.jobs(), live=True):
        pass
    app = Walkthrough(project, language)
    async with app.run_test(size=(110, 32)) as pilot:
        await pilot.press("1")
        app.screen.query_one(TabbedContent).active = "tab-evidence"
        await pilot.pause(0.5)
        svg = app.export_screenshot()
    app.runner.close()
    if project.session is not None:
        project.session.close()
    return _self_contained(svg)


def _self_contained(svg: str) -> str:
    """Fonts of the reader's machine only; blanks at the ends of a text as a shift, because some renderers drop them."""
    svg = re.sub(r"@font-face \{.*?\}\n?", "", svg, flags=re.S)
    svg = svg.replace("font-family: Fira Code, monospace;", f"font-family: {FONTS};")
    svg = svg.replace("font-family: arial;", "font-family: sans-serif;")
    svg = re.sub(r"\s*<!-- Generated with Rich.*?-->", "", svg)
    svg = re.sub(r"terminal-\d+", "terminal", svg)

    def shift(match: re.Match[str]) -> str:
        before, x, middle, length, after, text = match.groups()
        bare = re.sub(r"^(&#160;)+", "", text)
        begin = (len(text) - len(bare)) // len("&#160;")
        ended = re.sub(r"(&#160;)+$", "", bare)
        end = (len(bare) - len(ended)) // len("&#160;")
        if not ended:
            return ""
        left, width = float(x) + begin * CELL, float(length) - (begin + end) * CELL
        return f'<text{before}x="{left:.1f}"{middle}textLength="{width:.1f}"{after}>{ended}</text>'

    return re.sub(r'<text([^>]*?)x="([\d.]+)"([^>]*?)textLength="([\d.]+)"([^>]*)>([^<]*)</text>', shift, svg)


def screenshots() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for language in Language:
            target = ROOT / f"docs/images/walkthrough.{language.value}.svg"
            target.parent.mkdir(exist_ok=True)
            target.write_text(asyncio.run(_screenshot(language, Path(folder))), encoding="utf-8")
            print(target.relative_to(ROOT))


# --- all ----------------------------------------------------------------------------------------------------------------


def documents() -> dict[Path, str]:
    """What each generated file should hold."""
    reference = ROOT / "docs/reference"
    made = {reference / "probes.md": probes_page()}
    for language in Language:
        for name, write in (
            ("items", items),
            ("command-line", command_line),
            ("keys", keys),
            ("case", case_page),
            ("template", template_page),
        ):
            made[reference / f"{name}.{language.value}.md"] = write(language)
    made[ROOT / "README.md"] = readme(ROOT / "README.md", Language.EN)
    made[ROOT / "README.zh.md"] = readme(ROOT / "README.zh.md", Language.ZH)
    schema = json.dumps(checklists.schema(), indent=2, ensure_ascii=False) + "\n"
    made[ROOT / "checklists/checklist.schema.json"] = schema
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description="Write what the documentation takes from the code.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 when something is stale")
    parser.add_argument("--screenshots", action="store_true", help="make docs/images/ again")
    arguments = parser.parse_args()
    if arguments.screenshots:
        screenshots()
        return
    stale = []
    for path, text in documents().items():
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(path.relative_to(ROOT))
        if not arguments.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    for path in stale:
        print(f"stale: {path}" if arguments.check else path)
    if arguments.check and stale:
        sys.exit("run: python docs/generate.py")


if __name__ == "__main__":
    main()
