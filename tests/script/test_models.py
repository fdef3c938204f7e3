"""What calls of known libraries give: gradient functions, training cells, containers, options and configuration files."""

import textwrap
from pathlib import Path
from typing import Any

import pytest

from accucheck.script.flow import derives, find, sources, users
from accucheck.script.networks import leaves
from accucheck.script.project import Project
from accucheck.script.source import read
from accucheck.script.trace import Trace, follow
from accucheck.script.values import Call, Instance, Items, KnownValue, UnknownValue, Value, options

HEAD = "import mindspore as ms\nfrom mindspore import nn, ops\n"


def trace(root: Path, script: str, **files: str) -> Trace:
    for name, text in {"main.py": HEAD + textwrap.dedent(script), **files}.items():
        path = root / name.replace("__", "/").replace("_yaml", ".yaml").replace("_py", ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
    return follow(read(root / "main.py", "main.py"), lambda name, compared: None, Project(root, root).find, root)


def given(found: Trace, name: str = "show") -> Value:
    """What the script hands to show()."""
    (call,) = [call for call in found.calls if call.name == name]
    return call.args[0]


def told(value: Value | None) -> Any:
    """Constants as Python values, ... for what is unknown."""
    if isinstance(value, Items):
        return [told(item) for item in value.items]
    found = [option.value if isinstance(option, KnownValue) else ... for option in options(value)]
    return found[0] if len(found) == 1 else set(found)


NETWORK = """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(4, 2)

    def construct(self, x):
        return self.dense(x)

net = Net()
"""


@pytest.mark.parametrize(
    "step",
    [
        "grad_fn = ms.value_and_grad(forward, None, net.trainable_params())\nloss, grads = grad_fn(x, y)",
        "grad_fn = ms.value_and_grad(forward, None, net.trainable_params(), has_aux=True)\n(loss, aux), grads = grad_fn(x, y)",
        "grads = ops.grad(forward, None, net.trainable_params())(x, y)",
        "grads = ops.GradOperation(get_by_list=True)(forward, net.trainable_params())(x, y)",
        "grads = ops.GradOperation(get_by_list=True, sens_param=True)(forward, net.trainable_params())(x, y, sens)",
        "@ms.jit\ndef step(x, y):\n    return ms.value_and_grad(forward, None, net.trainable_params())(x, y)\nloss, grads = step(x, y)",
    ],
)
def test_gradients_come_from_what_the_function_returns(tmp_path: Path, step: str) -> None:
    script = NETWORK + "def forward(x, y):\n    return loss_fn(net(x), y) * 1024\n" + step + "\nshow(grads)\n"
    scaled = find(given(trace(tmp_path, script)), lambda made: made.name == "*")
    assert scaled is not None and told(scaled.args[1]) == 1024
    assert find(scaled, lambda made: isinstance(made.base, Call) and made.base.api == "nn.Dense") is not None


def test_a_mapped_graph_of_functions_is_followed(tmp_path: Path) -> None:
    found = trace(
        tmp_path,
        """
        unscale = ops.MultitypeFuncGraph("unscale")

        @unscale.register("Tensor", "Tensor")
        def _unscale(scale, grad):
            return grad / scale

        grads = get()
        show(ops.HyperMap()(ops.partial(unscale, ms.Tensor(1024)), grads))
        """,
    )
    divided = find(given(found), lambda made: made.name == "/")
    assert divided is not None and derives(divided.args[0], next(c for c in found.calls if c.name == "get"))
    assert divided.functions == ("_unscale",)


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("copy.copy([1, 2])", [1, 2]),
        ("copy.copy(load())", ...),
        ("copy.deepcopy([1, [2, 3]])", [1, [2, 3]]),
        ("copy.deepcopy({'a': [1]})['a']", [1]),
        ("copy.deepcopy([nn.Dense(1, 1)])", [...]),  # other layers
        ("copy.deepcopy([load()])", ...),
        ("copy.deepcopy({'a': load()})", ...),
        ("filter(None, [1, 0, None, 2])", [1, 2]),
        ("filter(positive, [1, 2])", ...),
        ("itertools.chain([1], (2, 3))", [1, 2, 3]),
        ("itertools.chain([1], load())", ...),
    ],
)
def test_copies_of_lists(tmp_path: Path, code: str, value: Any) -> None:
    assert told(given(trace(tmp_path, f"import copy, itertools\nshow({code})\n"))) == value


