"""Classes of the samples of trainings that were really watched."""

from pathlib import Path

import pytest

from accucheck.model import Level, Verdict
from accucheck.probe import Skip
from accucheck.probes import recorded_classes
from watched_runs import judged, watched

SCRIPT = """
    import numpy as np
    import mindspore as ms
    from mindspore import nn
    import mindspore.dataset as ds

    dice = np.random.default_rng(0)
    names = dice.choice(["ant", "bee", "cat"], 240)
    x = dice.standard_normal((240, 6)).astype(np.float32)
    classes = {name: number for number, name in enumerate(["ant", "bee", "cat"])}

    class Rows:
        def __getitem__(self, at):
            return x[at], np.int32(classes.get(names[at], 0))

        def __len__(self):
            return len(x)

    data = ds.GeneratorDataset(Rows(), ["x", "y"], shuffle=True).batch(24)
    net = nn.SequentialCell(nn.Dense(6, 8), nn.ReLU(), nn.Dense(8, 3))
    model = ms.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 1e-3))
    model.train(2, data, dataset_sink_mode=False)
"""


@pytest.mark.mindspore
@pytest.mark.parametrize(
    ("old", "new", "code", "verdict"),
    [
        ("", "", "classes", Verdict.OK),
        ("names[at], 0", "names[at][:2], 0", "one-class", Verdict.PROBLEM),
        ("train(2", "train(1", "classes-so-far", Verdict.UNDECIDED),
        ('"cat"], 240)', '"cat"], 240, p=[0.5, 0.49, 0.01])', "uneven", Verdict.UNDECIDED),
    ],
)
def test_classes_are_counted_as_the_training_got_them(
    tmp_path: Path, old: str, new: str, code: str, verdict: Verdict
) -> None:
    case = watched(tmp_path, SCRIPT.replace(old, new, 1) if old else SCRIPT)
    found = judged(recorded_classes, case)
    assert {*found} == {code} and recorded_classes.suggest(found.values()) is verdict
    assert found[code].data["samples"] == 240 and found[code].data["outputs"] == 3
    of_labels = judged(recorded_classes, case, about="labels")
    assert any(one.level is Level.PROBLEM for one in of_labels.values()) == (code == "one-class")
    assert recorded_classes.suggest(of_labels.values()) is not Verdict.OK


@pytest.mark.mindspore
def test_numbers_to_be_predicted_are_no_classes(tmp_path: Path) -> None:
    script = SCRIPT.replace("np.int32(classes.get(names[at], 0))", "x[at, :1]").replace("(8, 3)", "(8, 1)")
    with pytest.raises(Skip) as caught:
        judged(recorded_classes, watched(tmp_path, script.replace("CrossEntropyLoss", "MSELoss")))
    assert caught.value.reason.code == "no-classes"
