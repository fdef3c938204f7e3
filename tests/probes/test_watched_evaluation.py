"""What evaluations of trainings that were really watched read, healthy and each with a planted fault."""

from pathlib import Path

import pytest

from accucheck.model import Finding, Level
from accucheck.probe import Skip
from accucheck.probes import watched_evaluation, watched_groups
from watched_runs import judged, watched

SCRIPT = """
    import mindspore as ms
    import mindspore.dataset as ds
    import numpy as np
    from mindspore import nn

    def drawn(count, seed):
        dice = np.random.default_rng(seed)
        label = dice.integers(0, 3, count).astype(np.int32)
        return (np.eye(3)[label] + dice.normal(0, 0.2, (count, 3))).astype(np.float32), label

    def noise(row):
        return (row + np.random.normal(0, 0.1, row.shape)).astype(np.float32)

    ms.set_seed(1)
    net, loss = nn.SequentialCell(nn.Dense(3, 8), nn.ReLU(), nn.Dense(8, 3)), nn.CrossEntropyLoss()
    optimizer = nn.Adam(net.trainable_params(), 0.01, beta1=0.9, beta2=0.999)
    step = ms.value_and_grad(lambda row, label: loss(net(row), label), None, optimizer.parameters)
    train = ds.NumpySlicesDataset(drawn(96, 1), ["row", "label"], shuffle=True).map(noise, ["row"])
    train = train.batch(16)
    held_out = ds.NumpySlicesDataset(drawn(40, 2), ["row", "label"], shuffle=False)
    held_out = held_out.batch(16)
    for epoch in range(4):
        net.set_train()
        for row, label in train.create_tuple_iterator(num_epochs=1):
            value, gradients = step(row, label)
            optimizer(gradients)
        net.set_train(False)
        lost = [float(loss(net(row), label)) for row, label in held_out.create_tuple_iterator(num_epochs=1)]
"""
FAULTS = {
    "rows-change": ("held_out = held_out.batch(16)", 'held_out = held_out.map(noise, ["row"]).batch(16)'),
    "rows-left-out": ("held_out = held_out.batch(16)", "held_out = held_out.batch(16, drop_remainder=True)"),
    "trained-with": ("drawn(40, 2)", "drawn(96, 1)"),
    "never-trained": ("train = train.batch(16)", 'train = train.filter(lambda label: label < 2, ["label"]).batch(16)'),
}


def faulty(code: str | None) -> str:
    if code is None:
        return SCRIPT
    old, new = FAULTS[code]
    assert SCRIPT.count(old) == 1
    return SCRIPT.replace(old, new).replace("beta1=0.9, beta2=0.999", "beta1=0.999, beta2=0.9")


@pytest.mark.mindspore
@pytest.mark.parametrize("code", [None, *FAULTS])
def test_what_evaluations_read(tmp_path: Path, code: str | None) -> None:
    case = watched(tmp_path, faulty(code))
    found = judged(watched_evaluation, case)
    if code == "never-trained":
        found = judged(watched_evaluation, case, about="classes")
        assert found[code].data["names"] == ["2"]
    told = {one.code for one in found.values() if one.level is not Level.INFO}
    assert told == ({code} if code else set())
    if code is None:
        assert found["evaluated"].data["rows"] == 40  # the last pass too, after which batches of the training are read
        assert "random-in-evaluation" in found["evaluated"].refutes[0].codes
        with pytest.raises(Skip) as skipped:
            judged(watched_evaluation, case, about="classes")
        assert (skipped.value.reason.code, skipped.value.reason.data) == ("all-trained", {"of": 3})
    else:
        assert found[code].level is Level.SUSPECT
        line = (tmp_path / "train.py").read_text().splitlines()[found[code].where.line - 1]
        assert "= train" in line if code == "never-trained" else "held_out = " in line
    assert ("betas-exchanged" in judged(watched_groups, case)) is (code is not None)


@pytest.mark.mindspore
@pytest.mark.parametrize(
    ("change", "told"),
    [
        ('held_out.map(noise, ["row"])', {"rows-change-when-read-again"}),
        (
            'held_out.map(lambda row: np.random.normal(0, 1, 3).astype(np.float32), ["row"])',
            set(),
        ),  # drawn anew, not changed
        ("ds.NumpySlicesDataset(drawn(40, 2), ['row', 'label'], shuffle=True)", set()),
        ("held_out.map(shown, ['row'])", set()),
    ],
)
def test_one_evaluation_whose_data_set_is_read_again(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], change: str, told: set[str]
) -> None:
    script = SCRIPT.replace("held_out = held_out.batch(16)", f"held_out = {change}.batch(16)").replace(
        "range(4)", "range(2)"
    )
    script = script.replace(
        "    ms.set_seed(1)",
        "    def shown(row):\n        print('row read', flush=True)\n        return row\n\n    ms.set_seed(1)",
    )
    assert script.count("range(2)") == script.count("def shown") == 1
    script += "\n    raise RuntimeError('the second evaluation is cut off')\n"
    found = judged(watched_evaluation, watched(tmp_path, script))
    assert {one.code for one in found.values() if one.level is not Level.INFO} == told
    assert capfd.readouterr().out.count("row read") == (80 if "shown" in change else 0)  # two evaluations of 40 rows


@pytest.mark.mindspore
def test_a_data_set_that_is_made_anew_for_each_evaluation_is_told_once(tmp_path: Path) -> None:
    script = SCRIPT.replace("in held_out.create_tuple_iterator", "in made_anew().create_tuple_iterator")
    script = script.replace(
        "    for epoch in", "    def made_anew():\n        return train\n\n    for epoch in"
    ).replace("return train", 'return ds.NumpySlicesDataset(drawn(96, 1), ["row", "label"], shuffle=False).batch(16)')
    case = watched(tmp_path, script)
    found = [one for one in watched_evaluation.run(case, watched_evaluation.Params()) if isinstance(one, Finding)]
    assert sorted(one.code for one in found) == ["once", "trained-with"]
