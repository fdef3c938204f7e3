"""The range of inputs, in training and in inference, of trainings that were watched."""

from pathlib import Path

import pytest

from accucheck.model import Finding, Level
from accucheck.probes import watched_inputs
from watched_runs import judged, watched

SCRIPT = """
    import mindspore as ms
    import mindspore.dataset as ds
    import numpy as np
    from mindspore import nn, ops

    TRAIN, EVAL, INSIDE = {train}, {eval}, {inside}
    random = np.random.default_rng(0)
    images = random.integers(0, 256, (96, 1, 6, 6)).astype(np.float32)
    labels = random.integers(0, 3, 96).astype(np.int32)


    def data(scaled, part):
        held = (images - 127.5) / 74 if scaled else images
        return ds.NumpySlicesDataset((held[part], labels[part]), shuffle=True).batch(16)


    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(1, 4, 3)
            self.flatten = nn.Flatten()
            self.head = nn.Dense(144, 3)

        def construct(self, x):
            if INSIDE:
                x = (x - 127.5) / 74
            return self.head(self.flatten(ops.relu(self.conv(x))))


    ms.set_seed(1)
    net = Net()
    optimizer = nn.SGD(net.trainable_params(), 1e-4)
    step = ms.value_and_grad(lambda x, y: ops.cross_entropy(net(x), y), None, optimizer.parameters)
    for image, label in data(TRAIN, slice(0, 64)).create_tuple_iterator(num_epochs=1):
        loss, gradients = step(image, label)
        optimizer(gradients)
    net.set_train(False)
    for image, label in data(EVAL, slice(64, 96)).create_tuple_iterator(num_epochs=1):
        net(image)
"""


def found(root: Path, train: bool, inference: bool, inside: bool = False) -> list[Finding]:
    script = SCRIPT.replace("{train}", str(train)).replace("{eval}", str(inference)).replace("{inside}", str(inside))
    case = watched(root, script)
    return [
        *judged(watched_inputs, case).values(),
        *judged(watched_inputs, case, about="inference").values(),
    ]


@pytest.mark.mindspore
def test_pixels_in_training_and_normalised_ones_in_inference(tmp_path: Path) -> None:
    range_, scale = found(tmp_path, train=False, inference=True)
    assert (range_.code, range_.level, range_.where.path) == ("out-of-range", Level.PROBLEM, "train.py")
    assert range_.data["mean"] == pytest.approx(127.5, rel=0.05)
    assert (scale.code, scale.level) == ("other-scale", Level.PROBLEM)


@pytest.mark.mindspore
def test_inputs_in_order(tmp_path: Path) -> None:
    assert [one.code for one in found(tmp_path / "scaled", train=True, inference=True)] == ["in-range", "same-scale"]
    inside = found(tmp_path / "inside", train=False, inference=False, inside=True)
    assert [one.code for one in inside] == ["network-scales", "same-scale"]


TARGETS = """
    import mindspore as ms
    import mindspore.dataset as ds
    import numpy as np
    from mindspore import nn
    from mindspore.train import MAE, Model

    random = np.random.default_rng(0)


    def houses(rows, scaled):
        x = random.standard_normal((rows, 6)).astype(np.float32)
        price = 240 + 60 * x[:, :1] + random.standard_normal((rows, 1)).astype(np.float32)
        return ds.NumpySlicesDataset((x, (price - 240) / 60 if scaled else price), shuffle=False).batch(16)


    ms.set_seed(1)
    net = nn.Dense(6, 1)
    model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.01), metrics={"mae": MAE()})
    model.train(1, houses(64, True), dataset_sink_mode=False)
    model.eval(houses(32, SCALED), dataset_sink_mode=False)
"""


@pytest.mark.mindspore
@pytest.mark.parametrize("scaled", [False, True])
def test_targets_that_are_scaled_in_training_alone(tmp_path: Path, scaled: bool) -> None:
    case = watched(tmp_path, TARGETS.replace("SCALED", str(scaled)))
    told = judged(watched_inputs, case, about="inference")
    assert told.keys() == ({"same-scale"} if scaled else {"same-scale", "targets-differ"})
    if not scaled:
        assert (told["targets-differ"].level, told["targets-differ"].where.line) == (Level.SUSPECT, 14)


