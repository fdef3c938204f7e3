"""The rates that schedules give, against those that Python gives for the same code."""

from __future__ import annotations

import math
import textwrap
from pathlib import Path
from typing import Any

import pytest

from accucheck.script.analysis import Reading
from accucheck.script.computed_rates import Rates, compute
from accucheck.script.settings import HIGHEST, Settings, of_scripts
from case_scripts import scripts

HEAD = """import math
import numpy as np
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn, ops
from mindspore.nn.learning_rate_schedule import LearningRateSchedule

net = nn.Dense(4, 2)
steps = ds.MnistDataset("train").batch(32).get_dataset_size()
"""

#: How people write schedules: code that gives `rate`, where an epoch has `steps` steps.
ROWS = {
    "a list that a loop fills": """
        def get_lr(init, peak, end, warmup, total, steps):
            rates = []
            for step in range(total * steps):
                if step < warmup * steps:
                    rate = init + (peak - init) * step / (warmup * steps)
                else:
                    done = (step - warmup * steps) / ((total - warmup) * steps)
                    rate = end + (peak - end) * (1.0 + math.cos(math.pi * done)) / 2.0
                rates.append(rate)
            return np.array(rates).astype(np.float32)

        rate = ms.Tensor(get_lr(0.001, 0.4, 0.0001, 2, 10, steps))
        """,
    "functions of functions, and a part of the row": """
        def warm(step, length, init, base):
            gap = (float(base) - float(init)) / float(length)
            return float(init) + gap * step

        def cosine(step, length, base):
            return (1 + math.cos(math.pi * step / length)) / 2 * base

        def dynamic_lr(base, start, epochs, *, warm_epochs=1):
            length, total = warm_epochs * steps, epochs * steps
            made = []
            for i in range(total):
                made += [warm(i, length, 1 / 3, base)] if i < length else [cosine(i - length, total - length, base)]
            return made[start * steps:]

        rate = dynamic_lr(0.05, 0, 4)
        """,
    "steps at milestones": """
        def get_lr(base, milestones, gamma, epochs):
            row = np.ones(epochs * steps) * base
            for at in milestones:
                row[at * steps:] = row[at * steps:] * gamma
            return row

        rate = ms.Tensor(get_lr(8, (2, 4), 0.5, 6), ms.float32)
        """,
    "by comprehension": """
        def poly(base, epochs, power=0.9):
            total = epochs * steps
            return [base * (1 - i / total) ** power for i in range(total) if i >= 0]

        rate = poly(0.02, 3)
        """,
    "limits, whole powers and parts": """
        def get_lr(base):
            rates = []
            for i in range(2 ** 2 * steps):
                share = np.clip(1.0 - i / steps, 0, 1)
                rates.append(base * share + 0.01 * 2 ** (i // (2 * steps)))
            return rates

        rate = get_lr(0.5)
        """,
    "arrays joined": """
        rate = np.concatenate((np.linspace(0, 0.8, steps * 2), 0.8 * np.exp(-np.arange(steps * 3) / steps)), axis=0)
        """,
    "an array that is added to": """
        def get_lr(base):
            row = np.linspace(base, 0, steps * 4)
            row += np.ones(steps * 4) * 0.1
            row[steps:] *= 2
            return row

        rate = get_lr(0.3)
        """,
    "until it is long enough": """
        def staircase(base, total):
            rates, rate = [], base
            while len(rates) < total:
                rates.extend([rate] * steps)
                rate = max(rate * 0.5, 1e-4)
                if rate <= 1e-3:
                    break
            return rates[:total]

        rate = staircase(12.0, 5 * steps)
        """,
    "the framework's, after a warm-up": """
        def get_lr(peak, epochs):
            first = nn.warmup_lr(peak, 2 * steps, steps, 2)
            return first + nn.cosine_decay_lr(0.0, peak, (epochs - 2) * steps, steps, epochs - 2)

        rate = get_lr(0.3, 5)
        """,
    "a nested function and a choice": """
        def build(kind, base):
            def one(epoch):
                return base * 0.1 ** (epoch // 2) if kind == "step" else base / (epoch + 1)
            row = []
            for epoch in range(6):
                print("epoch", epoch)
                row.append(one(epoch))
            return sum([[each] * steps for each in row], []) if False else [row[i // steps] for i in range(6 * steps)]

        rate = build("step", 0.7)
        """,
    "a number that a loop computes": """
        def get_lr(rate):
            for i in range(3):
                rate = rate * 5
            return [rate] * steps

        rate = get_lr(0.01)
        """,
    "an object's method": """
        class Schedule:
            def __init__(self, base, epochs):
                self.base, self.total = base, epochs * steps
                self.low = base / 100

            def at(self, step):
                return max(self.low, self.base * (1 - step / self.total))

            def every(self):
                return [self.at(step) for step in range(self.total)]

        rate = Schedule(0.25, 4).every()
        """,
}


