"""What data sets and scripts give to networks, by name, kind and steps, in the ways people write it."""

from __future__ import annotations

from pathlib import Path

import pytest

from accucheck.script.pipelines import Input, Pipeline, Pipelines
from accucheck.script.training import role
from accucheck.script.values import KnownValue
from case_scripts import scripts

HEAD = """
import cv2, os
import numpy as np
import mindspore as ms
import mindspore.dataset as ds
import mindspore.dataset.vision as vision
from mindspore import nn, ops

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)

    def construct(self, x):
        return self.conv(x)

net = Net()
"""


def pipelines(folder: Path, code: str) -> list[Pipeline]:
    """Of a script in which folder() stands for a data set of images."""
    (reading,) = scripts(folder, HEAD + code.replace("folder()", 'ds.ImageFolderDataset("data")')).training
    return Pipelines(reading).found


def told(pipeline: Pipeline) -> dict[str, str]:
    """column > parameter -> its kind: its steps."""
    found = {}
    for entry in pipeline.inputs:
        steps = [" ".join([way.origin, *(step.text for step in way.steps)]) for way in entry.ways]
        name = f"{entry.name} > {entry.parameter}" if entry.parameter else entry.name
        found[name] = f"{entry.kind}: {' | '.join(steps)}"
    return found


PIXELS, LABEL = {"image > x": "pixels: pixels"}, {"label": "nothing: number"}
HALF = {"image > x": "pixels: pixels / 255"}
BOTH = {"image > x": "pixels: pixels | pixels Resize(size=8)", "label": "nothing: number | number"}
RESIZED = 'ds.ImageFolderDataset("more").map(vision.Resize(8), "image")'
GENERATOR = "def samples():\n    for path in os.listdir('data'):\n        yield cv2.imread(path) / 255, 3\n"
DATA = {
    "folder()": PIXELS | LABEL,
    "folder().map(vision.Resize(8), 'image').map(vision.ToTensor(), input_columns=['image'])": LABEL
    | {"image > x": "pixels: pixels Resize(size=8) ToTensor()"},
    "folder().map(operations=vision.Resize(8))": {"image > x": "pixels: pixels Resize(size=8)"} | LABEL,
    "folder().map(vision.Resize(8), names)": {
        "image > x": "pixels: pixels | pixels Resize(size=8)",
        "label": "nothing: number | number Resize(size=8)",
    },
    "data = folder()\ndata = data.map(vision.Resize(8), data.get_col_names()[0])": {
        "image > x": "pixels: pixels Resize(size=8)"
    }
    | LABEL,
    "data = folder()\nfirst, second = data.get_col_names()\ndata = data.map(vision.Resize(8), [first])": {
        "image > x": "pixels: pixels Resize(size=8)"
    }
    | LABEL,
    "folder().map()": PIXELS | LABEL,
    "folder().map(lambda image, label: (image / 255, label))": HALF | LABEL,
    "class Own:\n    def go(self, image, label):\n        return image / 255, label\ndata = folder().map(Own().go)": HALF
    | LABEL,
    "folder().map([lambda a, b: (a / 2, b), lambda a, b: (b, a)], ['image', 'label'])": {
        "image > x": "nothing: number",
        "label": "label: pixels / 2",
    },
    "folder().map(lambda a: (a, a / 2), ['image'], ['one', 'two'])": LABEL
    | {"one > x": "pixels: pixels", "two": "pixels: pixels / 2"},
    "folder().rename(['image'], ['data']).project(['data'])": {"data > x": "pixels: pixels"},
    "folder().rename('image', 'data').project(names)": {"data > x": "pixels: pixels"} | LABEL,
    "folder().rename(old, new)": PIXELS | LABEL,
    "folder().batch(4, per_batch_map=lambda image, info: (image / 255,), input_columns=['image'])": HALF | LABEL,
    "folder().batch(4, per_batch_map=lambda image, label, info: (image / 255, label))": HALF | LABEL,
    f"folder().concat({RESIZED})": BOTH,
    f"folder() + {RESIZED}": BOTH,
    "folder().project('image').zip(ds.ImageFolderDataset('more').rename('image', 'other'))": PIXELS
    | {"other": "pixels: pixels"}
    | LABEL,
    "ds.zip((folder().project('image'), ds.MindDataset('a', ['other'])))": PIXELS | {"other": "record: record"},
    "from helpers import augment_dataset\ndata = augment_dataset(folder())": PIXELS | LABEL,
    "ds.SpeechCommandsDataset('a')": {"waveform > x": "audio: audio"},
    "ds.MindDataset('a', columns_list=['image', 'label'])": {"image > x": "record: record", "label": "label: record"},
    "ds.MindDataset('a', [*names] if short else ['data'])": {"data > x": "record: record"},
    "ds.CSVDataset('a.csv', column_names=['a', 'b'])": {"a > x": "record: record", "b": "record: record"},
    "ds.CocoDataset('a', 'b')": PIXELS | {"bbox": "nothing: number", "category_id": "nothing: number"},
    GENERATOR + "data = ds.GeneratorDataset(samples, ['image', 'label'])": HALF | {"label": "nothing: constant"},
    GENERATOR + "data = ds.GeneratorDataset(samples, names)": {"column_0 > x": "pixels: pixels / 255"}
    | {"column_1": "nothing: constant"},
    "class Own:\n    def __getitem__(self, index):\n        return cv2.imread(self.paths[index]), self.labels[index]\n"
    "data = ds.GeneratorDataset(Own(), ['image', 'label'])": PIXELS | {"label": "label: unknown"},
    "class Own:\n    def __iter__(self):\n        yield cv2.imread('a'), 3\n"
    "data = ds.GeneratorDataset(Own(), ['image', 'label'])": PIXELS | {"label": "nothing: constant"},
    "ds.GeneratorDataset([(cv2.imread('a'), 3)], ['image', 'label'])": PIXELS | {"label": "nothing: constant"},
    "ds.GeneratorDataset([{'image': cv2.imread('a'), 'label': 3}], ['image', 'label'])": PIXELS
    | {"label": "nothing: constant"},
    "ds.GeneratorDataset(None, ['image', 'label'])": {"image > x": "unknown: unknown", "label": "label: unknown"},
    "ds.NumpySlicesDataset({'x': np.load('a') / 255, 'y': np.load('b')})": {"x > x": "array: array / 255"}
    | {"y": "label: array"},
    "ds.NumpySlicesDataset((np.load('a'), np.load('b')), ['x', 'y'])": {"x > x": "array: array", "y": "label: array"},
    "ds.NumpySlicesDataset((np.load('a'), np.load('b')))": {"column_0 > x": "array: array", "column_1": "array: array"},
    "ds.NumpySlicesDataset(np.load('a') / 255)": {"column_0 > x": "array: array / 255"},
    "ds.NumpySlicesDataset(np.load('a'), column_names=['x'])": {"x > x": "array: array"},
    "ds.NumpySlicesDataset(rows)": {},
}


