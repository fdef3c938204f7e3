"""Outputs against labels: what is recorded in a real training, and what is said of it."""

from pathlib import Path

import numpy as np
import pytest

from accucheck import Recorder
from accucheck import case as cases
from accucheck.errors import UserError
from accucheck.live.inside.fitting import against, classes_of, facts, spread_over
from accucheck.model import Finding, Level
from accucheck.probes import label_fit
from accucheck.readers import recordings
from watched_runs import judged as judged_in
from watched_runs import watched


def judged(root: Path, *settings: str) -> list[Finding]:
    case = cases.load(root, ["curves.train=run.jsonl", *settings])
    return [one for one in label_fit.run(case, label_fit.Params()) if isinstance(one, Finding)]


@pytest.mark.mindspore
@pytest.mark.parametrize(
    ("outputs", "first", "extra", "said"),
    [(4, 0, None, "fits"), (3, 1, None, "from-one"), (3, 0, 3, "beyond"), (3, 0, -100, "fits"), (3, 0, 255, "beyond")],
)
def test_labels_of_a_training_that_is_recorded(tmp_path, outputs, first, extra, said):
    import mindspore as ms
    from mindspore import nn

    random = np.random.default_rng(0)
    net, loss = nn.Dense(5, outputs), nn.CrossEntropyLoss()
    with Recorder(tmp_path / "run.jsonl") as recorder:
        for step in range(1, 31):
            x = ms.Tensor(random.standard_normal((6, 5)).astype(np.float32))
            labels = (np.arange(6) % 3 + first).astype(np.int32)
            if extra is not None and step == 20:
                labels[2] = extra
            scores = net(x)
            valid = ms.Tensor(np.clip(labels, 0, outputs - 1).astype(np.int32))
            recorder.step(loss=loss(scores, valid), outputs=scores, labels=ms.Tensor(labels))
    (run,) = recordings.read(tmp_path / "run.jsonl").runs
    assert [step for step, _ in run.fits] == [*range(1, 11), 20, 30]
    (found,) = judged(tmp_path, "loss.call=mindspore.nn:CrossEntropyLoss")
    assert found.code == said
    assert found.level is (Level.INFO if said == "fits" else Level.PROBLEM)
    if said == "beyond":
        assert found.where.step == 20 and found.data["labels"] == [extra]
    if extra == 255:  # a loss of one's own may leave it out
        (found,) = judged(tmp_path)
        assert (found.code, found.level) == ("left-out-perhaps", Level.SUSPECT)


@pytest.mark.mindspore
def test_one_column_against_a_row_is_what_mindspore_spreads(tmp_path):
    import mindspore as ms
    from mindspore import nn

    x = ms.Tensor(np.random.default_rng(0).standard_normal((6, 5)).astype(np.float32))
    scores, labels = nn.Dense(5, 1)(x), x[:, 0]
    assert (scores - labels).shape == (6, 6)
    with Recorder(tmp_path / "run.jsonl") as recorder:
        recorder.step(loss=nn.MSELoss()(scores, labels), outputs=scores, labels=labels)
        recorder.step(loss=nn.MSELoss()(scores[:, 0], labels), outputs=scores[:, 0], labels=labels)
    (found,) = judged(tmp_path)
    assert (found.code, found.level, found.data["spread"]) == ("spread", Level.SUSPECT, "(6, 6)")
    (found,) = judged(tmp_path, "loss.call=mindspore.nn:MSELoss")
    assert found.level is Level.PROBLEM


@pytest.mark.mindspore
@pytest.mark.parametrize("loss", ["MSELoss", "L1Loss", "BCEWithLogitsLoss", "HuberLoss"])
def test_a_loss_says_whether_it_took_each_output_with_its_own_label(loss):
    import mindspore as ms
    from mindspore import nn

    random = np.random.default_rng(0)
    scores, labels = (ms.Tensor(random.random(shape).astype(np.float32)) for shape in ((6, 1), (6,)))
    function = getattr(nn, loss)()
    together = (
        ms.Tensor(np.broadcast_to(scores.asnumpy(), (6, 6))),
        ms.Tensor(np.broadcast_to(labels.asnumpy(), (6, 6))),
    )
    for given, told in (((scores[:, 0], labels), "each"), (together, "all"), ((scores[:, 0] * 2, labels), "")):
        assert against(scores.asnumpy(), labels.asnumpy(), float(function(*given).asnumpy())) == told
    assert against(scores.asnumpy(), labels.asnumpy(), float("inf")) == ""


