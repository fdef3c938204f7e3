"""What kept a static probe from seeing everything, as findings: the same words in all of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..language import Words
from ..model import Finding, Level, Where

if TYPE_CHECKING:
    from ..script.analysis import Scripts
    from ..script.folder import Folder

#: Part of the MESSAGES of every static probe.
MESSAGES: Words = {
    "unreadable": {"en": "{problem}", "zh": "{problem}"},
    "no-config": {
        "en": "{name} is loaded here, but does not exist or cannot be read in the project: its values are unknown.",
        "zh": "此处加载的 {name} 不存在或无法在工程目录下读取，其中的取值未知。",
    },
    "configurations-taken": {
        "en": "No command says which configuration {path} loads. Analysed one by one: {files}; other candidates: {count:,}.",
        "zh": "没有命令说明 {path} 加载哪个配置文件。依次按 {files} 分析；另有 {count} 个可能的文件未分析。",
    },
    "broken-config": {
        "en": "This configuration file is not valid YAML ({problem}): its values are unknown.",
        "zh": "该配置文件不是有效的 YAML（{problem}），其中的取值未知。",
    },
    "options-refused": {
        "en": "The command of the run does not fit the options that are parsed here: {words}. Their defaults are examined instead.",
        "zh": "运行命令与此处解析的命令行选项不符：{words}。改按选项的默认值检查。",
    },
    "option-type": {
        "en": "The command of the run gives this option a value of the wrong type: {words}. Its value counts as unknown.",
        "zh": "运行命令给该选项的取值与其类型不符：{words}。按未知处理。",
    },
    "options-unknown": {
        "en": "The command of the run passes arguments that match no option parsed here: {words}.",
        "zh": "运行命令给出的参数在此处解析，但没有与之对应的选项：{words}。",
    },
    "config-type": {
        "en": "The configuration gives this option a value of the wrong type: {words}. Its value counts as unknown.",
        "zh": "配置文件给该选项的取值与其类型不符：{words}。按未知处理。",
    },
    "config-key": {
        "en": "The configuration sets a key that matches no option and that the scripts do not read, "
        "as far as they could be followed: {words}.",
        "zh": "配置文件中的该键没有对应的选项，在已分析的脚本中也没有读取：{words}。",
    },
    "config-cycle": {
        "en": "{words} is loaded here again while it is being loaded: the configurations include each other, and their values are unknown.",
        "zh": "此处在加载 {words} 的过程中又加载了它：配置文件相互包含，其中的取值未知。",
    },
    "name-unknown": {
        "en": "The configuration or the command names something here that nothing registers, as far as the scripts are followed: {words}.",
        "zh": "此处按配置或命令中的名称查找，但在已分析的脚本中没有注册该名称：{words}。",
    },
    "command-elsewhere": {
        "en": "The command of the run starts none of the scripts that are examined, as far as it can be read: {command}. Defaults of "
        "options are examined instead.",
        "zh": "从运行命令看不出它启动了所检查的脚本：{command}。改按选项的默认值检查。",
    },
    "too-complex": {
        "en": "{path} is too deeply nested or too long to be followed to its end.",
        "zh": "{path} 嵌套过深或过长，未能完整分析。",
    },
    "too-many-files": {
        "en": "There are more than {limit:,} Python files; the rest was not read.",
        "zh": "Python 文件超过 {limit:,} 个，其余未读取。",
    },
}


#: Gaps that leave settings unknown, and let everything else be judged.
UNKNOWN = frozenset(
    (
        "configurations-taken",
        "no-config",
        "broken-config",
        "option-type",
        "options-refused",
        "options-unknown",
        "config-type",
        "config-key",
        "config-cycle",
        "name-unknown",
        "command-elsewhere",
    )
)


def findings(scripts: Scripts | Folder) -> Iterator[Finding]:
    """A gap leaves the probe undecided unless it finds a problem. Settings that are not to be seen do not: they are unknown, and told so
    where it matters."""
    for gap in scripts.gaps:
        where = Where(path=gap.path or None, line=gap.line)
        yield Finding(gap.code, Level.INFO, where, dict(gap.data), incomplete=gap.code not in UNKNOWN)
