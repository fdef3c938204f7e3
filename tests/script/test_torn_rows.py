"""Columns of a row that are taken from lists which chance, or a folder, orders apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from accucheck.script.pipelines import Pipelines
from accucheck.script.torn_rows import examine
from case_scripts import scripts

ROWS = """
import glob
import os
import random
import numpy as np
import mindspore.dataset as ds
from PIL import Image

class Rows:
    def __init__(self, root):
        {made}

    def __getitem__(self, i):
        return {row}

    def __len__(self):
        return len(self.a)

data = ds.GeneratorDataset(Rows("data"), ["p", "q"], shuffle=True).batch(8)
for p, q in data.create_tuple_iterator():
    train(p, q)
"""
ARRAYS = "self.a, self.b = np.load(root + '/a.npy'), np.load(root + '/b.npy'); "
ORDER = "order = np.random.permutation(len(self.a)); "
ELEMENTS = "self.a[i], self.b[i]"
FILES = "np.array(Image.open(os.path.join('a', self.a[i]))), np.array(Image.open(os.path.join('b', self.b[i])))"
#: How the lists are made, what a row is, and what is said.
CASES = {
    "each shuffled by itself": (ARRAYS + "np.random.shuffle(self.a); np.random.shuffle(self.b)", ELEMENTS, "shuffled-apart"),
    "one of them shuffled": (ARRAYS + "random.shuffle(self.b)", ELEMENTS, "shuffled-apart"),
    "one of them permuted": (ARRAYS + ORDER + "self.a = self.a[order]", ELEMENTS, "shuffled-apart"),
    "both permuted, each anew": (
        ARRAYS + "self.a = np.random.permutation(self.a); self.b = np.random.permutation(self.b)",
        ELEMENTS,
        "shuffled-apart",
    ),
    "one permutation for both": (ARRAYS + ORDER + "self.a, self.b = self.a[order], self.b[order]", ELEMENTS, ""),
    "the same seed for each": (
        ARRAYS + "np.random.seed(1); np.random.shuffle(self.a); np.random.seed(1); np.random.shuffle(self.b)",
        ELEMENTS,
        "",
    ),
    "generators with one seed": (
        ARRAYS
        + "r, s = np.random.RandomState(1), np.random.RandomState(1); "
        + "self.a, self.b = self.a[r.permutation(9)], self.b[s.permutation(9)]",
        ELEMENTS,
        "",
    ),
    "pairs shuffled": (
        ARRAYS + "pairs = list(zip(self.a, self.b)); random.shuffle(pairs); self.a, self.b = zip(*pairs)",
        ELEMENTS,
        "",
    ),
    "a partner for each sample": (ARRAYS + ORDER + "self.b = self.a[order]", ELEMENTS, ""),
    "an order of the rows": (ARRAYS + ORDER + "self.c = order", "self.a[self.c[i]], self.b[self.c[i]]", ""),
    "an order of the rows, and labels that are numbered": (
        ARRAYS
        + "self.c = list(range(9)); random.shuffle(self.c); "
        + "self.n = {word: k for k, word in enumerate(['x', 'y'])}; self.m = {k: k for k in (1, 2)}",
        "self.a[self.c[i]], [self.n[self.b[self.c[i]]], self.m[i]]",
        "",
    ),
    "two listings": ("self.a = os.listdir('a'); self.b = os.listdir('b')", FILES, "listed-apart"),
    "two listings, one sorted": ("self.a = sorted(os.listdir('a')); self.b = glob.glob('b/*.png')", FILES, "sorted-alone"),
    "two sorted listings": ("self.a = sorted(os.listdir('a')); self.b = glob.glob('b/*'); self.b.sort()", FILES, ""),
    "one listing": ("self.a = os.listdir('a'); self.b = [name.replace('x', 'y') for name in self.a]", FILES, ""),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_rows_in_step(tmp_path: Path, name: str) -> None:
    made, row, expected = CASES[name]
    (reading,) = scripts(tmp_path, ROWS.format(made=made, row=row)).training
    assert [said.code for said in examine(Pipelines(reading))] == [code for code in [expected] if code]
