"""The learning rate range test as a command: runs it on the project's network, keeps its curve, and says what it shows.

The bounds are those of the probe lr_range, which reads the curve as any other.
"""

from __future__ import annotations

import errno
import math
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from .case import Call, Case
from .errors import SaveError, UserError, from_os_error
from .language import Words, word
from .model import Finding, Language, Level
from .store import open_own, require_outside_links, write_atomically

if TYPE_CHECKING:
    from .script.settings import Settings

#: Where the curve goes when curves.lr_test names no place.
DEFAULT = "logs/lr_range.csv"
#: How the name of a curve ends while the test runs.
UNENDED = ".partial"
#: A test may take long: it ends with its steps, or when it is interrupted.
SECONDS = 1e7
_MOMENTUM: dict[str, Any] = {"momentum": 0.9}
#: What else an optimizer of the script is given, where its value stands there.
_SETTINGS = ("momentum", "weight_decay", "beta1", "beta2", "eps", "use_nesterov", "nesterov", "dampening")

WORDS: Words = {
    "from-case": {"en": "accucheck.yaml", "zh": "accucheck.yaml"},
    "from-script": {
        "en": "as created in {place}; optimizer in accucheck.yaml overrides it",
        "zh": "与 {place} 一致；可用 accucheck.yaml 的 optimizer 另行指定",
    },
    "from-nowhere": {
        "en": "accucheck's default; bounds hold for one optimizer only, so name yours as optimizer in accucheck.yaml",
        "zh": "accucheck 的默认值；上下限只对所用的优化器有效，请在 accucheck.yaml 的 optimizer 中写明实际使用的优化器",
    },
    "phase": {
        "en": "phase: {phase}, the first one in accucheck.yaml; the others are not tested: {others}",
        "zh": "阶段：{phase}（accucheck.yaml 中的第一个）；其余阶段未测试：{others}",
    },
    "begins": {
        "en": "optimizer: {optimizer} ({origin})\nrates: {begin:g} to {end:g}, {scale}",
        "zh": "优化器：{optimizer}（{origin}）\n学习率：{begin:g} 至 {end:g}，{scale}",
    },
    "exponential": {"en": "rising by a factor each step", "zh": "逐步按倍数增大"},
    "linear": {"en": "rising by an amount each step", "zh": "逐步按等量增大"},
    "building": {"en": "building network and data", "zh": "正在构建网络和数据"},
    "step": {
        "en": "step {step:,}/{steps:,}  rate {lr:.3g}  loss {loss:.4g}{accuracy}",
        "zh": "第 {step:,}/{steps:,} 步  学习率 {lr:.3g}  loss {loss:.4g}{accuracy}",
    },
    "accuracy": {"en": "  accuracy {accuracy:.3f}", "zh": "  准确率 {accuracy:.3f}"},
    "not-finite": {
        "en": "stopped at step {step:,} of {steps:,}: the loss is not a finite number at a rate of {lr:.3g}",
        "zh": "在第 {step:,} 步（共 {steps:,} 步）停止：学习率为 {lr:.3g} 时 loss 不再是有限数值",
    },
    "diverged": {
        "en": "stopped at step {step:,} of {steps:,}: the loss diverges at a rate of {lr:.3g}",
        "zh": "在第 {step:,} 步（共 {steps:,} 步）停止：学习率为 {lr:.3g} 时 loss 已发散",
    },
    "interrupted": {
        "en": "interrupted at step {step:,} of {steps:,}; what was recorded is kept",
        "zh": "在第 {step:,} 步（共 {steps:,} 步）中断，已记录的内容已保存",
    },
    "broken": {
        "en": "ended by an error after step {step:,} of {steps:,}; what was recorded is kept",
        "zh": "在第 {step:,} 步（共 {steps:,} 步）之后因错误结束，已记录的内容已保存",
    },
    "restored": {
        "en": "weights and optimizer state are as before (checked by digest); no file but this one was written",
        "zh": "权重和优化器状态已恢复，摘要核对一致；除该文件外没有写入其他文件",
    },
    "not-restored": {
        "en": "weights or optimizer state could not be put back; they were in a process that has ended, your files are unchanged",
        "zh": "权重或优化器状态未能完全恢复；它们只存在于已结束的子进程中，您的文件没有变动",
    },
    "no-accuracy": {
        "en": "no accuracy: it takes scores of shape (N, classes) and N integer labels; the loss is judged",
        "zh": "没有准确率：需要形状为 (N, 类别数) 的输出和 N 个整数标签；改为依据 loss 判断",
    },
    "keep": {
        "en": "for accucheck run and the walkthrough, add to accucheck.yaml:\ncurves: {{lr_test: {path}}}",
        "zh": "要在 accucheck run 和向导中使用，请在 accucheck.yaml 中加入：\ncurves: {{lr_test: {path}}}",
    },
}


