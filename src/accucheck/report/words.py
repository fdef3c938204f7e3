"""The words of the reports, in both languages."""

from __future__ import annotations

#: Shape beside word and colour, so that a state reads without colour too.
MARKS = {"problem": "✗", "ok": "✓", "not_applicable": "–", "undecided": "?"}

VERDICTS = {
    "problem": {"en": "problem found", "zh": "发现问题"},
    "ok": {"en": "no problem", "zh": "无问题"},
    "not_applicable": {"en": "not applicable", "zh": "不适用"},
    "undecided": {"en": "undecided", "zh": "无法判定"},
}
STATUSES = {
    "done": {"en": "done", "zh": "已完成"},
    "failed": {"en": "failed", "zh": "执行失败"},
    "skipped": {"en": "skipped", "zh": "已跳过"},
    "cancelled": {"en": "cancelled", "zh": "已取消"},
}
LEVELS = {
    "problem": {"en": "problem", "zh": "问题"},
    "suspect": {"en": "suspect", "zh": "疑点"},
    "info": {"en": "info", "zh": "提示"},
}
KINDS = {
    "static": {"en": "reads the scripts", "zh": "静态分析脚本"},
    "file": {"en": "reads files", "zh": "读取文件"},
    "live": {"en": "runs the project", "zh": "实际运行"},
    "own-training": {
        "en": "in a training run by accucheck with the functions from accucheck.yaml, not by the scripts",
        "zh": "观察的是 accucheck 用 accucheck.yaml 中的函数组成的训练，而非脚本的训练",
    },
}

