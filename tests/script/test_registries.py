"""Networks, losses and schedules that a script looks up by a name, in what its modules put into tables."""

from pathlib import Path

import pytest

from accucheck.script.project import Project
from accucheck.script.source import read
from accucheck.script.trace import Trace, follow
from accucheck.script.values import Class, KnownValue, options, unseen

BY_FUNCTION = """TABLE = {}
def enter(made):
    TABLE[made.__name__] = made
    return made
def build(name, **given):
    if name not in TABLE:
        raise ValueError(name)
    return TABLE[name](**given)
"""
BY_NAME = """TABLE = dict()
def enter_as(name):
    def inner(made):
        TABLE[name] = made
        return made
    return inner
def build(name, **given):
    return TABLE.get(name)(**given)
"""
BY_OBJECT = """class Register:
    def __init__(self, kind):
        self.kind = kind
        self.held = {}
    def enter(self, name=None):
        def inner(made):
            key = made.__name__ if name is None else name
            if key in self.held:
                raise KeyError(key)
            self.held[key] = made
            return made
        return inner
    def build(self, given):
        given = given.copy()
        return self.held[given.pop("type")](**given)
NETS = Register("net")
"""


def followed(root: Path, **modules: str) -> Trace:
    for name, text in modules.items():
        (root / f"{name}.py").write_text(text)
    file = root / "main.py"
    return follow(read(file, "main.py"), lambda name, compared: None, Project(root, root).find, root)


def made(found: Trace, name: str) -> list[object]:
    """The first arguments of the calls of `name` that surely run."""
    calls = [call for call in found.calls if call.name == name and not unseen(call.frame)]
    return [call.args[0].value for call in calls if isinstance(call.args[0], KnownValue)]


@pytest.mark.parametrize(
    ("table", "decorator", "built"),
    [
        (BY_FUNCTION, "@table.enter", 'table.build("Net", width=7)'),
        (BY_NAME, '@table.enter_as("net")', 'table.build("net", width=7)'),
        (BY_OBJECT, "@table.NETS.enter()", 'table.NETS.build({"type": "Net", "width": 7})'),
        (BY_OBJECT, '@table.NETS.enter("net")', 'table.NETS.build(dict(type="net", width=7))'),
    ],
)
def test_what_a_module_enters_in_a_table_is_built_by_its_name(
    tmp_path: Path, table: str, decorator: str, built: str
) -> None:
    net = f"import table\n{decorator}\nclass Net:\n    def __init__(self, width=1):\n        width_is(width)\n"
    other = net.replace("Net", "Other").replace('"net"', '"other"').replace("width_is", "other_is")
    found = followed(
        tmp_path,
        table=table,
        nets=net,
        others=other,
        main=f"import table\nimport nets\nfrom others import *\n{built}\n",
    )
    assert made(found, "width_is") == [7] and made(found, "other_is") == []


def test_more_are_entered_than_a_function_is_followed(tmp_path: Path) -> None:
    nets = "".join(f"@enter\ndef net{n}():\n    built({n})\n" for n in range(300))
    found = followed(tmp_path, table=BY_FUNCTION, main=f'from table import build, enter\n{nets}build("net299")\n')
    assert made(found, "built") == [299]


@pytest.mark.parametrize(
    "looked_up",
    [
        'globals()["Net"]',
        'eval("Net")',
        'eval("nets.Net")',
        'getattr(nets, "Net")',
        'nets.__dict__["Net"]',
        'vars(nets)["Net"]',
        'importlib.import_module("nets").Net',
        'getattr(sys.modules[__name__], "Net")',
    ],
)
def test_a_class_by_its_name(tmp_path: Path, looked_up: str) -> None:
    main = f"import importlib, sys\nimport nets\nfrom nets import Net\nshow({looked_up})\n"
    found = followed(tmp_path, nets="class Net:\n    pass\n", main=main)
    (call,) = [call for call in found.calls if call.name == "show"]
    assert isinstance(call.args[0], Class) and call.args[0].node.name == "Net"


@pytest.mark.parametrize(
    "looked_up",
    [
        "getattr(nets, name)",
        'getattr(nets, options["net"])',
        "getattr(importlib.import_module('nets'), name)",
        "nets.__dict__[name]",
    ],
)
@pytest.mark.parametrize(("count", "seen"), [(2, True), (30, False)])
def test_a_name_out_of_sight_picks_one_of_the_few_things_that_a_module_defines(
    tmp_path: Path, looked_up: str, count: int, seen: bool
) -> None:
    nets = "import other\n" + "".join(f"class Net{n}:\n    pass\n" for n in range(count))
    main = f"import importlib, json\nimport nets\nname = input()\noptions = json.load(open(name))\nshow({looked_up})\n"
    found = followed(tmp_path, nets=nets, main=main)
    (call,) = [call for call in found.calls if call.name == "show"]
    names = [option.node.name for option in options(call.args[0]) if isinstance(option, Class)]
    assert (names == ["Net0", "Net1"]) is seen