FITTED = """
    import mindspore as ms
    import mindspore.dataset as ds
    import numpy as np
    from mindspore import nn

    random = np.random.default_rng(0)
    images = random.integers(0, 17, (64, 1, 6, 6)).astype(np.float32)
    labels = random.integers(0, 3, 64).astype(np.int32)


    def data(normalised):
        held = ds.NumpySlicesDataset((images.copy(), labels), shuffle=False)
        if normalised:
            held = held.map(lambda x: ((x - 8) / 5).astype(np.float32), input_columns="column_0")
        return held.batch(16)


    ms.set_seed(1)
    net = nn.SequentialCell(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Dense(144, 3))
    model = ms.Model(net, nn.CrossEntropyLoss(), nn.SGD(net.trainable_params(), 1e-3), {"accuracy"})
    model.fit(1, data(True), data({eval}), dataset_sink_mode=False)
"""


@pytest.mark.mindspore
def test_an_evaluation_within_fit_is_of_the_network_that_is_trained(tmp_path: Path) -> None:
    faulty = judged(watched_inputs, watched(tmp_path / "faulty", FITTED.replace("{eval}", "False")), about="inference")
    scale = faulty["other-scale"]
    assert (scale.level, scale.where.path, scale.where.line) == (Level.SUSPECT, "train.py", 16)
    healthy = judged(watched_inputs, watched(tmp_path / "healthy", FITTED.replace("{eval}", "True")), about="inference")
    assert [*healthy] == ["same-rows", "same-scale"]
    assert "normalised-in-one" in healthy["same-scale"].refutes[0].codes
    assert (
        "constants-differ" not in healthy["same-scale"].refutes[0].codes
    )  # functions of one's own are not seen through


PICTURES = """
    import mindspore as ms
    import mindspore.dataset as ds
    import numpy as np
    from mindspore import nn
    from mindspore.dataset import vision

    random = np.random.default_rng(0)
    images = random.integers(0, 256, (64, 6, 6, 3)).astype(np.uint8)
    labels = random.integers(0, 3, 64).astype(np.int32)


    def data(mean, training):
        scaled = [vision.Normalize([mean] * 3, [74.0] * 3), vision.HWC2CHW()]
        held = ds.NumpySlicesDataset((images, labels), shuffle=training)
        return held.map([vision.RandomHorizontalFlip()] * training + scaled, input_columns="column_0").batch(16)


    ms.set_seed(1)
    net = nn.SequentialCell(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Dense(144, 3))
    model = ms.Model(net, nn.CrossEntropyLoss(), nn.SGD(net.trainable_params(), 1e-3), {"accuracy"})
    model.fit(1, data(127.5, True), data({mean}, False), dataset_sink_mode=False)
"""


@pytest.mark.mindspore
@pytest.mark.parametrize("mean", [127.5, 124.0])
def test_constants_of_a_normalisation_that_both_data_sets_run(tmp_path: Path, mean: float) -> None:
    case = watched(tmp_path, PICTURES.replace("{mean}", str(mean)))
    same = judged(watched_inputs, case, about="inference")["same-scale"]
    assert ("constants-differ" in same.refutes[0].codes) is (mean == 127.5)


@pytest.mark.mindspore
def test_an_evaluation_of_samples_that_were_trained_with_is_suspect(tmp_path: Path) -> None:
    again = FITTED.replace("{eval}", "True")
    found = judged(watched_inputs, watched(tmp_path / "faulty", again), about="inference")["same-rows"]
    assert (found.level, found.data["same"], found.data["rows"]) == (Level.SUSPECT, 48, 48)
    assert found.where.line == 16
    apart = again.replace("data(True), data(True)", "data(True), other()").replace(
        "ms.set_seed(1)",
        "def other():\n        images[:] = images[:, :, ::-1] + 0.5\n        return data(True)\n\n    ms.set_seed(1)",
    )
    assert "same-rows" not in judged(watched_inputs, watched(tmp_path / "healthy", apart), about="inference")