@pytest.mark.parametrize(
    "made",
    [
        "nn.Dense(4, 4)",
        "Block()",
        "nn.SequentialCell(Block(), nn.ReLU())",
        "nn.CellList([Block() for _ in range(load())])",
        "[Block(), nn.Dense(4, 4)]",
    ],
)
def test_a_copied_layer_is_another_layer(tmp_path: Path, made: str) -> None:
    code = f"""
import copy
class Block(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense, self.scale = nn.Dense(4, 4), load()
        self.again = self.dense
        self.runs = self._run
    def _run(self, x):
        return self.dense(x)
    def construct(self, x):
        return self.runs(x)
held = {made}
show(held, copy.deepcopy(held))
"""
    held, copied = next(call for call in trace(tmp_path, code).calls if call.name == "show").args
    first, second = (dict(leaves(value)) for value in (held, copied))
    assert first and first.keys() == second.keys()
    assert not {id(leaf) for leaf in first.values()} & {id(leaf) for leaf in second.values()}


def test_a_copied_cell_runs_with_its_own_layers(tmp_path: Path) -> None:
    code = """
import copy
class Block(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(4, 4)
        self.again = self.dense
    def construct(self, x):
        return self.again(self.dense(x))
block = Block()
other = copy.deepcopy(block)
other(data)
"""
    found = trace(tmp_path, code)
    block, other = found.instances
    assert other.attributes["dense"] is other.attributes["again"] is not block.attributes["dense"]
    assert [call.base for call in found.calls if call.name == ""] == [other.attributes["dense"]] * 2


@pytest.mark.parametrize(
    ("made", "count"),
    [
        ("[nn.Dense(4, 4)] + [nn.Dense(4, 4) for _ in range(load())]", 2),
        ("[nn.Dense(4, 4) for _ in range(load())] + [nn.ReLU(), nn.Dense(4, 2)]", 3),
        ("[nn.Dense(4, 4) for _ in range(load())] + [nn.ReLU() for _ in range(load())]", 2),
    ],
)
def test_lists_of_cells_that_are_joined(tmp_path: Path, made: str, count: int) -> None:
    found = trace(tmp_path, f"net = nn.SequentialCell(*({made}))\nnet(data)\nshow({made})\n")
    joined = given(found)
    assert isinstance(joined, Items) and joined.open and len(joined.items) == count
    assert len([call for call in found.calls if call.name == "" and call.base is not None]) == count


def test_numbers_that_are_joined_are_left(tmp_path: Path) -> None:
    joined = given(trace(tmp_path, "show([0] + [one for one in load()])\n"))
    assert isinstance(joined, Call) and joined.name == "+"


def test_a_class_that_copies_itself_is_not_copied(tmp_path: Path) -> None:
    code = "class Block(nn.Cell):\n    def __deepcopy__(self, memo):\n        return self\nimport copy\nshow(copy.deepcopy(Block()))\n"
    assert not isinstance(given(trace(tmp_path, code)), Instance)


def test_a_copy_is_another_list(tmp_path: Path) -> None:
    for made in ("copy.copy(held)", "copy.deepcopy(held)"):
        assert told(given(trace(tmp_path, f"import copy\nheld = [1]\n{made}.append(2)\nshow(held)\n"))) == [1]


@pytest.mark.parametrize(
    "network",
    [
        "net = nn.SequentialCell(nn.Dense(4, 4), nn.ReLU(), nn.Dense(4, 2))",
        "net = nn.SequentialCell([nn.Dense(4, 4), nn.ReLU(), nn.Dense(4, 2)])",
        "layers = []\nfor i in range(2):\n    layers.append(nn.Dense(4, 4))\nnet = nn.SequentialCell(*layers, nn.ReLU(), nn.Dense(4, 2))",
        "layers = nn.CellList([nn.Dense(4, 4) for _ in range(9)])\nlast = nn.Dense(4, 2)\n"
        "def net(x):\n    for layer in layers:\n        x = layer(x)\n    return last(x)",
        "class Net(nn.SequentialCell):\n    def __init__(self):\n        super().__init__(nn.Dense(4, 4), nn.Dense(4, 2))\nnet = Net()",
        "class Base(nn.Cell):\n    def __init__(self):\n        super(Base, self).__init__()\n        self.one = nn.Dense(4, 4)\n"
        "class Net(Base):\n    def __init__(self):\n        super().__init__()\n        self.two = nn.Dense(4, 2)\n"
        "    def construct(self, x):\n        return self.two(self.one(x))\nnet = Net()",
    ],
)
def test_layers_are_applied_one_after_the_other(tmp_path: Path, network: str) -> None:
    found = trace(tmp_path, network + "\nx = load()\nshow(net(x))\n")
    layers = [part for part in sources(given(found)) if isinstance(part, Call) and part.api == "nn.Dense"]
    assert [told(layer.args[1]) for layer in layers] == [2, 4]
    assert derives(given(found), next(call for call in found.calls if call.name == "load"))


