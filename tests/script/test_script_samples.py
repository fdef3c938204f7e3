"""What was done to the numbers of a sample, as read from the ways people write it."""

from __future__ import annotations

from pathlib import Path

import pytest

from accucheck.script.project import Project
from accucheck.script.samples import SamplePath, Samples
from accucheck.script.source import read
from accucheck.script.trace import follow
from accucheck.script.training import assumption

HEAD = """
import os, random
import cv2, gym, librosa, mmcv, skimage
import numpy as np
import pandas as pd
import mindspore as ms
import mindspore.dataset.vision as vision
import mindspore.dataset.transforms as transforms
from collections import deque
from mindspore import nn, ops
from PIL import Image
from scipy.io import wavfile
from sklearn.preprocessing import StandardScaler
image = cv2.imread(path)
photo = Image.open(path)
array = np.load("a.npy")
"""


def ways(folder: Path, code: str) -> tuple[SamplePath, ...]:
    """Of x after the code; the code may be an expression alone."""
    code = code if "x = " in code else f"x = {code}"
    (folder / "data.py").write_text(f"{HEAD}{code}\nuse(x)\n")
    source = read(folder / "data.py", "data.py")
    trace = follow(source, assumption("train"), Project(folder, folder).find, folder)
    (call,) = (call for call in trace.calls if getattr(call.base, "name", "") == "use")
    return Samples().ways(call.args[0])


def told(way: SamplePath) -> str:
    """Where it was read, [steps], the range: ~ by chance, ! by chance that may not vary, ? not known."""
    steps = [
        ("" if not step.random else "~" if step.effective else "!")
        + step.text
        + (f" if {step.condition}" if step.condition else "")
        for step in way.steps
    ]
    known = way.low is not None and way.high is not None
    flags = {"scaled": way.normalised, "unclear": way.unclear, "whole": way.integer, str(way.size): way.size}
    parts = [
        way.origin,
        way.colour,
        way.layout,
        f"[{'; '.join(steps)}]",
        f"{way.low:g}..{way.high:g}" if known else "?",
    ]
    return " ".join(part for part in (*parts, *(name for name, on in flags.items() if on)) if part)


