"""What depends on the rank, how many devices a condition speaks of, and how a script runs on several of them."""

import ast
from pathlib import Path

import pytest

from accucheck.script import ranks
from accucheck.script.project import Project
from accucheck.script.source import read
from accucheck.script.trace import Trace, follow
from accucheck.script.training import assumption
from accucheck.script.values import Call

HEAD = """
import os
import mindspore as ms
from mindspore import mint, ops
from mindspore.communication import init, get_rank, get_group_size
import mindspore.communication as comm

args, cfg = parse()
env = os.environ
"""


def trace(folder: Path, text: str) -> Trace:
    (folder / "train.py").write_text(HEAD + text)
    source, project = read(folder / "train.py", "train.py"), Project(folder, folder)
    return follow(source, assumption("train"), project.find, folder)


def call(made: Trace, last: str) -> Call:
    return next(one for one in made.calls if one.last == last)


KINDS = {
    "get_rank()": {"rank"},
    "comm.get_rank() + 1": {"rank"},
    "get_group_size()": {"size"},
    "seed + get_rank() * get_group_size()": {"rank", "size"},
    "comm.get_local_rank()": {"rank"},
    "mint.distributed.get_world_size()": {"size"},
    "int(os.getenv('RANK_ID', '0'))": {"rank"},
    "os.environ['RANK_SIZE']": {"size"},
    "os.environ.get('DEVICE_ID')": {"device"},
    "os.environ.get(name)": set(),
    "os.environ.copy()": set(),
    "os.getenv('HOME')": set(),
    "args.rank_id": {"rank"},
    "cfg.device_num": {"size"},
    "args.batch_size": set(),
    "cfg['rank']": {"rank"},
    "cfg['path']": set(),
    "env.get('RANK')": {"rank"},
    "(env if args.a else other).get('RANK')": {"rank"},
    "rank": {"rank"},
    "world_size": {"size"},
    "group.get_rank()": {"rank"},
    "group.get_group_size()": {"size"},
    "group.get_name()": set(),
    "helper.get_device_id()": {"device"},
    "sys.argv[1]": set(),
    "7": set(),
}


@pytest.mark.parametrize("expression", KINDS)
def test_what_a_value_is_made_of(expression: str, tmp_path: Path) -> None:
    made = trace(tmp_path, f"import sys\nimport helper\ngroup = make()\nms.set_seed({expression})\n")
    assert ranks.kinds(call(made, "set_seed").args[0]) == KINDS[expression]


#: Whether only several devices take the way on which the condition holds, and the one on which it does not.
WAYS: dict[str, tuple[bool | None, bool | None]] = {
    "distributed": (True, False),
    "args.is_distributed": (True, False),
    "cfg['distributed']": (True, False),
    "cfg[0]": (None, None),
    "not distributed": (False, True),
    "distributed and verbose": (True, False),
    "distributed and args.parallel": (True, False),
    "not distributed and not args.parallel": (False, True),
    "distributed or verbose": (None, False),
    "not distributed or verbose": (False, True),
    "distributed or device_num > 1": (True, False),
    "verbose and fast": (None, None),
    "device_num > 1": (True, False),
    "1 < device_num": (True, False),
    "device_num >= 2": (True, False),
    "device_num >= 1": (None, False),
    "device_num > 0": (None, False),
    "device_num <= 1": (False, True),
    "device_num < 2": (False, True),
    "2 > device_num": (False, True),
    "device_num <= 4": (None, None),
    "device_num < 8": (None, None),
    "device_num == 1": (False, True),
    "device_num != 1": (True, False),
    "args.run_distribute == 1": (True, False),
    "is_distributed == 0": (False, True),
    "use_multi_gpu != 1": (False, True),
    "args.distribute_num == 1": (False, True),
    "device_num == 8": (True, False),
    "device_num == other": (None, None),
    "device_num > other": (None, None),
    "device_num > 'a'": (None, None),
    "device_num == 1.5": (None, None),
    "device_num in (2, 4)": (None, None),
    "1 < device_num < 9": (None, None),
    "int(os.getenv('RANK_SIZE', '1')) > 1": (True, False),
    "get_group_size() > 1": (True, False),
    "args.distribute.lower() == 'true'": (True, False),
    "args.distribute == 'false'": (False, True),
    "args.distribute != 'false'": (True, False),
    "args.distribute == 'ring'": (None, None),
    "args.distribute is True": (True, False),
    "args.distribute is not None": (True, False),
    "rank_id is None": (False, True),
    "rank_id == 0": (None, None),
    "epochs > 1": (None, None),
    "parallel_mode == 'stand_alone'": (False, True),
    "args.parallel_mode != ms.ParallelMode.STAND_ALONE": (True, False),
    "parallel_mode == ParallelMode.DATA_PARALLEL": (True, False),
    "parallel_mode in ('data_parallel', 'auto_parallel')": (True, False),
    "parallel_mode == chosen": (None, None),
    "ready()": (None, None),
}


@pytest.mark.parametrize("condition", WAYS)
def test_ways_of_a_condition(condition: str) -> None:
    node = ast.parse(condition, mode="eval").body
    assert (ranks.way(node, True), ranks.way(node, False)) == WAYS[condition]


