"""Records a training as it runs, a JSON line a step: loss, learning rate, gradient norm, loss scale, overflow, metrics, time.

Each line is one write to a file opened for appending, so that what was recorded survives a crash of the process; a power cut
may cost the last seconds. readers/recordings.py reads it. Runs in the user's training: MindSpore is the one that training imports.

    {"recording": 1, "accucheck": "0.1.0", "time": "2026-01-31T08:00:00+00:00", "mindspore": "2.10.0", "rank": 0}
    {"step": 1, "epoch": 1, "seconds": 0.05, "loss": 2.3, "lr": 0.1, "overflow": false, "samples": [17, 4]}
    {"step": 2, "fit": {"outputs": [2, 10], "labels": [2], "whole": true, "classes": 10, "low": 0, "high": 10, "beyond": [10]}}
    {"step": 1, "epoch": 1, "metrics": {"accuracy": 0.9}}
    {"rates": [[2, 1, 0.09], [3, 1, 0.08]]}
    {"opened": ["a/1.jpg"]}
    {"opened": [], "whole": true}

"rates" are learning rates of earlier steps, [step, epoch or -1, a rate for each group ...], computed when there was time.
What is not finite is "nan", "inf" or "-inf", as JSON has no such numbers. Each start appends a head of its own.
"""

from __future__ import annotations

import json
import math
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import __version__
from .errors import SaveError, UserError, from_os_error
from .language import Words, detect, visible, word
from .readers.recordings import MAGIC, VERSION

if TYPE_CHECKING:
    import numpy as np

    from .opened_files import Recorder as Watch

    Array = np.ndarray[Any, Any]

#: Where launchers tell a process its rank: msrun and mpirun.
_RANKS = ("RANK_ID", "OMPI_COMM_WORLD_RANK")
#: Keys of a line that no value may take.
_RESERVED = frozenset({"recording", "metrics", "opened", "rates", "fit", "losses"})
#: Values of one name in a step, such as the learning rates of groups of parameters.
_MOST = 64
#: Seconds between two epochs at whose ends the rates of the steps between are computed.
_BETWEEN_EVERY = 60.0
#: Bytes that a head never has.
_HEAD = 4096
#: Seconds between two looks at the files that were opened, and names in a line.
_OPENED_EVERY, _OPENED_LINE = 5.0, 1000

WORDS: Words = {
    "unwritten": {
        "en": "accucheck: a record could not be written, the training continues: {problem}",
        "zh": "accucheck：有记录未能写入，训练不受影响：{problem}",
    },
    "unread": {
        "en": "accucheck: {what} could not be recorded; training continues: {problem}",
        "zh": "accucheck：未能记录 {what}，训练不受影响：{problem}",
    },
    "opened-partly": {
        "en": "accucheck: the list of opened files in {path} may not be whole",
        "zh": "accucheck：{path} 中的已打开文件列表可能不完整",
    },
}


