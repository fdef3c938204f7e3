"""What samplers of the project's own classes give, by their code and the settings of one object."""

from __future__ import annotations

from pathlib import Path

import pytest

from accucheck.script import sharding, shuffling
from case_scripts import scripts

HEAD = """import random
import numpy as np
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn
from mindspore.communication import init, get_rank, get_group_size
init()

class Rows:
    def __init__(self, count):
        self.rows = np.zeros((count, 3), np.float32)

    def __getitem__(self, place):
        return self.rows[place]

    def __len__(self):
        return len(self.rows)

rows = Rows(400)
"""
TAIL = """
data = ds.GeneratorDataset(rows, ["row"], sampler=picks).batch(8)
net = nn.Dense(3, 1)
ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params())).train(1, data)
"""


def sampler(body: str, made: str = "Picks(len(rows), get_group_size(), get_rank())") -> str:
    return f"""
class Picks:
    def __init__(self, count, parts, part, mix=True):
        self.count, self.parts, self.part, self.mix, self.turn = count, parts, part, mix, 0
        self.places = list(range(count))
        self.prepare()

    def prepare(self):
        pass
{body}
picks = {made}
"""


def orders(root: Path, text: str) -> list[str]:
    (reading,) = scripts(root, HEAD + text + TAIL).training
    return [said.code for said in shuffling.examine(reading.trace)]


def shares(root: Path, text: str) -> list[str]:
    (reading,) = scripts(root, HEAD + text + TAIL).training
    return [said.code for said in sharding.examine(reading, [], None)]


MIXES = """
    def __iter__(self):
        places = np.arange(self.count)
        if self.mix:
            self.turn += 1
            places = np.random.RandomState(self.turn).permutation(self.count)
        return iter(places[self.part::self.parts].tolist())
"""

#: The body of a class of samplers, and how one is made -> the order of what it gives.
ORDERS = {
    "mixes": (MIXES, "Picks(400, 1, 0)", "shuffled"),
    "told not to mix": (MIXES, "Picks(400, 1, 0, mix=False)", "sampler-in-order"),
    "an option tells whether to mix": (MIXES, "Picks(400, 1, 0, mix=rows.flag)", "unresolved"),
    "yields places": (
        """
    def __iter__(self):
        for place in range(self.count):
            yield place
""",
        "Picks(400, 1, 0)",
        "sampler-in-order",
    ),
    "gives its list": (
        """
    def __iter__(self):
        return iter(self.places)
""",
        "Picks(400, 1, 0)",
        "sampler-in-order",
    ),
    "a list shuffled in place": (
        """
    def prepare(self):
        random.shuffle(self.places)

    def __iter__(self):
        return iter(self.places)
""",
        "Picks(400, 1, 0)",
        "unresolved",
    ),
    "a list that another method draws": (
        """
    def begin(self, epoch):
        self.places = np.random.permutation(self.count).tolist()

    def __iter__(self):
        return iter(self.places)
""",
        "Picks(400, 1, 0)",
        "unresolved",
    ),
    "sorted by a drawn key": (
        """
    def __iter__(self):
        return iter(sorted(self.places, key=lambda place: random.random()))
""",
        "Picks(400, 1, 0)",
        "unresolved",
    ),
    "a permutation that nothing uses": (
        """
    def __iter__(self):
        order = np.random.default_rng(self.turn).permutation(self.count)
        self.turn += 1
        for place in range(self.part, self.count, self.parts):
            yield place
""",
        "Picks(400, get_group_size(), get_rank())",
        "sampler-in-order",
    ),
    "a permutation that is used": (
        """
    def __iter__(self):
        order = np.random.default_rng(self.turn).permutation(self.count)
        self.turn += 1
        for place in order[self.part::self.parts]:
            yield int(place)
""",
        "Picks(400, get_group_size(), get_rank())",
        "shuffled",
    ),
    "a permutation that is thrown away": (
        """
    def __iter__(self):
        np.random.permutation(self.places)
        return iter(self.places)
""",
        "Picks(400, 1, 0)",
        "sampler-in-order",
    ),
    "a copy is shuffled": (
        """
    def __iter__(self):
        mixed = list(range(self.count))
        random.shuffle(mixed)
        return iter(range(self.count))
""",
        "Picks(400, 1, 0)",
        "sampler-in-order",
    ),
    "the list is shuffled": (
        """
    def __iter__(self):
        mixed = list(range(self.count))
        random.shuffle(mixed)
        return iter(mixed)
""",
        "Picks(400, 1, 0)",
        "shuffled",
    ),
    "a draw decides which is given": (
        """
    def __iter__(self):
        for place in range(self.count):
            chance = random.random()
            if chance < 0.5:
                yield place
""",
        "Picks(400, 1, 0)",
        "shuffled",
    ),
    "a draw of a method that nothing uses": (
        """
    def mixed(self):
        return random.sample(self.places, self.count)

    def __iter__(self):
        places = self.mixed()
        return iter(sorted(self.places))
""",
        "Picks(400, 1, 0)",
        "sampler-in-order",
    ),
    "what a file holds": (
        """
    def __iter__(self):
        return iter([int(line) for line in open("places.txt")])
""",
        "Picks(400, 1, 0)",
        "unresolved",
    ),
}


