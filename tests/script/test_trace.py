"""Following a script: names through any alias, folded constants, both ways of a condition, its own functions and modules."""

import textwrap
from pathlib import Path
from typing import Any

import pytest

from accucheck.script import flow
from accucheck.script.project import Project
from accucheck.script.source import read
from accucheck.script.trace import Trace, follow
from accucheck.script.values import Call, KnownValue, Value, options, words


def trace(root: Path, script: str, flags: dict[str, bool] | None = None, **modules: str) -> Trace:
    for name, text in {"main": script, **modules}.items():
        path = root / (name.replace("__", "/") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
    project = Project(root, root)
    return follow(read(root / "main.py", "main.py"), lambda name, compared: (flags or {}).get(name), project.find)


def calls(found: Trace, name: str) -> list[Call]:
    return [call for call in found.calls if call.name == name]


def told(value: Value | None) -> Any:
    """The constants a value may be; ... for what is unknown."""
    found = [option.value if isinstance(option, KnownValue) else ... for option in options(value)]
    return found[0] if len(found) == 1 else set(found)


@pytest.mark.parametrize(
    "script",
    [
        "import mindspore.dataset as ds\nds.Data(1)",
        "import mindspore\nmindspore.dataset.Data(1)",
        "import mindspore as ms\nms.dataset.Data(1)",
        "from mindspore import dataset as C\nC.Data(1)",
        "from mindspore.dataset import Data as D\nD(1)",
        "from mindspore.dataset import *\nData(1)",
        "def f():\n    from mindspore.dataset import Data\n    return Data(1)\nf()",
        "import mindspore.dataset as ds\nmake = ds.Data\nmake(1)",
        "import mindspore.dataset as ds\nfrom functools import partial\nmake = partial(ds.Data)\nmake(1)",
        "try:\n    import mindspore.dataset as ds\nexcept ImportError:\n    ds = None\nds.Data(1)",
        "class A:\n    def __init__(self):\n        import mindspore.dataset as ds\n        self.d = ds\n    def go(self):\n"
        "        return self.d.Data(1)\nA().go()",
        "import mindspore.dataset as ds\nif x:\n    D = ds.Data\nelse:\n    D = ds.Data\nD(1)",
        "import mindspore.dataset as ds\nmakers = {'a': ds.Data}\nmakers['a'](1)",
    ],
)
def test_names_are_resolved_through_any_alias(tmp_path: Path, script: str) -> None:
    found = trace(tmp_path, script)
    made = calls(found, "mindspore.dataset.Data")
    if not made:  # partial of a name that is not followed stays a call of partial's result
        made = [call for call in found.calls if isinstance(call.base, Call) and call.base.last == "partial"]
    assert made and told(made[0].args[0] if made[0].args else None) == 1


@pytest.mark.parametrize(
    ("script", "value"),
    [
        ("A = 2\nB = A * 3 + 1\nf(B)", 7),
        ("A = 'tr' + 'ain'\nf(A == 'train')", True),
        ("f(not False)", True),
        ("f(True and False)", False),
        ("f(1 if 2 > 1 else 3)", 1),
        ("c = {'shuffle': True}\nf(c['shuffle'])", True),
        ("c = dict(shuffle=True)\nf(c.get('shuffle'))", True),
        ("from easydict import EasyDict as ed\nc = ed({'a': {'b': 5}})\nf(c.a['b'])", 5),
        ("class C:\n    shuffle = True\nf(C.shuffle)", True),
        ("class C:\n    shuffle = True\nf(C().shuffle)", True),
        ("class B:\n    n = 4\nclass C(B):\n    pass\nf(C().n)", 4),
        (
            "class C:\n    def __init__(self, n=3):\n        self.n = n\n    @property\n"
            "    def twice(self):\n        return self.n * 2\nf(C(5).twice)",
            10,
        ),
        ("def g(a, b=2, *, c=3):\n    return a + b + c\nf(g(1, c=5))", 8),
        ("def g(*parts, **named):\n    return named['x']\nf(g(1, x=9))", 9),
        ("f((lambda x: x + 1)(2))", 3),
        ("a, (b, c) = 1, (2, 3)\nf(c)", 3),
        ("x = unknown()\nif x:\n    y = 1\nelse:\n    y = 2\nf(y)", {1, 2}),
        ("y = 1\nif unknown():\n    y = 2\nf(y)", {1, 2}),
        ("def g(x):\n    if x:\n        return 1\n    return 2\nf(g(unknown()))", {1, 2}),
        ("if is_on:\n    y = 1\nelse:\n    y = 2\nf(y)", 1),
        ("if not args.is_on:\n    y = 1\nelse:\n    y = 2\nf(y)", 2),
        ("from tools import str2bool\nif str2bool(args.is_on):\n    y = 1\nelse:\n    y = 2\nf(y)", 1),
        ("if args.is_on.lower():\n    y = 1\nelse:\n    y = 2\nf(y)", 1),
        ("if cfg['is_on']:\n    y = 1\nelse:\n    y = 2\nf(y)", 1),
        ("def g(flag):\n    return 1 if flag else 2\nf(g(False))", 2),
        ("try:\n    y = 1\nexcept ValueError:\n    y = 2\nf(y)", {1, 2}),
        ("for i in range(3):\n    y = 5\nf(y)", 5),
        ("n = 1\nn += 4\nf(n)", 5),
        ("y = [1, 2]\ny[0] = 5\nf(y[0])", 5),
        ("y = [1, 2]\ny[unknown()] = 5\nf(y[0])", {1, 5}),
        (f"y = {[1] * 9_000}\n" + "y[unknown()] = 5\n" * 3_000 + "f(y[0])", {..., 5}),  # in time
        ("y = [1, 2]\ny[1:] = unknown()\nf(len(y))", ...),
        ("y = [1]\nif unknown():\n    y[0] = 2\nf(y[0])", {1, 2}),
        ("y = {'a': 1}\nif unknown():\n    y['a'] = 2\nf(y['a'])", {1, 2}),
        ("y = {'a': 1}\ny['a'] = 2\nf(y['a'])", 2),
        ("y = unknown()\ny['a'] = 1\nif unknown():\n    y['a'] = 2\nf(y['a'])", {1, 2}),
        ("y = unknown()\ny.a = 1\nif unknown():\n    y.a = 2\nf(y.a)", {1, 2}),
        ("y = {'a': 1}\ndel y['a']\nf('a' in y)", False),
        ("y = {'a': 1}\nif unknown():\n    del y['a']\nf(y['a'])", 1),
        ("y = [1, 2]\ndel y[0]\nf(y[0])", 2),
        ("y = [1, 2]\ndel y[unknown()]\nf(len(y))", ...),
        ("y = [1, 2]\nx = y\ndel x\nf(y[0])", 1),
        (
            "def a():\n    x = 1\n    def b():\n        def c():\n            nonlocal x\n            x = 2\n        c()\n    b()\n"
            "    f(x)\na()",
            2,
        ),
        ("def g(x):\n    return x + 1\nx = 1\nfor op in [g, g]:\n    x = op(x)\nf(x)", 3),
        ("x = []\nfor n in (1, 2):\n    for m in (3, 4):\n        x.append(n)\nf(len(x))", ...),
        ("x = {}\nfor n in ('a', 'b'):\n    x[n] = 1\nf(len(x))", 2),
        (
            "x, names = {}, ['a']\nfor i in unknown():\n    names.append('b')\nfor n in names:\n    x[n] = 1\nf('a' in x)",
            ...,
        ),
        ("y = [1, 2, 3]\ny.remove(2)\nf(y[1])", 3),
        ("y = [1, 2, 3]\ny.remove(unknown())\nf(len(y))", ...),
        ("y = [1, 2, 3]\nif unknown():\n    y.remove(2)\nf(len(y))", ...),
        ("y = [1, 2, 3]\ny.clear()\nf(len(y))", 0),
        ("y = [1, 2, 3]\nif unknown():\n    y.clear()\nf(len(y))", ...),
        ("y = [3, 1, 2]\ny.sort()\nf(y[0])", 1),
        ("y = [3, 1, 2]\ny.sort(reverse=True)\nf(y[0])", 3),
        ("y = [3, 1, 2]\ny.sort(key=unknown)\nf(y[0])", {3, 1, 2}),
        ("y = [3, 'a', 2]\ny.sort()\nf(y[0])", {3, "a", 2}),
        ("y = [3, 1]\nif unknown():\n    y.sort()\nf(y[0])", {3, 1}),
        (f"y = {[1] * 500}\ny.append(2)\nf(len(y))", ...),
        (f"y = {[1] * 300}\ny.append(2)\nf(len(y))", 301),
        ("a, *b = [1, 2, 3]\nf(len(b))", 2),
        ("a, *b = [1, 2, 3]\nf(b[1])", 3),
        ("*a, b = [1, 2, 3]\nf(b)", 3),
        ("*a, b = [1, 2, 3]\nf(a[1])", 2),
        ("a, *b, c = [1, 2]\nf(len(b))", 0),
        ("a, *b = unknown()\nf(len(b))", ...),
        ("a = [1]\nb = a\nb += [2]\nf(len(a))", 2),
        ("a = (1,)\nb = a\nb += (2,)\nf(len(a))", 1),
        ("a = tuple([1])\nb = a\nb += (2,)\nf(len(a))", 1),
        ("a = [1]\nb = a\nb = b + [2]\nf(len(a))", 1),
        ("a = [1]\nfor i in unknown():\n    a += [2]\nf(len(a))", ...),
        ("def g(x):\n    x += [2]\na = [1]\ng(a)\nf(len(a))", 2),
        ("def g(x):\n    x += [2]\na = [1]\nif unknown():\n    g(a)\nf(len(a))", ...),
        ("match 2:\n    case 1:\n        y = 1\n    case 2:\n        y = 2\nf(y)", 2),
        ("match 'c':\n    case 'a' | 'b':\n        y = 1\n    case _:\n        y = 2\nf(y)", 2),
        ("match 'b':\n    case 'a' | 'b':\n        y = 1\n    case _:\n        y = 2\nf(y)", 1),
        ("match None:\n    case None:\n        y = 1\n    case other:\n        y = 2\nf(y)", 1),
        ("match 3:\n    case 1:\n        y = 1\n    case other:\n        y = other\nf(y)", 3),
        ("y = 0\nmatch 3:\n    case 1:\n        y = 1\nf(y)", 0),
        ("match 1:\n    case 1 if unknown():\n        y = 1\n    case _:\n        y = 2\nf(y)", {1, 2}),
        (
            "match unknown():\n    case 1:\n        y = 1\n    case 2:\n        y = 2\n    case _:\n        y = 3\nf(y)",
            {1, 2, 3},
        ),
        ("y = 0\nmatch 1:\n    case [a, b]:\n        y = 1\nf(y)", {0, 1}),
        # What stands behind items whose number is not seen comes last, where no parameter has a default.
        ("def g(a, b, c):\n    f(c)\ng(*unknown(), 2, 3)", 3),
        ("def g(a, b, c):\n    f(b)\ng(*unknown(), 2, 3)", 2),
        ("def g(a, b, c):\n    f(a)\ng(*unknown(), 2, 3)", ...),
        ("def g(a, b, c, d):\n    f(b)\ng(1, *unknown(), 3, 4)", ...),
        ("def g(a, b, c, d):\n    f(a)\ng(1, *unknown(), 3, 4)", 1),
        ("def g(a, b, c=1):\n    f(b)\ng(*unknown(), 3)", ...),
        ("def g(a, b, *c):\n    f(b)\ng(*unknown(), 3)", ...),
        ("def g(a, b, c):\n    f(b)\ng(*unknown(), *unknown(), 3)", ...),
        ("f(10 ** 10 ** 10)", ...),
        ("f('a' * 10 ** 9)", ...),
        ("f(1 / 0)", ...),
        ("def g():\n    return g()\nf(g())", ...),
    ],
)
def test_constants_are_folded(tmp_path: Path, script: str, value: Any) -> None:
    found = trace(tmp_path, f"from somewhere import f, unknown\n{script}", {"is_on": True})
    (call,) = calls(found, "somewhere.f")
    assert told(call.args[0]) == value


def test_the_words_within_a_value(tmp_path: Path) -> None:
    found = trace(
        tmp_path,
        """
        import os
        from somewhere import f, load
        cfg = load()
        class Names:
            split = "class"
            def __init__(self):
                self.split = "attribute"
        f([os.path.join(cfg.root, "train" if cfg.small else "val"), unknown_name, (1, Names())])
        """,
    )
    (call,) = calls(found, "somewhere.f")
    assert {*words(call.args[0])} - {""} == {"train", "val", "root", "unknown_name", "Names", "attribute", "cfg"}


def test_options_of_the_command_line_are_assumed(tmp_path: Path) -> None:
    found = trace(
        tmp_path,
        """
        import argparse
        from somewhere import f
        def parse():
            parser = argparse.ArgumentParser()
            group = parser.add_argument_group("data")
            group.add_argument("--shuffle", default="True", type=str)
            parser.add_argument("-d", "--drop-last", action="store_true")
            parser.add_argument("--size", type=int, default=4)
            return parser.parse_known_args()
        args, rest = parse()
        f(args.shuffle, args.drop_last, args.size, args.other)
        """,
    )
    (call,) = calls(found, "somewhere.f")
    assert [told(value) for value in call.args] == [True, False, 4, ...]
    assert [value.assumed for value in call.args if isinstance(value, KnownValue)] == ["argparse"] * 3


def test_the_calls_that_make_options_are_kept_apart(tmp_path: Path) -> None:
    script = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--a', default=1)\np.set_defaults(a=2)\np.parse_args()\n"
    found = trace(tmp_path, script + "def more():\n    p.add_argument('--b')\n")
    names = [".add_argument", ".set_defaults", ".add_argument"]
    assert [call.name for call in found.options] == names
    assert [call for call in found.calls if call.name in names] == found.options
    more = next(frame.function for frame in found.frames if frame.function.name == "more")
    found.again(lambda tracer: tracer.call_function(more, [], {}, more.node))
    assert [call.name for call in found.options] == names, "what is run afterwards leaves nothing behind"


def test_an_option_that_a_condition_sets_anew_keeps_its_default(tmp_path: Path) -> None:
    found = trace(
        tmp_path,
        """
        import argparse
        from somewhere import f
        parser = argparse.ArgumentParser()
        parser.add_argument("--epochs", type=int, default=25)
        parser.add_argument("--dry-run", action="store_true")
        args = parser.parse_args()
        if args.dry_run:
            args.epochs = 1
        f(args.epochs)
        args.epochs = 3
        f(args.epochs)
        """,
    )
    either, always = calls(found, "somewhere.f")
    assert [told(value) for value in options(either.args[0])] == [25, 1]
    assert told(always.args[0]) == 3


@pytest.mark.parametrize("made", ["load()", "load()['part']", "Filled(load())"])
@pytest.mark.parametrize(
    ("ways", "expected"),
    [
        ("if kind == 1:\n    c.on = 3", {3, ...}),
        ("if kind == 1:\n    c.on = 3\nelse:\n    c.on = 4", {3, 4}),
        ("if kind == 1:\n    c.on = 3\nelif kind == 2:\n    c.on = 4\nelse:\n    c.on = 5", {3, 4, 5}),
        ("if kind == 1:\n    c.on = 3\nelif kind == 2:\n    c.on = 4", {3, 4, ...}),
        ("if kind == 1:\n    pass\nelif kind == 2:\n    c.on = 4\nelse:\n    raise ValueError", {4, ...}),
        ("if kind == 1:\n    c.on = 3\nelse:\n    raise ValueError", 3),
        ("c.on = 3\nif kind == 1:\n    c.on = 4", {3, 4}),
        ("c.on = 3", 3),
    ],
)
def test_what_a_condition_sets_in_a_configuration_that_is_not_seen(
    tmp_path: Path, made: str, ways: str, expected: Any
) -> None:
    """It may hold another value before, but where all ways set it."""
    head = "class Filled:\n    def __init__(self, given):\n        for k, v in given.items():\n            setattr(self, k, v)\n"
    found = trace(tmp_path, f"from other import load, kind\n{head}c = {made}\n{ways}\ntake(c.on)\n")
    assert told(calls(found, "take")[0].args[0]) == expected


@pytest.mark.parametrize(
    "body",
    [
        "for n in range(kind):\n            setattr(self, f'layer{n}', 1)\n        if kind == 1:\n            self.on = 3",
        "for n in names:\n            setattr(self, n, 1)\n        if kind == 1:\n            self.on = 3",
    ],
)
def test_an_object_knows_what_it_sets_itself(tmp_path: Path, body: str) -> None:
    """Whatever other names it sets beside."""
    text = f"from other import names, kind\nclass Own:\n    def __init__(self):\n        {body}\ntake(Own().on)\n"
    assert told(calls(trace(tmp_path, text), "take")[0].args[0]) == 3


def test_an_option_without_a_value_may_be_given(tmp_path: Path) -> None:
    script = """
        import argparse
        from x import f
        parser = argparse.ArgumentParser()
        parser.add_argument("--start")
        parser.add_argument("--more", default="")
        parser.add_argument("--steps", type=int, default=0)
        args = parser.parse_args()
        if args.start:
            f(1)
        if not args.more:
            f(2)
        else:
            f(3)
        if args.more and unknown():
            f(4)
        if args.steps:
            f(5)
        f(args.more or 6)
        """
    made = calls(trace(tmp_path, script), "x.f")
    assert [told(call.args[0]) for call in made] == [1, 2, 3, 4, 6]
    assert [call.conditions for call in made[:3]] == [("args.start",), ("not args.more",), ("not args.more",)]


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ("nn.DynamicLossScaleUpdateCell(2**12, 2, 1000)", [1]),
        ("ms.FixedLossScaleManager(1024.0)", [1]),
        ("nn.Dense(2, 2)", [1]),
        ("nn.SGD([], 0.1)", [1]),
        ("nn.CellList(layers())", [1, 2]),  # may be empty
        ("nn.Dense(2, 2)(x)", [1, 2]),
    ],
)
def test_cells_and_optimizers_count_as_true(made: str, expected: list[int], tmp_path: Path) -> None:
    script = f"import mindspore as ms\nfrom mindspore import nn\nfrom x import f, layers\nmade = {made}\n"
    found = trace(tmp_path, script + "if made:\n    f(1)\nelse:\n    f(2)\n")
    assert [told(call.args[0]) for call in calls(found, "x.f")] == expected


