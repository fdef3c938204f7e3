"""The contract of a probe, and where probes are found.

A probe is a module with
  a docstring      what it catches, what it cannot
  KIND             a Kind
  NEEDS            the dotted case keys it reads; a tuple among them means "any of these"
  USES             optional: the case keys that it reads where they are given, beside the files of the project
  Params           a frozen msgspec.Struct; each field Annotated with Meta(description=..., extra={"unit", "source"})
  MESSAGES         {finding code or fix code: {"en": ..., "zh": ...}}, filled with the finding's data
  WORDS            {evidence title or column: {"en": ..., "zh": ...}}
  run(case, params)  a generator of Finding | Progress
  suggest(findings)  optional, where model.suggest is not right
  OWN_FILES        optional: files it reads beside those of the case, relative to the project; a change makes its result stale
  EXAMPLES         at least one clean and one faulty Example
  OWN_TRAINING     optional: True where it watches a training that accucheck makes of the case's functions, not the user's
  WHY              {finding code: {"en": ..., "zh": ...}}: why this hurts accuracy, in one or two plain sentences
  PROOF            {finding code: {"en": ..., "zh": ...}}: what would prove it: the live probe or the experiment to run
A static probe has WHY and PROOF for each code that it gives as problem or suspect, filled with the finding's data as
MESSAGES are, and sets Finding.sure on those findings; other probes may have them.
Importing a probe must stay cheap: numpy, polars and the readers are imported inside run().
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from .case import Case
from .errors import UserError
from .language import Words, listed, word
from .model import Finding, Language, Reason, Sure, Verdict

#: What a finding's data call the settings that decide it, as a sentence in each language; it stands behind the words of the finding.
DECIDED = "decided"
#: Why a probe was skipped, failed or cancelled; probes may add their own codes in MESSAGES.
REASONS: Words = {
    "missing-input": {
        "en": "{keys} is not set. Add it to accucheck.yaml, or: accucheck run --set {first}=...",
        "zh": "未给出 {keys}。请在 accucheck.yaml 中补充，或运行：accucheck run --set {first}=...",
    },
    "needs-consent": {
        "en": "This probe runs the project's own code. Allow it with --live, or in the walkthrough when it asks.",
        "zh": "该探针会运行项目自身的代码。请用 --live 授权，或在向导询问时同意。",
    },
    "needs-address-consent": {
        "en": "The case file names data in the network ({addresses}), and it may have come with somebody else's project. Allow it with "
        "--remote, or in the walkthrough when it asks.",
        "zh": "accucheck.yaml 指定了网络上的数据（{addresses}），而该文件可能来自他人的项目。请用 --remote 授权，或在向导询问时同意。",
    },
    "no-mindspore": {
        "en": "{python} has no MindSpore. Set runtime.python to the interpreter of the training environment, or install MindSpore "
        "beside accucheck (for the CPU: pip install 'accucheck[mindspore]').",
        "zh": "{python} 中没有安装 MindSpore。请把 runtime.python 设为训练环境的 Python 解释器，或在 accucheck 所在环境中安装 MindSpore"
        "（CPU 版：pip install 'accucheck[mindspore]'）。",
    },
    "cancelled": {"en": "Cancelled; what was found so far is kept.", "zh": "已取消，此前的发现均已保留。"},
    "timeout": {
        "en": "Stopped after {seconds:g} s without finishing. Give more time with --timeout.",
        "zh": "运行 {seconds:g} 秒仍未完成，已停止。可用 --timeout 放宽时限。",
    },
    "crashed": {
        "en": "The probe's process ended by itself ({how}). The end of its log is kept with the result.",
        "zh": "探针进程异常退出（{how}），其日志末尾已随结果保存。",
    },
    "bad-event": {
        "en": "The probe's process wrote something unreadable into the event channel, so its answer cannot be trusted.",
        "zh": "探针进程向事件通道写入了无法识别的内容，其结果不可信。",
    },
    "raised": {"en": "The probe failed: {error}", "zh": "探针执行失败：{error}"},
    "bad-params": {
        "en": "The checklist's parameters do not fit the probe: {error}",
        "zh": "checklist 中的探针参数有误：{error}",
    },
}

#: How sure a probe is, in words.
SURE: Words = {
    "certain": {"en": "certain from the code", "zh": "确定（代码分析）"},
    "likely": {
        "en": "likely; a default, an option, a name or code that was not read may still make it right",
        "zh": "很可能，但默认值、命令行选项、命名含义或未检查到的代码仍可能使其正确",
    },
    "possible": {"en": "possible; it may well be intended", "zh": "有可能，也可能是有意为之"},
}


#: What stands after the words of a finding that does not count: another probe contradicts it, or a person has set it aside.
CONTRADICTED: Words = {
    "contradicted": {
        "en": "Contradicted, so it does not count ({level}): {probe} saw the contrary. {message}",
        "zh": "已被推翻，不计入结论（原为“{level}”）：{probe} 观察到相反的事实。{message}",
    },
    "problem": {"en": "was: problem", "zh": "问题"},
    "suspect": {"en": "was: suspect", "zh": "可疑"},
    "inline": {
        "en": "Set aside by a comment in the code, so it does not count ({level}): {reason}",
        "zh": "已被代码中的注释排除，不计入结论（原为“{level}”）：{reason}",
    },
    "baseline": {
        "en": "Known from the baseline {reason}, so it does not count ({level}).",
        "zh": "已记录在基线 {reason} 中，不计入结论（原为“{level}”）。",
    },
}


class Skip(Exception):
    """Raised by a probe that cannot examine this case: a code of REASONS or of its MESSAGES, and its data."""

    def __init__(self, code: str, **data: Any) -> None:
        super().__init__(code, data)
        self.reason = Reason(code, data)


class Example:
    """A small input with the codes expected of it.

    `files` maps a path within the project to its text, its bytes, or a function that writes it, given the full path;
    `case` is the content of accucheck.yaml; `codes` are the codes of all findings above info (and of the info findings
    named), `verdict` the suggestion.
    """

    def __init__(
        self,
        name: str,
        *,
        files: dict[str, str | bytes | Callable[[Path], None]],
        case: dict[str, Any],
        verdict: Verdict,
        codes: Sequence[str] = (),
        params: dict[str, Any] | None = None,
    ) -> None:
        self.name, self.files, self.case, self.verdict = name, files, case, verdict
        self.codes, self.params = tuple(codes), params or {}

    def lay_out(self, root: Path) -> Case:
        """Write the files below `root` and return the case."""
        from .case import CaseFile

        for name, content in self.files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if callable(content):
                content(path)
            else:
                path.write_bytes(content.encode() if isinstance(content, str) else content)
        return Case(root=str(root), spec=msgspec.convert(self.case, CaseFile))


def script_example(
    head: str,
    name: str,
    script: str,
    verdict: Verdict,
    *codes: str,
    tail: str = "",
    files: Mapping[str, str] | None = None,
    params: dict[str, Any] | None = None,
    **case: Any,
) -> Example:
    """An example of one training script between `head` and `tail`, with other files beside it and more sections of the case."""
    return Example(
        name,
        files={"train.py": (head + script).lstrip("\n") + tail, **(files or {})},
        case={"scripts": {"train": "train.py"}, **case},
        verdict=verdict,
        codes=codes,
        params=params,
    )


def _entry_points() -> dict[str, Any]:
    from importlib.metadata import entry_points

    return {entry.name: entry for entry in entry_points(group="accucheck.probes")}


def names() -> list[str]:
    """The names of all probes, built in and of other packages, without importing any."""
    folder = Path(__file__).parent / "probes"
    built_in = (path.stem for path in folder.glob("*.py") if not path.stem.startswith("_"))
    return sorted({*built_in, *_entry_points()})


def load(name: str) -> Any:
    """Import one probe. Raises UserError when there is none of this name.

    A probe of this package wins over an entry point of the same name.
    """
    if re.fullmatch(r"[a-z][a-z0-9_]*", name):
        try:
            return importlib.import_module(f"accucheck.probes.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"accucheck.probes.{name}":
                raise
        if entry := _entry_points().get(name):
            return entry.load()
    from .document import nearest

    raise UserError("no-such-probe", name=name, hint=nearest(name, names()))


def loaded(name: str) -> Any:
    """The same, or None where it cannot be imported: one of another package may fail in any way. The engine says why when it is run."""
    try:
        return load(name)
    except Exception:
        return None


def origin(name: str) -> str:
    """Package and version of a probe that another package brings; empty for one of this package, or one that is gone."""
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,99}", name):  # a session may come from a stranger, and name any path
        return ""
    own = (Path(__file__).parent / "probes" / f"{name}.py").exists()
    entry = None if own else _entry_points().get(name)
    return f"{entry.dist.name} {entry.dist.version}" if entry is not None and entry.dist is not None else ""


def params(probe: Any, given: dict[str, Any]) -> Any:
    """The probe's Params from the checklist's YAML. Raises msgspec.ValidationError with the reason."""
    known = probe.Params.__struct_encode_fields__
    for key in given:
        if key not in known:
            raise msgspec.ValidationError(f"unknown parameter {key}; known: {', '.join(known) or '-'}")
    return msgspec.convert(given, probe.Params)


def missing(probe: Any, case: Case) -> list[str]:
    """The needs of a probe that the case does not give, each as "key" or "key | key"."""
    lacking = []
    for need in probe.NEEDS:
        keys = (need,) if isinstance(need, str) else need
        if not any(case.get(key) is not None for key in keys):
            lacking.append(" | ".join(keys))
    return lacking


def message(probe: Any, code: str, data: dict[str, Any], language: Language) -> str:
    """The words of a finding or fix, behind them the settings that decide it (`DECIDED`)."""
    spoken = _spoken(data, language)
    text = word(probe.MESSAGES, code, language, **spoken)
    return text + spoken[DECIDED] if DECIDED in spoken else text


class Explanation(NamedTuple):
    """What goes with the words of a finding; a text is empty where the probe has none."""

    why: str
    sure: str
    proof: str


def explanation(probe: Any, finding: Finding, language: Language) -> Explanation:
    """Why a finding hurts accuracy, how sure the probe is of it, and what would prove it."""
    data = _spoken(finding.data, language)

    def text(words: Words) -> str:
        return word(words, finding.code, language, **data) if finding.code in words else ""

    sure = word(SURE, finding.sure.value, language) if isinstance(finding.sure, Sure) else ""
    return Explanation(text(getattr(probe, "WHY", {})), sure, text(getattr(probe, "PROOF", {})))


def contradiction(finding: Finding, language: Language) -> str:
    """Which observation contradicts a finding; empty where none does."""
    against = finding.contradicted
    if against is None:
        return ""
    probe = loaded(against.probe)
    known = probe is not None and against.code in probe.MESSAGES
    said = message(probe, against.code, against.data, language) if known else against.code
    level = CONTRADICTED[against.level.value][language.value]
    return word(CONTRADICTED, "contradicted", language, level=level, probe=against.probe, message=said)


def suppression(finding: Finding, language: Language) -> str:
    """Who set a finding aside, and why; empty where nobody did."""
    told = finding.suppressed
    if told is None:
        return ""
    level = CONTRADICTED.get(told.level.value, {}).get(language.value, told.level.value)
    return word(CONTRADICTED, told.kind, language, level=level, reason=told.reason)


def discounted(finding: Finding, language: Language) -> str:
    """Why a finding does not count; empty where it does."""
    return " ".join(filter(None, [contradiction(finding, language), suppression(finding, language)]))


def reason_text(name: str, reason: Reason, language: Language) -> str:
    """The words of a reason: of REASONS, of the errors, or of the probe."""
    from .errors import WORDS

    data = _spoken(reason.data, language)
    if reason.code == "missing-input":
        data["keys"] = _lacking(reason.data.get("keys", ()), language)
    for words in (REASONS, WORDS):
        if reason.code in words:
            return word(words, reason.code, language, **data)
    return word(load(name).MESSAGES, reason.code, language, **data)


def _lacking(needs: Sequence[str] | str, language: Language) -> str:
    """Needs as `missing` tells them, in words: "a or b, and c"."""
    either, both = (" 或 ", "、") if language is Language.ZH else (" or ", ", and ")
    return both.join(need.replace(" | ", either) for need in ([needs] if isinstance(needs, str) else needs))


def _spoken(data: dict[str, Any], language: Language) -> dict[str, Any]:
    """Data with {"zh":..., "en":...} values replaced by the one language, and lists joined."""
    spoken = {}
    for key, value in data.items():
        if isinstance(value, dict) and set(value) == {"zh", "en"}:
            value = value[language.value]
        elif isinstance(value, (list, tuple)):
            value = listed([str(entry) for entry in value], language)
        spoken[key] = value
    return spoken
