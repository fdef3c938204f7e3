"""What the training steps of a script use, and where following them stops."""

import textwrap
from pathlib import Path

import msgspec
import pytest

from accucheck.case import Case, CaseFile
from accucheck.model import Finding
from accucheck.probes import frozen_weights_script
from accucheck.script.analysis import Scripts, read_scripts
from accucheck.script.training_data import TrainingData, fed
from accucheck.script.training_seen import TrainingSeen, seen

HEAD = "import mindspore as ms\nimport mindspore.dataset as ds\nfrom mindspore import nn, ops, amp\n"
NET = """
class Net(nn.Cell):
    def __init__(self, backbone=None):
        super().__init__()
        self.backbone = backbone or nn.Dense(8, 8)
        self.blocks = nn.CellList([nn.Dense(8, 8) for _ in range(12)])
        self.spare = nn.Dense(8, 8)
        self.head = nn.SequentialCell(nn.Dense(8, 4), nn.ReLU())

    def construct(self, x):
        x = self.backbone(x)
        for block in self.blocks:
            x = block(x)
        return self.head(x)

"""
LOOP = """
optimizer = nn.Adam(net.trainable_params())
loss_fn = nn.MSELoss()

def forward(x, y):
    return loss_fn(net(x), y)

step = ms.value_and_grad(forward, None, optimizer.parameters)
for x, y in data:
    loss, gradients = step(x, y)
    optimizer(gradients)
"""
MODEL = "\nms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params())).train(1, data)\n"
CELL = """
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params()))
for x, y in data:
    step(x, y)
"""


