"""What is known of stored columns from the scripts of the project that write them."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from accucheck.case import Case, CaseFile
from accucheck.script.analysis import read_scripts
from accucheck.script.pipelines import Pipelines

TRAIN = """
import mindspore.dataset as ds
for batch in ds.MindDataset("a.mindrecord", ["image", "label"]).create_dict_iterator():
    print(batch["image"])
"""
WRITER = """
import cv2
from mindspore.mindrecord import FileWriter
writer = FileWriter("a.mindrecord")
"""
ROW = "writer.write_raw_data([{'image': cv2.imread(path) / 255, 'label': 3}])\n"


def image(folder: Path, files: dict[str, str]) -> list[str]:
    """Where the column of images comes from, with the steps before it was stored."""
    for name, code in {"train.py": TRAIN, **files}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(code)
    spec = msgspec.convert({"scripts": {"train": "train.py"}}, CaseFile)
    (pipeline,) = Pipelines(read_scripts(Case(root=str(folder), spec=spec)).training[0]).found
    (entry,) = (entry for entry in pipeline.inputs if entry.name == "image")
    return [" ".join([way.origin, *(step.text for step in way.steps)]) for way in entry.ways]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, ["record"]),
        ({"make.py": WRITER + ROW}, ["pixels / 255"]),
        ({"tools/make.py": WRITER + ROW}, ["pixels / 255"]),
        ({"train.py": WRITER + ROW + TRAIN}, ["pixels / 255"]),
        (
            {"make.py": WRITER + "rows = []\nrows.append({'image': cv2.imread(path)})\nwriter.write_raw_data(rows)"},
            ["pixels"],
        ),
        ({"make.py": WRITER + "writer.write_raw_data([{'other': cv2.imread(path)}])"}, ["record"]),
        ({"make.py": WRITER + "writer.write_raw_data([{'image': unseen}])"}, ["record"]),
        ({"make.py": WRITER + "writer.write_raw_data(unseen)"}, ["record"]),
        ({"make.py": "print('writes nothing')"}, ["record"]),
        ({"make.py": "this is no Python: write_raw_data("}, ["record"]),
        ({".hidden/make.py": WRITER + ROW}, ["record"]),
        # the nearest first
        ({"make.py": WRITER + ROW, "a/make.py": WRITER + ROW.replace("255", "2")}, ["pixels / 255"]),
    ],
)
def test_a_stored_column(files: dict[str, str], expected: list[str], tmp_path: Path) -> None:
    assert image(tmp_path, files) == expected


def test_what_cannot_be_opened_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "gone.py").symlink_to(tmp_path / "nowhere.py")
    assert image(tmp_path, {"make.py": WRITER + ROW}) == ["pixels / 255"]
