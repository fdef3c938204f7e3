"""What a watch tells of evaluations by a loop of the user's own, and of what is printed after them."""

import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from accucheck.probes import _watched
from watched_runs import watched

SCRIPT = """
    import logging
    import sys

    import mindspore as ms
    import mindspore.dataset as ds
    import numpy as np
    from mindspore import nn, ops

    def drawn(count, seed):
        dice = np.random.default_rng(seed)
        label = dice.integers(0, 3, count).astype(np.int32)
        return (np.eye(3)[label] + dice.normal(0, 0.6, (count, 3))).astype(np.float32), label

    ms.set_seed(1)
    logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(name)s | %(message)s")
    net = nn.Dense(3, 3)
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    step = ms.value_and_grad(lambda row, label: ops.cross_entropy(net(row), label), None, optimizer.parameters)
    train = ds.NumpySlicesDataset(drawn(48, 1), ["row", "label"], shuffle=True).batch(16)
    held_out = ds.NumpySlicesDataset(drawn(40, 2), ["row", "label"], shuffle=False).batch(16)

    def share(data):
        right = rows = 0
        for at, (row, label) in enumerate(data.create_tuple_iterator(num_epochs=1)):
            right += int((net(row).argmax(1) == label).sum())
            rows += len(label)
            print("batch", at, "so far", right / rows)
        return right / rows

    for epoch in range(2):
        for row, label in train.create_tuple_iterator(num_epochs=1):
            loss, gradients = step(row, label)
            optimizer(gradients)
            print("loss", loss)
        print(f"train {share(train):.4f}", end=", ")
        logging.info("held out %.4f", share(held_out))
    print("no number")
    print("in the end", share(held_out))
"""


def told(root: Path, script: str) -> tuple[list[dict[str, Any]], list[list[Any]], _watched.Watch]:
    watch = _watched.of_case(watched(root, script))[0]
    return watch.facts("counted"), [line for fact in watch.facts("printed") for line in fact["lines"]], watch


@pytest.mark.mindspore
def test_evaluations_are_counted_and_what_is_printed_after_them_is_kept(tmp_path: Path) -> None:
    counted, lines, watch = told(tmp_path, SCRIPT)
    assert [(one["number"], one["data"], one["rows"], one["passes"]) for one in counted] == [
        (0, 0, 48, 3), (1, 1, 40, 3), (2, 0, 48, 3), (3, 1, 40, 3), (4, 1, 40, 3),
    ]  # fmt: skip
    after = [line for line in lines if line[3] == 3 and "so far" not in line[0]]
    assert [line[2] for line in after] == [1, 3, 4]
    share = counted[1]["right"] / counted[1]["rows"]
    assert after[0][0] == f"held out {share:.4f}" and after[0][1][0] == "train.py"
    assert after[2][0] == f"in the end {counted[4]['right'] / 40}"
    first = [line for line in lines if line[2] == 0]
    assert [line[3] for line in first if "so far" in line[0]] == [1, 2, 3]
    assert not any(line[0].startswith("loss") for line in lines)
    assert [one["data"] for one in watch.facts("evaluation")] == [0, 1, 0, 1, 1]


@pytest.mark.mindspore
def test_what_is_printed_passes_through_unchanged(tmp_path: Path) -> None:
    tmp_path.joinpath("train.py").write_text(dedent(SCRIPT), encoding="utf-8")
    command = [sys.executable, "train.py"]
    plain = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    watching = "import sys; from pathlib import Path; from accucheck.watching import Plan, watch; " \
        "print(watch(Plan(sys.argv[1:], Path(), 0)).passes[0].code, file=sys.stderr)"  # fmt: skip
    seen = subprocess.run([sys.executable, "-c", watching, *command], cwd=tmp_path, capture_output=True, check=True)
    assert seen.stdout == plain.stdout
    assert seen.stderr.splitlines()[-1] == b"0"


OTHER = {
    "a batch that two networks are given": ("net(row).argmax(1)", "(net(row) + net(row)).argmax(1)"),
    "batches that are read in advance": (
        "data.create_tuple_iterator(num_epochs=1))",
        "list(data.create_tuple_iterator(num_epochs=1)))",
    ),
    "arrays with two columns that may be the labels": (
        "for at, (row, label) in enumerate(data.create_tuple_iterator(num_epochs=1)):",
        "made = [(ms.Tensor(one), ms.Tensor(other), ms.Tensor(2 - other)) for one, other in [drawn(16, 1), drawn(9, 2)]]\n"
        "        for at, (row, label, other) in enumerate(made):",
    ),
}


