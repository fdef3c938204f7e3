"""Everything the walkthrough says, in both languages."""

from ..language import Words

WORDS: Words = {
    # verdicts and states
    "problem": {"zh": "发现问题", "en": "problem"},
    "ok": {"zh": "无问题", "en": "no problem"},
    "not_applicable": {"zh": "不适用", "en": "not applicable"},
    "undecided": {"zh": "无法判定", "en": "undecided"},
    "open": {"zh": "未检查", "en": "not checked"},
    "failed": {"zh": "探针失败", "en": "probe failed"},
    "running": {"zh": "运行中", "en": "running"},
    "suspect": {"zh": "疑点", "en": "suspect"},
    # the same states where a line has little room
    "short-problem": {"zh": "问题", "en": "problem"},
    "short-ok": {"zh": "无问题", "en": "ok"},
    "short-not_applicable": {"zh": "不适用", "en": "n/a"},
    "short-undecided": {"zh": "未定", "en": "unsure"},
    "short-open": {"zh": "未查", "en": "to do"},
    "short-failed": {"zh": "失败", "en": "failed"},
    "short-running": {"zh": "运行中", "en": "running"},
    "skipped": {"zh": "已跳过", "en": "skipped"},
    "cancelled": {"zh": "已取消", "en": "cancelled"},
    "stale": {
        "zh": "已过期，按 {@run-stale:x} 重新运行全部过期项，按 {@run:r} 只运行本项",
        "en": "out of date: {@run-stale:x} runs all such again, {@run:r} only this item",
    },
    # top bar
    "saved": {"zh": "已保存", "en": "saved"},
    "saving": {"zh": "保存中", "en": "saving"},
    "unsaved": {"zh": "未保存", "en": "not saved"},
    "read-only": {"zh": "只读", "en": "read-only"},
    # tabs and panes
    "tab-method": {"zh": "检查方法", "en": "Method"},
    "tab-evidence": {"zh": "证据 {count}", "en": "Evidence {count}"},
    "tab-conclusion": {"zh": "结论", "en": "Conclusion"},
    "tab-history": {"zh": "历史", "en": "History"},
    "how": {"zh": "检查方法", "en": "How to check"},
    "remedy": {"zh": "处理建议", "en": "How to fix it"},
    "applies": {"zh": "适用范围", "en": "When it applies"},
    "references": {"zh": "参考资料", "en": "References"},
    "meaning": {"zh": "结论含义", "en": "What each conclusion means"},
    "concluded-by": {"zh": "{who} 于 {when} 填写", "en": "concluded by {who}, {when}"},
    "not-concluded": {"zh": "未填写", "en": "not concluded"},
    "suggestion": {"zh": "建议：{verdict}", "en": "suggested: {verdict}"},
    "suggestion-against": {"zh": "探针建议：{verdict}", "en": "probes suggest: {verdict}"},
    "suggestion-accept": {"zh": "建议：{verdict}（Enter 接受）", "en": "suggested: {verdict} (Enter accepts)"},
    "not-applicable-why": {
        "zh": "根据 accucheck.yaml，本项不适用。",
        "en": "According to accucheck.yaml, this item does not apply.",
    },
    "note": {"zh": "备注", "en": "Note"},
    "colon": {"zh": "：", "en": ": "},
    "attachments": {"zh": "附件", "en": "Attachments"},
    "no-history": {"zh": "暂无记录。", "en": "Nothing yet."},
    "no-probe": {
        "zh": "本项暂无探针：请按“检查方法”检查，再按 1、2 或 3 填写结论。",
        "en": "There is no probe for this item yet: follow the method, then record a conclusion with 1, 2 or 3.",
    },
    "not-run": {"zh": "{probe}：尚未运行，按 {@run:r} 运行", "en": "{probe}: not run yet, {@run:r} runs it"},
    "not-run-busy": {"zh": "{probe}：尚未运行", "en": "{probe}: not run yet"},
    "suggests": {"zh": "建议：{verdict}", "en": "suggests: {verdict}"},
    "nothing-found": {"zh": "没有发现。", "en": "Nothing found."},
    "log": {"zh": "日志", "en": "Log"},
    "more-findings": {"zh": "另有 {count:,} 条，见报告", "en": "{count:,} more, in the report"},
    "why": {"zh": "对精度的影响", "en": "Why it hurts accuracy"},
    "sure": {"zh": "把握程度", "en": "How sure"},
    "sure-certain": {"zh": "确定", "en": "certain"},
    "sure-likely": {"zh": "很可能", "en": "likely"},
    "sure-possible": {"zh": "有可能", "en": "possible"},
    "proof": {"zh": "验证方法", "en": "What would prove it"},
    "fix": {"zh": "修改建议", "en": "Fix"},
    "rows": {"zh": "{shown:,} / {total:,} 行", "en": "{shown:,} of {total:,} rows"},
    "rows-all": {"zh": "{total:,} 行", "en": "{total:,} {total:row|rows}"},
    "history-concluded": {"zh": "结论：{conclusion} {note}", "en": "concluded: {conclusion} {note}"},
    "history-agent-concluded": {
        "zh": "智能体的结论：{conclusion} {note}",
        "en": "an agent concluded: {conclusion} {note}",
    },
    "agent": {"zh": "智能体", "en": "Agent"},
    "agent-said": {
        "zh": "{conclusion}（由程序得出，非人工结论）",
        "en": "{conclusion} (a program concluded this, not a person)",
    },
    "history-withdrawn": {"zh": "撤回结论", "en": "conclusion withdrawn"},
    "history-noted": {"zh": "备注：{note}", "en": "note: {note}"},
    "history-attached": {"zh": "附件：{note}", "en": "attached: {note}"},
    "history-ran": {"zh": "运行 {probe}，建议：{suggestion}", "en": "ran {probe}, suggested: {suggestion}"},
    "history-accepted": {"zh": "评审通过：{conclusion} {note}", "en": "accepted: {conclusion} {note}"},
    "history-returned": {"zh": "评审退回：{conclusion} {note}", "en": "returned: {conclusion} {note}"},
    "history-unreviewed": {"zh": "撤回评审意见", "en": "review withdrawn"},
    "filter": {
        "zh": "按编号、标题或评审状态（退回、通过、待复审）过滤，Esc 清除",
        "en": "filter by id, title or review (returned, accepted, again), Esc clears",
    },
    # review
    "accepted": {"zh": "通过", "en": "accepted"},
    "returned": {"zh": "退回", "en": "returned"},
    "outdated": {"zh": "待复审", "en": "to review again"},
    "unreviewed": {"zh": "待评审", "en": "not reviewed"},
    "review": {"zh": "评审", "en": "Review"},
    "role-reviewer": {"zh": "评审：{who}", "en": "reviewer: {who}"},
    "reviewed-by": {"zh": "{who} 于 {when}", "en": "by {who}, {when}"},
    "review-was": {
        "zh": "此前{judgement}；结论或探针结果此后有改动，待复审",
        "en": "{judgement} before; the answer or the findings have changed since: to review again",
    },
    "authors-only": {
        "zh": "当前身份为评审人：按 1 通过、2 退回、3 撤回评审意见；结论由作者填写",
        "en": "You are the reviewer: 1 accepts, 2 returns, 3 takes that back; answers are their author's",
    },
    "reviewers-only": {
        "zh": "评审须以评审人身份打开：accucheck --role reviewer --as 姓名",
        "en": "Reviews are made as a reviewer: accucheck --role reviewer --as NAME",
    },
    "comment-title-returned": {
        "zh": "退回 {item} 的原因（Enter 保存，Ctrl+J 换行）",
        "en": "Why {item} is returned (Enter saves, Ctrl+J new line)",
    },
    "comment-title-accepted": {
        "zh": "{item} 的评审意见（Enter 保存，Ctrl+J 换行）",
        "en": "Comment on {item} (Enter saves, Ctrl+J new line)",
    },
    "review-all-title": {
        "zh": "通过以下 {count:,} 项与探针建议一致的结论？",
        "en": "Accept {count:this answer|these {count:,} answers} that the probes agree with?",
    },
    "review-all-none": {
        "zh": "没有尚未评审且与探针建议一致的结论",
        "en": "There is no answer without a review that the probes agree with",
    },
    "sign-off-refused": {"zh": "尚不能签署", "en": "Not ready to be signed off"},
    "sign-off-title": {"zh": "签署评审？", "en": "Sign the review off?"},
    "sign-off-text": {
        "zh": "{titles}：共 {count:,} 项，均已填写结论且评审通过。签署人：{who}。此后如有改动，签署即失效。",
        "en": "{titles}: {count:the only item is|all {count:,} items are} concluded and accepted. By {who}. A later change voids it.",
    },
    "signed": {"zh": "{who} 已签署", "en": "Signed off by {who}"},
    "signed-by": {"zh": "{who} 于 {when} 签署", "en": "signed off by {who}, {when}"},
    "sign-off-void": {
        "zh": "签署已失效（{who}，{when}）：此后有改动的项 {items}",
        "en": "sign-off of {who}, {when} is void, changed since: {items}",
    },
    "key-accept": {"zh": "通过", "en": "accept"},
    "key-return": {"zh": "退回", "en": "return"},
    "key-sign-off": {"zh": "签署", "en": "sign off"},
    "command-review-all": {
        "zh": "通过所有与探针建议一致的结论",
        "en": "Accept all answers that the probes agree with",
    },
    "command-review-accept": {"zh": "评审：通过", "en": "Review: accept"},
    "command-review-return": {"zh": "评审：退回", "en": "Review: return"},
    "command-review-withdraw": {"zh": "评审：撤回意见", "en": "Review: take it back"},
    "command-comment": {"zh": "填写评审意见", "en": "Write a comment on the review"},
    "command-undo-review": {"zh": "撤销上一次评审", "en": "Undo the last review"},
    "command-sign-off": {"zh": "签署评审", "en": "Sign the review off"},
    # progress
    "progress": {
        "zh": "{probe}  {done:,}{of} {unit}{left}{pace}  Esc 取消",
        "en": "{probe}  {done:,}{of} {unit}{left}{pace}  Esc cancels",
    },
    "pace": {"zh": "  {rate:,.0f}/秒", "en": "  {rate:,.0f}/s"},
    "progress-start": {"zh": "{probe}  启动中  Esc 取消", "en": "{probe}  starting  Esc cancels"},
    "left": {"zh": "  剩余 {time}", "en": "  {time} left"},
    "unit-files": {"zh": "个文件", "en": "files"},
    "unit-bytes": {"zh": "字节", "en": "bytes"},
    "unit-rows": {"zh": "行", "en": "rows"},
    "unit-samples": {"zh": "个样本", "en": "samples"},
    "unit-tensors": {"zh": "个张量", "en": "tensors"},
    "unit-steps": {"zh": "步", "en": "steps"},
    # keys
    "key-run": {"zh": "运行", "en": "run"},
    "key-run-all": {"zh": "全部运行", "en": "run all"},
    "key-conclude": {"zh": "结论", "en": "conclude"},
    "key-note": {"zh": "备注", "en": "note"},
    "key-next": {"zh": "下一项", "en": "next"},
    "key-filter": {"zh": "过滤", "en": "filter"},
    "key-export": {"zh": "报告", "en": "report"},
    "key-language": {"zh": "EN", "en": "中文"},
    "key-help": {"zh": "帮助", "en": "help"},
    "key-quit": {"zh": "退出", "en": "quit"},
    "key-undo": {"zh": "撤销", "en": "undo"},
    "key-palette": {"zh": "命令", "en": "commands"},
    "key-back": {"zh": "返回", "en": "back"},
    "key-copy": {"zh": "复制", "en": "copy"},
    "key-save-as": {"zh": "另存", "en": "save as"},
    "key-write": {"zh": "生成", "en": "write"},
    "key-begin": {"zh": "开始", "en": "begin"},
    "key-toggle": {"zh": "选用", "en": "use"},
    "key-edit": {"zh": "修改", "en": "change"},
    "key-previous": {"zh": "上一条", "en": "previous"},
    "key-following": {"zh": "下一条", "en": "next"},
    # commands of the palette, and help
    "command-run": {"zh": "运行本项的探针", "en": "Run this item's probes"},
    "command-run-all": {"zh": "运行所有适用的探针", "en": "Run all probes that apply"},
    "command-cancel": {"zh": "取消正在运行的探针", "en": "Cancel the running probes"},
    "command-accept": {"zh": "接受本项的建议结论", "en": "Accept this item's suggestion"},
    "command-accept-all": {
        "zh": "接受所有“无问题”“不适用”的建议",
        "en": "Accept all suggestions of no problem and not applicable",
    },
    "command-conclude-problem": {"zh": "结论：发现问题", "en": "Conclude: problem"},
    "command-conclude-ok": {"zh": "结论：无问题", "en": "Conclude: no problem"},
    "command-conclude-not_applicable": {"zh": "结论：不适用", "en": "Conclude: not applicable"},
    "command-note": {"zh": "填写备注", "en": "Write a note"},
    "command-editor": {
        "zh": "用 $EDITOR 打开所选发现的代码，未选发现时填写备注",
        "en": "Open the code of the current finding in $EDITOR, or write the note there",
    },
    "command-attach": {"zh": "添加附件", "en": "Attach a file"},
    "command-undo": {"zh": "撤销上一次结论或备注", "en": "Undo the last conclusion or note"},
    "command-next": {"zh": "下一项", "en": "Next item"},
    "command-previous": {"zh": "上一项", "en": "Previous item"},
    "command-sheet": {"zh": "一屏查看 20 个样本", "en": "Look at 20 samples at a time"},
    "command-sheet-up": {"zh": "上一行样本", "en": "The row of samples above"},
    "command-sheet-down": {"zh": "下一行样本", "en": "The row of samples below"},
    "command-sheet-next": {"zh": "下一屏样本", "en": "The next sheet of samples"},
    "command-sheet-previous": {"zh": "上一屏样本", "en": "The previous sheet of samples"},
    "command-sheet-one": {"zh": "单独查看光标处的样本", "en": "Look at the sample under the cursor alone"},
    "key-sheet": {"zh": "一屏 20 个", "en": "sheet"},
    "key-sheet-move": {"zh": "移动", "en": "move"},
    "key-sheet-next": {"zh": "下一屏", "en": "next sheet"},
    "key-sheet-one": {"zh": "单个", "en": "one"},
    "sheet-head": {
        "zh": "样本标签  {role}  {first}–{last}/{total}",
        "en": "Labels  {role}  {first} to {last} of {total}",
    },
    "help-sheet": {
        "zh": "一屏样本：每格是标签和样本内容。方向键移动，r 对、w 错、d 不确定，标记后光标移到下一个；Esc 返回单个样本。",
        "en": "A sheet of samples with their labels. Arrows move the cursor; r right, w wrong, d unsure, then the next. Esc goes back "
        "to one sample at a time.",
    },
    "command-jump": {"zh": "跳转：按字母到达屏幕上的任一处", "en": "Jump: a letter for each place on the screen"},
    "command-filter": {"zh": "过滤列表", "en": "Filter the list"},
    "command-export": {"zh": "生成报告", "en": "Write the report"},
    "command-show-checklist": {"zh": "打开检查清单：{title}", "en": "Open checklist: {title}"},
    "command-hide-checklist": {"zh": "收起检查清单：{title}", "en": "Put away checklist: {title}"},
    "command-language": {"zh": "切换到英文", "en": "Switch to Chinese"},
    "command-copy": {"zh": "复制本项内容（支持 SSH，OSC 52）", "en": "Copy this item (works over SSH, OSC 52)"},
    "command-view": {"zh": "全屏查看证据", "en": "View the evidence full size"},
    "key-list": {"zh": "列表", "en": "list"},
    "command-list": {"zh": "显示或隐藏检查项列表（窄终端）", "en": "Show or hide the list (narrow terminals)"},
    "command-help": {"zh": "帮助", "en": "Help"},
    "command-quit": {"zh": "退出（已全部保存）", "en": "Quit (everything is saved)"},
    "command-palette": {"zh": "命令面板", "en": "Command palette"},
    "command-search": {"zh": "搜索命令", "en": "Search the commands"},
    "help-here": {"zh": "当前焦点", "en": "Where you are"},
    "help-keys": {"zh": "按键", "en": "Keys"},
    "help-signs": {"zh": "符号", "en": "Signs"},
    "help-items": {
        "zh": "检查项列表：↑↓ 选择，Enter 接受建议结论，Tab 切换到右侧。",
        "en": "The items: up and down choose, Enter accepts the suggestion, Tab goes to the right.",
    },
    "help-findings": {
        "zh": "发现与证据：↑↓ 选择，Enter 全屏查看。",
        "en": "Findings and evidence: up and down choose, Enter opens full size.",
    },
    "help-tabs": {"zh": "页签：←→ 切换。", "en": "Tabs: left and right change them."},
    "help-other": {"zh": "Tab 切换焦点，Esc 返回上一级。", "en": "Tab moves the focus, Esc backs out one level."},
    "help-suggestion": {
        "zh": "探针只给出建议（灰色），结论由您填写：按 1、2、3，或按 Enter 接受建议。",
        "en": "A probe only suggests (greyed); you conclude: 1, 2, 3, or Enter to accept the suggestion.",
    },
    "help-items-review": {
        "zh": "检查项列表：↑↓ 选择，Tab 切换到右侧看证据和历史。",
        "en": "The items: up and down choose, Tab goes to the right, to evidence and history.",
    },
    "help-review": {
        "zh": "结论由作者填写，您逐项评审：1 通过，2 退回并说明原因，A 通过所有与探针一致的结论，S 签署。",
        "en": "The author concludes and you review: 1 accepts, 2 returns and asks why, A accepts all that the probes agree with, "
        "S signs off.",
    },
    # samples
    "key-samples": {"zh": "看样本", "en": "samples"},
    "key-right": {"zh": "对", "en": "right"},
    "key-wrong": {"zh": "错", "en": "wrong"},
    "key-unsure": {"zh": "不确定", "en": "unsure"},
    "key-back-one": {"zh": "上一个", "en": "previous"},
    "key-forward": {"zh": "下一个", "en": "next"},
    "key-open": {"zh": "未标注", "en": "unmarked"},
    "key-role": {"zh": "训练/评估", "en": "train/eval"},
    "command-samples": {"zh": "查看样本并标注标签对错", "en": "Look at samples and mark their labels"},
    "command-mark-right": {"zh": "标签正确", "en": "The label is right"},
    "command-mark-wrong": {"zh": "标签有误", "en": "The label is wrong"},
    "command-mark-unsure": {"zh": "不确定", "en": "Unsure"},
    "command-mark-none": {"zh": "撤销该样本的标注", "en": "Take the mark back"},
    "command-sample-previous": {"zh": "上一个样本", "en": "Previous sample"},
    "command-sample-next": {"zh": "下一个样本", "en": "Next sample"},
    "command-sample-open": {"zh": "跳到下一个未标注的样本", "en": "Next sample that is not marked"},
    "command-sample-note": {"zh": "给该样本写备注", "en": "Write a note on the sample"},
    "command-role": {"zh": "在训练与评估数据之间切换", "en": "Change between training and evaluation data"},
    "command-sample-copy": {"zh": "复制该样本的编号与内容", "en": "Copy the sample's place and fields"},
    "command-back": {"zh": "返回检查清单", "en": "Back to the checklist"},
    "help-samples": {
        "zh": "样本：先看内容，再判断标签是否正确；每次标注都会立即保存。",
        "en": "Samples: look at one, then say whether its label is right; each mark is saved at once.",
    },
    "no-samples-here": {
        "zh": "本项没有样本可看：样本属于 ds.02",
        "en": "This item has no samples to look at; ds.02 has",
    },
    "samples-title": {"zh": "样本", "en": "Samples"},
    "samples-loading": {"zh": "正在读取样本……", "en": "Reading the samples..."},
    "samples-drawing": {"zh": "正在抽样……", "en": "Drawing samples..."},
    "gaps-more": {
        "zh": "另有 {count:,} 处未能读取，可用 accucheck labels --redraw 逐一列出",
        "en": "{count:,} more could not be read; accucheck labels --redraw names them",
    },
    "samples-none-read-only": {
        "zh": "尚未抽样，而会话为只读，无法保存抽样结果。",
        "en": "No sample has been drawn yet, and the session is read-only, so none can be stored.",
    },
    "samples-done": {"zh": "样本已全部标注，按 Esc 返回", "en": "All samples are marked; Esc goes back"},
    "no-other-data": {"zh": "accucheck.yaml 未给出 {key}", "en": "accucheck.yaml does not set {key}"},
    "role-train": {"zh": "训练数据", "en": "training data"},
    "role-eval": {"zh": "评估数据", "en": "evaluation data"},
    "mark-open": {"zh": "未标注", "en": "not marked"},
    "samples-filter": {
        "zh": "按类别、标注（对、错、不确定、未标注）、备注或名称过滤；之后按 Esc 恢复全部",
        "en": "Filter by class, mark (right, wrong, unsure, not marked), note or name; later Esc shows all again",
    },
    "mark-right": {"zh": "对", "en": "right"},
    "mark-wrong": {"zh": "错", "en": "wrong"},
    "mark-unsure": {"zh": "不确定", "en": "unsure"},
    "marked-by": {"zh": "{who} 标注", "en": "by {who}"},
    "sample-label": {"zh": "标签", "en": "label"},
    "sample-loading": {"zh": "正在读取……", "en": "Reading..."},
    "picture-size": {"zh": "图片 {width} x {height}", "en": "picture {width} x {height}"},
    "rate-left": {
        "zh": "未标注 {left:,}，不确定 {unsure:,}，{state}",
        "en": "{left:,} not marked, {unsure:,} unsure, {state}",
    },
    "rate-none": {
        "zh": "尚未标注：请看样本，再判断标签是否正确",
        "en": "nothing marked yet: look, then say whether the label is right",
    },
    "rate-wrong": {
        "zh": "有误 {wrong:,}/{looked:,} = {share:.1%}，95% 区间 {low:.1%} 至 {high:.1%}",
        "en": "wrong {wrong:,} of {looked:,} = {share:.1%}, 95 % interval {low:.1%} to {high:.1%}",
    },
    "rate-right": {
        "zh": "{looked:,} 个中未发现错误，错误率大概率低于 {high:.1%}",
        "en": "no error found in {looked:,}; the rate is most likely below {high:.1%}",
    },
    "rate-weighted": {"zh": "，按标签加权 {weighted:.1%}", "en": ", weighted by label {weighted:.1%}"},
    "marks-not-saved": {
        "zh": "标注仍保留在内存中；解决后再标注一次即会保存，再按一次 Esc 则不保存直接返回。",
        "en": "The marks are kept in memory; the next mark saves them once this is fixed. Press Esc again to leave without saving.",
    },
    # the path
    "ways": {"zh": "结果与去向（按 {@path:p} 查看路径）", "en": "Where it leads ({@path:p} shows the path)"},
    "key-path": {"zh": "路径", "en": "path"},
    "key-path-open": {"zh": "打开", "en": "open"},
    "key-path-view": {"zh": "全屏", "en": "full size"},
    "command-path-view": {"zh": "全屏查看该步及其代码", "en": "Show this step and its code full size"},
    "command-path": {"zh": "查看定位路径与当前位置", "en": "Show the path and the current step"},
    "command-path-open": {"zh": "打开该步的检查项", "en": "Open the item of this step"},
    "command-path-run": {"zh": "打开该步并运行其探针", "en": "Open this step and run its probes"},
    "command-path-framework": {"zh": "切换采集代码的框架", "en": "Code for the other framework"},
    "command-path-copy": {"zh": "复制采集代码（支持 SSH，OSC 52）", "en": "Copy the code (works over SSH, OSC 52)"},
    "path-stale": {"zh": "（结果已过期）", "en": "(out of date)"},
    "key-path-write": {"zh": "填入 yaml", "en": "into yaml"},
    "command-path-write": {
        "zh": "将采集到的数据填入 accucheck.yaml",
        "en": "Add the collected files to accucheck.yaml",
    },
    "path-none-written": {
        "zh": "采集代码尚未写出 accucheck.yaml 中缺少的数据",
        "en": "No snippet has written anything that accucheck.yaml does not name yet",
    },
    "path-write-title": {
        "zh": "写入 {path}？已有内容保持不变。",
        "en": "Write this into {path}? Existing keys are kept.",
    },
    "command-path-save": {"zh": "将采集代码另存为文件", "en": "Save the code to a file"},
    "help-path": {
        "zh": "定位路径：上方是已走过的步骤、当前位置和后续步骤，下方是所选步骤的结果、所需输入和采集代码。"
        "步骤后的数字是其余分支的条数，空格展开。",
        "en": "The path: past steps, the current one and what may follow; below, the selected step with its inputs and collection code. "
        "The number after a step counts its other branches; the space bar shows them.",
    },
    "path-head": {
        "zh": "{title}：定位路径，已走 {behind} 步，当前位于 {at}",
        "en": "{title}: the path, {behind} answered, now at {at}",
    },
    "path-at-end": {"zh": "终点", "en": "the end"},
    "path-here": {"zh": "（当前位置）", "en": "(you are here)"},
    "path-suggested": {"zh": "{verdict}（建议）", "en": "{verdict} (suggested)"},
    "path-end": {"zh": "终点：{title}", "en": "The end: {title}"},
    "path-problems": {"zh": "发现问题的检查项：", "en": "Problems:"},
    "path-concluded": {"zh": "结论：{verdict}（{who}）", "en": "concluded: {verdict} ({who})"},
    "path-open": {"zh": "尚无结果", "en": "no answer yet"},
    "path-inputs": {"zh": "所需输入", "en": "Inputs"},
    "path-no-inputs": {
        "zh": "本步无需采集数据，按 Enter 查看检查方法。",
        "en": "Nothing is collected for this step; Enter shows how to check.",
    },
    "path-code": {"zh": "采集代码（{framework}）", "en": "Code that collects it ({framework})"},
    "path-no-code": {"zh": "本步没有采集代码", "en": "There is no code for this step"},
    "path-next": {"zh": "下一步：{way}（按 {@path:p} 查看路径）", "en": "Next: {way} ({@path:p} shows the path)"},
    "path-offer": {"zh": "打开“{title}”？", "en": "Open “{title}”?"},
    "path-offer-text": {
        "zh": "当前打开的清单没有定位路径。“标杆脚本对比清单”把项目与标杆脚本（如 PyTorch 版）逐步对比，由每一步的结果决定下一步。",
        "en": "No open checklist has a path. This one compares with a benchmark, such as the script in PyTorch, step by step: each "
        "result decides what comes next.",
    },
    "path-offer-yes": {"zh": "打开并查看路径", "en": "Open it and show its path"},
    "first-hint": {
        "zh": "尚未运行任何探针：按 {@run-all:R} 运行全部探针，按 {@run:r} 只运行本项；结束后列出下一步。",
        "en": "Nothing has run yet: {@run-all:R} runs all probes, {@run:r} only those of this item; then the next steps are listed.",
    },
    "first-hint-watch": {
        "zh": "尚未运行任何探针：按 {@watch:W} 观察一次实际训练，按 {@run-all:R} 运行全部探针，按 {@run:r} 只运行本项；结束后列出下一步。",
        "en": "Nothing has run yet: {@watch:W} watches a real training, {@run-all:R} runs all probes, {@run:r} only those "
        "of this item; then the next steps are listed.",
    },
    "command-follow": {
        "zh": "脚本保存后自动重新运行过期的探针（开或关）",
        "en": "Rerun stale probes whenever a script is saved (on or off)",
    },
    "follow-on": {
        "zh": "已开启：保存脚本后自动重新运行过期的静态和文件探针，列表随之更新。按 {key} 关闭。",
        "en": "On: when a script is saved, its stale static and file probes run again and the list follows. {key} turns it off.",
    },
    "follow-off": {"zh": "已关闭：保存脚本后不再自动运行", "en": "Off: saving a script no longer reruns probes"},
    # messages
    "busy": {"zh": "探针正在运行，请等待完成或按 Esc 取消", "en": "Probes are running; wait, or cancel with Esc"},
    "cancel-title": {"zh": "停止运行？", "en": "Stop the run?"},
    "cancel-text": {
        "zh": "已完成 {done:,}/{total:,} 个探针，其结果已保存；其余探针保留上一次的完整结果。",
        "en": "Done and saved: {done:,} of {total:,}. The other probes keep their last complete result.",
    },
    "cancel-yes": {"zh": "停止", "en": "Stop"},
    "cancel-no": {"zh": "继续运行", "en": "Keep running"},
    "run-cancelled": {
        "zh": "已取消 {count:,} 个探针；上一次的完整结果均保留",
        "en": "{count:,} {count:probe|probes} cancelled; the last complete results are kept",
    },
    "cancelling": {"zh": "正在取消……", "en": "Cancelling..."},
    "run-finished": {"zh": "{item} {probe}：{outcome}", "en": "{item} {probe}: {outcome}"},
    "all-finished": {
        "zh": "运行结束：{problem:,} 项发现问题，{failed:,} 个探针失败",
        "en": "Done: {problem:,} {problem:item|items} with problems, {failed:,} {failed:probe|probes} failed",
    },
    "nothing-to-run": {"zh": "没有可运行的探针", "en": "There is no probe to run"},
    "nothing-to-accept": {
        "zh": "没有可接受的建议：无法判定时请按 1、2 或 3",
        "en": "There is no suggestion to accept: when undecided, press 1, 2 or 3",
    },
    "accept-awaited": {
        "zh": "本项的探针尚未全部运行完：请等待结束，或按 1、2、3 自行填写结论",
        "en": "Probes of this item are still running: wait for them, or conclude yourself with 1, 2 or 3",
    },
    "nothing-to-undo": {"zh": "没有可撤销的操作", "en": "There is nothing to undo"},
    "undone": {"zh": "已撤销：{item}", "en": "Undone: {item}"},
    "copied": {"zh": "已复制", "en": "Copied"},
    "read-only-banner": {
        "zh": "只读，可查看、运行、复制和生成报告：{why}",
        "en": "Read-only; looking, running, copying and reports work. {why}",
    },
    "read-only-why": {
        "zh": "会话为只读：{why}",
        "en": "The session is read-only: {why}",
    },
    "written": {"zh": "已写入 {path}", "en": "Wrote {path}"},
    "reports": {"zh": "报告：", "en": "Reports:"},
    # dialogs
    "yes": {"zh": "是", "en": "Yes"},
    "no": {"zh": "否", "en": "No"},
    "close": {"zh": "关闭", "en": "Close"},
    "error-title": {"zh": "出错了", "en": "Something went wrong"},
    "save-failed-next": {
        "zh": "结论仍保留在内存中，解决后会再次保存。",
        "en": "Your answers are kept in memory and will be saved once this is fixed.",
    },
    "consent-title": {"zh": "运行项目自身的代码？", "en": "Run the project's own code?"},
    "consent-text": {
        "zh": "运行时探针会用 {python} 在子进程中导入并运行：{calls}",
        "en": "Live probes import and run, in a child process of {python}: {calls}",
    },
    "consent-always": {"zh": "同意，并记住此项目", "en": "Yes, and remember for this project"},
    "consent-once": {"zh": "仅此一次", "en": "Only this time"},
    "consent-no": {"zh": "不启用运行时探针", "en": "No, leave live probes out"},
    "consent-address-title": {"zh": "读取网络上的数据？", "en": "Read data from the network?"},
    "consent-address-text": {
        "zh": "accucheck.yaml 指定了下列地址。项目若来自他人，请先确认这些地址：\n{addresses}",
        "en": "accucheck.yaml names these addresses. Check them first if the project is somebody else's:\n{addresses}",
    },
    "consent-address-no": {"zh": "不读取", "en": "No, leave them out"},
    "overrule-title": {
        "zh": "{item}：结论与建议不同（建议：{verdict}），可说明原因，Enter 跳过",
        "en": "{item}: you overrule the suggestion ({verdict}). Say why, or skip with Enter",
    },
    "note-title": {
        "zh": "{item} 的备注（Enter 保存，Ctrl+J 换行，Esc 保存并返回）",
        "en": "Note for {item} (Enter saves, Ctrl+J new line, Esc saves and goes back)",
    },
    "attach-title": {"zh": "要附上的文件路径", "en": "Path of the file to attach"},
    "accept-all-title": {
        "zh": "接受以下 {count:,} 条建议？",
        "en": "Accept {count:this suggestion|these {count:,} suggestions}?",
    },
    "accept-all-none": {
        "zh": "没有“无问题”或“不适用”的建议可接受",
        "en": "There is no suggestion of no problem or not applicable",
    },
    "quit-title": {"zh": "探针正在运行，取消并退出？", "en": "Probes are running. Cancel them and quit?"},
    "save-as-title": {"zh": "另存为", "en": "Save as"},
    # start
    "start-title": {"zh": "项目输入", "en": "Project inputs"},
    "start-text": {
        "zh": "以下是识别出的输入：按 {@begin:b} 将选中的写入 accucheck.yaml 并开始检查。",
        "en": "Inputs found in the project: {@begin:b} writes those selected to accucheck.yaml.",
    },
    "start-nothing": {
        "zh": "没有识别出输入。仍可逐项检查：按 Enter 给出输入，按 {@begin:b} 开始。",
        "en": "No inputs were found. You can still check every item: Enter adds an input, {@begin:b} starts.",
    },
    "start-missing": {"zh": "未提供（提供后可自动检查：{unlocks}）", "en": "not given (would enable {unlocks})"},
    "start-value": {"zh": "{key} 的值", "en": "Value of {key}"},
    "start-path": {"zh": "{key} 的路径（相对于项目目录）", "en": "Path of {key} (relative to the project)"},
    "start-call": {
        "zh": "{key} 的值：模块:函数，如 src.dataset:create_dataset",
        "en": "Value of {key}: module:function, such as src.dataset:create_dataset",
    },
    "start-unwritable": {
        "zh": "无法写入 accucheck.yaml，本次仅在内存中使用：{why}",
        "en": "accucheck.yaml could not be written and is used in memory only: {why}",
    },
    # export
    "export-title": {"zh": "生成报告", "en": "Write the report"},
    "export-formats": {"zh": "格式", "en": "Formats"},
    "export-language": {"zh": "语言", "en": "Language"},
    "export-both": {"zh": "中英对照", "en": "both"},
    "export-folder": {"zh": "输出目录", "en": "Folder"},
    "export-template": {"zh": "自定义模板", "en": "Template"},
    "export-template-what": {
        "zh": "可选：自己的 Jinja2 模板（.md.j2 或 .html.j2）",
        "en": "optional: your own Jinja2 template (.md.j2, .html.j2)",
    },
    "export-issue": {"zh": "issue 平台", "en": "Issue for"},
    "export-no-issue": {"zh": "不生成", "en": "none"},
    "export-redact": {"zh": "隐藏隐私信息。将被替换的内容：", "en": "Hide private data. This would be replaced:"},
    "export-samples": {"zh": "列出数据集样本及其标签", "en": "List samples of the data too, with their labels"},
    "export-looking": {"zh": "正在查找隐私信息……", "en": "Looking for private data..."},
    "export-bare-title": {"zh": "保留隐私信息？", "en": "Leave private data in?"},
    "export-bare": {
        "zh": "不替换任何内容：用户名、主机名、地址、路径和密钥都会原样写入报告和 issue。",
        "en": "Nothing is replaced: names, addresses, paths and secrets stay in the report and the issue as they are.",
    },
    "export-bare-no": {"zh": "不，继续隐藏", "en": "No, keep them hidden"},
    "export-bare-yes": {"zh": "是，原样写入", "en": "Yes, leave them in"},
    "export-write": {"zh": "生成 (w)", "en": "Write (w)"},
    "export-working-report": {"zh": "正在生成报告……", "en": "Writing the report..."},
    "export-working-issue": {"zh": "正在生成 issue 和附件……", "en": "Writing the issue and its attachment..."},
    "export-finishing": {"zh": "报告还在生成，完成后退出……", "en": "The report is still being written..."},
    "export-busy": {"zh": "正在生成，请稍候", "en": "It is being written; please wait"},
    "export-none": {"zh": "请至少选择一种格式或一个 issue 平台", "en": "Choose a format, or a tracker for the issue"},
    "export-left": {
        "zh": "以下 {count} 处疑似隐私信息，文件名已标为 unfinished。↑↓ 选择，a 保留该处并重新生成；或修改备注、数据后再生成。",
        "en": "{count} {count:place|places} may still be private, so the files are named unfinished. Choose one with up and "
        "down; a keeps it and writes again. Or change the note or the data, and write again.",
    },
    "export-none-left": {"zh": "没有待确认的隐私信息", "en": "Nothing private is left to be accepted"},
    "export-unread": {"zh": "未能检查", "en": "not looked into"},
    "export-issue-name": {"zh": "标题", "en": "title"},
    "export-issue-title": {"zh": "标题：{title}", "en": "Title: {title}"},
    "export-issue-address": {
        "zh": "新建链接：{address}（y 复制，已预填标题和摘要）",
        "en": "Address: {address} (y copies it, with title and summary filled in)",
    },
    "export-issue-address-bare": {"zh": "新建链接：{address}（y 复制）", "en": "Address: {address} (y copies it)"},
    "export-blanks": {"zh": "需人工补充的字段：{fields}", "en": "To be filled in by hand: {fields}"},
    "list-separator": {"zh": "、", "en": ", "},
    "export-left-out": {"zh": "未收入附件：{path}（{why}）", "en": "not in the attachment: {path} ({why})"},
    "export-left-out-more": {
        "zh": "另有 {count} 个文件未收入附件，见其中的 manifest.md5",
        "en": "not in the attachment: {count} more {count:file|files}; its manifest.md5 names them",
    },
    "export-no-address": {"zh": "尚未生成 issue", "en": "No issue has been written yet"},
    "key-allow": {"zh": "保留并重写", "en": "keep this one"},
    "key-address": {"zh": "复制链接", "en": "copy address"},
    "command-write": {
        "zh": "生成报告（选了平台则同时生成 issue）",
        "en": "Write the report, and the issue where one is chosen",
    },
    "command-allow": {
        "zh": "保留所选的疑似隐私信息，并重新生成",
        "en": "Keep the private data chosen, and write again",
    },
    "command-address": {
        "zh": "复制新建 issue 的链接（支持 SSH，OSC 52）",
        "en": "Copy the issue's address (works over SSH, OSC 52)",
    },
    "help-export": {
        "zh": "生成报告：Tab 切换，空格勾选，w 生成；已有的报告不会被覆盖，新报告自动编号。",
        "en": "The report: Tab moves, space ticks, w writes. A report that is there stays; the new one gets a number.",
    },
    "export-open": {
        "zh": "提示：还有 {count:,} 项未填写结论，报告中会注明“未填写”。",
        "en": "Note: {count:,} {count:item is|items are} not concluded; the report will say so.",
    },
    "tree": {"zh": "树", "en": "tree"},
    "chart": {"zh": "图", "en": "chart"},
    "table": {"zh": "表", "en": "table"},
    "code": {"zh": "代码", "en": "code"},
    "text": {"zh": "文本", "en": "text"},
    "images": {"zh": "图片", "en": "images"},
    # verbs
    "command-begin": {"zh": "以所选输入开始检查", "en": "Begin with the inputs chosen"},
    "command-take": {"zh": "选用或取消该输入", "en": "Take this input, or leave it out"},
    "command-change": {"zh": "修改该输入的值", "en": "Change the value of this input"},
    "command-evidence-previous": {"zh": "上一条证据", "en": "Previous piece of evidence"},
    "command-evidence-next": {"zh": "下一条证据", "en": "Next piece of evidence"},
    "command-evidence-save": {"zh": "将证据另存为文件", "en": "Save the evidence to a file"},
    "command-evidence-copy": {"zh": "复制证据（支持 SSH，OSC 52）", "en": "Copy the evidence (works over SSH, OSC 52)"},
    "key-path-framework": {"zh": "换框架", "en": "framework"},
    "help-evidence": {
        "zh": "证据：上方是所属的发现，下方是证据全文、影响与修改建议。",
        "en": "Evidence: the finding above; below, the evidence in full, why it hurts and how to fix it.",
    },
    "help-start": {
        "zh": "项目输入：列出识别出的输入和可补充的输入。",
        "en": "Project inputs: what was found, and what could be added.",
    },
    "no-review-here": {
        "zh": "本项尚无评审意见：请先按 1 通过或按 2 退回",
        "en": "Nobody has reviewed this item yet: 1 accepts, 2 returns",
    },
    # why a verb can do nothing now
    "no-item": {"zh": "未选中检查项：按 Esc 清除过滤", "en": "No item is chosen; Esc clears the filter"},
    "list-stands": {"zh": "终端够宽，列表一直显示", "en": "The terminal is wide enough for the list to stay"},
    "already-concluded": {
        "zh": "本项已填写结论，按 1、2 或 3 修改",
        "en": "This item is concluded; 1, 2 or 3 change it",
    },
    "path-no-step": {"zh": "终点没有检查项", "en": "The end has no item"},
    "path-one-framework": {"zh": "本步只有一种框架的代码", "en": "The code of this step is for one framework only"},
    "evidence-only": {"zh": "只有这一条", "en": "This is the only one"},
    "evidence-none": {"zh": "没有可保存的证据", "en": "There is no evidence to save"},
    "mark-none-here": {"zh": "该样本尚未标注", "en": "This sample is not marked"},
    "with-reason": {"zh": "{words}（{why}）", "en": "{words} ({why})"},
    "command-undo-mark": {"zh": "撤销上一次标注或备注", "en": "Undo the last mark or note"},
    "filter-lines": {"zh": "输入词语过滤，Esc 清除", "en": "filter by words, Esc clears"},
    "filter-none": {"zh": "没有匹配的行", "en": "Nothing matches"},
    # themes
    "command-theme": {"zh": "选择主题", "en": "Choose a theme"},
    "theme-title": {"zh": "主题（Enter 保留，Esc 还原）", "en": "Theme (Enter keeps, Esc goes back)"},
    "theme-own": {"zh": "accucheck 自带", "en": "accucheck's own"},
    "theme-none": {
        "zh": "已设置 NO_COLOR，只使用终端自身的颜色，不能选择主题",
        "en": "NO_COLOR is set: only the terminal's own colours are used, and there is no theme to choose",
    },
    "theme-ansi": {"zh": "终端的 16 色", "en": "16 colours of the terminal"},
    "theme-not-kept": {
        "zh": "本次已换主题，但无法记住：{why}",
        "en": "The theme is used now, but could not be kept: {why}",
    },
    # what to do next, and the glossary
    "command-watch": {"zh": "观察训练运行", "en": "Watch the training run"},
    "watch-title": {
        "zh": "在项目目录中运行这条命令并观察？",
        "en": "Run this command in the project's folder, and watch it?",
    },
    "watch-text": {
        "zh": "{command}\n\n命令原样运行，从内部记录 loss、学习率、梯度和各层输出；训练 {steps} 步后结束。它运行的是项目自身的代码。",
        "en": "{command}\n\nIt runs as it is, while losses, learning rates, gradients and layer outputs are recorded from inside; "
        "after {steps} training steps it is stopped. It runs the project's own code.",
    },
    "watch-always": {"zh": "运行，并记住这条命令", "en": "Run it, and remember this command"},
    "watch-once": {"zh": "运行一次", "en": "Run it this time"},
    "watch-edit": {"zh": "修改命令", "en": "Change the command"},
    "watch-no": {"zh": "不运行", "en": "Do not run it"},
    "watch-command": {"zh": "要观察的命令", "en": "The command to be watched"},
    "watch-quotes": {"zh": "引号没有配对：{command}", "en": "A quote is not closed: {command}"},
    "watch-script": {"zh": "训练命令未知，请填写", "en": "No training script is known; type the command"},
    "watch-on": {"zh": "正在观察另一条命令", "en": "A command is being watched already"},
    "watch-none": {"zh": "没有正在观察的命令", "en": "No command is being watched"},
    "watch-head": {"zh": "观察  {command}", "en": "watch  {command}"},
    "watch-starting": {"zh": "已启动，等待第一个训练步", "en": "started; no training step yet"},
    "watch-state": {
        "zh": "{mode}  第 {steps} 步  {rate:.3g} 秒/步  等待数据 {waited:.0f}%",
        "en": "{mode}  step {steps}  {rate:.3g} s a step  waiting for data {waited:.0f}%",
    },
    "watch-of": {"zh": "{steps}/{most}", "en": "{steps} of {most}"},
    "watch-awaits-evaluation": {"zh": "等待首次评估", "en": "waiting for an evaluation"},
    "watch-over": {
        "zh": "已结束，退出码 {code}；观察到 {steps} 步。",
        "en": "Ended with exit code {code}; {steps} {steps:step was|steps were} watched.",
    },
    "watch-looks": {"zh": "探针正在检查记录。", "en": " Probes are looking at the recording."},
    "watch-looked": {
        "zh": "探针已检查记录：{problem:,} 项发现问题，按 {key} 查看下一步。",
        "en": " Probes have examined the recording: {problem:,} {problem:item|items} with problems; {key} shows the next steps.",
    },
    "watch-over-nothing": {
        "zh": "已结束，退出码 {code}，没有看到训练步。命令的输出如下。",
        "en": "Ended with exit code {code}, and no training step was seen. What the command printed:",
    },
    "watch-over-no-python": {
        "zh": "已结束，退出码 {code}。没有可以观察的 Python 进程：没有启动 Python，或启动时忽略了环境变量（python -I、-E，"
        "或清除了 PYTHONPATH）。命令的输出如下。",
        "en": "Ended with exit code {code}. No Python of it could be watched: it starts none, or one that ignores the environment "
        "(python -I, -E, or PYTHONPATH cleared). What the command printed:",
    },
    "watch-over-no-mindspore": {
        "zh": "已结束，退出码 {code}；该命令启动的 Python 均未导入 MindSpore。若其中没有安装 MindSpore，请按 {@watch-again:e}，"
        "写出已安装的解释器路径，例如 {python}。命令的输出如下。",
        "en": "Ended with exit code {code}; no Python that it started imported MindSpore. If MindSpore is not installed there, "
        "press {@watch-again:e} and give the path of a Python that has it, for instance {python}. What the command printed:",
    },
    "watch-over-stopped": {
        "zh": "已停止；观察到 {steps} 步，记录已保留。",
        "en": "Stopped; {steps} {steps:step was|steps were} watched, and the recording is kept.",
    },
    "watch-stopping": {"zh": "正在停止", "en": "stopping"},
    "watch-elsewhere": {
        "zh": "{problem}在此之前，记录保存在 {folder}",
        "en": "{problem} Until then the recording is in {folder}",
    },
    "watch-failed": {
        "zh": "{hook} 在 {error}（{place}）之后无法继续观察；训练不受影响。",
        "en": "{hook} could no longer be watched after {error} ({place}); the training was not affected.",
    },
    "watch-full": {
        "zh": "{problem}记录到第 {steps} 步为止，训练不受影响。",
        "en": "{problem} The recording ends at step {steps}; the training continues.",
    },
    "watch-lacking": {
        "zh": "当前 MindSpore 没有可供观察的 {hooks}，记录中缺少相应内容。",
        "en": "This MindSpore has no {hooks} to hook into: the recording lacks what they would show.",
    },
    "watch-loss": {"zh": "loss", "en": "loss"},
    "watch-step": {"zh": "步", "en": "step"},
    "watch-value-loss": {"zh": "loss {value}", "en": "loss {value}"},
    "watch-value-lr": {"zh": "学习率 {value}", "en": "rate {value}"},
    "watch-value-grad_norm": {"zh": "梯度范数 {value}", "en": "gradient norm {value}"},
    "watch-value-loss_scale": {"zh": "loss scale {value}", "en": "loss scale {value}"},
    "watch-bad": {
        "zh": "第 {step} 步首次出现 NaN 或 Inf：{name}（{kind}）",
        "en": "First NaN or Inf at step {step}: {name} ({kind})",
    },
    "watch-layers": {
        "zh": "各参数的梯度范数，第 {step} 步（对数刻度，满格相当于六个数量级）",
        "en": "Gradient norms by parameter at step {step} (logarithmic, six decades wide)",
    },
    "watch-missing": {"zh": "无梯度", "en": "none"},
    "watch-printed": {"zh": "命令的输出", "en": "Printed by the command"},
    "try-title": {
        "zh": "在项目副本中试用修改？",
        "en": "Try the fixes in copies of the project?",
    },
    "try-text": {
        "zh": "{command}\n\n在副本中用这条命令训练 {count} 次：未修改的项目、每条规则的修改、全部修改；每次最多 {seconds} 秒。"
        "它运行的是项目自身的代码；项目本身不会改动，但以绝对路径写到别处的内容会真正写入。",
        "en": "{command}\n\nIt trains {count} copies of the project, for at most {seconds} s each: unchanged, with the changes of each "
        "rule, and with all. It runs the project's own code. The project is not touched, but what the command writes elsewhere by "
        "absolute "
        "paths is really written.",
    },
    "try-text-rest": {
        "zh": "{command}\n\n在副本中用这条命令训练 {count} 次：未修改的项目、每条规则的修改、全部修改；其中 {known} 次"
        "此前已经完成，不再重复。每次最多 {seconds} 秒。它运行的是项目自身的代码；项目本身不会改动，但以绝对路径写到别处的内容会真正写入。",
        "en": "{command}\n\nIt trains {count} copies of the project, for at most {seconds} s each: unchanged, with the changes of each "
        "rule, and with all. {known} of them {known:was|were} trained before and {known:is|are} not trained again. It runs the project's "
        "own code. The project is not touched, but what the command writes elsewhere by absolute paths is really written.",
    },
    "try-head": {"zh": "试用修改  {command}", "en": "try  {command}"},
    "try-none": {"zh": "没有正在进行的试用", "en": "No fixes are being tried"},
    "try-on": {"zh": "正在试用修改", "en": "Fixes are being tried already"},
    "try-starting": {"zh": "正在准备副本", "en": "making a copy"},
    "try-stopping": {"zh": "正在停止", "en": "stopping"},
    "try-far": {
        "zh": "第 {number}/{count} 次训练  已训练 {steps} 步  {seconds:.0f} 秒",
        "en": "training {number} of {count}  {steps} {steps:step|steps}  {seconds:.0f} s",
    },
    "try-judges": {
        "zh": "第 {number}/{count} 次训练  正在评估  {seconds:.0f} 秒",
        "en": "training {number} of {count}  evaluating  {seconds:.0f} s",
    },
    "try-over": {
        "zh": "已结束：{count} 次训练，结果已保存，并会写入报告。Esc 返回。",
        "en": "Ended: {count} {count:training|trainings}; kept in the session and shown in reports. Esc goes back.",
    },
    "try-stopped": {
        "zh": "已停止：完成 {count}/{of} 次训练，结果已保存，并会写入报告。按 {key} 继续其余训练，Esc 返回。",
        "en": "Stopped after {count} of {of} trainings; kept in the session and shown in reports. {key} continues with the rest, "
        "Esc goes back.",
    },
    "try-nothing-stopped": {
        "zh": "没有试用任何修改：在第一次训练结束前就已停止，没有可保存的结果。按 {key} 重试。",
        "en": "Nothing was tried: it was stopped before the first training ended, so there is nothing to keep. {key} tries again.",
    },
    "try-nothing-error": {
        "zh": "没有试用任何修改：{why} 按 {key} 重试。",
        "en": "Nothing was tried: {why} {key} tries again.",
    },
    "try-ready": {"zh": "修改试用完毕：按 {@try:T} 查看", "en": "The fixes were tried: {@try:T} shows the table"},
    "try-metric": {"zh": "指标", "en": "metric"},
    "try-figure": {"zh": "{name} {value}", "en": "{name} {value}"},
    "key-try": {"zh": "试用", "en": "try"},
    "command-try": {
        "zh": "在项目副本中试用修改：训练并比较精度",
        "en": "Try the fixes: train copies of the project and compare them",
    },
    "key-try-stop": {"zh": "停止", "en": "stop"},
    "command-try-stop": {"zh": "停止训练，保留已有结果", "en": "Stop the training; the rows so far are kept"},
    "key-try-again": {"zh": "再次试用", "en": "try again"},
    "command-try-again": {"zh": "换一条命令再次试用", "en": "Try again with another command"},
    "help-try": {
        "zh": "试用修改：每行是一次在副本中的训练，与未修改的项目比较；超出波动范围才算有变化。s 停止，已有结果会保留。",
        "en": "Fixes tried: each row is a training run in a copy, compared with the unchanged project; only differences beyond noise "
        "count. s stops; the rows so far are kept.",
    },
    "tune-title": {"zh": "在项目副本中搜索超参？", "en": "Search for hyper-parameters in copies of the project?"},
    "tune-text": {
        "zh": "{command}\n\n在副本中用这条命令训练 {trials} 次，每次使用不同的设置。{metric}它运行的是项目自身的代码；项目本身不会改动，"
        "但以绝对路径写到别处的内容会真正写入。",
        "en": "{command}\n\nIt trains {trials} copies of the project, each with different settings. {metric} It runs the project's own "
        "code. The project is not touched, but what the command writes elsewhere by absolute paths is really written.",
    },
    "tune-by": {"zh": "以 {metric} 比较。", "en": "They are compared by {metric}."},
    "tune-foreseen": {
        "zh": "第一次按原命令训练以确定指标；据 {place}，指标为 {metric}。",
        "en": "The first one, of the command as it is, shows the metric; by {place} it is {metric}.",
    },
    "tune-unforeseen": {
        "zh": "第一次按原命令训练以确定指标（评估的准确率，没有则为评估 loss）；若两者都没有输出，则不再训练。",
        "en": "The first one, of the unchanged command, shows the metric (the accuracy of an evaluation, otherwise the loss of one); if it "
        "reports neither, the search ends there.",
    },
    "tune-search": {
        "zh": "要搜索的内容，例如 lr=1e-4..1e-1:log batch=16,32,64",
        "en": "What to search, such as lr=1e-4..1e-1:log batch=16,32,64",
    },
    "tune-faults-title": {"zh": "先解决已知问题", "en": "Faults first"},
    "tune-faults": {
        "zh": "已知 {count} 处问题，调参无法解决，此时搜索只会得到迁就问题的设置：\n\n{faults}",
        "en": "{count} known {count:fault|faults} cannot be removed by any setting; a search would only find what compensates for "
        "{count:it|them}:\n\n{faults}",
    },
    "tune-fix-first": {"zh": "先解决问题", "en": "Fix them first"},
    "tune-all-the-same": {"zh": "仍然搜索", "en": "Search all the same"},
    "tune-head": {"zh": "超参搜索  {command}", "en": "tune  {command}"},
    "tune-none": {"zh": "没有正在进行的搜索", "en": "No search is going on"},
    "tune-on": {"zh": "正在搜索", "en": "A search is going on already"},
    "tune-starting": {"zh": "正在准备", "en": "getting ready"},
    "tune-stopping": {"zh": "正在停止", "en": "stopping"},
    "tune-far": {
        "zh": "第 {number} 次试验  epoch {epoch}  {value}  {left}",
        "en": "trial {number}  epoch {epoch}  {value}  {left}",
    },
    "tune-left": {"zh": "约剩 {minutes} 分钟", "en": "about {minutes} min left"},
    "tune-over": {
        "zh": "已有 {count} 次试验，结果已保存，并会写入报告。按 {key} 继续或重新搜索，Esc 返回。",
        "en": "{count} {count:trial|trials} so far; kept in the session and shown in reports. {key} continues or starts a new search, Esc "
        "goes back.",
    },
    "tune-nothing": {"zh": "尚无结果。", "en": "Nothing was found yet."},
    "tune-broken": {"zh": "搜索已结束：{why}", "en": "The search has ended: {why}"},
    "tune-ready": {
        "zh": "超参搜索完毕：按 {@tune:H} 查看",
        "en": "The search for hyper-parameters is done: {@tune:H} shows it",
    },
    "command-tune": {
        "zh": "超参搜索：在项目副本中以不同设置训练",
        "en": "Search for hyper-parameters: train copies with other settings",
    },
    "key-tune-stop": {"zh": "停止", "en": "stop"},
    "command-tune-stop": {"zh": "停止搜索，保留已有结果", "en": "Stop the search; results so far are kept"},
    "key-tune-again": {"zh": "继续", "en": "go on"},
    "command-tune-again": {
        "zh": "继续搜索，或换一组设置重新搜索",
        "en": "Go on with the search, or search something else",
    },
    "help-tune": {
        "zh": "超参搜索：每行是一次在副本中的训练。平行坐标显示最好的试验在各设置范围内的位置；只有超出波动的差异才算改进。s 停止，"
        "之后可继续。",
        "en": "A search: each row is a training run in a copy. Axes show where the best trials lie in the range of each setting; only "
        "differences beyond noise count as better. s stops; the search can be continued later.",
    },
    "key-watch-stop": {"zh": "停止", "en": "stop"},
    "command-watch-stop": {"zh": "停止命令，保留已观察到的内容", "en": "Stop the command; what was recorded is kept"},
    "key-watch-again": {"zh": "再次观察", "en": "watch again"},
    "command-watch-again": {"zh": "观察另一条命令", "en": "Watch another command"},
    "help-watch": {
        "zh": "观察训练运行：命令原样运行，这里实时显示 loss、学习率、梯度范数、等待数据的时间和第一个 NaN 或 Inf。s 停止；Esc 返回"
        "检查清单，命令继续运行；结束后探针检查记录。",
        "en": "A running command, watched: loss, rate, gradient norms, waits for data and the first NaN or Inf as they come. s stops "
        "it; Esc goes back to the checklist while it continues; when it has ended, probes examine the recording.",
    },
    "key-next-steps": {"zh": "下一步", "en": "next steps"},
    "command-next-steps": {"zh": "查看下一步", "en": "Show what to do next"},
    "key-next-do": {"zh": "执行", "en": "do it"},
    "command-next-do": {"zh": "执行所选的一条", "en": "Do the step chosen"},
    "key-next-copy": {"zh": "复制命令", "en": "copy command"},
    "key-next-summary": {"zh": "复制摘要", "en": "copy summary"},
    "next-summary-copied": {
        "zh": "已复制 {count} 行摘要，可贴到聊天或合并请求",
        "en": "Copied the summary, {count} {count:line|lines}, for a chat or a pull request",
    },
    "command-next-summary": {
        "zh": "复制五行摘要，可贴到聊天或合并请求",
        "en": "Copy five lines for a chat or a pull request",
    },
    "command-next-copy": {
        "zh": "复制作用相同的命令（支持 SSH，OSC 52）",
        "en": "Copy the command that does the same (works over SSH, OSC 52)",
    },
    "run-left": {"zh": "约剩 {time}", "en": "~{time} left"},
    "run-time": {
        "zh": "{time}；Esc 可取消，已有结果会保留",
        "en": "{time}; Esc cancels and keeps what was found so far",
    },
    "next-title": {"zh": "下一步", "en": "Next steps"},
    "next-head": {
        "zh": "下一步：共 {count:,} 项，{faults:,} 项为问题",
        "en": "Next steps: {count:,}, {faults:,} of them {faults:a problem|problems}",
    },
    "next-head-running": {
        "zh": "下一步（目前）：共 {count:,} 项，{faults:,} 项为问题；还有 {left:,} 个探针未完成",
        "en": "Next steps so far: {count:,}, {faults:,} of them {faults:a problem|problems}; {left:,} {left:probe|probes} still to run",
    },
    "next-none-yet": {
        "zh": "目前没有发现问题，探针仍在运行",
        "en": "Nothing wrong found so far; probes are still running",
    },
    "next-looking": {"zh": "正在查看……", "en": "Looking..."},
    "next-nothing": {"zh": "没有需要做的事", "en": "Nothing left to do"},
    "next-why-state": {"zh": "{state}：{why}；{cost}", "en": "{state}: {why}. Effort: {cost}"},
    "next-why": {"zh": "{why}；{cost}", "en": "{why}. Effort: {cost}"},
    "next-more": {"zh": "另有 {count:,} 条（Enter 显示全部）", "en": "{count:,} more (Enter shows all)"},
    "next-copied": {"zh": "已复制：{command}", "en": "Copied: {command}"},
    "next-ready": {
        "zh": "运行结束，按 {@next-steps:w} 查看下一步",
        "en": "The run has finished; {@next-steps:w} shows the next steps",
    },
    "help-next": {
        "zh": "下一步：影响最大、最可能的在前。Enter 执行：打开证据、运行探针、给出缺少的输入或生成报告。",
        "en": "Next steps, the most likely and most effective first. Enter does one: opens the evidence, runs probes, asks for an "
        "input, or opens the report.",
    },
    "key-path-fold": {"zh": "分支", "en": "branches"},
    "command-path-fold": {"zh": "展开或折叠未走的分支", "en": "Unfold the ways not taken, or fold them"},
    "path-no-fork": {"zh": "这一步没有其他分支", "en": "No other way leads on from this step"},
    "path-off": {"zh": "已检查，现不在路径上", "en": "Examined, no longer on the path"},
    "command-curves": {"zh": "查看所有运行的曲线", "en": "Look at the curves of all runs"},
    "curves-loading": {"zh": "正在读取曲线……", "en": "Reading the curves..."},
    "curves-none": {"zh": "没有可查看的曲线", "en": "There are no curves to look at"},
    "help-curves": {
        "zh": "项目所有运行的曲线：↑ ↓ 选择曲线或各层梯度范数热力图，同名曲线叠加在一起；/ 按名称过滤，Esc 返回。",
        "en": "The curves of all runs of the project: ↑ ↓ choose a curve, of all runs at once, or gradient norms by layer; / filters by "
        "name, Esc goes back.",
    },
    "command-graph": {"zh": "查看网络结构", "en": "Look at the network"},
    "command-graph-mark": {"zh": "跳到下一处值得注意的位置", "en": "Go to the next remarkable place"},
    "key-graph-mark": {"zh": "下一处", "en": "remarkable"},
    "command-graph-beside": {"zh": "与基准的网络对照", "en": "Set the benchmark's network beside it"},
    "key-graph-beside": {"zh": "对照基准", "en": "benchmark"},
    "command-graph-save": {"zh": "保存为可离线打开的页面", "en": "Save as a page that opens offline"},
    "graph-loading": {"zh": "正在读取网络……", "en": "Reading the network..."},
    "graph-search": {"zh": "按名称或类搜索，如 3bg 或 Dense", "en": "Name or class, such as 3bg or Dense"},
    "graph-none": {"zh": "没有可查看的网络", "en": "There is no network to look at"},
    "graph-no-marks": {"zh": "没有值得注意的位置", "en": "Nothing is remarkable here"},
    "graph-not-there": {
        "zh": "该网络中没有此发现所指的位置",
        "en": "This network does not have the place that the finding speaks of",
    },
    "help-graph": {
        "zh": "网络：Enter 或空格展开，/ 搜索名称或类（名称各段的开头即可，如 3bg），n 依次查看值得注意之处，b 与基准对照，"
        "s 保存为可离线打开的页面。",
        "en": "The network: Enter or Space unfolds, / searches for a name or class (the beginnings of its parts are enough, such as "
        "3bg), n jumps to the next remarkable cell, b shows the benchmark's next to it, s saves it as a page that opens offline.",
    },
    "command-glossary": {"zh": "查看术语解释", "en": "What the terms mean"},
    "command-glossary-filter": {"zh": "按词查找术语", "en": "Look for terms"},
    "glossary-title": {"zh": "术语", "en": "Terms"},
    "glossary-head": {"zh": "术语（{count:,} 个）", "en": "Terms ({count:,})"},
    "glossary-here": {"zh": "{item} 中出现的术语", "en": "Used in {item}"},
    "glossary-others": {"zh": "其他术语", "en": "Others"},
    "glossary-none": {"zh": "没有这样的术语", "en": "There is no such term"},
    "help-glossary": {
        "zh": "术语解释：先列出当前检查项中出现的术语；/ 查找，Esc 返回。",
        "en": "What the terms mean, those of the current item first; / searches, Esc goes back.",
    },
    "not-applicable-apart": {"zh": "不适用（{count}）", "en": "Not applicable ({count})"},
    # evidence, mends and what they prove
    "key-way": {"zh": "切换显示", "en": "as words"},
    "key-open-place": {"zh": "打开", "en": "open"},
    "key-mend": {"zh": "修改", "en": "fix"},
    "key-run-stale": {"zh": "重跑过期项", "en": "rerun stale"},
    "key-sort": {"zh": "排序", "en": "sort"},
    "key-more": {"zh": "更多代码", "en": "more code"},
    "key-less": {"zh": "更少", "en": "less"},
    "key-apply": {"zh": "应用", "en": "apply"},
    "command-evidence-way": {"zh": "切换图、文字和数值", "en": "Change between chart, words and numbers"},
    "command-open-place": {"zh": "用 $EDITOR 打开该处代码", "en": "Open the place in $EDITOR, at its line"},
    "command-mend": {"zh": "查看并应用修改", "en": "Show the fix and apply it"},
    "command-run-stale": {"zh": "重新运行所有已过期的探针", "en": "Run only the out-of-date probes again"},
    "command-table-sort": {
        "zh": "按光标所在列排序（升序、降序、原序）",
        "en": "Sort by the column of the cursor (up, down, as it was)",
    },
    "command-table-copy-row": {"zh": "复制表格的当前行", "en": "Copy the row of the cursor"},
    "command-code-more": {"zh": "显示更多前后代码", "en": "Show more of the code around it"},
    "command-code-less": {"zh": "显示更少前后代码", "en": "Show less of the code around it"},
    "command-mend-apply": {
        "zh": "将修改写入文件（先确认，并保留原文件副本）",
        "en": "Write the change into the file (asks first, keeps a copy)",
    },
    "key-mend-rule": {"zh": "同规则全部", "en": "all of this rule"},
    "command-mend-rule": {
        "zh": "应用同一规则的全部修改",
        "en": "Apply the changes of all findings of this rule",
    },
    "mend-rule-title": {
        "zh": "写入同一规则的 {count} 处修改（{files} 个文件）？",
        "en": "Write the {count} changes of this rule into {files} {files:file|files}?",
    },
    "mend-together-title": {
        "zh": "写入以下 {count} 处修改（{files} 个文件）？",
        "en": "Write these {count} changes into {files} {files:file|files}?",
    },
    "mend-rule-written": {
        "zh": "已写入 {count} 处修改（{files} 个文件）",
        "en": "{count} {count:change was|changes were} written into {files} {files:file|files}",
    },
    "mend-rule-state": {
        "zh": "已写入 {count} 处修改（{files} 个文件）。按 {key} 重新运行受影响的探针，确认问题是否消除。",
        "en": "{count} {count:change|changes} written into {files} {files:file|files}. Press {key} to run the affected probes "
        "again and see whether the problem is gone.",
    },
    "mend-rule-none": {
        "zh": "该规则没有其他未写入的修改",
        "en": "No other change of this rule is left to be written",
    },
    "command-mend-undo": {"zh": "撤销修改，恢复原文件", "en": "Undo the change and restore the file"},
    "command-mend-copy": {"zh": "复制补丁（支持 SSH，OSC 52）", "en": "Copy the patch (works over SSH, OSC 52)"},
    "command-mend-save": {"zh": "将补丁另存为文件", "en": "Save the patch to a file"},
    "help-mend": {
        "zh": "修改：按 {@mend-apply:a} 写入文件，再按 {@run-stale:x} 重新运行受影响的探针，确认问题已消除。",
        "en": "The fix: {@mend-apply:a} writes it into the file, then {@run-stale:x} runs the affected probes again to see "
        "whether the problem is gone.",
    },
    "way-chart": {"zh": "图", "en": "chart"},
    "way-text": {"zh": "文字", "en": "words"},
    "way-values": {"zh": "数值", "en": "numbers"},
    "way-table": {"zh": "表", "en": "table"},
    "way-tree": {"zh": "树", "en": "tree"},
    "way-images": {"zh": "图片", "en": "pictures"},
    "way-now": {"zh": "当前显示：{way}", "en": "shown as {way}"},
    "text-more": {"zh": "另有 {count:,} 行", "en": "{count:,} more {count:line|lines}"},
    "table-rows": {
        "zh": "第 {first:,} 至 {last:,} 行，共 {count:,} 行",
        "en": "rows {first:,} to {last:,} of {count:,}",
    },
    "table-total": {
        "zh": "（全部共 {total:,} 行，仅记录了前面的行）",
        "en": "(the first of {total:,}; only these were recorded)",
    },
    "table-filtered": {"zh": "过滤：{words}", "en": "filter: {words}"},
    "table-sorted": {"zh": "排序：{column}", "en": "by {column}"},
    "table-filter": {"zh": "输入要查找的文字，Esc 清除", "en": "words to look for, Esc clears"},
    "evidence-one-way": {"zh": "这条证据只有一种看法", "en": "There is one way to look at this"},
    "evidence-no-table": {"zh": "当前显示的不是表格", "en": "What is shown is not a table"},
    "evidence-no-code": {"zh": "当前显示的不是代码", "en": "What is shown is not code"},
    "code-other": {
        "zh": "没有更多代码可显示：文件已改动、不存在，或为 notebook",
        "en": "There is no more of the code to show: the file has changed, is gone, or is a notebook",
    },
    "mend-by-hand": {
        "zh": "该发现没有可直接应用的修改，请按修改建议手动修改（按 {@open-place:o} 打开代码）",
        "en": "No patch is available for this finding: fix it by hand as advised ({@open-place:o} opens the code)",
    },
    "mend-no-finding": {
        "zh": "请先选择一条发现（Tab 切换到右侧）",
        "en": "Choose a finding first (Tab goes to the right)",
    },
    "mend-hint": {
        "zh": "按 {key} 应用此修改、另存补丁或撤销；accucheck fix 输出全部修改的补丁",
        "en": "{key} applies this patch, saves it or undoes it; accucheck fix prints all patches as one",
    },
    "mend-ready": {
        "zh": "补丁可直接应用，按 {key} 写入。",
        "en": "The patch applies cleanly; press {key} to apply it.",
    },
    "mend-proving": {
        "zh": "正在重新运行受影响的探针，结束后在此显示结果……",
        "en": "The affected probes are running again; the outcome will be shown here...",
    },
    "mend-waits": {
        "zh": "已写入 {path}。仍有探针在运行，结束后按 {key} 重新运行受影响的探针。",
        "en": "Written into {path}. Probes are still running; when they end, press {key} to run the affected ones again.",
    },
    "mend-written": {
        "zh": "已写入 {path}。按 {key} 重新运行受影响的探针，确认问题是否消除。",
        "en": "Written into {path}. Press {key} to run the affected probes again and see whether the problem is gone.",
    },
    "mend-written-kept": {
        "zh": "已写入 {path}（原文件在 {kept}）。按 {key} 重新运行受影响的探针，确认问题是否消除。",
        "en": "Written into {path}; the original is {kept}. Press {key} to run the affected probes again and see whether "
        "the problem is gone.",
    },
    "mend-written-before": {"zh": "此修改已写入", "en": "This change has already been applied"},
    "mend-not-written": {"zh": "此修改尚未写入", "en": "This change has not been applied"},
    "mend-title": {"zh": "将以下修改写入 {path}？", "en": "Write this change into {path}?"},
    "mend-copy-kept": {
        "zh": "原文件会保留一份副本，可按 {@mend-undo:u} 撤销。",
        "en": "The original is backed up; press {@mend-undo:u} to undo.",
    },
    "mend-yes": {"zh": "写入", "en": "Write it"},
    "mend-undone": {"zh": "已恢复 {path}", "en": "{path} is as it was"},
    "stale-none": {"zh": "没有过期的结果", "en": "No result is out of date"},
    "stale-found": {
        "zh": "{count} 个结果已过期，按 {@run-stale:x} 重新运行",
        "en": "{count} {count:result is|results are} out of date; {@run-stale:x} runs {count:it|them} again",
    },
    "stale-running": {
        "zh": "重新运行 {count} 个过期的探针（上次共用 {seconds:.1f} 秒）",
        "en": "Running {count} {count:probe|probes} again ({seconds:.1f} s last time)",
    },
    "stale-ended": {
        "zh": "已重新运行 {count:,} 个探针：{counts}",
        "en": "{count:,} {count:probe|probes} run again: {counts}",
    },
    "proof-gone": {"zh": "已消除 {gone} 条", "en": "{gone} gone"},
    "proof-still": {"zh": "仍有 {still} 条", "en": "{still} still there"},
    "proof-new": {"zh": "新增 {new} 条", "en": "{new} new"},
    "proof-gone-items": {"zh": "已消除 {gone} 条（{items}）", "en": "{gone} gone ({items})"},
    "proof-new-items": {"zh": "新增 {new} 条（{items}）", "en": "{new} new ({items})"},
    "proof-failed": {"zh": "{failed} 个探针失败", "en": "{failed} failed"},
    "proof-cancelled": {"zh": "{cancelled} 个探针已取消", "en": "{cancelled} cancelled"},
    "proof-skipped": {"zh": "{skipped} 个探针已跳过", "en": "{skipped} skipped"},
    "proof-unlike": {
        "zh": "{unlike} 个探针的结果无法与上次逐条对比",
        "en": "{unlike} not to be compared with the last run",
    },
    "proof-line": {
        "zh": "与上次相比：{before} → {after}，{counts}",
        "en": "since the last run: {before} → {after}, {counts}",
    },
    "history-reran": {
        "zh": "重新运行 {probe}，建议：{before} → {suggestion}",
        "en": "ran {probe} again, suggested: {before} → {suggestion}",
    },
    # the guided demo
    "command-hint": {"zh": "显示或隐藏演示提示", "en": "Show or hide the hint of the demo"},
    "demo-run": {
        "zh": "训练能跑完，准确率却只有 10%。按 {@run-all:R} 运行所有探针，约一分钟。（h 隐藏提示）",
        "en": "Training finishes, but at 10 % accuracy. {@run-all:R} runs all probes, about a minute. (h hides)",
    },
    "demo-run-without": {
        "zh": "训练能跑完，准确率却只有 10%。按 {@run-all:R} 运行探针（无 MindSpore，跳过运行时探针）。",
        "en": "Training finishes, but at 10 % accuracy. {@run-all:R} runs the probes; live ones need MindSpore.",
    },
    "demo-running": {
        "zh": "结果随时出现在左侧列表中；可用 ↑↓ 先查看，也可等待完成。",
        "en": "Results appear in the list as they come: look around with up and down, or wait.",
    },
    "demo-next": {
        "zh": "下一步：最可能、影响最大的排在前面。↑↓ 选择，Enter 前往。",
        "en": "Next steps, the most likely and effective first: up and down choose, Enter goes there.",
    },
    "demo-go": {
        "zh": "还有 {count} 项发现问题，接着看 {item}：按 {@next-steps:w} 从列表中选择，或按 {@next:]} 逐项前进。",
        "en": "{count} {count:problem|problems} left, next is {item}: {@next-steps:w} lists them, {@next:]} goes to the next item.",
    },
    "demo-look": {
        "zh": "{item} 发现问题：按 {@view:v} 全屏查看证据、原因和修改方法。",
        "en": "{item} has a problem: {@view:v} shows the evidence full size, with why it hurts and the fix.",
    },
    "demo-evidence": {
        "zh": "这里是证据：在哪里、为什么影响精度、怎样修改。→ 看下一条，Esc 返回。",
        "en": "The evidence: where it is, why it hurts, how to fix it. Right shows the next, Esc goes back.",
    },
    "demo-conclude": {
        "zh": "探针只给建议，结论由您填写：按 1 结论为发现问题（2 无问题，3 不适用）。",
        "en": "The probe only suggests, you conclude: 1 problem, 2 no problem, 3 not applicable.",
    },
    "demo-accept": {
        "zh": "其余建议为“无问题”或“不适用”：按 {@accept-all:A} 一次接受。",
        "en": "The other suggestions are no problem or not applicable: {@accept-all:A} accepts them all.",
    },
    "demo-export": {
        "zh": "无法判定的 {count} 项可以留空，报告会如实注明。按 {@export:e} 生成报告。",
        "en": "{count} {count:item|items} left undecided may stay so; the report says it. {@export:e}: the report.",
    },
    "demo-write": {
        "zh": "格式和语言可以修改；按 {@write:w} 生成报告，Esc 返回。",
        "en": "Formats and language can be changed; {@write:w} writes, Esc goes back.",
    },
    "demo-written": {
        "zh": "报告已生成，位置如上。按 Esc 返回。",
        "en": "The report is written to the path above. Esc goes back.",
    },
    "demo-back": {"zh": "按 Esc 返回上一级。", "en": "Esc goes back."},
    "demo-done": {
        "zh": "演示完成：按 {@quit:q} 退出，或继续浏览。",
        "en": "That is all of the demo: {@quit:q} leaves, or look around.",
    },
    "demo-found": {"zh": "共发现 {count} 项问题", "en": "{count} {count:problem was|problems were} found"},
    "demo-report": {"zh": "报告位于 {folder}：{names}", "en": "The report is in {folder}: {names}"},
    "demo-own": {
        "zh": "检查您自己的项目：进入项目目录，运行 accucheck。它会识别脚本、数据、权重和日志，由您确认后开始。",
        "en": "With a project of your own: go to its folder and run accucheck. It proposes scripts, data, weights and logs; you decide.",
    },
    "demo-leave": {"zh": "退出演示", "en": "Leave the demo"},
    "demo-stay": {"zh": "继续浏览", "en": "Look around"},
    # the beginning: the first question, the case, recent projects
    "training-title": {
        "zh": "训练能否跑完，并打印 loss？",
        "en": "Does training finish, and does it log the loss?",
    },
    "training-text": {
        "zh": "检查清单用于查找精度问题，前提是训练能从头跑到尾并打印 loss。如果训练报错退出，请先解决报错。",
        "en": "The checklist finds out why a model is not accurate. It assumes that training finishes and logs the loss. If it crashes, "
        "fix the crash first.",
    },
    "training-runs": {"zh": "能跑完，有 loss", "en": "Yes, it finishes and logs the loss"},
    "training-fails": {"zh": "不能，会报错退出", "en": "No, it crashes"},
    "training-unsure": {"zh": "不确定", "en": "Not sure"},
    "training-looking": {"zh": "正在查看项目中的日志……", "en": "Looking for logs in the project..."},
    "training-no-log": {
        "zh": "项目中没有能说明这一点的训练日志。",
        "en": "No training log in the project answers this.",
    },
    "training-seen-runs": {"zh": "从日志看，能跑完。{reason}", "en": "The log suggests it does. {reason}"},
    "training-seen-fails": {
        "zh": "从日志看，最近一次以报错结束。{reason}",
        "en": "The log suggests that the last run crashed. {reason}",
    },
    "training-seen-unsure": {"zh": "从日志看，无法确定。{reason}", "en": "The log does not answer this. {reason}"},
    "command-training-runs": {"zh": "训练能跑完并打印 loss", "en": "Training finishes and logs the loss"},
    "command-training-fails": {"zh": "训练会报错退出", "en": "Training crashes"},
    "command-training-unsure": {"zh": "不确定", "en": "Not sure"},
    "key-training-runs": {"zh": "能跑完", "en": "yes"},
    "key-training-fails": {"zh": "报错", "en": "no"},
    "key-training-unsure": {"zh": "不确定", "en": "not sure"},
    "help-training": {
        "zh": "回答会记入会话，以后不再询问；报告会注明训练不能跑完。",
        "en": "The answer is saved in the session and not asked again; a report says so when training does not finish.",
    },
    "error-first": {"zh": "请先解决报错", "en": "Fix the error first"},
    "error-text": {
        "zh": "训练跑不完时，精度无从谈起。可按以下顺序查找报错原因：",
        "en": "Until training runs, there is no accuracy to debug. Look for the cause of the error in this order:",
    },
    "error-1": {
        "zh": "从头到尾读完整个报错：MindSpore 的报错含有 Python 调用栈和 C++ 调用栈，有用的是第一处原因以及指向自己脚本的那一行，"
        "而不是最后一行。",
        "en": "Read the whole error. MindSpore prints a Python and a C++ call stack; the first cause and the line of your own script "
        "help, not the last line.",
    },
    "error-2": {
        "zh": "多卡训练时，先看最早报错的那张卡的日志（如 worker_*.log），其他卡的超时往往只是后果。",
        "en": "With several devices, look at the log of the one that failed first (worker_*.log, for example): time-outs of the others "
        "are only consequences.",
    },
    "error-3": {
        "zh": "缩小问题：单卡、小 batch、只跑几步；能复现的最小脚本最容易定位。",
        "en": "Make it small: one device, a small batch, a few steps. The smallest script that still fails is the most informative.",
    },
    "error-4": {
        "zh": "换一种模式再跑：set_context(mode=PYNATIVE_MODE) 逐算子执行，报错会停在出错的那行 Python；若只在 GRAPH_MODE 下报错，"
        "多为静态图不支持的语法或 shape 推导问题。",
        "en": "Try the other mode: set_context(mode=PYNATIVE_MODE) runs operator by operator and stops at the very line. What "
        "fails in GRAPH_MODE only is most often syntax that graphs do not support, or a shape that cannot be inferred.",
    },
    "error-5": {
        "zh": "动态图默认异步下发，报错的行可能靠后：调用 mindspore.runtime.launch_blocking()（旧版本为 "
        "set_context(pynative_synchronize=True)）后再跑。",
        "en": "PyNative mode launches asynchronously, so the reported line may be a later one: call "
        "mindspore.runtime.launch_blocking() (earlier versions: set_context(pynative_synchronize=True)) and run again.",
    },
    "error-6": {
        "zh": "检查环境：mindspore.run_check() 验证安装，accucheck doctor 列出版本和设备；GLOG_v=1 打印更详细的日志。",
        "en": "Check the environment: mindspore.run_check() tries the installation, accucheck doctor lists versions and devices; "
        "GLOG_v=1 logs more.",
    },
    "error-7": {
        "zh": "仍未解决时，带上完整报错、最小脚本和 accucheck doctor 的输出，到 MindSpore 社区提 issue。",
        "en": "If it persists, file an issue with the MindSpore community: the whole error, the smallest script, and the output of "
        "accucheck doctor.",
    },
    "error-still": {
        "zh": "检查清单此时仍可用：静态探针读脚本、文件探针读数据和权重，都不需要训练跑完；与曲线有关的检查项要等训练跑完。按 Enter "
        "继续。",
        "en": "The checklist can still help: static probes read scripts, file probes read data and weights, and neither needs the "
        "training to run. Checks that need curves have to wait. Enter continues.",
    },
    "command-go-on": {"zh": "仍然继续检查", "en": "Continue with the checklist anyway"},
    "key-go-on": {"zh": "继续", "en": "continue"},
    "help-error": {
        "zh": "先解决报错的方法；Esc 返回上一个问题。",
        "en": "How to find an error's cause; Esc goes back to the question.",
    },
    "start-looking": {"zh": "正在查看项目……", "en": "Looking through the project..."},
    "start-partial": {
        "zh": "目录过大，只查看了一部分。",
        "en": "The folder is too large to be scanned completely: the list is partial.",
    },
    "start-projects": {
        "zh": "子目录中有 {count} 个项目：{names}。请用 accucheck --project 打开其中一个，或在此指定脚本。",
        "en": "There {count:is a project|are {count} projects} in folders below: {names}. Open one with accucheck --project, or name its "
        "scripts here.",
    },
    "start-decides": {"zh": "未提供（决定哪些检查项适用）", "en": "not given (decides which items apply)"},
    "start-goal": {"zh": "未提供（可选）", "en": "not given (optional)"},
    "start-goal-why": {
        "zh": "报告和 issue 以此开头，并据此排列原因；例如：accuracy，0.32，0.95，论文表 2",
        "en": "Reports and issues begin with it, and it orders the causes; e.g. accuracy, 0.32, 0.95, table 2 of the paper",
    },
    "start-adds": {"zh": "未提供（提供后多一种检查方式：{items}）", "en": "not given (adds a check to {items})"},
    "start-for": {"zh": "用于：{items}", "en": "For: {items}"},
    "start-no-value": {"zh": "尚未给出：按 Enter 填写", "en": "No value yet; press Enter to type one"},
    "start-in-file": {
        "zh": "已写在 accucheck.yaml 中：可按 Enter 修改，删除请直接编辑该文件",
        "en": "Set in accucheck.yaml: Enter changes it; to remove it, edit that file",
    },
    "start-is-list": {
        "zh": "值为列表或映射，请直接编辑 accucheck.yaml",
        "en": "The value is a list or a mapping: edit it in accucheck.yaml",
    },
    "start-wrong": {
        "zh": "以下输入有误，请修改或取消选用：{keys}",
        "en": "Invalid values; fix or deselect them: {keys}",
    },
    "case-text": {
        "zh": "accucheck.yaml 中的输入和可补充的输入：Enter 修改，空格选用，s 保存（文件中的注释保留）。",
        "en": "What accucheck.yaml sets, and what it could set: Enter changes, space selects, s saves (comments in the file are kept).",
    },
    "case-unchanged": {"zh": "没有改动", "en": "Nothing has changed"},
    "case-saved": {"zh": "已写入 accucheck.yaml：{keys}", "en": "Written into accucheck.yaml: {keys}"},
    "case-alone": {"zh": "这里只有会话，没有项目", "en": "There is no project here, only its session"},
    "case-busy": {
        "zh": "探针正在运行，请等待结束或按 Esc 取消",
        "en": "Probes are running; wait, or cancel them with Esc",
    },
    "command-case": {"zh": "修改配置文件 accucheck.yaml", "en": "Change the inputs (accucheck.yaml)"},
    "command-save-case": {"zh": "写入 accucheck.yaml", "en": "Write it into accucheck.yaml"},
    "value-keys": {"zh": "Enter 确定  Esc 取消", "en": "Enter takes it  Esc cancels"},
    "value-keys-path": {
        "zh": "Tab 补全  F2 浏览文件  Enter 确定  Esc 取消",
        "en": "Tab completes  F2 browses  Enter takes it  Esc cancels",
    },
    "picker-filter": {"zh": "按名称过滤，Esc 清除", "en": "filter by name, Esc clears"},
    "picker-reading": {"zh": "正在列出……", "en": "listing..."},
    "picker-keys": {
        "zh": "Enter 打开或选定  Backspace 上级目录  / 过滤  Esc 取消",
        "en": "Enter opens or takes  Backspace goes up  / filters  Esc cancels",
    },
    "picker-keys-folder": {
        "zh": "Enter 打开或选定  空格 选定目录  Backspace 上级目录  / 过滤  Esc 取消",
        "en": "Enter opens or takes  Space takes a folder  Backspace goes up  / filters  Esc cancels",
    },
    "picker-more": {"zh": "……另有 {count:,} 个，Enter 显示更多", "en": "... {count:,} more, Enter shows them"},
    "picker-none": {"zh": "没有可选的文件或目录", "en": "There is nothing to choose"},
    "picker-strange": {
        "zh": "未列出 {count:,} 个名称不是 UTF-8 的文件",
        "en": "{count:,} {count:name that is|names that are} not UTF-8 left out",
    },
    "picker-broken": {
        "zh": "未列出 {count:,} 个失效链接或特殊文件",
        "en": "{count:,} dead {count:link or special file|links or special files} left out",
    },
    "picker-too-many": {"zh": "只列出前 {count:,} 个", "en": "only the first {count:,} entries"},
    "recent-title": {"zh": "最近的项目", "en": "Recent projects"},
    "recent-text": {
        "zh": "Enter 打开；当前项目的会话已保存。",
        "en": "Enter opens one; what you said of this one is saved.",
    },
    "recent-none-here": {
        "zh": "{path} 中没有识别出项目。Enter 打开最近的项目，Esc 在此目录继续。",
        "en": "No project was recognised in {path}. Enter opens a recent one, Esc stays here.",
    },
    "recent-gone": {"zh": "已不存在", "en": "gone"},
    "recent-gone-why": {"zh": "{path} 已不存在", "en": "{path} no longer exists"},
    "recent-none": {"zh": "还没有最近的项目", "en": "There are no recent projects"},
    "command-recent": {"zh": "打开最近的项目", "en": "Open a recent project"},
    "command-open-recent": {"zh": "打开所选项目", "en": "Open the project"},
    "command-forget-recent": {"zh": "从列表中移除（不删除项目）", "en": "Take it off the list (the project stays)"},
    "key-save-case": {"zh": "保存", "en": "save"},
    "key-open-recent": {"zh": "打开", "en": "open"},
    "key-forget": {"zh": "移除", "en": "forget"},
    "help-recent": {
        "zh": "最近打开过的项目：名称、已填写结论的项数、问题数、时间、路径。",
        "en": "Projects opened last: name, items concluded, problems, when, where.",
    },
    # --- what goes wrong around the walkthrough ---
    "draft-restored": {
        "zh": "已恢复上次未写完的内容",
        "en": "Restored your unsaved draft",
    },
    "drafts-left": {
        "zh": "上次有未写完的备注：{items}。转到该项按 {key} 继续。",
        "en": "Unfinished notes from last time: {items}. Go there and press {key} to continue.",
    },
    "draft-unwritable": {
        "zh": "正在输入的内容暂时无法存盘：{why}",
        "en": "What you are typing cannot be stored for now: {why}",
    },
    "editor-gone": {
        "zh": "编辑器删除了文件 {name}，备注未改动。",
        "en": "The editor removed the file {name}; the note stays as it was.",
    },
    "editor-failed": {
        "zh": "编辑器异常退出（退出码 {code}），备注未改动。它保存的内容已留作草稿，按 {@note:n} 可查看。",
        "en": "The editor failed (exit code {code}); the note stays as it was. What it saved is kept as a draft: press {@note:n}.",
    },
    "command-suspend": {"zh": "挂起并回到 shell（fg 返回）", "en": "Suspend, back to the shell (fg returns)"},
    "suspend-nowhere": {
        "zh": "没有可返回的 shell，无法挂起",
        "en": "There is no shell to return to, so it cannot be suspended",
    },
}