WORDS = {
    # front matter
    "title": {"en": "Accuracy check report", "zh": "精度检查报告"},
    "case": {"en": "Project", "zh": "项目"},
    "generated": {"en": "Generated", "zh": "生成时间"},
    "tool": {"en": "Made with", "zh": "检查工具"},
    "checklists": {"en": "Checklists", "zh": "检查清单"},
    "checklist-version": {"en": "{title} (version {version})", "zh": "{title}（版本 {version}）"},
    "result": {"en": "Result", "zh": "检查结果"},
    "items": {"en": "Items", "zh": "检查项"},
    "probes": {"en": "Probes", "zh": "探针"},
    "overview": {
        "en": "{total} items: problem found {problem}, no problem {ok}, not applicable {not_applicable}, undecided {undecided}.",
        "zh": "共 {total} 项：发现问题 {problem} 项，无问题 {ok} 项，不适用 {not_applicable} 项，无法判定 {undecided} 项。",
    },
    "overview-unchecked": {
        "en": "Undecided because nothing has checked them: {count}.",
        "zh": "无法判定的各项中，有 {count} 项尚未检查。",
    },
    "overview-open": {
        "en": "Without a conclusion yet: {count}. These are counted as the probes suggest.",
        "zh": "尚未填写结论的有 {count} 项，暂按探针的建议计入。",
    },
    "overview-training-fails": {
        "en": "The user reported that training does not finish: results based on its curves say little.",
        "zh": "据填写，训练不能跑完（会报错退出），依赖训练曲线的结论仅供参考。",
    },
    "overview-training-unsure": {
        "en": "The user is not sure whether training finishes.",
        "zh": "据填写，不确定训练能否跑完。",
    },
    # the verdict
    "verdict": {"en": "Verdict", "zh": "总体结论"},
    "verdict-problem": {
        "en": "{count} {count:problem|problems} found: {concluded} confirmed by a person, {suggested} reported by probes only.",
        "zh": "发现问题：共 {count} 项，其中 {concluded} 项已由人工确认，{suggested} 项仅为探针建议。",
    },
    "verdict-problem-concluded": {
        "en": "{count} {count:problem|problems} found, {count:confirmed|all confirmed} by a person.",
        "zh": "发现问题：共 {count} 项，均已由人工确认。",
    },
    "verdict-problem-suggested": {
        "en": "The probes found {count} {count:problem|problems}; nobody has confirmed {count:it|them} yet.",
        "zh": "探针发现 {count} 项问题，尚未经人工确认。",
    },
    "verdict-nothing": {"en": "Nothing has been checked yet.", "zh": "尚未进行任何检查。"},
    "verdict-suspects-only": {
        "en": "No confirmed problem, but {count} {count:item is|items are} suspect and not decided yet.",
        "zh": "没有确定的问题，但有疑点尚待判断（{count} 项）。",
    },
    "verdict-little": {
        "en": "Nothing wrong was found, which says little: only {decided} of {total} {total:item was|items were} decided.",
        "zh": "目前没有发现问题，但 {total} 项中只判定了 {decided} 项，不足以下结论。",
    },
    "verdict-open": {
        "en": "Nothing wrong was found; {decided} of {total} {total:item was|items were} decided, with the caveats below.",
        "zh": "没有发现问题；{total} 项中判定了 {decided} 项，局限见下。",
    },
    "verdict-ok": {
        "en": "Nothing wrong was found: {total:the only item was|all {total} items were} decided.",
        "zh": "没有发现问题，{total} 项均已判定。",
    },
    "verdict-checked": {
        "en": "Checked: {decided} of {total} items decided, {person} concluded by a person; {done} probes completed, "
        "{failed} failed or cancelled, {skipped} skipped.",
        "zh": "检查范围：{total} 项中判定了 {decided} 项，其中人工填写结论 {person} 项；探针完成 {done} 个，失败或取消 {failed} 个，"
        "跳过 {skipped} 个。",
    },
    "verdict-limits": {"en": "Caveats", "zh": "需要注意"},
    "verdict-suspects": {"en": "Suspects that nobody has decided: {items}.", "zh": "有疑点、尚未判断：{items}。"},
    "verdict-failed": {
        "en": "Probes failed or were cancelled, so nothing is known about: {items}.",
        "zh": "有探针失败或被取消，相应内容未知：{items}。",
    },
    "verdict-stale": {
        "en": "Results are out of date because their inputs have changed: {items}.",
        "zh": "结果已过期（所检查的内容此后有改动）：{items}。",
    },
    "verdict-overruled": {
        "en": "Conclusions that differ from what the probes suggest: {items}.",
        "zh": "结论与探针建议不同：{items}。",
    },
    "verdict-suppressed": {
        "en": "Findings set aside by comments in the code or by a baseline, which are listed and do not count: {items}.",
        "zh": "有发现被代码注释或基线排除，已列出但不计入结论：{items}。",
    },
    "verdict-partial": {"en": "Examined in part only: {items}.", "zh": "只检查了一部分：{items}。"},
    "sure-concluded": {"en": "concluded by {by}", "zh": "已由人工确认（{by}）"},
    "sure-suggested": {"en": "{how}; not confirmed by a person", "zh": "{how}，未经人工确认"},
    "sure-likely": {"en": "likely", "zh": "很可能"},
    "sure-measured": {"en": "measured", "zh": "由实测得出"},
    "column-sure": {"en": "How sure", "zh": "把握程度"},
    # the grade
    "grade": {"en": "Is this worth filing?", "zh": "是否值得提交 issue"},
    "grade-why": {"en": "Why", "zh": "依据"},
    "grade-lacking": {"en": "Still missing", "zh": "还缺什么"},
    "grade-advice": {"en": "What to do", "zh": "下一步"},
    "and-more": {"en": "{count} more", "zh": "另有 {count} 项"},
    # what is always asked
    "asked": {"en": "What is always asked", "zh": "求助时必问的信息"},
    "asked-seeds": {"en": "Seeds", "zh": "随机种子"},
    "asked-runs": {"en": "Several runs", "zh": "多次运行"},
    "asked-data": {"en": "Verification of the data set", "zh": "数据集校验"},
    "asked-hyperparameters": {"en": "Hyperparameters", "zh": "超参"},
    "asked-loss-scale": {"en": "Loss scale", "zh": "loss scale"},
    "asked-curve": {"en": "Record of the loss", "zh": "loss 记录"},
    "asked-config": {"en": "Changes of the configuration", "zh": "配置改动"},
    "not-given": {"en": "not given", "zh": "未说明"},
    "config-changes": {
        "en": "Changes to the configuration since it was derived from the original",
        "zh": "与原始配置的差异",
    },
    "config-differs": {
        "en": "{count} {count:key differs|keys differ} from {base}",
        "zh": "与 {base} 相比，有 {count} 个键不同",
    },
    "config-same": {"en": "the same as {base}", "zh": "与 {base} 相同"},
    "column-config-key": {"en": "Key", "zh": "键"},
    "column-config-base": {"en": "Before", "zh": "原始配置"},
    "column-config-used": {"en": "Used", "zh": "实际配置"},
    # inputs and versions
    "inputs": {"en": "Files examined", "zh": "检查的文件及其校验值"},
    "column-input-key": {"en": "Key", "zh": "键"},
    "column-input-path": {"en": "Path", "zh": "路径"},
    "column-input-files": {"en": "Files", "zh": "文件数"},
    "column-input-bytes": {"en": "Bytes", "zh": "字节数"},
    "column-input-md5": {"en": "MD5", "zh": "MD5"},
    "column-input-method": {"en": "What the MD5 covers", "zh": "MD5 的范围"},
    "versions": {"en": "Versions of the tool", "zh": "工具版本"},
    "checklist": {"en": "Checklist", "zh": "检查清单"},
    "checklist-named": {"en": "{title} ({name}, version {version})", "zh": "{title}（{name}，版本 {version}）"},
    "probes-of": {"en": "{package} (results: {count})", "zh": "{package}（结果 {count} 个）"},
    # how to reproduce it
    "reproduce": {"en": "How to reproduce it", "zh": "复现步骤"},
    "step-code": {"en": "The code", "zh": "取得代码"},
    "code-clean": {"en": "All is committed.", "zh": "改动均已提交。"},
    "code-dirty": {
        "en": "{count} {count:file has|files have} changes that are not committed: they belong to it (git diff).",
        "zh": "另有 {count} 个文件的改动未提交，需一并提供（git diff）。",
    },
    "code-address": {
        "en": "The address of the repository is private and left out; whoever wrote the report knows it.",
        "zh": "仓库地址属于隐私信息，报告中不含，请向报告作者索取。",
    },
    "code-unknown": {
        "en": "Whether everything is committed could not be determined.",
        "zh": "未能确定改动是否均已提交。",
    },
    "code-no-git": {
        "en": "Not a git checkout; see the checksum of the code under “Files examined”.",
        "zh": "项目没有可供引用的 git 提交，代码的校验值见“检查的文件及其校验值”。",
    },
    "step-packages": {"en": "The packages", "zh": "安装软件包"},
    "packages-text": {
        "en": "Hardware, driver, CANN and Python as reported by the environment.",
        "zh": "硬件、驱动、CANN 和 Python 版本见“环境信息”。",
    },
    "step-data": {"en": "The data", "zh": "准备数据"},
    "data-text": {
        "en": "Checksums of data sets, checkpoints and logs are under “Files examined”.",
        "zh": "数据集、权重和日志及其校验值见“检查的文件及其校验值”。",
    },
    "data-check": {
        "en": "In the project's folder these take the same digests; accucheck manifest says “MD5 of the whole”.",
        "zh": "可在项目目录下用以下命令核对；accucheck manifest 给出的是“整体 MD5”。",
    },
    "step-training": {"en": "The training", "zh": "运行训练"},
    "training-given": {"en": "The command from accucheck.yaml.", "zh": "accucheck.yaml 中给出的命令。"},
    "training-derived": {
        "en": "Derived from script, devices and launcher in accucheck.yaml; further arguments are not known (runtime.command).",
        "zh": "由 accucheck.yaml 中的脚本、卡数和启动方式得出，脚本自身的参数未知（可填写 runtime.command）。",
    },
    "training-unknown": {
        "en": "The case names neither a command (runtime.command) nor a script (scripts.train).",
        "zh": "accucheck.yaml 未给出训练命令（runtime.command）或训练脚本（scripts.train）。",
    },
    "step-case-file": {"en": "accucheck.yaml in the project's folder", "zh": "项目目录下的 accucheck.yaml"},
    "case-file-text": {
        "en": "The case as it was examined; paths are relative to the project.",
        "zh": "本次检查所用的内容，路径相对于项目目录。",
    },
    "step-check": {"en": "The check", "zh": "运行检查"},
    "check-live": {
        "en": "--live runs the project's own code; read it before.",
        "zh": "--live 会运行项目自身的代码，运行前请先查看代码。",
    },
    "check-expected": {
        "en": "Expect the results above, minus the human conclusions.",
        "zh": "除人工填写的结论外，结果应与上文一致。",
    },
    "open-count": {"en": "not concluded {count}", "zh": "未填写结论 {count}"},
    "more-highlights": {"en": "{count:,} more below.", "zh": "另有 {count:,} 条，见后文。"},
    "environment": {"en": "Environment", "zh": "环境信息"},
    "others": {"en": "Other items", "zh": "其他检查项"},
    "others-full": {
        "en": "Methods, everything the probes checked, inputs with digests and the steps to reproduce: accucheck report --full",
        "zh": "检查方法、探针的全部记录、输入及其校验值和复现步骤见完整报告：accucheck report --full",
    },
    "brief-same": {"en": "The same here.", "zh": "此处同样。"},
    "brief-places": {
        "en": "{where} and {count:,} more {count:place|places}",
        "zh": "{where} 等（另有 {count:,} 处）",
    },
    "brief-by-probes": {"en": "{verdict}, by the probes", "zh": "{verdict}（探针建议）"},
    "brief-suspect": {"en": "suspect: {sure}", "zh": "疑点：{sure}"},
    "sure-open": {"en": "to be looked at", "zh": "有待确认"},
    "column-fix": {"en": "Fix", "zh": "修改"},
    "column-standing": {"en": "Result", "zh": "结果"},
    "summary": {"en": "Summary", "zh": "检查结论汇总"},
    "contents": {"en": "Contents", "zh": "目录"},
    "details": {"en": "Details", "zh": "逐项说明"},
    "not-checked": {"en": "Not checked, and why", "zh": "未检查的内容及原因"},
    # columns
    "column-item": {"en": "Item", "zh": "编号"},
    "column-title": {"en": "Title", "zh": "检查项"},
    "column-conclusion": {"en": "Conclusion", "zh": "检查结论"},
    "column-suggestion": {"en": "Suggested", "zh": "探针建议"},
    "column-by": {"en": "By", "zh": "填写人"},
    "column-note": {"en": "Note", "zh": "备注"},
    "column-probe": {"en": "Probe", "zh": "探针"},
    "column-why": {"en": "Why", "zh": "原因"},
    "column-where": {"en": "Where", "zh": "位置"},
    "column-what": {"en": "What", "zh": "问题"},
    "column-key": {"en": "Entry", "zh": "项目"},
    "column-value": {"en": "Value", "zh": "内容"},
    "column-path": {"en": "Path", "zh": "路径"},
    "column-caption": {"en": "Caption", "zh": "说明"},
    # conclusions
    "so-far": {
        "en": "so far: {suggestion}; more of its probes are still to run",
        "zh": "目前：{suggestion}；此项还有探针待运行",
    },
    "lacking": {
        "en": "Not examined, as these keys are not set (set them in accucheck.yaml, or run with --set KEY=VALUE):",
        "zh": "以下各键未给出，相应检查项未（完整）检查；可在 accucheck.yaml 中补充，或用 --set KEY=VALUE 给出：",
    },
    "lacking-watched": {
        "en": "{title}, made by: accucheck watch -- python train.py",
        "zh": "{title}，用此命令生成：accucheck watch -- python train.py",
    },
    "lacking-title": {"en": "{key} ({title})", "zh": "{key}（{title}）"},
    "left-needs-consent": {
        "en": "Live probes left out, as they run the project's own code; --live allows it ({count:,}): {items}",
        "zh": "运行时探针会运行项目自身的代码，未获授权，未运行 {count:,} 个（--live 表示授权）：{items}",
    },
    "left-needs-address-consent": {
        "en": "Probes left out, as nobody agreed to read from {addresses}; --remote allows it ({count:,}): {items}",
        "zh": "未获授权读取 {addresses}，未运行 {count:,} 个探针（--remote 表示授权）：{items}",
    },
    "named-more": {"en": "and {count:,} more", "zh": "等（另有 {count:,} 项）"},
    "open": {"en": "not filled in (suggested: {suggestion})", "zh": "未填写（建议：{suggestion}）"},
    "open-unchecked": {"en": "not filled in (nothing has been checked)", "zh": "未填写（尚未检查）"},
    "unfilled": {"en": "not filled in", "zh": "未填写"},
    "unchecked": {"en": "nothing checked", "zh": "尚未检查"},
    "by": {"en": "{who}, {when}", "zh": "{who}，{when}"},
    "agent": {"en": "Agent", "zh": "智能体"},
    "agent-said": {
        "en": "{conclusion} (a program concluded this, not a person)",
        "zh": "{conclusion}（由程序得出，非人工结论）",
    },
    "overruled": {
        "en": "The conclusion differs from the suggestion ({suggestion}).",
        "zh": "结论与探针的建议（{suggestion}）不同。",
    },
    # items
    "method": {"en": "How to check", "zh": "检查方法"},
    "conclusion": {"en": "Conclusion", "zh": "检查结论"},
    "remedy": {"en": "Remedy", "zh": "处理建议"},
    "references": {"en": "References", "zh": "参考资料"},
    "note": {"en": "Note", "zh": "备注"},
    "attachments": {"en": "Attachments", "zh": "附件"},
    "attachment-missing": {"en": "{name} (not found when the report was made)", "zh": "{name}（生成报告时未找到）"},
    "attachment-alone": {
        "en": "{name} (not copied: the session came without its project)",
        "zh": "{name}（未拷贝：仅有会话文件，没有项目）",
    },
    "attachment-unseen": {
        "en": "{name} (not looked into for private data)",
        "zh": "{name}（未做隐私检查）",
    },
    "private": {"en": "Private data", "zh": "隐私信息"},
    "private-hidden": {
        "en": "replaced by names such as <host-1>, the same for the same ({count:,} different)",
        "zh": "已替换为 <host-1> 一类的代号，相同内容代号相同（共 {count:,} 种）",
    },
    "private-none": {"en": "looked for; none was found", "zh": "已检查，未发现"},
    "private-shown": {"en": "not replaced (--no-redact)", "zh": "未做脱敏（--no-redact）"},
    "attachment-outside": {
        "en": "{name} (not copied: only pictures and plain files of the project, up to {limit} MB, are; attach it again)",
        "zh": "{name}（未拷贝：仅收录项目内的图片和不超过 {limit} MB 的普通文件，请重新添加）",
    },
    "attachment-large": {
        "en": "{name} (too large for this page; the Markdown report brings it along)",
        "zh": "{name}（过大，未收入本页，可另行生成 Markdown 报告取得）",
    },
    "attachment-over": {
        "en": "{name} (not copied: a report takes {limit} files)",
        "zh": "{name}（未拷贝：一份报告最多收入 {limit} 个附件）",
    },
    "attachment-unreadable": {
        "en": "{name} (not shown: no picture that can be read, or too large)",
        "zh": "{name}（未显示：不是可读取的图片，或图片过大）",
    },
    "note-cut": {
        "en": "{shown:,} of {total:,} characters of the note",
        "zh": "备注共 {total:,} 字符，此处为前 {shown:,} 字符",
    },
    "not-applicable": {
        "en": "By the case, this item does not apply. It applies to: {applies}",
        "zh": "根据 accucheck.yaml，本项不适用。适用范围：{applies}",
    },
    "no-probe": {"en": "No automated probe yet; check by hand.", "zh": "尚无自动探针，请人工检查。"},
    "not-run-why": {"en": "Not run in this session.", "zh": "本次会话中未运行。"},
    "results": {"en": "What the probes found", "zh": "探针结果"},
    "suggests": {"en": "suggests: {suggestion}", "zh": "建议：{suggestion}"},
    "seconds": {"en": "{seconds} s", "zh": "{seconds} 秒"},
    "stale": {
        "en": "out of date: its inputs have changed; run it again",
        "zh": "已过期：所检查的内容此后有改动，请重新运行",
    },
    "status-why": {"en": "{status}: {why}", "zh": "{status}：{why}"},
    "no-findings": {"en": "Nothing to report.", "zh": "没有发现。"},
    "incomplete-findings": {"en": "Nothing was found before it ended.", "zh": "结束前没有发现。"},
    "explain-nothing": {
        "en": "No probe has checked this item yet: accucheck run --only {item}",
        "zh": "尚无探针检查过此项，可运行：accucheck run --only {item}",
    },
    "more-findings": {
        "en": "{count:,} more {count:finding is|findings are} in the JSON report.",
        "zh": "另有 {count:,} 条发现，见 JSON 报告。",
    },
    "more-evidence": {
        "en": "{count:,} more {count:table or chart is|tables or charts are} left out here; see the walkthrough.",
        "zh": "另有 {count:,} 个表格或图表未收入报告，可在向导中查看。",
    },
    "why": {"en": "Why it hurts accuracy", "zh": "对精度的影响"},
    "sure": {"en": "How sure", "zh": "把握程度"},
    "proof": {"en": "What would prove it", "zh": "验证方法"},
    "labelled": {"en": "{label}: {text}", "zh": "{label}：{text}"},
    "fix": {"en": "Fix", "zh": "修改建议"},
    "log": {"en": "End of its log", "zh": "日志末尾"},
    "incomplete": {"en": "Not examined in full: {message}", "zh": "未能完整检查：{message}"},
    # the path of a checklist
    "path": {"en": "The path walked", "zh": "定位路径"},
    "path-here": {"en": "(you are here)", "zh": "（当前位置）"},
    "path-suggested": {"en": "{verdict} (suggested)", "zh": "{verdict}（建议）"},
    "path-otherwise": {"en": "otherwise", "zh": "其余情况"},
    "path-inputs": {"en": "Inputs of this step", "zh": "本步所需输入"},
    "path-given": {"en": "{name}: {paths}", "zh": "{name}：{paths}"},
    "path-lacking": {"en": "{name}: {paths} does not exist yet", "zh": "{name}：{paths} 尚不存在"},
    "path-wanted": {"en": "{name}: not set in accucheck.yaml", "zh": "{name}：accucheck.yaml 中未给出"},
    "path-written": {
        "en": "{name}: {paths} was written; name it in accucheck.yaml",
        "zh": "{name}：已写出 {paths}，请填入 accucheck.yaml",
    },
    "path-optional": {"en": "{text} (optional)", "zh": "{text}（可选）"},
    "path-collect": {
        "en": "{title} ({framework}; writes {path})",
        "zh": "{title}（{framework}，写入 {path}）",
    },
    "path-ways": {"en": "Where it leads", "zh": "结果与去向"},
    "path-end": {"en": "The end: {title}", "zh": "终点：{title}"},
    "path-mend": {"en": "Problems: {items}", "zh": "发现问题的检查项：{items}"},
    "path-lacks": {"en": "Inputs still missing there", "zh": "该步尚缺的输入"},
    "path-advice": {"en": "What to do", "zh": "处理办法"},
    "path-stands": {
        "en": "Not finished: the path is at {item}.",
        "zh": "尚未走到终点，目前停在 {item}。",
    },
    "column-step": {"en": "Step", "zh": "步骤"},
    "column-answer": {"en": "Answer", "zh": "结果"},
    "column-evidence": {"en": "Evidence", "zh": "依据"},
    "column-leads": {"en": "Leads to", "zh": "去向"},
    # evidence
    "evidence": {"en": "Evidence ({count})", "zh": "证据（{count} 项）"},
    "rows": {"en": "first {shown:,} of {total:,} rows", "zh": "共 {total:,} 行，此处为前 {shown:,} 行"},
    "columns": {"en": "first {shown} of {total} columns", "zh": "共 {total} 列，此处为前 {shown} 列"},
    "points": {"en": "first {shown:,} of {total:,} points", "zh": "共 {total:,} 个点，此处为前 {shown:,} 个"},
    "series": {"en": "first {shown} of {total:,} curves", "zh": "共 {total:,} 条曲线，此处为前 {shown} 条"},
    "marks": {"en": "first {shown} of {total:,} marks", "zh": "共 {total:,} 个标记，此处为前 {shown} 个"},
    "sarif-root": {
        "en": "The root of the git repository, or the project's folder if there is none.",
        "zh": "git 仓库的根目录；不在仓库中时为项目目录。",
    },
    "whole-table": {
        "en": "{count:The only row that was|All {count:,} rows that were} recorded: {file}",
        "zh": "已记录的全部 {count:,} 行见 {file}",
    },
    "lines": {"en": "first {shown:,} of {total:,} lines", "zh": "共 {total:,} 行，此处为前 {shown:,} 行"},
    "figure": {"en": "Figure {number}", "zh": "图 {number}"},
    "table": {"en": "Table {number}", "zh": "表 {number}"},
    "bars": {"en": "first {shown} of {total}", "zh": "共 {total} 项，此处为前 {shown} 项"},
    "samples": {
        "en": "{count:,} {count:sample|samples} of the data left out; --samples shows them",
        "zh": "未列出 {count:,} 个数据集样本，加 --samples 可列出",
    },
    "pictures": {
        "en": "pictures of the data are not copied into reports",
        "zh": "出于数据保密考虑，报告中不包含数据集图片",
    },
    "yes": {"en": "yes", "zh": "是"},
    "no": {"en": "no", "zh": "否"},
    "more-rows": {"en": "{count:,} more.", "zh": "另有 {count:,} 条。"},
    "page": {"en": "Page {page} of {pages}", "zh": "第 {page} 页，共 {pages} 页"},
    # what changed since an earlier round
    "since": {"en": "Changes since the last round", "zh": "与上一轮相比的变化"},
    "since-sides": {"en": "{before} → {after}", "zh": "{before} → {after}"},
    "since-same": {"en": "Nothing has changed.", "zh": "没有变化。"},
    "since-counts": {
        "en": "Findings: {gone:,} gone, {new:,} new, {still:,} still there.",
        "zh": "发现：已消除 {gone:,}，新增 {new:,}，仍存在 {still:,}。",
    },
    "since-counts-unknown": {"en": "Not examined again: {unknown:,}.", "zh": "本轮未检查：{unknown:,}。"},
    "since-counts-fresh": {"en": "Not examined before: {fresh:,}.", "zh": "上一轮未检查：{fresh:,}。"},
    "since-gone": {"en": "gone", "zh": "已消除"},
    "since-new": {"en": "new", "zh": "新增"},
    "since-still": {"en": "still there", "zh": "仍存在"},
    "since-altered": {"en": "still there, changed", "zh": "仍存在，有变化"},
    "since-unknown": {"en": "not examined again", "zh": "本轮未检查"},
    "since-fresh": {"en": "not examined before", "zh": "上一轮未检查"},
    "since-conclusion": {"en": "conclusion", "zh": "结论"},
    "since-suggestion": {"en": "suggestion", "zh": "建议"},
    "since-note": {"en": "note", "zh": "备注"},
    "since-review": {"en": "review", "zh": "评审"},
    "since-comment": {"en": "comment", "zh": "评审意见"},
    "since-sign-off": {"en": "sign-off", "zh": "签署"},
    "since-none": {"en": "none", "zh": "无"},
    "since-change": {"en": "{before} → {after}", "zh": "{before} → {after}"},
    "since-was": {"en": "{after} (before: {before})", "zh": "{after}（此前：{before}）"},
    "signed": {"en": "signed off", "zh": "已签署"},
    "void": {"en": "void", "zh": "已失效"},
    "column-change": {"en": "Change", "zh": "变化"},
    "column-changed": {"en": "What changed", "zh": "具体内容"},
    # review
    "review": {"en": "Review", "zh": "评审"},
    "accepted": {"en": "accepted", "zh": "通过"},
    "returned": {"en": "returned", "zh": "退回"},
    "outdated": {"en": "to review again", "zh": "待复审"},
    "unreviewed": {"en": "to review", "zh": "待评审"},
    "review-outdated": {
        "en": "{judgement} before; the answer or the findings have changed since, so it must be reviewed again",
        "zh": "此前{judgement}；结论或探针结果此后有改动，待复审",
    },
    "review-counts": {
        "en": "Review: accepted {accepted}, returned {returned}, to review {open}.",
        "zh": "评审：通过 {accepted} 项，退回 {returned} 项，待评审 {open} 项。",
    },
    "sign-off": {"en": "Sign-off", "zh": "评审签署"},
    "sign-off-by": {
        "en": "Signed off by {who}, {when}: {count} {count:item|items}.",
        "zh": "{who} 于 {when} 签署，共 {count} 项。",
    },
    "sign-off-none": {"en": "Not signed off.", "zh": "未签署。"},
    "sign-off-void": {
        "en": "The sign-off is void: these items have changed since: {items}.",
        "zh": "以下各项此后有改动，签署已失效：{items}。",
    },
}