@pytest.mark.parametrize(("body", "made", "code"), ORDERS.values(), ids=ORDERS)
def test_the_order_of_a_sampler(body: str, made: str, code: str, tmp_path: Path) -> None:
    assert orders(tmp_path, sampler(body, made)) == [code]


def test_an_order_that_stays_is_shown_where_the_sampler_is_made(tmp_path: Path) -> None:
    (reading,) = scripts(tmp_path, HEAD + sampler(MIXES, "Picks(400, 1, 0, mix=False)") + TAIL).training
    (said,) = shuffling.examine(reading.trace)
    assert said.source.lines[said.line - 1].startswith("picks = ")


PART = "self.places[self.part::self.parts]"
#: What __iter__ and __len__ return -> what is said besides that the part depends on the rank.
LENGTHS = {
    "of the part": (f"iter({PART})", "len(range(self.part, self.count, self.parts))", []),
    "of the part, rounded": (f"iter({PART})", "self.count // self.parts", []),
    "of all": (f"iter({PART})", "self.count", ["sampler-length"]),
    "of all, permuted": (
        "iter(np.random.RandomState(1).permutation(self.count)[self.part::self.parts].tolist())",
        "self.count",
        ["sampler-length"],
    ),
    "of all, in blocks": (
        "iter(np.arange(self.count)[self.part * self.count // self.parts:(self.part + 1) * self.count // self.parts])",
        "self.count",
        ["sampler-length"],
    ),
    "of all, counted": ("iter(range(self.part, self.count, self.parts))", "self.count", ["sampler-length"]),
    "of the part, counted": ("iter(range(self.part, self.count, self.parts))", "self.count // self.parts", []),
    "of another number": (f"iter({PART})", "self.length", ["sampler-unclear"]),
    "the same for all devices": ("iter(self.places[0::self.parts])", "self.count", None),
}


YIELDS = """
    def __iter__(self):
        for place in {}:
            yield place

    def __len__(self):
        return self.count
"""


@pytest.mark.parametrize("places", [PART, "range(self.part, self.count, self.parts)"])
def test_the_length_of_a_sampler_that_yields(places: str, tmp_path: Path) -> None:
    assert shares(tmp_path, sampler(YIELDS.format(places))) == ["by-rank", "sampler-length"]


@pytest.mark.parametrize(("given", "length", "codes"), LENGTHS.values(), ids=LENGTHS)
def test_the_length_of_a_sampler(given: str, length: str, codes: list[str] | None, tmp_path: Path) -> None:
    body = f"""
    def __iter__(self):
        return {given}

    def __len__(self):
        return {length}
"""
    expected = ["no-shards"] if codes is None else ["by-rank", *codes]
    made = "Picks(400, get_group_size(), 0)" if codes is None else "Picks(400, get_group_size(), get_rank())"
    assert shares(tmp_path, sampler(body, made)) == expected