ARITHMETIC = {
    "image / 255": "pixels BGR [/ 255] 0..1 scaled",
    "image // 255": "pixels BGR [// 255] 0..1 scaled",
    "image / 255 + np.zeros_like(image)": "pixels BGR [/ 255] 0..1 scaled",
    "(image + np.zeros((8, 8, 3))) * np.ones_like(image)": "pixels BGR [] 0..255",
    "x = np.zeros((32, 32, 3))\nx[:20] = image\nx = x / 255 + x": "pixels BGR [/ 255; + np.zeros((32, 32, 3))] ? scaled unclear",
    "image // 2": "pixels BGR [// 2] 0..127",
    "array // 16": "array [// 16] ? scaled",
    "-image": "pixels BGR [neg()] -255..0",
    "255 - image": "pixels BGR [rsub(255)] 0..255",
    "1 - image": "pixels BGR [rsub(1)] ? unclear",
    "1 - image / 255": "pixels BGR [/ 255; rsub(1)] 0..1 scaled",
    "2 * image": "pixels BGR [* 2] 0..510",
    "image * 2": "pixels BGR [* 2] 0..255",  # uint8 wraps around
    "image * 2.0": "pixels BGR [* 2] 0..510",
    "1 + image": "pixels BGR [+ 1] 1..256",
    "image ** 2": "pixels BGR [** 2] ? unclear",
    "2 / image": "pixels BGR [r/(2)] ? unclear",
    "image / image.max()": "pixels BGR [/ image.max()] ? scaled",
    "image / other": "pixels BGR [/ other] ? scaled",
    "image // other": "pixels BGR [// other] ? scaled",
    "image - mean": "pixels BGR [- mean] ? scaled",
    "image - shift": "pixels BGR [- shift] ? unclear",
    "image[1:] - image[:-1]": "pixels BGR [[1:]; - image[:-1]] -255..255",
    "image * mask": "pixels BGR [* mask] ? unclear",
    "mask - image": "pixels BGR [- mask] ? unclear",
    "np.pad(image, [(0, array[0] // 8 * 8)])": "pixels BGR [numpy.pad()] 0..255",
    "np.pad(np.ones(3), [(0, max(image) // 2)])": "generated [numpy.pad()] 0..1",
    "image & mask": "pixels BGR [& mask] ? unclear",
    "image + np.random.normal(0, 5, image.shape)": "pixels BGR [~+ np.random.normal(0, 5, image.shape)] 0..255",
    "np.random.rand(3) * image": "pixels BGR [~* np.random.rand(3)] 0..255",
    "image + None": "pixels BGR [] 0..255",
    "np.subtract(image, [1, 2, 3])": "pixels BGR [- (1, 2, 3)] -3..254",
    "ops.Mul()(image, 2.0)": "pixels BGR [* 2] 0..510",
    "ops.Mul()(*pair)": "unknown [] ? unclear",
    "image - [1] * 3": "pixels BGR [- (1, 1, 1)] -1..254",
    "image - 2 * [1, 2]": "pixels BGR [- (1, 2, 1, 2)] -2..254",
    "image - ([1] + [2, 3])": "pixels BGR [- (1, 2, 3)] -3..254",
    "image - [1] * 40": "pixels BGR [- [1] * 40] ? unclear",
    "image - [1] * count": "pixels BGR [- [1] * count] ? unclear",
    "image - ([1, 2] + np.array([1, 1]))": "pixels BGR [- (2, 3)] -3..253",
    "image - 255 * np.array([0.5, 0.25])": "pixels BGR [- (127.5, 63.75)] -127.5..191.25",
    "(image - [1 + 1, 2 * 3, 4 / 2]) / (3 - 1)": "pixels BGR [- (2, 6, 2); / 2] -3..126.5 scaled",
    "image + -np.array([1.0, 2.0])": "pixels BGR [+ (-1, -2)] -2..254",
    "image / (np.array([1, 2]) / 0)": "pixels BGR [/ np.array([1, 2]) / 0] ? scaled unclear",
    "image.shape[0] / 2": "number [] ?",
    "1 / len(paths)": "number [] ?",
    "image.shape[0] * image.shape[1]": "number [] ?",
    "image == 3": "number [] ?",
}

PLACES = {
    "image[0]": "pixels BGR [] 0..255",
    "image[:, :]": "pixels BGR [] 0..255",
    "image[:32, :32]": "pixels BGR [[:32, :32]] 0..255",
    "i = random.randint(0, 9)\nx = image[i:i + 32]": "pixels BGR [~[random.randint(0, 9):i + 32]] 0..255",
    "image[..., ::-1]": "pixels RGB [[::-1]] 0..255",
    "image[:, :, [2, 1, 0]]": "pixels RGB [[2, 1, 0]] 0..255",
    "image[:, ::-1, :]": "pixels BGR [[:, ::-1, :]] 0..255",
    "np.stack([image])[:, :, :, ::-1]": "pixels RGB [[::-1]] 0..255",
    "array[:, :, :, ::-1]": "array [[::-1]] ?",
    "image.transpose(2, 0, 1)[:, :, ::-1]": "pixels BGR CHW [transpose(2, 0, 1); [::-1]] 0..255",
    "np.stack([image]).transpose(0, 3, 1, 2)": "pixels BGR CHW [transpose(0, 3, 1, 2)] 0..255",
    "image.transpose(1, 0, 2)": "pixels BGR [] 0..255",
    "image.transpose(order)": "pixels BGR [] 0..255",
    "np.moveaxis(image, -1, 0)": "pixels BGR CHW [moveaxis(-1, 0)] 0..255",
    "np.rollaxis(image, 2)": "pixels BGR CHW [rollaxis(2)] 0..255",
    "np.moveaxis(vision.HWC2CHW()(image), 0, -1)": "pixels BGR HWC [HWC2CHW(); moveaxis(0, -1)] 0..255",
    "image.shape": "number [] ?",
    "['a.png', 'b.png'][:1]": "path [] ?",
    "list(open(path))[1:]": "text [] ?",
}

