"""What is said of steps on several devices: whether somebody brings their gradients together."""

from pathlib import Path

import pytest
from training_scripts import LOOP, codes, training

from accucheck.script import aggregation

INIT = "from mindspore.communication import init\nfrom mindspore import dataset as ds\ninit()\n"
MODE = "ms.set_auto_parallel_context(parallel_mode={})\n"
DATA = INIT + MODE.format("ms.ParallelMode.DATA_PARALLEL")
REDUCER = "reduce = nn.DistributedGradReducer(opt.parameters)\n"
STEP = LOOP.format(loss="loss_fn(net(x), y)", result="{}")
PLAIN = STEP.format("grads")
MODEL = "model = ms.Model(net, loss_fn, opt)\n"
SHARDS = "data = ds.MnistDataset('a', num_shards={}, shard_id=0)\n"
CELL = "nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), opt)\n"
OWN = """
class Own(nn.SGD):
    def construct(self, grads):
        grads = [{} for g in grads]
        return super().construct(grads)

opt = Own(net.trainable_params(), 0.1)
"""
SCALED = """
from mindspore.communication import get_group_size

class Step(nn.TrainOneStepWithLossScaleCell):
    def construct(self, x, y):
        loss = self.network(x, y)
        _, sens = self.start_overflow_check(loss, self.scale_sense)
        grads = self.grad(self.network, self.weights)(x, y, ops.ones_like(loss) * sens)
        grads = {}
        return ops.depend(loss, self.optimizer([g / sens for g in grads]))

opt = nn.SGD(net.trainable_params(), 0.1 * get_group_size())
step = Step(nn.WithLossCell(net, loss_fn), opt, scale())
step(x, y)
"""
IDLE = """
from mindspore.communication import get_group_size

class Step(nn.Cell):
    def __init__(self):
        super().__init__()
        self.reduce = nn.DistributedGradReducer(opt.parameters)
        self.step = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, opt.parameters)

    def construct(self, x, y):
        loss, grads = self.step(x, y)
        grads = {}
        return ops.depend(loss, opt(tuple(g / get_group_size() for g in grads)))

Step()(x, y)
"""
SAID = {
    "a reducer that the step makes and does not use": (DATA + IDLE.format("grads"), ["not-reduced"]),
    "a reducer that the step makes and uses": (DATA + IDLE.format("self.reduce(grads)"), ["reduced"]),
    "divided by a scale of a cell that knows how many there are": (DATA + SCALED.format("grads"), ["not-reduced"]),
    "divided by such a scale and reduced": (DATA + SCALED.format("self.grad_reducer(grads)"), ["reduced"]),
    "one device": (PLAIN, ["one-device"]),
    "one device, said so": (MODE.format("'stand_alone'") + PLAIN, ["one-device"]),
    "no step": (DATA, ["no-step"]),
    "neither step nor device": ("x = 1\n", ["no-step"]),
    "reduced": (DATA + REDUCER + STEP.format("reduce(grads)"), ["reduced"]),
    "reduced by an operator": (DATA + STEP.format("[ops.AllReduce()(g) for g in grads]"), ["reduced"]),
    "by a function that is not seen": (
        "from helper import finish\n" + DATA + STEP.format("finish(grads)"),
        ["unresolved"],
    ),
    "reduced by a method that says so": (
        "tools = build()\n" + DATA + STEP.format("tools.sync_grads(grads)"),
        ["reduced"],
    ),
    "reduced by the optimizer": (DATA + OWN.format("ops.AllReduce()(g)") + PLAIN, ["reduced"]),
    "an optimizer that does not": (DATA + OWN.format("g * 1.0") + PLAIN, ["not-reduced"]),
    "reduced by AdaSum": (
        DATA + "from mindspore import boost\nopt = boost.AdaSumByGradWrapCell(opt)\n" + PLAIN,
        ["reduced"],
    ),
    "the result is dropped": (
        DATA + REDUCER + PLAIN.replace("    result = grads", "    reduce(grads)\n    result = grads"),
        ["reduced-dropped"],
    ),
    "divided by how many there are": (
        "from mindspore.communication import get_group_size\n"
        + DATA
        + STEP.format("tuple(g / get_group_size() for g in grads)"),
        ["unresolved"],
    ),
    "divided by another number": (DATA + STEP.format("tuple(g / 8 for g in grads)"), ["not-reduced"]),
    "something else is dropped": (
        DATA + REDUCER + PLAIN.replace("    result = grads", "    reduce(loss)\n    result = grads"),
        ["not-reduced"],
    ),
    "not reduced": (DATA + PLAIN, ["not-reduced"]),
    "not reduced, the mode by a text": (INIT + MODE.format("'data_parallel'") + PLAIN, ["not-reduced"]),
    "not reduced, data in shards": (INIT + SHARDS.format(8) + PLAIN, ["not-reduced"]),
    "not reduced, data in one shard": (INIT + SHARDS.format(1) + PLAIN, ["not-reduced-maybe"]),
    "not reduced, no mode": (INIT + PLAIN, ["not-reduced-maybe"]),
    "not reduced, a mode that is not seen": (INIT + MODE.format("mode()") + PLAIN, ["not-reduced-maybe"]),
    "not reduced, options that are not seen": (
        INIT + "ms.set_auto_parallel_context(**options)\n" + PLAIN,
        ["not-reduced-maybe"],
    ),
    "the compiler reduces": (INIT + MODE.format("ms.ParallelMode.SEMI_AUTO_PARALLEL") + PLAIN, ["compiler"]),
    "the framework reduces": (DATA + MODEL, ["reduced-by-framework"]),
    "the framework is not told": (INIT + MODEL, ["mode-unset-maybe"]),
    "the framework is not told, data in shards": (INIT + SHARDS.format("size()") + MODEL, ["mode-unset"]),
    "the framework is told by an option": (INIT + MODE.format("mode()") + MODEL, ["mode-unknown"]),
    "a cell of the framework": (INIT + CELL, ["mode-unset-maybe"]),
    "only the step for one device": (
        "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--many', action='store_true')\n"
        "args = parser.parse_args()\nif args.many:\n    " + INIT.replace("\n", "\n    ") + "pass\nelse:\n    " + MODEL,
        [],
    ),
}


