"""Configurations and commands that do not fit: told with file and line, and all else is examined."""

from pathlib import Path
from types import ModuleType

import pytest

from accucheck.case import load
from accucheck.model import Finding, Language
from accucheck.probe import message
from accucheck.probes import input_normalization, loss_scale_script, shuffle_settings, training_settings
from accucheck.script.analysis import Scripts, read_scripts
from accucheck.script.trace import KEYS
from accucheck.script.values import KnownValue

DEFAULTS = """import argparse
import yaml
def parse():
    first = argparse.ArgumentParser(add_help=False)
    first.add_argument("--config")
    parser = argparse.ArgumentParser(parents=[first])
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--epochs", type=int, default=3)
    known, rest = first.parse_known_args()
    if known.config:
        with open(known.config) as stream:
            parser.set_defaults(**yaml.safe_load(stream))
    return parser.parse_args(rest)
args = parse()
show(args.lr)
show(args.epochs)
print(args.sizes)
"""
BASES = """import os
import yaml
def load(path):
    with open(path) as stream:
        given = yaml.safe_load(stream)
    base = given.pop("_base_", None)
    if not base:
        return given
    merged = load(os.path.join(os.path.dirname(path), base))
    merged.update(given)
    return merged
settings = load("conf/a.yaml")
show(settings["lr"])
show(settings["epochs"])
"""
NAMES = """import yaml
from mindspore import nn
NETS, LOSSES = {}, {}
def net(made):
    NETS[made.__name__] = made
    return made
def loss(made):
    LOSSES[made.__name__] = made
    return made
@net
class Small:
    pass
@loss
class Sum:
    pass
with open("a.yaml") as stream:
    settings = yaml.safe_load(stream)
def built(kind):
    if kind in NETS:
        return NETS[kind]()
    if kind in LOSSES:
        return LOSSES[kind]()
    return getattr(nn, kind)()
def strictly(kind):
    if kind not in NETS:
        raise ValueError(kind)
    return NETS[kind]()
for name in ("Small", "Sum", "ReLU"):
    built(name)
built(settings["loss"])
built(settings["act"])
strictly(settings["net"])
show(settings["lr"])
"""


def scripts(root: Path, script: str, command: str = "python train.py", **files: str) -> Scripts:
    for name, text in {"train.py": script, **{key.replace("__", "/"): text for key, text in files.items()}}.items():
        path = root / name.replace("_yaml", ".yaml").replace("_py", ".py")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return read_scripts(load(root, ["scripts.train=train.py", f"runtime.command={command}"]))


def shown(found: Scripts) -> list[object]:
    given = [call.args[0] for call in found.readings[0].trace.calls if call.name == "show"]
    return [value.value if isinstance(value, KnownValue) else ... for value in given]


def told(found: Scripts) -> list[tuple[str, str, int | None, object]]:
    for gap in found.gaps:
        assert all(message(training_settings, gap.code, gap.data, language) for language in Language)
    return [(gap.code, gap.path, gap.line, gap.data.get("words")) for gap in found.gaps]


@pytest.mark.parametrize(
    ("settings", "values", "gaps"),
    [
        ("lr: 1e-3\nepochs: 5\nsizes: 1\n", [0.001, 5], []),  # PyYAML gives a text, and argparse the number
        ("lr: 0.5\nlearning_rate: 50.0\n", [0.5, 3], [("config-key", "a.yaml", 2, "learning_rate: 50.0")]),
        ("epochs: 7\nlr: fast\n", [..., 7], [("config-type", "a.yaml", 2, "lr: fast")]),
        ("epochs: many\n", [0.1, ...], [("config-type", "a.yaml", 1, "epochs: many")]),
    ],
)
def test_keys_and_types_that_no_option_takes_are_told(
    tmp_path: Path, settings: str, values: list[object], gaps: list[object]
) -> None:
    found = scripts(tmp_path, DEFAULTS, "python train.py --config a.yaml", a_yaml=settings)
    assert shown(found) == values
    assert told(found) == gaps


