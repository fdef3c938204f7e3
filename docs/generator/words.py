"""What the generated pages say beside the words of the code: headings, columns, short texts."""

from __future__ import annotations

from typing import Any

from accucheck.language import Language, Words, word

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
    "count-all": {
        "en": "Each of the {total} items has probes, and a method to check by hand.",
        "zh": "{total} 项都配有探针，也都给出了人工检查的方法。",
    },
    "man-name": {"en": "NAME", "zh": "名称"},
    "man-brief": {
        "en": "locate why a MindSpore model does not reach its accuracy",
        "zh": "定位 MindSpore 模型精度不达标的原因",
    },
    "man-synopsis": {"en": "SYNOPSIS", "zh": "概要"},
    "man-description": {"en": "DESCRIPTION", "zh": "描述"},
    "man-options": {"en": "OPTIONS", "zh": "选项"},
    "man-commands": {"en": "COMMANDS", "zh": "命令"},
    "man-status": {"en": "EXIT STATUS", "zh": "退出码"},
    "command-line": {"en": "The command line", "zh": "命令行"},
    "option": {"en": "Argument or option", "zh": "参数或选项"},
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
    "exit-nothing": {
        "en": "`run`: no probe ran, so that nothing was examined",
        "zh": "`run`：没有任何探针运行，即什么都没有检查",
    },
    "exit-interrupted": {"en": "interrupted", "zh": "被中断"},
    "keys": {"en": "The keys of the walkthrough", "zh": "向导的按键"},
    "key": {"en": "Key", "zh": "按键"},
    "does": {"en": "What it does", "zh": "作用"},
    "screen-checklist": {"en": "Checklist", "zh": "检查清单"},
    "screen-evidence": {"en": "Evidence, full size", "zh": "全屏证据"},
    "screen-mend": {"en": "Mend", "zh": "修改"},
    "screen-samples": {"en": "Samples (ds.02)", "zh": "查看样本（ds.02）"},
    "screen-sheet": {"en": "Contact sheet of the samples", "zh": "样本总览"},
    "screen-path": {"en": "The path of a checklist", "zh": "定位路径"},
    "step": {"en": "Choose a step", "zh": "选择步骤"},
    "screen-export": {"en": "Report", "zh": "生成报告"},
    "screen-anywhere": {"en": "Anywhere, also in dialogs", "zh": "任何位置（包括对话框）"},
    "key-id": {"en": "Id for a key map", "zh": "按键映射中的标识"},
    "of-author": {"en": "{words} (author)", "zh": "{words}（作者）"},
    "of-reviewer": {"en": "{words} (reviewer)", "zh": "{words}（评审人）"},
    "screen-curves": {"en": "The curves", "zh": "曲线"},
    "screen-network": {"en": "The network", "zh": "网络"},
    "screen-training": {"en": "The first question", "zh": "第一个问题"},
    "screen-error": {"en": "Fix the error first", "zh": "请先解决报错"},
    "screen-start": {"en": "Start (a project without accucheck.yaml)", "zh": "开始（项目尚无 accucheck.yaml）"},
    "screen-case": {"en": "Changing the inputs", "zh": "修改项目输入"},
    "screen-recent": {"en": "Recent projects", "zh": "最近的项目"},
    "screen-watch": {"en": "A command under watch", "zh": "观察训练运行"},
    "screen-trial": {"en": "Trying fixes", "zh": "试用修改"},
    "screen-search": {"en": "Searching for hyper-parameters", "zh": "超参搜索"},
    "screen-next": {"en": "Next steps", "zh": "下一步"},
    "screen-glossary": {"en": "Terms", "zh": "术语"},
    "screen-value": {"en": "Typing an input", "zh": "填写输入的取值"},
    "screen-picker": {"en": "Picking a file or folder", "zh": "选择文件或目录"},
    "screen-palette": {"en": "Command palette", "zh": "命令面板"},
    "screen-themes": {"en": "Themes", "zh": "配色"},
    "screen-demo": {"en": "Guided demo (besides those of the checklist)", "zh": "引导演示（检查清单的按键之外）"},
    "complete": {"en": "Complete the path", "zh": "补全路径"},
    "pick": {"en": "Pick a file or folder", "zh": "选择文件或目录"},
    "take-value": {"en": "Take the value", "zh": "采用该取值"},
    "unfold": {"en": "Unfold or fold a cell", "zh": "展开或折叠"},
    "leave": {"en": "Leave it as it was", "zh": "取消，保持原样"},
    "into": {"en": "Open the folder, or take the file", "zh": "进入目录，或选定文件"},
    "up": {"en": "Go up one folder", "zh": "上级目录"},
    "take-folder": {"en": "Take the folder", "zh": "选定该目录"},
    "filter": {"en": "Filter the list", "zh": "过滤列表"},
    "choose": {"en": "Do it", "zh": "执行"},
    "preview": {"en": "Choose a theme, and see it", "zh": "选择配色并预览"},
    "keep": {"en": "Keep the theme", "zh": "采用该配色"},
    "hint": {"en": "Show or hide the line that says what to do", "zh": "显示或隐藏提示行"},
    "move": {"en": "Choose a line of the list", "zh": "在列表中选择"},
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
    "glossary": {"en": "The terms", "zh": "术语"},
    "section": {"en": "Section", "zh": "类别"},
    # the tour
    "tour-start": {"en": "accucheck, in a project: what it recognised", "zh": "在项目中运行 accucheck：识别出的输入"},
    "tour-checklist": {"en": "b: the checklist.  R: all probes run", "zh": "b：检查清单。R：运行全部探针"},
    "tour-next": {
        "en": "w: what to do next, the likely and cheap things first",
        "zh": "w：下一步，可能性大、代价小的在前",
    },
    "tour-item": {"en": "Enter: the item and what its probes found", "zh": "Enter：该检查项与探针的发现"},
    "tour-evidence": {
        "en": "v: the code, why it hurts, the proof and the mend",
        "zh": "v：代码、对精度的影响、验证方法与修改",
    },
    # items and probes
    "language": {"en": "English", "zh": "中文"},
    "semicolon": {"en": "; ", "zh": "；"},
    "colon": {"en": ": ", "zh": "："},
    "kind": {"en": "What it touches", "zh": "检查方式"},
    "needs": {"en": "Needs of the case", "zh": "必需的键"},
    "needs-nothing": {"en": "nothing", "zh": "无"},
    "uses": {"en": "Also reads", "zh": "还会读取"},
    "whole-page": {
        "en": "Every message of this probe, and its examples",
        "zh": "该探针的完整说明、全部消息与示例（说明为英文）",
    },
    "parameters": {"en": "Parameters", "zh": "参数"},
    "parameter-meaning": {"en": "Meaning", "zh": "含义（英文）"},
    "value": {"en": "Default", "zh": "默认值"},
    "unit": {"en": "Unit", "zh": "单位"},
    "source": {"en": "Source of the default", "zh": "默认值的来源（英文）"},
    "here": {"en": "{value} here, else {default}", "zh": "此处 {value}，默认 {default}"},
    "examples": {
        "en": "What it finds: its own examples, as the program words them",
        "zh": "发现示例：探针在自带示例上的实际输出",
    },
    "clean": {"en": "Where nothing is wrong it says:", "zh": "没有问题时的输出："},
    "watched-findings": {"en": "What watching a run finds", "zh": "观察运行能发现什么"},
    "watched-intro": {
        "en": "The findings of probes that read a recording of [`accucheck watch`](../watch.en.md), each with a tested example.",
        "zh": "读取 [`accucheck watch`](../watch.zh.md) 记录的各探针的每种发现，均附测试所运行的示例。",
    },
    "more-rows": {"en": "({count:,} more rows)", "zh": "（另有 {count:,} 行）"},
    "collect-text": {
        "en": "Keys of accucheck.yaml that this step lives on, and code that collects what they name; `accucheck path` prints it too.",
        "zh": "本步用到的 accucheck.yaml 中的键，以及采集相应数据的代码；也可用 `accucheck path` 打印。",
    },
    # wheels
    "platforms": {"en": "Wheels for aarch64", "zh": "aarch64 上的 wheel"},
    "platforms-text": {
        "en": "What `pip` takes from the package index for Linux on aarch64 (Kunpeng and other Arm servers) with Python {python}: "
        "accucheck with all extras, {count} packages, wheels alone, so that nothing is compiled. "
        "Asked on {date}; later versions may differ.\n"
        "Checked were names and metadata of the wheels; of those that are named for any machine but hold machine code (MindSpore), its "
        "header in the wheel too. Not checked, for want of such a machine: that they install and run there.\n"
        "glibc 2.28 is that of openEuler 20.03, CentOS 8 and Debian 10, or newer; 2.17 that of CentOS 7. `ldd --version` prints it.",
        "zh": "在 aarch64 Linux（鲲鹏等 Arm 服务器）上，`pip` 用 Python {python} 从软件包索引选取的 wheel："
        "accucheck 及全部附加依赖，共 {count} 个包，全部为 wheel，无需编译。查询日期 {date}，之后的版本可能不同。\n"
        "核对的是 wheel 的文件名和元数据；文件名标为任意平台但含有机器码的（MindSpore），还读取了其中机器码的文件头。"
        "没有这种机器，因此未在其上实际安装和运行。\n"
        "glibc 2.28 对应 openEuler 20.03、CentOS 8、Debian 10 及更新的系统，2.17 对应 CentOS 7；可用 `ldd --version` 查看。",
    },
    "package": {"en": "Package", "zh": "包"},
    "needed-for": {"en": "Needed for", "zh": "用于"},
    "wheel": {"en": "Wheel", "zh": "wheel"},
    "for-machine": {"en": "aarch64", "zh": "aarch64"},
    "for-any": {"en": "any machine", "zh": "任意平台"},
    "python-glibc": {"en": "Python {version}, glibc {glibc}", "zh": "Python {version}，glibc {glibc}"},
}


def say(key: str, language: Language, /, **data: Any) -> str:
    return word(WORDS, key, language, **data)