@pytest.mark.parametrize("name", SAID)
def test_what_is_said(name: str, tmp_path: Path) -> None:
    text, expected = SAID[name]
    assert codes(aggregation.examine(training(tmp_path, text))) == expected


IN_PLACE = INIT + SHARDS.format(8) + "from mindspore import mint\n" + PLAIN


@pytest.mark.parametrize(
    ("reduction", "expected"),
    [
        ("mint.distributed.all_reduce(g)", ["reduced"]),
        ("handle = mint.distributed.all_reduce(g, async_op=True)\n        handle.wait()", ["reduced"]),
        ("ops.communication.all_reduce(g, inplace=True)", ["reduced"]),
        ("ops.AllReduce()(g)", ["reduced-dropped"]),
        ("mint.distributed.all_reduce(loss)", ["not-reduced"]),
    ],
)
def test_a_reduction_that_works_in_place(reduction: str, expected: list[str], tmp_path: Path) -> None:
    text = IN_PLACE.replace("    result = grads", f"    for g in grads:\n        {reduction}\n    result = grads")
    assert codes(aggregation.examine(training(tmp_path, text))) == expected


@pytest.mark.parametrize(
    ("source", "expected"), [("mindspore.parallel.auto_parallel", "compiler"), ("helper", "mode-unset")]
)
def test_the_class_that_sets_a_parallel_mode(source: str, expected: str, tmp_path: Path) -> None:
    text = (
        INIT
        + SHARDS.format(8)
        + f"from {source} import AutoParallel\ncell = AutoParallel({CELL.strip()})\ncell(x, y)\n"
    )
    assert codes(aggregation.examine(training(tmp_path, text))) == [expected]


OWN_STEP = """
class Step(nn.Cell):
    def __init__(self, network, optimizer):
        super().__init__(auto_prefix=False)
        self.network, self.optimizer, self.weights = network, optimizer, optimizer.parameters
        self.grad, self.reduce = ops.GradOperation(get_by_list=True), None
        self.many = ms.get_auto_parallel_context("parallel_mode") in ["data_parallel"]
        if self.many:
            self.reduce = nn.DistributedGradReducer(optimizer.parameters)

    def construct(self, x, y):
        grads = self.grad(self.network, self.weights)(x, y)
        if self.many:
            USE
        return self.optimizer(grads)

cell = Step(nn.WithLossCell(net, loss_fn), opt)
"""


@pytest.mark.parametrize(
    ("use", "alone", "many"),
    [
        ("grads = self.reduce(grads)", ["one-device"], ["reduced"]),
        ("grads = ops.Partial()(self.reduce)(grads)", ["one-device"], ["unresolved"]),
        ("pass", ["reducer-idle"], ["not-reduced"]),
        ("grads = ops.clip_by_global_norm(grads)", ["reducer-idle"], ["not-reduced"]),
    ],
)
def test_a_reducer_that_a_cell_makes(use: str, alone: list[str], many: list[str], tmp_path: Path) -> None:
    text = OWN_STEP.replace("USE", use)
    assert codes(aggregation.examine(training(tmp_path, text))) == alone
    assert codes(aggregation.examine(training(tmp_path, DATA + text))) == many