def test_of_thousands_of_keys_that_no_option_has_the_first_are_told(tmp_path: Path) -> None:
    text = "lr: 0.5\n" + "".join(f"k{number}: {number}\n" for number in range(5000))
    found = scripts(
        tmp_path, DEFAULTS, "python train.py --config a.yaml", a_yaml=text
    )  # each is looked up in the file: read once
    assert shown(found) == [0.5, 3]
    assert told(found) == [("config-key", "a.yaml", line, f"k{line - 2}: {line - 2}") for line in range(2, 2 + KEYS)]


def test_a_key_that_vars_may_read_is_not_told(tmp_path: Path) -> None:
    script = DEFAULTS + "train(**vars(args))\n"
    assert told(scripts(tmp_path, script, "python train.py --config a.yaml", a_yaml="anything: 1\n")) == []


def test_bases_of_bases_are_followed(tmp_path: Path) -> None:
    files = {f"conf__{name}_yaml": f"_base_: {other}.yaml\n" for name, other in zip("abcdef", "bcdefg", strict=True)}
    found = scripts(tmp_path, BASES, **files, conf__g_yaml="lr: 50\nepochs: 9\n")
    assert shown(found) == [50, 9] and told(found) == []


@pytest.mark.parametrize(("a", "b"), [("b", "a"), ("a", "b"), ("b", "b")])
def test_configurations_that_include_each_other_are_told(tmp_path: Path, a: str, b: str) -> None:
    files = {"conf__a_yaml": f"_base_: {a}.yaml\nlr: 0.5\n", "conf__b_yaml": f"_base_: {b}.yaml\nepochs: 3\n"}
    ((code, path, line, words),) = told(scripts(tmp_path, BASES, **files))
    assert (code, path, line) == ("config-cycle", "train.py", 5) and str(words).endswith(".yaml")


def test_a_name_that_nothing_registers_is_told_at_its_line(tmp_path: Path) -> None:
    found = scripts(tmp_path, NAMES, a_yaml="lr: 0.5\nloss: Sum\nact: ReLU\nnet: Large\n")
    assert told(found) == [("name-unknown", "a.yaml", 4, "net: Large")]
    fine = scripts(tmp_path, NAMES, a_yaml="lr: 0.5\nloss: Sum\nact: ReLU\nnet: Small\n")
    assert told(fine) == [] and shown(fine) == [0.5]


@pytest.mark.parametrize(
    ("command", "rate"),
    [
        ("python train.py --lr 50 | tee log.txt", 50),
        ("cat list.txt | python -u 'train.py' --lr \"50\" > 'a b.log' 2>&1 && echo 'done | ok'", 50),
        ("bash -c \"python train.py --lr 50 2>&1 | tee 'a b.log'\"", 50),
        ("RATE=50 bash -lc 'python train.py --lr $RATE'", 50),
    ],
)
def test_pipes_and_quotes_of_a_command_are_read_as_a_shell_does(tmp_path: Path, command: str, rate: float) -> None:
    found = scripts(tmp_path, DEFAULTS, command)
    assert shown(found) == [rate, 3] and told(found) == []


def test_a_quotation_that_is_not_closed_is_told_and_defaults_are_examined(tmp_path: Path) -> None:
    found = scripts(tmp_path, DEFAULTS, "python 'train.py --lr 50")
    assert [gap.code for gap in found.gaps] == ["command-elsewhere"] and shown(found) == [0.1, 3]


