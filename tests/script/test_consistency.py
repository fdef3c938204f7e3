"""What evaluation does to its data beside what training does, in the ways people write it."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from accucheck.script.consistency import Observation, examine
from accucheck.script.pipelines import of_scripts
from case_scripts import scripts

HEAD = """import cv2, random
import numpy as np
import mindspore as ms
import mindspore.dataset as ds
from PIL import Image
from mindspore import nn, ops
from mindspore.dataset import vision, transforms

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)

    def construct(self, image):
        return self.conv(image)

net = Net()
model = ms.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params()))
MEAN, STD = [123.675, 116.28, 103.53], [58.395, 57.12, 57.375]
"""
TRAINS, EVALUATES = "\nmodel.train(1, data)\n", "\nmodel.eval(data)\n"


def said(root: Path, train: str, evaluation: str | None = None, **modules: str) -> list[Observation]:
    ours, theirs = (None if text is None else HEAD + textwrap.dedent(text) for text in (train, evaluation))
    return list(examine(of_scripts(scripts(root, ours or "", theirs, **modules))))


def folder(operations: str) -> str:
    return f"data = ds.ImageFolderDataset('d').map([vision.Decode(), {operations}], 'image').batch(4)"


def source(line: str, reads: str = "cv2.imread(path)") -> str:
    return f"""
class Source:
    def __getitem__(self, path):
        x = {reads}
        {line}
        return x, 0

data = ds.GeneratorDataset(Source(), ["image", "label"]).batch(4)
"""


#: Operations of training and of evaluation -> what is said, and what differs.
TRANSFORMS = {
    "the same": ("vision.Resize(256), vision.Normalize(MEAN, STD)", None, "agree", ()),
    "pixels of 0 to 1, and their statistics": (
        "vision.Normalize(MEAN, STD)",
        "vision.Rescale(1 / 255, 0), vision.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])",
        "agree",
        (),
    ),
    "statistics in the order of the colours": (
        "vision.Normalize(MEAN, STD)",
        "vision.ConvertColor(vision.ConvertMode.COLOR_RGB2BGR), vision.Normalize(MEAN[::-1], STD[::-1])",
        "colour-differs",
        ("RGB / BGR",),
    ),
    "other statistics": (
        "vision.Normalize(MEAN, STD)",
        "vision.Normalize([127.5] * 3, [127.5] * 3)",
        "scale-differs",
        (
            "- Normalize(mean=(123.675, 116.28, 103.53), std=(58.395, 57.12, 57.375))",
            "+ Normalize(mean=(127.5, 127.5, 127.5), std=(127.5, 127.5, 127.5))",
        ),
    ),
    "not normalised": (
        "vision.Normalize([127.5] * 3, [127.5] * 3)",
        "vision.HWC2CHW()",
        "normalised-in-one",
        ("- Normalize(mean=(127.5, 127.5, 127.5), std=(127.5, 127.5, 127.5))",),
    ),
    "another size": (
        "vision.Resize((224, 224))",
        "vision.Resize((256, 256))",
        "size-differs",
        ("(224, 224) / (256, 256)",),
    ),
    "random parts of far larger pictures": (
        "vision.RandomResizedCrop(224)",
        "vision.Resize((32, 32))",
        "size-differs",
        ("(224,) / (32, 32)",),
    ),
    "random parts of somewhat smaller pictures": (
        "vision.RandomResizedCrop(192)",
        "vision.Resize((288, 288))",
        "usual",
        (),
    ),
    "random patches of pictures of one scale": (
        "vision.RandomCrop((96, 96))",
        "vision.Resize((512, 512))",
        "usual",
        (),
    ),
    "the middle of twice the size": (
        "vision.RandomResizedCrop(224)",
        "vision.Resize([512, 448]), vision.CenterCrop((224, 224))",
        "part-differs",
        ("100 % / 50 %: Resize(size=(512, 448)), CenterCrop(size=(224, 224))",),
    ),
    "the middle of twice the size beside a random part of it": (
        "vision.Resize(448), vision.RandomCrop(224)",
        "vision.Resize(448), vision.CenterCrop(224)",
        "usual",
        (),
    ),
    "the middle of four times the size beside a random part of twice of it": (
        "vision.Resize(256), vision.RandomCrop(128)",
        "vision.Resize(512), vision.CenterCrop(128)",
        "part-differs",
        ("50 % / 25 %: Resize(size=512), CenterCrop(size=128)",),
    ),
    "the middle of a size that is not known": (
        "vision.RandomResizedCrop(224)",
        "vision.Resize(int(input())), vision.CenterCrop(224)",
        "usual",
        (),
    ),
    "the middle of a picture as it is": (
        "vision.RandomResizedCrop(224)",
        "vision.CenterCrop(224)",
        "usual",
        (),
    ),
    "resized beside cropped": (
        "vision.RandomResizedCrop(224)",
        "vision.Resize(256), vision.CenterCrop(224)",
        "usual",
        (),
    ),
    "cropped larger than in training": (
        "vision.RandomCrop(160), vision.Resize((192, 192))",
        "vision.CenterCrop((224, 224))",
        "usual",
        ("(192, 192) / (224, 224)",),
    ),
    "the layout in one": ("vision.HWC2CHW()", "vision.Resize(224)", "unclear", ("HWC2CHW",)),
    "statistics of three channels and of one": (
        "vision.Normalize(MEAN, STD)",
        "vision.Normalize([120.0, 121.0], [58.0, 57.0])",
        "scale-differs",
        (
            "- Normalize(mean=(123.675, 116.28, 103.53), std=(58.395, 57.12, 57.375))",
            "+ Normalize(mean=(120, 121), std=(58, 57))",
        ),
    ),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms_beside_each_other(name: str, tmp_path: Path) -> None:
    ours, theirs, code, differs = TRANSFORMS[name]
    (one,) = said(tmp_path, folder(ours) + TRAINS, folder(theirs or ours) + EVALUATES)
    assert (one.code, one.differs) == (code, differs)


#: Lines of a source of samples in training and in evaluation -> what is said.
FORMULAS = {
    "the same": ("x = x / 255.0", "x = x / 255", "agree"),
    "the other way round": ("x = (x - 127.5) / 127.5", "x = x / 127.5 - 1", "agree"),
    "a clip without effect": ("x = x / 255", "x = np.clip(x / 255, 0, 1)", "agree"),
    "a clip with effect": ("x = x / 255", "x = np.clip(x / 255, 0, 0.5)", "clip-differs"),
    "twice": ("x = x / 255", "x = x / 255 / 255", "scale-differs"),
    "what is not known, and the same": ("x = np.log(x + 1) / 5", "x = np.log(x + 1) / 5", "agree"),
    "what is not known, and another constant": ("x = np.log(x + 1) / 5", "x = np.log(x + 1) / 4", "constants-differ"),
    "what is not known, and as much": ("x = np.log(x + 1) / 5 / 2", "x = np.log(x + 1) / 10", "agree"),
    "what is not known, and a clip": ("x = np.log(x + 1)", "x = np.clip(np.log(x + 1), 0, 4)", "clip-differs"),
    "what is not known beside what is": ("x = np.log(x + 1)", "x = x / 255", "unclear"),
    "noise is cut off in training": ("x = np.clip(x / 255 + np.random.randn(3), 0, 1)", "x = x / 255", "agree"),
    "by its largest in one": ("x = x / x.max()", "x = x", "normalised-in-one"),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_formulas_beside_each_other(name: str, tmp_path: Path) -> None:
    ours, theirs, code = FORMULAS[name]
    found = said(tmp_path, source(ours) + TRAINS, source(theirs) + EVALUATES)
    assert [one.code for one in found] == [code]


def test_what_is_known_in_part(tmp_path: Path) -> None:
    """One way of a condition agrees, or was not followed to its end."""
    perhaps = source("if FLAG:\n            x = x / 255").replace("class", "FLAG = ms.get_context('flag')\n\nclass")
    opaque = source("if FLAG:\n            x = tool.sharpen(x)\n        x = x / 255").replace(
        "class", "import tool\nFLAG = ms.get_context('flag')\n\nclass"
    )
    passed = "import zoo\n" + source("x = x / 255") + "data = zoo.build_dataset(data)\n"
    cases = {
        (source("x = x / 255"), perhaps): "unclear",
        (perhaps, source("x = x / 255")): "agree",
        (opaque, source("x = x / 255")): "agree",
        (opaque, source("x = x")): "normalised-in-one",
        (passed, source("x = x / 255")): "unclear",
        (passed, passed): "agree",
    }
    assert {key: [one.code for one in said(tmp_path, key[0] + TRAINS, key[1] + EVALUATES)] for key in cases} == {
        key: [code] for key, code in cases.items()
    }


OTHER = """
class Other(nn.Cell):
    def __init__(self, net=None):
        super().__init__()
        self.net = net
        self.dense = nn.Dense(8, 8)

    def construct(self, image):
        return {gives}