def test_a_training_cell_of_the_framework_runs_its_network(tmp_path: Path) -> None:
    script = NETWORK + (
        "loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True)\n"
        "step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), nn.SGD(net.trainable_params()))\n"
        "show(step(x, y))\n"
    )
    loss = find(given(trace(tmp_path, script)), lambda made: isinstance(made.base, Call) and "Softmax" in made.base.api)
    assert loss is not None and find(loss.args[0], lambda made: made.api == "nn.Dense") is not None


def test_a_training_cell_of_the_project_has_what_its_base_sets(tmp_path: Path) -> None:
    found = trace(
        tmp_path,
        NETWORK
        + """
class Step(nn.TrainOneStepWithLossScaleCell):
    def construct(self, x, y):
        loss = self.network(x, y)
        grads = self.grad(self.network, self.weights)(x, y, self.scale_sense)
        return self.optimizer(self.grad_reducer(grads))

step = Step(net, nn.Momentum(net.trainable_params(), 0.1, 0.9), scale_sense=ms.Tensor(1024.0))
show(step(x, y))
""",
    )
    update = given(found)
    assert isinstance(update, Call) and isinstance(update.base, Call) and update.base.api == "nn.Momentum"
    assert find(update, lambda made: made.api == "Tensor" and told(made.args[0]) == 1024.0) is not None
    assert find(update, lambda made: made.api == "nn.DistributedGradReducer") is not None


def test_a_call_is_where_it_is(tmp_path: Path) -> None:
    found = trace(
        tmp_path,
        """
        def step(x):
            if flag:
                net.set_train()
            else:
                net.set_train(False)
            return x

        for epoch in range(3):
            for batch in data:
                step(batch)
        """,
    )
    on, off = [call for call in found.calls if call.name == ".set_train"]
    assert [test.taken for test in on.tests] == [True] and [test.taken for test in off.tests] == [False]
    assert on.conditions == ("flag",) and len(on.loops) == 2 and on.functions == ("step",) and on.order < off.order
    assert isinstance(on.tests[0].value, UnknownValue)


def test_what_is_read_of_an_object_is_noted(tmp_path: Path) -> None:
    found = trace(tmp_path, NETWORK + "net.dense(1)\n" + "other = Net()\n")
    read = [instance.read for instance in found.instances]
    assert "dense" in read[0] and isinstance(found.instances[0], Instance)


def test_users_tell_how_a_value_is_used(tmp_path: Path) -> None:
    found = trace(tmp_path, "data = load()\nmodel.train(10, data, callbacks=[data])\ndata.close()\n")
    load = next(call for call in found.calls if call.name == "load")
    assert [(call.name, how) for call, how in users(found)[id(load)]] == [
        (".train", "1"),
        (".train", "callbacks"),
        (".close", "base"),
    ]


CONFIG = """
import argparse, ast, os, yaml

class Config:
    def __init__(self, values):
        for key, value in values.items():
            if isinstance(value, (list, tuple)):
                setattr(self, key, [Config(x) if isinstance(x, dict) else x for x in value])
            else:
                setattr(self, key, Config(value) if isinstance(value, dict) else value)

def parse_cli(parser, values):
    parser = argparse.ArgumentParser(parents=[parser])
    for item in values:
        if not isinstance(values[item], list) and not isinstance(values[item], dict):
            parser.add_argument("--" + item, type=type(values[item]), default=values[item])
    return parser.parse_args()

def get_config():
    parser = argparse.ArgumentParser()
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--config_path", default=os.path.join(here, "settings.yaml"))
    path, _ = parser.parse_known_args()
    with open(path.config_path, "r") as stream:
        values = [one for one in yaml.load_all(stream.read(), Loader=yaml.FullLoader)]
    values = values[0] if len(values) == 1 else values[1]
    args = parse_cli(parser, values)
    for key, value in vars(args).items():
        values[key] = value
    return Config(values)

config = get_config()
"""