LISTED_BASES = """import argparse
import collections
import os
from copy import deepcopy
import yaml
try:
    mappings = collections.abc
except AttributeError:
    mappings = collections

class Config(dict):
    def __init__(self, given):
        super().__init__()
        for key, value in given.items():
            {entered}
{attributes}
def merged(over, base):
    new = deepcopy(base)
    for key, value in over.items():
        if key in new and isinstance(new[key], dict) and isinstance(value, mappings.Mapping):
            new[key] = merged(value, new[key])
        else:
            new[key] = value
    return new

def load(path):
    with open(path) as stream:
        given = yaml.safe_load(stream)
    if "bases" not in given:
        return given
    below = {{}}
    for name in given.pop("bases"):
        below = merged(load(os.path.join(os.path.dirname(path), name)), below)
    return merged(given, below)

first = argparse.ArgumentParser(add_help=False)
first.add_argument("--config")
parser = argparse.ArgumentParser(parents=[first])
parser.add_argument("--lr", type=float, default=0.1)
parser.add_argument("--optimizer", default=None)
parser.add_argument("--seed", type=int, default=7)
known, rest = first.parse_known_args()
parser.set_defaults(**Config(load(known.config)))
args = Config(vars(parser.parse_args(rest)))
show({rate})
show({momentum})
show({seed})
"""


@pytest.mark.parametrize(
    ("entered", "attributes", "read"),
    [
        (
            "setattr(self, key, Config(value) if isinstance(value, dict) else value)",
            "    def __setattr__(self, name, value):\n        self[name] = value\n        self.__dict__.update({name: value})\n",
            ("args.lr", "args.optimizer.momentum", "args.get('seed', 0)"),
        ),
        (
            "self[key] = Config(value) if isinstance(value, dict) else value",
            "    __getattr__ = dict.get\n",
            ("args['lr']", "args['optimizer']['momentum']", "args.pop('seed')"),
        ),
    ],
    ids=["attributes", "items"],
)
def test_a_list_of_bases_is_merged_in_its_order_into_a_class_of_settings(
    tmp_path: Path, entered: str, attributes: str, read: tuple[str, str, str]
) -> None:
    rate, momentum, seed = read
    text = LISTED_BASES.format(entered=entered, attributes=attributes, rate=rate, momentum=momentum, seed=seed)
    files = {
        "conf__run_yaml": "bases: [a.yaml, b.yaml]\noptimizer:\n  momentum: 0.5\n",
        "conf__a_yaml": "lr: 0.3\noptimizer: {momentum: 0.9, name: sgd}\n",
        "conf__b_yaml": "lr: 50.0\n",
    }
    found = scripts(tmp_path, text, "python train.py --config conf/run.yaml --seed 3", **files)
    assert shown(found) == [50.0, 0.5, 3]


OVERRIDES = """import argparse
import yaml
parser = argparse.ArgumentParser()
parser.add_argument("--config")
parser.add_argument("-o", "--opt", nargs="+")
args = parser.parse_args()
with open(args.config) as stream:
    settings = yaml.safe_load(stream)
for name in settings.get("bases", []):
    settings = fetched(name)
for option in args.opt or []:
    key, value = option.split("=")
    part, _, last = key.rpartition(".")
    held = settings[part] if part else settings
    held[last] = yaml.safe_load(value)
show(settings["optimizer"]["lr"])
show(settings["epochs"])
"""


@pytest.mark.parametrize(
    ("words", "values"),
    [("", [0.1, 9]), (" -o optimizer.lr=50.0", [50.0, 9]), (" -o epochs=3 optimizer.lr=null", [None, 3])],
    ids=["none", "one", "two"],
)
def test_keys_of_a_configuration_that_the_command_changes_by_their_path(
    tmp_path: Path, words: str, values: list[object]
) -> None:
    """Nobody fills the list that stands in for bases, so that nothing is fetched."""
    settings = "optimizer:\n  lr: 0.1\nepochs: 9\n"
    found = scripts(tmp_path, OVERRIDES, "python train.py --config a.yaml" + words, a_yaml=settings)
    assert shown(found) == values and told(found) == []