"""
READ = "net({wraps}ms.Tensor(cv2.imread('a.png'){by}))\n"


@pytest.mark.parametrize(
    ("evaluation", "code"),
    [
        ("model.predict(ms.Tensor(cv2.imread('a.png')))", "normalised-in-one"),
        ("net(ms.Tensor(cv2.imread('a.png')))", "normalised-in-one"),
        (
            OTHER.format(gives="ops.softmax(self.net(image))") + "Other(net)(ms.Tensor(cv2.imread('a.png')))",
            "normalised-in-one",
        ),
        (OTHER.format(gives="self.net(image / 255)") + "Other(net)(ms.Tensor(cv2.imread('a.png')))", "unclear"),
        (OTHER.format(gives="self.dense(image)") + "Other()(ms.Tensor(cv2.imread('a.png')))", "unclear"),
        ("net(ms.Tensor(np.fromfile('a.raw', dtype=np.uint8) / 255))", "agree"),
        ("net(ms.Tensor(np.fromfile('a.raw', dtype=np.float32) / 255))", "unclear"),
    ],
)
def test_what_a_script_gives_a_network_itself(evaluation: str, code: str, tmp_path: Path) -> None:
    assert [one.code for one in said(tmp_path, source("x = x / 255") + TRAINS, evaluation)] == [code]


def test_the_network_within_that_of_training(tmp_path: Path) -> None:
    """The loss cell of training hands the pictures on to the network that evaluation calls."""
    train = """
