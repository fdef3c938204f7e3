"""The usual numbers of an evaluation are those of scikit-learn, in one batch or in several."""

import numpy as np
import pytest
from sklearn import metrics

from accucheck.live.inside.watch import reference
from accucheck.live.inside.watch.data import Reading
from accucheck.live.inside.watch.reference import Errors, Table
from accucheck.live.inside.watch.scores import Scores

DICE = np.random.default_rng(3)
LABELS = DICE.integers(0, 4, 90)
SCORES = (np.eye(5)[LABELS] + DICE.normal(0, 0.7, (90, 5))).astype(np.float32)  # nobody has class 4
GUESSES = SCORES.argmax(1)
WANTED = DICE.random((6, 8, 8, 3)).astype(np.float32)
GIVEN = (WANTED + DICE.normal(0, 0.1, WANTED.shape) * np.arange(1, 7)[:, None, None, None]).astype(np.float32)


def of_table() -> dict[str, dict[str, float]]:
    whole = Table(5)
    for start in range(0, 90, 40):
        part = Table(5)
        part.add(SCORES[start : start + 40], LABELS[start : start + 40])
        whole.join(part)
    return whole.numbers()


@pytest.mark.parametrize(
    ("family", "function"),
    [
        ("f1", metrics.f1_score),
        ("precision", metrics.precision_score),
        ("recall", metrics.recall_score),
        ("iou", metrics.jaccard_score),
    ],
)
@pytest.mark.parametrize(
    ("way", "given"),
    [
        ("macro", {"average": "macro"}),
        ("weighted", {"average": "weighted"}),
        ("micro", {"average": "micro"}),
        ("macro, labels=all", {"average": "macro", "labels": range(5)}),
        ("macro, labels=1..", {"average": "macro", "labels": sorted({*LABELS, *GUESSES} - {0})}),
        ("micro, labels=1..", {"average": "micro", "labels": range(1, 5)}),
        ("labels=[2]", {"average": "macro", "labels": [2]}),
    ],
)
def test_numbers_of_classes_are_those_of_scikit_learn(family, function, way, given) -> None:
    expected = function(LABELS, GUESSES, zero_division=0, **given)
    assert of_table()[family][way] == pytest.approx(expected, abs=1e-12)


def test_loss_and_kappa_are_those_of_scikit_learn() -> None:
    wide = SCORES.astype(np.float64)
    shares = np.exp(wide) / np.exp(wide).sum(1, keepdims=True)
    numbers = of_table()
    loss = metrics.log_loss(LABELS, shares, labels=range(5))
    assert numbers["loss"]["mean"] == pytest.approx(loss, rel=1e-9)
    assert numbers["perplexity"]["exp(loss)"] == pytest.approx(np.exp(loss), rel=1e-9)
    assert numbers["kappa"]["Cohen"] == pytest.approx(metrics.cohen_kappa_score(LABELS, GUESSES), abs=1e-12)


def test_the_loss_of_a_large_output_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reference, "SCORES", 100)
    numbers = of_table()
    assert np.isnan(numbers["loss"]["mean"]) and np.isnan(numbers["perplexity"]["exp(loss)"])
    assert numbers["recall"]["micro"] == pytest.approx((LABELS == GUESSES).mean())


def test_errors_are_those_of_scikit_learn() -> None:
    errors = Errors()
    for start in (0, 4):
        part = Errors()
        part.add(GIVEN[start : start + 4], WANTED[start : start + 4])
        errors.join(part)
    numbers, wanted, given = errors.numbers(), WANTED.reshape(-1), GIVEN.reshape(-1)
    mean = metrics.mean_squared_error(wanted, given)
    assert numbers["mse"]["mean"] == pytest.approx(mean, rel=1e-5)
    assert numbers["rmse"]["mean"] == pytest.approx(metrics.root_mean_squared_error(wanted, given), rel=1e-5)
    assert numbers["mae"]["mean"] == pytest.approx(metrics.mean_absolute_error(wanted, given), rel=1e-5)
    assert numbers["r2"]["mean"] == pytest.approx(metrics.r2_score(wanted, given), rel=1e-4)
    pairs = zip(WANTED, GIVEN, strict=True)
    each = np.array([metrics.mean_squared_error(one.ravel(), other.ravel()) for one, other in pairs])
    assert numbers["psnr"]["peak=1"] == pytest.approx(-10 * np.log10(mean), rel=1e-5)
    assert numbers["psnr"]["peak=255, mean(psnr_i)"] == pytest.approx(np.mean(10 * np.log10(255**2 / each)), rel=1e-5)


@pytest.mark.mindspore
def test_pixels_whose_label_is_no_class_do_not_count() -> None:
    from mindspore import Tensor

    scores, gathered = DICE.normal(size=(2, 3, 4, 4)).astype(np.float32), Scores()
    labels = DICE.integers(0, 3, (2, 4, 4))
    labels[:, 0] = 255
    gathered.add(Reading(0, [], 1, 1), Tensor(scores), [np.zeros((2, 3, 4, 4), np.float32), labels])
    told = gathered.over()
    right = (scores.argmax(1) == labels)[:, 1:]
    assert told is not None and (told["rows_are"], told["rows"], told["right"]) == ("places", 24, int(right.sum()))
    counted = metrics.jaccard_score(labels[:, 1:].ravel(), scores.argmax(1)[:, 1:].ravel(), average="macro")
    assert told["numbers"]["iou"]["macro"] == pytest.approx(counted)


@pytest.mark.mindspore
def test_outputs_that_may_belong_to_two_columns_are_not_compared() -> None:
    from mindspore import Tensor

    rows, one, two = DICE.random((4, 3)).astype(np.float32), Scores(), Scores()
    reading = Reading(0, [], 1, 1)
    one.add(reading, Tensor(rows + 1), [rows, np.zeros((4, 5), np.float32)])
    two.add(reading, Tensor(rows + 1), [rows, rows * 2])
    told = one.over()
    assert told is not None and told["numbers"]["mae"]["mean"] == pytest.approx(1, abs=1e-6)
    assert two.over() is None
