"""Reads from the scripts whether networks train in training mode and are evaluated in inference mode.

Catches: a loop of one's own that never calls set_train, set_train(False) before training, an evaluation in the loop or a
callback after which nothing switches back, evaluation in training mode, dropout functions that the mode does not reach, batch
statistics used at inference. Knows that Model switches by itself and that a new cell is in inference mode. Cannot tell:
training in functions that nobody is seen to call. Never imports or runs the scripts.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Progress, Sure, Verdict, Where
from ..probe import Example
from ..script.syntax import stored, unparse, walk
from . import _gaps, _grades, _second_place, _seen

if TYPE_CHECKING:
    from ..script.analysis import Reading
    from ..script.modes import Account, Event, ModeFault
    from ..script.own_flags import LeftOn
    from ..script.source import Source
    from ..script.values import Call, Frame, Value

KIND = Kind.STATIC
NEEDS: tuple[str | tuple[str, ...], ...] = (("scripts.train", "scripts.eval", "scripts.infer"),)


class Params(msgspec.Struct, frozen=True):
    pass


MESSAGES: Words = {
    **_gaps.MESSAGES,
    **_seen.MESSAGES,
    "no-set-train": {
        "en": "This loop trains {network} but nothing has called set_train() by then: a new cell is in inference mode, with {layers} as at "
        "inference.",
        "zh": "这里训练 {network}，但此前没有任何地方调用 set_train()：Cell 创建后处于推理模式，{layers} 会按推理方式工作。",
    },
    "no-set-train-plain": {
        "en": "This loop trains {network} but nothing has called set_train() by then. No layer was found in it that behaves differently in "
        "training.",
        "zh": "这里训练 {network}，但此前没有任何地方调用 set_train()。其中未发现随模式改变行为的层。",
    },
    "no-set-train-unknown": {
        "en": "This loop trains {network} but nothing has called set_train() by then; which layers it has cannot be seen here.",
        "zh": "这里训练 {network}，但此前没有任何地方调用 set_train()；从脚本中看不出它包含哪些层。",
    },
    "set-to-inference": {
        "en": "{call} puts {network} into inference mode, and line {line} of {path} then trains it.",
        "zh": "{call} 把 {network} 切到推理模式，随后 {path} 第 {line} 行却在训练它。",
    },
    "inference-chosen": {
        "en": "This set_train gets False from an expression and puts {network} into inference mode, and line {line} of {path} then "
        "trains it.",
        "zh": "此处 set_train 的参数由表达式算得 False，把 {network} 切到推理模式，随后 {path} 第 {line} 行却在训练它。",
    },
    "not-set-back": {
        "en": "{call} puts {network} into inference mode within the training loop, and nothing calls set_train() before line {line} of "
        "{path} trains on.",
        "zh": "训练循环中的 {call} 把 {network} 切到推理模式，在 {path} 第 {line} 行继续训练之前没有调用 set_train() 切回。",
    },
    "evaluated-in-training": {
        "en": "{network} is evaluated here in training mode: line {line} of {path} switched it on, and nothing calls set_train(False) "
        "after that.",
        "zh": "此处在训练模式下评估 {network}：{path} 第 {line} 行切到训练模式后，没有再调用 set_train(False)。",
    },
    "evaluated-perhaps": {
        "en": "{network}, which no training step trains, is switched to training mode at line {line} of {path} and runs here between "
        "training steps; where that evaluates it, the mode is wrong.",
        "zh": "没有任何训练步训练 {network}，它在 {path} 第 {line} 行被切到训练模式，并在训练步之间于此处运行；如果这是评估，模式就不对。",
    },
    "evaluated-by-batch": {
        "en": "{network} is evaluated here in training mode (line {line} of {path}); its BatchNorm has no scale and shift and may "
        "serve as an InstanceNorm, which needs that.",
        "zh": "此处在训练模式下评估 {network}（{path} 第 {line} 行）；其中的 BatchNorm 没有缩放和平移参数，可能是用来代替 InstanceNorm，"
        "那样就需要训练模式。",
    },
    "callback-leaves-inference": {
        "en": "This callback puts {network} into inference mode during training, and nothing in it switches back.",
        "zh": "该回调在训练途中把 {network} 切到推理模式，之后没有切回。",
    },
    "callback-may-leave-inference": {
        "en": "This callback puts {network} into inference mode during training; whether it is switched back depends on a condition, or "
        "on the sink mode of Model.train.",
        "zh": "该回调在训练途中把 {network} 切到推理模式；之后是否切回取决于某个条件，或取决于 Model.train 是否为下沉模式。",
    },
    "always-drops": {
        "en": "{function} is called without training=: it also drops at inference, whatever set_train says.",
        "zh": "调用 {function} 时没有传 training=：无论 set_train 如何设置，推理时也会丢弃。",
    },
    "flag-left-on": {
        "en": "{function} depends on self.{flag}, which is still on when {network} is evaluated ({at}): set_train does not change it.",
        "zh": "{function} 由 self.{flag} 控制，而评估 {network} 时它仍为开启（{at}）：set_train 影响不到它。",
    },
    "batch-statistics": {
        "en": "{layer} has use_batch_statistics=True (at {count} {count:place|places}): in inference, too, it uses the statistics of "
        "the current batch and updates its own.",
        "zh": "{layer} 设置了 use_batch_statistics=True（共 {count} 处）：推理时也使用当前 batch 的统计量，并继续更新。",
    },
    "fixed-statistics": {
        "en": "{layer} has use_batch_statistics=False (at {count} {count:place|places}), even while training: it always uses its "
        "initial moving statistics, 0 and 1, and never updates them.",
        "zh": "{layer} 设置了 use_batch_statistics=False（共 {count} 处），训练时也不例外：它始终使用创建时的滑动统计量 0 和 1，从不更新。",
    },
    "trains": {
        "en": "{network} is in training mode when it trains here.",
        "zh": "{network} 在此处训练时处于训练模式。",
    },
    "by-model": {
        "en": "{call} switches the mode of its network by itself.",
        "zh": "{call} 会自行切换网络的模式。",
    },
    "runs-in-training": {
        "en": "{network} runs here between training steps, in training mode; whether that evaluates it cannot be seen.",
        "zh": "{network} 在训练步之间以训练模式运行，看不出这里是否在做评估。",
    },
    "evaluates": {"en": "Evaluated in inference mode: {network}.", "zh": "在推理模式下评估：{network}。"},
    "mode-unseen": {
        "en": "Which mode the network trains in cannot be seen from the scripts: training, or the code that switches the mode, is "
        "called or selected by code that was not found.",
        "zh": "从脚本中看不出训练时处于何种模式：训练过程或切换模式的代码由何处调用或选中，在此处看不到。",
    },
    "no-training": {
        "en": "No training with MindSpore was found in {path}, by Model or by a loop.",
        "zh": "在 {path} 中没有找到用 MindSpore 训练的代码，既没有 Model，也没有训练循环。",
    },
    "no-evaluation": {
        "en": "No evaluation or inference with MindSpore was found in {path}.",
        "zh": "在 {path} 中没有找到用 MindSpore 评估或推理的代码。",
    },
    "fix-switch-on": {
        "en": "Call set_train() on the network at the start of each epoch.",
        "zh": "在每个 epoch 开始时对网络调用 set_train()。",
    },
    "fix-true": {"en": "Pass True here, or nothing.", "zh": "此处改为 True，或不传参数。"},
    "fix-false": {"en": "Pass False here.", "zh": "此处改为 False。"},
    "fix-switch-off": {
        "en": "Call set_train(False) on the network before evaluating it.",
        "zh": "评估之前对网络调用 set_train(False)。",
    },
    "fix-back": {
        "en": "Call set_train(True) again when the evaluation is over.",
        "zh": "评估结束后再调用 set_train(True)。",
    },
    "fix-training": {"en": "Pass training=self.training.", "zh": "传入 training=self.training。"},
    "fix-statistics": {"en": "Leave use_batch_statistics out.", "zh": "去掉 use_batch_statistics。"},
}
WORDS: Words = _grades.WORDS

_INFERENCE = {
    "en": "In inference mode Dropout does nothing, and BatchNorm uses its moving mean and variance and never updates them: the network "
    "trains without its regularisation, and the statistics used in evaluation are wrong.",
    "zh": "推理模式下 Dropout 不起作用，BatchNorm 使用滑动均值和方差且从不更新：训练缺少了应有的正则化，"
    "之后评估所用的统计量也是错的。",
}
_TRAINING = {
    "en": "In training mode Dropout keeps dropping, and BatchNorm normalises by the current batch and updates its moving statistics: "
    "results depend on chance and on the batch, and usually understate the network.",
    "zh": "训练模式下 Dropout 仍在丢弃，BatchNorm 按当前 batch 归一化并更新滑动统计量：结果受随机性和 batch 影响，"
    "通常比网络的真实水平差。",
}
_NOTHING = {
    "en": "If the network does hold Dropout, BatchNorm or a branch on self.training, they behave as at inference all through "
    "training.",
    "zh": "如果网络中确有 Dropout、BatchNorm 或依赖 self.training 的分支，它们在整个训练过程中都会按推理方式工作。",
}
WHY: Words = {
    "no-set-train": _INFERENCE,
    "no-set-train-plain": _NOTHING,
    "no-set-train-unknown": _NOTHING,
    "set-to-inference": _INFERENCE,
    "inference-chosen": _INFERENCE,
    "not-set-back": _INFERENCE,
    "callback-leaves-inference": _INFERENCE,
    "callback-may-leave-inference": _INFERENCE,
    "evaluated-in-training": _TRAINING,
    "evaluated-perhaps": _TRAINING,
    "evaluated-by-batch": _TRAINING,
    "always-drops": {
        "en": "The function's own default is training=True and set_train does not reach it: predictions are random and worse.",
        "zh": "该函数的默认值是 training=True，set_train 对它不起作用：预测带有随机性，精度变差。",
    },
    "flag-left-on": {
        "en": "Evaluation then drops activations at random as training does: results differ from run to run and understate the network.",
        "zh": "评估时会像训练一样随机丢弃：每次结果不同，且比网络的真实水平差。",
    },
    "batch-statistics": {
        "en": "A prediction then depends on the other samples in its batch, and small batches have poor statistics.",
        "zh": "预测结果会受同一 batch 中其他样本的影响，batch 较小时统计量也不可靠。",
    },
    "fixed-statistics": {
        "en": "The layer normalises nothing: training behaves as if it were missing, and converges slowly or not at all.",
        "zh": "该层没有起到归一化作用：训练如同没有这一层，收敛变慢甚至不收敛。",
    },
}
_PRINT = {
    "en": "Print network.training right before line {run} of {run_path} runs the network.",
    "zh": "在 {run_path} 第 {run} 行运行网络之前打印 network.training。",
}
_AFTER = {
    "en": "Print network.training in the first step after this callback has run.",
    "zh": "在该回调执行之后的第一个训练 step 打印 network.training。",
}
PROOF: Words = {
    **dict.fromkeys(WHY, _PRINT),
    **dict.fromkeys(("callback-leaves-inference", "callback-may-leave-inference"), _AFTER),
    "always-drops": {
        "en": "Call set_train(False) and run the network twice on one input: the outputs differ.",
        "zh": "调用 set_train(False) 后，用同一输入运行网络两次：两次输出不同。",
    },
    "flag-left-on": {
        "en": "Evaluate twice with the same weights and data: the results differ.",
        "zh": "用相同的权重和数据评估两次：结果不同。",
    },
    "batch-statistics": {
        "en": "Evaluate one sample alone and within two different batches: its outputs differ.",
        "zh": "把同一样本单独评估，再放入两个不同的 batch 中评估：输出不同。",
    },
    "fixed-statistics": {
        "en": "Print moving_mean and moving_variance of the layer after some steps: they are still 0 and 1.",
        "zh": "训练若干步后打印该层的 moving_mean 和 moving_variance：仍然是 0 和 1。",
    },
}

#: What scripts that give a network weights, and statistics with them, mention.
_LOADS = ("load_checkpoint", "load_param", "pretrained", "set_data")
_LEVELS = {
    "no-set-train": Level.PROBLEM,
    "no-set-train-plain": Level.SUSPECT,
    "no-set-train-unknown": Level.SUSPECT,
    "set-to-inference": Level.PROBLEM,
    "inference-chosen": Level.SUSPECT,
    "not-set-back": Level.PROBLEM,
    "evaluated-in-training": Level.PROBLEM,
    "evaluated-perhaps": Level.SUSPECT,
    "evaluated-by-batch": Level.SUSPECT,
    "callback-leaves-inference": Level.PROBLEM,
    "callback-may-leave-inference": Level.SUSPECT,
}
_FIXES = {
    "no-set-train": "fix-switch-on",
    "no-set-train-plain": "fix-switch-on",
    "no-set-train-unknown": "fix-switch-on",
    "set-to-inference": "fix-true",
    "not-set-back": "fix-switch-on",
    "evaluated-in-training": "fix-switch-off",
    "evaluated-perhaps": "fix-switch-off",
    "evaluated-by-batch": "fix-switch-off",
    "inference-chosen": "fix-switch-on",
    "callback-leaves-inference": "fix-back",
    "callback-may-leave-inference": "fix-back",
}
#: Dropout as a function or operator: nothing in them follows the mode of a cell.
_FUNCTIONS = {
    "ops.dropout",
    "ops.dropout1d",
    "ops.dropout2d",
    "ops.dropout3d",
    "mint.nn.functional.dropout",
    "mint.nn.functional.dropout2d",
}
_CONSTRUCT = ("construct", "forward")
#: What a condition about the mode speaks of.
_MODE = re.compile(r"train|infer|eval|test|phase|mode", re.IGNORECASE)
#: Places of one kind that are told, and cells that are named in one message.
MOST, MOST_NAMED = 100, 4


@_grades.by_road
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..script.analysis import read_scripts
    from ..script.modes import Replay
    from ..script.own_flags import examine

    scripts = read_scripts(case)
    yield from _gaps.findings(scripts)
    readings = scripts.readings
    told: dict[tuple[str, str, int], Finding] = {}
    accounts: list[tuple[Reading, Account]] = []
    evaluated = any(reading.role in ("eval", "infer") for reading in readings)
    for number, reading in enumerate(readings, 1):
        found: list[Finding] = []
        if reading.role != "export":
            account = Replay(reading.trace, reading.role != "train", reading.view).run()
            accounts.append((reading, account))
            evaluated |= bool(account.runs) or any(not model.mode for model in account.models)
            found += _of_reading(reading, account) if not _is_second(reading) else _of_evaluation(reading, account)
        found += _of_layers(reading, evaluated)
        if not scripts.mentions(*_LOADS):
            found += _of_fixed_statistics(reading)
        before = len(told)
        for finding in found:
            told.setdefault((finding.code, finding.where.path or "", finding.where.line or 0), finding)
        yield from list(told.values())[before:]
        yield Progress(number, len(readings), "files")
    yield from map(_of_flag, examine(scripts, accounts, _FUNCTIONS))
    yield from _seen.networks(scripts)


def _is_second(reading: Reading) -> bool:
    """Whether it is what a training script does where its flags ask for an evaluation instead."""
    return reading.role == "train" and reading.view == "eval"


def _of_evaluation(reading: Reading, account: Account) -> Iterator[Finding]:
    """What a training script evaluates where its flags ask for that; how it trains is told where they do not."""
    faults = [fault for fault in account.faults if fault.code.startswith("evaluated")]
    for fault in faults[:MOST]:
        yield _of_fault(fault, [])
    if account.runs:
        yield from _of_runs(reading, account, {id(fault.event) for fault in faults}, bool(account.models))


def _of_flag(one: LeftOn) -> Finding:
    call, cell, event = one.dropout.call, one.dropout.cell, one.evaluation
    at = _second_place.beside(call, event)
    data = {"function": call.api, "flag": one.dropout.flag, "network": cell.of.node.name, "at": at}
    where, evidence = Where(path=call.source.path, line=call.line), [call.source.code(call.line)]
    return Finding("flag-left-on", Level.PROBLEM, where, data, [*evidence], Fix("fix-training"), sure=Sure.LIKELY)


def _of_reading(reading: Reading, account: Account) -> Iterator[Finding]:
    for fault in account.faults[:MOST]:
        yield _of_fault(fault, _layers_of_project(reading, fault) if fault.code == "no-set-train-unknown" else [])
    trains = reading.role == "train"
    by_model = [model for model in account.models if model.mode is trains]
    for model in by_model[:MOST_NAMED]:
        yield _info("by-model", model.source, model.line, {"call": model.how})
    wrong = {id(fault.event) for fault in account.faults} | account.inference
    yield from (_of_steps if trains else _of_runs)(reading, account, wrong, bool(by_model))


def _of_steps(reading: Reading, account: Account, wrong: set[int], by_model: bool) -> Iterator[Finding]:
    """The training steps but for those that are told as wrong."""
    known = [step for step in account.steps if id(step) not in account.unknown]
    for step in known[:MOST]:
        if id(step) not in wrong:
            yield _info("trains", step.source, step.line, {"network": _names(step.tops)})
    for event in [*account.unclear.values()][:MOST]:
        yield _info("runs-in-training", event.source, event.line, {"network": _names(event.cells)}, incomplete=True)
    if account.steps and not known and not by_model and not account.faults:
        step = account.steps[0]
        yield _info("mode-unseen", step.source, step.line, {}, incomplete=True)
    elif not account.steps and not by_model:
        yield _info("no-training", reading.source, None, {"path": reading.source.path}, incomplete=True)


def _of_runs(reading: Reading, account: Account, wrong: set[int], by_model: bool) -> Iterator[Finding]:
    """What an evaluation runs but for what is told as wrong."""
    runs = [event for event in account.runs if id(event) not in wrong]
    if runs:
        cells = {id(cell): cell for event in runs for cell in event.cells}
        yield _info("evaluates", runs[0].source, runs[0].line, {"network": _names(list(cells.values()))})
    elif not by_model and not account.faults:
        yield _info("no-evaluation", reading.source, None, {"path": reading.source.path}, incomplete=True)


def _info(code: str, source: Source, line: int | None, data: dict[str, Any], incomplete: bool = False) -> Finding:
    evidence = [source.code(line)] if line else []
    return Finding(code, Level.INFO, Where(path=source.path, line=line), data, [*evidence], incomplete=incomplete)


def _names(cells: list[Value]) -> str:
    """What cells are called, without other objects that are run beside them, as steps of the data."""
    from ..script.modes import called
    from ..script.networks import is_cell
    from ..script.values import Instance

    networks = [cell for cell in cells if not isinstance(cell, Instance) or is_cell(cell.of)]
    shown = list(dict.fromkeys(called(cell) for cell in networks or cells))
    return ", ".join(shown[:MOST_NAMED]) + (", …" if len(shown) > MOST_NAMED else "") or "?"


def _layers_of_project(reading: Reading, fault: ModeFault) -> list[str]:
    """The layers that depend on the mode in the project's files, when its network is picked in a way that is not followed and
    nothing in any file calls set_train."""
    from ..knowledge import api
    from ..script import imported_calls
    from ..script.values import Call

    sources = [source for source in reading.project.sources.values() if source is not None]
    elsewhere = any(isinstance(cell, Call) and "." in cell.name[1:] for cell in fault.layers)
    if elsewhere or any("set_train" in line for source in (*sources, reading.source) for line in source.lines):
        return []
    names = dict.fromkeys(call.api for source in sources for call in imported_calls.calls(source))
    return [name for name in names if (known := api.find(name)) is not None and known.modes]


def _of_fault(fault: ModeFault, layers: list[str]) -> Finding:
    """`layers`: those of the project, where the ones of the network are not seen."""
    event, cause = fault.event, fault.cause
    code = "no-set-train" if layers else fault.code
    at = event if cause is None or fault.code.startswith("evaluated") else cause
    other = event if cause is None or at is cause else cause
    shown = {
        "network": _names(event.tops or event.cells or fault.layers),
        "layers": ", ".join(layers[:MOST_NAMED]) or _names(fault.layers),
        "call": _written(cause) if cause else "",
        "line": other.line,
        "path": other.source.path,
        "run": event.line,
        "run_path": event.source.path,
    }
    level = Level.SUSPECT if fault.plain else _LEVELS[code]
    evidence = [at.source.code(at.line, min(at.last, at.line + 3))]
    if (other.source.path, other.line) != (at.source.path, at.line):
        evidence.append(other.source.code(other.line, min(other.last, other.line + 3)))
    where = Where(path=at.source.path, line=at.line)
    return Finding(code, level, where, shown, [*evidence], _fix(fault, code), sure=_sure(fault, level))


def _written(cause: Event) -> str:
    """The call that set the mode, as it is written."""
    name = getattr(cause.place, "name", "")
    if cause.how != "set_train":
        return cause.how
    return f"set_train({cause.mode})" if name == ".set_train" else f"{name[1:]}()"


def _sure(fault: ModeFault, level: Level) -> Sure:
    if level is Level.SUSPECT:
        return Sure.POSSIBLE
    conditional = fault.event.tests or (fault.cause and fault.cause.tests)
    likely = conditional or fault.code == "evaluated-in-training" or not any(map(_decides, fault.layers))
    return Sure.LIKELY if likely else Sure.CERTAIN


def _fix(fault: ModeFault, code: str) -> Fix:
    """The mend of a fault that is told under a code: by turning the switch that is wrong around, or by one more."""
    cause = fault.cause
    if cause is not None and cause.how == "set_train" and fault.code in ("set-to-inference", "evaluated-in-training"):
        wanted = fault.code == "set-to-inference"
        if wanted and _evaluates(cause):  # that switch is right where it is; what is missing is the way back
            return Fix("fix-switch-on", _switch_on(fault))
        diff = _turned(cause, wanted)
        return Fix("fix-false" if diff and not wanted else _FIXES[code], diff)
    fix = _FIXES[code]
    return Fix(fix, _switch_on(fault) if fix == "fix-switch-on" else None)


def _evaluates(cause: Event) -> bool:
    """True for a switch within a function that is named after evaluation."""
    from ..script.training import role

    running = getattr(cause.place, "functions", ())  # of a call; a frame is not a switch
    return any(role([name]) == "eval" for name in running[-1:])


def _decides(layer: Value) -> bool:
    from ..script.modes import depends

    return depends(layer)


def _turned(cause: Event, wanted: bool) -> str | None:
    """The diff that turns the argument of a set_train around, where it is written as a constant on one line."""
    node = cause.place.node
    if not isinstance(node, ast.Call):
        return None
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    if len(given) != 1 or not isinstance(given[0], ast.Constant) or given[0].value is wanted:
        return None
    constant = given[0]
    line = cause.source.lines[constant.lineno - 1].encode()
    new = line[: constant.col_offset] + str(wanted).encode() + line[constant.end_col_offset or 0 :]
    return cause.source.diff(constant.lineno, new.decode())


def _switch_on(fault: ModeFault) -> str | None:
    """The diff that calls set_train() at the start of the epochs' loop, where the network has a name there."""
    event = fault.event
    loop = _loop_of_epochs(fault)
    if loop is None:
        return None
    frame = event.place.frame if not hasattr(event.place, "parent") else event.place.parent
    source = event.source
    while frame is not None and not _encloses(frame.function.node, loop):
        source, frame = frame.source, frame.parent
    if loop not in source.nodes:
        return None
    names = [_name_in(cell, frame, source, loop) for cell in event.tops or event.weights]
    first = loop.body[0]
    alone = source.lines[first.lineno - 1].encode()[: first.col_offset]
    if not names or None in names or alone.strip():
        return None
    indent = alone.decode()
    new = [f"{indent}{name}.set_train()" for name in dict.fromkeys(names)]
    return source.patch([(first.lineno, first.lineno - 1, new)])