class WithLoss(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net, self.loss = net, nn.CrossEntropyLoss()

    def construct(self, image, label):
        return self.loss(self.net(image), label)

train_net = nn.TrainOneStepCell(WithLoss(net), nn.Adam(net.trainable_params()))
"""
    loop = "for one in data.create_dict_iterator():\n    train_net(one['image'], one['label'])\n"
    found = said(tmp_path, train + source("x = x / 255") + loop, "net(ms.Tensor(cv2.imread('a.png')))")
    assert [one.code for one in found] == ["normalised-in-one"]


TEXTS = """
def cut(x):
    return {cut}

data = ds.MindDataset("a.mindrecord", columns_list=["words", "label"]).map({operations}, "words").batch(4)
"""


@pytest.mark.parametrize(
    ("ours", "theirs", "code"),
    [
        ("x[1:]", "x[1:]", "agree"),
        ("x[1:]", "x", "slice-differs"),
        ("x[:128]", "x[:256]", "agree"),
        ("x[:, 1:]", "x", "unclear"),
        ("np.log(x)[1:]", "np.log(x)", "unclear"),
    ],
)
def test_where_a_sequence_begins(ours: str, theirs: str, code: str, tmp_path: Path) -> None:
    train, evaluation = (TEXTS.format(cut=cut, operations="cut") for cut in (ours, theirs))
    assert [one.code for one in said(tmp_path, train + TRAINS, evaluation + EVALUATES)] == [code]


# --- chance -----------------------------------------------------------------------------------------------------------


#: What evaluation does -> what is said of its chance, with the condition that it depends on.
CHANCE = {
    "always": (folder("vision.RandomCrop(32)"), [("random-in-evaluation", None)]),
    "never": (folder("vision.RandomHorizontalFlip(prob=0)"), []),
    "on a condition": (
        "ops_ = [vision.Decode()]\nif cfg.augment:\n    ops_.append(vision.RandomCrop(32))\n"
        "data = ds.ImageFolderDataset('d').map(ops_, 'image').batch(4)",
        [("random-perhaps", "cfg.augment")],
    ),
    "on that of its data set": (
        "if cfg.folder:\n    " + folder("vision.RandomCrop(32)") + "\nelse:\n    data = ds.MnistDataset('d').batch(4)",
        [("random-in-evaluation", None)],
    ),
    "brightness drawn": (source("x = x * np.random.uniform(0.8, 1.2)"), [("random-in-evaluation", None)]),
    "brightness drawn of one value": (source("x = x * np.random.uniform(1.0, 1.0)"), [("random-unclear", "?")]),
    "noise is added": (source("x = x + np.random.randn(32, 32, 3)"), []),
    "cut where a number falls": (
        source("at = np.random.randint(0, 8)\n        x = x[at:at + 224]"),
        [("random-in-evaluation", None)],
    ),
    "cut where a number falls that is the same for each": (
        source("np.random.seed(1)\n        at = np.random.randint(0, 8)\n        x = x[at:at + 224]"),
        [],
    ),
    "a seed of each sample's own": (
        source("np.random.seed(path)\n        at = np.random.randint(0, 8)\n        x = x[at:at + 224]"),
        [("random-in-evaluation", None)],
    ),
    "another generator is seeded": (
        source("random.seed(1)\n        at = np.random.randint(0, 8)\n        x = x[at:at + 224]"),
        [("random-in-evaluation", None)],
    ),
    "seeded before a loop": (
        source("np.random.seed(1)\n        for n in paths:\n            x = x[np.random.randint(0, 8):]"),
        [("random-in-evaluation", None)],
    ),
    "seeded once": (
        "np.random.seed(1)\n" + source("at = np.random.randint(0, 8)\n        x = x[at:at + 224]"),
        [("random-in-evaluation", None)],
    ),
    "a sample picked at random": (source("x = x / 255", "cv2.imread(random.choice(self.paths))"), []),
}


@pytest.mark.parametrize("name", CHANCE)
def test_chance_in_evaluation(name: str, tmp_path: Path) -> None:
    code, expected = CHANCE[name]
    data = "import yaml\ncfg = yaml.safe_load(open('a'))\n"
    found = said(tmp_path, folder("vision.RandomCrop(32)") + TRAINS, data + code + EVALUATES)
    assert [(one.code, one.data.get("condition")) for one in found if one.code.startswith("random")] == expected


#: What a script does with each file that it evaluates -> what is said of chance.
PER_FILE = {
    "files that are left out are not evaluated at all": (
        """
    if path.endswith(".png"):
        image = vision.RandomHorizontalFlip()(cv2.imread(path))
        net(ms.Tensor(image))
""",
        "random-in-evaluation",
    ),
    "some are changed": (
        """
    image = cv2.imread(path)
    if path.endswith(".png"):
        image = vision.RandomHorizontalFlip()(image)
    net(ms.Tensor(image))
""",
        "random-perhaps",
    ),
}


@pytest.mark.parametrize("name", PER_FILE)
def test_a_condition_of_the_whole_run_leaves_no_doubt(name: str, tmp_path: Path) -> None:
    body, code = PER_FILE[name]
    train = folder("vision.Normalize(MEAN, STD)") + TRAINS
    found = said(tmp_path, train, "import os\nfor path in os.listdir('test'):" + body)
    assert [one.code for one in found if one.code.startswith("random")] == [code]


def test_chance_of_a_script_that_trains_and_evaluates(tmp_path: Path) -> None:
    """What a network gets without a data set, with the switch off: whether that is an evaluation is not told."""
    text = """
def load(is_training):
    image = cv2.imread("a.png")
    image = image * np.random.uniform(0.5, 1.5)
    return ms.Tensor(image / 255) if is_training else ms.Tensor(image)

net(load(is_training))
"""
    found = said(tmp_path, text, "net(ms.Tensor(cv2.imread('a.png') * np.random.uniform(0.5, 1.5)))")
    assert {(one.made.source.path, one.code) for one in found if one.code.startswith("random")} == {
        ("train.py", "random-perhaps"),
        ("eval.py", "random-in-evaluation"),
    }


@pytest.mark.parametrize(("network", "expected"), [("Net", "colour-differs"), ("Finder", "unclear")])
def test_the_colours_of_another_network_are_its_own(network: str, expected: str, tmp_path: Path) -> None:
    train = """
    opt = nn.Adam(net.trainable_params())

    def forward(x):
        return net(x).sum()

    grad_fn = ms.value_and_grad(forward, None, opt.parameters)
    for path in paths:
        loss, grads = grad_fn(ms.Tensor(cv2.imread(path) / 255))
        opt(grads)
    """
    evaluation = f"""
    class Finder(nn.Cell):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(3, 4, 1)

        def construct(self, image):
            return self.conv(image)

    tested = {network}()
    tested(ms.Tensor(np.array(Image.open("a.png").convert("RGB")) / 255))
    """
    assert expected in [one.code for one in said(tmp_path, train, evaluation)]


def test_chance_of_a_script_that_trains_whatever_a_switch_says(tmp_path: Path) -> None:
    text = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--eval", action="store_true")
args = parser.parse_args()
opt = nn.Adam(net.trainable_params())

def forward(x):
    return net(x).sum()

grad_fn = ms.value_and_grad(forward, None, opt.parameters)
net.set_train()
for path in paths:
    if args.eval:
        print(path)
    loss, grads = grad_fn(ms.Tensor(cv2.imread(path) / 255 * np.random.uniform(0.5, 1.5)))
    opt(grads)
"""
    found = said(tmp_path, text, "net(ms.Tensor(cv2.imread('a.png') / 255))")
    assert found
    assert not [one for one in found if one.code.startswith("random")]


#: A data set that is split -> what is said.
SPLITS = {
    "unseeded": ("ds.MnistDataset('d', shuffle=False).split([0.8, 0.2])", ["split-unseeded"]),
    "in order": ("ds.MnistDataset('d', shuffle=False).split([0.8, 0.2], randomize=False)", []),
    "seeded": ("ds.MnistDataset('d', shuffle=False).split([0.8, 0.2])\nds.config.set_seed(1)", []),
    "shuffled": ("ds.MnistDataset('d', shuffle=False).shuffle(9).split([0.8, 0.2])", ["split-shuffled"]),
    "its source shuffles": ("ds.MnistDataset('d', shuffle=True).split([0.8, 0.2])", ["split-shuffled"]),
    "its source shuffles unless told": ("ds.MnistDataset('d').split([0.8, 0.2])", ["split-shuffled"]),
    "a generator": ("ds.GeneratorDataset(Source(), ['image', 'label']).split([0.8, 0.2])", ["split-unseeded"]),
    "a sampler": (
        "ds.MnistDataset('d', sampler=ds.SequentialSampler()).split([0.8, 0.2])",
        ["split-unseeded"],
    ),
    "as a run says": ("ds.MnistDataset('d', **options).split([0.8, 0.2])", ["split-unseeded"]),
    "a source without order": (
        "ds.NumpySlicesDataset(np.load('a.npy'), ['image'], shuffle=False).split([0.8, 0.2])",
        ["split-unseeded"],
    ),
}


@pytest.mark.parametrize("name", SPLITS)
def test_parts_of_a_split(name: str, tmp_path: Path) -> None:
    code, expected = SPLITS[name]
    text = f"{source('x = x')}\ntrain, test = {code}\nmodel.train(1, train.batch(4))\nmodel.eval(test.batch(4))\n"
    assert [one.code for one in said(tmp_path, text) if one.code.startswith("split")] == expected


MADE_OF_LAYERS = """
model = ms.Model(nn.SequentialCell([nn.Conv2d(3, 8, 3)]), nn.CrossEntropyLoss(), opt)
def make(part, operations):
    return ds.ImageFolderDataset("d/" + part).map([vision.Decode(), *operations], "image").batch(4)
"""
BESIDE = {
    "counted": "raw = ds.ImageFolderDataset('d/val', shuffle=False)\nprint(raw.get_dataset_size())",
    "shown": "for row in ds.ImageFolderDataset('d/val').map(vision.Decode()).create_dict_iterator():\n    show(row['image'])",
    "named": "sets = {'train': ds.ImageFolderDataset('d/train'), 'val': ds.ImageFolderDataset('d/val')}\nraw = sets[part]",
}


@pytest.mark.parametrize("name", BESIDE)
@pytest.mark.parametrize(("operations", "code"), [("vision.Normalize(MEAN, STD)", "agree"), ("", "normalised-in-one")])
def test_what_a_model_evaluates_leaves_no_room_for_what_is_looked_at(
    operations: str, code: str, name: str, tmp_path: Path
) -> None:
    train = f"{MADE_OF_LAYERS}model.train(1, make('train', [vision.Normalize(MEAN, STD)]))\n"
    found = said(tmp_path, train, f"{MADE_OF_LAYERS}{BESIDE[name]}\nmodel.eval(make('val', [{operations}]))\n")
    assert [one.code for one in found if one.data.get("input") == "image"] == [code]


DIVIDING = """
model = ms.Model(nn.SequentialCell([nn.Conv2d(3, 8, 3)]), nn.CrossEntropyLoss(), opt)
def make(part, path="d"):
    train, val = ds.GeneratorDataset(load(path), ["image", "label"]).split([0.8, 0.2])
    return (train if part == "train" else val).batch(4)
"""


@pytest.mark.parametrize(
    ("seeds", "path", "codes"),
    [
        (("ms.set_seed(1)", "ms.set_seed(1)"), "'d'", []),
        (("ms.set_seed(1)", ""), "'d'", ["split-unseeded"]),
        (("", "ms.set_seed(1)"), "'d'", ["split-unseeded"]),
        (("", ""), "'d'", ["split-unseeded"]),
        (("ms.set_seed(1)", "import lib\nlib.seed_everything(1)"), "'d'", []),
        (("", ""), "'other'", []),
    ],
)
def test_each_script_that_divides_the_data_needs_the_seed(
    seeds: tuple[str, str], path: str, codes: list[str], tmp_path: Path
) -> None:
    train, evaluation = (f"from common import *\n{seed}\n" for seed in seeds)
    common = HEAD + DIVIDING
    train, evaluation = f"{train}model.train(1, make('train'))\n", f"{evaluation}model.eval(make('val', {path}))\n"
    found = said(tmp_path, train, evaluation, common=common)
    assert [one.code for one in found if one.code.startswith("split")] == codes


def test_a_split_that_training_does_not_use(tmp_path: Path) -> None:
    apart = "train = ds.MnistDataset('d')\na, b = ds.MnistDataset('t').split([0.5, 0.5])\n"
    text = apart + "model.train(1, train.batch(4))\nmodel.eval(b.batch(4))\n"
    assert not [one for one in said(tmp_path, text) if one.code.startswith("split")]


LOAD = """
import numpy as np
from sklearn.model_selection import train_test_split
import mindspore.dataset as ds

def load(part):
    x = np.load("x.npy")
    train, test = train_test_split(x, test_size=0.2{state})
    return ds.NumpySlicesDataset(train if part else test, ["image"]).batch(4)
"""


@pytest.mark.parametrize(
    ("ours", "theirs", "state", "expected"),
    [
        ("", "", "", ("resplit-unseeded", "-", "-")),
        ("np.random.seed(1)", "np.random.seed(2)", "", ("resplit", "1", "2")),
        ("ms.set_seed(1)", "", "", ("resplit-unseeded", "1", "-")),
        ("np.random.seed(1)", "np.random.seed(1)", "", None),
        ("np.random.seed(seed)", "np.random.seed(2)", "", None),
        ("np.random.seed(seed=1)", "np.random.seed(seed=3)", ", random_state=None", ("resplit", "1", "3")),
        ("", "", ", random_state=42", None),
    ],
)
def test_a_split_drawn_twice(ours: str, theirs: str, state: str, expected: object, tmp_path: Path) -> None:
    use = "from load import load\n{}\ndata = load({})"
    train, evaluation = use.format(ours, True) + TRAINS, use.format(theirs, False) + EVALUATES
    found = [one for one in said(tmp_path, train, evaluation, load=LOAD.format(state=state)) if "resplit" in one.code]
    assert [(one.code, one.data["train"], one.data["evaluation"]) for one in found] == [expected][
        : expected is not None
    ]


def test_a_split_that_is_only_counted(tmp_path: Path) -> None:
    count = LOAD.replace("return", "print(len(train), len(test)) #") + "    return x\n"
    train, evaluation = (
        "from load import load\nload(1)\n" + folder("vision.Resize(224)") + use for use in (TRAINS, EVALUATES)
    )
    assert [one.code for one in said(tmp_path, train, evaluation, load=count.format(state=""))] == ["agree"]


@pytest.mark.parametrize(
    ("fits", "data"),
    [
        ("StandardScaler().fit_transform(x_test)", "x_test"),
        ("StandardScaler().fit_transform(x_test.reshape(-1, 1))", "x_test"),
        ("StandardScaler().fit(x_test[0].astype(np.float32))", "x_test"),
        ("StandardScaler().fit_transform(x_train)", None),
        ("StandardScaler().fit_transform(np.concatenate([x_train, x_test]))", None),
        ("StandardScaler().fit_transform(x[0])", None),
        ("StandardScaler().fit_transform(3)", None),
    ],
)
def test_what_a_scaler_is_fitted_on(fits: str, data: str | None, tmp_path: Path) -> None:
    text = f"""
from sklearn.preprocessing import StandardScaler
x, x_train, x_test = np.load("x.npy"), np.load("a.npy"), np.load("b.npy")
{fits}
"""
    assert [one.data["data"] for one in said(tmp_path, text) if one.code == "fitted-on-evaluation"] == [data][
        : data is not None
    ]


def test_what_a_scaler_is_fitted_on_is_told_where_it_has_no_name(tmp_path: Path) -> None:
    evaluation = """
import pandas as pd
from sklearn.preprocessing import StandardScaler
scaler = StandardScaler()
data = ds.NumpySlicesDataset((scaler.fit_transform(pd.read_csv("b.csv").iloc[:, 1:]), np.ones(3)), ["image", "label"]).batch(4)
"""
    train = "data = ds.NumpySlicesDataset((np.load('a.npy'), np.ones(3)), ['image', 'label']).batch(4)" + TRAINS
    found = said(tmp_path, train, evaluation + EVALUATES)
    assert [one.data["data"] for one in found if one.code == "fitted-on-evaluation"] == [
        "pd.read_csv('b.csv').iloc[:, 1:]"
    ]


FITS = """
import pandas as pd
from sklearn.preprocessing import StandardScaler

def load(path):
    return StandardScaler().fit_transform(pd.read_csv(path))

def scaled(rows):
    return StandardScaler().fit_transform(rows)
"""
IMPORT = "from scaled import load, scaled\nx_train, x_test = np.load('a.npy'), np.load('b.npy')\n"


@pytest.mark.parametrize(
    ("train", "evaluation", "expected"),
    [
        ("x = np.load('a.npy')", "x = load('b.csv')" + EVALUATES.replace("data", "x"), ["pd.read_csv(path)"]),
        (
            "x = np.load('a.npy')",
            "x = load('b.csv')\nmodel.train(5, x)\nnet(ms.Tensor(x))\n",
            [],
        ),  # it trains by itself
        ("x = scaled(x_train)\n", "x = scaled(x_test)\n", ["x_test"]),  # each by itself
        ("x = load(a)\nunknown(x)", "x = load('b.csv')" + EVALUATES.replace("data", "x"), []),
        # of the training data, to scale those of evaluation with it
        ("x = scaled(x_train)\n", "x = scaled(x_train)\n" + EVALUATES.replace("data", "x"), []),
    ],
)
def test_a_scaler_of_one_function_for_training_too(
    train: str, evaluation: str, expected: list[str], tmp_path: Path
) -> None:
    made = "\ndata = ds.NumpySlicesDataset((np.load('a.npy'), np.ones(3)), ['image', 'label']).batch(4)" + TRAINS
    evaluation = evaluation.replace(
        "model.eval(x)", "model.eval(ds.NumpySlicesDataset((x, np.ones(3)), ['image', 'label']))"
    )
    found = said(tmp_path, IMPORT + train + made, IMPORT + evaluation, scaled=FITS)
    assert [one.data["data"] for one in found if one.code == "fitted-on-evaluation"] == expected


TABLE = """
import mindspore.dataset as ds
rows = np.load("rows.npy")
rows[:, :4] = (rows[:, :4] - rows[:90, :4].mean(0)) / rows[:90, :4].std(0)
known, held = rows[:90, :4], rows[90:, :4]
table = nn.Dense(4, 1)
model = ms.Model(table, nn.MSELoss(), nn.Adam(table.trainable_params()), metrics={"mae"})
model.train(1, ds.NumpySlicesDataset((known, rows[:90, 4:]), ["x", "y"]).batch(9))
model.eval(ds.NumpySlicesDataset((EVALUATED, rows[90:, 4:]), ["x", "y"]).batch(9))
"""


@pytest.mark.parametrize(
    ("evaluated", "code"),
    [
        ("held", "agree"),
        ("(held - held.mean(0)) / held.std(0)", "constants-differ"),
        ("np.log1p(held)", "constants-differ"),
        ("held * 1.0", "agree"),
        ("held + np.zeros_like(held)", "agree"),
        ("held + np.ones_like(held)", "constants-differ"),
        ("held + 0.1 * np.sign(known)", "constants-differ"),
        ("unseen.prepared(held)", "unclear"),
        ("(held - held.mean()) / held.max()", "constants-differ"),
    ],
)
def test_steps_that_evaluation_adds_to_those_of_training(evaluated: str, code: str, tmp_path: Path) -> None:
    head = "import unseen\n"
    assert [one.code for one in said(tmp_path, head + TABLE.replace("EVALUATED", evaluated))] == [code]


ATTACK = """
attack = ms.grad(lambda x, y: nn.MSELoss()(table(x), y))
model.eval(ds.NumpySlicesDataset((held + 0.1 * np.sign(attack(held, rows[90:, 4:]).asnumpy()), rows[90:, 4:]), ["x", "y"]).batch(9))
"""


def test_an_attack_is_no_preparation_of_samples(tmp_path: Path) -> None:
    found = said(tmp_path, TABLE.replace("EVALUATED", "held") + ATTACK)
    assert "constants-differ" not in [one.code for one in found]


FEATURES = (
    """
class Source:
    def __getitem__(self, place):
        return feature(np.load(f"{place}.npy")), 0

data = ds.GeneratorDataset(Source(), ["sound", "label"]).batch(4)
"""
    + TRAINS
)
FEATURE = """import numpy as np
from mindspore.dataset import audio

spectrum = audio.Spectrogram(n_fft=256)

def scaled(found):
    return (20 * np.log10(found) + 80) / 100

def feature(wave):
    return scaled(spectrum(wave / np.abs(wave).max()))
"""
SINGLE = """
tone = wave = np.load("new.npy")
print(net(ms.Tensor({})))
"""


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ("scaled(spectrum(wave / np.abs(wave).max()))", "agree"),
        ("spectrum(wave / np.abs(wave).max())", "constants-differ"),
        ("scaled(spectrum(tone / np.abs(tone).max()))", "agree"),
        ("scaled(spectrum(tone / np.abs(tone).mean()))", "constants-differ"),
        ("spectrum(tone / np.abs(tone).max())", "constants-differ"),
        ("other(wave)", "unclear"),
    ],
)
def test_a_feature_that_is_computed_in_part(given: str, code: str, tmp_path: Path) -> None:
    imports = "from features import *\n"
    found = said(tmp_path, imports + FEATURES, imports + SINGLE.format(given), features=FEATURE)
    assert [one.code for one in found] == [code]