def test_a_function_that_nothing_calls_is_followed_with_its_defaults_assumed(tmp_path: Path) -> None:
    found = trace(
        tmp_path, "from x import f\ndef g(a, b=True):\n    f(a, b)\nclass C:\n    def m(self, n=1):\n        f(n, n)\n"
    )
    first, second = calls(found, "x.f")
    assert told(first.args[0]) is ... and told(first.args[1]) is True and first.args[1].assumed == "parameter"
    assert first.functions == ("g",) and second.functions == ("m",)


def test_what_is_made_remembers_its_names_and_conditions(tmp_path: Path) -> None:
    found = trace(
        tmp_path,
        """
        import lib
        def build(kind="a"):
            if lib.ready():
                data = lib.Data(kind)
                return data
        train_set = build("b")
        lib.drop(train_set)
        """,
    )
    (made,) = calls(found, "lib.Data")
    assert made.bound == ("data", "train_set") and made.conditions == ("lib.ready()",)
    assert made.functions == ("build",) and made.given == {"kind": "b"} and not made.discarded
    assert calls(found, "lib.drop")[0].discarded


def test_modules_of_the_project_are_followed(tmp_path: Path) -> None:
    found = trace(
        tmp_path,
        """
        from src.data import create
        from src import data as again
        import src.data
        from src.star import *
        create(1)
        again.create(2)
        src.data.create(3)
        from_star(4)
        """,
        src__data="from .helper import make\nimport lib\ndef create(n):\n    return make(n)\n",
        src__helper="import lib as other\nfrom ..nowhere import gone\ndef make(n):\n    return other.Data(n)\n",
        src__star="from src.helper import make\ndef from_star(n):\n    return make(n)\n",
    )
    made = calls(found, "lib.Data")
    assert [told(call.args[0]) for call in made] == [1, 2, 3, 4]
    assert {call.source.path for call in made} == {"src/helper.py"}