def _loop_of_epochs(fault: ModeFault) -> ast.For | ast.While | None:
    """The outermost loop around the step, and around what set the mode."""
    cause = fault.cause
    shared = (loop for loop in fault.event.loops if cause is None or loop in cause.loops)
    return next((loop for loop in shared if isinstance(loop, (ast.For, ast.While))), None)


def _encloses(outer: ast.AST, inner: ast.AST) -> bool:
    return any(part is inner for part in walk(outer))


def _name_in(cell: Value, frame: Frame | None, source: Source, loop: ast.AST) -> str | None:
    """A variable that holds a cell where the loop stands."""
    body: ast.AST = frame.function.node if frame is not None else source.tree
    if frame is not None:
        for name, value in frame.parameters.items():
            if value is cell:
                return name
    bound = getattr(cell, "bound", [])
    line = getattr(loop, "lineno", 0)
    for part in walk(body):
        if isinstance(part, ast.Assign) and part.lineno < line and len(part.targets) == 1:
            target = part.targets[0]
            if isinstance(target, ast.Name) and target.id in bound and getattr(cell, "frame", None) is frame:
                return target.id
    return None


def _of_layers(reading: Reading, evaluated: bool) -> Iterator[Finding]:
    """What the mode does not reach: dropout as a function, batch statistics at inference."""
    from ..script.values import KnownValue

    fixed: dict[int, Call] = {}
    for call in reading.trace.calls:
        if "BatchNorm" in call.last and call.api.startswith("nn."):
            given = call.keywords.get("use_batch_statistics")
            if isinstance(given, KnownValue) and given.value is True:
                fixed.setdefault(id(call.node), call)
        if call.api in _FUNCTIONS and _drops(call) and _in_network(call.frame):
            level = Level.PROBLEM if evaluated else Level.SUSPECT
            yield _of_call(call, "always-drops", level, "fix-training", {"function": call.api})
    for call in list(fixed.values())[:1]:
        data = {"layer": call.api, "count": len(fixed)}
        yield _of_call(call, "batch-statistics", Level.SUSPECT, "fix-statistics", data)