def test_noise_that_numpy_computes_from_drawn_numbers_is_chance(tmp_path: Path) -> None:
    jitter = (
        "x = x / 255 + np.sum(np.array([[0.1, 0.2], [0.3, 0.4]]) * np.random.normal(0, 0.1, size=(1, 2)), axis=1)[0]"
    )
    found = said(tmp_path, source(jitter) + TRAINS, source("x = x / 255") + EVALUATES)
    assert [one.code for one in found] == ["agree"]
    found = said(tmp_path, source(jitter) + TRAINS, source("x = x / 127.5") + EVALUATES)
    assert [one.code for one in found] == ["scale-differs"]


ITERATED = """
class Pictures:
    def __init__(self, transform=None):
        self.transform = transform

    def __getitem__(self, place):
        x = cv2.imread(f"{place}.png")
        if self.transform:
            x = self.transform(x)
        return x, 0

    def __len__(self):
        return 9
"""


@pytest.mark.parametrize(("mean", "code"), [("MEAN", "agree"), ("[0.1, 0.1, 0.1]", "scale-differs")])
def test_an_object_without_iter_is_read_item_by_item(mean: str, code: str, tmp_path: Path) -> None:
    made = "Pictures(transforms.Compose([vision.Normalize({}, STD), vision.HWC2CHW()]))"
    train = ITERATED + f"data = ds.GeneratorDataset({made.format('MEAN')}, ['image', 'label']).batch(4)" + TRAINS
    evaluation = ITERATED + f"for image, label in {made.format(mean)}:\n    print(net(ms.Tensor(image)))\n"
    assert [one.code for one in said(tmp_path, train, evaluation)] == [code]