@pytest.mark.parametrize("code", DATA)
def test_what_a_model_is_trained_with(code: str, tmp_path: Path) -> None:
    made = code if "data = " in code else f"data = {code}"
    (found,) = (one for one in pipelines(tmp_path, f"{made}\nms.Model(net).train(1, data)") if one.role == "train")
    assert (told(found), found.trained, found.proven, found.sure) == (DATA[code], True, True, True)


STEP = "class Step(nn.Cell):\n    def __init__(self, inner):\n        super().__init__()\n        self.inner = inner\n"
PIXELS_OF_X = {"x > x": "pixels: pixels"}
OWN = {
    "for batch in folder().create_dict_iterator():\n    net(batch['image'])": PIXELS,
    "for image, label in folder().create_tuple_iterator():\n    net(image / 255)": HALF,
    "for row in folder():\n    net(row[0])": PIXELS,
    "for row in folder():\n    net(row[place])": {"x > x": "pixels: pixels | number"},
    "for i, (image, label) in enumerate(folder()):\n    net(image)": PIXELS,
    "for row in enumerate(folder().create_dict_iterator()):\n    net(row[1]['image'])": PIXELS,
    "for row in DatasetHelper(folder()):\n    net(row[0])": PIXELS,
    "row = next(iter(folder()))\nnet(row[5])": {"x > x": "unknown: unknown"},
    "it = folder().create_dict_iterator()\nnet(it.get_next()['image'])": PIXELS,
    "for batch in ds.YesNoDataset('a').create_dict_iterator():\n    net(batch['labels'])": {
        "labels > x": "label: text"
    },
    "for text in ds.TextFileDataset('a').create_dict_iterator():\n    net(text['text'])": {"text > x": "text: text"},
    "for one in ds.MindDataset('a', ['input_ids']).create_dict_iterator():\n    resnet(one['input_ids'])": {
        "input_ids": "ids: record"
    },
    "from models import resnet50\nresnet = resnet50()\nresnet(cv2.imread('a'), 3)": {"0": "pixels: pixels"},
    "net(cv2.imread('a') / 255)": {"x > x": "pixels: pixels / 255"},
    "x = cv2.imread('a')\nnet(x)\ncv2.imwrite('b', x)": PIXELS_OF_X,
    "net(np.random.rand(1, 3))": {"x > x": "made: generated"},
    "net(net(cv2.imread('a')))": PIXELS_OF_X,
    "ms.Model(net).predict(cv2.imread('a'))": {"input > x": "pixels: pixels"},
    f"{STEP}    def construct(self, x):\n        return self.inner(x / 255)\nStep(net)(cv2.imread('a'))": {
        "x > x": "pixels: pixels"
    },
    f"{STEP}    def construct(self, *all):\n        return self.inner(*all)\nms.Model(Step(net)).train(1, folder())": PIXELS
    | LABEL,
    "ms.Model(nn.WithLossCell(net, loss)).train(1, folder())": PIXELS | LABEL,
    "ms.Model(nn.TrainOneStepCell(nn.WithLossCell(backbone=net), opt)).train(1, folder())": PIXELS | LABEL,
    "ms.Model(net if wide else Net()).train(1, folder())": PIXELS | LABEL,
    "ms.Model(unseen).train(1, folder())": {"image": "pixels: pixels"} | LABEL,
    "net(3)": None,
    "other.predict(cv2.imread('a'))": None,
}


