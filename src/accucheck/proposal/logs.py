"""What a log holds: how many of its lines tell a loss, and whether the training went to its end. By its first and last bytes, so that a
log of gigabytes is told at once; the readers of curves read it whole, later."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from .tree import head, stamp

#: Bytes of the beginning and of the end that are looked at, and up to which lines are counted.
_HEAD, _TAIL, _COUNTED = 256 << 10, 256 << 10, 64 << 20
_NUMBER = rb"[-+]?(?:\d+(?:\.\d*)?(?:e[-+]?\d+)?|\.\d+|nan|inf)\b"
_LOSS = re.compile(rb"(?<![a-z])loss\w*(?: is| value)?[^\w\r\n]{1,12}" + _NUMBER, re.I)
_EVALUATION = re.compile(
    rb"(?<![\w/.-])(?:eval|evaluation|val|valid|validation|test)(?![\w/.-])|(?:eval|val|test)_(?:loss|acc)", re.I
)
_METRIC = re.compile(
    rb"(?<![a-z])(?:acc|accuracy|top-?[15]\w*|map|auc|f1|bleu|psnr|miou|dice|wer)[^\w\r\n]{1,12}" + _NUMBER, re.I
)
_STEP = re.compile(rb"(?:step|iter(?:ation)?|epoch)s?\b[^\w\r\n]{0,4}(\d+)", re.I)
_OF_ALL = re.compile(rb"epoch\w*\W{0,4}(\d+)\s*/\s*(\d+)", re.I)
#: A traceback ends with the error itself, at the beginning of its line.
_TRACEBACK = b"Traceback (most recent call last)"
_ERROR = re.compile(rb"^(?:\w+: )?([A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit|Warning)\b.*)$", re.M)
_KILLED = re.compile(
    rb"(?:Segmentation fault|core dumped|^Killed\b|Out of memory|signal \d+ \(SIG|Aborted \()", re.I | re.M
)
_CONTROL = re.compile(rb"[\x00-\x07\x0e-\x1a\x1c-\x1f]")
_COLUMN = re.compile(r"(^|[\W_])(loss|acc|accuracy|top[-_]?[15])([\W_]|$)", re.I)


@dataclass(frozen=True)
class Log:
    """`losses` of `lines` tell a loss, in what was looked at (`whole`: all of it). `evaluates`: it tells of evaluation only.

    `last` is the number of its last step or epoch, as the log counts. `error` is the first line of the error that ended it, at `line`
    (None where the log is too long to count); `interrupted`: by a person."""

    path: Path
    losses: int
    lines: int
    whole: bool
    evaluates: bool = False
    last: int | None = None
    finished: bool = False
    error: str = ""
    line: int | None = None
    interrupted: bool = False
    recording: bool = False


def examine(path: Path) -> Log | None:
    """What a file holds as a log; None where it tells neither a loss nor an error that ended it."""
    try:
        size = path.stat().st_size
        begin = head(path, _HEAD)
        whole = size <= _HEAD
        end = begin
        if not whole:
            with path.open("rb") as stream:
                stream.seek(max(len(begin), size - _TAIL))
                end = stream.read(_TAIL)
    except OSError:
        return None
    if not begin or len(_CONTROL.findall(begin[:4096])) > len(begin[:4096]) / 20:
        return None
    if begin.startswith(b'{"recording":'):
        return Log(path, max(begin.count(b"\n") - 1, 0), begin.count(b"\n"), whole, recording=True)
    if (table := _table(path, begin, whole)) is not None:
        return table
    texts = begin if whole else begin + b"\n" + end
    lines = [line for line in texts.splitlines() if line.strip()]
    losses = [line for line in lines if _LOSS.search(line)]
    metrics = [line for line in lines if _METRIC.search(line)]
    told = losses or metrics
    evaluates = bool(told) and all(_EVALUATION.search(line) for line in told)
    evaluates = evaluates or (not losses and bool(metrics))
    error, at, interrupted = _ended(end)
    if not told and not error:
        return None
    number = None
    if error and size <= _COUNTED:
        number = (0 if whole else _newlines(path, size - len(end))) + end.count(b"\n", 0, at) + 1
    steps = _STEP.findall(told[-1]) if told else []
    of = _OF_ALL.search(told[-1]) if told else None
    finished = of is not None and of[1] == of[2]
    last = int(steps[-1]) if steps and len(steps[-1]) < 16 else None
    return Log(path, len(losses), len(lines), whole, evaluates, last, finished, error, number, interrupted)


def _ended(end: bytes) -> tuple[str, int, bool]:
    """The error after which neither a loss nor a metric is told, where it stands, and whether a person interrupted."""
    at = end.rfind(_TRACEBACK)
    error = _ERROR.search(end, at) if at >= 0 else None
    # The lines of code of a traceback, and the error itself, may tell a loss too.
    if at >= 0 and not _goes_on(end, error.end() if error else at):
        text = (error[1] if error else _TRACEBACK).decode("utf-8", "replace").strip()
        return text[:300], at, b"KeyboardInterrupt" in end[at:]
    if (killed := None if at >= 0 else next(iter(reversed(list(_KILLED.finditer(end)))), None)) is not None:
        begin = end.rfind(b"\n", 0, killed.start()) + 1
        if not _goes_on(end, killed.end()):
            line = end[begin:].split(b"\n", 1)[0]
            return line.decode("utf-8", "replace").strip()[:300], begin, False
    return "", 0, False


def _goes_on(text: bytes, at: int) -> bool:
    """Whether a loss or a metric is told behind a place."""
    return any(pattern.search(text, at) for pattern in (_LOSS, _METRIC))


def _newlines(path: Path, end: int) -> int:
    """Lines before a place of a file."""
    found = 0
    with path.open("rb") as stream:
        while end > 0 and (block := stream.read(min(end, 1 << 20))):
            found, end = found + block.count(b"\n"), end - len(block)
    return found


def _table(path: Path, begin: bytes, whole: bool) -> Log | None:
    """A CSV with a column of a loss or a metric, or JSON Lines with such a name."""
    first, _, rest = begin.decode("utf-8-sig", "replace").partition("\n")
    rows = rest.count("\n") + (not rest.endswith("\n") and bool(rest.strip()))
    names: list[str] = []
    if path.suffix.lower() in (".csv", ".tsv"):
        names = [cell.strip().strip("\"'") for cell in re.split("[,\t;]", first)]
    elif first.lstrip().startswith("{"):
        try:
            record = json.loads(first)
        except (ValueError, RecursionError):
            return None
        names, rows = list(map(str, record)) if isinstance(record, dict) else [], rows + 1
    told = [name for name in names if _COLUMN.search(name)]
    if not told or not rows:
        return None
    evaluates = all(_EVALUATION.search(name.encode()) or not re.search("loss", name, re.I) for name in told)
    return Log(path, rows, rows, whole, evaluates)


def is_event_file(name: str) -> bool:
    """By its name: of TensorBoard, or of MindSpore's SummaryCollector."""
    return re.search(r"tfevents|\.events\.|\.out\.events", name) is not None and "_lineage" not in name


def newest(logs: list[Log]) -> Log:
    return max(logs, key=lambda log: (stamp(log.path), str(log.path)))