@pytest.mark.parametrize(
    ("operation", "code"), [("vision.RandomHorizontalFlip(0.5)", True), ("vision.Resize(9)", False)]
)
def test_what_a_network_without_a_construct_is_given(operation: str, code: bool, tmp_path: Path) -> None:
    evaluation = f"""
class Part(nn.Cell):
    def compute(self, image):
        return self.inner(image)

class Half(nn.Cell):
    def __init__(self):
        super().__init__()
        self.part = Part()

    def compute(self, image):
        return self.part(image)

half = Half()
turned = transforms.Compose([{operation}, vision.ToTensor()])
print(half(turned(Image.open("a.png"))))
"""
    train = folder("vision.RandomHorizontalFlip(0.5), vision.ToTensor()") + TRAINS
    found = said(tmp_path, train, evaluation)
    assert ("random-in-evaluation" in [one.code for one in found]) is code
    assert all("Part" not in str(one.data) for one in found)


@pytest.mark.parametrize(
    ("formula", "code"),
    [
        ("(y - y.mean()) / y.std()", "agree"),
        ("(y - np.mean(y)) / y.std()", "unclear"),
        ("(y - y.mean(0)) / y.std()", "unclear"),
        ("y", "normalised-in-one"),
    ],
)
def test_a_sample_is_the_same_whatever_it_is_called(formula: str, code: str, tmp_path: Path) -> None:
    ours = source("x = (x - x.mean()) / x.std()") + TRAINS
    theirs = f"y = cv2.imread('a.png')\nprint(net(ms.Tensor({formula})))\n"
    assert [one.code for one in said(tmp_path, ours, theirs)] == [code]