@pytest.mark.parametrize(
    "name, value", [("batch_size", 32), ("lr", 0.1), ("augment.flip", True), ("sizes", [224, 256])]
)
def test_a_configuration_file_gives_its_values(tmp_path: Path, name: str, value: Any) -> None:
    settings = "batch_size: 32\nlr: 0.1\naugment: {flip: true}\nsizes: [224, 256]\n"
    found = trace(
        tmp_path,
        f"from src.config import config\nshow(config.{name})\n",
        src__config_py=CONFIG,
        src__settings_yaml=settings,
    )
    assert told(given(found)) == value
    if isinstance(held := given(found), KnownValue):
        assert held.assumed in ("config", "argparse"), "it may be otherwise at run time"


@pytest.mark.parametrize(
    "script",
    [
        "import yaml\nshow(yaml.safe_load(open('settings.yaml'))['lr'])",
        "import yaml\nfrom easydict import EasyDict as edict\nshow(edict(yaml.safe_load(open('settings.yaml'))).lr)",
        "from omegaconf import OmegaConf\nshow(OmegaConf.load('settings.yaml').lr)",
        "from pathlib import Path\nimport yaml\nwith open(Path(__file__).parent / 'settings.yaml') as f:\n"
        "    show(yaml.safe_load(f)['lr'])",
        "import argparse, yaml\np = argparse.ArgumentParser()\np.add_argument('--lr', default=1.0)\n"
        "p.set_defaults(**yaml.safe_load(open('settings.yaml')))\nshow(p.parse_args().lr)",
        "import argparse, yaml\np = argparse.ArgumentParser()\nargs = p.parse_args()\n"
        "args.__dict__.update(yaml.safe_load(open('settings.yaml')))\nshow(args.lr)",
        "from dataclasses import dataclass\n@dataclass\nclass C:\n    lr: float = 0.1\nshow(C().lr)",
        "from easydict import EasyDict\ncfg = EasyDict()\ncfg.opt = EasyDict()\ncfg.opt.lr = 0.1\nshow(cfg.opt.lr)",
        "class Cfg:\n    lr = 0.1\nshow(getattr(Cfg(), 'lr', 3))",
        "def make(**kw):\n    return kw.get('lr', 3)\nshow(make(lr=0.1))",
        "lr = 3\ndef change():\n    global lr\n    lr = 0.1\nchange()\nshow(lr)",
        "keep = 0.9\nshow(round(1 - keep, 1))",
    ],
)
def test_settings_are_folded_through_what_people_use(tmp_path: Path, script: str) -> None:
    found = trace(tmp_path, script, settings_yaml="lr: 0.1\n")
    held = [call for call in found.calls if call.name == "show"]
    assert told(held[0].args[0]) == 0.1


@pytest.mark.parametrize(
    "settings", ["a: &a [*a, *a]\nlr: 1\n", "lr: [", "!!python/object:os.system {}\n", "x" * 2_000_000]
)
def test_a_hostile_configuration_is_not_read(tmp_path: Path, settings: str) -> None:
    script = "import yaml\nshow(yaml.load(open('settings.yaml'))['lr'])"
    assert told(given(trace(tmp_path, script, settings_yaml=settings))) is ...


def test_a_configuration_outside_the_project_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "outside.yaml").write_text("lr: 0.1\n")
    inside = tmp_path / "project"
    script = "import yaml\nshow(yaml.safe_load(open('../outside.yaml'))['lr'])"
    assert told(given(trace(inside, script))) is ...


def test_a_generator_gives_what_it_yields(tmp_path: Path) -> None:
    found = trace(
        tmp_path,
        "def rows():\n    for i in range(9):\n        yield load(i) / 255\nfor row in rows():\n    show(row)\n",
    )
    value = given(found)
    assert isinstance(value, Call) and value.name == "/" and told(value.args[1]) == 255


def test_a_missing_configuration_is_named(tmp_path: Path) -> None:
    found = trace(tmp_path, "import yaml\nshow(yaml.safe_load(open('gone.yaml'))['lr'])")
    assert found.unread == [("gone.yaml", "main.py", 4)] and told(given(found)) is ...


