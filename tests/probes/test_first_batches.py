"""What makes the benchmark's first batches of ours: each cause is told apart from the others."""

import numpy as np
import pytest

from accucheck.case import Case, CaseFile, Folder
from accucheck.probes import first_batches
from accucheck.probes.first_batches import Params, look
from findings import found_by

IMAGES = np.random.default_rng(0).uniform(0, 255, (8, 3, 16, 16)).astype(np.float32)
LABELS = np.random.default_rng(1).integers(0, 10, 8)
CLASSES = np.random.default_rng(2).integers(0, 4, 32)
MEAN, STD = np.array([120.0, 115.0, 100.0])[:, None, None], np.array([60.0, 58.0, 57.0])[:, None, None]


@pytest.mark.parametrize(
    ("ours", "theirs", "code"),
    [
        (IMAGES, IMAGES, "same"),
        (IMAGES, IMAGES.astype(np.float64), "same"),
        (IMAGES.astype(np.uint8), IMAGES.astype(np.uint8).astype(np.float32), "same"),
        (IMAGES * (1 + 1e-6), IMAGES, "same"),
        (LABELS.reshape(8, 1), LABELS, "same"),
        (IMAGES[::-1], IMAGES, "order"),
        (LABELS[[3, 1, 2, 0, 4, 5, 6, 7]] + np.arange(8) * 0, LABELS, "order"),
        (IMAGES.transpose(0, 2, 3, 1), IMAGES, "layout"),
        (IMAGES[:, ::-1], IMAGES, "channels"),
        (IMAGES[..., ::-1], IMAGES, "flipped"),
        (IMAGES / 255, IMAGES, "scale"),
        (IMAGES - 120, IMAGES, "scale"),
        ((IMAGES - MEAN) / STD, IMAGES / 255, "channel-scale"),
        (LABELS + 1, LABELS, "shifted"),
        ((CLASSES + 1) % 4, CLASSES, "shifted-round"),
        (np.array([2, 0, 3, 1])[CLASSES], CLASSES, "renumbered"),
        (np.roll(CLASSES, 1), CLASSES, "order"),
        (IMAGES[:4], IMAGES, "shape"),
        (IMAGES + np.random.default_rng(2).normal(0, 3, IMAGES.shape), IMAGES, "near"),
        (np.random.default_rng(3).uniform(0, 255, IMAGES.shape), IMAGES, "other"),
        (np.where(IMAGES > 254, np.nan, IMAGES), IMAGES, "non-finite"),
        (np.where(IMAGES > 254, np.inf, IMAGES), np.where(IMAGES > 254, -np.inf, IMAGES), "non-finite"),
        (np.where(IMAGES > 254, np.nan, IMAGES), np.where(IMAGES > 254, np.inf, IMAGES), "non-finite"),
        (np.where(IMAGES > 254, -np.inf, IMAGES), np.where(IMAGES > 254, -np.inf, IMAGES), "same"),
        (np.where(IMAGES > 254, np.nan, IMAGES), np.where(IMAGES > 254, np.nan, IMAGES), "same"),
    ],
)
def test_what_the_difference_looks_like(ours, theirs, code):
    assert look(ours, theirs, Params())[0] == code


def test_one_label_that_differs_is_no_rounding():
    other = LABELS.copy()
    other[0] += 1
    assert look(other, LABELS, Params())[0] in ("near", "other")


def test_the_numbers_of_a_scale_are_told():
    _, data = look(IMAGES / 255, IMAGES, Params())
    assert data["factor"] == pytest.approx(1 / 255, rel=1e-4) and abs(data["offset"]) < 1e-4
    assert look(LABELS - 1, LABELS, Params())[1] == {"offset": -1}
    assert look(IMAGES[[1, 0, 2, 3, 4, 5, 6, 7]], IMAGES, Params())[1] == {"moved": 2, "count": 8}


def test_how_labels_are_numbered_is_told():
    assert look((CLASSES - 1) % 4, CLASSES, Params())[1] == {"offset": -1, "classes": 4}
    assert look((CLASSES + 1) % 4, CLASSES, Params())[1] == {"offset": 1, "classes": 4}
    other = CLASSES.copy()
    other[CLASSES == 1], other[CLASSES == 3] = 3, 1
    assert look(other, CLASSES, Params())[1] == {"count": 2, "pairs": ["1 - 3", "3 - 1"]}


def test_many_findings_of_one_kind_hide_none_of_another(tmp_path):
    for side, labels in (("a", [1, 2, 3, 4]), ("b", [9, 7, 5, 1])):
        (tmp_path / side).mkdir()
        for number in range(25):
            np.save(tmp_path / side / f"image{number:02}.npy", np.zeros((10, 10)))
        np.save(tmp_path / side / "label.npy", np.array(labels))
    case = Case(root=str(tmp_path), spec=CaseFile(batches=Folder(path="a", reference="b")))
    found = [finding.code for finding in found_by(first_batches, case, Params(most=200))]
    assert found == ["large"] * 20 + ["other"]
