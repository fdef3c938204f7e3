"""The numbers that a script trains with, in the ways people write them: learning rates, epochs, batch sizes."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import pytest

from accucheck.script import unused_schedules
from accucheck.script.settings import Settings, of_scripts
from case_scripts import scripts

HEAD = """import argparse
import numpy as np
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn, ops
from mindspore.experimental import optim
from mindspore.nn.learning_rate_schedule import LearningRateSchedule

net = nn.Dense(4, 2)
params = net.trainable_params()
"""


def settings(root: Path, text: str, devices: int | None = None) -> Settings:
    (found,) = of_scripts(scripts(root, HEAD + textwrap.dedent(text)), devices)
    return found


#: What makes an optimizer -> what is told: the code and the rate, the schedule or the expression.
RATES: dict[str, tuple[str, list[tuple[str, Any]]]] = {
    "a number": ("nn.SGD(params, 0.1)", [("rate", "0.1")]),
    "its default": ("nn.Adam(params)", [("rate", "0.001")]),
    "none": ("optim.SGD(params)", [("rate-unknown", "?")]),
    "a tensor": ("nn.SGD(params, ms.Tensor(0.1, ms.float32))", [("rate", "0.1")]),
    "one of two": ("nn.SGD(params, 0.1 if ms.get_context('x') else 0.01)", [("rate", "0.1 | 0.01")]),
    "one of two, or out of sight": (
        "import other\nnn.SGD(params, 0.1 if ms.get_context('x') else other.rate())",
        [("rate-unknown", "0.1 | rate()")],
    ),
    "out of sight": ("import other\nnn.SGD(params, other.RATE * 8 / 256)", [("rate-unknown", "(RATE * 8) / 256")]),
    "an object": ("class Rate:\n    pass\nnn.SGD(params, Rate())", [("rate-unknown", "Rate(…)")]),
    "an optimizer of one's own": (
        """
        class Slow(nn.SGD):
            def __init__(self, params, learning_rate=0.5):
                super().__init__(params, learning_rate)

        class Cell(nn.Cell):
            def __init__(self):
                super().__init__()

        Cell()
        Slow(params, 0.01)
        """,
        [("rate", "0.01")],
    ),
    "the framework's list": (
        "nn.SGD(params, nn.cosine_decay_lr(0.0, 0.1, 900, 10, 90))",
        [("rate-computed", "cosine_decay_lr")],
    ),
    "a scheduler that nothing moves": (
        """
        opt = optim.SGD(params, lr=0.1)
        optim.lr_scheduler.StepLR(opt, 30)
        ms.Model(net, loss, opt).train(3, data)
        """,
        [("rate-schedule", "StepLR"), ("schedule-ignored", "StepLR")],
    ),
    "a scheduler that a callback moves": (
        """
        opt = optim.SGD(params, lr=0.1)
        ms.Model(net, loss, opt).train(3, data, callbacks=[moved_by(optim.lr_scheduler.StepLR(opt, 30))])
        """,
        [("rate-schedule", "StepLR")],
    ),
    "a row beside the rate": (
        """
        LR = 0.1
        rates = [LR * (1 - one / 300) for one in range(3 * data.get_dataset_size())]
        ms.Model(net, loss, nn.SGD(params, LR)).train(3, data)
        """,
        [("rate", "0.1"), ("schedule-ignored", "rates")],
    ),
    "a row beside the rate that is drawn": (
        """
        LR = 0.1
        rates = [LR * (1 - one / 300) for one in range(3 * data.get_dataset_size())]
        plot(rates)
        ms.Model(net, loss, nn.SGD(params, LR)).train(3, data)
        """,
        [("rate", "0.1")],
    ),
    "another row of as many": (
        """
        LR = 0.1
        noise = [0.5 ** one for one in range(3 * data.get_dataset_size())]
        ms.Model(net, loss, nn.SGD(params, LR)).train(3, data)
        """,
        [("rate", "0.1")],
    ),
    "a row of a dict of settings that nobody takes": (
        """
        config = {"rate": 0.1, "turns": 3}
        def falling(config, each):
            held = []
            for one in range(config["turns"] * each):
                held.append(0.5 * config["rate"] * (1 + one))
            return held
        falling(config, data.get_dataset_size())
        ms.Model(net, loss, nn.SGD(params, config["rate"])).train(config["turns"], data)
        """,
        [("rate", "0.1"), ("schedule-ignored", "falling")],
    ),
    "losses of each epoch that nobody reads": (
        """
        def fitted(rate, turns):
            held = []
            for one in range(turns):
                held.append(rate * step(one))
            return held
        fitted(0.1, 3)
        ms.Model(net, loss, nn.SGD(params, 0.1)).train(3, data)
        """,
        [("rate", "0.1")],
    ),
    "a schedule of one's own beside the rate": (
        """
        class Warm(LearningRateSchedule):
            def __init__(self, base):
                super().__init__()
                self.base = base

            def construct(self, step):
                return self.base * step

        warm = Warm(0.1)
        ms.Model(net, loss, nn.SGD(params, 0.1)).train(3, data)
        """,
        [("rate", "0.1"), ("schedule-ignored", "warm")],
    ),
    "a scheduler": (
        "opt = optim.SGD(params, lr=0.1)\noptim.lr_scheduler.StepLR(opt, 30)",
        [("rate-schedule", "StepLR")],
    ),
    "the scheduler of another": (
        "opt = optim.SGD(params, lr=0.1)\nother = optim.Adam(params, lr=0.2)\noptim.lr_scheduler.StepLR(other, 30)",
        [("rate", "0.1"), ("rate-schedule", "StepLR")],
    ),
    "a schedule of one's own": (
        """
        class Warm(LearningRateSchedule):
            def __init__(self, base, steps):
                super().__init__()
                self.base, self.steps = base, steps

            def construct(self, step):
                return self.base * step / self.steps

        nn.SGD(params, Warm(0.1, 100))
        """,
        [("rate-schedule", "Warm")],
    ),
    "a schedule of one's own within a function": (
        """
        class Warm(LearningRateSchedule):
            def __init__(self, base):
                super().__init__()

        def get_lr(base):
            return Warm(base)

        nn.SGD(params, get_lr(0.1))
        """,
        [("rate-schedule", "get_lr")],
    ),
    "a function of one's own": (
        """
        def get_lr(base, steps):
            return [base * (1 - i / steps) for i in range(steps)]

        nn.SGD(params, get_lr(0.1, 100))
        """,
        [("rate-computed", "get_lr")],
    ),
    "one of one's own around the framework's": (
        """
        def cosine(total):
            return nn.cosine_decay_lr(0.0, 0.1, total, 10, 90)

        def get_lr(total):
            return cosine(total)

        nn.SGD(params, get_lr(900))
        """,
        [("rate-computed", "get_lr")],
    ),
    "of groups": (
        "nn.SGD([{'params': params, 'lr': 0.01}, {'params': params, 'lr': 0.1}, 'order'], 0.1)",
        [("rate-groups", ["0.01", "0.1"])],
    ),
    "of a group that is to stay": (
        "nn.SGD([{'params': params, 'lr': 0.0}, {'params': params, 'lr': 0.1}], 0.1)",
        [("rate-groups", ["0.0", "0.1"])],
    ),
    "of groups that are computed of one that is huge": (
        """
        def rates(lr_init, steps):
            made = []
            for i in range(steps):
                made.append(np.interp(i, [0, steps], [0.0, lr_init]))
            return made

        nn.SGD([{'params': params, 'lr': rates(50.0, 100)}, {'order_params': params}], 0.1)
        """,
        [("rate-huge", "49.5"), ("rate-groups", ["[interp(…), …]"])],
    ),
    "huge for steps as large as the rate": ("nn.Adam(params, 50.0)", [("rate-huge-step", "50"), ("rate", "50.0")]),
    "huge for a picture": ("nn.Adam([ms.Parameter(ops.ones((3, 3)))], 50.0)", [("rate-huge", "50"), ("rate", "50.0")]),
    "none that is positive": ("nn.SGD(params, 0.0)", [("rate-not-positive", "0"), ("rate", "0.0")]),
    "none in an object that only shows": (
        """
        class Runner:
            def __init__(self, rate):
                self.opt = nn.SGD(params, rate)
                self.grad_fn = ms.value_and_grad(net, None, self.opt.parameters)

            def step(self, x):
                self.opt(self.grad_fn(x)[1])

        Runner(0.1).step(x)
        Runner(0.0)
        """,
        [("rate", "0.1"), ("rate", "0.0")],
    ),
    "huge": ("nn.SGD(params, [0.1, 100.0])", [("rate-huge", "100"), ("rate-computed", "[0.1, 100.0]")]),
    "huge, perhaps": (
        "nn.SGD(params, 100.0 if ms.get_context('x') else 0.1)",
        [("rate-huge", "100"), ("rate", "100.0 | 0.1")],
    ),
    "made twice": ("def make():\n    return nn.SGD(params, 0.1)\none, two = make(), make()", [("rate", "0.1")]),
    "no optimizer": ("print(net)", [("no-optimizer", None)]),
    "a schedule for nothing": (
        "nn.cosine_decay_lr(0.0, 0.1, 900, 10, 90)\nnn.SGD(params, 0.1)",
        [("rate", "0.1"), ("schedule-ignored", "cosine_decay_lr")],
    ),
    "a schedule for nothing in one of two stages": (
        """
        def first():
            rates = nn.cosine_decay_lr(0.0, 0.1, 900, 10, 90)
            return nn.SGD(params, 0.1)

        def second():
            rates = nn.cosine_decay_lr(0.0, 0.1, 900, 10, 90)
            return nn.SGD(params, rates)

        first(), second()
        """,
        [("rate", "0.1"), ("rate-computed", "cosine_decay_lr"), ("schedule-ignored", "cosine_decay_lr")],
    ),
    "a schedule of one's own for nothing": (
        """
        def get_lr(base, steps):
            return np.linspace(base, 0, steps)

        get_lr(0.1, 100)
        nn.SGD(params, 0.1)
        """,
        [("rate", "0.1"), ("schedule-ignored", "get_lr")],
    ),
    "rates in another type, for nothing": (
        """
        def get_lr(base, steps):
            rates = []
            for step in range(steps):
                rates.append(base * step / steps)
            return np.array(rates).astype(np.float32)[10:]

        get_lr(0.1, 100)
        nn.SGD(params, 0.1)
        """,
        [("rate", "0.1"), ("schedule-ignored", "get_lr")],
    ),
    "one or other of several schedules, for nothing": (
        """
        def get_lr(base, kind):
            rate = base
            if kind == "line":
                rate = ms.Tensor(np.linspace(base, 0, 100)[::4])
            elif kind == "wave":
                rate = ms.Tensor(base * np.cos(np.arange(100)))
            return rate

        get_lr(0.1, asked)
        nn.SGD(params, 0.1)
        """,
        [("rate", "0.1"), ("schedule-ignored", "get_lr")],
    ),
    "one or other of several schedules": (
        """
        def get_lr(base, kind):
            rate = base
            if kind == "line":
                rate = ms.Tensor(np.linspace(base, 0, 100)[::4])
            elif kind == "wave":
                rate = ms.Tensor(base * np.cos(np.arange(100)))
            return rate

        nn.SGD(params, get_lr(0.1, asked))
        """,
        [("rate-schedule", "get_lr")],
    ),
    "the first of the rates, for nothing": (
        """
        def get_lr(base, steps):
            rates = []
            for step in range(steps):
                rates.append(base * step / steps)
            return rates[0]

        get_lr(0.1, 100)
        nn.SGD(params, 0.1)
        """,
        [("rate", "0.1"), ("schedule-unused", "get_lr")],
    ),
    "numbers that are computed from the rate, for nothing": (
        """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--start", type=float, default=0.1)
        given = parser.parse_args()

        def falling(base, steps):
            return np.linspace(base, 0, steps)

        curve = falling(given.start, 100)
        nn.SGD(params, given.start)
        """,
        [("rate", "0.1"), ("schedule-ignored", "falling")],
    ),
    "several results, one of which holds the rate": (
        """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--start", type=float, default=0.1)

        def read(given):
            return {"start": given.start}, {"start": "the first rate"}, []

        held, helps, choices = read(parser.parse_args())
        nn.SGD(params, held["start"])
        """,
        [("rate", "0.1")],
    ),
    "a list of rates for nothing": (
        """
        def warm_lr(base, steps):
            rates = []
            for step in range(steps):
                rates.append(base * step / steps)
            return rates

        warm_lr(0.1, 100)
        nn.SGD(params, 0.1)
        """,
        [("rate", "0.1"), ("schedule-ignored", "warm_lr")],
    ),
    "a list of rates for another optimizer": (
        """
        def warm_lr(base, steps):
            rates = []
            for step in range(steps):
                rates.append(base * step / steps)
            return rates

        other = nn.SGD(params, warm_lr(0.1, 100))
        nn.SGD(params, 0.1)
        """,
        [("rate-computed", "warm_lr"), ("rate", "0.1")],
    ),
    "rates that are put behind others": (
        """
        def warm_lr(base, steps):
            rates = []
            for step in range(steps):
                rates.append(base * step / steps)
            return rates

        def make_lr(base, steps):
            return warm_lr(base, 10) + [base for _ in range(steps)]

        nn.SGD(params, make_lr(0.1, 100))
        """,
        [("rate-computed", "make_lr")],
    ),
    "rates that are taken one by one": (
        """
        def falling_lr(base, steps):
            rates = []
            for step in range(steps):
                rates.append(base * (1 - step / steps))
            return rates

        def split(steps):
            rates, of_bias = falling_lr(0.1, steps), []
            for step in range(steps):
                of_bias.append(np.interp(step, [0, 10], [0.0, rates[step]]))
            return [{"params": params, "lr": of_bias}]

        nn.SGD(split(100), 0.1)
        """,
        [("rate-groups", ["[interp(…), …]"])],
    ),
    "groups of parameters by their rate, which are no rates": (
        """
        def get_lr_groups(net):
            slow, fast = [], []
            for parameter in net.trainable_params():
                if "head" in parameter.name:
                    fast.append(parameter)
                else:
                    slow.append(parameter)
            return slow, fast

        get_lr_groups(ms.nn.Dense(8, 8))
        nn.SGD(params, 0.1)
        """,
        [("rate", "0.1")],
    ),
    "one rate of one's own for nothing": (
        """
        def get_lr(base, scale):
            return base * scale()

        get_lr(0.1, print)
        nn.SGD(params, 0.1)
        """,
        [("rate", "0.1"), ("schedule-unused", "get_lr")],
    ),
    "the last of more schedules than are told apart": (
        "def rates(kind):\n"
        + "".join(
            f"    if kind == {n}:\n        held = nn.cosine_decay_lr(0.0, {n}.0, 900, 10, 90)\n    el"
            for n in range(1, 11)
        ).replace("    el    if", "    elif")
        + "se:\n        raise ValueError\n    return [0.0] * 10 + held\n"
        "nn.SGD(params, rates(asked))",
        [("rate-schedule", "cosine_decay_lr")],
    ),
    "a schedule that is kept": (
        "plan = {'lr': nn.cosine_decay_lr(0.0, 0.1, 900, 10, 90)}\nnn.SGD(params, plan['lr'])",
        [("rate-computed", "cosine_decay_lr")],
    ),
}


@pytest.mark.parametrize("name", RATES)
def test_learning_rates(name: str, tmp_path: Path) -> None:
    code, expected = RATES[name]
    keys = ("rate", "rates", "expression", "schedule")
    read = settings(tmp_path, code)
    told = (*read.rates(), *unused_schedules.examine(read))
    assert [(one.code, next((one.data[k] for k in keys if k in one.data), None)) for one in told] == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("nn.Momentum(params, 0.1, 0.9)", {"learning_rate": "0.1", "momentum": "0.9", "weight_decay": "0.0"}),
        ("opt = nn.SGD(params, 0.1)\nops.assign(opt.learning_rate, 0.01)", {"learning_rate (set_data)": "0.01"}),
        (
            "opt = nn.SGD(params, 0.1)\nopt.learning_rate.set_data(ms.Tensor(0.02))",
            {"learning_rate (set_data)": "0.02"},
        ),
        (
            "opt = optim.SGD(params, 0.1)\nops.assign(opt.param_groups[0]['lr'], 0.03)",
            {"learning_rate (set_data)": "0.03"},
        ),
        (
            "opt, other = nn.SGD(params, 0.1), nn.Adam(params)\nops.assign(other.learning_rate, 0.01)",
            {"learning_rate (set_data)": None},
        ),
        ("opt = optim.SGD(params, 0.1)\noptim.lr_scheduler.StepLR(opt, 30)", {"StepLR.step_size": "30"}),
        (
            "def get_lr(cfg, steps):\n    return np.linspace(cfg['lr_init'], 0, steps)\n"
            "cfg = {'lr_init': 0.1, 'warmup_epochs': 5, 'seed': 1, 'lr_fn': print}\nnn.SGD(params, get_lr(cfg, 100))",
            {
                "get_lr.lr_init": "0.1",
                "get_lr.warmup_epochs": "5",
                "get_lr.steps": "100",
                "get_lr.seed": None,
                "get_lr.lr_fn": None,
            },
        ),
        (
            "class Config:\n    lr_init = 0.5\n    def __init__(self):\n        self.max_epoch = 90\n"
            "def get_lr(cfg):\n    return np.linspace(cfg.lr_init, 0, 10)\nnn.SGD(params, get_lr(Config()))",
            {"get_lr.max_epoch": "90"},
        ),
        (
            "class Plan:\n    def lr_list(self, base):\n        return np.linspace(base, 0, 10)\n"
            "nn.SGD(params, Plan().lr_list(0.1))",
            {"lr_list.base": "0.1", "lr_list.self": None},
        ),
        (
            "class Warm(LearningRateSchedule):\n    def __init__(self, base):\n        super().__init__()\n"
            "    def construct(self, step):\n        return step\nnn.SGD(params, Warm(0.1))",
            {"Warm.base": "0.1"},
        ),
    ],
)
def test_what_belongs_to_a_rate(code: str, expected: dict[str, str | None], tmp_path: Path) -> None:
    rows = {row.name: row.text for row in next(settings(tmp_path, code).rates()).rows}
    assert {name: rows.get(name) for name in expected} == expected


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("cfg = {}\ncfg['lr'] = 0.1\n\nnn.SGD(params, cfg['lr'])", 2),
        ("cfg = {1: 0.1, 'lr': 0.1}\n\nnn.SGD(params, cfg['lr'])", 1),
        ("\nrate: float = 0.1\nnn.SGD(params, rate)", 2),
        (
            "parser = argparse.ArgumentParser()\nparser.add_argument('-l', '--base-lr', default=0.1)\n"
            "nn.SGD(params, parser.parse_args().base_lr)",
            2,
        ),
        ("\n\nnn.SGD(params, 0.1)", 3),
        ("rate = 0.1\nrate = 0.1\nnn.SGD(params, rate)", 2),
    ],
)
def test_where_a_rate_is_set(code: str, line: int, tmp_path: Path) -> None:
    (told,) = settings(tmp_path, code).rates()
    assert (
        next(row.place for row in told.rows if row.name == "learning_rate") == f"train.py:{HEAD.count(chr(10)) + line}"
    )


DATA = "data = ds.MnistDataset('d').batch(32)\nmodel = ms.Model(net, None, {opt})\n"
SGD = "nn.SGD(params, 0.1)"


def lasting(rate: str, train: str = "model.train(100, data)") -> str:
    return f"steps = data.get_dataset_size()\nmodel = ms.Model(net, None, nn.SGD(params, {rate}))\n{train}"


WITH_STEPS = "step = nn.TrainOneStepCell(net, nn.SGD(params))\n"

#: How a script trains -> what is told: the code, and the epochs or the length of the schedule.
EPOCHS: dict[str, tuple[str, list[tuple[str, Any]]]] = {
    "a model": ("model.train(10, data)", [("epochs", "10")]),
    "a model of one's own": ("class Mine(ms.Model):\n    pass\nMine(net).train(3, data)", [("epochs", "3")]),
    "the data set alone tells": ("import other\nother.trainer().fit(epoch=4, train_dataset=data)", [("epochs", "4")]),
    "a mode of the network": ("net.set_train()\nnet.train(True)\nnet.train()", [("no-epochs", None)]),
    "something else that trains": ("import other\nother.trainer().train(5)", [("no-epochs", None)]),
    "none": ("model.train(0, data)", [("epochs-zero", "0")]),
    "out of sight": ("import other\nmodel.train(other.EPOCHS, data)", [("epochs-unknown", "EPOCHS")]),
    "a loop": ("for epoch in range(10):\n    net(epoch)", [("epochs", "10")]),
    "a loop over the steps of a schedule": (
        """
        def split(epochs, steps):
            rates = []
            for step in range(epochs * steps):
                rates.append(0.1 / (step + 1))
            return [{"params": [], "lr": rates}]
        opt = nn.SGD(split(3, 100))
        """,
        [("no-epochs", None)],
    ),
    "a loop of tqdm": ("from tqdm import tqdm\nfor i in tqdm(range(1, EPOCHS := 6)):\n    net(i)", [("epochs", "5")]),
    "named by nothing, around the data": (
        WITH_STEPS + "for a in range(3):\n    for x, y in data.create_tuple_iterator():\n        step(x, y)",
        [("epochs", "3")],
    ),
    "around a function that goes through the data": (
        WITH_STEPS + "def turn():\n    for x, y in data.create_tuple_iterator():\n        step(x, y)\n"
        "for a in range(4):\n    turn()",
        [("epochs", "4")],
    ),
    "within trainings that are made anew": (
        "for epoch in range(5):\n    part = nn.Dense(4, 2)\n"
        "    step = nn.TrainOneStepCell(part, nn.SGD(part.trainable_params()))\n"
        "    for a in range(7):\n        for x, y in data.create_tuple_iterator():\n            step(x, y)",
        [("epochs", "7")],
    ),
    "several updates of a batch": (
        WITH_STEPS + "for a in range(3):\n    for x, y in data.create_tuple_iterator():\n"
        "        for epoch in range(6):\n            step(x, y)",
        [("epochs", "3")],
    ),
    "counted, with no data seen": (
        WITH_STEPS + "for a in range(3):\n    for b in range(9):\n        step(a, b)",
        [("no-epochs", None)],
    ),
    "a loop over nothing said": ("for epoch in range():\n    net(epoch)", [("no-epochs", None)]),
    "a loop from 1": ("for epoch in range(1, 11):\n    net(epoch)", [("epochs", "10")]),
    "a loop that goes on": (
        "import other\nstart = other.start()\nfor epoch in range(start, start + 7):\n    net(epoch)",
        [("epochs", "7")],
    ),
    "a loop that goes on, the other way round": (
        "import other\nstart = other.start()\nfor epoch in range(start, 7 + start):\n    net(epoch)",
        [("epochs", "7")],
    ),
    "a loop with a step": ("for epoch in range(0, 10, 1):\n    net(epoch)", [("epochs", "10")]),
    "a configuration": (
        "class cfg:\n    max_epochs = 12\nfor i in range(cfg.max_epochs):\n    net(i)",
        [("epochs", "12")],
    ),
    "a key": ("cfg = {'epochs': 8}\nfor i in range(cfg['epochs']):\n    net(i)", [("epochs", "8")]),
    "a loop that is run twice": (
        "def run():\n    for epoch in range(10):\n        net(epoch)\nrun()\nrun()",
        [("epochs", "10")],
    ),
    "a loop over something else": ("for layer in range(10):\n    net(layer)", [("no-epochs", None)]),
    "repeated for all epochs": ("model.train(10, data.repeat(10))", [("epochs", "10"), ("epochs-twice", "10")]),
    "repeated, and trained once": ("model.train(1, data.repeat(10))", [("epochs", "1")]),
    "repeated in a loop": (
        "data = data.repeat(5)\nfor epoch in range(5):\n    for row in data.create_dict_iterator():\n        net(row['image'])",
        [("epochs", "5"), ("epochs-twice", "5")],
    ),
    "made again in each epoch": (
        "for epoch in range(5):\n    again = ds.MnistDataset('d').repeat(5)\n"
        "    for row in again.create_dict_iterator():\n        net(row['image'])",
        [("epochs", "5")],
    ),
    "a schedule as long": (lasting("nn.cosine_decay_lr(0.0, 0.1, 1000, 10, 100)"), [("epochs", "100")]),
    "a shorter schedule": (
        lasting("nn.cosine_decay_lr(0.0, 0.1, 900, 10, 90)"),
        [("epochs", "100"), ("schedule-length", "90")],
    ),
    "a schedule of no whole epochs": (lasting("nn.cosine_decay_lr(0.0, 0.1, 905, 10, 90)"), [("epochs", "100")]),
    "a shorter schedule by the data set": (
        lasting("nn.cosine_decay_lr(0.0, 0.1, 90 * steps, steps, 90)"),
        [("epochs", "100"), ("schedule-length", "90")],
    ),
    "a shorter schedule, the other way round": (
        lasting("nn.cosine_decay_lr(0.0, 0.1, steps * 90, data.get_dataset_size(), 90)"),
        [("epochs", "100"), ("schedule-length", "90")],
    ),
    "a schedule of other steps": (
        lasting("nn.cosine_decay_lr(0.0, 0.1, steps * 90, len(net), 90)"),
        [("epochs", "100")],
    ),
    "a schedule of steps less one": (
        lasting("nn.cosine_decay_lr(0.0, 0.1, steps - 1, steps, 90)"),
        [("epochs", "100")],
    ),
    "a schedule by milestones": (lasting("nn.piecewise_constant_lr([90], [0.1])"), [("epochs", "100")]),
    "a warm-up and what follows, as long together": (
        "def get_lr(base, epochs, steps):\n    return [base] * (epochs * steps)\n"
        "def warm_up(base, epochs, steps):\n    return [base / 10] * (epochs * steps)\n"
        "rates = warm_up(0.1, 3, steps) + get_lr(0.1, 97, steps)\n" + lasting("np.array(rates)"),
        [("epochs", "100")],
    ),
    "a warm-up and what follows, each of one of two functions": (
        "def stairs(lr, epochs):\n    return [lr * i / epochs for i in range(epochs) for _ in range(steps)]\n"
        "def ramp(lr, epochs):\n    return [lr * i / epochs / steps for i in range(epochs * steps)]\n"
        "def make_lr(base, num_epochs, warm, by_epoch):\n    kind = stairs if by_epoch else ramp\n"
        "    return kind(base, epochs=warm) + kind(-base, epochs=num_epochs - warm)\n"
        + lasting("make_lr(0.1, 100, 3, chosen())"),
        [("epochs", "100")],
    ),
    "a warm-up and what follows, shorter together": (
        "def ramp(base, rise, epochs, steps):\n    return [base * i / rise for i in range(epochs * steps)]\n"
        "def fall(base, epochs, steps, cycle):\n    return [base] * (epochs * steps)\n"
        "def make_lr(base, num_epochs, warm):\n"
        "    return ramp(base, warm, warm, steps) + fall(base, num_epochs - warm, steps, 1)\n"
        + lasting("make_lr(0.1, 60, 3)"),
        [("epochs", "100"), ("schedule-length", "60")],
    ),
    "a schedule of one's own": (
        "def get_lr(base, total_epochs, steps):\n    return np.linspace(base, 0, total_epochs * steps)\n"
        + lasting("get_lr(0.1, 90, steps)"),
        [("epochs", "100"), ("schedule-length", "90")],
    ),
    "a schedule of one's own, whatever its parameters are called": (
        "def sink(top, rounds, each):\n    made = []\n    for i in range(rounds * each):\n"
        "        made.append(top / (1 + i // each))\n    return made\n"
        + lasting("np.array(sink(0.1, 90, steps), np.float32)"),
        [("epochs", "100"), ("schedule-length", "90")],
    ),
    "a schedule of one's own for every second step": (
        "def sink(top, rounds, each):\n    return [top] * (rounds * each // 2)\n" + lasting("sink(0.1, 100, steps)"),
        [("epochs", "100")],
    ),
    "a schedule of one's own as long, in two parts": (
        "def sink(top, rounds, each):\n    made = []\n    for i in range(rounds * each):\n"
        "        made.append(top / (1 + i // each))\n    return made\n"
        + lasting("sink(0.1, 10, steps) + sink(0.05, 90, data.get_dataset_size())"),
        [("epochs", "100")],
    ),
    "a schedule of one's own as long": (
        "def get_lr(base, total_epochs, steps):\n    return np.linspace(base, 0, total_epochs * steps)\n"
        + lasting("get_lr(0.1, 100, steps)"),
        [("epochs", "100")],
    ),
}


@pytest.mark.parametrize("name", EPOCHS)
def test_epochs(name: str, tmp_path: Path) -> None:
    code, expected = EPOCHS[name]
    found = settings(tmp_path, DATA.format(opt=SGD) + textwrap.dedent(code)).epochs()
    assert [(one.code, one.data.get("length", one.data.get("epochs"))) for one in found] == expected


#: How data are batched -> what is told: the code, and the size.
BATCHES: dict[str, tuple[str, list[tuple[str, Any]]]] = {
    "a number": ("data = ds.MnistDataset('d').batch(32)", [("batch", "32")]),
    "by length": (
        "data = ds.TextFileDataset('d').bucket_batch_by_length(['text'], [10, 20], [64, 32, 16])",
        [("batch", "[64, 32, 16]")],
    ),
    "none": ("data = ds.MnistDataset('d').batch(0)", [("batch-not-positive", "0")]),
    "large": ("data = ds.MnistDataset('d').batch(32768)", [("batch", "32768")]),
    "far too large": ("data = ds.MnistDataset('d').batch(2 * 32768)", [("batch-huge", "65536")]),
    "out of sight": ("import other\ndata = ds.MnistDataset('d').batch(other.SIZE)", [("batch-unknown", "SIZE")]),
    "not at all": ("data = ds.MnistDataset('d')", [("no-batch", None)]),
    "by a loader elsewhere": ("import zoo\ntrain_set = zoo.create_dataset('d', batch_size=16)", [("batch", "16")]),
    "by one for evaluation": ("import zoo\neval_set = zoo.create_dataset('d', batch_size=16)", [("no-batch", None)]),
    "by what loads no data": (
        "import zoo\nzoo.Trainer(batch_size=16)\nzoo.batch_norm(batch_size=4)",
        [("no-batch", None)],
    ),
    "by a loader of one's own": (
        "def create_loader(path, batch_size):\n    return list(open(path))\ncreate_loader('d', 24)",
        [("batch", "24")],
    ),
    "by an iterator of one's own": (
        "class DataIter:\n    def __init__(self, path, batch_size):\n        self.size = batch_size\ntrain = DataIter('d', 12)",
        [("batch", "12")],
    ),
    "by one of one's own for evaluation": (
        "class DataIter:\n    def __init__(self, path, batch_size):\n        self.size = batch_size\nval = DataIter('d', 12)",
        [("no-batch", None)],
    ),
}


@pytest.mark.parametrize("name", BATCHES)
def test_batch_sizes(name: str, tmp_path: Path) -> None:
    code, expected = BATCHES[name]
    assert [(one.code, one.data.get("batch")) for one in settings(tmp_path, code).batches()] == expected


def test_what_multiplies_a_batch(tmp_path: Path) -> None:
    """The devices of the case, else of the script; the steps that gradients are accumulated over."""
    context = "ms.set_auto_parallel_context(device_num=8)\n"
    steps = "import zoo\nzoo.Trainer(net, gradient_accumulation_steps=4, accumulate=1)\n"
    batch = "data = ds.MnistDataset('d').batch(32)"
    cases = {(context + batch, None): ("256", None), (context + batch, 2): ("64", None), (batch, 1): (None, None)}
    cases[steps + batch, None] = (None, "4")
    found = {}
    for text, devices in cases:
        (told,) = settings(tmp_path, text, devices).batches()
        rows = {row.name: row.text for row in told.rows}
        assert "accumulate" not in rows
        found[text, devices] = told.data.get("total"), rows.get("gradient_accumulation_steps")
    assert found == cases