class Plan(NamedTuple):
    """Rates from `begin` to `end`, and in how many steps; None: by the size of the data."""

    begin: float
    end: float
    steps: int | None
    exponential: bool


#: Step, rate, loss, and accuracy or None.
Row = tuple[int, float, float, float | None]


@dataclass
class Recording:
    """What came of a test. `ended`: "not-finite", "diverged", "interrupted", "broken"
    or "" for the whole of its `steps`. `restored`: whether weights and state were as before; None when that was not reached."""

    rows: list[Row] = field(default_factory=list)
    steps: int = 0
    ended: str = ""
    restored: bool | None = None
    error: UserError | None = None


def command(
    case: Case,
    plan: Plan,
    output: Path | None,
    *,
    force: bool,
    language: Language,
    say: Callable[[str], None],
    talk: Callable[[str], None],
    progress: Callable[[str], None],
) -> tuple[Recording, list[Finding]]:
    """Run the test, write its curve, say what it shows: `say` gets the results, `talk` the rest, line by line.

    The rows that were recorded are written also when the test is interrupted or fails. Raises UserError for what the case
    lacks, before anything runs, and for what the project's code did wrong; SaveError when the curve cannot be written.
    """

    def words(key: str, **data: Any) -> str:
        return word(WORDS, key, language, **data)

    target = target_of(case, output)
    require_outside_links(target)
    if target.exists() and not force:
        raise UserError("lr-range-exists", path=str(target))
    case, text = _in_first_phase(case, words)
    if text:
        talk(text)
    optimizer, origin, place = optimizer_of(case)
    # Its rate is that of the test.
    arguments = [f"{name}={value}" for name, value in optimizer.args.items() if name not in ("lr", "learning_rate")]
    shown = f"{optimizer.call}({', '.join(arguments)})"
    text = words(
        "begins",
        optimizer=shown,
        origin=words(origin, place=place),
        begin=plan.begin,
        end=plan.end,
        scale=words("exponential" if plan.exponential else "linear"),
    )
    for line in text.splitlines():
        talk(line)
    progress(words("building"))

    def step(recording: Recording) -> None:
        number, rate, loss, accuracy = recording.rows[-1]
        part = "" if accuracy is None else words("accuracy", accuracy=accuracy)
        progress(words("step", step=number, steps=recording.steps, lr=rate, loss=loss, accuracy=part))

    with _growing(target) as grow:

        def recorded(recording: Recording) -> None:
            grow(recording.rows[-1])
            step(recording)

        recording = record(case, plan, optimizer, recorded)
        progress("")
        if not recording.rows:
            if recording.error is not None:
                raise recording.error
            return recording, []
        write(recording, target)
    if recording.ended:
        last = recording.rows[-1]
        talk(words(recording.ended, step=last[0], steps=recording.steps, lr=last[1]))
    if recording.restored is not None:
        talk(words("restored" if recording.restored else "not-restored"))
    if recording.rows[0][3] is None:
        talk(words("no-accuracy"))
    say(str(target))
    findings = judged(case, target)
    for line in _lines(findings, language):
        say(line)
    if target.resolve() not in [path.resolve() for path in case.paths("curves.lr_test")]:
        for line in words("keep", path=case.relative(target)).splitlines():
            say(line)
    if recording.error is not None:
        raise recording.error
    return recording, findings


def _in_first_phase(case: Case, words: Callable[..., str]) -> tuple[Case, str]:
    """The case as it is in its first phase, and what to say of that; as it is where there are none. Raises UserError."""
    from .probe import Skip
    from .probes._live import phases_of

    try:
        (name, first), *others = phases_of(case)
    except Skip as skip:
        raise UserError("lr-range-needs", keys=", ".join(skip.reason.data["keys"])) from None
    return first, name and words("phase", phase=name, others=", ".join(other for other, _ in others) or "-")


def target_of(case: Case, output: Path | None) -> Path:
    """Where the curve goes: what is asked for, else where the case says that it lies."""
    return output.absolute() if output is not None else next(iter(case.paths("curves.lr_test")), case.path(DEFAULT))


def optimizer_of(case: Case) -> tuple[Call, str, str]:
    """The optimizer of the test, the key of WORDS that says where it is from, and the place in the script.

    What the case names; else what the training scripts create, where that is one class of MindSpore's; else Momentum.
    """
    if case.spec.optimizer is not None:
        return case.spec.optimizer, "from-case", ""
    if case.get("scripts.train"):
        from .script.analysis import read_scripts
        from .script.settings import of_scripts

        made = [one for settings in of_scripts(read_scripts(case), None) for one in _made(settings)]
        if len({call.call for call, _ in made}) == 1:
            return made[0][0], "from-script", made[0][1]
    return Call("mindspore.nn:Momentum", _MOMENTUM), "from-nowhere", ""


