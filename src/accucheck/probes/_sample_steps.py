"""What the probes of dp.01 and dp.02 share: steps as evidence, and edits of transforms in the script."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..language import Words
from ..model import Code, Evidence, Plain, Table

if TYPE_CHECKING:
    from ..script.samples import SamplePath, Step
    from ..script.source import Source
    from ..script.values import Call

WORDS: Words = {
    "steps": {"en": "What happens to the values, step by step", "zh": "数值经过的每一步"},
    "side-by-side": {"en": "The steps side by side", "zh": "处理步骤对照"},
    "step": {"en": "Step", "zh": "步骤"},
    "range": {"en": "Range after it", "zh": "该步之后的范围"},
    "place": {"en": "Place", "zh": "位置"},
    "training": {"en": "Training", "zh": "训练"},
    "evaluation": {"en": "Evaluation", "zh": "评估"},
    "difference": {"en": "Differs", "zh": "差异"},
}

_TRAINING, _EVALUATION = ("training", "训练"), ("evaluation", "评估")
_NOTHING = {"en": "nothing", "zh": "无"}


def spoken(data: dict[str, Any], *, normalised: bool = False) -> dict[str, Any]:
    """What fills the messages about an input: its name, its steps, and in what those of training and evaluation differ.

    `normalised`: they differ in that only one of both is normalised, which is said as a sentence.
    """
    said = {key: _NOTHING if value == ["-"] else value for key, value in data.items()}
    name, what = said.get("input"), data.get("what")
    if name == "-":
        said["input"] = {"en": "The data set", "zh": "数据集"}
    elif isinstance(name, str) and name.isdigit():
        said["input"] = {"en": f"column {name}", "zh": f"第 {name} 列"}
    if isinstance(what, list):
        said["what"] = _normalised(what) if normalised else _differences(what)
    return said


def _normalised(what: list[str]) -> Any:
    """That one of training and evaluation normalises and the other does not; where both have steps of their own, those."""
    ours, theirs = _sides(what)
    if bool(ours) is bool(theirs) or len(ours) + len(theirs) < len(what):
        told = _differences(what)
        if not isinstance(told, dict):
            return told
        return {"en": f"only one side is normalised; {told['en']}", "zh": f"只有一方做了归一化，{told['zh']}"}
    steps = ours or theirs
    (en, zh), (other_en, other_zh) = (_TRAINING, _EVALUATION) if ours else (_EVALUATION, _TRAINING)
    return {
        "en": f"{en} normalises it ({', '.join(steps)}); {other_en} does not",
        "zh": f"{zh}做了归一化（{'、'.join(steps)}），{other_zh}没有做",
    }


def _sides(what: list[str]) -> tuple[list[str], list[str]]:
    """The steps of training alone, and of evaluation alone."""
    ours, theirs = ([text[2:] for text in what if text.startswith(sign)] for sign in ("- ", "+ "))
    return ours, theirs


def _differences(what: list[str]) -> Any:
    """ "- step" is one of training alone, "+ step" of evaluation alone."""
    ours, theirs = _sides(what)
    if len(ours) + len(theirs) < len(what) or not what:
        return what if what != ["-"] else _NOTHING
    sides = ((*_TRAINING, ours), (*_EVALUATION, theirs))
    return {
        "en": "; ".join(f"only {en} has {', '.join(held)}" for en, _, held in sides if held),
        "zh": "；".join(f"仅{zh}有 {'、'.join(held)}" for _, zh, held in sides if held),
    }


#: What a value was read from, as the first row of a table shows it: cells are read in both languages.
ORIGINS = {
    "pixels": "RGB",
    "audio": "PCM",
    "record": "MindRecord, TFRecord",
    "table": "CSV",
    "text": "TXT",
    "array": "NumPy",
    "opaque": "?",
    "simulator": "env.step()",
    "generated": "NumPy",
    "unknown": "?",
}


def told(step: Step) -> str:
    """A step as a row shows it; "~" marks what chance decides."""
    condition = f"  [if {step.condition}]" if step.condition else ""
    return f"{'~ ' if step.random else ''}{step.text}{condition}"


def span(low: float | None, high: float | None) -> str:
    if low is None and high is None:
        return "?"
    return f"{'?' if low is None else f'{low:.4g}'} .. {'?' if high is None else f'{high:.4g}'}"


def steps_table(way: SamplePath) -> Table:
    """The steps of a value with the range behind each."""
    rows: list[list[Plain]] = [[ORIGINS.get(way.origin, way.origin), span(*first(way)), ""]]
    rows += [[told(step), span(step.low, step.high), place(step.made)] for step in way.steps]
    return Table("steps", ["step", "range", "place"], rows[:30], total=len(rows) if len(rows) > 30 else None)


def first(way: SamplePath) -> tuple[float | None, float | None]:
    return (0.0, 255.0) if way.origin == "pixels" else (None, None)


def place(made: Call) -> str:
    return f"{made.source.path}:{made.line}"


def evidence(made: Call, *more: Evidence) -> list[Evidence]:
    last = getattr(made.node, "end_lineno", None) or made.line
    code: Code = made.source.code(made.line, min(last, made.line + 12))
    return [code, *more]


# --- edits ------------------------------------------------------------------------------------------------------------


def element(made: Call) -> tuple[ast.List | ast.Tuple, int] | None:
    """The list or tuple display that a call stands in as one of its elements, and its place there."""
    for node in made.source.nodes:
        if isinstance(node, (ast.List, ast.Tuple)):
            for place_, part in enumerate(node.elts):
                if part is made.node:
                    return node, place_
    return None


def _replaced(source: Source, node: ast.expr, new: str, upto: int | None = None) -> str:
    """The line of an expression with something else in its place."""
    line = source.lines[node.lineno - 1].encode()
    end = node.end_col_offset if upto is None else upto
    return (line[: node.col_offset] + new.encode() + line[end:]).decode(errors="replace")


def inserted_before(made: Call, call: str) -> str | None:
    """A diff that puts a call of the same module before a transform in its list: vision.Rescale(...) before vision.Normalize."""
    source, node = made.source, made.node
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)) or element(made) is None:
        return None
    prefix = ast.unparse(node.func.value)
    line = source.lines[node.lineno - 1] if node.lineno <= len(source.lines) else ""
    alone = not line.encode()[: node.col_offset].strip()
    if alone:
        indent = line[: len(line) - len(line.lstrip())]
        return source.patch([(node.lineno, node.lineno - 1, [f"{indent}{prefix}.{call},"])])
    return source.diff(node.lineno, _replaced(source, node, f"{prefix}.{call}, ", node.col_offset))


def multiplied(made: Call, names: tuple[str, ...], by: str) -> str | None:
    """A diff that multiplies the numbers of literal lists among the arguments of a call."""
    source, node = made.source, made.node
    if not isinstance(node, ast.Call):
        return None
    given = [*node.args[: len(names)], *(keyword.value for keyword in node.keywords if keyword.arg in names)]
    if len(given) != len(names):
        return None
    lines: dict[int, list[ast.expr]] = {}
    for part in given:
        if not isinstance(part, (ast.List, ast.Tuple)):
            return None
        for number in part.elts:
            if not (isinstance(number, ast.Constant) and isinstance(number.value, (int, float))):
                return None
            if number.lineno != number.end_lineno:
                return None
            lines.setdefault(number.lineno, []).append(number)
    edits = []
    for number_, parts in lines.items():
        line = source.lines[number_ - 1].encode()
        for part in sorted(parts, key=lambda part: -part.col_offset):
            line = line[: part.end_col_offset] + f" * {by}".encode() + line[part.end_col_offset :]
        edits.append((number_, number_, [line.decode(errors="replace")]))
    return source.patch(edits) if edits else None


def on_both_sides(steps: Sequence[Step], also: Call) -> str | None:
    """A diff that takes away the plain condition (`if train:`) under which steps are done, where it holds nothing but changes of the
    numbers and what it leads to, `also`, is made in the same function."""
    source = also.source
    nodes = {id(step.made.node) for step in steps if step.kind == "scale" and step.made.source is source}
    chance = {id(step.made.node) for step in steps if step.kind != "scale"}
    functions = [node for node in source.nodes if isinstance(node, ast.FunctionDef) and _has(node, {id(also.node)})]
    for switch in (node for function in functions for node in ast.walk(function)):
        if isinstance(switch, ast.If) and _only_leads_to(switch, nodes) and not _has(switch, chance):
            return _without_condition(source, switch)
    return None


def _only_leads_to(switch: ast.If, nodes: set[int]) -> bool:
    """Whether a plain condition holds nothing but assignments with these nodes."""
    if switch.orelse or not isinstance(switch.test, (ast.Name, ast.Attribute)):
        return False
    return all(isinstance(each, (ast.Assign, ast.AugAssign)) and _has(each, nodes) for each in switch.body)


def _has(node: ast.AST, ids: set[int]) -> bool:
    return any(id(part) in ids for part in ast.walk(node))


def _without_condition(source: Source, switch: ast.If) -> str | None:
    """A diff that leaves a condition out and does always what it leads to."""
    first, last = switch.body[0].lineno, switch.body[-1].end_lineno or switch.body[-1].lineno
    deep = " " * (switch.body[0].col_offset - switch.col_offset)
    lines = source.lines[switch.lineno : last]
    if first == switch.lineno or any(line.strip() and not line[switch.col_offset :].startswith(deep) for line in lines):
        return None
    kept = [line[: switch.col_offset] + line[switch.col_offset + len(deep) :] for line in lines]
    return source.patch([(switch.lineno, last, kept)])


def removed(made: Call) -> str | None:
    """A diff that takes a transform out of the list it stands in."""
    found = element(made)
    if found is None or not isinstance(made.node, ast.expr):
        return None
    display, at = found
    source, node = made.source, made.node
    if len(display.elts) < 2 or node.lineno != node.end_lineno:
        return None
    line = source.lines[node.lineno - 1].encode()
    before, after = line[: node.col_offset], line[node.end_col_offset or 0 :]
    if not before.strip() and after.strip() in (b",", b""):
        return source.patch([(node.lineno, node.lineno, [])]) if after.strip() == b"," else None
    if after.lstrip().startswith(b","):
        kept = before + after.lstrip()[1:].lstrip()
    elif before.rstrip().endswith(b",") and at > 0:
        kept = before.rstrip()[:-1].rstrip() + after
    else:
        return None
    return source.patch([(node.lineno, node.lineno, [kept.decode(errors="replace")] if kept.strip() else [])])