def _of_fixed_statistics(reading: Reading) -> Iterator[Finding]:
    """Layers that normalise by the statistics that they were made with, in a script that trains and loads none."""
    from ..script.analysis import trains
    from ..script.values import is_known, unseen

    if reading.role != "train" or not trains(reading.trace):
        return
    found: dict[int, Call] = {}
    for call in reading.trace.calls:
        given = call.keywords.get("use_batch_statistics") if call.api.startswith("nn.BatchNorm") else None
        of_project = {"moving_mean_init", "moving_var_init"} & call.keywords.keys()
        if is_known(given, False) and not given.assumed and not of_project and not unseen(call.frame):
            found.setdefault(id(call.node), call)
    for call in list(found.values())[:1]:
        data = {"layer": call.api, "count": len(found)}
        yield _of_call(call, "fixed-statistics", Level.PROBLEM, "fix-statistics", data)


def _drops(call: Call) -> bool:
    """True for a dropout function that is not told whether it trains."""
    from ..script.values import KnownValue

    if "training" in call.keywords or len(call.args) > 2 or call.unpacked:
        return False
    rate = call.argument(["input", "p"], "p")
    if isinstance(rate, KnownValue) and rate.value == 0:
        return False
    return not any("train" in condition for condition in call.conditions) and not _asks_mode(call)


