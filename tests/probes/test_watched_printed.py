"""What loops of the user's own print after evaluations that were really watched: right numbers, and each by a mistake."""

from pathlib import Path
from typing import Any

import pytest

from accucheck import case as cases
from accucheck.language import Language, word
from accucheck.model import Finding, Level, ProbeResult, Status, Verdict, combine, suggest, weigh
from accucheck.probe import Skip
from accucheck.probes import metric_script, watched_printed
from watched_runs import watched

HEAD = """
    import mindspore as ms
    import mindspore.dataset as ds
    import numpy as np
    from mindspore import nn, ops

    def data(columns, batch, shuffle=False):
        return ds.NumpySlicesDataset(columns, ["row", "label"], shuffle=shuffle).batch(batch)

    def trained(net, loss, batches):
        optimizer = nn.Adam(net.trainable_params(), 0.02)
        step = ms.value_and_grad(lambda row, label: loss(net(row), label), None, optimizer.parameters)
        for row, label in batches.create_tuple_iterator(num_epochs=1):
            optimizer(step(row, label)[1])

    def seen(net, batches):
        return [(net(row).asnumpy(), label.asnumpy()) for row, label in batches.create_tuple_iterator(num_epochs=1)]

    ms.set_seed(1)
    dice = np.random.default_rng(1)
"""
CLASSES = (
    HEAD
    + """
    label = dice.integers(0, 7, 141).astype(np.int32)
    row = (np.eye(7)[label] + dice.normal(0, 0.5, (141, 7))).astype(np.float32)
    train, test = data((row[:80], label[:80]), 16, True), data((row[80:], label[80:]), 16)
    net, right, rows = nn.Dense(7, 7), 0, 0
    from sklearn.metrics import f1_score
    for epoch in range(2):
        trained(net, ops.cross_entropy, train)
        learned = seen(net, train)
        found = seen(net, test)
        right, rows = {start}
        right += sum((scores.argmax(1) == label).sum() for scores, label in found)
        rows += sum(len(label) for _, label in found)
        fit = np.concatenate([scores.argmax(1) == label for scores, label in learned]).mean()
        print(f"epoch {epoch} train acc {fit:.4f} val accuracy {right / rows:.4f}")
        hits = [(scores.argmax(1) == label) for scores, label in found]
        print("Test Acc: {:.2f}%".format(100 * {share}))
        best = [(np.argsort({sign}scores, 1)[:, :3] == label[:, None]).any(1) for scores, label in found]
        print({"top3": round(float(np.concatenate(best).mean()), 4)})
        truths, guesses = [label for _, label in found], [scores.argmax(1) for scores, _ in found]
        print("macro f1 =", {f1})
        print("all done:", 0.5, "accuracy of another kind", 0.123)
"""
)
RIGHT = {
    "start": "0, 0",
    "share": "np.concatenate(hits).mean()",
    "sign": "-",
    "f1": 'f1_score(np.concatenate(truths), np.concatenate(guesses), average="macro")',
}
WRONG = {
    "start": "right, rows",
    "share": "np.mean([one.mean() for one in hits])",
    "sign": "",
    "f1": 'np.mean([f1_score(one, other, average="macro") for one, other in zip(truths, guesses)])',
}
OTHERS = (
    HEAD
    + """
    row = dice.normal(0, 1, (140, 4)).astype(np.float32)
    label = (row[:, 0] + dice.normal(0, 0.4, 140) > 0.2).astype(np.int32)
    train, test, net = data((row[:80], label[:80]), 16, True), data((row[80:], label[80:]), 16), nn.Dense(4, 1)
    binary = lambda score, label: ops.binary_cross_entropy_with_logits(
        score[:, 0], label.astype(ms.float32), ops.ones(score.shape[0]), ops.ones(1))
    for epoch in range(2):
        trained(net, binary, train)
        print("accuracy", np.mean([((score{flat} > 0) == (label > 0)).mean() * 16 for score, label in seen(net, test)]) / 16
              if {mean} else np.concatenate([(score[:, 0] > 0) == (label > 0) for score, label in seen(net, test)]).mean())

    words = dice.integers(1, 8, (100, 9)).astype(np.int32)
    tags = (words % 4).astype(np.int32)
    for word, tag, length in zip(words, tags, dice.integers(2, 10, 100)):
        word[length:], tag[length:] = 0, -100
    train, test = data((words[:60], tags[:60]), 12, True), data((words[60:], tags[60:]), 12)
    net = nn.SequentialCell(nn.Embedding(8, 6), nn.Dense(6, 4))
    tagging = lambda scores, label: ops.cross_entropy(scores.reshape(-1, 4), label.reshape(-1), ignore_index=-100)
    for epoch in range(2):
        trained(net, tagging, train)
        found = seen(net, test)
        right = sum((scores.argmax(-1) == label).sum() for scores, label in found)
        print("token acc %.4f" % (right / sum({counted} for _, label in found)))

    row = dice.normal(0, 1, (140, 3)).astype(np.float32)
    label = (row[:, :2] * np.linspace(0.1, 4, 140)[:, None]).astype(np.float32)
    train, test, net = data((row[:80], label[:80]), 16, True), data((row[80:], label[80:]), 16), nn.Dense(3, 2)
    for epoch in range(2):
        trained(net, ops.mse_loss, train)
        squares = [(given - label) ** 2 for given, label in seen(net, test)]
        print("rmse:", {rmse})
"""
)
RIGHT_OTHERS = {
    "flat": "[:, 0]",
    "mean": "False",
    "counted": "(label >= 0).sum()",
    "rmse": "np.sqrt(np.concatenate(squares).mean())",
}
WRONG_OTHERS = {
    "flat": "",
    "mean": "True",
    "counted": "label.size",
    "rmse": "np.mean([np.sqrt(one.mean()) for one in squares])",
}


