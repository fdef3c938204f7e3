"""What names of metrics are taken to mean."""

import pytest

from accucheck.knowledge import metric_names

PLAIN = {
    "acc": "accuracy", "val_accuracy": "accuracy", "Precision": "precision", "macro_f1": "f1", "f1_score": "f1", "Dice": "f1",
    "eval mIoU": "iou", "mean_iou": "iou", "RMSE": "rmse", "mean_squared_error": "mse", "test_PPL": "perplexity", "召回率": "recall",
}  # fmt: skip


@pytest.mark.parametrize("name", PLAIN)
def test_a_plain_name_means_one_metric(name: str) -> None:
    assert metric_names.meant(name) == PLAIN[name] and PLAIN[name] in metric_names.families(name)


@pytest.mark.parametrize(
    "name",
    [
        "recall@5",
        "average_precision",
        "mean average precision",
        "mean_acc",
        "balanced_accuracy",
        "loss",
        "mAP",
        "score",
    ],
)
def test_a_name_that_may_mean_more_means_nothing(name: str) -> None:
    assert metric_names.meant(name) == ""


def test_a_name_may_hold_several_metrics() -> None:
    assert metric_names.families("balanced_accuracy") == ("accuracy", "recall")
    assert metric_names.families("root_mean_squared_error") == ("rmse",)


@pytest.mark.parametrize("name", ["val_loss", "WER", "ppl", "top1_err", "测试误差"])
def test_of_which_a_lower_value_is_better(name: str) -> None:
    assert metric_names.is_least(name)


@pytest.mark.parametrize("name", ["accuracy", "lossless_share", "F1", "psnr"])
def test_of_which_a_higher_value_is_better(name: str) -> None:
    assert not metric_names.is_least(name)