@pytest.mark.parametrize(
    "walk",
    [
        "keys = key.split('.')\n    for part in keys[:-1]:\n        held = held[part]",
        "held, *keys = settings, *key.split('.')\n    for part in keys[:-1]:\n        held = held.get(part)",
    ],
    ids=["list", "starred"],
)
def test_keys_that_the_command_changes_are_walked_to_level_by_level(tmp_path: Path, walk: str) -> None:
    start, end = OVERRIDES.index("    part, _"), OVERRIDES.index("show(")
    text = (
        OVERRIDES[:start]
        + f"    held = settings\n    {walk}\n    held[keys[-1]] = yaml.safe_load(value)\n"
        + OVERRIDES[end:]
    )
    settings = "optimizer:\n  lr: 0.1\n  more: {lr: 0.2, kind: {name: sgd}}\nepochs: 9\n"
    text += (
        "show(settings['optimizer']['more']['kind']['name'])\nshow(next(iter(settings['optimizer']['more']['kind'])))\n"
    )
    words = " -o optimizer.more.kind.name=adam epochs=3"
    found = scripts(tmp_path, text, "python train.py --config a.yaml" + words, a_yaml=settings)
    assert shown(found) == [0.1, 3, "adam", "name"] and told(found) == []


PLACED = (
    DEFAULTS.replace(
        '    parser.add_argument("--epochs"',
        '    parser.add_argument("--shuffle", type=eval, default=True)\n    parser.add_argument("--epochs"',
    )
    + """
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn
rows = ds.ImageFolderDataset("images", shuffle={argument})
network = nn.Dense(784, 10)
ms.Model(network, nn.MSELoss(), nn.SGD(network.trainable_params(), 0.1)).train(args.epochs, rows.batch(32))
"""
)


@pytest.mark.parametrize(
    ("argument", "command", "settings", "told"),
    [
        ("args.shuffle", "--config a.yaml", "lr: 0.1\nshuffle: false\n", "shuffle = False from a.yaml:2 (key shuffle)"),
        ("args.data['order']", "--config a.yaml", "data:\n  order: false\n", "order = False from a.yaml:2 (key data.order)"),
        ("not args.data['flags'][1]", "--config a.yaml", "data: {flags: [0,\n  true]}\n", "flags = True from a.yaml:2 (key data.flags.1)"),
        ("args.epochs > 5", "", "", "epochs = 3, the default of an option of the command line, train.py:9"),
        ("True if args.lr < 1 else False", "--lr 50", "", "option lr = 50.0 on the command line"),
        ("args.shuffle", "--shuffle False --lr 50", "", "option shuffle = False on the command line"),
        ("False", "--lr 50", "", ""),
    ],
)  # fmt: skip
def test_a_finding_names_what_sets_the_value_that_it_is_about(
    tmp_path: Path, argument: str, command: str, settings: str, told: str
) -> None:
    script = PLACED.format(argument=argument)
    scripts(tmp_path, script, f"python train.py {command}", a_yaml=settings)
    case = load(tmp_path, ["scripts.train=train.py", f"runtime.command=python train.py {command}"])
    (off,) = [
        one
        for one in shuffle_settings.run(case, shuffle_settings.Params())
        if getattr(one, "code", "") == "shuffle-off"
    ]
    assert isinstance(off, Finding)
    said = message(shuffle_settings, off.code, off.data, Language.EN)
    assert said.endswith(f" Set for this run: {told}." if told else "no .shuffle() follows.")


def test_a_finding_names_no_setting_of_what_it_does_not_tell(tmp_path: Path) -> None:
    script = PLACED.replace('"images", shuffle', "args.folder, shuffle").format(argument="args.shuffle")
    scripts(tmp_path, script, "python train.py --config a.yaml", a_yaml="lr: 0.1\nshuffle: false\nfolder: images\n")
    case = load(tmp_path, ["scripts.train=train.py", "runtime.command=python train.py --config a.yaml"])
    found = shuffle_settings.run(case, shuffle_settings.Params())
    said = [message(shuffle_settings, one.code, one.data, Language.EN) for one in found if isinstance(one, Finding)]
    (off,) = [text for text in said if "no .shuffle() follows" in text]
    assert "shuffle = False" in off and "folder" not in off


