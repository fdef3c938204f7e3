"""MindRecord and TFRecord of any schema: read field by field, with labels in arrays, and without any label."""

import json
from pathlib import Path

import numpy as np
import pytest

from accucheck import case as cases
from accucheck.manifest import finish
from accucheck.marks import contents
from accucheck.model import Finding
from accucheck.probes import class_balance, missing_values
from accucheck.readers import mindrecord
from accucheck.readers.contents import read
from accucheck.sampling import without_labels
from command_line import accucheck

#: What a token, a mask and a box may hold: every width that integers are packed in.
ROWS = [[0], [1, -1], [127, 128, -129], [300, 70_000, -70_000, 5], [2**31 - 1, -(2**31), 0, 1, 2], [], [7] * 301]


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A MindRecord of arrays alone, written by MindSpore."""
    from mindspore.mindrecord import FileWriter

    path = tmp_path_factory.mktemp("records") / "tokens.mindrecord"
    writer = FileWriter(str(path), 1)
    kinds = {"ids": ("int32", [-1]), "wide": ("int64", [2]), "mask": ("float32", [2, 2]), "kind": ("int32", [1])}
    writer.add_schema({name: {"type": kind, "shape": shape} for name, (kind, shape) in kinds.items()}, "tokens")
    writer.write_raw_data(
        [
            {
                "ids": np.array(row, np.int32),
                "wide": np.array([number, -(2**40) * number], np.int64),
                "mask": np.full((2, 2), number / 2, np.float32),
                "kind": np.array([number % 3], np.int32),
            }
            for number, row in enumerate(ROWS)
        ]
    )
    writer.commit()
    return path


@pytest.mark.mindspore
def test_arrays_of_integers_are_what_mindspore_wrote(records):
    shard = mindrecord.open_shard(records)
    for (_, blobs), row, number in zip(mindrecord.rows(shard), ROWS, range(len(ROWS)), strict=True):
        assert mindrecord.integers(blobs["ids"], "int32").tolist() == row
        assert mindrecord.integers(blobs["wide"], "int64").tolist() == [number, -(2**40) * number]
        assert mindrecord.integers(blobs["ids"][:-1], "int32") is None or not row
    assert mindrecord.integers(b"", "int32") is None or mindrecord.integers(b"", "int32").size == 0
    assert mindrecord.integers(b"\xff\xff\xff\xff", "int32") is None


@pytest.mark.mindspore
def test_labels_in_arrays_of_one_are_labels(records):
    case = cases.load(records.parent, [f"data.train.path={records.name}", "data.train.label=kind"])
    found = [one for one in class_balance.run(case, class_balance.Params()) if isinstance(one, Finding)]
    assert "no-labels" not in {one.code for one in found}
    (told,) = [one for one in found if one.code == "classes"]
    assert told.data["classes"] == 3
    (content,) = [content for _, content in read(records, "mindrecord", "kind", [4])]
    assert content.label == "1" and dict(content.fields)["wide"] == f"4 {-(2**42)}"


@pytest.mark.mindspore
def test_every_field_is_counted(records):
    case = cases.load(records.parent, [f"data.train.path={records.name}"])
    found = [one for one in missing_values.run(case, missing_values.Params()) if isinstance(one, Finding)]
    assert [(one.code, one.data["fields"]) for one in found] == [("examined", 4)]


@pytest.mark.mindspore
def test_samples_without_a_label_are_shown_field_by_field(records):
    case = cases.load(records.parent, [f"data.train.path={records.name}"])
    plan, gaps = finish(without_labels(case, "train"), None)
    assert not gaps and plan.missing == len(ROWS) and len(plan.samples) == len(ROWS)
    shown = {plan.samples[place].row: dict(content.fields) for place, content in contents(case, plan)}
    assert shown[3]["ids"] == "300 70000 -70000 5" and shown[3]["mask"] == "1.5 1.5 1.5 1.5"
    assert shown[6]["ids"].startswith("int32 301, 7 .. 7: 7 7 7")
    ran = accucheck("labels", str(records.parent), "--set", f"data.train.path={records.name}", "--lang", "en")
    assert ran.code == 0 and f"{len(ROWS)} of {len(ROWS)} samples, without labels" in ran.out
    assert "ids: 300 70000 -70000 5" in ran.out and "tokens.mindrecord [3]" in ran.out
    assert not (records.parent / ".accucheck" / "labels.json").exists(), "what has no label is not marked"
    ran = accucheck("labels", str(records.parent), "--set", f"data.train.path={records.name}", "--json")
    told = json.loads(ran.out)
    assert len(told["samples"]) == len(ROWS) and set(told["samples"][0]["fields"]) == {"ids", "wide", "mask", "kind"}


def test_pictures_in_one_folder_and_rows_of_a_table_are_shown_too(tmp_path):
    from PIL import Image

    (tmp_path / "pictures").mkdir()
    for number in range(3):
        Image.new("RGB", (20, 10), (number, 0, 0)).save(tmp_path / "pictures" / f"{number}.png")
    ran = accucheck("labels", str(tmp_path), "--set", "data.train.path=pictures", "--lang", "en")
    assert ran.code == 0 and ran.out.count("picture, 20 x 10") == 3
    (tmp_path / "rows.csv").write_text("a,b\n1,x\n2,y\n")
    ran = accucheck("labels", str(tmp_path), "--set", "data.train.path=rows.csv", "--lang", "zh", "--count", "1")
    assert ran.code == 0 and "从 2 个样本中抽取 1 个" in ran.out
    assert ran.out.count("a: ") == 1


def test_what_cannot_be_shown_without_a_label_is_refused_as_before(tmp_path):
    np.save(tmp_path / "x.npy", np.zeros((4, 5), np.float32))
    ran = accucheck("labels", str(tmp_path), "--set", "data.train.path=x.npy", "--lang", "en")
    assert ran.code == 2