PREDICTED = """
data = ds.ImageFolderDataset('d').map([vision.Decode(), vision.Resize((64, 64)), vision.Normalize(MEAN, STD), vision.HWC2CHW()], 'image')
model.train(1, data.batch(4))

def ready(path):
    x = np.array(Image.open(path).resize((64, 64)), np.float32)
    x = STEP
    return ms.Tensor(x.transpose(2, 0, 1)[None])

"""
BY_HAND = """
def forward(image, label):
    return ops.cross_entropy(net(image), label)

step = ms.value_and_grad(forward, None, net.trainable_params())
for image, label in data.batch(4):
    loss, grads = step(image, label)
    nn.SGD(net.trainable_params())(grads)
"""


@pytest.mark.parametrize(
    "shown", ["print(model.predict(ready('a.png')))", "net.set_train(False)\nprint(net(ready('a.png')))"]
)
@pytest.mark.parametrize(
    ("step", "code"), [("x / 255", "scale-differs"), ("x", "normalised-in-one"), ("(x - MEAN) / STD", "agree")]
)
def test_a_picture_that_a_trained_network_is_shown(tmp_path: Path, step: str, code: str, shown: str) -> None:
    text = PREDICTED.replace("STEP", step)
    if "predict" not in shown:
        text = text.replace("model.train(1, data.batch(4))\n", BY_HAND)
    found = said(tmp_path, text + shown)
    assert [one.code for one in found] == [code]
    assert not any(one.certain for one in found if code != "agree")


