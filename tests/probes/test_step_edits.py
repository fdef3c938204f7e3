"""The edits that mend a list of transforms: what they change, where there is none, and that the finding is gone with them."""

import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import msgspec
import pytest

from accucheck import probe
from accucheck.case import Case, CaseFile
from accucheck.model import Finding
from accucheck.probes import input_normalization, train_infer_transforms
from findings import found_by, of_code

HEAD = """\
import mindspore as ms
import mindspore.dataset as ds
import mindspore.dataset.vision as vision
from mindspore import nn

"""
TRAINED = """
data = ds.Cifar10Dataset("data").map(transforms, "image").batch(32)
ms.Model(nn.Conv2d(3, 8, 3), nn.SoftmaxCrossEntropyWithLogits()).train(10, data)
"""
BOTH = """
def made(path, steps):
    return ds.Cifar10Dataset(path).map(steps, "image").batch(32)

model = ms.Model(nn.Conv2d(3, 8, 3), nn.SoftmaxCrossEntropyWithLogits(), metrics={"accuracy"})
model.train(10, made("train", training))
model.eval(made("test", evaluation))
"""


def examined(module: ModuleType, root: Path) -> list[Finding]:
    case = Case(root=str(root), spec=msgspec.convert({"scripts": {"train": "train.py"}}, CaseFile))
    return found_by(module, case, probe.params(module, {}))


def mended(module: ModuleType, code: str, root: Path, script: str) -> tuple[list[str], list[str]] | None:
    """The lines that the fix takes away and puts in; None where there is no edit. With it, the finding is gone."""
    (root / "train.py").write_text(script)
    fix = of_code(examined(module, root), code).fix
    assert fix is not None
    if fix.diff is None:
        return None
    if shutil.which("git"):
        subprocess.run(["git", "apply"], cwd=root, input=fix.diff.encode(), check=True)
        assert code not in {finding.code for finding in examined(module, root)}
    lines = fix.diff.splitlines()[2:]
    return [line[1:] for line in lines if line[0] == "-"], [line[1:] for line in lines if line[0] == "+"]


@pytest.mark.parametrize(
    ("steps", "gone", "new"),
    [
        pytest.param(
            "transforms = [vision.Normalize([0.5], [0.5]), vision.HWC2CHW()]",
            ["transforms = [vision.Normalize([0.5], [0.5]), vision.HWC2CHW()]"],
            ["transforms = [vision.Rescale(1.0 / 255.0, 0.0), vision.Normalize([0.5], [0.5]), vision.HWC2CHW()]"],
            id="in the line of the list",
        ),
        pytest.param(
            "transforms = [\n    vision.Resize(32),\n    vision.Normalize([0.5], [0.5]),  # 归一化\n    vision.HWC2CHW(),\n]",
            [],
            ["    vision.Rescale(1.0 / 255.0, 0.0),"],
            id="in a line of its own",
        ),
        pytest.param(
            "transforms = (\n    vision.Resize(32), vision.Normalize(\n        [0.5], [0.5]),\n)",
            ["    vision.Resize(32), vision.Normalize("],
            ["    vision.Resize(32), vision.Rescale(1.0 / 255.0, 0.0), vision.Normalize("],
            id="a tuple, in the middle of a line",
        ),
        pytest.param(
            "transforms = vision.Normalize(mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225])",
            ["transforms = vision.Normalize(mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225])"],
            [
                "transforms = vision.Normalize(mean=[0.485 * 255.0, 0.456 * 255.0, 0.406 * 255.0], "
                "std=[0.229 * 255.0, 0.224 * 255.0, 0.225 * 255.0])"
            ],
            id="in no list: by its numbers",
        ),
        pytest.param(
            "transforms = vision.Normalize(\n    [0.5],\n    (0.25,),\n)",
            ["    [0.5],", "    (0.25,),"],
            ["    [0.5 * 255.0],", "    (0.25 * 255.0,),"],
            id="numbers in several lines",
        ),
    ],
)
def test_statistics_of_0_to_1_on_pixels(tmp_path, steps, gone, new):
    assert mended(input_normalization, "unit-statistics", tmp_path, HEAD + steps + "\n" + TRAINED) == (gone, new)


@pytest.mark.parametrize(
    "steps",
    [
        pytest.param("mean = [0.5]\ntransforms = vision.Normalize(mean, [0.5])", id="a list by its name"),
        pytest.param("transforms = vision.Normalize([1 / 2], [0.5])", id="a number that is worked out"),
        pytest.param("both = ([0.5], [0.5])\ntransforms = vision.Normalize(*both)", id="handed over in one"),
    ],
)
def test_statistics_that_no_edit_is_made_for(tmp_path, steps):
    assert mended(input_normalization, "unit-statistics", tmp_path, HEAD + steps + "\n" + TRAINED) is None


@pytest.mark.parametrize(
    ("steps", "gone", "new"),
    [
        pytest.param(
            "[vision.RandomHorizontalFlip(), vision.ToTensor()]",
            ["evaluation = [vision.RandomHorizontalFlip(), vision.ToTensor()]"],
            ["evaluation = [vision.ToTensor()]"],
            id="the first",
        ),
        pytest.param(
            "[vision.Resize(32), vision.RandomHorizontalFlip(), vision.ToTensor()]",
            ["evaluation = [vision.Resize(32), vision.RandomHorizontalFlip(), vision.ToTensor()]"],
            ["evaluation = [vision.Resize(32), vision.ToTensor()]"],
            id="in the middle",
        ),
        pytest.param(
            "[vision.ToTensor(), vision.RandomHorizontalFlip()]",
            ["evaluation = [vision.ToTensor(), vision.RandomHorizontalFlip()]"],
            ["evaluation = [vision.ToTensor()]"],
            id="the last",
        ),
        pytest.param(
            "[\n    vision.RandomHorizontalFlip(),\n    vision.ToTensor(),\n]",
            ["    vision.RandomHorizontalFlip(),"],
            [],
            id="in a line of its own",
        ),
        pytest.param(
            "[vision.ToTensor()\n    , vision.RandomHorizontalFlip()\n]",
            ["    , vision.RandomHorizontalFlip()"],
            [],
            id="a comma at the front",
        ),
    ],
)
def test_chance_in_evaluation(tmp_path, steps, gone, new):
    script = f"{HEAD}training = [vision.Resize(32), vision.ToTensor()]\nevaluation = {steps}\n{BOTH}"
    assert mended(train_infer_transforms, "random-in-evaluation", tmp_path, script) == (gone, new)


@pytest.mark.parametrize(
    "steps",
    [
        pytest.param("[vision.RandomHorizontalFlip()]", id="the only one"),
        pytest.param("[vision.RandomHorizontalFlip(\n    0.5), vision.ToTensor()]", id="over several lines"),
        pytest.param("[\n    vision.ToTensor(),\n    vision.RandomHorizontalFlip()\n]", id="without a comma after it"),
        pytest.param("vision.RandomHorizontalFlip()", id="in no list"),
    ],
)
def test_chance_that_no_edit_is_made_for(tmp_path, steps):
    script = f"{HEAD}training = [vision.Resize(32), vision.ToTensor()]\nevaluation = {steps}\n{BOTH}"
    assert mended(train_infer_transforms, "random-in-evaluation", tmp_path, script) is None
