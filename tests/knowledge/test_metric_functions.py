"""What is known of metrics against MindSpore's classes and scikit-learn's signatures, and what these functions do with a column."""

import inspect

import numpy as np
import pytest

from accucheck.knowledge.metric_functions import metric_functions


@pytest.mark.mindspore
def test_metrics_that_gather_are_all_there_are() -> None:
    import mindspore.train as train

    metrics = {
        name
        for name, kind in vars(train).items()
        if inspect.isclass(kind) and issubclass(kind, train.Metric) and not inspect.isabstract(kind)
    }
    assert set(metric_functions().gather) <= set(vars(train))
    assert metrics == set(metric_functions().gather) - {"ConfusionMatrixMetric"} | (metrics & {"ConfusionMatrixMetric"})


@pytest.mark.parametrize("name", metric_functions().of_positive)
def test_functions_take_labels_and_then_scores(name: str) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    function, told = getattr(metrics, name.rpartition(".")[2]), metric_functions().of_positive[name]
    first, second = list(inspect.signature(function).parameters)[:2]
    assert first == told.truth and second in told.scores
    truth = np.array([0, 1, 0, 1, 1, 0])
    scores = np.array([0.1, 0.8, 0.3, 0.7, 0.4, 0.2])
    right, other = (
        np.ravel(np.asarray(function(truth, given)[1] if "curve" in name else function(truth, given)))
        for given in (scores, 1 - scores)
    )
    assert not np.array_equal(right, other), "the other column makes a difference"


#: What takes for each sample the scores of all classes, or how relevant each of several things is.
_OF_ROWS = ("coverage_error", "ndcg_score")


def value_of(name: str, truth: np.ndarray, guess: np.ndarray, scores: np.ndarray) -> float:
    """A metric of labels and guesses, or of labels and scores where the function takes these; of several numbers the last but one."""
    module, _, last = name.rpartition(".")
    function = getattr(pytest.importorskip(module), last)
    parameters = inspect.signature(function).parameters
    takes_scores = [*parameters][1] == "y_score" or last == "log_loss" or module == "scipy.stats"
    given = {"beta": 2} if last == "fbeta_score" else {"average": "macro"} if last.endswith("support") else {}
    given |= {"k": 1} if last == "top_k_accuracy_score" else {}
    if last in _OF_ROWS:
        truth, scores = (np.stack([each, 1 - each], axis=1) for each in (truth, scores))
    found = function(truth, scores if takes_scores else guess, **given)
    return float(found[-2] if isinstance(found, tuple) else found)


@pytest.mark.parametrize("name", [*metric_functions().of_samples, *metric_functions().of_all])
def test_means_over_samples_are_the_mean_of_equal_batches_and_others_are_not(name: str) -> None:
    drawn = np.random.default_rng(5)
    truth, scores = drawn.integers(0, 2, 40), drawn.random(40)
    guess = (scores > 0.4).astype(int)
    whole = value_of(name, truth, guess, scores)
    parts = [value_of(name, *(each[i : i + 8] for each in (truth, guess, scores))) for i in range(0, 40, 8)]
    assert bool(np.isclose(np.mean(parts), whole, atol=1e-9)) is (name in metric_functions().of_samples)


def test_counts_add_up_over_batches() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    drawn = np.random.default_rng(5)
    truth, guess = drawn.integers(0, 3, 40), drawn.integers(0, 3, 40)
    for name in metric_functions().counts:
        function = getattr(metrics, name.rpartition(".")[2])
        parts = [function(truth[i : i + 20], guess[i : i + 20], labels=[0, 1, 2]) for i in (0, 20)]
        assert np.array_equal(sum(parts), function(truth, guess, labels=[0, 1, 2]))


@pytest.mark.parametrize("name", [n for n in (*metric_functions().rises, *metric_functions().falls) if "." in n])
def test_better_guesses_have_larger_or_smaller_values(name: str) -> None:
    drawn = np.random.default_rng(5)
    truth = drawn.integers(0, 2, 40)
    good = np.clip(truth + drawn.normal(0, 0.3, 40), 0.01, 0.99)
    better, worse = (value_of(name, truth, (scores > 0.5).astype(int), scores) for scores in (good, 1 - good))
    assert (better > worse) is (metric_functions().sense(name) == "rises") and better != worse


@pytest.mark.mindspore
def test_classes_have_the_names_that_a_model_takes() -> None:
    import mindspore.train as train
    from mindspore.train.metrics import names

    known = metric_functions()
    assert set(known.named) <= set(names())
    assert {name for name in (*known.rises, *known.falls) if "." not in name} <= set(vars(train))
    made = {
        name: type(train.get_metrics([name])[name]).__name__
        for name in known.named
        if name not in ("topk", "bleu_score")
    }
    assert made == {name: known.named[name] for name in made}