#: statement; what Python makes of the last expression, ... where nothing but a run tells.
PYTHON: dict[str, Any] = {
    "dict([('lr', 0.1), ('wd', 0)])['lr']": 0.1,
    "dict([('lr', 0.1), load()])['lr']": ...,
    "dict([(load(), 0.1)])['lr']": ...,
    "dict(load())['lr']": ...,
    "SimpleNamespace(**{'lr': 3}).lr": 3,
    "vars(SimpleNamespace(lr=3))['lr']": 3,
    "hasattr(SimpleNamespace(lr=3), 'lr')": True,
    "hasattr(SimpleNamespace(lr=3), 'wd')": False,
    "hasattr(load(), 'wd')": ...,
    "getattr(load(), 'lr', 3)": 3,
    "getattr(load(), 'lr')": ...,
    "getattr(load())": ...,
    "list()": [],
    "list((1, 2))": [1, 2],
    "tuple({'a': 1, 'b': 2})": ["a", "b"],
    "list(reversed([1, 2]))[0]": 2,
    "next(iter([7]))": 7,
    "len([1, 2])": 2,
    "len({'a': 1})": 1,
    "{**{load(): 1}}.get('a', 2)": {1, 2},
    "len({**{'a': 1}, load(): 2})": ...,
    "d = {'a': 1}; d[load()] = 2; len(d)": ...,
    "d = {}; d[load()] = 2; d.get('a', 1)": {1, 2},
    "d = {}; d.setdefault('a', []).append(1); d['a']": [1],
    "d = {'a': 1, 'b': 2}; d.pop('a'); list(d.keys())": ["b"],
    "d = {'a': 1}; d.pop('c', 5)": 5,
    "d = {'a': 1}; e = d.copy(); e['a'] = 2; d['a']": 1,
    "d = {'a': 1}; d.update({'b': 2}, c=3); list(d.values())": [1, 2, 3],
    "d = {'a': 1}; d.update([('b', 2)]); d['b']": 2,
    "d = {'a': 1}; d.update(load()); len(d)": ...,
    "d = {'a': 1}; d.update(**load()); len(d)": ...,
    "d = {'a': 1}; d.update(**load()); d['a']": 1,
    "d = {'a': 1}; d.clear()": ...,
    "SimpleNamespace(**load()).lr": ...,
    "vars(load())['a']": ...,
    "vars(1)": ...,
    "x = [1]; x.extend([2, 3]); x": [1, 2, 3],
    "x = [1]; x.extend(load()); len(x)": ...,
    "x = [1]; x.insert(0, 2); x": [2, 1],
    "x = [1, 2]; x.pop(); x": [1],
    "x = [1, 2]; x.pop(0)": 1,
    "x = [1, 2]; x.pop(load())": {1, 2},
    "[].pop()": ...,
    "x = [1, 2]; y = x.copy(); y.append(3); x": [1, 2],
    "x = [1, 2]; x.reverse(); x": [2, 1],
    "[3, 1].index(1)": 1,
    "[3, load()].index(1)": ...,
    "isinstance(3, (int, str))": True,
    "isinstance([3], dict)": False,
    "isinstance({}, dict)": True,
    "isinstance(3)": ...,
    "isinstance(3, Tensor)": ...,
    "int('ten')": ...,
    "int('10', base=16)": ...,
    "float('1e-3')": 0.001,
    "abs(-3)": 3,
    "bool([])": False,
    "bool(load())": ...,
    "min(3, 2.5)": 2.5,
    "max(3, -5, key=abs)": ...,
    "max(3, load())": ...,
    "round(2.567, 2)": 2.57,
    "round(2.567)": 3,
    "round(2.567, ndigits=2)": ...,
    "round(1e300)": ...,
    "round(15, -1)": 20,
    "round(15, -10 ** 10)": ...,
    "'ADAM'.lower()": "adam",
    "'a_b'.split('_')": ["a", "b"],
    "'a,b'.split(sep=',')": ...,
    "'a'.split('')": ...,
    "'train_0'.startswith('train')": True,
    "'train_0'.startswith(load())": ...,
    "'{}_{}.ckpt'.format('net', 3)": "net_3.ckpt",
    "'{}_{}'.format('net')": ...,
    "'{:.1f}'.format(0.25)": ...,
    "'{0:>9999999999}'.format('x')": ...,
    "'-'.join('ab')": ...,
    "('x' * 99).replace('x', 'x' * 999)": ...,
    "Path('a').joinpath('b', 'c').resolve()": "a/b/c",
    "Path('a').joinpath(3)": ...,
    "os.path.join('a', 'b.ckpt')": "a/b.ckpt",
    "os.path.basename('a', 'b')": ...,
    "os.path.getsize('a')": ...,
    "os.path.join('a' * 5000, 'b')": ...,
    "f'{0.5}_{2}'": "0.5_2",
    "f'{0.5:.2f}'": ...,
    "f'{\"a\"!r}'": ...,
    "partial(max, 3)(4)": 4,
    "x = tqdm([1, 2]); x": [1, 2],
    "'a'.join(tqdm())": ...,
}
LIBRARIES = (
    "import os\nfrom functools import partial\nfrom pathlib import Path\nfrom types import SimpleNamespace\n"
    "from tqdm import tqdm\nfrom mindspore import Tensor\n"
)