def told_of(root: Path, probe: ModuleType, code: str, command: str) -> str:
    """What a probe says with this code of a run."""
    case = load(root, ["scripts.train=train.py", f"runtime.command={command}"])
    found = [one for one in probe.run(case, probe.Params()) if isinstance(one, Finding) and one.code == code]
    (text,) = [message(probe, one.code, one.data, Language.EN) for one in found]
    return text


#: Images that the rows of a data set normalise by arithmetic with what a configuration gives.
BY_ARITHMETIC = """import cv2
import numpy as np
class Rows:
    def __init__(self, mean, std):
        self.mean, self.std = np.array(mean, "float32").reshape(1, 1, 3), np.array(std).reshape(1, 1, 3).astype("float32")
    def __getitem__(self, at):
        return (cv2.imread(f"{at}.png") - self.mean) / self.std, 0
    def __len__(self):
        return 9
"""


def test_settings_are_told_of_arithmetic_too(tmp_path: Path) -> None:
    made = 'ds.GeneratorDataset(Rows(**args.scale), ["image", "label"], shuffle=True)'
    body = PLACED.replace('ds.ImageFolderDataset("images", shuffle={argument})', made)
    for cell in ("nn.Dense(784, 10)", "nn.Conv2d(3, 8, 3)"):
        body = body.replace(cell, "nn.Conv2d(3, 8, 3)")
    scale = "lr: 0.1\nscale:\n  mean: [0.485, 0.456, 0.406]\n  std: [58.395, 57.12, 57.375]\n"
    scripts(tmp_path, BY_ARITHMETIC + body, "python train.py --config a.yaml", a_yaml=scale)
    said = told_of(tmp_path, input_normalization, "impossible-statistics", "python train.py --config a.yaml")
    assert "mean = [0.485, 0.456, 0.406] from a.yaml:3 (key scale.mean)" in said


def test_a_computed_rate_is_told_at_the_setting_that_has_it(tmp_path: Path) -> None:
    script = (
        PLACED.replace("network = nn.Dense(784, 10)", RISE).replace(
            "trainable_params(), 0.1)", "trainable_params(), rates)"
        )
    ).format(argument="True")
    scripts(tmp_path, script, "python train.py --config a.yaml", a_yaml="epochs: 4\nlr: 50.0\n")
    run = "python train.py --config a.yaml"
    assert "(from a configuration file, a.yaml:2, key lr)" in told_of(tmp_path, training_settings, "rate-huge", run)
    given = told_of(tmp_path, training_settings, "rate-huge", "python train.py --lr 60")
    assert "rate of 60 (given on the command line, option lr)" in given


RISE = """network = nn.Dense(784, 10)
def rise(top, low, count):
    made = []
    for i in range(count):
        made.append(low + (top - low) * (i + 1) / count)
    return made
rates = rise(args.lr, 1e-6, args.epochs * rows.get_dataset_size())
"""


def test_a_value_within_code_that_is_shown_is_told_at_its_setting(tmp_path: Path) -> None:
    script = DEFAULTS.replace(
        '    parser.add_argument("--epochs"',
        '    parser.add_argument("--level", default="O0")\n    parser.add_argument("--epochs"',
    )
    script += """
import mindspore as ms
import mindspore.dataset as ds
from mindspore import amp, nn
network = amp.auto_mixed_precision(nn.Dense(784, 10), args.level)
optimizer = nn.SGD(network.trainable_params(), 0.1)
step = ms.value_and_grad(lambda x, y: nn.MSELoss()(network(x), y), None, optimizer.parameters)
for x, y in ds.MnistDataset("train").batch(32).create_tuple_iterator():
    optimizer(step(x, y)[1])
"""
    scripts(tmp_path, script, "python train.py --config a.yaml", a_yaml="level: O3\n")
    said = told_of(tmp_path, loss_scale_script, "no-scale", "python train.py --config a.yaml")
    assert said.endswith("level = 'O3' from a.yaml:1 (key level).")