def test_a_function_of_another_module_that_nobody_calls_is_not_followed(tmp_path: Path) -> None:
    module = "import lib\ndef create(n):\n    lib.Data(n)\n"
    assert not calls(trace(tmp_path, "import data\nmake = data.create\n", data=module), "lib.Data")
    assert calls(trace(tmp_path, "import data\nmake = data.create\nmake(1)\n", data=module), "lib.Data")


def test_a_method_that_a_decorator_wraps_is_followed_with_its_object_or_not_at_all(tmp_path: Path) -> None:
    nets = """
    import functools
    from mindspore import nn
    def checked(**kinds):
        def inner(made):
            @functools.wraps(made)
            def wrapper(*args, **given):
                return made(*args, **given)
            return wrapper
        return inner
    class Used(nn.Cell):
        @checked(size=int)
        def __init__(self, size):
            self.layer = nn.Dense(size, 1)
    class Other(nn.Cell):
        @checked(size=int)
        def __init__(self, size):
            self.layer = nn.Conv2d(size, 1, 3)
    """
    found = trace(tmp_path, "from nets import Used\nnet = Used(3)\n", nets=nets)
    (layer,) = calls(found, "mindspore.nn.Dense")
    assert told(layer.args[0]) == 3
    assert calls(found, "mindspore.nn.Conv2d") == []