@pytest.mark.parametrize("looked_up", ["getattr(nets, name)", "nets.__dict__[name]", "vars(nets)[name]"])
def test_a_name_out_of_sight_picks_no_part_of_what_a_module_defines(tmp_path: Path, looked_up: str) -> None:
    """Parts and bases stand beside the networks that are to be chosen from."""
    nets = (
        "class Base:\n    pass\nclass Gate:\n    pass\ndef scaled(x):\n    return x\n"
        "class One(Base):\n    def __init__(self):\n        self.gate = Gate()\n"
        "class Two(Base):\n    def construct(self, x):\n        return scaled(x)\n"
    )
    found = followed(tmp_path, nets=nets, main=f"import nets\nname = input()\nshow({looked_up})\n")
    (call,) = [call for call in found.calls if call.name == "show"]
    assert [option.node.name for option in options(call.args[0]) if isinstance(option, Class)] == ["One", "Two"]


def test_a_name_out_of_sight_picks_nothing_that_cannot_be_called_like_that(tmp_path: Path) -> None:
    nets = (
        "def weight(shape, factor=0.1):\n    drawn(shape)\n"
        "def small(classes, **more):\n    built(1)\n"
        "def large(classes, deep=True):\n    built(2)\n"
        "class Net:\n    def __init__(self, classes, deep):\n        built(3)\n"
        "class Head:\n    def __init__(self, width):\n        built(4)\n"
    )
    main = "import nets\nname = input()\ngetattr(nets, name)(classes=10, deep=False)\n"
    found = followed(tmp_path, nets=nets, main=main)
    assert made(found, "drawn") == [] and made(found, "built") == [1, 2, 3]


@pytest.mark.parametrize(
    "looked_up", ['build("nothing")', 'eval("1 +")', 'eval("nowhere.Net")', 'globals()["nothing"]']
)
def test_a_name_that_nothing_has_is_unknown(tmp_path: Path, looked_up: str) -> None:
    found = followed(tmp_path, table=BY_FUNCTION, main=f"from table import build, enter\nshow({looked_up})\nafter(1)\n")
    assert not any(isinstance(call.args[0], (Class, KnownValue)) for call in found.calls if call.name == "show")
    assert made(found, "after") == [1] and not found.gave_up


@pytest.mark.parametrize(("count", "known"), [(12, 12), (20, 16)])
def test_each_class_of_a_long_table_may_be_meant_by_a_key_that_is_not_known(
    tmp_path: Path, count: int, known: int
) -> None:
    classes = "".join(
        f"class Net{n}(nn.Cell):\n    def __init__(self):\n        super().__init__()\n        self.out = nn.Dense({n}, 1)\n"
        for n in range(count)
    )
    table = "TABLE = {" + ", ".join(f"'net{n}': Net{n}" for n in range(count)) + "}\n"
    found = followed(tmp_path, main=f"from mindspore import nn\n{classes}{table}net = TABLE[kind_of_run()]()\n")
    widths = made(found, "mindspore.nn.Dense")
    assert widths == list(range(known))
    sizes = "SIZES = {" + ", ".join(f"'net{n}': {n}" for n in range(count)) + "}\n"
    found = followed(tmp_path, main=f"from mindspore import nn\n{sizes}nn.Dense(SIZES[kind_of_run()], 1)\n")
    assert made(found, "mindspore.nn.Dense") == [], "numbers stay unknown"


@pytest.mark.parametrize(("default", "seen"), [('"Small"', [(False, 3), (True, None)]), ('"Other"', [(False, 3)] * 2)])
def test_what_another_option_picks_from_a_table_is_looked_at_as_well(
    tmp_path: Path, default: str, seen: list[tuple[bool, int | None]]
) -> None:
    nets = "".join(
        f"class {name}:\n    def __init__(self, width):\n        built(width)\n" for name in ("Small", "Large")
    )
    main = (
        f"import argparse\nfrom nets import Small, Large\nparser = argparse.ArgumentParser()\n"
        f"parser.add_argument('--net', default={default})\nargs = parser.parse_args()\n"
        "TABLE = {'Small': Small, 'Large': Large}\nTABLE[args.net](3)\n"
    )
    found = [call for call in followed(tmp_path, nets=nets, main=main).calls if call.name == "built"]
    assert [(unseen(call.frame), getattr(call.args[0], "value", None)) for call in found] == seen
    literal = followed(tmp_path, nets=nets, main=main.replace("args.net]", "'Small']"))
    assert len([call for call in literal.calls if call.name == "built"]) == 1, "nothing else can be picked"


def test_a_dict_has_what_one_of_several_dicts_brings(tmp_path: Path) -> None:
    main = (
        "def first():\n    return {'a': 1}\ndef second():\n    return {'b': 2}\nheld = {'a': 0}\n"
        "for name in names:\n    held.update({'x': first, 'y': second}[name]())\nshow(held['a'], held['b'])\n"
    )
    (call,) = [call for call in followed(tmp_path, main=main).calls if call.name == "show"]
    values = [{option.value for option in options(arg) if isinstance(option, KnownValue)} for arg in call.args]
    assert values == [{0, 1}, {2}]
