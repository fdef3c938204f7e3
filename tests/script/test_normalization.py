"""What is said of the scale of what networks are trained with."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from accucheck.case import Case, CaseFile
from accucheck.script.analysis import read_scripts
from accucheck.script.normalization import Observation, examine
from accucheck.script.pipelines import of_scripts

HEAD = """
import cv2, gym, librosa
import numpy as np
import mindspore as ms
import mindspore.dataset as ds
import mindspore.dataset.vision as vision
from mindspore import nn, ops
from sklearn.preprocessing import StandardScaler

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)

    def construct(self, x):
        return self.conv(x)

class Shift(nn.Conv2d):
    def __init__(self, hold):
        super().__init__(3, 3, 1, has_bias=True)
        if hold:
            self.weight.set_data(ops.eye(3, 3).reshape(3, 3, 1, 1))
            self.bias.set_data(ms.Tensor([-114.0, -111.0, -103.0]))
        for parameter in self.get_parameters():
            parameter.requires_grad = False

class Shifted(Net):
    def __init__(self, hold):
        super().__init__()
        self.shift = Shift(hold)

    def construct(self, x):
        return self.conv(self.shift(x))

class Words(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(9, 4)

    def construct(self, x):
        return self.embed(x)

class Dividing(Net):
    def construct(self, x):
        return self.conv(x / 255)

class Masked(Net):
    def construct(self, x, other):
        return self.conv(x) * other

net, words, masked = Net(), Words(), Masked()
image = cv2.imread(path)
"""


def said(folder: Path, **scripts: str) -> list[Observation]:
    """Of scripts in which folder() stands for a data set of images."""
    for name, code in scripts.items():
        (folder / f"{name}.py").write_text(HEAD + code.replace("folder()", 'ds.ImageFolderDataset("data")'))
    spec = msgspec.convert({"scripts": {name: f"{name}.py" for name in scripts}}, CaseFile)
    return list(examine(of_scripts(read_scripts(Case(root=str(folder), spec=spec)))))


PIXELS = "[125.0, 123.0, 114.0], [63.0, 62.0, 66.0]"
SCALER = "scaler = StandardScaler()\nscaler.fit(np.load('a'))\n"
SAID = {
    "net(image)": "raw x",
    "net(image / 255)": "normalised x",
    "net(image / 255 / 255)": "scaled-twice x",
    "part = (image / 255.0 + 0.1) * 255.0\nnet((part.astype(np.uint8) / 255.0 - 0.5) / 0.25)": "normalised x",
    "part = (image / 255.0 + 0.1) * 255.0\nnet((part / 255.0 / 255.0 - 0.5) / 0.25)": "scaled-twice x",
    "net(np.array(unseen.jitter(image / 255.0)) / 255.0)": "normalised x",
    "net(image - 127.5)": "centred x",
    "net((image / 255 - [0.229, 0.224, 0.225]) / np.array([0.485, 0.456, 0.406]))": "impossible-statistics x",
    "image -= np.array([66.0, 62.0, 63.0])\nimage *= [1 / 114, 1 / 123, 1 / 125]\nnet(image)": "impossible-statistics x",
    "net((image / 255 - [0.485, 0.456, 0.406]) / np.array([0.229, 0.224, 0.225]))": "normalised x",
    "net((image - [2.0, 3.0, 4.0]) / np.array([100.0, 110.0, 120.0]))": "impossible-statistics x",
    # statistics that are constants unless somebody gives others
    **{
        f"from other import mean, std\nif mean is None:\n    mean, std = {usual}\nnet(vision.Normalize(mean, std)(image / 255))": code
        for usual, code in {
            "[0.229, 0.224, 0.225], [0.485, 0.456, 0.406]": "impossible-statistics x",
            "[0.485, 0.456, 0.406], [0.229, 0.224, 0.225]": "normalised x",
        }.items()
    },
    "net((image - 3.0) / 128.0)": "normalised x",
    "net(vision.Normalize([0.5, 0.5, 0.5], [0.2, 0.2, 0.2])(image))": "unit-statistics x",
    "net(vision.Normalize([0.5, 0.5, 0.5], [0.2, 0.2, 0.2])(image / 255))": "normalised x",
    "net(vision.Normalize([0.5, 0.5, 0.5], [0.2, 0.2, 0.2])(cv2.unseen(image)))": "unclear x",
    "net(vision.Normalize([0.5, 0.5, 0.5], [0.2, 0.2, 0.2])(cv2.unseen(image / 255)))": "normalised x",
    "net(vision.Normalize([0.5, 0.5, 0.5], [0.2, 0.2, 0.2])(cv2.unseen(image) / 255))": "normalised x",
    "net(vision.Normalize([0.5, 0.5, 0.5], [0.2, 0.2, 0.2])(image + np.sum(np.random.normal(0, 1, 3) * 2)))": "unit-statistics x",
    # Of numbers from a file it is not seen how large they are.
    "net(vision.Normalize([0.5, 0.5, 0.5], [0.2, 0.2, 0.2])(np.load('a')['pictures']))": "unclear x",
    "net(vision.Normalize([0.5, 0.5, 0.5], [0.2, 0.2, 0.2])(np.load('a')['pictures'] / 255))": "normalised x",
    f"net(vision.Normalize({PIXELS})(image))": "normalised x",
    f"net(vision.Normalize({PIXELS})(image / 255))": "pixel-statistics x",
    "net(librosa.feature.mfcc(librosa.load(path)[0]))": "features-raw x",
    "net(np.load('a'))": "unclear x",
    "net(np.random.rand(3, 3))": "normalised x",
    "net(np.random.uniform(0, 100, 3))": "generated",
    "net(gym.make('CartPole').reset())": "simulated",
    "words(np.load('a'))": "no-continuous-input",
    "print(image)": "",
    "x = image\nif flag:\n    x = x / 255\nnet(x)": "sometimes x",
    "masked(image / 255, cv2.imread('mask.png'))": "normalised x",
    "masked(image, cv2.imread('mask.png'))": "raw x, raw-perhaps other",
    "for one in ds.MindDataset('a', ['label']).create_dict_iterator():\n    net(one['label'])": "input-unseen",
    "Dividing()(image)": "in-network x",
    "ms.Model(net).train(1, folder())": "raw image",
    "ms.Model(Shifted(True)).train(1, folder())": "in-network image",
    "ms.Model(Shifted(False)).train(1, folder())": "raw image",
    "ms.Model(Dividing()).train(1, folder())": "in-network image",
    "ms.Model(net).train(1, folder().map(vision.ToTensor(), 'image'))": "normalised image",
    "ms.Model(net).train(1, folder().map([vision.ToTensor()] if flag else [], 'image'))": "sometimes image",
    "ms.Model(Dividing()).train(1, folder().map([vision.ToTensor()] if flag else [], 'image'))": "in-network image",
    SCALER + "net(np.load('a'))": "scaler-unused, unclear x",
    SCALER + "net(scaler.transform(np.load('a')))": "normalised x",
    SCALER + "net((np.load('a') - scaler.mean_) / scaler.scale_)": "normalised x",
    SCALER + "np.save('mean.npy', scaler.mean_)\nnet(np.load('a'))": "unclear x",
    SCALER + "print(scaler.mean_)\nnet(np.load('a'))": "scaler-unused, unclear x",
}


OPERATIONS = f"[vision.Decode(), vision.Normalize({PIXELS})]"
MAPPED = "ms.Model(net).train(1, folder().map(operations, 'image'))"
IN_PLACE = "def scaled(array):\n    array -= 127.5\n    array /= 127.5\n"
SAID |= {
    # a list of transforms that went through a function
    f"import copy\noperations = copy.copy({OPERATIONS})\n{MAPPED}": "normalised image",
    f"import copy\noperations = copy.deepcopy({OPERATIONS})\n{MAPPED}": "normalised image",
    f"import copy\noperations = copy.deepcopy([vision.Decode()])\n{MAPPED}": "raw image",
    f"import itertools\noperations = list(itertools.chain([vision.Decode()], {OPERATIONS}))\n{MAPPED}": "normalised image",
    f"operations = list(filter(None, [None, *{OPERATIONS}]))\n{MAPPED}": "normalised image",
    f"operations = list(filter(None, [None, vision.Decode()]))\n{MAPPED}": "raw image",
    f"operations = sum([{OPERATIONS}, []], [])\n{MAPPED}": "unclear image",
    f"from collections import deque\noperations = list(deque({OPERATIONS}))\n{MAPPED}": "unclear image",
    # one map for each transform
    f"data = folder()\nfor each in {OPERATIONS}:\n    data = data.map(each, 'image')\nms.Model(net).train(1, data)": "normalised image",
    f"data = folder()\nfor each in {OPERATIONS}:\n    data = data.map(operations=each, input_columns='image')\n"
    "ms.Model(net).train(1, data)": "normalised image",
    "data = folder()\nfor each in [vision.Decode(), vision.HWC2CHW()]:\n    data = data.map(each, 'image')\n"
    "ms.Model(net).train(1, data)": "raw image",
    # what is changed in place
    f"def extend(held):\n    held += {OPERATIONS}\noperations = []\nextend(operations)\n{MAPPED}": "normalised image",
    f"def extend(held):\n    held = held + {OPERATIONS}\noperations = []\nextend(operations)\n{MAPPED}": "raw image",
    f"operations = [vision.Decode()]\nif flag:\n    operations += {OPERATIONS}\n{MAPPED}": "sometimes image",
    IN_PLACE + "scaled(image)\nnet(image)": "normalised x",
    IN_PLACE + "    return array\nscaled(image)\nnet(image)": "normalised x",
    IN_PLACE + "    return array\nnet(scaled(image))": "normalised x",  # and no more than once
    "def scaled(array):\n    array = array / 255\nscaled(image)\nnet(image)": "raw x",
    "if flag:\n    image /= 255\nnet(image)": "sometimes x",
    "np.divide(image, 255.0, out=image)\nnet(image)": "normalised x",
    "np.subtract(image, 127.5, image)\nnp.divide(image, 127.5, image)\nnet(image)": "normalised x",
    "np.divide(image, 255.0, out=buffer)\nnet(image)": "raw x",
}


def codes(found: list[Observation]) -> str:
    return ", ".join(" ".join([one.code, *([one.data["input"]] if "input" in one.data else [])]) for one in found)


@pytest.mark.parametrize("code", SAID)
def test_the_scale_of_inputs(code: str, tmp_path: Path) -> None:
    assert codes(said(tmp_path, train=code)) == SAID[code]


@pytest.mark.parametrize(
    ("train", "evaluation", "expected"),
    [
        ("net(image)", "net(image / 255)", "only-in-evaluation x"),
        ("net(image)", "net(image)", "raw x"),
        ("net(image / 255)", "net(image)", "normalised x"),
        ("net(np.load('a'))", "net(np.load('b') / 255)", "only-in-evaluation x"),
        ("train_data = folder()", "ms.Model(net).predict(image / 255)", "unclear image"),  # not seen to train
        ("net(np.load('a'))", "net(np.fromfile('b') / 255)", "unclear x"),  # another kind of file
        ("ms.Model(net).train(1, folder())", "ms.Model(net).predict(image / 255)", "only-in-evaluation image"),
    ],
)
def test_evaluation_tells_what_training_lacks(train: str, evaluation: str, expected: str, tmp_path: Path) -> None:
    assert codes(said(tmp_path, train=train, eval=evaluation)) == expected


@pytest.mark.parametrize(
    ("more", "certain"),
    [
        ("", True),
        ("ms.load_param_into_net(net, ms.load_checkpoint('first.ckpt'))\n", False),  # perhaps trained on such numbers
        ("ms.load_checkpoint('first.ckpt', net)\n", False),
    ],
)
def test_weights_that_are_loaded_may_be_made_for_raw_pixels(more: str, certain: bool, tmp_path: Path) -> None:
    (found,) = said(tmp_path, train=f"{more}ms.Model(net).train(1, folder())")
    assert (found.code, found.certain) == ("raw", certain)
