"""The words of the reports, in both languages."""

from __future__ import annotations

#: Shape beside word and colour, so that a state reads without colour too.
MARKS = {"problem": "✗", "ok": "✓", "not_applicable": "–", "undecided": "?"}

VERDICTS = {
    "problem": {"en": "problem found", "zh": "发现问题"},
    "ok": {"en": "no problem", "zh": "无问题"},
    "not_applicable": {"en": "not applicable", "zh": "不涉及"},
    "undecided": {"en": "undecided", "zh": "未能判定"},
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
}

WORDS = {
    # front matter
    "title": {"en": "Accuracy check report", "zh": "精度检查报告"},
    "case": {"en": "Case", "zh": "检查对象"},
    "generated": {"en": "Generated", "zh": "生成时间"},
    "tool": {"en": "Made with", "zh": "检查工具"},
    "checklists": {"en": "Checklists", "zh": "检查清单"},
    "checklist-version": {"en": "{title} (version {version})", "zh": "{title}（版本 {version}）"},
    "result": {"en": "Result", "zh": "检查结果"},
    "items": {"en": "Items", "zh": "检查项"},
    "probes": {"en": "Probes", "zh": "探针"},
    "overview": {
        "en": "{total} items: problem found {problem}, no problem {ok}, not applicable {not_applicable}, undecided {undecided}.",
        "zh": "共 {total} 项：发现问题 {problem} 项，无问题 {ok} 项，不涉及 {not_applicable} 项，未能判定 {undecided} 项。",
    },
    "overview-unchecked": {
        "en": "Undecided because nothing has checked them: {count}.",
        "zh": "未能判定的各项中，有 {count} 项尚未检查。",
    },
    "overview-open": {
        "en": "Without a conclusion yet: {count}. These are counted as the probes suggest.",
        "zh": "尚未填写结论的有 {count} 项，暂按探针的建议计入。",
    },
    "open-count": {"en": "not concluded {count}", "zh": "未填写结论 {count}"},
    "highlights": {"en": "Main problems", "zh": "主要问题"},
    "more-highlights": {"en": "{count:,} more below.", "zh": "另有 {count:,} 条，见后文。"},
    "environment": {"en": "Environment", "zh": "环境信息"},
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
    "open": {"en": "not filled in (suggested: {suggestion})", "zh": "未填写（建议：{suggestion}）"},
    "open-unchecked": {"en": "not filled in (nothing has been checked)", "zh": "未填写（尚未检查）"},
    "unfilled": {"en": "not filled in", "zh": "未填写"},
    "unchecked": {"en": "nothing checked", "zh": "尚未检查"},
    "by": {"en": "{who}, {when}", "zh": "{who}，{when}"},
    "overruled": {
        "en": "The conclusion differs from the suggestion ({suggestion}).",
        "zh": "结论与探针的建议（{suggestion}）不同。",
    },
    # items
    "method": {"en": "How to check", "zh": "检查方法"},
    "conclusion": {"en": "Conclusion", "zh": "检查结论"},
    "meaning": {"en": "What it means", "zh": "结论含义"},
    "remedy": {"en": "Remedy", "zh": "处理建议"},
    "references": {"en": "References", "zh": "参考资料"},
    "note": {"en": "Note", "zh": "备注"},
    "attachments": {"en": "Attachments", "zh": "附件"},
    "attachment-missing": {"en": "{name} (not found when the report was made)", "zh": "{name}（生成报告时未找到）"},
    "attachment-outside": {
        "en": "{name} (not copied: only pictures, and plain files of the project up to {limit} MB, are)",
        "zh": "{name}（未拷贝：仅拷贝图片，以及项目内不超过 {limit} MB 的普通文件）",
    },
    "not-applicable": {
        "en": "By the case, this item does not apply. It applies to: {applies}",
        "zh": "根据检查对象的配置，本项不涉及。适用范围：{applies}",
    },
    "no-probe": {"en": "No automated probe yet; check by hand.", "zh": "尚无自动探针，请人工检查。"},
    "not-run-why": {"en": "Not run in this session.", "zh": "本次会话中未运行。"},
    "results": {"en": "What the probes found", "zh": "探针结果"},
    "suggests": {"en": "suggests: {suggestion}", "zh": "建议：{suggestion}"},
    "seconds": {"en": "{seconds} s", "zh": "{seconds} 秒"},
    "stale": {
        "en": "out of date: what it examined has changed since; run it again",
        "zh": "已过期：所检查的内容此后有改动，请重新运行",
    },
    "status-why": {"en": "{status}: {why}", "zh": "{status}：{why}"},
    "no-findings": {"en": "Nothing to report.", "zh": "没有发现。"},
    "incomplete-findings": {"en": "Nothing was found before it ended.", "zh": "结束前没有发现。"},
    "more-findings": {
        "en": "{count:,} more findings are in the JSON report.",
        "zh": "另有 {count:,} 条发现，见 JSON 报告。",
    },
    "more-evidence": {
        "en": "{count:,} more tables or charts are left out here; see the walkthrough.",
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
    "path-inputs": {"en": "What this step lives on", "zh": "本步所需输入"},
    "path-given": {"en": "{name}: {paths}", "zh": "{name}：{paths}"},
    "path-lacking": {"en": "{name}: {paths} does not exist yet", "zh": "{name}：{paths} 尚不存在"},
    "path-wanted": {"en": "{name}: not given in accucheck.yaml", "zh": "{name}：accucheck.yaml 中未给出"},
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
    "path-lacks": {"en": "Lacking there", "zh": "该步尚缺的输入"},
    "path-advice": {"en": "What to do", "zh": "处理办法"},
    "path-stands": {
        "en": "Not at an end yet: the path stands at {item}.",
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
    "sarif-root": {
        "en": "The root of the git repository, or the project's folder where it lies in none.",
        "zh": "git 仓库的根目录；不在仓库中时为项目目录。",
    },
    "whole-table": {
        "en": "All {count:,} rows that were recorded: {file}",
        "zh": "已记录的全部 {count:,} 行见 {file}",
    },
    "lines": {"en": "first {shown:,} of {total:,} lines", "zh": "共 {total:,} 行，此处为前 {shown:,} 行"},
    "figure": {"en": "Figure {number}", "zh": "图 {number}"},
    "table": {"en": "Table {number}", "zh": "表 {number}"},
    "bars": {"en": "first {shown} of {total}", "zh": "共 {total} 项，此处为前 {shown} 项"},
    "pictures": {
        "en": "Pictures of the data are not copied into reports.",
        "zh": "出于数据保密考虑，报告中不包含数据集图片。",
    },
    "yes": {"en": "yes", "zh": "是"},
    "no": {"en": "no", "zh": "否"},
    "more-rows": {"en": "{count:,} more.", "zh": "另有 {count:,} 条。"},
    "page": {"en": "Page {page} of {pages}", "zh": "第 {page} 页，共 {pages} 页"},
}
