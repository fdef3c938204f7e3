"""What code does about missing values and broken samples, in the ways people write it."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from accucheck.script.missing import examine
from accucheck.script.pipelines import of_scripts
from case_scripts import scripts

HEAD = """import cv2, math
import numpy as np
import pandas as pd
import polars as pl
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn, ops
from PIL import Image
from sklearn.impute import SimpleImputer

net = nn.Dense(4, 2)
model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
df = pd.read_csv("a.csv")
"""
TAIL = """
data = ds.NumpySlicesDataset(df.values, ["x"]).batch(4)
model.train(1, data)
"""
SOURCE = """
class Source:
    def __getitem__(self, path):
{lines}
        return image

data = ds.GeneratorDataset(Source(), ["image"]).batch(4)
model.train(1, data)
"""


def said(root: Path, text: str) -> list[tuple[str, str]]:
    found = examine(of_scripts(scripts(root, HEAD + text)))
    return [(one.code, one.data.get("call", one.data.get("mode", ""))) for one in found]


NONE = [("none-seen", "")]
TABLES = {
    "df = df.dropna()": [("missing-dropped", "dropna()")],
    "df = df.fillna(0)": [("missing-filled", "fillna()")],
    "df = df[df.x.notnull()]": [("missing-tested", "notnull()")],
    "x = np.nan_to_num(df.values)": [("missing-filled", "numpy.nan_to_num()")],
    "m = np.nanmean(df.values)": [("missing-ignored", "numpy.nanmean()")],
    "x = SimpleImputer().fit_transform(df)": [("missing-filled", "sklearn.impute.SimpleImputer()")],
    "df = df.replace(np.nan, 0)": [("missing-filled", "replace()")],
    "df = df.replace(float('nan'), 0)": [("missing-filled", "replace()")],
    "df = df.replace('?', np.nan)": [("missing-marked", "replace()")],
    "df = df.replace('a', 'b')": NONE,
    "df = df.replace()": NONE,
    "df = pd.read_csv('b.csv', na_values=['?'])": [("missing-marked", "pandas.read_csv()")],
    "df = pd.read_csv('b.csv')": NONE,
    "ds.config.set_error_samples_mode(ds.config.ErrorSamplesMode.SKIP)": [
        ("errors-skipped", "mindspore.dataset.config.set_error_samples_mode()")
    ],
    "ds.config.set_error_samples_mode(error_samples_mode=ds.config.ErrorSamplesMode.REPLACE)": [
        ("errors-skipped", "mindspore.dataset.config.set_error_samples_mode()")
    ],
    "ds.config.set_error_samples_mode(ds.config.ErrorSamplesMode.RETURN)": NONE,
    "ds.config.set_error_samples_mode(mode)": NONE,
    "y = ops.isnan(net(ms.Tensor(df.values)))": NONE,
    "y = np.isnan(net(ms.Tensor(df.values)).asnumpy())": NONE,
    "y = np.isnan(np.random.randn(3))": NONE,
    "keep = filter(None, df)": NONE,
}


@pytest.mark.parametrize("line", TABLES)
def test_tables(line: str, tmp_path: Path) -> None:
    assert said(tmp_path, line + TAIL) == TABLES[line]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("image = cv2.imread(path)", "none-seen"),
        ("image = cv2.imread(path)\nif image is None:\n    image = np.zeros(3)", "picture-tested"),
        ("image = cv2.imread(path)\nif not image:\n    image = np.zeros(3)", "picture-tested"),
        ("image = cv2.imread(path)\nif path is None:\n    image = np.zeros(3)", "none-seen"),
        ("image = cv2.imread(path)\nif not path:\n    image = np.zeros(3)", "none-seen"),
        ("image = cv2.imread(path)\nif image == 3:\n    image = np.zeros(3)", "none-seen"),
        ("try:\n    image = Image.open(path)\nexcept OSError:\n    image = None", "errors-caught"),
        ("image = Image.open(path)\ntry:\n    n = int(path)\nexcept ValueError:\n    n = 0", "none-seen"),
        ("try:\n    image = Image.open(path)\nfinally:\n    n = 0", "none-seen"),
    ],
)  # fmt: skip
def test_pictures(lines: str, expected: str, tmp_path: Path) -> None:
    assert [code for code, _ in said(tmp_path, SOURCE.format(lines=textwrap.indent(lines, " " * 8)))] == [expected]


def test_samples_are_filtered(tmp_path: Path) -> None:
    text = "data = ds.NumpySlicesDataset(df.values, ['x']).filter(lambda x: x > 0)\nmodel.train(1, data)\n"
    assert said(tmp_path, text) == [("samples-filtered", "filter()")]


def test_nothing_is_read(tmp_path: Path) -> None:
    text = "made = ds.NumpySlicesDataset(np.random.randn(8, 4), ['x']).batch(4)\nmodel.train(1, made)\n"
    head, _, _ = HEAD.rpartition("df =")
    found = examine(of_scripts(scripts(tmp_path, head + text)))
    assert [one.code for one in found] == ["nothing-read"]
    assert examine([]) == []