def told(root: Path, script: str, chosen: dict[str, str]) -> dict[str, Finding]:
    for key, text in chosen.items():
        assert f"{{{key}}}" in script
        script = script.replace(f"{{{key}}}", text)
    found: Any = watched_printed.run(watched(root, script), watched_printed.Params())
    return {one.data["name"]: one for one in found if isinstance(one, Finding)}


@pytest.mark.mindspore
def test_numbers_of_classes_that_are_right(tmp_path: Path) -> None:
    found = told(tmp_path, CLASSES, RIGHT)
    agree = {"train acc", "val accuracy", "test acc", "top3", "macro f1"}
    assert {name for name, one in found.items() if one.code == "printed-agrees"} == agree
    assert {one.level for one in found.values()} == {Level.INFO}
    assert found["test acc"].data["rows"] == 61 and found["train acc"].data["rows"] == 80


@pytest.mark.mindspore
def test_numbers_of_classes_by_a_mistake_each(tmp_path: Path) -> None:
    found = told(tmp_path, CLASSES, WRONG)
    wrong = {name: one.code for name, one in found.items() if one.level is Level.PROBLEM}
    assert wrong == {
        "val accuracy": "printed-counts-on",
        "test acc": "printed-mean",
        "top3": "printed-lowest",
        "macro f1": "printed-number-of-batches",
    }
    line = (tmp_path / "train.py").read_text().splitlines()[found["top3"].where.line - 1]
    assert '"top3"' in line and found["train acc"].code == "printed-agrees"


@pytest.mark.mindspore
def test_other_numbers(tmp_path: Path) -> None:
    found = told(tmp_path / "right", OTHERS, RIGHT_OTHERS)
    assert {name: one.code for name, one in found.items()} == dict.fromkeys(
        ("accuracy", "token acc", "rmse"), "printed-agrees"
    )
    found = told(tmp_path / "wrong", OTHERS, WRONG_OTHERS)
    assert {name: (one.code, one.level) for name, one in found.items()} == {
        "accuracy": ("printed-pairs", Level.PROBLEM),
        "token acc": ("printed-ignored", Level.PROBLEM),
        "rmse": ("printed-number-of-batches", Level.PROBLEM),
    }


SLICES = (
    HEAD
    + """
    label = dice.integers(0, 7, 141).astype(np.int32)
    row = (np.eye(7)[label] + dice.normal(0, 0.5, (141, 7))).astype(np.float32)
    rows, labels, net = row[80:], label[80:], nn.Dense(7, 7)
    for epoch in range(2):
        trained(net, ops.cross_entropy, data((row[:80], label[:80]), 16, True))
        scores = [net(ms.Tensor(rows[at : at + 16])).asnumpy() for at in range(0, len(rows), 16)]
        hits = [one.argmax(1) == labels[at * 16 : at * 16 + 16] for at, one in enumerate(scores)]
        print("val accuracy", {share})
"""
)