def _made(settings: Settings) -> list[tuple[Call, str]]:
    """The optimizers of a script as calls, each with its place; one of the project's own has no module that could be called."""
    found = []
    for place, called, bound in settings.optimizers():
        module, _, name = called.rpartition(".")
        args: dict[str, Any] = dict(_MOMENTUM) if name == "Momentum" else {}
        for key in _SETTINGS:
            row = settings.setting(key, bound[key], place, None) if key in bound else None
            if row is not None and row.known and row.number is not None and math.isfinite(row.number):
                args[key] = bool(row.number) if "nesterov" in key else row.number
        if "lr" in bound:
            args["lr"] = 0.0  # tells which of both names the class uses
        source = f"{place.source.path}:{place.line}" if place.source is not None else ""
        found.append((Call(f"mindspore.{module}:{name}" if module else name, args), source))
    return found if all(":" in call.call for call, _ in found) else []


def record(case: Case, plan: Plan, optimizer: Call, show: Callable[[Recording], None]) -> Recording:
    """Run the test in a process under runtime.python. What was recorded before an interruption or an error is in the result.

    Raises UserError for what the case lacks.
    """
    from .live.child import events
    from .probe import Skip
    from .probes._live import network_of

    lacking = [key for key in ("network", "pipelines.train") if case.get(key) is None]
    if lacking:
        raise UserError("lr-range-needs", keys=", ".join(lacking))
    argument = "lr" if "lr" in optimizer.args else "learning_rate"
    request = {
        **network_of(case),
        "optimizer": {"call": optimizer.call, "args": optimizer.args},
        "argument": argument,
        **plan._asdict(),
    }
    recording = Recording()
    try:
        with closing(events(case, "lr_range", request, SECONDS)) as told:  # type: ignore[type-var]
            for event in told:
                if event["event"] == "planned":
                    recording.steps = event["steps"]
                elif event["event"] == "step":
                    recording.rows.append((event["step"], event["lr"], event["loss"], event["accuracy"]))
                    show(recording)
                elif event["event"] == "stopped":
                    recording.ended = event["why"]
                elif event["event"] == "restored":
                    recording.restored = event["same"]
    except KeyboardInterrupt:
        recording.ended = "interrupted"
    except Skip:
        raise
    except UserError as error:
        recording.ended, recording.error = "broken", error
    return recording


def write(recording: Recording, target: Path) -> None:
    """The curve as CSV: step, lr, loss and, where there is one, accuracy. Raises SaveError."""
    whole = recording.rows[0][3] is not None
    write_atomically(target, "".join([_csv_head(whole), *(_csv_line(row, whole) for row in recording.rows)]).encode())


def _csv_head(whole: bool) -> str:
    return "step,lr,loss,accuracy\n" if whole else "step,lr,loss\n"


def _csv_line(row: Row, whole: bool) -> str:
    step, rate, loss, accuracy = row
    last = "" if not whole else "," if accuracy is None else f",{accuracy:.6g}"
    return f"{step},{rate:.9g},{loss:.9g}{last}\n"


@contextmanager
def _growing(target: Path) -> Iterator[Callable[[Row], None]]:
    """A function that adds a row to a file beside `target`, which is gone when the block ends well, or with nothing recorded: a test
    may take hours, and what is killed writes no curve. Raises SaveError where nothing can be written."""
    path, rows = target.with_name(target.name + UNENDED), 0
    made = [folder for folder in target.parents if not folder.exists()]
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        stream = open(path, "wb", buffering=0, opener=open_own)  # noqa: SIM115
        try:
            stream.write(_csv_head(True).encode())
        except OSError:
            stream.close()
            path.unlink()
            raise
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise SaveError("own-link", path=str(path)) from None
        raise from_os_error(error, target.parent, SaveError) from None

    def grow(row: Row) -> None:
        nonlocal rows
        rows += 1
        with suppress(OSError):  # a full disk: whoever writes the curve at the end says so
            stream.write(_csv_line(row, True).encode())

    try:
        yield grow
        rows = 0
    finally:
        stream.close()
        if not rows:
            with suppress(OSError):
                path.unlink()
                for folder in made:  # those that are empty still: nothing was recorded
                    folder.rmdir()


def judged(case: Case, target: Path) -> list[Finding]:
    """What the probe lr_range says of the curve."""
    from .probes import lr_range

    curves = msgspec.structs.replace(case.spec.curves, lr_test=str(target))
    spec = msgspec.structs.replace(case.spec, curves=curves)
    found = lr_range.run(msgspec.structs.replace(case, spec=spec), lr_range.Params())
    return [event for event in found if isinstance(event, Finding)]


def _lines(findings: list[Finding], language: Language) -> list[str]:
    from .probe import message
    from .probes import lr_range

    lines = []
    for finding in findings:
        lines.append(message(lr_range, finding.code, finding.data, language))
        if finding.fix is not None and finding.level is not Level.INFO:
            lines.append("→ " + message(lr_range, finding.fix.message, finding.data, language))
    return lines
