"""The page of the case file: each key with its type, its meaning and the probes that need it."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any

import msgspec

from accucheck import case as cases
from accucheck import probe as probes
from accucheck.knowledge import known_datasets
from accucheck.language import Language, Words, word

from .markdown import cell, code, page, table
from .probes import built_in
from .words import say

ROLES: Words = {
    "train": {"en": "training", "zh": "训练"},
    "eval": {"en": "evaluation", "zh": "评估"},
    "infer": {"en": "inference", "zh": "推理"},
}

#: What each key of a case means; patterns as in fnmatch, the first that fits.
MEANINGS: Words = {
    "name": {
        "en": "name of the case, used in reports and their file names (default: the folder's name)",
        "zh": "项目名称，用于报告及其文件名（默认为目录名）",
    },
    "language": {"en": "`zh` or `en`; `--lang` goes before it", "zh": "`zh` 或 `en`；`--lang` 优先"},
    "goal.metric": {
        "en": "what the training is measured by, for instance `accuracy`; reports begin with what was reached and expected",
        "zh": "衡量训练的指标，如 `accuracy`；报告首行给出已达到值与期望值",
    },
    "goal.reached": {"en": "what the training reached", "zh": "训练已达到的值"},
    "goal.expected": {"en": "what it should reach, in the same unit", "zh": "期望达到的值（单位与上一项相同）"},
    "goal.source": {
        "en": "what says so: a paper, a README, a run of the benchmark",
        "zh": "期望值的依据：论文、README 或标杆运行结果",
    },
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
        "zh": "训练环境的 Python 解释器，供运行时探针使用（默认为 accucheck 自身的解释器）",
    },
    "runtime.mode": {"en": "`graph` or `pynative`", "zh": "`graph` 或 `pynative`"},
    "runtime.amp": {
        "en": "mixed precision: `O0`, `O1`, `O2`, `O3`, `auto` or `none`",
        "zh": "混合精度：`O0`、`O1`、`O2`、`O3`、`auto` 或 `none`",
    },
    "runtime.distributed.devices": {
        "en": "number of devices; with 1, dp.05 does not apply",
        "zh": "卡数；为 1 时 dp.05 不适用",
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
        "en": "`module:function` of the project that returns the data set for {name}, or `module:name` of one at the top of a script",
        "zh": "返回{name}数据集的函数，写作 `模块:函数`；或脚本顶层的数据集，写作 `模块:变量名`",
    },
    "network.call": {"en": "`module:function` that builds the network", "zh": "构建网络的 `模块:函数`"},
    "phases.*.network.call": {"en": "the network of this phase", "zh": "该阶段的网络"},
    "phases.*.network.inputs": {"en": "as network.inputs, of this phase", "zh": "同 network.inputs，用于该阶段"},
    "phases.*.loss.call": {
        "en": "the loss of this phase; with a network of its own and without a loss, that network gives the loss",
        "zh": "该阶段的损失函数；该阶段有自己的网络而没有损失函数时，由网络给出 loss",
    },
    "phases.*.loss.inputs": {"en": "as loss.inputs, of this phase", "zh": "同 loss.inputs，用于该阶段"},
    "phases.*.optimizer.call": {
        "en": "the optimizer of this phase, given the trainable parameters that `frozen` does not name",
        "zh": "该阶段的优化器，得到 `frozen` 未指定的可训练参数",
    },
    "phases.*.pipeline.call": {
        "en": "the data of this phase; those of pipelines.train by default",
        "zh": "该阶段的数据；默认为 pipelines.train",
    },
    "phases.*.frozen": {
        "en": "patterns of the parameter names that stay in this phase",
        "zh": "在该阶段保持不变的参数名模式",
    },
    "network.inputs": {
        "en": "the columns of the training pipeline that the network takes, in order; by default those that are no labels",
        "zh": "网络依次接受训练数据管道的哪些列；默认为标签以外的列",
    },
    "loss.inputs": {
        "en": "what the loss takes, in order: `network` for what the network gives (`network.0` for the first of several outputs) and "
        "columns of the training pipeline, as in `[network, label, weight]`; by default the output and the labels",
        "zh": "损失函数依次接受的内容：`network` 表示网络的输出（有多个输出时 `network.0` 为第一个），其余为训练数据管道的列，"
        "例如 `[network, label, weight]`；默认为网络输出和标签",
    },
    "loss.call": {"en": "`module:function` that builds the loss", "zh": "构建损失函数的 `模块:函数`"},
    "optimizer.call": {
        "en": "`module:function` that makes the optimizer of the parameters given first; Momentum by default",
        "zh": "创建优化器的 `模块:函数`，首个参数是参数列表；默认为 Momentum",
    },
    "*.args": {
        "en": "its arguments, by name; one that is a mapping with `call` and `args` is made first",
        "zh": "调用参数，按名称给出；若某个参数是含 `call` 和 `args` 的映射，则先按它创建",
    },
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
    "watched": {
        "en": "folder of a run that `accucheck watch` watched; the last one is found by itself",
        "zh": "`accucheck watch` 观察的一次运行的目录；缺省时使用最近一次",
    },
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
    "design.padding.columns.*.value": {
        "en": "the value that fills this column, where it is another one",
        "zh": "该列补齐所用的值（与上面不同时）",
    },
    "design.padding.columns.*.side": {
        "en": "the side of this column, where it is the other one",
        "zh": "该列补齐的一侧（与上面不同时）",
    },
    "design.padding.mask": {"en": "name of the mask column", "zh": "掩码所在的列名"},
    "tune.search": {
        "en": "what `accucheck tune` searches: values by the name of an option or of a key of a configuration",
        "zh": "`accucheck tune` 搜索的内容：选项或配置键的名称及其取值",
    },
    "tune.metric": {
        "en": "the metric that it goes by (default: the accuracy of the evaluation, else its loss)",
        "zh": "搜索所依据的指标（默认：评估的准确率，没有则为评估 loss）",
    },
    "benchmark.framework": {
        "en": "framework of the benchmark (default: `pytorch`)",
        "zh": "标杆所用框架（默认 `pytorch`）",
    },
    "benchmark.scripts.*": {"en": "the benchmark's scripts for {name}", "zh": "标杆的{name}脚本"},
}


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
        raise SystemExit(f"docs/generator/case_file.py: MEANINGS lacks {key}")
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
        links = ", ".join(f"[{name}](../probes/{name}.md)" for name in users)
        rows.append([code(key), cell(_type(kind, language)), cell(meaning(key, language)), links or "-"])
    head = [say("case-key", language), say("type", language), say("meaning", language), say("needed", language)]
    names = ", ".join(dict.fromkeys(entry.dataset for entry in known_datasets.load()))
    known = [f"## {say('known', language)}", "", say("known-text", language), "", names, ""]
    return page(say("case", language), language, [say("case-text", language), ""], table(head, rows), known)