def _asks_mode(call: Call) -> bool:
    """True where it is reached on a condition about the mode: around it or left through before it, or the same of a method between
    construct and it. Which way such a condition goes is assumed while a script is followed, so that `call.tests` does not tell it."""
    node, frame = call.node, call.frame
    while frame is not None:
        function = frame.function.node
        for part in walk(function):
            if isinstance(part, (ast.If, ast.IfExp)) and (_encloses(part, node) or _leaves(part, node)):
                told = [part.test, *_given(function, {one.id for one in walk(part.test) if isinstance(one, ast.Name)})]
                if any(_MODE.search(unparse(one)) for one in told):
                    return True
        if frame.function.name in _CONSTRUCT:
            return False
        node, frame = frame.node, frame.parent
    return False


def _leaves(part: ast.If | ast.IfExp, node: ast.AST) -> bool:
    """True for `if ...: return` before a node."""
    before = part.lineno < getattr(node, "lineno", 0)
    return (
        isinstance(part, ast.If) and before and any(isinstance(one, ast.Return) for one in (*part.body, *part.orelse))
    )


def _given(function: ast.AST, names: set[str]) -> Iterator[ast.expr]:
    """What these names are given in a function."""
    for part in walk(function):
        if isinstance(part, ast.Assign) and not names.isdisjoint(stored(part)):
            yield part.value