def test_modules_that_import_each_other_come_to_an_end(tmp_path: Path) -> None:
    found = trace(
        tmp_path,
        "import a\na.f(1)\n",
        a="import b\ndef f(n):\n    return b.g(n)\n",
        b="from a import f\ndef g(n):\n    return f(n)\n",
    )
    assert not found.gave_up


def test_nothing_outside_the_project_is_read(tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_text("import lib\nlib.Data(1)\n")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "linked.py").symlink_to(tmp_path / "outside.py")
    found = trace(tmp_path / "in", "import linked\nfrom .. import outside\nlinked.x()\noutside.x()\n")
    assert not calls(found, "lib.Data")


@pytest.mark.usefixtures("usual_recursion")
def test_a_script_that_is_too_much_is_given_up(tmp_path: Path) -> None:
    calls_in_calls = "".join(f"def f{i}():\n" + f"    f{i + 1}()\n" * 10 for i in range(14)) + "def f14(): pass\nf0()\n"
    assert len(trace(tmp_path, calls_in_calls).frames) < 3000
    assert trace(tmp_path, "x = [" + "1, " * 600_000 + "]\n").gave_up
    assert trace(tmp_path, "x = " + "(" * 80 + "1" + ")" * 80 + "\ny = " + "+".join(["x"] * 600)).gave_up