OF_DICT = """import argparse
import os
from collections import OrderedDict
import yaml

class Plain(dict):
    def __init__(self, **given):
        super().__init__()
        self.update(given)

    def __getattr__(self, key):
        if key not in self:
            return None
        return self[key]

    def __setattr__(self, key, value):
        self[key] = value

class Config(Plain):
    def __init__(self, *files, **given):
        super().__init__()
        held = {}
        for file in files:
            if isinstance(file, str) and file.endswith("yaml"):
                held.update(Config.loaded(file))
        held.update(given)
        Config.filled(self, held)

    @staticmethod
    def loaded(file):
        with open(os.path.realpath(file)) as stream:
            stream.seek(0)
            return OrderedDict(sorted(yaml.safe_load(stream).items()))

    @staticmethod
    def filled(config, held):
        for key, value in held.items():
            if isinstance(value, dict):
                part = Config()
                dict.__setitem__(config, key, part)
                Config.filled(part, value)
            else:
                config[key] = held[key]

class Pairs(argparse.Action):
    def __call__(self, parser, namespace, values, option_string=None):
        setattr(namespace, self.dest, dict(value.split("=") for value in values))

parser = argparse.ArgumentParser()
parser.add_argument("--config", required=True)
parser.add_argument("--pairs", nargs="+", action=Pairs)
parser.add_argument("--epochs", type=int)
args, rest = parser.parse_known_args()
if not os.path.isabs(args.config):
    args.config = os.path.join(os.path.dirname(os.path.abspath(__file__)), args.config)
config = Config(args.config)
if args.epochs is not None:
    config.runner.epochs = args.epochs
rest = [part for word in rest for part in word.split("=")]
while rest:
    keys, value = rest.pop(0)[2:].split("."), rest.pop(0)
    held = config
    while len(keys) > 1:
        if keys[0] not in held:
            raise ValueError(keys[0])
        held = held[keys.pop(0)]
    held[keys.pop()] = int(value)
show(config.runner.epochs)
show(config.task.data.loader.size)
show(config.nothing)
show(args.pairs)
"""
OF_DICT_YAML = "runner: {epochs: 5}\ndata: &data\n  loader: {size: 32}\ntask:\n  data: *data\n"


@pytest.mark.parametrize(
    ("words", "values"),
    [
        ("", [5, 32, None, None]),
        ("--epochs 7", [7, 32, None, None]),
        ("--runner.epochs=9 --task.data.loader.size 64", [9, 64, None, None]),
        ("--pairs a=1 b=2", [5, 32, None, ...]),  # what an action of the project makes of its words is not seen
    ],
)
def test_a_dict_of_the_project_is_filled_as_its_code_does(tmp_path: Path, words: str, values: list[object]) -> None:
    found = scripts(tmp_path, OF_DICT, f"python train.py --config a.yaml {words}", a_yaml=OF_DICT_YAML)
    assert shown(found) == values and told(found) == []


@pytest.mark.parametrize(
    "asked", ["Path(name).is_file()", "os.path.exists(name)", "os.path.isfile(name) or name == ''"]
)
def test_a_configuration_that_is_there_needs_no_search(tmp_path: Path, asked: str) -> None:
    script = f"""import argparse
import glob
import os
from pathlib import Path
import yaml
def found(name):
    return name if {asked} else glob.glob("./**/" + name)[0]
parser = argparse.ArgumentParser()
parser.add_argument("--config", default="a.yaml")
with open(found(parser.parse_args().config)) as stream:
    show(yaml.safe_load(stream)["lr"])
"""
    assert shown(scripts(tmp_path, script, a_yaml="lr: 0.5\n")) == [0.5]
    assert shown(scripts(tmp_path, script, "python train.py --config b.yaml", a_yaml="lr: 0.5\n")) == [...]


