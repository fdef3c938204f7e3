"""Errors for people: what is wrong, where, and what to do. Their words in both languages stand here and nowhere else."""

from __future__ import annotations

from typing import Any

from . import lacking
from .language import Words, listed, word
from .model import Language

WORDS: Words = {
    "not-found": {"en": "{path} does not exist. Check the path.", "zh": "{path} 不存在，请检查路径。"},
    "is-directory": {
        "en": "{path} is a folder, but a file is expected here.",
        "zh": "{path} 是文件夹，此处需要的是文件。",
    },
    "exists": {
        "en": "{path} exists and was left as it is. Give another file.",
        "zh": "{path} 已存在，未作改动。请另选文件。",
    },
    "not-a-directory": {
        "en": "{path} is not a folder, or a part of its path is not.",
        "zh": "{path} 不是文件夹，或其路径中有一部分不是文件夹。",
    },
    "not-regular": {
        "en": "{path} is neither a regular file nor a folder (a pipe or a device?).",
        "zh": "{path} 既不是普通文件也不是文件夹（可能是管道或设备）。",
    },
    "no-permission": {
        "en": "{path} cannot be read or written: permission denied. Check its owner and mode.",
        "zh": "没有读写 {path} 的权限，请检查属主和权限位。",
    },
    "disk-full": {
        "en": "{path} could not be written: the disk or the quota is full. Free some space and try again; what was saved before is "
        "intact.",
        "zh": "无法写入 {path}：磁盘或配额已满。请腾出空间后重试；此前已保存的内容完好。",
    },
    "template-ending": {
        "en": "{path}: the name of a template must end in one of {endings}, which says what it makes.",
        "zh": "{path}：模板文件名须以 {endings} 之一结尾，以表明输出格式。",
    },
    "template-syntax": {
        "en": "{path}:{line}: this is not valid Jinja2: {problem}",
        "zh": "{path}:{line}：不是有效的 Jinja2 语法：{problem}",
    },
    "template-undefined": {
        "en": "{path}:{line}: there is no {problem}. What there is: docs/reference/template.en.md, and what "
        "accucheck report --print-template md prints.",
        "zh": "{path}:{line}：没有 {problem}。可用的名称参见 docs/reference/template.zh.md，或运行 accucheck report --print-template "
        "md。",
    },
    "template-unsafe": {
        "en": "{path}:{line}: not allowed in a template: {problem}",
        "zh": "{path}:{line}：模板中不允许此操作：{problem}",
    },
    "template-include": {
        "en": "{path}:{line}: {name} cannot be included: only files of the template's own folder can.",
        "zh": "{path}:{line}：无法包含 {name}，只能包含模板所在目录中的文件。",
    },
    "demo-folder": {
        "en": "{path} exists and is not empty. The demo overwrites nothing: choose a new folder with --folder.",
        "zh": "{path} 已存在且不是空目录。演示不会覆盖任何内容，请用 --folder 指定新目录。",
    },
    "serve-missing": {
        "en": "accucheck serve needs textual-serve ({problem}): pip install {install}",
        "zh": "accucheck serve 需要 textual-serve（{problem}）：pip install {install}",
    },
    "mcp-missing": {
        "en": "accucheck mcp needs the MCP SDK ({problem}): pip install {install}",
        "zh": "accucheck mcp 需要 MCP SDK（{problem}）：pip install {install}",
    },
    "lsp-missing": {
        "en": "accucheck lsp needs pygls ({problem}): pip install {install}",
        "zh": "accucheck lsp 需要 pygls（{problem}）：pip install {install}",
    },
    "agent-no-leave": {
        "en": "Nobody allowed this, so nothing was run. A person can allow it when asked, in a client that can ask (MCP elicitation), or "
        "beforehand in the walkthrough (accucheck).",
        "zh": "未获同意，因此没有运行。可在支持询问（MCP elicitation）的客户端中同意，也可事先在向导（accucheck）中同意。",
    },
    "agent-diff-long": {
        "en": "The diff is longer than {limit} KB. Ask for the fixes of some items only.",
        "zh": "diff 超过 {limit} KB，请只获取部分检查项的修改。",
    },
    "agent-format": {
        "en": "There is no format {name}. Available: {known}",
        "zh": "没有格式 {name}，可选：{known}",
    },
    "serve-host": {
        "en": "{host} can be reached from other machines, or is not an address: a browser there could do anything with your files that "
        "you can, over an unencrypted connection, so only this machine's own address is served (127.0.0.1). From another machine use "
        "an SSH tunnel: ssh -L 8000:127.0.0.1:8000 USER@HOST",
        "zh": "{host} 可从其他机器访问，或不是有效地址：浏览器中的操作权限与您相同，且连接未加密，因此只监听本机地址（127.0.0.1）。"
        "从其他机器访问请使用 SSH 隧道：ssh -L 8000:127.0.0.1:8000 USER@HOST",
    },
    "serve-port": {
        "en": "Port {port} of {address} cannot be used ({problem}). {free} is free: accucheck serve --port {free}",
        "zh": "无法使用 {address} 的端口 {port}（{problem}）。端口 {free} 空闲：accucheck serve --port {free}",
    },
    "template-failed": {"en": "{path}:{line}: {problem}", "zh": "{path}:{line}：{problem}"},
    "template-encoding": {
        "en": "{path}: the template is not UTF-8 (at byte {offset:,}). Save it as UTF-8.",
        "zh": "{path}：模板不是 UTF-8 编码（第 {offset:,} 字节处），请另存为 UTF-8。",
    },
    "template-slow": {
        "en": "{path}: the template took longer than {seconds:g} s and was ended. Is there a loop in a loop?",
        "zh": "{path}：模板执行超过 {seconds:g} 秒，已终止。请检查是否有嵌套循环。",
    },
    "template-large": {
        "en": "{path}: the template takes or makes more than {limit} MB and was ended.",
        "zh": "{path}：模板占用的内存或输出超过 {limit} MB，已终止。",
    },
    "template-died": {
        "en": "{path}: the process that fills the template was ended by {signal}: it (at most {limit} MB) or the machine ran out of "
        "memory, or a library crashed.",
        "zh": "{path}：填充模板的进程被 {signal} 终止：该进程（上限 {limit} MB）或机器内存不足，或者有库崩溃。",
    },
    "file-limit": {
        "en": "{path} could not be written whole: the system allows no file of that size (ulimit -f).",
        "zh": "无法完整写入 {path}：超出系统允许的文件大小（ulimit -f）。",
    },
    "too-few-manifests": {
        "en": "There is only one manifest; give those of two or more machines.",
        "zh": "只有一份清单，请给出至少两台机器的清单。",
    },
    "no-dask": {
        "en": "--scheduler needs Dask: pip install {install}",
        "zh": "--scheduler 需要 Dask：pip install {install}",
    },
    "no-scheduler": {
        "en": "No Dask scheduler answers at {address} ({problem}). Check the address, for instance tcp://host:8786.",
        "zh": "{address} 没有 Dask scheduler 应答（{problem}）。请检查地址，例如 tcp://host:8786。",
    },
    "no-workers": {
        "en": "The Dask scheduler at {address} has no workers. Start one on each machine: dask worker {address}",
        "zh": "{address} 的 Dask scheduler 没有 worker。请在每台机器上启动：dask worker {address}",
    },
    "worker-bare": {
        "en": "The Dask process at {worker} has no accucheck. Install version {ours} in its environment: pip install accucheck=={ours}",
        "zh": "{worker} 的 Dask 进程未安装 accucheck，请在其环境中安装 {ours} 版本：pip install accucheck=={ours}",
    },
    "worker-version": {
        "en": "The Dask process at {worker} has accucheck {found}, but this is {ours}. Install the same version everywhere.",
        "zh": "{worker} 的 Dask 进程的 accucheck 为 {found}，此处为 {ours}，请统一版本。",
    },
    "worker-lost": {
        "en": "{path}: its Dask worker ended before it was done. Look into the worker's log, start it again, and repeat.",
        "zh": "{path}：Dask worker 在完成之前退出。请查看其日志，重新启动后再试。",
    },
    "worker-killed": {
        "en": "{path}: several Dask workers died one after another on this work (out of memory?). See their logs.",
        "zh": "{path}：该任务先后使多个 Dask worker 退出（可能是内存不足），请查看其日志。",
    },
    "cluster-lost": {
        "en": "{path}: the Dask cluster has no worker left, or its scheduler ended. What was not done is missing here; repeat.",
        "zh": "{path}：Dask 集群已没有 worker，或 scheduler 已退出。未完成的部分不在结果中，请重新运行。",
    },
    "one-host": {
        "en": "The cluster has only one host, so there is nothing to compare with. Start workers on other hosts, or use --check.",
        "zh": "集群中只有一台主机，无从比对。请在其他机器上启动 worker，或使用 --check。",
    },
    "no-command": {
        "en": "There is no command to watch: accucheck manifest DIR --opened FILE -- python train.py",
        "zh": "没有给出要运行的命令。用法：accucheck manifest 目录 --opened 文件 -- python train.py",
    },
    "no-inotify": {
        "en": "The files that are opened cannot be watched here: inotify of Linux is not to be had ({problem}).",
        "zh": "此处无法监视被打开的文件：不支持 Linux inotify（{problem}）。",
    },
    "inotify-watches": {
        "en": "The folder holds more folders than may be watched. Raise the limit: sysctl fs.inotify.max_user_watches=1048576",
        "zh": "子目录数量超过了可监视的上限，请调大：sysctl fs.inotify.max_user_watches=1048576",
    },
    "not-a-manifest": {
        "en": "{path} exists and is not a manifest; it was left as it is. Give another file.",
        "zh": "{path} 已存在且不是清单文件，未作改动。请换一个输出文件。",
    },
    "read-only": {
        "en": "{path} could not be written: the file system is read-only. Give a writable place.",
        "zh": "无法写入 {path}：文件系统只读。请换一个可写的位置。",
    },
    "recording-full": {
        "en": "{path} holds a recording that has reached its 256 MB.",
        "zh": "{path} 中的记录已达到上限 256 MB。",
    },
    "no-program": {
        "en": "There is no program called {name}. Write the command after -- as in a shell: python train.py --lr 0.1",
        "zh": "没有名为 {name} 的程序。请像在 shell 中一样把命令写在 -- 之后：python train.py --lr 0.1",
    },
    "not-executable": {
        "en": "{name} is not an executable program. Put its interpreter in front: python {name}, or bash {name}",
        "zh": "{name} 不是可执行的程序。请在前面写上解释器：python {name} 或 bash {name}",
    },
    "io": {"en": "{path}: {problem}", "zh": "{path}：{problem}"},
    "too-large": {
        "en": "{path} is {size:,} bytes; at most {limit:,} are read here.",
        "zh": "{path} 有 {size:,} 字节，此处最多读取 {limit:,} 字节。",
    },
    "record-too-large": {
        "en": "{path}: the record at byte {offset:,} is {size:,} bytes; at most {limit:,} are read of one record.",
        "zh": "{path}：字节 {offset:,} 处的记录有 {size:,} 字节，单条记录最多读取 {limit:,} 字节。",
    },
    "inflates": {
        "en": "{path} has {size:,} bytes and inflates to more than {limit:,}, which no usual data does; reading stopped there. If this "
        "is intended, unpack it and name that file.",
        "zh": "{path} 只有 {size:,} 字节，解压后却超过 {limit:,} 字节，不像正常数据，已停止读取。如确属正常，请先解压，"
        "再指定解压后的文件。",
    },
    "long-line": {
        "en": "{path} has a line of more than {limit:,} bytes, about byte {offset:,}: it would be held in memory whole, and is not read. "
        "Check how the file was written; arrays belong into .npy or Parquet.",
        "zh": "{path} 在第 {offset:,} 字节附近有一行超过 {limit:,} 字节；整行需装入内存，故不读取。请检查文件的写出方式；"
        "数组宜保存为 .npy 或 Parquet。",
    },
    "wide": {
        "en": "{path} has {found:,} columns; at most {limit:,} are read of a CSV. Keep arrays in .npy or Parquet, or name a file with "
        "the columns that matter.",
        "zh": "{path} 有 {found:,} 列，CSV 最多读取 {limit:,} 列。数组宜保存为 .npy 或 Parquet，或另存一份只含所需列的文件。",
    },
    "record-checksum": {
        "en": "{path} is damaged: the checksum of the record at byte {offset:,} is wrong. Copy it again.",
        "zh": "{path} 已损坏：第 {offset:,} 字节处的记录校验和不符，请重新拷贝。",
    },
    "not-scalar": {
        "en": "{path}: the field {field} is of type {type} and does not hold a single value per row; name another field.",
        "zh": "{path}：字段 {field} 的类型为 {type}，并非每行一个值，请改用其他字段。",
    },
    "picture": {
        "en": "{path}: the picture cannot be shown ({problem}).",
        "zh": "{path}：无法显示图片（{problem}）。",
    },
    "empty": {
        "en": "{path} is empty (0 bytes). Copy or save it again, or wait until it is written.",
        "zh": "{path} 是空文件（0 字节）。请重新拷贝或保存，或等待其写完。",
    },
    "truncated": {
        "en": "{path} is truncated: at byte {offset:,} {expected} was expected, but the file ends. Copy it again, or wait "
        "until it is written.",
        "zh": "{path} 不完整：在第 {offset:,} 字节处应有 {expected}，但文件已结束。请重新拷贝该文件，或等待其写完。",
    },
    "malformed": {
        "en": "{path} cannot be read as {format}: at byte {offset:,} {expected} was expected. It is damaged or has a different format: "
        "copy or save it again.",
        "zh": "无法按 {format} 格式读取 {path}：在第 {offset:,} 字节处应为 {expected}。文件已损坏或并非该格式，请重新拷贝或保存。",
    },
    "checksum": {
        "en": "{path}: the checksum does not match the content; the file is damaged. Copy it again.",
        "zh": "{path} 的校验和与内容不符，文件已损坏，请重新拷贝。",
    },
    "encrypted": {
        "en": "{path} looks like an encrypted {format}. Save it without enc_key to have it examined.",
        "zh": "{path} 像是加密的 {format}，请在不设置 enc_key 的情况下另存后再检查。",
    },
    "unsafe-pickle": {
        "en": "{path} asks for {name} while it is unpickled, which could run code. It was not loaded. "
        "Save only tensors (state_dict) and try again.",
        "zh": "{path} 在反序列化时要求调用 {name}，可能执行代码，因此未加载。请只保存张量（state_dict）后重试。",
    },
    "unknown-format": {
        "en": "{path}: the format is not recognised from its content. Readable here: {expected}.",
        "zh": "{path}：无法从内容识别格式。此处可读取：{expected}。",
    },
    "no-curve": {
        "en": "{path} contains no curve: no line has a number such as a loss together with a step or an epoch. Give the log of a "
        "training, a CSV, JSON Lines, or an event file with scalars.",
        "zh": "{path} 中没有曲线：没有任何一行同时给出 step 或 epoch 与 loss 等数值。"
        "请提供训练日志、CSV、JSON Lines 或含标量的 event 文件。",
    },
    "no-curve-files": {
        "en": "{path} holds no event file with scalars and no training log. Give the folder that summary_dir named, or the log itself.",
        "zh": "{path} 中没有含标量的 event 文件，也没有训练日志。请给出 summary_dir 所指的目录，或直接给出日志文件。",
    },
    "curve-files": {
        "en": "{path} holds {count:,} logs and event files; the first {limit:,} were read. Give the folder of one training.",
        "zh": "{path} 下有 {count:,} 个日志和 event 文件，只读取了前 {limit:,} 个。请给出单次训练的目录。",
    },
    "curve-lines": {
        "en": "{path}: {count:,} {count:line is not a JSON object|lines are not JSON objects}, the first is line {line:,}; "
        "the others were read.",
        "zh": "{path}：有 {count:,} 行不是 JSON 对象，首个为第 {line:,} 行；其余各行已读取。",
    },
    "curve-kinds": {
        "en": "{path} has more than {limit:,} kinds of lines; {count:,} lines of further kinds were skipped.",
        "zh": "{path}：行的种类超过 {limit:,} 种，另有 {count:,} 处未读取。",
    },
    "no-dump": {
        "en": "{path} holds no dump: no .npy, no statistic.csv, no dump.json of msprobe, no Opdebug.*.json. Give the folder that path in "
        "MINDSPORE_DUMP_CONFIG named, or a part of it.",
        "zh": "{path} 中没有 dump 数据：既无 .npy、statistic.csv，也无 msprobe 的 dump.json 或 Opdebug.*.json。"
        "请给出 MINDSPORE_DUMP_CONFIG 中 path 所指的目录或其子目录。",
    },
    "dump-binary": {
        "en": "{path}: {count:,} {count:tensor is|tensors are} in the device's own format ({name}). Convert {count:it|them} with CANN "
        "(msaccucmp.py convert -d FOLDER -out FOLDER), or dump again with file_format: npy.",
        "zh": "{path}：有 {count:,} 个张量为设备侧的二进制格式（如 {name}）。请用 CANN 的 msaccucmp.py convert -d 目录 -out 目录 转换，"
        "或设置 file_format 为 npy 后重新 dump。",
    },
    "dump-files": {
        "en": "{path} holds more than {limit:,} files; the others were left out. Give the folder of one rank or step.",
        "zh": "{path} 下的文件超过 {limit:,} 个，其余未读取。请给出单卡或单个 step 的目录。",
    },
    "dump-rows": {
        "en": "{path}: only the first {limit:,} rows of statistics were read. Give the folder of one rank or step.",
        "zh": "{path}：统计数据只读取了前 {limit:,} 行。请给出单卡或单个 step 的目录。",
    },
    "checkpoint-tensors": {
        "en": "{path} holds more than {limit:,} tensors; so many are not read here. Is it the checkpoint of a network?",
        "zh": "{path} 中的张量超过 {limit:,} 个，此处不读取这么多。它是网络的 checkpoint 吗？",
    },
    "checkpoint-files": {
        "en": "{path} holds {count:,} files of a checkpoint; at most {limit:,} are read here. Name one, or the folder of one checkpoint.",
        "zh": "{path} 下有 {count:,} 个 checkpoint 文件，此处最多读取 {limit:,} 个。请指定其中一个文件，或单个 checkpoint 的目录。",
    },
    "dump-columns": {
        "en": "{path} has no columns {columns}, so it cannot be read as the statistics of a dump.",
        "zh": "{path} 缺少列 {columns}，无法作为 dump 统计文件读取。",
    },
    "dump-lines": {
        "en": "{path}: {count:,} {count:row is|rows are} no statistics of a tensor, the first is line {line:,}; the others were read.",
        "zh": "{path}：有 {count:,} 行不是张量统计，首个为第 {line:,} 行；其余各行已读取。",
    },
    "dump-json": {
        "en": "{path} has no object data, so it is not a dump.json of msprobe.",
        "zh": "{path} 中没有 data 对象，不是 msprobe 的 dump.json。",
    },
    "dump-entries": {
        "en": "{path}: {count:,} {count:entry is not an object and was|entries are not objects and were} skipped.",
        "zh": "{path}：有 {count:,} 个条目不是对象，已跳过。",
    },
    "dump-type": {
        "en": "{path} holds values of the type {dtype}, which are not numbers; it was not examined.",
        "zh": "{path} 的数据类型为 {dtype}，不是数值，未检查。",
    },
    "profile-limit": {
        "en": "{path} holds more than {limit:,} files, runs or types of operators; the rest was not read. Name one run.",
        "zh": "{path} 中的文件、采集结果或算子类型超过 {limit:,} 个，其余未读取。请指定其中一次采集的目录。",
    },
    "profile-columns": {
        "en": "{path} has no columns {columns}; it was written by another version of the profiler, or is not its output.",
        "zh": "{path} 缺少列 {columns}：由其他版本的 Profiler 生成，或并非 Profiler 的输出。",
    },
    "profile-row": {
        "en": "{path}:{line} is cut off or holds no number where one belongs; the rest of it was not read. Analyse the profile again.",
        "zh": "{path}:{line} 不完整，或应为数值处不是数值，该文件其余部分未读取。请重新解析性能数据。",
    },
    "profile-json": {
        "en": "{path} is not a pipeline profile: {problem}. Analyse the profile again.",
        "zh": "{path} 不是数据管道的性能数据：{problem}。请重新解析性能数据。",
    },
    "dump-untold": {
        "en": "Statistics of a pair have no number in common, or none at all; it was not compared.",
        "zh": "两侧的统计量没有可比较的数值，未作比较。",
    },
    # compare
    "compare-kinds": {
        "en": "{left} holds {one}, {right} holds {two}. Give two of one kind.",
        "zh": "{left} 是{one}，{right} 是{two}。请给出同一类的两份数据。",
    },
    "compare-checkpoints": {"en": "a checkpoint", "zh": " checkpoint"},
    "compare-tensors": {"en": "tensors", "zh": "张量目录"},
    "compare-logs": {"en": "a log", "zh": "日志"},
    "compare-unknown": {
        "en": "{path} is not a checkpoint, a folder of .npy or dump files, or a log with numbers.",
        "zh": "{path} 既不是 checkpoint，也不是 .npy 或 dump 目录，也不是含有数值的日志。",
    },
    "compare-nothing": {
        "en": "{left} and {right} have nothing in common that could be compared.",
        "zh": "{left} 与 {right} 没有可以比较的内容。",
    },
    "compare-map": {
        "en": "{path} is not a map of names. Write one pair a line, as in: backbone.conv1: features.0",
        "zh": "{path} 不是名称对照文件。请每行写一对，例如：backbone.conv1: features.0",
    },
    "ragged": {
        "en": "{path}:{line}: the row has {found} fields, the header has {expected}. Fix or drop the row.",
        "zh": "{path}:{line}：该行有 {found} 个字段，而表头有 {expected} 个。请修正或删除该行。",
    },
    "encoding": {
        "en": "{path}: byte {offset:,} is not valid {expected}; the file mixes encodings. Convert it to UTF-8.",
        "zh": "{path}：第 {offset:,} 字节不是合法的 {expected}，文件混用了多种编码。请转换为 UTF-8。",
    },
    "needs-library": {
        "en": "This takes {library}, which is not installed here: pip install {install}",
        "zh": "此功能需要 {library}，当前环境未安装：pip install {install}",
    },
    "needs-polars": {
        "en": "{path} is Parquet, which takes polars to read: pip install {install}",
        "zh": "{path} 是 Parquet 文件，读取它需要 polars：pip install {install}",
    },
    "needs-fsspec": {
        "en": "{path} is an address in the network; reading it needs fsspec: pip install {install}",
        "zh": "{path} 是远程地址，读取它需要 fsspec：pip install {install}",
    },
    "needs-package": {
        "en": "{path}: a package for this kind of address is not installed here ({problem}).",
        "zh": "{path}：当前环境缺少读取此类地址所需的软件包（{problem}）。",
    },
    "no-room": {
        "en": "{path} has to be copied to {folder} to be read, and does not fit. Free some room there, or set TMPDIR.",
        "zh": "读取 {path} 需要先复制到 {folder}，但那里空间不足。请腾出空间，或通过 TMPDIR 另指定目录。",
    },
    "needs-mindspore": {
        "en": "{path} is MindRecord of version {version}, which only MindSpore reads, and {python} has none: "
        "pip install 'accucheck[mindspore]'",
        "zh": "{path} 是 {version} 版的 MindRecord，只能由 MindSpore 读取，而 {python} 中没有安装：pip install 'accucheck[mindspore]'",
    },
    "not-by-mindspore": {
        "en": "{path} is MindRecord of version {version}, which MindSpore here cannot read either: {problem}",
        "zh": "{path} 是 {version} 版的 MindRecord，当前的 MindSpore 也无法读取：{problem}",
    },
    "changed": {
        "en": "{path} changed while it was read. Run again when nothing writes to it.",
        "zh": "{path} 在读取过程中被修改，请在无人写入时重新运行。",
    },
    "address-consent": {
        "en": "{path} is an address that the project's case file names, and nobody has agreed to it: nothing was asked of it. Allow it "
        "with --remote, or in the walkthrough when a run asks.",
        "zh": "{path} 是项目的 accucheck.yaml 指定的地址，尚未获得同意，因此未访问。请用 --remote 授权，或在向导运行探针询问时同意。",
    },
    "address-refused": {
        "en": "{path} is not read: the file system {system} of fsspec follows instructions in a file. Name where the data "
        "themselves lie.",
        "zh": "未读取 {path}：fsspec 的 {system} 文件系统会执行文件中给出的指令。请直接给出数据所在的地址。",
    },
    "own-link": {
        "en": "{path} is a link, which accucheck never makes there: writing would change what it leads to. If you know it, replace it "
        "with a folder or file; otherwise remove it. Nothing was written; --read-only opens the project as it is.",
        "zh": "{path} 是一个链接，而 accucheck 不会在此处创建链接：写入会改动它所指向的内容。若是有意设置，"
        "请改为真实的目录或文件，否则请删除。未写入任何内容；可用 --read-only 只读打开该项目。",
    },
    "output-link": {
        "en": "{path} is a link in the project that leads out of it, to {leads}. Nothing was written; if you mean it, name that.",
        "zh": "{path} 经项目中的链接指向项目之外的 {leads}。未写入任何内容；如确需写入该位置，请直接指定其路径。",
    },
    "link-loop": {
        "en": "{path} is a link back to a folder above it (or one link too many); it was not followed.",
        "zh": "{path} 是指向其上级目录的链接（或链接层数过多），未继续跟随。",
    },
    "unknown-dataset": {
        "en": "There is no known public data set {name}. {hint}",
        "zh": "没有名为 {name} 的已知公开数据集。{hint}",
    },
    # YAML documents
    "yaml-syntax": {
        "en": "{path}:{line}: this is not valid YAML ({problem}). Check indentation, colons and quotes near that line.",
        "zh": "{path}:{line}：不是合法的 YAML（{problem}）。请检查该行附近的缩进、冒号和引号。",
    },
    "yaml-encoding": {
        "en": "{path}:{line}: this is not UTF-8 (GBK perhaps). Save the file as UTF-8.",
        "zh": "{path}:{line}：不是 UTF-8 编码（可能是 GBK），请将文件另存为 UTF-8。",
    },
    "yaml-duplicate-key": {
        "en": "{path}:{line}: the key {key} appears twice in one place. Keep one of them.",
        "zh": "{path}:{line}：同一处写了两个键 {key}，请只保留一个。",
    },
    "yaml-key": {
        "en": "{path}:{line}: the key {key} does not read as text. Put it in quotes.",
        "zh": "{path}:{line}：键 {key} 不会被识别为文本，请加引号。",
    },
    "yaml-nul": {
        "en": "{path}:{line}: there is a NUL character in a text. Take it out.",
        "zh": "{path}:{line}：文本中含有 NUL 字符，请删除。",
    },
    "yaml-not-finite": {
        "en": "{path}:{line}: {value} is not a finite number. NaN always counts as missing; leave it out.",
        "zh": "{path}:{line}：{value} 不是有限数值。NaN 一律视为缺失值，无需写出，请删除。",
    },
    "yaml-nesting": {
        "en": "{path}:{line}: nested too deeply, or too many aliases (at most {limit}). Write it out plainly.",
        "zh": "{path}:{line}：嵌套过深或别名过多（最多 {limit} 个），请直接写出内容。",
    },
    "yaml-unknown-key": {
        "en": "{path}:{line}: unknown key {key}. {hint}",
        "zh": "{path}:{line}：未知的键 {key}。{hint}",
    },
    "settings-ignored": {
        "en": "The settings are ignored and the defaults used. {why}",
        "zh": "设置未生效，已使用默认值。{why}",
    },
    "settings-verb": {
        "en": "{path}:{line}: there is no verb {id}, so this line has no effect. {hint}",
        "zh": "{path}:{line}：没有操作 {id}，此行无效。{hint}",
    },
    "settings-key": {
        "en": "{path}:{line}: {key} is not a key, so {id} keeps its own. Write one as r, R, F5, ctrl+r, space or ?.",
        "zh": "{path}:{line}：{key} 不是按键，{id} 仍用默认按键。写法如 r、R、F5、ctrl+r、space、?。",
    },
    "settings-key-taken": {
        "en": "{path}:{line}: {key} is needed for navigation, so {id} keeps its own key. Choose another.",
        "zh": "{path}:{line}：{key} 用于移动光标等基本操作，{id} 仍用默认按键，请另选一个。",
    },
    "settings-clash": {
        "en": "{path}:{line}: {key} is the key of {other} already, so {id} keeps its own. Give {other} another key, or choose one.",
        "zh": "{path}:{line}：{key} 已是 {other} 的按键，{id} 仍用默认按键。请为 {other} 另设按键，或另选一个。",
    },
    "settings-theme": {
        "en": "{path}:{line}: there is no theme {theme}; the default is used. {hint}",
        "zh": "{path}:{line}：没有主题 {theme}，已使用默认主题。{hint}",
    },
    "settings-odd": {
        "en": "{path} is written in a way that cannot be added to here. Write this line into it: {line}",
        "zh": "无法自动改写 {path}，请手工写入这一行：{line}",
    },
    "hint-top": {"en": "the top level", "zh": "文件顶层"},
    "hint-nearest": {"en": "Did you mean {nearest}?", "zh": "是否想写 {nearest}？"},
    "hint-many": {"en": "Known here: {known} and {more:,} more.", "zh": "此处可用：{known} 等（另有 {more:,} 个）。"},
    "hint-known": {"en": "Known here: {known}.", "zh": "此处可用：{known}。"},
    "yaml-missing-key": {
        "en": "{path}:{line}: the key {key} is missing in {where}. Add it.",
        "zh": "{path}:{line}：{where} 缺少键 {key}，请补上。",
    },
    "yaml-type": {
        "en": "{path}:{line}: {where} should be {expected}, not {found}.",
        "zh": "{path}:{line}：{where} 应为{expected}，但写的是{found}。",
    },
    "found-unquoted": {
        "en": "{found} (put it in quotes to make it text)",
        "zh": "{found}（如需文本请加引号）",
    },
    "type-object": {"en": "a mapping (key: value)", "zh": "键值映射（key: value）"},
    "type-array": {"en": "a list", "zh": "列表"},
    "type-str": {"en": "text", "zh": "文本"},
    "type-int": {"en": "a whole number", "zh": "整数"},
    "type-float": {"en": "a number", "zh": "数值"},
    "type-bool": {"en": "true or false", "zh": "true 或 false"},
    "type-null": {"en": "empty", "zh": "空值"},
    "type-bytes": {"en": "binary data", "zh": "二进制数据"},
    "type-date": {"en": "a date", "zh": "日期"},
    "type-datetime": {"en": "a date with a time", "zh": "日期时间"},
    "type-or": {"en": "{one} or {other}", "zh": "{one}或{other}"},
    "yaml-value": {
        "en": "{path}:{line}: {where}: {problem}.",
        "zh": "{path}:{line}：{where}：{problem}。",
    },
    "duplicate-item": {
        "en": "{path}:{line}: the item {item} appears twice. Give each item an id of its own.",
        "zh": "{path}:{line}：检查项 {item} 出现了两次，请为每一项使用不同的编号。",
    },
    "path-end-item": {
        "en": "{path}:{line}: the end {name} has the name of an item. Give it another name.",
        "zh": "{path}:{line}：终点 {name} 与检查项同名，请改用其他名称。",
    },
    "case-not-added": {
        "en": "{path} was left as it is because keys cannot be added to it automatically. Add them yourself: {keys}",
        "zh": "{path} 未作改动：无法在其中自动添加新的键，请手动填入：{keys}",
    },
    "path-nowhere": {
        "en": "{path}:{line}: {item} leads to {to}, which is neither an item nor one of ends. {hint}",
        "zh": "{path}:{line}：{item} 指向 {to}，它既不是检查项，也不在 ends 中。{hint}",
    },
    "path-circle": {
        "en": "{path}:{line}: the path goes in a circle: {items}. Make one of these lead elsewhere.",
        "zh": "{path}:{line}：路径形成了环：{items}，请修改其中一项的去向。",
    },
    "path-no-end": {
        "en": "{path}:{line}: {item} is the last item, and its next says nothing of: {answers}. Lead each conclusion to an end or an "
        "item.",
        "zh": "{path}:{line}：{item} 是最后一项，其 next 缺少：{answers}。请让每种结论都指向一个终点或检查项。",
    },
    "path-answer": {
        "en": "{path}:{line}: {answer} is neither a conclusion nor a finding of the probes of {item}. {hint}",
        "zh": "{path}:{line}：{answer} 既不是结论，也不是 {item} 的探针的发现。{hint}",
    },
    "no-path": {
        "en": "The checklist {name} is a list, not a path. Give one that is a path: {known}",
        "zh": "检查清单 {name} 没有定位路径，请指定有路径的清单：{known}",
    },
    "unknown-probe": {
        "en": "{path}:{line}: there is no probe {name}. {hint}",
        "zh": "{path}:{line}：没有名为 {name} 的探针。{hint}",
    },
    "broken-probe": {
        "en": "{path}:{line}: the probe {name} cannot be imported: {problem}. Fix or update the package that provides it.",
        "zh": "{path}:{line}：探针 {name} 无法导入：{problem}。请修复或更新提供该探针的软件包。",
    },
    "probe-unused": {
        "en": "No item of {checklists} has the probe {name}. Give its checklist with --checklist.",
        "zh": "{checklists} 中没有使用探针 {name} 的检查项，请用 --checklist 指定清单。",
    },
    "no-such-probe": {"en": "There is no probe {name}. {hint}", "zh": "没有名为 {name} 的探针。{hint}"},
    "unknown-checklist": {
        "en": "There is no checklist {name}. Shipped: {known}. Or give the path of a YAML file.",
        "zh": "没有名为 {name} 的 checklist。内置的有：{known}。也可以给出 YAML 文件的路径。",
    },
    "unknown-item": {
        "en": "There is no item {item}. {hint}",
        "zh": "没有检查项 {item}。{hint}",
    },
    "hint-checklist": {
        "en": "It is in the checklist {name}: add --checklist {name}.",
        "zh": "它属于检查清单 {name}，请加上 --checklist {name}。",
    },
    "item-in-two": {
        "en": "The item {item} is in the checklists {one} and {other}. Give it another id in one of them, or use one of them.",
        "zh": "检查项 {item} 同时出现在检查清单 {one} 和 {other} 中，请改用不同的编号，或只用其中一个清单。",
    },
    "config-syntax": {
        "en": "{path} cannot be read as {kind} ({problem}). Name a configuration in YAML, JSON or Python.",
        "zh": "{path} 无法按 {kind} 读取（{problem}）。请给出 YAML、JSON 或 Python 格式的配置文件。",
    },
    "config-not-mapping": {
        "en": "{path} holds no keys at its top level, so it cannot be compared. Name a configuration.",
        "zh": "{path} 顶层不是键值结构，无法比较，请给出配置文件。",
    },
    "config-too-large": {
        "en": "{path} holds more than {limit:,} keys, so it was not compared. Name a configuration.",
        "zh": "{path} 的键超过 {limit:,} 个，未作比较，请给出配置文件。",
    },
    "many-scripts": {
        "en": "{path}: {key} names {count:,} scripts; at most {limit:,} are read. Name the scripts that are started, not the modules "
        "they import.",
        "zh": "{path}：{key} 列出了 {count:,} 个脚本，最多读取 {limit:,} 个。只需列出直接启动的脚本，无需列出其导入的模块。",
    },
    "set-syntax": {
        "en": "--set {value}: write it as KEY=VALUE, for instance --set runtime.device=CPU.",
        "zh": "--set {value}：请写成 KEY=VALUE，例如 --set runtime.device=CPU。",
    },
    "command-script": {
        "en": "{command} starts no Python script that exists. Give the command exactly as you run it in the project folder.",
        "zh": "{command} 没有启动任何存在的 Python 脚本。请给出在工程目录下实际使用的启动命令。",
    },
    "script-role": {
        "en": "{path} is not a Python script with MindSpore code. If it is the training script, say so: --set scripts.train={path}",
        "zh": "{path} 不是含有 MindSpore 代码的 Python 脚本。若确为脚本，请用 --set scripts.train={path} 指定。",
    },
    "not-utf8": {
        "en": "{value} is not valid UTF-8, so it cannot be recorded. Rename the file, or set the terminal to UTF-8.",
        "zh": "{value} 不是合法的 UTF-8，无法记录。请重命名文件，或将终端编码设为 UTF-8。",
    },
    # scripts
    "script-syntax": {
        "en": "{path}:{line}: this does not parse as Python 3 ({problem}), so it cannot be examined.",
        "zh": "{path}:{line}：无法按 Python 3 语法解析（{problem}），因此无法检查。",
    },
    "script-empty": {"en": "{path} holds no code.", "zh": "{path} 中没有代码。"},
    "problem-tabs": {
        "en": "indented with tabs and spaces in a mix that Python 3 refuses; use one of the two",
        "zh": "缩进混用了制表符和空格，Python 3 不接受，请统一为一种",
    },
    "problem-syntax": {
        "en": "{problem}, says the parser of Python {version}",
        "zh": "Python {version} 的解析器报告：{problem}",
    },
    "problem-python2": {"en": "Python 2 syntax: {what}", "zh": "Python 2 语法：{what}"},
    "script-nul": {
        "en": "{path}:{line}: there is a NUL byte, so this is not a Python file. Copy or export it again.",
        "zh": "{path}:{line}：含有 NUL 字节，不是 Python 文件。请重新拷贝或导出。",
    },
    "script-complex": {
        "en": "{path}:{line}: too long or too deeply nested to be parsed, so it cannot be examined.",
        "zh": "{path}:{line}：过长或嵌套过深，无法解析，因此无法检查。",
    },
    "script-shadow": {
        "en": "{path}: import {name} finds {local} of this project instead of the framework, so nothing can be said about its calls. "
        "Rename {local}.",
        "zh": "{path}：import {name} 得到的是本项目的 {local}，而不是框架本身，因此无法判断其调用的含义。请重命名 {local}。",
    },
    "script-modules": {
        "en": "{path} was not read: the script has more than {limit} modules.",
        "zh": "未读取 {path}：脚本涉及的模块超过 {limit} 个。",
    },
    "notebook": {
        "en": "{path} cannot be read as a Jupyter notebook ({problem}).",
        "zh": "无法将 {path} 作为 Jupyter notebook 读取（{problem}）。",
    },
    "notebook-language": {
        "en": "{path} is a notebook of {language}, not of Python.",
        "zh": "{path} 是 {language} 语言的 notebook，不是 Python。",
    },
    # the user's own code, run by a live probe
    "live-raised": {
        "en": "{call} raised {error}\n{lines}",
        "zh": "{call} 抛出异常：{error}\n{lines}",
    },
    "live-own": {
        "en": "accucheck itself failed here, not your code: {error} (live task {task}, {place}, MindSpore {version}). Please report it; "
        "the other probes are not affected.",
        "zh": "这是 accucheck 自身的故障，与您的代码无关：{error}（实测任务 {task}，{place}，MindSpore {version}）。"
        "请反馈该问题；其他探针不受影响。",
    },
    "live-no-tensor": {
        "en": "{call} returned {found} where a tensor is needed. Return the loss or the output as a MindSpore Tensor, or first in a "
        "tuple.",
        "zh": "{call} 给出的是 {found}，而这里需要张量。请以 MindSpore Tensor 返回损失或输出，或把它放在元组的第一位。",
    },
    "live-columns": {
        "en": "{call} takes {takes} but would get {given}. List in {key} the columns of the pipeline that it takes, in order, as in "
        "{key}: [{example}]. The pipeline has {names}.",
        "zh": "{call} 的参数为 {takes}，与将传入的 {given} 不符。请在 {key} 中按顺序写明它取数据管道的哪些列，例如 {key}: [{example}]。"
        "数据管道的列有：{names}。",
    },
    "live-no-column": {
        "en": "{key} names {name}, which is not there. There are {names}{more}.",
        "zh": "{key} 指定的 {name} 不存在，可用的有：{names}{more}。",
    },
    "live-no-dataset": {
        "en": "{call} returned {found}, which is not a MindSpore dataset. Name a function that returns the dataset itself, "
        "before create_dict_iterator().",
        "zh": "{call} 返回的是 {found}，不是 MindSpore 数据集。请指定直接返回数据集的函数（在 create_dict_iterator() 之前）。",
    },
    "live-several": {
        "en": "{call} returned {count} datasets. Name a function that returns only the training dataset.",
        "zh": "{call} 返回了 {count} 个数据集。请指定只返回训练数据集的函数。",
    },
    "live-no-network": {
        "en": "{call} returned {found}, which is not a network (nn.Cell). Name a function or class that returns the network itself.",
        "zh": "{call} 返回的是 {found}，不是网络（nn.Cell）。请指定直接返回网络的函数或类。",
    },
    "live-no-loss": {
        "en": "{call} returned {found}, which cannot be called. Name a class of loss, or a function that returns the loss function.",
        "zh": "{call} 返回的是 {found}，不可调用。请指定损失函数类，或返回损失函数的函数。",
    },
    "live-no-optimizer": {
        "en": "{call} returned {found}, which is not an optimizer of MindSpore. Name its class, or a function that takes the parameters.",
        "zh": "{call} 返回的是 {found}，不是 MindSpore 优化器。请指定优化器类，或以参数列表为首个参数的函数。",
    },
    "live-no-rate": {
        "en": "{call} created an optimizer ({found}) whose learning rate cannot be set: it follows its own schedule. Name an optimizer "
        "class, or a function that passes learning_rate on.",
        "zh": "{call} 创建的优化器（{found}）使用自带的学习率策略，无法逐步设置学习率。请指定优化器类，或把 learning_rate "
        "原样传入的函数。",
    },
    "live-no-batch": {
        "en": "{call} yielded no batch of samples.",
        "zh": "{call} 没有输出任何 batch。",
    },
    "curves-nothing": {
        "en": "{path} names no curves. Watch the training (accucheck watch -- python train.py), set curves.train in accucheck.yaml, or "
        "give the files: accucheck curves FILE...",
        "zh": "{path} 没有指定曲线。请先观察训练（accucheck watch -- python train.py），在用例中设置 curves.train，或直接给出文件："
        "accucheck curves FILE...",
    },
    "graph-nothing": {
        "en": "Nothing in {path} shows a network. Watch the training (accucheck watch -- python train.py), or name a "
        "recording, a dumped graph or a checkpoint: accucheck graph FILE.",
        "zh": "{path} 没有可供查看网络的内容。请先观察训练（accucheck watch -- python train.py），或指定记录、计算图或 checkpoint："
        "accucheck graph FILE。",
    },
    "graph-no-benchmark": {
        "en": "{path} names no network of the benchmark: set graphs.reference or checkpoints.reference in accucheck.yaml, or use "
        "--beside FILE.",
        "zh": "{path} 没有指定基准的网络：请在用例中设置 graphs.reference 或 checkpoints.reference，或使用 --beside FILE。",
    },
    "graph-no-network": {
        "en": "{path} recorded no network: the run ended before one was called, or it is a recording of Recorder, which records no "
        "cells.",
        "zh": "{path} 没有记录到网络：运行在调用网络之前已结束，或这是 Recorder 的记录，不含 cell 信息。",
    },
    "graph-no-graph": {
        "en": "There is no graph in {path}. Readable here: ms_output_*.pb, *.mindir, and Summary files with a graph.",
        "zh": "{path} 中没有计算图。可读取：ms_output_*.pb、*.mindir，以及含计算图的 Summary 文件。",
    },
    "graph-too-large": {
        "en": "{path}: more than {limit:,} layers or weights; such a network cannot be shown.",
        "zh": "{path}：层或权重超过 {limit:,} 个，无法作为网络查看。",
    },
    "graph-page-large": {
        "en": "{path}: {count:,} rows are more than the {limit:,} that one page shows. The terminal shows them: --find TEXT, --cell "
        "NAME.",
        "zh": "{path}：共 {count:,} 行，超过一个页面可显示的 {limit:,} 行。可在终端用 --find TEXT、--cell NAME 查看。",
    },
    "graph-no-place": {
        "en": "{source} has no cell or weight called {name}. Nearest: {near}.",
        "zh": "{source} 中没有名为 {name} 的 cell 或权重。最接近的：{near}。",
    },
    "no-recordings": {
        "en": "{path} holds no recording of a watched run. Make one with: accucheck watch -- python train.py",
        "zh": "{path} 中没有观察到的运行记录。请用 accucheck watch -- python train.py 生成。",
    },
    "lr-range-needs": {
        "en": "A range test trains the project's network, and accucheck.yaml does not say how it is built: {keys} is missing. Give the "
        'functions, for instance network: {{call: "src.resnet:resnet50"}}.',
        "zh": "范围实验需要训练项目的网络，而 accucheck.yaml 没有说明如何构建：缺少 {keys}。请写明相应的函数，例如 "
        'network: {{call: "src.resnet:resnet50"}}。',
    },
    "lr-range-consent": {
        "en": "A range test runs the project's own code and trains its network. Allow it with --live.",
        "zh": "范围实验会运行项目自身的代码并训练其网络。请用 --live 授权。",
    },
    "lr-range-exists": {
        "en": "{path} exists and was left as it is. Write elsewhere with --output, or replace it with --force.",
        "zh": "{path} 已存在，未作改动。请用 --output 写到别处，或用 --force 覆盖。",
    },
    "lr-range-rates": {
        "en": "The rates must rise by a factor of at least {factor:g}: from {begin:g} to {end:g} they do not. An exponential scale "
        "cannot "
        "begin with 0.",
        "zh": "学习率至少要升高 {factor:g} 倍，从 {begin:g} 到 {end:g} 不满足要求；指数刻度不能从 0 开始。",
    },
    "live-no-import": {
        "en": "MindSpore cannot be imported by {python}: {error}",
        "zh": "{python} 无法导入 MindSpore：{error}",
    },
    "live-crashed": {
        "en": "The process that ran {call} ended by itself (exit code {status}). The end of its log:\n{log}",
        "zh": "运行 {call} 的进程异常退出（退出码 {status}），日志末尾：\n{log}",
    },
    # issues
    "issue-repo": {
        "en": "{value} is not a repository: write owner/name, for instance mindspore/mindspore.",
        "zh": "{value} 不是仓库名，请写成 owner/name，例如 mindspore/mindspore。",
    },
    "issue-base": {
        "en": "{value} is not the address of a tracker: write it as https://HOST.",
        "zh": "{value} 不是平台地址，请写成 https://主机名。",
    },
    "issue-field": {
        "en": "{value} is not a field of this form; there are: {fields}.",
        "zh": "该表单没有字段 {value}，可用的有：{fields}。",
    },
    # recordings of a training
    "not-a-recording": {
        "en": "{path} exists and is not a recording; it was left as it is. Give another file.",
        "zh": "{path} 已存在且不是训练记录文件，未作改动。请换一个文件。",
    },
    "recording-newer": {
        "en": "{path} was recorded by a newer accucheck (version {found} of recordings; this one reads up to {limit}). Update accucheck.",
        "zh": "{path} 由更新版本的 accucheck 记录（记录格式版本 {found}，本版本最高支持 {limit}），请升级 accucheck。",
    },
    "recording-lines": {
        "en": "{path}: {count:,} {count:line is not a record|lines are not records}, the first is line {line:,}; the others were read.",
        "zh": "{path}：有 {count:,} 行不是训练记录，首个为第 {line:,} 行；其余各行已读取。",
    },
    "nothing-opened": {
        "en": "{path} is a recording that names no opened files. Record with Recorder(..., opened=FOLDER), to the end of the training.",
        "zh": "训练记录 {path} 中没有已打开文件的列表。请用 Recorder(..., opened=目录) 记录，直到训练结束。",
    },
    "recorder-closed": {
        "en": "The recorder of {path} is closed. Record before close(), or before the with block ends.",
        "zh": "{path} 的 Recorder 已关闭。请在 close() 之前或 with 代码块内记录。",
    },
    "recorded-name": {
        "en": "{name} cannot be the name of a recorded value: recordings use it themselves. Choose another one.",
        "zh": "{name} 不能用作记录值的名称，训练记录自身已使用它。请换一个名称。",
    },
    "recorded-value": {
        "en": "{name} cannot be recorded: it is a {type}, but a number, a Tensor of one, or up to {limit} of them are expected.",
        "zh": "无法记录 {name}：其类型为 {type}，应为一个数、只有一个元素的 Tensor，或至多 {limit} 个数。",
    },
    "recorded-samples": {
        "en": "samples cannot be recorded: it is a {type}, but the identities of a batch, shape (batch,), or the batch are expected.",
        "zh": "无法记录 samples：其类型为 {type}，应为一个 batch 的样本标识（形状为 (batch,)），或 batch 数据本身。",
    },
    "recorded-losses": {
        "en": "losses cannot be recorded: it is a {type}, but one number for each of the {count:,} samples is expected.",
        "zh": "无法记录 losses：其类型为 {type}，应为 {count:,} 个样本各自的损失值。",
    },
    "watch-every": {
        "en": "every is {value}, but must be a whole number of steps, at least 1: one step in that many is examined.",
        "zh": "every 为 {value}，应为不小于 1 的整数：每隔这么多步观察一步。",
    },
    "recorded-fit": {
        "en": "outputs and labels cannot be recorded: they are {type}, but Tensors or arrays of numbers are expected.",
        "zh": "无法记录 outputs 和 labels：其类型为 {type}，应为数值的 Tensor 或数组。",
    },
    "recorded-grads": {
        "en": "The gradient norm cannot be recorded: grads is a {type} that does not hold Tensors or arrays of numbers alone.",
        "zh": "无法记录梯度范数：grads 的类型为 {type}，其中应只有 Tensor 或数值数组。",
    },
    "recorded-step": {
        "en": "The step {step} cannot be recorded: steps are 0 or more.",
        "zh": "无法记录第 {step} 步：步数不能小于 0。",
    },
    # mapping files of parameters
    "map-unknown": {
        "en": "{path}:{line}: the checkpoint has no parameter {name}. {hint}",
        "zh": "{path}:{line}：checkpoint 中没有参数 {name}。{hint}",
    },
    "map-unknown-reference": {
        "en": "{path}:{line}: the reference has no parameter {name}. {hint}",
        "zh": "{path}:{line}：标杆权重中没有参数 {name}。{hint}",
    },
    "map-shape": {
        "en": "{path}:{line}: {name} {shape} and {reference} {other} do not fit. Shapes may differ by axes of size 1, by transpose: "
        "true, "
        "or by rows: [from, to].",
        "zh": "{path}:{line}：{name} {shape} 与 {reference} {other} 形状不符。允许的差别只有长度为 1 的轴、transpose: true "
        "和 rows: [起, 止]。",
    },
    "map-twice": {
        "en": "{path}:{line}: {name} is named twice. A parameter has one counterpart; its parts are given as rows: [from, to].",
        "zh": "{path}:{line}：{name} 出现了两次。一个参数只能对应一个参数；如只对应其中若干行，请写 rows: [起, 止]。",
    },
    "map-rows": {
        "en": "{path}:{line}: the own_rows of {name} must cover its {rows:,} rows, each once and in order.",
        "zh": "{path}:{line}：{name} 的各个 own_rows 必须按顺序、不重不漏地覆盖它的全部 {rows:,} 行。",
    },
    "convert-exists": {
        "en": "{path} exists and was left as it is. Give another file, or replace it with --force.",
        "zh": "{path} 已存在，未作改动。请换一个文件，或用 --force 覆盖。",
    },
    "convert-same": {
        "en": "{path} is a file that is read here; writing to it would destroy it. Give another one.",
        "zh": "{path} 正是要读取的文件，写入会毁掉它。请换一个文件。",
    },
    "convert-format": {
        "en": "{path}: the name of what is written must end in .ckpt or .safetensors, or in .mindrecord for TFRecord files.",
        "zh": "{path}：输出文件名须以 .ckpt 或 .safetensors 结尾；转换 TFRecord 时须以 .mindrecord 结尾。",
    },
    "data-consent": {
        "en": "Showing the samples as the pipelines see them runs the project's own code. Allow it with --live.",
        "zh": "显示数据管道处理后的样本需要运行项目自身的代码。请用 --live 授权。",
    },
    "no-pipelines": {
        "en": "accucheck.yaml names no pipeline: set pipelines.train and pipelines.eval to the functions that return the data sets.",
        "zh": "accucheck.yaml 没有写明数据管道：请在 pipelines.train 和 pipelines.eval 中写明返回数据集的函数。",
    },
    "pipelines-time": {
        "en": "The pipelines yielded no samples within {seconds:g} s.",
        "zh": "数据管道在 {seconds:g} 秒内没有输出样本。",
    },
    "pipelines-nothing": {"en": "There is nothing to show. {notes}", "zh": "没有可显示的内容。{notes}"},
    "row-bytes": {
        "en": "{path}: row {row:,} is {size:,} bytes; rows of at most {limit:,} are shown. --from shows others.",
        "zh": "{path}：第 {row:,} 行有 {size:,} 字节，最多显示 {limit:,} 字节的行。可用 --from 查看其他行。",
    },
    "rows-bytes": {
        "en": "{path}: {rows:,} {rows:row is|rows are} shown, more do not fit in {limit:,} bytes. --from shows the next ones.",
        "zh": "{path}：只显示 {rows:,} 行，更多的行超出 {limit:,} 字节。可用 --from 查看后面的行。",
    },
    "no-rows": {
        "en": "{path} has no row {start:,}: rows are counted from 0.",
        "zh": "{path} 没有第 {start:,} 行（从 0 计）。",
    },
    "no-data-files": {
        "en": "{path} holds no data to show. accucheck data reads MindRecord, TFRecord, Parquet, WebDataset, NPY, NPZ, CSV, JSON Lines, "
        "pictures and WAV files.",
        "zh": "{path} 中没有可显示的数据。accucheck data 可读 MindRecord、TFRecord、Parquet、WebDataset、NPY、NPZ、CSV、JSON Lines、"
        "图片和 WAV 文件。",
    },
    "no-records": {
        "en": "{path} holds no TFRecord file, or none with a record.",
        "zh": "{path} 中没有 TFRecord 文件，或其中没有记录。",
    },
    "field-kinds": {
        "en": "{path}: {field} is {one} in some records and {other} in record {row:,}: a field of MindRecord has one type.",
        "zh": "{path}：{field} 在一些记录中是 {one}，在第 {row:,} 条记录中是 {other}；MindRecord 的一个字段只能有一种类型。",
    },
    "field-of-several-bytes": {
        "en": "{path}: {field} holds {count:,} byte strings in record {row:,}: a field of MindRecord holds one.",
        "zh": "{path}：第 {row:,} 条记录的 {field} 有 {count:,} 个字节串；MindRecord 的一个字段只能存一个。",
    },
    "field-empty": {
        "en": "Record {row:,} (from 0) has no value of {field}: MindRecord has no empty arrays, and MindSpore would read a number that "
        "does not exist. Leave the record out, or give the field a value.",
        "zh": "第 {row:,} 条记录（从 0 计）的 {field} 没有值：MindRecord 不支持空数组，MindSpore 会读出并不存在的数。"
        "请去掉该记录，或给该字段赋值。",
    },
    "field-names": {
        "en": "{path}: the fields {names} cannot be called by different names of letters, digits and _, as MindRecord requires.",
        "zh": "{path}：字段 {names} 无法各自改成只含字母、数字和 _ 的不同名称，而 MindRecord 要求如此。",
    },
    "row-too-large": {
        "en": "{path}: record {row:,} (from 0) takes {size:,} bytes, and a page of MindRecord {limit:,} at most.",
        "zh": "{path}：第 {row:,} 条记录（从 0 计）需要 {size:,} 字节，而 MindRecord 的一页最多 {limit:,} 字节。",
    },
    "convert-direction": {
        "en": "{path} does not say which framework it is for. Say --to mindspore or --to pytorch, or give a checkpoint of the network "
        "with --like.",
        "zh": "无法从 {path} 看出它属于哪个框架。请写明 --to mindspore 或 --to pytorch，或用 --like 给出目标网络的 checkpoint。",
    },
    "convert-repeated": {
        "en": "{path} holds {name} more than once (parts of several ranks or epochs?). Give a single checkpoint.",
        "zh": "{path} 中 {name} 出现多次（可能是多卡或多个 epoch 的文件）。请给出单份 checkpoint。",
    },
    "convert-collision": {
        "en": "Two parameters of {path} would both be called {name}. Give a checkpoint of the network with --like.",
        "zh": "{path} 中有两个参数转换后都叫 {name}。请用 --like 给出目标网络的 checkpoint。",
    },
    "convert-nothing": {
        "en": "{path} holds no weights that could be converted.",
        "zh": "{path} 中没有可以转换的权重。",
    },
    "convert-unrelated": {
        "en": "Not one parameter of {path} could be paired with one of {like}. Are they of the same network? A mapping file (--map) can "
        "say which is which.",
        "zh": "{path} 与 {like} 没有一个参数能够配对。它们是同一个网络的吗？可以用映射文件（--map）写明对应关系。",
    },
    "hint-none": {"en": "Check the spelling.", "zh": "请检查拼写。"},
    # samples looked at by a person
    "marks-damaged": {
        "en": "{path} cannot be read as marks of samples ({problem}); it was left as it is. Fix it, or move it away and draw again.",
        "zh": "无法读取样本标注文件 {path}（{problem}），文件未作改动。请修复，或将其移走后重新抽样。",
    },
    "marks-newer": {
        "en": "{path} was written by another version of accucheck (version {found}; this one reads {limit}). Update accucheck; "
        "the file was left as it is.",
        "zh": "{path} 由其他版本的 accucheck 写入（版本 {found}，本版本支持 {limit}）。请升级 accucheck；该文件未被改动。",
    },
    "marks-wrong": {
        "en": "{path}: {count:,} {count:line is|lines are} wrong, so nothing was taken from it.",
        "zh": "{path}：有 {count:,} 行有误，因此未读入任何标注。",
    },
    "marks-columns": {
        "en": "{path} has no column {columns}. Mark the table that accucheck labels --sheet writes.",
        "zh": "{path} 缺少列 {columns}。请在 accucheck labels --sheet 生成的表格中标注。",
    },
    "plan-marked": {
        "en": "The sample is drawn already (seed {seed}, {samples:,} samples) and {marked:,} are marked. --redraw draws again, keeps the "
        "marks of samples that stay, and puts the old ones aside.",
        "zh": "已经抽样（随机种子 {seed}，{samples:,} 个样本），且 {marked:,} 个已标注。如需重新抽样请加 --redraw："
        "仍在样本中的标注会保留，原有标注另存备份。",
    },
    "no-plan": {
        "en": "No sample has been drawn yet. Run accucheck labels --sheet DIR first, and mark the table that it writes.",
        "zh": "尚未抽样。请先运行 accucheck labels --sheet DIR，并在其生成的表格中标注。",
    },
    "sample-gone": {"en": "{path}: the sample no longer exists.", "zh": "{path}：该样本已不存在。"},
    "sample-alone": {
        "en": "{path} holds labels and nothing else; the samples that belong to them were not found beside it.",
        "zh": "{path} 只有标签，未在同一目录中找到与之对应的样本。",
    },
    "sample-label": {
        "en": "{path}: the label field no longer exists; there are: {fields}.",
        "zh": "{path}：标签字段已不存在，现有字段：{fields}。",
    },
    "without-data": {
        "en": "The case does not say where the data are. Add {key} to accucheck.yaml.",
        "zh": "未给出数据位置，请在 accucheck.yaml 中补充 {key}。",
    },
    "no-samples": {
        "en": "No sample with a label was found under {path} ({fields}). Name the field of the labels in {key}.",
        "zh": "在 {path} 下没有找到带标签的样本（{fields}），请在 {key} 中指明标签字段。",
    },
    # session
    "session-corrupt": {
        "en": "{path} could not be read as a session ({problem}). It was kept aside as {aside}; a new session was begun.",
        "zh": "无法读取会话文件 {path}（{problem}）。原文件已另存为 {aside}，并新建了会话。",
    },
    "note-too-long": {
        "en": "The note has {length:,} characters; at most {limit:,} are kept. Attach the text as a file instead.",
        "zh": "备注有 {length:,} 个字符，最多保留 {limit:,} 个。请将文本作为附件添加。",
    },
    "note-file-too-long": {
        "en": "{path} has {size:,} bytes, too many for a note (at most {limit:,} characters); the note stays as it was. "
        "The file is kept: shorten it, or attach it.",
        "zh": "{path} 有 {size:,} 字节，超出备注上限（{limit:,} 个字符），备注未改动。该文件已保留，可删减后再编辑，或作为附件添加。",
    },
    "session-changed": {
        "en": "{path} was changed by another program while it was open here. The other program's version was kept as {aside}; the "
        "answers of this session were saved.",
        "zh": "{path} 在此处打开期间被其他程序改动。其内容已另存为 {aside}；本会话的结论已保存。",
    },
    "session-taken": {
        "en": "{path} could not be saved: the session was removed here, and another accucheck ({holder}) has begun one in its place. "
        "Close that one.",
        "zh": "无法保存 {path}：会话目录曾被删除，另一个 accucheck（{holder}）已在原处新建会话。请先关闭它。",
    },
    "session-rescued": {
        "en": "{why}\nThe session was stored as {path} instead. Once there is room: cp {path} {target}",
        "zh": "{why}\n会话已改存为 {path}。问题解决后请执行：cp {path} {target}",
    },
    "session-unreadable": {
        "en": "{path} could not be read as a session ({problem}), so no answer or result is known. "
        "Recording anything will keep this file aside and begin a new session.",
        "zh": "无法读取会话文件 {path}（{problem}），因此没有任何结论或结果。下次写入时会将该文件另存，并新建会话。",
    },
    "session-newer": {
        "en": "{path} was written by a newer accucheck (session version {found}; this one reads up to {limit}). "
        "Update accucheck; the file was left as it is.",
        "zh": "{path} 由更新版本的 accucheck 写入（会话版本 {found}，本版本最高支持 {limit}）。"
        "请升级 accucheck；该文件未被改动。",
    },
    "session-read-only": {
        "en": "It was opened to be read only. Open it without --read-only to change it.",
        "zh": "会话以只读方式打开。如需修改，请去掉 --read-only 重新打开。",
    },
    "not-a-session": {
        "en": "{path} is not a session of accucheck ({problem}); it was left as it is.",
        "zh": "{path} 不是 accucheck 的会话文件（{problem}），文件未作改动。",
    },
    "not-a-copy": {
        "en": "{path} is not a copy of this session: they have nothing in common. Give a copy of it, or -p with its project.",
        "zh": "{path} 不是此会话的副本，二者没有共同的记录。请给出由此会话拷贝的文件，或用 -p 指定其所属项目。",
    },
    "not-comparable": {
        "en": "{path} is neither a session nor a JSON report of accucheck ({problem}).",
        "zh": "{path} 既不是 accucheck 的会话，也不是其 JSON 报告（{problem}）。",
    },
    "diff-nothing": {
        "en": "There is nothing to compare with: no JSON report in {folder}. Name the earlier round (accucheck diff A), or keep one "
        "from now on: accucheck report --format json.",
        "zh": "没有可比较的内容：{folder} 中没有 JSON 报告。请给出上一轮（accucheck diff A），"
        "或从现在起保留一份：accucheck report --format json。",
    },
    "no-session": {
        "en": "{path} has no session yet: nothing was run or concluded there.",
        "zh": "{path} 中还没有会话：尚未运行探针，也未填写结论。",
    },
    "session-too-large": {
        "en": "{path} is larger than {limit} MB, which no session is; it was not read.",
        "zh": "{path} 超过 {limit} MB，不可能是会话文件，未读取。",
    },
    "session-alone": {
        "en": "{path} is a session without its project, so nothing can be examined. Open the project's folder for that.",
        "zh": "{path} 只是会话文件，没有对应的项目，无法进行检查。如需检查，请打开项目目录。",
    },
    # mending
    "mend-none": {
        "en": "There is no patch for this finding; fix it by hand.",
        "zh": "该发现没有可直接应用的修改，请手动修改。",
    },
    "mend-misfit": {
        "en": "{path} no longer has the lines that this change replaces. Run the probe again for one that fits.",
        "zh": "{path} 中已没有该修改所替换的行，请重新运行探针以获得适用的修改。",
    },
    "mend-long": {
        "en": "{path}: the change is too long to be read on a screen. Save it as a patch and apply that.",
        "zh": "{path}：修改过长，不便在屏幕上通读。请另存为补丁后再应用。",
    },
    "mend-outside": {
        "en": "{path} is not a file of the project itself (it lies elsewhere or is a symbolic link), so it is not changed.",
        "zh": "{path} 不是项目自身的文件（位于别处或为符号链接），因此不作修改。",
    },
    "mend-changed": {
        "en": "{path} has changed since the change was shown, so nothing was written. Look at it again.",
        "zh": "显示修改后 {path} 又有变动，因此未写入，请重新查看。",
    },
    "mend-undo-changed": {
        "en": "{path} has changed since the fix was applied, so it was not put back. The original is in .accucheck/backups.",
        "zh": "修改后 {path} 又有变动，因此未恢复。修改前的副本位于 .accucheck/backups。",
    },
    # try
    "try-none": {
        "en": "No finding has a patch that could be tried. Run the probes first: accucheck run, or R in the walkthrough. If they have "
        "run, what they found has to be fixed by hand.",
        "zh": "没有可以试用的修改。请先运行探针：accucheck run，或在界面中按 R；若已运行过，请查看发现的问题并手工修改。",
    },
    "try-misfit": {
        "en": "None of the changes fits the files as they are now. Run the probes again for ones that do.",
        "zh": "所有修改都与文件当前内容不符，请重新运行探针。",
    },
    "try-no-command": {
        "en": "No command is known that trains the project. Give it after --, for instance: -- python train.py",
        "zh": "不知道用什么命令训练该项目，请写在 -- 之后，例如：-- python train.py",
    },
    "try-consent": {
        "en": "This trains copies of the project by running its own code: {command}. Allow it with --live, or give the command after --.",
        "zh": "将在项目副本中运行项目自身的代码进行训练：{command}。请用 --live 授权，或把命令写在 -- 之后。",
    },
    "try-quotes": {
        "en": "{command}: a quotation mark is not closed.",
        "zh": "{command}：引号没有配对。",
    },
    "try-disk": {
        "en": "{path}: {free} MB are free, and a training needs at least {needed} MB. Set TMPDIR to a folder with more room.",
        "zh": "{path}：仅剩 {free} MB，训练至少需要 {needed} MB。请将 TMPDIR 设为空间更大的目录。",
    },
    "try-changed": {
        "en": "Files of the project have changed while a copy of it was trained: {paths}. Its results were not kept. If the training "
        "wrote them, make it write elsewhere.",
        "zh": "在副本中训练期间，项目的文件有变动：{paths}。该次结果未保留。如果是训练写入的，请为其指定其他输出位置。",
    },
    # tune
    "tune-missing": {
        "en": "The search needs Optuna, which is not installed: pip install {install}",
        "zh": "超参搜索需要 Optuna，尚未安装：pip install {install}",
    },
    "tune-no-search": {
        "en": "Nothing to search. Name options of the command or keys of its configuration: --search lr=1e-4..1e-1:log --search "
        "batch=16,32,64",
        "zh": "没有给出要搜索的内容。请写出命令的选项或配置文件的键：--search lr=1e-4..1e-1:log --search batch=16,32,64",
    },
    "tune-space": {
        "en": "{text} is not NAME=VALUES. A range: lr=1e-4..1e-1:log, layers=2..8, dropout=0..0.5:step=0.1. A list: batch=16,32,64",
        "zh": "{text} 不是“名称=取值”的形式。范围：lr=1e-4..1e-1:log、layers=2..8、dropout=0..0.5:step=0.1；列表：batch=16,32,64",
    },
    "tune-empty-space": {
        "en": "{text} leaves nothing to choose from: a range runs from a lower to a higher number, a list has 1 to {limit} values.",
        "zh": "{text} 没有可选的取值：范围须从小到大，列表须有 1 到 {limit} 个取值。",
    },
    "tune-log-space": {
        "en": "{text}: a range with :log begins above 0 and has no step.",
        "zh": "{text}：带 :log 的范围须从大于 0 的数开始，且不能有 step。",
    },
    "tune-twice": {
        "en": "{name} is given twice, or there are more than {limit} names to search.",
        "zh": "{name} 重复给出，或搜索的名称超过 {limit} 个。",
    },
    "tune-no-option": {
        "en": "{name} is neither an option nor a key of {where}. Near to it: {known}",
        "zh": "{where} 中没有名为 {name} 的选项或键。相近的有：{known}",
    },
    "tune-no-options": {
        "en": "{where} takes no options that could be searched, and the command names no YAML file: read {name} from an option, such as "
        "--{name}, or from a configuration file that the command names.",
        "zh": "{where} 没有可搜索的选项，命令中也没有 YAML 文件：请先让脚本从选项（如 --{name}）或命令所给的配置文件中读取 {name}。",
    },
    "tune-several-keys": {
        "en": "{name} could be several keys; give the full key: {places}",
        "zh": "{name} 可指多个键，请写出完整的键：{places}",
    },
    "tune-unread": {
        "en": "{command} starts no Python script of the project that is seen, so it is not known whether {name} is one of its "
        "options. Write "
        "the option with its dashes: --search=--{name}=...",
        "zh": "没有看到 {command} 启动项目中的哪个 Python 脚本，无法判断 {name} 是否是其选项。请连同短横线写出：--search=--{name}=...",
    },
    "tune-not-passed": {
        "en": "{command} does not pass {name} on to its script: an option at its end does not reach the script. Give the command that "
        "starts the script itself.",
        "zh": "{command} 不会把 {name} 传给其脚本（写在末尾的选项到不了脚本）。请直接给出启动脚本的命令。",
    },
    "tune-own-words": {
        "en": "{place} parses words that the script itself contains, not the words of the command, so every trial would train with the "
        "same {name}. Let it parse the command: parse_args().",
        "zh": "{place} 解析的是脚本中写死的参数，而不是命令行参数，因此每次试验的 {name} 都相同。请改为解析命令行：parse_args()。",
    },
    "tune-no-metric": {
        "en": "The training reports no metric of an evaluation, so trials cannot be compared. It reports: {seen}. Name one of them with "
        "--metric, "
        "or give the command that evaluates with --evaluate. Nothing was lost.",
        "zh": "训练没有输出评估指标，无法比较各次试验。输出中有：{seen}。请用 --metric 指定其一，或用 --evaluate 给出评估命令。"
        "没有丢失任何内容。",
    },
    "tune-tells-nothing": {
        "en": 'The training reports no named number, so trials cannot be compared. Have it print its metric, such as "accuracy: 0.91", '
        "or give the command that evaluates with --evaluate. Nothing was lost.",
        "zh": "训练没有打印或写出任何带名称的数值，无法比较各次试验。请让它打印指标（如 accuracy: 0.91），或用 --evaluate 给出评估命令。"
        "没有丢失任何内容。",
    },
    "tune-not-told": {
        "en": "The training reports no {name}. It reports: {seen}",
        "zh": "训练没有输出 {name}。输出中有：{seen}",
    },
    "tune-own-failed": {
        "en": "The command fails as it is, with exit code {exit}, so nothing was searched: {note}",
        "zh": "命令本身运行失败，退出码 {exit}，因此没有开始搜索：{note}",
    },
    "tune-all-failed": {
        "en": "The last {count} trials failed or had no finite metric, so the search was ended. What was found is kept. Last output: "
        "{note}",
        "zh": "最近 {count} 次试验均失败或没有得到有限的指标，搜索已结束；已有结果已保存。最后的输出：{note}",
    },
    "tune-faults": {
        "en": "{count} known {count:fault|faults} cannot be removed by any setting; a search would only find what compensates for "
        "{count:it|them}. Fix {count:it|them} first (accucheck fix shows patches), or search anyway with --force.",
        "zh": "已知 {count} 处问题，调参无法解决，此时搜索只会得到迁就问题的设置。"
        "请先修改（accucheck fix 给出改法），或用 --force 强制搜索。",
    },
    "tune-no-storage": {
        "en": "{storage} cannot hold a study. Give --storage a file of SQLite ({endings}), an address that Optuna knows such as "
        "sqlite:///FILE, mysql://USER@HOST/NAME or postgresql://USER@HOST/NAME, or journal://FILE. Nothing was run.",
        "zh": "{storage} 不能用来保存研究。--storage 可以是 SQLite 文件（{endings}）、Optuna 支持的地址（如 sqlite:///文件、"
        "mysql://用户@主机/库名、postgresql://用户@主机/库名）或 journal://文件。没有运行任何内容。",
    },
    "tune-storage": {
        "en": "{storage} cannot be used to keep the study: {problem}. Nothing was trained. Check the address and what it needs (a folder "
        "that exists, a driver), or give another --storage.",
        "zh": "无法用 {storage} 保存搜索结果：{problem}。尚未训练。请检查地址及其所需（已有的文件夹、驱动程序），"
        "或另给 --storage。",
    },
    "tune-locked": {
        "en": "{storage} is locked by another program. End that one, or give another --storage. What was kept before is intact.",
        "zh": "{storage} 被其他程序锁定。请结束该程序，或另给 --storage；此前保存的内容完好。",
    },
    "tune-foreign-study": {
        "en": "The study {name} was not created by accucheck. Choose another --study.",
        "zh": "研究 {name} 不是由 accucheck 创建的，请用 --study 另取名称。",
    },
    "tune-other-command": {
        "en": "The study {name} belongs to a different command: {theirs}, not {ours}. Choose another --study.",
        "zh": "研究 {name} 属于另一条命令：{theirs}，而不是 {ours}。请用 --study 另取名称。",
    },
    "tune-other-search": {
        "en": "The study {name} has a different search space: {theirs}, not {ours}. Choose another --study.",
        "zh": "研究 {name} 搜索的是另外的内容：{theirs}，而不是 {ours}。请用 --study 另取名称。",
    },
    "tune-other-state": {
        "en": "The study {name} belongs to different code (another project, or this one before a change), so its trials cannot be "
        "compared. Choose another --study.",
        "zh": "研究 {name} 属于不同的代码（另一个项目，或本项目修改之前），其试验不可比较。请用 --study 另取名称。",
    },
    "tune-other-metric": {
        "en": "The study {name} uses a different metric: {theirs}, not {ours}. Choose another --study.",
        "zh": "研究 {name} 针对的是另一指标：{theirs}，而不是 {ours}。请用 --study 另取名称。",
    },
    "tune-none": {
        "en": "No search was made in this project yet: accucheck tune --search lr=1e-4..1e-1:log -- python train.py",
        "zh": "该项目尚未进行过搜索：accucheck tune --search lr=1e-4..1e-1:log -- python train.py",
    },
    # dump
    "dump-steps": {
        "en": "{text}: give steps counted from 1, such as 1-2 or 1,50-52; at most 1,000.",
        "zh": "{text}：请给出从 1 开始的步数，例如 1-2 或 1,50-52，最多 1,000 步。",
    },
    "dump-exists": {
        "en": "{path} exists and was left as it is. Name a folder with --output that is not there yet.",
        "zh": "{path} 已存在，未作改动。请用 --output 指定一个尚不存在的目录。",
    },
    "dump-path": {
        "en": "{path}: MindSpore dumps only to paths of letters, digits, - and _. Give another folder with --output.",
        "zh": "{path}：MindSpore 只接受由字母、数字、- 和 _ 组成的 dump 路径，请用 --output 另选目录。",
    },
    "dump-no-layer": {
        "en": "No operation that was dumped has {layers} in its name. There are: {known}",
        "zh": "dump 的算子名称中没有 {layers}。其中有：{known}",
    },
    "dump-nothing": {
        "en": "Nothing was dumped into {path}. MindSpore dumps in graph mode only, on Ascend at jit_level O0 or O1; in PyNative "
        "mode accucheck watch --nan looks for the first operator that is not finite. Statistics and overflow are of Ascend.",
        "zh": "{path} 中没有 dump 数据。MindSpore 只在图模式下 dump（Ascend 上为 jit_level O0、O1）；PyNative 模式请用 accucheck "
        "watch --nan "
        "查找首个出现 NaN 或 Inf 的算子。统计值和溢出检测仅支持 Ascend。",
    },
    # editor
    "editor-none": {
        "en": "$VISUAL and $EDITOR are not set, and neither nano nor vi was found. Set one, for instance EDITOR=vim.",
        "zh": "未设置 $VISUAL 和 $EDITOR，也未找到 nano 或 vi。请设置其一，例如 EDITOR=vim。",
    },
    "editor-wrong": {
        "en": "The editor {editor} could not be started: {problem}. Check $VISUAL and $EDITOR.",
        "zh": "无法启动编辑器 {editor}：{problem}。请检查 $VISUAL 和 $EDITOR。",
    },
    "editor-suspend": {
        "en": "No editor can be opened here: this terminal cannot be handed to another program (in a browser, for instance).",
        "zh": "此处无法打开编辑器：当前终端不能交给其他程序使用（例如在浏览器中）。",
    },
    "place-none": {
        "en": "This finding names no file, so there is nothing to open.",
        "zh": "该发现没有指明文件，因此没有可打开的内容。",
    },
    # reviews
    "review-unanswered": {
        "en": "{item} has no conclusion yet, so there is nothing to review.",
        "zh": "{item} 尚未填写结论，无法评审。",
    },
    "review-own": {
        "en": "{who} concluded {item}: a review is somebody else's. Give your name with --as.",
        "zh": "{item} 的结论由 {who} 填写，应由他人评审。如您不是 {who}，请用 --as 给出姓名。",
    },
    "return-without-comment": {
        "en": "{item} cannot be returned without a comment: say what is missing (--comment).",
        "zh": "退回 {item} 时须说明原因（--comment）。",
    },
    "review-none": {"en": "{item} has no review.", "zh": "{item} 没有评审意见。"},
    "sign-off-none": {"en": "Nothing has been signed off.", "zh": "尚未签署评审。"},
    "sign-off-open": {
        "en": "It cannot be signed off yet. {reasons}",
        "zh": "尚不能签署评审。{reasons}",
    },
    "sign-off-unanswered": {
        "en": "Without a conclusion ({count}): {items}.",
        "zh": "未填写结论（{count} 项）：{items}。",
    },
    "sign-off-returned": {"en": "Returned ({count}): {items}.", "zh": "已退回（{count} 项）：{items}。"},
    "sign-off-unreviewed": {
        "en": "Not reviewed in its current state ({count}): {items}.",
        "zh": "待评审（{count} 项）：{items}。",
    },
    "session-locked": {
        "en": "The session is open in another accucheck ({holder}). This one is read-only until that one is closed.",
        "zh": "该会话已在另一个 accucheck 中打开（{holder}）。关闭它之前，此处为只读。",
    },
}


