"""What code does about padding: value, side, size, mask and length, in the ways people write them."""

import textwrap
import time
from pathlib import Path

import pytest

from accucheck.script import padding
from accucheck.script.padding_facts import Padded, PaddingFacts, PlainSequence
from accucheck.script.source import read


def facts(root: Path, code: str) -> PaddingFacts:
    path = root / "data.py"
    path.write_text("import numpy as np\nimport string\nfrom mindspore import ops\n" + textwrap.dedent(code))
    return padding.read([read(path, "data.py")])


def function(body: str) -> str:
    return "def f(self, x, y, n, pad, ok):\n" + textwrap.indent(textwrap.dedent(body), "    ")


WAYS = {
    "a list and a list": ("x = x + [7] * (n - len(x))", "end"),
    "added to": ("x += [7] * (n - len(x))", "end"),
    "extended": ("x.extend([7] * (n - len(x)))", "end"),
    "in front": ("x = [7] * (n - len(x)) + x", "start"),
    "in a loop": ("while len(x) < n:\n    x.append(7)", "end"),
    "in a loop the other way round": ("while n > len(x):\n    x.append(7)", "end"),
    "in front in a loop": ("while len(x) != n:\n    x.insert(0, 7)", "start"),
    "with a word beside": ("while len(x) < n:\n    print(x)\n    count = 1\n    x.append(7)", "end"),
    "counted": ("for _ in range(n - len(x)):\n    x.append(7)", "end"),
    "counted from the end": ("for _ in range(len(x), n):\n    x.append(7)", "end"),
    "at least none": ("x = x + [7] * max(0, n - len(x))", "end"),
    "with room for marks": ("k = len(x)\nx = x + [7] * (n - k - 2)", "end"),
    "and one more": ("x = x + [7] * (n - len(x) + 1)", "end"),
    "a name for the room": ("pad_len = compute(x)\nx = x + [7] * pad_len", "end"),
    "a comprehension": ("x = x + [7 for _ in range(n - len(x))]", "end"),
    "a buffer": ("y = np.full(n, 7)\ny[:len(x)] = x", "end"),
    "a buffer by keywords": ("y = np.full(shape=(n,), fill_value=7)\ny[0:len(x)] = x", "end"),
    "a buffer of ones": ("y = 7 * np.ones(n)\ny[:x.shape[0]] = x", "end"),
    "a buffer, turned": ("y = -np.full(n, -7)\ny[:len(x)] = x", "end"),
    "a buffer of zeros and more": ("y = np.zeros(n) + 7\ny[:np.shape(x)[0]] = x", "end"),
    "a buffer as another": ("y = np.full_like(z, 7)\ny[:min(len(x), n)] = x", "end"),
    "a buffer from the end": ("y = np.full(n, 7)\ny[-len(x):] = x", "start"),
    "a buffer behind the room": ("y = np.full(n, 7)\ny[n - len(x):] = x", "start"),
    "a buffer with its rest": ("y = np.zeros(n)\ny[:len(x)] = x\ny[len(x):] = 7", "end"),
    "a buffer with its rest first": ("y = np.zeros(n)\ny[:n - len(x)] = 7\ny[-len(x):] = x", "start"),
    "a buffer for what has a size": ("y = np.full(n, 7)\ny[:self.x.size] = x", "end"),
    "numpy.pad": ("x = np.pad(x, (0, n - len(x)), constant_values=7)", "end"),
    "numpy.pad in front": ("x = np.pad(x, (n - len(x), 0), 'constant', constant_values=(7, 9))", "start"),
    "numpy.pad behind": ("x = np.pad(x, (0, n - len(x)), 'constant', constant_values=(9, 7))", "end"),
    "numpy.pad by keyword": ("x = np.pad(x, pad_width=[(0, n - len(x)), (0, 0)], constant_values=7)", "end"),
    "ops.pad": ("x = ops.pad(x, (0, n - len(x)), 'constant', 7)", "end"),
    "ops.pad by keyword": ("x = ops.pad(x, padding=(n - len(x), 0), value=7)", "start"),
    "concatenated": ("x = np.concatenate([x, np.full(n - len(x), 7)])", "end"),
    "concatenated rows": ("x = np.concatenate((x, np.full((n - len(x), 4), 7)))", "end"),
    "concatenated ones": ("x = np.concatenate([x, 7 * np.ones(n - len(x))])", "end"),
    "concatenated zeros": ("x = np.concatenate([np.zeros(n - len(x)) + 7, x])", "start"),
    "a field": ("x['ids'].extend([7] * pad_len)", "end"),
    "np.append": ("x = np.append(x, [7] * (n - len(x)))", "end"),
    "a list of parts": ("parts = [x, [7] * (n - len(x))]\nx = np.hstack(parts)", "end"),
    "keras": ("x = pad_sequences(x, maxlen=n, value=7)", "start"),
    "keras behind": ("x = pad_sequences(x, n, 'int32', 'post', 'post', 7)", "end"),
    "annotated": ("ids: list = x + [7] * (n - len(x))", "end"),
    "in a try": ("try:\n    k = len(x)\nexcept TypeError:\n    raise\nelse:\n    x = x + [7] * (n - k)", "end"),
    "after a try": ("try:\n    return CACHE[x]\nexcept KeyError:\n    pass\nx = x + [7] * (n - len(x))", "end"),
    "walrus": ("if (room := n - len(x)) > 0:\n    x = x + [7] * room", "end"),
    "or": ("x = (x or y) + [7] * (n - len(x))", "end"),
    "starred": ("x = [*x] + [7] * (n - len(x))", "end"),
    "of a dict": ("d = dict(ids=x)\nd['ids'] = d['ids'] + [7] * (n - len(d['ids']))", "end"),
    "a pair": ("p = (x, 7)\nx = p[0] + [p[1]] * (n - len(p[0]))", "end"),
    "a branch that ends": ("if ok:\n    return x\nelse:\n    x = x + [7] * (n - len(x))", "end"),
    "yielded": ("yield x + [7] * (n - len(x))", "end"),
    "yielded from": ("yield from x + [7] * (n - len(x))", "end"),
    "sent": ("got = yield x + [7] * (n - len(x))", "end"),
}