RUN_FOR_NAMES = """import argparse
import importlib.util
import runpy
parser = argparse.ArgumentParser()
parser.add_argument("config")
path = parser.parse_args().config
class Config:
    def __init__(self, values):
        for name, value in values.items():
            setattr(self, name, Config(value) if isinstance(value, dict) else value)
def module():
    spec = importlib.util.spec_from_file_location("config", path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return vars(made)
config = Config({name: value for name, value in MADE.items() if not name.startswith("_")})
show(config.optimizer.lr)
show(config.epochs)
"""


@pytest.mark.parametrize("made", ["runpy.run_path(path)", "module()"])
@pytest.mark.parametrize(
    ("name", "values"), [("confs/a.py", [0.5, 6]), ("confs/../confs/a.py", [0.5, 6]), ("b.py", [..., ...])]
)
def test_a_configuration_in_python_is_run_for_its_names(
    tmp_path: Path, made: str, name: str, values: list[object]
) -> None:
    script = RUN_FOR_NAMES.replace("MADE", made)
    own = "rate = 0.5\noptimizer = dict(lr=rate)\nepochs = 2 * 3\n"
    assert shown(scripts(tmp_path, script, f"python train.py {name}", confs__a_py=own)) == values


@pytest.mark.parametrize(
    ("settings", "line", "key"),
    [
        ("batch = 2\nshuffle = True\nshuffle = False\n", 3, "shuffle"),
        ("data = dict(\n    batch=2,\n    shuffle=False,\n)\n", 3, "data.shuffle"),
        ("data = {\n    'flags': [\n        True,\n        False],\n}\n", 4, "data.flags.1"),
    ],
)
def test_a_finding_names_the_line_of_a_configuration_in_python(
    tmp_path: Path, settings: str, line: int, key: str
) -> None:
    first, *keys = key.split(".")
    argument = f"config[{first!r}]" + "".join(f"[{one if one.isdecimal() else repr(one)}]" for one in keys)
    script = "import runpy\nconfig = runpy.run_path('a.py')\n" + PLACED.format(argument=argument)
    scripts(tmp_path, script, a_py=settings)
    case = load(tmp_path, ["scripts.train=train.py", "runtime.command=python train.py"])
    (off,) = [
        one
        for one in shuffle_settings.run(case, shuffle_settings.Params())
        if getattr(one, "code", "") == "shuffle-off"
    ]
    assert isinstance(off, Finding)
    assert f"a.py:{line} (key {key})" in message(shuffle_settings, off.code, off.data, Language.EN)


@pytest.mark.parametrize(
    ("words", "values"), [("", [True, 3, [1, 2]]), ("--shuffle False --sizes 3 4", [False, 3, [3, 4]])]
)
def test_options_that_are_made_by_the_types_of_their_defaults(tmp_path: Path, words: str, values: list[object]) -> None:
    """One of three calls adds each option, as its default is a list, a truth value or something else."""
    script = """import argparse
parser = argparse.ArgumentParser()
for name, default in {"shuffle": True, "epochs": 3, "sizes": [1, 2], "path": None}.items():
    kind = type(default)
    if kind is list:
        parser.add_argument(f"--{name}", type=int, nargs=len(default), default=default)
    elif kind is bool:
        parser.add_argument(f"--{name}", type=lambda text: text == "True", default=default)
    else:
        parser.add_argument(f"--{name}", type=str if default is None else kind, default=default)
args = parser.parse_args()
show(args.shuffle)
show(args.epochs)
show(args.sizes[0])
show(args.sizes[1])
"""
    found = scripts(tmp_path, script, f"python train.py {words}")
    assert shown(found) == [*values[:2], *values[2]] and told(found) == []  # type: ignore[misc]
