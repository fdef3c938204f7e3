"""What expressions stand for: what Python makes of constants, and "cannot tell" (...) for what a run decides."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import pytest

from accucheck.script.project import Project
from accucheck.script.source import read
from accucheck.script.trace import Trace, follow
from accucheck.script.training import assumption
from accucheck.script.values import Instance, Items, KnownValue, Many, Mapping, Value
from case_scripts import scripts

HEAD = """import argparse
from collections import namedtuple
from other import f, unknown
"""


def traced(root: Path, text: str) -> Trace:
    (root / "main.py").write_text(HEAD + textwrap.dedent(text))
    return follow(read(root / "main.py", "main.py"), assumption("train"), Project(root, root).find)


def told(value: Value | None) -> Any:
    if isinstance(value, KnownValue):
        return value.value
    if isinstance(value, Items):
        return [*map(told, value.items), *([...] if value.open else [])]
    if isinstance(value, Mapping):
        return {key: told(item) for key, item in value.items.items()} | ({...: ...} if value.fed else {})
    if isinstance(value, Many):
        return set(map(told, value.options))
    return value.of.node.name if isinstance(value, Instance) else ...


def given(found: Trace) -> list[Any]:
    return [told(value) for call in found.calls if call.name == "other.f" for value in call.args]


#: Code, and what f is given.
EXPRESSIONS: dict[str, tuple[str, Any]] = {
    # texts
    "a letter": ("f('abc'[1], 'abc'[-1])", ["b", "c"]),
    "a part": ("f('model.ckpt'[:-5], 'abc'[::2], 'abc'[5:])", ["model", "ac", ""]),
    "no letter": ("f('abc'[7], 'abc'[unknown()], 'abc'['x'], 'abc'[unknown():])", [..., ..., ..., ...]),
    "a text of constants": ("n = 3\nf(f'epoch_{n}.ckpt')", ["epoch_3.ckpt"]),
    "a text by a format": ("n, x = 3, 'a'\nf(f'{n:03d}', f'{x!r}', f'{n=}')", [..., ..., ...]),
    "a text of what is not known": ("f(f'epoch_{unknown()}.ckpt')", [...]),
    # comparisons
    "a chain": ("f(6 <= 8 <= 8, 6 <= 5 <= 8, 1 < 2 < 2)", [True, False, False]),
    "a chain of what is not known": ("f(5 < 3 < unknown(), 1 < 3 < unknown())", [False, ...]),
    # what a list begins with
    "words numbered behind special ones": (
        "words = ['<pad>', '<unk>'] + unknown()\nat = {word: k for k, word in enumerate(words)}\nf(at['<unk>'], words.index('<unk>'))",
        [1, 1],
    ),
    "words added behind special ones": (
        "words = ['<pad>', '<unk>']\nfor word in unknown():\n    words.append(word)\nwords.extend(unknown())\n"
        "at = dict(zip(words, range(len(words))))\nf(at['<unk>'], words.index('<unk>'), at['cat'])",
        [1, 1, ...],
    ),
    "words numbered from one on": (
        "words = ['<pad>', '<unk>', *unknown()]\nat = {word: k + 1 for k, word in enumerate(words)}\n"
        "more = {word: k for k, word in enumerate(words, 3)}\nf(at['<unk>'], more['<unk>'])",
        [2, 4],
    ),
    "words before special ones": (
        "words = unknown() + ['<pad>']\nat = {word: k for k, word in enumerate(words)}\nf(at['<pad>'], words.index('<pad>'))",
        [..., ...],
    ),
    "words put in front, or sorted": (
        "words, more = ['<pad>', '<unk>'], ['<pad>', '<unk>']\nfor word in unknown():\n    words.insert(0, word)\n    more.append(word)\n"
        "more.sort()\nf(words.index('<unk>'), more.index('<unk>'), {word: k for k, word in enumerate(words)}['<unk>'])",
        [..., ..., ...],
    ),
    "words of a set": ("f({word: k for k, word in enumerate({'a', 'b'})}['b'])", [...]),
    "a number of an unknown word": (
        "at = {word: k for k, word in enumerate(['a', 'b'])}\nf(at[unknown()], at.get('b'))",
        [..., 1],
    ),
    "words of a list": ("f({word: k for k, word in enumerate(['a', 'b'])})", [{"a": 0, "b": 1}]),
    # lists
    "a list times": ("f([1, 2] + [3], (1,) + (2,))", [[1, 2, 3], [1, 2]]),
    "a part of a list": (
        "f([1, 2, 3][1:], [1, 2, 3][::-1], [1, 2, 3][:unknown()])",
        [[2, 3], [3, 2, 1], [1, 2, 3, ...]],
    ),
    "a part by a step of 0": ("f([1, 2][::0])", [[1, 2, ...]]),
    "some item": ("f([1, 2][unknown()], [][unknown()])", [{1, 2}, ...]),
    "an item that is not there": ("f([1, 2][5])", [{1, 2}]),
    "spread": ("a = [1, 2]\nf([0, *a], [*unknown(), 3])", [[0, 1, 2], [..., 3, ...]]),
    "spread of a list that grew": ("a = [1]\nfor i in unknown():\n    a.append(2)\nf([*a])", [[1, 2, ...]]),
    "a comprehension": ("f([2 * n for n in (1, 2)])", [[2, 4]]),
    "an item of one that is not unrolled": ("f([3 for n in unknown()][0])", [3]),
    "an item of a container of cells": ("from mindspore import nn\nf(nn.CellList([1, 2])[1], list((3, 4))[0])", [2, 3]),
    # dicts
    "a dict spread": ("a = {'x': 1}\nf({**a, 'y': 2}, {**unknown(), 'y': 2})", [{"x": 1, "y": 2}, ...]),
    "a dict of a comprehension": (
        "f({k: 0 for k in ('a', 'b')}, {k: 1 for k in ('a', 'b') if k != 'a'})",
        [{"a": 0, "b": 0}, {"b": 1}],
    ),
    "a dict of a comprehension that a run decides": (
        "f({k: 1 for k in ('a', 'b') if unknown(k)}, {unknown(k): 2 for k in ('a', 'b')})",
        [{...: ...}, {...: ...}],
    ),
    "a dict of two loops": ("f({a + b: 1 for a in ('x',) for b in ('y', 'z')})", [...]),
    "a dict of keys that are not known": ("d = {unknown(): 1, 'a': 2}\nf(d['a'], d['b'], 'b' in d)", [2, 1, ...]),
    "a dict of one key that is not known": ("f(1 if {unknown(): 2} else 3)", [{1, 3}]),
    "what was stored under some key": ("d = {'a': 1}\nd[unknown()] = 2\nf(d[unknown()])", [{1, 2}]),
    "what is stored under some key": ("d = {'a': 1, 'b': 2}\nf(d[unknown()], {}[unknown()])", [{1, 2}, ...]),
    "the keys of a dict": ("for k in {'a': 1, 'b': 2}:\n    pass\nf([k for k in {'a': 1, 'b': 2}])", [...]),
    "the keys of a dict, in a row": ("x, y = {'a': 1, 'b': 2}\nf(x)", [...]),
    "a dict by numbers": ("d = {1: 'a', None: 'b'}\nf(d[1], d[None], d[2])", ["a", "b", ...]),
    # records
    "a dict as attributes": ("from tools import Config\nc = Config({'lr': 3})\nf(c.lr, c['lr'], c.other)", [3, 3, ...]),
    "keywords as attributes": ("from tools import Config\nf(Config(lr=3).lr)", [3]),
    "what was set on something": ("c = unknown()\nc['lr'] = 3\nf(c['lr'], c['x'])", [3, ...]),
    "an option by its name": (
        "p = argparse.ArgumentParser()\np.add_argument('--lr', default=3)\na = p.parse_args()\nf(a.lr, vars(a)['lr'], a.other)",
        [3, 3, ...],
    ),
    # objects
    "__dict__": ("class A:\n    def __init__(self):\n        self.x = 3\nf(A().__dict__['x'])", [3]),
    "a method of the class": (
        "class A:\n    n = 3\n    @classmethod\n    def make(cls):\n        return cls.n\nf(A.make(), A().make())",
        [3, 3],
    ),
    "__getitem__": (
        "class A:\n    def __getitem__(self, key):\n        return key * 2\nf(A()[unknown()], A()['x'])",
        [..., ...],
    ),
    "__getitem__ of a constant": ("class A:\n    def __getitem__(self, key):\n        return 7\nf(A()['x'])", [7]),
    "__iter__ of a list": (
        "class A:\n    def __iter__(self):\n        return iter([1, 2])\nfor x in A():\n    f(x)",
        [{1, 2}],
    ),
    "__iter__ that yields": (
        "class A:\n    def __iter__(self):\n        yield 1\n        yield 2\nfor x in A():\n    f(x)",
        [{1, 2}],
    ),
    "__next__": (
        "class A:\n    def __iter__(self):\n        return self\n    def __next__(self):\n        return 5\nfor x in A():\n    f(x)",
        [5],
    ),
    "__iter__ of the class above": (
        "class B:\n    def __iter__(self):\n        return self\n    def __next__(self):\n        return 6\n"
        "class A(B):\n    pass\nfor x in A():\n    f(x)",
        [6],
    ),
    "__iter__ without a __next__": (
        "class A:\n    def __iter__(self):\n        return self\nfor x in A():\n    f(x)",
        [...],
    ),
    "__iter__ elsewhere": ("class A:\n    __iter__ = unknown\nfor x in A():\n    f(x)", [...]),
    "an attribute of a function": ("def g():\n    pass\nf(g.calls)", [...]),
    "super of a static method": (
        "class A:\n    @staticmethod\n    def g():\n        return super().x\nf(A.g())",
        [...],
    ),
    "yielded": ("def g():\n    yield from [1, 2]\nfor x in g():\n    f(x)", [{1, 2}]),
    "a yield out of place": ("yield 3\nyield from [1]\nf(4)", [4]),
    "the letters of a text": ("for x in 'ab':\n    f(x)", [...]),
    # conditions
    "in a list": ("mode = 'a'\nf(mode in ['a', 'b'], mode in ('b',), 'c' in ['a', 'b'])", [True, False, False]),
    "in a list of what a run decides": ("f(unknown() in ['a', 'b'], 'a' in [unknown()])", [..., ...]),
    "a mode among modes": (
        "f(args.mode in ('train', 'finetune'), args.mode in ('eval', 'test'), args.mode in ('train', 'eval'), args.mode in ('a', 'b'))",
        [True, False, True, ...],
    ),
    "in a list that grew": (
        "a = ['x']\nfor i in unknown():\n    a.append('y')\nf('x' in a, 'z' in a, 'z' not in a)",
        [True, ..., ...],
    ),
    "not in a list": ("f('c' not in ['a', 'b'])", [True]),
    "a key of a dict": ("d = {'a': 1}\nf('a' in d, 'b' in d, 'b' not in d)", [True, False, True]),
    "a key of one that was added to": ("d = {'a': 1}\nd[unknown()] = 2\nf('a' in d, 'b' in d)", [True, ...]),
    "a list as a condition": ("f(1 if [0] else 2, 1 if [] else 2)", [1, 2]),
    "a list that grew as a condition": (
        "a = []\nfor i in []:\n    pass\nfor i in unknown():\n    unknown(a)\nf(1 if a else 2)",
        [2],
    ),
    "a dict as a condition": ("f(1 if {'a': 0} else 2, 1 if {} else 2)", [1, 2]),
    "one that was added to": ("d = {}\nd[unknown()] = 2\nf(1 if d else 2)", [{1, 2}]),
    "three in a row": ("f(1 < unknown() < 3)", [...]),
    "none of what is looked up": (
        "import os\nt = unknown()\nf(t['a'] is None, t.a is None, os.getenv('A') is None)",
        [..., ..., ...],
    ),
    "none of what is made": ("x = unknown()\nf(x is None, x is not None)", [False, True]),
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_what_expressions_stand_for(name: str, tmp_path: Path) -> None:
    code, expected = EXPRESSIONS[name]
    assert given(traced(tmp_path, code)) == expected


def test_a_text_made_of_an_option_may_be_another(tmp_path: Path) -> None:
    text = "p = argparse.ArgumentParser()\np.add_argument('--mode', default='a')\nf(f'x_{p.parse_args().mode}')\n"
    (call,) = [call for call in traced(tmp_path, text).calls if call.name == "other.f"]
    assert isinstance(known := call.args[0], KnownValue) and (known.value, known.assumed) == ("x_a", "argparse")


def test_a_turn_of_a_dict_comprehension_is_indexed(tmp_path: Path) -> None:
    """It stands at the comprehension, and holds none of its lists."""
    made = scripts(tmp_path, "from mindspore import nn\nnamed = {row['name']: row['path'] for row in read()}\n")
    assert made.readings
