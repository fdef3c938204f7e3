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