@pytest.mark.mindspore
def test_evaluations_of_slices_of_arrays(tmp_path: Path) -> None:
    found = told(tmp_path / "right", SLICES, {"share": "np.concatenate(hits).mean()"})
    assert {name: one.code for name, one in found.items()} == {"val accuracy": "printed-agrees"}
    found = told(tmp_path / "wrong", SLICES, {"share": "np.mean([one.mean() for one in hits])"})
    assert {name: (one.code, one.level) for name, one in found.items()} == {
        "val accuracy": ("printed-mean", Level.PROBLEM)
    }


MEANS = (
    HEAD
    + """
    def share(net, batches):
        shares = []
        for row, label in batches.create_tuple_iterator(num_epochs=1):
            shares.append((net(row).argmax(1) == label).asnumpy().mean())
        return sum(shares) / len(shares)

    label = dice.integers(0, 7, 141).astype(np.int32)
    row = (np.eye(7)[label] + dice.normal(0, 0.5, (141, 7))).astype(np.float32)
    test, net = data((row[80:], label[80:]), {size}), nn.Dense(7, 7)
    for epoch in range(2):
        trained(net, ops.cross_entropy, data((row[:80], label[:80]), 16, True))
        print("val accuracy", share(net, test))
"""
)


@pytest.mark.mindspore
@pytest.mark.parametrize(("size", "verdict"), [(61, Verdict.OK), (16, Verdict.PROBLEM)])
def test_what_a_script_is_said_to_do_is_weighed_against_what_was_printed(
    tmp_path: Path, size: int, verdict: Verdict
) -> None:
    """Batches of one size, or one batch alone, have the mean that all rows have."""
    script = MEANS.replace("{size}", str(size))
    watch = watched(tmp_path, script).paths("watched")[0].relative_to(tmp_path)
    case = cases.load(tmp_path, ["scripts.train=train.py", f"watched={watch}"])
    said, seen = (
        ProbeResult(name, probe.KIND, Status.DONE, suggest(found), found)
        for name, probe in (("metric_script", metric_script), ("watched_printed", watched_printed))
        if (found := [one for one in probe.run(case, probe.Params()) if isinstance(one, Finding)])
    )
    assert "mean-of-batches" in [one.code for one in said.findings]
    assert combine([said, seen]) is verdict
    contradicted = [one.code for one in weigh([said, seen])[0].findings if one.contradicted is not None]
    assert contradicted == (["mean-of-batches"] if verdict is Verdict.OK else [])


@pytest.mark.mindspore
def test_a_number_without_a_name_tells_nothing(tmp_path: Path) -> None:
    script = (
        HEAD
        + """
    row, label = dice.normal(0, 1, (64, 3)).astype(np.float32), dice.integers(0, 3, 64).astype(np.int32)
    net = nn.Dense(3, 3)
    trained(net, ops.cross_entropy, data((row, label), 16, True))
    print(np.mean([(scores.argmax(1) == label).mean() for scores, label in seen(net, data((row, label), 16))]))
"""
    )
    with pytest.raises(Skip) as skipped:
        told(tmp_path, script, {})
    reason = skipped.value.reason
    assert reason.code == "nothing-named" and reason.data["rows"] == 64
    assert reason.data["numbers"].startswith("accuracy 0.")
    for language in Language:
        text = word(watched_printed.MESSAGES, reason.code, language, **reason.data)
        assert "train.py:" in text and "{" not in text and reason.data["numbers"] in text


@pytest.mark.mindspore
@pytest.mark.parametrize(("width", "code"), [(3, "nothing-named"), (5, "not-matched")])
def test_where_labels_are_not_found_following_stops(tmp_path: Path, width: int, code: str) -> None:
    """They are in no data set, and in another order than the array of the inputs; outputs as wide as the inputs are taken for errors."""
    script = (
        HEAD
        + f"""
    row, label = dice.normal(0, 1, (64, {width})).astype(np.float32), dice.integers(0, 3, 64).astype(np.int32)
    net = nn.Dense({width}, 3)
    trained(net, ops.cross_entropy, data((row, label), 16, True))
    order = dice.permutation(64)
    net.set_train(False)
    test = ds.NumpySlicesDataset((row[order],), ["row"], shuffle=False).batch(16)
    guesses = [net(part).asnumpy().argmax(1) for part, in test.create_tuple_iterator(num_epochs=1)]
    print("accuracy", round(float((np.concatenate(guesses) == label[order]).mean()), 4))
"""
    )
    with pytest.raises(Skip) as skipped:
        told(tmp_path, script, {})
    reason = skipped.value.reason
    assert reason.code == code and reason.data["rows"] == 64
    assert all("{" not in word(watched_printed.MESSAGES, reason.code, each, **reason.data) for each in Language)