class Recorder:
    """Appends what happens in a training to `path`; folders are made, and an earlier recording there is continued.

    `rank` is what the launcher says (RANK_ID), else 0; a rank above 0 writes beside it, as run.rank1.jsonl. `opened` is a folder of
    data: which of its files are opened until close() is recorded too (Linux; see accucheck.opened_files for what that cannot see).
    Raises SaveError for a path that cannot be written or holds something else, UserError where opened files cannot be watched.
    Later, a full disk costs records and is warned of once, never the training.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, rank: int | None = None, opened: str | os.PathLike[str] | None = None
    ) -> None:
        if rank is None:
            told = next((os.environ[name] for name in _RANKS if name in os.environ), "0")
            rank = int(told) if told.isdecimal() else 0
        self.path = Path(path)
        if rank:
            self.path = self.path.with_name(f"{self.path.stem}.rank{rank}{self.path.suffix}")
        self._warned: set[str] = set()
        self._steps = 0
        self._epoch: int | None = None
        self._watch: Watch | None = None
        self._listed: set[str] = set()
        self._file, self._torn = _open(self.path)
        try:
            if opened is not None:
                from . import opened_files as watching

                self._watch = watching.Recorder(opened)
            mindspore = sys.modules.get("mindspore")
            head = {
                "recording": VERSION,
                "accucheck": __version__,
                "time": datetime.now(timezone.utc).isoformat(timespec="seconds"),
                "mindspore": getattr(mindspore, "__version__", None),
                "rank": rank,
            }
            self._write(head, must=True)
        except BaseException:
            self.close()
            raise
        self._clock = self._looked = time.perf_counter()

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def step(
        self,
        *,
        step: int | None = None,
        epoch: int | None = None,
        seconds: float | None = None,
        grads: Any = None,
        samples: Any = None,
        losses: Any = None,
        outputs: Any = None,
        labels: Any = None,
        **values: Any,
    ) -> None:
        """Record one step: each value a number, a Tensor of one, or up to 64 of them (written as lr.0, lr.1, ...).

        `step` counts from 1 by itself; `seconds` is the time since the last record. `grads` are the gradients, any shapes: their
        global L2 norm is recorded as grad_norm, on the host. `samples` tells which samples the batch holds: shape (batch,) of
        numbers or words, or the batch itself, of which a digest of each row is kept; `losses` is the loss of each of them,
        shape (batch,). `outputs` and `labels` are what the loss gets, of any
        shape: their shapes are recorded, and the labels that no output stands for, of the first steps and some later ones.
        Raises UserError for a value that is no number, a name that is taken, a step below 0, and after close().
        """
        record: dict[str, Any] = {}
        for name, value in values.items():
            if name in _RESERVED:
                raise UserError("recorded-name", name=name)
            if value is not None:
                record.update(_numbers(name, value))
        if grads is not None:
            record["grad_norm"] = _plain(gradient_norm(grads))
        if samples is not None:
            record["samples"] = identities(samples)
            if losses is not None:
                record["losses"] = _losses(losses, len(record["samples"]))
        if outputs is not None and labels is not None and _is_looked_at(self._steps + 1):
            record["fit"] = _fit(outputs, labels)
        if seconds is None:
            seconds = time.perf_counter() - self._clock
        number = self._steps + 1 if step is None else int(step)
        if number < 0:
            raise UserError("recorded-step", step=number)
        self._record(number, epoch, seconds, record)

    def metrics(self, values: Mapping[str, Any] | None = None, /, **more: Any) -> None:
        """Record what an evaluation after the last step gave; the time that it took is not counted to the next step.

        Raises UserError as step() does.
        """
        found: dict[str, Any] = {}
        for name, value in {**(values or {}), **more}.items():
            found.update(_numbers(str(name), value))
        self._record_metrics(found)

    def callback(self, *, outputs: Sequence[str] | None = None, samples: int | None = None) -> Any:
        """A mindspore.Callback for Model.train, Model.fit and Model.eval. It never stops the training.

        `outputs` names what the training network returns, in its order, where that is not the loss alone or, from
        nn.TrainOneStepWithLossScaleCell, loss, overflow and loss_scale. `samples` is the position of the network's input that tells
        the samples (see step). With data sinking there is one call an epoch, or each sink_size steps: use dataset_sink_mode=False.
        """
        return _callback(self, outputs, samples)

    def close(self) -> None:
        """Write what is left; nothing can be recorded after it."""
        if self._watch is not None:
            watch, self._watch = self._watch, None
            watch.close()
            self._list_opened(watch)
            whole = not watch.lost and not watch.unwatched
            self._write({"opened": [], "whole": whole})
            if not whole:
                self._warn("opened-partly", path=str(self.path))
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _place(self) -> dict[str, Any]:
        return {"step": self._steps} if self._epoch is None else {"step": self._steps, "epoch": self._epoch}

    def _record(self, step: int, epoch: int | None, seconds: float, values: dict[str, Any]) -> None:
        self._steps = step
        if epoch is not None:
            self._epoch = int(epoch)
        self._write({**self._place(), "seconds": _plain(round(float(seconds), 6)), **values})
        if self._watch is not None and time.perf_counter() - self._looked > _OPENED_EVERY:
            self._list_opened(self._watch)
        self._clock = time.perf_counter()

    def _record_metrics(self, values: dict[str, Any]) -> None:
        self._write({**self._place(), "metrics": values})
        self._clock = time.perf_counter()

    def _record_rates(self, rates: list[list[Any]]) -> None:
        self._write({"rates": rates})
        self._clock = time.perf_counter()

    def _list_opened(self, watch: Watch) -> None:
        new = sorted(watch.opened - self._listed)
        for at in range(0, len(new), _OPENED_LINE):
            self._write({"opened": new[at : at + _OPENED_LINE]})
        self._listed.update(new)
        self._looked = time.perf_counter()

    def _write(self, record: dict[str, Any], *, must: bool = False) -> None:
        if self._file < 0:
            raise UserError("recorder-closed", path=str(self.path))
        line = memoryview(b"\n" * self._torn + json.dumps(record).encode() + b"\n")
        try:
            while line:  # more than once when the disk becomes full within a line
                line = line[os.write(self._file, line) :]
                self._torn = bool(line)
        except OSError as error:
            problem = from_os_error(error, self.path, SaveError)
            if must:
                raise problem from None
            self._warn("unwritten", problem=problem.text(detect()))

    def _warn(self, key: str, /, **data: object) -> None:
        """Once for each text, however many steps it concerns."""
        text = visible(word(WORDS, key, detect(), **data))
        if text not in self._warned:
            self._warned.add(text)
            warnings.warn(text, RuntimeWarning, stacklevel=2)


def _open(path: Path) -> tuple[int, bool]:
    """The file, to append to, and whether its last line was cut off. Raises SaveError."""
    try:
        if path.is_dir():
            raise SaveError("is-directory", path=str(path))
        if path.exists() and not path.is_file():
            raise SaveError("not-regular", path=str(path))
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o666)
        try:
            size = os.fstat(file).st_size
            if size and os.pread(file, len(MAGIC), 0) not in (MAGIC, MAGIC[:size]):
                raise SaveError("not-a-recording", path=str(path))
            if size < _HEAD and b"\n" not in os.pread(file, _HEAD, 0):  # nothing but a head that was cut off
                os.ftruncate(file, 0)
                size = 0
            return file, size > 0 and os.pread(file, 1, size - 1) != b"\n"
        except BaseException:
            os.close(file)
            raise
    except OSError as error:
        raise from_os_error(error, path, SaveError) from None


# --- values -------------------------------------------------------------------------------------------------------------


def _array(value: Any) -> Array:
    from .live.inside.measures import array

    found: Array = array(value)
    return found


def _plain(value: float) -> Any:
    return value if isinstance(value, (bool, int)) or math.isfinite(value) else str(value)


def _numbers(name: str, value: Any) -> dict[str, Any]:
    """The value under its name, or several as name.0, name.1, ... Raises UserError."""
    from .live.inside.measures import scalar

    try:
        if isinstance(value, (bool, int, float)):
            return {name: value if math.isfinite(value) else str(value)}
        if isinstance(value, (tuple, list)):
            parts = [part for one in value for part in _array(one).ravel()[: _MOST + 1]]
        else:
            parts = list(_array(value).ravel()[: _MOST + 1])
        if not 0 < len(parts) <= _MOST:
            raise ValueError
        found = [_plain(scalar(one)) for one in parts]
    except (TypeError, ValueError, AttributeError, OverflowError):
        raise UserError("recorded-value", name=name, type=type(value).__name__, limit=_MOST) from None
    return {name: found[0]} if len(found) == 1 else {f"{name}.{number}": one for number, one in enumerate(found)}


def gradient_norm(grads: Any) -> float:
    """The global L2 norm of gradients: one array or Tensor of any shape, or (nested) sequences of them; None is passed over.

    Summed in their own precision (at least float32), and once more in float64 where that is not finite. Raises UserError.
    """
    from .live.inside import measures

    def flat(value: Any) -> Iterable[Array]:
        if isinstance(value, (tuple, list)):
            for one in value:
                yield from flat(one)
        elif value is not None:
            yield measures.array(value)

    try:
        total = measures.squares(flat(grads))
    except (TypeError, ValueError):
        raise UserError("recorded-grads", type=type(grads).__name__) from None
    return math.sqrt(total) if total >= 0 else math.nan


def _is_looked_at(number: int) -> bool:
    """Whether outputs and labels of the nth step are recorded: of the first ten, of every tenth, after a thousand of every hundredth."""
    return number <= 10 or number % (10 if number < 1000 else 100) == 0


def _fit(outputs: Any, labels: Any) -> dict[str, Any]:
    """How the outputs and labels of a batch go together. Raises UserError."""
    from .live.inside.fitting import facts

    try:
        return facts(tuple(int(side) for side in outputs.shape), _array(labels))
    except (TypeError, ValueError, AttributeError):
        raise UserError("recorded-fit", type=f"{type(outputs).__name__}, {type(labels).__name__}") from None


def _losses(losses: Any, count: int) -> list[Any]:
    """The losses of a batch, one a sample, with four digits. Raises UserError."""
    try:
        array = _array(losses).astype("float64").ravel()
        if array.size != count:
            raise ValueError
    except (TypeError, ValueError, AttributeError):
        raise UserError("recorded-losses", type=type(losses).__name__, count=count) from None
    return [_plain(float(f"{one:.4g}")) for one in array.tolist()]


def identities(samples: Any) -> list[Any]:
    """What tells the samples of a batch apart: the numbers or words of shape (batch,), else a digest of each row (64 bits, hex).

    Rows are told by their bytes, so that a sample that is augmented anew each time has no constant digest. Raises UserError.
    """
    from .live.inside import measures

    try:
        return measures.identities(measures.array(samples))
    except (TypeError, ValueError):
        raise UserError("recorded-samples", type=type(samples).__name__) from None


# --- Model.train --------------------------------------------------------------------------------------------------------


def _callback(recorder: Recorder, outputs: Sequence[str] | None, samples: int | None) -> Any:
    from mindspore import Callback

    from .live.inside.rates import Rates

    class RecorderCallback(Callback):  # type: ignore[misc]
        """What cannot be read is left out and told once."""

        def __init__(self) -> None:
            super().__init__()
            self._rates = Rates()
            self._rate: dict[str, Any] = {}
            self._before = 0
            self._filled = time.perf_counter()

        def on_train_begin(self, run_context: Any) -> None:
            self._before = run_context.original_args().get("cur_step_num", 0)

        def on_train_epoch_begin(self, run_context: Any) -> None:
            recorder._clock = time.perf_counter()

        def on_train_step_begin(self, run_context: Any) -> None:
            # Afterwards the optimizer has the learning rate of the next step.
            now = run_context.original_args()
            optimizer = _optimizer(now)
            self._rate = {}
            if optimizer is not None:
                self._rate = _tried(recorder, "lr", lambda: _rate(self._rates.read(optimizer)))
                if not self._rate and getattr(optimizer, "dynamic_lr", False):
                    step, epoch = self._before + 1, now.get("cur_epoch_num") or -1
                    _tried(recorder, "lr", lambda: self._rates.pass_over(optimizer, step, epoch))

        def on_train_epoch_end(self, run_context: Any) -> None:
            if time.perf_counter() - self._filled > _BETWEEN_EVERY:
                self._fill(run_context)

        def on_train_end(self, run_context: Any) -> None:
            self._fill(run_context)

        def _fill(self, run_context: Any) -> None:
            """The rates of steps between those that had one."""
            optimizer = _optimizer(run_context.original_args())
            found = (
                _tried(recorder, "lr", lambda: {"rates": self._rates.between(optimizer)})
                if optimizer is not None
                else {}
            )
            if found.get("rates") and self._is_open():
                recorder._record_rates(found["rates"])
            self._filled = time.perf_counter()

        def on_train_step_end(self, run_context: Any) -> None:
            now = run_context.original_args()
            step = now["cur_step_num"]
            steps, self._before = max(step - self._before, 1), step
            seconds = (time.perf_counter() - recorder._clock) / steps
            values = {**self._rate, **_tried(recorder, "net_outputs", lambda: _outputs(now["net_outputs"], outputs))}
            if samples is not None:
                values |= _tried(
                    recorder, "samples", lambda: {"samples": identities(now["train_dataset_element"][samples])}
                )
            if self._is_open():
                recorder._record(step, now.get("cur_epoch_num"), seconds, values)

        def on_eval_end(self, run_context: Any) -> None:
            found: dict[str, Any] = {}
            for name, value in (run_context.original_args().get("metrics") or {}).items():
                found |= _tried(recorder, str(name), partial(_numbers, str(name), value))
            if self._is_open():
                recorder._record_metrics(found)

        def _is_open(self) -> bool:
            if recorder._file < 0:
                recorder._warn(
                    "unwritten", problem=UserError("recorder-closed", path=str(recorder.path)).text(detect())
                )
            return recorder._file >= 0

    return RecorderCallback()


def _optimizer(now: Mapping[str, Any]) -> Any:
    """The optimizer of a training, None where it is hidden."""
    return now.get("optimizer") or getattr(now.get("train_network"), "optimizer", None)


def _tried(recorder: Recorder, what: str, read: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    try:
        return read()
    except Exception as error:  # whatever it is, the training is worth more than the record
        problem = error.text(detect()) if isinstance(error, UserError) else f"{type(error).__name__}: {error}"
        recorder._warn("unread", what=what, problem=problem)
        return {}


def _rate(rates: list[Any] | None) -> dict[str, Any]:
    return {} if rates is None else _numbers("lr", rates)


def _outputs(outputs: Any, names: Sequence[str] | None) -> dict[str, Any]:
    """What a training network returned, by name; a loss that is not reduced yet by its mean."""
    parts = list(outputs) if isinstance(outputs, (tuple, list)) else [outputs]
    if names is None:
        names = ["loss"]
        if len(parts) == 3 and _array(parts[1]).dtype == bool and _array(parts[2]).size == 1:
            names = ["loss", "overflow", "loss_scale"]
    found: dict[str, Any] = {}
    for name, part in zip(names, parts, strict=False):
        if name == "loss":
            array = _array(part)
            found |= _numbers(name, array if array.size == 1 else array.astype("float64").mean())
        else:
            found |= _numbers(name, part)
    return found
