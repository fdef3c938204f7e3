"""Each planted fault of a metric is found where it stands, and each healthy evaluation is left alone."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from metric_twins import CASES, twins

from accucheck import case
from accucheck.script import differing_results, metrics
from accucheck.script.analysis import read_scripts


def observed(script: str, root: Path) -> list[str]:
    """What is said of a training script: of its metric, and of an argmax along another axis."""
    (root / "train.py").write_text(script, encoding="utf-8")
    (root / "accucheck.yaml").write_text("scripts: {train: train.py}\n", encoding="utf-8")
    scripts = read_scripts(case.load(root))
    axes = [one.code for reading in scripts.readings for one in differing_results.wrong(reading)]
    return [one.code for one in metrics.examine(scripts)] + axes


#: What is found in the faulty script of each case, in the order of the files.
FOUND = {
    "held_11_values_for_places": "scores-as-places",
    "held_12_accuracy_without_clear": "not-cleared",
    "held_13_list_of_means": "mean-of-batches",
    "held_14_whole_slices_only": "fewer-than-divided-by",
    "held_15_ignored_labels_counted": "ignored-counted",
    "held_16_training_loader": "evaluates-training",
    "held_17_all_along_samples": "all-samples",
    "held_18_meter_without_number": "mean-of-batches",
    "held_19_one_count_not_reset": "left-in-state",
    "held_20_threshold_of_other_class": "other-column",
    "held_52_callback_on_train": "evaluates-training",
    "held_54_options_of_batch": "rest-dropped",
    "held_56_column_of_auc": "other-column",
    "held_60_psnr_of_batches": "ratio-of-batches",
    "held_67_rows_said_by_batches": "hits-by-batches",
    "tuned_01_axis_of_scores": "argmax-elsewhere-perhaps",
    "tuned_02_mean_of_batches": "mean-of-batches",
    "tuned_03_state_in_clear": "left-in-state",
    "tuned_04_counts_outside_epochs": "counts-on",
    "tuned_05_training_data": "evaluates-training",
    "tuned_06_rest_dropped": "rest-dropped",
    "tuned_07_divided_by_batches": "hits-by-batches",
    "tuned_08_smallest_five": "smallest-scores",
    "tuned_09_other_column": "other-column",
    "tuned_10_padded_positions": "masked-counted",
    "tuned_21_miou_of_batches": "ratio-of-batches",
    "tuned_22_f1_of_batches": "ratio-of-batches",
    "tuned_23_perplexity_of_batches": "ratio-of-batches",
    "tuned_24_topk_by_loop": "smallest-scores",
    "tuned_25_tokens_with_padding": "masked-counted",
    "tuned_26_ap_counted_by_batches": "ratio-of-batches",
    "tuned_27_class_metric_not_cleared": "counts-on",
    "tuned_28_rest_of_confusion": "rest-dropped",
    "tuned_29_mae_of_batches": "errors-of-batches",
    "tuned_30_best_on_train": "evaluates-training",
    "tuned_31_dice_of_batches": "ratio-of-batches",
    "tuned_32_rmse_in_update": "ratio-of-batches",
    "tuned_33_precision_by_statistics": "ratio-of-batches",
    "tuned_34_running_mean": "mean-of-batches",
    "tuned_35_auc_in_a_dict": "ratio-of-batches",
    "tuned_36_argpartition": "smallest-scores",
    "tuned_37_ignored_by_class": "ignored-counted",
    "tuned_38_state_in_a_dict": "counts-on",
    "tuned_39_phases": "evaluates-training",
    "tuned_40_positional_remainder": "rest-dropped",
    "tuned_41_pixels_along_width": "argmax-elsewhere",
    "tuned_42_error_rate_of_words": "ratio-of-batches",
    "tuned_51_frames_along_time": "argmax-elsewhere-perhaps",
    "tuned_53_log_of_lists": "mean-of-batches",
    "tuned_55_default_argument": "counts-on",
    "tuned_57_tags_of_padding": "masked-counted",
    "tuned_58_meter_of_f1": "ratio-of-batches",
    "tuned_59_iou_of_each": "ratio-of-batches",
    "tuned_61_bleu_of_batches": "ratio-of-batches",
    "tuned_62_precision_of_classes": "ratio-of-batches",
    "tuned_69_captions_by_map": "mean-of-batches",
    "tuned_71_argsort_axis": "argmax-elsewhere-perhaps",
    "tuned_72_callback_not_cleared": "not-cleared",
    "tuned_73_precision_at_k": "other-column",
    "tuned_74_pointer_masked": "ruled-out-guessed",
    "tuned_75_perplexity_option": "ignored-counted",
    "tuned_76_range_steps": "rest-of-slices",
    "tuned_77_take_batches": "rest-of-slices",
    "tuned_78_fit_train": "evaluates-training",
    "tuned_79_prfs": "ratio-of-batches",
    "tuned_80_softmax_over_batch": "shares-of-samples",
    "tuned_81_evaluator_reset": "counts-on",
    "tuned_82_weighted_wrongly": "mean-of-batches",
    "tuned_83_recall_axis": "argmax-elsewhere",
    "tuned_84_same_files": "reads-training",
    "tuned_85_dice_steps": "ratio-of-batches",
    "tuned_86_topk_smallest": "smallest-scores",
    "tuned_87_custom_clear_half": "left-in-state",
    "tuned_88_sorted_scores": "smallest-scores",
    "held_91_count_by_dataset_size": "mean-of-batches",
    "held_92_ema_metric": "counts-on",
    "held_93_batch_true": "rest-dropped",
    "tuned_94_roc_by_curve": "other-column",
    "tuned_95_lowest_of_partition": "smallest-scores",
    "tuned_96_global_counts": "counts-on",
    "tuned_97_kappa_of_batches": "ratio-of-batches",
    "tuned_98_lists_of_padding": "ignored-counted",
    "tuned_99_rows_of_padding": "masked-counted",
    "tuned_100_mean_of_slices": "mean-of-batches",
    "tuned_101_slices_of_len": "fewer-than-divided-by",
    "tuned_102_generated_slices": "fewer-than-divided-by",
    "tuned_103_perplexity_by_math": "ratio-of-batches",
    "tuned_104_precision_of_lowest": "smallest-first",
    "tuned_105_farthest_neighbours": "smallest-first",
    "tuned_106_matches_in_a_dict": "smallest-first",
    "tuned_107_lowest_ranked_items": "smallest-first",
    "held_89_options_of_loader": "rest-dropped",
    "held_90_top_two": "mean-of-batches",
}


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_the_fault_is_found_and_its_twin_is_clean(path: Path, tmp_path: Path) -> None:
    healthy, faulty = twins(path)
    assert observed(healthy, tmp_path) == []
    assert observed(faulty, tmp_path) == [FOUND[path.stem]]


@pytest.mark.mindspore
@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, len(CASES), 4))
def test_each_fault_changes_what_is_reported(first: int) -> None:
    cases = [str(path) for path in CASES[first : first + 4]]
    command = [sys.executable, str(Path(__file__).with_name("metric_twins.py")), *cases]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600)
    told = json.loads(done.stdout.splitlines()[-1])
    assert len(told) == len(cases)
    for name, (healthy, faulty) in told.items():
        assert float(healthy) != pytest.approx(float(faulty), abs=1e-3), name


def test_batches_of_one_row_and_training_loops_are_no_matter(tmp_path: Path) -> None:
    path = next(path for path in CASES if path.stem == "tuned_07_divided_by_batches")
    faulty = twins(path)[1].replace('["x", "y"], shuffle=False).batch(10)', '["x", "y"], shuffle=False).batch(1)')
    assert observed(faulty, tmp_path) == []


#: The squares of gradients, averaged as a measure of how much weights matter, are no metric; a root of errors of each batch is one.
MEANS = """import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops

net = nn.Dense(8, 1)
loss_fn = nn.MSELoss()
opt = nn.Adam(net.trainable_params(), 1e-3)
step = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, opt.parameters)
slope = ms.grad(lambda x, y: loss_fn(net(x), y), None, opt.parameters)
rows = np.load("rows.npz")
for x, y in ds.NumpySlicesDataset((rows["x"], rows["y"]), ["x", "y"], shuffle=True).batch(16).create_tuple_iterator():
    opt(step(x, y)[1])
net.set_train(False)
total, turns = 0.0, 0
for x, y in ds.NumpySlicesDataset((rows["a"], rows["b"]), ["x", "y"], shuffle=False).batch(16).create_tuple_iterator():
    total += ADDED
    turns += 1
print(total / turns)
"""


@pytest.mark.parametrize(
    ("added", "codes"),
    [
        ("slope(x, y)[0].asnumpy() ** 2", []),
        ("np.sqrt(np.mean((net(x).asnumpy() - y.asnumpy()) ** 2))", ["ratio-of-batches"]),
    ],
)
def test_gradients_are_no_metric(tmp_path: Path, added: str, codes: list[str]) -> None:
    assert observed(MEANS.replace("ADDED", added), tmp_path) == codes


ONE_HOT = """import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from sklearn.metrics import roc_auc_score

def rows(seed):
    x = np.random.default_rng(seed).standard_normal((64, 8)).astype(np.float32)
    return ds.NumpySlicesDataset({"x": x, "y": np.eye(2, dtype=np.float32)[(x[:, 0] > 0).astype(int)]}).batch(16)

net = nn.Dense(8, 2)
loss_fn = nn.SoftmaxCrossEntropyWithLogits(reduction="mean")
opt = nn.Adam(net.trainable_params(), 1e-3)
step = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, opt.parameters)
for x, y in rows(0).create_tuple_iterator():
    opt(step(x, y)[1])
scores, truths, right, count = [], [], 0, 0
for x, y in rows(1).create_tuple_iterator():
    p = ops.softmax(net(x), axis=1)
    scores.append(p[:, 0].asnumpy())
    truths.append(y[:, 0].asnumpy())
    right += ((p[:, 0] > 0.5) == TRUTH).sum().asnumpy()
    count += len(y)
print(roc_auc_score(np.concatenate(truths), np.concatenate(scores)), right / count)
"""


@pytest.mark.parametrize("truth", ["(y[:, 0] > 0.5)", "y[:, 0].astype(ms.bool_)", "y[..., 0]"])
def test_class_0_of_one_hot_labels_goes_with_the_probability_of_class_0(tmp_path: Path, truth: str) -> None:
    assert observed(ONE_HOT.replace("TRUTH", truth), tmp_path) == []


#: One file is named in a configuration; which of both functions is run, and with which file, is up to who starts it.
EITHER = """import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn

TRAINS, FILE = True, "rows.mindrecord"
net = nn.Dense(8, 2)
model = ms.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params()), metrics={"accuracy": nn.Accuracy()})


def train():
    model.train(1, ds.MindDataset(FILE).batch(4))


def evaluate():
    print(model.eval(ds.MindDataset(FILE).batch(4)))


CALLS
"""


@pytest.mark.parametrize(
    ("calls", "said"), [("train() if TRAINS else evaluate()", []), ("train()\nevaluate()", ["reads-training"])]
)
def test_files_of_a_training_count_where_one_run_reads_them_for_both(
    calls: str, said: list[str], tmp_path: Path
) -> None:
    assert observed(EITHER.replace("CALLS", calls), tmp_path) == said