FUNCTIONS = {
    "cv2.resize(image, (32, 16))": "pixels BGR [cv2.resize((32, 16))] 0..255 (32, 16)",
    "cv2.resize(image, dsize=(32, 16))": "pixels BGR [cv2.resize(dsize=(32, 16))] 0..255 (32, 16)",
    "cv2.resize(image, None, fx=2, fy=2)": "pixels BGR [cv2.resize(None, fx=2, fy=2)] 0..255",
    "cv2.flip(image, random.randint(-1, 1))": "pixels BGR [~cv2.flip(random.randint(-1, 1))] 0..255",
    "cv2.resize(image, (random.randint(8, 16), 8))": "pixels BGR [~cv2.resize((random.randint(8, 16), 8))] 0..255",
    "turn = cv2.getRotationMatrix2D((4, 4), random.uniform(-9, 9), 1)\nx = cv2.warpAffine(image, turn, (8, 8))": (
        "pixels BGR [~cv2.warpAffine(cv2.getRotationMatrix2D((4, 4), random.uniform(-9, 9), 1), (8, 8))] 0..255"
    ),
    "turn = cv2.getRotationMatrix2D((4, 4), 9, 1)\nx = cv2.warpAffine(image, turn, (8, 8))": (
        "pixels BGR [cv2.warpAffine((8, 8))] 0..255"
    ),
    "photo.rotate(random.uniform(-9, 9))": "pixels RGB [~.rotate(random.uniform(-9, 9))] 0..255",
    "photo.rotate(9)": "pixels RGB [.rotate(9)] 0..255",
    "photo.convert('L')": "pixels GRAY [.convert(L)] 0..255",
    "photo.convert('RGB')": "pixels RGB [.convert(RGB)] 0..255",
    "cv2.cvtColor(image, cv2.COLOR_BGR2RGB)": "pixels RGB [cv2.cvtColor(COLOR_BGR2RGB)] 0..255",
    "cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)": "pixels GRAY [cv2.cvtColor(COLOR_BGR2GRAY)] 0..255",
    "cv2.cvtColor(cv2.imread(path, 0), cv2.COLOR_GRAY2BGR)": "pixels BGR [cv2.cvtColor(COLOR_GRAY2BGR)] 0..255",
    "cv2.imread(path, flags=0)": "pixels GRAY [] 0..255",
    "cv2.imread(path, cv2.IMREAD_GRAYSCALE)": "pixels GRAY [] 0..255",
    "b, g, r = cv2.split(image)\nx = cv2.merge([r, g, b])": "pixels RGB [cv2.merge()] 0..255",
    "b, g, r = cv2.split(image)\nx = cv2.merge([b, g, r])": "pixels BGR [] 0..255",
    "skimage.img_as_float(image)": "pixels BGR [skimage.img_as_float()] ? scaled",
    "np.log1p(image)": "pixels BGR [numpy.log1p()] ? unclear",
    "strange(image, 3)": "pixels BGR [strange(3)] ? unclear",
    "np.clip(image, 10, 100)": "pixels BGR [clip(low=10, high=100)] 10..100",
    "np.clip(image, a_max=1, a_min=0)": "pixels BGR [clip(low=0, high=1)] 0..1",
    "np.clip(image, 10, None)": "pixels BGR [clip(low=10)] 10..255",
    "image.clip(None, 100)": "pixels BGR [clip(high=100)] 0..100",
    "image.clip(least, 200)": "pixels BGR [clip()] ? unclear",
    "ops.clip_by_value(image, clip_value_min=0, clip_value_max=1)": "pixels BGR [clip(low=0, high=1)] 0..1",
    "np.clip(array, 0, 1)": "array [clip(low=0, high=1)] 0..1",
    "np.minimum(255, image + 30.0)": "pixels BGR [+ 30; clip(high=255)] 30..255",
    "ops.Maximum()(image, 3)": "pixels BGR [clip(low=3)] 3..255",
    "np.maximum(image, other)": "pixels BGR [maximum()] ? unclear",
    "np.uint8(image)": "pixels BGR [uint8()] 0..255 whole",
    "image.astype('float32')": "pixels BGR [astype(float32)] 0..255",
    "np.expand_dims(image, 0)": "pixels BGR [] 0..255",
    "image.mean()": "pixels BGR [] 0..255",
    "image.argmax()": "number [] ?",
    "len(image)": "number [] ?",
    "StandardScaler().fit_transform(array)": "array [StandardScaler()] ? scaled",
    "model.transform(array)": "array [.transform()] ? unclear",
    "sound, rate = librosa.load(path)\nx = librosa.feature.mfcc(sound)": "audio [librosa.feature.mfcc()] -100..100",
    "sound, rate = librosa.load(path)\nx = rate": "number [] ?",
    "rate, sound = wavfile.read(path)\nx = sound": "audio [] ?",
    "rate, sound = wavfile.read(path)\nx = rate": "number [] ?",
    "out, scale = mmcv.imresize(image, (3, 3), return_scale=True)\nx = scale": "unknown [] ? unclear",
    "pd.read_csv(path)['a'].values": "table [] ?",
    "np.frombuffer(data, np.uint8)": "array [] 0..255",
    "os.path.join(root, 'a')": "path [] ?",
    "'a.png'.replace('a', 'b')": "path [] ?",
    "open(path).strip()": "text [] ?",
    "['a.png'].copy()": "path [] ?",
    "['a.png'].weird()": "opaque [] ? unclear",
    "mystery": "unknown [] ? unclear",
    "gym.make('CartPole')": "simulator [] ?",
    "np.array([1, 2])": "constant [] ?",
    "{'image': image, 'name': 'a'}": "pixels BGR [] 0..255",
}