@pytest.mark.parametrize(("sizes", "codes"), [((32, 64), ["agree"]), ((32, 48), ["size-differs"])])
def test_pictures_of_two_domains(sizes: tuple[int, int], codes: list[str], tmp_path: Path) -> None:
    """Where training has pictures of two domains, evaluation may be of either; no name tells of which."""
    domains = "\n".join(
        f"{name} = ds.ImageFolderDataset('{name}', shuffle=False)\n"
        f"{name} = {name}.map([vision.Decode(), vision.Resize(({size}, {size}))], 'image')"
        f".rename('image', '{name}_image').project('{name}_image')"
        for name, size in zip(("near", "far"), sizes, strict=True)
    )
    network = """
class Both(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)

    def construct(self, near, far):
        return self.conv(near).sum() + self.conv(far).sum()
"""
    training = domains + "\nboth = ds.zip((near, far)).batch(2)\n" + network + "ms.Model(Both()).train(1, both)\n"
    evaluation = folder("vision.Decode(), vision.Resize((64, 64))") + EVALUATES
    assert [one.code for one in said(tmp_path, training, evaluation)] == codes


@pytest.mark.parametrize(
    ("use", "codes"), [("", []), ("\nfor image, label in test:\n    net(image)\n", ["normalised-in-one"])]
)
def test_a_data_set_that_nothing_asks_for_evaluates_nothing(tmp_path: Path, use: str, codes: list[str]) -> None:
    train = folder("vision.Resize(256), vision.Normalize(MEAN, STD)") + TRAINS
    test = "test = " + folder("vision.Resize(256)").removeprefix("data = ")
    assert [one.code for one in said(tmp_path, train + test + use)] == codes


@pytest.mark.parametrize(("trained", "codes"), [("[1.0] * 3", {"agree"}), ("STD", {"agree", "scale-differs"})])
def test_each_of_many_builders_is_compared_with_what_it_gives_for_training(
    tmp_path: Path, trained: str, codes: set[str]
) -> None:
    """Five builders that give one of two data sets each for training: the evaluation of the last has its training beside it."""
    head = """
        import os
        import mindspore.dataset as ds
        from mindspore.dataset import vision
        devices, rank = int(os.environ["SIZE"]), int(os.environ["RANK"])
        MEAN, STD = [123.675, 116.28, 103.53], [58.395, 57.12, 57.375]
    """
    builder = """
        def build{index}(train):
            if not train or devices == 1:
                data = ds.ImageFolderDataset("d{index}", shuffle=train)
            else:
                data = ds.ImageFolderDataset("d{index}", shuffle=train, num_shards=devices, shard_id=rank)
            deviation = {trained} if train else {evaluated}
            return data.map([vision.Decode(), vision.Resize((64, 64)), vision.Normalize(MEAN, deviation)], "image").batch(4)
    """
    sides = [("STD", "STD")] * 4 + [(trained, "[1.0] * 3")]
    pipes = textwrap.dedent(head) + "".join(
        textwrap.dedent(builder).format(index=index, trained=ours, evaluated=theirs)
        for index, (ours, theirs) in enumerate(sides)
    )
    choice = "import sys\n" + "".join(
        f"{'elif' if index else 'if'} sys.argv[1] == 'net{index}':\n    from pipes import build{index} as build\n"
        for index in range(len(sides))
    )
    train = choice + "data = build(True)\n" + TRAINS
    evaluation = choice + "data = build(False)\n" + EVALUATES
    assert {one.code for one in said(tmp_path, train, evaluation, pipes=pipes)} == codes


def test_what_a_network_computes_while_it_is_made_is_no_input_of_evaluation(tmp_path: Path) -> None:
    text = """
from elsewhere import windows, args

class Fill(nn.Cell):
    def construct(self, inputs, mask):
        return inputs * (1 - mask) - 100 * mask

class Masked(nn.Cell):
    def __init__(self):
        super().__init__()
        self.inner, self.fill = Net(), Fill()
        near = windows(4) // 2
        near = ops.expand_dims(near, 1) - ops.expand_dims(near, 0)
        self.mask = self.fill(near, near != 0)

    def construct(self, image):
        return self.inner(image) + self.mask

def build(training):
    steps = [vision.Decode(), vision.Normalize(MEAN, STD)]
    return ds.ImageFolderDataset("d").map(steps + [vision.RandomHorizontalFlip()] if training else steps, "image").batch(4)

net = Masked()
model = ms.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params()))
model.train(1, build(not args.eval))
"""
    assert not said(tmp_path, text)