@pytest.mark.parametrize(
    "script",
    [
        "match x:\n    case 1:\n        y = 1\n    case _:\n        y = 2",
        "async def f():\n    async with a as b:\n        async for c in b:\n            await c\n",
        "while True:\n    break\nelse:\n    x = 1",
        "x = [i for i in y if (z := i)]\nw = {a: b for a, b in x}\nv = {*x}\nu = (q for q in v)",
        "global g\ndel x\nx: int\ny: int = 3\nassert y\nx[0], *x.b = y\nx.y.z += 1",
        "def f(*, a=1, **k):\n    yield a\n    nonlocal_ = k\nlist(f(**{'a': 2}))\nf(*[1], **q)",
        "f'{x!r:>{w}}' f'{1}'\nx = b'1' + b'2'\n-True\n~1\n1 < 2 < 3\nx @ y\nx[1:2]\n...",
        "class A(B, metaclass=C):\n    x = 1\n    def f(self): return super().f()\n    @staticmethod\n    def g(a): return a\n"
        "A().f()\nA.g(1)\nA()(2)",
        "try:\n    pass\nfinally:\n    pass\ntry:\n    raise E from e\nexcept (A, B) as e:\n    raise\nelse:\n    pass",
    ],
)
def test_every_kind_of_statement_is_followed(tmp_path: Path, script: str) -> None:
    assert not trace(tmp_path, script).gave_up