TRANSFORMS = {
    "vision.Resize(32)(image)": "pixels BGR [Resize(size=32)] 0..255 (32,)",
    "vision.Resize(size if big else 32)(image)": "pixels BGR [Resize(size=size | 32)] 0..255",
    "vision.Rotate(9)(image)": "pixels BGR [Rotate(degrees=9)] 0..255",
    "vision.Rotate(random.uniform(-9, 9))(image)": "pixels BGR [~Rotate(degrees=random.uniform(-9, 9))] 0..255",
    "vision.Rescale(scale, 0.0)(image)": "pixels BGR [Rescale(rescale=scale, shift=0)] ? scaled",
    "vision.Normalize([0.5] * 3, [0.25] * 3)(image / 255)": "pixels BGR [/ 255;"
    " Normalize(mean=(0.5, 0.5, 0.5), std=(0.25, 0.25, 0.25))] -2..2 scaled",
    "vision.Normalize(mean, std)(image)": "pixels BGR [Normalize(mean=mean, std=std)] ? scaled",
    "vision.Normalize([1, 2, 3], 2)(image)": "pixels BGR [Normalize(mean=(1, 2, 3), std=2)] -1.5..127 scaled",
    "vision.ConvertColor(vision.ConvertMode.COLOR_BGR2RGB)(image)": "pixels RGB [ConvertColor(convert_mode=COLOR_BGR2RGB)]"
    " 0..255",
    "vision.Grayscale(3)(image)": "pixels GRAY [Grayscale(num_output_channels=3)] 0..255",
    "vision.ToTensor()(photo)": "pixels RGB CHW [ToTensor()] 0..1 scaled",
    "vision.Decode()(np.fromfile(path, np.uint8))": "pixels RGB [] 0..255",
    "vision.RandomCropDecodeResize(9)(np.fromfile(path, np.uint8))": "pixels RGB [~RandomCropDecodeResize(size=9)]"
    " 0..255 (9,)",
    "vision.RandomHorizontalFlip()(image)": "pixels BGR [~RandomHorizontalFlip()] 0..255",
    "vision.RandomHorizontalFlip(0)(image)": "pixels BGR [RandomHorizontalFlip(prob=0)] 0..255",
    "transforms.Duplicate()(image)": "pixels BGR [] 0..255",
    "transforms.TypeCast(ms.int32)(image)": "pixels BGR [TypeCast(data_type=int32)] 0..255 whole",
    "transforms.Compose([vision.Resize(8), vision.ToTensor()])(image)": "pixels BGR CHW [Resize(size=8); ToTensor()]"
    " 0..1 scaled (8,)",
    "transforms.Compose([None, transforms.Compose([vision.Resize(8)])])(image)": "pixels BGR [Resize(size=8)] 0..255 (8,)",
    "transforms.Compose([np.float32, [vision.Rotate(9)]])(image)": "pixels BGR [float32(); Rotate(degrees=9)] 0..255",
    "transforms.Compose([None if big else vision.HWC2CHW()])(image)": "pixels BGR CHW [HWC2CHW() if big] 0..255",
    "transforms.Compose([vision.Resize(8)] + more)(image)": "unknown [] ? unclear",
    "nn.Pad(((0, 0), (1, 1)))(image)": "pixels BGR [nn.Pad()] 0..255",
    "nn.Conv2d(3, 8, 3)(image)": "network [] ? unclear",
}

