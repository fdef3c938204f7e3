"""Confident learning on real predictions: scikit-learn's digits, cross-validated, with labels that were changed."""

import builtins
import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from accucheck.case import Case, CaseFile
from accucheck.errors import ReadError
from accucheck.model import Finding, Table, Verdict, suggest
from accucheck.probe import Skip
from accucheck.probes import label_issues
from labelled_data import write

DIGITS = load_digits()
WRONG = np.random.default_rng(0).choice(len(DIGITS.target), 40, replace=False)
LABELS = DIGITS.target.copy()
LABELS[WRONG] = (LABELS[WRONG] + 1 + np.arange(40) % 9) % 10


@pytest.fixture(scope="module")
def predictions() -> np.ndarray:
    """Of models that were trained on the changed labels, each on four fifths of the data, and asked about the rest."""
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=300, C=0.05))
    return cross_val_predict(model, DIGITS.data, LABELS, cv=5, method="predict_proba")


def examined(root: Path, predicted: np.ndarray, path: str, **more: Any) -> tuple[Verdict, dict[str, Finding]]:
    np.save(root / "p.npy", predicted)
    data = {"train": {"path": path, **more.pop("train", {})}, "predictions": "p.npy", **more}
    case = Case(str(root), msgspec.convert({"data": data}, CaseFile))
    found = [one for one in label_issues.run(case, label_issues.Params()) if isinstance(one, Finding)]
    return suggest(found), {finding.code: finding for finding in found}


@pytest.mark.part(3)
@pytest.mark.parametrize("kind", ["csv", "npz", "cifar"])
def test_changed_labels_are_found_in_their_places(kind: str, predictions: np.ndarray, tmp_path: Path) -> None:
    path = write(tmp_path, kind, DIGITS.images.astype(np.uint8), LABELS)
    verdict, said = examined(tmp_path, predictions, path)
    assert verdict is Verdict.UNDECIDED and said["predictions"].data["agreement"] > 0.85
    (table,) = said["issues"].evidence
    assert isinstance(table, Table)
    flagged = [int(str(row[0]).rpartition("[")[2].rstrip("]")) for row in table.rows]
    hit = set(flagged) & set(WRONG.tolist())
    assert len(hit) >= 30 and len(hit) / len(flagged) > 0.5, (len(hit), len(flagged))
    for row, at in zip(table.rows, flagged, strict=True):
        assert row[1] == str(LABELS[at]) and str(row[0]).startswith(path)
    right = sum(row[2] == str(DIGITS.target[at]) for row, at in zip(table.rows, flagged, strict=True) if at in hit)
    assert right >= 0.85 * len(hit), "the likely label is the true one"


def test_pictures_in_folders_by_their_sorted_names(predictions: np.ndarray, tmp_path: Path) -> None:
    write(tmp_path, "folders", DIGITS.images[:400].astype(np.uint8), LABELS[:400])
    files = sorted((tmp_path / "train").rglob("*.png"), key=lambda one: (one.parent.name, one.name))
    rows = [int(file.stem) for file in files]
    _, said = examined(tmp_path, predictions[rows], "train")
    wrong = {int(Path(str(row[0])).stem) for row in said["issues"].evidence[0].rows}
    assert len(wrong & set(WRONG.tolist())) >= 0.6 * sum(WRONG < 400)


def test_names_of_classes_and_samples_without_a_label(predictions: np.ndarray, tmp_path: Path) -> None:
    names = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
    rows = [f"{n},{names[label] if n != 5 else ''}\n" for n, label in enumerate(LABELS)]
    (tmp_path / "a.csv").write_text("x,label\n" + "".join(rows))
    _, said = examined(tmp_path, predictions, "a.csv", train={"classes": names})
    assert said["predictions"].data["samples"] == 1796 and said["issues"].data["given"] in names
    with_sorted = examined(tmp_path, predictions[:, np.argsort(names)], "a.csv")[1]
    assert abs(with_sorted["issues"].data["count"] - said["issues"].data["count"]) <= 2  # rounded class by class
    _, said = examined(tmp_path, predictions, "a.csv")  # sorted names, and columns in another order
    assert "not-these" in said and "issues" not in said


def test_predictions_of_the_evaluation_data(predictions: np.ndarray, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,label\n1,2\n")
    path = write(tmp_path, "npz", DIGITS.images.astype(np.uint8), LABELS)
    _, said = examined(tmp_path, predictions, "a.csv", eval={"path": path})
    assert said["issues"].data["role"]["en"] == "Evaluation"


def test_what_is_no_prediction_of_these_samples(predictions: np.ndarray, tmp_path: Path) -> None:
    path = write(tmp_path, "csv", DIGITS.images.astype(np.uint8), LABELS)
    logits = np.log(predictions + 1e-9)
    holes = np.where(np.arange(10) == 3, np.nan, predictions)
    for array, code in (
        (predictions[:-1], "rows-differ"),
        (predictions[:, :9] / predictions[:, :9].sum(axis=1, keepdims=True), "classes-differ"),
        (logits, "not-probabilities"),
        (holes, "not-probabilities"),
        (predictions.argmax(axis=1), "not-probabilities"),
        (np.array([{}], dtype=object), "not-probabilities"),
    ):
        with pytest.raises(Skip) as caught:
            examined(tmp_path, array, path)
        assert caught.value.reason.code == code
    (tmp_path / "p.csv").write_text("1,2\n")
    for name in ("gone.npy", "p.csv"):
        case = Case(str(tmp_path), msgspec.convert({"data": {"train": {"path": path}, "predictions": name}}, CaseFile))
        with pytest.raises(ReadError):
            list(label_issues.run(case, label_issues.Params()))


def test_without_cleanlab_the_probe_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name.startswith("cleanlab"):
            raise ModuleNotFoundError("No module named 'cleanlab'")
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(Skip) as caught:
        examined(tmp_path, np.eye(3), "a.csv")
    assert caught.value.reason.code == "no-cleanlab"


def test_mindrecord_of_another_version_is_read_as_the_other_probes_read_it(
    tmp_path: Path, predictions: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = json.dumps({"version": "2.0", "schema": [], "page": [], "shard_addresses": ["x"]}).encode()
    (tmp_path / "train.mindrecord").write_bytes(len(head).to_bytes(8, "little") + head)

    def as_lines(path: Path, version: str, target: Path) -> None:
        assert version == "2.0"
        target.write_text("".join(f'{{"label": {label}}}\n' for label in LABELS))

    monkeypatch.setattr("accucheck.live.mindrecord.as_lines", as_lines)
    _, said = examined(tmp_path, predictions, "train.mindrecord", train={"label": "label"})
    assert said["predictions"].data["samples"] == len(LABELS) and "issues" in said