def test_which_axis_the_classes_have():
    assert classes_of((8, 3), (8,)) == 3
    assert classes_of((2, 21, 4, 4), (2, 4, 4)) == 21
    assert classes_of((2, 7, 30), (2, 7)) == 30
    assert classes_of((8, 3), (8, 3)) == classes_of((8,), ()) == classes_of((8, 3), (4,)) == 0
    assert facts((2, 3), np.array([0.5, 1.0]))["whole"] is False
    assert spread_over([8, 1], [8]) == [8, 8] and spread_over([8], [8, 1]) == [8, 8]
    assert spread_over([8, 3], [8, 1]) == [] and spread_over([8, 3], [8]) == [] and spread_over([8], [8]) == []


def test_what_is_no_array_is_refused_and_what_was_not_recorded_is_said(tmp_path):
    from accucheck.probe import Skip

    with Recorder(tmp_path / "run.jsonl") as recorder:
        with pytest.raises(UserError):
            recorder.step(outputs=3, labels=[1, 2])
        recorder.step(loss=1.0)
    with pytest.raises(Skip):
        judged(tmp_path)


def test_a_value_that_pads_labels_is_no_label(tmp_path):
    labels = np.array([[0, 2, 5], [1, 5, 5]], np.int32)
    with Recorder(tmp_path / "run.jsonl") as recorder:
        recorder.step(loss=1.0, outputs=np.zeros((2, 3, 4), np.float32), labels=labels)
    assert judged(tmp_path)[0].code == "left-out-perhaps"
    assert judged(tmp_path, "design.padding.value=5")[0].code == "fits"


SEGMENTED = """
    import mindspore as ms
    import mindspore.dataset as ds
    import numpy as np
    from mindspore import nn, ops

    images = np.random.default_rng(0).standard_normal((32, 2, 4, 4)).astype(np.float32)
    labels = (images[:, 0] > 0).astype(np.int32) + (images[:, 1] > 0)
    labels[:, 0] = 255


    class Loss(nn.Cell):
        def construct(self, scores, labels):
            labels = labels.reshape((-1,))
            scores = scores.transpose((0, 2, 3, 1)).reshape((-1, 3))
            each = ops.cross_entropy(scores, ops.clamp(labels, 0, 2), reduction="none")
            weight = ({weight}).astype(ms.float32)
            return (each * weight).sum() / weight.sum()


    ms.set_seed(1)
    net = nn.Conv2d(2, 3, 1, has_bias=True)
    model = ms.Model(net, Loss(), nn.SGD(net.trainable_params(), 0.1))
    data = ds.NumpySlicesDataset((images, labels.astype(np.int32)), ["image", "label"]).batch(8)
    model.train(1, data, dataset_sink_mode=False)
"""


@pytest.mark.mindspore
def test_a_label_that_is_no_class_is_left_out_of_the_loss_or_counted(tmp_path: Path) -> None:
    found = judged_in(label_fit, watched(tmp_path / "faulty", SEGMENTED.replace("{weight}", "labels >= 0")))["counted"]
    assert (found.level, found.data["places"], found.data["labels"]) == (Level.SUSPECT, 32, [255])
    assert (found.where.path, found.where.line) == ("train.py", 23)
    healthy = judged_in(label_fit, watched(tmp_path / "healthy", SEGMENTED.replace("{weight}", "labels != 255")))
    assert {*healthy} == {"left-out"}
    assert (healthy["left-out"].data["there"], healthy["left-out"].data["elsewhere"] > 0.01) == (0, True)