def reading(root: Path, code: str) -> tuple[Reading, Settings]:
    text = HEAD + textwrap.dedent(code) + "\noptimizer = nn.SGD(net.trainable_params(), rate)\n"
    found = scripts(root, text)
    (settings,) = of_scripts(found, None)
    return found.training[0], settings


def computed(root: Path, code: str) -> Rates | None:
    read, settings = reading(root, code)
    ((_, _, bound),) = settings.optimizers()
    return compute(read.trace, bound["learning_rate"])


class _Lists:
    """The list functions of MindSpore, for running a schedule as it is."""

    @staticmethod
    def warmup_lr(*given: Any) -> Any:
        import mindspore as ms

        return ms.nn.warmup_lr(*given)

    @staticmethod
    def cosine_decay_lr(*given: Any) -> Any:
        import mindspore as ms

        return ms.nn.cosine_decay_lr(*given)


@pytest.mark.parametrize("name", ROWS)
def test_rates_are_those_of_the_script(name: str, tmp_path: Path) -> None:
    import mindspore as ms
    import numpy as np

    held: dict[str, Any] = {"math": math, "np": np, "ms": ms, "nn": _Lists, "steps": 1000}
    exec(compile(textwrap.dedent(ROWS[name]), name, "exec"), held)
    row = held["rate"].asnumpy().tolist() if isinstance(held["rate"], ms.Tensor) else list(held["rate"])
    found = computed(tmp_path, ROWS[name])
    assert found is not None
    assert found.highest == pytest.approx(max(row), rel=0.1)
    assert found.first == pytest.approx(row[0], rel=0.1, abs=1e-4)
    assert found.last is None or found.last == pytest.approx(row[-1], rel=0.1, abs=0.02)
    assert found.settled


def test_a_schedule_of_the_project_by_step(tmp_path: Path) -> None:
    found = computed(
        tmp_path,
        """
        class Rates(LearningRateSchedule):
            def __init__(self, peak, end, warmup, total):
                super().__init__()
                self.warm = False
                if warmup > 0:
                    self.warm = True
                    self.warmup_lr = nn.WarmUpLR(peak, warmup)
                self.decay = nn.PolynomialDecayLR(peak, end, total, 1.0)
                self.greater, self.cast = ops.Greater(), ops.Cast()
                self.warmup = ms.Tensor(np.array([warmup]).astype(np.float32))
                self.one = ms.Tensor(np.array([1.0]).astype(np.float32))

            def construct(self, global_step):
                rate = self.decay(global_step)
                if self.warm:
                    begins = self.cast(self.greater(self.warmup, global_step), ms.float32)
                    rate = (self.one - begins) * rate + begins * self.warmup_lr(global_step)
                return rate

        rate = Rates(0.4, 0.0, 100, 1000)
        """,
    )
    assert found is not None
    assert (found.first, found.last) == (0.0, None)
    assert found.highest == pytest.approx(0.396)