GENERATED = {
    "np.random.rand(3)": "0..1",
    "np.random.randn(3)": "-4..4",
    "np.random.uniform(-1, 1, (3, 3))": "-1..1",
    "np.random.uniform(size=3)": "0..1",
    "np.random.uniform(low=low, high=1)": "?",
    "np.random.uniform(*bounds)": "?",
    "np.random.normal(0, 0.5)": "-2..2",
    "np.random.normal(loc=mean, scale=2.0)": "?",
    "np.random.randint(0, 255, (3, 3))": "0..255",
    "np.random.randint(10)": "?",
    "np.random.RandomState(0).normal(1, 1)": "-3..5",
    "np.random.default_rng(0).integers(0, 10, 5)": "0..10",
    "np.linspace(0, 5, 10)": "0..5",
    "np.zeros((3, 3))": "0..1",
    "np.full((3, 3), 7)": "?",
    "ops.normal((3,), ms.Tensor(0.0), ms.Tensor(2.0))": "-8..8",
    "ops.uniform((3,), ms.Tensor(0.0), maxval=ms.Tensor(2.0))": "0..2",
    "ops.StandardNormal()((2, 3))": "-4..4",
    "ops.UniformReal()((2, 3))": "0..1",
    "ops.UniformInt()((2, 3), low, high)": "?",
}

FLOAT = "x = image.astype(np.float32)\n"
BUFFER = "x = np.zeros((32, 32, 3))\n"
WRITTEN = {
    "from lib import steps\nx = steps([vision.Rescale(1 / 255, 0)])(image)": "pixels BGR [steps()] ? unclear",
    "x = np.array([vision.Rescale(1 / 255, 0)])(image)": "pixels BGR [array()] ? unclear",
    "x = ops.Cast()(image, ms.float32)": "pixels BGR [Cast(float32)] 0..255",
    FLOAT + "x[0] = x[0] / 255": "pixels BGR [astype(float32); / 255] ? scaled",
    FLOAT + "x[..., 0] -= 103.9": "pixels BGR [astype(float32); - 103.9] ? scaled",
    FLOAT + "cv2.subtract(x, mean, x)": "pixels BGR [astype(float32); - mean] ? scaled",
    "x = image\nx[:3] = cv2.resize(x[:3], (32, 32))": "pixels BGR [[:3]; cv2.resize((32, 32))] 0..255 (32, 32)",
    BUFFER + "x[:20] = image": "pixels BGR [] 0..255",
    BUFFER + "x[:20] = image / 255": "pixels BGR [/ 255] 0..1 scaled",
    BUFFER + "x[:20] = 3": "generated [] 0..1",
    "x = deque(maxlen=4)\nx.append(image)\nx = np.stack(x)": "pixels BGR [] 0..255 | unknown [] ? unclear",
    "x = image\nif random.random() < 0.5:\n    x = x[..., ::-1]": "pixels BGR [~[::-1]] 0..255",
    "x = image - 1.0 if flag else image": "pixels BGR [- 1 if flag] -1..254 | pixels BGR [] 0..255",
    "def f(n):\n    return f(n - 1) if n else f(n + 1)\nx = f(3) / 255": "unknown [/ 255] ? scaled unclear",
}