#: Statements before a call -> the conditions that hold at it because another way left: each with the way that goes on.
LEAVES = {
    "if a:\n    return": [("a", False)],
    "if a:\n    raise ValueError": [("a", False)],
    "if a:\n    pass\nelse:\n    return": [("a", True)],
    "if a:\n    return\nif b:\n    return": [("a", False), ("b", False)],
    "if a:\n    b()": [],
    "if a:\n    if b:\n        return": [],
    "with a:\n    if b:\n        return": [("b", False)],
    "for x in a:\n    if x:\n        return": [("x", False)],
    "for x in a:\n    if x:\n        break": [],
    "for x in a:\n    if x:\n        continue": [],
    "try:\n    if a:\n        return\nexcept OSError:\n    pass": [("a", False)],
    "try:\n    raise OSError\nexcept OSError:\n    if a:\n        return": [],
    "g()": [],
}


@pytest.mark.parametrize("before", LEAVES)
def test_what_a_way_that_left_says_of_the_rest(tmp_path: Path, before: str) -> None:
    body = textwrap.indent(before, "    ")
    found = trace(tmp_path, f"def g():\n    if c:\n        return\ndef f(a, b):\n{body}\n    use(1)\nf(p, q)\nuse(2)\n")
    one, two = (call for call in found.calls if call.last == "use" or getattr(call.base, "name", "") == "use")
    assert [(test.text, test.taken) for test in one.left] == LEAVES[before]
    assert not one.tests and not two.left