@pytest.mark.parametrize("name", WAYS)
def test_value_and_side(name: str, tmp_path: Path) -> None:
    code, side = WAYS[name]
    found = facts(tmp_path, function(code))
    assert {(pad.value, pad.side) for pad in found.pads} == {(7, side)}


@pytest.mark.parametrize(
    "code",
    [
        "x = x[:n]",
        "x = [0] * n",
        "x = np.zeros(n)",
        "x = np.pad(x, ((1, 1), (1, 1)))",
        "x = np.pad(x, width)",
        "x = np.pad(x, (0, n - len(x)), mode='edge')",
        "x = np.pad(x, (0, n - len(x)), 'wrap')",
        "x = pad_sequences(x, maxlen=n, padding=where)",
        "x = x + y",
        "x = x + np.zeros(n - len(x))",
        "x = x - [0] * (n - len(x))",
        "x = x + [y] * 3",
        "x = x + [x[-1]] * (n - len(x))",
        "x = x + [x[0]] * (n - len(x))",
        "while len(x) < n:\n    x.append(x[0])",
        "x = [] * (n - len(x)) + x",
        "x *= [0] * (n - len(x))",
        "y = np.zeros(n)\ny[:3] = x",
        "y = np.zeros(n)\ny[-3:] = x",
        "y = np.zeros(n)\ny[2:] = x",
        "y = np.zeros(n)\ny[::2] = x",
        "y = np.zeros(n)\ny[1 : len(x)] = x",
        "y = np.zeros(n)\ny[-len(x) : k_len] = x",
        "y = np.zeros(n)\ny[0:] = x",
        "y = np.full(n)\ny[:len(x)] = x",
        "y = np.zeros()\ny[:len(x)] = x",
        "y = np.zeros(n)\ny[:len(x)] = 7",
        "while len(x) < n:\n    x.append(x[-1])",
        "while len(x) < n:\n    k = draw()\n    x.append(k)",
        "while len(x) < n:\n    x.pop()",
        "while ready:\n    x.append(7)",
        "while x == n:\n    x.append(7)",
        "for k in range(n - len(x)):\n    x.append(k)",
        "for k in range(0, n, 2):\n    x.append(7)",
        "x = x + [k for k in range(n - len(x))]",
        "raise ValueError\nx = x + [0] * (n - len(x))",
        "if ok:\n    return x\nelse:\n    raise ValueError\nx = x + [0] * (n - len(x))",
    ],
)
def test_what_is_no_padding(code: str, tmp_path: Path) -> None:
    assert not facts(tmp_path, function(code + "\nreturn x")).pads