def _in_network(frame: Frame | None) -> bool:
    from ..script.values import frames_around

    return any(one.function.name in _CONSTRUCT for one in frames_around(frame))


def _of_call(call: Call, code: str, level: Level, fix: str, data: dict[str, Any]) -> Finding:
    source = call.source
    sure = Sure.LIKELY if level is Level.PROBLEM else Sure.POSSIBLE
    where = Where(path=source.path, line=call.line)
    diff = _with_training(call) if fix == "fix-training" else None
    return Finding(code, level, where, data, [source.code(call.line)], Fix(fix, diff), sure=sure)


def _with_training(call: Call) -> str | None:
    """The diff that passes training=self.training, where the call stands in a method on one line."""
    frame, node = call.frame, call.node
    if frame is None or frame.owner is None or frame.function.name not in _CONSTRUCT:
        return None
    if not isinstance(node, ast.Call) or node.lineno != node.end_lineno:
        return None
    first = frame.function.node.args.args
    line = call.source.lines[node.lineno - 1].encode()
    end = (node.end_col_offset or 0) - 1
    if not first or line[end : end + 1] != b")":
        return None
    new = line[:end].rstrip().rstrip(b",") + f", training={first[0].arg}.training".encode() + line[end:]
    return call.source.diff(node.lineno, new.decode())