def scripts(root: Path, *names: str, **texts: str) -> Scripts:
    for name, text in texts.items():
        path = root / name.replace("__", "/").replace("_py", ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(HEAD + textwrap.dedent(text) if path.suffix == ".py" else text)
    given = {"scripts": {"train": list(names or ["train.py"])}}
    return read_scripts(Case(root=str(root), spec=msgspec.convert(given, CaseFile)))


def look(root: Path, text: str, **more: str) -> TrainingSeen:
    return seen(scripts(root, train_py=text, **more).training[0])


def feed(root: Path, text: str) -> TrainingData:
    return fed(scripts(root, train_py=text).training[0])


@pytest.mark.parametrize("step", [LOOP, MODEL, CELL], ids=["loop", "model", "cell"])
def test_layers_of_the_trained_network_are_counted_as_they_are_written(tmp_path: Path, step: str) -> None:
    found = look(tmp_path, NET + "net = Net()\n" + step)
    assert found.followed and not found.stops
    (network,) = found.networks
    assert (network.name, len(network.applied), len(network.layers)) == ("Net", 3, 4), "the spare layer is not applied"


@pytest.mark.parametrize("step", [LOOP, MODEL, CELL], ids=["loop", "model", "cell"])
@pytest.mark.parametrize(
    ("made", "call"),
    [
        ("net = Net(registry.build(config))", "registry.build(config)"),
        ("net = registry.build(config)", "registry.build(config)"),
        ("net = Net(timm_zoo.Backbone(depth=3))", "timm_zoo.Backbone(depth=3)"),
        (
            "import importlib\nnet = Net(importlib.import_module(config.name).make())",
            "importlib.import_module(config.name)",
        ),
    ],
)
def test_following_stops_at_what_no_file_gives(tmp_path: Path, made: str, call: str, step: str) -> None:
    head = "import registry, timm_zoo\nfrom somewhere import config, data\n"
    found = look(tmp_path, head + NET + made + "\n" + step)
    stops = [*found.stops, *(stop for network in found.networks for stop in network.stops)]
    assert not found.followed
    line = (HEAD + head + NET + made).count("\n") + 1
    assert (call, line) in {(stop.text, stop.line) for stop in stops}


def test_a_network_in_a_module_of_the_project_is_followed(tmp_path: Path) -> None:
    text = "from models.net import build\nnet = build(3)\n" + MODEL
    module = NET + "def build(depth):\n    return Net(nn.Dense(8, depth))\n"
    found = look(tmp_path, text, models__net_py=module)
    assert found.followed and found.networks[0].layers


def test_a_class_that_leaves_computing_to_a_base_out_of_sight_is_a_stop(tmp_path: Path) -> None:
    text = "import zoo\nclass Mine(zoo.ResNet):\n    pass\n" + NET + "net = Net(Mine())\n" + MODEL
    found = look(tmp_path, text)
    assert not found.followed
    assert "class Mine(zoo.ResNet)" in {stop.text for stop in found.networks[0].stops}


def test_what_is_set_on_a_container_of_the_framework_is_part_of_it(tmp_path: Path) -> None:
    text = "import zoo\nnet = nn.SequentialCell()\nnet.feature = zoo.create('resnet34')\nnet.head = nn.Dense(8, 2)\n"
    found = look(tmp_path, text + LOOP)
    assert not found.followed and "zoo.create('resnet34')" in {stop.text for stop in found.stops}


def test_a_layer_derived_from_one_of_the_framework_counts_as_one(tmp_path: Path) -> None:
    text = (
        "class Mine(nn.Dense):\n    def __init__(self):\n        super().__init__(8, 8)\n"
        + NET
        + "net = Net(Mine())\n"
        + MODEL
    )
    (network,) = look(tmp_path, text).networks
    assert network.followed and (len(network.applied), len(network.layers)) == (3, 4)


def test_a_network_in_mixed_precision_is_the_network(tmp_path: Path) -> None:
    found = look(tmp_path, NET + "net = Net()\nnet = amp.auto_mixed_precision(net, 'O2')\n" + LOOP)
    assert found.followed and {network.name for network in found.networks} == {"Net"}


def test_a_construct_that_hardly_applies_a_layer_is_not_followed(tmp_path: Path) -> None:
    held = "\n".join(f"        self.layer{place} = nn.Dense(8, 8)" for place in range(6))
    start = "class Net(nn.Cell):\n    def __init__(self):\n        super().__init__()\n"
    text = f"{start}{held}\n\n    def construct(self, x):\n        return self.layer0(x)\n"
    found = look(tmp_path, text + "net = Net()\n" + MODEL)
    assert not found.followed and not found.networks[0].stops


def test_an_optimizer_that_a_setting_chooses_is_known_by_the_weights_it_is_made_of(tmp_path: Path) -> None:
    chosen = "import os\noptimizer = getattr(nn, os.environ['UPDATE'])(net.trainable_params())\nupdate = optimizer\n"
    text = NET + "net = Net()\n" + LOOP.replace("optimizer = nn.Adam(net.trainable_params())\n", chosen)
    found = look(tmp_path, text.replace("    optimizer(", "    update("))
    assert found.steps and not found.stops


def test_without_a_step_the_call_that_is_given_the_optimizer_is_named(tmp_path: Path) -> None:
    text = (
        NET
        + "import engine\nnet = Net()\nopt = nn.Adam(net.trainable_params())\nengine.Runner(net, opt).start()\nengine.finish()\n"
    )
    found = look(tmp_path, text)
    assert found.steps == 0 and [stop.text for stop in found.stops] == ["engine.Runner(net, opt)"]


SET = "data = ds.ImageFolderDataset('train', shuffle=True).batch(32)\n"


@pytest.mark.parametrize(
    "step", [LOOP.replace("in data:", "in data.create_tuple_iterator():"), MODEL, CELL], ids=["loop", "model", "cell"]
)
def test_the_data_set_that_feeds_the_step_is_found(tmp_path: Path, step: str) -> None:
    text = SET + "other = ds.Cifar10Dataset('test')\n" + NET + "net = Net()\n" + step
    found = feed(tmp_path, text)
    assert [made.last for made in found.sets] == ["ImageFolderDataset"] and not found.stops


@pytest.mark.parametrize("step", [LOOP, MODEL, CELL], ids=["loop", "model", "cell"])
def test_following_the_data_stops_at_a_loader_out_of_sight(tmp_path: Path, step: str) -> None:
    text = "import loaders\ndata = loaders.create(32)\n" + NET + "net = Net()\n" + step
    found = feed(tmp_path, text)
    assert not found.sets and [stop.text for stop in found.stops] == ["loaders.create(32)"]


def test_arrays_of_a_library_are_no_data_set_out_of_sight(tmp_path: Path) -> None:
    text = "from sklearn.preprocessing import MinMaxScaler\ndata = MinMaxScaler().fit_transform([[1.0]])\n"
    found = feed(tmp_path, text + NET + "net = Net()\n" + LOOP)
    assert found.fed and not found.sets and not found.stops


def test_a_script_that_only_infers_is_no_training_script_beside_one_that_trains(tmp_path: Path) -> None:
    train = SET + NET + "if __name__ == '__main__':\n    net = Net()\n" + textwrap.indent(MODEL, "    ")
    infer = "from train import Net\nnet = Net()\nnet.set_train(False)\nprint(net(ops.ones((1, 8))))\n"
    found = scripts(tmp_path, "train.py", "other.py", train_py=train, other_py=infer)
    assert [reading.source.path for reading in found.training] == ["train.py"]
    assert {reading.source.path: reading.role for reading in found.readings} == {
        "train.py": "train",
        "other.py": "infer",
    }
    alone = scripts(tmp_path, "other.py")
    assert [reading.source.path for reading in alone.training] == ["other.py"], "nothing else trains"


def test_a_script_that_hands_its_network_to_a_trainer_still_counts_as_training(tmp_path: Path) -> None:
    train = SET + NET + "net = Net()\n" + MODEL
    other = NET + "from engine import Trainer\nTrainer(Net()).run()\n"
    found = scripts(tmp_path, "train.py", "other.py", train_py=train, other_py=other)
    assert [reading.source.path for reading in found.training] == ["train.py", "other.py"]


@pytest.mark.parametrize(
    ("construct", "counts", "followed"),
    [
        ("return self.c(self.b(self.a(x)))", (3, 0), True),
        ("return self.b(self.a(x))", (2, 1), True),  # spare
        ("return self.b(self.a(x)) if not self.deep else self.c(x)", (2, 1), True),  # on a way that is not taken
        ("waiting = {self.b, self.c}\n        return waiting.pop()(self.a(x))", (2, 0), False),
    ],
)
def test_a_layer_that_is_asked_for_and_not_seen_to_be_applied_leaves_it_open(
    construct: str, counts: tuple[int, int], followed: bool, tmp_path: Path
) -> None:
    text = f"""class Net(nn.Cell):
    def __init__(self, deep=False):
        super().__init__()
        self.deep = deep
        self.a, self.b, self.c = nn.Dense(8, 8), nn.Dense(8, 8), nn.Dense(8, 8)

    def construct(self, x):
        {construct}

net = Net()
"""
    found = look(tmp_path, text + MODEL)
    (network,) = found.networks
    assert (len(network.applied), len(network.idle)) == counts and not network.stops
    assert found.followed is followed


@pytest.mark.parametrize(
    ("made", "applied"),
    [
        ("self.parts = nn.CellList(layers)", "for i in range(self.count):\n            x = self.parts[i](x)"),
        ("self.parts = nn.CellList(layers)", "for part in self.parts[self.count:]:\n            x = part(x)"),
        ("self.parts = nn.SequentialCell(layers)", "x = self.parts[:self.count](x)"),
        (
            "self.parts = nn.SequentialCell(OrderedDict([('one', layers[0])] if count else [('other', layers[0])]))",
            "x = self.parts(x)",
        ),
        (
            "self.parts = nn.CellList([])\n        self.parts = nn.CellList(layers) if count else self.parts\n"
            "        self.parts.append(copy.deepcopy(self.parts[-1]))",
            "x = self.parts[self.count](x)",
        ),
    ],
    ids=["place", "part of a list", "part of a row", "one of two lists", "copy of the last"],
)
def test_layers_of_a_container_are_applied_at_places_that_a_run_decides(
    tmp_path: Path, made: str, applied: str
) -> None:
    network = f"""import copy
from collections import OrderedDict
class Net(nn.Cell):
    def __init__(self, count):
        super().__init__()
        self.count = count
        layers = [nn.Dense(8, 8), nn.Dense(8, 8)]
        {made}
        self.spare = nn.CellList([nn.Dense(8, 8)])

    def construct(self, x):
        {applied}
        return x

def main(count):
    net = Net(count)
    data = ds.MnistDataset("x")
    ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params())).train(1, data)

main(ms.dataset.MnistDataset("x").get_dataset_size())
"""
    (network_,) = look(tmp_path, network).networks
    assert network_.followed, network_.stops
    assert network_.idle == network_.layers - network_.applied
    assert len(network_.idle) == 1  # the spare one is never asked for


CHILDREN = """class Net(nn.Cell):
    def __init__(self, count):
        super().__init__()
        self.count = count
        {made}

    def construct(self, x):
        {applied}
        return x

class Block(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(8, 8)

    def construct(self, x):
        return self.fc(x)

def main(count):
    net = Net(count)
    ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params())).train(1, ds.MnistDataset("x"))

main(ds.MnistDataset("x").get_dataset_size())
"""


@pytest.mark.parametrize(
    "made",
    [
        "for i in range(count):\n            setattr(self, f'layer{i + 1}', Block())",
        "for i in range(count):\n            self.insert_child_to_cell('layer%d' % i, Block())",
        "for i, (one, other) in enumerate(zip([Block(), Block()], [3, 4])):\n            setattr(self, 'layer' + str(i), one)",
        "self.layer1 = Block()\n        self.layer2 = Block()",
    ],
    ids=["set by a name", "inserted", "in step", "one by one"],
)
@pytest.mark.parametrize(
    "applied",
    [
        "for i in range(self.count):\n            x = getattr(self, f'layer{i + 1}')(x)",
        "for i in range(self.count):\n            x = getattr(self, 'layer{}'.format(i))(x)",
        "x = getattr(self, 'layer1')(x)",
        "for cell in self.cells():\n            x = cell(x)",
    ],
    ids=["f-string", "format", "constant", "all cells"],
)
def test_cells_under_names_that_a_run_decides_are_followed(tmp_path: Path, made: str, applied: str) -> None:
    found = look(tmp_path, CHILDREN.format(made=made, applied=applied))
    (network,) = found.networks
    assert network.followed and len(network.applied) == 1, network.stops


def test_cells_of_another_name_are_not_taken_for_those_that_are_asked_for(tmp_path: Path) -> None:
    """The head is never applied; a name that begins otherwise does not stand for it."""
    made = "self.layer1 = Block()\n        self.head = nn.Dense(8, 8)"
    text = CHILDREN.format(made=made, applied="x = getattr(self, 'layer' + str(self.count))(x)")
    (network,) = look(tmp_path, text).networks
    assert (len(network.applied), len(network.layers)) == (1, 2)


UNMADE = """
{decorator}class Step(nn.TrainOneStepCell):
    def __init__(self, network, optimizer):
        super().__init__(network, optimizer)

    def construct(self, *inputs):
        loss = self.network(*inputs)
        gradients = self.grad(self.network, self.weights)(*inputs, loss)
        return loss, self.optimizer(gradients)

net = Net()
"""


@pytest.mark.parametrize(
    ("decorator", "handed", "followed"),
    [("", "", True), ("@registry.enter\n", "", False), ("", "registry.enter(Step)\n", False)],
    ids=["nobody makes it", "entered by a decorator", "handed on"],
)
def test_a_training_cell_that_nobody_makes_is_no_step(
    tmp_path: Path, decorator: str, handed: str, followed: bool
) -> None:
    text = "import registry\n" + NET + UNMADE.format(decorator=decorator) + handed + CELL
    assert look(tmp_path, text).followed is followed


STAGES = """
class Decoder(nn.Cell):
    def __init__(self, at=()):
        super().__init__()
        self.up = nn.CellList()
        for level in reversed(range(3)):
            block, attention = nn.CellList(), nn.CellList()
            for _ in range(2):
                block.append(nn.SequentialCell(nn.Dense(8, 8), nn.ReLU()))
                if level in at:
                    attention.append(nn.Dense(8, 8))
            up = nn.Cell()
            up.block, up.attention = block, attention
            self.up.insert(0, up)

    def construct(self, x):
        for level in reversed(range(3)):
            for number in range(2):
                x = self.up[level].block[number](x)
                if len(self.up[level].attention) > 0:
                    x = self.up[level].attention[number](x)
        return x

"""


@pytest.mark.parametrize(("made", "layers"), [("Decoder()", 1), ("Decoder((1, 2))", 2)], ids=["without", "with"])
def test_stages_that_are_attributes_of_a_plain_cell_are_followed(tmp_path: Path, made: str, layers: int) -> None:
    """Stages of decoders are often put before each other in a list, and hold lists that may stay empty."""
    found = look(tmp_path, STAGES + f"net = {made}\n" + LOOP)
    (network,) = found.networks
    assert (network.stops, len(network.layers), network.followed) == ([], layers, True)
    probed = frozen_weights_script.run(
        Case(root=str(tmp_path), spec=msgspec.convert({"scripts": {"train": "train.py"}}, CaseFile)),
        frozen_weights_script.Params(),
    )
    assert {one.code for one in probed if isinstance(one, Finding)} == {"nothing-frozen", "network-seen"}


PARTS = """
class Small(nn.Cell):
    def __init__(self, size=8):
        super().__init__()
        self.out = nn.Dense(8, size)

    def construct(self, x):
        return self.out(x)

class Large(nn.Cell):
    def __init__(self, size=8):
        super().__init__()
        self.wide, self.out = nn.Dense(8, 16), nn.Dense(16, size)

    def construct(self, x):
        return self.out(self.wide(x))

"""
BY_CLASS = """
class Net(nn.Cell):
    part = Small
    def __init__(self):
        super().__init__()
        self.first, self.second = {first}.part(8), self.part(8)

    def construct(self, x):
        return self.second(self.first(x))

class Wider(Net):
    part = Large

net = Wider()
"""
BY_DUNDER = """
class Net(nn.Cell):
    def __init__(self, depths):
        super().__init__()
        self.stages = []
        for number in range(len(depths)):
            self.__setattr__(f"stage{number}", Large())
            self.stages.append(f"stage{number}")

    def construct(self, x):
        for stage in self.stages:
            x = getattr(self, stage)(x)
        return x

net = Net([1, 2])
"""
TABLE = """
TABLE = {}

def enter(name=None):
    def inner(made):
        TABLE[name or made.__name__] = made
        return made
    return inner

def build(name, **given):
    return TABLE[name](**given)
"""
ARGUMENTS = "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--net', {how})\nargs = parser.parse_args()\n"


@pytest.mark.parametrize("first", ["type(self)", "self.__class__"])
def test_a_part_that_is_asked_of_the_type_of_an_object_is_that_of_its_class(tmp_path: Path, first: str) -> None:
    found = look(tmp_path, PARTS + BY_CLASS.format(first=first) + LOOP)
    (network,) = found.networks
    assert (network.name, network.stops, len(network.layers), found.followed) == ("Wider", [], 2, True)


def test_cells_that_are_set_by_the_method_for_it_are_followed(tmp_path: Path) -> None:
    found = look(tmp_path, PARTS + BY_DUNDER + LOOP)
    assert ([len(network.layers) for network in found.networks], found.followed) == ([2], True)


@pytest.mark.parametrize(
    ("default", "of"),
    [("large", {"Large"}), ("small", {"Small"}), ("other", {"Large", "Small"})],
    ids=["first", "second", "any of them for a default that none of them has"],
)
def test_a_package_has_by_name_what_it_imports_from_its_modules(tmp_path: Path, default: str, of: set[str]) -> None:
    text = ARGUMENTS.format(how=f"default='{default}'") + "import nets\nnet = nets.__dict__[args.net](size=8)\n" + LOOP
    modules = {
        "__init__": "from .wide import *\nfrom .narrow import small\n",
        "wide": PARTS + "def large(size):\n    return Large(size)\n",
        "narrow": PARTS + "def small(size):\n    return Small(size)\n",
    }
    (tmp_path / "nets").mkdir()
    for name, module in modules.items():
        (tmp_path / "nets" / f"{name}.py").write_text(HEAD + module)
    found = look(tmp_path, text)
    assert {network.name for network in found.networks if network.layers} == of
    assert found.followed


def test_each_entry_of_a_table_that_modules_fill_is_followed_for_a_name_that_only_a_run_has(tmp_path: Path) -> None:
    text = (
        ARGUMENTS.format(how="required=True") + "import nets\nfrom table import build\nnet = build(args.net)\n" + LOOP
    )
    nets = "from table import enter\n" + PARTS.replace("class", "@enter()\nclass")
    found = look(tmp_path, text, table_py=TABLE, nets_py=nets)
    assert {network.name: len(network.layers) for network in found.networks} == {"Small": 1, "Large": 2}
    assert found.followed


@pytest.mark.parametrize("step", [LOOP, MODEL, CELL], ids=["loop", "model", "cell"])
def test_the_first_call_that_is_not_followed_is_named_and_not_what_is_given_its_result(
    tmp_path: Path, step: str
) -> None:
    """Nothing fills the table here, so that what is made of its entry stays out of sight."""
    found = look(tmp_path, "from table import build\nnet = build('small')\n" + step, table_py=TABLE)
    stops = [*found.stops, *(stop for network in found.networks for stop in network.stops)]
    assert {(stop.text, stop.source.path, stop.line) for stop in stops} == {("TABLE[name](**given)", "table.py", 14)}