@pytest.mark.mindspore
@pytest.mark.parametrize("name", OTHER)
def test_outputs_that_belong_to_no_labels_for_sure_are_not_counted(tmp_path: Path, name: str) -> None:
    old, new = OTHER[name]
    assert old in SCRIPT
    counted, _, _ = told(tmp_path, SCRIPT.replace(old, new))
    assert not counted


@pytest.mark.mindspore
@pytest.mark.parametrize("iterator", ["tuple", "dict"])
def test_labels_are_found_where_the_batches_are_arrays(tmp_path: Path, iterator: str) -> None:
    script = SCRIPT.replace(
        "for at, (row, label) in enumerate(data.create_tuple_iterator(num_epochs=1)):",
        f"for at, one in enumerate(data.create_{iterator}_iterator(num_epochs=1, output_numpy=True)):\n"
        "            row, label = one.values() if isinstance(one, dict) else one",
    ).replace("net(row).argmax(1)", "net(ms.Tensor(row)).asnumpy().argmax(1)")
    counted, lines, _ = told(tmp_path, script)
    assert [(one["data"], one["rows"], one["passes"]) for one in counted] == [
        (0, 48, 3), (1, 40, 3), (0, 48, 3), (1, 40, 3), (1, 40, 3),
    ]  # fmt: skip
    assert f"in the end {counted[4]['right'] / 40}" in [line[0] for line in lines]


ARRAYS = """
    class Held:
        def __init__(self, seed):
            self.rows, self.labels = drawn(40, seed)

        def share(self, name):
            right = 0
            for at in range(0, len(self.rows), 16):
                assert len(words) == 40
                right += int((net(ms.Tensor(self.rows[at : at + 16])).asnumpy().argmax(1) == self.labels[at : at + 16]).sum())
            print(name, right / len(self.rows))

    first, second, words = Held(3), Held(4), np.array(["a"] * 40)
    more, labels = drawn(30, 5)

    def batches():
        for rows, label in [drawn(16, 6), drawn(9, 7)]:
            yield {"row": ms.Tensor(rows), "label": ms.Tensor(label)}

    for epoch in range(2):
        for at in range(0, 30, 15):
            row, label = ms.Tensor(more[at : at + 15]), ms.Tensor(labels[at : at + 15])
            print("fits", (net(row).argmax(1) == label).sum() / 15)
            optimizer(step(row, label)[1])
            print("fits now", (net(row).argmax(1) == label).sum() / 15)
        first.share("first")
        second.share("second")
        order = np.random.permutation(30)
        right = [net(ms.Tensor(more[chosen])).asnumpy().argmax(1) == labels[chosen] for chosen in order.reshape(3, 10)]
        print("turned", np.mean(right))
        optimizer(step(row, label)[1])
        right = []
        for batch in batches():
            guesses = net(batch["row"]).argmax(1).asnumpy()
            right.extend(guesses == batch["label"].asnumpy())
        print("made", np.mean(right))
"""


@pytest.mark.mindspore
def test_evaluations_of_arrays_are_counted_with_the_labels_that_lie_beside_them(tmp_path: Path) -> None:
    script = SCRIPT.partition("    for epoch in range(2):")[0] + ARRAYS
    counted, lines, _ = told(tmp_path, script)
    assert [(one["rows"], one["batches"]) for one in counted] == [(40, 3), (40, 3), (30, 3), (25, 2)] * 2
    assert len({one["data"] for one in counted}) == 4
    shares = {one["number"]: one["right"] / one["rows"] for one in counted}
    said = [(line[0].split()[0], float(line[0].split()[-1]), line[2]) for line in lines if "fits" not in line[0]]
    assert [name for name, _, _ in said] == ["first", "second", "turned", "made"] * 2
    assert all(abs(shares[after] - value) < 1e-6 for _, value, after in said)


@pytest.mark.mindspore
def test_a_pass_over_the_batch_that_is_trained_with_is_no_evaluation(tmp_path: Path) -> None:
    script = SCRIPT.replace(
        "        loss, gradients = step",
        "        print((net(row).argmax(1) == label).sum())\n            loss, gradients = step",
    )
    counted, lines, _ = told(tmp_path, script)
    assert [one["number"] for one in counted] == [0, 1, 2, 3, 4]
    assert len([line for line in lines if "so far" not in line[0]]) == 3


@pytest.mark.mindspore
def test_an_evaluation_that_is_cut_off_is_not_told(tmp_path: Path) -> None:
    script = SCRIPT.replace('print("no number")', "sys.exit() if held_out is None else [][0]")
    root = tmp_path / "cut"
    root.mkdir()
    counted, _, watch = told(root, script)
    assert [one["number"] for one in counted] == [0, 1, 2] and watch.facts("raised")
