"""Padding that differs by column, and labels that are padded with what the loss leaves out."""

from pathlib import Path
from typing import Any

import pytest

import pipelines
from accucheck import probe
from accucheck.model import Finding, Level, Verdict, suggest
from accucheck.probe import script_example
from findings import found_by

BODY = """
def rows():
    random = np.random.RandomState(0)
    for size in random.randint(3, 9, 64):
        yield random.randint(1, 50, size).astype(np.int32), random.randint(1, 5, size).astype(np.int32)


def create():
    data = ds.GeneratorDataset(rows, ["words", "marks"], shuffle=False)
    return data.padded_batch(8, pad_info={"words": ([10], 0), "marks": ([10], VALUE)})
"""


def run(root: Path, value: int, **more: Any) -> list[Finding]:
    more = {"data": {"train": {"label": "words"}}, "design": {"padding": {"value": 0, "side": "right"}}, **more}
    return pipelines.run("padding_live", root, BODY.replace("VALUE", str(value)), **more)


def levels(findings: list[Finding]) -> dict[str, Level]:
    return {finding.code: finding.level for finding in findings if finding.level is not Level.INFO}


@pytest.mark.mindspore
def test_what_the_loss_leaves_out_is_no_false_value(tmp_path: Path) -> None:
    assert not levels(run(tmp_path, -100)) and suggest(run(tmp_path, -100)) is Verdict.OK
    loss = {"call": "mindspore.nn:CrossEntropyLoss", "args": {"ignore_index": 9}}
    assert not levels(run(tmp_path, 9, loss=loss))
    assert levels(run(tmp_path, 9)) == {"value-differs": Level.PROBLEM}


@pytest.mark.mindspore
def test_a_column_may_be_declared_for_itself(tmp_path: Path) -> None:
    padding = {"value": 0, "side": "right", "columns": {"marks": {"value": 7}}}
    assert not levels(run(tmp_path, 7, design={"padding": padding}))
    assert levels(run(tmp_path, 0, design={"padding": padding})) == {"value-differs": Level.PROBLEM}
    turned = {"value": 0, "side": "right", "columns": {"marks": {"side": "left"}}}
    assert levels(run(tmp_path, 0, design={"padding": turned})) == {"side-differs": Level.PROBLEM}


MASKED = """
def rows():
    random = np.random.RandomState(0)
    for size in random.randint(3, 9, 64):
        words = random.randint(1, 50, size).astype(np.int32)
        yield words, random.randint(0, 3, size).astype(np.int32), np.ones(size, np.float32)


def create():
    data = ds.GeneratorDataset(rows, ["words", "tags", "MASK"], shuffle=False)
    return data.padded_batch(8, pad_info={"words": ([10], 0), "tags": ([10], 0), "MASK": ([10], 0)})
"""


@pytest.mark.mindspore
@pytest.mark.parametrize(("mask", "found"), [("mask", {}), ("aside", {"value-is-real": Level.SUSPECT})])
def test_a_real_value_that_a_mask_tells_from_padding_is_in_order(tmp_path: Path, mask: str, found: object) -> None:
    design = {"padding": {"value": 0, "side": "right"}}
    assert levels(pipelines.run("padding_live", tmp_path, MASKED.replace("MASK", mask), design=design)) == found


DATA = """
import numpy as np

def rows(sample, size):
    marks = np.full(size, {value}, np.int32)
    marks[:len(sample)] = sample
    return {"marks": marks}
"""
TRAIN = """
import mindspore.dataset as ds
from mindspore import nn
from data import rows
{loss}
train_ds = ds.GeneratorDataset(rows, ["marks"])
"""


@pytest.mark.parametrize(
    ("loss", "value", "columns", "wrong"),
    [
        ("loss = nn.CrossEntropyLoss()", -100, {}, False),
        ("loss = nn.CrossEntropyLoss(ignore_index=9)", 9, {}, False),
        ("", 9, {}, True),
        ("", 9, {"marks": {"value": 9}}, False),
        ("", 9, {"words": {"value": 9}}, True),
    ],
)
def test_scripts_are_held_against_the_same(
    tmp_path: Path, loss: str, value: int, columns: dict[str, Any], wrong: bool
) -> None:
    (tmp_path / "data.py").write_text(DATA.replace("{value}", str(value)))
    script = TRAIN.replace("{loss}", loss)
    design = {"padding": {"value": 0, "side": "right", "columns": columns}}
    example = script_example("", "", script, Verdict.OK, design=design)
    module = probe.load("padding_script")
    findings = found_by(module, example.lay_out(tmp_path), module.Params())
    said = [finding.data for finding in findings if finding.code == "design-value"]
    assert bool(said) is wrong, findings