def _example(name: str, script: str, verdict: Verdict, *codes: str, **files: str) -> Example:
    head = "import mindspore as ms\nfrom mindspore import nn, ops\n"
    given = {"train.py": head + script.lstrip("\n"), **{f"{key}.py": head + text for key, text in files.items()}}
    roles = {role: f"{role}.py" for role in ("train", "eval", "infer") if f"{role}.py" in given}
    return Example(name, files={**given}, case={"scripts": roles}, verdict=verdict, codes=codes)


_NET = """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.bn = nn.BatchNorm2d(8)
        self.drop = nn.Dropout(p=0.1)
        self.fc = nn.Dense(8, 10)

    def construct(self, x):
        return self.fc(self.drop(self.bn(self.conv(x)).mean((2, 3))))

"""
_STEP = (
    _NET
    + """
net = Net()
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)

def forward(x, y):
    return loss_fn(net(x), y)

grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)

def train_step(x, y):
    loss, grads = grad_fn(x, y)
    optimizer(grads)
    return loss

"""
)
_PLAIN = _STEP.replace("self.drop(self.bn(self.conv(x)).mean((2, 3)))", "self.conv(x).mean((2, 3))")
_COPIES = (
    """
import copy

class Block(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(8, 8)
        self.drop = nn.Dropout(p=0.5)

    def construct(self, x):
        return x + self.drop(self.fc(x))

class Stack(nn.Cell):
    def __init__(self, block):
        super().__init__()
        self.blocks = nn.CellList([copy.deepcopy(block) for _ in range(3)])

    def construct(self, x):
        for block in self.blocks:
            x = block(x)
        return x

"""
    + _STEP[_STEP.index("net = ") :]
).replace("net = Net()", "net = Stack(Block())")