#: Which places are real, of whom: (side, all of them, the sequence whose length counts).
MASKS = {
    "m = [1] * len(x) + [0] * (n - len(x))": ("end", False, "x"),
    "m = [0] * (n - len(x)) + [1] * len(x)": ("start", False, "x"),
    "m = [1 for _ in x] + [0] * (n - len(x))": ("end", False, "x"),
    "m = [1 for i in range(len(x))]\nwhile len(m) < n:\n    m.append(0)": ("end", False, "x"),
    "m = np.zeros(n)\nm[:len(x)] = 1": ("end", False, "x"),
    "m = np.zeros(n)\nm[-len(x):] = 1": ("start", False, "x"),
    "m = np.zeros(n)\nm[n - len(x):] = 1": ("start", False, "x"),
    "m = np.zeros(n)\nm[:count] = 1": ("end", False, None),
    "m = np.ones(n)\nm[len(x):] = 0": ("end", False, "x"),
    "m = np.ones(n)\nm[:n - len(x)] = 0": ("start", False, "x"),
    "m = np.ones(n)\nm[-(n - len(x)):] = 0": ("end", False, "x"),
    "m = np.ones(n)\nm[:len(x)], z = 0, 1": None,  # ones at the padding
    "m = np.ones(n)\nm[:len(x)] = 0": None,
    "m = np.zeros(n)\nm[len(x):] = 1": None,
    "m = np.zeros(n)\nm[:n - len(x)] = True": None,
    "m = np.zeros(n)\nm[:] = 1": ("end", True, None),
    "m = np.zeros((n, n))\nm[:, :len(x)] = 1": ("end", False, "x"),
    "x = x + [0] * (n - len(x))\nm_mask = [1] * len(x)": ("end", True, "x"),
    "x = x + [0] * (n - len(x))\nm = dict(mask=np.ones(n))": ("end", True, None),
    "m = np.zeros(n)\nm[:len(x)] = self.one": ("end", False, "x"),
}


@pytest.mark.parametrize("code", MASKS)
def test_masks(code: str, tmp_path: Path) -> None:
    init = "class A:\n    def __init__(self):\n        self.one = 1\n\n"
    found = facts(tmp_path, init + textwrap.indent(function(code), "    "))
    masks = [(mask.side, mask.every, _origin(mask.by)) for mask in found.masks]
    assert masks == ([] if MASKS[code] is None else [MASKS[code]])


def _origin(held: padding.HeldValue | None) -> str | None:
    while isinstance(held, Padded):
        held = held.of
    return held.name if isinstance(held, PlainSequence) else None


#: A comparison of elements: (value, equal).
COMPARED = {
    "m = x != 7": (7, False),
    "m = 7 != x": (7, False),
    "m = x > 0": (0, False),
    "m = 0 < x": (0, False),
    "m = 0 > x": None,
    "m = x < 3": None,
    "m = 0 < x < 3": None,
    "m = ~(x == 7)": (7, False),
    "m = x.data == 7": (7, True),
    "m = ops.not_equal(x, 7)": (7, False),
    "m = np.where(x != 7, 1, 0)": (7, False),
    "m = np.where(x == 7, 0, 1)": (7, False),
    "m = np.where(x == 7, y, 0)": None,
    "m = [1 if i != 7 else 0 for i in x]": (7, False),
    "m = [0 if i == 7 else 1 for i in x]": (7, False),
    "m = [int(i != 7) for i in x]": (7, False),
    "m = [float(i > 0) for i in x]": (0, False),
    "m = [1 if i < 7 else 0 for i in x]": None,
    "m = 1 if len(x) == 7 else 0": None,
    "m = not ok": None,
    "m = v[w] != 7 if ok else u[w] != 7": (7, False),
}


@pytest.mark.parametrize("code", COMPARED)
def test_comparisons(code: str, tmp_path: Path) -> None:
    found = {(one.value, one.equal) for one in facts(tmp_path, function(code)).compared if one.names == ["m"]}
    assert found == ({COMPARED[code]} if COMPARED[code] else set())


#: What the number 0 (and 5) stands for in the table `v`: (word of 0, whether 5 certainly stands for nothing).
TABLES = {
    "v = {'a': 0, 'b': 1}": ("a", True),
    "v = {'a': 0, 'b': 1}\nv['c'] = 5": ("a", False),
    "v = {'a': 1}\nv['zero'] = 0": ("zero", True),
    "v = {'a': 0}\nfor w in words:\n    v[w] = len(v)": ("a", False),
    "v = {w: i for i, w in enumerate(['a', 'b'])}": ("a", True),
    "v = {w: i for i, w in enumerate(['a', 'b'], 1)}": (None, True),
    "v = {w: i for i, w in enumerate(['a', 'b'], start=1)}": (None, True),
    "v = {w: i + 1 for i, w in enumerate(['a', 'b'])}": (None, True),
    "v = {w: i for i, w in enumerate(words)}": (None, False),
    "v = {w: i for i, w in enumerate('ab')}": ("a", True),
    "v = {w: i for i, w in enumerate(string.ascii_lowercase)}": ("a", False),
    "v = {w: i for i, w in enumerate('-' + string.digits)}": ("-", False),
    "v = {w: i for i, w in enumerate('ab' + more)}": (None, False),
    "v = {w: i for i, w in enumerate(['_'] + ['a'])}": ("_", True),
    "v = {w: i for i, w in enumerate(['_'] + words)}": ("_", False),
}