class UserError(Exception):
    """Something the person can mend. `code` is a key of WORDS; `data` fills its template."""

    def __init__(self, code: str, **data: Any) -> None:
        super().__init__(code, data)
        self.code = code
        self.data = data

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (type(self), self.code, self.data)  # the default would call it with two arguments

    def text(self, language: Language) -> str:
        data = {key: _spoken(value, language) for key, value in self.data.items()}
        return word(WORDS, self.code, language, **data)

    def __str__(self) -> str:
        return self.text(Language.EN)


def _spoken(value: Any, language: Language) -> Any:
    """A value of an error's data; errors in it, also several, by their texts, and several names with what separates them."""
    if isinstance(value, UserError):
        return value.text(language)
    if isinstance(value, list) and value and all(isinstance(each, UserError) for each in value):
        return (" " if language is Language.EN else "").join(each.text(language) for each in value)
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return listed(value, language)
    return value


def _made(kind: type[UserError], code: str, data: dict[str, Any]) -> UserError:
    return kind(code, **data)


class ReadError(UserError):
    """A file that cannot be read as what it should be. `data` has at least `path`."""


class SaveError(UserError):
    """A file that cannot be written."""


def needs_library(error: BaseException) -> UserError | None:
    """What to install, where an ImportError is about a library that the light install leaves out."""
    library = lacking.of(error)
    return UserError("needs-library", library=library, install=lacking.requirement()) if library else None


def from_os_error(error: OSError, path: object, kind: type[UserError] = ReadError) -> UserError:
    """The UserError that says what an OSError on `path` means."""
    import errno

    codes = {
        errno.ENOENT: "not-found",
        errno.EISDIR: "is-directory",
        errno.EEXIST: "not-a-directory",  # of mkdir
        errno.ENOTDIR: "not-a-directory",
        errno.EACCES: "no-permission",
        errno.EPERM: "no-permission",
        errno.ENOSPC: "disk-full",
        errno.EDQUOT: "disk-full",
        errno.EFBIG: "file-limit",
        errno.EROFS: "read-only",
        errno.ELOOP: "link-loop",
    }
    code = codes.get(error.errno or 0, "io")
    return kind(code, path=str(path), problem=error.strerror or str(error))