def test_the_turn_of_a_loop_goes_on_under_what_did_not_leave_it(tmp_path: Path) -> None:
    found = trace(tmp_path, "for x in data:\n    if x:\n        continue\n    use(1)\nuse(2)\n")
    one, two = (call for call in found.calls if getattr(call.base, "name", "") == "use")
    assert [(test.text, test.taken) for test in one.under] == [("x", False)]
    assert not two.under


def test_a_name_gives_the_same_alternatives_at_each_read(tmp_path: Path) -> None:
    found = trace(tmp_path, "x = f()\nif c:\n    x = None\nuse(x)\nuse(x)\n")
    one, two = (call.args[0] for call in found.calls if getattr(call.base, "name", "") == "use")
    assert len(options(one)) == 2 and one is two


def test_what_one_list_holds_many_times_is_told_once(tmp_path: Path) -> None:
    """A configuration of lists within lists, each of them many times: 30 ** 6 places, seven values."""
    lines = ["a = [1]", *(f"a = [{', '.join(['a'] * 30)}]" for _ in range(6)), "f(a)"]
    found = trace(tmp_path, "from somewhere import f\n" + "\n".join(lines))
    (call,) = calls(found, "somewhere.f")
    used = flow.users(found)
    inner = call.args[0]
    for _ in range(5):
        assert used[id(inner)] == [(call, "0")]
        (inner,) = {id(item): item for item in inner.items}.values()