@pytest.mark.parametrize("code", OWN)
def test_what_reaches_a_network(code: str, tmp_path: Path) -> None:
    head = "from mindspore.train import DatasetHelper\nfrom models import resnet50\nresnet = resnet50()\n"
    found = pipelines(tmp_path, head + code)
    assert [told(one) for one in found] == ([] if OWN[code] is None else [OWN[code]])


CELL = """
class Cell(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv, self.dense, self.lstm = nn.Conv2d(3, 8, 3), nn.Dense(4, 2), nn.LSTM(4, 4)
        self.embed, self.norm, self.loss = nn.Embedding(9, 4), nn.LayerNorm((4,)), nn.MSELoss()
        self.table, self.mean = ms.Parameter(ms.Tensor(1.0)), ms.Tensor([1.0, 2.0])
        self.sub, self.mul, self.gather, self.drop = ops.Sub(), ops.Mul(), ops.Gather(), nn.Dropout(p=0.1)

    def construct(self, x, y):
        return {}

Cell()(np.load("a.npy"), np.load("b.npy"))
"""
ARRIVES = {
    "self.conv(x)": "layer",
    "self.conv(x.astype(ms.float32).transpose(0, 3, 1, 2))": "layer",
    "self.conv(ops.expand_dims(x, 0))": "layer",
    "self.dense(x[0])": "layer",
    "self.lstm(x, y)": "layer",
    "ops.matmul(y, x)": "layer",
    "self.conv(x * y)": "layer",
    "self.conv(x * 1)": "layer",
    "self.dense(self.conv(y) * x)": "",
    "self.dense(self.mul(self.embed(y), 1 - x))": "",
    "self.conv(ops.roll(ops.ones_like(y) + x, 1))": "layer",
    "self.conv(ops.pad(ops.flip(x, (0,)), (1, 1)))": "layer",
    "self.dense(self.drop(x))": "layer",
    "self.conv(-x)": "layer",
    "self.conv(self.mul(x, y))": "layer",
    "self.embed(x)": "ids",
    "ops.gather(self.table, x, 0)": "ids",
    "self.gather(self.table, x, 0)": "ids",
    "self.gather(x, y, 0)": "",
    "ops.one_hot(x, 10)": "ids",
    "self.norm(x)": "norm",
    "self.loss(y, x)": "loss",
    "ops.cross_entropy(self.conv(y), x)": "loss",
    "self.conv(x / 255)": "scaled",
    "self.conv(x / x.max())": "scaled",
    "self.conv(x - self.mean)": "scaled",
    "self.conv(x * self.table)": "scaled",
    "self.conv(x * pixel_mean)": "scaled",
    "self.conv(x + self.mean)": "layer",
    "self.sub(x, self.mean)": "scaled",
    "ops.div(3, x)": "",
    "strange(x)": "",
    "y[x]": "",
}


