"""Labels that stand for nothing (-100, the loss's ignore_index, padding of sequences) are classes to no probe that counts labels."""

import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import pipelines
from accucheck import probe, sampling
from accucheck.case import Case, CaseFile
from accucheck.model import Finding, Language, Level
from accucheck.probes import _declared_padding, _labelled

ROWS = "x,label\n" + "".join(f"{n},{n % 4}\n" for n in range(80))


def case_of(root: Path, **spec: Any) -> Case:
    return Case(str(root), msgspec.convert({"data": {"train": {"path": "train.csv"}}, **spec}, CaseFile))


def findings(name: str, case: Case) -> dict[str, Finding]:
    module = probe.load(name)
    found = [event for event in module.run(case, module.Params()) if isinstance(event, Finding)]
    for finding in found:
        assert all(probe.message(module, finding.code, finding.data, language) for language in Language)
    return {finding.code: finding for finding in found}


def loss(value: int) -> dict[str, Any]:
    return {"call": "mindspore.nn:CrossEntropyLoss", "args": {"ignore_index": value}}


@pytest.mark.parametrize(
    ("value", "spec"),
    [(-100, {}), (255, {"loss": loss(255)}), (9, {"phases": {"one": {"loss": loss(9)}}})],
)
def test_what_the_loss_leaves_out_is_no_class(value: int, spec: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text(ROWS + f"9,{value}\n" * 3)
    found = findings("class_balance", case_of(tmp_path, **spec))
    assert not [one for one in found.values() if one.level is not Level.INFO], found
    assert (found["classes"].data["classes"], found["classes"].data["samples"]) == (4, 80)
    assert found["left-out"].data["count"] == 3 and found["left-out"].data["labels"] == [str(value)]


def test_another_number_is_a_class_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text(ROWS + "9,255\n")
    found = findings("class_balance", case_of(tmp_path))
    assert found["rare-class"].level is Level.PROBLEM and "left-out" not in found


def test_a_folder_is_a_class_whatever_it_is_called(tmp_path: Path) -> None:
    from PIL import Image

    for name in ("-100", "1"):
        (tmp_path / "train" / name).mkdir(parents=True)
        for number in range(4):
            Image.new("L", (4, 4), number).save(tmp_path / "train" / name / f"{number}.png")
    case = Case(str(tmp_path), msgspec.convert({"data": {"train": {"path": "train"}}}, CaseFile))
    assert findings("class_balance", case)["classes"].data["classes"] == 2
    conflict = findings("label_conflicts", case)["conflict"]
    assert conflict.level is Level.PROBLEM and conflict.data["groups"] == 4


def test_padding_is_no_class_of_sequences_and_one_of_single_labels(tmp_path: Path) -> None:
    design = {"padding": {"value": 0}}
    lines = [{"x": n, "label": [1 + n % 3, 1 + (n + 1) % 3, 0, 0]} for n in range(60)]
    (tmp_path / "train.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    spec = {"data": {"train": {"path": "train.jsonl", "label": "label"}}, "design": design}
    found = findings("class_balance", Case(str(tmp_path), msgspec.convert(spec, CaseFile)))
    assert found["classes"].data["classes"] == 3 and found["left-out"].data["labels"] == ["0"]

    (tmp_path / "train.csv").write_text(ROWS)
    found = findings("class_balance", case_of(tmp_path, design=design))
    assert found["classes"].data["classes"] == 4 and "left-out" not in found


def test_a_label_that_is_left_out_contradicts_no_other(tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text(ROWS + "".join(f"{n},-100\n" for n in range(80)))
    assert "rows-conflict" not in findings("label_conflicts", case_of(tmp_path))
    (tmp_path / "train.csv").write_text(ROWS + "".join(f"{n},{(n + 1) % 4}\n" for n in range(80)))
    assert findings("label_conflicts", case_of(tmp_path))["rows-conflict"].data["groups"] == 80


def test_samples_without_a_class_are_not_drawn(tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text(ROWS + "9,-100\n" * 30)
    drawing = sampling.draw(case_of(tmp_path), "train")
    while True:
        try:
            next(drawing)
        except StopIteration as end:
            plan, _ = end.value
            break
    assert set(plan.strata) == {"0", "1", "2", "3"} and plan.missing == 30


def test_labels_in_their_order(tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text("x,label\n1,3\n2,-100\n3,3\n")
    reading = _labelled.in_order(case_of(tmp_path), "train")
    while True:
        try:
            next(reading)
        except StopIteration as end:
            labels = end.value
            break
    assert np.concatenate(labels.codes).tolist() == [0, -1, 0] and list(labels.names) == ["3"]


def test_it_is_decided_in_one_place() -> None:
    meant = _declared_padding.of_case(case_of(Path("/"), loss=loss(7), design={"padding": {"value": 0}}))
    assert meant.no_classes("label") == {"-100", "7"} and meant.no_classes("label", sequences=True) == {
        "-100",
        "7",
        "0",
    }


@pytest.mark.mindspore
def test_in_a_running_pipeline(tmp_path: Path) -> None:
    body = (
        "LABELS[::10] = -100\ndef create(): return ds.NumpySlicesDataset({'image': IMAGES, 'label': LABELS}).batch(8)"
    )
    found = {finding.code: finding for finding in pipelines.run("class_balance_live", tmp_path, body)}
    assert found["classes"].data["classes"] == 6 and found["left-out"].data["count"] == 60
    assert not [one for one in found.values() if one.level is not Level.INFO], found


@pytest.mark.mindspore
def test_the_losses_of_mindspore_leave_it_out() -> None:
    import inspect

    from mindspore import nn

    from accucheck.knowledge import api

    assert inspect.signature(nn.CrossEntropyLoss).parameters[api.IGNORING].default == api.IGNORED
    assert inspect.signature(nn.NLLLoss).parameters[api.IGNORING].default == api.IGNORED
