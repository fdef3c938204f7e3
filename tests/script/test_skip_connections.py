"""Direct connections that one part of a block has and another lacks, and blocks that look like it."""

from __future__ import annotations

from pathlib import Path

import pytest

from accucheck.script import skip_connections
from accucheck.script.networks import structure_of
from case_scripts import scripts

HEAD = """
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn, ops

class Layer(nn.Cell):
    def __init__(self, width, out):
        super().__init__()
        self.before, self.between = nn.LayerNorm((width,)), nn.LayerNorm((width,))
        self.look, self.think = nn.Dense(width, width), nn.Dense(width, out)
        self.drop, self.plus = nn.Dropout(p=0.1), ops.Add()

    def construct(self, h):
CONSTRUCT

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        MAKE
        self.last = nn.Dense(16, 3)

    def construct(self, h):
RUN

net = Net()
ms.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params())).train(2, ds.MindDataset("a.mindrecord", ["h", "y"]).batch(8))
"""
STACK = ("self.layers = nn.SequentialCell([Layer(16, 16) for _ in range(3)])", "return self.last(self.layers(h))")
LOOP = (
    "self.layers = nn.CellList([Layer(16, 16) for _ in range(3)])",
    "for layer in self.layers:\n    h = layer(h)\nreturn self.last(h)",
)
PAIR = ("self.one, self.two = Layer(16, 16), Layer(16, 16)", "return self.last(self.two(self.one(h)))")
APART = ("self.one, self.two = Layer(16, 16), Layer(16, 16)", "return self.last(self.one(h) * self.two(h))")
ALONE = ("self.one = Layer(16, 16)", "return self.last(self.one(h))")
NARROW = ("self.one, self.two = Layer(16, 8), Layer(8, 16)", "return self.last(self.two(self.one(h)))")
SECOND = "h = h + self.look(self.before(h))\nh = self.think(self.between(h))\nreturn h"
BOTH = "h = h + self.look(self.before(h))\nreturn h + self.think(self.between(h))"


def found(root: Path, construct: str, of: tuple[str, str] = STACK, head: str = HEAD) -> list[int]:
    made, run = of
    script = head.replace("MAKE", made)
    for mark, text in (("CONSTRUCT", construct), ("RUN", run)):
        script = script.replace(mark, "\n".join(" " * 8 + line for line in text.splitlines()))
    (reading,) = scripts(root, script).training
    return sorted({one.line for one in skip_connections.examine([structure_of(reading)])})


@pytest.mark.parametrize(
    ("construct", "line"),
    [
        (SECOND, 15),
        ("h = self.look(self.before(h))\nreturn h + self.think(self.between(h))", 14),
        ("h = self.plus(h, self.drop(self.look(self.before(h))))\nreturn self.drop(self.think(self.between(h)))", 15),
        ("kept = h\nh = kept + self.look(self.before(h))\nb, n, c = h.shape\nreturn self.think(self.between(h))", 17),
    ],
)
def test_a_part_of_a_block_that_is_not_added(tmp_path: Path, construct: str, line: int) -> None:
    assert found(tmp_path, construct) == [line]


@pytest.mark.parametrize(
    "construct",
    [
        BOTH,
        "h = self.look(self.before(h))\nreturn self.think(self.between(h))",
        "h = h + self.look(self.before(h))\nnew = self.think(self.between(h))\nreturn ops.concat((h, new)).sum(0)",
        "h = h + self.look(self.before(h))\nnew = self.think(self.between(h))\nreturn new + h",
        "first = h\nh = h + self.look(self.before(h))\nnew = self.think(self.between(h))\nreturn new + first",
        "h = h + self.look(self.before(h))\nreturn self.between(h)",
    ],
)
def test_parts_of_which_none_or_each_is_joined_with_its_input(tmp_path: Path, construct: str) -> None:
    assert found(tmp_path, construct) == []


@pytest.mark.parametrize(
    ("of", "told"), [(STACK, True), (LOOP, True), (PAIR, True), (APART, False), (ALONE, False), (NARROW, False)]
)
def test_only_blocks_that_follow_upon_each_other_are_judged(tmp_path: Path, of: tuple[str, str], told: bool) -> None:
    assert bool(found(tmp_path, SECOND, of)) is told
    assert found(tmp_path, BOTH, of) == []


@pytest.mark.parametrize("norm", ["nn.LayerNorm((width,))", "ms.mint.nn.LayerNorm((width,))", "nn.GroupNorm(4, width)"])
def test_each_normalisation_of_mindspore_counts(tmp_path: Path, norm: str) -> None:
    head = HEAD.replace("nn.LayerNorm((width,))", norm)
    assert found(tmp_path, SECOND, head=head) == [15]
    assert found(tmp_path, BOTH, head=head) == []


@pytest.mark.parametrize(
    ("construct", "lines"),
    [
        ("h = self.before(h + self.look(h))\nreturn self.between(self.think(h))", [15]),
        ("h = self.before(self.drop(self.look(h)))\nreturn self.between(self.plus(h, self.think(h)))", [14]),
        ("h = self.before(h + self.look(h))\nb, n, c = h.shape\nreturn self.between(self.drop(self.think(h)))", [16]),
        ("h = self.before(h + self.look(h))\nreturn self.between(h + self.think(h))", []),
        ("h = self.before(self.look(h))\nreturn self.between(self.think(h))", []),
        # a normalisation within a part, and an input that is added later
        ("kept = self.before(h + self.look(h))\nreturn kept + self.think(self.between(self.look(kept)))", []),
        ("new = self.before(self.look(h))\nreturn self.between(new + self.think(new)) + h", []),
        ("h = self.before(h + self.look(h))\nreturn self.between(h)", []),
        # a sum that goes on is normalised for the next part, which has a normalisation of its own
        ("h = h + self.look(h)\nreturn h + self.think(self.between(self.look(self.before(h))))", []),
    ],
)
def test_a_part_before_a_normalisation_that_is_not_added(tmp_path: Path, construct: str, lines: list[int]) -> None:
    assert found(tmp_path, construct) == lines


def test_a_part_of_another_size_has_nothing_to_be_added_to(tmp_path: Path) -> None:
    construct = "h = self.before(h + self.look(h))\nreturn self.between(self.think(h))"
    assert found(tmp_path, construct, NARROW) == []


def test_normalisations_within_a_sequence_belong_to_the_part(tmp_path: Path) -> None:
    construct = "return h + self.inner(self.before(h))"
    within = "self.inner = nn.SequentialCell(nn.Dense(width, width), nn.LayerNorm((width,)), nn.Dense(width, width))"
    head = HEAD.replace("self.drop, self.plus", within + "\n        self.drop, self.plus")
    assert found(tmp_path, construct, head=head) == []