@pytest.mark.parametrize("body", ARRIVES)
def test_what_a_network_does_with_an_input_first(body: str, tmp_path: Path) -> None:
    (found,) = pipelines(tmp_path, CELL.replace("{}", body))
    arrives = {entry.parameter: " ".join(sorted(entry.arrives)) for entry in found.inputs}
    assert arrives["x"] == ARRIVES[body]
    kinds = {entry.parameter: entry.kind for entry in found.inputs}
    assert (kinds["x"] == "label") is (ARRIVES[body] == "loss")


def test_what_is_pointed_to(tmp_path: Path) -> None:
    helpers = "from helpers import Wrapper, augment_dataset, get_size\n"
    made = "print(folder())\nsize = get_size(folder())\ndata = augment_dataset(folder())\nms.Model(net).train(1, data)"
    (found,) = (one for one in pipelines(tmp_path, helpers + made) if one.role == "train")
    assert [call.last for call in found.opaque] == ["augment_dataset"]
    assert found.source is not None and found.source.last == "ImageFolderDataset"
    (own,) = pipelines(tmp_path, "net(cv2.imread('a'))")
    assert own.source is None and own.inputs[0].frame_call is not None
    assert own.inputs[0].frame_call.name == "cv2.imread"


def test_an_index_of_which_no_data_are_seen_is_nothing() -> None:
    seen = Input("x", KnownValue(3), (), arrives=frozenset({"ids", "layer"}))
    assert seen.kind == "nothing"


@pytest.mark.parametrize("name", ["vali_loader", "valid_loader", "eval_dataset", "test_set"])
def test_what_is_held_out_is_not_for_training(name: str, tmp_path: Path) -> None:
    code = f"def sets():\n    data, {name} = source('a'), source('b')\n    return data, {name}\ntrain_loader, {name} = sets()\n"
    made = code.replace("source", "ds.ImageFolderDataset")
    assert role([name]) == "eval"
    assert [pipeline.role for pipeline in pipelines(tmp_path, made)] == ["train", "eval"]


@pytest.mark.parametrize(("function", "purpose"), [("make_eval_set", "eval"), ("make_set", "train")])
def test_a_set_for_evaluation_that_is_not_the_test_set_is_still_one(
    function: str, purpose: str, tmp_path: Path
) -> None:
    code = f"def {function}(test=False):\n    return folder()\ndata = {function}()\n"
    assert [pipeline.role for pipeline in pipelines(tmp_path, code)] == [purpose]


#: What a loop does with its batches -> what its data set is for, beside a data set that a loop trains with.
LOOPS = {
    "step(*b)": ["train", "train"],
    "c = net(b[0])": ["train", "eval"],
    "c = b[0].mean()": ["train", None],
}


@pytest.mark.parametrize("body", LOOPS)
@pytest.mark.parametrize("within", [False, True], ids=["on the module level", "in functions"])
@pytest.mark.parametrize("path", ["d", "d/train"])
def test_loops_tell_what_data_sets_without_a_telling_name_are_for(
    body: str, within: bool, path: str, tmp_path: Path
) -> None:
    loops = [f"for b in {name}.create_tuple_iterator():\n    {each}" for name, each in (("p", "step(*b)"), ("q", body))]
    if within:
        indented = [loop.replace("\n", "\n    ") for loop in loops]
        loops = [f"def f{n}(p, q):\n    {loop}\nf{n}(p, q)" for n, loop in enumerate(indented)]
    code = """
def g(x, y):
    return ops.cross_entropy(net(x), y)
o = nn.Momentum(net.trainable_params(), 0.1, 0.9)
h = ms.value_and_grad(g, None, o.parameters)
def step(x, y):
    a, r = h(x, y)
    o(r)
p, q = ds.ImageFolderDataset("PATH").batch(4), ds.ImageFolderDataset("PATH").batch(4)
""".replace("PATH", path)
    by_loops = LOOPS[body]
    by_path = "train" if path == "d/train" else None
    roles = [pipeline.role for pipeline in pipelines(tmp_path, code + "\n".join(loops))]
    assert roles == [role or by_path for role in by_loops]