@pytest.mark.parametrize("code", TABLES)
@pytest.mark.parametrize(
    "use", ["[v[w] for w in x]", "[v.get(w) for w in x]", "[]\n    for w in x:\n        ids.append(v[w])"]
)
def test_what_numbers_stand_for(code: str, use: str, tmp_path: Path) -> None:
    (pad,) = facts(tmp_path, f"{code}\ndef f(x, n):\n    ids = {use}\n    return ids + [0] * (n - len(ids))\n").pads
    (table,) = pad.tables
    assert (table.word(0), table.lacks(5)) == TABLES[code]


@pytest.mark.parametrize(
    "code",
    [
        "v = {w: i + 1 for i, w in enumerate('ab', offset)}",
        "v = {w: i for w, i in zip(words, numbers)}",
        "v = {i: w for i, w in enumerate('ab')}",
    ],
)
def test_tables_that_are_not_read(code: str, tmp_path: Path) -> None:
    (pad,) = facts(
        tmp_path, f"{code}\ndef f(x, n):\n    ids = [v[w] for w in x]\n    return ids + [0] * (n - len(ids))\n"
    ).pads
    assert pad.tables == ()


#: A function that pads is followed where it is called: the value with which `use(x)` pads.
CALLS = {
    "def fill(x, n, value=7):\n    return x + [value] * (n - len(x))\ndef use(x):\n    return fill(x, 9)": 7,
    "def fill(x, n, *, value=7):\n    return x + [value] * (n - len(x))\ndef use(x):\n    return fill(x, 9)": 7,
    "def fill(x, n, value=0):\n    return x + [value] * (n - len(x))\ndef use(x):\n    return fill(x, 9, value=7)": 7,
    "class A:\n  PAD = 1\n  def fill(self, x, value):\n    return x + [value] * (9 - len(x))\n"
    "  def use(self, x):\n    return self.fill(x, 7)": 7,
    "class A:\n  def __init__(self):\n    self.pad = 7\n  def use(self, x):\n    return x + [self.pad] * (9 - len(x))": 7,
    "class A:\n  def __init__(self, pad):\n    self.pad = pad\n  def use(self, x):\n    return x + [self.pad] * (9 - len(x))": None,
    "def use(x):\n    return x + [PADS['ids']] * (9 - len(x))": None,
    "def use(x):\n    return x + [-1] * (9 - len(x))": -1,
    "PAD = 3 + 2 * 2\ndef use(x):\n    return x + [PAD] * (9 - len(x))": 7,
}


@pytest.mark.parametrize("code", CALLS)
def test_values_through_calls(code: str, tmp_path: Path) -> None:
    pads = facts(tmp_path, code).pads
    assert CALLS[code] in [pad.value for pad in pads]
    assert {pad.side for pad in pads} == {"end"}


#: Lengths that are handed on, with whether they are those of what is padded already.
LENGTHS = {
    "x_len = len(x)\nx = x + [0] * (n - x_len)\nreturn x, x_len": [("x_len", False)],
    "x = x + [0] * (n - len(x))\nreturn {'x_len': len(x)}": [("x_len", True)],
    "x = x + [0] * (n - len(x))\nreturn dict(length=len(x))": [("length", True)],
    "x = x + [0] * (n - len(x))\nself.seq_len = len(x)": [("seq_len", True)],
    "x = x + [0] * (n - len(x))\nitem['seq_len'] = len(x)\nreturn item['seq_len']": [("seq_len", True)],
    "lens = [len(i) for i in x]\nreturn lens": [("lens", False)],
    "lens = []\nfor i in x:\n    i = i + [0] * (n - len(i))\n    lens.append(len(i))\nreturn lens": [("lens", True)]
    * 1,
    "x = x + [0] * (n - len(x))\nreturn dict(length=len(x[:n]))": [("length", True)],
    "x = x + [0] * (n - len(x))\nreturn dict(length=len(x + y))": [("length", True)],
    "x = x + [0] * (n - len(x))\nreturn dict(length=len(np.squeeze([x])))": [("length", True)],
    "x = [i + [0] * (n - len(i)) for i in x]\nreturn dict(length=len(x[0]))": [("length", True)],
    "for k, i in enumerate(x):\n    i = i + [0] * (n - len(i))\n    use(length=len(i))": [("length", True)],
    "return dict(length=len(x[:n]))": [("length", False)],
    "return dict(length=len(x[1:]))": [("length", False)],
    "x = x + [0] * (n - len(x))\nmax_len = len(x)\nreturn max_len": [],
    "x = x + [0] * (n - len(x))\nx_len = len(x)\nassert x_len == n": [],
}