TOGETHER = {
    ("flag()", "other()"): True,
    ("a", "a"): True,
    ("a", "not a"): False,
    ("a and b", "not b"): False,
    ("not (a or b)", "b"): False,
    ("a or b", "not b"): True,
    ("not (a and b)", "b"): True,
}


@pytest.mark.parametrize(("one", "other"), TOGETHER)
def test_conditions_that_exclude_each_other(one: str, other: str, tmp_path: Path) -> None:
    made = trace(tmp_path, f"a, b = read()\nif {one}:\n    ms.set_seed(1)\nif {other}:\n    init()\n")
    tests = [ranks.tests_of(call(made, name)) for name in ("set_seed", "init")]
    assert ranks.together(*tests) is ranks.together(*reversed(tests)) is TOGETHER[one, other]


def test_a_handler_of_an_exception_decides_nothing(tmp_path: Path) -> None:
    made = trace(tmp_path, "try:\n    init()\nexcept RuntimeError:\n    ms.set_seed(1)\n")
    tests = ranks.tests_of(call(made, "set_seed"))
    assert ranks.branch(tests) is None
    assert ranks.together(tests, tests)


BRANCHES = {
    "if distributed:\n    ms.set_seed(1)": True,
    "if distributed:\n    pass\nelse:\n    ms.set_seed(1)": False,
    "if ready:\n    ms.set_seed(1)": None,
    "def f():\n    ms.set_seed(1)\nif distributed:\n    f()": True,
    "def f():\n    if ready:\n        ms.set_seed(1)\nif device_num == 1:\n    f()": False,
    # how many there are, whatever that is called
    "n = get_group_size()\nif n > 1:\n    ms.set_seed(1)": True,
    "n = get_group_size()\nif n == 1:\n    ms.set_seed(1)": False,
    "def f(n):\n    if n == 1:\n        return\n    ms.set_seed(1)\nf(get_group_size())": True,
    "def f(n):\n    if n > 1:\n        return\n    ms.set_seed(1)\nf(get_group_size())": False,
    "def f(n):\n    if ready:\n        return\n    ms.set_seed(1)\nf(get_group_size())": None,
    "n = get_group_size()\nif not 1 < n:\n    ms.set_seed(1)": False,
    "n = int(os.environ['RANK_SIZE'])\nif n > 1:\n    ms.set_seed(1)": True,
    "n = get_group_size() if distributed else 1\nif n > 1:\n    ms.set_seed(1)": True,
    "n = get_group_size() if ready else other()\nif n > 1:\n    ms.set_seed(1)": None,
    "n = 256 // get_group_size()\nif n > 1:\n    ms.set_seed(1)": None,
    "n = get_rank()\nif n > 1:\n    ms.set_seed(1)": None,
}


@pytest.mark.parametrize("code", BRANCHES)
def test_who_comes_to_a_call(code: str, tmp_path: Path) -> None:
    made = trace(tmp_path, "distributed, ready, device_num = read()\n" + code + "\n")
    assert ranks.branch(ranks.tests_of(call(made, "set_seed"))) is BRANCHES[code]


SET = "ms.set_auto_parallel_context({})\n"
#: (distributed, the whole batch on each device, perhaps so, modes, broadcasts)
DEPLOYMENTS = {
    "init()\n" + SET.format("parallel_mode='data_parallel'"): (True, False, False, ["data_parallel"], 0),
    "mint.distributed.init_process_group()\n": (True, False, False, [], 0),
    SET.format("parallel_mode=ms.ParallelMode.SEMI_AUTO_PARALLEL, full_batch=True"): (
        *(False, True, False),
        ["semi_auto_parallel"],
        0,
    ),
    SET.format("parallel_mode=1, full_batch=False"): (False, False, False, [], 0),
    SET.format("full_batch=args.full"): (False, False, True, [], 0),
    SET.format("dataset_strategy='full_batch'"): (False, True, False, [], 0),
    SET.format("dataset_strategy='data_parallel'"): (False, False, False, [], 0),
    SET.format("dataset_strategy=None"): (False, False, False, [], 0),
    SET.format("dataset_strategy=((1, 1),)"): (False, True, False, [], 0),
    SET.format("parameter_broadcast=True"): (False, False, False, [], 1),
    "init()\nops.Broadcast(0)\nnet.sync_params()\n": (True, False, False, [], 2),
    "if device_num == 1:\n    init()\n": (False, False, False, [], 0),
}


@pytest.mark.parametrize("code", DEPLOYMENTS)
def test_deployment(code: str, tmp_path: Path) -> None:
    found = ranks.deployment(trace(tmp_path, "device_num, net = read()\n" + code))
    said = found.distributed is not None, found.whole_batch is not None, found.perhaps_whole
    assert (*said, list(found.modes()), len(found.broadcasts)) == DEPLOYMENTS[code]


def test_constants(tmp_path: Path) -> None:
    made = trace(tmp_path, "ms.set_seed(1 if a() else 2)\nms.set_context(b())\n")
    assert ranks.constant(call(made, "set_seed").args[0])
    assert not ranks.constant(call(made, "set_context").args[0])
    assert not ranks.constant(None)
