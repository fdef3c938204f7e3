"""The words of the command line: help texts and what commands say, in both languages."""

from ..language import Words

WORDS: Words = {
    "accucheck": {
        "en": "Locate why a MindSpore model does not reach its accuracy. Without a command: the walkthrough, of this folder "
        "or of the one that is named (accucheck PATH).",
        "zh": "定位 MindSpore 模型精度不达标的原因。不带命令时进入逐项检查向导，可只给出工程目录（accucheck PATH）。",
    },
    "project": {
        "en": "The project folder, or its accucheck.yaml (default: here).",
        "zh": "项目目录或其 accucheck.yaml（默认当前目录）。",
    },
    "project-too": {"en": "The same, as an option.", "zh": "同上，以选项形式给出。"},
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
    "colon": {"en": ": ", "zh": "："},
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
    "number-between": {"en": "give a number from {min:g} to {max:g}", "zh": "应为 {min:g} 到 {max:g} 之间的数值"},
    "number": {"en": "give a number, at least {min}", "zh": "应为不小于 {min} 的数值"},
    "only-alone": {
        "en": "{name} before a command has no effect: give it after {command}",
        "zh": "{name} 写在命令之前不起作用，请写在 {command} 之后",
    },
    "no-project": {"en": "{command} takes no {name}", "zh": "{command} 不接受 {name}"},
    "standard-output": {"en": "standard output", "zh": "标准输出"},
    "interrupted": {"en": "interrupted; what was recorded is kept", "zh": "已中断，已记录的内容均已保留"},
    "internal": {
        "en": "an error inside accucheck ({problem}). What was saved is intact. Details for an issue: {path}",
        "zh": "accucheck 内部错误（{problem}）。已保存的内容完好。提交 issue 时请附上：{path}",
    },
    "internal-walk": {
        "en": "an error inside accucheck ended the walkthrough ({problem}). Your answers are saved in {session}: start it again and "
        "go on. "
        "Please file an issue with this file: {path}",
        "zh": "accucheck 内部错误使向导退出（{problem}）。结论已保存在 {session}，重新启动即可继续。请提交 issue 并附上此文件：{path}",
    },
    "nowhere": {"en": "(they could not be written)", "zh": "（无法写出）"},
    "no-terminal": {
        "en": "the walkthrough needs a terminal ({why}); without one use: accucheck run",
        "zh": "向导需要终端（{why}）；没有终端时请使用：accucheck run",
    },
    "not-a-tty": {"en": "standard input, output or error is none", "zh": "标准输入、输出或错误输出不是终端"},
    "other-encoding": {
        "en": "The locale's encoding is {encoding}, not UTF-8: lines are drawn in ASCII, and characters it cannot encode are shown as ?. "
        "A terminal of UTF-8 shows all (LC_ALL=C.UTF-8).",
        "zh": "当前 locale 编码为 {encoding}，不是 UTF-8：线条以 ASCII 绘制，无法编码的字符显示为 ?。"
        "使用 UTF-8 终端（LC_ALL=C.UTF-8）可完整显示。",
    },
    # Where Chinese cannot be shown, this is said in English in both.
    "no-chinese": {
        "en": "The locale's encoding is {encoding}, which has no Chinese: texts are in English, lines in ASCII, and other characters are "
        "shown as ?. A terminal of UTF-8 shows all (LC_ALL=C.UTF-8).",
        "zh": "The locale's encoding is {encoding}, which has no Chinese: texts are in English, lines in ASCII, and other "
        "characters are shown as ?. A terminal of UTF-8 shows all (LC_ALL=C.UTF-8).",
    },
    "read-only": {
        "en": "Look only: nothing of the project or its session is changed.",
        "zh": "只读打开：不改动项目及其会话。",
    },
    "who": {"en": "Your name (default: the user's).", "zh": "您的姓名（默认当前用户）。"},
    "start-role": {
        "en": "author concludes the items; reviewer accepts or returns the conclusions.",
        "zh": "author（作者）填写结论；reviewer（评审人）通过或退回结论。",
    },
    # run
    "run": {
        "en": "Run the probes and print what they suggest. Exit code 0: nothing, 1: found, 3: a probe failed, 4: no probe ran. "
        "Without an "
        "accucheck.yaml the case is taken from the folder.",
        "zh": "运行探针并输出建议结论。退出码 0 表示没有发现，1 表示有发现，3 表示有探针失败，4 表示没有探针运行。没有 accucheck.yaml "
        "时，输入从目录中识别。",
    },
    "script": {
        "en": "A script to examine; its role is detected. Repeatable.",
        "zh": "要检查的脚本，角色自动识别，可重复。",
    },
    "kind": {"en": "Only probes of this kind. Repeatable.", "zh": "仅运行该类探针，可重复。"},
    "live": {"en": "Allow live probes to run the project's own code.", "zh": "允许运行时探针运行项目自身的代码。"},
    "remote": {
        "en": "Read data from network addresses named in accucheck.yaml; those given with --set need no consent.",
        "zh": "允许读取 accucheck.yaml 中指定的网络地址上的数据；--set 给出的地址无需授权。",
    },
    "checklist": {
        "en": "A shipped checklist, or a YAML file. Repeatable.",
        "zh": "内置 checklist 的名称或 YAML 文件，可重复。",
    },
    "only": {"en": "Only this item. Repeatable.", "zh": "仅检查该项，可重复。"},
    "only-items": {
        "en": "Only this item (ds.01), or the items of this group (ds). Repeatable.",
        "zh": "仅检查该项（如 ds.01）或该组的各项（如 ds），可重复。",
    },
    "run-probe": {
        "en": "Only this probe, as results name it. Repeatable.",
        "zh": "仅运行该探针（名称见结果），可重复。",
    },
    "fast": {
        "en": "Leave out probes that will most likely take over 30 s; they are named.",
        "zh": "不运行预计超过 30 秒的探针，并列出其名称。",
    },
    "fast-left": {
        "en": "--fast left out {count:,} {count:probe that|probes that} may take over {seconds} s: {probes}",
        "zh": "--fast 未运行 {count:,} 个可能超过 {seconds} 秒的探针：{probes}",
    },
    "run-taken": {
        "en": "there is no accucheck.yaml, so {script} is examined, along with other inputs from the folder: {keys}",
        "zh": "没有 accucheck.yaml，检查 {script}，并使用目录中识别出的：{keys}",
    },
    "run-taken-script": {
        "en": "there is no accucheck.yaml, so {script} is examined",
        "zh": "没有 accucheck.yaml，检查 {script}",
    },
    "run-others": {
        "en": " (could also be {others}; --script PATH selects another)",
        "zh": "（也可能是 {others}，可用 --script PATH 指定）",
    },
    "run-taken-other": {
        "en": "there is no accucheck.yaml, and no training script was recognised (--script PATH gives one); taken from the folder: "
        "{keys}",
        "zh": "没有 accucheck.yaml，也未识别出训练脚本（可用 --script PATH 指定）；目录中识别出的：{keys}",
    },
    "run-nothing": {
        "en": "there is no accucheck.yaml, and nothing was recognised in {path}: no training script, data folder, checkpoint or log. "
        "Give a script with --script PATH.",
        "zh": "没有 accucheck.yaml，也未能在 {path} 中识别出训练脚本、数据目录、权重或日志。请用 --script PATH 指定脚本。",
    },
    "run-keep": {
        "en": "to save these inputs so that you can edit them: {command}",
        "zh": "如需保留以上识别结果（之后可修改和补充）：{command}",
    },
    "run-progress": {
        "en": "{done}/{total} {now} · {clock} · ~{rest} left",
        "zh": "{done}/{total} {now} · {clock} · 约剩 {rest}",
    },
    "set": {
        "en": "Override a key of the case, KEY=VALUE. Repeatable.",
        "zh": "覆盖 accucheck.yaml 的某个键，KEY=VALUE，可重复。",
    },
    "jobs": {"en": "Probes at a time.", "zh": "同时运行的探针数。"},
    "timeout": {"en": "Seconds each probe may take.", "zh": "每个探针的时限（秒）。"},
    "fail-on": {"en": "What makes the exit code 1.", "zh": "何种结果使退出码为 1。"},
    "exit-zero": {
        "en": "Exit with 0 even when problems are found or a probe failed.",
        "zh": "即使发现问题或探针失败也以 0 退出。",
    },
    "format": {"en": "Format of the output.", "zh": "输出格式。"},
    "also": {
        "en": "Write the result into a file too, such as sarif=accucheck.sarif: lines, json, sarif or junit. Repeatable.",
        "zh": "同时将结果写入文件，如 sarif=accucheck.sarif；格式可为 lines、json、sarif 或 junit，可重复。",
    },
    "also-form": {
        "en": "{given} is not FORMAT=FILE with one of lines, json, sarif, junit",
        "zh": "{given} 不是 FORMAT=FILE（格式为 lines、json、sarif 或 junit）",
    },
    "baseline": {
        "en": "What this file holds is known and does not count: only new findings fail.",
        "zh": "该文件中记录的发现视为已知，不计入结果，只有新发现才会失败。",
    },
    "write-baseline": {
        "en": "Write the findings into this file, for --baseline.",
        "zh": "将本次发现写入该文件，供 --baseline 使用。",
    },
    "set-aside": {
        "en": "findings that do not count: {inline:,} set aside by comments in the code, {baseline:,} known from the baseline",
        "zh": "不计入结果的发现：被代码注释排除 {inline:,} 处，基线中已有 {baseline:,} 处",
    },
    "no-reason": {
        "en": "{place}: accucheck: ignore[...] gives no reason, so it sets nothing aside",
        "zh": "{place}：accucheck: ignore[...] 未写明理由，因此不起作用",
    },
    "no-session": {"en": "Do not record into the project's session.", "zh": "不写入项目的会话。"},
    "locked": {
        "en": "not recorded: the session is open in another accucheck ({holder})",
        "zh": "结果未记录：会话已在另一个 accucheck 中打开（{holder}）",
    },
    "unwritable": {
        "en": "{text} To run without recording: --no-session",
        "zh": "{text} 如不需记录，可加 --no-session",
    },
    "run-estimate": {
        "en": "{estimate}; Ctrl-C keeps what was found so far",
        "zh": "{estimate}；可按 Ctrl-C 中断，已有结果会保留",
    },
    # completion, skill
    "completion": {
        "en": "Print what completes commands and options in a shell; --install puts it where the shell looks.",
        "zh": "输出命令行补全脚本；--install 将其安装到该 shell 读取的位置。",
    },
    "completion-shell": {"en": "bash, zsh or fish.", "zh": "bash、zsh 或 fish。"},
    "completion-install": {
        "en": "Write it into your own folder of completions.",
        "zh": "写入用户自己的补全目录。",
    },
    "completion-zsh": {
        "en": "put this before compinit in ~/.zshrc: fpath=({folder} $fpath)",
        "zh": "请在 ~/.zshrc 的 compinit 之前加入：fpath=({folder} $fpath)",
    },
    "skill": {
        "en": "Print SKILL.md, which tells a coding agent when and how to use accucheck; --install writes it into the project.",
        "zh": "输出 SKILL.md，说明编程智能体何时、如何使用 accucheck；--install 将其写入项目。",
    },
    "skill-install": {
        "en": "Write it to FOLDER/accucheck/SKILL.md; an older one is replaced.",
        "zh": "写入 FOLDER/accucheck/SKILL.md，已有的旧文件会被替换。",
    },
    "skill-folder": {
        "en": "The agent's folder of skills (default: .agents/skills in the project).",
        "zh": "智能体的 skills 目录（默认为项目中的 .agents/skills）。",
    },
    # schema
    "schema": {
        "en": "Print the JSON Schema of accucheck.yaml (case), of a checklist, of run --json (run), of the session, or of "
        "settings.yaml (settings).",
        "zh": "输出 JSON Schema：accucheck.yaml（case）、检查清单（checklist）、run --json（run）、会话（session）"
        "或 settings.yaml（settings）。",
    },
    "schema-name": {
        "en": "case, checklist, run, session or settings.",
        "zh": "case、checklist、run、session 或 settings。",
    },
    # mcp
    "mcp": {
        "en": "Serve this project to a coding agent over MCP, on standard input and output. Needs accucheck[mcp].",
        "zh": "通过 MCP（标准输入输出）向编程智能体提供本项目的检查。需要 accucheck[mcp]。",
    },
    "lsp": {
        "en": "Show in an editor what static probes find, with fixes as code actions (language server on standard input and output). Needs "
        "accucheck[lsp].",
        "zh": "在编辑器中显示静态探针的发现，修改可作为 code action 应用（语言服务器，标准输入输出）。需要 accucheck[lsp]。",
    },
    # fix
    "fix": {
        "en": "Print the fixes for what static probes found as one patch for git apply. Edits nothing.",
        "zh": "将静态探针所发现问题的修改合并为一个补丁输出，供 git apply 使用；不改动任何文件。",
    },
    "fix-made": {
        "en": "findings that the patch fixes: {mended:,} (files: {files:,}). Read it, then apply it: {command}",
        "zh": "补丁可修正 {mended:,} 处发现，涉及 {files:,} 个文件。请先审阅，再应用：{command}",
    },
    "fix-nothing": {"en": "nothing to fix was found", "zh": "没有发现需要修改之处"},
    "fix-no-probe": {"en": "no static probe examines what was asked for", "zh": "所选范围内没有可运行的静态探针"},
    "fix-by-hand": {"en": "not in the patch, to be fixed by hand:", "zh": "未纳入补丁，需人工处理："},
    "fix-meant": {"en": "may well be intended, so not in the patch:", "zh": "可能是有意为之，未纳入补丁："},
    "fix-overlap": {
        "en": "not in the patch because it changes the same lines differently; apply the patch, then run accucheck fix again:",
        "zh": "与补丁中其他修改涉及相同的行，未纳入补丁；应用补丁后请再次运行 accucheck fix：",
    },
    "fix-misfit": {
        "en": "not in the patch, as the probe's diff does not fit the file:",
        "zh": "探针给出的 diff 与文件内容不符，未纳入补丁：",
    },
    "fix-settled": {
        "en": "left out, as a person concluded that nothing is wrong with them: {items} (--item ITEM takes one in)",
        "zh": "以下各项已由人工判定无需处理，未纳入：{items}（如需纳入，请用 --item 指定）",
    },
    "fix-undecided": {
        "en": "{count:,} more {count:place|places} could not be decided; accucheck run lists them",
        "zh": "另有 {count:,} 处无法判定，可用 accucheck run 查看",
    },
    "fix-not-run": {"en": "{probes}: {reason}", "zh": "{probes}：{reason}"},
    # try
    "try": {
        "en": "Train copies of the project with the changes that findings carry, one by one and together, and compare them with the "
        "unchanged project. The project itself is not touched.",
        "zh": "在项目副本中逐个并合并应用探针给出的修改，各训练一小段，与未修改的项目比较；项目本身不会改动。",
    },
    "try-command": {
        "en": "The command that trains, after --: python train.py --epochs 2. Default: runtime.command of accucheck.yaml, the command "
        "that was watched last, or the training script.",
        "zh": "训练命令，写在 -- 之后：python train.py --epochs 2。默认使用 accucheck.yaml 的 runtime.command、"
        "上次观察的命令或训练脚本。",
    },
    "try-live": {
        "en": "Agree to running and training the project's own code with a command that is not given here.",
        "zh": "同意运行项目自身的代码并训练（命令取自项目，而不是在此给出）。",
    },
    "try-evaluate": {
        "en": "The command that evaluates after each training, in quotes; by default the evaluation script of accucheck.yaml, where the "
        "training itself reports no metric. '' runs none.",
        "zh": "每次训练之后的评估命令，用引号括起；默认在训练没有输出指标时运行 accucheck.yaml 中的评估脚本；'' 表示不运行。",
    },
    "try-steps": {
        "en": "Stop each training after this many steps; 0 trains to the end (default: 0).",
        "zh": "每次训练这么多步后结束；0 表示训练到结束（默认 0）。",
    },
    "try-seconds": {
        "en": "Stop each training, with its evaluation, after this many seconds (default: 300).",
        "zh": "每次训练连同评估最多这么多秒（默认 300）。",
    },
    "try-disk": {
        "en": "Megabytes that a training may write (default: 2048). Nothing of it is kept.",
        "zh": "每次训练最多写入的 MB 数（默认 2048）；写入的内容不会保留。",
    },
    "try-seeds": {
        "en": "Number of training runs of the unchanged project, each with a different seed, to measure the noise (default: 2).",
        "zh": "未修改的项目用不同种子训练的次数，用来估计波动（默认 2）。",
    },
    "try-most": {
        "en": "Try this many changes, starting with those expected to matter most (default: 8).",
        "zh": "最多试用的修改数，预期影响大的优先（默认 8）。",
    },
    "try-again": {
        "en": "Repeat training runs that were already done with the same code.",
        "zh": "代码未变、此前已训练过的也重新训练。",
    },
    "try-command-is": {"en": "trained in copies by: {command}", "zh": "在副本中训练，命令：{command}"},
    "try-begins": {"en": "{number}/{count} {what}", "zh": "{number}/{count} {what}"},
    "try-done": {
        "en": "  {seconds:.0f} s, loss {loss}, metric {metric}: {result}",
        "zh": "  {seconds:.0f} 秒，loss {loss}，指标 {metric}：{result}",
    },
    "try-left-misfit": {
        "en": "{item} {place}: the change does not fit the file as it is, and is not tried",
        "zh": "{item} {place}：修改与文件当前内容不符，不试用",
    },
    "try-left-overlap": {
        "en": "{item} {place}: some of the changes are for the same lines, and not all are tried",
        "zh": "{item} {place}：部分修改涉及相同的行，未全部试用",
    },
    # tune
    "tune": {
        "en": "Search for hyper-parameters: train copies of the project with its own command and different settings, abandon hopeless "
        "trials, and report what is better than noise. Running it again continues an interrupted search. Needs accucheck[tune].",
        "zh": "超参搜索：在项目副本中用其自身的命令以不同设置训练，提前终止落后的试验，并指出超出波动的改进；中断后再次运行即可继续。"
        "需要 accucheck[tune]。",
    },
    "tune-command": {
        "en": "The command that trains, after --: python train.py --epochs 4. Default: as of try.",
        "zh": "训练命令，写在 -- 之后：python train.py --epochs 4。默认与 try 相同。",
    },
    "tune-search": {
        "en": "What to search: an option of the command or a key of a YAML file that it names, with a range or a list: "
        "lr=1e-4..1e-1:log, "
        "layers=2..8, dropout=0..0.5:step=0.1, batch=16,32,64. May be given several times.",
        "zh": "要搜索的内容：命令的选项，或命令所用 YAML 文件的键，及其范围或列表：lr=1e-4..1e-1:log、layers=2..8、"
        "dropout=0..0.5:step=0.1、"
        "batch=16,32,64。可多次给出。",
    },
    "tune-metric": {
        "en": "The metric to optimise, as reported by the training (default: the accuracy of its evaluation, otherwise its loss).",
        "zh": "作为依据的指标，名称以训练的输出为准（默认：评估的准确率，没有则为评估 loss）。",
    },
    "tune-direction": {
        "en": "Whether a higher or a lower metric is better (default: by its name).",
        "zh": "指标越大越好还是越小越好（默认按名称判断）。",
    },
    "tune-trials": {
        "en": "Stop after this many training runs, repeats included (default: 20 if neither --epochs nor --time is given).",
        "zh": "训练这么多次后结束，包括重复训练（未给 --epochs 和 --time 时默认 20）。",
    },
    "tune-epochs": {
        "en": "Stop after this many epochs in total.",
        "zh": "合计训练这么多 epoch 后结束。",
    },
    "tune-time": {
        "en": "Stop after this much time: 90, 30m, 2h. Each run of the command has this much.",
        "zh": "经过这么久后结束：90、30m、2h；每次运行命令重新计时。",
    },
    "tune-time-wrong": {
        "en": "{text} is not a duration; write 90, 30m or 2h",
        "zh": "{text} 不是时间：应写作 90、30m 或 2h",
    },
    "tune-seeds": {
        "en": "Train the command's own settings and the best ones with this many seeds, to measure the noise (default: 2).",
        "zh": "命令自身的设置和最好的设置各用这么多种子训练，以估计波动（默认 2）。",
    },
    "tune-pruner": {
        "en": "How hopeless trials are given up: median (below the median of the others), hyperband (in rounds), none (default: median).",
        "zh": "提前终止落后试验的方式：median（低于其他试验的中位数）、hyperband（分轮淘汰）、none（不终止）；默认 median。",
    },
    "tune-storage": {
        "en": "Where the study is kept: a file of SQLite (.db, .sqlite, .sqlite3), a database URL that Optuna knows, or journal://FILE; "
        "several machines may share it (default: .accucheck/tune.db).",
        "zh": "搜索结果的存放处：SQLite 文件（.db、.sqlite、.sqlite3）、Optuna 支持的数据库 URL，或 journal://文件；"
        "可由多台机器共用（默认 .accucheck/tune.db）。",
    },
    "tune-study": {
        "en": "The name of the study (default: derived from the command, the code and the search space).",
        "zh": "研究的名称（默认由命令、代码和搜索内容决定）。",
    },
    "tune-seconds": {
        "en": "Stop each training after this many seconds; 0 trains to the end (default: 0).",
        "zh": "每次训练最多这么多秒；0 表示训练到结束（默认 0）。",
    },
    "tune-force": {
        "en": "Search although faults are known that no setting can remove.",
        "zh": "即使存在调参无法解决的问题也进行搜索。",
    },
    "tune-show": {"en": "Show what the last search found; train nothing.", "zh": "显示上次搜索的结果，不训练。"},
    "tune-command-is": {"en": "searched in copies by: {command}", "zh": "在副本中搜索，命令：{command}"},
    "tune-foreseen": {
        "en": "No --metric given: the first training run, of the unchanged command, shows the metric. According to {place} it is "
        "{metric}.",
        "zh": "没有给出 --metric：先按原命令训练一次以确定指标。据 {place}，指标为 {metric}。",
    },
    "tune-unforeseen": {
        "en": "No --metric given: the first training run, of the unchanged command, shows the metric (the accuracy of an evaluation, "
        "otherwise the loss of an evaluation). If it reports neither, the search ends there.",
        "zh": "没有给出 --metric：先按原命令训练一次以确定指标（评估的准确率，没有则为评估 loss）；若两者都没有输出，则不再训练。",
    },
    "tune-begins": {"en": "{count} {what}; {left}", "zh": "{count} {what}；{left}"},
    "tune-far": {"en": "epoch {epoch}  {value}  {left}", "zh": "epoch {epoch}  {value}  {left}"},
    "tune-done": {
        "en": "  {seconds:.0f} s, {epochs} {epochs:epoch|epochs}, {metric} {value}: {result}",
        "zh": "  {seconds:.0f} 秒，{epochs} 个 epoch，{metric} {value}：{result}",
    },
    "tune-done-best": {"en": "{told} (best: {best} of trial {number})", "zh": "{told}（最好：{best}，试验 {number}）"},
    "tune-left-unknown": {"en": "time left not known yet", "zh": "剩余时间未知"},
    "tune-left-seconds": {"en": "about {count} s left", "zh": "约剩 {count} 秒"},
    "tune-left-minutes": {"en": "about {count} min left", "zh": "约剩 {count} 分钟"},
    "tune-left-hours": {"en": "about {count} h left", "zh": "约剩 {count} 小时"},
    "tune-study-is": {
        "en": "study {study} in {storage}; run the same command again to continue it",
        "zh": "研究 {study} 存于 {storage}；再次运行同一命令即可继续",
    },
    # dump
    "dump": {
        "en": "Dump the operations of some steps: write MindSpore's configuration, run the command up to them, and show what they "
        "contain, above all the first value that is not finite. Graph mode.",
        "zh": "导出若干步中各算子的数据：写好 MindSpore 的 dump 配置，运行命令到这些步为止，并显示结果，首个出现 NaN 或 Inf "
        "的算子在前。适用于图模式。",
    },
    "dump-command": {"en": "The command that trains, after --.", "zh": "训练命令，写在 -- 之后。"},
    "dump-steps": {
        "en": "The steps, counted from 1: 1-2, 1,50-52 (default: 1-2). The command is ended after the last.",
        "zh": "要导出的步，从 1 开始：1-2、1,50-52（默认 1-2）；最后一步之后结束命令。",
    },
    "dump-ranks": {
        "en": "A rank to dump; may be given several times (default: 0).",
        "zh": "要导出的 rank，可多次给出（默认 0）。",
    },
    "dump-layers": {
        "en": "Keep only operations whose name contains this text, such as a layer's name; may be given several times.",
        "zh": "只保留名称中含有该文字（如网络层名）的算子，可多次给出。",
    },
    "dump-operators": {
        "en": "Dump only operators of this type, such as MatMul; may be given several times.",
        "zh": "只导出该类型的算子，如 MatMul，可多次给出。",
    },
    "dump-part": {"en": "Inputs, outputs, or all (default: all).", "zh": "输入、输出或全部（默认全部）。"},
    "dump-statistics": {"en": "Statistics instead of values (Ascend).", "zh": "以统计值代替数值（Ascend）。"},
    "dump-overflow": {"en": "Only operators that overflow (Ascend).", "zh": "只导出溢出的算子（Ascend）。"},
    "dump-all": {"en": "Show every operation, not the first 20.", "zh": "显示全部算子，而不只是前 20 个。"},
    "dump-output": {
        "en": "The folder, which must not be there yet (default: dump/ and the time, in the project).",
        "zh": "输出目录，不能已存在（默认为项目下 dump/ 加时间）。",
    },
    "dump-begins": {"en": "dumping with the settings in {file}", "zh": "按 {file} 导出"},
    "dump-failed": {
        "en": "The command ended with exit code {code} before anything was dumped.",
        "zh": "命令以退出码 {code} 结束，尚未导出任何数据。",
    },
    "dump-reading": {"en": "reading {done}/{of}", "zh": "正在读取 {done}/{of}"},
    "dump-holds": {
        "en": "{path}: {operations:,} {operations:operation|operations} of {steps:,} {steps:step|steps} and {ranks:,} "
        "{ranks:rank|ranks}, "
        "{files:,} {files:tensor|tensors}",
        "zh": "{path}：{steps:,} 步、{ranks:,} 个 rank，共 {operations:,} 个算子、{files:,} 个张量",
    },
    "dump-first": {
        "en": "First with finite inputs and an output that is NaN or Inf: {name} ({kind}) at step {step:,}",
        "zh": "首个输入有限而输出为 NaN 或 Inf 的算子：{name}（{kind}），第 {step:,} 步",
    },
    "dump-finite": {
        "en": "No operation with finite inputs outputs NaN or Inf.",
        "zh": "没有输入有限而输出为 NaN 或 Inf 的算子。",
    },
    "dump-step": {"en": "Step", "zh": "步"},
    "dump-range": {"en": "Range", "zh": "范围"},
    "dump-bad": {"en": "Not finite", "zh": "非有限"},
    "dump-shape": {"en": "Output", "zh": "输出"},
    "dump-operation": {"en": "Operation", "zh": "算子"},
    "dump-more": {
        "en": "{count:,} more {count:operation|operations}; --all shows them",
        "zh": "另有 {count:,} 个算子，可用 --all 显示",
    },
    "dump-next": {
        "en": "to judge it: accucheck run --only mp.01 --set dumps.path={path}",
        "zh": "进一步判断：accucheck run --only mp.01 --set dumps.path={path}",
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
        "en": "Write weights of one framework as a .ckpt or .safetensors of the other, or TFRecord files as a .mindrecord. Exit code 0: "
        "all of it, 1: not.",
        "zh": "把一个框架的权重写成另一个框架的 .ckpt 或 .safetensors，或把 TFRecord 文件写成 .mindrecord。"
        "退出码 0 表示全部写入，1 表示有遗漏。",
    },
    "data": {
        "en": "Look at the rows of a data file: fields, shapes, ranges, tokens, masks, pictures, boxes and sounds.",
        "zh": "查看数据文件的内容：字段、形状、取值范围、token、mask、图片、标注框和音频。",
    },
    "data-path": {
        "en": "A MindRecord, TFRecord, Parquet, WebDataset, NPY, NPZ, CSV, JSON, picture or WAV file, or a folder of them, with masks and "
        "COCO annotations beside pictures; a project with --pipelines.",
        "zh": "数据文件（MindRecord、TFRecord、Parquet、WebDataset、NPY、NPZ、CSV、JSON、图片、WAV），或含有它们的目录，"
        "图片旁可有 mask 和 COCO 标注；与 --pipelines 同用时为项目目录。",
    },
    "data-from": {"en": "The first row to show, from 0.", "zh": "从第几行开始显示（从 0 计）。"},
    "data-count": {"en": "How many rows to show.", "zh": "显示多少行。"},
    "data-pipelines": {
        "en": "PATH is a project: show samples as they lie there, and as training, evaluation and inference see them.",
        "zh": "PATH 为工程目录：并排显示样本的原样，以及训练、评估、推理看到的样子。",
    },
    "data-live": {
        "en": "Agree that the project's own pipelines are run.",
        "zh": "同意运行项目自身的数据管道。",
    },
    "data-vocabulary": {
        "en": "A vocabulary (vocab.txt, vocab.json, tokenizer.json, .vocab): sequences of whole numbers are shown as its tokens.",
        "zh": "词表文件（vocab.txt、vocab.json、tokenizer.json、.vocab）：整数序列显示为 token。",
    },
    "data-draw": {"en": "Draw pictures in characters.", "zh": "用字符画出图片。"},
    "data-html": {
        "en": "Write a page with pictures, boxes and sounds, which opens offline.",
        "zh": "写出可离线打开的网页，含图片、标注框和音频波形。",
    },
    "data-png": {"en": "Write a sheet of pictures.", "zh": "写出一张图片总览。"},
    "data-written": {"en": "written: {path}", "zh": "已写入：{path}"},
    "convert-reference": {
        "en": "The checkpoint to convert (.pth, .pt, .bin, .safetensors, .ckpt, or a folder of its parts), or a TFRecord file or a "
        "folder of them.",
        "zh": "要转换的 checkpoint（.pth、.pt、.bin、.safetensors、.ckpt，或由多个分片组成的目录），"
        "或 TFRecord 文件、含 TFRecord 文件的目录。",
    },
    "convert-output": {
        "en": "The .ckpt, .safetensors or .mindrecord to write.",
        "zh": "要写入的 .ckpt、.safetensors 或 .mindrecord。",
    },
    "convert-of-weights": {
        "en": "--to, --like, --map and --write-map are about weights, and have no meaning for a .mindrecord",
        "zh": "--to、--like、--map、--write-map 用于权重，写 .mindrecord 时不能使用",
    },
    "convert-to": {
        "en": "Names and shapes as this framework's layers have them, where there is no --like (default: the other one).",
        "zh": "没有 --like 时，按该框架各层的习惯命名和取形状（默认为另一框架）。",
    },
    "like": {
        "en": "A checkpoint of the network that will load the result: its names and shapes are used.",
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
    "needs-like": {"en": "{name} needs --like", "zh": "{name} 需要与 --like 同用"},
    "to-or-like": {
        "en": "--like already says which framework, so --to is not needed",
        "zh": "--like 已经确定了目标，不能再用 --to",
    },
    # report and the rest
    "report": {"en": "Write the report.", "zh": "生成报告。"},
    "report-format": {
        "en": "Format to write. Repeatable (default: md and docx).",
        "zh": "报告格式，可重复（默认 md 和 docx）。",
    },
    "report-language": {
        "en": "Language of the report; both: Chinese and English beside each other (default: as --lang).",
        "zh": "报告语言；both 为中英对照（默认与 --lang 相同）。",
    },
    "report-template": {
        "en": "A Jinja2 template of your own instead of the shipped one for its format (.md, .md.j2, .html, .html.j2).",
        "zh": "自定义 Jinja2 模板，代替相应格式的内置模板（.md、.md.j2、.html、.html.j2）。",
    },
    "print-template": {
        "en": "Print the shipped template, to start one of your own from.",
        "zh": "输出内置模板，可作为自定义模板的起点。",
    },
    "report-full": {
        "en": "Include the method of every item, everything the probes checked, inputs with digests, and the steps to reproduce.",
        "zh": "完整报告：包含每项的检查方法、探针的全部记录、输入及校验值和复现步骤。",
    },
    "report-force": {
        "en": "Replace a report of the same name; without it the new one gets a number.",
        "zh": "覆盖同名报告；不加此项时新报告自动编号。",
    },
    "report-allow": {
        "en": "Leave this in the report although it looks private: the text itself, or the id shown by the preview. Repeatable.",
        "zh": "疑似隐私但允许保留的内容：原文或提示中的编号，可重复。",
    },
    "report-no-redact": {
        "en": "Replace nothing: names, addresses, paths and secrets stay in the report.",
        "zh": "不做脱敏：名称、地址、路径和密钥原样写入报告。",
    },
    "report-samples": {
        "en": "List samples of the data too: which they are, and their labels.",
        "zh": "同时列出数据集样本：样本位置及其标签。",
    },
    "report-preview": {
        "en": "Only show what would be replaced; write nothing.",
        "zh": "仅显示将被替换的内容，不写入任何文件。",
    },
    "issue": {
        "en": "Write an issue: its text in the form of a tracker, a title, an address to file it, and the attachment.",
        "zh": "生成 issue：按平台模板写好的正文、标题、新建链接和附件。",
    },
    "tracker": {"en": "Where to file it (default: atomgit).", "zh": "提交到哪个平台（默认 atomgit）。"},
    "issue-repo": {
        "en": "The repository (default: that of MindSpore).",
        "zh": "仓库 owner/name（默认 MindSpore 主仓库）。",
    },
    "base-url": {"en": "The tracker's address, if it differs from the default.", "zh": "平台地址（使用其他站点时）。"},
    "issue-title": {"en": "The title (default: from the worst finding).", "zh": "标题（默认由最严重的问题生成）。"},
    "issue-field": {
        "en": "Print one field of the form (title and body too) and write nothing.",
        "zh": "只输出表单的一个字段（也可为 title 或 body），不写文件。",
    },
    "print-form": {
        "en": "Print the form as an issue template (accuracy-problem.yml) for maintainers of a repository.",
        "zh": "输出供仓库维护者使用的 issue 表单模板（accuracy-problem.yml）。",
    },
    "issue-format": {
        "en": "Format of the report in the attachment, repeatable (default: html, docx, json).",
        "zh": "附件中报告的格式，可重复（默认 html、docx、json）。",
    },
    "include": {
        "en": "A file, pattern or folder that goes into the attachment: a minimal script, a log, some data. Repeatable.",
        "zh": "放入附件的文件、通配符或目录（最小脚本、日志、少量数据等），可重复。",
    },
    "limit": {
        "en": "Leave files larger than this out of the attachment, for instance 1MB (default).",
        "zh": "超过此大小的文件不放入附件，例如 1MB（默认）。",
    },
    "zip-limit": {
        "en": "Split the attachment into several files if it would be larger than this (default: what the tracker accepts).",
        "zh": "附件超过此大小时分成多个文件（默认：平台允许的上限）。",
    },
    "issue-reviews": {
        "en": "Include reviewers' comments in the attachment.",
        "zh": "附件中的报告包含评审意见。",
    },
    "issue-force": {
        "en": "Replace an issue of the same name; without it the new one gets a number.",
        "zh": "覆盖同名 issue 文件；否则新文件自动编号。",
    },
    "size": {
        "en": "give a size of at least {least}, for instance 500kB or 1MB",
        "zh": "请给出不小于 {least} 的大小，例如 500kB 或 1MB",
    },
    "issue-begins": {"en": "Writing the issue and its attachment...", "zh": "正在生成 issue 正文和附件……"},
    "issue-said-title": {"en": "Title: {title}", "zh": "标题：{title}"},
    "issue-said-address": {"en": "Address: {address}", "zh": "新建链接：{address}"},
    "issue-blanks": {
        "en": "To be filled in by hand: {fields}",
        "zh": "需人工补充的字段：{fields}",
    },
    "issue-left-out": {"en": "not in the attachment: {path} ({why})", "zh": "未收入附件：{path}（{why}）"},
    "issue-left-more": {
        "en": "not in the attachment: {count:,} more {count:file|files}, which --json names",
        "zh": "另有 {count:,} 个文件未收入附件，完整列表见 --json",
    },
    "report-output": {
        "en": "Folder to write to (default: reports, in the project).",
        "zh": "输出目录（默认为项目中的 reports 目录）。",
    },
    "output": {"en": "Folder to write to.", "zh": "输出目录。"},
    "list": {"en": "List the items and their probes.", "zh": "列出检查项及其探针。"},
    "no-probe": {"en": "(no probe yet)", "zh": "（暂无探针）"},
    "summary": {
        "en": "Print five lines for a chat or a pull request: the symptom, what is wrong, where, and the fix.",
        "zh": "输出五行摘要，可贴到聊天或合并请求：现象、问题、位置与修改。",
    },
    "explain": {
        "en": "Explain an item: what was found in this project, with code and fix, then how to check it and what the conclusions mean.",
        "zh": "说明检查项：先列出本项目的发现（代码与修改），再说明检查方法与结论含义。",
    },
    "found-here": {"en": "In this project", "zh": "本项目的情况"},
    "and-more-values": {"en": "{values} and {count:,} more", "zh": "{values} 等（另有 {count:,} 个）"},
    "item": {"en": "The item's id, for instance ds.01.", "zh": "检查项编号，如 ds.01。"},
    "method": {"en": "How to check", "zh": "检查方法"},
    "conclusions": {"en": "Conclusions", "zh": "检查结论"},
    "problem": {"en": "problem", "zh": "发现问题"},
    "ok": {"en": "no problem", "zh": "无问题"},
    "not_applicable": {"en": "not applicable", "zh": "不适用"},
    "undecided": {"en": "undecided", "zh": "无法判定"},
    "open": {"en": "not concluded", "zh": "未填写"},
    "remedy": {"en": "How to fix it", "zh": "处理建议"},
    "applies": {"en": "When it applies", "zh": "适用范围"},
    "probes": {"en": "Probes", "zh": "探针"},
    "references": {"en": "References", "zh": "参考资料"},
    "parameter": {"en": "{name} = {default}  {description}", "zh": "{name} = {default}  {description}"},
    "answer": {"en": "Record a conclusion.", "zh": "记录一项的检查结论。"},
    "conclusion": {
        "en": "problem, ok or not_applicable.",
        "zh": "problem（发现问题）、ok（无问题）或 not_applicable（不适用）。",
    },
    "note": {"en": "A note to the conclusion.", "zh": "结论备注。"},
    "as": {"en": "Who concludes (default: the user's name).", "zh": "结论填写人（默认当前用户）。"},
    "attach": {
        "en": "A screenshot or file that goes into the report. Repeatable.",
        "zh": "随报告附上的截图或文件，可重复。",
    },
    "answered": {"en": "{item}: {conclusion}", "zh": "{item}：{conclusion}"},
    # review and sign-off
    "review": {
        "en": "Accept or return an item's conclusion as a reviewer, or take the reviews of a copy back.",
        "zh": "以评审人身份通过或退回一项结论，或合入他人副本中的评审意见。",
    },
    "judgement": {
        "en": "accept, return (with --comment) or withdraw.",
        "zh": "accept（通过）、return（退回，需 --comment）或 withdraw（撤回）。",
    },
    "comment": {"en": "The reviewer's comment.", "zh": "评审意见。"},
    "reviewed-by": {"en": "Who reviews (default: the user's name).", "zh": "评审人（默认当前用户）。"},
    "review-import": {
        "en": "Take the reviews and the sign-off, and nothing else, of this copy of the session.",
        "zh": "合入该会话副本（文件或项目目录）中的评审意见和签署，不改动其他内容。",
    },
    "import-alone": {
        "en": "--import takes everything from the copy: it cannot be combined with ITEM, --comment or --as",
        "zh": "--import 直接合入副本中的内容，不能同时给出检查项、--comment 或 --as",
    },
    "accepted": {"en": "accepted", "zh": "通过"},
    "returned": {"en": "returned", "zh": "退回"},
    "unreviewed": {"en": "review withdrawn", "zh": "已撤回评审意见"},
    "to-review-again": {"en": "to review again (was {judgement})", "zh": "待复审（此前：{judgement}）"},
    "agent-concluded": {
        "en": "{item}  an agent ({who}), not a person, concluded {conclusion}: {note}",
        "zh": "{item}  智能体（{who}）而非人工的结论：{conclusion}：{note}",
    },
    "reviewed": {"en": "{item}  {state}, {who}: {comment}", "zh": "{item}  {state}，{who}：{comment}"},
    "sign-off": {
        "en": "Sign the review off, when every item is concluded and its review accepted.",
        "zh": "签署评审：全部检查项均已填写结论且评审通过后方可签署。",
    },
    "sign-off-withdraw": {"en": "Take the sign-off back.", "zh": "撤回签署。"},
    "sign-off-stale": {
        "en": "signed, but what these items examined has changed since their probes ran: {items}",
        "zh": "已签署，但以下各项所检查的内容在探针运行后有改动：{items}",
    },
    "signed": {
        "en": "signed off by {who}, {when} ({count:,} {count:item|items})",
        "zh": "{who} 已于 {when} 签署（{count:,} 项）",
    },
    "unsigned": {"en": "not signed off", "zh": "未签署"},
    "sign-off-void": {
        "en": "signed off by {who}, {when}; void, as these have changed since: {items}",
        "zh": "{who} 曾于 {when} 签署；此后以下各项有改动，签署已失效：{items}",
    },
    "reviews-taken": {"en": "reviews taken ({count}): {items}", "zh": "已合入评审意见（{count} 项）：{items}"},
    "reviews-withdrawn": {
        "en": "reviews withdrawn ({count}): {items}",
        "zh": "评审意见已随副本撤回（{count} 项）：{items}",
    },
    "sign-off-taken-signed": {"en": "the sign-off was taken too", "zh": "签署也已合入"},
    "sign-off-taken-unsigned": {"en": "the sign-off was withdrawn in the copy, and is here", "zh": "签署已随副本撤销"},
    "sign-off-taken-kept": {
        "en": "the sign-off was not imported because the state here is newer",
        "zh": "未合入签署，此处的签署或撤销更新",
    },
    "reviews-outdated": {
        "en": "taken, but the answer or the findings have changed since, so they must be reviewed again: {items}",
        "zh": "已合入，但结论或探针结果此后有改动，需要复审：{items}",
    },
    "reviews-kept": {
        "en": "not imported because the state here is newer: {items}",
        "zh": "未合入，此处的评审意见更新：{items}",
    },
    "reviews-unknown": {
        "en": "not taken, as the conclusion that was reviewed is not one of this session: {items}",
        "zh": "未合入，评审所针对的结论不属于此会话：{items}",
    },
    # diff
    "diff": {
        "en": "What changed between two rounds: conclusions, reviews, findings gone, new or still there. Exit code 0: nothing, 1: "
        "something.",
        "zh": "比较两轮检查的变化：结论、评审，以及已消除、新增和仍存在的发现。退出码 0 表示没有变化，1 表示有变化。",
    },
    "diff-before": {
        "en": "The earlier round: a project, a session file or a JSON report (default: the newest JSON report of the project).",
        "zh": "上一轮：项目目录、会话文件或 JSON 报告（默认为项目中最新的 JSON 报告）。",
    },
    "diff-with": {"en": "compared with {path}", "zh": "与 {path} 比较"},
    "diff-after": {
        "en": "The later round (default: the project here).",
        "zh": "本轮：同上（默认为当前目录的项目）。",
    },
    "report-since": {
        "en": "Also show what changed since this earlier round: a project, a session file or a JSON report.",
        "zh": "报告中写明与上一轮相比的变化；上一轮可以是项目目录、会话文件或 JSON 报告。",
    },
    "diff-all": {
        "en": "Show all findings, also those that are still there as they were.",
        "zh": "显示全部发现，包括没有变化的。",
    },
    "diff-recorded": {"en": "recorded before", "zh": "此前的记录"},
    "diff-this-run": {"en": "this run", "zh": "本次运行"},
    "diff-stale": {
        "en": "{name}: the inputs have changed since; run these again to update them: {items}",
        "zh": "{name}：以下各项所检查的内容此后有改动，重新运行后才能看出变化：{items}",
    },
    "run-diff": {
        "en": "Print what changed since the results recorded before, instead of the results.",
        "zh": "不输出结果，只输出与此前已记录结果相比的变化。",
    },
    "run-stale": {
        "en": "Run only what is out of date: probes whose inputs, parameters or checklist changed since their results were recorded. "
        "Prints all recorded results.",
        "zh": "只运行已过期的探针，即结果记录后其输入、参数或清单有改动的探针；输出全部已记录的结果。",
    },
    "stale-needs-session": {
        "en": "--stale looks at the recorded results: it does not go with --no-session",
        "zh": "--stale 依据已记录的结果判断，不能与 --no-session 同用",
    },
    "stale-none": {
        "en": "no recorded result is out of date; nothing was run",
        "zh": "已记录的结果均未过期，未运行任何探针",
    },
    "diff-format": {
        "en": "--diff prints text or JSON: it does not go with --format sarif or junit",
        "zh": "--diff 只输出文本或 JSON，不能与 --format sarif 或 junit 同用",
    },
    "diff-needs-session": {
        "en": "--diff compares with the recorded results: it does not go with --no-session",
        "zh": "--diff 与已记录的结果比较，不能与 --no-session 同用",
    },
    "status-review": {
        "en": "review: {accepted} accepted, {returned} returned, {to_review} to review",
        "zh": "评审：通过 {accepted}，退回 {returned}，待评审 {to_review}",
    },
    "status": {
        "en": "Show conclusions, open items, and what to do next.",
        "zh": "显示检查进度和下一步。",
    },
    "status-item": {"en": "{item}  {title}: {text}", "zh": "{item}  {title}：{text}"},
    "status-suggested": {"en": " (suggested: {verdict})", "zh": "（建议：{verdict}）"},
    "status-counts": {
        "en": "{done} of {total} concluded: {problem} problem, {ok} no problem, {not_applicable} not applicable",
        "zh": "已填写 {done}/{total}：发现问题 {problem}，无问题 {ok}，不适用 {not_applicable}",
    },
    "glossary": {"en": "Explain terms used in checklists and findings.", "zh": "解释检查清单和发现中的术语。"},
    "glossary-words": {
        "en": "Only terms with these words (default: all).",
        "zh": "只显示含有这些词的术语（默认全部）。",
    },
    "glossary-none": {
        "en": "no term has the words {words}; without words all are shown: accucheck glossary",
        "zh": "没有含有“{words}”的术语；不带参数可查看全部：accucheck glossary",
    },
    "next-steps": {"en": "Next steps:", "zh": "下一步："},
    "next-why": {"en": "{why}. Effort: {cost}", "zh": "{why}；{cost}"},
    "next-more": {
        "en": "    and {count:,} more, all of which --json names",
        "zh": "    另有 {count:,} 条，用 --json 可全部列出",
    },
    "path": {
        "en": "Show the current step on the path of a checklist, what to collect next, and the code that collects it.",
        "zh": "显示在定位路径上的当前位置、接下来要采集的数据及采集代码。",
    },
    "path-output": {
        "en": "Write the code that collects what is missing into this folder, one file per framework.",
        "zh": "将尚缺数据的采集代码写入该目录，每个框架一个文件。",
    },
    "plan": {
        "en": "Plan experiments for this project, as a checklist in Markdown: letting go of fixed randomness one by one, moving a "
        "difference at step D to step 2.",
        "zh": "生成本项目的实验计划（Markdown 检查清单）：逐项放开固定的随机性，以及把第 D 步的问题提前到第 2 步。",
    },
    "plan-step": {
        "en": "The step, counted from 1, at which the losses diverge (default: the one found by cmp.08 or cmp.02).",
        "zh": "loss 分叉的步，从 1 数起（默认取 cmp.08 或 cmp.02 的检查结果）。",
    },
    "plan-output": {
        "en": "The Markdown file to write (default: standard output).",
        "zh": "写出的 Markdown 文件（默认输出到标准输出）。",
    },
    "path-write": {
        "en": "Add the files written by the code to accucheck.yaml; existing keys are kept. Asks first on a terminal.",
        "zh": "将采集代码写出的数据填入 accucheck.yaml，已有内容保持不变；在终端中会先询问。",
    },
    "path-write-sure": {"en": "Write these keys into {path}?", "zh": "将以上各键写入 {path}？"},
    "path-write-none": {
        "en": "nothing to name: no snippet has written anything that accucheck.yaml does not name yet",
        "zh": "没有可填入的数据：采集代码尚未写出 accucheck.yaml 中缺少的数据",
    },
    "path-nothing": {
        "en": "nothing to collect here: the inputs of this step are there",
        "zh": "本步所需的输入均已具备，无需采集",
    },
    "collect": {"en": "What to collect", "zh": "需要采集的数据"},
    "ways": {"en": "Where it leads", "zh": "结果与去向"},
    "stale": {"en": "stale", "zh": "已过期"},
    "init": {
        "en": "Propose an accucheck.yaml from the contents of the project.",
        "zh": "根据项目内容生成 accucheck.yaml。",
    },
    "print": {"en": "Print it instead of writing it.", "zh": "仅输出，不写入文件。"},
    "init-exists": {
        "en": "{path} exists and was left as it is. Edit it, or use --print.",
        "zh": "{path} 已存在，未作改动。请直接编辑，或使用 --print。",
    },
    "init-choose": {"en": "{line}; change it if you meant another", "zh": "{line}，如非此意请自行修改"},
    "init-runs": {"en": "the training seems to run to its end: {reason}", "zh": "训练看来能跑完：{reason}"},
    "init-fails": {
        "en": "training ended with an error; fix that first: {reason}",
        "zh": "训练以报错结束，请先解决报错：{reason}",
    },
    "init-unsure": {
        "en": "whether the training runs to its end is not known: {reason}",
        "zh": "无法确定训练能否跑完：{reason}",
    },
    "init-projects": {
        "en": "there {count:is a project|are {count} projects} in folders below; give one of them: {names}",
        "zh": "子目录中有 {count} 个项目，请指定其中一个：{names}",
    },
    "init-partial": {
        "en": "the folder is too large to be looked through as a whole; the proposal is partial",
        "zh": "目录过大，只查看了一部分，识别结果不完整",
    },
    "init-turns": {
        "en": "the run trains {count} networks in turn ({names}), but accucheck.yaml describes one: for live probes, list each under "
        "phases, with a function that returns its loss, its optimizer, and the weights that it keeps frozen",
        "zh": "该运行交替训练 {count} 个网络（{names}），而 network 只能写一个：如需运行 live 探针，请在 phases 中分别写明每个阶段"
        "给出 loss 的函数、优化器和保持不变的权重",
    },
    "init-missing": {"en": "not found: {key} ({title}), for {items}", "zh": "未找到：{key}（{title}），用于 {items}"},
    "init-nothing": {
        "en": "nothing was recognised in {path}: no training script, data folder, checkpoint or log. The user guide lists the keys.",
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
        "en": "--scheduler takes --check, --full and --json, no other option",
        "zh": "--scheduler 只能与 --check、--full、--json 同用",
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
        "en": "--opened takes a folder and, after --, a command, without other options",
        "zh": "--opened 只接受一个目录和 -- 之后的命令，不能与其他选项同用",
    },
    "manifest-compare": {
        "en": "Compare the manifests of several machines with each other; they replace DIR.",
        "zh": "互相比对多台机器的清单；此时用各份清单代替 DIR。",
    },
    "compare-alone": {
        "en": "--compare takes manifests only, without --output, --check, --full, --format and --scheduler",
        "zh": "--compare 只接受清单，不能与 --output、--check、--full、--format、--scheduler 同用",
    },
    "one-folder": {
        "en": "one folder at a time; --compare takes several manifests",
        "zh": "每次只能计算一个目录；要比对多份清单请用 --compare",
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
        "zh": "{role}数据：从 {labels:,} 种标签中的 {strata:,} 种抽取 {samples:,} 个样本（带标签 {labelled:,} 个，无标签 {missing:,} "
        "个），"
        "随机种子 {seed}",
    },
    "labels-without": {
        "en": "{role} data: {samples:,} of {count:,} samples, without labels, to look at (seed {seed}); nothing is stored",
        "zh": "{role}数据：从 {count:,} 个样本中抽取 {samples:,} 个（无标签，仅供查看，随机种子 {seed}），不保存",
    },
    "labels-picture": {"en": "picture, {width:,} x {height:,}", "zh": "图片，{width:,} x {height:,}"},
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
        "en": "no font with Chinese characters was found: labels that need one appear on the sheets as codes; the table has them in full",
        "zh": "未找到中文字体：总览图上的相应标签以编码显示，表格中为原文",
    },
    "watch": {
        "en": "Run your own command unchanged and watch its training from inside: losses, learning rates, gradients, layers, data.",
        "zh": "原样运行你自己的命令，并从内部观察训练过程：loss、实际学习率、梯度、各层输出与数据。",
    },
    "run-command": {
        "en": "The command that starts the training, after --: its options and configuration files are those examined. It is not run.",
        "zh": "启动训练的命令，写在 -- 之后：按其中的选项和配置文件检查，不会运行该命令。",
    },
    "watch-command": {
        "en": "The command, after --: python train.py --lr 0.1, a module, a shell script, or a launcher such as msrun.",
        "zh": "要运行的命令，写在 -- 之后：python train.py --lr 0.1、模块、shell 脚本，或 msrun 等启动器。",
    },
    "watch-steps": {
        "en": "Stop the command after this many training steps; 0 watches to the end (default: 50).",
        "zh": "训练这么多步后结束命令；0 表示一直观察到结束（默认 50）。",
    },
    "watch-role": {
        "en": "What the command does: train, or only run a network (eval, infer).",
        "zh": "该命令做什么：train（训练），或只运行网络（eval、infer）。",
    },
    "watch-mode": {
        "en": "user: as the script sets it; pynative: layer by layer; both: in both, and compared. Default: PyNative, then as the script "
        "sets it where that is graph mode.",
        "zh": "user：按脚本的设置；pynative：逐层执行；both：两种模式各运行一次并比较。默认先以 PyNative 运行，"
        "若脚本设置的是图模式，再按脚本的设置运行一次。",
    },
    "watch-nan": {
        "en": "Look at every operator: which is the first whose inputs are finite and whose result is not?",
        "zh": "检查每个算子：找出第一个输入有限而输出为 NaN 或 Inf 的算子。",
    },
    "watch-begins-pynative": {
        "en": "running the command in PyNative mode, so that every layer can be seen.",
        "zh": "以 PyNative 模式运行该命令，以便看到每一层。",
    },
    "watch-begins-user": {
        "en": "running the command in the mode that it sets itself.",
        "zh": "按脚本自己设置的模式运行该命令。",
    },
    "watch-begins-nan": {
        "en": "something is not finite: running the command once more up to that step, to find the operator that it begins at.",
        "zh": "出现了 NaN 或 Inf：再次运行该命令到那一步，以找出源头算子。",
    },
    "watch-begins-dump": {
        "en": "something is not finite, and only in graph mode: running the command once more up to that step, with all operations dumped.",
        "zh": "仅在图模式下出现 NaN 或 Inf：再次运行该命令到那一步，并 dump 所有算子。",
    },
    "watch-begins-apart": {
        "en": "both modes diverge at the same step: the command is run once more in graph mode up to that step, and all operations "
        "are dumped.",
        "zh": "两种模式在某一步出现差异：再次以图模式运行该命令到那一步，并 dump 所有算子。",
    },
    "watch-seen": {
        "en": "{steps:,} {steps:training step|training steps} and {passes:,} {passes:pass|passes} of the network were watched "
        "({mode}, {ranks:,} {ranks:rank|ranks}).",
        "zh": "观察到 {steps:,} 个训练步，网络的 {passes:,} 次前向（{mode}，{ranks:,} 个 rank）。",
    },
    "watch-no-python": {
        "en": "no Python of the command could be watched: it starts none, or one that ignores the environment (python -I, -E, "
        "or a script that clears PYTHONPATH).",
        "zh": "该命令没有启动可以观察的 Python 进程：或者没有启动 Python，或者启动时忽略了环境变量"
        "（python -I、-E，或脚本清除了 PYTHONPATH）。",
    },
    "watch-no-step": {
        "en": "the command ended with exit code {code} and ran no network of MindSpore that could be seen.",
        "zh": "该命令以退出码 {code} 结束，没有看到它运行任何 MindSpore 网络。",
    },
    "watch-no-mindspore": {
        "en": "the command ended with exit code {code}, and no Python that it started imported MindSpore. If MindSpore is not installed "
        "there, give the path of a Python that has it, for instance {python}. One that ignores the environment (python -I, -E, or "
        "PYTHONPATH cleared) cannot be watched.",
        "zh": "该命令以退出码 {code} 结束，它启动的 Python 均未导入 MindSpore。若其中没有安装 MindSpore，请写出已安装的解释器路径，"
        "例如 {python}。忽略环境变量的进程（python -I、-E，或清除了 PYTHONPATH）无法观察。",
    },
    "watch-killed": {
        "en": "the command was ended by {signal}; what was recorded until then is kept.",
        "zh": "该命令被 {signal} 终止；此前的记录已保留。",
    },
    "watch-missing": {
        "en": "this MindSpore has no {hooks} to hook into: the recording lacks what they would show.",
        "zh": "当前 MindSpore 没有可供观察的 {hooks}，记录中缺少相应内容。",
    },
    "watch-full": {
        "en": "{problem} The recording ends at step {steps:,}; the training went on.",
        "zh": "{problem}记录到第 {steps:,} 步为止，训练不受影响。",
    },
    "watch-unwatched": {
        "en": "a Python of the command ran unwatched: {problem}",
        "zh": "该命令的一个 Python 进程未能观察：{problem}",
    },
    "watch-elsewhere": {
        "en": "{problem} Until then the recordings are in {folder}; look at them again with accucheck run --set watched={folder}",
        "zh": "{problem}在此之前，记录保存在 {folder}；再次查看：accucheck run --set watched={folder}",
    },
    "watch-nowhere": {
        "en": "{problem} Nothing can be recorded, so the command runs unwatched.",
        "zh": "{problem}无法保存任何记录，因此命令在不观察的情况下运行。",
    },
    "watch-failed": {
        "en": "{hook} could no longer be watched after {error} ({place}); the training was not affected.",
        "zh": "{hook} 在 {error}（{place}）之后无法继续观察；训练不受影响。",
    },
    "graph": {
        "en": "Show a network: its cells as a tree, their inputs and outputs, where each weight is used, what is shared, frozen or "
        "never called, and where NaN begins; in the terminal or as one page that opens offline.",
        "zh": "查看网络：cell 树、输入输出、每个权重的使用者，哪些共享、冻结、从未调用，以及 NaN 从何处开始；"
        "可在终端查看，或生成一个可离线打开的页面。",
    },
    "curves": {
        "en": "Look at the curves of a project's runs, laid over each other: losses, metrics, rates, scale, gradient norms by layer; as a "
        "table or as one page that opens offline.",
        "zh": "查看项目各次运行的曲线并叠加比较：loss、指标、学习率、loss scale、各层梯度范数；输出表格，或生成一个可离线打开的页面。",
    },
    "curves-sources": {
        "en": "Recordings of watch or Recorder, logs, CSV, JSON Lines, folders of summary, TensorBoard, W&B, SwanLab, monitors (default: "
        "what the project names).",
        "zh": "watch 或 Recorder 的记录、日志、CSV、JSON Lines，以及 summary、TensorBoard、W&B、SwanLab 或训练监控的目录"
        "（默认为项目所指定的）。",
    },
    "curves-only": {"en": "Only curves whose name holds this.", "zh": "只看名称包含该文字的曲线。"},
    "curves-output": {
        "en": "Write one HTML page that opens offline, with a chart a curve.",
        "zh": "写出一个可离线打开的 HTML 页面，每条曲线一张图。",
    },
    "graph-source": {
        "en": "A recording of accucheck watch, a dumped graph (ms_output_*.pb, .mindir, summary), a checkpoint, or a project "
        "(default: this one's last watch, graph or checkpoint).",
        "zh": "accucheck watch 的记录、导出的计算图（ms_output_*.pb、.mindir、summary）、checkpoint 或项目"
        "（默认为当前项目最近的观察记录、计算图或 checkpoint）。",
    },
    "graph-beside": {
        "en": "Another network to set beside it; without a value the benchmark's (graphs.reference, checkpoints.reference).",
        "zh": "用于对照的另一个网络；不带值时取基准（graphs.reference、checkpoints.reference）。",
    },
    "graph-find": {
        "en": "List the cells and weights of a name or class; 3bg finds layer3.0.bn1.gamma.",
        "zh": "按名称或类列出 cell 与权重；3bg 可找到 layer3.0.bn1.gamma。",
    },
    "graph-cell": {"en": "Tell all that is known of one cell or weight.", "zh": "显示某个 cell 或权重的全部信息。"},
    "graph-depth": {"en": "How many levels to print (default: 2).", "zh": "输出的层数（默认 2）。"},
    "graph-output": {
        "en": "Write one HTML page that opens offline, with a tree to unfold and a search.",
        "zh": "写出一个可离线打开的 HTML 页面，含可展开的树和搜索。",
    },
    "graph-fact": {"en": "{name}: {value}", "zh": "{name}：{value}"},
    "graph-written": {"en": "written: {path}", "zh": "已写出：{path}"},
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
    "settings": {"en": "Settings: {path}{there}", "zh": "设置文件：{path}{there}"},
    "settings-none": {"en": " (does not exist; the defaults are used)", "zh": "（不存在，使用默认值）"},
    "files-where": {
        "en": "Files: session {session}, copies before a fix {backups}, attachments {attachments} (in the project); consent {consent}, "
        "recent projects {recent}, cache {cache}",
        "zh": "文件位置：会话 {session}、修改前的备份 {backups}、附件 {attachments}（均在项目中）；授权记录 {consent}，"
        "最近项目 {recent}，缓存 {cache}",
    },
    "terminal": {
        "en": "Terminal: {term}, {size}, colours {colours}, {encoding}",
        "zh": "终端：{term}，{size}，颜色 {colours}，{encoding}",
    },
    "terminal-none": {
        "en": "Terminal: none here (TERM {term}, colours {colours}, {encoding})",
        "zh": "终端：此处没有（TERM {term}，颜色 {colours}，{encoding}）",
    },
    "doctor": {"en": "Show the environment, to paste into an issue.", "zh": "显示运行环境，便于粘贴到 issue。"},
    "path-open": {
        "en": "PYTHONPATH={value}\n  An entry is empty or relative: Python takes it for the current folder. accucheck keeps it off "
        "its own path, but a sitecustomize.py, encodings.py or accucheck.py there runs before it. Write "
        "export PYTHONPATH=/a/folder${{PYTHONPATH:+:$PYTHONPATH}}",
        "zh": "PYTHONPATH={value}\n  其中有空条目或相对路径，Python 会将其视为当前目录。accucheck 自身不从当前目录导入，但其中的 "
        "sitecustomize.py、encodings.py 或 accucheck.py 会先于 accucheck 运行。请改写为 "
        "export PYTHONPATH=/a/folder${{PYTHONPATH:+:$PYTHONPATH}}",
    },
    # the browser
    "serve": {
        "en": "Serve the walkthrough to a browser on this machine, or through an SSH tunnel to another one.",
        "zh": "在浏览器中使用向导；只限本机访问，其他机器可经 SSH 隧道访问。",
    },
    "port": {
        "en": "The port to listen on, 0 for any free one (default: 8000).",
        "zh": "监听端口，0 表示任意空闲端口（默认 8000）。",
    },
    "host": {
        "en": "The address to listen on; loopback only (default: 127.0.0.1).",
        "zh": "监听地址，只能是本机回环地址（默认 127.0.0.1）。",
    },
    "serve-open": {
        "en": "Open this address in a browser. The URL contains a secret: anyone who has it can act as you.",
        "zh": "请在浏览器中打开以上地址。地址中含访问口令，持有者可进行与您相同的操作。",
    },
    "serve-tunnel": {
        "en": "From another machine, first: ssh -L {port}:{host}:{port} {user}@{machine}",
        "zh": "从其他机器访问，请先运行：ssh -L {port}:{host}:{port} {user}@{machine}",
    },
    "serve-end": {"en": "Ctrl+C ends it, with everything saved.", "zh": "按 Ctrl+C 结束，所做的更改均已保存。"},
    # the demo
    "demo": {
        "en": "A guided tour of a small project with four planted faults; without a terminal its probes run and its report is written.",
        "zh": "在预埋了四处错误的小项目上跟随提示走一遍；没有终端时直接运行探针并生成报告。",
    },
    "demo-folder": {
        "en": "Where to put the project, a new or empty folder (default: a temporary one).",
        "zh": "项目放在何处，须为新目录或空目录（默认为临时目录）。",
    },
    "demo-copy": {"en": "The project of the demo is in {path}", "zh": "演示项目位于 {path}"},
    "demo-report": {"en": "Report: {path}", "zh": "报告：{path}"},
    "demo-own": {
        "en": "With a project of your own: go to its folder and run accucheck.",
        "zh": "检查您自己的项目：进入项目目录，运行 accucheck。",
    },
}
