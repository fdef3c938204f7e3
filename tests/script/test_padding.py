"""What code does about padding: value, side, size, mask and length, in the ways people write them."""

import textwrap
from pathlib import Path

import pytest

from accucheck.script import padding
from accucheck.script.source import read


def facts(root: Path, code: str) -> padding.Facts:
    path = root / "data.py"
    path.write_text("import numpy as np\n" + textwrap.dedent(code))
    return padding.read([read(path, "data.py")])


WAYS = {
    "a list and a list": ("x = x + [7] * (n - len(x))", "end"),
    "added to": ("x += [7] * (n - len(x))", "end"),
    "extended": ("x.extend([7] * (n - len(x)))", "end"),
    "in front": ("x = [7] * (n - len(x)) + x", "start"),
    "in a loop": ("while len(x) < n:\n        x.append(7)", "end"),
    "counted": ("for _ in range(n - len(x)):\n        x.append(7)", "end"),
    "a buffer": ("y = np.full(n, 7)\n    y[:len(x)] = x", "end"),
    "a buffer of ones": ("y = 7 * np.ones(n)\n    y[:x.shape[0]] = x", "end"),
    "a buffer from the end": ("y = np.full(n, 7)\n    y[-len(x):] = x", "start"),
    "numpy.pad": ("x = np.pad(x, (0, n - len(x)), constant_values=7)", "end"),
    "concatenated": ("x = np.concatenate([x, np.full(n - len(x), 7)])", "end"),
}


@pytest.mark.parametrize("name", WAYS)
def test_value_and_side(name: str, tmp_path: Path) -> None:
    code, side = WAYS[name]
    found = facts(tmp_path, f"def f(x, n):\n    {code}\n")
    assert [(pad.value, pad.side) for pad in found.pads] == [(7, side)]


@pytest.mark.parametrize(
    "code",
    [
        "x = x[:n]",
        "x = [0] * n",
        "x = np.zeros(n)",
        "x = np.pad(x, ((1, 1), (1, 1)))",
        "x = x + y",
        "y = np.zeros(n)\n    y[:3] = x",
    ],
)
def test_what_is_no_padding(code: str, tmp_path: Path) -> None:
    assert not facts(tmp_path, f"def f(x, y, n):\n    {code}\n    return x\n").pads


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
    lengths = {one.name: isinstance(one.of, padding.Padded) for one in found.lengths}
    assert lengths == {"before_len": False, "seq_len": False, "src_len": True}


def test_hostile_code_is_left_alone(tmp_path: Path) -> None:
    deep = "x = " + "[" * 80 + "]" * 80 + "\n" + "def f(x):\n    return f(x) + [0] * (3 - len(f(x)))\n"
    assert facts(tmp_path, deep * 50) is not None