@pytest.mark.parametrize("code", PYTHON)
def test_python_gives(tmp_path: Path, code: str) -> None:
    *before, last = code.split("; ")
    found = told(given(trace(tmp_path, LIBRARIES + "\n".join([*before, f"show({last})"]))))
    expected = PYTHON[code]
    assert (found, type(found)) == (expected, type(expected))


OPTIONS = """
import argparse
p = argparse.ArgumentParser()
p.add_argument("--learning-rate", "-l", dest="lr", type=float, default=0.1)
p.add_argument("--batch-size", "-b", default=32)
p.add_argument("--split", default="train")
p.add_argument("--amp", action="store_true")
p.add_argument("--flip", default="False")
p.add_argument("--root", type=str)
p.add_argument("--device", default=None)
p.set_defaults(epochs=9)
args = p.parse_args()
"""


@pytest.mark.parametrize(
    "expression, value",
    [
        ("args.lr", 0.1),
        ("args.learning_rate", ...),
        ("args.batch_size", 32),
        ("args.amp", False),
        ("args.flip", False),
        ("args.root", ...),
        ("args.epochs", 9),
        ("vars(args)['batch_size']", 32),
        ("round(args.lr * 3, 2)", 0.3),
        ("max(8, args.batch_size)", 32),
        ("args.split.upper()", "TRAIN"),
        ("'train_0'.startswith(args.split)", True),
        ("f'{args.split}_0'", "train_0"),
    ],
)
def test_an_option_has_its_default_which_may_be_otherwise(tmp_path: Path, expression: str, value: Any) -> None:
    held = given(trace(tmp_path, OPTIONS + f"show({expression})"))
    assert told(held) == value
    if isinstance(held, KnownValue):
        assert held.assumed


def test_an_option_that_is_set_afterwards(tmp_path: Path) -> None:
    script = OPTIONS + "vars(args)['lr'] = 3\nshow(vars(args)['lr'])\n"
    assert told(given(trace(tmp_path, script))) == 3


@pytest.mark.parametrize("test", ["isinstance(args.device, str)", "'a'.startswith(args.split)"])
def test_what_an_option_decides_is_not_decided(tmp_path: Path, test: str) -> None:
    assert told(given(trace(tmp_path, OPTIONS + f"show(1 if {test} else 2)"))) == {1, 2}


@pytest.mark.parametrize(
    "step",
    [
        "show(ms.jit(net)(x))",
        "show(ops.Partial()(net, x)())",
        "show(list(map(net, [x]))[0])",
        "show(ops.HyperMap(net)([x]))",
        "show(nn.WithEvalCell(net, nn.L1Loss())(x, y))",
        "class Eval(nn.WithLossCell):\n    def construct(self, x, y):\n        return self._backbone(x)\n"
        "show(Eval(net, nn.L1Loss())(x, y))",
        "class Eval(nn.WithLossCell):\n    pass\nshow(Eval(net, nn.L1Loss())(x, y))",
        "from collections import OrderedDict\nshow(nn.SequentialCell(OrderedDict([('net', net)]))(x))",
        "cells = nn.CellList()\ncells.append(net)\nfor cell in cells:\n    show(cell(x))",
        "many = ops.MultitypeFuncGraph('many')\n@many.register('Tensor')\ndef one(x):\n    return net(x)\nshow(many(x))",
        "class Held:\n    def __len__(self):\n        return net(x)\nshow(len(Held()))",
    ],
)
def test_the_network_is_run(tmp_path: Path, step: str) -> None:
    found = trace(tmp_path, NETWORK + "x, y = load()\n" + step)
    dense = find(given(found), lambda made: isinstance(made.base, Call) and made.base.api == "nn.Dense")
    assert dense is not None and derives(dense, next(call for call in found.calls if call.name == "load"))