_FLAG = """
class Net(nn.Cell):
    def __init__(self, drops=True):
        super().__init__()
        self.dense, self.drops = nn.Dense(8, 2), drops

    def construct(self, x):
        x = self.dense(x)
        return ops.dropout(x, p=0.5, training=self.drops)

ms.Model(Net(), nn.MSELoss(), optimizer).train(1, train_ds)
ms.Model(Net({built}), nn.MSELoss(), metrics={{"mse"}}).eval(val_ds)
"""
EXAMPLES = [
    _example(
        "set_train in every epoch",
        _STEP
        + """
for epoch in range(10):
    net.set_train()
    for x, y in train_ds.create_tuple_iterator():
        train_step(x, y)
""",
        Verdict.OK,
        "trains",
    ),
    _example(
        "a loop without set_train",
        _STEP
        + """
for epoch in range(10):
    for x, y in train_ds.create_tuple_iterator():
        train_step(x, y)
""",
        Verdict.PROBLEM,
        "no-set-train",
    ),
    _example(
        "a function that predicts, of whose result another framework takes the gradient",
        _NET
        + """
net = Net()
net.set_train()

def predict(x):
    return net(x)

for x, y in train_ds.create_tuple_iterator():
    loss = nn.MSELoss()(predict(x), y)
    loss.backward()
""",
        Verdict.UNDECIDED,
        "no-training",
    ),
    Example(
        "a network that is picked by its name, and no set_train anywhere",
        files={
            "train.py": "import mindspore as ms\nfrom mindspore import nn\nfrom src import nets\n"
            + _STEP.replace("net = Net()", "net = nets.__dict__[args.arch](10)").replace(_NET, "")
            + "for x, y in train_ds.create_tuple_iterator():\n    train_step(x, y)\n",
            "src/__init__.py": "",
            "src/nets.py": "from mindspore import nn\n\ndef small(n):\n    return nn.BatchNorm2d(n)\n",
        },
        case={"scripts": {"train": "train.py"}},
        verdict=Verdict.PROBLEM,
        codes=("no-set-train",),
    ),
    _example(
        "set_train inside a helper",
        _STEP
        + """
def train_epoch(network, data):
    network.set_train(True)
    for x, y in data:
        train_step(x, y)

def prepare(network):
    train_epoch(network, train_ds)

for epoch in range(10):
    prepare(net)
""",
        Verdict.OK,
        "trains",
    ),
    _example(
        "set_train on the network with loss, which reaches the network",
        _NET
        + """
net = Net()
with_loss = nn.WithLossCell(net, nn.CrossEntropyLoss())
train_net = nn.TrainOneStepCell(with_loss, nn.SGD(net.trainable_params(), 0.1))
train_net.set_train()
for x, y in train_ds.create_tuple_iterator():
    train_net(x, y)
""",
        Verdict.OK,
        "trains",
    ),
    _example(
        "a training cell without set_train",
        _NET
        + """
net = Net()
with_loss = nn.WithLossCell(net, nn.CrossEntropyLoss())
train_net = nn.TrainOneStepCell(with_loss, nn.SGD(net.trainable_params(), 0.1))
for x, y in train_ds.create_tuple_iterator():
    train_net(x, y)
""",
        Verdict.PROBLEM,
        "no-set-train",
    ),
    _example(
        "Model.train without set_train",
        _NET
        + """
net = Net()
model = ms.Model(net, nn.CrossEntropyLoss(), nn.SGD(net.trainable_params(), 0.1))
model.train(10, train_ds)
""",
        Verdict.OK,
        "by-model",
    ),
    _example(
        "a function that validates within one that trains and validates",
        _STEP
        + """
def train_and_validate(network):
    def validate_batch(x, y):
        return loss_fn(network(x), y)

    for epoch in range(10):
        network.set_train()
        for x, y in train_ds.create_tuple_iterator():
            train_step(x, y)
        for x, y in val_ds.create_tuple_iterator():
            print(validate_batch(x, y))

train_and_validate(net)
""",
        Verdict.PROBLEM,
        "evaluated-in-training",
    ),
    _example(
        "a network that runs between steps and is only printed",
        _STEP
        + """
net.set_train()
for x, y in train_ds.create_tuple_iterator():
    train_step(x, y)
    print(net(x).argmax(1) == y)
""",
        Verdict.UNDECIDED,
        "runs-in-training",
    ),
    _example(
        "a network that runs on other data between steps",
        _STEP
        + """
import mindspore.dataset as ds

def rows(name, shuffle):
    return ds.ImageFolderDataset(name, shuffle=shuffle).batch(8)

learn, check = rows("train", True), rows("check", False)
for epoch in range(10):
    net.set_train()
    for batch in learn.create_dict_iterator():
        train_step(batch["image"], batch["label"])
    right = 0
    for batch in check.create_dict_iterator():
        right += (net(batch["image"]).argmax(1) == batch["label"]).sum()
    print(right)
""",
        Verdict.PROBLEM,
        "evaluated-in-training",
    ),
    _example(
        "a network that runs between steps to give them their labels",
        _STEP
        + """
net.set_train()
for x, y in train_ds.create_tuple_iterator():
    train_step(x, net(x).argmax(1))
""",
        Verdict.OK,
        "trains",
    ),
    _example(
        "set_train(False) before training",
        _STEP
        + """
net.set_train(False)
for x, y in train_ds.create_tuple_iterator():
    train_step(x, y)
""",
        Verdict.PROBLEM,
        "set-to-inference",
    ),
    _example(
        "evaluation in the loop, and set_train only before it",
        _STEP
        + """
model = ms.Model(net, loss_fn, metrics={"acc"})
net.set_train()
for epoch in range(10):
    for x, y in train_ds.create_tuple_iterator():
        train_step(x, y)
    model.eval(val_ds)
""",
        Verdict.PROBLEM,
        "not-set-back",
    ),
    _example(
        "evaluation every few epochs that switches both ways",
        _STEP
        + """
def evaluate(network):
    network.set_train(False)
    for x, y in val_ds.create_tuple_iterator():
        right = network(x).argmax(1) == y
    network.set_train(True)

net.set_train()
for epoch in range(10):
    for x, y in train_ds.create_tuple_iterator():
        train_step(x, y)
    if epoch % 5 == 0:
        evaluate(net)
""",
        Verdict.OK,
        "trains",
    ),
    _example(
        "evaluation in training mode",
        _STEP
        + """
def evaluate(network):
    for x, y in val_ds.create_tuple_iterator():
        right = network(x).argmax(1) == y

for epoch in range(10):
    net.set_train()
    for x, y in train_ds.create_tuple_iterator():
        train_step(x, y)
    evaluate(net)
""",
        Verdict.PROBLEM,
        "evaluated-in-training",
    ),
    _example(
        "no layer that depends on the mode",
        _PLAIN
        + """
for x, y in train_ds.create_tuple_iterator():
    train_step(x, y)
""",
        Verdict.UNDECIDED,
        "no-set-train-plain",
    ),
    _example(
        "layers that depend on the mode in copies of a block",
        _COPIES + "for x, y in train_ds.create_tuple_iterator():\n    train_step(x, y)\n",
        Verdict.PROBLEM,
        "no-set-train",
    ),
    _example(
        "copies of a block that are switched",
        _COPIES + "net.set_train()\nfor x, y in train_ds.create_tuple_iterator():\n    train_step(x, y)\n",
        Verdict.OK,
        "trains",
    ),
    _example(
        "BatchNorm kept in inference mode on purpose",
        _STEP
        + """
for epoch in range(10):
    net.set_train()
    net.bn.set_train(False)
    for x, y in train_ds.create_tuple_iterator():
        train_step(x, y)
""",
        Verdict.OK,
        "trains",
    ),
    _example(
        "images made by the generator while the discriminator trains",
        _NET
        + """
generator, critic = Net(), Net()
generator.set_train()
critic.set_train()
optimizer = nn.Adam(critic.trainable_params())

def loss_of(fake, real):
    return critic(fake).mean() - critic(real).mean()

grad_fn = ms.value_and_grad(loss_of, None, critic.trainable_params())
for real in train_ds.create_tuple_iterator():
    fake = generator(ops.randn((8, 100)))
    loss, grads = grad_fn(fake, real)
    optimizer(grads)
""",
        Verdict.OK,
        "trains",
    ),
    _example(
        "a callback that does not switch back",
        _NET
        + """
class Evaluate(ms.Callback):
    def __init__(self, network):
        self.network = network

    def on_train_epoch_end(self, run_context):
        self.network.set_train(False)
        for x, y in val_ds.create_tuple_iterator():
            right = self.network(x).argmax(1) == y

net = Net()
model = ms.Model(net, nn.CrossEntropyLoss(), nn.SGD(net.trainable_params(), 0.1))
model.train(10, train_ds, callbacks=[Evaluate(net)], dataset_sink_mode=False)
""",
        Verdict.PROBLEM,
        "callback-leaves-inference",
    ),
    _example(
        "a callback that evaluates a network of its own",
        _NET
        + """
class Evaluate(ms.Callback):
    def __init__(self):
        self.network = Net()

    def on_train_epoch_end(self, run_context):
        ms.load_checkpoint("last.ckpt", self.network)
        for x, y in val_ds.create_tuple_iterator():
            right = self.network(x).argmax(1) == y

net = Net()
model = ms.Model(net, nn.CrossEntropyLoss(), nn.SGD(net.trainable_params(), 0.1))
model.train(10, train_ds, callbacks=[Evaluate()])
""",
        Verdict.OK,
        "by-model",
    ),
    _example(
        "a callback that evaluates in training mode",
        _NET
        + """
class Evaluate(ms.Callback):
    def __init__(self, network):
        self.network = network

    def on_train_epoch_end(self, run_context):
        for x, y in val_ds.create_tuple_iterator():
            right = self.network(x).argmax(1) == y

net = Net()
model = ms.Model(net, nn.CrossEntropyLoss(), nn.SGD(net.trainable_params(), 0.1))
model.train(10, train_ds, callbacks=[Evaluate(net)])
""",
        Verdict.PROBLEM,
        "evaluated-in-training",
    ),
    _example(
        "a callback that switches back on one way only",
        _NET
        + """
class Evaluate(ms.Callback):
    def __init__(self, network):
        self.network = network

    def on_train_epoch_end(self, run_context):
        self.network.set_train(False)
        evaluate(self.network)
        if ms.get_context("mode"):
            self.network.set_train(True)

net = Net()
model = ms.Model(net, nn.CrossEntropyLoss(), nn.SGD(net.trainable_params(), 0.1))
model.train(10, train_ds, callbacks=[Evaluate(net)], dataset_sink_mode=False)
""",
        Verdict.UNDECIDED,
        "callback-may-leave-inference",
    ),
    _example(
        "a fresh network is evaluated in inference mode",
        _NET + "model = ms.Model(Net())\nmodel.train(1, train_ds)\n",
        Verdict.OK,
        "evaluates",
        eval=_NET
        + """
net = Net()
ms.load_param_into_net(net, ms.load_checkpoint("net.ckpt"))
for x, y in val_ds.create_tuple_iterator():
    print(net(x))
""",
    ),
    _example(
        "an evaluation script that switches training on",
        "model = ms.Model(Net())\nmodel.train(1, train_ds)\n",
        Verdict.PROBLEM,
        "evaluated-in-training",
        eval=_NET
        + """
net = Net()
net.set_train(True)
for x, y in val_ds.create_tuple_iterator():
    print(net(x))
""",
    ),
    _example(
        "one dropout layer kept in training mode on purpose",
        _NET + "model = ms.Model(Net())\nmodel.train(1, train_ds)\n",
        Verdict.OK,
        "evaluates",
        eval=_NET
        + """
net = Net()
net.set_train(False)
net.drop.set_train(True)
for x, y in val_ds.create_tuple_iterator():
    print(net(x))
""",
    ),
    _example(
        "a mode that is computed",
        _STEP
        + """
finetune = True
net.set_train(not finetune)
for x, y in train_ds.create_tuple_iterator():
    train_step(x, y)
""",
        Verdict.UNDECIDED,
        "inference-chosen",
    ),
    _example(
        "BatchNorm that stands for InstanceNorm",
        "model = ms.Model(Net())\nmodel.train(1, train_ds)\n",
        Verdict.UNDECIDED,
        "evaluated-by-batch",
        eval="""
net = nn.SequentialCell(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8, affine=False))
net.set_train(True)
for x, y in val_ds.create_tuple_iterator():
    print(net(x))
""",
    ),
    _example(
        "dropout as a function follows no mode",
        """
class Net(nn.Cell):
    def construct(self, x):
        return ops.dropout(x, p=0.5)

model = ms.Model(Net(), nn.MSELoss(), optimizer)
model.train(1, train_ds)
model.eval(val_ds)
""",
        Verdict.PROBLEM,
        "always-drops",
    ),
    _example("dropout by a flag that stays on", _FLAG.format(built=""), Verdict.PROBLEM, "flag-left-on"),
    _example("dropout by a flag that is turned off", _FLAG.format(built="False"), Verdict.OK, "by-model"),
    _example(
        "dropout as a function that is told the mode",
        """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(8, 2)

    def construct(self, x):
        return ops.dropout(self.dense(x), p=0.5, training=self.training)

model = ms.Model(Net(), nn.MSELoss(), optimizer)
model.train(1, train_ds)
model.eval(val_ds)
""",
        Verdict.OK,
        "by-model",
    ),
    _example(
        "batch statistics at inference",
        """
net = nn.SequentialCell(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8, use_batch_statistics=True))
ms.Model(net, nn.MSELoss(), optimizer).train(1, train_ds)
""",
        Verdict.UNDECIDED,
        "batch-statistics",
    ),
    _example(
        "statistics that stay what they were made with",
        """
net = nn.SequentialCell(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8, use_batch_statistics=False))
model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
model.train(1, data)
""",
        Verdict.PROBLEM,
        "fixed-statistics",
    ),
    _example(
        "statistics that were loaded",
        """
net = nn.SequentialCell(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8, use_batch_statistics=False))
ms.load_checkpoint("net.ckpt", net)
model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
model.train(1, data)
""",
        Verdict.OK,
    ),
    _example(
        "training that nobody is seen to start",
        """
def fit(net, loss_fn, optimizer, data):
    def forward(x, y):
        return loss_fn(net(x), y)

    grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
    for x, y in data:
        loss, grads = grad_fn(x, y)
        optimizer(grads)
""",
        Verdict.UNDECIDED,
        "mode-unseen",
    ),
    _example("no training at all", "print(ms.__version__)\n", Verdict.UNDECIDED, "no-training"),
]