_BY_NAME = """
class Source:
    def __init__(self, rate=8000):
        self.rate, self.names = rate, sorted(os.listdir("d"))

    def __getitem__(self, place):
        x = np.load(self.names[place])
        {line}
        return x, 0

    def __len__(self):
        return len(self.names)

{other}
data = ds.GeneratorDataset(Source({given}), ["image", "label"]).batch(4)
"""
#: What training and evaluation do with a sample of an own generator -> the worst that is said.
_LINES = {
    "one more division": ("x = x[..., ::2] / 255", "x = x[..., ::2] / 255\n        x = x / 255.0", "scale-differs"),
    "one division in another place": ("x = x / 255", "x = x.astype(np.float32)\n        x = x / 255.0", "agree"),
    "mean and deviation for the ends": (
        "x = (x - x.min()) / (x.max() - x.min())",
        "x = (x - x.mean()) / x.std()",
        "constants-differ",
    ),
    "the ends in another spelling": (
        "x = (x - x.min()) / (x.max() - x.min())",
        "low, high = np.min(x), np.max(x)\n        x = (x - low) / (high - low)",
        "unclear",
    ),
    "a sound of another rate": (
        "x, _ = librosa.load(self.names[place], sr=8000)",
        "x, _ = librosa.load(self.names[place], sr=16000)",
        "sampling-differs",
    ),
    "a sound of another rate, by an option": (
        "x, _ = librosa.load(self.names[place], sr=self.rate)",
        "x, _ = librosa.load(self.names[place], 16000)",
        "sampling-differs",
    ),
    "a sound of the same rate": (
        "x, _ = librosa.load(self.names[place], sr=self.rate)",
        "x, _ = librosa.load(self.names[place], sr=8000)",
        "agree",
    ),
    "a sound that is brought to the rate": (
        "x, _ = librosa.load(self.names[place], sr=8000)",
        "x, rate = librosa.load(self.names[place], sr=16000)\n        x = librosa.resample(x, orig_sr=rate, target_sr=8000)",
        "agree",
    ),
}


@pytest.mark.parametrize("name", _LINES)
def test_samples_of_an_own_generator(tmp_path: Path, name: str) -> None:
    train, evaluation, code = _LINES[name]
    ours, theirs = (
        "import os, librosa\n" + _BY_NAME.format(line=line, other="", given="") for line in (train, evaluation)
    )
    found = said(tmp_path, ours + TRAINS, theirs + EVALUATES)
    codes = {one.code for one in found}
    assert code in codes
    assert code in ("agree", "unclear") or "agree" not in codes


@pytest.mark.parametrize(
    ("train", "evaluation", "code"),
    [
        ("MinMaxScaler(feature_range=(-1, 1))", "MinMaxScaler(feature_range=(0, 1))", "constants-differ"),
        ("MinMaxScaler((-1, 1))", "MinMaxScaler()", "constants-differ"),
        ("MinMaxScaler()", "MinMaxScaler(feature_range=(0, 1), copy=False)", "agree"),
        ("StandardScaler()", "StandardScaler(with_mean=True)", "agree"),
        ("StandardScaler()", "StandardScaler(with_std=False)", "constants-differ"),
    ],
)
def test_scalers_that_are_told_otherwise(tmp_path: Path, train: str, evaluation: str, code: str) -> None:
    text = """
        from sklearn.preprocessing import MinMaxScaler, StandardScaler
        x = np.load("all.npy")
        scaler = {scaler}
        scaler.fit(x)
        data = ds.NumpySlicesDataset((scaler.transform(x), np.load("labels.npy")), ["image", "label"]).batch(4)
    """
    ours, theirs = (textwrap.dedent(text.format(scaler=one)) for one in (train, evaluation))
    assert code in {one.code for one in said(tmp_path, ours + TRAINS, theirs + EVALUATES)}


@pytest.mark.parametrize(
    ("statistics", "code"),
    [
        ("held.mean(0), held.std(0)", "own-statistics"),
        ("np.mean(held, axis=0), np.std(held, axis=0)", "own-statistics"),
        ("rows.mean(0), rows.std(0)", "unclear"),
    ],
)
def test_a_set_that_is_scaled_by_its_own_statistics(tmp_path: Path, statistics: str, code: str) -> None:
    text = f"""
        x = np.load("all.npy")
        rows, held = x[:800], x[800:]
        low, wide = {statistics.replace("held", "rows")}
        rows = (rows - low) / wide
        low, wide = {statistics}
        held = (held - low) / wide
        table = nn.Dense(4, 2)
        model = ms.Model(table, nn.MSELoss(), nn.Adam(table.trainable_params()), metrics={{"mse"}})
        model.train(3, ds.NumpySlicesDataset((rows, np.load("y.npy")), ["x", "y"]).batch(9))
        model.eval(ds.NumpySlicesDataset((held, np.load("z.npy")), ["x", "y"]).batch(9))
    """
    assert code in [one.code for one in said(tmp_path, text)]


def test_samples_that_are_scaled_one_by_one_by_their_own_statistics(tmp_path: Path) -> None:
    own = "x = (x - x.mean(0)) / x.std(0)"
    ours = theirs = "import os, librosa\n" + _BY_NAME.format(line=own, other="", given="")
    assert {one.code for one in said(tmp_path, ours + TRAINS, theirs + EVALUATES)} <= {"agree", "usual"}


@pytest.mark.parametrize(("fitted", "own"), [("rows[:cut]", False), ("part", True)])
def test_parts_of_a_table_that_are_scaled_by_the_statistics_of_one(tmp_path: Path, fitted: str, own: bool) -> None:
    text = f"""
        class Part:
            def __init__(self, flag):
                rows = np.load("all.npy")
                cut = int(len(rows) * 0.7)
                part = rows[:cut] if flag == "train" else rows[cut:]
                self.x, self.y = (part - {fitted}.mean(0)) / {fitted}.std(0), np.load(flag + "_y.npy")
            def __getitem__(self, i):
                return self.x[i], self.y[i]
            def __len__(self):
                return len(self.x)
        table = nn.Dense(4, 2)
        model = ms.Model(table, nn.MSELoss(), nn.Adam(table.trainable_params()), metrics={{"mse"}})
        model.train(3, ds.GeneratorDataset(Part("train"), ["x", "y"], shuffle=True).batch(9))
        model.eval(ds.GeneratorDataset(Part("test"), ["x", "y"], shuffle=False).batch(9))
    """
    assert ("own-statistics" in [one.code for one in said(tmp_path, text)]) == own