def test_a_list_of_another_length_is_not_unpacked(tmp_path: Path) -> None:
    """That way, Python stops."""
    script = """
    import tool
    def both(*given):
        first, second = tuple(given)
        tool.two(first, second)
    def three(*given):
        first, second, third = tuple(given)
        tool.three(first, second)
    both(1, 2)
    three(1, 2)
    """
    found = trace(tmp_path, script)
    assert [[told(arg) for arg in call.args] for call in calls(found, "tool.two")] == [[1, 2]]
    assert [[told(arg) for arg in call.args] for call in calls(found, "tool.three")] == [[..., ...]]


@pytest.mark.parametrize(
    ("script", "values"),
    [
        ("def fill():\n    held = {'a': 1}\n    held['a'] = 2\n    take(held['a'])\nif go:\n    fill()", [2]),
        ("class Net:\n    def __init__(self):\n        self.a = 1\n        self.a = 2\nif go:\n    take(Net().a)", [2]),
        ("import other\nif go:\n    made = other.make()\n    made.a = 1\n    made.a = 2\n    take(made.a)", [2]),
        ("held = {'a': 1}\nif go:\n    held['a'] = 2\ntake(held['a'])", [{1, 2}]),
        (
            "def fill():\n    held = {'a': 1}\n    if on:\n        held['a'] = 2\n    take(held['a'])\nif go:\n    fill()",
            [{1, 2}],
        ),
        (
            "class Net:\n    def __init__(self):\n        self.a = 1\nnet = Net()\nif go:\n    net.a = 2\ntake(net.a)",
            [{1, 2}],
        ),
    ],
)
def test_a_condition_that_made_an_object_leaves_no_doubt_about_what_it_holds(
    script: str, values: list[Any], tmp_path: Path
) -> None:
    found = trace(tmp_path, "from unknown import go, on, take\n" + script)
    assert [told(call.args[0]) for call in calls(found, "unknown.take")] == values


@pytest.mark.parametrize(
    ("body", "is_constant"),
    [
        ("size *= 2", False),
        ("size = size * 2", False),
        ("size = max(size * 2, 1)", False),
        ("size = int(0.5 * size)", False),
        ("size = 7 * 2", True),
        ("other = size * 2", True),
    ],
)
def test_a_number_that_each_turn_computes_of_the_last_is_no_constant(
    tmp_path: Path, body: str, is_constant: bool
) -> None:
    found = trace(tmp_path, f"from mindspore import nn\nsize = 3\nfor i in range(4):\n    {body}\nnn.Dense(size, 1)")
    (made,) = calls(found, "mindspore.nn.Dense")
    assert isinstance(made.args[0], KnownValue) == is_constant


@pytest.mark.parametrize(
    ("made", "changed"),
    [
        ("numpy.array([1.0])", True),
        ("mindspore.Tensor([1.0]).asnumpy()", True),
        ("mindspore.Tensor([1.0])", False),
        ("mindspore.Tensor([1.0]).reshape(1, 1)", False),
        ("mindspore.ops.relu(unknown())", False),
    ],
)
def test_an_array_that_a_function_is_given_is_changed_in_place_and_a_tensor_is_not(
    tmp_path: Path, made: str, changed: bool
) -> None:
    found = trace(tmp_path, f"import numpy, mindspore\ndef g(x):\n    x /= 255\n    return x\na = {made}\ng(a)\nf(a)")
    (seen,) = calls(found, "f")
    assert isinstance(seen.args[0], Call) and bool(seen.args[0].fed) == changed