@pytest.mark.parametrize("code", LENGTHS)
def test_lengths(code: str, tmp_path: Path) -> None:
    found = facts(tmp_path, function(code)).lengths
    assert [(one.name, isinstance(one.of, Padded)) for one in found] == LENGTHS[code]


@pytest.mark.parametrize(
    ("code", "area"),
    [
        ("y = np.zeros((n, n))\ny[:len(x), :len(x[0])] = x", True),
        ("y = np.zeros((n, n))\ny[:x.shape[0], :x.shape[1]] = x", True),
        ("y = np.zeros((n, n))\ny[0, :len(x)] = x", False),
        ("x = np.pad(x, ((0, n - x.shape[0]), (0, n - x.shape[1])))", True),
        ("x = np.pad(x, ((0, n - x.shape[0]), (0, 0)))", False),
    ],
)
def test_what_is_filled_in_two_directions(code: str, area: bool, tmp_path: Path) -> None:
    assert [pad.area for pad in facts(tmp_path, function(code)).pads] == [area]


def test_either_way_of_a_function(tmp_path: Path) -> None:
    found = facts(
        tmp_path,
        """
        V, U = {"a": 0}, {"b": 0}
        def pair(x, n, ok):
            if ok:
                return x + [0] * (n - len(x)), 1
            return x, 2
        def use(x, n, ok):
            self.n, other.n = n, 1
            ids, k = pair(x, n, ok)
            names = [V[w] if ok else U[w] for w in x]
            names = names + [0] * (n - len(names))
            return {"length": len(ids)}
        """,
    )
    assert {(one.name, isinstance(one.of, Padded)) for one in found.lengths} == {("length", True)}
    assert [[table.word(0) for table in pad.tables] for pad in found.pads if pad.tables] == [["a", "b"]]


def test_a_loop_that_appends_thousands_of_times_is_read_in_time(tmp_path: Path) -> None:
    found = facts(tmp_path, "def f(x, n):\n    k = 7\n    while len(x) < n:\n" + "        x.append(k)\n" * 5_000)
    assert {(pad.value, pad.side) for pad in found.pads} == {(7, "end")}


def test_a_length_belongs_to_what_it_was_taken_of(tmp_path: Path) -> None:
    found = facts(
        tmp_path,
        """
        def f(x, n):
            before_len = len(x)
            x = x + [0] * (n - before_len)
            return {"seq_len": before_len, "src_len": len(x)}
        """,
    )
    lengths = {one.name: isinstance(one.of, Padded) for one in found.lengths}
    assert lengths == {"before_len": False, "seq_len": False, "src_len": True}


def test_hostile_code_is_left_alone(tmp_path: Path) -> None:
    deep = "x = " + "[" * 80 + "]" * 80 + "\n" + "def f(x):\n    return f(x) + [0] * (3 - len(f(x)))\n"
    assert facts(tmp_path, deep * 50) is not None


def test_a_module_without_end_is_given_up(tmp_path: Path) -> None:
    found = facts(tmp_path, "x = 1\n" * (padding.STEPS // 2 + 1) + "def f(x, n):\n    return x + [0] * (n - len(x))\n")
    assert [source.path for source in found.gave_up] == ["data.py"]
    assert not found.pads


@pytest.mark.part(40)
def test_a_function_of_thousands_of_names_is_read_once(tmp_path: Path) -> None:
    def seconds(names: int) -> float:
        lines = "".join(f"    of_convolution_{n} = relu(of_convolution_{n - 1})\n" for n in range(1, names))
        start = time.process_time()
        found = facts(tmp_path, "def f(x, n, of_convolution_0):\n" + lines + "    return x + [0] * (n - len(x))\n")
        assert [pad.side for pad in found.pads] == ["end"]
        return time.process_time() - start

    assert seconds(16_000) < 8 * seconds(4_000)  # the square would be 16 times as long