@pytest.mark.parametrize(
    "step",
    [
        "show(ms.jit(3)(x))",
        "show(list(map(load, [x])))",
        "show(ops.HyperMap()(load, x))",
        "show(ops.HyperMap(net)())",
        "show(nn.TrainOneStepCell()(x))",
        "show(ops.GradOperation()()(x))",
        "show(nn.SequentialCell([])(x))",
    ],
)
def test_no_network_is_run(tmp_path: Path, step: str) -> None:
    found = trace(tmp_path, NETWORK + "x, y = load()\n" + step)
    assert find(given(found), lambda made: isinstance(made.base, Call) and made.base.api == "nn.Dense") is None


def test_what_is_written_into_an_argument_is_in_it(tmp_path: Path) -> None:
    found = trace(tmp_path, "import cv2\nimport numpy as np\ny = np.zeros(3)\ncv2.normalize(load(), y)\nshow(y)")
    assert derives(given(found), next(call for call in found.calls if call.name == "load"))


@pytest.mark.parametrize("cell, sens", [("nn.TrainOneStepCell", 1.0), ("nn.TrainOneStepWithLossScaleCell", ...)])
def test_the_sensitivity_of_a_training_cell(tmp_path: Path, cell: str, sens: Any) -> None:
    script = f"class Step({cell}):\n    def construct(self, x):\n        return self.sens\n"
    assert told(given(trace(tmp_path, NETWORK + script + "show(Step(net, opt)(x))"))) == sens


SETTERS = """
class Base:
    @classmethod
    def make(cls):
        return super().make()

setattr(load(), load(), 0.1)

class Cfg:
    def __init__(self, values):
        for key in load():
            setattr(self, key, 0.1)
        setattr(self, "wd", 3)

class Held(dict):
    def __init__(self, values):
        super().__init__(values)

cfg = Cfg({})
held = Held({"lr": 0.1})
"""


@pytest.mark.parametrize(
    "expression, value", [("cfg.wd", 3), ("cfg.lr", ...), ("held.lr", 0.1), ("setattr(cfg)", ...), ("Base.make()", ...)]
)
def test_what_is_set_by_name(tmp_path: Path, expression: str, value: Any) -> None:
    found = trace(tmp_path, SETTERS + f"show({expression})")
    assert told(given(found)) == value
    assert "*" in found.instances[0].read and told(found.instances[0].attributes["*"]) == 0.1


@pytest.mark.parametrize(
    ("container", "stored", "kinds"),
    [
        (
            "nn.SequentialCell(nn.Dense(4, 4), nn.ReLU(), nn.Dense(4, 2))",
            "net[2] = nn.Conv2d(1, 1, 1)",
            ["Dense", "Conv2d"],
        ),
        ("nn.CellList([nn.Dense(4, 4), nn.Dense(4, 2)])", "net[-1] = nn.Conv2d(1, 1, 1)", ["Dense", "Conv2d"]),
        ("nn.SequentialCell([nn.Dense(4, 4)])", "net[place()] = nn.Conv2d(1, 1, 1)", ["Dense", "Conv2d"]),
        ("nn.SequentialCell([nn.Dense(4, 4)])", "net.append(nn.Conv2d(1, 1, 1))", ["Dense", "Conv2d"]),
    ],
)
def test_a_cell_put_into_a_container(tmp_path: Path, container: str, stored: str, kinds: list[str]) -> None:
    found = trace(tmp_path, f"net = {container}\n{stored}\nshow(net)\n")
    assert [leaf.last for _, leaf in leaves(given(found)) if isinstance(leaf, Call)] == kinds


def test_a_list_is_not_changed_with_the_container_that_was_made_of_it(tmp_path: Path) -> None:
    found = trace(
        tmp_path, "parts = [nn.Dense(4, 4)]\nnet = nn.SequentialCell(parts)\nnet[0] = nn.ReLU()\nshow(parts)\n"
    )
    assert [leaf.last for _, leaf in leaves(given(found)) if isinstance(leaf, Call)] == ["Dense"]