UNKNOWN = {
    "one that a loop of the script computes": "rate = 0.1\nfor i in range(9):\n    rate = rate * 10",
    "an array that is changed afterwards": "rate = np.ones(100)\nrate[50:] *= 100",
    "a rate that is out of sight": "rate = [given.rate * i / steps for i in range(steps)]",
    "one of several": "rate = np.linspace(0.1 if given else 0.01, 0, steps)",
    "a file": "rate = np.loadtxt('rates.txt') * 2",
    "a loop without an end": """
        def get_lr():
            rates = []
            while True:
                rates.append(0.1)
            return rates

        rate = get_lr()
        """,
    "a number beyond all bounds": "rate = [9 ** 9 ** 9 ** i for i in range(9)]",
    "a row beyond all bounds": "rate = [0.1] * steps * 10 ** 12",
    "itself": """
        def get_lr(step):
            return get_lr(step + 1)

        rate = get_lr(0)
        """,
    "a kind that is out of sight": """
        def get_lr(base):
            if given.kind == "cosine":
                return [base * 1000] * steps
            return [base] * steps

        rate = get_lr(0.1)
        """,
    "a flag that is out of sight": """
        big = ms.get_context("big")

        def get_lr(base):
            if big:
                return [base * 1000] * steps
            return [base] * steps

        rate = get_lr(0.1)
        """,
    "one that grows as long as it is asked": """
        class Rates(LearningRateSchedule):
            def construct(self, step):
                return 0.1 * step

        rate = Rates()
        """,
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_cannot_be_computed(name: str, tmp_path: Path) -> None:
    assert computed(tmp_path, "given = ms.get_context('x')\n" + textwrap.dedent(UNKNOWN[name])) is None


def test_a_default_may_be_another_rate_at_run_time(tmp_path: Path) -> None:
    found = computed(
        tmp_path,
        """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--lr", type=float, default=0.1)
        args = parser.parse_args()
        rate = np.linspace(args.lr, 0, steps)
        """,
    )
    assert found == Rates(0.1, 0.1, 0.0, False, 1, frozenset({"last"}))


def test_how_many_epochs_a_row_lasts(tmp_path: Path) -> None:
    rows = {"np.linspace(1, 0, 7 * steps)": 7, "[0.1] * 70": None, "[0.1] * (7 * steps + 5)": None, "0.1": None}
    for row, epochs in rows.items():
        found = computed(tmp_path, f"rate = {row}")
        assert found is not None and found.epochs == epochs
    found = computed(tmp_path, "rate = [0.1] * (3 * int(ms.get_context('batches')))")
    assert found is not None and found.epochs is None


def huge(root: Path, peak: float) -> list[tuple[str, Any]]:
    _, settings = reading(
        root,
        f"""
        def get_lr(strength, epochs):
            made = []
            for i in range(epochs * steps):
                made.append(strength * 2 * (1 - i / (epochs * steps)))
            return made

        rate = get_lr({peak}, 3)
        """,
    )
    return [(one.code, one.data.get("rate")) for one in settings.rates()]


def test_a_huge_rate_is_told_whatever_it_is_called(tmp_path: Path) -> None:
    assert huge(tmp_path, 25.0) == [("rate-huge", "50"), ("rate-schedule", None)]


def test_a_usual_rate(tmp_path: Path) -> None:
    assert huge(tmp_path, 0.05) == [("rate-schedule", None)]


def test_a_schedule_that_never_rises_above_zero(tmp_path: Path) -> None:
    _, settings = reading(tmp_path, "rate = -0.1 * np.linspace(1, 0, steps)")
    assert next(one.code for one in settings.rates()) == "rate-not-positive"


def test_the_rates_are_among_the_settings(tmp_path: Path) -> None:
    _, settings = reading(tmp_path, ROWS["a list that a loop fills"])
    (told,) = settings.rates()
    assert [told.data.get(key) for key in ("first", "highest", "last")] == ["0.001", "0.4", "< 0.012"]
    assert [(row.text, row.origin) for row in told.rows if row.name == HIGHEST] == [("0.4", "computed")]


HOSTILE = {
    "numbers that double": "row = 2\nfor i in range(1000):\n    row = row * row\nreturn [row]",
    "texts that double": "text = 'a'\nfor i in range(1000):\n    text = text + text\nreturn [len(text)]",
    "arrays of powers": "return np.arange(9) ** 10 ** 9",
    "arrays that double": "row = np.arange(2, 9)\nfor i in range(1000):\n    row = row * row\nreturn row",
    "lists in lists": "row = [[0.1] * 99999] * 99999\nreturn np.cos(np.array(row))",
    "a sum of lists": "return sum([[0.1] * 99999] * 99999, [])",
    "rows joined": "return np.concatenate([[0.1] * 99999] * 99999)",
    "a range without end": "return [0.1 for i in range(10 ** 30)]",
    "a list in itself": "row = [0.1]\nfor i in range(100):\n    row.append(row)\nreturn row",
    "many copies": "row, last = [0.1] * 99999, []\nfor i in range(10 ** 5):\n    last = row[:]\nreturn last",
    "many sorts": "row = [0.1] * 99999\nfor i in range(10 ** 5):\n    row.sort()\n    rate = row[i]\nreturn [rate]",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_code_ends(name: str, tmp_path: Path) -> None:
    body = textwrap.indent(HOSTILE[name], "    ")
    assert computed(tmp_path, f"def get_lr():\n{body}\n\nrate = get_lr()\n") is None


SCHEDULERS = ("constant", "cosine_decay", "exponential_decay", "polynomial_decay", "step_decay", "multi_step_decay")


@pytest.mark.parametrize("kind", SCHEDULERS)
def test_rates_of_mindcv_are_those_it_gives(kind: str, tmp_path: Path) -> None:
    factory = pytest.importorskip("mindcv.scheduler.scheduler_factory")
    given = f"'{kind}', lr=0.5, min_lr=0.01, warmup_epochs=2, decay_epochs=6, decay_rate=0.9, milestones=[3, 5], num_epochs=8"
    row = eval(f"factory.create_scheduler(200, {given})", {"factory": factory})
    code = f"from mindcv.scheduler import create_scheduler\nrate = create_scheduler(steps, {given})"
    found = computed(tmp_path, code)
    assert found is not None
    assert found.highest == pytest.approx(max(row))
    assert found.first == row[0] == 0.0
    assert found.last is None or found.last == pytest.approx(row[-1], rel=0.3)