FLIP = "x = image\nif {}:\n    x = cv2.flip(x, 1)"
ALWAYS, CHANCE, NO_CHANCE = (f"pixels BGR [{steps}] 0..255" for steps in ("", "~cv2.flip(1)", "!cv2.flip(1)"))
CONDITIONS = {
    "random.random() < 0.5": CHANCE,
    "random.random() < p": CHANCE,
    "np.random.default_rng(1).random() < 0.5": CHANCE,
    "np.random.uniform(0, 2) > 1": CHANCE,
    "random.choice([True, False])": CHANCE,
    "np.random.choice(2)": CHANCE,
    "random.randint(0, 1)": CHANCE,
    "np.random.randint(2) == 1": CHANCE,
    "random.randint(0, 0)": NO_CHANCE,
    "np.random.randint(1) == 1": NO_CHANCE,
    "random.choice([1])": f"pixels BGR [cv2.flip(1) if random.choice([1])] 0..255 | {ALWAYS}",
    "random.random() < 0": ALWAYS,
    "0 > random.random()": ALWAYS,
    "not random.random() >= 0": ALWAYS,
    "not random.random() < 1": ALWAYS,
    "np.random.uniform() > 1": ALWAYS,
}

TABLES = {
    **ARITHMETIC,
    **PLACES,
    **FUNCTIONS,
    **TRANSFORMS,
    **{code: f"generated [] {bounds}" for code, bounds in GENERATED.items()},
    **WRITTEN,
    **{FLIP.format(condition): expected for condition, expected in CONDITIONS.items()},
}


@pytest.mark.parametrize("code", TABLES)
def test_what_was_done(code: str, tmp_path: Path) -> None:
    assert " | ".join(map(told, ways(tmp_path, code))) == TABLES[code]


@pytest.mark.parametrize(
    ("code", "scale"),
    [
        ("image / 255", [(1 / 255, 0)]),
        ("image // 255", None),
        ("(image - [1, 2, 4]) / 2", [(0.5, -0.5), (0.5, -1), (0.5, -2)]),
        ("(image - [1, 2, 4])[..., ::-1]", [(1, -4), (1, -2), (1, -1)]),
        ("image * [1, 2, 3] / 2", [(0.5, 0), (1, 0), (1.5, 0)]),
        ("(image - [1, 2, 3]) / [1, 2]", None),
        ("vision.Normalize(127.5, 127.5)(image)", [(1 / 127.5, -1)]),
        ("np.log(image)", None),
    ],
)
def test_factor_and_offset_by_channel(code: str, scale: list[tuple[float, float]] | None, tmp_path: Path) -> None:
    (way,) = ways(tmp_path, code)
    assert (way.scale is None) == (scale is None)
    for one, expected in zip(way.scale or (), scale or (), strict=True):
        assert one == pytest.approx(expected)


def test_an_option_of_the_command_line_may_be_another_in_a_run(tmp_path: Path) -> None:
    options = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', type=int, default=32)\nn = p.parse_args().n\n"
    for code, assumed in {
        "vision.Resize(n)(image)": True,
        "vision.Resize((n, 8))(image)": True,
        "image / n": True,
        "vision.Resize(32)(image)": False,
    }.items():
        (way,) = ways(tmp_path, f"{options}x = {code}")
        assert [step.assumed for step in way.steps] == [assumed], code
